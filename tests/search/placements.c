/* Random small graphs and devices, and by enumeration whether a placement exists.
 * usage: placements DIR COUNT CALLS: writes DIR/I.fx and, a line per graph,
 * "I yes|no --device ..."; above 12 calls it does not enumerate: "I ? --device ..." */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 32u

static uint64_t random_state;

static uint32_t draw(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

/* Returns the size of the text; some calls read get_attr p or one of the last three nodes. */
static size_t make(char *text, size_t room, uint32_t calls)
{
    size_t at = (size_t)snprintf(text, room,
        "graph():\n    %%n0 : [num_users=1] = placeholder[target=x]  # f32[%u]\n"
        "    %%p : [num_users=1] = get_attr[target=p]  # f32[%u]\n",
        1u + draw(8), 1u + draw(16));
    uint32_t i;
    for (i = 1; i <= calls; i++) {
        uint32_t const back = 1u + draw(i < 3u ? i : 3u);
        at += (size_t)snprintf(text + at, room - at,
            "    %%n%u : [num_users=1] = call_function[target=f](args = (%%n%u, %%n%u%s), kwargs = "
            "{})"
            "  # f32[%u] compute=%u\n",
            i, i - back, i - 1u, draw(4) == 0 ? ", %p" : "", 1u + draw(16), 1u + draw(9));
    }
    return at + (size_t)snprintf(text + at, room - at, "    return n%u\n", calls);
}

/* Whether the devices hold the nodes of their digits of `code`. */
static int fits(const gsp_graph *g, const uint64_t *device, uint32_t n, uint64_t code)
{
    uint32_t words[2 * MOST];
    gsp_bitset nodes;
    uint32_t d;
    gsp_node v;
    for (d = 0; d < n; d++) {
        uint64_t rest = code;
        gsp_bitset_init(&nodes, words, g->n_nodes);
        gsp_bitset_fill(&nodes, 0);
        for (v = 0; v < g->n_nodes; v++) {
            if (gsp_node_is_callable(g, v)) {
                if (rest % n == d) {
                    gsp_bitset_set(&nodes, v);
                }
                rest /= n;
            }
        }
        if (gsp_part_bytes(g, &nodes) > device[d]) {
            return 0;
        }
    }
    return 1;
}

static int exists(const gsp_graph *g, const uint64_t *device, uint32_t n, uint32_t calls)
{
    uint64_t codes = 1;
    uint64_t code;
    for (; calls > 0; calls--) {
        codes *= n;
    }
    for (code = 0; code < codes && !fits(g, device, n, code); code++) {
    }
    return code < codes;
}

int main(int argc, char **argv)
{
    static char text[16384];
    static unsigned char memory[1u << 20];
    uint32_t const count = argc == 4 ? (uint32_t)atoi(argv[2]) : 0;
    uint32_t const calls = argc == 4 ? (uint32_t)atoi(argv[3]) : MOST;
    uint32_t i;
    for (i = 0; i < count && calls < MOST; i++) {
        char path[4096];
        size_t size;
        gsp_arena arena;
        gsp_module module;
        gsp_graph g;
        uint64_t device[3];
        uint64_t total = 0;
        uint32_t n;
        uint32_t d;
        FILE *file;
        random_state = i;
        size = make(text, sizeof text, calls);
        gsp_arena_init(&arena, memory, sizeof memory);
        if (gsp_text_read(&arena, text, size, NULL, &module, NULL) != GSP_OK) {
            return 1;
        }
        g = gsp_module_graph(&module, 0);
        for (d = 0; d < g.n_nodes; d++) {
            total += gsp_node_bytes(&g, d);
        }
        n = 2u + draw(2);
        for (d = 0; d < n; d++) {
            device[d] = total * (50u + draw(calls > 12u ? 10u : 50u)) / (50u * n);
        }
        snprintf(path, sizeof path, "%s/%u.fx", argv[1], i);
        file = fopen(path, "wb");
        if (file == NULL || fwrite(text, 1, size, file) != size || fclose(file) != 0) {
            return 1;
        }
        printf("%u %s", i, calls > 12u ? "?" : exists(&g, device, n, calls) ? "yes" : "no");
        for (d = 0; d < n; d++) {
            printf(" --device d%u:%" PRIu64, d, device[d]);
        }
        printf("\n");
    }
    return 0;
}
