/* The entry points that cut networks, in one shape. */
#include "tests/contract/entry.h"

#define ARCS  64u
#define KINDS 8u

typedef struct setup {
    gsp_cut_arc arcs[ARCS];
    gsp_split_result split;
    uint8_t kind[ENTRY_NODES];
    uint32_t subgraph_of[ENTRY_NODES];
    uint8_t subgraph_kind[1];
    uint64_t value[ENTRY_NODES];
    uint64_t other[ENTRY_NODES];
    uint8_t can[ENTRY_NODES];
    const uint8_t *cans[2];
    const uint64_t *ticks[2];
    uint64_t launch[2];
} setup;

/* A ring of arcs; every fifth comes from the source, every seventh leads to the sink. */
static gsp_min_cut_desc cut_desc(const entry_input *in, setup *s)
{
    gsp_min_cut_desc desc = {0};
    desc.n_nodes = 2u + in->graph.n_nodes % 32u;
    desc.n_arcs = in->graph.n_nodes % ARCS;
    desc.arcs = s->arcs;
    for (uint32_t i = 0; i < desc.n_arcs; i++) {
        s->arcs[i].from = i % 5u == 0u ? 0u : i % desc.n_nodes;
        s->arcs[i].to = i % 7u == 6u ? 1u : (i + 1u) % desc.n_nodes;
        s->arcs[i].capacity = i * 7u % 11u;
        s->arcs[i].back = i % 3u;
    }
    return desc;
}

size_t entry_min_cut_bound(const entry_input *in)
{
    setup s;
    gsp_min_cut_desc const desc = cut_desc(in, &s);
    return gsp_min_cut_bound(&desc);
}

gsp_status entry_min_cut_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    setup s;
    gsp_min_cut_desc const desc = cut_desc(in, &s);
    return gsp_min_cut_run(arena, &desc, &out->min_cut, err);
}

void entry_min_cut_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_number(bytes, (uint32_t)out->min_cut.value);
    t_number(bytes, (uint32_t)out->min_cut.work);
    t_add(bytes, (const char *)out->min_cut.side, 2u + in->graph.n_nodes % 32u);
}

/* The same arcs, one by one. */
size_t entry_network_bound(const entry_input *in)
{
    return gsp_network_bound(2u + in->graph.n_nodes % ARCS);
}

gsp_status entry_network_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    setup s;
    gsp_min_cut_desc const desc = cut_desc(in, &s);
    gsp_status const status =
        gsp_network_init(arena, 2u + in->graph.n_nodes % ARCS, &out->network, err);
    if (status != GSP_OK) {
        return status;
    }
    gsp_network_start(&out->network);
    while (out->network.n_nodes < desc.n_nodes) {
        (void)gsp_network_node(&out->network);
    }
    for (uint32_t i = 0; i < desc.n_arcs; i++) {
        const gsp_cut_arc *a = &desc.arcs[i];
        gsp_network_both(&out->network, a->from, a->to, a->capacity, a->back);
    }
    T_EQUAL(gsp_network_cut(&out->network), gsp_network_fits(&out->network));
    return GSP_OK;
}

void entry_network_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    t_number(bytes, (uint32_t)out->network.value);
    t_number(bytes, (uint32_t)out->network.work);
    t_add(bytes, (const char *)out->network.arcs, out->network.n_arcs * sizeof(gsp_cut_arc));
}

/* Times with which some supported nodes are worth offloading. */
static gsp_offload_desc offload_desc(const entry_input *in, uint32_t given, setup *s)
{
    gsp_offload_desc desc = {0};
    for (gsp_node v = 0; v < in->graph.n_nodes; v++) {
        s->value[v] = 3u + v * 7u % 11u;
        s->other[v] = v * 5u % 7u;
        s->kind[v] = (uint8_t)(in->split.kind[v] == 1u);
    }
    desc.resident = in->graph.n_nodes % 2u;
    desc.kind = s->kind;
    desc.group = in->split.group;
    desc.cpu = desc.move = s->value;
    desc.acc = s->other;
    desc.launch = 2u;
    desc.max_work = 100000u;
    desc.max_arcs = 1u;
    desc.given = given ? s->kind : NULL;
    return desc;
}

