/* The table of emit-c --plan --run-of, executed: every call writes what its inputs and its number
 * give, first into memory of its own, then at the offsets of the one arena in the order of the
 * table. Dead tensors are overwritten, so that a call that reads one gives other bytes. */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include "planned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OTHER_PLAN /* the offsets of another plan */
#include "other.h"
#define PLAN other_plan
#else
#define PLAN planned_plan
#endif

enum { MOST_NODES = 4096, POISON = 0xA5 };

static unsigned char *own[MOST_NODES]; /* of every node: the bytes that are right, */
static uint32_t row[MOST_NODES];       /* its row of the table, */
static uint32_t last[MOST_NODES];      /* the step of its last reader, */
static uint32_t part[MOST_NODES];      /* and its part */
static unsigned char arena[(1u << 20) * 16u];

static unsigned char *place(uint32_t v, int in_arena)
{
    return in_arena ? arena + PLAN[row[v]].offset : own[v];
}

static void compute(const gsp_graph *g, uint32_t v, int in_arena)
{
    unsigned char *out = place(v, in_arena);
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    size_t j;
    uint32_t i;
    for (j = 0; j < planned_plan[row[v]].bytes; j++) {
        uint32_t hash = (v + 1u) * 2654435761u + (uint32_t)j * 40503u;
        for (i = 0; i < n; i++) {
            hash = (hash ^ place(in[i], in_arena)[j % planned_plan[row[in[i]]].bytes]) * 16777619u;
        }
        out[j] = (unsigned char)(hash >> 11);
    }
}

static int fail(const char *what, uint32_t v)
{
    fprintf(stderr, "%s: %s\n", what, planned_plan[row[v]].name);
    return 1;
}

/* What the order and the parts of the table say of every value. */
static int read_table(const gsp_graph *g)
{
    uint32_t i;
    uint32_t k;
    for (i = 0; i < (uint32_t)planned_tensors; i++) {
        row[planned_plan[i].node] = i;
        own[planned_plan[i].node] = (unsigned char *)malloc(planned_plan[i].bytes + 1u);
        part[planned_plan[i].node] = GSP_NONE;
        if (planned_plan[i].offset + planned_plan[i].bytes > sizeof planned_arena) {
            return fail("outside of the arena", planned_plan[i].node);
        }
    }
    for (i = 0; i < (uint32_t)planned_calls; i++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, planned_order[i][0], &n);
        part[planned_order[i][0]] = planned_order[i][1];
        for (k = 0; k < n; k++) {
            last[in[k]] = i;
        }
        if (planned_order[i][1] >= (uint32_t)planned_n_parts) {
            return fail("no part", planned_order[i][0]);
        }
    }
    return 0;
}

/* A tensor crosses if another part than its own reads it, or the caller. */
static int check_crossing(const gsp_graph *g)
{
    uint32_t i;
    uint32_t k;
    for (i = 0; i < (uint32_t)planned_tensors; i++) {
        uint32_t const v = planned_plan[i].node;
        uint32_t n;
        uint32_t crosses = 0;
        const gsp_node *users = gsp_node_users(g, v, &n);
        for (k = 0; k < n; k++) {
            if (users[k] == g->n_nodes - 1u) {
                last[v] = (uint32_t)planned_calls;
                crosses = 1;
            } else if (part[users[k]] != part[v]) {
                crosses = 1;
            }
        }
        if (planned_plan[i].crosses != crosses) {
            return fail("crosses", v);
        }
    }
    return 0;
}

static int run(const gsp_graph *g)
{
    const gsp_node *in;
    uint32_t n;
    uint32_t i;
    uint32_t k;
    uint32_t v;
    memset(arena, POISON, sizeof arena);
    for (v = 0; v + 1u < g->n_nodes; v++) {
        compute(g, v, 0);
        if (!gsp_node_is_callable(g, v)) {
            compute(g, v, 1);
        }
    }
    for (i = 0; i < (uint32_t)planned_calls; i++) {
        uint32_t const at = planned_order[i][0];
        compute(g, at, 1);
        if (memcmp(place(at, 1), own[at], planned_plan[row[at]].bytes) != 0) {
            return fail("other bytes", at);
        }
        in = gsp_node_inputs(g, at, &n);
        for (k = 0; k < n; k++) {
            if (last[in[k]] == i) {
                memset(place(in[k], 1), POISON, planned_plan[row[in[k]]].bytes);
            }
        }
    }
    for (v = 0; v + 1u < g->n_nodes; v++) {
        if (last[v] == (uint32_t)planned_calls &&
            memcmp(place(v, 1), own[v], planned_plan[row[v]].bytes) != 0) {
            return fail("other result", v);
        }
    }
    return 0;
}

int main(void)
{
    gsp_module module;
    gsp_graph graph;
    if (gsp_module_open(&module, planned, sizeof planned, 0, NULL) != GSP_OK) {
        return 2;
    }
    graph = gsp_module_graph(&module, 0);
    if (graph.n_nodes > (uint32_t)MOST_NODES || sizeof planned_arena > sizeof arena ||
        (uint32_t)planned_tensors + 1u != graph.n_nodes) {
        return 2;
    }
    if (read_table(&graph) || check_crossing(&graph) || run(&graph)) {
        return 1;
    }
    printf("%u parts, %u calls, %lu bytes\n", (unsigned)planned_n_parts, (unsigned)planned_calls,
        (unsigned long)sizeof planned_arena);
    return 0;
}
