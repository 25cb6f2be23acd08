#include "algorithms/algorithms.h"

#include <string.h>

size_t cli_network_bound(size_t most)
{
    gsp_min_cut_desc desc = {0};
    desc.n_nodes = (uint32_t)most;
    desc.n_arcs = (uint32_t)most;
    return most * sizeof(gsp_cut_arc) + GSP_ALIGN + gsp_min_cut_bound(&desc);
}

int cli_network_make(cli_network *net, gsp_arena *arena, size_t most)
{
    memset(net, 0, sizeof *net);
    net->arena = arena;
    net->most = most;
    net->max_work = UINT64_MAX;
    net->arcs = (gsp_cut_arc *)gsp_arena_push(arena, most, sizeof *net->arcs);
    return net->arcs != NULL;
}

void cli_network_start(cli_network *net)
{
    net->n_nodes = 2;
    net->n_arcs = 0;
    net->side = NULL;
    net->value = 0;
}

uint32_t cli_network_node(cli_network *net)
{
    return net->n_nodes++;
}

void cli_network_both(
    cli_network *net, uint32_t from, uint32_t to, uint64_t capacity, uint64_t back)
{
    if (net->n_arcs < net->most) {
        gsp_cut_arc *a = &net->arcs[net->n_arcs];
        a->capacity = capacity;
        a->back = back;
        a->from = from;
        a->to = to;
    }
    net->n_arcs++;
}

void cli_network_arc(cli_network *net, uint32_t from, uint32_t to, uint64_t capacity)
{
    cli_network_both(net, from, to, capacity, 0);
}

int cli_network_fits(const cli_network *net)
{
    return net->n_arcs <= net->most && net->n_nodes <= net->most;
}

int cli_network_cut(cli_network *net)
{
    gsp_min_cut_desc desc = {0};
    gsp_min_cut_result r;
    gsp_mark mark = gsp_arena_mark(net->arena);
    if (!cli_network_fits(net) || net->work >= net->max_work) {
        return 0;
    }
    desc.n_nodes = net->n_nodes;
    desc.n_arcs = (uint32_t)net->n_arcs;
    desc.arcs = net->arcs;
    desc.max_work = net->max_work - net->work;
    if (gsp_min_cut_run(net->arena, &desc, &r, NULL) != GSP_OK) {
        return 0;
    }
    gsp_arena_rewind(net->arena, mark); /* nothing is allocated before the next cut */
    net->work += r.work + net->n_arcs;
    net->side = r.side;
    net->value = r.value;
    return r.side != NULL;
}
