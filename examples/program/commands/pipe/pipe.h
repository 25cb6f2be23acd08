/* The command `pipe`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_PIPE_PIPE_H
#define CLI_COMMANDS_PIPE_PIPE_H

#include "algorithms/algorithms.h"
#include "core/core.h"
#include "examples/extra/graphsplit_devices.h"
#include "input/input.h"
#include "output/output.h"

/* ==== facts ====
 * The input and the results of the command `pipe`. */

#define PIPE_ROWS  40u /* of a table, without --all */
#define PIPE_COSTS 5u  /* rows of costs of a schedule */

typedef struct pipe_options {
    const char *stages; /* NULL if not given */
    const char *policy; /* NULL if not given */
    const char *marker; /* NULL for PyTorch's */
    const char *loss;   /* --loss-output, NULL if not given */
    const char *spec;   /* --loss-spec, NULL if not given */
    uint32_t loss_key;  /* --loss-key */
    uint32_t keep_targets;
    uint32_t ignore_writes;
    const char *emit;    /* NULL if not given */
    const char *cut;     /* --plan, NULL if not given */
    const char *save;    /* --save-plan, NULL if not given */
    const char *table;   /* --table, NULL if not given */
    const char *part;    /* --part, NULL if not given */
    uint32_t stages_for; /* the form of pipe_hand_over(); 0 for none */
    /* the optimal policy */
    const char *goal;       /* NULL means time, or bytes if there are no times */
    const char *first_time; /* or NULL */
    const char *last_time;
    uint64_t threshold; /* 0 if not given, as for all numbers here */
    uint64_t memory;
    uint64_t bandwidth; /* --bandwidth without devices */
    uint64_t kv;        /* per layer */
    uint64_t context;   /* tokens */
    uint32_t any_order;
    uint64_t copies;
    uint64_t orders;
    uint64_t max_work;
    uint32_t carried;
    uint32_t keep_groups;
    uint32_t replicas;
    uint64_t cores; /* --cpu-cores */
    /* the schedule */
    const char *schedule; /* NULL if not given */
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
    uint64_t peak;     /* in inference: live bytes while a microbatch runs */
} pipe_load;

/* The search over units, and where it places the stages; a device may have several, forward and
 * backward. */
typedef struct pipe_search {
    int ran;
    int found;     /* its stages are the result */
    int all_sets;  /* over all downsets */
    int complete;  /* and the work was enough */
    int own_bytes; /* nodes have fixed= and kept=, */
    int own_moves; /* or each= */
    uint32_t n_units;
    uint32_t n_downsets;
    gsp_downsets_graph_desc units; /* what nodes take */
    cli_places places;             /* of the stages */
} pipe_search;

/* --device, and what runs on each. */
typedef struct pipe_devices {
    uint32_t n;               /* 0: not given */
    gsp_str *names;           /* [n] */
    gsp_stages_device *slots; /* [n] */
    double *links;            /* [n * n] bytes per second, 0 for none; NULL: one bandwidth */
    uint32_t latency;         /* --balance latency */
    uint32_t any_order;       /* all orders were searched */
    uint32_t no_reference;    /* stages of equal node counts do not fit */
    const char *why;          /* there are no stages */
    /* tokens of context, if layers keep bytes per token; 0: none do */
    uint64_t tokens;
    uint64_t fits;  /* on these stages */
    uint64_t most;  /* on any */
    int most_known; /* more do not fit */
    /* of the stages */
    gsp_stage_cost *loads; /* [stages] */
    gsp_str *on;           /* [stages] names of its devices, separated by commas */
    uint64_t *room;        /* [n] bytes of the devices of a schedule */
} pipe_devices;

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
    pipe_devices devices;
    gsp_stage_costs_result stage_costs; /* loads is NULL if not asked for */
    cli_actions given;                  /* --schedule @FILE */
    gsp_schedule_desc schedule;
    gsp_schedule_result run;
    gsp_stage_cost *loads; /* those of stage_costs in inference */
    uint64_t *rows;        /* [PIPE_COSTS * stages] costs of the schedule */
    uint64_t *waiting; /* [stages] bytes of inputs that wait in inference, NULL without schedule */
} pipe_plan;

typedef struct pipe_job {
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
    gsp_module module; /* with backward part and devices, if requested */
    pipe_load *loads;  /* [stages] after pipe_weigh() */
    int has_peaks;     /* of the loads */
    cli_timing timing;
    size_t bound;
} pipe_job;

/* pipe_stage_name: name of the graph of a stage. */
gsp_str pipe_stage_name(const pipe_job *p, uint32_t stage);

/* pipe_on: names of the devices of a stage; empty without --device. */
gsp_str pipe_on(const pipe_job *p, uint32_t stage);

/* pipe_weigh: computes `loads`. Returns an exit status. */
int pipe_weigh(pipe_job *p);

/* pipe_task_name: "forward", "backward" or a part of it. */
const char *pipe_task_name(const gsp_task *task);

/* pipe_resident: the bytes that are always allocated on a device of the schedule. */
uint64_t pipe_resident(const pipe_job *p, uint32_t device);

