/* Schedules: every rule that an order has to keep, times by repetition until nothing changes, and
 * the closed forms of the literature. */
#include "tests/t.h"

#include "examples/extra/graphsplit_schedule.h"

#define MOST     128u /* stages */
#define FORMULAS (GSP_SCHEDULE_INTERLEAVED + 1u)

typedef struct made {
    gsp_schedule_desc desc;
    uint64_t forward[MOST];
    uint64_t backward[MOST];
    uint64_t weight[MOST];
    uint64_t move[MOST];
    uint64_t stash[MOST];
    uint64_t resident[MOST];
    gsp_arena arena;
    gsp_arena order;
    gsp_schedule_result r;
} made;

static int make(made *m)
{
    t_arena_open(&m->arena, gsp_schedule_bound(&m->desc));
    return T_EQUAL(gsp_schedule_run(&m->arena, &m->desc, &m->r, NULL), GSP_OK);
}

static const gsp_task *find(
    const gsp_schedule_result *r, uint32_t stage, uint32_t microbatch, uint32_t backward)
{
    const gsp_task *found = NULL;
    uint32_t i;
    for (i = 0; i < r->n_tasks; i++) {
        const gsp_task *t = &r->tasks[i];
        if (t->stage == stage && t->microbatch == microbatch && t->backward == backward) {
            T_CHECK(found == NULL);
            found = t;
        }
    }
    return found;
}

/* When everything that a task waits for is over: its device's task before it, and what it reads. */
static uint64_t earliest(const made *m, uint32_t i)
{
    const gsp_schedule_result *r = &m->r;
    const gsp_task *t = &r->tasks[i];
    uint64_t at = i == r->task_begin[t->device] ? 0u : t[-1].end;
    const gsp_task *other = NULL;
    uint64_t move = 0u;
    if (!t->backward && t->stage > 0u) {
        other = find(r, t->stage - 1u, t->microbatch, 0u);
        move = m->move[t->stage - 1u];
    } else if (t->backward && t->stage + 1u < r->n_stages) {
        other = find(r, t->stage + 1u, t->microbatch, 1u);
        move = m->move[t->stage];
    }
    if (other != NULL && other->end + move > at) {
        at = other->end + move;
    }
    other = t->backward ? find(r, t->stage, t->microbatch, 0u) : NULL;
    return other != NULL && other->end > at ? other->end : at;
}

static void check_times(const made *m)
{
    const gsp_schedule_result *r = &m->r;
    uint64_t span = 0u;
    uint64_t busy = 0u;
    uint32_t i;
    for (i = 0; i < r->n_tasks && !t_failed(); i++) {
        const gsp_task *t = &r->tasks[i];
        T_CHECK(i >= r->task_begin[t->device] && i < r->task_begin[t->device + 1u]);
        T_EQUAL(t->stage % r->n_devices, t->device);
        T_CHECK(find(r, t->stage, t->microbatch, t->backward) == t);
        T_EQUAL(t->begin, earliest(m, i));
        T_EQUAL(t->end - t->begin, t->backward ? m->backward[t->stage] : m->forward[t->stage]);
        span = t->end > span ? t->end : span;
        busy += t->end - t->begin;
    }
    T_EQUAL(r->span, span);
    if (span > 0u) {
        uint64_t const whole = span * r->n_devices;
        T_EQUAL(r->bubble, ((whole - busy) * 2000000u + whole) / (2u * whole));
    }
}

/* Bytes at the begin of every task of a device, counted afresh. */
static void check_bytes(const made *m)
{
    const gsp_schedule_result *r = &m->r;
    uint32_t device;
    uint32_t i;
    uint32_t k;
    uint32_t s;
    for (device = 0; device < r->n_devices; device++) {
        uint64_t peak = 0u;
        for (i = r->task_begin[device]; i < r->task_begin[device + 1u]; i++) {
            uint64_t bytes = 0u;
            for (s = device; s < r->n_stages; s += r->n_devices) {
                uint32_t kept = 0u;
                for (k = r->task_begin[device]; k <= i; k++) {
                    const gsp_task *t = &r->tasks[k];
                    kept += t->stage == s && !t->backward && (!m->desc.inference || k == i);
                    kept -= t->stage == s && t->backward && k < i;
                }
                T_CHECK(kept <= r->held[s]);
                bytes += m->resident[s] + kept * m->stash[s];
            }
            peak = bytes > peak ? bytes : peak;
        }
        T_EQUAL(r->peak[device], peak);
    }
    for (s = 0; s < r->n_stages && m->desc.kind == GSP_SCHEDULE_1F1B; s++) {
        T_CHECK(r->held[s] <= r->n_stages - s);
    }
}

