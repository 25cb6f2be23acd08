/* The three functions that compilers call by themselves, for a system without a C library. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

void *memcpy(void *to, const void *from, size_t size)
{
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    while (size-- != 0) {
        *t++ = *f++;
    }
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    unsigned char *t = (unsigned char *)to;
    while (size-- != 0) {
        *t++ = (unsigned char)byte;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = (const unsigned char *)a;
    const unsigned char *y = (const unsigned char *)b;
    for (; size != 0; size--, x++, y++) {
        if (*x != *y) {
            return *x < *y ? -1 : 1;
        }
    }
    return 0;
}
