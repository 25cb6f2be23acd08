/* Rows of numbers by counting, and the components of the graph that rows are. */
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

/* ---- strongly connected components (Tarjan 1972) ---- */

typedef struct components {
    const cli_lists *before;
    uint32_t *index; /* [n] 0 if not seen */
    uint32_t *low;
    uint32_t *open;   /* stack of those without component */
    uint32_t *path;   /* and of the search, */
    uint32_t *cursor; /* with the next entry of a row */
    uint32_t *number; /* [n] the result */
    uint32_t n_open;
    uint32_t n_path;
    uint32_t n_seen;
    uint32_t n_made;
} components;

static void enter(components *c, uint32_t i)
{
    c->index[i] = ++c->n_seen;
    c->low[i] = c->n_seen;
    c->cursor[i] = c->before->begin[i];
    c->open[c->n_open++] = i;
    c->path[c->n_path++] = i;
}

static void leave(components *c, uint32_t i)
{
    c->n_path--;
    if (c->n_path > 0 && c->low[i] < c->low[c->path[c->n_path - 1u]]) {
        c->low[c->path[c->n_path - 1u]] = c->low[i];
    }
    if (c->low[i] == c->index[i]) {
        uint32_t at;
        do {
            at = c->open[--c->n_open];
            c->number[at] = c->n_made;
        } while (at != i);
        c->n_made++;
    }
}

uint32_t cli_lists_components(
    cli_session *s, uint32_t n_rows, const cli_lists *before, uint32_t *number)
{
    size_t const n = (size_t)n_rows + 1u;
    components c;
    memset(&c, 0, sizeof c);
    c.before = before;
    c.index = (uint32_t *)cli_alloc(s, n * 5u, sizeof *c.index);
    c.low = c.index + n;
    c.open = c.low + n;
    c.path = c.open + n;
    c.cursor = c.path + n;
    c.number = number;
    memset(number, 0xFF, n_rows * sizeof *number);
    for (uint32_t root = 0; root < n_rows; root++) {
        if (c.index[root] == 0) {
            enter(&c, root);
        }
        while (c.n_path > 0) {
            uint32_t const at = c.path[c.n_path - 1u];
            uint32_t const to =
                c.cursor[at] < before->begin[at + 1u] ? before->at[c.cursor[at]++] : GSP_NONE;
            if (to == GSP_NONE) {
                leave(&c, at);
            } else if (c.index[to] == 0) {
                enter(&c, to);
            } else if (c.index[to] < c.low[at] && number[to] == GSP_NONE) {
                c.low[at] = c.index[to];
            }
        }
    }
    cli_release(s, c.index);
    return c.n_made;
}
