/* Groups of equal regions whose calls replace most nodes: a beam search. A state is a set of groups
 * that share no node and close no cycle; it is extended by the best groups that grow from nodes
 * which are still free. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORK   70000000u /* arguments and users that all growth visits: about a second */
#define MOST_PILOTS 4u        /* of a class, where a graph is large */
#define SMALL       64u       /* nodes up to which every node is a pilot, with every first step */
#define WIDEST      24u       /* states of a round, and groups that extend one */

typedef struct state {
    uint8_t *used;     /* [nodes] 1 if a group has it, or none may have it */
    cli_group *groups; /* [n] */
    uint32_t n;
    uint64_t saved;
    uint64_t most; /* nodes saved, and the most that free nodes may save */
    uint64_t mark; /* of its nodes and groups */
} state;

typedef struct search {
    cli_session *session;
    const gsp_graph *g;
    const gsp_regions *known;
    cli_growth growth;
    state best;
    size_t *begin; /* [nodes + 1] into successors */
    gsp_node *successors;
    uint32_t *unit;   /* [nodes] */
    uint32_t *edges;  /* [nodes] into a unit */
    uint32_t *next;   /* [nodes] the next node of a unit */
    uint32_t *queue;  /* [nodes] */
    uint32_t *n_free; /* [classes] */
} search;

/* ---- states ---- */

static uint32_t count_free(const gsp_node_classes *k, const uint8_t *used, uint32_t class_of)
{
    uint32_t n = 0;
    for (uint32_t i = k->class_begin[class_of]; i < k->class_begin[class_of + 1u]; i++) {
        n += used[k->nodes[i]] == 0u ? 1u : 0u;
    }
    return n;
}

/* Of a class of n nodes, calls can replace n - 1. */
static uint64_t most_saved(const search *w, const uint8_t *used)
{
    const gsp_node_classes *k = &w->known->classes;
    uint64_t sum = 0;
    for (uint32_t c = 0; c < k->n_classes; c++) {
        uint32_t const n = count_free(k, used, c);
        sum += n > 1u ? n - 1u : 0u;
    }
    return sum;
}

/* Makes all nodes of a column one unit. */
static void join(const search *w, const cli_group *group, uint32_t column)
{
    for (uint32_t i = 0; i < group->rows; i++) {
        gsp_node const v = group->members[(size_t)i * group->columns + column];
        w->unit[v] = group->members[column];
        w->next[v] = i + 1u < group->rows
                         ? group->members[(size_t)(i + 1u) * group->columns + column]
                         : GSP_NONE;
    }
}

/* Lists the successors of every node by values and by memory. */
static void list_successors(search *w)
{
    const gsp_dependences *d = &w->known->dependences;
    uint32_t const n = w->g->n_nodes;
    uint32_t n_users;
    w->begin = (size_t *)cli_alloc(w->session, (size_t)n + 1u, sizeof *w->begin);
    for (gsp_node v = 0; v < n; v++) {
        (void)gsp_node_users(w->g, v, &n_users);
        w->begin[v + 1u] =
            w->begin[v] + n_users + (d->dependent_begin[v + 1u] - d->dependent_begin[v]);
    }
    w->successors = (gsp_node *)cli_alloc(w->session, w->begin[n] + 1u, sizeof *w->successors);
    for (gsp_node v = 0; v < n; v++) {
        const gsp_node *users = gsp_node_users(w->g, v, &n_users);
        gsp_node *to = w->successors + w->begin[v];
        for (uint32_t i = 0; i < n_users; i++) {
            *to++ = users[i];
        }
        for (uint32_t i = d->dependent_begin[v]; i < d->dependent_begin[v + 1u]; i++) {
            *to++ = d->dependents[i];
        }
    }
}

