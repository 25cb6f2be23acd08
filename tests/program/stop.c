/* Preloaded: ends a program at a call that changes files, or lets that call fail.
 * STOP_AT=N: the N-th such call; STOP_HOW=kill, fail, or the number of a signal that comes then;
 * STOP_LOG=FILE gets the number of calls; STOP_LINKS=no: a file system without second names;
 * STOP_SYNC=FILE gets the files that become known by a name before they are on the disk. */
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

/* 1 if the call shall fail. */
static int end(void)
{
    const char *how = getenv("STOP_HOW");
    if (strcmp(how, "kill") == 0) {
        kill(getpid(), SIGKILL);
    }
    if (how[0] >= '0' && how[0] <= '9') {
        raise(atoi(how));
        return 0;
    }
    errno = ENOSPC;
    return 1;
}

static int is_now(void)
{
    const char *at = getenv("STOP_AT");
    return at != NULL && ++calls == atol(at);
}

/* Fails before the call. */
#define STOP(failed) \
    do { \
        if (is_now() && end()) { \
            return failed; \
        } \
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
    if (is_file(file) && is_now() && (real(file, data, size / 2), end())) {
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
    size_t half = 0;
    if (fileno(file) > 2 && is_now()) {
        half = real(data, size, count / 2, file);
        fflush(file);
        if (end()) {
            return half;
        }
    }
    return half + real((const char *)data + half * size, size, count - half, file);
}

int fclose(FILE *file)
{
    if (fileno(file) > 2 && (fcntl(fileno(file), F_GETFL) & O_ACCMODE) != O_RDONLY && is_now() &&
        end()) {
        REAL(int, fclose, FILE *)(file);
        return EOF;
    }
    return REAL(int, fclose, FILE *)(file);
}

#define PATHS_1(name) \
    int name(const char *a) \
    { \
        STOP(-1); \
        return REAL(int, name, const char *)(a); \
    }
#define PATH_MODE(name) \
    int name(const char *a, mode_t mode) \
    { \
        STOP(-1); \
        return REAL(int, name, const char *, mode_t)(a, mode); \
    }
PATHS_1(remove)
PATHS_1(rmdir)

/* ---- what is on the disk ---- */

static ino_t synced[4096];
static size_t n_synced;

int fsync(int file)
{
    struct stat about;
    if (n_synced < sizeof synced / sizeof *synced && fstat(file, &about) == 0) {
        synced[n_synced++] = about.st_ino;
    }
    return REAL(int, fsync, int)(file);
}

static int is_synced(const char *path)
{
    struct stat about;
    size_t i = 0;
    if (stat(path, &about) != 0) {
        return 0;
    }
    while (i < n_synced && synced[i] != about.st_ino) {
        i++;
    }
    return i < n_synced;
}

int rename(const char *a, const char *b)
{
    const char *log = getenv("STOP_SYNC");
    FILE *file = log != NULL && !is_synced(a)
                     ? REAL(FILE *, fopen, const char *, const char *)(log, "a")
                     : NULL;
    if (file != NULL) {
        fprintf(file, "%s\n", a);
        REAL(int, fclose, FILE *)(file);
    }
    STOP(-1);
    return REAL(int, rename, const char *, const char *)(a, b);
}

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
