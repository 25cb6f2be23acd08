/* The peak of the run against the bytes that cross between subgraphs, among the fewest of them. */
#include "commands/split/split.h"

#include <string.h>

#define MOST_POINTS 4096u
#define MOST_ROOM   ((uint32_t)1 << 23) /* tasks in the orders of all points */

/* ---- the graph as tasks ---- */

/* First and last phase of each call: that of its unit. */
static void find_windows(
    const split *p, const gsp_traffic_result *windows, uint32_t **early, uint32_t **late)
{
    uint32_t const n = p->graph.n_nodes;
    gsp_node v;
    *early = (uint32_t *)cli_alloc(p->session, (size_t)n + 1u, sizeof **early);
    *late = (uint32_t *)cli_alloc(p->session, (size_t)n + 1u, sizeof **late);
    for (v = 0; v < n; v++) {
        if (gsp_node_is_callable(&p->graph, v)) {
            (*early)[v] = windows->early[windows->unit[v]];
            (*late)[v] = windows->late[windows->unit[v]];
        }
    }
}

/* Which calls read what others make, unless both are of one unit; what crosses in any case. */
static void add_uses(split_tradeoff *t, const gsp_traffic_result *windows)
{
    const order_graph *w = &t->graph;
    cli_session *s = w->session;
    uint32_t const n = w->tasks.n_tasks;
    size_t const edges = gsp_graph_counts(w->g).edges;
    uint32_t *from = (uint32_t *)cli_alloc(s, edges + 1u, sizeof *from);
    uint32_t *to = (uint32_t *)cli_alloc(s, edges + 1u, sizeof *to);
    uint64_t *of = (uint64_t *)cli_alloc(s, (size_t)n + 1u, sizeof *of);
    size_t n_pairs = 0;
    gsp_node v;
    uint32_t i;
    for (v = 0; v < w->g->n_nodes; v++) {
        uint32_t n_users;
        const gsp_node *users = gsp_node_users(w->g, v, &n_users);
        uint64_t const bytes = gsp_node_is_callable(w->g, v) ? gsp_node_bytes(w->g, v) : 0u;
        size_t const before = n_pairs;
        int crosses = 0;
        for (i = 0; i < n_users && bytes != 0; i++) {
            gsp_node const user = users[i];
            if (gsp_node_is_callable(w->g, user) && windows->unit[user] != windows->unit[v]) {
                from[n_pairs] = w->tasks.task_of[v];
                to[n_pairs++] = w->tasks.task_of[user];
                crosses |= ((w->desc.early[user] ^ w->desc.early[v]) & 1u) != 0 ||
                           w->desc.early[user] > w->desc.late[v];
            }
        }
        if (n_pairs != before) {
            of[w->tasks.task_of[v]] = crosses ? 0u : bytes;
            t->desc.fixed += crosses ? bytes : 0u;
        }
    }
    cli_lists const uses = cli_lists_make(s, n, to, from, n_pairs, n);
    t->desc.bytes = of;
    t->desc.uses.begin = uses.begin;
    t->desc.uses.at = uses.at;
    cli_release(s, from);
    cli_release(s, to);
}

/* The groups of calls that run in one phase. */
static void add_groups(
    split_tradeoff *t, const gsp_split_result *whole, const gsp_traffic_result *windows)
{
    const order_graph *w = &t->graph;
    cli_session *s = w->session;
    size_t const n = w->g->n_nodes;
    uint32_t *number = (uint32_t *)cli_alloc(s, n + 1u, sizeof *number);
    uint32_t *group = (uint32_t *)cli_alloc(s, (size_t)w->tasks.n_tasks + 1u, sizeof *group);
    uint32_t n_groups = 0;
    gsp_node v;
    memset(group, 0xFF, w->tasks.n_tasks * sizeof *group);
    for (v = 0; v < n; v++) {
        if (gsp_node_is_callable(w->g, v) && whole->group[v] != GSP_NONE) {
            uint32_t *of = &number[windows->unit[v]];
            *of = *of == 0 ? ++n_groups : *of;
            group[w->tasks.task_of[v]] = *of - 1u;
        }
    }
    t->desc.group = group;
    cli_release(s, number);
}

