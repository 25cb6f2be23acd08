/* Nodes on the CPU and two accelerators, one after the other and side by side, against all choices
 * of small graphs: each with the cheapest order of its subgraphs, or with all its schedules. */
#include "examples/extra/graphsplit_offload.h"
#include "tests/oracle/oracle.h"

#define MOST  9u
#define KINDS 3u
#define STEPS 48u

typedef struct step {
    uint32_t what;
    uint32_t resource; /* of a step of no time too: it does not run while another one does */
    gsp_node node;
    uint64_t length;
    uint64_t tail;
    uint64_t before; /* set of steps */
} step;

typedef struct subject {
    oracle_placed o;
    uint8_t can[KINDS][256];
    uint64_t ticks[KINDS][256];
    uint64_t move[256];
    uint64_t launch[KINDS];
    uint8_t start[256];
    const uint8_t *cans[KINDS];
    const uint64_t *columns[KINDS];
    const uint8_t *starts[1];
    gsp_sides_desc desc;
    /* The oracle's own view. */
    uint32_t n_units;
    uint32_t unit[256];    /* of a callable node */
    uint32_t reads[MOST];  /* sets of units */
    uint8_t allowed[MOST]; /* set of kinds */
    uint8_t at[MOST];
    step steps[STEPS];
    uint32_t n_steps;
} subject;

static int is_called(const subject *s, gsp_node v)
{
    return gsp_node_is_callable(&s->o.graph, v);
}

static uint32_t kind_of(const subject *s, gsp_node v)
{
    return is_called(s, v) ? s->at[s->unit[v]] : 0u;
}

/* ---- units: nodes of a group, and all that such nodes reach and that reach them ---- */

static void close_reach(uint8_t reach[MOST][MOST], uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t a = 0; a < n; a++) {
            for (uint32_t b = 0; b < n; b++) {
                reach[a][b] |= (uint8_t)(reach[a][k] & reach[k][b]);
            }
        }
    }
}

static void make_units(subject *s)
{
    uint8_t reach[MOST][MOST];
    uint32_t const n = s->o.c.n;
    memset(reach, 0, sizeof(reach));
    memset(s->reads, 0, sizeof(s->reads));
    for (uint32_t a = 0; a < n; a++) {
        uint32_t const group = s->desc.group[s->o.ids.call[a]];
        for (uint32_t b = 0; b < n; b++) {
            reach[a][b] |= (uint8_t)(s->o.c.in[a] >> b & 1u);
            reach[a][b] |=
                a == b || (group != GSP_NONE && group == s->desc.group[s->o.ids.call[b]]);
        }
    }
    close_reach(reach, n);
    s->n_units = 0;
    for (uint32_t a = 0; a < n; a++) {
        uint32_t same = a;
        for (uint32_t b = n; b > 0; b--) {
            same = reach[a][b - 1u] && reach[b - 1u][a] && b - 1u < a ? b - 1u : same;
        }
        s->unit[s->o.ids.call[a]] = same < a ? s->unit[s->o.ids.call[same]] : s->n_units++;
    }
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < n; b++) {
            uint32_t const of = s->unit[s->o.ids.call[b]];
            if ((s->o.c.in[a] >> b & 1u) != 0u && s->unit[s->o.ids.call[a]] != of) {
                s->reads[s->unit[s->o.ids.call[a]]] |= 1u << of;
            }
        }
    }
}

static void allow_kinds(subject *s)
{
    for (uint32_t u = 0; u < s->n_units; u++) {
        s->allowed[u] = (uint8_t)((1u << s->desc.n_kinds) - 1u);
        for (uint32_t a = 0; a < s->o.c.n; a++) {
            gsp_node const v = s->o.ids.call[a];
            for (uint32_t p = 0; p < s->desc.n_kinds && s->unit[v] == u; p++) {
                s->allowed[u] &= (uint8_t)(s->can[p][v] != 0 ? 255u : ~(1u << p));
            }
        }
        s->allowed[u] = s->allowed[u] != 0 ? s->allowed[u] : 1u;
    }
}

