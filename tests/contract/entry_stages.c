/* The entry points about stages and schedules in one shape. */
#include "tests/contract/entry.h"

/* Costs that differ from node to node, whatever the case says. */
typedef struct made_costs {
    uint64_t time[ENTRY_NODES];
    uint64_t move[ENTRY_NODES];
    uint32_t item_begin[ENTRY_NODES + 1u];
    uint32_t items[ENTRY_NODES];
    uint64_t item_bytes[5];
    uint32_t stage_of[ENTRY_NODES];
    gsp_costs costs;
} made_costs;

static void make_costs(const entry_input *in, made_costs *m)
{
    gsp_node v;
    for (v = 0; v < in->graph.n_nodes; v++) {
        m->time[v] = 1u + v * 7u % 13u;
        m->move[v] = v * 5u % 7u;
        m->item_begin[v] = v;
        m->items[v] = v % 5u;
        m->stage_of[v] = gsp_node_is_callable(&in->graph, v) ? v / 4u : GSP_NONE;
    }
    for (v = 0; v < 5u; v++) {
        m->item_bytes[v] = 100u * v;
    }
    m->item_begin[in->graph.n_nodes] = in->graph.n_nodes;
    m->costs.n_nodes = in->graph.n_nodes;
    m->costs.n_items = in->graph.n_nodes < 5u ? in->graph.n_nodes : 5u;
    m->costs.time = m->time;
    m->costs.move = m->move;
    m->costs.stash = m->time;
    m->costs.item_begin = m->item_begin;
    m->costs.items = m->items;
    m->costs.item_bytes = m->item_bytes;
}

/* ---- stages ---- */

static gsp_stages_even_desc stages_even_desc(uint32_t policy)
{
    gsp_stages_even_desc d;
    memset(&d, 0, sizeof(d));
    d.policy = policy;
    d.n_stages = 3u;
    return d;
}

size_t entry_stages_even_bound(const entry_input *in)
{
    gsp_stages_even_desc const d = stages_even_desc((uint32_t)GSP_STAGES_EVEN_PARAMS);
    return gsp_stages_even_bound(&in->graph, &d);
}

gsp_status entry_stages_even_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_stages_even_desc const d = stages_even_desc((uint32_t)GSP_STAGES_EVEN_PARAMS);
    return gsp_stages_even_run(arena, &in->graph, &d, &out->stages_even, err);
}

void entry_stages_even_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_stages_even_result const *const r = &out->stages_even;
    t_add(bytes, (const char *)r->stage_of, in->graph.n_nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->weight, r->n_stages * sizeof(uint64_t));
}

size_t entry_stages_even_threshold_bound(const entry_input *in)
{
    gsp_stages_even_desc const d = stages_even_desc((uint32_t)GSP_STAGES_EVEN_THRESHOLD);
    return gsp_stages_even_bound(&in->graph, &d);
}

gsp_status entry_stages_even_threshold_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_stages_even_desc const d = stages_even_desc((uint32_t)GSP_STAGES_EVEN_THRESHOLD);
    return gsp_stages_even_run(arena, &in->graph, &d, &out->stages_even, err);
}

void entry_stages_even_threshold_dump(
    const entry_input *in, const entry_output *out, t_string *bytes)
{
    entry_stages_even_dump(in, out, bytes);
}

/* ---- costs, stage costs, topological orders ---- */

size_t entry_costs_bound(const entry_input *in)
{
    return gsp_costs_bound(&in->graph);
}

gsp_status entry_costs_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_costs_run(arena, &in->graph, NULL, &out->costs, err);
}

void entry_costs_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    size_t const n = in->graph.n_nodes;
    gsp_costs const *const c = &out->costs;
    t_add(bytes, (const char *)c->time, n * sizeof(uint64_t));
    t_add(bytes, (const char *)c->move, n * sizeof(uint64_t));
    t_add(bytes, (const char *)c->item_begin, (n + 1u) * sizeof(uint32_t));
    t_add(bytes, (const char *)c->items, c->item_begin[n] * sizeof(uint32_t));
    t_add(bytes, (const char *)c->item_bytes, c->n_items * sizeof(uint64_t));
}

