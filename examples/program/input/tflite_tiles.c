/* A .tflite file whose regions run in tiles: SLICE, PAD, the operators of the region without
 * padding of their own, CONCATENATION. Tensors that live in regions alone give their numbers to new
 * ones; weights and all that stays are the bytes of the input. */
#include "input/input.h"

#include <string.h>

#define RANK 4u
#define AXIS 1u /* of rows; columns follow */

enum { CONCATENATION = 2, PAD = 34, PADV2 = 60, SLICE = 65, MAX_POOL = 17 };
enum { TYPE_F32 = 0, TYPE_I32 = 2, TYPE_U8 = 3, TYPE_I16 = 7, TYPE_I64 = 4 };
enum { OPTIONS_CONV = 1, OPTIONS_DEPTHWISE = 2, OPTIONS_POOL = 5, OPTIONS_CONCATENATION = 10 };

/* A tensor that is made: like one of the input, or a constant. */
typedef struct made_tensor {
    uint32_t like; /* whose type and quantisation it has; GSP_NONE: a constant of i32 */
    uint32_t dims[RANK];
    uint32_t n_dims;
    uint32_t constant;                  /* its number, or GSP_NONE */
    uint32_t name[2u * GSP_TILES_AXES]; /* [n_name] where it is along the axes that are cut */
    uint32_t n_name;
    int is_padded;
} made_tensor;

typedef struct constant {
    uint32_t words[2u * RANK];
    uint32_t bytes;
    uint32_t like; /* of the tensor */
    uint32_t tensor;
} constant;

typedef struct made_operator {
    uint32_t code; /* builtin; of RUN that of `old` */
    uint32_t old;  /* operator of the input; GSP_NONE if it is new */
    uint32_t axis; /* of a concatenation */
    int is_same;   /* padding stays, in place of VALID */
    uint32_t first_in;
    uint32_t n_in;
    uint32_t out;
} made_operator;

typedef struct work {
    cli_amend amend;
    const tile_graph *g;
    gsp_graph graph;
    const uint32_t *item;
    tfl_vector codes;
    tfl_vector tensors;
    tfl_vector operators;
    made_tensor *made; /* [n_tensors] those with n_dims 0 are of the input */
    uint32_t n_tensors;
    uint32_t room;
    uint32_t *unused; /* [n_unused] numbers of tensors */
    uint32_t n_unused;
    constant *constants;
    uint32_t n_constants;
    made_operator *ops;
    uint32_t n_ops;
    int32_t *ins; /* of operators */
    uint32_t n_ins;
    uint32_t *stream; /* [n_stream] tiles of an input */
    uint32_t n_stream;
    uint32_t new_codes[4];
    uint32_t n_codes;
} work;

/* ---- the input ---- */

static uint32_t operator_of(const work *w, gsp_node v)
{
    return w->item[v];
}

static tfl_vector inputs_of(work *w, uint32_t op)
{
    tfl_table const o = tfl_element(&w->amend.copy.file, &w->operators, op);
    return tfl_vector_of(&w->amend.copy.file, &o, TFL_OPERATOR_INPUTS, 4);
}

/* The tensor of a value that takes part in tiles. */
static uint32_t tensor_of(work *w, gsp_node v)
{
    tfl_file *f = &w->amend.copy.file;
    tfl_table o;
    tfl_vector made;
    if (!gsp_node_is_callable(&w->graph, v) ||
        gsp_str_equal(gsp_node_target(&w->graph, v), gsp_str_of("operator.getitem"))) {
        return w->item[v];
    }
    o = tfl_element(f, &w->operators, operator_of(w, v));
    made = tfl_vector_of(f, &o, TFL_OPERATOR_OUTPUTS, 4);
    return (uint32_t)tfl_number(f, &made, 0);
}

static tfl_table old_tensor(work *w, uint32_t tensor)
{
    return tfl_element(&w->amend.copy.file, &w->tensors, tensor);
}

