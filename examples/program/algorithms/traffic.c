/* A unit, a group or a node alone, may be in every second phase from its earliest to its latest.
 * RESIDENT is convex in the phases of writer and reader, so one minimum cut over "the phase is p at
 * least" is exact (Ishikawa 2003). The other measures are submodular where each unit has two
 * phases: one cut lets all units of a kind choose, those in p and p + 2 between these two, for
 * every fourth p. */
#include "algorithms/algorithms.h"

#include <string.h>

#define TRAFFIC_ARCS (1u << 21u) /* of the largest cut for RESIDENT */

typedef struct traffic {
    gsp_arena *arena;
    const gsp_graph *g;
    uint32_t *best;   /* [n] phases of the result */
    uint32_t *unit;   /* [n] the last node of the group; GSP_NONE if not callable */
    uint32_t *begin;  /* [n + 1] into reader */
    uint32_t *end;    /* [n] of the units that read a node; others must run later */
    uint32_t *reader; /* [m] other units that run later than a node */
    uint32_t *early;  /* [n] of units */
    uint32_t *late;   /* [n] */
    uint32_t *at;     /* [n] the phases that are tried */
    uint32_t *low;    /* [n] the lower phase to choose; GSP_NONE without a choice */
    uint32_t *node;   /* [n] of the network */
    uint32_t *stamp;  /* [n + 1] of phases */
    uint32_t *join;   /* [n + 1] nodes of the network, by phase */
    uint32_t measure;
    uint32_t n_phases;
    uint64_t fixed; /* what all phases cost, of RESIDENT */
    gsp_network net;
    cli_traffic result;
} traffic;

/* ---- memory ---- */

static size_t most_arcs(const gsp_graph *g)
{
    gsp_counts const c = gsp_graph_counts(g);
    size_t const linear = 5u * ((size_t)c.nodes + c.edges) + 2u; /* for choices between two */
    size_t const exact = 1024u * ((size_t)c.nodes + c.edges);
    size_t const most = exact < TRAFFIC_ARCS ? exact : TRAFFIC_ARCS;
    return most > linear ? most : linear;
}

static size_t words(size_t n)
{
    return GSP_BOUND_ARRAY(n, sizeof(uint32_t));
}

size_t cli_traffic_bound(const gsp_graph *graph)
{
    gsp_counts const c = gsp_graph_counts(graph);
    size_t const most = most_arcs(graph);
    return 12u * words((size_t)c.nodes + 1u) + words(c.edges) + gsp_network_bound((uint32_t)most);
}

static uint32_t *push_words(traffic *t, size_t n)
{
    return (uint32_t *)gsp_arena_push(t->arena, n, sizeof(uint32_t));
}

static int make_room(traffic *t)
{
    gsp_counts const c = gsp_graph_counts(t->g);
    size_t const n = (size_t)c.nodes + 1u;
    t->best = push_words(t, n);
    t->unit = push_words(t, n);
    t->begin = push_words(t, n);
    t->end = push_words(t, n);
    t->reader = push_words(t, c.edges);
    t->early = push_words(t, n);
    t->late = push_words(t, n);
    t->at = push_words(t, n);
    t->low = push_words(t, n);
    t->node = push_words(t, n);
    t->stamp = push_words(t, n);
    t->join = push_words(t, n);
    return gsp_network_init(t->arena, (uint32_t)most_arcs(t->g), &t->net, NULL) == GSP_OK;
}

/* ---- units and phases ---- */

static void read_units(traffic *t, const uint32_t *group)
{
    uint32_t *last = t->at;
    uint32_t n = 0;
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        if (group[v] != GSP_NONE) {
            last[group[v]] = v;
        }
    }
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        t->unit[v] = !gsp_node_is_callable(t->g, v) ? GSP_NONE
                     : group[v] == GSP_NONE         ? v
                                                    : last[group[v]];
    }
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        uint32_t n_users, n_after;
        const gsp_node *after = cli_after(t->g, v, &n_after);
        (void)gsp_node_users(t->g, v, &n_users);
        t->begin[v] = t->end[v] = n;
        for (uint32_t i = 0; i < n_after && t->unit[v] != GSP_NONE; i++) {
            uint32_t const unit = t->unit[after[i]];
            if (unit != GSP_NONE && unit != t->unit[v]) {
                t->reader[n++] = unit;
                t->end[v] = i < n_users ? n : t->end[v];
            }
        }
    }
    t->begin[t->g->n_nodes] = n;
}