#define ENTRY_OFFLOAD(name, given) \
    size_t entry_##name##_bound(const entry_input *in) \
    { \
        setup s; \
        gsp_offload_desc const desc = offload_desc(in, given, &s); \
        return gsp_offload_bound(&in->graph, &desc); \
    } \
    gsp_status entry_##name##_run( \
        const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err) \
    { \
        setup s; \
        gsp_offload_desc const desc = offload_desc(in, given, &s); \
        return gsp_offload_run(arena, &in->graph, &desc, &out->offload, err); \
    } \
    void entry_##name##_dump(const entry_input *in, const entry_output *out, t_string *bytes) \
    { \
        uint32_t const n = in->graph.n_nodes; \
        t_number(bytes, (uint32_t)out->offload.time); \
        t_number(bytes, (uint32_t)out->offload.lower_bound); \
        t_add(bytes, (const char *)out->offload.kind, n); \
        t_add(bytes, (const char *)out->offload.at_most, GSP_OFFLOAD_CURVE * sizeof(uint64_t)); \
        if (out->offload.phase != NULL) { \
            t_add(bytes, (const char *)out->offload.phase, n * sizeof(uint32_t)); \
        } \
    }
ENTRY_OFFLOAD(offload, 0u)
ENTRY_OFFLOAD(offload_given, 1u)

/* The same times; the CPU takes all nodes. */
static gsp_sides_desc sides_desc(const entry_input *in, uint32_t given, setup *s)
{
    gsp_offload_desc const pair = offload_desc(in, given, s);
    gsp_sides_desc desc = {0};
    memset(s->can, 1, sizeof(s->can));
    s->cans[0] = s->can;
    s->cans[1] = pair.kind;
    s->ticks[0] = pair.cpu;
    s->ticks[1] = pair.acc;
    s->launch[1] = pair.launch;
    desc.n_kinds = 2u;
    desc.can = s->cans;
    desc.ticks = s->ticks;
    desc.launch = s->launch;
    desc.move = pair.move;
    desc.group = pair.group;
    desc.starts = &s->cans[1];
    desc.n_starts = 1u;
    desc.max_work = pair.max_work;
    desc.max_arcs = pair.max_arcs;
    desc.given = pair.given;
    return desc;
}

#define ENTRY_SIDES(name, family, given) \
    size_t entry_##name##_bound(const entry_input *in) \
    { \
        setup s; \
        gsp_sides_desc const desc = sides_desc(in, given, &s); \
        return gsp_##family##_bound(&in->graph, &desc); \
    } \
    gsp_status entry_##name##_run( \
        const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err) \
    { \
        setup s; \
        gsp_sides_desc const desc = sides_desc(in, given, &s); \
        return gsp_##family##_run(arena, &in->graph, &desc, &out->family, err); \
    }
ENTRY_SIDES(sides, sides, 0u)
ENTRY_SIDES(sides_given, sides, 1u)
ENTRY_SIDES(overlap, overlap, 0u)
ENTRY_SIDES(overlap_given, overlap, 1u)

void entry_sides_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    uint32_t const n = in->graph.n_nodes;
    t_number(bytes, (uint32_t)out->sides.time);
    t_number(bytes, (uint32_t)out->sides.lower_bound);
    t_add(bytes, (const char *)out->sides.kind, n);
    t_add(bytes, (const char *)out->sides.phase, n * sizeof(uint32_t));
}

void entry_sides_given_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    entry_sides_dump(in, out, bytes);
}

void entry_overlap_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    const gsp_overlap_result *r = &out->overlap;
    t_number(bytes, (uint32_t)r->makespan);
    t_number(bytes, (uint32_t)r->lower_bound);
    t_add(bytes, (const char *)r->kind, in->graph.n_nodes);
    t_add(bytes, (const char *)r->busy, r->n_resources * sizeof(uint64_t));
    for (uint32_t i = 0; i < r->n_steps; i++) {
        t_number(bytes, (uint32_t)r->steps[i].begin);
        t_number(bytes, r->steps[i].what);
        t_number(bytes, r->steps[i].node);
    }
}

