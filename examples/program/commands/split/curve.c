/* The result of every minimum size, and the recommended one. */
#include "commands/split/split.h"

/* Raw subgraphs by size, with a flag for those on the CPU. */
typedef struct raw_subgraphs {
    uint32_t n;
    uint32_t *size;
    uint32_t *by_size; /* indices, smallest first */
    uint8_t *on_cpu;
} raw_subgraphs;

static void count_raw(const split *p, raw_subgraphs *raw)
{
    const gsp_split_result *r = &p->result;
    uint32_t *begin;
    uint32_t i;
    raw->n = r->n_raw;
    raw->size = (uint32_t *)cli_alloc(p->session, (size_t)r->n_raw + 1u, sizeof *raw->size);
    raw->on_cpu = (uint8_t *)cli_alloc(p->session, (size_t)r->n_raw + 1u, 1u);
    for (i = 0; i < r->n_nodes; i++) {
        if (r->raw_of[i] != GSP_NONE) {
            raw->size[r->raw_of[i]]++;
        }
    }
    for (i = 0; i < r->n_raw; i++) {
        raw->on_cpu[i] = r->raw_kind[i] == GSP_KIND_CPU;
    }
    raw->by_size = split_members(p->session, raw->size, r->n_raw, r->n_nodes + 1u, &begin);
}

/* Neighbours on the CPU are one subgraph: a subgraph that moves there joins its neighbours. */
static void demote(const raw_subgraphs *raw, uint32_t i, split_curve_point *point)
{
    raw->on_cpu[i] = 1;
    point->n_acc--;
    point->nodes -= raw->size[i];
    point->subgraphs -= i != 0 && raw->on_cpu[i - 1u] ? 1u : 0u;
    point->subgraphs -= i + 1u < raw->n && raw->on_cpu[i + 1u] ? 1u : 0u;
}

static split_curve_point first_point(const raw_subgraphs *raw)
{
    split_curve_point point = {1, 0, 0, 0};
    uint32_t i;
    for (i = 0; i < raw->n; i++) {
        point.subgraphs += i == 0 || !raw->on_cpu[i] || !raw->on_cpu[i - 1u] ? 1u : 0u;
        if (!raw->on_cpu[i]) {
            point.n_acc++;
            point.nodes += raw->size[i];
        }
    }
    return point;
}

void split_curve_make(const split *p, split_curve *c)
{
    raw_subgraphs raw;
    split_curve_point point;
    uint32_t i;
    count_raw(p, &raw);
    point = first_point(&raw);
    c->points = (split_curve_point *)cli_alloc(p->session, (size_t)raw.n + 1u, sizeof *c->points);
    c->points[0] = point;
    c->n_points = 1;
    c->best = 0;
    for (i = 0; i < raw.n; i++) {
        uint32_t s = raw.by_size[i];
        if (p->result.raw_kind[s] == GSP_KIND_CPU) {
            continue;
        }
        if (raw.size[s] >= point.minimum && point.minimum != c->points[c->n_points - 1u].minimum) {
            c->points[c->n_points++] = point;
        }
        point.minimum = raw.size[s] + 1u;
        demote(&raw, s, &point);
    }
    for (i = 1; i < c->n_points; i++) {
        if (c->points[i].subgraphs < c->points[c->best].subgraphs &&
            (uint64_t)c->points[i].nodes * 100u >=
                (uint64_t)c->points[0].nodes * SPLIT_KEEP_PERCENT) {
            c->best = i;
        }
    }
}

uint32_t split_curve_present(const split *p, const split_curve *c)
{
    uint32_t now = 0;
    uint32_t small = 0;
    uint32_t i;
    for (i = 0; i < p->result.n_nodes; i++) {
        small |= p->result.reason[i] == GSP_REASON_SMALL ? 1u : 0u;
    }
    for (i = 1; small && i < c->n_points && c->points[i].minimum <= p->desc.min_size; i++) {
        now = i;
    }
    return now;
}
