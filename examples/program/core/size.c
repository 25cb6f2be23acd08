/* What is known of the bytes of a value. */
#include "core/size.h"

#include "core/buffer.h"

int cli_next_dim(gsp_str dims, uint32_t *at, gsp_str *dim)
{
    uint32_t begin = *at;
    uint32_t end;
    while (begin < dims.size && (dims.data[begin] == ' ' || dims.data[begin] == ',')) {
        begin++;
    }
    for (end = begin; end < dims.size && dims.data[end] != ','; end++) {
    }
    *at = end;
    while (end > begin && dims.data[end - 1u] == ' ') {
        end--;
    }
    dim->data = dims.data + begin;
    dim->size = end - begin;
    return dim->size != 0;
}

cli_size cli_size_of(const gsp_graph *graph, gsp_node node, gsp_str *symbol)
{
    gsp_str type = gsp_node_type(graph, node);
    cli_size size = CLI_SIZE_KNOWN;
    uint32_t at = 0;
    gsp_str dtype;
    gsp_str dims;
    if (gsp_node_attr(graph, node, GSP_KEY_BYTES).data != NULL ||
        gsp_node_op(graph, node) == GSP_OP_OUTPUT) {
        return CLI_SIZE_KNOWN;
    }
    if (type.size == 0) {
        return CLI_SIZE_UNKNOWN;
    }
    while (gsp_type_next(type, &at, &dtype, &dims)) {
        uint32_t i = 0;
        uint64_t number;
        gsp_str dim;
        while (cli_next_dim(dims, &i, &dim)) {
            if (gsp_str_equal(dim, gsp_str_of("?"))) {
                return CLI_SIZE_UNKNOWN;
            }
            if (!gsp_str_number(dim, &number)) {
                size = CLI_SIZE_LEAST;
                *symbol = dim;
            }
        }
    }
    return size;
}

void cli_put_size(cli_buffer *out, const gsp_graph *graph, gsp_node node)
{
    gsp_str symbol;
    cli_size size = cli_size_of(graph, node, &symbol);
    if (size == CLI_SIZE_UNKNOWN) {
        cli_puts(out, "?");
        return;
    }
    cli_puts(out, size == CLI_SIZE_LEAST ? ">= " : "");
    cli_put_bytes(out, gsp_node_bytes(graph, node));
}
