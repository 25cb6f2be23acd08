/* graphsplit_tiles.h - an add-on of graphsplit.h: regions of a graph that run in tiles
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * A tile is some rows and columns of the result of a region and, backwards through its operators,
 * what they need of their inputs. What lives between the operators is then smaller. Neighbours
 * may share rows, which are computed twice, or each row is computed once and kept in a rolling
 * buffer. Finds which regions to cut into how many tiles: the curve of memory against MACs.
 * Operators are windows: kernel, stride, dilation, padding. Needs graphsplit.h alone.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_TILES_IMPLEMENTATION
 *     #include "graphsplit_tiles.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>tiles              Regions that run in tiles, and the curve of their costs
 *     >>impl               Implementation guard
 *
 *     gsp_tiles_run        within max_work    68 per value, 4 per tensor, 56 per tiling and region
 *                                             that is kept, 48 per point, and the largest plan of a
 *                                             region: at most 1,056 per operator, 432 per read
 *     gsp_tile_plan_run    O(s^2 / tiles)     88 per step, 4 per read, 20 per value
 *     gsp_tile_rows_run    O(rows reads)      16 per value, 4 per step of the region
 *     gsp_tile_region_run  O(n + reads)       none
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_TILES_H_INCLUDED
#define GRAPHSPLIT_TILES_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_TILES_IMPLEMENTATION)
#error "graphsplit_tiles: GRAPHSPLIT_STATIC needs GRAPHSPLIT_TILES_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GSP_NO_MEMORY

/* ----
 * >>tiles   Regions that run in tiles, and the curve of their costs (API)
 * ---- */

#define GSP_TILES_AXES    2u  /* rows and columns */
#define GSP_TILES_PARTS   10u /* tiles along an axis; a concatenation of TFLM takes as many */
#define GSP_TILES_GRID    36u /* tiles along both axes */
#define GSP_TILES_INPUTS  10u /* values that an operator reads */
#define GSP_TILES_OPS     64u /* operators of a region of the search */

#define GSP_TILES_TILINGS 4096u /* defaults of gsp_tiles_desc */
#define GSP_TILES_POINTS  256u
#define GSP_TILES_REGIONS 1024u
#define GSP_TILES_WORK    ((uint64_t)1u << 26u)

/* How a step runs. */
typedef enum gsp_tile_kind {
    GSP_TILE_FIXED,   /* as a whole; inputs of the graph are so, too */
    GSP_TILE_NONE,    /* takes no part: a parameter */
    GSP_TILE_SOURCE,  /* an input whose rows come one by one, each once; else as a whole */
    GSP_TILE_OP,      /* rows of its result need some rows of what it reads */
    GSP_TILE_PADDING, /* the same, and it does its padding itself */
    GSP_TILE_FORCE_U32 = 0x7FFFFFFF
} gsp_tile_kind;

/* Which rows, or columns, an operator reads: `span` of them, from stride * row - before on. Spans,
 * strides, padding and margins are at most 2^30. */
typedef struct gsp_tile_window {
    uint32_t span; /* with dilation: (kernel - 1) * dilation + 1 */
    uint32_t stride;
    uint32_t before;  /* rows of padding before the first */
    uint32_t factor;  /* rows of its result per row of what it reads; 0 of a window */
    uint32_t margin;  /* then: rows on both sides that it reads besides */
    uint32_t is_same; /* 1 if a tile is padded as SAME pads the whole, so that its outer rows may be
                       * others than those of the whole: a mean that does not count padding */
} gsp_tile_window;

/* An operator; all but the kind and `is_op` is of GSP_TILE_OP and GSP_TILE_PADDING. */
typedef struct gsp_tile_op {
    uint32_t kind;  /* a gsp_tile_kind */
    uint32_t is_op; /* 1 if it counts as operator: no input, parameter or output of the graph */
    gsp_tile_window window[GSP_TILES_AXES];
    uint32_t first_in; /* in gsp_tiles_graph.ins: the values that it reads, but parameters */
    uint32_t n_in;     /* at most GSP_TILES_INPUTS, with as many rows and columns each */
    uint64_t macs;
    uint64_t scratch; /* bytes beside the rows while it computes one; by rows alone */
    uint64_t sums;    /* bytes of the sums of a row, of an operator that can add the rows of a value
                       * of its region one by one; 0 if it cannot; by rows alone. Such an operator
                       * reads one value, no row of it twice, and has no padding before it. */
    uint32_t padding; /* bytes of the constant that says how much explicit padding there is */
    uint32_t filler;  /* bytes of the constant that fills it, if that is none of the operator's */
} gsp_tile_op;

/* What a step yields. */
typedef struct gsp_tile_value {
    uint64_t bytes;
    uint32_t rows[GSP_TILES_AXES]; /* rows and columns: at most 2^31 places */
    uint32_t tensor;               /* whose memory it is in; GSP_NONE of a parameter without */
} gsp_tile_value;

/* A graph in the order in which it runs. Step i yields value i, and reads values before it. */
typedef struct gsp_tiles_graph {
    uint32_t n;
    const gsp_tile_op *ops;       /* [n] */
    const gsp_tile_value *values; /* [n] */
    const uint32_t *ins;          /* [n_ins] values, by gsp_tile_op.first_in */
    uint32_t n_ins;
    uint32_t n_tensors;
    const gsp_tensor *tensors; /* [n_tensors] bytes, begin and end; one of 0 bytes for elsewhere */
    uint32_t align;            /* of tensors in bytes; 0 means 1 */
    uint32_t slice;            /* bytes of the constants of a slice */
    uint32_t stream; /* the input, of GSP_TILE_FIXED, that comes in tiles; GSP_NONE if none does */
} gsp_tiles_graph;

/* What tiles cost. */
typedef struct gsp_tile_cost {
    uint64_t peak;  /* bytes */
    uint64_t macs;  /* more than without tiles */
    uint64_t moved; /* bytes that slices, paddings and concatenations write; with a room those that
                     * tiles read and yield */
    uint32_t steps; /* operators */
} gsp_tile_cost;

/* Steps that run in tiles. */
typedef struct gsp_tile_region {
    uint32_t first; /* step */
    uint32_t last;
    uint32_t entry; /* the value that it reads; GSP_NONE of a source alone; set by passes */
    uint32_t
        parts[GSP_TILES_AXES]; /* tiles along each axis, of which 1 is the whole; not by rows */
    gsp_tile_cost cost;        /* set by the search */
} gsp_tile_region;

/* Rows and columns. */
typedef struct gsp_tile_box {
    uint32_t first[GSP_TILES_AXES];
    uint32_t end[GSP_TILES_AXES];
} gsp_tile_box;

/* The memory of an accelerator: it has what its steps read, yield and keep, and their parameters;
 * other values lie elsewhere. Regions are of steps of one accelerator. */
typedef struct gsp_tile_room {
    const uint8_t *kind;     /* [n] the accelerator that runs a step; 0 if none does */
    const uint64_t *alone;   /* [n] bytes that a step takes as a whole */
    const uint32_t *begin;   /* [n + 1] into weights */
    const uint32_t *weights; /* the values of steps of GSP_TILE_NONE that a step reads */
    uint64_t limit;          /* bytes of a tile, or of a step in none */
    uint64_t params;         /* bytes of the parameters of a region */
    uint64_t again;          /* MACs that a region may compute more, per million */
} gsp_tile_room;

/* Called before a range of steps is tried. Returns nonzero to stop with what is found so far. */
typedef int (*gsp_tiles_progress_func)(void *user, uint64_t work);

/* All zero asks for the curve of tiles. */
typedef struct gsp_tiles_desc {
    uint32_t start_canary;
    uint32_t by_rows;                 /* 1 if rows lie in rolling buffers, each computed once */
    const gsp_tile_region *only;      /* the one region that may be cut, or NULL for any */
    const gsp_tile_room *room;        /* in which tiles are, or NULL if there is one memory */
    uint32_t max_tilings;             /* kept; 0 means GSP_TILES_TILINGS */
    uint32_t max_points;              /* of the curve; 0 means GSP_TILES_POINTS */
    uint32_t max_regions;             /* of all points; 0 means GSP_TILES_REGIONS */
    uint64_t max_work;                /* see gsp_tiles_result.work; 0 means GSP_TILES_WORK */
    gsp_tiles_progress_func progress; /* or NULL */
    void *progress_user;
    uint32_t end_canary;
} gsp_tiles_desc;

/* Which regions run in tiles. */
typedef struct gsp_tile_point {
    gsp_tile_cost cost;
    const gsp_tile_region *regions; /* [n_regions] in order */
    uint32_t n_regions;
    uint32_t busiest; /* the step, or the first of the region, that has the peak */
} gsp_tile_point;

/* All arrays are read-only. */
typedef struct gsp_tiles_result {
    const gsp_tile_point *points; /* by descending peak */
    uint32_t n_points;
    uint32_t complete; /* 1 if all regions were tried, and no point is missing between two */
    uint32_t fits;     /* with a room: 1 if all is within it */
    uint32_t stopped;  /* 1 if progress ended the search early */
    uint64_t work;     /* steps of all regions that were tried; by rows, rows times steps / 8 */
} gsp_tiles_result;

/* gsp_tiles_bound: bytes for the run; SIZE_MAX without a graph. Time: O(n). */
GSP_API size_t gsp_tiles_bound(const gsp_tiles_graph *graph, const gsp_tiles_desc *desc);

/* gsp_tiles_run: for every peak that is possible the regions with the fewest extra MACs.
 *
 * What:    All ranges of at most GSP_TILES_OPS operators that have one entry and one exit, in up to
 *          GSP_TILES_PARTS tiles along one axis, or a grid of up to GSP_TILES_GRID, are measured
 *          step by step. The best set of ranges below a peak is a shortest path; the next point is
 *          the best below the peak of the one before. The first point has no tiles. With a stream
 *          all points but the first read it in tiles.
 *          By rows: a region keeps what its later rows need of each value in a rolling buffer, and
 *          points differ in peaks alone. A source is in a region in all of them; there may be no
 *          point.
 *          With a room: one point, that of the fewest bytes moved, and of these of the fewest MACs,
 *          whose tiles, and whose steps of an accelerator in none, are within the limit. If there
 *          is none (`fits` is 0), the one of the least peak; no point if a stream is read as a
 *          whole.
 *          Tiles as Burrello et al. 2021 and MCUNetV2 (Lin et al. 2021) cut them; the path over
 *          ranges as msf-CNN (Huang, Baccelli 2025).
 * Errors:  ARG (NULL_ARGUMENT; KIND: of node; RANGE: a field of node, of a tensor, of the room, or
 *          the region), DESC (CANARY; CHOICE: by rows in a room), OVERFLOW (SIZE: bytes with
 *          padding or MACs of all steps exceed 2^56, up to node), LIMIT (WORK: max_tilings,
 *          max_points or max_regions), NOMEM
 * Time:    O(n tensors), and max_work times the slices of a tile
 * Memory:  the bound; points and regions stay
 * Order:   of equal points the one whose regions begin first
 * Example: examples/tiles.c
 */
GSP_API gsp_status gsp_tiles_run(gsp_arena *arena, const gsp_tiles_graph *graph,
    const gsp_tiles_desc *desc, gsp_tiles_result *result, gsp_error *err);

/* gsp_tile_region_run: whether steps have one entry and one exit; sets the entry.
 *
 * Errors:  those of gsp_tiles_run() for the graph; ARG (RANGE: the region), then of the first step
 *          at fault (node): KIND: it runs as a whole; INPUT_MANY: it reads a second value from
 *          outside; OUTPUTS: it yields a value that is read outside
 * Time:    O(n + reads)
 * Memory:  none
 */
GSP_API gsp_status gsp_tile_region_run(
    const gsp_tiles_graph *graph, gsp_tile_region *region, gsp_error *err);

/* What a step of a plan does. */
typedef enum gsp_tile_step_kind {
    GSP_TILE_STEP_INPUT, /* nothing: a tile of the stream comes */
    GSP_TILE_STEP_SLICE,
    GSP_TILE_STEP_PAD,
    GSP_TILE_STEP_RUN,
    GSP_TILE_STEP_CONCAT,
    GSP_TILE_STEP_FORCE_U32 = 0x7FFFFFFF
} gsp_tile_step_kind;

/* Some rows and columns of a value of the graph, perhaps padded. */
typedef struct gsp_tile_part {
    uint32_t of;
    gsp_tile_box box; /* without padding */
    uint64_t bytes;
    uint32_t last; /* step of the plan that reads it, or makes it if none does */
} gsp_tile_part;

