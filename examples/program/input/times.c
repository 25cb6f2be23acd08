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

static int read_rates(cli_session *s, const cli_times *times, cli_rates *r)
{
    if (times->rates != NULL && times->unit != CLI_TIMES_SHAPES) {
        return cli_usage_error(s, "--rates requires --time-unit shapes");
    }
    return cli_rates_read(s, "--rates", times->rates != NULL ? times->rates : "1e12,1e11", r);
}

typedef struct pricing {
    const cli_rates *rates; /* NULL: no estimates */
    int memory;
} pricing;

/* Seconds of the graphs that a node runs: the largest of branches, conditions and bodies times
 * `trips=N`, others once; initialisers take none. Returns 0 for a node that runs none. */
static int run_seconds(const gsp_graph *g, gsp_node v, const double *totals, double *seconds)
{
    double branch = 0.0;
    double loop = 0.0;
    double trips = 1.0;
    int any = 0;
    gsp_called c;
    memset(&c, 0, sizeof c);
    *seconds = 0.0;
    while (gsp_called_next(g, v, &c)) {
        double const t = totals[c.graph];
        any = 1;
        branch = c.role == GSP_ROLE_BRANCH && t > branch ? t : branch;
        loop += c.role == GSP_ROLE_LOOP ? t : 0.0;
        *seconds += c.role == GSP_ROLE_ONCE ? t : 0.0;
    }
    if (!gsp_str_decimal(cli_own_attr(g, v, "trips"), &trips) || !(trips >= 0.0)) {
        trips = 1.0;
    }
    *seconds += branch + loop * trips;
    return any;
}

int cli_seconds_make(
    cli_session *s, const gsp_module *m, cli_seconds_of of, const void *user, double *seconds)
{
    double *totals = (double *)cli_alloc(s, (size_t)m->counts.graphs + 1u, sizeof *totals);
    gsp_calls_result calls;
    gsp_arena arena;
    gsp_error err;
    uint32_t i;
    cli_arena(s, &arena, gsp_calls_bound(m));
    if (gsp_calls_run(&arena, m, &calls, &err) != GSP_OK) {
        return cli_pass_error(s, NULL, &err);
    }
    for (i = 0; i < calls.n_graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, calls.order[i]);
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            double inside;
            double *const own = &seconds[g.first + v];
            if (!gsp_node_is_callable(&g, v)) {
                continue;
            }
            if (!of(&g, v, run_seconds(&g, v, totals, &inside), user, own)) {
                *own = inside;
            }
            totals[g.id] += *own;
        }
    }
    cli_release(s, arena.base);
    cli_release(s, totals);
    return CLI_EXIT_OK;
}

/* Those of the graph, else an estimate. */
static int own_seconds(const gsp_graph *g, gsp_node v, int runs, const void *user, double *seconds)
{
    const pricing *p = (const pricing *)user;
    if (has_time(g, v, p->memory)) {
        *seconds = gsp_node_seconds(g, v, GSP_KEY_COMPUTE);
        return 1;
    }
    *seconds = !runs && p->rates != NULL ? cli_time_estimate(g, v, p->rates) : 0.0;
    return !runs;
}

/* Whether a called node without seconds gets some. */
static int gets_time(const gsp_graph *g, gsp_node v, const double *seconds, int memory)
{
    return gsp_node_is_callable(g, v) && seconds[g->first + v] > 0.0 && !has_time(g, v, memory);
}

static int any_changes(const gsp_module *m, const double *seconds, int memory)
{
    uint32_t i;
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            if (gets_time(&g, v, seconds, memory)) {
                return 1;
            }
        }
    }
    return 0;
}

static void take_change(gsp_module *m, const changed *c)
{
    m->attr = c->attr;
    m->attrs = c->attrs;
    m->string_begin = c->strings;
    m->chars = c->chars.data;
    m->counts.attrs = c->n_attrs;
    m->counts.strings = m->n_stored = c->n_strings;
    m->counts.bytes = (uint32_t)c->chars.size;
}

int cli_times_set(cli_session *s, cli_times *times, int memory)
{
    gsp_module *m = &s->module;
    int const nodes = times->unit == CLI_TIMES_NODES;
    double *seconds = (double *)cli_alloc(s, (size_t)m->counts.nodes + 1u, sizeof *seconds);
    cli_rates *r = (cli_rates *)cli_alloc(s, 1u, sizeof *r);
    pricing p;
    changed c;
    uint32_t i;
    int code = read_rates(s, times, r);
    times->read = r;
    p.rates = times->unit == CLI_TIMES_SHAPES ? r : NULL;
    p.memory = memory;
    if (code == CLI_EXIT_OK && !nodes) {
        code = cli_seconds_make(s, m, own_seconds, &p, seconds);
    }
    if (code != CLI_EXIT_OK || (!nodes && !any_changes(m, seconds, memory))) {
        return code;
    }
    begin_change(s, &c);
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            int const called = gsp_node_is_callable(&g, v);
            if (nodes) {
                change(&c, m, g.first + v, called, CLI_TIMES_NODE, 1);
            } else if (gets_time(&g, v, seconds, memory)) {
                change(&c, m, g.first + v, 1, seconds[g.first + v], 0);
            }
        }
    }
    if (c.chars.size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "--time-unit: the graph is too large");
    }
    take_change(m, &c);
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
