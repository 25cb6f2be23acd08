/* Stages on unequal devices, against every cut on every order of the devices. Nothing here shares
 * code or ideas with the header. */
#include "examples/extra/graphsplit_devices.h"
#include "tests/t.h"

#define NODES   7u
#define DEVICES 4u
#define ITEMS   4u
#define ENTRY   40u /* bytes that the first node reads */

typedef struct bench {
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    uint32_t n; /* node p of the line is node p + 1 of the graph */
    int reads[NODES][NODES];
    uint32_t last[NODES]; /* reader, or NODES */
    uint32_t group[NODES];
    uint64_t bytes[NODES];
    int given[NODES]; /* comm= */
    uint64_t time[NODES + 2u];
    uint64_t move[NODES + 2u];
    uint64_t stash[NODES + 2u];
    uint32_t layer[NODES + 2u];
    uint64_t layer_bytes[2];
    uint32_t item_begin[NODES + 3u];
    uint32_t items[NODES * ITEMS];
    uint64_t item_bytes[ITEMS];
    int has_item[NODES][ITEMS];
    uint32_t held[DEVICES];
    double links[DEVICES * DEVICES];
    gsp_stages_device devices[DEVICES];
    gsp_costs costs;
    gsp_stages_unequal_desc d;
    gsp_stages_unequal_result r;
    uint32_t used; /* devices */
} bench;

/* Stages of the oracle: ends[i] is where stage i ends, of the devices first[i] .. first[i + 1]. */
typedef struct plan {
    uint32_t n;
    uint32_t end[DEVICES];
    uint32_t first[DEVICES + 1u];
    uint32_t device[DEVICES];
} plan;

static uint64_t whole(double value)
{
    return (uint64_t)(value + 0.5);
}

static void write_node(bench *b, t_rng *rng, t_string *text, uint32_t p)
{
    uint32_t u;
    t_puts(text, "    %n");
    t_number(text, p);
    t_puts(text, " : [num_users=1] = call_function[target=f](args = (");
    t_puts(text, p == 0u ? "%x, " : "");
    for (u = 0; u < p; u++) {
        b->reads[p][u] = u + 1u == p || t_chance(rng, 20u);
        if (b->reads[p][u]) {
            b->last[u] = p;
            t_puts(text, "%n");
            t_number(text, u);
            t_puts(text, ", ");
        }
    }
    t_puts(text, "0), kwargs = {})  # i8[");
    b->last[p] = NODES;
    b->bytes[p] = 1u + t_below(rng, 200u);
    b->given[p] = t_chance(rng, 20u);
    b->group[p] = t_chance(rng, 30u) ? 1u + t_below(rng, 2u) : 0u;
    t_number(text, (uint32_t)b->bytes[p]);
    t_puts(text, "]");
    if (b->group[p] != 0u) {
        t_puts(text, " group=g");
        t_number(text, b->group[p]);
    }
    t_puts(text, b->given[p] ? " comm=0\n" : "\n");
}

static void make_costs(bench *b, t_rng *rng)
{
    uint32_t n = 0;
    uint32_t p;
    uint32_t i;
    for (i = 0; i < ITEMS; i++) {
        b->item_bytes[i] = t_below(rng, 400u);
    }
    for (p = 0; p < b->n; p++) {
        b->time[p + 1u] = t_below(rng, 50u);
        b->move[p + 1u] = t_below(rng, 20u);
        b->stash[p + 1u] = t_below(rng, 100u);
        b->layer[p + 1u] = t_chance(rng, 40u) ? t_below(rng, 2u) : GSP_NONE;
        b->item_begin[p + 1u] = n;
        for (i = 0; i < ITEMS; i++) {
            b->has_item[p][i] = t_chance(rng, 25u);
            if (b->has_item[p][i]) {
                b->items[n++] = i;
            }
        }
    }
    b->layer[0] = GSP_NONE;
    b->layer[b->n + 1u] = GSP_NONE;
    b->layer_bytes[0] = t_below(rng, 300u);
    b->layer_bytes[1] = t_below(rng, 300u);
    b->item_begin[b->n + 1u] = n;
    b->item_begin[b->n + 2u] = n;
    b->costs.n_nodes = b->graph.n_nodes;
    b->costs.n_items = ITEMS;
    b->costs.time = b->time;
    b->costs.move = b->move;
    b->costs.stash = b->stash;
    b->costs.item_begin = t_chance(rng, 80u) ? b->item_begin : NULL;
    b->costs.items = b->items;
    b->costs.item_bytes = b->item_bytes;
}

