/* The weights of the stages. */
#include "commands/pipe/pipe.h"

#include "output/output.h"

#include <inttypes.h>
#include <string.h>

gsp_str pipe_stage_name(const pipe_job *p, uint32_t stage)
{
    return gsp_module_str(&p->module, p->module.graphs[stage + 1u].name);
}

gsp_str pipe_on(const pipe_job *p, uint32_t stage)
{
    gsp_str const none = {"", 0};
    return p->plan.devices.n != 0 ? p->plan.devices.on[stage] : none;
}

/* Counts and bytes of one stage; `stamp` holds for every string the last stage that called it, plus
 * one. */
static void weigh_stage(pipe_job *p, uint32_t stage, uint32_t *stamp)
{
    const gsp_stage_params_result *h = &p->made.params;
    pipe_load *load = &p->loads[stage];
    gsp_graph g = gsp_module_graph(&p->made.module, stage + 1u);
    uint32_t n;
    const gsp_node *returned = gsp_node_inputs(&g, g.n_nodes - 1u, &n);
    uint32_t i;
    gsp_node v;
    for (; n > 0; n--) {
        cli_sum_add(&load->out, &g, returned[n - 1u]);
    }
    for (v = 0; v < g.n_nodes; v++) {
        if (gsp_node_op(&g, v) == GSP_OP_PLACEHOLDER) {
            cli_sum_add(&load->in, &g, v);
        }
    }
    load->calls = h->begin[stage + 1u] - h->begin[stage];
    for (i = h->own_begin[stage]; i < h->own_begin[stage + 1u]; i++) {
        gsp_atom target = p->graph.module->target[p->graph.first + h->own[i]];
        if (gsp_module_find_graph(p->graph.module, target) != GSP_NONE) {
            continue; /* a node that a call of a graph reads is no parameter */
        }
        load->n_params++;
        cli_sum_add(&load->params, &p->graph, h->own[i]);
    }
    for (i = h->begin[stage]; i < h->begin[stage + 1u]; i++) {
        gsp_atom target = p->graph.module->target[p->graph.first + h->nodes[i]];
        if (gsp_node_op(&p->graph, h->nodes[i]) != GSP_OP_CALL_MODULE || /* a graph that it runs */
            stamp[target] != stage + 1u) {
            stamp[target] = stage + 1u;
            load->params.bytes =
                cli_add(load->params.bytes, gsp_node_params(&p->graph, h->nodes[i]));
            load->n_params += gsp_node_params(&p->graph, h->nodes[i]) != 0 ? 1u : 0u;
        }
    }
}

