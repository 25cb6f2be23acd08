/* Groups of operators that run together for --stream --fit and --max-recompute: a pointwise
 * convolution, what reads it with a window, and pointwise operators behind that. Between them live
 * a few columns, or channels, of a few rows, in place of rolling buffers; wide values are thus
 * never kept, and the first operator computes some of them again. */
#include "commands/emit_c/emit_c.h"

#include <string.h>

#define MOST_SEGMENTS 32u

gsp_node stream_last(const stream_work *w, gsp_node v)
{
    const stream_group *g;
    if (w->group_of[v] == GSP_NONE) {
        return v;
    }
    g = &w->groups[w->group_of[v]];
    return g->members[g->n - 1u];
}

/* ---- one group ---- */

static int is_target(const stream_work *w, gsp_node v, const char *name)
{
    return gsp_str_equal(gsp_node_target(&w->g, v), gsp_str_of(name));
}

static int is_pool(const stream_work *w, gsp_node v)
{
    return is_target(w, v, "tflite.AVERAGE_POOL_2D") || is_target(w, v, "tflite.MAX_POOL_2D") ||
           is_target(w, v, "onnx.AveragePool") || is_target(w, v, "onnx.MaxPool") ||
           is_target(w, v, "onnx.GlobalAveragePool") || is_target(w, v, "onnx.ReduceMean");
}

static int is_free(const stream_work *w, gsp_node v)
{
    return gsp_node_is_callable(&w->g, v) && w->ops[v].kind == GSP_TILE_OP &&
           w->group_of[v] == GSP_NONE;
}

/* Whether each element of the result is of the elements of its place. */
static int is_pointwise(const stream_work *w, gsp_node v)
{
    const gsp_tile_op *o = &w->ops[v];
    const uint32_t *rows = w->tiles.values[v].rows;
    const uint32_t *from = o->n_in != 0 ? w->tiles.values[w->tiles.ins[o->first_in]].rows : rows;
    uint32_t a = 0;
    while (a < GSP_TILES_AXES && o->window[a].span == 1u && o->window[a].stride == 1u &&
           o->window[a].before == 0 && rows[a] == from[a]) {
        a++;
    }
    return a == GSP_TILES_AXES;
}

/* The one operator that reads a value; GSP_NONE if others do, or the caller. */
static gsp_node only_reader(const stream_work *w, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(&w->g, v, &n);
    return n == 1u && gsp_node_is_callable(&w->g, users[0]) ? users[0] : GSP_NONE;
}

/* A convolution; of ONNX one whose channels all see the same. */
static int is_conv(const stream_work *w, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(&w->g, v, &n);
    return is_target(w, v, "tflite.CONV_2D") ||
           (is_target(w, v, "onnx.Conv") && w->places[in[0]].dims[3] == w->places[in[1]].dims[3]);
}

/* Whether an operator may be the first of a group: a pointwise convolution before a window. */
static int is_first(const stream_work *w, gsp_node v)
{
    gsp_node const next = only_reader(w, v);
    return is_free(w, v) && is_pointwise(w, v) && is_conv(w, v) && next != GSP_NONE &&
           w->ops[next].kind == GSP_TILE_OP && w->ops[next].n_in == 1u && !is_pointwise(w, next);
}

/* Whether the window of an operator has the element of its result's place. */
static int has_center(const stream_work *w, gsp_node window, gsp_node entry)
{
    uint32_t a;
    for (a = 0; a < GSP_TILES_AXES; a++) {
        const gsp_tile_window *t = &w->ops[window].window[a];
        if (t->stride != 1u || t->before >= t->span ||
            w->tiles.values[window].rows[a] != w->tiles.values[entry].rows[a]) {
            return 0;
        }
    }
    return 1;
}

/* Whether an operator goes on with a group: it reads the last result of that, and its entry. */
static int goes_on(const stream_work *w, const stream_group *g, gsp_node v)
{
    const gsp_tile_op *o = &w->ops[v];
    uint32_t i;
    if (!is_free(w, v) || !is_pointwise(w, v) || is_first(w, v)) {
        return 0;
    }
    for (i = o->first_in; i < o->first_in + o->n_in; i++) {
        gsp_node const in = w->tiles.ins[i];
        if (in != g->members[g->n - 1u] &&
            !(in == g->entry && has_center(w, g->members[g->window], in))) {
            return 0;
        }
    }
    return 1;
}

