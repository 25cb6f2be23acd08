/* The command `split`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_SPLIT_SPLIT_H
#define CLI_COMMANDS_SPLIT_SPLIT_H

#include "algorithms/algorithms.h"
#include "core/core.h"
#include "input/input.h"
#include "output/output.h"

#include <stddef.h>

/* ==== types ====
 * Details of "unsupported". */

typedef struct split_objection {
    uint32_t kind;      /* an accelerator whose list contains the operator ... */
    gsp_str dtypes;     /* ... only with these types, */
    gsp_node node;      /* and the input with another type, or the node itself, ... */
    gsp_str dtype;      /* ... and that type; */
    gsp_str constraint; /* or only with this constraint about `node` */
} split_objection;

/* What objections are about, as bits. */
enum { SPLIT_ABOUT_TYPE = 1, SPLIT_ABOUT_SHAPE = 2, SPLIT_ABOUT_ARGUMENT = 4 };

uint32_t split_about_of(const split_objection *o);

/* Why no accelerator takes a node: none has its operator, or one has it, but not with these types,
 * shapes or arguments; acc=0 says so; or a graph that it runs has such a node. */
typedef enum split_unfit {
    SPLIT_UNLISTED,
    SPLIT_UNFIT_TYPE,
    SPLIT_UNFIT_SHAPE,
    SPLIT_UNFIT_ARGUMENT,
    SPLIT_UNFIT_ACC,
    SPLIT_UNFIT_RUNS,
    SPLIT_UNFIT_COUNT
} split_unfit;

/* split_put_value: the value that the node has for the left side of a constraint. */
void split_put_value(const gsp_graph *graph, const split_objection *o, cli_buffer *out);

/* split_is_listed: the list of an accelerator contains the operator of a node. */
int split_is_listed(const cli_place *place, const gsp_graph *graph, gsp_node v);

/* split_objection_of: 0 if the types are not the reason. */
int split_objection_of(
    const cli_place *place, const gsp_graph *graph, gsp_node v, split_objection *o);

/* split_way_of: the node of a graph which `v` runs that keeps v from an accelerator whose list has
 * its operator; *graph becomes its graph. GSP_NONE if there is none. */
gsp_node split_way_of(
    const cli_place *place, const cli_bodies *bodies, gsp_graph *graph, gsp_node v);

/* split_vendor_of: of which accelerator an operator is a compiled program; NULL: it is none. */
const char *split_vendor_of(gsp_str name);

/* ==== facts ====
 * The input and the results of a split, and figures about it. */

/* Choices of options, in their order. */
enum { SPLIT_LIMIT_ERROR, SPLIT_LIMIT_DEMOTE, SPLIT_LIMIT_EXACT };
enum { SPLIT_VALUE_COUNT, SPLIT_VALUE_BYTES, SPLIT_VALUE_NODES, SPLIT_VALUE_TIME };
enum {
    SPLIT_ORDER_REFERENCE,
    SPLIT_ORDER_MIN_TRAFFIC,
    SPLIT_ORDER_WRITTEN,
    SPLIT_ORDER_READ,
    SPLIT_ORDER_RESIDENT,
    SPLIT_ORDER_LEAST_PEAK,
    SPLIT_ORDER_SUM
};

enum { SPLIT_MINIMISE_SUBGRAPHS, SPLIT_MINIMISE_TIME };
enum { SPLIT_TRANSFER_ONCE, SPLIT_TRANSFER_RESIDENCY };

typedef struct split_options {
    uint64_t min_size;
    uint64_t max_size;
    uint64_t limit;
    uint64_t max_acc;
    uint64_t most_bytes; /* of an accelerator subgraph, and so on; 0 means no limit */
    uint64_t most_params;
    uint64_t most_inputs;
    uint64_t most_outputs;
    uint64_t convert;    /* bytes per second; 0 if not given */
    const char *layouts; /* NULL if not given */
    uint32_t no_convert;
    const char *command; /* --try; NULL if not given, likewise below */
    const char *try_log;
    uint64_t jobs;
    uint64_t timeout; /* seconds; 0 if not given */
    uint32_t limit_policy;
    uint32_t value;
    uint32_t best_start;
    uint32_t order;
    uint32_t skip_fusion;
    uint32_t allow_non_tensor;
    uint32_t move_non_tensor;
    uint32_t ignore_writes;
    uint32_t waive_min_size;
    uint32_t return_tuple;
    uint32_t map;
    uint32_t fingerprints;
    uint32_t run_memory;
    uint32_t blocks;
    uint32_t more;
    const char *weights;
    const char *peak; /* bytes, or a percentage of the peak of the given order */
    const char *prefix;
    const char *dot;
    const char *dot_support;
    const char *dot_module;
    const char *html;
    const char *model_explorer;
    const char *emit;
    uint64_t bandwidth;
    const char *plan;
    const char *save_plan;
    cli_maybe why;
    uint64_t rewrite_to; /* UINT64_MAX if not given */
    uint32_t minimise;
    uint32_t transfer;
    uint32_t overlap;
    const char *svg;
    const char *trace;
    const char *launch;
    cli_costs_options costs;
    uint64_t max_work;
    uint32_t tile;
    uint32_t stream_input;
    const char *max_recompute; /* NULL if not given, likewise below */
    const char *emit_model;
} split_options;

