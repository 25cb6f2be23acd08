/* Operators in the order of reports, and what trials are told about them. */
#include "commands/split/split.h"

#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

static int compare_names(gsp_str a, gsp_str b)
{
    uint32_t size = a.size < b.size ? a.size : b.size;
    int order = size != 0 ? memcmp(a.data, b.data, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int descending(uint32_t a, uint32_t b)
{
    return (a < b) - (a > b);
}

/* Most nodes on the CPU first, then most nodes. */
static int by_cpu(const void *a, const void *b)
{
    const split_operator *x = *(const split_operator *const *)a;
    const split_operator *y = *(const split_operator *const *)b;
    int order = descending(x->nodes - x->on_acc, y->nodes - y->on_acc);
    order = order != 0 ? order : descending(x->nodes, y->nodes);
    return order != 0 ? order : compare_names(x->name, y->name);
}

static int by_cuts(const void *a, const void *b)
{
    const split_operator *x = *(const split_operator *const *)a;
    const split_operator *y = *(const split_operator *const *)b;
    int order = descending(x->cuts, y->cuts);
    return order != 0 ? order : by_cpu(a, b);
}

static const split_operator **sorted(
    const split *p, const split_facts *f, int (*compare)(const void *, const void *))
{
    const split_operator **all =
        (const split_operator **)cli_alloc(p->session, (size_t)f->n_operators + 1u, sizeof *all);
    uint32_t i;
    for (i = 0; i < f->n_operators; i++) {
        all[i] = &f->operators[i];
    }
    qsort((void *)all, f->n_operators, sizeof *all, compare);
    return all;
}

const split_operator **split_operators_by_cpu(const split *p, const split_facts *f)
{
    return sorted(p, f, by_cpu);
}

const split_operator **split_operators_by_cuts(const split *p, const split_facts *f)
{
    return sorted(p, f, by_cuts);
}

/* ---- trials ---- */

/* A node that runs graphs with unsupported nodes gains nothing from its own operator. */
void split_trial_open(const split *p, const split_facts *f, split_trial *t)
{
    memset(t, 0, sizeof *t);
    t->graph = &p->graph;
    t->desc.n_operators = f->n_operators;
    t->desc.operator_of = f->operator_of;
    t->desc.split = &p->desc;
    if (p->bodies.kind != NULL) {
        uint32_t *of = (uint32_t *)cli_alloc(p->session, p->graph.n_nodes, sizeof *of);
        gsp_node v;
        for (v = 0; v < p->graph.n_nodes; v++) {
            gsp_graph body = p->graph;
            gsp_node const way = cli_bodies_way(&p->bodies, &body, v);
            of[v] = way == GSP_NONE ? f->operator_of[v] : GSP_NONE;
        }
        t->desc.operator_of = of;
    }
    cli_arena(p->session, &t->arena, gsp_operators_split_bound(t->graph, &t->desc));
    t->start = gsp_arena_mark(&t->arena);
}

int split_trial_run(split_trial *t, const uint32_t *operators, uint32_t n, gsp_split_result *result)
{
    gsp_arena_rewind(&t->arena, t->start);
    return gsp_operators_split_run(&t->arena, t->graph, &t->desc, operators, n, result, NULL) ==
           GSP_OK;
}

uint32_t split_trial_one(split_trial *t, uint32_t op)
{
    gsp_split_result result;
    return split_trial_run(t, &op, 1, &result) ? result.n_subgraphs : GSP_NONE;
}
