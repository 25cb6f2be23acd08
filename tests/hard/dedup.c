/* Shapes that punish careless deduplication, timed beside the same number of nodes that repeat
 * nothing. */
#include "tests/t.h"

#include <time.h>

/* Adds nodes after the placeholders x and y, which are nodes 0 and 1; returns the last. */
typedef gsp_node (*shape_func)(gsp_builder *b, uint32_t n);

typedef struct outcome {
    uint32_t n_classes;
    uint32_t n_alike; /* nodes of all classes */
    uint32_t n_groups;
    uint32_t n_subgraphs;
    uint32_t n_calls;
    uint32_t n_parted; /* calls between which and the call before them something is written */
    uint64_t work;
    double seconds;
} outcome;

static gsp_node node(gsp_builder *b, const char *target, gsp_node in0, gsp_node in1)
{
    char name[32];
    gsp_str text;
    gsp_node v;
    text.data = name;
    text.size = (uint32_t)snprintf(name, sizeof(name), "n%u", (unsigned)b->used.nodes);
    v = gsp_build_node(b, GSP_OP_CALL_FUNCTION, text, gsp_str_of(target));
    gsp_build_type(b, gsp_str_of("f32[4]"));
    gsp_build_arg_node(b, in0);
    if (in1 != GSP_NONE) {
        gsp_build_arg_node(b, in1);
    }
    return v;
}

static gsp_node input(gsp_builder *b, const char *name)
{
    gsp_node const v = gsp_build_node(b, GSP_OP_PLACEHOLDER, gsp_str_of(name), gsp_str_of(name));
    gsp_build_type(b, gsp_str_of("f32[4]"));
    return v;
}

static uint32_t count_parted(const gsp_dedup_result *r)
{
    gsp_graph const root = gsp_module_graph(&r->module, 0);
    uint32_t parted = 0;
    uint32_t c;
    for (c = 1; c < r->selection.n_calls; c++) {
        gsp_node v = r->call[c - 1u];
        while (v < r->call[c] && gsp_node_attr(&root, v, GSP_KEY_MUTATES).data == NULL) {
            v++;
        }
        parted += v < r->call[c] ? 1u : 0u;
    }
    return parted;
}

static outcome run_shape(shape_func make, uint32_t n, const gsp_dedup_desc *desc)
{
    gsp_counts const c =
        gsp_build_counts(1, n + 2000u, 4u * n + 9999u, n + 999u, 2u * n + 9999u, 32u * n + 99999u);
    gsp_arena arena;
    gsp_arena work;
    gsp_builder b;
    gsp_module m;
    gsp_graph g;
    gsp_dedup_result r;
    gsp_error err;
    outcome o;
    clock_t begin;
    gsp_node last;
    memset(&o, 0, sizeof(o));
    t_arena_open(&arena, gsp_build_bound(&c));
    T_EQUAL(gsp_build_init(&b, &arena, &c, &err), GSP_OK);
    gsp_build_graph(&b, gsp_str_of(NULL));
    (void)input(&b, "x");
    (void)input(&b, "y");
    last = make(&b, n);
    (void)gsp_build_output(&b);
    gsp_build_arg_node(&b, last);
    if (!T_EQUAL(gsp_build_finish(&b, &m, &err), GSP_OK)) {
        t_arena_close(&arena);
        return o;
    }
    g = gsp_module_graph(&m, 0);
    t_arena_open(&work, gsp_dedup_bound(&g, desc));
    begin = clock();
    T_EQUAL(gsp_dedup_run(&work, &g, desc, &r, &err), GSP_OK);
    o.seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (!t_failed()) {
        o.n_classes = r.regions.classes.n_classes;
        o.n_alike = r.regions.classes.class_begin[o.n_classes];
        o.n_groups = r.regions.n_groups;
        o.n_subgraphs = r.selection.n_subgraphs;
        o.n_calls = r.selection.n_calls;
        o.n_parted = count_parted(&r);
        o.work = r.regions.work + r.selection.work;
    }
    t_arena_close(&work);
    t_arena_close(&arena);
    return o;
}

/* No node is like another. */
static gsp_node unlike(gsp_builder *b, uint32_t n)
{
    gsp_node v = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        char target[32];
        snprintf(target, sizeof(target), "f%u", (unsigned)i);
        v = node(b, target, v, GSP_NONE);
    }
    return v;
}

