/* A memory plan in a .tflite file. New tables precede the bytes of the file, which do not change,
 * since offsets of a FlatBuffer are relative and lead forward. Only offsets from the start of the
 * file grow; they lead to data after the tables of a large model. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

#define FIELDS (TFL_MODEL_SIGNATURES + 1)
#define FIRST  8u /* first byte that moves, after root offset and format name */
#define ALIGN  16u

/* A place in the output that leads to a byte of the file. */
typedef struct link {
    size_t place;
    uint64_t to;
} link;

typedef struct work {
    cli_session *session;
    const tflite_model *model;
    cli_copier copy;
    tfl_table root;
    link *links;
    size_t n_links;
    size_t room;
} work;

static const char name_of_plan[] = "OfflineMemoryAllocation";

static void add_link(work *w, size_t place, uint64_t to)
{
    if (w->n_links == w->room) {
        w->room = w->room * 2u + 64u;
        w->links = (link *)cli_grow(w->session, w->links, w->room * sizeof *w->links);
    }
    w->links[w->n_links].place = place;
    w->links[w->n_links++].to = to;
}

/* A vector of tables that the file has; the offsets after the first `n` are set later. Returns
 * their offset. */
static size_t put_tables(work *w, size_t place, const tfl_vector *old, uint32_t n)
{
    size_t const at = cli_copy_numbers(&w->copy, place, n);
    uint32_t i;
    for (i = 0; i < old->n && tfl_ok(&w->copy.file); i++) {
        add_link(w, at + 4u * (size_t)i, tfl_element(&w->copy.file, old, i).at);
    }
    return at + 4u * (size_t)old->n;
}

static void align(work *w, size_t rest)
{
    static const char zeros[ALIGN] = {0};
    cli_put(w->copy.out, zeros, (rest - w->copy.out->size) & (ALIGN - 1u));
}

/* ---- the plan ---- */

static tfl_vector tensors_of(work *w, uint32_t graph)
{
    tfl_file *f = &w->copy.file;
    tfl_vector const graphs = tfl_vector_of(f, &w->root, TFL_MODEL_SUBGRAPHS, 4);
    tfl_table const t = tfl_element(f, &graphs, graph);
    return tfl_vector_of(f, &t, TFL_SUBGRAPH_TENSORS, 4);
}

/* The memory of a node of several results is that of results that nothing reads: the tensor of the
 * only one, or GSP_NONE. */
static uint32_t only_dead(const work *w, const gsp_graph *g, gsp_node v, const uint64_t *offsets)
{
    uint32_t found = GSP_NONE;
    uint32_t n_found = 0;
    uint32_t n;
    const gsp_node *users = gsp_node_users(g, v, &n);
    for (; n > 0; n--) {
        if (offsets[g->first + users[n - 1u]] == UINT64_MAX) {
            found = w->model->item[g->first + users[n - 1u]];
            n_found++;
        }
    }
    return n_found == 1u ? found : GSP_NONE;
}

/* The tensor of a graph that a node represents, or GSP_NONE. */
static uint32_t tensor_of(work *w, const gsp_graph *g, gsp_node v, const uint64_t *offsets)
{
    tfl_file *f = &w->copy.file;
    uint32_t const item = w->model->item[g->first + v];
    gsp_str const target = gsp_module_str(g->module, g->module->target[g->first + v]);
    tfl_vector const graphs = tfl_vector_of(f, &w->root, TFL_MODEL_SUBGRAPHS, 4);
    tfl_table const graph = tfl_element(f, &graphs, g->id);
    tfl_vector const operators = tfl_vector_of(f, &graph, TFL_SUBGRAPH_OPERATORS, 4);
    if (!gsp_node_is_callable(g, v) || gsp_str_equal(target, gsp_str_of("operator.getitem"))) {
        return item;
    }
    tfl_table const o = tfl_element(f, &operators, item);
    tfl_vector const made = tfl_vector_of(f, &o, TFL_OPERATOR_OUTPUTS, 4);
    return made.n == 1u ? (uint32_t)tfl_number(f, &made, 0) : only_dead(w, g, v, offsets);
}

