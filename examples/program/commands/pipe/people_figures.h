/* The part of the report about costs of the stages and the schedule. */
#ifndef CLI_COMMANDS_PIPE_PEOPLE_FIGURES_H
#define CLI_COMMANDS_PIPE_PEOPLE_FIGURES_H

#include "commands/pipe/facts.h"

void pipe_people_figures(const pipe *p, cli_buffer *out);

#endif
