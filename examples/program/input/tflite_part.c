/* Parts of a .tflite file as .tflite files. */
#include "input/input.h"

#include <string.h>

#define RESOURCE   13 /* types of tensors that are no values: handles */
#define VARIANT    14
#define HASHTABLE  136 /* operators that make a handle to what all subgraphs share */
#define VAR_HANDLE 142

/* Indices in the source, in the order of a part. */
typedef struct item_list {
    uint32_t *items;
    uint32_t n;
} item_list;

/* A tensor that enters or leaves a part. */
typedef struct end {
    uint32_t tensor;
    gsp_str name;
} end;

typedef struct end_list {
    end *ends;
    uint32_t n;
} end_list;

/* An operator that makes a handle. Handles to the same variable, or table, have one number. */
typedef struct handle {
    uint32_t graph; /* its subgraph */
    uint32_t item;  /* the operator in it */
    uint32_t variable;
    gsp_str container;
    gsp_str name;
} handle;

/* The file and its main graph. What is indexed by items of the source is 0 between two parts. */
struct cli_source {
    tflite_model model;
    gsp_graph graph;
    cli_names names;
    tfl_table root;
    tfl_vector codes;
    tfl_vector buffers;
    tfl_vector tensors;
    tfl_vector operators;
    tfl_vector graphs;
    handle *handles; /* [n_handles] of all subgraphs */
    uint32_t n_handles;
    uint32_t *uses;      /* [tensors] by operators */
    uint32_t *tensor_at; /* [tensors] place in the part, and 1 */
    uint32_t *code_at;   /* [codes] */
    uint32_t *buffer_at; /* [buffers] */
    uint32_t *is_output; /* [tensors] */
    gsp_node *writer; /* [tensors] of those in the part: who yields it; GSP_NONE if nobody does */
    uint32_t *used;   /* [tensors] by operators of the part */
    uint32_t *operator_at; /* [operators] place in the part, and 1 */
    uint32_t *graph_at;    /* [subgraphs] place in the part, where 0 is what it has of main */
    uint32_t *seen;        /* [subgraphs] */
    uint32_t *touched;     /* [variables] by operators outside of the part */
    item_list part_graphs;
    item_list waiting; /* subgraphs */
    item_list part_tensors;
    item_list part_codes;
    item_list part_buffers;
    item_list part_operators;
    end_list inputs;
    end_list outputs;
};

typedef struct work {
    cli_session *session;
    const cli_part *part;
    cli_source *source;
    cli_copier copy;
    cli_buffer *why;
} work;

static int is_good(const work *w)
{
    return w->why->size == 0 && w->copy.why == NULL && tfl_ok(&w->copy.file);
}

static void refuse(work *w, const char *clause, gsp_str name)
{
    if (is_good(w)) {
        cli_puts(w->why, "%");
        cli_put_clipped(w->why, name, 60u);
        cli_puts(w->why, clause);
    }
}

/* ---- the source ---- */

static uint32_t *row(cli_session *s, uint64_t n)
{
    return (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof(uint32_t));
}

/* The operator that makes a handle, or 0. */
static uint32_t handle_code(tfl_file *f, const cli_source *m, const tfl_table *o)
{
    tfl_table const code = tfl_element(f, &m->codes, tfl_u32(f, o, TFL_OPERATOR_CODE));
    uint32_t const number = tfl_u32(f, &code, TFL_CODE_BUILTIN);
    return number == HASHTABLE || number == VAR_HANDLE ? number : 0u;
}

/* Reads an operator that makes a handle; a table has no name, so that all are one. */
static void add_handle(
    tfl_file *f, cli_source *m, uint32_t graph, uint32_t item, const tfl_table *o)
{
    tfl_table const options = tfl_table_of(f, o, TFL_OPERATOR_OPTIONS);
    handle *h = &m->handles[m->n_handles];
    memset(h, 0, sizeof *h);
    h->graph = graph;
    h->item = item;
    if (handle_code(f, m, o) == VAR_HANDLE && options.at != 0u) {
        h->container = tfl_text_of(f, &options, 0);
        h->name = tfl_text_of(f, &options, 1);
    }
    while (!gsp_str_equal(m->handles[h->variable].name, h->name) ||
           !gsp_str_equal(m->handles[h->variable].container, h->container)) {
        h->variable++;
    }
    m->n_handles++;
}

/* Takes the handles of all subgraphs, or only counts them. */
static uint32_t find_handles(tfl_file *f, cli_source *m, int takes)
{
    uint32_t n = 0;
    uint32_t g;
    uint32_t i;
    for (g = 0; g < m->graphs.n; g++) {
        tfl_table const graph = tfl_element(f, &m->graphs, g);
        tfl_vector const operators = tfl_vector_of(f, &graph, TFL_SUBGRAPH_OPERATORS, 4);
        for (i = 0; i < operators.n; i++) {
            tfl_table const o = tfl_element(f, &operators, i);
            if (handle_code(f, m, &o) != 0u) {
                n++;
                if (takes) {
                    add_handle(f, m, g, i, &o);
                }
            }
        }
    }
    return n;
}

static void count_uses(tfl_file *f, const cli_source *m, const tfl_table *o, uint32_t *uses)
{
    tfl_vector const read = tfl_vector_of(f, o, TFL_OPERATOR_INPUTS, 4);
    uint32_t i;
    for (i = 0; i < read.n; i++) {
        int32_t const t = tfl_number(f, &read, i);
        uses[t >= 0 ? (uint32_t)t : m->tensors.n]++;
    }
}

