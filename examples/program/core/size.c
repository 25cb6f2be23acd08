/* What is known of the bytes of a value. */
#include "core/core.h"

#include <inttypes.h>

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

int cli_any_least(const gsp_graph *graph, const gsp_node *nodes, uint32_t n)
{
    gsp_str symbol;
    uint32_t i = 0;
    while (i < n && cli_size_of(graph, nodes[i], &symbol) == CLI_SIZE_KNOWN) {
        i++;
    }
    return i < n;
}

int cli_graph_least(const gsp_graph *graph, int params)
{
    gsp_str symbol;
    gsp_node v = 0;
    while (v < graph->n_nodes && ((gsp_node_op(graph, v) == GSP_OP_GET_ATTR) != params ||
                                     cli_size_of(graph, v, &symbol) == CLI_SIZE_KNOWN)) {
        v++;
    }
    return v < graph->n_nodes;
}

/* Values of all graphs whose bytes are not known; *all is the number of values. */
static uint32_t count_unknown(const gsp_module *module, uint32_t *all)
{
    gsp_str symbol;
    uint32_t n = 0;
    uint32_t i;
    gsp_node v;
    *all = 0;
    for (i = 0; i < module->counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(module, i);
        for (v = 0; v < g.n_nodes; v++) {
            *all += gsp_node_op(&g, v) != GSP_OP_OUTPUT;
            n += cli_size_of(&g, v, &symbol) != CLI_SIZE_KNOWN ? 1u : 0u;
        }
    }
    return n;
}

int cli_unknown_sizes(const gsp_module *module)
{
    uint32_t all;
    return count_unknown(module, &all) != 0;
}

void cli_put_open_sizes(cli_buffer *out, const gsp_module *module)
{
    uint32_t all;
    uint32_t const n = count_unknown(module, &all);
    cli_printf(out, "%" PRIu32 " of %" PRIu32 " sizes %s unknown", n, all, n == 1u ? "is" : "are");
}

void cli_json_unknown(cli_buffer *out, const gsp_module *module)
{
    uint32_t all;
    cli_printf(out, "\"unknown_sizes\": %" PRIu32 ", ", count_unknown(module, &all));
}

void cli_put_size(cli_buffer *out, const gsp_graph *graph, gsp_node node)
{
    cli_sum sum = {0, 0};
    cli_sum_add(&sum, graph, node);
    cli_put_sum(out, &sum);
}

void cli_sum_add(cli_sum *sum, const gsp_graph *graph, gsp_node node)
{
    uint64_t bytes = gsp_node_bytes(graph, node);
    gsp_str symbol;
    cli_size size = cli_size_of(graph, node, &symbol);
    sum->least |= size != CLI_SIZE_KNOWN;
    bytes = size == CLI_SIZE_UNKNOWN ? 0 : bytes;
    sum->bytes = sum->bytes > UINT64_MAX - bytes ? UINT64_MAX : sum->bytes + bytes;
}

void cli_put_least(cli_buffer *out, uint64_t bytes, int least, void (*put)(cli_buffer *, uint64_t))
{
    if (least && bytes == 0) {
        cli_puts(out, "?");
        return;
    }
    cli_puts(out, least ? ">= " : "");
    put(out, bytes);
}

void cli_put_sum(cli_buffer *out, const cli_sum *sum)
{
    cli_put_least(out, sum->bytes, sum->least, cli_put_bytes);
}

void cli_put_unknown(cli_buffer *out, const gsp_module *module)
{
    uint32_t n = 0;
    uint32_t least = 0;
    uint32_t i;
    gsp_str symbol;
    gsp_node v;
    for (i = 0; i < module->counts.graphs && out->session->text_size != 0; i++) {
        gsp_graph g = gsp_module_graph(module, i);
        for (v = 0; v < g.n_nodes; v++) {
            cli_size const size = cli_size_of(&g, v, &symbol);
            n += size == CLI_SIZE_UNKNOWN;
            least += size == CLI_SIZE_LEAST;
        }
    }
    if (n != 0 && least == 0) {
        cli_printf(out,
            "\n%" PRIu32 " value%s without shape count%s as 0 B: annotate nodes with types such "
            "as # f32[1, 8].\n",
            n, cli_plural(n), n == 1u ? "s" : "");
    }
}
