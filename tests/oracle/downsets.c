/* Stages of random units beside all stages that there are: each unit in any stage, each stage on
 * any devices or a core, costs summed as the words say it. */
#include "examples/extra/graphsplit_downsets.h"
#include "tests/t.h"

#define UNITS  5u
#define VALUES 6u
#define STAGES 4u

typedef struct instance {
    gsp_downsets_units u;
    gsp_downsets_desc d;
    uint32_t after_begin[UNITS + 1u];
    uint32_t after[UNITS * UNITS];
    uint32_t value_begin[UNITS + 1u];
    uint32_t values[UNITS * VALUES];
    int comes[UNITS][UNITS];
    int has[VALUES][UNITS];
    gsp_downsets_weight own[UNITS];
    gsp_downsets_weight shared[VALUES];
    uint32_t held[STAGES];
    uint32_t start[UNITS];
} instance;

/* Stages, and where they run. */
typedef struct layout {
    uint32_t n;
    uint32_t stage_of[UNITS];
    uint32_t n_devices[STAGES];
} layout;

static instance c;
static unsigned char memory[1u << 20];

/* ---- random units ---- */

static void random_weight(t_rng *rng, gsp_downsets_weight *w, int is_unit)
{
    memset(w, 0, sizeof *w);
    w->bytes = t_below(rng, 8u);
    w->sync = t_below(rng, 5u);
    w->stash = t_below(rng, 4u);
    if (is_unit) {
        w->time = t_below(rng, 20u);
        w->host = t_below(rng, 30u);
        w->no_device = (uint32_t)t_chance(rng, 10u);
        w->no_host = (uint32_t)t_chance(rng, 20u);
    } else {
        w->move = t_below(rng, 5u);
    }
}

static void random_units(t_rng *rng)
{
    uint32_t n_after = 0;
    uint32_t n_values = 0;
    memset(&c, 0, sizeof c);
    c.u.n = t_below(rng, UNITS + 1u);
    c.u.n_values = t_below(rng, VALUES + 1u);
    for (uint32_t i = 0; i < c.u.n; i++) {
        for (uint32_t k = i + 1u; k < c.u.n; k++) {
            c.comes[i][k] = t_chance(rng, 35u);
            c.after[n_after] = k;
            n_after += (uint32_t)c.comes[i][k];
        }
        for (uint32_t v = 0; v < c.u.n_values; v++) {
            c.has[v][i] = t_chance(rng, 45u);
            c.values[n_values] = v;
            n_values += (uint32_t)c.has[v][i];
        }
        c.after_begin[i + 1u] = n_after;
        c.value_begin[i + 1u] = n_values;
        random_weight(rng, &c.own[i], 1);
    }
    for (uint32_t v = 0; v < c.u.n_values; v++) {
        random_weight(rng, &c.shared[v], 0);
    }
    c.u.after.begin = c.after_begin;
    c.u.after.at = c.after;
    c.u.values.begin = c.value_begin;
    c.u.values.at = c.values;
    c.u.own = c.own;
    c.u.shared = c.shared;
}

/* Any number that depends on the stage, at most 30. */
static uint64_t peak_of(void *user, const uint8_t *place)
{
    uint64_t sum = 0;
    (void)user;
    for (uint32_t i = 0; i < c.u.n; i++) {
        sum += place[i] == 1u ? i + 2u : place[i] == 2u ? 1u : 0u;
    }
    return sum;
}

static void random_desc(t_rng *rng)
{
    gsp_downsets_desc *d = &c.d;
    d->n_devices = 1u + t_below(rng, 3u);
    d->n_cores = t_chance(rng, 40u) ? 1u : 0u;
    d->exact = (uint32_t)t_chance(rng, 20u);
    d->replicas = (uint32_t)t_chance(rng, 40u);
    d->carried = (uint32_t)t_chance(rng, 30u);
    d->by_bytes = (uint32_t)t_chance(rng, 30u);
    d->microbatches = t_below(rng, 7u);
    d->copies = t_below(rng, 3u);
    d->memory = t_chance(rng, 50u) ? 20u + t_below(rng, 60u) : 0u;
    d->first_time = t_below(rng, 5u);
    d->last_time = t_below(rng, 5u);
    if (t_chance(rng, 30u)) {
        d->peak = peak_of;
        d->peak_most = 30;
        d->peak_work = t_below(rng, 3u);
    }
    if (t_chance(rng, 30u)) {
        d->held = c.held;
        for (uint32_t i = STAGES; i-- > 0u;) {
            c.held[i] = t_below(rng, 3u) + (i + 1u < STAGES ? c.held[i + 1u] : 0u);
        }
    }
}

/* ---- what stages cost ---- */

static int is_order(const layout *l)
{
    for (uint32_t i = 0; i < c.u.n; i++) {
        for (uint32_t k = i + 1u; k < c.u.n; k++) {
            if (c.comes[i][k] && l->stage_of[i] > l->stage_of[k]) {
                return 0;
            }
        }
    }
    return 1;
}