gsp_status split_tradeoff_make(const split *p, const gsp_split_result *whole,
    const gsp_traffic_result *windows, split_tradeoff *t, gsp_error *err)
{
    uint32_t *early;
    uint32_t *late;
    gsp_status status;
    memset(t, 0, sizeof *t);
    find_windows(p, windows, &early, &late);
    t->graph.session = p->session;
    t->graph.g = &p->graph;
    t->graph.desc.n_phases = windows->n_phases;
    t->graph.desc.early = early;
    t->graph.desc.late = late;
    status = order_graph_make(&t->graph, err);
    if (status == GSP_OK) {
        uint32_t const most = MOST_ROOM / (t->graph.tasks.n_tasks + 1u) + 1u;
        t->desc.max_points = most < MOST_POINTS ? most : MOST_POINTS;
        add_uses(t, windows);
        add_groups(t, whole, windows);
    }
    return status;
}

/* ---- orders that are known ---- */

/* Calls by phase, in the order in which they are, with the changes between phases. */
static uint32_t *order_of(const split_tradeoff *t, const uint32_t *phase, const gsp_node *calls)
{
    const order_graph *w = &t->graph;
    uint32_t *order =
        (uint32_t *)cli_alloc(w->session, (size_t)w->tasks.n_tasks + 1u, sizeof *order);
    uint32_t *at = (uint32_t *)cli_alloc(w->session, (size_t)w->desc.n_phases + 2u, sizeof *at);
    uint32_t i;
    for (i = 0; i < w->tasks.n_calls; i++) {
        at[phase[w->tasks.nodes.at[w->tasks.nodes.begin[i]]] + 1u]++;
    }
    for (i = 0; i < w->desc.n_phases; i++) {
        at[i + 1u] += at[i] + 1u; /* and a change */
        if (i + 1u < w->desc.n_phases) {
            order[at[i + 1u] - 1u] = w->tasks.n_calls + i;
        }
    }
    for (i = 0; i < w->tasks.n_calls; i++) {
        gsp_node const v = calls != NULL ? calls[i] : w->tasks.nodes.at[w->tasks.nodes.begin[i]];
        order[at[phase[v]]++] = w->tasks.task_of[v];
    }
    cli_release(w->session, at);
    return order;
}

#define BEAM 64u
#define WORK ((uint64_t)1u << 20u)

/* Better orders in the same phases: what crosses stays. */
static const uint32_t *improve(
    const split_tradeoff *t, const uint32_t *phase, const uint32_t *order)
{
    order_graph w = {t->graph.session, t->graph.g, t->graph.desc, t->graph.tasks};
    gsp_least_peak_desc desc;
    gsp_least_peak_result r;
    memset(&desc, 0, sizeof desc);
    w.desc.early = w.desc.late = phase;
    desc.start = order;
    desc.beam = BEAM;
    desc.tries = 1;
    desc.max_work = WORK;
    return order_graph_make(&w, NULL) == GSP_OK && order_find(&w, &desc, &r) ? r.order : order;
}

static void add_start(split_tradeoff *t, const uint32_t *order)
{
    size_t const n = t->graph.tasks.n_tasks;
    size_t const end = t->desc.n_starts++ * n;
    t->starts =
        (uint32_t *)cli_grow(t->graph.session, t->starts, (end + n + 1u) * sizeof *t->starts);
    memcpy(t->starts + end, order, n * sizeof *order);
}

void split_tradeoff_try(
    split_tradeoff *t, const uint32_t *of, const uint32_t *unit, const gsp_node *calls)
{
    const order_graph *w = &t->graph;
    uint32_t *phase = (uint32_t *)cli_alloc(w->session, (size_t)w->g->n_nodes + 1u, sizeof *phase);
    const uint32_t *order;
    uint32_t i;
    for (i = 0; i < w->tasks.n_calls; i++) {
        gsp_node const v = w->tasks.nodes.at[w->tasks.nodes.begin[i]];
        phase[v] = of[unit != NULL ? unit[v] : v];
    }
    order = order_of(t, phase, calls);
    add_start(t, order);
    if (calls == NULL && w->tasks.earliest[w->tasks.n_calls - 1u] == 0) {
        add_start(t, improve(t, phase, order));
    }
}

void split_tradeoff_search(split_tradeoff *t, uint64_t max_work)
{
    cli_session *s = t->graph.session;
    gsp_arena arena;
    uint32_t i;
    t->desc.starts = t->starts;
    t->desc.max_work = max_work;
    cli_arena(s, &arena, gsp_tradeoff_bound(&t->graph.tasks, &t->desc));
    memset(&t->found, 0, sizeof t->found);
    t->found.best = GSP_NONE;
    t->desc.n_starts =
        gsp_tradeoff_run(&arena, &t->graph.tasks, &t->desc, &t->found, NULL) == GSP_OK
            ? 0u
            : t->desc.n_starts;
    t->points = (gsp_tradeoff_point *)cli_alloc(s, t->found.n_points + 1u, sizeof *t->points);
    for (i = 0; i < t->found.n_points; i++) {
        t->points[i] = t->found.points[i];
        add_start(t, t->found.points[i].order);
    }
    for (i = 0; i < t->found.n_points; i++) {
        t->points[i].order = t->starts + (size_t)i * t->graph.tasks.n_tasks;
    }
    t->found.points = t->points;
    cli_release(s, arena.base);
}

