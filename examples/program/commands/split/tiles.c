/* --tile: what takes more than --max-acc-bytes by itself runs in tiles of rows or columns that do
 * not. The CPU cuts what a tile reads and joins what tiles yield, so that the accelerator has one
 * tile at a time. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <string.h>

#ifndef GSP_NO_FLOW

#define USUAL_RECOMPUTE 15.0 /* percent */

typedef struct work {
    split *p;
    cli_session *session;
    gsp_module module;       /* as it was */
    gsp_graph graph;         /* the one without tiles, and */
    gsp_placement placement; /* where its nodes run */
    gsp_memory_plan_result plan;
    tile_graph tiles;
    gsp_tile_room room;
    gsp_tile_point point;
    tile_plan steps;
    split_tiles *told;
    double percent;
    gsp_node *now;  /* [n_nodes of graph] that node of the new graph; GSP_NONE if it is in tiles */
    gsp_node at;    /* the next node of the new graph */
    gsp_node *seen; /* [nodes of the new graph] the tile that read this parameter last, + 1 */
} work;

int split_tiles_check(split *p)
{
    const split_options *o = &p->opt;
    double percent;
    uint32_t i;
    const char *other = o->plan != NULL                    ? "--plan"
                        : o->command != NULL               ? "--try"
                        : o->no_convert                    ? "--no-convert"
                        : o->rewrite_to != UINT64_MAX      ? "--rewrite-to"
                        : p->session->common.graph != NULL ? "--graph"
                                                           : NULL;
    if (!o->tile) {
        return o->max_recompute == NULL && o->emit_model == NULL && !o->stream_input
                   ? CLI_EXIT_OK
                   : cli_usage_error(p->session, "%s requires --tile",
                         o->stream_input         ? "--stream-input"
                         : o->emit_model != NULL ? "--emit-model"
                                                 : "--max-recompute");
    }
    if (o->most_bytes == 0) {
        return cli_usage_error(p->session, "--tile requires --max-acc-bytes");
    }
    for (i = 0; i < p->session->n_given; i++) {
        other = strcmp(p->session->given[i].option->name, "--units") == 0 ? "--units" : other;
    }
    if (other != NULL) {
        return cli_usage_error(p->session, "--tile cannot be combined with %s", other);
    }
    return o->max_recompute == NULL
               ? CLI_EXIT_OK
               : cli_percent_read(p->session, "--max-recompute", o->max_recompute, &percent);
}

/* ---- what nodes take ---- */

static int is_there(const work *w, gsp_node v)
{
    uint8_t const kind = w->placement.kind[v];
    return kind != GSP_KIND_CPU && kind != GSP_KIND_NONE;
}

/* Bytes of a node's parameters, its result and what it reads, each once. */
static uint64_t alone(const work *w, gsp_node v)
{
    const gsp_graph *g = &w->graph;
    uint64_t bytes = cli_add(gsp_node_bytes(g, v), gsp_node_params(g, v));
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    uint32_t i;
    for (i = 0; i < n; i++) {
        bytes = cli_add(bytes, gsp_node_bytes(g, in[i]));
    }
    return bytes;
}

/* Bytes of the parameters of some steps, each once. */
static uint64_t params_of(const work *w, gsp_node first, gsp_node last)
{
    const uint32_t *weights = w->room.weights;
    uint32_t const begin = w->room.begin[first];
    uint64_t bytes = 0;
    uint32_t i;
    for (i = begin; i < w->room.begin[last + 1u]; i++) {
        uint32_t k = begin;
        while (weights[k] != weights[i]) {
            k++;
        }
        bytes += k == i ? w->tiles.values[weights[i]].bytes : 0u;
    }
    return bytes;
}

