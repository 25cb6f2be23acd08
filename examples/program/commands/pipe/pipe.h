/* graphsplit pipe, in parts: pipe.c reads options and runs the passes, pipe_marks.c cuts by markers
 * and split specs, pipe_policy.c by automatic policies, pipe_cut.c by a plan file; pipe_plan.c and
 * pipe_schedule.c say how good the stages are and when they run; the others print. */
#ifndef GRAPHSPLIT_CLI_PIPE_H
#define GRAPHSPLIT_CLI_PIPE_H

#include "core/cli.h"
#include "core/schedule.h"

#define PIPE_ROWS 40u /* of a table, without --all */

typedef struct pipe_options {
    const char *stages; /* NULL: not given */
    const char *policy; /* NULL: not given */
    const char *marker; /* NULL: PyTorch's */
    const char *loss;   /* --loss-output, NULL: not given */
    const char *spec;   /* --loss-spec, NULL: not given */
    uint32_t loss_key;  /* --loss-key */
    uint32_t keep_targets;
    const char *emit; /* NULL: not given */
    const char *cut;  /* --plan, NULL: not given */
    const char *save; /* --save-plan, NULL: not given */
    /* the optimal policy */
    const char *goal;       /* NULL: time, or bytes where there are no times */
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
    /* the schedule */
    const char *schedule; /* NULL: not given */
    const char *svg;
    uint64_t microbatches;
    uint64_t chunks;
    uint64_t backward;
    uint32_t inference;
    uint32_t fingerprints;
} pipe_options;

/* What people want to know of a stage. */
typedef struct pipe_load {
    uint32_t calls;
    uint32_t n_params; /* parameters that it holds, and modules that it calls */
    uint64_t params;   /* their bytes */
    uint64_t in;       /* bytes that enter, inputs of the graph included */
    uint64_t out;      /* bytes that it returns */
    uint64_t ns;       /* compute= of its nodes */
} pipe_load;

/* How good the stages are, and when they run. */
typedef struct pipe_plan {
    int optimal;      /* --policy optimal */
    int timeless;     /* there is no compute=: bytes are balanced */
    int has_schedule; /* --schedule */
    gsp_costs_desc rates;
    gsp_costs costs;
    gsp_stages_optimal_desc balance;
    gsp_stages_optimal_result result;
    gsp_stage_costs_result loads; /* loads NULL: not asked for */
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
    int automatic;                    /* --stages: the policy cuts, else the marks */
    cli_plan loaded;                  /* --plan: neither, but its pieces in order */
    const uint32_t *stage_of;         /* what either has found */
    uint32_t n_stages;
    /* the module */
    gsp_pipeline_desc desc;
    gsp_stage_devices_desc move;
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

/* pipe_marks_read: --split-spec and --marker. Returns an exit status. */
int pipe_marks_read(pipe *p);

/* pipe_marks_refuse: what gsp_stages_from_marks_run() said. Returns CLI_EXIT_FAILED. */
int pipe_marks_refuse(pipe *p, const gsp_error *err);

/* pipe_cut_read: --plan, once the graph is there. Returns an exit status. */
int pipe_cut_read(pipe *p);

/* pipe_cut_save: --save-plan. Returns an exit status. */
int pipe_cut_save(const pipe *p);

/* pipe_policy_read: --stages, --policy and what goes with them. Returns an exit status. */
int pipe_policy_read(pipe *p);

/* pipe_policy_bound: bytes for pipe_policy_run(). Returns an exit status. */
int pipe_policy_bound(pipe *p, size_t *bound);

/* pipe_policy_run: fills stage_of and n_stages. */
gsp_status pipe_policy_run(pipe *p, gsp_arena *arena, gsp_error *err);

/* pipe_policy_refuse: what pipe_policy_run() said. Returns CLI_EXIT_FAILED. */
int pipe_policy_refuse(pipe *p, const gsp_error *err);

/* pipe_policy_note: what to say on standard error about cuts that were made; once, before the
 * output. */
void pipe_policy_note(const pipe *p);

/* pipe_plan_make: figures of the stages and the schedule, where asked for. Returns an exit
 * status. */
int pipe_plan_make(pipe *p);

/* pipe_plan_people, _porcelain, _json: what they say beside the module; nothing where nothing was
 * asked for. */
void pipe_plan_people(const pipe *p, cli_buffer *out);
void pipe_plan_porcelain(const pipe *p, cli_buffer *out);
void pipe_plan_json(const pipe *p, cli_buffer *out);

/* pipe_schedule_make: the schedule of stages whose loads are known. Returns an exit status. */
int pipe_schedule_make(pipe *p);
void pipe_schedule_people(const pipe *p, cli_buffer *out);
void pipe_schedule_json(const pipe *p, cli_buffer *out);

/* pipe_schedule_to_out: --svg - : the chart takes the place of the tables. */
int pipe_schedule_to_out(const pipe *p);

/* pipe_schedule_write: the chart, where --svg says. Returns an exit status. */
int pipe_schedule_write(const pipe *p);

/* pipe_stage_name: name of the graph of a stage. */
gsp_str pipe_stage_name(const pipe *p, uint32_t stage);

/* pipe_list_item: the next item of a list at commas, from *at; empty: there is none. */
gsp_str pipe_list_item(gsp_str list, uint32_t *at);

/* pipe_integer: 1 for a decimal with or without a sign; *value is -1 for one below 0. */
int pipe_integer(gsp_str text, int64_t *value);

/* pipe_weigh: fills loads. Returns an exit status. */
int pipe_weigh(pipe *p);

void pipe_porcelain(const pipe *p, cli_buffer *out);
void pipe_json(const pipe *p, cli_buffer *out);
void pipe_people(const pipe *p, cli_buffer *out);
int pipe_emit(const pipe *p);

#endif
