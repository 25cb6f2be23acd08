/* Peaks, offsets and splits under a budget against slow transcriptions of what they promise, over
 * random graphs with views, aggregates, elements, parameters and groups. */
#include "tests/oracle/oracle.h"

#define MOST 64u

/* ---- random graphs, as text ---- */

typedef struct maker {
    t_rng rng;
    t_string text;
    char names[MOST][8];
    uint32_t elements[MOST]; /* of an aggregate, or 0 */
    uint32_t sizes[MOST][3]; /* of its elements */
    uint32_t n;
} maker;

static void put_name(maker *m, uint32_t v)
{
    t_puts(&m->text, "%");
    t_puts(&m->text, m->names[v]);
}

static void put_size(maker *m, uint32_t index)
{
    m->sizes[m->n][index] = t_chance(&m->rng, 8) ? 0u : 1u + t_below(&m->rng, 9u);
    t_puts(&m->text, "u8[");
    t_number(&m->text, m->sizes[m->n][index]);
    t_puts(&m->text, "]");
}

static void put_type(maker *m, uint32_t elements)
{
    uint32_t i;
    t_puts(&m->text, "  # ");
    if (elements == 0u) {
        put_size(m, 0u);
        return;
    }
    t_puts(&m->text, "tuple(");
    for (i = 0; i < elements; i++) {
        t_puts(&m->text, i == 0u ? "" : ", ");
        put_size(m, i);
    }
    t_puts(&m->text, ")");
}

static void begin_node(maker *m, const char *what)
{
    snprintf(m->names[m->n], sizeof(m->names[0]), "n%u", (unsigned)m->n);
    m->elements[m->n] = t_chance(&m->rng, 25) ? 1u + t_below(&m->rng, 3u) : 0u;
    t_puts(&m->text, "    ");
    put_name(m, m->n);
    t_puts(&m->text, " : [num_users=0] = ");
    t_puts(&m->text, what);
}

static void leaf(maker *m, const char *what)
{
    begin_node(m, what);
    t_puts(&m->text, "[target=");
    t_puts(&m->text, m->names[m->n]);
    t_puts(&m->text, "]");
    put_type(m, m->elements[m->n]);
    t_puts(&m->text, "\n");
    m->n++;
}

/* An element is as large as its aggregate says, or now and then not. */
static void put_element(maker *m, uint32_t of, uint32_t index)
{
    if (m->elements[m->n] != 0u || t_chance(&m->rng, 10)) {
        put_type(m, m->elements[m->n]);
    } else {
        t_puts(&m->text, "  # u8[");
        t_number(&m->text, m->sizes[of][index]);
        t_puts(&m->text, "]");
    }
}

static void getitem(maker *m, uint32_t of)
{
    uint32_t const count = m->elements[of];
    uint32_t const index = t_below(&m->rng, count);
    begin_node(m, "call_function[target=operator.getitem](args = (");
    put_name(m, of);
    t_puts(&m->text, ", ");
    if (t_chance(&m->rng, 20)) {
        t_puts(&m->text, "-");
        t_number(&m->text, count - index);
    } else {
        t_number(&m->text, index);
    }
    t_puts(&m->text, "), kwargs = {})");
    put_element(m, of, index);
}

static void call(maker *m)
{
    uint32_t const count = m->n == 0u ? 0u : t_below(&m->rng, 4u);
    uint32_t const window = t_chance(&m->rng, 50) ? 5u : MOST;
    uint32_t i;
    begin_node(m, "call_function[target=f](args = (0, [");
    for (i = 0; i < count; i++) {
        uint32_t const span = m->n < window ? m->n : window;
        t_puts(&m->text, i == 0u ? "" : ", ");
        put_name(m, m->n - 1u - t_below(&m->rng, span));
    }
    t_puts(&m->text, "]), kwargs = {})");
    put_type(m, m->elements[m->n]);
    if (count > 0u && t_chance(&m->rng, 25)) {
        t_puts(&m->text, " alias=");
        t_number(&m->text, t_chance(&m->rng, 10) ? 0u : 1u + t_below(&m->rng, count));
    }
    if (t_chance(&m->rng, 12)) {
        t_puts(&m->text, t_chance(&m->rng, 50) ? " group=a" : " group=b");
    }
    if (t_chance(&m->rng, 60)) {
        t_puts(&m->text, " acc=");
        t_number(&m->text, t_below(&m->rng, 4u));
    }
    if (count > 0u && t_chance(&m->rng, 10)) {
        t_puts(&m->text, " mutates=1");
    }
}

static void node(maker *m)
{
    uint32_t const of = m->n == 0u ? 0u : t_below(&m->rng, m->n);
    if (t_chance(&m->rng, 8)) {
        leaf(m, "placeholder");
        return;
    }
    if (t_chance(&m->rng, 8)) {
        leaf(m, "get_attr");
        return;
    }
    if (m->n > 0u && m->elements[of] > 0u && t_chance(&m->rng, 60)) {
        getitem(m, of);
    } else {
        call(m);
    }
    t_puts(&m->text, "\n");
    m->n++;
}

static void make(maker *m, uint64_t seed, uint32_t nodes)
{
    uint32_t i;
    memset(m, 0, sizeof(*m));
    m->rng.state = seed;
    t_puts(&m->text, "graph():\n");
    for (i = t_below(&m->rng, 3u); i > 0u && m->n < nodes; i--) {
        leaf(m, "placeholder");
    }
    while (m->n < nodes) {
        node(m);
    }
    t_puts(&m->text, "    return (");
    for (i = 0; i < m->n; i++) {
        if (t_chance(&m->rng, i + 1u == m->n ? 70u : 10u)) {
            t_puts(&m->text, m->names[i]);
            t_puts(&m->text, ", ");
        }
    }
    t_puts(&m->text, "0)\n");
}

/* ---- the slow model ---- */

typedef struct model {
    gsp_graph g;
    uint32_t n;
    gsp_node store[MOST + 1u];  /* the storage of a value */
    gsp_node parent[MOST + 1u]; /* of an element: its aggregate; else GSP_NONE */
    gsp_node taken[MOST + 1u];  /* the aggregate that a getitem takes an element of */
    uint32_t key[MOST + 1u];
} model;

static gsp_node argument(const model *m, gsp_node v, uint32_t position)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(&m->g, v, &count);
    uint32_t seen = 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        if (args[i].kind == GSP_ARG_NODE || args[i].kind == GSP_ARG_CONSTANT) {
            if (seen++ == position) {
                return args[i].kind == GSP_ARG_NODE ? args[i].value : GSP_NONE;
            }
        }
    }
    return GSP_NONE;
}

static int is_getitem(const model *m, gsp_node v, gsp_node from)
{
    return gsp_str_equal(gsp_node_target(&m->g, v), gsp_str_of("operator.getitem")) &&
           argument(m, v, 0u) == from;
}

