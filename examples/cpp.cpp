// The header as C++11: a vector lends its memory, a lambda supports, a string collects the text.
//     c++ -std=c++11 -I. -o cpp examples/cpp.cpp && ./cpp
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <cstdio>
#include <string>
#include <vector>

static const std::string network =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[2, 4]\n"
    "    %w : [num_users=1] = get_attr[target=w]  # f32[4, 4]\n"
    "    %mm : [num_users=2] = call_function[target=torch.mm](args = (%x, %w), kwargs = {})  # "
    "f32[2, 4]\n"
    "    %nz : [num_users=1] = call_function[target=torch.nonzero](args = (%mm,), kwargs = {})  # "
    "i64[s0, 2]\n"
    "    return (mm, nz)\n";

static std::string to_string(gsp_str text)
{
    return std::string(text.data, text.size);
}

// Tags and the module of a split, printed.
static gsp_status print_module(
    gsp_arena *arena, const gsp_graph &graph, const gsp_split_result &split)
{
    std::vector<std::string> tags;
    std::vector<gsp_str> names;
    for (uint32_t s = 0; s < split.n_subgraphs; s++) {
        char tag[64];
        gsp_split_tag(&split, s, tag, sizeof tag);
        tags.push_back(tag);
    }
    for (const std::string &tag : tags) {
        names.push_back(gsp_str_of(tag.c_str()));
    }
    gsp_split_by_tags_desc desc = gsp_split_by_tags_desc();
    desc.n_tags = split.n_subgraphs;
    desc.tag_of = split.subgraph_of;
    desc.names = names.data();
    gsp_split_by_tags_result made;
    gsp_status status = gsp_split_by_tags_run(arena, &graph, &desc, &made, nullptr);
    if (status != GSP_OK) {
        return status;
    }
    std::string text;
    auto append = [](void *user, const char *data, size_t size) {
        static_cast<std::string *>(user)->append(data, size);
        return 0;
    };
    status = gsp_text_write(&made.module, nullptr, append, &text, nullptr);
    std::printf("%s", text.c_str());
    return status;
}

int main()
{
    std::vector<unsigned char> memory(1 << 16);
    gsp_arena arena;
    gsp_arena_init(&arena, memory.data(), memory.size());
    gsp_module module;
    if (gsp_text_read(&arena, network.data(), network.size(), nullptr, &module, nullptr) !=
        GSP_OK) {
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);

    gsp_rule rule = gsp_rule();
    rule.kind = GSP_RULE_CALL;
    rule.func = [](void *, const gsp_graph *g, gsp_node v) -> int {
        return to_string(gsp_node_class(g, v)) == "torch.mm";
    };
    gsp_accelerator accelerator = {&rule, 1};
    gsp_support_desc support = gsp_support_desc();
    support.n_accelerators = 1;
    support.accelerators = &accelerator;
    gsp_placement placement;
    if (gsp_support_run(&arena, &graph, &support, &placement, nullptr) != GSP_OK) {
        return 1;
    }
    gsp_split_desc desc = {};
    desc.placement = &placement;
    gsp_split_result split;
    if (gsp_split_run(&arena, &graph, &desc, &split, nullptr) != GSP_OK) {
        return 1;
    }
    return print_module(&arena, graph, split) == GSP_OK ? 0 : 1;
}
