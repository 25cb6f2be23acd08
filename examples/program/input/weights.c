/* weight= of nodes, and other attributes that the library does not know. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

gsp_str cli_attribute_of(const gsp_graph *graph, gsp_node v, const char *key)
{
    const gsp_module *m = graph->module;
    const gsp_attr *a = m->attrs + m->attr[graph->first + v];
    gsp_str none = {NULL, 0};
    for (; a->key != (gsp_atom)GSP_KEY_NONE; a++) {
        if (gsp_str_equal(gsp_module_str(m, a->key), gsp_str_of(key))) {
            return gsp_module_str(m, a->value);
        }
    }
    return none;
}

gsp_str cli_attribute(const gsp_graph *graph, gsp_node v, const char *key)
{
    gsp_str const found = cli_attribute_of(graph, v, key);
    gsp_str const empty = {"", 0};
    return found.data != NULL ? found : empty;
}

uint32_t *cli_groups(cli_session *s, const gsp_graph *graph)
{
    const gsp_module *m = graph->module;
    uint32_t *first = (uint32_t *)cli_alloc(s, (size_t)m->counts.strings + 1u, sizeof *first);
    uint32_t *group = (uint32_t *)cli_alloc(s, (size_t)graph->n_nodes + 1u, sizeof *group);
    gsp_node v;
    memset(first, 0xFF, ((size_t)m->counts.strings + 1u) * sizeof *first);
    memset(group, 0xFF, (size_t)graph->n_nodes * sizeof *group);
    for (v = 0; v < graph->n_nodes; v++) {
        const gsp_attr *a = m->attrs + m->attr[graph->first + v];
        while (a->key != (gsp_atom)GSP_KEY_NONE && a->key != (gsp_atom)GSP_KEY_GROUP) {
            a++;
        }
        if (a->key != (gsp_atom)GSP_KEY_NONE && gsp_node_is_callable(graph, v)) {
            group[v] = first[a->value];
            first[a->value] = first[a->value] == GSP_NONE ? v : first[a->value];
        }
    }
    cli_release(s, first);
    return group;
}

gsp_node cli_groups_torn(const gsp_graph *graph, const uint32_t *group, const uint32_t *part_of)
{
    gsp_node v = 0;
    while (v < graph->n_nodes && (group[v] == GSP_NONE || part_of[v] == part_of[group[v]])) {
        v++;
    }
    return v < graph->n_nodes ? v : GSP_NONE;
}

int cli_groups_check(
    cli_session *s, const gsp_graph *graph, const uint32_t *part_of, const char *advice)
{
    uint32_t *group = cli_groups(s, graph);
    gsp_node const v = cli_groups_torn(graph, group, part_of);
    int const code =
        v == GSP_NONE
            ? CLI_EXIT_OK
            : cli_error(s, GSP_STATUS_NO_FIT,
                  "%%%s and %%%s have the same group=, but are in parts %" PRIu32 " and %" PRIu32
                  "; %s",
                  cli_copy(s, gsp_node_name(graph, group[v])), cli_copy(s, gsp_node_name(graph, v)),
                  part_of[group[v]], part_of[v], advice);
    cli_release(s, group);
    return code;
}

int cli_weights_read(cli_session *s, const gsp_graph *graph, uint64_t **weights)
{
    uint64_t *weight = (uint64_t *)cli_alloc(s, (size_t)graph->n_nodes + 1u, sizeof *weight);
    gsp_node v;
    for (v = 0; v < graph->n_nodes; v++) {
        gsp_str text = cli_attribute(graph, v, "weight");
        weight[v] = gsp_node_is_callable(graph, v) ? 1u : 0u;
        if (text.size != 0 && !gsp_str_number(text, &weight[v])) {
            return cli_error(s, GSP_STATUS_PARSE, "%s: weight= of %%%s is no number of 64 bits",
                s->path, cli_copy(s, gsp_node_name(graph, v)));
        }
    }
    *weights = weight;
    return CLI_EXIT_OK;
}

/* Loads are whole, so the mean is rounded up. */
static uint64_t mean_of(uint64_t total, uint32_t n_parts)
{
    uint32_t const k = n_parts != 0 ? n_parts : 1u;
    return total / k + (total % k != 0 ? 1u : 0u);
}

/* (1 + share) * mean, rounded down. */
static uint64_t limit_of(double share, uint64_t mean)
{
    double most = (1.0 + share) * (double)mean;
    uint64_t const limit = cli_whole(most + most * 1e-15); /* 1.03 * 100 is 103 */
    return limit > mean ? limit : mean;
}

int cli_capacities(cli_session *s, const char *imbalance, uint64_t total, uint64_t heaviest,
    uint32_t n_parts, uint64_t **capacity)
{
    uint64_t *all = (uint64_t *)cli_alloc(s, (size_t)n_parts + 1u, sizeof *all);
    uint64_t limit;
    double share;
    uint32_t i;
    if (!gsp_str_decimal(gsp_str_of(imbalance), &share) || !(share >= 0.0) || share > 1e9) {
        return cli_usage_error(
            s, "--imbalance expects a share up to 10^9, such as 0.03, got '%s'", imbalance);
    }
    limit = limit_of(share, mean_of(total, n_parts));
    for (i = 0; i < n_parts; i++) {
        all[i] = limit > heaviest ? limit : heaviest;
    }
    *capacity = all;
    return CLI_EXIT_OK;
}

void cli_put_imbalance(cli_buffer *out, uint64_t limit, uint64_t total, uint32_t n_parts)
{
    uint64_t const mean = mean_of(total, n_parts);
    double const least =
        (double)(limit > mean ? limit - mean : 0u) / (double)(mean != 0 ? mean : 1u);
    double unit = 100.0;
    double share;
    int digits = 2;
    for (;;) {
        share = (double)cli_whole(least * unit) / unit;
        while (limit_of(share, mean) < limit) {
            share += 1.0 / unit;
        }
        if (digits == 15 || limit_of(share, mean) == limit) {
            break;
        }
        unit *= 10.0;
        digits++;
    }
    cli_printf(out, "%.*f", digits, share);
}
