/* With a configuration header in force: the library runs on the user's leaf operations. */
#define GSP_CONFIG_HEADER "config.h"
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#include "user.h"

static size_t own_calls;

void *own_memcpy(void *to, const void *from, size_t size)
{
    return own_memmove(to, from, size);
}

void *own_memmove(void *to, const void *from, size_t size)
{
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    own_calls++;
    if (t <= f) {
        for (size_t i = 0; i < size; i++) {
            t[i] = f[i];
        }
    } else {
        for (size_t i = size; i > 0; i--) {
            t[i - 1u] = f[i - 1u];
        }
    }
    return to;
}

void *own_memset(void *to, int value, size_t size)
{
    unsigned char *t = (unsigned char *)to;
    own_calls++;
    for (size_t i = 0; i < size; i++) {
        t[i] = (unsigned char)value;
    }
    return to;
}

int own_memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = (const unsigned char *)a;
    const unsigned char *y = (const unsigned char *)b;
    own_calls++;
    for (size_t i = 0; i < size; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

void own_assert(int condition)
{
    if (!condition) {
        __builtin_trap();
    }
}

int main(void)
{
    return user_subgraphs() == 2u && own_calls > 0 ? 0 : 1;
}
