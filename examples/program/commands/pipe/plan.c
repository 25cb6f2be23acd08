/* graphsplit pipe: what the stages take by the model of the optimal policy, and how good a plan
 * is. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

/* ---- figures ---- */

int pipe_plan_make(pipe *p)
{
    cli_session *s = p->session;
    gsp_stage_costs_desc d;
    gsp_arena arena;
    gsp_error err;
    size_t costs = gsp_costs_bound(&p->counts);
    size_t loads;
    memset(&d, 0, sizeof d);
    d.n_stages = p->made.n_stages;
    d.stage_of = p->stage_of;
    d.model = p->plan.balance.model;
    d.model.costs = &p->plan.costs;
    loads = gsp_stage_costs_bound(&p->counts, &d);
    if (!p->plan.optimal && !p->plan.has_schedule) {
        return CLI_EXIT_OK;
    }
    if (costs > SIZE_MAX - loads) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "the figures of the stages are too large");
    }
    cli_arena(s, &arena, costs + loads);
    if (gsp_costs_run(&arena, &p->graph, &p->plan.rates, &p->plan.costs, &err) != GSP_OK ||
        gsp_stage_costs_run(&arena, &p->graph, &d, &p->plan.loads, &err) != GSP_OK) {
        return cli_pass_error(s, &p->graph, &err);
    }
    return p->plan.has_schedule ? pipe_schedule_make(p) : CLI_EXIT_OK;
}

/* ---- people ---- */

static void put_amount(const pipe *p, cli_buffer *out, uint64_t amount)
{
    if (p->plan.balance.goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES) {
        cli_put_bytes(out, amount);
        cli_printf(out, " (%" PRIu64 " bytes)", amount);
    } else {
        cli_put_seconds(out, (double)amount / 1e9);
    }
}

static void put_proof(const pipe *p, cli_buffer *out)
{
    const gsp_stages_optimal_result *r = &p->plan.result;
    int bytes = p->plan.balance.goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES;
    cli_puts(out, bytes ? "\ngreatest stage   " : "\nslowest stage    ");
    put_amount(p, out, r->objective);
    if (r->proved) {
        cli_printf(out, "; nothing below it is possible in %s\n",
                   p->plan.balance.n_orders > 1u ? "the orders tried" : "graph order");
    } else {
        cli_puts(out, "; it may not be the least there is: no less than ");
        put_amount(p, out, r->lower_bound);
        cli_puts(out, "\n");
    }
    cli_puts(out, "for comparison   ");
    put_amount(p, out, r->reference);
    cli_puts(out, " in stages of equal numbers of nodes\n");
    if (r->order != 0) {
        cli_printf(out, "order            number %" PRIu32 " of those tried; graph order is 0\n",
                   r->order);
    }
}

static void put_load(const pipe *p, cli_table *t, uint32_t stage)
{
    const gsp_stage_cost *load = &p->plan.loads.loads[stage];
    uint64_t mean = 0;
    uint32_t i;
    for (i = 0; i < p->made.n_stages; i++) {
        mean += p->plan.loads.loads[i].time / p->made.n_stages;
    }
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), pipe_stage_name(p, stage), 30u);
    cli_put_seconds(cli_cell_begin(t, stage == p->plan.loads.slowest ? CLI_BOLD : CLI_PLAIN),
                    (double)load->time / 1e9);
    cli_cell_put(t, CLI_PLAIN, "%+.1f %%",
                 mean == 0 ? 0.0 : 100.0 * ((double)load->time / (double)mean - 1.0));
    cli_put_seconds(cli_cell_begin(t, CLI_PLAIN), (double)load->compute / 1e9);
    cli_put_seconds(cli_cell_begin(t, CLI_PLAIN), (double)load->enter / 1e9);
    cli_put_seconds(cli_cell_begin(t, CLI_PLAIN), (double)load->leave / 1e9);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), load->params);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, load->held);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), load->stash);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), load->memory);
}

void pipe_plan_people(const pipe *p, cli_buffer *out)
{
    cli_table t;
    uint32_t i;
    if (p->plan.loads.loads == NULL) {
        return;
    }
    if (p->plan.optimal) {
        put_proof(p, out);
    }
    cli_puts(out, "\n");
    cli_table_init(&t, p->session, "lrrrrrrrrr");
    cli_table_head(&t,
                   "stage|time|to mean|compute|enter|leave|parameters|kept|a microbatch|memory");
    for (i = 0; i < p->made.n_stages && (i < PIPE_ROWS || p->session->common.all); i++) {
        put_load(p, &t, i);
    }
    cli_table_write(&t, out);
    if (i < p->made.n_stages) {
        cli_printf(out, "  ... and %" PRIu32 " more (--all shows them)\n", p->made.n_stages - i);
    }
    if (p->plan.has_schedule) {
        pipe_schedule_people(p, out);
    }
}

/* ---- for programs ---- */

void pipe_plan_porcelain(const pipe *p, cli_buffer *out)
{
    const gsp_stages_optimal_result *r = &p->plan.result;
    if (p->plan.optimal) {
        cli_printf(out,
                   "proof objective=%" PRIu64 " bound=%" PRIu64 " proved=%" PRIu32
                   " reference=%" PRIu64 "\n",
                   r->objective, r->lower_bound, r->proved, r->reference);
    }
}

void pipe_plan_json(const pipe *p, cli_buffer *out)
{
    const gsp_stages_optimal_result *r = &p->plan.result;
    uint32_t i;
    if (p->plan.optimal) {
        cli_printf(out,
                   "\"proof\": {\"goal\": \"%s\", \"objective\": %" PRIu64 ", \"bound\": %" PRIu64
                   ", \"proved\": %s, \"reference\": %" PRIu64 ", \"order\": %" PRIu32
                   ", \"work\": %" PRIu64 "},\n",
                   p->plan.balance.goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES ? "bytes" : "time",
                   r->objective, r->lower_bound, r->proved ? "true" : "false", r->reference,
                   r->order, r->work);
    }
    if (p->plan.loads.loads == NULL) {
        return;
    }
    cli_puts(out, "\"loads\": [");
    for (i = 0; i < p->made.n_stages; i++) {
        const gsp_stage_cost *load = &p->plan.loads.loads[i];
        cli_printf(out,
                   "%s\n  {\"stage\": %" PRIu32 ", \"ns\": %" PRIu64 ", \"compute_ns\": %" PRIu64
                   ", \"enter_ns\": %" PRIu64 ", \"leave_ns\": %" PRIu64
                   ", \"parameter_bytes\": %" PRIu64 ", \"kept\": %" PRIu32
                   ", \"microbatch_bytes\": %" PRIu64 ", \"memory\": %" PRIu64 "}",
                   i != 0 ? "," : "", i, load->time, load->compute, load->enter, load->leave,
                   load->params, load->held, load->stash, load->memory);
    }
    cli_puts(out, "],\n");
    if (p->plan.has_schedule) {
        pipe_schedule_json(p, out);
    }
}
