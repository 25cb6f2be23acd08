/* Shapes that punish careless algorithms, timed beside a bare Kahn sort over the same rows. */
#include "tests/t.h"

#include <time.h>

typedef struct shape {
    gsp_arena arena;
    gsp_builder b;
    gsp_module m;
    gsp_graph g;
    uint8_t *kind;
    double kahn;  /* seconds */
    double split; /* seconds */
    uint32_t n_subgraphs;
    uint32_t n_groups;
} shape;

/* Functions that add nodes after the placeholder x, which is node 0. */
typedef void (*shape_func)(gsp_builder *b, uint32_t n);

static gsp_node node(gsp_builder *b, int scalar)
{
    char name[32];
    gsp_str text;
    gsp_node v;
    text.data = name;
    text.size = (uint32_t)snprintf(name, sizeof(name), "n%u", (unsigned)b->used.nodes);
    v = gsp_build_node(b, GSP_OP_CALL_FUNCTION, text, gsp_str_of("f"));
    if (scalar) {
        gsp_build_type(b, gsp_str_of("int"));
    }
    return v;
}

static gsp_node node2(gsp_builder *b, int scalar, gsp_node in0, gsp_node in1)
{
    gsp_node const v = node(b, scalar);
    gsp_build_arg_node(b, in0);
    gsp_build_arg_node(b, in1);
    return v;
}

static double seconds(clock_t from)
{
    return (double)(clock() - from) / CLOCKS_PER_SEC;
}

static uint32_t kahn_sort(const gsp_graph *g, uint32_t *degree, gsp_node *queue)
{
    uint32_t head = 0;
    uint32_t tail = 0;
    gsp_node v;
    uint32_t n;
    uint32_t i;
    for (v = 0; v < g->n_nodes; v++) {
        gsp_node_inputs(g, v, &n);
        degree[v] = n;
        if (n == 0u) {
            queue[tail++] = v;
        }
    }
    while (head < tail) {
        const gsp_node *const users = gsp_node_users(g, queue[head++], &n);
        for (i = 0; i < n; i++) {
            if (--degree[users[i]] == 0u) {
                queue[tail++] = users[i];
            }
        }
    }
    return tail;
}

static void time_kahn(shape *s)
{
    uint32_t *const degree = (uint32_t *)t_alloc(s->g.n_nodes * 4u);
    gsp_node *const queue = (gsp_node *)t_alloc(s->g.n_nodes * 4u);
    clock_t start;
    uint32_t run;
    T_EQUAL(kahn_sort(&s->g, degree, queue), s->g.n_nodes);
    start = clock();
    for (run = 0; run < 5u; run++) {
        kahn_sort(&s->g, degree, queue);
    }
    s->kahn = seconds(start) / 5.0;
    free(degree);
    free(queue);
}

static void time_split(shape *s)
{
    gsp_placement p;
    gsp_split_desc desc;
    gsp_split_result r;
    gsp_arena arena;
    uint32_t run;
    memset(&p, 0, sizeof(p));
    memset(&desc, 0, sizeof(desc));
    memset(&r, 0, sizeof(r));
    p.n_nodes = s->g.n_nodes;
    p.n_kinds = 2;
    p.kind = s->kind;
    desc.placement = &p;
    t_arena_open(&arena, gsp_split_bound(&s->g, &desc));
    for (run = 0; run < 3u; run++) {
        gsp_error err;
        clock_t const start = clock();
        double took;
        gsp_arena_init(&arena, arena.base, arena.size);
        T_EQUAL(gsp_split_run(&arena, &s->g, &desc, &r, &err), GSP_OK);
        took = seconds(start);
        s->split = run == 0u || took < s->split ? took : s->split;
    }
    s->n_subgraphs = r.n_subgraphs;
    s->n_groups = r.n_groups;
    t_arena_close(&arena);
}

