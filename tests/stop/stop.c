/* Preloaded: ends a program at a call that changes files, or lets that call fail.
 * STOP_AT=N: the N-th such call; STOP_HOW=kill or fail; STOP_LOG=FILE: gets the number of calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long calls;

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

static void end(void)
{
    if (strcmp(getenv("STOP_HOW"), "kill") == 0) {
        kill(getpid(), SIGKILL);
    }
    errno = ENOSPC;
}

static int is_now(void)
{
    const char *at = getenv("STOP_AT");
    return at != NULL && ++calls == atol(at);
}

/* Fails before the call. */
#define STOP(failed)       \
    do {                   \
        if (is_now()) {    \
            end();         \
            return failed; \
        }                  \
    } while (0)

__attribute__((destructor)) static void count(void)
{
    const char *log = getenv("STOP_LOG");
    FILE *file = log != NULL ? REAL(FILE *, fopen, const char *, const char *)(log, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld\n", calls);
        REAL(int, fclose, FILE *)(file);
    }
}

FILE *fopen(const char *path, const char *mode)
{
    if (mode[0] == 'w') {
        STOP(NULL);
    }
    return REAL(FILE *, fopen, const char *, const char *)(path, mode);
}

int open(const char *path, int flags, ...)
{
    va_list list;
    mode_t mode = 0;
    va_start(list, flags);
    if ((flags & O_CREAT) != 0) {
        mode = va_arg(list, mode_t);
    }
    va_end(list);
    if ((flags & O_CREAT) != 0) {
        STOP(-1);
    }
    return REAL(int, open, const char *, int, mode_t)(path, flags, mode);
}

/* Half of it is written. */
size_t fwrite(const void *data, size_t size, size_t count, FILE *file)
{
    size_t (*real)(const void *, size_t, size_t, FILE *) =
        REAL(size_t, fwrite, const void *, size_t, size_t, FILE *);
    if (fileno(file) > 2 && is_now()) {
        size_t half = real(data, size, count / 2, file);
        fflush(file);
        end();
        return half;
    }
    return real(data, size, count, file);
}

int fclose(FILE *file)
{
    if (fileno(file) > 2 && (fcntl(fileno(file), F_GETFL) & O_ACCMODE) != O_RDONLY && is_now()) {
        REAL(int, fclose, FILE *)(file);
        end();
        return EOF;
    }
    return REAL(int, fclose, FILE *)(file);
}

#define PATHS_2(name)                                             \
    int name(const char *a, const char *b)                        \
    {                                                             \
        STOP(-1);                                                 \
        return REAL(int, name, const char *, const char *)(a, b); \
    }
#define PATHS_1(name)                            \
    int name(const char *a)                      \
    {                                            \
        STOP(-1);                                \
        return REAL(int, name, const char *)(a); \
    }
#define PATH_MODE(name)                                        \
    int name(const char *a, mode_t mode)                       \
    {                                                          \
        STOP(-1);                                              \
        return REAL(int, name, const char *, mode_t)(a, mode); \
    }
PATHS_2(rename)
PATHS_2(link)
PATHS_1(remove)
PATHS_1(rmdir)
PATH_MODE(mkdir)
PATH_MODE(chmod)