/* What is proved about the objective of an option; `reference`: what the default gives. */
typedef struct split_proof {
    enum {
        SPLIT_PROOF_NONE,
        SPLIT_PROOF_SUBGRAPHS,
        SPLIT_PROOF_VALUE,
        SPLIT_PROOF_TRAFFIC,
        SPLIT_PROOF_PEAK,
        SPLIT_PROOF_SUM,
        SPLIT_PROOF_TIME
    } what;
    uint64_t objective;
    uint64_t bound;
    uint64_t reference;
    uint64_t crossed; /* of the sum: bytes that cross between subgraphs */
    uint32_t untimed; /* nodes whose times take part and are not known, while others are, */
    uint32_t called;  /* of so many */
} split_proof;

/* What limits of accelerator subgraphs have made of the split. */
typedef struct split_cuts {
    int is_given;
    int proved;
    uint32_t n_acc;
    uint32_t n_least;
    uint32_t n_large;   /* nodes above a limit by themselves */
    uint32_t n_unknown; /* nodes without a size, on accelerators */
    uint64_t bytes;     /* that cross only because of the cuts */
} split_cuts;

/* What --try has done. */
typedef struct split_tries {
    uint32_t n_runs; /* of the command */
    uint32_t n_refused;
    uint32_t n_culprits; /* nodes */
    uint32_t n_cuts;
    uint32_t n_left; /* nodes of pieces that have not passed when the user ended the search */
    int is_interrupted;
} split_tries;

/* A region that runs in tiles since its largest node is above the limit. Names are of the model
 * before. */
typedef struct split_tiled {
    gsp_tile_region region;
    gsp_str first;
    gsp_str last;
    gsp_str largest;
    gsp_str target;     /* of the largest */
    uint64_t alone;     /* bytes that it takes as a whole */
    uint64_t params;    /* the most that a tile reads, with its paddings */
    gsp_tile_cost cost; /* peak: of the largest tile, with its parameters */
} split_tiled;

typedef struct split_tiles {
    split_tiled *list; /* [n] */
    uint32_t n;
    uint64_t macs;   /* more than before */
    double all;      /* MACs before */
    uint32_t before; /* operators */
    uint32_t after;
    int complete;         /* all regions were tried */
    gsp_str input;        /* that comes in tiles; empty if none does */
    gsp_tile_box *stream; /* [n_stream] its tiles in order */
    uint32_t n_stream;
    uint32_t parts[GSP_TILES_AXES]; /* of them */
    uint64_t largest;               /* bytes of a tile */
} split_tiles;

typedef struct split_worth split_worth; /* commands/split/worth.h */

/* Programs that compilers of accelerators get. */
typedef struct split_programs {
    uint32_t graphs;
    uint32_t programs; /* without those that equal others */
    uint64_t nodes;    /* of the programs */
} split_programs;

/* --blocks: regions that are calls of one graph. */
typedef struct split_blocks {
    gsp_dedup_result result;
    uint32_t *part_of; /* [nodes of its root] subgraph */
    uint32_t *shared;  /* [n_subgraphs] its graph that a subgraph calls, or GSP_NONE */
    split_programs before;
    split_programs after;
} split_blocks;

typedef struct split {
    cli_session *session;
    split_options opt;
    cli_place place;
    gsp_graph graph;
    gsp_counts counts;
    gsp_placement placement;
    cli_bodies bodies;
    gsp_split_desc desc;
    gsp_split_result result;
    split_proof proof;
    split_cuts cuts;
    const split_tries *tries; /* NULL without --try */
    const split_tiles *tiles; /* NULL without --tile */
    gsp_str *accepted;        /* [n_nodes] types that its list takes instead; or NULL */
    gsp_node *convert_of;    /* [n_nodes] for whose sake a node left the accelerator, or GSP_NONE */
    uint64_t weight[2];      /* --order least-peak,traffic: of the peak and of what crosses */
    gsp_liveness_part given; /* is_reordered: the peak in the order of the file */
    int is_reordered;
    split_worth *worth; /* NULL without --minimise time */
    size_t bound;
    cli_timing timing;
    char **tags;                   /* [n_subgraphs] */
    gsp_split_by_tags_result made; /* only when has_modules */
    uint8_t *joined;               /* [n_nodes] --plan: no line names it; it follows its inputs */
    split_blocks *blocks;          /* NULL without --blocks */
    int has_modules;
    int is_step; /* of another pass: in an arena of its own, and not measured */
} split;

/* 1 with --tile. The small program of the page has no such option. */
#ifdef GSP_NO_FLOW
#define SPLIT_HAS_TILES(p) 0
#else
#define SPLIT_HAS_TILES(p) ((p)->tiles != NULL)
#endif

/* 1 if nodes are where they take the least time. The small program of the page has no such
 * option. */
