/* A module is immutable: an edited copy replaces an operator, inserts a copy to another device, and
 * drops a branch that nothing reads.
 *     cc -I. -o edit examples/edit.c && ./edit
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # f32[8]\n"
    "    %gelu : [num_users=1] = call_function[target=gelu](args = (%x,), kwargs = {})  # f32[8]\n"
    "    %dead : [num_users=0] = call_function[target=abs](args = (%x,), kwargs = {})  # f32[8]\n"
    "    %conv : [num_users=1] = call_function[target=conv](args = (%gelu, 3), kwargs = {})  # "
    "f32[8] part=1\n"
    "    return conv\n";
static unsigned char memory[65536];

static int print(void *user, const char *data, size_t size)
{
    (void)user;
    return fwrite(data, 1, size, stdout) != size;
}

static gsp_status edit(gsp_arena *arena, const gsp_graph *graph, gsp_module *edited, gsp_error *err)
{
    gsp_node map[64];
    gsp_builder b;
    gsp_counts const old = graph->module->counts; /* and what is new: two nodes, their strings */
    gsp_counts const room = gsp_build_counts(
        1, old.nodes + 2, old.args + 2, old.attrs, old.strings + 4, old.bytes + 64);
    (void)gsp_build_init(&b, arena, &room, err); /* gsp_build_finish() returns the first error */
    gsp_build_adopt(&b, graph->module);
    gsp_build_graph(&b, gsp_str_of("main"));
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        uint32_t n_users;
        uint32_t n_args;
        const gsp_arg *args = gsp_node_args(graph, v, &n_args);
        int const output = gsp_node_op(graph, v) == GSP_OP_OUTPUT;
        gsp_atom target = graph->module->target[v];
        (void)gsp_node_users(graph, v, &n_users);
        if (gsp_node_is_callable(graph, v) && n_users == 0) {
            continue; /* drop */
        }
        if (gsp_str_equal(gsp_node_target(graph, v), gsp_str_of("gelu"))) {
            target = gsp_build_atom(&b, gsp_str_of("relu")); /* replace */
        }
        map[v] = output ? gsp_build_output(&b)
                        : gsp_build_node_atoms(
                              &b, gsp_node_op(graph, v), graph->module->name[v], target);
        for (uint32_t i = 0; i < n_args; i++) {
            gsp_arg const a = {
                args[i].kind, args[i].kind == GSP_ARG_NODE ? map[args[i].value] : args[i].value};
            gsp_build_arg(&b, a);
        }
        gsp_build_like(&b, graph, v, 1);
        if (gsp_str_equal(gsp_node_target(graph, v), gsp_str_of("gelu"))) { /* insert */
            map[v] = gsp_build_call(&b, gsp_str_of("copy"), &map[v], 1);
            gsp_build_like(&b, graph, v, 0);
        }
    }
    return gsp_build_finish(&b, edited, err);
}

int main(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_module edited;
    gsp_error error;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, &error) != GSP_OK) {
        return gsp_error_write(&error, NULL, print, NULL), 1;
    }
    gsp_graph const graph = gsp_module_graph(&module, 0);
    if (edit(&arena, &graph, &edited, &error) != GSP_OK) {
        return gsp_error_write(&error, NULL, print, NULL), 1;
    }
    return gsp_text_write(&edited, NULL, print, NULL, &error) != GSP_OK;
}
