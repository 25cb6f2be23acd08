// GPT-2 as ggml's own example has it, without weights: the plan of its memory and its subgraphs, by
// ggml and by graphsplit. 32 tokens after 64 in the cache.
#define main example_main
#include "examples/hosts/ggml.cpp"
#undef main

#include <chrono>
#include <cstring>
#include <ggml-alloc.h>
#include <ggml-backend-impl.h>
#include <ggml-backend.h>
#include <set>

static const int n_tokens = 32, n_past = 64, n_layer = 12, n_embd = 768, n_head = 12, n_ctx = 1024;
static const int n_vocab = 256; // of few words, so that logits are not the peak

// ---- the network ----
static ggml_tensor *weight(ggml_context *c, int64_t a, int64_t b = 1)
{
    ggml_tensor *t = ggml_new_tensor_2d(c, GGML_TYPE_F32, a, b);
    t->data = t; // as loaded: ggml does not allocate it
    return t;
}

static ggml_tensor *norm(ggml_context *c, ggml_tensor *x)
{
    x = ggml_mul(c, ggml_norm(c, x, 1e-5f), weight(c, n_embd));
    return ggml_add(c, x, weight(c, n_embd));
}

static ggml_tensor *linear(ggml_context *c, ggml_tensor *x, int64_t in, int64_t out)
{
    return ggml_add(c, ggml_mul_mat(c, weight(c, in, out), x), weight(c, out));
}

static ggml_tensor *store(
    ggml_context *c, ggml_tensor *qkv, int which, ggml_tensor *cache, int layer)
{
    size_t row = n_embd * sizeof(float);
    ggml_tensor *now = ggml_view_2d(c, qkv, n_embd, n_tokens, qkv->nb[1], which * row);
    return ggml_cpy(
        c, now, ggml_view_1d(c, cache, n_tokens * n_embd, row * (layer * n_ctx + n_past)));
}

static ggml_tensor *load(ggml_context *c, ggml_tensor *cache, int layer)
{
    int n = n_past + n_tokens;
    ggml_tensor *t =
        ggml_view_1d(c, cache, n * n_embd, size_t(layer) * n_ctx * n_embd * sizeof(float));
    return ggml_reshape_3d(c, t, n_embd / n_head, n_head, n);
}

static ggml_tensor *attention(ggml_context *c, ggml_cgraph *graph, ggml_tensor *x,
    ggml_tensor *keys, ggml_tensor *values, int layer)
{
    int n = n_past + n_tokens, width = n_embd / n_head;
    ggml_tensor *qkv = linear(c, x, n_embd, 3 * n_embd);
    ggml_tensor *q = ggml_view_2d(c, qkv, n_embd, n_tokens, qkv->nb[1], 0);
    ggml_build_forward_expand(graph, store(c, qkv, 1, keys, layer));
    ggml_build_forward_expand(graph, store(c, qkv, 2, values, layer));
    q = ggml_permute(c, ggml_cont_3d(c, q, width, n_head, n_tokens), 0, 2, 1, 3);
    ggml_tensor *kq = ggml_mul_mat(c, ggml_permute(c, load(c, keys, layer), 0, 2, 1, 3), q);
    kq = ggml_soft_max(c, ggml_diag_mask_inf(c, ggml_scale(c, kq, 0.125f), n_past));
    ggml_tensor *v = ggml_permute(c, load(c, values, layer), 1, 2, 0, 3);
    ggml_tensor *kqv = ggml_mul_mat(c, ggml_cont_3d(c, v, n, width, n_head), kq);
    kqv = ggml_cont_2d(c, ggml_permute(c, kqv, 0, 2, 1, 3), n_embd, n_tokens);
    return linear(c, kqv, n_embd, n_embd);
}

static ggml_cgraph *gpt2(ggml_context *c)
{
    ggml_cgraph *graph = ggml_new_graph_custom(c, 4096, false);
    ggml_tensor *tokens = ggml_new_tensor_1d(c, GGML_TYPE_I32, n_tokens);
    ggml_tensor *positions = ggml_new_tensor_1d(c, GGML_TYPE_I32, n_tokens);
    ggml_set_input(tokens);
    ggml_set_input(positions);
    ggml_tensor *keys = weight(c, n_layer * n_ctx * n_embd);
    ggml_tensor *values = weight(c, n_layer * n_ctx * n_embd);
    ggml_tensor *x = ggml_get_rows(c, weight(c, n_embd, n_vocab), tokens);
    x = ggml_add(c, x, ggml_get_rows(c, weight(c, n_embd, n_ctx), positions));
    for (int layer = 0; layer < n_layer; layer++) {
        x = ggml_add(c, attention(c, graph, norm(c, x), keys, values, layer), x);
        ggml_tensor *y = ggml_gelu(c, linear(c, norm(c, x), n_embd, 4 * n_embd));
        x = ggml_add(c, linear(c, y, 4 * n_embd, n_embd), x);
    }
    x = ggml_mul_mat(c, weight(c, n_embd, n_vocab), norm(c, x));
    ggml_set_output(x);
    ggml_build_forward_expand(graph, x);
    return graph;
}

