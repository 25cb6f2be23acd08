/* graphsplit preview: which types of nodes there are and whether they are supported, and what a
 * split would move between CPU and accelerators. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static const cli_option options[] = {
    CLI_PLACE_OPTIONS,
    SPLIT_CUT_OPTIONS,
    {"--bandwidth", "BYTES_PER_S", CLI_BYTES, offsetof(split_options, bandwidth), 1, UINT64_MAX,
     "between CPU and accelerators; 107374182400 (100 GiB/s) if not given"},
};

typedef struct preview {
    split cut;
    gsp_signatures_result types;
    gsp_preview_desc desc;
    gsp_preview_result result;
    size_t bound;
    cli_timing timing;
} preview;

/* ---- the pass ---- */

/* Both steps, or none: what is too little for both is too little for the first. */
static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    preview *w = (preview *)user;
    gsp_status status;
    if (gsp_arena_left(arena) < w->bound) {
        memset(err, 0, sizeof *err);
        err->status = GSP_STATUS_NOMEM;
        err->detail = GSP_DETAIL_BOUND;
        err->node = GSP_NONE;
        err->need = w->bound;
        err->limit = gsp_arena_left(arena);
        return err->status;
    }
    status = gsp_signatures_run(arena, &w->cut.graph, &w->cut.placement, &w->types, err);
    return status != GSP_OK
               ? status
               : gsp_preview_run(arena, &w->cut.graph, &w->cut.result, &w->desc, &w->result, err);
}

static int run_preview(preview *w)
{
    gsp_arena arena;
    gsp_error err;
    size_t types = gsp_signatures_bound(&w->cut.counts);
    size_t bytes = gsp_preview_bound(&w->cut.counts, w->cut.result.n_subgraphs);
    int code;
    w->bound = bytes > SIZE_MAX - types ? SIZE_MAX : types + bytes;
    w->desc.bandwidth = w->cut.opt.bandwidth;
    code = cli_pass_arena(w->cut.session, &arena, w->bound);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(w->cut.session, &arena, work, w, &w->timing, &err) != GSP_OK) {
        return cli_pass_error(w->cut.session, &w->cut.graph, &err);
    }
    return CLI_EXIT_OK;
}

static const char *kind_of(const preview *w, uint32_t kind)
{
    return w->cut.place.names[kind];
}

static void put_signature(const preview *w, cli_buffer *out, const gsp_signature *s)
{
    (void)gsp_signature_write(&w->cut.graph, s->first, cli_sink, out, NULL);
}

/* The values of a row that are no tensors. */
static void put_odd(const preview *w, cli_buffer *out, const gsp_node *nodes, uint32_t n,
                    const char *separator)
{
    const char *before = "";
    uint32_t i;
    for (i = 0; i < n; i++) {
        if (gsp_node_value_kind(&w->cut.graph, nodes[i]) != GSP_VALUE_TENSOR) {
            cli_puts(out, before);
            cli_put_text(out, gsp_node_name(&w->cut.graph, nodes[i]));
            before = separator;
        }
    }
}

/* ---- porcelain ---- */

static void porcelain_subgraph(const preview *w, cli_buffer *out, uint32_t i)
{
    const gsp_preview_subgraph *s = &w->result.subgraphs[i];
    double rate;
    cli_printf(out,
               "subgraph %s %s nodes=%" PRIu32 " inputs=%" PRIu32 " bytes_in=%" PRIu64
               " outputs=%" PRIu32 " bytes_out=%" PRIu64 " rate=",
               w->cut.tags[i], kind_of(w, s->kind), s->n_nodes, s->n_inputs, s->bytes_in,
               s->n_outputs, s->bytes_out);
    if (s->kind != GSP_KIND_CPU && gsp_preview_rate(&w->result, i, &rate)) {
        cli_printf(out, "%.17g\n", rate);
    } else {
        cli_puts(out, "none\n");
    }
    if (s->odd_inputs != 0) {
        cli_printf(out, "non_tensor_in %s ", w->cut.tags[i]);
        put_odd(w, out, s->inputs, s->n_inputs, " ");
        cli_puts(out, "\n");
    }
    if (s->odd_outputs != 0) {
        cli_printf(out, "non_tensor_out %s ", w->cut.tags[i]);
        put_odd(w, out, s->outputs, s->n_outputs, " ");
        cli_puts(out, "\n");
    }
}

