/* The report of `pipe` for people. */
#ifndef CLI_COMMANDS_PIPE_PEOPLE_H
#define CLI_COMMANDS_PIPE_PEOPLE_H

#include "commands/pipe/facts.h"

void pipe_people(const pipe *p, cli_buffer *out);

#endif
