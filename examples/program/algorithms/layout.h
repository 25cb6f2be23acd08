/* Arena functions of the program, as in the library: one layout function counts bytes and assigns
 * arrays. */
#ifndef CLI_ALGORITHMS_LAYOUT_H
#define CLI_ALGORITHMS_LAYOUT_H

#include "graphsplit.h"

/* With arena NULL it only counts. */
typedef struct cli_layout {
    gsp_arena *arena;
    size_t bytes; /* SIZE_MAX: too many */
} cli_layout;

static inline void *cli_layout_push(cli_layout *l, size_t count, size_t size)
{
    size_t const left = SIZE_MAX - GSP_BOUND_SLACK - GSP_ALIGN;
    if (l->bytes > left || count > (left - l->bytes) / size) {
        l->bytes = SIZE_MAX;
        return NULL;
    }
    l->bytes += GSP_BOUND_ARRAY(count, size);
    return l->arena == NULL ? NULL : gsp_arena_push(l->arena, count, size);
}

#define CLI_ROW(layout, T, count) ((T *)cli_layout_push((layout), (count), sizeof(T)))

/* cli_layout_bound: the bytes of a layout at any address. */
static inline size_t cli_layout_bound(const cli_layout *l)
{
    return l->bytes == SIZE_MAX ? SIZE_MAX : l->bytes + GSP_BOUND_SLACK;
}

/* cli_fail: fills an error, which may be NULL; returns the status. */
static inline gsp_status cli_fail(
    gsp_error *err, gsp_status status, gsp_detail detail, uint32_t node)
{
    gsp_error const e = {status, detail, node == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE, node,
        GSP_NONE, 0, 0, 0, 0};
    if (err != NULL) {
        *err = e;
    }
    return status;
}

/* cli_room: whether so many bytes are left. */
static inline gsp_status cli_room(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    if (bound == SIZE_MAX) {
        return cli_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE);
    }
    if (gsp_arena_left(arena) >= bound) {
        return cli_fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE);
    }
    cli_fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE);
    if (err != NULL) {
        err->need = bound;
        err->limit = gsp_arena_left(arena);
    }
    return GSP_STATUS_NOMEM;
}

#endif
