/* gsp_least_peak_run() and gsp_tradeoff_run() against all orders of small graphs, with reads of
 * elements, writes, barriers, scratch, phases and groups; each figure of an order against
 * gsp_liveness_run(). */
#include "examples/extra/graphsplit_order.h"
#include "tests/t.h"

#define INPUTS 3u
#define CALLS  7u
#define MOST   12u /* tasks */

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    int plain; /* no aggregates */
    uint64_t scratch[64];
    uint32_t early[64];
    uint32_t late[64];
    gsp_tasks_desc graph;
    gsp_tasks tasks;
    gsp_error err;
} subject;

/* ---- random graphs ---- */

static void put_bytes(t_string *text, t_rng *rng)
{
    t_puts(text, "u8[");
    t_number(text, 1u + t_below(rng, 30u));
    t_puts(text, "]");
}

static void put_name(t_string *text, const char *prefix, uint32_t i)
{
    t_puts(text, prefix);
    t_number(text, i);
}

/* A call, and perhaps the elements that it returns. */
static void put_call(t_string *text, t_rng *rng, uint32_t i, int tuple, int writes)
{
    put_name(text, "    %n", i);
    t_puts(text, " : [num_users=0] = call_function[target=f](args = (");
    for (uint32_t k = i == 0u ? 0u : t_below(rng, 3u); k > 0u; k--) {
        put_name(text, "%n", t_below(rng, i));
        t_puts(text, ", ");
    }
    if (writes || t_chance(rng, 70)) {
        put_name(text, "%x", i % INPUTS);
    }
    t_puts(text, "), kwargs = {})  # ");
    if (tuple) {
        t_puts(text, "tuple(");
        put_bytes(text, rng);
        t_puts(text, ", ");
        put_bytes(text, rng);
        t_puts(text, ")\n");
        for (uint32_t k = 0; k < 2u; k++) {
            put_name(text, "    %t", 2u * i + k);
            put_name(
                text, " : [num_users=0] = call_function[target=operator.getitem](args = (%n", i);
            put_name(text, ", ", k);
            t_puts(text, "), kwargs = {})  # u8[1]\n");
        }
        return;
    }
    put_bytes(text, rng);
    t_puts(text, writes ? " mutates=0\n" : t_chance(rng, 5) ? " barrier=1\n" : "\n");
}

/* The output reads the last call and some others. */
static void put_graph(t_string *text, t_rng *rng, uint32_t n, subject *s)
{
    int const tuples = t_chance(rng, 30);
    int const writes = t_chance(rng, 30);
    t_puts(text, "graph():\n");
    for (uint32_t i = 0; i < INPUTS; i++) {
        put_name(text, "    %x", i);
        t_puts(text, " : [num_users=1] = placeholder[target=x]  # ");
        put_bytes(text, rng);
        t_puts(text, "\n");
    }
    s->plain = 1;
    for (uint32_t i = 0; i < n; i++) {
        int const tuple = tuples && n < 6u && t_chance(rng, 30);
        put_call(text, rng, i, tuple, !tuple && writes && i > 0u && t_chance(rng, 30));
        s->plain = s->plain && !tuple;
    }
    t_puts(text, "    return (");
    for (uint32_t i = 0; i + 1u < n; i++) {
        if (t_chance(rng, 30)) {
            put_name(text, "%n", i);
            t_puts(text, ", ");
        }
    }
    put_name(text, "%n", n - 1u);
    t_puts(text, ",)\n");
}

/* Windows around the phases of an order: those of a call include one that works. */
static void put_phases(t_rng *rng, subject *s)
{
    uint32_t phase = 0;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        if (gsp_node_is_callable(&s->g, v)) {
            phase += phase < 2u && t_chance(rng, 50) ? 1u : 0u;
            s->early[v] = t_chance(rng, 80) ? phase % 2u : phase;
            s->late[v] = phase;
        }
    }
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        s->late[v] += phase >= s->late[v] + 2u && t_chance(rng, 80) ? 2u : 0u;
    }
    s->graph.n_phases = phase + 1u;
    s->graph.early = s->early;
    s->graph.late = s->late;
}

