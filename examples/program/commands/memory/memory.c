/* graphsplit memory: peak, arena plan, and the fewest parts under a budget of bytes. */
#include "commands/memory/memory.h"

#include "input/input.h"
#include "output/output.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIELD(name) offsetof(memory_options, name)

static const cli_option options[] = {
    {"--budget", "BYTES", CLI_BYTES, FIELD(budget), 0, UINT64_MAX - 1u,
        "the graph has one RAM of this size, 65536, 64KiB, 1.5M, also for values that wait"},
    {"--budget-pieces", "BYTES", CLI_BYTES, FIELD(budget_pieces), 0, UINT64_MAX - 1u,
        "cut the graph into the fewest parts that each need at most this much; values that wait "
        "while "
        "another part runs are stored elsewhere"},
    {"--align", "N", CLI_NUMBER, FIELD(align), 1, 1u << 30,
        "offsets in the arena are multiples of N, a power of two; default 16"},
    {"--skip-inputs", NULL, CLI_FLAG, FIELD(skip_inputs), 0, 0,
        "inputs of the graph are stored elsewhere and take no bytes"},
    {"--views", NULL, CLI_FLAG, FIELD(views), 0, 0,
        "Reshape, Squeeze, Unsqueeze, Flatten, Identity of ONNX and RESHAPE, SQUEEZE, EXPAND_DIMS "
        "of "
        "TFLite take no memory: their results are views, as runtimes have them that do not copy"},
    {"--graph", "NAME", CLI_STRING, FIELD(graph), 0, 0,
        "the graph of a module to report on; default main"},
    {"--svg", "FILE", CLI_STRING, FIELD(svg), 0, 0,
        "write a picture of the arena over time, '-' for standard output"},
    {"--csv", NULL, CLI_FLAG, FIELD(csv), 0, 0,
        "FILE has lifetimes instead of a graph: id,lower,upper,size and, if wanted, alignment, "
        "offset, gaps, together, apart; a tensor is live in [lower, upper), without its gaps such "
        "as 3-5 8-9, an offset is fixed, tensors together (a;b) have one address, those apart "
        "never a byte in common"},
    {"--reuse-after", "N", CLI_NUMBER, FIELD(reuse_after), 0, UINT32_MAX,
        "with --csv: tensors take no bytes of others in the N steps after these end; default 0"},
    {"--exact", "WORK", CLI_MAYBE, FIELD(exact), 1, UINT64_MAX,
        "search for smaller plans and a proof, at most so many steps (default 67108864, seconds)"},
    {"--capacity", "BYTES", CLI_BYTES, FIELD(capacity), 1, UINT64_MAX / 4u,
        "search only for a plan of at most this size; name the tensors that do not fit together"},
    {"--memory", "NAME:BYTES[:COST[:ALIGN]][:ro]", CLI_LIST, 0, 0, 0,
        "a memory; with these, every tensor lies in one of them, so that all fit and reading and "
        "writing costs least; COST per byte is 0.5ns, 250ps, a number of ns, fast (1ns) or slow "
        "(20ns), default 2ns; ALIGN is as --align; ro: for parameters alone"},
    {"--pin", "MEMORY:WHAT:LIST", CLI_LIST, 0, 0, 0,
        "put tensors into this memory; WHAT says what the list names, which may use * and ?: name, "
        "target (of the node that makes the tensor), or kind (tensor, scratch, state, parameter); "
        "the "
        "last pin wins"},
    {"--weights", NULL, CLI_FLAG, FIELD(weights), 0, 0,
        "with --memory: parameters of the graph lie in memories, too"},
    {"--prefetch", NULL, CLI_FLAG, FIELD(prefetch), 0, 0,
        "with a fast and a slow --memory: parameters lie in the slow one, but for those that --pin "
        "has in the fast one, and are copied to the fast one ahead of the nodes that read them"},
    {"--bandwidth", "BYTES_PER_S", CLI_BYTES, FIELD(bandwidth), 1, UINT64_MAX - 1u,
        "with --prefetch: of the copies; default what COST of the slow memory makes, slow is 50 "
        "MB/s"},
    CLI_TIMES_UNIT(FIELD(times.unit)),
    CLI_TIMES_RATES(FIELD(times.rates)),
    {"--emit-c", "FILE", CLI_STRING, FIELD(emit_c), 0, 0,
        "with --prefetch: write the copies and the tensors as tables in C"},
    {"--save-csv", "FILE", CLI_STRING, FIELD(save_csv), 0, 0,
        "write lifetimes and offsets as --csv reads them"},
    {"--order", "best", CLI_STRING, FIELD(order), 0, 0,
        "search an order of the nodes with the least peak; proved if the search is complete"},
    {"--run-of", "PLAN", CLI_STRING, FIELD(run_of), 0, 0,
        "plan for the order in which the parts of PLAN run, a file that `split --save-plan` wrote "
        "or NODE=K,...: a plan of another order may let live tensors overlap"},
    {"--in-place", "RULES", CLI_MAYBE, FIELD(in_place), 0, 0,
        "a result may take the memory of an argument that is not read later, by inplace=N and by "
        "what LiteRT (litert), ONNX Runtime (ort), PyTorch (torch) or any engine (all, the "
        "default) "
        "allows, or a file @FILE with lines `NAME POSITION,...` or `NAME parts`"},
    {"--sequential", NULL, CLI_FLAG, FIELD(sequential), 0, 0,
        "FILE... are models that run one after the other in one arena, which they share"},
    {"--concurrent", NULL, CLI_FLAG, FIELD(concurrent), 0, 0,
        "FILE... are models that may run at once in one arena, side by side"},
    {"--beam", "N", CLI_NUMBER, FIELD(beam), 1, 1u << 24,
        "with --order: states kept per step, however long that takes; default 64 to 16384, a "
        "second"},
    {"--tile", NULL, CLI_FLAG, FIELD(tile), 0, 0,
        "run regions of a model (.tflite; .onnx with graphsplit-onnx) in tiles, so that what lives "
        "inside them is smaller: least memory, or what --fit and --max-recompute say"},
    {"--fit", "BYTES", CLI_BYTES, FIELD(fit), 0, UINT64_MAX - 1u,
        "with --tile: an arena of at most this size, for tensors alone, with the fewest MACs"},
    {"--max-recompute", "PERCENT", CLI_STRING, FIELD(max_recompute), 0, 0,
        "with --tile: at most so many MACs more, which tiles compute again where they overlap"},
    {"--region", "FIRST..LAST", CLI_STRING, FIELD(region), 0, 0,
        "with --tile: the region from the operator FIRST to the operator LAST, and no other"},
    {"--tile-csv", "FILE", CLI_STRING, FIELD(curve), 0, 0,
        "with --tile: write all choices of memory against MACs and bytes copied"},
    {"--tile-svg", "FILE", CLI_STRING, FIELD(curve_svg), 0, 0,
        "with --tile: write a picture of these choices"},
    {"--stream-input", NULL, CLI_FLAG, FIELD(stream_input), 0, 0,
        "with --tile: tiles of the largest input are inputs of the new graph, from top to bottom, "
        "then from left to right, so that RAM holds one of them at a time"},
    {"--emit-model", "FILE", CLI_STRING, FIELD(emit_model), 0, 0,
        "with --order or --tile: write the model in the new order, or in tiles, .fx or the format "
        "of the input"},
    {"--save-tflite", "FILE", CLI_STRING, FIELD(save_tflite), 0, 0,
        "write the .tflite model with this plan as its metadata OfflineMemoryAllocation, which the "
        "interpreter of TensorFlow Lite Micro takes instead of planning by itself"},
    {"--emit", "DIR", CLI_STRING, FIELD(emit), 0, 0,
        "with a budget: write one file per part and manifest.json into DIR"},
    {"--save-plan", "FILE", CLI_STRING, FIELD(save_plan), 0, 0,
        "with a budget: write the parts as a plan file"},
};

