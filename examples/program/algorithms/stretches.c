/* Plans of tensors in one memory: first fit by falling size, where a tensor may continue after a
 * gap in its lifetime; and small sets of tensors that do not fit into a capacity. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORK ((uint64_t)1 << 29) /* of a search for gaps, in spots */

/* ---- first fit ---- */

typedef struct sized {
    uint64_t bytes; /* fixed tensors: UINT64_MAX */
    uint32_t id;
} sized;

static int compare_sized(const void *a, const void *b)
{
    const sized *x = (const sized *)a;
    const sized *y = (const sized *)b;
    if (x->bytes != y->bytes) {
        return x->bytes > y->bytes ? -1 : 1;
    }
    return x->id < y->id ? -1 : 1;
}

/* The stretch of a tensor after this one; the end of the list for the last. */
static const gsp_tensor *next_stretch(const cli_stretches *list, const gsp_tensor *t)
{
    const gsp_tensor *end = list->tensors + list->n;
    return t + 1 < end && list->resumed[t + 1 - list->tensors] != 0 ? t + 1 : end;
}

/* Places a tensor at the first offset at which all its stretches are free. Returns the tensor that
 * overlaps one of fixed offset, or GSP_NONE. */
static uint32_t place(const cli_stretches *list, cli_crowd *crowd, uint32_t id)
{
    const gsp_tensor *end = list->tensors + list->n;
    const gsp_tensor *t = &list->tensors[id];
    uint64_t const align = list->fixed[id] ? 1u : list->aligns[id];
    uint64_t offset = t->offset;
    uint64_t before = offset + 1u;
    while (offset != before && t->bytes != 0 && list->fixed[id] != CLI_STRETCHES_SHARED) {
        before = offset;
        for (t = &list->tensors[id]; t != end; t = next_stretch(list, t)) {
            uint32_t met = GSP_NONE;
            offset = list->fixed[id] || crowd->work < MOST_WORK
                         ? cli_crowd_find(crowd, t, align, offset, &met)
                         : cli_crowd_above(crowd, t, align, offset);
            if (list->fixed[id] && met != GSP_NONE) {
                return met;
            }
        }
        t = &list->tensors[id];
    }
    for (; t != end; t = next_stretch(list, t)) {
        list->tensors[t - list->tensors].offset = offset;
        if (t->bytes != 0) {
            cli_crowd_add(crowd, t, (uint32_t)(t - list->tensors), offset);
        }
    }
    return GSP_NONE;
}

cli_stretches_code cli_stretches_plan(
    struct cli_session *s, const cli_stretches *list, cli_stretches_result *result)
{
    sized *order = (sized *)cli_alloc(s, (size_t)list->n + 1u, sizeof *order);
    cli_crowd crowd;
    uint64_t n_steps = 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const gsp_tensor *t = &list->tensors[i];
        uint64_t most = t->bytes + t->offset + list->aligns[i];
        order[i].bytes = list->fixed[i] ? UINT64_MAX : t->bytes;
        order[i].id = i;
        n_steps = t->end >= n_steps ? (uint64_t)t->end + 1u : n_steps;
        if (most > UINT64_MAX / 4u - sum) {
            result->id = i;
            return CLI_STRETCHES_TOO_LARGE;
        }
        sum += most;
    }
    qsort(order, list->n, sizeof *order, compare_sized);
    cli_crowd_init(&crowd, s, n_steps);
    result->bytes = 0;
    result->met = GSP_NONE;
    for (uint32_t i = 0; i < list->n; i++) {
        const gsp_tensor *t = &list->tensors[order[i].id];
        result->id = order[i].id;
        result->met = list->resumed[result->id] ? GSP_NONE : place(list, &crowd, result->id);
        if (result->met != GSP_NONE) {
            break;
        }
        result->bytes = t->bytes != 0 && t->offset + t->bytes > result->bytes ? t->offset + t->bytes
                                                                              : result->bytes;
    }
    cli_crowd_close(&crowd);
    cli_release(s, order);
    return result->met == GSP_NONE ? CLI_STRETCHES_PLANNED : CLI_STRETCHES_OVERLAP;
}

