/* Tensors in several memories: each tensor in one of them, so that all fit at least cost. */
#ifndef CLI_ALGORITHMS_MEMORIES_H
#define CLI_ALGORITHMS_MEMORIES_H

#include "graphsplit.h"

#define CLI_MOST_MEMORIES 16u

typedef struct cli_memory {
    uint64_t bytes;     /* its capacity */
    uint64_t cost;      /* per byte that is read or written */
    uint32_t align;     /* of every offset, a power of two */
    uint32_t read_only; /* 1: only for tensors that nothing writes */
} cli_memory;

typedef struct cli_memories_desc {
    const gsp_tensor *tensors; /* bytes, begin and end; offset if fixed */
    uint32_t n_tensors;
    uint32_t n_memories;
    const cli_memory *memories; /* [n_memories], at most CLI_MOST_MEMORIES */
    const uint64_t *traffic;    /* [n_tensors] bytes read and written */
    const uint32_t *written;    /* [n_tensors] 0: by nothing; NULL: all are written */
    const uint32_t *aligns;     /* [n_tensors] powers of two; NULL: those of the memories */
    const uint32_t *pins;       /* [n_tensors] the memory, GSP_NONE: any; NULL: any */
    const uint32_t *fixed;      /* [n_tensors] 1: the offset is fixed, and a pin says where; NULL */
    uint64_t max_work;          /* in steps of the search; 0: 2^27 */
} cli_memories_desc;

typedef struct cli_memories_result {
    uint64_t cost;          /* the sum of traffic times cost; UINT64_MAX: no assignment was found */
    uint64_t bound;         /* no assignment costs less; UINT64_MAX: there is none */
    uint64_t greedy;        /* the cost before the search; UINT64_MAX: none was found */
    uint64_t work;          /* steps of the search */
    const uint32_t *memory; /* [n_tensors] */
    const uint64_t *offset; /* [n_tensors] */
} cli_memories_result;

/* cli_memories_bound: bytes for cli_memories_run(). */
size_t cli_memories_bound(const cli_memories_desc *desc);

/* cli_memories_allowed: whether a tensor may lie in a memory, and fits there alone. */
int cli_memories_allowed(const cli_memories_desc *desc, uint32_t tensor, uint32_t memory);

/* cli_memories_run: an assignment with offsets, of least cost where that is proved.
 *
 * What:      `bound` comes from Lagrange multipliers per memory and step, then from a search in
 *            order of time. Its states are the memories of the live tensors; if there are too many,
 *            those with the best bounds stay. The cheapest assignment whose live bytes fit is
 *            packed by gsp_memory_pack_run(). If that fails, a minimal set of tensors that do not
 *            fit together is forbidden in that memory, and the search starts again.
 * Errors:    ARG (detail TAG: node = the tensor with a wrong pin or memory), OVERFLOW (costs),
 *            NOMEM
 * Time:      O(n^2) for the first plan, then max_work
 */
gsp_status cli_memories_run(
    gsp_arena *arena, const cli_memories_desc *desc, cli_memories_result *result, gsp_error *err);

#endif
