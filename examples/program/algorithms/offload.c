/* Whether a unit, a group or a node alone, is on the accelerator is one bit. Transfers between both
 * sides are submodular in these bits, so without launches one minimum cut is exact (Picard 1976).
 *
 * Launches count how often a path enters the accelerator. Labels that no edge lowers, even ones on
 * the CPU, odd ones on the accelerator, count them: that is one cut, too (Ishikawa 2003), also with
 * transfers at each boundary, but not with transfers once. For these the bits exist twice, in a
 * network with transfers and in one with launches, and multipliers make both copies agree. The sum
 * of both cuts is a lower bound (Lagrangian decomposition), both copies are candidates. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define MOST_TIME  (UINT64_C(1) << 58u)
#define MOST_ARCS  ((size_t)1 << 21u) /* of a network with labels */
#define MOST_SMALL 4096u              /* units and readers of a graph that may take longer */
#define ITERATIONS 300u
#define FIXED_CPU  1u
#define FIXED_ACC  2u

typedef struct tensor {
    uint64_t move;
    uint32_t unit;  /* that writes it */
    uint32_t begin; /* into reader */
    uint32_t end;
} tensor;

struct cli_offload {
    gsp_arena *arena;
    cli_offload_desc d;
    uint32_t n;         /* units; placeholders and outputs are some, on the CPU */
    uint32_t *unit;     /* [nodes] GSP_NONE for an attribute */
    uint8_t *fixed;     /* [n] */
    uint8_t *is_source; /* [n] a placeholder */
    uint8_t *is_read;   /* [n] */
    int64_t *gain;      /* [n] CPU time less accelerator time */
    uint64_t base;      /* all on the CPU */
    tensor *tensors;    /* [n_tensors] in graph order */
    uint32_t n_tensors;
    uint32_t *reader; /* [n_readers] other units */
    uint32_t n_readers;
    uint32_t *phase; /* [n] of the choice that was timed last */
    uint32_t n_acc;  /* its accelerator subgraphs */
    uint32_t *node;  /* [n] of the network */
    uint8_t *best;   /* [n] */
    uint32_t *best_phase;
    uint8_t *at;    /* [n] that is tried */
    uint8_t *other; /* [n] */
    uint32_t *part; /* [n] */
    int64_t *rest;  /* [n] that of the network with launches */
    int64_t *price; /* [n] multipliers: the share of `gain` in the network with transfers */
    uint64_t work;
    uint64_t max_work;
    cli_network net;
    cli_offload_result result;
};

/* ---- the problem ---- */

static uint32_t add_unit(cli_offload *o, uint8_t fixed)
{
    o->fixed[o->n] = fixed;
    return o->n++;
}

static void read_units(cli_offload *o)
{
    const gsp_graph *g = o->d.graph;
    uint32_t *of_group = o->part; /* 1 + its unit */
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t const group = o->d.group[v];
        int const called = gsp_node_is_callable(g, v);
        if (gsp_node_op(g, v) == GSP_OP_GET_ATTR) {
            o->unit[v] = GSP_NONE;
        } else if (called && group != GSP_NONE && of_group[group] != 0) {
            o->unit[v] = of_group[group] - 1u;
        } else {
            o->unit[v] = add_unit(o, (uint8_t)(called ? 0u : FIXED_CPU));
            o->is_source[o->unit[v]] = gsp_node_op(g, v) == GSP_OP_PLACEHOLDER;
            if (called && group != GSP_NONE) {
                of_group[group] = o->unit[v] + 1u;
            }
        }
        if (called) {
            uint8_t *fixed = &o->fixed[o->unit[v]];
            *fixed = o->d.kind[v] != 1u ? FIXED_CPU : o->d.pinned[v] ? FIXED_ACC : *fixed;
            o->gain[o->unit[v]] += (int64_t)o->d.cpu[v] - (int64_t)o->d.acc[v];
            o->base += o->d.cpu[v];
        }
    }
}

static void read_tensors(cli_offload *o)
{
    const gsp_graph *g = o->d.graph;
    uint32_t *seen = o->node; /* 1 + the last node that a unit reads */
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        tensor *t = &o->tensors[o->n_tensors];
        uint32_t n_users, i;
        const gsp_node *users = gsp_node_users(g, v, &n_users);
        t->unit = o->unit[v];
        t->begin = o->n_readers;
        for (i = 0; i < n_users && t->unit != GSP_NONE; i++) {
            uint32_t const unit = o->unit[users[i]];
            if (unit != t->unit && seen[unit] != v + 1u) {
                seen[unit] = v + 1u;
                o->reader[o->n_readers++] = unit;
            }
        }
        t->end = o->n_readers;
        t->move = t->end > t->begin ? o->d.move[v] : 0u;
        if (t->end > t->begin) {
            o->is_read[t->unit] = 1;
            o->n_tensors++;
        }
    }
}

