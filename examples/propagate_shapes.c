/* Shape propagation: the runner with shapes for values. The batch of the network changes from 1 to
 * 32, and the run prints the shape of every node; a kernel that cannot go on stops it.
 *     cc -I. -o propagate_shapes examples/propagate_shapes.c && ./propagate_shapes
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[1, 64]\n"
    "    %w1 : [num_users=1] = get_attr[target=w1]  # f32[64, 48]\n"
    "    %w2 : [num_users=1] = get_attr[target=w2]  # f32[24, 10]\n"
    "    %mm : [num_users=1] = call_function[target=torch.mm](args = (%x, %w1), kwargs = {})\n"
    "    %chunk : [num_users=2] = call_function[target=torch.chunk](args = (%mm, 2), kwargs = "
    "{dim: "
    "1})  # tuple(f32[1, 24], f32[1, 24])\n"
    "    %a : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 0), kwargs = "
    "{})\n"
    "    %b : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 1), kwargs = "
    "{})\n"
    "    %relu : [num_users=1] = call_function[target=torch.relu](args = (%a,), kwargs = {})\n"
    "    %cat : [num_users=1] = call_function[target=torch.cat](args = ([%relu, %b],), kwargs = "
    "{dim: 0})\n"
    "    %out : [num_users=1] = call_function[target=torch.mm](args = (%cat, %w2), kwargs = {})\n"
    "    return out\n";

/* A matrix packed into one value: rows in the high half, columns in the low half. */
static gsp_value shape(uint64_t rows, uint64_t columns)
{
    return rows << 32 | columns;
}

static gsp_value shape_of_type(gsp_str type)
{
    uint32_t at = 0, comma = 0;
    uint64_t rows = 1, columns = 1;
    gsp_str dtype, dims;
    if (gsp_type_next(type, &at, &dtype, &dims)) {
        while (comma < dims.size && dims.data[comma] != ',') {
            comma++;
        }
        gsp_str first = {dims.data, comma};
        gsp_str second = {dims.data + comma + 2, dims.size - comma - 2};
        gsp_str_number(first, &rows);
        gsp_str_number(second, &columns);
    }
    return shape(rows, columns);
}

/* mm, relu, chunk(x, parts, dim), cat([...], dim) of matrices; an attribute has the shape of its
 * TYPE. */
static gsp_status kernel(void *user, const gsp_call *call)
{
    gsp_str target = gsp_node_target(&call->graph, call->node);
    gsp_str name = gsp_node_name(&call->graph, call->node);
    uint64_t rows = call->n_args ? call->values[0] >> 32 : 0;
    uint64_t columns = call->n_args ? call->values[0] & UINT32_MAX : 0;
    (void)user;
    if (call->request == GSP_REQUEST_ATTR) {
        call->results[0] = shape_of_type(gsp_node_type(&call->graph, call->node));
    } else if (gsp_str_equal(target, gsp_str_of("torch.mm"))) {
        if (columns != call->values[1] >> 32) {
            return GSP_STATUS_ARG;
        }
        call->results[0] = shape(rows, call->values[1] & UINT32_MAX);
    } else if (gsp_str_equal(target, gsp_str_of("torch.chunk"))) {
        for (uint32_t i = 0; i < call->n_results; i++) {
            call->results[i] = shape(rows, columns / call->n_results);
        }
    } else if (gsp_str_equal(target, gsp_str_of("torch.cat"))) {
        for (uint32_t i = 1; call->args[i].kind == GSP_ARG_NODE; i++) { /* args[0] opens the list */
            rows += call->values[i] >> 32;
            columns = call->values[i] & UINT32_MAX;
        }
        call->results[0] = shape(rows, columns);
    } else {
        call->results[0] = call->values[0];
    }
    for (uint32_t i = 0; i < call->n_results; i++) {
        printf("%-6.*s %u x %u\n", (int)name.size, name.data, (unsigned)(call->results[i] >> 32),
            (unsigned)(call->results[i] & UINT32_MAX));
    }
    return GSP_OK;
}

int main(void)
{
    static uint64_t memory[4096];
    gsp_value input = shape(32, 64), output;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_exec_plan frames;
    gsp_exec_desc run = {0};
    gsp_error error;
    run.kernel = kernel;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, network, sizeof network - 1, NULL, &module, &error) != GSP_OK) {
        printf("line %u: %s\n", (unsigned)error.line, gsp_detail_text(error.detail));
        return 1;
    }
    graph = gsp_module_graph(&module, 0);
    if (gsp_exec_plan_run(&arena, &graph, NULL, &frames, &error) != GSP_OK ||
        gsp_exec_run(&arena, &frames, &run, &input, &output, &error) != GSP_OK) {
        printf("node %u: %s\n", (unsigned)error.node, gsp_detail_text(error.detail));
        return 1;
    }
    return 0;
}
