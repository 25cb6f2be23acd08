/* HEFT with moves: nodes on devices by the list heuristic, then runs of a device become partitions.
 * The objective is the makespan, `serial` of gsp_score_run(): a partition takes the time of its
 * critical path and starts when its inputs and its device are ready. The results of size and cost
 * compete, so the result is never worse. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS     4u
#define KICK       12u                  /* nodes */
#define MOST_COST  400u                 /* called nodes for which cost competes */
#define MOST_STEPS ((uint64_t)1u << 25) /* nodes and edges of all evaluations */
#define NEVER      DBL_MAX              /* seconds of what is no result */

/* Parts, not all of which need to have nodes. */
typedef struct parts {
    uint32_t n;
    uint32_t *part_of;   /* [nodes] GSP_NONE if not callable */
    uint32_t *device_of; /* [n] */
    double serial;
} parts;

typedef struct heft {
    const cli_heft_desc *d;
    cli_heft_result *made;
    cli_session *s;
    cli_placement placement;
    cli_timeline line;
    gsp_arena *arena;
    gsp_error *err;
    uint64_t random;
    uint64_t steps;   /* left */
    uint64_t n_steps; /* of an evaluation */
    gsp_node *order;  /* [n_calls] in which nodes try to move */
    gsp_node *seq;    /* [n_calls] by device and time */
    uint8_t *cut;     /* [n_calls] 1 if a part begins */
    uint32_t *run;    /* [nodes] index in seq */
    uint32_t *number; /* [n_calls + 1] */
    uint32_t *on;     /* [n_calls + 1] devices as numbers of parts */
    parts best;
    parts trial;
} heft;

/* ---- memory ---- */

static uint32_t draw(heft *h, uint32_t n)
{
    h->random = h->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((h->random >> 33) % n);
}

static parts new_parts(cli_session *s, size_t n)
{
    parts q = {0};
    q.part_of = (uint32_t *)cli_alloc(s, n, sizeof *q.part_of);
    q.device_of = (uint32_t *)cli_alloc(s, n, sizeof *q.device_of);
    q.serial = NEVER;
    return q;
}

static void open_heft(heft *h)
{
    const cli_heft_desc *d = h->d;
    cli_session *s = h->s;
    size_t n = (size_t)d->graph->n_nodes + 1u;
    cli_placement_open(&h->placement, s, d->graph, d->partition->devices, d->partition->n_devices);
    cli_timeline_open(
        &h->line, s, &h->placement, d->partition->has_rate ? d->partition->transfer_rate : 0.0);
    h->n_steps = (uint64_t)n + d->n_edges;
    h->steps = MOST_STEPS;
    h->order = (gsp_node *)cli_alloc(s, n, sizeof *h->order);
    h->seq = (gsp_node *)cli_alloc(s, n, sizeof *h->seq);
    h->cut = (uint8_t *)cli_alloc(s, n, 1u);
    h->run = (uint32_t *)cli_alloc(s, n, sizeof *h->run);
    h->number = (uint32_t *)cli_alloc(s, n, sizeof *h->number);
    h->on = (uint32_t *)cli_alloc(s, n + d->partition->n_devices, sizeof *h->on);
    h->best = new_parts(s, n);
    h->trial = new_parts(s, n);
    h->random = d->seed;
    for (uint32_t i = 0; i < h->placement.n_calls; i++) { /* graph order if seed is 0 */
        uint32_t const k = d->seed != 0 ? draw(h, i + 1u) : i;
        h->order[i] = h->order[k];
        h->order[k] = h->placement.calls[i];
    }
}

static void close_heft(const heft *h)
{
    cli_timeline_close(&h->line, h->s);
    cli_placement_close(&h->placement, h->s);
    cli_release(h->s, h->order);
    cli_release(h->s, h->seq);
    cli_release(h->s, h->cut);
    cli_release(h->s, h->run);
    cli_release(h->s, h->number);
    cli_release(h->s, h->on);
    cli_release(h->s, h->trial.part_of);
    cli_release(h->s, h->trial.device_of);
}

