/* The input and the results of the command `partition`. */
#ifndef CLI_COMMANDS_PARTITION_FACTS_H
#define CLI_COMMANDS_PARTITION_FACTS_H

#include "core/measure.h"
#include "input/assign.h"
#include "input/plan.h"
#include "input/times.h"

/* After those of gsp_partition_mode. */
#define PARTITION_KWAY ((uint32_t)GSP_PARTITION_COUNT)
#define PARTITION_HEFT ((uint32_t)GSP_PARTITION_COUNT + 1u)

/* How capacities count; AS_GIVEN: --count is absent. */
enum { PARTITION_SUM, PARTITION_PEAK, PARTITION_AS_GIVEN };

typedef struct partition_options {
    uint32_t mode;  /* gsp_partition_mode, PARTITION_KWAY, PARTITION_HEFT */
    uint32_t count; /* PARTITION_SUM, ... */
    uint32_t saturate;
    uint32_t repair;
    const char *rate;
    uint64_t sweeps;
    uint64_t work;
    uint64_t parts;
    uint64_t seed;
    const char *imbalance;
    uint32_t preset;    /* eco, fast, strong */
    uint32_t objective; /* 1: bytes */
    const char *fix;
    const char *svg;
    const char *save;
    const char *plan;
    const char *save_plan;
    const char *part;
    const char *emit;
    uint32_t fingerprints;
    uint32_t ignore_writes;
    cli_times times;
} partition_options;

/* Bytes that are in memory at once: distinct parameters, and the most of live values. */
typedef struct partition_need {
    uint64_t params;
    uint64_t peak;
} partition_need;

typedef struct partition {
    cli_session *session;
    partition_options opt;
    gsp_graph graph;
    gsp_counts counts;
    gsp_device *devices; /* [n_devices] */
    const char **device_from;
    uint32_t n_devices;
    cli_plan loaded; /* --plan */
    cli_assign assign;
    gsp_partition_desc desc;
    gsp_partition_result result;
    gsp_kway_desc kway;
    gsp_kway_result kway_result;
    uint32_t *heft_part_of;   /* [n] parts in the order in which they run */
    uint32_t *heft_device_of; /* [heft_parts] index in devices */
    uint32_t heft_parts;
    uint32_t heft_found;   /* partition_found */
    double heft_bound;     /* seconds: the critical path without transfers */
    double heft_reference; /* seconds of size, or of what comes first */
    size_t mode_bound;     /* kway, heft: of the pass that assigns the nodes */
    cli_timing mode_timing;
    uint64_t reference;    /* kway: cut of equal chunks in graph order, */
    int has_reference;     /* if these are valid parts */
    partition_need whole;  /* of the graph */
    partition_need *needs; /* [n_devices] */
    int has_needs;         /* both are known */
    int repaired;          /* the mode found no placement, --repair did */
    size_t bound;
    cli_timing timing;
    uint64_t begun;     /* the present run */
    uint64_t told;      /* when progress was last told */
    int interrupted;    /* the user asked to stop */
    uint32_t *graph_of; /* [n_parts] graph of the module that holds it */
    uint8_t *critical;  /* [n_parts] 1: on the critical path of the whole graph */
} partition;

/* partition_make_maps: makes graph_of and critical of a result. */
void partition_make_maps(partition *p);

/* partition_called: the number of called nodes. */
uint32_t partition_called(const partition *p);

/* partition_submodule: the name of the submodule that holds partition `part`. */
gsp_str partition_submodule(const partition *p, uint32_t part);

/* partition_put_devices: the names of its devices, separated by ","; partition_put_ids: their
 * logical ids. */
void partition_put_devices(const partition *p, uint32_t part, cli_buffer *out);
void partition_put_ids(const partition *p, uint32_t part, cli_buffer *out);

/* partition_start: the seconds at which a partition begins to compute. */
double partition_start(const partition *p, uint32_t part);

/* partition_received: bytes that it receives from partitions on other devices. */
uint64_t partition_received(const partition *p, uint32_t part);

/* partition_bytes_from: those that it receives from `parent`. */
uint64_t partition_bytes_from(const partition *p, uint32_t part, uint32_t parent);

/* partition_least_capacity: bytes of its smallest device. */
uint64_t partition_least_capacity(const partition *p, uint32_t part);

/* partition_last: the partition that finishes last. */
uint32_t partition_last(const partition *p);

/* partition_heft_proved: heft needs no more than the critical path. */
int partition_heft_proved(const partition *p);

extern const char *const partition_modes[];

/* partition_stopped_by: "the user" or "--work N"; NULL: it was not stopped. */
const char *partition_stopped_by(const partition *p);

#endif
