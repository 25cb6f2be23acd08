/* gsp_partition_run() against the slow partitioner on random graphs: every merge and every swap,
 * and everything in the result, seconds to the last bit. And what each mode promises, against all
 * assignments of small graphs. */
#include "tests/oracle/partition.h"

#include <inttypes.h>

#define MOST_BYTES (8u << 20)

/* One case at work. */
typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    part_case c;
    part_result expected;
    t_string source;
    gsp_module module;
    gsp_graph graph;
    gsp_device devices[PART_DEVICES];
    gsp_part_devices part_devices[PART_NODES];
    uint32_t ids[PART_NODES][PART_DEVICES];
    uint32_t part_of[PART_NODES + 1u];
    gsp_partition_desc desc;
    gsp_partition_result found;
    gsp_error err;
    gsp_status status;
    uint32_t n_steps;
    part_step steps[PART_STEPS];
} subject;

static int has(part_set s, uint32_t v)
{
    return (int)(s >> v & 1u);
}

static int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

/* ---- showing what differs ---- */

static void show_steps(const char *what, const part_step *steps, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        printf("%s: %" PRIu32 " %" PRIu32 " node %d partner %d cost %.17g\n", what, steps[i].from,
            steps[i].to, (int)steps[i].node, (int)steps[i].partner, steps[i].cost);
    }
}

static void show_case(const subject *s)
{
    static const char *const modes[] = {"size", "sparse", "cost", "kl", "aot"};
    uint32_t i;
    printf("%smode %s rate %.17g saturate %" PRIu32 " sweeps %" PRIu32 " devices", s->source.data,
        modes[s->c.mode], s->c.rate, s->c.saturate, s->c.sweeps);
    for (i = 0; i < s->c.n_devices; i++) {
        printf(" %" PRIu32 ":%" PRIu64, s->c.device_id[i], s->c.capacity[i]);
    }
    printf("\n");
}

static void show_expected(const subject *s)
{
    const part_result *const r = &s->expected;
    uint32_t i;
    uint32_t k;
    printf("expected: %s node %d latency %.17g\n", gsp_status_name(r->status), (int)r->node,
        r->latency);
    for (i = 0; i < r->parts.n; i++) {
        const part *const p = &r->parts.at[i];
        printf("  %" PRIu32 ": nodes %" PRIx64 " bytes %" PRIu64 " level %" PRIu32
               " overall %.17g on",
            p->id, p->nodes, p->used, p->level, p->path.overall);
        for (k = 0; k < p->n_ids; k++) {
            printf(" %" PRIu32, p->ids[k]);
        }
        printf("\n");
    }
    show_steps("  step", r->steps, r->n_steps);
}

static void show_found(const subject *s)
{
    const gsp_partition_result *const r = &s->found;
    uint32_t i;
    uint32_t k;
    printf("found: %s, %s, node %d\n", gsp_status_name(s->status), gsp_detail_text(s->err.detail),
        (int)s->err.node);
    for (i = 0; i < r->n_parts; i++) {
        printf("  %" PRIu32 ": bytes %" PRIu64 " level %" PRIu32 " overall %.17g on", r->part_id[i],
            r->bytes[i], r->level[i], r->latency[i].overall);
        for (k = 0; k < r->device_count[i]; k++) {
            printf(" %" PRIu32, s->devices[r->devices[r->device_begin[i] + k]].id);
        }
        printf(" nodes");
        for (k = r->part_begin[i]; k < r->part_begin[i + 1u]; k++) {
            printf(" %" PRIu32, r->nodes[k]);
        }
        printf("\n");
    }
    show_steps("  step", s->steps, s->n_steps);
}

static void show(const subject *s, const char *what)
{
    printf("differs in %s\n", what);
    show_case(s);
    show_expected(s);
    show_found(s);
}

/* ---- running ---- */

static void take_step(void *user, const gsp_partition_step *step)
{
    subject *const s = (subject *)user;
    part_step *const own = &s->steps[s->n_steps < PART_STEPS - 1u ? s->n_steps++ : s->n_steps];
    own->from = step->from;
    own->to = step->to;
    own->node = step->node;
    own->partner = step->other;
    own->cost = step->cost;
}

static void fill_assignment(subject *s)
{
    uint32_t id;
    uint32_t d;
    for (id = 0; id < PART_NODES; id++) {
        gsp_part_devices *const p = &s->part_devices[id];
        p->part = id;
        p->ids = s->ids[id];
        p->n_ids = 0;
        for (d = 0; d < s->c.n_devices; d++) {
            if (has(s->c.aot_devices[id], d)) {
                s->ids[id][p->n_ids++] = s->c.device_id[d];
            }
        }
    }
    memcpy(s->part_of, s->c.assign, sizeof(s->c.assign));
    s->desc.part_of = s->part_of;
    s->desc.part_devices = s->part_devices;
    s->desc.n_part_devices = PART_NODES;
}

