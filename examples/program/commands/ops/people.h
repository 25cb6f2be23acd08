/* All operator lists for people. */
#ifndef CLI_COMMANDS_OPS_PEOPLE_H
#define CLI_COMMANDS_OPS_PEOPLE_H

#include "core/session.h"

void ops_people(cli_session *s);

#endif
