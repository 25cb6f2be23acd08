/* An adapter of libonnx, or of another runtime in C: an order of nodes that needs little memory,
 * and offsets of the tensors in one arena, without malloc. Inputs must have their shapes:
 *     libonnx_plan_make(context, &plan, 16, in_place, &error);
 *     libonnx_plan_bind(context, &plan, memory);     memory has plan.arena bytes
 *     libonnx_plan_run(context, &plan);              instead of onnx_run(context) */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_CSR_IMPLEMENTATION
#include "examples/extra/graphsplit_csr.h"

#include <onnx.h>
#include <string.h>

enum { NODES = 256, EDGES = 1024, RESULTS = 16 };

typedef struct libonnx_plan {
    uint64_t arena, align;  /* bytes */
    uint64_t offset[NODES]; /* of the first output of a node; its others follow */
    uint64_t bytes[NODES];  /* of all its outputs */
    gsp_node order[NODES];  /* of execution */
    uint32_t begin[NODES + 1], at[EDGES + 1], in_place[NODES];
    uint8_t op[NODES];
    unsigned char memory[2 * GSP_MEMORY_PLAN_BOUND(NODES, EDGES) + 8 * EDGES];
} libonnx_plan;

static uint64_t libonnx_bytes(const libonnx_plan *p, const struct onnx_tensor_t *t)
{
    uint64_t const size = t->ndata * (uint64_t)onnx_tensor_type_sizeof(t->type);
    return (size + p->align - 1u) / p->align * p->align;
}

/* Nodes of ONNX are in topological order; the last row is what the graph returns. */
static uint32_t libonnx_rows(
    struct onnx_context_t *c, libonnx_plan *p, int (*in_place)(const struct onnx_node_t *))
{
    struct onnx_tensor_t *results[RESULTS];
    uint32_t const n = (uint32_t)c->g->nlen;
    int const n_results = (int)c->model->graph->n_output;
    for (int i = 0; i < n_results; i++) {
        results[i] = onnx_tensor_search(c, c->model->graph->output[i]->name);
    }
    for (uint32_t v = 0, m = 0; v <= n; v++) {
        struct onnx_node_t *node = v < n ? &c->g->nodes[v] : NULL;
        struct onnx_tensor_t **in = node ? node->inputs : results;
        for (uint32_t u = 0; u < v && m < EDGES; u++) {
            int const n_out = c->g->nodes[u].noutput;
            uint32_t reads = 0;
            for (int i = 0; i < (node ? node->ninput : n_results) * n_out; i++) {
                reads |= in[i / n_out] == c->g->nodes[u].outputs[i % n_out];
            }
            p->at[m] = u;
            m += reads;
        }
        for (int i = 0; node && i < node->noutput; i++) {
            p->bytes[v] += libonnx_bytes(p, node->outputs[i]);
        }
        p->op[v] = node ? GSP_OP_CALL_FUNCTION : GSP_OP_OUTPUT;
        p->in_place[v] = node && in_place(node) ? ~0u : 0u;
        p->begin[v + 1u] = m;
    }
    return p->begin[n + 1u];
}

/* The best of four orders. in_place: the kernel may write where it reads, element by element. */
static gsp_status libonnx_plan_make(struct onnx_context_t *c, libonnx_plan *p, uint32_t align,
    int (*in_place)(const struct onnx_node_t *), gsp_error *err)
{
    uint32_t const n = (uint32_t)c->g->nlen;
    gsp_csr_desc rows = {
        .n_nodes = n + 1u, .begin = p->begin, .at = p->at, .op = p->op, .bytes = p->bytes};
    gsp_memory_plan_desc desc = {.align = align, .in_place = p->in_place, .n_order = n + 1u};
    gsp_memory_plan_result plan;
    gsp_topo_order_desc topo = {0};
    gsp_topo_order_result order;
    gsp_arena arena;
    gsp_module module;
    memset(p, 0, sizeof *p);
    p->align = align;
    p->arena = UINT64_MAX;
    if (n >= NODES || c->model->graph->n_output > RESULTS || libonnx_rows(c, p, in_place) >= EDGES)
        return GSP_STATUS_OVERFLOW;
    gsp_arena_init(&arena, p->memory, sizeof p->memory);
    gsp_status s = gsp_build_csr(&arena, &rows, &module, err);
    gsp_graph const g = gsp_module_graph(&module, 0);
    gsp_mark const mark = gsp_arena_mark(&arena);
    for (; topo.kind < GSP_TOPO_ORDER_COUNT && s == GSP_OK; topo.kind++) {
        gsp_arena_rewind(&arena, mark);
        s = gsp_topo_order_run(&arena, &g, &topo, &order, err);
        desc.order = order.order;
        s = s ? s : gsp_memory_plan_run(&arena, &g, &desc, &plan, err);
        for (uint32_t v = 0; s == GSP_OK && plan.arena < p->arena && v < n; v++) {
            p->order[v] = order.order[v];
            p->offset[v] = p->bytes[v] ? plan.tensors[plan.tensor_of[v]].offset : 0u;
        }
        p->arena = s == GSP_OK && plan.arena < p->arena ? plan.arena : p->arena;
    }
    return s;
}

static void libonnx_plan_bind(
    struct onnx_context_t *c, const libonnx_plan *p, unsigned char *memory)
{
    for (int v = 0; v < c->g->nlen; v++) {
        unsigned char *at = memory + p->offset[v];
        for (int k = 0; k < c->g->nodes[v].noutput; k++) {
            onnx_free(c->g->nodes[v].outputs[k]->datas);
            c->g->nodes[v].outputs[k]->datas = at;
            at += libonnx_bytes(p, c->g->nodes[v].outputs[k]);
        }
    }
}

static void libonnx_plan_run(struct onnx_context_t *c, const libonnx_plan *p)
{
    for (int i = 0; i < c->g->nlen; i++) {
        struct onnx_node_t *node = &c->g->nodes[p->order[i]];
        if (node->reshape(node))
            node->operator(node);
    }
}
