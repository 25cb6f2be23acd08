/* --trace of `pipe`: one thread per device, a slice per task, a flow per transfer between devices,
 * and a counter per device of the bytes that it keeps. Perfetto and chrome://tracing open it. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

/* Ticks of a nanosecond as microseconds. */
static void put_time(cli_buffer *out, const char *key, uint64_t ns)
{
    cli_printf(out, ", \"%s\": %" PRIu64 ".%03" PRIu64, key, ns / 1000u, ns % 1000u);
}

static void begin_event(cli_buffer *out, char kind, uint32_t device)
{
    cli_printf(out, ",\n{\"ph\": \"%c\", \"pid\": 0, \"tid\": %" PRIu32, kind, device);
}

static void put_names(const pipe_job *p, cli_buffer *out)
{
    const gsp_schedule_result *r = &p->plan.run;
    uint32_t k;
    cli_puts(
        out, "{\"ph\": \"M\", \"pid\": 0, \"name\": \"process_name\", \"args\": {\"name\": \"");
    pipe_put_schedule(p, out);
    cli_puts(out, "\"}}");
    for (k = 0; k < r->n_devices; k++) {
        begin_event(out, 'M', k);
        cli_printf(
            out, ", \"name\": \"thread_name\", \"args\": {\"name\": \"device %" PRIu32 "\"}}", k);
        begin_event(out, 'M', k);
        cli_printf(
            out, ", \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": %" PRIu32 "}}", k);
    }
}

static void put_task(const pipe_job *p, cli_buffer *out, const gsp_task *t)
{
    begin_event(out, 'X', t->device);
    cli_printf(out, ", \"name\": \"%" PRIu32 "%s%" PRIu32 "\", \"cat\": \"%s\"", t->stage,
        gsp_action_word(t->backward), t->microbatch, pipe_task_name(t));
    put_time(out, "ts", t->begin);
    put_time(out, "dur", t->end - t->begin);
    cli_puts(out, ", \"args\": {\"stage\": ");
    cli_json_string(out, pipe_stage_name(p, t->stage));
    cli_printf(out, ", \"microbatch\": %" PRIu32 "}}", t->microbatch);
}

/* Begin ('s') or end ('f') of the transfer to a stage, of a value or of its gradient. */
static void put_flow(const pipe_job *p, cli_buffer *out, char kind, const gsp_task *t, uint32_t to)
{
    uint64_t pairs = (uint64_t)p->plan.run.n_stages * p->plan.schedule.n_microbatches;
    uint64_t id = (uint64_t)to * p->plan.schedule.n_microbatches + t->microbatch;
    begin_event(out, kind, t->device);
    cli_printf(out, ", \"name\": \"%s\", \"cat\": \"transfer\", \"id\": %" PRIu64,
        t->backward ? "gradient" : "value", t->backward ? pairs + id : id);
    /* a flow belongs to the slice around its time, and the end of a slice is outside */
    put_time(out, "ts", kind == 'f' || t->end == t->begin ? t->begin : t->end - 1u);
    cli_puts(out, kind == 'f' ? ", \"bp\": \"e\"}" : "}");
}

static void put_flows(const pipe_job *p, cli_buffer *out, const gsp_task *t)
{
    const gsp_schedule_desc *d = &p->plan.schedule;
    uint32_t to = t->backward ? t->stage - 1u : t->stage + 1u;
    uint32_t from = t->backward ? t->stage + 1u : t->stage - 1u;
    if (t->backward == (uint32_t)GSP_ACTION_BACKWARD_WEIGHT) {
        return;
    }
    if (from < p->plan.run.n_stages && gsp_schedule_device(d, from) != t->device) {
        put_flow(p, out, 'f', t, t->stage);
    }
    if (to < p->plan.run.n_stages && gsp_schedule_device(d, to) != t->device) {
        put_flow(p, out, 's', t, to);
    }
}

static void put_bytes(cli_buffer *out, uint32_t device, uint64_t ns, uint64_t bytes)
{
    begin_event(out, 'C', device);
    cli_printf(out, ", \"name\": \"bytes of device %" PRIu32 "\"", device);
    put_time(out, "ts", ns);
    cli_printf(out, ", \"args\": {\"bytes\": %" PRIu64 "}}", bytes);
}

/* Bytes in flight: as in the peak of the report. */
static void put_device(const pipe_job *p, cli_buffer *out, uint32_t device)
{
    const gsp_schedule_result *r = &p->plan.run;
    const gsp_schedule_desc *d = &p->plan.schedule;
    uint64_t bytes = pipe_resident(p, device);
    uint32_t i;
    put_bytes(out, device, 0, bytes);
    for (i = r->task_begin[device]; i < r->task_begin[device + 1u]; i++) {
        const gsp_task *t = &r->tasks[i];
        put_task(p, out, t);
        put_flows(p, out, t);
        if (!t->backward) {
            bytes += d->stash[t->stage];
            put_bytes(out, device, t->begin, bytes);
        }
        if (gsp_task_frees(d, t)) {
            bytes -= d->stash[t->stage];
            put_bytes(out, device, t->end, bytes);
        }
    }
}

void pipe_trace(const pipe_job *p, cli_buffer *out)
{
    uint32_t k;
    cli_puts(out, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n");
    put_names(p, out);
    for (k = 0; k < p->plan.run.n_devices; k++) {
        put_device(p, out, k);
    }
    cli_puts(out, "\n]}\n");
}
