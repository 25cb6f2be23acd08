/* What is proved about a split, for people. */
#ifndef CLI_COMMANDS_SPLIT_PEOPLE_PROOF_H
#define CLI_COMMANDS_SPLIT_PEOPLE_PROOF_H

#include "commands/split/facts.h"

/* split_people_proof: lines about --start best, limits and --order, before small subgraphs join the
 * CPU. */
void split_people_proof(const split *p, cli_buffer *out);

#endif
