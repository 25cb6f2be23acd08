/* The code of --stream: a function per operator for a row of its result, one per value for all rows
 * up to a number, and one that runs the network. */
#include "commands/emit_c/emit_c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* How much is computed twice. */
static void put_twice(stream_work *w)
{
    uint64_t again = 0;
    double all = 0.0;
    uint32_t i;
    for (i = 0; i < w->n_groups; i++) {
        again += w->groups[i].macs;
    }
    for (i = 0; i < w->g.n_nodes; i++) {
        all += (double)w->ops[i].macs;
    }
    if (again == 0) {
        cli_puts(w->out, "No value is computed twice.");
    } else {
        cli_printf(w->out,
            "%" PRIu64 " multiplications (%.1f %%) are of values that are computed again.", again,
            (double)again / all * 100.0);
    }
}

static void put_head(stream_work *w)
{
    const char *name = w->name;
    cli_printf(w->out,
        "/* A network that calls row kernels, by graphsplit emit-c %s --stream.\n"
        " * Layer by layer it takes %" PRIu64 " bytes of activations, and this code %" PRIu64 ".\n"
        " * ",
        GSP_VERSION_STRING, w->before, w->m.memory_plan.arena);
    put_twice(w);
    cli_puts(w->out,
        " */\n"
        "#include <stddef.h>\n#include <stdint.h>\n\n"
        "#ifndef GRAPHSPLIT_ROWS\n#define GRAPHSPLIT_ROWS\n\n"
        "typedef struct graphsplit_dims {\n"
        "    int32_t n, h, w, c;\n"
        "    float scale; /* of the tensor, or of its first channel; 0: not quantised */\n"
        "    int32_t zero;\n"
        "    const char *type; /* of an element: \"f32\", \"i8\" */\n"
        "    int32_t step;     /* elements from a channel to the next: 1 with channels last */\n"
        "} graphsplit_dims;\n\n"
        "/* An input of an operator of ONNX; at is NULL if it is no parameter. */\n"
        "typedef struct graphsplit_constant {\n    const void *at;\n    int32_t n; /* elements */\n"
        "    const char *type;\n} graphsplit_constant;\n\n"
        "/* An attribute: a word, or numbers; of an operator of .tflite one number. */\n"
        "typedef struct graphsplit_attribute {\n    const char *name, *text;\n"
        "    const double *numbers;\n    int32_t n;\n} graphsplit_attribute;\n\n"
        "typedef struct graphsplit_params {\n"
        "    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;\n"
        "    int32_t pad_h, pad_w;  /* before the first row and column */\n"
        "    int32_t activation;    /* 0 none, 1 relu, 2 relu_n1_to_1, 3 relu6 */\n"
        "    const float *scales;   /* of the filter */\n"
        "    int32_t n_scales;\n"
        "    int32_t filter_at; /* which input the filter is: 0 is the first operand */\n"
        "    int32_t n_inputs;\n"
        "    const graphsplit_constant *constants; /* all inputs of an operator of ONNX */\n"
        "    int32_t n_constants;\n"
        "    const graphsplit_attribute *attributes;\n"
        "    int32_t n_attributes;\n} graphsplit_params;\n\n"
        "/* A row kernel computes a row of the result from kernel_h rows of each input; a row of\n"
        " * padding is NULL. One that begins with whole_ gets all of its inputs, and computes all. "
        "*/\n"
        "typedef void graphsplit_kernel(void *context, const graphsplit_params *params,\n"
        "    const graphsplit_dims *input_dims, const void *const *input_rows,\n"
        "    const graphsplit_dims *filter_dims, const void *filter, const void *bias,\n"
        "    const graphsplit_dims *output_dims, void *output_row);\n\n"
        "/* A sum kernel gets the rows of a window one by one, row k of kernel_h, and adds them "
        "to\n"
        " * sums of 4 bytes per element of a row of the result. Row 0 is the first that these "
        "get,\n"
        " * and with the last it computes the row. */\n"
        "typedef void graphsplit_sum_kernel(void *context, const graphsplit_params *params,\n"
        "    const graphsplit_dims *input_dims, const void *input_row, int32_t k, void *sums,\n"
        "    const graphsplit_dims *output_dims, void *output_row);\n\n"
        "/* A part of a row, or of its channels. */\n"
        "typedef struct graphsplit_part {\n"
        "    int32_t in_w, pad_w, out_w, first_c, n_c;\n} graphsplit_part;\n\n#endif\n\n");
    cli_printf(w->out, "enum { %s_arena_bytes = %" PRIu64 ", %s_layers_bytes = %" PRIu64 " };\n",
        name, w->m.memory_plan.arena, name, w->before);
}

