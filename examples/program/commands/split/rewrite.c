/* The figures of the operators to support next, and the call of the search. */
#include "commands/split/split.h"

#include <string.h>

/* The time of a node on the accelerator less its time on the CPU. */
static int time_of_move(const gsp_graph *g, gsp_node v, double *saved)
{
    int known = gsp_node_attr(g, v, GSP_KEY_CPU).size != 0 &&
                gsp_node_attr(g, v, GSP_KEY_COMPUTE).size != 0;
    *saved +=
        known ? gsp_node_seconds(g, v, GSP_KEY_CPU) - gsp_node_seconds(g, v, GSP_KEY_COMPUTE) : 0.0;
    return known;
}

/* Where no node has both times, none is saved as far as is known. */
static int has_times(const gsp_graph *g)
{
    double ignored = 0.0;
    gsp_node v = 0;
    while (v < g->n_nodes && !time_of_move(g, v, &ignored)) {
        v++;
    }
    return v < g->n_nodes;
}

/* The figures of a step from its split. */
static void measure_step(const split *p, const gsp_split_result *result, split_rewrite_step *step)
{
    split after = *p;
    split_facts facts;
    gsp_node v;
    after.result = *result;
    split_facts_make(&after, &facts);
    step->subgraphs = after.result.n_subgraphs;
    step->on_acc = facts.nodes.on_acc;
    step->bytes = facts.boundary_bytes;
    step->is_timed = has_times(&p->graph);
    step->cpu_saved = 0.0;
    for (v = 0; v < p->graph.n_nodes; v++) {
        if (split_kind_of(p, v) == GSP_KIND_CPU && split_kind_of(&after, v) != GSP_KIND_CPU) {
            step->is_timed &= time_of_move(&p->graph, v, &step->cpu_saved);
        }
    }
}

static int show_progress(void *user, uint64_t work)
{
    (void)work;
    cli_progress((cli_session *)user, "searching operators to support");
    return 0;
}

/* Without an answer, none is known but that no operators are needed. */
static void find(const split *p, const split_facts *f, const split_trial *t, split_rewrite *r)
{
    gsp_operators_desc desc = t->desc;
    gsp_arena arena;
    int const has_goal = r->goal != GSP_NONE;
    desc.max_subgraphs = has_goal ? r->goal : 0u;
    desc.min_nodes = r->goal == 0 ? (uint32_t)f->nodes.all : 0u;
    desc.max_work = has_goal ? 0u : SPLIT_TRIAL_WORK;
    desc.progress = show_progress;
    desc.progress_user = p->session;
    cli_arena(p->session, &arena, gsp_operators_bound(&p->graph, &desc));
    if (gsp_operators_run(&arena, &p->graph, &desc, &r->least, NULL) != GSP_OK) {
        int const reached =
            r->goal == 0 ? f->nodes.on_acc == f->nodes.all : p->result.n_subgraphs <= r->goal;
        memset(&r->least, 0, sizeof r->least);
        r->least.proved = reached ? 1u : 0u;
        r->least.n_least = r->least.n_greedy = reached ? 0u : GSP_NONE;
    }
}

void split_rewrite_make(const split *p, const split_facts *f, split_rewrite *r)
{
    split_trial t;
    gsp_split_result result;
    memset(r, 0, sizeof *r);
    r->goal = p->opt.rewrite_to != UINT64_MAX ? (uint32_t)p->opt.rewrite_to : GSP_NONE;
    split_trial_open(p, f, &t);
    find(p, f, &t, r);
    r->steps =
        (split_rewrite_step *)cli_alloc(p->session, (size_t)r->least.n + 1u, sizeof *r->steps);
    while (r->least.ordered && r->n_steps < r->least.n &&
           split_trial_run(&t, r->least.order, r->n_steps + 1u, &result)) {
        split_rewrite_step *step = &r->steps[r->n_steps];
        step->op = r->least.order[r->n_steps++];
        measure_step(p, &result, step);
    }
}
