/* Texts in which some pieces became others that stand in graph texts. The fuzz entries for texts
 * and for operator tables run on them, and their checks decide. */
#define GRAPHSPLIT_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_DRAW_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_KWAY_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_STAGES_IMPLEMENTATION_ONCE
#define LLVMFuzzerTestOneInput fuzz_text_one
#include "tests/fuzz/fuzz_text.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_table_one
int fuzz_table_one(const uint8_t *data, size_t size); /* fuzz.h declares the first one alone */
#include "tests/fuzz/fuzz_table.c"
#include "tests/t.h"

static const char *const graphs[] = {
    "module main\ngraph():\n"
    "    %x : [num_users=3] = placeholder[target=x](default=None)  # f32[4, 2]\n"
    "    %r : [num_users=1] = placeholder[target=*r]  # f32[4]\n"
    "    %k : [num_users=1] = placeholder[target=**k](default={a: 1})\n"
    "    %w : [num_users=1] = get_attr[target=blk.w]  # f32[8, 3] storage=s\n"
    "    %h : [num_users=1] = get_attr[target=sub]\n"
    "    %a : [num_users=2] = call_module[target=blk.conv](args = (%x, [%w, (1, {'k': %x})]), "
    "kwargs"
    " = {d: 1})  # tuple(f32[4], i64[2]) module=Conv params=8 acc=1 group=g compute=1.5e-06\n"
    "    %b : [num_users=1] = call_method[target=size](args = (%a, slice(0, 1, None)), kwargs = {})"
    "  # int acc=1 alias=0 scope=blk.s\n"
    "    %s : [num_users=1] = call_module[target=sub](args = (%a, [%x, 1]), kwargs = {z: (2,)})\n"
    "    %i : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph]"
    "(args = (%h, sub, %a, [%x, %x], (%x,)), kwargs = {})\n"
    "    %g : [num_users=1] = call_function[target=operator.getitem](args = (%s, -1), kwargs = "
    "{})\n"
    "    return (g, i, {k: a}, b, r, 'c')\n"
    "module sub\ngraph():\n"
    "    %p : [num_users=1] = placeholder[target=p]\n"
    "    %q : [num_users=1] = placeholder[target=q]\n"
    "    %z : [num_users=1] = placeholder[target=z]\n"
    "    %e : [num_users=1] = call_function[target=operator.getitem](args = (%q, -1), kwargs = "
    "{})  # f32[1] bytes=3 alias=0\n"
    "    %f : [num_users=1] = call_method[target=f](args = (%e, (%p, %z)), kwargs = {})\n"
    "    return (f, (q, 3))\n",
    "graph():\n"
    "    %x : [num_users=4] = placeholder[target=x]  # f32[4]\n"
    "    %y : [num_users=2] = get_attr[target=m.y]  # f32[4]\n"
    "    %a : [num_users=2] = call_function[target=f](args = (%x, %y), kwargs = {})  # f32[4]\n"
    "    %b : [num_users=2] = call_function[target=g](args = (%a, %a), kwargs = {o: 1})"
    "  # tuple(f32[4], f32[4])\n"
    "    %c : [num_users=1] = call_function[target=operator.getitem](args = (%b, 0), kwargs = {})"
    "  # f32[4]\n"
    "    %d : [num_users=1] = call_function[target=operator.getitem](args = (%b, 1), kwargs = {})"
    "  # f32[4]\n"
    "    %m : [num_users=0] = call_method[target=zero_](args = (%x,), kwargs = {})"
    "  # none mutates=0\n"
    "    %a_1 : [num_users=2] = call_function[target=f](args = (%x, %y), kwargs = {})  # f32[4]\n"
    "    %b_1 : [num_users=2] = call_function[target=g](args = (%a_1, %a), kwargs = {o: 1})"
    "  # tuple(f32[4], f32[4])\n"
    "    %c_1 : [num_users=1] = call_function[target=operator.getitem](args = (%b_1, 0), kwargs = "
    "{})  # f32[4]\n"
    "    %d_1 : [num_users=1] = call_function[target=operator.getitem](args = (%b_1, 1), kwargs = "
    "{})  # f32[4]\n"
    "    %v : [num_users=1] = call_method[target=view](args = (%d_1, 2), kwargs = {})"
    "  # f32[2, 2] alias=0\n"
    "    return [c, d, c_1, v]\n",
};

