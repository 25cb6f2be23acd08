/* graphsplit pipe: stages on unequal devices, and what each takes there. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

#define MAX_WORK    ((uint64_t)1 << 28)
#define WORK_OF_TRY ((uint64_t)1 << 24) /* whether tokens of context fit */
#define MOST_TOKENS ((uint64_t)1 << 40)

/* The search, and what it is about. */
typedef struct asked {
    pipe_job *p;
    cli_device_line_desc line_desc;
    cli_device_line line;
    cli_device_stages_desc d;
    cli_slot *slots; /* [n_slots] of stages */
    uint32_t *layer; /* [n] */
    uint64_t *kv;    /* [n] */
} asked;

/* ---- the question ---- */

/* A slot per device or, with several stages per device, per stage; these share its memory. */
static void make_slots(asked *a)
{
    const pipe_job *p = a->p;
    const pipe_devices *d = &p->plan.devices;
    gsp_schedule_desc by = p->plan.schedule;
    uint32_t const chunks = by.n_chunks > 1u ? by.n_chunks : 1u;
    a->d.n_slots = d->n * chunks;
    a->slots = (cli_slot *)cli_alloc(p->session, (size_t)a->d.n_slots + 1u, sizeof *a->slots);
    by.n_devices = d->n;
    for (uint32_t i = 0; i < a->d.n_slots; i++) {
        int const spread = p->plan.has_schedule && p->policy.n_stages == a->d.n_slots;
        uint32_t const device = spread ? gsp_schedule_device(&by, i) : i;
        a->slots[i] = d->slots[device];
        a->slots[i].bytes /= chunks;
    }
    a->d.slots = a->slots;
}

static void ask(asked *a, pipe_job *p)
{
    size_t const n = (size_t)p->graph.n_nodes + 1u;
    const gsp_stages_optimal_desc *o = &p->plan.optimal_desc;
    memset(a, 0, sizeof *a);
    a->p = p;
    a->layer = (uint32_t *)cli_alloc(p->session, n, sizeof *a->layer);
    a->kv = (uint64_t *)cli_alloc(p->session, n, sizeof *a->kv);
    p->plan.devices.tokens = !pipe_has_tokens(p) ? 0u : p->opt.context != 0 ? p->opt.context : 1u;
    pipe_layers(p, p->plan.devices.tokens, a->layer, a->kv);
    a->line_desc.session = p->session;
    a->line_desc.graph = &p->graph;
    a->line_desc.costs = &p->plan.costs;
    a->line_desc.group = p->opt.keep_groups ? cli_groups(p->session, &p->graph) : NULL;
    a->line_desc.layer = a->layer;
    a->line_desc.kv = a->kv;
    a->line_desc.marker = p->opt.marker;
    a->line_desc.trains = o->model.microbatches != 0;
    a->line_desc.carried = p->opt.carried || p->plan.devices.links != NULL;
    cli_device_line_open(&a->line, &a->line_desc);
    make_slots(a);
    a->d.session = p->session;
    a->d.line = &a->line;
    a->d.links = p->plan.devices.links;
    a->d.n_devices = p->plan.devices.n;
    a->d.n_used =
        p->policy.n_stages < a->line.n || p->opt.replicas ? p->policy.n_stages : a->line.n;
    a->d.any_order = p->opt.any_order;
    a->d.latency = p->plan.devices.latency;
    a->d.replicas = p->opt.replicas;
    a->d.copies = p->opt.copies != 0 ? p->opt.copies : 1u;
    a->d.microbatches = o->model.microbatches;
    a->d.held = o->model.held;
    a->d.bandwidth = p->opt.bandwidth;
    a->d.first_time = o->model.first_time;
    a->d.last_time = o->model.last_time;
    a->d.max_work = o->max_work != 0 ? o->max_work : MAX_WORK;
}

/* ---- figures ---- */

static cli_device_range range_of(asked *a, uint32_t begin, uint32_t end)
{
    cli_device_range r = cli_device_range_open(&a->line, begin);
    while (r.end < end) {
        cli_device_range_grow(&a->line, &r);
    }
    return r;
}

/* The unit that begins at a place of calls. */
static uint32_t unit_at(const asked *a, uint32_t place)
{
    uint32_t unit = 0;
    while (a->line.cut[unit] < place) {
        unit++;
    }
    return unit;
}

