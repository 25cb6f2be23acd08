/* Operators in the order of reports, and the effect of supporting one. */
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

void split_trial_init(const split *p, const split_facts *f, split_trial *t)
{
    t->placement = p->placement;
    t->placement.kind = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
    t->supported = (uint8_t *)cli_alloc(p->session, (size_t)f->n_operators + 1u, 1u);
    t->desc = p->desc;
    t->desc.placement = &t->placement;
    t->desc.limit = 0;
    t->desc.limit_policy = GSP_LIMIT_ERROR;
    cli_arena(p->session, &t->arena, gsp_split_bound(&p->graph, &t->desc));
    t->start = gsp_arena_mark(&t->arena);
}

int split_trial_run(const split *p, const split_facts *f, split_trial *t)
{
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        int supported = f->operator_of[v] != GSP_NONE && t->supported[f->operator_of[v]] &&
                        p->placement.kind[v] == GSP_KIND_CPU &&
                        p->placement.reason[v] == GSP_REASON_UNSUPPORTED;
        t->placement.kind[v] = supported ? 1u : p->placement.kind[v];
    }
    gsp_arena_rewind(&t->arena, t->start);
    return gsp_split_run(&t->arena, &p->graph, &t->desc, &t->result, NULL) == GSP_OK;
}

uint32_t split_trial_one(const split *p, const split_facts *f, split_trial *t, uint32_t op)
{
    int done;
    t->supported[op] = 1;
    done = split_trial_run(p, f, t);
    t->supported[op] = 0;
    return done ? t->result.n_subgraphs : GSP_NONE;
}
