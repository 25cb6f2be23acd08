/* Maximum flows, which are private, against all cuts of small networks: the value, the least side
 * of all minimum cuts in any order of the arcs, and what is known when the work ends. */
#define GRAPHSPLIT_STATIC
#define GRAPHSPLIT_IMPLEMENTATION
#include "tests/t.h"

#define NODES 8u
#define ARCS  20u

typedef struct net_arc {
    uint32_t from;
    uint32_t to;
    uint64_t capacity;
    uint64_t back;
} net_arc;

typedef struct net {
    uint32_t n_nodes;
    uint32_t n_arcs;
    net_arc arc[ARCS];
} net;

/* The capacity of the cut with these nodes on the source's side; UINT64_MAX if infinite. */
static uint64_t cut_of(const net *w, uint32_t side)
{
    uint64_t sum = 0u;
    for (uint32_t i = 0; i < w->n_arcs; i++) {
        const net_arc *a = &w->arc[i];
        int const from = (int)(side >> a->from & 1u);
        int const to = (int)(side >> a->to & 1u);
        uint64_t const cut = from && !to ? a->capacity : to && !from ? a->back : 0u;
        if (cut >= GSPI_FLOW_INF) {
            return UINT64_MAX;
        }
        sum += cut;
    }
    return sum;
}

/* The least cut; `side` becomes the nodes that are in all cuts of this capacity. */
static uint64_t least_cut(const net *w, uint32_t *side)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t s = 1u; s < 1u << w->n_nodes; s += 4u) { /* with the source, without the sink */
        uint64_t const cut = cut_of(w, s);
        *side = cut < least ? s : cut == least ? *side & s : *side;
        least = cut < least ? cut : least;
    }
    return least;
}

static uint64_t random_capacity(t_rng *rng)
{
    uint32_t const shape = t_below(rng, 8u);
    return shape == 0u   ? GSPI_FLOW_INF
           : shape == 1u ? 0u
           : shape == 2u ? (uint64_t)t_below(rng, 1000u) << 40u
                         : t_below(rng, 6u);
}

static void random_net(t_rng *rng, net *w)
{
    w->n_nodes = 2u + t_below(rng, NODES - 1u);
    w->n_arcs = t_below(rng, ARCS + 1u);
    for (uint32_t i = 0; i < w->n_arcs; i++) {
        net_arc *a = &w->arc[i];
        a->from = t_below(rng, w->n_nodes);
        a->to = (a->from + 1u + t_below(rng, w->n_nodes - 1u)) % w->n_nodes;
        a->capacity = random_capacity(rng);
        a->back = t_chance(rng, 70) ? 0u : random_capacity(rng);
    }
}

static void shuffle(t_rng *rng, net *w)
{
    for (uint32_t i = w->n_arcs; i > 1u; i--) {
        uint32_t const k = t_below(rng, i);
        net_arc const a = w->arc[k];
        w->arc[k] = w->arc[i - 1u];
        w->arc[i - 1u] = a;
    }
}

static void emit(const net *w, gspi_flow *f)
{
    gspi_flow_start(f);
    for (int kept = 0; kept < 2; kept++) {
        for (uint32_t v = 2u; v < w->n_nodes; v++) {
            T_EQUAL(f->n_nodes, v);
            f->n_nodes++;
        }
        for (uint32_t i = 0; i < w->n_arcs; i++) {
            const net_arc *a = &w->arc[i];
            gspi_flow_add(f, a->from, a->to, a->capacity, a->back);
        }
        if (kept == 0) {
            size_t const bytes = gspi_flow_bytes(f->n_nodes, f->n_arcs);
            gspi_flow_place(f, t_alloc(bytes));
        }
    }
}

static void check(const net *w, uint64_t least, uint32_t side, uint64_t max_work)
{
    gspi_flow f;
    f.work = 0u;
    f.max_work = max_work;
    emit(w, &f);
    int const done = gspi_flow_run(&f);
    T_CHECK(done || max_work != UINT64_MAX);
    T_CHECK(done ? f.value == least : f.value <= least);
    for (uint32_t v = 0; v < w->n_nodes && done; v++) {
        T_EQUAL(gspi_flow_side(&f, v), side >> v & 1u);
    }
    free(f.arc);
}

static void test_random(void)
{
    t_rng rng = {t_seed + 23u};
    uint32_t const n = t_fast ? 3000u : 30000u;
    uint32_t cut = 0u;
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        net w;
        uint32_t side = 1u;
        random_net(&rng, &w);
        uint64_t const least = least_cut(&w, &side);
        if (least == UINT64_MAX) {
            continue; /* a path of infinite arcs */
        }
        cut += least > 0u;
        for (uint32_t order = 0; order < 3u; order++) {
            check(&w, least, side, UINT64_MAX);
            shuffle(&rng, &w);
        }
        check(&w, least, side, t_below(&rng, 60u));
    }
    T_CHECK(cut > n / 4u);
}

/* Two paths that share a middle arc, where the second takes back what the first pushed there. */
static void test_back(void)
{
    static const net w = {4u, 5u,
        {{0u, 2u, 3u, 0u}, {0u, 3u, 2u, 0u}, {2u, 3u, 5u, 0u}, {2u, 1u, 2u, 0u}, {3u, 1u, 3u, 0u}}};
    check(&w, 5u, 1u, UINT64_MAX);
}

static void test_overflow(void)
{
    gspi_flow f;
    gspi_flow_start(&f);
    gspi_flow_add(&f, 0u, 1u, GSPI_FLOW_MOST - 1u, GSPI_FLOW_INF);
    T_EQUAL(f.total, GSPI_FLOW_MOST - 1u);
    gspi_flow_add(&f, 0u, 1u, 1u, 0u);
    T_EQUAL(f.total, GSPI_FLOW_MOST);
    gspi_flow_add(&f, 0u, 1u, GSPI_FLOW_INF - 1u, 0u);
    T_EQUAL(f.total, GSPI_FLOW_MOST);
}

void suite_oracle_flow(void)
{
    t_run("random", test_random);
    t_run("back", test_back);
    t_run("overflow", test_overflow);
}
