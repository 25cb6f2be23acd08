/* The counter of steps: the compiler calls it in each basic block. */
#ifndef GRAPHSPLIT_TESTS_COUNT_H
#define GRAPHSPLIT_TESTS_COUNT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern uint64_t steps_count;

/* steps_add: so many bytes were copied, set or compared. */
void steps_add(size_t bytes);

#endif
