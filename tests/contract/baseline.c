/* What passes answer, and what they need, beside two tables: a heuristic that answers otherwise or
 * worse is a difference in the first one, a bound that grows or shrinks one in the second. A line
 * of a table is `case,field,value`. Where a difference is intended:
 *
 *     build/tests --baseline > tests/contract/baseline.csv
 *     build/tests --bounds > tests/contract/bounds.csv */
#include "tests/contract/entry.h"
#include "tests/oracle/partition.h"

#include <inttypes.h>

#define CASES 4u
#define CALLS 300u

static uint32_t hash_bytes(uint32_t hash, const void *data, size_t size)
{
    const unsigned char *const p = (const unsigned char *)data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ p[i]) * 16777619u;
    }
    return hash;
}

void baseline_add(baseline *t, const char *field, const char *value)
{
    t_puts(&t->lines, t->name);
    t_puts(&t->lines, ",");
    t_puts(&t->lines, field);
    t_puts(&t->lines, ",");
    t_puts(&t->lines, value);
    t_puts(&t->lines, "\n");
}

static void add_hash(baseline *t, const char *field, uint32_t hash)
{
    char text[16];
    snprintf(text, sizeof(text), "%08" PRIx32, hash);
    baseline_add(t, field, text);
}

static void add_figure(baseline *t, const char *field, uint64_t figure)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, figure);
    baseline_add(t, field, text);
}

/* Numbers have the same hash on every machine. */
static void add_list(baseline *t, const char *field, const uint32_t *list, uint32_t n)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < n; i++) {
        unsigned char const bytes[4] = {(unsigned char)list[i], (unsigned char)(list[i] >> 8u),
            (unsigned char)(list[i] >> 16u), (unsigned char)(list[i] >> 24u)};
        hash = hash_bytes(hash, bytes, sizeof(bytes));
    }
    add_hash(t, field, hash);
}

/* ---- Every entry point: bounds, and the bytes of answers ---- */

/* Bounds follow the width of pointers, bytes the order of bytes, too: the table holds those of
 * little-endian machines of 64 bits. */
static int has_bounds(void)
{
    uint32_t const one = 1;
    return sizeof(void *) == 8u && *(const unsigned char *)&one == 1u;
}

typedef struct tables {
    baseline results;
    baseline bounds;
} tables;

static void add_entry(tables *t, const entry *e, entry_input *in)
{
    t_string dump = {NULL, 0u, 0u};
    snprintf(t->results.name, sizeof(t->results.name), "entry %s", e->name);
    snprintf(t->bounds.name, sizeof(t->bounds.name), "entry %s", e->name);
    for (uint32_t i = 0; i < CASES; i++) {
        gsp_arena arena;
        entry_output out;
        size_t const bound = e->bound(&in[i]);
        char field[16];
        snprintf(field, sizeof(field), "graph %u", (unsigned)i);
        add_figure(&t->bounds, field, bound);
        t_arena_open(&arena, bound);
        entry_prepare(&in[i], &out);
        dump.size = 0;
        if (T_EQUAL(e->run(&in[i], &arena, &out, NULL), GSP_OK)) {
            e->dump(&in[i], &out, &dump);
        }
        add_hash(&t->results, field, hash_bytes(2166136261u, dump.data, dump.size));
        t_arena_close(&arena);
    }
    t_free(&dump);
}

static void add_entries(tables *t)
{
    static entry_input in[CASES];
    t_rng rng = {19u};
    for (uint32_t i = 0; i < CASES; i++) {
        entry_open(&in[i], &rng, 20u * i + 3u);
    }
    for (uint32_t i = 0; i < entry_count; i++) {
        add_entry(t, &entry_points[i], in);
    }
    for (uint32_t i = 0; i < CASES; i++) {
        entry_close(&in[i]);
    }
}

/* ---- Heuristics, on a graph that is too large for the best answer ---- */

typedef struct subject {
    gsp_arena text;
    gsp_arena arena; /* emptied for every pass */
    gsp_module module;
    gsp_graph graph;
    uint64_t weight[CALLS + 2u];
    double seconds[CALLS + 2u];
    gsp_cut_arc arcs[3u * CALLS];
    uint32_t n_arcs;
    uint32_t calls;
    baseline *t;
} subject;

/* Calls with up to three inputs among the calls not far before, and sizes that differ; so many per
 * cent are in a group. */
static void write_graph(t_string *s, uint32_t calls, uint32_t grouped)
{
    t_rng rng = {calls};
    t_puts(s, "graph():\n    %n0 : [num_users=0] = placeholder[target=n0]  # f32[64]\n");
    for (uint32_t v = 1; v <= calls; v++) {
        uint32_t const most = t_below(&rng, 3u);
        t_puts(s, "    %n");
        t_number(s, v);
        t_puts(s, " : [num_users=0] = call_function[target=f](args = (");
        for (uint32_t i = 0; i <= most; i++) {
            uint32_t const far = t_below(&rng, v < 12u ? v : 12u);
            t_puts(s, "%n");
            t_number(s, v - 1u - far);
            t_puts(s, ", ");
        }
        t_puts(s, "), kwargs = {})  # f32[");
        t_number(s, 1u + t_below(&rng, 1000u));
        t_puts(s, "]");
        if (grouped != 0u && t_chance(&rng, grouped)) {
            t_puts(s, " group=g");
            t_number(s, v / 4u);
        }
        t_puts(s, "\n");
    }
    t_puts(s, "    return n");
    t_number(s, calls);
    t_puts(s, "\n");
}

