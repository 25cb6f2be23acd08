/* Stages: dynamic programming over downsets, from the whole one back to the empty one (Tarnawski et
 * al. 2020). best[set][cores][devices] is the least bottleneck of what the set lacks on so many
 * cores and devices. Stages grow from each set by the edges, only while they can be below the best
 * bottleneck so far. Without all downsets, moves of single units between stages follow. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#define NEVER     UINT64_MAX
#define NONE      UINT32_MAX
#define BEAM      96u /* sets per size, if they are not all there */
#define MOST_SETS ((uint64_t)1 << 22)

/* What the units of a stage take, by sums. */
typedef struct stage {
    cli_weight sum;
    uint32_t n; /* units */
} stage;

typedef struct frame {
    uint32_t set;
    uint32_t edge;
    uint32_t unit; /* that came last */
} frame;

typedef struct search {
    cli_session *session;
    const cli_stage_desc *d;
    const cli_units *u;
    cli_stage_result *r;
    cli_downsets sets;
    uint32_t *count;   /* [n_values] units of the stage */
    uint32_t *earlier; /* [n_values] see is_stashed() */
    uint64_t *ticks;   /* [n_devices + 1] of a stage, by its devices; NEVER if it is no plan's */
    uint32_t *seen;    /* [sets] the last set from which a stage reached it */
    uint32_t *low;     /* [sets] least devices and cores of a plan for what a set lacks, */
    uint32_t *high;    /* [sets] and most; less if there is none */
    uint64_t *left;    /* [sets] least ticks of what a set lacks */
    uint64_t *best;    /* [sets * (n_cores + 1) * (n_devices + 1)] */
    uint32_t *next;    /* the same: the set after the first stage, */
    uint32_t *taken;   /* and its devices; 0 for a core */
    uint8_t *place;    /* [units] of a stage whose peak is asked for */
    frame *path;       /* [units + 1] */
    uint32_t least;    /* devices and cores that a set can leave to what it lacks */
    uint32_t most;
    uint64_t cost; /* work of a stage: 1, and 1 per 4 ways to run it */
} search;

/* ---- what a stage costs ---- */

static void join(cli_weight *a, const cli_weight *b)
{
    a->time += b->time;
    a->host += b->host;
    a->bytes += b->bytes;
    a->sync += b->sync;
    a->stash += b->stash;
    a->no_device += b->no_device;
    a->no_host += b->no_host;
}

static void part(cli_weight *a, const cli_weight *b)
{
    a->time -= b->time;
    a->host -= b->host;
    a->bytes -= b->bytes;
    a->sync -= b->sync;
    a->stash -= b->stash;
    a->no_device -= b->no_device;
    a->no_host -= b->no_host;
}

/* Whether a value is carried by what comes before the stage, which begins after the set `from`; not
 * if that is NONE. What is known of a value stays while the set is the same. */
static int is_stashed(search *w, uint32_t value, uint32_t from)
{
    const cli_lists *members = &w->u->members;
    uint32_t k = members->begin[value];
    if (from == NONE) {
        return 0;
    }
    if (w->earlier[value] / 2u != from + 1u) {
        while (k < members->begin[value + 1u] && !cli_downset_has(&w->sets, from, members->at[k])) {
            k++;
        }
        w->earlier[value] = (from + 1u) * 2u + (k < members->begin[value + 1u]);
    }
    return (int)(w->earlier[value] & 1u);
}

/* `count`: units of each value in the stage. */
static void enter(search *w, stage *at, uint32_t unit, uint32_t *count, uint32_t from)
{
    const cli_units *u = w->u;
    join(&at->sum, &u->own[unit]);
    at->n++;
    for (uint32_t k = u->values.begin[unit]; k < u->values.begin[unit + 1u]; k++) {
        uint32_t const value = u->values.at[k];
        const cli_weight *shared = &u->shared[value];
        uint32_t const spread = u->members.begin[value + 1u] - u->members.begin[value];
        count[value]++;
        if (count[value] == 1u) {
            at->sum.move += shared->move;
            at->sum.bytes += shared->bytes;
            at->sum.sync += shared->sync;
            at->sum.stash += is_stashed(w, value, from) ? 0u : shared->stash;
        } else if (count[value] == spread) {
            at->sum.move -= shared->move;
        }
    }
}

