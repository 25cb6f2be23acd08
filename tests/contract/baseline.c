/* What passes need and answer, beside a table: a bound that grows or shrinks, or a heuristic that
 * answers otherwise or worse, is a difference. Where that is intended:
 *
 *     build/tests --baseline > tests/contract/baseline.csv */
#include "tests/contract/entry.h"
#include "tests/oracle/partition.h"

#include <inttypes.h>

#define BASELINE "tests/contract/baseline.csv"
#define CASES    4u
#define CALLS    300u

static uint32_t hash_bytes(uint32_t hash, const void *data, size_t size)
{
    const unsigned char *const p = (const unsigned char *)data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ p[i]) * 16777619u;
    }
    return hash;
}

static void add_hash(t_string *s, uint32_t hash)
{
    char text[16];
    snprintf(text, sizeof(text), ",%08" PRIx32, hash);
    t_puts(s, text);
}

static void add_figure(t_string *s, uint64_t figure)
{
    char text[24];
    snprintf(text, sizeof(text), ",%" PRIu64, figure);
    t_puts(s, text);
}

/* Numbers have the same hash on every machine. */
static void add_answer(t_string *s, const uint32_t *list, uint32_t n)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < n; i++) {
        unsigned char const bytes[4] = {(unsigned char)list[i], (unsigned char)(list[i] >> 8u),
            (unsigned char)(list[i] >> 16u), (unsigned char)(list[i] >> 24u)};
        hash = hash_bytes(hash, bytes, sizeof(bytes));
    }
    add_hash(s, hash);
    t_puts(s, "\n");
}

/* ---- Every entry point: bounds, and the bytes of answers ---- */

/* Bounds follow the width of pointers, bytes the order of bytes, too: the table holds those of
 * little-endian machines of 64 bits. */
static int has_bounds(void)
{
    uint32_t const one = 1;
    return sizeof(void *) == 8u && *(const unsigned char *)&one == 1u;
}

static void add_entry(t_string *s, const entry *e, entry_input *in)
{
    t_string dump = {NULL, 0u, 0u};
    t_puts(s, "entry,");
    t_puts(s, e->name);
    for (uint32_t i = 0; i < CASES; i++) {
        gsp_arena arena;
        entry_output out;
        size_t const bound = e->bound(&in[i]);
        add_figure(s, bound);
        t_arena_open(&arena, bound);
        entry_prepare(&in[i], &out);
        dump.size = 0;
        if (T_EQUAL(e->run(&in[i], &arena, &out, NULL), GSP_OK)) {
            e->dump(&in[i], &out, &dump);
        }
        add_hash(s, hash_bytes(2166136261u, dump.data, dump.size));
        t_arena_close(&arena);
    }
    t_puts(s, "\n");
    t_free(&dump);
}

static void add_entries(t_string *s)
{
    static entry_input in[CASES];
    t_rng rng = {19u};
    for (uint32_t i = 0; i < CASES; i++) {
        entry_open(&in[i], &rng, 20u * i + 3u);
    }
    for (uint32_t i = 0; i < entry_count; i++) {
        add_entry(s, &entry_points[i], in);
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
    t_string rows;
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
        t_puts(&s->rows, "kway");
        add_figure(&s->rows, parts);
        add_figure(&s->rows, bytes);
        add_figure(&s->rows, r.cut);
        add_answer(&s->rows, r.part_of, s->graph.n_nodes);
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
        t_puts(&s->rows, "assign");
        add_figure(&s->rows, mode);
        add_figure(&s->rows, r.n_parts);
        add_figure(&s->rows, r.n_steps);
        add_figure(&s->rows, r.work);
        add_answer(&s->rows, r.part_of, s->graph.n_nodes);
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
        t_puts(&s->rows, "memory_plan");
        add_figure(&s->rows, plan.peak);
        add_figure(&s->rows, plan.arena);
        add_figure(&s->rows, plan.work);
        t_puts(&s->rows, "\nmemory_pack");
        add_figure(&s->rows, r.bytes);
        add_figure(&s->rows, r.lower_bound);
        add_figure(&s->rows, r.work);
        t_puts(&s->rows, "\n");
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
            t_puts(&s->rows, "split_by_memory");
            add_figure(&s->rows, max_work == 0u ? budget_work(s, budget) : max_work);
            add_figure(&s->rows, r.n_parts);
            add_figure(&s->rows, r.greedy_boundary);
            add_figure(&s->rows, r.boundary);
            t_puts(&s->rows, "\n");
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
        t_puts(&s->rows, "stages_optimal");
        add_figure(&s->rows, n_orders);
        add_figure(&s->rows, r.objective);
        add_figure(&s->rows, r.reference);
        add_figure(&s->rows, r.order);
        add_figure(&s->rows, r.work);
        add_answer(&s->rows, r.stage_of, s->graph.n_nodes);
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
        t_puts(&s->rows, "topo_order");
        add_figure(&s->rows, kind);
        add_figure(&s->rows, backward);
        add_answer(&s->rows, r.order, r.n_nodes);
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
        t_puts(&s->rows, "min_cut");
        add_figure(&s->rows, r.value);
        add_figure(&s->rows, r.work);
        t_puts(&s->rows, "\n");
    }
}