/* Every node is like every other, and reads the one before. */
static gsp_node chain(gsp_builder *b, uint32_t n)
{
    gsp_node v = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        v = node(b, "f", v, GSP_NONE);
    }
    return v;
}

/* All alike, all of them read x, one reads them all. */
static gsp_node alike(gsp_builder *b, uint32_t n)
{
    gsp_node last = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        last = node(b, "f", 0, GSP_NONE);
    }
    last = node(b, "cat", last, GSP_NONE);
    for (i = 0; i + 1u < n; i++) {
        gsp_build_arg_node(b, 2u + i);
    }
    return last;
}

/* As many regions of two nodes, side by side. */
static gsp_node alike_in_pairs(gsp_builder *b, uint32_t n)
{
    gsp_node v = 0;
    uint32_t i;
    for (i = 0; i < n / 2u; i++) {
        v = node(b, "f", 0, GSP_NONE);
        v = node(b, "g", v, 1);
    }
    return v;
}

/* The same, each reading the one before. */
static gsp_node chain_of_pairs(gsp_builder *b, uint32_t n)
{
    gsp_node v = 0;
    uint32_t i;
    for (i = 0; i < n / 2u; i++) {
        v = node(b, "f", v, GSP_NONE);
        v = node(b, "g", v, 1);
    }
    return v;
}

/* A thousand copies of one chain, node by node in turn. */
static gsp_node interleaved(gsp_builder *b, uint32_t n)
{
    gsp_node at[1000];
    gsp_node v = 0;
    uint32_t i;
    uint32_t k;
    for (k = 0; k < 1000u; k++) {
        char target[32];
        snprintf(target, sizeof(target), "start%u", (unsigned)k);
        at[k] = node(b, target, 0, GSP_NONE);
    }
    for (i = 1; i < n / 1000u; i++) {
        char target[32];
        snprintf(target, sizeof(target), "f%u", (unsigned)i);
        for (k = 0; k < 1000u; k++) {
            at[k] = node(b, target, at[k], 1);
        }
    }
    for (k = 0; k < 1000u; k++) {
        v = node(b, "end", at[k], v);
    }
    return v;
}

/* Neighbours in a row share an input, which one of them takes in. */
static gsp_node stencil(gsp_builder *b, uint32_t n)
{
    uint32_t const half = n / 2u;
    gsp_node v = 0;
    uint32_t i;
    for (i = 0; i < half; i++) {
        (void)node(b, "from", i % 2u, GSP_NONE);
    }
    for (i = 0; i + 1u < half; i++) {
        v = node(b, "f", 2u + i, 3u + i);
    }
    return v;
}

/* Layers in which two pairs of nodes wait for each other: one of each two regions is refused. */
static gsp_node knots(gsp_builder *b, uint32_t n)
{
    gsp_node h = 0;
    uint32_t i;
    for (i = 0; i < n / 6u; i++) {
        char target[32];
        gsp_node a;
        gsp_node c;
        gsp_node d;
        snprintf(target, sizeof(target), "start%u", (unsigned)i);
        h = node(b, target, h, GSP_NONE);
        a = node(b, "sin", h, GSP_NONE);
        c = node(b, "cos", h, GSP_NONE);
        d = node(b, "mul", a, c);
        c = node(b, "sub", c, a);
        snprintf(target, sizeof(target), "end%u", (unsigned)i);
        h = node(b, target, d, c);
    }
    return h;
}

static void write_to(gsp_builder *b, gsp_node v)
{
    (void)node(b, "fill_", v, GSP_NONE);
    gsp_build_attr(b, gsp_str_of("mutates"), gsp_str_of("0"));
}

/* One region after the other reads y, which is written after each; nothing but that keeps them in
 * order. */
static gsp_node written_between(gsp_builder *b, uint32_t n)
{
    gsp_node v = 0;
    uint32_t i;
    for (i = 0; i < n / 3u; i++) {
        v = node(b, "sin", 0, GSP_NONE);
        v = node(b, "mul", v, 1);
        write_to(b, 1);
    }
    return v;
}

