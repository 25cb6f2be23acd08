/* Plans of intervals against all orders of small instances, first fit against a scan of all places,
 * and tensors that do not fit against all sets without one of them. */
#include "examples/extra/graphsplit_intervals.h"
#include "tests/oracle/oracle.h"

#define SMALL 5u
#define MOST  300u
#define STEPS 12u
#define PAIRS 64u

typedef struct instance {
    gsp_tensor t[MOST];
    uint32_t aligns[MOST];
    uint32_t fixed[MOST];
    uint32_t resumed[MOST];
    uint32_t set[MOST]; /* the first tensor of the address of an entry */
    uint32_t together[2u * PAIRS];
    uint32_t apart[2u * PAIRS];
    uint64_t offset[MOST]; /* of a set, by its first tensor */
    uint8_t in[MOST];      /* 1 if the set takes part */
    /* of sets, by their first tensors: */
    uint64_t bytes[MOST];
    uint64_t align[MOST];
    uint32_t fixed_by[MOST];      /* a tensor, or GSP_NONE */
    uint8_t excludes[MOST][MOST]; /* 1 if two are live together, or apart */
    gsp_intervals_desc d;
} instance;

/* ---- what a plan must keep, by definition ---- */

/* 1 if an entry of each is live at the same step. */
static void mark_live(instance *w)
{
    for (uint32_t i = 0; i < w->d.n_tensors; i++) {
        for (uint32_t k = 0; k < w->d.n_tensors; k++) {
            if (w->t[i].begin <= w->t[k].end && w->t[k].begin <= w->t[i].end) {
                w->excludes[w->set[i]][w->set[k]] = 1;
            }
        }
    }
}

/* What the sets are, once their members are known. */
static void describe(instance *w)
{
    memset(w->excludes, 0, sizeof(w->excludes));
    mark_live(w);
    for (uint32_t p = 0; p < w->d.n_apart; p++) {
        uint32_t const a = w->set[w->apart[2u * p]];
        uint32_t const b = w->set[w->apart[2u * p + 1u]];
        w->excludes[a][b] = w->excludes[b][a] = 1;
    }
    for (uint32_t i = 0; i < w->d.n_tensors; i++) {
        w->bytes[i] = 0;
        w->align[i] = 1;
        w->fixed_by[i] = GSP_NONE;
    }
    for (uint32_t i = 0; i < w->d.n_tensors; i++) {
        uint32_t const set = w->set[i];
        uint64_t const align = w->resumed[i] == 0u ? w->aligns[i] : 1u;
        w->bytes[set] = w->t[i].bytes > w->bytes[set] ? w->t[i].bytes : w->bytes[set];
        w->align[set] = align > w->align[set] ? align : w->align[set];
        w->fixed_by[set] = w->fixed[i] != 0u ? i : w->fixed_by[set];
    }
}

static uint32_t list_sets(const instance *w, uint32_t *sets)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->d.n_tensors; i++) {
        if (w->set[i] == i && w->in[i] != 0u) {
            sets[n++] = i;
        }
    }
    return n;
}

static int collides(const instance *w, uint32_t a, uint32_t b)
{
    uint64_t const size[2] = {w->bytes[a], w->bytes[b]};
    return size[0] != 0u && size[1] != 0u && w->offset[a] < w->offset[b] + size[1] &&
           w->offset[b] < w->offset[a] + size[0] && w->excludes[a][b] != 0u;
}

/* Places sets in this order, the fixed ones before all, each as low as it fits. */
static uint64_t place(instance *w, const uint32_t *order, uint32_t n)
{
    uint64_t top = 0;
    for (uint32_t pass = 0; pass < 2u; pass++) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t const from = w->fixed_by[order[i]];
            int clear = (from != GSP_NONE) != (pass == 0u);
            uint64_t const end = w->bytes[order[i]];
            if (clear) {
                continue;
            }
            w->offset[order[i]] = from != GSP_NONE ? w->t[from].offset : 0u;
            for (clear = from != GSP_NONE; !clear;) {
                clear = 1;
                for (uint32_t k = 0; k < n; k++) {
                    int const before = k < i || w->fixed_by[order[k]] != GSP_NONE;
                    clear = before && k != i && collides(w, order[i], order[k]) ? 0 : clear;
                }
                w->offset[order[i]] += clear ? 0u : w->align[order[i]];
            }
            top = end != 0u && w->offset[order[i]] + end > top ? w->offset[order[i]] + end : top;
        }
    }
    return top;
}