static uint32_t element_key(const model *m, gsp_node v, gsp_node from)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(&m->g, v, &count);
    gsp_str const t = gsp_module_str(m->g.module, args[1].value);
    gsp_str const type = gsp_node_type(&m->g, from);
    uint32_t at = 0;
    uint32_t elements = 0;
    gsp_str a;
    gsp_str b;
    while (gsp_type_next(type, &at, &a, &b)) {
        elements++;
    }
    return t.data[0] == '-' ? elements - (uint32_t)(t.data[1] - '0') : (uint32_t)(t.data[0] - '0');
}

/* 1 when no earlier getitem takes the same element of `from`. */
static int is_first(const model *m, gsp_node v, gsp_node from)
{
    gsp_node w;
    for (w = 0; w < v; w++) {
        if (is_getitem(m, w, from) && element_key(m, w, from) == element_key(m, v, from)) {
            return 0;
        }
    }
    return 1;
}

/* Do the elements that are taken fit into what the aggregate says? */
static int is_consistent(const model *m, gsp_node from)
{
    uint64_t sum = 0;
    gsp_node v;
    for (v = 0; v < m->n; v++) {
        if (is_getitem(m, v, from) && is_first(m, v, from)) {
            sum += gsp_node_bytes(&m->g, v);
        }
    }
    return sum <= gsp_node_bytes(&m->g, from);
}

static void model_getitem(model *m, gsp_node v, gsp_node from)
{
    gsp_node w;
    m->store[v] = m->store[from];
    if (m->store[from] != from || m->parent[from] != GSP_NONE ||
        !gsp_node_is_callable(&m->g, from) || !is_consistent(m, from)) {
        return;
    }
    m->taken[v] = from;
    m->key[v] = element_key(m, v, from);
    for (w = 0; w < v && !(m->taken[w] == from && m->key[w] == m->key[v]); w++) {
    }
    m->store[v] = w;
    m->parent[v] = w == v ? from : GSP_NONE;
}

static void model_init(model *m, const gsp_graph *g)
{
    gsp_node v;
    m->g = *g;
    m->n = g->n_nodes;
    for (v = 0; v < m->n; v++) {
        gsp_op const op = gsp_node_op(g, v);
        gsp_str const alias = gsp_node_attr(g, v, GSP_KEY_ALIAS);
        gsp_node const first = argument(m, v, 0u);
        m->parent[v] = m->taken[v] = GSP_NONE;
        m->store[v] = op == GSP_OP_GET_ATTR || op == GSP_OP_OUTPUT ? GSP_NONE : v;
        if (first != GSP_NONE && is_getitem(m, v, first) &&
            gsp_node_value_kind(g, first) == GSP_VALUE_AGGREGATE) {
            model_getitem(m, v, first);
        } else if (alias.data != NULL) {
            gsp_node const u = argument(m, v, (uint32_t)(alias.data[0] - '0'));
            m->store[v] = u == GSP_NONE ? v : m->store[u];
        }
    }
}

/* A part: its steps, and for every storage the steps at which it is needed, as a set. */
typedef struct part {
    const model *m;
    gsp_node steps[MOST + 1u];
    uint32_t n;
    int whole;
    int has[MOST + 1u];
    uint64_t need[MOST + 1u];
    uint32_t made[MOST + 1u];
} part;

static void need(part *p, gsp_node value, uint32_t step)
{
    gsp_node s = p->m->store[value];
    if (s != GSP_NONE) {
        gsp_node const parent = p->m->parent[s];
        s = parent != GSP_NONE && p->has[s] && !p->has[parent] ? parent : s;
        p->need[s] |= (uint64_t)1 << step;
    }
}

static void part_init(part *p, const model *m, const gsp_node *steps, uint32_t n, int whole)
{
    uint32_t t;
    uint32_t i;
    uint32_t count;
    memset(p, 0, sizeof(*p));
    p->m = m;
    p->n = n;
    p->whole = whole;
    for (t = 0; t < n; t++) {
        p->steps[t] = steps[t];
        p->has[steps[t]] = gsp_node_op(&m->g, steps[t]) != GSP_OP_PLACEHOLDER;
        p->made[steps[t]] = t;
    }
    for (t = 0; t < n; t++) {
        gsp_node const v = steps[t];
        gsp_node const from = m->taken[v];
        const gsp_node *list = gsp_node_inputs(&m->g, v, &count);
        for (i = 0; i < count; i++) {
            if (from != list[i] || !p->has[from]) {
                need(p, list[i], t);
            }
        }
        if (m->parent[v] == GSP_NONE) {
            need(p, v, p->has[v] ? t : 0u);
        }
        list = gsp_node_users(&m->g, v, &count);
        for (i = 0; i < count; i++) {
            if (!whole && !p->has[list[i]]) {
                need(p, v, n - 1u);
            }
        }
    }
}

/* Is the storage needed at `step` or later? */
static int later(const part *p, gsp_node s, uint32_t step)
{
    return p->need[s] >> step != 0u;
}

static int takes_bytes(const part *p, gsp_node s, uint32_t step)
{
    gsp_node const parent = p->m->parent[s];
    if (!later(p, s, step)) {
        return 0;
    }
    if (parent != GSP_NONE && p->need[parent] != 0u) {
        return !later(p, parent, step) && (!p->has[parent] || p->made[parent] < step);
    }
    return !p->has[s] || p->made[s] <= step;
}

static uint64_t model_live(const part *p, uint32_t step, int skip_inputs)
{
    uint64_t sum = 0;
    gsp_node s;
    for (s = 0; s < p->m->n; s++) {
        if (p->m->store[s] == s && takes_bytes(p, s, step) && !(skip_inputs && !p->has[s])) {
            sum += gsp_node_bytes(&p->m->g, s);
        }
    }
    return sum;
}

static gsp_liveness_part model_liveness(const part *p, const uint64_t *scratch, int skip_inputs)
{
    gsp_liveness_part peak = {0, GSP_NONE, 0};
    uint32_t t;
    for (t = 0; t < p->n; t++) {
        uint64_t const bytes =
            model_live(p, t, skip_inputs) + (scratch == NULL ? 0u : scratch[p->steps[t]]);
        if (t == 0u || bytes > peak.bytes) {
            peak.bytes = bytes;
            peak.node = p->steps[t];
            peak.step = t;
        }
    }
    return peak;
}

/* ---- one graph ---- */

typedef struct world {
    maker maker;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    model m;
    uint64_t scratch[MOST + 1u];
    uint32_t part_of[MOST + 1u];
    uint32_t n_parts;
    gsp_node order[MOST + 1u]; /* a random one of all nodes */
    gsp_node given[MOST + 1u]; /* what a pass gets of it; the rest is in its place */
    uint32_t n_given;
} world;

