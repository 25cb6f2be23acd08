/* The command `memory`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_MEMORY_MEMORY_H
#define CLI_COMMANDS_MEMORY_MEMORY_H

#include "algorithms/algorithms.h"
#include "core/core.h"
#include "input/input.h"

/* ==== facts ====
 * The input and the results of the command `memory`. */

typedef struct memory_options {
    uint64_t budget; /* UINT64_MAX if not given; of each part, if budget_pieces is given */
    uint64_t budget_pieces;
    const char *graph;
    const char *svg;
    const char *emit;
    const char *save_plan;
    const char *save_csv;
    const char *order;
    const char *emit_model;
    const char *save_tflite;
    const char *max_recompute;
    const char *curve;
    const char *curve_svg;
    const char *region; /* FIRST..LAST of --tile, or NULL */
    uint64_t fit;       /* UINT64_MAX if not given */
    uint64_t align;     /* 0 if not given */
    uint64_t beam;      /* 0 if not given */
    uint64_t reuse_after;
    uint64_t capacity; /* UINT64_MAX if not given */
    const char *run_of;
    cli_maybe exact;
    cli_maybe in_place;
    uint32_t sequential;
    uint32_t concurrent;
    uint32_t skip_inputs;
    uint32_t views;
    uint32_t csv;
    uint32_t weights;
    uint32_t tile;
    uint32_t stream_input;
    uint32_t prefetch;
    uint64_t bandwidth; /* of --prefetch, bytes per second; 0 if not given */
    cli_times times;
    const char *emit_c;
} memory_options;

/* A graph of the module, with the graphs that its nodes run. */
typedef struct memory_graph {
    gsp_graph graph;
    gsp_liveness_part peak;
    uint64_t params; /* bytes of distinct parameters and of called modules */
    uint64_t state;  /* bytes of distinct get_attr that a node writes: RAM, kept between runs */
    uint32_t n_calls;
} memory_graph;

/* What --order found. */
typedef struct memory_found {
    uint64_t bound;   /* no order has a smaller peak */
    uint64_t peak;    /* of the given order */
    uint64_t work;    /* calls tried as the next one */
    uint64_t bytes;   /* of the last search */
    uint32_t n_parts; /* of the given order; 0 if it does not fit */
} memory_found;
/* What a tensor is, with several memories. */
typedef enum memory_kind {
    MEMORY_TENSOR,
    MEMORY_SCRATCH,
    MEMORY_STATE,     /* get_attr that a node writes */
    MEMORY_PARAMETER, /* only with --weights */
    MEMORY_COPY       /* of a parameter, only with --prefetch */
} memory_kind;

typedef struct memory_use {
    uint64_t bytes;   /* the greatest end of a tensor */
    uint64_t least;   /* most live bytes */
    uint64_t traffic; /* bytes read and written */
    uint32_t tensors;
} memory_use;

/* Several memories (--memory); then memory_plan lists the tensors of all kinds. */
typedef struct memory_several {
    uint32_t n; /* 0 if not given */
    uint32_t spilled;
    gsp_memory list[GSP_MEMORIES_MOST]; /* costs in picoseconds per byte */
    gsp_str names[GSP_MEMORIES_MOST];
    int priced[GSP_MEMORIES_MOST]; /* 1 if the cost was given */
    memory_use use[GSP_MEMORIES_MOST];
    const uint32_t *kind;    /* [n_tensors] memory_kind */
    const uint64_t *traffic; /* [n_tensors] */
    uint32_t *pins;          /* [n_tensors] GSP_NONE if there is none */
    uint32_t *home;          /* [n_tensors] the cheapest memory in which the tensor may lie */
    gsp_memories_desc desc;
    gsp_memories_result result;
} memory_several;

/* Peaks over a range of a dimension. */
typedef struct memory_range {
    const char *name; /* of the dimension; NULL without a range */
    uint64_t first, first_peak;
    uint64_t last, last_peak;
    uint64_t largest, largest_peak;
    uint64_t turn; /* the first value where the peak turns, if `turns` */
    uint64_t n_tried;
    int turns; /* 1: up, after it fell; -1: down; 0: it is monotone */
} memory_range;

