/* A minimal user of the whole library, in whatever file includes it. */
#ifndef USER_H_INCLUDED
#define USER_H_INCLUDED

/* Splits a graph of two nodes; returns the number of subgraphs, 0 on any error. */
static uint32_t user_subgraphs(void)
{
    static const char text[] =
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
        "    %a : [num_users=1] = call_function[target=relu](args = (%x,), kwargs = {})  # f32[4] "
        "acc=1\n"
        "    %b : [num_users=1] = call_function[target=nms](args = (%a,), kwargs = {})  # f32[4]\n"
        "    return b\n";
    static uint64_t memory[1u << 13];
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_placement placement;
    static gsp_split_desc desc;
    gsp_split_result result;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, text, sizeof text - 1u, NULL, &module, NULL) != GSP_OK) {
        return 0;
    }
    graph = gsp_module_graph(&module, 0);
    if (gsp_support_run(&arena, &graph, NULL, &placement, NULL) != GSP_OK) {
        return 0;
    }
    desc.placement = &placement;
    return gsp_split_run(&arena, &graph, &desc, &result, NULL) == GSP_OK ? result.n_subgraphs : 0;
}

#endif