static void fill(made *m, t_rng *rng)
{
    uint32_t s;
    for (s = 0; s < MOST; s++) {
        m->forward[s] = t_below(rng, 10u);
        m->backward[s] = t_below(rng, 20u);
        m->move[s] = t_chance(rng, 50u) ? 0u : t_below(rng, 5u);
        m->stash[s] = t_below(rng, 100u);
        m->resident[s] = t_below(rng, 100u);
    }
    m->desc.forward = m->forward;
    m->desc.backward = m->backward;
    m->desc.move = m->move;
    m->desc.stash = m->stash;
    m->desc.resident = m->resident;
}

/* Every kind, small numbers of everything: no order waits for itself. */
static void test_every(void)
{
    uint32_t const most = t_fast ? 4u : 6u;
    t_rng rng;
    uint32_t kind;
    uint32_t code;
    rng.state = t_seed;
    for (kind = 0; kind < 2u * FORMULAS; kind++) {
        for (code = 0; code < most * 4u * 13u && !t_failed(); code++) {
            made m;
            memset(&m, 0, sizeof(m));
            m.desc.kind = kind / 2u;
            m.desc.inference = kind % 2u;
            m.desc.n_devices = 1u + code % most;
            m.desc.n_chunks = m.desc.kind == GSP_SCHEDULE_INTERLEAVED ? 1u + code / most % 4u : 1u;
            m.desc.n_microbatches = 1u + code / most / 4u;
            fill(&m, &rng);
            if (make(&m)) {
                T_EQUAL(m.r.n_tasks, m.desc.n_devices * m.desc.n_chunks * m.desc.n_microbatches *
                                         (m.desc.inference ? 1u : 2u));
                check_times(&m);
                check_bytes(&m);
            }
            t_arena_close(&m.arena);
        }
    }
}

/* Equal stages of 2 and 4 ticks: (m + p - 1) of both, whatever the kind; interleaved 1 / chunks of
 * the bubble; p - d microbatches on device d instead of all. */
static void test_closed_forms(void)
{
    uint32_t p;
    uint32_t rounds;
    for (p = 1; p <= 8u; p++) {
        for (rounds = 1; rounds <= 4u; rounds++) {
            uint32_t const batches = p * rounds;
            uint32_t kind;
            for (kind = 0; kind < FORMULAS; kind++) {
                uint32_t const chunks = kind == GSP_SCHEDULE_INTERLEAVED ? 2u : 1u;
                uint32_t s;
                made m;
                memset(&m, 0, sizeof(m));
                m.desc.kind = kind;
                m.desc.n_devices = p;
                m.desc.n_microbatches = batches;
                for (s = 0; s < chunks * p; s++) {
                    m.forward[s] = 2u;
                }
                m.desc.forward = m.forward;
                if (make(&m)) {
                    T_EQUAL(m.r.n_stages, chunks * p);
                    T_EQUAL(m.r.span, (batches * chunks + p - 1u) * 6u);
                    for (s = 0; s < p && kind != GSP_SCHEDULE_INTERLEAVED; s++) {
                        T_EQUAL(m.r.held[s], kind == GSP_SCHEDULE_GPIPE ? batches : p - s);
                    }
                }
                t_arena_close(&m.arena);
            }
        }
    }
}

static void test_orders(void)
{
    static const char *const expected[] = {"F0 F1 F2 F3 B0 B1 B2 B3", "F0 F1 B0 F2 B1 F3 B2 B3"};
    uint32_t kind;
    for (kind = 0; kind < 2u; kind++) {
        t_string found = {NULL, 0u, 0u};
        uint32_t i;
        made m;
        memset(&m, 0, sizeof(m));
        m.desc.kind = kind;
        m.desc.n_devices = 2u;
        m.desc.n_microbatches = 4u;
        if (make(&m)) {
            for (i = 0; i < 8u; i++) {
                t_puts(&found, i == 0u ? "" : " ");
                t_puts(&found, m.r.tasks[i].backward ? "B" : "F");
                t_number(&found, m.r.tasks[i].microbatch);
            }
            T_STRING(found.data, expected[kind]);
        }
        t_arena_close(&m.arena);
        t_free(&found);
    }
}

/* ---- kinds with orders of their own ---- */

static int make_named(made *m)
{
    t_arena_open(&m->order, gsp_actions_bound(&m->desc));
    return T_EQUAL(gsp_actions_run(&m->order, &m->desc, &m->desc, NULL), GSP_OK) && make(m);
}

