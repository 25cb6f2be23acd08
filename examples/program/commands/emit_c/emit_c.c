/* graphsplit emit-c: a finished graph as a C array for the flash of a device. */
#include "commands/emit_c/emit_c.h"

#include "input/input.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct emit_c_options {
    const char *name;
    uint64_t align; /* 0 if not given */
    uint32_t order;
    uint32_t plan;
    cli_maybe exact;
    uint64_t max_work;
    const char *run_of;
    uint32_t stream;
    uint32_t layers;
    uint32_t stream_input;
    const char *region;
    uint64_t fit;
    const char *max_recompute;
    double most;
} emit_c_options;

static const cli_option options[] = {
    {"--name", "NAME", CLI_STRING, offsetof(emit_c_options, name), 0, 0,
        "name of the array, a C identifier; default graph"},
    {"--byte-order", "host|little|big", CLI_CHOICE, offsetof(emit_c_options, order), 0, 0,
        "byte order of the machine that will read the array"},
    {"--plan", NULL, CLI_FLAG, offsetof(emit_c_options, plan), 0, 0,
        "also write the memory plan of the main graph: a table of offsets, and a static arena"},
    {"--align", "N", CLI_NUMBER, offsetof(emit_c_options, align), 1, 1u << 30,
        "with --plan: offsets and the arena are aligned to N, a power of two; default 16"},
    {"--exact", "WORK", CLI_MAYBE, offsetof(emit_c_options, exact), 1, UINT64_MAX,
        "with --plan: search for the smallest arena, as memory --exact does"},
    {"--run-of", "PLAN", CLI_STRING, offsetof(emit_c_options, run_of), 0, 0,
        "with --plan: the subgraphs of this plan, as split --save-plan writes it, run in its "
        "order; "
        "one arena for all"},
    {"--stream", NULL, CLI_FLAG, offsetof(emit_c_options, stream), 0, 0,
        "instead: a .tflite or .onnx model as code that calls row kernels, wide layers row by row "
        "in rolling buffers"},
    {"--layers", NULL, CLI_FLAG, offsetof(emit_c_options, layers), 0, 0,
        "with --stream: the same code layer by layer, to compare"},
    {"--stream-input", NULL, CLI_FLAG, offsetof(emit_c_options, stream_input), 0, 0,
        "with --stream: the code asks for rows of the largest input, each once, and never holds "
        "all of them"},
    {"--region", "FIRST..LAST", CLI_STRING, offsetof(emit_c_options, region), 0, 0,
        "with --stream: the operators from FIRST to LAST run row by row, and no others"},
    {"--fit", "BYTES", CLI_BYTES, offsetof(emit_c_options, fit), 0, UINT64_MAX - 1u,
        "with --stream: pointwise convolutions may run again, as few MACs as possible, so that the "
        "arena fits"},
    {"--max-recompute", "PERCENT", CLI_STRING, offsetof(emit_c_options, max_recompute), 0, 0,
        "with --stream: the smallest arena with at most that many MACs more"},
};

enum { ORDER_HOST, ORDER_LITTLE, ORDER_BIG };

static int host_is_little(void)
{
    uint32_t const one = 1u;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1u;
}

static void swap_each(unsigned char *data, size_t size, size_t width)
{
    size_t at;
    size_t i;
    for (at = 0; at + width <= size; at += width) {
        for (i = 0; i < width / 2u; i++) {
            unsigned char const byte = data[at + i];
            data[at + i] = data[at + width - 1u - i];
            data[at + width - 1u - i] = byte;
        }
    }
}

/* Swaps the bytes of every number. The head has twelve numbers of 4 bytes and the size; the arrays
 * follow, from the widest elements to single bytes. */
