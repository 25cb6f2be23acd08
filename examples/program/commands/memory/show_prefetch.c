/* --prefetch in every output. */
#include "commands/memory/memory.h"

#include "output/output.h"

#include <inttypes.h>

#define ROWS   20u /* of a table, without --all */
#define SECOND 1e12

/* ---- for people ---- */

static void put_ticks(cli_buffer *out, uint64_t ticks)
{
    cli_put_seconds(out, (double)ticks / SECOND);
}

static uint64_t copied(const memory *m)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < m->prefetch.n; i++) {
        bytes += m->memory_plan.tensors[m->prefetch.first + i].bytes;
    }
    return bytes;
}

static uint64_t run_ticks(const memory *m)
{
    uint32_t const n = m->graph.n_nodes;
    return n != 0 ? m->prefetch.result.ends[n - 1u] : 0u;
}

/* What is proved of the stalls. */
static void put_proof(const memory *m, cli_buffer *out)
{
    const memory_prefetch *p = &m->prefetch;
    const gsp_prefetch_result *r = &p->result;
    if (p->untimed != 0) {
        cli_printf(out,
            "              at most: %" PRIu32 " node%s no time and count%s as 0 s; --time-unit "
            "shapes estimates\n",
            p->untimed, p->untimed == 1u ? " has" : "s have", p->untimed == 1u ? "s" : "");
        return;
    }
    cli_puts(out, "              ");
    if (r->stall == r->lower_bound) {
        cli_puts(out, "no order of the copies stalls less");
    } else {
        cli_puts(out, "copies in order of use stall no less, other orders no less than ");
        put_ticks(out, r->lower_bound);
    }
    if (!p->is_chain) {
        cli_puts(out, ";\n              other orders of the nodes no less than ");
        put_ticks(out, p->least);
    }
    cli_puts(out, "\n");
}

void memory_prefetch_people(const memory *m, cli_buffer *out)
{
    const memory_prefetch *p = &m->prefetch;
    cli_puts(out, "  stalls      ");
    cli_put_style(out, CLI_BOLD);
    put_ticks(out, p->result.stall);
    cli_put_style(out, CLI_PLAIN);
    cli_puts(out, " of a run of ");
    put_ticks(out, run_ticks(m));
    cli_printf(out, ", for %" PRIu32 " cop%s, ", p->n, p->n == 1u ? "y" : "ies");
    cli_put_bytes(out, copied(m));
    cli_puts(out, " from ");
    cli_put_clipped(out, m->several.names[p->slow], 16u);
    cli_puts(out, " to ");
    cli_put_clipped(out, m->several.names[p->fast], 16u);
    cli_puts(out, ";\n              copies that start when they are needed: ");
    put_ticks(out, p->result.serial);
    cli_puts(out, "\n");
    if (p->n != 0) {
        put_proof(m, out);
    }
    if (p->inside != 0) {
        cli_puts(out, "              ");
        cli_put_bytes(out, p->inside);
        cli_puts(out, " of parameters inside the graphs that nodes run: not copied\n");
    }
}

static void put_copy(const memory *m, uint32_t i, cli_table *t)
{
    const memory_prefetch *p = &m->prefetch;
    const gsp_prefetch_result *r = &p->result;
    const gsp_tensor *to = &m->memory_plan.tensors[p->first + i];
    gsp_node const *at = m->liveness.nodes;
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), memory_tensor_name(m, to), 32u);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), to->bytes);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu64, m->memory_plan.tensors[p->source[i]].offset);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu64, to->offset);
    cli_put_clipped(
        cli_cell_begin(t, CLI_PLAIN), memory_node_name(&m->graph, at[r->steps[i]]), 24u);
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), memory_node_name(&m->graph, at[to->end]), 24u);
    put_ticks(cli_cell_begin(t, CLI_PLAIN), r->starts[i]);
    put_ticks(cli_cell_begin(t, CLI_PLAIN), r->starts[i] + p->ticks[i]);
}

