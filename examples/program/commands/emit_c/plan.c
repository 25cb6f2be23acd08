/* The memory plan of a graph as C declarations: a table of tensors, and the arena. */
#include "commands/emit_c/emit_c.h"

#include "commands/memory/memory.h"
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

void emit_c_put_unused(cli_buffer *out)
{
    cli_puts(out, "#if defined(__GNUC__)\n__attribute__((unused))\n#endif\n");
}

/* The subgraphs of a split, and the calls in the order in which they run. */
static void put_parts(cli_buffer *out, const char *name, const memory *m)
{
    uint32_t i;
    cli_printf(out, "\nenum { %s_n_parts = %" PRIu32 ", %s_calls = %" PRIu32 " };\n\n", name,
        m->parts.n_parts, name, m->n_order);
    emit_c_put_unused(out);
    cli_printf(out, "static const char *const %s_parts[%" PRIu32 "] = {\n", name, m->parts.n_parts);
    for (i = 0; i < m->parts.n_parts; i++) {
        cli_puts(out, "    ");
        cli_put_c_string(out, m->parts.names[i]);
        cli_puts(out, ",\n");
    }
    cli_puts(out, "};\n\n/* The nodes that run, in this order, and the part of each. */\n");
    emit_c_put_unused(out);
    cli_printf(out, "static const uint32_t %s_order[%" PRIu32 "][2] = {\n", name, m->n_order);
    for (i = 0; i < m->n_order; i++) {
        cli_printf(
            out, "    {%" PRIu32 "u, %" PRIu32 "u},\n", m->order[i], m->parts.part_of[m->order[i]]);
    }
    cli_puts(out, "};\n");
}

static void put_tensor(cli_buffer *out, const memory *m, uint32_t i)
{
    const gsp_tensor *t = &m->memory_plan.tensors[i];
    cli_puts(out, "    {");
    cli_put_c_string(out, gsp_node_name(&m->graph, t->node));
    cli_printf(out, ", %" PRIu32 "u, %" PRIu32 "u, %" PRIu64 "u, %" PRIu64 "u", t->node, t->scratch,
        t->offset, t->bytes);
    if (m->order != NULL) {
        cli_printf(out, ", %" PRIu32 "u", m->memory_plan.crosses[i]);
    }
    cli_puts(out, "},\n");
}

static void put_table(cli_buffer *out, const char *name, const memory *m)
{
    uint32_t i;
    cli_printf(out,
        "\n/* The memory plan, as graphsplit memory --align %" PRIu64 "%s%s. */\n"
        "struct %s_tensor {\n"
        "    const char *name; /* of its node */\n"
        "    uint32_t node;\n"
        "    uint32_t scratch; /* 1: only while the node runs, for the graph that it calls */\n"
        "    size_t offset;    /* in %s_arena */\n"
        "    size_t bytes;\n"
        "%s};\n\n"
        "enum { %s_tensors = %" PRIu32 " };\n\n",
        m->opt.align, m->searches ? " --exact" : "",
        m->order != NULL ? " --run-of, for the order below" : "", name, name,
        m->order != NULL ? "    uint32_t crosses; /* 1: another part reads it */\n" : "", name,
        m->memory_plan.n_tensors);
    emit_c_put_unused(out);
    cli_printf(out, "static const struct %s_tensor %s_plan[%" PRIu32 "] = {\n", name, name,
        m->memory_plan.n_tensors);
    for (i = 0; i < m->memory_plan.n_tensors; i++) {
        put_tensor(out, m, i);
    }
    cli_puts(out, "};\n");
}

/* C99 has no keyword for alignment, so extensions of compilers are used. */
static void put_arena(cli_buffer *out, const char *name, const memory *m)
{
    uint64_t const align = m->opt.align;
    cli_printf(out,
        "\n#if defined(__GNUC__)\n"
        "__attribute__((aligned(%" PRIu64 "), unused))\n"
        "#elif defined(__cplusplus)\n"
        "alignas(%" PRIu64 ")\n"
        "#elif defined(_MSC_VER)\n"
        "__declspec(align(%" PRIu64 "))\n"
        "#else\n"
        "_Alignas(%" PRIu64 ")\n"
        "#endif\n"
        "static unsigned char %s_arena[%" PRIu64 "u];\n",
        align, align, align, align, name, m->memory_plan.arena);
}

/* --arena is for the last pass. */
static int take_arena(cli_session *s, gsp_arena *arena, size_t bound, int is_last)
{
    if (is_last) {
        return cli_pass_arena(s, arena, bound);
    }
    cli_arena(s, arena, bound);
    return CLI_EXIT_OK;
}

static int make_plan(cli_session *s, memory *m)
{
    gsp_memory_plan_desc desc = {0};
    gsp_arena arena;
    gsp_error err;
    int code;
    desc.align = (uint32_t)m->opt.align;
    desc.order = m->order;
    desc.n_order = m->n_order;
    desc.part_of = m->parts.part_of;
    if (memory_nested_plan(m, &err) != GSP_OK) {
        return cli_pass_error(s, &m->graph, &err);
    }
    desc.scratch = m->scratch != NULL && m->nested.block != NULL ? m->nested.block : m->scratch;
    code = take_arena(s, &arena, gsp_memory_plan_bound(&m->graph, &desc), !m->searches);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (gsp_memory_plan_run(&arena, &m->graph, &desc, &m->memory_plan, &err) != GSP_OK) {
        return cli_pass_error(s, &m->graph, &err);
    }
    if (!m->searches) {
        return CLI_EXIT_OK;
    }
    code = take_arena(s, &arena, memory_pack_bound(m, m->memory_plan.n_tensors), 1);
    return code != CLI_EXIT_OK || memory_pack(m, &arena, &err) == GSP_OK
               ? code
               : cli_pass_error(s, &m->graph, &err);
}

int emit_c_plan(cli_session *s, const emit_c_desc *desc)
{
    memory m;
    int code;
    memset(&m, 0, sizeof m);
    m.session = s;
    m.opt.align = desc->align;
    m.opt.capacity = UINT64_MAX;
    m.opt.exact.given = desc->exact != NULL;
    m.opt.run_of = desc->run_of;
    m.searches = desc->exact != NULL;
    m.max_work = desc->exact != NULL ? *desc->exact : 0u;
    m.graph = gsp_module_graph(&s->module, 0);
    if ((code = memory_graphs(&m)) != CLI_EXIT_OK || (code = memory_run_of(&m)) != CLI_EXIT_OK ||
        (code = make_plan(s, &m)) != CLI_EXIT_OK) {
        return code;
    }
    if (m.memory_plan.arena == 0) {
        return cli_error(s, GSP_STATUS_ARG,
            "--plan: the graph has no sizes; annotate nodes with types such as "
            "# f32[1, 8]");
    }
    cli_dims_tell(s);
    cli_unknown_tell(s);
    put_table(&s->out, desc->name, &m);
    if (m.order != NULL) {
        put_parts(&s->out, desc->name, &m);
    }
    put_arena(&s->out, desc->name, &m);
    return CLI_EXIT_OK;
}