static void turn_around(const gsp_module *m, unsigned char *block)
{
    const unsigned char *base = (const unsigned char *)m->block;
    size_t const wide = (size_t)((const unsigned char *)m->bytes - base);
    size_t const narrow = (size_t)((const unsigned char *)m->graphs - base);
    size_t const single = (size_t)(m->op - base);
    swap_each(block, wide - 8u, 4u);
    swap_each(block + wide - 8u, narrow - wide + 8u, 8u);
    swap_each(block + narrow, single - narrow, 4u);
}

static uint64_t word_of(const unsigned char *bytes, int little)
{
    uint64_t word = 0;
    size_t i;
    for (i = 0; i < 8u; i++) {
        word |= (uint64_t)bytes[i] << (little ? 8u * i : 56u - 8u * i);
    }
    return word;
}

static void put_counts(cli_buffer *out, const char *name, const gsp_module *m)
{
    gsp_graph const root = gsp_module_graph(m, 0);
    gsp_counts const own = gsp_graph_counts(&root);
    cli_printf(out, "enum {\n    %s_nodes = %" PRIu32 ", /* of the root */\n", name, own.nodes);
    cli_printf(out, "    %s_edges = %" PRIu32 ",\n", name, own.edges);
    cli_printf(out, "    %s_graphs = %" PRIu32 ",\n", name, m->counts.graphs);
    cli_printf(out, "    %s_all_nodes = %" PRIu32 ", /* of all graphs */\n", name, m->counts.nodes);
    cli_printf(out, "    %s_all_args = %" PRIu32 ",\n", name, m->counts.args);
    cli_printf(out, "    %s_strings = %" PRIu32 ",\n", name, m->counts.strings);
    cli_printf(out, "    %s_bytes = %" PRIu64 "\n};\n\n", name, (uint64_t)m->block_size);
}

static void put_array(
    cli_buffer *out, const char *name, const unsigned char *block, size_t size, int little)
{
    size_t const words = (size + 7u) / 8u;
    size_t i;
    emit_c_put_unused(out);
    cli_printf(out, "static const uint64_t %s[%" PRIu64 "] = {", name, (uint64_t)words);
    for (i = 0; i < words; i++) {
        cli_printf(out, "%s0x%016" PRIx64 "u,", i % 4u == 0 ? "\n    " : " ",
            word_of(block + 8u * i, little));
    }
    cli_puts(out, "\n};\n");
}

/* A module without a block is written as text, of which a builder makes one. */
static int take_block(cli_session *s)
{
    cli_buffer text;
    gsp_error err;
    if (s->module.block != NULL) {
        return CLI_EXIT_OK;
    }
    cli_buffer_init(&text, s);
    if (gsp_text_write(&s->module, NULL, cli_sink, &text, &err) != GSP_OK) {
        return cli_pass_error(s, NULL, &err);
    }
    s->text = text.data;
    s->text_size = text.size;
    return cli_text_take(s);
}

static void put_source(cli_session *s, const emit_c_options *opt)
{
    const gsp_module *m = &s->module;
    const char *name = opt->name;
    int const little = opt->order == ORDER_HOST ? host_is_little() : opt->order == ORDER_LITTLE;
    unsigned char *block = (unsigned char *)cli_alloc(s, m->block_size + 8u, 1u);
    memcpy(block, m->block, m->block_size);
    if (little != host_is_little()) {
        turn_around(m, block);
    }
    cli_printf(&s->out,
        "/* A finished graph for %s-endian machines, by graphsplit emit-c %s.\n"
        " * Use: gsp_module_open(&module, %s, sizeof %s, 0, &error). */\n"
        "%s#include <stdint.h>\n\n",
        little ? "little" : "big", GSP_VERSION_STRING, name, name,
        opt->plan ? "#include <stddef.h>\n" : "");
    put_counts(&s->out, name, m);
    put_array(&s->out, name, block, m->block_size, little);
}

