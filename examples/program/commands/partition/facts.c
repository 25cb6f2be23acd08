/* Figures about partitions: devices, start times, bytes received. */
#include "commands/partition/partition.h"

#include <inttypes.h>

const char *const partition_modes[] = {"size", "sparse-nn", "cost", "kl", "aot", "kway", "heft"};

gsp_str partition_submodule(const partition *p, uint32_t part)
{
    const gsp_module *module = &p->result.parts->module;
    return gsp_module_str(module, module->graphs[p->graph_of[part]].name);
}

uint32_t partition_last(const partition *p)
{
    const gsp_partition_result *r = &p->result;
    uint32_t last = 0;
    uint32_t i;
    for (i = 1; i < r->n_parts; i++) {
        last = r->finish[i] > r->finish[last] ? i : last;
    }
    return last;
}

uint64_t partition_least_capacity(const partition *p, uint32_t part)
{
    const uint32_t *devices = p->result.devices + p->result.device_begin[part];
    uint64_t least = UINT64_MAX;
    uint32_t i;
    for (i = 0; i < p->result.device_count[part]; i++) {
        uint64_t bytes = p->devices[devices[i]].bytes;
        least = bytes < least ? bytes : least;
    }
    return least;
}

void partition_put_devices(const partition *p, uint32_t part, cli_buffer *out)
{
    const uint32_t *devices = p->result.devices + p->result.device_begin[part];
    uint32_t i;
    for (i = 0; i < p->result.device_count[part]; i++) {
        cli_puts(out, i != 0 ? "," : "");
        cli_put_clipped(out, p->devices[devices[i]].name, 40u);
    }
}

void partition_put_ids(const partition *p, uint32_t part, cli_buffer *out)
{
    const uint32_t *devices = p->result.devices + p->result.device_begin[part];
    uint32_t i;
    for (i = 0; i < p->result.device_count[part]; i++) {
        cli_printf(out, "%s%" PRIu32, i != 0 ? "," : "", p->devices[devices[i]].id);
    }
}

double partition_start(const partition *p, uint32_t part)
{
    const gsp_partition_result *r = &p->result;
    double start = 0.0;
    uint32_t k;
    if (p->opt.mode == PARTITION_HEFT) {
        return r->finish[part] - r->latency[part].overall;
    }
    for (k = r->parent_begin[part]; k < r->parent_begin[part + 1u]; k++) {
        double ready = r->finish[r->parents[k]] + r->parent_seconds[k];
        start = ready > start ? ready : start;
    }
    return start;
}

uint64_t partition_received(const partition *p, uint32_t part)
{
    const gsp_partition_result *r = &p->result;
    uint64_t bytes = 0;
    uint32_t k;
    for (k = r->parent_begin[part]; k < r->parent_begin[part + 1u]; k++) {
        bytes += r->parent_bytes[k];
    }
    return bytes;
}

uint64_t partition_bytes_from(const partition *p, uint32_t part, uint32_t parent)
{
    const gsp_partition_result *r = &p->result;
    uint32_t k;
    for (k = r->parent_begin[part]; k < r->parent_begin[part + 1u]; k++) {
        if (r->parents[k] == parent) {
            return r->parent_bytes[k];
        }
    }
    return 0;
}

uint32_t partition_untimed(const partition *p)
{
    return p->opt.times.unit == CLI_TIMES_SECONDS ? cli_times_missing(&p->graph, 1) : 0u;
}

int partition_heft_proved(const partition *p)
{
    return p->result.total <= p->heft.lower_bound && !cli_unknown_sizes(p->graph.module) &&
           partition_untimed(p) == 0;
}

const char *partition_stopped_by(const partition *p)
{
    if (!p->result.stopped) {
        return NULL;
    }
    return p->interrupted ? "the user" : "--work";
}

/* Maps partitions to graphs; then follows the parents that determine the start, from the partition
 * that finishes last; these are critical. */
void partition_make_maps(partition *p)
{
    const gsp_partition_result *r = &p->result;
    uint32_t i;
    p->graph_of = (uint32_t *)cli_alloc(p->session, (size_t)r->n_parts + 1u, sizeof *p->graph_of);
    p->critical = (uint8_t *)cli_alloc(p->session, (size_t)r->n_parts + 1u, 1u);
    for (i = 0; i < r->n_parts; i++) {
        p->graph_of[r->parts->part[i]] = i + 1u;
    }
    for (i = partition_last(p); i < r->n_parts; i = r->late_parent[i]) {
        p->critical[i] = 1;
    }
}
