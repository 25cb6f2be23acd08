/* Blocks that are decided once, against the passes that decide every node: random networks of
 * layers with noise, the same result to the byte. */
#include "tests/t.h"

#define MAX_LAYER  24u
#define MAX_INPUTS 3u
#define MAX_NODES  1024u

/* Where an input of a layer's node comes from. */
typedef enum source {
    SOURCE_OWN,     /* a node before it in its layer */
    SOURCE_BEFORE,  /* any node of the layer before */
    SOURCE_EARLIER, /* a node two layers before */
    SOURCE_SHARED,  /* a node before all layers */
    SOURCE_WEIGHT,  /* a placeholder of its own */
    SOURCE_COUNT
} source;

typedef struct member {
    uint32_t out; /* gsp_out */
    uint32_t attribute;
    uint32_t module; /* 1: it calls a module */
    uint32_t bytes;
    uint32_t kind;
    uint32_t group; /* the member that it stays with, or its own number */
    uint32_t n_inputs;
    uint32_t source[MAX_INPUTS];
    uint32_t place[MAX_INPUTS];
} member;

typedef struct network {
    member layer[MAX_LAYER];
    uint32_t size;
    uint32_t layers;
    uint32_t prologue;
    uint32_t epilogue;
    uint32_t n_kinds;
    uint32_t noise; /* per mille of nodes that are not like their equals */
    uint32_t odd;   /* per cent of modules with other parameters than their equals */
    uint32_t begin; /* where the first layer stands, if nothing was put between */
    int regular;    /* 1: nothing was */
    int given;      /* 1: the repeats are those of a caller */
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    uint8_t kind[MAX_NODES];
    uint32_t group[MAX_NODES];
    uint8_t reason[MAX_NODES];
    gsp_node culprit[MAX_NODES];
    uint32_t n;
} network;

static uint32_t draw_out(t_rng *rng, uint32_t odd)
{
    if (!t_chance(rng, odd)) {
        return GSP_OUT_TENSOR;
    }
    return t_chance(rng, 40) ? GSP_OUT_AGGREGATE : GSP_OUT_OTHER;
}

static void draw_member(t_rng *rng, network *w, uint32_t i, uint32_t odd, uint32_t local)
{
    member *m = &w->layer[i];
    uint32_t k;
    m->out = draw_out(rng, odd);
    m->attribute = (uint32_t)t_chance(rng, 8);
    m->module = (uint32_t)t_chance(rng, 6);
    m->bytes = t_below(rng, 40);
    m->kind = t_chance(rng, 60) ? 1u : t_below(rng, w->n_kinds);
    m->group = i > 0u && t_chance(rng, 4) ? t_below(rng, i) : i;
    m->n_inputs = m->attribute ? 0u : 1u + t_below(rng, MAX_INPUTS);
    for (k = 0; k < m->n_inputs; k++) {
        uint32_t const other = 1u + t_below(rng, SOURCE_COUNT - 1u);
        m->source[k] = i > 0u && t_chance(rng, local) ? SOURCE_OWN : other;
        m->source[k] =
            m->source[k] == SOURCE_EARLIER && t_chance(rng, 60) ? SOURCE_BEFORE : m->source[k];
        m->place[k] = m->source[k] == SOURCE_OWN && i > 0u && t_chance(rng, 70)
                          ? i - 1u - t_below(rng, i < 3u ? i : 3u)
                          : t_below(rng, m->source[k] == SOURCE_OWN ? i : 64u);
    }
}

static gsp_text number(char *buffer, const char *before, uint32_t value)
{
    gsp_text t;
    t.data = buffer;
    t.size = (uint32_t)snprintf(buffer, 32, "%s%u", before, (unsigned)value);
    return t;
}

/* Attributes are given in the order of their keys. */
static void put_bytes(gsp_builder *b, uint32_t bytes, uint32_t params)
{
    char text[32];
    gsp_build_attr(b, gsp_text_of("bytes"), number(text, "", bytes));
    if (params != 0u) {
        gsp_build_attr(b, gsp_text_of("params"), number(text, "", params));
    }
}

