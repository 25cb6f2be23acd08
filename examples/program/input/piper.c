/* Instances of Piper: JSON with layers, their costs by number of devices, and edges. Costs on one
 * device count, and of several ways to run there the first. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

/* Numbers of a layer on one device. */
enum { TIME, PARAMS, KEPT, FIXED, COSTS };

#define MOST_LAYERS 4096u

typedef struct layer {
    uint32_t at; /* its begin in the file */
    double id;
    double cost[COSTS];
    double bytes; /* of its output */
    int has[COSTS];
    int has_id;
    int written;
    uint32_t waits; /* edges to it from layers that are not written */
    uint32_t n_users;
} layer;

typedef struct edge {
    uint32_t at;
    double from;
    double to;
    double bytes;
    uint32_t source; /* places of the layers */
    uint32_t target;
} edge;

typedef struct reader {
    cli_session *session;
    gsp_str text;
    uint32_t at;
    int code;
    double bandwidth;
    layer *layers;
    uint32_t n_layers;
    edge *edges;
    uint32_t n_edges;
} reader;

/* ---- JSON ---- */

/* The first error counts. */
static void fail(reader *r, uint32_t at, const char *what)
{
    gsp_error err;
    uint32_t i;
    if (r->code != CLI_EXIT_OK) {
        return;
    }
    memset(&err, 0, sizeof err);
    err.status = GSP_STATUS_PARSE;
    err.line = 1u;
    err.column = 1u;
    for (i = 0; i < at; i++) {
        err.line += r->text.data[i] == '\n' ? 1u : 0u;
        err.column = r->text.data[i] == '\n' ? 1u : err.column + 1u;
    }
    r->code = cli_text_wrong(r->session, r->session->path, r->text, &err, what);
}

/* The next character that is no space; 0 for the end. */
static char peek(reader *r)
{
    while (r->at < r->text.size && strchr(" \t\r\n", r->text.data[r->at]) != NULL) {
        r->at++;
    }
    return r->at < r->text.size && r->code == CLI_EXIT_OK ? r->text.data[r->at] : '\0';
}

static int take(reader *r, char c)
{
    int const found = peek(r) == c && c != '\0';
    r->at += found ? 1u : 0u;
    return found;
}

static void expect(reader *r, char c, const char *what)
{
    if (!take(r, c)) {
        fail(r, r->at, what);
    }
}

/* Whether an object or array has one more item. */
static int next(reader *r, int *begun, char close)
{
    if (r->code != CLI_EXIT_OK || take(r, close)) {
        return 0;
    }
    if (*begun) {
        expect(r, ',', "expected a comma or the end of the list");
    }
    *begun = 1;
    return r->code == CLI_EXIT_OK;
}

/* A string as written, without quotes. */
static gsp_str read_string(reader *r)
{
    gsp_str s = {NULL, 0};
    expect(r, '"', "expected a string");
    s.data = r->text.data + r->at;
    while (r->code == CLI_EXIT_OK && r->at < r->text.size && r->text.data[r->at] != '"') {
        r->at += r->text.data[r->at] == '\\' && r->at + 1u < r->text.size ? 2u : 1u;
    }
    s.size = (uint32_t)(r->text.data + r->at - s.data);
    expect(r, '"', "expected the end of the string");
    return s;
}

static gsp_str read_key(reader *r)
{
    gsp_str const key = read_string(r);
    expect(r, ':', "expected a colon behind the key");
    return key;
}

/* A word or number. */
static gsp_str read_word(reader *r)
{
    gsp_str s;
    (void)peek(r);
    s.data = r->text.data + r->at;
    while (r->at < r->text.size && strchr(" \t\r\n,:[]{}\"", r->text.data[r->at]) == NULL) {
        r->at++;
    }
    s.size = (uint32_t)(r->text.data + r->at - s.data);
    return s;
}

