/* Units of random graphs beside units by the words: a matrix of what comes before what, its
 * closure, units that join one by one, weights by loops over all; and the best stages of both. */
#include "examples/extra/graphsplit_downsets.h"
#include "tests/t.h"

#define CALLS 7u
#define NODES 9u /* an input and the output, too */
#define ITEMS 3u

typedef struct instance {
    gsp_arena text;
    gsp_module module;
    gsp_graph graph;
    int reads[NODES][NODES]; /* one reads the other */
    int writes[NODES];
    gsp_downsets_desc stages;
    gsp_downsets_graph_desc d;
    gsp_downsets_weight nodes[NODES];
    gsp_downsets_weight outputs[NODES];
    gsp_downsets_weight items[ITEMS];
    int has[NODES][ITEMS];
    uint32_t begin[NODES + 1u];
    uint32_t at[NODES * ITEMS];
    uint32_t move_begin[NODES + 1u];
    uint64_t moves[NODES * NODES];
    uint32_t group[NODES];
    uint8_t skip[NODES];
    uint8_t backward[NODES];
} instance;

/* What the words say of it. */
typedef struct said {
    int in[NODES]; /* in a unit */
    int back[NODES];
    int before[NODES][NODES]; /* nodes of two units */
    int same[NODES][NODES];   /* of one unit */
} said;

static instance c;
static said o;
static unsigned char memory[1u << 21u];

/* ---- random graphs ---- */

static void write_call(t_rng *rng, t_string *text, uint32_t v)
{
    t_puts(text, "    %n");
    t_number(text, v);
    t_puts(text, " : [num_users=1] = call_function[target=f](args = (");
    for (uint32_t u = 0; u < v; u++) {
        c.reads[v][u] = t_chance(rng, 30u);
        if (c.reads[v][u]) {
            t_puts(text, "%n");
            t_number(text, u);
            t_puts(text, ", ");
        }
    }
    c.writes[v] = t_chance(rng, 3u);
    t_puts(text, "1), kwargs = {})  # f32[4]");
    t_puts(text, !c.writes[v] ? "\n" : t_chance(rng, 50u) ? " barrier=1\n" : " mutates=0\n");
}

static void random_graph(t_rng *rng)
{
    uint32_t const n = t_below(rng, CALLS + 1u);
    t_string text = {NULL, 0u, 0u};
    memset(&c, 0, sizeof c);
    t_puts(&text, "graph():\n    %n0 : [num_users=1] = placeholder[target=x]  # f32[4]\n");
    for (uint32_t v = 1; v <= n; v++) {
        write_call(rng, &text, v);
    }
    t_puts(&text, "    return n");
    t_number(&text, n);
    t_puts(&text, "\n");
    c.reads[n + 1u][n] = 1;
    if (t_must_read(&c.text, text.data, &c.module)) {
        c.graph = gsp_module_graph(&c.module, 0);
    }
    t_free(&text);
}

static void random_weight(t_rng *rng, gsp_downsets_weight *w, int is_node)
{
    w->bytes = t_below(rng, 8u);
    w->sync = t_chance(rng, 30u) ? t_below(rng, 5u) : 0u;
    w->stash = t_below(rng, 4u);
    if (is_node) {
        w->time = t_chance(rng, 50u) ? t_below(rng, 20u) : 0u;
        w->host = t_chance(rng, 40u) ? t_below(rng, 30u) : 0u;
        w->no_device = (uint32_t)t_chance(rng, 5u);
        w->no_host = (uint32_t)t_chance(rng, 20u);
    }
}

static void random_rows(t_rng *rng)
{
    uint32_t n_reads = 0;
    uint32_t n_moves = 0;
    for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
        uint32_t n_users;
        (void)gsp_node_users(&c.graph, v, &n_users);
        for (uint32_t i = 0; i < c.d.n_items; i++) {
            c.has[v][i] = t_chance(rng, 25u);
            c.at[n_reads] = i;
            n_reads += (uint32_t)c.has[v][i];
        }
        for (uint32_t i = t_chance(rng, 70u) ? n_users : 0u; i < n_users; i++) {
            c.moves[n_moves++] = t_below(rng, 9u);
        }
        c.begin[v + 1u] = n_reads;
        c.move_begin[v + 1u] = n_moves;
    }
}

