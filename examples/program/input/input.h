/* From the command line to a graph and a placement: formats, lists, accelerators, plans. A section
 * per file of this folder, from the bottom up. */
#ifndef CLI_INPUT_INPUT_H
#define CLI_INPUT_INPUT_H

#include "algorithms/algorithms.h"
#include "core/core.h"
#include "data/data.h"
#include "examples/tflite/fields.h"
#include "examples/tflite/tflite.h"

/* ==== accelerators ====
 * Accelerators, their operators, and pins, as the options give them. */

/* clang-format off */
#define CLI_PLACE_OPTIONS                                                                          \
    {"--acc-ops", "OPS", CLI_LIST, 0, 0, 0,                                                        \
     "operators that the accelerator supports: a LIST such as ethos-u55 ('ops' prints them), "     \
     "NAME,NAME or @FILE (below); short for --accelerator acc=OPS"},                               \
    {"--accelerator", "NAME[=OPS]", CLI_LIST, 0, 0, 0,                                             \
     "an accelerator and its operators; may be repeated, in order of priority: a node goes to "    \
     "the first accelerator that supports it"},                                                    \
    {"--acc-nodes", "NODES", CLI_LIST, 0, 0, 0,                                                    \
     "nodes that go to the (first) accelerator, whatever its operators: NAME,NAME or @FILE; * "    \
     "and ? match"},                                                                               \
    {"--cpu-nodes", "NODES", CLI_LIST, 0, 0, 0, "nodes that go to the CPU, in the same form"},     \
    {"--pin", "KIND:WHAT:LIST", CLI_LIST, 0, 0, 0,                                                 \
     "KIND is cpu or an accelerator; WHAT is name, scope (a module path and all below it) or "     \
     "target; the last pin that matches wins over everything else"},                               \
    {"--units", "qdq|FILE|PATTERN", CLI_LIST, 0, 0, 0,                                             \
     "nodes that a split must not tear: what is between DequantizeLinear and QuantizeLinear, or "  \
     "patterns of operators such as conv+bias+relu (below)"}
/* clang-format on */

/* The help on operator and pin lists, for passes that have CLI_PLACE_OPTIONS. */
#define CLI_PLACE_ABOUT \
    "\n" \
    "Lists: NAME,NAME or @FILE ('@-' is standard input). OPS may also be or contain the name of " \
    "a\n" \
    "  LIST of the program: see 'ops'.\n" \
    "  An operator file has one operator per line: NAME, NAME* (a prefix), NAME i8,qi8 (only " \
    "for\n" \
    "  tensors of these types), !NAME (removes it), # comments. The name of an operator is its\n" \
    "  target; of a called module, its class. The last line that matches a node decides.\n" \
    "  Constraints may end a line: 'NAME qi8 kernel<=64x64 stride==1 const(1,2) rank(out)<=4\n" \
    "  dim(0,-1)>=8 act in relu,none'; see the manual. '# One subgraph' in a file: nothing\n" \
    "  behind the first subgraph is taken.\n" \
    "  A file of nodes has names separated by blanks, commas or line ends, and # comments.\n" \
    "  Pins win over acc= in the graph, and acc= wins over operators. Without operators, acc= " \
    "alone\n" \
    "  says what is supported. A pin without * and ? must name a called node.\n" \
    "  A call of a child graph goes where all nodes of that graph go.\n" \
    "\n" \
    "Units: 'qdq' is every operator between DequantizeLinear and QuantizeLinear, with both. A\n" \
    "  file has one pattern per line, the most important first: NAME+NAME+NAME is a chain. A\n" \
    "  step that reads other steps than the one before it names them: conv+sigmoid+mul(1,2). A\n" \
    "  step may be NAME|NAME or NAME*. Only the last node of a unit is read from outside. Units\n" \
    "  never overlap: a node belongs to the first pattern that finds it, in graph order. A unit\n" \
    "  that no accelerator takes as a whole stays on the CPU.\n"

/* An operator that the options name. */
typedef struct cli_wanted {
    gsp_str name;
    const char *path; /* the file or list that names it; NULL for the command line */
    int is_list;      /* of the program */
} cli_wanted;

typedef struct cli_place {
    uint32_t n_kinds;   /* the CPU included */
    const char **names; /* [n_kinds] "cpu", then the accelerators */
    gsp_accelerator *accelerators;
    gsp_rule *rules; /* [n_kinds - 1] their tables */
    gsp_pin *pins;
    const cli_given **pin_from; /* [n_pins] for messages */
    cli_wanted *wanted;         /* [n_wanted] in order */
    uint32_t n_wanted;
    int is_bound;      /* some list says that it is an upper bound of what is taken */
    uint8_t once[256]; /* [n_kinds] 1 after cli_operators_run_once() */
    gsp_support_desc desc;
} cli_place;

/* cli_place_read: accelerators and pins from the options. */
int cli_place_read(cli_session *s, cli_place *place);

#ifndef GSP_NO_PIPELINE

/* ==== actions ====
 * Schedules from files, as PyTorch's pipelines write them: a row per device, a cell per action. */

typedef struct cli_actions {
    const char *path;
    uint32_t n_devices;
    uint32_t n_stages;
    uint32_t n_microbatches;
    uint32_t sends;      /* 1 if some cell is a send or a receive */
    gsp_action *actions; /* what gsp_schedule_desc takes */
    uint32_t *column;    /* of the cell of an action */
    uint32_t *begin;     /* [n_devices + 1] */
    uint32_t *device_of; /* [n_stages] */
    const char *blocked; /* where it stops, if a send waits for its receive; or NULL */
} cli_actions;

/* cli_actions_read: reads and checks a schedule: every task once, on one device per stage, in an
 * order that ends. If `microbatches` is 0, they are as many as the file has. Returns an exit
 * status. */
int cli_actions_read(
    cli_session *s, const char *path, uint32_t microbatches, int inference, cli_actions *out);

/* cli_actions_tell: a line on standard error about a schedule that ends only with buffered
 * sends. */
void cli_actions_tell(cli_session *s, const cli_actions *from);

/* cli_actions_fit: reports the first action of a stage that the pipeline does not have, or a stage
 * that nothing runs. Returns an exit status. */
int cli_actions_fit(cli_session *s, const cli_actions *from, uint32_t n_stages);

/* cli_actions_use: the order of a description. */
void cli_actions_use(const cli_actions *from, gsp_schedule_desc *desc);

#endif /* GSP_NO_PIPELINE */

/* ==== annotate ====
 * More annotations for the nodes of a module, by way of its text. */

/* Appends " key=value" for a node, or nothing. */
typedef void (*cli_note)(void *user, const gsp_graph *graph, gsp_node v, cli_buffer *out);

/* cli_annotate: the module with these annotations, on behalf of an option. */
int cli_annotate(cli_session *s, cli_note note, void *user, const char *option);

/* ==== assign ====
 * --assign: the partition of each node. */

typedef struct cli_assign {
    uint32_t *part_of; /* [n] index into numbers, GSP_NONE if not assigned */
    int64_t *numbers;  /* [n_parts] ascending */
    uint32_t n_parts;
} cli_assign;

/* cli_assign_read: all `--assign NODE=K,...` among the options. */
int cli_assign_read(cli_session *s, const gsp_graph *graph, cli_assign *out);