static void leave(search *w, stage *at, uint32_t unit, uint32_t *count, uint32_t from)
{
    const cli_units *u = w->u;
    part(&at->sum, &u->own[unit]);
    at->n--;
    for (uint32_t k = u->values.begin[unit]; k < u->values.begin[unit + 1u]; k++) {
        uint32_t const value = u->values.at[k];
        const cli_weight *shared = &u->shared[value];
        uint32_t const spread = u->members.begin[value + 1u] - u->members.begin[value];
        if (count[value] == 1u) {
            at->sum.move -= shared->move;
            at->sum.bytes -= shared->bytes;
            at->sum.sync -= shared->sync;
            at->sum.stash -= is_stashed(w, value, from) ? 0u : shared->stash;
        } else if (count[value] == spread) {
            at->sum.move += shared->move;
        }
        count[value]--;
    }
}

/* Microbatches that a replica keeps; `rest`: devices from the stage on. */
static uint64_t held_by(const cli_stage_desc *d, uint32_t rest, uint32_t devices)
{
    uint64_t const most = rest < d->microbatches ? rest : d->microbatches;
    uint64_t const held = d->held != NULL ? d->held[d->n_devices - rest] : most;
    return (held + devices - 1u) / devices;
}

static uint64_t ticks_of(
    const cli_stage_desc *d, const cli_weight *w, uint64_t extra, uint32_t devices)
{
    uint64_t const share = (uint64_t)devices * d->microbatches;
    uint64_t const ticks = w->time + w->move + extra;
    if (devices == 1u) {
        return ticks;
    }
    return (ticks + devices - 1u) / devices +
           (share != 0 ? (w->sync * 4u + share - 1u) / share * (devices - 1u) : 0u);
}

/* `ticks`: see ticks_of(), or NEVER. `peak`: bytes beside those of the units. NEVER: it does not
 * fit. */
static uint64_t cost_of(const cli_stage_desc *d, const cli_weight *w, uint64_t ticks, uint64_t peak,
    uint32_t rest, uint32_t devices)
{
    uint64_t bytes;
    if (ticks == NEVER || w->no_device != 0) {
        return NEVER;
    }
    if (!d->by_bytes && d->memory == UINT64_MAX) {
        return ticks;
    }
    bytes = cli_add(w->bytes * d->copies + w->stash * held_by(d, rest, devices), peak);
    return bytes > d->memory ? NEVER : d->by_bytes ? bytes : ticks;
}

static uint64_t core_cost(const cli_stage_desc *d, const cli_weight *w, uint64_t extra)
{
    return w->no_host != 0 ? NEVER : d->by_bytes ? 0u : w->host + extra;
}

/* Ticks that a unit takes wherever it is. */
static uint64_t least_time(const cli_stage_desc *d, const cli_weight *w)
{
    int const host = d->n_cores != 0 && w->no_host == 0 && (w->host < w->time || w->no_device != 0);
    return host ? w->host : w->time;
}

/* Whether a stage, and all that contain it, cost too much. */
static int is_over(const cli_stage_desc *d, const cli_weight *w, uint64_t best)
{
    uint32_t const most = d->replicas ? d->n_devices : 1u;
    uint64_t const bytes = w->bytes * d->copies;
    int const device =
        w->no_device == 0 && bytes <= d->memory && (d->by_bytes ? bytes : w->time / most) < best;
    int const core = d->n_cores != 0 && w->no_host == 0 && (d->by_bytes || w->host < best);
    return !device && !core;
}

/* ---- dynamic programming ---- */

static size_t place_of(const search *w, uint32_t cores, uint32_t devices, uint32_t set)
{
    return ((size_t)set * (w->d->n_cores + 1u) + cores) * (w->d->n_devices + 1u) + devices;
}

static void offer(search *w, size_t at, uint64_t cost, size_t after, uint32_t to, uint32_t devices)
{
    uint64_t const worst = cost > w->best[after] ? cost : w->best[after];
    if (worst < w->best[at]) {
        w->best[at] = worst;
        w->next[at] = to;
        w->taken[at] = devices;
    }
}

/* The peak of the stage from one set to another. */
static uint64_t peak_between(search *w, uint32_t from, uint32_t to)
{
    for (uint32_t unit = 0; unit < w->u->n; unit++) {
        w->place[unit] = (uint8_t)(cli_downset_has(&w->sets, from, unit) ? 0u
                                   : cli_downset_has(&w->sets, to, unit) ? 1u
                                                                         : 2u);
    }
    w->r->work += w->d->peak_work;
    return w->d->peak(w->d->user, w->place);
}

