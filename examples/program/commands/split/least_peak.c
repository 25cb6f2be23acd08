/* --order least-peak: phases of calls, and an order within them, with the least peak of a run in
 * one memory, or with the least sum of that and of the bytes that cross, each times its weight. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <string.h>

#define MOST_WEIGHT 1000000u

typedef struct least_peak {
    split *p;
    gsp_traffic_result windows; /* the phases in which units may run */
    uint32_t *phase;            /* [n] of calls: the best so far */
    gsp_node *order;            /* [n] all calls, as they run in those */
    uint32_t n_order;
    uint64_t peak;
    uint64_t bound;
    uint64_t objective; /* UINT64_MAX: its peak is above that of the reference */
} least_peak;

/* Calls by phase; returns the peak of that order, UINT64_MAX if there is none. */
static uint64_t measure(const least_peak *l, const uint32_t *phase, gsp_node *order)
{
    const gsp_graph *g = &l->p->graph;
    uint32_t *at =
        (uint32_t *)cli_alloc(l->p->session, (size_t)l->windows.n_phases + 2u, sizeof *at);
    gsp_liveness_part peak;
    uint32_t n_order = 0;
    gsp_node v;
    uint32_t i;
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v)) {
            at[phase[v] + 1u]++;
            n_order++;
        }
    }
    for (i = 0; i < l->windows.n_phases; i++) {
        at[i + 1u] += at[i];
    }
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v)) {
            order[at[phase[v]]++] = v;
        }
    }
    cli_release(l->p->session, at);
    return split_peak_of(l->p, order, n_order, &peak, NULL) ? peak.bytes : UINT64_MAX;
}

/* Keeps phases if they are better; `of` gives that of a node, or of its unit. */
static void try_phases(least_peak *l, const uint32_t *of, int by_unit)
{
    uint32_t const n = l->p->graph.n_nodes;
    uint32_t *phase = (uint32_t *)cli_alloc(l->p->session, (size_t)n + 1u, sizeof *phase);
    gsp_node *order = (gsp_node *)cli_alloc(l->p->session, (size_t)n + 1u, sizeof *order);
    uint64_t peak;
    gsp_node v;
    for (v = 0; v < n; v++) {
        if (gsp_node_is_callable(&l->p->graph, v)) {
            phase[v] = of[by_unit ? l->windows.unit[v] : v];
        }
    }
    peak = measure(l, phase, order);
    if (l->phase == NULL || peak < l->peak) {
        l->phase = phase;
        l->order = order;
        l->peak = peak;
    }
}

/* ---- the order within phases, and other phases ---- */

/* The order of the best phases as tasks, with the changes between phases. */
static uint32_t *tasks_of(const least_peak *l, const order_graph *w)
{
    uint32_t *tasks =
        (uint32_t *)cli_alloc(l->p->session, (size_t)w->tasks.n_tasks + 1u, sizeof *tasks);
    uint32_t n = 0;
    uint32_t phase = 0;
    uint32_t i;
    for (i = 0; i < w->tasks.n_calls; i++) {
        gsp_node const v = l->order[i];
        while (phase < l->phase[v]) {
            tasks[n++] = w->tasks.n_calls + phase++;
        }
        tasks[n++] = w->tasks.task_of[v];
    }
    return tasks;
}

/* Phases and order of the tasks. */
static void take(least_peak *l, const order_graph *w, const uint32_t *tasks)
{
    uint32_t phase = 0;
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < w->tasks.n_tasks; i++) {
        if (tasks[i] >= w->tasks.n_calls) {
            phase++;
        } else {
            gsp_node const v = w->tasks.nodes.at[w->tasks.nodes.begin[tasks[i]]];
            l->phase[v] = phase;
            l->order[n++] = v;
        }
    }
}

