/* Stages from and to a plan file. */
#ifndef CLI_COMMANDS_PIPE_CUT_H
#define CLI_COMMANDS_PIPE_CUT_H

#include "commands/pipe/facts.h"

/* pipe_cut_read: --plan; needs the graph. Returns an exit status. */
int pipe_cut_read(pipe *p);

/* pipe_cut_save: --save-plan. Returns an exit status. */
int pipe_cut_save(const pipe *p);

#endif
