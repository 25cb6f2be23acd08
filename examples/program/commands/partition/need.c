/* Parameters and live values: what must be in memory at once. The sum of the modes, which is
 * PyTorch's, adds every value as if none were freed. */
#include "commands/partition/partition.h"

#include <inttypes.h>

#define MOST_STEPS ((uint64_t)1u << 24) /* of filling: nodes per measured range */

/* ---- sums ---- */

uint64_t partition_at_once(const partition_need *need)
{
    return cli_add(need->params, need->peak);
}

/* ---- parts ---- */

/* Parameters that these nodes read, once per target, and those of called modules. seen[]: the last
 * stamp of a target. */
static uint64_t add_params(
    const gsp_graph *g, const gsp_node *nodes, uint32_t n, uint32_t *seen, uint32_t stamp)
{
    uint64_t sum = 0;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < n; i++) {
        uint32_t n_in;
        const gsp_node *in = gsp_node_inputs(g, nodes[i], &n_in);
        sum = cli_add(sum, cli_placement_params(g, nodes[i]));
        for (k = 0; k < n_in; k++) {
            gsp_atom target = g->module->target[g->first + in[k]];
            if (gsp_node_op(g, in[k]) == GSP_OP_GET_ATTR && seen[target] != stamp) {
                seen[target] = stamp;
                sum = cli_add(sum, gsp_node_bytes(g, in[k]));
            }
        }
    }
    return sum;
}

/* The needs of the first `n_wanted` of n parts, or of the whole graph if n is 0. */
static int measure(
    partition *p, const uint32_t *part_of, uint32_t n, uint32_t n_wanted, partition_need *out)
{
    cli_session *s = p->session;
    gsp_liveness_desc desc = {0};
    gsp_liveness_result r;
    gsp_arena arena;
    gsp_error err;
    uint32_t *seen;
    uint32_t i;
    p->has_needs = 0;
    desc.n_parts = n;
    desc.part_of = part_of;
    cli_arena(s, &arena, gsp_liveness_bound(&p->graph, &desc));
    if (gsp_liveness_run(&arena, &p->graph, &desc, &r, &err) != GSP_OK) {
        cli_release(s, arena.base);
        return p->opt.count == PARTITION_PEAK ? cli_pass_error(s, &p->graph, &err) : CLI_EXIT_OK;
    }
    p->has_needs = 1;
    seen = (uint32_t *)cli_alloc(s, (size_t)p->graph.module->counts.strings + 1u, sizeof *seen);
    for (i = 0; i < n_wanted; i++) {
        out[i].peak = r.parts[i].bytes;
        out[i].params = add_params(&p->graph, r.nodes + r.step_begin[i],
            r.step_begin[i + 1u] - r.step_begin[i], seen, i + 1u);
    }
    cli_release(s, seen);
    cli_release(s, arena.base);
    return CLI_EXIT_OK;
}

int partition_find_whole(partition *p)
{
    return measure(p, NULL, 0, 1, &p->whole);
}

/* ---- devices ---- */

static int is_on(const partition *p, uint32_t part, uint32_t device)
{
    const gsp_partition_result *r = &p->result;
    const uint32_t *devices = r->devices + r->device_begin[part];
    uint32_t i;
    for (i = 0; i < r->device_count[part] && devices[i] != device; i++) {
    }
    return i < r->device_count[part];
}

/* A partition may be on any devices: one device after the other. */
static int measure_each(partition *p, uint32_t *part_of)
{
    int code = CLI_EXIT_OK;
    uint32_t device;
    gsp_node v;
    for (device = 0; device < p->n_devices && code == CLI_EXIT_OK; device++) {
        uint32_t used = 0;
        for (v = 0; v < p->graph.n_nodes; v++) {
            uint32_t part = p->result.part_of[v];
            int on = part != GSP_NONE && is_on(p, part, device);
            part_of[v] = on ? 0u : 1u;
            used += on ? 1u : 0u;
        }
        code = used != 0 ? measure(p, part_of, 2, 1, &p->needs[device]) : CLI_EXIT_OK;
    }
    return code;
}

