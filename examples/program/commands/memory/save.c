/* --save-tflite: the model with its plan. */
#include "commands/memory/memory.h"

#include "input/input.h"
#include "output/output.h"

#include <inttypes.h>
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

int memory_save_tflite(const memory *m)
{
    const gsp_memory_plan_result *plan = &m->memory_plan;
    cli_session *s = m->session;
    uint64_t *offsets = (uint64_t *)cli_alloc(s, (size_t)m->graph.n_nodes + 1u, sizeof *offsets);
    cli_buffer out;
    gsp_node v;
    int code;
    for (v = 0; v < m->graph.n_nodes; v++) {
        uint32_t const t = plan->tensor_of[v];
        offsets[v] = t != GSP_NONE ? plan->tensors[t].offset : UINT64_MAX;
    }
    if ((code = memory_check_tflite(m)) != CLI_EXIT_OK) {
        return code;
    }
    cli_buffer_init(&out, s);
    code = cli_tflite_offline(s, offsets, &out);
    return code == CLI_EXIT_OK ? cli_write_file(s, m->opt.save_tflite, &out) : code;
}
