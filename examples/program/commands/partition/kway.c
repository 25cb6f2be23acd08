/* --mode kway: acyclic parts of equal load, without devices of given memory. */
#include "commands/partition/partition.h"

#include <inttypes.h>
#include <string.h>

#define GROUP_ROUNDS 16u

#define MOST_WORK    600000u /* nodes and edges per bisection level of all attempts: one second */
#define SMALL        256u    /* nodes: more attempts still take no time */
#define MEDIUM       2048u   /* nodes: fast makes twice as many */

enum { FAST = 1 };

static const uint32_t attempts[] = {16u, 4u, 64u}; /* eco, fast, strong */

/* As many as --work says; else those of the preset that take at most about a second. */
static uint32_t count_attempts(const partition *p)
{
    gsp_counts const c = gsp_graph_counts(&p->graph);
    uint64_t work = (uint64_t)c.nodes + c.edges;
    uint32_t const twice = p->opt.preset == FAST && c.nodes < MEDIUM ? 2u : 1u;
    uint32_t const n = attempts[p->opt.preset] * (c.nodes < SMALL ? 16u : twice);
    uint32_t levels = 0;
    if (p->opt.work != 0) {
        return p->opt.work < UINT32_MAX ? (uint32_t)p->opt.work : UINT32_MAX;
    }
    while (((p->kway.n_parts - 1u) >> levels) != 0) {
        levels++;
    }
    work = MOST_WORK / (work * levels + 1u) + 1u;
    return work < n ? (uint32_t)work : n;
}

int partition_kway_options(partition *p)
{
    const partition_options *o = &p->opt;
    if (o->mode != PARTITION_KWAY) {
        int given = o->parts != 0 || o->imbalance != NULL || o->preset != 0 || o->objective != 0 ||
                    (o->seed != 0 && o->mode != PARTITION_HEFT) || o->fix != NULL ||
                    o->best_effort != 0;
        return given ? cli_usage_error(p->session, "--parts, --imbalance, --preset, --objective, "
                                                   "--seed (heft, too), --fix and --best-effort "
                                                   "require --mode kway")
                     : CLI_EXIT_OK;
    }
    if (o->parts == 0) {
        return cli_usage_error(p->session, "--mode kway requires --parts K");
    }
    if (p->n_devices != 0 || o->saturate || o->plan != NULL) {
        return cli_usage_error(p->session,
            "--mode kway cannot be combined with devices, --saturate-host and --plan; "
            "it makes --parts K of equal load");
    }
    return CLI_EXIT_OK;
}

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    partition *p = (partition *)user;
    return gsp_kway_run(arena, &p->graph, &p->kway, &p->kway_result, err);
}

/* Nodes of a group that the search tore get the part of the first one, and the search goes on with
 * these pins. The last result stays if pins contradict each other, or nothing fits; it moves to
 * memory of its own, and that of the search goes. */
static void keep_groups(partition *p, gsp_arena *arena)
{
    cli_session *s = p->session;
    uint32_t const n = p->graph.n_nodes;
    const uint32_t *given = p->kway.pin;
    uint32_t *group = cli_groups(s, &p->graph);
    uint32_t *pin = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof *pin);
    uint32_t *part_of = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof *part_of);
    gsp_status status = GSP_OK;
    uint32_t round;
    gsp_node v;
    for (v = 0; v < n; v++) {
        pin[v] = given != NULL ? given[v] : GSP_NONE;
    }
    p->kway.pin = pin;
    for (round = 0; round < GROUP_ROUNDS && status == GSP_OK; round++) {
        gsp_error err;
        memcpy(part_of, p->kway_result.part_of, n * sizeof *part_of);
        p->kway_result.part_of = part_of;
        if (cli_groups_torn(&p->graph, group, part_of) == GSP_NONE) {
            break;
        }
        for (v = 0; v < n; v++) {
            if (group[v] != GSP_NONE && part_of[v] != part_of[group[v]]) {
                pin[v] = pin[group[v]] = part_of[group[v]];
            }
        }
        gsp_arena_init(arena, arena->base, arena->size);
        status = work(p, arena, &err);
    }
    p->kway.pin = given;
    if (p->kway_result.part_of != part_of) {
        memcpy(part_of, p->kway_result.part_of, n * sizeof *part_of);
        p->kway_result.part_of = part_of;
    }
    cli_release(s, group);
    cli_release(s, pin);
    cli_release(s, arena->base);
}

