/* Regions of a graph that run in tiles. A tile is some rows of the region's result and, backwards
 * through its operators, the rows that they need. A step may share rows with a neighbour: they are
 * computed twice. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define MOST_WORK (1u << 26) /* steps of all regions that are tried: seconds */

/* Row by row, that many operators are looked at in the time of a step. */
#define LINE_WORK 8u

/* With more regions than that, points of the curve are 1/64 apart. */
#define MANY_EDGES (1u << 16)

static uint64_t rounded(const tile_graph *g, uint64_t bytes)
{
    return cli_add(bytes, g->align - 1u) / g->align * g->align;
}

static const gsp_tensor *tensor_of(const tile_graph *g, uint32_t value)
{
    return &g->tensors[g->values[value].tensor];
}

/* ---- the steps of a region ---- */

/* Room for one more element. */
static void *one_more(tile_plan *p, void *list, uint32_t n, size_t size)
{
    return (n & (n - 1u)) == 0 ? cli_grow(p->session, list, (n == 0 ? 1u : 2u * (size_t)n) * size)
                               : list;
}

static uint32_t size_of(const tile_box *b, uint32_t axis)
{
    return b->end[axis] - b->first[axis];
}

/* Bytes of a part of a value, with that many rows and columns. */
static uint64_t bytes_of(const tile_graph *g, uint32_t of, uint32_t rows, uint32_t columns)
{
    const tile_input *v = &g->values[of];
    return v->bytes / v->rows[0] / v->rows[1] * rows * columns;
}

static uint32_t add_value(tile_plan *p, uint32_t of, const tile_box *box, uint64_t bytes)
{
    tile_value const v = {of, *box, bytes, 0};
    p->values = (tile_value *)one_more(p, p->values, p->n_values, sizeof v);
    p->values[p->n_values] = v;
    return p->n_values++;
}

static void add_in(tile_plan *p, uint32_t value)
{
    p->ins = (uint32_t *)one_more(p, p->ins, p->n_ins, sizeof value);
    p->ins[p->n_ins++] = value;
    p->values[value].last = p->n_steps;
}

/* A step that reads what add_in() has added since the one before. */
static tile_step *add_step(tile_plan *p, tile_kind kind, uint32_t op, uint32_t out)
{
    tile_step *s;
    p->steps = (tile_step *)one_more(p, p->steps, p->n_steps, sizeof *s);
    s = &p->steps[p->n_steps];
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->op = op;
    s->tile = p->tile;
    s->out = out;
    s->first_in = p->n_steps == 0 ? 0u : s[-1].first_in + s[-1].n_in;
    s->n_in = p->n_ins - s->first_in;
    p->values[out].last = p->n_steps++;
    return s;
}

/* What an operator reads along an axis for some rows of its result, and the padding. */
typedef struct span {
    uint32_t first;
    uint32_t end;
    uint32_t before;
    uint32_t after;
} span;

/* 0 if it reads no row, but padding alone. */
static int find_span(const tile_window *w, uint32_t rows, uint32_t first, uint32_t end, span *s)
{
    int64_t const from = (int64_t)first * w->stride - w->before;
    int64_t const to = ((int64_t)end - 1) * w->stride - w->before + w->span;
    if (w->factor != 0) {
        uint64_t const most = ((uint64_t)end - 1u) / w->factor + 1u + w->margin;
        s->before = s->after = 0;
        s->first = first / w->factor > w->margin ? first / w->factor - w->margin : 0u;
        s->end = most < rows ? (uint32_t)most : rows;
        return 1;
    }
    s->before = from < 0 ? (uint32_t)-from : 0u;
    s->after = to > (int64_t)rows ? (uint32_t)(to - rows) : 0u;
    s->first = from < 0 ? 0u : from < (int64_t)rows ? (uint32_t)from : rows;
    s->end = to < 0 ? 0u : to < (int64_t)rows ? (uint32_t)to : rows;
    if (w->is_same) { /* as far from a multiple of the stride as the whole: equal padding */
        s->before = s->after = 0;
        s->first -= s->first % w->stride;
        s->end += (rows - s->end) % w->stride;
    }
    return s->first < s->end;
}

/* The part of a value that an operator reads for a part of its result, with padding. An axis that
 * is not cut stays whole. */
static int find_part(const tile_graph *g, const tile_region *r, const tile_plan *p, uint32_t op,
    uint32_t of, tile_box *part, tile_step *padding)
{
    uint32_t a;
    for (a = 0; a < TILE_AXES; a++) {
        uint32_t const rows = g->values[of].rows[a];
        span s;
        if (!find_span(&g->ops[op].window[a], rows, p->box[op].first[a], p->box[op].end[a], &s)) {
            return 0;
        }
        part->first[a] = r->parts[a] == 1u ? 0u : s.first;
        part->end[a] = r->parts[a] == 1u ? rows : s.end;
        padding->before[a] = s.before;
        padding->after[a] = s.after;
    }
    return 1;
}

/* What a step yields of this part if it makes rows larger, or pads a tile as the whole: all of it,
 * of which the outer rows may be others than those of the whole. */
static void enlarge(const tile_op *o, const tile_box *part, tile_box *box)
{
    uint32_t a;
    for (a = 0; a < TILE_AXES; a++) {
        const tile_window *w = &o->window[a];
        if (w->factor != 0) {
            box->first[a] = part->first[a] * w->factor;
            box->end[a] = part->end[a] * w->factor;
        } else if (w->is_same) {
            box->first[a] = part->first[a] / w->stride;
            box->end[a] = (part->end[a] + w->stride - 1u) / w->stride;
        }
    }
}

