/* The report of `partition` for people: partitions, devices, the critical path. */
#include "commands/partition/partition.h"

#include "output/output.h"

#include <inttypes.h>
#include <string.h>

#define ROWS      20u /* of a long table, without --all */
#define BAR_WIDTH 40u

/* Seconds are shown if some node takes any. */
static int has_seconds(const partition *p)
{
    return p->result.total > 0.0;
}

static int counts_peak(const partition *p)
{
    return p->opt.count == PARTITION_PEAK;
}

/* ---- heading ---- */

static void put_search(const partition *p, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    const char *stopped_by = partition_stopped_by(p);
    int merges = p->opt.mode != GSP_PARTITION_KL;
    if (p->repaired) {
        cli_puts(out, ": the mode finds no placement, --repair does");
        return;
    }
    if (r->single || p->opt.mode == GSP_PARTITION_SIZE || p->opt.mode >= GSP_PARTITION_AOT) {
        return;
    }
    cli_printf(
        out, "; %" PRIu32 " %s%s", r->n_steps, merges ? "merge" : "swap", cli_plural(r->n_steps));
    if (p->opt.mode != GSP_PARTITION_SPARSE) {
        cli_printf(out, " after %" PRIu64 " trials", r->work);
    }
    if (stopped_by != NULL) {
        cli_puts(out, "\n  ");
        cli_put_style(out, CLI_YELLOW);
        cli_printf(out, "stopped by %s: the best valid result so far", stopped_by);
        cli_put_style(out, CLI_PLAIN);
    }
}

/* Both counts of the memory that the graph needs. */
static void put_needs(const partition *p, int least, cli_buffer *out)
{
    int const peak = counts_peak(p);
    cli_puts(out, "  needs ");
    cli_put_least(out, cli_need_at_once(&p->whole), least, cli_put_need);
    cli_puts(out, " at once (parameters ");
    cli_put_least(out, p->whole.params, cli_graph_least(&p->graph, 1), cli_put_need);
    cli_puts(out, ", live values at the peak ");
    cli_put_least(out, p->whole.peak, least, cli_put_need);
    cli_puts(out, peak ? "), which decides,\n  and " : "),\n  and ");
    cli_put_least(out, gsp_heft_bytes(&p->graph), least, cli_put_need);
    cli_printf(out, " by the sum of PyTorch (parameters and all values)%s\n",
        peak ? "" : ", which decides;\n  --count peak takes the first");
}

static void put_number(cli_buffer *out, uint64_t n)
{
    cli_printf(out, "%" PRIu64, n);
}

static void put_cut(const partition *p, cli_buffer *out)
{
    int const least = partition_cut_least(p);
    cli_puts(out, ", cut ");
    cli_put_least(out, p->kway_result.cut, least, put_number);
    cli_printf(out, " %s%s", p->kway.bytes != 0 ? "byte" : "edge", cli_plural(p->kway_result.cut));
    if (partition_cut_proved(p)) {
        cli_puts(out, ", the least possible");
    } else if (p->floor != 0) {
        cli_printf(out, ", at least %" PRIu64 " %s", p->floor,
            p->flow_counts ? "by a flow" : "since it is connected");
    }
    if (p->has_reference) {
        cli_puts(out, " (equal chunks in graph order: ");
        cli_put_least(out, p->reference, least, put_number);
        cli_puts(out, ")");
    }
}

static void put_heft(const partition *p, cli_buffer *out)
{
    uint32_t const untimed = partition_untimed(p);
    cli_puts(out, partition_heft_proved(p) ? ", the least possible (" : " (at least ");
    cli_put_time(out, &p->opt.times, p->heft.lower_bound);
    cli_puts(out, "; mode size ");
    cli_put_time(out, &p->opt.times, p->heft.reference);
    cli_puts(out, ")");
    cli_puts(out, untimed != 0 || cli_unknown_sizes(p->graph.module) ? "; " : "");
    cli_put_open_figures(out, p->graph.module, untimed, p->result.part_begin[p->result.n_parts]);
}

static void put_title(const partition *p, int least, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    const char *path = p->session->path;
    cli_put_styled(out, CLI_BOLD, strcmp(path, "-") == 0 ? "standard input" : path);
    cli_printf(out,
        "  %" PRIu32 " nodes, %" PRIu32 " of them callable; mode %s, %" PRIu32 " device%s\n  ",
        p->graph.n_nodes, r->part_begin[r->n_parts], partition_modes[p->opt.mode], p->n_devices,
        cli_plural(p->n_devices));
    cli_put_style(out, CLI_BOLD);
    cli_printf(out, "%" PRIu32 " partition%s", r->n_parts, cli_plural(r->n_parts));
    if (has_seconds(p)) {
        cli_puts(
            out, p->opt.times.unit == CLI_TIMES_SHAPES ? ", estimated latency " : ", latency ");
        cli_put_time(out, &p->opt.times, r->total);
    }
    cli_put_style(out, CLI_PLAIN);
    if (r->single) {
        cli_puts(out, least ? ": one device has room for what is known; "
                            : ": the whole graph fits one device");
        if (least) {
            cli_put_open_sizes(out, p->graph.module);
        }
    }
    put_search(p, out);
    if (p->opt.mode == PARTITION_KWAY) {
        put_cut(p, out);
    }
    if (p->opt.mode == PARTITION_HEFT) {
        put_heft(p, out);
    }
    cli_puts(out, "\n");
    if (p->has_needs) {
        put_needs(p, least, out);
    }
}