static double read_number(reader *r)
{
    uint32_t begin;
    double value = 0.0;
    gsp_str word;
    (void)peek(r);
    begin = r->at;
    word = read_word(r);
    if (!gsp_str_decimal(word, &value) || !(value >= 0.0) || value > 1e18) {
        fail(r, begin, "expected a number from 0 to 10^18");
    }
    return value;
}

/* Any value. */
static void skip_value(reader *r)
{
    uint32_t depth = 0;
    do {
        char const c = peek(r);
        if (c == '"') {
            (void)read_string(r);
        } else if (c == '{' || c == '[') {
            depth++;
            r->at++;
        } else if (depth > 0 && c != '\0' && strchr("}],:", c) != NULL) {
            depth -= c == '}' || c == ']' ? 1u : 0u;
            r->at++;
        } else if (read_word(r).size == 0) {
            fail(r, r->at, "expected a value");
        }
    } while (depth > 0 && r->code == CLI_EXIT_OK);
}

static int is_key(gsp_str key, const char *name)
{
    return gsp_str_equal(key, gsp_str_of(name));
}

/* ---- instances ---- */

static void read_costs(reader *r, layer *l)
{
    static const char *const names[] = {
        "timePerSample", "parameterSize", "memoryUsageA", "memoryUsageB"};
    int begun = 0;
    expect(r, '{', "expected the costs of a layer");
    while (next(r, &begun, '}')) {
        gsp_str const key = read_key(r);
        uint32_t i = 0;
        while (i < COSTS && !is_key(key, names[i])) {
            i++;
        }
        if (i < COSTS) {
            l->cost[i] = read_number(r);
            l->has[i] = 1;
        } else {
            skip_value(r);
        }
    }
}

/* Costs by number of devices, each a list. */
static void read_ways(reader *r, layer *l)
{
    int begun = 0;
    expect(r, '{', "expected costs by number of devices");
    while (next(r, &begun, '}')) {
        gsp_str const key = read_key(r);
        int more = 0;
        if (!is_key(key, "1")) {
            skip_value(r);
            continue;
        }
        expect(r, '[', "expected a list of costs");
        while (next(r, &more, ']')) {
            if (l->has[TIME]) {
                skip_value(r);
            } else {
                read_costs(r, l);
            }
        }
    }
}

static void read_layer(reader *r)
{
    layer *l;
    int begun = 0;
    uint32_t begin;
    r->layers =
        (layer *)cli_grow(r->session, r->layers, ((size_t)r->n_layers + 1u) * sizeof *r->layers);
    l = &r->layers[r->n_layers++];
    memset(l, 0, sizeof *l);
    (void)peek(r);
    begin = r->at;
    l->at = begin;
    expect(r, '{', "expected a layer");
    while (next(r, &begun, '}')) {
        gsp_str const key = read_key(r);
        if (is_key(key, "id")) {
            l->id = read_number(r);
            l->has_id = 1;
        } else if (is_key(key, "TMPCs")) {
            read_ways(r, l);
        } else {
            skip_value(r);
        }
    }
    if (!l->has_id || !l->has[TIME] || !l->has[PARAMS] || !l->has[KEPT] || !l->has[FIXED]) {
        fail(r, begin,
            "a layer requires id and, for one device in TMPCs, timePerSample, "
            "parameterSize, memoryUsageA and memoryUsageB");
    }
    if (r->n_layers > MOST_LAYERS) {
        fail(r, begin, "more than 4096 layers");
    }
}

static void read_edge(reader *r)
{
    static const char *const names[] = {"sourceId", "destId", "communicationCost"};
    double value[3] = {-1.0, -1.0, -1.0};
    edge *e;
    int begun = 0;
    (void)peek(r);
    r->edges = (edge *)cli_grow(r->session, r->edges, ((size_t)r->n_edges + 1u) * sizeof *r->edges);
    e = &r->edges[r->n_edges++];
    e->at = r->at;
    expect(r, '{', "expected an edge");
    while (next(r, &begun, '}')) {
        gsp_str const key = read_key(r);
        uint32_t i = 0;
        while (i < 3u && !is_key(key, names[i])) {
            i++;
        }
        if (i < 3u) {
            value[i] = read_number(r);
        } else {
            skip_value(r);
        }
    }
    if (value[0] < 0.0 || value[1] < 0.0 || value[2] < 0.0) {
        fail(r, e->at, "an edge requires sourceId, destId and communicationCost");
    }
    e->from = value[0];
    e->to = value[1];
    e->bytes = value[2];
}