/* Declares each kernel before its first call. */
static void put_kernels(stream_work *w)
{
    uint32_t n = 0;
    gsp_node v;
    gsp_node u;
    for (v = 0; v < w->g.n_nodes; v++) {
        if (!gsp_node_is_callable(&w->g, v)) {
            continue;
        }
        for (u = 0;
             u < v &&
             !(gsp_node_is_callable(&w->g, u) && stream_form_of(w, u) == stream_form_of(w, v) &&
                 gsp_str_equal(gsp_node_target(&w->g, u), gsp_node_target(&w->g, v)));
             u++) {
        }
        if (u == v) {
            cli_puts(w->out, n++ == 0 ? "\n" : "");
            cli_puts(w->out, w->places[v].adds ? "graphsplit_sum_kernel " : "graphsplit_kernel ");
            stream_put_kernel(w, v);
            cli_puts(w->out, ";\n");
        }
    }
    cli_printf(w->out,
        "\nstruct %s_state {\n    void *context;\n%s"
        "    unsigned char *arena;\n    int32_t done[%" PRIu32 "]; /* rows */\n};\n\n"
        "static const void *%s_find(\n"
        "    const unsigned char *value, int32_t row, int32_t rows, int32_t kept, size_t "
        "bytes)\n{\n"
        "    return row < 0 || row >= rows ? NULL : value + (size_t)(row %% kept) * bytes;\n}\n",
        w->name, w->is_onnx ? "" : "    const unsigned char *model;\n",
        w->places[w->g.n_nodes].slot + 1u, w->name);
}

static void put_call(stream_work *w, gsp_node v, const stream_params *p)
{
    const stream_place *out = &w->places[v];
    uint32_t i;
    cli_puts(w->out, "    ");
    stream_put_kernel(w, v);
    cli_printf(w->out, "(s->context, &params, in, rows, %s,\n        ",
        p->n_constants != 0 ? "&filter" : "NULL");
    for (i = 0; i < STREAM_CONSTANTS; i++) {
        if (i < p->n_constants) {
            stream_put_parameter(w, p->constants[i]);
        }
        cli_puts(w->out, i < p->n_constants ? ", " : "NULL, ");
    }
    if (w->tiles.ops[v].kind == GSP_TILE_FIXED) {
        cli_printf(w->out, "&out, s->arena + %" PRIu64 "u);\n}\n", out->offset);
    } else {
        cli_printf(w->out,
            "&out, s->arena + %" PRIu64 "u + (size_t)(row %% %" PRIu32 ") * %" PRIu64 "u);\n}\n",
            out->offset, out->kept, out->row);
    }
}

static void put_op(stream_work *w, gsp_node v)
{
    stream_params const p = stream_params_of(w, v);
    int const is_whole = w->tiles.ops[v].kind == GSP_TILE_FIXED;
    uint64_t const n = is_whole ? 1u : p.kernel[0];
    uint32_t i;
    cli_printf(w->out, "\nstatic void %s_op_%" PRIu32 "(const struct %s_state *s%s)\n{\n", w->name,
        v, w->name, is_whole ? "" : ", int32_t row");
    stream_put_params(w, v, &p);
    cli_printf(w->out, "    const void *rows[%" PRIu64 "];\n", n * p.n_values);
    if (!is_whole) {
        cli_printf(w->out, "    int32_t k;\n    for (k = 0; k < %" PRIu64 "; k++) {\n", n);
    }
    for (i = 0; i < p.n_values; i++) {
        const stream_place *in = &w->places[p.values[i]];
        if (is_whole) {
            cli_printf(w->out, "    rows[%" PRIu32 "] = s->arena + %" PRIu64 "u;\n", i, in->offset);
        } else {
            cli_printf(w->out,
                "        rows[%" PRIu64 " + k] = %s_find(s->arena + %" PRIu64 "u, row * %" PRIu64
                " - %" PRIu64 " + k * %" PRIu64 ", %" PRIu32 ", %" PRIu32 ", %" PRIu64 "u);\n",
                n * i, w->name, in->offset, p.stride[0], p.before[0], p.dilation[0], in->dims[1],
                in->kept, in->row);
        }
    }
    cli_puts(w->out, is_whole ? "" : "    }\n");
    put_call(w, v, &p);
}

