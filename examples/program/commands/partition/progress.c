/* During a search: a progress line on a terminal. The first interrupt stops with the best result so
 * far, a second one ends the program. */
#include "commands/partition/progress.h"

#include "core/buffer.h"
#include "core/sys.h"

#include <inttypes.h>
#include <signal.h>

#define TRIALS_BETWEEN 64u
#define NS_BETWEEN     200000000u

static volatile sig_atomic_t asked_to_stop;

static void stop(int number)
{
    asked_to_stop = 1;
    (void)signal(number, SIG_DFL);
}

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
    int merges = at->mode == GSP_PARTITION_COST;
    cli_buffer line;
    cli_buffer_init(&line, p->session);
    cli_printf(&line, "%" PRIu32 " of at most %" PRIu32 " %s, %" PRIu64 " trials, latency ",
               at->done, at->total, merges ? "merges" : "nodes", at->work);
    cli_put_time(&line, &p->opt.times, at->cost);
    if (at->done != 0 && at->done < at->total) {
        double seconds = remaining(at, (double)(now - p->begun) * 1e-9);
        cli_printf(&line, seconds < 99.5 ? ", at most %.0f s left" : ", at most %.0f min left",
                   seconds < 99.5 ? seconds : seconds / 60.0);
    }
    cli_puts(&line, " (^C: take the best so far)");
    cli_put(&line, "", 1u);
    cli_progress_line(p->session, line.data);
    cli_release(p->session, line.data);
}

static int progress(void *user, const gsp_partition_progress *at)
{
    partition *p = (partition *)user;
    if (p->session->progress_wanted) {
        uint64_t now = cli_now();
        if (now - p->told >= NS_BETWEEN) {
            p->told = now;
            tell(p, at, now);
        }
    }
    p->interrupted = asked_to_stop != 0;
    return p->interrupted;
}

void partition_watch(partition *p)
{
    if (p->opt.mode != GSP_PARTITION_COST && p->opt.mode != GSP_PARTITION_KL) {
        return;
    }
    p->desc.progress = progress;
    p->desc.progress_user = p;
    p->desc.progress_every = TRIALS_BETWEEN;
    asked_to_stop = 0;
    if (signal(SIGINT, stop) == SIG_IGN) { /* as under nohup */
        (void)signal(SIGINT, SIG_IGN);
    }
}

void partition_unwatch(const partition *p)
{
    if (p->desc.progress != NULL && signal(SIGINT, SIG_DFL) == SIG_IGN) {
        (void)signal(SIGINT, SIG_IGN);
    }
}
