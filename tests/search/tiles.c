/* Random small chains with residual sums, half of them with a stream: what gsp_tiles_run() finds
 * beside all sets of regions, each measured row by row.
 * usage: tiles FIRST COUNT
 * Prints what is wrong, then the number of chains, of points, and of chains that tiles help. */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_TILES_IMPLEMENTATION
#include "examples/extra/graphsplit_tiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 7, ROWS = 6, STEPS = 4096 };

/* ---- the chain ---- */

static gsp_tiles_graph g;
static gsp_tile_op ops[MOST + 1];
static gsp_tile_value values[MOST + 1];
static gsp_tensor tensors[MOST + 1];
static uint32_t ins[2 * MOST + 2];
static uint64_t state;
static unsigned char memory[1 << 23];

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % n);
}

/* Rows that SAME pads on both sides. */
static uint32_t padding_of(const gsp_tile_window *w, uint32_t rows)
{
    uint32_t const needs = ((rows + w->stride - 1u) / w->stride - 1u) * w->stride + w->span;
    return needs > rows ? needs - rows : 0u;
}

/* An operator on the value before, or a sum of that and an equal one. */
static void make_op(uint32_t v, uint32_t *n_ins)
{
    gsp_tile_op *o = &ops[v];
    gsp_tile_value const *from = &values[v - 1u];
    uint32_t const other = v > 1u ? below(v - 1u) : 0u;
    uint32_t around[GSP_TILES_AXES];
    int is_same;
    uint32_t i;
    o->kind = below(12u) == 0 ? GSP_TILE_FIXED : GSP_TILE_OP;
    o->macs = below(3u) * 7u;
    o->first_in = *n_ins;
    values[v].bytes = 1u + below(9u);
    if (v > 2u && below(3u) == 0 && values[other].rows[0] == from->rows[0] &&
        values[other].rows[1] == from->rows[1]) {
        ins[(*n_ins)++] = other;
        tensors[other].end = v;
    }
    ins[(*n_ins)++] = v - 1u;
    o->n_in = *n_ins - o->first_in;
    tensors[v - 1u].end = v;
    is_same = o->n_in == 1u && below(4u) == 0;
    for (i = 0; i < GSP_TILES_AXES; i++) {
        gsp_tile_window *w = &o->window[i];
        uint32_t const rows = from->rows[i];
        w->span = w->stride = 1;
        w->before = 0;
        around[i] = 0;
        if (o->n_in == 1u) {
            w->span = 1u + below(3u);
            w->stride = 1u + below(2u);
            around[i] = below(2u) * (w->span - 1u);
            w->before = around[i] / 2u;
        }
        if (rows + around[i] < w->span) {
            around[i] = w->span - 1u;
            w->before = around[i] / 2u;
        }
        if ((w->is_same = (uint32_t)is_same) != 0) {
            around[i] = padding_of(w, rows);
            w->before = around[i] / 2u;
        }
        values[v].rows[i] = is_same ? (rows + w->stride - 1u) / w->stride
                                    : (rows + around[i] - w->span) / w->stride + 1u;
        values[v].bytes *= values[v].rows[i];
    }
}

static void make(uint64_t seed)
{
    uint32_t n_ins = 0;
    uint32_t v;
    uint32_t i;
    state = seed * 0x9E3779B97F4A7C15u + 1u;
    memset(ops, 0, sizeof ops);
    memset(tensors, 0, sizeof tensors);
    g.n = 3u + below(MOST - 3u);
    g.align = 1;
    values[0].rows[0] = 1u + below(ROWS);
    values[0].rows[1] = 1u + below(ROWS);
    values[0].bytes = (uint64_t)values[0].rows[0] * values[0].rows[1] * (1u + below(4u));
    for (v = 0; v < g.n; v++) {
        if (v > 0) {
            make_op(v, &n_ins);
        }
        values[v].tensor = v;
        tensors[v].begin = v;
        tensors[v].bytes = values[v].bytes;
    }
    tensors[g.n - 1u].end = g.n;
    for (i = 0; i < g.n; i++) { /* what nobody reads */
        tensors[i].end = tensors[i].end < i ? i : tensors[i].end;
    }
    g.ops = ops;
    g.values = values;
    g.ins = ins;
    g.tensors = tensors;
    g.n_ins = n_ins;
    g.n_tensors = g.n;
    g.stream = below(2u) == 0 ? 0u : GSP_NONE;
}

