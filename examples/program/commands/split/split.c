/* graphsplit split: options, the pass, and the requested outputs. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(split_options, name)

static const cli_option options[] = {
    CLI_PLACE_OPTIONS,
    SPLIT_CUT_OPTIONS,
    CLI_RETURN_TUPLE(FIELD(return_tuple)),
    {"--why", "NODE", CLI_MAYBE, FIELD(why), 0, 0,
        "print why a node is where it is, or list every node that is not on an accelerator; '--why "
        "NODE FILE' works too"},
    {"--rewrite-to", "K", CLI_NUMBER, FIELD(rewrite_to), 0, UINT32_MAX - 1u,
        "find the fewest operators to support so that at most K subgraphs remain; 0: so that "
        "nothing "
        "runs on the CPU"},
#ifndef GSP_NO_FLOW /* the small program of the page */
    {"--minimise", "subgraphs|time", CLI_CHOICE, FIELD(minimise), 0, 0,
        "what decides where nodes run: subgraphs offloads all that is supported (the default), "
        "time offloads what saves time, transfers and launches included"},
    {"--weights", "PEAK,TRAFFIC", CLI_STRING, FIELD(weights), 0, 0,
        "for --order least-peak,traffic: what a byte of the peak and a byte written count in the "
        "sum; default 1,1"},
    {"--overlap", NULL, CLI_FLAG, FIELD(overlap), 0, 0,
        "for --minimise time: the CPU, the accelerators and a channel of each work at the same "
        "time; what is least is the end of all, and the timeline is printed"},
    {"--svg", "FILE", CLI_STRING, FIELD(svg), 0, 0,
        "for --overlap: write the timeline as a chart, '-' for standard output"},
    {"--trace", "FILE", CLI_STRING, FIELD(trace), 0, 0,
        "for --overlap: write the timeline as a trace for Perfetto or chrome://tracing"},
    {"--launch", "SECONDS|NAME=SECONDS,...", CLI_STRING, FIELD(launch), 0, 0,
        "for --minimise time: the time to start an accelerator subgraph, or that of each "
        "accelerator; default 0"},
    {"--bandwidth", "BYTES_PER_S", CLI_BYTES, FIELD(costs.bandwidth), 0, UINT64_MAX - 1u,
        "for --minimise time: bytes per second between CPU and accelerator, for values without "
        "comm=; default 107374182400 (100 GiB/s)"},
    {"--transfer", "once|residency", CLI_CHOICE, FIELD(transfer), 0, 0,
        "for --minimise time: a value moves once if the other side reads it (the default), or at "
        "every change of sides until its last reader"},
    {"--costs", "FILE", CLI_STRING, FIELD(costs.costs), 0, 0,
        "for --minimise time: lines NODE CPU_SECONDS ACC_SECONDS, or for all nodes of an operator "
        "OPERATOR [CPU_SECONDS_PER_MAC] ACC_SECONDS_PER_MAC, with blanks or commas, and a column "
        "for each accelerator; a node "
        "that multiplies nothing has one MAC per element of its result"},
    {"--profile", "FILE", CLI_STRING, FIELD(costs.profile), 0, 0,
        "for --minimise time: measured times, as TFLite's benchmark_model prints them with "
        "--enable_op_profiling=true, or the JSON of ONNX Runtime"},
    {"--cpu-rates", "MACS,BYTES|FILE", CLI_STRING, FIELD(costs.cpu_rates), 0, 0,
        "for --minimise time: per second on the CPU, for nodes without a time: the larger of the "
        "time of multiply-accumulates and that of all bytes read and written; default 2e10,2e10; "
        "or a file as for --rates of pipe"},
    {"--acc-rates", "MACS,BYTES|FILE", CLI_STRING, FIELD(costs.acc_rates), 0, 0,
        "the same on the accelerator; default 1e12,1e11"},
    {"--max-work", "N", CLI_NUMBER, FIELD(max_work), 1, UINT64_MAX - 1u,
        "for --minimise time: arcs and nodes to visit, then the best so far; default 2^40 / "
        "(nodes + edges), from 2^25 to 2^28, with several accelerators 2^27; for --max-acc-bytes "
        "and the like: nodes and edges, default 2^26"},
    {"--max-acc-bytes", "BYTES", CLI_BYTES, FIELD(most_bytes), 0, UINT64_MAX - 1u,
        "accelerator subgraphs whose parameters and peak exceed BYTES are cut, with the fewest "
        "bytes between the pieces; a node that does by itself goes to the CPU; 0: no limit"},
    {"--max-acc-params", "BYTES", CLI_BYTES, FIELD(most_params), 0, UINT64_MAX - 1u,
        "the same for the bytes of parameters alone"},
    {"--max-acc-inputs", "N", CLI_NUMBER, FIELD(most_inputs), 0, UINT32_MAX,
        "the same for the number of values that an accelerator subgraph reads"},
    {"--max-acc-outputs", "N", CLI_NUMBER, FIELD(most_outputs), 0, UINT32_MAX,
        "the same for the number of values that others read of it"},
    {"--tile", NULL, CLI_FLAG, FIELD(tile), 0, 0,
        "for --max-acc-bytes: what takes more by itself runs in tiles of rows or columns that do "
        "not; the model so rewritten is split (.tflite; .onnx with graphsplit-onnx)"},
    {"--stream-input", NULL, CLI_FLAG, FIELD(stream_input), 0, 0,
        "for --tile: the largest input comes in tiles, one at a time, from top to bottom, then "
        "from "
        "left to right; manifest.json of --emit says where each begins"},
    {"--max-recompute", "PERCENT", CLI_STRING, FIELD(max_recompute), 0, 0,
        "for --tile: at most so many MACs more in each region in tiles, of these the fewest bytes "
        "to and from tiles; default 15"},
    {"--emit-model", "FILE", CLI_STRING, FIELD(emit_model), 0, 0,
        "for --tile: write the model in tiles, as .fx, or as .tflite or .onnx if the input is such "
        "a file"},
    {"--convert", "BYTES_PER_S", CLI_BYTES, FIELD(convert), 1, UINT64_MAX - 1u,
        "for --minimise time: how fast values are converted where they cross between CPU and "
        "accelerator, if one side takes another type or, by --layouts, another layout"},
    {"--layouts", "CPU,ACC", CLI_STRING, FIELD(layouts), 0, 0,
        "nchw,nhwc or nhwc,nchw: the layouts of tensors with four dimensions on both sides"},
    {"--no-convert", NULL, CLI_FLAG, FIELD(no_convert), 0, 0,
        "no value is converted between CPU and accelerators: what would read or yield one there "
        "goes to the CPU"},
