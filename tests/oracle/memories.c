/* Tensors in several memories against all assignments of small instances, each memory packed in all
 * orders; and the plans of larger ones, checked pair by pair. */
#include "examples/extra/graphsplit_memories.h"
#include "tests/t.h"

#define SMALL 6u
#define LARGE 60u
#define MOST  3u /* memories */

typedef struct instance {
    gsp_tensor t[LARGE];
    uint64_t traffic[LARGE];
    uint32_t written[LARGE];
    uint32_t aligns[LARGE];
    uint32_t pins[LARGE];
    uint32_t fixed[LARGE];
    gsp_memory memories[MOST];
    gsp_memories_desc d;
    uint64_t height[MOST][1u << SMALL]; /* least of every set of tensors, or UINT64_MAX */
} instance;

static int meet(const gsp_tensor *a, const gsp_tensor *b)
{
    return a->bytes > 0u && b->bytes > 0u && a->begin <= b->end && b->begin <= a->end;
}

static uint64_t align_of(const instance *w, uint32_t i, uint32_t m)
{
    return w->aligns[i] > w->memories[m].align ? w->aligns[i] : w->memories[m].align;
}

/* The height when tensors are placed in this order, each as low as it fits beside fixed ones. */
static uint64_t place(const instance *w, const uint32_t *order, uint32_t n, uint32_t m)
{
    uint64_t offset[SMALL];
    uint64_t top = 0;
    uint32_t i;
    uint32_t j;
    for (i = 0; i < n; i++) {
        uint32_t const id = order[i];
        int clear = w->fixed[id] != 0u;
        offset[i] = clear ? w->t[id].offset : 0u;
        while (!clear) {
            clear = 1;
            for (j = 0; j < n; j++) {
                const gsp_tensor *o = &w->t[order[j]];
                uint64_t const at = w->fixed[order[j]] != 0u ? o->offset : offset[j < i ? j : i];
                if (j != i && (j < i || w->fixed[order[j]] != 0u) && meet(o, &w->t[id]) &&
                    at < offset[i] + w->t[id].bytes && offset[i] < at + o->bytes) {
                    clear = 0;
                }
            }
            offset[i] += clear ? 0u : align_of(w, id, m);
        }
        top = offset[i] + w->t[id].bytes > top ? offset[i] + w->t[id].bytes : top;
    }
    return top;
}

/* The least height of a set over all orders (Heap's algorithm). */
static uint64_t least_height(instance *w, uint32_t set, uint32_t m)
{
    uint32_t order[SMALL];
    uint32_t count[SMALL] = {0};
    uint64_t best;
    uint32_t n = 0;
    uint32_t i;
    if (w->height[m][set] != UINT64_MAX) {
        return w->height[m][set];
    }
    for (i = 0; i < w->d.n_tensors; i++) {
        if ((set >> i & 1u) != 0u) {
            order[n++] = i;
        }
    }
    best = place(w, order, n, m);
    for (i = 0; i < n;) {
        if (count[i] < i) {
            uint32_t const j = i % 2u == 0u ? 0u : count[i];
            uint32_t const id = order[j];
            uint64_t top;
            order[j] = order[i];
            order[i] = id;
            top = place(w, order, n, m);
            best = top < best ? top : best;
            count[i]++;
            i = 0;
        } else {
            count[i++] = 0;
        }
    }
    return w->height[m][set] = best;
}

static uint64_t cost_of(const instance *w, uint32_t assignment)
{
    uint64_t cost = 0;
    uint32_t i;
    for (i = 0; i < w->d.n_tensors; i++, assignment /= w->d.n_memories) {
        cost += w->traffic[i] * w->memories[assignment % w->d.n_memories].cost;
    }
    return cost;
}

static int fits(instance *w, uint32_t assignment)
{
    uint32_t set[MOST] = {0};
    uint32_t m;
    uint32_t i;
    for (i = 0; i < w->d.n_tensors; i++, assignment /= w->d.n_memories) {
        m = assignment % w->d.n_memories;
        set[m] |= 1u << i;
        if ((w->pins[i] != GSP_NONE && w->pins[i] != m) ||
            (w->memories[m].read_only != 0u && w->written[i] != 0u)) {
            return 0;
        }
    }
    for (m = 0; m < w->d.n_memories; m++) {
        if (least_height(w, set[m], m) > w->memories[m].bytes) {
            return 0;
        }
    }
    return 1;
}

static uint64_t least_cost(instance *w)
{
    uint64_t best = UINT64_MAX;
    uint32_t n = 1;
    uint32_t i;
    memset(w->height, 255, sizeof(w->height));
    for (i = 0; i < w->d.n_tensors; i++) {
        n *= w->d.n_memories;
    }
    for (i = 0; i < n; i++) {
        if (cost_of(w, i) < best && fits(w, i)) {
            best = cost_of(w, i);
        }
    }
    return best;
}