static uint32_t code_of(work *w, uint32_t op)
{
    tfl_file *f = &w->amend.copy.file;
    tfl_table const o = tfl_element(f, &w->operators, op);
    tfl_table const code = tfl_element(f, &w->codes, tfl_u32(f, &o, TFL_OPERATOR_CODE));
    uint32_t const old = (uint32_t)tfl_i8(f, &code, TFL_CODE_OLD);
    uint32_t const now = tfl_u32(f, &code, TFL_CODE_BUILTIN);
    return now > old ? now : old;
}

static void open_input(work *w, cli_session *s)
{
    const tflite_model *model = cli_tflite_model(s);
    tfl_file *f = &w->amend.copy.file;
    tfl_vector const graphs = tfl_vector_of(f, &w->amend.root, TFL_MODEL_SUBGRAPHS, 4);
    tfl_table const graph = tfl_element(f, &graphs, 0);
    w->graph = gsp_module_graph(&model->module, 0);
    w->item = model->item;
    w->codes = tfl_vector_of(f, &w->amend.root, TFL_MODEL_CODES, 4);
    w->tensors = tfl_vector_of(f, &graph, TFL_SUBGRAPH_TENSORS, 4);
    w->operators = tfl_vector_of(f, &graph, TFL_SUBGRAPH_OPERATORS, 4);
}

int cli_tflite_paddings(cli_session *s, const gsp_graph *g, gsp_node v, int32_t pads[8])
{
    cli_buffer none;
    work w;
    tfl_file *f = &w.amend.copy.file;
    tfl_vector in;
    tfl_vector buffers;
    tfl_vector data;
    tfl_table t;
    uint32_t i;
    uint32_t width;
    memset(&w, 0, sizeof w);
    cli_buffer_init(&none, s);
    if (cli_tflite_model(s) == NULL || g->id != 0) {
        return 0;
    }
    cli_copy_begin(&w.amend.copy, cli_tflite_model(s), &none);
    w.amend.root = tfl_table_at(f, tfl_u32_at(f, 0));
    open_input(&w, s);
    in = inputs_of(&w, operator_of(&w, v));
    if (in.n < 2u || tfl_number(f, &in, 1) < 0) {
        return 0;
    }
    t = old_tensor(&w, (uint32_t)tfl_number(f, &in, 1));
    width = tfl_u8(f, &t, TFL_TENSOR_TYPE) == TYPE_I64 ? 2u : 1u;
    buffers = tfl_vector_of(f, &w.amend.root, TFL_MODEL_BUFFERS, 4);
    t = tfl_element(f, &buffers, tfl_u32(f, &t, TFL_TENSOR_BUFFER));
    data = tfl_vector_of(f, &t, TFL_BUFFER_DATA, 1);
    for (i = 0; i < 2u * RANK && data.n == 8u * RANK * width; i++) {
        pads[i] = tfl_i32_at(f, data.at + 4u * width * (uint64_t)i);
    }
    return i != 0;
}

/* ---- tensors ---- */

static void make_room(work *w, uint32_t n)
{
    if (n > w->room) {
        uint32_t const room = n * 2u;
        w->made = (made_tensor *)cli_grow(w->amend.session, w->made, room * sizeof *w->made);
        memset(w->made + w->room, 0, (room - w->room) * sizeof *w->made);
        w->room = room;
    }
}

/* The number of a new tensor. */
static uint32_t add_tensor(work *w, const made_tensor *t)
{
    uint32_t const at = w->n_unused != 0 ? w->unused[--w->n_unused] : w->n_tensors++;
    make_room(w, at + 1u);
    w->made[at] = *t;
    return at;
}

