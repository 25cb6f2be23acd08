/* The ways to need less memory, each by the command `memory`. */
#include "commands/fit/fit.h"

#include <inttypes.h>
#include <string.h>

#define WORK     ((uint64_t)1u << 20) /* for the offsets of a way, */
#define WORK_ALL ((uint64_t)1u << 28) /* and so much times the nodes, since steps take longer */

static const struct {
    const char *name;
    const char *command;
} ways[FIT_WAYS] = {
    {"plan", "memory --exact"},
    {"order", "memory --order best"},
    {"in-place", "memory"},
    {"order,in-place", "memory --order best"},
    {"split", "split --order least-peak"},
    {"tiles", "memory --tile"},
    {"memories", "memory"},
    {"parts", "memory --budget-pieces"},
    {"stream", "emit-c --stream --max-recompute 0"},
    {"stream-input", "emit-c --stream --stream-input --max-recompute 0"},
    {"stream-fit", "emit-c --stream"},
    {"stream-input-fit", "emit-c --stream --stream-input"},
};

const char *fit_name(uint32_t way)
{
    return ways[way].name;
}

/* An option with its value, behind a sign. */
static void put_option(cli_buffer *out, const char *name, char sign, const char *value)
{
    cli_printf(out, " %s%c", name, sign);
    cli_put_word(out, value);
}

/* --dim NAME=N and so on. */
static void put_stated(
    cli_buffer *out, const fit *f, const char *name, const cli_stated *list, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) {
        cli_buffer both;
        cli_buffer_init(&both, f->session);
        cli_put_text(&both, list[i].name);
        cli_puts(&both, "=");
        cli_put_text(&both, list[i].value);
        cli_put(&both, "", 1u);
        put_option(out, name, ' ', both.data);
    }
}

/* The memories, or the accelerators. */
static void put_given(cli_buffer *out, const fit *f, int memories)
{
    const cli_session *s = f->session;
    size_t i;
    for (i = 0; i < s->n_given; i++) {
        if ((strcmp(s->given[i].option->name, "--memory") == 0) == memories) {
            put_option(out, s->given[i].option->name, ' ', s->given[i].value);
        }
    }
}

static void put_size(cli_buffer *out, const fit *f, uint32_t way)
{
    const fit_row *r = &f->rows[way];
    if (way == FIT_PARTS) {
        cli_printf(out, " %" PRIu64, r->ram <= f->opt.ram ? f->opt.ram : r->ram);
    } else if (way >= FIT_AGAIN || (way == FIT_TILES && r->fits && !f->rows[FIT_PLAN].fits)) {
        cli_printf(out, " --fit %" PRIu64, f->opt.ram);
    }
}

void fit_put_command(cli_buffer *out, const fit *f, uint32_t way)
{
    const cli_session *s = f->session;
    cli_printf(out, "%s %s", s->front->program, ways[way].command);
    put_size(out, f, way);
    if (way == FIT_IN_PLACE || way == FIT_BOTH) {
        cli_puts(out, f->opt.in_place.value == NULL ? " --in-place" : "");
        if (f->opt.in_place.value != NULL) {
            put_option(out, "--in-place", '=', f->opt.in_place.value);
        }
    }
    if (way == FIT_SPLIT || way == FIT_MEMORIES) {
        put_given(out, f, way == FIT_MEMORIES);
    }
    if (f->opt.align != 0 && way != FIT_SPLIT) {
        cli_printf(out, " --align %" PRIu64, f->opt.align);
    }
    if (f->opt.graph != NULL) {
        put_option(out, "--graph", ' ', f->opt.graph);
    }
    put_stated(out, f, "--dim", s->dims, s->n_dims);
    put_stated(out, f, "--type", s->types, s->n_types);
    cli_puts(out, " ");
    cli_put_word(out, s->path);
}

int fit_micro_least(const fit *f, const fit_row *r)
{
    return f->least || r->micro.outside.size != 0;
}

int fit_params(const fit *f)
{
    return f->opt.flash == UINT64_MAX || (f->params <= f->opt.flash && !f->params_least);
}

