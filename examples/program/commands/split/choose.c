/* Decisions before the cut, by minimum cuts, and what is proved about them. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <string.h>

#define MOST_BYTES ((size_t)1 << 31u) /* of memory for an exact choice */

/* ---- values ---- */

/* The bytes that a node moves: all that it reads, with parameters, and its output. */
static uint64_t bytes_of(const gsp_graph *g, gsp_node v)
{
    uint32_t n_in;
    const gsp_node *in = gsp_node_inputs(g, v, &n_in);
    uint64_t sum = cli_add(gsp_node_bytes(g, v), gsp_node_params(g, v));
    uint32_t i;
    for (i = 0; i < n_in; i++) {
        sum = cli_add(sum, gsp_node_bytes(g, in[i]));
    }
    return sum;
}

/* The nanoseconds that the accelerator saves: cpu= less compute=, or compute= where that is alone.
 * Returns 0 if none, or negative or not finite, which `bad` says. */
static uint64_t time_of(const gsp_graph *g, gsp_node v, int *bad)
{
    double const compute = gsp_node_seconds(g, v, GSP_KEY_COMPUTE);
    double const cpu = gsp_node_seconds(g, v, GSP_KEY_CPU);
    double const saved = gsp_node_attr(g, v, GSP_KEY_CPU).size == 0 ? compute : cpu - compute;
    *bad = !(compute >= 0.0 && cpu >= 0.0 && compute < 1e9 && cpu < 1e9);
    return *bad || saved <= 0.0 ? 0u : cli_nanoseconds(saved);
}

const uint64_t *split_value(const split *p, int *code)
{
    const gsp_graph *g = &p->graph;
    uint64_t *value;
    gsp_node v;
    int any = 0;
    *code = CLI_EXIT_OK;
    if (p->opt.value == SPLIT_VALUE_COUNT || p->opt.value == SPLIT_VALUE_NODES) {
        return NULL;
    }
    value = (uint64_t *)cli_alloc(p->session, g->n_nodes, sizeof *value);
    for (v = 0; v < g->n_nodes; v++) {
        int bad = 0;
        value[v] = p->opt.value == SPLIT_VALUE_BYTES ? bytes_of(g, v) : time_of(g, v, &bad);
        if (bad) {
            gsp_str name = gsp_node_name(g, v);
            *code = cli_error(p->session, GSP_STATUS_ARG,
                "--value time: a time of %.*s is negative, not finite, or above 10^9 "
                "seconds",
                (int)name.size, name.data);
            return NULL;
        }
        any |= value[v] != 0;
    }
    if (!any && p->opt.value == SPLIT_VALUE_TIME) {
        *code = cli_error(
            p->session, GSP_STATUS_ARG, "--value time: no node has compute=, or cpu= above it");
    }
    return value;
}

/* ---- exact limits ---- */

typedef struct exact {
    split *p;
    gsp_split_result reference; /* whole subgraphs give way */
    gsp_split_result whole;     /* the same before limits of accelerator subgraphs have cut them */
    const uint64_t *value;      /* [n] NULL means 1 each */
    uint64_t *weight;           /* [n] the same, pinned nodes above all others together */
    uint64_t pinned;            /* that weight of all pinned nodes, beyond their value */
} exact;

static uint64_t value_at(const exact *x, gsp_node v)
{
    return x->value == NULL ? 1u : x->value[v];
}

/* What a split has on the accelerator; `all`: what it could have. */
static uint64_t kept(const exact *x, const gsp_split_result *r, int all)
{
    uint64_t sum = 0;
    gsp_node v;
    for (v = 0; v < r->n_nodes; v++) {
        if (r->kind[v] == 1u && (all || r->subgraph_kind[r->subgraph_of[v]] == 1u)) {
            sum = cli_add(sum, value_at(x, v));
        }
    }
    return sum;
}

/* Pinned nodes count more than all others. */
static void weigh(exact *x)
{
    const split *p = x->p;
    uint64_t const all = cli_add(kept(x, &x->reference, 1), 1u);
    gsp_node v;
    x->weight = (uint64_t *)cli_alloc(p->session, p->graph.n_nodes, sizeof *x->weight);
    for (v = 0; v < p->graph.n_nodes; v++) {
        int const pinned =
            x->reference.kind[v] == 1u && p->placement.reason[v] == (uint8_t)GSP_REASON_PINNED;
        x->weight[v] = cli_add(value_at(x, v), pinned ? all : 0u);
        x->pinned = cli_add(x->pinned, pinned ? all : 0u);
    }
}

/* Takes over the kinds if their split keeps more than the reference. */
static int take(exact *x, const gsp_demote_result *r)
{
    split *p = x->p;
    split const before = *p;
    gsp_placement placement;
    gsp_split_desc desc;
    gsp_split_result result;
    int code;
    p->desc.phase = NULL; /* of the cuts of the reference */
    code = split_take(p, &x->whole, r->kind, &desc, &placement, &result);
    p->placement = placement;
    p->desc = desc;
    p->desc.placement = &p->placement;
    if (code == CLI_EXIT_OK && split_has_acc_limits(&p->opt)) {
        code = split_acc_limits_choose(p);
        p->cuts.n_large += before.cuts.n_large;
        code = code == CLI_EXIT_OK ? split_run(p, &p->desc, &result) : code;
    }
    if (code == CLI_EXIT_OK && kept(x, &result, 0) > p->proof.objective) {
        p->proof.objective = kept(x, &result, 0);
    } else {
        *p = before;
    }
    return code;
}

