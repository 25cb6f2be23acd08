/* Orders of a graph that need less memory, and the graph in such an order. */
#include "commands/memory/memory.h"

#include "input/input.h"
#include "output/output.h"

#include <string.h>

/* ---- the graph in another order ---- */

int memory_orders_take(memory *m, const memory_orders *orders, uint32_t i)
{
    cli_session *s = m->session;
    int code = CLI_EXIT_OK;
    s->module = orders->given;
    if (orders->at[i] != NULL) {
        gsp_graph const g = gsp_module_graph(&s->module, m->chosen);
        code = cli_reorder(s, &g, orders->at[i], "--order");
    }
    return code == CLI_EXIT_OK ? memory_choose(m) : code;
}

/* ---- the search ---- */

#define LEVELS 16u /* also four and sixteen times as many */
#define OTHERS 32u
#define MANY   4096u /* more tasks: too many for other orders */

/* The start of the search: the best of orders by levels, too. */
static void find_start(const order_graph *w, gsp_least_peak_result *r)
{
    uint32_t *order =
        (uint32_t *)cli_alloc(w->session, (size_t)w->tasks.n_tasks + 1u, sizeof *order);
    gsp_least_peak_desc desc;
    uint32_t n;
    memset(&desc, 0, sizeof desc);
    desc.max_states = 1;
    (void)order_find(w, &desc, r);
    desc.start = order;
    for (n = LEVELS; n <= 16u * LEVELS; n *= 4u) {
        gsp_least_peak_result found;
        if (!r->proved && order_levels(w, n, order) && order_find(w, &desc, &found)) {
            *r = found.peak < r->peak ? found : *r;
        }
    }
    cli_release(w->session, order);
}

int memory_orders_find(memory *m, memory_orders *orders)
{
    cli_session *s = m->session;
    gsp_least_peak_desc desc;
    gsp_least_peak_result r;
    order_graph w;
    gsp_error err;
    uint32_t i;
    memset(&w, 0, sizeof w);
    memset(&desc, 0, sizeof desc);
    w.session = s;
    w.g = &m->graph;
    w.desc.scratch = m->scratch;
    w.desc.skip_inputs = m->opt.skip_inputs;
    cli_progress(s, "searching an order");
    if (order_graph_make(&w, &err) != GSP_OK) {
        return cli_pass_error(s, w.g, &err);
    }
    find_start(&w, &r);
    desc.start = r.order;
    desc.beam = (uint32_t)m->opt.beam;
    desc.max_work = desc.beam != 0 ? UINT64_MAX : 0u;
    (void)order_find_best(&w, &desc, &r);
    orders->given = s->module;
    m->found.bound = r.lower_bound;
    m->found.work = r.work;
    m->found.bytes = r.bytes;
    orders->n = m->pieces && w.tasks.n_tasks <= MANY ? 2u + OTHERS : 2u;
    orders->at = (gsp_node **)cli_alloc(s, orders->n, sizeof *orders->at);
    orders->at[1] = r.nodes;
    memset(&desc, 0, sizeof desc);
    desc.max_states = 1;
    for (i = 2; i < orders->n; i++) {
        desc.rule = i - 1u;
        (void)order_find(&w, &desc, &r);
        orders->at[i] = r.nodes;
    }
    return CLI_EXIT_OK;
}

/* ---- the result as a file ---- */

int memory_emit_model(const memory *m)
{
    return cli_emit_model(m->session, m->opt.emit_model, m->chosen != 0 ? m->opt.graph : NULL);
}
