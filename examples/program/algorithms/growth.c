/* A group of equal regions, grown in lockstep from a node and its equals. The first column, the
 * pilot, is the pattern. A step adds an input, a user or another reader of an outer value to all
 * columns; columns without an equal node are dropped, so that rows grow and columns shrink.
 * Every group on the way is offered. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

enum { STEP_INPUT, STEP_USER, STEP_SIBLING };

#define MOST_USERS   64u  /* of a value, that steps look at */
#define MOST_OUTSIDE 256u /* nodes visited outside of a region; with more, paths count as closed */

/* A neighbour of a region: argument `at` of row `from`, or a reader with that argument of row or
 * outer value `from`. */
struct cli_growth_step {
    uint32_t kind;
    uint32_t from;
    uint32_t at;
    uint32_t class_of; /* of readers */
    uint32_t most;     /* columns that can take it; GSP_NONE once it is taken or out of reach */
};

typedef struct cli_growth_step step;

/* A region. Outer values are in order of first use. */
struct cli_growth_column {
    gsp_node *nodes;
    gsp_node *outer;
    uint32_t room;
    uint32_t n_outer;
    uint32_t outer_room;
    gsp_node next; /* of the present step, or GSP_NONE */
    gsp_node low;
    gsp_node high;
    uint32_t shallow; /* least and most level */
    uint32_t deep;
    uint32_t lost; /* the last trial in which an earlier column took one of its nodes */
};

typedef struct cli_growth_column column;

static uint32_t *new_words(cli_session *s, size_t n)
{
    return (uint32_t *)cli_alloc(s, n + 1u, sizeof(uint32_t));
}

void cli_growth_open(cli_growth *w, cli_session *s, const gsp_graph *g, const gsp_regions *known,
    const uint32_t *part_of)
{
    uint32_t const n = g->n_nodes;
    memset(w, 0, sizeof *w);
    w->session = s;
    w->g = g;
    w->known = known;
    w->part_of = part_of;
    w->grown = new_words(s, n);
    w->owner = new_words(s, n);
    w->row = new_words(s, n);
    w->claimed = new_words(s, n);
    w->seen = new_words(s, n);
    w->stack = new_words(s, n);
    w->columns = (column *)cli_alloc(s, (size_t)n + 1u, sizeof *w->columns);
    w->level = new_words(s, n);
    for (gsp_node v = 0; v < n; v++) {
        uint32_t n_in;
        const gsp_node *in = gsp_node_inputs(g, v, &n_in);
        while (n_in-- > 0) {
            w->level[v] = w->level[in[n_in]] >= w->level[v] ? w->level[in[n_in]] + 1u : w->level[v];
        }
    }
}

/* ---- what a column holds ---- */

static int is_held(const cli_growth *w, gsp_node v)
{
    return w->grown[v] == w->number;
}

static int is_in(const cli_growth *w, uint32_t c, gsp_node v)
{
    return is_held(w, v) && w->owner[v] == c;
}

static uint32_t find_outer(cli_growth *w, const column *c, gsp_node v)
{
    uint32_t i = 0;
    while (i < c->n_outer && c->outer[i] != v) {
        i++;
    }
    w->work += i;
    return i;
}

/* Argument `at` of a node if it is a node, else GSP_NONE. */
static gsp_node argument(const cli_growth *w, gsp_node v, uint32_t at)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(w->g, v, &n);
    return at < n && args[at].kind == GSP_ARG_NODE ? args[at].value : GSP_NONE;
}

/* 1 if two arguments, of the pilot and of another column, are the same row, or the same outer
 * value; earlier arguments of the nodes come before those that are new. */