static uint64_t element_bytes(const stream_work *w, gsp_node v)
{
    const gsp_tile_value *t = &w->tiles.values[v];
    return t->bytes / t->rows[0] / t->rows[1];
}

static uint64_t aligned(const stream_work *w, uint64_t bytes)
{
    return (bytes + w->m.opt.align - 1u) / w->m.opt.align * w->m.opt.align;
}

/* Rows or columns that are read for a part of the result. */
static uint64_t reads(const gsp_tile_window *t, uint32_t rows, uint64_t first, uint64_t n)
{
    uint64_t const begin = first * t->stride;
    uint64_t end = begin + (n - 1u) * t->stride + t->span;
    uint64_t const from = begin > t->before ? begin - t->before : 0u;
    end = end > t->before ? end - t->before : 0u;
    end = end < rows ? end : rows;
    return end > from ? end - from : 0u;
}

/* The sum of k * step + more - less over k below n, each at least 0 and at most `most`. */
static double sum_clamped(uint64_t step, uint64_t more, uint64_t less, uint64_t n, uint64_t most)
{
    uint64_t from = less > more ? (less - more + step - 1u) / step : 0u;
    uint64_t end = less + most > more ? (less + most - more + step - 1u) / step : 0u;
    from = from < n ? from : n;
    end = end < n ? end : n;
    return (double)(end - from) *
               ((double)more - (double)less + (double)step * ((double)(from + end) - 1.0) / 2.0) +
           (double)(n - end) * (double)most;
}

/* How many rows or columns the first operator computes, in segments of the result. */
static double all_reads(const gsp_tile_window *t, uint32_t in, uint32_t out, uint32_t segment)
{
    uint64_t const step = (uint64_t)segment * t->stride;
    uint64_t const span = step - t->stride + t->span;
    uint32_t const n = out / segment;
    uint64_t const rest = out % segment != 0 ? reads(t, in, n * segment, out % segment) : 0u;
    return sum_clamped(step, span, t->before, n, in) - sum_clamped(step, 0, t->before, n, in) +
           (double)rest;
}

static void measure(stream_work *w, stream_group *g, uint32_t segments)
{
    gsp_node const u = g->members[g->window];
    const gsp_tile_window *t = w->ops[u].window;
    const uint32_t *rows = w->tiles.values[u].rows;
    uint32_t const channels = w->places[u].dims[3];
    uint32_t const all = g->by_channels ? channels : rows[1];
    uint64_t columns;
    uint32_t i;
    g->segment = (all + segments - 1u) / segments;
    columns = g->by_channels ? 1u : g->segment;
    for (i = 0; i + 1u < g->n; i++) {
        g->bytes[i] = element_bytes(w, g->members[i]) * columns;
    }
    if (g->window == 1u) {
        const gsp_tile_value *in = &w->tiles.values[g->members[0]];
        uint64_t const most = (columns - 1u) * t[1].stride + t[1].span;
        double const again =
            all_reads(&t[0], in->rows[0], rows[0], 1u) *
            all_reads(&t[1], in->rows[1], rows[1], g->by_channels ? rows[1] : g->segment) /
            ((double)in->rows[0] * in->rows[1]);
        g->bytes[0] =
            element_bytes(w, g->members[0]) * t[0].span * (most < in->rows[1] ? most : in->rows[1]);
        g->bytes[0] = g->by_channels ? g->bytes[0] / channels * g->segment : g->bytes[0];
        g->macs =
            again > 1.0 ? cli_whole((double)w->ops[g->members[0]].macs * (again - 1.0) + 0.5) : 0u;
    }
    for (i = 0; i + 1u < g->n; i++) {
        g->bytes[i] = aligned(w, g->bytes[i]);
    }
}

