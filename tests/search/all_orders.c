/* The oracle of `memory --order best`: every order of a small graph; and larger ones.
 *     all_orders make SEED             a random graph of at most 8 calls, as text
 *     all_orders randwire SEED         Watts-Strogatz graphs (32, 4, 0.75), as in Xie et al. 2019
 *     all_orders darts SEED            9 cells with two inputs, 8 operations and 4 sums each, as in
 *                                      Liu et al. 2019
 *     all_orders least BUDGET < FILE   the least peak of its orders, and the fewest parts of which
 *                                      each fits the budget (0 if in no order)
 * cc -I. tests/search/all_orders.c */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 8u
#define MOST  32u

/* ---- a random graph ---- */

static uint64_t state;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static void make_call(uint32_t v, uint32_t *elements)
{
    uint32_t const n = below(4u);
    uint32_t const element = below(v);
    uint32_t i;
    if (elements[element] != 0u) {
        printf("    %%n%u : [num_users=1] = call_function[target=operator.getitem](args = (%%n%u, "
               "%u), kwargs = {})  # u8[%u]\n",
            v, element, below(2u), elements[element]);
        return;
    }
    printf("    %%n%u : [num_users=1] = call_function[target=f](args = ([", v);
    for (i = 0; i < n; i++) {
        printf("%s%%n%u", i != 0u ? ", " : "", below(v));
    }
    printf("],), kwargs = {})  # ");
    if (below(5u) == 0u) {
        elements[v] = 1u + below(9u);
        printf("tuple(u8[%u], u8[%u])", elements[v], elements[v]);
    } else {
        printf("u8[%u]", below(30u));
    }
    printf("%s%s%s\n", n != 0u && below(6u) == 0u ? " alias=0" : "",
        n != 0u && below(8u) == 0u ? " mutates=0" : "", below(25u) == 0u ? " barrier=1" : "");
}

static void make(void)
{
    uint32_t const inputs = 1u + below(3u);
    uint32_t const n = inputs + 2u + below(CALLS - 1u);
    uint32_t elements[MOST] = {0};
    uint32_t v;
    printf("graph():\n");
    for (v = 0; v < inputs; v++) {
        printf("    %%n%u : [num_users=1] = placeholder[target=n%u]  # u8[%u]\n", v, v, below(20u));
    }
    for (; v < n; v++) {
        make_call(v, elements);
    }
    printf("    return (n%u, n%u)\n", n - 1u, below(n));
}

/* ---- larger graphs ---- */

static uint32_t n_nodes;

static uint32_t put(uint32_t bytes, const uint32_t *in, uint32_t n)
{
    uint32_t i;
    printf("    %%n%u : [num_users=1] = call_function[target=f](args = ([", n_nodes);
    for (i = 0; i < n; i++) {
        printf("%s%%n%u", i != 0u ? ", " : "", in[i]);
    }
    printf("],), kwargs = {})  # u8[%u]\n", bytes);
    return n_nodes++;
}

static void put_input(void)
{
    printf("graph():\n    %%n0 : [num_users=1] = placeholder[target=n0]  # u8[1024]\n");
    n_nodes = 1;
}

#define RING 32u

/* Every node is joined to the next 2 of a ring, and each such edge is moved with 3 of 4. */
static uint32_t put_ring(uint32_t from)
{
    uint32_t in[RING][RING];
    uint32_t n_in[RING] = {0};
    uint32_t node[RING];
    uint32_t ends[RING];
    uint32_t n = 0;
    uint32_t i;
    uint32_t k;
    char read[RING] = {0};
    for (i = 0; i < RING; i++) {
        for (k = 1; k <= 2u; k++) {
            uint32_t to = below(4u) != 0u ? below(RING) : (i + k) % RING;
            if (to != i) {
                in[to > i ? to : i][n_in[to > i ? to : i]++] = to > i ? i : to;
            }
        }
    }
    for (i = 0; i < RING; i++) {
        for (k = 0; k < n_in[i]; k++) {
            read[in[i][k]] = 1;
            in[i][k] = node[in[i][k]];
        }
        node[i] =
            put(256u << below(3u), n_in[i] != 0u ? in[i] : &from, n_in[i] != 0u ? n_in[i] : 1u);
    }
    for (i = 0; i < RING; i++) {
        if (!read[i]) {
            ends[n++] = node[i];
        }
    }
    return put(1024u, ends, n);
}

static void randwire(void)
{
    uint32_t at = 0;
    uint32_t i;
    put_input();
    for (i = 0; i < 3u; i++) {
        at = put_ring(at);
    }
    printf("    return n%u\n", at);
}

static void darts(void)
{
    uint32_t last[2] = {0, 0};
    uint32_t cell;
    uint32_t i;
    uint32_t k;
    uint32_t j;
    put_input();
    for (cell = 0; cell < 9u; cell++) {
        uint32_t at[6];
        uint32_t const width = 512u << below(2u);
        at[0] = put(width, &last[0], 1u);
        at[1] = put(width, &last[1], 1u);
        for (i = 2; i < 6u; i++) {
            uint32_t two[2];
            for (k = 0; k < 2u; k++) {
                two[k] = at[below(i)];
                for (j = 0; j < 2u + below(2u); j++) {
                    two[k] = put(width << below(2u), &two[k], 1u);
                }
            }
            at[i] = put(width, two, 2u);
        }
        last[0] = last[1];
        last[1] = put(4u * width, at + 2, 4u);
    }
    printf("    return n%u\n", last[1]);
}

