/* --lift-constants of `dedup`: numbers and booleans become inputs before the pass; those on which
 * all calls of a subgraph agree return after it. */
#ifndef CLI_COMMANDS_DEDUP_LIFT_H
#define CLI_COMMANDS_DEDUP_LIFT_H

#include "commands/dedup/facts.h"

/* dedup_lift: makes p->graph a graph in which every number or boolean among the arguments of a
 * call is a placeholder of its own, before all nodes. An index of an aggregate stays, because the
 * pass reads it. */
int dedup_lift(dedup *p);

/* dedup_unlift: makes p->graph the graph of the file again, and p->result the result for it. Of
 * `regions` and `selection`, it translates what is read: members, and what names or counts nodes.
 */
int dedup_unlift(dedup *p);

#endif