static const char *const tables[] = {
    "conv2d  0: f32 | i8  1: f32\n# all\n*.relu\ntorch.add 0:* if rank(0) <= 4 and dtype(0) != "
    "f64\n",
    "!\n",
};

static const char *const pieces[] = {"%x", "%a", "%b_1", "x", "a", "sub", "main", "(", ")", "[",
    "]", "{", "}", ", ", ",", ": ", ":", "=", "'", "\"", " ", "  # ", "#", "\n", "\r", "\t", "-",
    "0", "1", "2", "-1", "9", "99", "4294967296", "18446744073709551615", "1e9", ".", "*", "**",
    "slice(", "None", "tuple(", "list(", "f32[4]", "i64[", "int", "none", "?", "mutates=0",
    "mutates=1", "alias=0", "alias=1", "storage=s", "group=g", "acc=2", "scope=a.b", "bytes=7",
    "params=1", "module=M", "compute=1e-3", "memory=9", "barrier=1", "mutates=0,1",
    "k: ", "default=", "operator.getitem", "torch.ops.higher_order.invoke_subgraph", "call_module",
    "call_function", "call_method", "placeholder", "get_attr", "output", "    return ",
    "module z\n", "graph():\n",
    "    %n : [num_users=0] = call_function[target=h](args = (%x,), kwargs = {})\n", "args = (",
    "kwargs = {", "target=", "[num_users=1] = ", "\xC3\xA9", "\\", "<", ">", "torch.ops.f"};

static void mutate(t_rng *rng, t_string *s)
{
    const char *const piece = pieces[t_below(rng, T_COUNT_OF(pieces))];
    uint32_t const at = t_below(rng, (uint32_t)s->size);
    uint32_t const left = (uint32_t)s->size - at;
    uint32_t const most = t_chance(rng, 80u) ? 6u : 60u;
    uint32_t const out = t_chance(rng, 30u) ? 0u : t_below(rng, left < most ? left : most);
    t_string made = {NULL, 0u, 0u};
    t_add(&made, s->data, at);
    if (t_chance(rng, 20u)) { /* a piece of the text itself */
        uint32_t const from = t_below(rng, (uint32_t)s->size);
        uint32_t const n = (uint32_t)s->size - from;
        t_add(&made, s->data + from, t_below(rng, n < 80u ? n : 80u));
    } else if (t_chance(rng, 90u)) {
        t_puts(&made, piece);
    }
    t_add(&made, s->data + at + out, left - out);
    t_free(s);
    *s = made;
}

static void mutated(t_rng *rng, const char *text, int (*one)(const uint8_t *data, size_t size))
{
    uint32_t n = 1u + t_below(rng, 3u);
    t_string s = {NULL, 0u, 0u};
    t_puts(&s, text);
    for (; n > 0u && s.size != 0u; n--) {
        mutate(rng, &s);
    }
    (void)one((const uint8_t *)s.data, s.size);
    t_free(&s);
}

static void test_graphs(void)
{
    uint32_t const rounds = t_fast ? 8000u : 40000u;
    t_rng rng;
    uint32_t k;
    rng.state = t_seed ^ 0x3A7u;
    for (k = 0; k < rounds; k++) {
        mutated(&rng, graphs[k % T_COUNT_OF(graphs)], fuzz_text_one);
    }
}

static void test_tables(void)
{
    uint32_t const rounds = t_fast ? 8000u : 40000u;
    t_rng rng;
    uint32_t k;
    rng.state = t_seed ^ 0x3A8u;
    for (k = 0; k < rounds; k++) {
        mutated(&rng, tables[k % T_COUNT_OF(tables)], fuzz_table_one);
    }
}

void suite_contract_mutated(void)
{
    t_run("graphs", test_graphs);
    t_run("tables", test_tables);
}