#endif
#ifndef CLI_NO_STDIN /* the page of the browser starts no commands */
    {"--try", "COMMAND", CLI_STRING, FIELD(command), 0, 0,
        "run this shell command, with {} for the file, on each accelerator subgraph as a model; "
        "one that it refuses (status other than 0; 126, 127 and a signal are errors) loses the "
        "nodes that make it fail to the CPU, or is cut if its size does, until all pass; {out} is "
        "a directory that it must write into"},
    {"--jobs", "N", CLI_NUMBER, FIELD(jobs), 1, 64, "for --try: commands at a time; default 1"},
    {"--timeout", "SECONDS", CLI_NUMBER, FIELD(timeout), 1, 1000000,
        "for --try: the longest run of a command; default 600"},
    {"--try-log", "FILE", CLI_STRING, FIELD(try_log), 0, 0,
        "for --try: a line per run is added to FILE, and what it has about COMMAND is not run "
        "again"},
#endif
    {"--map", NULL, CLI_FLAG, FIELD(map), 0, 0,
        "print where nodes, called modules and attributes are now: KIND OLD -> NEW"},
    {"--peak", "BYTES|PERCENT%", CLI_STRING, FIELD(peak), 0, 0,
        "fail if the whole run needs more at its peak, in bytes or in percent of the peak of the "
        "graph's own order"},
    {"--run-memory", NULL, CLI_FLAG, FIELD(run_memory), 0, 0,
        "with --porcelain: the peak of the whole run in the order of the subgraphs, and in the "
        "graph's own order"},
#ifndef CLI_NO_CALLS
    {"--more", NULL, CLI_FLAG, FIELD(more), 0, 0,
        "for people: all tables: operators, cuts, what to support next, sizes; --all, too"},
    {"--blocks", NULL, CLI_FLAG, FIELD(blocks), 0, 0,
        "regions that repeat within the accelerators' subgraphs become subgraphs of their own, "
        "which call one graph, so that a compiler gets it once; --emit writes it once"},