/* Ticks by devices; those that are no less than the objective are no plan's. Returns the most
 * devices, or 0 if none. */
static uint32_t find_ticks(search *w, const cli_weight *sum, uint64_t extra)
{
    const cli_stage_desc *d = w->d;
    uint32_t const most = d->replicas ? d->n_devices : 1u;
    uint32_t last = 0;
    for (uint32_t devices = 1; devices <= most && sum->no_device == 0; devices++) {
        w->ticks[devices] = NEVER;
        if (devices == 1u || d->microbatches % devices == 0) {
            uint64_t const ticks = d->by_bytes ? 0u : ticks_of(d, sum, extra, devices);
            w->ticks[devices] = ticks < w->r->objective ? ticks : NEVER;
        }
        last = w->ticks[devices] != NEVER ? devices : last;
    }
    return last;
}

/* All ways to run the stage from one set to another. The peak is asked for where it decides. */
static void try_stage(search *w, const cli_weight *sum, uint32_t from, uint32_t to)
{
    const cli_stage_desc *d = w->d;
    uint64_t const extra =
        (from == 0 ? d->first_time : 0u) + (to + 1u == w->sets.n ? d->last_time : 0u);
    uint64_t const core = d->n_cores != 0 ? core_cost(d, sum, extra) : NEVER;
    uint32_t const most = find_ticks(w, sum, extra);
    uint32_t const least = w->low[to] < w->least ? w->least : w->low[to] + 1u;
    uint32_t last = w->high[to] + (most > 1u ? most : 1u);
    uint64_t peak = d->peak != NULL ? NEVER : 0u;
    last = last < w->most ? last : w->most;
    for (uint32_t cores = 0; cores <= d->n_cores; cores++) {
        uint32_t const begin = least > cores ? least - cores : 0u;
        for (uint32_t rest = begin; rest <= d->n_devices && cores + rest <= last; rest++) {
            size_t const at = place_of(w, cores, rest, from);
            if (cores > 0 && core < w->r->objective) {
                offer(w, at, core, place_of(w, cores - 1u, rest, to), to, 0);
            }
            for (uint32_t devices = 1; devices <= most && devices <= rest; devices++) {
                size_t const after = place_of(w, cores, rest - devices, to);
                if (w->best[after] >= w->best[at]) {
                    continue;
                }
                if (peak == NEVER &&
                    cost_of(d, sum, w->ticks[devices], 0, rest, devices) < w->best[at]) {
                    peak = d->by_bytes || sum->bytes * d->copies + d->peak_most > d->memory
                               ? peak_between(w, from, to)
                               : d->peak_most;
                }
                offer(w, at, cost_of(d, sum, w->ticks[devices], peak, rest, devices), after, to,
                    devices);
            }
        }
    }
}

/* Stages that begin after a set, by their edges; returns 0 if no work remains. */
static int extend(search *w, uint32_t from)
{
    const cli_downsets *sets = &w->sets;
    uint32_t const carries = w->d->carried ? from : NONE;
    uint32_t depth = 1;
    stage at;
    memset(&at, 0, sizeof at);
    w->path[0].set = from;
    w->path[0].edge = sets->begin[from];
    while (depth > 0) {
        frame *f = &w->path[depth - 1u];
        uint32_t const to = f->edge < sets->begin[f->set + 1u] ? sets->to[f->edge] : from;
        if (to == from) {
            if (--depth > 0) {
                leave(w, &at, f->unit, w->count, carries);
            }
            continue;
        }
        w->path[depth].unit = sets->unit[f->edge++];
        if (w->seen[to] == from) {
            continue;
        }
        w->seen[to] = from;
        enter(w, &at, w->path[depth].unit, w->count, carries);
        w->r->work += w->cost;
        if (w->r->work > w->d->max_work) {
            return 0;
        }
        if (is_over(w->d, &at.sum, w->r->objective)) {
            leave(w, &at, w->path[depth].unit, w->count, carries);
            continue;
        }
        w->path[depth].set = to;
        w->path[depth++].edge = sets->begin[to];
        if (w->low[to] > w->high[to]) {
            continue;
        }
        if (w->d->carried) {
            cli_weight sum = at.sum;
            sum.move = sets->move[from] + sets->move[to];
            sum.stash += sets->stash[from];
            try_stage(w, &sum, from, to);
        } else {
            try_stage(w, &at.sum, from, to);
        }
    }
    return 1;
}

