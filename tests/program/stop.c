/* Preloaded: ends a program at a call that changes files, or lets that call fail.
 * STOP_AT=N: the N-th such call; STOP_HOW=kill or fail; STOP_LOG=FILE: gets the number of calls;
 * STOP_LINKS=no: a file system without second names. */
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
#include <sys/uio.h>
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

/* Streams of C++; a pipe to another process is no file. */
static int is_file(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}

ssize_t write(int file, const void *data, size_t size)
{
    ssize_t (*real)(int, const void *, size_t) = REAL(ssize_t, write, int, const void *, size_t);
    if (is_file(file) && is_now()) {
        real(file, data, size / 2);
        end();
        return -1;
    }
    return real(file, data, size);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    if (is_file(file)) {
        STOP(-1);
    }
    return REAL(ssize_t, writev, int, const struct iovec *, int)(file, parts, count);
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
PATHS_1(remove)
PATHS_1(rmdir)

int link(const char *a, const char *b)
{
    STOP(-1);
    if (getenv("STOP_LINKS") != NULL) {
        errno = EPERM;
        return -1;
    }
    return REAL(int, link, const char *, const char *)(a, b);
}

PATH_MODE(mkdir)
PATH_MODE(chmod)