/* A row of what an operator reads, added to the sums of a row of its result. */
static void put_sum(stream_work *w, gsp_node v)
{
    stream_params const p = stream_params_of(w, v);
    const stream_place *in = &w->places[p.values[0]];
    const stream_place *out = &w->places[v];
    cli_printf(w->out,
        "\nstatic void %s_op_%" PRIu32 "(const struct %s_state *s, int32_t row, int32_t k)\n{\n",
        w->name, v, w->name);
    stream_put_params(w, v, &p);
    cli_puts(w->out, "    ");
    stream_put_kernel(w, v);
    cli_printf(w->out,
        "(s->context, &params, in,\n        %s_find(s->arena + %" PRIu64 "u, row * %" PRIu64
        " + k, %" PRIu32 ", %" PRIu32 ", %" PRIu64 "u), k,\n        s->arena + %" PRIu64
        "u, &out, s->arena + %" PRIu64 "u + (size_t)(row %% %" PRIu32 ") * %" PRIu64 "u);\n}\n",
        w->name, in->offset, p.stride[0], in->dims[1], in->kept, in->row, in->offset + out->sums,
        out->offset, out->kept, out->row);
}

/* The rows that it adds are needed one after another. */
static void put_sum_need(stream_work *w, gsp_node v)
{
    stream_params const p = stream_params_of(w, v);
    cli_printf(w->out,
        "        int32_t k;\n        for (k = 0; k < %" PRIu64 "; k++) {\n"
        "            %s_rows_%" PRIu32 "(s, row * %" PRIu64 " + k + 1);\n"
        "            %s_op_%" PRIu32 "(s, row, k);\n        }\n",
        p.kernel[0], w->name, p.values[0], p.stride[0], w->name, v);
}

/* ---- groups ---- */

/* What a function for a part of a row changes: sizes, and where a part of the channels is. */
static void put_part_sizes(
    stream_work *w, const stream_group *g, uint32_t member, const stream_params *p)
{
    int const is_window = member == g->window;
    uint32_t i;
    cli_printf(w->out,
        "    graphsplit_params own = params;\n    graphsplit_dims from[%" PRIu32 "];\n"
        "    graphsplit_dims made = out;\n",
        p->n_values);
    if (g->by_channels && !is_window) {
        cli_puts(w->out, "    graphsplit_dims weights = filter;\n");
    }
    cli_printf(w->out,
        "    int32_t i;\n    for (i = 0; i < %" PRIu32 "; i++) {\n"
        "        from[i] = in[i];\n        from[i].w = at->in_w;\n    }\n"
        "    own.pad_w = at->pad_w;\n    made.w = at->out_w;\n",
        p->n_values);
    for (i = 0; w->is_onnx && member != 0 && i < p->n_values; i++) {
        if (p->values[i] == g->members[member - 1u]) { /* part of a row, and no more */
            cli_printf(w->out, "    from[%" PRIu32 "].step = at->in_w;\n", i);
        }
    }
    cli_puts(w->out, w->is_onnx && member + 1u < g->n ? "    made.step = at->out_w;\n" : "");
    if (g->by_channels) {
        cli_puts(w->out, "    made.c = at->n_c;\n");
        cli_puts(w->out, is_window ? "    from[0].c = at->n_c;\n"
                                   : "    weights.n = at->n_c;\n"
                                     "    own.scales += own.n_scales > 1 ? at->first_c : 0;\n");
    }
}