// ---- time ----
static double now()
{
    auto t = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(t).count();
}

static void die(const char *what)
{
    std::printf("FAILED: %s\n", what);
    std::exit(1);
}

// ---- memory ----
// What ggml-alloc lets stand on an argument of the same layout, of the operations here.
static bool in_place(const ggml_tensor *t, const ggml_tensor *argument)
{
    static const ggml_op allowed[] = {GGML_OP_ADD, GGML_OP_MUL, GGML_OP_SCALE,
        GGML_OP_DIAG_MASK_INF, GGML_OP_SOFT_MAX, GGML_OP_UNARY};
    return std::find(std::begin(allowed), std::end(allowed), t->op) != std::end(allowed) &&
           t->type == argument->type && ggml_are_same_shape(t, argument) &&
           ggml_are_same_stride(t, argument);
}

// Tensors that are live at the same step must not overlap, but for a result on its dying argument.
static void check(const gsp_memory_plan_result &plan)
{
    for (uint32_t i = 0; i < plan.n_tensors; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const gsp_tensor &a = plan.tensors[i], &b = plan.tensors[k];
            bool in_time = a.begin <= b.end && b.begin <= a.end;
            if (in_time && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes) {
                die("live tensors overlap");
            }
        }
    }
}

static void plan(ggml_cgraph *graph, bool with_in_place, size_t theirs)
{
    std::vector<unsigned char> memory(16 << 20);
    double start = now();
    rows r(graph, true);
    std::vector<uint32_t> allowed(r.tensors.size());
    for (size_t v = 0; v + 1 < r.tensors.size(); v++) {
        for (uint32_t k = r.begin[v]; k < r.begin[v + 1] && k < r.begin[v] + 32; k++) {
            allowed[v] |= uint32_t(in_place(r.tensors[v], r.tensors[r.at[k]])) << (k - r.begin[v]);
        }
    }
    gsp_csr_desc rows_desc = r.desc();
    gsp_memory_plan_desc desc = {};
    gsp_memory_plan_result result;
    desc.align = 32; // as ggml's buffers of the CPU
    desc.in_place = with_in_place ? allowed.data() : nullptr;
    gsp_arena arena;
    gsp_module module;
    gsp_error error;
    gsp_arena_init(&arena, memory.data(), memory.size());
    if (gsp_build_csr(&arena, &rows_desc, &module, &error) != GSP_OK) {
        die(gsp_detail_text(gsp_detail(error.detail)));
    }
    gsp_graph g = gsp_module_graph(&module, 0);
    if (gsp_memory_plan_run(&arena, &g, &desc, &result, &error) != GSP_OK) {
        die(gsp_detail_text(gsp_detail(error.detail)));
    }
    double spent = now() - start;
    check(result);
    std::printf("ggml         graphsplit %s %7u bytes, least %7u, %3u in place %12.2f ms\n",
        with_in_place ? "with in place:" : "without:      ", unsigned(result.arena),
        unsigned(result.peak), unsigned(result.n_in_place), spent);
    if (with_in_place && (result.arena > theirs || result.n_in_place == 0)) {
        die("the plan is larger than that of ggml-alloc");
    }
}

// ---- subgraphs ----
// Two devices without kernels; the first lacks the normalisations and the activation.
static ggml_backend_device devices[2];
static ggml_backend backends[2];
static ggml_backend_buffer_type buffers[2];

static const char *name_of(ggml_backend_t b)
{
    return b == &backends[0] ? "accelerator" : "cpu";
}

static enum ggml_backend_dev_type type_of(ggml_backend_dev_t d)
{
    return d == &devices[0] ? GGML_BACKEND_DEVICE_TYPE_GPU : GGML_BACKEND_DEVICE_TYPE_CPU;
}

static bool takes(ggml_backend_dev_t d, const ggml_tensor *t)
{
    return d == &devices[1] || (t->op != GGML_OP_NORM && t->op != GGML_OP_SOFT_MAX &&
                                   t->op != GGML_OP_UNARY && t->op != GGML_OP_GET_ROWS);
}

static bool takes_buffer(ggml_backend_dev_t d, ggml_backend_buffer_type_t b)
{
    return b == &buffers[d - devices];
}