#endif
    CLI_FINGERPRINTS(FIELD(fingerprints)),
    {"--dot", "FILE", CLI_STRING, FIELD(dot), 0, 0,
        "write a drawing for Graphviz, '-' for standard output; above 2000 nodes one box per "
        "subgraph"},
    {"--dot-support", "FILE", CLI_STRING, FIELD(dot_support), 0, 0,
        "write a drawing of the graph coloured by what accelerators support"},
    {"--dot-module", "FILE", CLI_STRING, FIELD(dot_module), 0, 0,
        "write a drawing of the split module, one frame per submodule"},
    {"--html", "FILE", CLI_STRING, FIELD(html), 0, 0,
        "write a report that any browser opens from disk: picture, tables, reasons, search"},
    {"--model-explorer", "FILE", CLI_STRING, FIELD(model_explorer), 0, 0,
        "write JSON for Model Explorer, with the subgraphs as layers"},
    {"--plan", "FILE", CLI_STRING, FIELD(plan), 0, 0,
        "take the subgraphs from a plan file instead of cutting; new nodes go where their inputs "
        "are"},
    {"--save-plan", "FILE", CLI_STRING, FIELD(save_plan), 0, 0,
        "write the subgraphs as a plan file, which can be edited, replayed and compared"},
    {"--emit", "DIR", CLI_STRING, FIELD(emit), 0, 0,
        "write one file per subgraph and manifest.json into DIR, which is created if necessary"},
};

/* ---- options ---- */

static int is_prefix(const char *prefix)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return prefix[0] == '\0' ||
           (strchr(letters, prefix[0]) != NULL &&
               prefix[strspn(prefix, letters) +
                      strspn(prefix + strspn(prefix, letters), "0123456789")] == '\0');
}

/* `--why NODE FILE`: of two positionals the first is the node. */
static void take_why_node(cli_session *s, split_options *opt)
{
    if (opt->why.given && opt->why.value == NULL && s->n_positional == 2u) {
        opt->why.value = s->positional[0];
        s->positional[0] = s->positional[1];
        s->n_positional = 1;
    }
}

/* Drawings and reports that are files, and their writers. */
typedef struct split_file {
    const char *path; /* NULL if not asked for */
    cli_buffer text;
} split_file;

typedef enum split_file_kind {
    SPLIT_DOT,
    SPLIT_DOT_SUPPORT,
    SPLIT_DOT_MODULE,
    SPLIT_HTML,
    SPLIT_MODEL_EXPLORER,
    SPLIT_SVG,
    SPLIT_TRACE,
    SPLIT_FILES
} split_file_kind;

static void list_files(const split *p, split_file files[SPLIT_FILES])
{
    files[SPLIT_DOT].path = p->opt.dot;
    files[SPLIT_DOT_SUPPORT].path = p->opt.dot_support;
    files[SPLIT_DOT_MODULE].path = p->opt.dot_module;
    files[SPLIT_HTML].path = p->opt.html;
    files[SPLIT_MODEL_EXPLORER].path = p->opt.model_explorer;
    files[SPLIT_SVG].path = p->opt.svg;
    files[SPLIT_TRACE].path = p->opt.trace;
}

static int is_stdout(const split_file *file)
{
    return file->path != NULL && strcmp(file->path, "-") == 0;
}

int split_check_options(split *p)
{
    cli_session *s = p->session;
    int code;
    if (p->opt.prefix != NULL && !is_prefix(p->opt.prefix)) {
        return cli_usage_error(
            s, "--prefix expects letters, digits and _, got '%s'", p->opt.prefix);
    }
    code = cli_one_file(s);
    return code != CLI_EXIT_OK ? code : cli_place_read(s, &p->place);
}

static int read_options(split *p, int argc, char **argv)
{
    cli_session *s = p->session;
    split_options *opt = &p->opt;
    split_file files[SPLIT_FILES];
    uint32_t outputs;
    uint32_t i;
    int code = cli_options_read(s, opt, argc, argv);
    if (code != CLI_EXIT_OK) {
        return code;
    }
#ifndef GSP_NO_FLOW
    if ((code = split_worth_check(p)) != CLI_EXIT_OK ||
        (code = split_acc_limits_check(p)) != CLI_EXIT_OK ||
        (code = split_tiles_check(p)) != CLI_EXIT_OK ||
        (code = split_convert_check(p)) != CLI_EXIT_OK ||
        (code = split_weights_read(p)) != CLI_EXIT_OK) {
        return code;
    }
#endif
#ifndef CLI_NO_STDIN
    if ((code = split_try_check(p)) != CLI_EXIT_OK) {
        return code;
    }
#endif
    if (opt->blocks && opt->plan != NULL) {
        return cli_usage_error(s, "--blocks cuts the subgraphs that --plan fixes; use one of them");
    }
    take_why_node(s, opt);
    s->sizes_unused = opt->why.given != 0;
    outputs = s->common.porcelain + s->common.json + opt->map + opt->why.given;
    list_files(p, files);
    for (i = 0; i < SPLIT_FILES; i++) {
        outputs += is_stdout(&files[i]) ? 1u : 0u;
    }
    if (outputs > 1u) {
        return cli_usage_error(s, "only one of --porcelain, --json, --map, --why and a file '-' "
                                  "can write to standard output");
    }
    return split_check_options(p);
}