/* What a tile does, or what joins tiles. */
typedef struct gsp_tile_step {
    uint32_t kind; /* a gsp_tile_step_kind */
    uint32_t op;   /* that runs, or for which padding is; of a slice the value */
    uint32_t first_in;
    uint32_t n_in;
    uint32_t out;                    /* the part that it makes */
    uint32_t tile;                   /* its number in the region; GSP_NONE of a concatenation */
    uint32_t axis;                   /* of a concatenation */
    uint32_t is_cut;                 /* 1 if it takes a tile of what the region reads */
    uint32_t before[GSP_TILES_AXES]; /* padding, of a run or a pad */
    uint32_t after[GSP_TILES_AXES];
} gsp_tile_step;

/* A region as steps. Part 0 is what it reads, of which there are only tiles if it is the stream;
 * the last part is its result. All arrays are read-only. */
typedef struct gsp_tile_plan {
    const gsp_tile_step *steps;  /* [n_steps] */
    const gsp_tile_part *values; /* [n_values] */
    const uint32_t *ins;         /* [n_ins] parts, by gsp_tile_step.first_in */
    uint32_t n_steps;
    uint32_t n_values;
    uint32_t n_ins;
} gsp_tile_plan;

/* gsp_tile_plan_bound: bytes for the run; SIZE_MAX without a graph, or if its region is none. Time:
 * O(steps of the region). */
GSP_API size_t gsp_tile_plan_bound(const gsp_tiles_graph *graph, const gsp_tile_region *region);

/* gsp_tile_plan_run: the steps of a region that runs in tiles, one tile after another.
 *
 * What:    A tile takes slices of what it reads, pads them where the whole does, unless operators
 *          do that, runs the operators of the region, and cuts what they yield too much. The tiles
 *          of a band are joined along columns, and bands along rows. A slice that two operators
 *          read is made once.
 * Errors:  those of gsp_tile_region_run(); ARG (RANGE: parts), EMPTY (a tile would read nothing but
 *          padding), OVERFLOW (TOO_MANY), NOMEM
 * Time:    O(steps^2 / tiles)
 * Memory:  the bound; the arrays of the plan stay
 */
GSP_API gsp_status gsp_tile_plan_run(gsp_arena *arena, const gsp_tiles_graph *graph,
    const gsp_tile_region *region, gsp_tile_plan *plan, gsp_error *err);

/* Rolling buffers of a region. */
typedef struct gsp_tile_rows {
    const uint32_t *kept; /* [last - first + 1] rows of each value that are kept; read-only */
    uint64_t bytes;       /* of all of them but the result's, with sums and the largest scratch */
} gsp_tile_rows;

/* gsp_tile_rows_bound: bytes for the run; SIZE_MAX without a graph, or if its region is none. Time:
 * O(1). */
GSP_API size_t gsp_tile_rows_bound(const gsp_tiles_graph *graph, const gsp_tile_region *region);

/* gsp_tile_rows_run: how many rows of its values a region keeps that runs row by row.
 *
 * What:    Each row is computed when it is needed, and stays until nothing needs it. An operator
 *          with sums needs one row at a time, and its sums live as long as the region.
 * Errors:  those of gsp_tile_region_run(); NOMEM
 * Time:    O(rows of the region times its operators times their reads)
 * Memory:  the bound; `kept` stays
 */
GSP_API gsp_status gsp_tile_rows_run(gsp_arena *arena, const gsp_tiles_graph *graph,
    const gsp_tile_region *region, gsp_tile_rows *rows, gsp_error *err);

#endif

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_TILES_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_TILES_IMPLEMENTATION
#ifndef GRAPHSPLIT_TILES_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_TILES_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_TILES_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_TILES_END       _Pragma("GCC diagnostic pop")
#define GSPI_TILES_OWN_FRAME __attribute__((noinline)) static /* not on that of its caller */
#else
#define GSPI_TILES_BEGIN
#define GSPI_TILES_END
#define GSPI_TILES_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_TILES_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GSP_NO_MEMORY

/* ----
 * >>tiles   Regions that run in tiles, and the curve of their costs (implementation)
 * ---- */

/* Of bytes and of MACs of a graph: those of all tiles have sums. */
#define GSPI_TILES_MOST   ((uint64_t)1u << 56u)

#define GSPI_TILES_FAR    (1u << 30u) /* spans, strides, padding, margins */
#define GSPI_TILES_PLACES (1u << 31u) /* rows times columns */

/* Row by row, that many operators are looked at in the time of a step. */
#define GSPI_TILES_LINE 8u

/* MACs that tiles compute again are fewer, per million. */
#define GSPI_TILES_AGAIN ((uint64_t)GSP_TILES_GRID * 1000000u)

/* With more tilings than that, points of the curve are 1/64 apart. */
#define GSPI_TILES_MANY (1u << 16u)

/* A condition that no input makes, or one of gigabytes; `make cov` does not count it. */
#define GSPI_TILES_NEVER(x) (x)

/* Names the argument or field at fault; a second NUL says that no count makes it required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_TILES_FIELD(text) ""
#else
#define GSPI_TILES_FIELD(text) text "\0"
#endif

static gsp_status gspi_tiles_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, uint32_t step, const char *field)
{
    if (err != NULL) {
        uint32_t const what = step == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE;
        gsp_error const e = {status, detail, what, step, GSP_NONE, 0, 0, 0, 0u, field};
        *err = e;
    }
    return status;
}

static gsp_status gspi_tiles_short(
    gsp_error *err, gsp_status status, gsp_detail detail, uint64_t need, uint64_t limit)
{
    (void)gspi_tiles_fail(err, status, detail, GSP_NONE, "");
    if (err != NULL) {
        err->need = need;
        err->limit = limit;
    }
    return status;
}

/* ---- What is given ---- */

static const char *gspi_tiles_missing(const gsp_tiles_graph *g)
{
    return g->n != 0u && g->ops == NULL               ? GSPI_TILES_FIELD("ops")
           : g->n != 0u && g->values == NULL          ? GSPI_TILES_FIELD("values")
           : g->n_ins != 0u && g->ins == NULL         ? GSPI_TILES_FIELD("ins")
           : g->n_tensors != 0u && g->tensors == NULL ? GSPI_TILES_FIELD("tensors")
                                                      : NULL;
}

/* It has rows, which operators read or make. */
static int gspi_tiles_runs(uint32_t kind)
{
    return kind == GSP_TILE_OP || kind == GSP_TILE_PADDING;
}

static uint64_t gspi_tiles_align(const gsp_tiles_graph *g)
{
    return g->align > 1u ? g->align : 1u;
}

static uint64_t gspi_tiles_round(const gsp_tiles_graph *g, uint64_t bytes)
{
    uint64_t const align = gspi_tiles_align(g);
    return (bytes + align - 1u) / align * align;
}

static int gspi_tiles_has_rows(const gsp_tiles_graph *g, uint32_t v)
{
    const uint32_t *rows = g->values[v].rows;
    return rows[0] != 0u && rows[1] != 0u && rows[0] <= GSPI_TILES_PLACES / rows[1] &&
           g->values[v].tensor < g->n_tensors;
}

/* An axis of an operator whose result and input have so many rows. */
static int gspi_tiles_is_window(const gsp_tile_window *w, uint32_t made, uint32_t rows)
{
    if (w->span > GSPI_TILES_FAR || w->stride - 1u >= GSPI_TILES_FAR ||
        w->before > GSPI_TILES_FAR || w->margin > GSPI_TILES_FAR) {
        return 0;
    }
    if (w->factor != 0u) {
        return (uint64_t)rows * w->factor == made;
    }
    return w->span != 0u && (!w->is_same || made == (rows - 1u) / w->stride + 1u);
}

/* What an operator reads is there, and has one shape. */
static int gspi_tiles_are_inputs(const gsp_tiles_graph *g, uint32_t v)
{
    const gsp_tile_op *o = &g->ops[v];
    for (uint32_t k = 0; k < o->n_in; k++) {
        uint32_t const of = g->ins[o->first_in + k];
        const uint32_t *rows = g->values[of].rows;
        const uint32_t *like = g->values[g->ins[o->first_in]].rows;
        if (g->ops[of].kind == GSP_TILE_NONE || !gspi_tiles_has_rows(g, of) || rows[0] != like[0] ||
            rows[1] != like[1]) {
            return 0;
        }
    }
    return o->n_in != 0u;
}

/* Values before the step. */
static int gspi_tiles_are_before(const gsp_tiles_graph *g, uint32_t v)
{
    const gsp_tile_op *o = &g->ops[v];
    if (o->n_in > GSP_TILES_INPUTS || o->first_in > g->n_ins || o->n_in > g->n_ins - o->first_in) {
        return 0;
    }
    for (uint32_t k = 0; k < o->n_in; k++) {
        if (g->ins[o->first_in + k] >= v) {
            return 0;
        }
    }
    return 1;
}

/* An operator that adds up rows reads each once. */
static int gspi_tiles_can_add(const gsp_tiles_graph *g, uint32_t v)
{
    const gsp_tile_op *o = &g->ops[v];
    const gsp_tile_window *w = &o->window[0];
    return o->n_in == 1u && w->factor == 0u && w->before == 0u &&
           (w->stride >= w->span || g->values[v].rows[0] == 1u);
}

/* The field of a step that is out of range, or NULL. */
static const char *gspi_tiles_wrong(const gsp_tiles_graph *g, uint32_t v)
{
    const gsp_tile_op *o = &g->ops[v];
    if (!gspi_tiles_are_before(g, v)) {
        return GSPI_TILES_FIELD("ins");
    }
    if (o->kind >= GSP_TILE_SOURCE && !gspi_tiles_has_rows(g, v)) {
        return GSPI_TILES_FIELD("values");
    }
    if (o->kind == GSP_TILE_NONE && g->values[v].tensor >= g->n_tensors &&
        g->values[v].tensor != GSP_NONE) {
        return GSPI_TILES_FIELD("values");
    }
    if (!gspi_tiles_runs(o->kind)) {
        return o->kind != GSP_TILE_FIXED && o->n_in != 0u ? GSPI_TILES_FIELD("ins") : NULL;
    }
    if (!gspi_tiles_are_inputs(g, v)) {
        return GSPI_TILES_FIELD("ins");
    }
    for (uint32_t a = 0; a < GSP_TILES_AXES; a++) {
        if (!gspi_tiles_is_window(
                &o->window[a], g->values[v].rows[a], g->values[g->ins[o->first_in]].rows[a])) {
            return GSPI_TILES_FIELD("window");
        }
    }
    return o->sums != 0u && !gspi_tiles_can_add(g, v) ? GSPI_TILES_FIELD("sums") : NULL;
}

/* Bytes of a value, padded to what its reader needs at most; more than all may have if they are. */
static uint64_t gspi_tiles_padded(const gsp_tiles_graph *g, uint32_t v, uint32_t of)
{
    const gsp_tile_value *value = &g->values[of];
    uint64_t places = 1;
    for (uint32_t a = 0; a < GSP_TILES_AXES; a++) {
        const gsp_tile_window *w = &g->ops[v].window[a];
        uint64_t const most =
            value->rows[a] + ((uint64_t)g->values[v].rows[a] - 1u) * w->stride + w->span;
        if (most > GSPI_TILES_MOST / places) {
            return GSPI_TILES_MOST + 1u;
        }
        places *= most;
    }
    uint64_t const each = value->bytes / value->rows[0] / value->rows[1] + 1u;
    return each > GSPI_TILES_MOST / places ? GSPI_TILES_MOST + 1u : each * places;
}

/* Adds to a sum; 0 if that is too large. */
static int gspi_tiles_add(uint64_t *sum, uint64_t more)
{
    if (more > GSPI_TILES_MOST - *sum) {
        return 0;
    }
    *sum += more;
    return 1;
}

/* Bytes and MACs of a step, which are in sums. */
static int gspi_tiles_sums(const gsp_tiles_graph *g, uint32_t v, uint64_t *bytes, uint64_t *macs)
{
    const gsp_tile_op *o = &g->ops[v];
    if (o->kind == GSP_TILE_FIXED) {
        return 1;
    }
    if (!gspi_tiles_add(bytes, g->values[v].bytes) || !gspi_tiles_add(bytes, o->scratch) ||
        !gspi_tiles_add(bytes, o->sums) || !gspi_tiles_add(macs, o->macs)) {
        return 0;
    }
    for (uint32_t k = 0; k < o->n_in; k++) { /* of what runs in tiles */
        if (!gspi_tiles_add(bytes, gspi_tiles_padded(g, v, g->ins[o->first_in + k]))) {
            return 0;
        }
    }
    return 1;
}

