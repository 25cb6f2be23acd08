/* graphsplit pipe: stages on unequal devices, and what each takes there. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

#define WORK_OF_TRY ((uint64_t)1 << 24) /* whether tokens of context fit */
#define MOST_TOKENS ((uint64_t)1 << 40)

/* The search, and what it is about. */
typedef struct asked {
    pipe_job *p;
    gsp_arena arena;
    gsp_stages_unequal_desc d;
    gsp_costs costs;
    gsp_stages_device *slots; /* [d.n_devices] of stages */
    uint32_t *layer;          /* [n] */
    uint64_t *kv;             /* [2 * n] of layers */
} asked;

/* ---- the question ---- */

/* A slot per device or, with several stages per device, per stage; these share its memory. */
static void make_slots(asked *a)
{
    const pipe_job *p = a->p;
    const pipe_devices *d = &p->plan.devices;
    gsp_schedule_desc by = p->plan.schedule;
    uint32_t const chunks = by.n_chunks > 1u ? by.n_chunks : 1u;
    a->d.n_devices = d->n * chunks;
    a->slots =
        (gsp_stages_device *)cli_alloc(p->session, (size_t)a->d.n_devices + 1u, sizeof *a->slots);
    by.n_devices = d->n;
    for (uint32_t i = 0; i < a->d.n_devices; i++) {
        int const spread = p->plan.has_schedule && p->policy.n_stages == a->d.n_devices;
        uint32_t const device = spread ? gsp_schedule_device(&by, i) : i;
        a->slots[i] = d->slots[device];
        a->slots[i].bytes /= chunks;
    }
    a->d.devices = a->slots;
}

/* In inference items are parameters of called graphs, too. */
static void make_costs(asked *a)
{
    pipe_job *p = a->p;
    cli_params params;
    a->costs = p->plan.costs;
    if (p->plan.optimal_desc.model.microbatches == 0) {
        cli_params_open(&params, p->session, p->graph.module);
        cli_params_items(&params, p->session, &p->graph, &a->costs);
        cli_params_close(&params, p->session);
    }
    a->d.costs = &a->costs;
}

static void ask(asked *a, pipe_job *p)
{
    size_t const n = (size_t)p->graph.n_nodes + 1u;
    const gsp_stages_optimal_desc *o = &p->plan.optimal_desc;
    memset(a, 0, sizeof *a);
    a->p = p;
    a->layer = (uint32_t *)cli_alloc(p->session, n, sizeof *a->layer);
    a->kv = (uint64_t *)cli_alloc(p->session, 2u * n, sizeof *a->kv);
    p->plan.devices.tokens = !pipe_has_tokens(p) ? 0u : p->opt.context != 0 ? p->opt.context : 1u;
    a->d.n_layers = pipe_layers(p, p->plan.devices.tokens, a->layer, a->kv);
    a->d.layer_of = a->layer;
    a->d.layer_bytes = a->kv;
    make_slots(a);
    make_costs(a);
    a->d.links = p->plan.devices.links;
    a->d.n_links = p->plan.devices.n;
    a->d.n_used = p->policy.n_stages;
    a->d.any_order = p->opt.any_order;
    a->d.goal =
        p->plan.devices.latency ? GSP_STAGES_UNEQUAL_LATENCY : GSP_STAGES_UNEQUAL_THROUGHPUT;
    a->d.replicas = p->opt.replicas;
    a->d.keep_groups = p->opt.keep_groups;
    a->d.carried = p->opt.carried;
    a->d.copies = (uint32_t)p->opt.copies; /* at most 2^20 */
    a->d.microbatches = o->model.microbatches;
    a->d.held = o->model.held;
    a->d.bandwidth = p->opt.bandwidth;
    a->d.first_time = o->model.first_time;
    a->d.last_time = o->model.last_time;
    a->d.max_work = o->max_work;
    a->d.progress = cli_search_asked;
    a->d.progress_user = p->session;
    a->d.marker = p->opt.marker;
    cli_arena(p->session, &a->arena, gsp_stages_unequal_bound(&p->graph, &a->d));
}