/* The tensor of a constant; equal ones are one. */
static uint32_t add_constant(work *w, const uint32_t *words, uint32_t bytes, uint32_t like)
{
    made_tensor t = {GSP_NONE, {4, 2, 0, 0}, 1, 0, {0}, 0, 0};
    constant *c;
    uint32_t i;
    for (i = 0; i < w->n_constants; i++) {
        c = &w->constants[i];
        if (c->bytes == bytes && c->like == like && memcmp(c->words, words, bytes) == 0) {
            return c->tensor;
        }
    }
    w->constants = (constant *)cli_grow(
        w->amend.session, w->constants, ((size_t)w->n_constants + 1u) * sizeof *c);
    c = &w->constants[w->n_constants];
    memset(c, 0, sizeof *c);
    memcpy(c->words, words, bytes);
    c->bytes = bytes;
    c->like = like;
    t.like = like;
    t.constant = w->n_constants++;
    t.n_dims = bytes == 8u * RANK ? 2u : 1u;
    t.dims[0] = like != GSP_NONE ? 1u : bytes < 4u * RANK ? bytes / 4u : RANK;
    c->tensor = add_tensor(w, &t);
    return c->tensor;
}

static uint32_t add_value(
    work *w, const gsp_tile_part *v, const gsp_tile_region *r, const gsp_tile_step *step)
{
    tfl_file *f = &w->amend.copy.file;
    made_tensor t = {tensor_of(w, v->of), {0, 0, 0, 0}, RANK, GSP_NONE, {0}, 0, 0};
    tfl_table const old = old_tensor(w, t.like);
    tfl_vector const shape = tfl_vector_of(f, &old, TFL_TENSOR_SHAPE, 4);
    uint32_t i;
    for (i = 0; i < RANK && i < shape.n; i++) {
        t.dims[i] = (uint32_t)tfl_number(f, &shape, i);
    }
    t.is_padded = step->kind == GSP_TILE_STEP_PAD;
    for (i = 0; i < GSP_TILES_AXES; i++) {
        t.dims[AXIS + i] = v->box.end[i] - v->box.first[i];
        t.dims[AXIS + i] += t.is_padded ? step->before[i] + step->after[i] : 0u;
        if (r->parts[i] != 1u) {
            t.name[t.n_name++] = v->box.first[i];
            t.name[t.n_name++] = v->box.end[i];
        }
    }
    return add_tensor(w, &t);
}

/* ---- operators ---- */

static void add_in(work *w, uint32_t tensor)
{
    if ((w->n_ins & (w->n_ins - 1u)) == 0) {
        w->ins = (int32_t *)cli_grow(w->amend.session, w->ins,
            (w->n_ins == 0 ? 1u : 2u * (size_t)w->n_ins) * sizeof *w->ins);
    }
    w->ins[w->n_ins++] = (int32_t)tensor;
}

/* An operator that reads what add_in() has added since the one before. */
static void add_operator(work *w, uint32_t code, uint32_t old, uint32_t axis, uint32_t out)
{
    made_operator const o = {code, old, axis, 0, 0, 0, out};
    made_operator *last;
    if ((w->n_ops & (w->n_ops - 1u)) == 0) {
        w->ops = (made_operator *)cli_grow(
            w->amend.session, w->ops, (w->n_ops == 0 ? 1u : 2u * (size_t)w->n_ops) * sizeof o);
    }
    last = &w->ops[w->n_ops];
    *last = o;
    last->first_in = w->n_ops == 0 ? 0u : last[-1].first_in + last[-1].n_in;
    last->n_in = w->n_ins - last->first_in;
    w->n_ops++;
}

static uint32_t paddings(work *w, const gsp_tile_step *step)
{
    uint32_t words[2u * RANK] = {0};
    uint32_t i;
    for (i = 0; i < GSP_TILES_AXES; i++) {
        words[2u * (AXIS + i)] = step->before[i];
        words[2u * (AXIS + i) + 1u] = step->after[i];
    }
    return add_constant(w, words, sizeof words, GSP_NONE);
}

/* A pool of the largest never takes padding. */
static void add_lowest(work *w, uint32_t like)
{
    tfl_table const old = old_tensor(w, like);
    uint32_t const type = tfl_u8(&w->amend.copy.file, &old, TFL_TENSOR_TYPE);
    uint32_t const word = type == TYPE_F32   ? 0xFF7FFFFFu
                          : type == TYPE_U8  ? 0u
                          : type == TYPE_I16 ? 0x8000u
                                             : 0x80u;
    add_in(w, add_constant(w, &word, type == TYPE_F32 ? 4u : type == TYPE_I16 ? 2u : 1u, like));
}

