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

gsp_str cli_missing_graph(const gsp_graph *graph, gsp_node node)
{
    static const char *const keys[] = {"then", "else", "body", "cond", "init"};
    const gsp_module *m = graph->module;
    const gsp_attr *a = m->attrs + m->attr[graph->first + node];
    gsp_str const none = {NULL, 0};
    for (; gsp_node_is_callable(graph, node) && a->key != GSP_KEY_NONE; a++) {
        size_t i = 0;
        while (
            i < CLI_COUNT(keys) && !gsp_str_equal(gsp_module_str(m, a->key), gsp_str_of(keys[i]))) {
            i++;
        }
        if (i < CLI_COUNT(keys)) {
            uint32_t const id = gsp_module_find_graph(m, a->value);
            if (id == GSP_NONE || id == 0) { /* no node can run the first */
                return gsp_module_str(m, a->value);
            }
        }
    }
    return none;
}

/* 1 unless the bytes of a value and of what its node runs are known. */
static int is_open(const gsp_graph *graph, gsp_node node)
{
    gsp_str symbol;
    return cli_size_of(graph, node, &symbol) != CLI_SIZE_KNOWN ||
           cli_missing_graph(graph, node).data != NULL;
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
    gsp_node v = 0;
    while (v < graph->n_nodes &&
           ((gsp_node_op(graph, v) == GSP_OP_GET_ATTR) != params || !is_open(graph, v))) {
        v++;
    }
    return v < graph->n_nodes;
}

/* Values of all graphs whose bytes are not known; *all is the number of values. */
static uint32_t count_unknown(const gsp_module *module, uint32_t *all)
{
    uint32_t n = 0;
    uint32_t i;
    gsp_node v;
    *all = 0;
    for (i = 0; i < module->counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(module, i);
        for (v = 0; v < g.n_nodes; v++) {
            *all += gsp_node_op(&g, v) != GSP_OP_OUTPUT;
            n += is_open(&g, v) ? 1u : 0u;
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

/* Nodes that run what the module does not have. */
static void put_missing(cli_buffer *out, const gsp_module *module)
{
    uint32_t i;
    gsp_node v;
    for (i = 0; i < module->counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(module, i);
        for (v = 0; v < g.n_nodes; v++) {
            gsp_str const name = cli_missing_graph(&g, v);
            if (name.data != NULL) {
                cli_puts(out, "\n%");
                cli_put_text(out, gsp_node_name(&g, v));
                cli_puts(out, " runs ");
                cli_put_text(out, name);
                cli_puts(out, gsp_str_equal(name, gsp_module_str(module, module->graphs[0].name))
                                  ? ", but no node can run the first graph: it counts as 0 B.\n"
                                  : ", but the module has no such graph: it counts as 0 B.\n");
            }
        }
    }
}

void cli_put_unknown(cli_buffer *out, const gsp_module *module)
{
    uint32_t n = 0;
    uint32_t least = 0;
    uint32_t i;
    gsp_str symbol;
    gsp_node v;
    for (i = 0; i < module->counts.graphs && out->session->text != NULL; i++) {
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
    put_missing(out, module);
}