static gsp_node add(network *w, gsp_builder *b, gsp_op op, const char *target, uint32_t out,
                    uint32_t kind)
{
    static const char *const types[] = {"f32[4]", "tuple(f32[4], f32[2])", "int"};
    char name[32];
    gsp_node const v = gsp_build_node(b, op, number(name, "n", w->n), gsp_text_of(target));
    gsp_build_type(b, gsp_text_of(types[out]));
    w->kind[v] =
        (uint8_t)(op == GSP_OP_PLACEHOLDER || op == GSP_OP_GET_ATTR ? GSP_KIND_NONE : kind);
    w->group[v] = GSP_NONE;
    w->n++;
    return v;
}

/* A node outside of layers, that reads up to three before it. */
static void add_loose(t_rng *rng, network *w, gsp_builder *b, uint32_t odd)
{
    uint32_t const before = w->n;
    uint32_t k = 1u + t_below(rng, 3);
    (void)add(w, b, GSP_OP_CALL_FUNCTION, t_chance(rng, 50) ? "torch.add" : "torch.mul",
              draw_out(rng, odd), t_below(rng, w->n_kinds));
    while (k-- > 0u) {
        gsp_build_arg_node(b, t_chance(rng, 50) && before > 4u ? before - 1u - t_below(rng, 4)
                                                               : t_below(rng, before));
    }
}

static gsp_node input_of(const network *w, const gsp_node *at, uint32_t layer, uint32_t source_kind,
                         uint32_t place, uint32_t n_weights)
{
    switch (source_kind) {
    case SOURCE_OWN:
        return at[layer] + place;
    case SOURCE_BEFORE:
        return layer == 0u ? (place % 2u != 0u ? place / 2u : w->begin - 1u - place) % w->begin
                           : at[layer - 1u] + place % w->size;
    case SOURCE_EARLIER:
        return layer < 2u ? place % w->begin : at[layer - 2u] + place % w->size;
    case SOURCE_SHARED:
        return place % w->begin;
    default:
        return 1u + (layer * 7u + place) % n_weights;
    }
}

static void add_layer(t_rng *rng, network *w, gsp_builder *b, gsp_node *at, uint32_t layer,
                      uint32_t n_weights)
{
    static const char *const targets[] = {"torch.relu", "torch.add", "torch.mul", "torch.sub",
                                          "torch.exp"};
    uint32_t i;
    uint32_t k;
    if (t_below(rng, 1000) < w->noise) {
        add_loose(rng, w, b, 20);
        w->regular = 0;
    }
    at[layer] = w->n;
    for (i = 0; i < w->size; i++) {
        const member *m = &w->layer[i];
        int const odd = t_below(rng, 1000) < w->noise;
        uint32_t const kind = odd && t_chance(rng, 50) ? t_below(rng, w->n_kinds) : m->kind;
        gsp_op const op = m->attribute ? GSP_OP_GET_ATTR
                                       : (m->module ? GSP_OP_CALL_MODULE : GSP_OP_CALL_FUNCTION);
        gsp_node const v = add(w, b, op, targets[(i + m->out) % 5u], m->out, kind);
        put_bytes(b, m->bytes + (uint32_t)(odd && t_chance(rng, 30)),
                  op == GSP_OP_CALL_MODULE ? 1u + m->bytes / 2u + (uint32_t)t_chance(rng, w->odd)
                                           : 0u);
        if (m->group != i && !m->attribute && !w->layer[m->group].attribute) {
            gsp_node const first = at[layer] + m->group;
            w->group[first] = w->group[first] == GSP_NONE ? first : w->group[first];
            w->group[v] = w->group[first];
        }
        for (k = 0; k < m->n_inputs; k++) {
            gsp_build_arg_node(b, odd && t_chance(rng, 20) ? t_below(rng, v)
                                                           : input_of(w, at, layer, m->source[k],
                                                                      m->place[k], n_weights));
        }
    }
}

