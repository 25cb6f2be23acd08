/* From nodes and edges to a module: checks, an order, graph text. */
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
    uint32_t v;
    if (n > most) {
        return cli_error(net->session, GSP_STATUS_LIMIT,
            "%s:%" PRIu64 ": %" PRIu64 " nodes, and at most %" PRIu64 " are read %s", net->path,
            line, n, most,
            given != 0 ? "(--max-nodes)" : "of a file of this size; --max-nodes N allows N");
    }
    net->n = (uint32_t)n;
    net->weight = (uint64_t *)cli_alloc(net->session, (size_t)net->n + 1u, sizeof *net->weight);
    net->bytes = (uint64_t *)cli_alloc(net->session, (size_t)net->n + 1u, sizeof *net->bytes);
    for (v = 0; v < net->n; v++) {
        net->weight[v] = net->bytes[v] = 1u;
    }
    return CLI_EXIT_OK;
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
    return cli_error(net->session, status, "%s:%" PRIu64 ": the edge from %s to %s %s", net->path,
        e->line, node_name(net, e->from), node_name(net, e->to), what);
}

int cli_net_add(cli_net *net, uint32_t from, uint32_t to, uint64_t line, uint64_t bytes)
{
    cli_net_edge *e;
    if (net->m == net->room) {
        net->room = net->room != 0 ? 2u * net->room : 64u;
        net->edges = (cli_net_edge *)cli_grow(
            net->session, net->edges, (size_t)net->room * sizeof *net->edges);
    }
    e = &net->edges[net->m];
    e->from = net->undirected && from > to ? to : from;
    e->to = net->undirected && from > to ? from : to;
    e->line = line;
    e->bytes = bytes;
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

typedef struct rows {
    uint32_t *in_begin; /* [n + 1] into in */
    uint32_t *in;       /* [m] edges by `to`, as in the file */
    uint32_t *users;    /* [n] number of users */
    uint32_t *order;    /* [n] topological */
    uint32_t n_order;
} rows;

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

/* Equal edges are an error, or one edge where nets overlap; their bytes are those of the value. */
static int drop_equal(cli_net *net, rows *r)
{
    uint32_t *mark = numbers(net, net->n);
    uint8_t *drop = (uint8_t *)cli_alloc(net->session, (size_t)net->m + 1u, 1u);
    uint32_t v;
    uint32_t i;
    uint32_t kept = 0;
    make_rows(net, 0, r->in_begin, r->in);
    for (v = 0; v < net->n; v++) {
        for (i = r->in_begin[v]; i < r->in_begin[v + 1u]; i++) {
            const cli_net_edge *e = &net->edges[r->in[i]];
            if (mark[e->from] == v + 1u && !net->hyper) {
                return wrong_edge(net, e, GSP_STATUS_PARSE, "is given twice");
            }
            drop[r->in[i]] = mark[e->from] == v + 1u;
            mark[e->from] = v + 1u;
        }
    }
    for (i = 0; i < net->m; i++) {
        if (!drop[i]) {
            net->edges[kept++] = net->edges[i];
        }
    }
    net->m = kept;
    make_rows(net, 0, r->in_begin, r->in);
    cli_release(net->session, mark);
    cli_release(net->session, drop);
    return CLI_EXIT_OK;
}

/* A value has the largest weight of its edges. */
static void take_bytes(cli_net *net)
{
    uint8_t *seen = (uint8_t *)cli_alloc(net->session, (size_t)net->n + 1u, 1u);
    uint32_t i;
    for (i = 0; i < net->m; i++) {
        const cli_net_edge *e = &net->edges[i];
        uint64_t *bytes = &net->bytes[e->from];
        net->unequal |= seen[e->from] && e->bytes != *bytes;
        *bytes = !seen[e->from] || e->bytes > *bytes ? e->bytes : *bytes;
        seen[e->from] = 1;
    }
    cli_release(net->session, seen);
}

/* An edge of a cycle among the nodes that the order leaves over: each has an input there. */
static int refuse_cycle(const cli_net *net, const rows *r, const uint32_t *missing)
{
    uint32_t *by = numbers(net, net->n); /* 1 + the edge by which the walk left */
    uint32_t v = 0;
    while (missing[v] == 0) {
        v++;
    }
    while (by[v] == 0) {
        uint32_t i = r->in_begin[v];
        while (missing[net->edges[r->in[i]].from] == 0) {
            i++;
        }
        by[v] = r->in[i] + 1u;
        v = net->edges[r->in[i]].from;
    }
    return wrong_edge(net, &net->edges[by[v] - 1u], GSP_STATUS_CYCLE, "is on a cycle");
}

/* The numbering itself if it is topological, else first in first out. */
static int make_order(const cli_net *net, rows *r)
{
    uint32_t *begin = numbers(net, net->n);
    uint32_t *out = numbers(net, net->m);
    uint32_t *missing = numbers(net, net->n);
    uint32_t down = 0;
    uint32_t v;
    uint32_t i;
    make_rows(net, 1, begin, out);
    for (i = 0; i < net->m; i++) {
        down += net->edges[i].from > net->edges[i].to;
        missing[net->edges[i].to]++;
        r->users[net->edges[i].from]++;
    }
    for (v = 0; v < net->n; v++) {
        if (down == 0 || missing[v] == 0) {
            r->order[r->n_order++] = v;
        }
    }
    for (v = 0; down != 0 && v < r->n_order; v++) {
        for (i = begin[r->order[v]]; i < begin[r->order[v] + 1u]; i++) {
            if (--missing[net->edges[out[i]].to] == 0) {
                r->order[r->n_order++] = net->edges[out[i]].to;
            }
        }
    }
    cli_release(net->session, begin);
    cli_release(net->session, out);
    if (r->n_order != net->n) {
        return refuse_cycle(net, r, missing);
    }
    cli_release(net->session, missing);
    return CLI_EXIT_OK;
}

/* ---- text ---- */

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

/* The name of a node; room for 24 bytes. */
static gsp_str name_of(const cli_net *net, int named, uint32_t v, char *room)
{
    gsp_str name;
    if (named) {
        return net->names[v];
    }
    name.data = room;
    name.size = (uint32_t)snprintf(room, 24u, "n%" PRIu32, v);
    return name;
}

static gsp_str number_of(uint64_t value, char *room)
{
    gsp_str number;
    number.data = room;
    number.size = (uint32_t)snprintf(room, 24u, "%" PRIu64, value);
    return number;
}

static gsp_str type_of(uint64_t bytes, char *room)
{
    gsp_str type;
    type.data = room;
    type.size = (uint32_t)snprintf(room, 32u, "u8[%" PRIu64 "]", bytes);
    return type;
}

/* Strings are counted once if nodes in a row share them. */
static gsp_counts count(const cli_net *net, const rows *r, int named)
{
    gsp_counts c = gsp_build_counts(1u, net->n + 1u, net->m + 2u, 2u * net->n, net->n + 4u, 64u);
    char room[32];
    uint32_t at;
    for (at = 0; at < net->n; at++) {
        uint32_t const v = r->order[at];
        uint32_t const last = at != 0 ? r->order[at - 1u] : v;
        int const first = at == 0;
        c.bytes += name_of(net, named, v, room).size;
        c.args += r->users[v] == 0 ? 1u : 0u;
        c.edges += r->users[v] == 0 ? 1u : 0u;
        if (first || net->bytes[v] != net->bytes[last]) {
            c.strings++;
            c.bytes += type_of(net->bytes[v], room).size;
        }
        if (first || net->weight[v] != net->weight[last]) {
            c.strings++;
            c.bytes += number_of(net->weight[v], room).size;
        }
        if (v != at) { /* its number in the file */
            c.attrs++;
            c.strings++;
            c.bytes += number_of(v, room).size;
        }
    }
    return c;
}

static void build_node(const cli_net *net, const rows *r, int named, uint32_t at,
    const gsp_node *numbered, gsp_builder *b)
{
    uint32_t const v = r->order[at];
    char room[32];
    uint32_t i;
    (void)gsp_build_node(b, GSP_OP_CALL_FUNCTION, name_of(net, named, v, room), gsp_str_of("node"));
    for (i = r->in_begin[v]; i < r->in_begin[v + 1u]; i++) {
        gsp_build_arg_node(b, numbered[net->edges[r->in[i]].from]);
    }
    gsp_build_type(b, type_of(net->bytes[v], room));
    gsp_build_attr(b, gsp_str_of("compute"), number_of(net->weight[v], room));
    gsp_build_attr(b, gsp_str_of("weight"), number_of(net->weight[v], room));
    if (v != at) { /* its number in the file */
        gsp_build_attr(b, gsp_str_of("id"), number_of(v, room));
    }
}

/* Every value that nobody reads is returned. */
static void build_return(const cli_net *net, const rows *r, gsp_builder *b)
{
    uint32_t i;
    (void)gsp_build_output(b);
    gsp_build_open(b, GSP_ARG_TUPLE);
    for (i = 0; i < net->n; i++) {
        if (r->users[r->order[i]] == 0) {
            gsp_build_arg_node(b, i);
        }
    }
    gsp_build_close(b);
}

/* Before the module is made, which takes the most memory. */
static void release(cli_net *net, rows *r)
{
    cli_session *s = net->session;
    cli_release(s, net->edges);
    cli_release(s, net->weight);
    cli_release(s, net->bytes);
    cli_release(s, r->in_begin);
    cli_release(s, r->in);
    cli_release(s, r->users);
    cli_release(s, r->order);
}

static int make_module(cli_net *net, rows *r)
{
    cli_session *s = net->session;
    gsp_node *numbered = (gsp_node *)cli_alloc(s, (size_t)net->n + 1u, sizeof *numbered);
    int named = has_identifiers(net);
    gsp_counts const counts = count(net, r, named);
    gsp_builder b;
    gsp_arena arena;
    gsp_error err;
    uint32_t i;
    cli_arena(s, &arena, gsp_build_bound(&counts));
    err.status = gsp_build_init(&b, &arena, &counts, &err);
    if (err.status == GSP_OK) {
        gsp_build_graph(&b, gsp_str_of("main"));
        for (i = 0; i < net->n; i++) {
            numbered[r->order[i]] = i;
            build_node(net, r, named, i, numbered, &b);
        }
        build_return(net, r, &b);
        release(net, r);
        err.status = gsp_build_finish(&b, &s->module, &err);
    }
    s->numbered = numbered;
    s->n_numbered = net->n;
    return err.status == GSP_OK ? CLI_EXIT_OK : cli_pass_error(s, NULL, &err);
}

/* ---- all of it ---- */

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
    if (net->names != NULL && !has_identifiers(net)) {
        fprintf(stderr, "%s: %s has names that are no identifiers: nodes are n0, n1, ...\n",
            net->session->front->program, net->path);
    }
}

int cli_net_finish(cli_net *net)
{
    rows r;
    int code;
    memset(&r, 0, sizeof r);
    r.in_begin = numbers(net, net->n);
    r.in = numbers(net, net->m);
    r.users = numbers(net, net->n);
    r.order = numbers(net, net->n);
    if ((code = drop_equal(net, &r)) != CLI_EXIT_OK ||
        (code = make_order(net, &r)) != CLI_EXIT_OK) {
        return code;
    }
    if (!net->has_bytes) {
        take_bytes(net);
    }
    tell(net);
    return make_module(net, &r);
}