/* The cut of parts of equal load that are contiguous in graph order, if they are valid. */
static int find_reference(partition *p, uint64_t total)
{
    cli_session *s = p->session;
    uint32_t const k = p->kway.n_parts;
    uint32_t *part_of = (uint32_t *)cli_alloc(s, (size_t)p->graph.n_nodes + 1u, sizeof *part_of);
    gsp_score_desc desc = {0};
    gsp_score_result score;
    gsp_arena arena;
    gsp_error err;
    gsp_node v;
    uint64_t sum = 0;
    int code;
    desc.n_parts = k;
    desc.part_of = part_of;
    desc.weight = p->kway.weight;
    desc.capacity = p->kway.capacity;
    desc.pin = p->kway.pin;
    for (v = 0; v < p->graph.n_nodes; v++) {
        double const part = total != 0 ? (double)sum * k / (double)total : 0.0;
        part_of[v] = part < k ? (uint32_t)cli_whole(part) : k - 1u;
        sum += p->kway.weight[v];
    }
    code = cli_pass_arena(s, &arena, gsp_score_bound(&p->graph, &desc));
    if (code == CLI_EXIT_OK && gsp_score_run(&arena, &p->graph, &desc, &score, &err) != GSP_OK) {
        code = cli_pass_error(s, &p->graph, &err);
    }
    if (code == CLI_EXIT_OK) {
        p->reference = p->kway.bytes != 0 ? score.cut_bytes : score.cut_edges;
        p->has_reference = score.valid != 0;
        cli_release(s, arena.base);
    }
    cli_release(s, part_of);
    return code;
}

/* Capacities with what exceeds them count. */
static int find_floor(partition *p)
{
    cli_session *const s = p->session;
    uint32_t const k = p->kway.n_parts;
    uint64_t *capacity = (uint64_t *)cli_alloc(s, (size_t)k + 1u, sizeof *capacity);
    gsp_kway_floor_desc d = {0};
    gsp_kway_floor_result found;
    gsp_arena arena;
    gsp_error err;
    for (uint32_t i = 0; i < k; i++) {
        capacity[i] = cli_add(p->kway.capacity[i], p->kway_result.excess);
    }
    d.n_parts = k;
    d.bytes = p->kway.bytes;
    d.weight = p->kway.weight;
    d.capacity = capacity;
    d.cut = p->kway_result.cut;
    int code = cli_pass_arena(s, &arena, gsp_kway_floor_bound(&p->graph, &d));
    if (code == CLI_EXIT_OK) {
        code = gsp_kway_floor_run(&arena, &p->graph, &d, &found, &err) == GSP_OK
                   ? CLI_EXIT_OK
                   : cli_pass_error(s, &p->graph, &err);
        cli_release(s, arena.base);
    }
    if (code == CLI_EXIT_OK) {
        p->floor = found.floor;
        p->flow_counts = found.by_flow != 0;
    }
    cli_release(s, capacity);
    return code;
}