static void random_desc(t_rng *rng)
{
    gsp_downsets_desc *s = &c.stages;
    c.d.n_items = t_below(rng, ITEMS + 1u);
    for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
        random_weight(rng, &c.nodes[v], 1);
        random_weight(rng, &c.outputs[v], 0);
        c.outputs[v].move = t_below(rng, 6u);
        c.group[v] = t_chance(rng, 20u) && c.graph.n_nodes > 2u ? t_below(rng, 2u) : GSP_NONE;
        c.skip[v] = (uint8_t)t_chance(rng, 8u);
        c.backward[v] = (uint8_t)t_chance(rng, 20u);
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        random_weight(rng, &c.items[i], 0);
    }
    random_rows(rng);
    c.d.nodes = c.nodes;
    c.d.outputs = c.outputs;
    c.d.items = c.items;
    c.d.reads.begin = c.begin;
    c.d.reads.at = c.at;
    c.d.move_begin = t_chance(rng, 30u) ? c.move_begin : NULL;
    c.d.moves = c.moves;
    c.d.group = t_chance(rng, 40u) ? c.group : NULL;
    c.d.skip = t_chance(rng, 40u) ? c.skip : NULL;
    c.d.backward = t_chance(rng, 30u) ? c.backward : NULL;
    c.d.stages = &c.stages;
    s->n_devices = 1u + t_below(rng, 3u);
    s->n_cores = t_chance(rng, 30u) ? 1u : 0u;
    s->exact = (uint32_t)t_chance(rng, 10u);
    s->replicas = (uint32_t)t_chance(rng, 30u);
    s->by_bytes = (uint32_t)t_chance(rng, 10u);
    s->carried = (uint32_t)t_chance(rng, 20u);
    s->microbatches = t_below(rng, 4u);
    s->copies = t_below(rng, 3u);
    s->memory = t_chance(rng, 30u) ? 1u + t_below(rng, 200u) : 0u;
    s->first_time = t_chance(rng, 80u) ? 0u : t_below(rng, 3u);
    s->last_time = t_chance(rng, 80u) ? 0u : t_below(rng, 3u);
}

/* ---- units by the words ---- */

/* Whether the group of a node, or the node, has a forward call. */
static int has_forward(gsp_node v)
{
    int found = 0;
    for (gsp_node u = 0; u < c.graph.n_nodes; u++) {
        found |= o.same[v][u] && !o.back[u];
    }
    return found;
}

static void say_units(void)
{
    uint32_t const n = c.graph.n_nodes;
    memset(&o, 0, sizeof o);
    for (gsp_node v = 0; v < n; v++) {
        o.in[v] = v != 0u && v + 1u < n && !(c.d.skip != NULL && c.skip[v] != 0u);
        o.back[v] = c.d.backward != NULL && o.in[v] && c.backward[v] != 0u;
        for (gsp_node u = 0; u < v; u++) {
            o.back[v] |= c.reads[v][u] && o.back[u];
        }
    }
    for (gsp_node v = 0; v < n; v++) {
        for (gsp_node u = 0; u < n && o.in[v]; u++) {
            o.same[v][u] = u == v || (c.d.group != NULL && o.in[u] && c.group[v] != GSP_NONE &&
                                         c.group[v] == c.group[u]);
        }
    }
}

static int any_writes(void)
{
    int found = 0;
    for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
        found |= o.in[v] && c.writes[v];
    }
    return found;
}

static void say_order(void)
{
    int before[NODES][NODES] = {{0}};
    for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
        for (gsp_node u = 0; u < v; u++) {
            if (!o.in[u] || !o.in[v] || o.same[u][v]) {
                continue;
            }
            before[u][v] = !o.back[v] && (c.reads[v][u] || (any_writes() && !o.back[u]));
            before[v][u] =
                c.reads[v][u] && o.back[v] && o.back[u] && (!has_forward(u) || !has_forward(v));
        }
    }
    memcpy(o.before, before, sizeof before);
}

/* What depends on each other is one unit. */
static void close_circles(void)
{
    uint32_t const n = c.graph.n_nodes;
    int reach[NODES][NODES];
    for (gsp_node v = 0; v < n; v++) {
        for (gsp_node u = 0; u < n; u++) {
            reach[v][u] = o.same[v][u] || o.before[v][u];
        }
    }
    for (gsp_node k = 0; k < n; k++) {
        for (gsp_node v = 0; v < n; v++) {
            for (gsp_node u = 0; u < n; u++) {
                reach[v][u] |= reach[v][k] && reach[k][u];
            }
        }
    }
    for (gsp_node v = 0; v < n; v++) {
        for (gsp_node u = 0; u < n; u++) {
            o.same[v][u] = reach[v][u] && reach[u][v];
        }
    }
}

