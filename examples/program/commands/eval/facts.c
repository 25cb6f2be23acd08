/* What an assignment has to keep to, and what follows from its score. */
#include "commands/eval/eval.h"

#include <stdlib.h>
#include <string.h>

static int read_weights(eval *e, uint64_t *total, uint64_t *heaviest)
{
    uint64_t *weight = NULL;
    gsp_node v;
    int code = cli_weights_read(e->session, &e->graph, &weight);
    for (v = 0; v < e->graph.n_nodes && code == CLI_EXIT_OK; v++) {
        *total = *total > UINT64_MAX - weight[v] ? UINT64_MAX : *total + weight[v];
        *heaviest = *heaviest > weight[v] ? *heaviest : weight[v];
    }
    e->desc.weight = weight;
    return code;
}

/* A device is the first part on it. */
static void place_parts(eval *e)
{
    uint32_t *device_of;
    uint32_t i;
    if (e->n_devices == 0) {
        return;
    }
    device_of = (uint32_t *)cli_alloc(e->session, (size_t)e->parts.n_parts + 1u, sizeof *device_of);
    for (i = 0; i < e->parts.n_parts; i++) {
        device_of[i] = i % e->n_devices;
    }
    e->desc.device_of = device_of;
}

int eval_limits(eval *e)
{
    uint64_t total = 0;
    uint64_t heaviest = 0;
    uint32_t *pin;
    uint64_t *capacity = NULL;
    int code = read_weights(e, &total, &heaviest);
    if (code == CLI_EXIT_OK && e->opt.imbalance != NULL) {
        code = cli_capacities(
            e->session, e->opt.imbalance, total, heaviest, e->parts.n_parts, &capacity);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    e->desc.capacity = capacity;
    e->desc.group = cli_groups(e->session, &e->graph);
    place_parts(e);
    if (e->opt.fix != NULL) {
        pin = (uint32_t *)cli_alloc(e->session, e->graph.n_nodes, sizeof *pin);
        code = cli_fixed_read(
            e->session, &e->graph, e->opt.fix, (uint32_t)e->opt.parts, &e->parts, pin);
        e->desc.pin = pin;
    }
    e->desc.n_parts = e->parts.n_parts;
    e->desc.part_of = e->parts.part_of;
    return code;
}

void eval_devices(eval *e)
{
    uint32_t *words =
        (uint32_t *)cli_alloc(e->session, gsp_bitset_words(e->graph.n_nodes), sizeof *words);
    gsp_bitset nodes;
    uint32_t i;
    gsp_node v;
    gsp_bitset_init(&nodes, words, e->graph.n_nodes);
    e->valid = e->score.valid && !eval_length(e);
    e->device_bytes =
        (uint64_t *)cli_alloc(e->session, (size_t)e->n_devices + 1u, sizeof *e->device_bytes);
    for (i = 0; i < e->n_devices; i++) {
        gsp_bitset_fill(&nodes, 0);
        for (v = 0; v < e->graph.n_nodes; v++) {
            if (e->score.part_of[v] != GSP_NONE && e->score.part_of[v] % e->n_devices == i) {
                gsp_bitset_set(&nodes, v);
            }
        }
        e->device_bytes[i] = gsp_part_bytes(&e->graph, &nodes);
        e->valid = e->valid && e->device_bytes[i] <= e->devices[i].bytes;
    }
}

int eval_length(const eval *e)
{
    return e->score.unplaced != GSP_NONE || e->parts.n_lines != e->parts.n_wanted;
}

double eval_mean(const eval *e)
{
    return e->parts.n_parts == 0 ? 0.0 : (double)e->score.total_load / (double)e->parts.n_parts;
}

double eval_imbalance(const eval *e)
{
    return e->score.total_load == 0 ? 0.0 : (double)e->score.largest_load / eval_mean(e) - 1.0;
}