/* The bytes of a stage on a slot, live ones too. */
static uint64_t memory_of(asked *a, cli_device_range *r, uint32_t used, uint32_t width)
{
    uint64_t const bytes = cli_device_memory(&a->d, r, used, width);
    if (a->line_desc.trains) {
        return bytes;
    }
    cli_device_range_measure(&a->line, r);
    return cli_add(bytes, cli_add(r->most, r->passing));
}

/* The load of a stage, and what it is made of. */
static void weigh(asked *a, const cli_device_stages_result *r, uint32_t stage, uint32_t used,
    gsp_stage_cost *load)
{
    cli_device_range range = range_of(a, unit_at(a, r->cut[stage]), unit_at(a, r->cut[stage + 1u]));
    cli_device_stages_desc d = a->d;
    uint32_t const width = r->width[stage];
    uint32_t const slot = r->slot[stage];
    uint32_t ends[3];
    uint32_t alone[3];
    uint64_t both;
    ends[0] = stage > 0 ? a->slots[r->slot[stage - 1u]].device : GSP_NONE;
    ends[1] = a->slots[slot].device;
    ends[2] = stage + 1u < r->n_stages ? a->slots[r->slot[stage + 1u]].device : GSP_NONE;
    alone[0] = ends[0];
    alone[1] = ends[1];
    alone[2] = GSP_NONE;
    load->n_nodes = r->cut[stage + 1u] - r->cut[stage];
    load->params = range.params;
    load->memory = memory_of(a, &range, used, width);
    load->stash = a->line_desc.trains ? range.stash : range.most;
    d.latency = 0;
    load->time = cli_device_load(&d, &range, ends, used, slot, width);
    range.leave = 0;
    both = cli_device_load(&d, &range, alone, used, slot, width);
    load->leave = load->time - both;
    range.enter = 0;
    alone[0] = GSP_NONE;
    load->compute = cli_device_load(&d, &range, alone, used, slot, width);
    load->enter = both - load->compute;
    load->time -= a->d.latency ? load->leave : 0u;
    load->leave = a->d.latency ? 0u : load->leave;
}

static uint32_t held_of(const asked *a, uint32_t used, uint32_t width)
{
    uint32_t const rest = a->d.n_used - used;
    uint32_t const held = a->d.held != NULL          ? a->d.held[used]
                          : rest < a->d.microbatches ? rest
                                                     : a->d.microbatches;
    return (held + width - 1u) / width;
}

/* The names of the devices of a stage. */
static gsp_str names_of(
    const asked *a, const cli_device_stages_result *r, uint32_t used, uint32_t n)
{
    const pipe_devices *d = &a->p->plan.devices;
    cli_buffer text;
    gsp_str name;
    cli_buffer_init(&text, a->p->session);
    for (uint32_t i = used; i < used + n; i++) {
        cli_puts(&text, i != used ? "," : "");
        cli_put_text(&text, d->names[a->slots[r->used[i]].device]);
    }
    name.data = text.data;
    name.size = (uint32_t)text.size;
    return name;
}

static void take(asked *a, const cli_device_stages_result *r)
{
    pipe_job *p = a->p;
    pipe_devices *d = &p->plan.devices;
    size_t const n = (size_t)r->n_stages + 1u;
    uint32_t used = 0;
    uint32_t *stage_of =
        (uint32_t *)cli_alloc(p->session, (size_t)p->graph.n_nodes + 1u, sizeof *stage_of);
    memset(stage_of, 0xFF, ((size_t)p->graph.n_nodes + 1u) * sizeof *stage_of);
    d->loads = (gsp_stage_cost *)cli_alloc(p->session, n, sizeof *d->loads);
    d->on = (gsp_str *)cli_alloc(p->session, n, sizeof *d->on);
    d->room = (uint64_t *)cli_alloc(p->session, (size_t)d->n + n, sizeof *d->room);
    for (uint32_t i = 0; i < r->n_stages; i++) {
        for (uint32_t k = r->cut[i]; k < r->cut[i + 1u]; k++) {
            stage_of[a->line.calls[k]] = i;
        }
        weigh(a, r, i, used, &d->loads[i]);
        d->loads[i].held = a->line_desc.trains ? held_of(a, used, r->width[i]) : 0u;
        d->on[i] = names_of(a, r, used, r->width[i]);
        used += r->width[i];
    }
    for (uint32_t i = 0; i < d->n || i < r->n_stages; i++) {
        d->room[i] = p->plan.schedule.n_chunks > 1u || i >= r->n_stages
                         ? d->slots[i % d->n].bytes
                         : a->slots[r->slot[i]].bytes;
    }
    p->plan.result.stage_of = stage_of;
    p->plan.result.n_stages = r->n_stages;
    p->plan.result.objective = r->objective;
    p->plan.result.lower_bound = r->lower_bound;
    p->plan.result.proved = (uint32_t)(r->lower_bound == r->objective);
    p->plan.result.work = r->work;
    d->any_order = (uint32_t)r->all_orders;
}