#ifdef GSP_NO_FLOW
#define SPLIT_IS_TIMED(p) 0
#else
#define SPLIT_IS_TIMED(p) ((p)->worth != NULL)
#endif

/* 1 with --blocks. The small program of the page has no such option. */
#ifdef CLI_NO_CALLS
#define SPLIT_HAS_BLOCKS(p) 0
#else
#define SPLIT_HAS_BLOCKS(p) ((p)->blocks != NULL)
#endif

/* ---- figures about a finished split ---- */

typedef struct split_subgraph {
    uint32_t n_in; /* distinct values from elsewhere, without parameters */
    uint32_t n_out;
    uint64_t in; /* bytes */
    uint64_t out;
    uint64_t params; /* distinct parameters that it reads, and parameters of the modules it calls */
} split_subgraph;

typedef struct split_operator {
    gsp_str name;
    uint32_t nodes;
    uint32_t on_acc;
    uint32_t cuts;
    uint32_t reasons[GSP_REASON_COUNT]; /* of the nodes on the CPU */
    uint32_t types; /* of the unsupported nodes: only because of their types or of a constraint */
    uint32_t about; /* what those are about: SPLIT_ABOUT_ */
    int listed;     /* 1 if in the list of an accelerator; -1 if in none */
} split_operator;

typedef struct split_share {
    uint64_t on_acc;
    uint64_t all;
} split_share;

typedef struct split_facts {
    split_subgraph *subgraphs; /* [n_subgraphs] */
    split_operator *operators; /* [n_operators] by first node */
    uint32_t n_operators;
    uint32_t *operator_of; /* [n_nodes] GSP_NONE if not callable */
    uint8_t *unfit;        /* [n_nodes] split_unfit of nodes that are unsupported */
    gsp_node *root;        /* [n_nodes] the end of the chain of culprits of a node */
    split_share nodes;
    split_share yielded; /* bytes of outputs of callable nodes */
    split_share params;  /* bytes; on_acc: read by an accelerator subgraph */
    uint32_t n_acc;      /* subgraphs */
    uint32_t crossings;  /* values that pass between subgraphs, once per receiver */
    uint64_t crossing_bytes;
    uint32_t boundary; /* those of them that an accelerator's subgraph yields or reads */
    uint64_t boundary_bytes;
} split_facts;

void split_facts_make(const split *p, split_facts *facts);

/* split_sizes_count: sizes are part of the figure that the split minimises. */
int split_sizes_count(const split *p);

/* split_has_unknown: sizes or times that are not known are part of the figure that the split
 * minimises. */
int split_has_unknown(const split *p);

/* split_macs: multiply-accumulates of the graph, and of what accelerators run. */
void split_macs(const split *p, cli_macs_share *share);

/* split_kind_of: the final kind of a subgraph or callable node, 0 or an accelerator. */
uint32_t split_kind_of(const split *p, gsp_node node);

/* split_is_converted: 1 if a pin or acc= put a node on an accelerator whose list does not take its
 * types; *o says which. */
int split_is_converted(const split *p, gsp_node node, split_objection *o);

/* split_members: the ids 0 .. n-1 whose of[id] is a class, sorted by class; begin is [n_classes +
 * 1]. */
gsp_node *split_members(
    cli_session *s, const uint32_t *of, uint32_t n, uint32_t n_classes, uint32_t **begin);

/* split_is_fusion: flags of groups on an accelerator that have a node without tensor metadata. */
uint8_t *split_is_fusion(const split *p);

/* split_peaks: most bytes of activations that each subgraph needs at once, including its inputs;
 * NULL when sizes are unknown. */
const gsp_liveness_part *split_peaks(const split *p);

/* Peaks of the whole graph in one memory, in the order of the subgraphs and in its own. */
typedef struct split_run_peaks {
    gsp_liveness_part run;
    gsp_liveness_part given;
} split_run_peaks;

/* split_peak_of: the peak of the graph in an order of its calls; NULL means its own. Returns 0 as
 * below. */
int split_peak_of(const split *p, const gsp_node *order, uint32_t n_order, gsp_liveness_part *peak,
    gsp_error *err);

/* split_run_live: live bytes while each node runs, in the order of the subgraphs; NULL as below. */
const uint64_t *split_run_live(const split *p, uint32_t *n);

/* split_run_peaks_make: 0 if there are none, since alias= is wrong or sizes are too large. */
int split_run_peaks_make(const split *p, split_run_peaks *peaks, gsp_error *err);

/* split_run_is_high: the run needs more than 1.1 times as much as the graph's own order. */
int split_run_is_high(const split_run_peaks *peaks);

/* split_reason_name, _text: the reason of a node, which may be a plan. */
const char *split_reason_name(const split *p, uint32_t reason);
const char *split_reason_text(const split *p, uint32_t reason);

/* split_has_pins_alone: nodes are named, and no operators. */
int split_has_pins_alone(const split *p);

/* split_unfit_text: why a node is unsupported. split_why_text: the reason of a node, with that. */
const char *split_unfit_text(const split *p, uint32_t unfit);
const char *split_why_text(const split *p, const split_facts *facts, gsp_node v);