static int is_busy(gsp_node v)
{
    const gsp_downsets_desc *s = &c.stages;
    int busy = c.nodes[v].time != 0u || c.nodes[v].no_device != 0u;
    busy |= s->n_cores != 0u && (c.nodes[v].host != 0u || c.nodes[v].no_host != 0u);
    busy |= s->replicas != 0u && (c.nodes[v].sync != 0u || c.outputs[v].sync != 0u);
    for (uint32_t i = 0; i < c.d.n_items; i++) {
        busy |=
            c.has[v][i] && s->replicas != 0u && (c.items[i].sync != 0u || c.items[i].bytes != 0u);
    }
    return busy;
}

/* A node of the only neighbour of the unit of v; GSP_NONE if it has none or several, or is busy. */
static gsp_node only_neighbour(gsp_node v)
{
    gsp_node found = GSP_NONE;
    for (gsp_node a = 0; a < c.graph.n_nodes; a++) {
        if (o.same[v][a] && is_busy(a)) {
            return GSP_NONE;
        }
        for (gsp_node b = 0; b < c.graph.n_nodes; b++) {
            if (!o.in[b] || !o.same[v][a] || o.same[v][b] || !(c.reads[a][b] || c.reads[b][a])) {
                continue;
            }
            if (found != GSP_NONE && !o.same[found][b]) {
                return GSP_NONE;
            }
            found = b;
        }
    }
    return found;
}

static int all_fit(void)
{
    uint64_t const copies = c.stages.copies != 0u ? c.stages.copies : 1u;
    uint64_t sum = 0;
    for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
        sum += (c.nodes[v].bytes + c.outputs[v].bytes) * copies;
        sum += (c.nodes[v].stash + c.outputs[v].stash) * c.stages.microbatches;
    }
    for (uint32_t i = 0; i < c.d.n_items; i++) {
        sum += c.items[i].bytes * copies + c.items[i].stash * c.stages.microbatches;
    }
    return (c.stages.memory == 0u || sum <= c.stages.memory) && c.stages.first_time == 0u &&
           c.stages.last_time == 0u;
}

static void join_all(void)
{
    uint32_t const n = c.graph.n_nodes;
    for (gsp_node v = 0; v < n; v++) {
        gsp_node const to = o.in[v] ? only_neighbour(v) : GSP_NONE;
        if (to == GSP_NONE) {
            continue;
        }
        o.before[v][to] = o.before[to][v] = 1; /* which closes to one unit */
        close_circles();
        o.before[v][to] = o.before[to][v] = 0;
        v = GSP_NONE; /* again from the first */
    }
    say_order();
}

/* ---- what units take ---- */

static void add(gsp_downsets_weight *to, const gsp_downsets_weight *takes)
{
    to->time += takes->time;
    to->host += takes->host;
    to->bytes += takes->bytes;
    to->sync += takes->sync;
    to->stash += takes->stash;
    to->no_device |= takes->no_device;
    to->no_host |= takes->no_host;
}

typedef struct weighed {
    gsp_downsets_weight own[NODES]; /* by unit of the result */
    gsp_downsets_weight shared[NODES * NODES];
    int has[NODES * NODES][NODES]; /* a value, a unit */
    uint32_t n;                    /* values */
} weighed;

static weighed w;

/* Of these nodes. */
static void take(const gsp_downsets_graph_result *r, const int *who,
    const gsp_downsets_weight *what, uint64_t move)
{
    int has[NODES] = {0};
    uint32_t n = 0;
    uint32_t last = 0;
    for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
        if (who[v] && o.in[v]) {
            has[r->unit_of[v]] = 1;
        }
    }
    for (uint32_t i = 0; i < r->units.n; i++) {
        n += (uint32_t)has[i];
        last = has[i] ? i : last;
    }
    if (n > 1u) {
        add(&w.shared[w.n], what);
        w.shared[w.n].move = move;
        memcpy(w.has[w.n++], has, sizeof has);
    } else if (n == 1u) {
        add(&w.own[last], what);
    }
}

static void weigh_output(const gsp_downsets_graph_result *r, gsp_node v)
{
    gsp_downsets_weight const none = {0};
    int who[NODES] = {0};
    uint32_t n = 0;
    who[v] = 1;
    int const apart = c.d.move_begin != NULL && c.move_begin[v] != c.move_begin[v + 1u];
    for (gsp_node u = 0; u < c.graph.n_nodes; u++) {
        if (c.reads[u][v] && apart) {
            int two[NODES] = {0};
            two[v] = two[u] = 1;
            take(r, two, &none, c.moves[c.move_begin[v] + n++]);
        }
        who[u] |= c.reads[u][v] && !apart;
    }
    take(r, who, &c.outputs[v], c.outputs[v].move);
}

static void weigh(const gsp_downsets_graph_result *r)
{
    memset(&w, 0, sizeof w);
    for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
        if (o.in[v]) {
            add(&w.own[r->unit_of[v]], &c.nodes[v]);
            weigh_output(r, v);
        }
    }
    for (uint32_t i = 0; i < c.d.n_items; i++) {
        int who[NODES] = {0};
        for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
            who[v] = c.has[v][i];
        }
        take(r, who, &c.items[i], 0);
    }
}

