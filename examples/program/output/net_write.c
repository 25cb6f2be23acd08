/* A graph in a format of partitioners. Each writes nodes by number, values with their readers. */
#include "output/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct net_out {
    cli_session *session;
    const gsp_graph *graph;
    const gsp_node *nodes; /* [n] by number */
    uint32_t *number;      /* [graph nodes] GSP_NONE if there is none */
    uint64_t *weight;      /* [graph nodes] */
    uint32_t n;
    uint32_t m;
    int weighted; /* some weight is not 1 */
    int sized;    /* some value has not 1 byte */
    int zero;     /* some value that is read has no bytes */
} net_out;

/* The next reader of node v with a number, from *at on; 0 after the last. */
static int next_reader(const net_out *w, gsp_node v, uint32_t *at, uint32_t *reader)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(w->graph, v, &n);
    while (*at < n) {
        *reader = w->number[users[(*at)++]];
        if (*reader != GSP_NONE) {
            return 1;
        }
    }
    return 0;
}

static uint32_t readers_of(const net_out *w, gsp_node v)
{
    uint32_t n = 0;
    uint32_t at = 0;
    uint32_t reader;
    while (next_reader(w, v, &at, &reader)) {
        n++;
    }
    return n;
}

static void number_nodes(net_out *w)
{
    uint32_t i;
    memset(w->number, 0xFF, (size_t)w->graph->n_nodes * sizeof *w->number);
    for (i = 0; i < w->n; i++) {
        w->number[w->nodes[i]] = i;
    }
}

static int is_topological(const net_out *w)
{
    uint32_t i;
    for (i = 0; i < w->n; i++) {
        uint32_t at = 0;
        uint32_t reader;
        while (next_reader(w, w->nodes[i], &at, &reader)) {
            if (reader < i) {
                return 0;
            }
        }
    }
    return 1;
}

/* Undirected formats have the directions of the numbers: those of graph order then. */
static void renumber(net_out *w)
{
    gsp_node *nodes = (gsp_node *)cli_alloc(w->session, (size_t)w->n + 1u, sizeof *nodes);
    gsp_node v;
    uint32_t n = 0;
    for (v = 0; v < w->graph->n_nodes; v++) {
        if (w->number[v] != GSP_NONE) {
            nodes[n++] = v;
        }
    }
    w->nodes = nodes;
    number_nodes(w);
    fprintf(stderr,
        "%s: the format has no directions, and the numbers are no topological order: nodes "
        "are numbered anew\n",
        w->session->front->program);
}

/* Numbers of the file that graph text was made of: id=, where it is not the place. */
static void take_ids(net_out *w)
{
    gsp_node *nodes = (gsp_node *)cli_alloc(w->session, (size_t)w->n + 1u, sizeof *nodes);
    uint32_t i;
    memset(nodes, 0xFF, ((size_t)w->n + 1u) * sizeof *nodes);
    for (i = 0; i < w->n; i++) {
        gsp_str text = cli_attribute(w->graph, w->nodes[i], "id");
        uint64_t id = i;
        if ((text.size != 0 && !gsp_str_number(text, &id)) || id >= w->n || nodes[id] != GSP_NONE) {
            return;
        }
        nodes[id] = w->nodes[i];
    }
    w->nodes = nodes;
}

static int net_of(net_out *w)
{
    uint32_t i;
    int code = cli_weights_read(w->session, w->graph, &w->weight);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    w->nodes = cli_part_nodes(w->session, w->graph, &w->n);
    if (w->session->numbered == NULL) {
        take_ids(w);
    }
    w->number =
        (uint32_t *)cli_alloc(w->session, (size_t)w->graph->n_nodes + 1u, sizeof *w->number);
    number_nodes(w);
    for (i = 0; i < w->n; i++) {
        uint32_t readers = readers_of(w, w->nodes[i]);
        uint64_t bytes = gsp_node_bytes(w->graph, w->nodes[i]);
        w->m += readers;
        w->weighted |= w->weight[w->nodes[i]] != 1u;
        w->sized |= bytes != 1u;
        w->zero |= bytes == 0 && readers != 0;
    }
    return CLI_EXIT_OK;
}

