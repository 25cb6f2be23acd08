/* Phases of a graph with the fewest bytes between them, and the first and last one of each call. */
#include "commands/split/split.h"

#include <string.h>

/* The network takes most of the room, which only lasts for the run. */
int split_windows_one(split *p, const gsp_traffic_desc *desc, gsp_traffic_result *r)
{
    size_t const room = gsp_traffic_bound(&p->graph, desc);
    size_t const n = p->graph.n_nodes;
    void *block = cli_grow(p->session, NULL, room);
    const uint32_t **const lists[] = {&r->phase, &r->unit, &r->early, &r->late};
    gsp_arena arena;
    gsp_error err;
    size_t i;
    gsp_arena_init(&arena, block, room);
    if (gsp_traffic_run(&arena, &p->graph, desc, r, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    for (i = 0; i < CLI_COUNT(lists); i++) {
        uint32_t *copy = (uint32_t *)cli_alloc(p->session, n + 1u, sizeof *copy);
        memcpy(copy, *lists[i], n * sizeof *copy);
        *lists[i] = copy;
    }
    cli_release(p->session, block);
    return CLI_EXIT_OK;
}

int split_windows_whole(split *p, gsp_split_result *whole)
{
    gsp_split_desc cut = p->desc;
    cut.limit = 0;
    cut.max_acc = 0;
    cut.min_size = 0;
    cut.max_size = 0;
    cut.move_non_tensor = 0;
    return split_run(p, &cut, whole);
}

/* Whether the first and last phases of all are the same. */
static int are_equal(const split *p, const gsp_traffic_result *a, const gsp_traffic_result *b)
{
    size_t const size = p->graph.n_nodes * sizeof *a->early;
    return a->n_phases == b->n_phases && memcmp(a->early, b->early, size) == 0 &&
           memcmp(a->late, b->late, size) == 0;
}

int split_windows_find(split *p, split_windows *w)
{
    int code = split_windows_whole(p, &w->whole);
    uint32_t i;
    for (i = 0; i < 2u && code == CLI_EXIT_OK; i++) {
        gsp_traffic_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.kind = w->whole.kind;
        desc.group = w->whole.group;
        desc.best_start = p->desc.best_start;
        desc.other_start = i;
        desc.measure = GSP_TRAFFIC_RESIDENT;
        code = split_windows_one(p, &desc, &w->resident[i]);
        desc.measure = GSP_TRAFFIC_WRITTEN;
        code = code == CLI_EXIT_OK ? split_windows_one(p, &desc, &w->written[i]) : code;
    }
    if (code == CLI_EXIT_OK && are_equal(p, &w->resident[0], &w->resident[1])) {
        w->resident[1].n_phases = 0;
    }
    return code;
}