static int is_same_argument(
    cli_growth *w, uint32_t c, const gsp_arg *x, const gsp_arg *y, uint32_t at)
{
    gsp_node const a = x[at].value;
    gsp_node const b = y[at].value;
    uint32_t i;
    uint32_t k;
    if (is_in(w, 0, a) || is_in(w, c, b)) {
        return is_in(w, 0, a) && is_in(w, c, b) && w->row[a] == w->row[b];
    }
    i = find_outer(w, &w->columns[0], a);
    k = find_outer(w, &w->columns[c], b);
    if (i < w->columns[0].n_outer || k < w->columns[c].n_outer) {
        return i == k;
    }
    for (i = 0; i < at; i++) {
        if (x[i].kind == GSP_ARG_NODE && (x[i].value == a) != (y[i].value == b)) {
            return 0;
        }
    }
    return 1;
}

/* 1 if node u of column c has the wiring of node v of the pilot. */
static int is_same_wiring(cli_growth *w, uint32_t c, gsp_node v, gsp_node u)
{
    uint32_t n;
    uint32_t n_other;
    const gsp_arg *x = gsp_node_args(w->g, v, &n);
    const gsp_arg *y = gsp_node_args(w->g, u, &n_other);
    if (n != n_other || find_outer(w, &w->columns[0], v) != find_outer(w, &w->columns[c], u)) {
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (x[i].kind != y[i].kind ||
            (x[i].kind == GSP_ARG_NODE && !is_same_argument(w, c, x, y, i))) {
            return 0;
        }
    }
    w->work += n;
    return 1;
}

/* ---- paths that leave a region and return ---- */

/* 1 if a path from u, or to it, may end in a column. */
static int is_between(const cli_growth *w, const column *c, gsp_node u, int by_users)
{
    return by_users ? u < c->high && w->level[u] < c->deep : u > c->low && w->level[u] > c->shallow;
}

/* Follows paths from v over users, or inputs, that run outside of a column. Returns 1 if such a
 * path returns to the column, or if more than MOST_OUTSIDE nodes are visited. */
static int is_reached(cli_growth *w, uint32_t c, gsp_node v, int by_users)
{
    const column *col = &w->columns[c];
    uint32_t depth = 0;
    uint32_t visited = 0;
    gsp_node at = v;
    w->n_seen++;
    for (;;) {
        uint32_t n;
        const gsp_node *next =
            by_users ? gsp_node_users(w->g, at, &n) : gsp_node_inputs(w->g, at, &n);
        w->work += n;
        while (n-- > 0) {
            gsp_node const u = next[n];
            if (is_in(w, c, u)) {
                if (at != v) {
                    return 1;
                }
            } else if (w->seen[u] != w->n_seen && is_between(w, col, u, by_users)) {
                w->seen[u] = w->n_seen;
                w->stack[depth++] = u;
                visited++;
            }
        }
        if (depth == 0 || visited > MOST_OUTSIDE) {
            return depth != 0;
        }
        at = w->stack[--depth];
    }
}

/* ---- steps ---- */

static int may_take(const cli_growth *w, uint32_t c, gsp_node v, uint32_t class_of)
{
    gsp_node const end = w->columns[c].nodes[0];
    uint32_t const owner = w->owner[v];
    return w->known->classes.class_of[v] == class_of && !w->used[v] && w->claimed[v] != w->trial &&
           w->part_of[v] == w->part_of[end] &&
           w->known->dependences.segment[v] == w->known->dependences.segment[end] &&
           (!is_held(w, v) || owner > c ||
               (owner > 0u && owner < c && w->columns[owner].next == GSP_NONE));
}

/* A reader of v by argument `at`; one that no column holds, if there is one. */
static gsp_node find_reader(cli_growth *w, uint32_t c, gsp_node v, const step *e)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(w->g, v, &n);
    gsp_node other = GSP_NONE;
    uint32_t i;
    for (i = 0; i < n && i < MOST_USERS; i++) {
        gsp_node const u = users[i];
        if (argument(w, u, e->at) == v && may_take(w, c, u, e->class_of)) {
            if (!is_held(w, u)) {
                return u;
            }
            other = other == GSP_NONE ? u : other;
        }
    }
    w->work += i;
    return other;
}