static void put_porcelain(const preview *w, cli_buffer *out)
{
    const gsp_preview_result *r = &w->result;
    uint32_t i;
    for (i = 0; i < w->types.n_signatures; i++) {
        const gsp_signature *s = &w->types.signatures[i];
        cli_printf(out, "type %s %" PRIu32 " ", kind_of(w, s->kind), s->n_nodes);
        cli_put_text(out, s->name);
        cli_puts(out, " ");
        put_signature(w, out, s);
        cli_puts(out, "\n");
    }
    cli_printf(out, "before acc=%" PRIu32 " cpu=%" PRIu32 "\n", r->raw_acc, r->raw_cpu);
    cli_printf(out, "after acc=%" PRIu32 " cpu=%" PRIu32 "\n", r->n_acc, r->n_cpu);
    for (i = 0; i < r->n_subgraphs; i++) {
        porcelain_subgraph(w, out, i);
    }
    cli_printf(out, "bottleneck %s\n",
               r->bottleneck == GSP_NONE ? "none" : w->cut.tags[r->bottleneck]);
}

/* ---- JSON ---- */

static void json_odd(const preview *w, cli_buffer *out, const gsp_node *nodes, uint32_t n)
{
    const char *comma = "";
    uint32_t i;
    cli_puts(out, "[");
    for (i = 0; i < n; i++) {
        if (gsp_node_value_kind(&w->cut.graph, nodes[i]) != GSP_VALUE_TENSOR) {
            cli_puts(out, comma);
            cli_json_string(out, gsp_node_name(&w->cut.graph, nodes[i]));
            comma = ", ";
        }
    }
    cli_puts(out, "]");
}

static void json_subgraph(const preview *w, cli_buffer *out, uint32_t i)
{
    const gsp_preview_subgraph *s = &w->result.subgraphs[i];
    double rate;
    cli_printf(out, "%s\n  {\"tag\": \"%s\", \"kind\": \"%s\", \"nodes\": %" PRIu32,
               i != 0 ? "," : "", w->cut.tags[i], kind_of(w, s->kind), s->n_nodes);
    cli_printf(out, ", \"inputs\": %" PRIu32 ", \"bytes_in\": %" PRIu64, s->n_inputs, s->bytes_in);
    cli_printf(out, ", \"outputs\": %" PRIu32 ", \"bytes_out\": %" PRIu64, s->n_outputs,
               s->bytes_out);
    cli_puts(out, ", \"non_tensor_in\": ");
    json_odd(w, out, s->inputs, s->n_inputs);
    cli_puts(out, ", \"non_tensor_out\": ");
    json_odd(w, out, s->outputs, s->n_outputs);
    if (s->kind != GSP_KIND_CPU && gsp_preview_rate(&w->result, i, &rate)) {
        cli_printf(out, ", \"rate\": %.17g}", rate);
    } else {
        cli_puts(out, ", \"rate\": null}");
    }
}

static void put_json(const preview *w, cli_buffer *out)
{
    const gsp_preview_result *r = &w->result;
    uint32_t i;
    cli_puts(out, "{\"pass\": \"preview\", \"model\": ");
    cli_json_string(out, gsp_str_of(w->cut.session->path));
    cli_puts(out, ",\n\"types\": [");
    for (i = 0; i < w->types.n_signatures; i++) {
        const gsp_signature *s = &w->types.signatures[i];
        cli_buffer text;
        cli_buffer_init(&text, w->cut.session);
        put_signature(w, &text, s);
        cli_printf(out,
                   "%s\n  {\"kind\": \"%s\", \"nodes\": %" PRIu32 ", \"name\": ", i != 0 ? "," : "",
                   kind_of(w, s->kind), s->n_nodes);
        cli_json_string(out, s->name);
        cli_puts(out, ", \"dtypes\": \"");
        cli_json_escape_sink(out, text.data, text.size);
        cli_puts(out, "\"}");
        cli_release(w->cut.session, text.data);
    }
    cli_printf(out,
               "],\n\"before\": {\"acc\": %" PRIu32 ", \"cpu\": %" PRIu32
               "}, \"after\": {\"acc\": %" PRIu32 ", \"cpu\": %" PRIu32 "},\n\"subgraphs\": [",
               r->raw_acc, r->raw_cpu, r->n_acc, r->n_cpu);
    for (i = 0; i < r->n_subgraphs; i++) {
        json_subgraph(w, out, i);
    }
    cli_printf(out, "],\n\"bandwidth\": %" PRIu64 ", \"bottleneck\": ", r->bandwidth);
    if (r->bottleneck != GSP_NONE) {
        cli_printf(out, "\"%s\"}\n", w->cut.tags[r->bottleneck]);
    } else {
        cli_puts(out, "null}\n");
    }
}