/* The next choice that is allowed; 0 after the last. Begins with kind 0 everywhere, and back. */
static int next_choice(subject *s)
{
    for (;;) {
        uint32_t u = 0;
        uint32_t good = 1;
        while (u < s->n_units && ++s->at[u] == s->desc.n_kinds) {
            s->at[u++] = 0;
        }
        if (u == s->n_units) {
            return 0;
        }
        for (u = 0; u < s->n_units; u++) {
            good &= s->allowed[u] >> s->at[u] & 1u;
        }
        if (good != 0) {
            return 1;
        }
    }
}

/* Whether the present choice, kind 0 everywhere, is one. */
static int first_choice(subject *s)
{
    uint32_t good = 1;
    memset(s->at, 0, sizeof(s->at));
    for (uint32_t u = 0; u < s->n_units; u++) {
        good &= s->allowed[u] & 1u;
    }
    return good != 0 || next_choice(s);
}

/* ---- one after the other ---- */

static uint64_t moves_of(const subject *s, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(&s->o.graph, v, &n);
    uint32_t const from = kind_of(s, v);
    uint64_t sum = 0;
    uint32_t there = 0; /* set of kinds */
    for (uint32_t i = 0; i < n; i++) {
        there |= 1u << kind_of(s, users[i]);
    }
    there &= ~(1u << from);
    for (uint32_t p = 1; p < s->desc.n_kinds; p++) {
        sum += there >> p & 1u;
    }
    return sum + (from != 0 && there != 0 ? 1u : 0u);
}

/* Without launches. */
static uint64_t serial(const subject *s)
{
    uint64_t sum = 0;
    for (gsp_node v = 0; v < s->o.graph.n_nodes; v++) {
        if (gsp_node_op(&s->o.graph, v) != GSP_OP_GET_ATTR) {
            sum += is_called(s, v) ? s->ticks[kind_of(s, v)][v] : 0u;
            sum += s->move[v] * moves_of(s, v);
        }
    }
    return sum;
}

static uint32_t closed(const subject *s, uint32_t done, uint32_t kind)
{
    uint32_t before;
    do {
        before = done;
        for (uint32_t u = 0; u < s->n_units; u++) {
            if (s->at[u] == kind && (s->reads[u] & ~done) == 0u) {
                done |= 1u << u;
            }
        }
    } while (done != before);
    return done;
}

/* The launches of the cheapest order of subgraphs. */
static uint64_t launches(const subject *s)
{
    uint64_t cost[1u << MOST];
    uint32_t const all = (1u << s->n_units) - 1u;
    memset(cost, 0xFF, sizeof(cost));
    cost[closed(s, 0, 0)] = 0;
    for (uint32_t done = 0; done < all; done++) {
        for (uint32_t p = 1; p < s->desc.n_kinds && cost[done] != UINT64_MAX; p++) {
            uint32_t const run = closed(s, done, p);
            uint32_t const then = closed(s, run, 0);
            uint64_t const sum = cost[done] + s->launch[p];
            cost[then] = run != done && sum < cost[then] ? sum : cost[then];
        }
    }
    return cost[all];
}

static uint64_t least_serial(subject *s)
{
    uint64_t least = UINT64_MAX;
    int any = first_choice(s);
    while (any) {
        uint64_t const sum = serial(s);
        if (sum < least) {
            uint64_t const time = sum + launches(s);
            least = time < least ? time : least;
        }
        any = next_choice(s);
    }
    return least;
}

/* ---- side by side ---- */

static uint32_t add_step(subject *s, uint32_t what, uint32_t resource, gsp_node v, uint64_t length)
{
    step *made = &s->steps[s->n_steps];
    memset(made, 0, sizeof(*made));
    made->what = what;
    made->resource = resource;
    made->node = v;
    made->length = length;
    return s->n_steps++;
}

static void add_before(subject *s, uint32_t at, uint32_t before)
{
    if (before != GSP_NONE) {
        s->steps[at].before |= (uint64_t)1 << before;
    }
}

/* The step of such a thing, or GSP_NONE. */
static uint32_t find_step(const subject *s, uint32_t what, uint32_t resource, gsp_node v)
{
    for (uint32_t i = 0; i < s->n_steps; i++) {
        const step *at = &s->steps[i];
        if (at->what == what && at->node == v &&
            (resource == GSP_NONE || at->resource == resource)) {
            return i;
        }
    }
    return GSP_NONE;
}

