/* --stream: a network as C code that calls row kernels. Regions run row by row in rolling buffers,
 * each row once; what is in none runs layer by layer in the same arena. */
#include "commands/emit_c/emit_c.h"

#include "input/input.h"

#include <inttypes.h>
#include <string.h>

#define MOST_STEPS 8u /* of a bisection */

/* ---- the graph ---- */

/* ONNX has channels behind the batch; what it lacks is 1. */
static void from_onnx(stream_place *p)
{
    uint32_t channels;
    if (p->rank == 0) {
        return;
    }
    channels = p->dims[STREAM_RANK - p->rank + (p->rank > 1u ? 1u : 0u)];
    if (p->rank == 1u || p->rank == 2u) {
        p->dims[0] = p->dims[2];
        p->dims[2] = 1;
    } else {
        p->dims[0] = p->dims[STREAM_RANK - p->rank];
        p->dims[1] = p->rank == STREAM_RANK ? p->dims[2] : 1u;
        p->dims[2] = p->dims[3];
    }
    p->dims[3] = channels;
}

static int read_dims(stream_work *w, gsp_node v)
{
    stream_place *p = &w->places[v];
    gsp_str const type = gsp_node_type(&w->g, v);
    uint32_t at = 0;
    uint32_t i = 0;
    gsp_str dtype;
    gsp_str list;
    gsp_str dim;
    uint64_t number;
    int const is_parameter = gsp_node_op(&w->g, v) == GSP_OP_GET_ATTR;
    p->region = GSP_NONE;
    p->kept = 1;
    p->dims[0] = p->dims[1] = p->dims[2] = p->dims[3] = 1;
    if (!gsp_type_next(type, &at, &dtype, &list)) {
        return CLI_EXIT_OK;
    }
    for (; cli_next_dim(list, &i, &dim); p->rank++) {
        if (!gsp_str_number(dim, &number)) {
            char *symbol = cli_copy(w->session, dim);
            return cli_error(w->session, GSP_STATUS_ARG,
                "--stream requires sizes that are known, and %s depends on %s: give --dim %s=N",
                w->session->path, symbol, symbol);
        }
        if (p->rank == STREAM_RANK || number > INT32_MAX ||
            (number == 0 && !(w->is_onnx && is_parameter))) {
            char *name = cli_copy(w->session, gsp_node_name(&w->g, v));
            return cli_error(w->session, GSP_STATUS_ARG,
                "--stream: %%%s has more than four dimensions, or an empty one", name);
        }
        memmove(p->dims, p->dims + 1, (STREAM_RANK - 1u) * sizeof *p->dims);
        p->dims[STREAM_RANK - 1u] = (uint32_t)number;
    }
    if (w->is_onnx) {
        from_onnx(p);
    }
    return CLI_EXIT_OK;
}

/* Why the code cannot run an operator at all; NULL if it can. */
static const char *why_not(const stream_work *w, gsp_node v)
{
    uint32_t n;
    uint32_t i;
    uint32_t n_values = 0;
    uint32_t n_const = 0;
    const gsp_node *in = gsp_node_inputs(&w->g, v, &n);
    const char *prefix = w->is_onnx ? "onnx." : "tflite.";
    gsp_str const target = gsp_node_target(&w->g, v);
    if (target.size <= strlen(prefix) || memcmp(target.data, prefix, strlen(prefix)) != 0) {
        return "has several results, or runs another graph";
    }
    if (w->m.memory_plan.tensor_of[v] == GSP_NONE) {
        return "has no memory of its own";
    }
    for (i = 0; i < n; i++) {
        int const is_parameter = gsp_node_op(&w->g, in[i]) == GSP_OP_GET_ATTR;
        n_const += is_parameter ? 1u : 0u;
        if (is_parameter && w->is_onnx && !stream_is_known(w, in[i])) {
            return "reads another graph, or a parameter of a type that C lacks";
        }
    }
    for (i = 0; i < stream_places(w, v); i++) {
        gsp_node const value = stream_input(w, v, i);
        n_values += value != GSP_NONE && gsp_node_op(&w->g, value) != GSP_OP_GET_ATTR ? 1u : 0u;
    }
    if (w->is_onnx && n_values == 0) {
        return "is computed from parameters alone, in whose place the file has to have its result";
    }
    if (n_values > GSP_TILES_INPUTS || n_values == 0) {
        return "reads no value, or more than ten";
    }
    return n_const > STREAM_CONSTANTS && !w->is_onnx ? "reads more than two parameters" : NULL;
}