/* Counts an evaluation; 0 after the last are made. */
static int may_go_on(heft *h)
{
    if (h->steps < h->n_steps) {
        return 0;
    }
    h->steps -= h->n_steps;
    return 1;
}

/* Counts what an evaluation passes beyond 16 rows per step. */
static void pay(heft *h, uint64_t rows)
{
    uint64_t const more = rows / 16u > h->n_steps ? rows / 16u - h->n_steps : 0u;
    h->steps -= more < h->steps ? more : h->steps;
}

/* ---- evaluation ---- */

/* Devices as the evaluator takes them: each is the first part on it. */
static void name_devices(const heft *h, const parts *q, uint32_t *on)
{
    uint32_t *first = on + q->n;
    memset(first, 0xFF, h->placement.n_devices * sizeof *first);
    for (uint32_t i = 0; i < q->n; i++) {
        uint32_t const d = q->device_of[i];
        first[d] = first[d] == GSP_NONE ? i : first[d];
        on[i] = first[d];
    }
}

/* `seconds`: [nodes], or NULL to read and check those of the text. */
static gsp_status score(heft *h, parts *q, const double *seconds, gsp_score_result *r)
{
    gsp_mark const mark = gsp_arena_mark(h->arena);
    gsp_score_desc desc = {0};
    gsp_status status;
    name_devices(h, q, h->on);
    desc.n_parts = q->n;
    desc.part_of = q->part_of;
    desc.device_of = h->on;
    desc.mem = seconds;
    desc.compute = seconds;
    desc.transfer_rate = h->d->partition->transfer_rate;
    desc.has_rate = h->d->partition->has_rate;
    status = gsp_score_run(h->arena, h->d->graph, &desc, r, h->err);
    q->serial = status == GSP_OK && r->n_cycle == 0 ? r->serial : NEVER;
    gsp_arena_rewind(h->arena, mark);
    return status;
}

static double serial(heft *h, parts *q)
{
    gsp_score_result r;
    (void)score(h, q, h->line.seconds, &r);
    return q->serial;
}

static void copy_parts(const heft *h, parts *to, const parts *from)
{
    to->n = from->n;
    to->serial = from->serial;
    memcpy(to->part_of, from->part_of, h->d->graph->n_nodes * sizeof *to->part_of);
    memcpy(to->device_of, from->device_of, from->n * sizeof *to->device_of);
}

static void keep_better(heft *h, const parts *q)
{
    if (q->serial < h->best.serial) {
        copy_parts(h, &h->best, q);
    }
}

/* ---- the other modes ---- */

/* NO_FIT is no error here. */
static gsp_status try_mode(heft *h, uint32_t mode)
{
    gsp_mark const mark = gsp_arena_mark(h->arena);
    gsp_partition_desc desc = *h->d->partition;
    gsp_assignment a;
    gsp_status status;
    desc.mode = mode;
    desc.max_work = cli_placement_trials(h->d->graph);
    status = gsp_assign_run(h->arena, h->d->graph, &desc, &a, h->err);
    if (status == GSP_OK) {
        h->trial.n = a.n_parts;
        memcpy(h->trial.part_of, a.part_of, h->d->graph->n_nodes * sizeof *a.part_of);
        memcpy(h->trial.device_of, a.device_of, a.n_parts * sizeof *a.device_of);
    }
    gsp_arena_rewind(h->arena, mark);
    if (status != GSP_OK) {
        return status == GSP_STATUS_NO_FIT ? GSP_OK : status;
    }
    (void)serial(h, &h->trial);
    keep_better(h, &h->trial);
    return GSP_OK;
}

/* All on the first of the largest devices, whether it has room or not: the critical path. */
static gsp_status try_single(heft *h)
{
    const gsp_graph *g = h->d->graph;
    const gsp_device *devices = h->d->partition->devices;
    gsp_score_result r;
    gsp_status status;
    uint32_t largest = 0;
    for (uint32_t d = 1; d < h->d->partition->n_devices; d++) {
        largest = devices[d].bytes > devices[largest].bytes ? d : largest;
    }
    h->trial.n = 1;
    h->trial.device_of[0] = largest;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        h->trial.part_of[v] = gsp_node_is_callable(g, v) ? 0u : GSP_NONE;
    }
    status = score(h, &h->trial, NULL, &r);
    h->made->bound = h->trial.serial;
    if (status == GSP_OK && cli_placement_sum(g) <= devices[largest].bytes) {
        keep_better(h, &h->trial);
    }
    return status;
}