/* Both nodes of what would be a region read y, which is written between them. */
static gsp_node written_within(gsp_builder *b, uint32_t n)
{
    gsp_node v = 0;
    uint32_t i;
    for (i = 0; i < n / 3u; i++) {
        v = node(b, "sin", 1, GSP_NONE);
        write_to(b, 1);
        v = node(b, "mul", v, 1);
    }
    return v;
}

/* Layers of two regions, each of which must see what is written after the other has begun: one of
 * each two is refused. */
static gsp_node written_across(gsp_builder *b, uint32_t n)
{
    gsp_node h = 0;
    uint32_t i;
    for (i = 0; i < n / 8u; i++) {
        char target[32];
        gsp_node p;
        gsp_node q;
        gsp_node c;
        snprintf(target, sizeof(target), "start%u", (unsigned)i);
        p = node(b, target, h, GSP_NONE);
        snprintf(target, sizeof(target), "other%u", (unsigned)i);
        q = node(b, target, h, GSP_NONE);
        h = node(b, "sin", p, GSP_NONE);
        c = node(b, "sin", q, GSP_NONE);
        write_to(b, p);
        write_to(b, q);
        h = node(b, "mul", h, q);
        (void)node(b, "mul", c, p);
    }
    return h;
}

/* A group at either end of the graph for every node between: regions that reach all over it. */
static gsp_node far_apart(gsp_builder *b, uint32_t n)
{
    uint32_t const third = n / 3u;
    gsp_node h = 0;
    uint32_t i;
    for (i = 0; i < third; i++) {
        (void)node(b, "weight", 1, GSP_NONE);
    }
    for (i = 0; i < third; i++) {
        char target[32];
        snprintf(target, sizeof(target), "step%u", (unsigned)i);
        h = node(b, target, h, GSP_NONE);
        h = node(b, "mul", h, 2u + i);
    }
    return h;
}

/* Every region is left by a path of n / 4 nodes that does not come back, though all of them stand
 * before its end, and not so deep. */
static gsp_node bystanders(gsp_builder *b, uint32_t n)
{
    uint32_t const quarter = n / 4u;
    gsp_node h = 0;
    gsp_node v = 1;
    uint32_t i;
    for (i = 0; i < quarter; i++) {
        (void)node(b, "f", 0, GSP_NONE);
    }
    for (i = 0; i < 2u * quarter; i++) {
        char target[32];
        snprintf(target, sizeof(target), "step%u", (unsigned)i);
        if (i % 2u == 0u) {
            h = node(b, target, 2u + i / 2u, h);
        } else {
            v = node(b, target, v, GSP_NONE);
        }
    }
    v = node(b, "last", v, GSP_NONE);
    v = node(b, "end", v, GSP_NONE);
    for (i = 0; i < quarter; i++) {
        h = node(b, "g", 2u + i, v);
    }
    return h;
}

static void check(shape_func make, uint32_t n, const gsp_dedup_desc *desc, outcome *o)
{
    outcome const plain = run_shape(unlike, n, NULL);
    *o = run_shape(make, n, desc);
    /* Half a second is what a machine under load may take away. */
    if (!T_CHECK(o->seconds < 20.0 * plain.seconds + 0.5)) {
        printf("%.3f s, and %.3f s where nothing repeats\n", o->seconds, plain.seconds);
    }
}

static void test_chain(void)
{
    uint32_t const n = t_fast ? 10000u : 100000u;
    outcome o;
    check(chain, n, NULL, &o);
    T_EQUAL(o.n_classes, 1);
    T_EQUAL(o.n_alike, n);
    T_EQUAL(o.n_subgraphs, 0);
    check(chain_of_pairs, n, NULL, &o);
    T_EQUAL(o.n_subgraphs, 1);
    T_EQUAL(o.n_calls, n / 2u);
}

static void test_alike(void)
{
    outcome o;
    check(alike, 1u << 16, NULL, &o);
    T_EQUAL(o.n_classes, 1);
    T_EQUAL(o.n_alike, 1u << 16);
    T_EQUAL(o.n_groups, 0);
    check(alike_in_pairs, 1u << 17, NULL, &o);
    T_EQUAL(o.n_classes, 2);
    T_EQUAL(o.n_alike, 1u << 17);
    T_EQUAL(o.n_subgraphs, 1);
    T_EQUAL(o.n_calls, 1u << 16);
}

