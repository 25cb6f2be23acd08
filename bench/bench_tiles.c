/* A row of tiles: their curve. */
#include "bench.h"

#include "examples/extra/graphsplit_tiles.h"

#include <stdlib.h>

/* A convolution per node, in chains of 16 whose values are wide in the middle. */
typedef struct tiles_of {
    gsp_tile_op *ops;
    gsp_tile_value *values;
    gsp_tensor *tensors;
    uint32_t *ins;
} tiles_of;

static gsp_tiles_graph tiles_graph(uint32_t n, tiles_of *t)
{
    gsp_tile_window const w = {3, 1, 1, 0, 0, 0};
    gsp_tiles_graph g = {0};
    t->ops = (gsp_tile_op *)allocate(n, sizeof *t->ops);
    t->values = (gsp_tile_value *)allocate(n, sizeof *t->values);
    t->tensors = (gsp_tensor *)allocate(n, sizeof *t->tensors);
    t->ins = (uint32_t *)allocate(n, sizeof *t->ins);
    for (uint32_t i = 0; i < n; i++) {
        gsp_tile_op const o = {i % 16u == 0u ? GSP_TILE_FIXED : GSP_TILE_PADDING, 1, {w, w}, i,
            i % 16u == 0u ? 0u : 1u, 1000, 0, 0, 0, 0};
        gsp_tile_value const v = {4096u * (1u + i % 16u % 7u), {64, 64}, i};
        gsp_tensor const tensor = {0, v.bytes, i, i, i + 1u, 0};
        t->ops[i] = o;
        t->values[i] = v;
        t->tensors[i] = tensor;
        t->ins[i] = i - 1u;
    }
    g.n = g.n_ins = g.n_tensors = n;
    g.ops = t->ops;
    g.values = t->values;
    g.tensors = t->tensors;
    g.ins = t->ins;
    g.stream = GSP_NONE;
    return g;
}

static void tiles_free(tiles_of *t)
{
    free(t->ops);
    free(t->values);
    free(t->tensors);
    free(t->ins);
}

/* A work of 64 steps per node. */
static gsp_tiles_desc tiles_desc(uint32_t n)
{
    gsp_tiles_desc desc = {0};
    desc.max_tilings = 4u * n;
    desc.max_regions = 4u * n;
    desc.max_work = 64u * (uint64_t)n;
    return desc;
}

static size_t tiles_bound(uint32_t n)
{
    tiles_of t;
    gsp_tiles_graph const g = tiles_graph(n, &t);
    gsp_tiles_desc const desc = tiles_desc(n);
    size_t const bound = gsp_tiles_bound(&g, &desc);
    tiles_free(&t);
    return bound;
}

static void step_tiles(job *j)
{
    uint32_t const n = j->s->graph.n_nodes;
    gsp_mark mark = gsp_arena_mark(&j->s->arena);
    tiles_of t;
    gsp_tiles_graph const g = tiles_graph(n, &t);
    gsp_tiles_desc const desc = tiles_desc(n);
    gsp_tiles_result result;
    require(gsp_tiles_run(&j->s->arena, &g, &desc, &result, NULL), "tiles");
    j->count = result.n_points;
    gsp_arena_rewind(&j->s->arena, mark);
    tiles_free(&t);
}

#define MOST_TILED 10100u /* steps times tensors take time, too */

void bench_tiles(uint32_t n)
{
    if (n <= MOST_TILED) {
        bench_alone(n, "tiles", "iid", step_tiles, tiles_bound);
    }
}
