// Graphs of ggml in rows: subgraphs for a backend that lacks an operation, and what crosses to it.
//     c++ -std=c++17 -I. -I$GGML/include -o ggml examples/hosts/ggml.cpp -lggml-base && ./ggml
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_CSR_IMPLEMENTATION
#include "examples/extra/graphsplit_csr.h"
#define GRAPHSPLIT_NUMBERS_IMPLEMENTATION
#include "examples/extra/graphsplit_numbers.h"

#include <algorithm>
#include <cstdio>
#include <ggml.h>
#include <unordered_map>
#include <vector>

// What gsp_csr_desc points to.
struct arrays {
    std::vector<ggml_tensor *> tensors; // of each node; the output has none
    std::vector<uint32_t> begin{0}, at, target;
    std::vector<uint8_t> op;
    std::vector<uint64_t> bytes;
};

// ---- adapter ----
struct rows : arrays {
    void add(ggml_tensor *t, gsp_op kind, const std::vector<uint32_t> &inputs)
    {
        at.insert(at.end(), inputs.begin(), inputs.end());
        begin.push_back(uint32_t(at.size()));
        op.push_back(uint8_t(kind));
        bytes.push_back(t ? ggml_nbytes(t) : 0);
        target.push_back(t ? uint32_t(t->op) : 0);
        tensors.push_back(t);
    }
    explicit rows(ggml_cgraph *graph)
    {
        std::unordered_map<ggml_tensor *, uint32_t> ids;
        for (int i = 0; i < ggml_graph_n_nodes(graph); i++) {
            std::vector<uint32_t> in;
            for (ggml_tensor *u : ggml_graph_node(graph, i)->src) {
                if (u && ids.emplace(u, uint32_t(tensors.size())).second)
                    add(u, GSP_OP_GET_ATTR, {}); // a leaf
                if (u && std::find(in.begin(), in.end(), ids[u]) == in.end())
                    in.push_back(ids[u]);
            }
            ids.emplace(ggml_graph_node(graph, i), uint32_t(tensors.size()));
            add(ggml_graph_node(graph, i), GSP_OP_CALL_FUNCTION, in);
        }
        add(nullptr, GSP_OP_OUTPUT, {uint32_t(tensors.size() - 1)});
    }
};
// ---- end of adapter ----

static int print(void *, const char *data, size_t size)
{
    return std::fwrite(data, 1, size, stdout) != size;
}

int main()
{
    // Two layers of a perceptron with an activation that the backend lacks.
    ggml_init_params params = {1 << 20, nullptr, true};
    ggml_context *ctx = ggml_init(params);
    ggml_tensor *x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 4);
    for (int layer = 0; layer < 2; layer++) {
        x = ggml_mul_mat(ctx, ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 64), x);
        x = ggml_add(ctx, ggml_sin(ctx, x), x);
    }
    ggml_cgraph *graph = ggml_new_graph(ctx);
    ggml_build_forward_expand(graph, x);
    rows r(graph);
    std::vector<gsp_str> names;
    for (int i = 0; i < GGML_OP_COUNT; i++) {
        names.push_back(gsp_str_of(ggml_op_name(ggml_op(i))));
    }
    gsp_csr_desc desc = {};
    desc.n_nodes = uint32_t(r.tensors.size());
    desc.begin = r.begin.data();
    desc.at = r.at.data();
    desc.op = r.op.data();
    desc.bytes = r.bytes.data();
    desc.target = r.target.data();
    desc.names = names.data();
    desc.n_names = uint32_t(names.size());

    static const gsp_table_entry operators[] = {GSP_OP("MUL_MAT", ""), GSP_OP("ADD", "")};
    gsp_rule rule = {};
    gsp_accelerator accelerator = {&rule, 1};
    gsp_split_subgraphs_desc split = {};
    gsp_split_subgraphs_result result;
    rule.kind = GSP_RULE_TABLE;
    rule.table.entries = operators;
    rule.table.n_entries = 2;
    split.support.accelerators = &accelerator;
    split.support.n_accelerators = 1;
    std::vector<unsigned char> memory(1 << 20);
    gsp_arena arena;
    gsp_module module;
    gsp_error error;
    gsp_arena_init(&arena, memory.data(), memory.size());
    if (gsp_build_csr(&arena, &desc, &module, &error) != GSP_OK) {
        return gsp_error_write(&error, nullptr, print, nullptr), 1;
    }
    gsp_graph g = gsp_module_graph(&module, 0);
    if (gsp_split_subgraphs_run(&arena, &g, &split, &result, &error) != GSP_OK) {
        return gsp_error_write(&error, &g, print, nullptr), 1;
    }
    for (uint32_t i = 0; i < result.split.n_subgraphs; i++) {
        std::printf("%s:", result.split.subgraph_kind[i] ? "backend" : "cpu");
        const uint32_t *k = result.split.subgraph_begin + i;
        for (uint32_t at = k[0]; at < k[1]; at++) {
            std::printf(" %s", ggml_op_name(r.tensors[result.split.nodes[at]]->op));
        }
        std::printf("\n");
    }
    gsp_traffic t = gsp_split_traffic(&g, &result.split);
    std::printf("%u copies, %u bytes\n", unsigned(t.values), unsigned(t.bytes));
    ggml_free(ctx);
    return 0;
}
