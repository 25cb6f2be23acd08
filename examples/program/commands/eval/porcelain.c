/* The porcelain of `eval`: a line per cause, then the score. */
#include "commands/eval/eval.h"

#include <inttypes.h>

static void put_node(const eval *e, cli_buffer *out, const char *cause, gsp_node v)
{
    if (v != GSP_NONE) {
        cli_printf(out, "invalid %s ", cause);
        cli_put_text(out, gsp_node_name(&e->graph, v));
        cli_puts(out, "\n");
    }
}

static void put_capacities(const eval *e, cli_buffer *out)
{
    const gsp_score_result *r = &e->score;
    uint32_t i;
    if (r->overloaded != GSP_NONE) {
        cli_puts(out, "invalid capacity ");
        cli_put_text(out, e->parts.names[r->overloaded]);
        cli_printf(out, " load=%" PRIu64 " limit=%" PRIu64 "\n", r->load[r->overloaded],
            e->desc.capacity[r->overloaded]);
    }
    for (i = 0; i < e->n_devices; i++) {
        if (e->device_bytes[i] > e->devices[i].bytes) {
            cli_puts(out, "invalid capacity ");
            cli_put_text(out, e->devices[i].name);
            cli_printf(out, " bytes=%" PRIu64 " limit=%" PRIu64 "\n", e->device_bytes[i],
                e->devices[i].bytes);
        }
    }
}

static void put_causes(const eval *e, cli_buffer *out)
{
    const gsp_score_result *r = &e->score;
    uint32_t i;
    if (r->n_cycle != 0) {
        cli_puts(out, "invalid cycle");
        for (i = 0; i < r->n_cycle; i++) {
            cli_puts(out, " ");
            cli_put_text(out, e->parts.names[r->cycle[i]]);
        }
        cli_puts(out, "\n");
    }
    if (r->empty != GSP_NONE) {
        cli_puts(out, "invalid empty ");
        cli_put_text(out, e->parts.names[r->empty]);
        cli_puts(out, "\n");
    }
    put_capacities(e, out);
    put_node(e, out, "group", r->group_node);
    put_node(e, out, "pin", r->pin_node);
    if (e->parts.n_lines != e->parts.n_wanted) {
        cli_printf(out, "invalid length lines=%" PRIu64 " nodes=%" PRIu64 "\n", e->parts.n_lines,
            e->parts.n_wanted);
    } else {
        put_node(e, out, "length", r->unplaced);
    }
}

void eval_porcelain(const eval *e, cli_buffer *out)
{
    const gsp_score_result *r = &e->score;
    put_causes(e, out);
    cli_printf(out,
        "score valid=%d parts=%" PRIu32 " cut_edges=%" PRIu32 " cut_values=%" PRIu32
        " cut_bytes=%" PRIu64 " largest=%" PRIu64
        " mean=%.17g imbalance=%.17g path=%.17g serial=%.17g\n",
        e->valid, e->parts.n_parts, r->cut_edges, r->cut_values, r->cut_bytes, r->largest_load,
        eval_mean(e), eval_imbalance(e), r->path, r->serial);
}
