/* The accelerator node finder alone. */
#include "tests/t.h"

/* Case A15: getitem feeds add on the CPU, so it leaves; then sub would read an int from the CPU;
 * then size feeds getitem on the CPU. */
static const char a15[] = "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
                          "    %y : [num_users=1] = placeholder[target=y]  # f32[4]\n"
                          "    %z : [num_users=1] = placeholder[target=z]  # f32[4]\n"
                          "    %size : [num_users=1] = call_method[target=size](args = (%x,), "
                          "kwargs = {})  # tuple acc=1\n"
                          "    %getitem : [num_users=2] = "
                          "call_function[target=operator.getitem](args = (%size, 0), kwargs "
                          "= {})  # int acc=1\n"
                          "    %add : [num_users=1] = call_function[target=operator.add](args = "
                          "(%y, %getitem), kwargs = {})"
                          "  # f32[4]\n"
                          "    %sub : [num_users=1] = call_function[target=operator.sub](args = "
                          "(%z, %getitem), kwargs = {})"
                          "  # f32[4] acc=1\n"
                          "    %add_1 : [num_users=1] = call_function[target=operator.add](args = "
                          "(%add, %sub), kwargs = {})"
                          "  # f32[4]\n    return add_1\n";

typedef struct placed {
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_placement p;
    gsp_error err;
} placed;

static int start(placed *s, const char *text)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 65536u);
    if (!T_EQUAL(gsp_text_read(&s->arena, text, strlen(text), NULL, &s->m, &s->err), GSP_OK)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->m, 0u);
    return T_EQUAL(gsp_support_run(&s->arena, &s->g, NULL, &s->p, &s->err), GSP_OK);
}

static const char *kinds(const placed *s)
{
    static char digits[64];
    gsp_node v;
    size_t n = 0;
    for (v = 0; v < s->p.n_nodes; v++) {
        if (s->p.kind[v] != GSP_KIND_NONE) {
            digits[n++] = (char)('0' + s->p.kind[v]);
        }
    }
    digits[n] = '\0';
    return digits;
}

static void test_chain_falls(void)
{
    placed s;
    if (start(&s, a15)) {
        size_t const low = s.arena.low;
        T_STRING(kinds(&s), "11010");
        T_EQUAL(gsp_acc_nodes_run(&s.arena, &s.g, &s.p, &s.err), GSP_OK);
        T_STRING(kinds(&s), "00000");
        T_EQUAL(s.p.reason[4], GSP_REASON_NON_TENSOR_OUT);
        T_EQUAL(s.p.culprit[4], 5);
        T_EQUAL(s.p.reason[6], GSP_REASON_NON_TENSOR_IN);
        T_EQUAL(s.p.culprit[6], 4);
        T_EQUAL(s.p.reason[3], GSP_REASON_NON_TENSOR_OUT);
        T_EQUAL(s.p.culprit[3], 4);
        T_EQUAL(s.p.reason[5], GSP_REASON_UNSUPPORTED);
        T_EQUAL(s.arena.low, low);
        T_EQUAL(s.arena.high, 0);
    }
    t_arena_close(&s.arena);
}

/* Without types everything is a tensor, and nothing leaves. */
static void test_no_types(void)
{
    placed s;
    t_string text = {NULL, 0u, 0u};
    const char *at = a15;
    while (*at != '\0') {
        const char *const type = strstr(at, "  # ");
        const char *const end = strchr(at, '\n') + 1;
        if (type != NULL && type < end) {
            int const acc = strstr(type, "acc=1") != NULL && strstr(type, "acc=1") < end;
            t_add(&text, at, (size_t)(type - at));
            t_puts(&text, acc ? "  # acc=1\n" : "\n");
        } else {
            t_add(&text, at, (size_t)(end - at));
        }
        at = end;
    }
    if (start(&s, text.data)) {
        T_EQUAL(gsp_acc_nodes_run(&s.arena, &s.g, &s.p, &s.err), GSP_OK);
        T_STRING(kinds(&s), "11010");
    }
    t_free(&text);
    t_arena_close(&s.arena);
}