/* Nodes of a group stay in one phase, as do all where nothing moves across barriers. */
static int search(least_peak *l, const gsp_split_result *whole)
{
    split *p = l->p;
    uint32_t const n = p->graph.n_nodes;
    uint32_t *early = (uint32_t *)cli_alloc(p->session, (size_t)n + 1u, sizeof *early);
    uint32_t *late = (uint32_t *)cli_alloc(p->session, (size_t)n + 1u, sizeof *late);
    order_graph w;
    gsp_least_peak_desc desc;
    gsp_least_peak_result r;
    gsp_error err;
    gsp_node v;
    uint32_t i;
    int free_choice = 1;
    memset(&w, 0, sizeof w);
    for (v = 0; v < n; v++) {
        if (gsp_node_is_callable(&p->graph, v)) {
            int const alone = whole->group[v] == GSP_NONE;
            early[v] = alone ? l->windows.early[v] : l->phase[v];
            late[v] = alone ? l->windows.late[v] : l->phase[v];
            free_choice = free_choice && alone;
        }
    }
    w.session = p->session;
    w.g = &p->graph;
    w.desc.n_phases = l->windows.n_phases;
    w.desc.early = early;
    w.desc.late = late;
    if (order_graph_make(&w, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    memset(&desc, 0, sizeof desc);
    desc.start = tasks_of(l, &w);
    desc.max_states = 1;
    (void)order_find(&w, &desc, &r);
    l->bound = r.lower_bound;
    for (i = 0; i < w.tasks.n_calls; i++) {
        if (w.tasks.earliest[i] != 0) {
            return CLI_EXIT_OK;
        }
    }
    (void)order_find_best(&w, &desc, &r);
    if (r.peak < l->peak) {
        l->peak = r.peak;
        take(l, &w, r.order);
    }
    l->bound = free_choice ? r.lower_bound : l->bound;
    return CLI_EXIT_OK;
}

/* ---- the graph in that order ---- */

static int reorder(least_peak *l)
{
    split *p = l->p;
    uint32_t const n = p->graph.n_nodes;
    uint32_t *phase = (uint32_t *)cli_alloc(p->session, (size_t)n + 1u, sizeof *phase);
    gsp_node *order;
    gsp_node v;
    int const code = split_reorder(p, l->order, &order);
    for (v = 0; v < n && code == CLI_EXIT_OK; v++) {
        phase[v] = l->phase[order[v]];
    }
    p->desc.phase = phase;
    return code;
}

/* The best order in these phases. */
static int search_in(
    split *p, const gsp_split_result *whole, const gsp_traffic_result *windows, least_peak *l)
{
    memset(l, 0, sizeof *l);
    l->p = p;
    l->windows = *windows;
    try_phases(l, windows->early, 1);
    try_phases(l, windows->phase, 0);
    try_phases(l, windows->late, 1);
    return search(l, whole);
}

/* ---- orders by both figures, with groups and barriers ---- */

#define FEW  64u                   /* calls: the least peak alone is searched here, too, */
#define WORK ((uint64_t)1u << 26u) /* with so much work; some seconds */
#define LESS ((uint64_t)1u << 22u)

static int search_both(least_peak *l, const split_windows *w, uint32_t i, uint64_t most_peak)
{
    split *p = l->p;
    const gsp_traffic_result *windows = &l->windows;
    split_tradeoff t;
    gsp_error err;
    if (split_tradeoff_make(p, &w->whole, windows, &t, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    l->objective = l->peak;
    if (p->opt.order == SPLIT_ORDER_LEAST_PEAK &&
        (l->peak == l->bound || t.graph.tasks.n_calls > FEW)) {
        return CLI_EXIT_OK;
    }
    t.desc.most_peak = most_peak;
    t.desc.weight_peak = p->weight[0];
    t.desc.weight_crossed = p->weight[1];
    t.desc.least_peak = l->bound;
    split_tradeoff_try(&t, l->phase, NULL, l->order);
    if (p->weight[1] != 0) {
        split_tradeoff_try(&t, windows->early, windows->unit, NULL);
        split_tradeoff_try(&t, windows->phase, NULL, NULL);
        split_tradeoff_try(&t, windows->late, windows->unit, NULL);
        split_tradeoff_try(&t, w->written[i].phase, NULL, NULL);
    }
    split_tradeoff_search(&t, t.graph.tasks.n_calls <= FEW ? WORK : LESS);
    l->objective = UINT64_MAX;
    l->bound = p->weight[0] * l->bound + p->weight[1] * t.desc.fixed;
    if (t.found.best != GSP_NONE) {
        const gsp_tradeoff_point *best = &t.points[t.found.best];
        l->objective = p->weight[0] * best->peak + p->weight[1] * best->crossed;
        l->bound = t.found.complete ? l->objective : l->bound;
        take(l, &t.graph, best->order);
    }
    return CLI_EXIT_OK;
}

uint64_t split_crossing(const gsp_graph *g, const gsp_split_result *r)
{
    uint64_t sum = 0;
    gsp_node v;
    uint32_t i;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(g, v, &n);
        uint32_t const own = r->subgraph_of[v];
        for (i = 0; i < n && (own == GSP_NONE || r->subgraph_of[users[i]] == own ||
                                 r->subgraph_of[users[i]] == GSP_NONE);
             i++) {
        }
        sum += i < n ? gsp_node_bytes(g, v) : 0u;
    }
    return sum;
}

/* Sums of products do not overflow. */
static int check_sizes(const split *p)
{
    uint64_t const weights = p->weight[0] + p->weight[1];
    uint64_t sum = p->proof.reference;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        sum = cli_add(sum, gsp_node_bytes(&p->graph, v));
    }
    return sum < UINT64_MAX / 2u / weights
               ? CLI_EXIT_OK
               : cli_error(p->session, GSP_STATUS_OVERFLOW, "sizes times --weights are too large");
}

/* What the split has without --order. */
static int measure_reference(split *p)
{
    split reference = *p;
    split_run_peaks peaks;
    gsp_error err;
    int const code = split_run(p, &p->desc, &reference.result);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (!split_run_peaks_make(&reference, &peaks, &err)) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    p->given = peaks.given;
    p->proof.what = p->opt.order == SPLIT_ORDER_SUM ? SPLIT_PROOF_SUM : SPLIT_PROOF_PEAK;
    p->proof.reference = peaks.run.bytes;
    p->proof.crossed = split_crossing(&p->graph, &reference.result);
    return check_sizes(p);
}

int split_least_peak_choose(split *p, const split_windows *w)
{
    least_peak best;
    uint64_t most_peak;
    uint32_t i;
    int code;
    if (p->weight[0] + p->weight[1] == 0) {
        p->weight[0] = 1;
        p->weight[1] = p->opt.order == SPLIT_ORDER_SUM ? 1u : 0u;
    }
    if ((code = measure_reference(p)) != CLI_EXIT_OK) {
        return code;
    }
    most_peak = p->proof.reference;
    p->proof.reference = p->weight[0] * most_peak + p->weight[1] * p->proof.crossed;
    p->proof.bound = UINT64_MAX;
    cli_progress(p->session, "searching an order");
    memset(&best, 0, sizeof best);
    best.p = p;
    for (i = 0; i < 2u && w->resident[i].n_phases != 0; i++) {
        least_peak l;
        if ((code = search_in(p, &w->whole, &w->resident[i], &l)) != CLI_EXIT_OK ||
            (code = search_both(&l, w, i, most_peak)) != CLI_EXIT_OK) {
            return code;
        }
        p->proof.bound = l.bound < p->proof.bound ? l.bound : p->proof.bound;
        best = i == 0 || l.objective < best.objective ? l : best;
    }
    return best.phase != NULL ? reorder(&best) : CLI_EXIT_OK;
}

/* The limit of --peak in bytes. */
static int read_limit(const split *p, uint64_t given, uint64_t *limit)
{
    gsp_str text = gsp_str_of(p->opt.peak);
    uint64_t percent;
    if (text.size > 1u && text.data[text.size - 1u] == '%') {
        text.size--;
        if (gsp_str_number(text, &percent) && percent <= UINT32_MAX) {
            *limit = given / 100u * percent + given % 100u * percent / 100u;
            return CLI_EXIT_OK;
        }
    } else if (cli_bytes_read(text, limit)) {
        return CLI_EXIT_OK;
    }
    return cli_usage_error(p->session,
        "--peak expects bytes such as 65536 or 64KiB, or a percentage such as 110%%, got '%s'",
        p->opt.peak);
}

int split_least_peak_check(split *p)
{
    int const sum = p->proof.what == SPLIT_PROOF_SUM;
    int const least = sum || p->proof.what == SPLIT_PROOF_PEAK;
    split_run_peaks peaks;
    gsp_error err;
    uint64_t limit = UINT64_MAX;
    int code = CLI_EXIT_OK;
    if (!least && p->opt.peak == NULL) {
        return CLI_EXIT_OK;
    }
    if (!split_run_peaks_make(p, &peaks, &err)) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    if (least) {
        p->proof.crossed = split_crossing(&p->graph, &p->result);
        p->proof.objective = p->weight[0] * peaks.run.bytes + p->weight[1] * p->proof.crossed;
    }
    if (p->opt.peak != NULL && (code = read_limit(p, peaks.given.bytes, &limit)) != CLI_EXIT_OK) {
        return code;
    }
    if (peaks.run.bytes <= limit) {
        return CLI_EXIT_OK;
    }
    if (!least || sum) {
        return cli_error(p->session, GSP_STATUS_NO_FIT,
            "the run needs %" PRIu64 " bytes at its peak, and --peak allows %" PRIu64 "%s",
            peaks.run.bytes, limit,
            p->opt.plan != NULL ? "" : "; --order least-peak searches an order that needs less");
    }
    return cli_error(p->session, GSP_STATUS_NO_FIT,
        "the run needs %" PRIu64 " bytes at its peak, and --peak allows %" PRIu64
        "; no order of as few subgraphs needs less than %" PRIu64,
        peaks.run.bytes, limit, p->proof.bound);
}

/* ---- weights ---- */

int split_weights_read(split *p)
{
    const char *given = p->opt.weights;
    const char *comma = given != NULL ? strchr(given, ',') : NULL;
    gsp_str text = gsp_str_of(given);
    gsp_str second = gsp_str_of(comma != NULL ? comma + 1 : "");
    if (given == NULL) {
        return CLI_EXIT_OK;
    }
    if (p->opt.order != SPLIT_ORDER_SUM) {
        return cli_usage_error(p->session, "--weights requires --order least-peak,traffic");
    }
    text.size = comma != NULL ? (uint32_t)(comma - text.data) : 0u;
    if (!gsp_str_number(text, &p->weight[0]) || !gsp_str_number(second, &p->weight[1]) ||
        p->weight[0] > MOST_WEIGHT || p->weight[1] > MOST_WEIGHT ||
        p->weight[0] + p->weight[1] == 0) {
        return cli_usage_error(p->session,
            "--weights expects two numbers up to 1000000, of the peak and of what crosses, such as "
            "2,1, got '%s'",
            given);
    }
    return CLI_EXIT_OK;
}