int emit_c_can_stream(const cli_session *s)
{
    return cli_tflite_model(s) != NULL || s->format->parameter != NULL;
}

static int check(stream_work *w)
{
    gsp_node v;
    int code = CLI_EXIT_OK;
    if (!emit_c_can_stream(w->session)) {
        return cli_error(w->session, GSP_STATUS_ARG,
            "--stream requires a .tflite or .onnx model, which has the weights, and %s is none",
            w->session->path);
    }
    for (v = 0; v < w->g.n_nodes && code == CLI_EXIT_OK; v++) {
        code = read_dims(w, v);
    }
    for (v = 0; v < w->g.n_nodes && code == CLI_EXIT_OK; v++) {
        const char *why = gsp_node_is_callable(&w->g, v) ? why_not(w, v) : NULL;
        if (why != NULL) {
            char *name = cli_copy(w->session, gsp_node_name(&w->g, v));
            code = cli_error(w->session, GSP_STATUS_ARG, "--stream: %%%s (%s) %s", name,
                cli_copy(w->session, gsp_node_target(&w->g, v)), why);
        }
    }
    for (v = 0; v < w->g.n_nodes && w->is_onnx && code == CLI_EXIT_OK; v++) {
        code = gsp_node_op(&w->g, v) == GSP_OP_GET_ATTR
                   ? w->session->format->parameter(w->session, &w->g, v, NULL)
                   : CLI_EXIT_OK;
    }
    return code;
}

/* ---- the plan ---- */

/* The groups of a region share what they need while they run. */
static void share_scratch(stream_work *w, const gsp_tile_region *r)
{
    gsp_tensor *shared = NULL;
    gsp_node scratch = GSP_NONE;
    uint32_t i;
    for (i = 0; i < w->n_groups; i++) {
        stream_group *g = &w->groups[i];
        gsp_node const last = g->members[g->n - 1u];
        if (last >= r->first && last <= r->last) {
            gsp_tensor *t = &w->m.memory_plan.tensors[w->tiles.values[g->scratch].tensor];
            uint64_t const bytes = t->bytes;
            shared = shared == NULL ? t : shared;
            scratch = scratch == GSP_NONE ? g->scratch : scratch;
            t->bytes = 0;
            g->scratch = scratch;
            shared->bytes = bytes > shared->bytes ? bytes : shared->bytes;
            shared->begin = r->first;
            shared->end = r->last;
        }
    }
}

static void set_region(stream_work *w, uint32_t number)
{
    const gsp_tile_region *r = &w->point.regions[number];
    uint32_t *kept = memory_lines_set(w->session, w->m.memory_plan.tensors, &w->tiles, r);
    uint32_t i;
    for (i = r->first; i <= r->last; i++) {
        if (w->tiles.ops[i].kind != GSP_TILE_NONE) {
            w->places[i].region = number;
            w->places[i].kept = i != r->last ? kept[i - r->first] : w->places[i].kept;
            w->places[i].adds = memory_lines_adds(&w->tiles, r, i);
            w->places[i].sums = w->places[i].adds ? memory_lines_sums(&w->tiles, r, kept, i) : 0u;
        }
    }
    cli_release(w->session, kept);
}

static int refuse(stream_work *w, const gsp_tile_point *p)
{
    const char *why = w->tiles.why[p->busiest];
    char *name = cli_copy(w->session, gsp_node_name(&w->g, p->busiest));
    return cli_error(w->session, GSP_STATUS_NO_FIT,
        "--stream: rolling buffers save nothing; the most is live at %%%s (%s)%s%s", name,
        cli_copy(w->session, gsp_node_target(&w->g, p->busiest)),
        why != NULL ? ", which cannot run row by row since it " : "", why != NULL ? why : "");
}