static int is_below(const cli_offload_desc *d)
{
    gsp_node v;
    uint64_t const share = MOST_TIME / ((uint64_t)d->graph->n_nodes * 8u + 8u);
    for (v = 0; v < d->graph->n_nodes; v++) {
        if (d->cpu[v] >= share || d->acc[v] >= share || d->move[v] >= share) {
            return 0;
        }
    }
    return d->launch < share;
}

/* Arcs per run of the accelerator in the network with labels. */
static size_t arcs_per_turn(size_t n, size_t n_readers, uint32_t resident)
{
    return 4u * n + (resident != 0 ? 8u : 2u) * n_readers + 1u;
}

static size_t most_arcs(const cli_offload_desc *d)
{
    gsp_counts const c = gsp_graph_counts(d->graph);
    size_t const n = (size_t)c.nodes + 3u; /* labels are at most n + 1 */
    size_t const linear = 6u * (n + c.edges) + 2u;
    size_t const turn = arcs_per_turn(n, c.edges, 1);
    size_t const labels = turn < MOST_ARCS / n ? turn * n : MOST_ARCS;
    return linear > labels ? linear : labels;
}

size_t cli_offload_bound(const cli_offload_desc *desc)
{
    gsp_counts const c = gsp_graph_counts(desc->graph);
    size_t const n = (size_t)c.nodes + 3u; /* labels are at most n + 1 */
    size_t const per_node = sizeof(tensor) + 5u * sizeof(uint32_t) + 3u * sizeof(int64_t) + 6u;
    return sizeof(cli_offload) + n * per_node + c.edges * sizeof(uint32_t) + 32u * GSP_ALIGN +
           cli_network_bound(most_arcs(desc));
}

static void *push(gsp_arena *arena, size_t n, size_t size)
{
    void *made = gsp_arena_push(arena, n, size);
    return made != NULL ? memset(made, 0, n * size) : NULL;
}

static cli_offload *make_room(gsp_arena *arena, const cli_offload_desc *desc)
{
    gsp_counts const c = gsp_graph_counts(desc->graph);
    size_t const n = (size_t)c.nodes + 3u; /* labels are at most n + 1 */
    cli_offload *o = (cli_offload *)push(arena, 1, sizeof *o);
    o->arena = arena;
    o->d = *desc;
    o->tensors = (tensor *)push(arena, n, sizeof *o->tensors);
    o->gain = (int64_t *)push(arena, n, sizeof *o->gain);
    o->price = (int64_t *)push(arena, n, sizeof *o->price);
    o->rest = (int64_t *)push(arena, n, sizeof *o->rest);
    o->unit = (uint32_t *)push(arena, n, sizeof *o->unit);
    o->phase = (uint32_t *)push(arena, n, sizeof *o->phase);
    o->best_phase = (uint32_t *)push(arena, n, sizeof *o->best_phase);
    o->node = (uint32_t *)push(arena, n, sizeof *o->node);
    o->part = (uint32_t *)push(arena, n, sizeof *o->part);
    o->reader = (uint32_t *)push(arena, c.edges, sizeof *o->reader);
    o->fixed = (uint8_t *)push(arena, n, 1);
    o->is_source = (uint8_t *)push(arena, n, 1);
    o->is_read = (uint8_t *)push(arena, n, 1);
    o->best = (uint8_t *)push(arena, n, 1);
    o->at = (uint8_t *)push(arena, n, 1);
    o->other = (uint8_t *)push(arena, n, 1);
    return cli_network_make(&o->net, arena, most_arcs(desc)) ? o : NULL;
}

cli_offload *cli_offload_make(gsp_arena *arena, const cli_offload_desc *desc)
{
    cli_offload *o;
    if (!is_below(desc) || gsp_arena_left(arena) < cli_offload_bound(desc)) {
        return NULL;
    }
    o = make_room(arena, desc);
    if (o != NULL) {
        read_units(o);
        read_tensors(o);
        o->max_work = desc->max_work != 0                ? desc->max_work
                      : o->n + o->n_readers < MOST_SMALL ? UINT64_C(1) << 28u
                                                         : UINT64_C(1) << 26u;
    }
    return o;
}

