/* Any calls of the builder, in any order, with little room: the first error stays and the arena
 * is as it was, or the module opens, prints and reads back as it is. */
#include "tests/t.h"

static const char *const names[] = {"x", "a", "b", "a_1", "a_2", "a_09", "a_1234567890", "_1", "0",
    "", "a b", "a.b", "x\n", "%a", "\xC3\xA9-", "--", "a_4294967295", "sub", " a", "bb1", "main",
    "output", "k"};
static const char *const targets[] = {"x", "f", "blk.f", "operator.getitem", "*r", "**k", "", "a b",
    "a\n", "f](", "f(a, b)", "<built-in f>", "torch.ops.higher_order.invoke_subgraph", "sub", " f"};
static const char *const constants[] = {"None", "1", "'a, b'", "x", "a", "%a", "%x,%a", "b,%a", "",
    " ", "(", "slice", "1,", "(1+2j)", "f(a)", "'", "\"q\"", "{1}", "a\rb", " a", "a ", "-1",
    "a, b", "{a: 1}"};
static const char *const keys[] = {"k", "a", "'k'", "\"k\"", "'k", "'k'x", "", " k", "k ", "a,b",
    "a:b", "a(b", "a)b", "a\nb", "a\rb", "k.l", "0", "module", "bytes", "acc", "params", "group",
    "compute", "mutates", "alias", "elements", "storage", "a=b", "a[", "", "None", ":", ":"};
static const char *const values[] = {"1", "0", "7", "a", "g", "", "-1", "+1.5e-3", "1e", "inf",
    "-nan", "infx", "99999999999999999999", "255", "254", "a b", " a", "a ", "[num_users=1]",
    "[#users=1", "a\nb", "a\rb", "1.5", ".", "0,1", "x=y"};
static const char *const types[] = {"f32", "f32[4]", "f32[4,2]", "f32[ 4 , 2 ]",
    "tuple(f32[4], int)", "tuple(f32[4],int)", "list(f32[], i64[1])", "int", "none", "dict", "f32[",
    "f32[4", "f32[,]", "tuple(", "tuple()", "f99999999[3]", "i8[99999999999999999999]",
    "i8[0, 99999999999999999999]", "xyz", "", "f32[4] x", "any", "qi8[s0, -1]", "t", " int",
    "floa"};

#define ANY(list) gsp_str_of((list)[t_below(rng, T_COUNT_OF(list))])

/* 1 for a call by ids, which nobody checks as text. */
static int one_call(t_rng *rng, gsp_builder *b, const gsp_module *module)
{
    gsp_arg arg;
    switch (t_below(rng, 17u)) {
    case 0:
        gsp_build_graph(b, ANY(names));
        break;
    case 1:
    case 2:
    case 3:
        (void)gsp_build_node(b, (gsp_op)t_below(rng, GSP_OP_COUNT), ANY(names), ANY(targets));
        break;
    case 4:
        (void)gsp_build_node_atoms(b, (gsp_op)t_below(rng, GSP_OP_COUNT),
            gsp_build_name(b, ANY(names)), gsp_build_atom(b, gsp_str_of("f")));
        break;
    case 5:
        (void)gsp_build_output(b);
        break;
    case 6:
        gsp_build_arg_node(b, t_below(rng, 4u));
        break;
    case 7:
        gsp_build_open(b, (gsp_arg_kind)t_below(rng, GSP_ARG_COUNT));
        break;
    case 8:
    case 9:
        gsp_build_close(b);
        break;
    case 10:
        gsp_build_key(b, ANY(keys));
        break;
    case 11:
        gsp_build_constant(b, ANY(constants));
        break;
    case 12:
        arg.kind = t_below(rng, GSP_ARG_COUNT + 1u);
        arg.value = t_below(rng, t_chance(rng, 50u) ? 4u : 60u);
        gsp_build_arg(b, arg);
        return arg.kind == (uint32_t)GSP_ARG_CONSTANT || arg.kind == (uint32_t)GSP_ARG_KEY;
    case 13:
        gsp_build_type(b, ANY(types));
        break;
    case 14:
        gsp_build_attr(b, ANY(keys), ANY(values));
        break;
    case 15:
        gsp_build_reserve(b, t_chance(rng, 80u) ? gsp_build_name(b, ANY(names)) : 99u);
        break;
    default:
        if (t_chance(rng, 20u)) {
            gsp_build_adopt(b, module);
        } else {
            gsp_graph const graph = gsp_module_graph(module, 0u);
            gsp_build_like(b, &graph, t_below(rng, 4u), t_chance(rng, 50u));
            return 1;
        }
        break;
    }
    return 0;
}

