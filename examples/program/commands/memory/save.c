/* --save-tflite: the model with its plan. */
#include "commands/memory/memory.h"

#include "input/input.h"
#include "output/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int memory_check_tflite(const memory *m)
{
    cli_session *s = m->session;
    if (m->opt.save_tflite == NULL) {
        return CLI_EXIT_OK;
    }
    if (cli_tflite_model(s) == NULL || m->chosen != 0) {
        return cli_error(s, GSP_STATUS_ARG, "--save-tflite: %s is no %s", s->path,
            m->chosen != 0 ? "main graph" : ".tflite model");
    }
    if (m->memory_plan.arena > INT32_MAX) {
        return cli_error(s, GSP_STATUS_LIMIT,
            "--save-tflite: an arena of %" PRIu64 " bytes needs offsets of more than 31 bits",
            m->memory_plan.arena);
    }
    return CLI_EXIT_OK;
}

/* Offsets of the tensors of a graph that begins at `base`. */
static void set_offsets(
    const gsp_graph *g, const gsp_memory_plan_result *plan, uint64_t base, uint64_t *offsets)
{
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t const t = plan->tensor_of[v];
        if (t != GSP_NONE) {
            offsets[g->first + v] = base + plan->tensors[t].offset;
        }
    }
}

/* Offsets of all graphs that main runs, of each node. One that would stand at several addresses is
 * left to the interpreter. */
static uint64_t *offsets_of(const memory *m)
{
    const gsp_module *module = &m->session->module;
    size_t const n = module->counts.nodes;
    uint64_t *offsets = (uint64_t *)cli_alloc(m->session, n + 1u, sizeof *offsets);
    gsp_memory_plan_result own = m->memory_plan;
    uint32_t i;
    memset(offsets, 0xFF, n * sizeof *offsets);
    if (m->children.n != 0) {
        own.tensors = m->children.tensors;
        own.tensor_of = m->children.tensor_of;
    }
    set_offsets(&m->graph, &own, 0, offsets);
    for (i = 1; i < module->counts.graphs && m->nested.block != NULL; i++) {
        gsp_graph const g = gsp_module_graph(module, i);
        if (m->nested.base[i] < MEMORY_TWICE) {
            set_offsets(&g, &m->nested.plans[i], m->nested.base[i], offsets);
        }
    }
    return offsets;
}

static void tell_twice(const memory *m)
{
    const gsp_module *module = &m->session->module;
    uint32_t i;
    for (i = 1; i < module->counts.graphs && m->nested.block != NULL; i++) {
        if (m->nested.base[i] == MEMORY_TWICE) {
            fprintf(stderr,
                "%s: --save-tflite: the graph %s is run at several addresses; the interpreter "
                "places its tensors\n",
                m->session->front->program,
                cli_copy(m->session, gsp_module_str(module, module->graphs[i].name)));
        }
    }
}

int memory_micro(const memory *m, cli_micro *micro)
{
    uint64_t *offsets;
    int found;
    if (!m->has_micro || m->chosen != 0) {
        return 0;
    }
    offsets = offsets_of(m);
    found = cli_tflite_micro(m->session, offsets, micro);
    cli_release(m->session, offsets);
    return found;
}

int memory_save_tflite(const memory *m)
{
    cli_session *s = m->session;
    cli_buffer out;
    int code = memory_check_tflite(m);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    tell_twice(m);
    cli_buffer_init(&out, s);
    code = cli_tflite_offline(s, offsets_of(m), &out);
    return code == CLI_EXIT_OK ? cli_write_file(s, m->opt.save_tflite, &out) : code;
}