/* How many devices and cores may be left to what a set lacks, so that neither that nor what comes
 * before is too much for them; 0 if no number is right. */
static int find_range(search *w, uint32_t set)
{
    uint64_t const all = (uint64_t)w->d->n_devices + w->d->n_cores;
    uint64_t const each = w->r->objective;
    uint64_t const before = w->left[0] - w->left[set];
    w->least = 0;
    w->most = (uint32_t)all;
    if (w->d->by_bytes || each > NEVER / (all + 1u)) {
        return 1;
    }
    while (w->least <= all && w->least * each <= w->left[set]) {
        w->least++;
    }
    while (w->most > 0 && before != 0 && (all - w->most) * each <= before) {
        w->most--;
    }
    return w->least <= w->most;
}

/* The stages of the best entry of the empty set. */
static void take_plan(search *w, uint32_t cores, uint32_t devices)
{
    cli_stage_result *r = w->r;
    uint32_t set = 0;
    uint32_t n = 0;
    while (set + 1u < w->sets.n) {
        size_t const at = place_of(w, cores, devices, set);
        uint32_t const to = w->next[at];
        for (uint32_t unit = 0; unit < w->u->n; unit++) {
            if (cli_downset_has(&w->sets, to, unit) && !cli_downset_has(&w->sets, set, unit)) {
                r->stage_of[unit] = n;
            }
        }
        r->n_devices[n++] = w->taken[at];
        cores -= w->taken[at] == 0 ? 1u : 0u;
        devices -= w->taken[at];
        set = to;
    }
    r->n_stages = n;
}

/* The best of all numbers of devices, of equal ones the first; 0 if none is below the objective. */
static int take_best(search *w)
{
    uint32_t best_cores = 0;
    uint32_t best_devices = 0;
    int found = 0;
    for (uint32_t cores = 0; cores <= w->d->n_cores; cores++) {
        for (uint32_t devices = w->d->exact ? w->d->n_devices : 0u; devices <= w->d->n_devices;
             devices++) {
            uint64_t const cost = w->best[place_of(w, cores, devices, 0)];
            if (cost < w->r->objective) {
                w->r->objective = cost;
                best_cores = cores;
                best_devices = devices;
                found = 1;
            }
        }
    }
    if (found) {
        take_plan(w, best_cores, best_devices);
    }
    return found;
}

static void make_tables(search *w)
{
    cli_session *s = w->session;
    uint32_t const n = w->sets.n;
    size_t const all = place_of(w, 0, 0, n);
    w->seen = (uint32_t *)cli_alloc(s, n, sizeof *w->seen);
    w->low = (uint32_t *)cli_alloc(s, n, sizeof *w->low);
    w->high = (uint32_t *)cli_alloc(s, n, sizeof *w->high);
    w->left = (uint64_t *)cli_alloc(s, n, sizeof *w->left);
    w->best = (uint64_t *)cli_grow(s, NULL, all * sizeof *w->best);
    w->next = (uint32_t *)cli_grow(s, NULL, all * sizeof *w->next);
    w->taken = (uint32_t *)cli_grow(s, NULL, all * sizeof *w->taken);
    for (uint32_t set = n - 1u; set-- > 0;) {
        uint32_t const k = w->sets.begin[set];
        if (k < w->sets.begin[set + 1u]) {
            w->left[set] = w->left[w->sets.to[k]] + least_time(w->d, &w->u->own[w->sets.unit[k]]);
        }
    }
}

/* No plans but that of the whole set. */
static void clear_tables(search *w)
{
    uint32_t const n = w->sets.n;
    size_t const all = place_of(w, 0, 0, n);
    for (size_t i = 0; i < all; i++) {
        w->best[i] = NEVER;
    }
    w->r->work += all / 4u;
    memset(w->seen, 0xFF, n * sizeof *w->seen);
    memset(w->low, 0xFF, n * sizeof *w->low);
    memset(w->high, 0, n * sizeof *w->high);
    memset(w->earlier, 0, ((size_t)w->u->n_values + 1u) * sizeof *w->earlier);
    memset(w->count, 0, ((size_t)w->u->n_values + 1u) * sizeof *w->count);
    w->best[place_of(w, 0, 0, n - 1u)] = 0;
    w->low[n - 1u] = 0;
}