/* What runs on the CPU runs as a whole. */
static void keep_whole(work *w)
{
    gsp_node v;
    for (v = 0; v < w->tiles.n; v++) {
        gsp_tile_op *op = &w->tiles.ops[v];
        if (!is_there(w, v) && op->kind != GSP_TILE_NONE) {
            op->kind = GSP_TILE_FIXED;
            op->n_in = 0;
            w->tiles.why[v] =
                gsp_node_is_callable(&w->graph, v) ? "runs on the CPU" : w->tiles.why[v];
        }
    }
}

/* No operator reads the stream as a whole. */
static int is_streamed(const work *w, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(&w->graph, v, &n);
    uint32_t i = 0;
    while (i < n && in[i] != w->tiles.stream) {
        i++;
    }
    return i < n;
}

/* What runs on the CPU takes nothing of the accelerator. */
static void fill_room(work *w)
{
    tile_graph *t = &w->tiles;
    cli_session *s = w->session;
    size_t const n = (size_t)t->n + 1u;
    uint8_t *kind = (uint8_t *)cli_alloc(s, n, 1u);
    uint64_t *bytes = (uint64_t *)cli_alloc(s, n, sizeof *bytes);
    uint32_t *begin = (uint32_t *)cli_alloc(s, n, sizeof *begin);
    uint32_t *weights = (uint32_t *)cli_alloc(s, (size_t)w->p->counts.edges + 1u, sizeof *weights);
    gsp_node v;
    for (v = 0; v < t->n; v++) {
        uint32_t n_in;
        const gsp_node *in = gsp_node_inputs(&w->graph, v, &n_in);
        uint32_t i;
        begin[v + 1u] = begin[v];
        if (!is_there(w, v)) {
            continue;
        }
        kind[v] = w->placement.kind[v];
        bytes[v] = is_streamed(w, v) ? UINT64_MAX : alone(w, v);
        for (i = 0; i < n_in; i++) {
            int const is_replaced = i == 1u && t->ops[v].kind == GSP_TILE_PADDING &&
                                    t->ops[v].padding != 0; /* a tile has its own padding */
            if (t->ops[in[i]].kind == GSP_TILE_NONE && !is_replaced) {
                weights[begin[v + 1u]++] = in[i];
            }
        }
    }
    w->room.kind = kind;
    w->room.alone = bytes;
    w->room.begin = begin;
    w->room.weights = weights;
    w->room.limit = w->p->opt.most_bytes;
    w->room.params = w->p->opt.most_params != 0 ? w->p->opt.most_params : UINT64_MAX;
    w->room.again = cli_whole(w->percent * 1e4 + 0.5);
}

static int read_tiles(work *w)
{
    gsp_memory_plan_desc desc = {0};
    gsp_arena arena;
    gsp_error err;
    desc.align = 1;
    cli_arena(w->session, &arena, gsp_memory_plan_bound(&w->graph, &desc));
    if (gsp_memory_plan_run(&arena, &w->graph, &desc, &w->plan, &err) != GSP_OK) {
        (void)cli_pass_error(w->session, &w->graph, &err);
        return CLI_EXIT_FAILED;
    }
    return cli_tiles_read(w->session, &w->graph, &w->plan, desc.align, &w->tiles);
}

/* "%conv_2d (tflite.CONV_2D)" */
static void put_step(const work *w, gsp_node v, cli_buffer *out)
{
    cli_puts(out, "%");
    cli_put_text(out, gsp_node_name(&w->graph, v));
    cli_puts(out, " (");
    cli_put_text(out, gsp_node_target(&w->graph, v));
    cli_puts(out, ")");
}