void cli_tflite_source(cli_session *s, const tflite_model *model)
{
    s->source = (cli_source *)cli_alloc(s, 1u, sizeof *s->source);
    s->source->model = *model;
}

const tflite_model *cli_tflite_model(const cli_session *s)
{
    return s->source != NULL ? &s->source->model : NULL;
}

/* The rest is done when the first part is written. Reading has checked all of this. */
static void open_source(work *w)
{
    cli_session *s = w->session;
    cli_source *m = w->source;
    tfl_file *f = &w->copy.file;
    tfl_table const root = tfl_table_at(f, tfl_u32_at(f, 0));
    tfl_vector const graphs = tfl_vector_of(f, &root, TFL_MODEL_SUBGRAPHS, 4);
    tfl_table const graph = tfl_element(f, &graphs, 0);
    uint32_t i;
    m->root = root;
    m->graphs = graphs;
    m->graph = gsp_module_graph(&m->model.module, 0);
    cli_names_make(s, &m->graph, &m->names);
    m->codes = tfl_vector_of(f, &root, TFL_MODEL_CODES, 4);
    m->buffers = tfl_vector_of(f, &root, TFL_MODEL_BUFFERS, 4);
    m->tensors = tfl_vector_of(f, &graph, TFL_SUBGRAPH_TENSORS, 4);
    m->operators = tfl_vector_of(f, &graph, TFL_SUBGRAPH_OPERATORS, 4);
    m->uses = row(s, m->tensors.n);
    m->tensor_at = row(s, m->tensors.n);
    m->code_at = row(s, m->codes.n);
    m->buffer_at = row(s, m->buffers.n);
    m->is_output = row(s, m->tensors.n);
    m->writer = row(s, m->tensors.n);
    m->used = row(s, m->tensors.n);
    m->part_tensors.items = row(s, m->tensors.n);
    m->part_codes.items = row(s, m->codes.n);
    m->part_buffers.items = row(s, m->buffers.n);
    m->part_operators.items = row(s, m->operators.n);
    m->inputs.ends = (end *)cli_alloc(s, (size_t)m->tensors.n + 1u, sizeof(end));
    m->outputs.ends = (end *)cli_alloc(s, (size_t)m->tensors.n + 1u, sizeof(end));
    m->operator_at = row(s, m->operators.n);
    m->graph_at = row(s, graphs.n);
    m->seen = row(s, graphs.n);
    m->part_graphs.items = row(s, graphs.n);
    m->waiting.items = row(s, graphs.n);
    i = find_handles(f, m, 0);
    m->touched = row(s, i);
    m->handles = (handle *)cli_alloc(s, (size_t)i + 1u, sizeof *m->handles);
    (void)find_handles(f, m, 1);
    for (i = 0; i < m->operators.n; i++) {
        tfl_table const o = tfl_element(f, &m->operators, i);
        count_uses(f, m, &o, m->uses);
    }
}

static void clear(uint32_t *place_of, item_list *list)
{
    for (; list->n > 0; list->n--) {
        place_of[list->items[list->n - 1u]] = 0;
    }
}

static void close_part(cli_source *m)
{
    uint32_t i;
    for (i = 0; i < m->part_tensors.n; i++) {
        m->used[m->part_tensors.items[i]] = 0;
        m->is_output[m->part_tensors.items[i]] = 0;
    }
    clear(m->tensor_at, &m->part_tensors);
    clear(m->code_at, &m->part_codes);
    clear(m->buffer_at, &m->part_buffers);
    clear(m->graph_at, &m->part_graphs);
    clear(m->operator_at, &m->part_operators);
    m->inputs.n = 0;
    m->outputs.n = 0;
}

/* The place of an item in the part, which gets one if it has none. */
static uint32_t place(uint32_t *place_of, item_list *list, uint32_t item)
{
    if (place_of[item] == 0u) {
        list->items[list->n++] = item;
        place_of[item] = list->n;
    }
    return place_of[item] - 1u;
}

/* ---- what a part takes ---- */

static tfl_table tensor_of(work *w, uint32_t t)
{
    return tfl_element(&w->copy.file, &w->source->tensors, t);
}

static int is_getitem(const gsp_graph *g, gsp_node v)
{
    return g->module->target[g->first + v] == (gsp_atom)GSP_KEY_GETITEM;
}

/* A tensor that the part yields or that comes from outside; 0 if it has it already. */
static int hold(work *w, uint32_t t, gsp_node writer)
{
    cli_source *m = w->source;
    if (m->tensor_at[t] != 0u && m->writer[t] == writer) {
        return 0;
    }
    if (m->tensor_at[t] != 0u) {
        refuse(
            w, " shares a tensor with another value of the part", gsp_node_name(&m->graph, writer));
        return 0;
    }
    (void)place(m->tensor_at, &m->part_tensors, t);
    m->writer[t] = writer;
    return 1;
}

static void add_end(work *w, end_list *list, uint32_t t, gsp_str name)
{
    tfl_table const table = tensor_of(w, t);
    uint32_t const type = tfl_u8(&w->copy.file, &table, TFL_TENSOR_TYPE);
    if (type == RESOURCE || type == VARIANT) {
        refuse(w, " is a handle, which no other part can use", name);
    }
    list->ends[list->n].tensor = t;
    list->ends[list->n++].name = name;
}