static void test_interleaved(void)
{
    outcome o;
    check(interleaved, t_fast ? 10000u : 100000u, NULL, &o);
    T_EQUAL(o.n_subgraphs, 1);
    T_EQUAL(o.n_calls, 1000);
}

static void test_stencil(void)
{
    uint32_t const n = t_fast ? 10000u : 50000u;
    outcome o;
    check(stencil, n, NULL, &o);
    T_EQUAL(o.n_subgraphs, 1);
    T_EQUAL(o.n_calls, n / 2u - 1u);
}

static void test_knots(void)
{
    uint32_t const n = t_fast ? 6000u : 60000u;
    outcome o;
    check(knots, n, NULL, &o);
    T_EQUAL(o.n_subgraphs, 1);
    T_EQUAL(o.n_calls, n / 6u);
    T_CHECK(o.work < 8u * n);
}

static void test_written(void)
{
    uint32_t const n = t_fast ? 6000u : 60000u;
    outcome o;
    check(written_between, n, NULL, &o);
    T_EQUAL(o.n_subgraphs, 1);
    T_EQUAL(o.n_calls, n / 3u);
    T_EQUAL(o.n_parted, n / 3u - 1u);
    check(written_within, n, NULL, &o);
    T_EQUAL(o.n_groups, 0);
    check(written_across, n, NULL, &o);
    T_EQUAL(o.n_subgraphs, 1);
    T_EQUAL(o.n_calls, n / 8u);
    T_CHECK(o.work < 8u * n);
}

static void test_far_apart(void)
{
    outcome o;
    check(far_apart, t_fast ? 6000u : 60000u, NULL, &o);
}

/* Nearly all searches are answered by the index. */
static void test_bystanders(void)
{
    uint32_t const n = t_fast ? 6000u : 60000u;
    outcome o;
    check(bystanders, n, NULL, &o);
    T_EQUAL(o.n_subgraphs, 1);
    T_EQUAL(o.n_calls, n / 4u);
    T_CHECK(o.work < 8u * n);
}

/* A hash of one bit calls everything equal; only comparing tells nodes apart. */
static void test_collisions(void)
{
    gsp_dedup_desc desc;
    outcome o;
    outcome other;
    memset(&desc, 0, sizeof(desc));
    desc.hash_bits = 1;
    o = run_shape(unlike, 2000, &desc);
    T_EQUAL(o.n_groups, 0);
    o = run_shape(interleaved, 5000, &desc);
    other = run_shape(interleaved, 5000, NULL);
    T_EQUAL(o.n_subgraphs, other.n_subgraphs);
    T_EQUAL(o.n_calls, other.n_calls);
}

/* ---- graphs that fill what the bound counts ---- */

/* A member of a region, all of whose inputs come from outside. */
static gsp_node member(
    gsp_builder *b, const char *name, const char *target, uint32_t at, uint32_t inputs)
{
    char text[64];
    gsp_node v;
    uint32_t i;
    snprintf(text, sizeof(text), "%s%u", name, (unsigned)at);
    v = gsp_build_node(b, GSP_OP_CALL_FUNCTION, gsp_str_of(text), gsp_str_of(target));
    gsp_build_type(b, gsp_str_of("f32[4]"));
    for (i = 0; i < inputs; i++) {
        gsp_build_arg_node(b, 2u + at + i);
    }
    return v;
}

static gsp_node read_all(gsp_builder *b, gsp_node from)
{
    gsp_node const to = b->used.nodes;
    gsp_node const v = node(b, "cat", from, GSP_NONE);
    for (from++; from < to; from++) {
        gsp_build_arg_node(b, from);
    }
    return v;
}

/* Two regions of two nodes a group, every node of them read outside, all inputs different; `name`
 * is that of the first node of a region, `inputs` those of a node. */
