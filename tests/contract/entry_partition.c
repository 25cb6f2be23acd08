/* The entry points of the partitioner in one shape. A graph without calls has no partitions: there
 * every one of them is its critical paths. */
#include "tests/contract/entry.h"

#define DEVICES 5u

typedef struct setup {
    gsp_partition_desc desc;
    gsp_device devices[DEVICES];
    uint32_t ids[3];
    gsp_part_devices parts[3];
    uint32_t part_of[ENTRY_NODES];
} setup;

static int has_calls(const entry_input *in)
{
    gsp_node v;
    for (v = 0; v < in->graph.n_nodes; v++) {
        if (gsp_node_is_callable(&in->graph, v)) {
            return 1;
        }
    }
    return 0;
}

/* Bytes that every partition of the graph stays below. */
static uint64_t everything(const entry_input *in)
{
    uint64_t sum = 1000u;
    gsp_node v;
    for (v = 0; v < in->graph.n_nodes; v++) {
        uint32_t n;
        const gsp_node *const inputs = gsp_node_inputs(&in->graph, v, &n);
        sum += gsp_node_bytes(&in->graph, v) + gsp_node_params(&in->graph, v);
        for (; n > 0u; n--) {
            sum += gsp_node_bytes(&in->graph, inputs[n - 1u]);
        }
    }
    return sum;
}

/* Three devices for everything, and small ones before them for the modes that take any. */
static void set_up(const entry_input *in, uint32_t mode, setup *s)
{
    uint64_t const all = everything(in);
    int const equal = mode == (uint32_t)GSP_PARTITION_SPARSE;
    uint32_t i;
    memset(s, 0, sizeof(*s));
    for (i = 0; i < DEVICES; i++) {
        s->devices[i].name = gsp_str_of("device");
        s->devices[i].id = 7u * (DEVICES - i);
        s->devices[i].bytes = equal || i > 1u ? all : all / (5u - 2u * i);
    }
    for (i = 0; i < in->graph.n_nodes; i++) {
        s->part_of[i] = 40u + 30u * (3u * i / in->graph.n_nodes);
    }
    for (i = 0; i < 3u; i++) {
        s->ids[i] = s->devices[i].id;
        s->parts[i].part = 40u + 30u * i;
        s->parts[i].n_ids = 1u;
        s->parts[i].ids = &s->ids[i];
    }
    s->desc.mode = mode;
    s->desc.devices = s->devices;
    s->desc.n_devices = DEVICES;
    s->desc.saturate = 1u;
    s->desc.has_rate = 1u;
    s->desc.transfer_rate = 3.0;
    s->desc.part_of = s->part_of;
    s->desc.part_devices = s->parts;
    s->desc.n_part_devices = 3u;
}

size_t entry_latency_bound(const entry_input *in)
{
    gsp_latency_desc desc = {0};
    desc.n_parts = 200u;
    return gsp_latency_bound(&in->graph, &desc);
}

gsp_status entry_latency_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    setup s;
    gsp_latency_desc desc = {0};
    set_up(in, (uint32_t)GSP_PARTITION_AOT, &s);
    desc.n_parts = 200u;
    desc.part_of = s.part_of;
    return gsp_latency_run(arena, &in->graph, &desc, &out->latency, err);
}

void entry_latency_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_add(bytes, (const char *)out->latency.latency, 200u * sizeof(gsp_latency));
    t_add(bytes, (const char *)out->latency.last, 200u * sizeof(gsp_node));
    for (gsp_node v = 0; v < in->graph.n_nodes; v++) {
        if (gsp_node_is_callable(&in->graph, v)) {
            t_add(bytes, (const char *)&out->latency.from[v], sizeof(gsp_node));
        }
    }
}

static gsp_score_desc score_desc(setup *s, uint32_t moves)
{
    gsp_score_desc desc = {0};
    for (gsp_node v = 0; v < ENTRY_NODES; v++) {
        s->part_of[v] = s->part_of[v] / 30u - 1u; /* 0, 1, 2; not all have a part */
    }
    desc.n_parts = 3u;
    desc.part_of = s->part_of;
    desc.moves = moves;
    return desc;
}

static size_t score_bound(const entry_input *in, uint32_t moves)
{
    setup s;
    set_up(in, (uint32_t)GSP_PARTITION_AOT, &s);
    gsp_score_desc const desc = score_desc(&s, moves);
    return gsp_score_bound(&in->graph, &desc);
}

static gsp_status score_run(
    const entry_input *in, uint32_t moves, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    setup s;
    set_up(in, (uint32_t)GSP_PARTITION_AOT, &s);
    gsp_score_desc const desc = score_desc(&s, moves);
    return gsp_score_run(arena, &in->graph, &desc, &out->score, err);
}