/* Kahn's algorithm on units. */
static int is_acyclic(search *w)
{
    uint32_t const n = w->g->n_nodes;
    uint32_t done = 0;
    uint32_t units = 0;
    memset(w->edges, 0, n * sizeof *w->edges);
    for (gsp_node v = 0; v < n; v++) {
        for (size_t k = w->begin[v]; k < w->begin[v + 1u]; k++) {
            uint32_t const to = w->unit[w->successors[k]];
            w->edges[to] += to != w->unit[v] ? 1u : 0u;
        }
    }
    w->growth.work += w->begin[n];
    for (gsp_node v = 0; v < n; v++) {
        units += w->unit[v] == v ? 1u : 0u;
        if (w->unit[v] == v && w->edges[v] == 0) {
            w->queue[done++] = v;
        }
    }
    for (uint32_t i = 0; i < done; i++) {
        for (gsp_node v = w->queue[i]; v != GSP_NONE; v = w->next[v]) {
            for (size_t k = w->begin[v]; k < w->begin[v + 1u]; k++) {
                uint32_t const u = w->unit[w->successors[k]];
                if (u != w->queue[i] && --w->edges[u] == 0) {
                    w->queue[done++] = u;
                }
            }
        }
    }
    return done == units;
}

/* Drops the columns of a group that close a cycle; 0 if fewer than two are left. */
static int fit(search *w, const state *s, cli_group *group)
{
    uint32_t kept = 0;
    gsp_node v;
    for (v = 0; v < w->g->n_nodes; v++) {
        w->unit[v] = v;
        w->next[v] = GSP_NONE;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint32_t c = 0; c < s->groups[i].columns; c++) {
            join(w, &s->groups[i], c);
        }
    }
    for (uint32_t c = 0; c < group->columns; c++) {
        join(w, group, c);
    }
    if (is_acyclic(w)) {
        return 1;
    }
    for (v = 0; v < (size_t)group->rows * group->columns; v++) {
        w->unit[group->members[v]] = group->members[v];
        w->next[group->members[v]] = GSP_NONE;
    }
    for (uint32_t c = 0; c < group->columns && w->growth.work < w->growth.max_work; c++) {
        join(w, group, c);
        if (is_acyclic(w)) {
            for (uint32_t i = 0; i < group->rows; i++) {
                gsp_node *row = group->members + (size_t)i * group->columns;
                v = row[kept];
                row[kept] = row[c];
                row[c] = v;
            }
            kept++;
            continue;
        }
        for (uint32_t i = 0; i < group->rows; i++) {
            v = group->members[(size_t)i * group->columns + c];
            w->unit[v] = v;
            w->next[v] = GSP_NONE;
        }
    }
    for (uint32_t i = 0; i < group->rows && kept > 1u; i++) {
        memmove(group->members + (size_t)i * kept, group->members + (size_t)i * group->columns,
            kept * sizeof *group->members);
    }
    group->columns = kept;
    group->saved = kept > 1u ? (uint64_t)group->rows * (kept - 1u) : 0u;
    return kept > 1u;
}

static void drop_state(const search *w, const state *s)
{
    cli_release(w->session, s->used);
    cli_release(w->session, s->groups);
}

/* A state with a group more. */
static state extend(const search *w, const state *s, const cli_group *group)
{
    state made = *s;
    made.used = (uint8_t *)cli_alloc(w->session, w->g->n_nodes, 1u);
    memcpy(made.used, s->used, w->g->n_nodes);
    made.groups = (cli_group *)cli_alloc(w->session, (size_t)s->n + 1u, sizeof *made.groups);
    if (s->n != 0) {
        memcpy(made.groups, s->groups, s->n * sizeof *made.groups);
    }
    made.groups[made.n++] = *group;
    for (size_t i = 0; i < (size_t)group->rows * group->columns; i++) {
        made.used[group->members[i]] = 1;
    }
    made.saved += group->saved;
    made.most = made.saved + most_saved(w, made.used);
    made.mark += group->mark;
    return made;
}

/* ---- rounds ---- */