/* ---- the time of a choice ---- */

/* The earliest phases with the CPU first; two turns suffice unless groups interleave. */
static int find_phases(cli_offload *o, const uint8_t *on_acc)
{
    uint32_t i, e, u;
    int changed = 1;
    int circular = 0;
    for (u = 0; u < o->n; u++) {
        o->phase[u] = on_acc[u];
    }
    while (changed && !circular) {
        changed = 0;
        for (i = 0; i < o->n_tensors; i++) {
            const tensor *t = &o->tensors[i];
            for (e = t->begin; e < t->end; e++) {
                uint32_t const r = o->reader[e];
                uint32_t const least = o->phase[t->unit] + (on_acc[t->unit] != on_acc[r] ? 1u : 0u);
                if (o->phase[r] < least && least <= o->n + 1u) {
                    o->phase[r] = least;
                    changed = 1;
                }
                circular |= least > o->n + 1u;
            }
        }
    }
    o->n_acc = 0;
    for (u = 0; u < o->n; u++) {
        uint32_t const acc = on_acc[u] ? (o->phase[u] + 1u) / 2u : 0u;
        o->n_acc = acc > o->n_acc ? acc : o->n_acc;
    }
    o->work += (uint64_t)o->n + o->n_readers;
    return !circular;
}

/* A value moves once if a reader is on the other side, or at each boundary up to the last reader;
 * placeholders arrive as late as possible. */
static uint64_t moves_of(const cli_offload *o, const tensor *t, const uint8_t *on_acc)
{
    uint32_t last = o->phase[t->unit];
    uint32_t first = UINT32_MAX;
    int apart = 0;
    uint32_t e;
    for (e = t->begin; e < t->end; e++) {
        uint32_t const r = o->reader[e];
        apart |= on_acc[r] != on_acc[t->unit];
        last = o->phase[r] > last ? o->phase[r] : last;
        first = o->phase[r] - on_acc[r] < first ? o->phase[r] - on_acc[r] : first;
    }
    return !o->d.resident ? (uint64_t)apart
                          : last - (o->is_source[t->unit] ? first : o->phase[t->unit]);
}

/* Of the phases as they are. */
static uint64_t time_in_phases(cli_offload *o, const uint8_t *on_acc)
{
    uint64_t sum = o->base + o->d.launch * o->n_acc;
    uint32_t i;
    for (i = 0; i < o->n; i++) {
        sum -= on_acc[i] ? (uint64_t)o->gain[i] : 0u;
    }
    for (i = 0; i < o->n_tensors; i++) {
        sum += o->tensors[i].move * moves_of(o, &o->tensors[i], on_acc);
    }
    o->work += (uint64_t)o->n + o->n_readers;
    return sum;
}

/* `resident`: a later return saves moves of placeholders that the graph returns; the time is convex
 * in the phase of the return. */
static uint64_t time_of(cli_offload *o, const uint8_t *on_acc)
{
    uint32_t *end = &o->phase[o->unit[o->d.graph->n_nodes - 1u]];
    uint64_t time = find_phases(o, on_acc) ? time_in_phases(o, on_acc) : UINT64_MAX;
    uint64_t before = o->d.resident ? UINT64_MAX : time;
    while (time < before) {
        before = time;
        *end += 2u;
        time = time_in_phases(o, on_acc);
        if (time >= before) {
            *end -= 2u;
            time = before;
        }
    }
    return time;
}

/* Keeps a choice if it is the first, or better. */
static uint64_t keep(cli_offload *o, const uint8_t *on_acc, uint64_t time)
{
    if (time != UINT64_MAX && o->n_acc < CLI_OFFLOAD_CURVE && time < o->result.at_most[o->n_acc]) {
        o->result.at_most[o->n_acc] = time;
    }
    if (time < o->result.time) {
        o->result.time = time;
        memcpy(o->best, on_acc, o->n);
        memcpy(o->best_phase, o->phase, o->n * sizeof *o->phase);
    }
    return time;
}

static uint64_t attempt(cli_offload *o, const uint8_t *on_acc)
{
    return keep(o, on_acc, time_of(o, on_acc));
}

