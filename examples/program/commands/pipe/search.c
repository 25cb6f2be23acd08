/* The search for stages of units: what the options ask of it, and where its result goes. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

int pipe_search_wanted(pipe_job *p)
{
    const pipe_options *o = &p->opt;
    uint64_t ignored;
    gsp_node v;
    memset(&p->plan.search, 0, sizeof p->plan.search);
    for (v = 0; v < p->graph.n_nodes; v++) {
        p->plan.search.own_bytes |= cli_own_bytes(&p->graph, v, &ignored, &ignored);
        p->plan.search.own_moves |= cli_own_move(&p->graph, v, 0, &ignored);
    }
    return p->plan.search.own_bytes || p->plan.search.own_moves || o->keep_groups || o->replicas ||
           o->cores != 0 || o->orders > 1u;
}

/* The live bytes of a stage, for the search. */
typedef struct asked {
    const pipe_job *p;
    const gsp_downsets_graph_result *made;
    uint32_t *stage_of; /* [nodes] */
} asked;

static uint64_t find_peak(void *user, const uint8_t *place)
{
    const asked *a = (const asked *)user;
    for (gsp_node v = 0; v < a->p->graph.n_nodes; v++) {
        uint32_t const unit = a->made->unit_of[v];
        a->stage_of[v] = unit != GSP_NONE ? place[unit] : GSP_NONE;
    }
    return pipe_inference_peak(a->p, a->stage_of);
}

static void ask_peaks(asked *a, gsp_downsets_desc *d)
{
    const gsp_graph *g = &a->p->graph;
    d->peak = find_peak;
    d->peak_user = a;
    d->peak_work = 32u * ((uint64_t)g->n_nodes + 1u);
    if (d->peak_work < 8u * (uint64_t)a->p->counts.edges) {
        d->peak_work = 8u * (uint64_t)a->p->counts.edges;
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        d->peak_most = cli_add(d->peak_most, gsp_node_bytes(g, v));
        d->peak_most = cli_add(
            d->peak_most, g->module->run_bytes != NULL ? g->module->run_bytes[g->first + v] : 0u);
    }
}

/* The search, without its units. */
static gsp_downsets_desc stages_of(const pipe_job *p)
{
    const gsp_stages_optimal_desc *o = &p->plan.optimal_desc;
    gsp_downsets_desc d;
    memset(&d, 0, sizeof d);
    d.n_devices = o->n_devices * o->n_chunks;
    d.n_cores = (uint32_t)p->opt.cores;
    d.exact = (uint32_t)p->plan.has_schedule;
    d.replicas = p->opt.replicas;
    d.carried = o->model.carried;
    d.by_bytes = o->goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES;
    d.microbatches = o->model.microbatches;
    d.held = o->model.held;
    d.copies = o->model.copies != 0 ? o->model.copies : 1u;
    if (o->memory != 0) { /* less than a byte is one: 0 means no limit */
        d.memory = o->memory / o->n_chunks + (o->memory < o->n_chunks ? 1u : 0u);
    }
    d.first_time = o->model.first_time;
    d.last_time = o->model.last_time;
    d.max_work = o->max_work;
    d.progress = cli_search_asked;
    d.progress_user = p->session;
    return d;
}

/* The units of the graph, for a search; there are none if they are too many. They are in the
 * arena. */
static void make_units(
    pipe_job *p, const gsp_downsets_desc *stages, gsp_arena *arena, gsp_downsets_graph_result *made)
{
    gsp_downsets_graph_desc *units = &p->plan.search.units;
    gsp_downsets_desc limits = *stages;
    cli_unit_costs_desc d;
    if (p->plan.search.own_bytes && stages->memory != 0) {
        limits.exact = 1; /* memory that nodes state keeps them apart */
    }
    memset(&d, 0, sizeof d);
    d.graph = &p->graph;
    d.costs = &p->plan.costs;
    d.marker = p->opt.marker;
    d.keep_groups = p->opt.keep_groups;
    d.own_bytes = (uint32_t)p->plan.search.own_bytes;
    d.bandwidth = p->plan.rates.bandwidth;
    d.stages = &limits;
    cli_unit_costs(p->session, &d, units);
    memset(made, 0, sizeof *made);
    cli_arena(p->session, arena, gsp_downsets_graph_bound(&p->graph, units));
    (void)gsp_downsets_graph_run(arena, &p->graph, units, made, NULL);
    units->stages = NULL;
}