static void subject_open(subject *s, uint32_t calls)
{
    t_string text = {NULL, 0u, 0u};
    t_rng rng = {calls + 1u};
    memset(s, 0, sizeof(*s));
    s->calls = calls;
    write_graph(&text, calls, 0u);
    t_must_read(&s->text, text.data, &s->module);
    t_free(&text);
    s->graph = gsp_module_graph(&s->module, 0u);
    t_arena_open(&s->arena, 1u << 20);
    for (gsp_node v = 0; v < s->graph.n_nodes; v++) {
        uint32_t n;
        const gsp_node *const inputs = gsp_node_inputs(&s->graph, v, &n);
        s->weight[v] = 1u + t_below(&rng, 20u);
        s->seconds[v] = (double)s->weight[v];
        for (uint32_t i = 0; i < n; i++) {
            gsp_cut_arc const arc = {1u + t_below(&rng, 30u), t_below(&rng, 3u), inputs[i], v};
            s->arcs[s->n_arcs++] = arc;
        }
    }
}

static gsp_arena *emptied(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return &s->arena;
}

static void name_case(subject *s, const char *what, uint64_t option)
{
    snprintf(s->t->name, sizeof(s->t->name), "%s=%" PRIu64 " calls=%u", what, option,
        (unsigned)s->calls);
}

static void add_kway(subject *s, uint32_t parts, uint32_t bytes)
{
    gsp_kway_desc desc = {0};
    gsp_kway_result r;
    desc.n_parts = parts;
    desc.bytes = bytes;
    desc.attempts = 2u;
    desc.imbalance = 200000u;
    desc.weight = bytes ? s->weight : NULL;
    if (T_EQUAL(gsp_kway_run(emptied(s), &s->graph, &desc, &r, NULL), GSP_OK)) {
        name_case(s, bytes ? "kway bytes parts" : "kway parts", parts);
        add_figure(s->t, "cut", r.cut);
        add_list(s->t, "part_of", r.part_of, s->graph.n_nodes);
    }
}

static void add_assign(subject *s, uint32_t mode, uint64_t bytes, uint64_t max_work)
{
    gsp_partition_desc desc = {0};
    gsp_device devices[4];
    gsp_assignment r;
    memset(devices, 0, sizeof(devices));
    for (uint32_t i = 0; i < T_COUNT_OF(devices); i++) {
        devices[i].id = i;
        devices[i].bytes = bytes;
    }
    desc.mode = mode;
    desc.devices = devices;
    desc.n_devices = T_COUNT_OF(devices);
    desc.compute = s->seconds;
    desc.has_rate = 1u;
    desc.transfer_rate = 512.0;
    desc.max_work = max_work;
    if (T_EQUAL(gsp_assign_run(emptied(s), &s->graph, &desc, &r, NULL), GSP_OK)) {
        name_case(s, "assign mode", mode);
        add_figure(s->t, "n_parts", r.n_parts);
        add_figure(s->t, "n_steps", r.n_steps);
        add_figure(s->t, "work", r.work);
        add_list(s->t, "part_of", r.part_of, s->graph.n_nodes);
    }
}

static void add_memory(subject *s)
{
    gsp_memory_plan_result plan;
    gsp_memory_pack_desc desc = {0};
    gsp_memory_pack_result r;
    desc.max_work = 100000u;
    if (T_EQUAL(gsp_memory_plan_run(emptied(s), &s->graph, NULL, &plan, NULL), GSP_OK) &&
        T_EQUAL(gsp_memory_pack_run(&s->arena, plan.tensors, plan.n_tensors, &desc, &r, NULL),
            GSP_OK)) {
        name_case(s, "memory_plan nodes", s->graph.n_nodes);
        add_figure(s->t, "peak", plan.peak);
        add_figure(s->t, "arena", plan.arena);
        add_figure(s->t, "work", plan.work);
        name_case(s, "memory_pack max_work", desc.max_work);
        add_figure(s->t, "bytes", r.bytes);
        add_figure(s->t, "lower_bound", r.lower_bound);
        add_figure(s->t, "work", r.work);
    }
}

static int cut_budget(subject *s, uint64_t budget, uint64_t max_work, gsp_split_by_memory_result *r)
{
    gsp_split_by_memory_desc desc = {0};
    desc.budget = budget;
    desc.max_work = max_work;
    return T_EQUAL(gsp_split_by_memory_run(emptied(s), &s->graph, &desc, r, NULL), GSP_OK) &&
           T_CHECK(r->boundary <= r->greedy_boundary);
}

