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

int partition_repair(partition *p)
{
    cli_session *s = p->session;
    size_t n = (size_t)p->graph.n_nodes + 1u;
    uint32_t *part_of = (uint32_t *)cli_alloc(s, n, sizeof *part_of);
    uint32_t *device_of = (uint32_t *)cli_alloc(s, n, sizeof *device_of);
    partition_room room;
    partition_found found;
    partition_room_open(&room, p);
    found = partition_find(&room, s);
    if (found != PARTITION_FOUND) {
        return partition_find_refuse(p, found);
    }
    partition_give(p, part_of, partition_phases(&room, s, part_of, device_of), device_of);
    p->repaired = 1;
    return CLI_EXIT_OK;
}
