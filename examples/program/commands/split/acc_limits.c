/* --max-acc-bytes, --max-acc-params, --max-acc-inputs, --max-acc-outputs: phases whose accelerator
 * subgraphs are within these limits. */
#include "commands/split/split.h"
#include "examples/extra/graphsplit_limits.h"
#include "examples/extra/graphsplit_numbers.h"

#include <inttypes.h>

static const char *given(const split_options *o)
{
    return o->most_bytes != 0     ? "--max-acc-bytes"
           : o->most_params != 0  ? "--max-acc-params"
           : o->most_inputs != 0  ? "--max-acc-inputs"
           : o->most_outputs != 0 ? "--max-acc-outputs"
                                  : NULL;
}

int split_has_acc_limits(const split_options *opt)
{
    return given(opt) != NULL;
}

int split_is_exact(const split_options *opt)
{
    return opt->max_acc != 0 ||
           (opt->limit != 0 && (opt->limit_policy == (uint32_t)SPLIT_LIMIT_EXACT ||
                                   opt->value >= (uint32_t)SPLIT_VALUE_NODES));
}

int split_acc_limits_check(split *p)
{
    const split_options *o = &p->opt;
    const char *other = o->plan != NULL ? NULL /* which says what it ignores */
                        : o->blocks     ? "--blocks"
                        : o->minimise == (uint32_t)SPLIT_MINIMISE_TIME ? "--minimise time"
                        : o->move_non_tensor                 ? "--move-non-tensor-nodes-on-boundary"
                        : split_is_exact(o) && o->order != 0 ? "--order beside an exact limit"
                                                             : NULL;
    return given(o) != NULL && other != NULL
               ? cli_usage_error(p->session, "%s cannot be combined with %s", given(o), other)
               : CLI_EXIT_OK;
}

/* Nodes on accelerators whose sizes the graph does not have. */
static uint32_t count_unknown(const split *p, const gsp_limits_result *r)
{
    uint32_t n = 0;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t const kind = r->placement.kind[v];
        n += kind != GSP_KIND_CPU && kind != GSP_KIND_NONE && !gsp_node_has_size(&p->graph, v);
    }
    return n;
}

int split_acc_limits_choose(split *p)
{
    gsp_limit limits[256];
    gsp_limits_desc desc = {0};
    gsp_limits_result r;
    gsp_arena arena;
    gsp_error err;
    uint32_t i;
    if (given(&p->opt) == NULL) {
        return CLI_EXIT_OK;
    }
    for (i = 0; i < p->placement.n_kinds; i++) {
        limits[i].bytes = p->opt.most_bytes;
        limits[i].params = p->opt.most_params;
        limits[i].inputs = (uint32_t)p->opt.most_inputs;
        limits[i].outputs = (uint32_t)p->opt.most_outputs;
    }
    desc.split = &p->desc;
    desc.limits = limits;
    desc.max_work = p->opt.max_work;
    cli_arena(p->session, &arena, gsp_limits_bound(&p->graph, &desc));
    if (gsp_limits_run(&arena, &p->graph, &desc, &r, &err) != GSP_OK) {
        return err.detail == GSP_DETAIL_WORK
                   ? cli_error(p->session, err.status,
                         "%s: the search takes more than %" PRIu64 " steps; raise --max-work",
                         p->opt.most_inputs != 0 ? "--max-acc-inputs" : "--max-acc-outputs",
                         p->opt.max_work != 0 ? p->opt.max_work : GSP_LIMITS_WORK)
                   : cli_pass_error(p->session, &p->graph, &err);
    }
    p->placement = r.placement;
    p->desc.phase = r.phase;
    p->cuts.is_given = 1;
    p->cuts.n_acc = r.n_acc;
    p->cuts.n_least = r.n_least;
    p->cuts.n_large = r.n_large;
    p->cuts.bytes = r.bytes;
    p->cuts.n_unknown = count_unknown(p, &r);
    p->cuts.proved = r.proved != 0 && p->cuts.n_unknown == 0;
    return CLI_EXIT_OK;
}

void split_people_acc_limits(const split *p, cli_buffer *out)
{
    const split_cuts *c = &p->cuts;
    if (!c->is_given) {
        return;
    }
    cli_printf(out, "\n  %" PRIu32 " accelerator subgraph%s within the limits", c->n_acc,
        cli_plural(c->n_acc));
    if (c->bytes != 0) {
        cli_puts(out, ", between which ");
        cli_put_bytes(out, c->bytes);
        cli_puts(out, " cross because of them");
    }
    if (c->n_unknown != 0) {
        cli_printf(out, "; %" PRIu32 " node%s without a size %s as 0 bytes", c->n_unknown,
            cli_plural(c->n_unknown), c->n_unknown == 1 ? "counts" : "count");
    } else if (c->proved) {
        cli_puts(out, "; no cut has fewer, or as many and fewer bytes");
    } else {
        cli_printf(out, "; no cut has fewer than %" PRIu32, c->n_least);
    }
    if (c->n_large != 0) {
        cli_printf(out, "\n  %" PRIu32 " node%s above a limit %s on the CPU", c->n_large,
            cli_plural(c->n_large), c->n_large == 1 ? "is" : "are");
    }
}

void split_put_large(const split *p, cli_buffer *out)
{
    const split_options *o = &p->opt;
    cli_puts(out, "by itself, or with its group, it is above ");
    if (o->most_bytes != 0) {
        cli_printf(out, "--max-acc-bytes %" PRIu64, o->most_bytes);
    }
    if (o->most_params != 0) {
        cli_printf(
            out, "%s--max-acc-params %" PRIu64, o->most_bytes != 0 ? " or " : "", o->most_params);
    }
    if (o->most_inputs != 0) {
        cli_printf(out, "%s--max-acc-inputs %" PRIu64,
            (o->most_bytes | o->most_params) != 0 ? " or " : "", o->most_inputs);
    }
    if (o->most_outputs != 0) {
        cli_printf(out, "%s--max-acc-outputs %" PRIu64,
            (o->most_bytes | o->most_params | o->most_inputs) != 0 ? " or " : "", o->most_outputs);
    }
}