static int all_run_on_devices(const gsp_downsets_units *u)
{
    uint32_t i = 0;
    while (i < u->n && u->own[i].no_device == 0) {
        i++;
    }
    return i == u->n;
}

/* The result of the search as that of the plan. */
static void take_stages(
    pipe_job *p, const gsp_downsets_graph_result *made, const gsp_downsets_result *r)
{
    gsp_stages_optimal_result *known = &p->plan.result;
    known->stage_of =
        (uint32_t *)cli_alloc(p->session, (size_t)p->graph.n_nodes + 1u, sizeof *known->stage_of);
    known->n_stages =
        cli_places_take(p->session, &p->graph, made, r, known->stage_of, &p->plan.search.places);
    known->objective = r->objective;
    known->order = 0;
    p->plan.search.found = 1;
}

/* Searches; the stages are in the memory of the session. Without an answer the result is empty. */
static void search(
    cli_session *s, const gsp_downsets_units *u, const gsp_downsets_desc *d, gsp_downsets_result *r)
{
    uint32_t *stage_of = (uint32_t *)cli_alloc(s, (size_t)u->n + 1u, sizeof *stage_of);
    uint32_t *n_devices;
    gsp_arena arena;
    memset(r, 0, sizeof *r);
    cli_arena(s, &arena, gsp_downsets_bound(u, d));
    if (gsp_downsets_run(&arena, u, d, r, NULL) != GSP_OK) {
        r->n_stages = 0;
        r->objective = UINT64_MAX;
    }
    n_devices = (uint32_t *)cli_alloc(s, (size_t)r->n_stages + 1u, sizeof *n_devices);
    if (r->n_stages != 0) {
        memcpy(stage_of, r->stage_of, u->n * sizeof *stage_of);
        memcpy(n_devices, r->n_devices, r->n_stages * sizeof *n_devices);
    }
    r->stage_of = stage_of;
    r->n_devices = n_devices;
    cli_release(s, arena.base);
}

/* By parameters alone; 1 if what it finds, or that it finds nothing, holds with live bytes. */
static int search_by_params(const asked *a, const gsp_downsets_desc *full, gsp_downsets_result *r)
{
    gsp_downsets_desc d = *full;
    uint64_t const start = d.n_start != 0 ? d.start_objective : UINT64_MAX;
    d.peak = NULL;
    search(a->p->session, &a->made->units, &d, r);
    for (gsp_node v = 0; v < a->p->graph.n_nodes && r->n_stages != 0; v++) {
        uint32_t const unit = a->made->unit_of[v];
        a->stage_of[v] = unit != GSP_NONE ? r->stage_of[unit] : GSP_NONE;
    }
    return r->objective >= start ||
           pipe_inference_has_room(a->p, r->n_stages, a->stage_of, r->n_devices);
}

static void search_stages(const asked *a, const gsp_downsets_desc *d, gsp_downsets_result *r)
{
    uint64_t least = 0;
    if (d->peak != NULL && !d->by_bytes) {
        if (search_by_params(a, d, r)) {
            return;
        }
        least = r->lower_bound;
    }
    search(a->p->session, &a->made->units, d, r);
    r->lower_bound = least > r->lower_bound ? least : r->lower_bound;
}

/* The stages that are known, if units fit in them. */
static void start_from(pipe_job *p, const gsp_downsets_graph_result *made, gsp_downsets_desc *d)
{
    const gsp_stages_optimal_result *known = &p->plan.result;
    uint32_t *start = (uint32_t *)cli_alloc(p->session, (size_t)made->units.n + 1u, sizeof *start);
    if (cli_places_start(p->session, &p->graph, &p->plan.search.units, made, known, start)) {
        d->start = start;
        d->start_objective = known->objective;
        d->n_start = known->n_stages;
    }
}

