/* Nodes and edges: checks, and an order. */
#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FEW_NODES      64u
#define NODES_PER_BYTE 16u /* of a file that only says how many there are */

int cli_net_nodes(cli_net *net, uint64_t n, uint64_t line)
{
    uint64_t const given = net->session->common.max_nodes;
    uint64_t const most =
        given != 0 ? given : FEW_NODES + NODES_PER_BYTE * (uint64_t)net->text.size;
    if (n > most) {
        return cli_error(net->session, GSP_STATUS_LIMIT,
            "%s:%" PRIu64 ": %" PRIu64 " nodes, and at most %" PRIu64 " are read %s", net->path,
            line, n, most,
            given != 0 ? "(--max-nodes)" : "of a file of this size; --max-nodes N allows N");
    }
    net->n = (uint32_t)n;
    return CLI_EXIT_OK;
}

/* Most files have no weights, and then there is no array of them. */
static void set(cli_session *s, uint64_t **values, uint32_t room, uint32_t i, uint64_t value)
{
    if (*values == NULL && value != 1u) {
        uint32_t k;
        *values = (uint64_t *)cli_grow(s, NULL, ((size_t)room + 1u) * sizeof **values);
        for (k = 0; k < room; k++) {
            (*values)[k] = 1u;
        }
    }
    if (*values != NULL) {
        (*values)[i] = value;
    }
}

void cli_net_set_weight(cli_net *net, uint32_t v, uint64_t weight)
{
    set(net->session, &net->weight, net->n, v, weight);
}

void cli_net_set_bytes(cli_net *net, uint32_t v, uint64_t bytes)
{
    set(net->session, &net->bytes, net->n, v, bytes);
}

void cli_net_set_edge(cli_net *net, uint32_t i, uint64_t bytes)
{
    set(net->session, &net->edge_bytes, net->room, i, bytes);
}

/* A node as the file calls it. */
static const char *node_name(const cli_net *net, uint32_t v)
{
    char digits[24];
    if (net->names != NULL) {
        return cli_copy(net->session, net->names[v]);
    }
    (void)snprintf(digits, sizeof digits, "%" PRIu32, v + net->base);
    return cli_copy(net->session, gsp_str_of(digits));
}

static int wrong_edge(
    const cli_net *net, const cli_net_edge *e, gsp_status status, const char *what)
{
    return cli_error(net->session, status, "%s:%" PRIu32 ": the edge from %s to %s %s", net->path,
        e->line, node_name(net, e->from), node_name(net, e->to), what);
}

static void more_edges(cli_net *net)
{
    cli_session *s = net->session;
    net->room = net->room != 0 ? 2u * net->room : 64u;
    net->edges = (cli_net_edge *)cli_grow(s, net->edges, (size_t)net->room * sizeof *net->edges);
    if (net->edge_bytes != NULL) {
        net->edge_bytes =
            (uint64_t *)cli_grow(s, net->edge_bytes, ((size_t)net->room + 1u) * sizeof(uint64_t));
    }
}

int cli_net_add(cli_net *net, uint32_t from, uint32_t to, uint64_t line, uint64_t bytes)
{
    cli_net_edge *e;
    if (net->m == net->room) {
        more_edges(net);
    }
    e = &net->edges[net->m];
    e->from = net->undirected && from > to ? to : from;
    e->to = net->undirected && from > to ? from : to;
    e->line = (uint32_t)line; /* a file has less than 4 GiB */
    if (!net->has_bytes) {
        cli_net_set_edge(net, net->m, bytes);
    }
    if (from >= net->n || to >= net->n) {
        return cli_error(net->session, GSP_STATUS_PARSE,
            "%s:%" PRIu64 ": an edge in a graph without nodes", net->path, line);
    }
    if (from == to) {
        return wrong_edge(net, e, GSP_STATUS_PARSE, "is a loop");
    }
    net->m++;
    return CLI_EXIT_OK;
}

/* ---- rows ---- */

static uint32_t *numbers(const cli_net *net, size_t n)
{
    return (uint32_t *)cli_alloc(net->session, n + 1u, sizeof(uint32_t));
}

/* Edge i by its end `to`, or `from`. */
static uint32_t end_of(const cli_net *net, uint32_t i, int from)
{
    return from ? net->edges[i].from : net->edges[i].to;
}

static void make_rows(const cli_net *net, int from, uint32_t *begin, uint32_t *list)
{
    uint32_t i;
    memset(begin, 0, ((size_t)net->n + 1u) * sizeof *begin);
    for (i = 0; i < net->m; i++) {
        begin[end_of(net, i, from)]++;
    }
    for (i = 0; i < net->n; i++) {
        begin[i + 1u] += begin[i];
    }
    for (i = net->m; i > 0; i--) {
        list[--begin[end_of(net, i - 1u, from)]] = i - 1u;
    }
}

/* Removes loops, which are those that `drop_equal` makes. */
static void drop_loops(cli_net *net)
{
    uint32_t kept = 0;
    uint32_t i;
    for (i = 0; i < net->m; i++) {
        if (net->edges[i].from != net->edges[i].to) {
            if (net->edge_bytes != NULL) {
                net->edge_bytes[kept] = net->edge_bytes[i];
            }
            net->edges[kept++] = net->edges[i];
        }
    }
    net->m = kept;
}

