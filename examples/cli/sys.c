/* What differs between systems: terminals, clocks, directories. */
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200112L
#endif

#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#ifdef _WIN32
#include <direct.h>
#include <fcntl.h>
#include <io.h>
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

/* Texts go in and out byte for byte. */
void cli_binary_streams(void)
{
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
}