/* phases_of_100: how many of 100 cases have phases. */
static int open_case(t_rng *rng, uint32_t phases_of_100, subject *s)
{
    t_string text = {NULL, 0u, 0u};
    int const phases = t_chance(rng, phases_of_100);
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, (size_t)1 << 24u);
    put_graph(&text, rng, CALLS - t_below(rng, t_below(rng, CALLS) + 1u), s);
    int const read = t_must_read(&s->text, text.data, &s->module);
    t_free(&text);
    if (!read) {
        return 0;
    }
    s->g = gsp_module_graph(&s->module, 0u);
    if (phases) {
        put_phases(rng, s);
    }
    if (t_chance(rng, 30)) {
        for (gsp_node v = 0; v < s->g.n_nodes; v++) {
            s->scratch[v] =
                gsp_node_is_callable(&s->g, v) && t_chance(rng, 50) ? t_below(rng, 20u) : 0u;
        }
        s->graph.scratch = s->scratch;
    }
    return T_EQUAL(gsp_tasks_run(&s->arena, &s->g, &s->graph, &s->tasks, &s->err), GSP_OK) &&
           s->tasks.n_tasks <= MOST;
}

/* ---- all orders ---- */

/* The place of the last reader in an order; n_tasks lives to the end. */
static uint32_t last_of(const gsp_tasks *t, uint32_t tensor, const uint32_t *place, uint32_t from)
{
    uint32_t last = from;
    for (uint32_t k = t->readers.begin[tensor]; k < t->readers.begin[tensor + 1u]; k++) {
        uint32_t const reader = t->readers.at[k];
        uint32_t const at = reader == t->n_tasks ? t->n_tasks : place[reader];
        last = at > last ? at : last;
    }
    return last;
}

/* The most bytes at once, tensor by tensor. */
static uint64_t peak_of(const gsp_tasks *t, const uint32_t *order)
{
    uint64_t live[MOST + 1u] = {0};
    uint32_t place[MOST];
    uint64_t peak = t->least;
    uint8_t made[256] = {0};
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        place[order[i]] = i;
    }
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        live[place[i]] += t->extra[i];
        for (uint32_t k = t->makes.begin[i]; k < t->makes.begin[i + 1u]; k++) {
            uint32_t const tensor = t->makes.at[k];
            uint32_t const last = last_of(t, tensor, place, place[i]);
            made[tensor] = 1;
            for (uint32_t step = place[i]; step <= last; step++) {
                live[step] += t->bytes[tensor];
            }
        }
    }
    for (uint32_t i = 0; i < t->n_tensors; i++) { /* inputs that something reads */
        int const used = !made[i] && t->readers.begin[i] < t->readers.begin[i + 1u];
        uint32_t const last = used ? last_of(t, i, place, 0u) : 0u;
        for (uint32_t step = 0; used && step <= last; step++) {
            live[step] += t->bytes[i];
        }
    }
    for (uint32_t step = 0; step < t->n_tasks; step++) {
        peak = live[step] > peak ? live[step] : peak;
    }
    return peak;
}

static int may_be_next(const gsp_tasks *t, const uint8_t *done, uint32_t n, uint32_t task)
{
    uint32_t changes = 0;
    for (uint32_t i = t->n_calls; i < t->n_tasks; i++) {
        changes += done[i];
    }
    for (uint32_t k = t->before.begin[task]; k < t->before.begin[task + 1u]; k++) {
        if (!done[t->before.at[k]]) {
            return 0;
        }
    }
    return !done[task] && t->earliest[task] <= n - changes &&
           (t->kind == NULL || t->kind[task] == GSP_TASK_CHANGE || t->kind[task] == changes % 2u);
}

/* Peaks and bytes that cross, of all orders. */
typedef struct curve {
    const gsp_tradeoff_desc *d;
    uint64_t crossed[512]; /* the least by peak; UINT64_MAX if there is none */
} curve;

/* The bytes that cross in an order; UINT64_MAX if that tears a group. */
static uint64_t crossed_by(const gsp_tasks *t, const uint32_t *order, const gsp_tradeoff_desc *d)
{
    uint32_t phase[MOST] = {0};
    uint8_t crosses[MOST] = {0};
    uint64_t sum = d->fixed;
    uint32_t now = 0;
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        phase[order[i]] = now;
        now += order[i] >= t->n_calls ? 1u : 0u;
    }
    for (uint32_t i = 0; i < t->n_calls; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (d->group[i] != GSP_NONE && d->group[i] == d->group[k] && phase[i] != phase[k]) {
                return UINT64_MAX;
            }
        }
        for (uint32_t k = d->uses.begin[i]; k < d->uses.begin[i + 1u]; k++) {
            crosses[d->uses.at[k]] |= phase[i] != phase[d->uses.at[k]];
        }
    }
    for (uint32_t i = 0; i < t->n_calls; i++) {
        sum += crosses[i] ? d->bytes[i] : 0u;
    }
    return sum;
}