/* A step that no tiles make smaller, or a region whose tiles take the most. */
static int refuse(const work *w, int complete)
{
    cli_session *s = w->session;
    gsp_node const v = w->point.busiest;
    gsp_node last = v;
    cli_buffer of;
    uint32_t i;
    if (v >= w->tiles.n) { /* GSP_NONE */
        return cli_error(s, GSP_STATUS_NO_FIT,
            "--stream-input: no region of operators reads %%%s and nothing else",
            cli_copy(s, gsp_node_name(&w->graph, w->tiles.stream)));
    }
    for (i = 0; i < w->point.n_regions; i++) {
        last = w->point.regions[i].first == v ? w->point.regions[i].last : last;
    }
    cli_buffer_init(&of, s);
    put_step(w, v, &of);
    if (last != v) {
        cli_puts(&of, " to ");
        put_step(w, last, &of);
    } else if (w->tiles.ops[v].kind == GSP_TILE_FIXED && w->tiles.why[v] != NULL) {
        cli_printf(&of, ", which cannot run in tiles since it %s", w->tiles.why[v]);
    }
    cli_put(&of, "", 1u);
    return cli_error(s, GSP_STATUS_NO_FIT,
        "--max-acc-bytes %" PRIu64 ": the least that tiles reach%s is %" PRIu64 " bytes, %" PRIu64
        " of parameters, of %s; --cpu-nodes keeps %s on the CPU",
        w->room.limit, complete ? "" : " as far as they were tried", w->point.cost.peak,
        params_of(w, v, last), of.data, last != v ? "them" : "it");
}

/* ---- the stream ---- */

static int choose_stream(work *w)
{
    gsp_node input = GSP_NONE;
    int code = CLI_EXIT_OK;
    if (w->p->opt.stream_input) {
        code = cli_tiles_stream(w->session, &w->graph, &w->tiles, &input);
        w->tiles.stream = input;
    }
    return code;
}

/* Dimensions of a type. */
static uint32_t rank_of(gsp_str type)
{
    uint32_t at = 0;
    uint32_t i = 0;
    uint32_t n = 0;
    gsp_str dtype;
    gsp_str list;
    gsp_str dim;
    if (gsp_type_next(type, &at, &dtype, &list)) {
        while (cli_next_dim(list, &i, &dim)) {
            n++;
        }
    }
    return n;
}

/* Where the tiles of the input begin in it, for the manifest. */
static void tell_stream(const work *w)
{
    cli_session *s = w->session;
    gsp_node const input = w->tiles.stream;
    cli_streamed *t = (cli_streamed *)cli_alloc(s, 1u, sizeof *t);
    uint32_t *begin;
    uint32_t i;
    uint32_t a;
    gsp_node v;
    t->rank = rank_of(gsp_node_type(&w->graph, input));
    t->n = w->told->n_stream;
    begin = (uint32_t *)cli_alloc(s, (size_t)t->n * t->rank + 1u, sizeof *begin);
    for (i = 0; i < t->n; i++) {
        for (a = 0; a < GSP_TILES_AXES; a++) {
            uint32_t const axis = (cli_tflite_model(s) != NULL ? 1u : t->rank - GSP_TILES_AXES) +
                                  a; /* rows, columns */
            begin[i * t->rank + axis] = w->told->stream[i].first[a];
        }
    }
    for (v = 0; v < input; v++) {
        t->first += gsp_node_op(&w->graph, v) == GSP_OP_PLACEHOLDER ? 1u : 0u;
    }
    (void)cli_tensor(s, &w->graph, input, 0, &t->input);
    t->input = gsp_str_of(cli_copy(s, t->input));
    t->begin = begin;
    s->streamed = t;
}

/* The tiles of a region that reads the stream. */
static void keep_stream(work *w, const gsp_tile_region *r)
{
    split_tiles *t = w->told;
    uint32_t i;
    t->input = gsp_node_name(&w->graph, r->entry);
    t->stream = (gsp_tile_box *)cli_alloc(w->session, w->steps.n_steps, sizeof *t->stream);
    memcpy(t->parts, r->parts, sizeof t->parts);
    for (i = 0; i < w->steps.n_steps; i++) {
        const gsp_tile_part *v = &w->steps.values[w->steps.steps[i].out];
        if (w->steps.steps[i].kind == GSP_TILE_STEP_INPUT) {
            t->stream[t->n_stream++] = v->box;
            t->largest = v->bytes > t->largest ? v->bytes : t->largest;
        }
    }
    tell_stream(w);
}

