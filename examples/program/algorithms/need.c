/* What must be in memory at once, and ranges of nodes on devices by it. More nodes never need less,
 * so that the end of the longest range is searched by doubling, then by halving. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#define MOST_STEPS ((uint64_t)1u << 24) /* of filling: nodes per measured range */

uint64_t cli_need_at_once(const cli_need *need)
{
    return cli_add(need->params, need->peak);
}

static uint64_t add_params(
    cli_params *params, const gsp_graph *g, const gsp_node *nodes, uint32_t n)
{
    uint64_t sum = 0;
    cli_params_clear(params);
    for (uint32_t i = 0; i < n; i++) {
        sum = cli_add(sum, cli_params_of(params, g, nodes[i]));
    }
    return sum;
}

gsp_status cli_need_measure(struct cli_session *s, const gsp_graph *graph, const uint32_t *part_of,
    uint32_t n, uint32_t n_wanted, cli_need *needs, gsp_error *err)
{
    gsp_liveness_desc desc = {0};
    gsp_liveness_result r;
    gsp_arena arena;
    gsp_status status;
    cli_params params;
    desc.n_parts = n;
    desc.part_of = part_of;
    cli_arena(s, &arena, gsp_liveness_bound(graph, &desc));
    status = gsp_liveness_run(&arena, graph, &desc, &r, err);
    if (status != GSP_OK) {
        cli_release(s, arena.base);
        return status;
    }
    cli_params_open(&params, s, graph->module);
    for (uint32_t i = 0; i < n_wanted; i++) {
        needs[i].peak = r.parts[i].bytes;
        needs[i].params = add_params(
            &params, graph, r.nodes + r.step_begin[i], r.step_begin[i + 1u] - r.step_begin[i]);
    }
    cli_params_close(&params, s);
    cli_release(s, arena.base);
    return GSP_OK;
}

/* ---- filling devices ---- */

typedef struct filling {
    struct cli_session *session;
    const gsp_graph *g;
    const gsp_device *devices; /* [n_devices] */
    uint32_t n_devices;
    gsp_node *calls; /* [n] callable nodes */
    uint32_t n;
    uint32_t *trial_of; /* [nodes] 0 if in the measured range */
    uint32_t *ids;      /* [devices] the id of each part */
    uint8_t *taken;     /* [devices] */
    uint64_t steps;
    cli_need_result *result;
    gsp_error *err;
} filling;

/* Bytes of calls begin .. end - 1. */
static cli_need_code measure_range(filling *f, uint32_t begin, uint32_t end, uint64_t *bytes)
{
    cli_need need = {0};
    gsp_status status;
    f->steps += f->g->n_nodes;
    if (f->steps > MOST_STEPS) {
        return CLI_NEED_TOO_LONG;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        f->trial_of[f->calls[i]] = i >= begin && i < end ? 0u : 1u;
    }
    status = cli_need_measure(f->session, f->g, f->trial_of, 2, 1, &need, f->err);
    *bytes = cli_need_at_once(&need);
    return status == GSP_OK ? CLI_NEED_FILLED : CLI_NEED_UNKNOWN;
}

/* The end of the longest range from `begin` on that fits. */
static cli_need_code find_longest(filling *f, uint32_t begin, uint64_t room, uint32_t *end)
{
    uint32_t good = begin;
    uint32_t bad = f->n + 1u;
    uint32_t step = 1;
    while (good + 1u < bad) {
        uint32_t to =
            bad <= f->n ? good + (bad - good) / 2u : (f->n - good > step ? good + step : f->n);
        uint64_t bytes;
        cli_need_code code = measure_range(f, begin, to, &bytes);
        if (code != CLI_NEED_FILLED) {
            return code;
        }
        if (bytes <= room) {
            good = to;
            step *= 2u;
        } else {
            bad = to;
        }
        if (good == f->n) {
            break;
        }
    }
    *end = good;
    return CLI_NEED_FILLED;
}

/* The first free device that is large enough for the node. */
static cli_need_code find_device(filling *f, uint32_t begin, uint32_t *device)
{
    uint64_t bytes = 0;
    cli_need_code code = measure_range(f, begin, begin + 1u, &bytes);
    uint32_t i = 0;
    while (i < f->n_devices && (f->taken[i] || f->devices[i].bytes < bytes)) {
        i++;
    }
    *device = i;
    if (code == CLI_NEED_FILLED && i == f->n_devices) {
        f->result->node = f->calls[begin];
        f->result->bytes = bytes;
        return CLI_NEED_TOO_LARGE;
    }
    return code;
}

/* The first of the largest devices, if it has room for everything. */
static uint32_t find_single(const filling *f, const cli_need *whole)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < f->n_devices; i++) {
        largest = f->devices[i].bytes > f->devices[largest].bytes ? i : largest;
    }
    return cli_need_at_once(whole) <= f->devices[largest].bytes ? largest : GSP_NONE;
}

/* Ranges of calls in graph order, each on a device of its own. */
static cli_need_code fill(filling *f, const cli_need *whole)
{
    cli_need_result *r = f->result;
    uint32_t single = find_single(f, whole);
    uint32_t begin = 0;
    while (begin < f->n) {
        uint32_t const n = r->n_parts;
        uint32_t device = single;
        uint32_t end = f->n;
        cli_need_code code = CLI_NEED_FILLED;
        if (single == GSP_NONE) {
            code = find_device(f, begin, &device);
            code = code == CLI_NEED_FILLED ? find_longest(f, begin, f->devices[device].bytes, &end)
                                           : code;
        }
        if (code != CLI_NEED_FILLED) {
            return code;
        }
        f->taken[device] = 1;
        f->ids[n] = f->devices[device].id;
        r->parts[n].part = n;
        r->parts[n].n_ids = 1;
        r->parts[n].ids = &f->ids[n];
        while (begin < end) {
            r->part_of[f->calls[begin++]] = n;
        }
        r->n_parts++;
    }
    return CLI_NEED_FILLED;
}

cli_need_code cli_need_fill(struct cli_session *s, const gsp_graph *graph,
    const gsp_device *devices, uint32_t n_devices, const cli_need *whole, cli_need_result *result,
    gsp_error *err)
{
    size_t const n = (size_t)graph->n_nodes + 1u;
    size_t const most = (size_t)n_devices + 1u;
    filling f = {0};
    cli_need_code code;
    f.session = s;
    f.g = graph;
    f.devices = devices;
    f.n_devices = n_devices;
    f.result = result;
    f.err = err;
    f.calls = (gsp_node *)cli_alloc(s, n, sizeof *f.calls);
    f.trial_of = (uint32_t *)cli_alloc(s, n, sizeof *f.trial_of);
    f.ids = (uint32_t *)cli_alloc(s, most, sizeof *f.ids);
    f.taken = (uint8_t *)cli_alloc(s, most, 1);
    result->n_parts = 0;
    result->part_of = (uint32_t *)cli_alloc(s, n, sizeof *result->part_of);
    result->parts = (gsp_part_devices *)cli_alloc(s, most, sizeof *result->parts);
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        if (gsp_node_is_callable(graph, v)) {
            f.calls[f.n++] = v;
        }
    }
    code = fill(&f, whole);
    cli_release(s, f.calls);
    cli_release(s, f.trial_of);
    cli_release(s, f.taken);
    return code;
}