/* ---- options ---- */

/* What makes no sense together: budgets, memories, orders; then the rest. */
static int check_orders(const memory *m)
{
    cli_session *s = m->session;
    const memory_options *o = &m->opt;
    if (m->several.n != 0 && (o->budget != UINT64_MAX || o->budget_pieces != UINT64_MAX ||
                                 o->capacity != UINT64_MAX || o->order != NULL)) {
        return cli_usage_error(s,
            "--memory, which has sizes of its own, cannot be combined with %s",
            o->order != NULL            ? "--order"
            : o->budget != UINT64_MAX   ? "--budget"
            : o->capacity != UINT64_MAX ? "--capacity"
                                        : "--budget-pieces");
    }
    if (o->budget != UINT64_MAX && o->budget_pieces != UINT64_MAX) {
        return cli_usage_error(s, "--budget, one RAM for all, cannot be combined with "
                                  "--budget-pieces, the RAM of each part");
    }
    if (o->order != NULL && (strcmp(o->order, "best") != 0 || o->csv)) {
        return cli_usage_error(s,
            o->csv ? "--csv cannot be combined with --order, which requires a graph"
                   : "--order expects best, got '%s'",
            o->order);
    }
    if (o->order != NULL && o->save_tflite != NULL) {
        return cli_usage_error(s, "--save-tflite cannot be combined with --order: write the model "
                                  "with --emit-model, then plan that file");
    }
    if (o->order == NULL && (o->beam != 0 || (o->emit_model != NULL && !o->tile))) {
        return cli_usage_error(s, "%s requires --order best%s",
            o->beam != 0 ? "--beam" : "--emit-model", o->beam != 0 ? "" : " or --tile");
    }
    return CLI_EXIT_OK;
}