/* Offers the groups that grow from free nodes. */
static void grow_all(search *w, const state *s)
{
    const gsp_node_classes *k = &w->known->classes;
    uint32_t const most = w->g->n_nodes <= SMALL ? UINT32_MAX : MOST_PILOTS;
    w->growth.used = s->used;
    w->growth.n_free = w->n_free;
    w->growth.n_best = 0;
    for (uint32_t c = 0; c < k->n_classes; c++) {
        w->n_free[c] = count_free(k, s->used, c);
    }
    for (uint32_t c = k->n_classes; c > 0; c--) {
        uint32_t const begin = k->class_begin[c - 1u];
        uint32_t pilots = 0;
        for (uint32_t i = begin; i < k->class_begin[c] && pilots < most; i++) {
            uint32_t opened;
            if (w->growth.n_best != 0 && s->saved + w->growth.best[0].saved == s->most) {
                return;
            }
            if (s->used[k->nodes[i]]) {
                continue;
            }
            pilots++;
            opened = cli_growth_run(&w->growth, k->nodes[i], GSP_NONE);
            for (uint32_t first = 0; first < opened && w->g->n_nodes <= SMALL; first++) {
                (void)cli_growth_run(&w->growth, k->nodes[i], first);
            }
        }
    }
}

static void keep_best(search *w, const state *made)
{
    w->best.saved = made->saved;
    w->best.n = made->n;
    w->best.groups =
        (cli_group *)cli_grow(w->session, w->best.groups, made->n * sizeof *made->groups);
    memcpy(w->best.groups, made->groups, made->n * sizeof *made->groups);
}

/* Keeps a state if it is one of the `width` best and new. */
static void keep_state(search *w, state *list, uint32_t *n, uint32_t width, state *made)
{
    uint32_t at;
    for (at = 0; at < *n; at++) {
        if (list[at].mark == made->mark && list[at].saved == made->saved) {
            drop_state(w, made);
            return;
        }
    }
    if (made->saved > w->best.saved) {
        keep_best(w, made);
    }
    if (*n == width && made->saved + made->most <= list[width - 1u].saved + list[width - 1u].most) {
        drop_state(w, made);
        return;
    }
    at = *n < width ? (*n)++ : width - 1u;
    if (at == width - 1u && list[at].used != NULL) {
        drop_state(w, &list[at]);
    }
    for (; at > 0 && list[at - 1u].saved + list[at - 1u].most < made->saved + made->most; at--) {
        list[at] = list[at - 1u];
    }
    list[at] = *made;
}

/* Extends states by groups until none is left; `width` states and groups of each. */
static void search_width(search *w, const state *first, uint32_t width)
{
    state now[WIDEST];
    state later[WIDEST];
    uint32_t n = 1;
    now[0] = *first;
    while (n > 0) {
        uint32_t n_later = 0;
        memset(later, 0, sizeof later);
        for (uint32_t i = 0; i < n; i++) {
            if (now[i].most > w->best.saved && w->growth.work < w->growth.max_work) {
                w->growth.most_best = width + 3u;
                grow_all(w, &now[i]);
                for (uint32_t k = 0; k < w->growth.n_best; k++) {
                    cli_group group = w->growth.best[k];
                    if (fit(w, &now[i], &group)) {
                        state made = extend(w, &now[i], &group);
                        keep_state(w, later, &n_later, width, &made);
                    }
                }
            }
            if (now[i].n != 0) {
                drop_state(w, &now[i]);
            }
        }
        memcpy(now, later, sizeof now);
        n = n_later;
    }
}

/* ---- the groups as a table ---- */

typedef struct place {
    gsp_node key;
    uint32_t at;
} place;

static int by_key(const void *a, const void *b)
{
    gsp_node const x = ((const place *)a)->key;
    gsp_node const y = ((const place *)b)->key;
    return (x > y) - (x < y);
}