static void close_named(made *m)
{
    t_arena_close(&m->arena);
    t_arena_close(&m->order);
}

/* Backward as a whole, or its part for the input. */
static const gsp_task *find_input(const gsp_schedule_result *r, uint32_t stage, uint32_t microbatch)
{
    const gsp_task *t = find(r, stage, microbatch, GSP_ACTION_BACKWARD);
    return t != NULL ? t : find(r, stage, microbatch, GSP_ACTION_BACKWARD_INPUT);
}

/* Every task once, after what it needs. */
static void check_tasks(const made *m)
{
    const gsp_schedule_result *r = &m->r;
    uint32_t s;
    uint32_t i;
    uint32_t n = 0;
    for (s = 0; s < r->n_stages && !t_failed(); s++) {
        for (i = 0; i < m->desc.n_microbatches && !t_failed(); i++) {
            const gsp_task *f = find(r, s, i, GSP_ACTION_FORWARD);
            const gsp_task *b = find_input(r, s, i);
            const gsp_task *w = find(r, s, i, GSP_ACTION_BACKWARD_WEIGHT);
            if (!T_CHECK(f != NULL) || (!m->desc.inference && !T_CHECK(b != NULL))) {
                return;
            }
            n += 1u + (b != NULL) + (w != NULL);
            T_EQUAL(f->device, m->desc.device_of[s]);
            T_CHECK(s == 0 || f->begin >= find(r, s - 1u, i, GSP_ACTION_FORWARD)->end);
            if (m->desc.inference) {
                T_CHECK(b == NULL && w == NULL);
                continue;
            }
            T_CHECK(b->begin >= f->end &&
                    (s + 1u == r->n_stages || b->begin >= find_input(r, s + 1u, i)->end));
            T_EQUAL(w != NULL, b->backward == GSP_ACTION_BACKWARD_INPUT);
            T_CHECK(w == NULL || w->begin >= b->end);
        }
    }
    T_EQUAL(r->n_tasks, n);
    for (i = 1; i < r->n_tasks; i++) {
        T_CHECK(r->tasks[i].device != r->tasks[i - 1u].device ||
                r->tasks[i].begin >= r->tasks[i - 1u].end);
    }
}

/* The actions of a formula have its times. */
static void test_formulas(void)
{
    uint32_t code;
    t_rng rng;
    rng.state = t_seed;
    for (code = 0; code < (t_fast ? 200u : 2000u) && !t_failed(); code++) {
        made by_kind;
        made m;
        memset(&m, 0, sizeof(m));
        m.desc.kind = code % FORMULAS;
        m.desc.inference = t_below(&rng, 2u);
        m.desc.n_devices = 1u + t_below(&rng, 6u);
        m.desc.n_microbatches = 1u + t_below(&rng, 20u);
        m.desc.n_chunks = m.desc.kind == GSP_SCHEDULE_INTERLEAVED ? 1u + t_below(&rng, 3u) : 1u;
        fill(&m, &rng);
        by_kind = m;
        if (make(&by_kind) && make_named(&m)) {
            T_EQUAL(m.r.n_tasks, by_kind.r.n_tasks);
            T_EQUAL(m.r.span, by_kind.r.span);
            T_CHECK(memcmp(m.r.tasks, by_kind.r.tasks, m.r.n_tasks * sizeof(gsp_task)) == 0);
        }
        close_named(&m);
        t_arena_close(&by_kind.arena);
    }
}

/* Microbatches of a stage that a device keeps, as the papers have it. */
static uint32_t most_kept(const gsp_schedule_desc *d)
{
    uint32_t const p = d->n_devices;
    switch (d->kind) {
    case GSP_SCHEDULE_ZB_H1:
        return p;
    case GSP_SCHEDULE_ZB_H2:
        return 2u * p - 1u;
    case GSP_SCHEDULE_ZBV:
        return 2u * p;
    case GSP_SCHEDULE_V_HALF:
        return p % 2u ? p + 1u : p + 2u;
    case GSP_SCHEDULE_V_MIN:
        return 2u * ((p + 1u) / 3u) + 2u;
    case GSP_SCHEDULE_DUALPIPEV:
        return 2u * p + 1u;
    default:
        return d->n_chunks * d->n_microbatches;
    }
}

/* A stage runs where its kind says, before the actions are known. */
static void check_devices(const made *m)
{
    gsp_schedule_desc kind = m->desc;
    uint32_t s;
    kind.actions = NULL;
    for (s = 0; s < m->desc.n_devices * m->desc.n_chunks; s++) {
        T_EQUAL(gsp_schedule_device(&kind, s), m->desc.device_of[s]);
    }
}

