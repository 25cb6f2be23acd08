/* What passes need and answer, beside a table: a bound that grows or shrinks, or a heuristic that
 * answers otherwise or worse, is a difference. Where that is intended:
 *
 *     build/tests --baseline > tests/contract/baseline.csv */
#include "tests/contract/entry.h"

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
static int has_entries(void)
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

/* Calls with up to three inputs among the calls not far before, and sizes that differ. */
static void write_graph(t_string *s, uint32_t calls)
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
        t_puts(s, "]\n");
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
    write_graph(&text, calls);
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

t_string baseline_rows(void)
{
    t_string rows = {NULL, 0u, 0u};
    add_heuristics(&rows, 30u);
    add_heuristics(&rows, CALLS);
    if (has_entries()) {
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
    t_string table = t_read_file(BASELINE);
    t_string rows;
    size_t at = 0;
    size_t other = 0;
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
    T_CHECK(other == table.size || !has_entries() || t_failed());
    t_free(&rows);
    t_free(&table);
}

void suite_contract_baseline(void)
{
    t_run("table", test_table);
}
