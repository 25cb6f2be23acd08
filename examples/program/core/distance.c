/* Edit distance of two names. */
#include "core/distance.h"

#define CLI_NEAR_BYTES 63u

uint32_t cli_distance(gsp_str a, gsp_str b)
{
    uint32_t row[CLI_NEAR_BYTES + 1u] = {0};
    uint32_t n_a = a.size < CLI_NEAR_BYTES ? a.size : CLI_NEAR_BYTES;
    uint32_t n_b = b.size < CLI_NEAR_BYTES ? b.size : CLI_NEAR_BYTES;
    uint32_t i;
    uint32_t j;
    for (j = 0; j <= n_b; j++) {
        row[j] = j;
    }
    for (i = 1; i <= n_a; i++) {
        uint32_t diagonal = row[0];
        row[0] = i;
        for (j = 1; j <= n_b; j++) {
            uint32_t best = diagonal + (a.data[i - 1u] != b.data[j - 1u] ? 1u : 0u);
            best = best < row[j] + 1u ? best : row[j] + 1u;
            best = best < row[j - 1u] + 1u ? best : row[j - 1u] + 1u;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n_b];
}