/* ---- all steps of a set of regions ---- */

typedef struct buffer {
    uint64_t bytes;
    uint32_t made;
    uint32_t read;
} buffer;

static buffer buffers[STEPS];
static uint32_t n_buffers;
static uint32_t n_steps;
static uint64_t macs;

static uint32_t new_buffer(uint64_t bytes)
{
    buffer const b = {bytes, n_steps, n_steps};
    buffers[n_buffers] = b;
    return n_buffers++;
}

static void reads(uint32_t b)
{
    buffers[b].read = n_steps > buffers[b].read ? n_steps : buffers[b].read;
}

/* Rows and columns that are needed, one flag each. */
typedef struct needs {
    uint8_t row[MOST][GSP_TILES_AXES][ROWS];
} needs;

typedef struct range {
    uint32_t first[GSP_TILES_AXES];
    uint32_t end[GSP_TILES_AXES];
} range;

/* 0 if nothing is needed. */
static int hull(uint8_t row[GSP_TILES_AXES][ROWS], range *to)
{
    uint32_t a;
    uint32_t i;
    for (a = 0; a < GSP_TILES_AXES; a++) {
        to->first[a] = to->end[a] = 0;
        for (i = 0; i < ROWS; i++) {
            if (row[a][i] != 0) {
                to->first[a] = to->end[a] == 0 ? i : to->first[a];
                to->end[a] = i + 1u;
            }
        }
    }
    return to->end[0] != 0;
}

/* Whether row `made` reads the same rows in a tile that SAME pads as in the whole. */
static int reads_same(
    const gsp_tile_window *w, int64_t made, int64_t rows, int64_t first, int64_t end)
{
    int64_t const padding = padding_of(w, (uint32_t)(end - first)) / 2u;
    int64_t i;
    for (i = made * w->stride - w->before; i < made * w->stride - w->before + w->span; i++) {
        int64_t const own = i - made * w->stride + w->before;
        int64_t const in_tile = (made - first / w->stride) * w->stride - padding + own;
        int const is_read = i >= 0 && i < rows;
        if (is_read != (in_tile >= 0 && in_tile < end - first) ||
            (is_read && in_tile + first != i)) {
            return 0;
        }
    }
    return 1;
}

/* The smallest tile whose ends are a multiple of the stride away from those of the whole, and what
 * SAME yields of it. */
static void widen_same(uint32_t op, uint32_t of, range *part, range *made)
{
    uint32_t a;
    uint32_t i;
    for (a = 0; a < GSP_TILES_AXES; a++) {
        const gsp_tile_window *w = &ops[op].window[a];
        uint32_t const rows = values[of].rows[a];
        while (part->first[a] % w->stride != 0) {
            part->first[a]--;
        }
        while ((rows - part->end[a]) % w->stride != 0) {
            part->end[a]++;
        }
        for (i = made->first[a]; i < made->end[a]; i++) {
            if (!reads_same(w, i, rows, part->first[a], part->end[a])) {
                printf("row %lu of a tile with SAME padding reads others\n", (unsigned long)i);
            }
        }
        made->first[a] = part->first[a] / w->stride;
        made->end[a] = made->first[a];
        for (i = part->first[a]; i < part->end[a]; i += w->stride) {
            made->end[a]++;
        }
    }
}

/* Flags of what an operator reads of a value; how many rows and columns of padding it does. 0 if it
 * reads padding alone. */
