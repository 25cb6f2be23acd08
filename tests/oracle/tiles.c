/* Tiles of random chains with residual sums: plans run on numbers beside the whole; rolling buffers
 * beside a run that keeps all rows; curves beside all sets of regions, with and without a room. */
#include "examples/extra/graphsplit_tiles.h"
#include "tests/t.h"

#define VALUES 6u
#define ROWS   7u
#define WIDE   16u /* rows with padding */
#define PARTS  2048u
#define PEAKS  4096u

typedef int64_t grid[WIDE][WIDE];

typedef struct chain {
    gsp_tile_op ops[VALUES];
    gsp_tile_value values[VALUES];
    gsp_tensor tensors[VALUES];
    uint32_t ins[2u * VALUES];
    gsp_tiles_graph g;
    grid whole[VALUES];
} chain;

static chain c;
static grid parts[PARTS];
static uint32_t sizes[PARTS][GSP_TILES_AXES];
static uint64_t best[PEAKS]; /* the fewest MACs, or bytes moved, of this peak */
static unsigned char memory[1u << 22];

/* ---- chains ---- */

static uint32_t padding_of(const gsp_tile_window *w, uint32_t rows)
{
    uint32_t const needs = ((rows + w->stride - 1u) / w->stride - 1u) * w->stride + w->span;
    return needs > rows ? needs - rows : 0u;
}

static void random_axis(t_rng *rng, uint32_t v, uint32_t from, uint32_t a, uint32_t how)
{
    gsp_tile_window *w = &c.ops[v].window[a];
    uint32_t const rows = c.values[from].rows[a];
    uint32_t around;
    w->span = w->stride = 1;
    c.values[v].rows[a] = rows;
    if (how == 0u) { /* as large as its input */
        return;
    }
    if (how == 1u) {
        w->factor = 1u + t_below(rng, 2u);
        w->margin = t_below(rng, 2u);
        c.values[v].rows[a] = rows * w->factor;
        return;
    }
    w->span = 1u + t_below(rng, 3u);
    w->stride = 1u + t_below(rng, 3u);
    around = t_below(rng, 3u);
    around = rows + around < w->span ? w->span : around;
    w->before = t_below(rng, around + 1u);
    w->is_same = how == 2u;
    if (w->is_same) {
        w->before = padding_of(w, rows) / 2u;
        c.values[v].rows[a] = (rows + w->stride - 1u) / w->stride;
    } else {
        c.values[v].rows[a] = (rows + around - w->span) / w->stride + 1u;
    }
}

static int is_like(uint32_t a, uint32_t b)
{
    return c.values[a].rows[0] == c.values[b].rows[0] && c.values[a].rows[1] == c.values[b].rows[1];
}

/* An operator on the value `from`, or a sum of that and an equal one. */
static void random_op(t_rng *rng, uint32_t v, uint32_t from, uint32_t *n_ins)
{
    gsp_tile_op *o = &c.ops[v];
    const uint32_t *rows = c.values[from].rows;
    uint32_t const other = t_below(rng, v);
    int const is_sum = other != from && c.ops[other].kind != GSP_TILE_NONE &&
                       t_below(rng, 2u) == 0u && is_like(other, from);
    uint32_t how = is_sum ? 0u : t_below(rng, 5u);
    how = how == 1u && (rows[0] * 2u > ROWS || rows[1] * 2u > ROWS) ? 3u : how;
    o->kind = t_below(rng, 2u) == 0u || how == 2u ? GSP_TILE_PADDING : GSP_TILE_OP;
    o->kind = t_below(rng, 12u) == 0u ? (uint32_t)GSP_TILE_FIXED : o->kind;
    o->macs = t_below(rng, 3u) * 7u;
    o->padding = t_below(rng, 2u) * 4u;
    o->filler = t_below(rng, 2u);
    o->scratch = t_below(rng, 9u);
    o->first_in = *n_ins;
    o->n_in = is_sum ? 2u : 1u;
    if (is_sum) {
        c.ins[(*n_ins)++] = other;
        c.tensors[other].end = v;
    }
    c.ins[(*n_ins)++] = from;
    c.tensors[from].end = v;
    random_axis(rng, v, from, 0, how);
    random_axis(rng, v, from, 1, how);
    if (!is_sum && t_below(rng, 2u) == 0u && o->window[0].factor == 0u &&
        o->window[0].before == 0u &&
        (o->window[0].stride >= o->window[0].span || c.values[v].rows[0] == 1u)) {
        o->sums = 1u + t_below(rng, 9u);
    }
}