static gsp_stage_costs_desc stage_costs_desc(const made_costs *m)
{
    gsp_stage_costs_desc d;
    memset(&d, 0, sizeof(d));
    d.n_stages = ENTRY_NODES / 4u;
    d.stage_of = m->stage_of;
    d.model.costs = &m->costs;
    d.model.carried = 1u;
    d.model.microbatches = 3u;
    return d;
}

size_t entry_stage_costs_bound(const entry_input *in)
{
    made_costs m;
    gsp_stage_costs_desc d;
    make_costs(in, &m);
    d = stage_costs_desc(&m);
    return gsp_stage_costs_bound(&in->graph, &d);
}

gsp_status entry_stage_costs_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    made_costs m;
    gsp_stage_costs_desc d;
    make_costs(in, &m);
    d = stage_costs_desc(&m);
    return gsp_stage_costs_run(arena, &in->graph, &d, &out->stage_costs, err);
}

void entry_stage_costs_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    t_add(bytes, (const char *)out->stage_costs.stages,
        out->stage_costs.n_stages * sizeof(gsp_stage_cost));
}

size_t entry_topo_order_bound(const entry_input *in)
{
    return gsp_topo_order_bound(&in->graph, NULL);
}

gsp_status entry_topo_order_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_topo_order_desc d;
    memset(&d, 0, sizeof(d));
    d.kind = GSP_TOPO_ORDER_DEPTH;
    d.seed = 5u;
    return gsp_topo_order_run(arena, &in->graph, &d, &out->topo_order, err);
}

void entry_topo_order_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_add(bytes, (const char *)out->topo_order.order, in->graph.n_nodes * sizeof(gsp_node));
}

/* ---- balance ---- */

static gsp_stages_optimal_desc stages_optimal_desc(const made_costs *m, uint32_t n_orders)
{
    gsp_stages_optimal_desc d;
    memset(&d, 0, sizeof(d));
    d.n_devices = 4u;
    d.n_orders = n_orders;
    d.keep_groups = n_orders == 1u;
    d.model.costs = &m->costs;
    d.model.microbatches = 2u;
    return d;
}

size_t entry_stages_optimal_bound(const entry_input *in)
{
    made_costs m;
    gsp_stages_optimal_desc d;
    make_costs(in, &m);
    d = stages_optimal_desc(&m, 1u);
    return gsp_stages_optimal_bound(&in->graph, &d);
}

gsp_status entry_stages_optimal_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    made_costs m;
    gsp_stages_optimal_desc d;
    make_costs(in, &m);
    d = stages_optimal_desc(&m, 1u);
    return gsp_stages_optimal_run(arena, &in->graph, &d, &out->stages_optimal, err);
}

void entry_stages_optimal_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_add(bytes, (const char *)out->stages_optimal.stage_of, in->graph.n_nodes * sizeof(uint32_t));
    t_number(bytes, (uint32_t)out->stages_optimal.objective);
    t_number(bytes, out->stages_optimal.order);
}

size_t entry_stages_optimal_orders_bound(const entry_input *in)
{
    made_costs m;
    gsp_stages_optimal_desc d;
    make_costs(in, &m);
    d = stages_optimal_desc(&m, GSP_STAGES_OPTIMAL_ORDERS);
    return gsp_stages_optimal_bound(&in->graph, &d);
}

gsp_status entry_stages_optimal_orders_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    made_costs m;
    gsp_stages_optimal_desc d;
    make_costs(in, &m);
    d = stages_optimal_desc(&m, GSP_STAGES_OPTIMAL_ORDERS);
    return gsp_stages_optimal_run(arena, &in->graph, &d, &out->stages_optimal, err);
}

void entry_stages_optimal_orders_dump(
    const entry_input *in, const entry_output *out, t_string *bytes)
{
    entry_stages_optimal_dump(in, out, bytes);
}

/* ---- downsets ---- */

static gsp_downsets_weight const downsets_own[] = {{3, 5, 0, 7, 1, 1, 0, 0},
    {4, 4, 0, 2, 0, 2, 0, 0}, {7, 9, 0, 1, 0, 3, 0, 1}, {4, 2, 0, 5, 2, 1, 1, 0},
    {2, 8, 0, 3, 0, 1, 0, 0}};
static gsp_downsets_weight const downsets_shared[] = {
    {0, 0, 2, 0, 0, 4, 0, 0}, {0, 0, 1, 6, 3, 0, 0, 0}, {0, 0, 3, 0, 0, 2, 0, 0}};