/* ---- all orders ---- */

typedef struct orders {
    gsp_graph graph;
    gsp_dependences waits;
    const char *line[MOST]; /* of the text */
    const char *head;
    gsp_node order[MOST];
    uint32_t n;
    uint64_t budget;
    uint64_t peak;
    uint32_t parts;
} orders;

static char block[1u << 18];
static char again[1u << 16];

static void measure(orders *o)
{
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_liveness_result live;
    gsp_split_by_memory_desc desc = {0};
    gsp_split_by_memory_result parts;
    char *to = again + sprintf(again, "%s", o->head);
    uint32_t i;
    for (i = 0; i < o->graph.n_nodes; i++) {
        to += sprintf(to, "%s\n", o->line[o->order[i]]);
    }
    gsp_arena_init(&arena, block, sizeof block);
    if (gsp_text_read(&arena, again, (size_t)(to - again), NULL, &module, NULL) != GSP_OK) {
        printf("unreadable\n%s", again);
        exit(1);
    }
    graph = gsp_module_graph(&module, 0);
    if (gsp_liveness_run(&arena, &graph, NULL, &live, NULL) != GSP_OK) {
        exit(1);
    }
    o->peak = live.parts[0].bytes < o->peak ? live.parts[0].bytes : o->peak;
    desc.budget = o->budget;
    if (gsp_split_by_memory_run(&arena, &graph, &desc, &parts, NULL) == GSP_OK &&
        parts.n_parts < o->parts) {
        o->parts = parts.n_parts;
    }
}

static int has_run(const orders *o, gsp_node v)
{
    uint32_t i;
    for (i = 0; i < o->n; i++) {
        if (o->order[i] == v) {
            return 1;
        }
    }
    return 0;
}

/* Whether call v can be the next. */
static int may_run(const orders *o, gsp_node v)
{
    uint32_t const *begin = o->waits.dependent_begin;
    uint32_t n;
    uint32_t i;
    gsp_node u;
    const gsp_node *in = gsp_node_inputs(&o->graph, v, &n);
    for (u = 0; u < o->graph.n_nodes; u++) {
        int needed =
            gsp_node_is_callable(&o->graph, u) && o->waits.segment[u] < o->waits.segment[v];
        for (i = 0; i < n; i++) {
            needed |= in[i] == u;
        }
        for (i = begin[u]; i < begin[u + 1u]; i++) {
            needed |= o->waits.dependents[i] == v;
        }
        if (needed && !has_run(o, u)) {
            return 0;
        }
    }
    return gsp_node_is_callable(&o->graph, v) && !has_run(o, v);
}

/* Depth first, by backtracking: next[] is the node to try at a place. */
static void try_all(orders *o)
{
    gsp_node next[MOST] = {0};
    uint32_t const first = o->n;
    for (;;) {
        gsp_node v = next[o->n];
        if (o->n + 1u == o->graph.n_nodes) {
            o->order[o->n] = o->graph.n_nodes - 1u;
            measure(o);
            v = o->graph.n_nodes;
        }
        while (v < o->graph.n_nodes && !may_run(o, v)) {
            v++;
        }
        if (v < o->graph.n_nodes) {
            next[o->n] = v + 1u;
            o->order[o->n++] = v;
            next[o->n] = 0;
        } else if (o->n == first) {
            return;
        } else {
            o->n--;
        }
    }
}

static int least(uint64_t budget)
{
    static char text[1u << 16];
    static char lines[1u << 16];
    static char memory[1u << 18];
    gsp_arena arena;
    gsp_module module;
    orders o = {0};
    gsp_node v = 0;
    char *line;
    size_t const size = fread(text, 1u, sizeof text - 1u, stdin);
    memcpy(lines, text, size);
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, text, size, NULL, &module, NULL) != GSP_OK) {
        return 1;
    }
    o.graph = gsp_module_graph(&module, 0);
    if (gsp_dependences_run(&arena, &o.graph, NULL, &o.waits, NULL) != GSP_OK) {
        return 1;
    }
    o.head = "graph():\n";
    strtok(lines, "\n");
    while ((line = strtok(NULL, "\n")) != NULL) {
        o.line[v++] = line;
    }
    for (v = 0; v + 1u < o.graph.n_nodes; v++) {
        if (!gsp_node_is_callable(&o.graph, v)) {
            o.order[o.n++] = v;
        }
    }
    o.budget = budget;
    o.peak = UINT64_MAX;
    o.parts = UINT32_MAX;
    try_all(&o);
    printf("%llu %u\n", (unsigned long long)o.peak, o.parts == UINT32_MAX ? 0u : o.parts);
    return 0;
}

int main(int argc, char **argv)
{
    static void (*const makers[])(void) = {make, randwire, darts};
    static const char *const names[] = {"make", "randwire", "darts"};
    size_t i;
    for (i = 0; i < 3u && argc == 3; i++) {
        if (strcmp(argv[1], names[i]) == 0) {
            state = strtoull(argv[2], NULL, 10) * 2654435761u + 1u;
            (void)below(2u);
            makers[i]();
            return 0;
        }
    }
    return argc == 3 && strcmp(argv[1], "least") == 0 ? least(strtoull(argv[2], NULL, 10)) : 2;
}