/* A value of so many rows and columns at most; operators make constants, or they lie elsewhere. */
static void random_chain(t_rng *rng, uint32_t n, uint32_t rows)
{
    uint32_t n_ins = 0;
    uint32_t from = 0;
    memset(&c, 0, sizeof c);
    c.g.n = c.g.n_tensors = n;
    c.g.ops = c.ops;
    c.g.values = c.values;
    c.g.ins = c.ins;
    c.g.tensors = c.tensors;
    c.g.align = t_below(rng, 3u) == 0u ? 4u : 0u;
    c.g.slice = t_below(rng, 3u);
    c.g.stream = t_below(rng, 2u) == 0u ? 0u : GSP_NONE;
    c.values[0].rows[0] = 1u + t_below(rng, rows);
    c.values[0].rows[1] = 1u + t_below(rng, rows);
    for (uint32_t v = 0; v < n; v++) {
        int const is_made = t_below(rng, 2u) == 0u;
        c.values[v].tensor = v;
        c.tensors[v].begin = c.tensors[v].end = v;
        c.ops[v].is_op = v != 0u;
        if (v != 0u && v + 1u < n && t_below(rng, 5u) == 0u) {
            c.ops[v].kind = GSP_TILE_NONE;
            c.ops[v].is_op = is_made || t_chance(rng, 50) ? 1u : 0u;
            c.values[v].bytes = 1u + t_below(rng, 9u);
            c.values[v].tensor = is_made ? v : GSP_NONE;
            c.tensors[v].bytes = is_made ? c.values[v].bytes : 0u;
            c.tensors[v].end = v + 1u;
            continue;
        }
        if (v != 0u) {
            random_op(rng, v, from, &n_ins);
        }
        c.values[v].bytes =
            (uint64_t)c.values[v].rows[0] * c.values[v].rows[1] * (1u + t_below(rng, 4u));
        c.tensors[v].bytes = c.values[v].bytes;
        from = v;
    }
    c.tensors[n - 1u].end = n;
    c.g.n_ins = n_ins;
}

/* ---- operators on numbers ---- */

static int64_t at_clipped(grid from, const uint32_t *size, int64_t y, int64_t x)
{
    y = y < 0 ? 0 : y < (int64_t)size[0] ? y : (int64_t)size[0] - 1;
    x = x < 0 ? 0 : x < (int64_t)size[1] ? x : (int64_t)size[1] - 1;
    return from[y][x];
}

/* One element: where windows begin before the input, there is padding. */
static int64_t element(const gsp_tile_op *o, grid from, const uint32_t *size, const int64_t *begin,
    uint32_t y, uint32_t x)
{
    const gsp_tile_window *w = o->window;
    int64_t sum = 0;
    int64_t n = 0;
    if (w[0].factor != 0u) {
        int64_t const m[2] = {w[0].margin, w[1].margin};
        for (int64_t dy = -m[0]; dy <= m[0]; dy++) {
            for (int64_t dx = -m[1]; dx <= m[1]; dx++) {
                sum += (dy * 3 + dx + 5) *
                       at_clipped(from, size, y / w[0].factor + dy, x / w[1].factor + dx);
            }
        }
        return sum;
    }
    for (uint32_t ky = 0; ky < w[0].span; ky++) {
        for (uint32_t kx = 0; kx < w[1].span; kx++) {
            int64_t const fy = (int64_t)y * w[0].stride - begin[0] + ky;
            int64_t const fx = (int64_t)x * w[1].stride - begin[1] + kx;
            if (fy >= 0 && fx >= 0 && fy < (int64_t)size[0] && fx < (int64_t)size[1]) {
                sum += (ky * 5 + kx + 1) * from[fy][fx];
                n++;
            }
        }
    }
    return w[0].is_same ? sum % 1000 * 100 + n : sum % 100000; /* a mean knows how many there are */
}

/* Adds what an operator makes of an input to its result. */
static void run_op(const gsp_tile_op *o, grid from, const uint32_t *size, const int64_t *begin,
    grid to, const uint32_t *made)
{
    for (uint32_t y = 0; y < made[0]; y++) {
        for (uint32_t x = 0; x < made[1]; x++) {
            to[y][x] += element(o, from, size, begin, y, x);
        }
    }
}

static void run_whole(void)
{
    for (uint32_t y = 0; y < c.values[0].rows[0]; y++) {
        for (uint32_t x = 0; x < c.values[0].rows[1]; x++) {
            c.whole[0][y][x] = (int64_t)(y * 131u + x * 17u + y * x * 7u) % 89 + 1;
        }
    }
    for (uint32_t v = 1; v < c.g.n; v++) {
        const gsp_tile_op *o = &c.ops[v]; /* of constants nothing is computed */
        int64_t const begin[2] = {o->window[0].before, o->window[1].before};
        memset(c.whole[v], 0, sizeof c.whole[v]);
        for (uint32_t k = 0; k < o->n_in; k++) {
            uint32_t const of = c.ins[o->first_in + k];
            run_op(o, c.whole[of], c.values[of].rows, begin, c.whole[v], c.values[v].rows);
        }
    }
}

/* ---- plans on numbers ---- */

static void copy(uint32_t from, uint32_t to, const uint32_t *size, int64_t dy, int64_t dx)
{
    for (uint32_t y = 0; y < size[0]; y++) {
        for (uint32_t x = 0; x < size[1]; x++) {
            parts[to][y + (dy > 0 ? dy : 0)][x + (dx > 0 ? dx : 0)] =
                parts[from][y - (dy < 0 ? dy : 0)][x - (dx < 0 ? dx : 0)];
        }
    }
}