/* A device has its partitions, or copies of all partitions of another. */
static int measure_all(partition *p, uint32_t *part_of)
{
    const gsp_partition_result *r = &p->result;
    int code;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < p->graph.n_nodes; i++) {
        uint32_t part = r->part_of[i];
        part_of[i] = part != GSP_NONE ? r->devices[r->device_begin[part]] : 0u;
    }
    code = measure(p, part_of, p->n_devices, p->n_devices, p->needs);
    for (i = 0; i < r->n_parts && code == CLI_EXIT_OK; i++) {
        const uint32_t *devices = r->devices + r->device_begin[i];
        for (k = 1; k < r->device_count[i]; k++) {
            p->needs[devices[k]] = p->needs[devices[0]];
        }
    }
    return code;
}

/* Whether a device may have some of the partitions of another. */
static int are_mixed(const partition *p)
{
    uint32_t most = 0;
    uint32_t i;
    for (i = 0; i < p->result.n_parts; i++) {
        most = p->result.device_count[i] > most ? p->result.device_count[i] : most;
    }
    return most > 1u && (p->opt.mode == GSP_PARTITION_SPARSE || p->opt.mode == GSP_PARTITION_AOT);
}

int partition_find_needs(partition *p)
{
    cli_session *s = p->session;
    uint32_t *part_of;
    int code;
    p->needs = (partition_need *)cli_alloc(s, (size_t)p->n_devices + 1u, sizeof *p->needs);
    if (s->common.porcelain && p->opt.count != PARTITION_PEAK) {
        return CLI_EXIT_OK;
    }
    part_of = (uint32_t *)cli_alloc(s, (size_t)p->graph.n_nodes + 1u, sizeof *part_of);
    code = partition_find_whole(p);
    if (code == CLI_EXIT_OK && p->has_needs) {
        code = are_mixed(p) ? measure_each(p, part_of) : measure_all(p, part_of);
    }
    cli_release(s, part_of);
    return code;
}

int partition_check_capacities(partition *p)
{
    cli_session *s = p->session;
    cli_buffer note;
    uint32_t i;
    for (i = 0; i < p->n_devices && p->opt.mode == GSP_PARTITION_AOT; i++) {
        int peak = p->opt.count == PARTITION_PEAK;
        const char *name;
        uint64_t need = peak ? partition_at_once(&p->needs[i]) : p->result.device_bytes[i];
        if (need <= p->devices[i].bytes) {
            continue;
        }
        name = cli_copy(s, p->devices[i].name);
        if (p->opt.count != PARTITION_AS_GIVEN) {
            return cli_error(s, GSP_STATUS_NO_FIT,
                "the partitions on device %s need %" PRIu64 " bytes%s, and it has %" PRIu64, name,
                need, peak ? " at once" : "", p->devices[i].bytes);
        }
        cli_buffer_init(&note, s);
        cli_printf(&note,
            "%s: the partitions on device %s add up to %" PRIu64 " bytes, and it has %" PRIu64
            "; --count makes that an error\n",
            s->front->program, name, need, p->devices[i].bytes);
        cli_tell(&note);
        return CLI_EXIT_OK;
    }
    return CLI_EXIT_OK;
}

/* ---- filling devices by parameters and peak ---- */

typedef struct filling {
    partition *p;
    gsp_node *calls; /* [n] callable nodes */
    uint32_t n;
    uint32_t *part_of;       /* [nodes] the result */
    uint32_t *trial_of;      /* [nodes] 0 if in the measured range */
    gsp_part_devices *parts; /* [devices] */
    uint32_t *ids;           /* [devices] the id of each part */
    uint8_t *taken;          /* [devices] */
    uint64_t steps;
} filling;

/* Bytes of calls begin .. end - 1. */
static int measure_range(filling *f, uint32_t begin, uint32_t end, uint64_t *bytes)
{
    partition_need need = {0};
    uint32_t i;
    int code;
    f->steps += f->p->graph.n_nodes;
    if (f->steps > MOST_STEPS) {
        return cli_error(f->p->session, GSP_STATUS_LIMIT,
            "--count peak takes too long for so many nodes and devices");
    }
    for (i = 0; i < f->n; i++) {
        f->trial_of[f->calls[i]] = i >= begin && i < end ? 0u : 1u;
    }
    code = measure(f->p, f->trial_of, 2, 1, &need);
    *bytes = partition_at_once(&need);
    return code;
}