static void put_slice(
    work *w, const gsp_tile_region *r, const gsp_tile_box *part, const gsp_tile_box *of)
{
    uint32_t begin[RANK] = {0};
    uint32_t size[RANK];
    uint32_t i;
    memset(size, 0xFF, sizeof size); /* -1: all */
    for (i = 0; i < GSP_TILES_AXES; i++) {
        begin[AXIS + i] = part->first[i] - of->first[i];
        size[AXIS + i] = r->parts[i] != 1u ? part->end[i] - part->first[i] : UINT32_MAX;
    }
    add_in(w, add_constant(w, begin, sizeof begin, GSP_NONE));
    add_in(w, add_constant(w, size, sizeof size, GSP_NONE));
}

/* The operator again, on what the tile has of its inputs. */
static void put_run(
    work *w, const gsp_tile_step *step, const uint32_t *tensor, const uint32_t *ins, uint32_t out)
{
    const gsp_tile_op *o = &w->g->ops[step->op];
    uint32_t const op = operator_of(w, step->op);
    tfl_vector const old = inputs_of(w, op);
    uint32_t i;
    uint32_t k;
    for (i = 0; i < old.n; i++) {
        uint32_t from = (uint32_t)tfl_number(&w->amend.copy.file, &old, i);
        for (k = 0; k < step->n_in; k++) {
            if (from == tensor_of(w, w->g->ins[o->first_in + k])) {
                from = tensor[ins[k]];
                break;
            }
        }
        if (o->kind == GSP_TILE_PADDING && i == 1u) {
            from = paddings(w, step);
        } else if (o->window[0].factor != 0 && i == 1u) {
            from = add_constant(w, w->made[out].dims + AXIS, 8, GSP_NONE);
        }
        add_in(w, from);
    }
    add_operator(w, code_of(w, op), op, 0, out);
    w->ops[w->n_ops - 1u].is_same = o->window[0].is_same != 0;
}

static void put_step(
    work *w, const gsp_tile_region *r, const tile_plan *p, uint32_t at, const uint32_t *tensor)
{
    const gsp_tile_step *step = &p->steps[at];
    const uint32_t *ins = p->ins + step->first_in;
    const gsp_tile_part *from = &p->values[ins[0]];
    uint32_t const out = tensor[step->out];
    uint32_t code = CONCATENATION;
    uint32_t i;
    if (step->kind == GSP_TILE_STEP_RUN) {
        put_run(w, step, tensor, ins, out);
        return;
    }
    for (i = 0; i < step->n_in; i++) {
        add_in(w, tensor[ins[i]]);
    }
    if (step->kind == GSP_TILE_STEP_SLICE) {
        put_slice(w, r, &p->values[step->out].box, &from->box);
        code = SLICE;
    } else if (step->kind == GSP_TILE_STEP_PAD) {
        int const is_pool = code_of(w, operator_of(w, step->op)) == MAX_POOL;
        add_in(w, paddings(w, step));
        if (is_pool) {
            add_lowest(w, tensor_of(w, from->of));
        }
        code = is_pool ? PADV2 : PAD;
    }
    add_operator(w, code, GSP_NONE, AXIS + step->axis, out);
}

static void put_region(work *w, const gsp_tile_region *r, tile_plan *p)
{
    uint32_t *tensor;
    uint32_t i;
    if (!tile_expand(w->g, r, p)) {
        return; /* the search has expanded it */
    }
    for (i = r->first; i < r->last; i++) {
        if (w->g->ops[i].kind != GSP_TILE_NONE) {
            w->unused[w->n_unused++] = tensor_of(w, i);
        }
    }
    tensor = (uint32_t *)cli_alloc(w->amend.session, p->n_values, sizeof *tensor);
    tensor[0] = tensor_of(w, r->entry);
    if (r->entry == w->g->stream) {
        w->unused[w->n_unused++] = tensor[0];
        w->stream = (uint32_t *)cli_alloc(w->amend.session, p->n_values, sizeof *w->stream);
    }
    for (i = 0; i < p->n_steps; i++) {
        const gsp_tile_step *step = &p->steps[i];
        tensor[step->out] = i + 1u == p->n_steps ? tensor_of(w, r->last)
                                                 : add_value(w, &p->values[step->out], r, step);
        if (step->kind == GSP_TILE_STEP_INPUT) {
            w->stream[w->n_stream++] = tensor[step->out];
        } else {
            put_step(w, r, p, i, tensor);
        }
    }
    cli_release(w->amend.session, tensor);
}