static int mark(const gsp_tile_region *r, uint32_t op, uint32_t of, const range *made,
    uint8_t row[GSP_TILES_AXES][ROWS], uint32_t *outside)
{
    uint32_t a;
    for (a = 0; a < GSP_TILES_AXES; a++) {
        const gsp_tile_window *w = &ops[op].window[a];
        int64_t const rows = values[of].rows[a];
        int64_t const from = (int64_t)made->first[a] * w->stride - w->before;
        int64_t const to = (int64_t)(made->end[a] - 1u) * w->stride - w->before + w->span;
        int64_t i;
        int any = 0;
        outside[a] = 0;
        for (i = from; i < to; i++) {
            outside[a] += !w->is_same && (i < 0 || i >= rows) ? 1u : 0u;
            any |= i >= 0 && i < rows;
        }
        for (i = 0; i < rows; i++) {
            row[a][i] |= (i >= from && i < to) || r->parts[a] == 1u;
        }
        if (!any) {
            return 0;
        }
    }
    return 1;
}

static void flag(const range *part, uint8_t row[GSP_TILES_AXES][ROWS])
{
    uint32_t a;
    for (a = 0; a < GSP_TILES_AXES; a++) {
        memset(row[a] + part->first[a], 1, part->end[a] - part->first[a]);
    }
}

static uint32_t area(const range *r, const uint32_t *more)
{
    return (r->end[0] - r->first[0] + more[0]) * (r->end[1] - r->first[1] + more[1]);
}

/* What a value takes per place. */
static uint64_t bytes_of(uint32_t v)
{
    return values[v].bytes / values[v].rows[0] / values[v].rows[1];
}

typedef struct cut {
    uint32_t of;
    uint32_t made;
    range part;
} cut;

static const uint32_t nothing[GSP_TILES_AXES] = {0, 0};

/* One tile; returns the buffer of its result, or GSP_NONE. */
static uint32_t run_tile(const gsp_tile_region *r, const range *tile, const uint32_t *at)
{
    needs need;
    uint32_t own[MOST];
    cut cuts[2 * MOST];
    uint32_t n_cuts = 0;
    uint32_t v;
    uint32_t i;
    uint32_t k;
    uint32_t outside[GSP_TILES_AXES];
    range made;
    range same[MOST]; /* what such an operator reads */
    memset(&need, 0, sizeof need);
    flag(tile, need.row[r->last]);
    for (v = r->last + 1u; v-- > r->first;) {
        if (!hull(need.row[v], &made)) {
            return GSP_NONE;
        }
        for (i = 0; i < ops[v].n_in; i++) {
            uint32_t const in = ins[ops[v].first_in + i];
            if (!mark(r, v, in, &made, need.row[in], outside)) {
                return GSP_NONE;
            }
        }
        if (ops[v].window[0].is_same) {
            uint32_t const in = ins[ops[v].first_in];
            uint8_t row[GSP_TILES_AXES][ROWS] = {{0}};
            (void)mark(r, v, in, &made, row, outside);
            (void)hull(row, &same[v]);
            widen_same(v, in, &same[v], &made);
            flag(&same[v], need.row[in]);
            flag(&made, need.row[v]);
        }
    }
    if (g.stream == 0 && hull(need.row[0], &made)) {
        n_steps++;
        own[0] = new_buffer(bytes_of(0) * area(&made, nothing));
    }
    for (v = r->first; v <= r->last; v++) {
        uint32_t ready[2];
        (void)hull(need.row[v], &made);
        for (i = 0; i < ops[v].n_in; i++) {
            uint32_t const in = ins[ops[v].first_in + i];
            int const is_own = in >= r->first || in == g.stream;
            uint8_t row[GSP_TILES_AXES][ROWS] = {{0}};
            range part;
            range whole = {{0, 0}, {values[in].rows[0], values[in].rows[1]}};
            (void)mark(r, v, in, &made, row, outside);
            (void)hull(row, &part);
            part = ops[v].window[0].is_same ? same[v] : part;
            if (is_own) {
                (void)hull(need.row[in], &whole);
            }
            ready[i] = is_own ? own[in] : at[in];
            if (memcmp(&part, &whole, sizeof part) != 0) {
                for (k = 0; k < n_cuts &&
                            (cuts[k].of != in || memcmp(&part, &cuts[k].part, sizeof part) != 0);
                     k++) {
                }
                if (k == n_cuts) {
                    n_steps++;
                    reads(ready[i]);
                    cuts[n_cuts].of = in;
                    cuts[n_cuts].part = part;
                    cuts[n_cuts++].made = new_buffer(bytes_of(in) * area(&part, nothing));
                }
                ready[i] = cuts[k].made;
            }
            if (outside[0] != 0 || outside[1] != 0) {
                n_steps++;
                reads(ready[i]);
                ready[i] = new_buffer(bytes_of(in) * area(&part, outside));
            }
        }
        n_steps++;
        for (i = 0; i < ops[v].n_in; i++) {
            reads(ready[i]);
        }
        own[v] = new_buffer(bytes_of(v) * area(&made, nothing));
        macs += (uint64_t)((double)ops[v].macs * area(&made, nothing) /
                               (values[v].rows[0] * values[v].rows[1]) +
                           0.5);
    }
    (void)hull(need.row[r->last], &made);
    if (memcmp(&made, tile, sizeof made) != 0) {
        n_steps++;
        reads(own[r->last]);
        own[r->last] = new_buffer(bytes_of(r->last) * area(tile, nothing));
    }
    return own[r->last];
}

