/* Which format a file is in, and the module that it holds. */
#ifndef CLI_INPUT_LOAD_H
#define CLI_INPUT_LOAD_H

#include "core/session.h"

/* cli_choose_format: sets session->format by the ending of session->path. */
void cli_choose_format(cli_session *s);

/* cli_load: session->path into session->module, in whatever format it is. */
int cli_load(cli_session *s);

/* cli_load_main: the same for a pass that takes the main graph and is about to print. */
int cli_load_main(cli_session *s, gsp_graph *graph, gsp_counts *counts);

#endif
