/* Parameters and live values: what must be in memory at once. The sum of the modes, which is
 * PyTorch's, adds every value as if none were freed. */
#include "commands/partition/partition.h"

#include <inttypes.h>

/* The needs of the first `n_wanted` of n parts, or of the whole graph if n is 0. */
static int measure(
    partition *p, const uint32_t *part_of, uint32_t n, uint32_t n_wanted, cli_need *out)
{
    gsp_error err;
    p->has_needs =
        cli_need_measure(p->session, &p->graph, part_of, n, n_wanted, out, &err) == GSP_OK;
    return p->has_needs || p->opt.count != PARTITION_PEAK
               ? CLI_EXIT_OK
               : cli_pass_error(p->session, &p->graph, &err);
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
    p->needs = (cli_need *)cli_alloc(s, (size_t)p->n_devices + 1u, sizeof *p->needs);
    p->part_needs = (cli_need *)cli_alloc(s, (size_t)p->result.n_parts + 1u, sizeof *p->part_needs);
    if (s->common.porcelain && p->opt.count != PARTITION_PEAK) {
        return CLI_EXIT_OK;
    }
    part_of = (uint32_t *)cli_alloc(s, (size_t)p->graph.n_nodes + 1u, sizeof *part_of);
    code = partition_find_whole(p);
    if (code == CLI_EXIT_OK && p->has_needs) {
        code = are_mixed(p) ? measure_each(p, part_of) : measure_all(p, part_of);
        if (code == CLI_EXIT_OK && p->result.n_parts != 0) {
            code =
                measure(p, p->result.part_of, p->result.n_parts, p->result.n_parts, p->part_needs);
        }
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
        uint64_t need = peak ? cli_need_at_once(&p->needs[i]) : p->result.device_bytes[i];
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

static int refuse_filling(
    const partition *p, cli_need_code code, const cli_need_result *r, const gsp_error *err)
{
    cli_session *s = p->session;
    if (code == CLI_NEED_UNKNOWN) {
        return cli_pass_error(s, &p->graph, err);
    }
    if (code == CLI_NEED_TOO_LONG) {
        return cli_error(
            s, GSP_STATUS_LIMIT, "--count peak takes too long for so many nodes and devices");
    }
    return cli_error(s, GSP_STATUS_NO_FIT,
        "node %s needs %" PRIu64
        " bytes at once with its inputs, more than any device that is still free",
        cli_copy(s, gsp_node_name(&p->graph, r->node)), r->bytes);
}

int partition_fill(partition *p)
{
    cli_need_result r = {0};
    cli_need_code filled;
    gsp_error err;
    int code;
    if (p->opt.mode != GSP_PARTITION_SIZE || p->opt.count != PARTITION_PEAK || p->n_devices == 0) {
        return CLI_EXIT_OK;
    }
    code = partition_find_whole(p);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    filled = cli_need_fill(p->session, &p->graph, p->devices, p->n_devices, &p->whole, &r, &err);
    if (filled != CLI_NEED_FILLED) {
        return refuse_filling(p, filled, &r, &err);
    }
    p->desc.mode = GSP_PARTITION_AOT;
    p->desc.part_of = r.part_of;
    p->desc.part_devices = r.parts;
    p->desc.n_part_devices = r.n_parts;
    return CLI_EXIT_OK;
}
