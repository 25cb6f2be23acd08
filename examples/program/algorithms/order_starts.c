/* Orders of tasks to start a search from: each task shortly before the first one that needs it, as
 * late as possible, or from the end the task that leaves the fewest live bytes before it. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

/* Depth first from the tasks that none waits for; `last`: the last predecessor first. */
static void depth_first(cli_session *s, const order_tasks *t, int last, uint32_t *order)
{
    const uint32_t *begin = t->before.begin;
    uint32_t *tried = (uint32_t *)cli_alloc(s, (size_t)t->n + 1u, sizeof *tried);
    uint32_t *stack = (uint32_t *)cli_alloc(s, (size_t)t->n + 1u, sizeof *stack);
    uint8_t *seen = (uint8_t *)cli_alloc(s, (size_t)t->n + 1u, 1u);
    uint32_t depth = 0;
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < t->n; i++) {
        if (t->after.begin[i] == t->after.begin[i + 1u]) {
            stack[depth++] = i;
            seen[i] = 1;
        }
        while (depth != 0) {
            uint32_t const at = stack[depth - 1u];
            uint32_t const k = tried[at]++;
            if (k == begin[at + 1u] - begin[at]) {
                order[n++] = at;
                depth--;
            } else {
                uint32_t const next = t->before.at[last ? begin[at + 1u] - 1u - k : begin[at] + k];
                stack[depth] = next;
                depth += seen[next] ? 0u : 1u;
                seen[next] = 1;
            }
        }
    }
    cli_release(s, seen);
    cli_release(s, stack);
    cli_release(s, tried);
}

/* By the longest chain of tasks that wait, longest first; equal ones as they are. */
static void as_late(cli_session *s, const order_tasks *t, uint32_t *order)
{
    uint32_t *chain = (uint32_t *)cli_alloc(s, (size_t)t->n + 1u, sizeof *chain);
    uint32_t *end = (uint32_t *)cli_alloc(s, (size_t)t->n + 2u, sizeof *end);
    uint32_t i;
    uint32_t k;
    for (i = t->n; i-- > 0;) {
        for (k = t->after.begin[i]; k < t->after.begin[i + 1u]; k++) {
            uint32_t const behind = chain[t->after.at[k]] + 1u;
            chain[i] = behind > chain[i] ? behind : chain[i];
        }
        end[t->n - chain[i]]++;
    }
    for (i = 0; i < t->n; i++) {
        end[i + 1u] += end[i];
    }
    for (i = 0; i < t->n; i++) {
        order[end[t->n - chain[i] - 1u]++] = i;
    }
    cli_release(s, end);
    cli_release(s, chain);
}

/* ---- from the end ---- */

typedef struct entry {
    uint64_t added; /* bytes, */
    uint64_t freed; /* less these */
    uint32_t task;
} entry;

/* Tasks that can be the last of those that are left, the best at the root of a heap. What it has of
 * a task whose bytes changed since is passed over. */
typedef struct ending {
    const order_tasks *t;
    uint8_t *live;  /* [n_tensors] before the tasks that are placed */
    uint32_t *left; /* [n] tasks that wait and are not placed; UINT32_MAX once it is placed */
    entry *heap;    /* [n + reads] */
    uint32_t n;
} ending;

static entry entry_of(const ending *e, uint32_t task)
{
    const order_tasks *t = e->t;
    entry made = {0, 0, task};
    uint32_t k;
    for (k = t->reads.begin[task]; k < t->reads.begin[task + 1u]; k++) {
        made.added += e->live[t->reads.at[k]] ? 0u : t->bytes[t->reads.at[k]];
    }
    for (k = t->makes.begin[task]; k < t->makes.begin[task + 1u]; k++) {
        made.freed += e->live[t->makes.at[k]] ? t->bytes[t->makes.at[k]] : 0u;
    }
    return made;
}

/* Ties: the later task is placed first, so that equal ones keep their order. */
static int is_better(const entry *a, const entry *b)
{
    uint64_t const left = a->added + b->freed;
    uint64_t const right = b->added + a->freed;
    return left != right ? left < right : a->task > b->task;
}

