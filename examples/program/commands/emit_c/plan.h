/* The memory plan of a graph as C declarations. */
#ifndef CLI_COMMANDS_EMIT_C_PLAN_H
#define CLI_COMMANDS_EMIT_C_PLAN_H

#include "core/session.h"

/* emit_c_plan: plans the main graph as `memory` does, and prints table and arena. `exact`: the work
 * of `memory --exact`; NULL: none. */
int emit_c_plan(cli_session *s, const char *name, uint64_t align, const uint64_t *exact);

#endif