/* cli_assign_text: the same from the text of a file of NODE=K. */
int cli_assign_text(
    cli_session *s, const gsp_graph *graph, const char *path, gsp_str text, cli_assign *out);

/* ==== calls ====
 * Placement of nodes that run graphs. */

/* Where the nodes of the graphs of a module go; all NULL if it has one graph alone. */
typedef struct cli_bodies {
    uint8_t *kind; /* [graphs] of all callable nodes of a graph, or the CPU; GSP_KIND_NONE: none */
    gsp_node *way; /* [graphs] then a node that is in the way of an accelerator, or GSP_NONE */
} cli_bodies;

/* cli_place_calls: a node that runs graphs is supported only if all callable nodes in them are. A
 * plain call of a graph, and the getitem nodes that unpack it, run where those nodes run. Pins,
 * acc= and `bodies: any` of operator lists have precedence. */
int cli_place_calls(cli_session *s, const cli_place *place, const gsp_graph *graph,
    gsp_placement *io, cli_bodies *bodies);

/* cli_bodies_way: the innermost node in a graph that a node runs, directly or not, that is in the
 * way of an accelerator; *graph becomes its graph. GSP_NONE if there is none. */
gsp_node cli_bodies_way(const cli_bodies *bodies, gsp_graph *graph, gsp_node node);

/* ==== constraints ====
 * Constraints of operator files that can never hold. */

/* cli_constraints_tell: one line on standard error per constraint of the user on an attribute that
 * no operator of the line has. */
void cli_constraints_tell(cli_session *s, const cli_place *place, const gsp_graph *graph);

/* ==== costs ====
 * The time of each node on the CPU and on the accelerator, and to move its value between them. */

#define CLI_COSTS_BANDWIDTH UINT64_C(107374182400) /* 100 GiB/s */

/* Among the options of a pass. */
typedef struct cli_costs_options {
    const char *costs;
    const char *profile;
    const char *cpu_rates;
    const char *acc_rates;
    uint64_t bandwidth; /* UINT64_MAX if not given */
    const char **names; /* [1 + n_accelerators] of places */
    uint32_t n_accelerators;
} cli_costs_options;

/* In nanoseconds; [n_nodes], 0 where nothing is called. */
typedef struct cli_costs {
    uint64_t *cpu;
    uint64_t *acc; /* on the first accelerator; */
    uint64_t **on; /* [1 + n_accelerators] on each place; on[0] is `cpu`, on[1] `acc` */
    uint64_t *move;
    uint8_t *estimated; /* 1: the time on the CPU, 2: one on an accelerator, 3: both */
    uint32_t n_called;
    uint32_t n_measured;  /* by --profile */
    uint32_t n_estimated; /* from shapes, on either side */
    uint32_t n_on_cpu;    /* of them: on the CPU */
    uint32_t n_on_acc;
    uint32_t n_sizeless;   /* of them: without sizes, 1 ns */
    const char *cpu_rates; /* as the options take them */
    const char *acc_rates;
    uint64_t bandwidth;
} cli_costs;

/* cli_costs_read: a line of --costs comes before --profile, this before cpu= and compute=, these
 * before estimates. Errors are reported. Returns an exit status. */
int cli_costs_read(
    cli_session *s, const cli_costs_options *options, const gsp_graph *graph, cli_costs *costs);

/* ==== dims ====
 * Dimensions that are no numbers: --dim NAME=N sets them, and a line tells those that are left. */

/* cli_dims_set: the module with the dimensions that are given. */
int cli_dims_set(cli_session *s);

/* cli_read_again: the module that an option writes as text, which must stay. */
int cli_read_again(cli_session *s, const cli_buffer *text, const char *option);

/* cli_dims_text: "; --dim s0=1, or another number, sets them", or "" if all dimensions of inputs
 * are known. */
const char *cli_dims_text(cli_session *s);

/* cli_dims_tell: one line on standard error, if some dimensions are not known. */
void cli_dims_tell(cli_session *s);

/* cli_unknown_tell: one line on standard error, if some values have no shape, but others have. */
void cli_unknown_tell(cli_session *s);

/* ==== foreign ====
 * Files of other formats, by their bytes or names. */

/* cli_foreign: an error that says what a file is and what to do, if it is in a format that others
 * use and this reader does not take. Returns CLI_EXIT_FAILED; CLI_EXIT_OK: it is in none. */
int cli_foreign(cli_session *s, const char *path, const char *data, size_t size);

/* cli_foreign_list: the same for what is given as a list of operators. */
int cli_foreign_list(cli_session *s, const char *path, gsp_str text);

/* ==== json_read ====
 * JSON as it is read: values one after another, until the first error, which is reported. */

typedef struct cli_json_in {
    cli_session *session;
    const char *path; /* for errors */
    gsp_str text;
    uint32_t at;
    int code; /* exit status */
} cli_json_in;

/* cli_json_fail: "PATH:LINE:COLUMN: what"; the first error counts. */
void cli_json_fail(cli_json_in *r, uint32_t at, const char *what);

/* cli_json_peek: the next character that is no space; 0 for the end. */
char cli_json_peek(cli_json_in *r);

/* cli_json_expect: the same; an error where it is another. */
void cli_json_expect(cli_json_in *r, char c, const char *what);

/* cli_json_next: whether an object or array has one more item; *begun is 0 before the first. */
int cli_json_next(cli_json_in *r, int *begun, char close);

/* cli_json_text: a string as written, without quotes. */
gsp_str cli_json_text(cli_json_in *r);

/* cli_json_plain: the same without escapes. cli_json_word: a word or number. */
gsp_str cli_json_plain(cli_json_in *r);
gsp_str cli_json_word(cli_json_in *r);

/* cli_json_key: a string and the colon behind it. */
gsp_str cli_json_key(cli_json_in *r);

/* cli_json_number: from 0 to 10^18; 0 after an error. */
double cli_json_number(cli_json_in *r);

/* cli_json_skip: any value. */
void cli_json_skip(cli_json_in *r);

int cli_json_is(gsp_str key, const char *name);

/* ==== list ====
 * Lists of words, on the command line or in files. */

/* cli_list_spec: the text of a SPEC, which is `NAME,NAME` or `@FILE`; sets `*path` for a file. */
int cli_list_spec(cli_session *s, const char *spec, gsp_str *text, const char **path);

/* cli_list_next: the next word from `*at`. Blanks and commas end a word; a comment extends to the
 * end of its line. Empty: no more words. */
gsp_str cli_list_next(gsp_str list, uint32_t *at);

/* cli_integer: a decimal with or without a sign; returns 0 if it is none or does not fit into 64
 * bits. */
int cli_integer(gsp_str text, int64_t *number);

/* ==== load ====
 * The format of a file, and the module in it. */

/* cli_choose_format: sets session->format by the ending of session->path. */
void cli_choose_format(cli_session *s);

/* cli_graph_find: the graph of this name, or the subgraph of this signature; GSP_NONE if there is
 * none. */
uint32_t cli_graph_find(const cli_session *s, gsp_str name);

/* cli_bodies_check: trips= of nodes that run graphs, which is a number, and the graphs that they
 * name, which the module has. Returns an exit status. */