static gsp_node pairs(gsp_builder *b, uint32_t n, const char *name, uint32_t inputs, int bytes)
{
    gsp_node first;
    uint32_t i;
    n /= 8u;
    for (i = 0; i < n + inputs; i++) {
        char target[32];
        snprintf(target, sizeof(target), "s%u", (unsigned)i);
        (void)node(b, target, 0, GSP_NONE);
        if (bytes) {
            gsp_build_attr(b, gsp_str_of("bytes"), gsp_str_of("16"));
        }
    }
    first = b->used.nodes;
    for (i = 0; i < n; i++) {
        char target[32];
        gsp_node v;
        snprintf(target, sizeof(target), "a%u", (unsigned)(i / 2u));
        v = member(b, name, target, i, inputs);
        if (bytes) {
            gsp_build_attr(b, gsp_str_of("bytes"), gsp_str_of("16"));
        }
        snprintf(target, sizeof(target), "b%u", (unsigned)(i / 2u));
        (void)member(b, "q", target, i, inputs);
        gsp_build_arg_node(b, v);
        if (bytes) {
            gsp_build_attr(b, gsp_str_of("bytes"), gsp_str_of("16"));
        }
    }
    return read_all(b, first);
}

static gsp_node pairs_of_none(gsp_builder *b, uint32_t n)
{
    return pairs(b, n, "p", 1, 0);
}

static gsp_node pairs_of_many(gsp_builder *b, uint32_t n)
{
    return pairs(b, n, "p", 4, 0);
}

static gsp_node pairs_with_bytes(gsp_builder *b, uint32_t n)
{
    return pairs(b, n, "p", 2, 1);
}

/* Members have the names that their inputs would get. */
static gsp_node pairs_of_inputs(gsp_builder *b, uint32_t n)
{
    return pairs(b, n, "subgraph_input_n", 2, 0);
}

/* Regions yield an aggregate of eight that is read as a whole, or element by element. */
static gsp_node aggregates(gsp_builder *b, uint32_t n, int whole)
{
    uint32_t i;
    uint32_t k;
    gsp_node v = 0;
    n /= 16u;
    for (i = 0; i < n; i++) {
        char target[32];
        gsp_node from;
        snprintf(target, sizeof(target), "s%u", (unsigned)i);
        from = node(b, target, v, GSP_NONE);
        snprintf(target, sizeof(target), "a%u", (unsigned)(i / 2u));
        from = node(b, target, from, 1);
        snprintf(target, sizeof(target), "split%u", (unsigned)(i / 2u));
        from = node(b, target, from, GSP_NONE);
        gsp_build_type(b, gsp_str_of("tuple(f32[1], f32[2], f32[3], f32[4], f32[5], f32[6], "
                                     "f32[7], f32[8])"));
        v = whole ? node(b, "cat", from, GSP_NONE) : from;
        for (k = 0; k < 8u && !whole; k++) {
            v = node(b, "operator.getitem", from, GSP_NONE);
            gsp_build_constant(b, gsp_str_of(k == 0u ? "7" : "3"));
        }
    }
    return v;
}

static gsp_node aggregates_whole(gsp_builder *b, uint32_t n)
{
    return aggregates(b, n, 1);
}

static gsp_node aggregates_apart(gsp_builder *b, uint32_t n)
{
    return aggregates(b, n, 0);
}

/* An arena of the bound is enough for what a graph of these counts can become: run_shape() opens
 * one of exactly that size. */
static void test_room(void)
{
    static const shape_func shapes[] = {pairs_of_none, pairs_of_many, pairs_with_bytes,
        pairs_of_inputs, aggregates_whole, aggregates_apart};
    static const uint32_t sizes[] = {32, 64, 96, 160, 480, 3200, 16000};
    uint32_t i;
    uint32_t k;
    for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            gsp_dedup_desc desc;
            outcome o;
            memset(&desc, 0, sizeof(desc));
            desc.max_outputs = i < 4u ? 1u : i == 4u ? 18u * (sizes[k] / 16u) : sizes[k] / 2u;
            o = run_shape(shapes[i], sizes[k], &desc);
            if (!T_EQUAL(o.n_subgraphs, sizes[k] / (i < 4u ? 16u : 32u))) {
                printf("shape %u of %u\n", (unsigned)i, (unsigned)sizes[k]);
            }
        }
    }
}

void suite_hard_dedup(void)
{
    t_run("room", test_room);
    t_run("chain", test_chain);
    t_run("alike", test_alike);
    t_run("interleaved", test_interleaved);
    t_run("stencil", test_stencil);
    t_run("knots", test_knots);
    t_run("written", test_written);
    t_run("far_apart", test_far_apart);
    t_run("bystanders", test_bystanders);
    t_run("collisions", test_collisions);
}