static void fill_desc(subject *s)
{
    static const uint32_t modes[] = {GSP_PARTITION_SIZE, GSP_PARTITION_SPARSE, GSP_PARTITION_COST,
        GSP_PARTITION_KL, GSP_PARTITION_AOT};
    uint32_t d;
    memset(&s->desc, 0, sizeof(s->desc));
    for (d = 0; d < s->c.n_devices; d++) {
        s->devices[d].name = gsp_str_of("device");
        s->devices[d].bytes = s->c.capacity[d];
        s->devices[d].id = s->c.device_id[d];
    }
    s->desc.mode = modes[s->c.mode];
    s->desc.devices = s->devices;
    s->desc.n_devices = s->c.n_devices;
    s->desc.saturate = s->c.saturate;
    s->desc.has_rate = s->c.rate < 1e300;
    s->desc.transfer_rate = s->desc.has_rate ? s->c.rate : 0.0;
    s->desc.n_sweeps = s->c.sweeps;
    s->desc.step = take_step;
    s->desc.step_user = s;
    if (s->c.mode == PART_AOT) {
        fill_assignment(s);
    }
}

static void subject_open(subject *s)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->text, MOST_BYTES);
    t_arena_open(&s->arena, MOST_BYTES);
}

static void subject_close(subject *s)
{
    t_arena_close(&s->text);
    t_arena_close(&s->arena);
    t_free(&s->source);
}

/* The case through the text, the library and the model. */
static int subject_run(subject *s)
{
    gsp_mark const start = {0u, 0u};
    gsp_arena_rewind(&s->text, start);
    gsp_arena_rewind(&s->arena, start);
    t_free(&s->source);
    s->source = part_text(&s->c);
    if (!T_EQUAL(gsp_text_read(&s->text, s->source.data, s->source.size, NULL, &s->module, &s->err),
            GSP_OK)) {
        printf("%s", s->source.data);
        return 0;
    }
    s->graph = gsp_module_graph(&s->module, 0);
    fill_desc(s);
    s->n_steps = 0;
    memset(&s->found, 0, sizeof(s->found));
    s->status = gsp_partition_run(&s->arena, &s->graph, &s->desc, &s->found, &s->err);
    part_run(&s->c, &s->expected);
    return 1;
}

/* ---- the result against the model's ---- */

static int equal_steps(const subject *s)
{
    const part_result *const r = &s->expected;
    int const swaps = s->c.mode == PART_KL;
    uint32_t i;
    if (s->n_steps != r->n_steps) {
        return 0;
    }
    for (i = 0; i < r->n_steps; i++) {
        const part_step *const a = &s->steps[i];
        const part_step *const b = &r->steps[i];
        int const straight = a->from == b->from && a->to == b->to;
        int const crossed = a->from == b->to && a->to == b->from;
        if (!straight && (swaps || !crossed)) {
            return 0;
        }
        if (!same_bits(a->cost, b->cost) ||
            (swaps && (a->node != b->node || a->partner != b->partner))) {
            return 0;
        }
    }
    return 1;
}

static int equal_devices(const subject *s, uint32_t i)
{
    const gsp_partition_result *const r = &s->found;
    const part *const p = &s->expected.parts.at[i];
    uint32_t k;
    if (r->device_count[i] != p->n_ids) {
        return 0;
    }
    for (k = 0; k < p->n_ids; k++) {
        if (s->devices[r->devices[r->device_begin[i] + k]].id != p->ids[k]) {
            return 0;
        }
    }
    return 1;
}

static part_set row(const uint32_t *begin, const uint32_t *list, uint32_t i)
{
    part_set set = 0;
    uint32_t k;
    for (k = begin[i]; k < begin[i + 1u]; k++) {
        set |= (part_set)1 << list[k];
    }
    return set;
}

static part_set calls_of(const part_case *c, part_set nodes)
{
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        nodes &= part_callable(c, v) ? nodes : ~((part_set)1 << v);
    }
    return nodes;
}

/* NULL, or what differs in partition i. */
static const char *differs_in(const subject *s, uint32_t i)
{
    const gsp_partition_result *const r = &s->found;
    const part *const p = &s->expected.parts.at[i];
    if (row(r->part_begin, r->nodes, i) != calls_of(&s->c, p->nodes)) {
        return "the nodes of a partition";
    }
    if (r->part_id[i] != p->id) {
        return "the number of a partition";
    }
    if (r->bytes[i] != p->used) {
        return "the bytes of a partition";
    }
    if (!equal_devices(s, i)) {
        return "the devices of a partition";
    }
    if (row(r->parent_begin, r->parents, i) != p->parents ||
        row(r->child_begin, r->children, i) != p->children || r->level[i] != p->level) {
        return "parents, children or level of a partition";
    }
    if (!same_bits(r->latency[i].mem, p->path.mem) ||
        !same_bits(r->latency[i].compute, p->path.compute) ||
        !same_bits(r->latency[i].overall, p->path.overall)) {
        return "the critical path of a partition";
    }
    return NULL;
}

