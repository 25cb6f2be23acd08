/* Modules from tags: cases A21, A22, A23, A2, A4, A10, A19, A20 and names. */
#include "tests/t.h"

typedef struct tagged {
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_split_by_tags_result r;
    gsp_error err;
    gsp_split_by_tags_desc desc;
    uint32_t tag_of[32];
    gsp_str names[8];
} tagged;

/* `tags`: a letter a callable node, 'a' the first name; names are separated by spaces. */
static gsp_status run(tagged *s, const char *text, const char *tags, const char *names, int tuple)
{
    gsp_node v;
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 1u << 17);
    if (!T_EQUAL(gsp_text_read(&s->arena, text, strlen(text), NULL, &s->m, &s->err), GSP_OK)) {
        return s->err.status;
    }
    s->g = gsp_module_graph(&s->m, 0u);
    for (v = 0; v < s->g.n_nodes; v++) {
        int const callable = gsp_node_is_callable(&s->g, v);
        s->tag_of[v] = callable ? (uint32_t)(*tags++ - 'a') : 12345u;
    }
    while (*names != '\0') {
        gsp_str *const name = &s->names[s->desc.n_tags++];
        name->data = names;
        while (*names != '\0' && *names != ' ') {
            names++;
            name->size++;
        }
        names += *names == ' ';
    }
    s->desc.tag_of = s->tag_of;
    s->desc.names = s->names;
    s->desc.return_tuple = (uint32_t)tuple;
    return gsp_split_by_tags_run(&s->arena, &s->g, &s->desc, &s->r, &s->err);
}

static void check(const char *text, const char *tags, const char *names, int tuple,
    const char *expected, int line)
{
    tagged s;
    if (t_check_equal(
            (uint64_t)run(&s, text, tags, names, tuple), GSP_OK, __FILE__, line, "status")) {
        t_string printed = t_print(&s.r.module, NULL);
        t_check_text(gsp_str_of(printed.data), expected, __FILE__, line, "module");
        t_free(&printed);
    }
    t_arena_close(&s.arena);
}
#define MAKES(text, tags, names, tuple, expected) \
    check((text), (tags), (names), (tuple), (expected), __LINE__)

#define LINEAR(name, in, out) \
    "    %" name " : [num_users=1] = call_module[target=" name "](args = (" in \
    "), kwargs = {})  # f32[" out "] module=torch.nn.Linear\n"
#define INPUT(name, note) "    %" name " : [num_users=1] = placeholder[target=" name "]" note "\n"

static const char a22[] =
    "graph():\n" INPUT("x1", "  # f32[2]") INPUT("x2", "  # f32[4]") INPUT("x3", "  # f32[6]")
        LINEAR("linear1", "%x1,", "3") LINEAR("linear2", "%x2,", "5") LINEAR("linear3", "%x3,",
            "7") "    %cat : [num_users=1] = call_function[target=torch.cat](args = ([%linear1, "
                 "%linear2, "
                 "%linear3],), kwargs = {})  # f32[15]\n" LINEAR(
                     "linear4", "%cat,", "6") "    return linear4\n";

static void test_a22(void)
{
    MAKES(a22, "abccc", "red blue green", 0,
        "module main\ngraph():\n" INPUT("x1", "  # f32[2]") INPUT("x2", "  # f32[4]") INPUT("x3",
            "  # f32[6]") "    %red : [num_users=1] = call_module[target=red](args = (%x1,), "
                          "kwargs = {})  # f32[3]\n"
                          "    %blue : [num_users=1] = call_module[target=blue](args = (%x2,), "
                          "kwargs = {})  # f32[5]\n"
                          "    %green : [num_users=1] = call_module[target=green](args = (%x3, "
                          "%red, %blue), kwargs = "
                          "{})  # f32[6]\n    return green\n"
                          "module red\ngraph():\n" INPUT("x1", "  # f32[2]") LINEAR("linear1",
                              "%x1,",
                              "3") "    return linear1\n"
                                   "module blue\ngraph():\n" INPUT("x2", "  # f32[4]") LINEAR(
                                       "linear2", "%x2,",
                                       "5") "    return linear2\n"
                                            "module green\ngraph():\n" INPUT(
                                                "x3", "  # f32[6]") INPUT("linear1",
                                                "  # f32[3] module=torch.nn.Linear")
                                                INPUT(
                                                    "linear2", "  # f32[5] module=torch.nn.Linear")
                                                    LINEAR("linear3", "%x3,",
                                                        "7") "    %cat : [num_users=1] = "
                                                             "call_function[target=torch.cat]"
                                                             "(args = ([%linear1, %linear2, "
                                                             "%linear3],), kwargs = {})  # "
                                                             "f32[15]\n" LINEAR("linear4", "%cat,",
                                                                 "6") "    return linear4\n");
}