/* ---- the pass ---- */

static int fill_desc(split *p)
{
    int const exact = split_is_exact(&p->opt);
    int code = CLI_EXIT_OK;
    gsp_split_desc *d = &p->desc;
    d->min_size = (uint32_t)p->opt.min_size;
    d->max_size = (uint32_t)p->opt.max_size;
    d->waive_min_size = p->opt.waive_min_size;
    d->limit = (uint32_t)p->opt.limit;
    d->max_acc = (uint32_t)p->opt.max_acc;
    d->limit_policy = exact || p->opt.limit_policy != (uint32_t)SPLIT_LIMIT_ERROR
                          ? (uint32_t)GSP_LIMIT_DEMOTE
                          : (uint32_t)GSP_LIMIT_ERROR;
    d->best_start = p->opt.best_start;
    d->skip_fusion = p->opt.skip_fusion;
    d->allow_non_tensor = p->opt.allow_non_tensor;
    d->move_non_tensor = p->opt.move_non_tensor;
    d->placement = &p->placement;
    d->prefix = p->opt.prefix;
    d->names = p->place.names;
    if (d->limit_policy == (uint32_t)GSP_LIMIT_DEMOTE) {
        d->value = split_value(p, &code);
    }
#ifndef CLI_NO_STDIN
    if (code == CLI_EXIT_OK && p->opt.command != NULL) {
        return split_try(p);
    }
#endif
    return code == CLI_EXIT_OK ? split_choose(p) : code;
}

/* The last of the options that prove something. */
static void note_proof(split *p)
{
    if (p->proof.what == SPLIT_PROOF_NONE && p->opt.best_start != 0) {
        p->proof.what = SPLIT_PROOF_SUBGRAPHS;
        p->proof.objective = p->result.n_phases;
        p->proof.bound = p->result.n_least;
        p->proof.reference = p->result.n_reference;
    }
}

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    split *p = (split *)user;
    return gsp_split_run(arena, &p->graph, &p->desc, &p->result, err);
}

static int split_error(split *p, const gsp_error *err)
{
    if (err->status == GSP_STATUS_LIMIT) {
        return cli_error(p->session, err->status,
            "the split has %" PRIu64 " subgraphs, and --max-acc-splits allows %" PRIu64
            "; --limit-policy demote sends the least valuable ones to the CPU",
            err->need, err->limit);
    }
    return cli_pass_error(p->session, &p->graph, err);
}

static int run_split(split *p)
{
    gsp_arena arena;
    gsp_error err;
    int code;
    cli_progress(p->session, "splitting");
    code = fill_desc(p);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    p->bound = gsp_split_bound(&p->graph, &p->desc);
    if (p->is_step && p->bound != SIZE_MAX) {
        cli_arena(p->session, &arena, p->bound);
        return work(p, &arena, &err) == GSP_OK ? CLI_EXIT_OK : split_error(p, &err);
    }
    code = cli_pass_arena(p->session, &arena, p->bound);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(p->session, &arena, work, p, &p->timing, &err) != GSP_OK) {
        return split_error(p, &err);
    }
    return CLI_EXIT_OK;
}

static void make_tags(split *p)
{
    uint32_t n = p->result.n_subgraphs;
    uint32_t i;
    p->tags = (char **)cli_alloc(p->session, (size_t)n + 1u, sizeof *p->tags);
    p->result.first_tag = gsp_split_first_tag(&p->graph, &p->result);
    for (i = 0; i < n; i++) {
        size_t size = gsp_split_tag(&p->result, i, NULL, 0) + 1u;
        p->tags[i] = (char *)cli_alloc(p->session, size, 1u);
        (void)gsp_split_tag(&p->result, i, p->tags[i], size);
    }
}