uint64_t cli_offload_time(cli_offload *o, const uint8_t *kind)
{
    gsp_node v;
    memset(o->at, 0, o->n);
    for (v = 0; v < o->d.graph->n_nodes; v++) {
        if (gsp_node_is_callable(o->d.graph, v)) {
            o->at[o->unit[v]] = kind[v] == 1u;
        }
    }
    return time_of(o, o->at);
}

static int ended(const cli_offload *o)
{
    return o->work + o->net.work >= o->max_work;
}

static int cut(cli_offload *o)
{
    o->net.max_work = o->max_work > o->work ? o->max_work - o->work : 0u;
    return cli_network_cut(&o->net);
}

/* ---- the network with transfers: a unit on the accelerator is on the source's side ---- */

static void emit_transfer(cli_offload *o, const tensor *t)
{
    cli_network *net = &o->net;
    uint32_t const from = o->node[t->unit];
    uint32_t const first = o->node[o->reader[t->begin]];
    uint32_t in, out, e;
    if (t->move == 0) {
        return;
    }
    if (t->end - t->begin == 1u) {
        cli_network_both(net, first, from, t->move, t->move);
        return;
    }
    in = cli_network_node(net);
    out = cli_network_node(net);
    cli_network_arc(net, in, from, t->move);
    cli_network_arc(net, from, out, t->move);
    for (e = t->begin; e < t->end; e++) {
        uint32_t const reader = o->node[o->reader[e]];
        cli_network_arc(net, reader, in, GSP_CUT_INFINITE);
        cli_network_arc(net, out, reader, GSP_CUT_INFINITE);
    }
}

static void emit_transfers(cli_offload *o, const int64_t *gain)
{
    cli_network *net = &o->net;
    uint32_t i;
    cli_network_start(net);
    for (i = 0; i < o->n; i++) {
        o->node[i] = o->fixed[i] == FIXED_CPU   ? CLI_SINK
                     : o->fixed[i] == FIXED_ACC ? CLI_SOURCE
                                                : cli_network_node(net);
        if (o->fixed[i] == 0 && gain[i] > 0) {
            cli_network_arc(net, CLI_SOURCE, o->node[i], (uint64_t)gain[i]);
        } else if (o->fixed[i] == 0 && gain[i] < 0) {
            cli_network_arc(net, o->node[i], CLI_SINK, (uint64_t)-gain[i]);
        }
    }
    for (i = 0; i < o->n_tensors; i++) {
        emit_transfer(o, &o->tensors[i]);
    }
}

static void read_bits(const cli_offload *o, uint8_t *on_acc)
{
    uint32_t i;
    for (i = 0; i < o->n; i++) {
        on_acc[i] = o->net.side[o->node[i]];
    }
}

/* What the capacities leave out: gains of the units that pay for the CPU, and of fixed ones. */
static int64_t constant_of(const cli_offload *o, const int64_t *gain)
{
    int64_t sum = 0;
    uint32_t i;
    for (i = 0; i < o->n; i++) {
        sum -= o->fixed[i] == FIXED_ACC || (o->fixed[i] == 0 && gain[i] > 0) ? gain[i] : 0;
    }
    return sum;
}

/* ---- the network with labels ---- */

/* The node for "the label of a unit is t at least", of labels 0 to 2 n_acc. */
static uint32_t literal(const cli_offload *o, uint32_t unit, uint32_t t, uint32_t n_acc)
{
    uint32_t const node = o->node[unit];
    if (o->fixed[unit] == FIXED_CPU) {
        return node + (t + 1u) / 2u - 1u;
    }
    if (o->fixed[unit] == FIXED_ACC) {
        return t == 1u ? CLI_SOURCE : t == 2u * n_acc ? CLI_SINK : node + t / 2u - 1u;
    }
    return node + t - 1u;
}

static void emit_labels(cli_offload *o, uint32_t unit, int64_t gain, uint32_t n_acc)
{
    cli_network *net = &o->net;
    uint32_t const n = o->fixed[unit] == 0           ? 2u * n_acc
                       : o->fixed[unit] == FIXED_CPU ? n_acc
                                                     : n_acc - 1u;
    uint32_t t;
    o->node[unit] = net->n_nodes;
    net->n_nodes += n;
    for (t = 0; t <= n; t++) {
        uint32_t const from = t == 0 ? CLI_SOURCE : o->node[unit] + t - 1u;
        uint32_t const to = t == n ? CLI_SINK : o->node[unit] + t;
        int const on_acc = (t & 1u) != 0;
        uint64_t const cost = o->fixed[unit] != 0   ? 0u
                              : on_acc && gain < 0  ? (uint64_t)-gain
                              : !on_acc && gain > 0 ? (uint64_t)gain
                                                    : 0u;
        uint64_t const back = t > 0 && t < n ? GSP_CUT_INFINITE : 0u;
        if (cost != 0 || back != 0) {
            cli_network_both(net, from, to, cost, back);
        }
    }
}

