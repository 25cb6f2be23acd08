/* graphsplit pipe, in parts: pipe.c reads options and runs the passes, pipe_marks.c cuts by markers
 * and split specs, pipe_policy.c by automatic policies, the others print. */
#ifndef GRAPHSPLIT_CLI_PIPE_H
#define GRAPHSPLIT_CLI_PIPE_H

#include "cli.h"

typedef struct pipe_options {
    const char *stages; /* NULL: not given */
    const char *policy; /* NULL: not given */
    const char *marker; /* NULL: PyTorch's */
    const char *loss;   /* --loss-output, NULL: not given */
    const char *spec;   /* --loss-spec, NULL: not given */
    uint32_t loss_key;  /* --loss-key */
    uint32_t keep_targets;
    const char *emit; /* NULL: not given */
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

typedef struct pipe {
    cli_session *session;
    pipe_options opt;
    gsp_graph graph;
    gsp_counts counts;
    /* cuts */
    gsp_marks_desc marks;     /* of markers and the split spec */
    gsp_stages_desc policy;   /* of --stages */
    int automatic;            /* --stages: the policy cuts, else the marks */
    const uint32_t *stage_of; /* what either has found */
    uint32_t n_stages;
    /* the module */
    gsp_pipe_desc desc;
    gsp_move_desc move;
    int has_loss;
    gsp_backward_desc loss;
    gsp_pipe_result made;
    gsp_backward_result backward;
    gsp_module module; /* with backward part and devices, if asked for */
    pipe_load *loads;  /* [stages] after pipe_weigh() */
    cli_timing timing;
    size_t bound;
} pipe;

/* pipe_marks_read: --split-spec and --marker. Returns an exit status. */
int pipe_marks_read(pipe *p);

/* pipe_marks_refuse: what gsp_marks_run() said. Returns CLI_EXIT_FAILED. */
int pipe_marks_refuse(pipe *p, const gsp_error *err);

/* pipe_policy_read: --stages, --policy and what goes with them. Returns an exit status. */
int pipe_policy_read(pipe *p);

/* pipe_policy_bound: bytes for pipe_policy_run(). */
size_t pipe_policy_bound(const pipe *p);

/* pipe_policy_run: fills stage_of and n_stages. */
gsp_status pipe_policy_run(pipe *p, gsp_arena *arena, gsp_error *err);

/* pipe_policy_refuse: what pipe_policy_run() said. Returns CLI_EXIT_FAILED. */
int pipe_policy_refuse(pipe *p, const gsp_error *err);

/* pipe_policy_note: what to say on standard error about cuts that were made; once, before the
 * output. */
void pipe_policy_note(const pipe *p);

/* pipe_stage_name: name of the graph of a stage. */
gsp_text pipe_stage_name(const pipe *p, uint32_t stage);

/* pipe_list_item: the next item of a list at commas, from *at; empty: there is none. */
gsp_text pipe_list_item(gsp_text list, uint32_t *at);

/* pipe_integer: 1 for a decimal with or without a sign; *value is -1 for one below 0. */
int pipe_integer(gsp_text text, int64_t *value);

/* pipe_weigh: fills loads. Returns an exit status. */
int pipe_weigh(pipe *p);

void pipe_porcelain(const pipe *p, cli_buffer *out);
void pipe_json(const pipe *p, cli_buffer *out);
void pipe_people(const pipe *p, cli_buffer *out);
int pipe_emit(const pipe *p);

#endif
