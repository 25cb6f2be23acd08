/* Nodes on devices: bytes as the modes add them, kept while nodes move. */
#ifndef CLI_COMMANDS_PARTITION_ROOM_H
#define CLI_COMMANDS_PARTITION_ROOM_H

#include "commands/partition/facts.h"

typedef struct partition_room {
    const gsp_graph *g;
    const gsp_device *devices;
    uint32_t n_devices;
    uint32_t n_calls;
    gsp_node *calls;     /* [n_calls] callable nodes in graph order */
    uint32_t *device_of; /* [n] of a callable node; GSP_NONE: not placed */
    uint64_t *used;      /* [n_devices] gsp_part_bytes() of its nodes */
    uint32_t *row;       /* [n] of a placeholder or get_attr in `held` */
    uint32_t *held;      /* [rows][n_devices] nodes of a device that read it */
} partition_room;

/* partition_room_open: no node is placed. */
void partition_room_open(partition_room *r, partition *p);

/* partition_room_clear: takes all nodes off their devices. */
void partition_room_clear(partition_room *r);
void partition_room_close(const partition_room *r, cli_session *s);

/* partition_node_bytes: output and parameters of a called module. */
uint64_t partition_node_bytes(const gsp_graph *g, gsp_node v);

/* partition_room_put, partition_room_take: places a node, or takes it off its device. */
void partition_room_put(partition_room *r, gsp_node v, uint32_t device);
void partition_room_take(partition_room *r, gsp_node v);

/* partition_room_fits: the device has no more than its bytes. */
int partition_room_fits(const partition_room *r, uint32_t device);

/* partition_room_shift: moves a node. partition_room_move: the same if both devices fit, else 0. */
void partition_room_shift(partition_room *r, gsp_node v, uint32_t to);
int partition_room_move(partition_room *r, gsp_node v, uint32_t to);

/* partition_phases: acyclic parts of placed nodes: those of a part have one device, and equally
 * many changes of the device before them. Returns their number. */
uint32_t partition_phases(
    const partition_room *r, cli_session *s, uint32_t *part_of, uint32_t *device_of);

/* partition_give: makes p->desc an assignment of --mode aot. */
void partition_give(partition *p, const uint32_t *part_of, uint32_t n, const uint32_t *device_of);

#endif
