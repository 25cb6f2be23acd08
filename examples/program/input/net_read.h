/* The formats that consist of lines of numbers. */
#ifndef CLI_INPUT_NET_READ_H
#define CLI_INPUT_NET_READ_H

#include "input/net.h"

/* Each reads net->text. Returns an exit status. */
int cli_net_read_metis(cli_net *net);
int cli_net_read_hmetis(cli_net *net);
int cli_net_read_mtx(cli_net *net);
int cli_net_read_hyperdag(cli_net *net);
int cli_net_read_edges(cli_net *net);

#endif