/* Whether a value has a unit in stages `from` to `last`. */
static int is_in(const layout *l, uint32_t v, uint32_t from, uint32_t last)
{
    for (uint32_t i = 0; i < c.u.n; i++) {
        if (c.has[v][i] && l->stage_of[i] >= from && l->stage_of[i] <= last) {
            return 1;
        }
    }
    return 0;
}

static void add_value(const layout *l, uint32_t v, uint32_t s, gsp_downsets_weight *sum)
{
    int const here = is_in(l, v, s, s);
    int const before = s > 0u && is_in(l, v, 0, s - 1u);
    int const beyond = is_in(l, v, s + 1u, STAGES);
    const gsp_downsets_weight *w = &c.shared[v];
    sum->bytes += here ? w->bytes : 0u;
    sum->sync += here ? w->sync : 0u;
    if (c.d.carried) {
        sum->stash += here || (before && beyond) ? w->stash : 0u;
        sum->move += before && (here || beyond) ? w->move : 0u;
        sum->move += (before || here) && beyond ? w->move : 0u;
    } else {
        sum->stash += here ? w->stash : 0u;
        sum->move += here && (before || beyond) ? w->move : 0u;
    }
}

static gsp_downsets_weight sum_of(const layout *l, uint32_t s)
{
    gsp_downsets_weight sum;
    memset(&sum, 0, sizeof sum);
    for (uint32_t i = 0; i < c.u.n; i++) {
        if (l->stage_of[i] == s) {
            sum.time += c.own[i].time;
            sum.host += c.own[i].host;
            sum.bytes += c.own[i].bytes;
            sum.sync += c.own[i].sync;
            sum.stash += c.own[i].stash;
            sum.no_device |= c.own[i].no_device;
            sum.no_host |= c.own[i].no_host;
        }
    }
    for (uint32_t v = 0; v < c.u.n_values; v++) {
        add_value(l, v, s, &sum);
    }
    return sum;
}

static uint64_t divided(uint64_t a, uint64_t b)
{
    return (a + b - 1u) / b;
}

static uint64_t peak_at(const layout *l, uint32_t s)
{
    uint8_t place[UNITS];
    for (uint32_t i = 0; i < c.u.n; i++) {
        place[i] = l->stage_of[i] < s ? 0u : l->stage_of[i] == s ? 1u : 2u;
    }
    return c.d.peak != NULL ? peak_of(NULL, place) : 0u;
}

static uint64_t cost_of(const layout *l, uint32_t s, const gsp_downsets_weight *w, uint64_t peak)
{
    const gsp_downsets_desc *d = &c.d;
    uint64_t const n = l->n_devices[s];
    uint64_t const extra = (s == 0u ? d->first_time : 0u) + (s + 1u == l->n ? d->last_time : 0u);
    uint64_t rest = 0;
    for (uint32_t i = s; i < l->n; i++) {
        rest += l->n_devices[i];
    }
    if (n == 0u) {
        return w->no_host ? UINT64_MAX : d->by_bytes ? 0u : w->host + extra;
    }
    if (w->no_device || (n > 1u && (!d->replicas || d->microbatches % n != 0u))) {
        return UINT64_MAX;
    }
    uint64_t held = rest < d->microbatches ? rest : d->microbatches;
    held = d->held != NULL ? d->held[d->n_devices - rest] : held;
    uint64_t const bytes =
        w->bytes * (d->copies != 0u ? d->copies : 1u) + w->stash * divided(held, n) + peak;
    uint64_t ticks = divided(w->time + w->move + extra, n);
    if (n > 1u && d->microbatches != 0u) {
        ticks += divided(w->sync * 4u, n * d->microbatches) * (n - 1u);
    }
    return d->memory != 0u && bytes > d->memory ? UINT64_MAX : d->by_bytes ? bytes : ticks;
}

/* Sums and peaks of the stages, on whatever they run. */
typedef struct sums {
    gsp_downsets_weight of[STAGES];
    uint64_t peak[STAGES];
} sums;

static void find_sums(const layout *l, sums *made)
{
    for (uint32_t s = 0; s < l->n; s++) {
        made->of[s] = sum_of(l, s);
        made->peak[s] = peak_at(l, s);
    }
}

/* The bottleneck; UINT64_MAX if it does not fit. */
static uint64_t bottleneck(const layout *l, const sums *of)
{
    uint64_t most = 0;
    uint32_t devices = 0;
    uint32_t cores = 0;
    for (uint32_t s = 0; s < l->n; s++) {
        devices += l->n_devices[s];
        cores += l->n_devices[s] == 0u ? 1u : 0u;
    }
    if (devices > c.d.n_devices || cores > c.d.n_cores || (c.d.exact && devices < c.d.n_devices)) {
        return UINT64_MAX;
    }
    for (uint32_t s = 0; s < l->n; s++) {
        uint64_t const cost = cost_of(l, s, &of->of[s], of->peak[s]);
        most = cost > most ? cost : most;
    }
    return most;
}

