/* Preloaded: every look at the clock comes a second after the one before. */
#define _GNU_SOURCE
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static time_t seconds;
    (void)clock;
    now->tv_sec = ++seconds;
    now->tv_nsec = 0;
    return 0;
}
