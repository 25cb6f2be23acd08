/* The command `emit-c`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_EMIT_C_EMIT_C_H
#define CLI_COMMANDS_EMIT_C_EMIT_C_H

#include "core/core.h"

/* ==== names ====
 * Names that no object of a header may have. */

int emit_c_is_identifier(const char *name);

/* emit_c_reserved: why an identifier cannot be the name of an object; NULL if it can. */
const char *emit_c_reserved(const char *name);

/* ==== plan ====
 * The memory plan of a graph as C declarations. */

/* emit_c_put_unused: a file that includes the header need not use the next object. */
void emit_c_put_unused(cli_buffer *out);

typedef struct emit_c_desc {
    const char *name;
    uint64_t align;
    const uint64_t *exact; /* the work of `memory --exact`, or NULL */
    const char *run_of;    /* the plan of a split, which then runs in its order; or NULL */
} emit_c_desc;

/* emit_c_plan: plans the main graph as `memory` does, and prints table and arena. */
int emit_c_plan(cli_session *s, const emit_c_desc *desc);

/* ==== stream ====
 * A network as C code in which regions run row by row. */

/* emit_c_stream: prints it; `layers`: without such regions; `input`: the largest input comes by
 * rows. */
int emit_c_stream(cli_session *s, const emit_c_desc *desc, int layers, int input);

/* ==== emit_c ====
 * The command `emit-c`. */

extern const cli_pass cli_emit_c_pass;

#endif
