/* Lifetimes from a CSV file, and plans smaller than greedy ones. */
#ifndef CLI_COMMANDS_MEMORY_PACK_H
#define CLI_COMMANDS_MEMORY_PACK_H

#include "commands/memory/facts.h"

/* memory_csv_read: the tensors of --csv as m->memory_plan; planned greedily without --memory. */
int memory_csv_read(memory *m);

/* memory_live: most bytes that are live at once, of the tensors in a memory; GSP_NONE: of all.
 * *step: when that is; NULL: not asked for. */
uint64_t memory_live(const memory *m, uint32_t in, uint32_t *step);

/* memory_stretches: how many tensors of the plan are others after a gap. */
uint32_t memory_stretches(const memory *m);

/* memory_csv_write: the plan with an offset per tensor, in the same format. */
void memory_csv_write(const memory *m, cli_buffer *out);

/* memory_pack_bound: bytes for memory_pack(). */
size_t memory_pack_bound(const memory *m, uint32_t n_tensors);

/* memory_pack: replaces m->memory_plan by a smaller plan if the search finds one. */
gsp_status memory_pack(memory *m, gsp_arena *arena, gsp_error *err);

/* memory_pack_fits: an error with a minimal set of tensors if the plan exceeds --capacity. */
int memory_pack_fits(memory *m);

#endif