/* Nodes whose inputs have run, in any order; `first`: leaves that run before all calls. */
static void world_order(world *w, int leaves_first)
{
    int done[MOST + 1u] = {0};
    uint32_t n = 0;
    while (n + 1u < w->g.n_nodes) {
        gsp_node const v = t_below(&w->maker.rng, w->g.n_nodes - 1u);
        uint32_t count;
        const gsp_node *in = gsp_node_inputs(&w->g, v, &count);
        int ready = !done[v];
        gsp_node u;
        for (; count > 0u; count--) {
            ready = ready && done[in[count - 1u]];
        }
        for (u = 0; u < w->g.n_nodes && gsp_node_is_callable(&w->g, v); u++) {
            ready = ready && (!leaves_first || gsp_node_is_callable(&w->g, u) || done[u] ||
                                 gsp_node_op(&w->g, u) == GSP_OP_OUTPUT);
        }
        for (u = 0; u < v && leaves_first && !gsp_node_is_callable(&w->g, v); u++) {
            ready = ready && (gsp_node_is_callable(&w->g, u) || done[u]);
        }
        if (ready) {
            done[v] = 1;
            w->order[n++] = v;
        }
    }
    w->order[n] = n;
    w->n_given = 0;
    for (n = 0; n < w->g.n_nodes; n++) {
        if (!leaves_first || gsp_node_is_callable(&w->g, w->order[n])) {
            w->given[w->n_given++] = w->order[n];
        }
    }
}

static int world_open(world *w, uint64_t seed, uint32_t nodes)
{
    gsp_node v;
    make(&w->maker, seed, nodes);
    if (!t_must_read(&w->arena, w->maker.text.data, &w->module)) {
        printf("%s", w->maker.text.data);
        return 0;
    }
    w->g = gsp_module_graph(&w->module, 0u);
    model_init(&w->m, &w->g);
    w->n_parts = 1u + t_below(&w->maker.rng, 4u);
    for (v = 0; v < w->g.n_nodes; v++) {
        w->scratch[v] = t_chance(&w->maker.rng, 20) ? t_below(&w->maker.rng, 12u) : 0u;
        w->part_of[v] = t_below(&w->maker.rng, w->n_parts);
    }
    return 1;
}

static void world_close(world *w)
{
    t_free(&w->maker.text);
    t_arena_close(&w->arena);
}

static void check_part(const world *w, const gsp_liveness_result *r, uint32_t i, const part *p,
    const gsp_liveness_desc *d)
{
    gsp_liveness_part const peak = model_liveness(p, d->scratch, (int)d->skip_inputs);
    uint64_t sum = 0;
    uint32_t t;
    (void)w;
    T_EQUAL(r->parts[i].bytes, peak.bytes);
    T_EQUAL(r->parts[i].node, peak.node);
    T_EQUAL(r->parts[i].step, peak.step);
    T_EQUAL(r->step_begin[i + 1u] - r->step_begin[i], p->n);
    for (t = 0; t < p->n; t++) {
        T_EQUAL(r->nodes[r->step_begin[i] + t], p->steps[t]);
        T_EQUAL(
            r->live[r->step_begin[i] + t], model_live(p, t, (int)d->skip_inputs) +
                                               (d->scratch == NULL ? 0u : d->scratch[p->steps[t]]));
    }
    for (t = r->tensor_begin[i]; t < r->tensor_begin[i + 1u]; t++) {
        sum += gsp_node_bytes(&w->g, r->tensors[t]);
        T_CHECK(takes_bytes(p, r->tensors[t], peak.step));
    }
    T_EQUAL(sum + (d->scratch == NULL || p->n == 0u ? 0u : d->scratch[peak.node]), peak.bytes);
}

static void check_one_liveness(world *w, int parts)
{
    gsp_arena arena;
    gsp_liveness_desc d;
    gsp_liveness_result r;
    uint64_t worst = 0;
    uint32_t i;
    memset(&d, 0, sizeof(d));
    d.scratch = t_chance(&w->maker.rng, 50) ? w->scratch : NULL;
    d.skip_inputs = (uint32_t)t_chance(&w->maker.rng, 30);
    d.n_parts = parts ? w->n_parts : 0u;
    d.part_of = w->part_of;
    if (t_chance(&w->maker.rng, 50)) {
        world_order(w, t_chance(&w->maker.rng, 50));
        d.order = w->given;
        d.n_order = w->n_given;
    }
    t_arena_open(&arena, gsp_liveness_bound(&w->g, &d));
    if (T_EQUAL(gsp_liveness_run(&arena, &w->g, &d, &r, NULL), GSP_OK)) {
        for (i = 0; i < r.n_parts; i++) {
            gsp_node steps[MOST + 1u];
            uint32_t n = 0;
            uint32_t k;
            part p;
            for (k = 0; k < w->g.n_nodes; k++) {
                gsp_node const v = d.order != NULL ? w->order[k] : k;
                if (!parts || (gsp_node_is_callable(&w->g, v) && w->part_of[v] == i)) {
                    steps[n++] = v;
                }
            }
            part_init(&p, &w->m, steps, n, !parts);
            check_part(w, &r, i, &p, &d);
            worst = r.parts[i].bytes > worst ? r.parts[i].bytes : worst;
        }
        T_EQUAL(r.parts[r.worst].bytes, worst);
    }
    t_arena_close(&arena);
}

/* ---- offsets ---- */

static int together(const gsp_tensor *a, const gsp_tensor *b)
{
    return a->begin <= b->end && b->begin <= a->end;
}