/* Moves phases of units up, or down, until each reader is in the phase of what it reads or later.
 * Two turns suffice unless groups interleave. */
static void put_in_order(const traffic *t, uint32_t *phase, int down)
{
    uint32_t const n = t->g->n_nodes;
    int changed = 1;
    for (uint32_t turn = 0; changed && turn <= n; turn++) {
        changed = 0;
        for (uint32_t i = 0; i < n; i++) {
            gsp_node const u = down ? n - 1u - i : i;
            for (uint32_t e = t->begin[u]; e < t->begin[u + 1u]; e++) {
                uint32_t *from = &phase[t->unit[u]];
                uint32_t *to = &phase[t->reader[e]];
                uint32_t const step = (*from ^ *to) & 1u;
                if (*from + step > *to) {
                    *from = down ? *to - step : *from;
                    *to = down ? *to : *from + step;
                    changed = 1;
                }
            }
        }
    }
}

/* The earliest phases with this first kind, or the other if that has none; returns how many. */
static uint32_t find_early(traffic *t, const uint8_t *kind, uint32_t start)
{
    uint32_t n_phases = 0;
    uint32_t first = 1;
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        t->early[v] = kind[v] == start ? 0u : 1u;
    }
    put_in_order(t, t->early, 0);
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        first = t->unit[v] == v && t->early[v] == 0 ? 0u : first;
    }
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        if (t->unit[v] == v) {
            t->early[v] -= first;
            n_phases = t->early[v] >= n_phases ? t->early[v] + 1u : n_phases;
        }
    }
    return n_phases;
}

static void find_late(traffic *t)
{
    uint32_t const last = t->n_phases - 1u;
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        t->late[v] = last - ((t->early[v] ^ last) & 1u);
    }
    put_in_order(t, t->late, 1);
}

/* The bytes by measure when units are in these phases. */
static void count_bytes(const traffic *t, const uint32_t *phase, uint64_t *bytes)
{
    memset(t->stamp, 0, ((size_t)t->g->n_nodes + 1u) * sizeof *t->stamp);
    memset(bytes, 0, (size_t)CLI_TRAFFIC_COUNT * sizeof *bytes);
    for (gsp_node u = 0; u < t->g->n_nodes; u++) {
        uint64_t const size = gsp_node_bytes(t->g, u);
        uint64_t reads = 0;
        uint32_t span = 0;
        for (uint32_t e = t->begin[u]; e < t->end[u]; e++) {
            uint32_t const p = phase[t->reader[e]];
            uint32_t const apart = p - phase[t->unit[u]];
            span = apart > span ? apart : span;
            reads += apart != 0 && t->stamp[p] != u + 1u ? 1u : 0u;
            t->stamp[p] = u + 1u;
        }
        bytes[CLI_TRAFFIC_WRITTEN] += reads != 0 ? size : 0u;
        bytes[CLI_TRAFFIC_READ] += reads * size;
        bytes[CLI_TRAFFIC_RESIDENT] += span * size;
    }
}

/* Keeps these phases if they are the first, or better. */
static void keep(traffic *t, const uint32_t *phase)
{
    uint64_t bytes[CLI_TRAFFIC_COUNT];
    count_bytes(t, phase, bytes);
    if (t->best != NULL &&
        (t->result.phase == NULL || bytes[t->measure] < t->result.bytes[t->measure])) {
        memcpy(t->result.bytes, bytes, sizeof bytes);
        for (gsp_node v = 0; v < t->g->n_nodes; v++) {
            t->best[v] = t->unit[v] == GSP_NONE ? GSP_NONE : phase[t->unit[v]];
        }
        t->result.phase = t->best;
    }
}

/* What no phases avoid: readers of the other kind, and those that are always later. */
static uint64_t least_bytes(const traffic *t)
{
    uint64_t sum = 0;
    for (gsp_node u = 0; u < t->g->n_nodes; u++) {
        uint32_t reads[2] = {0, 0}; /* by the own kind, by the other */
        for (uint32_t e = t->begin[u]; e < t->end[u]; e++) {
            uint32_t const first = t->early[t->reader[e]];
            uint32_t const other = (first ^ t->early[t->unit[u]]) & 1u;
            reads[other] |= other != 0 || first > t->late[t->unit[u]] ? 1u : 0u;
        }
        if (t->measure != (uint32_t)CLI_TRAFFIC_READ && reads[1] != 0) {
            reads[0] = 0;
        }
        sum += gsp_node_bytes(t->g, u) * (reads[0] + reads[1]);
    }
    return sum;
}

