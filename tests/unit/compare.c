/* Two assignments compared: every change by hand, ties, names, bad descs, memory. */
#include "examples/extra/graphsplit_compare.h"
#include "tests/t.h"

#define NONE GSP_NONE

typedef struct comparison {
    gsp_arena arena;
    gsp_compare_desc desc;
    gsp_compare_result r;
    gsp_error err;
} comparison;

static void start(
    comparison *s, const uint32_t *first, const uint32_t *second, uint32_t n, uint32_t n_parts)
{
    memset(s, 0, sizeof(*s));
    s->desc.n_items = n;
    s->desc.n_parts[0] = s->desc.n_parts[1] = n_parts;
    s->desc.part_of[0] = first;
    s->desc.part_of[1] = second;
    t_arena_open(&s->arena, gsp_compare_bound(&s->desc));
}

static gsp_status run(comparison *s)
{
    s->arena.low = s->arena.high = 0;
    return gsp_compare_run(&s->arena, &s->desc, &s->r, &s->err);
}

/* Partners as digits, and changes as the first letters of their names, with ~ for MIXED. */
static void check_parts(const comparison *s, uint32_t k, const char *partners, const char *changes)
{
    static const char letters[] = "ESRPM~"; /* EMPTY, SAME, RENAMED, SPLIT, MERGED, MIXED */
    char partner[16] = "";
    char change[16] = "";
    for (uint32_t i = 0; i < s->desc.n_parts[k]; i++) {
        uint32_t const p = s->r.partner[k][i];
        partner[i] = (char)(p == NONE ? '-' : '0' + (char)p);
        change[i] = letters[s->r.change[k][i]];
    }
    T_STRING(partner, partners);
    T_STRING(change, changes);
}

/* 0 stays, 1 is renamed to 3, 2 is split into 2 and 4, 5 and 6 become 5, 7 and 8 swap, 9 is only in
 * the first. */
static void test_changes(void)
{
    static const uint32_t first[] = {0, 0, 1, 1, 2, 2, 2, 5, 6, 7, 7, 7, 8, 8, 9, NONE, NONE};
    static const uint32_t second[] = {0, 0, 3, 3, 2, 2, 4, 5, 5, 7, 7, 8, 8, 7, NONE, 1, NONE};
    comparison s;
    start(&s, first, second, (uint32_t)T_COUNT_OF(first), 10u);
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.err.status, GSP_OK);
    T_EQUAL(s.r.n_agree, 2 + 2 + 2 + 1 + 2 + 1);
    T_EQUAL(s.r.n_moved, 4);
    T_EQUAL(s.r.n_only[0], 1);
    T_EQUAL(s.r.n_only[1], 1);
    check_parts(&s, 0, "032--5-78-", "SRPEEMM~~E");
    check_parts(&s, 1, "0-21-5-78-", "SEPRPME~~E");
    t_arena_close(&s.arena);
}

/* A part with one pair takes over what became of the other: 0 keeps some of what 1 got from it. */
static void test_mixed(void)
{
    static const uint32_t first[] = {0, 0, 1, 2};
    static const uint32_t second[] = {0, 1, 1, 1};
    comparison s;
    start(&s, first, second, 4u, 3u);
    T_EQUAL(run(&s), GSP_OK);
    check_parts(&s, 0, "01-", "~~~");
    check_parts(&s, 1, "01-", "~~E");
    T_EQUAL(s.r.n_agree, 2);
    t_arena_close(&s.arena);
}

/* Of pairs of one size the first is taken that has one name; the largest pair comes before all. */
static void test_ties(void)
{
    static const uint32_t first[] = {0, 0, 1};
    static const uint32_t second[] = {1, 2, 1};
    static const uint32_t larger[] = {1, 1, 1};
    gsp_str const names[] = {gsp_str_of("a"), gsp_str_of("b"), gsp_str_of("c")};
    gsp_str const others[] = {gsp_str_of("d"), gsp_str_of("e"), gsp_str_of("a")};
    comparison s;
    start(&s, first, second, 3u, 3u);
    T_EQUAL(run(&s), GSP_OK);
    check_parts(&s, 0, "21-", "~~E"); /* 1 and 1 have one number */
    s.desc.names[0] = names;
    T_EQUAL(run(&s), GSP_OK);
    check_parts(&s, 0, "21-", "~~E"); /* names of one alone do not count */
    s.desc.names[1] = others;
    T_EQUAL(run(&s), GSP_OK);
    check_parts(&s, 0, "21-", "~~E"); /* 0 and 2 have one name */
    s.desc.names[1] = names;
    s.desc.part_of[0] = larger;
    T_EQUAL(run(&s), GSP_OK);
    check_parts(&s, 0, "-1-", "EPE");
    s.desc.names[1] = NULL;
    s.desc.part_of[0] = second;
    T_EQUAL(run(&s), GSP_OK);
    check_parts(&s, 0, "-12", "ESS");
    t_arena_close(&s.arena);
}