void entry_overlap_given_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    entry_overlap_dump(in, out, bytes);
}

/* The measures in turn. */
static gsp_traffic_desc traffic_desc(const entry_input *in, setup *s)
{
    gsp_traffic_desc desc = {0};
    for (gsp_node v = 0; v < in->graph.n_nodes; v++) {
        s->kind[v] = (uint8_t)(in->split.kind[v] == 1u);
    }
    desc.measure = in->graph.n_nodes % (uint32_t)GSP_TRAFFIC_COUNT;
    desc.kind = s->kind;
    desc.group = in->split.group;
    desc.max_arcs = 1u;
    return desc;
}

size_t entry_traffic_bound(const entry_input *in)
{
    setup s;
    gsp_traffic_desc const desc = traffic_desc(in, &s);
    return gsp_traffic_bound(&in->graph, &desc);
}

gsp_status entry_traffic_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    setup s;
    gsp_traffic_desc const desc = traffic_desc(in, &s);
    return gsp_traffic_run(arena, &in->graph, &desc, &out->traffic, err);
}

void entry_traffic_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    const gsp_traffic_result *const r = &out->traffic;
    size_t const size = in->graph.n_nodes * sizeof(uint32_t);
    t_number(bytes, r->n_phases);
    t_number(bytes, (uint32_t)r->lower_bound);
    t_number(bytes, (uint32_t)r->work);
    t_add(bytes, (const char *)r->bytes, sizeof(r->bytes));
    t_add(bytes, (const char *)r->reference, sizeof(r->reference));
    t_add(bytes, (const char *)r->phase, size);
    t_add(bytes, (const char *)r->unit, size);
    t_add(bytes, (const char *)r->early, size);
    t_add(bytes, (const char *)r->late, size);
}

/* The groups of the split, one accelerator, and everything in one subgraph. */
static gsp_demote_desc demote_desc(const entry_input *in, setup *s)
{
    gsp_demote_desc desc = {0};
    memset(s, 0, sizeof(*s));
    s->split = in->split;
    s->split.n_kinds = 2u;
    s->split.kind = s->kind;
    s->split.n_subgraphs = 1u;
    s->split.subgraph_of = s->subgraph_of;
    s->split.subgraph_kind = s->subgraph_kind;
    for (gsp_node v = 0; v < in->graph.n_nodes; v++) {
        uint32_t const kind = in->split.kind[v];
        s->kind[v] = (uint8_t)(kind == 0u || kind == GSP_KIND_NONE ? kind : 1u);
        s->value[v] = v * 5u % 7u;
    }
    desc.split = &s->split;
    desc.limit = 4u;
    desc.max_acc = 2u;
    desc.value = s->value;
    return desc;
}

size_t entry_demote_bound(const entry_input *in)
{
    setup s;
    gsp_demote_desc const desc = demote_desc(in, &s);
    return gsp_demote_bound(&in->graph, &desc);
}

gsp_status entry_demote_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    setup s;
    gsp_demote_desc const desc = demote_desc(in, &s);
    return gsp_demote_run(arena, &in->graph, &desc, &out->demote, err);
}

void entry_demote_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_number(bytes, (uint32_t)out->demote.value);
    t_number(bytes, (uint32_t)out->demote.upper_bound);
    t_number(bytes, (uint32_t)out->demote.work);
    t_add(bytes, (const char *)out->demote.kind, in->graph.n_nodes);
}

/* Two inputs and one output per accelerator subgraph, and a few bytes. */
static gsp_limits_desc limits_desc(
    const entry_input *in, gsp_split_desc *split, gsp_limit limits[KINDS])
{
    gsp_limits_desc desc = {0};
    memset(split, 0, sizeof(*split));
    split->placement = &in->placement;
    for (uint32_t k = 0; k < KINDS; k++) {
        limits[k].bytes = 40u;
        limits[k].params = 20u;
        limits[k].inputs = 2u;
        limits[k].outputs = 1u;
    }
    desc.split = split;
    desc.limits = limits;
    return desc;
}

