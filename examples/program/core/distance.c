/* Edit distance of two names. */
#include "core/distance.h"

#define CLI_NEAR_BYTES 63u

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

uint32_t cli_distance(gsp_str a, gsp_str b)
{
    return cli_distance_below(a, b, CLI_NEAR_BYTES + 1u);
}