static void check_made(const gsp_module *made, int by_ids)
{
    gsp_module opened;
    gsp_module again;
    gsp_arena arena;
    t_string text = t_print(made, NULL);
    T_EQUAL(gsp_module_open(&opened, made->block, made->block_size, 0, NULL), GSP_OK);
    T_CHECK(t_module_equal(made, &opened));
    memset(&arena, 0, sizeof(arena));
    if (!by_ids && t_must_read(&arena, text.data, &again)) {
        t_string const second = t_print(&again, NULL);
        T_STRING(text.data, second.data);
        T_EQUAL(made->counts.nodes, again.counts.nodes);
        T_EQUAL(made->counts.edges, again.counts.edges);
        T_EQUAL(made->counts.args, again.counts.args);
        free(second.data);
    }
    t_arena_close(&arena);
    if (t_failed()) {
        printf("%s", text.data);
    }
    t_free(&text);
}

/* A graph that is good so far, then any calls, which may keep it so. */
static int round_of(t_rng *rng, const gsp_module *module)
{
    uint32_t const room = t_chance(rng, 80u) ? 100u : 12u;
    gsp_counts const counts = gsp_build_counts(t_below(rng, 4u), t_below(rng, room / 8u + 1u),
        t_below(rng, room / 4u), t_below(rng, 9u), t_below(rng, room), t_below(rng, 5u * room));
    gsp_arena arena;
    gsp_builder b;
    gsp_module made;
    gsp_error err;
    gsp_error first;
    gsp_status status;
    int by_ids = 0;
    uint32_t i;
    t_arena_open(&arena, gsp_build_bound(&counts));
    status = gsp_build_init(&b, &arena, &counts, &err);
    if (status == GSP_OK) {
        if (t_chance(rng, 90u)) {
            gsp_build_graph(&b, gsp_str_of("main"));
            (void)gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
        }
        for (i = t_below(rng, 7u); i > 0u; i--) {
            by_ids |= one_call(rng, &b, module);
        }
        if (t_chance(rng, 90u)) {
            while (b.container != GSP_NONE && b.error.status == GSP_OK) {
                gsp_build_close(&b);
            }
            (void)gsp_build_output(&b);
            gsp_build_constant(&b, gsp_str_of("None"));
        }
        first = b.error;
        status = gsp_build_finish(&b, &made, &err);
        T_CHECK(first.status == GSP_OK || status == first.status);
    }
    T_EQUAL(err.status, status);
    if (status == GSP_OK) {
        check_made(&made, by_ids);
    } else {
        T_EQUAL(arena.low + arena.high, 0u);
    }
    t_arena_close(&arena);
    return status == GSP_OK;
}

static void test_calls(void)
{
    static const char text[] = "graph():\n    %x : [num_users=1] = placeholder[target=x]"
                               "  # f32[4] bytes=3\n"
                               "    %a : [num_users=1] = call_function[target=f](args = (%x,), "
                               "kwargs = {})\n    return a\n";
    uint32_t const rounds = t_fast ? 60000u : 300000u;
    uint32_t made = 0;
    t_rng rng;
    gsp_arena arena;
    gsp_module module;
    uint32_t k;
    rng.state = t_seed ^ 0xB7u;
    if (t_must_read(&arena, text, &module)) {
        for (k = 0; k < rounds && !t_failed(); k++) {
            made += (uint32_t)round_of(&rng, &module);
        }
        T_CHECK(made > rounds / 20u);
    }
    t_arena_close(&arena);
}

void suite_contract_builder(void)
{
    t_run("calls", test_calls);
}
