/* Measured times of nodes: what TFLite's benchmark_model and ONNX Runtime write. */
#ifndef CLI_INPUT_PROFILE_H
#define CLI_INPUT_PROFILE_H

#include "core/session.h"

/* [n_nodes]; below 0: not measured. */
typedef struct cli_profile {
    double *cpu; /* seconds per run */
    double *acc;
    uint32_t n_rows; /* nodes that the file names */
} cli_profile;

/* cli_profile_read: --profile FILE. A node of another graph is an error that is reported. Returns
 * an exit status. */
int cli_profile_read(
    cli_session *s, const char *path, const gsp_graph *graph, cli_profile *profile);

#endif