/* An operator of a group for some columns of a row. */
static void put_part(stream_work *w, const stream_group *g, uint32_t member)
{
    gsp_node const v = g->members[member];
    stream_params const p = stream_params_of(w, v);
    int const is_window = member == g->window;
    int const is_cut = g->by_channels && !is_window;
    uint32_t i;
    cli_printf(w->out,
        "\nstatic void %s_part_%" PRIu32 "(const struct %s_state *s, const void *const *rows,\n"
        "    const graphsplit_part *at, void *to)\n{\n",
        w->name, v, w->name);
    stream_put_params(w, v, &p);
    put_part_sizes(w, g, member, &p);
    cli_puts(w->out, "    ");
    stream_put_kernel(w, v);
    cli_printf(w->out, "(s->context, &own, from, rows, %s,\n        ",
        p.n_constants == 0 ? "NULL"
        : is_cut           ? "&weights"
                           : "&filter");
    for (i = 0; i < STREAM_CONSTANTS; i++) {
        if (i >= p.n_constants) {
            cli_puts(w->out, "NULL, ");
            continue;
        }
        cli_puts(w->out, is_cut ? "(const unsigned char *)(" : "");
        stream_put_parameter(w, p.constants[i]);
        if (is_cut) {
            cli_printf(w->out, ") + (size_t)at->first_c * %" PRIu64 "u",
                gsp_node_bytes(&w->g, p.constants[i]) / w->places[v].dims[3]);
        }
        cli_puts(w->out, ", ");
    }
    cli_puts(w->out, "&made, to);\n}\n");
}

/* Bytes of a column of a value. */
static uint64_t column_bytes(const stream_work *w, gsp_node v)
{
    return w->places[v].row / w->places[v].dims[2];
}

static uint64_t scratch_at(const stream_group *g, uint32_t member)
{
    uint64_t at = 0;
    uint32_t i;
    for (i = 0; i < member; i++) {
        at += g->bytes[i];
    }
    return at;
}

/* Calls the function of a member, whose result goes into the scratch memory or the row. */
static void put_part_call(stream_work *w, const stream_group *g, uint32_t member)
{
    gsp_node const v = g->members[member];
    cli_printf(w->out, "        %s_part_%" PRIu32 "(s, rows, &part, ", w->name, v);
    if (member + 1u < g->n) {
        cli_printf(w->out, "scratch + %" PRIu64 "u);\n", scratch_at(g, member));
    } else {
        cli_printf(w->out, "to + (size_t)at * %" PRIu64 "u);\n",
            !g->by_channels ? column_bytes(w, v)
            : w->is_onnx    ? column_bytes(w, v) * w->places[v].step
                            : column_bytes(w, v) / w->places[v].dims[3]);
    }
}

static void put_find(stream_work *w, gsp_node v)
{
    const stream_place *in = &w->places[v];
    cli_printf(w->out, "%s_find(s->arena + %" PRIu64 "u, ", w->name, in->offset);
}

static void put_find_end(stream_work *w, gsp_node v)
{
    const stream_place *in = &w->places[v];
    cli_printf(
        w->out, ", %" PRIu32 ", %" PRIu32 ", %" PRIu64 "u);\n", in->dims[1], in->kept, in->row);
}

/* The rows that the operator with a window reads, computed if the group has one before it. */
static void put_window_rows(stream_work *w, const stream_group *g, const stream_params *p)
{
    cli_printf(w->out,
        "        for (k = 0; k < %" PRIu64 "; k++) {\n"
        "            const unsigned char *from = (const unsigned char *)",
        p->kernel[0]);
    put_find(w, g->entry);
    cli_printf(w->out, "row * %" PRIu64 " - %" PRIu64 " + k * %" PRIu64, p->stride[0], p->before[0],
        p->dilation[0]);
    put_find_end(w, g->entry);
    cli_printf(w->out,
        "            rows[k] = from == NULL ? NULL : from + (size_t)first * %" PRIu64 "u;\n",
        column_bytes(w, g->entry));
    if (g->window == 1u) {
        const gsp_tile_window *t = &w->ops[g->members[1]].window[0];
        cli_printf(w->out,
            "            if (from != NULL) {\n"
            "                unsigned char *made = scratch + (size_t)k * %" PRIu64 "u;\n"
            "                %s_part_%" PRIu32 "(s, rows + k, &part, made);\n"
            "                rows[k] = made;\n            }\n",
            g->bytes[0] / t->span, w->name, g->members[0]);
    }
    cli_puts(w->out, "        }\n");
}

