/* --stream: a network as C code that calls row kernels. Regions run row by row in rolling buffers,
 * each row once; what is in none runs layer by layer in the same arena. */
#include "commands/emit_c/emit_c.h"

#include "commands/memory/memory.h"
#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RANK        4u
#define STREAM_WORK (1u << 22) /* of the search for offsets */
#define MOST_CONST  2u         /* parameters of an operator: filter and bias */

/* How a value stands in the arena. */
typedef struct place {
    uint32_t region; /* GSP_NONE: whole */
    uint32_t kept;   /* rows */
    uint64_t row;    /* bytes */
    uint64_t offset;
    uint32_t dims[RANK];
    uint32_t rank;
    uint32_t slot; /* of the count of its rows */
} place;

typedef struct work {
    cli_session *session;
    const char *name;
    memory m;
    gsp_graph g;
    tile_graph tiles;
    tile_plan plan;
    tile_point point;
    gsp_node source; /* the input that comes by rows; GSP_NONE if none does */
    place *places;   /* [n] */
    uint64_t before;
    cli_buffer *out;
} work;

/* ---- the graph ---- */

static int read_dims(work *w, gsp_node v)
{
    place *p = &w->places[v];
    gsp_str const type = gsp_node_type(&w->g, v);
    uint32_t at = 0;
    uint32_t i = 0;
    gsp_str dtype;
    gsp_str list;
    gsp_str dim;
    uint64_t number;
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
        if (p->rank == RANK || number == 0 || number > INT32_MAX) {
            char *name = cli_copy(w->session, gsp_node_name(&w->g, v));
            return cli_error(w->session, GSP_STATUS_ARG,
                "--stream: %%%s has more than four dimensions, or an empty one", name);
        }
        memmove(p->dims, p->dims + 1, (RANK - 1u) * sizeof *p->dims);
        p->dims[RANK - 1u] = (uint32_t)number;
    }
    return CLI_EXIT_OK;
}

/* Why the code cannot run an operator at all; NULL if it can. */
static const char *why_not(const work *w, gsp_node v)
{
    uint32_t n;
    uint32_t i;
    uint32_t n_const = 0;
    const gsp_node *in = gsp_node_inputs(&w->g, v, &n);
    gsp_str const target = gsp_node_target(&w->g, v);
    if (target.size < 8u || memcmp(target.data, "tflite.", 7u) != 0) {
        return "has several results, or runs another graph";
    }
    if (w->m.memory_plan.tensor_of[v] == GSP_NONE) {
        return "has no memory of its own";
    }
    for (i = 0; i < n; i++) {
        n_const += gsp_node_op(&w->g, in[i]) == GSP_OP_GET_ATTR ? 1u : 0u;
    }
    if (n - n_const > TILE_MOST_INPUTS || n == n_const) {
        return "reads no value, or more than ten";
    }
    return n_const > MOST_CONST ? "reads more than two parameters" : NULL;
}