/* What somebody on a kind waits for to have the value. */
static uint32_t arrival(subject *s, gsp_node v, uint32_t kind)
{
    uint32_t const from = kind_of(s, v);
    uint32_t const channels = s->desc.n_kinds - 1u;
    uint32_t last = find_step(s, GSP_OVERLAP_NODE, GSP_NONE, v);
    if (from == kind || s->move[v] == 0) {
        return last;
    }
    if (from != 0) {
        uint32_t out = find_step(s, GSP_OVERLAP_OUT, GSP_NONE, v);
        if (out == GSP_NONE) {
            out = add_step(s, GSP_OVERLAP_OUT, channels + from, v, s->move[v]);
            add_before(s, out, last);
        }
        last = out;
    }
    if (kind != 0) {
        uint32_t in = find_step(s, GSP_OVERLAP_IN, channels + kind, v);
        if (in == GSP_NONE) {
            in = add_step(s, GSP_OVERLAP_IN, channels + kind, v, s->move[v]);
            add_before(s, in, last);
        }
        last = in;
    }
    return last;
}

/* How often paths to units enter a kind; a unit reads only units before it in some order. */
static void count_entries(const subject *s, uint32_t kind, uint32_t level[MOST])
{
    memset(level, 0, MOST * sizeof(*level));
    for (uint32_t turn = 0; turn < s->n_units; turn++) {
        for (uint32_t u = 0; u < s->n_units; u++) {
            uint32_t most = s->at[u] == kind ? 1u : 0u;
            for (uint32_t w = 0; w < s->n_units; w++) {
                if ((s->reads[u] >> w & 1u) != 0u) {
                    uint32_t const enters = s->at[u] == kind && s->at[w] != kind;
                    most = level[w] + enters > most ? level[w] + enters : most;
                }
            }
            level[u] = most;
        }
    }
}

static void make_steps(subject *s)
{
    uint32_t level[KINDS][MOST];
    uint32_t launched[KINDS][MOST + 1u];
    s->n_steps = 0;
    for (uint32_t p = 1; p < s->desc.n_kinds; p++) {
        uint32_t most = 0;
        count_entries(s, p, level[p]);
        for (uint32_t u = 0; u < s->n_units; u++) {
            most = s->at[u] == p && level[p][u] > most ? level[p][u] : most;
        }
        for (uint32_t i = 1; i <= most && s->launch[p] != 0; i++) {
            launched[p][i] = add_step(s, GSP_OVERLAP_LAUNCH, p, GSP_NONE, s->launch[p]);
            add_before(s, launched[p][i], i > 1u ? launched[p][i - 1u] : GSP_NONE);
        }
    }
    for (gsp_node v = 0; v < s->o.graph.n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&s->o.graph, v, &n);
        uint32_t const p = kind_of(s, v);
        uint64_t before = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (gsp_node_op(&s->o.graph, in[i]) != GSP_OP_GET_ATTR) {
                uint32_t const there = arrival(s, in[i], p);
                before |= there != GSP_NONE ? (uint64_t)1 << there : 0u;
            }
        }
        if (is_called(s, v)) {
            uint32_t const made = add_step(s, GSP_OVERLAP_NODE, p, v, s->ticks[p][v]);
            s->steps[made].before = before;
            if (p != 0 && s->launch[p] != 0) {
                add_before(s, made, launched[p][level[p][s->unit[v]]]);
            }
        }
    }
    for (uint32_t i = s->n_steps; i > 0; i--) {
        s->steps[i - 1u].tail += s->steps[i - 1u].length;
        for (uint32_t k = 0; k < i; k++) {
            uint64_t const tail = s->steps[i - 1u].tail;
            if ((s->steps[i - 1u].before >> k & 1u) != 0u && tail > s->steps[k].tail) {
                s->steps[k].tail = tail;
            }
        }
    }
}

/* A schedule of the first `depth` steps, in the order in which they begin. */
typedef struct partial {
    uint64_t end[STEPS];
    uint64_t free[2u * KINDS];
    uint64_t done;
    uint64_t last; /* begin */
    uint32_t next; /* candidate */
} partial;