/* A value is kept at boundary t if its unit has an earlier label, and a reader not. */
static void emit_boundary(cli_offload *o, const tensor *t, uint32_t at, uint32_t n_acc)
{
    cli_network *net = &o->net;
    uint32_t const to = literal(o, t->unit, at, n_acc);
    uint32_t from = literal(o, o->reader[t->begin], at, n_acc);
    uint32_t e;
    if (t->end - t->begin > 1u) {
        from = cli_network_node(net);
        for (e = t->begin; e < t->end; e++) {
            cli_network_arc(net, literal(o, o->reader[e], at, n_acc), from, GSP_CUT_INFINITE);
        }
    }
    cli_network_arc(net, from, to, t->move);
}

/* With `launch` per accelerator subgraph; as far as it fits. */
static void emit_launches(cli_offload *o, const int64_t *gain, uint32_t n_acc, uint64_t launch)
{
    cli_network *net = &o->net;
    uint32_t i, t, e;
    cli_network_start(net);
    for (i = 0; i < o->n; i++) {
        emit_labels(o, i, gain[i], n_acc);
    }
    for (i = 0; i < o->n_tensors && cli_network_fits(net); i++) {
        const tensor *v = &o->tensors[i];
        for (t = 1; t <= 2u * n_acc; t++) {
            for (e = v->begin; e < v->end; e++) {
                cli_network_arc(net, literal(o, v->unit, t, n_acc),
                    literal(o, o->reader[e], t, n_acc), GSP_CUT_INFINITE);
            }
            if (o->d.resident && v->move != 0) {
                emit_boundary(o, v, t, n_acc);
            }
        }
    }
    for (t = 1; t < 2u * n_acc && launch != 0; t += 2u) {
        uint32_t const any = cli_network_node(net);
        cli_network_arc(net, any, CLI_SINK, launch);
        for (i = 0; i < o->n; i++) {
            if (!o->is_read[i]) {
                cli_network_arc(net, literal(o, i, t, n_acc), any, GSP_CUT_INFINITE);
            }
        }
    }
}

/* Consecutive phases of one kind become one, which saves launches and moves. A placeholder arrives
 * late, whatever its phase. */
static void close_gaps(cli_offload *o)
{
    uint32_t *number = o->node; /* 1 if it occurs; then the new number */
    uint32_t last = 0;
    uint32_t i;
    memset(number, 0, ((size_t)o->n + 2u) * sizeof *number);
    for (i = 0; i < o->n; i++) {
        number[o->phase[i]] |= !o->is_source[i];
    }
    for (i = 0; i < o->n + 2u; i++) {
        last += number[i] != 0 ? (i ^ last) & 1u : 0u;
        number[i] = last;
    }
    for (i = 0; i < o->n; i++) {
        o->phase[i] = o->is_source[i] ? 0u : number[o->phase[i]];
    }
    o->n_acc = (last + 1u) / 2u;
}

/* Labels become phases. */
static void read_labels(cli_offload *o, uint8_t *on_acc, uint32_t n_acc)
{
    uint32_t i, t;
    for (i = 0; i < o->n; i++) {
        o->phase[i] = 0;
        for (t = 1; t <= 2u * n_acc; t++) {
            o->phase[i] += o->net.side[literal(o, i, t, n_acc)] != 0 ? 1u : 0u;
        }
        on_acc[i] = o->phase[i] & 1u;
    }
    close_gaps(o);
}

/* So many turns of the accelerator at most, for which the network fits. */
static uint32_t most_turns(const cli_offload *o)
{
    return (uint32_t)(o->net.most / arcs_per_turn(o->n, o->n_readers, o->d.resident));
}

/* More turns than these cost more than the best choice. */
static uint32_t useful_turns(const cli_offload *o, uint64_t least)
{
    uint64_t const most = o->d.launch == 0 ? UINT64_MAX : (o->result.time - least) / o->d.launch;
    uint32_t const all = (o->n + 1u) / 2u;
    return most == 0 ? 1u : most < all ? (uint32_t)most : all;
}

/* ---- better choices nearby ---- */