/* The least work that proves the boundary. */
static uint64_t budget_work(subject *s, uint64_t budget)
{
    gsp_split_by_memory_result r;
    uint64_t bad = 0;
    uint64_t good = (uint64_t)1u << 24;
    while (good - bad > 1u && !t_failed()) {
        uint64_t const middle = bad + (good - bad) / 2u;
        if (cut_budget(s, budget, middle, &r) && r.proved) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    return good;
}

static void add_budget(subject *s, uint64_t budget)
{
    for (uint64_t max_work = 0; max_work < 2u; max_work++) {
        gsp_split_by_memory_result r;
        if (cut_budget(s, budget, max_work, &r)) {
            name_case(s,
                max_work == 0u ? "split_by_memory budget" : "split_by_memory max_work=1 budget",
                budget);
            if (max_work == 0u) {
                add_figure(s->t, "work", budget_work(s, budget));
            }
            add_figure(s->t, "n_parts", r.n_parts);
            add_figure(s->t, "greedy_boundary", r.greedy_boundary);
            add_figure(s->t, "boundary", r.boundary);
        }
    }
}

static void add_stages(subject *s, uint32_t n_orders)
{
    gsp_costs costs = {0};
    gsp_stages_optimal_desc desc = {0};
    gsp_stages_optimal_result r;
    costs.n_nodes = s->graph.n_nodes;
    costs.time = s->weight;
    costs.move = s->weight;
    desc.n_devices = 5u;
    desc.n_orders = n_orders;
    desc.model.costs = &costs;
    if (T_EQUAL(gsp_stages_optimal_run(emptied(s), &s->graph, &desc, &r, NULL), GSP_OK)) {
        name_case(s, "stages_optimal orders", n_orders);
        add_figure(s->t, "objective", r.objective);
        add_figure(s->t, "reference", r.reference);
        add_figure(s->t, "order", r.order);
        add_figure(s->t, "work", r.work);
        add_list(s->t, "stage_of", r.stage_of, s->graph.n_nodes);
    }
}

static void add_order(subject *s, uint32_t kind, uint32_t backward)
{
    gsp_topo_order_desc desc = {0};
    gsp_topo_order_result r;
    desc.kind = kind;
    desc.backward = backward;
    desc.seed = 3u;
    if (T_EQUAL(gsp_topo_order_run(emptied(s), &s->graph, &desc, &r, NULL), GSP_OK)) {
        name_case(s, backward ? "topo_order backward kind" : "topo_order kind", kind);
        add_list(s->t, "order", r.order, r.n_nodes);
    }
}

static void add_min_cut(subject *s)
{
    gsp_min_cut_desc desc = {0};
    gsp_min_cut_result r;
    desc.n_nodes = s->graph.n_nodes;
    desc.n_arcs = s->n_arcs;
    desc.arcs = s->arcs;
    if (T_EQUAL(gsp_min_cut_run(emptied(s), &desc, &r, NULL), GSP_OK)) {
        name_case(s, "min_cut arcs", s->n_arcs);
        add_figure(s->t, "value", r.value);
        add_figure(s->t, "work", r.work);
    }
}

/* Rows for a graph of so many calls. */
static void add_heuristics(baseline *t, uint32_t calls)
{
    subject *const s = (subject *)t_alloc(sizeof(subject));
    subject_open(s, calls);
    s->t = t;
    add_kway(s, 4u, 0u);
    add_kway(s, 7u, 1u);
    add_assign(s, (uint32_t)GSP_PARTITION_SIZE, calls * 900u, 0u);
    add_assign(s, (uint32_t)GSP_PARTITION_COST, calls * 1500u, 20000u);
    add_assign(s, (uint32_t)GSP_PARTITION_KL, calls * 900u, 3000u);
    add_memory(s);
    add_budget(s, 14000u + 20u * calls);
    add_budget(s, 14000u + 30u * calls);
    add_stages(s, 1u);
    add_stages(s, GSP_STAGES_OPTIMAL_ORDERS);
    for (uint32_t kind = 0; kind < (uint32_t)GSP_TOPO_ORDER_COUNT; kind++) {
        add_order(s, kind, 0u);
        add_order(s, kind, 1u);
    }
    add_min_cut(s);
    t_arena_close(&s->arena);
    t_arena_close(&s->text);
    free(s);
}

/* ---- Many drawn cases: what a pass answers in all of them has one hash ---- */

typedef struct drawn {
    t_rng rng;
    gsp_arena text;
    gsp_arena arena;
    gsp_graph graph;
    gsp_module module;
    uint32_t hash;
    uint32_t bounds; /* a hash, too */
    uint64_t work;
} drawn;

static uint32_t hash_figure(uint32_t hash, uint64_t figure)
{
    unsigned char bytes[8];
    for (uint32_t i = 0; i < 8u; i++) {
        bytes[i] = (unsigned char)(figure >> (8u * i));
    }
    return hash_bytes(hash, bytes, sizeof(bytes));
}

static void take(drawn *d, uint64_t figure)
{
    d->hash = hash_figure(d->hash, figure);
}

static void take_bound(drawn *d, uint64_t bytes)
{
    d->bounds = hash_figure(d->bounds, bytes);
}

static void take_list(drawn *d, const uint32_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        take(d, list[i]);
    }
}

static void take_seconds(drawn *d, double seconds)
{
    uint64_t bits;
    memcpy(&bits, &seconds, sizeof(bits));
    take(d, bits);
}

/* 1 if there is an answer. */
static int take_status(drawn *d, gsp_status status, const gsp_error *err)
{
    take(d, (uint64_t)status);
    if (status != GSP_OK) {
        take(d, (uint64_t)err->detail);
        take(d, err->node);
        take(d, err->other);
        take_bound(d, err->need);
        take(d, err->limit);
    }
    return status == GSP_OK;
}

