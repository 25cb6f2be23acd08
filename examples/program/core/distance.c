/* Edit distance of two names. */
#include "core/core.h"

#define CLI_NEAR_BYTES 63u
#define MOST_NEAR      3u

/* Row by row; a cell that is `limit` or more away from the diagonal cannot be below it. */
uint32_t cli_distance_below(gsp_str a, gsp_str b, uint32_t limit)
{
    uint32_t row[CLI_NEAR_BYTES + 1u] = {0};
    uint32_t n_a = a.size < CLI_NEAR_BYTES ? a.size : CLI_NEAR_BYTES;
    uint32_t n_b = b.size < CLI_NEAR_BYTES ? b.size : CLI_NEAR_BYTES;
    uint32_t i;
    uint32_t j;
    if ((n_a < n_b ? n_b - n_a : n_a - n_b) >= limit) {
        return limit;
    }
    for (j = 0; j <= n_b; j++) {
        row[j] = j;
    }
    for (i = 1; i <= n_a; i++) {
        uint32_t first = i > limit ? i - limit : 1u;
        uint32_t last = i + limit < n_b ? i + limit : n_b;
        uint32_t diagonal = row[first - 1u];
        uint32_t least = first == 1u ? i : limit;
        row[first - 1u] = least;
        for (j = first; j <= last; j++) {
            uint32_t best = diagonal + (a.data[i - 1u] != b.data[j - 1u] ? 1u : 0u);
            best = best < row[j] + 1u ? best : row[j] + 1u;
            best = best < row[j - 1u] + 1u ? best : row[j - 1u] + 1u;
            diagonal = row[j];
            row[j] = best;
            least = best < least ? best : least;
        }
        if (least >= limit) {
            return limit;
        }
    }
    return row[n_b] < limit ? row[n_b] : limit;
}

static gsp_str in_small_letters(gsp_str name, char room[CLI_NEAR_BYTES])
{
    uint32_t i;
    name.size = name.size < CLI_NEAR_BYTES ? name.size : CLI_NEAR_BYTES;
    for (i = 0; i < name.size; i++) {
        char c = name.data[i];
        room[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    name.data = room;
    return name;
}

uint32_t cli_distance(gsp_str a, gsp_str b)
{
    char room[2][CLI_NEAR_BYTES] = {{0}};
    return cli_distance_below(
        in_small_letters(a, room[0]), in_small_letters(b, room[1]), CLI_NEAR_BYTES + 1u);
}

/* ---- nodes ---- */

static void find_nearest(
    const gsp_graph *graph, gsp_str name, gsp_node *nearest, uint32_t *distance)
{
    gsp_node v;
    for (v = 0; v < graph->n_nodes; v++) {
        uint32_t d = cli_distance(name, gsp_node_name(graph, v));
        uint32_t at = MOST_NEAR;
        uint32_t i;
        while (at != 0 && d < distance[at - 1u]) {
            at--;
        }
        for (i = MOST_NEAR - 1u; i > at; i--) {
            distance[i] = distance[i - 1u];
            nearest[i] = nearest[i - 1u];
        }
        if (at < MOST_NEAR) {
            distance[at] = d;
            nearest[at] = v;
        }
    }
}

void cli_put_near(const gsp_graph *graph, gsp_str name, cli_buffer *out)
{
    gsp_node nearest[MOST_NEAR] = {0};
    uint32_t distance[MOST_NEAR] = {0};
    uint32_t i;
    for (i = 0; i < MOST_NEAR; i++) {
        distance[i] = name.size / 2u + 2u; /* more distant names do not help */
        nearest[i] = GSP_NONE;
    }
    find_nearest(graph, name, nearest, distance);
    for (i = 0; i < MOST_NEAR && nearest[i] != GSP_NONE; i++) {
        cli_puts(out, i == 0 ? "; near it: " : ", ");
        cli_put_clipped(out, gsp_node_name(graph, nearest[i]), 60u);
    }
}