/* The part that such a step reads which yields this box. */
static void reduce(
    const tile_graph *g, uint32_t op, uint32_t of, const tile_box *box, tile_box *part)
{
    uint32_t a;
    for (a = 0; a < TILE_AXES; a++) {
        const tile_window *w = &g->ops[op].window[a];
        if (w->factor != 0) {
            part->first[a] = box->first[a] / w->factor;
            part->end[a] = box->end[a] / w->factor;
        } else if (w->is_same) {
            uint32_t const behind = (g->values[op].rows[a] - box->end[a]) * w->stride;
            part->first[a] = box->first[a] * w->stride;
            part->end[a] = g->values[of].rows[a] - behind;
        }
    }
}

static void widen(tile_box *box, const tile_box *by)
{
    uint32_t a;
    for (a = 0; a < TILE_AXES; a++) {
        box->first[a] = by->first[a] < box->first[a] ? by->first[a] : box->first[a];
        box->end[a] = by->end[a] > box->end[a] ? by->end[a] : box->end[a];
    }
}

/* Parts of all values of the region, and of its entry, for that of its result. */
static int find_boxes(const tile_graph *g, const tile_region *r, tile_plan *p)
{
    tile_box const none = {{UINT32_MAX, UINT32_MAX}, {0, 0}};
    uint32_t op = r->last + 1u;
    uint32_t i;
    for (i = r->first; i < r->last; i++) {
        p->box[i] = none;
    }
    p->box[r->entry] = none;
    while (op-- > r->first) {
        const tile_op *o = &g->ops[op];
        tile_box part = none;
        tile_step padding;
        if (o->kind == TILE_NONE) {
            continue;
        }
        if (p->box[op].first[0] >= p->box[op].end[0]) {
            return 0;
        }
        for (i = o->first_in; i < o->first_in + o->n_in; i++) {
            if (!find_part(g, r, p, op, g->ins[i], &part, &padding)) {
                return 0;
            }
            widen(&p->box[g->ins[i]], &part);
        }
        enlarge(o, &part, &p->box[op]);
    }
    return 1;
}

static int is_equal(const tile_box *a, const tile_box *b)
{
    return a->first[0] == b->first[0] && a->end[0] == b->end[0] && a->first[1] == b->first[1] &&
           a->end[1] == b->end[1];
}

/* This part of a value: a slice, unless it has no more. */
static uint32_t take_part(
    const tile_graph *g, tile_plan *p, uint32_t from, const tile_box *part, uint32_t first_step)
{
    uint32_t const of = p->values[from].of;
    uint32_t i;
    if (is_equal(part, &p->values[from].box)) {
        return from;
    }
    for (i = first_step; i < p->n_steps; i++) {
        const tile_value *v = &p->values[p->steps[i].out];
        if (p->steps[i].kind == TILE_SLICE && v->of == of && is_equal(part, &v->box)) {
            return p->steps[i].out;
        }
    }
    add_in(p, from);
    i = add_value(p, of, part, bytes_of(g, of, size_of(part, 0), size_of(part, 1)));
    (void)add_step(p, TILE_SLICE, of, i);
    return i;
}

static void set_padding(tile_step *to, const tile_step *from)
{
    memcpy(to->before, from->before, sizeof to->before);
    memcpy(to->after, from->after, sizeof to->after);
}

/* The value with its padding; itself if there is none. */
static uint32_t put_padding(
    const tile_graph *g, tile_plan *p, uint32_t op, uint32_t from, const tile_step *padding)
{
    tile_value const v = p->values[from];
    uint32_t size[TILE_AXES];
    uint32_t made;
    uint32_t a;
    int any = 0;
    for (a = 0; a < TILE_AXES; a++) {
        size[a] = size_of(&v.box, a) + padding->before[a] + padding->after[a];
        any |= size[a] != size_of(&v.box, a);
    }
    if (!any) {
        return from;
    }
    made = add_value(p, v.of, &v.box, bytes_of(g, v.of, size[0], size[1]));
    add_in(p, from);
    set_padding(add_step(p, TILE_PAD, op, made), padding);
    return made;
}

/* An operator in a tile, with the slices and paddings before it. */
static void put_op(
    const tile_graph *g, const tile_region *r, tile_plan *p, uint32_t op, uint32_t first_step)
{
    const tile_op *o = &g->ops[op];
    const tile_box *box = &p->box[op];
    uint32_t ready[TILE_MOST_INPUTS] = {0};
    uint32_t i;
    tile_step padding;
    memset(&padding, 0, sizeof padding);
    for (i = 0; i < o->n_in; i++) {
        uint32_t const of = g->ins[o->first_in + i];
        tile_box part = *box;
        (void)find_part(g, r, p, op, of, &part, &padding);
        reduce(g, op, of, box, &part);
        ready[i] = take_part(g, p, p->at[of], &part, first_step);
        if (o->kind == TILE_OP) {
            ready[i] = put_padding(g, p, op, ready[i], &padding);
        }
    }
    p->at[op] = add_value(p, op, box, bytes_of(g, op, size_of(box, 0), size_of(box, 1)));
    for (i = 0; i < o->n_in; i++) {
        add_in(p, ready[i]);
    }
    set_padding(add_step(p, TILE_RUN, op, p->at[op]), &padding);
}