static void read_drawn(drawn *d, t_string *text)
{
    gsp_mark const start = {0u, 0u};
    gsp_arena_rewind(&d->text, start);
    gsp_arena_rewind(&d->arena, start);
    T_EQUAL(gsp_text_read(&d->text, text->data, text->size, NULL, &d->module, NULL), GSP_OK);
    d->graph = gsp_module_graph(&d->module, 0u);
    t_free(text);
}

/* ---- Partitions of drawn graphs ---- */

static void take_partition(drawn *d, const gsp_partition_result *r, uint32_t n_devices)
{
    take(d, r->n_parts);
    take(d, r->single);
    take(d, r->stopped);
    take(d, r->n_steps);
    take_seconds(d, r->total);
    take_list(d, r->part_of, r->n_nodes);
    take_list(d, r->part_id, r->n_parts);
    take_list(d, r->late_parent, r->n_parts);
    for (uint32_t p = 0; p < r->n_parts; p++) {
        take_list(d, r->devices + r->device_begin[p], r->device_count[p]);
        take(d, r->bytes[p]);
        take_seconds(d, r->finish[p]);
    }
    for (uint32_t i = 0; i < n_devices; i++) {
        take(d, r->device_bytes[i]);
    }
    d->work += r->work;
}

static void draw_partition(drawn *d, part_mode mode)
{
    static const uint32_t modes[] = {
        GSP_PARTITION_SIZE, GSP_PARTITION_SPARSE, GSP_PARTITION_COST, GSP_PARTITION_KL};
    part_case c;
    gsp_device devices[PART_DEVICES];
    gsp_partition_desc desc = {0};
    gsp_partition_result r;
    gsp_error err;
    t_string text;
    part_random(&d->rng, mode, mode == PART_COST ? 60u : 24u, &c);
    if (t_chance(&d->rng, 20)) { /* only transfers take time */
        memset(c.mem, 0, sizeof(c.mem));
        memset(c.compute, 0, sizeof(c.compute));
    }
    text = part_text(&c);
    read_drawn(d, &text);
    memset(devices, 0, sizeof(devices));
    for (uint32_t i = 0; i < c.n_devices; i++) {
        devices[i].id = c.device_id[i];
        devices[i].bytes = c.capacity[i];
    }
    desc.mode = modes[mode];
    desc.devices = devices;
    desc.n_devices = c.n_devices;
    desc.saturate = c.saturate;
    desc.has_rate = c.rate < 1e300;
    desc.transfer_rate = desc.has_rate ? c.rate : 0.0;
    desc.n_sweeps = c.sweeps;
    desc.max_work = t_chance(&d->rng, 30) ? 1u + t_below(&d->rng, 500u) : 0u;
    take_bound(d, gsp_partition_bound(&d->graph, &desc));
    if (take_status(d, gsp_partition_run(&d->arena, &d->graph, &desc, &r, &err), &err)) {
        take_partition(d, &r, c.n_devices);
    }
}

static void draw_size(drawn *d)
{
    draw_partition(d, PART_SIZE);
}

static void draw_sparse(drawn *d)
{
    draw_partition(d, PART_SPARSE);
}

static void draw_cost(drawn *d)
{
    draw_partition(d, PART_COST);
}

static void draw_kl(drawn *d)
{
    draw_partition(d, PART_KL);
}

static void draw_kway(drawn *d)
{
    part_case c;
    gsp_kway_desc desc = {0};
    gsp_kway_result r;
    gsp_error err;
    t_string text;
    uint64_t weight[PART_NODES + 1u];
    uint64_t capacity[9];
    uint32_t pin[PART_NODES + 1u];
    part_random(&d->rng, PART_SIZE, 60u, &c);
    text = part_text(&c);
    read_drawn(d, &text);
    desc.n_parts = 2u + t_below(&d->rng, 7u);
    desc.bytes = t_below(&d->rng, 2u);
    desc.attempts = t_below(&d->rng, 9u);
    desc.imbalance = 1000u * t_below(&d->rng, 500u);
    desc.seed = t_below(&d->rng, 3u);
    for (uint32_t v = 0; v <= c.n; v++) {
        weight[v] = t_below(&d->rng, 8u);
        pin[v] = v < c.n && part_callable(&c, v) && t_chance(&d->rng, 10)
                     ? t_below(&d->rng, desc.n_parts)
                     : GSP_NONE;
    }
    for (uint32_t p = 0; p < desc.n_parts; p++) {
        capacity[p] = 2u * c.n / desc.n_parts + t_below(&d->rng, 4u * c.n);
    }
    desc.weight = t_chance(&d->rng, 50) ? weight : NULL;
    desc.pin = t_chance(&d->rng, 30) ? pin : NULL;
    desc.capacity = t_chance(&d->rng, 30) ? capacity : NULL;
    take_bound(d, gsp_kway_bound(&d->graph, &desc));
    if (take_status(d, gsp_kway_run(&d->arena, &d->graph, &desc, &r, &err), &err)) {
        take(d, r.cut);
        take_list(d, r.part_of, d->graph.n_nodes);
    }
}

