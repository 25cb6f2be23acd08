/* The JSON of `memory`. */
#include "commands/memory/memory.h"

#include "output/output.h"

#include <inttypes.h>

static void json_peak(const gsp_graph *g, const gsp_liveness_part *peak, cli_buffer *out)
{
    cli_printf(
        out, "\"bytes\": %" PRIu64 ", \"step\": %" PRIu32 ", \"node\": ", peak->bytes, peak->step);
    cli_json_string(out, memory_node_name(g, peak->node));
}

static void json_graphs(const memory *m, cli_buffer *out)
{
    const gsp_module *module = m->graph.module;
    uint32_t i;
    cli_puts(out, "\"graphs\": [");
    for (i = 0; i < module->counts.graphs; i++) {
        cli_puts(out, i != 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
        cli_json_string(out, gsp_module_str(module, module->graphs[i].name));
        cli_puts(out, ", ");
        json_peak(&m->graphs[i].graph, &m->graphs[i].peak, out);
        cli_printf(out, ", \"parameters\": %" PRIu64 ", \"state\": %" PRIu64, m->graphs[i].params,
            m->graphs[i].state);
        if (m->nested.block != NULL && m->nested.base[i] < MEMORY_TWICE) {
            cli_printf(out, ", \"offset\": %" PRIu64, m->nested.base[i]);
        }
        cli_puts(out, "}");
    }
    cli_puts(out, "],\n");
}

/* What TensorFlow Lite Micro needs in all, as an estimate. */
static void json_micro(const memory *m, cli_buffer *out)
{
    const cli_micro *micro = &m->micro;
    if (m->has_micro && m->chosen == 0) {
        cli_printf(out,
            "\"tflm\": {\"bytes\": %" PRIu64 ", \"bytes_64\": %" PRIu64 ", \"tensors\": %" PRIu64
            ", \"stored_plan\": %s, \"complete\": %s},\n",
            micro->whole, micro->whole_64, micro->plan, micro->placed != 0 ? "true" : "false",
            micro->outside.size == 0 && !memory_is_least(m, 0) ? "true" : "false");
    }
}

static void json_tensors(const memory *m, cli_buffer *out)
{
    uint32_t i;
    cli_printf(out,
        "\"arena\": {\"bytes\": %" PRIu64 ", \"least\": %" PRIu64 ", \"align\": %" PRIu64
        ", \"tensors\": [",
        m->memory_plan.arena, m->memory_plan.peak, m->opt.align);
    for (i = 0; i < m->n_shown; i++) {
        const gsp_tensor *t = &m->shown[i];
        cli_puts(out, i != 0 ? ",\n  {\"node\": " : "\n  {\"node\": ");
        cli_json_string(out, memory_tensor_name(m, t));
        cli_printf(out,
            ", \"offset\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"first\": %" PRIu32
            ", \"last\": %" PRIu32 ", \"scratch\": %s}",
            t->offset, t->bytes, t->begin, t->end, t->scratch ? "true" : "false");
    }
    cli_puts(out, "]");
    memory_json_in_place(m, out);
    cli_puts(out, "}");
}

static void json_plan(const memory *m, cli_buffer *out)
{
    if (m->several.n != 0) {
        memory_json_memories(m, out);
        return;
    }
    json_tensors(m, out);
    if (m->ids != NULL || m->searches) {
        cli_printf(out,
            ",\n\"proof\": {\"objective\": %" PRIu64 ", \"bound\": %" PRIu64
            ", \"proved\": %s, \"reference\": %" PRIu64 "}",
            m->memory_plan.arena, m->lower_bound,
            memory_proves(m, m->memory_plan.arena == m->lower_bound) ? "true" : "false", m->greedy);
    }
}

static void json_parts(const memory *m, cli_buffer *out)
{
    const gsp_split_by_memory_result *r = &m->split;
    uint32_t i;
    cli_printf(out, ",\n\"budget\": %" PRIu64 ",\n\"pieces\": [", m->opt.budget);
    for (i = 0; i < r->n_parts; i++) {
        cli_puts(out, i != 0 ? ",\n  {" : "\n  {");
        json_peak(&m->graph, &r->parts[i], out);
        cli_puts(out, ", \"nodes\": ");
        cli_json_names(out, &m->graph, r->nodes + r->begin[i], r->begin[i + 1u] - r->begin[i]);
        cli_puts(out, "}");
    }
    cli_printf(out,
        "],\n\"proof\": {\"objective\": %" PRIu64 ", \"bound\": %" PRIu64
        ", \"proved\": %s, \"reference\": %" PRIu64 "}",
        r->boundary, r->proved ? r->boundary : 0u,
        memory_proves(m, (int)r->proved) ? "true" : "false", r->greedy_boundary);
}

void memory_json(const memory *m, cli_buffer *out)
{
    const gsp_liveness_result *r = &m->liveness;
    uint32_t i;
    cli_puts(out, "{\"pass\": \"memory\",\n");
    if (m->ids != NULL) {
        json_plan(m, out);
        cli_puts(out, "}\n");
        return;
    }
    cli_json_unknown(out, m->graph.module);
    memory_range_json(m, out);
    memory_tiles_json(m, out);
    if (m->order != NULL) {
        for (i = 0; i < m->graph.n_nodes; i++) {
            cli_puts(out, i == 0 ? "\"order\": [" : ", ");
            cli_json_string(out, memory_node_name(&m->graph, r->nodes[i]));
        }
        cli_puts(out, "],\n");
    }
    json_graphs(m, out);
    json_micro(m, out);
    cli_puts(out, "\"peak\": {");
    json_peak(&m->graph, &r->parts[0], out);
    cli_puts(out, ", \"tensors\": ");
    cli_json_names(out, &m->graph, r->tensors, r->tensor_begin[1]);
    cli_puts(out, "},\n\"live\": [");
    for (i = 0; i < r->step_begin[1]; i++) {
        cli_printf(out, "%s%" PRIu64, i != 0 ? ", " : "", r->live[i]);
    }
    cli_puts(out, "],\n");
    json_plan(m, out);
    if (m->opt.budget != UINT64_MAX) {
        json_parts(m, out);
    }
    if (m->opt.order != NULL) {
        cli_printf(out,
            ",\n\"order\": {\"objective\": %" PRIu64 ", \"bound\": %" PRIu64
            ", \"proved\": %s, \"reference\": %" PRIu64 ", \"work\": %" PRIu64
            ", \"search_bytes\": %" PRIu64 "}",
            r->parts[0].bytes, m->found.bound,
            memory_proves(m, r->parts[0].bytes == m->found.bound) ? "true" : "false", m->found.peak,
            m->found.work, m->found.bytes);
    }
    cli_puts(out, "}\n");
}