/* Stages of equal numbers of units on the first devices; UINT64_MAX where a link is missing. */
static uint64_t reference_of(asked *a)
{
    uint32_t const n = a->d.n_used < a->line.n ? a->d.n_used : a->line.n;
    uint64_t result = 0;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const rest = a->line.n - begin;
        uint32_t const end = begin + rest / (n - i) + (rest % (n - i) != 0);
        cli_device_range const r = range_of(a, begin, end);
        uint32_t ends[3];
        uint64_t load;
        ends[0] = i > 0 ? a->slots[i - 1u].device : GSP_NONE;
        ends[1] = a->slots[i].device;
        ends[2] = i + 1u < n ? a->slots[i + 1u].device : GSP_NONE;
        load = cli_device_load(&a->d, &r, ends, i, i, 1u);
        result = a->d.latency ? cli_add(result, load) : load > result ? load : result;
        begin = end;
    }
    return result;
}

/* ---- context ---- */

/* Tokens that fit stages of so many tokens, by what each token takes on the fullest device. */
static uint64_t fits_of(asked *a, const cli_device_stages_result *r, uint64_t tokens)
{
    uint64_t more = MOST_TOKENS - tokens;
    uint32_t used = 0;
    for (uint32_t i = 0; i < r->n_stages; i++) {
        cli_device_range range = range_of(a, unit_at(a, r->cut[i]), unit_at(a, r->cut[i + 1u]));
        uint64_t const room = a->slots[r->slot[i]].bytes;
        uint64_t const before = range.kv;
        uint64_t const bytes = memory_of(a, &range, used, r->width[i]);
        uint64_t each;
        pipe_layers(a->p, tokens + 1u, a->layer, a->kv);
        each = range_of(a, range.begin, range.end).kv - before;
        pipe_layers(a->p, tokens, a->layer, a->kv);
        more = each != 0 && (room - bytes) / each < more ? (room - bytes) / each : more;
        used += r->width[i];
    }
    return tokens + more;
}

/* The most tokens for which there are stages, by halving. */
static void find_most(asked *a, uint64_t fits)
{
    pipe_devices *d = &a->p->plan.devices;
    uint64_t const max_work = a->d.max_work;
    uint64_t room = 0;
    uint64_t each;
    uint64_t high;
    for (uint32_t i = 0; i < a->d.n_slots; i++) {
        room = cli_add(room, a->slots[i].bytes);
    }
    pipe_layers(a->p, 1u, a->layer, a->kv);
    each = range_of(a, 0, a->line.n).kv;
    pipe_layers(a->p, 0, a->layer, a->kv);
    each -= range_of(a, 0, a->line.n).kv;
    high = each != 0 && room / each < MOST_TOKENS ? room / each : MOST_TOKENS;
    d->most = fits;
    d->most_known = 1;
    a->d.max_work = max_work < WORK_OF_TRY ? max_work : WORK_OF_TRY;
    while (d->most < high) {
        uint64_t const tokens = d->most + (high - d->most + 1u) / 2u;
        cli_device_stages_result r;
        pipe_layers(a->p, tokens, a->layer, a->kv);
        cli_device_stages_run(&a->d, &r);
        if (r.n_stages != 0) {
            d->most = fits_of(a, &r, tokens);
        } else {
            d->most_known = d->most_known && r.complete;
            high = tokens - 1u;
        }
    }
    a->d.max_work = max_work;
    pipe_layers(a->p, d->tokens, a->layer, a->kv);
}

/* ---- why there are no stages ---- */

static const char *text_of(cli_buffer *text)
{
    cli_put(text, "", 1u);
    return text->data;
}

/* The least that a unit alone takes on a slot, as far as it has to be known. */
static uint64_t least_of(asked *a, uint32_t slot, uint32_t *unit)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t u = 0; u < a->line.n && least > a->slots[slot].bytes; u++) {
        cli_device_range r = range_of(a, u, u + 1u);
        uint64_t const bytes = memory_of(a, &r, a->d.n_used - 1u, 1u);
        *unit = bytes < least ? u : *unit;
        least = bytes < least ? bytes : least;
    }
    return least;
}