static int make_modules(split *p)
{
    uint32_t n = p->result.n_subgraphs;
    gsp_str *names = (gsp_str *)cli_alloc(p->session, (size_t)n + 1u, sizeof *names);
    gsp_graph const g =
        SPLIT_HAS_BLOCKS(p) ? gsp_module_graph(&p->blocks->result.module, 0) : p->graph;
    gsp_split_by_tags_desc desc = {0};
    gsp_arena arena;
    gsp_error err;
    size_t bound;
    uint32_t i;
    cli_progress(p->session, "building modules");
    for (i = 0; i < n; i++) {
        names[i] = gsp_str_of(p->tags[i]);
    }
    desc.n_tags = n;
    desc.tag_of = SPLIT_HAS_BLOCKS(p) ? p->blocks->part_of : p->result.subgraph_of;
    desc.names = names;
    desc.return_tuple = p->opt.return_tuple;
    bound = gsp_split_by_tags_bound(&g, &desc);
    if (bound == SIZE_MAX) {
        return cli_error(
            p->session, GSP_STATUS_OVERFLOW, "the modules are too large for this machine");
    }
    cli_arena(p->session, &arena, bound);
    if (gsp_split_by_tags_run(&arena, &g, &desc, &p->made, &err) != GSP_OK) {
        if (err.detail == GSP_DETAIL_TAG_NAME && err.node < n) {
            return cli_error(p->session, err.status,
                "a graph, parameter or module is already called %s; choose another %s",
                p->tags[err.node], p->opt.plan != NULL ? "name in the plan" : "--prefix");
        }
        return p->opt.plan != NULL ? split_plan_error(p, &err)
                                   : cli_pass_error(p->session, &g, &err);
    }
    p->has_modules = 1;
    return CLI_EXIT_OK;
}

/* ---- output ---- */

static int write_report(const split *p, int is_taken)
{
    cli_session *s = p->session;
    if (s->common.porcelain) {
        split_porcelain(p, &s->out);
    } else if (s->common.json) {
        split_json(p, &s->out);
    } else if (p->opt.why.given) {
        return split_why(p, &s->out);
    } else if (p->opt.map) {
        split_map(p, &s->out);
    } else if (!is_taken) {
        split_people(p, &s->out);
        if (SPLIT_HAS_BLOCKS(p)) {
            split_people_blocks(p, &s->out);
        }
        if (p->opt.fingerprints) {
            cli_put_programs(&s->out, &p->made.module, 1u, p->result.n_subgraphs);
        }
    }
    return CLI_EXIT_OK;
}

static int make_file(const split *p, split_file_kind kind, cli_buffer *out)
{
    switch (kind) {
    case SPLIT_DOT:
        split_dot(p, out);
        return CLI_EXIT_OK;
    case SPLIT_DOT_SUPPORT:
        split_dot_support(p, out);
        return CLI_EXIT_OK;
    case SPLIT_DOT_MODULE:
        return split_dot_module(p, out);
    case SPLIT_HTML:
        split_html(p, out);
        return CLI_EXIT_OK;
#ifndef GSP_NO_FLOW
    case SPLIT_SVG:
        split_overlap_svg(p, out);
        return CLI_EXIT_OK;
    case SPLIT_TRACE:
        split_overlap_trace(p, out);
        return CLI_EXIT_OK;
#else
    case SPLIT_SVG:
    case SPLIT_TRACE:
#endif
    case SPLIT_MODEL_EXPLORER:
    case SPLIT_FILES:
    default:
        split_model_explorer(p, out);
        return CLI_EXIT_OK;
    }
}

/* All output is made before any of it is written. */
static int write_all(const split *p)
{
    cli_session *s = p->session;
    split_file files[SPLIT_FILES];
    int is_taken = 0;
    int code = CLI_EXIT_OK;
    uint32_t i;
    cli_progress(s, "printing");
    list_files(p, files);
    for (i = 0; i < SPLIT_FILES && code == CLI_EXIT_OK; i++) {
        cli_buffer_init(&files[i].text, s);
        if (files[i].path != NULL) {
            is_taken |= is_stdout(&files[i]);
            code =
                make_file(p, (split_file_kind)i, is_stdout(&files[i]) ? &s->out : &files[i].text);
        }
    }
    code = code != CLI_EXIT_OK ? code : write_report(p, is_taken);
    for (i = 0; i < SPLIT_FILES && code == CLI_EXIT_OK; i++) {
        if (files[i].path != NULL && !is_stdout(&files[i])) {
            code = cli_write_file(s, files[i].path, &files[i].text);
        }
    }
    if (code == CLI_EXIT_OK && p->opt.save_plan != NULL) {
        code = split_save_plan(p);
    }
    if (code == CLI_EXIT_OK && SPLIT_HAS_TILES(p) && p->opt.emit_model != NULL) {
        code = cli_emit_model(s, p->opt.emit_model, NULL);
    }
    if (code == CLI_EXIT_OK && p->opt.emit != NULL) {
        code = split_emit(p); /* the last, since it removes what it wrote itself */
    }
    if (code != CLI_EXIT_OK) {
        cli_unwrite(s);
    } else {
        cli_time_line(s, p->graph.n_nodes, p->counts.edges, p->bound, &p->timing);
    }
    return code;
}

