/* graphsplit_devices.h - an add-on of graphsplit.h: stages of a pipeline on unequal devices
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Contiguous stages on devices that differ in speed, memory and links, in the given order of
 * devices or in the best one, with a bound. Needs graphsplit.h and nothing else.
 *
 * Do this in ONE file of your program, and include it without the macro in all other files:
 *
 *     #define GRAPHSPLIT_DEVICES_IMPLEMENTATION
 *     #include "graphsplit_devices.h"
 *
 * The file may be another one than the file that defines GRAPHSPLIT_IMPLEMENTATION. What the manual
 * of graphsplit.h says of errors, memory, determinism, threads and GRAPHSPLIT_STATIC holds here.
 * Speeds are floating point. With GSP_NO_PIPELINE, GSP_NO_MEMORY or GSP_NO_COST this header is
 * empty. Stages of equal devices are cheaper to find with graphsplit_stages.h.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>devices            Stages on unequal devices
 *     >>impl               Implementation guard
 *
 *     gsp_stages_unequal_run       desc.max_work     24 per place and state, 201 MB at most; 200
 *                                                    per node, 8 per edge
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
#ifndef GRAPHSPLIT_DEVICES_H_INCLUDED
#define GRAPHSPLIT_DEVICES_H_INCLUDED

#ifndef GRAPHSPLIT_H_INCLUDED
#include "graphsplit.h"
#endif

#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_DEVICES_IMPLEMENTATION)
#error "graphsplit_devices: GRAPHSPLIT_STATIC needs GRAPHSPLIT_DEVICES_IMPLEMENTATION"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>devices   Stages on unequal devices (API)
 * ---- */
#ifndef GSP_NO_PIPELINE
#ifndef GSP_NO_MEMORY
#ifndef GSP_NO_COST

/* A device with room for one stage. Two stages on one device are two of them, with equal `link`. */
typedef struct gsp_stages_device {
    uint64_t bytes; /* its memory */
    double speed;   /* divides the ticks of nodes; from 10^-6 to 10^6 */
    uint32_t link;  /* its row and column in desc.links */
} gsp_stages_device;

/* The minimised time. */
typedef enum gsp_stages_unequal_goal {
    GSP_STAGES_UNEQUAL_THROUGHPUT, /* of the slowest stage */
    GSP_STAGES_UNEQUAL_LATENCY,    /* of all stages, for one microbatch; values count once */
    GSP_STAGES_UNEQUAL_COUNT,
    GSP_STAGES_UNEQUAL_FORCE_U32 = 0x7FFFFFFF
} gsp_stages_unequal_goal;

/* Called for each node at which stages may begin. Returns nonzero to stop with the best stages so
 * far. */
typedef int (*gsp_stages_unequal_progress_func)(void *user, uint64_t work);

typedef struct gsp_stages_unequal_desc {
    uint32_t start_canary;
    uint32_t n_devices;
    const gsp_stages_device *devices; /* [n_devices] in the order of stages; required */
    const double *links; /* [n_links * n_links] bytes per second from a row to a column, 0
                                  * for none. NULL means desc.costs->move, for all links */
    uint32_t n_links;
    uint32_t n_used;          /* devices that get work; 0 means all */
    uint32_t goal;            /* gsp_stages_unequal_goal */
    uint32_t any_order;       /* 1 searches the order of devices, too */
    uint32_t replicas;        /* 1 if a stage may run on several equal devices that follow each
                                  * other; microbatches are a multiple of their number */
    uint32_t keep_groups;     /* 1 never cuts between nodes of the same group= */
    const gsp_costs *costs;   /* required; items count once per stage */
    uint32_t carried;         /* 1 if values pass through all stages up to their last reader; so
                                  * they do with links */
    uint32_t microbatches;    /* 1F1B: stage s of k stashes min(k - s, this); 0 for inference,
                                  * where live bytes count instead */
    const uint32_t *held;     /* [n_used] stashed microbatches by devices used before a stage;
                                  * NULL means 1F1B */
    uint32_t copies;          /* of parameters, with gradients, optimizer state, ...; 0 means 1 */
    uint32_t n_layers;        /* of layers that keep bytes, such as keys and values */
    const uint32_t *layer_of; /* [n] GSP_NONE for none */
    const uint64_t *layer_bytes; /* [n_layers] that each stage with a node of the layer keeps */
    uint64_t bandwidth;  /* bytes per second that keeps the parameters of replicas equal, or 0 */
    uint64_t first_time; /* ticks added to the first stage, before its speed divides them */
    uint64_t last_time;  /* ticks added to the last stage */
    uint64_t max_work;   /* see result.work; 0 means 2^26, or 3 * 2^24 for latency */
    const char *marker;  /* target of markers; NULL means PyTorch's */
    gsp_stages_unequal_progress_func progress; /* or NULL */
    void *progress_user;
    uint32_t end_canary;
} gsp_stages_unequal_desc;

/* One stage; time = compute + enter + leave, without leave if the goal is latency. On several
 * devices times and held microbatches are those of one of them. */
typedef struct gsp_stages_unequal_stage {
    uint32_t first;     /* its devices are result.devices[first .. first + n_devices - 1] */
    uint32_t n_devices; /* more than 1 with replicas alone */
    uint32_t n_nodes;
    uint32_t held;    /* microbatches whose stash it keeps; 0 in inference */
    uint64_t time;    /* ticks */
    uint64_t compute; /* ticks of its nodes, and to keep replicas equal */
    uint64_t enter;   /* ticks of the values that enter */
    uint64_t leave;   /* ticks of the values that leave */
    uint64_t params;  /* bytes of the items that it reads */
    uint64_t kept;    /* bytes of its layers */
    uint64_t stash;   /* bytes of values that it computes and receives per microbatch */
    uint64_t live;    /* in inference: the peak of its live bytes */
    uint64_t memory; /* params * copies + kept + stash * held; in inference live bytes, and those of
                       * carried values that it does not read, in place of the last term */
} gsp_stages_unequal_stage;

/* The best plan found, and a lower bound. All arrays are read-only. */
typedef struct gsp_stages_unequal_result {
    uint32_t n_nodes;
    uint32_t n_stages;   /* n_used; fewer only with replicas, or where nodes are fewer */
    uint32_t proved;     /* 1 if no stages in graph order take less time */
    uint32_t all_orders; /* 1 if the search covered all orders of the devices */
    uint32_t *stage_of;  /* [n] GSP_NONE if not callable, or a marker */
    gsp_stages_unequal_stage *stages; /* [n_stages] */
    uint32_t *devices;                /* in the order of stages */
    uint64_t objective;               /* ticks */
    uint64_t lower_bound;
    uint64_t reference;      /* of stages of equal node counts on the first devices, memory ignored;
                         * UINT64_MAX if a link is missing */
    uint64_t work;           /* nodes and states visited */
    uint32_t reference_fits; /* 1 if stages of equal node counts are within the memory */
    uint32_t stopped;        /* 1 if progress ended the search early */
} gsp_stages_unequal_result;

/* gsp_stages_unequal_bound: bytes for the run. Time: O(devices * links * kinds). */
GSP_API size_t gsp_stages_unequal_bound(
    const gsp_graph *graph, const gsp_stages_unequal_desc *desc);

/* gsp_stages_unequal_run: stages, contiguous in graph order and none empty, each on a device of its
 * own and within its memory, at least time.
 *
 * What:    Dynamic programming over places and states. A state is the device of the next stage, the
 *          one before it if there are links, and the number of used devices of each kind; devices
 *          of equal speed, memory and links are of one kind. Guesses grow from a lower bound, and a
 *          state is dropped where a relaxed line, in which sums of parameters are differences, says
 *          that the rest cannot be within the guess. So the result is exact, in any order for 12
 *          devices of 6 kinds. With more than 2^15 states, 2^22 pairs of a state and the next,
 *          2^23 places times states, or max_work, plans of at most 512 places in some orders,
 *          improved by swaps, and the bound remain.
 * Errors:  ARG (NULL_ARGUMENT; COSTS: of another graph, no such item; NUMBER: speed of device;
 *          RATE: link from device to other; RANGE: device has no such link, node no such layer;
 *          ALIAS, as
 *          gsp_liveness_run()), DESC (CHOICE: n_devices, goal, n_used), OVERFLOW (SIZE), NO_FIT
 *          (MEMORY, or WORK if max_work or progress ended the search: no node fits `device`, and
 *          `other` needs least; or `node` fits no device; or there are no `stage` stages, as far as
 *          known)
 * Time:    max_work, and O(nodes * states) to begin with. Memory: the bound
 * Order:   of plans of equal objective the first one found
 * Example: examples/unequal.c
 * See:     Tarnawski et al., NeurIPS 2020; Benoit, Robert 2008 (heterogeneous pipelines)
 */
GSP_API gsp_status gsp_stages_unequal_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stages_unequal_desc *desc, gsp_stages_unequal_result *result, gsp_error *err);

#endif
#endif
#endif /* GSP_NO_PIPELINE */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_DEVICES_H_INCLUDED */

/* ----
 * >>impl   Implementation guard
 * ---- */
#ifdef GRAPHSPLIT_DEVICES_IMPLEMENTATION
#ifndef GRAPHSPLIT_DEVICES_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_DEVICES_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_UNEQUAL_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_UNEQUAL_END       _Pragma("GCC diagnostic pop")
#define GSPI_UNEQUAL_OWN_FRAME __attribute__((noinline)) static /* not on that of its caller */
#else
#define GSPI_UNEQUAL_BEGIN
#define GSPI_UNEQUAL_END
#define GSPI_UNEQUAL_OWN_FRAME static
#endif

/* With GRAPHSPLIT_STATIC a program may leave functions unused. */
GSPI_UNEQUAL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/* ----
 * >>devices   Stages on unequal devices (implementation)
 * ---- */
#ifndef GSP_NO_PIPELINE
#ifndef GSP_NO_MEMORY
#ifndef GSP_NO_COST

/* A line is the called nodes in graph order, between the places where a stage may begin: units. A
 * range of units grows by one unit, and each value, item and layer counts once. */

#define GSPI_UNEQUAL_NO_PLAN    UINT64_MAX
#define GSPI_UNEQUAL_STATES     32768u                /* 12 devices of 6 kinds, with links */
#define GSPI_UNEQUAL_CELLS      ((uint64_t)1u << 23u) /* places times states */
#define GSPI_UNEQUAL_FOLLOW     ((uint64_t)1u << 22u) /* pairs of a state and one that may follow */
#define GSPI_UNEQUAL_FEW        512u                  /* units, where not all can be searched, */
#define GSPI_UNEQUAL_FEW_PAIRS  ((uint64_t)1u << 21u) /* times pairs of states, */
#define GSPI_UNEQUAL_FEW_WORK   ((uint64_t)1u << 21u) /* and their work besides the bounds */
#define GSPI_UNEQUAL_WORK       ((uint64_t)1u << 26u) /* about a second, */
#define GSPI_UNEQUAL_SUM_WORK   ((uint64_t)3u << 24u) /* and of sums, which prune less */
#define GSPI_UNEQUAL_MOST_SPEED 1e6
#define GSPI_UNEQUAL_SLOWEST    (1e-6 * (1.0 - 1e-9)) /* long double constants are above 1e-6 */
#define GSPI_UNEQUAL_MOST_REAL  1e18                  /* of a bound that is used */
#define GSPI_UNEQUAL_NO_END     1e300                 /* exceeds all bounds */

/* A condition that only inputs of gigabytes can cause; `make cov` does not count it. */
#define GSPI_UNEQUAL_NEVER(x) (x)

/* Units, and sums over them. */
typedef struct gspi_unequal_line {
    uint32_t n;      /* units */
    uint32_t ready;  /* 1 if the rows of the bound are filled */
    uint32_t *cut;   /* [n + 1] places of calls where units begin */
    uint64_t *time;  /* [n + 1] ticks of the calls before a unit */
    uint64_t *cross; /* [n + 1] ticks of the values that cross, as one bandwidth has it, */
    uint64_t *own;   /* [n + 1] those of comm= alone, */
    uint64_t *bytes; /* [n + 1] the bytes of the others */
    uint64_t *all;   /* [n + 1] and all bytes */
    /* of the bound, see gspi_unequal_bound_open() */
    uint64_t *base;  /* [n + 1] bytes of parameters and layers before a unit */
    uint64_t *stash; /* [n + 1] and those that are stashed per microbatch */
    uint64_t *enter; /* [n + 1] the least ticks that enter a stage */
} gspi_unequal_line;

/* A range of units. It never shrinks as it grows, except `leave` and `passing`. */
typedef struct gspi_unequal_range {
    uint32_t begin;
    uint32_t end;
    uint64_t enter; /* ticks */
    uint64_t leave;
    uint64_t params; /* bytes, once */
    uint64_t kept;
    uint64_t stash;
    uint64_t passing; /* bytes of carried values that it does not read */
    uint64_t least;   /* of its live bytes */
    uint64_t most;
    uint64_t top; /* of the bytes that live in the whole line */
} gspi_unequal_range;

/* Where a range runs, between the links of the devices before and after it. */
typedef struct gspi_unequal_at {
    const gsp_stages_device *on;
    uint32_t used; /* devices before it */
    uint32_t width;
    uint32_t before; /* link, or GSP_NONE */
    uint32_t after;
    uint32_t sends; /* 1 if the ticks of values that leave count */
} gspi_unequal_at;