static void keep_op(work *w, gsp_node v, int stays)
{
    if (stays && gsp_node_is_callable(&w->graph, v) &&
        !gsp_str_equal(gsp_node_target(&w->graph, v), gsp_str_of("operator.getitem"))) {
        add_operator(w, 0, operator_of(w, v), 0, GSP_NONE);
    }
}

/* All operators in their order; constants that operators make stand before their region. */
static void collect(work *w, const gsp_tile_point *point)
{
    const gsp_tile_region *r = point->regions;
    const gsp_tile_region *end = r + point->n_regions;
    tile_plan plan;
    gsp_node v;
    tile_plan_open(w->amend.session, &plan);
    for (v = 0; v < w->graph.n_nodes; v++) {
        if (r < end && v == r->first) {
            for (; v < r->last; v++) {
                keep_op(w, v, w->g->ops[v].kind == GSP_TILE_NONE);
            }
            put_region(w, r++, &plan);
        } else {
            keep_op(w, v, 1);
        }
    }
}

/* ---- the file ---- */

/* The place of an operator's code, a new one behind those of the input. */
static uint32_t find_code(work *w, uint32_t builtin)
{
    tfl_file *f = &w->amend.copy.file;
    uint32_t i;
    for (i = 0; i < w->codes.n; i++) {
        tfl_table const code = tfl_element(f, &w->codes, i);
        if (tfl_u32(f, &code, TFL_CODE_BUILTIN) == builtin ||
            tfl_u8(f, &code, TFL_CODE_OLD) == builtin) {
            return i;
        }
    }
    for (i = 0; i < w->n_codes && w->new_codes[i] != builtin; i++) {
    }
    w->new_codes[i] = builtin;
    w->n_codes = i == w->n_codes ? i + 1u : w->n_codes;
    return w->codes.n + i;
}

static void put_codes(work *w, size_t place)
{
    size_t const at = cli_amend_tables(&w->amend, place, &w->codes, 0, w->codes.n + w->n_codes) +
                      4u * (size_t)w->codes.n;
    uint32_t i;
    for (i = 0; i < w->n_codes; i++) {
        cli_field field[TFL_CODE_BUILTIN + 1];
        memset(field, 0, sizeof field);
        cli_copy_number(&field[TFL_CODE_OLD], 1, w->new_codes[i]);
        cli_copy_number(&field[TFL_CODE_VERSION], 4, 2);
        cli_copy_number(&field[TFL_CODE_BUILTIN], 4, w->new_codes[i]);
        cli_copy_table(&w->amend.copy, at + 4u * (size_t)i, field, TFL_CODE_BUILTIN + 1);
    }
}

static void put_numbers(work *w, size_t place, const void *numbers, uint32_t n)
{
    size_t const at = cli_copy_numbers(&w->amend.copy, place, n);
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t number;
        memcpy(&number, (const char *)numbers + 4u * (size_t)i, sizeof number);
        cli_copy_set(&w->amend.copy, at + 4u * (size_t)i, number);
    }
}

static void put_name(work *w, size_t place, const made_tensor *t)
{
    cli_buffer name;
    uint32_t i;
    cli_buffer_init(&name, w->amend.session);
    if (t->constant != GSP_NONE) {
        cli_printf(&name, "graphsplit/constant%lu", (unsigned long)t->constant);
    } else {
        tfl_table const old = old_tensor(w, t->like);
        cli_put_text(&name, tfl_text_of(&w->amend.copy.file, &old, TFL_TENSOR_NAME));
        for (i = 0; i < t->n_name; i++) {
            cli_printf(&name, "%s%lu", i == 0 ? "/tile" : "_", (unsigned long)t->name[i]);
        }
        cli_puts(&name, t->is_padded ? "/padded" : "");
    }
    gsp_str const text = {name.data, (uint32_t)name.size};
    cli_copy_text(&w->amend.copy, place, text);
    cli_release(w->amend.session, name.data);
}

