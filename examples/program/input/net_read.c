/* METIS, hMETIS, Matrix Market, HyperDAG, edge lists: lines of numbers. */
#include "input/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct lines {
    cli_net *net;
    uint32_t at;
    uint64_t line; /* of `rest` */
    uint64_t head; /* the line that says how many there are */
    gsp_str rest;  /* of the present line */
} lines;

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next line, without what follows a '%'. Blank lines count where a line is a node. */
static int next_line(lines *l, int blank_counts)
{
    gsp_str text = l->net->text;
    while (l->at < text.size) {
        const char *begin = text.data + l->at;
        const char *end = (const char *)memchr(begin, '\n', text.size - l->at);
        const char *comment;
        uint32_t size = end != NULL ? (uint32_t)(end - begin) : text.size - l->at;
        l->at += size + (end != NULL ? 1u : 0u);
        l->line++;
        l->rest.data = begin;
        comment = (const char *)memchr(begin, '%', size);
        l->rest.size = comment != NULL ? (uint32_t)(comment - begin) : size;
        while (l->rest.size > 0 && is_blank(l->rest.data[l->rest.size - 1u])) {
            l->rest.size--;
        }
        if (l->rest.size > 0 || (blank_counts && comment == NULL)) {
            return 1;
        }
    }
    l->line++;
    l->rest = gsp_str_of("");
    return 0;
}

static gsp_str next_word(lines *l)
{
    gsp_str word;
    while (l->rest.size > 0 && is_blank(l->rest.data[0])) {
        l->rest.data++;
        l->rest.size--;
    }
    word = l->rest;
    word.size = 0;
    while (word.size < l->rest.size && !is_blank(word.data[word.size])) {
        word.size++;
    }
    l->rest.data += word.size;
    l->rest.size -= word.size;
    return word;
}

static int expected(lines *l, const char *what, gsp_str word)
{
    return cli_error(l->net->session, GSP_STATUS_PARSE, "%s:%" PRIu64 ": expected %s, got '%.*s'",
        l->net->path, l->line, what, word.size < 40u ? (int)word.size : 40, word.data);
}

/* The next number of the line, from `least` to `most`. */
static int next_number(lines *l, const char *what, uint64_t least, uint64_t most, uint64_t *value)
{
    gsp_str word = next_word(l);
    uint32_t i = 0;
    if (word.size > 0 && gsp_str_number(word, value)) {
        return *value >= least && *value <= most ? CLI_EXIT_OK : expected(l, what, word);
    }
    while (i < word.size && word.data[i] >= '0' && word.data[i] <= '9') {
        i++;
    }
    if (word.size > 0 && i == word.size) {
        return cli_error(l->net->session, GSP_STATUS_OVERFLOW,
            "%s:%" PRIu64 ": '%.*s' does not fit into 64 bits", l->net->path, l->line,
            word.size < 40u ? (int)word.size : 40, word.data);
    }
    return expected(l, what, word);
}

static int end_of_line(lines *l)
{
    gsp_str word = next_word(l);
    return word.size == 0 ? CLI_EXIT_OK : expected(l, "the end of the line", word);
}

static int end_of_file(lines *l)
{
    return next_line(l, 0) ? expected(l, "the end of the file", l->rest) : CLI_EXIT_OK;
}

/* So many numbers on a line of their own. */
static int line_of(lines *l, const char *what, uint64_t *values, uint32_t n)
{
    int code = CLI_EXIT_OK;
    uint32_t i;
    (void)next_line(l, 0);
    for (i = 0; i < n && code == CLI_EXIT_OK; i++) {
        code = next_number(l, what, 0, UINT64_MAX, &values[i]);
    }
    return code == CLI_EXIT_OK ? end_of_line(l) : code;
}

static lines lines_of(cli_net *net)
{
    lines l;
    memset(&l, 0, sizeof l);
    l.net = net;
    return l;
}

/* ---- edge lists: n m, then u v ---- */