/* The earliest begin of a step after `last`, or UINT64_MAX if it cannot be next. */
static uint64_t begin_of(const subject *s, const partial *at, uint32_t i)
{
    const step *made = &s->steps[i];
    uint64_t begin = at->last;
    if ((at->done >> i & 1u) != 0u || (made->before & ~at->done) != 0u) {
        return UINT64_MAX;
    }
    for (uint32_t k = 0; k < s->n_steps; k++) {
        begin = (made->before >> k & 1u) != 0u && at->end[k] > begin ? at->end[k] : begin;
    }
    return at->free[made->resource] > begin ? at->free[made->resource] : begin;
}

/* The least makespan of the present choice if it is below `best`. */
static uint64_t least_makespan_below(const subject *s, uint64_t best)
{
    static partial stack[STEPS + 1u];
    uint32_t depth = 0;
    memset(&stack[0], 0, sizeof(stack[0]));
    for (;;) {
        partial *at = &stack[depth];
        uint32_t const i = at->next++;
        if (depth == s->n_steps) {
            uint64_t end = 0;
            for (uint32_t k = 0; k < s->n_steps; k++) {
                end = at->end[k] > end ? at->end[k] : end;
            }
            best = end < best ? end : best;
        }
        if (depth == s->n_steps || i == s->n_steps) {
            if (depth == 0) {
                return best;
            }
            depth--;
            continue;
        }
        uint64_t const begin = begin_of(s, at, i);
        if (begin != UINT64_MAX && begin + s->steps[i].tail < best) {
            partial *then = &stack[++depth];
            *then = *at;
            then->end[i] = begin + s->steps[i].length;
            then->done |= (uint64_t)1 << i;
            then->last = begin;
            then->next = 0;
            then->free[s->steps[i].resource] = then->end[i];
        }
    }
}

static uint64_t least_makespan(subject *s)
{
    uint64_t least = UINT64_MAX;
    int any = first_choice(s);
    while (any) {
        uint64_t load[2u * KINDS] = {0};
        uint64_t bound = 0;
        make_steps(s);
        for (uint32_t i = 0; i < s->n_steps; i++) {
            const step *at = &s->steps[i];
            uint64_t const sum = load[at->resource] += at->length;
            bound = sum > bound ? sum : bound;
            bound = at->tail > bound ? at->tail : bound;
        }
        least = bound < least ? least_makespan_below(s, least) : least;
        any = next_choice(s);
    }
    return least;
}

/* ---- judged ---- */

static int build(t_rng *rng, subject *s, uint32_t most)
{
    int const times = t_chance(rng, 60);
    uint32_t const zeros = t_chance(rng, 50) ? 30u : 0u; /* percent of nodes that take no time */
    oracle_random_pair(rng, most, &s->o.c);
    if (!oracle_place(&s->o) || s->o.c.n == 0u ||
        !T_EQUAL(
            gsp_split_run(&s->o.arena, &s->o.graph, &s->o.options, &s->o.split, NULL), GSP_OK)) {
        return 0;
    }
    s->desc.n_kinds = 2u + (uint32_t)t_chance(rng, 50);
    for (uint32_t p = 0; p < KINDS; p++) {
        s->launch[p] = times ? t_below(rng, 6u) : 0u;
        s->cans[p] = s->can[p];
        s->columns[p] = s->ticks[p];
    }
    for (gsp_node v = 0; v < s->o.graph.n_nodes; v++) {
        for (uint32_t p = 0; p < KINDS; p++) {
            s->can[p][v] = (uint8_t)t_chance(rng, p == 0 ? 90u : 70u);
            s->ticks[p][v] = t_chance(rng, zeros) ? 0u : t_below(rng, p == 0 ? 20u : 10u);
        }
        s->move[v] = t_below(rng, 4u);
        s->start[v] = (uint8_t)t_below(rng, s->desc.n_kinds);
    }
    s->starts[0] = s->start;
    s->desc.can = s->cans;
    s->desc.ticks = s->columns;
    s->desc.launch = times || t_chance(rng, 50) ? s->launch : NULL;
    s->desc.move = s->move;
    s->desc.group = s->o.split.group;
    s->desc.starts = s->starts;
    s->desc.n_starts = (uint32_t)t_chance(rng, 50);
    s->desc.max_arcs = 4000u;
    s->desc.max_work = 0u;
    s->desc.given = NULL;
    make_units(s);
    allow_kinds(s);
    return 1;
}