/* ---- what is told ---- */

static void keep(work *w, int complete)
{
    split_tiles *t = (split_tiles *)cli_alloc(w->session, 1u, sizeof *t);
    uint32_t i;
    gsp_node v;
    t->list =
        (split_tiled *)cli_alloc(w->session, (size_t)w->point.n_regions + 1u, sizeof *t->list);
    t->n = w->point.n_regions;
    t->complete = complete;
    w->told = t;
    w->p->tiles = t;
    for (v = 0; v < w->tiles.n; v++) {
        t->all += (double)w->tiles.ops[v].macs;
        t->before += gsp_node_is_callable(&w->graph, v) ? 1u : 0u;
    }
    for (i = 0; i < t->n; i++) {
        split_tiled *r = &t->list[i];
        gsp_node largest;
        r->region = w->point.regions[i];
        r->cost = r->region.cost;
        largest = r->region.first;
        for (v = r->region.first; v <= r->region.last; v++) {
            largest = alone(w, v) > alone(w, largest) && is_there(w, v) ? v : largest;
        }
        r->first = gsp_node_name(&w->graph, r->region.first);
        r->last = gsp_node_name(&w->graph, r->region.last);
        r->largest = gsp_node_name(&w->graph, largest);
        r->target = gsp_node_target(&w->graph, largest);
        r->alone = alone(w, largest);
        t->macs += r->region.cost.macs;
        if (r->region.entry == w->tiles.stream) {
            (void)tile_expand(&w->tiles, &r->region, &w->steps);
            keep_stream(w, &r->region);
        }
    }
}

/* ---- the placement of the new graph ---- */

/* Puts the next node of the new graph there, and returns it. */
static gsp_node put_next(work *w, uint8_t kind, uint8_t reason)
{
    split *p = w->p;
    while (w->at < p->graph.n_nodes && !gsp_node_is_callable(&p->graph, w->at)) {
        w->at++;
    }
    if (w->at == p->graph.n_nodes) {
        return GSP_NONE;
    }
    p->placement.kind[w->at] = kind;
    p->placement.reason[w->at] = reason;
    p->placement.culprit[w->at] = GSP_NONE;
    return w->at++;
}

static void put_same(work *w, gsp_node v)
{
    if (gsp_node_is_callable(&w->graph, v)) {
        w->now[v] = put_next(w, w->placement.kind[v], w->placement.reason[v]);
    }
}

/* Steps that the accelerator runs besides, such as paddings, are where its list has them. */
static int place_step(work *w, const gsp_tile_region *r, const gsp_tile_step *step, gsp_node *group)
{
    split *p = w->p;
    uint8_t const kind = w->placement.kind[r->first];
    int const is_joined = step->tile == GSP_NONE || step->is_cut != 0;
    gsp_node v;
    if (is_joined) {
        (void)put_next(w, GSP_KIND_CPU, GSP_REASON_MOVED);
        return CLI_EXIT_OK;
    }
    v = w->at;
    while (v < p->graph.n_nodes && !gsp_node_is_callable(&p->graph, v)) {
        v++;
    }
    if (v < p->graph.n_nodes && step->kind != GSP_TILE_STEP_RUN && p->placement.kind[v] != kind) {
        return cli_error(w->session, GSP_STATUS_ARG,
            "--tile: tiles of %%%s need %s, which %s does not take",
            cli_copy(w->session, gsp_node_name(&w->graph, step->op)),
            cli_copy(w->session, gsp_node_target(&p->graph, v)), p->place.names[kind]);
    }
    v = put_next(w, kind,
        step->kind == GSP_TILE_STEP_RUN ? w->placement.reason[step->op]
                                        : (uint8_t)GSP_REASON_SUPPORTED);
    if (v != GSP_NONE) {
        *group = *group == GSP_NONE ? v : *group;
        p->placement.group[v] = *group;
    }
    return CLI_EXIT_OK;
}

