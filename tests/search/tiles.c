/* Random small chains with residual sums, half of them with a stream: what tile_search() finds
 * beside all sets of regions, each measured row by row.
 * usage: tiles FIRST COUNT
 * Prints what is wrong, then the number of chains, of points, and of chains that tiles help. */
#include "algorithms/algorithms.h"
#include "core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 7, ROWS = 6, STEPS = 512 };

/* ---- memory of the search, which knows no session here ---- */

void *cli_alloc(struct cli_session *s, size_t count, size_t size)
{
    (void)s;
    return calloc(count + 1u, size);
}

void *cli_grow(struct cli_session *s, void *block, size_t size)
{
    (void)s;
    return realloc(block, size);
}

void cli_release(struct cli_session *s, void *block)
{
    (void)s;
    free(block);
}

/* ---- the chain ---- */

static tile_graph g;
static tile_op ops[MOST + 1];
static tile_input values[MOST + 1];
static gsp_tensor tensors[MOST + 1];
static uint32_t ins[2 * MOST + 2];
static uint64_t state;

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % n);
}

/* An operator on the value before, or a sum of that and an equal one. */
static void make_op(uint32_t v, uint32_t *n_ins)
{
    tile_op *o = &ops[v];
    tile_input const *from = &values[v - 1u];
    uint32_t const other = v > 1u ? below(v - 1u) : 0u;
    uint32_t i;
    o->kind = below(12u) == 0 ? TILE_FIXED : TILE_OP;
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
    for (i = 0; i < TILE_AXES; i++) {
        tile_window *w = &o->window[i];
        uint32_t const rows = from->rows[i];
        w->span = w->stride = 1;
        w->before = w->around = 0;
        if (o->n_in == 1u) {
            w->span = 1u + below(3u);
            w->stride = 1u + below(2u);
            w->around = below(2u) * (w->span - 1u);
            w->before = w->around / 2u;
        }
        if (rows + w->around < w->span) {
            w->around = w->span - 1u;
            w->before = w->around / 2u;
        }
        values[v].rows[i] = (rows + w->around - w->span) / w->stride + 1u;
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

/* Rows that are needed, one flag each. */
typedef struct needs {
    uint8_t row[MOST][64];
} needs;

static int hull(const uint8_t *row, uint32_t n, uint32_t *first, uint32_t *end)
{
    uint32_t i;
    *first = n;
    *end = 0;
    for (i = 0; i < n; i++) {
        if (row[i] != 0) {
            *first = *first == n ? i : *first;
            *end = i + 1u;
        }
    }
    return *end != 0;
}

/* Flags of the rows that an operator reads; how many rows of padding it does. */
static int mark(const tile_op *o, uint32_t axis, uint32_t rows, uint32_t first, uint32_t end,
    uint8_t *row, uint32_t *outside)
{
    int64_t const from = (int64_t)first * o->window[axis].stride - o->window[axis].before;
    int64_t const to = (int64_t)(end - 1u) * o->window[axis].stride - o->window[axis].before +
                       o->window[axis].span;
    int64_t i;
    int any = 0;
    *outside = 0;
    for (i = from; i < to; i++) {
        if (i < 0 || i >= (int64_t)rows) {
            ++*outside;
        } else {
            row[i] = 1;
            any = 1;
        }
    }
    return any;
}

/* One tile; returns the buffer of its result, or GSP_NONE. */
static uint32_t run_tile(const tile_region *r, uint32_t first, uint32_t end, const uint32_t *at)
{
    static needs need;
    uint32_t own[MOST];
    uint32_t cut[MOST][64][64];
    uint32_t v;
    uint32_t i;
    uint32_t outside;
    memset(&need, 0, sizeof need);
    memset(cut, 0xFF, sizeof cut);
    memset(need.row[r->last] + first, 1, end - first);
    for (v = r->last + 1u; v-- > r->first;) {
        if (!hull(need.row[v], values[v].rows[r->axis], &first, &end)) {
            return GSP_NONE;
        }
        for (i = 0; i < ops[v].n_in; i++) {
            uint32_t const in = ins[ops[v].first_in + i];
            if (!mark(&ops[v], r->axis, values[in].rows[r->axis], first, end, need.row[in],
                    &outside)) {
                return GSP_NONE;
            }
        }
    }
    if (g.stream == 0 && hull(need.row[0], values[0].rows[r->axis], &first, &end)) {
        n_steps++;
        own[0] = new_buffer(values[0].bytes / values[0].rows[r->axis] * (end - first));
    }
    for (v = r->first; v <= r->last; v++) {
        uint32_t ready[2];
        (void)hull(need.row[v], values[v].rows[r->axis], &first, &end);
        for (i = 0; i < ops[v].n_in; i++) {
            uint32_t const in = ins[ops[v].first_in + i];
            uint32_t const rows = values[in].rows[r->axis];
            uint32_t const across = values[in].rows[1u - r->axis];
            uint64_t const bytes = values[in].bytes / rows;
            uint8_t row[64] = {0};
            uint32_t a;
            uint32_t b;
            uint32_t whole[2] = {0, rows};
            (void)mark(&ops[v], r->axis, rows, first, end, row, &outside);
            (void)hull(row, rows, &a, &b);
            if (in >= r->first || in == g.stream) {
                (void)hull(need.row[in], rows, &whole[0], &whole[1]);
            }
            ready[i] = in >= r->first || in == g.stream ? own[in] : at[in];
            if (a != whole[0] || b != whole[1]) {
                if (cut[in][a][b] == GSP_NONE) {
                    n_steps++;
                    reads(ready[i]);
                    cut[in][a][b] = new_buffer(bytes * (b - a));
                }
                ready[i] = cut[in][a][b];
            }
            if (outside != 0 || ops[v].window[1u - r->axis].around != 0) {
                n_steps++;
                reads(ready[i]);
                ready[i] = new_buffer(bytes / across * (b - a + outside) *
                                      (across + ops[v].window[1u - r->axis].around));
            }
        }
        n_steps++;
        for (i = 0; i < ops[v].n_in; i++) {
            reads(ready[i]);
        }
        own[v] = new_buffer(values[v].bytes / values[v].rows[r->axis] * (end - first));
        macs += (uint64_t)((double)ops[v].macs * (end - first) / values[v].rows[r->axis] + 0.5);
    }
    return own[r->last];
}

static int run_region(const tile_region *r, uint32_t *at)
{
    uint32_t const rows = values[r->last].rows[r->axis];
    uint32_t made[TILE_MOST_PARTS];
    uint32_t first = 0;
    uint32_t t;
    uint64_t once = 0;
    uint64_t const before = macs;
    for (t = 0; t < r->parts; t++) {
        uint32_t const size = (rows + r->parts - 1u - t) / r->parts;
        made[t] = run_tile(r, first, first + size, at);
        if (made[t] == GSP_NONE) {
            return 0;
        }
        first += size;
    }
    n_steps++;
    for (t = 0; t < r->parts; t++) {
        reads(made[t]);
    }
    at[r->last] = new_buffer(values[r->last].bytes);
    for (t = r->first; t <= r->last; t++) {
        once += ops[t].macs;
    }
    macs = macs - before > once ? macs - once : before;
    return 1;
}

/* One entry, one exit. */
static int is_region(const tile_region *r)
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
        if (ops[v].kind != TILE_OP || (v < r->last && tensors[v].end > r->last)) {
            return 0;
        }
    }
    return entry != g.stream || tensors[entry].end <= r->last;
}

/* ---- all sets ---- */

static uint64_t best[1 << 16]; /* the fewest MACs of those with this peak */
static tile_region chosen[MOST];

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
    tile_region r;
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
        for (r.axis = 0; r.axis < TILE_AXES; r.axis++) {
            uint32_t const rows = values[r.last].rows[r.axis];
            for (r.parts = 2; r.parts <= rows && r.parts <= TILE_MOST_PARTS; r.parts++) {
                chosen[n] = r;
                try_all(r.last + 1u, n + 1u);
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
        tile_curve curve;
        uint32_t i;
        make(seed); /* with a stream, point 0 is the graph without tiles */
        memset(best, 0xFF, sizeof best);
        try_all(1, 0);
        tile_search(NULL, &g, &curve);
        if (g.stream == 0 && curve.n_points == 1u && least_macs((1u << 16) - 1u) != UINT64_MAX) {
            printf("seed %lu: tiles of the stream are not found\n", (unsigned long)seed);
        }
        for (i = g.stream == 0 ? 1u : 0u; i < curve.n_points; i++) {
            tile_cost const *c = &curve.points[i].cost;
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