/* The least peak; `first`: some order, by smallest tasks; c: NULL, or a curve to fill. */
static uint64_t try_all(const gsp_tasks *t, uint32_t *first, curve *c)
{
    uint32_t order[MOST + 1u];
    uint8_t done[MOST] = {0};
    uint64_t least = UINT64_MAX;
    uint32_t depth = 0;
    order[0] = 0;
    for (;;) {
        while (depth < t->n_tasks && order[depth] < t->n_tasks &&
               !may_be_next(t, done, depth, order[depth])) {
            order[depth]++;
        }
        if (depth < t->n_tasks && order[depth] < t->n_tasks) {
            done[order[depth++]] = 1;
            order[depth] = 0;
            continue;
        }
        if (depth == t->n_tasks) {
            uint64_t const peak = peak_of(t, order);
            if (least == UINT64_MAX) {
                memcpy(first, order, depth * sizeof(uint32_t));
            }
            least = peak < least ? peak : least;
            if (c != NULL) {
                uint64_t const crossed = crossed_by(t, order, c->d);
                T_CHECK(peak < T_COUNT_OF(c->crossed));
                c->crossed[peak] = crossed < c->crossed[peak] ? crossed : c->crossed[peak];
            }
        }
        if (depth == 0u) {
            return least;
        }
        done[order[--depth]++] = 0;
    }
}

/* ---- checks ---- */

/* The order in the graph, as the library counts it. */
static void check_order(subject *s, const gsp_least_peak_result *r)
{
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    gsp_liveness_desc desc = {0};
    gsp_liveness_result live;
    gsp_node calls[64];
    T_EQUAL(r->peak, peak_of(&s->tasks, r->order));
    for (uint32_t i = 0; i < s->g.n_nodes; i++) {
        if (gsp_node_is_callable(&s->g, r->nodes[i])) {
            calls[desc.n_order++] = r->nodes[i];
        }
    }
    desc.order = calls;
    desc.scratch = s->graph.scratch;
    T_EQUAL(gsp_liveness_run(&s->arena, &s->g, &desc, &live, &s->err), GSP_OK);
    T_CHECK(s->plain ? live.parts[0].bytes == r->peak : live.parts[0].bytes >= r->peak);
    gsp_arena_rewind(&s->arena, mark);
}

static uint32_t check_case(t_rng *rng, subject *s)
{
    uint32_t first[MOST] = {0};
    uint64_t const least = try_all(&s->tasks, first, NULL);
    gsp_least_peak_desc desc = {0};
    gsp_least_peak_result r;
    desc.start = first;
    T_EQUAL(gsp_least_peak_run(&s->arena, &s->tasks, &desc, &r, &s->err), GSP_OK);
    T_EQUAL(r.peak, least);
    T_CHECK(r.proved && r.lower_bound == least);
    check_order(s, &r);
    uint32_t const better = least < peak_of(&s->tasks, first) ? 1u : 0u;
    desc.start = s->tasks.kind != NULL ? first : NULL;
    desc.rule = t_below(rng, 9u);
    desc.beam = 1u + t_below(rng, 3u);
    desc.tries = 1u + t_below(rng, 9u);
    T_EQUAL(gsp_least_peak_run(&s->arena, &s->tasks, &desc, &r, &s->err), GSP_OK);
    T_CHECK(r.peak >= least && r.lower_bound <= least && r.proved == (r.peak == r.lower_bound));
    check_order(s, &r);
    desc.beam = 0;
    desc.max_states = 1;
    T_EQUAL(gsp_least_peak_run(&s->arena, &s->tasks, &desc, &r, &s->err), GSP_OK);
    check_order(s, &r);
    return better;
}

/* What crosses of a graph, at random; some calls of a kind in groups. */
typedef struct crossing {
    uint32_t begin[MOST + 1u];
    uint32_t at[MOST * MOST];
    uint64_t bytes[MOST];
    uint32_t group[MOST];
    gsp_tradeoff_desc d;
} crossing;

static void draw_crossing(t_rng *rng, const gsp_tasks *t, crossing *x)
{
    memset(x, 0, sizeof(*x));
    for (uint32_t i = 0; i < t->n_tasks; i++) {
        x->begin[i + 1u] = x->begin[i];
        for (uint32_t k = t->before.begin[i]; i < t->n_calls && k < t->before.begin[i + 1u]; k++) {
            if (t->before.at[k] < t->n_calls && t_chance(rng, 80)) {
                x->at[x->begin[i + 1u]++] = t->before.at[k];
            }
        }
        x->bytes[i] = i < t->n_calls && t_chance(rng, 80) ? t_below(rng, 30u) : 0u;
        x->group[i] = GSP_NONE;
        if (i < t->n_calls && t->kind != NULL && t_chance(rng, 30)) {
            x->group[i] = t->kind[i]; /* below n_tasks, if there are two phases */
        }
    }
    x->d.uses.begin = x->begin;
    x->d.uses.at = x->at;
    x->d.bytes = x->bytes;
    x->d.group = x->group;
    x->d.fixed = t_below(rng, 9u);
    x->d.max_bytes = (uint64_t)1 << 20u;
    x->d.most_peak = t_chance(rng, 20) ? 20u + t_below(rng, 90u) : 0u;
}