/* Takes over the kinds of nodes, which have to be a choice. */
static void take(subject *s, const uint8_t *kind)
{
    for (gsp_node v = 0; v < s->o.graph.n_nodes; v++) {
        if (is_called(s, v)) {
            s->at[s->unit[v]] = kind[v];
        }
    }
    for (gsp_node v = 0; v < s->o.graph.n_nodes; v++) {
        T_EQUAL(kind[v], is_called(s, v) ? s->at[s->unit[v]] : GSP_KIND_NONE);
    }
    for (uint32_t u = 0; u < s->n_units; u++) {
        T_CHECK((s->allowed[u] >> s->at[u] & 1u) != 0u);
    }
}

static int run_serial(subject *s, gsp_sides_result *r)
{
    gsp_arena arena;
    size_t const bound = gsp_sides_bound(&s->o.graph, &s->desc);
    gsp_arena_init(&arena, gsp_arena_push(&s->o.arena, bound, 1u), bound);
    return T_EQUAL(gsp_sides_run(&arena, &s->o.graph, &s->desc, r, NULL), GSP_OK);
}

/* Phases are an order in which subgraphs work, and cost what the result says. */
static void check_phases(const subject *s, const uint32_t *phase, uint64_t time, uint32_t n)
{
    uint64_t sum = serial(s);
    uint32_t n_subgraphs = 0;
    for (uint32_t at = 0; at < 2u * MOST + 2u; at++) {
        uint32_t kind = GSP_NONE;
        for (gsp_node v = 0; v < s->o.graph.n_nodes; v++) {
            if (is_called(s, v) && phase[v] == at) {
                T_CHECK(kind == GSP_NONE || kind == kind_of(s, v));
                kind = kind_of(s, v);
            }
        }
        n_subgraphs += kind != GSP_NONE && kind != 0;
        sum += kind != GSP_NONE && kind != 0 ? s->launch[kind] : 0u;
    }
    for (uint32_t a = 0; a < s->o.c.n; a++) {
        for (uint32_t b = 0; b < s->o.c.n; b++) {
            T_CHECK((s->o.c.in[a] >> b & 1u) == 0u ||
                    phase[s->o.ids.call[b]] <= phase[s->o.ids.call[a]]);
        }
    }
    T_EQUAL(n_subgraphs, n);
    T_EQUAL(sum, time);
}

/* The time of given kinds, which may be no choice. */
static void check_given(subject *s)
{
    gsp_sides_result r;
    s->desc.given = s->start;
    if (run_serial(s, &r)) {
        take(s, r.kind);
        check_phases(s, r.phase, r.time, r.n_subgraphs);
        T_CHECK(r.lower_bound == 0u && r.reference == r.time);
    }
    s->desc.given = NULL;
}

static void check_serial(t_rng *rng, subject *s, uint32_t tally[3])
{
    gsp_sides_result r;
    uint64_t const least = least_serial(s);
    if (!run_serial(s, &r)) {
        return;
    }
    take(s, r.kind);
    check_phases(s, r.phase, r.time, r.n_subgraphs);
    T_CHECK(r.lower_bound <= least && least <= r.time);
    T_CHECK(r.time <= r.reference && r.time <= r.cpu_only);
    tally[0]++;
    tally[1] += least == r.time;
    tally[2] += r.lower_bound == r.time;
    check_given(s);
    for (uint32_t most = 100u; most <= 10000u; most *= 10u) { /* the work ends anywhere */
        s->desc.max_work = 1u + t_below(rng, most);
        if (run_serial(s, &r)) {
            take(s, r.kind);
            T_CHECK(r.lower_bound <= least && least <= r.time);
        }
    }
}

static void test_serial(void)
{
    t_rng rng = {t_seed + 53u};
    uint32_t const n = t_fast ? 200u : 1000u;
    uint32_t tally[3] = {0u}; /* judged, optimal, proved */
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.o.arena, (size_t)1 << 23u);
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        if (build(&rng, &s, MOST)) {
            check_serial(&rng, &s, tally);
        }
    }
    T_CHECK(tally[0] > n / 2u && tally[1] * 100u >= tally[0] * 95u);
    T_CHECK(tally[2] * 100u >= tally[0] * 75u);
    t_arena_close(&s.o.arena);
}