static uint32_t find_part(uint32_t *part, uint32_t u)
{
    while (part[u] != u) {
        part[u] = part[part[u]];
        u = part[u];
    }
    return u;
}

/* The connected parts of subgraphs; 0 for those of whole subgraphs. */
static void find_parts(cli_offload *o, const uint8_t *on_acc, int connected)
{
    uint32_t i, e;
    for (i = 0; i < o->n + 2u; i++) {
        o->part[i] = i;
        o->node[i] = GSP_NONE;
    }
    for (i = 0; i < o->n_tensors && connected; i++) {
        const tensor *t = &o->tensors[i];
        for (e = t->begin; e < t->end; e++) {
            uint32_t const r = o->reader[e];
            if (on_acc[r] && on_acc[t->unit] && o->phase[r] == o->phase[t->unit]) {
                o->part[find_part(o->part, r)] = find_part(o->part, t->unit);
            }
        }
    }
    for (i = 0; i < o->n && !connected; i++) {
        uint32_t *first = &o->node[o->phase[i]];
        *first = on_acc[i] && *first == GSP_NONE ? i : *first;
        o->part[i] = on_acc[i] ? *first : i;
    }
    for (i = 0; i < o->n; i++) {
        o->part[i] = find_part(o->part, i);
    }
}

/* Moves parts of `at` to the CPU as long as that helps; returns its time. */
static uint64_t drop_parts(cli_offload *o, uint64_t time, int connected)
{
    uint32_t p, i;
    (void)find_phases(o, o->at);
    find_parts(o, o->at, connected);
    for (p = 0; p < o->n && !ended(o); p++) {
        uint64_t now;
        int moves = 0;
        if (o->part[p] != p || !o->at[p]) {
            continue;
        }
        memcpy(o->other, o->at, o->n);
        for (i = 0; i < o->n; i++) {
            if (o->part[i] == p && o->fixed[i] == 0) {
                o->other[i] = 0;
                moves |= o->at[i];
            }
        }
        now = moves ? attempt(o, o->other) : UINT64_MAX;
        if (now < time) {
            time = now;
            memcpy(o->at, o->other, o->n);
        }
    }
    return time;
}

/* In `at` all units of two phases that follow each other choose again; every second pair at once,
 * from `first`. The number of accelerator subgraphs does not grow. */
static uint64_t choose_again(cli_offload *o, uint64_t time, uint32_t first)
{
    uint32_t i, e;
    uint64_t now;
    (void)find_phases(o, o->at);
    emit_transfers(o, o->gain);
    for (i = 0; i < o->n; i++) {
        if (o->fixed[i] == 0 && (o->phase[i] < first || (o->phase[i] == 2u * o->n_acc && !first))) {
            cli_network_arc(&o->net, o->node[i], CLI_SINK, GSP_CUT_INFINITE);
        }
    }
    for (i = 0; i < o->n_tensors; i++) {
        const tensor *t = &o->tensors[i];
        for (e = t->begin; e < t->end; e++) {
            uint32_t const from = o->node[first ? o->reader[e] : t->unit];
            uint32_t const to = o->node[first ? t->unit : o->reader[e]];
            if ((o->phase[t->unit] + first) / 2u == (o->phase[o->reader[e]] + first) / 2u) {
                cli_network_arc(&o->net, from, to, GSP_CUT_INFINITE);
            }
        }
    }
    if (!cut(o)) {
        return time;
    }
    read_bits(o, o->other);
    now = attempt(o, o->other);
    if (now < time) {
        time = now;
        memcpy(o->at, o->other, o->n);
    }
    return time;
}

/* From `at`. */
static void improve(cli_offload *o)
{
    uint64_t before = UINT64_MAX; /* so is the time if no order of subgraphs is possible */
    uint64_t time = attempt(o, o->at);
    while (time < before && !ended(o)) {
        before = time;
        time = drop_parts(o, time, 0);
        time = drop_parts(o, time, 1);
        time = choose_again(o, time, 0);
        time = choose_again(o, time, 1);
    }
}

/* ---- both networks ---- */