int cli_net_read_edges(cli_net *net)
{
    lines l = lines_of(net);
    uint64_t head[2] = {0};
    uint64_t i;
    int code = line_of(&l, "the number of nodes and the number of edges", head, 2);
    if (code != CLI_EXIT_OK || (code = cli_net_nodes(net, head[0], l.line)) != CLI_EXIT_OK) {
        return code;
    }
    for (i = 0; i < head[1] && code == CLI_EXIT_OK; i++) {
        uint64_t from = 0;
        uint64_t to = 0;
        (void)next_line(&l, 0);
        if ((code = next_number(&l, "a node", 0, net->n - 1u, &from)) == CLI_EXIT_OK &&
            (code = next_number(&l, "a node", 0, net->n - 1u, &to)) == CLI_EXIT_OK &&
            (code = end_of_line(&l)) == CLI_EXIT_OK) {
            code = cli_net_add(net, (uint32_t)from, (uint32_t)to, l.line, 1u);
        }
    }
    return code == CLI_EXIT_OK ? end_of_file(&l) : code;
}

/* ---- METIS: n m [fmt [ncon]], then per node [size] [weight] (neighbour [weight])... ---- */

/* Flags of fmt: the digits mean sizes, weights of nodes, weights of edges. */
static int metis_format(lines *l, uint64_t fmt, uint32_t *flags)
{
    *flags =
        (fmt / 100u != 0 ? 4u : 0u) | (fmt / 10u % 10u != 0 ? 2u : 0u) | (fmt % 10u != 0 ? 1u : 0u);
    if (fmt > 111u || fmt / 10u % 10u > 1u || fmt % 10u > 1u) {
        return cli_error(l->net->session, GSP_STATUS_PARSE,
            "%s:%" PRIu64 ": the format is three digits of 0 and 1", l->net->path, l->line);
    }
    return CLI_EXIT_OK;
}

/* Every node has a line, so the number of lines limits that of nodes. */
static int metis_lines(const lines *l, uint64_t n)
{
    lines look = *l;
    uint64_t found = 0;
    while (found < n && next_line(&look, 1)) {
        found++;
    }
    return found == n ? CLI_EXIT_OK
                      : cli_error(l->net->session, GSP_STATUS_PARSE,
                            "%s:%" PRIu64 ": this line says %" PRIu64
                            " nodes, and there are lines for %" PRIu64,
                            l->net->path, l->head, n, found);
}

static int metis_head(lines *l, uint64_t *m, uint32_t *flags)
{
    uint64_t n;
    uint64_t more = 0;
    int code;
    (void)next_line(l, 0);
    l->head = l->line;
    if ((code = next_number(l, "the number of nodes", 0, UINT64_MAX, &n)) != CLI_EXIT_OK ||
        (code = next_number(l, "the number of edges", 0, UINT64_MAX, m)) != CLI_EXIT_OK ||
        (code = metis_lines(l, n)) != CLI_EXIT_OK ||
        (code = cli_net_nodes(l->net, n, l->line)) != CLI_EXIT_OK) {
        return code;
    }
    if (l->rest.size > 0 && (code = next_number(l, "a format", 0, 111u, &more)) != CLI_EXIT_OK) {
        return code;
    }
    if ((code = metis_format(l, more, flags)) != CLI_EXIT_OK) {
        return code;
    }
    more = 1;
    if (l->rest.size > 0) {
        code = next_number(l, "one weight per node", 1u, 1u, &more);
    }
    return code == CLI_EXIT_OK ? end_of_line(l) : code;
}

/* Both lines of an edge name it. As nodes come in order, the lines that name a node back do, too,
 * and one cursor per node compares them with its ascending neighbours. */
typedef struct metis {
    uint32_t flags;
    uint64_t m;      /* as announced */
    uint32_t *next;  /* [n] the edge of a node whose other end comes next */
    uint32_t n_back; /* lower nodes that were named */
    uint32_t lost;   /* the first edge that is not named back, or GSP_NONE */
} metis;

static int by_end(const void *a, const void *b)
{
    uint32_t const x = ((const cli_net_edge *)a)->to;
    uint32_t const y = ((const cli_net_edge *)b)->to;
    return (x > y) - (x < y);
}