static int check_options(const memory *m)
{
    cli_session *s = m->session;
    const memory_options *o = &m->opt;
    int const to_out = o->svg != NULL && strcmp(o->svg, "-") == 0;
    if (o->budget != UINT64_MAX && (o->exact.given || o->capacity != UINT64_MAX || o->csv)) {
        return cli_usage_error(s,
            "%s, which plans the parts of a graph, cannot be combined with %s",
            m->pieces ? "--budget-pieces" : "--budget",
            o->csv           ? "--csv"
            : o->exact.given ? "--exact"
                             : "--capacity");
    }
    if (o->save_tflite != NULL && (o->csv || m->several.n != 0 || o->align % GSP_ALIGN != 0)) {
        return cli_usage_error(s,
            "--save-tflite requires a model in one arena at multiples of %u%s", GSP_ALIGN,
            o->csv              ? ", and cannot be combined with --csv"
            : m->several.n != 0 ? ", and cannot be combined with --memory"
                                : "");
    }
    if (o->csv && (o->svg != NULL || o->graph != NULL || o->skip_inputs)) {
        return cli_usage_error(s, "--csv cannot be combined with %s, which requires a graph",
            o->svg != NULL     ? "--svg"
            : o->graph != NULL ? "--graph"
                               : "--skip-inputs");
    }
    if (o->reuse_after != 0 && !o->csv) {
        return cli_usage_error(s, "--reuse-after requires --csv");
    }
    if (o->in_place.given && (o->csv || o->budget != UINT64_MAX)) {
        return cli_usage_error(s, "--in-place cannot be combined with %s%s",
            o->csv      ? "--csv, which has no operators"
            : m->pieces ? "--budget-pieces"
                        : "--budget",
            o->csv ? "" : "; --capacity says whether a plan fits");
    }
    if (o->run_of != NULL && (o->csv || o->order != NULL)) {
        return cli_usage_error(s, "--run-of, which gives an order, cannot be combined with %s",
            o->csv ? "--csv" : "--order");
    }
    if ((o->emit != NULL || o->save_plan != NULL) && o->budget == UINT64_MAX) {
        return cli_usage_error(s, "%s requires --budget or --budget-pieces, whose parts it writes",
            o->emit != NULL ? "--emit" : "--save-plan");
    }
    if (to_out && (s->common.porcelain || s->common.json)) {
        return cli_usage_error(
            s, "only one of --porcelain, --json and --svg - can write to standard output");
    }
    return CLI_EXIT_OK;
}

