/* The contents of an operator list. */
#ifndef CLI_COMMANDS_OPS_FACTS_H
#define CLI_COMMANDS_OPS_FACTS_H

#include "core/session.h"
#include "data/operator_lists.h"

/* ops_about: the first line of a list, without `# ` and the newline. */
gsp_str ops_about(const cli_operator_list *list);

/* ops_is_again: line i gives other types for the operator of the line before. */
int ops_is_again(const cli_operator_list *list, uint32_t i);

/* ops_count: the number of operators in a list. */
uint32_t ops_count(const cli_operator_list *list);

/* ops_is_bound: the list leaves out conditions that the accelerator has. */
int ops_is_bound(cli_session *s, const cli_operator_list *list);

/* ops_source: the paragraph of the comment after "Source: ", on one line. */
gsp_str ops_source(const cli_operator_list *list, cli_buffer *room);

#endif