static int read_limits(partition *p, uint64_t *total)
{
    cli_session *s = p->session;
    uint64_t *weight;
    uint64_t *capacity;
    uint32_t *pin;
    cli_parts parts;
    uint64_t heaviest = 0;
    gsp_node v;
    int code = cli_weights_read(s, &p->graph, &weight);
    for (v = 0; v < p->graph.n_nodes && code == CLI_EXIT_OK; v++) {
        *total = *total > UINT64_MAX - weight[v] ? UINT64_MAX : *total + weight[v];
        heaviest = heaviest > weight[v] ? heaviest : weight[v];
    }
    if (code != CLI_EXIT_OK ||
        (code = cli_capacities(s, p->opt.imbalance != NULL ? p->opt.imbalance : "0.03", *total,
             heaviest, p->kway.n_parts, &capacity)) != CLI_EXIT_OK) {
        return code;
    }
    p->kway.weight = weight;
    p->kway.capacity = capacity;
    if (p->opt.fix != NULL) {
        memset(&parts, 0, sizeof parts);
        pin = (uint32_t *)cli_alloc(s, (size_t)p->graph.n_nodes + 1u, sizeof *pin);
        code = cli_fixed_read(s, &p->graph, p->opt.fix, p->kway.n_parts, &parts, pin);
        p->kway.pin = pin;
    }
    return code;
}

/* Each part is a partition on a device of its own. */
static void place(partition *p)
{
    cli_session *s = p->session;
    uint32_t k = p->kway.n_parts;
    uint32_t *device_of = (uint32_t *)cli_alloc(s, k, sizeof *device_of);
    uint32_t i;
    p->devices = (gsp_device *)cli_alloc(s, k, sizeof *p->devices);
    p->n_devices = k;
    for (i = 0; i < k; i++) {
        cli_buffer name;
        cli_buffer_init(&name, s);
        cli_printf(&name, "part%" PRIu32, i);
        p->devices[i].name.data = name.data;
        p->devices[i].name.size = (uint32_t)name.size;
        p->devices[i].bytes = UINT64_MAX / k;
        p->devices[i].id = device_of[i] = i;
    }
    partition_give(p, p->kway_result.part_of, k, device_of);
}

/* No more than there are called nodes, since no part is empty; --fix expects the given number. */
static uint32_t number_of_parts(const partition *p)
{
    uint32_t const called = partition_called(&p->graph);
    cli_buffer note;
    if (p->opt.fix != NULL || called == 0 || called >= p->opt.parts) {
        return (uint32_t)p->opt.parts;
    }
    cli_buffer_init(&note, p->session);
    cli_printf(&note, "%s: %" PRIu32 " called nodes make %" PRIu32 " parts, one each\n",
        p->session->front->program, called, called);
    cli_tell(&note);
    return called;
}

/* The heaviest nodes of the heaviest part that the best answer has, and what they weigh. */
static void put_heaviest(partition *p, cli_buffer *out)
{
    cli_session *s = p->session;
    const uint64_t *weight = p->kway.weight;
    uint64_t *load = (uint64_t *)cli_alloc(s, p->kway.n_parts, sizeof *load);
    uint32_t full = 0;
    uint32_t left = 0;
    uint32_t i;
    gsp_arena arena;
    gsp_node v;
    p->kway.best_effort = 1;
    cli_arena(s, &arena, gsp_kway_bound(&p->graph, &p->kway));
    if (work(p, &arena, NULL) != GSP_OK) {
        return;
    }
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t const k = p->kway_result.part_of[v];
        if (k != GSP_NONE) {
            load[k] += weight[v];
            full = load[k] > load[full] ? k : full;
        }
    }
    for (v = 0; v < p->graph.n_nodes; v++) {
        left += p->kway_result.part_of[v] == full && weight[v] != 0 ? 1u : 0u;
    }
    cli_puts(out, " (");
    for (i = 0; i < 3u && left > 0; i++, left--) {
        gsp_node most = GSP_NONE;
        for (v = 0; v < p->graph.n_nodes; v++) {
            if (p->kway_result.part_of[v] == full && weight[v] != 0 &&
                (most == GSP_NONE || weight[v] > weight[most])) {
                most = v;
            }
        }
        cli_puts(out, i == 0 ? "%" : " + %");
        cli_put_clipped(out, gsp_node_name(&p->graph, most), 40u);
        cli_printf(out, " %" PRIu64, weight[most]);
        p->kway_result.part_of[most] = GSP_NONE;
    }
    if (left > 0) {
        cli_printf(out, " + %" PRIu32 " more", left);
    }
    cli_puts(out, " in one)");
}