/* A device without room for any layer, where each has to have one. */
static const char *explain_device(asked *a)
{
    const pipe_devices *d = &a->p->plan.devices;
    cli_buffer text;
    for (uint32_t i = 0; i < a->d.n_slots && a->d.n_used == a->d.n_slots; i++) {
        uint32_t unit = 0;
        uint64_t const least = least_of(a, i, &unit);
        if (least > a->slots[i].bytes) {
            cli_buffer_init(&text, a->p->session);
            cli_puts(&text, "--device ");
            cli_put_text(&text, d->names[a->slots[i].device]);
            cli_printf(&text, ": no layer fits into its %" PRIu64 " bytes; the smallest, %%",
                a->slots[i].bytes);
            cli_put_text(&text, gsp_node_name(&a->p->graph, a->line.calls[a->line.cut[unit]]));
            cli_printf(&text, ", takes %" PRIu64, least);
            return text_of(&text);
        }
    }
    return NULL;
}

/* A layer that is too large for every device. */
static const char *explain_layer(asked *a)
{
    uint64_t most = 0;
    cli_buffer text;
    for (uint32_t i = 0; i < a->d.n_slots; i++) {
        most = a->slots[i].bytes > most ? a->slots[i].bytes : most;
    }
    for (uint32_t u = 0; u < a->line.n; u++) {
        cli_device_range r = range_of(a, u, u + 1u);
        uint64_t const bytes = memory_of(a, &r, a->d.n_used - 1u, 1u);
        if (bytes > most) {
            cli_buffer_init(&text, a->p->session);
            cli_puts(&text, "--device: %");
            cli_put_text(&text, gsp_node_name(&a->p->graph, a->line.calls[a->line.cut[u]]));
            cli_printf(&text, " takes %" PRIu64 " bytes, and the largest device has %" PRIu64,
                bytes, most);
            return text_of(&text);
        }
    }
    return NULL;
}

/* Layers that take more than all devices have together. */
static const char *explain_sum(asked *a)
{
    cli_device_range const all = range_of(a, 0, a->line.n);
    uint64_t const bytes = cli_add(all.params, all.kv);
    uint64_t room = 0;
    cli_buffer text;
    for (uint32_t i = 0; i < a->d.n_slots; i++) {
        room = cli_add(room, a->slots[i].bytes);
    }
    if (bytes <= room) {
        return NULL;
    }
    cli_buffer_init(&text, a->p->session);
    cli_puts(&text, "--device: ");
    cli_put_need(&text, bytes);
    cli_puts(&text, " of layers do not fit into ");
    cli_put_need(&text, room);
    cli_printf(&text, " of devices (%" PRIu64 " bytes into %" PRIu64 ")", bytes, room);
    return text_of(&text);
}

/* The first two devices without a link, in a row where their order is given. */
static const char *explain_links(asked *a)
{
    const pipe_devices *d = &a->p->plan.devices;
    cli_device_stages_desc free_links = a->d;
    cli_device_stages_result r;
    cli_buffer text;
    double *links = (double *)cli_alloc(a->p->session, (size_t)d->n * d->n + 1u, sizeof *links);
    if (d->links == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < (size_t)d->n * d->n; i++) {
        links[i] = d->links[i] > 0.0 ? d->links[i] : 1e18;
    }
    free_links.links = links;
    cli_device_stages_run(&free_links, &r);
    for (uint32_t i = 0; i < d->n && r.n_stages != 0; i++) {
        for (uint32_t k = i + 1u; k < d->n && (a->d.any_order || k == i + 1u); k++) {
            if (d->links[(size_t)i * d->n + k] > 0.0) {
                continue;
            }
            cli_buffer_init(&text, a->p->session);
            cli_puts(&text, "--bandwidth: bytes must cross from ");
            cli_put_text(&text, d->names[i]);
            cli_puts(&text, " to ");
            cli_put_text(&text, d->names[k]);
            cli_puts(&text, ", and no bandwidth of that link is given: add --bandwidth ");
            cli_put_text(&text, d->names[i]);
            cli_puts(&text, ",");
            cli_put_text(&text, d->names[k]);
            cli_puts(&text, "=BYTES_PER_S");
            return text_of(&text);
        }
    }
    return NULL;
}

