/* gsp_limits_run() against all cuts of accelerator subgraphs into consecutive pieces, with
 * parameters, inputs and outputs counted one by one. */
#include "examples/extra/graphsplit_limits.h"
#include "tests/t.h"

#define MOST 10u /* callable nodes */

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    gsp_placement placement;
    gsp_split_desc options;
    gsp_split_result whole; /* without limits, of the placement that the pass returns */
    gsp_split_result split; /* with its phases */
    gsp_limit limits[2];
    gsp_limits_desc desc;
    gsp_limits_result r;
    uint32_t part[64];
    gsp_error err;
} subject;

/* ---- random graphs ---- */

static void put_type(gsp_builder *b, t_rng *rng)
{
    t_string type = {NULL, 0u, 0u};
    t_puts(&type, "u8[");
    t_number(&type, 1u + t_below(rng, 20u));
    t_puts(&type, "]");
    gsp_build_type(b, gsp_str_of(type.data));
    t_free(&type);
}

static gsp_node put_node(gsp_builder *b, t_rng *rng, gsp_op op, uint32_t id, const char *target)
{
    t_string name = {NULL, 0u, 0u};
    gsp_node v;
    t_puts(&name, "n");
    t_number(&name, id);
    v = gsp_build_node(b, op, gsp_str_of(name.data), gsp_str_of(target));
    t_free(&name);
    put_type(b, rng);
    return v;
}

static void put_call(gsp_builder *b, t_rng *rng, uint32_t id, uint32_t first, int chain)
{
    static const char *const modules[] = {"m0", "m1"};
    static const char *const params[] = {"7", "30"};
    uint32_t const module = t_below(rng, 2u);
    int const is_module = t_chance(rng, 25);
    (void)put_node(b, rng, is_module ? GSP_OP_CALL_MODULE : GSP_OP_CALL_FUNCTION, id,
        is_module ? modules[module] : "f");
    gsp_build_arg_node(b, chain ? id - 1u : t_below(rng, id));
    for (uint32_t more = t_below(rng, 3u); more > 0u; more--) {
        gsp_build_arg_node(b, t_below(rng, chain ? first : id));
    }
    if (is_module) {
        gsp_build_attr(b, gsp_str_of("params"), gsp_str_of(params[module]));
    }
    gsp_build_attr(b, gsp_str_of("acc"), gsp_str_of(t_chance(rng, 90) ? "1" : "0"));
    if (t_chance(rng, 15)) {
        gsp_build_attr(b, gsp_str_of("group"), gsp_str_of(t_chance(rng, 50) ? "0" : "1"));
    }
}

/* Two inputs, three parameters of two targets, then calls; a chain or not. */
static int build(t_rng *rng, subject *s)
{
    static const char *const targets[] = {"x", "y", "w0", "w1", "w0"};
    gsp_counts const counts = gsp_build_counts(1, 32, 128, 64, 64, 4096);
    uint32_t const n = 1u + t_below(rng, MOST);
    int const chain = t_chance(rng, 40);
    gsp_builder b;
    s->text.low = s->text.high = 0;
    T_EQUAL(gsp_build_init(&b, &s->text, &counts, &s->err), GSP_OK);
    gsp_build_graph(&b, gsp_str_of(""));
    for (uint32_t i = 0; i < 5u; i++) {
        (void)put_node(&b, rng, i < 2u ? GSP_OP_PLACEHOLDER : GSP_OP_GET_ATTR, i, targets[i]);
    }
    for (uint32_t i = 5; i < 5u + n; i++) {
        put_call(&b, rng, i, 5u, chain);
    }
    (void)gsp_build_output(&b);
    gsp_build_open(&b, GSP_ARG_TUPLE);
    gsp_build_arg_node(&b, 4u + n);
    if (t_chance(rng, 50)) {
        gsp_build_arg_node(&b, 5u + t_below(rng, n));
    }
    gsp_build_close(&b);
    if (!T_EQUAL(gsp_build_finish(&b, &s->module, &s->err), GSP_OK)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->module, 0u);
    s->arena.low = s->arena.high = 0;
    return T_EQUAL(gsp_support_run(&s->arena, &s->g, NULL, &s->placement, &s->err), GSP_OK);
}

/* ---- what a set of nodes has ---- */

static int is_in(const subject *s, gsp_node v, uint32_t part)
{
    return gsp_node_is_callable(&s->g, v) && s->part[v] == part;
}

/* 1 if an earlier node of the part counts the parameter of `op` and target already. */
static int was_counted(const subject *s, gsp_node v, gsp_op op, uint32_t part)
{
    gsp_str const target = gsp_node_target(&s->g, v);
    for (gsp_node u = 0; u < v; u++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(&s->g, u, &n);
        int reads = op == GSP_OP_CALL_MODULE && is_in(s, u, part);
        for (uint32_t i = 0; i < n; i++) {
            reads |= op == GSP_OP_GET_ATTR && is_in(s, users[i], part);
        }
        if (reads && gsp_node_op(&s->g, u) == op &&
            gsp_str_equal(gsp_node_target(&s->g, u), target)) {
            return 1;
        }
    }
    return 0;
}

