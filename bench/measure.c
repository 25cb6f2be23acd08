/* Time and memory of one shell command. This process is small, so that the largest resident set is
 * that of the command and not of the program that asks.
 *     measure SECONDS COMMAND
 * prints the exit status (256 + signal; -1 after the time limit), wall, user and system
 * seconds, KiB. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;
static volatile sig_atomic_t out_of_time;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    out_of_time = 1;
    kill(-child, SIGKILL);
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    struct itimerval limit = {{0, 0}, {0, 0}};
    struct rusage usage;
    double begin, end;
    int status = 0;
    if (argc != 3 || atoi(argv[1]) <= 0) {
        fprintf(stderr, "usage: measure SECONDS COMMAND\n");
        return 2;
    }
    begin = now();
    child = fork();
    if (child < 0) {
        perror("measure");
        return 2;
    }
    setpgid(child, child); /* a group of its own in both: all of it is killed when time is out */
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", argv[2], (char *)NULL);
        _exit(127);
    }
    signal(SIGALRM, on_alarm);
    limit.it_value.tv_sec = atoi(argv[1]);
    setitimer(ITIMER_REAL, &limit, NULL);
    while (wait4(child, &status, 0, &usage) != child) {
    }
    end = now();
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
    printf("%d %.6f %.6f %.6f %ld\n", out_of_time ? -1 : status, end - begin,
        seconds_of(usage.ru_utime), seconds_of(usage.ru_stime), usage.ru_maxrss);
    return 0;
}
