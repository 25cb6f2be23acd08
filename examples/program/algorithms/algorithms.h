/* Searches, schedules and plans, on the public API alone. A section per file of this folder, from
 * the bottom up. Functions whose memory grows allocate it in the session. */
#ifndef CLI_ALGORITHMS_ALGORITHMS_H
#define CLI_ALGORITHMS_ALGORITHMS_H

#include "examples/extra/graphsplit_downsets.h"
#include "examples/extra/graphsplit_intervals.h"
#include "examples/extra/graphsplit_memories.h"
#include "examples/extra/graphsplit_offload.h"
#include "examples/extra/graphsplit_operators.h"
#include "examples/extra/graphsplit_order.h"
#include "examples/extra/graphsplit_prefetch.h"
#include "examples/extra/graphsplit_repeats.h"
#include "examples/extra/graphsplit_schedule.h"
#include "examples/extra/graphsplit_stages.h"
#include "examples/extra/graphsplit_tiles.h"
#include "examples/extra/graphsplit_traffic.h"

struct cli_session; /* core/core.h */

/* ==== sums ==== */

/* cli_add: a + b, or the largest number. */
static inline uint64_t cli_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* ==== inside ====
 * What the graphs that nodes run need. */

/* Parameters, each once per target. Fields are private. */
typedef struct cli_params {
    const gsp_module *module;
    uint32_t stamp;    /* of what was seen since the last clear */
    uint32_t visits;   /* of graphs whose targets are their own */
    uint32_t *seen;    /* [strings] targets */
    uint32_t *local;   /* [strings] targets of one graph */
    uint32_t *reached; /* [graphs] */
    uint32_t *waiting; /* [graphs] */
    int any;           /* 0 if no node of the module has parameters */
} cli_params;

void cli_params_open(cli_params *p, struct cli_session *s, const gsp_module *module);
void cli_params_close(const cli_params *p, struct cli_session *s);

/* cli_params_clear: counts anew; needed before the first node, too. */
void cli_params_clear(cli_params *p);

/* cli_params_of: bytes of parameters of a node that were not counted yet: that it reads, of the
 * module that it calls, and cli_params_of_run(): of the graphs that it runs. */
uint64_t cli_params_of(cli_params *p, const gsp_graph *graph, gsp_node node);
uint64_t cli_params_of_run(cli_params *p, const gsp_graph *graph, gsp_node node);

#ifndef GSP_NO_COST /* the page leaves costs out */
/* cli_params_items: the parameters of cli_params_of() as items of the costs of a graph; all of it
 * from cli_alloc(). */
void cli_params_items(
    cli_params *p, struct cli_session *s, const gsp_graph *graph, gsp_costs *costs);
#endif

typedef struct cli_inside {
    gsp_liveness_part *peak;   /* [graphs] */
    gsp_liveness_part *on_top; /* [graphs] the peak if inputs have 0 bytes */
    uint32_t *calls;           /* [graphs] graphs that its nodes run, once per node */
    uint64_t *bytes;           /* [nodes] as gsp_module.run_bytes */
    uint64_t *params;          /* [nodes] as gsp_module.run_params */
    uint64_t *whole; /* [graphs] parameters, each once, with those of graphs that they run */
} cli_inside;

/* cli_inside_make: of all graphs. Errors: RECURSION, and those of gsp_liveness_run(). */
gsp_status cli_inside_make(
    struct cli_session *s, const gsp_module *module, cli_inside *inside, gsp_error *err);

/* cli_inside_set: sets run_bytes and run_params of the module of the session. Without effect if
 * none of its nodes runs a graph, and after an error, which passes report. */
void cli_inside_set(struct cli_session *s);

/* ==== dedup ====
 * Deduplication in arenas of the session. */

/* cli_repeats_find: finds groups for gsp_dedup_desc.given. The search starts from the calls of
 * `known`, a result for the graph, as well. part_of: as in gsp_repeats_desc. ^C takes the best. */
gsp_status cli_repeats_find(struct cli_session *s, const gsp_graph *graph,
    const gsp_dedup_result *known, const uint32_t *part_of, gsp_repeats_result *found,
    gsp_error *err);