/* The options of what is computed again. */
static int read_recompute(cli_session *s, emit_c_options *opt)
{
    int const is_percent = opt->max_recompute != NULL;
    const char *name = is_percent ? "--max-recompute" : "--fit";
    gsp_str percent = gsp_str_of(is_percent ? opt->max_recompute : "");
    opt->most = -1.0;
    if (!is_percent && opt->fit == UINT64_MAX) {
        return CLI_EXIT_OK;
    }
    if (!opt->stream || opt->layers) {
        return cli_usage_error(s, "%s %s --stream%s", name,
            opt->layers ? "cannot be combined with" : "requires", opt->layers ? " --layers" : "");
    }
    if (is_percent && opt->fit != UINT64_MAX) {
        return cli_usage_error(s, "--max-recompute cannot be combined with --fit");
    }
    percent.size -= percent.size != 0 && percent.data[percent.size - 1u] == '%' ? 1u : 0u;
    if (is_percent && (!gsp_str_decimal(percent, &opt->most) || !(opt->most >= 0.0))) {
        return cli_usage_error(
            s, "--max-recompute expects percent, 0 or more, got '%s'", opt->max_recompute);
    }
    return CLI_EXIT_OK;
}

/* --region names what other options choose. */
static int check_region(cli_session *s, const emit_c_options *opt)
{
    const char *other = opt->layers                  ? "--layers"
                        : opt->fit != UINT64_MAX     ? "--fit"
                        : opt->max_recompute != NULL ? "--max-recompute"
                                                     : NULL;
    if (opt->region == NULL) {
        return CLI_EXIT_OK;
    }
    return !opt->stream    ? cli_usage_error(s, "--region requires --stream")
           : other != NULL ? cli_usage_error(s, "--region cannot be combined with %s", other)
                           : cli_region_check(s, opt->region);
}

/* What has no effect on the code of --stream; NULL if nothing was given. */
static const char *idle_option(const cli_session *s, const emit_c_options *opt)
{
    return opt->order != ORDER_HOST        ? "--byte-order: it has no array"
           : s->common.arena != UINT64_MAX ? "--arena: it has no pass of its own"
           : s->common.time_json != NULL   ? "--time-json: it has no pass to measure"
           : s->common.time != 0           ? "--time: it has no pass to measure"
                                           : NULL;
}

/* Without --stream, the pass is that of --plan, which is not measured. */
static int check_pass(cli_session *s, const emit_c_options *opt)
{
    if (s->common.time != 0) {
        return cli_usage_error(s, "--time: emit-c measures no pass; memory --time measures a plan");
    }
    return s->common.arena != UINT64_MAX && !opt->plan
               ? cli_usage_error(s, "--arena requires --plan, whose pass has this memory")
               : CLI_EXIT_OK;
}

