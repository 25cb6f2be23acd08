/* What tests of refusals start from: a small graph, read and placed. */
#ifndef GRAPHSPLIT_TESTS_READY_H
#define GRAPHSPLIT_TESTS_READY_H

#include "tests/t.h"

typedef struct ready {
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_support_desc support;
    gsp_placement p;
    gsp_split_result split;
    gsp_error err;
    gsp_mark mark;
} ready;

static const char ready_text[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] acc=1\n"
    "    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4]\n"
    "    return b\n";

static inline void ready_start(ready *s)
{
    size_t const size = sizeof(ready_text) - 1u;
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 1u << 16);
    T_EQUAL(gsp_text_read(&s->arena, ready_text, size, NULL, &s->m, &s->err), GSP_OK);
    s->g = gsp_module_graph(&s->m, 0u);
    T_EQUAL(gsp_support_run(&s->arena, &s->g, NULL, &s->p, &s->err), GSP_OK);
    s->mark = gsp_arena_mark(&s->arena);
}

/* The call found this status, told it in err, and left the arena as it was. */
static inline void ready_refused(const ready *s, gsp_status found, gsp_status status,
    gsp_detail detail, const char *call, const char *file, int line)
{
    t_check_status(found, status, file, line, call);
    t_check_status(s->err.status, status, file, line, call);
    t_check_detail(s->err.detail, detail, file, line, call);
    t_check(s->err.node != GSP_NONE || s->err.other != GSP_NONE || s->err.what == GSP_WHAT_NONE,
        file, line, call);
    t_check_field(&s->err, file, line, call);
    t_check_equal(s->arena.low, s->mark.low, file, line, call);
    t_check_equal(s->arena.high, s->mark.high, file, line, call);
}
#define REFUSED(call, status, detail) \
    ready_refused(&s, (call), GSP_STATUS_##status, GSP_DETAIL_##detail, #call, __FILE__, __LINE__)

#endif
