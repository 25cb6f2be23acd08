/* --tile: regions that run in tiles, and the plan of the graph that they make. */
#include "commands/memory/memory.h"

#include "input/input.h"
#include "output/output.h"

#include <inttypes.h>
#include <string.h>

#define MOST_TOLD 40u /* choices for people */

typedef struct work {
    memory *m;
    gsp_module module; /* as it was */
    cli_source *source;
    gsp_graph graph;
    tile_graph tiles;
    tile_curve curve;
    tile_plan plan;  /* only with a stream */
    uint32_t begin;  /* the first point that may be chosen */
    uint64_t *arena; /* [n_points] of the plan; 0 if not planned yet */
    uint64_t *micro; /* [n_points] all that TensorFlow Lite Micro needs */
    double most;     /* extra MACs that are allowed */
} work;

static int is_out(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

int memory_tiles_check(memory *m)
{
    cli_session *s = m->session;
    const memory_options *o = &m->opt;
    m->tiles.most = -1.0;
    if (!o->tile) {
        return o->fit == UINT64_MAX && o->max_recompute == NULL && o->curve == NULL &&
                       o->curve_svg == NULL && !o->stream_input && o->region == NULL
                   ? CLI_EXIT_OK
                   : cli_usage_error(s, "%s requires --tile",
                         o->fit != UINT64_MAX       ? "--fit"
                         : o->max_recompute != NULL ? "--max-recompute"
                         : o->curve != NULL         ? "--tile-csv"
                         : o->curve_svg != NULL     ? "--tile-svg"
                         : o->region != NULL        ? "--region"
                                                    : "--stream-input");
    }
    if (o->region != NULL && cli_region_check(s, o->region) != CLI_EXIT_OK) {
        return CLI_EXIT_USAGE;
    }
    if (o->order != NULL || o->run_of != NULL || o->budget != UINT64_MAX || o->csv ||
        m->several.n != 0 || o->graph != NULL || o->save_tflite != NULL || o->sequential ||
        o->concurrent || o->capacity != UINT64_MAX) {
        return cli_usage_error(s, "--tile, which makes another graph, cannot be combined with %s",
            o->order != NULL            ? "--order"
            : o->run_of != NULL         ? "--run-of"
            : o->csv                    ? "--csv"
            : m->several.n != 0         ? "--memory"
            : o->graph != NULL          ? "--graph"
            : o->save_tflite != NULL    ? "--save-tflite: write the model with --emit-model, then "
                                          "plan that file"
            : o->sequential             ? "--sequential"
            : o->concurrent             ? "--concurrent"
            : o->capacity != UINT64_MAX ? "--capacity; --fit is for tiles"
            : m->pieces                 ? "--budget-pieces"
                                        : "--budget; --fit is for tiles");
    }
    if (is_out(o->curve) || is_out(o->curve_svg) || is_out(o->emit_model)) {
        return cli_usage_error(s, "%s expects the name of a file to write, got '-'",
            is_out(o->curve)       ? "--tile-csv"
            : is_out(o->curve_svg) ? "--tile-svg"
                                   : "--emit-model");
    }
    if (o->stream_input && o->skip_inputs) {
        return cli_usage_error(s, "--stream-input, which counts a tile of the input, cannot be "
                                  "combined with --skip-inputs");
    }
    return o->max_recompute == NULL
               ? CLI_EXIT_OK
               : cli_percent_read(s, "--max-recompute", o->max_recompute, &m->tiles.most);
}

/* ---- the stream ---- */

/* The tiles of the input that a choice reads. */
static void find_stream(work *w, const gsp_tile_point *point)
{
    memory_stream *m = &w->m->tiles.stream;
    uint32_t i;
    m->n = 0;
    m->largest = 0;
    for (i = 0; i < point->n_regions; i++) {
        const gsp_tile_region *r = &point->regions[i];
        uint32_t k;
        if (r->entry == w->tiles.stream && tile_expand(&w->tiles, r, &w->plan)) {
            memcpy(m->parts, r->parts, sizeof m->parts);
            for (k = 0; k < w->plan.n_steps; k++) {
                const gsp_tile_part *v = &w->plan.values[w->plan.steps[k].out];
                if (w->plan.steps[k].kind == GSP_TILE_STEP_INPUT) {
                    m->tiles[m->n++] = v->box;
                    m->largest = v->bytes > m->largest ? v->bytes : m->largest;
                }
            }
        }
    }
}

/* The largest input, which operators read that can run in tiles. */
static int choose_stream(work *w)
{
    const tile_graph *t = &w->tiles;
    memory_stream *m = &w->m->tiles.stream;
    gsp_node input;
    gsp_node v;
    int const code = cli_tiles_stream(w->m->session, &w->graph, t, &input);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    for (v = 0; v < t->n; v++) {
        if (gsp_node_op(&w->graph, v) == GSP_OP_PLACEHOLDER && v != input) {
            m->others += t->values[v].bytes;
        }
    }
    m->input = gsp_node_name(&w->graph, input);
    m->tiles = (gsp_tile_box *)cli_alloc(w->m->session, GSP_TILES_GRID, sizeof *m->tiles);
    tile_plan_open(w->m->session, &w->plan);
    w->tiles.stream = input;
    return CLI_EXIT_OK;
}

/* ---- plans of points ---- */

/* Puts the model of a point into the session, and plans it. */
static int take_point(work *w, const gsp_tile_point *point)
{
    memory *m = w->m;
    cli_session *s = m->session;
    int code;
    s->module = w->module;
    s->source = w->source;
    if (w->tiles.stream != GSP_NONE) {
        find_stream(w, point);
        m->opt.skip_inputs = point->n_regions != 0; /* one tile at a time, beside the arena */
    }
    code = s->format->tiles(s, &w->tiles, point);
    if (point->n_regions != 0) {
        code = code == CLI_EXIT_OK ? cli_dims_set(s) : code;
        code = code == CLI_EXIT_OK && m->opt.views ? cli_views_set(s) : code;
    }
    code = code == CLI_EXIT_OK ? memory_choose(m) : code;
    return code == CLI_EXIT_OK ? memory_run(m) : code;
}

static int plan_point(work *w, uint32_t i)
{
    int code = CLI_EXIT_OK;
    if (w->arena[i] == 0) {
        code = take_point(w, &w->curve.points[i]);
        const memory_stream *t = &w->m->tiles.stream;
        w->arena[i] = w->m->memory_plan.arena + (t->n != 0 ? t->largest + t->others : 0u);
        w->micro[i] = w->m->micro.whole;
    }
    return code;
}

/* Whether the plan of a point may have so few bytes: live bytes are no more than an arena, unless
 * results stand in place or are views. */
static int may_fit(const work *w, const gsp_tile_point *p, uint64_t bytes)
{
    const memory_options *o = &w->m->opt;
    return p->cost.peak <= bytes || o->in_place.given || o->views;
}

/* The first point that fits: extra MACs grow along the curve. n_points if none does. */
static int find_first(work *w, uint32_t *found)
{
    uint32_t i;
    int code = CLI_EXIT_OK;
    for (i = w->begin; i < w->curve.n_points && code == CLI_EXIT_OK; i++) {
        const gsp_tile_point *p = &w->curve.points[i];
        if ((double)p->cost.macs > w->most) {
            break;
        }
        if (may_fit(w, p, w->m->opt.fit)) {
            code = plan_point(w, i);
            if (w->arena[i] <= w->m->opt.fit) {
                *found = i;
                return code;
            }
        }
    }
    *found = w->curve.n_points;
    return code;
}

/* The point of the smallest arena, of these the one with the fewest extra MACs. */
static int find_least(work *w, uint32_t *found)
{
    uint64_t least = UINT64_MAX;
    uint32_t i = w->curve.n_points;
    int code = CLI_EXIT_OK;
    *found = w->begin;
    while (i-- > w->begin && code == CLI_EXIT_OK) {
        const gsp_tile_point *p = &w->curve.points[i];
        if ((double)p->cost.macs <= w->most && may_fit(w, p, least)) {
            code = plan_point(w, i);
            if (w->arena[i] <= least) {
                least = w->arena[i];
                *found = i;
            }
        }
    }
    return code;
}

/* Whether no tiles with so few MACs take less than those of a point: all have as many live bytes.
 */
static int is_least(const work *w, uint32_t found)
{
    uint32_t i = w->begin;
    while (i + 1u < w->curve.n_points && (double)w->curve.points[i + 1u].cost.macs <= w->most) {
        i++;
    }
    return w->curve.complete && !may_fit(w, &w->curve.points[i], w->arena[found] - 1u);
}

/* Whether no tiles that fit have fewer MACs than those of a point. */
static int has_fewest(const work *w, uint32_t found)
{
    uint32_t i = w->begin;
    while (!may_fit(w, &w->curve.points[i], w->m->opt.fit)) {
        i++;
    }
    return w->curve.complete && w->curve.points[i].cost.macs == w->curve.points[found].cost.macs;
}

/* Why an operator that can run in tiles takes no less: a neighbour that cannot. */
static void put_neighbour(const work *w, gsp_node v, cli_buffer *out)
{
    const gsp_graph *g = &w->graph;
    uint32_t n[2] = {0, 0};
    const gsp_node *near[2];
    uint32_t i;
    uint32_t k;
    near[0] = gsp_node_users(g, v, &n[0]);
    near[1] = gsp_node_inputs(g, v, &n[1]);
    for (i = 0; i < 2u; i++) {
        for (k = 0; k < n[i]; k++) {
            const char *why = w->tiles.why[near[i][k]];
            if (w->tiles.ops[near[i][k]].kind == GSP_TILE_FIXED && why != NULL) {
                cli_puts(out, i == 0 ? ", which %" : ", which reads %");
                cli_put_text(out, gsp_node_name(g, near[i][k]));
                cli_puts(out, " (");
                cli_put_text(out, gsp_node_target(g, near[i][k]));
                cli_printf(out,
                    i == 0 ? ") reads, which cannot run in tiles since it %s"
                           : "), which cannot run in tiles since it %s",
                    why);
                return;
            }
        }
    }
    cli_puts(out, "; no region of operators around it takes less in tiles");
}

/* What no tiling makes smaller: the operator at the peak, and why it cannot run in tiles. */
static void put_busiest(const work *w, const gsp_tile_point *p, cli_buffer *out)
{
    const gsp_tile_op *op = &w->tiles.ops[p->busiest];
    gsp_str const target = gsp_node_target(&w->graph, p->busiest);
    cli_puts(out, "%");
    cli_put_text(out, gsp_node_name(&w->graph, p->busiest));
    cli_puts(out, " (");
    cli_put_text(out, target);
    cli_puts(out, ")");
    if (op->kind == GSP_TILE_FIXED && w->tiles.why[p->busiest] != NULL) {
        cli_printf(out, ", which cannot run in tiles since it %s", w->tiles.why[p->busiest]);
    } else if (p->n_regions == 0 && op->kind != GSP_TILE_NONE) {
        put_neighbour(w, p->busiest, out);
    }
}

/* No tiles of the region of the user take less. */
static int refuse_region(const work *w)
{
    cli_session *s = w->m->session;
    gsp_node const v = w->curve.points[0].busiest;
    char *name = cli_copy(s, gsp_node_name(&w->graph, v));
    return cli_error(s, GSP_STATUS_NO_FIT,
        "--region %s: no tiles of it take less; the most is live at %%%s (%s)", w->m->opt.region,
        name, cli_copy(s, gsp_node_target(&w->graph, v)));
}

static int refuse(work *w)
{
    cli_session *s = w->m->session;
    cli_buffer at;
    uint32_t least = 0;
    int const code = find_least(w, &least);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_buffer_init(&at, s);
    put_busiest(w, &w->curve.points[least], &at);
    cli_put(&at, "", 1u);
    return cli_error(s, GSP_STATUS_NO_FIT,
        "--fit %" PRIu64 ": the least that %s%s%s is %" PRIu64 " bytes; the most is live at %s",
        w->m->opt.fit, is_least(w, least) ? "tiles reach" : "is found",
        w->m->tiles.most >= 0.0 ? " with so few MACs" : "",
        w->curve.complete ? "" : " as far as tiles were tried", w->arena[least], at.data);
}

/* ---- what is told ---- */

static void keep_regions(work *w, uint32_t found)
{
    const gsp_tile_point *p = &w->curve.points[found];
    memory_tiles *t = &w->m->tiles;
    cli_buffer at;
    uint32_t i;
    t->n = p->n_regions;
    t->list = (memory_tiled *)cli_alloc(w->m->session, (size_t)t->n + 1u, sizeof *t->list);
    for (i = 0; i < t->n; i++) {
        t->list[i].region = p->regions[i];
        t->list[i].first = gsp_node_name(&w->graph, p->regions[i].first);
        t->list[i].last = gsp_node_name(&w->graph, p->regions[i].last);
    }
    t->cost = p->cost;
    t->before = w->arena[0];
    t->micro = w->micro[0];
    t->ram = w->arena[found];
    t->macs = w->tiles.macs;
    t->complete = w->curve.complete;
    t->proved = w->m->opt.fit != UINT64_MAX ? has_fewest(w, found) : is_least(w, found);
    t->choices = (memory_choice *)cli_alloc(w->m->session, w->curve.n_points, sizeof *t->choices);
    for (i = 0; i < w->curve.n_points; i++) {
        if (w->arena[i] != 0) {
            memory_choice const made = {
                w->arena[i], w->micro[i], w->curve.points[i].cost, p == &w->curve.points[i]};
            t->choices[t->n_choices++] = made;
        }
    }
    cli_buffer_init(&at, w->m->session);
    put_busiest(w, p, &at);
    t->busiest.data = at.data;
    t->busiest.size = (uint32_t)at.size;
}

static void put_parts(const uint32_t *parts, cli_buffer *out)
{
    if (parts[0] != 1u && parts[1] != 1u) {
        cli_printf(out, "%" PRIu32 "x%" PRIu32, parts[0], parts[1]);
    } else {
        cli_printf(out, "%s%" PRIu32, parts[0] == 1u ? "columns" : "", parts[0] * parts[1]);
    }
}

static int write_curve(work *w)
{
    cli_buffer out;
    uint32_t i;
    uint32_t k;
    cli_buffer_init(&out, w->m->session);
    cli_puts(&out, "arena,peak,macs,extra_macs,copied,operators,tiles\n");
    for (i = 0; i < w->curve.n_points; i++) {
        const gsp_tile_point *p = &w->curve.points[i];
        cli_printf(&out, "%" PRIu64 ",%" PRIu64 ",%.0f,%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",",
            w->arena[i], p->cost.peak, w->tiles.macs + (double)p->cost.macs, p->cost.macs,
            p->cost.moved, p->cost.steps);
        for (k = 0; k < p->n_regions; k++) {
            const gsp_tile_region *r = &p->regions[k];
            cli_puts(&out, k != 0 ? " " : "");
            cli_put_text(&out, gsp_node_name(&w->graph, r->first));
            cli_puts(&out, ":");
            cli_put_text(&out, gsp_node_name(&w->graph, r->last));
            cli_puts(&out, ":");
            put_parts(r->parts, &out);
        }
        cli_puts(&out, "\n");
    }
    return cli_write_file(w->m->session, w->m->opt.curve, &out);
}

/* ---- the search ---- */

/* The arena of a loop nest, in which more operators run than in tiles, with the stream by rows,
 * too; 0 if there is none. */
static int by_rows(const work *w, const gsp_memory_plan_result *plan, uint64_t *bytes)
{
    memory m;
    tile_graph rows = w->tiles;
    tile_curve lines;
    uint32_t least = 2u; /* points; the first has no rows */
    uint32_t i;
    int code;
    rows.ops = (gsp_tile_op *)cli_alloc(w->m->session, (size_t)rows.n + 1u, sizeof *rows.ops);
    memcpy(rows.ops, w->tiles.ops, rows.n * sizeof *rows.ops);
    rows.why = (const char **)cli_alloc(w->m->session, (size_t)rows.n + 1u, sizeof *rows.why);
    rows.align = w->m->opt.align;
    cli_tiles_by_rows(w->m->session, &w->graph, &rows);
    if (rows.stream != GSP_NONE) {
        rows.ops[rows.stream].kind = GSP_TILE_SOURCE;
        least = 1u;
    }
    *bytes = 0;
    code = tile_lines(w->m->session, &rows, &lines);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (lines.n_points < least) {
        return CLI_EXIT_OK;
    }
    memset(&m, 0, sizeof m);
    m.session = w->m->session;
    m.graph = w->graph;
    m.opt.align = rows.align;
    m.opt.capacity = UINT64_MAX;
    m.searches = 1;
    m.max_work = MEMORY_LINES_WORK;
    m.memory_plan = *plan;
    for (i = 0; i < lines.points[lines.n_points - 1u].n_regions; i++) {
        cli_release(m.session, memory_lines_set(m.session, plan->tensors, &rows,
                                   &lines.points[lines.n_points - 1u].regions[i]));
    }
    code = memory_lines_pack(&m);
    *bytes = m.memory_plan.arena;
    return code;
}

static int search(work *w)
{
    memory *m = w->m;
    cli_session *s = m->session;
    gsp_memory_plan_desc desc = {0};
    gsp_memory_plan_result plan;
    gsp_arena arena;
    gsp_error err;
    int code;
    cli_progress(s, "searching tiles");
    desc.align = (uint32_t)m->opt.align;
    desc.skip_inputs = m->opt.skip_inputs;
    cli_arena(s, &arena, gsp_memory_plan_bound(&m->graph, &desc));
    if (gsp_memory_plan_run(&arena, &m->graph, &desc, &plan, &err) != GSP_OK) {
        return cli_pass_error(s, &m->graph, &err);
    }
    code = cli_tiles_read(s, &m->graph, &plan, 1u, &w->tiles); /* lower bounds of arenas */
    if (code == CLI_EXIT_OK && m->opt.region != NULL) {
        code = cli_tiles_region(
            s, &m->graph, m->opt.region, "cannot run in tiles since it ", &w->tiles);
    }
    if (code == CLI_EXIT_OK && m->opt.stream_input) {
        code = choose_stream(w);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    w->most = m->tiles.most >= 0.0 ? w->tiles.macs * m->tiles.most / 100.0 : 1e300;
    code = tile_search(s, &w->tiles, &w->curve);
    w->begin = m->opt.stream_input;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (w->begin == w->curve.n_points) {
        return cli_error(s, GSP_STATUS_NO_FIT,
            "--stream-input: no region of operators reads %%%s and nothing else",
            cli_copy(s, m->tiles.stream.input));
    }
    if ((code = by_rows(w, &plan, &m->tiles.lines)) != CLI_EXIT_OK) {
        return code;
    }
    m->tiles.operators = w->curve.points[0].cost.steps;
    w->arena = (uint64_t *)cli_alloc(s, (size_t)w->curve.n_points + 1u, sizeof *w->arena);
    w->micro = (uint64_t *)cli_alloc(s, (size_t)w->curve.n_points + 1u, sizeof *w->micro);
    return plan_point(w, 0);
}

/* Whether all points are told. */
static int wants_all(const work *w)
{
    const memory_options *o = &w->m->opt;
    const cli_common *common = &w->m->session->common;
    return o->curve != NULL || o->curve_svg != NULL ||
           (!common->porcelain && !common->json && w->curve.n_points <= MOST_TOLD);
}

int memory_tiles_run(memory *m)
{
    cli_session *s = m->session;
    work w;
    uint32_t found = 0;
    uint32_t i;
    int code;
    memset(&w, 0, sizeof w);
    w.m = m;
    w.module = s->module;
    w.source = s->source;
    w.graph = gsp_module_graph(&w.module, 0);
    if (s->format->tiles == NULL) {
        return cli_error(s, GSP_STATUS_ARG,
            "--tile requires a model that it can write (.tflite; .onnx with graphsplit-onnx), and "
            "%s is none",
            s->path);
    }
    s->quiet = 1; /* the model is read again */
    code = search(&w);
    if (code != CLI_EXIT_OK || w.curve.n_points == 0) {
        return code;
    }
    if (m->opt.region != NULL && m->opt.fit == UINT64_MAX && w.curve.n_points == 1u &&
        !m->opt.stream_input) {
        return refuse_region(&w);
    }
    code = m->opt.fit != UINT64_MAX ? find_first(&w, &found) : find_least(&w, &found);
    if (code == CLI_EXIT_OK && found == w.curve.n_points) {
        return refuse(&w);
    }
    for (i = 0; wants_all(&w) && i < w.curve.n_points && code == CLI_EXIT_OK; i++) {
        code = plan_point(&w, i);
    }
    if (code == CLI_EXIT_OK && m->opt.curve != NULL) {
        code = write_curve(&w);
    }
    if (code == CLI_EXIT_OK) {
        keep_regions(&w, found);
        code = take_point(&w, &w.curve.points[found]);
    }
    s->quiet = 0;
    return code;
}

static const char *axis_word(const uint32_t *parts)
{
    return parts[0] == 1u ? "columns" : parts[1] == 1u ? "rows" : "both";
}

/* The new inputs in their order. */
static void put_stream(const memory_tiles *t, cli_buffer *out)
{
    const memory_stream *m = &t->stream;
    uint32_t i;
    uint32_t a;
    for (i = 0; i < m->n; i++) {
        cli_puts(out, "stream ");
        cli_put_text(out, m->input);
        for (a = 0; a < GSP_TILES_AXES; a++) {
            if (m->parts[a] != 1u) {
                cli_printf(out, " %s=%" PRIu32 "..%" PRIu32, a != 0 ? "columns" : "rows",
                    m->tiles[i].first[a], m->tiles[i].end[a]);
            }
        }
        cli_puts(out, "\n");
    }
    if (m->n != 0) {
        cli_printf(out, "stream total=%" PRIu64 " tile=%" PRIu64 "\n", t->ram, m->largest);
    }
}

void memory_tiles_porcelain(const memory *m, cli_buffer *out)
{
    uint32_t i;
    for (i = 0; i < m->tiles.n; i++) {
        const memory_tiled *t = &m->tiles.list[i];
        cli_puts(out, "tile ");
        cli_put_text(out, t->first);
        cli_puts(out, " ");
        cli_put_text(out, t->last);
        cli_printf(out, " parts=%" PRIu32 " macs=+%" PRIu64,
            t->region.parts[0] * t->region.parts[1], t->region.cost.macs);
        if (t->region.parts[1] != 1u) {
            cli_printf(out, " axis=%s", axis_word(t->region.parts));
        }
        if (t->region.parts[0] != 1u && t->region.parts[1] != 1u) {
            cli_puts(out, " grid=");
            put_parts(t->region.parts, out);
        }
        cli_puts(out, "\n");
    }
    put_stream(&m->tiles, out);
}

void memory_tiles_json(const memory *m, cli_buffer *out)
{
    const memory_tiles *t = &m->tiles;
    uint32_t i;
    if (!m->opt.tile) {
        return;
    }
    cli_printf(out,
        "\"tiles\": {\"before\": %" PRIu64 ", \"macs\": %.0f, \"extra_macs\": %" PRIu64
        ", \"copied\": %" PRIu64 ", \"operators\": [%" PRIu32 ", %" PRIu32 "], \"complete\": %s, ",
        t->before, t->macs, t->cost.macs, t->cost.moved, t->operators, t->cost.steps,
        t->proved ? "true" : "false");
    if (t->lines != 0) {
        cli_printf(out, "\"by_lines\": %" PRIu64 ", ", t->lines);
    }
    if (m->has_micro) {
        cli_printf(out, "\"tflm\": {\"before\": %" PRIu64 ", \"after\": %" PRIu64 "}, ", t->micro,
            m->micro.whole);
    }
    cli_puts(out, "\"regions\": [");
    for (i = 0; i < t->n; i++) {
        const memory_tiled *r = &t->list[i];
        cli_puts(out, i != 0 ? ", {\"first\": " : "{\"first\": ");
        cli_json_string(out, r->first);
        cli_puts(out, ", \"last\": ");
        cli_json_string(out, r->last);
        cli_printf(out,
            ", \"axis\": \"%s\", \"parts\": %" PRIu32 ", \"grid\": [%" PRIu32 ", %" PRIu32
            "], \"extra_macs\": %" PRIu64 "}",
            axis_word(r->region.parts), r->region.parts[0] * r->region.parts[1], r->region.parts[0],
            r->region.parts[1], r->region.cost.macs);
    }
    cli_puts(out, "]");
    if (t->stream.n != 0) {
        cli_printf(out,
            ", \"stream\": {\"axis\": \"%s\", \"total\": %" PRIu64 ", \"tile\": %" PRIu64
            ", \"tiles\": [",
            axis_word(t->stream.parts), t->ram, t->stream.largest);
        for (i = 0; i < t->stream.n; i++) {
            const gsp_tile_box *b = &t->stream.tiles[i];
            cli_printf(out, "%s[[%" PRIu32 ", %" PRIu32 "], [%" PRIu32 ", %" PRIu32 "]]",
                i != 0 ? ", " : "", b->first[0], b->end[0], b->first[1], b->end[1]);
        }
        cli_puts(out, "]}");
    }
    cli_puts(out, "},\n");
}

static void put_lines(const memory_tiles *t, cli_buffer *out)
{
    if (t->lines == 0) {
        return;
    }
    cli_puts(out, "  by rows     estimate ");
    cli_put_need(out, t->lines);
    cli_printf(out,
        " (%" PRIu64 " bytes) for a loop that computes each row once, in rolling buffers\n",
        t->lines);
}

/* What TensorFlow Lite Micro needs beside tensors grows with the number of operators. */
static void put_micro(const memory *m, cli_buffer *out)
{
    const memory_tiles *t = &m->tiles;
    int const grows = m->micro.whole > t->micro;
    if (!m->has_micro) {
        return;
    }
    cli_puts(out, grows ? "  warning     TFLM needs more with tiles, " : "  with TFLM   ");
    cli_put_need(out, m->micro.whole);
    cli_puts(out, grows ? " for " : " in all, ");
    cli_put_need(out, t->micro);
    cli_puts(out, grows ? ": operators take memory, too\n" : " without tiles\n");
    if (m->micro.whole > m->opt.fit) {
        cli_puts(out, "              --fit is for the tensors alone; TFLM exceeds it\n");
    }
}

void memory_tiles_people(const memory *m, cli_buffer *out)
{
    const memory_tiles *t = &m->tiles;
    uint32_t i;
    if (!m->opt.tile) {
        return;
    }
    if (t->n == 0) {
        cli_puts(out, m->opt.fit != UINT64_MAX ? "  tiles       none: it fits without"
                                               : "  tiles       none: the most is live at ");
        cli_put_text(out, m->opt.fit != UINT64_MAX ? gsp_str_of("") : t->busiest);
        cli_puts(out, "\n");
        put_lines(t, out);
        return;
    }
    cli_printf(out, "  tiles       %" PRIu64 " MACs more", t->cost.macs);
    if (t->macs > 0.0) {
        cli_printf(out, " (%.1f %%)", (double)t->cost.macs / t->macs * 100.0);
    }
    cli_puts(out, ", ");
    cli_put_bytes(out, t->cost.moved);
    cli_printf(out,
        " copied, %" PRIu32 " operators for %" PRIu32
        ";\n              without tiles the arena takes ",
        t->cost.steps, t->operators);
    cli_put_need(out, t->before);
    cli_puts(out, t->complete ? "\n" : ";\n              not all regions were tried\n");
    for (i = 0; i < t->n; i++) {
        const memory_tiled *r = &t->list[i];
        cli_puts(out, "              ");
        cli_put_clipped(out, r->first, 32u);
        cli_puts(out, " to ");
        cli_put_clipped(out, r->last, 32u);
        cli_printf(out, " in %" PRIu32 " tiles of %s", r->region.parts[0] * r->region.parts[1],
            r->region.parts[0] == 1u   ? "columns"
            : r->region.parts[1] == 1u ? "rows"
                                       : "rows and columns, ");
        if (r->region.parts[0] != 1u && r->region.parts[1] != 1u) {
            put_parts(r->region.parts, out);
        }
        cli_puts(out, "\n");
    }
    if (t->stream.n != 0) {
        cli_puts(out, "  stream      ");
        cli_put_need(out, t->ram);
        cli_puts(out, " with a tile of %");
        cli_put_text(out, t->stream.input);
        cli_puts(out, ", at most ");
        cli_put_need(out, t->stream.largest);
        cli_printf(out, ": %" PRIu32 " inputs %s\n", t->stream.n,
            t->stream.parts[0] == 1u   ? "from left to right"
            : t->stream.parts[1] == 1u ? "from top to bottom"
                                       : "from top to bottom, then from left to right");
    }
    put_lines(t, out);
    put_micro(m, out);
}

void memory_tiles_people_choices(const memory *m, cli_buffer *out)
{
    const memory_tiles *t = &m->tiles;
    uint32_t const shown = cli_rows(m->session, t->n_choices, 20u);
    uint32_t i;
    cli_table table;
    if (t->n_choices < 2u) {
        return;
    }
    cli_put_heading(out, "TILES", "memory against what is computed again");
    cli_table_init(&table, m->session, m->has_micro ? "rrrrrl" : "rrrrl");
    cli_table_head(&table,
        m->has_micro ? "arena|TFLM|MACs|copied|operators|" : "arena|MACs|copied|operators|");
    for (i = 0; i < shown; i++) {
        const memory_choice *o = &t->choices[i];
        cli_put_need(cli_cell_begin(&table, CLI_PLAIN), o->arena);
        if (m->has_micro) {
            cli_put_need(cli_cell_begin(&table, CLI_PLAIN), o->micro);
        }
        cli_cell_put(&table, CLI_PLAIN, "+%.3g %%",
            t->macs > 0.0 ? 100.0 * (double)o->cost.macs / t->macs : 0.0);
        cli_put_bytes(cli_cell_begin(&table, CLI_PLAIN), o->cost.moved);
        cli_cell_put(&table, CLI_PLAIN, "%" PRIu32, o->cost.steps);
        cli_cell_put(&table, CLI_PLAIN, "%s", o->taken ? "this one" : "");
    }
    cli_table_write(&table, out);
    cli_put_rest(out, t->n_choices, shown, "choice");
}