/* The operators behind the one with a window. */
static void put_behind(stream_work *w, const stream_group *g)
{
    uint32_t m;
    uint32_t i;
    cli_puts(
        w->out, g->window + 1u < g->n ? "        part.in_w = n;\n        part.pad_w = 0;\n" : "");
    for (m = g->window + 1u; m < g->n; m++) {
        stream_params const p = stream_params_of(w, g->members[m]);
        for (i = 0; i < p.n_values; i++) {
            if (p.values[i] == g->members[m - 1u]) {
                cli_printf(w->out, "        rows[%" PRIu32 "] = scratch + %" PRIu64 "u;\n", i,
                    scratch_at(g, m - 1u));
            } else {
                cli_printf(w->out,
                    "        rows[%" PRIu32 "] = (size_t)at * %" PRIu64
                    "u + (const unsigned char *)",
                    i, column_bytes(w, g->entry));
                put_find(w, g->entry);
                cli_puts(w->out, "row");
                put_find_end(w, g->entry);
            }
        }
        put_part_call(w, g, m);
    }
}

/* How many rows the functions of a group's members get at most. */
static uint64_t most_rows(const stream_work *w, const stream_group *g)
{
    uint64_t most = 1;
    uint32_t m;
    for (m = 0; m < g->n; m++) {
        stream_params const p = stream_params_of(w, g->members[m]);
        most = p.n_values * p.kernel[0] > most ? p.n_values * p.kernel[0] : most;
    }
    return most;
}

/* A row of a group's result, in segments of columns or channels. */
static void put_group(stream_work *w, const stream_group *g)
{
    gsp_node const u = g->members[g->window];
    gsp_node const v = g->members[g->n - 1u];
    stream_params const p = stream_params_of(w, u);
    const stream_place *out = &w->places[v];
    uint32_t const all = g->by_channels ? out->dims[3] : out->dims[2];
    uint32_t m;
    for (m = 0; m < g->n; m++) {
        put_part(w, g, m);
    }
    cli_printf(w->out,
        "\nstatic void %s_op_%" PRIu32 "(const struct %s_state *s, int32_t row)\n{\n"
        "    unsigned char *scratch = s->arena + %" PRIu64 "u;\n"
        "    unsigned char *to = s->arena + %" PRIu64 "u + (size_t)(row %% %" PRIu32 ") * %" PRIu64
        "u;\n"
        "    const void *rows[%" PRIu64 "];\n    int32_t at;\n    int32_t k;\n"
        "    for (at = 0; at < %" PRIu32 "; at += %" PRIu32 ") {\n",
        w->name, v, w->name, w->places[g->scratch].offset, out->offset, out->kept, out->row,
        most_rows(w, g), all, g->segment);
    cli_printf(w->out,
        "        int32_t const n = %" PRIu32 " - at < %" PRIu32 " ? %" PRIu32 " - at : %" PRIu32
        ";\n"
        "        int32_t const begin = %s * %" PRIu64 " - %" PRIu64 ";\n"
        "        int32_t const first = begin > 0 ? begin : 0;\n"
        "        int32_t const last = begin + (%s - 1) * %" PRIu64 " + %" PRIu64 ";\n"
        "        int32_t const end = last < %" PRIu32 " ? last : %" PRIu32 ";\n"
        "        graphsplit_part part = {end - first, 0, end - first, %s};\n",
        all, g->segment, all, g->segment, g->by_channels ? "0" : "at", p.stride[1], p.before[1],
        g->by_channels ? "1" : "n", p.stride[1], (p.kernel[1] - 1u) * p.dilation[1] + 1u,
        w->places[g->entry].dims[2], w->places[g->entry].dims[2],
        g->by_channels ? "at, n" : "0, 0");
    put_window_rows(w, g, &p);
    cli_printf(w->out, "        part.pad_w = first - begin;\n        part.out_w = %s;\n",
        g->by_channels ? "1" : "n");
    put_part_call(w, g, g->window);
    put_behind(w, g);
    cli_puts(w->out, "    }\n}\n");
}