static void run_step(const gsp_tile_plan *p, const gsp_tile_step *s)
{
    const gsp_tile_op *o = &c.ops[s->op];
    const gsp_tile_box *box = &p->values[s->out].box;
    uint32_t *size = sizes[s->out];
    uint32_t const made[2] = {box->end[0] - box->first[0], box->end[1] - box->first[1]};
    memset(parts[s->out], 0, sizeof parts[s->out]);
    size[0] = made[0] + (s->kind == GSP_TILE_STEP_PAD ? s->before[0] + s->after[0] : 0u);
    size[1] = made[1] + (s->kind == GSP_TILE_STEP_PAD ? s->before[1] + s->after[1] : 0u);
    T_CHECK(size[0] <= WIDE && size[1] <= WIDE);
    for (uint32_t k = 0; k < s->n_in; k++) {
        uint32_t const in = p->ins[s->first_in + k];
        const gsp_tile_box *from = &p->values[in].box;
        int64_t const dy = (int64_t)from->first[0] - box->first[0];
        int64_t const dx = (int64_t)from->first[1] - box->first[1];
        int64_t begin[2] = {s->before[0], s->before[1]};
        if (s->kind == GSP_TILE_STEP_SLICE) {
            copy(in, s->out, made, dy, dx);
        } else if (s->kind == GSP_TILE_STEP_PAD) {
            copy(in, s->out, sizes[in], s->before[0], s->before[1]);
        } else if (s->kind == GSP_TILE_STEP_CONCAT) {
            copy(in, s->out, sizes[in], dy, dx);
        } else {
            for (uint32_t a = 0; a < 2u; a++) {
                begin[a] = o->kind == GSP_TILE_OP ? 0 : begin[a];
                if (o->window[a].is_same) {
                    begin[a] = padding_of(&o->window[a], sizes[in][a]) / 2u;
                }
            }
            run_op(o, parts[in], sizes[in], begin, parts[s->out], made);
        }
    }
    for (uint32_t y = 0; s->kind == GSP_TILE_STEP_INPUT && y < made[0]; y++) {
        for (uint32_t x = 0; x < made[1]; x++) {
            parts[s->out][y][x] = c.whole[s->op][box->first[0] + y][box->first[1] + x];
        }
    }
}

static int is_region(gsp_tile_region *r)
{
    return gsp_tile_region_run(&c.g, r, NULL) == GSP_OK;
}

static gsp_status plan_of(const gsp_tile_region *r, gsp_tile_plan *p)
{
    gsp_arena arena;
    gsp_arena_init(&arena, memory, sizeof memory);
    return gsp_tile_plan_run(&arena, &c.g, r, p, NULL);
}

static void check_plan(const gsp_tile_region *r)
{
    gsp_tile_plan p;
    uint32_t entry;
    if (plan_of(r, &p) != GSP_OK) {
        return;
    }
    entry = p.values[0].of;
    T_CHECK(p.n_values <= PARTS);
    memcpy(parts[0], c.whole[entry], sizeof parts[0]);
    memcpy(sizes[0], c.values[entry].rows, sizeof sizes[0]);
    for (uint32_t i = 0; i < p.n_steps; i++) {
        int const is_input = p.steps[i].kind == GSP_TILE_STEP_INPUT;
        uint32_t const in = is_input ? 0u : p.ins[p.steps[i].first_in];
        run_step(&p, &p.steps[i]);
        T_EQUAL(
            p.values[p.steps[i].out].bytes / sizes[p.steps[i].out][0] / sizes[p.steps[i].out][1],
            c.values[p.values[p.steps[i].out].of].bytes /
                c.values[p.values[p.steps[i].out].of].rows[0] /
                c.values[p.values[p.steps[i].out].of].rows[1]);
        T_EQUAL(p.steps[i].is_cut,
            is_input || (p.steps[i].kind == GSP_TILE_STEP_SLICE && in == 0u) ? 1u : 0u);
    }
    for (uint32_t y = 0; y < c.values[r->last].rows[0]; y++) {
        for (uint32_t x = 0; x < c.values[r->last].rows[1]; x++) {
            T_EQUAL(parts[p.n_values - 1u][y][x], c.whole[r->last][y][x]);
        }
    }
}

/* Every region of every chain, in some numbers of tiles. */
static void test_plans(void)
{
    t_rng rng = {t_seed};
    uint32_t const n = t_fast ? 150u : 1500u;
    uint32_t n_plans = 0;
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        gsp_tile_region r = {0, 0, GSP_NONE, {1, 1}, {0, 0, 0, 0}};
        random_chain(&rng, 2u + t_below(&rng, VALUES - 1u), ROWS);
        run_whole();
        for (r.first = 1; r.first < c.g.n; r.first++) {
            for (r.last = r.first; r.last < c.g.n && is_region(&r); r.last++) {
                for (r.parts[0] = 1; r.parts[0] <= c.values[r.last].rows[0]; r.parts[0]++) {
                    r.parts[1] = 1u + t_below(&rng, c.values[r.last].rows[1]);
                    check_plan(&r);
                    n_plans++;
                }
            }
        }
    }
    T_CHECK(n_plans > n);
}

/* ---- rolling buffers ---- */