static const char *differs(const subject *s)
{
    const gsp_partition_result *const r = &s->found;
    const part_result *const e = &s->expected;
    const char *what = NULL;
    uint32_t i;
    if (s->status != e->status) {
        return "the status";
    }
    if (!equal_steps(s)) {
        return "the sequence of steps";
    }
    if (s->status != GSP_OK) {
        return e->node != PART_NONE && s->err.node != e->node ? "the node at fault" : NULL;
    }
    if (r->n_parts != e->parts.n) {
        return "the number of partitions";
    }
    for (i = 0; i < r->n_parts && what == NULL; i++) {
        what = differs_in(s, i);
    }
    if (what == NULL && !same_bits(r->total, e->latency)) {
        what = "the latency of the graph";
    }
    return what;
}

/* ---- what holds for every result, whatever the mode ---- */

/* Union of what stands on a device. */
static part_set on_device(const subject *s, uint32_t device)
{
    const part_list *const list = &s->expected.parts;
    part_set nodes = 0;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < list->n; i++) {
        for (k = 0; k < list->at[i].n_ids; k++) {
            nodes |= list->at[i].ids[k] == s->c.device_id[device] ? list->at[i].nodes : 0u;
        }
    }
    return nodes;
}

static const char *wrong_memory(const subject *s)
{
    uint32_t d;
    for (d = 0; d < s->c.n_devices; d++) {
        uint64_t const bytes = part_bytes(&s->c, on_device(s, d));
        if (bytes != s->found.device_bytes[d]) {
            return "the bytes of a device";
        }
        if (bytes > s->c.capacity[d] && s->c.mode != PART_AOT) {
            return "the memory of a device, which is exceeded";
        }
    }
    return NULL;
}

/* The cost never rises from step to step, and with KL falls. */
static const char *wrong_costs(const subject *s)
{
    double before = s->expected.begin;
    uint32_t i;
    for (i = 0; i < s->n_steps && (s->c.mode == PART_COST || s->c.mode == PART_KL); i++) {
        double const cost = s->steps[i].cost;
        if (cost > before || (s->c.mode == PART_KL && cost >= before)) {
            return "the cost, which rises";
        }
        before = cost;
    }
    return NULL;
}

/* Every second again, from the seconds of the nodes alone. */
static const char *wrong_seconds(const subject *s)
{
    const gsp_partition_result *const r = &s->found;
    double longest = 0.0;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < r->n_parts; i++) {
        double const alone = part_longest(&s->c, s->expected.parts.at[i].nodes);
        double late = 0.0;
        if (!same_bits(alone, r->latency[i].overall)) {
            return "the longest of all paths of a partition";
        }
        for (k = r->parent_begin[i]; k < r->parent_begin[i + 1u]; k++) {
            double const moving = (double)r->parent_bytes[k] / s->c.rate;
            double const ready = r->finish[r->parents[k]] + r->parent_seconds[k];
            if (!same_bits(moving, r->parent_seconds[k])) {
                return "the seconds of moving";
            }
            late = ready > late ? ready : late;
        }
        if (!same_bits(late + alone, r->finish[i])) {
            return "the finish of a partition";
        }
        longest = r->finish[i] > longest ? r->finish[i] : longest;
    }
    return same_bits(longest, r->total) ? NULL : "the last finish";
}

/* The DAG: a call a partition, in the order of the root; its outputs are what unpacks it. */
static const char *wrong_dag(const subject *s)
{
    const gsp_partition_result *const r = &s->found;
    gsp_graph const root = gsp_module_graph(&r->parts->module, 0);
    uint32_t i;
    uint32_t k;
    for (i = 0; i < r->n_parts; i++) {
        gsp_node const call = r->parts->call[i];
        uint32_t n_users;
        const gsp_node *const users = gsp_node_users(&root, call, &n_users);
        uint32_t at = r->dag_out_begin[i];
        if (i != 0u && call <= r->parts->call[i - 1u]) {
            return "the order of the calls";
        }
        for (k = 0; k < n_users; k++) {
            gsp_str const target = gsp_node_target(&root, users[k]);
            if (gsp_str_equal(target, gsp_str_of("operator.getitem")) &&
                (at == r->dag_out_begin[i + 1u] || r->dag_out[at++] != users[k])) {
                return "the outputs of a submodule";
            }
        }
        if (at == r->dag_out_begin[i] && r->dag_out[at++] != call) {
            return "the output of a submodule";
        }
        if (at != r->dag_out_begin[i + 1u]) {
            return "the number of outputs of a submodule";
        }
    }
    return NULL;
}