static uint32_t rows_of(const stream_place *p)
{
    return p->rank == STREAM_RANK && p->dims[0] == 1u ? p->dims[1] : 1u;
}

/* Rows of all values. */
static void set_rows(stream_work *w)
{
    gsp_node v;
    for (v = 0; v < w->g.n_nodes; v++) {
        stream_place *p = &w->places[v];
        p->kept = rows_of(p);
    }
}

/* The largest input comes by rows; a region of the user begins with it. */
static int set_source(stream_work *w)
{
    gsp_tile_region r = {0, 0, GSP_NONE, {1, 1}, {0, 0, 0, 0}};
    const char *why;
    int const code = cli_tiles_stream(w->session, &w->g, &w->tiles, &w->source);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    w->tiles.ops[w->source].kind = GSP_TILE_SOURCE;
    if (w->tiles.first != GSP_NONE) {
        r.first = w->tiles.first;
        r.last = w->tiles.last;
        (void)tile_breach(&w->tiles, &r, &why);
        if (r.entry != w->source) {
            return cli_error(w->session, GSP_STATUS_ARG,
                "--region: its operators do not read %%%s, which comes by rows",
                cli_copy(w->session, gsp_node_name(&w->g, w->source)));
        }
        w->tiles.first = w->source;
    }
    return CLI_EXIT_OK;
}

/* Regions and their offsets for the least peak of this graph. */
static int plan_regions(stream_work *w, const stream_options *opt)
{
    tile_curve curve;
    gsp_node v;
    int const code = tile_lines(w->session, &w->tiles, &curve);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (opt->input && curve.n_points == 0) {
        char *name = cli_copy(w->session, gsp_node_name(&w->g, w->source));
        return cli_error(w->session, GSP_STATUS_NO_FIT,
            "--stream-input: no region of operators reads %%%s and nothing else", name);
    }
    if (!opt->input && w->n_groups == 0 && curve.n_points < 2u && opt->fit == UINT64_MAX) {
        return refuse(w, &curve.points[0]);
    }
    w->point = curve.points[curve.n_points - 1u];
    for (v = 0; v < w->g.n_nodes; v++) {
        w->places[v].region = GSP_NONE;
        w->places[v].adds = 0;
        w->places[v].kept = rows_of(&w->places[v]);
    }
    for (v = 0; v < w->point.n_regions; v++) {
        set_region(w, v);
        share_scratch(w, &w->point.regions[v]);
    }
    return memory_lines_pack(&w->m);
}

/* As few MACs again as fit; what offsets lose makes the peak smaller that is asked for. */
static int plan_fit(stream_work *w, const stream_options *opt, stream_fusion *f)
{
    uint64_t peak = opt->fit > f->least ? opt->fit : f->least;
    int code;
    for (;;) {
        uint64_t more;
        (void)stream_fuse(w, f, peak);
        code = plan_regions(w, opt);
        if (code != CLI_EXIT_OK || w->m.memory_plan.arena <= opt->fit) {
            return code;
        }
        if (peak == f->least) {
            return cli_error(w->session, GSP_STATUS_NO_FIT,
                "--fit %" PRIu64 ": the least that is found by rows is %" PRIu64 " bytes", opt->fit,
                w->m.memory_plan.arena);
        }
        more = w->m.memory_plan.arena - opt->fit;
        peak = peak - f->least > more ? peak - more : f->least;
    }
}

/* The least peak with that many MACs again, by bisection. */
static int plan_most(stream_work *w, const stream_options *opt, stream_fusion *f)
{
    uint64_t low = f->least;
    uint64_t high = f->plain;
    double const most = w->tiles.macs * opt->most / 100.0;
    uint32_t i;
    high = (double)stream_fuse(w, f, low) <= most ? low : high;
    for (i = 0; i < MOST_STEPS && low < high; i++) {
        uint64_t const peak = low + (high - low) / 2u;
        uint64_t const macs = stream_fuse(w, f, peak);
        low = (double)macs <= most ? low : peak + 1u;
        high = (double)macs <= most ? peak : high;
    }
    (void)stream_fuse(w, f, high);
    return plan_regions(w, opt);
}