/* A search; the result before it is over. */
static gsp_status search(asked *a, gsp_stages_unequal_result *r, gsp_error *err)
{
    gsp_arena_init(&a->arena, a->arena.base, a->arena.size);
    return gsp_stages_unequal_run(&a->arena, &a->p->graph, &a->d, r, err);
}

/* ---- figures ---- */

/* The names of the devices of a stage. */
static gsp_str names_of(
    const asked *a, const gsp_stages_unequal_result *r, const gsp_stages_unequal_stage *stage)
{
    const pipe_devices *d = &a->p->plan.devices;
    cli_buffer text;
    gsp_str name;
    cli_buffer_init(&text, a->p->session);
    for (uint32_t i = 0; i < stage->n_devices; i++) {
        cli_puts(&text, i != 0 ? "," : "");
        cli_put_text(&text, d->names[a->slots[r->devices[stage->first + i]].link]);
    }
    name.data = text.data;
    name.size = (uint32_t)text.size;
    return name;
}

static gsp_stage_cost load_of(const asked *a, const gsp_stages_unequal_stage *stage)
{
    gsp_stage_cost load;
    load.n_nodes = stage->n_nodes;
    load.held = stage->held;
    load.time = stage->time;
    load.compute = stage->compute;
    load.enter = stage->enter;
    load.leave = stage->leave;
    load.params = stage->params;
    load.stash = a->d.microbatches != 0 ? stage->stash : stage->live;
    load.memory = stage->memory;
    return load;
}

static uint64_t room_of(
    const asked *a, const gsp_stages_unequal_result *r, const gsp_stages_unequal_stage *stage)
{
    return a->slots[r->devices[stage->first]].bytes;
}

static void take(asked *a, const gsp_stages_unequal_result *r)
{
    pipe_job *p = a->p;
    pipe_devices *d = &p->plan.devices;
    gsp_stages_optimal_result *result = &p->plan.result;
    size_t const n = (size_t)r->n_stages + 1u;
    size_t const nodes = p->graph.n_nodes;
    result->stage_of = (uint32_t *)cli_alloc(p->session, nodes + 1u, sizeof *result->stage_of);
    memcpy(result->stage_of, r->stage_of, nodes * sizeof *result->stage_of);
    d->loads = (gsp_stage_cost *)cli_alloc(p->session, n, sizeof *d->loads);
    d->on = (gsp_str *)cli_alloc(p->session, n, sizeof *d->on);
    d->room = (uint64_t *)cli_alloc(p->session, (size_t)d->n + n, sizeof *d->room);
    for (uint32_t i = 0; i < r->n_stages; i++) {
        d->loads[i] = load_of(a, &r->stages[i]);
        d->on[i] = names_of(a, r, &r->stages[i]);
    }
    for (uint32_t i = 0, slot = 0; i < d->n || i < r->n_stages; i++) {
        d->room[i] = p->plan.schedule.n_chunks > 1u || i >= r->n_stages
                         ? d->slots[slot].bytes
                         : room_of(a, r, &r->stages[i]);
        slot = slot + 1u < d->n ? slot + 1u : 0u;
    }
    result->n_nodes = r->n_nodes;
    result->n_stages = r->n_stages;
    result->objective = r->objective;
    result->lower_bound = r->lower_bound;
    result->reference = r->reference;
    d->no_reference = !r->reference_fits;
    result->proved = r->proved;
    result->work = r->work;
    d->any_order = r->all_orders;
}

/* ---- context ---- */

/* Bytes that the layers of each stage keep with so many tokens; all calls are of stage 0 without
 * stages. */
static void sum_kept(
    asked *a, uint64_t tokens, const uint32_t *stage_of, uint64_t *kept, uint32_t n)
{
    const gsp_graph *g = &a->p->graph;
    uint32_t *seen = (uint32_t *)cli_alloc(a->p->session, (size_t)a->d.n_layers + 1u, sizeof *seen);
    memset(seen, 0, a->d.n_layers * sizeof *seen);
    memset(kept, 0, n * sizeof *kept);
    (void)pipe_layers(a->p, tokens, a->layer, a->kv);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int const call = gsp_node_is_callable(g, v) && !gsp_stages_is_marker(g, v, a->d.marker);
        uint32_t const stage = stage_of != NULL ? stage_of[v] : 0u;
        uint32_t const layer = a->layer[v];
        if (call && layer != GSP_NONE && seen[layer] != stage + 1u) {
            seen[layer] = stage + 1u;
            kept[stage] = cli_add(kept[stage], a->kv[layer]);
        }
    }
    cli_release(a->p->session, seen);
}

