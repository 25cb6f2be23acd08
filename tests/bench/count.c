/* Compiled without coverage, so that it does not count itself. */
#include "tests/bench/count.h"

uint64_t steps_count;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
    steps_count++;
}

void steps_add(size_t bytes)
{
    steps_count += bytes / 16u;
}