/* What an operator, or a group, reads for a row. */
static stream_params needs_of(const stream_work *w, gsp_node v)
{
    const stream_group *g;
    stream_params p;
    memset(&p, 0, sizeof p);
    if (v == w->source) {
        return p;
    }
    if (w->group_of[v] == GSP_NONE) {
        return stream_params_of(w, v);
    }
    g = &w->groups[w->group_of[v]];
    p = stream_params_of(w, g->members[g->window]);
    p.values[0] = g->entry;
    return p;
}

/* The rows of a value up to `end`, and before each what it needs. */
static void put_need(stream_work *w, gsp_node v)
{
    stream_params const p = needs_of(w, v);
    const stream_place *out = &w->places[v];
    uint32_t i;
    cli_printf(w->out,
        "\nstatic void %s_rows_%" PRIu32 "(struct %s_state *s, int32_t end)\n{\n"
        "    while (s->done[%" PRIu32 "] < end) {\n        int32_t const row = s->done[%" PRIu32
        "];\n",
        w->name, v, w->name, out->slot, out->slot);
    if (out->adds) {
        put_sum_need(w, v);
    }
    for (i = 0; i < p.n_values && !out->adds; i++) {
        const stream_place *in = &w->places[p.values[i]];
        if (in->region == out->region && p.values[i] >= w->point.regions[out->region].first) {
            cli_printf(w->out,
                "        int32_t const end_%" PRIu32 " = row * %" PRIu64 " - %" PRIu64 " + %" PRIu64
                ";\n",
                i, p.stride[0], p.before[0], (p.kernel[0] - 1u) * p.dilation[0] + 1u);
            cli_printf(w->out,
                "        %s_rows_%" PRIu32 "(s, end_%" PRIu32 " < %" PRIu32 " ? end_%" PRIu32
                " : %" PRIu32 ");\n",
                w->name, p.values[i], i, in->dims[1], i, in->dims[1]);
        }
    }
    if (!out->adds) {
        cli_printf(w->out, "        %s_op_%" PRIu32 "(s, row);\n", w->name, v);
    }
    cli_printf(w->out, "        s->done[%" PRIu32 "] = row + 1;\n    }\n}\n", out->slot);
}

/* The function that the caller has for the rows of an input. */
static void put_reader(stream_work *w)
{
    const stream_place *p = &w->places[w->source];
    if (w->is_onnx) {
        cli_printf(w->out,
            "\n/* The part of the next channel begins so many bytes behind that of a channel. */\n"
            "enum { %s_channel_bytes = %" PRIu64 ", %s_n_channels = %" PRIu32 " };\n",
            w->name, p->step * column_bytes(w, w->source), w->name, p->dims[3]);
    }
    cli_printf(w->out,
        "\nenum { %s_row_bytes = %" PRIu64 ", %s_n_rows = %" PRIu32 " };\n\n"
        "/* Writes a row of an input; called from the first row to the last, once for each that\n"
        " * an operator reads. */\n"
        "void %s_read_row(void *context, int32_t row, void *to);\n",
        w->name, p->row, w->name, p->dims[1], w->name);
}

static void put_read(stream_work *w)
{
    const stream_place *p = &w->places[w->source];
    cli_printf(w->out,
        "\nstatic void %s_op_%" PRIu32 "(const struct %s_state *s, int32_t row)\n{\n"
        "    %s_read_row(s->context, row, s->arena + %" PRIu64 "u + (size_t)(row %% %" PRIu32
        ") * %" PRIu64 "u);\n}\n",
        w->name, w->source, w->name, w->name, p->offset, p->kept, p->row);
}

static void put_ends(stream_work *w, const char *what, gsp_node v)
{
    cli_printf(w->out, "enum { %s_%s = %" PRIu64 ", %s_%s_bytes = %" PRIu64 " }; /* ", w->name,
        what, w->places[v].offset, w->name, what, gsp_node_bytes(&w->g, v));
    cli_put_text(w->out, gsp_node_name(&w->g, v));
    cli_puts(w->out, " */\n");
}