/* Lifetimes and sizes of tensors. */
static gsp_status gspi_tiles_tensors(const gsp_tiles_graph *g, gsp_error *err)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < g->n_tensors; i++) {
        gsp_status status = GSP_OK;
        if (g->tensors[i].begin > g->tensors[i].end) {
            status = gspi_tiles_fail(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, i, GSPI_TILES_FIELD("tensors"));
        } else if (!gspi_tiles_add(&bytes, g->tensors[i].bytes)) {
            status = gspi_tiles_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, i, "");
        }
        if (status != GSP_OK) {
            if (err != NULL) {
                err->what = GSP_WHAT_TENSOR;
            }
            return status;
        }
    }
    return GSP_OK;
}

GSPI_TILES_OWN_FRAME gsp_status gspi_tiles_given(const gsp_tiles_graph *g, gsp_error *err)
{
    const char *field = gspi_tiles_missing(g);
    uint64_t bytes = 0;
    uint64_t macs = 0;
    if (field != NULL) {
        return gspi_tiles_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field);
    }
    for (uint32_t v = 0; v < g->n; v++) {
        if (g->ops[v].kind > GSP_TILE_PADDING) {
            return gspi_tiles_fail(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, v, "");
        }
        field = gspi_tiles_wrong(g, v);
        if (field != NULL) {
            return gspi_tiles_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, v, field);
        }
        if (!gspi_tiles_sums(g, v, &bytes, &macs)) {
            return gspi_tiles_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v, "");
        }
    }
    if (g->stream != GSP_NONE && (g->stream >= g->n || g->ops[g->stream].kind != GSP_TILE_FIXED ||
                                     g->values[g->stream].tensor >= g->n_tensors)) {
        field = GSPI_TILES_FIELD("stream");
        return gspi_tiles_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE, field);
    }
    return gspi_tiles_tensors(g, err);
}

static const gsp_tensor *gspi_tiles_tensor(const gsp_tiles_graph *g, uint32_t value)
{
    return &g->tensors[g->values[value].tensor];
}

/* The first step with which first to last have more than one entry and one exit, or GSP_NONE; sets
 * the entry, and what is wrong. */
static uint32_t gspi_tiles_breach(const gsp_tiles_graph *g, gsp_tile_region *r, gsp_detail *detail)
{
    r->entry = GSP_NONE;
    for (uint32_t i = r->first; i <= r->last; i++) {
        const gsp_tile_op *o = &g->ops[i];
        if (o->kind == GSP_TILE_NONE) {
            continue;
        }
        *detail = GSP_DETAIL_KIND;
        if (o->kind == GSP_TILE_FIXED) {
            return i;
        }
        *detail = GSP_DETAIL_INPUT_MANY;
        for (uint32_t k = o->first_in; k < o->first_in + o->n_in; k++) {
            uint32_t const of = g->ins[k];
            if (of < r->first && r->entry != GSP_NONE && r->entry != of) {
                return i;
            }
            r->entry = of < r->first ? of : r->entry;
        }
        *detail = GSP_DETAIL_OUTPUTS;
        if (i != r->last && gspi_tiles_tensor(g, i)->end > r->last) {
            return i;
        }
    }
    return GSP_NONE;
}

/* ---- The steps of a region ---- */

typedef struct gspi_tiles_plan { /* not on the stack */
    const gsp_tiles_graph *g;
    gsp_tile_region r;
    gsp_tile_step *steps;
    gsp_tile_part *values;
    uint32_t *ins;
    gsp_tile_box *box; /* [n] what a tile needs */
    uint32_t *at;      /* [n] that value of the tile */
    uint32_t n_steps;
    uint32_t n_values;
    uint32_t n_ins;
    uint32_t tile;       /* of the steps that are added */
    uint32_t first_step; /* of the tile */
    uint32_t stream;
    uint32_t bands[GSP_TILES_PARTS];
    uint32_t tiles[GSP_TILES_PARTS];
} gspi_tiles_plan;

static uint32_t gspi_tiles_size(const gsp_tile_box *b, uint32_t axis)
{
    return b->end[axis] - b->first[axis];
}

/* Bytes of a part of a value, with that many rows and columns. */
static uint64_t gspi_tiles_bytes(
    const gsp_tiles_graph *g, uint32_t of, uint32_t rows, uint32_t columns)
{
    const gsp_tile_value *v = &g->values[of];
    return v->bytes / v->rows[0] / v->rows[1] * rows * columns;
}

static uint64_t gspi_tiles_box_bytes(const gsp_tiles_graph *g, uint32_t of, const gsp_tile_box *box)
{
    return gspi_tiles_bytes(g, of, gspi_tiles_size(box, 0), gspi_tiles_size(box, 1));
}

static uint32_t gspi_tiles_add_value(
    gspi_tiles_plan *p, uint32_t of, const gsp_tile_box *box, uint64_t bytes)
{
    gsp_tile_part const v = {of, *box, bytes, 0};
    p->values[p->n_values] = v;
    return p->n_values++;
}

static void gspi_tiles_add_in(gspi_tiles_plan *p, uint32_t value)
{
    p->ins[p->n_ins++] = value;
    p->values[value].last = p->n_steps;
}

/* A step that reads what gspi_tiles_add_in() has added since the one before. */
static gsp_tile_step *gspi_tiles_add_step(
    gspi_tiles_plan *p, gsp_tile_step_kind kind, uint32_t op, uint32_t out)
{
    gsp_tile_step *s = &p->steps[p->n_steps];
    uint32_t const first = p->n_steps == 0u ? 0u : s[-1].first_in + s[-1].n_in;
    gsp_tile_step const made = {
        (uint32_t)kind, op, first, p->n_ins - first, out, p->tile, 0, 0, {0, 0}, {0, 0}};
    *s = made;
    p->values[out].last = p->n_steps++;
    return s;
}

/* What an operator reads along an axis for some rows of its result, and the padding. */
typedef struct gspi_tiles_span {
    uint32_t first;
    uint32_t end;
    uint32_t before;
    uint32_t after;
} gspi_tiles_span;

/* A row that may lie outside, within 0 and `rows`. */
static uint32_t gspi_tiles_clip(int64_t row, uint32_t rows)
{
    return row < 0 ? 0u : row < (int64_t)rows ? (uint32_t)row : rows;
}

/* One that makes rows larger. */
static int gspi_tiles_find_larger(const gsp_tile_window *w, uint32_t rows, const gsp_tile_box *box,
    uint32_t a, gspi_tiles_span *s)
{
    uint32_t const first = box->first[a] / w->factor;
    uint64_t const most = ((uint64_t)box->end[a] - 1u) / w->factor + 1u + w->margin;
    s->before = s->after = 0;
    s->first = first > w->margin ? first - w->margin : 0u;
    s->end = most < rows ? (uint32_t)most : rows;
    return 1;
}

/* 0 if it reads no row, but padding alone. */
static int gspi_tiles_find_span(const gsp_tile_window *w, uint32_t rows, const gsp_tile_box *box,
    uint32_t a, gspi_tiles_span *s)
{
    if (w->factor != 0u) {
        return gspi_tiles_find_larger(w, rows, box, a, s);
    }
    int64_t const from = (int64_t)box->first[a] * w->stride - w->before;
    int64_t const to = ((int64_t)box->end[a] - 1) * w->stride - w->before + w->span;
    s->before = from < 0 ? (uint32_t)-from : 0u;
    s->after = to > (int64_t)rows ? (uint32_t)(to - rows) : 0u;
    s->first = gspi_tiles_clip(from, rows);
    s->end = gspi_tiles_clip(to, rows);
    if (w->is_same) { /* as far from a multiple of the stride as the whole: equal padding */
        s->before = s->after = 0;
        s->first -= s->first % w->stride;
        s->end += (rows - s->end) % w->stride;
    }
    return s->first < s->end;
}

/* The part of a value that an operator reads for a part of its result, with padding. An axis that
 * is not cut stays whole. */
static int gspi_tiles_find_part(
    const gspi_tiles_plan *p, uint32_t op, uint32_t of, gsp_tile_box *part, gsp_tile_step *padding)
{
    for (uint32_t a = 0; a < GSP_TILES_AXES; a++) {
        uint32_t const rows = p->g->values[of].rows[a];
        gspi_tiles_span s;
        if (!gspi_tiles_find_span(&p->g->ops[op].window[a], rows, &p->box[op], a, &s)) {
            return 0;
        }
        part->first[a] = p->r.parts[a] == 1u ? 0u : s.first;
        part->end[a] = p->r.parts[a] == 1u ? rows : s.end;
        padding->before[a] = s.before;
        padding->after[a] = s.after;
    }
    return 1;
}

/* What a step yields of this part if it makes rows larger, or pads a tile as the whole: all of it,
 * of which the outer rows may be others than those of the whole. */
static void gspi_tiles_enlarge(const gsp_tile_op *o, const gsp_tile_box *part, gsp_tile_box *box)
{
    for (uint32_t a = 0; a < GSP_TILES_AXES; a++) {
        const gsp_tile_window *w = &o->window[a];
        if (w->factor != 0u) {
            box->first[a] = part->first[a] * w->factor;
            box->end[a] = part->end[a] * w->factor;
        } else if (w->is_same) {
            box->first[a] = part->first[a] / w->stride;
            box->end[a] = (part->end[a] - 1u) / w->stride + 1u;
        }
    }
}

/* The part that such a step reads which yields this box. */
static void gspi_tiles_reduce(
    const gsp_tiles_graph *g, uint32_t op, uint32_t of, const gsp_tile_box *box, gsp_tile_box *part)
{
    for (uint32_t a = 0; a < GSP_TILES_AXES; a++) {
        const gsp_tile_window *w = &g->ops[op].window[a];
        if (w->factor != 0u) {
            part->first[a] = box->first[a] / w->factor;
            part->end[a] = box->end[a] / w->factor;
        } else if (w->is_same) {
            uint32_t const behind = (g->values[op].rows[a] - box->end[a]) * w->stride;
            part->first[a] = box->first[a] * w->stride;
            part->end[a] = g->values[of].rows[a] - behind;
        }
    }
}

static void gspi_tiles_widen(gsp_tile_box *box, const gsp_tile_box *by)
{
    for (uint32_t a = 0; a < GSP_TILES_AXES; a++) {
        box->first[a] = by->first[a] < box->first[a] ? by->first[a] : box->first[a];
        box->end[a] = by->end[a] > box->end[a] ? by->end[a] : box->end[a];
    }
}

/* The parts that an operator reads of its inputs become wider by what it needs. */
static int gspi_tiles_widen_inputs(gspi_tiles_plan *p, uint32_t op)
{
    const gsp_tile_op *o = &p->g->ops[op];
    gsp_tile_box part = {{0, 0}, {0, 0}};
    gsp_tile_step padding;
    for (uint32_t i = o->first_in; i < o->first_in + o->n_in; i++) {
        if (!gspi_tiles_find_part(p, op, p->g->ins[i], &part, &padding)) {
            return 0;
        }
        gspi_tiles_widen(&p->box[p->g->ins[i]], &part);
    }
    gspi_tiles_enlarge(o, &part, &p->box[op]);
    return 1;
}

/* Parts of all values of the region, and of its entry, for that of its result. */
GSPI_TILES_OWN_FRAME int gspi_tiles_find_boxes(gspi_tiles_plan *p)
{
    gsp_tile_box const none = {{UINT32_MAX, UINT32_MAX}, {0, 0}};
    for (uint32_t i = p->r.first; i < p->r.last; i++) {
        p->box[i] = none;
    }
    p->box[p->r.entry] = none;
    for (uint32_t op = p->r.last + 1u; op-- > p->r.first;) {
        if (p->g->ops[op].kind != GSP_TILE_NONE &&
            (p->box[op].first[0] >= p->box[op].end[0] || !gspi_tiles_widen_inputs(p, op))) {
            return 0;
        }
    }
    return 1;
}

static int gspi_tiles_is_equal(const gsp_tile_box *a, const gsp_tile_box *b)
{
    return a->first[0] == b->first[0] && a->end[0] == b->end[0] && a->first[1] == b->first[1] &&
           a->end[1] == b->end[1];
}