/* ---- one cut for RESIDENT ---- */

/* The node of the network for "the phase of a unit is p at least". */
static uint32_t literal(const traffic *t, uint32_t unit, uint32_t p)
{
    return p <= t->early[unit] ? GSP_NETWORK_SOURCE
           : p > t->late[unit] ? GSP_NETWORK_SINK
                               : t->node[unit] + (p - t->early[unit] - 1u) / 2u;
}

/* u is kept at boundary p if it is in an earlier phase, and a reader in this one or a later one. */
static void emit_boundary(traffic *t, gsp_node u, uint32_t p)
{
    uint64_t const size = gsp_node_bytes(t->g, u);
    uint32_t const to = literal(t, t->unit[u], p);
    uint32_t from = GSP_NETWORK_SINK;
    for (uint32_t e = t->begin[u]; e < t->end[u] && from != GSP_NETWORK_SOURCE; e++) {
        uint32_t const reads = literal(t, t->reader[e], p);
        from = reads == GSP_NETWORK_SINK     ? from
               : reads == GSP_NETWORK_SOURCE ? GSP_NETWORK_SOURCE
                                             : GSP_NONE;
    }
    if (from == GSP_NONE) {
        from = gsp_network_node(&t->net);
        for (uint32_t e = t->begin[u]; e < t->end[u]; e++) {
            uint32_t const reads = literal(t, t->reader[e], p);
            if (reads != GSP_NETWORK_SINK) {
                gsp_network_arc(&t->net, reads, from, GSP_CUT_INFINITE);
            }
        }
    }
    if (from == GSP_NETWORK_SOURCE && to == GSP_NETWORK_SINK) {
        t->fixed += size;
    } else if (from != GSP_NETWORK_SINK) {
        gsp_network_arc(&t->net, from, to, size);
    }
}

/* A reader of the other kind is in p + 1 at least: its literals for p and p + 1 are one. */
static void emit_edge(traffic *t, uint32_t unit, uint32_t reader)
{
    for (uint32_t p = t->early[unit] + 2u; p <= t->late[unit]; p += 2u) {
        uint32_t const to = literal(t, reader, p);
        if (to != GSP_NETWORK_SOURCE) {
            gsp_network_arc(&t->net, literal(t, unit, p), to, GSP_CUT_INFINITE);
        }
    }
}

static void emit_unit(traffic *t, uint32_t unit)
{
    t->node[unit] = t->net.n_nodes;
    for (uint32_t p = t->early[unit] + 2u; p <= t->late[unit]; p += 2u) {
        uint32_t const node = gsp_network_node(&t->net);
        if (node > t->node[unit]) {
            gsp_network_arc(&t->net, node, node - 1u, GSP_CUT_INFINITE);
        }
    }
}

/* As far as it fits. */
static void emit_resident(traffic *t)
{
    gsp_network_start(&t->net);
    t->fixed = 0;
    for (gsp_node u = 0; u < t->g->n_nodes; u++) {
        if (t->unit[u] == u) {
            emit_unit(t, u);
        }
    }
    for (gsp_node u = 0; u < t->g->n_nodes && gsp_network_fits(&t->net); u++) {
        uint32_t last = 0;
        for (uint32_t e = t->begin[u]; e < t->begin[u + 1u]; e++) {
            uint32_t const late = t->late[t->reader[e]];
            last = late > last && e < t->end[u] ? late : last;
            emit_edge(t, t->unit[u], t->reader[e]);
        }
        for (uint32_t p = last > 0 ? t->early[t->unit[u]] + 1u : 1u; p <= last; p++) {
            emit_boundary(t, u, p);
        }
    }
}

/* Phases of least RESIDENT become those that are tried. */
static void cut_resident(traffic *t)
{
    uint64_t const least = least_bytes(t);
    emit_resident(t);
    memcpy(t->at, t->early, (size_t)t->g->n_nodes * sizeof *t->at);
    if (gsp_network_cut(&t->net)) {
        for (gsp_node v = 0; v < t->g->n_nodes; v++) {
            while (t->unit[v] == v && t->at[v] + 2u <= t->late[v] &&
                   t->net.side[literal(t, v, t->at[v] + 2u)] != 0) {
                t->at[v] += 2u;
            }
        }
    }
    t->result.lower_bound = least;
    if (t->measure == (uint32_t)CLI_TRAFFIC_RESIDENT && gsp_network_fits(&t->net) &&
        t->net.value + t->fixed > least) {
        t->result.lower_bound = t->net.value + t->fixed;
    }
    keep(t, t->at);
}