static void put_run(stream_work *w)
{
    char what[32];
    uint32_t n = 0;
    uint32_t i;
    gsp_node v;
    const gsp_node *out;
    cli_puts(w->out, "\n/* Where inputs and outputs stand in the arena. */\n");
    for (v = 0; v < w->g.n_nodes; v++) {
        if (gsp_node_op(&w->g, v) == GSP_OP_PLACEHOLDER && v != w->source) {
            (void)snprintf(what, sizeof what, "input_%" PRIu32, n++);
            put_ends(w, what, v);
        }
    }
    out = gsp_node_inputs(&w->g, w->g.n_nodes - 1u, &n);
    for (i = 0; i < n; i++) {
        (void)snprintf(what, sizeof what, "output_%" PRIu32, i);
        put_ends(w, what, out[i]);
    }
    cli_printf(w->out,
        "\n/* %sarena: %s_arena_bytes, aligned to %" PRIu64
        ". */\nstatic void %s_run(void *context, %svoid *arena)\n{\n"
        "    struct %s_state s = {NULL, %sNULL, {0}};\n    int32_t row;\n"
        "    s.context = context;\n%s"
        "    s.arena = (unsigned char *)arena;\n    row = 0;\n    (void)row;\n",
        w->is_onnx ? "" : "model: the bytes of the .tflite file; ", w->name, w->m.opt.align,
        w->name, w->is_onnx ? "" : "const void *model, ", w->name, w->is_onnx ? "" : "NULL, ",
        w->is_onnx ? "" : "    s.model = (const unsigned char *)model;\n");
    for (v = 0; v < w->g.n_nodes; v++) {
        const stream_place *p = &w->places[v];
        if (!gsp_node_is_callable(&w->g, v) || stream_last(w, v) != v) {
            continue;
        }
        if (p->region != GSP_NONE) {
            if (v == w->point.regions[p->region].last) {
                cli_printf(
                    w->out, "    %s_rows_%" PRIu32 "(&s, %" PRIu32 ");\n", w->name, v, p->dims[1]);
            }
        } else if (w->tiles.ops[v].kind == GSP_TILE_FIXED) {
            cli_printf(w->out, "    %s_op_%" PRIu32 "(&s);\n", w->name, v);
        } else {
            cli_printf(w->out,
                "    for (row = 0; row < %" PRIu32 "; row++) {\n        %s_op_%" PRIu32
                "(&s, row);\n    }\n",
                p->dims[1], w->name, v);
        }
    }
    cli_puts(w->out, "}\n");
}

/* Where a value and its rows stand: those of ONNX channel by channel, as if it had no other rows
 * than those that are kept. */
static void set_place(stream_work *w, gsp_node v)
{
    stream_place *p = &w->places[v];
    uint32_t const t = w->m.memory_plan.tensor_of[v];
    uint32_t const rows = p->region != GSP_NONE ? p->kept : p->dims[1];
    int const has_rows = p->rank == STREAM_RANK && p->dims[0] == 1u;
    uint64_t const lines = w->is_onnx ? (uint64_t)p->dims[0] * p->dims[1] * p->dims[3]
                           : has_rows ? p->dims[1]
                                      : 1u;
    p->offset = t != GSP_NONE ? w->m.memory_plan.tensors[t].offset : 0u;
    p->step = w->is_onnx ? (uint64_t)rows * p->dims[2] : 1u;
    p->row = lines != 0 ? gsp_node_bytes(&w->g, v) / lines : 0u;
}

int emit_c_put_stream(stream_work *w)
{
    gsp_node v;
    uint32_t n = 0;
    int code;
    for (v = 0; v < w->g.n_nodes; v++) {
        set_place(w, v);
        w->places[v].slot = w->places[v].region != GSP_NONE ? n++ : 0u;
    }
    w->places[w->g.n_nodes].slot = n;
    put_head(w);
    if ((code = stream_put_parameters(w)) != CLI_EXIT_OK) {
        return code;
    }
    put_kernels(w);
    if (w->source != GSP_NONE) {
        put_reader(w);
        put_read(w);
        put_need(w, w->source);
    }
    for (v = 0; v < w->g.n_nodes; v++) {
        if (gsp_node_is_callable(&w->g, v) && stream_last(w, v) == v) {
            if (w->group_of[v] != GSP_NONE) {
                put_group(w, &w->groups[w->group_of[v]]);
            } else if (w->places[v].adds) {
                put_sum(w, v);
            } else {
                put_op(w, v);
            }
            if (w->places[v].region != GSP_NONE) {
                put_need(w, v);
            }
        }
    }
    put_run(w);
    return CLI_EXIT_OK;
}