/* The least height over all orders (Heap's algorithm). */
static uint64_t least(instance *w)
{
    uint32_t order[SMALL] = {0};
    uint32_t count[SMALL] = {0};
    uint32_t const n = list_sets(w, order);
    uint64_t best = place(w, order, n);
    for (uint32_t i = 0; i < n;) {
        if (count[i] < i) {
            uint32_t const j = i % 2u == 0u ? 0u : count[i];
            uint32_t const id = order[j];
            order[j] = order[i];
            order[i] = id;
            uint64_t const top = place(w, order, n);
            best = top < best ? top : best;
            count[i]++;
            i = 0;
        } else {
            count[i++] = 0;
        }
    }
    return best;
}

/* The most bytes over all steps, with the first of them. */
static gsp_intervals_peak peak_of(const instance *w, uint32_t steps)
{
    gsp_intervals_peak peak = {0, 0};
    for (uint32_t step = 0; step < steps; step++) {
        uint64_t live = 0;
        for (uint32_t set = 0; set < w->d.n_tensors; set++) {
            int any = 0;
            for (uint32_t i = 0; i < w->d.n_tensors && w->set[set] == set && w->in[set]; i++) {
                any |= w->set[i] == set && w->t[i].begin <= step && step <= w->t[i].end;
            }
            live += any ? w->bytes[set] : 0u;
        }
        peak.step = live > peak.bytes ? step : peak.step;
        peak.bytes = live > peak.bytes ? live : peak.bytes;
    }
    return peak;
}

/* ---- instances ---- */

/* Makes one set of two, under the smaller number. */
static void join(instance *w, uint32_t a, uint32_t b)
{
    uint32_t const keep = w->set[a] < w->set[b] ? w->set[a] : w->set[b];
    uint32_t const drop = w->set[a] < w->set[b] ? w->set[b] : w->set[a];
    for (uint32_t i = 0; i < w->d.n_tensors; i++) {
        w->set[i] = w->set[i] == drop ? keep : w->set[i];
    }
}

static void add_pairs(instance *w, t_rng *rng, uint32_t n_together, uint32_t n_apart)
{
    for (; n_together > 0u; n_together--) {
        uint32_t *pair = &w->together[2u * w->d.n_together++];
        pair[0] = t_below(rng, w->d.n_tensors);
        pair[1] = t_below(rng, w->d.n_tensors);
        join(w, pair[0], pair[1]);
    }
    for (; n_apart > 0u; n_apart--) {
        uint32_t *pair = &w->apart[2u * w->d.n_apart];
        pair[0] = t_below(rng, w->d.n_tensors);
        pair[1] = t_below(rng, w->d.n_tensors);
        w->d.n_apart += w->set[pair[0]] != w->set[pair[1]] ? 1u : 0u;
    }
}

/* Fixes some sets where they do not collide with those before. */
static void fix_some(instance *w, t_rng *rng, uint32_t percent)
{
    for (uint32_t i = 0; i < w->d.n_tensors; i++) {
        if (w->resumed[i] == 0u && t_chance(rng, percent)) {
            uint32_t const set = w->set[i];
            uint32_t const by = w->fixed_by[set];
            w->t[i].offset = by != GSP_NONE ? w->t[by].offset : t_below(rng, 20u);
            w->offset[set] = w->t[i].offset;
            w->fixed[i] = 1;
            for (uint32_t k = 0; k < w->d.n_tensors; k++) {
                int const other = w->set[k] == k && k != set && w->fixed_by[k] != GSP_NONE;
                w->fixed[i] = other && collides(w, set, k) ? 0u : w->fixed[i];
            }
            w->fixed_by[set] = w->fixed[i] != 0u ? i : by;
        }
    }
}