static int overlap(const gsp_tensor *a, const gsp_tensor *b)
{
    return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

/* Greedy by size once more: every multiple of align is tried. */
static void slow_greedy(const gsp_memory_plan_result *r, uint32_t align, uint64_t *offset)
{
    int placed[2u * MOST + 2u] = {0};
    uint32_t k;
    for (k = 0; k < r->n_tensors; k++) {
        uint32_t best = GSP_NONE;
        uint32_t i;
        gsp_tensor t;
        int free_here = 0;
        for (i = 0; i < r->n_tensors; i++) {
            if (!placed[i] && (best == GSP_NONE || r->tensors[i].bytes > r->tensors[best].bytes)) {
                best = i;
            }
        }
        t = r->tensors[best];
        for (t.offset = 0; !free_here; t.offset += free_here ? 0u : align) {
            free_here = 1;
            for (i = 0; i < r->n_tensors; i++) {
                gsp_tensor o = r->tensors[i];
                o.offset = offset[i];
                free_here &= !(placed[i] && together(&o, &t) && overlap(&o, &t));
            }
        }
        placed[best] = 1;
        offset[best] = t.offset;
    }
}

/* Up from 0, past whatever is in the way, until nothing is. */
static uint64_t lowest(const gsp_memory_plan_result *r, const uint32_t *order, uint32_t placed,
    const uint64_t *offset, uint64_t align)
{
    gsp_tensor t = r->tensors[order[placed]];
    int moved = 1;
    for (t.offset = 0; moved;) {
        uint32_t i;
        moved = 0;
        for (i = 0; i < placed; i++) {
            gsp_tensor o = r->tensors[order[i]];
            o.offset = offset[order[i]];
            if (together(&o, &t) && overlap(&o, &t)) {
                t.offset = (o.offset + o.bytes + align - 1u) / align * align;
                moved = 1;
            }
        }
    }
    return t.offset;
}

static uint64_t end_of(const gsp_memory_plan_result *r, const uint64_t *offset)
{
    uint64_t most = 0;
    uint32_t i;
    for (i = 0; i < r->n_tensors; i++) {
        uint64_t const end = offset[i] + r->tensors[i].bytes;
        most = end > most ? end : most;
    }
    return most;
}

/* Bytes of the tensors that are live at a step, each rounded up. */
static uint64_t live_at(const gsp_memory_plan_result *r, uint32_t step, uint64_t align)
{
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < r->n_tensors; i++) {
        const gsp_tensor *t = &r->tensors[i];
        if (t->begin <= step && step <= t->end) {
            sum += (t->bytes + align - 1u) / align * align;
        }
    }
    return sum;
}

/* side[i], 0 or 1, is the end of the arena, in turn in order of time; scratch follows its node. */
static void slow_sides(const gsp_memory_plan_result *r, uint32_t *side)
{
    uint32_t turn = 1;
    uint32_t k;
    memset(side, 0xFF, r->n_tensors * sizeof(*side));
    for (k = 0; k < r->n_tensors; k++) {
        uint32_t next = GSP_NONE;
        uint32_t i;
        for (i = 0; i < r->n_tensors; i++) {
            if (side[i] == GSP_NONE &&
                (next == GSP_NONE || r->tensors[i].begin < r->tensors[next].begin)) {
                next = i;
            }
        }
        turn = r->tensors[next].scratch ? turn : 1u - turn;
        side[next] = turn;
    }
}

/* Tensors of one end by falling size, then those of the other; returns the number of the first. */
static uint32_t slow_order(const gsp_memory_plan_result *r, const uint32_t *side, uint32_t *order)
{
    uint32_t first = 0;
    uint32_t i;
    for (i = 0; i < r->n_tensors; i++) {
        uint32_t k = i;
        for (; k > 0u && (side[order[k - 1u]] > side[i] ||
                             (side[order[k - 1u]] == side[i] &&
                                 r->tensors[order[k - 1u]].bytes < r->tensors[i].bytes));
             k--) {
            order[k] = order[k - 1u];
        }
        order[k] = i;
        first += side[i] == 0u ? 1u : 0u;
    }
    return first;
}

/* The plan from both ends; it replaces the offsets in `offset` if its arena is smaller. */
static void slow_both_ends(const gsp_memory_plan_result *r, uint64_t align, uint64_t *offset)
{
    size_t const room = r->n_tensors + 1u;
    uint32_t *side = (uint32_t *)t_alloc(room * sizeof(*side));
    uint32_t *order = (uint32_t *)t_alloc(room * sizeof(*order));
    uint64_t *found = (uint64_t *)t_alloc(room * sizeof(*found));
    uint64_t size = 0;
    uint32_t first;
    uint32_t i;
    uint32_t k;
    memset(found, 0, room * sizeof(*found));
    for (i = 0; i < r->n_tensors; i++) {
        uint64_t const live = live_at(r, r->tensors[i].begin, align);
        size = live > size ? live : size;
    }
    slow_sides(r, side);
    first = slow_order(r, side, order);
    for (i = 0; i < r->n_tensors; i++) {
        if (i == first) {
            for (k = 0; k < first; k++) {
                uint64_t const end = found[order[k]] + r->tensors[order[k]].bytes;
                size = end > size ? (end + align - 1u) / align * align : size;
            }
            for (k = 0; k < first; k++) {
                uint64_t const bytes = r->tensors[order[k]].bytes;
                found[order[k]] = size - found[order[k]] - (bytes + align - 1u) / align * align;
            }
        }
        found[order[i]] = lowest(r, order, i, found, align);
    }
    if (end_of(r, offset) > r->peak && end_of(r, found) < end_of(r, offset)) {
        memcpy(offset, found, r->n_tensors * sizeof(*found));
    }
    free(side);
    free(order);
    free(found);
}

/* Bytes of the tensors that live to the last step and begin before `end`, or there. */
static uint64_t stacked(
    const gsp_memory_plan_result *r, uint32_t last, uint32_t end, uint64_t align)
{
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < r->n_tensors; i++) {
        const gsp_tensor *t = &r->tensors[i];
        sum += t->end == last && t->begin <= end ? (t->bytes + align - 1u) / align * align : 0u;
    }
    return sum;
}

/* Tensors that live to the last step (or all others) behind order[0 .. n), by their first step; in
 * reverse, from the last one to end to the first. Returns the number. */
static uint32_t slow_by_step(
    const gsp_memory_plan_result *r, uint32_t last, int lasting, int reverse, uint32_t *order)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < r->n_tensors; i++) {
        const gsp_tensor *t = &r->tensors[i];
        if ((t->end == last) == lasting) {
            uint32_t k = n++;
            for (; k > 0u && (reverse ? r->tensors[order[k - 1u]].end <= t->end
                                      : r->tensors[order[k - 1u]].begin > t->begin);
                 k--) {
                order[k] = order[k - 1u];
            }
            order[k] = i;
        }
    }
    return n;
}

/* First-fit in reverse order of time above those that live to the last step; or, without them, in
 * order of time, turned upside down. */
static void slow_sweep(
    const gsp_memory_plan_result *r, uint32_t last, uint64_t align, int reverse, uint64_t *offset)
{
    uint32_t *order = (uint32_t *)t_alloc((r->n_tensors + 1u) * sizeof(*order));
    uint32_t const n = slow_by_step(r, last, 1, 0, order);
    uint64_t size = stacked(r, last, last, align);
    uint32_t i;
    uint32_t k;
    for (i = 0; i < n; i++) {
        offset[order[i]] = lowest(r, order, i, offset, align);
    }
    k = reverse ? n : 0u;
    i = k + slow_by_step(r, last, 0, reverse, order + k);
    for (; k < i; k++) {
        const gsp_tensor *t = &r->tensors[order[k]];
        uint64_t top;
        offset[order[k]] = lowest(r, order, k, offset, align);
        top = (offset[order[k]] + t->bytes + align - 1u) / align * align +
              stacked(r, last, t->end, align);
        size = top > size ? top : size;
    }
    for (k = 0; k < i && !reverse; k++) {
        uint64_t const bytes = r->tensors[order[k]].bytes;
        offset[order[k]] = size - (offset[order[k]] + bytes + align - 1u) / align * align;
    }
    free(order);
}

