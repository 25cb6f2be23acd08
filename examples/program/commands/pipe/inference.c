/* The memory of stages without a backward part: parameters and the peak of live bytes of a
 * microbatch; with a schedule, inputs that wait, too. */
#include "commands/pipe/pipe.h"

#include <string.h>

/* A backward part whose groups are kept shares the devices of its forward part, and trains. */
static int has_backward(const pipe_job *p)
{
    gsp_node v = 0;
    while (v < p->graph.n_nodes && !cli_is_backward(&p->graph, v)) {
        v++;
    }
    return p->opt.keep_groups && v < p->graph.n_nodes;
}

int pipe_infers(const pipe_job *p)
{
    return p->plan.optimal_desc.model.microbatches == 0 && !p->plan.search.own_bytes &&
           !has_backward(p);
}

static uint64_t copies_of(const pipe_job *p)
{
    return p->opt.copies != 0 ? p->opt.copies : 1u;
}

/* Bytes of values that pass through a stage, which does not read them, to a later one. */
static void add_carried(const pipe_job *p, uint32_t n, const uint32_t *stage_of, cli_need *needs)
{
    uint32_t *reads = (uint32_t *)cli_alloc(p->session, (size_t)n + 1u, sizeof *reads);
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t const from = stage_of[v];
        uint32_t last = 0;
        uint32_t n_users;
        const gsp_node *users = gsp_node_users(&p->graph, v, &n_users);
        while (from != GSP_NONE && n_users > 0) {
            uint32_t const to = stage_of[users[--n_users]];
            if (to != GSP_NONE) {
                reads[to] = v + 1u;
                last = to > last ? to : last;
            }
        }
        for (uint32_t s = from + 1u; from != GSP_NONE && s < last; s++) {
            needs[s].peak =
                cli_add(needs[s].peak, reads[s] != v + 1u ? gsp_node_bytes(&p->graph, v) : 0u);
        }
    }
    cli_release(p->session, reads);
}

/* The needs of n stages. Returns the largest, UINT64_MAX if live values are not known. */
static uint64_t measure(const pipe_job *p, uint32_t n, const uint32_t *stage_of, cli_need *needs)
{
    size_t const nodes = (size_t)p->graph.n_nodes + 1u;
    uint32_t *part_of = (uint32_t *)cli_alloc(p->session, nodes, sizeof *part_of);
    uint64_t most = 0;
    gsp_error err;
    gsp_status status;
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        part_of[v] = stage_of[v] != GSP_NONE ? stage_of[v] : n; /* markers */
    }
    status = cli_need_measure(p->session, &p->graph, part_of, n + 1u, n, needs, &err);
    cli_release(p->session, part_of);
    if (status != GSP_OK) {
        return UINT64_MAX;
    }
    if (p->opt.carried) {
        add_carried(p, n, stage_of, needs);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t const params = needs[i].params;
        needs[i].params = params > UINT64_MAX / copies_of(p) ? UINT64_MAX : params * copies_of(p);
        most = cli_need_at_once(&needs[i]) > most ? cli_need_at_once(&needs[i]) : most;
    }
    return most;
}

/* ---- stages ---- */

static uint64_t memory_of(const pipe_job *p)
{
    const gsp_stages_optimal_desc *d = &p->plan.optimal_desc;
    return d->memory != 0 ? d->memory / (d->n_chunks != 0 ? d->n_chunks : 1u) : UINT64_MAX;
}

static int by_bytes(const pipe_job *p)
{
    return p->plan.optimal_desc.goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES;
}

int pipe_inference_limits(const pipe_job *p)
{
    return pipe_infers(p) && (by_bytes(p) || memory_of(p) != UINT64_MAX);
}

uint64_t pipe_inference_peak(const pipe_job *p, const uint32_t *stage_of)
{
    cli_need needs[3];
    return measure(p, 3, stage_of, needs) != UINT64_MAX ? needs[1].peak : UINT64_MAX;
}

/* The largest need of a plan; UINT64_MAX if there is none, or it is not known. */
static uint64_t need_of(const pipe_job *p, uint32_t n, const uint32_t *stage_of)
{
    cli_need *needs = (cli_need *)cli_alloc(p->session, (size_t)n + 1u, sizeof *needs);
    uint64_t const most = stage_of != NULL ? measure(p, n, stage_of, needs) : UINT64_MAX;
    cli_release(p->session, needs);
    return most;
}