/* Weights, state and what an operator omits come with the operator. */
static void need(work *w, uint32_t t)
{
    if (w->source->tensor_at[t] == 0u) {
        (void)hold(w, t, GSP_NONE);
    }
}

/* The tensors of a value, `i` of them; a tuple has an element, which is a node, for each. Returns 0
 * after the last one. */
static int tensor_at(work *w, gsp_node v, uint32_t i, uint32_t *t, gsp_str *name)
{
    cli_source *m = w->source;
    const gsp_graph *g = &m->graph;
    tfl_table o;
    tfl_vector outputs;
    *t = m->model.item[v];
    *name = gsp_node_name(g, v);
    if (!gsp_node_is_callable(g, v) || is_getitem(g, v)) {
        return i == 0u;
    }
    o = tfl_element(&w->copy.file, &m->operators, *t);
    outputs = tfl_vector_of(&w->copy.file, &o, TFL_OPERATOR_OUTPUTS, 4);
    if (i >= outputs.n) {
        return 0;
    }
    *t = (uint32_t)tfl_number(&w->copy.file, &outputs, i);
    if (outputs.n > 1u) {
        *name = gsp_node_name(g, v + 1u + i);
    }
    return 1;
}

static gsp_node writer_of(const gsp_graph *g, gsp_node v)
{
    uint32_t n;
    return is_getitem(g, v) ? gsp_node_inputs(g, v, &n)[0] : v;
}

static void add_input(work *w, gsp_node v)
{
    const gsp_graph *g = &w->source->graph;
    gsp_str name;
    uint32_t t;
    uint32_t i;
    for (i = 0; gsp_node_op(g, v) != GSP_OP_GET_ATTR && tensor_at(w, v, i, &t, &name); i++) {
        if (t != GSP_NONE && hold(w, t, writer_of(g, v))) {
            add_end(w, &w->source->inputs, t, name);
        }
    }
}

static void add_output(work *w, gsp_node v)
{
    gsp_str name;
    uint32_t t;
    uint32_t i;
    for (i = 0; tensor_at(w, v, i, &t, &name); i++) {
        if (t != GSP_NONE && !w->source->is_output[t]) {
            need(w, t);
            w->source->is_output[t] = 1;
            add_end(w, &w->source->outputs, t, name);
        }
    }
}

static void need_all(work *w, const tfl_table *o, uint32_t field)
{
    tfl_vector const v = tfl_vector_of(&w->copy.file, o, field, 4);
    uint32_t i;
    for (i = 0; i < v.n; i++) {
        int32_t const t = tfl_number(&w->copy.file, &v, i);
        if (t >= 0) {
            need(w, (uint32_t)t);
        }
    }
}

/* The kinds of options of an operator, in two fields. */
static const struct {
    uint32_t field;
    uint32_t first;
    uint32_t end;
} option_kinds[] = {{TFL_OPERATOR_OPTIONS, CLI_KIND_OPTIONS, CLI_KIND_OPTIONS2},
    {TFL_OPERATOR_OPTIONS2, CLI_KIND_OPTIONS2, CLI_KIND_NONE}};

/* Puts the subgraphs that an operator runs into a list, those that are not there yet. */
static void reach(work *w, const tfl_table *o, uint32_t *place_of, item_list *list)
{
    uint32_t i;
    for (i = 0; i < CLI_COUNT(option_kinds); i++) {
        uint32_t const type = tfl_u8(&w->copy.file, o, option_kinds[i].field - 1u);
        tfl_table const options = tfl_table_of(&w->copy.file, o, option_kinds[i].field);
        uint32_t at = 0;
        uint32_t graph;
        while (options.at != 0u &&
               cli_copy_called(&w->copy, &options, option_kinds[i].first + type, &at, &graph)) {
            if (graph != 0u) {
                (void)place(place_of, list, graph);
            }
        }
    }
}

static void check_options(work *w, gsp_str name, const tfl_table *o)
{
    uint32_t i;
    for (i = 0; i < CLI_COUNT(option_kinds); i++) {
        uint32_t const kind =
            option_kinds[i].first + tfl_u8(&w->copy.file, o, option_kinds[i].field - 1u);
        if (kind >= option_kinds[i].end) {
            refuse(w, " has options that are newer than this program", name);
        } else if (cli_copy_calls(kind)) {
            refuse(w, " has a list of subgraphs", name);
        }
    }
}

/* What an operator takes beside tensors: its code, and subgraphs. */
static void add_parts_of(work *w, gsp_str name, const tfl_table *o)
{
    cli_source *m = w->source;
    check_options(w, name, o);
    (void)place(m->code_at, &m->part_codes, tfl_u32(&w->copy.file, o, TFL_OPERATOR_CODE));
    reach(w, o, m->graph_at, &m->part_graphs);
}

/* The subgraphs of a part are those that its operators run, and that these run. */
static void collect_graphs(work *w)
{
    tfl_file *f = &w->copy.file;
    cli_source *m = w->source;
    uint32_t g;
    uint32_t i;
    for (g = 0; g < m->part_graphs.n && is_good(w); g++) {
        tfl_table const graph = tfl_element(f, &m->graphs, m->part_graphs.items[g]);
        tfl_vector const operators = tfl_vector_of(f, &graph, TFL_SUBGRAPH_OPERATORS, 4);
        for (i = 0; i < operators.n && is_good(w); i++) {
            tfl_table const o = tfl_element(f, &operators, i);
            add_parts_of(w, tfl_text_of(f, &graph, TFL_SUBGRAPH_NAME), &o);
        }
    }
}

