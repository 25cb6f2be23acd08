/* The command `partition`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_PARTITION_PARTITION_H
#define CLI_COMMANDS_PARTITION_PARTITION_H

#include "algorithms/algorithms.h"
#include "core/core.h"
#include "examples/extra/graphsplit_heft.h"
#include "examples/extra/graphsplit_kway.h"
#include "input/input.h"

/* ==== facts ====
 * The input and the results of the command `partition`. */

/* After those of gsp_partition_mode. */
#define PARTITION_KWAY   ((uint32_t)GSP_PARTITION_COUNT)
#define PARTITION_HEFT   ((uint32_t)GSP_PARTITION_COUNT + 1u)

#define PARTITION_TRIALS 64u /* of COST and KL between two calls of progress */

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
    uint32_t objective; /* 1 for bytes */
    const char *fix;
    uint32_t best_effort;
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
    gsp_heft_result heft;
    size_t mode_bound; /* kway, heft: of the pass that assigns the nodes */
    cli_timing mode_timing;
    uint64_t floor;       /* kway: a cut that connected nodes need at least, */
    int flow_counts;      /* by a flow and not by their number alone */
    uint64_t reference;   /* kway: cut of equal chunks in graph order, */
    int has_reference;    /* if these are valid parts */
    cli_need whole;       /* of the graph */
    cli_need *needs;      /* [n_devices] */
    cli_need *part_needs; /* [parts of the result] */
    int has_needs;        /* all of them are known */
    int repaired;         /* the mode found no placement, --repair did */
    size_t bound;
    cli_timing timing;
    uint64_t begun;     /* the present run */
    uint64_t told;      /* time of the last progress line */
    uint64_t tried;     /* trials up to the last call of progress */
    int interrupted;    /* the user asked to stop */
    uint32_t *graph_of; /* [n_parts] graph of the module that holds it */
    uint8_t *critical;  /* [n_parts] 1 if on the critical path of the whole graph */
} partition;

/* partition_make_maps: makes graph_of and critical of a result. */
void partition_make_maps(partition *p);

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

/* partition_untimed: called nodes without a time, of which figures in seconds know nothing. */
uint32_t partition_untimed(const partition *p);

/* partition_heft_proved: 1 if heft needs no more than the critical path, and all sizes and times
 * are known. */
int partition_heft_proved(const partition *p);

extern const char *const partition_modes[];

/* partition_stopped_by: "the user" or "--work N"; NULL if it was not stopped. */
const char *partition_stopped_by(const partition *p);

/* ==== devices ====
 * Devices, and the assignment of --mode aot, from the options. */

int partition_read_devices(partition *p);
int partition_read_assignment(partition *p);

/* partition_give: makes p->desc an assignment of --mode aot. */
void partition_give(partition *p, const uint32_t *part_of, uint32_t n, const uint32_t *device_of);

/* ==== emit ====
 * --emit of `partition`. */

int partition_emit(const partition *p);

/* ==== heft ====
 * --mode heft: devices that finish early, one partition at a time per device. */

/* partition_heft: assigns the nodes. Returns an exit status. */
int partition_heft(partition *p);

/* partition_heft_times: finish times of the result in which a partition waits for its device,
 * too. */
void partition_heft_times(partition *p);

/* ==== kway ====
 * --mode kway: acyclic parts of equal load, without devices of given memory. */

/* partition_kway_options: refuses options of other modes, and those of kway in other modes. Returns
 * an exit status. */
int partition_kway_options(partition *p);

/* partition_kway: assigns the nodes; every part becomes a partition on a device of its own. Returns
 * an exit status. */
int partition_kway(partition *p);

/* partition_cut_least: the cut is in bytes, of which some are not known. */
int partition_cut_least(const partition *p);

/* partition_cut_proved: no parts have a smaller cut. */
int partition_cut_proved(const partition *p);

/* ==== limit ====
 * Searches that would take too much time or memory. */

/* partition_called: the number of called nodes. partition_trials: those of COST that take about a
 * second. */
uint32_t partition_called(const gsp_graph *graph);
uint64_t partition_trials(const gsp_graph *graph);

int partition_check_search(partition *p);

/* partition_check_end: LIMIT if COST ended by the trials that it has without --work. */
int partition_check_end(partition *p, const gsp_error *err);

/* ==== need ====
 * Parameters and live values: what must be in memory at once. */

/* partition_find_whole: of the whole graph. partition_find_needs: of it, and of every device. If
 * the live values are not known (alias= is wrong), --count peak fails, else p->has_needs stays 0.
 */
int partition_find_whole(partition *p);
int partition_find_needs(partition *p);

/* partition_fill: --mode size with --count peak, as an assignment for --mode aot. */
int partition_fill(partition *p);

/* partition_check_capacities: of the devices of --mode aot. */
int partition_check_capacities(partition *p);

/* ==== progress ====
 * Progress of a search, and interrupts. */

void partition_watch(partition *p);
void partition_unwatch(const partition *p);

/* ==== refuse ====
 * Errors of the library as sentences. */

int partition_refuse(partition *p, const gsp_error *err);

/* ==== repair ====
 * --repair: a placement where size, cost or kl finds none. */

/* partition_repair_options: refuses --repair where it means nothing. Returns an exit status. */
int partition_repair_options(const partition *p);

/* partition_repairable: the mode failed, and another placement may exist. */
int partition_repairable(const partition *p, const gsp_error *err);

/* partition_refuse_placement: NO_FIT, with what the search for a placement found out. Returns an
 * exit status. */
int partition_refuse_placement(const partition *p, uint32_t found);

/* partition_heft_desc: devices, rate and seed of the options. */
gsp_heft_desc partition_heft_desc(const partition *p);

/* partition_repair: finds a placement for p->desc. Returns an exit status; *err is that of
 * gsp_heft_run(). */
int partition_repair(partition *p, gsp_error *err);

/* ==== json ====
 * The JSON of `partition`. */

void partition_json(const partition *p, cli_buffer *out);

/* ==== people ====
 * The report of `partition` for people. */

void partition_people(const partition *p, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `partition`. */

void partition_porcelain(const partition *p, cli_buffer *out);

/* ==== svg ====
 * --svg of `partition`: when each partition runs. */

void partition_svg(const partition *p, cli_buffer *out);

/* ==== partition ====
 * The command `partition`. */

extern const cli_pass cli_partition_pass;

#endif
