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
#include "commands/split/split.h"

#include <string.h>

/* Node visits of all trials for the steps, and for the search. */
#define STEP_WORK   SPLIT_TRIAL_WORK
#define SEARCH_WORK 40000000u

typedef struct rewriter {
    const split *p;
    const split_facts *f;
    split_rewrite *r;
    split_trial trial;
    uint32_t *missing; /* [n_missing] operators, in the order of the steps */
    uint32_t *pick;    /* [n_missing] places in missing, ascending */
    uint8_t *kind;     /* [n_nodes] of a branch: CPU, accelerator, FREE or GSP_KIND_NONE */
    uint32_t *phase;   /* [n_nodes] */
    uint64_t work;
} rewriter;

#define FREE 2u

static int run_trial(rewriter *w)
{
    w->work += (uint64_t)w->p->graph.n_nodes + 1u;
    return split_trial_run(w->p, w->f, &w->trial);
}

static uint32_t count_on_acc(const rewriter *w)
{
    const gsp_split_result *result = &w->trial.result;
    uint32_t count = 0;
    gsp_node v;
    for (v = 0; v < result->n_nodes; v++) {
        uint32_t s = result->subgraph_of[v];
        count += s != GSP_NONE && result->subgraph_kind[s] != GSP_KIND_CPU ? 1u : 0u;
    }
    return count;
}

static int reaches_goal(const rewriter *w)
{
    return w->r->goal == 0 ? count_on_acc(w) == w->f->nodes.all
                           : w->trial.result.n_subgraphs <= w->r->goal;
}

/* ---- steps ---- */

/* The time of a node on the accelerator less its time on the CPU. */
static int time_of_move(const gsp_graph *g, gsp_node v, double *saved)
{
    int known = gsp_node_attr(g, v, GSP_KEY_CPU).size != 0 &&
                gsp_node_attr(g, v, GSP_KEY_COMPUTE).size != 0;
    *saved +=
        known ? gsp_node_seconds(g, v, GSP_KEY_CPU) - gsp_node_seconds(g, v, GSP_KEY_COMPUTE) : 0.0;
    return known;
}

/* The figures of the last trial, whose set is now the step's. */
static void measure_step(const rewriter *w, split_rewrite_step *step)
{
    split after = *w->p;
    split_facts facts;
    gsp_node v;
    after.result = w->trial.result;
    split_facts_make(&after, &facts);
    step->subgraphs = after.result.n_subgraphs;
    step->on_acc = facts.nodes.on_acc;
    step->bytes = facts.boundary_bytes;
    step->is_timed = 1;
    step->cpu_saved = 0.0;
    for (v = 0; v < w->p->graph.n_nodes; v++) {
        if (split_kind_of(w->p, v) == GSP_KIND_CPU && split_kind_of(&after, v) != GSP_KIND_CPU) {
            step->is_timed &= time_of_move(&w->p->graph, v, &step->cpu_saved);
        }
    }
}

/* Of the missing operators up to `last`, the one that the accelerator can best do without becomes
 * the one at `last`, and is no longer supported. Returns 0 if no split is possible. */