static int read_options(memory *m, int argc, char **argv)
{
    cli_session *s = m->session;
    int code = cli_options_read(s, &m->opt, argc, argv);
    if (code != CLI_EXIT_OK || s->common.help) {
        return code;
    }
    m->opt.align = m->opt.align != 0 ? m->opt.align : m->opt.csv ? 1u : GSP_ALIGN;
    if ((m->opt.align & (m->opt.align - 1u)) != 0) {
        return cli_usage_error(s, "--align expects a power of two, got %" PRIu64, m->opt.align);
    }
    if ((code = memory_memories_read(m)) != CLI_EXIT_OK ||
        (code = memory_prefetch_check(m)) != CLI_EXIT_OK ||
        (code = check_orders(m)) != CLI_EXIT_OK) {
        return code;
    }
    m->searches = m->opt.exact.given || m->opt.capacity != UINT64_MAX;
    if (m->opt.exact.value != NULL &&
        !cli_bytes_read(gsp_str_of(m->opt.exact.value), &m->max_work)) {
        return cli_usage_error(
            s, "--exact=WORK expects a number up to 2^64 - 1, got '%s'", m->opt.exact.value);
    }
    m->pieces = m->opt.budget_pieces != UINT64_MAX;
    m->opt.budget = m->pieces ? m->opt.budget_pieces : m->opt.budget;
    if ((code = check_options(m)) != CLI_EXIT_OK || (code = memory_tiles_check(m)) != CLI_EXIT_OK) {
        return code;
    }
    if ((m->opt.order != NULL || m->opt.in_place.given || m->opt.tile) &&
        m->opt.budget == UINT64_MAX && !m->searches) {
        m->searches = 1; /* a smaller peak counts as much as its arena */
        m->max_work = MEMORY_JOINT_WORK;
    }
    return m->opt.sequential || m->opt.concurrent ? memory_models_check(m) : cli_one_file(s);
}

/* ---- the pass ---- */

static int refuse(memory *m)
{
    const gsp_error *err = &m->no_fit;
    const char *least = cli_unknown_sizes(m->graph.module) ? "at least " : "";
    gsp_str group;
    if (!m->pieces) {
        return cli_error(m->session, err->status,
            "while %s runs, the graph needs %s%" PRIu64 " bytes, and --budget allows %" PRIu64
            ". In one RAM no cut of this order helps%s: the least budget that works is %s%" PRIu64,
            cli_copy(m->session, memory_node_name(&m->graph, err->node)), least, err->need,
            err->limit, m->opt.order == NULL ? ", --order best searches another" : "", least,
            m->split_desc.budget);
    }
    group = gsp_node_attr(&m->graph, err->node, GSP_KEY_GROUP);
    return cli_error(m->session, err->status,
        "%%%s%s needs %s%" PRIu64
        " bytes for what it reads and produces, and --budget-pieces allows %" PRIu64
        "; no cut makes it smaller. The least budget that works is %s%" PRIu64,
        cli_copy(m->session, gsp_node_name(&m->graph, err->node)),
        group.data != NULL ? " in its group" : "", least, err->need, err->limit, least,
        m->split_desc.budget);
}

static gsp_status work_csv(void *user, gsp_arena *arena, gsp_error *err)
{
    return memory_csv_run((memory *)user, arena, err);
}

static int run_csv(memory *m)
{
    gsp_arena arena;
    gsp_error err;
    int code = memory_csv_read(m);
    if (code != CLI_EXIT_OK || m->several.n != 0) {
        return code == CLI_EXIT_OK ? memory_memories_run(m) : code;
    }
    gsp_intervals_desc const desc = memory_csv_desc(m);
    cli_progress(m->session, "placing tensors");
    m->bound = gsp_intervals_bound(&desc);
    if ((code = cli_pass_arena(m->session, &arena, m->bound)) != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(m->session, &arena, work_csv, m, &m->timing, &err) != GSP_OK) {
        return memory_csv_fail(m, &err);
    }
    for (uint32_t i = 0; i < desc.n_tensors; i++) {
        m->tensors[i].offset = m->planned[i];
    }
    return memory_pack_fits(m);
}

/* ---- output ---- */

