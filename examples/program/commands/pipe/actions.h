/* The schedule as rows of actions, one per device. */
#ifndef CLI_COMMANDS_PIPE_ACTIONS_H
#define CLI_COMMANDS_PIPE_ACTIONS_H

#include "commands/pipe/facts.h"

typedef struct pipe_row {
    cli_action *actions;
    uint32_t n;
    uint32_t room;
} pipe_row;

/* pipe_rows: the tasks of every device in order. [devices] */
pipe_row *pipe_rows(const pipe *p);

/* pipe_rows_with_transfers: the same with sends and receives between devices, with gathers and
 * releases of parameters (for three stages at a time), and with the sums of gradients: the rows
 * that PyTorch makes of the tasks. */
pipe_row *pipe_rows_with_transfers(const pipe *p);

#endif