/* ---- the curve ---- */

#define MOST_NODES 2048u /* above them there is no curve */
#define FEW        64u   /* calls: as many get more work */

/* Whether calls may run in these phases. */
static int is_within(const split_tradeoff *t, const uint32_t *phase)
{
    const order_graph *w = &t->graph;
    uint32_t i;
    for (i = 0; i < w->tasks.n_calls; i++) {
        gsp_node const v = w->tasks.nodes.at[w->tasks.nodes.begin[i]];
        if (phase[v] < w->desc.early[v] || phase[v] > w->desc.late[v] ||
            ((phase[v] ^ w->desc.early[v]) & 1u) != 0) {
            return 0;
        }
    }
    return 1;
}

/* Searches the points of orders from one first kind: by weights, then all of them. */
static void find_points(const split *p, const split_windows *w, uint32_t i, split_tradeoff *t)
{
    static const uint64_t weights[4][2] = {{1, 0}, {4, 1}, {1, 4}, {0, 0}};
    const gsp_traffic_result *windows = &w->resident[i];
    uint32_t k;
    split_tradeoff_try(t, windows->early, windows->unit, NULL);
    split_tradeoff_try(t, windows->phase, NULL, NULL);
    split_tradeoff_try(t, windows->late, windows->unit, NULL);
    split_tradeoff_try(t, w->written[i].phase, NULL, NULL);
    if (p->desc.phase != NULL && is_within(t, p->desc.phase)) {
        split_tradeoff_try(t, p->desc.phase, NULL, NULL);
    }
    for (k = 0; k < CLI_COUNT(weights); k++) {
        t->desc.weight_peak = weights[k][0];
        t->desc.weight_crossed = weights[k][1];
        split_tradeoff_search(t, t->graph.tasks.n_calls <= FEW ? 8u * WORK : WORK);
        if (k == 0 && t->found.complete && t->found.n_points != 0) {
            t->desc.least_peak = t->points[0].peak;
        }
    }
}

/* Adds a point, unless another is as good; removes those that are not better. */
static void add_point(split_tradeoff_points *c, const gsp_tradeoff_point *point)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < c->n_points; i++) {
        if (c->points[i].peak <= point->peak && c->points[i].crossed <= point->crossed) {
            return;
        }
    }
    for (i = 0; i < c->n_points; i++) {
        if (c->points[i].peak < point->peak || c->points[i].crossed < point->crossed) {
            c->points[n++] = c->points[i];
        }
    }
    for (i = n; i > 0 && c->points[i - 1u].peak > point->peak; i--) {
        c->points[i] = c->points[i - 1u];
    }
    c->points[i] = *point;
    c->n_points = n + 1u;
}

int split_tradeoff_curve(const split *p, split_tradeoff_points *c)
{
    split q = *p;
    split_windows w;
    split_tradeoff t;
    uint32_t i;
    uint32_t k;
    memset(c, 0, sizeof *c);
    q.desc.phase = NULL;
    if (p->result.n_kinds != 2u || p->opt.plan != NULL || SPLIT_IS_TIMED(p) ||
        SPLIT_HAS_BLOCKS(p) || p->graph.n_nodes > MOST_NODES || p->result.n_subgraphs < 2u ||
        split_windows_find(&q, &w) != CLI_EXIT_OK) {
        return 0;
    }
    c->complete = 1;
    c->points = (gsp_tradeoff_point *)cli_alloc(p->session, 2u * MOST_POINTS, sizeof *c->points);
    for (i = 0; i < 2u && w.resident[i].n_phases != 0; i++) {
        if (split_tradeoff_make(p, &w.whole, &w.resident[i], &t, NULL) != GSP_OK) {
            return 0;
        }
        find_points(p, &w, i, &t);
        c->complete = c->complete && t.found.complete;
        for (k = 0; k < t.found.n_points; k++) {
            add_point(c, &t.points[k]);
        }
    }
    return c->n_points != 0;
}