static void add_tensors(instance *w, t_rng *rng, uint32_t n, uint32_t steps, uint32_t life)
{
    int const mixed = t_chance(rng, 50);
    memset(w, 0, sizeof(*w));
    memset(w->in, 1, sizeof(w->in));
    while (w->d.n_tensors < n) {
        uint32_t const i = w->d.n_tensors++;
        gsp_tensor *t = &w->t[i];
        w->resumed[i] = i > 0u && t[-1].end + 2u < steps && t_chance(rng, 20);
        t->begin = w->resumed[i] ? t[-1].end + 1u + t_below(rng, 3u) : t_below(rng, steps);
        t->end = t->begin + t_below(rng, life);
        t->bytes = w->resumed[i] ? t[-1].bytes : t_chance(rng, 5) ? 0u : 1u + t_below(rng, 9u);
        w->aligns[i] = mixed && w->resumed[i] == 0u ? 1u << t_below(rng, 3u) : 1u;
        w->set[i] = w->resumed[i] ? w->set[i - 1u] : i;
    }
    w->d.tensors = w->t;
    w->d.aligns = w->aligns;
    w->d.fixed = w->fixed;
    w->d.resumed = w->resumed;
    w->d.together = w->together;
    w->d.apart = w->apart;
}

static void small_instance(instance *w, t_rng *rng)
{
    uint32_t sets[MOST];
    do {
        add_tensors(w, rng, 1u + t_below(rng, 9u), STEPS, 4u);
        add_pairs(w, rng, t_below(rng, 3u), t_below(rng, 4u));
    } while (list_sets(w, sets) > SMALL);
    describe(w);
    fix_some(w, rng, t_chance(rng, 30) ? 30u : 0u);
}

/* ---- comparisons ---- */

static void check_plan(instance *w, const uint64_t *offsets, uint64_t bytes)
{
    uint32_t sets[MOST];
    uint32_t const n = list_sets(w, sets);
    uint64_t top = 0;
    for (uint32_t i = 0; i < w->d.n_tensors; i++) {
        uint32_t const set = w->set[i];
        w->offset[set] = offsets[set];
        T_EQUAL(offsets[i], offsets[set]);
        T_CHECK(w->fixed[i] == 0u || offsets[i] == w->t[i].offset);
        T_CHECK(w->fixed_by[set] != GSP_NONE || offsets[i] % w->align[set] == 0u);
        top = w->t[i].bytes != 0u && offsets[i] + w->bytes[set] > top ? offsets[i] + w->bytes[set]
                                                                      : top;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            T_CHECK(!collides(w, sets[i], sets[k]));
        }
    }
    T_EQUAL(bytes, top);
}

static gsp_intervals_result run(const gsp_intervals_desc *d, gsp_arena *arena)
{
    gsp_intervals_result r;
    memset(&r, 0, sizeof(r));
    t_arena_open(arena, gsp_intervals_bound(d));
    T_EQUAL(gsp_intervals_run(arena, d, &r, NULL), GSP_OK);
    return r;
}

static void test_all_orders(void)
{
    static instance w;
    t_rng rng = {t_seed};
    for (uint32_t k = 0; k < (t_fast ? 150u : 4000u) && !t_failed(); k++) {
        gsp_arena arena;
        small_instance(&w, &rng);
        uint64_t const best = least(&w);
        gsp_intervals_result r = run(&w.d, &arena);
        gsp_intervals_peak const peak = peak_of(&w, 2u * STEPS);
        T_EQUAL(r.bytes, best);
        T_EQUAL(r.lower_bound, best);
        T_CHECK(r.peak.bytes == peak.bytes && r.peak.step == peak.step);
        check_plan(&w, r.offsets, r.bytes);
        t_arena_close(&arena);
        w.d.max_work = 1u + t_below(&rng, 20u);
        w.d.capacity = t_below(&rng, 30u);
        r = run(&w.d, &arena);
        T_CHECK(r.lower_bound <= best && r.bytes >= best && r.bytes <= r.fit);
        check_plan(&w, r.offsets, r.bytes);
        t_arena_close(&arena);
    }
}

static int by_size(const instance *w, uint32_t a, uint32_t b)
{
    int const fixed[2] = {w->fixed_by[a] != GSP_NONE, w->fixed_by[b] != GSP_NONE};
    uint64_t const size[2] = {w->bytes[a], w->bytes[b]};
    return fixed[0] != fixed[1] ? fixed[0] : size[0] != size[1] ? size[0] > size[1] : a < b;
}