/* Where every old node is now. */
static void test_maps(void)
{
    tagged s;
    if (T_EQUAL(run(&s, a22, "abccc", "red blue green", 0), GSP_OK)) {
        static const uint32_t graph_of[] = {GSP_NONE, GSP_NONE, GSP_NONE, 1, 2, 3, 3, 3, GSP_NONE};
        gsp_node v;
        for (v = 0; v < s.g.n_nodes; v++) {
            T_EQUAL(s.r.graph_of[v], graph_of[v]);
            if (graph_of[v] != GSP_NONE) {
                gsp_graph const home = gsp_module_graph(&s.r.module, graph_of[v]);
                T_CHECK(
                    gsp_str_equal(gsp_node_name(&home, s.r.node_of[v]), gsp_node_name(&s.g, v)));
            }
        }
        gsp_graph const red = gsp_module_graph(&s.r.module, 1u);
        gsp_graph const blue = gsp_module_graph(&s.r.module, 2u);
        gsp_graph const green = gsp_module_graph(&s.r.module, 3u);
        T_EQUAL(gsp_graph_find(&green, gsp_node_name(&s.g, 3u)), 1);
        T_EQUAL(gsp_graph_find(&red, gsp_node_name(&s.g, 0u)), 0);
        T_EQUAL(gsp_graph_find(&blue, gsp_node_name(&s.g, 0u)), GSP_NONE);
    }
    t_arena_close(&s.arena);
}

#define CONV(name, target, in) \
    "    %" name " : [num_users=1] = call_function[target=" target "](args = (" in \
    "), kwargs = {})\n"
#define A23(value) \
    "graph():\n" INPUT("x", "") CONV("conv", "conv", "%x,") CONV("mul", "mul", "%conv, 0.5") \
        CONV("relu", "relu", "%mul,") "    return " value "\n"

static void root_returns(const char *text, int tuple, const char *expected, int line)
{
    tagged s;
    if (T_EQUAL(run(&s, text, "abc", "red blue green", tuple), GSP_OK)) {
        gsp_graph const root = gsp_module_graph(&s.r.module, 0u);
        t_string args = t_show_args(&root, root.n_nodes - 1u);
        t_check_text(gsp_str_of(args.data), expected, __FILE__, line, "return");
        t_free(&args);
    }
    t_arena_close(&s.arena);
}

static void test_a23(void)
{
    root_returns(A23("relu"), 0, "%green ", __LINE__);
    root_returns(A23("(relu,)"), 0, "(%green / ", __LINE__);
    root_returns(A23("{'out': [relu]}"), 0, "{'out': [%green / / ", __LINE__);
    root_returns(A23("relu"), 1, "%getitem_2 ", __LINE__);
    root_returns(A23("(relu,)"), 1, "(%getitem_2 / ", __LINE__);
}

static void test_return_tuple(void)
{
    MAKES(A23("relu"), "aab", "red green", 1,
        "module main\ngraph():\n" INPUT("x",
            "") "    %red : [num_users=1] = call_module[target=red](args = (%x,), kwargs = {})\n"
                "    %getitem : [num_users=1] = call_function[target=operator.getitem](args = "
                "(%red, 0), "
                "kwargs = {})\n"
                "    %green : [num_users=1] = call_module[target=green](args = (%getitem,), "
                "kwargs = {})\n"
                "    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = "
                "(%green, 0), "
                "kwargs = {})\n    return getitem_1\n"
                "module red\ngraph():\n" INPUT("x", "") CONV("conv", "conv", "%x,") CONV("mul",
                    "mul", "%conv, 0.5") "    return (mul,)\n"
                                         "module green\ngraph():\n" INPUT("mul", "")
                                             CONV("relu", "relu", "%mul,") "    return (relu,)\n");
}