/* Too many parts, or parts that are too small. */
static int refuse_parts(partition *p, const gsp_error *err, uint64_t total)
{
    uint32_t const called = partition_called(&p->graph);
    cli_buffer heaviest;
    cli_buffer least;
    if (called < p->kway.n_parts) {
        return cli_error(p->session, GSP_STATUS_NO_FIT,
            "%" PRIu32 " called node%s cannot make %" PRIu32 " parts", called, cli_plural(called),
            p->kway.n_parts);
    }
    cli_buffer_init(&least, p->session);
    cli_put_imbalance(&least, err->need, total, p->kway.n_parts);
    cli_buffer_init(&heaviest, p->session);
    put_heaviest(p, &heaviest);
    return cli_error(p->session, GSP_STATUS_NO_FIT,
        "no %" PRIu32 " parts of at most %" PRIu64 " were found, but of at most %" PRIu64
        "%.*s: --imbalance %.*s allows them, --best-effort takes them",
        p->kway.n_parts, p->kway.capacity[0], err->need, (int)heaviest.size, heaviest.data,
        (int)least.size, least.data);
}

static void tell_excess(const partition *p, uint64_t total)
{
    uint64_t const limit = p->kway.capacity[0] + p->kway_result.excess;
    cli_buffer note;
    if (p->kway_result.excess == 0) {
        return;
    }
    cli_buffer_init(&note, p->session);
    cli_printf(&note,
        "%s: no parts of at most %" PRIu64 " were found: these have at most %" PRIu64
        ", as with --imbalance ",
        p->session->front->program, p->kway.capacity[0], limit);
    cli_put_imbalance(&note, limit, total, p->kway.n_parts);
    cli_puts(&note, "\n");
    cli_tell(&note);
}

int partition_kway(partition *p)
{
    cli_session *s = p->session;
    gsp_arena arena;
    gsp_error err;
    uint64_t total = 0;
    int code;
    if (p->opt.mode != PARTITION_KWAY) {
        return CLI_EXIT_OK;
    }
    cli_progress(s, "placing nodes");
    p->kway.n_parts = number_of_parts(p);
    p->kway.best_effort = p->opt.best_effort;
    p->kway.bytes = p->opt.objective;
    p->kway.attempts = count_attempts(p);
    p->kway.seed = p->opt.seed;
    if ((code = read_limits(p, &total)) != CLI_EXIT_OK) {
        return code;
    }
    p->mode_bound = gsp_kway_bound(&p->graph, &p->kway);
    if ((code = cli_pass_arena(s, &arena, p->mode_bound)) != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(s, &arena, work, p, &p->mode_timing, &err) != GSP_OK) {
        return err.detail == GSP_DETAIL_PARTS_LOAD ? refuse_parts(p, &err, total)
                                                   : cli_pass_error(s, &p->graph, &err);
    }
    keep_groups(p, &arena);
    tell_excess(p, total);
    place(p);
    code = find_floor(p);
    return code != CLI_EXIT_OK ? code : find_reference(p, total);
}

int partition_cut_least(const partition *p)
{
    gsp_str symbol;
    gsp_node v = 0;
    while (v < p->graph.n_nodes && (!gsp_node_is_callable(&p->graph, v) ||
                                       cli_size_of(&p->graph, v, &symbol) == CLI_SIZE_KNOWN)) {
        v++;
    }
    return p->kway.bytes != 0 && v < p->graph.n_nodes;
}

int partition_cut_proved(const partition *p)
{
    return p->kway_result.cut <= p->floor && !partition_cut_least(p);
}
