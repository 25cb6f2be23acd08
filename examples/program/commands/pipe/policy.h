/* Cuts by automatic policies. */
#ifndef CLI_COMMANDS_PIPE_POLICY_H
#define CLI_COMMANDS_PIPE_POLICY_H

#include "commands/pipe/facts.h"

/* pipe_policy_read: --stages, --policy and their options. Returns an exit status. */
int pipe_policy_read(pipe *p);

/* pipe_policy_bound: bytes for pipe_policy_run(). Returns an exit status. */
int pipe_policy_bound(pipe *p, size_t *bound);

/* pipe_policy_run: fills stage_of and n_stages. */
gsp_status pipe_policy_run(pipe *p, gsp_arena *arena, gsp_error *err);

/* pipe_policy_check: refuses stages that balance nothing known. Returns an exit status. */
int pipe_policy_check(const pipe *p);

/* pipe_policy_refuse: reports an error of pipe_policy_run(). Returns CLI_EXIT_FAILED. */
int pipe_policy_refuse(pipe *p, const gsp_error *err);

/* pipe_policy_note: notes about the cuts on standard error; once, before the output. */
void pipe_policy_note(const pipe *p);

#endif
