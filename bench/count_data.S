/* The network and the list of operators as they lie in their files. */
    .section .rodata
    .global network_begin
    .global network_end
    .global operators_begin
    .global operators_end
network_begin:
    .incbin NETWORK
network_end:
operators_begin:
    .incbin OPERATORS
operators_end:
#ifdef __linux__
    .section .note.GNU-stack, "", %progbits
#endif