static int emit(const memory *m)
{
    cli_session *s = m->session;
    uint32_t n = m->split.n_parts;
    cli_part *parts = (cli_part *)cli_alloc(s, (size_t)n + 1u, sizeof *parts);
    gsp_split_module_desc desc = {0};
    gsp_split_module_result made;
    gsp_arena arena;
    gsp_error err;
    const char **members;
    size_t n_parts = 0;
    uint32_t i;
    int code;
    desc.n_parts = n;
    desc.part_of = m->split.part_of;
    desc.prefix = "piece_";
    cli_arena(s, &arena, gsp_split_module_bound(&m->graph, &desc));
    if (gsp_split_module_run(&arena, &m->graph, &desc, &made, &err) != GSP_OK) {
        return cli_pass_error(s, &m->graph, &err);
    }
    members = cli_members(s, &m->graph, m->split.part_of, m->split.nodes, m->split.begin, n);
    code = cli_emit_root(s, &m->graph, &made, parts, &n_parts);
    for (i = 0; i < made.n_parts; i++) {
        gsp_atom name = made.module.graphs[i + 1u].name;
        parts[n_parts].name = cli_copy(s, gsp_module_str(&made.module, name));
        parts[n_parts].kind = "piece";
        parts[n_parts].members = members[made.part[i]];
        parts[n_parts++].graph = gsp_module_graph(&made.module, i + 1u);
    }
    return code == CLI_EXIT_OK ? cli_emit(s, m->opt.emit, &m->graph, parts, n_parts) : code;
}

static int save_plan(const memory *m)
{
    uint32_t n = m->split.n_parts;
    gsp_str *names = (gsp_str *)cli_alloc(m->session, (size_t)n + 1u, sizeof *names);
    cli_plan_desc desc = {0};
    uint32_t i;
    for (i = 0; i < n; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "piece_%" PRIu32, i);
        names[i] = gsp_str_of(cli_copy(m->session, gsp_str_of(name)));
    }
    desc.n_parts = n;
    desc.part_of = m->split.part_of;
    desc.names = names;
    return cli_plan_save(m->session, m->opt.save_plan, &m->graph, &desc);
}

static int write_all(memory *m)
{
    cli_session *s = m->session;
    int to_out = m->opt.svg != NULL && strcmp(m->opt.svg, "-") == 0;
    int refused = m->no_fit.status == GSP_STATUS_NO_FIT;
    cli_buffer svg;
    int code = CLI_EXIT_OK;
    if ((code = memory_check_tflite(m)) != CLI_EXIT_OK) {
        return code;
    }
    memory_steps(m);
    memory_shown(m);
    if (refused) {
        code = refuse(m);
        if (s->common.porcelain || s->common.json) {
            return code;
        }
        code = CLI_EXIT_OK;
    }
    cli_buffer_init(&svg, s);
    if (m->opt.svg != NULL) {
        memory_svg(m, to_out ? &s->out : &svg);
    }
    if (s->common.porcelain) {
        memory_porcelain(m, &s->out);
    } else if (s->common.json) {
        memory_json(m, &s->out);
    } else if (!to_out) {
        memory_people(m, &s->out);
    }
    if (m->opt.save_plan != NULL && !refused) {
        code = save_plan(m);
    }
    if (code == CLI_EXIT_OK && m->opt.emit_model != NULL && !refused) {
        code = memory_emit_model(m);
    }
    if (code == CLI_EXIT_OK && m->opt.svg != NULL && !to_out) {
        code = cli_write_file(s, m->opt.svg, &svg);
    }
    if (code == CLI_EXIT_OK && m->opt.save_tflite != NULL) {
        code = memory_save_tflite(m);
    }
    if (code == CLI_EXIT_OK && m->opt.emit_c != NULL) {
        cli_buffer tables;
        cli_buffer_init(&tables, s);
        memory_prefetch_c(m, &tables);
        code = cli_write_file(s, m->opt.emit_c, &tables);
    }
    if (code == CLI_EXIT_OK && m->opt.curve_svg != NULL) {
        cli_buffer curve;
        cli_buffer_init(&curve, s);
        memory_svg_tiles(m, &curve);
        code = cli_write_file(s, m->opt.curve_svg, &curve);
    }
    if (code == CLI_EXIT_OK && m->opt.save_csv != NULL) {
        cli_buffer csv;
        cli_buffer_init(&csv, s);
        memory_csv_write(m, &csv);
        code = cli_write_file(s, m->opt.save_csv, &csv);
    }
    if (code == CLI_EXIT_OK && m->opt.emit != NULL && !refused) {
        code = emit(m); /* the last, since it removes what it wrote itself */
    }
    if (code != CLI_EXIT_OK) {
        cli_unwrite(s);
    } else {
        cli_time_line(s, m->graph.n_nodes, m->counts.edges, m->bound, &m->timing);
    }
    return refused ? CLI_EXIT_FAILED : code;
}