/* The bytes of a parameter are those of its first node. */
static uint64_t size_of(const subject *s, gsp_node v)
{
    gsp_node u = 0;
    while (gsp_node_op(&s->g, u) != gsp_node_op(&s->g, v) ||
           !gsp_str_equal(gsp_node_target(&s->g, u), gsp_node_target(&s->g, v))) {
        u++;
    }
    return gsp_node_params(&s->g, u);
}

static int within(subject *s, uint32_t part, uint32_t n_parts)
{
    gsp_liveness_desc d;
    gsp_liveness_result peaks;
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    gsp_limit have = {0u, 0u, 0u, 0u};
    gsp_limit const *l = &s->limits[1];
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        gsp_op const op = gsp_node_op(&s->g, v);
        uint32_t n;
        const gsp_node *users = gsp_node_users(&s->g, v, &n);
        int inside = 0;
        int outside = 0;
        for (uint32_t i = 0; i < n; i++) {
            inside |= is_in(s, users[i], part);
            outside |= !is_in(s, users[i], part);
        }
        if (op == GSP_OP_GET_ATTR ? inside : op == GSP_OP_CALL_MODULE && is_in(s, v, part)) {
            have.params += was_counted(s, v, op, part) ? 0u : size_of(s, v);
        }
        have.outputs += is_in(s, v, part) && outside ? 1u : 0u;
        have.inputs += op != GSP_OP_GET_ATTR && !is_in(s, v, part) && inside ? 1u : 0u;
    }
    memset(&d, 0, sizeof(d));
    d.n_parts = n_parts;
    d.part_of = s->part;
    T_EQUAL(gsp_liveness_run(&s->arena, &s->g, &d, &peaks, &s->err), GSP_OK);
    have.bytes = have.params + peaks.parts[part].bytes;
    gsp_arena_rewind(&s->arena, mark);
    return (l->bytes == 0u || have.bytes <= l->bytes) &&
           (l->params == 0u || have.params <= l->params) &&
           (l->inputs == 0u || have.inputs <= l->inputs) &&
           (l->outputs == 0u || have.outputs <= l->outputs);
}

/* Bytes that leave a part of one subgraph only because of the parts. */
static uint64_t bytes_of(const subject *s, uint32_t subgraph)
{
    const uint32_t *of = s->whole.subgraph_of;
    uint64_t sum = 0;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(&s->g, v, &n);
        int leaves = 0;
        int crosses = 0;
        for (uint32_t i = 0; i < n; i++) {
            leaves |= of[users[i]] != of[v];
            crosses |= of[users[i]] == of[v] && s->part[users[i]] != s->part[v];
        }
        sum += of[v] == subgraph && !leaves && crosses ? gsp_node_bytes(&s->g, v) : 0u;
    }
    return sum;
}

/* ---- all cuts ---- */

/* The best of k^n assignments of a subgraph to k pieces in order. */
static int best_of(subject *s, uint32_t subgraph, uint32_t k, uint64_t *bytes)
{
    const gsp_node *at = s->whole.nodes + s->whole.subgraph_begin[subgraph];
    uint32_t const n = s->whole.subgraph_begin[subgraph + 1u] - s->whole.subgraph_begin[subgraph];
    int found = 0;
    uint32_t i;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        s->part[v] = k; /* all others */
    }
    for (i = 0; i < n; i++) {
        s->part[at[i]] = 0;
    }
    do {
        int good = 1;
        for (i = 0; i < n && good; i++) {
            uint32_t n_inputs;
            const gsp_node *inputs = gsp_node_inputs(&s->g, at[i], &n_inputs);
            for (uint32_t j = 0; j < n_inputs; j++) {
                good &= s->whole.subgraph_of[inputs[j]] != subgraph ||
                        s->part[inputs[j]] <= s->part[at[i]];
            }
            for (uint32_t j = 0; j < i; j++) {
                good &= s->whole.group[at[j]] == GSP_NONE ||
                        s->whole.group[at[j]] != s->whole.group[at[i]] ||
                        s->part[at[j]] == s->part[at[i]];
            }
        }
        for (i = 0; i < k && good; i++) {
            good = within(s, i, k + 1u);
        }
        if (good) {
            uint64_t const cost = bytes_of(s, subgraph);
            *bytes = !found || cost < *bytes ? cost : *bytes;
            found = 1;
        }
        for (i = 0; i < n && ++s->part[at[i]] == k; i++) {
            s->part[at[i]] = 0;
        }
    } while (i < n);
    return found;
}