/* A stage that is to come. It begins at some place, and runs on devices of a kind. */
typedef struct gspi_unequal_state {
    uint32_t kind;   /* of devices, or the device itself in the given order */
    uint32_t before; /* the kind of the stage before; GSP_NONE */
    uint32_t used;   /* devices before it */
    uint32_t width;  /* its devices */
    uint32_t set;    /* what is used before it: a mixed radix number */
    uint32_t begin;  /* of its followers */
    uint32_t end;
} gspi_unequal_state;

/* Of calls and values. */
typedef struct gspi_unequal_rows {
    gsp_node *calls;      /* [n_calls] */
    uint32_t *place;      /* [n] of a call, else GSP_NONE */
    uint32_t *last;       /* [n] the last place that reads the value, GSP_NONE for none */
    uint32_t *seen;       /* [n] stamp of values that enter a range */
    uint32_t *seen_item;  /* [items] */
    uint32_t *seen_layer; /* [layers] */
    uint32_t *part;       /* [n] of a measured range */
    uint32_t *group_last; /* [strings] the last place of a group */
    uint64_t *live;       /* [n_calls] bytes while a call runs, in the whole line, */
    uint64_t *alone;      /* [n_calls] and as a range of its own; 0 unless plain */
    double *ahead;        /* [units + 1] what follows a stage that ends there */
    uint32_t *queue;      /* [units + 1] ends, of falling value */
} gspi_unequal_rows;

/* Of kinds and states; without any order each device is a kind. */
typedef struct gspi_unequal_states {
    gsp_stages_device *slots; /* [devices] in the order of this search */
    uint32_t *kind_of;        /* [devices] */
    uint32_t *first;          /* [kinds] a device of it, */
    uint32_t *second;         /* [kinds] and another one */
    uint32_t *count;          /* [kinds] */
    uint32_t *radix;          /* [kinds] */
    uint32_t n_kinds;
    uint32_t any_order;
    gspi_unequal_state *at; /* [n] */
    uint32_t n;
    uint32_t most;
    uint32_t *next; /* [n_next] followers */
    uint32_t n_next;
    uint32_t most_next;
    uint32_t mask;
    uint32_t *table; /* [mask + 1] hashes of states, plus 1 */
    uint32_t *open;  /* [n_open] that still grow */
    uint32_t n_open;
    uint32_t *end;   /* [used + 1] the best plan, */
    uint32_t *chain; /* [used] its states, */
    uint32_t n_stages;
    /* the best plan of all searches */
    uint32_t *cut;   /* [used + 1] places of calls */
    uint32_t *width; /* [used] devices of a stage */
    uint32_t *order; /* [devices] that is searched */
    uint32_t *kept;  /* [devices] the best one */
    uint32_t *taken; /* [devices] */
} gspi_unequal_states;

typedef struct gspi_unequal { /* not on the stack */
    gsp_arena *arena;
    const gsp_graph *g;
    const gsp_stages_unequal_desc *d; /* that of the caller with defaults, */
    gsp_stages_unequal_desc own;      /* which is this one */
    gsp_mark mark;                    /* of the caller, */
    gsp_mark cells_mark;              /* and before the cells */
    gsp_liveness_desc ask;            /* for live bytes, */
    gsp_liveness_result live;         /* and the answer */
    gsp_stages_unequal_result r;
    gspi_unequal_rows a;
    gspi_unequal_states s;
    gspi_unequal_line full;
    gspi_unequal_line few;
    gspi_unequal_line *l; /* that is searched */
    gspi_unequal_range range;
    uint32_t n_calls;
    uint32_t n_used;
    uint32_t stamp;
    int plain;       /* live bytes of a range are between a.alone and a.live */
    uint64_t visits; /* of calls, not yet in r.work */
    /* cells: [(units + 1) * states] */
    uint64_t *best;
    uint32_t *from;  /* place where the stage before begins */
    uint32_t *state; /* and its state */
    double *rest;    /* [states * units] what follows takes no less, by the bound below */
    uint64_t guess;
    uint64_t lower;
    uint64_t max_work;
    uint64_t cap;       /* of the guesses */
    uint64_t step;      /* to the next one */
    uint64_t found;     /* the best plan within the guess */
    uint64_t few_lower; /* of the full line, while the search is on the other */
    uint64_t few_work;
    int cut_off;  /* the guess ended something */
    int stopped;  /* no work is left */
    double slack; /* ticks that a stage may differ by, as loads are rounded */
} gspi_unequal;

/* ---- errors, numbers, arrays ---- */

static gsp_status gspi_unequal_fail_of(gsp_error *err, gsp_status status, gsp_detail detail,
    gsp_what what, uint32_t item, uint32_t other)
{
    if (err != NULL) {
        uint32_t const of = item == GSP_NONE ? (uint32_t)GSP_WHAT_NONE : (uint32_t)what;
        gsp_error const e = {status, detail, of, item, other, 0, 0, 0, 0u, ""};
        *err = e;
    }
    return status;
}

/* Names an argument or field, and its count after a NUL. */
static gsp_status gspi_unequal_fail_field(
    gsp_error *err, gsp_status status, gsp_detail detail, const char *field)
{
    (void)gspi_unequal_fail_of(err, status, detail, GSP_WHAT_NONE, GSP_NONE, GSP_NONE);
#ifdef GSP_NO_MESSAGES
    (void)field;
#else
    if (err != NULL) {
        err->field = field;
    }
#endif
    return status;
}

static gsp_status gspi_unequal_missing(gsp_error *err, const char *field)
{
    return gspi_unequal_fail_field(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, field);
}

static gsp_status gspi_unequal_lack(
    gsp_error *err, gsp_status status, uint64_t need, uint64_t limit)
{
    if (err != NULL) {
        err->need = need;
        err->limit = limit;
    }
    return status;
}

/* Saturating arithmetic; no product is by 0. */
static uint64_t gspi_unequal_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t gspi_unequal_mul(uint64_t a, uint64_t b)
{
    return (a | b) > UINT32_MAX && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Rounded down, 0 for a negative number, UINT64_MAX for 2^64 or more. */
static uint64_t gspi_unequal_whole(double value)
{
    return value < 18446744073709551616.0 ? (value > 0.0 ? (uint64_t)value : 0u) : UINT64_MAX;
}

static void gspi_unequal_fill(uint32_t *at, size_t n, uint32_t value)
{
    for (size_t i = 0; i < n; i++) {
        at[i] = value;
    }
}

/* A layout pushes all arrays in order; without an arena it measures them. */
typedef struct gspi_unequal_bump {
    gsp_arena *arena;
    uint64_t used;
} gspi_unequal_bump;

GSPI_UNEQUAL_OWN_FRAME void *gspi_unequal_push(
    gspi_unequal_bump *b, uint64_t count, size_t size, int high)
{
    uint64_t const bytes = (count * size + GSP_GAP + GSP_ALIGN - 1u) & ~((uint64_t)GSP_ALIGN - 1u);
    b->used += bytes;
    return b->arena == NULL ? NULL
           : high           ? gsp_arena_push_high(b->arena, (size_t)count, size)
                            : gsp_arena_push(b->arena, (size_t)count, size);
}

static uint32_t *gspi_unequal_words(gspi_unequal_bump *b, uint64_t count)
{
    return (uint32_t *)gspi_unequal_push(b, count, sizeof(uint32_t), 1);
}

static uint64_t *gspi_unequal_longs(gspi_unequal_bump *b, uint64_t count)
{
    return (uint64_t *)gspi_unequal_push(b, count, sizeof(uint64_t), 1);
}

static uint64_t gspi_unequal_cost(const uint64_t *costs, gsp_node v)
{
    return costs == NULL ? 0u : costs[v];
}

/* Without rows no node reads an item. */
static uint32_t gspi_unequal_items(const gsp_costs *costs)
{
    return costs == NULL || costs->item_begin == NULL ? 0u : costs->n_items;
}

/* ---- kinds of devices ---- */

static int gspi_unequal_same(double a, double b)
{
    return !(a < b) && !(a > b);
}

/* Whether any plan takes as long with the two of them swapped. */
static int gspi_unequal_alike(
    const gsp_stages_unequal_desc *d, const gsp_stages_device *a, const gsp_stages_device *b)
{
    size_t const n = d->links == NULL ? 0u : d->n_links;
    size_t const p = a->link;
    size_t const q = b->link;
    if (a->bytes != b->bytes || !gspi_unequal_same(a->speed, b->speed)) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        size_t const to = i == q ? p : i; /* what is q to p is p to q */
        if (i != p && !(gspi_unequal_same(d->links[p * n + i], d->links[q * n + to]) &&
                          gspi_unequal_same(d->links[i * n + p], d->links[to * n + q]))) {
            return 0;
        }
    }
    return 1;
}

/* a * b, or `most` and 1 if that is less. */
static uint64_t gspi_unequal_up_to(uint64_t a, uint64_t b, uint64_t most)
{
    return b != 0u && a > most / b ? most + 1u : a * b;
}

/* Upper bounds of the number of states, and of what may follow one. */
typedef struct gspi_unequal_sizes {
    uint64_t states;
    uint64_t follow;
} gspi_unequal_sizes;

/* In any order: sets of devices, kinds, and the kinds before. */
static gspi_unequal_sizes gspi_unequal_any(const gsp_stages_unequal_desc *d)
{
    uint64_t const most = GSPI_UNEQUAL_STATES;
    gspi_unequal_sizes s = {1u, 0u};
    for (uint32_t i = 0; i < d->n_devices && s.states <= most; i++) {
        uint32_t n = 1;
        uint32_t k = 0;
        while (k < i && !gspi_unequal_alike(d, &d->devices[k], &d->devices[i])) {
            k++;
        }
        for (uint32_t j = i + 1u; k == i && j < d->n_devices; j++) {
            n += (uint32_t)gspi_unequal_alike(d, &d->devices[i], &d->devices[j]);
        }
        s.follow += k == i;
        s.states = gspi_unequal_up_to(s.states, k == i ? n + 1u : 1u, most);
    }
    s.states = gspi_unequal_up_to(s.states, s.follow, most);
    s.states = gspi_unequal_up_to(s.states, d->links != NULL ? s.follow : 1u, most);
    s.states = gspi_unequal_up_to(s.states, d->replicas ? d->n_used : 1u, most);
    s.follow = d->replicas ? d->n_devices : s.follow;
    return s;
}

/* In the given order: devices, used ones, and the stage before. */
static gspi_unequal_sizes gspi_unequal_given_order(const gsp_stages_unequal_desc *d, uint64_t used)
{
    uint64_t const most = GSPI_UNEQUAL_STATES;
    gspi_unequal_sizes s = {0u, 0u};
    s.follow = gspi_unequal_up_to(d->n_devices - used + 1u, d->replicas ? used : 1u, most);
    s.states = gspi_unequal_up_to(used, s.follow, most);
    s.states = gspi_unequal_up_to(s.states, d->links != NULL ? s.follow : 1u, most);
    return s;
}

/* Of all runs, with fewer stages where units are fewer; *cells: places times states. */
static gspi_unequal_sizes gspi_unequal_size(
    const gsp_stages_unequal_desc *d, uint64_t units, uint64_t *cells)
{
    uint64_t const most = GSPI_UNEQUAL_STATES;
    uint64_t const used = d->n_used < d->n_devices ? d->n_used : d->n_devices;
    gspi_unequal_sizes s = gspi_unequal_given_order(d, used);
    if (d->any_order && d->devices != NULL) {
        gspi_unequal_sizes const any = gspi_unequal_any(d);
        s.states = any.states > s.states ? any.states : s.states;
        s.follow = any.follow > s.follow ? any.follow : s.follow;
    }
    s.states = s.states > most ? most : s.states;
    *cells = units * s.states;
    for (uint64_t fewer = 1; fewer < used && fewer <= units && !d->replicas; fewer++) {
        gspi_unequal_sizes const less = gspi_unequal_given_order(d, fewer);
        uint64_t const states = less.states > most ? most : less.states;
        *cells = fewer * states > *cells ? fewer * states : *cells;
        s.states = states > s.states ? states : s.states;
        s.follow = less.follow > s.follow ? less.follow : s.follow;
    }
    *cells = *cells < GSPI_UNEQUAL_CELLS ? *cells : GSPI_UNEQUAL_CELLS;
    return s;
}

/* ---- layout ---- */

static gsp_stages_unequal_desc gspi_unequal_desc(const gsp_stages_unequal_desc *desc)
{
    static const gsp_stages_unequal_desc zero = {0u, 0, NULL, NULL, 0, 0, 0, 0, 0, 0, NULL, 0, 0,
        NULL, 0, 0, NULL, NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0};
    gsp_stages_unequal_desc d = desc == NULL ? zero : *desc;
    d.n_used = d.n_used == 0u ? d.n_devices : d.n_used;
    d.copies = d.copies == 0u ? 1u : d.copies;
    if (d.max_work == 0u) {
        d.max_work =
            d.goal == GSP_STAGES_UNEQUAL_LATENCY ? GSPI_UNEQUAL_SUM_WORK : GSPI_UNEQUAL_WORK;
    }
    d.carried = d.carried != 0u || d.links != NULL;
    return d;
}