/* ==== acc_limits ====
 * --max-acc-bytes and the like: accelerator subgraphs within limits. */

/* split_has_acc_limits: 1 if accelerator subgraphs have limits on bytes, inputs or outputs. */
int split_has_acc_limits(const split_options *opt);

/* split_is_exact: single nodes give way to limits on the number of subgraphs. */
int split_is_exact(const split_options *opt);

/* split_acc_limits_check, split_acc_limits_choose: options of limits of accelerator subgraphs, and
 * placement and phases within them. */
int split_acc_limits_check(split *p);
int split_acc_limits_choose(split *p);

/* split_people_acc_limits: what they made of the split, for people. */
void split_people_acc_limits(const split *p, cli_buffer *out);

/* split_put_large: why a node is above them, as the second half of a sentence. */
void split_put_large(const split *p, cli_buffer *out);

/* ==== tiles ====
 * --tile: what is above a limit of accelerator subgraphs runs in tiles that are not. */

#ifndef GSP_NO_FLOW
/* split_tiles_check, split_tiles_run: the options, and the model with its tiles in the session,
 * with their placement. Return an exit status. */
int split_tiles_check(split *p);
int split_tiles_run(split *p);
#endif

/* split_people_tiles and so on: what runs in tiles, and why; only with --tile. */
void split_people_tiles(const split *p, cli_buffer *out);
void split_porcelain_tiles(const split *p, cli_buffer *out);
void split_json_tiles(const split *p, cli_buffer *out);

/* ==== convert ====
 * Values that are converted at boundaries. */

int split_convert_check(split *p);

/* split_convert: which values are; with --no-convert, changes the placement so that none crosses.
 * Returns an exit status. */
int split_convert(split *p);

/* split_convert_time: nanoseconds to convert a value where it crosses. */
uint64_t split_convert_time(const split *p, gsp_node v);

/* split_people_convert, split_json_convert: how many are; nothing without such an option. */
void split_people_convert(const split *p, cli_buffer *out);
void split_json_convert(const split *p, cli_buffer *out);

/* ==== try_runs ====
 * Pieces that the command has run on. */

#define TRIES_OVER (-1) /* an exit status: the user asked to end */

enum { TRY_UNKNOWN, TRY_PASSED, TRY_REFUSED };
enum { TRY_NODES, TRY_PARAMS, TRY_RESULTS, TRY_BYTES, TRY_SIZES };
enum { TRY_MOST_JOBS = 64 };

/* A program, and the answer of the command. */
typedef struct try_piece {
    gsp_fingerprint print;
    gsp_graph graph;
    const gsp_node *nodes; /* [n_nodes] of the first piece with it; NULL if only a log has it */
    uint32_t n_nodes;
    uint32_t n_runs; /* with this answer */
    uint8_t answer;
    uint64_t size[TRY_SIZES];
} try_piece;

typedef struct try_job {
    cli_process process;
    const char *dir;
    uint32_t piece;
    int is_busy;
} try_job;

typedef struct tries {
    split *p;
    split_tries *sum;
    const char *command; /* with {} */
    cli_set set;
    char temp[CLI_TEMP_SIZE]; /* "" if there is none */
    try_piece *pieces;        /* [n_pieces] */
    uint32_t n_pieces;
    uint64_t n_unique; /* pieces without a fingerprint */
    try_job jobs[TRY_MOST_JOBS];
    uint32_t n_jobs;
    uint8_t *is_culprit; /* [nodes] */
    gsp_node *because;   /* [nodes] another culprit that it is refused with, or GSP_NONE */
    uint8_t *is_left;    /* [nodes] of pieces that the user did not wait for */
} tries;

/* tries_begin: a directory for pieces, and the answers of the log. Returns an exit status, or
 * TRIES_OVER, as the others do. */
int tries_begin(tries *t);
void tries_end(tries *t);

/* tries_piece: the piece of these nodes. */
int tries_piece(tries *t, const gsp_node *nodes, uint32_t n, uint32_t *id);

/* tries_run: runs the command on each piece until it has run so often, n_jobs at a time. */
int tries_run(tries *t, const uint32_t *ids, uint32_t n, uint32_t runs);

/* tries_test: the answer about these nodes. */
int tries_test(tries *t, const gsp_node *nodes, uint32_t n, int *refused);

/* ==== try_search ====
 * Why a piece is refused. */

/* Nodes in an order in which contiguous units are pieces that can run. */
typedef struct try_units {
    uint32_t n;
    uint32_t *begin; /* [n + 1] */
    gsp_node *nodes; /* unit i is nodes[begin[i] .. begin[i + 1] - 1] */
} try_units;

/* tries_units: what has to stay together in a piece: groups, and what unpacks a value. */
void tries_units(
    tries *t, const uint32_t *group, const gsp_node *nodes, uint32_t n, try_units *units);

/* tries_search: the culprits of a refused piece, which it marks; *is_size: instead of that, a limit
 * on sizes explains all answers. */
int tries_search(tries *t, const try_units *units, int *is_size);

