/* DOT, the language of Graphviz: nodes and edges, weight= and bytes= of nodes, weight= of edges. */
#include "input/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct dot {
    cli_net *net;
    uint32_t at;
    uint64_t line;
    gsp_str token; /* empty for the end */
    int quoted;
    gsp_str *names; /* [n] */
    uint64_t *weight;
    uint64_t *bytes;
    uint32_t *slots; /* [mask + 1] 1 + node, by the hash of its name */
    uint32_t mask;
    uint32_t n;
    uint32_t room;
} dot;

/* ---- tokens ---- */

static int looks_at(const dot *d, const char *word)
{
    size_t n = strlen(word);
    return d->net->text.size - d->at >= n && memcmp(d->net->text.data + d->at, word, n) == 0;
}

static void skip_to(dot *d, const char *end)
{
    while (d->at < d->net->text.size && !looks_at(d, end)) {
        d->line += d->net->text.data[d->at++] == '\n';
    }
    d->at += d->at < d->net->text.size && end[0] != '\n' ? (uint32_t)strlen(end) : 0u;
}

/* Blanks, comments, and lines of the preprocessor. */
static void skip_blanks(dot *d)
{
    while (d->at < d->net->text.size) {
        if (looks_at(d, "//") || looks_at(d, "#")) {
            skip_to(d, "\n");
        } else if (looks_at(d, "/*")) {
            skip_to(d, "*/");
        } else if (strchr(" \t\r\n", d->net->text.data[d->at]) != NULL) {
            d->line += d->net->text.data[d->at++] == '\n';
        } else {
            return;
        }
    }
}

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 128u;
}

static void next_token(dot *d)
{
    gsp_str text = d->net->text;
    skip_blanks(d);
    d->quoted = 0;
    d->token.data = text.data + d->at;
    d->token.size = 0;
    if (d->at >= text.size) {
        return;
    }
    if (text.data[d->at] == '"') {
        uint32_t begin = ++d->at;
        while (d->at < text.size && text.data[d->at] != '"') {
            d->at += text.data[d->at] == '\\' && d->at + 1u < text.size;
            d->line += text.data[d->at++] == '\n';
        }
        d->quoted = 1;
        d->token.data = text.data + begin;
        d->token.size = d->at - begin;
        d->at += d->at < text.size;
        return;
    }
    if (looks_at(d, "->") || looks_at(d, "--")) {
        d->token.size = 2;
    } else {
        uint32_t i = d->at + (text.data[d->at] == '-');
        while (i < text.size && is_word(text.data[i])) {
            i++;
        }
        d->token.size = i > d->at ? i - d->at : 1u;
    }
    d->at += d->token.size;
}

static int is(const dot *d, const char *word)
{
    return !d->quoted && gsp_str_equal(d->token, gsp_str_of(word));
}

static int is_name(const dot *d)
{
    return d->quoted || (d->token.size > 0 && !is(d, "->") && !is(d, "--") &&
                            (is_word(d->token.data[0]) || d->token.size > 1u));
}

static int expected(const dot *d, const char *what)
{
    return cli_error(d->net->session, GSP_STATUS_PARSE, "%s:%" PRIu64 ": expected %s, got '%.*s'",
        d->net->path, d->line, what, d->token.size < 40u ? (int)d->token.size : 40, d->token.data);
}

/* ---- nodes ---- */

static uint32_t hash(gsp_str name)
{
    uint32_t h = 2166136261u;
    uint32_t i;
    for (i = 0; i < name.size; i++) {
        h = (h ^ (unsigned char)name.data[i]) * 16777619u;
    }
    return h;
}

static uint32_t slot_of(const dot *d, gsp_str name)
{
    uint32_t i = hash(name) & d->mask;
    while (d->slots[i] != 0 && !gsp_str_equal(d->names[d->slots[i] - 1u], name)) {
        i = (i + 1u) & d->mask;
    }
    return i;
}

static void make_room(dot *d)
{
    cli_session *s = d->net->session;
    uint32_t v;
    d->room = d->room != 0 ? 2u * d->room : 64u;
    d->mask = 4u * d->room - 1u;
    d->names = (gsp_str *)cli_grow(s, d->names, d->room * sizeof *d->names);
    d->weight = (uint64_t *)cli_grow(s, d->weight, d->room * sizeof *d->weight);
    d->bytes = (uint64_t *)cli_grow(s, d->bytes, d->room * sizeof *d->bytes);
    d->slots = (uint32_t *)cli_alloc(s, (size_t)d->mask + 1u, sizeof *d->slots);
    for (v = 0; v < d->n; v++) {
        d->slots[slot_of(d, d->names[v])] = v + 1u;
    }
}

/* The node of this name, new or not. */
static uint32_t node_of(dot *d, gsp_str name)
{
    uint32_t slot;
    if (d->n == d->room) {
        make_room(d);
    }
    slot = slot_of(d, name);
    if (d->slots[slot] == 0) {
        d->names[d->n] = name;
        d->weight[d->n] = d->bytes[d->n] = 1u;
        d->slots[slot] = ++d->n;
        d->net->names = d->names;
        d->net->n = d->n;
    }
    return d->slots[slot] - 1u;
}

/* ---- statements ---- */

typedef struct values {
    uint64_t weight;
    uint64_t bytes;
    int has_weight;
    int has_bytes;
} values;