/* ---- all stages ---- */

/* The next digits below `base`; 0 after the last. */
static int next_digits(uint32_t *digits, uint32_t n, uint32_t base)
{
    for (uint32_t i = 0; i < n; i++) {
        if (++digits[i] < base) {
            return 1;
        }
        digits[i] = 0;
    }
    return 0;
}

/* All stages 0 .. n - 1 have units. */
static int find_stages(layout *l)
{
    uint32_t found = 0;
    l->n = 0;
    for (uint32_t i = 0; i < c.u.n; i++) {
        found |= 1u << l->stage_of[i];
        l->n = l->stage_of[i] >= l->n ? l->stage_of[i] + 1u : l->n;
    }
    return found == (1u << l->n) - 1u;
}

static uint64_t best_of_all(void)
{
    uint64_t best = UINT64_MAX;
    layout l;
    sums of;
    memset(&l, 0, sizeof l);
    do {
        if (!find_stages(&l) || l.n > c.d.n_devices + c.d.n_cores || !is_order(&l)) {
            continue;
        }
        find_sums(&l, &of);
        memset(l.n_devices, 0, sizeof l.n_devices);
        do {
            uint64_t const found = bottleneck(&l, &of);
            best = found < best ? found : best;
        } while (next_digits(l.n_devices, l.n, c.d.n_devices + 1u));
    } while (next_digits(l.stage_of, c.u.n, STAGES));
    return best;
}

/* ---- the search ---- */

static uint64_t own_bottleneck(const gsp_downsets_result *r)
{
    layout l;
    sums of;
    l.n = r->n_stages;
    memcpy(l.stage_of, r->stage_of, c.u.n * sizeof *l.stage_of);
    memcpy(l.n_devices, r->n_devices, l.n * sizeof *l.n_devices);
    find_sums(&l, &of);
    return T_CHECK(is_order(&l)) ? bottleneck(&l, &of) : 0u;
}

static int run(gsp_downsets_result *r)
{
    gsp_arena arena;
    size_t const bound = gsp_downsets_bound(&c.u, &c.d);
    gsp_arena_init(&arena, memory, bound);
    return T_CHECK(bound <= sizeof memory) &&
           T_EQUAL(gsp_downsets_run(&arena, &c.u, &c.d, r, NULL), GSP_OK);
}

/* What the result says of itself, and of the best of all. */
static void check(const gsp_downsets_result *r, uint64_t best)
{
    T_CHECK(r->objective >= best);
    T_CHECK(r->lower_bound <= best);
    if (r->n_stages != 0u) {
        T_EQUAL(own_bottleneck(r), r->objective);
    } else {
        T_CHECK(c.u.n == 0u || r->objective == UINT64_MAX);
    }
    if (r->complete) {
        T_EQUAL(r->objective, best);
    }
}

static void test_all(void)
{
    t_rng rng;
    rng.state = t_seed ^ 0xD0u;
    for (uint32_t i = 0; i < (t_fast ? 60u : 1000u) && !t_failed(); i++) {
        gsp_downsets_result r;
        random_units(&rng);
        random_desc(&rng);
        if (run(&r)) {
            T_CHECK(r.complete);
            check(&r, best_of_all());
        }
    }
}

/* With less work, fewer sets, and stages to begin with. */
static void test_some(void)
{
    t_rng rng;
    rng.state = t_seed ^ 0xD1u;
    for (uint32_t i = 0; i < (t_fast ? 60u : 1000u) && !t_failed(); i++) {
        gsp_downsets_result r;
        random_units(&rng);
        random_desc(&rng);
        c.d.max_sets = t_chance(&rng, 70u) ? c.u.n + 1u + t_below(&rng, 12u) : 0u;
        c.d.max_work = t_chance(&rng, 50u) ? 1u + t_below(&rng, 400u) : 0u;
        uint64_t const best = best_of_all();
        if (!run(&r)) {
            return;
        }
        check(&r, best);
        uint32_t single = r.n_stages;
        for (uint32_t s = 0; s < r.n_stages; s++) {
            single -= r.n_devices[s] == 1u ? 1u : 0u;
        }
        if (single == 0u && r.n_stages != 0u) { /* it is where another search begins */
            uint64_t const known = r.objective;
            memcpy(c.start, r.stage_of, c.u.n * sizeof *c.start);
            c.d.start = c.start;
            c.d.n_start = r.n_stages;
            c.d.start_objective = known;
            c.d.max_work = 0;
            T_CHECK(run(&r));
            check(&r, best);
            T_CHECK(r.objective <= known);
        }
    }
}

void suite_oracle_downsets(void)
{
    t_run("all", test_all);
    t_run("some", test_some);
}