/* ---- Memory of drawn graphs ---- */

static void draw_tensors(drawn *d, gsp_tensor *tensors, uint32_t n)
{
    uint32_t const spread = 1u + t_below(&d->rng, 3u) * 20u;
    memset(tensors, 0, n * sizeof(*tensors));
    for (uint32_t i = 0; i < n; i++) {
        tensors[i].node = i;
        tensors[i].begin = t_below(&d->rng, 2u * n);
        tensors[i].end = tensors[i].begin + t_below(&d->rng, n);
        tensors[i].bytes = 16u * t_below(&d->rng, 1u + spread);
        tensors[i].offset = 16u * spread * i;
    }
}

static void take_pack(
    drawn *d, const gsp_tensor *tensors, uint32_t n, const gsp_memory_pack_desc *desc)
{
    gsp_memory_pack_result r;
    gsp_error err;
    gsp_mark const start = {0u, 0u};
    gsp_arena_rewind(&d->arena, start);
    if (take_status(d, gsp_memory_pack_run(&d->arena, tensors, n, desc, &r, &err), &err)) {
        take(d, r.bytes);
        take(d, r.lower_bound);
        d->work += r.work;
        for (uint32_t i = 0; i < n; i++) {
            take(d, r.offsets[i]);
        }
    }
}

static void draw_pack(drawn *d)
{
    gsp_tensor tensors[40];
    uint32_t const n = 1u + t_below(&d->rng, T_COUNT_OF(tensors));
    gsp_memory_pack_desc desc = {0};
    draw_tensors(d, tensors, n);
    desc.max_work = 1u + t_below(&d->rng, t_chance(&d->rng, 50) ? 20000u : 500u);
    desc.capacity = t_chance(&d->rng, 30) ? 1000u * (1u + t_below(&d->rng, 10u)) : 0u;
    take_bound(d, gsp_memory_pack_bound(n, &desc));
    take_pack(d, tensors, n, &desc);
}

/* The same tensors with every little more work. */
static void draw_pack_steps(drawn *d)
{
    gsp_tensor tensors[14];
    gsp_memory_pack_desc desc = {0};
    draw_tensors(d, tensors, T_COUNT_OF(tensors));
    for (desc.max_work = 1u; desc.max_work < 300u; desc.max_work++) {
        gsp_memory_pack_result r;
        gsp_mark const start = {0u, 0u};
        gsp_arena_rewind(&d->arena, start);
        if (T_EQUAL(gsp_memory_pack_run(&d->arena, tensors, T_COUNT_OF(tensors), &desc, &r, NULL),
                GSP_OK)) {
            take(d, r.bytes);
            take(d, r.lower_bound);
            d->work += r.work;
        }
    }
}

static void draw_plan(drawn *d)
{
    part_case c;
    gsp_memory_plan_desc desc = {0};
    gsp_memory_plan_result r;
    gsp_error err;
    t_string text;
    uint64_t scratch[PART_NODES + 1u];
    part_random(&d->rng, PART_SIZE, 60u, &c);
    text = part_text(&c);
    read_drawn(d, &text);
    for (uint32_t v = 0; v <= c.n; v++) {
        scratch[v] = 8u * t_below(&d->rng, 50u);
    }
    desc.align = 1u << t_below(&d->rng, 8u);
    desc.skip_inputs = t_below(&d->rng, 2u);
    desc.scratch = t_chance(&d->rng, 50) ? scratch : NULL;
    desc.max_work = t_chance(&d->rng, 50) ? 1u + t_below(&d->rng, 400u) : 0u;
    take_bound(d, gsp_memory_plan_bound(&d->graph, &desc));
    if (take_status(d, gsp_memory_plan_run(&d->arena, &d->graph, &desc, &r, &err), &err)) {
        take(d, r.arena);
        take(d, r.peak);
        take(d, r.n_stacked);
        d->work += r.work;
        for (uint32_t i = 0; i < r.n_tensors; i++) {
            take(d, r.tensors[i].offset);
        }
    }
}

/* ---- Stages of drawn graphs ---- */

static void draw_stages(drawn *d)
{
    part_case c;
    gsp_costs costs = {0};
    gsp_stages_optimal_desc desc = {0};
    gsp_stages_optimal_result r;
    gsp_error err;
    t_string text;
    static const uint32_t spreads[] = {1, 2, 20, 10000000};
    uint32_t const spread = spreads[t_below(&d->rng, 4u)];
    uint64_t time[PART_NODES + 1u];
    uint64_t move[PART_NODES + 1u];
    part_random(&d->rng, PART_SIZE, 60u, &c);
    text = part_text(&c);
    read_drawn(d, &text);
    for (uint32_t v = 0; v <= c.n; v++) {
        time[v] = t_below(&d->rng, spread);
        move[v] = t_below(&d->rng, spread);
    }
    costs.n_nodes = d->graph.n_nodes;
    costs.time = time;
    costs.move = move;
    costs.stash = t_chance(&d->rng, 50) ? move : NULL;
    desc.n_devices = 1u + t_below(&d->rng, 6u);
    desc.n_chunks = 1u + t_below(&d->rng, 2u);
    desc.goal = t_below(&d->rng, 2u);
    desc.n_orders = 1u + t_below(&d->rng, GSP_STAGES_OPTIMAL_ORDERS);
    desc.model.costs = &costs;
    desc.model.carried = t_below(&d->rng, 2u);
    desc.model.microbatches = t_below(&d->rng, 4u);
    desc.model.copies = t_below(&d->rng, 3u);
    desc.model.first_time = t_below(&d->rng, 30u);
    desc.memory = t_chance(&d->rng, 30) ? 50u + t_below(&d->rng, 400u) : 0u;
    desc.max_work = t_chance(&d->rng, 30) ? 1u + t_below(&d->rng, 3000u) : 0u;
    take_bound(d, gsp_stages_optimal_bound(&d->graph, &desc));
    if (take_status(d, gsp_stages_optimal_run(&d->arena, &d->graph, &desc, &r, &err), &err)) {
        take(d, r.n_stages);
        take(d, r.order);
        take(d, r.proved);
        take(d, r.objective);
        take(d, r.lower_bound);
        take(d, r.reference);
        take_list(d, r.stage_of, r.n_nodes);
        d->work += r.work;
    }
}

