/* What a header that forgets to undo it leaves. */
#pragma pack(push, 1)
