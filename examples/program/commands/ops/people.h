/* All operator lists for people. */
#ifndef CLI_COMMANDS_OPS_PEOPLE_H
#define CLI_COMMANDS_OPS_PEOPLE_H

#include "commands/ops/cover.h"
#include "core/session.h"

void ops_people(cli_session *s);

/* ops_people_covers: what each list covers of a graph, as a table. */
void ops_people_covers(cli_session *s, const ops_covers *c);

#endif
