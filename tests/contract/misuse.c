/* Calls of the builder in the wrong order, on the wrong items or with too little: the first error
 * stays. */
#include "tests/t.h"

typedef struct made {
    gsp_arena arena;
    gsp_builder b;
    gsp_module m;
    gsp_error err;
} made;

static void start(made *s, uint32_t strings, uint32_t bytes)
{
    gsp_counts const counts = gsp_build_counts(2u, 8u, 16u, 8u, strings, bytes);
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 1u << 16);
    T_EQUAL(gsp_build_init(&s->b, &s->arena, &counts, &s->err), GSP_OK);
}

static void ends(made *s, gsp_status status, gsp_detail detail, int line)
{
    t_check_equal(
        gsp_build_finish(&s->b, &s->m, &s->err), (uint64_t)status, __FILE__, line, "status");
    t_check_equal(s->err.detail, (uint64_t)detail, __FILE__, line, "detail");
    t_check_field(&s->err, __FILE__, line, "field");
    t_check_equal(s->arena.low, 0u, __FILE__, line, "low end");
    t_check_equal(s->arena.high, 0u, __FILE__, line, "high end");
    t_arena_close(&s->arena);
}
#define ENDS(status, detail) ends(&s, GSP_STATUS_##status, GSP_DETAIL_##detail, __LINE__)

