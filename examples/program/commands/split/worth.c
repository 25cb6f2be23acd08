#include "commands/split/split.h"

#include <inttypes.h>
#include <string.h>

#define MOST_WORK (UINT64_C(1) << 24u) /* nodes and edges visited for what subgraphs save */

/* ---- options ---- */

static const char *given_of_time(const split_options *o)
{
    return o->launch != NULL                              ? "--launch"
           : o->overlap != 0                              ? "--overlap"
           : o->costs.bandwidth != UINT64_MAX             ? "--bandwidth"
           : o->transfer != 0                             ? "--transfer"
           : o->costs.costs != NULL                       ? "--costs"
           : o->costs.profile != NULL                     ? "--profile"
           : o->costs.cpu_rates != NULL                   ? "--cpu-rates"
           : o->costs.acc_rates != NULL                   ? "--acc-rates"
           : o->max_work != 0 && !split_has_acc_limits(o) ? "--max-work"
                                                          : NULL;
}

static const char *excluded_by_time(const split_options *o)
{
    return o->limit != 0                 ? "--max-acc-splits"
           : o->max_acc != 0             ? "--max-acc"
           : o->value != 0               ? "--value"
           : o->order != 0               ? "--order"
           : o->min_size != 0            ? "--min-acc-module-size"
           : o->max_size != 0            ? "--max-acc-module-size"
           : o->move_non_tensor != 0     ? "--move-non-tensor-nodes-on-boundary"
           : o->rewrite_to != UINT64_MAX ? "--rewrite-to"
           : o->plan != NULL             ? "--plan"
                                         : NULL;
}

int split_worth_check(split *p)
{
    int const time = p->opt.minimise == (uint32_t)SPLIT_MINIMISE_TIME;
    const char *other = time ? excluded_by_time(&p->opt) : given_of_time(&p->opt);
    double seconds = 0.0;
    int const named = p->opt.launch != NULL && strchr(p->opt.launch, '=') != NULL;
    if (other != NULL) {
        return cli_usage_error(p->session,
            time ? "--minimise time cannot be combined with %s" : "%s requires --minimise time",
            other);
    }
    if ((p->opt.svg != NULL || p->opt.trace != NULL) && !p->opt.overlap) {
        return cli_usage_error(
            p->session, "%s requires --overlap", p->opt.svg != NULL ? "--svg" : "--trace");
    }
    if (p->opt.launch != NULL && !named &&
        (!gsp_str_decimal(gsp_str_of(p->opt.launch), &seconds) ||
            !(seconds >= 0.0 && seconds < 1e9))) {
        return cli_usage_error(p->session,
            "--launch expects seconds from 0 to 10^9, such as 1e-4, got '%s'", p->opt.launch);
    }
    return CLI_EXIT_OK;
}

/* ---- the choice ---- */

static int find_offload(split *p, split_worth *w)
{
    gsp_offload_desc *desc = &w->desc;
    gsp_arena arena;
    uint8_t *pinned = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
    int const code = split_launches_read(p, w->launch);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        pinned[v] = p->placement.reason[v] == (uint8_t)GSP_REASON_PINNED;
    }
    desc->kind = w->all.kind;
    desc->pinned = pinned;
    desc->group = w->all.group;
    desc->cpu = w->costs.cpu;
    desc->acc = w->costs.acc;
    desc->move = w->costs.move;
    desc->launch = w->launch[1];
    desc->resident = p->opt.transfer == (uint32_t)SPLIT_TRANSFER_RESIDENCY;
    desc->max_work = p->opt.max_work;
    cli_arena(p->session, &arena, gsp_offload_bound(&p->graph, desc));
    return gsp_offload_run(&arena, &p->graph, desc, &w->r, NULL) == GSP_OK
               ? CLI_EXIT_OK
               : cli_error(p->session, GSP_STATUS_OVERFLOW, SPLIT_TOO_LONG);
}

/* Estimated times that take part, beside times that are known. */
static void count_untimed(split *p, const split_worth *w)
{
    const cli_costs *c = &w->costs;
    int const all = c->n_on_cpu == c->n_called && c->n_on_acc == c->n_called;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes && !all; v++) {
        unsigned const part = w->all.kind[v] == GSP_KIND_CPU && !SPLIT_IS_SEVERAL(p) ? 1u : 3u;
        p->proof.untimed += (c->estimated[v] & part) != 0 ? 1u : 0u;
    }
    p->proof.called = c->n_called;
}

/* An option that several accelerators, or --overlap, do not take. */
static const char *other_of_several(const split *p)
{
    return p->opt.transfer != 0                                    ? "--transfer residency"
           : p->opt.costs.profile != NULL && p->place.n_kinds > 2u ? "--profile"
                                                                   : NULL;
}