/* Plans of the graphs that nodes of a TensorFlow Lite model run, each in a block of its caller. */
typedef struct memory_nested {
    uint64_t *block;               /* [nodes of the module]; NULL without such nodes */
    gsp_memory_plan_result *plans; /* [graphs] */
    uint64_t *base;                /* [graphs] of the plan in the arena, or one of those below */
    uint32_t *order;               /* [graphs] callees first */
} memory_nested;

/* Tensors that lie inside others (--in-place), which are one tensor of the plan each. */
typedef struct memory_children {
    uint32_t n;          /* how many lie inside others; 0: the rest is not set */
    gsp_tensor *tensors; /* [n_tensors] all, each by itself, where it is */
    uint32_t n_tensors;
    uint32_t *tensor_of; /* [nodes] of a value */
    gsp_node *lies_in;   /* [nodes] the value inside which that of a node lies, or GSP_NONE */
} memory_children;

/* Regions that run in tiles (--tile), by the names of their operators in the input. */
typedef struct memory_tiled {
    gsp_tile_region region;
    gsp_str first;
    gsp_str last;
} memory_tiled;

/* A point of the curve. */
typedef struct memory_choice {
    uint64_t arena;
    uint64_t micro; /* of TensorFlow Lite Micro, 32 bits */
    gsp_tile_cost cost;
    int taken;
} memory_choice;

/* An input of which tiles are inputs of the new graph (--stream-input). */
typedef struct memory_stream {
    gsp_str input; /* empty without --stream-input */
    uint32_t parts[GSP_TILES_AXES];
    uint32_t n;          /* tiles */
    gsp_tile_box *tiles; /* [n] */
    uint64_t largest;    /* bytes of a tile */
    uint64_t others;     /* bytes of the other inputs */
} memory_stream;

typedef struct memory_tiles {
    memory_stream stream;
    memory_tiled *list;
    uint32_t n;
    memory_choice *choices; /* [n_choices] those that are planned, by descending peak */
    uint32_t n_choices;
    gsp_tile_cost cost;
    uint64_t before;    /* the arena without them */
    uint64_t micro;     /* what TensorFlow Lite Micro needs without them, 32 bits */
    uint64_t ram;       /* with them; beside the arena, a tile of the stream and other inputs */
    double macs;        /* of the graph without them */
    double most;        /* percent of these that may be computed again; negative if not given */
    gsp_str busiest;    /* what needs most */
    int complete;       /* all regions were tried */
    int proved;         /* no choice of regions is better */
    uint64_t lines;     /* estimate: each row once, in rolling buffers; 0: no loop saves any */
    uint32_t operators; /* without tiles */
} memory_tiles;

/* Parameters of the slow memory, copied to the fast one (--prefetch). */
typedef struct memory_prefetch {
    uint32_t fast; /* memories */
    uint32_t slow;
    uint32_t first;   /* the first copy among the tensors of the plan */
    uint32_t n;       /* copies */
    uint32_t *source; /* [n] the tensor of the parameter */
    uint32_t *uses;   /* [n] steps */
    uint64_t *bytes;  /* [n] in multiples of the alignment */
    uint64_t *ticks;  /* [n] ps */
    uint64_t *times;  /* [nodes] ps of each step */
    uint32_t untimed; /* nodes that are called and have no time */
    int is_chain;     /* 1 if the nodes that are called have one order alone */
    uint64_t inside;  /* bytes of parameters inside graphs that nodes run: not copied */
    uint64_t least; /* no order of the nodes stalls less, copies in order of use if it is a chain */
    gsp_prefetch_desc desc;
    gsp_prefetch_result result;
} memory_prefetch;

#define MEMORY_NOWHERE UINT64_MAX        /* the chosen graph does not run it */
#define MEMORY_TWICE   (UINT64_MAX - 1u) /* it has several */