/* What a tile reads: all of the entry, or an input with its part alone. */
static void take_entry(const tile_graph *g, const tile_region *r, tile_plan *p)
{
    const tile_box *box = &p->box[r->entry];
    p->at[r->entry] = 0;
    if (r->entry == g->stream) {
        p->at[r->entry] =
            add_value(p, r->entry, box, bytes_of(g, r->entry, size_of(box, 0), size_of(box, 1)));
        (void)add_step(p, TILE_INPUT, r->entry, p->at[r->entry]);
    }
}

/* Where a tile begins. Later ones are smaller by a row, since results of those before lie beside.
 */
static uint32_t begin_of(uint32_t rows, uint32_t parts, uint32_t tile)
{
    uint32_t const larger = rows % parts;
    return rows / parts * tile + (tile < larger ? tile : larger);
}

/* The value of a tile's result, or GSP_NONE. */
static uint32_t put_tile(const tile_graph *g, const tile_region *r, tile_plan *p)
{
    uint32_t const first_step = p->n_steps;
    tile_box const result = p->box[r->last];
    uint32_t i;
    if (!find_boxes(g, r, p)) {
        return GSP_NONE;
    }
    take_entry(g, r, p);
    for (i = r->first; i <= r->last; i++) {
        if (g->ops[i].kind != TILE_NONE) {
            put_op(g, r, p, i, first_step);
        }
    }
    return take_part(g, p, p->at[r->last], &result, first_step);
}

/* The first of these values if there are no others, else all in one. */
static uint32_t put_concat(const tile_graph *g, const tile_region *r, tile_plan *p,
    const uint32_t *parts, uint32_t n, uint32_t axis)
{
    tile_box box = p->values[parts[0]].box;
    uint32_t made;
    uint32_t i;
    if (n == 1u) {
        return parts[0];
    }
    for (i = 0; i < n; i++) {
        widen(&box, &p->values[parts[i]].box);
        add_in(p, parts[i]);
    }
    made = add_value(p, r->last, &box, bytes_of(g, r->last, size_of(&box, 0), size_of(&box, 1)));
    add_step(p, TILE_CONCAT, r->last, made)->axis = axis;
    return made;
}

int tile_expand(const tile_graph *g, const tile_region *r, tile_plan *p)
{
    const uint32_t *rows = g->values[r->last].rows;
    tile_box all = {{0, 0}, {0, 0}};
    uint32_t bands[TILE_MOST_PARTS];
    uint32_t tiles[TILE_MOST_PARTS];
    uint32_t t[TILE_AXES];
    uint32_t a;
    p->n_steps = p->n_values = p->n_ins = 0;
    memcpy(all.end, g->values[r->entry].rows, sizeof all.end);
    (void)add_value(p, r->entry, &all, g->values[r->entry].bytes);
    for (t[0] = 0; t[0] < r->parts[0]; t[0]++) {
        for (t[1] = 0; t[1] < r->parts[1]; t[1]++) {
            for (a = 0; a < TILE_AXES; a++) {
                p->box[r->last].first[a] = begin_of(rows[a], r->parts[a], t[a]);
                p->box[r->last].end[a] = begin_of(rows[a], r->parts[a], t[a] + 1u);
            }
            p->tile = t[0] * r->parts[1] + t[1];
            if ((tiles[t[1]] = put_tile(g, r, p)) == GSP_NONE) {
                return 0;
            }
        }
        p->tile = GSP_NONE;
        bands[t[0]] = put_concat(g, r, p, tiles, r->parts[1], 1u);
    }
    (void)put_concat(g, r, p, bands, r->parts[0], 0);
    return 1;
}

void tile_plan_open(struct cli_session *s, const tile_graph *g, tile_plan *p)
{
    memset(p, 0, sizeof *p);
    p->session = s;
    p->box = (tile_box *)cli_alloc(s, (size_t)g->n + 1u, sizeof *p->box);
    p->at = (uint32_t *)cli_alloc(s, (size_t)g->n + 1u, sizeof *p->at);
}

/* ---- what a region costs ---- */

/* A constant that an operator makes. */
static int is_made(const tile_graph *g, uint32_t op)
{
    return g->ops[op].kind == TILE_NONE && g->ops[op].why != NULL &&
           g->values[op].tensor != GSP_NONE;
}

static uint64_t macs_of(const tile_graph *g, uint32_t op, const tile_box *box)
{
    const uint32_t *rows = g->values[op].rows;
    double const whole = (double)rows[0] * rows[1];
    return cli_whole(
        (double)g->ops[op].macs * ((double)size_of(box, 0) * size_of(box, 1)) / whole + 0.5);
}

/* The steps of a plan: most bytes that live at once beside `outside`, and what they do more. */
static void measure(const tile_graph *g, const tile_region *r, uint64_t outside, int entry_stays,
    tile_plan *p, tile_cost *cost)
{
    uint64_t const entry = r->entry == g->stream ? 0u : rounded(g, tensor_of(g, r->entry)->bytes);
    uint64_t live = outside + entry;
    uint64_t once = 0;
    uint32_t i;
    uint32_t k;
    memset(cost, 0, sizeof *cost);
    for (i = 0; i < p->n_steps; i++) {
        const tile_step *s = &p->steps[i];
        const tile_value *out = &p->values[s->out];
        live += rounded(g, out->bytes);
        cost->peak = live > cost->peak ? live : cost->peak;
        cost->moved += s->kind != TILE_RUN && s->kind != TILE_INPUT ? out->bytes : 0u;
        cost->steps += s->kind != TILE_INPUT ? 1u : 0u;
        cost->macs += s->kind == TILE_RUN ? macs_of(g, s->op, &out->box) : 0u;
        for (k = s->first_in; k < s->first_in + s->n_in; k++) {
            tile_value *v = &p->values[p->ins[k]];
            if (v->last == i && (p->ins[k] != 0 || !entry_stays)) {
                live -= p->ins[k] == 0 ? entry : rounded(g, v->bytes);
                v->last = UINT32_MAX; /* an operator may read it twice */
            }
        }
    }
    for (i = r->first; i <= r->last; i++) {
        once += g->ops[i].kind == TILE_NONE ? 0u : g->ops[i].macs;
        cost->steps += is_made(g, i) ? 1u : 0u;
    }
    cost->macs = cost->macs > once ? cost->macs - once : 0u; /* rows that nothing reads are saved */
}

