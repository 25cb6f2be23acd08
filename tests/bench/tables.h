/* Operator tables and pins, most of which were slow once (tests/program/slow.sh), on graphs
 * of their own. */
#ifndef GRAPHSPLIT_TESTS_STEPS_TABLES_H
#define GRAPHSPLIT_TESTS_STEPS_TABLES_H

#include "tests/bench/graphs.h"

/* A graph and lines for it. */
typedef struct listing {
    gsp_arena arena;
    gsp_graph graph;
    gsp_str text; /* the lines */
    gsp_table table;
    gsp_pin *pins; /* one per line */
    uint32_t n_lines;
    double operators; /* different ones */
    double size;      /* nodes and edges */
    double letters;   /* of names, targets and paths of all nodes */
} listing;

/* ---- graphs ---- */

/* A chain of one operator. */
static void put_chain(text *t, unsigned n)
{
    put_head(t);
    for (unsigned i = 0u; i < n; i++) {
        put_call(t, FUNCTION, 0u, i);
        put(t, i == 0u ? "%%a," : "%%n%u,", i - 1u);
        put_end(t);
    }
    put(t, "    return n%u\n", n - 1u);
}

/* Calls with a path of n names. */
static void put_paths(text *t, unsigned n)
{
    put_head(t);
    for (unsigned i = 0u; i < 4u; i++) {
        put_call(t, FUNCTION, 0u, i);
        put(t, "%%a), kwargs = {})  # f32[4] scope=a", 0u);
        put_times(t, ".a", n);
        put(t, "\n", 0u);
    }
    put(t, "    return n0\n", 0u);
}

/* ---- lines ---- */

static void lines_nodes(text *t, unsigned n)
{
    put_times(t, "n%u\n", n);
}

static void lines_targets(text *t, unsigned n)
{
    put_times(t, "f%u\n", n);
}

static void lines_absent(text *t, unsigned n)
{
    put_times(t, "u%u\n", n);
}

static void lines_prefixes(text *t, unsigned n)
{
    put_times(t, "u%u*\n", n);
}

static void lines_refused(text *t, unsigned n)
{
    put_times(t, "f0 i8\n", n);
}

static void lines_dtypes(text *t, unsigned n)
{
    put(t, "* f32", 0u);
    put_times(t, ",y%u", n);
    put(t, "\n", 0u);
}

static void lines_constraints(text *t, unsigned n)
{
    put(t, "*", 0u);
    put_times(t, " a%u?<=3", n);
    put(t, "\n", 0u);
}

/* It begins anywhere in such a path, and never ends there. */
static void lines_star(text *t, unsigned n)
{
    put(t, "*a", 0u);
    put_times(t, ".a", n / 2u);
    put(t, "z\n", 0u);
}

static void lines_path(text *t, unsigned n)
{
    put(t, "a", 0u);
    put_times(t, ".a", n);
    put(t, "\n", 0u);
}

/* ---- what is done with them ---- */

static gsp_status run_table_read(listing *l)
{
    return gsp_table_read(&l->arena, l->text, &l->table, NULL);
}

static gsp_status run_table(listing *l)
{
    gsp_rule rule = {0};
    gsp_accelerator acc;
    gsp_support_desc desc = {0};
    gsp_placement placement;
    rule.kind = GSP_RULE_TABLE;
    rule.table = l->table;
    acc.rules = &rule;
    acc.n_rules = 1u;
    desc.accelerators = &acc;
    desc.n_accelerators = 1u;
    return gsp_support_run(&l->arena, &l->graph, &desc, &placement, NULL);
}

static gsp_status run_table_matched(listing *l)
{
    l->table.matched = (uint8_t *)gsp_arena_push(&l->arena, l->n_lines, 1u);
    return l->table.matched == NULL ? GSP_STATUS_NOMEM : run_table(l);
}

static gsp_status run_pins(listing *l)
{
    gsp_support_desc desc = {0};
    gsp_placement placement;
    desc.pins = l->pins;
    desc.n_pins = l->n_lines;
    return gsp_support_run(&l->arena, &l->graph, &desc, &placement, NULL);
}

/* ---- the documented orders ---- */

static double of_text(const listing *l)
{
    return (double)l->text.size;
}

static double of_operators(const listing *l)
{
    return l->size + l->operators * l->n_lines;
}

static double of_nodes(const listing *l)
{
    return (double)l->graph.n_nodes * l->n_lines;
}

/* The list of a line is as long as its text. */
static double of_list(const listing *l)
{
    return l->size * (double)l->text.size;
}

static double of_letters(const listing *l)
{
    return l->letters + (double)l->text.size;
}

static double of_globs(const listing *l)
{
    return l->letters * (double)l->text.size;
}

typedef struct listing_row {
    const char *name;
    void (*graph)(text *t, unsigned n);
    void (*lines)(text *t, unsigned n);
    gsp_pin_what what;
    gsp_status (*run)(listing *l);
    double (*order)(const listing *l);
    double factor; /* the largest that was measured, with a margin */
} listing_row;

#define TABLE GSP_PIN_COUNT /* the lines are a table */

static const listing_row listing_rows[] = {
    {"table_read, names", put_chain, lines_absent, TABLE, run_table_read, of_text, 35},
    {"table_read, dtypes", put_chain, lines_dtypes, TABLE, run_table_read, of_text, 20},
    {"table_read, constraints", put_chain, lines_constraints, TABLE, run_table_read, of_text, 30},
    {"table, absent", put_kinds, lines_absent, TABLE, run_table, of_operators, 10},
    {"table, absent, one operator", put_chain, lines_absent, TABLE, run_table, of_operators, 32},
    {"table, prefixes", put_kinds, lines_prefixes, TABLE, run_table, of_operators, 9},
    {"table, targets", put_kinds, lines_targets, TABLE, run_table, of_operators, 5},
    {"table, all matches", put_kinds, lines_targets, TABLE, run_table_matched, of_operators, 11},
    {"table, refused", put_chain, lines_refused, TABLE, run_table, of_nodes, 90},
    {"table, dtypes", put_kinds, lines_dtypes, TABLE, run_table, of_list, 2},
    {"table, constraints", put_kinds, lines_constraints, TABLE, run_table, of_list, 10},
    {"pins, names", put_chain, lines_nodes, GSP_PIN_NAME, run_pins, of_letters, 17},
    {"pins, targets", put_kinds, lines_targets, GSP_PIN_TARGET, run_pins, of_letters, 16},
    {"pins, a path", put_paths, lines_path, GSP_PIN_SCOPE, run_pins, of_letters, 11},
    {"pins, prefixes", put_kinds, lines_prefixes, GSP_PIN_NAME, run_pins, of_nodes, 26},
    {"pins, a star", put_paths, lines_star, GSP_PIN_SCOPE, run_pins, of_globs, 6},
};
#define N_LISTING_ROWS (sizeof listing_rows / sizeof listing_rows[0])

#endif
