/* Opening stored modules: whole ones are accepted, damaged ones never lead out of the block. */
#include "tests/oracle/oracle.h"

static int same_block(const gsp_module *a, const gsp_module *b)
{
    return a->block_size == b->block_size && memcmp(a->block, b->block, a->block_size) == 0;
}

static void test_open(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n", &m)) {
        gsp_module again;
        gsp_error err;
        T_EQUAL(gsp_module_open(&again, m.block, m.block_size, 0, &err), GSP_OK);
        T_CHECK(same_block(&m, &again) && t_module_equal(&m, &again));
        T_EQUAL(gsp_module_open(&again, m.block, m.block_size, 1, &err), GSP_OK);
        T_CHECK(t_module_equal(&m, &again));
    }
    t_arena_close(&arena);
}

/* A module without strings of its own. */
static void test_open_least(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena, "graph():\n    return ()\n", &m)) {
        gsp_module again;
        T_EQUAL(m.counts.strings, GSP_KEY_COUNT);
        T_EQUAL(gsp_module_open(&again, m.block, m.block_size, 0, NULL), GSP_OK);
    }
    t_arena_close(&arena);
}

static void test_refused(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n", &m)) {
        unsigned char *const copy = (unsigned char *)t_alloc(m.block_size + 16u);
        gsp_module again;
        gsp_error err;
        size_t size;
        T_EQUAL(gsp_module_open(&again, NULL, m.block_size, 0, &err), GSP_STATUS_ARG);
        T_EQUAL(gsp_module_open(NULL, m.block, m.block_size, 0, &err), GSP_STATUS_ARG);
        memcpy(copy + 1, m.block, m.block_size);
        T_EQUAL(gsp_module_open(&again, copy + 1, m.block_size, 0, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_ALIGN);
        memcpy(copy, m.block, m.block_size);
        for (size = 0; size < m.block_size; size++) {
            T_EQUAL(gsp_module_open(&again, copy, size, 0, &err), GSP_STATUS_DAMAGED);
            T_EQUAL(gsp_module_open(&again, copy, size, 1, &err), GSP_STATUS_DAMAGED);
            T_EQUAL(err.detail, GSP_DETAIL_CUT);
        }
        copy[0] ^= 1u;
        T_EQUAL(gsp_module_open(&again, copy, m.block_size, 0, &err), GSP_STATUS_DAMAGED);
        T_EQUAL(err.detail, GSP_DETAIL_MAGIC);
        free(copy);
    }
    t_arena_close(&arena);
}

/* A module that opens can be used in every way without leaving its block. */
static void use(const gsp_module *m)
{
    uint32_t g;
    t_string text = {NULL, 0u, 0u};
    for (g = 0; g < m->counts.graphs; g++) {
        gsp_graph const graph = gsp_module_graph(m, g);
        gsp_split_by_tags_desc const most = {0u, graph.n_nodes, NULL, NULL, 0u, 0u};
        gsp_arena arena;
        gsp_placement p;
        gsp_split_desc desc;
        gsp_split_result r;
        gsp_split_by_tags_result tags;
        memset(&desc, 0, sizeof(desc));
        desc.placement = &p;
        t_arena_open(&arena, gsp_support_bound(&graph, NULL) + gsp_split_bound(&graph, NULL) +
                                 gsp_split_by_tags_bound(&graph, &most));
        if (gsp_support_run(&arena, &graph, NULL, &p, NULL) == GSP_OK &&
            gsp_split_run(&arena, &graph, &desc, &r, NULL) == GSP_OK) {
            t_split_tags(&arena, &graph, &r, &tags, NULL);
        }
        t_arena_close(&arena);
    }
    gsp_text_write(m, NULL, t_sink, &text, NULL);
    t_free(&text);
}