/* ---- partitions ---- */

/* kway is given no devices, so its parts have no capacity. */
static int has_capacity(const partition *p)
{
    return p->opt.mode != PARTITION_KWAY;
}

/* Bytes, and their share of a capacity if devices are full by this count; it is not known of lower
 * bounds. */
static void put_need_cells(
    const partition *p, cli_table *t, uint64_t part, uint64_t whole, int decides, int least)
{
    int const too_much = part > whole;
    cli_buffer *cell;
    cli_put_least(cli_cell_begin(t, CLI_PLAIN), part, least, cli_put_need);
    if (!has_capacity(p) || !decides) {
        return;
    }
    cell = cli_cell_begin(t, too_much ? CLI_RED : CLI_PLAIN);
    if (too_much) {
        cli_puts(cell, "too much");
    } else if (least) {
        cli_puts(cell, "?");
    } else {
        cli_put_percent(cell, part, whole);
    }
}

/* What is in memory at once, then the sum of PyTorch. */
static void put_both(
    const partition *p, cli_table *t, const cli_need *need, uint64_t sum, uint64_t whole, int least)
{
    if (p->has_needs) {
        put_need_cells(p, t, cli_need_at_once(need), whole, counts_peak(p), least);
    } else {
        cli_cell_put(t, CLI_PLAIN, "?");
    }
    put_need_cells(p, t, sum, whole, !counts_peak(p), least);
}

static void put_both_heads(const partition *p, cli_table *t)
{
    cli_table_head(t, !has_capacity(p) ? "at once|sum"
                      : counts_peak(p) ? "at once|of capacity|sum"
                                       : "at once|sum|of capacity");
}

static void put_partition(const partition *p, cli_table *t, uint32_t i, int least)
{
    const gsp_partition_result *r = &p->result;
    uint32_t part = r->parts->part[i];
    cli_style style = has_seconds(p) && p->critical[part] ? CLI_MAGENTA : CLI_PLAIN;
    cli_put_clipped(cli_cell_begin(t, style), partition_submodule(p, part), 40u);
    partition_put_devices(p, part, cli_cell_begin(t, CLI_PLAIN));
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, r->part_begin[part + 1u] - r->part_begin[part]);
    put_both(p, t, &p->part_needs[part], r->bytes[part], partition_least_capacity(p, part), least);
    cli_put_least(
        cli_cell_begin(t, CLI_PLAIN), partition_received(p, part), least && i != 0, cli_put_bytes);
    if (has_seconds(p)) {
        cli_put_time(cli_cell_begin(t, CLI_PLAIN), &p->opt.times, r->latency[part].overall);
        cli_put_time(cli_cell_begin(t, CLI_PLAIN), &p->opt.times, r->finish[part]);
    }
}

static void put_partitions(const partition *p, int least, cli_buffer *out)
{
    static const char *const columns[] = {"llrrrr", "llrrrrr", "llrrrrrr", "llrrrrrrr"};
    const gsp_partition_result *r = &p->result;
    uint32_t shown = cli_rows(p->session, r->n_parts, ROWS);
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "PARTITIONS",
        "in execution order; at once: parameters and peak; sum: parameters, inputs, all values");
    cli_table_init(&t, p->session, columns[2 * has_seconds(p) + has_capacity(p)]);
    cli_table_head(&t, "submodule|devices|nodes");
    put_both_heads(p, &t);
    cli_table_head(&t, "received");
    if (has_seconds(p)) {
        cli_table_head(&t, "latency|done at");
    }
    for (i = 0; i < shown; i++) {
        put_partition(p, &t, i, least);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, r->n_parts, shown, "partition");
}

/* ---- devices ---- */

static uint32_t *count_partitions(const partition *p)
{
    const gsp_partition_result *r = &p->result;
    uint32_t *count = (uint32_t *)cli_alloc(p->session, (size_t)p->n_devices + 1u, sizeof *count);
    uint32_t *seen = (uint32_t *)cli_alloc(p->session, (size_t)p->n_devices + 1u, sizeof *seen);
    uint32_t i;
    uint32_t k;
    for (i = 0; i < r->n_parts; i++) {
        for (k = 0; k < r->device_count[i]; k++) {
            uint32_t d = r->devices[r->device_begin[i] + k];
            count[d] += seen[d] != i + 1u ? 1u : 0u;
            seen[d] = i + 1u;
        }
    }
    return count;
}

