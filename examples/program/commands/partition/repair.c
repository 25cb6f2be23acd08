/* --repair: a placement where size, cost or kl finds none. */
#include "commands/partition/partition.h"

#define MOST_STATES ((uint32_t)1 << 17) /* that the search for a placement keeps */
#define MOST_VISITS ((uint64_t)1 << 27) /* of it: about a second */

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

int partition_refuse_placement(const partition *p, uint32_t found)
{
    return cli_error(p->session, GSP_STATUS_NO_FIT,
        found == GSP_HEFT_NONE ? "these devices have no placement of the called nodes"
        : p->opt.repair ? "the search found no placement of the called nodes within its work; one "
                          "may exist, and a "
                          "larger --work (default 134217728) searches longer"
                        : "the search found no placement of the called nodes; one may exist");
}

gsp_heft_desc partition_heft_desc(const partition *p)
{
    gsp_heft_desc d = {0};
    d.n_devices = p->n_devices;
    d.devices = p->devices;
    d.transfer_rate = p->desc.transfer_rate;
    d.has_rate = p->desc.has_rate;
    d.seed = p->opt.seed;
    d.max_states = MOST_STATES;
    return d;
}

int partition_repair(partition *p, gsp_error *err)
{
    gsp_heft_desc d = partition_heft_desc(p);
    gsp_arena arena;
    d.any = 1;
    d.max_visits = p->opt.work > MOST_VISITS ? p->opt.work : MOST_VISITS;
    cli_arena(p->session, &arena, gsp_heft_bound(&p->graph, &d));
    if (gsp_heft_run(&arena, &p->graph, &d, &p->heft, err) != GSP_OK) {
        return CLI_EXIT_OK;
    }
    if (p->heft.found != GSP_HEFT_FOUND) {
        return partition_refuse_placement(p, p->heft.found);
    }
    partition_give(p, p->heft.part_of, p->heft.n_parts, p->heft.device_of);
    p->repaired = 1;
    return CLI_EXIT_OK;
}