static void check_kept(const made *m)
{
    uint32_t k;
    for (k = 0; k < m->r.n_devices && !m->desc.inference; k++) {
        T_CHECK(m->r.in_flight[k] <= most_kept(&m->desc));
    }
}

static void test_named(void)
{
    uint32_t const most = t_fast ? 4u : 6u;
    uint32_t const batches = t_fast ? 9u : 14u;
    uint32_t kind;
    uint32_t code;
    t_rng rng;
    rng.state = t_seed;
    for (kind = FORMULAS; kind < GSP_SCHEDULE_COUNT; kind++) {
        for (code = 0; code < most * batches * 2u && !t_failed(); code += t_fast ? 11u : 1u) {
            made m;
            int fixed;
            memset(&m, 0, sizeof(m));
            m.desc.kind = kind;
            m.desc.n_devices = 1u + code % most;
            m.desc.n_microbatches = 1u + code / most % batches;
            m.desc.inference = code / most / batches;
            m.desc.n_chunks = gsp_schedule_chunks(kind, &fixed);
            m.desc.n_chunks = fixed ? m.desc.n_chunks : 1u + t_below(&rng, 3u);
            fill(&m, &rng);
            if (t_chance(&rng, 50u)) {
                m.desc.backward = NULL;
            }
            if (m.desc.n_microbatches < gsp_actions_least(&m.desc)) {
                t_arena_open(&m.order, gsp_actions_bound(&m.desc));
                T_EQUAL(gsp_actions_run(&m.order, &m.desc, &m.desc, NULL), GSP_STATUS_DESC);
                t_arena_close(&m.order);
                continue;
            }
            if (make_named(&m)) {
                check_devices(&m);
                check_tasks(&m);
                check_kept(&m);
            }
            close_named(&m);
        }
    }
}

/* Ticks beyond the work of a device when F = I = W = 1: of the whole, and of the longest device
 * from its first task to its last. */
static void closed_form(const gsp_schedule_desc *d, uint64_t *whole, uint64_t *window)
{
    uint32_t const p = d->n_devices;
    *whole = p - 1u;
    *window = p - 1u;
    switch (d->kind) {
    case GSP_SCHEDULE_GPIPE:
    case GSP_SCHEDULE_1F1B:
    case GSP_SCHEDULE_INTERLEAVED:
    case GSP_SCHEDULE_LOOPED_BFS:
        *whole = 3u * (p - 1u);
        *window = *whole;
        break;
    case GSP_SCHEDULE_ZB_H2:
    case GSP_SCHEDULE_ZBV:
        *window = 0;
        break;
    case GSP_SCHEDULE_V_HALF: /* half of the 6 (p - 1) of 1F1B with stages of twice the time */
        *window = p < 3u ? 0u : 6u * ((p - 1u) / 2u) - 1u;
        *whole = p < 3u ? p - 1u : *window;
        break;
    case GSP_SCHEDULE_V_MIN: /* two thirds */
        *window = p < 3u ? p - 1u : 4u * p - 5u - (p % 3u == 0 ? 2u : 0u);
        *whole = *window;
        break;
    default:
        break;
    }
}

static void check_closed_form(uint32_t kind, uint32_t p, uint32_t batches)
{
    uint64_t whole;
    uint64_t window;
    uint64_t longest = 0;
    uint64_t work;
    uint32_t k;
    made m;
    int fixed;
    memset(&m, 0, sizeof(m));
    m.desc.kind = kind;
    m.desc.n_devices = p;
    m.desc.n_microbatches = batches;
    m.desc.n_chunks = gsp_schedule_chunks(kind, &fixed);
    work = (uint64_t)3u * m.desc.n_chunks * batches;
    closed_form(&m.desc, &whole, &window);
    if (kind >= FORMULAS) {
        make_named(&m);
    } else {
        make(&m);
    }
    if (!t_failed()) {
        for (k = 0; k < p; k++) {
            uint64_t const end = m.r.tasks[m.r.task_begin[k + 1u] - 1u].end;
            uint64_t const begin = m.r.tasks[m.r.task_begin[k]].begin;
            longest = end - begin > longest ? end - begin : longest;
        }
        T_EQUAL(m.r.span - work, whole);
        T_EQUAL(longest - work, window);
        check_kept(&m);
    }
    close_named(&m);
}