static void build(t_rng *rng, network *w)
{
    gsp_counts const counts = gsp_build_counts(1, MAX_NODES, 8u * MAX_NODES, 3u * MAX_NODES,
                                               3u * MAX_NODES, 32u * MAX_NODES);
    uint32_t const n_weights = 1u + t_below(rng, 40);
    uint32_t const odd = t_chance(rng, 40) ? 0u : t_below(rng, 40);
    uint32_t const local = 50u + t_below(rng, 50);
    gsp_node at[40];
    gsp_builder b;
    gsp_error err;
    uint32_t i;
    w->n = 0;
    w->n_kinds = t_chance(rng, 70) ? 2u : 3u + t_below(rng, 2);
    w->size = 1u + t_below(rng, t_chance(rng, 60) ? 8u : MAX_LAYER - 1u);
    w->layers = 2u + t_below(rng, 22);
    w->noise = t_chance(rng, 50) ? 0u : t_below(rng, 12);
    w->regular = 1;
    w->odd = t_chance(rng, 90) ? 0u : 20u;
    for (i = 0; i < w->size; i++) {
        draw_member(rng, w, i, odd, local);
    }
    w->layer[w->size - 1u].attribute = 0;
    T_EQUAL(gsp_build_init(&b, &w->arena, &counts, &err), GSP_OK);
    gsp_build_graph(&b, gsp_text_of("main"));
    for (i = 0; i <= n_weights; i++) {
        (void)add(w, &b, GSP_OP_PLACEHOLDER, "x", GSP_OUT_TENSOR, 0);
        put_bytes(&b, t_below(rng, 30), 0u);
    }
    for (i = t_below(rng, t_chance(rng, 30) ? 48u : 6u); i > 0u; i--) {
        add_loose(rng, w, &b, odd / 2u);
    }
    w->begin = w->n;
    for (i = 0; i < w->layers; i++) {
        add_layer(rng, w, &b, at, i, n_weights);
    }
    for (i = t_below(rng, 6); i > 0u; i--) {
        add_loose(rng, w, &b, odd / 2u);
    }
    (void)gsp_build_output(&b);
    gsp_build_open(&b, GSP_ARG_TUPLE);
    gsp_build_arg_node(&b, w->n - 1u);
    for (i = t_below(rng, 3); i > 0u; i--) {
        gsp_build_arg_node(&b, t_below(rng, w->n));
    }
    gsp_build_close(&b);
    w->kind[w->n] = (uint8_t)GSP_KIND_NONE;
    w->group[w->n] = GSP_NONE;
    T_EQUAL(gsp_build_finish(&b, &w->module, &err), GSP_OK);
    w->graph = gsp_module_graph(&w->module, 0);
}

/* ---- split ---- */

static int refuses_odd(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph)
{
    (void)user;
    (void)graph;
    return subgraph->n_nodes % 3u != 1u;
}

static int same_rows(const void *a, const void *b, size_t count, size_t size)
{
    return memcmp(a, b, count * size) == 0;
}

static int same_split(const gsp_split_result *a, const gsp_split_result *b)
{
    uint32_t const n = a->n_nodes;
    uint32_t const k = a->n_subgraphs;
    return b->n_nodes == n && a->n_groups == b->n_groups && a->n_raw == b->n_raw &&
           b->n_subgraphs == k && same_rows(a->kind, b->kind, n, 1) &&
           same_rows(a->reason, b->reason, n, 1) &&
           same_rows(a->culprit, b->culprit, n, sizeof(gsp_node)) &&
           same_rows(a->group, b->group, n, sizeof(uint32_t)) &&
           same_rows(a->raw_of, b->raw_of, n, sizeof(uint32_t)) &&
           same_rows(a->raw_kind, b->raw_kind, a->n_raw, 1) &&
           same_rows(a->subgraph_of, b->subgraph_of, n, sizeof(uint32_t)) &&
           same_rows(a->subgraph_kind, b->subgraph_kind, k, 1) &&
           same_rows(a->subgraph_begin, b->subgraph_begin, (size_t)k + 1u, sizeof(uint32_t)) &&
           same_rows(a->nodes, b->nodes, a->subgraph_begin[k], sizeof(gsp_node));
}

/* How much was copied in all graphs: a test in which nothing ever is would prove nothing. */
typedef struct tally {
    uint64_t graphs;
    uint64_t with;   /* with blocks that were copied */
    uint64_t copied; /* nodes */
    uint64_t nodes;
    uint64_t refused; /* blocks of a caller that are not equal */
    uint64_t why[GSP_ONCE_COUNT];
} tally;

