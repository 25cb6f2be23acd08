/* Stages from a plan file, and as one. */
#ifndef CLI_COMMANDS_PIPE_CUT_H
#define CLI_COMMANDS_PIPE_CUT_H

#include "commands/pipe/facts.h"

/* pipe_cut_read: --plan, once the graph is there. Returns an exit status. */
int pipe_cut_read(pipe *p);

/* pipe_cut_save: --save-plan. Returns an exit status. */
int pipe_cut_save(const pipe *p);

#endif