size_t entry_limits_bound(const entry_input *in)
{
    gsp_split_desc split;
    gsp_limit limits[KINDS];
    gsp_limits_desc const desc = limits_desc(in, &split, limits);
    return gsp_limits_bound(&in->graph, &desc);
}

gsp_status entry_limits_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_split_desc split;
    gsp_limit limits[KINDS];
    gsp_limits_desc const desc = limits_desc(in, &split, limits);
    return gsp_limits_run(arena, &in->graph, &desc, &out->limits, err);
}

void entry_limits_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    const gsp_limits_result *const r = &out->limits;
    t_number(bytes, r->n_acc);
    t_number(bytes, r->n_least);
    t_number(bytes, (uint32_t)r->bytes);
    t_number(bytes, (uint32_t)r->work);
    t_add(bytes, (const char *)r->placement.kind, in->graph.n_nodes);
    t_add(bytes, (const char *)r->placement.reason, in->graph.n_nodes);
    for (gsp_node v = 0; v < in->graph.n_nodes; v++) {
        t_number(bytes, gsp_node_is_callable(&in->graph, v) ? r->phase[v] : 0u);
    }
}

/* Four operators for the first accelerator. */
static gsp_operators_desc operators_desc(
    const entry_input *in, gsp_split_desc *split, uint32_t operator_of[ENTRY_NODES])
{
    gsp_operators_desc desc = {0};
    memset(split, 0, sizeof(*split));
    split->placement = &in->placement;
    for (gsp_node v = 0; v < in->graph.n_nodes; v++) {
        operator_of[v] = v % 4u;
    }
    desc.n_operators = 4u;
    desc.operator_of = operator_of;
    desc.split = split;
    desc.max_subgraphs = 3u;
    return desc;
}

size_t entry_operators_bound(const entry_input *in)
{
    gsp_split_desc split;
    uint32_t of[ENTRY_NODES];
    gsp_operators_desc const desc = operators_desc(in, &split, of);
    return gsp_operators_bound(&in->graph, &desc);
}

gsp_status entry_operators_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_split_desc split;
    uint32_t of[ENTRY_NODES];
    gsp_operators_desc const desc = operators_desc(in, &split, of);
    return gsp_operators_run(arena, &in->graph, &desc, &out->operators, err);
}

void entry_operators_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    const gsp_operators_result *const r = &out->operators;
    (void)in;
    t_add(bytes, (const char *)r->order, r->n * sizeof(uint32_t));
    t_add(bytes, (const char *)r->n_subgraphs, (r->n + 1u) * sizeof(uint32_t));
    t_add(bytes, (const char *)r->n_nodes, (r->n + 1u) * sizeof(uint32_t));
    t_add(
        bytes, (const char *)r->least, r->n_least == GSP_NONE ? 0u : r->n_least * sizeof(uint32_t));
    t_number(bytes, r->n_greedy);
    t_number(bytes, r->n_least);
    t_number(bytes, r->bound);
    t_number(bytes, (uint32_t)r->work);
}

size_t entry_operators_split_bound(const entry_input *in)
{
    gsp_split_desc split;
    uint32_t of[ENTRY_NODES];
    gsp_operators_desc const desc = operators_desc(in, &split, of);
    return gsp_operators_split_bound(&in->graph, &desc);
}

gsp_status entry_operators_split_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    static const uint32_t more[] = {1u, 3u};
    gsp_split_desc split;
    uint32_t of[ENTRY_NODES];
    gsp_operators_desc const desc = operators_desc(in, &split, of);
    return gsp_operators_split_run(arena, &in->graph, &desc, more, 2u, &out->split, err);
}

void entry_operators_split_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_number(bytes, out->split.n_subgraphs);
    t_add(bytes, (const char *)out->split.kind, in->graph.n_nodes);
    t_add(bytes, (const char *)out->split.reason, in->graph.n_nodes);
}