/* cli_dedup_raise: raises the limit of memory that made a run fail. Such limits are for callers
 * that must know the bound beforehand. Returns 0 if no limit made it fail. */
int cli_dedup_raise(gsp_dedup_desc *desc, const gsp_error *err);

/* cli_dedup_run: gsp_dedup_run() in an arena of its own, with limits of memory as high as it
 * needs. */
gsp_status cli_dedup_run(struct cli_session *s, const gsp_graph *graph, gsp_dedup_desc *desc,
    gsp_dedup_result *result, gsp_error *err);

/* ==== precedence ====
 * The order of nodes: by values, and by writes where a graph has such an order. */

/* cli_before: the nodes that must run before a node. */
const gsp_node *cli_before(const gsp_graph *graph, gsp_node node, uint32_t *count);

/* cli_is_written: 1 if a node writes in place or is a barrier: values alone do not order nodes. */
int cli_is_written(const gsp_graph *graph);

/* cli_reads: 1 if a node reads another. */
int cli_reads(const gsp_graph *graph, gsp_node node, gsp_node other);

/* ==== plan_file ====
 * Plans: assignments as text, by name. */

/* The text of a plan, to be edited by hand:
 *
 *     plan 1                       first, before all but blank lines and comments
 *     [_run_on_acc_0] acc          a part: its name, and a note that is kept (here its kind)
 *     conv1                        a node that belongs to it, by name; `%` in front is allowed
 *     layer4_*                     all nodes that match: `*` any run of bytes, `?` any byte
 *     [_run_on_cpu_1] cpu
 *     sort                         # a comment goes to the end of the line
 *
 * Lines with LF or CRLF, blanks around anything. A part may come several times; parts are
 * numbered as they first come. Names of parts hold no ']' and no control bytes. The last line that
 * names a node decides; names win over patterns. */
typedef struct cli_plan_line {
    gsp_str pattern;
    uint32_t part;
    uint32_t is_pattern; /* 1 if it holds `*` or `?` */
    size_t line;         /* of the text, from 1 */
} cli_plan_line;

/* Points into its text; the arrays lie at the low end of the arena. */
typedef struct cli_plan_text {
    uint32_t n_parts;
    uint32_t n_lines;
    const gsp_str *names; /* [n_parts] */
    const gsp_str *notes; /* [n_parts] the text after the name at first; may be empty */
    const cli_plan_line *lines;
} cli_plan_text;

/* What a line of a plan means for a graph. */
typedef enum cli_plan_use {
    CLI_PLAN_USED,
    CLI_PLAN_GONE,       /* no node matches */
    CLI_PLAN_NOT_CALLED, /* only placeholders or parameters match, which belong to no part */
    CLI_PLAN_OVERRULED,  /* other lines decide about all nodes that match */
    CLI_PLAN_USE_COUNT
} cli_plan_use;

/* A plan on a graph. All arrays lie at the low end of the arena. */
typedef struct cli_plan_match {
    uint32_t n_placed;                    /* callable nodes that have a part */
    uint32_t n_new;                       /* callable nodes that no line names */
    uint32_t n_lines[CLI_PLAN_USE_COUNT]; /* lines by cli_plan_use */
    const uint32_t *part_of;              /* [n] part of a node, or GSP_NONE */
    const uint32_t *line_of;              /* [n] the line that decided, or GSP_NONE */
    const uint8_t *use;                   /* [plan.n_lines] cli_plan_use */
} cli_plan_match;

typedef struct cli_plan_desc {
    uint32_t n_parts;
    const uint32_t *part_of; /* [n] part of every callable node, or GSP_NONE */
    const gsp_str *names;    /* [n_parts] */
    const gsp_str *notes;    /* [n_parts], or NULL */
} cli_plan_desc;

/* Errors in the text of a plan. */
#define CLI_PLAN_WRONG_HEAD "expected 'plan 1', the first line of a plan of --save-plan"
#define CLI_PLAN_WRONG_PART "expected a part, [NAME], and perhaps a note"
#define CLI_PLAN_WRONG_LINE "expected the name of a node, or a pattern with * and ?"