/* ---- nodes on devices ---- */

/* Single nodes to other devices while that makes the timeline shorter. */
static void move_on_line(heft *h)
{
    double now = cli_timeline_run(&h->line, NEVER);
    int moved = 1;
    for (uint32_t sweep = 0; sweep < SWEEPS && moved; sweep++) {
        moved = 0;
        for (uint32_t i = 0; i < h->placement.n_calls; i++) {
            gsp_node const v = h->order[i];
            for (uint32_t d = 0; d < h->placement.n_devices; d++) {
                uint32_t const from = h->placement.device_of[v];
                double then;
                if (d == from || !may_go_on(h) || !cli_placement_move(&h->placement, v, d)) {
                    continue;
                }
                then = cli_timeline_run(&h->line, now);
                pay(h, h->line.work);
                if (then < now) {
                    now = then;
                    moved = 1;
                } else {
                    cli_placement_shift(&h->placement, v, from);
                }
            }
        }
    }
    (void)cli_timeline_run(&h->line, NEVER);
}

/* ---- runs of a device as parts ---- */

/* Numbers by the first node of the list. */
static void make_runs(heft *h)
{
    uint32_t const n = h->placement.n_calls;
    uint32_t run = 0;
    h->trial.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        run = h->cut[i] ? i : run;
        h->run[h->seq[i]] = run;
        h->number[i] = GSP_NONE;
    }
    for (uint32_t i = 0; i < n; i++) {
        gsp_node const v = h->line.list[i];
        uint32_t const at = h->run[v];
        if (h->number[at] == GSP_NONE) {
            h->number[at] = h->trial.n;
            h->trial.device_of[h->trial.n++] = h->placement.device_of[v];
        }
        h->trial.part_of[v] = h->number[at];
    }
}

/* Joins and cuts runs while that is no slower; joins are welcome. */
static void flip_cuts(heft *h)
{
    uint32_t const n = h->placement.n_calls;
    double now;
    int changed = 1;
    make_runs(h);
    now = serial(h, &h->trial);
    for (uint32_t sweep = 0; sweep < SWEEPS && changed; sweep++) {
        changed = 0;
        for (uint32_t i = 1; i < n; i++) {
            double then;
            if (h->placement.device_of[h->seq[i]] != h->placement.device_of[h->seq[i - 1u]] ||
                !may_go_on(h)) {
                continue;
            }
            h->cut[i] ^= 1u;
            make_runs(h);
            then = serial(h, &h->trial);
            if (then < now || (then <= now && !h->cut[i])) {
                now = then;
                changed = 1;
            } else {
                h->cut[i] ^= 1u;
            }
        }
    }
    make_runs(h);
    (void)serial(h, &h->trial);
    keep_better(h, &h->trial);
}

typedef struct slot {
    uint32_t device;
    uint32_t phase;
    double begin;
    uint32_t place; /* in the list */
    gsp_node node;
} slot;