static void gspi_unequal_lay_line(gspi_unequal_bump *b, gspi_unequal_line *l, uint64_t n)
{
    l->cut = gspi_unequal_words(b, n + 1u);
    l->time = gspi_unequal_longs(b, n + 1u);
    l->cross = gspi_unequal_longs(b, n + 2u);
    l->own = gspi_unequal_longs(b, n + 2u);
    l->bytes = gspi_unequal_longs(b, n + 2u);
    l->all = gspi_unequal_longs(b, n + 2u);
    l->base = gspi_unequal_longs(b, n + 1u);
    l->stash = gspi_unequal_longs(b, n + 1u);
    l->enter = gspi_unequal_longs(b, n + 1u);
}

static void gspi_unequal_lay_rows(gspi_unequal_bump *b, gspi_unequal_rows *a, const gsp_graph *g,
    const gsp_stages_unequal_desc *d)
{
    gsp_counts const c = gsp_graph_counts(g);
    uint64_t const n = c.nodes;
    a->calls = gspi_unequal_words(b, n);
    a->place = gspi_unequal_words(b, n);
    a->last = gspi_unequal_words(b, n);
    a->seen = gspi_unequal_words(b, n);
    a->seen_item = gspi_unequal_words(b, gspi_unequal_items(d->costs));
    a->seen_layer = gspi_unequal_words(b, d->n_layers);
    a->part = gspi_unequal_words(b, n);
    a->group_last = gspi_unequal_words(b, d->keep_groups ? c.strings : 0u);
    a->live = gspi_unequal_longs(b, n);
    a->alone = gspi_unequal_longs(b, n);
    a->queue = gspi_unequal_words(b, n + 1u);
    a->ahead = (double *)gspi_unequal_push(b, n + 1u, sizeof(double), 1);
}

/* Returns the most places times states. */
static uint64_t gspi_unequal_lay_states(
    gspi_unequal_bump *b, gspi_unequal_states *s, const gsp_stages_unequal_desc *d, uint64_t units)
{
    uint64_t cells;
    gspi_unequal_sizes const size = gspi_unequal_size(d, units, &cells);
    uint64_t const n = d->n_devices;
    uint64_t const used = d->n_used;
    s->slots = (gsp_stages_device *)gspi_unequal_push(b, n, sizeof(gsp_stages_device), 1);
    s->kind_of = gspi_unequal_words(b, n);
    s->first = gspi_unequal_words(b, n);
    s->second = gspi_unequal_words(b, n);
    s->count = gspi_unequal_words(b, n);
    s->radix = gspi_unequal_words(b, n);
    s->end = gspi_unequal_words(b, used + 1u);
    s->chain = gspi_unequal_words(b, used + 1u);
    s->cut = gspi_unequal_words(b, used + 1u);
    s->width = gspi_unequal_words(b, used);
    s->order = gspi_unequal_words(b, n);
    s->kept = gspi_unequal_words(b, n);
    s->taken = gspi_unequal_words(b, n);
    s->most = (uint32_t)size.states;
    s->mask = 1u;
    while (s->mask < 2u * s->most) {
        s->mask = 2u * s->mask;
    }
    s->mask--;
    s->at = (gspi_unequal_state *)gspi_unequal_push(b, s->most, sizeof(gspi_unequal_state), 1);
    uint64_t const follow = (s->most + 1u) * size.follow;
    s->most_next = (uint32_t)(follow < GSPI_UNEQUAL_FOLLOW ? follow : GSPI_UNEQUAL_FOLLOW);
    s->next = gspi_unequal_words(b, s->most_next);
    s->table = gspi_unequal_words(b, (uint64_t)s->mask + 1u);
    s->open = gspi_unequal_words(b, s->most);
    return cells;
}

static void gspi_unequal_lay_lines(
    gspi_unequal_bump *b, gspi_unequal_line *full, gspi_unequal_line *few, uint64_t n)
{
    gspi_unequal_lay_line(b, full, n);
    gspi_unequal_lay_line(b, few, n < GSPI_UNEQUAL_FEW ? n : GSPI_UNEQUAL_FEW);
}

static void gspi_unequal_lay_result(
    gspi_unequal_bump *b, gsp_stages_unequal_result *r, uint64_t n, uint64_t used)
{
    r->stage_of = (uint32_t *)gspi_unequal_push(b, n, sizeof(uint32_t), 0);
    r->stages =
        (gsp_stages_unequal_stage *)gspi_unequal_push(b, used, sizeof(gsp_stages_unequal_stage), 0);
    r->devices = (uint32_t *)gspi_unequal_push(b, used, sizeof(uint32_t), 0);
}

/* Bytes of the rows, and of the lines. */
GSPI_UNEQUAL_OWN_FRAME uint64_t gspi_unequal_row_bytes(
    const gsp_graph *g, const gsp_stages_unequal_desc *d)
{
    gspi_unequal_bump b = {NULL, 0};
    gspi_unequal_rows a;
    gspi_unequal_line full;
    gspi_unequal_line few;
    gspi_unequal_lay_rows(&b, &a, g, d);
    gspi_unequal_lay_lines(&b, &full, &few, g->n_nodes);
    return b.used;
}

/* Bytes of the states, of their cells, and of the results. */
GSPI_UNEQUAL_OWN_FRAME uint64_t gspi_unequal_state_bytes(
    const gsp_graph *g, const gsp_stages_unequal_desc *d)
{
    gspi_unequal_bump b = {NULL, 0};
    gspi_unequal_states s;
    gsp_stages_unequal_result r;
    uint64_t const cells = 1u + gspi_unequal_lay_states(&b, &s, d, g->n_nodes);
    gspi_unequal_lay_result(&b, &r, g->n_nodes, d->n_used);
    (void)gspi_unequal_longs(&b, cells);
    (void)gspi_unequal_words(&b, cells);
    (void)gspi_unequal_words(&b, cells);
    (void)gspi_unequal_longs(&b, cells + s.most);
    return b.used;
}

/* For live bytes of calls alone, and of two parts. */
GSPI_UNEQUAL_OWN_FRAME uint64_t gspi_unequal_live_bytes(const gsp_graph *g)
{
    gsp_liveness_desc live = {0u, 0, NULL, NULL, 0, 0, NULL, 0};
    live.n_parts = g->n_nodes + 1u;
    return gsp_liveness_bound(g, &live);
}

/* Of the desc of a run. */
GSPI_UNEQUAL_OWN_FRAME size_t gspi_unequal_bound(
    const gsp_graph *g, const gsp_stages_unequal_desc *d)
{
    gspi_unequal_bump b = {NULL, 2u * GSP_BOUND_SLACK};
    (void)gspi_unequal_push(&b, 1, sizeof(gspi_unequal), 1);
    b.used += gspi_unequal_row_bytes(g, d) + gspi_unequal_state_bytes(g, d);
    b.used += d->microbatches == 0u ? gspi_unequal_live_bytes(g) : 0u;
    return GSPI_UNEQUAL_NEVER(b.used >= SIZE_MAX) ? SIZE_MAX : (size_t)b.used;
}

size_t gsp_stages_unequal_bound(const gsp_graph *graph, const gsp_stages_unequal_desc *desc)
{
    gsp_stages_unequal_desc const d = gspi_unequal_desc(desc);
    return gspi_unequal_bound(graph, &d);
}

/* ---- the line ---- */

/* The id of the value of an attribute, or GSP_NONE. */
static gsp_atom gspi_unequal_attr(const gsp_graph *g, gsp_node v, gsp_key key)
{
    const gsp_attr *a = g->module->attrs + g->module->attr[g->first + v];
    while (a->key != GSP_KEY_NONE && a->key != (gsp_atom)key) {
        a++;
    }
    return a->key == GSP_KEY_NONE ? GSP_NONE : a->value;
}

static void gspi_unequal_read_calls(gspi_unequal *w)
{
    gspi_unequal_rows *a = &w->a;
    w->n_calls = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        int const call =
            gsp_node_is_callable(w->g, v) && !gsp_stages_is_marker(w->g, v, w->d->marker);
        a->place[v] = call ? w->n_calls : GSP_NONE;
        a->last[v] = GSP_NONE;
        a->seen[v] = 0;
        if (call) {
            a->live[w->n_calls] = 0;
            a->alone[w->n_calls] = 0;
            a->calls[w->n_calls++] = v;
        }
    }
    for (uint32_t i = 0; i < w->n_calls; i++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(w->g, a->calls[i], &n);
        while (n > 0u) {
            a->last[in[--n]] = i;
        }
    }
    gspi_unequal_fill(a->seen_item, gspi_unequal_items(w->d->costs), 0);
    gspi_unequal_fill(a->seen_layer, w->d->n_layers, 0);
    w->stamp = 0;
    w->visits = 0;
}

/* Places where a stage may begin, which are outside of groups. */
static void gspi_unequal_cuts(gspi_unequal *w)
{
    const gsp_node *calls = w->a.calls;
    uint32_t *last = w->a.group_last;
    gspi_unequal_line *l = &w->full;
    uint32_t reach = 0;
    for (uint32_t i = 0; i < w->n_calls && w->d->keep_groups; i++) {
        gsp_atom const group = gspi_unequal_attr(w->g, calls[i], GSP_KEY_GROUP);
        if (group != GSP_NONE) {
            last[group] = i;
        }
    }
    l->n = 0;
    for (uint32_t i = 0; i < w->n_calls; i++) {
        gsp_atom const group =
            w->d->keep_groups != 0u ? gspi_unequal_attr(w->g, calls[i], GSP_KEY_GROUP) : GSP_NONE;
        if (i == 0u || reach < i) {
            l->cut[l->n++] = i;
        }
        reach = group != GSP_NONE && last[group] > reach ? last[group] : reach;
    }
    l->cut[l->n] = w->n_calls;
}

/* Ticks of a call, and one. */
static double gspi_unequal_tick(const gspi_unequal *w, uint32_t i)
{
    uint64_t const ticks = gspi_unequal_cost(w->d->costs->time, w->a.calls[i]);
    return (double)ticks + 1.0;
}

/* Keeps at most so many of the places, at about equal times. */
static void gspi_unequal_thin(gspi_unequal *w, uint32_t most)
{
    const gspi_unequal_line *from = &w->full;
    gspi_unequal_line *l = &w->few;
    double all = 0.0;
    double before = 0.0;
    uint32_t unit = 1;
    l->n = 1;
    l->cut[0] = 0;
    for (uint32_t i = 0; i < w->n_calls; i++) {
        all += gspi_unequal_tick(w, i);
    }
    for (uint32_t i = 0; i < w->n_calls; i++) {
        if (unit < from->n && from->cut[unit] == i) {
            unit++;
            if (from->n <= most || (l->n < most && before >= all * l->n / most)) {
                l->cut[l->n++] = i;
            }
        }
        before += gspi_unequal_tick(w, i);
    }
    l->cut[l->n] = w->n_calls;
}

/* The last unit that begins at a place of calls or before it, by halving. */
static uint32_t gspi_unequal_unit(const gspi_unequal_line *l, uint32_t place)
{
    uint32_t low = 0;
    for (uint32_t high = l->n; high - low > 1u;) {
        uint32_t const middle = low + (high - low) / 2u;
        low = l->cut[middle] <= place ? middle : low;
        high = l->cut[middle] <= place ? high : middle;
    }
    return low;
}

/* Adds a value to the sums of the places that it crosses, as differences. */
static void gspi_unequal_cross(uint64_t *sums, uint32_t from, uint32_t to, uint64_t value)
{
    sums[from + 1u] += value;
    sums[to + 1u] -= value;
}

GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_sum(gspi_unequal *w, gspi_unequal_line *l)
{
    for (uint32_t u = 0; u <= l->n; u++) {
        l->time[u] = l->cross[u] = l->own[u] = l->bytes[u] = l->all[u] = 0;
    }
    for (uint32_t i = 0; i < w->n_calls; i++) {
        gsp_node const v = w->a.calls[i];
        uint32_t const from = gspi_unequal_unit(l, i);
        l->time[from + 1u] += gspi_unequal_cost(w->d->costs->time, v);
        if (w->a.last[v] != GSP_NONE) {
            uint32_t const to = gspi_unequal_unit(l, w->a.last[v]);
            uint64_t const bytes = gsp_node_bytes(w->g, v);
            uint64_t const move = gspi_unequal_cost(w->d->costs->move, v);
            int const given = gspi_unequal_attr(w->g, v, GSP_KEY_COMM) != GSP_NONE;
            gspi_unequal_cross(l->cross, from, to, move);
            gspi_unequal_cross(l->own, from, to, given ? move : 0u);
            gspi_unequal_cross(l->bytes, from, to, given ? 0u : bytes);
            gspi_unequal_cross(l->all, from, to, bytes);
        }
    }
    for (uint32_t u = 0; u < l->n; u++) {
        l->time[u + 1u] += l->time[u];
        l->cross[u + 1u] += l->cross[u];
        l->own[u + 1u] += l->own[u];
        l->bytes[u + 1u] += l->bytes[u];
        l->all[u + 1u] += l->all[u];
    }
    l->ready = 0;
}

