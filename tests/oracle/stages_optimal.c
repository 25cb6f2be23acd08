/* Stages of the least bottleneck, against every way to cut, and against the whole table written
 * down as the words say it. Nothing here shares code or ideas with the library. */
#include "examples/extra/graphsplit_stages.h"
#include "tests/t.h"

#define MOST 10u /* nodes in stages */

typedef struct line {
    uint32_t n;      /* callable nodes */
    uint32_t offset; /* node id of the first */
    int reads[MOST][MOST];
    uint32_t group[MOST]; /* or 0 */
    uint32_t n_items;
    int has_item[MOST][4];
} line;

typedef struct bench {
    line l;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    uint64_t time[MOST + 4u];
    uint64_t move[MOST + 4u];
    uint64_t stash[MOST + 4u];
    uint32_t item_begin[MOST + 5u];
    uint32_t items[4u * MOST];
    uint64_t item_bytes[4];
    uint32_t held[MOST + 1u];
    gsp_costs costs;
    gsp_stages_optimal_desc desc;
    uint32_t n_stages;
} bench;

/* x, then the nodes, then the output; node p of the line is node p + 1 of the graph. */
static void write_graph(bench *b, t_rng *rng, t_string *text)
{
    uint32_t p;
    uint32_t u;
    t_puts(text, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[1]\n");
    for (p = 0; p < b->l.n; p++) {
        t_puts(text, "    %n");
        t_number(text, p);
        t_puts(text, " : [num_users=1] = call_function[target=f](args = (%x,");
        for (u = 0; u < p; u++) {
            b->l.reads[p][u] = t_chance(rng, p - u == 1u ? 60u : 20u);
            if (b->l.reads[p][u]) {
                t_puts(text, " %n");
                t_number(text, u);
                t_puts(text, ",");
            }
        }
        text->size--;
        t_puts(text, "), kwargs = {})  # f32[1]");
        b->l.group[p] = t_chance(rng, 30u) ? 1u + t_below(rng, 3u) : 0u;
        if (b->l.group[p] != 0u) {
            t_puts(text, " group=");
            t_number(text, b->l.group[p]);
        }
        t_puts(text, "\n");
    }
    t_puts(text, "    return x\n");
}

static void make_costs(bench *b, t_rng *rng)
{
    uint32_t const wide = t_chance(rng, 50u) ? 6u : 1000u;
    uint32_t n_items = 0u;
    uint32_t p;
    uint32_t i;
    b->l.n_items = t_below(rng, 5u);
    for (i = 0; i < b->l.n_items; i++) {
        b->item_bytes[i] = t_below(rng, wide);
    }
    for (p = 0; p < b->l.n; p++) {
        b->time[p + 1u] = t_below(rng, wide);
        b->move[p + 1u] = t_chance(rng, 30u) ? 0u : t_below(rng, wide);
        b->stash[p + 1u] = t_below(rng, wide);
        b->item_begin[p + 1u] = n_items;
        for (i = 0; i < b->l.n_items; i++) {
            b->l.has_item[p][i] = n_items < b->l.n && t_chance(rng, 30u);
            if (b->l.has_item[p][i]) {
                b->items[n_items++] = i;
            }
        }
    }
    b->item_begin[0] = 0u;
    b->item_begin[b->l.n + 1u] = n_items;
    b->item_begin[b->l.n + 2u] = n_items;
    b->costs.n_nodes = b->graph.n_nodes;
    b->costs.n_items = b->l.n_items;
    b->costs.time = b->time;
    b->costs.move = b->move;
    b->costs.stash = b->stash;
    b->costs.item_begin = b->item_begin;
    b->costs.items = b->items;
    b->costs.item_bytes = b->item_bytes;
}

static void make_desc(bench *b, t_rng *rng)
{
    gsp_stages_optimal_desc *d = &b->desc;
    d->n_devices = t_below(rng, 6u);
    d->n_chunks = t_chance(rng, 80u) ? 0u : 2u;
    d->goal = t_chance(rng, 80u) ? GSP_STAGES_OPTIMAL_TIME : GSP_STAGES_OPTIMAL_BYTES;
    d->keep_groups = t_chance(rng, 30u) ? 1u : 0u;
    d->model.costs = &b->costs;
    d->model.carried = t_chance(rng, 40u) ? 1u : 0u;
    d->model.microbatches = t_below(rng, 5u);
    if (t_chance(rng, 20u)) {
        uint32_t s;
        b->held[MOST] = t_below(rng, 3u);
        for (s = MOST; s > 0u; s--) {
            b->held[s - 1u] = b->held[s] + t_below(rng, 3u);
        }
        d->model.held = b->held;
    }
    d->model.copies = t_below(rng, 3u);
    d->model.first_time = t_chance(rng, 20u) ? t_below(rng, 8u) : 0u;
    d->model.last_time = t_chance(rng, 20u) ? t_below(rng, 8u) : 0u;
}

static int open_bench(bench *b, t_rng *rng, uint32_t most)
{
    t_string text = {NULL, 0u, 0u};
    int good;
    memset(b, 0, sizeof(*b));
    b->l.n = 1u + t_below(rng, most);
    b->l.offset = 1u;
    write_graph(b, rng, &text);
    good = t_must_read(&b->arena, text.data, &b->module);
    b->graph = good ? gsp_module_graph(&b->module, 0u) : b->graph;
    make_costs(b, rng);
    make_desc(b, rng);
    t_free(&text);
    return good;
}

/* ---- the model ---- */

static int crosses(const line *l, uint32_t u, uint32_t end)
{
    uint32_t v;
    for (v = end; v < l->n && !(u < end && l->reads[v][u]); v++) {
    }
    return v < l->n;
}

static int read_in(const line *l, uint32_t u, uint32_t begin, uint32_t end)
{
    uint32_t v;
    for (v = begin; v < end && !l->reads[v][u]; v++) {
    }
    return v < end;
}

static uint64_t model_time(const bench *b, uint32_t begin, uint32_t end, uint32_t s)
{
    const gsp_stage_model *m = &b->desc.model;
    uint64_t sum = (s == 0u ? m->first_time : 0u) + (s + 1u == b->n_stages ? m->last_time : 0u);
    uint32_t u;
    for (u = 0; u < b->l.n; u++) {
        int const inside = u >= begin && u < end;
        int const enters =
            u < begin && (m->carried ? crosses(&b->l, u, begin) : read_in(&b->l, u, begin, end));
        int const leaves = crosses(&b->l, u, end) && (m->carried ? u < end : inside);
        sum += inside ? b->time[u + 1u] : 0u;
        sum += enters ? b->move[u + 1u] : 0u;
        sum += leaves ? b->move[u + 1u] : 0u;
    }
    return sum;
}

static uint64_t model_bytes(const bench *b, uint32_t begin, uint32_t end, uint32_t s)
{
    const gsp_stage_model *m = &b->desc.model;
    uint32_t const left = b->n_stages - s;
    uint64_t params = 0u;
    uint64_t stash = 0u;
    uint32_t u;
    uint32_t i;
    for (i = 0; i < b->l.n_items; i++) {
        for (u = begin; u < end && !b->l.has_item[u][i]; u++) {
        }
        params += u < end ? b->item_bytes[i] : 0u;
    }
    for (u = 0; u < end; u++) {
        int const arrives =
            u < begin && (m->carried ? crosses(&b->l, u, begin) : read_in(&b->l, u, begin, end));
        stash += u >= begin || arrives ? b->stash[u + 1u] : 0u;
    }
    return params * (m->copies == 0u ? 1u : m->copies) + stash * (m->held != NULL ? m->held[s]
                                                                     : left < m->microbatches
                                                                         ? left
                                                                         : m->microbatches);
}

static uint64_t model_load(const bench *b, uint32_t begin, uint32_t end, uint32_t s)
{
    return b->desc.goal == GSP_STAGES_OPTIMAL_TIME ? model_time(b, begin, end, s)
                                                   : model_bytes(b, begin, end, s);
}

static int may_cut(const bench *b, uint32_t at)
{
    uint32_t u;
    uint32_t v;
    for (u = 0; u < at && b->desc.keep_groups; u++) {
        for (v = at; v < b->l.n; v++) {
            if (b->l.group[u] != 0u && b->l.group[u] == b->l.group[v]) {
                return 0;
            }
        }
    }
    return 1;
}

static uint32_t model_stages(const bench *b)
{
    uint32_t const devices = b->desc.n_devices == 0u ? 1u : b->desc.n_devices;
    uint32_t const asked = devices * (b->desc.n_chunks == 0u ? 1u : b->desc.n_chunks);
    uint32_t places = 1u;
    uint32_t at;
    for (at = 1; at < b->l.n; at++) {
        places += may_cut(b, at) ? 1u : 0u;
    }
    return asked < places ? asked : places;
}

/* Every way to cut: the least bottleneck within the memory, and the least memory there is. */
static uint64_t every_cut(const bench *b, uint64_t memory, uint64_t *least_memory)
{
    uint64_t best = UINT64_MAX;
    uint32_t mask;
    *least_memory = UINT64_MAX;
    for (mask = 0; mask < 1u << (b->l.n - 1u); mask++) {
        uint64_t slowest = 0u;
        uint64_t greatest = 0u;
        uint32_t begin = 0u;
        uint32_t s = 0u;
        uint32_t at;
        for (at = 1; at <= b->l.n; at++) {
            if (at == b->l.n || (mask >> (at - 1u) & 1u)) {
                uint64_t const load = s < b->n_stages ? model_load(b, begin, at, s) : 0u;
                uint64_t const bytes = s < b->n_stages ? model_bytes(b, begin, at, s) : 0u;
                if (s >= b->n_stages || (at < b->l.n && !may_cut(b, at))) {
                    break;
                }
                slowest = load > slowest ? load : slowest;
                greatest = bytes > greatest ? bytes : greatest;
                begin = at;
                s++;
            }
        }
        if (at > b->l.n && s == b->n_stages) {
            *least_memory = greatest < *least_memory ? greatest : *least_memory;
            best = greatest <= memory && slowest < best ? slowest : best;
        }
    }
    return best;
}

/* The whole table: the best plan of every prefix for every number of stages. */
static void whole_table(const bench *b, uint64_t memory, uint32_t *stage_of)
{
    uint64_t best[MOST + 1u][MOST + 1u];
    uint32_t from[MOST + 1u][MOST + 1u];
    uint32_t s;
    uint32_t end;
    uint32_t begin;
    memset(best, 0xFF, sizeof(best));
    memset(from, 0, sizeof(from));
    best[0][0] = 0u;
    for (s = 0; s < b->n_stages; s++) {
        for (end = 1; end <= b->l.n; end++) {
            for (begin = 0; begin < end; begin++) {
                if (best[s][begin] != UINT64_MAX && (end == b->l.n || may_cut(b, end)) &&
                    model_bytes(b, begin, end, s) <= memory) {
                    uint64_t const load = model_load(b, begin, end, s);
                    uint64_t const value = load > best[s][begin] ? load : best[s][begin];
                    if (value < best[s + 1u][end]) {
                        best[s + 1u][end] = value;
                        from[s + 1u][end] = begin;
                    }
                }
            }
        }
    }
    end = b->l.n;
    for (s = b->n_stages; s > 0u; s--) {
        for (begin = from[s][end]; begin < end; begin++) {
            stage_of[begin] = s - 1u;
        }
        end = from[s][end];
    }
}

/* ---- the comparison ---- */

static uint32_t stopped_early[2]; /* carried values without a limit: unproved, proved */

static void check_plan(bench *b, uint64_t memory, uint64_t best, const gsp_stages_optimal_result *r)
{
    uint32_t stage_of[MOST];
    gsp_stage_costs_desc d;
    gsp_stage_costs_result loads;
    gsp_arena arena;
    uint32_t p;
    T_EQUAL(r->objective, best);
    T_EQUAL(r->lower_bound, best);
    T_EQUAL(r->proved, 1);
    T_CHECK(r->reference >= r->objective || memory != UINT64_MAX || b->desc.keep_groups);
    T_EQUAL(r->n_stages, b->n_stages);
    whole_table(b, memory, stage_of);
    T_EQUAL(r->stage_of[0], GSP_NONE);
    T_EQUAL(r->stage_of[b->l.n + 1u], GSP_NONE);
    for (p = 0; p < b->l.n; p++) {
        T_EQUAL(r->stage_of[p + 1u], stage_of[p]);
    }
    memset(&d, 0, sizeof(d));
    d.n_stages = r->n_stages;
    d.stage_of = r->stage_of;
    d.model = b->desc.model;
    t_arena_open(&arena, gsp_stage_costs_bound(&b->graph, &d));
    if (T_EQUAL(gsp_stage_costs_run(&arena, &b->graph, &d, &loads, NULL), GSP_OK)) {
        uint32_t begin = 0u;
        uint32_t s;
        for (s = 0; s < r->n_stages; s++) {
            uint32_t end = begin;
            while (end < b->l.n && stage_of[end] == s) {
                end++;
            }
            T_EQUAL(loads.stages[s].time, model_time(b, begin, end, s));
            T_EQUAL(loads.stages[s].memory, model_bytes(b, begin, end, s));
            T_EQUAL(loads.stages[s].n_nodes, end - begin);
            begin = end;
        }
        T_EQUAL(b->desc.goal == GSP_STAGES_OPTIMAL_TIME ? loads.stages[loads.slowest].time
                                                        : loads.stages[loads.greatest].memory,
            best);
    }
    t_arena_close(&arena);
}

/* Work that ends at once: still a plan, and a bound that holds; carried values need no more. */
static void check_stopped(bench *b, uint64_t memory, uint64_t best)
{
    gsp_stages_optimal_desc d = b->desc;
    gsp_stages_optimal_result r;
    gsp_arena arena;
    d.max_work = 1u;
    t_arena_open(&arena, gsp_stages_optimal_bound(&b->graph, &d));
    if (best != UINT64_MAX &&
        T_EQUAL(gsp_stages_optimal_run(&arena, &b->graph, &d, &r, NULL), GSP_OK)) {
        uint64_t slowest = 0u;
        uint32_t begin = 0u;
        uint32_t s;
        for (s = 0; s < r.n_stages; s++) {
            uint32_t end = begin;
            uint64_t load;
            while (end < b->l.n && r.stage_of[end + 1u] == s) {
                end++;
            }
            T_CHECK(end > begin && model_bytes(b, begin, end, s) <= memory);
            load = model_load(b, begin, end, s);
            slowest = load > slowest ? load : slowest;
            begin = end;
        }
        T_EQUAL(begin, b->l.n);
        T_EQUAL(r.objective, slowest);
        T_CHECK(r.lower_bound <= best && best <= r.objective);
        T_EQUAL(r.proved, r.lower_bound == r.objective);
        stopped_early[r.proved] +=
            d.model.carried && d.goal == GSP_STAGES_OPTIMAL_TIME && d.memory == 0u;
    }
    t_arena_close(&arena);
}

static void check_one(bench *b, t_rng *rng)
{
    uint32_t const chunks = b->desc.n_chunks == 0u ? 1u : b->desc.n_chunks;
    uint64_t least;
    uint64_t best;
    uint64_t memory = UINT64_MAX;
    gsp_stages_optimal_result r;
    gsp_arena arena;
    gsp_error err;
    gsp_status status;
    b->n_stages = model_stages(b);
    best = every_cut(b, UINT64_MAX, &least);
    if (t_chance(rng, 50u)) {
        b->desc.memory =
            (t_chance(rng, 20u) ? least - (least > 1u) : least + t_below(rng, 5u)) * chunks;
        memory = b->desc.memory == 0u ? UINT64_MAX : b->desc.memory / chunks;
        best = every_cut(b, memory, &least);
    }
    t_arena_open(&arena, gsp_stages_optimal_bound(&b->graph, &b->desc));
    status = gsp_stages_optimal_run(&arena, &b->graph, &b->desc, &r, &err);
    if (best == UINT64_MAX) {
        T_EQUAL(status, GSP_STATUS_NO_FIT);
        T_EQUAL(err.need, least * chunks);
        T_EQUAL(err.limit, b->desc.memory);
        T_EQUAL(arena.low + arena.high, 0);
    } else if (T_EQUAL(status, GSP_OK)) {
        check_plan(b, memory, best, &r);
    }
    t_arena_close(&arena);
    check_stopped(b, memory, best);
}

static void test_random(void)
{
    t_rng rng;
    uint32_t const rounds = t_fast ? 1000u : 20000u;
    uint32_t i;
    bench b;
    rng.state = t_seed;
    memset(stopped_early, 0, sizeof(stopped_early));
    for (i = 0; i < rounds && !t_failed(); i++) {
        if (open_bench(&b, &rng, i % 8u == 0u ? MOST : 7u)) {
            check_one(&b, &rng);
        }
        t_arena_close(&b.arena);
    }
    T_CHECK(stopped_early[1] > 3u * stopped_early[0]); /* the rest: fewer stages would do better */
}

/* ---- several orders ---- */

/* Loads of any assignment by the words of the model. */
static uint64_t assigned_load(const bench *b, const uint32_t *stage_of, uint32_t s)
{
    uint64_t sum = 0u;
    uint32_t u;
    uint32_t v;
    for (u = 0; u < b->l.n; u++) {
        int here = 0;
        int later = 0;
        for (v = u + 1u; v < b->l.n; v++) {
            here |= b->l.reads[v][u] && stage_of[v] == s;
            later |= b->l.reads[v][u] && stage_of[v] > s;
        }
        sum += stage_of[u] == s ? b->time[u + 1u] : 0u;
        sum += stage_of[u] == s && later ? b->move[u + 1u] : 0u;
        sum += stage_of[u] != s && here ? b->move[u + 1u] : 0u;
    }
    return sum;
}

/* The best of all assignments in which no node reads a later stage. */
static uint64_t every_map(const bench *b)
{
    uint64_t best = UINT64_MAX;
    uint32_t stage_of[MOST];
    uint32_t count = 1u;
    uint32_t code;
    uint32_t p;
    for (p = 0; p < b->l.n; p++) {
        count *= b->n_stages;
    }
    for (code = 0; code < count; code++) {
        uint64_t slowest = 0u;
        uint32_t rest = code;
        uint32_t used = 0u;
        int good = 1;
        uint32_t u;
        for (p = 0; p < b->l.n; p++) {
            stage_of[p] = rest % b->n_stages;
            used |= 1u << stage_of[p];
            rest /= b->n_stages;
            for (u = 0; u < p; u++) {
                good &= !b->l.reads[p][u] || stage_of[u] <= stage_of[p];
            }
        }
        for (u = 0; good && u < b->n_stages; u++) {
            uint64_t const load = assigned_load(b, stage_of, u);
            slowest = load > slowest ? load : slowest;
        }
        best = good && used + 1u == 1u << b->n_stages && slowest < best ? slowest : best;
    }
    return best;
}

static void check_orders(bench *b)
{
    gsp_stages_optimal_desc one = b->desc;
    gsp_stages_optimal_result first;
    gsp_stages_optimal_result r;
    gsp_arena arena;
    b->desc.n_orders = GSP_STAGES_OPTIMAL_ORDERS;
    b->n_stages = model_stages(b);
    t_arena_open(&arena,
        gsp_stages_optimal_bound(&b->graph, &b->desc) + gsp_stages_optimal_bound(&b->graph, &one));
    if (T_EQUAL(gsp_stages_optimal_run(&arena, &b->graph, &one, &first, NULL), GSP_OK) &&
        T_EQUAL(gsp_stages_optimal_run(&arena, &b->graph, &b->desc, &r, NULL), GSP_OK)) {
        uint64_t slowest = 0u;
        uint32_t stage_of[MOST];
        uint32_t s;
        for (s = 0; s < b->l.n; s++) {
            stage_of[s] = r.stage_of[s + 1u];
        }
        for (s = 0; s < r.n_stages; s++) {
            uint64_t const load = assigned_load(b, stage_of, s);
            slowest = load > slowest ? load : slowest;
        }
        T_EQUAL(r.objective, slowest);
        T_EQUAL(r.reference, first.reference);
        T_CHECK(r.objective < first.objective ? r.order != 0u
                                              : r.objective == first.objective && r.order == 0u);
        T_CHECK(r.lower_bound <= r.objective && r.proved == (r.lower_bound == r.objective));
        T_CHECK(r.objective >= every_map(b));
    }
    t_arena_close(&arena);
}

static void test_orders(void)
{
    t_rng rng;
    uint32_t const rounds = t_fast ? 100u : 1000u;
    uint32_t i;
    bench b;
    rng.state = t_seed ^ 1u;
    for (i = 0; i < rounds && !t_failed(); i++) {
        if (open_bench(&b, &rng, 7u)) {
            memset(&b.desc, 0, sizeof(b.desc));
            b.desc.model.costs = &b.costs;
            b.desc.n_devices = 1u + t_below(&rng, 4u);
            check_orders(&b);
        }
        t_arena_close(&b.arena);
    }
}

void suite_oracle_stages_optimal(void)
{
    t_run("random", test_random);
    t_run("orders", test_orders);
}