uint64_t cli_stretches_live(struct cli_session *s, const gsp_tensor *tensors, uint32_t n,
    const uint32_t *memory_of, uint32_t in, uint32_t *step)
{
    sized *event = (sized *)cli_alloc(s, 2u * (size_t)n + 1u, sizeof *event);
    uint64_t live = 0;
    uint64_t most = 0;
    size_t n_events = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (in == GSP_NONE || memory_of[i] == in) {
            /* from the last step back, begins first */
            event[n_events].bytes = 2u * (uint64_t)tensors[i].end + 2u;
            event[n_events + 1u].bytes = 2u * (uint64_t)tensors[i].begin + 1u;
            event[n_events].id = event[n_events + 1u].id = i;
            n_events += 2u;
        }
    }
    qsort(event, n_events, sizeof *event, compare_sized);
    for (size_t k = 0; k < n_events; k++) {
        uint64_t bytes = tensors[event[k].id].bytes;
        live = event[k].bytes % 2u == 0 ? live + bytes : live - bytes;
        if (live > most) {
            most = live;
            if (step != NULL) {
                *step = tensors[event[k].id].end;
            }
        }
    }
    cli_release(s, event);
    return most;
}

/* ---- a capacity that is too small ---- */

uint64_t cli_stretches_most(const gsp_tensor *set, uint32_t n, uint32_t *step)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t live = 0;
        for (uint32_t j = 0; j < n; j++) {
            live += set[j].begin <= set[i].begin && set[j].end >= set[i].begin ? set[j].bytes : 0u;
        }
        if (live > most || (live == most && set[i].begin < *step)) {
            most = live;
            *step = set[i].begin;
        }
    }
    return most;
}

static int compare_bytes(const void *a, const void *b)
{
    const gsp_tensor *x = (const gsp_tensor *)a;
    const gsp_tensor *y = (const gsp_tensor *)b;
    if (x->bytes != y->bytes) {
        return x->bytes < y->bytes ? -1 : 1;
    }
    return x->scratch < y->scratch ? -1 : 1;
}

/* Whether a proof shows that the tensors do not fit; *open: neither that nor a plan was found.
 * `scratch` holds their places in the list of desc. */
static int fails(struct cli_session *s, const gsp_memory_pack_desc *all, const gsp_tensor *set,
    uint32_t n, gsp_arena *arena, int *open)
{
    gsp_memory_pack_desc desc = *all;
    gsp_memory_pack_result found;
    gsp_mark mark = gsp_arena_mark(arena);
    uint32_t *aligns = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof *aligns);
    uint32_t *fixed = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof *fixed);
    uint32_t *resumed = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof *resumed);
    for (uint32_t i = 0; i < n && all->aligns != NULL; i++) {
        aligns[i] = all->aligns[set[i].scratch];
        fixed[i] = all->fixed[set[i].scratch];
        resumed[i] = all->resumed[set[i].scratch];
    }
    desc.aligns = all->aligns != NULL ? aligns : NULL;
    desc.fixed = all->fixed != NULL ? fixed : NULL;
    desc.resumed = all->resumed != NULL ? resumed : NULL;
    int ran = gsp_memory_pack_run(arena, set, n, &desc, &found, NULL) == GSP_OK;
    int proved = ran && found.lower_bound > all->capacity;
    *open |= !proved && (!ran || found.bytes > all->capacity);
    gsp_arena_rewind(arena, mark);
    cli_release(s, aligns);
    cli_release(s, fixed);
    cli_release(s, resumed);
    return proved;
}

int cli_stretches_resumes(const uint32_t *resumed, const gsp_tensor *set, uint32_t i)
{
    return i > 0 && resumed != NULL && resumed[set[i].scratch] != 0 &&
           set[i - 1u].scratch + 1u == set[i].scratch;
}

uint32_t cli_stretches_reduce(
    struct cli_session *s, const gsp_memory_pack_desc *desc, gsp_tensor *set, uint32_t n, int *open)
{
    uint32_t step = 0;
    uint64_t live = cli_stretches_most(set, n, &step);
    int one_step = live > desc->capacity;
    gsp_arena arena;
    uint32_t kept = 0;
    cli_arena(s, &arena, gsp_memory_pack_bound(n, desc));
    for (uint32_t i = 0; i < n; i++) {
        if (!one_step || (set[i].begin <= step && set[i].end >= step)) {
            set[kept++] = set[i];
        }
    }
    n = kept;
    qsort(set, n, sizeof *set, compare_bytes);
    gsp_tensor *rest = (gsp_tensor *)cli_alloc(s, (size_t)n + 1u, sizeof *rest);
    for (uint32_t i = 0; i < n; i += kept) {
        uint64_t const bytes = set[i].bytes;
        for (kept = 1; i + kept < n && cli_stretches_resumes(desc->resumed, set, i + kept);
             kept++) {
        }
        memcpy(rest, set, i * sizeof *set);
        memcpy(rest + i, set + i + kept, (n - i - kept) * sizeof *set);
        if (one_step ? live - bytes > desc->capacity
                     : fails(s, desc, rest, n - kept, &arena, open)) {
            live -= bytes;
            n -= kept;
            memcpy(set, rest, n * sizeof *set);
            kept = 0;
        }
    }
    return n;
}