/* The end of the longest range from `begin` on that fits; more nodes never need less. */
static int longest(filling *f, uint32_t begin, uint64_t room, uint32_t *end)
{
    uint32_t good = begin;
    uint32_t bad = f->n + 1u;
    uint32_t step = 1;
    while (good + 1u < bad) {
        uint32_t to =
            bad <= f->n ? good + (bad - good) / 2u : (f->n - good > step ? good + step : f->n);
        uint64_t bytes;
        int code = measure_range(f, begin, to, &bytes);
        if (code != CLI_EXIT_OK) {
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
    return CLI_EXIT_OK;
}

/* The first free device that is large enough for the node. */
static int next_device(filling *f, uint32_t begin, uint32_t *device)
{
    const partition *p = f->p;
    uint64_t need;
    int code = measure_range(f, begin, begin + 1u, &need);
    uint32_t i = 0;
    while (i < p->n_devices && (f->taken[i] || p->devices[i].bytes < need)) {
        i++;
    }
    *device = i;
    if (code == CLI_EXIT_OK && i == p->n_devices) {
        return cli_error(p->session, GSP_STATUS_NO_FIT,
            "node %s needs %" PRIu64
            " bytes at once with its inputs, more than any device that is still free",
            cli_copy(p->session, gsp_node_name(&p->graph, f->calls[begin])), need);
    }
    return code;
}

/* The first of the largest devices, if it has room for everything. */
static uint32_t single_device(const partition *p)
{
    uint32_t largest = 0;
    uint32_t i;
    for (i = 1; i < p->n_devices; i++) {
        largest = p->devices[i].bytes > p->devices[largest].bytes ? i : largest;
    }
    return partition_at_once(&p->whole) <= p->devices[largest].bytes ? largest : GSP_NONE;
}

/* Ranges of calls in graph order, each on a device of its own. */
static int fill(filling *f)
{
    partition *p = f->p;
    uint32_t single = single_device(p);
    uint32_t begin = 0;
    uint32_t n = 0;
    while (begin < f->n) {
        uint32_t device = single;
        uint32_t end = f->n;
        int code = CLI_EXIT_OK;
        if (single == GSP_NONE) {
            code = next_device(f, begin, &device);
            code = code == CLI_EXIT_OK ? longest(f, begin, p->devices[device].bytes, &end) : code;
        }
        if (code != CLI_EXIT_OK) {
            return code;
        }
        f->taken[device] = 1;
        f->ids[n] = p->devices[device].id;
        f->parts[n].part = n;
        f->parts[n].n_ids = 1;
        f->parts[n].ids = &f->ids[n];
        while (begin < end) {
            f->part_of[f->calls[begin++]] = n;
        }
        n++;
    }
    p->desc.n_part_devices = n;
    return CLI_EXIT_OK;
}

int partition_fill(partition *p)
{
    cli_session *s = p->session;
    size_t n = (size_t)p->graph.n_nodes + 1u;
    size_t n_devices = (size_t)p->n_devices + 1u;
    filling f = {0};
    gsp_node v;
    int code;
    if (p->opt.mode != GSP_PARTITION_SIZE || p->opt.count != PARTITION_PEAK || p->n_devices == 0) {
        return CLI_EXIT_OK;
    }
    f.p = p;
    f.calls = (gsp_node *)cli_alloc(s, n, sizeof *f.calls);
    f.part_of = (uint32_t *)cli_alloc(s, n, sizeof *f.part_of);
    f.trial_of = (uint32_t *)cli_alloc(s, n, sizeof *f.trial_of);
    f.ids = (uint32_t *)cli_alloc(s, n_devices, sizeof *f.ids);
    f.parts = (gsp_part_devices *)cli_alloc(s, n_devices, sizeof *f.parts);
    f.taken = (uint8_t *)cli_alloc(s, n_devices, 1);
    for (v = 0; v < p->graph.n_nodes; v++) {
        if (gsp_node_is_callable(&p->graph, v)) {
            f.calls[f.n++] = v;
        }
    }
    code = partition_find_whole(p);
    code = code == CLI_EXIT_OK ? fill(&f) : code;
    p->desc.mode = GSP_PARTITION_AOT;
    p->desc.part_of = f.part_of;
    p->desc.part_devices = f.parts;
    return code;
}