static int check_case(subject *s)
{
    const char *what;
    if (!subject_run(s)) {
        return 0;
    }
    what = differs(s);
    what = what == NULL ? wrong_costs(s) : what;
    if (what == NULL && s->status == GSP_OK) {
        what = wrong_memory(s);
        what = what == NULL ? wrong_seconds(s) : what;
        what = what == NULL ? wrong_dag(s) : what;
    }
    if (!T_CHECK(what == NULL)) {
        show(s, what);
        return 0;
    }
    return 1;
}

/* ---- random graphs ---- */

typedef struct tally {
    uint32_t done;
    uint32_t steps;
    uint32_t several;
} tally;

static tally compare(part_mode mode, uint32_t most_calls, uint32_t count)
{
    t_rng rng = {t_seed + mode};
    subject s;
    tally t = {0, 0, 0};
    uint32_t i;
    subject_open(&s);
    for (i = 0; i < count && !t_failed(); i++) {
        part_random(&rng, mode, most_calls, &s.c);
        if (check_case(&s)) {
            t.done += s.status == GSP_OK ? 1u : 0u;
            t.steps += s.n_steps;
            t.several += s.found.n_parts > 1u ? 1u : 0u;
        }
    }
    subject_close(&s);
    return t;
}

/* At least so many per cent of the cases had several partitions, and so many steps in all. */
static void check_mode(
    part_mode mode, uint32_t most_calls, uint32_t count, uint32_t several, uint32_t steps)
{
    tally const t = compare(mode, most_calls, count);
    T_CHECK(t_failed() || t.several * 100u >= count * several);
    T_CHECK(t_failed() || t.steps * 100u >= count * steps);
}

static void test_size(void)
{
    check_mode(PART_SIZE, 16, t_fast ? 1000u : 20000u, 25, 0);
}

static void test_sparse(void)
{
    check_mode(PART_SPARSE, 16, t_fast ? 1000u : 20000u, 10, 20);
}

static void test_cost(void)
{
    check_mode(PART_COST, 12, t_fast ? 200u : 20000u, 20, 80);
}

static void test_kl(void)
{
    check_mode(PART_KL, 10, t_fast ? 400u : 20000u, 20, t_fast ? 10u : 20u);
}

static void test_aot(void)
{
    check_mode(PART_AOT, 16, t_fast ? 500u : 5000u, 40, 0);
}

/* ---- bytes and critical paths of any partitions ---- */

/* The nodes that are said to be critical, added up from the top, are a path of these seconds. */
static const char *wrong_critical(
    const subject *s, const uint32_t *part_of, uint32_t which, const gsp_latency_result *r)
{
    uint8_t critical[PART_NODES + 1u] = {0};
    double overall = 0.0;
    uint32_t before = PART_NONE;
    uint32_t v;
    for (v = r->last[which]; v != GSP_NONE; v = r->from[v]) {
        critical[v] = 1u;
    }
    for (v = 0; v < s->c.n; v++) {
        if (part_callable(&s->c, v) && part_of[v] == which && critical[v]) {
            if (before != PART_NONE && !has(s->c.in[v], before)) {
                return "the critical path, which is none";
            }
            overall += s->c.mem[v] > s->c.compute[v] ? s->c.mem[v] : s->c.compute[v];
            before = v;
        }
    }
    return same_bits(overall, r->latency[which].overall) ? NULL
                                                         : "the critical path, which is shorter";
}

static const char *wrong_parts(subject *s, const uint32_t *part_of, uint32_t n_parts)
{
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    gsp_latency_desc desc = {0};
    gsp_latency_result r;
    uint32_t words[(PART_NODES + 1u + 31u) / 32u];
    const char *what = NULL;
    uint32_t i;
    uint32_t v;
    desc.n_parts = n_parts;
    desc.part_of = part_of;
    desc.mem = s->desc.mem;
    desc.compute = s->desc.compute;
    if (gsp_latency_run(&s->arena, &s->graph, &desc, &r, &s->err) != GSP_OK) {
        return "the status of the latencies";
    }
    for (i = 0; i < n_parts && what == NULL; i++) {
        part_set calls = 0;
        gsp_bitset nodes;
        part_path path;
        memset(words, 0, sizeof(words));
        for (v = 0; v < s->c.n; v++) {
            if (part_of[v] == i) {
                words[v / 32u] |= 1u << (v % 32u); /* what is not callable is ignored */
                calls |= part_callable(&s->c, v) ? (part_set)1 << v : 0u;
            }
        }
        nodes.words = words;
        nodes.n = s->graph.n_nodes;
        path = part_critical(&s->c, calls);
        if (gsp_part_bytes(&s->graph, &nodes) != part_bytes(&s->c, part_close(&s->c, calls))) {
            what = "the bytes of a set";
        } else if (!same_bits(r.latency[i].mem, path.mem) ||
                   !same_bits(r.latency[i].compute, path.compute) ||
                   !same_bits(r.latency[i].overall, path.overall)) {
            what = "the latency of a set";
        } else {
            what = wrong_critical(s, part_of, i, &r);
        }
    }
    gsp_arena_rewind(&s->arena, mark);
    return what;
}

