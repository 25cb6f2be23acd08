/* The report of `pipe` for people: costs of the stages, and the schedule. */
#include "commands/pipe/pipe.h"

#include "output/output.h"

#include <inttypes.h>

#define HEAD      "stage|time|to mean|compute|enter|leave|parameters|kept|microbatch|memory"
#define INFERENCE "stage|time|to mean|compute|enter|leave|parameters|live peak|waiting|memory"

static void put_amount(const pipe_job *p, cli_buffer *out, uint64_t amount)
{
    if (p->plan.optimal_desc.goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES) {
        cli_put_bytes(out, amount);
        cli_printf(out, " (%" PRIu64 " bytes)", amount);
    } else {
        pipe_put_time(p, out, amount);
    }
}

static void put_proof(const pipe_job *p, cli_buffer *out)
{
    const gsp_stages_optimal_result *r = &p->plan.result;
    int bytes = p->plan.optimal_desc.goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES;
    cli_puts(out, p->plan.devices.latency ? "\n"
                                            "one microbatch   "
                  : bytes                 ? "\n"
                                            "largest stage    "
                                          : "\nslowest stage    ");
    put_amount(p, out, r->objective);
    if (pipe_proves(p)) {
        cli_printf(out, "; proved to be the minimum in %s\n",
            p->plan.devices.any_order            ? "graph order, of all orders of devices"
            : p->plan.devices.n != 0             ? "graph order, of the given order of devices"
            : p->plan.search.ran                 ? "all orders"
            : p->plan.optimal_desc.n_orders > 1u ? "the orders tried"
                                                 : "graph order");
    } else if (r->proved) {
        uint32_t called;
        uint32_t const untimed = pipe_untimed(p, &called);
        cli_puts(out, "; by what is known: ");
        cli_put_open_figures(out, pipe_sizes_count(p) ? p->graph.module : NULL, untimed, called);
        cli_puts(out, "\n");
    } else {
        cli_puts(out, "; not proved to be the minimum: the lower bound is ");
        put_amount(p, out, r->lower_bound);
        cli_puts(out, "\n");
    }
    cli_puts(out, "for comparison   ");
    if (r->reference == UINT64_MAX) {
        cli_puts(out, "equal numbers of nodes per stage need a link without a bandwidth\n");
    } else {
        put_amount(p, out, r->reference);
        cli_printf(out, " with equal numbers of nodes per stage%s\n",
            p->plan.devices.no_reference ? ", which does not fit" : "");
    }
    if (p->plan.search.ran) {
        cli_printf(out, "searched         %" PRIu32 " downsets of %" PRIu32 " units%s\n",
            p->plan.search.n_downsets, p->plan.search.n_units,
            p->plan.search.all_sets ? ", all there are" : "; there are more");
    }
    if (r->order != 0) {
        cli_printf(out, "order            number %" PRIu32 " of those tried; graph order is 0\n",
            r->order);
    }
}

static void put_context(const pipe_job *p, cli_buffer *out)
{
    const pipe_devices *d = &p->plan.devices;
    cli_printf(out,
        "context          %" PRIu64 " token%s; these stages have room for %" PRIu64
        ", the devices for %s%" PRIu64,
        d->tokens, cli_plural(d->tokens), d->fits, d->most_known ? "" : "at least ", d->most);
    if (d->most > d->fits) {
        cli_printf(out, " (with --context %" PRIu64 ")", d->most);
    }
    cli_puts(out, "\n");
}