/* Bytes of the parameters of a tile, each once. */
static uint64_t tile_params(const work *w, gsp_node group)
{
    const gsp_graph *g = &w->p->graph;
    uint64_t bytes = 0;
    gsp_node v;
    for (v = group; v < w->at; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        for (; n > 0 && w->p->placement.group[v] == group; n--, in++) {
            if (gsp_node_op(g, *in) == GSP_OP_GET_ATTR && w->seen[*in] != group + 1u) {
                w->seen[*in] = group + 1u;
                bytes += gsp_node_bytes(g, *in);
            }
        }
    }
    return bytes;
}

/* Paddings of tiles are parameters, too, which the search does not count. */
static int check_params(const work *w, const split_tiled *told)
{
    cli_session *s = w->session;
    uint64_t const most = w->p->opt.most_params;
    return most == 0 || told->params <= most
               ? CLI_EXIT_OK
               : cli_error(s, GSP_STATUS_NO_FIT,
                     "--max-acc-params %" PRIu64 ": a tile of %%%s to %%%s has %" PRIu64
                     " bytes, with its paddings; --cpu-nodes keeps them on the CPU",
                     most, cli_copy(s, told->first), cli_copy(s, told->last), told->params);
}

static int put_region(work *w, const gsp_tile_region *r, split_tiled *told)
{
    gsp_node group = GSP_NONE;
    uint32_t i;
    gsp_node v;
    int code = CLI_EXIT_OK;
    for (v = r->first; v < r->last; v++) {
        if (w->tiles.ops[v].kind == GSP_TILE_NONE) {
            put_same(w, v);
        }
    }
    (void)tile_expand(&w->tiles, r, &w->steps);
    for (i = 0; i < w->steps.n_steps && code == CLI_EXIT_OK; i++) {
        const gsp_tile_step *step = &w->steps.steps[i];
        group = i != 0 && step->tile != step[-1].tile ? GSP_NONE : group;
        code = step->kind != GSP_TILE_STEP_INPUT ? place_step(w, r, step, &group) : code;
        if (group != GSP_NONE && (i + 1u == w->steps.n_steps || step->tile != step[1].tile)) {
            uint64_t const params = tile_params(w, group);
            told->params = params > told->params ? params : told->params;
        }
    }
    return code == CLI_EXIT_OK ? check_params(w, told) : code;
}

/* Nodes that are in no tile stay where they were, whatever their names are now. */
static int put_all(work *w)
{
    split *p = w->p;
    const gsp_tile_region *r = w->point.regions;
    const gsp_tile_region *end = r + w->point.n_regions;
    gsp_node v;
    int code = CLI_EXIT_OK;
    w->now = (gsp_node *)cli_alloc(w->session, (size_t)w->graph.n_nodes + 1u, sizeof *w->now);
    memset(w->now, 0xFF, w->graph.n_nodes * sizeof *w->now);
    w->seen = (gsp_node *)cli_alloc(w->session, (size_t)p->graph.n_nodes + 1u, sizeof *w->seen);
    for (v = 0; v < w->graph.n_nodes && code == CLI_EXIT_OK; v++) {
        if (r < end && v == r->first) {
            code = put_region(w, r, &w->told->list[r - w->point.regions]);
            v = r++->last;
        } else {
            put_same(w, v);
        }
    }
    for (v = 0; v < w->graph.n_nodes; v++) {
        gsp_node const culprit = w->placement.culprit[v];
        if (w->now[v] != GSP_NONE && culprit != GSP_NONE) {
            p->placement.culprit[w->now[v]] = w->now[culprit];
        }
    }
    return code;
}

