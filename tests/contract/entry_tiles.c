/* Entry points of tiles: one chain with a residual sum, on every graph. */
#include "entry.h"

#include <string.h>

#define STEPS 5u

static gsp_tile_op ops[STEPS];
static gsp_tile_value values[STEPS];
static gsp_tensor tensors[STEPS];
static gsp_tile_region const region = {1, 4, GSP_NONE, {2, 2}, {0, 0, 0, 0}};

/* Two convolutions, what they sum with the first one's result, and a pool. */
static gsp_tiles_graph chain(void)
{
    static const uint32_t ins[] = {0, 1, 2, 1, 3};
    static const uint32_t rows[] = {12, 12, 12, 12, 6};
    static const gsp_tile_window conv = {3, 1, 1, 0, 0, 0};
    static const gsp_tile_window point = {1, 1, 0, 0, 0, 0};
    static const gsp_tile_window pool = {2, 2, 0, 0, 0, 0};
    gsp_tiles_graph g = {STEPS, ops, values, ins, 5, STEPS, tensors, 4, 0, GSP_NONE};
    memset(ops, 0, sizeof ops);
    memset(tensors, 0, sizeof tensors);
    for (uint32_t v = 0; v < STEPS; v++) {
        gsp_tile_window const w = v < 3u ? conv : v == 3u ? point : pool;
        ops[v].kind = v == 0u ? GSP_TILE_FIXED : v == 3u ? GSP_TILE_PADDING : GSP_TILE_OP;
        ops[v].is_op = v != 0u;
        ops[v].window[0] = ops[v].window[1] = w;
        ops[v].first_in = v == 0u ? 0u : v == 4u ? 4u : v - 1u;
        ops[v].n_in = v == 0u ? 0u : v == 3u ? 2u : 1u;
        ops[v].macs = v * 1000u;
        values[v].rows[0] = values[v].rows[1] = rows[v];
        values[v].bytes = (uint64_t)rows[v] * rows[v] * (v == 0u ? 1u : 4u);
        values[v].tensor = v;
        tensors[v].bytes = values[v].bytes;
        tensors[v].begin = v;
        tensors[v].end = v == 1u ? 3u : v + 1u;
    }
    return g;
}

/* ---- tiles ---- */

size_t entry_tiles_bound(const entry_input *in)
{
    gsp_tiles_graph const g = chain();
    (void)in;
    return gsp_tiles_bound(&g, NULL);
}

gsp_status entry_tiles_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_tiles_graph const g = chain();
    (void)in;
    return gsp_tiles_run(arena, &g, NULL, &out->tiles, err);
}

void entry_tiles_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_tiles_result const *const r = &out->tiles;
    (void)in;
    t_number(bytes, r->complete);
    t_number(bytes, (uint32_t)r->work);
    for (uint32_t i = 0; i < r->n_points; i++) {
        gsp_tile_point const *const p = &r->points[i];
        t_number(bytes, (uint32_t)p->cost.peak);
        t_number(bytes, (uint32_t)p->cost.macs);
        t_number(bytes, (uint32_t)p->cost.moved);
        t_number(bytes, p->cost.steps);
        t_number(bytes, p->busiest);
        for (uint32_t k = 0; k < p->n_regions; k++) {
            t_number(bytes, p->regions[k].first);
            t_number(bytes, p->regions[k].last);
            t_number(bytes, p->regions[k].parts[0] * 16u + p->regions[k].parts[1]);
        }
    }
}

/* ---- a region ---- */

size_t entry_tile_plan_bound(const entry_input *in)
{
    gsp_tiles_graph const g = chain();
    (void)in;
    return gsp_tile_plan_bound(&g, &region);
}

gsp_status entry_tile_plan_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_tiles_graph const g = chain();
    (void)in;
    return gsp_tile_plan_run(arena, &g, &region, &out->tile_plan, err);
}

void entry_tile_plan_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_tile_plan const *const p = &out->tile_plan;
    (void)in;
    t_add(bytes, (const char *)p->steps, p->n_steps * sizeof *p->steps);
    t_add(bytes, (const char *)p->ins, p->n_ins * sizeof *p->ins);
    for (uint32_t i = 0; i < p->n_values; i++) {
        t_number(bytes, p->values[i].of);
        t_number(bytes, (uint32_t)p->values[i].bytes);
        t_number(bytes, p->values[i].last);
    }
}

size_t entry_tile_rows_bound(const entry_input *in)
{
    gsp_tiles_graph const g = chain();
    (void)in;
    return gsp_tile_rows_bound(&g, &region);
}

gsp_status entry_tile_rows_run(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_tiles_graph const g = chain();
    (void)in;
    return gsp_tile_rows_run(arena, &g, &region, &out->tile_rows, err);
}

void entry_tile_rows_dump(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_tile_rows const *const r = &out->tile_rows;
    (void)in;
    t_number(bytes, (uint32_t)r->bytes);
    t_add(bytes, (const char *)r->kept, (region.last - region.first + 1u) * sizeof *r->kept);
}