/* Times, from the costs that the library reads. */
static int weigh_times(pipe_job *p)
{
    gsp_stage_costs_desc desc;
    gsp_stage_costs_result result;
    gsp_costs costs;
    gsp_arena arena;
    gsp_error err;
    size_t bound = gsp_costs_bound(&p->graph);
    size_t more;
    uint32_t i;
    memset(&desc, 0, sizeof desc);
    desc.n_stages = p->made.n_stages;
    desc.stage_of = p->made.stage_of;
    desc.model.costs = &costs;
    more = gsp_stage_costs_bound(&p->graph, &desc);
    if (bound > SIZE_MAX - more) {
        return cli_error(p->session, GSP_STATUS_OVERFLOW, "the report is too large");
    }
    cli_arena(p->session, &arena, bound + more);
    if (gsp_costs_run(&arena, &p->graph, NULL, &costs, &err) != GSP_OK ||
        gsp_stage_costs_run(&arena, &p->graph, &desc, &result, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    for (i = 0; i < p->made.n_stages; i++) {
        p->loads[i].ns = result.stages[i].compute;
    }
    return CLI_EXIT_OK;
}

int pipe_weigh(pipe_job *p)
{
    cli_session *s = p->session;
    uint32_t *stamp =
        (uint32_t *)cli_alloc(s, (size_t)p->graph.module->counts.strings + 1u, sizeof *stamp);
    uint32_t i;
    p->loads = (pipe_load *)cli_alloc(s, (size_t)p->made.n_stages + 1u, sizeof *p->loads);
    for (i = 0; i < p->made.n_stages; i++) {
        weigh_stage(p, i, stamp);
    }
    cli_release(s, stamp);
    return weigh_times(p);
}

/* The usual spelling of the kind of schedule. */
static const char *schedule_name(const pipe_job *p)
{
    const char *const names[] = {"GPipe", "1F1B", "interleaved 1F1B", "looped BFS",
        "interleaved zero-bubble", "ZB-H1", "ZB-H2", "ZBV", "V-Half", "V-Min", "DualPipeV"};
    return p->plan.given.path != NULL ? "schedule of a file" : names[p->plan.schedule.kind];
}

const char *pipe_task_name(const gsp_task *task)
{
    static const char *const names[] = {"forward", "backward", "backward_input", "backward_weight"};
    return names[task->backward];
}

uint64_t pipe_resident(const pipe_job *p, uint32_t device)
{
    const gsp_schedule_desc *d = &p->plan.schedule;
    uint64_t bytes = 0;
    uint32_t i;
    for (i = 0; i < p->plan.run.n_stages; i++) {
        bytes += gsp_schedule_device(d, i) == device ? d->resident[i] : 0u;
    }
    return bytes;
}

int pipe_is_timed(const pipe_job *p)
{
    const gsp_stage_costs_result *costs = &p->plan.stage_costs;
    uint32_t i = 0;
    while (i < 3u * p->opt.n_task_times && p->opt.task_times[i] == 0) {
        i++;
    }
    if (i < 3u * p->opt.n_task_times) {
        return 1;
    }
    return costs->stages != NULL && p->made.n_stages != 0 &&
           costs->stages[costs->slowest].time != 0;
}

int pipe_is_computed(const pipe_job *p)
{
    uint32_t i = 0;
    while (i < p->made.n_stages && p->plan.stage_costs.stages[i].compute == 0) {
        i++;
    }
    return i < p->made.n_stages || p->opt.n_task_times != 0;
}

int pipe_has_times(const pipe_job *p)
{
    uint32_t i = 0;
    while (i < p->made.n_stages && p->loads[i].ns == 0) {
        i++;
    }
    return i < p->made.n_stages || pipe_is_timed(p);
}

static int by_bytes(const pipe_job *p)
{
    return p->plan.optimal_desc.goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES;
}

int pipe_sizes_count(const pipe_job *p)
{
    return by_bytes(p) || p->opt.times.unit == CLI_TIMES_SHAPES || p->opt.memory != 0 ||
           p->opt.bandwidth != 0;
}

uint32_t pipe_untimed(const pipe_job *p, uint32_t *called)
{
    const gsp_graph *g = &p->graph;
    uint32_t n = 0;
    gsp_node v;
    *called = 0;
    for (v = 0; v < g->n_nodes; v++) {
        int const on_core = p->opt.cores != 0 && gsp_node_acc(g, v) == 0;
        gsp_key const key = on_core ? GSP_KEY_CPU : GSP_KEY_COMPUTE;
        if (gsp_node_is_callable(g, v) && p->plan.result.stage_of[v] != GSP_NONE) {
            ++*called;
            n += gsp_node_attr(g, v, key).data == NULL ? 1u : 0u;
        }
    }
    return by_bytes(p) || p->opt.times.unit != CLI_TIMES_SECONDS ? 0u : n;
}

int pipe_proves(const pipe_job *p)
{
    uint32_t ignored;
    return p->plan.result.proved && pipe_untimed(p, &ignored) == 0 &&
           !(pipe_sizes_count(p) && cli_unknown_sizes(p->graph.module));
}

void pipe_put_time(const pipe_job *p, cli_buffer *out, uint64_t ns)
{
    if (pipe_is_timed(p)) {
        cli_put_time(out, &p->opt.times, (double)ns / 1e9);
    } else {
        cli_puts(out, "?");
    }
}

void pipe_put_schedule(const pipe_job *p, cli_buffer *out)
{
    const gsp_schedule_result *r = &p->plan.run;
    cli_printf(out, "%s, %" PRIu32 " microbatch%s on %" PRIu32 " device%s: ", schedule_name(p),
        p->plan.schedule.n_microbatches, p->plan.schedule.n_microbatches == 1u ? "" : "es",
        r->n_devices, cli_plural(r->n_devices));
    if (!pipe_is_timed(p)) {
        cli_puts(out, "time unknown without compute=");
        return;
    }
    cli_puts(out, p->opt.times.unit == CLI_TIMES_SHAPES ? "estimated " : "");
    cli_puts(out, pipe_is_computed(p) ? "" : "transfers alone ");
    pipe_put_time(p, out, r->span);
    cli_printf(out, ", bubble %" PRIu32 ".%02" PRIu32 " %%", r->bubble / 10000u,
        r->bubble % 10000u / 100u);
}