/* The model with its tiles in place of the other. Pins have done what they do. */
static int take_tiles(work *w)
{
    split *p = w->p;
    cli_session *s = w->session;
    gsp_node v;
    int code;
    s->quiet = 1; /* the model is read again */
    code = s->format->tiles(s, &w->tiles, &w->point);
    code = code == CLI_EXIT_OK ? cli_dims_set(s) : code;
    s->quiet = 0;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    p->graph = gsp_module_graph(&s->module, 0);
    p->counts = gsp_graph_counts(&p->graph);
    p->place.desc.n_pins = 0;
    code = cli_order_writes(s, &p->graph, p->opt.ignore_writes);
    code = code == CLI_EXIT_OK ? cli_place_run(s, &p->place, &p->graph, &p->placement, &p->bodies)
                               : code;
    code = code == CLI_EXIT_OK ? put_all(w) : code;
    for (v = 0; v < p->graph.n_nodes; v++) {
        w->told->after += gsp_node_is_callable(&p->graph, v) ? 1u : 0u;
    }
    return code;
}

int split_tiles_run(split *p)
{
    cli_session *s = p->session;
    tile_curve curve;
    int code;
    work w;
    if (!p->opt.tile) {
        return CLI_EXIT_OK;
    }
    memset(&w, 0, sizeof w);
    w.p = p;
    w.session = s;
    w.module = *p->graph.module;
    w.graph = gsp_module_graph(&w.module, 0);
    w.placement = p->placement;
    w.percent = USUAL_RECOMPUTE;
    if (p->opt.max_recompute != NULL) {
        (void)cli_percent_read(s, "--max-recompute", p->opt.max_recompute, &w.percent);
    }
    if (s->format->tiles == NULL) {
        return cli_error(s, GSP_STATUS_ARG,
            "--tile requires a model that it can write (.tflite; .onnx with graphsplit-onnx), and "
            "%s is none",
            s->path);
    }
    if ((code = read_tiles(&w)) != CLI_EXIT_OK) {
        return code;
    }
    keep_whole(&w);
    if ((code = choose_stream(&w)) != CLI_EXIT_OK) {
        return code;
    }
    cli_progress(s, "searching tiles");
    fill_room(&w);
    if ((code = tile_place(s, &w.tiles, &w.room, &curve)) != CLI_EXIT_OK) {
        return code;
    }
    w.point.busiest = GSP_NONE;
    w.point = curve.n_points != 0 ? curve.points[0] : w.point;
    if (!curve.fits) {
        return refuse(&w, curve.complete);
    }
    tile_plan_open(s, &w.steps);
    keep(&w, curve.complete);
    return w.point.n_regions == 0 ? CLI_EXIT_OK : take_tiles(&w);
}

/* ---- reports ---- */

static void put_grid(const gsp_tile_region *r, cli_buffer *out)
{
    cli_printf(out, "%" PRIu32 "x%" PRIu32, r->parts[0], r->parts[1]);
}

/* Bytes of a graph's input that is a tile; others are there from the beginning. */
static uint64_t tile_bytes(const split *p, gsp_node v, uint64_t *others)
{
    const cli_streamed *t = p->session->streamed;
    uint32_t number = 0;
    gsp_node i;
    for (i = 0; i < v; i++) {
        number += gsp_node_op(&p->graph, i) == GSP_OP_PLACEHOLDER ? 1u : 0u;
    }
    if (number - t->first < t->n) {
        return gsp_node_bytes(&p->graph, v);
    }
    *others = cli_add(*others, gsp_node_bytes(&p->graph, v));
    return 0;
}

