/* The input of the command `run`, and the values that the graph returned. */
#ifndef CLI_COMMANDS_RUN_FACTS_H
#define CLI_COMMANDS_RUN_FACTS_H

#include "core/measure.h"
#include "commands/run/values.h"

typedef struct run_options {
    const char *graph;
    const char *equal;
    uint64_t max_work;
} run_options;

typedef struct run_work {
    cli_session *session;
    run_options opt;
    gsp_input *inputs;
    uint32_t n_inputs;
    run_facts *facts;
    uint64_t left; /* of --max-work */
    gsp_graph graph;
    gsp_exec_plan frames;
    gsp_value *values; /* inputs */
    gsp_value *outputs;
    const char *verdict; /* of --equal: "equal" or "different"; NULL: not asked for */
    size_t bound;
    cli_timing timing;
} run_work;

/* run_put_outputs: the values of the first `count` outputs. */
void run_put_outputs(
    const run_work *w, uint32_t count, cli_buffer *out, const char *before, const char *after);

#endif