/* This part of a value: a slice, unless it has no more. */
static uint32_t gspi_tiles_take_part(gspi_tiles_plan *p, uint32_t from, const gsp_tile_box *part)
{
    uint32_t const of = p->values[from].of;
    if (gspi_tiles_is_equal(part, &p->values[from].box)) {
        return from;
    }
    for (uint32_t i = p->first_step; i < p->n_steps; i++) {
        const gsp_tile_part *v = &p->values[p->steps[i].out];
        if (p->steps[i].kind == GSP_TILE_STEP_SLICE && v->of == of &&
            gspi_tiles_is_equal(part, &v->box)) {
            return p->steps[i].out;
        }
    }
    gspi_tiles_add_in(p, from);
    uint32_t const made = gspi_tiles_add_value(p, of, part, gspi_tiles_box_bytes(p->g, of, part));
    gspi_tiles_add_step(p, GSP_TILE_STEP_SLICE, of, made)->is_cut = from == 0u;
    return made;
}

static void gspi_tiles_set_padding(gsp_tile_step *to, const gsp_tile_step *from)
{
    for (uint32_t a = 0; a < GSP_TILES_AXES; a++) {
        to->before[a] = from->before[a];
        to->after[a] = from->after[a];
    }
}

/* The value with its padding; itself if there is none. */
static uint32_t gspi_tiles_put_padding(
    gspi_tiles_plan *p, uint32_t op, uint32_t from, const gsp_tile_step *padding)
{
    gsp_tile_part const v = p->values[from];
    uint32_t const more[GSP_TILES_AXES] = {
        padding->before[0] + padding->after[0], padding->before[1] + padding->after[1]};
    if (more[0] == 0u && more[1] == 0u) {
        return from;
    }
    uint64_t const bytes = gspi_tiles_bytes(
        p->g, v.of, gspi_tiles_size(&v.box, 0) + more[0], gspi_tiles_size(&v.box, 1) + more[1]);
    uint32_t const made = gspi_tiles_add_value(p, v.of, &v.box, bytes);
    gspi_tiles_add_in(p, from);
    gspi_tiles_set_padding(gspi_tiles_add_step(p, GSP_TILE_STEP_PAD, op, made), padding);
    return made;
}

/* An operator in a tile, with the slices and paddings before it. */
GSPI_TILES_OWN_FRAME void gspi_tiles_put_op(gspi_tiles_plan *p, uint32_t op)
{
    const gsp_tile_op *o = &p->g->ops[op];
    const gsp_tile_box *box = &p->box[op];
    uint32_t ready[GSP_TILES_INPUTS] = {0};
    gsp_tile_step padding = {0, 0, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}};
    for (uint32_t i = 0; i < o->n_in; i++) {
        uint32_t const of = p->g->ins[o->first_in + i];
        gsp_tile_box part;
        part = *box;
        (void)gspi_tiles_find_part(p, op, of, &part, &padding);
        gspi_tiles_reduce(p->g, op, of, box, &part);
        ready[i] = gspi_tiles_take_part(p, p->at[of], &part);
        if (o->kind == GSP_TILE_OP) {
            ready[i] = gspi_tiles_put_padding(p, op, ready[i], &padding);
        }
    }
    p->at[op] = gspi_tiles_add_value(p, op, box, gspi_tiles_box_bytes(p->g, op, box));
    for (uint32_t i = 0; i < o->n_in; i++) {
        gspi_tiles_add_in(p, ready[i]);
    }
    gspi_tiles_set_padding(gspi_tiles_add_step(p, GSP_TILE_STEP_RUN, op, p->at[op]), &padding);
}

/* What a tile reads: all of the entry, or an input with its part alone. */
GSPI_TILES_OWN_FRAME void gspi_tiles_take_entry(gspi_tiles_plan *p)
{
    uint32_t const entry = p->r.entry;
    p->at[entry] = 0;
    if (entry == p->stream) {
        p->at[entry] = gspi_tiles_add_value(
            p, entry, &p->box[entry], gspi_tiles_box_bytes(p->g, entry, &p->box[entry]));
        gspi_tiles_add_step(p, GSP_TILE_STEP_INPUT, entry, p->at[entry])->is_cut = 1;
    }
}

/* Where a tile begins. Later ones are smaller by a row, since results of those before lie beside.
 */
static uint32_t gspi_tiles_begin_of(uint32_t rows, uint32_t parts, uint32_t tile)
{
    uint32_t const larger = rows % parts;
    return rows / parts * tile + (tile < larger ? tile : larger);
}

/* The value of a tile's result, or GSP_NONE. */
static uint32_t gspi_tiles_put_tile(gspi_tiles_plan *p)
{
    gsp_tile_box result;
    result = p->box[p->r.last];
    p->first_step = p->n_steps;
    if (!gspi_tiles_find_boxes(p)) {
        return GSP_NONE;
    }
    gspi_tiles_take_entry(p);
    for (uint32_t i = p->r.first; i <= p->r.last; i++) {
        if (p->g->ops[i].kind != GSP_TILE_NONE) {
            gspi_tiles_put_op(p, i);
        }
    }
    return gspi_tiles_take_part(p, p->at[p->r.last], &result);
}

/* The first of these values if there are no others, else all in one. */
static uint32_t gspi_tiles_put_concat(
    gspi_tiles_plan *p, const uint32_t *parts, uint32_t n, uint32_t axis)
{
    gsp_tile_box box;
    if (n == 1u) {
        return parts[0];
    }
    box = p->values[parts[0]].box;
    for (uint32_t i = 0; i < n; i++) {
        gspi_tiles_widen(&box, &p->values[parts[i]].box);
        gspi_tiles_add_in(p, parts[i]);
    }
    uint32_t const made =
        gspi_tiles_add_value(p, p->r.last, &box, gspi_tiles_box_bytes(p->g, p->r.last, &box));
    gspi_tiles_add_step(p, GSP_TILE_STEP_CONCAT, p->r.last, made)->axis = axis;
    return made;
}

/* The tiles of a band; 0 if one would read nothing but padding. */
static int gspi_tiles_put_band(gspi_tiles_plan *p, uint32_t y)
{
    const uint32_t *rows = p->g->values[p->r.last].rows;
    for (uint32_t x = 0; x < p->r.parts[1]; x++) {
        uint32_t const at[GSP_TILES_AXES] = {y, x};
        for (uint32_t a = 0; a < GSP_TILES_AXES; a++) {
            p->box[p->r.last].first[a] = gspi_tiles_begin_of(rows[a], p->r.parts[a], at[a]);
            p->box[p->r.last].end[a] = gspi_tiles_begin_of(rows[a], p->r.parts[a], at[a] + 1u);
        }
        p->tile = y * p->r.parts[1] + x;
        p->tiles[x] = gspi_tiles_put_tile(p);
        if (p->tiles[x] == GSP_NONE) {
            return 0;
        }
    }
    p->tile = GSP_NONE;
    p->bands[y] = gspi_tiles_put_concat(p, p->tiles, p->r.parts[1], 1u);
    return 1;
}

/* All steps of the region of a plan; 0 if a tile would read nothing but padding. */
GSPI_TILES_OWN_FRAME int gspi_tiles_expand(gspi_tiles_plan *p)
{
    const gsp_tile_value *entry = &p->g->values[p->r.entry];
    gsp_tile_box const all = {{0, 0}, {entry->rows[0], entry->rows[1]}};
    p->n_steps = p->n_values = p->n_ins = 0;
    (void)gspi_tiles_add_value(p, p->r.entry, &all, entry->bytes);
    for (uint32_t y = 0; y < p->r.parts[0]; y++) {
        if (!gspi_tiles_put_band(p, y)) {
            return 0;
        }
    }
    (void)gspi_tiles_put_concat(p, p->bands, p->r.parts[0], 0);
    return 1;
}

/* ---- What a region costs ---- */

/* A constant that an operator makes. */
static int gspi_tiles_is_made(const gsp_tiles_graph *g, uint32_t op)
{
    return g->ops[op].kind == GSP_TILE_NONE && g->ops[op].is_op != 0u &&
           g->values[op].tensor != GSP_NONE;
}

/* MACs of a part, to the nearest one. */
static uint64_t gspi_tiles_macs(const gsp_tiles_graph *g, uint32_t op, const gsp_tile_box *box)
{
    uint64_t const whole = (uint64_t)g->values[op].rows[0] * g->values[op].rows[1];
    uint64_t const part = (uint64_t)gspi_tiles_size(box, 0) * gspi_tiles_size(box, 1);
    uint64_t const macs = g->ops[op].macs;
    return macs / whole * part + (2u * (macs % whole) * part + whole) / (2u * whole);
}

/* MACs of all runs of a plan that are more than those of its region. */
static uint64_t gspi_tiles_again(const gspi_tiles_plan *p, uint64_t *once)
{
    uint64_t macs = 0;
    *once = 0;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const gsp_tile_step *s = &p->steps[i];
        if (s->kind == GSP_TILE_STEP_RUN) {
            macs += gspi_tiles_macs(p->g, s->op, &p->values[s->out].box);
        }
    }
    for (uint32_t i = p->r.first; i <= p->r.last; i++) {
        *once += p->g->ops[i].kind == GSP_TILE_NONE ? 0u : p->g->ops[i].macs;
    }
    return macs > *once ? macs - *once : 0u; /* rows that nothing reads are saved */
}

/* The steps of a plan: most bytes that live at once beside `outside`, and what they do more. */
static void gspi_tiles_measure(
    gspi_tiles_plan *p, uint64_t outside, int entry_stays, gsp_tile_cost *cost)
{
    const gsp_tiles_graph *g = p->g;
    uint64_t const entry =
        p->r.entry == p->stream ? 0u : gspi_tiles_round(g, gspi_tiles_tensor(g, p->r.entry)->bytes);
    uint64_t live = outside + entry;
    uint64_t once;
    gsp_tile_cost sum = {0, 0, 0, 0};
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const gsp_tile_step *s = &p->steps[i];
        const gsp_tile_part *out = &p->values[s->out];
        live += gspi_tiles_round(g, out->bytes);
        sum.peak = live > sum.peak ? live : sum.peak;
        sum.moved +=
            s->kind != GSP_TILE_STEP_RUN && s->kind != GSP_TILE_STEP_INPUT ? out->bytes : 0u;
        sum.steps += s->kind != GSP_TILE_STEP_INPUT ? 1u : 0u;
        for (uint32_t k = s->first_in; k < s->first_in + s->n_in; k++) {
            gsp_tile_part *v = &p->values[p->ins[k]];
            if (v->last == i && (p->ins[k] != 0u || !entry_stays)) {
                live -= p->ins[k] == 0u ? entry : gspi_tiles_round(g, v->bytes);
                v->last = UINT32_MAX; /* an operator may read it twice */
            }
        }
    }
    for (uint32_t i = p->r.first; i <= p->r.last; i++) {
        sum.steps += gspi_tiles_is_made(g, i) ? 1u : 0u;
    }
    sum.macs = gspi_tiles_again(p, &once);
    *cost = sum;
}

/* ---- What a region costs in a room ---- */

/* Steps of a tile begin here and end before the next one's, or a concatenation. */
static uint32_t gspi_tiles_end_of_tile(const gspi_tiles_plan *p, uint32_t begin)
{
    uint32_t end = begin;
    while (end < p->n_steps && p->steps[end].tile == p->steps[begin].tile) {
        end++;
    }
    return end;
}

/* A step that pads by a constant. */
static int gspi_tiles_is_padding(const gsp_tiles_graph *g, const gsp_tile_step *s)
{
    return (s->kind == GSP_TILE_STEP_PAD ||
               (s->kind == GSP_TILE_STEP_RUN && g->ops[s->op].kind == GSP_TILE_PADDING)) &&
           g->ops[s->op].padding != 0u;
}

static int gspi_tiles_pads_equal(const gsp_tile_step *a, const gsp_tile_step *b)
{
    return a->before[0] == b->before[0] && a->before[1] == b->before[1] &&
           a->after[0] == b->after[0] && a->after[1] == b->after[1];
}

/* Bytes of the constants of a step that no step before it in its tile has; of a slice at most. */
static uint64_t gspi_tiles_constants(const gspi_tiles_plan *p, uint32_t begin, uint32_t at)
{
    const gsp_tiles_graph *g = p->g;
    const gsp_tile_step *s = &p->steps[at];
    uint64_t padding = g->ops[s->op].padding;
    uint64_t filler = s->kind == GSP_TILE_STEP_PAD ? g->ops[s->op].filler : 0u;
    if (!gspi_tiles_is_padding(g, s)) {
        return s->kind == GSP_TILE_STEP_SLICE ? g->slice : 0u;
    }
    for (uint32_t i = begin; i < at; i++) {
        const gsp_tile_step *other = &p->steps[i];
        if (gspi_tiles_is_padding(g, other) && gspi_tiles_pads_equal(other, s)) {
            padding = 0;
        }
        filler = other->kind == GSP_TILE_STEP_PAD && g->ops[other->op].filler != 0u ? 0u : filler;
    }
    return padding + filler;
}