static void put_tensor(work *w, size_t place, const made_tensor *t, uint32_t n_buffers)
{
    cli_copier *c = &w->amend.copy;
    cli_field field[TFL_TENSOR_QUANTIZATION + 1];
    tfl_table old = tfl_no_table();
    memset(field, 0, sizeof field);
    cli_copy_offset(&field[TFL_TENSOR_SHAPE]);
    cli_copy_number(&field[TFL_TENSOR_TYPE], 1, TYPE_I32);
    if (t->like != GSP_NONE) {
        old = old_tensor(w, t->like);
        cli_copy_number(&field[TFL_TENSOR_TYPE], 1, tfl_u8(&c->file, &old, TFL_TENSOR_TYPE));
        if (tfl_field(&c->file, &old, TFL_TENSOR_QUANTIZATION, 4) != 0u) {
            cli_copy_offset(&field[TFL_TENSOR_QUANTIZATION]);
        }
    }
    cli_copy_number(
        &field[TFL_TENSOR_BUFFER], 4, t->constant != GSP_NONE ? n_buffers + t->constant : 0u);
    cli_copy_offset(&field[TFL_TENSOR_NAME]);
    cli_copy_table(c, place, field, TFL_TENSOR_QUANTIZATION + 1);
    if (t->like != GSP_NONE) {
        cli_amend_field(&w->amend, &field[TFL_TENSOR_QUANTIZATION], &old, TFL_TENSOR_QUANTIZATION);
    }
    put_numbers(w, field[TFL_TENSOR_SHAPE].at, t->dims, t->n_dims);
    put_name(w, field[TFL_TENSOR_NAME].at, t);
}

static void put_tensors(work *w, size_t place, uint32_t n_buffers)
{
    size_t const at = cli_copy_numbers(&w->amend.copy, place, w->n_tensors);
    uint32_t i;
    for (i = 0; i < w->n_tensors; i++) {
        if (w->made[i].n_dims != 0) {
            put_tensor(w, at + 4u * (size_t)i, &w->made[i], n_buffers);
        } else {
            cli_amend_link(&w->amend, at + 4u * (size_t)i, old_tensor(w, i).at);
        }
    }
}

/* The options of an operator that pads, with padding VALID. */
static void put_valid(work *w, const cli_field *to, const tfl_table *old, uint32_t type)
{
    static const uint8_t bytes[] = {0, 1 + 8 + 64, 1 + 16, 0, 0, 1 + 32};
    tfl_file *f = &w->amend.copy.file;
    tfl_table const from = tfl_table_of(f, old, TFL_OPERATOR_OPTIONS);
    cli_field field[7];
    uint32_t i;
    memset(field, 0, sizeof field);
    for (i = 1; i < CLI_COUNT(field); i++) {
        uint32_t const width = (bytes[type] >> i & 1) != 0 ? 1u : 4u;
        if (tfl_field(f, &from, i, width) != 0u) {
            cli_copy_number(
                &field[i], width, width == 1u ? tfl_u8(f, &from, i) : tfl_u32(f, &from, i));
        }
    }
    cli_copy_number(&field[0], 1, 1); /* VALID */
    cli_copy_table(&w->amend.copy, to->at, field, CLI_COUNT(field));
}

