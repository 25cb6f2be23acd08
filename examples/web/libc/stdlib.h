/* What the command line needs of C's library: libc.c. */
#ifndef WEB_STDLIB_H
#define WEB_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
_Noreturn void exit(int status);
char *getenv(const char *name);
void *bsearch(const void *key, const void *base, size_t count, size_t size,
    int (*compare)(const void *, const void *));
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif
