/* Runs a real network with plain C kernels: whole, and split between a CPU and an accelerator that
 * takes convolutions and poolings. Every output is compared bit for bit, and every submodule is run
 * once more, alone, on the inputs that it was given.
 *     cc -I. -o run_network examples/run_network.c && ./run_network [examples/models/onnx_mnist.fx]
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SUBMODULES = 16, MAX_VALUES = 8, MAX_OURS = 128, RANK = 4 };

/* ---- tensors: a value is a pointer to one ---- */

typedef struct tensor {
    uint32_t dims[RANK]; /* padded with ones in front */
    uint32_t n;
    float data[1]; /* [n] */
} tensor;

static int alive;              /* tensors not yet freed */
static tensor *ours[MAX_OURS]; /* inputs, parameters, outputs: not released by the runner */
static int n_ours;

static tensor *of(gsp_value value)
{
    return (tensor *)(uintptr_t)value;
}

static gsp_value value_of(tensor *t)
{
    return (gsp_value)(uintptr_t)t;
}

/* A tensor of the TYPE of a node: f32[1, 8, 28, 28]. */
static tensor *tensor_like(const gsp_graph *graph, gsp_node node)
{
    uint32_t dims[RANK] = {1, 1, 1, 1}, at = 0, n = 1;
    gsp_str dtype, text;
    if (gsp_type_next(gsp_node_type(graph, node), &at, &dtype, &text)) {
        for (uint32_t begin = 0, i = 0; i <= text.size; i++) {
            uint64_t dim = 1;
            gsp_str number = {text.data + begin, i - begin};
            if (i < text.size && text.data[i] != ',') {
                continue;
            }
            if (gsp_str_number(number, &dim)) {
                memmove(dims, dims + 1, (RANK - 1) * sizeof *dims);
                dims[RANK - 1] = (uint32_t)dim;
                n *= (uint32_t)dim;
            }
            begin = i + 2; /* the comma and a blank */
        }
    }
    tensor *t = (tensor *)calloc(1, sizeof *t + n * sizeof(float));
    if (!t) {
        exit(1);
    }
    memcpy(t->dims, dims, sizeof dims);
    t->n = n;
    alive++;
    return t;
}

static void release(void *user, gsp_value value)
{
    (void)user;
    free(of(value));
    alive--;
}

static gsp_value keep(tensor *t)
{
    ours[n_ours++] = t;
    return value_of(t);
}

/* Small whole numbers, so that every sum is exact on every machine. */
static void fill(tensor *t, gsp_str name)
{
    uint32_t seed = 1;
    for (uint32_t i = 0; i < name.size; i++) {
        seed = seed * 31u + (unsigned char)name.data[i];
    }
    for (uint32_t i = 0; i < t->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        t->data[i] = (float)(seed >> 30) - 1.0f;
    }
}

/* ---- kernels ---- */

static float at(const tensor *t, uint32_t a, uint32_t b, uint32_t y, uint32_t x)
{
    if (y >= t->dims[2] || x >= t->dims[3]) {
        return 0.0f; /* padding; a negative index wraps around and is beyond the end */
    }
    return t->data[((a * t->dims[1] + b) * t->dims[2] + y) * t->dims[3] + x];
}

static void convolve(tensor *out, const tensor *in, const tensor *weight)
{
    uint32_t pad = (weight->dims[2] - 1u) / 2u, i = 0;
    for (uint32_t c = 0; c < out->dims[1]; c++) {
        for (uint32_t y = 0; y < out->dims[2]; y++) {
            for (uint32_t x = 0; x < out->dims[3]; x++, i++) {
                for (uint32_t k = 0; k < weight->n / weight->dims[0]; k++) {
                    uint32_t dx = k % weight->dims[3], dy = k / weight->dims[3] % weight->dims[2];
                    uint32_t from = k / (weight->dims[3] * weight->dims[2]);
                    out->data[i] +=
                        at(in, 0, from, y + dy - pad, x + dx - pad) * at(weight, c, from, dy, dx);
                }
            }
        }
    }
}

static void pool(tensor *out, const tensor *in, uint32_t size)
{
    for (uint32_t i = 0; i < out->n; i++) {
        uint32_t x = i % out->dims[3], y = i / out->dims[3] % out->dims[2];
        uint32_t c = i / (out->dims[3] * out->dims[2]);
        out->data[i] = at(in, 0, c, y * size, x * size);
        for (uint32_t k = 0; k < size * size; k++) {
            float found = at(in, 0, c, y * size + k / size, x * size + k % size);
            out->data[i] = found > out->data[i] ? found : out->data[i];
        }
    }
}

