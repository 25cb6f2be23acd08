/* A network in tiles: its RAM against the MACs that tiles compute again.
 *     cc -I. -o tiles examples/tiles.c && ./tiles
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_TILES_IMPLEMENTATION
#include "examples/extra/graphsplit_tiles.h"

#include <stdio.h>

static const uint32_t rows[] = {48, 48, 24, 24, 24}, channels[] = {1, 8, 8, 16, 4};
static const uint32_t ins[] = {0, 1, 2, 3};
static unsigned char memory[1 << 20];

int main(void)
{
    gsp_tile_op ops[5] = {{0}};
    gsp_tile_value values[5];
    gsp_tensor tensors[5];
    for (uint32_t i = 0; i < 5; i++) { /* 3x3 convolutions; the second one has stride 2 */
        gsp_tile_window const w = {3, i == 2 ? 2u : 1u, 1, 0, 0, 0};
        gsp_tile_op const conv = {GSP_TILE_OP, 1, {w, w}, i - 1, 1,
            9u * channels[i - (i > 0)] * channels[i] * rows[i] * rows[i], 0, 0, 0, 0};
        gsp_tile_value const v = {rows[i] * rows[i] * channels[i], {rows[i], rows[i]}, i};
        ops[i] = i > 0 ? conv : ops[0]; /* the input runs as a whole */
        values[i] = v;
        gsp_tensor const t = {0, v.bytes, i, i, i + 1, 0};
        tensors[i] = t;
    }
    gsp_tiles_graph const graph = {5, ops, values, ins, 4, 5, tensors, 0, 0, GSP_NONE};
    gsp_tiles_result r;
    gsp_arena arena;
    gsp_arena_init(&arena, memory, sizeof(memory));
    gsp_status const status = gsp_tiles_run(&arena, &graph, NULL, &r, NULL);
    for (uint32_t i = 0; status == GSP_OK && i < r.n_points; i += 3) {
        printf("%6u bytes, %6u MACs more\n", (unsigned)r.points[i].cost.peak,
            (unsigned)r.points[i].cost.macs);
    }
    return status != GSP_OK;
}
