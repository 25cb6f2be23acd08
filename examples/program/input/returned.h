/* Words after `return` that name no node. */
#ifndef CLI_INPUT_RETURNED_H
#define CLI_INPUT_RETURNED_H

#include "core/session.h"

/* cli_check_returned: warns about names after `return` that no node has. */
void cli_check_returned(cli_session *s);

#endif