/* What a tile reads of the region's input: its cuts, or all of that. *last: the step that reads all
 * of it last. */
static uint64_t gspi_tiles_read(
    const gspi_tiles_plan *p, uint32_t begin, uint32_t end, uint32_t *last)
{
    uint64_t bytes = 0;
    *last = UINT32_MAX;
    for (uint32_t i = begin; i < end; i++) {
        const gsp_tile_step *s = &p->steps[i];
        bytes += s->is_cut ? p->values[s->out].bytes : 0u;
        for (uint32_t k = s->first_in; k < s->first_in + s->n_in && !s->is_cut; k++) {
            *last = p->ins[k] == 0u ? i : *last;
        }
    }
    return bytes + (*last != UINT32_MAX ? p->values[0].bytes : 0u);
}

/* Most bytes that live at once in a tile, whose input does from the beginning. */
static uint64_t gspi_tiles_peak(gspi_tiles_plan *p, uint32_t begin, uint32_t end)
{
    uint32_t last;
    uint64_t live = gspi_tiles_read(p, begin, end, &last);
    uint64_t peak = live;
    uint64_t constants = 0;
    for (uint32_t i = begin; i < end; i++) {
        const gsp_tile_step *s = &p->steps[i];
        if (s->is_cut) {
            continue;
        }
        constants += gspi_tiles_constants(p, begin, i);
        live += p->values[s->out].bytes;
        peak = live > peak ? live : peak;
        for (uint32_t k = s->first_in; k < s->first_in + s->n_in; k++) {
            uint32_t *ends = p->ins[k] == 0u ? &last : &p->values[p->ins[k]].last;
            if (*ends == i) {
                live -= p->values[p->ins[k]].bytes;
                *ends = UINT32_MAX; /* an operator may read it twice */
            }
        }
    }
    return peak + constants;
}

/* Bytes of the parameters of a region. */
static uint64_t gspi_tiles_weights(
    gspi_tiles_plan *p, const gsp_tile_room *room, uint32_t first, uint32_t last)
{
    uint32_t const end = room->begin[last + 1u];
    uint64_t bytes = 0;
    for (uint32_t i = room->begin[first]; i < end; i++) {
        p->at[room->weights[i]] = GSP_NONE; /* these values are in no tile */
    }
    for (uint32_t i = room->begin[first]; i < end; i++) {
        uint32_t *at = &p->at[room->weights[i]];
        bytes += *at == GSP_NONE ? p->g->values[room->weights[i]].bytes : 0u;
        *at = 0;
    }
    return bytes;
}

/* The largest tile, with parameters, and what all tiles read and yield. */
static void gspi_tiles_measure_room(
    gspi_tiles_plan *p, const gsp_tile_room *room, gsp_tile_cost *cost, uint64_t *once)
{
    uint32_t end;
    cost->peak = 0;
    cost->macs = gspi_tiles_again(p, once);
    cost->moved = p->g->values[p->r.last].bytes;
    cost->steps = p->r.parts[0] * p->r.parts[1];
    for (uint32_t begin = 0; begin < p->n_steps; begin = end) {
        end = gspi_tiles_end_of_tile(p, begin);
        if (p->steps[begin].tile != GSP_NONE) {
            uint32_t last;
            cost->moved += gspi_tiles_read(p, begin, end, &last);
            uint64_t const peak = gspi_tiles_peak(p, begin, end);
            cost->peak = peak > cost->peak ? peak : cost->peak;
        }
    }
    cost->peak += gspi_tiles_weights(p, room, p->r.first, p->r.last);
}

/* ---- Rows one by one ---- */

/* Whether an operator adds up the rows that it reads, of which it has read box[op].end[1]. */
static int gspi_tiles_adds(const gspi_tiles_plan *p, uint32_t op)
{
    const gsp_tile_op *o = &p->g->ops[op];
    return gspi_tiles_runs(o->kind) && o->sums != 0u && p->g->ins[o->first_in] >= p->r.first;
}

/* The next row that it adds. */
static uint64_t gspi_tiles_next_added(const gspi_tiles_plan *p, uint32_t op)
{
    uint64_t const first = (uint64_t)p->box[op].end[0] * p->g->ops[op].window[0].stride;
    return first > p->box[op].end[1] ? first : p->box[op].end[1];
}

/* The first row that an operator of a region reads next. */
static uint32_t gspi_tiles_next_row(const gspi_tiles_plan *p, uint32_t op, uint32_t rows)
{
    const gsp_tile_window *w = &p->g->ops[op].window[0];
    uint64_t const row = (uint64_t)p->box[op].end[0] * w->stride;
    uint64_t const at = w->factor != 0u ? row / w->factor : row;
    uint64_t const less = w->factor != 0u ? w->margin : w->before;
    uint64_t const first = gspi_tiles_adds(p, op) ? gspi_tiles_next_added(p, op)
                           : at > less            ? at - less
                                                  : 0u;
    return p->box[op].end[0] == p->g->values[op].rows[0] || first > rows ? rows : (uint32_t)first;
}

/* After a new row of a value: as many rows as its readers need from here on are kept. */
static void gspi_tiles_keep_rows(gspi_tiles_plan *p, uint32_t value)
{
    const gsp_tiles_graph *g = p->g;
    gsp_tile_box *box = &p->box[value];
    uint32_t least = box->end[0];
    for (uint32_t op = value + 1u; op <= p->r.last; op++) {
        const gsp_tile_op *o = &g->ops[op];
        for (uint32_t i = o->first_in; i < o->first_in + o->n_in; i++) {
            if (g->ins[i] == value) {
                uint32_t const next = gspi_tiles_next_row(p, op, g->values[value].rows[0]);
                least = next < least ? next : least;
            }
        }
    }
    least = box->end[0] - least;
    box->first[0] = least > box->first[0] ? least : box->first[0];
}

/* Rows of an input that an operator needs for its next row. */
static uint32_t gspi_tiles_needs(const gspi_tiles_plan *p, uint32_t op, uint32_t rows)
{
    const gsp_tile_window *w = &p->g->ops[op].window[0];
    uint32_t const row = p->box[op].end[0];
    int64_t const end = gspi_tiles_adds(p, op) ? (int64_t)gspi_tiles_next_added(p, op) + 1
                        : w->factor != 0u      ? (int64_t)(row / w->factor) + 1 + w->margin
                                               : (int64_t)row * w->stride - w->before + w->span;
    return gspi_tiles_clip(end, rows);
}

/* The value of which an operator lacks a row for its next one; GSP_NONE if it can run. */
static uint32_t gspi_tiles_lacks(const gspi_tiles_plan *p, uint32_t op)
{
    const gsp_tile_op *o = &p->g->ops[op];
    for (uint32_t i = o->first_in; i < o->first_in + o->n_in; i++) {
        uint32_t const of = p->g->ins[i];
        if (of >= p->r.first &&
            p->box[of].end[0] < gspi_tiles_needs(p, op, p->g->values[of].rows[0])) {
            return of;
        }
    }
    return GSP_NONE;
}

/* Computes a row, or adds one to the sums of it; with the last of these it is computed. */
static void gspi_tiles_make_row(gspi_tiles_plan *p, uint32_t op)
{
    gsp_tile_box *box = &p->box[op];
    if (gspi_tiles_adds(p, op)) {
        const gsp_tile_window *w = &p->g->ops[op].window[0];
        uint32_t const rows = p->g->values[p->g->ins[p->g->ops[op].first_in]].rows[0];
        int64_t const end = (int64_t)box->end[0] * w->stride + w->span;
        box->end[1] = gspi_tiles_clip((int64_t)gspi_tiles_next_added(p, op) + 1, rows);
        if (box->end[1] < gspi_tiles_clip(end, rows)) {
            return;
        }
    }
    box->end[0]++;
}

/* Computes each row when it is needed; box[i].first[0] is then how many rows of a value are kept.
 * Bytes of these rows, of sums, and of the largest scratch. */
GSPI_TILES_OWN_FRAME uint64_t gspi_tiles_roll(gspi_tiles_plan *p)
{
    const gsp_tiles_graph *g = p->g;
    uint64_t bytes = 0;
    uint64_t scratch = 0;
    for (uint32_t i = p->r.first; i <= p->r.last; i++) {
        p->box[i].first[0] = p->box[i].end[0] = p->box[i].end[1] = 0;
        scratch = g->ops[i].scratch > scratch ? g->ops[i].scratch : scratch;
    }
    while (p->box[p->r.last].end[0] < g->values[p->r.last].rows[0]) {
        uint32_t op = p->r.last;
        for (uint32_t next = op; next != GSP_NONE; next = gspi_tiles_lacks(p, op)) {
            op = next;
        }
        gspi_tiles_make_row(p, op);
        gspi_tiles_keep_rows(p, op);
    }
    for (uint32_t i = p->r.first; i <= p->r.last; i++) {
        bytes += gspi_tiles_adds(p, i) ? gspi_tiles_round(g, g->ops[i].sums) : 0u;
        if (i != p->r.last && g->ops[i].kind != GSP_TILE_NONE) {
            bytes +=
                gspi_tiles_round(g, g->values[i].bytes / g->values[i].rows[0] * p->box[i].first[0]);
        }
    }
    return bytes + gspi_tiles_round(g, scratch);
}

/* ---- Regions ---- */

typedef struct gspi_tiles { /* not on the stack */
    gspi_tiles_plan plan;
    const gsp_tiles_graph *g;
    gsp_tiles_desc d;
    uint64_t *live;         /* [n] bytes while an operator runs that is in no tile */
    gsp_tile_region *edges; /* [max_tilings] by first operator */
    uint32_t *edge_begin;   /* [n + 1] */
    uint32_t *from;         /* [n + 1] the edge that leads there, or GSP_NONE */
    gsp_tile_cost *best;    /* [n + 1] */
    uint32_t *across;       /* [n_tensors] live before the operator from which ranges begin */
    gsp_tile_point *points;
    gsp_tile_region *regions;
    uint32_t n_edges;
    uint32_t n_across;
    uint32_t n_regions;
    uint32_t first_edge; /* of a range */
    uint64_t outside;    /* bytes that live through it */
    uint64_t untiled;    /* bytes without tiles */
    int stays;           /* its entry is read later, too */
    uint64_t floor;      /* bytes that no tiles make less: of operators in none */
    uint64_t most;       /* of a room: bytes that are too many */
    uint64_t low;        /* of a room: its limit, if there are points within */
    uint64_t work;       /* of this search; above max_work it is over */
    const char *full;    /* the limit that is exceeded, or NULL */
    uint32_t limit;
    gsp_tiles_result r;
} gspi_tiles;

/* A range of operators with one entry, or a source, and one exit; 0 if it has others. */
static int gspi_tiles_is_region(const gspi_tiles *w, gsp_tile_region *r)
{
    gsp_detail detail;
    return gspi_tiles_breach(w->g, r, &detail) == GSP_NONE;
}

/* Bytes that live before and through a region, but its entry. All constants that it reads do. */
static uint64_t gspi_tiles_across(const gspi_tiles *w, const gsp_tile_region *r)
{
    const gsp_tiles_graph *g = w->g;
    uint32_t const entry = r->entry != GSP_NONE ? g->values[r->entry].tensor : GSP_NONE;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < w->n_across; i++) {
        bytes += w->across[i] != entry ? gspi_tiles_round(g, g->tensors[w->across[i]].bytes) : 0u;
    }
    for (uint32_t i = r->first; i <= r->last; i++) {
        if (gspi_tiles_is_made(g, i)) {
            bytes += gspi_tiles_round(g, gspi_tiles_tensor(g, i)->bytes);
        }
    }
    return bytes;
}

static void gspi_tiles_find_across(gspi_tiles *w, uint32_t first)
{
    const gsp_tiles_graph *g = w->g;
    uint32_t const stream = w->plan.stream;
    uint32_t const comes = stream != GSP_NONE ? g->values[stream].tensor : GSP_NONE;
    w->n_across = 0;
    for (uint32_t i = 0; i < g->n_tensors; i++) {
        if (i != comes && g->tensors[i].begin < first && g->tensors[i].end >= first) {
            w->across[w->n_across++] = i;
        }
    }
}

static int gspi_tiles_is_less(const gspi_tiles *w, const gsp_tile_cost *a, const gsp_tile_cost *b)
{
    if (w->d.room != NULL && a->moved != b->moved) {
        return a->moved < b->moved;
    }
    return a->macs != b->macs     ? a->macs < b->macs
           : a->moved != b->moved ? a->moved < b->moved
                                  : a->steps < b->steps;
}

