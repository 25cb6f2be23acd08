/* Regions of a graph that run in tiles: graphsplit_tiles.h in the memory of a session. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

/* To begin with; eight times as many if a search needs more. */
#define TILINGS (1u << 16)
#define POINTS  4096u
#define REGIONS (1u << 15)
#define MORE    8u

static gsp_tiles_graph graph_of(const tile_graph *g)
{
    gsp_tiles_graph made;
    made.n = g->n;
    made.ops = g->ops;
    made.values = g->values;
    made.ins = g->ins;
    made.n_ins = g->n_ins;
    made.tensors = g->tensors;
    made.n_tensors = g->n_tensors;
    made.align = (uint32_t)g->align;
    made.slice = g->slice;
    made.stream = g->stream;
    return made;
}

static int refuse(struct cli_session *s, const gsp_error *err)
{
    return cli_error(s, err->status, "tiles: %s%s%s", gsp_detail_text(err->detail),
        err->field[0] != '\0' ? ": " : "", err->field);
}

/* Points and their regions, out of the arena of a run. */
static void keep(struct cli_session *s, const gsp_tiles_result *r, tile_curve *curve)
{
    uint32_t i;
    curve->points = (gsp_tile_point *)cli_alloc(s, (size_t)r->n_points + 1u, sizeof *r->points);
    curve->n_points = r->n_points;
    curve->complete = r->complete != 0;
    curve->fits = r->fits != 0;
    for (i = 0; i < r->n_points; i++) {
        gsp_tile_point *p = &curve->points[i];
        gsp_tile_region *regions;
        *p = r->points[i];
        regions = (gsp_tile_region *)cli_alloc(s, (size_t)p->n_regions + 1u, sizeof *regions);
        if (p->n_regions != 0) {
            memcpy(regions, p->regions, p->n_regions * sizeof *regions);
        }
        p->regions = regions;
    }
}

/* Runs a search in as much memory as it takes. */
static int run(struct cli_session *s, const tile_graph *g, gsp_tiles_desc *desc, tile_curve *curve)
{
    gsp_tiles_graph graph = graph_of(g);
    gsp_tile_region const only = {g->first, g->last, GSP_NONE, {1, 1}, {0, 0, 0, 0}};
    gsp_tiles_result result;
    gsp_status status;
    gsp_error err;
    memset(curve, 0, sizeof *curve);
    graph.stream = desc->by_rows ? GSP_NONE : graph.stream; /* it is a source */
    desc->only = g->first != GSP_NONE ? &only : NULL;
    desc->max_tilings = TILINGS;
    desc->max_points = POINTS;
    desc->max_regions = REGIONS;
    do {
        gsp_arena arena;
        cli_arena(s, &arena, gsp_tiles_bound(&graph, desc));
        status = gsp_tiles_run(&arena, &graph, desc, &result, &err);
        if (status == GSP_OK) {
            keep(s, &result, curve);
        }
        cli_release(s, arena.base);
        desc->max_tilings *= MORE;
        desc->max_points *= MORE;
        desc->max_regions *= MORE;
    } while (status == GSP_STATUS_LIMIT);
    return status == GSP_OK ? CLI_EXIT_OK : refuse(s, &err);
}

int tile_search(struct cli_session *s, const tile_graph *g, tile_curve *curve)
{
    gsp_tiles_desc desc = {0};
    return run(s, g, &desc, curve);
}

int tile_lines(struct cli_session *s, const tile_graph *g, tile_curve *curve)
{
    gsp_tiles_desc desc = {0};
    desc.by_rows = 1;
    return run(s, g, &desc, curve);
}

int tile_place(
    struct cli_session *s, const tile_graph *g, const gsp_tile_room *room, tile_curve *curve)
{
    gsp_tiles_desc desc = {0};
    desc.room = room;
    return run(s, g, &desc, curve);
}

void tile_plan_open(struct cli_session *s, tile_plan *p)
{
    memset(p, 0, sizeof *p);
    p->session = s;
}

int tile_expand(const tile_graph *g, const gsp_tile_region *r, tile_plan *p)
{
    gsp_tiles_graph const graph = graph_of(g);
    size_t const bound = gsp_tile_plan_bound(&graph, r);
    gsp_tile_plan made;
    if (p->arena.size < bound) {
        cli_release(p->session, p->arena.base);
        cli_arena(p->session, &p->arena, bound);
    }
    gsp_arena_init(&p->arena, p->arena.base, p->arena.size);
    if (gsp_tile_plan_run(&p->arena, &graph, r, &made, NULL) != GSP_OK) {
        return 0;
    }
    p->steps = made.steps;
    p->values = made.values;
    p->ins = made.ins;
    p->n_steps = made.n_steps;
    p->n_values = made.n_values;
    p->n_ins = made.n_ins;
    return 1;
}

uint32_t tile_breach(const tile_graph *g, gsp_tile_region *r, const char **why)
{
    gsp_tiles_graph const graph = graph_of(g);
    gsp_error err;
    if (gsp_tile_region_run(&graph, r, &err) == GSP_OK) {
        return GSP_NONE;
    }
    *why = err.detail == GSP_DETAIL_INPUT_MANY ? "reads a second value from outside"
                                               : "yields a value that is read outside";
    return err.node;
}

uint32_t *tile_kept(struct cli_session *s, const tile_graph *g, const gsp_tile_region *r)
{
    gsp_tiles_graph graph = graph_of(g);
    size_t const n = (size_t)r->last - r->first + 1u;
    uint32_t *kept = (uint32_t *)cli_alloc(s, n, sizeof *kept);
    gsp_tile_rows rows;
    gsp_arena arena;
    graph.stream = GSP_NONE; /* it is a source */
    cli_arena(s, &arena, gsp_tile_rows_bound(&graph, r));
    if (gsp_tile_rows_run(&arena, &graph, r, &rows, NULL) == GSP_OK) {
        memcpy(kept, rows.kept, n * sizeof *kept);
    }
    cli_release(s, arena.base);
    return kept;
}