static void count(tally *t, const gsp_repeats *repeats, const gsp_once *once)
{
    uint64_t copied = 0;
    uint32_t i;
    for (i = 0; i < repeats->n_repeats; i++) {
        T_CHECK(once[i].copied < repeats->repeats[i].count);
        T_CHECK((once[i].copied > 0u) == (once[i].why == (uint32_t)GSP_ONCE_COPIED));
        copied += (uint64_t)once[i].copied * repeats->repeats[i].size;
        t->why[once[i].why]++;
    }
    t->with += copied > 0u ? 1u : 0u;
    t->copied += copied;
}

/* What a caller may say about the placement beyond kinds and groups; now and then a kind that there
 * is none of. */
static void draw_placement(t_rng *rng, network *w, gsp_placement *p)
{
    uint32_t const zero = t_below(rng, 3); /* of what is not callable: kind 0, none, or either */
    uint32_t v;
    for (v = 0; v < w->graph.n_nodes; v++) {
        w->reason[v] = (uint8_t)t_below(rng, GSP_REASON_COUNT);
        w->culprit[v] = t_chance(rng, 50) ? GSP_NONE : t_below(rng, w->graph.n_nodes);
        if (!gsp_node_is_callable(&w->graph, v)) {
            w->kind[v] =
                (uint8_t)(zero == 0u || (zero == 1u && t_chance(rng, 1)) ? 0u : GSP_KIND_NONE);
        }
    }
    p->n_nodes = w->graph.n_nodes;
    p->n_kinds = w->n_kinds;
    p->kind = w->kind;
    p->group = t_chance(rng, 60) ? w->group : NULL;
    p->reason = t_chance(rng, 20) ? w->reason : NULL;
    p->culprit = t_chance(rng, 20) ? w->culprit : NULL;
    p->trusted = (uint32_t)t_chance(rng, 30);
    if (!p->trusted && t_chance(rng, 2)) {
        w->kind[t_below(rng, w->graph.n_nodes)] = (uint8_t)w->n_kinds;
    }
}

static void split_both(t_rng *rng, network *w, const gsp_repeats *repeats, tally *t)
{
    gsp_split_desc d = {0};
    gsp_placement p = {0};
    gsp_split_result flat;
    gsp_split_result once;
    gsp_error err;
    gsp_status status;
    gsp_status now;
    gsp_node node;
    draw_placement(rng, w, &p);
    d.placement = &p;
    d.min_size = t_below(rng, 6);
    d.waive_min_size = (uint32_t)t_chance(rng, 20);
    d.limit = t_chance(rng, 20) ? 1u + t_below(rng, 8) : 0u;
    d.limit_policy = t_chance(rng, 80) ? GSP_LIMIT_DEMOTE : GSP_LIMIT_ERROR;
    d.skip_fusion = (uint32_t)t_chance(rng, 20);
    d.allow_non_tensor = (uint32_t)t_chance(rng, 25);
    d.move_non_tensor = (uint32_t)t_chance(rng, 20);
    d.accept = t_chance(rng, 20) ? refuses_odd : NULL;
    status = gsp_split_run(&w->arena, &w->graph, &d, &flat, &err);
    d.repeats = repeats;
    node = err.node;
    now = gsp_split_run(&w->arena, &w->graph, &d, &once, &err);
    if (now == GSP_STATUS_ARG && status != now && !repeats->trusted) {
        /* a weight happened to be a shared input */
        T_EQUAL(err.detail, GSP_DETAIL_REPEAT);
        T_CHECK(w->given);
        t->refused++;
        return;
    }
    T_EQUAL(now, status);
    T_EQUAL(err.node, node);
    if (status == GSP_OK) {
        T_CHECK(flat.once == NULL && same_split(&flat, &once));
        count(t, repeats, once.once);
    }
}

/* ---- partition ---- */

#define MAX_DEVICES 6u

/* Devices that hold the whole graph between them, or nearly so; some hold a layer or two. */
static void draw_devices(t_rng *rng, const network *w, gsp_device *devices, gsp_partition_desc *d)
{
    uint64_t total = 1u;
    uint32_t v;
    uint32_t i;
    for (v = 0; v < w->graph.n_nodes; v++) {
        total += gsp_node_bytes(&w->graph, v) + gsp_node_params(&w->graph, v);
    }
    d->n_devices = 1u + t_below(rng, MAX_DEVICES);
    for (i = 0; i < d->n_devices; i++) {
        uint64_t const part =
            1u + total * (uint64_t)(60u + t_below(rng, 200)) / 100u / d->n_devices;
        devices[i].name = gsp_text_of("d");
        devices[i].id = i;
        devices[i].bytes = t_chance(rng, 15) ? 20u + t_below(rng, 400) : part;
    }
    d->devices = devices;
}

