/* Repeats that a graph of torch.fx hides: a called module has a target of its own, so that no two
 * calls are equal, whatever they compute. */
#include "commands/dedup/dedup.h"

#include <inttypes.h>

#define MOST_COMPARED 64u /* calls, each with each */

/* 1 for targets that differ in their numbers alone: layers.0.conv, layers.1.conv. */
static int is_alike(gsp_str a, gsp_str b)
{
    uint32_t i = 0;
    uint32_t k = 0;
    while (i < a.size || k < b.size) {
        uint32_t const before = i;
        while (i < a.size && a.data[i] >= '0' && a.data[i] <= '9') {
            i++;
        }
        if (i > before) {
            uint32_t const first = k;
            while (k < b.size && b.data[k] >= '0' && b.data[k] <= '9') {
                k++;
            }
            if (k == first) {
                return 0;
            }
        } else if (i == a.size || k == b.size || a.data[i++] != b.data[k++]) {
            return 0;
        }
    }
    return 1;
}

/* 1 for calls of two modules that may compute the same. */
static int is_repeat(const gsp_graph *g, gsp_node a, gsp_node b)
{
    gsp_str const x = gsp_node_attr(g, a, GSP_KEY_MODULE);
    gsp_str const y = gsp_node_attr(g, b, GSP_KEY_MODULE);
    return !gsp_str_equal(gsp_node_target(g, a), gsp_node_target(g, b)) &&
           gsp_str_equal(gsp_node_type(g, a), gsp_node_type(g, b)) && gsp_str_equal(x, y) &&
           (x.size != 0 || is_alike(gsp_node_target(g, a), gsp_node_target(g, b)));
}

/* A call that is repeated by one of `n` earlier calls, or GSP_NONE. */
static gsp_node find_repeat(const gsp_graph *g, const gsp_node *calls, uint32_t n, gsp_node v)
{
    while (n > 0 && !is_repeat(g, calls[n - 1u], v)) {
        n--;
    }
    return n > 0 ? calls[n - 1u] : GSP_NONE;
}

void dedup_tell_hidden(const dedup *p)
{
    const gsp_graph *g = &p->graph;
    const gsp_module *m = g->module;
    gsp_node calls[MOST_COMPARED];
    gsp_node example = GSP_NONE;
    uint32_t n = 0;
    cli_buffer b;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (gsp_node_op(g, v) != GSP_OP_CALL_MODULE ||
            gsp_module_find_graph(m, m->target[g->first + v]) != GSP_NONE) {
            continue;
        }
        if (n < MOST_COMPARED) {
            example = example != GSP_NONE ? example : find_repeat(g, calls, n, v);
            calls[n] = v;
        }
        n++;
    }
    if (example == GSP_NONE) {
        return;
    }
    cli_buffer_init(&b, p->session);
    cli_printf(
        &b, "%s: none of %" PRIu32 " calls of modules, such as ", p->session->front->program, n);
    cli_put_clipped(&b, gsp_node_target(g, example), 60u);
    cli_puts(&b, ", equals another, since each has parameters of its own; a graph of torch.export "
                 "has their operators, which may repeat\n");
    cli_progress_end(p->session);
    cli_tell(&b);
}