/* The buffers of these parts in one; itself if there is one. */
static uint32_t join(const uint32_t *parts, uint32_t n, uint64_t bytes)
{
    uint32_t i;
    if (n == 1u) {
        return parts[0];
    }
    n_steps++;
    for (i = 0; i < n; i++) {
        reads(parts[i]);
    }
    return new_buffer(bytes);
}

static uint32_t nth(uint32_t rows, uint32_t parts, uint32_t tile)
{
    return (rows + parts - 1u - tile) / parts;
}

static int run_region(const gsp_tile_region *r, uint32_t *at)
{
    const uint32_t *rows = values[r->last].rows;
    uint32_t bands[GSP_TILES_PARTS];
    uint32_t tiles[GSP_TILES_PARTS];
    range part = {{0, 0}, {0, 0}};
    uint32_t y;
    uint32_t x;
    uint64_t once = 0;
    uint64_t const before = macs;
    for (y = 0; y < r->parts[0]; y++) {
        part.first[0] = part.end[0];
        part.end[0] += nth(rows[0], r->parts[0], y);
        part.end[1] = 0;
        for (x = 0; x < r->parts[1]; x++) {
            part.first[1] = part.end[1];
            part.end[1] += nth(rows[1], r->parts[1], x);
            tiles[x] = run_tile(r, &part, at);
            if (tiles[x] == GSP_NONE) {
                return 0;
            }
        }
        bands[y] =
            join(tiles, r->parts[1], bytes_of(r->last) * rows[1] * (part.end[0] - part.first[0]));
    }
    at[r->last] = join(bands, r->parts[0], values[r->last].bytes);
    for (y = r->first; y <= r->last; y++) {
        once += ops[y].macs;
    }
    macs = macs - before > once ? macs - once : before;
    return 1;
}

/* One entry, one exit. */
static int is_region(const gsp_tile_region *r)
{
    uint32_t entry = GSP_NONE;
    uint32_t v;
    uint32_t i;
    for (v = r->first; v <= r->last; v++) {
        for (i = 0; i < ops[v].n_in; i++) {
            uint32_t const in = ins[ops[v].first_in + i];
            if (in < r->first && entry != GSP_NONE && entry != in) {
                return 0;
            }
            entry = in < r->first ? in : entry;
        }
        if (ops[v].kind != GSP_TILE_OP || (v < r->last && tensors[v].end > r->last)) {
            return 0;
        }
    }
    return entry != g.stream || tensors[entry].end <= r->last;
}

/* ---- all sets ---- */

static uint64_t best[1 << 16]; /* the fewest MACs of those with this peak */
static gsp_tile_region chosen[MOST];

