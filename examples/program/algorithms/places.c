/* Stages of nodes and where they run: from the stages of units and back, and what they cost. A
 * device that has forward and backward nodes has several stages, since stages follow each other. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

uint64_t cli_ticks(double seconds)
{
    return cli_nanoseconds(seconds < 1e8 ? seconds : 1e8);
}

uint64_t cli_sync_ticks(uint64_t bandwidth, uint64_t bytes)
{
    return bandwidth == 0 ? 0u : cli_ticks((double)bytes / (double)bandwidth);
}

/* ---- stages of units ---- */

int cli_places_start(struct cli_session *s, const gsp_graph *g, const gsp_downsets_graph_desc *desc,
    const gsp_downsets_graph_result *made, const gsp_stages_optimal_result *known, uint32_t *start)
{
    const gsp_downsets_units *u = &made->units;
    uint32_t *timed = (uint32_t *)cli_alloc(s, (size_t)u->n + 1u, sizeof *timed);
    int fits = !made->has_backward;
    memset(timed, 0, u->n * sizeof *timed);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const unit = made->unit_of[v];
        uint32_t const rank = unit == GSP_NONE ? 0u : desc->nodes[v].time != 0 ? 2u : 1u;
        if (rank > 0 && timed[unit] < rank) {
            timed[unit] = rank;
            start[unit] = known->stage_of[v];
        }
    }
    for (uint32_t i = 0; i < u->n; i++) {
        for (uint32_t k = u->after.begin[i]; k < u->after.begin[i + 1u]; k++) {
            fits = fits && start[i] <= start[u->after.at[k]];
        }
    }
    cli_release(s, timed);
    return fits;
}

/* Phases of nodes: stages of the search one after the other, then their backward parts the other
 * way round. What reads a value of another place comes later. */
static uint32_t find_phases(const gsp_graph *g, const gsp_downsets_graph_result *made,
    const gsp_downsets_result *r, uint32_t *phase)
{
    uint32_t last = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const unit = made->unit_of[v];
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(g, v, &n);
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

uint32_t cli_places_take(struct cli_session *s, const gsp_graph *g,
    const gsp_downsets_graph_result *made, const gsp_downsets_result *r, uint32_t *stage_of,
    cli_places *places)
{
    uint32_t const n_phases = find_phases(g, made, r, stage_of);
    size_t const cells = (size_t)n_phases * r->n_stages;
    uint32_t *number = (uint32_t *)cli_alloc(s, cells + 1u, sizeof *number);
    uint32_t *place_of = (uint32_t *)cli_alloc(s, cells + 1u, sizeof *place_of);
    uint32_t n = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (made->unit_of[v] != GSP_NONE) {
            number[(size_t)stage_of[v] * r->n_stages + r->stage_of[made->unit_of[v]]] = 1u;
        }
    }
    for (size_t i = 0; i < cells; i++) {
        if (number[i] != 0) {
            place_of[n] = (uint32_t)(i % r->n_stages);
            number[i] = n++;
        }
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        stage_of[v] =
            made->unit_of[v] == GSP_NONE
                ? GSP_NONE
                : number[(size_t)stage_of[v] * r->n_stages + r->stage_of[made->unit_of[v]]];
    }
    cli_release(s, number);
    places->n = r->n_stages;
    places->place_of = place_of;
    places->n_devices = r->n_devices;
    return n;
}

/* ---- costs ---- */

