/* The porcelain of `partition`: partitions, latencies, the DAG of submodules, the module. */
#include "commands/partition/partition.h"

#include "output/output.h"

#include <inttypes.h>

static void put_partitions(const partition *p, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    uint32_t i;
    for (i = 0; i < r->n_parts; i++) {
        cli_printf(out, "partition %" PRIu32 " devices=", r->part_id[i]);
        partition_put_ids(p, i, out);
        cli_printf(out, " bytes=%" PRIu64 " :", r->bytes[i]);
        cli_porcelain_names(
            out, &p->graph, r->nodes + r->part_begin[i], r->part_begin[i + 1u] - r->part_begin[i]);
    }
}

static void put_latencies(const partition *p, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    uint32_t i;
    cli_printf(out, "latency %.17g\n", r->total);
    for (i = 0; i < r->n_parts; i++) {
        cli_printf(out, "latency %" PRIu32 " mem=%.17g compute=%.17g overall=%.17g\n",
            r->part_id[i], r->latency[i].mem, r->latency[i].compute, r->latency[i].overall);
    }
}

static void put_names(cli_buffer *out, const gsp_graph *root, const gsp_node *nodes, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        cli_puts(out, i != 0 ? "," : "");
        cli_put_text(out, gsp_node_name(root, nodes[i]));
    }
}

static void put_dag(const partition *p, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    gsp_graph root = gsp_module_graph(&r->parts->module, 0);
    uint32_t i;
    for (i = 0; i < r->n_parts; i++) {
        gsp_node call = r->parts->call[i];
        uint32_t part = r->parts->part[i];
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&root, call, &n);
        cli_puts(out, "dag ");
        cli_put_text(out, gsp_node_name(&root, call));
        cli_puts(out, " devices=");
        partition_put_ids(p, part, out);
        cli_printf(out, " bytes=%" PRIu64 " in=", r->bytes[part]);
        put_names(out, &root, in, n);
        cli_puts(out, " out=");
        put_names(out, &root, r->dag_out + r->dag_out_begin[i],
            r->dag_out_begin[i + 1u] - r->dag_out_begin[i]);
        cli_puts(out, "\n");
    }
}

static void put_proof(const partition *p, cli_buffer *out)
{
    if (p->opt.mode == PARTITION_KWAY) {
        cli_printf(out, "proof objective=%" PRIu64 " bound=%" PRIu64 " proved=%d reference=",
            p->kway_result.cut, p->floor, partition_cut_proved(p));
        if (p->has_reference) {
            cli_printf(out, "%" PRIu64 "\n", p->reference);
        } else {
            cli_puts(out, "none\n");
        }
    } else if (p->opt.mode == PARTITION_HEFT) {
        cli_printf(out, "proof objective=%.0f bound=%.0f proved=%d reference=%.0f\n",
            p->result.total * 1e9, p->heft.lower_bound * 1e9, partition_heft_proved(p),
            p->heft.reference * 1e9);
    }
}

void partition_porcelain(const partition *p, cli_buffer *out)
{
    put_partitions(p, out);
    if (p->opt.mode != GSP_PARTITION_SPARSE && p->opt.mode != GSP_PARTITION_AOT) {
        put_latencies(p, out);
    }
    put_dag(p, out);
    put_proof(p, out);
    cli_porcelain_modules(out, &p->result.parts->module);
}