/* Whether a value adds up rows, which are of the region. */
static int adds(const gsp_tile_region *r, uint32_t v)
{
    return c.ops[v].sums != 0u && c.ins[c.ops[v].first_in] >= r->first;
}

/* The row of a value from which on rows later than `made` of a reader need it. */
static uint32_t first_needed(uint32_t v, uint32_t made, uint32_t of)
{
    const gsp_tile_window *w = &c.ops[v].window[0];
    uint32_t first = c.values[of].rows[0];
    for (uint32_t y = made; y < c.values[v].rows[0]; y++) {
        int64_t const from = w->factor != 0u ? (int64_t)(y / w->factor) - w->margin
                                             : (int64_t)y * w->stride - w->before;
        uint32_t const row = from < 0 ? 0u : (uint32_t)from;
        first = row < first ? row : first;
    }
    return first;
}

static uint32_t rows_needed(uint32_t v, uint32_t row, uint32_t of)
{
    const gsp_tile_window *w = &c.ops[v].window[0];
    int64_t const end = w->factor != 0u ? (int64_t)(row / w->factor) + w->margin + 1
                                        : (int64_t)row * w->stride - w->before + w->span;
    return end < 0                               ? 0u
           : end < (int64_t)c.values[of].rows[0] ? (uint32_t)end
                                                 : c.values[of].rows[0];
}

/* Rows of its input that a value needs for a step: all of a window, or the next for its sums. */
static uint32_t step_needs(
    const gsp_tile_region *r, uint32_t v, const uint32_t *made, const uint32_t *added, uint32_t of)
{
    uint32_t const skipped = made[v] * c.ops[v].window[0].stride;
    if (!adds(r, v)) {
        return rows_needed(v, made[v], of);
    }
    uint32_t const next = (skipped > added[v] ? skipped : added[v]) + 1u;
    return next < c.values[of].rows[0] ? next : c.values[of].rows[0];
}

/* A row of a value, or of its sums. */
static void make_step(const gsp_tile_region *r, uint32_t v, uint32_t *made, uint32_t *added)
{
    if (adds(r, v)) {
        uint32_t const of = c.ins[c.ops[v].first_in];
        uint32_t const next = step_needs(r, v, made, added, of);
        added[v] = next;
        made[v] += next == rows_needed(v, made[v], of) ? 1u : 0u;
    } else {
        made[v]++;
    }
}

/* For every number of rows of the result, as many rows of each value as it needs. */
static void check_rows(const gsp_tile_region *r)
{
    uint32_t made[VALUES] = {0};
    uint32_t added[VALUES] = {0};
    uint32_t kept[VALUES] = {0};
    gsp_arena arena;
    gsp_tile_rows rows;
    uint64_t const align = c.g.align != 0u ? c.g.align : 1u;
    uint64_t bytes = 0;
    uint64_t scratch = 0;
    gsp_arena_init(&arena, memory, gsp_tile_rows_bound(&c.g, r));
    T_EQUAL(gsp_tile_rows_run(&arena, &c.g, r, &rows, NULL), GSP_OK);
    for (;;) {
        uint32_t v = r->last;
        uint32_t lacking = v;
        if (made[v] == c.values[v].rows[0]) {
            break;
        }
        while (lacking != GSP_NONE) { /* the first input that lacks a row */
            v = lacking;
            lacking = GSP_NONE;
            for (uint32_t k = c.ops[v].n_in; k-- > 0u;) {
                uint32_t const of = c.ins[c.ops[v].first_in + k];
                int const lacks = of >= r->first && made[of] < step_needs(r, v, made, added, of);
                lacking = lacks ? of : lacking;
            }
        }
        make_step(r, v, made, added);
        uint32_t first = made[v];
        for (uint32_t u = v + 1u; u <= r->last; u++) {
            for (uint32_t k = 0; k < c.ops[u].n_in; k++) {
                if (c.ins[c.ops[u].first_in + k] == v) {
                    uint32_t const from = first_needed(u, made[u], v);
                    uint32_t const need = adds(r, u) && added[u] > from ? added[u] : from;
                    first = need < first ? need : first;
                }
            }
        }
        kept[v] = made[v] - first > kept[v] ? made[v] - first : kept[v];
    }
    for (uint32_t v = r->first; v <= r->last; v++) {
        T_EQUAL(rows.kept[v - r->first], kept[v]);
        bytes += v == r->last ? 0u
                              : (c.values[v].bytes / c.values[v].rows[0] * kept[v] + align - 1u) /
                                    align * align;
        bytes += adds(r, v) ? (c.ops[v].sums + align - 1u) / align * align : 0u;
        scratch = c.ops[v].scratch > scratch ? c.ops[v].scratch : scratch;
    }
    T_EQUAL(rows.bytes, bytes + (scratch + align - 1u) / align * align);
}

static void test_rows(void)
{
    t_rng rng = {t_seed};
    uint32_t const n = t_fast ? 500u : 5000u;
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        gsp_tile_region r = {0, 0, GSP_NONE, {1, 1}, {0, 0, 0, 0}};
        random_chain(&rng, 2u + t_below(&rng, VALUES - 1u), ROWS);
        for (r.first = 1; r.first < c.g.n; r.first++) {
            for (r.last = r.first; r.last < c.g.n && is_region(&r); r.last++) {
                check_rows(&r);
            }
        }
    }
}