/* A name decides about SAME and RENAMED, whatever the numbers. */
static void test_names(void)
{
    static const uint32_t first[] = {0, 1};
    static const uint32_t second[] = {1, 0};
    gsp_str const names[] = {gsp_str_of("a"), gsp_str_of("b")};
    gsp_str const others[] = {gsp_str_of("c"), gsp_str_of("a")};
    comparison s;
    start(&s, first, second, 2u, 2u);
    T_EQUAL(run(&s), GSP_OK);
    check_parts(&s, 0, "10", "RR");
    s.desc.names[0] = names;
    s.desc.names[1] = others;
    T_EQUAL(run(&s), GSP_OK);
    check_parts(&s, 0, "10", "SR");
    check_parts(&s, 1, "10", "RS");
    t_arena_close(&s.arena);
}

static void test_nothing(void)
{
    static const uint32_t none[] = {NONE, NONE};
    static const uint32_t one[] = {0, 0};
    comparison s;
    start(&s, NULL, NULL, 0u, 0u);
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_agree + s.r.n_moved + s.r.n_only[0] + s.r.n_only[1], 0);
    t_arena_close(&s.arena);
    start(&s, one, none, 2u, 1u);
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_only[0], 2);
    T_EQUAL(s.r.n_only[1], 0);
    check_parts(&s, 0, "-", "E");
    check_parts(&s, 1, "-", "E");
    t_arena_close(&s.arena);
}

static void test_refused(void)
{
    static const uint32_t first[] = {0, 1, NONE};
    static const uint32_t second[] = {0, 2, 1};
    comparison s;
    start(&s, first, second, 3u, 2u);
    for (uint32_t k = 0; k < 2u; k++) {
        s.desc.part_of[k] = second;
        s.desc.part_of[1u - k] = first;
        T_EQUAL(run(&s), GSP_STATUS_ARG);
        T_CHECK(s.err.detail == GSP_DETAIL_RANGE && s.err.what == GSP_WHAT_NODE);
        T_EQUAL(s.err.node, 1);
        T_FIELD(&s.err);
        T_EQUAL(s.arena.low + s.arena.high, 0);
    }
    T_EQUAL(gsp_compare_run(&s.arena, &s.desc, &s.r, NULL), GSP_STATUS_ARG);
    s.desc.part_of[0] = first;
    s.desc.n_parts[1] = 1000u; /* the bound grows */
    T_EQUAL(run(&s), GSP_STATUS_NOMEM);
    T_CHECK(s.err.detail == GSP_DETAIL_BOUND && s.err.need == gsp_compare_bound(&s.desc));
    T_EQUAL(s.err.limit, s.arena.size);
    T_EQUAL(gsp_compare_run(&s.arena, &s.desc, &s.r, NULL), GSP_STATUS_NOMEM);
    t_arena_close(&s.arena);
}

/* The results alone stay: 5 bytes per part. */
static void test_memory(void)
{
    static const uint32_t of[] = {0, 1, 2, 3};
    comparison s;
    if (t_skip_with_gaps()) {
        return;
    }
    start(&s, of, of, 4u, 64u);
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.arena.low, 2 * 5 * 64);
    T_EQUAL(s.arena.high, 0);
    t_arena_close(&s.arena);
}

void suite_unit_compare(void)
{
    t_run("changes", test_changes);
    t_run("mixed", test_mixed);
    t_run("ties", test_ties);
    t_run("names", test_names);
    t_run("nothing", test_nothing);
    t_run("refused", test_refused);
    t_run("memory", test_memory);
}