static void score_dump(
    const entry_input *in, const entry_output *out, uint32_t moves, t_string *bytes)
{
    const gsp_score_result *const r = &out->score;
    t_number(bytes, r->valid);
    t_number(bytes, r->cut_edges);
    t_number(bytes, r->cut_values);
    t_number(bytes, (uint32_t)r->cut_bytes);
    t_number(bytes, (uint32_t)r->resident);
    t_add(bytes, (const char *)&r->path, sizeof(r->path));
    t_add(bytes, (const char *)&r->serial, sizeof(r->serial));
    t_add(bytes, (const char *)r->order, 3u * sizeof(uint32_t));
    t_add(bytes, (const char *)r->load, 3u * sizeof(uint64_t));
    t_add(bytes, (const char *)r->part_of, in->graph.n_nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->readers, moves * 3u * in->graph.n_nodes * sizeof(uint32_t));
}

#define ENTRY_SCORE(name, moves) \
    size_t entry_##name##_bound(const entry_input *in) \
    { \
        return score_bound(in, moves); \
    } \
    gsp_status entry_##name##_run( \
        const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err) \
    { \
        return score_run(in, moves, arena, out, err); \
    } \
    void entry_##name##_dump(const entry_input *in, const entry_output *out, t_string *bytes) \
    { \
        score_dump(in, out, moves, bytes); \
    }
ENTRY_SCORE(score, 0u)
ENTRY_SCORE(score_moves, 1u)

/* As few parts as there are nodes. */
static gsp_kway_desc kway_desc(const entry_input *in, uint32_t bytes)
{
    gsp_kway_desc desc = {0};
    uint32_t n = 0u;
    for (gsp_node v = 0; v < in->graph.n_nodes; v++) {
        n += gsp_node_is_callable(&in->graph, v) ? 1u : 0u;
    }
    desc.n_parts = n < 3u ? 1u : 3u;
    desc.bytes = bytes;
    desc.attempts = 2u;
    desc.imbalance = 500000u;
    return desc;
}

#define ENTRY_KWAY(name, bytes) \
    size_t entry_##name##_bound(const entry_input *in) \
    { \
        gsp_kway_desc const desc = kway_desc(in, bytes); \
        return has_calls(in) ? gsp_kway_bound(&in->graph, &desc) : entry_latency_bound(in); \
    } \
    gsp_status entry_##name##_run( \
        const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err) \
    { \
        gsp_kway_desc const desc = kway_desc(in, bytes); \
        return has_calls(in) ? gsp_kway_run(arena, &in->graph, &desc, &out->kway, err) \
                             : entry_latency_run(in, arena, out, err); \
    } \
    void entry_##name##_dump(const entry_input *in, const entry_output *out, t_string *dump) \
    { \
        if (!has_calls(in)) { \
            entry_latency_dump(in, out, dump); \
            return; \
        } \
        t_number(dump, (uint32_t)out->kway.cut); \
        t_add(dump, (const char *)out->kway.part_of, in->graph.n_nodes * sizeof(uint32_t)); \
    }
ENTRY_KWAY(kway, 0u)
ENTRY_KWAY(kway_bytes, 1u)

static gsp_kway_floor_desc floor_desc(const entry_input *in)
{
    static const uint64_t capacity[3] = {5u, 4u, 3u};
    gsp_kway_desc const parts = kway_desc(in, 1u);
    gsp_kway_floor_desc desc = {0};
    desc.n_parts = parts.n_parts;
    desc.bytes = 1u;
    desc.capacity = capacity;
    return desc;
}

size_t entry_kway_floor_bound(const entry_input *in)
{
    gsp_kway_floor_desc const desc = floor_desc(in);
    return gsp_kway_floor_bound(&in->graph, &desc);
}

gsp_status entry_kway_floor_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_kway_floor_desc const desc = floor_desc(in);
    return gsp_kway_floor_run(arena, &in->graph, &desc, &out->floor, err);
}

void entry_kway_floor_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    t_number(bytes, (uint32_t)out->floor.floor);
    t_number(bytes, (uint32_t)out->floor.work);
}

static void dump_assignment(const entry_input *in, const entry_output *out, t_string *bytes)
{
    if (!has_calls(in)) {
        entry_latency_dump(in, out, bytes);
        return;
    }
    t_add(bytes, (const char *)out->assignment.part_of, in->graph.n_nodes * sizeof(uint32_t));
    t_add(
        bytes, (const char *)out->assignment.device_of, out->assignment.n_parts * sizeof(uint32_t));
}

