/* A network that is built arc by arc, and cut. */
#ifndef CLI_ALGORITHMS_NETWORK_H
#define CLI_ALGORITHMS_NETWORK_H

#include "graphsplit.h"

#define CLI_SOURCE 0u
#define CLI_SINK   1u

typedef struct cli_network {
    gsp_arena *arena;
    gsp_cut_arc *arcs; /* [most] */
    size_t most;       /* also of nodes */
    size_t n_arcs;     /* those above `most` are counted alone */
    uint32_t n_nodes;
    const uint8_t *side; /* [n_nodes] of the minimum cut */
    uint64_t value;
    uint64_t work; /* of all cuts */
    uint64_t max_work;
} cli_network;

/* cli_network_bound: bytes for a network of so many arcs, and as many nodes. */
size_t cli_network_bound(size_t most);

/* cli_network_make: takes the arena, whose rest is for the cuts. 0: it is too small. */
int cli_network_make(cli_network *net, gsp_arena *arena, size_t most);

/* cli_network_start: the source and the sink alone. */
void cli_network_start(cli_network *net);

uint32_t cli_network_node(cli_network *net);
void cli_network_arc(cli_network *net, uint32_t from, uint32_t to, uint64_t capacity);
void cli_network_both(
    cli_network *net, uint32_t from, uint32_t to, uint64_t capacity, uint64_t back);
int cli_network_fits(const cli_network *net);

/* cli_network_cut: 1: the network is cut; 0: it is too large, or the work ended; `value` is then
 * what no cut is below. */
int cli_network_cut(cli_network *net);

#endif