static void add_operator(work *w, gsp_node v)
{
    cli_source *m = w->source;
    uint32_t const item = m->model.item[v];
    tfl_table const o = tfl_element(&w->copy.file, &m->operators, item);
    gsp_str name;
    uint32_t t;
    uint32_t i;
    (void)place(m->operator_at, &m->part_operators, item);
    add_parts_of(w, gsp_node_name(&m->graph, v), &o);
    count_uses(&w->copy.file, m, &o, m->used);
    need_all(w, &o, TFL_OPERATOR_INPUTS);
    need_all(w, &o, TFL_OPERATOR_INTERMEDIATES);
    for (i = 0; tensor_at(w, v, i, &t, &name); i++) {
        if (t != GSP_NONE && !hold(w, t, v)) {
            refuse(w, " yields a tensor twice", gsp_node_name(&m->graph, v));
        }
    }
}

static gsp_str outer(const cli_part *part, gsp_str name)
{
    uint32_t i;
    for (i = 0; i < part->n_bind; i++) {
        if (gsp_str_equal(part->bind[i].inner, name)) {
            return part->bind[i].outer;
        }
    }
    return name;
}

/* The node of the source that a node of the part is. */
static gsp_node original(work *w, gsp_node v)
{
    const gsp_graph *g = &w->part->graph;
    gsp_str name = gsp_node_name(g, v);
    gsp_node found;
    if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
        name = outer(w->part, name);
    }
    found = cli_names_find(&w->source->names, name);
    if (found == GSP_NONE ||
        (gsp_node_op(g, v) != GSP_OP_PLACEHOLDER &&
            !gsp_str_equal(gsp_node_target(g, v), gsp_node_target(&w->source->graph, found)))) {
        refuse(w, " is no operator of the model", name);
        return GSP_NONE;
    }
    return found;
}

static void collect(work *w)
{
    const gsp_graph *g = &w->part->graph;
    const gsp_node *returned;
    uint32_t n;
    uint32_t i;
    gsp_node v;
    for (v = 0; v + 1u < g->n_nodes && is_good(w); v++) {
        gsp_node const from = original(w, v);
        if (from == GSP_NONE) {
            return;
        }
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
            add_input(w, from);
        } else if (gsp_node_is_callable(g, v) && !is_getitem(g, v)) {
            add_operator(w, from);
        }
    }
    returned = gsp_node_inputs(g, g->n_nodes - 1u, &n);
    for (i = 0; i < n && is_good(w); i++) {
        gsp_node const from = original(w, returned[i]);
        if (from != GSP_NONE) {
            add_output(w, from);
        }
    }
}

/* Marks the variables of an operator of main and of the subgraphs that it runs. */
static void touch(work *w, uint32_t item)
{
    tfl_file *f = &w->copy.file;
    cli_source *m = w->source;
    tfl_table const o = tfl_element(f, &m->operators, item);
    uint32_t done;
    uint32_t i;
    reach(w, &o, m->seen, &m->waiting);
    for (done = 0; done < m->waiting.n; done++) {
        tfl_table const graph = tfl_element(f, &m->graphs, m->waiting.items[done]);
        tfl_vector const operators = tfl_vector_of(f, &graph, TFL_SUBGRAPH_OPERATORS, 4);
        for (i = 0; i < operators.n; i++) {
            tfl_table const inner = tfl_element(f, &operators, i);
            reach(w, &inner, m->seen, &m->waiting);
        }
    }
    for (i = 0; i < m->n_handles; i++) {
        const handle *h = &m->handles[i];
        if (h->graph == 0u ? h->item == item : m->seen[h->graph] != 0u) {
            m->touched[h->variable] = 1;
        }
    }
    clear(m->seen, &m->waiting);
}

/* A variable lives in one interpreter. */
static void check_variables(work *w)
{
    cli_source *m = w->source;
    uint32_t i;
    memset(m->touched, 0, m->n_handles * sizeof *m->touched);
    for (i = 0; i < m->operators.n && m->n_handles != 0u; i++) {
        if (m->operator_at[i] == 0u) {
            touch(w, i);
        }
    }
    for (i = 0; i < m->n_handles && is_good(w); i++) {
        const handle *h = &m->handles[i];
        uint32_t const is_here = h->graph == 0u ? m->operator_at[h->item] : m->graph_at[h->graph];
        if (is_here != 0u && m->touched[h->variable] != 0u) {
            cli_puts(w->why, "it shares the variable ");
            cli_put_clipped(w->why, h->name, 60u);
            cli_puts(w->why, " with other operators");
        }
    }
}

/* State lives in one interpreter, too. */
static void check_state(work *w)
{
    cli_source *m = w->source;
    uint32_t i;
    for (i = 0; i < m->part_tensors.n && is_good(w); i++) {
        uint32_t const t = m->part_tensors.items[i];
        tfl_table const table = tensor_of(w, t);
        if (tfl_u8(&w->copy.file, &table, TFL_TENSOR_VARIABLE) != 0u && m->used[t] != m->uses[t]) {
            cli_puts(w->why, "it shares state with other operators");
        }
    }
}

