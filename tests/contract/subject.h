/* What tests of single conditions start from: a graph from text, and an arena. */
#ifndef GRAPHSPLIT_TESTS_SUBJECT_H
#define GRAPHSPLIT_TESTS_SUBJECT_H

#include "examples/extra/graphsplit_draw.h"
#include "tests/t.h"

typedef struct subject {
    gsp_arena memory;
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_placement p; /* empty until a test places the graph */
    gsp_error err;
} subject;

static inline int open_text(subject *s, const char *text)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 1u << 18);
    if (!t_must_read(&s->memory, text, &s->m)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->m, 0u);
    return 1;
}

static inline void close_text(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->memory);
}

static inline void expect(const subject *s, gsp_status found, gsp_status status, gsp_detail detail,
    const char *file, int line)
{
    t_check_status(found, status, file, line, "status");
    t_check_status(s->err.status, status, file, line, "err.status");
    t_check_detail(s->err.detail, detail, file, line, "err.detail");
    t_check(s->err.node != GSP_NONE || s->err.other != GSP_NONE || s->err.what == GSP_WHAT_NONE,
        file, line, "err.what");
    t_check_field(&s->err, file, line, "err.field");
}
#define GIVES(call, status, detail) \
    expect(&s, (call), GSP_STATUS_##status, GSP_DETAIL_##detail, __FILE__, __LINE__)

#endif
