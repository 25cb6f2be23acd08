/* The command `eval`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_EVAL_EVAL_H
#define CLI_COMMANDS_EVAL_EVAL_H

#include "core/core.h"
#include "input/input.h"

/* ==== facts ====
 * The input and the results of the command `eval`. */

typedef struct eval_options {
    uint64_t parts;
    const char *imbalance; /* NULL if not given, likewise below */
    const char *rate;
    const char *fix;
} eval_options;

typedef struct eval {
    cli_session *session;
    eval_options opt;
    gsp_graph graph;
    gsp_counts counts;
    const char *path; /* of the parts */
    cli_parts parts;
    gsp_device *devices; /* [n_devices] part i is on device i modulo n_devices */
    uint32_t n_devices;
    uint64_t *device_bytes; /* [n_devices] of what its parts hold together */
    gsp_score_desc desc;
    gsp_score_result score;
    int valid; /* the score, devices and the number of lines */
    size_t bound;
    cli_timing timing;
} eval;

/* eval_limits: weights, groups, pins, capacities and devices of the desc. */
int eval_limits(eval *e);

/* eval_devices: fills device_bytes and `valid`, after the run. */
void eval_devices(eval *e);

/* eval_length: the number of lines is not that of the nodes, or a node has no part. */
int eval_length(const eval *e);

/* eval_mean: the mean load; eval_imbalance: the largest load above it, as a share. */
double eval_mean(const eval *e);
double eval_imbalance(const eval *e);

/* ==== json ====
 * The JSON of `eval`. */

void eval_json(const eval *e, cli_buffer *out);

/* ==== people ====
 * The report of `eval` for people. */

void eval_people(const eval *e, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `eval`. */

void eval_porcelain(const eval *e, cli_buffer *out);

/* ==== eval ====
 * The command `eval`. */

extern const cli_pass cli_eval_pass;

#endif