/* A21: TYPE and all keys stay, on placeholders of submodules too. */
static void test_a21(void)
{
    MAKES("graph():\n" INPUT("x", "  # f32[4] storage=7 my=own") "    %add : [num_users=1] = "
                                                                 "call_function[target=add](args = "
                                                                 "(%x, %x), kwargs = {})  # f32[4] "
                                                                 "state=3 zz=top\n"
                                                                 "    %sub : [num_users=1] = "
                                                                 "call_function[target=sub](args = "
                                                                 "(%add,), kwargs = {})  # f32[4] "
                                                                 "acc=1\n    return sub\n",
        "ab", "p q", 0,
        "module main\ngraph():\n" INPUT("x",
            "  # f32[4] storage=7 my=own") "    %p : [num_users=1] = call_module[target=p](args "
                                           "= (%x,), kwargs = {})  # f32[4]\n"
                                           "    %q : [num_users=1] = call_module[target=q](args "
                                           "= (%p,), kwargs = {})  # f32[4]\n"
                                           "    return q\n"
                                           "module p\ngraph():\n" INPUT("x",
                                               "  # f32[4] storage=7 my=own") "    %add : "
                                                                              "[num_users=1] = "
                                                                              "call_function["
                                                                              "target=add](args "
                                                                              "= (%x, %x), "
                                                                              "kwargs = {})  # "
                                                                              "f32[4] "
                                                                              "state=3 zz=top\n  "
                                                                              "  return add\n"
                                                                              "module "
                                                                              "q\ngraph():"
                                                                              "\n" INPUT("add",
                                                                                  "  # f32[4] "
                                                                                  "state=3 "
                                                                                  "zz=top") "    "
                                                                                            "%sub"
                                                                                            " : "
                                                                                            "[num"
                                                                                            "_use"
                                                                                            "rs="
                                                                                            "1] "
                                                                                            "= "
                                                                                            "call"
                                                                                            "_fun"
                                                                                            "ctio"
                                                                                            "n["
                                                                                            "targ"
                                                                                            "et="
                                                                                            "sub]"
                                                                                            "(arg"
                                                                                            "s = "
                                                                                            "(%"
                                                                                            "add,"
                                                                                            "), "
                                                                                            "kwar"
                                                                                            "gs "
                                                                                            "= "
                                                                                            "{}) "
                                                                                            " # "
                                                                                            "f32["
                                                                                            "4] "
                                                                                            "acc="
                                                                                            "1\n "
                                                                                            "   "
                                                                                            "retu"
                                                                                            "rn "
                                                                                            "sub"
                                                                                            "\n");
}

/* A2 and A19: attributes stand before their first reader in every submodule that reads them,
 * with their dotted target; a returned one stays in the root; one that nobody reads goes. */
static void test_attributes(void)
{
    MAKES("graph():\n" INPUT("x", "") "    %w : [num_users=3] = get_attr[target=blk.w]\n"
                                      "    %v : [num_users=1] = get_attr[target=blk.v]\n"
                                      "    %u : [num_users=0] = get_attr[target=u]\n" CONV(
                                          "f", "f", "%x,") CONV("g", "g", "%f, %w")
                                          CONV("h", "h", "%g, %w, %v") "    return (h, w)\n",
        "aab", "p q", 0,
        "module main\ngraph():\n" INPUT(
            "x", "") "    %w : [num_users=1] = get_attr[target=blk.w]\n"
                     "    %p : [num_users=1] = call_module[target=p](args = (%x,), kwargs = {})\n"
                     "    %q : [num_users=1] = call_module[target=q](args = (%p,), kwargs = {})\n"
                     "    return (q, w)\n"
                     "module p\ngraph():\n" INPUT("x", "") CONV("f", "f",
                         "%x,") "    %w : [num_users=1] = get_attr[target=blk.w]\n" CONV("g", "g",
                         "%f, %w") "    return g\n"
                                   "module q\ngraph():\n" INPUT("g",
                                       "") "    %w : [num_users=1] = get_attr[target=blk.w]\n"
                                           "    %v : [num_users=1] = get_attr[target=blk.v]\n" CONV(
                                               "h", "h", "%g, %w, %v") "    return h\n");
}

/* A10: outputs in the order of their first reading outside, not in graph order; the return last. */
static void test_order_of_outputs(void)
{
    tagged s;
    if (T_EQUAL(run(&s,
                    "graph():\n" INPUT("x", "") CONV("a", "a", "%x,") CONV("b", "b", "%x,")
                        CONV("c", "c", "%x,") CONV("d", "d", "%c, %b") "    return (d, a, b)\n",
                    "aaab", "p q", 0),
            GSP_OK)) {
        gsp_graph const p = gsp_module_graph(&s.r.module, 1u);
        gsp_graph const root = gsp_module_graph(&s.r.module, 0u);
        t_string args = t_show_args(&p, p.n_nodes - 1u);
        T_STRING(args.data, "(%c %b %a / ");
        t_free(&args);
        args = t_show_args(&root, root.n_nodes - 1u);
        T_STRING(args.data, "(%q %getitem_2 %getitem_1 / ");
        t_free(&args);
    }
    t_arena_close(&s.arena);
}