static void put_operator(work *w, size_t place, const made_operator *o)
{
    cli_copier *c = &w->amend.copy;
    tfl_file *f = &c->file;
    tfl_table const old =
        o->old != GSP_NONE ? tfl_element(f, &w->operators, o->old) : tfl_no_table();
    uint32_t const type = o->old != GSP_NONE         ? tfl_u8(f, &old, TFL_OPERATOR_OPTIONS_TYPE)
                          : o->code == CONCATENATION ? (uint32_t)OPTIONS_CONCATENATION
                                                     : 0u;
    int const pads = type == OPTIONS_CONV || type == OPTIONS_DEPTHWISE || type == OPTIONS_POOL;
    cli_field field[TFL_OPERATOR_OPTIONS + 1];
    memset(field, 0, sizeof field);
    cli_copy_number(&field[TFL_OPERATOR_CODE], 4,
        o->old != GSP_NONE ? tfl_u32(f, &old, TFL_OPERATOR_CODE) : find_code(w, o->code));
    cli_copy_offset(&field[TFL_OPERATOR_INPUTS]);
    cli_copy_offset(&field[TFL_OPERATOR_OUTPUTS]);
    if (type != 0) {
        cli_copy_number(&field[TFL_OPERATOR_OPTIONS_TYPE], 1, type);
        cli_copy_offset(&field[TFL_OPERATOR_OPTIONS]);
    }
    cli_copy_table(c, place, field, TFL_OPERATOR_OPTIONS + 1);
    put_numbers(w, field[TFL_OPERATOR_INPUTS].at, w->ins + o->first_in, o->n_in);
    put_numbers(w, field[TFL_OPERATOR_OUTPUTS].at, &o->out, 1);
    if (o->old != GSP_NONE && pads && !o->is_same) {
        put_valid(w, &field[TFL_OPERATOR_OPTIONS], &old, type);
    } else if (o->old != GSP_NONE && type != 0) {
        cli_amend_field(&w->amend, &field[TFL_OPERATOR_OPTIONS], &old, TFL_OPERATOR_OPTIONS);
    } else if (type != 0) {
        cli_field axis[1];
        memset(axis, 0, sizeof axis);
        cli_copy_number(axis, 4, o->axis);
        cli_copy_table(c, field[TFL_OPERATOR_OPTIONS].at, axis, 1);
    }
}

static void put_operators(work *w, size_t place)
{
    size_t const at = cli_copy_numbers(&w->amend.copy, place, w->n_ops);
    uint32_t i;
    for (i = 0; i < w->n_ops; i++) {
        if (w->ops[i].out == GSP_NONE) {
            cli_amend_link(&w->amend, at + 4u * (size_t)i,
                tfl_element(&w->amend.copy.file, &w->operators, w->ops[i].old).at);
        } else {
            put_operator(w, at + 4u * (size_t)i, &w->ops[i]);
        }
    }
}

/* The numbers of the inputs; tiles of one stand where that was. */
static void put_inputs(work *w, size_t place, const tfl_table *graph)
{
    tfl_vector const old = tfl_vector_of(&w->amend.copy.file, graph, TFL_SUBGRAPH_INPUTS, 4);
    uint32_t *numbers =
        (uint32_t *)cli_alloc(w->amend.session, (size_t)old.n + w->n_stream, sizeof *numbers);
    uint32_t const stream = tensor_of(w, w->g->stream);
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < old.n; i++) {
        numbers[n] = (uint32_t)tfl_number(&w->amend.copy.file, &old, i);
        if (numbers[n] != stream) {
            n++;
        } else {
            memcpy(numbers + n, w->stream, w->n_stream * sizeof *numbers);
            n += w->n_stream;
        }
    }
    put_numbers(w, place, numbers, n);
    cli_release(w->amend.session, numbers);
}

