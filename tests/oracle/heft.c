/* gsp_heft_run() on small random graphs: a placement that fits exactly where enumeration has one,
 * and hardly any parts on devices that end earlier, among all of them. */
#include "examples/extra/graphsplit_heft.h"
#include "tests/oracle/partition.h"

#define CALLS 30u

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    part_case c;
    gsp_module module;
    gsp_graph g;
    gsp_device devices[PART_DEVICES];
    gsp_node calls[CALLS];
    uint32_t n_calls;
    gsp_heft_desc d;
    gsp_heft_result r;
} subject;

static void read_case(subject *s, t_rng *rng, uint32_t most_calls, uint32_t most_devices)
{
    static const double rates[] = {4.0, 50.0, 1000.0};
    part_random(rng, PART_SIZE, most_calls, &s->c);
    uint64_t all = 0;
    for (uint32_t v = 0; v < s->c.n; v++) {
        all += s->c.bytes[v] + s->c.params[v];
    }
    memset(&s->d, 0, sizeof(s->d));
    s->d.n_devices = 1u + t_below(rng, most_devices);
    for (uint32_t i = 0; i < s->d.n_devices; i++) {
        s->devices[i].name = gsp_str_of("device");
        s->devices[i].id = i;
        s->devices[i].bytes = 1u + t_below(rng, (uint32_t)(2u * all / s->d.n_devices + 1u));
    }
    s->d.devices = s->devices;
    s->d.has_rate = (uint32_t)t_chance(rng, 60);
    s->d.transfer_rate = rates[t_below(rng, 3)];
    t_string text = part_text(&s->c);
    T_EQUAL(gsp_text_read(&s->text, text.data, text.size, NULL, &s->module, NULL), GSP_OK);
    t_free(&text);
    s->g = gsp_module_graph(&s->module, 0u);
    s->n_calls = 0;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        if (gsp_node_is_callable(&s->g, v)) {
            s->calls[s->n_calls++] = v;
        }
    }
}

static void run(subject *s)
{
    T_EQUAL(gsp_heft_run(&s->arena, &s->g, &s->d, &s->r, NULL), GSP_OK);
}

/* Whether the devices have room for this placement of calls. */
static int fits(const subject *s, const uint32_t *on)
{
    for (uint32_t d = 0; d < s->d.n_devices; d++) {
        part_set nodes = 0;
        for (uint32_t i = 0; i < s->n_calls; i++) {
            nodes |= on[i] == d ? (part_set)1 << s->calls[i] : 0u;
        }
        if (part_bytes(&s->c, part_close(&s->c, nodes)) > s->devices[d].bytes) {
            return 0;
        }
    }
    return 1;
}

/* The next number to a base, digit by digit; 0 after the last. */
static int next(uint32_t *digits, uint32_t n, uint32_t base)
{
    for (uint32_t i = 0; i < n; i++) {
        if (++digits[i] < base) {
            return 1;
        }
        digits[i] = 0;
    }
    return 0;
}

static int exists(const subject *s)
{
    uint32_t on[CALLS] = {0};
    do {
        if (fits(s, on)) {
            return 1;
        }
    } while (next(on, s->n_calls, s->d.n_devices));
    return 0;
}

/* The parts of the result fit. */
static void check_room(const subject *s)
{
    uint32_t on[CALLS];
    for (uint32_t i = 0; i < s->n_calls; i++) {
        uint32_t const p = s->r.part_of[s->calls[i]];
        on[i] = p < s->r.n_parts ? s->r.device_of[p] : s->d.n_devices;
        T_CHECK(on[i] < s->d.n_devices);
    }
    T_CHECK(fits(s, on));
}

/* Seconds of parts, and of device_of as indices of devices; infinite for a cycle. */
static double serial(subject *s, const uint32_t *part_of, const uint32_t *device_of, uint32_t n)
{
    uint32_t as_parts[CALLS + 1u];
    gsp_score_desc d = {0};
    gsp_score_result r;
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    for (uint32_t i = 0; i < n; i++) {
        as_parts[i] = i;
        for (uint32_t k = i; k > 0u; k--) {
            as_parts[i] = device_of[k - 1u] == device_of[i] ? k - 1u : as_parts[i];
        }
    }
    d.n_parts = n;
    d.part_of = part_of;
    d.device_of = as_parts;
    d.has_rate = s->d.has_rate;
    d.transfer_rate = s->d.transfer_rate;
    T_EQUAL(gsp_score_run(&s->arena, &s->g, &d, &r, NULL), GSP_OK);
    gsp_arena_rewind(&s->arena, mark);
    return r.n_cycle == 0u ? r.serial : 1e300;
}