int pipe_inference_has_room(
    const pipe_job *p, uint32_t n, const uint32_t *stage_of, const uint32_t *n_devices)
{
    cli_need *needs = (cli_need *)cli_alloc(p->session, (size_t)n + 1u, sizeof *needs);
    uint64_t most = measure(p, n, stage_of, needs) != UINT64_MAX ? 0u : UINT64_MAX;
    for (uint32_t i = 0; i < n && most != UINT64_MAX; i++) {
        uint64_t const need = n_devices[i] != 0 ? cli_need_at_once(&needs[i]) : 0u;
        most = need > most ? need : most;
    }
    cli_release(p->session, needs);
    return most <= memory_of(p);
}

static void search(const pipe_job *p, cli_inference_result *r)
{
    const gsp_stages_optimal_desc *o = &p->plan.optimal_desc;
    cli_inference_desc d;
    memset(&d, 0, sizeof d);
    d.session = p->session;
    d.graph = &p->graph;
    d.costs = &p->plan.costs;
    d.group = p->opt.keep_groups ? cli_groups(p->session, &p->graph) : NULL;
    d.marker = p->opt.marker;
    d.n_stages = p->policy.n_stages;
    d.by_bytes = (uint32_t)by_bytes(p);
    d.copies = copies_of(p);
    d.memory = memory_of(p);
    d.first_time = o->model.first_time;
    d.last_time = o->model.last_time;
    cli_inference_run(&d, r);
}

/* The time of the slowest stage. */
static uint64_t slowest_of(pipe_job *p, const cli_inference_result *r)
{
    gsp_stage_costs_desc d;
    gsp_stage_costs_result costs;
    gsp_arena arena;
    gsp_error err;
    uint64_t time = UINT64_MAX;
    memset(&d, 0, sizeof d);
    d.n_stages = r->n_stages;
    d.stage_of = r->stage_of;
    d.model = p->plan.optimal_desc.model;
    cli_arena(p->session, &arena, gsp_stage_costs_bound(&p->graph, &d));
    if (gsp_stage_costs_run(&arena, &p->graph, &d, &costs, &err) == GSP_OK && costs.n_stages != 0) {
        time = costs.stages[costs.slowest].time;
    }
    cli_release(p->session, arena.base);
    return time;
}

static gsp_status refuse(const pipe_job *p, const cli_inference_result *r, gsp_error *err)
{
    memset(err, 0, sizeof *err);
    err->status = GSP_STATUS_NO_FIT;
    err->detail = GSP_DETAIL_MEMORY;
    err->need = r->complete ? r->objective : r->lower_bound;
    err->need *= p->plan.optimal_desc.n_chunks;
    err->limit = p->plan.optimal_desc.memory;
    return GSP_STATUS_NO_FIT;
}

static void take(pipe_job *p, const cli_inference_result *r, uint64_t objective)
{
    gsp_stages_optimal_result *known = &p->plan.result;
    known->stage_of = r->stage_of;
    known->n_stages = r->n_stages;
    known->objective = objective;
    known->order = 0;
}

/* The result of the library, which counts parameters alone, against stages in graph order. */
static gsp_status choose(pipe_job *p, int has_plan, gsp_error *err)
{
    gsp_stages_optimal_result *known = &p->plan.result;
    cli_inference_result r;
    int const graph_order = known->order == 0;
    uint64_t const need = need_of(p, known->n_stages, has_plan ? known->stage_of : NULL);
    int const good = has_plan && need <= memory_of(p);
    if (!by_bytes(p) && good) {
        return GSP_OK; /* the best of all that have room for their parameters */
    }
    search(p, &r);
    known->work += r.work;
    if (by_bytes(p)) {
        int const better = r.fits && (!good || r.objective < need);
        known->reference = r.reference;
        known->lower_bound = r.complete ? r.objective : r.lower_bound;
        known->objective = need;
        if (better) {
            take(p, &r, r.objective);
        }
    } else if (r.fits) {
        take(p, &r, r.objective != UINT64_MAX ? r.objective : slowest_of(p, &r));
        known->lower_bound = r.complete ? known->objective : known->lower_bound;
    }
    if (!r.fits && !good) {
        return refuse(p, &r, err);
    }
    known->proved = r.complete && graph_order && p->plan.optimal_desc.n_orders <= 1u &&
                    !p->opt.carried && known->lower_bound >= known->objective;
    known->lower_bound =
        known->lower_bound < known->objective ? known->lower_bound : known->objective;
    return GSP_OK;
}