/* Columns by their last node, then rows by the node of the first column. */
static void put_group(cli_session *s, const cli_group *group, gsp_node *to)
{
    uint32_t const rows = group->rows;
    uint32_t const columns = group->columns;
    place *column = (place *)cli_alloc(s, columns, sizeof *column);
    place *row = (place *)cli_alloc(s, rows, sizeof *row);
    for (uint32_t c = 0; c < columns; c++) {
        column[c].at = c;
        for (uint32_t i = 0; i < rows; i++) {
            gsp_node const v = group->members[(size_t)i * columns + c];
            column[c].key = v > column[c].key ? v : column[c].key;
        }
    }
    qsort(column, columns, sizeof *column, by_key);
    for (uint32_t i = 0; i < rows; i++) {
        row[i].at = i;
        row[i].key = group->members[(size_t)i * columns + column[0].at];
    }
    qsort(row, rows, sizeof *row, by_key);
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t c = 0; c < columns; c++) {
            to[(size_t)i * columns + c] =
                group->members[(size_t)row[i].at * columns + column[c].at];
        }
    }
    cli_release(s, column);
    cli_release(s, row);
}

static void put_groups(search *w, gsp_regions *found)
{
    cli_session *s = w->session;
    const state *best = &w->best;
    found->n_groups = best->n;
    found->group_begin = (uint32_t *)cli_alloc(s, (size_t)best->n + 1u, sizeof(uint32_t));
    found->group_regions = (uint32_t *)cli_alloc(s, (size_t)best->n + 1u, sizeof(uint32_t));
    found->members = (gsp_node *)cli_alloc(s, w->g->n_nodes, sizeof(gsp_node));
    for (uint32_t i = 0; i < best->n; i++) {
        const cli_group *group = &best->groups[i];
        found->group_regions[i] = group->columns;
        found->group_begin[i + 1u] = found->group_begin[i] + group->rows * group->columns;
        put_group(s, group, found->members + found->group_begin[i]);
    }
}

/* Marks nodes that no group may have: those of no part, those that write values or are views, and
 * the values that these read; calls cannot replace them. */
static void close_nodes(const search *w, const uint32_t *part_of, uint8_t *used)
{
    const gsp_graph *g = w->g;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        used[v] |= part_of[v] == GSP_NONE ? 1u : 0u;
        if (gsp_node_attr(g, v, GSP_KEY_MUTATES).size != 0u ||
            gsp_node_attr(g, v, GSP_KEY_ALIAS).size != 0u) {
            used[v] = 1;
            while (n-- > 0) {
                used[in[n]] = 1;
            }
        }
    }
}

/* The group of the regions that calls of a subgraph replace, without regions in several parts. */
static cli_group group_of_calls(
    const search *w, const gsp_dedup_result *result, uint32_t subgraph, const uint32_t *part_of)
{
    const gsp_dedup_selection *a = &result->selection;
    const gsp_regions *r = &result->regions;
    uint32_t const of = a->group_of[subgraph];
    uint32_t const all = r->group_regions[of];
    const gsp_node *table = r->members + r->group_begin[of];
    uint32_t *column = (uint32_t *)cli_alloc(w->session, all, sizeof *column);
    cli_group group;
    uint32_t i;
    memset(&group, 0, sizeof group);
    group.rows = (r->group_begin[of + 1u] - r->group_begin[of]) / all;
    group.mark = of + 1u;
    for (uint32_t c = a->call_begin[subgraph]; c < a->call_begin[subgraph + 1u]; c++) {
        const gsp_node *at = table + a->region_of[c];
        for (i = 0; i < group.rows && part_of[at[(size_t)i * all]] == part_of[at[0]]; i++) {
        }
        if (i == group.rows && part_of[at[0]] != GSP_NONE) {
            column[group.columns++] = a->region_of[c];
        }
    }
    group.members = (gsp_node *)cli_alloc(
        w->session, (size_t)group.rows * group.columns + 1u, sizeof *group.members);
    for (i = 0; i < group.rows; i++) {
        for (uint32_t c = 0; c < group.columns; c++) {
            group.members[(size_t)i * group.columns + c] = table[(size_t)i * all + column[c]];
        }
    }
    group.saved = group.columns > 1u ? (uint64_t)group.rows * (group.columns - 1u) : 0u;
    cli_release(w->session, column);
    return group;
}

