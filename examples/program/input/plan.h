/* Plan files: assignments saved by name. */
#ifndef CLI_INPUT_PLAN_H
#define CLI_INPUT_PLAN_H

#include "algorithms/plan_file.h"
#include "core/session.h"

typedef struct cli_plan {
    cli_plan_text plan;
    cli_plan_match on; /* a graph */
} cli_plan;

/* cli_plan_save: writes an assignment as a file. */
int cli_plan_save(
    cli_session *s, const char *path, const gsp_graph *graph, const cli_plan_desc *desc);

/* cli_plan_read: reads a plan from a file. */
int cli_plan_read(cli_session *s, const char *path, cli_plan_text *plan);

/* cli_plan_load: the same, matched against a graph; reports lines that no longer match. */
int cli_plan_load(cli_session *s, const char *path, const gsp_graph *graph, cli_plan *plan);

/* cli_plan_numbers: the names of its parts as numbers. 0: some are no numbers; parts are then
 * numbered from 0 in their order. */
int cli_plan_numbers(const cli_plan_text *plan, int64_t *numbers);

#endif
