/* graphsplit read: prints a module, from text or another format, as text. */
#include "commands/read/read.h"

#include "input/input.h"
#include "output/output.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct read_options {
    uint32_t no_annotations;
    uint32_t check_users;
    uint32_t main_alone;
    uint32_t views;
    uint32_t attributes;
    uint32_t macs;
} read_options;

static const cli_option options[] = {
    {"--no-annotations", NULL, CLI_FLAG, offsetof(read_options, no_annotations), 0, 0,
        "leave out the annotations after '  # '"},
    {"--check-users", NULL, CLI_FLAG, offsetof(read_options, check_users), 0, 0,
        "check that num_users is the number of distinct users"},
    {"--main", NULL, CLI_FLAG, offsetof(read_options, main_alone), 0, 0,
        "print the main graph alone"},
    {"--views", NULL, CLI_FLAG, offsetof(read_options, views), 0, 0,
        "Reshape, Squeeze, Unsqueeze, Flatten, Identity of ONNX and RESHAPE, SQUEEZE, EXPAND_DIMS "
        "of "
        "TFLite yield views (alias=0), as in runtimes that do not copy"},
    {"--attributes", NULL, CLI_FLAG, offsetof(read_options, attributes), 0, 0,
        "of a .tflite model also the options of its operators, as keyword arguments, and the "
        "quantisation of its tensors"},
    {"--macs", NULL, CLI_FLAG, offsetof(read_options, macs), 0, 0,
        "print multiply-accumulates (MACs) instead: of every callable node of the main graph, with "
        "the graphs that it runs, then the total"},
};

typedef struct read_work {
    const char *text;
    size_t size;
    gsp_text_desc desc;
    gsp_module module;
} read_work;

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    read_work *w = (read_work *)user;
    return gsp_text_read(arena, w->text, w->size, &w->desc, &w->module, err);
}

/* A text that begins with `module NAME` is printed in that form again. */
static int is_module_text(const char *text, size_t size)
{
    size_t i = 0;
    while (i < size && strchr(" \t\r\n#", text[i]) != NULL) {
        if (text[i] == '#') {
            while (i < size && text[i] != '\n') {
                i++;
            }
        } else {
            i++;
        }
    }
    return size - i > 7u && memcmp(text + i, "module ", 7u) == 0;
}

static int refused(cli_session *s, const gsp_error *err)
{
    gsp_str text = {NULL, 0};
    if (s->text_size <= UINT32_MAX) {
        text.data = s->text;
        text.size = (uint32_t)s->text_size;
    }
    return cli_text_error(s, s->path, text, err);
}

/* Megabytes per second, for people; follows the line for programs. */
static void put_rate(const cli_session *s, const cli_timing *timing)
{
    if (s->common.time != 0 && !s->common.porcelain && timing->median != 0) {
        double rate = (double)s->text_size * 1e3 / (double)timing->median;
        fprintf(stderr, "%.1f MB/s\n", rate);
    }
}

static int put_module(cli_session *s, const read_options *opt, const gsp_module *module)
{
    gsp_text_desc desc = {0};
    gsp_graph root = gsp_module_graph(module, 0);
    gsp_status status;
    gsp_error err;
    desc.no_annotations = (uint8_t)opt->no_annotations;
    desc.as_module = s->text != NULL && is_module_text(s->text, s->text_size) ? 1u : 0u;
    cli_progress(s, "printing");
    status = opt->main_alone ? gsp_text_write_graph(&root, &desc, cli_stream, s, &err)
                             : gsp_text_write(module, &desc, cli_stream, s, &err);
    return status == GSP_OK || s->out_failed != 0 ? CLI_EXIT_OK : cli_pass_error(s, NULL, &err);
}

/* A line per callable node, then the sum of those that are known. */
static void tell_unknown(cli_session *s, const gsp_graph *g, const cli_macs *macs)
{
    uint8_t *kind = (uint8_t *)cli_alloc(s, (size_t)g->n_nodes + 1u, 1u);
    cli_macs_share share;
    cli_buffer note;
    cli_macs_share_of(g, macs, kind, &share);
    cli_buffer_init(&note, s);
    cli_printf(&note, "%s: %s: ", s->front->program, s->path);
    cli_put_macs_unknown(&note, "", &share);
    cli_puts(&note, "\n");
    cli_tell(&note);
    cli_release(s, note.data);
    cli_release(s, kind);
}