/* The group of an operator with a window; 0 if it runs alone. */
static int make_group(stream_work *w, gsp_node u, const stream_fusion *f, stream_group *g)
{
    gsp_node v;
    memset(g, 0, sizeof *g);
    if ((f->adds && w->ops[u].sums != 0) || !is_free(w, u) || is_pointwise(w, u) ||
        w->ops[u].n_in != 1u) {
        return 0;
    }
    g->entry = w->tiles.ins[w->ops[u].first_in];
    if (f->first[u] && is_first(w, g->entry) && w->ops[g->entry].n_in == 1u) {
        g->members[g->n++] = g->entry;
        g->window = 1;
        g->entry = w->tiles.ins[w->ops[g->entry].first_in];
    }
    g->members[g->n++] = u;
    g->by_channels = g->window == 1u && is_pool(w, u) && w->tiles.values[u].rows[1] == 1u;
    for (v = only_reader(w, u);
         !g->by_channels && g->n < STREAM_MEMBERS && v != GSP_NONE && goes_on(w, g, v);
         v = only_reader(w, v)) {
        g->members[g->n++] = v;
    }
    g->scratch = g->members[0];
    measure(w, g, f->segments[u]);
    return g->n > 1u;
}

/* ---- the graph of groups ---- */

/* The last operator stands for the group, and the first one's tensor for all between them. */
static void contract(stream_work *w, const stream_group *g)
{
    gsp_node const last = g->members[g->n - 1u];
    gsp_tensor *tensors = w->m.memory_plan.tensors;
    gsp_tile_op *o = &w->tiles.ops[last];
    uint32_t const entry = w->tiles.values[g->entry].tensor;
    uint32_t i;
    memcpy(o->window, w->ops[g->members[g->window]].window, sizeof o->window);
    o->first_in = w->ops[g->members[0]].first_in;
    o->n_in = 1;
    o->scratch = 0;
    o->sums = 0;
    for (i = 0; i + 1u < g->n; i++) {
        gsp_tensor *t = &tensors[w->tiles.values[g->members[i]].tensor];
        o->scratch += g->bytes[i];
        w->tiles.ops[g->members[i]].kind = GSP_TILE_NONE;
        w->tiles.ops[g->members[i]].is_op = 0;
        w->tiles.ops[g->members[i]].n_in = 0;
        t->begin = t->end = last;
        t->bytes = 0;
    }
    tensors[w->tiles.values[g->scratch].tensor].bytes = o->scratch;
    if (entry != w->m.memory_plan.n_tensors && tensors[entry].end < last) {
        tensors[entry].end = last;
    }
}

/* Makes the groups of a choice; none if it has none. */
static void apply(stream_work *w, const stream_fusion *f)
{
    gsp_memory_plan_result *plan = &w->m.memory_plan;
    gsp_node u;
    uint32_t i;
    memcpy(w->tiles.ops, w->ops, w->g.n_nodes * sizeof *w->ops);
    memcpy(plan->tensors, f->tensors, plan->n_tensors * sizeof *f->tensors);
    for (u = 0; u < w->g.n_nodes; u++) {
        w->group_of[u] = GSP_NONE;
    }
    w->n_groups = 0;
    for (u = 0; u < w->g.n_nodes && !f->is_plain; u++) {
        stream_group *g = &w->groups[w->n_groups];
        if (make_group(w, u, f, g)) {
            for (i = 0; i < g->n; i++) {
                w->group_of[g->members[i]] = w->n_groups;
            }
            w->n_groups++;
            contract(w, g);
        }
    }
    memcpy(f->seen, plan->tensors, plan->n_tensors * sizeof *f->seen);
}

static uint64_t peak_of(stream_work *w, const stream_fusion *f)
{
    tile_curve curve;
    apply(w, f);
    (void)tile_lines(w->session, &w->tiles, &curve);
    return curve.n_points != 0 ? curve.points[curve.n_points - 1u].cost.peak : UINT64_MAX;
}

/* ---- the search ---- */