/* The price of each unit follows the difference of both copies; returns 0 where they agree. */
static int move_prices(cli_offload *o, uint64_t distance, uint32_t halvings)
{
    int64_t const most = (int64_t)(MOST_TIME / ((uint64_t)o->n + 1u));
    uint64_t apart = 0;
    int64_t step;
    uint32_t i;
    for (i = 0; i < o->n; i++) {
        apart += o->at[i] != o->other[i] ? 1u : 0u;
    }
    step = apart == 0 ? 0 : (int64_t)((distance / apart) >> halvings);
    for (i = 0; i < o->n && step > 0; i++) {
        int64_t const next = o->price[i] + ((int64_t)o->other[i] - (int64_t)o->at[i]) * step;
        o->price[i] = next > most ? most : next < -most ? -most : next;
    }
    return step > 0;
}

static void raise(cli_offload *o, int64_t bound, uint64_t beyond)
{
    uint64_t const least = bound < 0 ? 0u : (uint64_t)bound;
    uint64_t const both = least < beyond ? least : beyond;
    o->result.lower_bound = both > o->result.lower_bound ? both : o->result.lower_bound;
}

/* One pair of cuts, with `at` and `other` as their choices; 0 if the work ended. */
static int cut_both(cli_offload *o, uint64_t least, int64_t *bound)
{
    uint32_t const useful = useful_turns(o, least);
    uint32_t const fits = most_turns(o);
    uint32_t const turns = useful < fits ? useful : fits;
    uint32_t i;
    int done;
    emit_transfers(o, o->price);
    done = cut(o);
    if (done) {
        read_bits(o, o->at);
        *bound = (int64_t)(o->base + o->net.value) + constant_of(o, o->price);
        for (i = 0; i < o->n; i++) {
            o->rest[i] = o->gain[i] - o->price[i];
        }
        *bound += constant_of(o, o->rest);
        emit_launches(o, o->rest, turns, o->d.launch);
        done = cut(o);
        *bound += (int64_t)o->net.value; /* a flow is a bound, also when the work ended */
        raise(o, *bound, turns < useful ? least + o->d.launch * (turns + 1u) : UINT64_MAX);
    }
    if (done) {
        read_labels(o, o->other, turns);
    }
    return done;
}

/* Tries the choice of a network with labels, or UINT64_MAX. */
static uint64_t try_turns(cli_offload *o, const int64_t *gain, uint32_t turns, uint64_t launch)
{
    emit_launches(o, gain, turns, launch);
    if (!cut(o)) {
        return UINT64_MAX;
    }
    read_labels(o, o->at, turns);
    return o->d.resident ? keep(o, o->at, time_in_phases(o, o->at)) : attempt(o, o->at);
}

/* Few turns of the accelerator: each network with labels leaves transfers to what follows. */
static void try_few_turns(cli_offload *o)
{
    static const uint8_t few[] = {1, 2, 3, 4, 6, 8, 10, 12, 15, 20};
    uint64_t const most = o->max_work;
    uint32_t i;
    for (i = 0; i < sizeof few && few[i] <= most_turns(o); i++) {
        o->max_work = most / 2u;
        if (try_turns(o, o->gain, few[i], 0) != UINT64_MAX && !o->d.resident) {
            improve(o);
        }
        o->max_work = most;
    }
}

/* Exact: transfers at each boundary are part of the network with labels. */
static void search_resident(cli_offload *o, uint64_t least)
{
    uint32_t const useful = useful_turns(o, least);
    uint32_t const fits = most_turns(o);
    uint32_t const turns = useful < fits ? useful : fits;
    int64_t bound;
    if (turns != 0) {
        (void)try_turns(o, o->gain, turns, o->d.launch);
        bound = (int64_t)(o->base + o->net.value) + constant_of(o, o->gain);
        raise(o, bound, turns < useful ? least + o->d.launch * (turns + 1u) : UINT64_MAX);
    }
}

/* Transfers at each boundary are as many as transfers once, or a few more. */
static void try_resident(cli_offload *o, uint64_t least)
{
    uint64_t const most = o->max_work;
    uint32_t turns;
    o->d.resident = 1;
    turns = most_turns(o) < useful_turns(o, least) ? most_turns(o) : useful_turns(o, least);
    emit_launches(o, o->gain, turns, o->d.launch);
    o->max_work = most / 4u;
    if (turns != 0 && cut(o)) {
        read_labels(o, o->at, turns);
        o->d.resident = 0;
        improve(o);
    }
    o->d.resident = 0;
    o->max_work = most;
}