static uint64_t bytes_of(const net_out *w, uint32_t i)
{
    return gsp_node_bytes(w->graph, w->nodes[i]);
}

/* ---- formats ---- */

static void put_edges(const net_out *w, cli_buffer *out)
{
    uint32_t i;
    cli_printf(out, "%" PRIu32 " %" PRIu32 "\n", w->n, w->m);
    for (i = 0; i < w->n; i++) {
        uint32_t at = 0;
        uint32_t reader;
        while (next_reader(w, w->nodes[i], &at, &reader)) {
            cli_printf(out, "%" PRIu32 " %" PRIu32 "\n", i, reader);
        }
    }
    if (w->weighted || w->sized) {
        fprintf(stderr, "%s: an edge list has no weights: they are left out\n",
            w->session->front->program);
    }
}

static void put_neighbour(
    const net_out *w, uint32_t to, uint64_t bytes, int weights, cli_buffer *out)
{
    (void)w;
    cli_printf(out, "%s%" PRIu32, out->data[out->size - 1u] == '\n' ? "" : " ", to + 1u);
    if (weights) {
        cli_printf(out, " %" PRIu64, bytes);
    }
}

/* Sizes are the bytes of values; weights of edges, which must be above 0, are the same. */
static void put_metis(const net_out *w, cli_buffer *out)
{
    int weights = w->sized && !w->zero;
    uint32_t i;
    uint32_t k;
    cli_printf(out, "%" PRIu32 " %" PRIu32, w->n, w->m);
    if (w->sized || w->weighted) {
        cli_printf(out, " %d%d%d", w->sized, w->weighted, weights);
    }
    cli_puts(out, "\n");
    for (i = 0; i < w->n; i++) {
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(w->graph, w->nodes[i], &n);
        uint32_t at = 0;
        uint32_t reader;
        if (w->sized) {
            cli_printf(out, "%" PRIu64, bytes_of(w, i));
        }
        if (w->weighted) {
            cli_printf(out, "%s%" PRIu64, w->sized ? " " : "", w->weight[w->nodes[i]]);
        }
        for (k = 0; k < n; k++) {
            if (w->number[inputs[k]] != GSP_NONE) {
                put_neighbour(
                    w, w->number[inputs[k]], gsp_node_bytes(w->graph, inputs[k]), weights, out);
            }
        }
        while (next_reader(w, w->nodes[i], &at, &reader)) {
            put_neighbour(w, reader, bytes_of(w, i), weights, out);
        }
        cli_puts(out, "\n");
    }
}

static uint32_t count_nets(const net_out *w)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < w->n; i++) {
        n += readers_of(w, w->nodes[i]) != 0;
    }
    return n;
}

static void put_hmetis(const net_out *w, cli_buffer *out)
{
    uint32_t i;
    cli_printf(out, "%" PRIu32 " %" PRIu32, count_nets(w), w->n);
    cli_puts(out, w->weighted && w->sized ? " 11\n"
                  : w->weighted           ? " 10\n"
                  : w->sized              ? " 1\n"
                                          : "\n");
    for (i = 0; i < w->n; i++) {
        uint32_t at = 0;
        uint32_t reader;
        if (readers_of(w, w->nodes[i]) == 0) {
            continue;
        }
        if (w->sized) {
            cli_printf(out, "%" PRIu64 " ", bytes_of(w, i));
        }
        cli_printf(out, "%" PRIu32, i + 1u);
        while (next_reader(w, w->nodes[i], &at, &reader)) {
            cli_printf(out, " %" PRIu32, reader + 1u);
        }
        cli_puts(out, "\n");
    }
    for (i = 0; i < w->n && w->weighted; i++) {
        cli_printf(out, "%" PRIu64 "\n", w->weight[w->nodes[i]]);
    }
}

