/* First fit for many tensors: placed ones stand in lists by time, so that a search skips most. */
#ifndef CLI_ALGORITHMS_CROWD_H
#define CLI_ALGORITHMS_CROWD_H

#include "core/session.h"

#define CLI_CROWD_SLICES 64u

/* Where a placed tensor lies. */
typedef struct cli_spot {
    uint64_t offset;
    uint64_t top;
    uint32_t begin;
    uint32_t end;
    uint32_t id;
} cli_spot;

typedef struct cli_crowd_list {
    cli_spot *spots; /* by offset */
    uint32_t n;
    uint32_t room;
    uint32_t at; /* of a search */
} cli_crowd_list;

/* A list per slice of time, and one of tensors that are live in many slices. */
typedef struct cli_crowd {
    cli_session *session;
    uint64_t n_steps;
    cli_crowd_list lists[CLI_CROWD_SLICES + 1u];
} cli_crowd;

void cli_crowd_init(cli_crowd *crowd, cli_session *s, uint64_t n_steps);

/* cli_crowd_find: the lowest offset for a tensor, a multiple of `align`, from `least` on. *met: the
 * last tensor that was in the way, GSP_NONE: none. */
uint64_t cli_crowd_find(
    cli_crowd *crowd, const gsp_tensor *t, uint64_t align, uint64_t least, uint32_t *met);

/* cli_crowd_add: places a tensor that takes bytes. */
void cli_crowd_add(cli_crowd *crowd, const gsp_tensor *t, uint32_t id, uint64_t offset);

#endif