typedef struct memory {
    cli_session *session;
    memory_range range;
    memory_options opt;
    int may_misfit;       /* 1: no assignment to memories is no error, and costs UINT64_MAX */
    memory_graph *graphs; /* [module.counts.graphs] */
    uint32_t chosen;
    int has_micro;
    cli_micro micro; /* of TensorFlow Lite Micro */
    gsp_graph graph; /* the one that the report is about */
    gsp_counts counts;
    const uint64_t *scratch; /* [n] of calls of child graphs, or NULL */
    memory_nested nested;
    gsp_liveness_desc liveness_desc;
    gsp_memory_plan_desc memory_plan_desc;
    gsp_split_by_memory_desc split_desc;
    gsp_liveness_result liveness;
    gsp_memory_plan_result memory_plan;
    gsp_memory_plan_result placed;    /* before the search */
    gsp_split_by_memory_result split; /* only with a budget */
    gsp_liveness_part whole;          /* the part of one RAM without its inputs */
    gsp_error no_fit;                 /* why none fits; `split` is then that of split_desc.budget */
    gsp_liveness_result alone;        /* then: every callable node as a part of its own */
    gsp_str *ids; /* only with --csv: of the tensors, whose node is their line */
    gsp_tensor *tensors;
    uint32_t *aligns;
    uint32_t *fixed;
    uint32_t *resumed;  /* 1 for the tensor before, after a gap in its lifetime */
    gsp_str *cells;     /* of the column memory, or NULL */
    gsp_str *together;  /* of the column together */
    gsp_str *apart;     /* of the column apart */
    uint32_t *pairs[2]; /* of these columns, two tensors per pair */
    uint32_t n_pairs[2];
    int has_pairs;           /* the file has one of these columns */
    uint64_t *traffic;       /* of the column traffic, or of one write and one read */
    gsp_tensor *improved;    /* by the search */
    const uint64_t *planned; /* [tensors] offsets of those of --csv */
    uint64_t greedy;         /* bytes of the plan before the search */
    uint64_t lower_bound;
    uint64_t max_work;
    int searches;
    int is_first; /* of several orders: the search waits */
    memory_found found;
    int pieces; /* the budget is that of each part */
    memory_several several;
    memory_prefetch prefetch;
    memory_tiles tiles;
    const gsp_node *order; /* [n_order] in which the calls run, or NULL */
    uint32_t n_order;
    cli_parts parts;       /* whose order that is; part_of is NULL if there are none */
    uint32_t *step;        /* [n] of a node in that order; NULL if there is none */
    cli_in_place in_place; /* with --in-place */
    memory_children children;
    uint64_t separate; /* with --in-place: the arena without results in place */
    gsp_tensor *shown; /* [n_shown] those of the plan, and results in place */
    uint32_t n_shown;
    uint32_t *misfit; /* [n_tensors] 1 if in the set that does not fit into --capacity */
    size_t bound;
    cli_timing timing;
} memory;

/* memory_choose: the graph that the report is about, and all that memory_graphs() computes. */
int memory_choose(memory *m);

/* An iteration over the nodes that a node writes (mutates=), in the order of positions.
 * gsp_node_next_written() passes over the arguments again where positions descend. */
typedef struct memory_written {
    const gsp_node *leaves;
    uint32_t n;
    gsp_str rest; /* positions */
} memory_written;

/* memory_written_of: starts; `leaves` has room for all arguments. */
memory_written memory_written_of(const gsp_graph *graph, gsp_node node, gsp_node *leaves);

/* memory_next_written: the next node; GSP_NONE at the end. */
gsp_node memory_next_written(memory_written *walk);

/* memory_graphs: computes all graphs of the module, called graphs first. */
int memory_graphs(memory *m);

/* memory_parts: the parts that fit the budget; no_fit says what does not fit. */
gsp_status memory_parts(memory *m, gsp_arena *arena, gsp_error *err);

/* memory_parts_bound: bytes for it. */
size_t memory_parts_bound(const memory *m);

/* memory_least: after no_fit, the least budget that works, and the parts that it gives. */
int memory_least(memory *m);

/* memory_is_least: 1 if the bytes of some activation (or parameter) are not known. */
int memory_is_least(const memory *m, int params);