static uint32_t const downsets_start[] = {0, 0, 1, 1, 1};

/* Two branches that join, on every graph. */
static gsp_downsets_units downsets_units(void)
{
    static uint32_t const after_begin[] = {0, 2, 3, 4, 5, 5};
    static uint32_t const after[] = {1, 2, 3, 4, 4};
    static uint32_t const value_begin[] = {0, 1, 3, 4, 5, 7};
    static uint32_t const values[] = {0, 0, 1, 0, 1, 1, 2};
    gsp_downsets_units const u = {
        5, 3, {after_begin, after}, {value_begin, values}, downsets_own, downsets_shared};
    return u;
}

static gsp_downsets_desc downsets_desc(int starts)
{
    gsp_downsets_desc d;
    memset(&d, 0, sizeof(d));
    d.n_devices = 3u;
    d.n_cores = starts ? 0u : 1u;
    d.replicas = 1u;
    d.microbatches = 4u;
    d.start = starts ? downsets_start : NULL;
    d.n_start = starts ? 2u : 0u;
    d.start_objective = 100u;
    d.max_sets = starts ? 7u : 20u;
    return d;
}

size_t entry_downsets_bound(const entry_input *in)
{
    gsp_downsets_units const u = downsets_units();
    gsp_downsets_desc const d = downsets_desc(0);
    (void)in;
    return gsp_downsets_bound(&u, &d);
}

gsp_status entry_downsets_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_downsets_units const u = downsets_units();
    gsp_downsets_desc const d = downsets_desc(0);
    (void)in;
    return gsp_downsets_run(arena, &u, &d, &out->downsets, err);
}

void entry_downsets_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_downsets_result const *const r = &out->downsets;
    (void)in;
    t_add(bytes, (const char *)r->stage_of, T_COUNT_OF(downsets_own) * sizeof(uint32_t));
    t_add(bytes, (const char *)r->n_devices, r->n_stages * sizeof(uint32_t));
    t_number(bytes, r->n_sets);
    t_number(bytes, r->complete);
    t_number(bytes, (uint32_t)r->objective);
    t_number(bytes, (uint32_t)r->lower_bound);
    t_number(bytes, (uint32_t)r->work);
}

size_t entry_downsets_start_bound(const entry_input *in)
{
    gsp_downsets_units const u = downsets_units();
    gsp_downsets_desc const d = downsets_desc(1);
    (void)in;
    return gsp_downsets_bound(&u, &d);
}

gsp_status entry_downsets_start_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_downsets_units const u = downsets_units();
    gsp_downsets_desc const d = downsets_desc(1);
    (void)in;
    return gsp_downsets_run(arena, &u, &d, &out->downsets, err);
}

void entry_downsets_start_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    entry_downsets_dump(in, out, bytes);
}

/* ---- units of a graph ---- */

/* Weights, items, moves and flags that differ from node to node. */
typedef struct made_units {
    gsp_downsets_weight nodes[ENTRY_NODES];
    gsp_downsets_weight outputs[ENTRY_NODES];
    gsp_downsets_weight items[5];
    uint32_t begin[ENTRY_NODES + 1u];
    uint32_t reads[ENTRY_NODES];
    uint32_t move_begin[ENTRY_NODES + 1u];
    uint64_t moves[ENTRY_NODES * ENTRY_NODES];
    uint32_t group[ENTRY_NODES];
    uint8_t skip[ENTRY_NODES];
    uint8_t backward[ENTRY_NODES];
    gsp_downsets_graph_desc d;
} made_units;

static const gsp_downsets_graph_desc *downsets_graph_desc(const entry_input *in, made_units *m)
{
    uint32_t const n = in->graph.n_nodes;
    memset(m, 0, sizeof(*m));
    for (gsp_node v = 0; v < n; v++) {
        uint32_t n_users;
        (void)gsp_node_users(&in->graph, v, &n_users);
        m->nodes[v].time = v % 3u;
        m->outputs[v].move = v * 5u % 7u;
        m->begin[v + 1u] = v + 1u;
        m->reads[v] = v % 5u;
        m->move_begin[v + 1u] = m->move_begin[v] + (v % 4u == 1u ? n_users : 0u);
        m->group[v] = v % 9u == 2u && v != 0u ? v / 18u : GSP_NONE;
        m->skip[v] = v % 13u == 5u;
        m->backward[v] = v % 17u == 16u;
    }
    for (uint32_t i = 0; i < T_COUNT_OF(m->moves); i++) {
        m->moves[i] = i % 11u;
    }
    for (uint32_t i = 0; i < 5u; i++) {
        m->items[i].bytes = 100u * i;
    }
    m->d.n_items = 5u;
    m->d.nodes = m->nodes;
    m->d.outputs = m->outputs;
    m->d.items = m->items;
    m->d.reads.begin = m->begin;
    m->d.reads.at = m->reads;
    m->d.move_begin = m->move_begin;
    m->d.moves = m->moves;
    m->d.group = m->group;
    m->d.skip = m->skip;
    m->d.backward = m->backward;
    return &m->d;
}