int cli_bodies_check(cli_session *s);

/* cli_graph_choose: --graph: the module of the session becomes that graph and what it runs. Without
 * it, the other signatures of a model are told. Returns an exit status. */
int cli_graph_choose(cli_session *s);

/* cli_graph_refuse: an error with the graphs of the module, of which none is called `name`. */
int cli_graph_refuse(cli_session *s, const char *name);

/* cli_load: reads session->path into session->module, in any format. */
int cli_load(cli_session *s);

/* cli_load_main: the same for a pass that takes the main graph and prints next. */
int cli_load_main(cli_session *s, gsp_graph *graph, gsp_counts *counts);

/* ==== macs ====
 * Multiply-accumulates (MACs) of operators, from shapes. */

enum {
    CLI_MACS_EXACT,
    CLI_MACS_LEAST,    /* a loop of unknown trips, which count as one */
    CLI_MACS_NO_SHAPE, /* a dimension that takes part is not known; it counts as 1 */
    CLI_MACS_NO_RULE   /* an operator that may multiply and has no rule */
};

typedef struct cli_macs {
    double n;
    uint32_t state;
} cli_macs;

/* cli_node_macs: the MACs of a node itself, without the graphs that it runs; `macs=N` states them.
 * Time: O(rules + size of the types of its inputs). */
cli_macs cli_node_macs(const gsp_graph *graph, gsp_node node);

/* cli_macs_class: "conv", "depthwise" (at most 64 MACs per element of the result), "matmul",
 * "recurrent" or "attention"; "other" for what multiplies nothing. */
const char *cli_macs_class(const gsp_graph *graph, gsp_node v);

/* cli_own_attr: an attribute of a node by its key, empty without data if there is none. */
gsp_str cli_own_attr(const gsp_graph *graph, gsp_node v, const char *key);

/* cli_graphs_macs: the MACs of all nodes of the module, with the graphs that they run: the largest
 * of branches, conditions and bodies times `trips=N`, others once. macs: [nodes of the module].
 * Returns an exit status; a graph that runs itself is an error. */
int cli_graphs_macs(cli_session *s, const gsp_module *module, cli_macs *macs);

/* The MACs of a graph, and those of its nodes on accelerators. */
#define CLI_MACS_NAMES 4u /* of operators without a rule */

typedef struct cli_macs_share {
    double on_acc;
    double all;
    double of_kind[256];           /* of the CPU and each accelerator */
    uint32_t unknown;              /* callable nodes whose MACs are not known */
    uint32_t n_names;              /* operators without a rule, */
    gsp_str names[CLI_MACS_NAMES]; /* the first of them */
    int least;                     /* 1 if trips of a loop are not known: a lower bound */
} cli_macs_share;

/* cli_macs_share_of: kind[v] is neither GSP_KIND_CPU nor GSP_KIND_NONE on accelerators. macs: those
 * of cli_graphs_macs(). */
void cli_macs_share_of(
    const gsp_graph *graph, const cli_macs *macs, const uint8_t *kind, cli_macs_share *share);

/* ==== names ====
 * Nodes by name. */

typedef struct cli_name {
    gsp_str name;
    gsp_node node;
} cli_name;

typedef struct cli_names {
    cli_name *entries; /* sorted by bytes */
    uint32_t n;
} cli_names;

/* cli_names_sort: entries that the caller has filled in, no two of one name for a search. */
void cli_names_sort(cli_names *names);

/* cli_names_make: those of the nodes of a graph. */
void cli_names_make(cli_session *s, const gsp_graph *graph, cli_names *names);

/* cli_names_find: the node, or GSP_NONE. */
gsp_node cli_names_find(const cli_names *names, gsp_str name);

/* ==== net ====
 * Graphs of the formats of partitioners: nodes with weights, edges, no operators. */

typedef struct cli_net_edge {
    uint32_t from;
    uint32_t to;
    uint32_t line; /* of the file */
} cli_net_edge;

typedef struct cli_net {
    cli_session *session;
    const char *path;
    char *data; /* of the text, which cli_net_sort() releases */
    gsp_str text;
    uint32_t n;
    uint32_t m;
    uint32_t room;        /* for edges */
    uint32_t base;        /* number of the first node in the file, for errors */
    int undirected;       /* edges go from the lower to the higher number */
    int hyper;            /* edges of several nets may be equal */
    int has_bytes;        /* bytes of values are given; else weights of edges are */
    int merged;           /* several nets have one source */
    int unequal;          /* a value has the largest of several weights of edges */
    cli_net_edge *edges;  /* [m] */
    uint64_t *edge_bytes; /* [m], or NULL if all are 1 */
    uint64_t *weight;     /* [n], or NULL if all are 1 */
    uint64_t *bytes;      /* [n] of the value, or NULL if all are 1 */
    gsp_str *names;       /* [n], or NULL */
    int named;            /* names are identifiers */
} cli_net;

/* cli_net_nodes: n nodes of weight 1 and 1 byte; LIMIT if a small file says that there are
 * many, and --max-nodes does not allow them. Returns an exit status. */
int cli_net_nodes(cli_net *net, uint64_t n, uint64_t line);

/* cli_net_set_weight, _bytes: of node v; cli_net_set_edge: bytes of edge i. */
void cli_net_set_weight(cli_net *net, uint32_t v, uint64_t weight);
void cli_net_set_bytes(cli_net *net, uint32_t v, uint64_t bytes);
void cli_net_set_edge(cli_net *net, uint32_t i, uint64_t bytes);

/* cli_net_add: an edge; a loop is an error. Returns an exit status. */
int cli_net_add(cli_net *net, uint32_t from, uint32_t to, uint64_t line, uint64_t bytes);

typedef struct cli_net_rows {
    uint32_t *begin; /* [n + 1] into at */
    uint32_t *at;    /* [m] edges, then nodes, that each node reads, as in the file */
    uint32_t *order; /* [n] topological; NULL: as numbered */
} cli_net_rows;

/* cli_net_sort: checks the graph and finds rows and an order; releases the text and the edges. Says
 * on standard error what is lost. Returns an exit status. */
int cli_net_sort(cli_net *net, cli_net_rows *r);

/* ==== net_dot ====
 * DOT: nodes and edges with their weights. */

/* cli_net_read_dot: reads net->text. Returns an exit status. */
int cli_net_read_dot(cli_net *net);

/* ==== net_formats ====
 * The formats of partitioners as file formats of the program. */

extern const cli_format cli_metis_format;
extern const cli_format cli_metis_long_format;
extern const cli_format cli_hmetis_format;
extern const cli_format cli_hmetis_long_format;
extern const cli_format cli_mtx_format;
extern const cli_format cli_dot_format;
extern const cli_format cli_gv_format;
extern const cli_format cli_hyperdag_format;
extern const cli_format cli_hyperdag_long_format;
extern const cli_format cli_edges_format;
extern const cli_format cli_txt_format;

#define CLI_NET_FORMATS \
    &cli_metis_format, &cli_metis_long_format, &cli_hmetis_format, &cli_hmetis_long_format, \
        &cli_mtx_format, &cli_dot_format, &cli_gv_format, &cli_hyperdag_format, \
        &cli_hyperdag_long_format, &cli_edges_format, &cli_txt_format