/* tries_spread: units that equal a refused one by itself are culprits, too. */
int tries_spread(tries *t, const try_units *units);

/* tries_cut: cuts a piece that is too large into the fewest that pass, with little traffic; begin:
 * [n] the first unit of each; a unit that is refused alone becomes a culprit, and n 0. */
int tries_cut(tries *t, const try_units *units, uint32_t *begin, uint32_t *n);

/* ==== try ====
 * --try: splits until a command takes every piece of an accelerator. */

/* split_try_check, split_try: its options, and placement and phases that the command takes. */
int split_try_check(split *p);
int split_try(split *p);

/* split_people_tries and so on: what the command said. */
void split_people_tries(const split *p, cli_buffer *out);
void split_json_tries(const split *p, cli_buffer *out);

/* ==== windows ====
 * Phases of the whole graph with little traffic. */

#ifndef GSP_NO_FLOW

/* Phases from either first kind. */
typedef struct split_windows {
    gsp_split_result whole;
    gsp_traffic_result
        resident[2]; /* of least traffic by this measure, with what all phases share, */
    gsp_traffic_result written[2]; /* and by this one; of the second no phases if it has more */
} split_windows;

/* split_windows_whole: the split of phases alone: no limit, no size, nothing moves. Returns an exit
 * status, as the others do. */
int split_windows_whole(split *p, gsp_split_result *whole);

/* split_windows_one: phases of least traffic. */
int split_windows_one(split *p, const gsp_traffic_desc *desc, gsp_traffic_result *r);

/* split_windows_find: those from both kinds. */
int split_windows_find(split *p, split_windows *w);

#endif

/* ==== choose ====
 * What is decided before the cut: which nodes give way to limits, and phases of least traffic. */

/* split_value: the value of every node, as --value has it. NULL means 1 each, or a reported
 * error. */
const uint64_t *split_value(const split *p, int *code);

/* split_choose: changes placement and desc for --max-acc, --limit-policy exact, --order and
 * --minimise time. */
int split_choose(split *p);

/* ==== tradeoff ====
 * The peak of the run against the bytes that cross between subgraphs. */

/* Orders from one first kind. */
typedef struct split_tradeoff {
    order_graph graph;
    gsp_tradeoff_desc desc;
    uint32_t *starts;           /* [n_starts][tasks] orders that are known */
    gsp_tradeoff_point *points; /* of the last search, of the orders above */
    gsp_tradeoff_result found;
} split_tradeoff;

#ifndef GSP_NO_FLOW
/* split_tradeoff_make: the tasks; no limit, no weights, no orders. */
gsp_status split_tradeoff_make(const split *p, const gsp_split_result *whole,
    const gsp_traffic_result *windows, split_tradeoff *t, gsp_error *err);
#endif

/* split_tradeoff_try: adds an order by the phases of units (NULL: of nodes), and better ones in
 * these phases; with `calls`, only that order. */
void split_tradeoff_try(
    split_tradeoff *t, const uint32_t *of, const uint32_t *unit, const gsp_node *calls);

/* split_tradeoff_search: the points of better orders than those that are known, which their orders
 * replace. */
void split_tradeoff_search(split_tradeoff *t, uint64_t max_work);

/* The points of both kinds; their orders are of either. */
typedef struct split_tradeoff_points {
    gsp_tradeoff_point *points; /* by ascending peak */
    uint32_t n_points;
    int complete; /* there are no others */
} split_tradeoff_points;

/* split_tradeoff_curve: points of peak and traffic of which none is as good as another in both.
 * Returns 0 if there are none: several accelerators, a plan, one subgraph, too many nodes. */
int split_tradeoff_curve(const split *p, split_tradeoff_points *c);

/* ==== least_peak ====
 * --order least-peak: phases and an order with the least peak of a run in one memory, or with the
 * least sum of that and of the bytes that cross. */

#ifndef GSP_NO_FLOW
/* split_least_peak_choose: puts the graph into that order; changes placement and desc. */
int split_least_peak_choose(split *p, const split_windows *w);
#endif

/* split_weights_read: --weights. Returns an exit status. */
int split_weights_read(split *p);

/* split_crossing: bytes of calls that another subgraph reads, each once. */
uint64_t split_crossing(const gsp_graph *g, const gsp_split_result *r);

/* split_least_peak_check: the result of the run, and --peak. Returns an exit status. */
int split_least_peak_check(split *p);

/* ==== blocks ====
 * --blocks of `split`. */

/* split_blocks_make: makes subgraphs of the repeated regions of accelerators' subgraphs. Changes
 * `result`; `made` is that of the split before. Returns an exit status. */
int split_blocks_make(split *p);

/* split_blocks_count: counts the programs after it, of `made`. */
void split_blocks_count(const split *p);

/* split_block_name: the name of a graph that subgraphs call. */
gsp_str split_block_name(const split *p, uint32_t shared);

/* ==== curve ====
 * The result of every minimum size, and the recommended one. */

/* A recommended minimum keeps at least this percentage of the accelerator's nodes. */
#define SPLIT_KEEP_PERCENT 95u

