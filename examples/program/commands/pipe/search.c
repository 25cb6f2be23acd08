/* The search for stages of units: what the options ask of it, and where its result goes. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

#define MOST_BYTES ((uint64_t)1 << 27) /* for sets of units */
#define MAX_WORK   ((uint64_t)1 << 26)

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
    const cli_graph_units *made;
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

static void ask_peaks(asked *a, cli_stage_desc *d)
{
    const gsp_graph *g = &a->p->graph;
    d->peak = find_peak;
    d->user = a;
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
static cli_stage_desc stages_of(const pipe_job *p)
{
    const gsp_stages_optimal_desc *o = &p->plan.optimal_desc;
    cli_stage_desc d;
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
    d.memory = o->memory != 0 ? o->memory / o->n_chunks : UINT64_MAX;
    d.first_time = o->model.first_time;
    d.last_time = o->model.last_time;
    d.max_work = o->max_work != 0 ? o->max_work : MAX_WORK;
    d.max_bytes = MOST_BYTES;
    return d;
}

/* The units of the graph, for a search. */
static cli_graph_units_desc units_of(const pipe_job *p, const cli_stage_desc *stages)
{
    cli_graph_units_desc d;
    memset(&d, 0, sizeof d);
    d.graph = &p->graph;
    d.n_edges = p->counts.edges;
    d.keep_groups = p->opt.keep_groups;
    d.own_bytes = (uint32_t)p->plan.search.own_bytes;
    d.marker = p->opt.marker;
    d.costs = &p->plan.costs;
    d.bandwidth = p->plan.rates.bandwidth;
    d.stages = stages;
    return d;
}

static int all_run_on_devices(const cli_units *u)
{
    uint32_t i = 0;
    while (i < u->n && u->own[i].no_device == 0) {
        i++;
    }
    return i == u->n;
}

/* The result of the search as that of the plan. */
static void take_stages(pipe_job *p, const cli_graph_units *made, const cli_stage_result *r)
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

/* By parameters alone; 1 if what it finds, or that it finds nothing, holds with live bytes. */
static int search_by_params(const asked *a, const cli_stage_desc *full, cli_stage_result *r)
{
    cli_stage_desc d = *full;
    uint64_t const start = r->objective;
    d.peak = NULL;
    cli_stage_search(a->p->session, &d, r);
    for (gsp_node v = 0; v < a->p->graph.n_nodes && r->n_stages != 0; v++) {
        uint32_t const unit = a->made->unit_of[v];
        a->stage_of[v] = unit != GSP_NONE ? r->stage_of[unit] : GSP_NONE;
    }
    return r->objective >= start ||
           pipe_inference_has_room(a->p, r->n_stages, a->stage_of, r->n_devices);
}

static void search_stages(const asked *a, const cli_stage_desc *d, cli_stage_result *r)
{
    cli_session *const s = a->p->session;
    size_t const n = d->units->n;
    uint32_t *start = (uint32_t *)cli_alloc(s, n + 1u, sizeof *start);
    cli_stage_result const before = *r;
    uint64_t least;
    memcpy(start, r->stage_of, n * sizeof *start);
    if (d->peak == NULL) {
        cli_stage_search(s, d, r);
    } else if (d->by_bytes || !search_by_params(a, d, r)) {
        least = r->lower_bound;
        memcpy(r->stage_of, start, n * sizeof *start);
        for (uint32_t i = 0; i < before.n_stages; i++) {
            r->n_devices[i] = 1u;
        }
        r->n_stages = before.n_stages;
        r->objective = before.objective;
        r->work = 0;
        cli_stage_search(s, d, r);
        r->lower_bound = least > r->lower_bound ? least : r->lower_bound;
    }
    cli_release(s, start);
}

int pipe_search_run(pipe_job *p, int has_plan)
{
    gsp_stages_optimal_result *known = &p->plan.result;
    cli_session *s = p->session;
    cli_graph_units made;
    cli_stage_desc d = stages_of(p);
    cli_graph_units_desc const units = units_of(p, &d);
    cli_stage_result r;
    asked peaks = {p, &made, (uint32_t *)cli_alloc(s, (size_t)p->graph.n_nodes + 1u, 4u)};
    if (pipe_inference_limits(p)) {
        ask_peaks(&peaks, &d);
    }
    cli_graph_units_make(s, &units, &made);
    d.units = &made.units;
    memset(&r, 0, sizeof r);
    r.stage_of = (uint32_t *)cli_alloc(s, (size_t)made.units.n + 1u, sizeof *r.stage_of);
    r.n_devices =
        (uint32_t *)cli_alloc(s, (size_t)d.n_devices + d.n_cores + 1u, sizeof *r.n_devices);
    r.objective = UINT64_MAX;
    has_plan = has_plan && !p->plan.search.own_bytes && !p->plan.search.own_moves &&
               all_run_on_devices(&made.units);
    if (has_plan && cli_places_start(s, &units, &made, known, &r)) {
        r.objective = known->objective;
        r.n_stages = known->n_stages;
    }
    if (made.units.n != 0 && !(made.has_backward && p->plan.has_schedule)) {
        cli_progress(s, "searching stages");
        search_stages(&peaks, &d, &r);
    }
    if (r.n_downsets != 0) {
        has_plan = has_plan && !made.has_backward; /* its devices have no order back */
        p->plan.search.ran = 1;
        p->plan.search.n_units = made.units.n;
        p->plan.search.n_downsets = r.n_downsets;
        p->plan.search.complete = r.complete;
        known->work += r.work;
        if (r.n_stages != 0 && (!has_plan || r.objective < known->objective)) {
            take_stages(p, &made, &r);
            has_plan = 1;
        }
        known->lower_bound = r.lower_bound < known->objective ? r.lower_bound : known->objective;
        known->proved = known->lower_bound == known->objective;
    }
    cli_release(s, r.stage_of);
    cli_graph_units_free(s, &made);
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
