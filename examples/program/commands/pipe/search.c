/* Units, the search for their stages, and these as stages of nodes. A device that has forward and
 * backward nodes has several stages, since stages follow each other. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

#define MOST_BYTES ((uint64_t)1 << 28) /* for sets of units */
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

/* The units of the graph; they become those of the search. */
static void make_units(const pipe_job *p, cli_stage_desc *stages, cli_graph_units *made)
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
    cli_graph_units_make(p->session, &d, made);
    stages->units = &made->units;
}

static int all_run_on_devices(const cli_units *u)
{
    uint32_t i = 0;
    while (i < u->n && u->own[i].no_device == 0) {
        i++;
    }
    return i == u->n;
}

/* The stages of the library as those of units; 0 if units do not fit in them. */
static int start_from(const pipe_job *p, const cli_graph_units *made, cli_stage_result *r)
{
    const cli_units *u = &made->units;
    const gsp_stages_optimal_result *known = &p->plan.result;
    uint32_t *timed = (uint32_t *)cli_alloc(p->session, (size_t)u->n + 1u, sizeof *timed);
    int fits = !made->has_backward;
    uint32_t i;
    uint32_t k;
    gsp_node v;
    memset(timed, 0, u->n * sizeof *timed);
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t const unit = made->unit_of[v];
        uint32_t const rank = unit == GSP_NONE ? 0u : p->plan.costs.time[v] != 0 ? 2u : 1u;
        if (rank > 0 && timed[unit] < rank) {
            timed[unit] = rank;
            r->stage_of[unit] = known->stage_of[v];
        }
    }
    for (i = 0; i < u->n; i++) {
        for (k = u->before.begin[i]; k < u->before.begin[i + 1u]; k++) {
            fits = fits && r->stage_of[u->before.at[k]] <= r->stage_of[i];
        }
    }
    for (i = 0; i < known->n_stages; i++) {
        r->n_devices[i] = 1u;
    }
    cli_release(p->session, timed);
    return fits;
}

/* Phases of nodes: stages of the search one after the other, then their backward parts the other
 * way round. What reads a value of another place comes later. */
static uint32_t find_phases(
    const pipe_job *p, const cli_graph_units *made, const cli_stage_result *r, uint32_t *phase)
{
    uint32_t last = 0;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t const unit = made->unit_of[v];
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(&p->graph, v, &n);
        if (unit == GSP_NONE) {
            continue;
        }
        phase[v] = r->stage_of[unit];
        if (made->backward[v]) {
            phase[v] = 2u * r->n_stages - 1u - r->stage_of[unit];
            for (; n > 0; n--) {
                gsp_node const u = inputs[n - 1u];
                if (made->unit_of[u] != GSP_NONE) {
                    uint32_t const after =
                        phase[u] + (r->stage_of[made->unit_of[u]] != r->stage_of[unit] ? 1u : 0u);
                    phase[v] = after > phase[v] ? after : phase[v];
                }
            }
        }
        last = phase[v] > last ? phase[v] : last;
    }
    return last + 1u;
}

/* Stages of nodes: what has one phase and one place. */
static void take_stages(pipe_job *p, const cli_graph_units *made, const cli_stage_result *r)
{
    cli_session *s = p->session;
    pipe_search *found = &p->plan.search;
    uint32_t *stage_of = (uint32_t *)cli_alloc(s, (size_t)p->graph.n_nodes + 1u, sizeof *stage_of);
    uint32_t const n_phases = find_phases(p, made, r, stage_of);
    size_t const cells = (size_t)n_phases * r->n_stages;
    uint32_t *number = (uint32_t *)cli_alloc(s, cells + 1u, sizeof *number);
    uint32_t *place_of;
    uint32_t n = 0;
    size_t i;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        if (made->unit_of[v] != GSP_NONE) {
            number[(size_t)stage_of[v] * r->n_stages + r->stage_of[made->unit_of[v]]] = 1u;
        }
    }
    place_of = (uint32_t *)cli_alloc(s, cells + 1u, sizeof *place_of);
    for (i = 0; i < cells; i++) {
        if (number[i] != 0) {
            place_of[n] = (uint32_t)(i % r->n_stages);
            number[i] = n++;
        }
    }
    for (v = 0; v < p->graph.n_nodes; v++) {
        stage_of[v] =
            made->unit_of[v] == GSP_NONE
                ? GSP_NONE
                : number[(size_t)stage_of[v] * r->n_stages + r->stage_of[made->unit_of[v]]];
    }
    cli_release(s, number);
    found->found = 1;
    found->n_places = r->n_stages;
    found->place_of = place_of;
    found->n_devices = r->n_devices;
    p->plan.result.stage_of = stage_of;
    p->plan.result.n_stages = n;
    p->plan.result.objective = r->objective;
    p->plan.result.order = 0;
}