static void random_instance(instance *w, t_rng *rng, uint32_t n, uint32_t steps)
{
    int const plain = t_chance(rng, 50);
    uint32_t i;
    uint32_t j;
    memset(w, 0, sizeof(*w));
    w->d.n_tensors = n;
    w->d.n_memories = 1u + t_below(rng, MOST);
    for (i = 0; i < w->d.n_memories; i++) {
        w->memories[i].bytes = 1u + t_below(rng, i == 2u ? 60u : 24u);
        w->memories[i].cost = t_below(rng, 10u);
        w->memories[i].align = plain ? 1u : 1u << t_below(rng, 3u);
        w->memories[i].read_only = t_chance(rng, 10) ? 1u : 0u;
    }
    for (i = 0; i < n; i++) {
        gsp_tensor *t = &w->t[i];
        t->bytes = t_chance(rng, 5) ? 0u : 1u + t_below(rng, 9u);
        t->begin = t_below(rng, steps);
        t->end = t->begin + t_below(rng, 4u);
        w->traffic[i] = t->bytes * t_below(rng, 4u);
        w->written[i] = t_chance(rng, 80) ? 1u : 0u;
        w->aligns[i] = plain ? 1u : 1u << t_below(rng, 3u);
        w->pins[i] = t_chance(rng, 15) ? t_below(rng, w->d.n_memories) : GSP_NONE;
        if (w->pins[i] != GSP_NONE && t_chance(rng, 40)) {
            w->fixed[i] = 1;
            t->offset = t_below(rng, 10u);
            for (j = 0; j < i; j++) {
                if (w->fixed[j] != 0u && w->pins[j] == w->pins[i] && meet(t, &w->t[j]) &&
                    t->offset < w->t[j].offset + w->t[j].bytes &&
                    w->t[j].offset < t->offset + t->bytes) {
                    w->fixed[i] = 0;
                }
            }
        }
    }
}

/* The result, checked: every tensor where it may lie, apart from all others that are live. */
static gsp_memories_result run(instance *w, uint64_t max_work)
{
    gsp_memories_result r;
    gsp_arena arena;
    uint64_t cost = 0;
    uint32_t i;
    uint32_t j;
    w->d.tensors = w->t;
    w->d.memories = w->memories;
    w->d.traffic = w->traffic;
    w->d.written = w->written;
    w->d.aligns = w->aligns;
    w->d.pins = w->pins;
    w->d.fixed = w->fixed;
    w->d.max_work = max_work;
    memset(&r, 0, sizeof(r));
    t_arena_open(&arena, gsp_memories_bound(&w->d));
    T_EQUAL(gsp_memories_run(&arena, &w->d, &r, NULL), GSP_OK);
    T_CHECK(r.lower_bound <= r.cost && r.cost <= r.greedy);
    for (i = 0; i < w->d.n_tensors && r.cost != UINT64_MAX; i++) {
        uint32_t const m = r.memory[i];
        cost += w->traffic[i] * w->memories[m].cost;
        T_CHECK(w->pins[i] == GSP_NONE || w->pins[i] == m);
        T_CHECK(w->memories[m].read_only == 0u || w->written[i] == 0u);
        T_CHECK(r.offset[i] + w->t[i].bytes <= w->memories[m].bytes);
        T_CHECK(w->fixed[i] != 0u ? r.offset[i] == w->t[i].offset
                                  : r.offset[i] % align_of(w, i, m) == 0u);
        for (j = 0; j < i; j++) {
            T_CHECK(m != r.memory[j] || !meet(&w->t[i], &w->t[j]) ||
                    r.offset[i] >= r.offset[j] + w->t[j].bytes ||
                    r.offset[j] >= r.offset[i] + w->t[i].bytes);
        }
    }
    T_CHECK(r.cost == UINT64_MAX || r.cost == cost);
    t_arena_close(&arena);
    return r;
}

static void test_all_assignments(void)
{
    t_rng rng = {t_seed};
    uint32_t n_none = 0;
    uint32_t n = t_fast ? 60u : 3000u;
    uint32_t i;
    instance w;
    for (i = 0; i < n && !t_failed(); i++) {
        uint64_t best;
        gsp_memories_result r;
        random_instance(&w, &rng, 1u + t_below(&rng, SMALL), 6);
        best = least_cost(&w);
        r = run(&w, 0);
        T_EQUAL(r.cost, best);
        T_EQUAL(r.lower_bound, best);
        n_none += best == UINT64_MAX;
        r = run(&w, 1u + t_below(&rng, 200u));
        T_CHECK(r.cost >= best && r.lower_bound <= best);
    }
    T_CHECK(n_none > n / 20u && n_none < (t_fast ? n - n / 3u : n / 2u));
}

/* As many tensors as a small network has: a valid plan, and a proof. */
static void test_sixty(void)
{
    t_rng rng = {t_seed + 1u};
    uint32_t n_proved = 0;
    uint32_t n = t_fast ? 3u : 40u;
    uint32_t i;
    instance w;
    for (i = 0; i < n && !t_failed(); i++) {
        gsp_memories_result r;
        uint32_t k;
        random_instance(&w, &rng, LARGE, 30);
        for (k = 0; k < w.d.n_memories; k++) { /* the last one takes all */
            w.memories[k].read_only = 0;
            w.memories[k].bytes = k + 1u == w.d.n_memories ? 1024u : 8u * (1u + t_below(&rng, 6u));
            w.memories[k].cost = 1u + 5u * k;
        }
        for (k = 0; k < LARGE; k++) {
            w.pins[k] = GSP_NONE;
            w.aligns[k] = 1;
            w.fixed[k] = 0;
        }
        r = run(&w, 0);
        n_proved += r.lower_bound == r.cost;
    }
    T_EQUAL(n_proved, n);
}

void suite_oracle_memories(void)
{
    t_run("all_assignments", test_all_assignments);
    t_run("sixty", test_sixty);
}