/* The result when all accelerator subgraphs below a minimum move to the CPU. */
typedef struct split_curve_point {
    uint32_t minimum;
    uint32_t subgraphs;
    uint32_t n_acc;
    uint32_t nodes; /* on accelerators */
} split_curve_point;

typedef struct split_curve {
    split_curve_point *points; /* by ascending minimum; the first is minimum 1 */
    uint32_t n_points;
    uint32_t best;
} split_curve;

void split_curve_make(const split *p, split_curve *c);

/* split_curve_present: the point of the present split; the first if no subgraph was too small. */
uint32_t split_curve_present(const split *p, const split_curve *c);

/* ==== emit ====
 * --emit of `split`: one file per submodule, and a manifest. */

int split_emit(const split *p);

/* ==== operators ====
 * Operators in the order of reports, and what trials are told about them. */

/* split_operators_by_cpu, _by_cuts: all operators, those with most nodes on the CPU or with most
 * cuts first. */
const split_operator **split_operators_by_cpu(const split *p, const split_facts *f);
const split_operator **split_operators_by_cuts(const split *p, const split_facts *f);

/* Limit of node visits for all trials. */
#define SPLIT_TRIAL_WORK 4000000u

/* Splits as if the first accelerator supported more of the operators. */
typedef struct split_trial {
    const gsp_graph *graph;
    gsp_operators_desc desc; /* without a goal */
    gsp_arena arena;
    gsp_mark start;
} split_trial;

void split_trial_open(const split *p, const split_facts *f, split_trial *t);

/* split_trial_run: makes the result, which is valid until the next run, or returns 0. */
int split_trial_run(
    split_trial *t, const uint32_t *operators, uint32_t n, gsp_split_result *result);

/* split_trial_one: the number of subgraphs with this operator as well; GSP_NONE if unknown. */
uint32_t split_trial_one(split_trial *t, uint32_t op);

/* ==== plan ====
 * --save-plan of `split`. */

int split_save_plan(const split *p);

/* ==== replay ====
 * --plan of `split`. */

/* split_from_plan: uses --plan instead of the splitter: the whole result and the tags. */
int split_from_plan(split *p);

/* split_plan_error: reports that the parts of a plan make no module. */
int split_plan_error(const split *p, const gsp_error *err);

/* ==== reorder ====
 * The graph in another order. */

/* split_reorder: p->graph with its calls in this order, and its placement; *order: the former nodes
 * in the order of the new ones. p->given is then the peak of the former order. */
int split_reorder(split *p, const gsp_node *calls, gsp_node **order);

/* ==== rewrite ====
 * The figures of the operators to support next, and the call of the search. */

/* The split with the operators of this step and of all steps before it. */
typedef struct split_rewrite_step {
    uint32_t op; /* of split_facts.operators */
    uint32_t subgraphs;
    uint64_t on_acc;  /* nodes */
    uint64_t bytes;   /* that cross the boundary of an accelerator */
    int is_timed;     /* all nodes that moved so far have cpu= and compute= */
    double cpu_saved; /* seconds: cpu= less compute= of these nodes */
} split_rewrite_step;

typedef struct split_rewrite {
    uint32_t n_steps;
    split_rewrite_step *steps; /* [n_steps] the most important operator first */
    uint32_t goal;             /* of --rewrite-to; GSP_NONE without */
    gsp_operators_result least;
} split_rewrite;

/* split_rewrite_make: the steps, and with --rewrite-to K the least set. The work is limited: there
 * may be no steps, and the least set may stay unproved. */
void split_rewrite_make(const split *p, const split_facts *f, split_rewrite *r);

/* ==== take ====
 * The split of kinds that are chosen before the cut. */

/* split_run: a split in memory of its own. Returns an exit status. */
int split_run(split *p, const gsp_split_desc *desc, gsp_split_result *result);

/* split_take: the split of these kinds, with the groups of the reference; sets what it is made of.
 * Returns an exit status. */
int split_take(split *p, const gsp_split_result *reference, const uint8_t *kind,
    gsp_split_desc *desc, gsp_placement *placement, gsp_split_result *result);

/* ==== several ====
 * --minimise time with several accelerators, or with --overlap. */

#ifndef GSP_NO_FLOW
struct split_worth {
    cli_costs costs;
    gsp_offload_desc desc;
    gsp_offload_result r;
    gsp_split_result all;        /* offloads all that is supported */
    uint32_t n_all;              /* its accelerator subgraphs */
    uint64_t launch[256];        /* [kinds] nanoseconds */
    gsp_sides_desc sides;        /* with several accelerators, or --overlap */
    gsp_overlap_result *overlap; /* NULL without --overlap */
    uint64_t serial;             /* with it: the best time if one thing runs after the other */
};

/* 1 if the choice is not that of gsp_offload_run(). */
#define SPLIT_IS_SEVERAL(p) ((p)->placement.n_kinds > 2u || (p)->opt.overlap != 0)

#define SPLIT_TOO_LONG \
    "--minimise time: the times are too large to be added in nanoseconds; give them in a larger " \
    "unit"

