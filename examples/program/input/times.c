/* Times of nodes where the graph has none: counts of nodes, or estimates from shapes. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

/* Elements of the first tensor that a node yields. A dimension that is no number counts as 1. */
static double elements_of(const gsp_graph *g, gsp_node v)
{
    double elements = 1.0;
    uint32_t at = 0;
    uint32_t i = 0;
    gsp_str dtype;
    gsp_str dims;
    gsp_str dim;
    if (gsp_type_next(gsp_node_type(g, v), &at, &dtype, &dims)) {
        while (cli_next_dim(dims, &i, &dim)) {
            uint64_t number = 1;
            elements *= gsp_str_number(dim, &number) ? (double)number : 1.0;
        }
    }
    return elements;
}

double cli_multiplications(const gsp_graph *g, gsp_node v)
{
    double const macs = cli_node_macs(g, v).n;
    return macs > 0.0 ? macs : elements_of(g, v);
}

double cli_time_estimate(const gsp_graph *g, gsp_node v, const cli_rates *r)
{
    double bytes = (double)gsp_node_bytes(g, v);
    double macs = cli_node_macs(g, v).n / r->macs;
    uint32_t n;
    const gsp_node *inputs = gsp_node_inputs(g, v, &n);
    for (; n > 0; n--) {
        bytes += (double)gsp_node_bytes(g, inputs[n - 1u]);
    }
    if (gsp_node_op(g, v) == GSP_OP_CALL_MODULE) {
        bytes += (double)gsp_node_params(g, v);
    }
    bytes /= r->bytes;
    macs = macs > bytes ? macs : bytes;
    return macs > CLI_TIMES_NODE ? macs : CLI_TIMES_NODE;
}

/* ---- the module with these times ---- */

static int has_time(const gsp_graph *g, gsp_node v, int memory)
{
    return gsp_node_attr(g, v, GSP_KEY_COMPUTE).data != NULL ||
           (memory && gsp_node_attr(g, v, GSP_KEY_MEM).data != NULL);
}

typedef struct changed {
    uint32_t *attr;    /* [nodes] */
    gsp_attr *attrs;   /* the old ones, then rows of the nodes that change */
    uint32_t *strings; /* [strings + 1] begins, with those of the new texts */
    uint32_t n_attrs;
    uint32_t n_strings;
    cli_buffer chars;
} changed;

/* compute= before the other attributes; alone: without those that are seconds. */
static void change(
    changed *c, const gsp_module *m, uint32_t at, int is_time, double seconds, int alone)
{
    const gsp_attr *old = m->attrs + m->attr[at];
    c->attr[at] = c->n_attrs;
    if (is_time) {
        cli_printf(&c->chars, "%.9g", seconds);
        c->attrs[c->n_attrs].key = (gsp_atom)GSP_KEY_COMPUTE;
        c->attrs[c->n_attrs++].value = c->n_strings++;
        c->strings[c->n_strings] = (uint32_t)c->chars.size;
    }
    for (; old->key != (gsp_atom)GSP_KEY_NONE; old++) {
        int timed = old->key == (gsp_atom)GSP_KEY_COMPUTE || old->key == (gsp_atom)GSP_KEY_MEM ||
                    old->key == (gsp_atom)GSP_KEY_COMM;
        if (!alone || !timed) {
            c->attrs[c->n_attrs++] = *old;
        }
    }
    c->attrs[c->n_attrs++] = *old;
}

static void begin_change(cli_session *s, changed *c)
{
    const gsp_module *m = &s->module;
    size_t nodes = m->counts.nodes;
    uint32_t n = m->counts.strings;
    c->attr = (uint32_t *)cli_alloc(s, nodes + 1u, sizeof *c->attr);
    c->attrs = (gsp_attr *)cli_alloc(s, 2u * ((size_t)m->counts.attrs + nodes), sizeof *c->attrs);
    c->strings = (uint32_t *)cli_alloc(s, n + nodes + 1u, sizeof *c->strings);
    memcpy(c->attr, m->attr, nodes * sizeof *c->attr);
    memcpy(c->attrs, m->attrs, m->counts.attrs * sizeof *c->attrs);
    memcpy(c->strings, m->string_begin, ((size_t)n + 1u) * sizeof *c->strings);
    c->n_attrs = m->counts.attrs;
    c->n_strings = n;
    cli_buffer_init(&c->chars, s);
    cli_put(&c->chars, m->chars, m->string_begin[n]);
}

int cli_rates_read(cli_session *s, const char *option, const char *text, cli_rates *r)
{
    gsp_str macs = gsp_str_of(text);
    const char *comma = strchr(macs.data, ',');
    gsp_str bytes = gsp_str_of(comma != NULL ? comma + 1 : "");
    macs.size -= comma != NULL ? bytes.size + 1u : 0u;
    if (!gsp_str_decimal(macs, &r->macs) || !gsp_str_decimal(bytes, &r->bytes) ||
        !(r->macs > 0.0) || !(r->bytes > 0.0)) {
        return cli_usage_error(
            s, "%s expects MACs and bytes per second, such as 1e12,1e11, got '%s'", option, text);
    }
    return CLI_EXIT_OK;
}

static int read_rates(cli_session *s, const cli_times *times, cli_rates *r)
{
    if (times->rates != NULL && times->unit != CLI_TIMES_SHAPES) {
        return cli_usage_error(s, "--rates requires --time-unit shapes");
    }
    return cli_rates_read(s, "--rates", times->rates != NULL ? times->rates : "1e12,1e11", r);
}

int cli_times_set(cli_session *s, const cli_times *times, int memory)
{
    gsp_module *m = &s->module;
    int nodes = times->unit == CLI_TIMES_NODES;
    changed c;
    cli_rates r;
    uint32_t i;
    int code = read_rates(s, times, &r);
    if (code != CLI_EXIT_OK || times->unit == CLI_TIMES_SECONDS) {
        return code;
    }
    begin_change(s, &c);
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(m, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes; v++) {
            int called = gsp_node_is_callable(&g, v);
            if (nodes) {
                change(&c, m, g.first + v, called, CLI_TIMES_NODE, 1);
            } else if (called && !has_time(&g, v, memory)) {
                change(&c, m, g.first + v, 1, cli_time_estimate(&g, v, &r), 0);
            }
        }
    }
    if (c.chars.size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "--time-unit: the graph is too large");
    }
    m->attr = c.attr;
    m->attrs = c.attrs;
    m->string_begin = c.strings;
    m->chars = c.chars.data;
    m->counts.attrs = c.n_attrs;
    m->counts.strings = m->n_stored = c.n_strings;
    m->counts.bytes = (uint32_t)c.chars.size;
    return CLI_EXIT_OK;
}

uint32_t cli_times_missing(const gsp_graph *graph, int memory)
{
    uint32_t n = 0;
    gsp_node v;
    for (v = 0; v < graph->n_nodes; v++) {
        n += gsp_node_is_callable(graph, v) && !has_time(graph, v, memory) ? 1u : 0u;
    }
    return n;
}