/* Pairs of live tensors of which one begins while the other is live. */
static uint64_t pairs_of(const gsp_memory_plan_result *r)
{
    uint64_t pairs = 0;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < r->n_tensors; i++) {
        for (k = 0; k < r->n_tensors; k++) {
            uint32_t const begin = r->tensors[k].begin;
            pairs += i != k && r->tensors[i].begin <= begin && begin <= r->tensors[i].end;
        }
    }
    return pairs;
}

/* `offset` is the plan by size. If pairs are not few, a plan by time replaces it where that is
 * smaller, or where they are many. */
static void slow_by_time(
    const gsp_memory_plan_result *r, uint32_t n_steps, uint64_t align, uint64_t *offset)
{
    uint64_t *found[2];
    uint64_t const pairs = pairs_of(r);
    uint64_t peak = 0;
    uint64_t best;
    int reverse;
    int few;
    uint32_t i;
    for (i = 0; i < n_steps; i++) {
        uint64_t const live = live_at(r, i, align);
        peak = live > peak ? live : peak;
    }
    for (i = 0; i < 2u; i++) {
        found[i] = (uint64_t *)t_alloc((r->n_tensors + 1u) * sizeof(*offset));
        slow_sweep(r, n_steps - 1u, align, (int)i, found[i]);
    }
    best = end_of(r, found[1]);
    reverse = best <= peak + peak / 64u || best <= end_of(r, found[0]);
    best = end_of(r, found[reverse]);
    few = pairs <= 131072u && best > peak + peak / 32u;
    if (pairs > 32768u && (!few || best < end_of(r, offset))) {
        memcpy(offset, found[reverse], r->n_tensors * sizeof(*offset));
    }
    free(found[0]);
    free(found[1]);
}

/* 1 if the plan is this one. */
static int is_plan(const gsp_memory_plan_result *r, const uint64_t *offset)
{
    uint32_t i;
    for (i = 0; i < r->n_tensors && r->tensors[i].offset == offset[i]; i++) {
    }
    return i == r->n_tensors;
}

/* Tensors are the storages of the whole graph. */
static void check_tensor(const world *w, const part *p, const gsp_tensor *t)
{
    gsp_node const parent = w->m.parent[t->node];
    gsp_node const from = parent == GSP_NONE ? t->node : parent;
    uint32_t last = 0;
    uint32_t i;
    if (t->scratch) {
        T_EQUAL(t->bytes, w->scratch[t->node]);
        T_CHECK(t->begin == p->made[t->node] && t->end == t->begin);
        return;
    }
    for (i = 0; i < p->n; i++) {
        last = later(p, t->node, i) || later(p, from, i) ? i : last;
    }
    T_EQUAL(t->begin, p->has[t->node] ? p->made[from] : 0u);
    T_EQUAL(t->end, last);
}

static void check_memory_plan(world *w)
{
    gsp_arena arena;
    gsp_memory_plan_desc d;
    gsp_memory_plan_result r;
    uint64_t slow[2u * MOST + 2u];
    uint64_t both[2u * MOST + 2u];
    uint64_t best[2u * MOST + 2u];
    uint64_t sweep[2][2u * MOST + 2u];
    gsp_node steps[MOST + 1u];
    part p;
    uint64_t top = 0;
    uint32_t i;
    uint32_t k;
    memset(&d, 0, sizeof(d));
    if (t_chance(&w->maker.rng, 50)) {
        world_order(w, t_chance(&w->maker.rng, 50));
        d.order = w->given;
        d.n_order = w->n_given;
    }
    for (i = 0; i < w->g.n_nodes; i++) {
        steps[i] = d.order != NULL ? w->order[i] : i;
    }
    part_init(&p, &w->m, steps, w->g.n_nodes, 1);
    d.scratch = t_chance(&w->maker.rng, 50) ? w->scratch : NULL;
    d.skip_inputs = (uint32_t)t_chance(&w->maker.rng, 20);
    d.align = 1u << t_below(&w->maker.rng, 5u);
    d.max_work = t_chance(&w->maker.rng, 20) ? 1u + t_below(&w->maker.rng, 20u) : 0u;
    t_arena_open(&arena, gsp_memory_plan_bound(&w->g, &d));
    if (T_EQUAL(gsp_memory_plan_run(&arena, &w->g, &d, &r, NULL), GSP_OK)) {
        slow_greedy(&r, d.align, slow);
        memcpy(both, slow, sizeof(both));
        slow_both_ends(&r, d.align, both);
        memcpy(best, both, sizeof(best));
        slow_by_time(&r, w->g.n_nodes, d.align, best);
        slow_sweep(&r, w->g.n_nodes - 1u, d.align, 0, sweep[0]);
        slow_sweep(&r, w->g.n_nodes - 1u, d.align, 1, sweep[1]);
        T_CHECK(r.n_stacked != 0u || is_plan(&r, best) ||
                (d.max_work != 0u && (is_plan(&r, both) || is_plan(&r, slow) ||
                                         is_plan(&r, sweep[0]) || is_plan(&r, sweep[1]))));
        for (i = 0; i < r.n_tensors; i++) {
            const gsp_tensor *t = &r.tensors[i];
            check_tensor(w, &p, t);
            T_CHECK(t->bytes > 0u && t->offset % d.align == 0u);
            top = t->offset + t->bytes > top ? t->offset + t->bytes : top;
            for (k = 0; k < i; k++) {
                T_CHECK(!together(t, &r.tensors[k]) || !overlap(t, &r.tensors[k]));
            }
        }
        T_EQUAL(r.arena, top);
        for (i = 0, top = 0; i < w->g.n_nodes; i++) {
            uint64_t sum = 0;
            for (k = 0; k < r.n_tensors; k++) {
                sum += r.tensors[k].begin <= i && i <= r.tensors[k].end ? r.tensors[k].bytes : 0u;
            }
            top = sum > top ? sum : top;
            T_CHECK(sum >= model_live(&p, i, (int)d.skip_inputs));
        }
        T_EQUAL(r.peak, top);
        T_CHECK(d.max_work != 0u || r.n_stacked == 0u);
    }
    t_arena_close(&arena);
}

/* ---- budgets ---- */

typedef struct choice {
    uint32_t parts;
    uint64_t boundary;
    uint32_t cuts; /* as a set of places */
} choice;

typedef struct search {
    const world *w;
    gsp_node order[MOST + 1u];
    uint32_t n;
    uint32_t allowed; /* places between two nodes, as a set */
    uint64_t boundary[MOST + 1u];
    uint64_t peak[16][16];
    const uint64_t *scratch;
} search;