/* The plan that exceeds --capacity, with the tensors that do not fit. */
static int draw_misfit(const memory *m, int code)
{
    cli_buffer svg;
    if (m->misfit != NULL && m->opt.svg != NULL && strcmp(m->opt.svg, "-") != 0) {
        cli_buffer_init(&svg, m->session);
        memory_svg(m, &svg);
        (void)cli_write_file(m->session, m->opt.svg, &svg);
    }
    return code;
}

static int run_models(memory *m)
{
    cli_session *s = m->session;
    memory_models all;
    int const code = memory_models_run(m, &all);
    if (code == CLI_EXIT_OK && s->common.porcelain) {
        memory_porcelain_models(m, &all, &s->out);
    } else if (code == CLI_EXIT_OK && s->common.json) {
        memory_json_models(m, &all, &s->out);
    } else if (code == CLI_EXIT_OK) {
        s->out.colour = cli_wants_colour(s);
        memory_people_models(m, &all, &s->out);
    }
    return code;
}

static int run(cli_session *s, int argc, char **argv)
{
    memory m;
    int code;
    memset(&m, 0, sizeof m);
    m.session = s;
    m.opt.budget = UINT64_MAX;
    m.opt.budget_pieces = UINT64_MAX;
    m.opt.capacity = UINT64_MAX;
    m.opt.fit = UINT64_MAX;
    if ((code = read_options(&m, argc, argv)) != CLI_EXIT_OK || s->common.help) {
        return code;
    }
    if (m.opt.sequential || m.opt.concurrent) {
        return run_models(&m);
    }
    if (m.opt.csv) {
        s->out.colour = cli_wants_colour(s);
        return (code = run_csv(&m)) == CLI_EXIT_OK ? write_all(&m) : code;
    }
    if ((code = memory_range_find(&m)) != CLI_EXIT_OK || (code = cli_load(s)) != CLI_EXIT_OK ||
        (m.opt.views && (code = cli_views_set(s)) != CLI_EXIT_OK) ||
        (m.opt.prefetch && (code = cli_times_set(s, &m.opt.times, 0)) != CLI_EXIT_OK)) {
        return code;
    }
    s->out.colour = cli_wants_colour(s);
    if (!m.opt.tile) { /* which refuses unknown sizes */
        cli_dims_tell(s);
    }
    if ((code = memory_choose(&m)) != CLI_EXIT_OK || (code = memory_run_of(&m)) != CLI_EXIT_OK) {
        return code;
    }
    code = m.opt.tile ? memory_tiles_run(&m) : memory_run(&m);
    return code == CLI_EXIT_OK ? write_all(&m) : draw_misfit(&m, code);
}

const cli_pass cli_memory_pass = {
    "memory",
    "[options] FILE",
    "Plans the memory of activations, and cuts a graph to fit a budget of bytes",
    "Parameters are counted separately. While a node runs, its inputs, its output and all values "
    "that\n"
    "are needed later are live. Views (alias=) take no bytes. The arena is planned greedily by "
    "size;\n"
    "what it takes above the peak is fragmentation. --time measures one pass: the parts of\n"
    "--budget, else a search, else the plan.\n",
    options,
    CLI_COUNT(options),
    run,
    {"model.tflite", "--budget-pieces 8MiB --svg arena.svg net.fx"},
};