/* ---- what is written ---- */

/* A vector of offsets to tables that are written next; returns the place of the first offset. */
static size_t begin_tables(work *w, const cli_field *f, uint32_t n)
{
    return cli_copy_numbers(&w->copy, f->at, n);
}

/* The same indices, as places in the part; -1 stays. */
static void put_indices(work *w, const cli_field *f, const tfl_table *o, uint32_t field)
{
    tfl_vector const v = tfl_vector_of(&w->copy.file, o, field, 4);
    size_t at;
    uint32_t i;
    if (f->width == 0u) {
        return;
    }
    at = cli_copy_numbers(&w->copy, f->at, v.n);
    for (i = 0; i < v.n && is_good(w); i++) {
        int32_t const t = tfl_number(&w->copy.file, &v, i);
        cli_copy_set(
            &w->copy, at + 4u * (size_t)i, t < 0 ? UINT32_MAX : w->source->tensor_at[t] - 1u);
    }
}

static void put_codes(work *w, const cli_field *f)
{
    cli_source *m = w->source;
    size_t const at = begin_tables(w, f, m->part_codes.n);
    uint32_t i;
    for (i = 0; i < m->part_codes.n && is_good(w); i++) {
        cli_target code = {0, 0, CLI_TABLE, CLI_KIND_CODE};
        code.from = tfl_element(&w->copy.file, &m->codes, m->part_codes.items[i]).at;
        cli_copy_later(&w->copy, at + 4u * (size_t)i, code);
    }
}

/* The bytes of a buffer, within the tables or after them; `from` is 0 if there are none. */
static cli_target buffer_bytes(work *w, uint32_t buffer)
{
    tfl_file *f = &w->copy.file;
    tfl_table const t = tfl_element(f, &w->source->buffers, buffer);
    cli_target bytes = cli_copy_find(&w->copy, &t, TFL_BUFFER_DATA, CLI_BYTES16, 0);
    uint64_t const offset = tfl_u64(f, &t, TFL_BUFFER_OFFSET);
    uint64_t const size = tfl_u64(f, &t, TFL_BUFFER_SIZE);
    if (offset > 1u && tfl_holds(f, offset, size)) {
        bytes.from = offset;
        bytes.n = size;
    }
    bytes.from = bytes.n != 0u ? bytes.from : 0u;
    return bytes;
}

/* Buffer 0 is empty, so that a place in the part is one less than the index in the file. */
static uint32_t buffer_index(work *w, uint32_t buffer)
{
    if (buffer == 0u || buffer_bytes(w, buffer).from == 0u) {
        return 0;
    }
    return place(w->source->buffer_at, &w->source->part_buffers, buffer) + 1u;
}

static void put_buffers(work *w, const cli_field *f)
{
    cli_source *m = w->source;
    size_t const at = begin_tables(w, f, m->part_buffers.n + 1u);
    uint32_t i;
    for (i = 0; i <= m->part_buffers.n && is_good(w); i++) {
        cli_field data[1];
        memset(data, 0, sizeof data);
        if (i > 0u) {
            cli_copy_field(data, buffer_bytes(w, m->part_buffers.items[i - 1u]));
        }
        cli_copy_table(&w->copy, at + 4u * (size_t)i, data, 1);
    }
}

/* A tensor without a name gets the one that it has in the graph. */
static void put_name(work *w, size_t at, const tfl_table *t, uint32_t index)
{
    gsp_str name = tfl_text_of(&w->copy.file, t, TFL_TENSOR_NAME);
    cli_buffer number;
    cli_buffer_init(&number, w->session);
    if (name.size == 0u) {
        cli_printf(&number, "t%lu", (unsigned long)index);
        name.data = number.data;
        name.size = (uint32_t)number.size;
    }
    cli_copy_text(&w->copy, at, name);
    cli_release(w->session, number.data);
}

static void put_tensor(work *w, size_t at, const tfl_vector *tensors, uint32_t index)
{
    cli_copier *c = &w->copy;
    tfl_file *f = &c->file;
    tfl_table const t = tfl_element(f, tensors, index);
    cli_field field[TFL_TENSOR_EXTERNAL];
    memset(field, 0, sizeof field);
    if (tfl_u32(f, &t, TFL_TENSOR_EXTERNAL) != 0u && is_good(w)) {
        cli_puts(w->why, "its weights lie in another file");
    }
    cli_copy_field(&field[TFL_TENSOR_SHAPE], cli_copy_find(c, &t, TFL_TENSOR_SHAPE, CLI_ROW32, 0));
    cli_copy_number(&field[TFL_TENSOR_TYPE], 1, tfl_u8(f, &t, TFL_TENSOR_TYPE));
    cli_copy_number(
        &field[TFL_TENSOR_BUFFER], 4, buffer_index(w, tfl_u32(f, &t, TFL_TENSOR_BUFFER)));
    cli_copy_offset(&field[TFL_TENSOR_NAME]);
    cli_copy_field(&field[TFL_TENSOR_QUANTIZATION],
        cli_copy_find(c, &t, TFL_TENSOR_QUANTIZATION, CLI_TABLE, CLI_KIND_QUANTIZATION));
    cli_copy_number(&field[TFL_TENSOR_VARIABLE], 1, tfl_u8(f, &t, TFL_TENSOR_VARIABLE));
    cli_copy_field(&field[TFL_TENSOR_SPARSITY],
        cli_copy_find(c, &t, TFL_TENSOR_SPARSITY, CLI_TABLE, CLI_KIND_SPARSITY));
    cli_copy_field(
        &field[TFL_TENSOR_SIGNATURE], cli_copy_find(c, &t, TFL_TENSOR_SIGNATURE, CLI_ROW32, 0));
    cli_copy_number(&field[TFL_TENSOR_HAS_RANK], 1, tfl_u8(f, &t, TFL_TENSOR_HAS_RANK));
    cli_copy_field(&field[TFL_TENSOR_VARIANTS],
        cli_copy_find(c, &t, TFL_TENSOR_VARIANTS, CLI_TABLES, CLI_KIND_VARIANT));
    cli_copy_table(c, at, field, TFL_TENSOR_EXTERNAL);
    put_name(w, field[TFL_TENSOR_NAME].at, &t, index);
}