static gsp_node step_node(cli_growth *w, uint32_t c, const step *e)
{
    const column *col = &w->columns[c];
    if (e->kind == STEP_INPUT) {
        return argument(w, col->nodes[e->from], e->at);
    }
    return find_reader(w, c, e->kind == STEP_USER ? col->nodes[e->from] : col->outer[e->from], e);
}

/* The node that a column can add, or GSP_NONE. */
static gsp_node try_column(cli_growth *w, uint32_t c, const step *e)
{
    gsp_node const v = w->columns[c].lost == w->trial ? GSP_NONE : step_node(w, c, e);
    gsp_node const pilot = w->columns[0].next;
    uint32_t const class_of = v == GSP_NONE ? GSP_NONE
                              : c == 0u     ? w->known->classes.class_of[v]
                                            : w->known->classes.class_of[pilot];
    w->work += 4u;
    if (class_of == GSP_NONE || !may_take(w, c, v, class_of) ||
        (c != 0u && !is_same_wiring(w, c, pilot, v)) || is_reached(w, c, v, 0) ||
        is_reached(w, c, v, 1)) {
        return GSP_NONE;
    }
    return v;
}

/* Counts the columns that can take a step; sets `next` of all. */
static uint32_t try_step(cli_growth *w, const step *e)
{
    uint32_t count = 0;
    w->trial++;
    for (uint32_t c = 0; c < w->n_columns; c++) {
        gsp_node const v = try_column(w, c, e);
        w->columns[c].next = v;
        if (v == GSP_NONE) {
            if (c == 0) {
                return 0;
            }
            continue;
        }
        if (is_held(w, v) && w->owner[v] > c) {
            w->columns[w->owner[v]].lost = w->trial;
        }
        w->claimed[v] = w->trial;
        count++;
    }
    return count;
}

static void push_step(cli_growth *w, uint32_t kind, uint32_t from, uint32_t at, gsp_node reader)
{
    step *e;
    if (w->n_steps == w->steps_room) {
        w->steps_room = 2u * w->steps_room + 16u;
        w->steps = (step *)cli_grow(w->session, w->steps, w->steps_room * sizeof *w->steps);
    }
    e = &w->steps[w->n_steps++];
    e->kind = kind;
    e->from = from;
    e->at = at;
    e->class_of = kind == STEP_INPUT ? GSP_NONE : w->known->classes.class_of[reader];
    e->most = w->n_columns;
}

/* The readers of a value of the pilot, as steps. */
static void push_readers(cli_growth *w, uint32_t kind, uint32_t from, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(w->g, v, &n);
    for (uint32_t i = 0; i < n && n <= MOST_USERS; i++) {
        uint32_t at = 0;
        if (w->known->classes.class_of[users[i]] != GSP_NONE && !is_in(w, 0, users[i])) {
            while (argument(w, users[i], at) != v) {
                at++;
            }
            push_step(w, kind, from, at, users[i]);
        }
    }
}

/* ---- rows ---- */

static void push_outer(cli_growth *w, column *c, gsp_node v)
{
    if (c->n_outer == c->outer_room) {
        c->outer_room = 2u * c->outer_room + 4u;
        c->outer = (gsp_node *)cli_grow(w->session, c->outer, c->outer_room * sizeof *c->outer);
    }
    c->outer[c->n_outer++] = v;
}

/* Adds `next` of a column as the next row. */
static void add_node(cli_growth *w, uint32_t c)
{
    column *col = &w->columns[c];
    gsp_node const v = col->next;
    uint32_t n;
    const gsp_arg *args = gsp_node_args(w->g, v, &n);
    if (w->rows == col->room) {
        col->room = 2u * col->room + 4u;
        col->nodes = (gsp_node *)cli_grow(w->session, col->nodes, col->room * sizeof *col->nodes);
    }
    col->nodes[w->rows] = v;
    col->low = w->rows == 0 || v < col->low ? v : col->low;
    col->high = w->rows == 0 || v > col->high ? v : col->high;
    col->shallow = w->rows == 0 || w->level[v] < col->shallow ? w->level[v] : col->shallow;
    col->deep = w->rows == 0 || w->level[v] > col->deep ? w->level[v] : col->deep;
    w->grown[v] = w->number;
    w->owner[v] = c;
    w->row[v] = w->rows;
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind == GSP_ARG_NODE && !is_in(w, c, args[i].value) &&
            find_outer(w, col, args[i].value) == col->n_outer) {
            push_outer(w, col, args[i].value);
        }
    }
}