/* The most of a subgraph's tiles, beside other inputs. */
static uint64_t most_read(const split *p)
{
    uint64_t *read =
        (uint64_t *)cli_alloc(p->session, (size_t)p->result.n_subgraphs + 1u, sizeof *read);
    uint64_t most = 0;
    uint64_t others = 0;
    uint32_t n;
    uint32_t i;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        const gsp_node *users = gsp_node_users(&p->graph, v, &n);
        uint64_t const bytes =
            gsp_node_op(&p->graph, v) == GSP_OP_PLACEHOLDER ? tile_bytes(p, v, &others) : 0u;
        if (bytes != 0 && n != 0) { /* all its readers are of one tile */
            read[p->result.subgraph_of[users[0]]] += bytes;
        }
    }
    for (i = 0; i < p->result.n_subgraphs; i++) {
        most = read[i] > most ? read[i] : most;
    }
    return cli_add(most, others);
}

/* Bytes of a run in one memory, with the tiles of the input that one subgraph reads; 0 if sizes are
 * too large. */
static uint64_t stream_total(const split *p)
{
    gsp_liveness_desc desc = {0};
    gsp_liveness_result result;
    gsp_arena arena;
    desc.n_parts = 1;
    desc.part_of = (const uint32_t *)cli_alloc(p->session, p->graph.n_nodes, sizeof *desc.part_of);
    desc.skip_inputs = 1;
    desc.order = p->result.nodes;
    desc.n_order = p->result.subgraph_begin[p->result.n_subgraphs];
    cli_arena(p->session, &arena, gsp_liveness_bound(&p->graph, &desc));
    return gsp_liveness_run(&arena, &p->graph, &desc, &result, NULL) == GSP_OK
               ? cli_add(result.parts[0].bytes, most_read(p))
               : 0u;
}

void split_people_tiles(const split *p, cli_buffer *out)
{
    const split_tiles *t = p->tiles;
    cli_table table;
    uint32_t i;
    cli_put_heading(out, "TILES", "what takes more than the limit by itself");
    if (t->n == 0) {
        cli_puts(out, "  none: all nodes are within the limit\n");
        return;
    }
    cli_table_init(&table, p->session, "llrrrrrlr");
    cli_table_head(&table, "from|to|tiles|largest|params|moved|MACs|since|takes");
    for (i = 0; i < t->n; i++) {
        const split_tiled *r = &t->list[i];
        cli_put_clipped(cli_cell_begin(&table, CLI_PLAIN), r->first, 24u);
        cli_put_clipped(cli_cell_begin(&table, CLI_PLAIN), r->last, 24u);
        put_grid(&r->region, cli_cell_begin(&table, CLI_PLAIN));
        cli_put_need(cli_cell_begin(&table, CLI_PLAIN), r->cost.peak);
        cli_put_bytes(cli_cell_begin(&table, CLI_PLAIN), r->params);
        cli_put_bytes(cli_cell_begin(&table, CLI_PLAIN), r->cost.moved);
        cli_cell_put(&table, CLI_PLAIN, "+%" PRIu64, r->region.cost.macs);
        cli_put_clipped(cli_cell_begin(&table, CLI_PLAIN), r->largest, 24u);
        cli_put_need(cli_cell_begin(&table, CLI_PLAIN), r->alone);
    }
    cli_table_write(&table, out);
    cli_printf(out, "  %" PRIu64 " MACs more", t->macs);
    if (t->all > 0.0) {
        cli_printf(out, " (%.1f %%)", (double)t->macs / t->all * 100.0);
    }
    cli_printf(out, ", %" PRIu32 " operators for %" PRIu32 "%s\n", t->after, t->before,
        t->complete ? "" : "; not all regions were tried");
    if (t->n_stream != 0) {
        cli_puts(out, "  ");
        cli_put_clipped(out, t->input, 40u);
        cli_printf(out, " comes in %" PRIu32 " tiles of at most ", t->n_stream);
        cli_put_need(out, t->largest);
        cli_puts(
            out, "; with one piece's tiles at a time, the peak of a run in one memory is at most ");
        cli_put_need(out, stream_total(p));
        cli_puts(out, "\n");
    }
}

