/* The partitioner said slowly, over at most 64 nodes: every rule as it is told, sets of nodes as
 * bits of a word, everything computed again whenever it is asked for. */
#ifndef GRAPHSPLIT_TESTS_ORACLE_PARTITION_H
#define GRAPHSPLIT_TESTS_ORACLE_PARTITION_H

#include "tests/t.h"

#define PART_NODES   64u
#define PART_DEVICES 8u
#define PART_IDS     128u /* of one partition: saturating adds some more than once */
#define PART_STEPS   256u
#define PART_NONE    UINT32_MAX

typedef uint64_t part_set;

typedef enum part_mode { PART_SIZE, PART_SPARSE, PART_COST, PART_KL, PART_AOT } part_mode;

typedef enum part_op { PART_INPUT, PART_ATTRIBUTE, PART_CALL, PART_MODULE, PART_EMBEDDING } part_op;

/* A graph, the devices and the options: everything that decides the result. */
typedef struct part_case {
    uint32_t n; /* nodes before the output */
    part_op op[PART_NODES];
    part_set in[PART_NODES];
    part_set returned;
    uint64_t bytes[PART_NODES];
    uint64_t params[PART_NODES];
    double mem[PART_NODES];
    double compute[PART_NODES];
    uint32_t n_devices;
    uint64_t capacity[PART_DEVICES];
    uint32_t device_id[PART_DEVICES];
    part_mode mode;
    double rate; /* bytes a second; infinite: moving takes no time */
    uint32_t saturate;
    uint32_t sweeps;
    uint32_t assign[PART_NODES];      /* PART_AOT: the caller's ids */
    part_set aot_devices[PART_NODES]; /* PART_AOT: of an id below PART_NODES, devices */
} part_case;

/* One decision of a mode that searches: partitions `from` and `to` became one, the last; or `node`
 * of partition `from` and `partner` (PART_NONE if there is none) of `to` changed places. */
typedef struct part_step {
    uint32_t node;
    uint32_t partner;
    uint32_t from;
    uint32_t to;
    double cost; /* afterwards */
} part_step;

typedef struct part_path {
    double mem;
    double compute;
    double overall;
} part_path;

typedef struct part {
    part_set nodes; /* callable nodes, and the placeholders and attributes that they read */
    uint64_t used;
    uint32_t id; /* the caller's with PART_AOT, else the place in the list */
    uint32_t n_ids;
    uint32_t ids[PART_IDS]; /* logical ids of devices */
    int shares;             /* one list of ids with all others of which this is set */
    part_set parents;       /* places in the list */
    part_set children;
    uint32_t level;
    part_path path;
} part;

typedef struct part_list {
    part at[PART_NODES];
    uint32_t n;
} part_list;

typedef struct part_result {
    gsp_status status;
    uint32_t node; /* of an error that is about one */
    part_list parts;
    double latency;
    double begin; /* cost before the first step: PART_COST, PART_KL */
    uint32_t n_steps;
    part_step steps[PART_STEPS];
} part_result;

void part_run(const part_case *c, part_result *r);

/* part_take: the result for partitions that are given, part_of[] below n or PART_NONE; they are
 * mapped to devices afresh. */
void part_take(const part_case *c, const uint32_t *part_of, uint32_t n, part_result *r);

/* ---- its steps, for what checks results ---- */

int part_callable(const part_case *c, uint32_t node);

/* part_close: callable nodes with the placeholders and attributes that they read. */
part_set part_close(const part_case *c, part_set calls);

/* part_bytes: sum of extra_size over a set. */
uint64_t part_bytes(const part_case *c, part_set nodes);

/* part_critical: the critical path by a pass over the nodes; part_longest: its overall seconds by
 * walking every path. */
part_path part_critical(const part_case *c, part_set nodes);
double part_longest(const part_case *c, part_set nodes);

/* part_relate: parents, children and ids. */
void part_relate(const part_case *c, part_list *list);

/* part_cyclic: some partition waits for itself. */
int part_cyclic(const part_list *list);

/* part_latency: of the whole list, by walking every path of partitions. Needs part_relate(). */
double part_latency(const part_case *c, const part_list *list);

/* ---- cases ---- */

void part_random(t_rng *rng, part_mode mode, uint32_t most_calls, part_case *c);

/* The case as graph text, in a string that the caller frees. */
t_string part_text(const part_case *c);

#endif