/* A plan of the whole graph. */
static int start(fit *f, uint32_t way)
{
    memory *m = &f->m;
    memset(m, 0, sizeof *m);
    m->session = f->session;
    m->session->module = way == FIT_SPLIT ? f->ordered : f->given;
    m->session->source = f->source;
    m->opt.budget = m->opt.budget_pieces = m->opt.capacity = UINT64_MAX;
    m->opt.fit = UINT64_MAX;
    m->opt.tile = way == FIT_TILES;
    m->tiles.most = -1.0;
    m->opt.align = f->opt.align != 0 ? f->opt.align : GSP_ALIGN;
    m->opt.graph = f->opt.graph;
    m->opt.emit_model = f->opt.emit_model;
    m->opt.save_tflite = f->opt.save_tflite;
    m->opt.order = way == FIT_ORDER || way == FIT_BOTH ? "best" : NULL;
    m->opt.in_place = f->opt.in_place;
    m->opt.in_place.given = way == FIT_IN_PLACE || way == FIT_BOTH;
    m->searches = 1;
    m->max_work = WORK_ALL / (gsp_module_graph(&m->session->module, 0).n_nodes + 1u);
    m->max_work = m->max_work > WORK ? WORK : m->max_work;
    return memory_choose(m);
}

int fit_plan(fit *f, uint32_t way)
{
    int const code = start(f, way);
    return code == CLI_EXIT_OK ? memory_run(&f->m) : code;
}

static int try_plan(fit *f, uint32_t way)
{
    int const code = fit_plan(f, way);
    if (code == CLI_EXIT_OK) {
        f->rows[way].ram = f->m.memory_plan.arena;
        f->rows[way].has_micro = memory_micro(&f->m, &f->rows[way].micro);
        f->params = f->m.graphs[f->m.chosen].params;
        f->least = memory_is_least(&f->m, 0);
        f->params_least = memory_is_least(&f->m, 1);
        f->dims = cli_dims_text(f->session);
    }
    return code;
}

/* The memories of the options. If the tensors do not fit into them, the row has what is live at
 * once. */
static int try_memories(fit *f)
{
    fit_row *row = &f->rows[FIT_MEMORIES];
    uint32_t i;
    int code = start(f, FIT_MEMORIES);
    f->m.may_misfit = 1;
    f->m.searches = 0;
    f->m.max_work = 0;
    if (code == CLI_EXIT_OK && (code = memory_memories_read(&f->m)) == CLI_EXIT_OK &&
        f->m.several.n != 0 && (code = memory_run(&f->m)) == CLI_EXIT_OK) {
        int const found = f->m.several.result.cost != UINT64_MAX;
        row->tried = 1;
        row->fits = found && !f->least;
        row->ram = found ? f->m.several.use[0].bytes : f->m.liveness.parts[0].bytes;
        row->moved = 0;
        for (i = 1; found && i < f->m.several.n; i++) {
            row->moved += f->m.several.use[i].traffic;
        }
    }
    return code;
}

/* The format has the model as it was again. */
static int without_tiles(fit *f)
{
    gsp_tile_point const none = {{0, 0, 0, 0}, NULL, 0, 0};
    return f->session->format->tiles(f->session, NULL, &none);
}

/* The least RAM of tiles, and what that costs; the plan is the one with the fewest MACs that fits.
 * Tells nothing of a model that no tiles make smaller. */
static int try_tiles(fit *f)
{
    fit_row *row = &f->rows[FIT_TILES];
    int code = start(f, FIT_TILES);
    code = code == CLI_EXIT_OK ? memory_tiles_run(&f->m) : code;
    row->ram = f->m.memory_plan.arena;
    row->tried = code == CLI_EXIT_OK && f->m.tiles.n != 0;
    row->has_micro = row->tried && memory_micro(&f->m, &row->micro);
    row->moved = f->m.tiles.cost.moved;
    row->macs = f->m.tiles.cost.macs;
    row->percent = f->m.tiles.macs > 0.0 ? 100.0 * (double)row->macs / f->m.tiles.macs : 0.0;
    if (row->tried && row->ram <= f->opt.ram && (code = without_tiles(f)) == CLI_EXIT_OK &&
        (code = start(f, FIT_TILES)) == CLI_EXIT_OK) {
        f->m.opt.fit = f->opt.ram;
        code = memory_tiles_run(&f->m);
        row->fits = code == CLI_EXIT_OK;
    }
    return code;
}