/* Only the largest of the weights of the edges from a node counts, so they need not move along. */
static void metis_sort(cli_net *net, uint32_t first)
{
    uint32_t i = first + 1u;
    while (i < net->m && net->edges[i - 1u].to <= net->edges[i].to) {
        i++;
    }
    if (i < net->m) {
        qsort(net->edges + first, net->m - first, sizeof *net->edges, by_end);
    }
}

/* Edges of `from` to nodes below `to` are not named back; those to it are. */
static void metis_back(const cli_net *net, metis *w, uint32_t from, uint32_t to)
{
    uint32_t *i = &w->next[from];
    while (*i < net->m && net->edges[*i].from == from && net->edges[*i].to <= to) {
        if (net->edges[*i].to < to && *i < w->lost) {
            w->lost = *i;
        }
        ++*i;
    }
}

static int metis_compare(const cli_net *net, metis *w)
{
    const cli_net_edge *e;
    uint32_t v;
    for (v = 0; v < net->n; v++) {
        metis_back(net, w, v, net->n);
    }
    if (w->lost == GSP_NONE) {
        return CLI_EXIT_OK;
    }
    e = &net->edges[w->lost];
    return cli_error(net->session, GSP_STATUS_PARSE,
        "%s:%" PRIu32 ": node %" PRIu32 " names node %" PRIu32 ", which does not name it back",
        net->path, e->line, e->from + 1u, e->to + 1u);
}

static int metis_count(const lines *l, uint64_t m, uint64_t found)
{
    const cli_net *net = l->net;
    return cli_error(net->session, GSP_STATUS_PARSE,
        "%s:%" PRIu64 ": this line says %" PRIu64 " edges, and there are %s%" PRIu64, net->path,
        l->head, m, found > m ? "at least " : "", found);
}

static int metis_node(lines *l, uint32_t v, metis *w)
{
    cli_net *net = l->net;
    uint64_t value = 1;
    int code = CLI_EXIT_OK;
    (void)next_line(l, 1);
    w->next[v] = net->m;
    if ((w->flags & 4u) != 0) {
        code = next_number(l, "the size of a node", 0, UINT64_MAX, &value);
        cli_net_set_bytes(net, v, value);
    }
    if (code == CLI_EXIT_OK && (w->flags & 2u) != 0) {
        code = next_number(l, "the weight of a node", 0, UINT64_MAX, &value);
        cli_net_set_weight(net, v, value);
    }
    while (code == CLI_EXIT_OK && l->rest.size > 0) {
        uint64_t to = 0;
        uint64_t weight = 1;
        code = next_number(l, "a node", 1, net->n, &to);
        if (code == CLI_EXIT_OK && (w->flags & 1u) != 0) {
            code = next_number(l, "the weight of an edge", 0, UINT64_MAX, &weight);
        }
        if (code == CLI_EXIT_OK && to - 1u < v) {
            if (w->n_back >= w->m) {
                return metis_count(l, w->m, w->m + 1u);
            }
            metis_back(net, w, (uint32_t)to - 1u, v);
            w->n_back++;
        } else if (code == CLI_EXIT_OK) {
            code = cli_net_add(net, v, (uint32_t)to - 1u, l->line, weight);
        }
    }
    metis_sort(net, w->next[v]);
    return code;
}

int cli_net_read_metis(cli_net *net)
{
    lines l = lines_of(net);
    metis w = {0, 0, NULL, 0, GSP_NONE};
    uint32_t v;
    int code;
    net->base = 1;
    net->undirected = 1;
    if ((code = metis_head(&l, &w.m, &w.flags)) != CLI_EXIT_OK) {
        return code;
    }
    w.m = w.m < net->text.size ? w.m : net->text.size;
    net->has_bytes = (w.flags & 4u) != 0;
    w.next = (uint32_t *)cli_alloc(net->session, (size_t)net->n + 1u, sizeof *w.next);
    for (v = 0; v < net->n && code == CLI_EXIT_OK; v++) {
        code = metis_node(&l, v, &w);
    }
    if (code == CLI_EXIT_OK) {
        code = metis_compare(net, &w);
    }
    cli_release(net->session, w.next);
    if (code == CLI_EXIT_OK && (net->m != w.m || w.n_back != w.m)) {
        return metis_count(&l, w.m, net->m > w.n_back ? net->m : w.n_back);
    }
    return code == CLI_EXIT_OK ? end_of_file(&l) : code;
}