/* memory_has_blocks: 1 if what the graphs need that nodes run is one block for each node. */
int memory_has_blocks(const memory *m);

/* memory_proves: `found`, where all sizes are known. */
int memory_proves(const memory *m, int found);

/* memory_node_name: the name of a node; `return` for the output. */
gsp_str memory_node_name(const gsp_graph *graph, gsp_node node);

/* memory_tensor_name: the name of a planned tensor. */
gsp_str memory_tensor_name(const memory *m, const gsp_tensor *tensor);

/* memory_cut: cuts off the text before the first `end`, without blanks around it. */
gsp_str memory_cut(gsp_str *text, char end);

/* memory_kind_word: tensor, scratch, state, parameter or copy. */
const char *memory_kind_word(uint32_t kind);

/* ==== nested ====
 * Plans of called graphs. */

/* memory_nested_plan: plans all graphs but the chosen one. */
gsp_status memory_nested_plan(memory *m, gsp_error *err);

/* memory_nested_bound: corrects what m->memory_plan says of the least bytes. */
gsp_status memory_nested_bound(memory *m, gsp_error *err);

/* memory_nested_place: sets where they begin in the arena; after m->memory_plan. */
void memory_nested_place(memory *m);

/* ==== children ====
 * Tensors inside others: concatenations, splits and slices in place. */

/* memory_children_join: m->memory_plan and m->children with them, if that makes the arena smaller.
 */
gsp_status memory_children_join(memory *m, gsp_arena *arena, gsp_error *err);

/* memory_children_least: the arena of m->memory_plan, or a smaller one with tensors inside others;
 * m->memory_plan may be changed. */
uint64_t memory_children_least(memory *m, const uint32_t *parts);

/* ==== in_place ====
 * Results in place: what may stand where, and the tensors that a plan with them has. */

/* memory_in_place_read: with --in-place, what may stand where, for the plan; and m->separate. */
int memory_in_place_read(memory *m);

/* memory_in_place_least: without --in-place, the arena that it would give; UINT64_MAX if there is
 * none. */
uint64_t memory_in_place_least(const memory *m);

/* memory_stands_on: the node on or inside whose value that of a node stands, or GSP_NONE. */
gsp_node memory_stands_on(const memory *m, gsp_node v);

/* memory_in_place_count: such nodes. */
uint32_t memory_in_place_count(const memory *m);

/* memory_tensor_of: the tensor of a value, where it is; NULL if it has none. */
const gsp_tensor *memory_tensor_of(const memory *m, gsp_node v);

/* memory_shown: m->shown, by node. A chain of results in place is one tensor of the plan and shown
 * as several. */
void memory_shown(memory *m);

/* ==== run_of ====
 * --run-of: the order in which the parts of a plan run. */

/* memory_run_of: m->order and m->parts from that plan. */
int memory_run_of(memory *m);

/* memory_steps: m->step, from the order of m->liveness. */
void memory_steps(memory *m);

/* ==== prefetch ====
 * --prefetch: parameters are copied to the fast memory ahead of the steps that read them. */

/* memory_prefetch_check: the options, after those of the memories. Returns an exit status. */
int memory_prefetch_check(memory *m);

/* memory_prefetch_run: plans the tensors, parameters and pins of m->several, which then has the
 * copies, too. Returns an exit status. */
int memory_prefetch_run(memory *m);

/* ==== memories ====
 * Several memories (--memory): what they are, what may lie where, and the assignment. */

/* memory_memories_read: the memories of the options, as m->several. */
int memory_memories_read(memory *m);

/* memory_memories_run: assigns the tensors of m->memory_plan, state and, with --weights, parameters
 * to the memories. m->memory_plan lists them all then, with their offsets. */
int memory_memories_run(memory *m);

/* ==== misfit ====
 * Why tensors do not fit into several memories. */

/* memory_misfit: an error that says why, and names a minimal set of tensors that do not fit. */
int memory_misfit(memory *m, const char *why);

/* ==== order ====
 * Orders of a graph that need less memory. */

