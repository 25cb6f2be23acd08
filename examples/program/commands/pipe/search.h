/* Stages by a search over downsets of units: with groups, CPU cores, replicas, or other orders. */
#ifndef CLI_COMMANDS_PIPE_SEARCH_H
#define CLI_COMMANDS_PIPE_SEARCH_H

#include "commands/pipe/facts.h"

/* pipe_search_wanted: whether the options ask for it, or nodes have memory of their own. */
int pipe_search_wanted(pipe *p);

/* pipe_search_run: improves the result of the plan; `has_plan`: there is one. Returns whether there
 * is one now. */
int pipe_search_run(pipe *p, int has_plan);

/* pipe_search_loads: the costs of the stages where they are placed. */
void pipe_search_loads(pipe *p);

/* pipe_search_has_places: stages have CPU cores, several devices, or devices in common. */
int pipe_search_has_places(const pipe *p);

/* pipe_put_place: where a stage runs: "cpu 0", "device 2" or "devices 1-3". */
void pipe_put_place(const pipe *p, cli_buffer *out, uint32_t stage);

#endif