/* ---- Drawn graphs with layers that are alike ---- */

static void draw_dedup(drawn *d)
{
    gsp_dedup_desc desc = {0};
    gsp_dedup_result r;
    gsp_error err;
    t_string text =
        t_chance(&d->rng, 20) ? oracle_dedup_text(&d->rng) : oracle_blocks_text(&d->rng);
    read_drawn(d, &text);
    desc.max_outputs = t_chance(&d->rng, 20) ? 1u + t_below(&d->rng, 20u) : 0u;
    desc.max_work = t_chance(&d->rng, 20) ? 1u + t_below(&d->rng, 500u) : 0u;
    take_bound(d, gsp_dedup_bound(&d->graph, &desc));
    take_bound(d, gsp_regions_bound(&d->graph, NULL));
    if (take_status(d, gsp_dedup_run(&d->arena, &d->graph, &desc, &r, &err), &err)) {
        t_string made = t_print(&r.module, NULL);
        d->hash = hash_bytes(d->hash, made.data, made.size);
        t_free(&made);
        take_list(d, r.map_begin, d->graph.n_nodes + 1u);
        take_list(d, r.map, r.map_begin[d->graph.n_nodes]);
        d->work += r.regions.work + r.selection.work;
    }
}

/* ---- Drawn texts: in pieces of which sizes they are written ---- */

static int take_piece(void *user, const char *data, size_t size)
{
    (void)data;
    take((drawn *)user, size);
    ((drawn *)user)->work++;
    return 0;
}

static void draw_text(drawn *d)
{
    part_case c;
    t_string text;
    gsp_counts n;
    part_random(&d->rng, PART_SIZE, 60u, &c);
    text = part_text(&c);
    T_EQUAL(gsp_text_count(text.data, text.size, &n, NULL), GSP_OK);
    take(d, n.nodes);
    take(d, n.edges);
    take(d, n.args);
    take(d, n.attrs);
    take(d, n.strings);
    take(d, n.bytes);
    read_drawn(d, &text);
    T_EQUAL(gsp_text_write(&d->module, NULL, take_piece, d, NULL), GSP_OK);
}

/* ---- Drawn splits ---- */

static void draw_split(drawn *d)
{
    part_case c;
    gsp_split_desc desc = {0};
    gsp_split_result r;
    gsp_placement placement;
    gsp_accelerator accelerators[3];
    gsp_pin pins[8];
    gsp_support_desc support = {0};
    gsp_error err;
    t_string text;
    char names[8][16];
    part_random(&d->rng, PART_SIZE, 60u, &c);
    text = part_text(&c);
    read_drawn(d, &text);
    memset(accelerators, 0, sizeof(accelerators));
    memset(pins, 0, sizeof(pins));
    for (uint32_t i = 0; i < T_COUNT_OF(pins); i++) {
        snprintf(names[i], sizeof(names[i]), "*%u", (unsigned)t_below(&d->rng, 20u));
        pins[i].pattern = gsp_str_of(names[i]);
        pins[i].kind = (uint8_t)t_below(&d->rng, T_COUNT_OF(accelerators) + 1u);
    }
    support.accelerators = accelerators;
    support.n_accelerators = T_COUNT_OF(accelerators);
    support.pins = pins;
    support.n_pins = T_COUNT_OF(pins);
    if (!take_status(d, gsp_support_run(&d->arena, &d->graph, &support, &placement, &err), &err)) {
        return;
    }
    desc.placement = &placement;
    desc.min_size = t_below(&d->rng, 4u);
    desc.best_start = t_below(&d->rng, 2u);
    desc.allow_non_tensor = t_below(&d->rng, 2u);
    take_bound(d, gsp_split_bound(&d->graph, &desc));
    if (take_status(d, gsp_split_run(&d->arena, &d->graph, &desc, &r, &err), &err)) {
        take_list(d, r.subgraph_of, r.n_nodes);
        take_list(d, r.raw_of, r.n_nodes);
        take(d, r.n_reference);
    }
    placement.n_kinds = 1u;
    take_bound(d, gsp_split_bound(&d->graph, &desc));
}