static void test_parts(void)
{
    t_rng rng = {t_seed + 5u};
    uint32_t const count = t_fast ? 300u : 5000u;
    uint32_t part_of[PART_NODES + 1u];
    subject s;
    uint32_t i;
    uint32_t v;
    subject_open(&s);
    for (i = 0; i < count && !t_failed(); i++) {
        uint32_t const n_parts = 1u + t_below(&rng, 4u);
        const char *what;
        part_random(&rng, PART_SIZE, 16, &s.c);
        for (v = 0; v <= s.c.n; v++) {
            part_of[v] = t_chance(&rng, 15) ? GSP_NONE : t_below(&rng, n_parts);
        }
        if (subject_run(&s)) {
            what = wrong_parts(&s, part_of, n_parts);
            if (!T_CHECK(what == NULL)) {
                show(&s, what);
            }
        }
    }
    subject_close(&s);
}

/* A node that leaves takes along the attribute that only it reads. */
static void test_leaving(void)
{
    static const char text[] = "graph():\n"
                               "    %a : [num_users=1] = placeholder[target=a]  # f32[4]\n"
                               "    %b : [num_users=1] = placeholder[target=b]  # f32[4]\n"
                               "    %add : [num_users=1] = call_function[target=operator.add]"
                               "(args = (%a, %b), kwargs = {})  # f32[4]\n"
                               "    %c : [num_users=1] = get_attr[target=c]  # f32[4]\n"
                               "    %add_1 : [num_users=1] = call_function[target=operator.add]"
                               "(args = (%add, %c), kwargs = {})  # f32[4]\n"
                               "    %d : [num_users=1] = get_attr[target=d]  # f32[4]\n"
                               "    %add_2 : [num_users=1] = call_function[target=operator.add]"
                               "(args = (%add_1, %d), kwargs = {})  # f32[4]\n"
                               "    return add_2\n";
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_bitset nodes;
    uint32_t word = 0x54u; /* add, add_1, add_2 */
    if (t_must_read(&arena, text, &module)) {
        graph = gsp_module_graph(&module, 0);
        nodes.words = &word;
        nodes.n = graph.n_nodes;
        T_EQUAL(gsp_part_bytes(&graph, &nodes), 112);
        word = 0x14u;
        T_EQUAL(gsp_part_bytes(&graph, &nodes), 80);
        t_arena_close(&arena);
    }
}

/* ---- stopped early ---- */

typedef struct stopper {
    uint32_t calls;
    uint32_t at;
    uint64_t work;
    int wrong;
} stopper;

/* Stops at the call `at`; work and merges only rise. */
static int stop_at(void *user, const gsp_partition_progress *at)
{
    stopper *const p = (stopper *)user;
    p->wrong |= at->work < p->work || at->done > at->total;
    p->work = at->work;
    return ++p->calls >= p->at;
}

/* All steps but the last are those of the whole run; the last is the best of what was tried. */
static const char *wrong_prefix(const subject *s, const part_result *whole)
{
    double before = whole->begin;
    uint32_t i;
    for (i = 0; i < s->n_steps; i++) {
        const part_step *const a = &s->steps[i];
        const part_step *const b = &whole->steps[i];
        if (i + 1u < s->n_steps && (i >= whole->n_steps || a->from != b->from || a->to != b->to ||
                                       !same_bits(a->cost, b->cost))) {
            return "the steps before it was stopped";
        }
        if (a->cost > before) {
            return "the cost, which rises";
        }
        before = a->cost;
    }
    return NULL;
}

/* A result of a run that was stopped: valid, and its figures are those of its partitions. */
static const char *wrong_stopped(subject *s)
{
    part_result const whole = s->expected;
    const char *what = wrong_prefix(s, &whole);
    if (what == NULL && s->status == GSP_OK && !s->found.single) {
        part_take(&s->c, s->found.part_of, s->found.n_parts, &s->expected);
        s->expected.n_steps = s->n_steps;
        memcpy(s->expected.steps, s->steps, sizeof(s->steps));
        what = differs(s);
        what = what == NULL ? wrong_memory(s) : what;
        what = what == NULL ? wrong_seconds(s) : what;
        what = what == NULL && s->found.work > s->desc.max_work && s->desc.max_work != 0u
                   ? "the work, which exceeds its limit"
                   : what;
        s->expected = whole;
    }
    return what;
}

