/* --repair: a placement where size, cost or kl finds none. */
#ifndef CLI_COMMANDS_PARTITION_REPAIR_H
#define CLI_COMMANDS_PARTITION_REPAIR_H

#include "commands/partition/facts.h"

/* partition_repair_options: refuses --repair where it means nothing. Returns an exit status. */
int partition_repair_options(const partition *p);

/* partition_repairable: the mode failed, and another placement may exist. */
int partition_repairable(const partition *p, const gsp_error *err);

/* partition_repair: finds a placement for p->desc. Returns an exit status. */
int partition_repair(partition *p);

#endif