static void measure(uint32_t n)
{
    uint32_t at[MOST];
    uint32_t v = 1;
    uint32_t k = 0;
    uint64_t most = 0;
    uint32_t i;
    uint32_t step;
    n_buffers = n_steps = 0;
    macs = 0;
    if (g.stream != 0) {
        at[0] = new_buffer(values[0].bytes);
    }
    while (v < g.n) {
        if (k < n && chosen[k].first == v) {
            if (!run_region(&chosen[k], at)) {
                return;
            }
            v = chosen[k++].last + 1u;
            continue;
        }
        n_steps++;
        for (i = 0; i < ops[v].n_in; i++) {
            if (ins[ops[v].first_in + i] == g.stream) {
                return;
            }
            reads(at[ins[ops[v].first_in + i]]);
        }
        at[v] = new_buffer(values[v].bytes);
        v++;
    }
    for (step = 0; step <= n_steps; step++) {
        uint64_t live = 0;
        for (i = 0; i < n_buffers; i++) {
            live += buffers[i].made <= step && step <= buffers[i].read ? buffers[i].bytes : 0u;
        }
        most = live > most ? live : most;
    }
    best[most] = macs < best[most] ? macs : best[most];
}

/* A chain has few operators, so that this recursion is shallow. */
static void try_all(uint32_t v, uint32_t n)
{
    gsp_tile_region r;
    memset(&r, 0, sizeof r);
    if (v == g.n) {
        measure(n);
        return;
    }
    try_all(v + 1u, n);
    r.first = v;
    for (r.last = v; r.last < g.n; r.last++) {
        if (!is_region(&r)) {
            continue;
        }
        for (r.parts[0] = 1; r.parts[0] <= values[r.last].rows[0]; r.parts[0]++) {
            for (r.parts[1] = 1; r.parts[1] <= values[r.last].rows[1]; r.parts[1]++) {
                uint32_t const parts = r.parts[0] * r.parts[1];
                if (parts > 1u &&
                    (parts <= GSP_TILES_GRID || r.parts[0] == 1u || r.parts[1] == 1u)) {
                    chosen[n] = r;
                    try_all(r.last + 1u, n + 1u);
                }
            }
        }
    }
}

static uint64_t least_macs(uint64_t peak)
{
    uint64_t least = UINT64_MAX;
    uint64_t i;
    for (i = 0; i <= peak; i++) {
        least = best[i] < least ? best[i] : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    uint64_t const first = argc == 3 ? strtoull(argv[1], NULL, 10) : 1u;
    uint64_t const count = argc == 3 ? strtoull(argv[2], NULL, 10) : 1u;
    uint32_t n_points = 0;
    uint32_t n_helped = 0;
    uint64_t seed;
    for (seed = first; seed < first + count; seed++) {
        gsp_tiles_desc desc = {0};
        gsp_tiles_result curve;
        gsp_arena arena;
        uint32_t i;
        make(seed); /* with a stream, point 0 is the graph without tiles */
        memset(best, 0xFF, sizeof best);
        try_all(1, 0);
        desc.max_tilings = 1u << 14;
        gsp_arena_init(&arena, memory, sizeof memory);
        if (gsp_tiles_run(&arena, &g, &desc, &curve, NULL) != GSP_OK) {
            printf("seed %lu: no curve\n", (unsigned long)seed);
            continue;
        }
        if (g.stream == 0 && curve.n_points == 1u && least_macs((1u << 16) - 1u) != UINT64_MAX) {
            printf("seed %lu: tiles of the stream are not found\n", (unsigned long)seed);
        }
        for (i = g.stream == 0 ? 1u : 0u; i < curve.n_points; i++) {
            gsp_tile_cost const *c = &curve.points[i].cost;
            uint64_t const after =
                i + 1u < curve.n_points ? curve.points[i + 1u].cost.macs : UINT64_MAX;
            if (least_macs(c->peak) != c->macs || least_macs(c->peak - 1u) != after) {
                printf(
                    "seed %lu: peak %lu with %lu MACs more, the best have %ld and below it %ld\n",
                    (unsigned long)seed, (unsigned long)c->peak, (unsigned long)c->macs,
                    (long)least_macs(c->peak), (long)least_macs(c->peak - 1u));
            }
        }
        n_points += curve.n_points;
        n_helped += curve.n_points > 1u ? 1u : 0u;
    }
    printf("%lu chains, %lu points, tiles help %lu\n", (unsigned long)count,
        (unsigned long)n_points, (unsigned long)n_helped);
    return 0;
}