static int same_error(const gsp_error *a, const gsp_error *b)
{
    return a->status == b->status && a->detail == b->detail && a->node == b->node &&
           a->other == b->other && a->need == b->need && a->limit == b->limit;
}

/* All of a partitioning: the mode says what became of the blocks, or why it looks at none. */
static void partition_whole(network *w, gsp_partition_desc *d, const gsp_repeats *repeats,
                            const gsp_assignment *flat, gsp_status status)
{
    gsp_partition_result r;
    gsp_error err;
    uint32_t i;
    d->max_work = 40;
    for (i = 0; i < (uint32_t)GSP_PARTITION_AOT; i++) {
        d->mode = i;
        if (gsp_partition_run(&w->arena, &w->graph, d, &r, &err) == GSP_OK) {
            int const bytes = i == (uint32_t)GSP_PARTITION_SIZE;
            T_CHECK((r.once != NULL) && (repeats->n_repeats == 0u || r.single == 0u ||
                                         r.once[0].why == (uint32_t)GSP_ONCE_SINGLE));
            T_CHECK(repeats->n_repeats == 0u || r.single != 0u || bytes ||
                    r.once[0].why == (uint32_t)GSP_ONCE_WHOLE);
            T_CHECK(!bytes || r.single != 0u ||
                    (status == GSP_OK && r.n_parts == flat->n_parts &&
                     same_rows(r.part_of, flat->part_of, r.n_nodes, sizeof(uint32_t))));
        }
    }
}

static void size_both(t_rng *rng, network *w, const gsp_repeats *repeats, tally *t)
{
    gsp_device devices[MAX_DEVICES];
    gsp_partition_desc d = {0};
    gsp_assignment flat = {0};
    gsp_assignment once = {0};
    gsp_error err;
    gsp_error now;
    draw_devices(rng, w, devices, &d);
    (void)gsp_size_run(&w->arena, &w->graph, &d, &flat, &err);
    d.repeats = repeats;
    (void)gsp_size_run(&w->arena, &w->graph, &d, &once, &now);
    if (now.detail == GSP_DETAIL_REPEAT && !repeats->trusted) {
        T_CHECK(w->given);
        t->refused++;
        return;
    }
    T_CHECK(same_error(&err, &now));
    if (err.status == GSP_OK) {
        T_EQUAL(once.n_parts, flat.n_parts);
        T_CHECK(flat.once == NULL &&
                same_rows(flat.part_of, once.part_of, w->graph.n_nodes, sizeof(uint32_t)) &&
                same_rows(flat.device_of, once.device_of, flat.n_parts, sizeof(uint32_t)));
        count(t, repeats, once.once);
    }
    if (t_chance(rng, 2)) {
        partition_whole(w, &d, repeats, &flat, err.status);
    }
}

typedef void (*both_func)(t_rng *rng, network *w, const gsp_repeats *repeats, tally *t);

static void try_network(t_rng *rng, network *w, both_func both, tally *t)
{
    gsp_mark mark = gsp_arena_mark(&w->arena);
    gsp_repeats repeats;
    gsp_repeat layers;
    gsp_error err;
    build(rng, w);
    t->graphs++;
    t->nodes += w->graph.n_nodes;
    T_EQUAL(gsp_repeats_run(&w->arena, &w->graph, NULL, &repeats, &err), GSP_OK);
    repeats.trusted = (uint32_t)t_chance(rng, 70); /* what was found bears to be looked at again */
    w->given = t_chance(rng, 30);
    if (w->given) { /* layers that the caller knows of */
        layers.begin = w->begin;
        layers.size = w->size;
        layers.count = w->layers;
        repeats.repeats = &layers;
        repeats.n_repeats = 1;
        repeats.trusted = 0;
        if (w->noise != 0u || !w->regular || w->layers < 2u) {
            gsp_arena_rewind(&w->arena, mark);
            return;
        }
        layers.begin += 2u * w->size; /* the first layers read what is before them */
        layers.count -= w->layers > 4u ? 2u : 0u;
        if (layers.count + 2u != w->layers) {
            gsp_arena_rewind(&w->arena, mark);
            return;
        }
    }
    both(rng, w, &repeats, t);
    gsp_arena_rewind(&w->arena, mark);
}

