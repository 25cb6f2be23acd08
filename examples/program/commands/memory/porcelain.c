/* The porcelain of `memory`. */
#include "commands/memory/memory.h"

#include "output/output.h"

#include <inttypes.h>

static void put_peak(const gsp_graph *g, const gsp_liveness_part *peak, cli_buffer *out)
{
    cli_printf(out, "bytes=%" PRIu64 " step=%" PRIu32 " node=", peak->bytes, peak->step);
    cli_put_text(out, memory_node_name(g, peak->node));
}

/* Tensors of the graphs that nodes run, at the steps of their own graph. */
static void put_bodies(const memory *m, cli_buffer *out)
{
    const gsp_module *module = &m->session->module;
    const memory_nested *all = &m->nested;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < module->counts.graphs && all->block != NULL; i++) {
        gsp_graph const g = gsp_module_graph(module, i);
        const gsp_memory_plan_result *plan = &all->plans[i];
        for (k = 0; i != m->graph.id && all->base[i] < MEMORY_TWICE && k < plan->n_tensors; k++) {
            const gsp_tensor *t = &plan->tensors[k];
            cli_puts(out, t->scratch ? "inside scratch " : "inside tensor ");
            cli_put_text(out, gsp_module_str(module, module->graphs[i].name));
            cli_puts(out, " ");
            cli_put_text(out, gsp_node_name(&g, t->node));
            cli_printf(out,
                " offset=%" PRIu64 " bytes=%" PRIu64 " first=%" PRIu32 " last=%" PRIu32 "\n",
                all->base[i] + t->offset, t->bytes, t->begin, t->end);
        }
    }
}

static void put_tensors(const memory *m, cli_buffer *out)
{
    uint32_t i;
    cli_printf(out,
        "arena bytes=%" PRIu64 " least=%" PRIu64 " align=%" PRIu64 " tensors=%" PRIu32 "\n",
        m->memory_plan.arena, m->memory_plan.peak, m->opt.align, m->n_shown);
    for (i = 0; i < m->n_shown; i++) {
        const gsp_tensor *t = &m->shown[i];
        cli_puts(out, t->scratch ? "scratch " : "tensor ");
        cli_put_text(out, memory_tensor_name(m, t));
        cli_printf(out,
            " offset=%" PRIu64 " bytes=%" PRIu64 " first=%" PRIu32 " last=%" PRIu32 "\n", t->offset,
            t->bytes, t->begin, t->end);
    }
    put_bodies(m, out);
    memory_porcelain_in_place(m, out);
}

static void put_parts(const memory *m, cli_buffer *out)
{
    const gsp_split_by_memory_result *r = &m->split;
    uint32_t i;
    for (i = 0; i < r->n_parts; i++) {
        cli_printf(out, "piece %" PRIu32 " ", i);
        put_peak(&m->graph, &r->parts[i], out);
        cli_puts(out, " :");
        cli_porcelain_names(out, &m->graph, r->nodes + r->begin[i], r->begin[i + 1u] - r->begin[i]);
    }
    cli_printf(out,
        "proof objective=%" PRIu64 " bound=%" PRIu64 " proved=%d reference=%" PRIu64 "\n",
        r->boundary, r->proved ? r->boundary : 0u, memory_proves(m, (int)r->proved),
        r->greedy_boundary);
}

static void put_plan(const memory *m, cli_buffer *out)
{
    if (m->several.n != 0) {
        memory_porcelain_memories(m, out);
        return;
    }
    put_tensors(m, out);
    if (m->ids != NULL || m->searches) {
        cli_printf(out,
            "proof objective=%" PRIu64 " bound=%" PRIu64 " proved=%d reference=%" PRIu64 "\n",
            m->memory_plan.arena, m->lower_bound,
            memory_proves(m, m->memory_plan.arena == m->lower_bound), m->greedy);
    }
}

void memory_porcelain(const memory *m, cli_buffer *out)
{
    const gsp_liveness_result *r = &m->liveness;
    uint32_t i;
    if (m->ids != NULL) {
        put_plan(m, out);
        return;
    }
    memory_range_porcelain(m, out);
    memory_tiles_porcelain(m, out);
    if (m->order != NULL) {
        cli_puts(out, "order");
        for (i = 0; i < m->graph.n_nodes; i++) {
            cli_puts(out, " ");
            cli_put_text(out, memory_node_name(&m->graph, r->nodes[i]));
        }
        cli_puts(out, "\n");
    }
    for (i = 0; i < m->session->module.counts.graphs; i++) {
        const gsp_module *module = m->graph.module;
        cli_puts(out, "graph ");
        cli_put_text(out, gsp_module_str(module, module->graphs[i].name));
        cli_puts(out, " ");
        put_peak(&m->graphs[i].graph, &m->graphs[i].peak, out);
        cli_printf(out, " parameters=%" PRIu64, m->graphs[i].params);
        if (m->graphs[i].state != 0) {
            cli_printf(out, " state=%" PRIu64, m->graphs[i].state);
        }
        cli_puts(out, "\n");
    }
    cli_puts(out, "peak ");
    put_peak(&m->graph, &r->parts[0], out);
    cli_puts(out, " :");
    cli_porcelain_names(out, &m->graph, r->tensors, r->tensor_begin[1]);
    put_plan(m, out);
    if (m->opt.budget != UINT64_MAX) {
        put_parts(m, out);
    }
    if (m->opt.order != NULL) {
        cli_printf(out,
            "proof objective=%" PRIu64 " bound=%" PRIu64 " proved=%d reference=%" PRIu64 "\n",
            r->parts[0].bytes, m->found.bound,
            memory_proves(m, r->parts[0].bytes == m->found.bound), m->found.peak);
    }
}
