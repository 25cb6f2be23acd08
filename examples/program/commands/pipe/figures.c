/* The costs of the stages in the model of the optimal policy, and the schedule of a run. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

/* --task-times: those of all stages, or one triple each. */
static int use_task_times(pipe_job *p, uint64_t *rows)
{
    uint32_t const n = p->opt.n_task_times;
    uint32_t const stages = p->made.n_stages;
    uint32_t i;
    if (n > 1u && n != stages) {
        return cli_error(p->session, GSP_STATUS_ARG,
            "--task-times: %" PRIu32 " triples for %" PRIu32 " stages", n, stages);
    }
    for (i = 0; i < stages && n > 0; i++) {
        const uint64_t *t = p->opt.task_times + (n > 1u ? 3u * i : 0u);
        rows[i] = t[0];
        rows[stages + i] = t[1] + t[2];
        rows[2u * stages + i] = t[2];
    }
    return CLI_EXIT_OK;
}

/* a * factor, or the largest number. */
static uint64_t times(uint64_t a, uint64_t factor)
{
    return factor != 0 && a > UINT64_MAX / factor ? UINT64_MAX : a * factor;
}

/* Forward takes the time of the stage; backward a multiple of its compute time, and the transfer of
 * the gradients of all values that enter and leave; its part for the parameters half of the compute
 * time. */
static int use_costs(pipe_job *p)
{
    gsp_schedule_desc *d = &p->plan.schedule;
    size_t const n = p->made.n_stages;
    uint64_t *row = (uint64_t *)cli_alloc(p->session, PIPE_COSTS * n + 1u, sizeof *row);
    p->plan.rows = row;
    for (size_t i = 0; i < n; i++) {
        const gsp_stage_cost *load = &p->plan.stage_costs.stages[i];
        uint64_t const compute = times(load->compute, p->opt.backward != 0 ? p->opt.backward : 2u);
        row[i] = load->time;
        row[n + i] = cli_add(compute, cli_add(load->enter, load->leave));
        row[2u * n + i] = compute / 2u;
        row[3u * n + i] = load->stash;
        row[4u * n + i] = times(load->params, p->opt.copies != 0 ? p->opt.copies : 1u);
    }
    d->forward = row;
    d->backward = row + n;
    d->weight = row + 2u * n;
    d->stash = row + 3u * n;
    d->resident = row + 4u * n;
    return use_task_times(p, row);
}

static int too_many(pipe_job *p)
{
    return cli_error(p->session, GSP_STATUS_OVERFLOW,
        "--microbatches %" PRIu64 ": the schedule is too large", p->opt.microbatches);
}

/* The order of a kind that has no formula. */
static int make_order(pipe_job *p, gsp_schedule_desc *d)
{
    gsp_arena arena;
    gsp_error err;
    size_t const bound = gsp_actions_bound(d);
    if (d->n_microbatches < gsp_actions_least(d)) {
        return cli_error(p->session, GSP_STATUS_ARG,
            "--schedule %s: %" PRIu32 " device%s need at least %" PRIu64
            " microbatches (--microbatches)",
            p->opt.schedule, d->n_devices, cli_plural(d->n_devices), gsp_actions_least(d));
    }
    if (bound == SIZE_MAX) {
        return too_many(p);
    }
    cli_arena(p->session, &arena, bound);
    return gsp_actions_run(&arena, d, d, &err) == GSP_OK ? CLI_EXIT_OK
                                                         : cli_pass_error(p->session, NULL, &err);
}

int pipe_schedule_run(pipe_job *p, gsp_schedule_desc *d, gsp_schedule_result *result)
{
    gsp_arena arena;
    gsp_error err;
    size_t bound;
    if (d->actions == NULL && d->kind > (uint32_t)GSP_SCHEDULE_INTERLEAVED) {
        int const code = make_order(p, d);
        if (code != CLI_EXIT_OK) {
            return code;
        }
    }
    bound = gsp_schedule_bound(d);
    if (bound == SIZE_MAX) {
        return too_many(p);
    }
    cli_arena(p->session, &arena, bound);
    return gsp_schedule_run(&arena, d, result, &err) == GSP_OK
               ? CLI_EXIT_OK
               : cli_pass_error(p->session, &p->graph, &err);
}

/* What a device of the schedule has room for. */
static uint64_t room_of(const pipe_job *p, uint32_t device)
{
    if (p->plan.devices.n != 0) {
        return p->plan.devices.room[device];
    }
    return p->opt.memory != 0 ? p->opt.memory : UINT64_MAX;
}

/* Inputs that wait for a busy stage may exceed what its search had room for. */
static int check_memory(const pipe_job *p)
{
    const char *more =
        p->plan.optimal ? ", which the search does not count: other stages may fit" : "";
    uint32_t i = 0;
    while (i < p->plan.run.n_devices && p->plan.run.peak[i] <= room_of(p, i)) {
        i++;
    }
    if (i == p->plan.run.n_devices || !pipe_infers(p)) {
        return CLI_EXIT_OK;
    }
    if (p->plan.devices.n != 0) {
        return cli_error(p->session, GSP_STATUS_NO_FIT,
            "--device: %" PRIu64 " bytes are too few for device %" PRIu32
            " of the schedule, which needs %" PRIu64 " with the inputs that wait%s",
            room_of(p, i), i, p->plan.run.peak[i], more);
    }
    return cli_error(p->session, GSP_STATUS_NO_FIT,
        "--memory %" PRIu64 ": device %" PRIu32 " needs %" PRIu64
        " bytes with the inputs that wait%s",
        p->opt.memory, i, p->plan.run.peak[i], more);
}

static int make_schedule(pipe_job *p)
{
    cli_session *s = p->session;
    gsp_schedule_desc *d = &p->plan.schedule;
    int code;
    if (d->actions != NULL) {
        code = cli_actions_fit(s, &p->plan.given, p->made.n_stages);
        if (code != CLI_EXIT_OK) {
            return code;
        }
    } else if (p->made.n_stages == 0 || p->made.n_stages % d->n_chunks != 0) {
        return cli_error(s, GSP_STATUS_ARG,
            "--schedule: %" PRIu32 " stages cannot be divided among devices with %" PRIu32 " each",
            p->made.n_stages, d->n_chunks);
    }
    if (d->actions == NULL) {
        d->n_devices = p->made.n_stages / d->n_chunks;
    }
    code = use_costs(p);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    code = pipe_schedule_run(p, d, &p->plan.run);
    if (code == CLI_EXIT_OK && pipe_inference_wait(p, p->plan.rows + 4u * p->made.n_stages)) {
        code = pipe_schedule_run(p, d, &p->plan.run);
    }
    if (code != CLI_EXIT_OK || (code = check_memory(p)) != CLI_EXIT_OK) {
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

int pipe_plan_make(pipe_job *p)
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
    pipe_search_loads(p);
    pipe_inference_loads(p);
    pipe_devices_loads(p);
    return p->plan.has_schedule ? make_schedule(p) : CLI_EXIT_OK;
}