static int put_macs(cli_session *s, const gsp_module *m)
{
    cli_macs *macs = (cli_macs *)cli_alloc(s, m->counts.nodes + 1u, sizeof *macs);
    gsp_graph const g = gsp_module_graph(m, 0);
    uint32_t unknown = 0;
    double total = 0.0;
    int any = 0;
    gsp_node v;
    int const code = cli_graphs_macs(s, m, macs);
    for (v = 0; v < g.n_nodes && code == CLI_EXIT_OK; v++) {
        if (!gsp_node_is_callable(&g, v)) {
            continue;
        }
        cli_puts(&s->out, "macs ");
        cli_put_text(&s->out, gsp_node_name(&g, v));
        if (macs[v].state > CLI_MACS_LEAST) {
            unknown++;
            cli_puts(&s->out, " ?\n");
        } else {
            int const least = macs[v].state == CLI_MACS_LEAST;
            total += macs[v].n;
            any |= least;
            cli_printf(&s->out, " %s%.0f\n", least ? ">=" : "", macs[v].n);
        }
    }
    if (code == CLI_EXIT_OK) {
        cli_printf(
            &s->out, "macs total=%s%.0f unknown=%" PRIu32 "\n", any ? ">=" : "", total, unknown);
    }
    if (code == CLI_EXIT_OK && unknown != 0) {
        tell_unknown(s, &g, macs);
    }
    return code;
}

static int put_json(cli_session *s, const gsp_module *module)
{
    cli_puts(&s->out, "{\"pass\": \"read\", ");
    cli_json_modules(&s->out, module);
    cli_puts(&s->out, "}\n");
    return CLI_EXIT_OK;
}

/* The text is parsed here and not by its format, since --time measures the parsing. */
static int read_text(cli_session *s, const read_options *opt)
{
    read_work w;
    gsp_counts counts;
    gsp_arena arena;
    gsp_error err;
    cli_timing timing;
    size_t bound;
    int is_other;
    int code = cli_text_begin(s, &is_other);
    if (code != CLI_EXIT_OK || is_other) {
        return code;
    }
    memset(&w, 0, sizeof w);
    w.text = s->text;
    w.size = s->text_size;
    w.desc.check_users = (uint8_t)opt->check_users;
    w.desc.no_annotations = (uint8_t)opt->no_annotations;
    if (gsp_text_count(w.text, w.size, &counts, &err) != GSP_OK) {
        return refused(s, &err);
    }
    bound = gsp_build_bound(&counts);
    if ((code = cli_pass_arena(s, &arena, bound)) != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(s, &arena, work, &w, &timing, &err) != GSP_OK) {
        return refused(s, &err);
    }
    cli_time_line(s, w.module.counts.nodes, w.module.counts.edges, bound, &timing);
    put_rate(s, &timing);
    s->module = w.module;
    cli_check_returned(s);
    code = cli_written_check(s);
    code = code == CLI_EXIT_OK ? cli_written_set(s) : code;
    code = code == CLI_EXIT_OK ? cli_dims_set(s) : code;
#ifndef CLI_NO_CALLS
    code = code == CLI_EXIT_OK && opt->macs ? cli_bodies_check(s) : code;
    code = code == CLI_EXIT_OK ? cli_graph_choose(s) : code;
#endif
    return code;
}

/* Weights have no graph: the table of their layers. */
static int put_layers(cli_session *s, const read_options *opt)
{
    const char *option = opt->macs             ? "--macs"
                         : opt->main_alone     ? "--main"
                         : opt->no_annotations ? "--no-annotations"
                         : s->common.json      ? "--json"
                                               : NULL;
    return option == NULL ? cli_tensors_table(s, s->path, &s->out)
                          : cli_usage_error(s,
                                "%s: %s holds weights without a graph, whose layers are printed "
                                "as a table (CSV) alone",
                                option, s->path);
}

static int run(cli_session *s, int argc, char **argv)
{
    read_options opt = {0};
    int code = cli_options_read(s, &opt, argc, argv);
    if (code != CLI_EXIT_OK || (code = cli_one_file(s)) != CLI_EXIT_OK) {
        return code;
    }
    if (cli_is_tensors(s, s->path)) {
        return put_layers(s, &opt);
    }
    if (opt.macs && s->common.json) {
        return cli_usage_error(s, "--macs cannot be combined with --json: it prints lines");
    }
    s->main_alone = opt.main_alone;
    cli_choose_format(s);
    cli_net_settle(s);
    s->attributes = opt.attributes ? CLI_ATTRIBUTES_KEYWORDS : CLI_ATTRIBUTES_NONE;
    code = s->format == &cli_text_format ? read_text(s, &opt) : cli_load(s);
    if (code != CLI_EXIT_OK || (opt.views && (code = cli_views_set(s)) != CLI_EXIT_OK)) {
        return code;
    }
    if (opt.macs) {
        return put_macs(s, &s->module);
    }
    return s->common.json ? put_json(s, &s->module) : put_module(s, &opt, &s->module);
}

const cli_pass cli_read_pass = {
    "read",
    "[options] FILE",
    "Prints a graph or module as graph text",
    "Of weights without a graph (.gguf, .safetensors) it prints a table of layers (CSV), which\n"
    "`pipe --table` takes: experts are rows of their own, kv_per_token counts f16.\n"
    "--time measures the pass over the text that finds the sizes, and the reading; without\n"
    "--porcelain it adds megabytes per second.\n",
    options,
    CLI_COUNT(options),
    run,
    {"--check-users net.fx", "--main model.tflite > model.fx"},
};