/* Options, of a type that the field before states. */
static void find_options(work *w, cli_field *field, const tfl_table *o, uint32_t at, cli_kind first)
{
    uint32_t const type = tfl_u8(&w->copy.file, o, at - 1u);
    if (type != 0u) {
        cli_copy_number(&field[at - 1u], 1, type);
        cli_copy_field(
            &field[at], cli_copy_find(&w->copy, o, at, CLI_TABLE, (uint32_t)first + type));
    }
}

/* Custom options after the tables of a large file move back into them. */
static cli_target custom_options(work *w, const tfl_table *o)
{
    tfl_file *f = &w->copy.file;
    cli_target options = cli_copy_find(&w->copy, o, TFL_OPERATOR_CUSTOM_OPTIONS, CLI_BYTES16, 0);
    uint64_t const offset = tfl_u64(f, o, TFL_OPERATOR_LARGE_OFFSET);
    uint64_t const size = tfl_u64(f, o, TFL_OPERATOR_LARGE_SIZE);
    if (offset > 1u) {
        if (!tfl_holds(f, offset, size)) {
            tfl_fail(f, GSP_STATUS_PARSE, o->at,
                "the options that stand behind the model reach beyond the end of the file");
        }
        options.from = offset;
        options.n = size;
    }
    return options;
}

/* The fields of an operator but its tensors. */
static void find_operator(work *w, cli_field *field, const tfl_table *source)
{
    cli_copier *c = &w->copy;
    tfl_file *f = &c->file;
    tfl_table const o = *source;
    memset(field, 0, (TFL_OPERATOR_OPTIONS2 + 1u) * sizeof *field);
    cli_copy_number(
        &field[TFL_OPERATOR_CODE], 4, w->source->code_at[tfl_u32(f, &o, TFL_OPERATOR_CODE)] - 1u);
    find_options(w, field, &o, TFL_OPERATOR_OPTIONS, CLI_KIND_OPTIONS);
    find_options(w, field, &o, TFL_OPERATOR_OPTIONS2, CLI_KIND_OPTIONS2);
    cli_copy_field(&field[TFL_OPERATOR_CUSTOM_OPTIONS], custom_options(w, &o));
    cli_copy_number(
        &field[TFL_OPERATOR_CUSTOM_FORMAT], 1, tfl_u8(f, &o, TFL_OPERATOR_CUSTOM_FORMAT));
    cli_copy_field(
        &field[TFL_OPERATOR_MUTATING], cli_copy_find(c, &o, TFL_OPERATOR_MUTATING, CLI_ROW8, 0));
}

static void put_operator(work *w, size_t at, uint32_t index)
{
    cli_copier *c = &w->copy;
    tfl_table const o = tfl_element(&c->file, &w->source->operators, index);
    cli_field field[TFL_OPERATOR_OPTIONS2 + 1];
    find_operator(w, field, &o);
    cli_copy_offset(&field[TFL_OPERATOR_INPUTS]);
    cli_copy_offset(&field[TFL_OPERATOR_OUTPUTS]);
    if (tfl_field(&c->file, &o, TFL_OPERATOR_INTERMEDIATES, 4) != 0u) {
        cli_copy_offset(&field[TFL_OPERATOR_INTERMEDIATES]);
    }
    cli_copy_table(c, at, field, TFL_OPERATOR_OPTIONS2 + 1);
    put_indices(w, &field[TFL_OPERATOR_INPUTS], &o, TFL_OPERATOR_INPUTS);
    put_indices(w, &field[TFL_OPERATOR_OUTPUTS], &o, TFL_OPERATOR_OUTPUTS);
    put_indices(w, &field[TFL_OPERATOR_INTERMEDIATES], &o, TFL_OPERATOR_INTERMEDIATES);
}

static void put_ends(work *w, const cli_field *f, const end_list *list)
{
    size_t const at = cli_copy_numbers(&w->copy, f->at, list->n);
    uint32_t i;
    for (i = 0; i < list->n && is_good(w); i++) {
        cli_copy_set(
            &w->copy, at + 4u * (size_t)i, w->source->tensor_at[list->ends[i].tensor] - 1u);
    }
}