int split_make(split *p)
{
    cli_session *s = p->session;
    int code = cli_order_writes(s, &p->graph, p->opt.ignore_writes);
    code = code != CLI_EXIT_OK ? code
                               : cli_place_run(s, &p->place, &p->graph, &p->placement, &p->bodies);
#ifndef GSP_NO_FLOW
    code = code == CLI_EXIT_OK ? split_convert(p) : code;
    code = code == CLI_EXIT_OK ? split_tiles_run(p) : code;
#endif
    if (code == CLI_EXIT_OK && p->opt.plan != NULL) {
        code = split_from_plan(p);
        return code == CLI_EXIT_OK ? split_least_peak_check(p) : code;
    }
    code = code != CLI_EXIT_OK ? code : run_split(p);
    if (code == CLI_EXIT_OK) {
        if (!SPLIT_IS_TIMED(p) || p->place.n_kinds == 2u) { /* others are an error */
            cli_place_tell_nothing(s, &p->place, &p->graph);
        }
        note_proof(p);
        make_tags(p);
        code = split_least_peak_check(p);
    }
#ifndef CLI_NO_CALLS
    if (code == CLI_EXIT_OK && p->opt.blocks && (code = make_modules(p)) == CLI_EXIT_OK &&
        (code = split_blocks_make(p)) == CLI_EXIT_OK) {
        make_tags(p);
        code = split_least_peak_check(p); /* of the new order */
        if (code == CLI_EXIT_OK && (code = make_modules(p)) == CLI_EXIT_OK) {
            split_blocks_count(p);
        }
    }
#endif
    return code;
}

int split_start(split *p)
{
    int code;
    p->session->quiet = p->opt.tile != 0; /* of sizes that are not known, which are an error */
    code = cli_load_main(p->session, &p->graph, &p->counts);
    p->session->quiet = 0;
    return code == CLI_EXIT_OK ? split_make(p) : code;
}

static int run(cli_session *s, int argc, char **argv)
{
    split p;
    cli_named_parts parts;
    int needs_modules;
    int code;
    memset(&p, 0, sizeof p);
    p.session = s;
    p.opt.rewrite_to = UINT64_MAX;
#ifndef GSP_NO_FLOW
    p.opt.costs.bandwidth = UINT64_MAX;
#endif
    if ((code = read_options(&p, argc, argv)) != CLI_EXIT_OK ||
        (code = split_start(&p)) != CLI_EXIT_OK) {
        return code;
    }
    needs_modules = s->common.porcelain || s->common.json || p.opt.map || p.opt.emit != NULL ||
                    p.opt.dot_module != NULL || p.opt.plan != NULL || p.opt.fingerprints;
    if (needs_modules && !p.opt.blocks && (code = make_modules(&p)) != CLI_EXIT_OK) {
        return code;
    }
    if ((code = cli_check_writes(s, &p.graph, p.result.subgraph_of)) != CLI_EXIT_OK) {
        return code;
    }
    parts.part_of = p.result.subgraph_of;
    parts.kind = p.result.subgraph_kind;
    parts.names = p.tags;
    parts.home = NULL;
    cli_tell_attributes(s, &p.graph, &parts);
    if (!s->common.porcelain) {
        cli_unknown_tell(s);
    }
    return write_all(&p);
}

const cli_pass cli_split_pass = {
    "split",
    "[options] FILE",
    "Cuts a graph into subgraphs for the CPU and for accelerators",
    "--arena and --time cover the pass alone, from the placement to the names of subgraphs; the\n"
    "printed modules have memory of their own.\n" CLI_PLACE_ABOUT,
    options,
    CLI_COUNT(options),
    run,
    {"--acc-ops xnnpack model.tflite",
        "--acc-ops @mine.ops --html report.html --emit parts --save-plan a.plan net.fx"},
};