/* ---- all sets of regions ---- */

/* Bytes that live from one moment to another. */
typedef struct buffer {
    uint64_t bytes;
    uint32_t made;
    uint32_t read;
} buffer;

typedef struct sums {
    buffer buffers[PARTS];
    uint32_t n_buffers;
    uint32_t now;
    uint32_t at[VALUES]; /* the buffer of a value */
    uint64_t macs;
    uint64_t moved;
    int by_rows;
} sums;

static sums m;
static gsp_tile_region chosen[VALUES];

static uint64_t aligned(uint64_t bytes)
{
    uint64_t const align = c.g.align != 0u ? c.g.align : 1u;
    return (bytes + align - 1u) / align * align;
}

static uint32_t new_buffer(uint64_t bytes)
{
    buffer const b = {bytes, m.now, m.now};
    m.buffers[m.n_buffers] = b;
    return m.n_buffers++;
}

static uint64_t peak_of_buffers(uint32_t first, uint32_t begin)
{
    uint64_t most = 0;
    for (uint32_t step = begin; step <= m.now; step++) {
        uint64_t live = 0;
        for (uint32_t i = first; i < m.n_buffers; i++) {
            int const is_live = m.buffers[i].made <= step && step <= m.buffers[i].read;
            live += is_live ? m.buffers[i].bytes : 0u;
        }
        most = live > most ? live : most;
    }
    return most;
}

/* Constants of a region are made before it, and stay. */
static void make_constants(const gsp_tile_region *r)
{
    for (uint32_t v = r->first; v <= r->last; v++) {
        if (c.ops[v].kind == GSP_TILE_NONE && c.values[v].tensor != GSP_NONE) {
            m.at[v] = new_buffer(aligned(c.values[v].bytes));
        }
    }
}

static void keep_constants(uint32_t first, uint32_t last)
{
    for (uint32_t v = 0; v <= last; v++) {
        if (c.ops[v].kind == GSP_TILE_NONE && c.values[v].tensor != GSP_NONE &&
            c.tensors[v].end >= first) {
            m.buffers[m.at[v]].read = m.now;
        }
    }
}

static uint64_t macs_of(uint32_t v, const gsp_tile_box *b)
{
    double const part = (double)(b->end[0] - b->first[0]) * (b->end[1] - b->first[1]);
    double const macs =
        (double)c.ops[v].macs * part / ((double)c.values[v].rows[0] * c.values[v].rows[1]) + 0.5;
    return (uint64_t)macs;
}

/* MACs of a plan more than once. */
static uint64_t again(const gsp_tile_plan *p, const gsp_tile_region *r)
{
    uint64_t macs = 0;
    uint64_t once = 0;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const gsp_tile_step *s = &p->steps[i];
        macs += s->kind == GSP_TILE_STEP_RUN ? macs_of(s->op, &p->values[s->out].box) : 0u;
    }
    for (uint32_t v = r->first; v <= r->last; v++) {
        once += c.ops[v].macs;
    }
    return macs > once ? macs - once : 0u;
}

/* The steps of a region in tiles. */
static int run_region(const gsp_tile_region *r)
{
    uint32_t of[PARTS];
    gsp_tile_plan p;
    if (plan_of(r, &p) != GSP_OK) {
        return 0;
    }
    m.now++;
    make_constants(r);
    of[0] = m.at[p.values[0].of];
    for (uint32_t i = 0; i < p.n_steps; i++) {
        const gsp_tile_step *s = &p.steps[i];
        m.now++;
        of[s->out] = new_buffer(aligned(p.values[s->out].bytes));
        for (uint32_t k = 0; k < s->n_in; k++) {
            m.buffers[of[p.ins[s->first_in + k]]].read = m.now;
        }
        m.moved += s->kind != GSP_TILE_STEP_RUN && s->kind != GSP_TILE_STEP_INPUT
                       ? p.values[s->out].bytes
                       : 0u;
    }
    m.at[r->last] = of[p.n_values - 1u];
    m.macs += again(&p, r);
    keep_constants(r->first, r->last);
    return 1;
}

/* A region by rows: one moment in which its entry, its rows and its result live. */
static int run_by_rows(const gsp_tile_region *r)
{
    gsp_arena arena;
    gsp_tile_rows rows;
    gsp_arena_init(&arena, memory, sizeof memory);
    T_EQUAL(gsp_tile_rows_run(&arena, &c.g, r, &rows, NULL), GSP_OK);
    m.now++;
    make_constants(r);
    m.at[r->last] = new_buffer(aligned(c.values[r->last].bytes));
    (void)new_buffer(rows.bytes);
    for (uint32_t k = c.ops[r->first].first_in; k < c.ops[r->last].first_in + c.ops[r->last].n_in;
         k++) {
        if (c.ins[k] < r->first) {
            m.buffers[m.at[c.ins[k]]].read = m.now;
        }
    }
    keep_constants(r->first, r->last);
    return 1;
}