static int choose(stream_work *w, const stream_options *opt)
{
    stream_fusion f;
    int code = cli_tiles_read(w->session, &w->g, &w->m.memory_plan, w->m.opt.align, &w->tiles);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_tiles_by_rows(w->session, &w->g, &w->tiles);
    set_rows(w);
    w->ops = w->tiles.ops;
    if (opt->region != NULL && (code = cli_tiles_region(w->session, &w->g, opt->region,
                                    "cannot run row by row since it ", &w->tiles)) != CLI_EXIT_OK) {
        return code;
    }
    code = memory_lines_pack(&w->m);
    w->before = w->m.memory_plan.arena;
    if (code == CLI_EXIT_OK && opt->input) {
        code = set_source(w);
    }
    if (opt->layers || code != CLI_EXIT_OK) {
        return code;
    }
    if (opt->fit == UINT64_MAX && opt->most < 0.0) {
        return plan_regions(w, opt);
    }
    stream_fuse_open(w, &f);
    return opt->most < 0.0 ? plan_fit(w, opt, &f) : plan_most(w, opt, &f);
}

static int make(stream_work *w, cli_session *s, const emit_c_desc *desc, const stream_options *opt)
{
    gsp_memory_plan_desc plan = {0};
    gsp_memory_plan_result made;
    gsp_arena arena;
    gsp_error err;
    int code;
    memset(w, 0, sizeof *w);
    w->session = s;
    w->is_onnx = cli_tflite_model(s) == NULL;
    w->name = desc->name;
    w->out = &s->out;
    w->source = GSP_NONE;
    w->g = w->m.graph = gsp_module_graph(&s->module, 0);
    w->m.session = s;
    w->m.opt.align = desc->align;
    w->m.opt.capacity = UINT64_MAX;
    w->m.searches = 1;
    w->m.max_work = desc->exact != NULL ? *desc->exact : MEMORY_LINES_WORK;
    w->places = (stream_place *)cli_alloc(s, (size_t)w->g.n_nodes + 1u, sizeof *w->places);
    w->group_of = (uint32_t *)cli_alloc(s, (size_t)w->g.n_nodes + 1u, sizeof *w->group_of);
    memset(w->group_of, 0xFF, ((size_t)w->g.n_nodes + 1u) * sizeof *w->group_of); /* GSP_NONE */
    plan.align = (uint32_t)desc->align;
    cli_arena(s, &arena, gsp_memory_plan_bound(&w->g, &plan));
    if (gsp_memory_plan_run(&arena, &w->g, &plan, &made, &err) != GSP_OK) {
        return cli_pass_error(s, &w->g, &err);
    }
    w->m.memory_plan = made;
    code = check(w);
    return code == CLI_EXIT_OK ? choose(w, opt) : code;
}

int emit_c_stream(cli_session *s, const emit_c_desc *desc, const stream_options *opt)
{
    stream_work w;
    int const code = make(&w, s, desc, opt);
    return code == CLI_EXIT_OK ? emit_c_put_stream(&w) : code;
}

int emit_c_stream_need(
    cli_session *s, const emit_c_desc *desc, const stream_options *opt, stream_need *need)
{
    stream_work w;
    uint32_t i;
    int code;
    s->tries = 1;
    code = make(&w, s, desc, opt);
    s->tries = 0;
    memset(need, 0, sizeof *need);
    if (code != CLI_EXIT_OK) {
        return 0;
    }
    need->bytes = w.m.memory_plan.arena;
    for (i = 0; i < w.n_groups; i++) {
        need->macs += w.groups[i].macs;
    }
    need->percent = w.tiles.macs > 0.0 ? 100.0 * (double)need->macs / w.tiles.macs : 0.0;
    return 1;
}