/* cli_plan_parse: a plan from its text, in cli_plan_parse_bound() bytes.
 *
 * Errors:    PARSE (line, column; *wrong is the sentence), NOMEM, OVERFLOW; on error no output but
 *            *wrong is written and the arena is unchanged
 * Time:      O(size)
 */
size_t cli_plan_parse_bound(gsp_str text);
gsp_status cli_plan_parse(
    gsp_arena *arena, gsp_str text, cli_plan_text *plan, const char **wrong, gsp_error *err);

/* cli_plan_write: an assignment as the text of a plan: parts in order, their nodes in graph order.
 * Nothing stays in the arena.
 *
 * Errors:    ARG (details TAG: node, a part that does not exist; TAG_NAME: node = the part
 *            whose name or note would not read back, or whose name another part has), NOMEM,
 *            OVERFLOW, LIMIT (the sink asked to stop)
 * Time:      O(nodes + bytes of names)
 */
size_t cli_plan_write_bound(uint32_t n_nodes, uint32_t n_parts);
gsp_status cli_plan_write(gsp_arena *arena, const gsp_graph *graph, const cli_plan_desc *desc,
    gsp_sink sink, void *user, gsp_error *err);

/* cli_plan_apply: matches a plan against a graph, which may differ from the one it was made for.
 *
 * Out:       result    the assignment, as gsp_split_module_run() and gsp_liveness_run() take it
 *                      when n_new is 0, and the use of every line
 * Errors:    NOMEM, OVERFLOW
 * Time:      O(nodes + lines) without patterns; each pattern is tried on every node
 */
size_t cli_plan_apply_bound(uint32_t n_nodes, const cli_plan_text *plan);
gsp_status cli_plan_apply(gsp_arena *arena, const gsp_graph *graph, const cli_plan_text *plan,
    cli_plan_match *result, gsp_error *err);

/* ==== intervals ====
 * Tensors in one memory, by graphsplit_intervals.h in arenas of the session. */

/* cli_fit: offsets of tensors by first fit, at multiples of `align`; `fixed` may be NULL. *bytes:
 * the size of the arena. Returns 0 if their bytes have no sum. */
int cli_fit(struct cli_session *s, gsp_tensor *tensors, uint32_t n, uint32_t align,
    const uint32_t *fixed, uint64_t *bytes);

/* cli_peak: the most bytes that are live at once. */
gsp_intervals_peak cli_peak(struct cli_session *s, const gsp_tensor *tensors, uint32_t n);

/* ==== lists ====
 * Rows of numbers. */

/* Rows of numbers: of i, at[begin[i] .. begin[i + 1]). */
typedef struct cli_lists {
    uint32_t *begin;
    uint32_t *at;
} cli_lists;

/* cli_lists_make: rows 0 .. n - 1 of the numbers `to`, which are below n_to, by `from`; each number
 * once per row, in the order of the pairs. */
cli_lists cli_lists_make(struct cli_session *s, uint32_t n, const uint32_t *from,
    const uint32_t *to, size_t n_pairs, uint32_t n_to);

void cli_lists_free(struct cli_session *s, cli_lists *rows);

#ifndef GSP_NO_PIPELINE

/* ==== places ====
 * Stages of nodes and where they run, from the stages of units and back, and what they cost. */

typedef struct cli_places {
    uint32_t n;                /* devices with their replicas, and CPU cores */
    const uint32_t *place_of;  /* [stages] */
    const uint32_t *n_devices; /* [n] 0 for a CPU core */
} cli_places;

/* cli_ticks: seconds as ticks of one nanosecond. */
uint64_t cli_ticks(double seconds);

/* cli_sync_ticks: to send so many bytes once; none if the bandwidth is 0. */
uint64_t cli_sync_ticks(uint64_t bandwidth, uint64_t bytes);

/* cli_places_start: stages of the library as those of units, where a search starts. Returns 0 if
 * units do not fit in them. start: [units] */
int cli_places_start(struct cli_session *s, const gsp_graph *g, const gsp_downsets_graph_desc *desc,
    const gsp_downsets_graph_result *made, const gsp_stages_optimal_result *known, uint32_t *start);