static int is_source(uint32_t v)
{
    return c.ops[v].kind == GSP_TILE_SOURCE;
}

/* A step as a whole; 0 if it reads the stream, or is one. */
static int run_step_whole(uint32_t v)
{
    const gsp_tile_op *o = &c.ops[v];
    m.now++;
    if (is_source(v)) {
        return 0;
    }
    if (c.values[v].tensor != GSP_NONE) {
        m.at[v] = new_buffer(aligned(c.values[v].bytes));
    }
    for (uint32_t k = 0; k < o->n_in; k++) {
        uint32_t const of = c.ins[o->first_in + k];
        if (of == c.g.stream || is_source(of)) {
            return 0;
        }
        m.buffers[m.at[of]].read = m.now;
    }
    keep_constants(v, v);
    return 1;
}

/* Notes the costs of the regions chosen. */
static void measure(uint32_t n)
{
    uint32_t k = 0;
    uint64_t peak;
    m.n_buffers = m.now = 0;
    m.macs = m.moved = 0;
    if (!is_source(0)) {
        m.at[0] = new_buffer(c.g.stream == 0u ? 0u : aligned(c.values[0].bytes));
    }
    for (uint32_t v = is_source(0) ? 0u : 1u; v < c.g.n; v++) {
        if (k < n && chosen[k].first == v) {
            if (!(m.by_rows ? run_by_rows(&chosen[k]) : run_region(&chosen[k]))) {
                return;
            }
            v = chosen[k++].last;
        } else if (!run_step_whole(v)) {
            return;
        }
    }
    peak = peak_of_buffers(0, 0);
    T_CHECK(peak < PEAKS);
    best[peak] = m.macs < best[peak] ? m.macs : best[peak];
}

/* All sets of regions from a value on. A chain has few operators: this recursion is shallow. */
static void try_all(uint32_t v, uint32_t n, void (*note)(uint32_t n))
{
    gsp_tile_region r = {v, v, GSP_NONE, {1, 1}, {0, 0, 0, 0}};
    if (v == c.g.n) {
        note(n);
        return;
    }
    try_all(v + 1u, n, note);
    for (r.last = v; r.last < c.g.n; r.last++) {
        if (!is_region(&r) || (r.entry == 0u && c.g.stream == 0u && c.tensors[0].end > r.last)) {
            continue;
        }
        uint32_t const most[2] = {
            m.by_rows ? 1u : c.values[r.last].rows[0], m.by_rows ? 1u : c.values[r.last].rows[1]};
        for (r.parts[0] = 1; r.parts[0] <= most[0]; r.parts[0]++) {
            for (r.parts[1] = 1; r.parts[1] <= most[1]; r.parts[1]++) {
                if (m.by_rows || r.parts[0] * r.parts[1] > 1u) {
                    chosen[n] = r;
                    try_all(r.last + 1u, n + 1u, note);
                }
            }
        }
    }
}

/* The least of what has a peak of so many bytes at most. */
static uint64_t least_of(uint64_t peak)
{
    uint64_t least = UINT64_MAX;
    for (uint64_t i = 0; i <= peak && i < PEAKS; i++) {
        least = best[i] < least ? best[i] : least;
    }
    return least;
}

static gsp_status search(const gsp_tiles_desc *desc, gsp_tiles_result *r)
{
    static unsigned char arena_memory[1u << 22];
    gsp_arena arena;
    gsp_arena_init(&arena, arena_memory, sizeof arena_memory);
    return gsp_tiles_run(&arena, &c.g, desc, r, NULL);
}

/* Every point has the fewest MACs of its peak, and there is none between two. */
static void check_curve(const gsp_tiles_result *r)
{
    uint32_t const first = c.g.stream == 0u ? 1u : 0u;
    T_EQUAL(r->complete, 1u);
    if (r->n_points <= first) {
        T_EQUAL(least_of(PEAKS), UINT64_MAX);
    }
    for (uint32_t i = first; i < r->n_points; i++) {
        const gsp_tile_cost *cost = &r->points[i].cost;
        uint64_t const after = i + 1u < r->n_points ? r->points[i + 1u].cost.macs : UINT64_MAX;
        T_EQUAL(least_of(cost->peak), cost->macs);
        T_EQUAL(least_of(cost->peak - 1u), after);
    }
}

static void test_curve(void)
{
    t_rng rng = {t_seed};
    uint32_t const n = t_fast ? 500u : 3000u;
    uint32_t n_helped = 0;
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        gsp_tiles_result r;
        random_chain(&rng, 2u + t_below(&rng, 4u), 2u + t_below(&rng, 3u));
        memset(&m, 0, sizeof m);
        memset(best, 0xFF, sizeof best);
        try_all(1, 0, measure);
        T_EQUAL(search(NULL, &r), GSP_OK);
        check_curve(&r);
        n_helped += r.n_points > 1u ? 1u : 0u;
    }
    T_CHECK(n_helped > n / 10u);
}