static const char *explain(asked *a, const cli_device_stages_result *r)
{
    const pipe_devices *d = &a->p->plan.devices;
    const char *why;
    cli_buffer text;
    if (d->tokens > 1u) {
        find_most(a, 0);
    }
    if (d->most != 0) {
        cli_buffer_init(&text, a->p->session);
        cli_printf(&text, "--context %" PRIu64 ": no stages fit the devices; %s%" PRIu64 " token%s",
            d->tokens, d->most_known ? "" : "at least ", d->most, d->most == 1u ? " does" : "s do");
        return text_of(&text);
    }
    why = explain_device(a);
    why = why != NULL ? why : explain_layer(a);
    why = why != NULL ? why : explain_sum(a);
    why = why != NULL ? why : explain_links(a);
    if (why != NULL) {
        return why;
    }
    cli_buffer_init(&text, a->p->session);
    if (a->d.n_used == 1u) {
        cli_puts(&text, "--device: the whole graph fits no device");
        return text_of(&text);
    }
    cli_printf(&text, "--device: no %" PRIu32 " contiguous stages fit the devices in %s%s",
        a->d.n_used, a->d.any_order ? "any order" : "the given order",
        r->complete      ? ""
        : a->d.any_order ? ", among those tried"
                         : " among those tried");
    cli_puts(&text, a->d.any_order ? "" : "; --any-order tries others");
    return text_of(&text);
}

/* ---- the pass ---- */

static gsp_status refuse(pipe_job *p, gsp_status status, const char *why, gsp_error *err)
{
    memset(err, 0, sizeof *err);
    err->status = status;
    p->plan.devices.why = why;
    return status;
}

gsp_status pipe_devices_run(pipe_job *p, gsp_error *err)
{
    asked a;
    cli_device_stages_result r;
    gsp_node v;
    uint64_t ignored;
    for (v = 0; v < p->graph.n_nodes; v++) {
        if (cli_own_bytes(&p->graph, v, &ignored, &ignored) ||
            cli_own_move(&p->graph, v, 0, &ignored)) {
            return refuse(p, GSP_STATUS_ARG,
                "--device: nodes with fixed=, kept= or each= have equal devices alone", err);
        }
    }
    ask(&a, p);
    if (p->opt.context != 0 && p->plan.devices.tokens == 0) {
        return refuse(p, GSP_STATUS_ARG,
            "--context: no layer has kv_per_token=, by which tokens take memory", err);
    }
    if (p->plan.timeless && a.line.n != 0) {
        return refuse(p, GSP_STATUS_ARG,
            "--device: no node has compute=, so no device is faster than another; --time-unit "
            "says what to count instead: nodes, or seconds from shapes",
            err);
    }
    cli_progress(p->session, "searching stages");
    memset(&p->plan.result, 0, sizeof p->plan.result);
    if (a.line.n == 0) {
        memset(&r, 0, sizeof r);
        r.cut = (uint32_t *)cli_alloc(p->session, 1u, sizeof *r.cut);
        take(&a, &r);
        return GSP_OK;
    }
    cli_device_stages_run(&a.d, &r);
    if (r.n_stages == 0) {
        return refuse(p, GSP_STATUS_NO_FIT, explain(&a, &r), err);
    }
    p->plan.result.n_nodes = p->graph.n_nodes;
    take(&a, &r);
    p->plan.result.reference = reference_of(&a);
    if (p->plan.devices.tokens != 0) {
        p->plan.devices.fits = fits_of(&a, &r, p->plan.devices.tokens);
        find_most(&a, p->plan.devices.fits);
    }
    cli_device_line_close(&a.line);
    cli_release(p->session, a.slots);
    return GSP_OK;
}

void pipe_devices_loads(pipe_job *p)
{
    gsp_stage_costs_result *costs = &p->plan.stage_costs;
    gsp_stage_cost *loads = p->plan.devices.loads;
    if (p->plan.devices.n == 0) {
        return;
    }
    costs->slowest = 0;
    costs->greatest = 0;
    for (uint32_t i = 1; i < p->made.n_stages; i++) {
        costs->slowest = loads[i].time > loads[costs->slowest].time ? i : costs->slowest;
        costs->greatest = loads[i].memory > loads[costs->greatest].memory ? i : costs->greatest;
    }
    costs->stages = p->plan.loads = loads;
}