/* Tokens that fit stages of so many tokens, by what each token takes on the fullest device. */
static uint64_t fits_of(asked *a, const gsp_stages_unequal_result *r, uint64_t tokens)
{
    uint64_t more = MOST_TOKENS - tokens;
    uint64_t *kept = (uint64_t *)cli_alloc(a->p->session, (size_t)r->n_stages + 1u, sizeof *kept);
    sum_kept(a, tokens + 1u, r->stage_of, kept, r->n_stages);
    for (uint32_t i = 0; i < r->n_stages; i++) {
        uint64_t const left = room_of(a, r, &r->stages[i]) - r->stages[i].memory;
        uint64_t const each = kept[i] - r->stages[i].kept;
        more = each != 0 && left / each < more ? left / each : more;
    }
    (void)pipe_layers(a->p, tokens, a->layer, a->kv);
    cli_release(a->p->session, kept);
    return tokens + more;
}

/* The most tokens for which there are stages, by halving. */
static void find_most(asked *a, uint64_t fits)
{
    pipe_devices *d = &a->p->plan.devices;
    uint64_t const max_work = a->d.max_work;
    uint64_t room = 0;
    uint64_t none;
    uint64_t each;
    uint64_t high;
    for (uint32_t i = 0; i < a->d.n_devices; i++) {
        room = cli_add(room, a->slots[i].bytes);
    }
    sum_kept(a, 1u, NULL, &each, 1u);
    sum_kept(a, 0, NULL, &none, 1u);
    each -= none;
    high = each != 0 && room / each < MOST_TOKENS ? room / each : MOST_TOKENS;
    d->most = fits;
    d->most_known = 1;
    a->d.max_work = max_work != 0 && max_work < WORK_OF_TRY ? max_work : WORK_OF_TRY;
    while (d->most < high) {
        uint64_t const tokens = d->most + (high - d->most + 1u) / 2u;
        gsp_stages_unequal_result r;
        gsp_error err;
        (void)pipe_layers(a->p, tokens, a->layer, a->kv);
        if (search(a, &r, &err) == GSP_OK) {
            d->most = fits_of(a, &r, tokens);
        } else {
            d->most_known = d->most_known && err.detail == GSP_DETAIL_MEMORY;
            high = tokens - 1u;
        }
    }
    a->d.max_work = max_work;
    (void)pipe_layers(a->p, d->tokens, a->layer, a->kv);
}

/* ---- why there are no stages ---- */

static const char *text_of(cli_buffer *text)
{
    cli_put(text, "", 1u);
    return text->data;
}

static void put_shares(cli_buffer *text, uint32_t stages)
{
    if (stages > 1u) {
        cli_printf(text, " for each of its %" PRIu32 " stages", stages);
    }
}

/* A device without room for any layer, where each has to have one, or a layer that is too large for
 * every device. */
static const char *explain_item(const asked *a, const gsp_error *err)
{
    const gsp_graph *g = &a->p->graph;
    uint32_t const stages = a->d.n_devices / a->p->plan.devices.n;
    cli_buffer text;
    cli_buffer_init(&text, a->p->session);
    if (err->what == GSP_WHAT_DEVICE) {
        cli_puts(&text, "--device ");
        cli_put_text(&text, a->p->plan.devices.names[a->slots[err->node].link]);
        cli_printf(&text, ": no layer fits into its %" PRIu64 " bytes", err->limit);
        put_shares(&text, stages);
        cli_puts(&text, "; the smallest, %");
        cli_put_text(&text, gsp_node_name(g, err->other));
        cli_printf(&text, ", takes %" PRIu64, err->need);
        return text_of(&text);
    }
    cli_puts(&text, "--device: %");
    cli_put_text(&text, gsp_node_name(g, err->node));
    cli_printf(&text, " takes %" PRIu64 " bytes, and the largest device has %" PRIu64, err->need,
        err->limit);
    put_shares(&text, stages);
    return text_of(&text);
}