/* Peaks alone differ by rows; each point is a peak that some set has, and the last is the least. */
static void test_by_rows(void)
{
    t_rng rng = {t_seed};
    uint32_t const n = t_fast ? 500u : 20000u;
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        gsp_tiles_desc desc = {0};
        gsp_tiles_result r;
        desc.by_rows = 1;
        random_chain(&rng, 2u + t_below(&rng, VALUES - 1u), ROWS);
        c.g.stream = GSP_NONE;
        c.ops[0].kind = c.ops[1].kind != GSP_TILE_NONE && t_below(&rng, 2u) == 0u
                            ? (uint32_t)GSP_TILE_SOURCE
                            : (uint32_t)GSP_TILE_FIXED;
        memset(&m, 0, sizeof m);
        memset(best, 0xFF, sizeof best);
        m.by_rows = 1;
        try_all(is_source(0) ? 0u : 1u, 0, measure);
        T_EQUAL(search(&desc, &r), GSP_OK);
        for (uint32_t k = 0; k < r.n_points; k++) {
            T_EQUAL(best[r.points[k].cost.peak], 0u);
        }
        T_EQUAL(r.n_points != 0u, least_of(PEAKS) == 0u);
        if (r.n_points != 0u) {
            T_EQUAL(least_of(r.points[r.n_points - 1u].cost.peak - 1u), UINT64_MAX);
        }
    }
}

/* ---- in a room ---- */

typedef struct rooms {
    gsp_tile_room room;
    uint8_t kind[VALUES];
    uint64_t alone[VALUES];
    uint32_t begin[VALUES + 1u];
    uint32_t weights[VALUES * VALUES];
    uint64_t moved; /* least within the limit, with the fewest MACs */
    uint64_t macs;
    uint64_t peak; /* least */
} rooms;

static rooms w;

static void random_room(t_rng *rng)
{
    uint32_t k = 0;
    memset(&w, 0, sizeof w);
    for (uint32_t v = 0; v < c.g.n; v++) {
        int is_streamed = 0;
        w.kind[v] =
            v != 0u && c.ops[v].kind != GSP_TILE_NONE ? (uint8_t)(1 + t_chance(rng, 10)) : 0;
        w.alone[v] = w.kind[v] != 0u ? c.values[v].bytes : 0u;
        for (uint32_t i = 0; i < c.ops[v].n_in; i++) {
            uint32_t const of = c.ins[c.ops[v].first_in + i];
            w.alone[v] += c.values[of].bytes;
            is_streamed |= of == c.g.stream;
        }
        w.alone[v] = is_streamed ? UINT64_MAX : w.alone[v];
        for (uint32_t of = 0; of < v && w.kind[v] != 0u; of++) {
            if (c.ops[of].kind == GSP_TILE_NONE && t_chance(rng, 70)) {
                w.weights[k++] = of;
            }
        }
        w.begin[v + 1u] = k;
    }
    w.room.kind = w.kind;
    w.room.alone = w.alone;
    w.room.begin = w.begin;
    w.room.weights = w.weights;
    w.room.limit = 1u + t_below(rng, 40u);
    w.room.params = t_chance(rng, 80) ? UINT64_MAX : t_below(rng, 9u);
    w.room.again = t_chance(rng, 50) ? UINT64_MAX : 100000u * t_below(rng, 10u);
    w.moved = w.macs = w.peak = UINT64_MAX;
}

/* What a step adds to the constants of its tile: paddings that differ, and one that fills. */
static uint64_t constants_of(const gsp_tile_plan *p, uint32_t begin, uint32_t at, int *is_filled)
{
    const gsp_tile_step *s = &p->steps[at];
    const gsp_tile_op *o = &c.ops[s->op];
    uint64_t bytes = o->padding;
    if (s->kind == GSP_TILE_STEP_SLICE) {
        return c.g.slice;
    }
    if (bytes == 0u || (s->kind != GSP_TILE_STEP_PAD &&
                           (s->kind != GSP_TILE_STEP_RUN || o->kind != GSP_TILE_PADDING))) {
        *is_filled |= s->kind == GSP_TILE_STEP_PAD && o->filler != 0u;
        return 0;
    }
    for (uint32_t i = begin; i < at; i++) {
        const gsp_tile_step *t = &p->steps[i];
        int const pads = t->kind == GSP_TILE_STEP_PAD ||
                         (t->kind == GSP_TILE_STEP_RUN && c.ops[t->op].kind == GSP_TILE_PADDING);
        if (pads && c.ops[t->op].padding != 0u && memcmp(t->before, s->before, 16) == 0) {
            bytes = 0; /* before and after lie side by side */
        }
    }
    if (s->kind == GSP_TILE_STEP_PAD && !*is_filled) {
        bytes += o->filler;
        *is_filled = o->filler != 0u;
    }
    return bytes;
}

