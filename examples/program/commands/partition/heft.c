/* --mode heft: the search on the graph, devices and rate of the options. */
#include "commands/partition/partition.h"

#include <string.h>

#define MOST_COST 400u /* called nodes for which cost competes */

static gsp_partition_desc start_desc(const partition *p, uint32_t mode)
{
    gsp_partition_desc d = p->desc;
    d.mode = mode;
    d.max_work = partition_trials(&p->graph);
    return d;
}

static size_t bound(const partition *p)
{
    gsp_heft_desc const d = partition_heft_desc(p);
    gsp_partition_desc const size = start_desc(p, GSP_PARTITION_SIZE);
    gsp_partition_desc const cost = start_desc(p, GSP_PARTITION_COST);
    return gsp_heft_bound(&p->graph, &d) + gsp_assign_bound(&p->graph, &size) +
           gsp_assign_bound(&p->graph, &cost);
}

/* Those of size and cost that fit compete. */
static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    partition *p = (partition *)user;
    gsp_assignment starts[2];
    gsp_heft_desc d = partition_heft_desc(p);
    uint32_t modes = partition_called(&p->graph) <= MOST_COST ? 2u : 1u;
    uint32_t i;
    d.starts = starts;
    for (i = 0; i < modes; i++) {
        gsp_partition_desc const start =
            start_desc(p, i == 0 ? GSP_PARTITION_SIZE : GSP_PARTITION_COST);
        gsp_status const status =
            gsp_assign_run(arena, &p->graph, &start, &starts[d.n_starts], err);
        if (status != GSP_OK && status != GSP_STATUS_NO_FIT) {
            return status;
        }
        d.n_starts += status == GSP_OK ? 1u : 0u;
    }
    return gsp_heft_run(arena, &p->graph, &d, &p->heft, err);
}

static int is_too_small(const partition *p, gsp_error *err)
{
    uint32_t i;
    memset(err, 0, sizeof *err);
    err->status = GSP_STATUS_NO_FIT;
    err->detail = GSP_DETAIL_DEVICES_SMALL;
    err->need = gsp_heft_bytes(&p->graph);
    for (i = 0; i < p->n_devices; i++) {
        err->limit += p->devices[i].bytes;
    }
    return err->need > err->limit;
}

int partition_heft(partition *p)
{
    cli_session *s = p->session;
    gsp_arena arena;
    gsp_error err;
    int code;
    if (p->opt.mode != PARTITION_HEFT) {
        return CLI_EXIT_OK;
    }
    cli_progress(s, "placing nodes");
    p->mode_bound = bound(p);
    if ((code = cli_pass_arena(s, &arena, p->mode_bound)) != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(s, &arena, work, p, &p->mode_timing, &err) != GSP_OK ||
        (p->heft.found != GSP_HEFT_FOUND && is_too_small(p, &err))) {
        return partition_refuse(p, &err);
    }
    if (p->heft.found != GSP_HEFT_FOUND) {
        return partition_refuse_placement(p, p->heft.found);
    }
    partition_give(p, p->heft.part_of, p->heft.n_parts, p->heft.device_of);
    return CLI_EXIT_OK;
}

void partition_heft_times(partition *p)
{
    if (p->opt.mode == PARTITION_HEFT) {
        memcpy(p->result.finish, p->heft.finish, p->heft.n_parts * sizeof *p->heft.finish);
        memcpy(p->result.late_parent, p->heft.waits, p->heft.n_parts * sizeof *p->heft.waits);
        p->result.total = p->heft.seconds;
    }
}