/* Steps of a tile begin here and end before the next one's, or a concatenation. */
static uint32_t end_of_tile(const tile_plan *p, uint32_t begin)
{
    uint32_t end = begin;
    while (end < p->n_steps && p->steps[end].tile == p->steps[begin].tile) {
        end++;
    }
    return end;
}

int tile_is_cut(const tile_plan *p, const tile_step *step)
{
    return step->kind == TILE_INPUT ||
           (step->kind == TILE_SLICE && p->ins[step->first_in] == 0 && step->tile != GSP_NONE);
}

/* A step that pads by a constant. */
static int is_padding(const tile_graph *g, const tile_step *s)
{
    return (s->kind == TILE_PAD || (s->kind == TILE_RUN && g->ops[s->op].kind == TILE_PADDING)) &&
           g->ops[s->op].padding != 0;
}

/* Bytes of the constants of a step that no step before it in its tile has; of a slice at most. */
static uint64_t constants_of(const tile_graph *g, const tile_plan *p, uint32_t begin, uint32_t at)
{
    const tile_step *s = &p->steps[at];
    uint32_t padding = g->ops[s->op].padding;
    uint32_t filler = s->kind == TILE_PAD ? g->ops[s->op].filler : 0u;
    uint32_t i;
    if (!is_padding(g, s)) {
        return s->kind == TILE_SLICE ? g->slice : 0u;
    }
    for (i = begin; i < at; i++) {
        const tile_step *other = &p->steps[i];
        if (is_padding(g, other) && memcmp(other->before, s->before, sizeof s->before) == 0 &&
            memcmp(other->after, s->after, sizeof s->after) == 0) {
            padding = 0;
        }
        filler = other->kind == TILE_PAD && g->ops[other->op].filler != 0 ? 0u : filler;
    }
    return padding + filler;
}

/* What a tile reads of the region's input: its cuts, or all of that. *last: the step that reads all
 * of it last. */
static uint64_t read_of_tile(const tile_plan *p, uint32_t begin, uint32_t end, uint32_t *last)
{
    uint64_t bytes = 0;
    uint32_t i;
    uint32_t k;
    *last = UINT32_MAX;
    for (i = begin; i < end; i++) {
        const tile_step *s = &p->steps[i];
        bytes += tile_is_cut(p, s) ? p->values[s->out].bytes : 0u;
        for (k = s->first_in; k < s->first_in + s->n_in && !tile_is_cut(p, s); k++) {
            *last = p->ins[k] == 0 ? i : *last;
        }
    }
    return bytes + (*last != UINT32_MAX ? p->values[0].bytes : 0u);
}

/* Most bytes that live at once in a tile, whose input does from the beginning. */
static uint64_t peak_of_tile(const tile_graph *g, tile_plan *p, uint32_t begin, uint32_t end)
{
    uint32_t last;
    uint64_t live = read_of_tile(p, begin, end, &last);
    uint64_t peak = live;
    uint64_t constants = 0;
    uint32_t i;
    uint32_t k;
    for (i = begin; i < end; i++) {
        const tile_step *s = &p->steps[i];
        if (tile_is_cut(p, s)) {
            continue;
        }
        constants += constants_of(g, p, begin, i);
        live += p->values[s->out].bytes;
        peak = live > peak ? live : peak;
        for (k = s->first_in; k < s->first_in + s->n_in; k++) {
            uint32_t *ends = p->ins[k] == 0 ? &last : &p->values[p->ins[k]].last;
            if (*ends == i) {
                live -= p->values[p->ins[k]].bytes;
                *ends = UINT32_MAX; /* an operator may read it twice */
            }
        }
    }
    return peak + constants;
}

/* Bytes of the parameters of a region. */
static uint64_t weights_of(
    const tile_graph *g, const tile_room *room, const tile_region *r, tile_plan *p)
{
    uint32_t const end = room->begin[r->last + 1u];
    uint64_t bytes = 0;
    uint32_t i;
    for (i = room->begin[r->first]; i < end; i++) {
        p->at[room->weights[i]] = GSP_NONE; /* these values are in no tile */
    }
    for (i = room->begin[r->first]; i < end; i++) {
        uint32_t *at = &p->at[room->weights[i]];
        bytes += *at == GSP_NONE ? g->values[room->weights[i]].bytes : 0u;
        *at = 0;
    }
    return bytes;
}

