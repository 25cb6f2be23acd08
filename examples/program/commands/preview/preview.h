/* The command `preview`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_PREVIEW_PREVIEW_H
#define CLI_COMMANDS_PREVIEW_PREVIEW_H

#include "commands/split/split.h"
#include "core/core.h"

/* ==== facts ====
 * The input and the results of a preview. */

typedef struct preview {
    split cut;
    gsp_signatures_result types;
    gsp_preview_desc desc;
    gsp_preview_result result;
    size_t bound;
    cli_timing timing;
} preview;

/* preview_kind: the name of the CPU or of an accelerator. */
const char *preview_kind(const preview *w, uint32_t kind);

/* preview_macs: multiply-accumulates of the graph, and of what accelerators run. */
void preview_macs(const preview *w, cli_macs_share *share);

void preview_put_signature(const preview *w, cli_buffer *out, const gsp_signature *s);

/* preview_put_odd: those of the values that are not tensors. */
void preview_put_odd(
    const preview *w, cli_buffer *out, const gsp_node *nodes, uint32_t n, const char *separator);

/* ==== json ====
 * The JSON of `preview`. */

void preview_json(const preview *w, cli_buffer *out);

/* ==== people ====
 * The report of `preview` for people. */

void preview_people(const preview *w, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `preview`. */

void preview_porcelain(const preview *w, cli_buffer *out);

/* ==== preview ====
 * The command `preview`. */

extern const cli_pass cli_preview_pass;

#endif
