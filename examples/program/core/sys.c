/* What differs between systems: terminals, clocks, directories. */
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200112L
#endif

#include "core/sys.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#if defined(__unix__) || defined(__APPLE__)
#define CAN_MAP
#include <fcntl.h>
#include <sys/mman.h>
#endif

#ifdef _WIN32
#include <direct.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#else
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#endif

int cli_is_terminal(int number)
{
#ifdef _WIN32
    return _isatty(number) != 0;
#else
    return isatty(number) != 0;
#endif
}

uint64_t cli_now(void)
{
#if !defined(_WIN32) && defined(CLOCK_MONOTONIC)
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0) {
        return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
#endif
    return (uint64_t)clock() * (1000000000u / (uint64_t)CLOCKS_PER_SEC);
}

int cli_make_dir(const char *path)
{
#ifdef _WIN32
    int failed = _mkdir(path);
#else
    int failed = mkdir(path, 0777);
#endif
    if (!failed) {
        return 1;
    }
    return errno == EEXIST ? 0 : -1;
}

void cli_remove_dir(const char *path)
{
#ifdef _WIN32
    _rmdir(path);
#else
    (void)rmdir(path);
#endif
}

void cli_remove_file(const char *path)
{
#ifdef CAN_MAP
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
        return;
    }
#endif
    (void)remove(path);
}

int cli_is_same_file(const char *a, const char *b)
{
#ifdef _WIN32
    char whole_a[_MAX_PATH];
    char whole_b[_MAX_PATH];
    return _fullpath(whole_a, a, sizeof whole_a) != NULL &&
           _fullpath(whole_b, b, sizeof whole_b) != NULL && _stricmp(whole_a, whole_b) == 0;
#else
    struct stat of_a;
    struct stat of_b;
    return stat(b, &of_b) == 0 && stat(a, &of_a) == 0 && S_ISREG(of_b.st_mode) &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
#endif
}

#ifdef CAN_MAP
static const char *map(int file, size_t least, size_t *size)
{
    struct stat about;
    void *data = MAP_FAILED;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
        (uint64_t)about.st_size >= least && (uint64_t)about.st_size <= SIZE_MAX) {
        *size = (size_t)about.st_size;
        data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    return data == MAP_FAILED ? NULL : (const char *)data;
}
#endif

const char *cli_map(const char *path, size_t least, size_t *size)
{
    const char *data = NULL;
#ifdef CAN_MAP
    int file = open(path, O_RDONLY);
    if (file >= 0) {
        data = map(file, least, size);
        (void)close(file);
    }
#else
    (void)path;
    (void)least;
    (void)size;
#endif
    return data;
}

/* Text mode would change bytes. */
void cli_binary_streams(void)
{
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
}
