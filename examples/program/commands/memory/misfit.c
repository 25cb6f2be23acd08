/* A minimal set of tensors that do not fit into several memories: tensors are dropped one by one
 * while a proof shows that the others do not fit. */
#include "commands/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TRY_WORK ((uint64_t)1u << 22) /* steps of one search */
#define ALL_WORK ((uint64_t)1u << 26)
#define STEP     1024u /* per tensor, for what every search does */
#define MOST     4096u /* tensors of a search */

typedef struct member {
    uint64_t bytes;
    uint32_t id;
} member;

typedef struct misfit {
    memory *m;
    member *set; /* by rising size */
    uint32_t n;
    uint64_t bytes; /* their sum */
    uint64_t room;  /* of all memories */
    int at_once;    /* the members are live together */
    int open;       /* some search found neither a proof nor a plan: fewer may not fit either */
    uint64_t work;
    gsp_tensor *tensors; /* of one search */
    uint64_t *traffic;
    uint32_t *written;
    uint32_t *aligns;
    uint32_t *pins;
    uint32_t *fixed;
} misfit;

static void start(misfit *f, memory *m)
{
    size_t const n = (size_t)m->memory_plan.n_tensors + 1u;
    uint32_t i;
    memset(f, 0, sizeof *f);
    f->m = m;
    f->set = (member *)cli_alloc(m->session, n, sizeof *f->set);
    f->tensors = (gsp_tensor *)cli_alloc(m->session, n, sizeof *f->tensors);
    f->traffic = (uint64_t *)cli_alloc(m->session, n, sizeof *f->traffic);
    f->written = (uint32_t *)cli_alloc(m->session, n, sizeof *f->written);
    f->aligns = (uint32_t *)cli_alloc(m->session, n, sizeof *f->aligns);
    f->pins = (uint32_t *)cli_alloc(m->session, n, sizeof *f->pins);
    f->fixed = (uint32_t *)cli_alloc(m->session, n, sizeof *f->fixed);
    for (i = 0; i < m->several.n; i++) {
        uint64_t const bytes = m->several.list[i].bytes;
        f->room = bytes > UINT64_MAX - f->room ? UINT64_MAX : f->room + bytes;
    }
}

/* The set without one member, as the tensors of a search. */
static gsp_memories_desc describe(misfit *f, uint32_t out)
{
    gsp_memories_desc desc = f->m->several.desc;
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < f->n; i++) {
        uint32_t const t = f->set[i].id;
        if (i != out) {
            f->tensors[n] = desc.tensors[t];
            f->traffic[n] = desc.traffic[t];
            f->written[n] = desc.written[t];
            f->aligns[n] = desc.aligns != NULL ? desc.aligns[t] : 1u;
            f->pins[n] = desc.pins[t];
            f->fixed[n++] = desc.fixed != NULL ? desc.fixed[t] : 0u;
        }
    }
    desc.n_tensors = n;
    desc.tensors = f->tensors;
    desc.traffic = f->traffic;
    desc.written = f->written;
    desc.aligns = f->aligns;
    desc.pins = f->pins;
    desc.fixed = f->fixed;
    desc.max_work = TRY_WORK;
    return desc;
}

/* Whether a proof shows that the set without one member does not fit; GSP_NONE for the whole
 * set. */
static int fails(misfit *f, uint32_t out)
{
    uint64_t const less = out < f->n ? f->set[out].bytes : 0u;
    gsp_memories_desc desc;
    gsp_memories_result found;
    gsp_arena arena;
    int ran;
    int proved;
    if (f->at_once && f->bytes - less > f->room) {
        return 1;
    }
    if (f->n > MOST || f->work > ALL_WORK) {
        f->open = 1;
        return 0;
    }
    desc = describe(f, out);
    cli_arena(f->m->session, &arena, gsp_memories_bound(&desc));
    ran = gsp_memories_run(&arena, &desc, &found, NULL) == GSP_OK;
    proved = ran && found.lower_bound == UINT64_MAX;
    f->open |= !ran || (found.cost == UINT64_MAX && !proved);
    f->work += (ran ? found.work : 0u) + (uint64_t)desc.n_tensors * STEP;
    cli_release(f->m->session, arena.base);
    return proved;
}

static int by_size(const void *a, const void *b)
{
    const member *x = (const member *)a;
    const member *y = (const member *)b;
    if (x->bytes != y->bytes) {
        return x->bytes < y->bytes ? -1 : 1;
    }
    return x->id < y->id ? -1 : 1;
}

/* The tensors that are live at a step, GSP_NONE for all, as the set. */
static void gather(misfit *f, uint32_t step)
{
    const gsp_memory_plan_result *plan = &f->m->memory_plan;
    uint32_t i;
    f->n = 0;
    f->bytes = 0;
    f->at_once = step != GSP_NONE;
    for (i = 0; i < plan->n_tensors; i++) {
        const gsp_tensor *t = &plan->tensors[i];
        if (t->bytes != 0 && (step == GSP_NONE || (t->begin <= step && step <= t->end))) {
            f->set[f->n].bytes = t->bytes;
            f->set[f->n++].id = i;
            f->bytes += t->bytes;
        }
    }
    qsort(f->set, f->n, sizeof *f->set, by_size);
}

/* The tensors of one step that do not fit, if there are such; else all. */
static void choose(misfit *f)
{
    const gsp_memory_plan_result *plan = &f->m->memory_plan;
    uint32_t i;
    gather(f, cli_peak(f->m->session, plan->tensors, plan->n_tensors).step);
    if (fails(f, GSP_NONE)) {
        return;
    }
    for (i = 0; i < plan->n_tensors && f->work < ALL_WORK / 2u; i++) {
        gather(f, plan->tensors[i].begin);
        if (fails(f, GSP_NONE)) {
            return;
        }
    }
    gather(f, GSP_NONE);
}

static void reduce(misfit *f)
{
    uint32_t i = 0;
    f->open = 0;
    while (i < f->n) {
        if (fails(f, i)) {
            f->bytes -= f->set[i].bytes;
            f->n--;
            memmove(f->set + i, f->set + i + 1u, (f->n - i) * sizeof *f->set);
        } else {
            i++;
        }
    }
}

int memory_misfit(memory *m, const char *why)
{
    misfit f;
    cli_buffer names;
    gsp_intervals_peak peak;
    uint32_t i;
    start(&f, m);
    choose(&f);
    reduce(&f);
    peak = cli_peak(m->session, describe(&f, GSP_NONE).tensors, f.n);
    cli_buffer_init(&names, m->session);
    for (i = f.n; i-- > 0;) {
        cli_puts(&names, i + 1u == f.n ? "" : ", ");
        cli_put_text(&names, memory_tensor_name(m, &m->memory_plan.tensors[f.set[i].id]));
    }
    cli_put(&names, "", 1u);
    return cli_error(m->session, GSP_STATUS_NO_FIT,
        "%s: %" PRIu32 " do not fit together: %s (%" PRIu64 " bytes at step %" PRIu32 "; %s)", why,
        f.n, names.data, peak.bytes, peak.step,
        f.open ? "perhaps fewer do not fit either" : "any one less and they fit");
}