/* ---- for people ---- */

/* The rows of types from `begin` on that are on an accelerator, or not; returns how many. */
static uint32_t put_types(const preview *w, cli_buffer *out, uint32_t begin, int supported)
{
    uint32_t n = 0;
    uint32_t shown;
    uint32_t i;
    cli_table t;
    while (begin + n < w->types.n_signatures &&
           (w->types.signatures[begin + n].kind != GSP_KIND_CPU) == supported) {
        n++;
    }
    split_heading(out, supported ? "SUPPORTED TYPES OF NODES" : "TYPES THAT NO ACCELERATOR TAKES",
                  n == 0 ? "none" : "operator with the dtypes of its arguments");
    cli_table_init(&t, w->cut.session, "rlll");
    cli_table_head(&t, "nodes|on|operator|dtypes");
    shown = split_rows(&w->cut, n, SPLIT_ROWS);
    for (i = begin; i < begin + shown; i++) {
        const gsp_signature *s = &w->types.signatures[i];
        cli_buffer text;
        cli_buffer_init(&text, w->cut.session);
        put_signature(w, &text, s);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, s->n_nodes);
        cli_cell_put(&t, split_kind_style(s->kind), "%s", kind_of(w, s->kind));
        cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), s->name, 48u);
        {
            gsp_str dtypes = gsp_str_of(NULL);
            dtypes.data = text.data;
            dtypes.size = (uint32_t)text.size;
            cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), dtypes, 60u);
        }
        cli_release(w->cut.session, text.data);
    }
    if (n != 0) {
        cli_table_write(&t, out);
    }
    split_rest(out, n, shown, "type");
    return n;
}

/* A rate as people say it: "1.2 million". */
static void put_rate(cli_buffer *out, double rate)
{
    static const char *const scales[] = {"", " thousand", " million", " billion"};
    size_t i = 0;
    while (rate >= 1000.0 && i + 1u < CLI_COUNT(scales)) {
        rate /= 1000.0;
        i++;
    }
    cli_printf(out, i == 0 && rate < 10.0 ? "%.3g%s" : "%.1f%s", rate, scales[i]);
}

static void rate_cell(const preview *w, cli_table *t, uint32_t i)
{
    cli_style style = i == w->result.bottleneck ? CLI_RED : CLI_PLAIN;
    cli_buffer *cell = cli_cell_begin(t, style);
    double rate;
    if (w->result.subgraphs[i].kind == GSP_KIND_CPU) {
        cli_puts(cell, "-");
    } else if (gsp_preview_rate(&w->result, i, &rate)) {
        put_rate(cell, rate);
    } else {
        cli_puts(cell, "no bound");
    }
}

static void put_subgraphs(const preview *w, cli_buffer *out)
{
    const gsp_preview_result *r = &w->result;
    uint32_t shown = split_rows(&w->cut, r->n_subgraphs, SPLIT_ROWS);
    cli_table t;
    uint32_t i;
    split_heading(out, "SUBGRAPHS",
                  "bytes of tensors in and out, and the runs a second they allow");
    cli_table_init(&t, w->cut.session, "llrrrrrr");
    cli_table_head(&t, "tag|kind|nodes|values in|bytes in|values out|bytes out|runs a second");
    for (i = 0; i < shown; i++) {
        const gsp_preview_subgraph *s = &r->subgraphs[i];
        cli_style style = split_kind_style(s->kind);
        cli_cell_put(&t, style, "%s", w->cut.tags[i]);
        cli_cell_put(&t, style, "%s", kind_of(w, s->kind));
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, s->n_nodes);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, s->n_inputs);
        cli_put_bytes(cli_cell_begin(&t, CLI_PLAIN), s->bytes_in);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, s->n_outputs);
        cli_put_bytes(cli_cell_begin(&t, CLI_PLAIN), s->bytes_out);
        rate_cell(w, &t, i);
    }
    cli_table_write(&t, out);
    split_rest(out, r->n_subgraphs, shown, "subgraph");
}