/* ---- hMETIS: nets n [fmt], then a line per net: [weight] node..., then weights of nodes ---- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The lowest node is the source. */
static int hmetis_net(lines *l, int weighted, uint32_t *pins, uint8_t *sources)
{
    cli_net *net = l->net;
    uint64_t weight = 1;
    uint32_t n = 0;
    uint32_t i;
    int code = CLI_EXIT_OK;
    (void)next_line(l, 0);
    if (weighted) {
        code = next_number(l, "the weight of a net", 0, UINT64_MAX, &weight);
    }
    do {
        uint64_t pin = 0;
        code = code == CLI_EXIT_OK ? next_number(l, "a node", 1, net->n, &pin) : code;
        if (code == CLI_EXIT_OK && n == net->n) {
            return expected(l, "every node once", l->rest);
        }
        pins[n++] = (uint32_t)pin - 1u;
    } while (code == CLI_EXIT_OK && l->rest.size > 0);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    qsort(pins, n, sizeof *pins, by_number);
    for (i = 1; i < n && code == CLI_EXIT_OK; i++) {
        if (pins[i] == pins[i - 1u]) {
            return cli_error(net->session, GSP_STATUS_PARSE,
                "%s:%" PRIu64 ": node %" PRIu32 " is twice in a net", net->path, l->line,
                pins[i] + 1u);
        }
        code = cli_net_add(net, pins[0], pins[i], l->line, weight);
    }
    net->merged |= n > 1u && sources[pins[0]];
    sources[pins[0]] |= n > 1u;
    return code;
}

int cli_net_read_hmetis(cli_net *net)
{
    lines l = lines_of(net);
    uint64_t nets;
    uint64_t n;
    uint64_t fmt = 0;
    uint64_t i;
    uint32_t *pins;
    uint8_t *sources;
    int code;
    net->base = 1;
    net->undirected = net->hyper = 1;
    (void)next_line(&l, 0);
    if ((code = next_number(&l, "the number of nets", 0, UINT64_MAX, &nets)) != CLI_EXIT_OK ||
        (code = next_number(&l, "the number of nodes", 0, UINT64_MAX, &n)) != CLI_EXIT_OK ||
        (code = cli_net_nodes(net, n, l.line)) != CLI_EXIT_OK) {
        return code;
    }
    if (l.rest.size > 0 &&
        ((code = next_number(&l, "the format 1, 10 or 11", 0, 11u, &fmt)) != CLI_EXIT_OK ||
            (code = end_of_line(&l)) != CLI_EXIT_OK)) {
        return code;
    }
    pins = (uint32_t *)cli_grow(net->session, NULL, ((size_t)net->n + 1u) * sizeof *pins);
    sources = (uint8_t *)cli_alloc(net->session, (size_t)net->n + 1u, 1u);
    for (i = 0; i < nets && code == CLI_EXIT_OK; i++) {
        code = hmetis_net(&l, fmt % 10u != 0, pins, sources);
    }
    for (i = 0; i < net->n && fmt / 10u != 0 && code == CLI_EXIT_OK; i++) {
        uint64_t weight = 1;
        code = line_of(&l, "the weight of a node", &weight, 1);
        cli_net_set_weight(net, (uint32_t)i, weight);
    }
    cli_release(net->session, pins);
    cli_release(net->session, sources);
    return code == CLI_EXIT_OK ? end_of_file(&l) : code;
}

/* ---- Matrix Market: entry (i, j) is an edge from i to j ---- */

