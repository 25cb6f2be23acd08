/* The order in which to support operators, and the fewest that reach a goal.
 *
 * The order is made backwards: of all operators, the last is the one that the accelerator can best
 * do without: the fewest subgraphs remain, then the most nodes on the accelerator. The least set is
 * searched by size: all sets of one operator, of two, and so on. A branch ends when no set within
 * it can reach the goal. The kinds of most nodes are the same for all sets of a branch: those of
 * the smallest set that are on the accelerator, and those of the largest that are on the CPU. With
 * a free choice for the other nodes, the phases that these kinds force are a lower bound on the
 * subgraphs.
 */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define SEARCH_WORK 40000000u /* node visits of all trials, for the order and for the search */
#define FREE        2u

static uint64_t visits(const cli_rewrite *w)
{
    return (uint64_t)w->trial.given.graph->n_nodes + 1u;
}

static int run_trial(cli_rewrite *w)
{
    w->work += visits(w);
    return cli_trial_run(&w->trial);
}

static void support_none(cli_rewrite *w)
{
    memset(w->trial.supported, 0, w->trial.given.n_operators);
}

static uint32_t count_on_acc(const cli_rewrite *w)
{
    const gsp_split_result *result = &w->trial.result;
    uint32_t count = 0;
    for (gsp_node v = 0; v < result->n_nodes; v++) {
        uint32_t s = result->subgraph_of[v];
        count += s != GSP_NONE && result->subgraph_kind[s] != GSP_KIND_CPU ? 1u : 0u;
    }
    return count;
}

static int reaches_goal(const cli_rewrite *w)
{
    return w->goal == 0 ? count_on_acc(w) == w->n_called : w->trial.result.n_subgraphs <= w->goal;
}

void cli_rewrite_open(cli_rewrite *w, struct cli_session *s, const cli_trial_desc *desc,
    uint32_t *missing, uint32_t n_missing, uint32_t goal)
{
    uint32_t n_nodes = desc->graph->n_nodes;
    memset(w, 0, sizeof *w);
    w->session = s;
    w->missing = missing;
    w->n_missing = n_missing;
    w->goal = goal;
    w->greedy = w->n_least = GSP_NONE;
    for (gsp_node v = 0; v < n_nodes; v++) {
        w->n_called += desc->operator_of[v] != GSP_NONE ? 1u : 0u;
    }
    cli_trial_open(&w->trial, s, desc);
    if (goal != GSP_NONE) {
        w->least = (uint32_t *)cli_alloc(s, (size_t)n_missing + 1u, sizeof *w->least);
        w->pick = (uint32_t *)cli_alloc(s, (size_t)n_missing + 1u, sizeof *w->pick);
        w->kind = (uint8_t *)cli_alloc(s, n_nodes, 1u);
        w->phase = (uint32_t *)cli_alloc(s, n_nodes, sizeof *w->phase);
    }
}

/* ---- the order ---- */

/* Of the missing operators up to `last`, the one that the accelerator can best do without becomes
 * the one at `last`, and is no longer supported. Returns 0 if no split is possible. */
static int choose_last(cli_rewrite *w, uint32_t last)
{
    uint32_t best = GSP_NONE;
    uint32_t fewest = GSP_NONE;
    uint32_t most = 0;
    uint32_t op;
    for (uint32_t i = 0; i <= last; i++) {
        w->trial.supported[w->missing[i]] = 0;
        if (run_trial(w)) {
            uint32_t subgraphs = w->trial.result.n_subgraphs;
            uint32_t on_acc = count_on_acc(w);
            if (subgraphs < fewest || (subgraphs == fewest && on_acc >= most)) {
                best = i;
                fewest = subgraphs;
                most = on_acc;
            }
        }
        w->trial.supported[w->missing[i]] = 1;
    }
    if (best == GSP_NONE) {
        return 0;
    }
    op = w->missing[best];
    memmove(&w->missing[best], &w->missing[best + 1u], (last - best) * sizeof op);
    w->missing[last] = op;
    w->trial.supported[op] = 0;
    return 1;
}

/* Orders the operators backwards, from all of them to none. */
static int order_missing(cli_rewrite *w)
{
    for (uint32_t i = 0; i < w->n_missing; i++) {
        w->trial.supported[w->missing[i]] = 1;
    }
    for (uint32_t i = w->n_missing; i > 0; i--) {
        cli_progress(w->session, "ordering operators");
        if (w->work > SEARCH_WORK || !choose_last(w, i - 1u)) {
            support_none(w);
            return 0;
        }
    }
    return 1;
}

int cli_rewrite_order(cli_rewrite *w, uint64_t max_work)
{
    uint64_t trials = (uint64_t)w->n_missing * (w->n_missing + 1u) / 2u;
    return trials * visits(w) <= max_work && order_missing(w);
}