typedef struct memory_orders {
    gsp_module given;
    gsp_node **at; /* [n] orders of the nodes of the given graph; at[0]: NULL, as it is */
    uint32_t n;
} memory_orders;

/* memory_orders_find: the given order, one with the least peak, and others if parts are wanted;
 * fills what m->found says of the search. Returns an exit status. */
int memory_orders_find(memory *m, memory_orders *orders);

/* memory_orders_take: puts the module of the session into that order. */
int memory_orders_take(memory *m, const memory_orders *orders, uint32_t i);

/* memory_emit_model: writes the module as a file of the format that its ending names. */
int memory_emit_model(const memory *m);

/* ==== pack ====
 * Lifetimes from a CSV file, and plans smaller than greedy ones. */

/* memory_csv_read: the tensors of --csv as m->memory_plan. */
int memory_csv_read(memory *m);

/* memory_csv_desc: what to plan of them, without --memory. */
gsp_intervals_desc memory_csv_desc(const memory *m);

/* memory_csv_run: plans them. */
gsp_status memory_csv_run(memory *m, gsp_arena *arena, gsp_error *err);

/* memory_csv_fail: says why they have no plan. */
int memory_csv_fail(memory *m, const gsp_error *err);

/* memory_stretches: how many tensors of the plan are others after a gap. */
uint32_t memory_stretches(const memory *m);

/* memory_csv_write: the plan with an offset per tensor, in the same format. */
void memory_csv_write(const memory *m, cli_buffer *out);

/* memory_pack_bound: bytes for memory_pack(). */
size_t memory_pack_bound(const memory *m, uint32_t n_tensors);

/* memory_pack: replaces m->memory_plan by a smaller plan if the search finds one. */
gsp_status memory_pack(memory *m, gsp_arena *arena, gsp_error *err);

/* memory_pack_fits: an error with a minimal set of tensors if the plan exceeds --capacity. */
int memory_pack_fits(memory *m);

/* ==== lines ====
 * Tensors of regions that run row by row. */

/* memory_lines_adds: whether an operator adds up the rows that it reads one by one. */
int memory_lines_adds(const tile_graph *g, const gsp_tile_region *r, uint32_t op);

/* memory_lines_sums: where its sums are in the tensor of what it reads, behind the rows. */
uint64_t memory_lines_sums(
    const tile_graph *g, const gsp_tile_region *r, const uint32_t *kept, uint32_t op);

/* memory_lines_set: those of a region are rolling buffers, which live as long as it, as does what
 * it reads. Returns how many rows of its values are kept; cli_release() it. */
uint32_t *memory_lines_set(
    cli_session *s, gsp_tensor *tensors, const tile_graph *g, const gsp_tile_region *r);

#define MEMORY_LINES_WORK (1u << 22) /* of the search for offsets, if the user gives none */

/* memory_lines_pack: offsets for the tensors of m->memory_plan, whatever it had. Returns an exit
 * status. */
int memory_lines_pack(memory *m);

/* ==== pairs ====
 * Tensors of a CSV file that have one address, and tensors that never overlap. */

/* memory_pairs_read: m->pairs of the columns together and apart. */
int memory_pairs_read(memory *m);

/* ==== plan ====
 * The plan of a graph, of its best order, and its parts. */

/* memory_run: all that the options ask for, of the chosen graph; after memory_choose(). Returns an
 * exit status. */
int memory_run(memory *m);

/* ==== tiles ====
 * --tile: regions that run in tiles, and the plan of the graph that they make. */

/* memory_tiles_check: the options. Returns an exit status. */
int memory_tiles_check(memory *m);

/* memory_tiles_run: chooses regions and plans the graph with them, which is then that of the
 * session. Returns an exit status. */
int memory_tiles_run(memory *m);

/* memory_tiles_porcelain, _json, _people: what it chose; nothing without --tile. */
void memory_tiles_porcelain(const memory *m, cli_buffer *out);
void memory_tiles_json(const memory *m, cli_buffer *out);
void memory_tiles_people(const memory *m, cli_buffer *out);
void memory_tiles_people_choices(const memory *m, cli_buffer *out);

/* ==== models ====
 * Several models in one RAM: --sequential, --concurrent. */