/* Builds, sorts and splits; `cpu_every`: each so many-th callable node is on the CPU, or 0. */
static void measure(shape *s, shape_func make, uint32_t n, uint32_t nodes, uint32_t cpu_every)
{
    gsp_counts const counts = gsp_build_counts(
        1u, nodes + 2u, 4u * nodes + 8u, nodes + 2u, nodes + 16u, 12u * nodes + 64u);
    gsp_error err;
    gsp_node v;
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, gsp_build_bound(&counts));
    T_EQUAL(gsp_build_init(&s->b, &s->arena, &counts, &err), GSP_OK);
    gsp_build_graph(&s->b, gsp_str_of(""));
    gsp_build_node(&s->b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
    make(&s->b, n);
    gsp_build_output(&s->b);
    gsp_build_constant(&s->b, gsp_str_of("None"));
    if (!T_EQUAL(gsp_build_finish(&s->b, &s->m, &err), GSP_OK)) {
        return;
    }
    s->g = gsp_module_graph(&s->m, 0u);
    s->kind = (uint8_t *)t_alloc(s->g.n_nodes);
    for (v = 0; v < s->g.n_nodes; v++) {
        int const cpu = cpu_every != 0u && v % cpu_every == 0u;
        s->kind[v] = gsp_node_is_callable(&s->g, v) ? (uint8_t)!cpu : GSP_KIND_NONE;
    }
    time_kahn(s);
    time_split(s);
}

static void done(shape *s)
{
    free(s->kind);
    t_arena_close(&s->arena);
}

/* Within so many Kahn sorts; 20 ms are a clock's and a busy machine's. */
static void within(const shape *s, double sorts, int line)
{
    if (!t_check(s->split <= sorts * s->kahn + 0.02, __FILE__, line, "in time")) {
        printf("split %.3f ms, Kahn sort %.3f ms: %.1f times\n", s->split * 1e3, s->kahn * 1e3,
            s->split / s->kahn);
    }
}
#define WITHIN(s, sorts) within((s), (sorts), __LINE__)

static uint32_t scaled(uint32_t n)
{
    return t_fast ? n / 10u : n;
}

static void chain(gsp_builder *b, uint32_t n)
{
    gsp_node v = 0;
    while (n-- != 0u) {
        gsp_node const u = node(b, 1);
        gsp_build_arg_node(b, v);
        v = u;
    }
}

static void test_scalar_chain(void)
{
    shape s;
    uint32_t const n = scaled(100000u);
    measure(&s, chain, n, n, 0u);
    T_EQUAL(s.n_groups, 1);
    T_EQUAL(s.n_subgraphs, 1);
    WITHIN(&s, 50.0);
    done(&s);
}

/* The same with a CPU node at the end: everything falls. */
static void test_scalar_chain_falls(void)
{
    shape s;
    uint32_t const n = scaled(100000u);
    measure(&s, chain, n, n, n);
    T_EQUAL(s.n_groups, 0);
    T_EQUAL(s.n_subgraphs, 1);
    WITHIN(&s, 50.0);
    done(&s);
}

static void pairs(gsp_builder *b, uint32_t n)
{
    while (n-- != 0u) {
        gsp_node const v = node2(b, 1, 0u, 0u);
        node2(b, 0, v, 0u);
    }
}

static void test_many_groups(void)
{
    shape s;
    uint32_t const n = scaled(100000u);
    measure(&s, pairs, n, 2u * n, 0u);
    T_EQUAL(s.n_groups, n);
    WITHIN(&s, 50.0);
    done(&s);
}

/* Groups {v, w} one after the other, each waiting for the one before. */
static void stairs(gsp_builder *b, uint32_t n)
{
    gsp_node last = 0;
    while (n-- != 0u) {
        gsp_node const v = node2(b, 1, last, last);
        last = node2(b, 0, v, 0u);
    }
}

static void test_groups_in_a_row(void)
{
    shape s;
    uint32_t const n = scaled(100000u);
    measure(&s, stairs, n, 2u * n, 0u);
    T_EQUAL(s.n_groups, n);
    WITHIN(&s, 50.0);
    done(&s);
}

/* The seven nodes of case F1, again and again; every group waits for the one before. */
static void interlocked(gsp_builder *b, uint32_t n)
{
    gsp_node x = 0;
    while (n-- != 0u) {
        gsp_node const size = node2(b, 1, x, 0u);
        gsp_node const add = node2(b, 0, x, size);
        gsp_node const size_1 = node2(b, 1, x, 0u);
        gsp_node const add_1 = node2(b, 0, x, size_1);
        gsp_node const add_2 = node2(b, 0, add, add_1);
        gsp_node const mul = node2(b, 0, add_2, size);
        gsp_node const mul_1 = node2(b, 0, add_2, size_1);
        x = node2(b, 0, mul, mul_1);
    }
}

static void test_interlocked(void)
{
    shape s;
    uint32_t const n = scaled(10000u);
    measure(&s, interlocked, n, 8u * n, 0u);
    T_EQUAL(s.n_groups, n);
    WITHIN(&s, 50.0);
    done(&s);
}