/* Names of the root that are taken: a placeholder is called like a tag, another one getitem. */
static void test_taken_names(void)
{
    MAKES("graph():\n" INPUT("p", "") INPUT("getitem", "") CONV("a", "a", "%p,")
              CONV("b", "b", "%getitem,") CONV("c", "c", "%a, %b") "    return c\n",
        "aab", "p q", 0,
        "module main\ngraph():\n" INPUT("p", "") INPUT("getitem",
            "") "    %p_1 : [num_users=2] = call_module[target=p](args = (%p, %getitem), kwargs = "
                "{})\n"
                "    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = "
                "(%p_1, 0), "
                "kwargs = {})\n"
                "    %getitem_2 : [num_users=1] = call_function[target=operator.getitem](args = "
                "(%p_1, 1), "
                "kwargs = {})\n"
                "    %q : [num_users=1] = call_module[target=q](args = (%getitem_1, %getitem_2), "
                "kwargs = {})\n"
                "    return q\n"
                "module p\ngraph():\n" INPUT("p", "") INPUT("getitem", "") CONV("a", "a", "%p,")
                    CONV("b", "b", "%getitem,") "    return (a, b)\n"
                                                "module q\ngraph():\n" INPUT("a", "") INPUT("b", "")
                                                    CONV("c", "c", "%a, %b") "    return c\n");
}

/* Placeholders keep target, annotation of type and default in the root; in a submodule the name. */
static void test_placeholders(void)
{
    MAKES("graph():\n    %m : typing.Optional[torch.Tensor] [num_users=1] = "
          "placeholder[target=mask](default="
          "None)\n    %u : [num_users=0] = placeholder[target=unused]\n" CONV(
              "f", "f", "%m,") "    return f\n",
        "a", "p", 0,
        "module main\ngraph():\n    %m : typing.Optional[torch.Tensor] [num_users=1] = placeholder["
        "target=mask](default=None)\n    %u : [num_users=0] = placeholder[target=unused]\n"
        "    %p : [num_users=1] = call_module[target=p](args = (%m,), kwargs = {})\n    return p\n"
        "module p\ngraph():\n    %m : typing.Optional[torch.Tensor] [num_users=1] = placeholder["
        "target=m]\n" CONV("f", "f", "%m,") "    return f\n");
}

static void test_no_tags(void)
{
    MAKES("graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
          "    %a : [num_users=1] = get_attr[target=blk.a]\n    return (x, a)\n",
        "", "", 0,
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %a : [num_users=1] = get_attr[target=blk.a]\n    return (x, a)\n");
}

/* A submodule whose values nobody reads is still called. */
static void test_no_outputs(void)
{
    MAKES("graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
          "    %a : [num_users=0] = call_function[target=print](args = (%x,), kwargs = {})\n"
          "    return x\n",
        "a", "p", 0,
        "module main\ngraph():\n    %x : [num_users=2] = placeholder[target=x]\n"
        "    %p : [num_users=0] = call_module[target=p](args = (%x,), kwargs = {})\n    return x\n"
        "module p\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %a : [num_users=0] = call_function[target=print](args = (%x,), kwargs = {})\n"
        "    return ()\n");
}

static void check_error(const char *tags, const char *names, gsp_status status, gsp_detail detail,
    uint32_t node, int line)
{
    tagged s;
    t_check_equal(
        (uint64_t)run(&s, a22, tags, names, 0), (uint64_t)status, __FILE__, line, "status");
    t_check_equal((uint64_t)s.err.detail, (uint64_t)detail, __FILE__, line, "detail");
    t_check_equal(s.err.node, node, __FILE__, line, "node");
    t_check(s.r.module.block == NULL, __FILE__, line, "untouched");
    t_arena_close(&s.arena);
}

static void test_errors(void)
{
    check_error("abzcc", "red blue green", GSP_STATUS_ARG, GSP_DETAIL_TAG, 5, __LINE__);
    check_error("abddd", "red blue green oops", GSP_STATUS_ARG, GSP_DETAIL_TAG_EMPTY, 2, __LINE__);
    check_error("abccc", "red blue red", GSP_STATUS_ARG, GSP_DETAIL_TAG_NAME, 2, __LINE__);
    check_error("abccc", "red linear4 green", GSP_STATUS_ARG, GSP_DETAIL_TAG_NAME, 1, __LINE__);
    check_error("abccc", "x1 linear4 x2", GSP_STATUS_ARG, GSP_DETAIL_TAG_NAME, 1, __LINE__);
    check_error("bcaaa", "red blue green", GSP_STATUS_CYCLE, GSP_DETAIL_TAG_ORDER, 6, __LINE__);
    check_error("abaca", "red blue green", GSP_STATUS_CYCLE, GSP_DETAIL_TAG_ORDER, 7, __LINE__);
}

enum { CHAIN = 40 };

/* A chain of n nodes with `bytes=`, all returned; each also reads t, t_1 or getitem. */
static void make_chain(gsp_arena *arena, uint32_t n, gsp_module *m)
{
    static const char *const from[3] = {"t", "t_1", "getitem"};
    gsp_counts const c = gsp_build_counts(1u, n + 4u, 3u * n + 2u, 2u * n, n + 16u, 200u + 3u * n);
    gsp_builder b;
    gsp_build_init(&b, arena, &c, NULL);
    gsp_build_graph(&b, gsp_str_of(""));
    for (uint32_t i = 0; i < 3u; i++) {
        gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of(from[i]), gsp_str_of(from[i]));
    }
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "n%u", (unsigned)i);
        gsp_build_node(&b, GSP_OP_CALL_FUNCTION, gsp_str_of(name), gsp_str_of("f"));
        gsp_build_arg_node(&b, i % 3u);
        if (i > 0u) {
            gsp_build_arg_node(&b, i + 2u);
        }
        gsp_build_attr(&b, gsp_str_of("bytes"), gsp_str_of("4"));
    }
    gsp_build_output(&b);
    gsp_build_open(&b, GSP_ARG_TUPLE);
    for (uint32_t i = 0; i < n; i++) {
        gsp_build_arg_node(&b, i + 3u);
    }
    gsp_build_close(&b);
    T_EQUAL(gsp_build_finish(&b, m, NULL), GSP_OK);
}

