/* Operator lists as JSON. */
#ifndef CLI_COMMANDS_OPS_JSON_H
#define CLI_COMMANDS_OPS_JSON_H

#include "commands/ops/cover.h"
#include "core/session.h"
#include "data/operator_lists.h"

/* ops_json: all lists; ops_json_list: one list, its operators with their sets of types. */
void ops_json(cli_session *s);
void ops_json_list(cli_session *s, const cli_operator_list *list);

/* ops_json_covers: what each list covers of a graph. */
void ops_json_covers(const ops_covers *c, cli_buffer *out);

#endif
