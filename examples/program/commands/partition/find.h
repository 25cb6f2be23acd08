/* A placement of all nodes that fits. */
#ifndef CLI_COMMANDS_PARTITION_FIND_H
#define CLI_COMMANDS_PARTITION_FIND_H

#include "commands/partition/room.h"

typedef enum partition_found {
    PARTITION_FOUND,
    PARTITION_NOT_FOUND,
    PARTITION_PROVED /* there is none */
} partition_found;

/* partition_find: places all nodes, none of which is placed. */
partition_found partition_find(partition_room *r, cli_session *s);

/* partition_find_refuse: NO_FIT, with what the search found out. Returns an exit status. */
int partition_find_refuse(const partition *p, partition_found found);

#endif
