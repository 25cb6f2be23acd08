/* Values of `graphsplit run`: hashes of the operation and its arguments. */
#ifndef CLI_COMMANDS_RUN_VALUES_H
#define CLI_COMMANDS_RUN_VALUES_H

#include "core/session.h"

typedef struct run_aggregate {
    uint64_t value;
    uint32_t kind; /* gsp_arg_kind; 0: a free entry */
    uint32_t count;
    gsp_str text; /* of GSP_ARG_CONSTANT, which is no aggregate */
} run_aggregate;

/* Values that are aggregates of so many elements by some TYPE, or constants. Only these entries
 * tell that an aggregate equals its elements in a container, and an input equals its constant. */
typedef struct run_facts {
    cli_session *session; /* NULL: nothing is learnt, an aggregate is one value */
    uint64_t left;        /* of --max-work; 0: it is spent, and all hashes since are wrong */
    run_aggregate *places;
    size_t n;
    size_t room; /* 0, or a power of two */
} run_facts;

uint64_t run_mix(uint64_t h, uint64_t x);

/* run_kernel: a gsp_kernel_func; `user`: the run_facts that it reads and extends. LIMIT when their
 * work is spent: a token, a byte of text and an element of an aggregate count 1 each. */
gsp_status run_kernel(void *user, const gsp_call *call);

/* run_enter: the gsp_kernel_func of called graphs: a node and an input count 1 each. */
gsp_status run_enter(void *user, const gsp_call *call);

/* run_digest: the returned values as one number. */
uint64_t run_digest(run_facts *facts, const gsp_exec_plan *frames, const gsp_value *outputs);

#endif
