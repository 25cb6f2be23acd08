/* Cuts by markers and split specs. */
#ifndef CLI_COMMANDS_PIPE_MARKS_H
#define CLI_COMMANDS_PIPE_MARKS_H

#include "commands/pipe/facts.h"

/* pipe_marks_read: --split-spec and --marker. Returns an exit status. */
int pipe_marks_read(pipe *p);

/* pipe_marks_refuse: reports an error of gsp_stages_from_marks_run(). Returns CLI_EXIT_FAILED. */
int pipe_marks_refuse(pipe *p, const gsp_error *err);

#endif