static void try_networks(both_func both, uint64_t seed)
{
    network *w = (network *)t_alloc(sizeof(*w));
    uint32_t const n = t_fast ? 1500u : 20000u;
    t_rng rng;
    tally t;
    uint32_t i;
    memset(&t, 0, sizeof(t));
    rng.state = t_seed ^ seed;
    t_arena_open(&w->arena, (size_t)8 << 20);
    for (i = 0; i < n && !t_failed(); i++) {
        try_network(&rng, w, both, &t);
        if (t_failed()) {
            printf("    network %u\n", (unsigned)i);
        }
    }
    printf("    %u networks, %u with copies, %.0f %% of their nodes; not copied:",
           (unsigned)t.graphs, (unsigned)t.with, 100.0 * (double)t.copied / (double)t.nodes);
    for (i = 1; i < GSP_ONCE_COUNT; i++) {
        printf(" %s %u", gsp_once_name((gsp_once_why)i), (unsigned)t.why[i]);
    }
    printf("; %u refused\n", (unsigned)t.refused);
    T_CHECK(t.with * 5u > t.graphs);
    t_arena_close(&w->arena);
    free(w);
}

static void test_split(void)
{
    try_networks(split_both, 0x0ACEu);
}

static void test_partition(void)
{
    try_networks(size_both, 0x0B17u);
}

/* ---- what is said ---- */

/* Ten layers: a size that its own layer reads, or with `across` the next; layer 5 is pinned to the
 * CPU with `odd`. */
static t_string layers_text(uint32_t n, int across, int odd)
{
    t_string s = {0};
    uint32_t i;
    t_puts(&s,
           "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[4]\n"
           "    %s0 : [num_users=1] = call_function[target=g](args = (%x,), kwargs = {})  # int "
           "acc=1\n"
           "    %h0 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # "
           "f32[4] acc=1\n");
    for (i = 1; i <= n; i++) {
        char line[512];
        (void)snprintf(line, sizeof(line),
                       "    %%a%u : [num_users=1] = call_function[target=a](args = (%%h%u,), "
                       "kwargs = {})  # f32[4] "
                       "acc=%u\n"
                       "    %%s%u : [num_users=1] = call_function[target=g](args = (%%a%u,), "
                       "kwargs = {})  # int "
                       "acc=1\n"
                       "    %%h%u : [num_users=1] = call_function[target=h](args = (%%a%u, %%s%u), "
                       "kwargs = {})  # "
                       "f32[4] acc=1\n",
                       (unsigned)i, (unsigned)(i - 1u), odd && i == 3u ? 0u : 1u, (unsigned)i,
                       (unsigned)i, (unsigned)i, (unsigned)i, (unsigned)(across ? i - 1u : i));
        t_puts(&s, line);
    }
    t_puts(&s, "    return h");
    t_number(&s, n);
    t_puts(&s, "\n");
    return s;
}

/* A text as a graph of which every node has its place. */
typedef struct placed {
    gsp_arena text;
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_placement p;
} placed;

static void open_placed(t_string *s, placed *w)
{
    gsp_error err;
    T_EQUAL(t_read(&w->text, s->data, s->size, &w->m, &err), GSP_OK);
    t_free(s);
    w->g = gsp_module_graph(&w->m, 0);
    t_arena_open(&w->arena, (size_t)1 << 20);
    T_EQUAL(gsp_support_run(&w->arena, &w->g, NULL, &w->p, &err), GSP_OK);
}

static void close_placed(placed *w)
{
    t_arena_close(&w->arena);
    t_arena_close(&w->text);
}

static gsp_once said(uint32_t n, int across, int odd, uint32_t blocks)
{
    t_string s = layers_text(n, across, odd);
    gsp_once once = {0u, GSP_ONCE_COUNT, 0u};
    gsp_split_desc d = {0};
    gsp_repeats r = {0};
    gsp_repeat repeat;
    placed w;
    gsp_split_result result;
    gsp_error err;
    open_placed(&s, &w);
    repeat.begin = 3;
    repeat.size = 3;
    repeat.count = blocks;
    r.n_nodes = w.g.n_nodes;
    r.n_repeats = 1;
    r.repeats = &repeat;
    d.placement = &w.p;
    d.repeats = &r;
    T_EQUAL(gsp_split_run(&w.arena, &w.g, &d, &result, &err), GSP_OK);
    once = result.once[0];
    close_placed(&w);
    return once;
}