/* Bytes of a tile, whose input lives from its beginning; what it reads of that. */
static uint64_t tile_bytes(const gsp_tile_plan *p, uint32_t tile, uint64_t *read)
{
    uint32_t of[PARTS];
    uint64_t constants = 0;
    uint32_t begin = 0;
    int is_filled = 0;
    m.n_buffers = m.now = 0;
    *read = 0;
    of[0] = GSP_NONE;
    for (; p->steps[begin].tile != tile; begin++) {
    }
    for (uint32_t i = begin; i < p->n_steps && p->steps[i].tile == tile; i++) {
        const gsp_tile_step *s = &p->steps[i];
        for (uint32_t k = 0; k < s->n_in && !s->is_cut; k++) {
            if (p->ins[s->first_in + k] == 0u && of[0] == GSP_NONE) {
                of[0] = new_buffer(p->values[0].bytes);
                *read += p->values[0].bytes;
            }
        }
        if (s->is_cut) {
            of[s->out] = new_buffer(p->values[s->out].bytes);
            *read += p->values[s->out].bytes;
        }
    }
    for (uint32_t i = begin; i < p->n_steps && p->steps[i].tile == tile; i++) {
        const gsp_tile_step *s = &p->steps[i];
        if (s->is_cut) {
            continue;
        }
        m.now++;
        constants += constants_of(p, begin, i, &is_filled);
        of[s->out] = new_buffer(p->values[s->out].bytes);
        for (uint32_t k = 0; k < s->n_in; k++) {
            m.buffers[of[p->ins[s->first_in + k]]].read = m.now;
        }
    }
    return peak_of_buffers(0, 0) + constants;
}

/* Bytes of parameters, each once. */
static uint64_t weights_of(const gsp_tile_region *r)
{
    uint8_t seen[VALUES] = {0};
    uint64_t bytes = 0;
    for (uint32_t k = w.begin[r->first]; k < w.begin[r->last + 1u]; k++) {
        bytes += seen[w.weights[k]] ? 0u : c.values[w.weights[k]].bytes;
        seen[w.weights[k]] = 1;
    }
    return bytes;
}

static int measure_tiles(const gsp_tile_region *r, gsp_tile_cost *sum)
{
    gsp_tile_plan p;
    uint64_t once = 0;
    uint64_t largest = 0;
    for (uint32_t v = r->first; v <= r->last; v++) {
        once += c.ops[v].macs;
        if (c.ops[v].kind != GSP_TILE_NONE && w.kind[v] != w.kind[r->first]) {
            return 0;
        }
    }
    if (plan_of(r, &p) != GSP_OK || weights_of(r) > w.room.params ||
        (w.room.again != UINT64_MAX && again(&p, r) * 1000000u > once * w.room.again)) {
        return 0;
    }
    for (uint32_t t = 0; t < r->parts[0] * r->parts[1]; t++) {
        uint64_t read;
        uint64_t const bytes = tile_bytes(&p, t, &read);
        largest = bytes > largest ? bytes : largest;
        sum->moved += read;
    }
    largest += weights_of(r);
    sum->peak = largest > sum->peak ? largest : sum->peak;
    sum->moved += c.values[r->last].bytes;
    sum->macs += again(&p, r);
    return 1;
}

static void measure_room(uint32_t n)
{
    gsp_tile_cost sum = {0, 0, 0, 0};
    uint32_t k = 0;
    for (uint32_t v = 0; v < c.g.n; v++) {
        if (k < n && chosen[k].first == v) {
            if (!measure_tiles(&chosen[k], &sum)) {
                return;
            }
            v = chosen[k++].last;
        } else {
            sum.peak = w.alone[v] > sum.peak ? w.alone[v] : sum.peak;
        }
    }
    w.peak = sum.peak < w.peak ? sum.peak : w.peak;
    if (sum.peak <= w.room.limit &&
        (sum.moved < w.moved || (sum.moved == w.moved && sum.macs < w.macs))) {
        w.moved = sum.moved;
        w.macs = sum.macs;
    }
}

static void test_room(void)
{
    t_rng rng = {t_seed};
    uint32_t const n = t_fast ? 500u : 3000u;
    uint32_t n_fit = 0;
    uint32_t n_moved = 0;
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        gsp_tiles_desc desc = {0};
        gsp_tiles_result r;
        random_chain(&rng, 2u + t_below(&rng, 4u), 2u + t_below(&rng, 3u));
        random_room(&rng);
        desc.room = &w.room;
        memset(&m, 0, sizeof m);
        try_all(1, 0, measure_room);
        T_EQUAL(search(&desc, &r), GSP_OK);
        T_EQUAL(r.complete, 1u);
        T_EQUAL(r.fits, w.moved != UINT64_MAX ? 1u : 0u);
        T_EQUAL(r.n_points, w.peak != UINT64_MAX ? 1u : 0u);
        if (r.fits) {
            T_EQUAL(r.points[0].cost.moved, w.moved);
            T_EQUAL(r.points[0].cost.macs, w.macs);
            T_CHECK(r.points[0].cost.peak <= w.room.limit);
            n_fit++;
            n_moved += w.moved != 0u ? 1u : 0u;
        } else if (r.n_points != 0u) {
            T_EQUAL(r.points[0].cost.peak, w.peak);
        }
    }
    T_CHECK(n_fit > n / 20u && n_moved > n / 50u);
}

void suite_oracle_tiles(void)
{
    t_run("plans", test_plans);
    t_run("rows", test_rows);
    t_run("curve", test_curve);
    t_run("by_rows", test_by_rows);
    t_run("room", test_room);
}