/* An operator of a subgraph that is copied as a whole: its tensors keep their places. */
static void put_inner_operator(work *w, size_t at, const tfl_table *o)
{
    static const uint32_t rows[] = {
        TFL_OPERATOR_INPUTS, TFL_OPERATOR_OUTPUTS, TFL_OPERATOR_INTERMEDIATES};
    cli_field field[TFL_OPERATOR_OPTIONS2 + 1];
    uint32_t i;
    find_operator(w, field, o);
    for (i = 0; i < CLI_COUNT(rows); i++) {
        cli_copy_field(&field[rows[i]], cli_copy_find(&w->copy, o, rows[i], CLI_ROW32, 0));
    }
    cli_copy_table(&w->copy, at, field, TFL_OPERATOR_OPTIONS2 + 1);
}

/* A subgraph that the part runs. */
static void put_inner(work *w, size_t at, uint32_t index)
{
    cli_copier *c = &w->copy;
    tfl_table const g = tfl_element(&c->file, &w->source->graphs, index);
    tfl_vector const tensors = tfl_vector_of(&c->file, &g, TFL_SUBGRAPH_TENSORS, 4);
    tfl_vector const operators = tfl_vector_of(&c->file, &g, TFL_SUBGRAPH_OPERATORS, 4);
    cli_field field[TFL_SUBGRAPH_NAME + 1];
    uint32_t i;
    memset(field, 0, sizeof field);
    cli_copy_offset(&field[TFL_SUBGRAPH_TENSORS]);
    cli_copy_offset(&field[TFL_SUBGRAPH_OPERATORS]);
    cli_copy_field(
        &field[TFL_SUBGRAPH_INPUTS], cli_copy_find(c, &g, TFL_SUBGRAPH_INPUTS, CLI_ROW32, 0));
    cli_copy_field(
        &field[TFL_SUBGRAPH_OUTPUTS], cli_copy_find(c, &g, TFL_SUBGRAPH_OUTPUTS, CLI_ROW32, 0));
    cli_copy_field(&field[TFL_SUBGRAPH_NAME], cli_copy_find(c, &g, TFL_SUBGRAPH_NAME, CLI_TEXT, 0));
    cli_copy_table(c, at, field, TFL_SUBGRAPH_NAME + 1);
    at = begin_tables(w, &field[TFL_SUBGRAPH_TENSORS], tensors.n);
    for (i = 0; i < tensors.n && is_good(w); i++) {
        put_tensor(w, at + 4u * (size_t)i, &tensors, i);
    }
    at = begin_tables(w, &field[TFL_SUBGRAPH_OPERATORS], operators.n);
    for (i = 0; i < operators.n && is_good(w); i++) {
        tfl_table const o = tfl_element(&c->file, &operators, i);
        put_inner_operator(w, at + 4u * (size_t)i, &o);
    }
}

static void put_subgraph(work *w, size_t at)
{
    cli_source *m = w->source;
    cli_field field[TFL_SUBGRAPH_NAME + 1];
    uint32_t i;
    memset(field, 0, sizeof field);
    for (i = 0; i <= TFL_SUBGRAPH_NAME; i++) {
        cli_copy_offset(&field[i]);
    }
    cli_copy_table(&w->copy, at, field, TFL_SUBGRAPH_NAME + 1);
    cli_copy_text(&w->copy, field[TFL_SUBGRAPH_NAME].at, gsp_str_of(w->part->name));
    put_ends(w, &field[TFL_SUBGRAPH_INPUTS], &m->inputs);
    put_ends(w, &field[TFL_SUBGRAPH_OUTPUTS], &m->outputs);
    at = begin_tables(w, &field[TFL_SUBGRAPH_TENSORS], m->part_tensors.n);
    for (i = 0; i < m->part_tensors.n && is_good(w); i++) {
        put_tensor(w, at + 4u * (size_t)i, &m->tensors, m->part_tensors.items[i]);
    }
    at = begin_tables(w, &field[TFL_SUBGRAPH_OPERATORS], m->part_operators.n);
    for (i = 0; i < m->part_operators.n && is_good(w); i++) {
        put_operator(w, at + 4u * (size_t)i, m->part_operators.items[i]);
    }
}

static void put_subgraphs(work *w, const cli_field *f)
{
    const item_list *inner = &w->source->part_graphs;
    size_t const at = begin_tables(w, f, inner->n + 1u);
    uint32_t i;
    put_subgraph(w, at);
    for (i = 0; i < inner->n && is_good(w); i++) {
        put_inner(w, at + 4u * ((size_t)i + 1u), inner->items[i]);
    }
}

static void put_map(work *w, const cli_field *f, const end_list *list)
{
    size_t const at = begin_tables(w, f, list->n);
    uint32_t i;
    for (i = 0; i < list->n && is_good(w); i++) {
        cli_field field[TFL_MAP_TENSOR + 1];
        memset(field, 0, sizeof field);
        cli_copy_offset(&field[TFL_MAP_NAME]);
        cli_copy_number(&field[TFL_MAP_TENSOR], 4, w->source->tensor_at[list->ends[i].tensor] - 1u);
        cli_copy_table(&w->copy, at + 4u * (size_t)i, field, TFL_MAP_TENSOR + 1);
        cli_copy_text(&w->copy, field[TFL_MAP_NAME].at, list->ends[i].name);
    }
}