/* Single bytes changed: refused, or harmless. */
static void test_damaged(void)
{
    t_rng rng;
    uint32_t k;
    uint32_t refused = 0;
    uint32_t const tries = t_fast ? 2000u : 20000u;
    rng.state = t_seed ^ 0xDAu;
    for (k = 0; k < tries / 200u; k++) {
        gsp_arena arena;
        oracle_case c;
        oracle_ids ids;
        gsp_module m;
        unsigned char *copy;
        uint32_t i;
        oracle_random(&rng, 12u, &c);
        t_arena_open(&arena, 1u << 20);
        T_EQUAL(oracle_build(&arena, &c, &m, &ids, NULL), GSP_OK);
        copy = (unsigned char *)t_alloc(m.block_size);
        for (i = 0; i < 200u && !t_failed(); i++) {
            uint32_t n = 1u + t_below(&rng, 3u);
            gsp_module again;
            gsp_error err;
            memcpy(copy, m.block, m.block_size);
            while (n-- != 0u) {
                size_t const at = t_below(&rng, (uint32_t)m.block_size);
                copy[at] = (unsigned char)(t_chance(&rng, 50) ? copy[at] ^ (1u << t_below(&rng, 8u))
                                                              : t_below(&rng, 256u));
            }
            if (gsp_module_open(&again, copy, m.block_size, 0, &err) == GSP_OK) {
                use(&again);
            } else {
                refused++;
                T_CHECK(err.status == GSP_STATUS_DAMAGED || err.status == GSP_STATUS_CYCLE);
            }
        }
        free(copy);
        t_arena_close(&arena);
    }
    T_CHECK(refused > tries / 4u);
}

/* An input that does not stand before its user. */
static void test_cycle(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %f : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
            "    return f\n",
            &m)) {
        unsigned char *const copy = (unsigned char *)t_alloc(m.block_size);
        size_t const in =
            (size_t)((const unsigned char *)m.inputs - (const unsigned char *)m.block);
        size_t const arg = (size_t)((const unsigned char *)m.args - (const unsigned char *)m.block);
        gsp_node const itself = 1;
        gsp_module again;
        gsp_error err;
        memcpy(copy, m.block, m.block_size);
        memcpy(copy + in, &itself, sizeof(itself));
        memcpy(copy + arg + sizeof(uint32_t), &itself, sizeof(itself));
        T_EQUAL(gsp_module_open(&again, copy, m.block_size, 0, &err), GSP_STATUS_CYCLE);
        T_EQUAL(err.node, 1);
        free(copy);
    }
    t_arena_close(&arena);
}

/* One 32-bit word of a copy of the block replaced, at the place of `field` in the original. */
static void replaced(
    const gsp_module *m, const void *field, uint32_t value, gsp_detail detail, int line)
{
    unsigned char *const copy = (unsigned char *)t_alloc(m->block_size);
    size_t const at = (size_t)((const unsigned char *)field - (const unsigned char *)m->block);
    gsp_module again;
    gsp_error err;
    memcpy(copy, m->block, m->block_size);
    memcpy(copy + at, &value, sizeof(value));
    t_check_equal((uint64_t)gsp_module_open(&again, copy, m->block_size, 0, &err),
        GSP_STATUS_DAMAGED, __FILE__, line, "status");
    t_check_equal((uint64_t)err.detail, (uint64_t)detail, __FILE__, line, "detail");
    free(copy);
}

static void test_details(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %y : [num_users=1] = placeholder[target=y]\n"
            "    %f : [num_users=1] = call_function[target=f](args = (%x, %y), kwargs = {})\n"
            "    return f\n",
            &m)) {
        replaced(&m, m.name, m.counts.strings, GSP_DETAIL_RANGE, __LINE__);
        replaced(&m, m.string_begin + 1, m.counts.bytes + 1u, GSP_DETAIL_RANGE, __LINE__);
        replaced(&m, &m.graphs[0].n_nodes, 99u, GSP_DETAIL_RANGE, __LINE__);
        replaced(&m, m.users, 3u, GSP_DETAIL_ROWS, __LINE__);
        replaced(&m, m.op, 0x09090909u, GSP_DETAIL_KIND, __LINE__);
    }
    t_arena_close(&arena);
}

/* Arguments of a node that are no inputs of it. */
static void test_arguments(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=0] = placeholder[target=x]\n"
            "    %y : [num_users=1] = placeholder[target=y]\n"
            "    %f : [num_users=1] = call_function[target=f](args = (%y,), kwargs = {})\n"
            "    return f\n",
            &m)) {
        T_EQUAL(m.args[0].kind, GSP_ARG_NODE);
        T_EQUAL(m.args[0].value, 1);
        replaced(&m, &m.args[0].value, 0u, GSP_DETAIL_RANGE, __LINE__); /* only %y has a reader */
        replaced(&m, &m.args[0].kind, 99u, GSP_DETAIL_RANGE, __LINE__);
    }
    t_arena_close(&arena);
}

