/* DOT: nodes and edges with their weights. */
#ifndef CLI_INPUT_NET_DOT_H
#define CLI_INPUT_NET_DOT_H

#include "input/net.h"

/* cli_net_read_dot: reads net->text. Returns an exit status. */
int cli_net_read_dot(cli_net *net);

#endif