static void search_order(search *s)
{
    gsp_node v;
    gsp_node u;
    s->n = 0;
    for (v = 0; v < s->w->g.n_nodes; v++) {
        if (gsp_node_is_callable(&s->w->g, v) && s->w->m.taken[v] == GSP_NONE) {
            s->order[s->n++] = v;
            for (u = v; u < s->w->g.n_nodes; u++) {
                if (s->w->m.taken[u] == v) {
                    s->order[s->n++] = u;
                }
            }
        }
    }
}

/* Is a cut before place `at` allowed? */
static int may_cut(const search *s, uint32_t at, int groups)
{
    uint32_t i;
    uint32_t k;
    for (i = 0; i < at && groups; i++) {
        gsp_str const a = gsp_node_attr(&s->w->g, s->order[i], GSP_KEY_GROUP);
        for (k = at; k < s->n && a.data != NULL; k++) {
            gsp_str const b = gsp_node_attr(&s->w->g, s->order[k], GSP_KEY_GROUP);
            if (b.data != NULL && gsp_str_equal(a, b)) {
                return 0;
            }
        }
    }
    return s->w->m.taken[s->order[at]] == GSP_NONE;
}

static uint64_t handed_over(const search *s, uint32_t at)
{
    uint64_t sum = 0;
    uint32_t i;
    uint32_t k;
    uint32_t c;
    for (i = 0; i < at; i++) {
        uint32_t count;
        const gsp_node *users = gsp_node_users(&s->w->g, s->order[i], &count);
        int read = 0;
        for (k = at; k < s->n; k++) {
            for (c = 0; c < count; c++) {
                read |= users[c] == s->order[k];
            }
        }
        sum += read ? gsp_node_bytes(&s->w->g, s->order[i]) : 0u;
    }
    return sum;
}

/* All in one part is the graph itself, with inputs that nothing reads and those that it returns. */
static gsp_liveness_part whole_peak(const world *w, const uint64_t *scratch)
{
    gsp_node steps[MOST + 1u];
    uint32_t i;
    part p;
    for (i = 0; i < w->g.n_nodes; i++) {
        steps[i] = i;
    }
    part_init(&p, &w->m, steps, w->g.n_nodes, 1);
    return model_liveness(&p, scratch, 0);
}

static void search_init(search *s, const world *w, const uint64_t *scratch, int groups)
{
    uint32_t i;
    uint32_t k;
    memset(s, 0, sizeof(*s));
    s->w = w;
    s->scratch = scratch;
    search_order(s);
    for (i = 0; i < s->n; i++) {
        s->allowed |= (uint32_t)(i > 0u && may_cut(s, i, groups)) << i;
        s->boundary[i] = handed_over(s, i);
        for (k = i + 1u; k <= s->n; k++) {
            part p;
            part_init(&p, &w->m, s->order + i, k - i, 0);
            s->peak[i][k - 1u] = model_liveness(&p, scratch, 0).bytes;
        }
    }
    s->peak[0][s->n - 1u] = whole_peak(w, scratch).bytes;
}

/* 1 when `a` is better: fewer parts, less boundary, earlier cuts from the last on. */
static int better(const choice *a, const choice *b)
{
    if (a->parts != b->parts) {
        return a->parts < b->parts;
    }
    return a->boundary != b->boundary ? a->boundary < b->boundary : a->cuts < b->cuts;
}

/* The best of all splits; parts is 0 if none fits. */
static choice enumerate(const search *s, uint64_t budget)
{
    choice best = {0, 0, 0};
    uint32_t cuts;
    for (cuts = 0; cuts < 1u << s->n; cuts += 2u) {
        choice c = {1, 0, cuts};
        uint32_t begin = 0;
        uint32_t i;
        int fits = (cuts & ~s->allowed) == 0u;
        for (i = 1; i <= s->n && fits; i++) {
            if (i == s->n || (cuts >> i & 1u) != 0u) {
                fits = s->peak[begin][i - 1u] <= budget;
                begin = i;
                c.parts += i < s->n ? 1u : 0u;
                c.boundary += i < s->n ? s->boundary[i] : 0u;
            }
        }
        if (fits && (best.parts == 0u || better(&c, &best))) {
            best = c;
        }
    }
    return best;
}

static void check_choice(const search *s, const gsp_split_by_memory_result *r, const choice *best)
{
    uint32_t cuts = 0;
    uint32_t k;
    uint32_t i;
    T_EQUAL(r->n_parts, best->parts);
    T_EQUAL(r->boundary, best->boundary);
    T_EQUAL(r->proved, 1);
    T_CHECK(r->greedy_boundary >= r->boundary);
    for (k = 1; k < r->n_parts; k++) {
        cuts |= 1u << r->begin[k];
    }
    T_EQUAL(cuts, best->cuts);
    for (i = 0; i < s->n; i++) {
        T_EQUAL(r->nodes[i], s->order[i]);
    }
    for (k = 0; k < r->n_parts; k++) {
        T_EQUAL(r->parts[k].bytes, s->peak[r->begin[k]][r->begin[k + 1u] - 1u]);
        for (i = r->begin[k]; i < r->begin[k + 1u]; i++) {
            T_EQUAL(r->part_of[r->nodes[i]], k);
        }
    }
}

/* A part that must not be cut is above the budget: the first one in the order. */
static void check_no_fit(const search *s, const gsp_error *err, uint64_t budget)
{
    uint32_t begin;
    uint32_t end = 1;
    for (begin = 0; begin < s->n; begin = end) {
        for (end = begin + 1u; end < s->n && (s->allowed >> end & 1u) == 0u; end++) {
        }
        if (s->peak[begin][end - 1u] > budget) {
            break;
        }
    }
    T_EQUAL(err->detail, GSP_DETAIL_BUDGET);
    T_EQUAL(err->need, s->peak[begin][end - 1u]);
    T_EQUAL(err->limit, budget);
    T_CHECK(begin < s->n && err->node < s->w->g.n_nodes);
}

static void check_budget(world *w, gsp_arena *arena, const gsp_split_by_memory_desc *d, search *s)
{
    gsp_split_by_memory_result r;
    gsp_error err;
    choice const best = enumerate(s, d->budget);
    gsp_status const status = gsp_split_by_memory_run(arena, &w->g, d, &r, &err);
    if (best.parts == 0u) {
        T_EQUAL(status, GSP_STATUS_NO_FIT);
        check_no_fit(s, &err, d->budget);
        T_EQUAL(arena->low + arena->high, 0);
    } else if (T_EQUAL(status, GSP_OK)) {
        check_choice(s, &r, &best);
    }
    arena->low = 0;
}