/* The offsets of the tensors of a graph, from `at` on. */
static void put_offsets(work *w, size_t at, uint32_t graph, const uint64_t *offsets)
{
    gsp_graph const g = gsp_module_graph(&w->model->module, graph);
    uint32_t const n = tensors_of(w, graph).n;
    gsp_node v;
    for (v = 0; v < g.n_nodes; v++) {
        if (offsets[g.first + v] != UINT64_MAX) {
            uint32_t const t = tensor_of(w, &g, v, offsets);
            if (t < n) {
                cli_copy_set(&w->copy, at + 4u * (size_t)t, (uint32_t)offsets[g.first + v]);
            }
        }
    }
}

/* The buffer: version, subgraphs, number of tensors of all of them, an offset for each. */
static void put_plan(work *w, size_t place, const uint64_t *offsets)
{
    uint32_t const n_graphs = w->model->module.counts.graphs;
    cli_copier *c = &w->copy;
    uint32_t n = 0;
    uint32_t i;
    size_t at;
    cli_field data[TFL_BUFFER_DATA + 1];
    memset(data, 0, sizeof data);
    cli_copy_offset(&data[TFL_BUFFER_DATA]);
    cli_copy_table(c, place, data, TFL_BUFFER_DATA + 1);
    for (i = 0; i < n_graphs; i++) {
        n += tensors_of(w, i).n;
    }
    align(w, ALIGN - 4u);
    at = cli_copy_numbers(c, data[TFL_BUFFER_DATA].at, n + 3u);
    cli_copy_set(c, at - 4u, 4u * (n + 3u)); /* bytes, not numbers */
    cli_copy_set(c, at, 1);
    cli_copy_set(c, at + 4u, n_graphs);
    cli_copy_set(c, at + 8u, n);
    for (i = 0; i < n; i++) {
        cli_copy_set(c, at + 12u + 4u * (size_t)i, UINT32_MAX);
    }
    for (i = 0, n = 0; i < n_graphs; i++) {
        put_offsets(w, at + 12u + 4u * (size_t)n, i, offsets);
        n += tensors_of(w, i).n;
    }
}

static void put_metadata(work *w, size_t place, uint32_t buffer)
{
    cli_field field[TFL_METADATA_BUFFER + 1];
    memset(field, 0, sizeof field);
    cli_copy_offset(&field[TFL_METADATA_NAME]);
    cli_copy_number(&field[TFL_METADATA_BUFFER], 4, buffer);
    cli_copy_table(&w->copy, place, field, TFL_METADATA_BUFFER + 1);
    cli_copy_text(&w->copy, field[TFL_METADATA_NAME].at, gsp_str_of(name_of_plan));
}

/* All metadata but an older plan, then the new one. */
static void put_all_metadata(work *w, size_t place, uint32_t buffer)
{
    tfl_file *f = &w->copy.file;
    tfl_vector const old = tfl_vector_of(f, &w->root, TFL_MODEL_METADATA, 4);
    uint32_t kept = 0;
    uint32_t pass;
    uint32_t i;
    size_t at = 0;
    for (pass = 0; pass < 2u; pass++) {
        if (pass != 0) {
            at = cli_copy_numbers(&w->copy, place, kept + 1u);
        }
        for (i = 0; i < old.n; i++) {
            tfl_table const t = tfl_element(f, &old, i);
            gsp_str const name = tfl_text_of(f, &t, TFL_METADATA_NAME);
            if (!gsp_str_equal(name, gsp_str_of(name_of_plan))) {
                kept += pass == 0;
                if (pass != 0) {
                    add_link(w, at, t.at);
                    at += 4u;
                }
            }
        }
    }
    put_metadata(w, at, buffer);
}

/* ---- the file ---- */