static ggml_backend_buffer_type_t buffer_of(ggml_backend_dev_t d)
{
    return &buffers[d - devices];
}

static void ignore(ggml_backend_t)
{
}

static void split(ggml_cgraph *graph)
{
    ggml_backend_t pair[2];
    for (int i = 0; i < 2; i++) {
        buffers[i] = *ggml_backend_cpu_buffer_type();
        buffers[i].device = &devices[i];
        devices[i].iface.get_type = type_of;
        devices[i].iface.supports_op = takes;
        devices[i].iface.supports_buft = takes_buffer;
        devices[i].iface.get_buffer_type = buffer_of;
        backends[i].iface.get_name = name_of;
        backends[i].iface.synchronize = ignore;
        backends[i].device = &devices[i];
        pair[i] = &backends[i];
    }
    ggml_backend_sched_t sched = ggml_backend_sched_new(pair, nullptr, 2, 4096, false, false);
    double start = now();
    rows r(graph);
    double ours = now() - start;
    gsp_csr_desc rows_desc = r.desc();
    start = now();
    ggml_backend_sched_split_graph(sched, graph); // which puts copies into the graph
    double theirs = now() - start;
    std::vector<unsigned char> memory(16 << 20);
    gsp_arena arena;
    gsp_module module;
    gsp_placement placement;
    gsp_split_desc desc = {};
    gsp_split_result result;
    gsp_error error;
    std::vector<uint8_t> kind(r.tensors.size());
    std::set<std::pair<ggml_tensor *, int>> copies;
    size_t bytes = 0;
    for (size_t v = 0; v + 1 < r.tensors.size(); v++) {
        kind[v] = ggml_backend_sched_get_tensor_backend(sched, r.tensors[v]) == pair[0];
        for (uint32_t k = r.begin[v]; k < r.begin[v + 1]; k++) {
            ggml_tensor *u = r.tensors[r.at[k]];
            bool view = r.tensors[v]->op == GGML_OP_VIEW || r.tensors[v]->op == GGML_OP_RESHAPE ||
                        r.tensors[v]->op == GGML_OP_PERMUTE;
            if (r.op[r.at[k]] == GSP_OP_CALL_FUNCTION && kind[r.at[k]] != kind[v] && !view &&
                copies.emplace(u, kind[v]).second) {
                bytes += ggml_nbytes(u);
            }
        }
    }
    std::printf("ggml         scheduler  %3d subgraphs %3u copies %8u bytes %8.2f ms\n",
        ggml_backend_sched_get_n_splits(sched), unsigned(copies.size()), unsigned(bytes), theirs);
    start = now();
    gsp_arena_init(&arena, memory.data(), memory.size());
    gsp_status status = gsp_build_csr(&arena, &rows_desc, &module, &error);
    gsp_graph g = gsp_module_graph(&module, 0);
    status = status ? status : gsp_support_run(&arena, &g, nullptr, &placement, &error);
    for (size_t v = 0; v + 1 < r.tensors.size() && status == GSP_OK; v++) {
        placement.kind[v] = r.op[v] == GSP_OP_CALL_FUNCTION ? kind[v] : placement.kind[v];
    }
    placement.n_kinds = 2;
    desc.placement = &placement;
    status = status ? status : gsp_split_run(&arena, &g, &desc, &result, &error);
    if (status != GSP_OK) {
        die(gsp_detail_text(gsp_detail(error.detail)));
    }
    ours += now() - start;
    gsp_traffic t = gsp_split_traffic(&g, &result);
    std::printf("ggml         graphsplit %3u subgraphs %3u copies %8u bytes %8.2f ms\n",
        unsigned(result.n_subgraphs), unsigned(t.values), unsigned(t.bytes), ours);
    if (result.n_subgraphs > uint32_t(ggml_backend_sched_get_n_splits(sched)) || t.bytes > bytes) {
        die("more subgraphs or bytes than the scheduler has");
    }
    ggml_backend_sched_free(sched);
}

int main()
{
    ggml_context *c = ggml_init({64 << 20, nullptr, true});
    split(gpt2(c));
    ggml_cgraph *graph = gpt2(c);
    ggml_gallocr_t allocator = ggml_gallocr_new(ggml_backend_cpu_buffer_type());
    double start = now();
    ggml_gallocr_reserve(allocator, graph);
    double spent = now() - start;
    size_t theirs = ggml_gallocr_get_buffer_size(allocator, 0);
    std::printf("ggml         %d nodes; ggml-alloc plans         %7u bytes %34.2f ms\n",
        ggml_graph_n_nodes(graph), unsigned(theirs), spent);
    ggml_gallocr_free(allocator);
    plan(graph, false, theirs);
    plan(graph, true, theirs);
    ggml_free(c);
    return 0;
}