#define MEMORY_JOINT_WORK ((uint64_t)1u << 20) /* for the offsets of an order, without --exact */

typedef struct memory_model {
    const char *path;
    uint64_t offset;
    uint64_t bytes;
    uint64_t least; /* no plan takes less */
    int is_open;    /* 1 if some size is unknown: bytes are a lower bound */
} memory_model;

typedef struct memory_models {
    memory_model *list;
    uint32_t n;
    uint64_t bytes; /* of all */
    uint64_t least;
    uint64_t separate; /* side by side */
    uint32_t n_open;
} memory_models;

/* memory_models_check: the options. Returns an exit status. */
int memory_models_check(const memory *m);

/* memory_models_run: plans the files of the command line. Returns an exit status. */
int memory_models_run(memory *m, memory_models *all);

/* ==== range ====
 * --dim NAME=1..20: the peak over a range of a dimension. */

/* memory_range_find: tries the values of a range of --dim, if one is given, and sets the dimension
 * to that of the largest peak. Returns an exit status. */
int memory_range_find(memory *m);

/* memory_range_people, _porcelain, _json: what it found; nothing without a range. */
void memory_range_people(const memory *m, int least, cli_buffer *out);
void memory_range_porcelain(const memory *m, cli_buffer *out);
void memory_range_json(const memory *m, cli_buffer *out);

/* ==== save ====
 * --save-tflite: the model with its plan. */

/* memory_check_tflite: an error if there can be no such file. */
int memory_check_tflite(const memory *m);

int memory_save_tflite(const memory *m);

/* memory_micro: what TensorFlow Lite Micro needs with this plan in the file; 0 if it is no plan of
 * the main graph of a .tflite model. */
int memory_micro(const memory *m, cli_micro *micro);

/* ==== show_prefetch ====
 * --prefetch in every output. */

void memory_prefetch_people(const memory *m, cli_buffer *out);
void memory_prefetch_people_copies(const memory *m, cli_buffer *out);
void memory_prefetch_porcelain(const memory *m, cli_buffer *out);
void memory_prefetch_json(const memory *m, cli_buffer *out);

/* memory_prefetch_c: tables of copies and tensors. */
void memory_prefetch_c(const memory *m, cli_buffer *out);

/* ==== json ====
 * The JSON of `memory`. */

void memory_json(const memory *m, cli_buffer *out);

/* ==== json_memories ====
 * The JSON of `memory` with several memories. */

void memory_json_in_place(const memory *m, cli_buffer *out);
void memory_json_memories(const memory *m, cli_buffer *out);

/* ==== people ====
 * The report of `memory` for people. */

void memory_people(const memory *m, cli_buffer *out);

/* ==== people_memories ====
 * The report of `memory` with several memories, for people. */

/* memory_people_cost: the lines of the summary. */
void memory_people_cost(const memory *m, cli_buffer *out);

/* memory_people_memories: tables of the memories, and of tensors that are not where they cost
 * least; nothing without several memories. */
void memory_people_memories(const memory *m, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `memory`. */

void memory_porcelain(const memory *m, cli_buffer *out);

/* ==== porcelain_memories ====
 * The porcelain of `memory` with several memories. */

void memory_porcelain_in_place(const memory *m, cli_buffer *out);
void memory_porcelain_memories(const memory *m, cli_buffer *out);

/* ==== porcelain_models ====
 * Several models in one RAM, in every output. */

void memory_porcelain_models(const memory *m, const memory_models *all, cli_buffer *out);
void memory_json_models(const memory *m, const memory_models *all, cli_buffer *out);
void memory_people_models(const memory *m, const memory_models *all, cli_buffer *out);

/* ==== svg_tiles ====
 * --tile-svg of `memory`: memory against what is computed again. */

void memory_svg_tiles(const memory *m, cli_buffer *out);

/* ==== svg ====
 * --svg of `memory`: the arena over time. */

void memory_svg(const memory *m, cli_buffer *out);

/* ==== memory ====
 * The command `memory`. */

extern const cli_pass cli_memory_pass;

#endif