int split_worth_choose(split *p)
{
    split_worth *w = (split_worth *)cli_alloc(p->session, 1u, sizeof *w);
    gsp_split_desc desc;
    gsp_split_result result;
    gsp_placement placement;
    uint32_t i;
    int code;
    p->opt.costs.names = p->place.names;
    p->opt.costs.n_accelerators = p->place.n_kinds - 1u;
    if (SPLIT_IS_SEVERAL(p) && other_of_several(p) != NULL) {
        return cli_usage_error(p->session, "%s is for --minimise time with one accelerator%s",
            other_of_several(p), p->opt.overlap ? ", without --overlap" : "");
    }
    code = cli_costs_read(p->session, &p->opt.costs, &p->graph, &w->costs);
    for (gsp_node v = 0; v < p->graph.n_nodes && code == CLI_EXIT_OK; v++) {
        w->costs.move[v] = cli_add(w->costs.move[v], split_convert_time(p, v));
    }
    code = code == CLI_EXIT_OK ? split_run(p, &p->desc, &w->all) : code;
    if (code == CLI_EXIT_OK) {
        code = SPLIT_IS_SEVERAL(p) ? split_several_choose(p, w) : find_offload(p, w);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    for (i = 0; i < w->all.n_subgraphs; i++) {
        w->n_all += w->all.subgraph_kind[i] != GSP_KIND_CPU ? 1u : 0u;
    }
    p->desc.phase = w->r.phase;
    code = split_take(p, &w->all, w->r.kind, &desc, &placement, &result);
    p->placement = placement;
    p->desc = desc;
    p->desc.placement = &p->placement;
    p->worth = w;
    count_untimed(p, w);
    p->proof.what = SPLIT_PROOF_TIME;
    p->proof.objective = w->r.time;
    p->proof.bound = w->r.lower_bound;
    p->proof.reference = w->overlap != NULL ? w->serial : w->r.all;
    return code;
}

/* ---- subgraphs ---- */

static void fill_row(const split *p, const gsp_split_result *of, uint32_t s, split_worth_row *row)
{
    const split_worth *w = p->worth;
    uint32_t i;
    row->subgraph = s;
    row->first = of->nodes[of->subgraph_begin[s]];
    row->nodes = of->subgraph_begin[s + 1u] - of->subgraph_begin[s];
    for (i = of->subgraph_begin[s]; i < of->subgraph_begin[s + 1u]; i++) {
        gsp_node const v = of->nodes[i];
        row->kept += w->r.kind[v] == of->subgraph_kind[s] ? 1u : 0u;
        row->cpu += w->costs.cpu[v];
        row->acc += w->costs.on[of->subgraph_kind[s]][v];
    }
}

/* The time of these kinds; UINT64_MAX if no order of subgraphs is possible. */
static uint64_t time_of(const split *p, gsp_arena *arena, const uint8_t *kind)
{
    gsp_offload_desc desc = p->worth->desc;
    gsp_offload_result r;
    gsp_mark const mark = gsp_arena_mark(arena);
    if (SPLIT_IS_SEVERAL(p)) {
        return split_several_time(p, arena, kind);
    }
    desc.given = kind;
    r.time = UINT64_MAX;
    (void)gsp_offload_run(arena, &p->graph, &desc, &r, NULL);
    gsp_arena_rewind(arena, mark);
    return r.time;
}

void split_worth_rows_make(const split *p, const gsp_split_result *of, const uint8_t *kind,
    uint32_t timed, split_worth_rows *rows)
{
    const split_worth *w = p->worth;
    uint8_t *without = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
    gsp_offload_desc one = w->desc;
    gsp_sides_desc several = w->sides;
    gsp_arena arena;
    one.given = several.given = kind;
    cli_arena(p->session, &arena,
        SPLIT_IS_SEVERAL(p) ? gsp_sides_bound(&p->graph, &several)
                            : gsp_offload_bound(&p->graph, &one));
    uint64_t const time = time_of(p, &arena, kind);
    uint64_t const each = (uint64_t)p->graph.n_nodes + p->counts.edges + 1u;
    uint64_t const most = (SPLIT_IS_SEVERAL(p) ? MOST_WORK / 4u : MOST_WORK) / each;
    uint32_t s, i;
    rows->n = 0;
    rows->rows =
        (split_worth_row *)cli_alloc(p->session, (size_t)of->n_subgraphs + 1u, sizeof *rows->rows);
    for (s = 0; s < of->n_subgraphs; s++) {
        split_worth_row *row = &rows->rows[rows->n];
        if (of->subgraph_kind[s] == GSP_KIND_CPU) {
            continue;
        }
        fill_row(p, of, s, row);
        memcpy(without, kind, p->graph.n_nodes);
        for (i = of->subgraph_begin[s]; i < of->subgraph_begin[s + 1u]; i++) {
            without[of->nodes[i]] = GSP_KIND_CPU;
        }
        row->saves = rows->n < timed && rows->n < most && w->overlap == NULL
                         ? (int64_t)time_of(p, &arena, without) - (int64_t)time
                         : INT64_MIN;
        rows->n++;
    }
    cli_release(p->session, without);
    cli_release(p->session, arena.base);
}