static void put_devices(const partition *p, int any, cli_buffer *out)
{
    uint32_t shown = cli_rows(p->session, p->n_devices, ROWS);
    const uint32_t *count = count_partitions(p);
    cli_table t;
    uint32_t i;
    cli_put_heading(
        out, "DEVICES", "at once: parameters and peak; sum: bytes of all partitions there");
    cli_table_init(&t, p->session, has_capacity(p) ? "lrrrrrr" : "lrrrr");
    cli_table_head(&t, has_capacity(p) ? "device|id|capacity" : "device|id");
    put_both_heads(p, &t);
    cli_table_head(&t, "partitions");
    for (i = 0; i < shown; i++) {
        int least = any && count[i] != 0;
        cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), p->devices[i].name, 40u);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, p->devices[i].id);
        if (has_capacity(p)) {
            cli_put_bytes(cli_cell_begin(&t, CLI_PLAIN), p->devices[i].bytes);
        }
        put_both(p, &t, &p->needs[i], p->result.device_bytes[i], p->devices[i].bytes, least);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, count[i]);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, p->n_devices, shown, "device");
}

/* ---- the critical path ---- */

/* A bar of its time, idle for an input ('.') and computing ('#'). */
static void put_bar(const partition *p, uint32_t part, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    uint32_t before = r->late_parent[part];
    double ready = before != GSP_NONE ? r->finish[before] : 0.0;
    double start = partition_start(p, part);
    char bar[BAR_WIDTH];
    uint32_t i;
    for (i = 0; i < BAR_WIDTH; i++) {
        double from = r->total * (double)i / BAR_WIDTH;
        double to = r->total * (double)(i + 1u) / BAR_WIDTH;
        char c = ' ';
        c = (char)(to > ready && from < start ? '.' : c);
        c = (char)(to > start && from < r->finish[part] ? '#' : c);
        bar[i] = c;
    }
    cli_puts(out, "|");
    cli_put(out, bar, BAR_WIDTH);
    cli_puts(out, "|");
}

/* The partitions of the critical path, first to last. */
static uint32_t *list_path(const partition *p, uint32_t *n)
{
    const gsp_partition_result *r = &p->result;
    uint32_t *path = (uint32_t *)cli_alloc(p->session, (size_t)r->n_parts + 1u, sizeof *path);
    uint32_t i;
    uint32_t at = 0;
    for (i = partition_last(p); i != GSP_NONE; i = r->late_parent[i]) {
        at++;
    }
    *n = at;
    for (i = partition_last(p); i != GSP_NONE; i = r->late_parent[i]) {
        path[--at] = i;
    }
    return path;
}

static void put_path(const partition *p, int least, cli_buffer *out)
{
    const gsp_partition_result *r = &p->result;
    uint32_t n;
    const uint32_t *path = list_path(p, &n);
    uint32_t shown = cli_rows(p->session, n, ROWS);
    cli_table t;
    uint32_t i;
    cli_put_heading(
        out, "CRITICAL PATH", "the partitions that set the latency: . waits for data, # computes");
    cli_table_init(&t, p->session, "llrrrl");
    cli_table_head(&t, "submodule|devices|received|starts at|latency|time");
    for (i = 0; i < shown; i++) {
        uint32_t part = path[i];
        cli_put_clipped(cli_cell_begin(&t, CLI_MAGENTA), partition_submodule(p, part), 40u);
        partition_put_devices(p, part, cli_cell_begin(&t, CLI_PLAIN));
        cli_put_least(cli_cell_begin(&t, CLI_PLAIN),
            i != 0 ? partition_bytes_from(p, part, path[i - 1u]) : 0u, least && i != 0,
            cli_put_bytes);
        cli_put_time(cli_cell_begin(&t, CLI_PLAIN), &p->opt.times, partition_start(p, part));
        cli_put_time(cli_cell_begin(&t, CLI_PLAIN), &p->opt.times, r->latency[part].overall);
        put_bar(p, part, cli_cell_begin(&t, CLI_PLAIN));
    }
    cli_table_write(&t, out);
    cli_put_rest(out, n, shown, "partition");
}

/* heft places by them. */
static void put_free_transfers(const partition *p, cli_buffer *out)
{
    uint32_t i = 0;
    while (i < p->result.n_parts && partition_received(p, i) == 0) {
        i++;
    }
    if (p->opt.mode == PARTITION_HEFT && !p->desc.has_rate &&
        p->opt.times.unit != CLI_TIMES_NODES && i < p->result.n_parts) {
        cli_puts(out, "\nTransfers take no time; --transfer-rate gives a rate.\n");
    }
}

void partition_people(const partition *p, cli_buffer *out)
{
    int least = cli_graph_least(&p->graph, 0) || cli_graph_least(&p->graph, 1);
    put_title(p, least, out);
    put_partitions(p, least, out);
    put_devices(p, least, out);
    if (has_seconds(p)) {
        put_path(p, least, out);
    }
    put_free_transfers(p, out);
    cli_put_unknown(out, p->graph.module);
    cli_put_times(out, &p->opt.times, &p->graph, 1, has_seconds(p));
}
