/* Orders of a graph that need less memory. */
#ifndef CLI_COMMANDS_MEMORY_ORDER_H
#define CLI_COMMANDS_MEMORY_ORDER_H

#include "commands/memory/facts.h"

typedef struct memory_orders {
    gsp_module given;
    gsp_node **at; /* [n] orders of the nodes of the given graph; at[0]: NULL, as it is */
    uint32_t n;
} memory_orders;

/* memory_orders_find: the given order, one with the least peak, and others if parts are wanted;
 * fills what m->found says of the search. Returns an exit status. */
int memory_orders_find(memory *m, memory_orders *orders);

/* memory_orders_take: puts the module of the session into that order. */
int memory_orders_take(memory *m, const memory_orders *orders, uint32_t i);

/* memory_emit_model: writes the module as a file of the format that its ending names. */
int memory_emit_model(const memory *m);

#endif