/* split_launches_read: --launch of each kind. */
int split_launches_read(split *p, uint64_t launch[256]);

int split_several_choose(split *p, split_worth *w);

/* split_several_time: nanoseconds of these kinds, one thing after the other. */
uint64_t split_several_time(const split *p, gsp_arena *arena, const uint8_t *kind);
#endif

/* ==== worth ====
 * --minimise time: the nodes to offload. */

/* An accelerator subgraph, of the result or of a split that offloads all that is supported. */
typedef struct split_worth_row {
    uint32_t subgraph;
    gsp_node first;
    uint32_t nodes;
    uint32_t kept; /* of them are on the accelerator in the result */
    uint64_t cpu;  /* nanoseconds of its nodes */
    uint64_t acc;
    int64_t saves; /* the CPU would take so much longer; INT64_MIN: not known */
} split_worth_row;

typedef struct split_worth_rows {
    split_worth_row *rows;
    uint32_t n;
} split_worth_rows;

/* split_worth_check: the options that --minimise time takes, and those that it excludes. Returns an
 * exit status. */
int split_worth_check(split *p);

/* split_worth_choose: changes placement and desc to what takes the least time. */
int split_worth_choose(split *p);

/* split_worth_rows_make: what each accelerator subgraph saves, of the result or of all; only the
 * first `timed` are timed. */
void split_worth_rows_make(const split *p, const gsp_split_result *of, const uint8_t *kind,
    uint32_t timed, split_worth_rows *rows);

/* ==== dot ====
 * --dot, --dot-support, --dot-module: drawings for Graphviz. */

void split_dot(const split *p, cli_buffer *out);
void split_dot_support(const split *p, cli_buffer *out);
int split_dot_module(const split *p, cli_buffer *out);

/* ==== explorer ====
 * --model-explorer: the graph for Model Explorer. */

void split_model_explorer(const split *p, cli_buffer *out);

/* ==== html ====
 * --html: a report in one file. */

void split_html(const split *p, cli_buffer *out);

/* split_html_changes: the members of the report's JSON document that options change, but for
 * nodes. */
void split_html_changes(const split *p, const split_facts *f, cli_buffer *out);

/* ==== html_tables ====
 * Further contents of the report: attributes of nodes, and the tables of the command line. */

/* split_html_tables: members of the report's JSON document, each with a comma before it. */
void split_html_tables(const split *p, const split_facts *f, cli_buffer *out);

/* ==== json ====
 * The JSON of `split`. */

void split_json(const split *p, cli_buffer *out);

/* ==== map ====
 * --map: from the names of the input to those of the split module. */

void split_map(const split *p, cli_buffer *out);

/* ==== people ====
 * The report of `split` for people. */

void split_people(const split *p, cli_buffer *out);

/* ==== people_blocks ====
 * The part of the report about --blocks. */

void split_people_blocks(const split *p, cli_buffer *out);

/* ==== people_curve ====
 * The part of the report about minimum sizes. */

void split_put_curve(const split *p, cli_buffer *out);

/* ==== people_least ====
 * Figures of a split that are not known, for a dimension is no number or a TYPE is missing. */

/* Figures of a subgraph: bits. */
typedef enum split_least_bit {
    SPLIT_LEAST_IN = 1,
    SPLIT_LEAST_OUT = 2,
    SPLIT_LEAST_PEAK = 4,
    SPLIT_LEAST_PARAMS = 8
} split_least_bit;

/* 1 if the bytes are a lower bound. */
typedef struct split_least {
    uint8_t *subgraphs; /* [n_subgraphs] bits */
    int yielded[2];     /* all, on_acc */
    int params[2];
    int boundary;
    int rest; /* crossings from CPU to CPU */
} split_least;

void split_least_make(const split *p, split_least *least);

/* ==== people_operators ====
 * The parts of the report about operators and cuts. */

void split_put_operators(const split *p, const split_facts *f, cli_buffer *out);
void split_put_cuts(const split *p, const split_facts *f, cli_buffer *out);

/* ==== people_proof ====
 * The proof of a split, for people. */

/* split_people_proof: lines about --start best, limits and --order, before small subgraphs join the
 * CPU. */
