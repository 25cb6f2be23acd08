/* Cuts a graph by an assignment of the caller and prints the module: a root that calls one graph
 * per part.
 *     cc -I. -o split_module examples/split_module.c && ./split_module
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n"
    "    %a : [num_users=2] = call_function[target=relu](args = (%x,), kwargs = {})  # f32[8]\n"
    "    %b : [num_users=1] = call_function[target=neg](args = (%a,), kwargs = {})  # f32[8]\n"
    "    %c : [num_users=1] = call_function[target=add](args = (%a, %b), kwargs = {})  # f32[8]\n"
    "    return c\n";

static int to_stdout(void *user, const char *data, size_t size)
{
    (void)user;
    return fwrite(data, 1, size, stdout) != size;
}

int main(void)
{
    static unsigned char memory[65536];
    static const uint32_t part_of[] = {GSP_NONE, 0, 1, 1, GSP_NONE}; /* x, a, b, c, output */
    gsp_split_module_desc desc = {0};
    gsp_split_module_result result;
    gsp_module module;
    gsp_arena arena;
    gsp_error error;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, text, sizeof text - 1, NULL, &module, &error) != GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    desc.n_parts = 2;
    desc.part_of = part_of;
    if (gsp_split_module_run(&arena, &graph, &desc, &result, &error) != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    return gsp_text_write(&result.module, NULL, to_stdout, NULL, &error) != GSP_OK;
}