/* Ends the search, which needs more than a limit of the desc. */
static void gspi_tiles_end(gspi_tiles *w, const char *field, uint32_t limit)
{
    w->full = field;
    w->limit = limit;
}

/* Adds a region, unless another with the same operators is as good. */
static void gspi_tiles_add_edge(gspi_tiles *w, const gsp_tile_region *r)
{
    for (uint32_t i = w->first_edge; i < w->n_edges; i++) {
        const gsp_tile_cost *other = &w->edges[i].cost;
        if (other->peak <= r->cost.peak && !gspi_tiles_is_less(w, &r->cost, other)) {
            return;
        }
    }
    if (w->n_edges == w->d.max_tilings) {
        gspi_tiles_end(w, GSPI_TILES_FIELD("max_tilings"), w->d.max_tilings);
        return;
    }
    w->edges[w->n_edges++] = *r;
}

/* A range of operators row by row, if that needs less. */
GSPI_TILES_OWN_FRAME void gspi_tiles_try_rows(gspi_tiles *w)
{
    const gsp_tiles_graph *g = w->g;
    gsp_tile_region *r = &w->plan.r;
    gsp_tile_cost cost = {0, 0, 0, 1};
    for (uint32_t i = r->first; i <= r->last; i++) {
        w->work += (uint64_t)g->values[i].rows[0] * (r->last - r->first + 1u) / GSPI_TILES_LINE;
    }
    if (w->work > w->d.max_work) {
        return;
    }
    cost.peak = w->outside + gspi_tiles_round(g, g->values[r->last].bytes);
    if (r->entry != GSP_NONE) {
        cost.peak += gspi_tiles_round(g, gspi_tiles_tensor(g, r->entry)->bytes);
    }
    cost.peak += gspi_tiles_roll(&w->plan);
    r->cost = cost;
    if (cost.peak < w->untiled) {
        gspi_tiles_add_edge(w, r);
    }
}

static uint32_t gspi_tiles_most_parts(const gspi_tiles *w, uint32_t axis)
{
    uint32_t const rows = w->g->values[w->plan.r.last].rows[axis];
    return rows < GSP_TILES_PARTS ? rows : GSP_TILES_PARTS;
}

static int gspi_tiles_is_grid(const uint32_t *parts)
{
    return parts[0] == 1u || parts[1] == 1u || parts[0] * parts[1] <= GSP_TILES_GRID;
}

/* Adds a tiling whose tiles take less than is too much. */
static void gspi_tiles_try_room(gspi_tiles *w)
{
    const gsp_tile_room *room = w->d.room;
    gsp_tile_region *r = &w->plan.r;
    uint64_t const most = w->untiled < w->most ? w->untiled : w->most;
    uint64_t once;
    gspi_tiles_measure_room(&w->plan, room, &r->cost, &once);
    uint64_t const rate = room->again < GSPI_TILES_AGAIN ? room->again : GSPI_TILES_AGAIN;
    uint64_t const again = once / 1000000u * rate + once % 1000000u * rate / 1000000u;
    if (r->cost.peak < most && r->cost.macs <= again) {
        gspi_tiles_add_edge(w, r);
    }
}

/* Adds a tiling that is in the plan. */
GSPI_TILES_OWN_FRAME void gspi_tiles_try_tiling(gspi_tiles *w)
{
    gsp_tile_region *r = &w->plan.r;
    if (w->d.room != NULL) {
        gspi_tiles_try_room(w);
        return;
    }
    gspi_tiles_measure(&w->plan, w->outside, w->stays, &r->cost);
    if (r->cost.peak < w->untiled) {
        gspi_tiles_add_edge(w, r);
    }
}

static void gspi_tiles_try_tilings(gspi_tiles *w)
{
    uint32_t *parts = w->plan.r.parts;
    for (parts[1] = 1; parts[1] <= gspi_tiles_most_parts(w, 1u); parts[1]++) {
        for (parts[0] = 1; parts[0] <= gspi_tiles_most_parts(w, 0); parts[0]++) {
            if (parts[0] * parts[1] > 1u && gspi_tiles_is_grid(parts)) {
                int const is_possible = gspi_tiles_expand(&w->plan);
                w->work += w->plan.n_steps + 1u;
                if (is_possible) {
                    gspi_tiles_try_tiling(w);
                }
            }
        }
    }
}

/* 1 once no more regions are tried. */
static int gspi_tiles_is_over(gspi_tiles *w)
{
    if (w->d.progress != NULL && w->r.stopped == 0u &&
        w->d.progress(w->d.progress_user, w->r.work + w->work) != 0) {
        w->r.stopped = 1;
    }
    return w->r.stopped != 0u || w->full != NULL || w->work > w->d.max_work;
}

/* All tilings of a range of operators that need less than the range without tiles. */
static void gspi_tiles_try_range(gspi_tiles *w, uint32_t first, uint32_t last)
{
    const gsp_tiles_graph *g = w->g;
    gsp_tile_region const r = {first, last, GSP_NONE, {1, 1}, {0, 0, 0, 0}};
    w->plan.r = r;
    if (w->untiled <= w->floor || gspi_tiles_is_over(w) || !gspi_tiles_is_region(w, &w->plan.r)) {
        return;
    }
    w->first_edge = w->n_edges;
    w->outside = w->d.room != NULL ? 0u : gspi_tiles_across(w, &w->plan.r);
    if (w->d.by_rows) {
        gspi_tiles_try_rows(w);
        return;
    }
    uint32_t const entry = w->plan.r.entry;
    w->stays = gspi_tiles_tensor(g, entry)->end > last;
    if (w->stays && entry == w->plan.stream) {
        return;
    }
    uint64_t const least =
        2u * g->values[last].bytes + (w->stays ? gspi_tiles_tensor(g, entry)->bytes : 0u);
    if (w->d.room != NULL
            ? gspi_tiles_weights(&w->plan, w->d.room, first, last) <= w->d.room->params
            : w->outside + least < w->untiled) {
        gspi_tiles_try_tilings(w);
    }
}

/* Steps that may be in one region: of a room those of one accelerator. */
static int gspi_tiles_is_beside(const gspi_tiles *w, uint32_t first, uint32_t last)
{
    uint32_t const kind = w->g->ops[last].kind;
    const gsp_tile_room *room = w->d.room;
    return kind == GSP_TILE_NONE ||
           ((gspi_tiles_runs(kind) || (kind == GSP_TILE_SOURCE && w->d.by_rows)) &&
               (room == NULL || room->kind[first] == room->kind[last]));
}

/* Whether a region may begin and end there, if one is given. */
static int gspi_tiles_may_be(const gspi_tiles *w, uint32_t first, uint32_t last)
{
    return w->d.only == NULL || (first == w->d.only->first && last == w->d.only->last);
}

static void gspi_tiles_find_edges(gspi_tiles *w)
{
    const gsp_tiles_graph *g = w->g;
    for (uint32_t first = 0; first < g->n; first++) {
        uint32_t n_ops = 0;
        w->edge_begin[first] = w->n_edges;
        if (g->ops[first].kind == GSP_TILE_NONE || !gspi_tiles_is_beside(w, first, first)) {
            continue;
        }
        w->untiled = 0;
        gspi_tiles_find_across(w, first);
        for (uint32_t last = first;
             last < g->n && n_ops < GSP_TILES_OPS && gspi_tiles_is_beside(w, first, last); last++) {
            w->untiled = w->live[last] > w->untiled ? w->live[last] : w->untiled;
            n_ops += g->ops[last].kind != GSP_TILE_NONE ? 1u : 0u;
            if (g->ops[last].kind != GSP_TILE_NONE && gspi_tiles_may_be(w, first, last)) {
                gspi_tiles_try_range(w, first, last);
            }
        }
    }
    w->edge_begin[g->n] = w->n_edges;
}

static void gspi_tiles_find_regions(gspi_tiles *w)
{
    const gsp_tiles_graph *g = w->g;
    w->n_edges = 0;
    w->floor = w->low; /* what is within needs no tiles */
    for (uint32_t i = 0; i < g->n; i++) {
        uint64_t const bytes = g->ops[i].kind == GSP_TILE_FIXED ? w->live[i] : 0u;
        w->floor = bytes > w->floor ? bytes : w->floor;
    }
    gspi_tiles_find_edges(w);
    w->r.complete = w->work <= w->d.max_work && w->r.stopped == 0u;
}

/* ---- The curve ---- */

static void gspi_tiles_relax(
    gspi_tiles *w, uint32_t from, uint32_t to, uint32_t by, const gsp_tile_cost *cost)
{
    gsp_tile_cost sum = w->best[from];
    sum.macs += cost->macs;
    sum.moved += cost->moved;
    sum.steps += cost->steps;
    sum.peak = cost->peak > sum.peak ? cost->peak : sum.peak;
    if (w->best[to].steps == UINT32_MAX || gspi_tiles_is_less(w, &sum, &w->best[to])) {
        w->best[to] = sum;
        w->from[to] = by;
    }
}

/* The tiling with the fewest extra MACs of those below a peak; 0 if there is none. */
GSPI_TILES_OWN_FRAME int gspi_tiles_find_path(gspi_tiles *w, uint64_t below)
{
    const gsp_tiles_graph *g = w->g;
    gsp_tile_cost const none = {0, 0, 0, UINT32_MAX};
    for (uint32_t at = 0; at <= g->n; at++) {
        w->best[at] = none;
    }
    w->best[0].steps = 0;
    for (uint32_t at = 0; at < g->n; at++) {
        gsp_tile_cost const plain = {w->live[at], 0, 0, g->ops[at].is_op != 0u ? 1u : 0u};
        if (w->best[at].steps == UINT32_MAX) {
            continue;
        }
        if (plain.peak < below) {
            gspi_tiles_relax(w, at, at + 1u, GSP_NONE, &plain);
        }
        for (uint32_t i = w->edge_begin[at]; i < w->edge_begin[at + 1u]; i++) {
            if (w->edges[i].cost.peak < below) {
                gspi_tiles_relax(w, at, w->edges[i].last + 1u, i, &w->edges[i].cost);
            }
        }
    }
    return w->best[g->n].steps != UINT32_MAX && w->best[g->n].peak < below;
}

/* The region by which the path comes to a step, or NULL; *before: where that begins. */
static const gsp_tile_region *gspi_tiles_step_back(
    const gspi_tiles *w, uint32_t at, uint32_t *before)
{
    const gsp_tile_region *e = w->from[at] == GSP_NONE ? NULL : &w->edges[w->from[at]];
    *before = e == NULL ? at - 1u : e->first;
    return e;
}

/* The path as a point of the curve; 0 if a limit leaves no room. */
static int gspi_tiles_add_point(gspi_tiles *w)
{
    gsp_tile_point p = {w->best[w->g->n], NULL, 0, 0};
    uint32_t before;
    for (uint32_t at = w->g->n; at > 0u; at = before) {
        const gsp_tile_region *e = gspi_tiles_step_back(w, at, &before);
        if ((e == NULL ? w->live[before] : e->cost.peak) == p.cost.peak) {
            p.busiest = before;
        }
        p.n_regions += e != NULL ? 1u : 0u;
    }
    if (w->r.n_points == w->d.max_points) {
        gspi_tiles_end(w, GSPI_TILES_FIELD("max_points"), w->d.max_points);
        return 0;
    }
    if (p.n_regions > w->d.max_regions - w->n_regions) {
        gspi_tiles_end(w, GSPI_TILES_FIELD("max_regions"), w->d.max_regions);
        return 0;
    }
    p.regions = w->regions + w->n_regions;
    w->n_regions += p.n_regions;
    uint32_t end = w->n_regions;
    for (uint32_t at = w->g->n; at > 0u; at = before) {
        const gsp_tile_region *e = gspi_tiles_step_back(w, at, &before);
        if (e != NULL) {
            w->regions[--end] = *e;
        }
    }
    w->points[w->r.n_points++] = p;
    return 1;
}

/* Bytes that live while each step runs. */
static void gspi_tiles_find_live(gspi_tiles *w)
{
    const gsp_tiles_graph *g = w->g;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        w->live[i] = 0;
    }
    for (uint32_t i = 0; i < g->n_tensors; i++) {
        const gsp_tensor *t = &g->tensors[i];
        uint64_t const more = gspi_tiles_round(g, t->bytes);
        if (t->begin < g->n) {
            w->live[t->begin] += more;
        }
        if ((uint64_t)t->end + 1u < g->n) {
            w->live[t->end + 1u] -= more;
        }
    }
    for (uint32_t i = 0; i < g->n; i++) {
        bytes += w->live[i];
        w->live[i] = bytes;
    }
}

