/* --minimise time with several accelerators, or with --overlap. */
#include "commands/split/split.h"

#include <string.h>

#define MOST_TIME    ((uint64_t)1u << 58u) /* nanoseconds of everything */
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
    cli_sides_desc *d = &w->sides_desc;
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
    d->graph = &p->graph;
    d->n_places = p->place.n_kinds;
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

/* Units where all their nodes are: [units] */
static uint8_t *units_of(split_worth *w, cli_session *s, const uint8_t *kind)
{
    const cli_sides *x = &w->sides;
    uint8_t *at = (uint8_t *)cli_alloc(s, (size_t)x->n + 1u, 1u);
    for (gsp_node v = x->d->graph->n_nodes; v > 0; v--) {
        if (gsp_node_is_callable(x->d->graph, v - 1u)) {
            at[x->unit[v - 1u]] = kind[v - 1u];
        }
    }
    for (gsp_node v = 0; v < x->d->graph->n_nodes; v++) {
        if (gsp_node_is_callable(x->d->graph, v) && at[x->unit[v]] != kind[v]) {
            at[x->unit[v]] = 0;
        }
    }
    for (uint32_t u = 0; u < x->n; u++) {
        const uint64_t *row = &x->ticks[(size_t)u * x->d->n_places];
        at[u] = row[at[u]] == CLI_SIDES_NEVER ? 0u : at[u];
        while (row[at[u]] == CLI_SIDES_NEVER) {
            at[u]++;
        }
    }
    return at;
}

/* Nodes and phases of a choice that was timed last. */
static void write_result(split *p, split_worth *w, const uint8_t *at)
{
    const cli_sides *x = &w->sides;
    size_t const n = (size_t)p->graph.n_nodes + 1u;
    uint8_t *kind = (uint8_t *)cli_alloc(p->session, n, 1u);
    uint32_t *phase = (uint32_t *)cli_alloc(p->session, n, sizeof *phase);
    uint64_t *at_most = (uint64_t *)cli_alloc(p->session, GSP_OFFLOAD_CURVE, sizeof *at_most);
    for (gsp_node v = 0; v < p->graph.n_nodes; v++) {
        int const called = gsp_node_is_callable(&p->graph, v);
        kind[v] = called ? at[x->unit[v]] : (uint8_t)GSP_KIND_NONE;
        phase[v] = called ? x->phase[x->unit[v]] : GSP_NONE;
    }
    for (uint32_t i = 0; i < GSP_OFFLOAD_CURVE; i++) {
        at_most[i] = i >= x->n_subgraphs ? w->r.time : w->r.cpu_only;
    }
    w->r.kind = kind;
    w->r.phase = phase;
    w->r.at_most = at_most;
    w->r.work = x->work;
    w->r.n_subgraphs = x->n_subgraphs;
}

static void find_overlap(split *p, split_worth *w, const uint8_t *start, const uint8_t *best)
{
    const uint8_t *const starts[2] = {start, best};
    w->overlap = (cli_overlap_result *)cli_alloc(p->session, 1u, sizeof *w->overlap);
    cli_overlap_search(&w->sides, p->session, starts, w->overlap);
    w->serial = w->r.time;
    w->r.time = w->overlap->span;
    w->r.lower_bound = w->overlap->lower_bound;
    w->r.all = w->overlap->given;
}

int split_several_choose(split *p, split_worth *w)
{
    cli_sides_result r;
    uint8_t *start;
    int code = split_launches_read(p, w->launch);
    code = code == CLI_EXIT_OK ? fill(p, w) : code;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_sides_open(&w->sides, p->session, &w->sides_desc);
    if (w->sides.most >= MOST_TIME) {
        return cli_error(p->session, GSP_STATUS_OVERFLOW, SPLIT_TOO_LONG);
    }
    start = units_of(w, p->session, w->all.kind);
    w->r.all = cli_sides_time(&w->sides, start);
    cli_sides_search(&w->sides, p->session, start, &r);
    w->r.time = r.time;
    w->r.lower_bound = r.lower_bound;
    w->r.cpu_only = r.cpu_only;
    if (p->opt.overlap) {
        find_overlap(p, w, start, r.at);
        r.at = w->overlap->at;
    }
    (void)cli_sides_time(&w->sides, r.at);
    write_result(p, w, r.at);
    return CLI_EXIT_OK;
}

uint64_t split_several_time(const split *p, const uint8_t *kind)
{
    split_worth *w = p->worth;
    uint8_t *at = units_of(w, p->session, kind);
    uint64_t const time = cli_sides_time(&w->sides, at);
    cli_release(p->session, at);
    return time;
}
