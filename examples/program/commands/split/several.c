/* --minimise time with several accelerators, or with --overlap. */
#include "commands/split/split.h"

#include <string.h>

#define OVERLAP_WORK ((uint64_t)1u << 26u) /* of each of both searches */

/* ---- --launch ---- */

static int wrong_launch(const split *p)
{
    return cli_usage_error(p->session,
        "--launch expects seconds from 0 to 10^9, such as 1e-4, or NAME=SECONDS,... with names of "
        "accelerators, got '%s'",
        p->opt.launch);
}

int split_launches_read(split *p, uint64_t launch[256])
{
    gsp_str const list = gsp_str_of(p->opt.launch != NULL ? p->opt.launch : "0");
    int const named = memchr(list.data, '=', list.size) != NULL;
    uint32_t at = 0;
    double seconds = 0.0;
    memset(launch, 0, 256u * sizeof *launch);
    for (uint32_t k = 1; k < p->place.n_kinds && !named; k++) {
        (void)gsp_str_decimal(list, &seconds);
        launch[k] = cli_nanoseconds(seconds);
    }
    while (named && at < list.size) {
        gsp_str word = {list.data + at, 0};
        gsp_str name = {word.data, 0};
        uint32_t k = 1;
        while (at + word.size < list.size && word.data[word.size] != ',') {
            name.size = word.data[word.size] == '=' ? word.size : name.size;
            word.size++;
        }
        at += word.size + 1u;
        while (k < p->place.n_kinds && !gsp_str_equal(name, gsp_str_of(p->place.names[k]))) {
            k++;
        }
        word.data += name.size + (name.size < word.size ? 1u : 0u);
        word.size -= name.size + (name.size < word.size ? 1u : 0u);
        if (k == p->place.n_kinds || !gsp_str_decimal(word, &seconds) ||
            !(seconds >= 0.0 && seconds < 1e9)) {
            return wrong_launch(p);
        }
        launch[k] = cli_nanoseconds(seconds);
    }
    return CLI_EXIT_OK;
}

/* ---- what accelerators support ---- */

/* acc= says where a node runs: acc=K on the Kth accelerator; acc=1 on all that have no list. */
static void take_acc(const split *p, uint32_t kind, gsp_placement *out)
{
    int const has_list = p->place.accelerators[kind - 1u].n_rules != 0;
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        int const acc = gsp_node_acc(&p->graph, v);
        int const there = acc == (int)kind || (acc == 1 && !has_list) || out->kind[v] == kind;
        if (out->kind[v] != GSP_KIND_NONE) {
            int const pinned = out->reason[v] == (uint8_t)GSP_REASON_PINNED;
            out->kind[v] = (pinned || acc < 0 ? out->kind[v] == kind : acc != 0 && there) ? 1u : 0u;
        }
    }
}

/* The nodes of one accelerator if there was no other: kinds 0 and 1. */
static int place_alone(split *p, uint32_t kind, gsp_placement *out)
{
    cli_session *s = p->session;
    cli_place place = p->place;
    cli_bodies bodies;
    gsp_arena arena;
    gsp_error err;
    int code;
    place.accelerators = (gsp_accelerator *)cli_alloc(s, place.n_kinds, sizeof *place.accelerators);
    place.accelerators[kind - 1u] = p->place.accelerators[kind - 1u];
    place.desc.accelerators = place.accelerators;
    place.desc.ignore_annotation = 1;
    cli_arena(s, &arena, gsp_support_bound(&p->graph, &place.desc));
    if (gsp_support_run(&arena, &p->graph, &place.desc, out, &err) != GSP_OK) {
        return cli_pass_error(s, &p->graph, &err);
    }
    code = cli_place_calls(s, &place, &p->graph, out, &bodies);
    code = code == CLI_EXIT_OK ? cli_units_run(s, &p->graph, out) : code;
    take_acc(p, kind, out);
    if (place.once[kind]) {
        cli_run_once(s, &p->graph, 1u, out);
    }
    out->n_kinds = 2;
    return code;
}

static uint32_t find(uint32_t *whole, uint32_t v)
{
    while (whole[v] != v) {
        whole[v] = whole[whole[v]];
        v = whole[v];
    }
    return v;
}

/* Nodes that any accelerator has to keep together. */
static void join_groups(const split *p, const gsp_split_result *r, uint32_t *whole)
{
    uint32_t *first =
        (uint32_t *)cli_alloc(p->session, (size_t)p->graph.n_nodes + 1u, sizeof *first);
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        uint32_t const group = r->group[v];
        if (group != GSP_NONE) {
            first[group] = first[group] != 0 ? first[group] : v + 1u;
            whole[find(whole, v)] = find(whole, first[group] - 1u);
        }
    }
    cli_release(p->session, first);
}

/* can[1] and so on. */
static int read_support(split *p, split_worth *w, uint8_t **can, uint32_t *whole)
{
    gsp_placement alone;
    gsp_split_result r = w->all;
    for (uint32_t k = 1; k < p->place.n_kinds; k++) {
        gsp_split_desc desc = p->desc;
        int any = 0;
        int code = CLI_EXIT_OK;
        desc.placement = &alone;
        if (p->place.n_kinds > 2u) {
            code = place_alone(p, k, &alone);
            code = code == CLI_EXIT_OK ? split_run(p, &desc, &r) : code;
        }
        if (code != CLI_EXIT_OK) {
            return code;
        }
        join_groups(p, &r, whole);
        for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
            can[k][v] = r.kind[v] == 1u;
            any |= can[k][v];
        }
        if (!any && w->costs.n_called != 0) {
            return cli_error(p->session, GSP_STATUS_ARG,
                "--minimise time: %s can run none of the nodes; leave it out, or give it operators "
                "(--accelerator %s=OPS)",
                p->place.names[k], p->place.names[k]);
        }
    }
    return CLI_EXIT_OK;
}