void split_people_proof(const split *p, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `split`. */

void split_porcelain(const split *p, cli_buffer *out);

/* ==== show_rewrite ====
 * Operators to support next, in the outputs of `split`. */

void split_put_rewrite(const split *p, const split_facts *f, cli_buffer *out);

/* split_put_next: how to see more, and, without --rewrite-to, the operator to support next with
 * what that changes, if anything. */
void split_put_next(const split *p, const split_facts *f, cli_buffer *out);

/* split_porcelain_rewrite, split_json_rewrite: with --rewrite-to. */
void split_porcelain_rewrite(const split *p, cli_buffer *out);
void split_json_rewrite(const split *p, const split_facts *f, cli_buffer *out);

/* ==== show_worth ====
 * The nodes to offload, in every output. */

/* split_put_unknown: "; by what is known: 2 of 4 times are unknown". */
void split_put_unknown(const split *p, cli_buffer *out);

/* split_put_verdict: the first line of the report. */
void split_put_verdict(const split *p, cli_buffer *out);

/* split_put_worth: what subgraphs save, and the best time with few of them. */
void split_put_worth(const split *p, cli_buffer *out);

void split_porcelain_worth(const split *p, cli_buffer *out);
void split_json_worth(const split *p, cli_buffer *out);
void split_html_worth(const split *p, cli_buffer *out);

/* ==== show_overlap ====
 * --overlap: what runs at the same time. */

/* split_put_overlap: the table of the timeline. */
void split_put_overlap(const split *p, cli_buffer *out);

/* split_json_overlap: a member of "time". */
void split_json_overlap(const split *p, cli_buffer *out);

void split_overlap_svg(const split *p, cli_buffer *out);
void split_overlap_trace(const split *p, cli_buffer *out);

/* ==== why ====
 * --why: why a node is where it is. */

int split_why(const split *p, cli_buffer *out);

/* split_put_objection: why an accelerator does not support a node, as a phrase: a type, or the
 * program of another vendor; nothing when it is the operator. */
void split_put_objection(const split *p, cli_buffer *out, gsp_node v);

/* ==== split ====
 * The command `split`, and its pass for other commands. */

/* Options that control the split, for every command that splits. */
/* clang-format off */
#define SPLIT_CUT_OPTIONS                                                                          \
    {"--min-acc-module-size", "N", CLI_NUMBER, offsetof(split_options, min_size), 0, UINT32_MAX,   \
     "accelerator subgraphs with fewer than N nodes go to the CPU; 1: none do"},                   \
    {"--waive-min-size", NULL, CLI_FLAG, offsetof(split_options, waive_min_size), 0, 0,            \
     "ignore the minimum when an accelerator supports every callable node"},                       \
    {"--max-acc-module-size", "N", CLI_NUMBER, offsetof(split_options, max_size), 0, UINT32_MAX,   \
     "accelerator subgraphs with more than N nodes are cut; 0: no limit"},   \
    {"--max-acc-splits", "N", CLI_NUMBER, offsetof(split_options, limit), 0, UINT32_MAX,           \
     "at most N subgraphs, including those on the CPU; 0: no limit"},                              \
    {"--max-acc", "N", CLI_NUMBER, offsetof(split_options, max_acc), 0, UINT32_MAX,                \
     "at most N accelerator subgraphs, by --limit-policy exact; 0: no limit"},                     \
    {"--limit-policy", "error|demote|exact", CLI_CHOICE, offsetof(split_options, limit_policy), 0, \
     0,                                                                                            \
     "what happens above the limit: the pass fails (the default), the least valuable accelerator " \
     "subgraphs go to the CPU (demote), or the nodes of least value do (exact)"},                  \
    {"--value", "count|bytes|nodes|time", CLI_CHOICE, offsetof(split_options, value), 0, 0,        \
     "the value of what gives way: its number of nodes (the default), the bytes that they read "   \
     "and produce; or nodes, or the time that the accelerator saves (cpu= less compute=), by "     \
     "--limit-policy exact"},                                                                      \
    {"--start", "reference|best", CLI_CHOICE, offsetof(split_options, best_start), 0, 0,           \
     "the kind of the first subgraph: as in PyTorch (the default), or what gives the fewest "      \
     "subgraphs"},                                                                                 \
    {"--order",                                                                                    \
     "reference|min-traffic|min-traffic:written|min-traffic:read|min-traffic:resident|least-peak|" \
     "least-peak,traffic",                                                                         \
     CLI_CHOICE, offsetof(split_options, order), 0, 0,                                             \
     "as many subgraphs, with the fewest bytes written by them (the default of min-traffic), read "\
     "by them, or kept from one to the next until the last reader; or with the least peak of the " \
     "whole run in one memory, or the least sum of that and of the bytes written"},                \
    {"--skip-fusion", NULL, CLI_FLAG, offsetof(split_options, skip_fusion), 0, 0,                  \
     "do not group nodes that pass non-tensor values to each other"},                              \
    {"--allow-non-tensor", NULL, CLI_FLAG, offsetof(split_options, allow_non_tensor), 0, 0,        \
     "non-tensor values may cross between subgraphs"},                                             \
    {"--move-non-tensor-nodes-on-boundary", NULL, CLI_FLAG,                                        \
     offsetof(split_options, move_non_tensor), 0, 0,                                               \
     "move a non-tensor node to the one other subgraph that contains all of its readers"},         \
    CLI_IGNORE_WRITES(offsetof(split_options, ignore_writes)),                                     \
    {"--prefix", "P", CLI_STRING, offsetof(split_options, prefix), 0, 0,                           \
     "names of subgraphs are P, kind, _, number; default _run_on_"}
/* clang-format on */

/* split_check_options: checks the options; reads accelerators and pins. */
int split_check_options(split *p);

/* split_start: reads the file, places the nodes, splits, makes the tags. */
int split_start(split *p);

/* split_make: the same for a graph that was read, p->graph. */
int split_make(split *p);

extern const cli_pass cli_split_pass;

#endif