int cli_rewrite_step(cli_rewrite *w)
{
    if (w->n_steps < w->n_missing) {
        w->trial.supported[w->missing[w->n_steps]] = 1;
        if (run_trial(w)) {
            w->n_steps++;
            if (w->goal != GSP_NONE && w->greedy == GSP_NONE && reaches_goal(w)) {
                w->greedy = w->n_steps;
            }
            return 1;
        }
    }
    support_none(w);
    return 0;
}

/* ---- the least set ---- */

/* Below these options a subgraph is a phase; with others the bound does not hold. */
static int is_bounded(const gsp_split_desc *d)
{
    return d->placement->n_kinds == 2u && d->min_size <= 1u && d->max_size == 0 &&
           !d->move_non_tensor;
}

/* The phases that the fixed kinds force when the first phase has kind `start`. */
static uint32_t least_phases(cli_rewrite *w, uint32_t start)
{
    const gsp_graph *g = w->trial.given.graph;
    uint32_t last = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t kind = w->kind[v];
        uint32_t odd = kind != start ? 1u : 0u;
        uint32_t n;
        const gsp_node *in = cli_before(g, v, &n);
        if (kind == GSP_KIND_NONE) {
            continue;
        }
        w->phase[v] = kind == FREE ? 0u : odd;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t least = w->kind[in[i]] == GSP_KIND_NONE ? 0u : w->phase[in[i]];
            least += kind != FREE && (least & 1u) != odd ? 1u : 0u;
            w->phase[v] = w->phase[v] > least ? w->phase[v] : least;
        }
        last = w->phase[v] > last ? w->phase[v] : last;
    }
    return last + 1u;
}

/* Whether no set reaches the goal that holds the picked operators and some from `next` on. */
static int is_hopeless(cli_rewrite *w, uint32_t next)
{
    int done;
    if (w->goal == 0 || !is_bounded(&w->trial.desc) || !run_trial(w)) {
        return 0;
    }
    memcpy(w->kind, w->trial.result.kind, w->trial.given.graph->n_nodes);
    for (uint32_t i = next; i < w->n_missing; i++) {
        w->trial.supported[w->missing[i]] = 1;
    }
    done = run_trial(w);
    for (uint32_t i = next; i < w->n_missing; i++) {
        w->trial.supported[w->missing[i]] = 0;
    }
    if (!done) {
        return 0;
    }
    for (gsp_node v = 0; v < w->trial.given.graph->n_nodes; v++) {
        w->kind[v] = w->kind[v] == w->trial.result.kind[v] ? w->kind[v] : FREE;
    }
    return least_phases(w, GSP_KIND_CPU) > w->goal && least_phases(w, 1u) > w->goal;
}

/* Replaces the pick at `depth` by the next one. */
static void advance(cli_rewrite *w, uint32_t depth)
{
    w->trial.supported[w->missing[w->pick[depth]]] = 0;
    w->pick[depth]++;
}

/* All sets of `size` operators in lexicographic order, until one reaches the goal. Returns 1 when
 * one does, 0 when none does, -1 when the work ends before. */
static int search_size(cli_rewrite *w, uint32_t size)
{
    uint32_t depth = 0;
    w->pick[0] = 0;
    while (w->work <= SEARCH_WORK) {
        int is_last = depth + 1u == size;
        cli_progress(w->session, "searching the fewest operators");
        if (w->pick[depth] > w->n_missing - (size - depth) ||
            (!is_last && is_hopeless(w, w->pick[depth]))) {
            if (depth == 0) {
                return 0;
            }
            advance(w, --depth);
            continue;
        }
        w->trial.supported[w->missing[w->pick[depth]]] = 1;
        if (!is_last) {
            w->pick[depth + 1u] = w->pick[depth] + 1u;
            depth++;
        } else if (run_trial(w) && reaches_goal(w)) {
            return 1;
        } else {
            advance(w, depth);
        }
    }
    return -1;
}

static void keep_least(cli_rewrite *w, uint32_t n, const uint32_t *places)
{
    w->n_least = n;
    for (uint32_t i = 0; i < n; i++) {
        w->least[i] = w->missing[places != NULL ? places[i] : i];
    }
}

void cli_rewrite_find(cli_rewrite *w)
{
    uint32_t most = w->greedy != GSP_NONE ? w->greedy - 1u : w->n_missing;
    int found = 0;
    w->work = 0;
    if (run_trial(w) && reaches_goal(w)) { /* as it is now */
        keep_least(w, 0, NULL);
        w->is_proved = 1;
        return;
    }
    w->bound = w->goal == 0 && w->n_missing > 0 ? w->n_missing : 1u;
    for (; w->bound <= most && found == 0; w->bound += found == 0 ? 1u : 0u) {
        found = search_size(w, w->bound);
    }
    w->is_proved = found >= 0;
    if (found > 0) {
        keep_least(w, w->bound, w->pick);
    } else if (w->greedy != GSP_NONE) {
        keep_least(w, w->greedy, NULL);
    }
}