int pipe_search_run(pipe_job *p, int has_plan)
{
    gsp_stages_optimal_result *known = &p->plan.result;
    cli_session *s = p->session;
    cli_graph_units made;
    cli_stage_desc d = stages_of(p);
    cli_stage_result r;
    make_units(p, &d, &made);
    memset(&r, 0, sizeof r);
    r.stage_of = (uint32_t *)cli_alloc(s, (size_t)made.units.n + 1u, sizeof *r.stage_of);
    r.n_devices =
        (uint32_t *)cli_alloc(s, (size_t)d.n_devices + d.n_cores + 1u, sizeof *r.n_devices);
    r.objective = UINT64_MAX;
    has_plan = has_plan && !p->plan.search.own_bytes && !p->plan.search.own_moves &&
               all_run_on_devices(&made.units);
    if (has_plan && start_from(p, &made, &r)) {
        r.objective = known->objective;
        r.n_stages = known->n_stages;
    }
    if (made.units.n != 0 && !(made.has_backward && p->plan.has_schedule)) {
        cli_progress(s, "searching stages");
        cli_stage_search(s, &d, &r);
    }
    if (r.n_downsets != 0) {
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
    while (f->found && i < f->n_places && f->n_devices[i] == 1u) {
        i++;
    }
    return f->found && (i < f->n_places || p->made.n_stages != f->n_places);
}

/* Ticks of the values that enter and leave a place, at the first of its stages that needs them. */
static void move_values(const pipe_job *p, gsp_stage_cost *loads)
{
    const pipe_search *f = &p->plan.search;
    uint32_t *stamp = (uint32_t *)cli_alloc(p->session, (size_t)f->n_places + 1u, sizeof *stamp);
    uint32_t i;
    gsp_node v;
    for (i = 0; i < p->made.n_stages; i++) {
        loads[i].enter = 0;
        loads[i].leave = 0;
    }
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(&p->graph, v, &n);
        uint32_t const stage = p->stage_of[v];
        uint64_t leave = 0;
        for (i = 0; i < n && stage != GSP_NONE; i++) {
            uint32_t const to = p->stage_of[users[i]];
            uint64_t own;
            if (to == GSP_NONE || f->place_of[to] == f->place_of[stage]) {
                continue;
            }
            if (cli_own_move(&p->graph, v, i, &own)) {
                leave += own;
                loads[to].enter += own;
            } else {
                leave = p->plan.costs.move[v];
                loads[to].enter += stamp[f->place_of[to]] != v + 1u ? leave : 0u;
                stamp[f->place_of[to]] = v + 1u;
            }
        }
        if (stage != GSP_NONE) {
            loads[stage].leave += leave;
        }
    }
    cli_release(p->session, stamp);
}

/* What the library does not know of a stage. */
typedef struct own_sums {
    uint64_t host;  /* ticks on a CPU core */
    uint64_t fixed; /* bytes */
    uint64_t kept;
} own_sums;

static own_sums *sum_own(const pipe_job *p)
{
    own_sums *sums = (own_sums *)cli_alloc(p->session, (size_t)p->made.n_stages + 1u, sizeof *sums);
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        if (p->stage_of[v] != GSP_NONE) {
            own_sums *sum = &sums[p->stage_of[v]];
            uint64_t fixed;
            uint64_t kept;
            (void)cli_own_bytes(&p->graph, v, &fixed, &kept);
            sum->host += cli_ticks(gsp_node_seconds(&p->graph, v, GSP_KEY_CPU));
            sum->fixed += fixed;
            sum->kept += kept;
        }
    }
    return sums;
}

