/* The input and the results of the command `pipe`. */
#ifndef CLI_COMMANDS_PIPE_FACTS_H
#define CLI_COMMANDS_PIPE_FACTS_H

#include "core/measure.h"
#include "algorithms/schedule.h"
#include "core/size.h"
#include "input/actions.h"
#include "input/plan.h"
#include "input/times.h"

#define PIPE_ROWS 40u /* of a table, without --all */

typedef struct pipe_options {
    const char *stages; /* NULL: not given */
    const char *policy; /* NULL: not given */
    const char *marker; /* NULL: PyTorch's */
    const char *loss;   /* --loss-output, NULL: not given */
    const char *spec;   /* --loss-spec, NULL: not given */
    uint32_t loss_key;  /* --loss-key */
    uint32_t keep_targets;
    uint32_t ignore_writes;
    const char *emit;    /* NULL: not given */
    const char *cut;     /* --plan, NULL: not given */
    const char *save;    /* --save-plan, NULL: not given */
    const char *part;    /* --part, NULL: not given */
    uint32_t stages_for; /* 0: none, 1: torch, 2: megatron, 3: deepspeed */
    /* the optimal policy */
    const char *goal;       /* NULL: time, or bytes if there are no times */
    const char *first_time; /* NULL: none */
    const char *last_time;
    uint64_t threshold; /* 0: not given, as for all numbers here */
    uint64_t memory;
    uint64_t bandwidth;
    uint64_t copies;
    uint64_t orders;
    uint64_t max_work;
    uint32_t carried;
    uint32_t keep_groups;
    uint32_t replicas;
    uint64_t cores; /* --cpu-cores */
    /* the schedule */
    const char *schedule; /* NULL: not given */
    const char *svg;
    const char *trace;
    const char *csv;
    uint32_t transfers;
    uint64_t microbatches;
    uint64_t chunks;
    uint64_t backward;
    uint64_t *task_times; /* [3 * n_task_times] ticks: forward, input, parameters */
    uint32_t n_task_times;
    uint32_t inference;
    uint32_t fingerprints;
    cli_times times;
} pipe_options;

/* The figures of a stage in the report. */
typedef struct pipe_load {
    uint32_t calls;
    uint32_t n_params; /* parameters that it holds and modules that it calls */
    cli_sum params;    /* their bytes */
    cli_sum in;        /* bytes that enter, graph inputs included */
    cli_sum out;       /* bytes that it returns */
    uint64_t ns;       /* compute= of its nodes */
} pipe_load;

/* The search over units, and where it places the stages; a device may have several, forward and
 * backward. */
typedef struct pipe_search {
    int ran;
    int found;     /* its stages are the result */
    int complete;  /* over all downsets */
    int own_bytes; /* nodes have fixed= and kept=, */
    int own_moves; /* or each= */
    uint32_t n_units;
    uint32_t n_downsets;
    uint32_t n_places;         /* devices with their replicas, and CPU cores */
    const uint32_t *place_of;  /* [stages] */
    const uint32_t *n_devices; /* [places] 0: a CPU core */
} pipe_search;

/* Figures of the optimal policy, and the schedule. */
typedef struct pipe_plan {
    int optimal;      /* --policy optimal */
    int timeless;     /* there is no compute=, so bytes are balanced */
    int has_schedule; /* --schedule */
    gsp_costs_desc rates;
    gsp_costs costs;
    gsp_stages_optimal_desc optimal_desc;
    gsp_stages_optimal_result result;
    pipe_search search;
    gsp_stage_costs_result stage_costs; /* loads NULL: not asked for */
    cli_actions given;                  /* --schedule @FILE */
    cli_schedule_desc schedule;
    cli_schedule run;
} pipe_plan;

typedef struct pipe {
    cli_session *session;
    pipe_options opt;
    gsp_graph graph;
    gsp_counts counts;
    /* cuts */
    gsp_stages_from_marks_desc marks; /* of markers and the split spec */
    gsp_stages_even_desc policy;      /* of --stages */
    int automatic;                    /* --stages: the policy cuts; otherwise the marks */
    cli_plan loaded;                  /* --plan: its parts in order */
    const uint32_t *stage_of;         /* the stages, however they were found */
    uint32_t n_stages;
    /* the module */
    gsp_pipeline_desc desc;
    gsp_stage_devices_desc move;
    const char **device_from; /* [n] options of move */
    int has_loss;
    gsp_backward_desc loss;
    gsp_pipeline_result made;
    gsp_backward_result backward;
    pipe_plan plan;
    gsp_module module; /* with backward part and devices, if asked for */
    pipe_load *loads;  /* [stages] after pipe_weigh() */
    cli_timing timing;
    size_t bound;
} pipe;

/* pipe_stage_name: name of the graph of a stage. */
gsp_str pipe_stage_name(const pipe *p, uint32_t stage);

/* pipe_weigh: computes `loads`. Returns an exit status. */
int pipe_weigh(pipe *p);

/* pipe_schedule_name: the kind of schedule as people write it. */
const char *pipe_schedule_name(const pipe *p);

/* pipe_task_name: "forward", "backward" or a part of it. */
const char *pipe_task_name(const cli_task *task);

/* pipe_resident: the bytes that are always allocated on a device of the schedule. */
uint64_t pipe_resident(const pipe *p, uint32_t device);

/* pipe_is_timed: some stage takes time. Without it a time is unknown, not 0. */
int pipe_is_timed(const pipe *p);

/* pipe_is_computed: some of it is no transfer. */
int pipe_is_computed(const pipe *p);

/* pipe_has_times: some node takes time. */
int pipe_has_times(const pipe *p);

/* pipe_put_time: "1.25 ms", "3 nodes" or "?". */
void pipe_put_time(const pipe *p, cli_buffer *out, uint64_t ns);

/* pipe_put_schedule: the schedule on one line. */
void pipe_put_schedule(const pipe *p, cli_buffer *out);

/* pipe_add: a + b, or the largest number. */
uint64_t pipe_add(uint64_t a, uint64_t b);

#endif
