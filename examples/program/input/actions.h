/* Schedules from files, as PyTorch's pipelines write them: a row per device, a cell per action. */
#ifndef CLI_INPUT_ACTIONS_H
#define CLI_INPUT_ACTIONS_H

#include "algorithms/schedule.h"
#include "core/session.h"

typedef struct cli_actions {
    const char *path;
    uint32_t n_devices;
    uint32_t n_stages;
    uint32_t n_microbatches;
    uint32_t sends;      /* 1: some cell is a send or a receive */
    cli_action *actions; /* what cli_schedule_desc takes */
    uint32_t *column;    /* of the cell of an action */
    uint32_t *begin;     /* [n_devices + 1] */
    uint32_t *device_of; /* [n_stages] */
} cli_actions;

/* cli_actions_read: reads and checks a schedule: every task once, on one device per stage, in an
 * order that ends. `microbatches` 0: as many as the file has. Returns an exit status. */
int cli_actions_read(
    cli_session *s, const char *path, uint32_t microbatches, int inference, cli_actions *out);

/* cli_actions_fit: reports the first action of a stage that the pipeline does not have, or a stage
 * that nothing runs. Returns an exit status. */
int cli_actions_fit(cli_session *s, const cli_actions *from, uint32_t n_stages);

/* cli_actions_use: the order of a description. */
void cli_actions_use(const cli_actions *from, cli_schedule_desc *desc);

#endif
