/* The report on minimum sizes: what every minimum would leave, and which one to take. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <stdlib.h>

#define CURVE_ROWS 12u
/* A recommended minimum keeps at least so many hundredths of the accelerator's nodes. */
#define KEEP_PERCENT 95u

/* What is left when all accelerator subgraphs below a minimum go to the CPU. */
typedef struct curve_point {
    uint32_t minimum;
    uint32_t subgraphs;
    uint32_t n_acc;
    uint32_t nodes; /* on accelerators */
} curve_point;

typedef struct curve {
    curve_point *points; /* by ascending minimum; the first is minimum 1 */
    uint32_t n_points;
    uint32_t best;
} curve;

/* Raw subgraphs by size, and whether each is on the CPU by now. */
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

/* Neighbours on the CPU are one subgraph: a subgraph that goes there joins those beside it. */
static void demote(const raw_subgraphs *raw, uint32_t i, curve_point *point)
{
    raw->on_cpu[i] = 1;
    point->n_acc--;
    point->nodes -= raw->size[i];
    point->subgraphs -= i != 0 && raw->on_cpu[i - 1u] ? 1u : 0u;
    point->subgraphs -= i + 1u < raw->n && raw->on_cpu[i + 1u] ? 1u : 0u;
}

static curve_point first_point(const raw_subgraphs *raw)
{
    curve_point point = {1, 0, 0, 0};
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

static void make_curve(const split *p, curve *c)
{
    raw_subgraphs raw;
    curve_point point;
    uint32_t i;
    count_raw(p, &raw);
    point = first_point(&raw);
    c->points = (curve_point *)cli_alloc(p->session, (size_t)raw.n + 1u, sizeof *c->points);
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
            (uint64_t)c->points[i].nodes * 100u >= (uint64_t)c->points[0].nodes * KEEP_PERCENT) {
            c->best = i;
        }
    }
}

/* The point that the split of now stands for: the first when no subgraph was too small. */
static uint32_t present_point(const split *p, const curve *c)
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

static void put_point(const curve *c, uint32_t i, uint32_t present, cli_table *t)
{
    const curve_point *point = &c->points[i];
    int now = i == present;
    cli_cell_put(t, i == c->best ? CLI_GREEN : CLI_PLAIN, "%" PRIu32, point->minimum);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, point->subgraphs);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, point->n_acc);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, point->nodes);
    cli_put_percent(cli_cell_begin(t, CLI_PLAIN), point->nodes, c->points[0].nodes);
    cli_cell_put(t, i == c->best ? CLI_GREEN : CLI_PLAIN, "%s%s%s",
                 i == c->best ? "<- recommended" : "", i == c->best && now ? ", " : "",
                 now ? "<- now" : "");
}

static void put_recommendation(const curve *c, cli_buffer *out)
{
    const curve_point *first = &c->points[0];
    const curve_point *best = &c->points[c->best];
    if (c->best == 0) {
        cli_printf(out,
                   "  Recommended: no minimum. None leaves fewer subgraphs and keeps %u %% of the "
                   "accelerator's nodes.\n",
                   KEEP_PERCENT);
        return;
    }
    cli_puts(out, "  Recommended: ");
    cli_put_style(out, CLI_BOLD);
    cli_printf(out, "--min-acc-module-size %" PRIu32, best->minimum);
    cli_put_style(out, CLI_PLAIN);
    cli_printf(out,
               ", the fewest subgraphs (%" PRIu32 " instead of %" PRIu32 ") that keep %u %% of the "
               "accelerator's nodes.\n",
               best->subgraphs, first->subgraphs, KEEP_PERCENT);
}

void split_put_curve(const split *p, cli_buffer *out)
{
    curve c;
    cli_table t;
    uint32_t present;
    uint32_t shown;
    uint32_t i;
    make_curve(p, &c);
    if (c.points[0].n_acc == 0) {
        return;
    }
    split_heading(out, "MINIMUM SIZE",
                  p->desc.limit == 0 ? "what each --min-acc-module-size leaves"
                                     : "what each --min-acc-module-size "
                                       "leaves, before the limit");
    if (c.n_points == 1u) {
        cli_printf(
            out,
            "  Nothing to choose: %s is of %" PRIu32 " node%s, and a larger minimum leaves none.\n",
            c.points[0].n_acc == 1u ? "the one accelerator subgraph" : "each accelerator subgraph",
            c.points[0].nodes / c.points[0].n_acc,
            cli_plural(c.points[0].nodes / c.points[0].n_acc));
        return;
    }
    present = present_point(p, &c);
    shown = split_rows(p, c.n_points, CURVE_ROWS);
    cli_table_init(&t, p->session, "rrrrrl");
    cli_table_head(&t, "minimum|subgraphs|accelerated|nodes there|kept|");
    for (i = 0; i < c.n_points; i++) {
        if (i < shown || i == c.best) {
            put_point(&c, i, present, &t);
        }
    }
    cli_table_write(&t, out);
    split_rest(out, c.n_points, shown + (c.best >= shown ? 1u : 0u), "size");
    put_recommendation(&c, out);
}