/* cli_net_settle: a .txt file is a HyperDAG, or graph text: sets session->format. */
void cli_net_settle(cli_session *s);

/* ==== net_module ====
 * The module of such a graph, in arrays that hold no more than it needs. */

/* cli_net_module: session->module and session->numbered; nodes are calls with weight= and compute=.
 * Releases what the net and the rows hold. The module has no block. Returns an exit status. */
int cli_net_module(cli_net *net, cli_net_rows *r);

/* ==== net_load ====
 * The formats of partitioners by name and ending. */

typedef enum cli_net_kind {
    CLI_NET_FX, /* graph text */
    CLI_NET_METIS,
    CLI_NET_HMETIS,
    CLI_NET_MTX,
    CLI_NET_DOT,
    CLI_NET_HYPERDAG,
    CLI_NET_EDGES,
    CLI_NET_COUNT
} cli_net_kind;

#define CLI_NET_WORDS "fx|metis|hmetis|mtx|dot|hyperdag|edges"

/* cli_net_kind_of: by the ending of a path; CLI_NET_COUNT: none of them. */
cli_net_kind cli_net_kind_of(const char *path);

/* cli_net_load: session->path of this kind, not FX, into session->module. Returns an exit
 * status. */
int cli_net_load(cli_session *s, cli_net_kind kind);

/* cli_net_take: the same for a text that is read. */
int cli_net_take(cli_session *s, cli_net_kind kind, char *data, size_t size);

/* ==== net_guess ====
 * Formats of partitioners by content, for files without an ending. */

/* cli_net_guess: by its first words, or by the numbers of its lines; CLI_NET_FX: several formats
 * are possible; CLI_NET_COUNT: none of them. */
cli_net_kind cli_net_guess(const char *data, size_t size);

/* ==== net_read ====
 * The formats that consist of lines of numbers. */

/* Each reads net->text. Returns an exit status. */
int cli_net_read_metis(cli_net *net);
int cli_net_read_hmetis(cli_net *net);
int cli_net_read_mtx(cli_net *net);
int cli_net_read_hyperdag(cli_net *net);
int cli_net_read_edges(cli_net *net);

/* ==== operators ====
 * The operator lists of the program, by name. */

/* cli_operators_find: the list of that name; cli_operators_near: the list of the most similar name.
 * Returns NULL if there is none. */
const cli_operator_list *cli_operators_find(gsp_str name);
const cli_operator_list *cli_operators_near(gsp_str name);

/* cli_operators_have: 1 when a list has an operator of that name. */
int cli_operators_have(gsp_str name);

/* cli_operators_text: a list in the format of an operator file. */
void cli_operators_text(const cli_operator_list *list, cli_buffer *out);

/* cli_operators_are_bound: the list has a line "# Upper bound": it leaves conditions out. */
int cli_operators_are_bound(gsp_str text);

/* cli_operators_run_once: the list has a line "# One subgraph": its compiler makes one subgraph,
 * and nothing after it. */
int cli_operators_run_once(gsp_str text);

/* cli_operators_unknown: reports an unknown list. Returns CLI_EXIT_USAGE. */
int cli_operators_unknown(cli_session *s, const char *name);

/* ==== compiled ====
 * Custom operators that contain a compiled program of a vendor. */

/* cli_operators_vendor: of which accelerator an operator is a compiled program, or NULL. */
const char *cli_operators_vendor(gsp_str name);

/* ==== parts ====
 * Assignments from files: integers, NODE=K, plans. */

typedef struct cli_parts {
    uint32_t n_parts;
    uint32_t *part_of;       /* [n] GSP_NONE if there is none */
    gsp_str *names;          /* [n_parts] */
    int64_t *numbers;        /* [n_parts] ascending; NULL means 0, 1, ... */
    const uint32_t *line_of; /* [n] of a plan: the line that decides; else NULL */
    uint64_t n_lines;        /* integers: what the file has, and what the graph has; else 0 */
    uint64_t n_wanted;
} cli_parts;

/* cli_part_nodes: the nodes of a file of integers: of a graph format all, by their numbers; else
 * the callable ones. */
const gsp_node *cli_part_nodes(cli_session *s, const gsp_graph *graph, uint32_t *count);

/* cli_parts_read: NODE=K itself, or a file with a plan, NODE=K, or one integer per line, by its
 * first word. `parts`: how many there are, 0 if as many as the file names. Returns an exit
 * status. */
int cli_parts_read(
    cli_session *s, const gsp_graph *graph, const char *path, uint32_t parts, cli_parts *out);

/* cli_fixed_read: the part of every node, one of the parts of `of`, from one integer per line,
 * where -1 means GSP_NONE. `parts` as above. */
int cli_fixed_read(cli_session *s, const gsp_graph *graph, const char *path, uint32_t parts,
    const cli_parts *of, uint32_t *pin);

/* ==== parts_order ====
 * The order in which parts run. */

/* cli_parts_order: the callable nodes of parts, part by part, each in the order of the lines of a
 * plan if all of them run after what they read there, else in graph order; counts them. */
gsp_node *cli_parts_order(
    cli_session *s, const gsp_graph *g, const cli_parts *parts, uint32_t *n_order);

/* ==== pins ====
 * Pins with wildcards that would take too long. */

/* cli_pins_check: LIMIT if patterns times nodes are too many. */
int cli_pins_check(cli_session *s, const cli_place *place, const gsp_graph *graph);

/* ==== piper ====
 * Instances of Piper, a planner of pipelines (Tarnawski et al. 2021), as a file format. */

/* Accepts .json. A layer becomes a called module: compute= is its time on one device, params= the
 * bytes that replicas agree on, fixed= its memory, kept= what each microbatch adds, comm= the
 * time to move its output there and back, and each= that per reader. */
extern const cli_format cli_piper_format;

/* ==== place ====
 * From options to a placement. */

/* cli_place_run: gsp_support_run() in memory of its own, then cli_place_calls(). */
int cli_place_run(cli_session *s, const cli_place *place, const gsp_graph *graph,
    gsp_placement *out, cli_bodies *bodies);

/* cli_run_once: moves nodes after the first subgraph of accelerator `kind` to the CPU: those
 * reached by a path that entered it and left it. Pins and acc= have precedence. */
void cli_run_once(cli_session *s, const gsp_graph *graph, uint32_t kind, gsp_placement *p);

/* ==== plan ====
 * Plan files: assignments saved by name. */

typedef struct cli_plan {
    cli_plan_text plan;
    cli_plan_match on; /* a graph */
} cli_plan;

/* cli_plan_save: writes an assignment as a file. */
int cli_plan_save(
    cli_session *s, const char *path, const gsp_graph *graph, const cli_plan_desc *desc);

/* cli_plan_read: reads a plan from a file. */
int cli_plan_read(cli_session *s, const char *path, cli_plan_text *plan);

/* cli_plan_load: the same, matched against a graph; reports lines that no longer match. */
int cli_plan_load(cli_session *s, const char *path, const gsp_graph *graph, cli_plan *plan);

/* cli_plan_numbers: the names of its parts as numbers. Returns 0 if some are no numbers; parts are
 * then numbered from 0 in their order. */