/* Whether each value has memory of its own, which no part of it outlives. */
static int gspi_unequal_is_plain(const gsp_graph *g)
{
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (gspi_unequal_attr(g, v, GSP_KEY_ALIAS) != GSP_NONE ||
            (gsp_node_op(g, v) != GSP_OP_OUTPUT &&
                gsp_node_value_kind(g, v) == GSP_VALUE_AGGREGATE)) {
            return 0;
        }
    }
    return 1;
}

/* Live bytes of the parts in w->a.part. */
static gsp_status gspi_unequal_ask(gspi_unequal *w, uint32_t n_parts, gsp_error *err)
{
    w->ask.n_parts = n_parts;
    w->ask.part_of = w->a.part;
    return gsp_liveness_run(w->arena, w->g, &w->ask, &w->live, err);
}

/* The bytes that live while each call runs, in the whole line and as a range of its own: those of
 * any range are between the two. */
GSPI_UNEQUAL_OWN_FRAME gsp_status gspi_unequal_read_live(gspi_unequal *w, gsp_error *err)
{
    const gsp_graph *g = w->g;
    gsp_mark const mark = gsp_arena_mark(w->arena);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        w->a.part[v] = w->a.place[v] == GSP_NONE;
    }
    gsp_status const status = gspi_unequal_ask(w, 2u, err);
    w->plain = status == GSP_OK && gspi_unequal_is_plain(g);
    for (uint32_t i = 0; i < w->n_calls && w->plain; i++) {
        w->a.live[i] = w->live.live[i];
    }
    gsp_arena_rewind(w->arena, mark);
    if (w->plain) {
        for (gsp_node v = 0; v < g->n_nodes; v++) {
            w->a.part[v] = w->a.place[v] == GSP_NONE ? w->n_calls : w->a.place[v];
        }
        (void)gspi_unequal_ask(w, w->n_calls + 1u, NULL);
        for (uint32_t i = 0; i < w->n_calls; i++) {
            w->a.alone[i] = w->live.parts[i].bytes;
        }
        gsp_arena_rewind(w->arena, mark);
    }
    return status;
}

/* ---- ranges ---- */

static void gspi_unequal_open(gspi_unequal *w, uint32_t begin, gspi_unequal_range *r)
{
    gspi_unequal_range const empty = {begin, begin, 0, 0, 0, 0, 0, 0, 0, 0, 0u};
    *r = empty;
    if (w->d->carried) {
        r->enter = w->l->cross[begin];
        r->stash = w->l->all[begin];
        r->passing = w->l->all[begin];
    }
    w->stamp++;
}

/* Items and the layer that a call reads. */
static void gspi_unequal_read_items(gspi_unequal *w, gspi_unequal_range *r, gsp_node v)
{
    const gsp_costs *c = w->d->costs;
    uint32_t const layer = w->d->layer_of != NULL ? w->d->layer_of[v] : GSP_NONE;
    uint32_t const end = c->item_begin != NULL ? c->item_begin[v + 1u] : 0u;
    for (uint32_t i = c->item_begin != NULL ? c->item_begin[v] : 0u; i < end; i++) {
        uint32_t const item = c->items[i];
        if (w->a.seen_item[item] != w->stamp) {
            w->a.seen_item[item] = w->stamp;
            r->params = gspi_unequal_add(r->params, c->item_bytes[item]);
        }
    }
    if (layer != GSP_NONE && w->a.seen_layer[layer] != w->stamp) {
        w->a.seen_layer[layer] = w->stamp;
        r->kept = gspi_unequal_add(r->kept, w->d->layer_bytes[layer]);
    }
}

/* A value that a call at a place reads. */
static void gspi_unequal_read_value(
    gspi_unequal *w, gspi_unequal_range *r, gsp_node u, uint32_t place)
{
    uint32_t const made = w->a.place[u];
    uint64_t const move = gspi_unequal_cost(w->d->costs->move, u);
    uint64_t const bytes = gsp_node_bytes(w->g, u);
    int const before = made == GSP_NONE || made < w->l->cut[r->begin];
    if (w->a.seen[u] == w->stamp || (!before && w->a.last[u] != place)) {
        r->most += before && r->least != 0u ? bytes : 0u; /* it may live longer */
        return;
    }
    w->a.seen[u] = w->stamp;
    r->most += before ? bytes : 0u;
    if (w->d->carried) {
        r->passing -= before && made != GSP_NONE ? bytes : 0u;
    } else if (!before) {
        r->leave -= move;
    } else if (made != GSP_NONE) {
        r->enter += move;
        r->stash += gspi_unequal_cost(w->d->costs->stash, u);
    }
}

static void gspi_unequal_grow(gspi_unequal *w, gspi_unequal_range *r)
{
    const gsp_graph *g = w->g;
    const uint64_t *run_bytes = g->module->run_bytes;
    const gspi_unequal_line *l = w->l;
    for (uint32_t i = l->cut[r->end]; i < l->cut[r->end + 1u]; i++) {
        gsp_node const v = w->a.calls[i];
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        int const leaves = w->a.last[v] != GSP_NONE && !w->d->carried;
        w->visits += n + 1u;
        gspi_unequal_read_items(w, r, v);
        r->stash += gspi_unequal_cost(w->d->costs->stash, v);
        r->most = gspi_unequal_add(r->most, gsp_node_bytes(g, v));
        r->most = gspi_unequal_add(r->most, gspi_unequal_cost(run_bytes, g->first + v));
        r->leave += leaves ? gspi_unequal_cost(w->d->costs->move, v) : 0u;
        while (n > 0u) {
            gspi_unequal_read_value(w, r, in[--n], i);
        }
        r->top = w->a.live[i] > r->top ? w->a.live[i] : r->top;
        r->least = w->a.alone[i] > r->least ? w->a.alone[i] : r->least;
    }
    r->end++;
    if (w->plain) {
        r->most = r->top < r->most ? r->top : r->most;
        r->most = l->cut[r->end] - l->cut[r->begin] == 1u ? r->least : r->most;
    }
    r->leave = w->d->carried ? l->cross[r->end] : r->leave;
}

/* Finds the live bytes of a range, so that `least` is `most`. */
GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_measure(gspi_unequal *w, gspi_unequal_range *r)
{
    gsp_mark const mark = gsp_arena_mark(w->arena);
    if (r->least == r->most || w->d->microbatches != 0u) {
        return;
    }
    gspi_unequal_fill(w->a.part, w->g->n_nodes, 1u);
    for (uint32_t i = w->l->cut[r->begin]; i < w->l->cut[r->end]; i++) {
        w->a.part[w->a.calls[i]] = 0u;
    }
    w->visits += w->g->n_nodes;
    (void)gspi_unequal_ask(w, 2u, NULL);
    r->least = r->most = w->live.parts[0].bytes;
    gsp_arena_rewind(w->arena, mark);
}

/* ---- loads ---- */

/* Ticks of all that crosses a place from a device to the next one. */
static uint64_t gspi_unequal_send(const gspi_unequal *w, uint32_t place, uint32_t from, uint32_t to)
{
    const gspi_unequal_line *l = w->l;
    double const rate = w->d->links[(size_t)from * w->d->n_links + to];
    if (l->bytes[place] == 0u && l->own[place] == 0u) {
        return 0;
    }
    return rate > 0.0 ? gspi_unequal_add(l->own[place],
                            gspi_unequal_whole((double)l->bytes[place] * 1e9 / rate + 0.5))
                      : GSPI_UNEQUAL_NO_PLAN;
}

static uint64_t gspi_unequal_held(const gspi_unequal *w, uint32_t used, uint32_t width)
{
    uint32_t const rest = w->n_used - used;
    uint64_t const most = rest < w->d->microbatches ? rest : w->d->microbatches;
    uint64_t const held = w->d->held != NULL ? w->d->held[used] : most;
    return w->d->microbatches != 0u ? (held + width - 1u) / width : 0u;
}

/* Bytes of a range without live bytes. */
static uint64_t gspi_unequal_bytes(
    const gspi_unequal *w, const gspi_unequal_range *r, uint32_t used, uint32_t width)
{
    uint64_t const held = gspi_unequal_held(w, used, width);
    uint64_t const bytes = gspi_unequal_add(gspi_unequal_mul(r->params, w->d->copies), r->kept);
    return gspi_unequal_add(bytes, held != 0u ? gspi_unequal_mul(r->stash, held) : 0u);
}

/* Bytes of a measured range with live bytes. */
static uint64_t gspi_unequal_memory(
    const gspi_unequal *w, const gspi_unequal_range *r, uint32_t used, uint32_t width)
{
    uint64_t const bytes = gspi_unequal_bytes(w, r, used, width);
    return w->d->microbatches != 0u
               ? bytes
               : gspi_unequal_add(bytes, gspi_unequal_add(r->most, r->passing));
}

/* Ticks of what a range computes. */
static uint64_t gspi_unequal_compute(
    const gspi_unequal *w, const gspi_unequal_range *r, uint32_t used, double speed)
{
    const gspi_unequal_line *l = w->l;
    uint64_t ticks = l->time[r->end] - l->time[r->begin];
    ticks += used == 0u ? w->d->first_time : 0u;
    ticks += r->end == l->n ? w->d->last_time : 0u;
    return gspi_unequal_whole((double)ticks / speed + 0.5);
}

/* Of a stage on several devices, with the sums of its gradients. */
static uint64_t gspi_unequal_shared(
    const gspi_unequal *w, uint64_t params, uint64_t ticks, uint32_t width)
{
    uint64_t const share = (uint64_t)width * w->d->microbatches;
    double const rate = (double)w->d->bandwidth;
    if (width == 1u || ticks == GSPI_UNEQUAL_NO_PLAN) {
        return ticks;
    }
    ticks = gspi_unequal_add(ticks, width - 1u) / width;
    if (share == 0u || w->d->bandwidth == 0u) {
        return ticks;
    }
    double const seconds = (double)params / rate;
    uint64_t const sync = gspi_unequal_whole((seconds < 1e8 ? seconds : 1e8) * 1e9 + 0.5);
    return gspi_unequal_add(ticks, (sync * 4u + share - 1u) / share * (width - 1u));
}

/* Ticks of a range; UINT64_MAX if a link is missing. */
static uint64_t gspi_unequal_load(
    const gspi_unequal *w, const gspi_unequal_range *r, const gspi_unequal_at *at)
{
    uint64_t ticks = gspi_unequal_compute(w, r, at->used, at->on->speed);
    uint64_t enter = r->enter;
    uint64_t leave = at->sends ? r->leave : 0u;
    if (w->d->links != NULL) {
        uint32_t const on = at->on->link;
        enter = at->before != GSP_NONE ? gspi_unequal_send(w, r->begin, at->before, on) : 0u;
        leave = at->after != GSP_NONE ? gspi_unequal_send(w, r->end, on, at->after) : 0u;
        leave = !at->sends && leave != GSPI_UNEQUAL_NO_PLAN ? 0u : leave;
    }
    ticks = gspi_unequal_add(gspi_unequal_add(ticks, enter), leave);
    return gspi_unequal_shared(w, r->params, ticks, at->width);
}

/* ---- states ---- */

static void gspi_unequal_kinds(gspi_unequal *w)
{
    gspi_unequal_states *s = &w->s;
    s->n_kinds = 0;
    for (uint32_t i = 0; i < w->d->n_devices; i++) {
        uint32_t k = 0;
        while (k < s->n_kinds &&
               (!s->any_order || !gspi_unequal_alike(w->d, &s->slots[s->first[k]], &s->slots[i]))) {
            k++;
        }
        s->kind_of[i] = k;
        if (k == s->n_kinds) {
            s->first[k] = i;
            s->count[k] = 0;
            s->n_kinds++;
        }
        s->second[k] = i;
        s->count[k]++;
    }
    for (uint32_t k = 0; k < s->n_kinds; k++) {
        s->radix[k] = k != 0u ? s->radix[k - 1u] * (s->count[k - 1u] + 1u) : 1u;
        if (s->any_order && s->radix[k] > GSPI_UNEQUAL_STATES) {
            s->radix[k] = GSPI_UNEQUAL_STATES + 1u;
        }
    }
}

/* The state that has these figures; a new one if there is none. GSP_NONE if there are too many. */
static uint32_t gspi_unequal_find(gspi_unequal_states *s, const gspi_unequal_state *wanted)
{
    uint32_t at = wanted->kind * 31u + wanted->before * 17u + wanted->used * 7919u;
    at = (at + wanted->width * 131u + wanted->set * 2654435761u) & s->mask;
    for (; s->table[at] != 0u; at = (at + 1u) & s->mask) {
        const gspi_unequal_state *it = &s->at[s->table[at] - 1u];
        uint32_t const differs = (it->kind ^ wanted->kind) | (it->before ^ wanted->before) |
                                 (it->used ^ wanted->used) | (it->width ^ wanted->width) |
                                 (it->set ^ wanted->set);
        if (differs == 0u) {
            return s->table[at] - 1u;
        }
    }
    if (s->n == s->most) {
        return GSP_NONE;
    }
    s->at[s->n] = *wanted;
    s->table[at] = ++s->n;
    return s->n - 1u;
}