/* The whole run, then with less work or a callback that stops. */
static int check_stopped(t_rng *rng, subject *s, uint32_t *stopped)
{
    uint64_t const work = s->found.work;
    stopper p = {0, 0, 0, 0};
    const char *what;
    gsp_mark const start = {0u, 0u};
    if (work == 0u) {
        return 1;
    }
    if (t_chance(rng, 50)) {
        s->desc.max_work = 1u + t_below(rng, (uint32_t)work);
    } else {
        s->desc.progress = stop_at;
        s->desc.progress_user = &p;
        s->desc.progress_every = 1u + t_below(rng, 3u);
        p.at = 1u + t_below(rng, (uint32_t)work);
    }
    s->n_steps = 0;
    gsp_arena_rewind(&s->arena, start);
    s->status = gsp_partition_run(&s->arena, &s->graph, &s->desc, &s->found, &s->err);
    what = wrong_stopped(s);
    what = what == NULL && p.wrong ? "the progress" : what;
    if (!T_CHECK(what == NULL) || !T_CHECK(s->status == GSP_OK || s->status == GSP_STATUS_NO_FIT)) {
        show(s, what != NULL ? what : "the status");
        return 0;
    }
    *stopped += s->status == GSP_OK && s->found.stopped ? 1u : 0u;
    return 1;
}

static void test_stopped(void)
{
    t_rng rng = {t_seed + 77u};
    uint32_t const count = t_fast ? 200u : 5000u;
    uint32_t stopped = 0;
    subject s;
    uint32_t i;
    subject_open(&s);
    for (i = 0; i < count && !t_failed(); i++) {
        part_random(&rng, i % 2u != 0u ? PART_COST : PART_KL, 9, &s.c);
        s.c.saturate = 0;
        if (check_case(&s) && s.status == GSP_OK) {
            (void)check_stopped(&rng, &s, &stopped);
        }
    }
    T_CHECK(t_failed() || stopped > count / 20u);
    subject_close(&s);
}

/* ---- what the modes promise, against all assignments of small graphs ---- */

/* All ways to put the callable nodes into partitions and these onto devices. */
typedef struct search {
    const part_case *c;
    uint32_t calls[PART_NODES];
    uint32_t n_calls;
    part_list list;
    int spread;   /* sparse-nn, and there are embeddings */
    int possible; /* some assignment is acyclic and fits the devices */
    int met;      /* the one that is looked for is among them */
    double least; /* seconds of the best */
    const part_list *wanted;
} search;

static int fits(const search *s)
{
    uint32_t d;
    uint32_t i;
    for (d = 0; d < s->c->n_devices; d++) {
        part_set nodes = 0;
        for (i = 0; i < s->list.n; i++) {
            nodes |= s->list.at[i].ids[0] == s->c->device_id[d] ? s->list.at[i].nodes : 0u;
        }
        if (part_bytes(s->c, nodes) > s->c->capacity[d]) {
            return 0;
        }
    }
    return 1;
}

static int is_wanted(const search *s)
{
    uint32_t i;
    uint32_t j;
    if (s->wanted->n != s->list.n) {
        return 0;
    }
    for (i = 0; i < s->list.n; i++) {
        for (j = 0; j < s->list.n; j++) {
            const part *const w = &s->wanted->at[j];
            if (w->ids[0] == s->list.at[i].ids[0] &&
                part_close(s->c, calls_of(s->c, w->nodes)) == s->list.at[i].nodes) {
                break;
            }
        }
        if (j == s->list.n) {
            return 0;
        }
    }
    return 1;
}

/* An embedding of sparse-nn: 1; another call: 2. */
static int kinds_of(const part_case *c, part_set nodes)
{
    int kinds = 0;
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        kinds |= !has(nodes, v) || !part_callable(c, v) ? 0 : c->op[v] == PART_EMBEDDING ? 1 : 2;
    }
    return kinds;
}

/* The partitions that the mode gave are those of the list. */
static int is_same_cut(const search *s)
{
    uint32_t found = 0;
    uint32_t i;
    uint32_t j;
    for (i = 0; i < s->list.n; i++) {
        for (j = 0; j < s->wanted->n; j++) {
            part_set const calls = calls_of(s->c, s->wanted->at[j].nodes);
            found += part_close(s->c, calls) == s->list.at[i].nodes ? 1u : 0u;
        }
    }
    return found == s->list.n && s->wanted->n == s->list.n;
}

/* With embeddings: every partition has one kind of calls, a device has one partition of embeddings
 * and all others, and room for all of that. */
