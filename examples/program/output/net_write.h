/* A graph in a format of partitioners. */
#ifndef CLI_OUTPUT_NET_WRITE_H
#define CLI_OUTPUT_NET_WRITE_H

#include "core/session.h"
#include "input/net_load.h"

/* cli_net_write: the called nodes of a graph, by their numbers if it comes from such a format,
 * else in graph order. Says on standard error what the format cannot hold. Returns an exit
 * status. */
int cli_net_write(cli_session *s, const gsp_graph *graph, cli_net_kind kind, cli_buffer *out);

#endif
