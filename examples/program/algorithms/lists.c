/* Rows of numbers by counting. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

cli_lists cli_lists_make(cli_session *s, uint32_t n, const uint32_t *from, const uint32_t *to,
    size_t n_pairs, uint32_t n_to)
{
    uint32_t *stamp = (uint32_t *)cli_alloc(s, (size_t)n_to + 1u, sizeof *stamp);
    uint32_t *end = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof *end);
    cli_lists rows;
    uint32_t kept = 0;
    uint32_t begin = 0;
    rows.begin = (uint32_t *)cli_alloc(s, (size_t)n + 2u, sizeof *rows.begin);
    rows.at = (uint32_t *)cli_alloc(s, n_pairs + 1u, sizeof *rows.at);
    for (size_t i = 0; i < n_pairs; i++) {
        end[from[i] + 1u]++;
    }
    for (uint32_t k = 0; k < n; k++) {
        end[k + 1u] += end[k];
    }
    for (size_t i = 0; i < n_pairs; i++) {
        rows.at[end[from[i]]++] = to[i];
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t const last = end[k];
        rows.begin[k] = kept;
        for (; begin < last; begin++) {
            uint32_t const at = rows.at[begin];
            if (stamp[at] != k + 1u) {
                stamp[at] = k + 1u;
                rows.at[kept++] = at;
            }
        }
    }
    rows.begin[n] = kept;
    cli_release(s, stamp);
    cli_release(s, end);
    return rows;
}

void cli_lists_free(cli_session *s, cli_lists *rows)
{
    cli_release(s, rows->begin);
    cli_release(s, rows->at);
}
