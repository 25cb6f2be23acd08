/* --mode heft: the search on the graph, devices and rate of the options. */
#include "commands/partition/partition.h"

#include <string.h>

static cli_heft_desc describe(const partition *p)
{
    cli_heft_desc d;
    d.graph = &p->graph;
    d.n_edges = p->counts.edges;
    d.partition = &p->desc;
    d.seed = p->opt.seed;
    return d;
}

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    partition *p = (partition *)user;
    cli_heft_desc const d = describe(p);
    return cli_heft_run(p->session, arena, &d, &p->heft, err);
}

static int is_too_small(const partition *p, gsp_error *err)
{
    uint32_t i;
    memset(err, 0, sizeof *err);
    err->status = GSP_STATUS_NO_FIT;
    err->detail = GSP_DETAIL_DEVICES_SMALL;
    err->need = cli_placement_sum(&p->graph);
    for (i = 0; i < p->n_devices; i++) {
        err->limit += p->devices[i].bytes;
    }
    return err->need > err->limit;
}

int partition_heft(partition *p)
{
    cli_session *s = p->session;
    size_t n = (size_t)p->graph.n_nodes + 1u;
    cli_heft_desc const d = describe(p);
    gsp_arena arena;
    gsp_error err;
    int code;
    if (p->opt.mode != PARTITION_HEFT) {
        return CLI_EXIT_OK;
    }
    cli_progress(s, "placing nodes");
    p->heft.part_of = (uint32_t *)cli_alloc(s, n, sizeof *p->heft.part_of);
    p->heft.device_of = (uint32_t *)cli_alloc(s, n, sizeof *p->heft.device_of);
    p->mode_bound = cli_heft_bound(&d);
    if ((code = cli_pass_arena(s, &arena, p->mode_bound)) != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(s, &arena, work, p, &p->mode_timing, &err) != GSP_OK ||
        (p->heft.found != CLI_PLACEMENT_FOUND && is_too_small(p, &err))) {
        return partition_refuse(p, &err);
    }
    if (p->heft.found != CLI_PLACEMENT_FOUND) {
        return partition_refuse_placement(p, p->heft.found);
    }
    partition_give(p, p->heft.part_of, p->heft.n_parts, p->heft.device_of);
    return CLI_EXIT_OK;
}

void partition_heft_times(partition *p)
{
    if (p->opt.mode == PARTITION_HEFT) {
        cli_heft_desc const d = describe(p);
        cli_heft_times(p->session, &d, p->heft.device_of, &p->result);
    }
}