/* From here on an input takes no memory, and no operator reads it as a whole. */
static void gspi_tiles_cut_input(gspi_tiles *w, uint32_t input)
{
    const gsp_tiles_graph *g = w->g;
    const gsp_tensor *t = gspi_tiles_tensor(g, input);
    uint64_t const bytes = gspi_tiles_round(g, t->bytes);
    for (uint32_t i = t->begin; i <= t->end && i < g->n; i++) {
        const gsp_tile_op *o = &g->ops[i];
        w->live[i] -= w->live[i] != UINT64_MAX ? bytes : 0u;
        for (uint32_t k = o->first_in; k < o->first_in + o->n_in; k++) {
            w->live[i] = g->ins[k] == input ? UINT64_MAX : w->live[i];
        }
    }
}

/* Points of ever smaller peaks from one below that on; with many tilings not all of them. */
static void gspi_tiles_add_points(gspi_tiles *w, uint64_t below, int is_fine)
{
    while (gspi_tiles_find_path(w, below) && gspi_tiles_add_point(w)) {
        below = w->points[w->r.n_points - 1u].cost.peak;
        if (!is_fine && w->n_edges > GSPI_TILES_MANY) {
            below -= below / 64u;
            w->r.complete = 0;
        }
    }
}

static void gspi_tiles_search(gspi_tiles *w)
{
    uint32_t const stream = w->plan.stream;
    if (stream != GSP_NONE) {
        (void)gspi_tiles_find_path(w, UINT64_MAX); /* without tiles */
        (void)gspi_tiles_add_point(w);
        gspi_tiles_cut_input(w, stream);
    }
    gspi_tiles_find_regions(w);
    gspi_tiles_add_points(w, UINT64_MAX, 0);
}

static void gspi_tiles_search_rows(gspi_tiles *w)
{
    const gsp_tiles_graph *g = w->g;
    uint64_t below = UINT64_MAX;
    for (uint32_t i = 0; i < g->n; i++) {
        if (g->ops[i].kind == GSP_TILE_SOURCE) {
            gspi_tiles_cut_input(w, i);
            w->live[i] = UINT64_MAX;
        }
    }
    if (gspi_tiles_find_path(w, below)) { /* no regions yet */
        below = w->best[g->n].peak;
        (void)gspi_tiles_add_point(w);
    }
    gspi_tiles_find_regions(w);
    gspi_tiles_add_points(w, below, 1);
}

/* The point of the fewest bytes moved within the limit, or that of the least peak. */
static void gspi_tiles_search_room(gspi_tiles *w)
{
    const gsp_tile_room *room = w->d.room;
    uint64_t below = room->limit < UINT64_MAX ? room->limit + 1u : UINT64_MAX;
    w->most = below;
    w->low = room->limit < UINT64_MAX ? room->limit : 0u;
    gspi_tiles_find_regions(w);
    if (gspi_tiles_find_path(w, below)) {
        w->r.fits = (uint32_t)gspi_tiles_add_point(w);
        return;
    }
    w->r.work += w->work;
    w->work = 0;
    w->low = 0;
    w->most = below = UINT64_MAX;
    gspi_tiles_find_regions(w);
    while (gspi_tiles_find_path(w, below)) {
        w->r.n_points = w->n_regions = 0;
        if (!gspi_tiles_add_point(w)) {
            return;
        }
        below = w->points[0].cost.peak;
    }
}

/* ---- Layout ---- */

/* A layout pushes all arrays; without an arena it measures them. */
typedef struct gspi_tiles_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_tiles_bump;

GSPI_TILES_OWN_FRAME void *gspi_tiles_push(
    gspi_tiles_bump *b, uint64_t count, size_t size, int high)
{
    b->used += (count * size + (GSP_GAP + GSP_ALIGN - 1u)) & ~((uint64_t)GSP_ALIGN - 1u);
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint32_t *gspi_tiles_words(gspi_tiles_bump *b, uint64_t count, int high)
{
    return (uint32_t *)gspi_tiles_push(b, count, sizeof(uint32_t), high);
}

static size_t gspi_tiles_bound_of(const gspi_tiles_bump *b)
{
    return b->used < SIZE_MAX ? (size_t)b->used : SIZE_MAX;
}

/* What an operator may have in a tile: a run, and a slice and a padding per input. */
typedef struct gspi_tiles_need {
    uint64_t steps;
    uint64_t ins;
} gspi_tiles_need;

static void gspi_tiles_count(const gsp_tiles_graph *g, uint32_t v, gspi_tiles_need *n, int more)
{
    if (g->ops[v].kind != GSP_TILE_NONE) {
        uint64_t const ins = g->ops[v].n_in;
        n->steps = more ? n->steps + (2u * ins + 1u) : n->steps - (2u * ins + 1u);
        n->ins = more ? n->ins + 3u * ins : n->ins - 3u * ins;
    }
}

/* All tiles, with an input and a slice of the result each, and concatenations. */
static void gspi_tiles_times(gspi_tiles_need *n, uint32_t tiles, uint32_t bands)
{
    n->steps = (n->steps + 2u) * tiles + bands + 1u;
    n->ins = (n->ins + 1u) * tiles + tiles + bands;
}

/* The most that a region of the search may have. */
static void gspi_tiles_most(const gsp_tiles_graph *g, gspi_tiles_need *most)
{
    gspi_tiles_need now = {0, 0};
    uint32_t first = 0;
    uint32_t n = 0;
    most->steps = most->ins = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        gspi_tiles_count(g, v, &now, 1);
        n += g->ops[v].kind != GSP_TILE_NONE ? 1u : 0u;
        for (; n > GSP_TILES_OPS; first++) {
            gspi_tiles_count(g, first, &now, 0);
            n -= g->ops[first].kind != GSP_TILE_NONE ? 1u : 0u;
        }
        most->steps = now.steps > most->steps ? now.steps : most->steps;
        most->ins = now.ins > most->ins ? now.ins : most->ins;
    }
    gspi_tiles_times(most, GSP_TILES_GRID, GSP_TILES_PARTS);
}

/* All arrays of a run. */
typedef struct gspi_tiles_arrays {
    gsp_tile_point *points;
    gsp_tile_region *regions;
    gsp_tile_step *steps;
    gsp_tile_part *values;
    uint32_t *ins;
    gsp_tile_box *box;
    uint32_t *at;
    gsp_tile_region *edges;
    uint64_t *live;
    gsp_tile_cost *best;
    uint32_t *edge_begin;
    uint32_t *from;
    uint32_t *across;
} gspi_tiles_arrays;

static void gspi_tiles_layout_plan(gspi_tiles_bump *b, gspi_tiles_arrays *a,
    const gsp_tiles_graph *g, const gspi_tiles_need *n, int high)
{
    a->steps = (gsp_tile_step *)gspi_tiles_push(b, n->steps, sizeof(gsp_tile_step), high);
    a->values = (gsp_tile_part *)gspi_tiles_push(b, n->steps + 1u, sizeof(gsp_tile_part), high);
    a->ins = gspi_tiles_words(b, n->ins, high);
    a->box = (gsp_tile_box *)gspi_tiles_push(b, g->n, sizeof(gsp_tile_box), 1);
    a->at = gspi_tiles_words(b, g->n, 1);
}

static void gspi_tiles_set_plan(
    gspi_tiles_plan *p, const gsp_tiles_graph *g, const gspi_tiles_arrays *a)
{
    p->g = g;
    p->steps = a->steps;
    p->values = a->values;
    p->ins = a->ins;
    p->box = a->box;
    p->at = a->at;
    p->n_steps = p->n_values = p->n_ins = 0;
    p->stream = g->stream;
}

/* The desc with its defaults. */
static gsp_tiles_desc gspi_tiles_wanted(const gsp_tiles_desc *desc)
{
    gsp_tiles_desc d = {0, 0, NULL, NULL, 0, 0, 0, 0, NULL, NULL, 0};
    d = desc != NULL ? *desc : d;
    d.max_tilings = d.max_tilings != 0u ? d.max_tilings : GSP_TILES_TILINGS;
    d.max_points = d.max_points != 0u ? d.max_points : GSP_TILES_POINTS;
    d.max_regions = d.max_regions != 0u ? d.max_regions : GSP_TILES_REGIONS;
    d.max_work = d.max_work != 0u ? d.max_work : GSP_TILES_WORK;
    return d;
}

/* The results first; they stay. */
GSPI_TILES_OWN_FRAME void gspi_tiles_layout(
    gspi_tiles_bump *b, gspi_tiles_arrays *a, const gsp_tiles_graph *g, const gsp_tiles_desc *d)
{
    uint64_t const n = (uint64_t)g->n + 1u;
    gspi_tiles_need need = {0, 0};
    if (!d->by_rows) {
        gspi_tiles_most(g, &need);
    }
    a->points = (gsp_tile_point *)gspi_tiles_push(b, d->max_points, sizeof(gsp_tile_point), 0);
    a->regions = (gsp_tile_region *)gspi_tiles_push(b, d->max_regions, sizeof(gsp_tile_region), 0);
    gspi_tiles_layout_plan(b, a, g, &need, 1);
    a->edges = (gsp_tile_region *)gspi_tiles_push(b, d->max_tilings, sizeof(gsp_tile_region), 1);
    a->live = (uint64_t *)gspi_tiles_push(b, n, sizeof(uint64_t), 1);
    a->best = (gsp_tile_cost *)gspi_tiles_push(b, n, sizeof(gsp_tile_cost), 1);
    a->edge_begin = gspi_tiles_words(b, n, 1);
    a->from = gspi_tiles_words(b, n, 1);
    a->across = gspi_tiles_words(b, g->n_tensors, 1);
}

size_t gsp_tiles_bound(const gsp_tiles_graph *graph, const gsp_tiles_desc *desc)
{
    gspi_tiles_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gspi_tiles_arrays a;
    if (graph == NULL || gspi_tiles_missing(graph) != NULL) {
        return SIZE_MAX;
    }
    gsp_tiles_desc const d = gspi_tiles_wanted(desc);
    (void)gspi_tiles_push(&b, 1, sizeof(gspi_tiles), 1);
    gspi_tiles_layout(&b, &a, graph, &d);
    return gspi_tiles_bound_of(&b);
}

/* ---- The search ---- */

/* The arrays of a room, and what they say; the field at fault, or NULL. */
static const char *gspi_tiles_wrong_room(const gsp_tiles_graph *g, const gsp_tile_room *room)
{
    uint64_t bytes = 0;
    if (g->n != 0u && (room->kind == NULL || room->alone == NULL || room->begin == NULL)) {
        return GSPI_TILES_FIELD("room");
    }
    for (uint32_t v = 0; v < g->n; v++) {
        if (room->begin[v + 1u] < room->begin[v]) {
            return GSPI_TILES_FIELD("begin");
        }
    }
    uint32_t const first = g->n != 0u ? room->begin[0] : 0u;
    uint32_t const end = g->n != 0u ? room->begin[g->n] : 0u;
    if (end != first && room->weights == NULL) {
        return GSPI_TILES_FIELD("weights");
    }
    for (uint32_t k = first; k < end; k++) {
        uint32_t const v = room->weights[k];
        if (v >= g->n || g->ops[v].kind != GSP_TILE_NONE ||
            !gspi_tiles_add(&bytes, g->values[v].bytes)) {
            return GSPI_TILES_FIELD("weights");
        }
    }
    return NULL;
}

GSPI_TILES_OWN_FRAME gsp_status gspi_tiles_check_desc(
    const gsp_tiles_graph *g, const gsp_tiles_desc *d, gsp_error *err)
{
    const char *field;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_tiles_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_NONE, "");
    }
    if (d->by_rows > 1u || (d->by_rows && d->room != NULL)) {
        field = GSPI_TILES_FIELD("by_rows");
        return gspi_tiles_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CHOICE, GSP_NONE, field);
    }
    if (d->only != NULL && (d->only->first > d->only->last || d->only->last >= g->n)) {
        field = GSPI_TILES_FIELD("only");
        return gspi_tiles_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE, field);
    }
    field = d->room != NULL ? gspi_tiles_wrong_room(g, d->room) : NULL;
    return field != NULL ? gspi_tiles_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE, field)
                         : GSP_OK;
}