/* F = I = W: the forms of the papers, with as many microbatches as they ask for. */
static void test_unit_forms(void)
{
    static const uint32_t devices[] = {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 16u, 31u, 48u, 64u};
    uint32_t kind;
    uint32_t i;
    uint32_t n;
    for (kind = 0; kind < GSP_SCHEDULE_COUNT; kind++) {
        for (i = 0; i < sizeof(devices) / sizeof(*devices) && !t_failed(); i++) {
            uint32_t const p = devices[i];
            for (n = 2u * p; n <= 256u && (!t_fast || n <= 64u); n += p * (t_fast ? 7u : 1u)) {
                if (n % p == 0) {
                    check_closed_form(kind, p, n);
                }
            }
        }
    }
}

/* The bound is enough, and one byte less is refused without a trace. */
static void test_room(void)
{
    uint32_t kind;
    for (kind = FORMULAS; kind < GSP_SCHEDULE_COUNT && !t_failed(); kind++) {
        gsp_arena arena;
        gsp_error err;
        size_t bound;
        made m;
        memset(&m, 0, sizeof(m));
        m.desc.kind = kind;
        m.desc.n_devices = 3u;
        m.desc.n_microbatches = 7u;
        bound = gsp_actions_bound(&m.desc);
        t_arena_open(&arena, bound - 1u);
        T_EQUAL(gsp_actions_run(&arena, &m.desc, &m.desc, &err), GSP_STATUS_NOMEM);
        T_EQUAL(err.need, bound);
        T_EQUAL(arena.low + arena.high, 0);
        T_CHECK(m.desc.actions == NULL);
        t_arena_close(&arena);
        make_named(&m);
        close_named(&m);
        m.desc.n_devices = 70000u;
        m.desc.n_microbatches = 70000u;
        T_CHECK(gsp_actions_bound(&m.desc) == SIZE_MAX);
    }
}

static void test_errors(void)
{
    made m;
    gsp_arena arena;
    gsp_error err;
    uint32_t i;
    memset(&m, 0, sizeof(m));
    t_arena_open(&arena, 4096u);
    T_EQUAL(gsp_schedule_run(&arena, &m.desc, &m.r, &err), GSP_OK);
    T_EQUAL(m.r.span, 3);
    T_EQUAL(m.r.bubble, 0);
    gsp_arena_init(&arena, arena.base, arena.size);
    m.desc.kind = GSP_SCHEDULE_COUNT;
    T_EQUAL(gsp_schedule_run(&arena, &m.desc, &m.r, &err), GSP_STATUS_DESC);
    m.desc.kind = GSP_SCHEDULE_ZBV; /* without its order */
    T_EQUAL(gsp_schedule_run(&arena, &m.desc, &m.r, &err), GSP_STATUS_DESC);
    m.desc.kind = GSP_SCHEDULE_1F1B;
    m.desc.n_chunks = 2u;
    T_EQUAL(gsp_schedule_run(&arena, &m.desc, &m.r, &err), GSP_STATUS_DESC);
    m.desc.n_chunks = 0u;
    m.desc.n_devices = 3u;
    for (i = 0; i < 5u; i++) {
        memset(m.forward, 0, sizeof(m.forward));
        memset(m.move, 0, sizeof(m.move));
        memset(m.stash, 0, sizeof(m.stash));
        memset(m.resident, 0, sizeof(m.resident));
        memset(m.backward, 0, sizeof(m.backward));
        *(i == 0u     ? &m.forward[1]
            : i == 1u ? &m.backward[2]
            : i == 2u ? &m.move[0]
            : i == 3u ? &m.stash[0]
                      : &m.resident[2]) = UINT64_MAX / 2u + 1u;
        m.desc.forward = m.forward;
        m.desc.backward = m.backward;
        m.desc.move = m.move;
        m.desc.stash = m.stash;
        m.desc.resident = m.resident;
        T_EQUAL(gsp_schedule_run(&arena, &m.desc, &m.r, &err), GSP_STATUS_OVERFLOW);
        T_EQUAL(err.detail, GSP_DETAIL_SIZE);
        T_EQUAL(arena.low + arena.high, 0);
    }
    m.desc.n_devices = 70000u;
    m.desc.n_microbatches = 70000u;
    T_EQUAL(gsp_schedule_run(&arena, &m.desc, &m.r, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.detail, GSP_DETAIL_TOO_MANY);
    t_arena_close(&arena);
}

void suite_oracle_schedule(void)
{
    t_run("every", test_every);
    t_run("closed_forms", test_closed_forms);
    t_run("orders", test_orders);
    t_run("formulas", test_formulas);
    t_run("named", test_named);
    t_run("unit_forms", test_unit_forms);
    t_run("room", test_room);
    t_run("errors", test_errors);
}