static void put_signature(work *w, const cli_field *f)
{
    cli_field field[TFL_SIGNATURE_SUBGRAPH + 1];
    size_t const at = begin_tables(w, f, 1);
    memset(field, 0, sizeof field);
    cli_copy_offset(&field[TFL_SIGNATURE_INPUTS]);
    cli_copy_offset(&field[TFL_SIGNATURE_OUTPUTS]);
    cli_copy_offset(&field[TFL_SIGNATURE_KEY]);
    cli_copy_number(&field[TFL_SIGNATURE_SUBGRAPH], 4, 0);
    cli_copy_table(&w->copy, at, field, TFL_SIGNATURE_SUBGRAPH + 1);
    cli_copy_text(&w->copy, field[TFL_SIGNATURE_KEY].at, gsp_str_of("serving_default"));
    put_map(w, &field[TFL_SIGNATURE_INPUTS], &w->source->inputs);
    put_map(w, &field[TFL_SIGNATURE_OUTPUTS], &w->source->outputs);
}

/* Of the metadata, only the version that the runtime needs is true of a part; the rest numbers
 * tensors, or describes the whole. Returns the index of its buffer, or 0. */
static uint32_t runtime_buffer(work *w, gsp_str name)
{
    tfl_file *f = &w->copy.file;
    tfl_vector const v = tfl_vector_of(f, &w->source->root, TFL_MODEL_METADATA, 4);
    uint32_t i;
    for (i = 0; i < v.n; i++) {
        tfl_table const t = tfl_element(f, &v, i);
        if (gsp_str_equal(tfl_text_of(f, &t, TFL_METADATA_NAME), name)) {
            return buffer_index(w, tfl_u32(f, &t, TFL_METADATA_BUFFER));
        }
    }
    return 0;
}

static void put_metadata(work *w, const cli_field *f, uint32_t buffer, gsp_str name)
{
    cli_field field[TFL_METADATA_BUFFER + 1];
    size_t const at = begin_tables(w, f, 1);
    memset(field, 0, sizeof field);
    cli_copy_offset(&field[TFL_METADATA_NAME]);
    cli_copy_number(&field[TFL_METADATA_BUFFER], 4, buffer);
    cli_copy_table(&w->copy, at, field, TFL_METADATA_BUFFER + 1);
    cli_copy_text(&w->copy, field[TFL_METADATA_NAME].at, name);
}

static void put_description(work *w, const cli_field *f)
{
    gsp_str const whole = tfl_text_of(&w->copy.file, &w->source->root, TFL_MODEL_DESCRIPTION);
    gsp_str text;
    cli_buffer b;
    cli_buffer_init(&b, w->session);
    cli_printf(&b, "Part %s, made by graphsplit. ", w->part->name);
    cli_put_text(&b, whole);
    text.data = b.data;
    text.size = (uint32_t)b.size - (whole.size == 0u ? 1u : 0u);
    cli_copy_text(&w->copy, f->at, text);
    cli_release(w->session, b.data);
}

static void put_model(work *w)
{
    gsp_str const runtime = gsp_str_of("min_runtime_version");
    uint32_t const buffer = runtime_buffer(w, runtime);
    cli_field field[TFL_MODEL_SIGNATURES + 1];
    memset(field, 0, sizeof field);
    cli_put(w->copy.out, "\0\0\0\0TFL3", 8);
    cli_copy_number(&field[TFL_MODEL_VERSION], 4, w->source->model.version);
    cli_copy_offset(&field[TFL_MODEL_CODES]);
    cli_copy_offset(&field[TFL_MODEL_SUBGRAPHS]);
    cli_copy_offset(&field[TFL_MODEL_DESCRIPTION]);
    cli_copy_offset(&field[TFL_MODEL_BUFFERS]);
    cli_copy_offset(&field[TFL_MODEL_SIGNATURES]);
    if (buffer != 0u) {
        cli_copy_offset(&field[TFL_MODEL_METADATA]);
    }
    cli_copy_table(&w->copy, 0, field, TFL_MODEL_SIGNATURES + 1);
    put_codes(w, &field[TFL_MODEL_CODES]);
    put_description(w, &field[TFL_MODEL_DESCRIPTION]);
    put_subgraphs(w, &field[TFL_MODEL_SUBGRAPHS]);
    put_signature(w, &field[TFL_MODEL_SIGNATURES]);
    if (buffer != 0u) {
        put_metadata(w, &field[TFL_MODEL_METADATA], buffer, runtime);
    }
    put_buffers(w, &field[TFL_MODEL_BUFFERS]);
    cli_copy_end(&w->copy);
}

int cli_tflite_part(cli_session *s, const cli_part *part, cli_buffer *out, cli_buffer *why)
{
    work w;
    char text[TFLITE_SENTENCE];
    memset(&w, 0, sizeof w);
    w.session = s;
    w.part = part;
    w.source = s->source;
    w.why = why;
    cli_copy_begin(&w.copy, &s->source->model, out);
    if (s->source->uses == NULL) {
        open_source(&w);
    }
    w.copy.graph_at = s->source->graph_at;
    collect(&w);
    collect_graphs(&w);
    if (s->source->part_operators.n != 0u) {
        check_variables(&w);
        check_state(&w);
        put_model(&w);
    }
    close_part(s->source);
    if (!tfl_ok(&w.copy.file)) {
        (void)tflite_sentence(&w.copy.err, text, sizeof text);
        return cli_error(s, w.copy.err.status, "%s: %s", s->path, text);
    }
    if (w.copy.why != NULL && why->size == 0) {
        cli_puts(why, w.copy.why);
    }
    if (why->size != 0) {
        out->size = 0;
    }
    return CLI_EXIT_OK;
}
