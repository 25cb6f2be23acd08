/* The JSON of `pipe`. */
#include "commands/pipe/pipe.h"

#include "output/output.h"

#include <inttypes.h>

static gsp_str string_of(const pipe_job *p, gsp_atom s)
{
    return gsp_module_str(&p->module, s);
}

/* A time in ns; null: unknown. */
static void put_time(const pipe_job *p, cli_buffer *out, const char *key, uint64_t ns)
{
    cli_printf(out, ", \"%s\": ", key);
    if (pipe_has_times(p)) {
        cli_printf(out, "%" PRIu64, ns);
    } else {
        cli_puts(out, "null");
    }
}

static void put_json_stages(const pipe_job *p, cli_buffer *out, uint32_t begin, uint32_t end)
{
    uint32_t i;
    cli_puts(out, "\"stages\": [");
    for (i = begin; i < end; i++) {
        cli_printf(out, "%s%" PRIu32, i != begin ? ", " : "", p->made.params.held[i]);
    }
    cli_puts(out, "]}");
}

static void put_json_stage(const pipe_job *p, cli_buffer *out, uint32_t stage)
{
    const pipe_load *load = &p->loads[stage];
    const gsp_stage_params_result *h = &p->made.params;
    cli_printf(out, "%s\n  {\"stage\": %" PRIu32 ", \"module\": ", stage != 0 ? "," : "", stage);
    cli_json_string(out, pipe_stage_name(p, stage));
    cli_printf(out,
        ", \"calls\": %" PRIu32 ", \"parameters\": %" PRIu32 ", \"parameter_bytes\": %" PRIu64
        ", \"in_bytes\": %" PRIu64 ", \"out_bytes\": %" PRIu64,
        load->calls, load->n_params, load->params.bytes, load->in.bytes, load->out.bytes);
    if (p->has_peaks) {
        cli_printf(out, ", \"live_peak_bytes\": %" PRIu64, load->peak);
    }
    put_time(p, out, "ns", load->ns);
    if (p->has_loss) {
        cli_printf(
            out, ", \"backward\": %s", p->backward.call[stage] != GSP_NONE ? "true" : "false");
    }
    cli_puts(out, ", \"nodes\": ");
    cli_json_names(
        out, &p->graph, h->nodes + h->begin[stage], h->begin[stage + 1u] - h->begin[stage]);
    cli_puts(out, "}");
}

static void put_json_copies(const pipe_job *p, cli_buffer *out, const char *what,
    const gsp_stage_param_copy *copies, uint32_t n)
{
    uint32_t i;
    cli_printf(out, "],\n\"%s\": [", what);
    for (i = 0; i < n; i++) {
        cli_puts(out, i != 0 ? ",\n  {\"target\": " : "\n  {\"target\": ");
        cli_json_string(out, string_of(p, copies[i].target));
        cli_puts(out, ", ");
        put_json_stages(p, out, copies[i].begin, copies[i].end);
    }
}

static void put_json_param(const pipe_job *p, cli_buffer *out, uint32_t i)
{
    const gsp_stage_param *params = p->made.params.params;
    cli_puts(out, i != 0 ? ",\n  {\"target\": " : "\n  {\"target\": ");
    cli_json_string(out, string_of(p, params[i].target));
    cli_printf(out, ", \"bytes\": %" PRIu64 ", ", gsp_node_params(&p->graph, params[i].node));
    if (params[i].first != i) {
        cli_puts(out, "\"alias\": ");
        cli_json_string(out, string_of(p, params[params[i].first].target));
        cli_puts(out, ", ");
    }
    cli_printf(out, "\"transmitted\": %s, ", params[i].transmitted ? "true" : "false");
    put_json_stages(p, out, params[i].begin, params[i].end);
}

static void put_json_device(const pipe_job *p, cli_buffer *out, uint32_t device)
{
    const gsp_schedule_result *r = &p->plan.run;
    uint32_t i;
    cli_printf(out, "%s\n  {\"device\": %" PRIu32, device != 0 ? "," : "", device);
    put_time(p, out, "busy_ns", r->busy[device]);
    cli_printf(out, ", \"in_flight\": %" PRIu32 ", \"peak_bytes\": %" PRIu64 ", \"tasks\": [",
        r->in_flight[device], r->peak[device]);
    for (i = r->task_begin[device]; i < r->task_begin[device + 1u]; i++) {
        const gsp_task *t = &r->tasks[i];
        cli_printf(out,
            "%s\n    {\"kind\": \"%s\", \"stage\": %" PRIu32 ", \"microbatch\": %" PRIu32,
            i != r->task_begin[device] ? "," : "", pipe_task_name(t), t->stage, t->microbatch);
        put_time(p, out, "begin_ns", t->begin);
        put_time(p, out, "end_ns", t->end);
        cli_puts(out, "}");
    }
    cli_puts(out, "]}");
}