/* Whether a stage may run on so many devices of a kind. */
static int gspi_unequal_is_width(const gspi_unequal *w, const gspi_unequal_state *at)
{
    const gspi_unequal_states *s = &w->s;
    uint32_t const left = w->n_used - at->used;
    uint32_t i = 1;
    if (at->width > left || (at->width > 1u && w->d->microbatches % at->width != 0u)) {
        return 0;
    }
    if (s->any_order) {
        uint32_t const used = at->set / s->radix[at->kind] % (s->count[at->kind] + 1u);
        return at->width <= s->count[at->kind] - used;
    }
    while (i < at->width && at->kind + i < w->d->n_devices &&
           gspi_unequal_alike(w->d, &s->slots[at->kind], &s->slots[at->kind + i])) {
        i++;
    }
    return i == at->width && w->d->n_devices - at->kind >= left;
}

/* Makes the states that may follow, on devices from `from` on; 0 if there are too many. */
static int gspi_unequal_follow(gspi_unequal *w, const gspi_unequal_state *by, uint32_t from)
{
    gspi_unequal_states *s = &w->s;
    uint32_t const most = w->d->replicas ? w->n_used : 1u;
    gspi_unequal_state wanted = *by;
    for (uint32_t k = s->any_order ? 0u : from; k < s->n_kinds; k++) {
        for (uint32_t width = 1; width <= most; width++) {
            wanted.kind = k;
            wanted.width = width;
            if (!gspi_unequal_is_width(w, &wanted)) {
                continue;
            }
            uint32_t const id = gspi_unequal_find(s, &wanted);
            if (id == GSP_NONE || s->n_next == s->most_next) {
                return 0;
            }
            s->next[s->n_next++] = id;
        }
    }
    return 1;
}

/* All states, those of the first stage first; 0 if there are too many. */
static int gspi_unequal_make(gspi_unequal *w)
{
    gspi_unequal_states *s = &w->s;
    gspi_unequal_state by = {0u, GSP_NONE, 0, 0, 0, 0, 0u};
    gspi_unequal_fill(s->table, (size_t)s->mask + 1u, 0);
    s->n = 0;
    s->n_next = 0;
    gspi_unequal_kinds(w);
    if ((s->any_order && s->radix[s->n_kinds - 1u] > GSPI_UNEQUAL_STATES) ||
        !gspi_unequal_follow(w, &by, 0)) {
        return 0;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        gspi_unequal_state const at = s->at[i];
        s->at[i].begin = s->n_next;
        by.before = w->d->links != NULL ? at.kind : GSP_NONE;
        by.used = at.used + at.width;
        by.set = s->any_order ? at.set + at.width * s->radix[at.kind] : 0u;
        if (by.used < w->n_used && !gspi_unequal_follow(w, &by, at.kind + at.width)) {
            return 0;
        }
        s->at[i].end = s->n_next;
    }
    return 1;
}

/* The link of the device of a kind; of the same kind as the one before, another one. */
static uint32_t gspi_unequal_link(const gspi_unequal *w, uint32_t kind, uint32_t beside)
{
    const gspi_unequal_states *s = &w->s;
    return kind == GSP_NONE ? GSP_NONE
                            : s->slots[kind == beside ? s->second[kind] : s->first[kind]].link;
}

static double gspi_unequal_speed(const gspi_unequal *w, const gspi_unequal_state *at)
{
    return w->s.slots[w->s.first[at->kind]].speed;
}

static uint64_t gspi_unequal_room(const gspi_unequal *w, const gspi_unequal_state *at)
{
    return w->s.slots[w->s.first[at->kind]].bytes;
}

/* ---- what follows takes no less ---- */

/* Stages that follow a place, in a line where items, layers and stashed values count at the first
 * call alone. Their sums are differences then, so the best plan takes time linear in the places. No
 * range of the line takes less, hence no plan does. */
GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_bound_open(gspi_unequal *w)
{
    gspi_unequal_line *l = w->l;
    gspi_unequal_range *r = &w->range;
    if (l->ready) {
        return;
    }
    for (uint32_t u = 0; u < l->n; u++) {
        gspi_unequal_open(w, u, r);
        gspi_unequal_grow(w, r);
        l->enter[u] = r->enter;
    }
    l->base[0] = 0;
    l->stash[0] = 0;
    gspi_unequal_open(w, 0, r);
    while (r->end < l->n) {
        gspi_unequal_grow(w, r);
        l->base[r->end] = gspi_unequal_add(gspi_unequal_mul(r->params, w->d->copies), r->kept);
        l->stash[r->end] = r->stash;
    }
    l->ready = 1;
}

static void gspi_unequal_find_slack(gspi_unequal *w)
{
    const gspi_unequal_states *s = &w->s;
    w->slack = 1.0;
    for (uint32_t k = 0; k < s->n_kinds; k++) {
        double const error = (double)w->l->time[w->l->n] / s->slots[s->first[k]].speed * 1e-14;
        w->slack = 1.0 + error > w->slack ? 1.0 + error : w->slack;
    }
}

/* What the bound knows of a stage of a state, apart from its place. */
typedef struct gspi_unequal_short {
    uint64_t room; /* bytes */
    uint64_t held; /* microbatches */
    double each;   /* ticks per tick */
    double first;  /* that the first stage has besides */
} gspi_unequal_short;

static gspi_unequal_short gspi_unequal_in_short(const gspi_unequal *w, const gspi_unequal_state *at)
{
    gspi_unequal_short b = {0, 0, 0.0, 0.0};
    b.room = gspi_unequal_room(w, at);
    b.held = gspi_unequal_held(w, at->used, at->width);
    b.each = 1.0 / (gspi_unequal_speed(w, at) * at->width);
    b.first = at->used == 0u ? (double)w->d->first_time * b.each : 0.0;
    return b;
}

/* Whether a range may be such a stage, as far as the bytes of the bound say. */
static int gspi_unequal_may_hold(
    const gspi_unequal_line *l, const gspi_unequal_short *b, uint32_t begin, uint32_t end)
{
    uint64_t const stash = l->stash[end] - l->stash[begin];
    uint64_t const base = l->base[end] - l->base[begin];
    return gspi_unequal_add(base, b->held != 0u ? gspi_unequal_mul(stash, b->held) : 0u) <= b->room;
}

static double gspi_unequal_enter(
    const gspi_unequal *w, const gspi_unequal_state *at, uint32_t place)
{
    uint64_t ticks = w->l->enter[place];
    if (w->d->links != NULL) {
        ticks = at->before == GSP_NONE
                    ? 0u
                    : gspi_unequal_send(w, place, gspi_unequal_link(w, at->before, at->kind),
                          gspi_unequal_link(w, at->kind, GSP_NONE));
    }
    return ticks == GSPI_UNEQUAL_NO_PLAN ? GSPI_UNEQUAL_NO_END : (double)ticks / at->width;
}

/* What follows a stage of a state, per place where it may end; for the slowest stage no more at a
 * later place, so that one search finds where both are equal. */
static void gspi_unequal_look(gspi_unequal *w, const gspi_unequal_state *at)
{
    double least = GSPI_UNEQUAL_NO_END;
    double *ahead = w->a.ahead;
    uint32_t const n = w->l->n;
    for (uint32_t end = 0; end < n; end++) {
        ahead[end] = GSPI_UNEQUAL_NO_END;
    }
    for (uint32_t i = at->begin; i < at->end; i++) {
        const double *rest = &w->rest[(size_t)w->s.next[i] * n];
        for (uint32_t end = 0; end < n; end++) {
            ahead[end] = rest[end] < ahead[end] ? rest[end] : ahead[end];
        }
    }
    for (uint32_t end = 0; end < n && w->d->goal != GSP_STAGES_UNEQUAL_LATENCY; end++) {
        least = ahead[end] < least ? ahead[end] : least;
        ahead[end] = least;
    }
    w->r.work += (uint64_t)n * (at->end - at->begin) / 4u; /* which are quick */
}

/* The bound of a state that is the last one. */
static void gspi_unequal_bound_last(gspi_unequal *w, uint32_t id)
{
    const gspi_unequal_state *at = &w->s.at[id];
    const gspi_unequal_line *l = w->l;
    gspi_unequal_short const b = gspi_unequal_in_short(w, at);
    double const own = (double)w->d->last_time * b.each + b.first;
    for (uint32_t place = 0; place < l->n; place++) {
        double const ticks = (double)(l->time[l->n] - l->time[place]) * b.each + own;
        w->rest[(size_t)id * l->n + place] = gspi_unequal_may_hold(l, &b, place, l->n)
                                                 ? ticks + gspi_unequal_enter(w, at, place)
                                                 : GSPI_UNEQUAL_NO_END;
    }
}

/* Of a sum of stages. The least end within the memory slides, and leaves those that are greater. */
static void gspi_unequal_bound_sum(gspi_unequal *w, uint32_t id)
{
    const gspi_unequal_state *at = &w->s.at[id];
    const gspi_unequal_line *l = w->l;
    double *ahead = w->a.ahead;
    uint32_t *queue = w->a.queue;
    gspi_unequal_short const b = gspi_unequal_in_short(w, at);
    uint32_t high = l->n - 1u;
    uint32_t head = 0;
    uint32_t tail = 0;
    for (uint32_t end = 0; end < l->n; end++) {
        ahead[end] += (double)l->time[end] * b.each;
    }
    for (uint32_t place = l->n; place-- > 0u;) {
        while (high > place && !gspi_unequal_may_hold(l, &b, place, high)) {
            high--;
        }
        if (place + 1u < l->n) {
            while (tail > head && ahead[queue[tail - 1u]] >= ahead[place + 1u]) {
                tail--;
            }
            queue[tail++] = place + 1u;
        }
        while (head < tail && queue[head] > high) {
            head++;
        }
        w->rest[(size_t)id * l->n + place] =
            head < tail ? ahead[queue[head]] - (double)l->time[place] * b.each + b.first +
                              gspi_unequal_enter(w, at, place)
                        : GSPI_UNEQUAL_NO_END;
    }
}

/* Of the slowest stage. A stage ends about where what follows takes as long. */
static void gspi_unequal_bound_most(gspi_unequal *w, uint32_t id)
{
    const gspi_unequal_state *at = &w->s.at[id];
    const gspi_unequal_line *l = w->l;
    const double *ahead = w->a.ahead;
    gspi_unequal_short const b = gspi_unequal_in_short(w, at);
    uint32_t high = l->n - 1u;
    uint32_t end = high;
    for (uint32_t place = l->n; place-- > 0u;) {
        double const own = gspi_unequal_enter(w, at, place) + b.first;
        double const before = (double)l->time[place];
        double *rest = &w->rest[(size_t)id * l->n + place];
        while (high > place && !gspi_unequal_may_hold(l, &b, place, high)) {
            high--;
        }
        *rest = GSPI_UNEQUAL_NO_END;
        if (high <= place) {
            end = place;
            continue;
        }
        end = end > high ? high : end;
        while (end < high && own + ((double)l->time[end] - before) * b.each < ahead[end]) {
            end++;
        }
        while (end > place + 1u &&
               own + ((double)l->time[end - 1u] - before) * b.each >= ahead[end - 1u]) {
            end--;
        }
        *rest = own + ((double)l->time[end] - before) * b.each;
        *rest = *rest > ahead[end] ? *rest : ahead[end];
        if (end > place + 1u && ahead[end - 1u] < *rest) {
            *rest = ahead[end - 1u]; /* its own stage takes less */
        }
    }
}

/* The bounds of all states, later stages first; the lower bound grows to that of all plans. */
GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_find_rest(gspi_unequal *w)
{
    const gspi_unequal_states *s = &w->s;
    int const latency = w->d->goal == GSP_STAGES_UNEQUAL_LATENCY;
    double least = GSPI_UNEQUAL_NO_END;
    w->r.work += (uint64_t)w->l->n * s->n;
    for (uint32_t used = w->n_used; used-- > 0u;) {
        for (uint32_t i = 0; i < s->n; i++) {
            const gspi_unequal_state *at = &s->at[i];
            if (at->used == used && used + at->width == w->n_used) {
                gspi_unequal_bound_last(w, i);
            } else if (at->used == used) {
                gspi_unequal_look(w, at);
                if (latency) {
                    gspi_unequal_bound_sum(w, i);
                } else {
                    gspi_unequal_bound_most(w, i);
                }
            }
        }
    }
    for (uint32_t i = 0; i < s->n && s->at[i].used == 0u; i++) {
        double const rest = w->rest[(size_t)i * w->l->n];
        least = rest < least ? rest : least;
    }
    least = least * (1.0 - 1e-9) - w->slack * (latency ? w->n_used : 1u);
    if (least > (double)w->lower && least < GSPI_UNEQUAL_MOST_REAL) {
        w->lower = gspi_unequal_whole(least);
    }
}

/* The last place where a stage of a state may end within so many ticks, by halving. */
static uint32_t gspi_unequal_reach(
    const gspi_unequal *w, const gspi_unequal_state *at, uint32_t place, double most)
{
    const gspi_unequal_line *l = w->l;
    gspi_unequal_short const b = gspi_unequal_in_short(w, at);
    uint32_t low = place;
    for (uint32_t high = l->n + 1u; high - low > 1u;) {
        uint32_t const end = low + (high - low) / 2u;
        double const ticks = (double)(l->time[end] - l->time[place]) * b.each + b.first;
        int const may = ticks <= most && gspi_unequal_may_hold(l, &b, place, end);
        low = may ? end : low;
        high = may ? high : end;
    }
    return low;
}