/* Devices from a place on, at most as many as microbatches. */
static uint32_t held_from(const pipe_job *p, uint32_t place)
{
    const pipe_search *f = &p->plan.search;
    uint32_t const microbatches = p->plan.optimal_desc.model.microbatches;
    uint32_t rest = 0;
    for (; place < f->n_places; place++) {
        rest += f->n_devices[place];
    }
    return rest < microbatches ? rest : microbatches;
}

/* The time and memory of a stage on so many devices; 0 if on a CPU core. */
static void place_load(
    const pipe_job *p, gsp_stage_cost *load, uint32_t place, uint64_t extra, const own_sums *own)
{
    const gsp_stage_model *m = &p->plan.optimal_desc.model;
    uint32_t const devices = p->plan.search.n_devices[place];
    uint64_t const share = (uint64_t)devices * m->microbatches;
    uint64_t const sync = cli_sync_ticks(p->plan.rates.bandwidth, load->params);
    load->held = held_from(p, place);
    if (devices == 0) {
        load->compute = own->host;
        load->enter = 0;
        load->leave = 0;
    }
    load->time = load->compute + load->enter + load->leave + extra;
    if (devices > 1u) {
        load->held = (load->held + devices - 1u) / devices;
        load->time = (load->time + devices - 1u) / devices;
        load->time += share != 0 ? (sync * 4u + share - 1u) / share * (devices - 1u) : 0u;
    }
    if (p->plan.search.own_bytes) {
        load->stash = own->kept;
        load->memory = own->fixed * (m->copies != 0 ? m->copies : 1u) + own->kept * load->held;
        return;
    }
    load->memory = load->params * (m->copies != 0 ? m->copies : 1u) + load->stash * load->held;
}

void pipe_search_loads(pipe_job *p)
{
    const pipe_search *f = &p->plan.search;
    const gsp_stage_model *m = &p->plan.optimal_desc.model;
    gsp_stage_costs_result *r = &p->plan.stage_costs;
    uint32_t const n = p->made.n_stages;
    gsp_stage_cost *loads;
    own_sums *sums;
    uint32_t seen_last = 0;
    uint32_t i;
    if (!pipe_search_has_places(p) && !(f->found && (f->own_bytes || f->own_moves))) {
        return;
    }
    loads = (gsp_stage_cost *)cli_alloc(p->session, (size_t)n + 1u, sizeof *loads);
    memcpy(loads, r->stages, n * sizeof *loads);
    sums = sum_own(p);
    if (!m->carried) {
        move_values(p, loads);
    }
    r->slowest = 0;
    r->greatest = 0;
    for (i = 0; i < n; i++) {
        uint32_t const place = f->place_of[i];
        uint64_t extra = i == 0 ? m->first_time : 0u;
        if (place + 1u == f->n_places && !seen_last) {
            seen_last = 1;
            extra += m->last_time;
        }
        place_load(p, &loads[i], place, extra, &sums[i]);
        r->slowest = loads[i].time > loads[r->slowest].time ? i : r->slowest;
        r->greatest = loads[i].memory > loads[r->greatest].memory ? i : r->greatest;
    }
    cli_release(p->session, sums);
    r->stages = loads;
}

void pipe_put_place(const pipe_job *p, cli_buffer *out, uint32_t stage)
{
    const pipe_search *f = &p->plan.search;
    uint32_t const place = f->place_of[stage];
    uint32_t devices = 0;
    uint32_t cores = 0;
    uint32_t i;
    for (i = 0; i < place; i++) {
        devices += f->n_devices[i];
        cores += f->n_devices[i] == 0 ? 1u : 0u;
    }
    if (f->n_devices[place] == 0) {
        cli_printf(out, "cpu %" PRIu32, cores);
    } else if (f->n_devices[place] == 1u) {
        cli_printf(out, "device %" PRIu32, devices);
    } else {
        cli_printf(
            out, "devices %" PRIu32 "-%" PRIu32, devices, devices + f->n_devices[place] - 1u);
    }
}