void tile_measure_room(
    const tile_graph *g, const tile_room *room, const tile_region *r, tile_plan *p, tile_cost *cost)
{
    uint64_t once = 0;
    uint32_t begin;
    uint32_t end;
    uint32_t i;
    memset(cost, 0, sizeof *cost);
    cost->moved = g->values[r->last].bytes;
    cost->steps = r->parts[0] * r->parts[1];
    for (begin = 0; begin < p->n_steps; begin = end) {
        uint32_t last;
        uint64_t peak;
        end = end_of_tile(p, begin);
        if (p->steps[begin].tile != GSP_NONE) {
            cost->moved += read_of_tile(p, begin, end, &last);
            peak = peak_of_tile(g, p, begin, end);
            cost->peak = peak > cost->peak ? peak : cost->peak;
        }
    }
    cost->peak += weights_of(g, room, r, p);
    for (i = 0; i < p->n_steps; i++) {
        const tile_step *s = &p->steps[i];
        cost->macs += s->kind == TILE_RUN ? macs_of(g, s->op, &p->values[s->out].box) : 0u;
    }
    for (i = r->first; i <= r->last; i++) {
        once += g->ops[i].kind == TILE_NONE ? 0u : g->ops[i].macs;
    }
    cost->macs = cost->macs > once ? cost->macs - once : 0u;
}

/* ---- regions ---- */

typedef struct edge {
    tile_region region;
    tile_cost cost;
} edge;

typedef struct search {
    const tile_graph *g;
    tile_plan plan;
    uint64_t *live; /* [n] bytes while an operator runs that is in no tile */
    edge *edges;    /* by first operator */
    uint32_t n_edges;
    uint32_t *edge_begin; /* [n + 1] */
    uint32_t *from;       /* [n + 1] the edge that leads there, or GSP_NONE */
    tile_cost *best;      /* [n + 1] */
    uint32_t *across; /* [n_across] tensors that live before the operator from which ranges begin */
    uint32_t n_across;
    uint64_t floor; /* bytes that no tiles make less: of operators in none */
    uint64_t work;
    int by_lines;          /* each row once, with rolling buffers, in place of tiles */
    const tile_room *room; /* tiles are there, and all else elsewhere; or NULL */
    uint64_t most;         /* of a room: bytes that are too many */
} search;

uint32_t tile_breach(const tile_graph *g, tile_region *r, const char **why)
{
    uint32_t i;
    uint32_t k;
    r->entry = GSP_NONE;
    for (i = r->first; i <= r->last; i++) {
        const tile_op *o = &g->ops[i];
        for (k = o->first_in; k < o->first_in + o->n_in; k++) {
            uint32_t const of = g->ins[k];
            if (of < r->first && r->entry != GSP_NONE && r->entry != of) {
                *why = "reads a second value from outside";
                return i;
            }
            r->entry = of < r->first ? of : r->entry;
        }
        if (o->kind != TILE_NONE && i != r->last && tensor_of(g, i)->end > r->last) {
            *why = "yields a value that is read outside";
            return i;
        }
    }
    return GSP_NONE;
}

/* A range of operators with one entry, or a source, and one exit; 0 if it has others. */
static int is_region(const tile_graph *g, tile_region *r)
{
    const char *why;
    return tile_breach(g, r, &why) == GSP_NONE &&
           (r->entry != GSP_NONE || g->ops[r->first].kind == TILE_SOURCE);
}

/* The tensor that a region reads; NULL of a source. */
static const gsp_tensor *entry_of(const tile_graph *g, const tile_region *r)
{
    return r->entry != GSP_NONE ? tensor_of(g, r->entry) : NULL;
}

/* Bytes that live before and through a region, but its entry. All constants that it reads do. */
static uint64_t bytes_across(const search *w, const tile_region *r)
{
    uint64_t bytes = 0;
    uint32_t i;
    for (i = 0; i < w->n_across; i++) {
        const gsp_tensor *t = &w->g->tensors[w->across[i]];
        bytes += t != entry_of(w->g, r) ? rounded(w->g, t->bytes) : 0u;
    }
    for (i = r->first; i <= r->last; i++) {
        bytes += is_made(w->g, i) ? rounded(w->g, tensor_of(w->g, i)->bytes) : 0u;
    }
    return bytes;
}

static void find_across(search *w, uint32_t first)
{
    uint32_t i;
    w->n_across = 0;
    for (i = 0; i < w->g->n_tensors; i++) {
        int const comes = w->g->stream != GSP_NONE && i == w->g->values[w->g->stream].tensor;
        if (!comes && w->g->tensors[i].begin < first && w->g->tensors[i].end >= first) {
            w->across[w->n_across++] = i;
        }
    }
}

static int is_less(const search *w, const tile_cost *a, const tile_cost *b)
{
    if (w->room != NULL && a->moved != b->moved) {
        return a->moved < b->moved;
    }
    return a->macs != b->macs     ? a->macs < b->macs
           : a->moved != b->moved ? a->moved < b->moved
                                  : a->steps < b->steps;
}

/* Adds a region, unless another with the same operators is as good. */
static void add_edge(search *w, const tile_region *r, const tile_cost *cost, uint32_t first_edge)
{
    edge const made = {*r, *cost};
    uint32_t i;
    for (i = first_edge; i < w->n_edges; i++) {
        const tile_cost *other = &w->edges[i].cost;
        if (other->peak <= cost->peak && !is_less(w, cost, other)) {
            return;
        }
    }
    w->edges = (edge *)one_more(&w->plan, w->edges, w->n_edges, sizeof made);
    w->edges[w->n_edges++] = made;
}

/* ---- rows one by one ---- */

/* The first row that an operator of a region reads next. */
static uint32_t next_row(const tile_graph *g, const tile_plan *p, uint32_t op, uint32_t rows)
{
    const tile_window *w = &g->ops[op].window[0];
    uint64_t const row = (uint64_t)p->box[op].end[0] * w->stride;
    uint64_t const first =
        w->factor != 0
            ? row / w->factor - (row / w->factor > w->margin ? w->margin : row / w->factor)
        : row > w->before ? row - w->before
                          : 0u;
    return p->box[op].end[0] == g->values[op].rows[0] || first > rows ? rows : (uint32_t)first;
}

