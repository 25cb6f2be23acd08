/* A memory plan in a .tflite file. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

static tfl_table graph_of(tfl_file *f, uint32_t graph)
{
    tfl_table const root = tfl_table_at(f, tfl_u32_at(f, 0));
    tfl_vector const graphs = tfl_vector_of(f, &root, TFL_MODEL_SUBGRAPHS, 4);
    return tfl_element(f, &graphs, graph);
}

static uint32_t n_tensors_of(tfl_file *f, uint32_t graph)
{
    tfl_table const t = graph_of(f, graph);
    return tfl_vector_of(f, &t, TFL_SUBGRAPH_TENSORS, 4).n;
}

/* The memory of a node of several results is that of results that nothing reads: the tensor of the
 * only one, or GSP_NONE. */
static uint32_t only_dead(
    const tflite_model *m, const gsp_graph *g, gsp_node v, const uint64_t *offsets)
{
    uint32_t found = GSP_NONE;
    uint32_t n_found = 0;
    uint32_t n;
    const gsp_node *users = gsp_node_users(g, v, &n);
    for (; n > 0; n--) {
        if (offsets[g->first + users[n - 1u]] == UINT64_MAX) {
            found = m->item[g->first + users[n - 1u]];
            n_found++;
        }
    }
    return n_found == 1u ? found : GSP_NONE;
}

/* The tensor of a graph that a node represents, or GSP_NONE. */
static uint32_t tensor_of(
    tfl_file *f, const tflite_model *m, const gsp_graph *g, gsp_node v, const uint64_t *offsets)
{
    uint32_t const item = m->item[g->first + v];
    gsp_str const target = gsp_module_str(g->module, g->module->target[g->first + v]);
    tfl_table const graph = graph_of(f, g->id);
    tfl_vector const operators = tfl_vector_of(f, &graph, TFL_SUBGRAPH_OPERATORS, 4);
    if (!gsp_node_is_callable(g, v) || gsp_str_equal(target, gsp_str_of("operator.getitem"))) {
        return item;
    }
    tfl_table const o = tfl_element(f, &operators, item);
    tfl_vector const made = tfl_vector_of(f, &o, TFL_OPERATOR_OUTPUTS, 4);
    return made.n == 1u ? (uint32_t)tfl_number(f, &made, 0) : only_dead(m, g, v, offsets);
}

uint32_t cli_tflite_offsets(
    tfl_file *f, const tflite_model *m, const uint64_t *offsets, uint32_t *numbers)
{
    uint32_t first = 0;
    uint32_t i;
    gsp_node v;
    for (i = 0; i < m->module.counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(&m->module, i);
        uint32_t const n = n_tensors_of(f, i);
        for (v = 0; v < g.n_nodes && numbers != NULL; v++) {
            uint32_t const t =
                offsets[g.first + v] != UINT64_MAX ? tensor_of(f, m, &g, v, offsets) : GSP_NONE;
            if (t < n) {
                numbers[first + t] = (uint32_t)offsets[g.first + v];
            }
        }
        first += n;
    }
    return first;
}

/* The buffer: version, subgraphs, number of tensors of all of them, an offset for each. */
static void put_plan(cli_amend *w, size_t place, const uint64_t *offsets)
{
    uint32_t const n_graphs = w->model->module.counts.graphs;
    cli_copier *c = &w->copy;
    uint32_t const n = cli_tflite_offsets(&c->file, w->model, offsets, NULL);
    uint32_t *numbers = (uint32_t *)cli_alloc(w->session, (size_t)n + 1u, sizeof *numbers);
    uint32_t i;
    size_t at;
    cli_field data[TFL_BUFFER_DATA + 1];
    memset(data, 0, sizeof data);
    cli_copy_offset(&data[TFL_BUFFER_DATA]);
    cli_copy_table(c, place, data, TFL_BUFFER_DATA + 1);
    memset(numbers, 0xFF, (size_t)n * sizeof *numbers);
    (void)cli_tflite_offsets(&c->file, w->model, offsets, numbers);
    cli_amend_align(w, CLI_AMEND_ALIGN - 4u);
    at = cli_copy_numbers(c, data[TFL_BUFFER_DATA].at, n + 3u);
    cli_copy_set(c, at - 4u, 4u * (n + 3u)); /* bytes, not numbers */
    cli_copy_set(c, at, 1);
    cli_copy_set(c, at + 4u, n_graphs);
    cli_copy_set(c, at + 8u, n);
    for (i = 0; i < n; i++) {
        cli_copy_set(c, at + 12u + 4u * (size_t)i, numbers[i]);
    }
    cli_release(w->session, numbers);
}

static void put_metadata(cli_amend *w, size_t place, uint32_t buffer)
{
    cli_field field[TFL_METADATA_BUFFER + 1];
    memset(field, 0, sizeof field);
    cli_copy_offset(&field[TFL_METADATA_NAME]);
    cli_copy_number(&field[TFL_METADATA_BUFFER], 4, buffer);
    cli_copy_table(&w->copy, place, field, TFL_METADATA_BUFFER + 1);
    cli_copy_text(&w->copy, field[TFL_METADATA_NAME].at, gsp_str_of(CLI_AMEND_PLAN));
}

int cli_tflite_offline(cli_session *s, const uint64_t *offsets, cli_buffer *out)
{
    cli_field field[CLI_AMEND_FIELDS];
    tfl_vector buffers;
    cli_amend w;
    size_t at;
    if (!cli_amend_begin(&w, s, out)) {
        return CLI_EXIT_FAILED;
    }
    buffers = tfl_vector_of(&w.copy.file, &w.root, TFL_MODEL_BUFFERS, 4);
    cli_amend_root(&w, field, 1u << TFL_MODEL_BUFFERS | 1u << TFL_MODEL_METADATA);
    at = cli_amend_tables(&w, field[TFL_MODEL_BUFFERS].at, &buffers, 0, buffers.n + 1u);
    put_plan(&w, at + 4u * (size_t)buffers.n, offsets);
    at = cli_amend_metadata(&w, field[TFL_MODEL_METADATA].at, 1);
    put_metadata(&w, at, buffers.n);
    return cli_amend_end(&w);
}