/* Drawn budgets, and the least one for which the graph is one part. */
static void check_split(world *w)
{
    gsp_arena arena;
    gsp_split_by_memory_desc d;
    search s;
    memset(&d, 0, sizeof(d));
    d.scratch = t_chance(&w->maker.rng, 30) ? w->scratch : NULL;
    d.ignore_groups = (uint32_t)t_chance(&w->maker.rng, 30);
    search_init(&s, w, d.scratch, !d.ignore_groups);
    t_arena_open(&arena, gsp_split_by_memory_bound(&w->g, &d));
    for (d.budget = 0; d.budget < 90u && !t_failed();
         d.budget += 1u + t_below(&w->maker.rng, 12u)) {
        check_budget(w, &arena, &d, &s);
    }
    d.budget = s.peak[0][s.n - 1u];
    check_budget(w, &arena, &d, &s);
    t_arena_close(&arena);
}

/* ---- runs in an arena: no value is overwritten before its last reader ---- */

typedef struct run {
    world *w;
    gsp_memory_plan_result plan;
    uint8_t memory[1u << 15];
} run;

/* The bytes of a storage: its number, so that every other storage is poison. */
static void run_write(run *r, gsp_node s)
{
    uint32_t const t = r->plan.tensor_of[s];
    if (t != GSP_NONE) {
        memset(r->memory + r->plan.tensors[t].offset, (int)s + 1, r->plan.tensors[t].bytes);
    }
}

static int run_holds(const run *r, gsp_node s)
{
    uint32_t const t = r->plan.tensor_of[s];
    uint64_t i;
    for (i = 0; t != GSP_NONE && i < r->plan.tensors[t].bytes; i++) {
        if (r->memory[r->plan.tensors[t].offset + i] != s + 1u) {
            return 0;
        }
    }
    return 1;
}

/* Writes or checks a storage, and the elements that a call makes with it. */
static int run_all_of(run *r, gsp_node s, int write)
{
    const model *m = &r->w->m;
    int holds = 1;
    gsp_node e;
    for (e = 0; e < m->n; e++) {
        if (e == s || (m->parent[e] == s && r->plan.tensor_of[e] != GSP_NONE)) {
            if (write) {
                run_write(r, e);
            }
            holds = holds && run_holds(r, e);
        }
    }
    return holds;
}

static void run_node(run *r, gsp_node v)
{
    const model *m = &r->w->m;
    uint32_t count;
    const gsp_node *in = gsp_node_inputs(&r->w->g, v, &count);
    uint32_t i;
    for (i = 0; i < r->plan.n_tensors; i++) {
        if (r->plan.tensors[i].scratch && r->plan.tensors[i].node == v) {
            memset(r->memory + r->plan.tensors[i].offset, 0xFF, r->plan.tensors[i].bytes);
        }
    }
    for (i = 0; i < count; i++) {
        gsp_node const s = m->store[in[i]];
        if (s != GSP_NONE && m->taken[v] != in[i]) {
            T_CHECK(run_all_of(r, s, 0));
        }
    }
    if (gsp_node_is_callable(&r->w->g, v) && m->store[v] == v && m->parent[v] == GSP_NONE) {
        (void)run_all_of(r, v, 1);
    }
}

static void check_run(world *w, const gsp_memory_plan_desc *d, const gsp_node *order)
{
    run *r = (run *)t_alloc(sizeof(*r));
    gsp_arena arena;
    uint32_t i;
    r->w = w;
    t_arena_open(&arena, gsp_memory_plan_bound(&w->g, d));
    if (T_EQUAL(gsp_memory_plan_run(&arena, &w->g, d, &r->plan, NULL), GSP_OK) &&
        T_CHECK(r->plan.arena <= sizeof(r->memory))) {
        memset(r->memory, 0, sizeof(r->memory));
        for (i = 0; i < w->g.n_nodes; i++) {
            if (gsp_node_op(&w->g, i) == GSP_OP_PLACEHOLDER) {
                run_write(r, i);
            }
        }
        for (i = 0; i < w->g.n_nodes; i++) {
            run_node(r, order != NULL ? order[i] : i);
        }
    }
    t_arena_close(&arena);
    free(r);
}

static uint64_t arena_of(const world *w, const gsp_memory_plan_desc *d, uint32_t *n_in_place)
{
    gsp_memory_plan_result plan;
    gsp_arena arena;
    memset(&plan, 0, sizeof(plan));
    t_arena_open(&arena, gsp_memory_plan_bound(&w->g, d));
    T_EQUAL(gsp_memory_plan_run(&arena, &w->g, d, &plan, NULL), GSP_OK);
    *n_in_place = plan.n_in_place;
    t_arena_close(&arena);
    return plan.arena;
}

/* Results in place need at most as much as without, and overwrite nothing that is read. */
static void check_in_place(world *w)
{
    uint32_t in_place[MOST + 1u];
    gsp_memory_plan_desc d;
    uint32_t n;
    uint32_t none;
    uint32_t i;
    memset(&d, 0, sizeof(d));
    for (i = 0; i < w->g.n_nodes; i++) {
        in_place[i] = t_chance(&w->maker.rng, 70) ? t_below(&w->maker.rng, 16u) : 0u;
    }
    world_order(w, t_chance(&w->maker.rng, 50));
    d.align = 1u << t_below(&w->maker.rng, 3u);
    d.scratch = t_chance(&w->maker.rng, 30) ? w->scratch : NULL;
    d.order = t_chance(&w->maker.rng, 50) ? w->given : NULL;
    d.n_order = d.order != NULL ? w->n_given : 0u;
    uint64_t const separate = arena_of(w, &d, &none);
    d.in_place = in_place;
    T_CHECK(arena_of(w, &d, &n) <= separate);
    T_EQUAL(none, 0u);
    check_run(w, &d, d.order != NULL ? w->order : NULL);
}

/* A graph that a split runs in another order: with the order of its subgraphs the plan holds. */
static void check_split_run(world *w)
{
    gsp_support_desc support;
    gsp_split_desc split;
    gsp_placement placement;
    gsp_split_result made;
    gsp_accelerator accelerators[3];
    gsp_memory_plan_desc d;
    gsp_arena arena;
    uint32_t n = 0;
    gsp_node v;
    uint32_t i;
    memset(&support, 0, sizeof(support));
    memset(&split, 0, sizeof(split));
    memset(&d, 0, sizeof(d));
    memset(accelerators, 0, sizeof(accelerators));
    support.n_accelerators = 3;
    support.accelerators = accelerators;
    split.placement = &placement;
    split.allow_non_tensor = 1;
    split.best_start = t_below(&w->maker.rng, 2u);
    t_arena_open(&arena, gsp_support_bound(&w->g, &support) + (1u << 16));
    if (T_EQUAL(gsp_support_run(&arena, &w->g, &support, &placement, NULL), GSP_OK) &&
        T_EQUAL(gsp_split_run(&arena, &w->g, &split, &made, NULL), GSP_OK)) {
        for (v = 0; v + 1u < w->g.n_nodes; v++) {
            if (!gsp_node_is_callable(&w->g, v)) {
                w->order[n++] = v;
            }
        }
        d.order = made.nodes;
        d.n_order = made.subgraph_begin[made.n_subgraphs];
        d.part_of = made.subgraph_of;
        for (i = 0; i < d.n_order; i++) {
            w->order[n++] = made.nodes[i];
        }
        w->order[n] = n;
        check_run(w, &d, w->order);
    }
    t_arena_close(&arena);
}