/* A comment per node holds what the format has no place for. */
static void put_mtx(const net_out *w, cli_buffer *out)
{
    uint32_t i;
    cli_printf(
        out, "%%%%MatrixMarket matrix coordinate %s general\n", w->sized ? "integer" : "pattern");
    for (i = 0; i < w->n && (w->weighted || w->sized); i++) {
        cli_printf(out, "%%node %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", i + 1u,
            w->weight[w->nodes[i]], bytes_of(w, i));
    }
    cli_printf(out, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", w->n, w->n, w->m);
    for (i = 0; i < w->n; i++) {
        uint32_t at = 0;
        uint32_t reader;
        while (next_reader(w, w->nodes[i], &at, &reader)) {
            cli_printf(out, "%" PRIu32 " %" PRIu32, i + 1u, reader + 1u);
            if (w->sized) {
                cli_printf(out, " %" PRIu64, bytes_of(w, i));
            }
            cli_puts(out, "\n");
        }
    }
}

static void put_dot_name(const net_out *w, uint32_t i, cli_buffer *out)
{
    cli_puts(out, "\"");
    cli_put_text(out, gsp_node_name(w->graph, w->nodes[i]));
    cli_puts(out, "\"");
}

/* Nodes first, so that they keep their numbers. */
static void put_dot(const net_out *w, cli_buffer *out)
{
    uint32_t i;
    cli_puts(out, "digraph {\n");
    for (i = 0; i < w->n; i++) {
        cli_puts(out, "    ");
        put_dot_name(w, i, out);
        cli_printf(out, " [weight=%" PRIu64 ", bytes=%" PRIu64 "];\n", w->weight[w->nodes[i]],
            bytes_of(w, i));
    }
    for (i = 0; i < w->n; i++) {
        uint32_t at = 0;
        uint32_t reader;
        while (next_reader(w, w->nodes[i], &at, &reader)) {
            cli_puts(out, "    ");
            put_dot_name(w, i, out);
            cli_puts(out, " -> ");
            put_dot_name(w, reader, out);
            cli_puts(out, ";\n");
        }
    }
    cli_puts(out, "}\n");
}

static void put_hyperdag(const net_out *w, cli_buffer *out)
{
    uint32_t nets = count_nets(w);
    uint32_t i;
    uint32_t k = 0;
    cli_printf(out, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", nets, w->n, w->m + nets);
    for (i = 0; i < w->n; i++) {
        if (readers_of(w, w->nodes[i]) != 0) {
            cli_printf(out, "%" PRIu32 " %" PRIu64 "\n", k++, bytes_of(w, i));
        }
    }
    for (i = 0; i < w->n; i++) {
        cli_printf(out, "%" PRIu32 " %" PRIu64 "\n", i, w->weight[w->nodes[i]]);
    }
    for (i = 0, k = 0; i < w->n; i++) {
        uint32_t at = 0;
        uint32_t reader;
        if (readers_of(w, w->nodes[i]) == 0) {
            continue;
        }
        cli_printf(out, "%" PRIu32 " %" PRIu32 "\n", k, i);
        while (next_reader(w, w->nodes[i], &at, &reader)) {
            cli_printf(out, "%" PRIu32 " %" PRIu32 "\n", k, reader);
        }
        k++;
    }
}

static int put_fx(cli_session *s, cli_buffer *out)
{
    gsp_error err;
    gsp_status status = gsp_text_write(&s->module, NULL, cli_sink, out, &err);
    return status == GSP_OK ? CLI_EXIT_OK : cli_pass_error(s, NULL, &err);
}

int cli_net_write(cli_session *s, const gsp_graph *graph, cli_net_kind kind, cli_buffer *out)
{
    static void (*const writers[])(const net_out *, cli_buffer *) = {
        NULL, put_metis, put_hmetis, put_mtx, put_dot, put_hyperdag, put_edges};
    net_out w;
    int code;
    if (kind == CLI_NET_FX) {
        return put_fx(s, out);
    }
    memset(&w, 0, sizeof w);
    w.session = s;
    w.graph = graph;
    if ((code = net_of(&w)) != CLI_EXIT_OK) {
        return code;
    }
    if ((kind == CLI_NET_METIS || kind == CLI_NET_HMETIS) && !is_topological(&w)) {
        renumber(&w);
    }
    writers[kind](&w, out);
    return CLI_EXIT_OK;
}