gsp_status pipe_inference_stages(pipe_job *p, gsp_status status, gsp_error *err)
{
    if ((status != GSP_OK && status != GSP_STATUS_NO_FIT) || !pipe_infers(p) ||
        (status != GSP_OK && err->detail != (uint32_t)GSP_DETAIL_MEMORY) ||
        !pipe_inference_limits(p) || p->graph.n_nodes == 0) {
        return status;
    }
    return choose(p, status == GSP_OK, err);
}

/* ---- figures ---- */

int pipe_inference_weigh(pipe_job *p)
{
    uint32_t const n = p->made.n_stages;
    cli_need *needs = (cli_need *)cli_alloc(p->session, (size_t)n + 1u, sizeof *needs);
    int const known = pipe_infers(p) && measure(p, n, p->made.stage_of, needs) != UINT64_MAX;
    for (uint32_t i = 0; i < n && known; i++) {
        p->loads[i].peak = needs[i].peak;
    }
    cli_release(p->session, needs);
    return known;
}

void pipe_inference_loads(pipe_job *p)
{
    uint32_t const n = p->made.n_stages;
    gsp_stage_costs_result *costs = &p->plan.stage_costs;
    cli_need *needs = (cli_need *)cli_alloc(p->session, (size_t)n + 1u, sizeof *needs);
    gsp_stage_cost *loads = (gsp_stage_cost *)cli_alloc(p->session, (size_t)n + 1u, sizeof *loads);
    uint32_t i;
    if (!pipe_infers(p) || measure(p, n, p->made.stage_of, needs) == UINT64_MAX) {
        return;
    }
    memcpy(loads, costs->stages, n * sizeof *loads);
    for (i = 0; i < n; i++) {
        loads[i].params = needs[i].params / copies_of(p);
        loads[i].stash = needs[i].peak;
        loads[i].memory = cli_need_at_once(&needs[i]);
        costs->greatest = loads[i].memory > loads[costs->greatest].memory ? i : costs->greatest;
    }
    costs->stages = p->plan.loads = loads;
}

/* The most microbatches that wait for a stage while a task runs. */
static uint64_t count_waiting(
    const gsp_schedule_result *r, const gsp_schedule_desc *d, uint32_t stage)
{
    uint32_t const from = gsp_schedule_device(d, stage - 1u);
    uint32_t const to = gsp_schedule_device(d, stage);
    uint32_t a = r->task_begin[from];
    uint64_t arrived = 0;
    uint64_t begun = 0;
    uint64_t most = 0;
    for (uint32_t i = r->task_begin[to]; i < r->task_begin[to + 1u]; i++) {
        begun += r->tasks[i].stage == stage;
        for (; a < r->task_begin[from + 1u] && r->tasks[a].end < r->tasks[i].end; a++) {
            arrived += r->tasks[a].stage + 1u == stage;
        }
        most = arrived > begun && arrived - begun > most ? arrived - begun : most;
    }
    return most;
}

int pipe_inference_wait(pipe_job *p, uint64_t *resident)
{
    const gsp_schedule_result *r = &p->plan.run;
    const gsp_schedule_desc *d = &p->plan.schedule;
    int any = 0;
    uint32_t s;
    p->plan.waiting =
        (uint64_t *)cli_alloc(p->session, (size_t)p->made.n_stages + 1u, sizeof *p->plan.waiting);
    for (s = 1; s < r->n_stages && pipe_infers(p); s++) {
        gsp_graph const g = gsp_module_graph(&p->made.module, s + 1u);
        cli_sum in;
        gsp_node v;
        memset(&in, 0, sizeof in);
        for (v = 0; v < g.n_nodes; v++) {
            if (gsp_node_op(&g, v) == GSP_OP_PLACEHOLDER) {
                cli_sum_add(&in, &g, v);
            }
        }
        p->plan.waiting[s] = count_waiting(r, d, s) * in.bytes;
        resident[s] = cli_add(resident[s], p->plan.waiting[s]);
        p->plan.loads[s].memory = cli_add(p->plan.loads[s].memory, p->plan.waiting[s]);
        any |= p->plan.waiting[s] != 0;
    }
    return any;
}
