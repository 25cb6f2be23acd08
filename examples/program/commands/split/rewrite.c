/* The figures of the operators to support next, and the call of the search. */
#include "commands/split/split.h"

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

/* The operators with unsupported nodes. */
static uint32_t *list_missing(const split *p, const split_facts *f, uint32_t *n_missing)
{
    uint32_t *missing =
        (uint32_t *)cli_alloc(p->session, (size_t)f->n_operators + 1u, sizeof *missing);
    uint32_t i;
    *n_missing = 0;
    for (i = 0; i < f->n_operators; i++) {
        if (f->operators[i].reasons[GSP_REASON_UNSUPPORTED] != 0) {
            missing[(*n_missing)++] = i;
        }
    }
    return missing;
}

void split_rewrite_make(const split *p, const split_facts *f, split_rewrite *r)
{
    int has_goal = p->opt.rewrite_to != UINT64_MAX;
    cli_trial_desc const desc = split_trial_of(p, f);
    cli_rewrite *search = &r->search;
    uint32_t n_missing;
    uint32_t *missing = list_missing(p, f, &n_missing);
    r->steps =
        (split_rewrite_step *)cli_alloc(p->session, (size_t)n_missing + 1u, sizeof *r->steps);
    cli_rewrite_open(search, p->session, &desc, missing, n_missing,
        has_goal ? (uint32_t)p->opt.rewrite_to : GSP_NONE);
    if (cli_rewrite_order(search, has_goal ? UINT64_MAX : SPLIT_TRIAL_WORK)) {
        while (cli_rewrite_step(search)) {
            split_rewrite_step *step = &r->steps[search->n_steps - 1u];
            step->op = missing[search->n_steps - 1u];
            measure_step(p, &search->trial.result, step);
        }
    }
    if (has_goal) {
        cli_rewrite_find(search);
    }
}