int cli_plan_numbers(const cli_plan_text *plan, int64_t *numbers);

/* ==== profile ====
 * Measured times of nodes: what TFLite's benchmark_model and ONNX Runtime write. */

/* [n_nodes]; negative if not measured. */
typedef struct cli_profile {
    double *cpu; /* seconds per run */
    double *acc;
    uint32_t n_rows; /* nodes that the file names */
} cli_profile;

/* cli_profile_read: --profile FILE. A node of another graph is an error that is reported. Returns
 * an exit status. */
int cli_profile_read(
    cli_session *s, const char *path, const gsp_graph *graph, cli_profile *profile);

/* ==== returned ====
 * Words after `return` that name no node. */

/* cli_check_returned: warns about names after `return` that no node has. */
void cli_check_returned(cli_session *s);

/* ==== text ====
 * Graph text as a file format. */

/* Accepts any file. */
extern const cli_format cli_text_format;
int cli_text_part(cli_session *s, const cli_part *part, cli_buffer *out, cli_buffer *why);

/* cli_graph_read: reads a file as graph text; a model in another format gets an error that says so.
 * */
int cli_graph_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_text_begin: the same for session->path into session->text. A file without an ending that
 * holds a graph of a partitioner is read as such, into session->module. */
int cli_text_begin(cli_session *s, int *is_other);

/* cli_text_take: session->text into session->module. Returns an exit status. */
int cli_text_take(cli_session *s);

/* ==== tiles ====
 * The operators of a graph as tiles see them. */

/* cli_percent_read: the value of an option, such as 15 or 15%. Returns an exit status. */
int cli_percent_read(cli_session *s, const char *option, const char *value, double *percent);

/* cli_tiles_read: a graph with the lifetimes of a plan in its order. A size that is not known is an
 * error. Returns an exit status. */
int cli_tiles_read(cli_session *s, const gsp_graph *g, const gsp_memory_plan_result *plan,
    uint64_t align, tile_graph *t);

/* cli_region_check: an option FIRST..LAST. Returns an exit status. */
int cli_region_check(cli_session *s, const char *region);

/* cli_tiles_region: searches take the region from FIRST to LAST alone; an error if that cannot be.
 * how: what such an operator cannot. Returns an exit status. */
int cli_tiles_region(
    cli_session *s, const gsp_graph *g, const char *region, const char *how, tile_graph *t);

/* cli_tiles_by_rows: from here on operators know which rows are padding, and those of which no row
 * kernel computes the rows run as a whole: with a batch, or that make rows larger. */
void cli_tiles_by_rows(cli_session *s, const gsp_graph *g, tile_graph *t);

/* cli_tiles_stream: the largest input, all of whose readers can run in tiles; otherwise an error.
 * Returns an exit status. */
int cli_tiles_stream(cli_session *s, const gsp_graph *g, const tile_graph *t, gsp_node *input);

/* ==== tflite_copy ====
 * Writing a .tflite file from new tables and tables of another file. Every table and vector is
 * written after what points to it, since offsets of a FlatBuffer lead forward. */

/* What a field points to, in the file that is copied. */
typedef enum cli_shape {
    CLI_ROW8, /* a vector of elements of so many bits */
    CLI_ROW16,
    CLI_ROW32,
    CLI_ROW64,
    CLI_BYTES16, /* bytes at a multiple of 16 */
    CLI_TEXT,    /* with a NUL after it */
    CLI_TABLE,
    CLI_TABLES /* a vector of them */
} cli_shape;

/* Tables that are copied, by their fields. */
typedef enum cli_kind {
    CLI_KIND_CODE,
    CLI_KIND_QUANTIZATION,
    CLI_KIND_CUSTOM_QUANTIZATION,
    CLI_KIND_SPARSITY,
    CLI_KIND_DIMENSION,
    CLI_KIND_INDICES, /* and the next two: a vector of 32, 16 and 8 bits */
    CLI_KIND_INDICES_8 = CLI_KIND_INDICES + 2,
    CLI_KIND_VARIANT,
    CLI_KIND_OPTIONS,                           /* and their type */
    CLI_KIND_OPTIONS2 = CLI_KIND_OPTIONS + 127, /* and their type */
    CLI_KIND_NONE = CLI_KIND_OPTIONS2 + 24      /* unknown */
} cli_kind;

typedef struct cli_target {
    uint64_t from; /* of the table, or of the first element; 0 if nothing to copy */
    uint64_t n;    /* elements */
    cli_shape shape;
    uint32_t kind; /* of tables */
} cli_target;

/* A field of a table that is made. */
typedef struct cli_field {
    uint32_t width; /* bytes, 1 or 4; 0 if the table lacks it */
    uint32_t value;
    cli_target copy; /* what the field points to, if that is copied */
    size_t at;       /* set by cli_copy_table(), its offset in the output */
} cli_field;

typedef struct cli_waiting cli_waiting;

typedef struct cli_copier {
    tfl_file file; /* the source; its error stays */
    tflite_error err;
    cli_buffer *out;
    const char *why;          /* if not NULL, a clause about what cannot be written */
    const uint32_t *graph_at; /* [subgraphs] the place of each in the new file */
    cli_waiting *queue;
    size_t n;
    size_t done;
    size_t room;
} cli_copier;

void cli_copy_begin(cli_copier *w, const tflite_model *model, cli_buffer *out);

/* cli_copy_calls: options of this kind list subgraphs in a form that is not copied. */
int cli_copy_calls(uint32_t kind);

/* cli_copy_called: the next subgraph of the source that these options name; *at is 0 at first.
 * Returns 0 after the last one. */
int cli_copy_called(
    cli_copier *w, const tfl_table *options, uint32_t kind, uint32_t *at, uint32_t *graph);

/* cli_copy_find: what a field of the source points to; `from` is 0 if the table lacks the field. */
cli_target cli_copy_find(
    cli_copier *w, const tfl_table *t, uint32_t field, cli_shape shape, uint32_t kind);

/* cli_copy_number, _offset, _field: fills a field: a number; an offset that is set later; a copy of
 * what the same field of the source points to. */
void cli_copy_number(cli_field *f, uint32_t width, uint32_t value);
void cli_copy_offset(cli_field *f);
void cli_copy_field(cli_field *f, cli_target target);

/* cli_copy_table: writes a table, to which the offset at `place` leads. */
void cli_copy_table(cli_copier *w, size_t place, cli_field *fields, uint32_t n);

/* cli_copy_numbers: the same for a vector of n zeros; returns the offset of the first. */
size_t cli_copy_numbers(cli_copier *w, size_t place, uint32_t n);

void cli_copy_text(cli_copier *w, size_t place, gsp_str text);
void cli_copy_set(cli_copier *w, size_t place, uint32_t value);

/* cli_copy_later: copies what the offset at `place` shall lead to. */
void cli_copy_later(cli_copier *w, size_t place, cli_target target);

/* cli_copy_end: writes all that was put off. */
void cli_copy_end(cli_copier *w);

/* ==== tflite_amend ====
 * A .tflite file with new tables in front of its bytes, which new tables share. */