/* ---- choices between two phases ---- */

/* Readers in the later phase of two cost, unless u is there too; so do those in the earlier one. */
static void emit_tensor(traffic *t, gsp_node u)
{
    gsp_network *net = &t->net;
    uint32_t const unit = t->unit[u];
    uint64_t const size = gsp_node_bytes(t->g, u);
    int apart = 0; /* 1 if a reader is in another phase in any case */
    for (uint32_t e = t->begin[u]; e < t->end[u]; e++) {
        apart |= t->low[unit] == GSP_NONE || t->low[t->reader[e]] != t->low[unit];
    }
    for (uint32_t e = t->begin[u]; e < t->end[u]; e++) {
        uint32_t const node = t->node[t->reader[e]];
        uint32_t const low = t->low[t->reader[e]];
        int const own = low == t->low[unit];
        if (low == GSP_NONE || (apart && t->measure == (uint32_t)CLI_TRAFFIC_WRITTEN)) {
            continue;
        }
        if (t->stamp[low] != u + 1u) {
            t->stamp[low] = u + 1u;
            t->join[low] = gsp_network_node(net);
            gsp_network_arc(net, t->join[low], own ? t->node[unit] : GSP_NETWORK_SINK, size);
            if (!own) {
                gsp_network_arc(net, GSP_NETWORK_SOURCE, gsp_network_node(net), size);
            }
        }
        gsp_network_arc(net, node, t->join[low], GSP_CUT_INFINITE);
        if (!own) {
            gsp_network_arc(net, t->join[low] + 1u, node, GSP_CUT_INFINITE);
        }
    }
}

/* No reader is before what it reads, also where only one of the two chooses. */
static void emit_choice_edge(traffic *t, uint32_t unit, uint32_t reader)
{
    uint32_t const low = t->low[unit];
    uint32_t const reads = t->low[reader];
    if (low != GSP_NONE && reads != GSP_NONE) {
        if (low == reads) {
            gsp_network_arc(&t->net, t->node[unit], t->node[reader], GSP_CUT_INFINITE);
        }
    } else if (low != GSP_NONE && t->at[reader] < low + 2u) {
        gsp_network_arc(&t->net, t->node[unit], GSP_NETWORK_SINK, GSP_CUT_INFINITE);
    } else if (reads != GSP_NONE && t->at[unit] > reads) {
        gsp_network_arc(&t->net, GSP_NETWORK_SOURCE, t->node[reader], GSP_CUT_INFINITE);
    }
}

static void emit_choices(traffic *t)
{
    gsp_network_start(&t->net);
    memset(t->stamp, 0, ((size_t)t->g->n_nodes + 1u) * sizeof *t->stamp);
    for (gsp_node u = 0; u < t->g->n_nodes; u++) {
        t->node[u] = t->low[u] != GSP_NONE ? gsp_network_node(&t->net) : GSP_NETWORK_SINK;
    }
    for (gsp_node u = 0; u < t->g->n_nodes; u++) {
        for (uint32_t e = t->begin[u]; e < t->begin[u + 1u]; e++) {
            emit_choice_edge(t, t->unit[u], t->reader[e]);
        }
        if (t->begin[u] < t->end[u]) {
            emit_tensor(t, u);
        }
    }
}

/* The units in `first`, `first` + 2, and every fourth phase from there, choose; 1 if that helps. */
static int choose(traffic *t, uint32_t first)
{
    uint64_t before[CLI_TRAFFIC_COUNT];
    uint64_t after[CLI_TRAFFIC_COUNT];
    count_bytes(t, t->at, before);
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        uint32_t const low = t->at[v] - ((t->at[v] - first) & 2u);
        int const chooses = t->unit[v] == v && ((t->at[v] - first) & 1u) == 0 && low <= t->at[v] &&
                            low + 2u < t->n_phases;
        t->low[v] = chooses ? low : GSP_NONE;
    }
    emit_choices(t);
    if (!gsp_network_cut(&t->net)) {
        return 0;
    }
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        t->low[v] = t->low[v] == GSP_NONE          ? t->at[v]
                    : t->net.side[t->node[v]] != 0 ? t->low[v] + 2u
                                                   : t->low[v];
    }
    count_bytes(t, t->low, after);
    if (after[t->measure] >= before[t->measure]) {
        return 0;
    }
    memcpy(t->at, t->low, (size_t)t->g->n_nodes * sizeof *t->at);
    return 1;
}

