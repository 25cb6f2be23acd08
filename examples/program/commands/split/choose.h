/* What is decided before the cut: which nodes give way to limits, and phases of least traffic. */
#ifndef CLI_COMMANDS_SPLIT_CHOOSE_H
#define CLI_COMMANDS_SPLIT_CHOOSE_H

#include "commands/split/facts.h"

/* split_is_exact: single nodes give way to the limits. */
int split_is_exact(const split_options *opt);

/* split_value: the value of every node, as --value has it. NULL: 1 each, or an error that was told.
 */
const uint64_t *split_value(const split *p, int *code);

/* split_choose: changes placement and desc for --max-acc, --limit-policy exact, --order and
 * --minimise time. */
int split_choose(split *p);

#endif