/* A workspace in the arena; *low is the end of the results, which stay. */
GSPI_TILES_OWN_FRAME gspi_tiles *gspi_tiles_make(
    gsp_arena *arena, const gsp_tiles_graph *g, const gsp_tiles_desc *d, size_t *low)
{
    gspi_tiles_bump b = {arena, 0u};
    gspi_tiles_arrays a;
    gsp_tiles_result const none = {NULL, 0, 0, 0, 0, 0};
    gspi_tiles *w = (gspi_tiles *)gspi_tiles_push(&b, 1, sizeof(gspi_tiles), 1);
    gspi_tiles_layout(&b, &a, g, d);
    gspi_tiles_set_plan(&w->plan, g, &a);
    w->g = g;
    w->d = *d;
    w->points = a.points;
    w->regions = a.regions;
    w->edges = a.edges;
    w->live = a.live;
    w->best = a.best;
    w->edge_begin = a.edge_begin;
    w->from = a.from;
    w->across = a.across;
    w->n_edges = w->n_regions = 0;
    w->low = w->work = 0;
    w->most = UINT64_MAX;
    w->full = NULL;
    w->r = none;
    w->r.points = a.points;
    *low = gsp_arena_mark(arena).low;
    return w;
}

GSPI_TILES_OWN_FRAME void gspi_tiles_run(gspi_tiles *w)
{
    const gsp_tile_room *room = w->d.room;
    w->plan.stream = w->d.by_rows ? GSP_NONE : w->plan.stream;
    gspi_tiles_find_live(w);
    for (uint32_t i = 0; i < w->g->n; i++) {
        w->live[i] = room != NULL ? room->alone[i] : w->live[i];
        w->edge_begin[i] = 0;
    }
    w->edge_begin[w->g->n] = 0;
    if (w->d.by_rows) {
        gspi_tiles_search_rows(w);
    } else if (room != NULL) {
        gspi_tiles_search_room(w);
    } else {
        gspi_tiles_search(w);
    }
    w->r.work += w->work;
}

/* Checks of a pass; field: another argument that is missing, or NULL. */
static gsp_status gspi_tiles_arguments(
    const gsp_tiles_graph *graph, const char *field, gsp_error *err)
{
    field = field == NULL && graph == NULL ? GSPI_TILES_FIELD("graph") : field;
    return field != NULL
               ? gspi_tiles_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, GSP_NONE, field)
               : gspi_tiles_given(graph, err);
}

static gsp_status gspi_tiles_room_for(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    if (GSPI_TILES_NEVER(bound == SIZE_MAX)) {
        return gspi_tiles_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE, "");
    }
    return gsp_arena_left(arena) < bound
               ? gspi_tiles_short(
                     err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, bound, gsp_arena_left(arena))
               : gspi_tiles_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, "");
}

gsp_status gsp_tiles_run(gsp_arena *arena, const gsp_tiles_graph *graph, const gsp_tiles_desc *desc,
    gsp_tiles_result *result, gsp_error *err)
{
    const char *missing = result == NULL ? GSPI_TILES_FIELD("result") : NULL;
    missing = arena == NULL ? GSPI_TILES_FIELD("arena") : missing;
    gsp_status status = gspi_tiles_arguments(graph, missing, err);
    if (status != GSP_OK) {
        return status;
    }
    gsp_tiles_desc const d = gspi_tiles_wanted(desc);
    status = gspi_tiles_check_desc(graph, &d, err);
    status =
        status == GSP_OK ? gspi_tiles_room_for(arena, gsp_tiles_bound(graph, &d), err) : status;
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_mark const start = mark;
    gspi_tiles *w = gspi_tiles_make(arena, graph, &d, &mark.low);
    gspi_tiles_run(w);
    if (w->full != NULL) {
        const char *full = w->full;
        (void)gspi_tiles_short(
            err, GSP_STATUS_LIMIT, GSP_DETAIL_WORK, (uint64_t)w->limit + 1u, w->limit);
        if (err != NULL) {
            err->field = full;
        }
        gsp_arena_rewind(arena, start);
        return GSP_STATUS_LIMIT;
    }
    *result = w->r;
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

/* ---- A region by itself ---- */

static int gspi_tiles_is_range(const gsp_tiles_graph *g, const gsp_tile_region *r)
{
    return r->first <= r->last && r->last < g->n;
}

/* Checks of a pass over a region, whose entry it sets. */
GSPI_TILES_OWN_FRAME gsp_status gspi_tiles_enter(
    const gsp_tiles_graph *g, gsp_tile_region *r, gsp_error *err)
{
    gsp_detail detail = GSP_DETAIL_RANGE;
    if (!gspi_tiles_is_range(g, r)) {
        return gspi_tiles_fail(err, GSP_STATUS_ARG, detail, GSP_NONE, GSPI_TILES_FIELD("region"));
    }
    if (g->ops[r->first].kind == GSP_TILE_NONE || g->ops[r->last].kind == GSP_TILE_NONE) {
        uint32_t const end = g->ops[r->first].kind == GSP_TILE_NONE ? r->first : r->last;
        return gspi_tiles_fail(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, end, "");
    }
    uint32_t const step = gspi_tiles_breach(g, r, &detail);
    return step != GSP_NONE ? gspi_tiles_fail(err, GSP_STATUS_ARG, detail, step, "")
                            : gspi_tiles_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE, "");
}

gsp_status gsp_tile_region_run(
    const gsp_tiles_graph *graph, gsp_tile_region *region, gsp_error *err)
{
    gsp_status const status =
        gspi_tiles_arguments(graph, region == NULL ? GSPI_TILES_FIELD("region") : NULL, err);
    return status == GSP_OK ? gspi_tiles_enter(graph, region, err) : status;
}

/* As many tiles as a region may have. */
static int gspi_tiles_are_parts(const uint32_t *parts)
{
    return parts[0] - 1u < GSP_TILES_PARTS && parts[1] - 1u < GSP_TILES_PARTS &&
           gspi_tiles_is_grid(parts);
}

/* All steps of a region in this many tiles. */
static gspi_tiles_need gspi_tiles_need_of(const gsp_tiles_graph *g, const gsp_tile_region *r)
{
    gspi_tiles_need n = {0, 0};
    for (uint32_t v = r->first; v <= r->last; v++) {
        gspi_tiles_count(g, v, &n, 1);
    }
    gspi_tiles_times(&n, r->parts[0] * r->parts[1], r->parts[0]);
    return n;
}

size_t gsp_tile_plan_bound(const gsp_tiles_graph *graph, const gsp_tile_region *region)
{
    gspi_tiles_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gspi_tiles_arrays a;
    if (graph == NULL || region == NULL || gspi_tiles_missing(graph) != NULL ||
        !gspi_tiles_is_range(graph, region) || !gspi_tiles_are_parts(region->parts)) {
        return SIZE_MAX;
    }
    gspi_tiles_need const n = gspi_tiles_need_of(graph, region);
    (void)gspi_tiles_push(&b, 1, sizeof(gspi_tiles_plan), 1);
    gspi_tiles_layout_plan(&b, &a, graph, &n, 0);
    return gspi_tiles_bound_of(&b);
}

/* A plan of a region in the arena; *low is the end of what stays. */
GSPI_TILES_OWN_FRAME gspi_tiles_plan *gspi_tiles_make_plan(
    gsp_arena *arena, const gsp_tiles_graph *g, const gsp_tile_region *r, size_t *low)
{
    gspi_tiles_bump b = {arena, 0u};
    gspi_tiles_arrays a;
    gspi_tiles_need const n = gspi_tiles_need_of(g, r);
    gspi_tiles_plan *p = (gspi_tiles_plan *)gspi_tiles_push(&b, 1, sizeof(gspi_tiles_plan), 1);
    gspi_tiles_layout_plan(&b, &a, g, &n, 0);
    gspi_tiles_set_plan(p, g, &a);
    p->r = *r;
    *low = gsp_arena_mark(arena).low;
    return p;
}

/* The region, whose parts are within its result; sets its entry. */
static gsp_status gspi_tiles_enter_parts(
    const gsp_tiles_graph *g, gsp_tile_region *r, gsp_error *err)
{
    gsp_status const status = gspi_tiles_enter(g, r, err);
    const char *field = GSPI_TILES_FIELD("region");
    for (uint32_t v = r->first; status == GSP_OK && v <= r->last; v++) {
        if (g->ops[v].kind == GSP_TILE_SOURCE) {
            return gspi_tiles_fail(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, v, "");
        }
    }
    if (status == GSP_OK &&
        (!gspi_tiles_are_parts(r->parts) || r->parts[0] > g->values[r->last].rows[0] ||
            r->parts[1] > g->values[r->last].rows[1])) {
        return gspi_tiles_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE, field);
    }
    return status;
}

static gsp_status gspi_tiles_all_arguments(const gsp_arena *arena, const gsp_tiles_graph *graph,
    const gsp_tile_region *region, const char *missing, gsp_error *err)
{
    missing = region == NULL ? GSPI_TILES_FIELD("region") : missing;
    missing = arena == NULL ? GSPI_TILES_FIELD("arena") : missing;
    return gspi_tiles_arguments(graph, missing, err);
}

gsp_status gsp_tile_plan_run(gsp_arena *arena, const gsp_tiles_graph *graph,
    const gsp_tile_region *region, gsp_tile_plan *plan, gsp_error *err)
{
    const char *missing = plan == NULL ? GSPI_TILES_FIELD("plan") : NULL;
    gsp_status status = gspi_tiles_all_arguments(arena, graph, region, missing, err);
    if (status != GSP_OK) {
        return status;
    }
    gsp_tile_region r = *region;
    status = gspi_tiles_enter_parts(graph, &r, err);
    status =
        status == GSP_OK ? gspi_tiles_room_for(arena, gsp_tile_plan_bound(graph, &r), err) : status;
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gsp_mark const start = mark;
    gspi_tiles_plan *p = gspi_tiles_make_plan(arena, graph, &r, &mark.low);
    if (!gspi_tiles_expand(p)) {
        gsp_arena_rewind(arena, start);
        return gspi_tiles_fail(err, GSP_STATUS_EMPTY, GSP_DETAIL_NONE, GSP_NONE, "");
    }
    gsp_tile_plan const made = {p->steps, p->values, p->ins, p->n_steps, p->n_values, p->n_ins};
    *plan = made;
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

static uint32_t *gspi_tiles_layout_rows(gspi_tiles_bump *b, const gsp_tiles_graph *g,
    const gsp_tile_region *r, gspi_tiles_plan **p, gsp_tile_box **box)
{
    uint32_t *kept = gspi_tiles_words(b, (uint64_t)r->last - r->first + 1u, 0);
    *p = (gspi_tiles_plan *)gspi_tiles_push(b, 1, sizeof(gspi_tiles_plan), 1);
    *box = (gsp_tile_box *)gspi_tiles_push(b, g->n, sizeof(gsp_tile_box), 1);
    return kept;
}

size_t gsp_tile_rows_bound(const gsp_tiles_graph *graph, const gsp_tile_region *region)
{
    gspi_tiles_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    gspi_tiles_plan *p;
    gsp_tile_box *box;
    if (graph == NULL || region == NULL || !gspi_tiles_is_range(graph, region)) {
        return SIZE_MAX;
    }
    (void)gspi_tiles_layout_rows(&b, graph, region, &p, &box);
    return gspi_tiles_bound_of(&b);
}

gsp_status gsp_tile_rows_run(gsp_arena *arena, const gsp_tiles_graph *graph,
    const gsp_tile_region *region, gsp_tile_rows *rows, gsp_error *err)
{
    const char *missing = rows == NULL ? GSPI_TILES_FIELD("rows") : NULL;
    gsp_status status = gspi_tiles_all_arguments(arena, graph, region, missing, err);
    if (status != GSP_OK) {
        return status;
    }
    gsp_tile_region r = *region;
    status = gspi_tiles_enter(graph, &r, err);
    status =
        status == GSP_OK ? gspi_tiles_room_for(arena, gsp_tile_rows_bound(graph, &r), err) : status;
    if (status != GSP_OK) {
        return status;
    }
    gsp_mark mark = gsp_arena_mark(arena);
    gspi_tiles_bump b = {arena, 0u};
    gspi_tiles_plan *p;
    gsp_tile_box *box;
    uint32_t *kept = gspi_tiles_layout_rows(&b, graph, &r, &p, &box);
    mark.low = gsp_arena_mark(arena).low;
    p->g = graph;
    p->r = r;
    p->box = box;
    rows->bytes = gspi_tiles_roll(p);
    rows->kept = kept;
    for (uint32_t i = r.first; i <= r.last; i++) {
        kept[i - r.first] = box[i].first[0];
    }
    gsp_arena_rewind(arena, mark);
    return GSP_OK;
}

#endif

#ifdef __cplusplus
}
#endif

GSPI_TILES_END

#endif /* GRAPHSPLIT_TILES_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_TILES_IMPLEMENTATION */