static void judge_embeddings(search *s)
{
    const part_list *const list = &s->list;
    part_set others = 0;
    uint32_t tables = 0;
    uint32_t i;
    for (i = 0; i < list->n; i++) {
        int const kinds = kinds_of(s->c, list->at[i].nodes);
        if (kinds == 3) {
            return;
        }
        others |= kinds == 2 ? list->at[i].nodes : 0u;
        tables += kinds == 1 ? 1u : 0u;
    }
    if (tables > s->c->n_devices) {
        return;
    }
    for (i = 0; i < list->n; i++) {
        if (kinds_of(s->c, list->at[i].nodes) == 1 &&
            part_bytes(s->c, others | list->at[i].nodes) > s->c->capacity[0]) {
            return;
        }
    }
    s->possible = 1;
    s->met |= is_same_cut(s);
}

static void judge(search *s)
{
    part_list *const list = &s->list;
    uint32_t i;
    double seconds;
    if (!fits(s)) {
        return;
    }
    for (i = 0; i < list->n; i++) {
        list->at[i].path = part_critical(s->c, list->at[i].nodes);
    }
    seconds = part_latency(s->c, list);
    if (!s->possible || seconds < s->least) {
        s->least = seconds;
    }
    s->possible = 1;
    s->met |= is_wanted(s);
}

static void each_mapping(search *s, uint32_t i)
{
    uint32_t d;
    if (i == s->list.n) {
        judge(s);
        return;
    }
    for (d = 0; d < s->c->n_devices; d++) {
        s->list.at[i].n_ids = 1;
        s->list.at[i].ids[0] = s->c->device_id[d];
        each_mapping(s, i + 1u);
    }
}

static void each_assignment(search *s, uint32_t k)
{
    part_list const before = s->list;
    uint32_t i;
    if (k == s->n_calls) {
        part_relate(s->c, &s->list);
        if (!part_cyclic(&s->list)) {
            if (s->spread) {
                judge_embeddings(s);
            } else {
                each_mapping(s, 0);
            }
        }
        s->list = before;
        return;
    }
    for (i = 0; i <= before.n; i++) {
        if (i == before.n) {
            memset(&s->list.at[i], 0, sizeof(s->list.at[i]));
            s->list.n++;
        }
        s->list.at[i].nodes |= part_close(s->c, (part_set)1 << s->calls[k]);
        each_assignment(s, k + 1u);
        s->list = before;
    }
}

/* Nothing that a mode gives lies outside of what is possible, and nothing is below the best. */
static void check_promises(subject *s, search *all)
{
    uint32_t v;
    memset(all, 0, sizeof(*all));
    all->c = &s->c;
    all->wanted = &s->expected.parts;
    for (v = 0; v < s->c.n; v++) {
        if (part_callable(&s->c, v)) {
            all->calls[all->n_calls++] = v;
            all->spread |= s->c.mode == PART_SPARSE && s->c.op[v] == PART_EMBEDDING;
        }
    }
    each_assignment(all, 0);
    if (s->status == GSP_OK && !s->found.single &&
        (!T_CHECK(all->met) || !T_CHECK(all->spread || s->found.total >= all->least))) {
        show(s, "what is possible");
    }
    if (!all->possible && !T_CHECK(s->status == GSP_STATUS_NO_FIT)) {
        show(s, "whether it is possible");
    }
}

/* Some calls become embeddings, and no device has room for everything. */
static void add_embeddings(t_rng *rng, part_case *c)
{
    part_set all = 0;
    uint64_t bytes;
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        all |= part_callable(c, v) ? (part_set)1 << v : 0u;
        if (part_callable(c, v) && t_chance(rng, 40)) {
            c->op[v] = PART_EMBEDDING;
            c->params[v] = 200u + t_below(rng, 400u);
        }
    }
    bytes = part_bytes(c, part_close(c, all)) * (60u + t_below(rng, 39u)) / 100u;
    for (v = 0; v < c->n_devices; v++) {
        c->capacity[v] = bytes;
    }
}

static void test_promises(void)
{
    static const part_mode modes[] = {PART_SIZE, PART_COST, PART_KL, PART_SPARSE};
    uint32_t const count = t_fast ? 160u : 2000u;
    t_rng rng = {t_seed};
    subject s;
    search *const all = (search *)t_alloc(sizeof(*all));
    uint32_t several = 0;
    uint32_t spread = 0;
    uint32_t i;
    subject_open(&s);
    for (i = 0; i < count && !t_failed(); i++) {
        part_random(&rng, modes[i % 4u], t_fast ? 5u : 7u, &s.c);
        s.c.saturate = 0;
        if (s.c.n_devices > 2u) {
            s.c.n_devices = 2u + i / 4u % 2u;
        }
        if (s.c.mode == PART_SPARSE) {
            add_embeddings(&rng, &s.c);
        }
        if (check_case(&s) && s.status != GSP_STATUS_ARG) {
            check_promises(&s, all);
            several += s.found.n_parts > 1u ? 1u : 0u;
            spread += all->spread && s.status == GSP_OK && s.found.n_parts > 1u ? 1u : 0u;
        }
    }
    T_CHECK(several > count / (t_fast ? 20u : 8u)); /* the small graphs often fit one device */
    T_CHECK(spread > count / (t_fast ? 200u : 50u));
    free(all);
    subject_close(&s);
}