/* Rows for a graph of so many calls. */
static void add_heuristics(t_string *rows, uint32_t calls)
{
    subject *const s = (subject *)t_alloc(sizeof(subject));
    subject_open(s, calls);
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
    t_add(rows, s->rows.data, s->rows.size);
    t_free(&s->rows);
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
    uint64_t work;
} drawn;

static void take(drawn *d, uint64_t figure)
{
    unsigned char bytes[8];
    for (uint32_t i = 0; i < 8u; i++) {
        bytes[i] = (unsigned char)(figure >> (8u * i));
    }
    d->hash = hash_bytes(d->hash, bytes, sizeof(bytes));
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

/* 1: there is an answer. */
static int take_status(drawn *d, gsp_status status, const gsp_error *err)
{
    take(d, (uint64_t)status);
    if (status != GSP_OK) {
        take(d, (uint64_t)err->detail);
        take(d, err->node);
        take(d, err->other);
        take(d, err->need);
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
    take(d, gsp_partition_bound(&d->graph, &desc));
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
    take(d, gsp_kway_bound(&d->graph, &desc));
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
    take(d, gsp_memory_pack_bound(n, &desc));
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
    take(d, gsp_memory_plan_bound(&d->graph, &desc));
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
    take(d, gsp_stages_optimal_bound(&d->graph, &desc));
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
    take(d, gsp_dedup_bound(&d->graph, &desc));
    take(d, gsp_dedup_select_bound(&d->graph, NULL));
    take(d, gsp_regions_bound(&d->graph, NULL));
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
    take(d, gsp_split_bound(&d->graph, &desc));
    if (take_status(d, gsp_split_run(&d->arena, &d->graph, &desc, &r, &err), &err)) {
        take_list(d, r.subgraph_of, r.n_nodes);
        take_list(d, r.raw_of, r.n_nodes);
        take(d, r.n_reference);
    }
    placement.n_kinds = 1u;
    take(d, gsp_split_bound(&d->graph, &desc));
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
        t->offset = resumed[i] ? before->offset : top;
        top = t->offset + t->bytes > top ? t->offset + t->bytes : top;
        aligns[i] = (uint32_t)1u << t_below(&d->rng, 7u);
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

static void add_drawn(t_string *s, const char *name, uint32_t count, void (*draw)(drawn *d))
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
    t_puts(s, "drawn,");
    t_puts(s, name);
    add_figure(s, d.work);
    add_hash(s, d.hash);
    t_puts(s, "\n");
    t_arena_close(&d.arena);
    t_arena_close(&d.text);
}

static void add_all_drawn(t_string *s)
{
    add_drawn(s, "size", 200u, draw_size);
    add_drawn(s, "sparse", 100u, draw_sparse);
    add_drawn(s, "cost", 100u, draw_cost);
    add_drawn(s, "kl", 300u, draw_kl);
    add_drawn(s, "kway", 100u, draw_kway);
    add_drawn(s, "pack", 600u, draw_pack);
    add_drawn(s, "pack_steps", 60u, draw_pack_steps);
    add_drawn(s, "plan", 200u, draw_plan);
    add_drawn(s, "stages", 100u, draw_stages);
    add_drawn(s, "dedup", 1000u, draw_dedup);
    add_drawn(s, "text", 50u, draw_text);
    add_drawn(s, "split", 100u, draw_split);
    add_drawn(s, "kept pack", 400u, draw_kept_pack);
    add_drawn(s, "budget", 200u, draw_budget);
    add_drawn(s, "grouped stages", 100u, draw_grouped_stages);
}

t_string baseline_rows(void)
{
    t_string rows = {NULL, 0u, 0u};
    add_heuristics(&rows, 30u);
    add_heuristics(&rows, CALLS);
    if (has_bounds()) {
        add_all_drawn(&rows);
        add_entries(&rows);
        baseline_bounds(&rows);
    }
    return rows;
}

/* The line at `*at`, which moves behind it. */
static gsp_str next_line(const t_string *s, size_t *at)
{
    gsp_str line = {s->data + *at, 0u};
    while (*at + line.size < s->size && line.data[line.size] != '\n') {
        line.size++;
    }
    *at += line.size + (*at + line.size < s->size ? 1u : 0u);
    return line;
}

static void test_table(void)
{
    t_string table;
    t_string rows;
    size_t at = 0;
    size_t other = 0;
    if (t_skip_with_gaps()) {
        return;
    }
    table = t_read_file(BASELINE);
    if (table.data == NULL) {
        t_skip("this system has no files");
        return;
    }
    rows = baseline_rows();
    while (at < rows.size && !t_failed()) {
        gsp_str const row = next_line(&rows, &at);
        gsp_str const stored = next_line(&table, &other);
        if (!T_CHECK(gsp_str_equal(row, stored))) {
            printf("%.*s\nis in " BASELINE "\n%.*s\n", (int)row.size, row.data, (int)stored.size,
                stored.data);
        }
    }
    T_CHECK(other == table.size || !has_bounds() || t_failed());
    t_free(&rows);
    t_free(&table);
}

void suite_contract_baseline(void)
{
    t_run("table", test_table);
}