static void dump_partition(const entry_input *in, const entry_output *out, t_string *bytes)
{
    const gsp_partition_result *const r = &out->partition;
    if (!has_calls(in)) {
        entry_latency_dump(in, out, bytes);
        return;
    }
    t_add(bytes, (const char *)r->part_of, in->graph.n_nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->bytes, r->n_parts * sizeof(uint64_t));
    t_add(bytes, (const char *)r->device_bytes, DEVICES * sizeof(uint64_t));
    t_add(bytes, (const char *)r->finish, r->n_parts * sizeof(double));
    t_add(bytes, (const char *)r->parents, r->parent_begin[r->n_parts] * sizeof(uint32_t));
    t_add(bytes, (const char *)r->dag_out, r->dag_out_begin[r->n_parts] * sizeof(gsp_node));
    t_add(bytes, (const char *)r->parts->module.block, r->parts->module.block_size);
}

#define ENTRY_MODE(name, kind) \
    size_t entry_##name##_bound(const entry_input *in) \
    { \
        setup s; \
        set_up(in, (uint32_t)(kind), &s); \
        return has_calls(in) ? gsp_assign_bound(&in->graph, &s.desc) : entry_latency_bound(in); \
    } \
    gsp_status entry_##name##_run( \
        const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err) \
    { \
        setup s; \
        set_up(in, (uint32_t)(kind), &s); \
        return has_calls(in) ? gsp_assign_run(arena, &in->graph, &s.desc, &out->assignment, err) \
                             : entry_latency_run(in, arena, out, err); \
    } \
    void entry_##name##_dump(const entry_input *in, const entry_output *out, t_string *bytes) \
    { \
        dump_assignment(in, out, bytes); \
    }
ENTRY_MODE(assign_size, GSP_PARTITION_SIZE)
ENTRY_MODE(assign_sparse, GSP_PARTITION_SPARSE)
ENTRY_MODE(assign_cost, GSP_PARTITION_COST)
ENTRY_MODE(assign_kl, GSP_PARTITION_KL)

static gsp_heft_desc heft_desc(const setup *s, uint32_t any)
{
    gsp_heft_desc desc = {0};
    desc.n_devices = DEVICES;
    desc.devices = s->devices;
    desc.has_rate = s->desc.has_rate;
    desc.transfer_rate = s->desc.transfer_rate;
    desc.any = any;
    desc.max_work = 50000u;
    desc.max_states = 16u + any;
    return desc;
}

static void dump_heft(const entry_input *in, const entry_output *out, t_string *bytes)
{
    const gsp_heft_result *const r = &out->heft;
    if (!has_calls(in)) {
        entry_latency_dump(in, out, bytes);
        return;
    }
    t_number(bytes, r->found);
    t_add(bytes, (const char *)r->part_of, in->graph.n_nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->device_of, r->n_parts * sizeof(uint32_t));
    t_add(bytes, (const char *)&r->seconds, sizeof(r->seconds));
    if (r->finish != NULL) {
        t_add(bytes, (const char *)r->finish, r->n_parts * sizeof(double));
        t_add(bytes, (const char *)r->waits, r->n_parts * sizeof(uint32_t));
    }
}

#define ENTRY_HEFT(name, any) \
    size_t entry_##name##_bound(const entry_input *in) \
    { \
        setup s; \
        set_up(in, 0u, &s); \
        gsp_heft_desc const desc = heft_desc(&s, any); \
        return has_calls(in) ? gsp_heft_bound(&in->graph, &desc) : entry_latency_bound(in); \
    } \
    gsp_status entry_##name##_run( \
        const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err) \
    { \
        setup s; \
        set_up(in, 0u, &s); \
        gsp_heft_desc const desc = heft_desc(&s, any); \
        return has_calls(in) ? gsp_heft_run(arena, &in->graph, &desc, &out->heft, err) \
                             : entry_latency_run(in, arena, out, err); \
    } \
    void entry_##name##_dump(const entry_input *in, const entry_output *out, t_string *bytes) \
    { \
        dump_heft(in, out, bytes); \
    }
ENTRY_HEFT(heft, 0u)
ENTRY_HEFT(heft_any, 1u)

#define ENTRY_WHOLE(name, kind) \
    size_t entry_##name##_bound(const entry_input *in) \
    { \
        setup s; \
        set_up(in, (uint32_t)(kind), &s); \
        return has_calls(in) ? gsp_partition_bound(&in->graph, &s.desc) : entry_latency_bound(in); \
    } \
    gsp_status entry_##name##_run( \
        const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err) \
    { \
        setup s; \
        set_up(in, (uint32_t)(kind), &s); \
        return has_calls(in) ? gsp_partition_run(arena, &in->graph, &s.desc, &out->partition, err) \
                             : entry_latency_run(in, arena, out, err); \
    } \
    void entry_##name##_dump(const entry_input *in, const entry_output *out, t_string *bytes) \
    { \
        dump_partition(in, out, bytes); \
    }
ENTRY_WHOLE(partition, GSP_PARTITION_AOT)
ENTRY_WHOLE(partition_kl, GSP_PARTITION_KL)