static int check(work *w)
{
    gsp_node v;
    int code = CLI_EXIT_OK;
    if (cli_tflite_model(w->session) == NULL) {
        return cli_error(w->session, GSP_STATUS_ARG,
            "--stream requires a .tflite model, whose weights the code reads where they lie, and "
            "%s is none",
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
    return code;
}

/* ---- the plan ---- */

/* Rolling buffers live as long as their region, as does what it reads. */
static void set_region(work *w, uint32_t number)
{
    const tile_region *r = &w->point.regions[number];
    gsp_tensor *tensors = w->m.memory_plan.tensors;
    uint32_t i;
    (void)tile_measure_lines(&w->tiles, r, &w->plan);
    for (i = r->first; i <= r->last; i++) {
        gsp_tensor *t;
        if (w->tiles.ops[i].kind == TILE_NONE) {
            continue;
        }
        t = &tensors[w->tiles.values[i].tensor];
        t->begin = r->first;
        w->places[i].region = number;
        if (i != r->last) {
            t->end = r->last;
            w->places[i].kept = w->plan.box[i].first[0];
            t->bytes = w->places[i].row * w->places[i].kept;
        }
    }
    if (r->entry != GSP_NONE && w->tiles.values[r->entry].tensor != w->m.memory_plan.n_tensors) {
        gsp_tensor *t = &tensors[w->tiles.values[r->entry].tensor];
        t->end = t->end > r->last ? t->end : r->last;
    }
}

static int pack(work *w)
{
    gsp_arena arena;
    gsp_error err;
    gsp_memory_plan_result *r = &w->m.memory_plan;
    uint64_t end = 0;
    uint32_t i;
    for (i = 0; i < r->n_tensors; i++) { /* a plan to begin with: side by side */
        r->tensors[i].offset = end;
        end += (r->tensors[i].bytes + w->m.opt.align - 1u) / w->m.opt.align * w->m.opt.align;
    }
    r->arena = end;
    cli_arena(w->session, &arena, memory_pack_bound(&w->m, r->n_tensors));
    return memory_pack(&w->m, &arena, &err) == GSP_OK ? CLI_EXIT_OK
                                                      : cli_pass_error(w->session, &w->g, &err);
}

static int refuse(work *w, const tile_point *p)
{
    const tile_op *op = &w->tiles.ops[p->busiest];
    char *name = cli_copy(w->session, gsp_node_name(&w->g, p->busiest));
    return cli_error(w->session, GSP_STATUS_NO_FIT,
        "--stream: rolling buffers save nothing; the most is live at %%%s (%s)%s%s", name,
        cli_copy(w->session, gsp_node_target(&w->g, p->busiest)),
        op->why != NULL ? ", which cannot run row by row since it " : "",
        op->why != NULL ? op->why : "");
}

/* Rows of all values, and operators that no row kernel computes. */
static void set_rows(work *w)
{
    gsp_node v;
    for (v = 0; v < w->g.n_nodes; v++) {
        place *p = &w->places[v];
        if (p->rank == RANK && p->dims[0] == 1u) {
            p->kept = p->dims[1];
        }
        p->row = gsp_node_bytes(&w->g, v) / p->kept;
        if (gsp_node_is_callable(&w->g, v) && w->tiles.ops[v].kind != TILE_FIXED &&
            w->tiles.ops[v].kind != TILE_NONE &&
            (p->dims[0] != 1u || w->tiles.ops[v].window[0].factor != 0)) {
            w->tiles.ops[v].why =
                p->dims[0] != 1u ? "has a batch" : "makes rows larger, which no row kernel does";
            w->tiles.ops[v].kind = TILE_FIXED;
            w->tiles.ops[v].n_in = 0;
        }
    }
}

/* The largest input comes by rows. */
static int set_source(work *w)
{
    int const code = cli_tiles_stream(w->session, &w->g, &w->tiles, &w->source);
    if (code == CLI_EXIT_OK) {
        w->tiles.ops[w->source].kind = TILE_SOURCE;
    }
    return code;
}

static int choose(work *w, int layers, int input)
{
    tile_curve curve;
    gsp_node v;
    int code = cli_tiles_read(w->session, &w->g, &w->m.memory_plan, w->m.opt.align, &w->tiles);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    set_rows(w);
    code = pack(w);
    w->before = w->m.memory_plan.arena;
    if (code == CLI_EXIT_OK && input) {
        code = set_source(w);
    }
    if (layers || code != CLI_EXIT_OK) {
        return code;
    }
    tile_lines(w->session, &w->tiles, &curve);
    if (input && curve.n_points == 0) {
        char *name = cli_copy(w->session, gsp_node_name(&w->g, w->source));
        return cli_error(w->session, GSP_STATUS_NO_FIT,
            "--stream-input: no region of operators reads %%%s and nothing else", name);
    }
    if (!input && curve.n_points < 2u) {
        return refuse(w, &curve.points[0]);
    }
    w->point = curve.points[curve.n_points - 1u];
    tile_plan_open(w->session, &w->tiles, &w->plan);
    for (v = 0; v < w->point.n_regions; v++) {
        set_region(w, v);
    }
    return pack(w);
}

/* ---- the code ---- */

static void put_kernel(work *w, gsp_node v)
{
    gsp_str const target = gsp_node_target(&w->g, v);
    uint32_t i;
    cli_puts(w->out, w->tiles.ops[v].kind == TILE_FIXED ? "whole_" : "row_");
    for (i = 7; i < target.size; i++) {
        char const c = target.data[i];
        int const is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
        cli_printf(w->out, "%c", c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : is_plain ? c : '_');
    }
}

static void put_dims(work *w, gsp_node v)
{
    const place *p = &w->places[v];
    cli_tflite_value const t = cli_tflite_tensor(w->session, v);
    cli_printf(w->out, "{%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", ", p->dims[0],
        p->dims[1], p->dims[2], p->dims[3]);
    cli_printf(w->out, "%.9ef, %" PRIi64 "}",
        t.n_scales != 0 ? (double)cli_tflite_scale(w->session, &t, 0) : 0.0, t.zero);
}

/* "3x2" of an attribute. */
static void read_pair(const work *w, gsp_node v, const char *key, uint64_t pair[2])
{
    gsp_str text = cli_own_attr(&w->g, v, key);
    uint32_t i;
    pair[0] = pair[1] = 1;
    for (i = 0; i < text.size && text.data[i] != 'x'; i++) {
    }
    if (i < text.size) {
        gsp_str const last = {text.data + i + 1u, text.size - i - 1u};
        text.size = i;
        (void)gsp_str_number(text, &pair[0]);
        (void)gsp_str_number(last, &pair[1]);
    }
}

static uint32_t activation_of(const work *w, gsp_node v)
{
    static const char *const words[] = {"none", "relu", "relu_n1_to_1", "relu6"};
    gsp_str const text = cli_own_attr(&w->g, v, "act");
    uint32_t i;
    for (i = 0; i < CLI_COUNT(words) && !gsp_str_equal(text, gsp_str_of(words[i])); i++) {
    }
    return i < CLI_COUNT(words) ? i : 0u;
}

/* What a kernel reads of an operator. */
typedef struct params {
    uint64_t kernel[2];
    uint64_t stride[2];
    uint64_t dilation[2];
    uint64_t before[2];
    gsp_node values[TILE_MOST_INPUTS];
    uint32_t n_values;
    gsp_node constants[MOST_CONST];
    uint32_t n_constants;
} params;

static params params_of(const work *w, gsp_node v)
{
    int const is_same = gsp_str_equal(cli_own_attr(&w->g, v, "padding"), gsp_str_of("same"));
    params p;
    uint32_t n;
    uint32_t i;
    const gsp_node *in = gsp_node_inputs(&w->g, v, &n);
    memset(&p, 0, sizeof p);
    for (i = 0; i < n; i++) {
        if (gsp_node_op(&w->g, in[i]) == GSP_OP_GET_ATTR) {
            p.constants[p.n_constants++] = in[i];
        } else {
            p.values[p.n_values++] = in[i];
        }
    }
    read_pair(w, v, "kernel", p.kernel);
    read_pair(w, v, "stride", p.stride);
    read_pair(w, v, "dilation", p.dilation);
    for (i = 0; i < 2u; i++) {
        uint64_t const needs = (w->places[v].dims[1u + i] - 1u) * p.stride[i] +
                               (p.kernel[i] - 1u) * p.dilation[i] + 1u;
        uint64_t const rows = w->places[p.values[0]].dims[1u + i];
        p.before[i] =
            is_same ? (needs > rows ? (needs - rows) / 2u : 0u) : w->tiles.ops[v].window[i].before;
    }
    return p;
}

static void put_head(work *w)
{
    const char *name = w->name;
    cli_printf(w->out,
        "/* A network that calls row kernels, by graphsplit emit-c %s --stream.\n"
        " * Layer by layer it takes %" PRIu64 " bytes of activations, and this code %" PRIu64 ".\n"
        " * No value is computed twice. */\n"
        "#include <stddef.h>\n#include <stdint.h>\n\n"
        "#ifndef GRAPHSPLIT_ROWS\n#define GRAPHSPLIT_ROWS\n\n"
        "typedef struct graphsplit_dims {\n"
        "    int32_t n, h, w, c;\n"
        "    float scale; /* of the tensor, or of its first channel; 0: not quantised */\n"
        "    int32_t zero;\n} graphsplit_dims;\n\n"
        "typedef struct graphsplit_params {\n"
        "    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;\n"
        "    int32_t pad_h, pad_w;  /* before the first row and column */\n"
        "    int32_t activation;    /* 0 none, 1 relu, 2 relu_n1_to_1, 3 relu6 */\n"
        "    const float *scales;   /* of the filter */\n"
        "    int32_t n_scales;\n"
        "    int32_t n_inputs;\n} graphsplit_params;\n\n"
        "/* A row kernel computes a row of the result from kernel_h rows of each input; a row of\n"
        " * padding is NULL. One that begins with whole_ gets all of its inputs, and computes all. "
        "*/\n"
        "typedef void graphsplit_kernel(void *context, const graphsplit_params *params,\n"
        "    const graphsplit_dims *input_dims, const void *const *input_rows,\n"
        "    const graphsplit_dims *filter_dims, const void *filter, const void *bias,\n"
        "    const graphsplit_dims *output_dims, void *output_row);\n\n#endif\n\n",
        GSP_VERSION_STRING, w->before, w->m.memory_plan.arena);
    cli_printf(w->out, "enum { %s_arena_bytes = %" PRIu64 ", %s_layers_bytes = %" PRIu64 " };\n\n",
        name, w->m.memory_plan.arena, name, w->before);
}

/* Declares each kernel before its first call. */
static void put_kernels(work *w)
{
    gsp_node v;
    gsp_node u;
    for (v = 0; v < w->g.n_nodes; v++) {
        if (!gsp_node_is_callable(&w->g, v)) {
            continue;
        }
        for (u = 0;
             u < v &&
             !(gsp_node_is_callable(&w->g, u) &&
                 (w->tiles.ops[u].kind == TILE_FIXED) == (w->tiles.ops[v].kind == TILE_FIXED) &&
                 gsp_str_equal(gsp_node_target(&w->g, u), gsp_node_target(&w->g, v)));
             u++) {
        }
        if (u == v) {
            cli_puts(w->out, "graphsplit_kernel ");
            put_kernel(w, v);
            cli_puts(w->out, ";\n");
        }
    }
    cli_printf(w->out,
        "\nstruct %s_state {\n    void *context;\n    const unsigned char *model;\n"
        "    unsigned char *arena;\n    int32_t done[%" PRIu32 "]; /* rows */\n};\n\n"
        "static const void *%s_find(\n"
        "    const unsigned char *value, int32_t row, int32_t rows, int32_t kept, size_t "
        "bytes)\n{\n"
        "    return row < 0 || row >= rows ? NULL : value + (size_t)(row %% kept) * bytes;\n}\n",
        w->name, w->places[w->g.n_nodes].slot + 1u, w->name);
}

static void put_params(work *w, gsp_node v, const params *p)
{
    cli_tflite_value filter;
    uint32_t i;
    memset(&filter, 0, sizeof filter);
    if (p->n_constants != 0) {
        filter = cli_tflite_tensor(w->session, p->constants[0]);
    }
    if (filter.n_scales != 0) {
        cli_printf(w->out, "    static const float scales[] = {");
        for (i = 0; i < filter.n_scales; i++) {
            cli_printf(w->out, "%s%.9ef,", i % 6u == 0 ? "\n        " : " ",
                (double)cli_tflite_scale(w->session, &filter, i));
        }
        cli_puts(w->out, "};\n");
    }
    cli_printf(w->out, "    static const graphsplit_params params = {");
    for (i = 0; i < 2u; i++) {
        cli_printf(w->out, "%" PRIu64 ", ", p->kernel[i]);
    }
    cli_printf(w->out,
        "%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu32
        ", %s, %" PRIu32 ", %" PRIu32 "};\n",
        p->stride[0], p->stride[1], p->dilation[0], p->dilation[1], p->before[0], p->before[1],
        activation_of(w, v), filter.n_scales != 0 ? "scales" : "NULL", filter.n_scales,
        p->n_values);
    cli_puts(w->out, "    static const graphsplit_dims in[] = {");
    for (i = 0; i < p->n_values; i++) {
        cli_puts(w->out, i != 0 ? ", " : "");
        put_dims(w, p->values[i]);
    }
    cli_puts(w->out, "};\n    static const graphsplit_dims out = ");
    put_dims(w, v);
    cli_puts(w->out, ";\n");
    if (p->n_constants != 0) {
        cli_puts(w->out, "    static const graphsplit_dims filter = ");
        put_dims(w, p->constants[0]);
        cli_puts(w->out, ";\n");
    }
}

static void put_call(work *w, gsp_node v, const params *p)
{
    const place *out = &w->places[v];
    uint32_t i;
    cli_puts(w->out, "    ");
    put_kernel(w, v);
    cli_printf(w->out, "(s->context, &params, in, rows, %s,\n        ",
        p->n_constants != 0 ? "&filter" : "NULL");
    for (i = 0; i < MOST_CONST; i++) {
        if (i < p->n_constants) {
            cli_printf(w->out, "s->model + %" PRIu64 "u, ",
                cli_tflite_tensor(w->session, p->constants[i]).at);
        } else {
            cli_puts(w->out, "NULL, ");
        }
    }
    if (w->tiles.ops[v].kind == TILE_FIXED) {
        cli_printf(w->out, "&out, s->arena + %" PRIu64 "u);\n}\n", out->offset);
    } else {
        cli_printf(w->out,
            "&out, s->arena + %" PRIu64 "u + (size_t)(row %% %" PRIu32 ") * %" PRIu64 "u);\n}\n",
            out->offset, out->kept, out->row);
    }
}

static void put_op(work *w, gsp_node v)
{
    params const p = params_of(w, v);
    int const is_whole = w->tiles.ops[v].kind == TILE_FIXED;
    uint64_t const n = is_whole ? 1u : p.kernel[0];
    uint32_t i;
    cli_printf(w->out, "\nstatic void %s_op_%" PRIu32 "(const struct %s_state *s%s)\n{\n", w->name,
        v, w->name, is_whole ? "" : ", int32_t row");
    put_params(w, v, &p);
    cli_printf(w->out, "    const void *rows[%" PRIu64 "];\n", n * p.n_values);
    if (!is_whole) {
        cli_printf(w->out, "    int32_t k;\n    for (k = 0; k < %" PRIu64 "; k++) {\n", n);
    }
    for (i = 0; i < p.n_values; i++) {
        const place *in = &w->places[p.values[i]];
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

/* The rows of a value up to `end`, and before each what it needs. */
static void put_need(work *w, gsp_node v)
{
    params p;
    const place *out = &w->places[v];
    uint32_t i;
    memset(&p, 0, sizeof p);
    if (v != w->source) {
        p = params_of(w, v);
    }
    cli_printf(w->out,
        "\nstatic void %s_rows_%" PRIu32 "(struct %s_state *s, int32_t end)\n{\n"
        "    while (s->done[%" PRIu32 "] < end) {\n        int32_t const row = s->done[%" PRIu32
        "];\n",
        w->name, v, w->name, out->slot, out->slot);
    for (i = 0; i < p.n_values; i++) {
        const place *in = &w->places[p.values[i]];
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
    cli_printf(w->out,
        "        %s_op_%" PRIu32 "(s, row);\n        s->done[%" PRIu32 "] = row + 1;\n    }\n}\n",
        w->name, v, out->slot);
}

/* The function that the caller has for the rows of an input. */
static void put_reader(work *w)
{
    cli_printf(w->out,
        "\nenum { %s_row_bytes = %" PRIu64 ", %s_n_rows = %" PRIu32 " };\n\n"
        "/* Writes a row of an input; called from the first row to the last, once for each that\n"
        " * an operator reads. */\n"
        "void %s_read_row(void *context, int32_t row, void *to);\n",
        w->name, w->places[w->source].row, w->name, w->places[w->source].dims[1], w->name);
}

static void put_read(work *w)
{
    const place *p = &w->places[w->source];
    cli_printf(w->out,
        "\nstatic void %s_op_%" PRIu32 "(const struct %s_state *s, int32_t row)\n{\n"
        "    %s_read_row(s->context, row, s->arena + %" PRIu64 "u + (size_t)(row %% %" PRIu32
        ") * %" PRIu64 "u);\n}\n",
        w->name, w->source, w->name, w->name, p->offset, p->kept, p->row);
}

static void put_ends(work *w, const char *what, gsp_node v)
{
    cli_printf(w->out, "enum { %s_%s = %" PRIu64 ", %s_%s_bytes = %" PRIu64 " }; /* ", w->name,
        what, w->places[v].offset, w->name, what, gsp_node_bytes(&w->g, v));
    cli_put_text(w->out, gsp_node_name(&w->g, v));
    cli_puts(w->out, " */\n");
}

static void put_run(work *w)
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
        "\n/* model: the bytes of the .tflite file; arena: %s_arena_bytes, aligned to %" PRIu64
        ". */\nstatic void %s_run(void *context, const void *model, void *arena)\n{\n"
        "    struct %s_state s = {NULL, NULL, NULL, {0}};\n    int32_t row;\n"
        "    s.context = context;\n    s.model = (const unsigned char *)model;\n"
        "    s.arena = (unsigned char *)arena;\n    row = 0;\n    (void)row;\n",
        w->name, w->m.opt.align, w->name, w->name);
    for (v = 0; v < w->g.n_nodes; v++) {
        const place *p = &w->places[v];
        if (!gsp_node_is_callable(&w->g, v)) {
            continue;
        }
        if (p->region != GSP_NONE) {
            if (v == w->point.regions[p->region].last) {
                cli_printf(
                    w->out, "    %s_rows_%" PRIu32 "(&s, %" PRIu32 ");\n", w->name, v, p->dims[1]);
            }
        } else if (w->tiles.ops[v].kind == TILE_FIXED) {
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

static void put_code(work *w)
{
    gsp_node v;
    uint32_t n = 0;
    for (v = 0; v < w->g.n_nodes; v++) {
        uint32_t const t = w->m.memory_plan.tensor_of[v];
        w->places[v].offset = t != GSP_NONE ? w->m.memory_plan.tensors[t].offset : 0u;
        w->places[v].slot = w->places[v].region != GSP_NONE ? n++ : 0u;
    }
    w->places[w->g.n_nodes].slot = n;
    put_head(w);
    put_kernels(w);
    if (w->source != GSP_NONE) {
        put_reader(w);
        put_read(w);
        put_need(w, w->source);
    }
    for (v = 0; v < w->g.n_nodes; v++) {
        if (gsp_node_is_callable(&w->g, v)) {
            put_op(w, v);
            if (w->places[v].region != GSP_NONE) {
                put_need(w, v);
            }
        }
    }
    put_run(w);
}

int emit_c_stream(cli_session *s, const emit_c_desc *desc, int layers, int input)
{
    work w;
    gsp_memory_plan_desc plan = {0};
    gsp_arena arena;
    gsp_error err;
    int code;
    memset(&w, 0, sizeof w);
    w.session = s;
    w.name = desc->name;
    w.out = &s->out;
    w.source = GSP_NONE;
    w.g = w.m.graph = gsp_module_graph(&s->module, 0);
    w.m.session = s;
    w.m.opt.align = desc->align;
    w.m.opt.capacity = UINT64_MAX;
    w.m.searches = 1;
    w.m.max_work = desc->exact != NULL ? *desc->exact : STREAM_WORK;
    w.places = (place *)cli_alloc(s, (size_t)w.g.n_nodes + 1u, sizeof *w.places);
    plan.align = (uint32_t)desc->align;
    cli_arena(s, &arena, gsp_memory_plan_bound(&w.g, &plan));
    if (gsp_memory_plan_run(&arena, &w.g, &plan, &w.m.memory_plan, &err) != GSP_OK) {
        return cli_pass_error(s, &w.g, &err);
    }
    if ((code = check(&w)) == CLI_EXIT_OK && (code = choose(&w, layers, input)) == CLI_EXIT_OK) {
        put_code(&w);
    }
    return code;
}