static void make_devices(bench *b, t_rng *rng)
{
    static const double speeds[] = {1.0, 2.0, 0.5, 3.25};
    uint32_t const n = 1u + t_below(rng, DEVICES);
    uint32_t const size = t_chance(rng, 40u) ? 1000u : 4000u;
    gsp_stages_device kinds[2];
    uint32_t i;
    uint32_t k;
    for (i = 0; i < 2u; i++) {
        kinds[i].bytes = 200u + t_below(rng, size);
        kinds[i].speed = speeds[t_below(rng, 4u)];
    }
    for (i = 0; i < n; i++) {
        b->devices[i] = kinds[t_below(rng, 2u)];
        b->devices[i].link = i;
        for (k = 0; k < i; k++) {
            double const rate = t_chance(rng, 15u) ? 0.0 : 1e9 * (1.0 + t_below(rng, 4u));
            b->links[i * n + k] = rate;
            b->links[k * n + i] = t_chance(rng, 80u) ? rate : 3e10;
        }
    }
    b->d.devices = b->devices;
    b->d.n_devices = n;
    if (t_chance(rng, 40u)) {
        b->d.links = b->links;
        b->d.n_links = n;
    }
}

static void make_desc(bench *b, t_rng *rng)
{
    gsp_stages_unequal_desc *d = &b->d;
    uint32_t i;
    make_devices(b, rng);
    d->costs = &b->costs;
    d->any_order = (uint32_t)t_chance(rng, 50u);
    d->n_used = t_chance(rng, 60u) ? 0u : 1u + t_below(rng, d->n_devices);
    d->goal = t_below(rng, 2u);
    d->replicas = (uint32_t)t_chance(rng, 25u);
    d->keep_groups = (uint32_t)t_chance(rng, 30u);
    d->carried = (uint32_t)t_chance(rng, 30u);
    d->microbatches = t_chance(rng, 50u) ? 0u : 1u + t_below(rng, 4u);
    d->copies = t_below(rng, 3u);
    d->bandwidth = t_chance(rng, 50u) ? 0u : 1000000000u;
    d->first_time = t_chance(rng, 30u) ? t_below(rng, 40u) : 0u;
    d->last_time = t_chance(rng, 30u) ? t_below(rng, 40u) : 0u;
    if (t_chance(rng, 50u)) {
        d->layer_of = b->layer;
        d->layer_bytes = b->layer_bytes;
        d->n_layers = 2;
    }
    for (i = 0; i < DEVICES; i++) {
        b->held[i] = t_below(rng, 4u);
    }
    d->held = t_chance(rng, 20u) ? b->held : NULL;
}