static int run_overlap(subject *s, gsp_overlap_result *r)
{
    gsp_arena arena;
    size_t const bound = gsp_overlap_bound(&s->o.graph, &s->desc);
    gsp_arena_init(&arena, gsp_arena_push(&s->o.arena, bound, 1u), bound);
    return T_EQUAL(gsp_overlap_run(&arena, &s->o.graph, &s->desc, r, NULL), GSP_OK);
}

/* The step of the result for one of the oracle: launches in their order. */
static const gsp_overlap_step *match(const subject *s, const gsp_overlap_result *r, uint32_t i)
{
    const step *made = &s->steps[i];
    uint32_t skip = 0;
    for (uint32_t k = 0; k < i; k++) {
        skip += made->what == (uint32_t)GSP_OVERLAP_LAUNCH && s->steps[k].what == made->what &&
                s->steps[k].resource == made->resource;
    }
    for (uint32_t k = 0; k < r->n_steps; k++) {
        const gsp_overlap_step *at = &r->steps[k];
        if (at->what == made->what && at->node == made->node && at->resource == made->resource &&
            skip-- == 0u) {
            return at;
        }
    }
    return NULL;
}

/* The schedule has all steps of its choice, each after what it waits for, apart on resources. */
static void check_schedule(subject *s, const gsp_overlap_result *r)
{
    uint64_t end = 0;
    uint64_t busy[2u * KINDS] = {0};
    make_steps(s);
    T_EQUAL(r->n_steps, s->n_steps);
    for (uint32_t i = 0; i < s->n_steps && !t_failed(); i++) {
        const gsp_overlap_step *at = match(s, r, i);
        if (!T_CHECK(at != NULL) || !T_EQUAL(at->end - at->begin, s->steps[i].length)) {
            return;
        }
        end = at->end > end ? at->end : end;
        for (uint32_t k = 0; k < i; k++) {
            T_CHECK((s->steps[i].before >> k & 1u) == 0u || match(s, r, k)->end <= at->begin);
        }
        busy[at->resource] += s->steps[i].length;
    }
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const gsp_overlap_step *a = &r->steps[i];
        T_CHECK(i == 0 || a[-1].begin <= a->begin);
        for (uint32_t k = 0; k < i; k++) {
            const gsp_overlap_step *b = &r->steps[k];
            T_CHECK(a->resource != b->resource || a->end <= b->begin || b->end <= a->begin);
        }
    }
    for (uint32_t k = 0; k < r->n_resources; k++) {
        T_EQUAL(busy[k], r->busy[k]);
    }
    T_EQUAL(end, r->makespan);
}

static void check_overlap(t_rng *rng, subject *s, uint32_t tally[3])
{
    gsp_overlap_result r;
    uint64_t const least = least_makespan(s);
    if (!run_overlap(s, &r)) {
        return;
    }
    take(s, r.kind);
    check_schedule(s, &r);
    T_CHECK(r.path <= least && r.share <= least && r.makespan <= r.reference);
    T_EQUAL(r.makespan, least);
    T_EQUAL(r.lower_bound, least);
    tally[0]++;
    tally[1] += r.path == least || r.share == least;
    for (uint32_t most = 100u; most <= 10000u; most *= 10u) { /* the work ends anywhere */
        s->desc.max_work = 1u + t_below(rng, most);
        s->desc.given = t_chance(rng, 30) ? s->start : NULL;
        if (run_overlap(s, &r)) {
            take(s, r.kind);
            check_schedule(s, &r);
            T_CHECK(r.lower_bound <= least && least <= r.makespan);
        }
    }
}

static void test_overlap(void)
{
    t_rng rng = {t_seed + 59u};
    uint32_t const n = t_fast ? 150u : 1000u;
    uint32_t tally[3] = {0u}; /* judged, with a tight bound */
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.o.arena, (size_t)1 << 23u);
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        if (build(&rng, &s, 5u)) {
            check_overlap(&rng, &s, tally);
        }
    }
    T_CHECK(tally[0] > n / 2u && tally[1] * 2u > tally[0]);
    t_arena_close(&s.o.arena);
}

void suite_oracle_sides(void)
{
    t_run("serial", test_serial);
    t_run("overlap", test_overlap);
}
