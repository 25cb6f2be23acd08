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
    cli_json_in in;
    double bandwidth;
    layer *layers;
    uint32_t n_layers;
    edge *edges;
    uint32_t n_edges;
} reader;

/* ---- instances ---- */

static void read_costs(reader *r, layer *l)
{
    static const char *const names[] = {
        "timePerSample", "parameterSize", "memoryUsageA", "memoryUsageB"};
    int begun = 0;
    cli_json_expect(&r->in, '{', "expected the costs of a layer");
    while (cli_json_next(&r->in, &begun, '}')) {
        gsp_str const key = cli_json_key(&r->in);
        uint32_t i = 0;
        while (i < COSTS && !cli_json_is(key, names[i])) {
            i++;
        }
        if (i < COSTS) {
            l->cost[i] = cli_json_number(&r->in);
            l->has[i] = 1;
        } else {
            cli_json_skip(&r->in);
        }
    }
}

/* Costs by number of devices, each a list. */
static void read_ways(reader *r, layer *l)
{
    int begun = 0;
    cli_json_expect(&r->in, '{', "expected costs by number of devices");
    while (cli_json_next(&r->in, &begun, '}')) {
        gsp_str const key = cli_json_key(&r->in);
        int more = 0;
        if (!cli_json_is(key, "1")) {
            cli_json_skip(&r->in);
            continue;
        }
        cli_json_expect(&r->in, '[', "expected a list of costs");
        while (cli_json_next(&r->in, &more, ']')) {
            if (l->has[TIME]) {
                cli_json_skip(&r->in);
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
        (layer *)cli_grow(r->in.session, r->layers, ((size_t)r->n_layers + 1u) * sizeof *r->layers);
    l = &r->layers[r->n_layers++];
    memset(l, 0, sizeof *l);
    (void)cli_json_peek(&r->in);
    begin = r->in.at;
    l->at = begin;
    cli_json_expect(&r->in, '{', "expected a layer");
    while (cli_json_next(&r->in, &begun, '}')) {
        gsp_str const key = cli_json_key(&r->in);
        if (cli_json_is(key, "id")) {
            l->id = cli_json_number(&r->in);
            l->has_id = 1;
        } else if (cli_json_is(key, "TMPCs")) {
            read_ways(r, l);
        } else {
            cli_json_skip(&r->in);
        }
    }
    if (!l->has_id || !l->has[TIME] || !l->has[PARAMS] || !l->has[KEPT] || !l->has[FIXED]) {
        cli_json_fail(&r->in, begin,
            "a layer requires id and, for one device in TMPCs, timePerSample, "
            "parameterSize, memoryUsageA and memoryUsageB");
    }
    if (r->n_layers > MOST_LAYERS) {
        cli_json_fail(&r->in, begin, "more than 4096 layers");
    }
}

static void read_edge(reader *r)
{
    static const char *const names[] = {"sourceId", "destId", "communicationCost"};
    double value[3] = {-1.0, -1.0, -1.0};
    edge *e;
    int begun = 0;
    (void)cli_json_peek(&r->in);
    r->edges =
        (edge *)cli_grow(r->in.session, r->edges, ((size_t)r->n_edges + 1u) * sizeof *r->edges);
    e = &r->edges[r->n_edges++];
    e->at = r->in.at;
    cli_json_expect(&r->in, '{', "expected an edge");
    while (cli_json_next(&r->in, &begun, '}')) {
        gsp_str const key = cli_json_key(&r->in);
        uint32_t i = 0;
        while (i < 3u && !cli_json_is(key, names[i])) {
            i++;
        }
        if (i < 3u) {
            value[i] = cli_json_number(&r->in);
        } else {
            cli_json_skip(&r->in);
        }
    }
    if (value[0] < 0.0 || value[1] < 0.0 || value[2] < 0.0) {
        cli_json_fail(&r->in, e->at, "an edge requires sourceId, destId and communicationCost");
    }
    e->from = value[0];
    e->to = value[1];
    e->bytes = value[2];
}

static void read_list(reader *r, void (*item)(reader *))
{
    int begun = 0;
    cli_json_expect(&r->in, '[', "expected a list");
    while (cli_json_next(&r->in, &begun, ']')) {
        item(r);
    }
}

static void read_instance(reader *r)
{
    static const char *const names[] = {
        "maxDevices", "maxMemoryPerDevice", "mbsInBatch", "bandwidth", "nodes", "edges"};
    uint32_t seen = 0;
    int begun = 0;
    cli_json_expect(&r->in, '{', "expected an instance of Piper: an object with nodes and edges");
    while (cli_json_next(&r->in, &begun, '}')) {
        gsp_str const key = cli_json_key(&r->in);
        uint32_t i = 0;
        while (i < CLI_COUNT(names) && !cli_json_is(key, names[i])) {
            i++;
        }
        seen |= (uint32_t)1u << i;
        if (i == 4u) {
            read_list(r, read_layer);
        } else if (i == 5u) {
            read_list(r, read_edge);
        } else if (i == 3u) {
            r->bandwidth = cli_json_number(&r->in);
        } else if (i < 3u) {
            (void)cli_json_number(&r->in);
        } else {
            cli_json_skip(&r->in);
        }
    }
    if (r->in.code == CLI_EXIT_OK && cli_json_peek(&r->in) != '\0') {
        cli_json_fail(&r->in, r->in.at, "expected the end of the file");
    }
    if ((seen & 63u) != 63u || !(r->bandwidth > 0.0) || r->n_layers == 0) {
        cli_json_fail(&r->in, 0,
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
        cli_json_fail(&r->in, at, "the edge has an end that is no layer");
        return 0;
    }
    return i;
}

static void join_edges(reader *r)
{
    uint32_t i;
    for (i = 0; i < r->n_edges && r->in.code == CLI_EXIT_OK; i++) {
        edge *e = &r->edges[i];
        uint32_t k;
        e->source = place_of(r, e->from, e->at);
        e->target = place_of(r, e->to, e->at);
        if (e->source == e->target) {
            cli_json_fail(&r->in, e->at, "the edge leads from a layer to itself");
        }
        for (k = 0; k < i; k++) {
            if (r->edges[k].source == e->source && r->edges[k].target == e->target) {
                cli_json_fail(&r->in, e->at, "the edge is given twice");
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
            cli_json_fail(&r->in, r->edges[i].at, "the edges form a cycle, here or after it");
        }
    }
    return r->in.code == CLI_EXIT_OK;
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
    uint32_t *order = (uint32_t *)cli_alloc(r->in.session, r->n_layers, sizeof *order);
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
    r.in.session = s;
    r.in.path = s->path;
    r.in.code = cli_file_read(s, s->path, &data, &size);
    if (r.in.code != CLI_EXIT_OK) {
        return r.in.code;
    }
    if (size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", s->path);
    }
    r.in.text.data = data;
    r.in.text.size = (uint32_t)size;
    read_instance(&r);
    for (i = 0; i < r.n_layers && r.in.code == CLI_EXIT_OK; i++) {
        for (k = 0; k < i; k++) {
            if (!(r.layers[k].id < r.layers[i].id) && !(r.layers[k].id > r.layers[i].id)) {
                cli_json_fail(&r.in, r.layers[i].at, "the id of the layer is given twice");
            }
        }
    }
    join_edges(&r);
    cli_buffer_init(&graph, s);
    if (r.in.code == CLI_EXIT_OK) {
        put_graph(&r, &graph);
    }
    if (r.in.code != CLI_EXIT_OK) {
        return r.in.code;
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
    NULL,
    NULL,
};