/* Values that a lowering may choke on. */
static void put_warnings(const preview *w, cli_buffer *out)
{
    uint32_t i;
    for (i = 0; i < w->result.n_subgraphs; i++) {
        const gsp_preview_subgraph *s = &w->result.subgraphs[i];
        if (s->kind != GSP_KIND_CPU && s->odd_inputs != 0) {
            cli_printf(out, "\n%s reads what is no tensor: ", w->cut.tags[i]);
            put_odd(w, out, s->inputs, s->n_inputs, ", ");
        }
        if (s->kind != GSP_KIND_CPU && s->odd_outputs != 0) {
            cli_printf(out, "\n%s hands on what is no tensor: ", w->cut.tags[i]);
            put_odd(w, out, s->outputs, s->n_outputs, ", ");
        }
    }
}

static void put_bound(const preview *w, cli_buffer *out)
{
    double rate;
    if (!gsp_preview_rate(&w->result, w->result.bottleneck, &rate)) {
        cli_puts(out, "\nNo tensor of known size crosses: bandwidth sets no bound.\n");
        return;
    }
    cli_puts(out, "\nAt ");
    cli_put_bytes(out, w->result.bandwidth);
    cli_puts(out, "/s the model runs at most ");
    cli_put_style(out, CLI_BOLD);
    put_rate(out, rate);
    cli_put_style(out, CLI_PLAIN);
    cli_printf(out, " times a second; the bottleneck is %s.\n", w->cut.tags[w->result.bottleneck]);
}

static void put_people(const preview *w, cli_buffer *out)
{
    const gsp_preview_result *r = &w->result;
    uint32_t n;
    if (w->types.n_signatures == 0) {
        cli_puts(out, "no callable nodes: there is nothing to split\n");
        return;
    }
    n = put_types(w, out, 0, 1);
    (void)put_types(w, out, n, 0);
    split_heading(out, "SPLIT", NULL);
    cli_printf(
        out, "  %" PRIu32 " subgraph%s (%" PRIu32 " on accelerators, %" PRIu32 " on the CPU)",
        r->raw_acc + r->raw_cpu, cli_plural(r->raw_acc + r->raw_cpu), r->raw_acc, r->raw_cpu);
    cli_printf(out,
               " before small ones are removed, %" PRIu32 " (%" PRIu32 ", %" PRIu32 ") after\n",
               r->n_subgraphs, r->n_acc, r->n_cpu);
    put_subgraphs(w, out);
    put_warnings(w, out);
    put_bound(w, out);
}

static int run(cli_session *s, int argc, char **argv)
{
    preview w;
    int code;
    memset(&w, 0, sizeof w);
    w.cut.session = s;
    w.cut.is_step = 1;
    if ((code = cli_options_read(s, &w.cut.opt, argc, argv)) != CLI_EXIT_OK ||
        (code = split_check_options(&w.cut)) != CLI_EXIT_OK ||
        (code = split_start(&w.cut)) != CLI_EXIT_OK || (code = run_preview(&w)) != CLI_EXIT_OK) {
        return code;
    }
    if (s->common.porcelain) {
        put_porcelain(&w, &s->out);
    } else if (s->common.json) {
        put_json(&w, &s->out);
    } else {
        put_people(&w, &s->out);
    }
    cli_time_line(s, w.cut.graph.n_nodes, w.cut.counts.edges, w.bound, &w.timing);
    return CLI_EXIT_OK;
}

const cli_pass cli_preview_pass = {
    "preview",
    "[options] FILE",
    "Says what a split would be like: types of nodes, and bytes that move",
    "--arena and the line of --time are about the preview alone, after the "
    "split.\n" CLI_PLACE_ABOUT,
    options,
    CLI_COUNT(options),
    run,
};