void memory_prefetch_people_copies(const memory *m, cli_buffer *out)
{
    uint32_t const n = m->prefetch.n;
    uint32_t const shown = cli_rows(m->session, n, ROWS);
    cli_table t;
    if (n == 0) {
        cli_puts(out, "No node reads a parameter of the slow memory.\n");
        return;
    }
    cli_put_heading(out, "COPIES", "in this order, one at a time");
    cli_table_init(&t, m->session, "lrrrllrr");
    cli_table_head(&t, "parameter|bytes|from|to|starts while|read by|starts|ends");
    for (uint32_t i = 0; i < shown; i++) {
        put_copy(m, i, &t);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, n, shown, NULL);
}

/* ---- for programs ---- */

void memory_prefetch_porcelain(const memory *m, cli_buffer *out)
{
    const memory_prefetch *p = &m->prefetch;
    const gsp_prefetch_result *r = &p->result;
    for (uint32_t i = 0; i < p->n; i++) {
        const gsp_tensor *to = &m->memory_plan.tensors[p->first + i];
        cli_puts(out, "prefetch ");
        cli_put_text(out, memory_tensor_name(m, to));
        cli_printf(out,
            " from=%" PRIu64 " to=%" PRIu64 " bytes=%" PRIu64 " step=%" PRIu32 " use=%" PRIu32
            " start=%" PRIu64 " end=%" PRIu64 "\n",
            m->memory_plan.tensors[p->source[i]].offset, to->offset, to->bytes, r->steps[i],
            to->end, r->starts[i], r->starts[i] + p->ticks[i]);
    }
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        if (r->stalls[i] != 0) {
            cli_printf(out, "stall step=%" PRIu32 " node=", i);
            cli_put_text(out, memory_node_name(&m->graph, m->liveness.nodes[i]));
            cli_printf(out, " time=%" PRIu64 "\n", r->stalls[i]);
        }
    }
    cli_printf(out,
        "copies n=%" PRIu32 " bytes=%" PRIu64 " stall=%" PRIu64 " run=%" PRIu64 " peak=%" PRIu64
        " any_order=%" PRIu64 " chain=%d unknown=%" PRIu32 " inside=%" PRIu64 "\n",
        p->n, copied(m), r->stall, run_ticks(m), m->several.use[p->fast].least, r->lower_bound,
        p->is_chain, p->untimed, p->inside);
}

void memory_prefetch_json(const memory *m, cli_buffer *out)
{
    const memory_prefetch *p = &m->prefetch;
    const gsp_prefetch_result *r = &p->result;
    const char *before = "\n  {";
    cli_printf(out,
        ",\n\"prefetch\": {\"stall\": %" PRIu64 ", \"run\": %" PRIu64 ", \"peak\": %" PRIu64
        ", \"any_order\": %" PRIu64 ", \"chain\": %s, \"unknown\": %" PRIu32
        ", \"inside\": %" PRIu64 ",\n \"copies\": [",
        r->stall, run_ticks(m), m->several.use[p->fast].least, r->lower_bound,
        p->is_chain ? "true" : "false", p->untimed, p->inside);
    for (uint32_t i = 0; i < p->n; i++) {
        const gsp_tensor *to = &m->memory_plan.tensors[p->first + i];
        cli_puts(out, i != 0 ? ",\n  {\"parameter\": " : "\n  {\"parameter\": ");
        cli_json_string(out, memory_tensor_name(m, to));
        cli_printf(out,
            ", \"from\": %" PRIu64 ", \"to\": %" PRIu64 ", \"bytes\": %" PRIu64
            ", \"step\": %" PRIu32 ", \"use\": %" PRIu32 ", \"start\": %" PRIu64
            ", \"end\": %" PRIu64 "}",
            m->memory_plan.tensors[p->source[i]].offset, to->offset, to->bytes, r->steps[i],
            to->end, r->starts[i], r->starts[i] + p->ticks[i]);
    }
    cli_puts(out, "],\n \"stalls\": [");
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        if (r->stalls[i] != 0) {
            cli_printf(out, "%s\"step\": %" PRIu32 ", \"node\": ", before, i);
            cli_json_string(out, memory_node_name(&m->graph, m->liveness.nodes[i]));
            cli_printf(out, ", \"time\": %" PRIu64 "}", r->stalls[i]);
            before = ",\n  {";
        }
    }
    cli_puts(out, "]}");
}