#define CLI_AMEND_FIELDS (TFL_MODEL_SIGNATURES + 1)
#define CLI_AMEND_ALIGN  16u
#define CLI_AMEND_PLAN   "OfflineMemoryAllocation" /* the metadata that is a memory plan */

typedef struct cli_link cli_link;

typedef struct cli_amend {
    cli_session *session;
    const tflite_model *model;
    cli_copier copy;
    tfl_table root;
    cli_link *links;
    size_t n_links;
    size_t room;
} cli_amend;

/* cli_amend_begin: of the input; 0 after an error that is reported. */
int cli_amend_begin(cli_amend *w, cli_session *s, cli_buffer *out);

/* cli_amend_root: the model; the caller sets the fields of the bits in `own`, others stay. */
void cli_amend_root(cli_amend *w, cli_field *field, uint32_t own);

/* cli_amend_link: the offset at `place` leads to a byte of the input; _field: to what a field of
 * its table leads to, if there is one. */
void cli_amend_link(cli_amend *w, size_t place, uint64_t to);
void cli_amend_field(cli_amend *w, const cli_field *to, const tfl_table *t, uint32_t field);

/* cli_amend_tables: a vector of n tables, which are those of the input from `first` on; others are
 * set later. Returns where its offsets begin. */
size_t cli_amend_tables(
    cli_amend *w, size_t place, const tfl_vector *old, uint32_t first, uint32_t n);

/* cli_amend_metadata: all but a memory plan. Returns where the offsets of `n_more` others begin. */
size_t cli_amend_metadata(cli_amend *w, size_t place, uint32_t n_more);

/* cli_amend_align: up to where a multiple of CLI_AMEND_ALIGN leaves this rest. */
void cli_amend_align(cli_amend *w, size_t rest);

/* cli_amend_end: adds the bytes of the input. Returns an exit status. */
int cli_amend_end(cli_amend *w);

/* ==== tflite_offline ====
 * A memory plan in a .tflite file, as TensorFlow Lite Micro takes it. */

/* cli_tflite_offline: the bytes of the input with the metadata OfflineMemoryAllocation, which
 * replaces an older one: per tensor its offset in the arena, or -1 if the interpreter places it.
 * offsets[node of the module] UINT64_MAX if there is none. Returns an exit status. */
int cli_tflite_offline(cli_session *s, const uint64_t *offsets, cli_buffer *out);

/* cli_tflite_offsets: sets those of the tensors of all subgraphs, one after the other, that
 * offsets[node of model->module] gives; NULL: none. Returns the number of tensors. */
uint32_t cli_tflite_offsets(
    tfl_file *f, const tflite_model *model, const uint64_t *offsets, uint32_t *numbers);

/* ==== tflite_part ====
 * Parts of a .tflite file as .tflite files: the operators of the file with their options, and the
 * tensors and weights that they use. */

/* cli_tflite_source: keeps the file for cli_tflite_part(); its bytes must stay. */
void cli_tflite_source(cli_session *s, const tflite_model *model);

/* cli_tflite_model: the model that was kept; NULL if the input is none. */
const tflite_model *cli_tflite_model(const cli_session *s);

/* cli_tflite_part: the bytes of the file of a part; nothing if the part has no operator, and a
 * clause in `why` if it cannot be written. Returns an exit status. */
int cli_tflite_part(cli_session *s, const cli_part *part, cli_buffer *out, cli_buffer *why);

/* ==== tflite_read ====
 * The bytes of a TensorFlow Lite model. */

/* cli_tflite_take: bytes, which must stay, as the module of the session. Returns an exit status. */
int cli_tflite_take(cli_session *s, const char *data, size_t size);

/* ==== tflite_tiles ====
 * A .tflite file whose regions run in tiles. */

/* cli_tflite_paddings: the paddings of an operator, two per dimension of four; 0 if the file does
 * not state them. */
int cli_tflite_paddings(cli_session *s, const gsp_graph *g, gsp_node v, int32_t pads[8]);

/* cli_tflite_tiles: the model with these regions as operators on slices, into the session; weights
 * stay as they are. Returns an exit status. */
int cli_tflite_tiles(cli_session *s, const tile_graph *g, const gsp_tile_point *point);

/* ==== tflite_constants ====
 * Where a TensorFlow Lite model has its constants, and what numbers of 8 bits stand for. */

typedef struct cli_tflite_value {
    uint64_t at; /* bytes of a constant in the file */
    uint64_t bytes;
    uint32_t n_scales; /* 0: not quantised */
    uint64_t scales;   /* floats in the file */
    int64_t zero;      /* of the first scale */
} cli_tflite_value;

/* cli_tflite_tensor: the tensor that a node of the main graph represents, or the only result of an
 * operator. */
cli_tflite_value cli_tflite_tensor(cli_session *s, gsp_node v);

/* cli_tflite_scale: one of the scales. */
float cli_tflite_scale(cli_session *s, const cli_tflite_value *t, uint32_t i);

/* ==== tflite ====
 * TensorFlow Lite models as a file format. */

extern const cli_format cli_tflite_format;

/* ==== tflite_micro ====
 * What TensorFlow Lite Micro needs for a model. */

/* Bytes of its structures with pointers of 32 and of 64 bits. */
#define CLI_MICRO_TENSOR      12u /* TfLiteEvalTensor */
#define CLI_MICRO_TENSOR_64   24u
#define CLI_MICRO_OPERATOR    32u /* NodeAndRegistration */
#define CLI_MICRO_OPERATOR_64 64u
#define CLI_MICRO_END         40u /* TfLiteTensor */
#define CLI_MICRO_END_64      64u
#define CLI_MICRO_FIXED       256u /* allocators and planner */
#define CLI_MICRO_FIXED_64    472u

typedef struct cli_micro {
    uint64_t tensors; /* of all subgraphs */
    uint64_t operators;
    uint64_t ends;      /* inputs and outputs of the main graph */
    uint64_t kernels;   /* what operators keep, and their options; 32 bits */
    uint64_t variables; /* values of resource variables, each name once */
    uint64_t plan;      /* tensors of all subgraphs and what kernels borrow */
    uint64_t placed;    /* of these tensors, those that a plan in the file places */
    uint64_t whole;     /* all of the arena, 32 bits */
    uint64_t whole_64;
    gsp_str outside; /* an operator that the rules lack; empty if there is none */
} cli_micro;

/* cli_tflite_micro: the figures of the input, whose metadata may have a plan; 0 if it is no
 * TensorFlow Lite model, or one whose runs of subgraphs are too many to follow.
 * offsets[node of the module of the session]: those of another plan, in the order of that module;
 * UINT64_MAX where the interpreter places a tensor. NULL: the plan and the order of the file. */
int cli_tflite_micro(cli_session *s, const uint64_t *offsets, cli_micro *micro);

/* ==== tensors ====
 * Files that hold weights alone: names, shapes and types of their tensors. */

#define CLI_MOST_BLOCKS  4096u /* with figures of their own */
#define CLI_MOST_TENSORS ((uint32_t)1 << 24)

typedef struct cli_stored {
    gsp_str name;
    uint64_t bytes;
    uint64_t elements;
    uint64_t out; /* features that a matrix gives, elements of a vector */
    uint32_t n_dims;
    uint32_t number; /* in the file */
    gsp_str row;     /* the prefix of the name that is its layer, */
    uint32_t rank;   /* where that runs, */
    uint32_t expert; /* and what it is of it */
} cli_stored;