/* After a new row of a value: as many rows as its readers need from here on are kept. */
static void keep_rows(const tile_graph *g, const tile_region *r, tile_plan *p, uint32_t value)
{
    tile_box *box = &p->box[value];
    uint32_t least = box->end[0];
    uint32_t op;
    uint32_t i;
    for (op = value + 1u; op <= r->last; op++) {
        for (i = g->ops[op].first_in; i < g->ops[op].first_in + g->ops[op].n_in; i++) {
            uint32_t const next =
                g->ins[i] == value ? next_row(g, p, op, g->values[value].rows[0]) : least;
            least = next < least ? next : least;
        }
    }
    least = box->end[0] - least;
    box->first[0] = least > box->first[0] ? least : box->first[0];
}

/* The value of which an operator lacks a row for its next one; GSP_NONE if it can run. */
static uint32_t lacks(const tile_graph *g, const tile_region *r, const tile_plan *p, uint32_t op)
{
    const tile_op *o = &g->ops[op];
    uint32_t i;
    for (i = o->first_in; i < o->first_in + o->n_in; i++) {
        uint32_t const of = g->ins[i];
        span s = {0, 0, 0, 0};
        (void)find_span(
            &o->window[0], g->values[of].rows[0], p->box[op].end[0], p->box[op].end[0] + 1u, &s);
        if (of >= r->first && p->box[of].end[0] < s.end) {
            return of;
        }
    }
    return GSP_NONE;
}

uint64_t tile_measure_lines(const tile_graph *g, const tile_region *r, tile_plan *p)
{
    uint64_t bytes = 0;
    uint64_t scratch = 0;
    uint32_t i;
    for (i = r->first; i <= r->last; i++) {
        p->box[i].first[0] = p->box[i].end[0] = 0;
        scratch = g->ops[i].scratch > scratch ? g->ops[i].scratch : scratch;
    }
    while (p->box[r->last].end[0] < g->values[r->last].rows[0]) {
        uint32_t op = r->last;
        uint32_t next;
        while ((next = lacks(g, r, p, op)) != GSP_NONE) {
            op = next;
        }
        p->box[op].end[0]++;
        keep_rows(g, r, p, op);
    }
    for (i = r->first; i < r->last; i++) {
        if (g->ops[i].kind != TILE_NONE) {
            bytes += rounded(g, g->values[i].bytes / g->values[i].rows[0] * p->box[i].first[0]);
        }
    }
    return bytes + rounded(g, scratch);
}

/* A range of operators row by row, if that needs less. */
static void try_lines(search *w, tile_region *r, uint64_t outside, uint64_t untiled)
{
    const tile_graph *g = w->g;
    const gsp_tensor *entry = entry_of(g, r);
    tile_cost cost = {0, 0, 0, 1};
    uint32_t i;
    for (i = r->first; i <= r->last; i++) {
        w->work += (uint64_t)g->values[i].rows[0] * (r->last - r->first + 1u) / LINE_WORK;
    }
    if (w->work > MOST_WORK) {
        return;
    }
    cost.peak = outside + (entry != NULL ? rounded(g, entry->bytes) : 0u) +
                rounded(g, g->values[r->last].bytes) + tile_measure_lines(g, r, &w->plan);
    if (cost.peak < untiled) {
        add_edge(w, r, &cost, w->n_edges);
    }
}

static uint32_t most_parts(const tile_graph *g, uint32_t value, uint32_t axis)
{
    uint32_t const rows = g->values[value].rows[axis];
    return rows < TILE_MOST_PARTS ? rows : TILE_MOST_PARTS;
}

static int is_grid(const uint32_t *parts)
{
    uint32_t const n = parts[0] * parts[1];
    return n > 1u && (parts[0] == 1u || parts[1] == 1u || n <= TILE_MOST_GRID);
}

/* ---- tiles in a room ---- */

/* Adds a tiling whose tiles take less than `most`. */
static void try_room(search *w, tile_region *r, uint64_t most, uint32_t first_edge)
{
    const tile_graph *g = w->g;
    double once = 0.0;
    tile_cost cost;
    uint32_t i;
    for (i = r->first; i <= r->last; i++) {
        once += g->ops[i].kind == TILE_NONE ? 0.0 : (double)g->ops[i].macs;
    }
    tile_measure_room(g, w->room, r, &w->plan, &cost);
    r->macs = cost.macs;
    if (cost.peak < most && (double)cost.macs <= once * w->room->again) {
        add_edge(w, r, &cost, first_edge);
    }
}

/* What a range of operators needs beside its tiles. */
typedef struct beside {
    uint64_t outside; /* bytes that live through it */
    uint64_t untiled; /* bytes without tiles */
    uint32_t first_edge;
    int stays; /* its entry is read later, too */
} beside;

/* Adds a tiling that is in the plan. */
static void try_tiling(search *w, tile_region *r, const beside *b)
{
    tile_cost cost;
    if (w->room != NULL) {
        try_room(w, r, b->untiled < w->most ? b->untiled : w->most, b->first_edge);
        return;
    }
    measure(w->g, r, b->outside, b->stays, &w->plan, &cost);
    r->macs = cost.macs;
    if (cost.peak < b->untiled) {
        add_edge(w, r, &cost, b->first_edge);
    }
}