/* Chooses from the phases that are tried as long as that helps. */
static void improve(traffic *t)
{
    uint32_t idle = 0;
    for (uint32_t i = 0; idle < 4u && t->net.work < t->net.max_work; i++) {
        idle = choose(t, i & 3u) ? 0u : idle + 1u;
    }
    keep(t, t->at);
}

static void search(traffic *t, uint64_t max_work)
{
    size_t const bytes = (size_t)t->g->n_nodes * sizeof *t->at;
    find_late(t);
    keep(t, t->late);
    t->net.max_work = max_work / 2u;
    cut_resident(t);
    t->net.max_work = max_work;
    if (t->result.bytes[t->measure] > t->result.lower_bound) {
        improve(t);
        memcpy(t->at, t->early, bytes);
        improve(t);
        memcpy(t->at, t->late, bytes);
        improve(t);
    }
}

/* ---- the pass ---- */

/* PyTorch's first kind: the CPU if it has a node without callable inputs. */
static uint32_t reference_start(const traffic *t, const uint8_t *kind)
{
    for (gsp_node v = 0; v < t->g->n_nodes; v++) {
        uint32_t n_in;
        const gsp_node *in = cli_before(t->g, v, &n_in);
        while (n_in > 0 && !gsp_node_is_callable(t->g, in[n_in - 1u])) {
            n_in--;
        }
        if (kind[v] == GSP_KIND_CPU && n_in == 0) {
            return GSP_KIND_CPU;
        }
    }
    return 1;
}

/* The earliest phases, as few as there can be, and what the reference has. */
static void start(traffic *t, const cli_traffic_desc *d)
{
    const uint8_t *kind = d->split->kind;
    uint32_t first = reference_start(t, kind);
    t->n_phases = find_early(t, kind, first);
    count_bytes(t, t->early, t->result.reference);
    if (d->best_start != 0) {
        uint32_t const other = find_early(t, kind, first ^ 1u);
        if (other < t->n_phases) {
            t->n_phases = other;
            first ^= 1u;
        } else {
            (void)find_early(t, kind, first);
        }
    }
    if (d->other_start != 0 && find_early(t, kind, first ^ 1u) > t->n_phases) {
        t->n_phases = 0;
    }
    t->result.n_phases = t->n_phases;
    keep(t, t->early);
}

static gsp_status fail(gsp_error *err, gsp_status status, gsp_detail detail, gsp_node node)
{
    if (err != NULL) {
        memset(err, 0, sizeof *err);
        err->status = status;
        err->detail = detail;
        err->node = node;
        err->other = GSP_NONE;
    }
    return status;
}

gsp_status cli_traffic_run(gsp_arena *arena, const gsp_graph *graph, const cli_traffic_desc *desc,
    cli_traffic *result, gsp_error *err)
{
    uint64_t sum = 0;
    traffic t;
    memset(&t, 0, sizeof t);
    t.arena = arena;
    t.g = graph;
    t.measure = desc->measure;
    if (desc->split->n_kinds > 2u) {
        return fail(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, GSP_NONE);
    }
    for (gsp_node v = 0; v < graph->n_nodes;
         v++) { /* every sum of bytes times phases is below 2^61 */
        uint64_t const bytes = gsp_node_is_callable(graph, v) ? gsp_node_bytes(graph, v) : 0u;
        uint64_t const most = (UINT64_C(1) << 61u) / graph->n_nodes;
        if (bytes >= most - sum) {
            return fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v);
        }
        sum += bytes;
    }
    if (!make_room(&t)) {
        return fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE);
    }
    read_units(&t, desc->split->group);
    start(&t, desc);
    if (t.n_phases > 0) {
        search(&t, desc->max_work == 0 ? UINT64_C(1) << 25u : desc->max_work);
    }
    t.result.work = t.net.work;
    t.result.unit = t.unit;
    t.result.early = t.early;
    t.result.late = t.late;
    *result = t.result;
    return GSP_OK;
}
