/* The input and the results of a preview. */
#ifndef CLI_COMMANDS_PREVIEW_FACTS_H
#define CLI_COMMANDS_PREVIEW_FACTS_H

#include "commands/split/facts.h"

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

void preview_put_signature(const preview *w, cli_buffer *out, const gsp_signature *s);

/* preview_put_odd: those of the values that are not tensors. */
void preview_put_odd(
    const preview *w, cli_buffer *out, const gsp_node *nodes, uint32_t n, const char *separator);

#endif