static int demote(exact *x)
{
    split *p = x->p;
    gsp_demote_desc desc = {0};
    gsp_demote_result r;
    gsp_arena arena;
    gsp_error err;
    size_t bound;
    weigh(x);
    desc.limit = p->desc.limit;
    desc.max_acc = p->desc.max_acc;
    desc.split = &x->whole;
    desc.value = x->weight;
    bound = gsp_demote_bound(&p->graph, &desc);
    if (bound > MOST_BYTES) {
        return CLI_EXIT_OK;
    }
    cli_arena(p->session, &arena, bound);
    if (gsp_demote_run(&arena, &p->graph, &desc, &r, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    if (r.value < x->pinned) {
        return cli_error(p->session, GSP_STATUS_LIMIT,
            "the nodes that are pinned to %s need more subgraphs than %s allows", p->place.names[1],
            p->opt.max_acc != 0 ? "--max-acc" : "--max-acc-splits");
    }
    p->proof.bound = r.upper_bound - x->pinned;
    return take(x, &r);
}

/* The accelerator's nodes without a time, where times are the value. */
static void count_untimed(exact *x)
{
    split *p = x->p;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes && p->opt.value == SPLIT_VALUE_TIME; v++) {
        if (x->reference.kind[v] == 1u) {
            p->proof.called++;
            p->proof.untimed += gsp_node_attr(&p->graph, v, GSP_KEY_COMPUTE).data == NULL ? 1u : 0u;
        }
    }
}

static int choose_nodes(split *p)
{
    exact x;
    int code;
    memset(&x, 0, sizeof x);
    x.p = p;
    x.value = p->desc.value;
    if (split_has_acc_limits(&p->opt) && (code = split_acc_limits_choose(p)) != CLI_EXIT_OK) {
        return code;
    }
    if ((code = split_run(p, &p->desc, &x.reference)) != CLI_EXIT_OK) {
        return code;
    }
    x.whole = x.reference;
    if (split_has_acc_limits(&p->opt)) {
        gsp_split_desc uncut = p->desc;
        uncut.phase = NULL;
        if ((code = split_run(p, &uncut, &x.whole)) != CLI_EXIT_OK) {
            return code;
        }
    }
    count_untimed(&x);
    p->proof.what = SPLIT_PROOF_VALUE;
    p->proof.reference = p->proof.objective = kept(&x, &x.reference, 0);
    p->proof.bound = kept(&x, &x.reference, 1);
    return p->proof.objective == p->proof.bound ? CLI_EXIT_OK : demote(&x);
}

/* ---- least traffic ---- */

static int choose_phases(split *p)
{
    gsp_traffic_desc desc;
    gsp_traffic_result r;
    gsp_split_result whole;
    int code = split_windows_whole(p, &whole);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    memset(&desc, 0, sizeof desc);
    desc.kind = whole.kind;
    desc.group = whole.group;
    desc.best_start = p->desc.best_start;
    desc.measure = p->opt.order <= SPLIT_ORDER_WRITTEN ? GSP_TRAFFIC_WRITTEN
                   : p->opt.order == SPLIT_ORDER_READ  ? GSP_TRAFFIC_READ
                                                       : GSP_TRAFFIC_RESIDENT;
    if ((code = split_windows_one(p, &desc, &r)) != CLI_EXIT_OK) {
        return code;
    }
    p->desc.phase = r.phase;
    p->proof.what = SPLIT_PROOF_TRAFFIC;
    p->proof.objective = r.bytes[desc.measure];
    p->proof.bound = r.lower_bound;
    p->proof.reference = r.reference[desc.measure];
    return CLI_EXIT_OK;
}

static int choose_order(split *p)
{
    split_windows w;
    int code;
    if (p->opt.order < SPLIT_ORDER_LEAST_PEAK) {
        return choose_phases(p);
    }
    code = split_windows_find(p, &w);
    return code == CLI_EXIT_OK ? split_least_peak_choose(p, &w) : code;
}

int split_choose(split *p)
{
    int const exact_limit = split_is_exact(&p->opt);
    int const time = p->opt.minimise == (uint32_t)SPLIT_MINIMISE_TIME;
    int code = CLI_EXIT_OK;
    if (p->placement.n_kinds > 2u && (exact_limit || p->opt.order != 0)) {
        return cli_error(p->session, GSP_STATUS_ARG,
            "%s is for one accelerator; there are %" PRIu32,
            exact_limit ? "an exact limit" : "--order", p->placement.n_kinds - 1u);
    }
    if (time) {
        return split_worth_choose(p);
    }
    if (exact_limit) {
        code = choose_nodes(p);
    }
    if (code == CLI_EXIT_OK && p->opt.order != 0) {
        code = choose_order(p);
    }
    if (code == CLI_EXIT_OK && p->is_reordered && p->desc.value != NULL) {
        p->desc.value = split_value(p, &code);
    }
    return code == CLI_EXIT_OK && !exact_limit ? split_acc_limits_choose(p) : code;
}