/* The steps that a new row of the pilot opens. */
static void open_steps(cli_growth *w, uint32_t row, uint32_t n_outer)
{
    const column *pilot = &w->columns[0];
    gsp_node const v = pilot->nodes[row];
    uint32_t n;
    const gsp_arg *args = gsp_node_args(w->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind == GSP_ARG_NODE && w->known->classes.class_of[args[i].value] != GSP_NONE &&
            !is_in(w, 0, args[i].value)) {
            push_step(w, STEP_INPUT, row, i, GSP_NONE);
        }
    }
    push_readers(w, STEP_USER, row, v);
    for (uint32_t i = n_outer; i < pilot->n_outer; i++) {
        if (gsp_node_op(w->g, pilot->outer[i]) != GSP_OP_GET_ATTR) {
            push_readers(w, STEP_SIBLING, i, pilot->outer[i]);
        }
    }
}

/* Columns without a next node leave their nodes to others. */
static void drop_columns(cli_growth *w)
{
    uint32_t kept = 0;
    for (uint32_t c = 0; c < w->n_columns; c++) {
        column const col = w->columns[c];
        for (uint32_t i = 0; i < w->rows; i++) {
            w->grown[col.nodes[i]] = col.next == GSP_NONE ? 0u : w->number;
            w->owner[col.nodes[i]] = kept;
        }
        if (col.next != GSP_NONE) {
            w->columns[c] = w->columns[kept];
            w->columns[kept++] = col;
        }
        w->work += w->rows;
    }
    w->n_columns = kept;
}

static void add_row(cli_growth *w)
{
    uint32_t const n_outer = w->columns[0].n_outer;
    for (uint32_t c = 0; c < w->n_columns; c++) {
        add_node(w, c);
    }
    w->rows++;
    open_steps(w, w->rows - 1u, w->rows == 1u ? 0u : n_outer);
}

/* Sets up the step that most columns can take. Returns 0 if no two columns can take one. Counts
 * fall as regions grow, so that an old count is an upper bound. */
static uint32_t choose_step(cli_growth *w, uint32_t forced)
{
    for (;;) {
        step *best = NULL;
        uint32_t count;
        for (uint32_t i = 0; i < w->n_steps; i++) {
            step *e = &w->steps[i];
            if (e->most != GSP_NONE && (best == NULL || e->most > best->most)) {
                best = e;
            }
        }
        w->work += w->n_steps;
        best = forced < w->n_steps ? &w->steps[forced] : best;
        if (best == NULL) {
            return 0;
        }
        count = try_step(w, best);
        if (count >= 2u && (count >= best->most || forced < w->n_steps)) {
            best->most = GSP_NONE;
            return count;
        }
        best->most = count < 2u ? GSP_NONE : count;
        forced = GSP_NONE;
    }
}

/* ---- groups ---- */

static int is_given_up(const cli_growth *w)
{
    const column *pilot = &w->columns[0];
    for (uint32_t i = 0; i < pilot->n_outer; i++) { /* no aggregate may enter */
        if (!is_in(w, 0, pilot->outer[i]) &&
            gsp_node_value_kind(w->g, pilot->outer[i]) == GSP_VALUE_AGGREGATE) {
            return 1;
        }
    }
    return w->rows < 2u || w->n_columns < 2u || pilot->n_outer == 0u;
}