/* A graph with a placeholder x and a call c, which is the present node. */
static void start_graph(made *s)
{
    start(s, 16u, 256u);
    gsp_build_graph(&s->b, gsp_str_of("main"));
    T_EQUAL(gsp_build_node(&s->b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x")), 0);
    T_EQUAL(gsp_build_node(&s->b, GSP_OP_CALL_FUNCTION, gsp_str_of("c"), gsp_str_of("f")), 1);
}

static void test_counts(void)
{
    made s;
    gsp_counts counts;
    memset(&s, 0, sizeof(s));
    memset(&counts, 0, sizeof(counts));
    t_arena_open(&s.arena, 1u << 12);
    T_EQUAL(gsp_build_init(&s.b, &s.arena, &counts, &s.err), GSP_STATUS_OVERFLOW);
    T_EQUAL(s.err.detail, GSP_DETAIL_CAPACITY);
    counts = gsp_build_counts(1u, 1u, 1u, 1u, 1u, 1u);
    counts.attrs = 0u;
    T_EQUAL(gsp_build_init(&s.b, &s.arena, &counts, &s.err), GSP_STATUS_OVERFLOW);
    T_EQUAL(s.err.detail, GSP_DETAIL_CAPACITY);
    counts.attrs = 2u;
    counts.bytes = 1u; /* no room for the known keys */
    T_CHECK(gsp_build_init(&s.b, &s.arena, &counts, &s.err) == GSP_STATUS_OVERFLOW);
    T_EQUAL(s.err.detail, GSP_DETAIL_CAPACITY_BYTES);
    T_EQUAL(s.arena.low, 0);
    T_EQUAL(s.arena.high, 0);
    T_EQUAL(gsp_build_bound(NULL), SIZE_MAX);
    t_arena_close(&s.arena);
}

static void test_finish(void)
{
    made s;
    gsp_module again;
    start_graph(&s);
    gsp_build_arg_node(&s.b, 0u);
    gsp_build_output(&s.b);
    gsp_build_arg_node(&s.b, 1u);
    T_EQUAL(gsp_build_finish(&s.b, NULL, &s.err), GSP_STATUS_ARG);
    T_EQUAL(s.err.detail, GSP_DETAIL_NULL_ARGUMENT);
    T_FIELD(&s.err);
    T_EQUAL(s.arena.low, 0);
    T_EQUAL(gsp_build_finish(&s.b, &s.m, &s.err), GSP_STATUS_ARG);
    t_arena_close(&s.arena);
    start_graph(&s);
    gsp_build_arg_node(&s.b, 0u);
    gsp_build_output(&s.b);
    gsp_build_arg_node(&s.b, 1u);
    size_t const room = gsp_arena_left(&s.arena) - 16u - GSP_GAP;
    unsigned char *full = (unsigned char *)gsp_arena_push(&s.arena, room, 1u);
    T_CHECK(full != NULL);
    memset(full, 0x5A, room); /* the arrays make room for their block */
    T_EQUAL(gsp_build_finish(&s.b, &s.m, &s.err), GSP_OK);
    T_EQUAL(full[room - 1u], 0x5A);
    T_CHECK((const unsigned char *)s.m.block >= full + room);
    T_EQUAL(gsp_module_open(&again, s.m.block, s.m.block_size, 0, &s.err), GSP_OK);
    T_EQUAL(again.counts.edges, 2u);
    T_EQUAL(s.arena.high, 0u);
    t_arena_close(&s.arena);
}

static void test_before_a_graph(void)
{
    made s;
    start(&s, 16u, 256u);
    T_EQUAL(gsp_build_node_atoms(&s.b, GSP_OP_PLACEHOLDER, 0u, 0u), GSP_NONE);
    ENDS(ARG, STATE);
    start(&s, 16u, 256u);
    (void)gsp_build_name(&s.b, gsp_str_of("a"));
    ENDS(ARG, STATE);
    start(&s, 16u, 256u);
    gsp_build_reserve(&s.b, 0u);
    ENDS(ARG, STATE);
    start(&s, 16u, 256u);
    gsp_build_type(&s.b, gsp_str_of("f32"));
    ENDS(ARG, STATE);
    start(&s, 16u, 256u);
    gsp_build_attr(&s.b, gsp_str_of("a"), gsp_str_of("1"));
    ENDS(ARG, STATE);
}

static void test_atoms(void)
{
    made s;
    gsp_arg const constant = {GSP_ARG_CONSTANT, 1000u};
    gsp_arg const key = {GSP_ARG_KEY, 1000u};
    gsp_arg const kind = {GSP_ARG_COUNT, 0u};
    start_graph(&s);
    T_EQUAL(gsp_build_node_atoms(&s.b, GSP_OP_CALL_FUNCTION, 1000u, 0u), GSP_NONE);
    ENDS(ARG, RANGE);
    start_graph(&s);
    T_EQUAL(gsp_build_node_atoms(&s.b, GSP_OP_CALL_FUNCTION, 0u, 1000u), GSP_NONE);
    ENDS(ARG, RANGE);
    start_graph(&s);
    gsp_build_reserve(&s.b, 1000u);
    ENDS(ARG, RANGE);
    start_graph(&s);
    gsp_build_arg(&s.b, constant);
    ENDS(ARG, RANGE);
    start_graph(&s);
    gsp_build_open(&s.b, GSP_ARG_DICT);
    gsp_build_arg(&s.b, key);
    ENDS(ARG, RANGE);
    start_graph(&s);
    gsp_build_arg(&s.b, kind);
    ENDS(ARG, KIND);
}

/* What is copied from a module has to be there, and adopted. */
static void test_like(void)
{
    static const char text[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4] bytes=3\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
        "    return a\n";
    made s;
    gsp_arena arena;
    gsp_module m;
    T_CHECK(t_must_read(&arena, text, &m));
    gsp_graph const graph = gsp_module_graph(&m, 0u);
    start(&s, 16u, 256u);
    gsp_build_graph(&s.b, gsp_str_of("main"));
    gsp_build_like(&s.b, &graph, 0u, 1);
    ENDS(ARG, STATE);
    start_graph(&s);
    gsp_build_like(&s.b, &graph, graph.n_nodes, 1);
    ENDS(ARG, RANGE);
    start_graph(&s);
    gsp_build_like(&s.b, &graph, 0u, 1); /* its strings were not adopted */
    ENDS(ARG, RANGE);
    start_graph(&s);
    gsp_build_adopt(&s.b, &m);
    ENDS(ARG, STATE);
    start(&s, 0u, 256u);
    gsp_build_adopt(&s.b, &m);
    ENDS(OVERFLOW, CAPACITY_STRINGS);
    start(&s, 16u, 0u);
    gsp_build_adopt(&s.b, &m);
    ENDS(OVERFLOW, CAPACITY_BYTES);
    t_arena_close(&arena);
}

/* Names for which no byte is left. */
static void test_names(void)
{
    made s;
    start(&s, 16u, 4u);
    gsp_build_graph(&s.b, gsp_str_of(""));
    (void)gsp_build_name(&s.b, gsp_str_of("a"));
    ENDS(OVERFLOW, CAPACITY_BYTES);
    start(&s, 16u, 14u);
    gsp_build_graph(&s.b, gsp_str_of(""));
    T_CHECK(gsp_build_node_atoms(&s.b, GSP_OP_PLACEHOLDER, gsp_build_name(&s.b, gsp_str_of("a")),
                gsp_build_atom(&s.b, gsp_str_of("a"))) != GSP_NONE);
    (void)gsp_build_name(&s.b, gsp_str_of("aa"));
    ENDS(OVERFLOW, CAPACITY_BYTES);
}

void suite_contract_misuse(void)
{
    t_run("counts", test_counts);
    t_run("finish", test_finish);
    t_run("before_a_graph", test_before_a_graph);
    t_run("atoms", test_atoms);
    t_run("like", test_like);
    t_run("names", test_names);
}