static void set_all(const stream_work *w, stream_fusion *f, uint32_t segments)
{
    gsp_node v;
    memset(f->first, 1, w->g.n_nodes);
    for (v = 0; v < w->g.n_nodes; v++) {
        f->segments[v] = segments;
    }
}

/* The group that computes most again of those that are not looked at yet; GSP_NONE if none does. */
static gsp_node next_of(const stream_work *w, const uint8_t *seen)
{
    gsp_node u = GSP_NONE;
    uint64_t most = 0;
    uint32_t i;
    for (i = 0; i < w->n_groups; i++) {
        const stream_group *g = &w->groups[i];
        if (g->window == 1u && !seen[g->members[1]] && g->macs > most) {
            most = g->macs;
            u = g->members[1];
        }
    }
    return u;
}

static void take_back(stream_work *w, stream_fusion *f, gsp_node u, uint64_t peak)
{
    f->first[u] = 0;
    if (peak_of(w, f) <= peak) {
        return;
    }
    f->first[u] = 1;
    while (f->segments[u] > 1u) {
        f->segments[u] /= 2u;
        if (peak_of(w, f) > peak) {
            f->segments[u] *= 2u;
            return;
        }
    }
}

uint64_t stream_fuse(stream_work *w, stream_fusion *f, uint64_t peak)
{
    uint64_t macs = 0;
    gsp_node u;
    uint32_t i;
    peak = peak > f->least ? peak : f->least;
    f->is_plain = f->plain <= peak;
    set_all(w, f, f->best);
    apply(w, f);
    memset(f->tried, 0, w->g.n_nodes);
    while ((u = next_of(w, f->tried)) != GSP_NONE) {
        f->tried[u] = 1;
        take_back(w, f, u, peak);
        apply(w, f);
    }
    for (i = 0; i < w->n_groups; i++) {
        macs += w->groups[i].macs;
    }
    return macs;
}

/* The number of segments of the least peak, where means add up rows or do not. */
static void try_segments(stream_work *w, stream_fusion *f, int adds)
{
    int const without = f->adds;
    int helps = 0;
    uint32_t i;
    f->adds = adds;
    for (i = 1; i <= MOST_SEGMENTS; i *= 2u) {
        uint64_t made;
        set_all(w, f, i);
        made = peak_of(w, f);
        if (made < f->least) {
            f->least = made;
            f->best = i;
            helps = 1;
        }
    }
    f->adds = helps ? adds : without;
}

void stream_fuse_open(stream_work *w, stream_fusion *f)
{
    size_t const n = (size_t)w->g.n_nodes + 1u;
    uint32_t const n_tensors = w->m.memory_plan.n_tensors;
    gsp_tile_op *ops = (gsp_tile_op *)cli_alloc(w->session, n, sizeof *ops);
    uint32_t i;
    memset(f, 0, sizeof *f);
    memcpy(ops, w->tiles.ops, w->g.n_nodes * sizeof *ops);
    w->ops = ops;
    w->groups = (stream_group *)cli_alloc(w->session, n, sizeof *w->groups);
    f->first = (uint8_t *)cli_alloc(w->session, n, 1u);
    f->tried = (uint8_t *)cli_alloc(w->session, n, 1u);
    f->segments = (uint32_t *)cli_alloc(w->session, n, sizeof *f->segments);
    f->tensors = (gsp_tensor *)cli_alloc(w->session, (size_t)n_tensors + 1u, sizeof *f->tensors);
    f->seen = (gsp_tensor *)cli_alloc(w->session, (size_t)n_tensors + 1u, sizeof *f->seen);
    memcpy(f->tensors, w->m.memory_plan.tensors, n_tensors * sizeof *f->tensors);
    f->seen[n_tensors] = w->tiles.tensors[n_tensors];
    w->tiles.tensors = f->seen;
    f->is_plain = 1;
    f->plain = f->least = peak_of(w, f);
    f->is_plain = 0;
    f->best = 1;
    try_segments(w, f, 0);
    for (i = 0; i < w->g.n_nodes && w->ops[i].sums == 0; i++) {
    }
    if (i < w->g.n_nodes) {
        try_segments(w, f, 1);
    }
}