static int fill(split *p, split_worth *w)
{
    gsp_sides_desc *d = &w->sides;
    size_t const n = (size_t)p->graph.n_nodes + 1u;
    uint8_t **can = (uint8_t **)cli_alloc(p->session, p->place.n_kinds, sizeof *can);
    uint32_t *whole = (uint32_t *)cli_alloc(p->session, n, sizeof *whole);
    uint32_t *size = (uint32_t *)cli_alloc(p->session, n, sizeof *size);
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        whole[v] = v;
    }
    for (uint32_t k = 0; k < p->place.n_kinds; k++) {
        can[k] = (uint8_t *)cli_alloc(p->session, n, 1u);
    }
    int const code = read_support(p, w, can, whole);
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        can[0][v] =
            w->all.kind[v] == GSP_KIND_CPU || p->placement.reason[v] != (uint8_t)GSP_REASON_PINNED;
        whole[v] = find(whole, v);
        size[whole[v]]++;
    }
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        whole[v] = size[whole[v]] > 1u ? whole[v] : GSP_NONE;
    }
    d->n_kinds = p->place.n_kinds;
    d->can = (const uint8_t *const *)can;
    d->group = whole;
    d->ticks = (const uint64_t *const *)w->costs.on;
    d->move = w->costs.move;
    d->launch = w->launch;
    d->max_work = p->opt.max_work != 0 ? p->opt.max_work : p->opt.overlap ? OVERLAP_WORK : 0;
    cli_release(p->session, size);
    return code;
}

/* ---- the choice ---- */

/* The shortest schedule found from the choice of least time and from `all`. */
static int find_overlap(split *p, split_worth *w, const gsp_sides_result *serial)
{
    const uint8_t *const starts[] = {w->all.kind, serial->kind};
    gsp_sides_desc desc = w->sides;
    gsp_arena arena;
    gsp_error err;
    desc.starts = starts;
    desc.n_starts = 2;
    w->overlap = (gsp_overlap_result *)cli_alloc(p->session, 1u, sizeof *w->overlap);
    cli_arena(p->session, &arena, gsp_overlap_bound(&p->graph, &desc));
    if (gsp_overlap_run(&arena, &p->graph, &desc, w->overlap, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    w->serial = serial->time;
    w->r.kind = w->overlap->kind;
    w->r.phase = w->overlap->phase;
    w->r.time = w->overlap->makespan;
    w->r.lower_bound = w->overlap->lower_bound;
    w->r.all = w->overlap->reference;
    w->r.n_subgraphs = w->overlap->n_subgraphs;
    w->r.work += w->overlap->work;
    return CLI_EXIT_OK;
}

/* The least time with few subgraphs is not known. */
static void fill_curve(split *p, split_worth *w)
{
    uint64_t *at_most = (uint64_t *)cli_alloc(p->session, GSP_OFFLOAD_CURVE, sizeof *at_most);
    for (uint32_t i = 0; i < GSP_OFFLOAD_CURVE; i++) {
        at_most[i] = i >= w->r.n_subgraphs ? w->r.time : w->r.cpu_only;
    }
    w->r.at_most = at_most;
}

int split_several_choose(split *p, split_worth *w)
{
    gsp_sides_desc desc;
    gsp_sides_result r;
    gsp_arena arena;
    gsp_error err;
    int code = split_launches_read(p, w->launch);
    code = code == CLI_EXIT_OK ? fill(p, w) : code;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    desc = w->sides;
    desc.starts = &w->all.kind;
    desc.n_starts = 1;
    cli_arena(p->session, &arena, gsp_sides_bound(&p->graph, &desc));
    if (gsp_sides_run(&arena, &p->graph, &desc, &r, &err) != GSP_OK) {
        return err.status == GSP_STATUS_OVERFLOW ? cli_error(p->session, err.status, SPLIT_TOO_LONG)
                                                 : cli_pass_error(p->session, &p->graph, &err);
    }
    w->r.kind = r.kind;
    w->r.phase = r.phase;
    w->r.time = r.time;
    w->r.lower_bound = r.lower_bound;
    w->r.all = r.reference;
    w->r.cpu_only = r.cpu_only;
    w->r.n_subgraphs = r.n_subgraphs;
    w->r.work = r.work;
    code = p->opt.overlap ? find_overlap(p, w, &r) : CLI_EXIT_OK;
    fill_curve(p, w);
    return code;
}

uint64_t split_several_time(const split *p, gsp_arena *arena, const uint8_t *kind)
{
    gsp_sides_desc desc = p->worth->sides;
    gsp_sides_result r;
    gsp_mark const mark = gsp_arena_mark(arena);
    desc.given = kind;
    r.time = UINT64_MAX;
    (void)gsp_sides_run(arena, &p->graph, &desc, &r, NULL);
    gsp_arena_rewind(arena, mark);
    return r.time;
}