/* cli_places_take: stages of units as stages of nodes, one for all that has one phase and one
 * place. stage_of: [nodes]. Returns how many there are. */
uint32_t cli_places_take(struct cli_session *s, const gsp_graph *g,
    const gsp_downsets_graph_result *made, const gsp_downsets_result *r, uint32_t *stage_of,
    cli_places *places);

typedef struct cli_places_desc {
    const gsp_graph *graph;
    const gsp_stage_model *model;
    const uint32_t *stage_of; /* [nodes] GSP_NONE if in no stage */
    const cli_places *places;
    const gsp_downsets_graph_desc *units; /* what nodes take, and own moves */
    uint64_t bandwidth;                   /* bytes per second; 0 if transfers take no time */
    uint32_t own_bytes;                   /* memory is that of nodes alone */
} cli_places_desc;

/* cli_places_cost: the costs of stages where they are placed, in place of those on devices of their
 * own. */
void cli_places_cost(
    struct cli_session *s, const cli_places_desc *desc, gsp_stage_costs_result *result);

#endif /* GSP_NO_PIPELINE */

/* ==== orders_of ====
 * Orders of a graph with the least peak of live bytes, in arenas of the session. */

typedef struct order_graph {
    struct cli_session *session;
    const gsp_graph *g;
    gsp_tasks_desc desc;
    gsp_tasks tasks; /* made */
} order_graph;

/* order_graph_make: the tasks. */
gsp_status order_graph_make(order_graph *w, gsp_error *err);

/* order_find: an order as `desc` asks; 0: desc->start is no order of the tasks. */
int order_find(
    const order_graph *w, const gsp_least_peak_desc *desc, gsp_least_peak_result *result);

/* order_find_best: the same with more sets of tasks than by default. */
int order_find_best(const order_graph *w, gsp_least_peak_desc *desc, gsp_least_peak_result *result);

/* order_levels: by n levels of a graph without phases, with the fewest bytes between them. Returns
 * 0 if there is no such order, or the graph has fewer levels. */
int order_levels(const order_graph *w, uint32_t n, uint32_t *order);

#ifndef GSP_NO_COST

/* ==== need ====
 * What must be in memory at once, and ranges of nodes on devices by it. */

/* Bytes that are in memory at once: distinct parameters, and the most of live values. */
typedef struct cli_need {
    uint64_t params;
    uint64_t peak;
} cli_need;

/* cli_need_at_once: parameters and peak. */
uint64_t cli_need_at_once(const cli_need *need);

/* cli_need_measure: the needs of the first n_wanted of n parts, or of the whole graph if n is 0.
 * Errors are those of gsp_liveness_run(). */
gsp_status cli_need_measure(struct cli_session *s, const gsp_graph *graph, const uint32_t *part_of,
    uint32_t n, uint32_t n_wanted, cli_need *needs, gsp_error *err);

typedef enum cli_need_code {
    CLI_NEED_FILLED,
    CLI_NEED_UNKNOWN,   /* the live values of a range are not known */
    CLI_NEED_TOO_LARGE, /* a node needs more than any device that is still free has */
    CLI_NEED_TOO_LONG   /* too many nodes are measured */
} cli_need_code;

typedef struct cli_need_result {
    uint32_t n_parts;
    uint32_t *part_of;       /* [n] of a callable node; parts are ranges of the graph order */
    gsp_part_devices *parts; /* [n_parts] each on a device of its own */
    gsp_node node;           /* of CLI_NEED_TOO_LARGE */
    uint64_t bytes;          /* that this node needs */
} cli_need_result;

/* cli_need_fill: the longest ranges that fit, or one part if a device has room for `whole`, the
 * need of the graph. *err is that of CLI_NEED_UNKNOWN. */
cli_need_code cli_need_fill(struct cli_session *s, const gsp_graph *graph,
    const gsp_device *devices, uint32_t n_devices, const cli_need *whole, cli_need_result *result,
    gsp_error *err);

#ifndef GSP_NO_PIPELINE

/* ==== inference ====
 * Stages of a pipeline in graph order, without a backward part. A stage needs memory for its
 * parameters and for the peak of live bytes of a microbatch. */