typedef struct cli_tensors {
    cli_session *session;
    const char *path;
    gsp_str head; /* the file, as far as it is read */
    int whole;    /* that is all of it */
    int ended;    /* more is needed */
    cli_stored *rows;
    uint32_t n;
    uint32_t room;
    uint32_t value_bytes; /* of an activation */
    /* what the file says beside; 0: nothing */
    uint64_t hidden;
    uint64_t experts;
    uint64_t experts_used;
    uint64_t files;       /* of a model in several */
    uint64_t *key_values; /* [CLI_MOST_BLOCKS] bytes per token of each block; NULL: not known */
} cli_tensors;

/* cli_tensors_add: a tensor with so many dimensions, the slowest first. Returns an exit status. */
int cli_tensors_add(
    cli_tensors *t, gsp_str name, const uint64_t *dims, uint32_t n_dims, cli_stored **added);

/* cli_tensors_wrong: "FILE: ", the clause. Returns an exit status. */
int cli_tensors_wrong(const cli_tensors *t, const char *format, ...) CLI_PRINTF(2, 3);

/* ==== gguf ====
 * The header of a GGUF file. */

/* cli_gguf_read: sets `ended` where the head is too short. Returns an exit status. */
int cli_gguf_read(cli_tensors *t);

/* ==== safetensors ====
 * The header of a safetensors file. */

/* cli_safetensors_read: the same. */
int cli_safetensors_read(cli_tensors *t);

/* ==== tensor_table ====
 * Tensors as a table of layers. */

/* cli_numbered_prefix: the prefix of a path that ends with its first number; its length, 0
 * without. */
uint32_t cli_numbered_prefix(gsp_str path);

/* cli_is_tensors: the file is one of weights alone, by its name or its first bytes. */
int cli_is_tensors(cli_session *s, const char *path);

/* cli_tensors_table: the file as a table of layers. Returns an exit status. */
int cli_tensors_table(cli_session *s, const char *path, cli_buffer *out);

/* ==== layer_table ====
 * A table of layers (CSV) as a format: a chain of called modules. A file of tensors is made such a
 * table. */

extern const cli_format cli_table_format;

/* ==== rates ====
 * Rates of a device: MACs and bytes per second, of all operators or of each class. */

#define CLI_TIMES_NODE 1e-9 /* seconds: one tick of the library's costs */

typedef struct cli_rate {
    gsp_str name; /* of a class (cli_macs_class()) or an operator */
    double macs;
    double bytes;
} cli_rate;

/* Per second. */
typedef struct cli_rates {
    double macs; /* of operators without a row */
    double bytes;
    double launch; /* seconds per operator */
    double within; /* median factor between estimates and measured models; or 0 */
    double models;
    uint32_t n;
    cli_rate *rows;
    const char *path; /* NULL: two numbers */
} cli_rates;

/* cli_rates_read: the text MACS,BYTES of an option, or a file. Returns an exit status. */
int cli_rates_read(cli_session *s, const char *option, const char *text, cli_rates *rates);

/* cli_rates_rough: 1 unless the file of the rates states a factor of at most 1.5. */
int cli_rates_rough(const cli_rates *rates);

/* cli_time_estimate: seconds, from shapes: the larger of MACs and bytes, and 1 ns at least. */
double cli_time_estimate(const gsp_graph *graph, gsp_node v, const cli_rates *rates);

/* ==== times ====
 * Times of nodes where the graph has none: counts of nodes, or estimates from shapes. */

enum { CLI_TIMES_SECONDS, CLI_TIMES_NODES, CLI_TIMES_SHAPES };

/* Among the options of a pass. */
typedef struct cli_times {
    uint32_t unit;
    const char *rates;     /* NULL if not given */
    const cli_rates *read; /* what cli_times_set() read of them */
} cli_times;

#define CLI_TIMES_UNIT(offset) \
    { \
        "--time-unit", "seconds|nodes|shapes", CLI_CHOICE, offset, 0, 0, \
            "times are the seconds of the graph (the default); or every called node takes one " \
            "unit; or nodes without seconds get an estimate from shapes: the larger of the time " \
            "of its multiply-accumulates (MACs) and that of its bytes" \
    }
#define CLI_TIMES_RATES(offset) \
    { \
        "--rates", "MACS,BYTES|FILE", CLI_STRING, offset, 0, 0, \
            "for --time-unit shapes: MACs and bytes per second, default 1e12,1e11; or a file " \
            "with a line NAME MACS BYTES per operator or class of operators: conv, depthwise, " \
            "matmul, recurrent, attention, other, and all for the rest" \
    }

#define CLI_TRANSFER_RATE(offset) \
    { \
        "--transfer-rate", "BYTES_PER_S", CLI_STRING, offset, 0, 0, \
            "bytes per second between devices; without it transfers take no time" \
    }

/* cli_times_set: gives the called nodes of the module these times, as compute=. memory: nodes with
 * mem= alone have a time, too. */
int cli_times_set(cli_session *s, cli_times *times, int memory);

/* cli_seconds_of: sets the seconds of a called node by itself; returns 0 where those of the graphs
 * that it runs count instead, which `runs` says there are. */
typedef int (*cli_seconds_of)(
    const gsp_graph *graph, gsp_node v, int runs, const void *user, double *seconds);

/* cli_seconds_make: seconds of the called nodes of all graphs, callees first; [nodes], zeroed.
 * Returns an exit status. */
int cli_seconds_make(
    cli_session *s, const gsp_module *module, cli_seconds_of of, const void *user, double *seconds);

/* cli_multiplications: the MACs of a node; the elements of its result if it multiplies nothing. */
double cli_multiplications(const gsp_graph *graph, gsp_node v);

/* cli_times_missing: called nodes without seconds; memory: those with mem= alone have some. */
uint32_t cli_times_missing(const gsp_graph *graph, int memory);

#ifndef GSP_NO_PIPELINE

/* ==== unit_costs ====
 * What annotations say of the nodes of a pipeline, as a search for stages takes it. */

typedef struct cli_unit_costs_desc {
    const gsp_graph *graph;
    const gsp_costs *costs;
    const char *marker;   /* of stages; NULL for PyTorch's */
    uint32_t keep_groups; /* 1: nodes of one group= are one unit, the backward part included */
    uint32_t own_bytes;   /* 1: memory is fixed= and kept= of nodes alone */
    uint64_t bandwidth;   /* bytes per second; 0 if transfers take no time */
    const gsp_downsets_desc *stages; /* the search */
} cli_unit_costs_desc;

/* cli_is_backward: 1 for `backward=1`, or a called module of class Backward. */
int cli_is_backward(const gsp_graph *g, gsp_node v);

/* cli_own_bytes: fixed= and kept= of a node, its memory and what a microbatch adds, in place of
 * parameters and outputs. Returns whether it has one of them. */
int cli_own_bytes(const gsp_graph *g, gsp_node v, uint64_t *fixed, uint64_t *kept);

/* cli_own_move: each=S,S,... of a node: ticks to move its output to user i, apart from all other
 * users. Returns whether the node has it. */
