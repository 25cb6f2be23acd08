/* The format of a file, and the module in it. */
#ifndef CLI_INPUT_LOAD_H
#define CLI_INPUT_LOAD_H

#include "core/session.h"

/* cli_choose_format: sets session->format by the ending of session->path. */
void cli_choose_format(cli_session *s);

/* cli_load: reads session->path into session->module, in any format. */
int cli_load(cli_session *s);

/* cli_load_main: the same for a pass that takes the main graph and prints next. */
int cli_load_main(cli_session *s, gsp_graph *graph, gsp_counts *counts);

#endif