/* ---- the comparison ---- */

static void compare_units(const gsp_downsets_graph_result *r)
{
    T_EQUAL(r->has_writes, (uint32_t)any_writes());
    for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
        T_EQUAL(r->unit_of[v] != GSP_NONE, (uint32_t)o.in[v]);
        T_EQUAL(r->backward[v], (uint32_t)o.back[v]);
        for (gsp_node u = 0; u < c.graph.n_nodes && o.in[v]; u++) {
            T_EQUAL(o.in[u] && r->unit_of[u] == r->unit_of[v], (uint32_t)o.same[v][u]);
        }
    }
}

static int has(const gsp_edges *rows, uint32_t i, uint32_t number)
{
    int found = 0;
    for (uint32_t k = rows->begin[i]; k < rows->begin[i + 1u]; k++) {
        found += rows->at[k] == number;
    }
    return found;
}

static void compare_rows(const gsp_downsets_graph_result *r)
{
    int before[NODES][NODES] = {{0}};
    for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
        for (gsp_node u = 0; u < c.graph.n_nodes; u++) {
            if (o.before[v][u] && r->unit_of[v] != r->unit_of[u]) {
                before[r->unit_of[v]][r->unit_of[u]] = 1;
            }
        }
    }
    for (uint32_t i = 0; i < r->units.n; i++) {
        for (uint32_t k = 0; k < r->units.n; k++) {
            int const written = any_writes(); /* rows lack what others imply */
            T_CHECK(written ? has(&r->units.after, i, k) <= before[i][k]
                            : has(&r->units.after, i, k) == before[i][k]);
            T_CHECK(!before[i][k] || i < k);
        }
    }
}

static void compare_weights(const gsp_downsets_graph_result *r)
{
    weigh(r);
    T_EQUAL(r->units.n_values, w.n);
    T_CHECK(memcmp(w.own, r->units.own, r->units.n * sizeof *w.own) == 0);
    T_CHECK(
        w.n != r->units.n_values || memcmp(w.shared, r->units.shared, w.n * sizeof *w.shared) == 0);
    for (uint32_t i = 0; i < r->units.n; i++) {
        for (uint32_t k = 0; k < w.n; k++) {
            T_EQUAL(has(&r->units.values, i, k), w.has[k][i]);
        }
    }
}

/* The best bottleneck, of units that joined or of all. */
static uint64_t best_of(gsp_arena *arena, int joined)
{
    gsp_mark const mark = gsp_arena_mark(arena);
    gsp_downsets_desc const search = c.stages;
    gsp_downsets_graph_result made;
    gsp_downsets_result r;
    c.stages.exact |= joined ? 0u : 1u;
    T_EQUAL(gsp_downsets_graph_run(arena, &c.graph, &c.d, &made, NULL), GSP_OK);
    c.stages = search;
    c.stages.max_sets = 1000;
    T_EQUAL(gsp_downsets_run(arena, &made.units, &c.stages, &r, NULL), GSP_OK);
    T_CHECK(r.complete);
    c.stages = search;
    gsp_arena_rewind(arena, mark);
    return r.objective;
}

static int make_and_compare(void)
{
    gsp_downsets_graph_result r;
    gsp_arena arena;
    size_t const bound = gsp_downsets_graph_bound(&c.graph, &c.d);
    gsp_arena_init(&arena, memory, bound);
    if (!T_CHECK(bound <= sizeof memory) ||
        !T_EQUAL(gsp_downsets_graph_run(&arena, &c.graph, &c.d, &r, NULL), GSP_OK)) {
        return 0;
    }
    say_units();
    say_order();
    close_circles();
    if (!any_writes() && !c.stages.by_bytes && !c.stages.exact && all_fit()) {
        join_all();
        close_circles();
    }
    compare_units(&r);
    if (!t_failed()) {
        compare_rows(&r);
        compare_weights(&r);
    }
    gsp_arena_init(&arena, memory, sizeof memory);
    T_EQUAL(best_of(&arena, 1), best_of(&arena, 0));
    return 1;
}

static void test_random(void)
{
    t_rng rng;
    rng.state = t_seed ^ 0xD2u;
    for (uint32_t i = 0; i < (t_fast ? 200u : 4000u) && !t_failed(); i++) {
        random_graph(&rng);
        random_desc(&rng);
        (void)make_and_compare();
        t_arena_close(&c.text);
    }
}

void suite_oracle_downsets_graph(void)
{
    t_run("random", test_random);
}
