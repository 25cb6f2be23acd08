/* What a pass answers about a graph does not depend on where the graph stands in its module. */
#include "tests/contract/entry.h"

/* Their answers hold numbers of strings, graphs or steps, which follow the module. */
static const char *const of_module[] = {"split_by_tags", "split_module", "exec_plan",
    "stage_params", "pipeline", "dedup", "partition", "partition_kl"};

static const char before[] =
    "module main\n\ngraph():\n"
    "    %p : [num_users=0] = placeholder[target=p]  # i64[7]\n"
    "    %q : [num_users=0] = get_attr[target=before.q]  # f16[3]\n"
    "    %r : [num_users=0] = call_module[target=before.r](args = ([%q, 5], %p), kwargs = {k: %p})"
    "  # bool acc=1\n"
    "    return r\n\nmodule behind\n\n";

/* Passes would place, group and copy its first node. */
static const char after[] = "\nmodule after\n\ngraph():\n"
                            "    %s : [num_users=2] = call_function[target=torch.relu](args = (), "
                            "kwargs = {})  # f32[9] acc=1\n"
                            "    %t : [num_users=0] = call_function[target=torch.add](args = (%s, "
                            "%s), kwargs = {})  # f32[9]\n"
                            "    return s\n";

static t_string answer(const entry *e, const entry_input *in)
{
    t_string bytes = {NULL, 0u, 0u};
    gsp_arena arena;
    entry_output out;
    t_arena_open(&arena, e->bound(in));
    entry_prepare(in, &out);
    t_add(&bytes, "", 0u);
    if (T_EQUAL(e->run(in, &arena, &out, NULL), GSP_OK)) {
        e->dump(in, &out, &bytes);
    }
    t_arena_close(&arena);
    return bytes;
}

static void compare(const entry *e, const entry_input *alone, const entry_input *placed)
{
    t_string a = answer(e, alone);
    t_string b = answer(e, placed);
    if (!T_CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0)) {
        printf("%s\n", e->name);
    }
    t_free(&a);
    t_free(&b);
}

static int is_of_module(const entry *e)
{
    int found = 0;
    for (uint32_t i = 0; i < T_COUNT_OF(of_module); i++) {
        found |= strcmp(e->name, of_module[i]) == 0;
    }
    return found;
}

static void compare_nodes(const gsp_graph *alone, const gsp_graph *placed)
{
    for (gsp_node u = 0; u < alone->n_nodes; u++) {
        for (gsp_node v = 0; v < u; v++) {
            T_EQUAL(gsp_node_equal(placed, u, v), gsp_node_equal(alone, u, v));
        }
    }
}

/* The graph in a module of several, `place` its number there. */
static void check_place(const entry_input *in, const t_string *text, uint32_t place)
{
    entry_input placed = *in;
    gsp_arena arena;
    if (t_must_read(&arena, text->data, &placed.module)) {
        placed.graph = gsp_module_graph(&placed.module, place);
        compare_nodes(&in->graph, &placed.graph);
        for (uint32_t i = 0; i < entry_count; i++) {
            if (!is_of_module(&entry_points[i])) {
                compare(&entry_points[i], in, &placed);
            }
        }
    }
    t_arena_close(&arena);
}

static void test_places(void)
{
    t_rng rng = {t_seed ^ 0x91u};
    for (uint32_t k = 0; k < (t_fast ? 20u : 300u) && !t_failed(); k++) {
        entry_input in;
        t_string text = {NULL, 0u, 0u};
        entry_open(&in, &rng, 40u);
        const char *const more = strstr(in.text.data, "\nmodule ");
        size_t const root = more == NULL ? in.text.size : (size_t)(more - in.text.data);
        t_puts(&text, before);
        t_add(&text, in.text.data, in.text.size);
        check_place(&in, &text, 1u);
        text.size = 0u;
        t_puts(&text, "module main\n\n");
        t_add(&text, in.text.data, root);
        t_puts(&text, after);
        t_add(&text, in.text.data + root, in.text.size - root);
        check_place(&in, &text, 0u);
        t_free(&text);
        entry_close(&in);
    }
}

void suite_contract_place(void)
{
    t_run("places", test_places);
}