static void put_root(work *w, const uint64_t *offsets)
{
    tfl_file *f = &w->copy.file;
    tfl_vector const buffers = tfl_vector_of(f, &w->root, TFL_MODEL_BUFFERS, 4);
    cli_field field[FIELDS];
    size_t at;
    uint32_t i;
    memset(field, 0, sizeof field);
    cli_put(w->copy.out, "\0\0\0\0TFL3", FIRST);
    for (i = 0; i < FIELDS; i++) {
        if (i == TFL_MODEL_BUFFERS || i == TFL_MODEL_METADATA ||
            tfl_field(f, &w->root, i, 4) != 0u) {
            cli_copy_offset(&field[i]);
        }
    }
    cli_copy_number(&field[TFL_MODEL_VERSION], 4, w->model->version);
    cli_copy_table(&w->copy, 0, field, FIELDS);
    for (i = 0; i < FIELDS; i++) {
        uint64_t const from = tfl_field(f, &w->root, i, 4);
        if (from != 0u && i != TFL_MODEL_VERSION && i != TFL_MODEL_BUFFERS &&
            i != TFL_MODEL_METADATA) {
            add_link(w, field[i].at, from + tfl_u32_at(f, from));
        }
    }
    at = put_tables(w, field[TFL_MODEL_BUFFERS].at, &buffers, buffers.n + 1u);
    put_plan(w, at, offsets);
    put_all_metadata(w, field[TFL_MODEL_METADATA].at, buffers.n);
    align(w, FIRST);
}

/* Moves an offset from the start of the file, which is 64 bits wide. */
static void move_offset(work *w, const tfl_table *t, uint32_t field, uint64_t by)
{
    uint64_t const at = tfl_field(&w->copy.file, t, field, 8);
    uint64_t const old = tfl_u64(&w->copy.file, t, field);
    if (old > 1u) {
        cli_copy_set(&w->copy, (size_t)(at + by), (uint32_t)(old + by));
        cli_copy_set(&w->copy, (size_t)(at + by) + 4u, (uint32_t)((old + by) >> 32));
    }
}

static void move_offsets(work *w, uint64_t by)
{
    tfl_file *f = &w->copy.file;
    tfl_vector const buffers = tfl_vector_of(f, &w->root, TFL_MODEL_BUFFERS, 4);
    tfl_vector const graphs = tfl_vector_of(f, &w->root, TFL_MODEL_SUBGRAPHS, 4);
    uint32_t i;
    uint32_t k;
    for (i = 0; i < buffers.n; i++) {
        tfl_table const t = tfl_element(f, &buffers, i);
        move_offset(w, &t, TFL_BUFFER_OFFSET, by);
    }
    for (i = 0; i < graphs.n; i++) {
        tfl_table const graph = tfl_element(f, &graphs, i);
        tfl_vector const operators = tfl_vector_of(f, &graph, TFL_SUBGRAPH_OPERATORS, 4);
        for (k = 0; k < operators.n; k++) {
            tfl_table const o = tfl_element(f, &operators, k);
            move_offset(w, &o, TFL_OPERATOR_LARGE_OFFSET, by);
        }
    }
}

int cli_tflite_offline(cli_session *s, const uint64_t *offsets, cli_buffer *out)
{
    char text[TFLITE_SENTENCE];
    uint64_t by;
    size_t i;
    work w;
    memset(&w, 0, sizeof w);
    w.session = s;
    w.model = cli_tflite_model(s);
    cli_copy_begin(&w.copy, w.model, out);
    w.root = tfl_table_at(&w.copy.file, tfl_u32_at(&w.copy.file, 0));
    if (w.root.size > 4u + 2u * FIELDS || w.model->size > INT32_MAX / 2u) {
        return cli_error(s, GSP_STATUS_LIMIT, "%s: its model has %s, so that no plan can be added",
            s->path, w.root.size > 4u + 2u * FIELDS ? "fields of a later version" : "1 GiB");
    }
    put_root(&w, offsets);
    by = out->size - FIRST;
    for (i = 0; i < w.n_links; i++) {
        cli_copy_set(&w.copy, w.links[i].place, (uint32_t)(w.links[i].to + by - w.links[i].place));
    }
    cli_put(out, (const char *)w.model->data + FIRST, w.model->size - FIRST);
    move_offsets(&w, by);
    if (!tfl_ok(&w.copy.file)) {
        (void)tflite_sentence(&w.copy.err, text, sizeof text);
        return cli_error(s, w.copy.err.status, "%s: %s", s->path, text);
    }
    return CLI_EXIT_OK;
}