static int has_word(gsp_str line, const char *word)
{
    size_t n = strlen(word);
    uint32_t i;
    for (i = 0; i + n <= line.size; i++) {
        if (memcmp(line.data + i, word, n) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Our own comments carry what the format has no place for: %node I WEIGHT BYTES */
static int mtx_nodes(cli_net *net)
{
    static const char mark[] = "%node ";
    lines l = lines_of(net);
    int code = CLI_EXIT_OK;
    while (l.at < net->text.size && net->text.data[l.at] == '%' && code == CLI_EXIT_OK) {
        const char *begin = net->text.data + l.at;
        const char *end = (const char *)memchr(begin, '\n', net->text.size - l.at);
        uint32_t size = end != NULL ? (uint32_t)(end - begin) : net->text.size - l.at;
        uint64_t v = 0;
        uint64_t weight = 1;
        uint64_t bytes = 1;
        l.at += size + (end != NULL ? 1u : 0u);
        l.line++;
        if (size < sizeof mark || memcmp(begin, mark, sizeof mark - 1u) != 0) {
            continue;
        }
        net->has_bytes = 1;
        l.rest.data = begin + sizeof mark - 1u;
        l.rest.size = size - (uint32_t)sizeof mark + 1u;
        if ((code = next_number(&l, "a node", 1, net->n, &v)) == CLI_EXIT_OK &&
            (code = next_number(&l, "a weight", 0, UINT64_MAX, &weight)) == CLI_EXIT_OK &&
            (code = next_number(&l, "bytes", 0, UINT64_MAX, &bytes)) == CLI_EXIT_OK) {
            cli_net_set_weight(net, (uint32_t)v - 1u, weight);
            cli_net_set_bytes(net, (uint32_t)v - 1u, bytes);
            code = end_of_line(&l);
        }
    }
    return code;
}

int cli_net_read_mtx(cli_net *net)
{
    lines l = lines_of(net);
    gsp_str head = net->text;
    const char *end = (const char *)memchr(head.data, '\n', head.size);
    uint64_t size[3];
    uint64_t i;
    int integers;
    int code;
    head.size = end != NULL ? (uint32_t)(end - head.data) : head.size;
    net->base = 1;
    integers = has_word(head, "integer");
    net->undirected = has_word(head, "symmetric") && !has_word(head, "skew");
    if (!has_word(head, "%%MatrixMarket") || !has_word(head, "coordinate") ||
        !(net->undirected || has_word(head, "general"))) {
        return cli_error(net->session, GSP_STATUS_PARSE,
            "%s:1: expected '%%%%MatrixMarket matrix coordinate', and 'general' or "
            "'symmetric'",
            net->path);
    }
    if ((code = line_of(&l, "rows, columns and entries", size, 3)) != CLI_EXIT_OK) {
        return code;
    }
    if (size[0] != size[1]) {
        return cli_error(net->session, GSP_STATUS_PARSE,
            "%s:%" PRIu64 ": a graph is a square matrix", net->path, l.line);
    }
    if ((code = cli_net_nodes(net, size[0], l.line)) != CLI_EXIT_OK ||
        (code = mtx_nodes(net)) != CLI_EXIT_OK) {
        return code;
    }
    for (i = 0; i < size[2] && code == CLI_EXIT_OK; i++) {
        uint64_t from = 0;
        uint64_t to = 0;
        uint64_t bytes = 1;
        (void)next_line(&l, 0);
        if ((code = next_number(&l, "a row", 1, net->n, &from)) == CLI_EXIT_OK &&
            (code = next_number(&l, "a column", 1, net->n, &to)) == CLI_EXIT_OK && integers) {
            code = next_number(&l, "a weight", 0, UINT64_MAX, &bytes);
        }
        if (code == CLI_EXIT_OK) {
            code = cli_net_add(net, (uint32_t)from - 1u, (uint32_t)to - 1u, l.line, bytes);
        }
    }
    return code == CLI_EXIT_OK ? end_of_file(&l) : code;
}

/* ---- HyperDAG: M N P, then weights of nets, weights of nodes, pins, sources first ---- */

/* The weight of a net, or of a node if there are no nets. */
static void hyperdag_set(cli_net *net, uint64_t *nets, uint32_t i, uint64_t weight)
{
    if (nets != NULL) {
        nets[i] = weight;
    } else {
        cli_net_set_weight(net, i, weight);
    }
}

/* Lines of index [weight]; further columns describe nodes. */
static int hyperdag_weights(lines *l, const char *what, uint64_t n, uint64_t *nets)
{
    uint8_t *seen = (uint8_t *)cli_alloc(l->net->session, (size_t)n + 1u, 1u);
    int code = CLI_EXIT_OK;
    uint64_t i;
    for (i = 0; i < n && code == CLI_EXIT_OK; i++) {
        uint64_t at = 0;
        uint64_t value = 1;
        (void)next_line(l, 0);
        code = next_number(l, what, 0, n - 1u, &at);
        if (code == CLI_EXIT_OK && l->rest.size > 0) {
            code = next_number(l, "a weight", 0, UINT64_MAX, &value);
        }
        if (code == CLI_EXIT_OK && seen[at]) {
            return cli_error(l->net->session, GSP_STATUS_PARSE,
                "%s:%" PRIu64 ": number %" PRIu64 " is given twice", l->net->path, l->line, at);
        }
        if (code == CLI_EXIT_OK) {
            seen[at] = 1;
            hyperdag_set(l->net, nets, (uint32_t)at, value);
        }
    }
    cli_release(l->net->session, seen);
    return code;
}

typedef struct hyperdag {
    uint64_t *weight;   /* [nets] */
    uint32_t *source;   /* [nets] or GSP_NONE */
    uint8_t *is_source; /* [nodes] */
} hyperdag;

static int hyperdag_pin(lines *l, uint64_t net_number, uint32_t pin, hyperdag *h)
{
    cli_net *net = l->net;
    uint32_t *source = &h->source[net_number];
    if (*source != GSP_NONE) {
        return cli_net_add(net, *source, pin, l->line, h->weight[net_number]);
    }
    if (h->is_source[pin]) {
        return cli_error(net->session, GSP_STATUS_PARSE,
            "%s:%" PRIu64 ": node %" PRIu32 " is the source of two nets", net->path, l->line, pin);
    }
    h->is_source[pin] = 1;
    *source = pin;
    cli_net_set_bytes(net, pin, h->weight[net_number]);
    return CLI_EXIT_OK;
}

static int hyperdag_pins(lines *l, uint64_t nets, uint64_t pins, hyperdag *h)
{
    int code = CLI_EXIT_OK;
    uint64_t i;
    for (i = 0; i < pins && code == CLI_EXIT_OK; i++) {
        uint64_t at = 0;
        uint64_t pin = 0;
        (void)next_line(l, 0);
        if (nets == 0 || l->net->n == 0) {
            return expected(l, "no pins", l->rest);
        }
        if ((code = next_number(l, "a net", 0, nets - 1u, &at)) == CLI_EXIT_OK &&
            (code = next_number(l, "a node", 0, l->net->n - 1u, &pin)) == CLI_EXIT_OK &&
            (code = end_of_line(l)) == CLI_EXIT_OK) {
            code = hyperdag_pin(l, at, (uint32_t)pin, h);
        }
    }
    return code == CLI_EXIT_OK ? end_of_file(l) : code;
}

int cli_net_read_hyperdag(cli_net *net)
{
    cli_session *s = net->session;
    lines l = lines_of(net);
    hyperdag h;
    uint64_t head[3] = {0};
    int code = line_of(&l, "the numbers of nets, nodes and pins", head, 3);
    if (code != CLI_EXIT_OK || (code = cli_net_nodes(net, head[1], l.line)) != CLI_EXIT_OK) {
        return code;
    }
    if (head[0] > net->n) {
        return cli_error(s, GSP_STATUS_PARSE,
            "%s:%" PRIu64 ": more nets than nodes, and each has a source of its own", net->path,
            l.line);
    }
    h.weight = (uint64_t *)cli_alloc(s, (size_t)head[0] + 1u, sizeof *h.weight);
    net->has_bytes = 1;
    if ((code = hyperdag_weights(&l, "a net", head[0], h.weight)) != CLI_EXIT_OK ||
        (code = hyperdag_weights(&l, "a node", net->n, NULL)) != CLI_EXIT_OK) {
        return code;
    }
    h.source = (uint32_t *)cli_alloc(s, (size_t)head[0] + 1u, sizeof *h.source);
    h.is_source = (uint8_t *)cli_alloc(s, (size_t)net->n + 1u, 1u);
    memset(h.source, 0xFF, ((size_t)head[0] + 1u) * sizeof *h.source);
    code = hyperdag_pins(&l, head[0], head[2], &h);
    cli_release(s, h.weight);
    cli_release(s, h.source);
    cli_release(s, h.is_source);
    return code;
}