/* Tensors of which some stay where they are, or continue the one before them after a gap. */
static void draw_kept_pack(drawn *d)
{
    gsp_tensor tensors[32];
    uint32_t aligns[T_COUNT_OF(tensors)];
    uint32_t fixed[T_COUNT_OF(tensors)];
    uint32_t resumed[T_COUNT_OF(tensors)];
    uint32_t const n = 1u + t_below(&d->rng, T_COUNT_OF(tensors));
    uint32_t const gaps = t_chance(&d->rng, 50) ? 25u : 0u;
    uint32_t const kept = t_chance(&d->rng, 50) ? 15u : 0u;
    uint64_t top = 0;
    gsp_memory_pack_desc desc = {0};
    memset(tensors, 0, sizeof(tensors));
    for (uint32_t i = 0; i < n; i++) {
        gsp_tensor *const t = &tensors[i];
        const gsp_tensor *const before = i > 0u ? t - 1 : t;
        resumed[i] = i > 0u && before->end < 20u && t_chance(&d->rng, gaps);
        t->begin = resumed[i] ? before->end + 1u + t_below(&d->rng, 3u) : t_below(&d->rng, 14u);
        t->end = t->begin + t_below(&d->rng, 7u);
        t->bytes = resumed[i] ? before->bytes : 16u * t_below(&d->rng, 12u);
        aligns[i] = (uint32_t)1u << t_below(&d->rng, 7u);
        t->offset = resumed[i] ? before->offset : (top + 63u) / 64u * 64u;
        top = t->offset + t->bytes > top ? t->offset + t->bytes : top;
        fixed[i] = (uint32_t)t_chance(&d->rng, kept);
    }
    desc.aligns = t_chance(&d->rng, 30) ? aligns : NULL;
    desc.fixed = kept != 0u ? fixed : NULL;
    desc.resumed = gaps != 0u ? resumed : NULL;
    desc.max_work = 1u + t_below(&d->rng, 4000u);
    take_pack(d, tensors, n, &desc);
}

static void read_grouped(drawn *d)
{
    t_string text = {NULL, 0u, 0u};
    write_graph(&text, 4u + t_below(&d->rng, 60u), 30u);
    read_drawn(d, &text);
}

static void draw_budget(drawn *d)
{
    gsp_split_by_memory_desc desc = {0};
    gsp_split_by_memory_result r;
    gsp_error err;
    uint64_t scratch[CALLS];
    read_grouped(d);
    for (gsp_node v = 0; v < d->graph.n_nodes; v++) {
        scratch[v] = t_below(&d->rng, 4000u);
    }
    desc.budget = 9000u + t_below(&d->rng, 4000u + 200u * d->graph.n_nodes);
    desc.scratch = t_chance(&d->rng, 30) ? scratch : NULL;
    desc.ignore_groups = t_below(&d->rng, 2u);
    desc.max_work = t_chance(&d->rng, 50) ? 0u : 1u + t_below(&d->rng, 300u);
    if (take_status(d, gsp_split_by_memory_run(&d->arena, &d->graph, &desc, &r, &err), &err)) {
        take(d, r.boundary);
        take(d, r.greedy_boundary);
        take(d, r.proved);
        take(d, r.n_parts);
        take_list(d, r.part_of, d->graph.n_nodes);
    }
}

/* Stages that keep groups, whose nodes share parameters with nodes before. */
static void draw_grouped_stages(drawn *d)
{
    gsp_costs costs = {0};
    gsp_stages_optimal_desc desc = {0};
    gsp_stages_optimal_result r;
    gsp_error err;
    uint64_t figures[3][CALLS];
    uint32_t item_begin[CALLS + 1u];
    uint32_t items[CALLS];
    read_grouped(d);
    for (gsp_node v = 0; v < d->graph.n_nodes; v++) {
        for (uint32_t i = 0; i < 3u; i++) {
            figures[i][v] = t_chance(&d->rng, 20) ? 0u : t_below(&d->rng, 40u);
        }
        item_begin[v] = v;
        items[v] = v / (1u + t_below(&d->rng, 4u));
    }
    item_begin[d->graph.n_nodes] = d->graph.n_nodes;
    costs.n_nodes = costs.n_items = d->graph.n_nodes;
    costs.time = figures[0];
    costs.move = figures[1];
    costs.item_bytes = figures[2];
    costs.item_begin = item_begin;
    costs.items = items;
    desc.n_devices = t_below(&d->rng, 6u);
    desc.goal = t_below(&d->rng, (uint32_t)GSP_STAGES_OPTIMAL_COUNT);
    desc.n_orders = 1u + t_below(&d->rng, 3u);
    desc.keep_groups = 1u;
    desc.model.costs = &costs;
    desc.model.carried = t_below(&d->rng, 2u);
    desc.model.copies = t_below(&d->rng, 4u);
    desc.model.last_time = t_below(&d->rng, 30u);
    desc.memory = t_chance(&d->rng, 50) ? 0u : d->graph.n_nodes * (5u + t_below(&d->rng, 60u));
    if (take_status(d, gsp_stages_optimal_run(&d->arena, &d->graph, &desc, &r, &err), &err)) {
        take(d, r.order);
        take(d, r.proved);
        take(d, r.objective);
        take(d, r.lower_bound);
        take(d, r.reference);
        take_list(d, r.stage_of, r.n_nodes);
        d->work += r.work;
    }
}