static void try_tilings(search *w, tile_region *r, const beside *b)
{
    const tile_graph *g = w->g;
    for (r->parts[1] = 1; r->parts[1] <= most_parts(g, r->last, 1u); r->parts[1]++) {
        for (r->parts[0] = 1; r->parts[0] <= most_parts(g, r->last, 0); r->parts[0]++) {
            if (is_grid(r->parts)) {
                int const is_possible = tile_expand(g, r, &w->plan);
                w->work += w->plan.n_steps + 1u;
                if (is_possible) {
                    try_tiling(w, r, b);
                }
            }
        }
    }
}

/* All tilings of a range of operators that need less than the range without tiles. */
static void try_range(search *w, uint32_t first, uint32_t last, uint64_t untiled)
{
    const tile_graph *g = w->g;
    tile_region r = {first, last, GSP_NONE, {1, 1}, 0};
    beside b = {0, untiled, w->n_edges, 0};
    uint64_t least;
    if (untiled <= w->floor || w->work > MOST_WORK || !is_region(g, &r)) {
        return;
    }
    b.outside = w->room != NULL ? 0u : bytes_across(w, &r);
    if (w->by_lines) {
        try_lines(w, &r, b.outside, untiled);
        return;
    }
    b.stays = tensor_of(g, r.entry)->end > last;
    if (b.stays && r.entry == g->stream) {
        return;
    }
    least = 2u * g->values[last].bytes + (b.stays ? tensor_of(g, r.entry)->bytes : 0u);
    if (w->room != NULL ? weights_of(g, w->room, &r, &w->plan) <= w->room->params
                        : b.outside + least < untiled) {
        try_tilings(w, &r, &b);
    }
}

/* Steps that may be in one region: of a room those of one accelerator. */
static int is_beside(const search *w, uint32_t first, uint32_t last)
{
    tile_nature const kind = w->g->ops[last].kind;
    return kind == TILE_NONE ||
           (kind != TILE_FIXED && (w->room == NULL || w->room->kind[first] == w->room->kind[last]));
}

/* Whether a region may begin and end there, if one is given. */
static int may_be(const tile_graph *g, uint32_t first, uint32_t last)
{
    return g->first == GSP_NONE || (first == g->first && last == g->last);
}

static void find_edges(search *w)
{
    const tile_graph *g = w->g;
    uint32_t first;
    for (first = 0; first < g->n; first++) {
        uint64_t untiled = 0;
        uint32_t n_ops = 0;
        uint32_t last;
        w->edge_begin[first] = w->n_edges;
        if (g->ops[first].kind == TILE_NONE || g->ops[first].kind == TILE_FIXED) {
            continue;
        }
        find_across(w, first);
        for (last = first; last < g->n && n_ops < TILE_MOST_OPS && is_beside(w, first, last);
             last++) {
            untiled = w->live[last] > untiled ? w->live[last] : untiled;
            n_ops += g->ops[last].kind != TILE_NONE ? 1u : 0u;
            if (g->ops[last].kind != TILE_NONE && may_be(g, first, last)) {
                try_range(w, first, last, untiled);
            }
        }
    }
    w->edge_begin[g->n] = w->n_edges;
}

/* ---- the curve ---- */

static void relax(search *w, uint32_t from, uint32_t to, uint32_t by, const tile_cost *cost)
{
    tile_cost sum = w->best[from];
    sum.macs += cost->macs;
    sum.moved += cost->moved;
    sum.steps += cost->steps;
    sum.peak = cost->peak > sum.peak ? cost->peak : sum.peak;
    if (w->best[to].steps == UINT32_MAX || is_less(w, &sum, &w->best[to])) {
        w->best[to] = sum;
        w->from[to] = by;
    }
}

static int is_operator(const tile_op *o)
{
    return o->kind == TILE_OP || o->kind == TILE_PADDING || o->why != NULL;
}

/* The tiling with the fewest extra MACs of those below a peak; 0 if there is none. */
static int find_path(search *w, uint64_t below)
{
    const tile_graph *g = w->g;
    uint32_t at;
    uint32_t i;
    memset(w->best, 0xFF, ((size_t)g->n + 1u) * sizeof *w->best);
    memset(w->best, 0, sizeof *w->best);
    for (at = 0; at < g->n; at++) {
        tile_cost const plain = {w->live[at], 0, 0, is_operator(&g->ops[at]) ? 1u : 0u};
        if (w->best[at].steps == UINT32_MAX) {
            continue;
        }
        if (plain.peak < below) {
            relax(w, at, at + 1u, GSP_NONE, &plain);
        }
        for (i = w->edge_begin[at]; i < w->edge_begin[at + 1u]; i++) {
            if (w->edges[i].cost.peak < below) {
                relax(w, at, w->edges[i].region.last + 1u, i, &w->edges[i].cost);
            }
        }
    }
    return w->best[g->n].steps != UINT32_MAX;
}

static void add_point(search *w, tile_curve *curve)
{
    const tile_graph *g = w->g;
    tile_point p = {w->best[g->n], NULL, 0, 0};
    uint32_t at = g->n;
    p.regions = (tile_region *)cli_alloc(w->plan.session, (size_t)g->n + 1u, sizeof *p.regions);
    while (at > 0) {
        const edge *e = w->from[at] == GSP_NONE ? NULL : &w->edges[w->from[at]];
        uint32_t const before = e == NULL ? at - 1u : e->region.first;
        if ((e == NULL ? w->live[before] : e->cost.peak) == p.cost.peak) {
            p.busiest = before;
        }
        if (e != NULL) {
            memmove(p.regions + 1, p.regions, p.n_regions * sizeof *p.regions);
            p.regions[0] = e->region;
            p.n_regions++;
        }
        at = before;
    }
    curve->points = (tile_point *)one_more(&w->plan, curve->points, curve->n_points, sizeof p);
    curve->points[curve->n_points++] = p;
}