static int compare(const void *a, const void *b)
{
    const slot *x = (const slot *)a;
    const slot *y = (const slot *)b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    if (x->phase != y->phase) {
        return x->phase < y->phase ? -1 : 1;
    }
    if (x->begin < y->begin || x->begin > y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    return x->place < y->place ? -1 : 1;
}

/* Runs of one node each in the order of time, or those of cli_placement_phases(). */
static void try_runs(heft *h, int phases)
{
    uint32_t const n = h->placement.n_calls;
    slot *slots = (slot *)cli_alloc(h->s, (size_t)n + 1u, sizeof *slots);
    if (phases) {
        (void)cli_placement_phases(&h->placement, h->s, h->trial.part_of, h->trial.device_of);
    }
    for (uint32_t i = 0; i < n; i++) {
        gsp_node const v = h->line.list[i];
        slots[i].device = h->placement.device_of[v];
        slots[i].phase = phases ? h->trial.part_of[v] : 0u;
        slots[i].begin = h->line.begin[v];
        slots[i].place = i;
        slots[i].node = v;
    }
    qsort(slots, n, sizeof *slots, compare);
    for (uint32_t i = 0; i < n; i++) {
        h->seq[i] = slots[i].node;
        h->cut[i] = !phases || i == 0 || slots[i].device != slots[i - 1u].device ||
                    slots[i].phase != slots[i - 1u].phase;
    }
    cli_release(h->s, slots);
    flip_cuts(h);
}

/* ---- moves between parts ---- */

/* Where the nodes of `best` are. */
static void enter_best(heft *h)
{
    cli_placement_clear(&h->placement);
    memset(h->number, 0, ((size_t)h->placement.n_calls + 1u) * sizeof *h->number);
    for (uint32_t i = 0; i < h->placement.n_calls; i++) {
        gsp_node const v = h->placement.calls[i];
        h->number[h->best.part_of[v]]++;
        cli_placement_put(&h->placement, v, h->best.device_of[h->best.part_of[v]]);
    }
}

/* Moves v if its devices have room. */
static int shift(heft *h, gsp_node v, uint32_t to)
{
    parts *q = &h->best;
    if (!cli_placement_move(&h->placement, v, q->device_of[to])) {
        return 0;
    }
    h->number[q->part_of[v]]--;
    h->number[to]++;
    q->part_of[v] = to;
    return 1;
}

/* Moves v if that is faster. */
static int try_move(heft *h, gsp_node v, uint32_t to)
{
    parts *q = &h->best;
    uint32_t const from = q->part_of[v];
    double const now = q->serial;
    if (to == from || to == GSP_NONE || !may_go_on(h) || !shift(h, v, to)) {
        return 0;
    }
    if (serial(h, q) < now) {
        return 1;
    }
    cli_placement_shift(&h->placement, v, q->device_of[from]);
    h->number[to]--;
    h->number[from]++;
    q->part_of[v] = from;
    q->serial = now;
    return 0;
}

/* v to the parts of its inputs and users. */
static int move_near(heft *h, gsp_node v)
{
    int moved = 0;
    uint32_t n;
    const gsp_node *at = gsp_node_inputs(h->placement.g, v, &n);
    for (uint32_t k = 0; k < n; k++) {
        moved |= try_move(h, v, h->best.part_of[at[k]]);
    }
    at = gsp_node_users(h->placement.g, v, &n);
    for (uint32_t k = 0; k < n; k++) {
        moved |= try_move(h, v, h->best.part_of[at[k]]);
    }
    return moved;
}

/* v to any part, and to a part of its own on any device. */
static int move_far(heft *h, gsp_node v)
{
    parts *q = &h->best;
    int moved = 0;
    uint32_t free = 0;
    for (uint32_t k = 0; k < q->n; k++) {
        moved |= h->number[k] != 0 && try_move(h, v, k);
    }
    for (uint32_t k = 0; k < h->placement.n_devices; k++) {
        while (free < q->n && h->number[free] != 0) {
            free++;
        }
        if (free == h->placement.n_calls) {
            break;
        }
        q->n = free == q->n ? free + 1u : q->n;
        q->device_of[free] = k;
        moved |= try_move(h, v, free);
    }
    return moved;
}

/* All nodes of a part to another if that is no slower. */
static int try_join(heft *h, uint32_t from, uint32_t to)
{
    parts *q = &h->best;
    uint32_t const device = q->device_of[from];
    double const now = q->serial;
    int good;
    if (!may_go_on(h)) {
        return 0;
    }
    for (uint32_t i = 0; i < h->placement.n_calls; i++) {
        gsp_node const v = h->placement.calls[i];
        h->run[v] = q->part_of[v];
        if (q->part_of[v] == from) {
            q->part_of[v] = to;
            cli_placement_shift(&h->placement, v, q->device_of[to]);
        }
    }
    good = cli_placement_fits(&h->placement, device) &&
           cli_placement_fits(&h->placement, q->device_of[to]) && serial(h, q) <= now;
    for (uint32_t i = 0; i < h->placement.n_calls && !good; i++) {
        gsp_node const v = h->placement.calls[i];
        if (h->run[v] == from) {
            q->part_of[v] = from;
            cli_placement_shift(&h->placement, v, device);
        }
    }
    if (good) {
        h->number[to] += h->number[from];
        h->number[from] = 0;
    }
    q->serial = good ? q->serial : now;
    return good;
}

static int join_parts(heft *h)
{
    int joined = 0;
    for (uint32_t a = 0; a < h->best.n; a++) {
        for (uint32_t b = 0; b < h->best.n && h->number[a] != 0; b++) {
            joined |= a != b && h->number[b] != 0 && try_join(h, a, b);
        }
    }
    return joined;
}

/* Moves and joins until none is of use. */
static void improve(heft *h)
{
    int far = 0;
    int moved = 1;
    while (moved || !far) {
        far = !moved;
        moved = 0;
        for (uint32_t i = 0; i < h->placement.n_calls; i++) {
            moved |= far ? move_far(h, h->order[i]) : move_near(h, h->order[i]);
        }
        moved |= far && join_parts(h);
    }
}

/* From the best, some nodes anywhere, and improved again. */
static void kick(heft *h)
{
    copy_parts(h, &h->trial, &h->best);
    for (uint32_t k = 0; k < KICK; k++) {
        gsp_node const v = h->placement.calls[draw(h, h->placement.n_calls)];
        uint32_t const to = draw(h, h->best.n);
        if (h->number[to] != 0) {
            (void)shift(h, v, to);
        }
    }
    (void)serial(h, &h->best);
    improve(h);
    if (h->trial.serial < h->best.serial) {
        copy_parts(h, &h->best, &h->trial);
        enter_best(h);
    }
}

static void search(heft *h)
{
    enter_best(h);
    improve(h);
    while (h->best.serial > h->made->bound && h->steps >= h->n_steps) {
        kick(h);
    }
}

/* ---- the pass ---- */

static gsp_status try_others(heft *h)
{
    cli_heft_result *made = h->made;
    gsp_status status = try_mode(h, GSP_PARTITION_SIZE);
    status = status == GSP_OK ? try_single(h) : status;
    made->reference = h->best.serial;
    if (status == GSP_OK && h->placement.n_calls <= MOST_COST) {
        status = try_mode(h, GSP_PARTITION_COST);
    }
    made->reference = made->reference < NEVER ? made->reference : h->best.serial;
    return status;
}

static gsp_status find_best(heft *h)
{
    cli_heft_result *made = h->made;
    gsp_score_result r;
    gsp_status status = try_others(h);
    made->found = CLI_PLACEMENT_FOUND;
    if (status != GSP_OK || h->best.serial <= made->bound) {
        return status;
    }
    if (!cli_timeline_place(&h->line)) {
        cli_placement_clear(&h->placement);
        made->found = cli_placement_search(&h->placement, h->s, 0);
    }
    if (made->found == CLI_PLACEMENT_FOUND) {
        move_on_line(h);
        try_runs(h, 1);
        try_runs(h, 0);
    }
    if (h->best.serial < NEVER) {
        made->found = CLI_PLACEMENT_FOUND;
        search(h);
        return GSP_OK;
    }
    return made->found == CLI_PLACEMENT_FOUND ? score(h, &h->trial, NULL, &r) : GSP_OK;
}

/* Drops empty parts, and numbers the others in the order in which the evaluator runs them. */
static void number_parts(heft *h)
{
    cli_heft_result *made = h->made;
    gsp_score_result r;
    uint32_t n = 0;
    (void)score(h, &h->best, NULL, &r);
    for (uint32_t i = 0; i < h->best.n; i++) {
        uint32_t const part = r.order[i];
        if (r.n_nodes[part] != 0) {
            made->device_of[n] = h->best.device_of[part];
            h->number[part] = n++;
        }
    }
    for (uint32_t i = 0; i < h->placement.n_calls; i++) {
        made->part_of[h->placement.calls[i]] = h->number[h->best.part_of[h->placement.calls[i]]];
    }
    made->n_parts = n;
    made->reference = made->reference < NEVER ? made->reference : h->best.serial;
}

size_t cli_heft_bound(const cli_heft_desc *desc)
{
    static const uint32_t modes[] = {GSP_PARTITION_SIZE, GSP_PARTITION_COST};
    gsp_partition_desc other = *desc->partition;
    gsp_score_desc all = {0};
    size_t most;
    uint32_t const n = cli_placement_called(desc->graph);
    all.n_parts = n;
    most = gsp_score_bound(desc->graph, &all);
    for (uint32_t i = 0; i < (n <= MOST_COST ? 2u : 1u); i++) {
        size_t bound;
        other.mode = modes[i];
        bound = gsp_assign_bound(desc->graph, &other);
        most = bound > most ? bound : most;
    }
    return most;
}

gsp_status cli_heft_run(cli_session *s, gsp_arena *arena, const cli_heft_desc *desc,
    cli_heft_result *result, gsp_error *err)
{
    heft h = {0};
    gsp_status status;
    h.d = desc;
    h.made = result;
    h.s = s;
    h.arena = arena;
    h.err = err;
    open_heft(&h);
    status = find_best(&h);
    if (status == GSP_OK && result->found == CLI_PLACEMENT_FOUND) {
        number_parts(&h);
    }
    close_heft(&h);
    return status;
}

/* ---- times of a result ---- */

typedef struct times {
    const cli_heft_desc *d;
    const uint32_t *device_of; /* [parts] */
    gsp_partition_result *r;
    uint64_t *sent; /* [parts] bytes to this part */
    uint32_t *seen; /* [nodes] the last part that receives a node */
} times;

/* The times of a part after `before` on its device, as the evaluator counts them. */
static void end_part(const times *t, uint32_t part, uint32_t before)
{
    const cli_heft_desc *d = t->d;
    gsp_partition_result *r = t->r;
    double begin = before != GSP_NONE ? r->finish[before] : 0.0;
    r->late_parent[part] = before;
    memset(t->sent, 0, r->n_parts * sizeof *t->sent);
    for (uint32_t i = r->part_begin[part]; i < r->part_begin[part + 1u]; i++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(d->graph, r->nodes[i], &n);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t const q = r->part_of[in[k]];
            double there;
            if (q == GSP_NONE || q == part || t->seen[in[k]] == part) {
                continue;
            }
            t->seen[in[k]] = part;
            there = r->finish[q];
            if (d->partition->has_rate && t->device_of[q] != t->device_of[part]) {
                t->sent[q] += gsp_node_bytes(d->graph, in[k]);
                there += (double)t->sent[q] / d->partition->transfer_rate;
            }
            if (there > begin) {
                begin = there;
                r->late_parent[part] = q;
            }
        }
    }
    r->finish[part] = begin + r->latency[part].overall;
}

void cli_heft_times(cli_session *s, const cli_heft_desc *desc, const uint32_t *device_of,
    gsp_partition_result *result)
{
    uint32_t const n_devices = desc->partition->n_devices;
    times t;
    uint32_t *before = (uint32_t *)cli_alloc(s, (size_t)n_devices + 1u, sizeof *before);
    t.d = desc;
    t.device_of = device_of;
    t.r = result;
    t.sent = (uint64_t *)cli_alloc(s, (size_t)result->n_parts + 1u, sizeof *t.sent);
    t.seen = (uint32_t *)cli_alloc(s, (size_t)desc->graph->n_nodes + 1u, sizeof *t.seen);
    memset(before, 0xFF, n_devices * sizeof *before);
    memset(t.seen, 0xFF, desc->graph->n_nodes * sizeof *t.seen);
    result->total = 0.0;
    for (uint32_t i = 0; i < result->n_parts; i++) { /* in the order of the evaluator */
        end_part(&t, i, before[device_of[i]]);
        before[device_of[i]] = i;
        result->total = result->finish[i] > result->total ? result->finish[i] : result->total;
    }
    cli_release(s, before);
    cli_release(s, t.sent);
    cli_release(s, t.seen);
}