/* What a search found; returns whether there is a plan. */
static int take_result(
    pipe_job *p, const gsp_downsets_graph_result *made, const gsp_downsets_result *r, int has_plan)
{
    gsp_stages_optimal_result *known = &p->plan.result;
    has_plan = has_plan && !made->has_backward; /* its devices have no order back */
    p->plan.search.ran = 1;
    p->plan.search.n_units = made->units.n;
    p->plan.search.n_downsets = r->n_sets;
    p->plan.search.complete = (int)r->complete;
    p->plan.search.all_sets = (int)r->all_sets;
    known->work += r->work;
    if (r->n_stages != 0 && (!has_plan || r->objective < known->objective)) {
        take_stages(p, made, r);
        has_plan = 1;
    }
    known->lower_bound = r->lower_bound < known->objective ? r->lower_bound : known->objective;
    known->proved = known->lower_bound == known->objective;
    return has_plan;
}

int pipe_search_run(pipe_job *p, int has_plan)
{
    cli_session *s = p->session;
    gsp_downsets_graph_result made;
    gsp_downsets_desc d = stages_of(p);
    gsp_downsets_result r;
    gsp_arena arena;
    asked peaks = {p, &made, (uint32_t *)cli_alloc(s, (size_t)p->graph.n_nodes + 1u, 4u)};
    if (pipe_inference_limits(p)) {
        ask_peaks(&peaks, &d);
    }
    make_units(p, &d, &arena, &made);
    memset(&r, 0, sizeof r);
    has_plan = has_plan && !p->plan.search.own_bytes && !p->plan.search.own_moves &&
               all_run_on_devices(&made.units);
    if (has_plan) {
        start_from(p, &made, &d);
    }
    if (made.units.n != 0 && !(made.has_backward && p->plan.has_schedule)) {
        cli_search_begin();
        search_stages(&peaks, &d, &r);
        cli_search_end();
        has_plan = take_result(p, &made, &r, has_plan);
    }
    if (r.stopped != 0) {
        cli_search_told(s, "the stages are the best");
    }
    cli_release(s, arena.base);
    return has_plan;
}

/* ---- costs ---- */

int pipe_search_has_places(const pipe_job *p)
{
    const pipe_search *f = &p->plan.search;
    uint32_t i = 0;
    while (f->found && i < f->places.n && f->places.n_devices[i] == 1u) {
        i++;
    }
    return f->found && (i < f->places.n || p->made.n_stages != f->places.n);
}

void pipe_search_loads(pipe_job *p)
{
    const pipe_search *f = &p->plan.search;
    cli_places_desc d;
    if (!pipe_search_has_places(p) && !(f->found && (f->own_bytes || f->own_moves))) {
        return;
    }
    memset(&d, 0, sizeof d);
    d.graph = &p->graph;
    d.model = &p->plan.optimal_desc.model;
    d.stage_of = p->stage_of;
    d.places = &f->places;
    d.units = &f->units;
    d.bandwidth = p->plan.rates.bandwidth;
    d.own_bytes = (uint32_t)f->own_bytes;
    cli_places_cost(p->session, &d, &p->plan.stage_costs);
}

void pipe_put_place(const pipe_job *p, cli_buffer *out, uint32_t stage)
{
    const pipe_search *f = &p->plan.search;
    uint32_t const place = f->places.place_of[stage];
    uint32_t devices = 0;
    uint32_t cores = 0;
    uint32_t i;
    for (i = 0; i < place; i++) {
        devices += f->places.n_devices[i];
        cores += f->places.n_devices[i] == 0 ? 1u : 0u;
    }
    if (f->places.n_devices[place] == 0) {
        cli_printf(out, "cpu %" PRIu32, cores);
    } else if (f->places.n_devices[place] == 1u) {
        cli_printf(out, "device %" PRIu32, devices);
    } else {
        cli_printf(out, "devices %" PRIu32 "-%" PRIu32, devices,
            devices + f->places.n_devices[place] - 1u);
    }
}
