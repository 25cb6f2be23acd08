/* graphsplit preview: the types of nodes and their support, and the bytes that a split would move
 * between CPU and accelerators. */
#include "commands/preview/preview.h"

#include "input/input.h"

#include <stddef.h>
#include <string.h>

static const cli_option options[] = {
    CLI_PLACE_OPTIONS,
    SPLIT_CUT_OPTIONS,
    {"--bandwidth", "BYTES_PER_S", CLI_BYTES, offsetof(split_options, bandwidth), 1, UINT64_MAX,
        "bandwidth between CPU and accelerators; default 107374182400 (100 GiB/s)"},
};

/* ---- the pass ---- */

/* Memory for both steps: too little for both counts as too little for the first. */
static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    preview *w = (preview *)user;
    gsp_status status;
    if (gsp_arena_left(arena) < w->bound) {
        memset(err, 0, sizeof *err);
        err->status = GSP_STATUS_NOMEM;
        err->detail = GSP_DETAIL_BOUND;
        err->node = GSP_NONE;
        err->need = w->bound;
        err->limit = gsp_arena_left(arena);
        return err->status;
    }
    status = gsp_signatures_run(arena, &w->cut.graph, &w->cut.placement, &w->types, err);
    return status != GSP_OK
               ? status
               : gsp_preview_run(arena, &w->cut.graph, &w->cut.result, &w->desc, &w->result, err);
}

static int run_preview(preview *w)
{
    gsp_arena arena;
    gsp_error err;
    size_t types = gsp_signatures_bound(&w->cut.graph);
    size_t bytes = gsp_preview_bound(&w->cut.graph, &w->cut.result, &w->desc);
    int code;
    w->bound = bytes > SIZE_MAX - types ? SIZE_MAX : types + bytes;
    w->desc.bandwidth = w->cut.opt.bandwidth;
    code = cli_pass_arena(w->cut.session, &arena, w->bound);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(w->cut.session, &arena, work, w, &w->timing, &err) != GSP_OK) {
        return cli_pass_error(w->cut.session, &w->cut.graph, &err);
    }
    return CLI_EXIT_OK;
}

static int run(cli_session *s, int argc, char **argv)
{
    preview w;
    int code;
    memset(&w, 0, sizeof w);
    w.cut.session = s;
    w.cut.is_step = 1;
    if ((code = cli_options_read(s, &w.cut.opt, argc, argv)) != CLI_EXIT_OK ||
        (code = split_check_options(&w.cut)) != CLI_EXIT_OK ||
        (code = split_start(&w.cut)) != CLI_EXIT_OK || (code = run_preview(&w)) != CLI_EXIT_OK) {
        return code;
    }
    if (s->common.porcelain) {
        preview_porcelain(&w, &s->out);
    } else if (s->common.json) {
        preview_json(&w, &s->out);
    } else {
        preview_people(&w, &s->out);
    }
    cli_time_line(s, w.cut.graph.n_nodes, w.cut.counts.edges, w.bound, &w.timing);
    return CLI_EXIT_OK;
}

const cli_pass cli_preview_pass = {
    "preview",
    "[options] FILE",
    "Previews a split: types of nodes, and bytes that move",
    "--arena and --time cover the preview alone, after the split.\n" CLI_PLACE_ABOUT,
    options,
    CLI_COUNT(options),
    run,
    {"--acc-ops xnnpack model.tflite", "--acc-ops @mine.ops --min-acc-module-size 5 net.fx"},
};