/* ---- as C ---- */

static void put_define(cli_buffer *out, const char *name, uint64_t value)
{
    cli_printf(out, "#define PREFETCH_%s %" PRIu64 "u\n", name, value);
}

static void put_c_copies(const memory *m, cli_buffer *out)
{
    const memory_prefetch *p = &m->prefetch;
    cli_puts(out, "\nstruct prefetch_copy {\n"
                  "    const char *name; /* of the parameter */\n"
                  "    uint32_t step;\n"
                  "    uint32_t use;\n"
                  "    size_t from; /* in the slow memory */\n"
                  "    size_t to;   /* in the fast memory */\n"
                  "    size_t bytes;\n"
                  "};\n\n"
                  "static const struct prefetch_copy prefetch_copies[] = {\n");
    for (uint32_t i = 0; i < p->n; i++) {
        const gsp_tensor *to = &m->memory_plan.tensors[p->first + i];
        cli_puts(out, "    {");
        cli_put_c_string(out, memory_tensor_name(m, to));
        cli_printf(out,
            ", %" PRIu32 "u, %" PRIu32 "u, %" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u},\n",
            p->result.steps[i], to->end, m->memory_plan.tensors[p->source[i]].offset, to->offset,
            to->bytes);
    }
    cli_puts(out, p->n != 0 ? "};\n" : "    {NULL, 0, 0, 0, 0, 0},\n};\n");
}

static void put_c_tensors(const memory *m, cli_buffer *out)
{
    const memory_prefetch *p = &m->prefetch;
    uint32_t n = 0;
    cli_puts(out, "\n/* What else lies in the fast memory. */\n"
                  "struct prefetch_tensor {\n"
                  "    const char *name;\n"
                  "    uint32_t first; /* step */\n"
                  "    uint32_t last;\n"
                  "    size_t offset;\n"
                  "    size_t bytes;\n"
                  "};\n\n"
                  "static const struct prefetch_tensor prefetch_tensors[] = {\n");
    for (uint32_t t = 0; t < p->first; t++) {
        const gsp_tensor *at = &m->memory_plan.tensors[t];
        if (m->several.result.memory[t] == p->fast) {
            cli_puts(out, "    {");
            cli_put_c_string(out, memory_tensor_name(m, at));
            cli_printf(out, ", %" PRIu32 "u, %" PRIu32 "u, %" PRIu64 "u, %" PRIu64 "u},\n",
                at->begin, at->end, at->offset, at->bytes);
            n++;
        }
    }
    cli_puts(out, n != 0 ? "};\n" : "    {NULL, 0, 0, 0, 0},\n};\n");
}

void memory_prefetch_c(const memory *m, cli_buffer *out)
{
    const memory_prefetch *p = &m->prefetch;
    const memory_use *use = m->several.use;
    cli_puts(out,
        "/* Written by graphsplit memory --prefetch. When the steps before `step` have ended, its "
        "copies start,\n"
        " * one at a time in this order; `use` starts when its copies have ended. Offsets count "
        "from the start of\n"
        " * each memory. */\n"
        "#include <stddef.h>\n#include <stdint.h>\n\n");
    put_define(out, "STEPS", m->graph.n_nodes);
    put_define(out, "COPIES", p->n);
    put_define(out, "FAST_BYTES", use[p->fast].bytes);
    put_define(out, "SLOW_BYTES", use[p->slow].bytes);
    put_c_copies(m, out);
    put_c_tensors(m, out);
}