size_t entry_downsets_graph_bound(const entry_input *in)
{
    static made_units m;
    return gsp_downsets_graph_bound(&in->graph, downsets_graph_desc(in, &m));
}

gsp_status entry_downsets_graph_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    static made_units m;
    return gsp_downsets_graph_run(
        arena, &in->graph, downsets_graph_desc(in, &m), &out->downsets_graph, err);
}

void entry_downsets_graph_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_downsets_graph_result const *const r = &out->downsets_graph;
    gsp_downsets_units const *const u = &r->units;
    t_add(bytes, (const char *)r->unit_of, in->graph.n_nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->backward, in->graph.n_nodes);
    t_add(bytes, (const char *)u->after.begin, (u->n + 1u) * sizeof(uint32_t));
    t_add(bytes, (const char *)u->after.at, u->after.begin[u->n] * sizeof(uint32_t));
    t_add(bytes, (const char *)u->values.begin, (u->n + 1u) * sizeof(uint32_t));
    t_add(bytes, (const char *)u->values.at, u->values.begin[u->n] * sizeof(uint32_t));
    for (uint32_t i = 0; i < u->n + u->n_values; i++) {
        gsp_downsets_weight const *const w = i < u->n ? &u->own[i] : &u->shared[i - u->n];
        t_number(bytes, (uint32_t)w->time);
        t_number(bytes, (uint32_t)w->move);
        t_number(bytes, (uint32_t)w->bytes);
    }
}

/* ---- unequal devices ---- */

static const gsp_stages_device unequal_devices[] = {
    {(uint64_t)1 << 50u, 2.0, 0u}, {(uint64_t)1 << 50u, 1.0, 1u}, {(uint64_t)1 << 51u, 1.0, 2u}};
static const double unequal_links[] = {1e9, 2e9, 3e9, 2e9, 1e9, 4e9, 3e9, 4e9, 1e9};

static gsp_stages_unequal_desc stages_unequal_desc(const made_costs *m, uint32_t any_order)
{
    gsp_stages_unequal_desc d;
    memset(&d, 0, sizeof(d));
    d.devices = unequal_devices;
    d.n_devices = T_COUNT_OF(unequal_devices);
    d.links = any_order ? unequal_links : NULL;
    d.n_links = T_COUNT_OF(unequal_devices);
    d.any_order = any_order;
    d.goal = any_order ? GSP_STAGES_UNEQUAL_LATENCY : GSP_STAGES_UNEQUAL_THROUGHPUT;
    d.keep_groups = !any_order;
    d.microbatches = any_order ? 0u : 2u;
    d.costs = &m->costs;
    return d;
}

size_t entry_stages_unequal_bound(const entry_input *in)
{
    made_costs m;
    gsp_stages_unequal_desc d;
    make_costs(in, &m);
    d = stages_unequal_desc(&m, 0u);
    return gsp_stages_unequal_bound(&in->graph, &d);
}

gsp_status entry_stages_unequal_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    made_costs m;
    gsp_stages_unequal_desc d;
    make_costs(in, &m);
    d = stages_unequal_desc(&m, 0u);
    return gsp_stages_unequal_run(arena, &in->graph, &d, &out->stages_unequal, err);
}

void entry_stages_unequal_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_stages_unequal_result const *const r = &out->stages_unequal;
    uint32_t i;
    t_add(bytes, (const char *)r->stage_of, in->graph.n_nodes * sizeof(uint32_t));
    t_number(bytes, (uint32_t)r->objective);
    for (i = 0; i < r->n_stages; i++) {
        t_number(bytes, r->devices[r->stages[i].first]);
        t_number(bytes, (uint32_t)r->stages[i].memory);
    }
}

