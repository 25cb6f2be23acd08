/* The JSON of `partition`: the porcelain, with devices, parents, starts and the critical path. */
#include "commands/partition/partition.h"

#include "output/output.h"

#include <inttypes.h>

static void put_devices(const partition *p, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "\"devices\": [");
    for (i = 0; i < p->n_devices; i++) {
        cli_puts(out, i != 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
        cli_json_string(out, p->devices[i].name);
        cli_printf(out, ", \"id\": %" PRIu32 ", \"bytes\": ", p->devices[i].id);
        if (p->opt.mode == PARTITION_KWAY) { /* nobody gave a capacity */
            cli_puts(out, "null");
        } else {
            cli_printf(out, "%" PRIu64, p->devices[i].bytes);
        }
        cli_printf(out, ", \"used\": %" PRIu64, p->result.device_bytes[i]);
        if (p->has_needs) {
            cli_printf(out, ", \"params\": %" PRIu64 ", \"peak\": %" PRIu64, p->needs[i].params,
                p->needs[i].peak);
        }
        cli_puts(out, "}");
    }
    cli_puts(out, "],\n");
}

/* Seconds after the end of a key; null if nothing in the graph takes time. */
static void put_seconds(const partition *p, cli_buffer *out, const char *key, double seconds)
{
    cli_printf(out, "%s\": ", key);
    if (p->result.total > 0.0) {
        cli_printf(out, "%.17g", seconds);
    } else {
        cli_puts(out, "null");
    }
}

static void put_parents(const partition *p, uint32_t part, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    uint32_t k;
    cli_puts(out, "\"parents\": [");
    for (k = r->parent_begin[part]; k < r->parent_begin[part + 1u]; k++) {
        cli_printf(out, "%s{\"id\": %" PRIu32 ", \"bytes\": %" PRIu64 ", \"seconds\": %.17g}",
            k != r->parent_begin[part] ? ", " : "", r->part_id[r->parents[k]], r->parent_bytes[k],
            r->parent_seconds[k]);
    }
    cli_puts(out, "]");
}

static void put_partition(const partition *p, uint32_t i, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    cli_printf(
        out, "%s\n  {\"id\": %" PRIu32 ", \"submodule\": ", i != 0 ? "," : "", r->part_id[i]);
    cli_json_string(out, partition_submodule(p, i));
    cli_puts(out, ", \"devices\": [");
    partition_put_ids(p, i, out);
    cli_printf(out, "], \"bytes\": %" PRIu64 ", \"received\": %" PRIu64 ", \"level\": %" PRIu32,
        r->bytes[i], partition_received(p, i), r->level[i]);
    if (p->has_needs) {
        cli_printf(out, ", \"at_once\": %" PRIu64, cli_need_at_once(&p->part_needs[i]));
    }
    put_seconds(p, out, ", \"latency\": {\"mem", r->latency[i].mem);
    put_seconds(p, out, ", \"compute", r->latency[i].compute);
    put_seconds(p, out, ", \"overall", r->latency[i].overall);
    put_seconds(p, out, "}, \"start", partition_start(p, i));
    put_seconds(p, out, ", \"finish", r->finish[i]);
    cli_printf(out, ", \"critical\": %s,\n   ", p->critical[i] ? "true" : "false");
    put_parents(p, i, out);
    cli_puts(out, ", \"nodes\": ");
    cli_json_names(
        out, &p->graph, r->nodes + r->part_begin[i], r->part_begin[i + 1u] - r->part_begin[i]);
    cli_puts(out, "}");
}

static void put_dag(const partition *p, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    gsp_graph root = gsp_module_graph(&r->parts->module, 0);
    uint32_t i;
    cli_puts(out, "\"dag\": [");
    for (i = 0; i < r->n_parts; i++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&root, r->parts->call[i], &n);
        cli_puts(out, i != 0 ? ",\n  {\"submodule\": " : "\n  {\"submodule\": ");
        cli_json_string(out, gsp_node_name(&root, r->parts->call[i]));
        cli_printf(out, ", \"id\": %" PRIu32 ", \"in\": ", r->part_id[r->parts->part[i]]);
        cli_json_names(out, &root, in, n);
        cli_puts(out, ", \"out\": ");
        cli_json_names(out, &root, r->dag_out + r->dag_out_begin[i],
            r->dag_out_begin[i + 1u] - r->dag_out_begin[i]);
        cli_puts(out, "}");
    }
    cli_puts(out, "],\n");
}

/* null: not known, or not there. */
static void put_cut(const partition *p, uint64_t cut, int there, cli_buffer *out)
{
    if (there && !(cut == 0 && partition_cut_least(p))) {
        cli_printf(out, "%" PRIu64, cut);
    } else {
        cli_puts(out, "null");
    }
}

void partition_json(const partition *p, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    uint32_t i;
    cli_puts(out, "{\"pass\": \"partition\", ");
    cli_json_unknown(out, p->graph.module);
    cli_printf(out, "\"mode\": \"%s\", \"single\": %s, ", partition_modes[p->opt.mode],
        r->single ? "true" : "false");
    cli_printf(out, "\"stopped\": %s, \"steps\": %" PRIu32 ", \"trials\": %" PRIu64,
        r->stopped ? "true" : "false", r->n_steps, r->work);
    cli_printf(out, ", \"time_unit\": \"%s\"", cli_times_word(&p->opt.times));
    put_seconds(p, out, ", \"latency", r->total);
    cli_puts(out, p->repaired ? ", \"repaired\": true,\n" : ",\n");
    if (p->opt.mode == PARTITION_KWAY) {
        cli_puts(out, "\"proof\": {\"objective\": ");
        put_cut(p, p->kway_result.cut, 1, out);
        cli_printf(out, ", \"bound\": %" PRIu64 ", \"proved\": %s, \"reference\": ", p->floor,
            partition_cut_proved(p) ? "true" : "false");
        put_cut(p, p->reference, p->has_reference, out);
        cli_puts(out, "},\n");
        if (p->opt.best_effort) {
            cli_printf(out, "\"limit\": %" PRIu64 ", \"excess\": %" PRIu64 ",\n",
                p->kway.capacity[0], p->kway_result.excess);
        }
    }
    if (p->opt.mode == PARTITION_HEFT) {
        cli_printf(out,
            "\"proof\": {\"objective\": %.0f, \"bound\": %.0f, \"proved\": %s, \"reference\": "
            "%.0f},\n",
            p->result.total * 1e9, p->heft.lower_bound * 1e9,
            partition_heft_proved(p) ? "true" : "false", p->heft.reference * 1e9);
    }
    if (p->has_needs) {
        cli_printf(out, "\"sum\": %" PRIu64 ", \"params\": %" PRIu64 ", \"peak\": %" PRIu64 ",\n",
            gsp_heft_bytes(&p->graph), p->whole.params, p->whole.peak);
    }
    put_devices(p, out);
    cli_puts(out, "\"partitions\": [");
    for (i = 0; i < r->n_parts; i++) {
        put_partition(p, i, out);
    }
    cli_puts(out, "],\n");
    put_dag(p, out);
    cli_json_modules(out, &r->parts->module);
    cli_puts(out, "}\n");
}