static void test_reports(void)
{
    gsp_once once = said(12, 0, 0, 12);
    T_EQUAL(once.why, GSP_ONCE_COPIED);
    T_EQUAL(once.copied, 8); /* of what one reads of another, nothing is older than a block */
    once = said(12, 0, 0, 3);
    T_EQUAL(once.why, GSP_ONCE_FEW);
    once = said(6, 0, 1, 6);
    T_EQUAL(once.why, GSP_ONCE_LABELS);
    T_EQUAL(once.node, 6); /* the last of the second block whose equal is pinned */
    once = said(12, 1, 0, 12);
    T_EQUAL(once.why, GSP_ONCE_CROSSES);
    T_STRING(gsp_once_name(GSP_ONCE_SETTLES), "SETTLES");
    T_STRING(gsp_once_name(GSP_ONCE_COUNT), "?");
    T_STRING(gsp_once_text(GSP_ONCE_COUNT), "");
}

static void test_refuses(void)
{
    static const gsp_repeat wrong[] = {{3, 3, 1},          {3, 0, 4}, {3, 3, 13},
                                       {3, UINT32_MAX, 2}, {4, 2, 4}, {3, 3, UINT32_MAX}};
    t_string s = layers_text(12, 0, 0);
    gsp_split_desc d = {0};
    gsp_repeats_desc find = {0};
    gsp_repeats r = {0};
    placed w;
    gsp_split_result result;
    gsp_mark mark;
    gsp_error err;
    uint32_t i;
    open_placed(&s, &w);
    mark = gsp_arena_mark(&w.arena);
    r.n_nodes = w.g.n_nodes;
    r.n_repeats = 1;
    d.placement = &w.p;
    d.repeats = &r;
    for (i = 0; i < T_COUNT_OF(wrong); i++) {
        r.repeats = &wrong[i];
        T_EQUAL(gsp_split_run(&w.arena, &w.g, &d, &result, &err), GSP_STATUS_ARG);
        T_EQUAL(err.detail, GSP_DETAIL_REPEAT);
        T_EQUAL(err.node, wrong[i].begin);
        T_CHECK(w.arena.low == mark.low && w.arena.high == mark.high);
    }
    r.n_nodes--;
    T_EQUAL(gsp_split_run(&w.arena, &w.g, &d, &result, &err), GSP_STATUS_ARG);
    find.end_canary = 1;
    T_EQUAL(gsp_repeats_run(&w.arena, &w.g, &find, &r, &err), GSP_STATUS_DESC);
    find.end_canary = 0;
    T_EQUAL(gsp_repeats_run(&w.arena, &w.g, &find, &r, &err), GSP_OK);
    T_EQUAL(r.n_repeats, 1);
    T_CHECK(r.repeats[0].size == 3u && r.repeats[0].count >= 11u);
    find.least_blocks = 100;
    T_EQUAL(gsp_repeats_run(&w.arena, &w.g, &find, &r, &err), GSP_OK);
    T_EQUAL(r.n_repeats, 0);
    T_EQUAL(gsp_repeats_run(&w.arena, &w.g, NULL, NULL, &err), GSP_STATUS_ARG);
    close_placed(&w);
}

/* Layers gain two phases each on a value that was far ahead at first: what reads both follows it
 * for twenty layers. */