static int read_options(cli_session *s, emit_c_options *opt, int argc, char **argv)
{
    const char *reserved;
    int code = cli_options_read(s, opt, argc, argv);
    if (code != CLI_EXIT_OK || s->common.help) {
        return code;
    }
    if (s->common.json) {
        return cli_usage_error(s, "--json: emit-c prints C; read --json prints the graph");
    }
    if (!emit_c_is_identifier(opt->name)) {
        return cli_usage_error(s, "--name expects a C identifier, got '%s'", opt->name);
    }
    if ((reserved = emit_c_reserved(opt->name)) != NULL) {
        return cli_usage_error(s, "--name %s %s; choose another", opt->name, reserved);
    }
    if (opt->stream && opt->plan) {
        return cli_usage_error(s, "--stream cannot be combined with --plan: it has its own plan");
    }
    if (opt->stream && idle_option(s, opt) != NULL) {
        return cli_usage_error(s, "--stream cannot be combined with %s", idle_option(s, opt));
    }
    if (!opt->stream && (code = check_pass(s, opt)) != CLI_EXIT_OK) {
        return code;
    }
    if (opt->layers && !opt->stream) {
        return cli_usage_error(s, "--layers requires --stream, to which it is compared");
    }
    if (opt->stream_input && (!opt->stream || opt->layers)) {
        return cli_usage_error(s, opt->layers ? "--stream-input cannot be combined with --layers, "
                                                "which hold the input as a whole"
                                              : "--stream-input requires --stream");
    }
    if ((code = read_recompute(s, opt)) != CLI_EXIT_OK ||
        (code = check_region(s, opt)) != CLI_EXIT_OK) {
        return code;
    }
    if (opt->align != 0 && !opt->plan && !opt->stream) {
        return cli_usage_error(s, "--align requires --plan, whose offsets it aligns");
    }
    if (opt->exact.given && !opt->plan && !opt->stream) {
        return cli_usage_error(s, "--exact requires --plan, which it makes smaller");
    }
    if (opt->run_of != NULL && !opt->plan) {
        return cli_usage_error(s, "--run-of requires --plan, whose order it is");
    }
    if (opt->exact.value != NULL && !cli_bytes_read(gsp_str_of(opt->exact.value), &opt->max_work)) {
        return cli_usage_error(
            s, "--exact=WORK expects a number up to 2^64 - 1, got '%s'", opt->exact.value);
    }
    opt->align = opt->align != 0 ? opt->align : GSP_ALIGN;
    if ((opt->align & (opt->align - 1u)) != 0) {
        return cli_usage_error(s, "--align expects a power of two, got %" PRIu64, opt->align);
    }
    return cli_one_file(s);
}

static int run(cli_session *s, int argc, char **argv)
{
    emit_c_options opt;
    emit_c_desc desc;
    int code;
    memset(&opt, 0, sizeof opt);
    opt.name = "graph";
    opt.fit = UINT64_MAX;
    if ((code = read_options(s, &opt, argc, argv)) != CLI_EXIT_OK || s->common.help ||
        (code = cli_load(s)) != CLI_EXIT_OK) {
        return code;
    }
    desc.name = opt.name;
    desc.align = opt.align;
    desc.exact = opt.exact.given ? &opt.max_work : NULL;
    desc.run_of = opt.run_of;
    if (opt.stream) {
        stream_options stream;
        stream.layers = opt.layers != 0;
        stream.input = opt.stream_input != 0;
        stream.region = opt.region;
        stream.fit = opt.fit;
        stream.most = opt.most;
        return emit_c_stream(s, &desc, &stream);
    }
    if ((code = take_block(s)) != CLI_EXIT_OK) {
        return code;
    }
    put_source(s, &opt);
    return opt.plan ? emit_c_plan(s, &desc) : CLI_EXIT_OK;
}

const cli_pass cli_emit_c_pass = {
    "emit-c",
    "[options] FILE",
    "Writes a graph as a C array for the flash memory of a device",
    "The array fits any word size, but one byte order. gsp_module_open() makes a view of it, "
    "which\n"
    "needs no memory of its own. NAME_nodes, NAME_edges and NAME_strings size the memory of "
    "passes:\n"
    "GSP_SPLIT_BOUND(NAME_nodes, NAME_edges).\n"
    "--plan adds NAME_plan[NAME_tensors], with an offset and a size per tensor, and NAME_arena.\n"
    "--stream writes NAME_run(), which calls row_conv_2d() and so on, kernels of yours, and takes\n"
    "NAME_arena_bytes; weights are read from the bytes of the .tflite file. Those of .onnx are in\n"
    "the code, and its values lie channel by channel, as in the model. --stream-input calls\n"
    "NAME_read_row(), another function of yours, for the rows of the input from top to bottom.\n"
    "With --fit and --max-recompute kernels also get parts of rows, and sizes that tell so.\n"
    "--run-of adds NAME_parts, NAME_order (calls as they run), and which tensors cross.\n",
    options,
    CLI_COUNT(options),
    run,
    {"--name net --plan net.fx > net.h", "model.tflite > graph.h"},
};