/* Whether stages on all devices in a row may be within w->cap, where nothing that enters a stage
 * takes time and each ends as late as it can. This is quicker than the bounds of all places. */
GSPI_UNEQUAL_OWN_FRAME int gspi_unequal_may_be_within(gspi_unequal *w)
{
    double const most = ((double)w->cap + w->slack) * (1.0 + 1e-9);
    uint32_t place = 0;
    if (w->d->goal == GSP_STAGES_UNEQUAL_LATENCY || w->s.n != w->n_used) {
        return 1;
    }
    for (uint32_t i = 0; i < w->s.n && place < w->l->n; i++) {
        place = gspi_unequal_reach(w, &w->s.at[i], place, most);
    }
    w->r.work += 32u * w->s.n;
    return place == w->l->n;
}

/* ---- plans within a guess ---- */

/* Whether what follows a place cannot be within the guess; `id`: the state that begins there. */
static int gspi_unequal_is_hopeless(gspi_unequal *w, uint32_t id, uint32_t place, uint64_t so_far)
{
    double const rest = w->rest[(size_t)id * w->l->n + place];
    double const most = (double)w->guess * (1.0 + 1e-14) + w->slack;
    double least = rest * (1.0 - 1e-9);
    if (w->d->goal == GSP_STAGES_UNEQUAL_LATENCY) {
        least += (double)so_far - w->slack * (w->n_used - w->s.at[id].used);
    }
    w->cut_off |= least > most && rest < GSPI_UNEQUAL_NO_END; /* not for lack of memory */
    return least > most;
}

/* Whether the range fits a state: 1 or 0, or -1 where its live bytes decide and are not
 * measured. */
static int gspi_unequal_has_room(const gspi_unequal *w, const gspi_unequal_state *at)
{
    const gspi_unequal_range *r = &w->range;
    uint64_t const room = gspi_unequal_room(w, at);
    uint64_t const bytes = gspi_unequal_bytes(w, r, at->used, at->width);
    if (w->d->microbatches != 0u) {
        return bytes <= room;
    }
    uint64_t const all = gspi_unequal_add(bytes, r->passing);
    if (all > room) {
        return 0;
    }
    if (r->most <= room - all) {
        return 1;
    }
    return r->least <= room - all ? -1 : 0;
}

/* 0 if no stage of the state that is as long or longer fits, or is within the guess. */
static int gspi_unequal_may_grow(gspi_unequal *w, uint32_t id)
{
    const gspi_unequal_state *at = &w->s.at[id];
    const gspi_unequal_range *r = &w->range;
    int const latency = w->d->goal == GSP_STAGES_UNEQUAL_LATENCY;
    uint64_t const so_far = latency ? w->best[(size_t)r->begin * w->s.n + id] : 0u;
    uint64_t const bytes = gspi_unequal_bytes(w, r, at->used, at->width);
    uint64_t const live = w->d->microbatches != 0u ? 0u : r->least;
    if (gspi_unequal_add(bytes, live) > gspi_unequal_room(w, at)) {
        return 0;
    }
    uint64_t const ticks = gspi_unequal_compute(w, r, at->used, gspi_unequal_speed(w, at));
    if ((at->width == 1u ? ticks : ticks / at->width) > w->guess - so_far) {
        w->cut_off = 1;
        return 0;
    }
    return 1;
}

/* Of a stage with what was before it; `after`: the kind of the next stage. */
static uint64_t gspi_unequal_value(
    const gspi_unequal *w, const gspi_unequal_state *at, uint64_t so_far, uint32_t after)
{
    int const latency = w->d->goal == GSP_STAGES_UNEQUAL_LATENCY;
    gspi_unequal_at where = {NULL, 0, 0, 0, 0, 0u};
    where.on = &w->s.slots[w->s.first[at->kind]];
    where.used = at->used;
    where.width = at->width;
    where.before = gspi_unequal_link(w, at->before, at->kind);
    where.after = gspi_unequal_link(w, after, at->kind);
    where.sends = !latency;
    uint64_t const load = gspi_unequal_load(w, &w->range, &where);
    return latency ? gspi_unequal_add(so_far, load) : so_far > load ? so_far : load;
}

static void gspi_unequal_offer(gspi_unequal *w, size_t cell, uint64_t value, uint32_t id)
{
    if (value < w->best[cell]) {
        w->best[cell] = value;
        w->from[cell] = w->range.begin;
        w->state[cell] = id;
    }
}

/* A stage of a state that ends where the range does. The last cell of all is that of whole plans.
 * Returns 0 before any change if the range has to be measured. */
GSPI_UNEQUAL_OWN_FRAME int gspi_unequal_end_stage(gspi_unequal *w, uint32_t id)
{
    const gspi_unequal_state *at = &w->s.at[id];
    const gspi_unequal_range *r = &w->range;
    uint64_t const so_far = w->best[(size_t)r->begin * w->s.n + id];
    int const last = at->used + at->width == w->n_used;
    if (last != (r->end == w->l->n)) {
        return 1;
    }
    if (last) {
        uint64_t const value = gspi_unequal_value(w, at, so_far, GSP_NONE);
        int const room = value <= w->guess ? gspi_unequal_has_room(w, at) : 0;
        w->cut_off |= value > w->guess;
        if (room > 0) {
            gspi_unequal_offer(w, (size_t)w->l->n * w->s.n, value, id);
        }
        return room >= 0;
    }
    uint64_t value = 0;
    w->visits += at->end - at->begin;
    for (uint32_t i = at->begin; i < at->end; i++) {
        uint32_t const next = w->s.next[i];
        size_t const cell = (size_t)r->end * w->s.n + next;
        if (i == at->begin || w->d->links != NULL) {
            value = gspi_unequal_value(w, at, so_far, w->s.at[next].kind);
        }
        if (value > w->guess) {
            w->cut_off |= value != GSPI_UNEQUAL_NO_PLAN;
        } else if (value < w->best[cell] && !gspi_unequal_is_hopeless(w, next, r->end, value)) {
            int const room = gspi_unequal_has_room(w, at);
            if (room < 0) {
                return 0;
            }
            if (room > 0) {
                gspi_unequal_offer(w, cell, value, id);
            }
        }
    }
    return 1;
}

/* Ends stages of the open states from *i on, and keeps in front those that may grow. Returns 0 if
 * the range has to be measured first for the last one of them. */
GSPI_UNEQUAL_OWN_FRAME int gspi_unequal_end_stages(gspi_unequal *w, uint32_t *i, uint32_t n)
{
    gspi_unequal_states *s = &w->s;
    while (*i < n) {
        uint32_t const id = s->open[(*i)++];
        if (gspi_unequal_may_grow(w, id)) {
            s->open[s->n_open++] = id;
            if (!gspi_unequal_end_stage(w, id)) {
                return 0;
            }
        }
    }
    return 1;
}

/* Opens the states of a place. */
GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_open_place(gspi_unequal *w, uint32_t place)
{
    gspi_unequal_states *s = &w->s;
    s->n_open = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (w->best[(size_t)place * s->n + i] != GSPI_UNEQUAL_NO_PLAN) {
            s->open[s->n_open++] = i;
        }
    }
    gspi_unequal_open(w, place, &w->range);
}

/* All stages that begin at a place. Live bytes are measured only where they decide, and here, since
 * gsp_liveness_run() needs most of the stack. */
static void gspi_unequal_run_place(gspi_unequal *w, uint32_t place)
{
    gspi_unequal_open_place(w, place);
    while (w->s.n_open > 0u && w->range.end < w->l->n) {
        uint32_t const n = w->s.n_open;
        uint32_t i = 0;
        w->s.n_open = 0;
        gspi_unequal_grow(w, &w->range);
        while (!gspi_unequal_end_stages(w, &i, n)) {
            gspi_unequal_measure(w, &w->range);
            (void)gspi_unequal_end_stage(w, w->s.open[w->s.n_open - 1u]);
        }
        w->r.work += n + w->visits;
        w->visits = 0;
    }
}

static void gspi_unequal_keep(gspi_unequal *w)
{
    gspi_unequal_states *s = &w->s;
    size_t cell = (size_t)w->l->n * s->n;
    uint32_t end = w->l->n;
    uint32_t n = 0;
    while (end > 0u) {
        s->chain[n] = w->state[cell];
        s->end[n++] = end;
        end = w->from[cell];
        cell = (size_t)end * s->n + s->chain[n - 1u];
    }
    s->n_stages = n;
    for (uint32_t i = 0; i < n / 2u; i++) {
        uint32_t const stage = s->chain[i];
        uint32_t const cut = s->end[i];
        s->chain[i] = s->chain[n - 1u - i];
        s->chain[n - 1u - i] = stage;
        s->end[i] = s->end[n - 1u - i];
        s->end[n - 1u - i] = cut;
    }
}

/* No plan yet, but before the first stages that may be within the guess. */
GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_open_guess(gspi_unequal *w)
{
    size_t const cells = (size_t)w->l->n * w->s.n + 1u;
    for (size_t i = 0; i < cells; i++) {
        w->best[i] = GSPI_UNEQUAL_NO_PLAN;
    }
    w->cut_off = 0;
    for (uint32_t i = 0; i < w->s.n && w->s.at[i].used == 0u; i++) {
        w->best[i] = gspi_unequal_is_hopeless(w, i, 0, 0) ? GSPI_UNEQUAL_NO_PLAN : 0u;
    }
}

/* Whether work is left, and nobody asks to stop. A line of few units has work of its own. */
static int gspi_unequal_goes_on(gspi_unequal *w)
{
    const gsp_stages_unequal_desc *d = w->d;
    if (d->progress != NULL && w->r.stopped == 0u) {
        w->r.stopped = d->progress(d->progress_user, w->r.work) != 0 ? 1u : 0u;
    }
    return w->r.work <= w->max_work && (w->r.stopped == 0u || w->l == &w->few);
}

/* The best plan within w->guess: its objective in w->found, or NO_PLAN. */
static void gspi_unequal_run_guess(gspi_unequal *w)
{
    gspi_unequal_open_guess(w);
    w->found = GSPI_UNEQUAL_NO_PLAN;
    for (uint32_t place = 0; place < w->l->n; place++) {
        gspi_unequal_run_place(w, place);
        if (!gspi_unequal_goes_on(w)) {
            w->stopped = 1;
            return;
        }
    }
    w->found = w->best[(size_t)w->l->n * w->s.n];
    if (w->found != GSPI_UNEQUAL_NO_PLAN) {
        gspi_unequal_keep(w);
    }
}

/* ---- the best plan ---- */

/* No plan takes less. */
static uint64_t gspi_unequal_simple(const gspi_unequal *w)
{
    const gspi_unequal_line *l = w->l;
    int const latency = w->d->goal == GSP_STAGES_UNEQUAL_LATENCY;
    double const all = (double)l->time[l->n] + (double)w->d->first_time + (double)w->d->last_time;
    double sum = 0.0;
    double fastest = 0.0;
    double most = 0.0;
    uint32_t const width = w->d->replicas ? w->n_used : 1u;
    for (uint32_t i = 0; i < w->d->n_devices; i++) {
        sum += w->d->devices[i].speed;
        fastest = w->d->devices[i].speed > fastest ? w->d->devices[i].speed : fastest;
    }
    for (uint32_t u = 0; u < l->n; u++) {
        double const one = (double)(l->time[u + 1u] - l->time[u]) / fastest / width;
        most = one > most ? one : most;
    }
    double least = latency ? all / fastest / width : all / sum;
    least = least > most ? least : most;
    least = least * (1.0 - 1e-9) - (latency ? w->n_used : 1u);
    return gspi_unequal_whole(least);
}

/* The next guess of a search up to `cap`, which grows; 0 if there is none. */
GSPI_UNEQUAL_OWN_FRAME int gspi_unequal_next_guess(gspi_unequal *w)
{
    if (w->found != GSPI_UNEQUAL_NO_PLAN || w->lower > w->cap) {
        return 0;
    }
    w->guess = w->step < w->cap - w->lower ? w->lower + w->step : w->cap;
    return 1;
}

/* What the guess proves of the lower bound. */
GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_learn(gspi_unequal *w)
{
    if (w->found != GSPI_UNEQUAL_NO_PLAN) {
        w->lower = w->found;
    } else if (!w->cut_off) {
        w->lower = GSPI_UNEQUAL_NO_PLAN;
    } else {
        w->lower = w->guess + 1u;
        w->step = w->step < w->cap / 4u ? w->step * 4u : w->cap;
    }
}

/* Exact where the work suffices: the objective up to w->cap in w->found, else NO_PLAN with what is
 * proved in w->lower. */
static void gspi_unequal_solve(gspi_unequal *w)
{
    while (gspi_unequal_next_guess(w)) {
        gspi_unequal_run_guess(w);
        if (w->stopped) {
            return;
        }
        gspi_unequal_learn(w);
    }
}

/* A device of a kind that no stage has yet. */
static uint32_t gspi_unequal_free(gspi_unequal_states *s, uint32_t kind)
{
    uint32_t i = 0;
    while (s->taken[i] || s->kind_of[i] != kind) {
        i++;
    }
    s->taken[i] = 1;
    return i;
}