static void test_overtakes(void)
{
    t_string s = {0};
    char line[512];
    gsp_split_desc d = {0};
    gsp_repeats r;
    placed w;
    gsp_split_result flat;
    gsp_split_result once;
    gsp_error err;
    uint32_t i;
    t_puts(&s, "graph():\n    %q0 : [num_users=1] = placeholder[target=x]  # f32[4]\n"
               "    %h0 : [num_users=1] = placeholder[target=y]  # f32[4]\n");
    for (i = 1; i <= 40u; i++) {
        (void)snprintf(
            line, sizeof(line),
            "    %%q%u : [num_users=1] = call_function[target=q](args = (%%q%u,), kwargs "
            "= {})  # f32[4] acc=%u\n",
            (unsigned)i, (unsigned)(i - 1u), (unsigned)(i % 2u));
        t_puts(&s, line);
    }
    for (i = 1; i <= 60u; i++) {
        (void)snprintf(
            line, sizeof(line),
            "    %%a%u : [num_users=1] = call_function[target=a](args = (%%h%u,), kwargs "
            "= {})  # f32[4] acc=1\n"
            "    %%h%u : [num_users=1] = call_function[target=h](args = (%%a%u,), kwargs "
            "= {})  # f32[4] acc=0\n"
            "    %%v%u : [num_users=1] = call_function[target=v](args = (%%q40, %%h%u), "
            "kwargs = {})  # f32[4] acc=1\n",
            (unsigned)i, (unsigned)(i - 1u), (unsigned)i, (unsigned)i, (unsigned)i, (unsigned)i);
        t_puts(&s, line);
    }
    t_puts(&s, "    return v60\n");
    open_placed(&s, &w);
    T_EQUAL(gsp_repeats_run(&w.arena, &w.g, NULL, &r, &err), GSP_OK);
    d.placement = &w.p;
    T_EQUAL(gsp_split_run(&w.arena, &w.g, &d, &flat, &err), GSP_OK);
    d.repeats = &r;
    T_EQUAL(gsp_split_run(&w.arena, &w.g, &d, &once, &err), GSP_OK);
    T_CHECK(same_split(&flat, &once));
    T_CHECK(r.n_repeats > 0u && once.once[r.n_repeats - 1u].copied > 20u);
    close_placed(&w);
}

/* Exact bounds where there are repeats: as many bytes suffice at every address, one less is too
 * few. */
static void try_bound(const gsp_graph *graph, size_t bound, const gsp_split_desc *split,
                      const gsp_partition_desc *partition)
{
    unsigned char *memory = (unsigned char *)t_alloc(bound + 32u);
    gsp_split_result r;
    gsp_partition_result made;
    gsp_assignment by_size;
    gsp_error err;
    uint32_t k;
    for (k = 0; k < 33u; k++) {
        gsp_arena arena;
        size_t const size = bound - (k == 32u ? 1u : 0u);
        gsp_arena_init(&arena, memory + k % 32u, size);
        if (split != NULL) {
            (void)gsp_split_run(&arena, graph, split, &r, &err);
        } else if (partition->mode == (uint32_t)GSP_PARTITION_COUNT) {
            (void)gsp_size_run(&arena, graph, partition, &by_size, &err);
        } else {
            (void)gsp_partition_run(&arena, graph, partition, &made, &err);
        }
        T_CHECK((err.status == GSP_STATUS_NOMEM) == (k == 32u));
        T_CHECK(k < 32u || err.need == bound);
    }
    free(memory);
}

static void test_bounds(void)
{
    t_string s = layers_text(12, 0, 0);
    gsp_device devices[3];
    gsp_partition_desc d = {0};
    gsp_split_desc split = {0};
    gsp_repeats r;
    placed w;
    gsp_error err;
    uint32_t i;
    open_placed(&s, &w);
    T_EQUAL(gsp_repeats_run(&w.arena, &w.g, NULL, &r, &err), GSP_OK);
    for (i = 0; i < 3u; i++) {
        devices[i].name = gsp_text_of("d");
        devices[i].bytes = 700;
        devices[i].id = i;
    }
    split.placement = &w.p;
    split.repeats = &r;
    try_bound(&w.g, gsp_split_bound(&w.m.counts, &split), &split, NULL);
    d.devices = devices;
    d.n_devices = 3;
    d.repeats = &r;
    d.mode = GSP_PARTITION_COUNT;
    try_bound(&w.g, gsp_size_bound(&w.m.counts, &d), NULL, &d);
    for (i = 0; i < (uint32_t)GSP_PARTITION_AOT; i++) {
        d.mode = i;
        try_bound(&w.g, gsp_partition_bound(&w.m.counts, &d), NULL, &d);
    }
    close_placed(&w);
}

void suite_oracle_once(void)
{
    t_run("bounds", test_bounds);
    t_run("overtakes", test_overtakes);
    t_run("reports", test_reports);
    t_run("refuses", test_refuses);
    t_run("split", test_split);
    t_run("partition", test_partition);
}
