/* Values that skip stages. PyTorch's schedules send between neighbours alone. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>

#define MOST_SHOWN 8u

typedef struct skip {
    uint32_t from;
    uint32_t to;
} skip;

/* Keeps the first pairs, ascending; counts all that are not kept as one. */
static void add(skip *skips, uint32_t *n, uint32_t from, uint32_t to)
{
    uint32_t i = *n;
    while (i > 0 &&
           (skips[i - 1u].from > from || (skips[i - 1u].from == from && skips[i - 1u].to > to))) {
        i--;
    }
    if (i == MOST_SHOWN + 1u || (i > 0 && skips[i - 1u].from == from && skips[i - 1u].to == to)) {
        return;
    }
    *n += *n <= MOST_SHOWN ? 1u : 0u;
    for (uint32_t k = *n - 1u; k > i; k--) {
        skips[k] = skips[k - 1u];
    }
    skips[i].from = from;
    skips[i].to = to;
}

void pipe_tell_skips(const pipe_job *p)
{
    const gsp_graph *g = &p->graph;
    const uint32_t *stage_of = p->made.stage_of;
    skip skips[MOST_SHOWN + 1u];
    uint32_t n = 0;
    cli_buffer b;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t count;
        const gsp_node *in = gsp_node_inputs(g, v, &count);
        while (stage_of[v] != GSP_NONE && count-- > 0) {
            uint32_t const from = stage_of[in[count]];
            if (from != GSP_NONE && from + 1u < stage_of[v]) {
                add(skips, &n, from, stage_of[v]);
            }
        }
    }
    if (n == 0 || !p->opt.transfers || p->opt.carried) {
        return;
    }
    cli_buffer_init(&b, p->session);
    cli_printf(&b, "%s: values skip stages (", p->session->front->program);
    for (uint32_t i = 0; i < n && i < MOST_SHOWN; i++) {
        cli_printf(&b, "%s%" PRIu32 " -> %" PRIu32, i > 0 ? ", " : "", skips[i].from, skips[i].to);
    }
    cli_puts(&b, n > MOST_SHOWN ? ", ...)" : ")");
    cli_puts(&b, ", and PyTorch's schedules send between neighbours alone, as --schedule-csv has "
                 "it; --carried passes them on\n");
    cli_progress_end(p->session);
    cli_tell(&b);
}
