/* During a search: a progress line on a terminal, elsewhere one per minute. The first interrupt
 * stops with the best result so far, the third ends the program. */
#include "commands/partition/partition.h"

#include "output/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NS_BETWEEN     200000000u   /* lines on a terminal */
#define NS_BETWEEN_LOG 60000000000u /* elsewhere */

/* An upper estimate of the seconds left. KL tries about the same for every node; a merge leaves
 * fewer pairs of smaller graphs, so the trials fall with the third power of the remaining
 * partitions. */
static double remaining(const gsp_partition_progress *at, double elapsed)
{
    double left = (double)(at->total - at->done) / (double)at->total;
    if (at->mode == GSP_PARTITION_COST) {
        left = left * left * left;
    }
    return left < 1.0 ? elapsed * left / (1.0 - left) : 0.0;
}

static void tell(partition *p, const gsp_partition_progress *at, uint64_t now)
{
    cli_session *s = p->session;
    int merges = at->mode == GSP_PARTITION_COST;
    cli_buffer line;
    cli_buffer_init(&line, s);
    cli_printf(&line, "%" PRIu32 " of at most %" PRIu32 " %s, %" PRIu64 " trials, latency ",
        at->done, at->total, merges ? "merges" : "nodes", at->work);
    cli_put_time(&line, &p->opt.times, at->cost);
    if (at->done != 0 && at->done < at->total) {
        double seconds = remaining(at, (double)(now - p->begun) * 1e-9);
        cli_printf(&line, seconds < 99.5 ? ", at most %.0f s left" : ", at most %.0f min left",
            seconds < 99.5 ? seconds : seconds / 60.0);
    }
    if (s->progress_wanted) {
        size_t room = cli_columns();
        size_t taken = strlen(s->front->program) + 3u; /* ": ", and the last column */
        room = room > taken ? room - taken : 0u;
        cli_puts(&line, " (^C: take the best so far)");
        line.size = line.size < room ? line.size : room;
    }
    cli_put(&line, "", 1u);
    if (s->progress_wanted) {
        cli_progress_line(s, line.data);
    } else {
        fprintf(stderr, "%s: %s\n", s->front->program, line.data);
    }
    cli_release(s, line.data);
}

static int progress(void *user, const gsp_partition_progress *at)
{
    partition *p = (partition *)user;
    uint64_t now = cli_now();
    if (now - p->told >= (p->session->progress_wanted ? NS_BETWEEN : NS_BETWEEN_LOG)) {
        p->told = now;
        tell(p, at, now);
    }
    p->tried = at->work;
    p->interrupted = cli_search_interrupted();
    return p->interrupted;
}

void partition_watch(partition *p)
{
    if (p->opt.mode != GSP_PARTITION_COST && p->opt.mode != GSP_PARTITION_KL) {
        return;
    }
    p->desc.progress = progress;
    p->desc.progress_user = p;
    p->desc.progress_every = PARTITION_TRIALS;
    p->told = cli_now();
    cli_search_begin();
}

void partition_unwatch(const partition *p)
{
    if (p->desc.progress != NULL) {
        cli_search_end();
    }
}
