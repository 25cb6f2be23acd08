/* --schedule-csv of `pipe`: the schedule as PyTorch's pipelines read and write it. */
#ifndef CLI_COMMANDS_PIPE_CSV_H
#define CLI_COMMANDS_PIPE_CSV_H

#include "commands/pipe/facts.h"

void pipe_csv(const pipe *p, cli_buffer *out);

#endif