static void add_drawn(tables *t, const char *name, uint32_t count, void (*draw)(drawn *d))
{
    drawn d;
    memset(&d, 0, sizeof(d));
    d.rng.state = count;
    t_arena_open(&d.text, 1u << 20);
    t_arena_open(&d.arena, 4u << 20);
    for (uint32_t i = 0; i < count; i++) {
        d.hash = d.hash * 31u + i;
        draw(&d);
    }
    snprintf(t->results.name, sizeof(t->results.name), "drawn %s", name);
    snprintf(t->bounds.name, sizeof(t->bounds.name), "drawn %s", name);
    add_figure(&t->results, "work", d.work);
    add_hash(&t->results, "answers", d.hash);
    add_hash(&t->bounds, "all", d.bounds);
    t_arena_close(&d.arena);
    t_arena_close(&d.text);
}

static void add_all_drawn(tables *t)
{
    add_drawn(t, "size", 200u, draw_size);
    add_drawn(t, "sparse", 100u, draw_sparse);
    add_drawn(t, "cost", 100u, draw_cost);
    add_drawn(t, "kl", 300u, draw_kl);
    add_drawn(t, "kway", 100u, draw_kway);
    add_drawn(t, "pack", 600u, draw_pack);
    add_drawn(t, "pack_steps", 60u, draw_pack_steps);
    add_drawn(t, "plan", 200u, draw_plan);
    add_drawn(t, "stages", 100u, draw_stages);
    add_drawn(t, "dedup", 1000u, draw_dedup);
    add_drawn(t, "text", 50u, draw_text);
    add_drawn(t, "split", 100u, draw_split);
    add_drawn(t, "kept pack", 400u, draw_kept_pack);
    add_drawn(t, "budget", 200u, draw_budget);
    add_drawn(t, "grouped stages", 100u, draw_grouped_stages);
}

static tables make_tables(void)
{
    static tables t; /* {0} */
    memset(&t, 0, sizeof(t));
    add_heuristics(&t.results, 30u);
    add_heuristics(&t.results, CALLS);
    if (has_bounds()) {
        add_all_drawn(&t);
        add_entries(&t);
        baseline_add_bounds(&t.bounds);
    }
    return t;
}

t_string baseline_results(void)
{
    tables t = make_tables();
    t_free(&t.bounds.lines);
    return t.results.lines;
}

t_string baseline_bounds(void)
{
    tables t = make_tables();
    t_free(&t.results.lines);
    return t.bounds.lines;
}

/* ---- Beside the tables ---- */

/* A line without its newline. */
typedef struct line {
    const char *text;
    size_t size;
    size_t named; /* bytes of "case,field," */
} line;

/* The line at `at`, which moves behind it, or 0. */
static int next_line(const t_string *s, size_t *at, line *l)
{
    l->text = s->data + *at;
    l->size = l->named = 0;
    while (*at + l->size < s->size && l->text[l->size] != '\n') {
        l->size++;
        if (l->text[l->size - 1u] == ',') {
            l->named = l->size;
        }
    }
    *at += l->size + 1u;
    return l->size != 0;
}

static int same_name(const line *a, const line *b)
{
    return a->named == b->named && memcmp(a->text, b->text, a->named) == 0;
}

static int same_value(const line *a, const line *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* The stored line of this name: at `at` as a rule, else anywhere. */
static int find_line(const t_string *stored, size_t *at, const line *wanted, line *l)
{
    size_t other = 0;
    size_t next = *at;
    if (next < stored->size && next_line(stored, &next, l) && same_name(l, wanted)) {
        *at = next;
        return 1;
    }
    while (other < stored->size && next_line(stored, &other, l)) {
        if (same_name(l, wanted)) {
            *at = other;
            return 1;
        }
    }
    return 0;
}

static void compare_table(const t_string *made, const char *path)
{
    t_string stored = t_read_file(path);
    size_t at = 0;
    size_t other = 0;
    line now;
    line was;
    char what[256];
    if (stored.data == NULL) {
        t_skip("this system has no files");
        return;
    }
    while (at < made->size && next_line(made, &at, &now)) {
        int const found = find_line(&stored, &other, &now, &was);
        if (!found) {
            snprintf(what, sizeof(what), "%.*s stands not in %s", (int)now.size, now.text, path);
        } else if (!same_value(&now, &was)) {
            snprintf(what, sizeof(what), "%.*s, and in %s %.*s", (int)now.size, now.text, path,
                (int)(was.size - was.named), was.text + was.named);
        }
        t_check(found && same_value(&now, &was), T_HERE, what);
    }
    snprintf(what, sizeof(what), "%s has lines that nothing makes", path);
    t_check(stored.size <= made->size || !has_bounds(), T_HERE, what);
    t_free(&stored);
}

static void test_tables(void)
{
    tables t;
    if (t_skip_with_gaps()) {
        return;
    }
    t = make_tables();
    compare_table(&t.results.lines, "tests/contract/baseline.csv");
    compare_table(&t.bounds.lines, "tests/contract/bounds.csv");
    t_free(&t.results.lines);
    t_free(&t.bounds.lines);
}

void suite_contract_baseline(void)
{
    t_run("tables", test_tables);
}