/* pipe_is_timed: some stage takes time. Without it a time is unknown, not 0. */
int pipe_is_timed(const pipe_job *p);

/* pipe_is_computed: some of it is no transfer. */
int pipe_is_computed(const pipe_job *p);

/* pipe_has_times: some node takes time. */
int pipe_has_times(const pipe_job *p);

/* pipe_sizes_count: bytes decide on the stages. */
int pipe_sizes_count(const pipe_job *p);

/* pipe_untimed: nodes without a time, if times decide on the stages; *called: nodes of stages. */
uint32_t pipe_untimed(const pipe_job *p, uint32_t *called);

/* pipe_proves: the stages are the best of the orders tried, by known figures. */
int pipe_proves(const pipe_job *p);

/* pipe_put_time: "1.25 ms", "3 nodes" or "?". */
void pipe_put_time(const pipe_job *p, cli_buffer *out, uint64_t ns);

/* pipe_put_schedule: the schedule on one line. */
void pipe_put_schedule(const pipe_job *p, cli_buffer *out);

/* ==== actions ====
 * The schedule as rows of actions, one per device. */

typedef struct pipe_row {
    gsp_action *actions;
    uint32_t n;
    uint32_t room;
} pipe_row;

/* pipe_rows: the tasks of every device in order. [devices] */
pipe_row *pipe_rows(const pipe_job *p);

/* pipe_rows_with_transfers: the same with sends and receives between devices, with gathers and
 * releases of parameters (for three stages at a time), and with the sums of gradients: the rows
 * that PyTorch makes of the tasks. */
pipe_row *pipe_rows_with_transfers(const pipe_job *p);

/* ==== copies ====
 * Writes that a stage does to its copy of a value. */

/* pipe_tell_copies: a line on standard error if a node reads another copy than the one that was
 * written before, also through a view; each value that a stage sends is a copy. */
void pipe_tell_copies(cli_session *s, const gsp_graph *g, const cli_named_parts *parts);

/* ==== cut ====
 * Stages from and to a plan file. */

/* pipe_cut_read: --plan; needs the graph. Returns an exit status. */
int pipe_cut_read(pipe_job *p);

/* pipe_cut_save: --save-plan. Returns an exit status. */
int pipe_cut_save(const pipe_job *p);

/* ==== device_options ====
 * Devices of stages and the links between them. */

/* pipe_device_options: --device, --bandwidth and what belongs to them; before other options are
 * read. Returns an exit status. */
int pipe_device_options(pipe_job *p);

/* pipe_devices_refuse: options that do not belong to devices. Returns an exit status. */
int pipe_devices_refuse(pipe_job *p);

/* ==== devices ====
 * Stages on unequal devices, with what each takes there. */

/* pipe_devices_run: the stages as the result of the plan; `devices.why` explains NO_FIT and ARG. */
gsp_status pipe_devices_run(pipe_job *p, gsp_error *err);

/* pipe_devices_loads: the loads of stages on their devices as those of the plan. */
void pipe_devices_loads(pipe_job *p);

/* ==== layers ====
 * Layers of a graph, and the bytes that they keep. */

/* pipe_has_tokens: some layer keeps bytes per token of context. */
int pipe_has_tokens(const pipe_job *p);

/* pipe_layers: the layer of each node, [n], GSP_NONE for none, and the bytes of each layer, at most
 * [2 * n], for so many tokens. Returns how many layers there are. */
uint32_t pipe_layers(const pipe_job *p, uint64_t tokens, uint32_t *layer, uint64_t *kv);

/* ==== emit ====
 * --emit of `pipe`. */

int pipe_emit(const pipe_job *p);

/* ==== figures ====
 * Costs of the stages, and the schedule. */

/* pipe_plan_make: costs of the stages and the schedule, if requested. Returns an exit status. */
int pipe_plan_make(pipe_job *p);

/* pipe_schedule_run: the tasks with their times; an order is made if the kind has no formula.
 * Returns an exit status. */
int pipe_schedule_run(pipe_job *p, gsp_schedule_desc *d, gsp_schedule_result *result);

/* ==== hand_over ====
 * --stages-for of `pipe`: the stages as other trainers take them. */

/* pipe_hand_over: torch: the split spec of torch.distributed.pipelining, a Python dict. megatron:
 * the layout string of Megatron-LM. deepspeed: the list of the first layer of every stage, and the
 * number of layers. llama.cpp: options. accelerate: a JSON device_map. openvino: a JSON object of
 * nodes and devices. onnxruntime: a JSON object with its session option and of nodes and layers.
 * Returns an exit status; an error names the stage that the form cannot express. */
int pipe_hand_over(const pipe_job *p, cli_buffer *out);

/* ==== inference ====
 * The memory of stages that keep nothing for a backward part. */

/* pipe_infers: no microbatch is kept, and nodes state no memory of their own. */
int pipe_infers(const pipe_job *p);

/* pipe_inference_limits: 1 where live bytes decide on stages. */
int pipe_inference_limits(const pipe_job *p);

