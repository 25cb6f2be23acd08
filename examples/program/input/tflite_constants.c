/* Constants and quantisation of a TensorFlow Lite model. */
#include "input/input.h"

#include <string.h>

typedef struct source {
    tfl_file *file;
    tfl_table root;
    tfl_table graph;
} source;

static void open_source(cli_session *s, cli_copier *copier, source *w)
{
    cli_buffer none;
    tfl_vector graphs;
    cli_buffer_init(&none, s);
    cli_copy_begin(copier, cli_tflite_model(s), &none);
    w->file = &copier->file;
    w->root = tfl_table_at(w->file, tfl_u32_at(w->file, 0));
    graphs = tfl_vector_of(w->file, &w->root, TFL_MODEL_SUBGRAPHS, 4);
    w->graph = tfl_element(w->file, &graphs, 0);
}

static tfl_table operator_of(source *w, uint32_t item)
{
    tfl_vector const operators = tfl_vector_of(w->file, &w->graph, TFL_SUBGRAPH_OPERATORS, 4);
    return tfl_element(w->file, &operators, item);
}

static tfl_table tensor_of(cli_session *s, source *w, gsp_node v)
{
    gsp_graph const g = gsp_module_graph(&s->module, 0);
    tfl_vector const tensors = tfl_vector_of(w->file, &w->graph, TFL_SUBGRAPH_TENSORS, 4);
    uint32_t item = cli_tflite_model(s)->item[v];
    if (gsp_node_is_callable(&g, v)) {
        tfl_table const o = operator_of(w, item);
        tfl_vector const made = tfl_vector_of(w->file, &o, TFL_OPERATOR_OUTPUTS, 4);
        item = (uint32_t)tfl_number(w->file, &made, 0);
    }
    return tfl_element(w->file, &tensors, item);
}

cli_tflite_value cli_tflite_tensor(cli_session *s, gsp_node v)
{
    cli_copier copier;
    cli_tflite_value made;
    source w;
    tfl_table t;
    tfl_table q;
    tfl_table b;
    tfl_vector data;
    tfl_vector buffers;
    memset(&made, 0, sizeof made);
    open_source(s, &copier, &w);
    t = tensor_of(s, &w, v);
    buffers = tfl_vector_of(w.file, &w.root, TFL_MODEL_BUFFERS, 4);
    b = tfl_element(w.file, &buffers, tfl_u32(w.file, &t, TFL_TENSOR_BUFFER));
    data = tfl_vector_of(w.file, &b, TFL_BUFFER_DATA, 1);
    made.at = data.at;
    made.bytes = data.n;
    q = tfl_table_of(w.file, &t, TFL_TENSOR_QUANTIZATION);
    data = tfl_vector_of(w.file, &q, TFL_QUANT_SCALE, 4);
    made.scales = data.at;
    made.n_scales = data.n;
    data = tfl_vector_of(w.file, &q, TFL_QUANT_ZERO, 8);
    made.zero = data.n != 0 ? (int64_t)tfl_u64_at(w.file, data.at) : 0;
    return made;
}

float cli_tflite_scale(cli_session *s, const cli_tflite_value *t, uint32_t i)
{
    const unsigned char *from = cli_tflite_model(s)->data + t->scales + 4u * (size_t)i;
    uint32_t const bits = (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
                          (uint32_t)from[3] << 24;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}
