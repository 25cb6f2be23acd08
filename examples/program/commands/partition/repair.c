/* --repair: a placement where size, cost or kl finds none. */
#include "commands/partition/partition.h"

static int is_greedy(uint32_t mode)
{
    return mode == GSP_PARTITION_SIZE || mode == GSP_PARTITION_COST || mode == GSP_PARTITION_KL;
}

int partition_repair_options(const partition *p)
{
    if (!p->opt.repair || (is_greedy(p->opt.mode) && p->opt.count != PARTITION_PEAK)) {
        return CLI_EXIT_OK;
    }
    return cli_usage_error(p->session,
        "--repair requires --mode size, cost or kl, and cannot be combined with --count peak");
}

int partition_repairable(const partition *p, const gsp_error *err)
{
    return err->status == GSP_STATUS_NO_FIT && is_greedy(p->desc.mode) &&
           (err->detail == GSP_DETAIL_NODE_LARGE || err->detail == GSP_DETAIL_MAPPING);
}

int partition_refuse_placement(const partition *p, cli_placement_found found)
{
    return cli_error(p->session, GSP_STATUS_NO_FIT,
        found == CLI_PLACEMENT_PROVED ? "these devices have no placement of the called nodes"
        : p->opt.repair ? "the search found no placement of the called nodes within its work; one "
                          "may exist, and a "
                          "larger --work (default 134217728) searches longer"
                        : "the search found no placement of the called nodes; one may exist");
}

int partition_repair(partition *p)
{
    cli_session *s = p->session;
    size_t n = (size_t)p->graph.n_nodes + 1u;
    uint32_t *part_of = (uint32_t *)cli_alloc(s, n, sizeof *part_of);
    uint32_t *device_of = (uint32_t *)cli_alloc(s, n, sizeof *device_of);
    cli_placement placement;
    cli_placement_found found;
    cli_placement_open(&placement, s, &p->graph, p->devices, p->n_devices);
    found = cli_placement_search(&placement, s, p->opt.work);
    if (found != CLI_PLACEMENT_FOUND) {
        return partition_refuse_placement(p, found);
    }
    partition_give(p, part_of, cli_placement_phases(&placement, s, part_of, device_of), device_of);
    p->repaired = 1;
    return CLI_EXIT_OK;
}