/* Ticks of the values that enter and leave a place, at the first of its stages that needs them. */
static void move_values(
    cli_session *s, const cli_places_desc *d, gsp_stage_cost *loads, uint32_t n_stages)
{
    const cli_places *places = d->places;
    const uint32_t *own = d->units->move_begin;
    uint32_t *stamp = (uint32_t *)cli_alloc(s, (size_t)places->n + 1u, sizeof *stamp);
    for (uint32_t i = 0; i < n_stages; i++) {
        loads[i].enter = 0;
        loads[i].leave = 0;
    }
    for (gsp_node v = 0; v < d->graph->n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(d->graph, v, &n);
        uint32_t const stage = d->stage_of[v];
        uint64_t leave = 0;
        for (uint32_t i = 0; i < n && stage != GSP_NONE; i++) {
            uint32_t const to = d->stage_of[users[i]];
            if (to == GSP_NONE || places->place_of[to] == places->place_of[stage]) {
                continue;
            }
            if (own[v] != own[v + 1u]) {
                leave += d->units->moves[own[v] + i];
                loads[to].enter += d->units->moves[own[v] + i];
            } else {
                leave = d->model->costs->move[v];
                loads[to].enter += stamp[places->place_of[to]] != v + 1u ? leave : 0u;
                stamp[places->place_of[to]] = v + 1u;
            }
        }
        if (stage != GSP_NONE) {
            loads[stage].leave += leave;
        }
    }
    cli_release(s, stamp);
}

/* What the library does not know of a stage. */
typedef struct own_sums {
    uint64_t host;  /* ticks on a CPU core */
    uint64_t fixed; /* bytes */
    uint64_t kept;
} own_sums;

static own_sums *sum_own(cli_session *s, const cli_places_desc *d, uint32_t n_stages)
{
    own_sums *sums = (own_sums *)cli_alloc(s, (size_t)n_stages + 1u, sizeof *sums);
    for (gsp_node v = 0; v < d->graph->n_nodes; v++) {
        if (d->stage_of[v] != GSP_NONE) {
            own_sums *sum = &sums[d->stage_of[v]];
            sum->host += d->units->nodes[v].host;
            sum->fixed += d->units->nodes[v].bytes;
            sum->kept += d->units->nodes[v].stash;
        }
    }
    return sums;
}

/* Devices from a place on, at most as many as microbatches. */
static uint32_t held_from(const cli_places_desc *d, uint32_t place)
{
    uint32_t const microbatches = d->model->microbatches;
    uint32_t rest = 0;
    for (; place < d->places->n; place++) {
        rest += d->places->n_devices[place];
    }
    return rest < microbatches ? rest : microbatches;
}

/* The time and memory of a stage on so many devices; 0 if on a CPU core. */
static void place_load(const cli_places_desc *d, gsp_stage_cost *load, uint32_t place,
    uint64_t extra, const own_sums *own)
{
    const gsp_stage_model *m = d->model;
    uint32_t const devices = d->places->n_devices[place];
    uint64_t const share = (uint64_t)devices * m->microbatches;
    uint64_t const sync = cli_sync_ticks(d->bandwidth, load->params);
    load->held = held_from(d, place);
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
    if (d->own_bytes) {
        load->stash = own->kept;
        load->memory = own->fixed * (m->copies != 0 ? m->copies : 1u) + own->kept * load->held;
        return;
    }
    load->memory = load->params * (m->copies != 0 ? m->copies : 1u) + load->stash * load->held;
}

void cli_places_cost(
    struct cli_session *s, const cli_places_desc *desc, gsp_stage_costs_result *result)
{
    const gsp_stage_model *m = desc->model;
    uint32_t const n = result->n_stages;
    gsp_stage_cost *loads = (gsp_stage_cost *)cli_alloc(s, (size_t)n + 1u, sizeof *loads);
    own_sums *sums = sum_own(s, desc, n);
    uint32_t seen_last = 0;
    memcpy(loads, result->stages, n * sizeof *loads);
    if (!m->carried) {
        move_values(s, desc, loads, n);
    }
    result->slowest = 0;
    result->greatest = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const place = desc->places->place_of[i];
        uint64_t extra = i == 0 ? m->first_time : 0u;
        if (place + 1u == desc->places->n && !seen_last) {
            seen_last = 1;
            extra += m->last_time;
        }
        place_load(desc, &loads[i], place, extra, &sums[i]);
        result->slowest = loads[i].time > loads[result->slowest].time ? i : result->slowest;
        result->greatest = loads[i].memory > loads[result->greatest].memory ? i : result->greatest;
    }
    cli_release(s, sums);
    result->stages = loads;
}