static void test_returned(void)
{
    placed s;
    if (start(&s, "graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
                  "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # "
                  "int acc=1\n"
                  "    %b : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  "
                  "# tuple(f32[1]) acc=1\n"
                  "    %c : [num_users=0] = call_function[target=f](args = (), kwargs = {})  # int "
                  "acc=1\n"
                  "    return (a, b)\n")) {
        T_EQUAL(gsp_acc_nodes_run(&s.arena, &s.g, &s.p, &s.err), GSP_OK);
        T_STRING(kinds(&s), "001");
        T_EQUAL(s.p.reason[1], GSP_REASON_NON_TENSOR_OUT);
        T_EQUAL(s.p.culprit[1], 4);
    }
    t_arena_close(&s.arena);
}

/* A non-tensor placeholder is nobody's problem: only callable inputs count. */
static void test_placeholder(void)
{
    placed s;
    if (start(&s, "graph():\n    %n : [num_users=1] = placeholder[target=n]  # int\n"
                  "    %a : [num_users=1] = call_function[target=f](args = (%n,), kwargs = {})  # "
                  "f32[1] acc=1\n"
                  "    return a\n")) {
        T_EQUAL(gsp_acc_nodes_run(&s.arena, &s.g, &s.p, &s.err), GSP_OK);
        T_STRING(kinds(&s), "1");
    }
    t_arena_close(&s.arena);
}

static void test_group_leaves_together(void)
{
    placed s;
    if (start(&s, "graph():\n"
                  "    %a : [num_users=1] = call_function[target=f](args = (), kwargs = {})  # int "
                  "acc=1 group=g\n"
                  "    %b : [num_users=1] = call_function[target=f](args = (), kwargs = {})  # "
                  "f32[1] acc=1 group=g\n"
                  "    return (a, b)\n")) {
        T_EQUAL(gsp_acc_nodes_run(&s.arena, &s.g, &s.p, &s.err), GSP_OK);
        T_STRING(kinds(&s), "00");
        T_EQUAL(s.p.reason[0], GSP_REASON_NON_TENSOR_OUT);
        T_EQUAL(s.p.reason[1], GSP_REASON_GROUP);
        T_EQUAL(s.p.culprit[1], 0);
    }
    t_arena_close(&s.arena);
}

/* The cause of a group's fall is a member of another kind, whichever stands first. */
static void test_group_of_kinds(void)
{
    static const uint8_t given[][3] = {{0, 1, 1}, {1, 1, 0}, {1, 2, 0}, {2, 0, 2}};
    static const gsp_node culprits[][3] = {
        {GSP_NONE, 0, 0}, {2, 2, GSP_NONE}, {1, 0, GSP_NONE}, {1, GSP_NONE, 1}};
    for (uint32_t i = 0; i < T_COUNT_OF(given); i++) {
        placed s;
        if (start(&s,
                "graph():\n"
                "    %a : [num_users=1] = call_function[target=f](args = (), kwargs = {})  # "
                "f32[1] group=g\n"
                "    %b : [num_users=1] = call_function[target=f](args = (), kwargs = {})  # "
                "f32[1] group=g\n"
                "    %c : [num_users=1] = call_function[target=f](args = (), kwargs = {})  # "
                "f32[1] group=g\n"
                "    %d : [num_users=0] = call_function[target=f](args = (), kwargs = {})  # int\n"
                "    return (a, b, c)\n")) {
            s.p.n_kinds = 3u;
            memcpy(s.p.kind, given[i], sizeof(given[i]));
            T_EQUAL(gsp_acc_nodes_run(&s.arena, &s.g, &s.p, &s.err), GSP_OK);
            T_STRING(kinds(&s), "0000");
            for (uint32_t v = 0; v < 3u; v++) {
                T_EQUAL(s.p.culprit[v], culprits[i][v]);
            }
        }
        t_arena_close(&s.arena);
    }
}

void suite_unit_acc_nodes(void)
{
    t_run("chain_falls", test_chain_falls);
    t_run("no_types", test_no_types);
    t_run("returned", test_returned);
    t_run("placeholder", test_placeholder);
    t_run("group_leaves_together", test_group_leaves_together);
    t_run("group_of_kinds", test_group_of_kinds);
}