/* The plan of the search as the best one. */
static void gspi_unequal_take(gspi_unequal *w, uint64_t objective)
{
    gspi_unequal_states *s = &w->s;
    uint32_t used = 0;
    gspi_unequal_fill(s->taken, w->d->n_devices, 0);
    w->r.n_stages = s->n_stages;
    w->r.objective = objective;
    s->cut[0] = 0;
    for (uint32_t i = 0; i < s->n_stages; i++) {
        const gspi_unequal_state *at = &s->at[s->chain[i]];
        s->cut[i + 1u] = w->l->cut[s->end[i]];
        s->width[i] = at->width;
        for (uint32_t k = 0; k < at->width; k++) {
            uint32_t const slot = s->any_order ? gspi_unequal_free(s, at->kind) : at->kind + k;
            w->r.devices[used++] = s->order[slot];
        }
    }
}

/* Lays out the cells of the line. */
GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_lay_cells(gspi_unequal *w)
{
    gspi_unequal_bump b = {NULL, 0};
    uint64_t const cells = (uint64_t)w->l->n * w->s.n + 1u;
    w->cells_mark = gsp_arena_mark(w->arena);
    b.arena = w->arena;
    w->best = gspi_unequal_longs(&b, cells);
    w->from = gspi_unequal_words(&b, cells);
    w->state = gspi_unequal_words(&b, cells);
    w->rest = (double *)gspi_unequal_push(&b, cells + w->s.n, sizeof(double), 1);
}

/* On the line: solve() below the best plan, or with `once` the best below it. */
static void gspi_unequal_run_line(gspi_unequal *w, int once)
{
    w->found = GSPI_UNEQUAL_NO_PLAN;
    w->cap = w->r.objective - 1u;
    gspi_unequal_bound_open(w);
    gspi_unequal_find_slack(w);
    if (once && !gspi_unequal_may_be_within(w)) {
        return;
    }
    gspi_unequal_lay_cells(w);
    gspi_unequal_find_rest(w);
    w->step = w->lower / 1024u + 1u;
    if (!once) {
        gspi_unequal_solve(w);
    } else if (w->lower <= w->cap) {
        w->guess = w->cap;
        gspi_unequal_run_guess(w);
    }
    gsp_arena_rewind(w->arena, w->cells_mark);
}

/* A line of few units, with work of its own. */
GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_enter_few(gspi_unequal *w)
{
    uint64_t const few = GSPI_UNEQUAL_FEW_PAIRS / w->s.n_next; /* each state follows */
    gspi_unequal_thin(w, few < GSPI_UNEQUAL_FEW ? (uint32_t)few : GSPI_UNEQUAL_FEW);
    gspi_unequal_sum(w, &w->few);
    w->few_lower = w->lower;
    w->few_work = w->max_work;
    w->max_work = w->r.work + GSPI_UNEQUAL_FEW_WORK + (uint64_t)w->few.n * (w->s.n_next + w->s.n);
    w->l = &w->few;
    w->lower = gspi_unequal_simple(w);
    w->stopped = 0;
}

static void gspi_unequal_leave_few(gspi_unequal *w)
{
    w->lower = w->few_lower;
    w->max_work = w->few_work;
    w->l = &w->full;
}

/* The states of an order of devices; 0 if there are too many. */
GSPI_UNEQUAL_OWN_FRAME int gspi_unequal_enter_order(gspi_unequal *w)
{
    for (uint32_t i = 0; i < w->d->n_devices; i++) {
        w->s.slots[i] = w->d->devices[w->s.order[i]];
    }
    w->found = GSPI_UNEQUAL_NO_PLAN;
    w->stopped = 0;
    return gspi_unequal_make(w);
}

/* One order of devices, or all of them: a better plan as the best one. Returns 1 if the search was
 * exact, 0 if no work was left, and -1 if there are too many states. */
static int gspi_unequal_run_order(gspi_unequal *w, int once)
{
    if (!gspi_unequal_enter_order(w)) {
        return -1;
    }
    uint64_t const least = w->r.work + (uint64_t)w->l->n * w->s.n_next / 4u;
    if ((uint64_t)w->l->n * w->s.n >= GSPI_UNEQUAL_CELLS || least > w->max_work) {
        w->stopped = 1; /* the bounds alone take too much */
    } else {
        gspi_unequal_run_line(w, once);
    }
    int const exact = !w->stopped;
    if (w->found == GSPI_UNEQUAL_NO_PLAN && w->stopped && GSPI_UNEQUAL_NEVER(!once)) {
        gspi_unequal_enter_few(w);
        gspi_unequal_run_line(w, 0);
    }
    if (w->found != GSPI_UNEQUAL_NO_PLAN) {
        gspi_unequal_take(w, w->found);
    }
    if (w->l == &w->few) {
        gspi_unequal_leave_few(w);
    }
    return exact;
}

/* ---- orders of devices, where not all can be searched ---- */

static void gspi_unequal_swap(uint32_t *order, uint32_t a, uint32_t b)
{
    uint32_t const device = order[a];
    order[a] = order[b];
    order[b] = device;
}

static void gspi_unequal_copy_order(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

/* As given (0), by falling speed (1), rising speed (2) or falling memory (3); stable. */
static void gspi_unequal_sort(gspi_unequal *w, uint32_t how)
{
    const gsp_stages_device *devices = w->d->devices;
    uint32_t *order = w->s.order;
    for (uint32_t i = 0; i < w->d->n_devices; i++) {
        order[i] = i;
        for (uint32_t k = i; k > 0u; k--) {
            const gsp_stages_device *a = &devices[order[k - 1u]];
            const gsp_stages_device *b = &devices[order[k]];
            int const later = how == 1u   ? a->speed < b->speed
                              : how == 2u ? a->speed > b->speed
                                          : how == 3u && a->bytes < b->bytes;
            if (!later) {
                break;
            }
            gspi_unequal_swap(order, k - 1u, k);
        }
    }
}

/* Swaps two devices and looks for a better plan. Returns whether there is one, else swaps back. */
static int gspi_unequal_try_swap(gspi_unequal *w, uint32_t a, uint32_t b)
{
    uint64_t const before = w->r.objective;
    uint64_t const lower = w->lower;
    gspi_unequal_swap(w->s.order, a, b);
    (void)gspi_unequal_run_order(w, 1);
    w->lower = lower;
    if (w->r.objective < before) {
        return 1;
    }
    gspi_unequal_swap(w->s.order, a, b);
    return 0;
}

/* Swaps of two devices, as long as one is better; each order for the better plans alone. */
static void gspi_unequal_swaps(gspi_unequal *w)
{
    const gsp_stages_device *devices = w->d->devices;
    const uint32_t *order = w->s.order;
    uint32_t const n = w->d->n_devices;
    int better = 1;
    while (better) {
        better = 0;
        for (uint32_t a = 0; a < n; a++) {
            for (uint32_t b = a + 1u; b < n; b++) {
                if (gspi_unequal_alike(w->d, &devices[order[a]], &devices[order[b]])) {
                    continue;
                }
                if (!gspi_unequal_goes_on(w) || w->r.objective == 0u) {
                    return;
                }
                better |= gspi_unequal_try_swap(w, a, b);
            }
        }
    }
}

/* Some orders with an eighth of the work, then swaps in the best one. Bounds of one order are none
 * of all orders. */
static void gspi_unequal_run_orders(gspi_unequal *w)
{
    gspi_unequal_states *s = &w->s;
    uint32_t const n = w->d->n_devices;
    uint64_t const share = w->d->max_work / 32u;
    uint64_t const lower = w->lower;
    s->any_order = 0;
    gspi_unequal_copy_order(s->kept, s->order, n);
    for (uint32_t how = 0; how < 4u && w->r.objective != 0u && w->r.stopped == 0u; how++) {
        uint64_t const before = w->r.objective;
        gspi_unequal_sort(w, how);
        w->max_work = gspi_unequal_add(w->r.work, share);
        (void)gspi_unequal_run_order(w, 0);
        w->lower = lower;
        if (w->r.objective < before) {
            gspi_unequal_copy_order(s->kept, s->order, n);
        }
    }
    gspi_unequal_copy_order(s->order, s->kept, n);
    if (w->r.n_stages != 0u) {
        w->max_work = w->d->max_work / 4u * 3u;
        gspi_unequal_swaps(w);
    }
}

/* Returns whether the search was exact. */
static int gspi_unequal_search(gspi_unequal *w)
{
    w->max_work = w->d->any_order ? w->d->max_work / 2u : w->d->max_work;
    w->s.any_order = w->d->any_order != 0u;
    gspi_unequal_sort(w, 0);
    w->lower = gspi_unequal_simple(w);
    int const exact = gspi_unequal_run_order(w, 0);
    w->r.all_orders = exact > 0 && w->d->any_order != 0u;
    if (exact <= 0 && w->d->any_order && w->r.stopped == 0u) {
        gspi_unequal_run_orders(w);
    }
    w->r.lower_bound = w->lower < w->r.objective ? w->lower : w->r.objective;
    w->r.proved = w->r.lower_bound == w->r.objective;
    return exact > 0;
}

/* ---- the result ---- */

static uint32_t gspi_unequal_link_of(const gspi_unequal *w, uint32_t stage, uint32_t first)
{
    return stage < w->r.n_stages ? w->d->devices[w->r.devices[first]].link : GSP_NONE;
}

/* What a stage takes, by the range of the line. */
GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_weigh(
    gspi_unequal *w, uint32_t stage, gspi_unequal_range *r)
{
    gsp_stages_unequal_stage *load = &w->r.stages[stage];
    int const latency = w->d->goal == GSP_STAGES_UNEQUAL_LATENCY;
    uint32_t const width = load->n_devices;
    gspi_unequal_at at = {NULL, 0, 0, GSP_NONE, 0, 1u};
    at.on = &w->d->devices[w->r.devices[load->first]];
    at.used = load->first;
    at.width = width;
    at.after = gspi_unequal_link_of(w, stage + 1u, load->first + width);
    if (stage > 0u) {
        at.before = w->d->devices[w->r.devices[load[-1].first]].link;
    }
    load->held = (uint32_t)gspi_unequal_held(w, at.used, width);
    load->params = r->params;
    load->kept = r->kept;
    load->memory = gspi_unequal_memory(w, r, at.used, width);
    load->stash = r->stash;
    load->live = w->d->microbatches != 0u ? 0u : r->most;
    load->time = gspi_unequal_load(w, r, &at);
    r->leave = 0;
    at.after = GSP_NONE;
    uint64_t const both = gspi_unequal_load(w, r, &at);
    r->enter = 0;
    at.before = GSP_NONE;
    load->compute = gspi_unequal_load(w, r, &at);
    load->leave = load->time - both;
    load->enter = both - load->compute;
    load->time = latency ? both : load->time;
    load->leave = latency ? 0u : load->leave;
}

/* Stages of equal numbers of units on the first devices; memory is counted, and ignored. */
static uint64_t gspi_unequal_reference(gspi_unequal *w)
{
    gspi_unequal_range *r = &w->range;
    int const latency = w->d->goal == GSP_STAGES_UNEQUAL_LATENCY;
    uint32_t const n = w->n_used < w->l->n ? w->n_used : w->l->n;
    uint64_t result = 0;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const rest = w->l->n - begin;
        uint32_t const end = begin + rest / (n - i) + (rest % (n - i) != 0u);
        gspi_unequal_at at = {NULL, 0, 1u, GSP_NONE, GSP_NONE, 0u};
        at.on = &w->d->devices[i];
        at.used = i;
        at.before = i > 0u ? at.on[-1].link : GSP_NONE;
        at.after = i + 1u < n ? at.on[1].link : GSP_NONE;
        at.sends = !latency;
        gspi_unequal_open(w, begin, r);
        while (r->end < end) {
            gspi_unequal_grow(w, r);
        }
        gspi_unequal_measure(w, r);
        w->r.reference_fits &= gspi_unequal_memory(w, r, i, 1u) <= at.on->bytes;
        uint64_t const load = gspi_unequal_load(w, r, &at);
        result = latency ? gspi_unequal_add(result, load) : load > result ? load : result;
        begin = end;
    }
    return result;
}

/* Fills the stages of the best plan. */
GSPI_UNEQUAL_OWN_FRAME void gspi_unequal_report(gspi_unequal *w)
{
    uint32_t first = 0;
    uint32_t unit = 0;
    gspi_unequal_fill(w->r.stage_of, w->g->n_nodes, GSP_NONE);
    for (uint32_t i = 0; i < w->r.n_stages; i++) {
        gsp_stages_unequal_stage *load = &w->r.stages[i];
        uint32_t const end = w->s.cut[i + 1u];
        load->first = first;
        load->n_devices = w->s.width[i];
        load->n_nodes = end - w->s.cut[i];
        first += load->n_devices;
        for (uint32_t k = w->s.cut[i]; k < end; k++) {
            w->r.stage_of[w->a.calls[k]] = i;
        }
        gspi_unequal_open(w, unit, &w->range);
        while (w->full.cut[w->range.end] < end) {
            gspi_unequal_grow(w, &w->range);
        }
        unit = w->range.end;
        gspi_unequal_measure(w, &w->range);
        gspi_unequal_weigh(w, i, &w->range);
    }
    w->r.reference_fits = 1;
    w->r.reference = w->l->n == 0u ? 0u : gspi_unequal_reference(w);
}

