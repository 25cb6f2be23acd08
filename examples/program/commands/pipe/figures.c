/* The costs of the stages in the model of the optimal policy, and the schedule of a run. */
#include "commands/pipe/figures.h"

#include "core/buffer.h"
#include "core/error.h"
#include "core/orders.h"

#include <inttypes.h>
#include <string.h>

/* Times of the tasks of a stage. Forward: the compute time of the plan. Backward: `--backward`
 * times that, and the transfer of the gradients of all values that enter and leave; the part for
 * the parameters is half of the compute time. */
static void read_loads(pipe *p, uint64_t *rows[5])
{
    uint64_t factor = p->opt.backward != 0 ? p->opt.backward : 2u;
    uint32_t i;
    for (i = 0; i < p->made.n_stages; i++) {
        const gsp_stage_cost *load = &p->plan.stage_costs.loads[i];
        uint64_t copies = p->opt.copies != 0 ? p->opt.copies : 1u;
        uint64_t moved = pipe_add(load->enter, load->leave);
        rows[0][i] = load->time;
        rows[1][i] = load->compute > UINT64_MAX / factor ? UINT64_MAX : load->compute * factor;
        rows[4][i] = rows[1][i] / 2u;
        rows[1][i] = pipe_add(rows[1][i], moved);
        rows[2][i] = load->stash;
        rows[3][i] = load->params > UINT64_MAX / copies ? UINT64_MAX : load->params * copies;
    }
}

/* --task-times: those of all stages, or one triple each. */
static int use_task_times(pipe *p, uint64_t *rows[5])
{
    uint32_t const n = p->opt.n_task_times;
    uint32_t i;
    if (n > 1u && n != p->made.n_stages) {
        return cli_error(p->session, GSP_STATUS_ARG,
                         "--task-times: %" PRIu32 " triples for %" PRIu32 " stages", n,
                         p->made.n_stages);
    }
    for (i = 0; i < p->made.n_stages && n > 0; i++) {
        const uint64_t *t = &p->opt.task_times[n > 1u ? 3u * i : 0u];
        rows[0][i] = t[0];
        rows[1][i] = t[1] + t[2];
        rows[4][i] = t[2];
    }
    return CLI_EXIT_OK;
}

static int too_many(pipe *p)
{
    return cli_error(p->session, GSP_STATUS_OVERFLOW,
                     "--microbatches %" PRIu64 ": the schedule is too large", p->opt.microbatches);
}

/* The order of a kind that has no formula. */
static int make_order(pipe *p, cli_schedule_desc *d)
{
    gsp_arena arena;
    gsp_error err;
    size_t const bound = cli_orders_bound(d);
    if (d->n_microbatches < cli_orders_least(d)) {
        return cli_error(p->session, GSP_STATUS_ARG,
                         "--schedule %s: %" PRIu32 " device%s need at least %" PRIu32
                         " microbatches (--microbatches)",
                         p->opt.schedule, d->n_devices, cli_plural(d->n_devices),
                         cli_orders_least(d));
    }
    if (bound == SIZE_MAX) {
        return too_many(p);
    }
    cli_arena(p->session, &arena, bound);
    return cli_orders_make(&arena, d, &err) == GSP_OK ? CLI_EXIT_OK
                                                      : cli_pass_error(p->session, NULL, &err);
}

int pipe_schedule_run(pipe *p, cli_schedule_desc *d, cli_schedule *result)
{
    gsp_arena arena;
    gsp_error err;
    size_t bound;
    if (d->actions == NULL && cli_orders_need(d->kind)) {
        int const code = make_order(p, d);
        if (code != CLI_EXIT_OK) {
            return code;
        }
    }
    bound = cli_schedule_bound(d);
    if (bound == SIZE_MAX) {
        return too_many(p);
    }
    cli_arena(p->session, &arena, bound);
    return cli_schedule_run(&arena, d, result, &err) == GSP_OK
               ? CLI_EXIT_OK
               : cli_pass_error(p->session, &p->graph, &err);
}

static int make_schedule(pipe *p)
{
    cli_session *s = p->session;
    cli_schedule_desc *d = &p->plan.schedule;
    uint64_t *rows[5];
    uint32_t i;
    int code;
    if (d->actions != NULL) {
        code = cli_actions_fit(s, &p->plan.given, p->made.n_stages);
        if (code != CLI_EXIT_OK) {
            return code;
        }
    } else if (p->made.n_stages == 0 || p->made.n_stages % d->n_chunks != 0) {
        return cli_error(s, GSP_STATUS_ARG,
                         "--schedule: %" PRIu32
                         " stages cannot be divided among devices with %" PRIu32 " each",
                         p->made.n_stages, d->n_chunks);
    }
    if (d->actions == NULL) {
        d->n_devices = p->made.n_stages / d->n_chunks;
    }
    for (i = 0; i < 5u; i++) {
        rows[i] = (uint64_t *)cli_alloc(s, p->made.n_stages, sizeof *rows[i]);
    }
    read_loads(p, rows);
    code = use_task_times(p, rows);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    d->forward = rows[0];
    d->backward = rows[1];
    d->stash = rows[2];
    d->resident = rows[3];
    d->weight = rows[4];
    code = pipe_schedule_run(p, d, &p->plan.run);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (p->opt.trace != NULL && !pipe_is_timed(p)) {
        return cli_error(s, GSP_STATUS_ARG,
                         "--trace %s: no node has compute=, so times are unknown; --time-unit says "
                         "what to count instead",
                         p->opt.trace);
    }
    return CLI_EXIT_OK;
}

int pipe_plan_make(pipe *p)
{
    cli_session *s = p->session;
    gsp_stage_costs_desc d;
    gsp_arena arena;
    gsp_error err;
    size_t costs = gsp_costs_bound(&p->graph);
    size_t loads;
    memset(&d, 0, sizeof d);
    d.n_stages = p->made.n_stages;
    d.stage_of = p->stage_of;
    d.model = p->plan.optimal_desc.model;
    d.model.costs = &p->plan.costs;
    loads = gsp_stage_costs_bound(&p->graph, &d);
    if (!p->plan.optimal && !p->plan.has_schedule) {
        return CLI_EXIT_OK;
    }
    if (costs > SIZE_MAX - loads) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "the figures of the stages are too large");
    }
    cli_arena(s, &arena, costs + loads);
    if (gsp_costs_run(&arena, &p->graph, &p->plan.rates, &p->plan.costs, &err) != GSP_OK ||
        gsp_stage_costs_run(&arena, &p->graph, &d, &p->plan.stage_costs, &err) != GSP_OK) {
        return cli_pass_error(s, &p->graph, &err);
    }
    return p->plan.has_schedule ? make_schedule(p) : CLI_EXIT_OK;
}
