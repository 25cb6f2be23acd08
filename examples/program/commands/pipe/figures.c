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

static int use_costs(pipe_job *p)
{
    cli_schedule_loads from;
    memset(&from, 0, sizeof from);
    from.loads = p->plan.stage_costs.stages;
    from.n_stages = p->made.n_stages;
    from.backward = p->opt.backward;
    from.copies = p->opt.copies;
    from.rows = (uint64_t *)cli_alloc(
        p->session, (size_t)CLI_SCHEDULE_LOADS * from.n_stages + 1u, sizeof *from.rows);
    p->plan.rows = from.rows;
    cli_schedule_use_loads(&p->plan.schedule, &from);
    return use_task_times(p, from.rows);
}

static int too_many(pipe_job *p)
{
    return cli_error(p->session, GSP_STATUS_OVERFLOW,
        "--microbatches %" PRIu64 ": the schedule is too large", p->opt.microbatches);
}

/* The order of a kind that has no formula. */
static int make_order(pipe_job *p, cli_schedule_desc *d)
{
    gsp_arena arena;
    gsp_error err;
    size_t const bound = cli_orders_bound(d);
    if (d->n_microbatches < cli_orders_least(d)) {
        return cli_error(p->session, GSP_STATUS_ARG,
            "--schedule %s: %" PRIu32 " device%s need at least %" PRIu32
            " microbatches (--microbatches)",
            p->opt.schedule, d->n_devices, cli_plural(d->n_devices), cli_orders_least(d));
    }
    if (bound == SIZE_MAX) {
        return too_many(p);
    }
    cli_arena(p->session, &arena, bound);
    return cli_orders_make(&arena, d, &err) == GSP_OK ? CLI_EXIT_OK
                                                      : cli_pass_error(p->session, NULL, &err);
}

int pipe_schedule_run(pipe_job *p, cli_schedule_desc *d, cli_schedule *result)
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
    cli_schedule_desc *d = &p->plan.schedule;
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