static void put_schedule(const pipe_job *p, cli_buffer *out)
{
    const gsp_schedule_result *r = &p->plan.run;
    uint32_t i;
    cli_puts(out, "\"schedule\": {\"kind\": ");
    cli_json_string(out, gsp_str_of(p->opt.schedule));
    cli_printf(out, ", \"microbatches\": %" PRIu32, p->plan.schedule.n_microbatches);
    put_time(p, out, "span_ns", r->span);
    put_time(p, out, "bubble_millionths", r->bubble);
    put_time(p, out, "gaps_millionths", r->gaps);
    if (p->plan.given.sends) {
        cli_printf(
            out, ", \"ends_if_sends_wait\": %s", p->plan.given.blocked == NULL ? "true" : "false");
    }
    cli_puts(out, ", \"devices\": [");
    for (i = 0; i < r->n_devices; i++) {
        put_json_device(p, out, i);
    }
    cli_puts(out, "]},\n");
}

static void put_figures(const pipe_job *p, cli_buffer *out)
{
    const gsp_stages_optimal_result *r = &p->plan.result;
    const pipe_devices *d = &p->plan.devices;
    uint32_t i;
    if (p->plan.optimal) {
        cli_printf(out,
            "\"proof\": {\"goal\": \"%s\", \"objective\": %" PRIu64 ", \"bound\": %" PRIu64
            ", \"proved\": %s",
            p->plan.devices.latency                                           ? "latency"
            : p->plan.optimal_desc.goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES ? "bytes"
                                                                              : "time",
            r->objective, r->lower_bound, pipe_proves(p) ? "true" : "false");
        if (!d->no_reference) {
            cli_printf(out, ", \"reference\": %" PRIu64, r->reference);
        }
        cli_printf(out, ", \"order\": %" PRIu32 ", \"work\": %" PRIu64, r->order, r->work);
        if (p->plan.search.ran) {
            cli_printf(out, ", \"units\": %" PRIu32 ", \"downsets\": %" PRIu32 ", \"complete\": %s",
                p->plan.search.n_units, p->plan.search.n_downsets,
                p->plan.search.all_sets ? "true" : "false");
        }
        cli_puts(out, "},\n");
    }
    if (d->tokens != 0) {
        cli_printf(out,
            "\"context\": {\"tokens\": %" PRIu64 ", \"fits\": %" PRIu64 ", \"most\": %" PRIu64
            ", \"proved\": %s},\n",
            d->tokens, d->fits, d->most, d->most_known ? "true" : "false");
    }
    if (p->plan.stage_costs.stages == NULL) {
        return;
    }
    cli_puts(out, "\"loads\": [");
    for (i = 0; i < p->made.n_stages; i++) {
        const gsp_stage_cost *load = &p->plan.stage_costs.stages[i];
        cli_printf(out, "%s\n  {\"stage\": %" PRIu32, i != 0 ? "," : "", i);
        put_time(p, out, "ns", load->time);
        put_time(p, out, "compute_ns", load->compute);
        put_time(p, out, "enter_ns", load->enter);
        put_time(p, out, "leave_ns", load->leave);
        cli_printf(out,
            ", \"parameter_bytes\": %" PRIu64 ", \"kept\": %" PRIu32
            ", \"microbatch_bytes\": %" PRIu64 ", \"memory\": %" PRIu64,
            load->params, load->held, load->stash, load->memory);
        if (p->plan.devices.n != 0) {
            cli_puts(out, ", \"device\": ");
            cli_json_string(out, pipe_on(p, i));
        } else if (pipe_search_has_places(p)) {
            cli_puts(out, ", \"on\": \"");
            pipe_put_place(p, out, i);
            cli_puts(out, "\"");
        }
        cli_puts(out, "}");
    }
    cli_puts(out, "],\n");
    if (p->plan.has_schedule) {
        put_schedule(p, out);
    }
}

void pipe_json(const pipe_job *p, cli_buffer *out)
{
    const gsp_stage_params_result *h = &p->made.params;
    uint32_t i;
    cli_printf(out, "{\"pass\": \"pipe\", \"time_unit\": \"%s\", ", cli_times_word(&p->opt.times));
    cli_json_unknown(out, p->graph.module);
    cli_puts(out, "\n");
    put_figures(p, out);
    cli_puts(out, "\"stages\": [");
    for (i = 0; i < h->n_stages; i++) {
        put_json_stage(p, out, i);
    }
    cli_puts(out, "],\n\"parameters\": [");
    for (i = 0; i < h->n_params; i++) {
        put_json_param(p, out, i);
    }
    put_json_copies(p, out, "replicated", h->replicated, h->n_replicated);
    put_json_copies(p, out, "replicated_modules", h->shared, h->n_shared);
    cli_puts(out, "],\n");
    cli_json_modules(out, &p->module);
    cli_puts(out, "}\n");
}