/* Parts of k nodes, whose names are taken: the counts of the result suffice, and so do the bounds,
 * to the byte. */
static void check_counts(const gsp_graph *g, uint32_t k, uint32_t style, uint32_t tuple)
{
    static const char *const styles[3] = {"t_", "t.1_", "getitem-"};
    char names[CHAIN][24];
    gsp_str list[CHAIN];
    uint32_t tag_of[CHAIN + 4u] = {0};
    gsp_split_by_tags_desc desc = {0};
    gsp_split_module_desc parts = {0};
    gsp_split_by_tags_result made;
    gsp_split_module_result other;
    gsp_arena arena;
    for (gsp_node v = 3; v + 1u < g->n_nodes; v++) {
        tag_of[v] = (v - 3u) / k;
        desc.n_tags = tag_of[v] + 1u;
    }
    for (uint32_t i = 0; i < desc.n_tags; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "%s%u", styles[style], (unsigned)i);
        list[i] = gsp_str_of(names[i]);
    }
    desc.names = parts.names = list;
    desc.tag_of = parts.part_of = tag_of;
    desc.return_tuple = parts.return_tuple = tuple;
    parts.n_parts = desc.n_tags;
    parts.prefix = "";
    parts.number_inputs = style == 1u;
    t_arena_open(&arena, gsp_split_by_tags_bound(g, &desc));
    T_EQUAL(gsp_split_by_tags_run(&arena, g, &desc, &made, NULL), GSP_OK);
    T_EQUAL(made.module.counts.graphs, 1u + desc.n_tags);
    t_arena_close(&arena);
    t_arena_open(&arena, gsp_split_module_bound(g, &parts));
    T_EQUAL(gsp_split_module_run(&arena, g, &parts, &other, NULL), GSP_OK);
    t_arena_close(&arena);
}

static void test_counts(void)
{
    for (uint32_t n = 1; n <= CHAIN; n += 1u + n / 8u) {
        uint32_t const sizes[5] = {1u, 2u, 3u, 7u, n};
        gsp_arena arena;
        gsp_module m;
        t_arena_open(&arena, 1u << 16);
        make_chain(&arena, n, &m);
        gsp_graph const g = gsp_module_graph(&m, 0u);
        for (uint32_t i = 0; i < 5u * 3u * 2u; i++) {
            check_counts(&g, sizes[i % 5u], i / 5u % 3u, i / 15u);
        }
        t_arena_close(&arena);
    }
}

void suite_unit_split_by_tags(void)
{
    t_run("a22", test_a22);
    t_run("maps", test_maps);
    t_run("a23", test_a23);
    t_run("return_tuple", test_return_tuple);
    t_run("a21", test_a21);
    t_run("attributes", test_attributes);
    t_run("order_of_outputs", test_order_of_outputs);
    t_run("taken_names", test_taken_names);
    t_run("placeholders", test_placeholders);
    t_run("no_tags", test_no_tags);
    t_run("no_outputs", test_no_outputs);
    t_run("errors", test_errors);
    t_run("counts", test_counts);
}
