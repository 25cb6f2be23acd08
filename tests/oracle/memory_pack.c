/* The search for small plans against all orders of small instances, and against rectangles that are
 * cut into tensors without waste. */
#include "tests/oracle/oracle.h"

#define SMALL 6u
#define LARGE 40u
#define MOST  200u

typedef struct instance {
    gsp_tensor t[MOST];
    uint32_t aligns[MOST];
    uint32_t fixed[MOST];
    uint64_t offsets[MOST];
    uint32_t resumed[MOST]; /* 1 for the tensor before, after a gap */
    uint32_t n;
} instance;

static int meet(const instance *w, const uint64_t *offsets, uint32_t a, uint32_t b)
{
    return w->t[a].bytes > 0u && w->t[b].bytes > 0u && w->t[a].begin <= w->t[b].end &&
           w->t[b].begin <= w->t[a].end && offsets[a] < offsets[b] + w->t[b].bytes &&
           offsets[b] < offsets[a] + w->t[a].bytes;
}

static uint64_t height(const instance *w, const uint64_t *offsets)
{
    uint64_t most = 0;
    uint32_t i;
    for (i = 0; i < w->n; i++) {
        uint64_t const end = w->t[i].bytes > 0u ? offsets[i] + w->t[i].bytes : 0u;
        most = end > most ? end : most;
    }
    return most;
}

static int valid(const instance *w, const uint64_t *offsets)
{
    uint32_t i;
    uint32_t j;
    for (i = 0; i < w->n; i++) {
        for (j = 0; j < i; j++) {
            if (meet(w, offsets, i, j)) {
                return 0;
            }
        }
        if (w->resumed[i] != 0u) {
            if (offsets[i] != offsets[i - 1u]) {
                return 0;
            }
        } else if (w->fixed[i] ? offsets[i] != w->t[i].offset : offsets[i] % w->aligns[i] != 0u) {
            return 0;
        }
    }
    return 1;
}

/* 1 if the stretches of `id` meet none of those of `other`. */
static int is_clear(const instance *w, uint32_t id, uint32_t other)
{
    uint32_t i = id;
    uint32_t j;
    do {
        j = other;
        do {
            if (meet(w, w->offsets, i, j)) {
                return 0;
            }
        } while (++j < w->n && w->resumed[j] != 0u);
    } while (++i < w->n && w->resumed[i] != 0u);
    return 1;
}

static void set_offset(instance *w, uint32_t id, uint64_t offset)
{
    do {
        w->offsets[id] = offset;
    } while (++id < w->n && w->resumed[id] != 0u);
}

/* Places tensors in this order, each as low as it fits beside the fixed ones and those before. */
static void place(instance *w, const uint32_t *order, uint32_t n)
{
    uint32_t i;
    uint32_t j;
    for (i = 0; i < n; i++) {
        if (w->fixed[order[i]] != 0u) {
            set_offset(w, order[i], w->t[order[i]].offset);
        }
    }
    for (i = 0; i < n; i++) {
        uint32_t const id = order[i];
        uint64_t offset = 0;
        int clear = w->fixed[id] != 0u;
        while (!clear) {
            clear = 1;
            set_offset(w, id, offset);
            for (j = 0; j < n; j++) {
                uint32_t const o = order[j];
                if ((j < i || w->fixed[o] != 0u) && o != id && !is_clear(w, id, o)) {
                    clear = 0;
                }
            }
            offset += w->aligns[id];
        }
    }
}

/* The least height over all orders (Heap's algorithm). */
static uint64_t least(instance *w)
{
    uint32_t order[SMALL];
    uint32_t count[SMALL] = {0};
    uint32_t n = 0;
    uint64_t best;
    uint32_t i;
    for (i = 0; i < w->n; i++) {
        if (w->resumed[i] == 0u) {
            order[n++] = i;
        }
    }
    place(w, order, n);
    best = height(w, w->offsets);
    for (i = 0; i < n;) {
        if (count[i] < i) {
            uint32_t const j = i % 2u == 0u ? 0u : count[i];
            uint32_t const id = order[j];
            order[j] = order[i];
            order[i] = id;
            place(w, order, n);
            best = height(w, w->offsets) < best ? height(w, w->offsets) : best;
            count[i]++;
            i = 0;
        } else {
            count[i++] = 0;
        }
    }
    return best;
}

/* Some plan to start with: tensors stacked on the fixed ones. */
static void stack(instance *w)
{
    uint64_t top = 64;
    uint32_t i;
    for (i = 0; i < w->n; i++) {
        if (w->resumed[i] != 0u) {
            w->t[i].offset = w->t[i - 1u].offset;
        } else if (w->fixed[i] == 0u) {
            w->t[i].offset = top;
            top += (w->t[i].bytes + 7u) / 8u * 8u;
        }
    }
}