/* b has the shape of a, or one number per channel. */
static void add(tensor *out, const tensor *a, const tensor *b)
{
    for (uint32_t i = 0; i < out->n; i++) {
        out->data[i] = a->data[i] + b->data[i / (out->n / b->n)];
    }
}

static void multiply(tensor *out, const tensor *a, const tensor *b)
{
    uint32_t columns = b->dims[3];
    for (uint32_t i = 0; i < out->n; i++) {
        for (uint32_t k = 0; k < b->dims[2]; k++) {
            out->data[i] += a->data[k] * b->data[k * columns + i % columns];
        }
    }
}

/* The only callback: the requested operation, and its node. */
static gsp_status kernel(void *user, const gsp_call *call)
{
    tensor *out = tensor_like(&call->graph, call->node);
    gsp_str target = gsp_node_target(&call->graph, call->node);
    const tensor *a = call->n_args > 0 ? of(call->values[0]) : NULL;
    const tensor *b = call->n_args > 1 ? of(call->values[1]) : NULL;
    (void)user;
    call->results[0] = value_of(out);
    if (call->request == GSP_REQUEST_ATTR) {
        fill(of(keep(out)), target);
    } else if (gsp_str_equal(target, gsp_str_of("onnx.Conv"))) {
        convolve(out, a, b);
    } else if (gsp_str_equal(target, gsp_str_of("onnx.Add"))) {
        add(out, a, b);
    } else if (gsp_str_equal(target, gsp_str_of("onnx.MatMul"))) {
        multiply(out, a, b);
    } else if (gsp_str_equal(target, gsp_str_of("onnx.Reshape"))) {
        memcpy(out->data, a->data, out->n * sizeof(float));
    } else if (gsp_str_equal(target, gsp_str_of("onnx.Relu"))) {
        for (uint32_t i = 0; i < out->n; i++) {
            out->data[i] = a->data[i] > 0.0f ? a->data[i] : 0.0f;
        }
    } else if (gsp_str_equal(target, gsp_str_of("onnx.MaxPool"))) {
        uint64_t size = 1; /* kernel_shape: [2, 2] stands as KEY LIST CONSTANT ... */
        gsp_str_number(gsp_call_str(call, gsp_call_find(call, 9, "kernel_shape") + 1), &size);
        pool(out, a, (uint32_t)size);
    } else {
        release(NULL, call->results[0]);
        return GSP_STATUS_UNDEFINED; /* stops the run with an error at this node */
    }
    return GSP_OK;
}

/* ---- whole, split, and each part ---- */

typedef struct part {
    uint32_t graph;
    uint32_t n;
    gsp_value inputs[MAX_VALUES];
} part;

typedef struct parts {
    uint32_t n;
    part of[MAX_SUBMODULES];
} parts;

/* Copies the inputs of a submodule, since the originals are released during the run. */
static gsp_status keep_inputs(void *user, const gsp_call *call)
{
    parts *p = (parts *)user;
    part *kept = &p->of[p->n++];
    if (p->n > MAX_SUBMODULES || call->n_args > MAX_VALUES) {
        return GSP_STATUS_LIMIT;
    }
    kept->graph = call->child;
    kept->n = call->n_args;
    for (uint32_t i = 0; i < call->n_args; i++) {
        const tensor *t = of(call->values[i]);
        size_t bytes = sizeof *t + t->n * sizeof(float);
        tensor *copy = (tensor *)malloc(bytes);
        if (!copy) {
            return GSP_STATUS_NOMEM;
        }
        kept->inputs[i] = keep((tensor *)memcpy(copy, t, bytes));
        alive++;
    }
    return GSP_OK;
}

static void must(gsp_status status, const gsp_error *error)
{
    if (status != GSP_OK) {
        printf("%s: %s (node %u)\n", gsp_status_name(status), gsp_detail_text(error->detail),
            (unsigned)error->node);
        exit(1);
    }
}