/* First fit as its description says; many blocks, many slices. */
static void test_first_fit(void)
{
    static instance w;
    t_rng rng = {t_seed + 1u};
    for (uint32_t k = 0; k < (t_fast ? 6u : 100u) && !t_failed(); k++) {
        uint32_t const steps = t_chance(&rng, 50) ? 40u : 900u;
        gsp_intervals_fit r;
        gsp_arena arena;
        uint32_t order[MOST];
        add_tensors(&w, &rng, 1u + t_below(&rng, k % 2u == 0u ? MOST - 1u : 40u), steps,
            t_chance(&rng, 50) ? 6u : steps);
        add_pairs(&w, &rng, t_below(&rng, 20u), t_below(&rng, PAIRS));
        describe(&w);
        fix_some(&w, &rng, 2);
        uint32_t const n = list_sets(&w, order);
        for (uint32_t i = 1; i < n; i++) {
            for (uint32_t j = i; j > 0u && by_size(&w, order[j], order[j - 1u]); j--) {
                uint32_t const id = order[j];
                order[j] = order[j - 1u];
                order[j - 1u] = id;
            }
        }
        uint64_t const bytes = place(&w, order, n);
        memset(&r, 0, sizeof(r));
        t_arena_open(&arena, gsp_intervals_fit_bound(&w.d));
        T_EQUAL(gsp_intervals_fit_run(&arena, &w.d, &r, NULL), GSP_OK);
        T_EQUAL(r.bytes, bytes);
        for (uint32_t i = 0; i < w.d.n_tensors; i++) {
            T_EQUAL(r.offsets[i], w.offset[w.set[i]]);
        }
        t_arena_close(&arena);
    }
}

/* Leaves all sets in that are listed, but one. */
static void take(instance *w, const gsp_intervals_misfit *m, uint32_t but)
{
    memset(w->in, 0, sizeof(w->in));
    for (uint32_t i = 0; i < m->n; i++) {
        w->in[m->tensors[i]] = i != but;
    }
}

static void check_misfit(instance *w, const gsp_intervals_misfit *m, uint64_t capacity)
{
    take(w, m, GSP_NONE);
    T_CHECK(m->n == 0u || least(w) > capacity);
    gsp_intervals_peak const peak = peak_of(w, 2u * STEPS);
    T_CHECK(m->peak.bytes == peak.bytes && m->peak.step == peak.step);
    for (uint32_t i = 0; i < m->n; i++) {
        T_CHECK(w->set[m->tensors[i]] == m->tensors[i]);
        T_CHECK(i == 0u || w->bytes[m->tensors[i - 1u]] >= w->bytes[m->tensors[i]]);
        take(w, m, i);
        T_CHECK(m->minimal == 0u || least(w) <= capacity);
    }
    memset(w->in, 1, sizeof(w->in));
}

static void test_misfit(void)
{
    static instance w;
    t_rng rng = {t_seed + 2u};
    uint32_t n_searched = 0;
    uint32_t n_open = 0;
    for (uint32_t k = 0; k < (t_fast ? 300u : 6000u) && !t_failed(); k++) {
        gsp_intervals_misfit m;
        gsp_arena arena;
        small_instance(&w, &rng);
        uint64_t const best = least(&w);
        uint64_t const peak = peak_of(&w, 2u * STEPS).bytes;
        w.d.capacity = t_chance(&rng, 50) && best != 0u ? best - 1u : t_below(&rng, 25u);
        int const whole = t_chance(&rng, 50);
        w.d.max_work = !whole ? 1u + t_below(&rng, 30u) : k % 2u == 0u ? 0u : UINT64_MAX;
        memset(&m, 0, sizeof(m));
        t_arena_open(&arena, gsp_intervals_misfit_bound(&w.d));
        T_EQUAL(gsp_intervals_misfit_run(&arena, &w.d, &m, NULL), GSP_OK);
        T_CHECK(best > w.d.capacity || m.n == 0u);
        T_CHECK(best <= w.d.capacity || m.n != 0u || !whole);
        T_CHECK(m.n == 0u || m.minimal != 0u || !whole);
        check_misfit(&w, &m, w.d.capacity);
        n_searched += m.n > 1u && peak <= w.d.capacity ? 1u : 0u;
        n_open += m.n != 0u && m.minimal == 0u ? 1u : 0u;
        t_arena_close(&arena);
    }
    T_CHECK(n_searched > (t_fast ? 0u : 50u));
    T_CHECK(t_fast || n_open > 5u);
}

void suite_oracle_intervals(void)
{
    t_run("all_orders", test_all_orders);
    t_run("first_fit", test_first_fit);
    t_run("misfit", test_misfit);
}