/* The new inputs in their order. */
static void put_stream(const split *p, cli_buffer *out)
{
    const split_tiles *t = p->tiles;
    uint32_t i;
    uint32_t a;
    for (i = 0; i < t->n_stream; i++) {
        cli_puts(out, "stream ");
        cli_put_text(out, t->input);
        for (a = 0; a < GSP_TILES_AXES; a++) {
            if (t->parts[a] != 1u) {
                cli_printf(out, " %s=%" PRIu32 "..%" PRIu32, a != 0 ? "columns" : "rows",
                    t->stream[i].first[a], t->stream[i].end[a]);
            }
        }
        cli_puts(out, "\n");
    }
    if (t->n_stream != 0) {
        cli_printf(out, "stream total=%" PRIu64 " tile=%" PRIu64 "\n", stream_total(p), t->largest);
    }
}

void split_porcelain_tiles(const split *p, cli_buffer *out)
{
    const split_tiles *t = p->tiles;
    uint32_t i;
    for (i = 0; i < t->n; i++) {
        const split_tiled *r = &t->list[i];
        cli_puts(out, "tile ");
        cli_put_text(out, r->first);
        cli_puts(out, " ");
        cli_put_text(out, r->last);
        cli_puts(out, " grid=");
        put_grid(&r->region, out);
        cli_printf(out,
            " peak=%" PRIu64 " params=%" PRIu64 " macs=+%" PRIu64 " moved=%" PRIu64
            " alone=%" PRIu64 " largest=",
            r->cost.peak, r->params, r->region.cost.macs, r->cost.moved, r->alone);
        cli_put_text(out, r->largest);
        cli_puts(out, "\n");
    }
    put_stream(p, out);
}

void split_json_tiles(const split *p, cli_buffer *out)
{
    const split_tiles *t = p->tiles;
    uint32_t i;
    cli_printf(out,
        "\"tiles\": {\"macs\": %.0f, \"extra_macs\": %" PRIu64 ", \"operators\": [%" PRIu32
        ", %" PRIu32 "], \"complete\": %s, \"regions\": [",
        t->all, t->macs, t->before, t->after, t->complete ? "true" : "false");
    for (i = 0; i < t->n; i++) {
        const split_tiled *r = &t->list[i];
        cli_puts(out, i != 0 ? ",\n  {\"first\": " : "\n  {\"first\": ");
        cli_json_string(out, r->first);
        cli_puts(out, ", \"last\": ");
        cli_json_string(out, r->last);
        cli_printf(out,
            ", \"grid\": [%" PRIu32 ", %" PRIu32 "], \"peak\": %" PRIu64 ", \"params\": %" PRIu64
            ", \"extra_macs\": %" PRIu64 ", \"moved\": %" PRIu64 ", \"largest\": ",
            r->region.parts[0], r->region.parts[1], r->cost.peak, r->params, r->region.cost.macs,
            r->cost.moved);
        cli_json_string(out, r->largest);
        cli_puts(out, ", \"operator\": ");
        cli_json_string(out, r->target);
        cli_printf(out, ", \"alone\": %" PRIu64 "}", r->alone);
    }
    cli_puts(out, "]");
    for (i = 0; i < t->n_stream; i++) {
        const gsp_tile_box *b = &t->stream[i];
        if (i == 0) {
            cli_puts(out, ", \"stream\": {\"input\": ");
            cli_json_string(out, t->input);
            cli_printf(out, ", \"total\": %" PRIu64 ", \"tile\": %" PRIu64 ", \"tiles\": [",
                stream_total(p), t->largest);
        }
        cli_printf(out, "%s[[%" PRIu32 ", %" PRIu32 "], [%" PRIu32 ", %" PRIu32 "]]",
            i != 0 ? ", " : "", b->first[0], b->end[0], b->first[1], b->end[1]);
    }
    cli_puts(out, t->n_stream != 0 ? "]}},\n" : "},\n");
}

#endif