/* A part gives up at most what it gains. */
static void share_launch(cli_offload *o)
{
    double const launch = (double)o->d.launch;
    uint32_t i;
    memset(o->rest, 0, o->n * sizeof *o->rest);
    for (i = 0; i < o->n; i++) {
        o->rest[find_part(o->part, i)] += o->fixed[i] == 0 && o->gain[i] > 0 ? o->gain[i] : 0;
    }
    for (i = 0; i < o->n; i++) {
        double const sum = (double)o->rest[find_part(o->part, i)];
        double const share = launch < sum ? launch / sum : 1.0;
        int const pays = o->fixed[i] == 0 && o->gain[i] > 0;
        o->price[i] = o->gain[i] - (pays ? (int64_t)cli_whole((double)o->gain[i] * share) : 0);
    }
}

/* The first prices: one launch is shared by each subgraph of the best choice, and by each part that
 * it leaves on the CPU. */
static void start_prices(cli_offload *o)
{
    uint32_t i, e;
    memcpy(o->at, o->best, o->n);
    (void)find_phases(o, o->at);
    find_parts(o, o->at, 0);
    for (i = 0; i < o->n_tensors; i++) {
        const tensor *t = &o->tensors[i];
        for (e = t->begin; e < t->end; e++) {
            uint32_t const r = o->reader[e];
            if ((o->at[r] | o->at[t->unit] | o->fixed[r] | o->fixed[t->unit]) == 0) {
                o->part[find_part(o->part, r)] = find_part(o->part, t->unit);
            }
        }
    }
    share_launch(o);
}

static void search_once(cli_offload *o, uint64_t least)
{
    uint32_t halvings = 0;
    uint32_t idle = 0;
    uint32_t i;
    start_prices(o);
    for (i = 0; i < ITERATIONS && o->result.time > o->result.lower_bound; i++) {
        uint64_t const before = o->result.lower_bound;
        uint64_t const best = o->result.time;
        int64_t bound;
        if (!cut_both(o, least, &bound) ||
            !move_prices(o, (uint64_t)((int64_t)best - bound), halvings)) {
            break;
        }
        (void)attempt(o, o->at);
        if (attempt(o, o->other) < best + best / 50u) {
            memcpy(o->at, o->other, o->n);
            improve(o);
        }
        idle = o->result.lower_bound > before ? 0u : idle + 1u;
        if (idle == 6u) {
            idle = 0;
            halvings++;
        }
    }
}

static void search(cli_offload *o)
{
    uint64_t least;
    emit_transfers(o, o->gain);
    if (cut(o)) {
        read_bits(o, o->at);
        (void)attempt(o, o->at);
    }
    least = (uint64_t)((int64_t)(o->base + o->net.value) + constant_of(o, o->gain));
    o->result.lower_bound = least;
    improve(o);
    try_few_turns(o);
    if (o->d.resident) {
        search_resident(o, least);
    } else {
        try_resident(o, least);
        search_once(o, least);
    }
}

/* ---- the run ---- */

static void try_extremes(cli_offload *o)
{
    int pinned = 0;
    uint32_t i;
    for (i = 0; i < o->n; i++) {
        o->at[i] = o->fixed[i] != FIXED_CPU;
        o->other[i] = o->fixed[i] == FIXED_ACC;
        pinned |= o->other[i];
    }
    o->result.cpu_only = attempt(o, o->other);
    o->result.all = attempt(o, o->at);
    o->result.cpu_only = pinned ? UINT64_MAX : o->result.cpu_only;
}

static void read_best(cli_offload *o)
{
    const gsp_graph *g = o->d.graph;
    uint8_t *kind = (uint8_t *)o->rest;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int const called = gsp_node_is_callable(g, v);
        kind[v] = called ? o->best[o->unit[v]] : GSP_KIND_NONE;
        o->part[v] = called ? o->best_phase[o->unit[v]] : GSP_NONE;
    }
    o->result.kind = kind;
    o->result.phase = o->d.resident ? o->part : NULL;
}

void cli_offload_run(cli_offload *o, cli_offload_result *result)
{
    uint32_t i;
    memset(o->result.at_most, 0xFF, sizeof o->result.at_most);
    o->result.time = UINT64_MAX;
    try_extremes(o);
    search(o);
    for (i = 1; i < CLI_OFFLOAD_CURVE; i++) {
        uint64_t const fewer = o->result.at_most[i - 1u];
        o->result.at_most[i] = fewer < o->result.at_most[i] ? fewer : o->result.at_most[i];
    }
    if (o->result.lower_bound > o->result.time) {
        o->result.lower_bound = o->result.time;
    }
    read_best(o);
    o->result.work = o->work + o->net.work;
    *result = o->result;
}