static void free_tables(search *w)
{
    cli_release(w->session, w->seen);
    cli_release(w->session, w->low);
    cli_release(w->session, w->high);
    cli_release(w->session, w->left);
    cli_release(w->session, w->best);
    cli_release(w->session, w->next);
    cli_release(w->session, w->taken);
}

/* Notes with how many devices and cores a set has plans. */
static void close_set(search *w, uint32_t set)
{
    for (uint32_t cores = 0; cores <= w->d->n_cores; cores++) {
        for (uint32_t devices = 0; devices <= w->d->n_devices; devices++) {
            uint32_t const all = cores + devices;
            if (w->best[place_of(w, cores, devices, set)] != NEVER) {
                w->low[set] = all < w->low[set] ? all : w->low[set];
                w->high[set] = all > w->high[set] ? all : w->high[set];
            }
        }
    }
}

/* Plans below a bottleneck: 1 if one is found, 0 if there is none, -1 if no work is left. */
static int run_below(search *w, uint64_t bottleneck)
{
    int goes_on = 1;
    w->r->objective = bottleneck;
    clear_tables(w);
    for (uint32_t set = w->sets.n - 1u; goes_on && set-- > 0;) {
        if (find_range(w, set)) {
            goes_on = extend(w, set);
            close_set(w, set);
        }
    }
    return goes_on ? take_best(w) : -1;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* No stage costs as much. */
static uint64_t greatest_cost(const cli_stage_desc *d)
{
    const cli_units *u = d->units;
    uint64_t const held = d->held != NULL ? d->held[0] : d->microbatches;
    uint64_t sum = d->by_bytes ? d->peak_most : d->first_time + d->last_time;
    for (uint32_t i = 0; i < u->n; i++) {
        const cli_weight *w = &u->own[i];
        sum +=
            d->by_bytes ? w->bytes * d->copies + w->stash * held : w->time + w->host + 4u * w->sync;
    }
    for (uint32_t i = 0; i < u->n_values; i++) {
        const cli_weight *w = &u->shared[i];
        sum += d->by_bytes ? w->bytes * d->copies + w->stash * held : 2u * w->move + 4u * w->sync;
    }
    return sum + 1u + d->n_devices;
}

/* Guesses ascend from the lower bound. With all downsets, a guess without plan is a new bound. */
static void run_guesses(search *w)
{
    cli_stage_result *r = w->r;
    uint64_t const known = least_of(r->objective, greatest_cost(w->d));
    uint64_t guess = r->lower_bound;
    uint64_t const step = known / 64u + 1u;
    int found = 0;
    make_tables(w);
    while (found == 0 && guess < known) {
        guess = known - guess <= guess / 8u + step ? known : guess + guess / 8u + step;
        found = run_below(w, guess);
        if (found == 0 && r->complete) {
            r->lower_bound = guess;
        }
    }
    free_tables(w);
    if (found != 1) {
        r->objective = r->n_stages != 0 ? known : NEVER;
    } else if (r->complete) {
        r->lower_bound = r->objective;
    }
}

/* ---- where to start ---- */

/* Units that need a core come first, then by how much longer they take there than on a device. */
static int by_ratio(const void *a, const void *b)
{
    const cli_weight *x = *(const cli_weight *const *)a;
    const cli_weight *y = *(const cli_weight *const *)b;
    double const left = (double)x->host * (double)y->time;
    double const right = (double)y->host * (double)x->time;
    if (x->no_device != y->no_device) {
        return x->no_device != 0 ? -1 : 1;
    }
    return left < right ? -1 : left > right ? 1 : (x > y) - (x < y);
}

/* Whether devices and cores could do all units in `ticks` each, if units were divided at will: the
 * linear relaxation of the assignment. */
static int is_enough(
    const cli_stage_desc *d, const cli_weight *const *sorted, uint32_t n, double load, double ticks)
{
    double left = ticks * d->n_cores;
    for (uint32_t i = 0; i < n; i++) {
        double const host = (double)sorted[i]->host;
        if (sorted[i]->no_device != 0 && host > left) {
            return 0;
        }
        if (host > left) {
            load -= (double)sorted[i]->time * (left / host);
            break;
        }
        left -= host;
        load -= sorted[i]->no_device == 0 ? (double)sorted[i]->time : 0.0;
    }
    return load * (1.0 - 1e-9) <= ticks * d->n_devices;
}

/* The least bottleneck of that relaxation, where cores work beside the devices. */
static uint64_t shared_bound(cli_session *s, const cli_stage_desc *d, uint64_t low)
{
    const cli_weight **sorted =
        (const cli_weight **)cli_alloc(s, (size_t)d->units->n + 1u, sizeof *sorted);
    uint32_t n = 0;
    double load = 0.0;
    uint64_t high = low;
    for (uint32_t i = 0; i < d->units->n; i++) {
        const cli_weight *own = &d->units->own[i];
        load += own->no_device == 0 ? (double)own->time : 0.0;
        high = high < NEVER / 4u
                   ? high + least_of(own->no_device != 0 ? own->host : own->time, NEVER / 4u)
                   : high;
        if (own->no_host == 0) {
            sorted[n++] = own;
        }
    }
    qsort(sorted, n, sizeof *sorted, by_ratio);
    while (low < high) {
        uint64_t const middle = low + (high - low) / 2u;
        if (is_enough(d, sorted, n, load, (double)middle)) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    cli_release(s, (void *)sorted);
    return low;
}

/* No plan is below the mean of all devices, nor below the greatest unit. */
static uint64_t simple_bound(const cli_stage_desc *d)
{
    uint64_t const n = (uint64_t)d->n_devices + d->n_cores;
    uint64_t sum = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < d->units->n; i++) {
        const cli_weight *own = &d->units->own[i];
        uint64_t least = d->by_bytes ? own->bytes * d->copies : least_time(d, own);
        least = d->by_bytes && d->n_cores != 0 && own->no_host == 0 ? 0u : least;
        sum += least;
        least = d->replicas && !d->by_bytes ? least / d->n_devices : least;
        most = least > most ? least : most;
    }
    sum = d->by_bytes && d->replicas ? 0u : (sum + n - 1u) / n;
    return sum > most ? sum : most;
}

/* An order of the units: by number (0), the ready unit that became so first (1) or last (2). */
static void make_order(const cli_units *u, uint32_t kind, uint32_t *waits, uint32_t *order)
{
    uint32_t n_ready = 0;
    for (uint32_t i = 0; i < u->n; i++) {
        waits[i] = u->before.begin[i + 1u] - u->before.begin[i];
        if (kind == 0 || waits[i] == 0) {
            order[n_ready++] = i;
        }
    }
    for (uint32_t at = 0; kind != 0 && at < u->n; at++) {
        uint32_t const unit = kind == 2u ? order[n_ready - 1u] : order[at];
        if (kind == 2u) {
            memmove(&order[at + 1u], &order[at], (n_ready - 1u - at) * sizeof *order);
            order[at] = unit;
        }
        for (uint32_t i = u->after.begin[unit]; i < u->after.begin[unit + 1u]; i++) {
            if (--waits[u->after.at[i]] == 0) {
                order[n_ready++] = u->after.at[i];
            }
        }
    }
}

/* The order of the stages that the caller has. */
static void order_by_stage(const cli_units *u, const uint32_t *stage_of, uint32_t *order)
{
    uint32_t n = 0;
    for (uint32_t at = 0; n < u->n; at++) {
        for (uint32_t i = 0; i < u->n; i++) {
            if (stage_of[i] == at) {
                order[n++] = i;
            }
        }
    }
}

/* ---- moves of single units ---- */

typedef struct plan {
    stage *at;       /* [stages] */
    uint32_t *count; /* [stages * n_values] */
    uint32_t *rest;  /* [stages] devices from a stage on */
    uint64_t *cost;  /* [stages] */
} plan;

static uint64_t stage_cost(search *w, const plan *p, uint32_t i)
{
    const cli_stage_desc *d = w->d;
    uint64_t const extra =
        (i == 0 ? d->first_time : 0u) + (i + 1u == w->r->n_stages ? d->last_time : 0u);
    uint64_t peak = 0;
    if (w->r->n_devices[i] == 0) {
        return core_cost(d, &p->at[i].sum, extra);
    }
    for (uint32_t unit = 0; d->peak != NULL && unit < w->u->n; unit++) {
        uint32_t const at = w->r->stage_of[unit];
        w->place[unit] = (uint8_t)(at < i ? 0u : at == i ? 1u : 2u);
    }
    if (d->peak != NULL) {
        w->r->work += d->peak_work;
        peak = d->peak(d->user, w->place);
    }
    return cost_of(d, &p->at[i].sum, ticks_of(d, &p->at[i].sum, extra, w->r->n_devices[i]), peak,
        p->rest[i], w->r->n_devices[i]);
}

/* Moves a unit to an adjacent stage if the greater of the two costs falls, or the lesser and the
 * greater does not rise. */
static int try_move(search *w, plan *p, uint32_t unit, uint32_t to)
{
    cli_stage_result *r = w->r;
    uint32_t const from = r->stage_of[unit];
    uint32_t *count_from = p->count + (size_t)from * w->u->n_values;
    uint32_t *count_to = p->count + (size_t)to * w->u->n_values;
    uint64_t const old_most = p->cost[from] > p->cost[to] ? p->cost[from] : p->cost[to];
    uint64_t const old_least = p->cost[from] > p->cost[to] ? p->cost[to] : p->cost[from];
    uint64_t most;
    uint64_t least;
    r->work++;
    leave(w, &p->at[from], unit, count_from, NONE);
    enter(w, &p->at[to], unit, count_to, NONE);
    r->stage_of[unit] = to;
    most = stage_cost(w, p, from);
    least = stage_cost(w, p, to);
    if (most < least) {
        uint64_t const swap = most;
        most = least;
        least = swap;
    }
    if (most > old_most || (most == old_most && least >= old_least)) {
        leave(w, &p->at[to], unit, count_to, NONE);
        enter(w, &p->at[from], unit, count_from, NONE);
        r->stage_of[unit] = from;
        return 0;
    }
    p->cost[from] = stage_cost(w, p, from);
    p->cost[to] = stage_cost(w, p, to);
    return 1;
}

/* Whether the order allows a unit in another stage, and its own keeps one. */
static int may_move(const search *w, const plan *p, uint32_t unit, uint32_t to)
{
    const uint32_t *stage_of = w->r->stage_of;
    const cli_lists *rows = to < stage_of[unit] ? &w->u->before : &w->u->after;
    uint32_t k = rows->begin[unit];
    while (k < rows->begin[unit + 1u] &&
           (to < stage_of[unit] ? stage_of[rows->at[k]] <= to : stage_of[rows->at[k]] >= to)) {
        k++;
    }
    return k == rows->begin[unit + 1u] && p->at[stage_of[unit]].n > 1u;
}

static void move_units(search *w)
{
    cli_stage_result *r = w->r;
    plan p;
    uint32_t i;
    int moved = 1;
    p.at = (stage *)cli_alloc(w->session, r->n_stages, sizeof *p.at);
    p.count = (uint32_t *)cli_alloc(
        w->session, (size_t)r->n_stages * w->u->n_values + 1u, sizeof *p.count);
    p.rest = (uint32_t *)cli_alloc(w->session, (size_t)r->n_stages + 1u, sizeof *p.rest);
    p.cost = (uint64_t *)cli_alloc(w->session, r->n_stages, sizeof *p.cost);
    for (uint32_t unit = 0; unit < w->u->n; unit++) {
        i = r->stage_of[unit];
        enter(w, &p.at[i], unit, p.count + (size_t)i * w->u->n_values, NONE);
    }
    for (i = r->n_stages; i-- > 0;) {
        p.rest[i] = p.rest[i + 1u] + r->n_devices[i];
        p.cost[i] = stage_cost(w, &p, i);
    }
    while (moved && r->work < w->d->max_work) {
        moved = 0;
        for (uint32_t unit = 0; unit < w->u->n; unit++) {
            uint32_t const from = r->stage_of[unit];
            if (from > 0 && may_move(w, &p, unit, from - 1u) && try_move(w, &p, unit, from - 1u)) {
                moved = 1;
            } else if (from + 1u < r->n_stages && may_move(w, &p, unit, from + 1u) &&
                       try_move(w, &p, unit, from + 1u)) {
                moved = 1;
            }
        }
    }
    r->objective = 0;
    for (i = 0; i < r->n_stages; i++) {
        r->objective = p.cost[i] > r->objective ? p.cost[i] : r->objective;
    }
    cli_release(w->session, p.at);
    cli_release(w->session, p.count);
    cli_release(w->session, p.rest);
    cli_release(w->session, p.cost);
}

/* With the few downsets of a beam, or all if they are few. */
static void search_some(search *w)
{
    cli_stage_result *r = w->r;
    r->n_downsets = w->sets.n;
    r->complete = w->sets.complete;
    run_guesses(w);
    if (r->lower_bound < r->objective && r->n_stages != 0 && !w->d->carried) {
        move_units(w);
    }
}

/* With all downsets: a better plan, or the proof that there is none. */
static void search_all(search *w)
{
    cli_stage_result *r = w->r;
    uint64_t const known = least_of(r->objective, greatest_cost(w->d));
    int found;
    if (!w->sets.complete || r->lower_bound == known) {
        return;
    }
    r->n_downsets = w->sets.n;
    make_tables(w);
    found = run_below(w, known);
    free_tables(w);
    r->complete = found >= 0;
    if (found <= 0) {
        r->objective = r->n_stages != 0 ? known : NEVER;
    }
    r->lower_bound = found >= 0 ? least_of(r->objective, known) : r->lower_bound;
}

void cli_stage_search(cli_session *s, const cli_stage_desc *desc, cli_stage_result *result)
{
    const cli_units *u = desc->units;
    uint64_t const states = ((uint64_t)desc->n_cores + 1u) * (desc->n_devices + 1u);
    uint64_t const each = 8u * (u->n / 32u + 1u) + 64u + 16u * states; /* bytes of a set */
    uint64_t const beam = least_of(desc->max_bytes / each / (u->n + 1u), BEAM);
    uint64_t limit = least_of(desc->max_work / 256u, MOST_SETS);
    uint32_t n_orders = 3u;
    uint32_t *orders;
    uint32_t *waits;
    search w;
    limit = least_of(limit, desc->max_bytes / each);
    if (beam == 0) {
        return;
    }
    orders = (uint32_t *)cli_alloc(s, (size_t)4u * u->n + 1u, sizeof *orders);
    waits = (uint32_t *)cli_alloc(s, (size_t)u->n + 1u, sizeof *waits);
    memset(&w, 0, sizeof w);
    w.session = s;
    w.d = desc;
    w.u = u;
    w.r = result;
    w.cost = 1u + states * (desc->replicas ? desc->n_devices : 2u) / 8u;
    w.count = (uint32_t *)cli_alloc(s, (size_t)u->n_values + 1u, sizeof *w.count);
    w.earlier = (uint32_t *)cli_alloc(s, (size_t)u->n_values + 1u, sizeof *w.earlier);
    w.ticks = (uint64_t *)cli_alloc(s, (size_t)desc->n_devices + 1u, sizeof *w.ticks);
    w.path = (frame *)cli_alloc(s, (size_t)u->n + 1u, sizeof *w.path);
    w.place = (uint8_t *)cli_alloc(s, (size_t)u->n + 1u, sizeof *w.place);
    for (uint32_t i = 0; i < n_orders; i++) {
        make_order(u, i, waits, &orders[(size_t)i * u->n]);
    }
    if (result->n_stages != 0) {
        order_by_stage(u, result->stage_of, &orders[(size_t)n_orders++ * u->n]);
    }
    result->lower_bound = simple_bound(desc);
    if (desc->n_cores != 0 && !desc->by_bytes) {
        result->lower_bound = shared_bound(s, desc, result->lower_bound);
    }
    cli_downsets_make(s, u, (uint32_t)least_of(desc->max_work / 8u, UINT32_MAX), (uint32_t)beam,
        orders, n_orders, &w.sets);
    search_some(&w);
    if (!w.sets.complete) {
        cli_downsets_free(s, &w.sets);
        cli_downsets_make(s, u, (uint32_t)limit, 0, NULL, 0, &w.sets);
        search_all(&w);
    }
    cli_downsets_free(s, &w.sets);
    cli_release(s, orders);
    cli_release(s, waits);
    cli_release(s, w.count);
    cli_release(s, w.earlier);
    cli_release(s, w.ticks);
    cli_release(s, w.path);
    cli_release(s, w.place);
}