/* ---- the tests ---- */

static void run_all(uint32_t graphs, uint32_t most, void (*check)(world *w), uint64_t salt)
{
    uint32_t k;
    t_rng rng;
    rng.state = t_seed ^ salt;
    for (k = 0; k < graphs && !t_failed(); k++) {
        world w;
        uint64_t const seed = t_random(&rng);
        if (world_open(&w, seed, 1u + t_below(&rng, most))) {
            check(&w);
            if (t_failed()) {
                printf("%s", w.maker.text.data);
            }
        }
        world_close(&w);
    }
}

static void check_liveness(world *w)
{
    check_one_liveness(w, 0);
    check_one_liveness(w, 1);
}

/* The enumeration wants few callable nodes. */
static void check_small_split(world *w)
{
    gsp_node v;
    uint32_t n = 0;
    for (v = 0; v < w->g.n_nodes; v++) {
        n += gsp_node_is_callable(&w->g, v) ? 1u : 0u;
    }
    if (n > 0u && n <= 10u) {
        check_split(w);
    }
}

/* ---- offsets of larger graphs ---- */

#define MANY 1200u

typedef struct crowd {
    t_rng rng;
    char text[MANY * 160u];
    uint32_t used;
    uint64_t scratch[MANY + 2u];
    uint64_t slow[2u * MANY + 4u];
    uint32_t order[2u * MANY + 4u];
} crowd;

/* All of one size, any, or any power of two. */
static uint64_t crowd_bytes(crowd *c, uint32_t sizes)
{
    return sizes == 0u   ? 48u
           : sizes == 1u ? 1u + t_below(&c->rng, 300u)
                         : (uint64_t)1u << t_below(&c->rng, 34u);
}

/* Nodes that read one or two of the `reach` before them; now and then one lives to the end. */
static void crowd_write(crowd *c, uint32_t n, uint32_t reach, uint32_t sizes)
{
    char *at = c->text;
    uint32_t i;
    at += sprintf(at, "graph():\n    %%n0 : [num_users=1] = placeholder[target=n0]  # u8[10]\n");
    for (i = 1u; i <= n; i++) {
        uint32_t const back = i < reach ? i : reach;
        at += sprintf(at,
            "    %%n%u : [num_users=1] = call_function[target=f](args = (%%n%u, %%n%u), "
            "kwargs = {})  # u8[%llu]\n",
            (unsigned)i, (unsigned)(i - 1u - t_below(&c->rng, back)),
            (unsigned)(i - 1u - t_below(&c->rng, back)), (unsigned long long)crowd_bytes(c, sizes));
        c->scratch[i] = t_chance(&c->rng, 30) ? crowd_bytes(c, sizes) : 0u;
    }
    c->scratch[0] = 0u;
    c->scratch[n + 1u] = 0u;
    at += sprintf(at, "    return (%%n%u", (unsigned)n);
    for (i = 1u; i < n; i += 1u + t_below(&c->rng, 60u)) {
        at += sprintf(at, ", %%n%u", (unsigned)i);
    }
    at += sprintf(at, ")\n");
    c->used = (uint32_t)(at - c->text);
}

static void check_crowd(crowd *c, uint32_t n, uint32_t reach, uint32_t sizes, int with_scratch)
{
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    crowd_write(c, n, reach, sizes);
    if (t_must_read(&text, c->text, &module)) {
        gsp_graph const g = gsp_module_graph(&module, 0u);
        gsp_memory_plan_desc d;
        gsp_memory_plan_result r;
        memset(&d, 0, sizeof(d));
        d.align = 1u << t_below(&c->rng, 5u);
        d.scratch = with_scratch ? c->scratch : NULL;
        t_arena_open(&arena, gsp_memory_plan_bound(&g, &d));
        if (T_EQUAL(gsp_memory_plan_run(&arena, &g, &d, &r, NULL), GSP_OK)) {
            uint32_t i;
            T_EQUAL(r.n_stacked, 0u);
            for (i = 0; i < r.n_tensors; i++) {
                uint32_t k = i;
                for (; k > 0u && r.tensors[c->order[k - 1u]].bytes < r.tensors[i].bytes; k--) {
                    c->order[k] = c->order[k - 1u];
                }
                c->order[k] = i;
            }
            for (i = 0; i < r.n_tensors; i++) {
                c->slow[c->order[i]] = lowest(&r, c->order, i, c->slow, d.align);
            }
            slow_both_ends(&r, d.align, c->slow);
            slow_by_time(&r, g.n_nodes, d.align, c->slow);
            for (i = 0; i < r.n_tensors; i++) {
                T_EQUAL(r.tensors[i].offset, c->slow[i]);
            }
        }
        t_arena_close(&arena);
    }
    t_arena_close(&text);
}

/* Graphs in which tensors live long, short and in between, beside each other. */
static void test_crowds(void)
{
    static const uint32_t reaches[] = {2u, 3u, 9u, 100u};
    crowd *c = (crowd *)t_alloc(sizeof(crowd));
    uint32_t i;
    c->rng.state = t_seed ^ 0xC407Du;
    for (i = 0; i < (t_fast ? 12u : 96u); i++) {
        check_crowd(c, MANY - t_below(&c->rng, 99u), reaches[i % 4u], i / 4u % 3u, i % 5u < 2u);
    }
    free(c);
}

static void test_liveness(void)
{
    run_all(t_fast ? 1000u : 20000u, 40u, check_liveness, 0x9EA4u);
}

static void test_memory_plan(void)
{
    run_all(t_fast ? 500u : 10000u, 40u, check_memory_plan, 0x0FF5u);
}

static void test_in_place(void)
{
    run_all(t_fast ? 1000u : 20000u, 40u, check_in_place, 0x1A9Cu);
}

static void test_split_runs(void)
{
    run_all(t_fast ? 1000u : 10000u, 40u, check_split_run, 0x5917u);
}

static void test_split_by_memory(void)
{
    run_all(t_fast ? 300u : 3000u, 14u, check_small_split, 0xB0D6u);
}

void suite_oracle_memory_plan(void)
{
    t_run("liveness", test_liveness);
    t_run("memory_plan", test_memory_plan);
    t_run("crowds", test_crowds);
    t_run("in_place", test_in_place);
    t_run("split_runs", test_split_runs);
    t_run("split_by_memory", test_split_by_memory);
}
