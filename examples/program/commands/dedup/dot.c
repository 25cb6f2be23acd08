/* --dot of `dedup`: one instance of a subgraph. */
#include "commands/dedup/dedup.h"

#include "examples/extra/graphsplit_draw.h"

#include <inttypes.h>

/* The graph to draw; GSP_NONE if there is none of that name. */
static uint32_t choose_graph(const dedup *p)
{
    uint32_t best = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < p->result.selection.n_subgraphs; i++) {
        uint64_t gain = (uint64_t)dedup_rows(p, i) * (dedup_calls(p, i) - 1u);
        if (p->opt.subgraph != NULL &&
            gsp_str_equal(dedup_name(p, i), gsp_str_of(p->opt.subgraph))) {
            return i + 1u;
        }
        best = gain > most ? i + 1u : best;
        most = gain > most ? gain : most;
    }
    return p->opt.subgraph != NULL ? GSP_NONE : best;
}

int dedup_dot(const dedup *p, cli_buffer *out)
{
    uint32_t id = choose_graph(p);
    gsp_draw_desc desc = {0};
    gsp_graph g;
    if (id == GSP_NONE) {
        return cli_error(p->session, GSP_STATUS_ARG, "there is no subgraph %s", p->opt.subgraph);
    }
    g = gsp_module_graph(&p->result.module, id);
    if (id != 0) {
        cli_buffer title;
        cli_buffer_init(&title, p->session);
        cli_put_text(&title, dedup_name(p, id - 1u));
        cli_printf(&title, ", called %" PRIu32 " times", dedup_calls(p, id - 1u));
        cli_put(&title, "", 1u);
        desc.title = title.data;
    }
    (void)gsp_draw_graph(&g, &desc, cli_sink, out, NULL);
    return CLI_EXIT_OK;
}