/* The least seconds of all parts on devices that fit. */
static double least(subject *s)
{
    uint32_t digits[2u * CALLS] = {0}; /* parts of calls, devices of parts */
    uint32_t part_of[PART_NODES + 1u];
    uint32_t on[CALLS];
    double best = 1e300;
    for (uint32_t v = 0; v <= PART_NODES; v++) {
        part_of[v] = GSP_NONE;
    }
    do {
        do {
            for (uint32_t i = 0; i < s->n_calls; i++) {
                on[i] = digits[s->n_calls + digits[i]];
                part_of[s->calls[i]] = digits[i];
            }
            if (fits(s, on)) {
                double const now = serial(s, part_of, digits + s->n_calls, s->n_calls);
                best = now < best ? now : best;
            }
        } while (next(digits + s->n_calls, s->n_calls, s->d.n_devices));
    } while (next(digits, s->n_calls, s->n_calls));
    return best;
}

static void open(subject *s)
{
    t_arena_open(&s->text, (size_t)1 << 20u);
    t_arena_open(&s->arena, (size_t)1 << 24u);
}

static void close(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->text);
}

static void empty(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    gsp_arena_init(&s->text, s->text.base, s->text.size);
}

static void test_any(void)
{
    static subject s;
    t_rng rng = {t_seed + 7u};
    uint32_t found[GSP_HEFT_COUNT] = {0};
    open(&s);
    for (uint32_t i = 0; i < (t_fast ? 200u : 2000u) && !t_failed(); i++) {
        empty(&s);
        read_case(&s, &rng, 7u, 3u);
        s.d.any = 1;
        run(&s);
        T_EQUAL(s.r.found, exists(&s) ? GSP_HEFT_FOUND : GSP_HEFT_NONE);
        found[s.r.found < (uint32_t)GSP_HEFT_COUNT ? s.r.found : 0u]++;
        if (s.r.found == (uint32_t)GSP_HEFT_FOUND) {
            check_room(&s);
        }
    }
    T_CHECK(found[GSP_HEFT_FOUND] > 40u && found[GSP_HEFT_NONE] > 40u);
    close(&s);
}

static void check_times(subject *s)
{
    double last = 0.0;
    for (uint32_t p = 0; p < s->r.n_parts; p++) {
        uint32_t const before = s->r.waits[p];
        last = s->r.finish[p] > last ? s->r.finish[p] : last;
        T_CHECK(before == GSP_NONE || (before < p && s->r.finish[before] <= s->r.finish[p]));
    }
    double const now = serial(s, s->r.part_of, s->r.device_of, s->r.n_parts);
    T_CHECK(memcmp(&now, &s->r.seconds, sizeof(now)) == 0);
    T_CHECK(memcmp(&now, &last, sizeof(now)) == 0);
    T_CHECK(s->r.seconds >= s->r.lower_bound * (1.0 - 1e-12)); /* sums in another order */
    T_CHECK(s->r.seconds <= s->r.reference);
}

static void test_least(void)
{
    static subject s;
    t_rng rng = {t_seed + 11u};
    uint32_t n = 0;
    uint32_t n_least = 0;
    open(&s);
    for (uint32_t i = 0; i < (t_fast ? 60u : 400u) && !t_failed(); i++) {
        empty(&s);
        read_case(&s, &rng, 4u, 3u);
        s.d.max_work = 20000u;
        s.d.seed = i;
        run(&s);
        T_EQUAL(s.r.found, exists(&s) ? GSP_HEFT_FOUND : GSP_HEFT_NONE);
        if (s.r.found == (uint32_t)GSP_HEFT_FOUND) {
            check_room(&s);
            check_times(&s);
            double const best = least(&s);
            T_CHECK(s.r.seconds >= best);
            n_least += s.r.seconds <= best ? 1u : 0u;
            n++;
        }
    }
    printf("# heft: %u placed, %u least\n", (unsigned)n, (unsigned)n_least);
    T_CHECK(n > 20u && n_least * 100u >= n * 95u);
    close(&s);
}

/* Larger graphs, in little work and with few states: what comes fits, and its times are right. */
static void test_random(void)
{
    static subject s;
    t_rng rng = {t_seed + 13u};
    open(&s);
    for (uint32_t i = 0; i < (t_fast ? 100u : 1000u) && !t_failed(); i++) {
        empty(&s);
        read_case(&s, &rng, CALLS, 4u);
        gsp_dependences waits;
        gsp_order order;
        T_EQUAL(gsp_dependences_run(&s.arena, &s.g, NULL, &waits, NULL), GSP_OK);
        T_EQUAL(gsp_order_run(&s.arena, &s.g, &waits, &order, NULL), GSP_OK);
        s.g.order = &order;
        s.d.any = (uint32_t)t_chance(&rng, 30);
        s.d.max_work = 1u + t_below(&rng, t_chance(&rng, 20) ? 2000000u : 50000u);
        s.d.max_states = 1u + t_below(&rng, 8u);
        s.d.max_visits = 1u + t_below(&rng, t_chance(&rng, 40) ? 1u : 20000u);
        run(&s);
        if (s.r.found == (uint32_t)GSP_HEFT_FOUND) {
            check_room(&s);
        }
        if (s.r.finish != NULL) {
            check_times(&s);
        }
    }
    close(&s);
}

void suite_oracle_heft(void)
{
    t_run("any", test_any);
    t_run("least", test_least);
    t_run("random", test_random);
}
