/* A set of nodes cut out of a graph: tags for the set, a size that joins its reader, and what a
 * getitem reads.
 *     cc -I. -o cut_out examples/cut_out.c && ./cut_out
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[8, 8]\n"
    "    %two : [num_users=1] = call_function[target=split](args = (%x, 4), kwargs = {})"
    "  # tuple(f32[4, 8], f32[4, 8])\n"
    "    %last : [num_users=2] = call_function[target=operator.getitem](args = (%two, -1), kwargs "
    "= {})  # f32[4, 8]\n"
    "    %size : [num_users=1] = call_method[target=size](args = (%last, 0), kwargs = {})"
    "  # int\n"
    "    %view : [num_users=1] = call_method[target=view](args = (%last, %size, 2, 4), kwargs = {})"
    "  # f32[4, 2, 4]\n"
    "    return view\n";
static unsigned char memory[1 << 16];

static void show(const gsp_graph *graph, const char *what, const uint32_t *of)
{
    printf("%s:", what);
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        if (gsp_node_is_callable(graph, v)) {
            gsp_str name = gsp_node_name(graph, v);
            printf(" %.*s %u", (int)name.size, name.data, (unsigned)of[v]);
        }
    }
    printf("\n");
}

int main(void)
{
    static const uint8_t kind[] = {GSP_KIND_CPU, 1, GSP_KIND_CPU};
    gsp_move_non_tensor_desc move = {0};
    gsp_arena arena;
    gsp_module module;
    gsp_bitset set;
    uint32_t words[1];
    uint32_t tag_of[6];
    uint32_t n_moved;
    uint32_t n_args;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    gsp_node last = gsp_graph_find(&graph, gsp_str_of("last"));
    gsp_node size = gsp_graph_find(&graph, gsp_str_of("size"));
    gsp_node view = gsp_graph_find(&graph, gsp_str_of("view"));
    printf("last is element %u\n", (unsigned)gsp_node_element(&graph, last));
    const gsp_arg *args = gsp_node_args(&graph, view, &n_args);
    uint32_t token = gsp_node_leaf(&graph, view, 1);
    printf("argument 1 of view is %s\n",
        token < n_args && args[token].value == size ? "size" : "another");

    gsp_bitset_init(&set, words, graph.n_nodes);
    gsp_bitset_set(&set, last);
    gsp_bitset_set(&set, size);
    if (gsp_minimize_tags(&graph, &set, tag_of) != GSP_NONE) {
        return 1; /* the set reads a node that reads the set */
    }
    show(&graph, "tags", tag_of);

    /* `size` is a number: it need not cross the boundary of the accelerator. */
    move.n_subgraphs = 3;
    move.kind = kind;
    printf("moving takes at most %s\n",
        gsp_move_non_tensor_bound(&graph, &move) <= 1024 ? "a kilobyte" : "more");
    if (gsp_move_non_tensor_run(&arena, &graph, &move, tag_of, &n_moved, NULL) != GSP_OK) {
        return 1;
    }
    show(&graph, "subgraphs", tag_of);
    return n_moved != 1;
}