static void read_list(reader *r, void (*item)(reader *))
{
    int begun = 0;
    expect(r, '[', "expected a list");
    while (next(r, &begun, ']')) {
        item(r);
    }
}

static void read_instance(reader *r)
{
    static const char *const names[] = {
        "maxDevices", "maxMemoryPerDevice", "mbsInBatch", "bandwidth", "nodes", "edges"};
    uint32_t seen = 0;
    int begun = 0;
    expect(r, '{', "expected an instance of Piper: an object with nodes and edges");
    while (next(r, &begun, '}')) {
        gsp_str const key = read_key(r);
        uint32_t i = 0;
        while (i < CLI_COUNT(names) && !is_key(key, names[i])) {
            i++;
        }
        seen |= (uint32_t)1u << i;
        if (i == 4u) {
            read_list(r, read_layer);
        } else if (i == 5u) {
            read_list(r, read_edge);
        } else if (i == 3u) {
            r->bandwidth = read_number(r);
        } else if (i < 3u) {
            (void)read_number(r);
        } else {
            skip_value(r);
        }
    }
    if (r->code == CLI_EXIT_OK && peek(r) != '\0') {
        fail(r, r->at, "expected the end of the file");
    }
    if ((seen & 63u) != 63u || !(r->bandwidth > 0.0) || r->n_layers == 0) {
        fail(r, 0,
            "an instance of Piper requires maxDevices, maxMemoryPerDevice, mbsInBatch, bandwidth, "
            "nodes "
            "and edges");
    }
}

/* ---- as a graph ---- */

/* The place of a layer. */
static uint32_t place_of(reader *r, double id, uint32_t at)
{
    uint32_t i = 0;
    while (i < r->n_layers && (r->layers[i].id < id || r->layers[i].id > id)) {
        i++;
    }
    if (i == r->n_layers) {
        fail(r, at, "the edge has an end that is no layer");
        return 0;
    }
    return i;
}

static void join_edges(reader *r)
{
    uint32_t i;
    for (i = 0; i < r->n_edges && r->code == CLI_EXIT_OK; i++) {
        edge *e = &r->edges[i];
        uint32_t k;
        e->source = place_of(r, e->from, e->at);
        e->target = place_of(r, e->to, e->at);
        if (e->source == e->target) {
            fail(r, e->at, "the edge leads from a layer to itself");
        }
        for (k = 0; k < i; k++) {
            if (r->edges[k].source == e->source && r->edges[k].target == e->target) {
                fail(r, e->at, "the edge is given twice");
            }
        }
        r->layers[e->target].waits++;
        r->layers[e->source].n_users++;
        if (e->bytes > r->layers[e->source].bytes) {
            r->layers[e->source].bytes = e->bytes;
        }
    }
}

/* The order of the file, but layers after their inputs; returns 0 on a cycle. */
static int find_order(reader *r, uint32_t *order)
{
    uint32_t n = 0;
    uint32_t place;
    uint32_t i;
    for (place = 0; n < r->n_layers && place < r->n_layers;) {
        if (r->layers[place].written || r->layers[place].waits != 0) {
            place++;
            continue;
        }
        r->layers[place].written = 1;
        order[n++] = place;
        for (i = 0; i < r->n_edges; i++) {
            r->layers[r->edges[i].target].waits -= r->edges[i].source == place ? 1u : 0u;
        }
        place = 0;
    }
    for (i = 0; i < r->n_edges && n < r->n_layers; i++) {
        if (!r->layers[r->edges[i].source].written && !r->layers[r->edges[i].target].written) {
            fail(r, r->edges[i].at, "the edges form a cycle, here or after it");
        }
    }
    return r->code == CLI_EXIT_OK;
}

