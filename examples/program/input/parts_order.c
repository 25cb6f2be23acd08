/* The order in which parts run: one after the other, each in the order of its lines. */
#include "input/input.h"

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

gsp_node *cli_parts_order(
    cli_session *s, const gsp_graph *g, const cli_parts *parts, uint32_t *n_order)
{
    gsp_node *order = (gsp_node *)cli_alloc(s, (size_t)g->n_nodes + 1u, sizeof *order);
    uint32_t *at = (uint32_t *)cli_alloc(s, (size_t)parts->n_parts + 2u, sizeof *at);
    uint32_t n_sorted;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) && parts->part_of[v] != GSP_NONE) {
            at[parts->part_of[v] + 1u]++;
        }
    }
    for (v = 0; v < parts->n_parts; v++) {
        at[v + 1u] += at[v];
    }
    *n_order = at[parts->n_parts];
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) && parts->part_of[v] != GSP_NONE) {
            order[at[parts->part_of[v]]++] = v;
        }
    }
    n_sorted = parts->line_of != NULL && lines_work(g, parts) ? parts->n_parts : 0u;
    for (v = 0; v < n_sorted; v++) {
        uint32_t const begin = v == 0 ? 0 : at[v - 1u];
        sort_part(parts, order + begin, at[v] - begin);
    }
    cli_release(s, at);
    return order;
}
