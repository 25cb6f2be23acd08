/* Graphs of the formats of partitioners: nodes with weights, edges, no operators. */
#ifndef CLI_INPUT_NET_H
#define CLI_INPUT_NET_H

#include "core/session.h"

typedef struct cli_net_edge {
    uint32_t from;
    uint32_t to;
    uint64_t line; /* of the file */
    uint64_t bytes;
} cli_net_edge;

typedef struct cli_net {
    cli_session *session;
    const char *path;
    gsp_str text;
    uint32_t n;
    uint32_t m;
    uint32_t room;
    uint32_t base;       /* number of the first node in the file, for errors */
    int undirected;      /* edges go from the lower to the higher number */
    int hyper;           /* edges of several nets may be equal */
    int has_bytes;       /* bytes of values are given; else weights of edges are */
    int merged;          /* several nets have one source */
    int unequal;         /* a value has the largest of several weights of edges */
    cli_net_edge *edges; /* [m] */
    uint64_t *weight;    /* [n] */
    uint64_t *bytes;     /* [n] of the value */
    gsp_str *names;      /* [n], or NULL */
} cli_net;

/* cli_net_nodes: room for n nodes of weight 1 and 1 byte. Returns an exit status. */
int cli_net_nodes(cli_net *net, uint64_t n, uint64_t line);

/* cli_net_add: an edge; a loop is an error. Returns an exit status. */
int cli_net_add(cli_net *net, uint32_t from, uint32_t to, uint64_t line, uint64_t bytes);

/* cli_net_finish: checks the graph and makes session->module; nodes are calls with weight= and
 * compute=. Says on standard error what is lost. Returns an exit status. */
int cli_net_finish(cli_net *net);

#endif
