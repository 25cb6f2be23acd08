/* Schedules: every rule that an order has to keep, times by repetition until nothing changes, and
 * the closed forms of the literature. */
#include "tests/t.h"

#include "examples/program/core/schedule.h"

#define MOST 40u /* stages, microbatches */

typedef struct made {
    cli_schedule_desc desc;
    uint64_t forward[MOST];
    uint64_t backward[MOST];
    uint64_t move[MOST];
    uint64_t stash[MOST];
    uint64_t resident[MOST];
    gsp_arena arena;
    cli_schedule r;
} made;

static int make(made *m)
{
    t_arena_open(&m->arena, cli_schedule_bound(&m->desc));
    return T_EQUAL(cli_schedule_run(&m->arena, &m->desc, &m->r, NULL), GSP_OK);
}

static const cli_task *find(const cli_schedule *r, uint32_t stage, uint32_t microbatch,
                            uint32_t backward)
{
    const cli_task *found = NULL;
    uint32_t i;
    for (i = 0; i < r->n_tasks; i++) {
        const cli_task *t = &r->tasks[i];
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
    const cli_schedule *r = &m->r;
    const cli_task *t = &r->tasks[i];
    uint64_t at = i == r->task_begin[t->device] ? 0u : t[-1].end;
    const cli_task *other = NULL;
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
    const cli_schedule *r = &m->r;
    uint64_t span = 0u;
    uint64_t busy = 0u;
    uint32_t i;
    for (i = 0; i < r->n_tasks && !t_failed(); i++) {
        const cli_task *t = &r->tasks[i];
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
    const cli_schedule *r = &m->r;
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
                    const cli_task *t = &r->tasks[k];
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
    for (s = 0; s < r->n_stages && m->desc.kind == CLI_SCHEDULE_1F1B; s++) {
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
    for (kind = 0; kind < 2u * CLI_SCHEDULE_COUNT; kind++) {
        for (code = 0; code < most * 4u * 13u && !t_failed(); code++) {
            made m;
            memset(&m, 0, sizeof(m));
            m.desc.kind = kind / 2u;
            m.desc.inference = kind % 2u;
            m.desc.n_devices = 1u + code % most;
            m.desc.n_chunks = m.desc.kind == CLI_SCHEDULE_INTERLEAVED ? 1u + code / most % 4u : 1u;
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
            for (kind = 0; kind < CLI_SCHEDULE_COUNT; kind++) {
                uint32_t const chunks = kind == CLI_SCHEDULE_INTERLEAVED ? 2u : 1u;
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
                    for (s = 0; s < p && kind != CLI_SCHEDULE_INTERLEAVED; s++) {
                        T_EQUAL(m.r.held[s], kind == CLI_SCHEDULE_GPIPE ? batches : p - s);
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

static void test_errors(void)
{
    made m;
    gsp_arena arena;
    gsp_error err;
    uint32_t i;
    memset(&m, 0, sizeof(m));
    t_arena_open(&arena, 4096u);
    T_EQUAL(cli_schedule_run(&arena, &m.desc, &m.r, &err), GSP_OK);
    T_EQUAL(m.r.span, 3);
    T_EQUAL(m.r.bubble, 0);
    gsp_arena_init(&arena, arena.base, arena.size);
    m.desc.kind = CLI_SCHEDULE_COUNT;
    T_EQUAL(cli_schedule_run(&arena, &m.desc, &m.r, &err), GSP_STATUS_DESC);
    m.desc.kind = CLI_SCHEDULE_1F1B;
    m.desc.n_chunks = 2u;
    T_EQUAL(cli_schedule_run(&arena, &m.desc, &m.r, &err), GSP_STATUS_DESC);
    m.desc.n_chunks = 0u;
    m.desc.n_devices = 3u;
    for (i = 0; i < 5u; i++) {
        memset(m.forward, 0, sizeof(m.forward));
        memset(m.move, 0, sizeof(m.move));
        memset(m.stash, 0, sizeof(m.stash));
        memset(m.resident, 0, sizeof(m.resident));
        memset(m.backward, 0, sizeof(m.backward));
        *(i == 0u   ? &m.forward[1]
          : i == 1u ? &m.backward[2]
          : i == 2u ? &m.move[0]
          : i == 3u ? &m.stash[0]
                    : &m.resident[2]) = UINT64_MAX / 2u + 1u;
        m.desc.forward = m.forward;
        m.desc.backward = m.backward;
        m.desc.move = m.move;
        m.desc.stash = m.stash;
        m.desc.resident = m.resident;
        T_EQUAL(cli_schedule_run(&arena, &m.desc, &m.r, &err), GSP_STATUS_OVERFLOW);
        T_EQUAL(err.detail, GSP_DETAIL_SIZE);
        T_EQUAL(arena.low + arena.high, 0);
    }
    m.desc.n_devices = 70000u;
    m.desc.n_microbatches = 70000u;
    T_EQUAL(cli_schedule_run(&arena, &m.desc, &m.r, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.detail, GSP_DETAIL_TOO_MANY);
    t_arena_close(&arena);
}

void suite_oracle_schedule(void)
{
    t_run("every", test_every);
    t_run("closed_forms", test_closed_forms);
    t_run("orders", test_orders);
    t_run("errors", test_errors);
}