/* A state with the groups that calls replace in a result. */
static state with_calls(
    search *w, const state *first, const gsp_dedup_result *result, const uint32_t *part_of)
{
    state made = *first;
    for (uint32_t i = 0; i < result->selection.n_subgraphs; i++) {
        cli_group const group = group_of_calls(w, result, i, part_of);
        if (group.saved != 0) {
            made = extend(w, &made, &group);
        }
    }
    if (made.saved > w->best.saved) {
        keep_best(w, &made);
    }
    return made;
}

uint64_t cli_repeats_find(cli_session *s, const gsp_graph *g, const gsp_dedup_result *known,
    const uint32_t *part_of, gsp_regions *found)
{
    static const uint32_t widths[] = {1u, 6u, WIDEST};
    uint32_t *one = (uint32_t *)cli_alloc(s, g->n_nodes, sizeof *one);
    state first;
    search w;
    memset(&w, 0, sizeof w);
    memset(&first, 0, sizeof first);
    w.session = s;
    w.g = g;
    w.known = &known->regions;
    w.unit = (uint32_t *)cli_alloc(s, g->n_nodes, sizeof *w.unit);
    w.edges = (uint32_t *)cli_alloc(s, g->n_nodes, sizeof *w.edges);
    w.next = (uint32_t *)cli_alloc(s, g->n_nodes, sizeof *w.next);
    w.queue = (uint32_t *)cli_alloc(s, g->n_nodes, sizeof *w.queue);
    w.n_free =
        (uint32_t *)cli_alloc(s, (size_t)known->regions.classes.n_classes + 1u, sizeof *w.n_free);
    cli_growth_open(&w.growth, s, g, &known->regions, part_of != NULL ? part_of : one);
    w.growth.max_work = MOST_WORK;
    w.growth.best = (cli_group *)cli_alloc(s, WIDEST + 4u, sizeof *w.growth.best);
    list_successors(&w);
    first.used = (uint8_t *)cli_alloc(s, g->n_nodes, 1u);
    close_nodes(&w, part_of != NULL ? part_of : one, first.used);
    first.most = most_saved(&w, first.used);
    for (size_t i = 0; i < CLI_COUNT(widths) && w.best.saved < first.most; i++) {
        search_width(&w, &first, widths[i]);
    }
    if (w.best.saved < first.most) {
        w.growth.max_work = w.growth.work + MOST_WORK / 4u;
        first = with_calls(&w, &first, known, part_of != NULL ? part_of : one);
        search_width(&w, &first, 1u);
    }
    put_groups(&w, found);
    return w.best.saved;
}

/* ---- the pass ---- */

int cli_dedup_raise(gsp_dedup_desc *desc, const gsp_error *err)
{
    uint32_t twice = err->need < UINT32_MAX / 2u ? 2u * (uint32_t)err->need : UINT32_MAX;
    uint32_t *limit =
        err->detail == GSP_DETAIL_OUTPUTS ? &desc->max_outputs : &desc->max_dependences;
    if (err->status != GSP_STATUS_LIMIT || err->detail == GSP_DETAIL_WORK || *limit >= twice) {
        return 0;
    }
    *limit = twice;
    return 1;
}

gsp_status cli_dedup_run(cli_session *s, const gsp_graph *g, gsp_dedup_desc *desc,
    gsp_dedup_result *result, gsp_error *err)
{
    gsp_arena arena;
    do {
        cli_arena(s, &arena, gsp_dedup_bound(g, desc));
    } while (gsp_dedup_run(&arena, g, desc, result, err) != GSP_OK && cli_dedup_raise(desc, err));
    return err->status;
}