/* The bytes of a unit alone, as the last stage. */
static uint64_t gspi_unequal_alone(gspi_unequal *w, uint32_t unit)
{
    gspi_unequal_open(w, unit, &w->range);
    gspi_unequal_grow(w, &w->range);
    gspi_unequal_measure(w, &w->range);
    return gspi_unequal_memory(w, &w->range, w->n_used - 1u, 1u);
}

/* Names a device without room for any unit, where each has to have one; 0 if there is none. */
static int gspi_unequal_small(gspi_unequal *w, gsp_error *err)
{
    const gsp_stages_unequal_desc *d = w->d;
    for (uint32_t i = 0; i < d->n_devices && w->n_used == d->n_devices; i++) {
        uint64_t least = UINT64_MAX;
        uint32_t unit = 0;
        for (uint32_t u = 0; u < w->l->n && least > d->devices[i].bytes; u++) {
            uint64_t const bytes = gspi_unequal_alone(w, u);
            unit = bytes < least ? u : unit;
            least = bytes < least ? bytes : least;
        }
        if (least > d->devices[i].bytes) {
            (void)gspi_unequal_fail_of(err, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_DEVICE,
                i, w->a.calls[w->l->cut[unit]]);
            (void)gspi_unequal_lack(err, GSP_STATUS_NO_FIT, least, d->devices[i].bytes);
            return 1;
        }
    }
    return 0;
}

/* Why there are no stages. A unit may be too large for every device. */
GSPI_UNEQUAL_OWN_FRAME gsp_status gspi_unequal_refuse(gspi_unequal *w, int exact, gsp_error *err)
{
    uint64_t most = 0;
    if (gspi_unequal_small(w, err)) {
        return GSP_STATUS_NO_FIT;
    }
    for (uint32_t i = 0; i < w->d->n_devices; i++) {
        most = w->d->devices[i].bytes > most ? w->d->devices[i].bytes : most;
    }
    for (uint32_t u = 0; u < w->l->n; u++) {
        uint64_t const bytes = gspi_unequal_alone(w, u);
        if (bytes > most) {
            (void)gspi_unequal_fail_of(err, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY, GSP_WHAT_NODE,
                w->a.calls[w->l->cut[u]], GSP_NONE);
            return gspi_unequal_lack(err, GSP_STATUS_NO_FIT, bytes, most);
        }
    }
    return gspi_unequal_fail_of(err, GSP_STATUS_NO_FIT, exact ? GSP_DETAIL_MEMORY : GSP_DETAIL_WORK,
        GSP_WHAT_STAGE, w->n_used, GSP_NONE);
}

/* ---- checks ---- */

/* Speeds, links, and their numbers. */
static gsp_status gspi_unequal_check_devices(const gsp_stages_unequal_desc *d, gsp_error *err)
{
    if (d->devices == NULL) {
        return gspi_unequal_missing(err, "devices\0n_devices");
    }
    for (uint32_t i = 0; i < d->n_devices; i++) {
        const gsp_stages_device *a = &d->devices[i];
        if (!(a->speed >= GSPI_UNEQUAL_SLOWEST && a->speed <= GSPI_UNEQUAL_MOST_SPEED)) {
            return gspi_unequal_fail_of(
                err, GSP_STATUS_ARG, GSP_DETAIL_NUMBER, GSP_WHAT_DEVICE, i, GSP_NONE);
        }
        if (d->links != NULL && a->link >= d->n_links) {
            return gspi_unequal_fail_of(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_WHAT_DEVICE, i, GSP_NONE);
        }
    }
    for (uint32_t i = 0; i < d->n_links && d->links != NULL; i++) {
        for (uint32_t k = 0; k < d->n_links; k++) {
            double const rate = d->links[(size_t)i * d->n_links + k];
            if (!(rate >= 0.0 && rate < GSPI_UNEQUAL_NO_END)) {
                return gspi_unequal_fail_of(
                    err, GSP_STATUS_ARG, GSP_DETAIL_RATE, GSP_WHAT_DEVICE, i, k);
            }
        }
    }
    return GSP_OK;
}

/* Rows of items ascend, and items and layers exist. */
static int gspi_unequal_good_row(const gsp_costs *c, gsp_node v, uint32_t *at)
{
    uint32_t const end = c->item_begin == NULL ? 0u : c->item_begin[v + 1u];
    int good = end >= *at;
    for (; good && *at < end; (*at)++) {
        good = c->items != NULL && c->items[*at] < c->n_items;
    }
    return good;
}

/* Costs of this graph, and sums that fit 60 bits. */
static gsp_status gspi_unequal_check_costs(
    const gsp_graph *g, const gsp_stages_unequal_desc *d, gsp_error *err)
{
    const gsp_costs *c = d->costs;
    uint64_t const most = UINT64_MAX / 16u;
    uint64_t time = gspi_unequal_add(d->first_time, d->last_time);
    uint64_t move = 0;
    uint64_t stash = 0;
    uint64_t bytes = 0;
    uint32_t at = 0;
    if (c->n_nodes != g->n_nodes || (c->item_begin != NULL && c->item_begin[0] != 0u)) {
        return gspi_unequal_fail_of(
            err, GSP_STATUS_ARG, GSP_DETAIL_COSTS, GSP_WHAT_NONE, GSP_NONE, GSP_NONE);
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (!gspi_unequal_good_row(c, v, &at)) {
            return gspi_unequal_fail_of(
                err, GSP_STATUS_ARG, GSP_DETAIL_COSTS, GSP_WHAT_NODE, v, GSP_NONE);
        }
        if (d->layer_of != NULL && d->layer_of[v] != GSP_NONE && d->layer_of[v] >= d->n_layers) {
            return gspi_unequal_fail_of(
                err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_WHAT_NODE, v, GSP_NONE);
        }
        time = gspi_unequal_add(time, gspi_unequal_cost(c->time, v));
        move = gspi_unequal_add(move, gspi_unequal_cost(c->move, v));
        stash = gspi_unequal_add(stash, gspi_unequal_cost(c->stash, v));
        bytes = gspi_unequal_add(bytes, gsp_node_bytes(g, v));
        if (time > most || move > most || stash > most || bytes > most) {
            return gspi_unequal_fail_of(
                err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, GSP_WHAT_NODE, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

GSPI_UNEQUAL_OWN_FRAME gsp_status gspi_unequal_check(
    const gsp_graph *g, const gsp_stages_unequal_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_unequal_fail_of(
            err, GSP_STATUS_DESC, GSP_DETAIL_CANARY, GSP_WHAT_NONE, GSP_NONE, GSP_NONE);
    }
    if (d->costs == NULL) {
        return gspi_unequal_missing(err, "costs\0");
    }
    if (d->costs->item_bytes == NULL && gspi_unequal_items(d->costs) != 0u) {
        return gspi_unequal_missing(err, "item_bytes\0n_items");
    }
    if (d->layer_bytes == NULL && d->layer_of != NULL) {
        return gspi_unequal_missing(err, "layer_bytes\0n_layers");
    }
    if (d->n_devices == 0u || d->goal >= (uint32_t)GSP_STAGES_UNEQUAL_COUNT ||
        d->n_used > d->n_devices) {
        return gspi_unequal_fail_field(err, GSP_STATUS_DESC, GSP_DETAIL_CHOICE,
            d->n_devices == 0u         ? "n_devices\0"
            : d->n_used > d->n_devices ? "n_used\0"
                                       : "goal\0");
    }
    gsp_status const status = gspi_unequal_check_devices(d, err);
    return status == GSP_OK ? gspi_unequal_check_costs(g, d, err) : status;
}

static gsp_status gspi_unequal_given(
    const gsp_arena *arena, const gsp_graph *graph, const void *result, gsp_error *err)
{
    if (arena == NULL || graph == NULL || result == NULL) {
        const char *later = graph == NULL ? "graph\0" : "result\0";
        return gspi_unequal_missing(err, arena == NULL ? "arena\0" : later);
    }
    return GSP_OK;
}

/* Fails for less than `bound` bytes. */
static gsp_status gspi_unequal_space(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    size_t const left = gsp_arena_left(arena);
    if (GSPI_UNEQUAL_NEVER(bound == SIZE_MAX)) {
        return gspi_unequal_fail_field(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, "");
    }
    if (left < bound) {
        (void)gspi_unequal_fail_field(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, "");
        return gspi_unequal_lack(err, GSP_STATUS_NOMEM, bound, left);
    }
    return GSP_OK;
}

/* Reads the line, and the live bytes of its calls. */
GSPI_UNEQUAL_OWN_FRAME gsp_status gspi_unequal_read(gspi_unequal *w, gsp_error *err)
{
    gspi_unequal_read_calls(w);
    gspi_unequal_cuts(w);
    gspi_unequal_sum(w, &w->full);
    w->l = &w->full;
    w->plain = 0;
    w->n_used = w->d->n_used < w->l->n || w->d->replicas ? w->d->n_used : w->l->n;
    return w->d->microbatches == 0u && w->n_calls != 0u ? gspi_unequal_read_live(w, err) : GSP_OK;
}

/* Reads the line, searches it, and fills w->r. */
static gsp_status gspi_unequal_run(gspi_unequal *w, gsp_error *err)
{
    gsp_status const status = gspi_unequal_read(w, err);
    if (status != GSP_OK) {
        return status;
    }
    if (w->l->n == 0u) {
        w->r.objective = w->r.lower_bound = 0;
        w->r.proved = 1;
    } else {
        int const exact = gspi_unequal_search(w);
        if (w->r.n_stages == 0u) {
            return gspi_unequal_refuse(w, exact, err);
        }
    }
    gspi_unequal_report(w);
    return GSP_OK;
}

/* Lays out all arrays in *w, but the cells. */
GSPI_UNEQUAL_OWN_FRAME gspi_unequal *gspi_unequal_lay(
    gsp_arena *arena, const gsp_graph *graph, const gsp_stages_unequal_desc *d)
{
    gsp_mark const mark = gsp_arena_mark(arena);
    gspi_unequal_bump b = {arena, 0};
    gsp_liveness_desc const ask = {0u, 0, NULL, NULL, 0, 0, NULL, 0};
    gspi_unequal *w = (gspi_unequal *)gspi_unequal_push(&b, 1, sizeof(gspi_unequal), 1);
    w->arena = arena;
    w->mark = mark;
    w->g = graph;
    w->own = *d;
    w->d = &w->own;
    w->ask = ask;
    w->r.n_nodes = graph->n_nodes;
    w->r.n_stages = 0;
    w->r.all_orders = 0;
    w->r.stopped = 0;
    w->r.objective = w->r.lower_bound = GSPI_UNEQUAL_NO_PLAN;
    w->r.work = 0;
    gspi_unequal_lay_result(&b, &w->r, graph->n_nodes, d->n_used);
    gspi_unequal_lay_rows(&b, &w->a, graph, d);
    gspi_unequal_lay_lines(&b, &w->full, &w->few, graph->n_nodes);
    (void)gspi_unequal_lay_states(&b, &w->s, d, graph->n_nodes);
    return w;
}

/* Checks the desc, and lays out *to. */
GSPI_UNEQUAL_OWN_FRAME gsp_status gspi_unequal_enter_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stages_unequal_desc *desc, gspi_unequal **to, gsp_error *err)
{
    gsp_stages_unequal_desc const d = gspi_unequal_desc(desc);
    gsp_status status = gspi_unequal_check(graph, &d, err);
    if (status == GSP_OK) {
        status = gspi_unequal_space(arena, gspi_unequal_bound(graph, &d), err);
    }
    if (status == GSP_OK) {
        *to = gspi_unequal_lay(arena, graph, &d);
    }
    return status;
}

/* Returns the memory, after a success but that of the result. */
GSPI_UNEQUAL_OWN_FRAME gsp_status gspi_unequal_leave_run(
    gspi_unequal *w, gsp_status status, gsp_stages_unequal_result *result, gsp_error *err)
{
    gsp_mark mark = w->mark;
    if (status == GSP_OK) {
        *result = w->r;
        mark.low = gsp_arena_mark(w->arena).low;
        (void)gspi_unequal_fail_of(err, GSP_OK, GSP_DETAIL_NONE, GSP_WHAT_NONE, GSP_NONE, GSP_NONE);
    }
    gsp_arena_rewind(w->arena, mark);
    return status;
}

gsp_status gsp_stages_unequal_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stages_unequal_desc *desc, gsp_stages_unequal_result *result, gsp_error *err)
{
    gspi_unequal *w = NULL;
    gsp_status status = gspi_unequal_given(arena, graph, result, err);
    if (status == GSP_OK) {
        status = gspi_unequal_enter_run(arena, graph, desc, &w, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    status = gspi_unequal_run(w, err);
    return gspi_unequal_leave_run(w, status, result, err);
}

#endif
#endif
#endif /* GSP_NO_PIPELINE */

#ifdef __cplusplus
}
#endif

GSPI_UNEQUAL_END

#endif /* GRAPHSPLIT_DEVICES_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_DEVICES_IMPLEMENTATION */
