/* An assignment of one's own: is it valid, what does it move, how long does it take? Then a local
 * search by single moves on two branches that were cut badly. Fewer bytes are not less time: in the
 * end the parts compute one after the other.
 *     cc -I. -o score examples/score.c && ./score
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>

#define PARTS 2
#define CALL  " = call_function[target=f](args = "

static const char text[] =
    "graph():\n"
    "    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
    "    %a : [num_users=1]" CALL "(%x,), kwargs = {})  # f32[100] compute=1e-6\n"
    "    %b : [num_users=1]" CALL "(%a,), kwargs = {})  # f32[100] compute=1e-6\n"
    "    %c : [num_users=1]" CALL "(%b,), kwargs = {})  # f32[10] compute=1e-6\n"
    "    %p : [num_users=1]" CALL "(%x,), kwargs = {})  # f32[100] compute=1e-6\n"
    "    %q : [num_users=1]" CALL "(%p,), kwargs = {})  # f32[100] compute=1e-6\n"
    "    %r : [num_users=1]" CALL "(%c, %q), kwargs = {})  # f32[10] compute=1e-6\n"
    "    return r\n";

/* x and the output have no part. */
static uint32_t part_of[] = {0, 0, 0, 1, 0, 1, 1, 0};
static const uint64_t capacity[PARTS] = {4, 4};
static const uint32_t device_of[PARTS] = {0, 1};

static void print(const char *when, const gsp_score_result *r)
{
    printf("%-6s %s, cut %u edges, %u bytes; loads %u and %u; %.2f us, at best %.2f us\n", when,
        r->valid ? "valid" : "not valid", (unsigned)r->cut_edges, (unsigned)r->cut_bytes,
        (unsigned)r->load[0], (unsigned)r->load[1], r->serial * 1e6, r->path * 1e6);
}

/* Moves every node where it helps, until none does. */
static void improve(const gsp_graph *graph, const gsp_score_desc *desc, gsp_score_result *r)
{
    uint64_t before;
    do {
        before = r->cut_bytes;
        for (gsp_node v = 0; v < graph->n_nodes; v++) {
            uint64_t const bytes = r->cut_bytes;
            uint32_t const from = r->part_of[v];
            if (gsp_score_move(graph, desc, r, v, 1 - from, NULL) != GSP_OK) {
                continue; /* no callable node, or the parts would read each other */
            }
            if (r->cut_bytes < bytes && r->overloaded == GSP_NONE && r->empty == GSP_NONE) {
                gsp_str name = gsp_node_name(graph, v);
                printf("moved  %.*s to part %u\n", (int)name.size, name.data, (unsigned)(1 - from));
            } else {
                gsp_score_move(graph, desc, r, v, from, NULL);
            }
        }
    } while (r->cut_bytes < before);
}

int main(void)
{
    static unsigned char memory[65536];
    gsp_arena arena;
    gsp_module module;
    gsp_error error;
    gsp_score_desc desc = {0};
    gsp_score_result result;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, &error) != GSP_OK) {
        printf("line %u: %s\n", (unsigned)error.line, gsp_detail_text(error.detail));
        return 1;
    }
    gsp_graph graph = gsp_module_graph(&module, 0);
    desc.n_parts = PARTS;
    desc.part_of = part_of;
    desc.capacity = capacity;
    desc.device_of = device_of;
    desc.has_rate = 1;
    desc.transfer_rate = 1e9;
    desc.moves = 1;
    if (gsp_score_run(&arena, &graph, &desc, &result, &error) != GSP_OK) {
        printf("%s\n", gsp_detail_text(error.detail));
        return 1;
    }
    print("before", &result);
    improve(&graph, &desc, &result);
    desc.part_of = result.part_of;
    desc.moves = 0;
    if (gsp_score_run(&arena, &graph, &desc, &result, &error) != GSP_OK) {
        return 1;
    }
    print("after", &result);
    return 0;
}