static gsp_memory_pack_result pack(
    const instance *w, uint64_t capacity, uint64_t max_work, uint64_t *offsets)
{
    gsp_memory_pack_desc d;
    gsp_memory_pack_result r;
    gsp_arena arena;
    memset(&d, 0, sizeof(d));
    d.aligns = w->aligns;
    d.fixed = w->fixed;
    d.capacity = capacity;
    d.max_work = max_work;
    d.resumed = w->resumed;
    memset(&r, 0, sizeof(r));
    t_arena_open(&arena, gsp_memory_pack_bound(w->n, &d));
    T_EQUAL(gsp_memory_pack_run(&arena, w->t, w->n, &d, &r, NULL), GSP_OK);
    memcpy(offsets, r.offsets, w->n * sizeof(offsets[0]));
    t_arena_close(&arena);
    T_CHECK(valid(w, offsets));
    T_EQUAL(r.bytes, height(w, offsets));
    T_CHECK(r.lower_bound <= r.bytes);
    return r;
}

/* A fixed tensor, unless that meets one before. */
static void fix(instance *w, uint32_t id, uint64_t offset)
{
    uint32_t i;
    w->fixed[id] = 1;
    w->t[id].offset = offset;
    set_offset(w, id, offset);
    for (i = 0; i < id; i++) {
        w->fixed[id] = w->fixed[i] && !is_clear(w, i, id) ? 0u : w->fixed[id];
    }
}

/* The same tensor some steps later. */
static void resume(instance *w, t_rng *rng)
{
    gsp_tensor *t = &w->t[w->n];
    *t = t[-1];
    t->begin = t[-1].end + 1u + t_below(rng, 4u);
    t->end = t->begin + t_below(rng, 3u);
    w->aligns[w->n] = 1;
    w->offsets[w->n] = t->offset;
    w->resumed[w->n++] = 1;
}

static void random_instance(instance *w, t_rng *rng)
{
    int const mixed = t_chance(rng, 50);
    int const has_gaps = t_chance(rng, 50);
    uint32_t n = 1u + t_below(rng, SMALL);
    memset(w, 0, sizeof(*w));
    for (; n > 0u; n--) {
        uint32_t const id = w->n++;
        gsp_tensor *t = &w->t[id];
        t->bytes = t_chance(rng, 5) ? 0u : 1u + t_below(rng, 9u);
        t->begin = t_below(rng, 8u);
        t->end = t->begin + t_below(rng, 4u);
        w->aligns[id] = mixed ? 1u << t_below(rng, 4u) : 1u;
        while (has_gaps && w->n < LARGE && t_chance(rng, 50)) {
            resume(w, rng);
        }
        if (mixed && t_chance(rng, 20)) {
            fix(w, id, t_below(rng, 20u));
        }
    }
    stack(w);
}

static void test_all_orders(void)
{
    t_rng rng = {t_seed};
    uint64_t offsets[LARGE];
    instance w;
    uint32_t i;
    for (i = 0; i < (t_fast ? 100u : 3000u) && !t_failed(); i++) {
        uint64_t best;
        gsp_memory_pack_result r;
        random_instance(&w, &rng);
        best = least(&w);
        r = pack(&w, 0, 0, offsets);
        T_EQUAL(r.bytes, best);
        T_EQUAL(r.lower_bound, best);
        r = pack(&w, 0, 1u + t_below(&rng, 200u), offsets);
        T_CHECK(r.bytes >= best && r.lower_bound <= best && r.bytes <= height(&w, offsets));
        r = pack(&w, best, 0, offsets);
        T_CHECK(r.bytes == best && r.lower_bound <= best);
        if (best > 1u) {
            r = pack(&w, best - 1u, 0, offsets);
            T_CHECK(r.lower_bound > best - 1u);
        }
    }
}

/* Cuts a rectangle of 64 steps into n tensors more, so that its bytes suffice. */
static void cut_rectangle(instance *w, uint32_t begin, uint32_t bytes, uint32_t n, t_rng *rng)
{
    uint32_t const first = w->n++;
    memset(&w->t[first], 0, sizeof(w->t[first]));
    w->t[first].bytes = bytes;
    w->t[first].begin = begin;
    w->t[first].end = begin + 63u;
    while (w->n < first + n) {
        gsp_tensor *t = &w->t[first + t_below(rng, w->n - first)];
        gsp_tensor *other = &w->t[w->n];
        *other = *t;
        if (t_chance(rng, 50) && t->bytes > 1u) {
            t->bytes = 1u + t_below(rng, (uint32_t)t->bytes - 1u);
            other->bytes -= t->bytes;
            w->n++;
        } else if (t->end > t->begin) {
            t->end = t->begin + t_below(rng, t->end - t->begin);
            other->begin = t->end + 1u;
            w->n++;
        }
    }
    for (uint32_t i = first; i < w->n; i++) {
        w->aligns[i] = 1;
    }
    stack(w);
}

