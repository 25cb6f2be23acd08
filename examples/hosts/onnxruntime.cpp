// What GetCapability of an execution provider of ONNX Runtime returns: the subgraphs of a split.
//     c++ -std=c++17 -shared -fPIC -I. -I$ORT -o libprovider.so provider.cpp
// where $ORT has onnxruntime_c_api.h of 1.23 or later, and provider.cpp includes this file: its
// GetCapability(ep, graph, info) returns graphsplit_capability(*ort, graph, info, supports). The
// nodes of a subgraph become one node: no path between two of them leaves it.
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_CSR_IMPLEMENTATION
#include "examples/extra/graphsplit_csr.h"

#include <algorithm>
#include <functional>
#include <onnxruntime_c_api.h>
#include <string>
#include <unordered_map>
#include <vector>

// ---- adapter ----
struct ort_rows {
    std::vector<const OrtNode *> nodes;
    std::vector<uint32_t> begin{0}, at;
    std::vector<uint8_t> op;
};

// Values that a node and its inner graphs read.
static OrtStatus *ort_inputs(
    const OrtApi &ort, const OrtNode *node, std::vector<const OrtValueInfo *> *in)
{
    size_t n_in = 0, n_implicit = 0;
    OrtStatus *s = ort.Node_GetNumInputs(node, &n_in);
    s = s ? s : ort.Node_GetNumImplicitInputs(node, &n_implicit);
    in->resize(n_in + n_implicit);
    s = s ? s : ort.Node_GetInputs(node, in->data(), n_in);
    return s ? s : ort.Node_GetImplicitInputs(node, in->data() + n_in, n_implicit);
}

static OrtStatus *ort_read(const OrtApi &ort, const OrtGraph *graph, ort_rows *r)
{
    size_t n = 0;
    OrtStatus *s = ort.Graph_GetNumNodes(graph, &n);
    r->nodes.resize(n);
    s = s ? s : ort.Graph_GetNodes(graph, r->nodes.data(), n); // in topological order
    std::unordered_map<const OrtNode *, uint32_t> ids;
    std::vector<const OrtValueInfo *> in;
    for (uint32_t v = 0; v < n && s == nullptr; v++) {
        ids[r->nodes[v]] = v;
        s = ort_inputs(ort, r->nodes[v], &in);
        for (size_t i = 0; i < in.size() && s == nullptr; i++) {
            const OrtNode *from = nullptr;
            s = in[i] ? ort.ValueInfo_GetValueProducer(in[i], &from, nullptr) : nullptr;
            auto id = ids.find(from); // inputs, initializers and values of an outer graph have none
            auto row = r->at.begin() + r->begin[v];
            if (id != ids.end() && std::find(row, r->at.end(), id->second) == r->at.end()) {
                r->at.push_back(id->second);
            }
        }
        r->begin.push_back(uint32_t(r->at.size()));
    }
    r->begin.push_back(uint32_t(r->at.size())); // a split ignores what the graph returns
    r->op.assign(n, GSP_OP_CALL_FUNCTION);
    r->op.push_back(GSP_OP_OUTPUT);
    return s;
}

// Tells ONNX Runtime the subgraphs of nodes for which `supports` is true.
static OrtStatus *graphsplit_capability(const OrtApi &ort, const OrtGraph *graph,
    OrtEpGraphSupportInfo *info, const std::function<bool(const OrtNode *)> &supports)
{
    ort_rows r;
    if (OrtStatus *status = ort_read(ort, graph, &r)) {
        return status;
    }
    gsp_csr_desc rows = {};
    rows.n_nodes = uint32_t(r.op.size());
    rows.begin = r.begin.data();
    rows.at = r.at.data();
    rows.op = r.op.data();
    std::vector<unsigned char> memory(gsp_build_csr_bound(&rows)), more;
    gsp_arena arena;
    gsp_module module;
    gsp_placement placement;
    gsp_split_desc desc = {};
    gsp_split_result split = {};
    gsp_error error;
    gsp_arena_init(&arena, memory.data(), memory.size());
    gsp_status status = gsp_build_csr(&arena, &rows, &module, &error);
    if (status == GSP_OK) {
        gsp_graph g = gsp_module_graph(&module, 0);
        more.resize(gsp_support_bound(&g, nullptr) + gsp_split_bound(&g, &desc));
        gsp_arena_init(&arena, more.data(), more.size());
        status = gsp_support_run(&arena, &g, nullptr, &placement, &error);
        for (size_t v = 0; v < r.nodes.size() && status == GSP_OK; v++) {
            placement.kind[v] = supports(r.nodes[v]);
        }
        placement.n_kinds = 2;
        desc.placement = &placement;
        status = status ? status : gsp_split_run(&arena, &g, &desc, &split, &error);
    }
    OrtStatus *s = nullptr;
    if (status != GSP_OK) {
        s = ort.CreateStatus(ORT_EP_FAIL, gsp_detail_text(gsp_detail(error.detail)));
    }
    for (uint32_t i = 0; i < split.n_subgraphs && s == nullptr; i++) {
        std::vector<const OrtNode *> part;
        for (uint32_t k = split.subgraph_begin[i]; k < split.subgraph_begin[i + 1]; k++) {
            part.push_back(r.nodes[split.nodes[k]]);
        }
        if (split.subgraph_kind[i] != 0) {
            auto add = ort.GetEpApi()->EpGraphSupportInfo_AddNodesToFuse;
            s = add(info, part.data(), part.size(), nullptr);
        }
    }
    return s;
}
// ---- end of adapter ----