/* pipe_inference_peak: live bytes of stage 1 of three, [n]; UINT64_MAX if they are not known. */
uint64_t pipe_inference_peak(const pipe_job *p, const uint32_t *stage_of);

/* pipe_inference_has_room: whether n stages that are on devices fit. */
int pipe_inference_has_room(
    const pipe_job *p, uint32_t n, const uint32_t *stage_of, const uint32_t *n_devices);

/* pipe_inference_stages: the plan of the policy with the live bytes of its stages; `status` and
 * *err are those of the searches that count parameters alone. */
gsp_status pipe_inference_stages(pipe_job *p, gsp_status status, gsp_error *err);

/* pipe_inference_weigh: the live peaks of `loads`. Returns 1 if they are known. */
int pipe_inference_weigh(pipe_job *p);

/* pipe_inference_loads: live bytes as those of a microbatch, and the memory of the stages. */
void pipe_inference_loads(pipe_job *p);

/* pipe_inference_wait: adds inputs that wait to what is resident, [stages]. Returns 1 if any do. */
int pipe_inference_wait(pipe_job *p, uint64_t *resident);

/* ==== marks ====
 * Cuts by markers and split specs. */

/* pipe_marks_read: --split-spec and --marker. Returns an exit status. */
int pipe_marks_read(pipe_job *p);

/* pipe_marks_refuse: reports an error of gsp_stages_from_marks_run(). Returns CLI_EXIT_FAILED. */
int pipe_marks_refuse(pipe_job *p, const gsp_error *err);

/* ==== policy ====
 * Cuts by automatic policies. */

/* pipe_policy_read: --stages, --policy and their options. Returns an exit status. */
int pipe_policy_read(pipe_job *p);

/* pipe_policy_bound: bytes for pipe_policy_run(). Returns an exit status. */
int pipe_policy_bound(pipe_job *p, size_t *bound);

/* pipe_policy_run: fills stage_of and n_stages. */
gsp_status pipe_policy_run(pipe_job *p, gsp_arena *arena, gsp_error *err);

/* pipe_policy_check: refuses stages that balance nothing known. Returns an exit status. */
int pipe_policy_check(const pipe_job *p);

/* pipe_policy_refuse: reports an error of pipe_policy_run(). Returns CLI_EXIT_FAILED. */
int pipe_policy_refuse(pipe_job *p, const gsp_error *err);

/* pipe_policy_note: notes about the cuts on standard error; once, before the output. */
void pipe_policy_note(const pipe_job *p);

/* ==== search ====
 * Stages by a search over downsets of units: with groups, CPU cores, replicas, or other orders. */

/* pipe_search_wanted: 1 if the options request it, or nodes have memory of their own. */
int pipe_search_wanted(pipe_job *p);

/* pipe_search_run: improves the result of the plan; `has_plan`: there is one. Returns whether there
 * is one now. */
int pipe_search_run(pipe_job *p, int has_plan);

/* pipe_search_loads: the costs of the stages where they are placed. */
void pipe_search_loads(pipe_job *p);

/* pipe_search_has_places: stages have CPU cores, several devices, or devices in common. */
int pipe_search_has_places(const pipe_job *p);

/* pipe_put_place: where a stage runs: "cpu 0", "device 2" or "devices 1-3". */
void pipe_put_place(const pipe_job *p, cli_buffer *out, uint32_t stage);

/* ==== words ====
 * Lists and numbers among the options of `pipe`. */

/* pipe_list_item: the next item of a list separated by commas, from *at; empty after the last. */
gsp_str pipe_list_item(gsp_str list, uint32_t *at);

/* pipe_integer: 1 for a decimal with or without a sign; *value is -1 if it is negative, and
 * UINT32_MAX if it is larger. */
int pipe_integer(gsp_str text, int64_t *value);

/* ==== skips ====
 * Values that skip stages. */

/* pipe_tell_skips: a line on standard error, if --transfers has no sends for some values. */
void pipe_tell_skips(const pipe_job *p);

/* ==== csv ====
 * --schedule-csv of `pipe`: the schedule as PyTorch's pipelines read and write it. */

void pipe_csv(const pipe_job *p, cli_buffer *out);

/* ==== json ====
 * The JSON of `pipe`. */

void pipe_json(const pipe_job *p, cli_buffer *out);

/* ==== people ====
 * The report of `pipe` for people. */

void pipe_people(const pipe_job *p, cli_buffer *out);

/* ==== people_figures ====
 * The part of the report about costs of the stages and the schedule. */

void pipe_people_figures(const pipe_job *p, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `pipe`. */

void pipe_porcelain(const pipe_job *p, cli_buffer *out);

/* ==== svg ====
 * --svg of `pipe`: the schedule as a chart. */

void pipe_svg(const pipe_job *p, cli_buffer *out);

/* ==== trace ====
 * --trace of `pipe`: the schedule as a trace in Chrome's format. */

void pipe_trace(const pipe_job *p, cli_buffer *out);

/* ==== pipe ====
 * The command `pipe`. */

extern const cli_pass cli_pipe_pass;

#endif
