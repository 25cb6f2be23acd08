/* Builds a graph call by call instead of reading text, stores it as one block of bytes, opens the
 * copy and prints it.
 *     cc -I. -o build_graph examples/build_graph.c && ./build_graph
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>
#include <string.h>

static uint64_t memory[1024];
static uint64_t flash[1024]; /* where the finished module is copied to */

static int to_stdout(void *user, const char *data, size_t size)
{
    (void)user;
    return fwrite(data, 1, size, stdout) != size;
}

static gsp_node add_input(gsp_builder *b, const char *name, const char *type)
{
    gsp_node v = gsp_build_node(b, GSP_OP_PLACEHOLDER, gsp_str_of(name), gsp_str_of(name));
    gsp_build_type(b, gsp_str_of(type));
    return v;
}

/* A call of `target` on one node and one number: target(node, number). */
static gsp_node add_call(
    gsp_builder *b, const char *name, const char *target, gsp_node node, const char *number)
{
    gsp_node v = gsp_build_node(b, GSP_OP_CALL_FUNCTION, gsp_str_of(name), gsp_str_of(target));
    gsp_build_arg_node(b, node);
    gsp_build_constant(b, gsp_str_of(number));
    return v;
}

/* return (a, b) */
static void add_return(gsp_builder *b, gsp_node first, gsp_node second)
{
    gsp_build_output(b);
    gsp_build_open(b, GSP_ARG_TUPLE);
    gsp_build_arg_node(b, first);
    gsp_build_arg_node(b, second);
    gsp_build_close(b);
}

static gsp_status build(gsp_arena *arena, gsp_module *module, gsp_error *error)
{
    gsp_builder b;
    gsp_counts counts = gsp_build_counts(1, 4, 12, 8, 16, 256);
    gsp_status status = gsp_build_init(&b, arena, &counts, error);
    gsp_node x, scaled, topk;
    if (status != GSP_OK) {
        return status;
    }
    gsp_build_graph(&b, gsp_str_of("main"));
    x = add_input(&b, "x", "f32[4, 8]");
    scaled = add_call(&b, "scaled", "torch.mul", x, "0.5");
    gsp_build_type(&b, gsp_str_of("f32[4, 8]"));
    gsp_build_attr(&b, gsp_str_of("acc"), gsp_str_of("1"));
    topk = add_call(&b, "topk", "torch.topk", scaled, "2");
    gsp_build_key(&b, gsp_str_of("sorted"));
    gsp_build_constant(&b, gsp_str_of("False"));
    gsp_build_type(&b, gsp_str_of("tuple(f32[4, 2], i64[4, 2])"));
    add_return(&b, topk, x);
    return gsp_build_finish(&b, module, error);
}

/* A copy of the bytes of a module, at an address that is aligned as the arena aligns. */
static void *copy_block(const gsp_module *module)
{
    gsp_arena arena;
    void *block;
    gsp_arena_init(&arena, flash, sizeof flash);
    block = gsp_arena_push(&arena, module->block_size, 1);
    return block ? memcpy(block, module->block, module->block_size) : NULL;
}

int main(void)
{
    gsp_arena arena;
    gsp_module module, copy;
    gsp_error error;
    gsp_status status;

    gsp_arena_init(&arena, memory, sizeof memory);
    status = build(&arena, &module, &error);
    if (status == GSP_OK) {
        status = gsp_module_open(&copy, copy_block(&module), module.block_size, 0, &error);
    }
    if (status == GSP_OK) {
        status = gsp_text_write(&copy, NULL, to_stdout, NULL, &error);
    }
    if (status != GSP_OK) {
        printf("%s: %s\n", gsp_status_name(error.status), gsp_detail_text(error.detail));
        return 1;
    }
    return 0;
}