static void check_best(subject *s, uint32_t tally[4])
{
    uint64_t bytes = 0;
    uint32_t pieces = 0;
    for (uint32_t i = 0; i < s->whole.n_subgraphs; i++) {
        if (s->whole.subgraph_kind[i] != GSP_KIND_CPU) {
            uint64_t least = 0;
            uint32_t k = 1;
            while (!best_of(s, i, k, &least)) {
                k++;
            }
            pieces += k;
            bytes += least;
        }
    }
    T_CHECK(s->r.n_least <= pieces && pieces <= s->r.n_acc);
    T_CHECK(pieces < s->r.n_acc || bytes <= s->r.bytes);
    if (s->r.proved) {
        T_EQUAL(s->r.n_acc, pieces);
        T_EQUAL(s->r.bytes, bytes);
    }
    tally[0] += s->r.proved;
    tally[1] += s->r.n_acc == pieces && s->r.bytes == bytes;
}

/* ---- the pass ---- */

/* Accelerator subgraphs of the split with phases are within their limits, and as many as told. */
static void check_split(subject *s)
{
    uint64_t bytes = 0;
    uint32_t n_acc = 0;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        s->part[v] = s->split.subgraph_of[v];
    }
    for (uint32_t i = 0; i < s->split.n_subgraphs; i++) {
        if (s->split.subgraph_kind[i] != GSP_KIND_CPU) {
            T_CHECK(within(s, i, s->split.n_subgraphs));
            n_acc++;
        }
    }
    for (uint32_t i = 0; i < s->whole.n_subgraphs; i++) {
        bytes += s->whole.subgraph_kind[i] != GSP_KIND_CPU ? bytes_of(s, i) : 0u;
    }
    T_EQUAL(s->split.n_subgraphs, s->r.n_subgraphs);
    T_EQUAL(n_acc, s->r.n_acc);
    T_EQUAL(bytes, s->r.bytes);
}

static void check_large(const subject *s)
{
    uint32_t n = 0;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        n += s->r.placement.reason[v] == (uint8_t)GSP_REASON_LARGE;
        T_CHECK(s->r.placement.reason[v] != (uint8_t)GSP_REASON_LARGE ||
                (s->placement.kind[v] == 1u && s->r.placement.kind[v] == GSP_KIND_CPU));
    }
    T_EQUAL(n, s->r.n_large);
}

static void check(t_rng *rng, subject *s, uint32_t tally[4])
{
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    memset(&s->options, 0, sizeof(s->options));
    memset(&s->desc, 0, sizeof(s->desc));
    memset(s->limits, 0, sizeof(s->limits));
    s->options.placement = &s->placement;
    s->limits[1].bytes = t_chance(rng, 60) ? 40u + t_below(rng, 80u) : 0u;
    s->limits[1].params = t_chance(rng, 30) ? 10u + t_below(rng, 50u) : 0u;
    s->limits[1].inputs = t_chance(rng, 20) ? 1u + t_below(rng, 3u) : 0u;
    s->limits[1].outputs = t_chance(rng, 20) ? 1u + t_below(rng, 2u) : 0u;
    s->desc.split = &s->options;
    s->desc.limits = s->limits;
    s->desc.max_work = t_chance(rng, 10) ? 1u + t_below(rng, 200u) : 0u;
    gsp_status const status = gsp_limits_run(&s->arena, &s->g, &s->desc, &s->r, &s->err);
    if (status == GSP_STATUS_LIMIT) {
        T_CHECK(s->desc.max_work != 0u && (s->limits[1].inputs | s->limits[1].outputs) != 0u);
        tally[3]++;
    } else if (T_EQUAL(status, GSP_OK)) {
        s->options.placement = &s->r.placement;
        T_EQUAL(gsp_split_run(&s->arena, &s->g, &s->options, &s->whole, &s->err), GSP_OK);
        s->options.phase = s->r.phase;
        T_EQUAL(gsp_split_run(&s->arena, &s->g, &s->options, &s->split, &s->err), GSP_OK);
        check_large(s);
        check_split(s);
        check_best(s, tally);
        tally[2] += s->r.n_large != 0u;
    }
    gsp_arena_rewind(&s->arena, mark);
}

static void test_random(void)
{
    t_rng rng = {t_seed + 47u};
    uint32_t const n = t_fast ? 300u : 2000u;
    uint32_t tally[4] = {0u, 0u, 0u, 0u}; /* proved, best, with large nodes, out of work */
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.text, (size_t)1 << 16u);
    t_arena_open(&s.arena, (size_t)1 << 18u);
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        if (build(&rng, &s)) {
            check(&rng, &s, tally);
        }
    }
    T_CHECK(tally[0] > n / 2u && tally[1] > n / 2u + n / 4u);
    T_CHECK(tally[2] > n / 20u && (t_fast || tally[3] > 0u));
    t_arena_close(&s.arena);
    t_arena_close(&s.text);
}

void suite_oracle_limits(void)
{
    t_run("random", test_random);
}