/* A layer pays there and back. */
static double seconds_of(const reader *r, double bytes)
{
    return 2.0 * bytes / r->bandwidth;
}

static void put_inputs(const reader *r, cli_buffer *out, uint32_t place)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < r->n_edges; i++) {
        if (r->edges[i].target == place) {
            cli_printf(out, "%s%%layer%.0f", n++ != 0 ? ", " : "", r->edges[i].from);
        }
    }
    cli_puts(out, n == 1u ? "," : "");
}

/* each=: the edges from the layer, in the order of their targets. */
static void put_layer(const reader *r, cli_buffer *out, uint32_t place, const uint32_t *order)
{
    const layer *l = &r->layers[place];
    const char *mark = " each=";
    uint32_t i;
    uint32_t k;
    cli_printf(out,
        "    %%layer%.0f : [num_users=%" PRIu32 "] = call_module[target=layer%.0f](args = (", l->id,
        l->n_users != 0 ? l->n_users : 1u, l->id);
    put_inputs(r, out, place);
    cli_printf(out,
        "), kwargs = {})  # bytes=%.0f compute=%.17g comm=%.17g params=%.0f kept=%.0f fixed=%.0f",
        l->bytes, l->cost[TIME], seconds_of(r, l->bytes), l->cost[PARAMS], l->cost[KEPT],
        l->cost[FIXED]);
    for (k = 0; k < r->n_layers && l->n_users > 1u; k++) {
        for (i = 0; i < r->n_edges; i++) {
            if (r->edges[i].source == place && r->edges[i].target == order[k]) {
                cli_printf(out, "%s%.17g", mark, seconds_of(r, r->edges[i].bytes));
                mark = ",";
            }
        }
    }
    cli_puts(out, " module=piper.Layer\n");
}

static void put_graph(reader *r, cli_buffer *out)
{
    uint32_t *order = (uint32_t *)cli_alloc(r->session, r->n_layers, sizeof *order);
    const char *comma = "";
    uint32_t i;
    if (!find_order(r, order)) {
        return;
    }
    cli_puts(out, "graph():\n");
    for (i = 0; i < r->n_layers; i++) {
        put_layer(r, out, order[i], order);
    }
    cli_puts(out, "    return (");
    for (i = 0; i < r->n_layers; i++) {
        if (r->layers[order[i]].n_users == 0) {
            cli_printf(out, "%slayer%.0f", comma, r->layers[order[i]].id);
            comma = ", ";
        }
    }
    cli_puts(out, ",)\n");
}

static int load(cli_session *s)
{
    reader r;
    cli_buffer graph;
    char *data = NULL;
    size_t size = 0;
    uint32_t i;
    uint32_t k;
    memset(&r, 0, sizeof r);
    r.session = s;
    r.code = cli_file_read(s, s->path, &data, &size);
    if (r.code != CLI_EXIT_OK) {
        return r.code;
    }
    if (size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", s->path);
    }
    r.text.data = data;
    r.text.size = (uint32_t)size;
    read_instance(&r);
    for (i = 0; i < r.n_layers && r.code == CLI_EXIT_OK; i++) {
        for (k = 0; k < i; k++) {
            if (!(r.layers[k].id < r.layers[i].id) && !(r.layers[k].id > r.layers[i].id)) {
                fail(&r, r.layers[i].at, "the id of the layer is given twice");
            }
        }
    }
    join_edges(&r);
    cli_buffer_init(&graph, s);
    if (r.code == CLI_EXIT_OK) {
        put_graph(&r, &graph);
    }
    if (r.code != CLI_EXIT_OK) {
        return r.code;
    }
    s->text = graph.data;
    s->text_size = graph.size;
    return cli_text_take(s);
}

const cli_format cli_piper_format = {
    ".json",
    ".fx",
    load,
    cli_text_part,
    NULL,
    NULL,
    NULL,
    0,
    NULL,
    NULL,
    NULL,
    NULL,
};
