/* The progress line: on standard error, when that is a terminal and the work takes its time. */
#include "core/cli.h"

#include <stdio.h>

#define CLI_PROGRESS_AFTER_NS 300000000u

void cli_progress(cli_session *s, const char *what)
{
    if (!s->progress_wanted || s->progress_shown == what ||
        cli_now() - s->started < CLI_PROGRESS_AFTER_NS) {
        return;
    }
    fprintf(stderr, "\r\033[K%s: %s ...", s->front->program, what);
    fflush(stderr);
    s->progress_shown = what;
}

void cli_progress_line(cli_session *s, const char *line)
{
    if (s->progress_wanted && cli_now() - s->started >= CLI_PROGRESS_AFTER_NS) {
        fprintf(stderr, "\r\033[K%s: %s", s->front->program, line);
        fflush(stderr);
        s->progress_shown = "";
    }
}

void cli_progress_end(cli_session *s)
{
    if (s->progress_shown != NULL) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        s->progress_shown = NULL;
    }
}
