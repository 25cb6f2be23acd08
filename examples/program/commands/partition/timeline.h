/* Nodes one after the other on each device, by the list heuristic HEFT (Topcuoglu et al. 2002). */
#ifndef CLI_COMMANDS_PARTITION_TIMELINE_H
#define CLI_COMMANDS_PARTITION_TIMELINE_H

#include "commands/partition/room.h"

typedef struct partition_timeline {
    partition_room *room;
    double rate;      /* bytes per second; 0: transfers take no time */
    double *seconds;  /* [n] of a node */
    double *begin;    /* [n] */
    double *end;      /* [n] */
    gsp_node *list;   /* [n_calls] by falling rank: the longest way to an end */
    gsp_node *first;  /* [n_devices] of a device, by time */
    gsp_node *last;   /* [n_devices] */
    gsp_node *before; /* [n] on the same device */
    gsp_node *after;  /* [n] */
} partition_timeline;

void partition_timeline_open(partition_timeline *t, const partition *p, partition_room *room);
void partition_timeline_close(const partition_timeline *t, cli_session *s);

/* partition_timeline_place: places each node of the list where it ends first among the devices with
 * room. 0: a node has no room. */
int partition_timeline_place(partition_timeline *t);

/* partition_timeline_run: seconds until all nodes have ended on their devices. */
double partition_timeline_run(partition_timeline *t);

#endif