static void push(ending *e, uint32_t task)
{
    entry const made = entry_of(e, task);
    uint32_t i = e->n++;
    while (i != 0 && is_better(&made, &e->heap[(i - 1u) / 2u])) {
        e->heap[i] = e->heap[(i - 1u) / 2u];
        i = (i - 1u) / 2u;
    }
    e->heap[i] = made;
}

static entry pop(ending *e)
{
    entry const best = e->heap[0];
    entry const last = e->heap[--e->n];
    uint32_t i = 0;
    uint32_t child;
    while ((child = 2u * i + 1u) < e->n) {
        child += child + 1u < e->n && is_better(&e->heap[child + 1u], &e->heap[child]) ? 1u : 0u;
        if (!is_better(&e->heap[child], &last)) {
            break;
        }
        e->heap[i] = e->heap[child];
        i = child;
    }
    e->heap[i] = last;
    return best;
}

/* A tensor becomes live: its other readers need fewer bytes now. */
static void enliven(ending *e, uint32_t tensor)
{
    const cli_lists *readers = &e->t->readers;
    uint32_t k;
    e->live[tensor] = 1;
    for (k = readers->begin[tensor]; k < readers->begin[tensor + 1u]; k++) {
        if (readers->at[k] != e->t->n && e->left[readers->at[k]] == 0) {
            push(e, readers->at[k]);
        }
    }
}

static void place_last(ending *e, uint32_t task)
{
    const order_tasks *t = e->t;
    uint32_t k;
    e->left[task] = UINT32_MAX;
    for (k = t->reads.begin[task]; k < t->reads.begin[task + 1u]; k++) {
        if (!e->live[t->reads.at[k]]) {
            enliven(e, t->reads.at[k]);
        }
    }
    for (k = t->before.begin[task]; k < t->before.begin[task + 1u]; k++) {
        if (--e->left[t->before.at[k]] == 0) {
            push(e, t->before.at[k]);
        }
    }
}

static void from_end(cli_session *s, const order_tasks *t, uint32_t *order)
{
    ending e;
    uint32_t n = t->n;
    uint32_t i;
    uint32_t k;
    e.t = t;
    e.n = 0;
    e.live = (uint8_t *)cli_alloc(s, (size_t)t->n_tensors + 1u, 1u);
    e.left = (uint32_t *)cli_alloc(s, (size_t)t->n + 1u, sizeof *e.left);
    e.heap = (entry *)cli_alloc(s, (size_t)t->n + t->reads.begin[t->n] + 1u, sizeof *e.heap);
    for (i = 0; i < t->n_tensors; i++) {
        for (k = t->readers.begin[i]; k < t->readers.begin[i + 1u]; k++) {
            e.live[i] = e.live[i] || t->readers.at[k] == t->n;
        }
    }
    for (i = 0; i < t->n; i++) {
        e.left[i] = t->after.begin[i + 1u] - t->after.begin[i];
        if (e.left[i] == 0) {
            push(&e, i);
        }
    }
    while (n != 0) {
        entry const best = pop(&e);
        entry const now = entry_of(&e, best.task);
        if (e.left[best.task] == 0 && now.added == best.added) {
            order[--n] = best.task;
            place_last(&e, best.task);
        }
    }
    cli_release(s, e.heap);
    cli_release(s, e.left);
    cli_release(s, e.live);
}

/* ---- the best ---- */

void order_start_best(cli_session *s, const order_tasks *t, order_result *r)
{
    uint32_t *order = (uint32_t *)cli_alloc(s, (size_t)t->n + 1u, sizeof *order);
    order_result found;
    uint32_t i;
    order_start(s, t, NULL, r);
    for (i = 0; i < t->n; i++) {
        if (t->earliest[i] != 0) {
            cli_release(s, order);
            return;
        }
    }
    for (i = 0; i < 4u; i++) {
        if (i < 2u) {
            depth_first(s, t, i == 1u, order);
        } else if (i == 2u) {
            as_late(s, t, order);
        } else {
            from_end(s, t, order);
        }
        order_start(s, t, order, &found);
        if (found.peak < r->peak) {
            cli_release(s, r->order);
            *r = found;
        } else {
            cli_release(s, found.order);
        }
    }
    cli_release(s, order);
}