/* Tables of a module with child graphs: the end of the attributes, uses, names in order. */
static void test_tables(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %w : [num_users=1] = get_attr[target=blk.w]\n"
            "    %s : [num_users=1] = call_module[target=sub](args = (%x, %w), kwargs = "
            "{})  # acc=1\n    return s\n"
            "module sub\ngraph():\n    %x : [num_users=0] = placeholder[target=x]\n"
            "    %y : [num_users=1] = placeholder[target=y]\n    return y\n",
            &m)) {
        replaced(&m, &m.attrs[m.counts.attrs - 1u].key, GSP_KEY_GROUP, GSP_DETAIL_RANGE, __LINE__);
        replaced(&m, &m.params[0].node, 4u, GSP_DETAIL_RANGE, __LINE__);
        replaced(&m, &m.by_name[1], m.by_name[0], GSP_DETAIL_RANGE, __LINE__);
    }
    t_arena_close(&arena);
}

/* An opening bracket that points to the closing bracket of another, whose own is gone. */
static void test_brackets(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %f : [num_users=1] = call_function[target=f](args = (((%x,),),), kwargs = "
            "{})\n    return f\n",
            &m)) {
        unsigned char *const copy = (unsigned char *)t_alloc(m.block_size);
        gsp_arg *const args = (gsp_arg *)(void *)(copy + ((const unsigned char *)m.args -
                                                             (const unsigned char *)m.block));
        uint32_t const end = m.args[0].value;
        gsp_module again;
        gsp_error err;
        memcpy(copy, m.block, m.block_size);
        T_CHECK(args[0].kind == GSP_ARG_TUPLE && args[1].kind == GSP_ARG_TUPLE);
        args[0].value = end - 1u;
        args[end].kind = GSP_ARG_CONSTANT;
        args[end].value = 0u;
        T_EQUAL(gsp_module_open(&again, copy, m.block_size, 0, &err), GSP_STATUS_DAMAGED);
        T_EQUAL(err.node, 1);
        free(copy);
    }
    t_arena_close(&arena);
}

/* Inputs that stand twice in a row, near each other or far apart in a row that does not ascend. */
static void test_twice(void)
{
    enum { MANY = 5000 };
    gsp_arena arena;
    gsp_module m;
    t_string text = {NULL, 0u, 0u};
    uint32_t i;
    t_puts(&text, "graph():\n");
    for (i = 0; i < MANY; i++) {
        t_puts(&text, "    %x");
        t_number(&text, i);
        t_puts(&text, " : [num_users=1] = placeholder[target=x]\n");
    }
    t_puts(&text, "    %f : [num_users=1] = call_function[target=f](args = (");
    for (i = MANY; i > 0u; i--) {
        t_puts(&text, "%x");
        t_number(&text, i - 1u);
        t_puts(&text, ", ");
    }
    t_puts(&text, "), kwargs = {})\n    return f\n");
    if (t_must_read(&arena, text.data, &m)) {
        gsp_module again;
        T_EQUAL(gsp_module_open(&again, m.block, m.block_size, 0, NULL), GSP_OK);
        T_EQUAL(m.inputs[0], MANY - 1u);
        replaced(&m, m.inputs, MANY - 2u, GSP_DETAIL_ROWS, __LINE__);
        replaced(&m, m.inputs, 0u, GSP_DETAIL_ROWS, __LINE__);
        replaced(&m, m.inputs + MANY - 1u, MANY - 2049u, GSP_DETAIL_ROWS, __LINE__);
    }
    t_arena_close(&arena);
    t_free(&text);
}

/* A row of two that is one input twice; an input that has another user instead. */
static void test_twice_of_two(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %y : [num_users=2] = placeholder[target=y]\n"
            "    %f : [num_users=1] = call_function[target=f](args = (%x, %y), kwargs = {})\n"
            "    %g : [num_users=0] = call_function[target=g](args = (%y,), kwargs = {})\n"
            "    return f\n",
            &m)) {
        replaced(&m, m.inputs, 1u, GSP_DETAIL_ROWS, __LINE__);
        T_EQUAL(m.users[0], 2u);
        replaced(&m, m.users, 3u, GSP_DETAIL_ROWS, __LINE__);
    }
    t_arena_close(&arena);
}

void suite_unit_check(void)
{
    t_run("open", test_open);
    t_run("open_least", test_open_least);
    t_run("refused", test_refused);
    t_run("damaged", test_damaged);
    t_run("cycle", test_cycle);
    t_run("details", test_details);
    t_run("arguments", test_arguments);
    t_run("tables", test_tables);
    t_run("brackets", test_brackets);
    t_run("twice", test_twice);
    t_run("twice_of_two", test_twice_of_two);
}
