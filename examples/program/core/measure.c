/* Arenas of passes; --time, --time-json and --arena. */
#include "core/core.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

gsp_status cli_measure(
    cli_session *s, gsp_arena *arena, cli_work work, void *user, cli_timing *timing, gsp_error *err)
{
    uint64_t runs = s->common.time != 0 ? s->common.time : 1u;
    double *ns = (double *)cli_alloc(s, (size_t)runs, sizeof *ns);
    double *sorted = (double *)cli_alloc(s, (size_t)runs, sizeof *sorted);
    gsp_mark mark = gsp_arena_mark(arena);
    uint64_t i;
    for (i = 0; i < runs; i++) {
        gsp_status status;
        uint64_t begin;
        gsp_arena_rewind(arena, mark);
        gsp_arena_watch(arena);
        begin = cli_now();
        status = work(user, arena, err);
        ns[i] = (double)(cli_now() - begin);
        if (status != GSP_OK) {
            return status;
        }
        if (runs > 1u) {
            cli_progress(s, "measuring");
        }
    }
    timing->runs = cli_runs_of(ns, sorted, (uint32_t)runs);
    timing->least = cli_whole(sorted[0]);
    timing->median = cli_whole(timing->runs.median);
    timing->used = arena->touched - mark.low - mark.high;
    cli_release(s, sorted);
    if (s->common.time_json == NULL) {
        timing->runs.ns = NULL;
        cli_release(s, ns);
    }
    return GSP_OK;
}

/* One row, by the names of the pass and of the file. */
static void keep_json(
    cli_session *s, uint32_t nodes, uint32_t edges, size_t bound, const cli_timing *timing)
{
    const char *slash = strrchr(s->path, '/');
    gsp_str file = gsp_str_of(slash != NULL ? slash + 1 : s->path);
    cli_buffer name;
    cli_buffer counters;
    cli_benchmark benchmark;
    cli_buffer_init(&name, s);
    cli_buffer_init(&counters, s);
    cli_buffer_init(&s->figures, s);
    cli_printf(&name, "%s/", s->pass->name);
    (void)cli_json_escape_sink(&name, file.data, file.size);
    cli_printf(&name, "/%" PRIu32, nodes);
    cli_put(&name, "", 1u);
    cli_printf(&counters,
        ", \"nodes\": %" PRIu32 ", \"edges\": %" PRIu32 ", \"min\": %" PRIu64
        ", \"bound\": %zu, \"used\": %zu",
        nodes, edges, timing->least, bound, timing->used);
    cli_put(&counters, "", 1u);
    cli_benchmark_begin(&benchmark, cli_sink, &s->figures, s->front->program, "");
    cli_benchmark_row(&benchmark, name.data, &timing->runs, counters.data);
    cli_benchmark_end(&benchmark);
}

void cli_time_line(
    cli_session *s, uint32_t nodes, uint32_t edges, size_t bound, const cli_timing *timing)
{
    if (s->common.time == 0) {
        return;
    }
    cli_progress_end(s);
    fprintf(stderr,
        "time pass=%s nodes=%" PRIu32 " edges=%" PRIu32 " runs=%" PRIu64 " ns=%" PRIu64
        " min_ns=%" PRIu64 " bound=%zu used=%zu\n",
        s->pass->name, nodes, edges, s->common.time, timing->median, timing->least, bound,
        timing->used);
    if (s->common.time_json != NULL) {
        keep_json(s, nodes, edges, bound, timing);
    }
}

int cli_time_json(cli_session *s)
{
    if (s->figures.size == 0) {
        return cli_usage_error(
            s, "--time-json has nothing to write: %s measures no pass here", s->pass->name);
    }
    return cli_write_file(s, s->common.time_json, &s->figures);
}
