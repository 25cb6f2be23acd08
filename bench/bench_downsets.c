/* A row of stages over downsets: a chain of units on four devices. */
#include "bench.h"

#include "examples/extra/graphsplit_downsets.h"

#include <stdlib.h>

/* A unit per node, and a value between each unit and the next. */
typedef struct chain {
    uint32_t *after_begin;
    uint32_t *after;
    uint32_t *value_begin;
    uint32_t *values;
    gsp_downsets_weight *own;
    gsp_downsets_weight *shared;
} chain;

static gsp_downsets_units chain_units(uint32_t n, chain *c)
{
    gsp_downsets_units u = {n, n - 1u, {NULL, NULL}, {NULL, NULL}, NULL, NULL};
    c->after_begin = (uint32_t *)allocate(n + 1u, sizeof *c->after_begin);
    c->after = (uint32_t *)allocate(n, sizeof *c->after);
    c->value_begin = (uint32_t *)allocate(n + 1u, sizeof *c->value_begin);
    c->values = (uint32_t *)allocate(2u * (size_t)n, sizeof *c->values);
    c->own = (gsp_downsets_weight *)allocate(n, sizeof *c->own);
    c->shared = (gsp_downsets_weight *)allocate(n, sizeof *c->shared);
    for (uint32_t i = 0; i < n; i++) {
        gsp_downsets_weight const own = {1000u + i * 7u % 991u, 0, 0, 0, 0, 0, 0, 0};
        gsp_downsets_weight const shared = {0, 0, i * 13u % 97u, 0, 0, 0, 0, 0};
        uint32_t const at = i == 0u ? 0u : 2u * i - 1u;
        c->own[i] = own;
        c->shared[i] = shared;
        c->after_begin[i] = i;
        c->after[i] = i + 1u;
        c->value_begin[i] = at;
        c->values[at] = i == 0u ? 0u : i - 1u; /* read */
        c->values[at + 1u] = i;                /* made */
    }
    c->after_begin[n] = n - 1u;
    c->value_begin[n] = 2u * n - 2u;
    u.after.begin = c->after_begin;
    u.after.at = c->after;
    u.values.begin = c->value_begin;
    u.values.at = c->values;
    u.own = c->own;
    u.shared = c->shared;
    return u;
}

static void chain_free(chain *c)
{
    free(c->after_begin);
    free(c->after);
    free(c->value_begin);
    free(c->values);
    free(c->own);
    free(c->shared);
}

static gsp_downsets_desc chain_desc(uint32_t n)
{
    gsp_downsets_desc desc = {0};
    desc.n_devices = 4;
    desc.max_sets = 2u * n;
    return desc;
}

static size_t chain_bound(uint32_t n)
{
    chain c;
    gsp_downsets_units const units = chain_units(n, &c);
    gsp_downsets_desc const desc = chain_desc(n);
    size_t const bound = gsp_downsets_bound(&units, &desc);
    chain_free(&c);
    return bound;
}

static void step_downsets(job *j)
{
    uint32_t const n = j->s->graph.n_nodes;
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    chain c;
    gsp_downsets_units const units = chain_units(n, &c);
    gsp_downsets_desc const desc = chain_desc(n);
    gsp_downsets_result result;
    require(gsp_downsets_run(&j->s->arena, &units, &desc, &result, NULL), "downsets");
    j->count = result.n_stages;
    gsp_arena_rewind(&j->s->arena, mark);
    chain_free(&c);
}

#define MOST_UNITS 10100u /* sets of a chain have a bit per unit */

void bench_downsets(uint32_t n)
{
    if (n <= MOST_UNITS) {
        bench_alone(n, "downsets", "chain", step_downsets, chain_bound);
    }
}
