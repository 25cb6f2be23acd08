/* The graph of a pipeline as units: groups, and what has to be on one device with them. */
#ifndef CLI_COMMANDS_PIPE_UNITS_H
#define CLI_COMMANDS_PIPE_UNITS_H

#include "commands/pipe/facts.h"
#include "algorithms/downsets.h"

typedef struct pipe_units {
    cli_units units;
    uint32_t *unit_of;  /* [nodes] GSP_NONE: in no stage */
    uint32_t *backward; /* [nodes] 1: a node of the backward part */
    int has_backward;
    int writes; /* some node writes, so the order of the graph is kept */
} pipe_units;

/* pipe_units_make: the units of the graph, with the costs of the plan. With --keep-groups, nodes of
 * one group= are one unit, the backward part included. */
void pipe_units_make(pipe *p, pipe_units *made);

/* pipe_ticks: seconds as ticks of one nanosecond. */
uint64_t pipe_ticks(double seconds);

/* pipe_sync_ticks: to send so many bytes once. */
uint64_t pipe_sync_ticks(const pipe *p, uint64_t bytes);

/* pipe_own_bytes: fixed= and kept= of a node, its memory and what a microbatch adds, in place of
 * parameters and outputs. Returns whether it has one of them. */
int pipe_own_bytes(const gsp_graph *g, gsp_node v, uint64_t *fixed, uint64_t *kept);

/* pipe_own_move: each=S,S,... of a node: ticks to move its output to user i, apart from all other
 * users. Returns whether the node has it. */
int pipe_own_move(const gsp_graph *g, gsp_node v, uint32_t i, uint64_t *ticks);

void pipe_units_free(pipe *p, pipe_units *made);

#endif