static int read_value(dot *d, uint64_t *value, int *has)
{
    uint32_t i = 0;
    while (i < d->token.size && d->token.data[i] >= '0' && d->token.data[i] <= '9') {
        i++;
    }
    if (!gsp_str_number(d->token, value)) {
        return i == d->token.size && i > 0
                   ? cli_error(d->net->session, GSP_STATUS_OVERFLOW,
                         "%s:%" PRIu64 ": '%.*s' does not fit into 64 bits", d->net->path, d->line,
                         d->token.size < 40u ? (int)d->token.size : 40, d->token.data)
                   : expected(d, "a weight");
    }
    *has = 1;
    return CLI_EXIT_OK;
}

/* [name=value, ...], after its '['; any number of lists. */
static int read_attributes(dot *d, values *v)
{
    while (is(d, "[")) {
        next_token(d);
        while (!is(d, "]")) {
            int code = CLI_EXIT_OK;
            int weight = is(d, "weight");
            int bytes = is(d, "bytes");
            if (!is_name(d)) {
                return expected(d, "an attribute or ']'");
            }
            next_token(d);
            if (is(d, "=")) {
                next_token(d);
                code = weight  ? read_value(d, &v->weight, &v->has_weight)
                       : bytes ? read_value(d, &v->bytes, &v->has_bytes)
                               : CLI_EXIT_OK;
                next_token(d);
            }
            if (code != CLI_EXIT_OK) {
                return code;
            }
            if (is(d, ",") || is(d, ";")) {
                next_token(d);
            }
        }
        next_token(d);
    }
    return CLI_EXIT_OK;
}

/* A port, which is none of ours: a:n */
static void skip_port(dot *d)
{
    while (is(d, ":")) {
        next_token(d);
        next_token(d);
    }
}

/* a, or a -> b -> c, with attributes. */
static int read_chain(dot *d)
{
    cli_net *net = d->net;
    uint32_t first = net->m;
    uint32_t from = node_of(d, d->token);
    values v = {1u, 1u, 0, 0};
    int is_edge = 0;
    int code = CLI_EXIT_OK;
    next_token(d);
    skip_port(d);
    while (code == CLI_EXIT_OK && (is(d, "->") || is(d, "--"))) {
        uint64_t line = d->line;
        uint32_t to;
        if (is(d, "->") == net->undirected) {
            return expected(d, net->undirected ? "'--' in a graph" : "'->' in a digraph");
        }
        next_token(d);
        if (!is_name(d)) {
            return expected(d, "a node");
        }
        to = node_of(d, d->token);
        code = cli_net_add(net, from, to, line, 1u);
        from = to;
        is_edge = 1;
        next_token(d);
        skip_port(d);
    }
    if (code != CLI_EXIT_OK || (code = read_attributes(d, &v)) != CLI_EXIT_OK) {
        return code;
    }
    for (; is_edge && first < net->m; first++) {
        cli_net_set_edge(net, first, v.weight);
    }
    if (!is_edge) {
        d->weight[from] = v.has_weight ? v.weight : d->weight[from];
        d->bytes[from] = v.has_bytes ? v.bytes : d->bytes[from];
        net->has_bytes |= v.has_bytes;
    }
    return CLI_EXIT_OK;
}

static int read_statement(dot *d)
{
    values ignored = {1u, 1u, 0, 0};
    gsp_str text = d->net->text;
    if (is(d, "node") || is(d, "edge") || is(d, "graph")) {
        next_token(d);
        return read_attributes(d, &ignored);
    }
    if (!is_name(d)) {
        return expected(d, "a node, an edge or '}'");
    }
    skip_blanks(d);
    if (d->at < text.size && text.data[d->at] == '=') { /* name = value */
        next_token(d);
        next_token(d);
        next_token(d);
        return CLI_EXIT_OK;
    }
    return read_chain(d);
}

/* Subgraphs only frame statements. */
static int read_statements(dot *d)
{
    uint32_t depth = 1;
    int code = CLI_EXIT_OK;
    while (depth > 0 && code == CLI_EXIT_OK) {
        if (d->token.size == 0 && !d->quoted) {
            return expected(d, "'}'");
        }
        if (is(d, "subgraph")) {
            next_token(d);
            if (!is(d, "{")) {
                next_token(d);
            }
        } else if (is(d, "{") || is(d, "}")) {
            depth = is(d, "{") ? depth + 1u : depth - 1u;
            next_token(d);
        } else if (is(d, ";") || is(d, ",")) {
            next_token(d);
        } else {
            code = read_statement(d);
        }
    }
    return code;
}

int cli_net_read_dot(cli_net *net)
{
    dot d;
    int code;
    memset(&d, 0, sizeof d);
    d.net = net;
    d.line = 1;
    next_token(&d);
    if (is(&d, "strict")) {
        next_token(&d);
    }
    net->undirected = is(&d, "graph");
    if (!net->undirected && !is(&d, "digraph")) {
        return expected(&d, "'digraph' or 'graph'");
    }
    next_token(&d);
    if (!is(&d, "{")) {
        next_token(&d);
    }
    if (!is(&d, "{")) {
        return expected(&d, "'{'");
    }
    next_token(&d);
    code = read_statements(&d);
    if (code == CLI_EXIT_OK && d.token.size > 0) {
        code = expected(&d, "the end of the file");
    }
    net->names = d.names;
    net->weight = d.weight;
    net->bytes = d.bytes;
    return code;
}