size_t entry_stages_unequal_any_bound(const entry_input *in)
{
    made_costs m;
    gsp_stages_unequal_desc d;
    make_costs(in, &m);
    d = stages_unequal_desc(&m, 1u);
    return gsp_stages_unequal_bound(&in->graph, &d);
}

gsp_status entry_stages_unequal_any_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    made_costs m;
    gsp_stages_unequal_desc d;
    make_costs(in, &m);
    d = stages_unequal_desc(&m, 1u);
    return gsp_stages_unequal_run(arena, &in->graph, &d, &out->stages_unequal, err);
}

void entry_stages_unequal_any_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    entry_stages_unequal_dump(in, out, bytes);
}

/* ---- schedules ---- */

static gsp_schedule_desc schedule_desc(const entry_input *in)
{
    gsp_schedule_desc d;
    memset(&d, 0, sizeof(d));
    d.kind = GSP_SCHEDULE_INTERLEAVED;
    d.n_devices = 1u + in->graph.n_nodes % 5u;
    d.n_microbatches = 1u + in->graph.n_nodes % 7u;
    return d;
}

size_t entry_schedule_bound(const entry_input *in)
{
    gsp_schedule_desc const d = schedule_desc(in);
    return gsp_schedule_bound(&d);
}

gsp_status entry_schedule_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_schedule_desc const d = schedule_desc(in);
    return gsp_schedule_run(arena, &d, &out->schedule, err);
}

void entry_schedule_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_schedule_result const *const r = &out->schedule;
    (void)in;
    t_add(bytes, (const char *)r->tasks, r->n_tasks * sizeof(gsp_task));
    t_add(bytes, (const char *)r->task_begin, (r->n_devices + 1u) * sizeof(uint32_t));
    t_add(bytes, (const char *)r->busy, r->n_devices * sizeof(uint64_t));
    t_add(bytes, (const char *)r->peak, r->n_devices * sizeof(uint64_t));
    t_add(bytes, (const char *)r->held, r->n_stages * sizeof(uint32_t));
}

static gsp_schedule_desc actions_desc(const entry_input *in, uint32_t kind)
{
    gsp_schedule_desc d = schedule_desc(in);
    d.kind = kind;
    d.max_work = 2000u;
    return d;
}

static void actions_dump(const entry_output *out, t_string *bytes)
{
    gsp_schedule_desc const *const r = &out->actions;
    t_add(bytes, (const char *)r->actions, r->action_begin[r->n_devices] * sizeof(gsp_action));
    t_add(bytes, (const char *)r->action_begin, (r->n_devices + 1u) * sizeof(uint32_t));
    t_add(bytes, (const char *)r->device_of, r->n_stages * sizeof(uint32_t));
}

size_t entry_actions_bound(const entry_input *in)
{
    gsp_schedule_desc const d = actions_desc(in, GSP_SCHEDULE_ZBV);
    return gsp_actions_bound(&d);
}

gsp_status entry_actions_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_schedule_desc const d = actions_desc(in, GSP_SCHEDULE_ZBV);
    return gsp_actions_run(arena, &d, &out->actions, err);
}

void entry_actions_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    actions_dump(out, bytes);
}

size_t entry_actions_pattern_bound(const entry_input *in)
{
    gsp_schedule_desc const d = actions_desc(in, GSP_SCHEDULE_V_HALF);
    return gsp_actions_bound(&d);
}

gsp_status entry_actions_pattern_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_schedule_desc const d = actions_desc(in, GSP_SCHEDULE_V_HALF);
    return gsp_actions_run(arena, &d, &out->actions, err);
}

void entry_actions_pattern_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    actions_dump(out, bytes);
}

size_t entry_actions_zb_bound(const entry_input *in)
{
    gsp_schedule_desc const d = actions_desc(in, GSP_SCHEDULE_INTERLEAVED_ZB);
    return gsp_actions_bound(&d);
}

gsp_status entry_actions_zb_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_schedule_desc const d = actions_desc(in, GSP_SCHEDULE_INTERLEAVED_ZB);
    return gsp_actions_run(arena, &d, &out->actions, err);
}

void entry_actions_zb_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    actions_dump(out, bytes);
}