/* Parameters of all calls, each once, and what their layers keep. */
static uint64_t bytes_of_layers(asked *a)
{
    const gsp_costs *c = &a->costs;
    uint8_t *seen = (uint8_t *)cli_alloc(a->p->session, (size_t)c->n_items + 1u, 1u);
    uint64_t bytes;
    memset(seen, 0, c->n_items);
    sum_kept(a, a->p->plan.devices.tokens, NULL, &bytes, 1u);
    for (uint32_t i = 0; c->item_begin != NULL && i < c->item_begin[c->n_nodes]; i++) {
        bytes = cli_add(bytes, seen[c->items[i]] ? 0u : c->item_bytes[c->items[i]]);
        seen[c->items[i]] = 1;
    }
    cli_release(a->p->session, seen);
    return bytes;
}

/* Layers that take more than all devices have together. */
static const char *explain_sum(asked *a)
{
    uint64_t const bytes = bytes_of_layers(a);
    uint64_t room = 0;
    cli_buffer text;
    for (uint32_t i = 0; i < a->d.n_devices; i++) {
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
    gsp_stages_unequal_result r;
    gsp_status status;
    cli_buffer text;
    double *links = (double *)cli_alloc(a->p->session, (size_t)d->n * d->n + 1u, sizeof *links);
    if (d->links == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < (size_t)d->n * d->n; i++) {
        links[i] = d->links[i] > 0.0 ? d->links[i] : 1e18;
    }
    a->d.links = links;
    status = search(a, &r, NULL);
    a->d.links = d->links;
    for (uint32_t i = 0; i < d->n && status == GSP_OK; i++) {
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

static const char *explain(asked *a, const gsp_error *err)
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
    why = err->what != GSP_WHAT_STAGE ? explain_item(a, err) : explain_sum(a);
    why = why != NULL ? why : explain_links(a);
    if (why != NULL) {
        return why;
    }
    cli_buffer_init(&text, a->p->session);
    if (err->node == 1u) {
        cli_puts(&text, "--device: the whole graph fits no device");
        return text_of(&text);
    }
    cli_printf(&text, "--device: no %" PRIu32 " contiguous stages fit the devices in %s%s",
        err->node, a->d.any_order ? "any order" : "the given order",
        err->detail == GSP_DETAIL_MEMORY ? ""
        : a->d.any_order                 ? ", among those tried"
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

/* Whether a graph has what stages consist of. */
static int has_calls(const asked *a)
{
    const gsp_graph *g = &a->p->graph;
    gsp_node v = 0;
    while (v < g->n_nodes &&
           (!gsp_node_is_callable(g, v) || gsp_stages_is_marker(g, v, a->d.marker))) {
        v++;
    }
    return v < g->n_nodes;
}

static gsp_status find(asked *a, gsp_error *err)
{
    pipe_job *p = a->p;
    gsp_stages_unequal_result r;
    gsp_status const status = search(a, &r, err);
    if (status == GSP_STATUS_NO_FIT) {
        return refuse(p, status, explain(a, err), err);
    }
    if (status != GSP_OK) {
        return status;
    }
    take(a, &r);
    if (p->plan.devices.tokens != 0 && r.n_stages != 0) {
        p->plan.devices.fits = fits_of(a, &r, p->plan.devices.tokens);
        find_most(a, p->plan.devices.fits);
    }
    cli_release(p->session, a->arena.base);
    cli_release(p->session, a->slots);
    return GSP_OK;
}

gsp_status pipe_devices_run(pipe_job *p, gsp_error *err)
{
    asked a;
    gsp_status status;
    uint64_t ignored;
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
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
    if (p->plan.timeless && has_calls(&a)) {
        return refuse(p, GSP_STATUS_ARG,
            "--device: no node has compute=, so no device is faster than another; --time-unit "
            "says what to count instead: nodes, or seconds from shapes",
            err);
    }
    memset(&p->plan.result, 0, sizeof p->plan.result);
    cli_search_begin();
    status = find(&a, err);
    if (cli_search_interrupted()) {
        cli_search_told(p->session, "the stages are the best");
    }
    cli_search_end();
    return status;
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