int cli_own_move(const gsp_graph *g, gsp_node v, uint32_t i, uint64_t *ticks);

/* cli_unit_costs: what gsp_downsets_graph_run() takes, in the memory of the session. */
void cli_unit_costs(cli_session *s, const cli_unit_costs_desc *desc, gsp_downsets_graph_desc *made);

#endif

/* ==== unit_pattern ====
 * Patterns of operators for --units. */

#define UNIT_MOST_STEPS 16u
#define UNIT_MOST_ARCS  64u

typedef struct unit_arc {
    uint32_t user;  /* a step */
    uint32_t input; /* the step that it reads */
} unit_arc;

typedef struct unit_pattern {
    gsp_str text;
    gsp_str steps[UNIT_MOST_STEPS]; /* NAME, with * and ?, or several with '|' */
    uint32_t n_steps;
    unit_arc arcs[UNIT_MOST_ARCS]; /* those of the last step first */
    uint32_t n_arcs;
} unit_pattern;

/* unit_pattern_read: NULL, or what is wrong with the text. */
const char *unit_pattern_read(unit_pattern *p, gsp_str text);

/* unit_step_fits: an operator of this name fits a step. */
int unit_step_fits(gsp_str step, gsp_str name);

/* ==== units ====
 * Units: nodes that a compiler takes as one, and that a split must not tear. */

/* cli_units_run: the groups of --units in a placement. Nodes of group= stay where they are. */
int cli_units_run(cli_session *s, const gsp_graph *graph, gsp_placement *placement);

/* ==== unmatched ====
 * Operators and pins of the options that match no node. */

/* cli_place_check: reports operators and pins of the user that match no node, where that helps. An
 * error for a word that is almost the name of a list, or names a file. */
int cli_place_check(cli_session *s, const cli_place *place, const gsp_graph *graph);

/* cli_place_tell_nothing: tells when neither options nor the graph say what an accelerator runs. */
void cli_place_tell_nothing(cli_session *s, const cli_place *place, const gsp_graph *graph);

/* cli_place_limit: LIMIT where lists are so long that the graph would take more than seconds. */
int cli_place_limit(cli_session *s, const cli_place *place, const gsp_graph *graph);

/* cli_place_near: the likely meaning of a pin that matches nothing, as the end of a sentence. */
void cli_place_near(cli_session *s, const cli_place *place, const gsp_graph *graph,
    const gsp_pin *pin, cli_buffer *out);

/* ==== in_place ====
 * --in-place: results that may stand in the memory of an argument. */

typedef struct cli_in_place {
    uint32_t *arguments; /* [n] bit k is 1 if the result may be where argument k is */
    uint32_t *parts;     /* [n] 1 if arguments may lie inside the result, or results inside one */
} cli_in_place;

/* cli_in_place_known: as cli_in_place_read() with all rules, but without inplace=. */
void cli_in_place_known(cli_session *s, const gsp_graph *graph, cli_in_place *in_place);

/* cli_in_place_read: what inplace= and the rules of `spec` allow: litert, ort, torch, all, @FILE,
 * or NULL, which is all. */
int cli_in_place_read(
    cli_session *s, const char *spec, const gsp_graph *graph, cli_in_place *in_place);

/* ==== children ====
 * Tensors that are contiguous parts of another: arguments of a concatenation, results of a split.
 */

typedef struct cli_child {
    gsp_node at;     /* the node that joins or splits */
    gsp_node child;  /* the value that lies inside */
    gsp_node parent; /* the value that it is part of; `at` for a concatenation */
    uint64_t offset; /* in bytes */
    int shared;      /* 1 if its bytes are those of other children, too */
} cli_child;

/* cli_children_find: those of the nodes whose parts[] is 1, by node; *n gets how many. */
cli_child *cli_children_find(
    cli_session *s, const gsp_graph *graph, const uint32_t *parts, uint32_t *n);

/* ==== rebuild ====
 * Copies of graphs in a module of their own. */

/* cli_rebuild_begin: begins a module with the strings of another, and more. */
gsp_status cli_rebuild_begin(
    cli_session *s, gsp_builder *b, const gsp_module *like, gsp_counts more, gsp_arena *arena);

/* cli_rebuild_start: begins a graph of the name of another. */
void cli_rebuild_start(gsp_builder *b, const gsp_graph *g);

/* cli_rebuild_node: copies a node up to its arguments. cli_rebuild_graph: copies all of a graph. */
void cli_rebuild_node(gsp_builder *b, const gsp_graph *g, gsp_node v);
void cli_rebuild_graph(gsp_builder *b, const gsp_graph *g);

/* ==== reorder ====
 * A graph in another order. */

/* cli_reorder: the module of the session with the nodes of a graph in this order; `option` asks for
 * it. */
int cli_reorder(cli_session *s, const gsp_graph *graph, const gsp_node *order, const char *option);

/* ==== views ====
 * --views: operators that only give a tensor another shape yield a view of it. */

/* cli_views_set: the module with alias=0 at such operators of ONNX and TFLite. */
int cli_views_set(cli_session *s);

/* ==== weights ====
 * weight= of nodes, and other attributes that the library does not know. */

/* cli_attribute: its text, or empty. cli_attribute_of: NULL data if there is none. */
gsp_str cli_attribute(const gsp_graph *graph, gsp_node v, const char *key);
gsp_str cli_attribute_of(const gsp_graph *graph, gsp_node v, const char *key);

/* cli_groups: the first node with the same group= of every called node, GSP_NONE for it and for
 * nodes without a group. */
uint32_t *cli_groups(cli_session *s, const gsp_graph *graph);

/* cli_groups_torn: the first node in another part than the first node of its group; GSP_NONE if
 * there is none. */
gsp_node cli_groups_torn(const gsp_graph *graph, const uint32_t *group, const uint32_t *part_of);

/* cli_groups_check: an error if a group is in several parts, with what to do about it. Returns an
 * exit status. */
int cli_groups_check(
    cli_session *s, const gsp_graph *graph, const uint32_t *part_of, const char *advice);

/* cli_weights_read: weight= of called nodes, else 1; 0 for others. Returns an exit status. */
int cli_weights_read(cli_session *s, const gsp_graph *graph, uint64_t **weights);

/* cli_capacities: of every part (1 + E) * ceil(total / n_parts) rounded down, but not below the
 * heaviest node; E is the text of --imbalance. Returns an exit status. */
int cli_capacities(cli_session *s, const char *imbalance, uint64_t total, uint64_t heaviest,
    uint32_t n_parts, uint64_t **capacity);

/* cli_put_imbalance: an E, with few digits, that allows parts of this load. */
void cli_put_imbalance(cli_buffer *out, uint64_t limit, uint64_t total, uint32_t n_parts);

/* ==== written ====
 * Writes that a graph text does not state. */

enum { CLI_WRITES_NAMES, CLI_WRITES_NONE };

/* cli_written_set: the module with the mutates= that names of calls imply where it is absent, and
 * alias= where values show memory that these calls write; a line says so. Returns an exit
 * status. */
int cli_written_set(cli_session *s);

/* cli_written_check: an error that names the argument, if a position of mutates= or alias= is that
 * of no node. Returns an exit status. */
int cli_written_check(cli_session *s);

#endif