/* All points of the curve, and no others. */
static uint32_t check_points(
    const gsp_tasks *t, const crossing *x, const curve *c, const gsp_tradeoff_result *r)
{
    uint64_t least = UINT64_MAX;
    uint32_t n = 0;
    for (uint32_t peak = 0; peak < T_COUNT_OF(c->crossed); peak++) {
        if (c->crossed[peak] < least && (x->d.most_peak == 0u || peak <= x->d.most_peak)) {
            least = c->crossed[peak];
            if (T_CHECK(n < r->n_points)) {
                T_EQUAL(r->points[n].peak, peak);
                T_EQUAL(r->points[n].crossed, least);
                T_EQUAL(peak_of(t, r->points[n].order), peak);
                T_EQUAL(crossed_by(t, r->points[n].order, &x->d), least);
                n++;
            }
        }
    }
    T_EQUAL(r->n_points, n);
    T_CHECK(r->complete);
    return n;
}

/* The least weighted sum. */
static void check_best(const crossing *x, const curve *c, const gsp_tradeoff_result *r)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t peak = 0; peak < T_COUNT_OF(c->crossed); peak++) {
        if (c->crossed[peak] != UINT64_MAX && (x->d.most_peak == 0u || peak <= x->d.most_peak)) {
            uint64_t const sum = x->d.weight_peak * peak + x->d.weight_crossed * c->crossed[peak];
            least = sum < least ? sum : least;
        }
    }
    T_CHECK(r->complete && (r->best == GSP_NONE) == (least == UINT64_MAX));
    if (r->best != GSP_NONE) {
        const gsp_tradeoff_point *p = &r->points[r->best];
        T_EQUAL(x->d.weight_peak * p->peak + x->d.weight_crossed * p->crossed, least);
    }
}

static uint32_t check_curve(t_rng *rng, subject *s)
{
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    uint32_t first[MOST] = {0};
    crossing x;
    curve c = {&x.d, {0}};
    gsp_tradeoff_result r;
    memset(c.crossed, 0xFF, sizeof(c.crossed));
    draw_crossing(rng, &s->tasks, &x);
    (void)try_all(&s->tasks, first, &c);
    if (t_chance(rng, 50) && crossed_by(&s->tasks, first, &x.d) != UINT64_MAX) {
        x.d.starts = first;
        x.d.n_starts = 1;
    }
    T_EQUAL(gsp_tradeoff_run(&s->arena, &s->tasks, &x.d, &r, &s->err), GSP_OK);
    uint32_t const n = check_points(&s->tasks, &x, &c, &r);
    for (uint32_t i = 0; i < 3u; i++) {
        gsp_arena_rewind(&s->arena, mark);
        x.d.weight_peak = i == 1u ? 0u : 1u + t_below(rng, 4u);
        x.d.weight_crossed = i == 2u ? 0u : 1u + t_below(rng, 4u);
        T_EQUAL(gsp_tradeoff_run(&s->arena, &s->tasks, &x.d, &r, &s->err), GSP_OK);
        check_best(&x, &c, &r);
    }
    gsp_arena_rewind(&s->arena, mark);
    return n > 1u ? 1u : 0u;
}

static void test_tradeoff(void)
{
    t_rng rng = {t_seed};
    uint32_t const n = t_fast ? 150u : 2000u;
    uint32_t curves = 0;
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        subject s;
        if (open_case(&rng, 90, &s)) {
            curves += check_curve(&rng, &s);
        }
        t_arena_close(&s.arena);
        t_arena_close(&s.text);
    }
    T_CHECK(curves > n / 200u); /* with several points */
}

static void test_random(void)
{
    t_rng rng = {t_seed};
    uint32_t const n = t_fast ? 150u : 2000u;
    uint32_t better = 0;
    uint32_t phases = 0;
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        subject s;
        if (open_case(&rng, 30, &s)) {
            better += check_case(&rng, &s);
            phases += s.tasks.n_tasks > s.tasks.n_calls ? 1u : 0u;
        }
        t_arena_close(&s.arena);
        t_arena_close(&s.text);
    }
    T_CHECK(better > n / 10u && phases > n / 20u);
}

void suite_oracle_least_peak(void)
{
    t_run("random", test_random);
    t_run("tradeoff", test_tradeoff);
}