/* Groups that span each other like brackets: {a_i, b_i} with all a_i first, then all b_i in the
 * opposite order, each reading the one before. */
static void crossed(gsp_builder *b, uint32_t n)
{
    uint32_t i;
    gsp_node last = 0;
    for (i = 0; i < n; i++) {
        node2(b, 1, 0u, 0u);
    }
    for (i = 0; i < n; i++) {
        last = node2(b, 0, n - i, last);
    }
}

static void test_crossed(void)
{
    shape s;
    uint32_t const n = scaled(10000u);
    measure(&s, crossed, n, 2u * n, 0u);
    T_EQUAL(s.n_subgraphs, 1);
    WITHIN(&s, 50.0);
    done(&s);
}

/* Every group closes over a CPU node, and falls. */
static void broken(gsp_builder *b, uint32_t n)
{
    while (n-- != 0u) {
        gsp_node const v = node2(b, 1, 0u, 0u);
        gsp_node const u = node2(b, 0, v, 0u);
        gsp_node const cpu = node2(b, 0, u, 0u);
        node2(b, 0, v, cpu);
    }
}

static void test_broken_groups(void)
{
    shape s;
    uint32_t v;
    uint32_t const n = scaled(25000u);
    measure(&s, broken, n, 4u * n, 0u);
    for (v = 3; v < s.g.n_nodes - 1u; v += 4u) {
        s.kind[v] = 0;
    }
    time_split(&s);
    T_EQUAL(s.n_groups, 0);
    T_EQUAL(s.n_subgraphs, 1);
    WITHIN(&s, 50.0);
    done(&s);
}

/* Diamonds: a path for every subset, 2^64 of them for 64. */
static void diamonds(gsp_builder *b, uint32_t n)
{
    gsp_node v = node2(b, 1, 0u, 0u);
    while (n-- != 0u) {
        gsp_node const l = node2(b, 0, v, 0u);
        gsp_node const r = node2(b, 0, v, 0u);
        v = node2(b, (int)(n % 2u), l, r);
    }
}

static void test_diamonds(void)
{
    shape s;
    measure(&s, diamonds, 64u, 193u, 0u);
    T_CHECK(s.split < 0.01);
    done(&s);
    measure(&s, diamonds, 64u, 193u, 5u);
    T_CHECK(s.split < 0.01);
    done(&s);
    measure(&s, diamonds, scaled(100000u), 300001u, 3u);
    WITHIN(&s, 50.0);
    done(&s);
}

static void star(gsp_builder *b, uint32_t n)
{
    gsp_node const hub = node2(b, 0, 0u, 0u);
    while (n-- != 0u) {
        node2(b, 0, hub, 0u);
    }
}

static void scalar_star(gsp_builder *b, uint32_t n)
{
    gsp_node const hub = node2(b, 1, 0u, 0u);
    while (n-- != 0u) {
        node2(b, 0, hub, 0u);
    }
}

static void test_stars(void)
{
    shape s;
    uint32_t const n = scaled(1000000u);
    measure(&s, star, n, n + 1u, 2u);
    WITHIN(&s, 20.0);
    done(&s);
    measure(&s, scalar_star, n, n + 1u, 0u);
    T_EQUAL(s.n_subgraphs, 1);
    WITHIN(&s, 50.0);
    done(&s);
    measure(&s, scalar_star, n, n + 1u, n);
    T_EQUAL(s.n_groups, 0);
    WITHIN(&s, 50.0);
    done(&s);
}

/* As many phases as nodes. */
static void test_alternating(void)
{
    shape s;
    uint32_t const n = scaled(1000000u);
    measure(&s, pairs, 1u, 2u, 0u);
    done(&s);
    measure(&s, star, 3u, 4u, 0u);
    done(&s);
    measure(&s, stairs, n / 2u, n, 2u);
    WITHIN(&s, 50.0);
    done(&s);
}

void suite_hard_shapes(void)
{
    t_run("scalar_chain", test_scalar_chain);
    t_run("scalar_chain_falls", test_scalar_chain_falls);
    t_run("many_groups", test_many_groups);
    t_run("groups_in_a_row", test_groups_in_a_row);
    t_run("interlocked", test_interlocked);
    t_run("crossed", test_crossed);
    t_run("broken_groups", test_broken_groups);
    t_run("diamonds", test_diamonds);
    t_run("stars", test_stars);
    t_run("alternating", test_alternating);
}