static int open_bench(bench *b, t_rng *rng)
{
    t_string text = {NULL, 0u, 0u};
    uint32_t p;
    int good;
    memset(b, 0, sizeof(*b));
    b->n = 1u + t_below(rng, NODES);
    t_puts(&text, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # i8[40]\n");
    for (p = 0; p < b->n; p++) {
        write_node(b, rng, &text, p);
    }
    t_puts(&text, "    return n");
    t_number(&text, b->n - 1u);
    t_puts(&text, "\n");
    good = t_must_read(&b->arena, text.data, &b->module);
    b->graph = good ? gsp_module_graph(&b->module, 0u) : b->graph;
    make_costs(b, rng);
    make_desc(b, rng);
    t_free(&text);
    return good;
}

/* ---- the model ---- */

/* 1 if a value of before `at` is read there or later. */
static int crosses(const bench *b, uint32_t v, uint32_t at)
{
    return v < at && b->last[v] < NODES && b->last[v] >= at;
}

/* 1 if a range reads a value from before it; *last: where last. */
static int enters(const bench *b, uint32_t v, uint32_t begin, uint32_t end, uint32_t *last)
{
    int found = 0;
    uint32_t p;
    for (p = begin; v < begin && p < end; p++) {
        if (b->reads[p][v]) {
            found = 1;
            *last = p;
        }
    }
    return found;
}

static int is_carried(const bench *b)
{
    return b->d.carried || b->d.links != NULL;
}

/* The most bytes that live while the nodes of a range run. */
static uint64_t peak_of(const bench *b, uint32_t begin, uint32_t end)
{
    uint64_t most = 0;
    uint32_t at;
    uint32_t v;
    for (at = begin; at < end; at++) {
        uint64_t live = at == 0u ? ENTRY : 0u;
        for (v = 0; v <= at; v++) {
            uint32_t last = 0;
            int const returned = v + 1u == b->n;
            if (v < begin) {
                live += enters(b, v, begin, end, &last) && last >= at ? b->bytes[v] : 0u;
            } else if (v == at || returned || (b->last[v] < NODES && b->last[v] >= at)) {
                live += b->bytes[v];
            }
        }
        most = live > most ? live : most;
    }
    return most;
}

static uint64_t memory_of(
    const bench *b, uint32_t begin, uint32_t end, uint32_t used, uint32_t width)
{
    const gsp_stages_unequal_desc *d = &b->d;
    uint64_t sum = 0;
    uint64_t stash = 0;
    uint64_t pass = 0;
    uint32_t i;
    uint32_t p;
    for (i = 0; i < ITEMS && b->costs.item_begin != NULL; i++) {
        for (p = begin; p < end && !b->has_item[p][i]; p++) {
        }
        sum += p < end ? b->item_bytes[i] * (d->copies != 0u ? d->copies : 1u) : 0u;
    }
    for (i = 0; i < d->n_layers; i++) {
        for (p = begin; p < end && b->layer[p + 1u] != i; p++) {
        }
        sum += p < end ? b->layer_bytes[i] : 0u;
    }
    for (p = 0; p < end; p++) {
        uint32_t last;
        int const in = enters(b, p, begin, end, &last);
        stash += p >= begin      ? b->stash[p + 1u]
                 : is_carried(b) ? (crosses(b, p, begin) ? b->bytes[p] : 0u)
                 : in            ? b->stash[p + 1u]
                                 : 0u;
        pass += is_carried(b) && crosses(b, p, begin) && !in ? b->bytes[p] : 0u;
    }
    if (d->microbatches == 0u) {
        return sum + peak_of(b, begin, end) + pass;
    }
    i = b->used - used < d->microbatches ? b->used - used : d->microbatches;
    i = d->held != NULL ? d->held[used] : i;
    return sum + stash * ((i + width - 1u) / width);
}

/* Ticks of all that crosses a place, from one device to another. */
static uint64_t cross_of(const bench *b, uint32_t at, uint32_t from, uint32_t to)
{
    uint64_t all = 0;
    uint64_t own = 0;
    uint64_t bytes = 0;
    uint32_t v;
    for (v = 0; v < at; v++) {
        if (crosses(b, v, at)) {
            all += b->move[v + 1u];
            own += b->given[v] ? b->move[v + 1u] : 0u;
            bytes += b->given[v] ? 0u : b->bytes[v];
        }
    }
    if (b->d.links == NULL) {
        return all;
    }
    if (own == 0u && bytes == 0u) {
        return 0;
    }
    return b->links[from * b->d.n_devices + to] > 0.0
               ? own + whole((double)bytes * 1e9 / b->links[from * b->d.n_devices + to])
               : UINT64_MAX;
}

/* Ticks of values that enter or leave a range where they do not pass through stages. */
static uint64_t moved(const bench *b, uint32_t begin, uint32_t end, int leaves)
{
    uint64_t sum = 0;
    uint32_t v;
    for (v = 0; v < end; v++) {
        uint32_t last;
        if (leaves ? v >= begin && crosses(b, v, end) : enters(b, v, begin, end, &last)) {
            sum += b->move[v + 1u];
        }
    }
    return sum;
}

/* Ticks of a stage, UINT64_MAX if it has no room or a link is missing. */
static uint64_t load_of(const bench *b, const plan *p, uint32_t stage, int room)
{
    const gsp_stages_unequal_desc *d = &b->d;
    uint32_t const begin = stage != 0u ? p->end[stage - 1u] : 0u;
    uint32_t const end = p->end[stage];
    uint32_t const used = p->first[stage];
    uint32_t const width = p->first[stage + 1u] - used;
    uint32_t const on = p->device[used];
    uint64_t time = used == 0u ? d->first_time : 0u;
    uint64_t enter = is_carried(b) ? 0u : moved(b, begin, end, 0);
    uint64_t leave = is_carried(b) ? 0u : moved(b, begin, end, 1);
    uint64_t params = 0;
    uint32_t i;
    uint32_t v;
    for (v = begin; v < end; v++) {
        time += b->time[v + 1u];
    }
    time = whole((double)(time + (end == b->n ? d->last_time : 0u)) / b->devices[on].speed);
    if (is_carried(b)) {
        enter = stage != 0u ? cross_of(b, begin, p->device[p->first[stage - 1u]], on) : 0u;
        leave = stage + 1u < p->n ? cross_of(b, end, on, p->device[p->first[stage + 1u]]) : 0u;
    }
    if (enter == UINT64_MAX || leave == UINT64_MAX ||
        (room && memory_of(b, begin, end, used, width) > b->devices[on].bytes)) {
        return UINT64_MAX;
    }
    time += enter + (d->goal == GSP_STAGES_UNEQUAL_LATENCY ? 0u : leave);
    time = (time + width - 1u) / width;
    for (i = 0; i < ITEMS && b->costs.item_begin != NULL; i++) {
        for (v = begin; v < end && !b->has_item[v][i]; v++) {
        }
        params += v < end ? b->item_bytes[i] : 0u;
    }
    if (width > 1u && d->microbatches != 0u && d->bandwidth != 0u) {
        uint64_t const share = (uint64_t)width * d->microbatches;
        uint64_t const sync = whole((double)params / (double)d->bandwidth * 1e9);
        time += (sync * 4u + share - 1u) / share * (width - 1u);
    }
    return time;
}

static uint64_t value_of(const bench *b, const plan *p, int room)
{
    uint64_t value = 0;
    uint32_t i;
    for (i = 0; i < p->n; i++) {
        uint64_t const load = load_of(b, p, i, room);
        if (load == UINT64_MAX) {
            return load;
        }
        value = b->d.goal == GSP_STAGES_UNEQUAL_LATENCY ? value + load
                : load > value                          ? load
                                                        : value;
    }
    return value;
}

/* ---- all plans ---- */

/* Devices number `code` of all sequences; 0 if one is twice, or the order is not the given one. */
static int devices_of(const bench *b, uint32_t code, plan *p)
{
    uint32_t i;
    uint32_t k;
    for (i = 0; i < b->used; i++) {
        p->device[i] = code % b->d.n_devices;
        code /= b->d.n_devices;
        for (k = 0; k < i; k++) {
            if (p->device[k] == p->device[i] || (!b->d.any_order && p->device[k] > p->device[i])) {
                return 0;
            }
        }
    }
    return 1;
}

/* Devices that any plan takes as the same: in the given order, or with links, no others. */
static int same_device(const bench *b, uint32_t i, uint32_t k)
{
    uint32_t const n = b->d.n_devices;
    uint32_t j;
    if (b->devices[i].bytes != b->devices[k].bytes ||
        whole(100.0 * b->devices[i].speed) != whole(100.0 * b->devices[k].speed)) {
        return 0;
    }
    for (j = 0; j < n && b->d.links != NULL; j++) {
        uint32_t const to = j == k ? i : j;
        if (j != i && (whole(b->links[i * n + j]) != whole(b->links[k * n + to]) ||
                          whole(b->links[j * n + i]) != whole(b->links[to * n + k]))) {
            return 0;
        }
    }
    return 1;
}

/* Stages of several devices as a mask of the devices that begin one; 0 if that is not allowed. */
static int widths_of(const bench *b, uint32_t mask, plan *p)
{
    uint32_t i;
    uint32_t k;
    p->n = 0;
    for (i = 0; i < b->used; i++) {
        if (i == 0u || (mask >> (i - 1u) & 1u) != 0u) {
            p->first[p->n++] = i;
        }
    }
    p->first[p->n] = b->used;
    if (!b->d.replicas) {
        return p->n == b->used;
    }
    for (i = 0; i < p->n; i++) {
        uint32_t const width = p->first[i + 1u] - p->first[i];
        for (k = p->first[i]; k < p->first[i + 1u]; k++) {
            if (!same_device(b, p->device[p->first[i]], p->device[k]) ||
                (!b->d.any_order && k != p->first[i] && p->device[k] != p->device[k - 1u] + 1u) ||
                b->d.microbatches % width != 0u) {
                return 0;
            }
        }
    }
    return 1;
}

/* Ends of stages as a mask of the places that are cut; 0 if there are too many, or groups torn. */
static int ends_of(const bench *b, uint32_t mask, plan *p)
{
    uint32_t n = 0;
    uint32_t at;
    uint32_t i;
    uint32_t k;
    for (at = 1; at <= b->n; at++) {
        if (at < b->n && (mask >> (at - 1u) & 1u) == 0u) {
            continue;
        }
        if (n == p->n) {
            return 0;
        }
        p->end[n++] = at;
        for (i = 0; i < at && b->d.keep_groups; i++) {
            for (k = at; k < b->n; k++) {
                if (b->group[i] != 0u && b->group[i] == b->group[k]) {
                    return 0;
                }
            }
        }
    }
    return n == p->n;
}

static uint64_t best_of(const bench *b)
{
    uint64_t best = UINT64_MAX;
    uint32_t codes = 1;
    uint32_t code;
    uint32_t widths;
    uint32_t ends;
    plan p;
    for (code = 0; code < b->used; code++) {
        codes *= b->d.n_devices;
    }
    for (code = 0; code < codes; code++) {
        for (widths = 0; devices_of(b, code, &p) && widths < 1u << (b->used - 1u); widths++) {
            for (ends = 0; widths_of(b, widths, &p) && ends < 1u << (b->n - 1u); ends++) {
                if (ends_of(b, ends, &p)) {
                    uint64_t const value = value_of(b, &p, 1);
                    best = value < best ? value : best;
                }
            }
        }
    }
    return best;
}

/* Units that the line has, and devices that are used. */
static void count_used(bench *b)
{
    uint32_t units = 0;
    uint32_t at;
    plan p;
    for (at = 0; at < b->n; at++) {
        p.n = 2;
        units += at == 0u || ends_of(b, 1u << (at - 1u), &p);
    }
    b->used = b->d.n_used != 0u ? b->d.n_used : b->d.n_devices;
    b->used = units < b->used && !b->d.replicas ? units : b->used;
}

/* The plan that a run gives. */
static plan plan_of(const bench *b)
{
    plan p;
    uint32_t end = 0;
    uint32_t i;
    p.n = b->r.n_stages;
    for (i = 0; i < p.n; i++) {
        end += b->r.stages[i].n_nodes;
        p.end[i] = end;
        p.first[i] = b->r.stages[i].first;
        p.first[i + 1u] = p.first[i] + b->r.stages[i].n_devices;
    }
    for (i = 0; i < b->used; i++) {
        p.device[i] = b->r.devices[i];
    }
    return p;
}

/* What a run says of its own plan is what the plan takes. */
static void check_plan(const bench *b)
{
    plan const p = plan_of(b);
    uint32_t i;
    uint32_t v;
    T_EQUAL(value_of(b, &p, 1), b->r.objective);
    for (i = 0; i < p.n && !t_failed(); i++) {
        const gsp_stages_unequal_stage *s = &b->r.stages[i];
        uint32_t const begin = i != 0u ? p.end[i - 1u] : 0u;
        T_EQUAL(s->memory, memory_of(b, begin, p.end[i], s->first, s->n_devices));
        T_EQUAL(s->time, load_of(b, &p, i, 1));
        T_EQUAL(s->time, s->compute + s->enter + s->leave);
        T_EQUAL(s->live, b->d.microbatches != 0u ? 0u : peak_of(b, begin, p.end[i]));
        for (v = begin; v < p.end[i]; v++) {
            T_EQUAL(b->r.stage_of[v + 1u], i);
        }
    }
}

/* Stages of equal numbers of nodes. */
static void check_reference(const bench *b)
{
    plan p;
    uint32_t at = 0;
    if (b->d.keep_groups || b->used > b->n) {
        return;
    }
    p.n = b->used;
    p.first[0] = 0;
    for (; at < b->used; at++) {
        uint32_t const begin = at != 0u ? p.end[at - 1u] : 0u;
        uint32_t const left = b->used - at;
        p.end[at] = begin + (b->n - begin + left - 1u) / left;
        p.first[at + 1u] = at + 1u;
        p.device[at] = at;
    }
    T_EQUAL(b->r.reference, value_of(b, &p, 0));
    T_EQUAL(b->r.reference_fits && b->r.reference != UINT64_MAX, value_of(b, &p, 1) != UINT64_MAX);
}

static gsp_status run(bench *b, uint64_t max_work)
{
    gsp_arena arena;
    gsp_error err;
    gsp_status status;
    void *memory;
    size_t size;
    b->d.max_work = max_work;
    size = gsp_stages_unequal_bound(&b->graph, &b->d);
    memory = t_alloc(size);
    gsp_arena_init(&arena, memory, size);
    status = gsp_stages_unequal_run(&arena, &b->graph, &b->d, &b->r, &err);
    T_EQUAL(status, err.status);
    T_EQUAL(arena.high, 0u);
    if (status == GSP_OK && !t_failed()) {
        check_plan(b);
        check_reference(b);
    }
    free(memory);
    return status;
}

static void test_all_plans(void)
{
    t_rng rng = {t_seed};
    uint32_t const n = t_fast ? 150u : 3000u;
    uint32_t n_fit = 0;
    uint32_t i;
    bench b;
    for (i = 0; i < n && !t_failed(); i++) {
        if (open_bench(&b, &rng)) {
            gsp_status status;
            uint64_t best;
            count_used(&b);
            best = best_of(&b);
            status = run(&b, 0);
            n_fit += best != UINT64_MAX;
            T_EQUAL(status, best == UINT64_MAX ? GSP_STATUS_NO_FIT : GSP_OK);
            if (status == GSP_OK) {
                T_EQUAL(b.r.objective, best);
                T_EQUAL(b.r.lower_bound, best);
                T_EQUAL(b.r.proved, 1u);
            }
            status = run(&b, 1u + t_below(&rng, 60u));
            T_CHECK(status != GSP_OK || (b.r.objective >= best && b.r.lower_bound <= best));
            T_CHECK(status == GSP_OK || best == UINT64_MAX || !b.d.any_order ||
                    status == GSP_STATUS_NO_FIT);
        }
        t_arena_close(&b.arena);
    }
    T_CHECK(n_fit > n / 4u && n_fit < n);
}

void suite_oracle_unequal(void)
{
    t_run("all_plans", test_all_plans);
}
