// graphsplit.hpp: a lambda supports, a loop goes over nodes, an exception tells what is wrong.
//     c++ -std=c++17 -I. -o cpp17 examples/cpp17.cpp && ./cpp17
#define GRAPHSPLIT_IMPLEMENTATION
#include "examples/graphsplit.hpp"

#include <cstdio>

static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n"
    "    %conv : [num_users=2] = call_method[target=conv](args = (%x,), kwargs = {})  # f32[8]\n"
    "    %nms : [num_users=1] = call_method[target=nms](args = (%conv,), kwargs = {})  # f32[8]\n"
    "    %relu : [num_users=1] = call_method[target=relu](args = (%conv,), kwargs = {})  # f32[8]\n"
    "    return (nms, relu)\n";

int main()
{
    gsp::arena arena;
    gsp_module module = gsp::read(arena, network);
    gsp_graph graph = gsp_module_graph(&module, 0);
    std::uint64_t bytes = 0;
    for (gsp::node v : gsp::nodes(graph)) {
        bytes += v.callable() ? v.bytes() : 0;
    }
    std::printf("%u bytes\n", static_cast<unsigned>(bytes));
    auto takes = [limit = std::uint64_t{64}](
                     gsp::node v) { return v.target() != "nms" && v.bytes() <= limit; };
    gsp_split_subgraphs_result r = gsp::split(arena, graph, takes);
    for (std::uint32_t i = 0; i < r.split.n_subgraphs; i++) {
        std::printf("%s:", r.split.subgraph_kind[i] != 0 ? "npu" : "cpu");
        for (gsp_node v : gsp::subgraph(r.split, i)) {
            std::printf(" %s", std::string(gsp::node(graph, v).name()).c_str());
        }
        std::printf("\n");
    }
    std::printf("%s", gsp::write(r.subgraphs.module).c_str());
    try {
        gsp::read(arena, "graph():\n    return y\n");
    } catch (const gsp::error &e) {
        std::printf("%s\n", e.what());
    }
    return 0;
}