static void put_load(const pipe_job *p, cli_table *t, uint32_t stage)
{
    const gsp_stage_cost *load = &p->plan.stage_costs.stages[stage];
    int const values = cli_graph_least(&p->graph, 0);
    int const params = cli_graph_least(&p->graph, 1);
    double mean = 0.0;
    uint32_t i;
    for (i = 0; i < p->made.n_stages; i++) {
        mean += (double)p->plan.stage_costs.stages[i].time / p->made.n_stages;
    }
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), pipe_stage_name(p, stage), 30u);
    pipe_put_time(p, cli_cell_begin(t, stage == p->plan.stage_costs.slowest ? CLI_BOLD : CLI_PLAIN),
        load->time);
    if (mean > 0.0) {
        cli_cell_put(t, CLI_PLAIN, "%+.1f %%", 100.0 * ((double)load->time / mean - 1.0));
    } else {
        cli_cell_put(t, CLI_PLAIN, "?");
    }
    if (pipe_is_computed(p)) {
        pipe_put_time(p, cli_cell_begin(t, CLI_PLAIN), load->compute);
    } else {
        cli_cell_put(t, CLI_PLAIN, "?");
    }
    pipe_put_time(p, cli_cell_begin(t, CLI_PLAIN), load->enter);
    pipe_put_time(p, cli_cell_begin(t, CLI_PLAIN), load->leave);
    cli_put_least(cli_cell_begin(t, CLI_PLAIN), load->params, params, cli_put_bytes);
    if (!pipe_infers(p)) {
        cli_cell_put(t, CLI_PLAIN, "%" PRIu32, load->held);
    }
    cli_put_least(cli_cell_begin(t, CLI_PLAIN), load->stash, values, cli_put_bytes);
    if (pipe_infers(p)) {
        cli_put_bytes(
            cli_cell_begin(t, CLI_PLAIN), p->plan.waiting != NULL ? p->plan.waiting[stage] : 0u);
    }
    cli_put_least(cli_cell_begin(t, CLI_PLAIN), load->memory, values || params, cli_put_need);
    if (p->plan.devices.n != 0) {
        cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), pipe_on(p, stage), 30u);
    } else if (pipe_search_has_places(p)) {
        pipe_put_place(p, cli_cell_begin(t, CLI_PLAIN), stage);
    }
}

/* Its idle share between its first and its last task. */
static void put_gaps(const pipe_job *p, cli_buffer *out, uint32_t device)
{
    const gsp_schedule_result *r = &p->plan.run;
    uint32_t const end = r->task_begin[device + 1u];
    if (pipe_is_timed(p) && end > r->task_begin[device]) {
        uint64_t const window = r->tasks[end - 1u].end - r->tasks[r->task_begin[device]].begin;
        cli_put_percent(out, window - r->busy[device], window);
    } else {
        cli_puts(out, "?");
    }
}

static void put_schedule(const pipe_job *p, cli_buffer *out)
{
    const gsp_schedule_result *r = &p->plan.run;
    cli_table t;
    uint32_t i;
    cli_puts(out, "\n");
    pipe_put_schedule(p, out);
    cli_puts(out, "\n");
    cli_table_init(&t, p->session, "rrrrrr");
    cli_table_head(&t, "device|busy|of the time|gaps|kept|peak bytes");
    for (i = 0; i < r->n_devices && (i < PIPE_ROWS || p->session->common.all); i++) {
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, i);
        pipe_put_time(p, cli_cell_begin(&t, CLI_PLAIN), r->busy[i]);
        if (pipe_is_timed(p)) {
            cli_put_percent(cli_cell_begin(&t, CLI_PLAIN), r->busy[i], r->span);
        } else {
            cli_cell_put(&t, CLI_PLAIN, "?");
        }
        put_gaps(p, cli_cell_begin(&t, CLI_PLAIN), i);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, r->in_flight[i]);
        cli_put_least(cli_cell_begin(&t, CLI_PLAIN), r->peak[i],
            cli_graph_least(&p->graph, 0) || cli_graph_least(&p->graph, 1), cli_put_need);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, r->n_devices, i, NULL);
}

void pipe_people_figures(const pipe_job *p, cli_buffer *out)
{
    int const placed = p->plan.devices.n != 0 || pipe_search_has_places(p);
    cli_table t;
    uint32_t i;
    if (p->plan.stage_costs.stages == NULL) {
        cli_put_unknown(out, p->graph.module);
        if (p->opt.times.unit == CLI_TIMES_SHAPES) { /* those of the column */
            cli_put_times(out, &p->opt.times, &p->graph, 0, 1);
        }
        return;
    }
    if (p->plan.optimal) {
        put_proof(p, out);
    }
    if (p->plan.devices.tokens != 0) {
        put_context(p, out);
    }
    cli_puts(out, "\n");
    cli_table_init(&t, p->session, placed ? "lrrrrrrrrrl" : "lrrrrrrrrr");
    cli_table_head(&t, pipe_infers(p) ? INFERENCE : HEAD);
    if (placed) {
        cli_table_head(&t, "on");
    }
    for (i = 0; i < p->made.n_stages && (i < PIPE_ROWS || p->session->common.all); i++) {
        put_load(p, &t, i);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, p->made.n_stages, i, NULL);
    if (p->plan.has_schedule) {
        put_schedule(p, out);
    }
    if (p->plan.given.sends) {
        cli_puts(out, p->plan.given.blocked == NULL
                          ? "the schedule ends, whether a send waits for its receive or not\n"
                          : "the schedule ends only if no send waits for its receive\n");
    }
    cli_put_unknown(out, p->graph.module);
    cli_put_times(out, &p->opt.times, &p->graph, 0, pipe_is_timed(p));
}