static void open_search(search *w, struct cli_session *s, const tile_graph *g)
{
    uint32_t i;
    uint32_t k;
    w->g = g;
    tile_plan_open(s, g, &w->plan);
    w->live = (uint64_t *)cli_alloc(s, (size_t)g->n + 1u, sizeof *w->live);
    w->edge_begin = (uint32_t *)cli_alloc(s, (size_t)g->n + 1u, sizeof *w->edge_begin);
    w->from = (uint32_t *)cli_alloc(s, (size_t)g->n + 1u, sizeof *w->from);
    w->best = (tile_cost *)cli_alloc(s, (size_t)g->n + 1u, sizeof *w->best);
    w->across = (uint32_t *)cli_alloc(s, (size_t)g->n_tensors + 1u, sizeof *w->across);
    for (i = 0; i < g->n_tensors && w->room == NULL; i++) {
        for (k = g->tensors[i].begin; k <= g->tensors[i].end && k < g->n; k++) {
            w->live[k] += rounded(g, g->tensors[i].bytes);
        }
    }
}

/* From here on an input takes no memory, and no operator reads it as a whole. */
static void cut_input(search *w, uint32_t input)
{
    const tile_graph *g = w->g;
    const gsp_tensor *t = tensor_of(g, input);
    uint32_t i;
    uint32_t k;
    for (i = t->begin; i <= t->end && i < g->n; i++) {
        w->live[i] -= rounded(g, t->bytes);
        for (k = g->ops[i].first_in; k < g->ops[i].first_in + g->ops[i].n_in; k++) {
            w->live[i] = g->ins[k] == input ? UINT64_MAX : w->live[i];
        }
    }
}

static void find_regions(search *w)
{
    const tile_graph *g = w->g;
    uint32_t i;
    for (i = 0; i < g->n; i++) {
        w->floor = g->ops[i].kind == TILE_FIXED && w->live[i] > w->floor ? w->live[i] : w->floor;
    }
    if (w->room != NULL && w->most != UINT64_MAX && w->floor < w->room->limit) {
        w->floor = w->room->limit; /* what is within needs no tiles */
    }
    find_edges(w);
}

void tile_search(struct cli_session *s, const tile_graph *g, tile_curve *curve)
{
    search w;
    uint64_t below = UINT64_MAX;
    memset(&w, 0, sizeof w);
    memset(curve, 0, sizeof *curve);
    open_search(&w, s, g);
    if (g->stream != GSP_NONE && find_path(&w, below)) {
        add_point(&w, curve);
        cut_input(&w, g->stream);
    }
    find_regions(&w);
    curve->complete = w.work <= MOST_WORK;
    while (find_path(&w, below)) {
        add_point(&w, curve);
        below = curve->points[curve->n_points - 1u].cost.peak;
        if (w.n_edges > MANY_EDGES) {
            below -= below / 64u;
            curve->complete = 0;
        }
    }
}

/* The points from the one of fewest bytes moved on, each with a smaller peak below `most`; at most
 * n of them. */
static void find_points(search *w, uint64_t most, uint32_t n, tile_curve *curve)
{
    uint64_t below = w->most = most;
    memset(curve, 0, sizeof *curve);
    w->n_edges = 0;
    w->floor = 0;
    find_regions(w);
    while (curve->n_points < n && find_path(w, below)) {
        add_point(w, curve);
        below = curve->points[curve->n_points - 1u].cost.peak;
    }
}

int tile_place(struct cli_session *s, const tile_graph *g, const tile_room *room, tile_point *point,
    int *complete)
{
    tile_point const none = {{0, 0, 0, 0}, NULL, 0, GSP_NONE};
    tile_curve curve;
    search w;
    int is_found;
    memset(&w, 0, sizeof w);
    w.room = room;
    open_search(&w, s, g);
    memcpy(w.live, room->alone, g->n * sizeof *w.live);
    find_points(&w, cli_add(room->limit, 1u), 1u, &curve);
    is_found = curve.n_points != 0;
    if (!is_found) {
        w.work = 0;
        find_points(&w, UINT64_MAX, UINT32_MAX, &curve);
    }
    *complete = w.work <= MOST_WORK;
    *point = curve.n_points != 0 ? curve.points[curve.n_points - 1u] : none;
    return is_found;
}

void tile_by_rows(tile_graph *g)
{
    uint32_t i;
    for (i = 0; i < g->n; i++) {
        g->ops[i].window[0].is_same = g->ops[i].window[1].is_same = 0;
    }
}

void tile_lines(struct cli_session *s, const tile_graph *g, tile_curve *curve)
{
    tile_graph whole = *g;
    search w;
    uint64_t below = UINT64_MAX;
    uint32_t i;
    memset(curve, 0, sizeof *curve);
    memset(&w, 0, sizeof w);
    w.by_lines = 1;
    whole.stream = GSP_NONE;
    open_search(&w, s, &whole);
    for (i = 0; i < g->n; i++) {
        if (g->ops[i].kind == TILE_SOURCE) {
            cut_input(&w, i);
            w.live[i] = UINT64_MAX;
        }
    }
    if (find_path(&w, below)) { /* no regions yet */
        below = w.best[g->n].peak;
        add_point(&w, curve);
    }
    find_regions(&w);
    curve->complete = w.work <= MOST_WORK;
    while (find_path(&w, below)) {
        below = w.best[g->n].peak;
        add_point(&w, curve);
    }
}