/* Equal edges are an error, or one edge where nets overlap; their bytes are those of the value. */
static int drop_equal(cli_net *net, cli_net_rows *r)
{
    uint32_t *mark = numbers(net, net->n);
    uint32_t v;
    uint32_t i;
    make_rows(net, 0, r->begin, r->at);
    for (v = 0; v < net->n; v++) {
        for (i = r->begin[v]; i < r->begin[v + 1u]; i++) {
            cli_net_edge *e = &net->edges[r->at[i]];
            if (mark[e->from] != v + 1u) {
                mark[e->from] = v + 1u;
            } else if (net->hyper) {
                e->from = v;
            } else {
                return wrong_edge(net, e, GSP_STATUS_PARSE, "is given twice");
            }
        }
    }
    cli_release(net->session, mark);
    if (net->hyper) {
        drop_loops(net);
        make_rows(net, 0, r->begin, r->at);
    }
    return CLI_EXIT_OK;
}

/* A value has the largest weight of its edges. */
static void take_bytes(cli_net *net)
{
    uint8_t *seen;
    uint32_t i;
    if (net->edge_bytes == NULL) {
        return;
    }
    seen = (uint8_t *)cli_alloc(net->session, (size_t)net->n + 1u, 1u);
    for (i = 0; i < net->m; i++) {
        uint32_t const from = net->edges[i].from;
        uint64_t const bytes = net->edge_bytes[i];
        uint64_t const old = net->bytes != NULL ? net->bytes[from] : 1u;
        net->unequal |= seen[from] && bytes != old;
        cli_net_set_bytes(net, from, !seen[from] || bytes > old ? bytes : old);
        seen[from] = 1;
    }
    cli_release(net->session, seen);
}

/* An edge of a cycle among the nodes that the order leaves over: each has an input there. */
static int refuse_cycle(const cli_net *net, const cli_net_rows *r, const uint32_t *missing)
{
    uint32_t *by = numbers(net, net->n); /* 1 + the edge by which the walk left */
    uint32_t v = 0;
    while (missing[v] == 0) {
        v++;
    }
    while (by[v] == 0) {
        uint32_t i = r->begin[v];
        while (missing[net->edges[r->at[i]].from] == 0) {
            i++;
        }
        by[v] = r->at[i] + 1u;
        v = net->edges[r->at[i]].from;
    }
    return wrong_edge(net, &net->edges[by[v] - 1u], GSP_STATUS_CYCLE, "is on a cycle");
}

/* First in first out: r->order. */
static int sort_nodes(const cli_net *net, cli_net_rows *r)
{
    uint32_t *begin = numbers(net, net->n);
    uint32_t *out = numbers(net, net->m);
    uint32_t *missing = numbers(net, net->n);
    uint32_t n = 0;
    uint32_t v;
    uint32_t i;
    r->order = numbers(net, net->n);
    make_rows(net, 1, begin, out);
    for (v = 0; v < net->n; v++) {
        missing[v] = r->begin[v + 1u] - r->begin[v];
        if (missing[v] == 0) {
            r->order[n++] = v;
        }
    }
    for (v = 0; v < n; v++) {
        for (i = begin[r->order[v]]; i < begin[r->order[v] + 1u]; i++) {
            if (--missing[net->edges[out[i]].to] == 0) {
                r->order[n++] = net->edges[out[i]].to;
            }
        }
    }
    cli_release(net->session, begin);
    cli_release(net->session, out);
    if (n != net->n) {
        return refuse_cycle(net, r, missing);
    }
    cli_release(net->session, missing);
    return CLI_EXIT_OK;
}

/* The numbering itself if it is topological. From here on rows hold nodes, and edges are gone. */
static int make_order(cli_net *net, cli_net_rows *r)
{
    int code = CLI_EXIT_OK;
    uint32_t i = 0;
    while (i < net->m && net->edges[i].from < net->edges[i].to) {
        i++;
    }
    if (i < net->m && (code = sort_nodes(net, r)) != CLI_EXIT_OK) {
        return code;
    }
    for (i = 0; i < net->m; i++) {
        r->at[i] = net->edges[r->at[i]].from;
    }
    cli_release(net->session, net->edges);
    net->edges = NULL;
    return CLI_EXIT_OK;
}

/* ---- all of it ---- */

static int is_identifier(gsp_str name)
{
    uint32_t i;
    for (i = 0; i < name.size; i++) {
        char c = name.data[i];
        int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) {
            return 0;
        }
    }
    return name.size > 0;
}

static int has_identifiers(const cli_net *net)
{
    uint32_t v = 0;
    while (net->names != NULL && v < net->n && is_identifier(net->names[v])) {
        v++;
    }
    return net->names != NULL && v == net->n;
}

static void tell(const cli_net *net)
{
    if (net->undirected) {
        fprintf(stderr, "%s: %s is undirected: edges go from lower to higher numbers\n",
            net->session->front->program, net->path);
    }
    if (net->merged) {
        fprintf(stderr,
            "%s: %s has several nets with the same lowest node: they become its one value\n",
            net->session->front->program, net->path);
    }
    if (net->unequal) {
        fprintf(stderr,
            "%s: %s has edges of different weights from one node: its value has the largest\n",
            net->session->front->program, net->path);
    }
    if (net->names != NULL && !net->named) {
        fprintf(stderr, "%s: %s has names that are no identifiers: nodes are n0, n1, ...\n",
            net->session->front->program, net->path);
    }
}

int cli_net_sort(cli_net *net, cli_net_rows *r)
{
    cli_session *s = net->session;
    int code;
    memset(r, 0, sizeof *r);
    if (net->names == NULL) { /* which are in the text */
        cli_release(s, net->data);
    }
    r->begin = numbers(net, net->n);
    r->at = numbers(net, net->m);
    if ((code = drop_equal(net, r)) != CLI_EXIT_OK) {
        return code;
    }
    if (!net->has_bytes) {
        take_bytes(net);
    }
    cli_release(s, net->edge_bytes);
    code = make_order(net, r);
    net->named = code == CLI_EXIT_OK && has_identifiers(net);
    if (code == CLI_EXIT_OK) {
        tell(net);
    }
    return code;
}