static int can_tile(const fit *f)
{
    return f->session->format->tiles != NULL && f->opt.graph == NULL && !f->least &&
           !f->params_least;
}

/* The least budget of parts; with enough RAM the fewest parts that fit. */
static int try_parts(fit *f)
{
    fit_row *row = &f->rows[FIT_PARTS];
    uint64_t budget = 0;
    int turn;
    int code = CLI_EXIT_OK;
    for (turn = 0; turn < 2 && code == CLI_EXIT_OK; turn++) {
        code = start(f, FIT_PARTS);
        f->m.searches = 0;
        f->m.pieces = 1;
        f->m.opt.budget = f->m.opt.budget_pieces = budget;
        if (code == CLI_EXIT_OK && (code = memory_run(&f->m)) == CLI_EXIT_OK) {
            row->ram = turn == 0 ? f->m.split_desc.budget : row->ram;
            row->moved = 2u * f->m.split.boundary;
            row->parts = f->m.split.n_parts;
        }
        if (f->opt.ram < row->ram) {
            break;
        }
        budget = f->opt.ram;
    }
    return code;
}

/* Code that runs row by row. Tells nothing of a model of which there is none. */
static int try_stream(fit *f, uint32_t way)
{
    fit_row *row = &f->rows[way];
    int const code = start(f, way);
    if (code == CLI_EXIT_OK) {
        emit_c_desc desc = {"graph", 0, NULL, NULL};
        stream_options opt = {0, 0, NULL, UINT64_MAX, way < FIT_AGAIN ? 0.0 : -1.0};
        stream_need need;
        desc.align = f->m.opt.align;
        opt.input = way == FIT_STREAM_INPUT || way == FIT_AGAIN_INPUT;
        opt.fit = way >= FIT_AGAIN ? f->opt.ram : UINT64_MAX;
        row->tried = emit_c_stream_need(f->session, &desc, &opt, &need);
        row->ram = need.bytes;
        row->macs = need.macs;
        row->percent = need.percent;
        row->fits = row->tried && row->ram <= f->opt.ram;
    }
    return code;
}

static int can_stream(const fit *f)
{
    return emit_c_can_stream(f->session) && f->opt.graph == NULL && !f->least;
}

static int try_way(fit *f, uint32_t way)
{
    fit_row *row = &f->rows[way];
    int code;
    if (way == FIT_SPLIT && f->ordered.block == NULL) {
        return CLI_EXIT_OK;
    }
    if (way >= FIT_AGAIN && f->chosen != FIT_WAYS && f->chosen != way) {
        return CLI_EXIT_OK;
    }
    if (way >= FIT_STREAM) {
        return can_stream(f) ? try_stream(f, way) : CLI_EXIT_OK;
    }
    if (way == FIT_TILES && can_tile(f)) {
        code = try_tiles(f);
        return code == CLI_EXIT_OK && f->chosen != FIT_TILES ? without_tiles(f) : code;
    }
    if (way == FIT_TILES) {
        return CLI_EXIT_OK;
    }
    if (way == FIT_MEMORIES) {
        return f->session->n_given != 0 ? try_memories(f) : CLI_EXIT_OK;
    }
    code = way == FIT_PARTS ? try_parts(f) : try_plan(f, way);
    row->tried = code == CLI_EXIT_OK;
    row->fits = row->tried && row->ram <= f->opt.ram && !f->least;
    return code;
}

int fit_try(fit *f)
{
    uint32_t way;
    int code = CLI_EXIT_OK;
    f->chosen = f->whole = FIT_WAYS;
    f->source = f->session->source;
    for (way = 0; way < FIT_WAYS && code == CLI_EXIT_OK; way++) {
        const fit_row *r = &f->rows[way];
        code = try_way(f, way);
        f->chosen = f->chosen == FIT_WAYS && r->fits ? way : f->chosen;
        f->whole = f->whole == FIT_WAYS && r->tried && r->has_micro && !fit_micro_least(f, r) &&
                           r->micro.whole <= f->opt.ram
                       ? way
                       : f->whole;
    }
    return code == CLI_EXIT_OK && f->chosen != FIT_WAYS ? try_way(f, f->chosen) : code;
}