typedef struct cli_inference_desc {
    struct cli_session *session;
    const gsp_graph *graph;
    const gsp_costs *costs; /* times and moves */
    const uint32_t *group;  /* [n] the first node of a group to keep, GSP_NONE for it; or NULL */
    const char *marker;     /* NULL for PyTorch's */
    uint32_t n_stages;
    uint32_t by_bytes; /* 1 minimises the largest need, 0 the time of the slowest stage */
    uint64_t copies;   /* of parameters */
    uint64_t memory;   /* per stage, UINT64_MAX without limit */
    uint64_t first_time;
    uint64_t last_time;
} cli_inference_desc;

typedef struct cli_inference_result {
    uint32_t n_stages;
    uint32_t *stage_of; /* [n] GSP_NONE for others; all of it from cli_alloc() */
    int fits;           /* 0: no stages fit, and the result has those of the least memory */
    int complete;       /* nothing in graph order is better */
    /* the largest need; by time the slowest stage, or UINT64_MAX if the caller has to measure it */
    uint64_t objective;
    uint64_t lower_bound; /* of the need */
    uint64_t reference;   /* need of stages of equal numbers of calls */
    uint64_t work;        /* nodes measured */
} cli_inference_result;

void cli_inference_run(const cli_inference_desc *desc, cli_inference_result *result);

#endif

#endif /* GSP_NO_COST */

/* ==== tiles ====
 * Regions of a graph that run in tiles: graphsplit_tiles.h in the memory of a session. */

/* Each step runs an operator, which yields the value of its number. */
typedef struct tile_graph {
    uint32_t n;
    gsp_tile_op *ops;       /* [n] */
    gsp_tile_value *values; /* [n] */
    const char **why;       /* [n] of what runs as a whole: since it ...; or NULL */
    uint32_t *ins;          /* [n_ins] */
    uint32_t n_ins;
    const gsp_tensor *tensors; /* [n_tensors] live at steps */
    uint32_t n_tensors;
    uint64_t align;
    uint32_t slice;  /* bytes of the constants of a slice */
    uint32_t stream; /* the input of the graph that comes in tiles; GSP_NONE if none does */
    uint32_t first;  /* of the only region that searches take; GSP_NONE: they take any */
    uint32_t last;
    double macs; /* of all operators */
} tile_graph;

/* gsp_tile_plan of the last region that was expanded. */
typedef struct tile_plan {
    struct cli_session *session;
    gsp_arena arena;
    const gsp_tile_step *steps;
    const gsp_tile_part *values;
    const uint32_t *ins;
    uint32_t n_steps;
    uint32_t n_values;
    uint32_t n_ins;
} tile_plan;

typedef struct tile_curve {
    gsp_tile_point *points; /* by descending peak */
    uint32_t n_points;
    int complete; /* all regions were tried, and there is no point between two */
    int fits;     /* in a room */
} tile_curve;

/* tile_plan_open: no plan yet. */
void tile_plan_open(struct cli_session *s, tile_plan *p);

/* tile_expand: the steps of a region, in place of those before; 0 if it has none. */
int tile_expand(const tile_graph *g, const gsp_tile_region *r, tile_plan *p);

/* tile_breach: an operator with which r->first to r->last have more than one entry and one exit,
 * and why; GSP_NONE if there is none. Sets the entry. */
uint32_t tile_breach(const tile_graph *g, gsp_tile_region *r, const char **why);

/* tile_search, tile_lines, tile_place: gsp_tiles_run() for tiles, by rows, and in a room. Return an
 * exit status. */
int tile_search(struct cli_session *s, const tile_graph *g, tile_curve *curve);
int tile_lines(struct cli_session *s, const tile_graph *g, tile_curve *curve);
int tile_place(
    struct cli_session *s, const tile_graph *g, const gsp_tile_room *room, tile_curve *curve);

/* tile_kept: rows of the values of a region that are kept if it runs row by row; cli_release() it.
 */
uint32_t *tile_kept(struct cli_session *s, const tile_graph *g, const gsp_tile_region *r);

#endif