/* ---- what AOT promises: any assignment that is acyclic, as it is ---- */

typedef struct aot_search {
    subject s;
    uint32_t calls[PART_NODES];
    uint32_t n_calls;
    uint32_t acyclic;
    uint32_t cyclic;
} aot_search;

/* Partitions wait for each other: some call reads, directly or not, of a partition what this one
 * reads of its own. Closure over the parents of the list, without the model's own test. */
static int waits_in_a_circle(const part_case *c)
{
    part_set before[PART_NODES];
    uint32_t round;
    uint32_t u;
    uint32_t v;
    memset(before, 0, sizeof(before));
    for (round = 0; round < PART_NODES; round++) {
        for (v = 0; v < c->n; v++) {
            for (u = 0; part_callable(c, v) && u < v; u++) {
                if (has(c->in[v], u) && part_callable(c, u) && c->assign[u] != c->assign[v]) {
                    before[c->assign[v]] |= before[c->assign[u]] | (part_set)1 << c->assign[u];
                }
            }
        }
    }
    for (v = 0; v < c->n; v++) {
        if (part_callable(c, v) && has(before[c->assign[v]], c->assign[v])) {
            return 1;
        }
    }
    return 0;
}

/* Its partitions are those of the caller, on the caller's devices, full or not. */
static const char *not_as_given(const subject *s)
{
    const gsp_partition_result *const r = &s->found;
    uint32_t i;
    uint32_t k;
    uint32_t v;
    for (v = 0; v < s->c.n; v++) {
        if (part_callable(&s->c, v) && r->part_id[r->part_of[v]] != s->c.assign[v]) {
            return "the partition of a node";
        }
    }
    for (i = 0; i < r->n_parts; i++) {
        part_set devices = 0;
        for (k = 0; k < r->device_count[i]; k++) {
            devices |= (part_set)1 << r->devices[r->device_begin[i] + k];
        }
        if (devices != s->c.aot_devices[r->part_id[i]]) {
            return "the devices of a partition";
        }
        if (i > 0u && r->part_id[i - 1u] >= r->part_id[i]) {
            return "the order of partitions";
        }
    }
    return NULL;
}

static void check_given(aot_search *a)
{
    int const circle = waits_in_a_circle(&a->s.c);
    const char *what;
    if (!check_case(&a->s)) {
        return;
    }
    a->cyclic += circle ? 1u : 0u;
    a->acyclic += circle ? 0u : 1u;
    what = a->s.status == (circle ? GSP_STATUS_CYCLE : GSP_OK) ? NULL : "whether it is possible";
    what = what == NULL && !circle ? not_as_given(&a->s) : what;
    if (!T_CHECK(what == NULL)) {
        show(&a->s, what);
    }
}

/* All ways to put the calls from the k-th on into partitions, of which `n` have some. */
static void each_given(aot_search *a, uint32_t k, uint32_t n)
{
    uint32_t i;
    if (k == a->n_calls) {
        check_given(a);
        return;
    }
    for (i = 0; i <= n && !t_failed(); i++) {
        a->s.c.assign[a->calls[k]] = i;
        each_given(a, k + 1u, i == n ? n + 1u : n);
    }
}

static void test_given(void)
{
    uint32_t const count = t_fast ? 16u : 30u;
    t_rng rng = {t_seed + 9u};
    aot_search *const a = (aot_search *)t_alloc(sizeof(*a));
    uint32_t i;
    uint32_t v;
    memset(a, 0, sizeof(*a));
    subject_open(&a->s);
    for (i = 0; i < count && !t_failed(); i++) {
        part_random(&rng, PART_AOT, t_fast ? 5u : 7u, &a->s.c);
        a->s.c.saturate = 0;
        a->n_calls = 0;
        for (v = 0; v < a->s.c.n; v++) {
            if (part_callable(&a->s.c, v)) {
                a->s.c.aot_devices[a->n_calls] |= (part_set)1 << t_below(&rng, a->s.c.n_devices);
                a->calls[a->n_calls++] = v;
            }
        }
        each_given(a, 0, 0);
    }
    T_CHECK(a->acyclic > count && a->cyclic > (t_fast ? 0u : count));
    subject_close(&a->s);
    free(a);
}

void suite_oracle_partition(void)
{
    t_run("size", test_size);
    t_run("sparse", test_sparse);
    t_run("cost", test_cost);
    t_run("kl", test_kl);
    t_run("aot", test_aot);
    t_run("parts", test_parts);
    t_run("leaving", test_leaving);
    t_run("stopped", test_stopped);
    t_run("promises", test_promises);
    t_run("given", test_given);
}
