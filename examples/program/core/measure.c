/* Arenas of passes; --time and --arena. */
#include "core/measure.h"

#include "core/command.h"
#include "core/error.h"
#include "core/sys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int cli_pass_arena(cli_session *s, gsp_arena *arena, size_t bound)
{
    size_t bytes = bound;
    if (bound == SIZE_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW,
            "the pass needs more memory than this machine can "
            "address");
    }
    if (s->common.arena != UINT64_MAX) {
        if (s->common.arena > SIZE_MAX) {
            return cli_error(s, GSP_STATUS_NOMEM,
                "--arena is more than this machine can address; "
                "%zu bytes suffice",
                bound);
        }
        bytes = (size_t)s->common.arena;
    }
    cli_arena(s, arena, bytes);
    return CLI_EXIT_OK;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

gsp_status cli_measure(
    cli_session *s, gsp_arena *arena, cli_work work, void *user, cli_timing *timing, gsp_error *err)
{
    uint64_t runs = s->common.time != 0 ? s->common.time : 1u;
    uint64_t *ns = (uint64_t *)cli_alloc(s, (size_t)runs, sizeof *ns);
    gsp_mark mark = gsp_arena_mark(arena);
    uint64_t i;
    for (i = 0; i < runs; i++) {
        gsp_status status;
        uint64_t begin;
        gsp_arena_rewind(arena, mark);
        gsp_arena_watch(arena);
        begin = cli_now();
        status = work(user, arena, err);
        ns[i] = cli_now() - begin;
        if (status != GSP_OK) {
            return status;
        }
        if (runs > 1u) {
            cli_progress(s, "measuring");
        }
    }
    qsort(ns, (size_t)runs, sizeof *ns, compare);
    timing->least = ns[0];
    timing->median = ns[runs / 2u];
    timing->used = arena->touched - mark.low - mark.high;
    cli_release(s, ns);
    return GSP_OK;
}

void cli_time_line(
    cli_session *s, uint32_t nodes, uint32_t edges, size_t bound, const cli_timing *timing)
{
    if (s->common.time != 0) {
        cli_progress_end(s);
        fprintf(stderr,
            "time pass=%s nodes=%" PRIu32 " edges=%" PRIu32 " runs=%" PRIu64 " ns=%" PRIu64
            " min_ns=%" PRIu64 " bound=%zu used=%zu\n",
            s->pass->name, nodes, edges, s->common.time, timing->median, timing->least, bound,
            timing->used);
    }
}
