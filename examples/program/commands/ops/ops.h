/* The command `ops`. */
#ifndef CLI_COMMANDS_OPS_OPS_H
#define CLI_COMMANDS_OPS_OPS_H

#include "core/command.h"

/* cli_operators_put: writes all lists with their sources to session->out. */
int cli_operators_put(cli_session *s);

extern const cli_pass cli_ops_pass;

#endif
