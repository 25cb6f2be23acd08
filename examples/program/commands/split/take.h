/* The split of kinds that are chosen before the cut. */
#ifndef CLI_COMMANDS_SPLIT_TAKE_H
#define CLI_COMMANDS_SPLIT_TAKE_H

#include "commands/split/facts.h"

/* split_run: a split in memory of its own. Returns an exit status. */
int split_run(split *p, const gsp_split_desc *desc, gsp_split_result *result);

/* split_take: the split of these kinds, with the groups of the reference; sets what it is made of.
 * Returns an exit status. */
int split_take(split *p, const gsp_split_result *reference, const uint8_t *kind,
    gsp_split_desc *desc, gsp_placement *placement, gsp_split_result *result);

#endif
