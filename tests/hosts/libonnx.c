/* A model of libonnx runs with memory of its own, then in one arena in the order of the plan: the
 * results are the same bits. usage: libonnx MODEL */
#include "examples/hosts/libonnx.c"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static libonnx_plan plan;

static int in_place(const struct onnx_node_t *node)
{
    return strcmp(node->proto->op_type, "Relu") == 0 || strcmp(node->proto->op_type, "Add") == 0;
}

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* What libonnx holds for the results of nodes. */
static uint64_t own_bytes(const struct onnx_context_t *c)
{
    uint64_t bytes = 0;
    for (int v = 0; v < c->g->nlen; v++) {
        for (int k = 0; k < c->g->nodes[v].noutput; k++) {
            bytes += libonnx_bytes(&plan, c->g->nodes[v].outputs[k]);
        }
    }
    return bytes;
}

int main(int argc, char **argv)
{
    gsp_error error;
    struct onnx_context_t *c = argc == 2 ? onnx_context_alloc_from_file(argv[1], NULL, 0) : NULL;
    if (c == NULL) {
        return printf("FAILED: cannot read a model\n"), 1;
    }
    struct onnx_tensor_t *x = onnx_tensor_search(c, c->model->graph->input[0]->name);
    struct onnx_tensor_t *y = onnx_tensor_search(c, c->model->graph->output[0]->name);
    for (size_t i = 0; i < x->ndata; i++) {
        ((float *)x->datas)[i] = (float)((i * 37u) % 101u) / 50.0f - 1.0f;
    }
    onnx_run(c);
    size_t const size = y->ndata * sizeof(float);
    float *want = (float *)malloc(size);
    memcpy(want, y->datas, size);

    double const start = milliseconds();
    if (libonnx_plan_make(c, &plan, 16, in_place, &error) != GSP_OK) {
        return printf("FAILED: %s\n", gsp_detail_text((gsp_detail)error.detail)), 1;
    }
    double const spent = milliseconds() - start;
    printf("libonnx      of its own %8u bytes in %d nodes\n", (unsigned)own_bytes(c), c->g->nlen);
    printf("libonnx      graphsplit %8u bytes %38.2f ms\n", (unsigned)plan.arena, spent);
    uint64_t const own = own_bytes(c);
    unsigned char *memory = (unsigned char *)malloc((size_t)plan.arena);
    memset(memory, 0xFF, (size_t)plan.arena); /* NaN in every float that nobody has written */
    libonnx_plan_bind(c, &plan, memory);
    libonnx_plan_run(c, &plan);
    if (memcmp(y->datas, want, size) != 0) {
        return printf("FAILED: the results differ\n"), 1;
    }
    if (plan.arena * 2u > own) {
        return printf("FAILED: the arena is larger than half of the tensors\n"), 1;
    }
    int reordered = 0;
    for (int v = 0; v < c->g->nlen; v++) {
        reordered |= plan.order[v] != (gsp_node)v;
    }
    return reordered ? 0 : (printf("FAILED: the order is that of the model\n"), 1);
}