static void put_graphs(work *w, size_t place, uint32_t n_buffers)
{
    tfl_file *f = &w->amend.copy.file;
    tfl_vector const graphs = tfl_vector_of(f, &w->amend.root, TFL_MODEL_SUBGRAPHS, 4);
    tfl_table const old = tfl_element(f, &graphs, 0);
    size_t const at = cli_amend_tables(&w->amend, place, &graphs, 1, graphs.n);
    cli_field field[TFL_SUBGRAPH_NAME + 1];
    uint32_t i;
    memset(field, 0, sizeof field);
    for (i = 0; i <= TFL_SUBGRAPH_NAME; i++) {
        if (tfl_field(f, &old, i, 4) != 0u) {
            cli_copy_offset(&field[i]);
        }
    }
    cli_copy_table(&w->amend.copy, at, field, TFL_SUBGRAPH_NAME + 1);
    if (w->n_stream != 0) {
        put_inputs(w, field[TFL_SUBGRAPH_INPUTS].at, &old);
    } else {
        cli_amend_field(&w->amend, &field[TFL_SUBGRAPH_INPUTS], &old, TFL_SUBGRAPH_INPUTS);
    }
    cli_amend_field(&w->amend, &field[TFL_SUBGRAPH_OUTPUTS], &old, TFL_SUBGRAPH_OUTPUTS);
    cli_amend_field(&w->amend, &field[TFL_SUBGRAPH_NAME], &old, TFL_SUBGRAPH_NAME);
    put_tensors(w, field[TFL_SUBGRAPH_TENSORS].at, n_buffers);
    put_operators(w, field[TFL_SUBGRAPH_OPERATORS].at);
}

static void put_constants(work *w, size_t at)
{
    cli_copier *c = &w->amend.copy;
    uint32_t i;
    for (i = 0; i < w->n_constants; i++) {
        const constant *k = &w->constants[i];
        cli_field data[TFL_BUFFER_DATA + 1];
        memset(data, 0, sizeof data);
        cli_copy_offset(&data[TFL_BUFFER_DATA]);
        cli_copy_table(c, at + 4u * (size_t)i, data, TFL_BUFFER_DATA + 1);
        cli_amend_align(&w->amend, CLI_AMEND_ALIGN - 4u);
        put_numbers(w, data[TFL_BUFFER_DATA].at, k->words, (k->bytes + 3u) / 4u);
        cli_copy_set(c, c->out->size - 4u * ((size_t)(k->bytes + 3u) / 4u) - 4u, k->bytes);
    }
}

static int put_model(work *w, cli_session *s, const gsp_tile_point *point)
{
    cli_field field[CLI_AMEND_FIELDS];
    tfl_vector buffers;
    size_t at;
    open_input(w, s);
    w->n_tensors = w->tensors.n;
    w->unused = (uint32_t *)cli_alloc(s, (size_t)w->tensors.n + 1u, sizeof *w->unused);
    make_room(w, w->n_tensors + 1u);
    collect(w, point);
    buffers = tfl_vector_of(&w->amend.copy.file, &w->amend.root, TFL_MODEL_BUFFERS, 4);
    cli_amend_root(&w->amend, field,
        1u << TFL_MODEL_BUFFERS | 1u << TFL_MODEL_METADATA | 1u << TFL_MODEL_SUBGRAPHS |
            1u << TFL_MODEL_CODES | (w->n_stream != 0 ? 1u << TFL_MODEL_SIGNATURES : 0u));
    put_graphs(w, field[TFL_MODEL_SUBGRAPHS].at, buffers.n);
    put_codes(w, field[TFL_MODEL_CODES].at);
    at = cli_amend_tables(
        &w->amend, field[TFL_MODEL_BUFFERS].at, &buffers, 0, buffers.n + w->n_constants);
    put_constants(w, at + 4u * (size_t)buffers.n);
    if (w->n_stream != 0) { /* no signature has these inputs */
        (void)cli_copy_numbers(&w->amend.copy, field[TFL_MODEL_SIGNATURES].at, 0);
    }
    (void)cli_amend_metadata(&w->amend, field[TFL_MODEL_METADATA].at, 0);
    return cli_amend_end(&w->amend);
}

int cli_tflite_tiles(cli_session *s, const tile_graph *g, const gsp_tile_point *point)
{
    cli_buffer out;
    int code;
    work w;
    if (point->n_regions == 0) {
        return CLI_EXIT_OK;
    }
    memset(&w, 0, sizeof w);
    w.g = g;
    cli_buffer_init(&out, s);
    code = cli_amend_begin(&w.amend, s, &out) ? put_model(&w, s, point) : CLI_EXIT_FAILED;
    return code == CLI_EXIT_OK ? cli_tflite_take(s, out.data, out.size) : code;
}