static uint32_t run(gsp_arena *arena, const gsp_module *module, uint32_t graph_id,
    gsp_value *inputs, parts *kept, gsp_value *outputs)
{
    gsp_graph graph = gsp_module_graph(module, graph_id);
    gsp_exec_desc desc = {0};
    gsp_exec_plan frames;
    gsp_error error;
    gsp_str name = gsp_module_str(module, module->graphs[graph_id].name);
    desc.kernel = kernel;
    desc.release = release;
    desc.enter = kept ? keep_inputs : NULL;
    desc.user = kept;
    must(gsp_exec_plan_run(arena, &graph, NULL, &frames, &error), &error);
    must(gsp_exec_run(arena, &frames, &desc, inputs, outputs, &error), &error);
    printf("%-13.*s %u input(s), %u output(s), at most %u bytes alive\n", (int)name.size, name.data,
        (unsigned)frames.n_inputs, (unsigned)frames.n_outputs, (unsigned)frames.peak_bytes);
    for (uint32_t i = 0; i < frames.n_outputs; i++) {
        keep(of(outputs[i]));
    }
    return frames.n_outputs;
}

static void split(gsp_arena *arena, const gsp_module *module, gsp_module *made)
{
    static const gsp_table_entry entries[] = {{{"onnx.Conv", 9}, {NULL, 0}, NULL, 0, 0, {NULL, 0}},
        {{"onnx.MaxPool", 12}, {NULL, 0}, NULL, 0, 0, {NULL, 0}}};
    static gsp_str names[MAX_SUBMODULES];
    static char tags[MAX_SUBMODULES][32];
    gsp_rule rule = {0};
    gsp_accelerator accelerator = {&rule, 1};
    gsp_support_desc support = {0};
    gsp_split_desc desc = {0};
    gsp_split_by_tags_desc tags_desc = {0};
    gsp_graph graph = gsp_module_graph(module, 0);
    gsp_placement placement;
    gsp_split_result result;
    gsp_split_by_tags_result tagged;
    gsp_error error;
    rule.kind = GSP_RULE_TABLE;
    rule.table.entries = entries;
    rule.table.n_entries = 2;
    support.accelerators = &accelerator;
    support.n_accelerators = 1;
    desc.placement = &placement;
    desc.limit = MAX_SUBMODULES;
    must(gsp_support_run(arena, &graph, &support, &placement, &error), &error);
    must(gsp_split_run(arena, &graph, &desc, &result, &error), &error);
    for (uint32_t i = 0; i < result.n_subgraphs; i++) {
        names[i].size = (uint32_t)gsp_split_tag(&result, i, tags[i], sizeof tags[i]);
        names[i].data = tags[i];
    }
    tags_desc.n_tags = result.n_subgraphs;
    tags_desc.tag_of = result.subgraph_of;
    tags_desc.names = names;
    must(gsp_split_by_tags_run(arena, &graph, &tags_desc, &tagged, &error), &error);
    *made = tagged.module;
}

static const char *compare(const gsp_value *a, const gsp_value *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (of(a[i])->n != of(b[i])->n ||
            memcmp(of(a[i])->data, of(b[i])->data, of(a[i])->n * sizeof(float)) != 0) {
            return "DIFFERENT";
        }
    }
    return "equal bit for bit";
}

int main(int argc, char **argv)
{
    static uint64_t memory[1 << 17];
    static char text[1 << 16];
    const char *path = argc > 1 ? argv[1] : "examples/models/onnx_mnist.fx";
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    static parts kept;
    gsp_value whole[MAX_VALUES], divided[MAX_VALUES], again[MAX_VALUES], input;
    gsp_arena arena;
    gsp_module module, made;
    gsp_error error;
    gsp_graph graph;
    uint32_t n;
    gsp_arena_init(&arena, memory, sizeof memory);
    must(gsp_text_read(&arena, text, size, NULL, &module, &error), &error);
    graph = gsp_module_graph(&module, 0);
    input = keep(tensor_like(&graph, 0));
    fill(of(input), gsp_node_name(&graph, 0));
    split(&arena, &module, &made);
    n = run(&arena, &module, 0, &input, NULL, whole);
    (void)run(&arena, &made, 0, &input, &kept, divided);
    for (uint32_t i = 0; i < kept.n; i++) {
        (void)run(&arena, &made, kept.of[i].graph, kept.of[i].inputs, NULL, again);
    }
    printf("whole and split: %s\n", compare(whole, divided, n));
    printf("whole and the last part alone: %s\n", compare(whole, again, n));
    for (uint32_t i = 0; i < of(whole[0])->n; i++) {
        printf("%s%.0f", i > 0 ? " " : "", (double)of(whole[0])->data[i]);
    }
    while (n_ours > 0) {
        release(NULL, value_of(ours[--n_ours]));
    }
    printf("\ntensors that nobody freed: %d\n", alive);
    if (file) {
        fclose(file);
    }
    return 0;
}