static int choose_last(rewriter *w, uint32_t last)
{
    uint32_t best = GSP_NONE;
    uint32_t fewest = GSP_NONE;
    uint32_t most = 0;
    uint32_t op;
    uint32_t i;
    for (i = 0; i <= last; i++) {
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
static int order_missing(rewriter *w)
{
    uint32_t i;
    for (i = 0; i < w->r->n_missing; i++) {
        w->trial.supported[w->missing[i]] = 1;
    }
    for (i = w->r->n_missing; i > 0; i--) {
        cli_progress(w->p->session, "ordering operators");
        if (w->work > SEARCH_WORK || !choose_last(w, i - 1u)) {
            memset(w->trial.supported, 0, w->f->n_operators);
            return 0;
        }
    }
    return 1;
}

static void make_steps(rewriter *w)
{
    split_rewrite *r = w->r;
    uint64_t trials = (uint64_t)r->n_missing * (r->n_missing + 1u) / 2u;
    if ((trials * ((uint64_t)w->p->graph.n_nodes + 1u) > STEP_WORK &&
            w->p->opt.rewrite_to == UINT64_MAX) ||
        !order_missing(w)) {
        return;
    }
    while (r->n_steps < r->n_missing) {
        split_rewrite_step *step = &r->steps[r->n_steps];
        step->op = w->missing[r->n_steps];
        w->trial.supported[step->op] = 1;
        if (!run_trial(w)) {
            break;
        }
        measure_step(w, step);
        r->n_steps++;
        if (r->goal != GSP_NONE && r->greedy == GSP_NONE && reaches_goal(w)) {
            r->greedy = r->n_steps;
        }
    }
    memset(w->trial.supported, 0, w->f->n_operators);
}

/* ---- the least set ---- */

/* Below these options a subgraph is a phase; with others the bound does not hold. */
static int is_bounded(const gsp_split_desc *d)
{
    return d->placement->n_kinds == 2u && d->min_size <= 1u && d->max_size == 0 &&
           !d->move_non_tensor;
}

/* The phases that the fixed kinds force when the first phase has kind `start`. */
static uint32_t least_phases(rewriter *w, uint32_t start)
{
    const gsp_graph *g = &w->p->graph;
    uint32_t last = 0;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t kind = w->kind[v];
        uint32_t odd = kind != start ? 1u : 0u;
        uint32_t n;
        const gsp_node *in = cli_before(g, v, &n);
        uint32_t i;
        if (kind == GSP_KIND_NONE) {
            continue;
        }
        w->phase[v] = kind == FREE ? 0u : odd;
        for (i = 0; i < n; i++) {
            uint32_t least = w->kind[in[i]] == GSP_KIND_NONE ? 0u : w->phase[in[i]];
            least += kind != FREE && (least & 1u) != odd ? 1u : 0u;
            w->phase[v] = w->phase[v] > least ? w->phase[v] : least;
        }
        last = w->phase[v] > last ? w->phase[v] : last;
    }
    return last + 1u;
}

/* Whether no set reaches the goal that holds the picked operators and some from `next` on. */
static int is_hopeless(rewriter *w, uint32_t next)
{
    uint32_t i;
    gsp_node v;
    int done;
    if (w->r->goal == 0 || !is_bounded(&w->trial.desc) || !run_trial(w)) {
        return 0;
    }
    memcpy(w->kind, w->trial.result.kind, w->p->graph.n_nodes);
    for (i = next; i < w->r->n_missing; i++) {
        w->trial.supported[w->missing[i]] = 1;
    }
    done = run_trial(w);
    for (i = next; i < w->r->n_missing; i++) {
        w->trial.supported[w->missing[i]] = 0;
    }
    if (!done) {
        return 0;
    }
    for (v = 0; v < w->p->graph.n_nodes; v++) {
        w->kind[v] = w->kind[v] == w->trial.result.kind[v] ? w->kind[v] : FREE;
    }
    return least_phases(w, GSP_KIND_CPU) > w->r->goal && least_phases(w, 1u) > w->r->goal;
}

/* Replaces the pick at `depth` by the next one. */
static void advance(rewriter *w, uint32_t depth)
{
    w->trial.supported[w->missing[w->pick[depth]]] = 0;
    w->pick[depth]++;
}

/* All sets of `size` operators in lexicographic order, until one reaches the goal. Returns 1 when
 * one does, 0 when none does, -1 when the work ends before. */
static int search_size(rewriter *w, uint32_t size)
{
    uint32_t depth = 0;
    w->pick[0] = 0;
    while (w->work <= SEARCH_WORK) {
        int is_last = depth + 1u == size;
        cli_progress(w->p->session, "searching the fewest operators");
        if (w->pick[depth] > w->r->n_missing - (size - depth) ||
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

static void keep_least(rewriter *w, uint32_t n, const uint32_t *places)
{
    uint32_t i;
    w->r->n_least = n;
    for (i = 0; i < n; i++) {
        w->r->least[i] = w->missing[places != NULL ? places[i] : i];
    }
}

static void find_least(rewriter *w)
{
    split_rewrite *r = w->r;
    uint32_t most = r->greedy != GSP_NONE ? r->greedy - 1u : r->n_missing;
    int found = 0;
    w->work = 0;
    if (run_trial(w) && reaches_goal(w)) { /* as it is now */
        keep_least(w, 0, NULL);
        r->is_proved = 1;
        return;
    }
    r->bound = r->goal == 0 && r->n_missing > 0 ? r->n_missing : 1u;
    for (; r->bound <= most && found == 0; r->bound += found == 0 ? 1u : 0u) {
        found = search_size(w, r->bound);
    }
    r->is_proved = found >= 0;
    if (found > 0) {
        keep_least(w, r->bound, w->pick);
    } else if (r->greedy != GSP_NONE) {
        keep_least(w, r->greedy, NULL);
    }
}

void split_rewrite_make(const split *p, const split_facts *f, split_rewrite *r)
{
    rewriter w;
    uint32_t i;
    memset(r, 0, sizeof *r);
    memset(&w, 0, sizeof w);
    w.p = p;
    w.f = f;
    w.r = r;
    w.missing = (uint32_t *)cli_alloc(p->session, (size_t)f->n_operators + 1u, sizeof *w.missing);
    for (i = 0; i < f->n_operators; i++) {
        if (f->operators[i].reasons[GSP_REASON_UNSUPPORTED] != 0) {
            w.missing[r->n_missing++] = i;
        }
    }
    r->steps =
        (split_rewrite_step *)cli_alloc(p->session, (size_t)r->n_missing + 1u, sizeof *r->steps);
    r->goal = (uint32_t)(p->opt.rewrite_to < GSP_NONE ? p->opt.rewrite_to : GSP_NONE);
    r->greedy = r->n_least = GSP_NONE;
    split_trial_init(p, f, &w.trial);
    make_steps(&w);
    if (r->goal != GSP_NONE) {
        w.pick = (uint32_t *)cli_alloc(p->session, (size_t)r->n_missing + 1u, sizeof *w.pick);
        w.kind = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
        w.phase = (uint32_t *)cli_alloc(p->session, p->graph.n_nodes, sizeof *w.phase);
        r->least = (uint32_t *)cli_alloc(p->session, (size_t)r->n_missing + 1u, sizeof *r->least);
        find_least(&w);
    }
}
