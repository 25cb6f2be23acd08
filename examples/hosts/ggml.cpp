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

struct arrays {
    std::vector<ggml_tensor *> tensors; // of each node; the output has none
    std::vector<uint32_t> begin{0}, at;
    std::vector<uint8_t> op;
    std::vector<uint64_t> bytes;
    gsp_csr_desc desc() const
    {
        gsp_csr_desc d = {};
        d.n_nodes = uint32_t(tensors.size());
        d.begin = begin.data();
        d.at = at.data();
        d.op = op.data();
        d.bytes = bytes.data();
        return d;
    }
};

// For a memory plan, views have no bytes; a node that reads a view also reads its source.
// ---- adapter ----
struct rows : arrays {
    void add(ggml_tensor *t, gsp_op kind, const std::vector<uint32_t> &inputs, uint64_t size)
    {
        at.insert(at.end(), inputs.begin(), inputs.end());
        begin.push_back(uint32_t(at.size()));
        op.push_back(uint8_t(kind));
        bytes.push_back(size);
        tensors.push_back(t);
    }
    explicit rows(ggml_cgraph *graph, bool plan = false)
    {
        std::unordered_map<ggml_tensor *, uint32_t> ids;
        for (int i = 0; i < ggml_graph_n_nodes(graph); i++) {
            ggml_tensor *t = ggml_graph_node(graph, i);
            std::vector<uint32_t> in;
            for (int k = 0; k < GGML_MAX_SRC * (plan ? 2 : 1); k++) {
                ggml_tensor *u = t->src[k % GGML_MAX_SRC];
                u = u && k >= GGML_MAX_SRC ? u->view_src : u;
                bool input = u && (u->flags & GGML_TENSOR_FLAG_INPUT);
                if (u && ids.emplace(u, uint32_t(tensors.size())).second)
                    add(u, input ? GSP_OP_PLACEHOLDER : GSP_OP_GET_ATTR, {}, ggml_nbytes(u));
                if (u && std::find(in.begin(), in.end(), ids[u]) == in.end())
                    in.push_back(ids[u]);
            }
            ids.emplace(t, uint32_t(tensors.size()));
            add(t, GSP_OP_CALL_FUNCTION, in, plan && t->view_src ? 0 : ggml_nbytes(t));
        }
        add(nullptr, GSP_OP_OUTPUT, {uint32_t(tensors.size() - 1)}, 0);
    }
};
// ---- end of adapter ----

int main()
{
    // Two layers of a perceptron with an activation that the backend lacks.
    ggml_context *ctx = ggml_init({1 << 20, nullptr, true});
    ggml_tensor *x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 4);
    for (int layer = 0; layer < 2; layer++) {
        x = ggml_mul_mat(ctx, ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 64), x);
        x = ggml_add(ctx, ggml_sin(ctx, x), x);
    }
    ggml_cgraph *graph = ggml_new_graph(ctx);
    ggml_build_forward_expand(graph, x);
    rows r(graph);
    gsp_csr_desc desc = r.desc();
    std::vector<gsp_str> names;
    std::vector<uint32_t> target;
    for (ggml_tensor *t : r.tensors) {
        target.push_back(uint32_t(names.size()));
        names.push_back(gsp_str_of(t ? ggml_op_name(t->op) : ""));
    }
    desc.target = target.data();
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
    gsp_arena_init(&arena, memory.data(), memory.size());
    gsp_status status = gsp_build_csr(&arena, &desc, &module, nullptr);
    gsp_graph g = gsp_module_graph(&module, 0);
    status = status ? status : gsp_split_subgraphs_run(&arena, &g, &split, &result, nullptr);
    if (status != GSP_OK) {
        return std::printf("%s\n", gsp_status_name(status)), 1;
    }
    for (uint32_t i = 0; i < result.split.n_subgraphs; i++) {
        std::printf("%s%s:", i ? "\n" : "", result.split.subgraph_kind[i] ? "backend" : "cpu");
        const uint32_t *k = result.split.subgraph_begin + i;
        for (uint32_t at = k[0]; at < k[1]; at++) {
            std::printf(" %s", ggml_op_name(r.tensors[result.split.nodes[at]]->op));
        }
    }
    gsp_traffic t = gsp_split_traffic(&g, &result.split);
    std::printf("\n%u copies, %u bytes\n", unsigned(t.values), unsigned(t.bytes));
    ggml_free(ctx);
    return 0;
}