static void test_rectangles(void)
{
    t_rng rng = {t_seed + 1u};
    uint64_t offsets[LARGE];
    instance w;
    uint32_t i;
    for (i = 0; i < (t_fast ? 5u : 60u) && !t_failed(); i++) {
        gsp_memory_pack_result r;
        memset(&w, 0, sizeof(w));
        cut_rectangle(&w, 0, 256, LARGE, &rng);
        r = pack(&w, 0, 0, offsets);
        T_EQUAL(r.bytes, 256);
        T_EQUAL(r.lower_bound, 256);
    }
}

/* Of two parts that no search finishes, neither takes the work of the other. */
static void test_parts(void)
{
    t_rng rng = {t_seed + 3u};
    uint64_t offsets[MOST];
    gsp_memory_pack_result r;
    instance w;
    memset(&w, 0, sizeof(w));
    cut_rectangle(&w, 0, 256, MOST / 2u, &rng);
    cut_rectangle(&w, 64, 256, MOST / 2u, &rng);
    r = pack(&w, 0, 100000u, offsets);
    T_CHECK(r.bytes <= 280u);
}

/* The bound counts sizes as rounded up, but for the highest tensor, before any search. */
static void test_rounded(void)
{
    uint64_t offsets[LARGE];
    gsp_memory_pack_result r;
    instance w;
    uint32_t i;
    memset(&w, 0, sizeof(w));
    w.n = 12;
    for (i = 0; i < w.n; i++) {
        w.t[i].bytes = 17u + i;
        w.t[i].offset = 64u * i;
        w.aligns[i] = i % 2u == 0u ? 16u : 32u;
    }
    w.fixed[3] = 1;
    r = pack(&w, 0, 1, offsets);
    T_EQUAL(r.lower_bound, 11u * 32u + 17u);
    w.t[3].offset = 3u * 64u + 8u;
    r = pack(&w, 0, 1, offsets);
    T_EQUAL(r.lower_bound, 8u * 24u + 4u * 32u - 7u);
}

/* Random offsets, of which the check accepts exactly the valid ones. */
static void test_check(void)
{
    t_rng rng = {t_seed + 2u};
    uint32_t n_valid = 0;
    gsp_arena arena;
    instance w;
    t_arena_open(&arena, 1u << 12);
    for (uint32_t i = 0; i < (t_fast ? 2000u : 60000u) && !t_failed(); i++) {
        gsp_memory_check_desc d = {0};
        gsp_error err;
        memset(&w, 0, sizeof(w));
        w.n = 1u + t_below(&rng, 12);
        for (uint32_t k = 0; k < w.n; k++) {
            gsp_tensor *t = &w.t[k];
            w.resumed[k] = k > 0u && t[-1].end < 20u && t_chance(&rng, 15);
            t->begin = w.resumed[k] ? t[-1].end + 1u : t_below(&rng, 20u);
            t->end = t->begin + t_below(&rng, 4u);
            t->bytes = w.resumed[k] ? t[-1].bytes : t_below(&rng, 9u);
            t->offset = w.resumed[k] ? t[-1].offset : 2u * t_below(&rng, 40u);
            w.aligns[k] = (uint32_t)1u << t_below(&rng, 2u + (t->bytes == 0u ? 0u : 1u));
            w.fixed[k] = t->bytes == 0u || t_chance(&rng, 70);
            w.offsets[k] = t->offset;
        }
        d.aligns = w.aligns;
        d.fixed = w.fixed;
        d.resumed = w.resumed;
        int const is_valid = valid(&w, w.offsets);
        n_valid += (uint32_t)is_valid;
        T_EQUAL(gsp_memory_check_run(&arena, w.t, w.n, &d, &err) == GSP_OK, is_valid);
        if (!is_valid && err.detail == GSP_DETAIL_OVERLAP) {
            T_CHECK(meet(&w, w.offsets, err.node, err.other));
        }
        T_EQUAL(arena.low, 0);
    }
    T_CHECK(n_valid > 100u);
    t_arena_close(&arena);
}

void suite_oracle_memory_pack(void)
{
    t_run("check", test_check);
    t_run("rounded", test_rounded);
    t_run("all_orders", test_all_orders);
    t_run("rectangles", test_rectangles);
    t_run("parts", test_parts);
}