/* A hash of the nodes of the present group, independent of their order. */
static uint64_t signature(const cli_growth *w)
{
    uint64_t sum = w->n_columns;
    for (uint32_t c = 0; c < w->n_columns; c++) {
        for (uint32_t i = 0; i < w->rows; i++) {
            uint64_t const x = (w->columns[c].nodes[i] + 1u) * UINT64_C(0x9E3779B97F4A7C15);
            sum += x ^ (x >> 29);
        }
    }
    return sum;
}

static void copy_group(cli_growth *w, cli_group *to, uint64_t mark)
{
    to->rows = w->rows;
    to->columns = w->n_columns;
    to->saved = (uint64_t)w->rows * (w->n_columns - 1u);
    to->mark = mark;
    to->members =
        (gsp_node *)cli_alloc(w->session, (size_t)w->rows * w->n_columns, sizeof *to->members);
    for (uint32_t i = 0; i < w->rows; i++) {
        for (uint32_t c = 0; c < w->n_columns; c++) {
            to->members[(size_t)i * w->n_columns + c] = w->columns[c].nodes[i];
        }
    }
}

/* Keeps the present group if it is one of the best. */
static void offer(cli_growth *w)
{
    uint64_t const saved = (uint64_t)w->rows * (w->n_columns - 1u);
    uint64_t mark;
    uint32_t at = w->n_best;
    if (is_given_up(w) || (w->n_best == w->most_best && saved <= w->best[w->n_best - 1u].saved)) {
        return;
    }
    mark = signature(w);
    for (uint32_t i = 0; i < w->n_best; i++) {
        if (w->best[i].saved == saved && w->best[i].mark == mark) {
            return;
        }
    }
    if (w->n_best == w->most_best) {
        cli_release(w->session, w->best[--at].members);
    } else {
        w->n_best++;
    }
    for (; at > 0 && w->best[at - 1u].saved < saved; at--) {
        w->best[at] = w->best[at - 1u];
    }
    copy_group(w, &w->best[at], mark);
}

/* The columns of one row: the pilot, then its equals in graph order. */
static void start(cli_growth *w, gsp_node pilot)
{
    const gsp_node_classes *k = &w->known->classes;
    uint32_t const of = k->class_of[pilot];
    w->number++;
    w->rows = 0;
    w->n_columns = 1;
    w->n_steps = 0;
    w->columns[0].next = pilot;
    w->columns[0].n_outer = 0;
    for (uint32_t i = k->class_begin[of]; i < k->class_begin[of + 1u]; i++) {
        column *c = &w->columns[w->n_columns];
        c->n_outer = 0;
        c->lost = 0;
        if (k->nodes[i] != pilot && !w->used[k->nodes[i]] &&
            is_same_wiring(w, w->n_columns, pilot, k->nodes[i])) {
            c->next = k->nodes[i];
            w->n_columns++;
        }
    }
    add_row(w);
}

/* 1 if the free nodes suffice for a group of so many columns that is one of the best. */
static int is_hopeful(cli_growth *w, uint32_t columns)
{
    const gsp_node_classes *k = &w->known->classes;
    uint64_t const least = w->n_best == w->most_best ? w->best[w->n_best - 1u].saved : 0u;
    uint64_t rows = 0;
    uint32_t c;
    for (c = 0; c < k->n_classes && rows * (columns - 1u) <= least; c++) {
        rows += w->n_free[c] / columns;
    }
    w->work += c;
    return rows * (columns - 1u) > least;
}

uint32_t cli_growth_run(cli_growth *w, gsp_node pilot, uint32_t forced)
{
    uint32_t opened;
    uint32_t count;
    start(w, pilot);
    opened = w->n_steps;
    while (w->work < w->max_work && (count = choose_step(w, forced)) != 0) {
        if (count < w->n_columns) {
            offer(w);
            if (!is_hopeful(w, count)) {
                return opened;
            }
            drop_columns(w);
        }
        add_row(w);
        forced = GSP_NONE;
    }
    offer(w);
    return opened;
}
