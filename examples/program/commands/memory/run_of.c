/* --run-of: the order in which the parts of a plan run. */
#include "commands/memory/memory.h"

#include "input/input.h"

#include <string.h>

/* A node before another of the same part: by the lines of a plan, then in graph order. */
static int runs_first(const cli_parts *parts, gsp_node a, gsp_node b)
{
    uint32_t const x = parts->line_of[a];
    uint32_t const y = parts->line_of[b];
    return x != y ? x < y : a < b;
}

static void sift(const cli_parts *parts, gsp_node *heap, uint32_t n, uint32_t at)
{
    uint32_t child;
    while ((child = 2u * at + 1u) < n) {
        gsp_node const v = heap[at];
        child += child + 1u < n && runs_first(parts, heap[child], heap[child + 1u]) ? 1u : 0u;
        if (!runs_first(parts, v, heap[child])) {
            return;
        }
        heap[at] = heap[child];
        heap[child] = v;
        at = child;
    }
}

/* The nodes of a part in the order of its lines. */
static void sort_part(const cli_parts *parts, gsp_node *nodes, uint32_t n)
{
    uint32_t i;
    for (i = n / 2u; i > 0; i--) {
        sift(parts, nodes, n, i - 1u);
    }
    for (i = n; i > 1u; i--) {
        gsp_node const last = nodes[0];
        nodes[0] = nodes[i - 1u];
        nodes[i - 1u] = last;
        sift(parts, nodes, i - 1u, 0);
    }
}

/* 1 if no node of a part runs before what it reads, or must wait for, there. */
static int lines_work(const gsp_graph *g, const cli_parts *parts)
{
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = cli_before(g, v, &n);
        for (; n > 0 && parts->part_of[v] != GSP_NONE; n--) {
            if (parts->part_of[in[n - 1u]] == parts->part_of[v] &&
                !runs_first(parts, in[n - 1u], v)) {
                return 0;
            }
        }
    }
    return 1;
}

int memory_run_of(memory *m)
{
    const gsp_graph *g = &m->graph;
    cli_parts parts;
    gsp_node *order;
    uint32_t *at;
    uint32_t n_sorted;
    gsp_node v;
    int code;
    if (m->opt.run_of == NULL) {
        return CLI_EXIT_OK;
    }
    memset(&parts, 0, sizeof parts);
    code = cli_parts_read(m->session, g, m->opt.run_of, 0, &parts);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    order = (gsp_node *)cli_alloc(m->session, (size_t)g->n_nodes + 1u, sizeof *order);
    at = (uint32_t *)cli_alloc(m->session, (size_t)parts.n_parts + 2u, sizeof *at);
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v)) {
            if (parts.part_of[v] == GSP_NONE) {
                return cli_error(m->session, GSP_STATUS_ARG,
                    "--run-of: %%%s is in no part of the plan, so that it is not known when it "
                    "runs",
                    cli_copy(m->session, gsp_node_name(g, v)));
            }
            at[parts.part_of[v] + 1u]++;
            m->n_order++;
        }
    }
    for (v = 0; v < parts.n_parts; v++) {
        at[v + 1u] += at[v];
    }
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v)) {
            order[at[parts.part_of[v]]++] = v;
        }
    }
    n_sorted = parts.line_of != NULL && lines_work(g, &parts) ? parts.n_parts : 0u;
    for (v = 0; v < n_sorted; v++) {
        uint32_t const begin = v == 0 ? 0 : at[v - 1u];
        sort_part(&parts, order + begin, at[v] - begin);
    }
    m->order = order;
    return CLI_EXIT_OK;
}

void memory_steps(memory *m)
{
    uint32_t i;
    if (m->order != NULL) {
        m->step = (uint32_t *)cli_alloc(m->session, (size_t)m->graph.n_nodes + 1u, sizeof *m->step);
        for (i = 0; i < m->graph.n_nodes; i++) {
            m->step[m->liveness.nodes[i]] = i;
        }
    }
}
