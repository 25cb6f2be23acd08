/* graphsplit.h - v0.1.0 - splits computation graphs into runnable pieces
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * One C header, no dependency, no malloc: what runs on which accelerator, and the pieces as
 * graphs.
 *
 * Do this in ONE file of your program:
 *
 *     #define GRAPHSPLIT_IMPLEMENTATION
 *     #include "graphsplit.h"
 *
 * and include it plainly everywhere else. C99 and later, C++11 and later, 32 and 64 bit.
 *
 *
 * 1 WHAT IT IS, AND WHAT IT IS NOT
 *
 * A compiler writer has the graph of a model and several places to run it: a CPU that runs
 * everything, and accelerators that run some operators. graphsplit decides which node runs where,
 * cuts the graph into as few subgraphs as alternate between the places, gives a reason for every
 * node, and hands the pieces back as graphs that call each other. It is the CPU/accelerator
 * splitter of torch.fx, with the same answers where those are right, in memory that the caller
 * gives and can bound beforehand. It does not run kernels, does not read model files (see
 * examples/), and does not know any hardware: a table of operator names, or a function of yours,
 * says what an accelerator takes.
 *
 *
 * 2 SIXTY SECONDS
 *
 *     ~~~
 *     #define GRAPHSPLIT_IMPLEMENTATION
 *     #include "graphsplit.h"
 *     #include <stdio.h>
 *     #include <string.h>
 *
 *     static const char text[] =
 *         "graph():\n"
 *         "    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n"
 *         "    %a : [num_users=1] = call_method[target=relu](args = (%x,), kwargs = {})\n"
 *         "    %b : [num_users=1] = call_method[target=sort](args = (%a,), kwargs = {})\n"
 *         "    return b\n";
 *
 *     int main(void)
 *     {
 *         static unsigned char memory[65536];
 *         gsp_table_entry const entry = {{"relu", 4}, {NULL, 0}, NULL, 0, 0};
 *         gsp_rule rule;
 *         gsp_accelerator npu = {&rule, 1};
 *         gsp_support_desc support;
 *         gsp_split_desc split;
 *         gsp_arena arena;
 *         gsp_module module;
 *         gsp_graph graph;
 *         gsp_placement placement;
 *         gsp_split_result result;
 *         gsp_error error;
 *         unsigned i;
 *         memset(&rule, 0, sizeof(rule));
 *         memset(&support, 0, sizeof(support));
 *         memset(&split, 0, sizeof(split));
 *         rule.kind = GSP_RULE_TABLE;
 *         rule.table.entries = &entry;
 *         rule.table.n_entries = 1;
 *         support.accelerators = &npu;
 *         support.n_accelerators = 1;
 *         split.placement = &placement;
 *         gsp_arena_init(&arena, memory, sizeof(memory));
 *         if (gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, &error) != GSP_OK) {
 *             printf("line %u: %s\n", (unsigned)error.line, gsp_detail_text(error.detail));
 *             return 1;
 *         }
 *         graph = gsp_module_graph(&module, 0);
 *         if (gsp_support_run(&arena, &graph, &support, &placement, &error) != GSP_OK ||
 *             gsp_split_run(&arena, &graph, &split, &result, &error) != GSP_OK) {
 *             return 1;
 *         }
 *         for (i = 0; i < result.n_subgraphs; i++) {
 *             char tag[32];
 *             (void)gsp_split_tag(&result, i, tag, sizeof(tag));
 *             printf("%s: %u node(s)\n", tag,
 *                    (unsigned)(result.subgraph_begin[i + 1] - result.subgraph_begin[i]));
 *         }
 *         return 0;
 *     }
 *     ~~~
 *
 * prints `_run_on_acc_0: 1 node(s)` and `_run_on_cpu_1: 1 node(s)`. gsp_tags_run() makes graphs of
 * them.
 *
 *
 * 3 CONTENTS
 *
 * `grep -n '>>' graphsplit.h` is the outline. Each section stands once in the API half and once,
 * under the same name and in the same order, in the implementation half.
 *
 *     >>config       Compile-time switches and compiler adaption
 *     >>status       Status values and error details
 *     >>memory       Two-ended arena over memory of the caller
 *     >>bitset       Sets of node ids
 *     >>graph        Modules, graphs, nodes, arguments, annotations
 *     >>build        Making a module step by step
 *     >>query        Questions about a finished graph
 *     >>check        Opening a stored module, validation
 *     >>text         Reading and writing the graph text
 *     >>support      Which accelerator takes which node
 *     >>acc          Accelerator nodes: no non-tensor value crosses
 *     >>fuse         Fusion groups: nodes that must run in one subgraph
 *     >>boundary     Non-tensor values that need not cross
 *     >>split        CPU and accelerator subgraphs
 *     >>module       Graphs from tags
 *     >>parts        split_module: a graph from any assignment
 *     >>frames       Slots and call frames of a run, planned once
 *     >>run          Running a graph with the kernels of the caller
 *     >>peak         Live bytes of a graph in its order
 *     >>offsets      Tensors in one arena
 *     >>budget       Fewest pieces under a byte budget
 *     >>plan         Assignments saved by name
 *     >>compare      Two assignments
 *     >>extend       An accelerator subgraph and what may join it
 *     >>culprit      The least set of nodes that fails
 *     >>preview      What a split would cost
 *     >>device       Devices, memory, mapping of partitions
 *     >>latency      Critical paths of partitions
 *     >>size         Partitions by bytes
 *     >>sparse       Embeddings beside everything else
 *     >>cost         Partitions by latency
 *     >>kl           Kernighan-Lin swaps
 *     >>partition    All modes, and the DAG of partitions
 *     >>effects      What is written, and the order that it forces
 *     >>same         Classes of identical nodes
 *     >>regions      Repeated regions
 *     >>accept       Which regions can be replaced
 *     >>dedup        One subgraph for all regions of a group
 *     >>fingerprint  Equal graphs under different names
 *     >>costs        Costs of nodes in whole ticks
 *     >>stages       Where to cut a pipeline
 *     >>loads        What every stage takes
 *     >>sequence     Other orders of a graph
 *     >>balance      Stages of the least bottleneck
 *     >>marks        Stages from markers and split specs
 *     >>hold         Which stages hold which parameters
 *     >>pipe         Stages of a pipeline as a module
 *     >>backward     Gradients through the stages
 *     >>move         Stages on devices of their own, and alone
 *     >>schedule     The order of work of a pipeline
 *     >>draw         Pictures as Graphviz text
 *     >>impl         Implementation guard, leaf macros, assertions
 *     >>k.fail       Filling in error details
 *     >>k.math       Checked sizes
 *     >>k.bump       One layout for bound and run
 *     >>k.bits       Words
 *     >>k.hash       Bytes: hashing, comparing, copying
 *     >>k.sort       Sorting ids by a key
 *     >>k.chars      Classes of bytes, pieces of text, numbers as text
 *     >>k.place      Placements
 *     >>k.costs      Costs of nodes
 *     >>k.write      Text into a sink
 *     >>k.live       Which values share memory, and how long they live
 *     >>k.copy       Nodes of a graph into a builder that has adopted its module
 *     >>k.cut        A graph in pieces: what crosses, the root that calls, the graphs called
 *     >>k.texts      Texts of the caller, found by their bytes
 *     >>k.reach      Child graphs that a graph uses
 *     >>k.order      Stable topological order
 *     >>k.values     What arguments mean while regions are replaced
 *
 *
 * 4 CONCEPTS
 *
 * Module: graphs that call graphs. Graph 0 is the root. Graph: nodes in an order in which every
 * input stands before its user; that order decides every tie. Node: a placeholder (input),
 * get_attr (parameter), one of three calls (the callable nodes: only they are placed), or the
 * output.
 * Subgraph: callable nodes that run in one place in one go. Cut: an edge between two subgraphs.
 *
 *     x --> relu --> sort --> mul --> y        relu, mul: accelerator      sort: CPU
 *           [acc_0]  [cpu_1]  [acc_2]          three subgraphs, two cuts
 *
 * Placement: a kind for every callable node (0 the CPU, k accelerator k), with a reason and a
 * culprit.
 * Fusion group: nodes that hand non-tensor values to each other and so may not be torn. Given
 * group: nodes with the same `group=`, which no pass tears.
 *
 *
 * 4a GRAPH TEXT
 *
 * What PyTorch prints for print(gm.graph), a node a line, each with an optional annotation:
 *
 *     graph():
 *         %x : [num_users=2] = placeholder[target=x](default=None)  # f32[1, 3, 8, 8]
 *         %w : [num_users=1] = get_attr[target=blk.w]  # f32[8, 3]
 *         %c : [num_users=1] = call_module[target=conv](args = (%x, %w), kwargs = {dim: 1})  # ...
 *         return (c, x)
 *
 * Six kinds: placeholder, get_attr, call_function, call_method, call_module, and the output,
 *            `return`.
 * Arguments nest: %nodes, tuples, lists, dicts, slice(a, b, c); anything else is a constant, kept
 *                 as it
 * is spelled. Elements are separated by a comma and a blank. After `return` and in a slice nodes
 * stand without '%'. Several graphs: a line `module NAME` before each, `main` first. Blank lines,
 * tabs, CRLF and lines that start with '#' are taken; num_users is checked only on request.
 *
 *     # TYPE key=value ...    all of it optional, after two blanks
 *     TYPE      f32[1, 3]     a tensor: any dtype; bytes an element are its first number / 8, at
 *     least
 *                             one; a dimension that is no number, such as s0, counts as 1
 *               tuple(f32[2], i64[2]), list(...), dict(...)    an aggregate
 *               int float bool str none tuple list dict any    neither; no TYPE: a tensor of 0
 *               bytes
 *     bytes=    of the output, instead of what TYPE says       params=   of a called module, bytes
 *     module=   class of a called module                       scope=    path of the calling module
 *     acc=      0: CPU, k: accelerator k, over the tables      group=    equal: never torn apart
 *     mem= compute= cpu= comm=    seconds
 *     key= mutates= alias= storage= state= barrier= stage= device= part=    and all others: kept
 *     and
 *               printed back; no pass here reads them
 *
 *
 * 5 MEMORY
 *
 * You give an arena: one block with two ends. Results grow from the low end, scratch from the high
 * end and is gone when a function returns. Nothing is freed one by one: take gsp_arena_mark(),
 * work, gsp_arena_rewind(). Every function that needs memory has a partner that says how much:
 *
 *     gsp_x_bound(counts, ...)    so many bytes left in the arena suffice, at any address
 *     gsp_x_run(arena, ...)       with one byte less: NOMEM, error.need says how many
 *
 * Bounds depend on counts only, never on the edges. A worked count, 64 nodes, 80 edges, one
 * accelerator: gsp_split_bound() says 2556 bytes on a 64-bit machine (39 a node and padding), of
 * which about 1800 stay. Several passes in a row: the sum of what stays, plus the greatest
 * scratch; adding the bounds is enough.
 *
 *
 * 6 ERRORS
 *
 * Every function that can fail returns a gsp_status and, if asked, fills a gsp_error: which node,
 * line, column, how many bytes. All or nothing: after a failure outputs and arena are as before
 * the call. Nothing is printed, nothing aborts. The order of checks is fixed: null arguments,
 * desc, counts and memory, then the data in graph order.
 *
 *
 * 7 DETERMINISM, THREADS, STACK
 *
 * Same input, same bytes, on every compiler, word size and byte order: no hash decides an output,
 * no float takes part in a decision. No globals, so any number of threads may work, each with its
 * own arena; finished modules may be shared. No recursion: a hundred million nested brackets take
 * no more stack than one.
 *
 *
 * 8 SWITCHES (define them where the implementation is compiled; none changes a public type)
 *
 *     GRAPHSPLIT_STATIC         everything static: several private copies in one program
 *     GSP_API                   prefix of every public function, e.g. for export
 *     GSP_CONFIG_HEADER         a header to include first
 *     GSP_NO_TEXT               no reading and writing of the graph text
 *     GSP_NO_SUPPORT            no tables, rules and pins (fill a gsp_placement yourself)
 *     GSP_NO_SPLIT              no accelerator nodes, fusion, split; no previews either
 *     GSP_NO_PREVIEW            no extending of subgraphs, culprit search, previews
 *     GSP_NO_DRAW               no pictures
 *     GSP_NO_MODULE             no graphs from tags
 *     GSP_NO_PARTS              no split_module
 *     GSP_NO_RUN                no running of graphs
 *     GSP_NO_PIPE               no stages, pipelines and their schedules
 *     GSP_NO_COST               no floating point at all
 *     GSP_NO_ALL_PASSES         none of those above but COST; GSP_WITH_TEXT, ... bring one back
 *     GSP_NO_MESSAGES           sentences of statuses and reasons are empty
 *     GSP_NO_BUILTINS           portable code instead of compiler builtins
 *     GSP_MEMCPY, GSP_MEMSET, GSP_MEMCMP    replacements for the only library functions in use
 *
 *
 * 9 PASSES                      time                     bytes a node + an edge, at most
 *
 *     gsp_text_read             O(bytes of text)         gsp_build_bound(gsp_text_count())
 *     gsp_support_run           O(n * rules)             21 + 0, and 4 a string
 *     gsp_acc_run               O(n + m)                 8 + 0
 *     gsp_fuse_run              O(n + m) *               29 + 0
 *     gsp_split_run             O(n + m) *               39 + 0
 *     gsp_boundary_run          O(n + m)                 9 + 0, and 4 a subgraph
 *     gsp_tags_run              O(n + m + args)          gsp_tags_bound()
 *     gsp_parts_run             O(n + m + args)          gsp_parts_bound()
 *     gsp_frames_run            O(n + m + args)          gsp_frames_bound()
 *     gsp_run_graph             O(args), 10 ns a node    9 a value alive, see gsp_run_bound()
 *     gsp_stages_run            O(n + m)                 20 + 0, and 5 a string
 *     gsp_costs_run             O(n + m)                 44 + 12, and 12 a string
 *     gsp_loads_run             O(n + m)                 16 + 4, and 96 a stage
 *     gsp_balance_run           desc.max_work            gsp_balance_bound()
 *     gsp_schedule_run          O(tasks)                 80 a stage and microbatch
 *     gsp_extend_run            O(n + m)                 16 + 0
 *     gsp_culprit_run           O(tests * n)             14 + 0, and 600
 *     gsp_signatures_run        O(args)                  gsp_signatures_bound()
 *     gsp_preview_run           O(n + m)                 12 + 4, and 80 a subgraph
 *     gsp_draw_graph            O(n + m), 0.4 us a node  none
 *     gsp_draw_module           O(n + m + args)          16 a graph, and 400
 *
 *     * a fusion group that is tangled with nodes of another kind costs a search of its own, over
 *       the nodes between its first and last member: O(groups * (n + m)) at the very worst
 *
 *
 * 10 LIMITS
 *
 * Fewer than 2^32 - 1 of everything, 4 GiB of strings in a module, 254 accelerators, lines below
 * 512 MiB. Names that an enemy has chosen to collide in the string table make reading quadratic:
 * bound the size of texts from strangers. size_t must have 32 bits at least; 16-bit targets fail
 * at compile time with a clear name.
 *
 *
 * 11 PORTING
 *
 * Needs stddef.h and stdint.h, and memcpy, memset, memcmp (compilers call the first two by
 * themselves, so even a bare-metal program has to have them). A stored module is in the byte order
 * of its maker. For readers of MISRA C:2012: no heap, recursion, goto, stdio, variable-length
 * arrays; kept deviations are early returns (15.5), casts from void pointers (11.5), and casts
 * that take away const from arrays that the library itself has just made (11.8).
 *
 *
 * 12 QUESTIONS
 *
 * Why is a node not on my accelerator?    result.reason[v] and result.culprit[v]: unsupported,
 *   reads or hands on a non-tensor value, fused with an unsupported node, subgraph too small,
 *   refused by your accept function, moved off a boundary, limit, pinned.
 * Too many small subgraphs?    desc.min_size; or desc.limit with GSP_LIMIT_DEMOTE and your own
 *   values.
 * My compiler refuses some subgraphs?    desc.accept; and gsp_culprit_run() finds the nodes at
 *   fault, with a test of yours.
 * What would a split cost?    gsp_preview_run(): bytes in and out of every subgraph.
 * What does it look like?    gsp_draw_graph() and gsp_draw_module(), for Graphviz.
 * Keep some nodes together?    group= in the text, or placement.group.
 * My own idea of support?    GSP_RULE_CALL, or fill placement.kind and skip gsp_support_run().
 * A graph that is not text?    gsp_build_init() and friends; count generously, the result is
 *   compact.
 * I know myself what belongs together?    gsp_parts_run(): any assignment without cycles.
 * Run a graph, or its pieces?    gsp_frames_run() once, then gsp_run_graph() with a callback of
 *   yours for kernels; it enters submodules, unpacks aggregates, says when a value is dead. Values
 *   are 64-bit handles: with shapes for values it propagates shapes, with hashes it compares two
 *   modules; desc.enter sees the inputs of every submodule. The root of a pipeline runs likewise.
 * Can I keep a graph in flash?    Yes: module.block, module.block_size; gsp_module_open() is the
 *   view.
 * How big may a text be?    100 MB/s and more on one core; memory as gsp_text_count() says.
 * Does it call anything behind my back?    Your callbacks and sinks, and the three functions
 *   above.
 */

/* -------------------------------------------------------------------------------------------------
 * >>config   Compile-time switches and compiler adaption
 * ---------------------------------------------------------------------------------------------- */
#ifndef GRAPHSPLIT_H_INCLUDED
#define GRAPHSPLIT_H_INCLUDED

#ifdef GSP_CONFIG_HEADER
#include GSP_CONFIG_HEADER
#endif

#include <stddef.h>
#include <stdint.h>

#define GSP_VERSION_MAJOR  0
#define GSP_VERSION_MINOR  1
#define GSP_VERSION_PATCH  0
#define GSP_VERSION_STRING "0.1.0"

#ifdef GSP_NO_ALL_PASSES
#ifndef GSP_WITH_TEXT
#define GSP_NO_TEXT
#endif
#ifndef GSP_WITH_SUPPORT
#define GSP_NO_SUPPORT
#endif
#ifndef GSP_WITH_SPLIT
#define GSP_NO_SPLIT
#endif
#ifndef GSP_WITH_MODULE
#define GSP_NO_MODULE
#endif
#ifndef GSP_WITH_PARTS
#define GSP_NO_PARTS
#endif
#ifndef GSP_WITH_RUN
#define GSP_NO_RUN
#endif
#ifndef GSP_WITH_MEMORY
#define GSP_NO_MEMORY
#endif
#ifndef GSP_WITH_PLAN
#define GSP_NO_PLAN
#endif
#ifndef GSP_WITH_PREVIEW
#define GSP_NO_PREVIEW
#endif
#ifndef GSP_WITH_PARTITION
#define GSP_NO_PARTITION
#endif
#ifndef GSP_WITH_DEDUP
#define GSP_NO_DEDUP
#endif
#ifndef GSP_WITH_PIPE
#define GSP_NO_PIPE
#endif
#ifndef GSP_WITH_DRAW
#define GSP_NO_DRAW
#endif
#endif

/* The partitioner counts in seconds and makes modules; swaps start from partitions by size. */
#if !defined(GSP_NO_PARTITION) && (defined(GSP_NO_COST) || defined(GSP_NO_PARTS))
#define GSP_NO_PARTITION
#endif
/* What is looked at beforehand is a split. */
#if defined(GSP_NO_SPLIT) && !defined(GSP_NO_PREVIEW)
#define GSP_NO_PREVIEW
#endif
#if defined(GSP_NO_PARTITION_SIZE) && !defined(GSP_NO_PARTITION_KL)
#define GSP_NO_PARTITION_KL
#endif

#ifndef GSP_API
#ifdef GRAPHSPLIT_STATIC
#define GSP_API static
#else
#define GSP_API extern
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------------------
 * >>status   Status values and error details                                                 (API)
 * ---------------------------------------------------------------------------------------------- */

/* Every function that can fail returns a gsp_status. The list is append-only. */
#define GSP_STATUS_LIST(X)                                                             \
    X(OK, "success")                                                                   \
    X(ARG, "an argument is outside of what the function accepts")                      \
    X(DESC, "a desc was not zero-initialised, or holds an impossible combination")     \
    X(NOMEM, "the arena is too small")                                                 \
    X(OVERFLOW, "a size does not fit into 64 bits, or a count into 32")                \
    X(PARSE, "the text cannot be read")                                                \
    X(CYCLE, "the graph, or the order asked for, is cyclic")                           \
    X(DUPLICATE, "a name is given twice")                                              \
    X(UNDEFINED, "a name is used that nothing before it defines")                      \
    X(DAMAGED, "a stored module is damaged or was written by another kind of machine") \
    X(LIMIT, "a limit that the caller set cannot be met")                              \
    X(EMPTY, "there is nothing to work on")                                            \
    X(NO_FIT, "something does not fit where it has to go")

typedef enum gsp_status {
#define GSP_STATUS_ENUM(name, text) GSP_STATUS_##name,
    GSP_STATUS_LIST(GSP_STATUS_ENUM)
#undef GSP_STATUS_ENUM
        GSP_STATUS_COUNT,
    GSP_STATUS_FORCE_U32 = 0x7FFFFFFF
} gsp_status;

#define GSP_OK   GSP_STATUS_OK
#define GSP_NONE UINT32_MAX /* no node, no string, no subgraph */

/* What exactly went wrong: one sentence each, see gsp_detail_text(). Append-only. */
/* clang-format off */
#define GSP_DETAIL_LIST(X) \
    X(NONE, "no further detail") \
    X(NULL_ARGUMENT, "a pointer that must not be null is null") \
    X(CANARY, "the desc was not zero-initialised") \
    X(BOUND, "the arena holds fewer bytes than the bound") \
    X(CAPACITY, "there are more items than the counts given at the start") \
    X(TOO_MANY, "there are more than 2^32 - 2 items") \
    X(SIZE, "a size exceeds 64 bits") \
    X(NUMBER, "expected a number") \
    X(NAME, "expected a node name") \
    X(NAME_TWICE, "this name is already taken") \
    X(NAME_UNKNOWN, "no node of this name stands before this place") \
    X(NAME_LATER, "this node stands only here or later: out of order, or a cycle") \
    X(OP, "expected placeholder, get_attr, call_function, call_method or call_module") \
    X(TARGET, "expected [target=...]") \
    X(USERS, "expected [num_users=N]") \
    X(USERS_WRONG, "num_users is not the number of distinct users") \
    X(ARGS, "expected (args = (...), kwargs = {...})") \
    X(BRACKET, "a bracket is not closed, or closes nothing") \
    X(KEY, "expected a key and ': '") \
    X(DEFAULT, "expected (default=...), without nodes in it") \
    X(TYPE, "expected a type such as f32[1, 3], tuple(...) or int, or key=value") \
    X(ANNOTATION, "expected key=value") \
    X(LINE, "expected '%name : ...', 'return ...', 'graph():' or 'module NAME'") \
    X(HEADER, "expected 'graph():'") \
    X(RETURN, "expected a graph to end in 'return ...'") \
    X(AFTER_RETURN, "text stands after 'return'") \
    X(TRAILING, "expected the end of the line, or an annotation after '  # '") \
    X(NUL_BYTE, "the text holds a NUL byte") \
    X(MODULE_NAME, "expected a module name, each name once, 'main' first") \
    X(STATE, "a builder function was called where it has no meaning") \
    X(CONSTANT, "this constant would not read back from the text form") \
    X(MAGIC, "this is no stored module, or one of another version or byte order") \
    X(RANGE, "an index points outside of its array") \
    X(ROWS, "the stored rows of inputs and users do not agree with the arguments") \
    X(KIND, "a node has a kind that does not exist") \
    X(PIN, "a pin names no callable node of the graph") \
    X(RULE, "a support rule program does not leave exactly one value") \
    X(TAG, "a callable node has no tag, or a tag that does not exist") \
    X(TAG_EMPTY, "a tag has no nodes") \
    X(TAG_ORDER, "the tags stand in an order that the data forbids") \
    X(TAG_NAME, "a tag has no name, or the name of another tag") \
    X(SUBGRAPHS, "more subgraphs than the limit") \
    X(ENTRY, "expected NAME, NAME*, NAME dtype,dtype or !NAME") \
    X(SEPARATOR, "expected elements separated by a comma and a blank") \
    X(ALIGN, "the block must lie at a multiple of 8") \
    X(CUT, "the block is shorter than its header says") \
    X(THRESHOLD, "a threshold of parameter bytes wants a number, or a number of stages") \
    X(DEVICES, "there are no devices") \
    X(DEVICE_TWICE, "two devices have the same logical id") \
    X(DEVICE_UNKNOWN, "no device has this logical id, or it is given twice") \
    X(DEVICES_UNEQUAL, "this mode wants devices of equal size") \
    X(DEVICES_SMALL, "all devices together are too small") \
    X(CALLABLE, "the graph has no callable node") \
    X(LATENCY, "a latency is negative, infinite or no number") \
    X(RATE, "the transfer rate is negative, infinite or no number") \
    X(RATE_ZERO, "the transfer rate is zero, and there are bytes to move") \
    X(MODE, "this mode does not exist, or is not in this build") \
    X(NODE_LARGE, "a node needs more bytes than any device that is left has") \
    X(MAPPING, "a partition needs more bytes than any device has left") \
    X(EMBEDDINGS, "more partitions of embeddings than devices") \
    X(EMBEDDING_LARGE, "a partition of embeddings does not fit beside all others") \
    X(PART_NONE, "a callable node has no partition") \
    X(PART_DEVICES, "a partition has no devices") \
    X(PARTS_CYCLE, "partitions read each other in a circle") \
    X(PARTS_ORDER, "a partition reads one that comes later in the order asked for") \
    X(STOPPED, "a callback asked to stop") \
    X(ALIAS, "alias= names no argument") \
    X(BUDGET, "a piece that cannot be cut needs more bytes than the budget") \
    X(INPUT_MISSING, "a placeholder without default is given no input") \
    X(INPUT_MANY, "more inputs than placeholders") \
    X(INPUT_UNKNOWN, "no placeholder has the name of this input") \
    X(INPUT_TWICE, "two inputs are given for one placeholder") \
    X(INPUT_ORDER, "an input by position stands after one by name") \
    X(INPUT_DTYPE, "dtype mismatch: the input has another one than the placeholder") \
    X(INPUT_SHAPE, "shape mismatch: the input has another one than the placeholder") \
    X(INPUT_TYPE, "the input is of another kind than the placeholder") \
    X(CALL_INPUTS, "a graph is called with inputs that its placeholders do not take") \
    X(ELEMENT, "an aggregate has no such element") \
    X(FORMS, "a graph is called with aggregates that are not made alike") \
    X(RECURSION, "a graph calls itself, perhaps through others") \
    X(AGGREGATES, "aggregates have more elements than the desc makes room for") \
    X(KERNEL, "a kernel failed; the status is its own") \
    X(COSTS, "the costs are those of another graph, or name an item that does not exist") \
    X(STAGE, "a stage that does not exist, or that reads a later one") \
    X(MEMORY, "no plan keeps every device within its memory") \
    X(POINT, "a split point is neither beginning nor end") \
    X(PATH, "no callable node stands under this module path") \
    X(POLICY, "there are both a split spec and a policy") \
    X(MULTI_USE, "a multi-use setting is neither replicate nor transmit") \
    X(PARAMETER, "no get_attr reads a parameter of this name") \
    X(STAGE_ORDER, "a node reads one of a later stage") \
    X(WRITTEN, "a node writes a parameter of which several stages would have copies") \
    X(STAGE_INDEX, "there is no stage of this index") \
    X(DEVICE, "a device would not read back from the text form") \
    X(LOSS_INDEX, "there is no returned value of this index") \
    X(LOSS_KEY, "the returned value is no dict with a key loss") \
    X(LOSS_VALUE, "the loss is no value of a node") \
    X(LOSS_SPEC, "the loss spec and the returned value differ in shape here") \
    X(LOSS_NONE, "the loss spec has no True") \
    X(HELD, "a stage keeps more microbatches than the one before it") \
    X(PLAN_HEAD, "expected 'plan 1'") \
    X(PLAN_PIECE, "expected a piece, [NAME], and perhaps a note") \
    X(PLAN_LINE, "expected the name of a node, or a pattern with * and ?") \
    X(POSITION, "mutates= or alias= is no position of the arguments") \
    X(WAITS, "more nodes wait for writers than the limit allows") \
    X(WORK, "the search took more steps than the limit allows") \
    X(OUTPUTS, "elements of aggregates leave regions more often than the limit allows")
/* clang-format on */

typedef enum gsp_detail {
#define GSP_DETAIL_ENUM(name, text) GSP_DETAIL_##name,
    GSP_DETAIL_LIST(GSP_DETAIL_ENUM)
#undef GSP_DETAIL_ENUM
        GSP_DETAIL_COUNT,
    GSP_DETAIL_FORCE_U32 = 0x7FFFFFFF
} gsp_detail;

/* Details of a failure; pass NULL where they are not wanted. Every failing call fills it wholly. */
typedef struct gsp_error {
    gsp_status status;
    gsp_detail detail;
    uint32_t node;  /* the node (or pin, or tag) at fault; GSP_NONE: not about one */
    uint32_t other; /* a second one, e.g. the node at the other end of an edge; or GSP_NONE */
    size_t line;    /* text: 1-based line, 0: not about text */
    size_t column;  /* text: 1-based column, in bytes */
    uint64_t need;  /* NOMEM: the bytes that suffice; LIMIT: the count that was reached */
    uint64_t limit; /* NOMEM: the bytes that were there; LIMIT: the count that was allowed */
} gsp_error;

/* gsp_status_name: the name as written in this header, without prefix ("NOMEM"); "?" for others.
 * Time: O(1). */
GSP_API const char *gsp_status_name(gsp_status status);

/* gsp_status_text: one short English sentence, "" with GSP_NO_MESSAGES. Time: O(1). */
GSP_API const char *gsp_status_text(gsp_status status);

/* gsp_detail_text: one short English sentence, "" with GSP_NO_MESSAGES. Time: O(1). */
GSP_API const char *gsp_detail_text(gsp_detail detail);

/* -------------------------------------------------------------------------------------------------
 * >>memory   Two-ended arena over memory of the caller                                       (API)
 * ---------------------------------------------------------------------------------------------- */

/* Results grow from the low end, scratch from the high end. Nothing is ever freed one by one:
 * take a mark, work, rewind. All fields are read-only for the caller. */
typedef struct gsp_arena {
    unsigned char *base;
    size_t size;
    size_t low;     /* bytes in use at the low end */
    size_t high;    /* bytes in use at the high end */
    size_t touched; /* greatest low + high since init or gsp_arena_watch() */
} gsp_arena;

typedef struct gsp_mark {
    size_t low;
    size_t high;
} gsp_mark;

/* Every address that the arena gives out is a multiple of this. */
#define GSP_ALIGN 16u

/* Constant bounds, for static memory on devices: GSP_X_BOUND(n_nodes, n_edges) of a pass is what
 * gsp_x_bound() says with one accelerator and otherwise defaults, for counts that do not overflow.
 * Beside each such function. */
#define GSP_BOUND_ARRAY(count, size) \
    (((size_t)(count) * (size) + (GSP_ALIGN - 1u)) & ~((size_t)GSP_ALIGN - 1u))
#define GSP_BOUND_SLACK     (2u * (GSP_ALIGN - 1u))
#define GSP_BOUND_MAX(a, b) ((a) > (b) ? (a) : (b))

/* gsp_arena_init: take over `size` bytes at `memory` (any alignment; NULL only with size 0).
 * The memory stays the caller's and must outlive everything made in it. Time: O(1). */
GSP_API void gsp_arena_init(gsp_arena *arena, void *memory, size_t size);

/* gsp_arena_left: bytes between the two ends. Time: O(1). */
GSP_API size_t gsp_arena_left(const gsp_arena *arena);

/* gsp_arena_mark: the present state of both ends. Time: O(1). */
GSP_API gsp_mark gsp_arena_mark(const gsp_arena *arena);

/* gsp_arena_rewind: back to a mark; what was given out since is gone. Time: O(1). */
GSP_API void gsp_arena_rewind(gsp_arena *arena, gsp_mark mark);

/* gsp_arena_push: `count * size` bytes at the low end, aligned, not cleared; NULL when they do not
 * fit (then nothing changes). Time: O(1). */
GSP_API void *gsp_arena_push(gsp_arena *arena, size_t count, size_t size);

/* gsp_arena_push_high: the same at the high end. Time: O(1). */
GSP_API void *gsp_arena_push_high(gsp_arena *arena, size_t count, size_t size);

/* gsp_arena_watch: start measuring `touched` afresh from the present use. Time: O(1). */
GSP_API void gsp_arena_watch(gsp_arena *arena);

/* -------------------------------------------------------------------------------------------------
 * >>bitset   Sets of node ids                                                                (API)
 * ---------------------------------------------------------------------------------------------- */

/* A view on words in the caller's memory; bits at and above `n` are always 0. */
typedef struct gsp_bitset {
    uint32_t *words; /* [gsp_bitset_words(n)] */
    uint32_t n;      /* ids 0 .. n - 1 */
} gsp_bitset;

/* gsp_bitset_words: number of 32-bit words that a set over n ids takes. Time: O(1). */
GSP_API size_t gsp_bitset_words(uint32_t n);

/* gsp_bitset_init: a view on `words` [gsp_bitset_words(n)], emptied. Time: O(n / 32). */
GSP_API void gsp_bitset_init(gsp_bitset *set, uint32_t *words, uint32_t n);

/* gsp_bitset_set, _clear, _has: one id below n (others: no effect, 0). Time: O(1). */
GSP_API void gsp_bitset_set(gsp_bitset *set, uint32_t id);
GSP_API void gsp_bitset_clear(gsp_bitset *set, uint32_t id);
GSP_API int gsp_bitset_has(const gsp_bitset *set, uint32_t id);

/* gsp_bitset_fill: all ids, or none. Time: O(n / 32). */
GSP_API void gsp_bitset_fill(gsp_bitset *set, int all);

/* gsp_bitset_or, _and, _andnot: a = a op b, word-parallel; both over the same n (else no effect).
 * Time: O(n / 32). */
GSP_API void gsp_bitset_or(gsp_bitset *a, const gsp_bitset *b);
GSP_API void gsp_bitset_and(gsp_bitset *a, const gsp_bitset *b);
GSP_API void gsp_bitset_andnot(gsp_bitset *a, const gsp_bitset *b);

/* gsp_bitset_equal: 1 when both hold the same ids of the same range. Time: O(n / 32). */
GSP_API int gsp_bitset_equal(const gsp_bitset *a, const gsp_bitset *b);

/* gsp_bitset_count: number of ids in the set. Time: O(n / 32). */
GSP_API uint32_t gsp_bitset_count(const gsp_bitset *set);

/* gsp_bitset_next: the least id >= from in the set, or GSP_NONE. Iterate with
 * `for (v = gsp_bitset_next(s, 0); v != GSP_NONE; v = gsp_bitset_next(s, v + 1))`.
 * Time: O(words skipped). */
GSP_API uint32_t gsp_bitset_next(const gsp_bitset *set, uint32_t from);

/* -------------------------------------------------------------------------------------------------
 * >>graph   Modules, graphs, nodes, arguments, annotations                                   (API)
 * ---------------------------------------------------------------------------------------------- */

typedef uint32_t gsp_node;   /* index of a node in its graph: 0 .. n_nodes - 1, in graph order */
typedef uint32_t gsp_string; /* index of an interned string in its module */

/* Bytes of text that somebody else owns; not NUL-terminated. */
typedef struct gsp_text {
    const char *data;
    uint32_t size; /* bytes */
} gsp_text;

typedef enum gsp_op {
    GSP_OP_NONE,
    GSP_OP_PLACEHOLDER,
    GSP_OP_GET_ATTR,
    GSP_OP_CALL_FUNCTION, /* the three calls are the callable nodes: only they are placed */
    GSP_OP_CALL_METHOD,
    GSP_OP_CALL_MODULE,
    GSP_OP_OUTPUT, /* exactly one, the last node of its graph */
    GSP_OP_COUNT,
    GSP_OP_FORCE_U32 = 0x7FFFFFFF
} gsp_op;

/* What a node yields. */
typedef enum gsp_out {
    GSP_OUT_TENSOR,    /* a tensor; also every node without annotation (0 bytes) */
    GSP_OUT_AGGREGATE, /* a tuple or list that holds a tensor: no tensor, but of known tensors */
    GSP_OUT_OTHER,     /* anything else: int, bool, a tuple of ints, ... */
    GSP_OUT_COUNT,
    GSP_OUT_FORCE_U32 = 0x7FFFFFFF
} gsp_out;

/* Arguments are a flat stream of tokens in reading order: an opening token stands before its
 * elements, a closing token after them. At the top level of a call stand the positional arguments
 * and then, from the first KEY on, the keyword arguments; of a placeholder its default, if any;
 * of the output the returned value. */
typedef enum gsp_arg_kind {
    GSP_ARG_NONE,
    GSP_ARG_NODE,     /* value: the node */
    GSP_ARG_CONSTANT, /* value: its spelling, a gsp_string (numbers, None, strings, dtypes, ...) */
    GSP_ARG_KEY,      /* value: a gsp_string; the key of the element that follows (dict, keyword) */
    GSP_ARG_TUPLE,    /* opening tokens; value: index of the matching CLOSE less own index */
    GSP_ARG_LIST,
    GSP_ARG_DICT,
    GSP_ARG_SLICE,
    GSP_ARG_CLOSE, /* value: own index less that of its opening token */
    GSP_ARG_COUNT,
    GSP_ARG_FORCE_U32 = 0x7FFFFFFF
} gsp_arg_kind;

typedef struct gsp_arg {
    uint32_t kind; /* gsp_arg_kind */
    uint32_t value;
} gsp_arg;

/* One `key=value` of an annotation. A node's attributes are a run that ends with key
 * GSP_KEY_NONE. */
typedef struct gsp_attr {
    gsp_string key; /* a gsp_key for the keys below, else any string */
    gsp_string value;
} gsp_attr;

/* Keys that the library knows. They are the first strings of every module, in this order. */
#define GSP_KEY_LIST(X)   \
    X(NONE, "")           \
    X(ANNOTATION, ":")    \
    X(BYTES, "bytes")     \
    X(PARAMS, "params")   \
    X(MODULE, "module")   \
    X(MEM, "mem")         \
    X(COMPUTE, "compute") \
    X(CPU, "cpu")         \
    X(COMM, "comm")       \
    X(ACC, "acc")         \
    X(KEY, "key")         \
    X(MUTATES, "mutates") \
    X(ALIAS, "alias")     \
    X(STORAGE, "storage") \
    X(STATE, "state")     \
    X(BARRIER, "barrier") \
    X(GROUP, "group")     \
    X(SCOPE, "scope")     \
    X(STAGE, "stage")     \
    X(DEVICE, "device")   \
    X(PART, "part")       \
    X(MAIN, "main")       \
    X(OUTPUT, "output")   \
    X(GETITEM, "operator.getitem")

typedef enum gsp_key {
#define GSP_KEY_ENUM(name, text) GSP_KEY_##name,
    GSP_KEY_LIST(GSP_KEY_ENUM)
#undef GSP_KEY_ENUM
        GSP_KEY_COUNT,
    GSP_KEY_FORCE_U32 = 0x7FFFFFFF
} gsp_key;

#define GSP_FLAG_ACC   1u /* has acc=: gsp_node_acc() says which */
#define GSP_FLAG_GROUP 2u /* has group= */
#define GSP_FLAG_BYTES 4u /* has bytes=, which wins over the type */

/* How many of everything; what bounds are computed from. */
typedef struct gsp_counts {
    uint32_t graphs;
    uint32_t nodes;   /* placeholders, attributes and outputs included */
    uint32_t edges;   /* distinct pairs of input and user, the output included */
    uint32_t args;    /* argument tokens */
    uint32_t attrs;   /* attributes, terminators included */
    uint32_t strings; /* distinct strings, the known keys included */
    uint32_t bytes;   /* bytes of all distinct strings */
} gsp_counts;

typedef struct gsp_graph_entry {
    gsp_string name;
    uint32_t first; /* first node of the graph in the module's node arrays */
    uint32_t n_nodes;
} gsp_graph_entry;

/* A leaf module that is called, or a parameter that is read: where it is met first. */
typedef struct gsp_use {
    gsp_string target; /* qualified name */
    uint32_t graph;
    gsp_node node;
} gsp_use;

/* A module: a root graph (graph 0), the child graphs it calls, and what they all share. Everything
 * lies in one relocatable block without pointers: copy the bytes, keep them in flash, send them,
 * and gsp_module_open() makes a view of them again. The view holds pointers into the block; all
 * arrays are read-only. Node arrays hold the graphs one after the other; ids inside a graph start
 * at 0. */
typedef struct gsp_module {
    const void *block;
    size_t block_size; /* bytes */
    gsp_counts counts;
    uint32_t n_params;
    uint32_t n_leaves;
    const uint64_t *bytes;         /* [nodes] bytes of the output */
    const gsp_graph_entry *graphs; /* [graphs] graph 0 is the root */
    const uint32_t *by_name;       /* [graphs] graph indices by ascending name id */
    const gsp_string *name;        /* [nodes] */
    const gsp_string *target;      /* [nodes] */
    const gsp_string *type;        /* [nodes] TYPE of the annotation, GSP_KEY_NONE: none */
    const uint32_t *attr;          /* [nodes] start of the run in attrs */
    const uint32_t *arg_begin;     /* [nodes + 1] into args */
    const uint32_t *in_begin;      /* [nodes + 1] into inputs */
    const uint32_t *user_begin;    /* [nodes + 1] into users */
    const gsp_node *inputs;       /* [edges] distinct inputs of a node, in order of first meeting */
    const gsp_node *users;        /* [edges] distinct users of a node, ascending */
    const gsp_arg *args;          /* [args] */
    const gsp_attr *attrs;        /* [attrs] */
    const gsp_use *params;        /* [n_params] distinct targets of get_attr, by first use */
    const gsp_use *leaves;        /* [n_leaves] distinct called modules that are no child graph */
    const uint32_t *string_begin; /* [strings + 1] into chars */
    const uint8_t *op;            /* [nodes] gsp_op */
    const uint8_t *out;           /* [nodes] gsp_out */
    const uint8_t *flags;         /* [nodes] GSP_FLAG_ */
    const char *chars;            /* [bytes] */
} gsp_module;

/* One graph of a module: a small value, copied freely; the module must outlive it. */
typedef struct gsp_graph {
    const gsp_module *module;
    uint32_t id;    /* index in module->graphs */
    uint32_t first; /* of its nodes in the module's node arrays */
    uint32_t n_nodes;
} gsp_graph;

/* gsp_module_graph: graph `id` of a module (id < counts.graphs). Time: O(1). */
GSP_API gsp_graph gsp_module_graph(const gsp_module *module, uint32_t id);

/* gsp_graph_counts: the counts of one graph; strings and bytes are the whole module's, since
 * names are shared. This is what bounds of passes over that graph want. Time: O(1). */
GSP_API gsp_counts gsp_graph_counts(const gsp_graph *graph);

/* -------------------------------------------------------------------------------------------------
 * >>build   Making a module step by step                                                     (API)
 * ---------------------------------------------------------------------------------------------- */

/* A builder keeps its first error: call on, and look at the status of gsp_build_finish().
 * Transparent so that it can live on the stack; all fields are private. */
typedef struct gsp_builder {
    gsp_arena *arena;
    gsp_mark mark;
    gsp_error error;
    gsp_counts cap;
    gsp_counts used;
    int open;           /* inside a graph */
    uint32_t current;   /* node being described, in the whole module; GSP_NONE: none */
    uint32_t run;       /* start of its attributes */
    int keyed;          /* it has keyword arguments */
    uint32_t container; /* innermost open argument container, GSP_NONE: none */
    uint32_t slice;     /* outermost open slice, GSP_NONE: none */
    gsp_module *made;   /* the result while it is being made */
    uint64_t *bytes;
    gsp_graph_entry *graphs;
    gsp_string *name;
    gsp_string *target;
    gsp_string *type;
    uint32_t *attr;
    uint32_t *arg_begin;
    gsp_arg *args;
    gsp_attr *attrs;
    uint32_t *string_begin;
    uint8_t *op;
    uint8_t *out;
    uint8_t *flags;
    char *chars;
    uint32_t *hash; /* [hash_mask + 1] string ids, GSP_NONE: free */
    uint32_t hash_mask;
    uint32_t *node_of; /* [strings] node of this name in the current graph, in the whole module */
    uint32_t *suffix_low;  /* [strings] base_N is taken for N from here ... */
    uint32_t *suffix_high; /* [strings] ... to below here ... */
    uint32_t *suffix_in;   /* [strings] ... in this graph */
} gsp_builder;

/* gsp_build_bound: bytes for building a module of at most these counts, the module included.
 * SIZE_MAX when they do not fit into size_t. Only the module stays after gsp_build_finish().
 * Time: O(1). */
GSP_API size_t gsp_build_bound(const gsp_counts *counts);

/* gsp_build_counts: counts for at most so many graphs, nodes, argument tokens, attributes,
 * strings and bytes of strings as the caller will add; what the builder adds itself is put on
 * top. Time: O(1). */
GSP_API gsp_counts gsp_build_counts(uint32_t graphs, uint32_t nodes, uint32_t args, uint32_t attrs,
                                    uint32_t strings, uint32_t bytes);

/* gsp_build_init: start a module of at most `counts` (see gsp_build_counts).
 *
 * What:      reserves everything that building takes; nothing later fails for lack of memory,
 *            only for more items than counted (OVERFLOW, detail CAPACITY)
 * Errors:    ARG, OVERFLOW, NOMEM (need)
 * Time:      O(strings)
 * Memory:    gsp_build_bound()
 */
GSP_API gsp_status gsp_build_init(gsp_builder *b, gsp_arena *arena, const gsp_counts *counts,
                                  gsp_error *err);

/* gsp_build_graph: start a graph; the one before must have its output. The first is the root; its
 * name is "main" when `name` is empty. Time: O(name). */
GSP_API void gsp_build_graph(gsp_builder *b, gsp_text name);

/* gsp_build_node: add a node to the current graph and return its id there (GSP_NONE after an
 * error). Its arguments, type and attributes follow before the next node. `op` is any but
 * GSP_OP_OUTPUT; a name that is taken is an error (DUPLICATE). Time: O(name + target). */
GSP_API gsp_node gsp_build_node(gsp_builder *b, gsp_op op, gsp_text name, gsp_text target);

/* gsp_build_output: add the output node, which ends the graph. One argument, the returned value,
 * has to follow. Time: O(1). */
GSP_API gsp_node gsp_build_output(gsp_builder *b);

/* gsp_build_arg_node, _arg_text, _key, _open, _close: the arguments of the current node, in reading
 * order (see gsp_arg_kind). A constant is given as it is spelled in the text form; one that would
 * not read back is an error. Nothing is nested too deeply. Time: O(size of the text). */
GSP_API void gsp_build_arg_node(gsp_builder *b, gsp_node node);
GSP_API void gsp_build_arg_text(gsp_builder *b, gsp_text spelling);
GSP_API void gsp_build_key(gsp_builder *b, gsp_text key);
GSP_API void gsp_build_open(gsp_builder *b, gsp_arg_kind container);
GSP_API void gsp_build_close(gsp_builder *b);

/* gsp_build_type: the TYPE of the current node ("f32[1, 3]", "tuple(f32[2], i64[2])", "int").
 * Sets what it yields and, unless `bytes=` says otherwise, its bytes. Time: O(size). */
GSP_API void gsp_build_type(gsp_builder *b, gsp_text type);

/* gsp_build_attr: one key=value of the current node, known or not. Known numbers are checked.
 * Time: O(size). */
GSP_API void gsp_build_attr(gsp_builder *b, gsp_text key, gsp_text value);

/* gsp_build_adopt: take over all strings and attribute runs of a module, ids unchanged, before
 * the first graph. Copying graphs is then a matter of ids: no text is looked at again. The
 * functions below want ids of the adopted module, or those that gsp_build_string() and
 * gsp_build_name() gave. Time: O(strings + bytes + attrs). */
GSP_API void gsp_build_adopt(gsp_builder *b, const gsp_module *module);

/* gsp_build_string: the id of a string, new or not. Time: O(size). */
GSP_API gsp_string gsp_build_string(gsp_builder *b, gsp_text text);

/* gsp_build_name: a node name that is free in the current graph, as PyTorch makes them: runs of
 * bytes outside [0-9A-Za-z_] become one '_', a leading digit gets '_' in front, and a name that
 * is taken gets the next free number ("add" -> "add_1", "add_1" -> "add_2"). Time: O(size)
 * amortised: the next number of a base is remembered. */
GSP_API gsp_string gsp_build_name(gsp_builder *b, gsp_text wanted);

/* gsp_build_reserve: keep a node name of the current graph from gsp_build_name(), before its node
 * is there or without one: gsp_build_node_id() takes it all the same. Time: O(1). */
GSP_API void gsp_build_reserve(gsp_builder *b, gsp_string name);

/* gsp_build_node_id: as gsp_build_node(), by ids. Time: O(1). */
GSP_API gsp_node gsp_build_node_id(gsp_builder *b, gsp_op op, gsp_string name, gsp_string target);

/* gsp_build_arg: one argument token; the value of an opening or closing one is ignored.
 * Time: O(1). */
GSP_API void gsp_build_arg(gsp_builder *b, gsp_arg arg);

/* gsp_build_like: give the current node the type and bytes of a node of the adopted module, and
 * with `attributes` != 0 its whole annotation (else only `bytes=`). Time: O(attributes). */
GSP_API void gsp_build_like(gsp_builder *b, const gsp_graph *graph, gsp_node node, int attributes);

/* gsp_build_finish: the module.
 *
 * What:      checks the last graph, makes the rows of inputs and users and the tables of
 *            parameters and leaf modules, and leaves one compact block at the low end of the arena
 * Out:       module    filled only on success
 * Errors:    the first error of any builder call; else UNDEFINED, PARSE (a graph without output),
 *            EMPTY (no graph); on error the arena is as before gsp_build_init()
 * Time:      O(nodes + args + strings)
 * Memory:    within gsp_build_bound()
 */
GSP_API gsp_status gsp_build_finish(gsp_builder *b, gsp_module *module, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>query   Questions about a finished graph                                                 (API)
 * ---------------------------------------------------------------------------------------------- */

/* gsp_text_of: a text view of a NUL-terminated string (NULL: empty). Time: O(size). */
GSP_API gsp_text gsp_text_of(const char *s);

/* gsp_text_equal: 1 when both hold the same bytes. Time: O(size). */
GSP_API int gsp_text_equal(gsp_text a, gsp_text b);

/* gsp_module_string: the bytes of a string (empty for an id that does not exist). Time: O(1). */
GSP_API gsp_text gsp_module_string(const gsp_module *module, gsp_string s);

/* gsp_module_find_graph: index of the child graph of this name, GSP_NONE: none. Time: O(log
 * graphs). */
GSP_API uint32_t gsp_module_find_graph(const gsp_module *module, gsp_string name);

/* gsp_node_name, _target, _type: texts of a node. Time: O(1). */
GSP_API gsp_text gsp_node_name(const gsp_graph *graph, gsp_node node);
GSP_API gsp_text gsp_node_target(const gsp_graph *graph, gsp_node node);
GSP_API gsp_text gsp_node_type(const gsp_graph *graph, gsp_node node);

/* gsp_node_op, _out, _is_callable: kinds of a node. Time: O(1). */
GSP_API gsp_op gsp_node_op(const gsp_graph *graph, gsp_node node);
GSP_API gsp_out gsp_node_out(const gsp_graph *graph, gsp_node node);
GSP_API int gsp_node_is_callable(const gsp_graph *graph, gsp_node node);

/* gsp_node_bytes: bytes of the output. Time: O(1). */
GSP_API uint64_t gsp_node_bytes(const gsp_graph *graph, gsp_node node);

/* gsp_node_attr: value of an attribute, NULL data when the node has none of that key.
 * Time: O(attributes of the node). */
GSP_API gsp_text gsp_node_attr(const gsp_graph *graph, gsp_node node, gsp_key key);

/* gsp_node_params: parameter bytes of a called module (`params=`), of a get_attr its output
 * bytes, else 0. Time: O(attributes of the node). */
GSP_API uint64_t gsp_node_params(const gsp_graph *graph, gsp_node node);

/* gsp_node_class: what support tables match: the class (`module=`) of a called module, else the
 * target. Time: O(attributes of the node). */
GSP_API gsp_text gsp_node_class(const gsp_graph *graph, gsp_node node);

/* gsp_node_scope: the path of the module in which the node was called: `scope=`, else the target
 * of a called module, else empty. Time: O(attributes of the node). */
GSP_API gsp_text gsp_node_scope(const gsp_graph *graph, gsp_node node);

/* gsp_node_acc: the support override: -1 none, 0 the CPU, k accelerator k.
 * Time: O(attributes of the node). */
GSP_API int gsp_node_acc(const gsp_graph *graph, gsp_node node);

/* gsp_node_inputs, _users: distinct inputs (order of first meeting), distinct users (ascending).
 * Time: O(1). */
GSP_API const gsp_node *gsp_node_inputs(const gsp_graph *graph, gsp_node node, uint32_t *count);
GSP_API const gsp_node *gsp_node_users(const gsp_graph *graph, gsp_node node, uint32_t *count);

/* gsp_node_args: argument tokens of a node. Time: O(1). */
GSP_API const gsp_arg *gsp_node_args(const gsp_graph *graph, gsp_node node, uint32_t *count);

/* gsp_graph_find: the node of this name, GSP_NONE: none. The output has no name. Time: O(nodes). */
GSP_API gsp_node gsp_graph_find(const gsp_graph *graph, gsp_text name);

/* gsp_text_number: a decimal of only digits. 1 on success, 0 for anything else or beyond 64 bits.
 * Time: O(size). */
GSP_API int gsp_text_number(gsp_text text, uint64_t *value);

#ifndef GSP_NO_COST
/* gsp_text_decimal: a decimal such as 1.5e-06, correctly rounded to nearest-even as strtod does, in
 * integer arithmetic only, so that every machine gives the same bits. Takes also inf and nan. 1 on
 * success. Time: O(size + exponent^2), below a microsecond for what people write. */
GSP_API int gsp_text_decimal(gsp_text text, double *value);

/* gsp_node_seconds: `mem=`, `compute=`, `cpu=` or `comm=` of a node, 0 without it.
 * Time: O(attributes of the node). */
GSP_API double gsp_node_seconds(const gsp_graph *graph, gsp_node node, gsp_key key);
#endif

/* gsp_glob: 1 when `text` matches `pattern` (`*`, `?`). Time: O(text * stars), O(text) with one
 * star. */
GSP_API int gsp_glob(gsp_text pattern, gsp_text text);

/* gsp_type_container: GSP_ARG_TUPLE, _LIST or _DICT for the TYPE of an aggregate, else
 * GSP_ARG_NONE. *count: the elements of a tuple or list that names the type of each of them;
 * GSP_NONE: of any other, as of `tuple`, `dict(...)` or one with an aggregate in it. Time:
 * O(size). */
GSP_API gsp_arg_kind gsp_type_container(gsp_text type, uint32_t *count);

/* gsp_type_element: the TYPE of an element of such a tuple or list, empty beyond the last.
 * Time: O(size). */
GSP_API gsp_text gsp_type_element(gsp_text type, uint32_t element);

/* gsp_node_leaf: the token of a node's arguments at a flattened position, as `mutates=` and
 * `alias=` count them: containers are entered, every node and every constant counts one.
 * GSP_NONE: there is no such position. Time: O(args of the node). */
GSP_API uint32_t gsp_node_leaf(const gsp_graph *graph, gsp_node node, uint32_t position);

/* gsp_node_is_barrier: 1 for a node that enters or leaves a global state (`barrier=`, but not 0).
 * Time: O(attributes of the node). */
GSP_API int gsp_node_is_barrier(const gsp_graph *graph, gsp_node node);

/* gsp_node_element: which element of the aggregate that it reads an `operator.getitem` with a
 * constant index takes, a negative index counted from the end; GSP_NONE: the node is none, or the
 * aggregate lists no such element. Time: O(size of the type). */
GSP_API uint32_t gsp_node_element(const gsp_graph *graph, gsp_node node);

/* gsp_type_next: walks the tensors of a TYPE: the next one at or after *at. Fills its dtype
 * ("f32") and its dimensions as text ("1, 3"), moves *at behind it; 0 when there is none left.
 * Time: O(size). */
GSP_API int gsp_type_next(gsp_text type, uint32_t *at, gsp_text *dtype, gsp_text *dims);

/* -------------------------------------------------------------------------------------------------
 * >>check   Opening a stored module, validation                                              (API)
 * ---------------------------------------------------------------------------------------------- */

/* gsp_module_open: a view of a stored module.
 *
 * What:      checks every count, offset, id and row, so that no later query or pass can leave the
 *            block; `trusted` != 0 checks only the header (a block of your own, in flash)
 * In:        block     aligned to 8; must outlive the view
 * Errors:    ARG (alignment), DAMAGED (node: where, if known), CYCLE (an input at or after its
 *            user)
 * Time:      O(block), O(1) when trusted
 * Memory:    none
 */
GSP_API gsp_status gsp_module_open(gsp_module *module, const void *block, size_t size, int trusted,
                                   gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>text   Reading and writing the graph text                                                (API)
 * ---------------------------------------------------------------------------------------------- */

/* Receives pieces of text in order; returns 0 to go on, anything else to stop. */
typedef int (*gsp_sink)(void *user, const char *data, size_t size);

#ifndef GSP_NO_TEXT

typedef struct gsp_text_desc {
    uint32_t start_canary;
    uint8_t check_users;    /* read: 1: num_users must be right */
    uint8_t no_annotations; /* write: 1: leave out what stands after "  # " */
    uint8_t hoist;          /* write: 1: placeholders first, in their own order */
    uint8_t as_module;      /* write: 1: a `module NAME` line also where there is one graph */
    uint32_t end_canary;
} gsp_text_desc;

/* gsp_text_count: what a text holds, at most.
 *
 * What:      the counting pass: how many nodes, tokens, strings a text can hold;
 *            gsp_build_bound() of the result is what gsp_text_read() needs
 * Errors:    ARG, OVERFLOW (2^32 items, 4 GiB of text)
 * Time:      O(size), no parsing
 * Memory:    none
 */
GSP_API gsp_status gsp_text_count(const char *text, size_t size, gsp_counts *counts,
                                  gsp_error *err);

/* gsp_text_read: a module from its text form.
 *
 * In:        text      what PyTorch prints for a graph, with annotations (README, `graph text`)
 *            desc      NULL: defaults
 * Out:       module    root first; a text without `module` lines gives one graph, "main"
 * Errors:    ARG, DESC, PARSE (line, column, detail), OVERFLOW (sizes), NOMEM (need)
 *            on error no output is written and the arena is unchanged
 * Time:      O(size)
 * Memory:    gsp_build_bound(gsp_text_count()); only the module stays
 * Stack:     < 2048 bytes with all callees on 64 bit, however deep the nesting
 * Threads:   reentrant; arena and outputs must not be shared
 */
GSP_API gsp_status gsp_text_read(gsp_arena *arena, const char *text, size_t size,
                                 const gsp_text_desc *desc, gsp_module *module, gsp_error *err);

/* gsp_text_write: a module as text; reading it back gives an equal module.
 *
 * Errors:    ARG, DESC, LIMIT (the sink asked to stop)
 * Time:      O(size of the text)
 * Memory:    none
 */
GSP_API gsp_status gsp_text_write(const gsp_module *module, const gsp_text_desc *desc,
                                  gsp_sink sink, void *user, gsp_error *err);

/* gsp_text_write_graph: one graph, from `graph():` to its `return`. As gsp_text_write(). Time: as
 * gsp_text_write(). Memory: none. Errors: as gsp_text_write(). */
GSP_API gsp_status gsp_text_write_graph(const gsp_graph *graph, const gsp_text_desc *desc,
                                        gsp_sink sink, void *user, gsp_error *err);

/* gsp_text_write_value: one argument token run `args[0 .. count)` as it stands in a text,
 * `output` != 0: as after `return`. As gsp_text_write(). Time: O(size of the text). Memory: none.
 * Errors: LIMIT. */
GSP_API gsp_status gsp_text_write_value(const gsp_graph *graph, const gsp_arg *args, uint32_t count,
                                        int output, gsp_sink sink, void *user, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>support   Which accelerator takes which node                                             (API)
 * ---------------------------------------------------------------------------------------------- */

#define GSP_KIND_CPU  0u
#define GSP_KIND_NONE 255u /* no callable node: placed nowhere */

/* Why a callable node is where it is. */
#define GSP_REASON_LIST(X)                                                  \
    X(NONE, "not a callable node")                                          \
    X(SUPPORTED, "supported by its accelerator")                            \
    X(UNSUPPORTED, "no accelerator supports it")                            \
    X(PINNED, "pinned by the caller")                                       \
    X(NON_TENSOR_IN, "reads a non-tensor value from elsewhere")             \
    X(NON_TENSOR_OUT, "hands a non-tensor value elsewhere")                 \
    X(FUSED, "fused with a node that is not on this accelerator")           \
    X(GROUP, "its atomic group cannot run there as a whole")                \
    X(SMALL, "its accelerator subgraph is below the minimum size")          \
    X(LIMIT, "its accelerator subgraph gave way to the limit on subgraphs") \
    X(REFUSED, "the caller refused its accelerator subgraph")               \
    X(MOVED, "moved to the only subgraph that reads its non-tensor value")

typedef enum gsp_reason {
#define GSP_REASON_ENUM(name, text) GSP_REASON_##name,
    GSP_REASON_LIST(GSP_REASON_ENUM)
#undef GSP_REASON_ENUM
        GSP_REASON_COUNT,
    GSP_REASON_FORCE_U32 = 0x7FFFFFFF
} gsp_reason;

/* gsp_reason_name, _text: "NON_TENSOR_IN"; a short English phrase ("" with GSP_NO_MESSAGES).
 * Time: O(1). */
GSP_API const char *gsp_reason_name(gsp_reason reason);
GSP_API const char *gsp_reason_text(gsp_reason reason);

/* Where every node of a graph may run, and why. `kind` is all that a caller with an own opinion
 * has to fill; the others may be NULL as an input of gsp_split_run(). */
typedef struct gsp_placement {
    uint32_t n_nodes;
    uint32_t n_kinds;  /* 1 + number of accelerators, at most 255 */
    uint32_t trusted;  /* 1: kind and group are right, they need no check */
    uint8_t *kind;     /* [n] 0: CPU, k: accelerator k, GSP_KIND_NONE: not callable */
    uint8_t *reason;   /* [n] gsp_reason */
    gsp_node *culprit; /* [n] the node that caused it, GSP_NONE: the node itself, or nobody */
    uint32_t *group;   /* [n] one id (< n) for all nodes that must stay together, GSP_NONE: alone */
} gsp_placement;

#ifndef GSP_NO_SUPPORT

/* Accepted dtypes of one argument of an operator. */
typedef struct gsp_arg_dtypes {
    gsp_text key;      /* keyword; empty: positional */
    uint32_t position; /* from 0, when positional */
    gsp_text dtypes;   /* "i8,qi8"; empty: any */
} gsp_arg_dtypes;

/* One line of a support table. A name that ends in '*' matches a prefix. Lines are looked at in
 * order; the last that names a node decides. Several lines of the very same name are
 * alternatives. */
typedef struct gsp_table_entry {
    gsp_text name;
    gsp_text dtypes;            /* accepted for all tensor inputs and outputs; empty: any */
    const gsp_arg_dtypes *args; /* [n_args] further conditions, or NULL */
    uint32_t n_args;
    uint32_t remove; /* 1: takes the name out again */
} gsp_table_entry;

typedef struct gsp_table {
    const gsp_table_entry *entries;
    uint32_t n_entries;
} gsp_table;

typedef int (*gsp_support_func)(void *user, const gsp_graph *graph, gsp_node node);

/* A support rule is a little program in postfix order over a stack of at most 64 truth values: the
 * first four push one, the last three replace values by one. One value must be left. */
typedef enum gsp_rule_kind {
    GSP_RULE_ANNOTATION, /* acc= of the node is its accelerator; 0 without annotation */
    GSP_RULE_TABLE,      /* the table takes the node */
    GSP_RULE_CALL,       /* func(user, graph, node) != 0 */
    GSP_RULE_DTYPES,     /* all tensors that the node reads and yields have one of `dtypes` */
    GSP_RULE_NOT,
    GSP_RULE_ALL, /* of the last `count` values */
    GSP_RULE_ANY,
    GSP_RULE_COUNT,
    GSP_RULE_FORCE_U32 = 0x7FFFFFFF
} gsp_rule_kind;

typedef struct gsp_rule {
    uint32_t kind; /* gsp_rule_kind */
    uint32_t count;
    gsp_table table;
    gsp_support_func func;
    void *user;
    gsp_text dtypes;
} gsp_rule;

typedef struct gsp_accelerator {
    const gsp_rule *rules; /* none: nothing but acc= and pins */
    uint32_t n_rules;
} gsp_accelerator;

/* What a pin speaks of. */
typedef enum gsp_pin_what {
    GSP_PIN_NAME,   /* node names */
    GSP_PIN_SCOPE,  /* module paths: the path itself and all below it */
    GSP_PIN_TARGET, /* targets, classes of called modules included */
    GSP_PIN_COUNT,
    GSP_PIN_FORCE_U32 = 0x7FFFFFFF
} gsp_pin_what;

/* `*` and `?` in the pattern match any run of bytes and any byte. */
typedef struct gsp_pin {
    uint32_t what; /* gsp_pin_what */
    uint32_t kind; /* 0: CPU, k: accelerator k */
    gsp_text pattern;
} gsp_pin;

typedef struct gsp_support_desc {
    uint32_t start_canary;
    uint32_t n_accelerators;             /* 0: one, which takes what acc= says */
    const gsp_accelerator *accelerators; /* in order of priority */
    const gsp_pin *pins; /* the last that matches a node wins; over acc= and the tables */
    uint32_t n_pins;
    uint32_t ignore_annotation; /* 1: acc= does not override the rules */
    uint32_t ignore_groups;     /* 1: group= means nothing */
    uint32_t end_canary;
} gsp_support_desc;

/* gsp_table_bound: bytes that a table of this text takes. Time: O(size). */
GSP_API size_t gsp_table_bound(gsp_text text);

/* gsp_table_read: a support table from an operator file: one name a line, `NAME*`, `NAME i8,qi8`,
 * `!NAME`, `#` comments. The table points into the text.
 *
 * Errors:    ARG, PARSE (line, column), NOMEM
 * Time:      O(size)
 * Memory:    gsp_table_bound(), stays
 */
GSP_API gsp_status gsp_table_read(gsp_arena *arena, gsp_text text, gsp_table *table,
                                  gsp_error *err);

/* gsp_support_bound: bytes for gsp_support_run() on a graph of these counts. Time: O(1). */
GSP_API size_t gsp_support_bound(const gsp_counts *counts, const gsp_support_desc *desc);

/* GSP_SUPPORT_BOUND: the same without pins; n_strings is counts.strings of the module. */
#define GSP_SUPPORT_BOUND(n_nodes, n_strings)                                                  \
    (5u * GSP_BOUND_ARRAY(n_nodes, 1u) + 2u * GSP_BOUND_ARRAY(n_nodes, 4u) +                   \
     GSP_BOUND_ARRAY(n_nodes, 8u) + GSP_BOUND_ARRAY(n_strings, 4u) + GSP_BOUND_ARRAY(1u, 4u) + \
     GSP_BOUND_SLACK)

/* gsp_support_run: for every callable node the first accelerator that takes it.
 *
 * What:      rules of each accelerator, then acc= (over the rules), then pins (over both). The
 *            nodes of one group= go to the first accelerator that takes them all, else to the CPU.
 * In:        desc      NULL: one accelerator, acc= alone
 * Out:       out       kind, reason (SUPPORTED, UNSUPPORTED, PINNED, GROUP), culprit, group
 * Errors:    ARG (detail PIN: node = the pin without `*` or `?` that names nothing; RULE; KIND),
 *            DESC, NOMEM
 * Time:      O(nodes * (rules + pins with wildcards) + strings * table entries + pins); a table
 *            whose last line of a name keeps refusing dtypes is searched again, O(nodes * table
 *            entries)
 * Memory:    gsp_support_bound(): 10 bytes a node stay
 * Example:   examples/hello.c
 */
GSP_API gsp_status gsp_support_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_support_desc *desc, gsp_placement *out,
                                   gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>acc   Accelerator nodes: no non-tensor value crosses                                     (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_SPLIT

/* gsp_acc_bound: bytes for gsp_acc_run(): 8 a node and padding. Time: O(1). */
GSP_API size_t gsp_acc_bound(const gsp_counts *counts);

#define GSP_ACC_BOUND(n_nodes, n_edges) (2u * GSP_BOUND_ARRAY(n_nodes, 4u) + GSP_BOUND_SLACK)

/* gsp_acc_run: take nodes off an accelerator until no non-tensor value (int, tuple, ...) passes
 * between it and anything else, the caller included.
 *
 * What:      the greatest fixpoint below the given placement: it does not depend on visiting order.
 *            Nodes of one group leave together.
 * In, out:   io        kind is reduced; reason and culprit (if not NULL) say why: NON_TENSOR_IN,
 *                      NON_TENSOR_OUT, GROUP. Untouched on error.
 * Errors:    ARG (detail KIND), NOMEM
 * Time:      O(nodes + edges)
 * Memory:    gsp_acc_bound(), nothing stays
 * See:       torch.fx splitter_base, FxNetAccNodesFinder
 */
GSP_API gsp_status gsp_acc_run(gsp_arena *arena, const gsp_graph *graph, gsp_placement *io,
                               gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>fuse   Fusion groups: nodes that must run in one subgraph                                (API)
 * ---------------------------------------------------------------------------------------------- */

typedef struct gsp_fuse_desc {
    uint32_t start_canary;
    uint32_t skip; /* 1: only the given groups, no fusion over non-tensor values */
    uint32_t end_canary;
} gsp_fuse_desc;

typedef struct gsp_fuse_result {
    uint32_t n_groups;     /* groups are numbered by first member; those on the CPU included */
    const gsp_node *order; /* [n] an order of all nodes that respects data and keeps groups whole;
                            * NULL: there are no groups, and graph order does */
} gsp_fuse_result;

/* gsp_fuse_bound: bytes for gsp_fuse_run(): 29 a node and padding. Time: O(1). */
GSP_API size_t gsp_fuse_bound(const gsp_counts *counts, const gsp_fuse_desc *desc);

#define GSP_FUSE_BOUND(n_nodes, n_edges) \
    (7u * GSP_BOUND_ARRAY(n_nodes, 4u) + GSP_BOUND_ARRAY(n_nodes, 1u) + GSP_BOUND_SLACK)

/* gsp_fuse_run: fusion groups.
 *
 * What:      Accelerator nodes that pass values without tensor metadata between each other belong
 *            together, with all nodes on paths between them. A group that cannot be on one
 *            accelerator as a whole is none: its nodes leave for the CPU, and so do groups that
 *            held one of them. Groups that share a node or wait for each other are one. Given
 *            groups (io->group) are never torn, also on the CPU.
 * In, out:   io        kind is reduced, group is replaced by the final groups; reason and culprit:
 *                      FUSED, GROUP. kind and group must not be NULL. Untouched on error.
 * Out:       result    order lies at the low end of the arena
 * Errors:    ARG (detail KIND), DESC, NOMEM
 * Time:      O(nodes + edges) without groups, or when no group is tangled with a node outside its
 *            accelerator; each tangled group costs one search over the nodes between its first
 *            and last member
 * Memory:    gsp_fuse_bound(), 4 bytes a node stay
 * See:       torch.fx tools_common, FxNetAccFusionsFinder; Tarjan 1972; Pearce 2016
 */
GSP_API gsp_status gsp_fuse_run(gsp_arena *arena, const gsp_graph *graph, const gsp_fuse_desc *desc,
                                gsp_placement *io, gsp_fuse_result *result, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>boundary   Non-tensor values that need not cross                                         (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_SPLIT

typedef struct gsp_boundary_desc {
    uint32_t start_canary;
    uint32_t n_subgraphs;
    const uint8_t *kind;   /* [n_subgraphs] 0: CPU, k: accelerator k; required */
    const uint32_t *group; /* [n] nodes with an id stay where they are; NULL: there are none */
    uint32_t end_canary;
} gsp_boundary_desc;

/* gsp_boundary_bound: bytes for gsp_boundary_run(): 9 a node, 4 a subgraph and padding. Time:
 * O(1). */
GSP_API size_t gsp_boundary_bound(const gsp_counts *counts, uint32_t n_subgraphs);

/* gsp_boundary_run: moves non-tensor values off the boundaries of accelerator subgraphs.
 *
 * What:      A node of an accelerator subgraph that yields no tensor, and whose readers all stand
 *            in one later subgraph, moves there, unless that is another accelerator. Readers inside
 *            its own subgraph may move along: then all that they reach must stand there as well.
 *            Later subgraphs first, so that one call is enough.
 * In:        desc         required; its kind too
 * In, out:   subgraph_of  [n] of callable nodes; others are ignored. A subgraph may become empty.
 * Out:       n_moved      nodes that moved; may be NULL
 * Errors:    ARG (detail TAG: node), DESC, NOMEM, CYCLE (detail TAG_ORDER: node reads other)
 *            on error nothing is written
 * Time:      O(nodes + edges)
 * Memory:    gsp_boundary_bound(), nothing stays
 * See:       torch.fx split_utils, move_non_tensor_nodes_on_boundary
 */
GSP_API gsp_status gsp_boundary_run(gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_boundary_desc *desc, uint32_t *subgraph_of,
                                    uint32_t *n_moved, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>split   CPU and accelerator subgraphs                                                    (API)
 * ---------------------------------------------------------------------------------------------- */

typedef enum gsp_limit_policy {
    GSP_LIMIT_ERROR,  /* more subgraphs than the limit: status LIMIT */
    GSP_LIMIT_DEMOTE, /* the least valuable accelerator subgraphs go to the CPU until it holds */
    GSP_LIMIT_COUNT,
    GSP_LIMIT_FORCE_U32 = 0x7FFFFFFF
} gsp_limit_policy;

/* A subgraph as a callback sees it. */
typedef struct gsp_subgraph {
    uint32_t kind;
    uint32_t n_nodes;
    const gsp_node *nodes; /* in graph order */
} gsp_subgraph;

/* 1: the accelerator takes this subgraph; 0: it goes to the CPU. */
typedef int (*gsp_accept_func)(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph);

typedef struct gsp_split_desc {
    uint32_t start_canary;
    uint32_t min_size;       /* nodes; smaller accelerator subgraphs go to the CPU; 0: 1 */
    uint32_t waive_min_size; /* 1: min_size does not count when every callable node is supported */
    uint32_t limit;          /* subgraphs in all; 0: no limit */
    uint32_t limit_policy;   /* gsp_limit_policy */
    uint32_t skip_fusion;    /* 1: no fusion groups over non-tensor values */
    uint32_t allow_non_tensor;      /* 1: non-tensor values may cross */
    const gsp_placement *placement; /* where nodes may run; required */
    const uint64_t *value;          /* [n] DEMOTE: value of a node; NULL: 1 each */
    const char *prefix;             /* of tags; NULL: "_run_on_" */
    const char *const *names; /* [n_kinds] of kinds in tags; NULL: cpu, acc or acc1, acc2, ... */
    uint32_t move_non_tensor; /* 1: gsp_boundary_run() before small subgraphs are removed */
    gsp_accept_func accept; /* asked for each accelerator subgraph that is not too small, in order;
                               * NULL: all are taken */
    void *user;             /* of accept */
    uint32_t end_canary;
} gsp_split_desc;

/* All arrays are read-only and lie at the low end of the arena. */
typedef struct gsp_split_result {
    uint32_t n_nodes;
    uint32_t n_kinds;
    uint32_t n_groups;
    uint32_t n_raw;                 /* subgraphs before small ones were removed */
    uint32_t n_subgraphs;           /* and after; tags count these */
    const uint8_t *kind;            /* [n] after fusion, before small subgraphs went */
    const uint8_t *reason;          /* [n] gsp_reason of where the node is in the end */
    const gsp_node *culprit;        /* [n] */
    const uint32_t *group;          /* [n] fusion or given group, GSP_NONE: alone */
    const uint32_t *raw_of;         /* [n] raw subgraph of a node, GSP_NONE: not callable */
    const uint8_t *raw_kind;        /* [n_raw] */
    const uint32_t *subgraph_of;    /* [n] subgraph of a node, GSP_NONE: not callable */
    const uint8_t *subgraph_kind;   /* [n_subgraphs] */
    const uint32_t *subgraph_begin; /* [n_subgraphs + 1] into nodes */
    const gsp_node *nodes;          /* callable nodes by subgraph, each in graph order */
    const char *prefix;             /* from the desc */
    const char *const *names;
} gsp_split_result;

/* gsp_split_resolve: the desc with all defaults filled in (desc NULL: all defaults). Time: O(1). */
GSP_API gsp_split_desc gsp_split_resolve(const gsp_split_desc *desc);

/* gsp_split_bound: bytes for gsp_split_run(): 39 a node, none an edge, and padding, with one
 * accelerator; each further one takes 4 a node more, GSP_LIMIT_DEMOTE 12, move_non_tensor 13.
 * SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_split_bound(const gsp_counts *counts, const gsp_split_desc *desc);

#define GSP_SPLIT_BOUND(n_nodes, n_edges)                                                      \
    (2u * GSP_BOUND_ARRAY(n_nodes, 1u) + 2u * GSP_BOUND_ARRAY(n_nodes, 4u) + GSP_BOUND_SLACK + \
     GSP_BOUND_MAX(GSP_FUSE_BOUND(n_nodes, n_edges),                                           \
                   4u * GSP_BOUND_ARRAY(n_nodes, 4u) + 2u * GSP_BOUND_ARRAY(n_nodes, 1u) +     \
                       GSP_BOUND_ARRAY((n_nodes) + 1u, 4u) + GSP_BOUND_ARRAY((n_nodes) + 2u, 4u)))

/* gsp_split_run: cut a graph into CPU and accelerator subgraphs that can run one after the other.
 *
 * What:      gsp_acc_run(), gsp_fuse_run(), then phases: kinds take turns, and a node goes into the
 *            first phase that suits its kind and comes no earlier than its inputs (a group: as
 *            one). The first phase is of the first kind that has a node without callable inputs.
 *            Small and refused accelerator subgraphs join the CPU subgraph before them; neighbours
 *            on the CPU join.
 * In:        desc      placement is required
 * Out:       result    subgraphs, maps both ways, reasons; no callable node: no subgraphs
 * Errors:    ARG (no placement; detail KIND), DESC, NOMEM (need), OVERFLOW,
 *            LIMIT (need = subgraphs, limit = the limit); on error the arena is unchanged
 * Time:      O(nodes + edges), plus what gsp_fuse_run() says; GSP_LIMIT_DEMOTE: O(subgraphs log)
 * Memory:    gsp_split_bound(); about 28 bytes a node stay
 * Stack:     < 1024 bytes with all callees on 64 bit, no recursion
 * Order:     everything in graph order; same input, same bytes, on every machine
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/hello.c
 * See:       torch.fx splitter_base, _SplitterBase
 */
GSP_API gsp_status gsp_split_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_split_desc *desc, gsp_split_result *result,
                                 gsp_error *err);

/* gsp_split_tag: writes the tag of a subgraph ("_run_on_acc_0") and a NUL, cut to `size` bytes;
 * returns its full length. Time: O(length). */
GSP_API size_t gsp_split_tag(const gsp_split_result *result, uint32_t subgraph, char *buffer,
                             size_t size);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>module   Graphs from tags                                                                (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_MODULE

typedef struct gsp_tags_desc {
    uint32_t start_canary;
    uint32_t n_tags;
    const uint32_t *tag_of; /* [n] tag of every callable node; others are ignored */
    const gsp_text *names;  /* [n_tags] */
    uint32_t return_tuple;  /* 1: submodules return a tuple even for one value */
    uint32_t end_canary;
} gsp_tags_desc;

typedef struct gsp_tags_result {
    gsp_module module; /* the root, one graph a tag in tag order, other child graphs of the input */
    const uint32_t *graph_of; /* [n] graph that holds a callable node now; GSP_NONE: others */
    const gsp_node *node_of;  /* [n] its id there */
} gsp_tags_result;

/* gsp_tags_bound: bytes for gsp_tags_run(). `counts` are those of the whole module,
 * `module.counts`, since child graphs come along; `name_bytes` is the sum of the sizes of all tag
 * names. Data-independent. SIZE_MAX: more than size_t can say. Time: O(1). */
GSP_API size_t gsp_tags_bound(const gsp_counts *counts, uint32_t n_tags, size_t name_bytes);

/* gsp_tags_run: a module with one graph a tag and a root that calls them in tag order.
 *
 * What:      Inputs of a submodule stand in order of first meeting, outputs in order of their first
 *            reading outside, the root's return last; several outputs come as a tuple, which the
 *            root unpacks by operator.getitem. get_attr nodes are copied before their first
 *            reader in every submodule that reads them; those that the root returns stay there.
 *            Nodes keep name, type and annotations. A name that is taken in the root gets the
 *            next free number. A called module or attribute `a.b` of the input is `TAG.a.b` in
 *            the result.
 * Errors:    ARG (details TAG: node; TAG_EMPTY, TAG_NAME: node = the tag), DESC, NOMEM (need),
 *            OVERFLOW, CYCLE (detail TAG_ORDER: node reads other), DAMAGED (arguments and rows of a
 *            stored module disagree); on error the arena is unchanged
 * Time:      O(nodes + edges + args + strings)
 * Memory:    gsp_tags_bound()
 * Stack:     < 2048 bytes with all callees on 64 bit
 * Order:     deterministic, no hashing decides anything
 * Threads:   reentrant
 * Example:   examples/hello.c
 * See:       torch.fx split_utils, split_by_tags
 */
GSP_API gsp_status gsp_tags_run(gsp_arena *arena, const gsp_graph *graph, const gsp_tags_desc *desc,
                                gsp_tags_result *result, gsp_error *err);

/* gsp_tags_find: the copy of node `old` of the input in graph `graph` of the result: a callable
 * node, a copied get_attr, or the placeholder that stands for it; GSP_NONE: none. Time: O(nodes
 * of the graph). */
GSP_API gsp_node gsp_tags_find(const gsp_graph *input, const gsp_tags_result *result, gsp_node old,
                               uint32_t graph);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>parts   split_module: a graph from any assignment                                        (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTS

typedef struct gsp_parts_desc {
    uint32_t start_canary;
    uint32_t n_parts;
    const uint32_t *part_of; /* [n] partition of every callable node; others are ignored */
    const gsp_text *names;   /* [n_parts] behind the prefix; NULL: 0, 1, 2, ... */
    const char *prefix;      /* of submodules; NULL: "submod_" */
    uint32_t keep_order;     /* 1: partitions in the order of their first nodes */
    uint32_t return_tuple;   /* 1: submodules return a tuple even for one value */
    uint32_t number_inputs;  /* 1: inputs are arg_0, arg_1, ...: equal partitions look equal */
    uint32_t end_canary;
} gsp_parts_desc;

/* A called module of the result and the one of the input that it is: `SUBMODULE.made` is `old`. */
typedef struct gsp_qualname {
    uint32_t graph;  /* of the result, in which it is called; its name is the submodule's */
    gsp_string made; /* "layer1_conv": a string of the new module */
    gsp_string old;  /* "layer1.conv" */
} gsp_qualname;

typedef struct gsp_parts_result {
    gsp_module module; /* the root, one graph a partition in the order of the calls, other graphs
                         * of the input */
    uint32_t n_parts;  /* partitions that have nodes: graphs 1 .. n_parts */
    uint32_t n_qualnames;
    const uint32_t *part;     /* [n_parts] the partition that graph 1 + i holds */
    const gsp_node *call;     /* [n_parts] its call in the root */
    const uint32_t *graph_of; /* [n] graph that holds a callable node now; GSP_NONE: others */
    const gsp_node *node_of;  /* [n] its id there */
    const gsp_node *root_of;  /* [n] the node of the root that stands for a value: itself, a call,
                               * a getitem; GSP_NONE: the root does not see it */
    const gsp_qualname *qualnames; /* [n_qualnames] in the order in which targets are met */
} gsp_parts_result;

/* gsp_parts_resolve: the desc with all defaults filled in. Time: O(1). */
GSP_API gsp_parts_desc gsp_parts_resolve(const gsp_parts_desc *desc);

/* gsp_parts_bound: bytes for gsp_parts_run(). `counts` are those of the whole module,
 * `module.counts`; of the desc n_parts, names, prefix and number_inputs matter. Data-independent.
 * SIZE_MAX: more than size_t can say. Time: O(names). */
GSP_API size_t gsp_parts_bound(const gsp_counts *counts, const gsp_parts_desc *desc);

/* gsp_parts_run: split_module: a module with one graph a partition, for any assignment of nodes
 * to partitions that has no cycle.
 *
 * What:      Inputs and outputs of a partition stand in order of first meeting, by the graph's
 *            nodes. Partitions are called in the order of a work list that is a stack, first
 *            filled with those without dependencies; or in original order. get_attr nodes stay in
 *            the root, before all calls, and are passed in; one that names a child graph is
 *            copied into the partitions that read it. Targets of called modules are flattened:
 *            `a.b` in `submod_0` is `submod_0.a_b`, with the next free number when two targets
 *            flatten to one name. A partition without outputs returns `()`; several outputs come
 *            as a tuple that the root unpacks by operator.getitem. Nodes keep name and annotation.
 * Errors:    ARG (detail TAG: node; TAG_NAME: node = the partition), DESC, NOMEM (need),
 *            OVERFLOW, DAMAGED, CYCLE (detail PARTS_CYCLE: partition other reads partition node,
 *            which reads partition need, which reads other, itself or through more partitions;
 *            detail PARTS_ORDER: partition node reads partition other, which comes later); on
 *            error the arena is unchanged
 * Time:      O(nodes + edges + args + strings), whatever the number of partitions
 * Memory:    gsp_parts_bound()
 * Stack:     < 2048 bytes with all callees on 64 bit
 * Order:     deterministic, no hashing decides anything
 * Threads:   reentrant
 * Example:   examples/hello.c
 * See:       torch.fx passes/split_module
 */
GSP_API gsp_status gsp_parts_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_parts_desc *desc, gsp_parts_result *result,
                                 gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>frames   Slots and call frames of a run, planned once                                    (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_RUN

/* A value of the caller: a handle, a pointer, a hash. The library only carries it about. */
typedef uint64_t gsp_value;

/* One input that a run will be given. */
typedef struct gsp_input {
    gsp_text name; /* target of the placeholder, as a keyword; empty: by position */
    gsp_text type; /* its TYPE; empty: not checked. Dimensions that are no numbers fit any */
} gsp_input;

typedef struct gsp_frames_desc {
    uint32_t start_canary;
    uint32_t n_inputs;       /* 0 without `inputs`: down to the last one that has no default */
    const gsp_input *inputs; /* [n_inputs] those by position first; NULL: all, unchecked */
    uint32_t aggregates;     /* room for elements of aggregates; 0: one a node and argument token */
    uint32_t whole;          /* 1: a kernel yields one value, also where TYPE is an aggregate */
    uint32_t end_canary;
} gsp_frames_desc;

/* One graph of a plan. */
typedef struct gsp_frame {
    uint32_t n_slots; /* values that its frame holds */
    uint32_t n_in;    /* values of its placeholders */
    uint32_t n_out;   /* values that it returns */
    uint32_t slots;   /* values of its frame and of those above it, at most */
    uint32_t depth;   /* frames from it on, at most */
    uint32_t in_at;   /* private, as all that follows */
    uint32_t out_at;
    uint32_t out_form;
    uint32_t n_placeholders;
    uint32_t state;
    uint32_t parent;
    uint32_t resume;
    uint32_t owners;
    uint64_t peak;
    uint32_t peak_graph;
    gsp_node peak_node;
} gsp_frame;

/* A constant that becomes a value. */
typedef struct gsp_frames_ask {
    uint32_t slot; /* GSP_NONE: end of the row */
    gsp_string constant;
    gsp_node node; /* where it stands, or the placeholder of the root whose default it is */
} gsp_frames_ask;

/* A plan: everything about a run that does not depend on values. All arrays lie at the low end of
 * the arena and are read-only; the module and desc.inputs must outlive them. */
typedef struct gsp_frames {
    gsp_graph graph;
    uint32_t n_inputs;     /* values that a run wants */
    uint32_t n_outputs;    /* values that it gives */
    uint32_t n_output;     /* tokens of what the graph returns */
    const gsp_arg *output; /* [n_output] the value of a NODE is the index of the output */
    uint64_t peak_bytes;   /* of the values alive at once, parameters apart */
    uint32_t peak_graph;   /* where that is: after this node of this graph */
    gsp_node peak_node;
    uint32_t depth;          /* greatest number of frames */
    uint32_t n_slots;        /* greatest number of values in all of them */
    const gsp_frame *frames; /* [graphs + 1] those never entered are zero; private from here */
    const gsp_input *inputs;
    const uint32_t *leaf_at;      /* [nodes] slot of the value, or start of its row in leaf */
    const uint32_t *form_at;      /* [nodes] opening token of an aggregate, GSP_NONE: one value */
    const uint32_t *child;        /* [nodes] graph that is entered, GSP_NONE: none */
    const uint32_t *bind_at;      /* [nodes] start of the row of its inputs in leaf */
    const uint32_t *ask_at;       /* [nodes] start of the row of its constants, GSP_NONE: none */
    const uint32_t *dead;         /* [nodes] first value that dies after the node, GSP_NONE: none */
    const gsp_node *placeholders; /* [nodes] of each graph, from its first node on */
    const uint32_t *leaf;         /* slots */
    const gsp_arg *form;          /* tokens of aggregates, each value a GSP_ARG_NODE */
    const uint32_t *form_leaf;    /* values before a token */
    const gsp_frames_ask *ask;
    const uint32_t *slot; /* of a value */
    const uint32_t *next; /* value that dies with it */
    const uint8_t *step;  /* [nodes] */
    uint32_t n_tokens;    /* greatest number of argument tokens of a call */
    uint32_t n_results;   /* and of results */
} gsp_frames;

/* gsp_frames_resolve: the desc with all defaults filled in for this graph (desc NULL: all
 * defaults). Time: O(nodes). */
GSP_API gsp_frames_desc gsp_frames_resolve(const gsp_graph *graph, const gsp_frames_desc *desc);

/* gsp_frames_bound: bytes for gsp_frames_run(). `counts` are those of the whole module,
 * `module.counts`. Data-independent. SIZE_MAX: more than size_t can say. Time: O(1). */
GSP_API size_t gsp_frames_bound(const gsp_counts *counts, const gsp_frames_desc *desc);

/* gsp_frames_run: plan a run of a graph and of all graphs that it calls.
 *
 * What:      Inputs are bound to placeholders by position, then by name; a placeholder without one
 *            takes its default; `*args` takes the positional inputs that are left, as a tuple,
 *            `**kwargs` the named ones, as a dict. Calls of a child graph (call_module of its
 *            name; torch.ops.higher_order.invoke_subgraph of a get_attr with its name) are bound
 *            likewise and become frames. operator.getitem of an aggregate that is known (what a
 *            graph returns or is given, and what a kernel yields where its TYPE is `tuple(...)` or
 *            `list(...)`) is resolved here and costs a run nothing. Values whose lives do not
 *            overlap share a slot.
 * In:        graph     the root, or any other graph of a module
 * Out:       frames    the plan
 * Errors:    ARG (INPUT_MISSING: node = the placeholder; INPUT_MANY, INPUT_UNKNOWN, INPUT_TWICE,
 *            INPUT_ORDER: other = the input; INPUT_DTYPE, INPUT_SHAPE, INPUT_TYPE: node = the
 *            placeholder, other = the input; with other = the graph in which node stands:
 *            CALL_INPUTS, ELEMENT, FORMS), CYCLE (RECURSION), DESC, NOMEM (need), LIMIT
 *            (desc.aggregates is too small: twice as much, and again), OVERFLOW, DAMAGED; on error
 *            the arena is unchanged
 * Time:      O(nodes + edges + args) and the tokens of aggregates; placeholders of one call that
 *            are all named in another order: their square
 * Memory:    gsp_frames_bound()
 * Stack:     < 1024 bytes with all callees on 64 bit; graphs may nest to any depth
 * Order:     deterministic
 * Threads:   reentrant; a finished plan may be shared
 * Example:   examples/run_network.c
 */
GSP_API gsp_status gsp_frames_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_frames_desc *desc, gsp_frames *frames, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>run   Running a graph with the kernels of the caller                                     (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_RUN

/* What a kernel is asked for. */
typedef enum gsp_ask {
    GSP_ASK_CALL,     /* the results of a call */
    GSP_ASK_ATTR,     /* the value of a get_attr */
    GSP_ASK_CONSTANT, /* a value for the constant args[0]: a default, or one that enters or leaves
                       * a submodule */
    GSP_ASK_ENTER,    /* nothing: desc.enter is told the inputs of a submodule */
    GSP_ASK_COUNT,
    GSP_ASK_FORCE_U32 = 0x7FFFFFFF
} gsp_ask;

/* One call of a kernel. Argument tokens are those of the node (see gsp_arg_kind), but an aggregate
 * is written out: its containers, keys and values. */
typedef struct gsp_call {
    const gsp_frames *frames;
    gsp_graph graph; /* that the node stands in */
    gsp_node node;
    uint32_t ask;            /* gsp_ask */
    uint32_t child;          /* ENTER: the graph that is entered */
    uint32_t n_args;         /* tokens */
    uint32_t n_results;      /* 1, or the values of an aggregate TYPE in the order of its text */
    const gsp_arg *args;     /* [n_args] */
    const gsp_value *values; /* [n_args] of the tokens of kind GSP_ARG_NODE; 0 elsewhere */
    gsp_value *results;      /* [n_results] to be filled in */
} gsp_call;

/* GSP_OK to go on; any other number stops the run, which returns it. */
typedef gsp_status (*gsp_kernel)(void *user, const gsp_call *call);

typedef struct gsp_run_desc {
    uint32_t start_canary;
    gsp_kernel kernel; /* required */
    gsp_kernel enter;  /* sees the inputs of every submodule before it runs; NULL: not asked */
    void (*release)(void *user, gsp_value value); /* a value that a kernel made for a call or a
                        * constant, after its last use; NULL: not asked. Inputs, attributes and
                        * outputs are the caller's */
    void *user;
    uint32_t end_canary;
} gsp_run_desc;

/* gsp_run_bound: bytes for gsp_run_graph(), all of them scratch: 9 a slot, 20 a frame, 16 an
 * argument token of the greatest call. SIZE_MAX: more than size_t can say. Time: O(1). */
GSP_API size_t gsp_run_bound(const gsp_frames *frames);

/* gsp_run_graph: run a graph with the kernels of the caller.
 *
 * What:      Nodes run in graph order, those of a submodule at its call; the kernel is asked for
 *            each call and get_attr. Nothing is allocated beyond the bound, nothing recurses.
 * In:        frames    a plan of the graph
 *            inputs    [frames->n_inputs] in the order of the inputs of the plan
 * Out:       outputs   [frames->n_outputs] values in frames->output; unspecified after an error
 * Errors:    ARG (no kernel), DESC, NOMEM (need), OVERFLOW; what a kernel returned (detail KERNEL:
 *            node, and other = its graph); everything alive is released before
 * Time:      O(argument tokens), about 10 ns a node beside the kernels
 * Memory:    gsp_run_bound()
 * Stack:     < 512 bytes beside the kernels
 * Order:     graph order
 * Threads:   reentrant; one plan may run in many threads at once
 * Example:   examples/run_network.c
 */
GSP_API gsp_status gsp_run_graph(gsp_arena *arena, const gsp_frames *frames,
                                 const gsp_run_desc *desc, const gsp_value *inputs,
                                 gsp_value *outputs, gsp_error *err);

/* gsp_call_find: the token at which the argument `position` stands, or, where there are fewer, the
 * one named `name` (NULL: no name); GSP_NONE: neither. Time: O(argument tokens). */
GSP_API uint32_t gsp_call_find(const gsp_call *call, uint32_t position, const char *name);

/* gsp_call_text: the text of a token of kind CONSTANT or KEY, else empty. Time: O(1). */
GSP_API gsp_text gsp_call_text(const gsp_call *call, uint32_t token);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>peak   Live bytes of a graph in its order                                                (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_MEMORY

/* Where a piece of a graph needs most memory. */
typedef struct gsp_peak_piece {
    uint64_t bytes;
    gsp_node node; /* that runs then; GSP_NONE: the piece has no nodes */
    uint32_t step; /* its place in the piece, from 0 */
} gsp_peak_piece;

typedef struct gsp_peak_desc {
    uint32_t start_canary;
    uint32_t n_pieces;        /* 0: the whole graph, with its placeholders and what it returns */
    const uint32_t *piece_of; /* [n] piece of every callable node; others are ignored */
    const uint64_t *scratch;  /* [n] bytes that a node needs only while it runs; NULL: none */
    uint32_t skip_inputs;     /* 1: what is given to a piece lies elsewhere and takes no bytes */
    uint32_t end_canary;
} gsp_peak_desc;

/* All arrays are read-only and lie at the low end of the arena. */
typedef struct gsp_peak_result {
    uint32_t n_pieces;            /* the whole graph: 1 */
    uint32_t worst;               /* the first piece with the greatest peak; GSP_NONE: no piece */
    const gsp_peak_piece *pieces; /* [n_pieces] */
    const uint32_t *step_begin;   /* [n_pieces + 1] into nodes and live */
    const gsp_node *nodes;        /* the steps: callable nodes by piece, or all nodes */
    const uint64_t *live;         /* bytes that are live while the node of a step runs */
    const uint32_t *tensor_begin; /* [n_pieces + 1] into tensors */
    const gsp_node *tensors;      /* the tensors of more than 0 bytes that are live at the peak of
                                   * a piece, in the order in which they are first needed */
} gsp_peak_result;

/* GSP_ROUND_UP: what an array of so many bytes takes in an arena; for constant bounds. */
#define GSP_ROUND_UP(bytes) (((size_t)(bytes) + GSP_ALIGN - 1u) & ~((size_t)GSP_ALIGN - 1u))

/* GSP_PEAK_BOUND: gsp_peak_bound() of the whole graph, as a constant: memory of a program that has
 * no heap. */
#define GSP_PEAK_BOUND(n_nodes)                                                     \
    (GSP_ROUND_UP((size_t)(n_nodes)*8u) + 4u * GSP_ROUND_UP((size_t)(n_nodes)*4u) + \
     2u * GSP_ROUND_UP(8u) + GSP_ROUND_UP(sizeof(gsp_peak_piece)) + 2u * (GSP_ALIGN - 1u))

/* gsp_peak_bound: bytes for gsp_peak_run(): 16 a node stay, 8 a node are scratch; with pieces 4 a
 * node and 4 an edge more stay, and 4 a node more are scratch. SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_peak_bound(const gsp_counts *counts, const gsp_peak_desc *desc);

/* gsp_peak_run: how many bytes of activations a graph needs at once, as it stands, and where; or
 * each piece of it.
 *
 * What:      While a node runs, its inputs, its output and all that is needed later are live; then
 *            what is read for the last time is gone. What is given (placeholders; in a piece all
 *            that comes from outside) is live from the first step, read or not; what is returned
 *            or read outside of the piece, to the last. A view (alias=) takes no bytes: the
 *            storage that it is a view of lives on. An aggregate that a node yields is one
 *            storage until it is read for the last time as a whole; then each element that
 *            operator.getitem has taken lives on alone as long as it is read. Elements of a
 *            given aggregate, and of one that is an element itself or a view, stay part of it.
 *            What nobody reads is gone after its step. Parameters are apart: get_attr takes no
 *            bytes. What happens inside of a called graph is for desc.scratch: skip_inputs gives
 *            the bytes that it needs on top of its inputs.
 * In:        desc      NULL: the whole graph
 * Out:       result    of every piece: the peak, the bytes at every step, the tensors at the peak
 * Errors:    ARG (detail ALIAS: node, a position that does not exist; TAG: node, no piece), DESC,
 *            NOMEM (need), OVERFLOW (detail SIZE: node); on error the arena is unchanged
 * Time:      O(nodes + edges + args)
 * Memory:    gsp_peak_bound()
 * Stack:     < 1024 bytes with all callees on 64 bit, no recursion
 * Order:     of several steps with the same bytes the first
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/memory_plan.c
 */
GSP_API gsp_status gsp_peak_run(gsp_arena *arena, const gsp_graph *graph, const gsp_peak_desc *desc,
                                gsp_peak_result *result, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>offsets   Tensors in one arena                                                           (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_MEMORY

/* A buffer of the plan: an activation, or the scratch of a node. */
typedef struct gsp_tensor {
    uint64_t offset; /* from the start of the arena, in bytes */
    uint64_t bytes;  /* 1 or more */
    gsp_node node;   /* that makes it; an element of an aggregate: its first getitem */
    uint32_t begin;  /* first and last step (node) at which it is live */
    uint32_t end;
    uint32_t scratch; /* 1: only while the node runs, see desc.scratch */
} gsp_tensor;

typedef struct gsp_offsets_desc {
    uint32_t start_canary;
    uint32_t align;          /* of offsets, in bytes: a power of two; 0: 16 */
    uint32_t skip_inputs;    /* 1: placeholders lie elsewhere */
    const uint64_t *scratch; /* [n] bytes that a node needs only while it runs; NULL: none */
    uint64_t max_work;       /* pairs of tensors looked at; 0: 2^26 */
    uint32_t end_canary;
} gsp_offsets_desc;

/* All arrays are read-only and lie at the low end of the arena. */
typedef struct gsp_offsets_result {
    uint64_t arena; /* bytes: the greatest offset + bytes */
    uint64_t peak;  /* most bytes that are live at once: no plan takes less */
    uint64_t work;  /* pairs of tensors looked at */
    uint32_t n_tensors;
    uint32_t n_stacked;        /* tensors that went on top of others, because of max_work */
    const gsp_tensor *tensors; /* [n_tensors] by node; scratch after what the node yields */
    const uint32_t *tensor_of; /* [n] the tensor that a value lies in, GSP_NONE: none */
} gsp_offsets_result;

/* GSP_OFFSETS_BOUND: gsp_offsets_bound() without scratch, as a constant. */
#define GSP_OFFSETS_BOUND(n_nodes)                                                           \
    (GSP_ROUND_UP((size_t)(n_nodes) * sizeof(gsp_tensor)) +                                  \
     8u * GSP_ROUND_UP((size_t)(n_nodes)*4u) + GSP_ROUND_UP(((size_t)(n_nodes) + 1u) * 4u) + \
     GSP_ROUND_UP((size_t)(n_nodes)*8u) +                                                    \
     GSP_ROUND_UP(((size_t)(n_nodes) + (size_t)(n_nodes) / 8u + 16u) * 4u) +                 \
     GSP_ROUND_UP(512u * 8u) + 2u * (GSP_ALIGN - 1u))

/* gsp_offsets_bound: bytes for gsp_offsets_run(): 36 a node stay, 45 are scratch, and 4 KiB;
 * desc.scratch adds 61 a node. SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_offsets_bound(const gsp_counts *counts, const gsp_offsets_desc *desc);

/* gsp_offsets_run: a place in one arena for every tensor of a graph, so that no two that are live
 * at the same step overlap.
 *
 * What:      Greedy by size: the tensors by falling size, each into the first gap between those
 *            that are placed and live at some step together with it. What a tensor is and when it
 *            is live is as in gsp_peak_run(), but an element of an aggregate has its place from
 *            the start, and keeps it.
 * In:        desc      NULL: defaults
 * Out:       result    offsets, the size of the arena, and the peak below which no plan can be
 * Errors:    ARG (detail ALIAS: node; NUMBER: align), DESC, NOMEM (need), OVERFLOW (detail SIZE:
 *            node); on error the arena is unchanged
 * Time:      O(n log n + p log p) for p pairs of tensors that are live together: n times what is
 *            live at once. After desc.max_work pairs the tensors that are left, the smallest,
 *            are put above all that is live near their time, O(1) each: such a plan is valid
 *            but wider
 * Memory:    gsp_offsets_bound()
 * Stack:     < 1024 bytes with all callees on 64 bit, no recursion
 * Order:     of tensors of one size that of the node first
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/memory_plan.c
 * See:       TensorFlow Lite Micro, GreedyMemoryPlanner; Pisarchyk, Lee 2020
 */
GSP_API gsp_status gsp_offsets_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_offsets_desc *desc, gsp_offsets_result *result,
                                   gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>budget   Fewest pieces under a byte budget                                               (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_MEMORY

typedef struct gsp_budget_desc {
    uint32_t start_canary;
    uint64_t budget;         /* bytes that a piece may need at once */
    const uint64_t *scratch; /* [n] bytes that a node needs only while it runs; NULL: none */
    uint32_t ignore_groups;  /* 1: group= means nothing */
    uint64_t max_work;       /* steps looked at for the boundaries; 0: 2^27 */
    uint32_t end_canary;
} gsp_budget_desc;

/* All arrays are read-only and lie at the low end of the arena. */
typedef struct gsp_budget_result {
    uint32_t n_pieces;            /* no split of this order has fewer */
    uint32_t proved;              /* 1: nor, with as many, less boundary; 0: max_work ended first */
    uint64_t boundary;            /* bytes handed over, see below */
    uint64_t greedy_boundary;     /* the same when every piece is as long as it can be */
    const gsp_peak_piece *pieces; /* [n_pieces] the peak of a piece */
    const uint32_t *piece_of;     /* [n] piece of every callable node, GSP_NONE: others */
    const uint32_t *begin;        /* [n_pieces + 1] into nodes */
    const gsp_node *nodes;        /* callable nodes by piece */
} gsp_budget_result;

/* gsp_budget_bound: bytes for gsp_budget_run(): 28 a node stay, 60 are scratch. SIZE_MAX: too much.
 * Time: O(1). */
GSP_API size_t gsp_budget_bound(const gsp_counts *counts, const gsp_budget_desc *desc);

/* gsp_budget_run: cut the order of a graph into the fewest pieces that each fit into a budget of
 * bytes.
 *
 * What:      Pieces are stretches of graph order; a getitem that takes an element of an aggregate
 *            goes with the aggregate. The peak of a piece is as in gsp_peak_run(). It never falls
 *            when a piece grows at either side, so pieces that are as long as they can be are
 *            fewest. Among all splits of as few pieces the result has the least boundary: at
 *            every cut the bytes of all values that were made before it by a callable node and
 *            are read after it by one. Nodes of one group= are not torn. `piece_of` is what
 *            gsp_parts_run() takes.
 * In:        desc      budget
 * Out:       result    pieces, their peaks, the bytes handed over; no callable node: no pieces
 * Errors:    ARG (detail ALIAS: node), DESC, NOMEM (need), OVERFLOW (detail SIZE: node),
 *            NO_FIT (detail BUDGET: node needs `need` bytes, `limit` is the budget); on error the
 *            arena is unchanged
 * Time:      O((nodes + edges) log n) for the pieces; for the boundary at most max_work
 * Memory:    gsp_budget_bound()
 * Stack:     < 1024 bytes with all callees on 64 bit, no recursion
 * Order:     of equal splits the one with the earliest cuts, the last cut first
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/memory_plan.c
 */
GSP_API gsp_status gsp_budget_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_budget_desc *desc, gsp_budget_result *result,
                                  gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>plan   Assignments saved by name                                                         (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PLAN

/* The text of a plan, to be edited by hand:
 *
 *     plan 1                       first, before all but blank lines and comments
 *     [_run_on_acc_0] acc          a piece: its name, and a note that is kept (here its kind)
 *     conv1                        a node that belongs to it, by name; `%` in front is allowed
 *     layer4_*                     all nodes that match: `*` any run of bytes, `?` any byte
 *     [_run_on_cpu_1] cpu
 *     sort                         # a comment goes to the end of the line
 *
 * Lines with LF or CRLF, blanks around anything. A piece may come several times; pieces are
 * numbered as they first come. Names of pieces hold no ']' and no control bytes. The last line that
 * names a node decides; names win over patterns. */
typedef struct gsp_plan_line {
    gsp_text pattern;
    uint32_t piece;
    uint32_t is_pattern; /* 1: holds `*` or `?` */
    size_t line;         /* of the text, from 1 */
} gsp_plan_line;

/* Points into its text; the arrays lie at the low end of the arena. */
typedef struct gsp_plan {
    uint32_t n_pieces;
    uint32_t n_lines;
    const gsp_text *names; /* [n_pieces] */
    const gsp_text *notes; /* [n_pieces] what stands behind the name first; may be empty */
    const gsp_plan_line *lines;
} gsp_plan;

/* What a line of a plan means for a graph. */
typedef enum gsp_plan_use {
    GSP_PLAN_USED,
    GSP_PLAN_GONE,       /* no node has this name, or matches */
    GSP_PLAN_NOT_CALLED, /* it names placeholders or parameters, which belong to no piece */
    GSP_PLAN_OVERRULED,  /* other lines decide about all nodes that it names */
    GSP_PLAN_USE_COUNT,
    GSP_PLAN_FORCE_U32 = 0x7FFFFFFF
} gsp_plan_use;

/* A plan on a graph. All arrays are read-only and lie at the low end of the arena. */
typedef struct gsp_plan_result {
    uint32_t n_placed;                    /* callable nodes that have a piece */
    uint32_t n_new;                       /* callable nodes that no line names */
    uint32_t n_lines[GSP_PLAN_USE_COUNT]; /* lines by what they mean */
    const uint32_t *piece_of;             /* [n] piece of a node, GSP_NONE: none */
    const uint32_t *line_of;              /* [n] the line that decided, GSP_NONE: none */
    const uint8_t *use;                   /* [plan.n_lines] gsp_plan_use */
} gsp_plan_result;

typedef struct gsp_plan_desc {
    uint32_t start_canary;
    uint32_t n_pieces;
    const uint32_t *piece_of; /* [n] piece of every callable node, GSP_NONE: none */
    const gsp_text *names;    /* [n_pieces] */
    const gsp_text *notes;    /* [n_pieces]; NULL: none */
    uint32_t end_canary;
} gsp_plan_desc;

/* gsp_plan_bound: bytes that a plan of this text takes. Time: O(size). */
GSP_API size_t gsp_plan_bound(gsp_text text);

/* gsp_plan_read: a plan from its text.
 *
 * Errors:    ARG, PARSE (line, column; details PLAN_HEAD, PLAN_PIECE, PLAN_LINE, NUL_BYTE), NOMEM;
 *            on error no output is written and the arena is unchanged
 * Time:      O(size)
 * Memory:    gsp_plan_bound(); 32 bytes a line and 32 a piece stay on 64 bit
 */
GSP_API gsp_status gsp_plan_read(gsp_arena *arena, gsp_text text, gsp_plan *plan, gsp_error *err);

/* gsp_plan_write_bound: bytes for gsp_plan_write(). Time: O(1). */
GSP_API size_t gsp_plan_write_bound(const gsp_counts *counts, uint32_t n_pieces);

/* gsp_plan_write: an assignment as the text of a plan: pieces in order, their nodes in graph order.
 *
 * Errors:    ARG (details TAG: node, a piece that does not exist; TAG_NAME: node = the piece
 *            whose name or note would not read back, or whose name another piece has), DESC,
 *            NOMEM, LIMIT (the sink asked to stop)
 * Time:      O(nodes + bytes of names)
 * Memory:    gsp_plan_write_bound(), nothing stays
 */
GSP_API gsp_status gsp_plan_write(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_plan_desc *desc, gsp_sink sink, void *user,
                                  gsp_error *err);

/* gsp_plan_apply_bound: bytes for gsp_plan_apply(). Time: O(1). */
GSP_API size_t gsp_plan_apply_bound(const gsp_counts *counts, const gsp_plan *plan);

/* gsp_plan_apply: what a plan says about a graph, be it another one than that it was made for.
 *
 * Out:       result    the assignment, as gsp_parts_run() and gsp_peak_run() take it when n_new
 *                      is 0, and what became of every line
 * Errors:    ARG, NOMEM
 * Time:      O(nodes + lines) without patterns; each pattern is tried on every node
 * Memory:    gsp_plan_apply_bound(); 8 bytes a node and 1 a line stay
 */
GSP_API gsp_status gsp_plan_apply(gsp_arena *arena, const gsp_graph *graph, const gsp_plan *plan,
                                  gsp_plan_result *result, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>compare   Two assignments                                                                (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PLAN

/* How a piece of one assignment lies in the other. */
typedef enum gsp_plan_change {
    GSP_PLAN_EMPTY,   /* it has no item that the other has */
    GSP_PLAN_SAME,    /* it is one piece of the same name there */
    GSP_PLAN_RENAMED, /* it is one piece of another name there */
    GSP_PLAN_SPLIT,   /* it is several pieces there, which hold nothing else */
    GSP_PLAN_MERGED,  /* it is one of several that are one piece there */
    GSP_PLAN_MIXED,   /* it gave items away and got others, or only some */
    GSP_PLAN_CHANGE_COUNT,
    GSP_PLAN_CHANGE_FORCE_U32 = 0x7FFFFFFF
} gsp_plan_change;

typedef struct gsp_compare_desc {
    uint32_t start_canary;
    uint32_t n_items;         /* nodes, or whatever both assignments are about */
    uint32_t n_pieces[2];     /* of the first and of the second assignment */
    const uint32_t *of[2];    /* [n_items] GSP_NONE: not in this assignment */
    const gsp_text *names[2]; /* [n_pieces] NULL: the numbers are the names */
    uint32_t end_canary;
} gsp_compare_desc;

typedef struct gsp_compare_result {
    uint32_t n_agree;         /* items whose pieces are each other's partners */
    uint32_t n_moved;         /* items that are in both, but not so */
    uint32_t n_only[2];       /* items that are in one assignment only */
    const uint32_t *partner;  /* [n_pieces[0]] the piece of the second that a piece became, one to
                              * one, GSP_NONE: none */
    const uint8_t *change[2]; /* [n_pieces] gsp_plan_change of every piece of both */
} gsp_compare_result;

/* gsp_compare_bound: bytes for gsp_compare_run(). Time: O(1). */
GSP_API size_t gsp_compare_bound(const gsp_compare_desc *desc);

/* gsp_compare_run: two assignments of the same items.
 *
 * What:      Pieces are partners by how many items they share, greedily, the most first; then
 *            the same name, then their order. An item has moved when its pieces are no partners.
 * Errors:    ARG (detail TAG: node = the item whose piece does not exist), DESC, NOMEM, OVERFLOW
 * Time:      O(n log n) in items
 * Memory:    gsp_compare_bound(); 4 bytes a piece of the first and 1 a piece of both stay
 */
GSP_API gsp_status gsp_compare_run(gsp_arena *arena, const gsp_compare_desc *desc,
                                   gsp_compare_result *result, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>extend   An accelerator subgraph and what may join it                                    (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PREVIEW

typedef struct gsp_extend_desc {
    uint32_t start_canary;
    uint32_t subgraph;     /* the one that is extended, on an accelerator */
    const uint8_t *kind;   /* [n] of nodes, as gsp_split_result.kind; those of the subgraph's kind
                            * may join it; required */
    const uint32_t *group; /* [n] nodes of one id (< n) join together; NULL: all are alone */
    uint32_t end_canary;
} gsp_extend_desc;

/* gsp_extend_bound: bytes for gsp_extend_run(): 16 a node and padding. Time: O(1). */
GSP_API size_t gsp_extend_bound(const gsp_counts *counts);

/* gsp_extend_run: lets an accelerator subgraph take nodes of earlier subgraphs: backwards from its
 * inputs, as far as its accelerator supports them and no earlier subgraph reads them.
 *
 * What:      A node joins when the subgraph, or a node that has joined, reads it and all its other
 *            readers stand in this or later subgraphs. A fusion group joins as one, or not at all.
 *            There is one greatest result; no order of visits matters.
 * In:        desc         required; its kind too
 * In, out:   subgraph_of  [n] of callable nodes; others are ignored. A subgraph may become empty.
 * Out:       n_moved      nodes that joined; may be NULL
 * Errors:    ARG (details TAG_EMPTY: node = the subgraph; KIND: it is not on one accelerator, or
 *            node has a group that does not exist), DESC, NOMEM, CYCLE (detail TAG_ORDER: node
 *            reads other); on error nothing is written
 * Time:      O(nodes + edges)
 * Memory:    gsp_extend_bound(), nothing stays
 * See:       torch.fx splitter_base, extend_acc_subgraph
 */
GSP_API gsp_status gsp_extend_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_extend_desc *desc, uint32_t *subgraph_of,
                                  uint32_t *n_moved, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>culprit   The least set of nodes that fails                                              (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PREVIEW

/* How a set of nodes that fails is made less. A test is taken to be right in what it says; the
 * number of tests assumes that a set fails when a part of it does. */
typedef enum gsp_traversal {
    GSP_TRAVERSAL_BLOCK,      /* the least run of nodes in graph order; 2 log n tests */
    GSP_TRAVERSAL_LEAST,      /* the least set; log n tests a culprit */
    GSP_TRAVERSAL_SEQUENTIAL, /* the first node that fails alone; n tests */
    GSP_TRAVERSAL_BINARY,     /* halves, until neither half fails alone; about 2 log n tests */
    GSP_TRAVERSAL_ACCUMULATE, /* the node with which what stands before it begins to fail; n */
    GSP_TRAVERSAL_COUNT,
    GSP_TRAVERSAL_FORCE_U32 = 0x7FFFFFFF
} gsp_traversal;

/* Does this set of nodes fail? 0: it works, 1: it fails, below 0: stop searching. */
typedef int (*gsp_fails_func)(void *user, const gsp_graph *graph, const gsp_bitset *set);

typedef struct gsp_culprit_desc {
    uint32_t start_canary;
    uint32_t traversal; /* gsp_traversal */
    uint32_t find_all;  /* SEQUENTIAL, BINARY: 1: go on after the first */
    uint32_t n_nodes;
    const gsp_node *nodes; /* [n_nodes] callable nodes to search, ascending; NULL: all */
    const uint32_t *group; /* [n] nodes of one id (< n) are tested together; NULL: all are alone */
    gsp_fails_func fails;  /* required */
    void *user;            /* of fails */
    uint32_t end_canary;
} gsp_culprit_desc;

typedef struct gsp_culprit_result {
    uint32_t n_nodes;      /* 0: nothing fails */
    uint32_t n_tests;      /* calls of fails */
    const gsp_node *nodes; /* ascending */
} gsp_culprit_result;

/* gsp_culprit_bound: bytes for gsp_culprit_run(): 14 a node and 600. Time: O(1). */
GSP_API size_t gsp_culprit_bound(const gsp_counts *counts);

/* gsp_culprit_run: the least set of nodes that fails a test of the caller's, e.g. one that lowers
 * them and compares what they compute.
 *
 * What:      see gsp_traversal. What BLOCK, LEAST and BINARY find has failed as such; ACCUMULATE
 *            finds one node of a set that has.
 * In:        desc      required; fails too
 * Errors:    ARG (detail RANGE: node is not callable or out of order; KIND: its group does not
 *            exist), DESC, NOMEM, LIMIT (detail STOPPED)
 * Time:      O(tests * nodes) beside the tests
 * Memory:    gsp_culprit_bound(), 4 bytes a node stay
 * See:       torch.fx net_min_base; Zeller, Yesterday, my program worked, 1999
 */
GSP_API gsp_status gsp_culprit_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_culprit_desc *desc, gsp_culprit_result *result,
                                   gsp_error *err);

/* gsp_culprit_tags: tags that cut a set of nodes out of its graph, for gsp_tags_run(): 1 for the
 * set, 2 for what reads from it, directly or not, 0 for the rest; GSP_NONE for what is not
 * callable. Returns a node of the set that reads from what is tagged 2: then no order of three
 * graphs exists; GSP_NONE: all is well. Time: O(nodes + edges). */
GSP_API gsp_node gsp_culprit_tags(const gsp_graph *graph, const gsp_bitset *set, uint32_t *tag_of);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>preview   What a split would cost                                                        (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PREVIEW

/* ---- which types of nodes there are, and whether they are supported ---- */

/* Nodes with the same operator, the same dtypes of arguments and the same kind. */
typedef struct gsp_signature {
    gsp_text name;    /* of the operator, as gsp_node_class() */
    uint32_t kind;    /* 0: not supported, k: by accelerator k */
    uint32_t n_nodes; /* how many there are */
    gsp_node first;   /* the first of them; gsp_signature_write() writes its dtypes */
} gsp_signature;

typedef struct gsp_signatures_result {
    uint32_t n_signatures;
    const gsp_signature *signatures; /* accelerators first, then the CPU; each by first node */
} gsp_signatures_result;

/* gsp_signatures_bound: bytes for gsp_signatures_run(). Time: O(1). */
GSP_API size_t gsp_signatures_bound(const gsp_counts *counts);

/* gsp_signatures_run: the types of the callable nodes of a graph.
 *
 * What:      The dtypes of a node are those of its arguments that are nodes which yield a tensor;
 *            what is nested in a tuple, list or dict has none.
 * In:        placement where nodes may run, as from gsp_support_run()
 * Errors:    ARG (detail KIND), NOMEM
 * Time:      O(args), and a sort of the types
 * Memory:    gsp_signatures_bound(); 32 bytes a type stay
 * See:       torch.fx splitter_base, node_support_preview
 */
GSP_API gsp_status gsp_signatures_run(gsp_arena *arena, const gsp_graph *graph,
                                      const gsp_placement *placement, gsp_signatures_result *result,
                                      gsp_error *err);

/* gsp_signature_write: the dtypes of the arguments of a callable node as PyTorch tells them:
 * "((f32, None, i64), {'dim': i64})"; positional ones up to the last that has a dtype. Errors:
 * ARG, LIMIT (the sink asked to stop). Time: O(args). Memory: none. */
GSP_API gsp_status gsp_signature_write(const gsp_graph *graph, gsp_node node, gsp_sink sink,
                                       void *user, gsp_error *err);

/* ---- what a split would cost ---- */

#define GSP_BANDWIDTH 107374182400u /* bytes a second: 100 * 2^30 */

typedef enum gsp_lowered {
    GSP_LOWERED_NOT,        /* nobody tried: no callback, or on the CPU */
    GSP_LOWERED_OK,         /* made and run */
    GSP_LOWERED_FAILED,     /* not made */
    GSP_LOWERED_RUN_FAILED, /* made, but did not run */
    GSP_LOWERED_COUNT,
    GSP_LOWERED_FORCE_U32 = 0x7FFFFFFF
} gsp_lowered;

typedef struct gsp_preview_subgraph {
    uint32_t kind;
    uint32_t n_nodes;
    uint32_t n_inputs;
    uint32_t n_outputs;
    const gsp_node *nodes;   /* in graph order */
    const gsp_node *inputs;  /* values from elsewhere, in order of first meeting; no parameters */
    const gsp_node *outputs; /* values that are read elsewhere, in order of first reading */
    uint32_t odd_inputs;     /* how many of them are no tensors */
    uint32_t odd_outputs;
    uint64_t bytes_in; /* of those that are tensors */
    uint64_t bytes_out;
    uint32_t lowered; /* gsp_lowered */
    gsp_node culprit; /* of a failure, GSP_NONE: not known */
} gsp_preview_subgraph;

/* Makes a subgraph for its accelerator and runs it: GSP_LOWERED_OK, _FAILED or _RUN_FAILED. */
typedef gsp_lowered (*gsp_lower_func)(void *user, const gsp_graph *graph,
                                      const gsp_preview_subgraph *subgraph);

/* The node that makes a subgraph fail, GSP_NONE: not known. See gsp_culprit_run(). */
typedef gsp_node (*gsp_blame_func)(void *user, const gsp_graph *graph,
                                   const gsp_preview_subgraph *subgraph);

typedef struct gsp_preview_desc {
    uint32_t start_canary;
    uint64_t bandwidth;   /* bytes a second between CPU and accelerator; 0: GSP_BANDWIDTH */
    gsp_lower_func lower; /* asked for every accelerator subgraph, in order; NULL: nobody tries */
    gsp_blame_func blame; /* asked when that fails; NULL: the culprit is not known */
    void *user;           /* of both */
    uint32_t end_canary;
} gsp_preview_desc;

typedef struct gsp_preview_result {
    uint32_t raw_acc; /* subgraphs before small ones were removed */
    uint32_t raw_cpu;
    uint32_t n_acc; /* and after */
    uint32_t n_cpu;
    uint32_t bottleneck; /* accelerator subgraph that moves most bytes one way, the first of equals;
                          * GSP_NONE: none moves any */
    uint32_t n_subgraphs;
    uint64_t bandwidth;
    const gsp_preview_subgraph *subgraphs; /* [n_subgraphs] those on the CPU too */
} gsp_preview_result;

/* gsp_preview_bound: bytes for gsp_preview_run(). Time: O(1). */
GSP_API size_t gsp_preview_bound(const gsp_counts *counts, uint32_t n_subgraphs);

/* gsp_preview_run: what crosses the boundary of every subgraph of a split.
 *
 * In:        split     of this graph
 *            desc      NULL: defaults
 * Errors:    ARG (detail TAG: node has no subgraph), DESC, NOMEM, OVERFLOW (detail SIZE: node);
 *            on error the arena is unchanged
 * Time:      O(nodes + edges) beside the callbacks
 * Memory:    gsp_preview_bound(); 4 bytes an edge, 4 a node and 72 a subgraph stay
 * See:       torch.fx splitter_base, split_preview
 */
GSP_API gsp_status gsp_preview_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_split_result *split, const gsp_preview_desc *desc,
                                   gsp_preview_result *result, gsp_error *err);

#ifndef GSP_NO_COST
/* gsp_preview_rate: how often a second a subgraph can run at most, by the bandwidth alone:
 * bandwidth / max(bytes_in, bytes_out). 0 when no byte of a tensor moves: then there is no such
 * bound, and *rate stays as it is. Time: O(1). */
GSP_API int gsp_preview_rate(const gsp_preview_result *result, uint32_t subgraph, double *rate);
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>device   Devices, memory, mapping of partitions                                          (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#ifndef GSP_NO_COST

/* A place with memory of its own. */
typedef struct gsp_device {
    gsp_text name;  /* for people */
    uint64_t bytes; /* memory */
    uint32_t id;    /* logical id, another one for every device */
} gsp_device;

typedef enum gsp_partition_mode {
    GSP_PARTITION_SIZE,   /* devices are filled one after the other, in graph order */
    GSP_PARTITION_SPARSE, /* embeddings spread over equal devices, everything else on all of them */
    GSP_PARTITION_COST,   /* merges that lower the latency, from one partition a node */
    GSP_PARTITION_KL,     /* swaps that lower the latency, from the size-based partitions */
    GSP_PARTITION_AOT,    /* partitions and devices as the caller says */
    GSP_PARTITION_COUNT,
    GSP_PARTITION_FORCE_U32 = 0x7FFFFFFF
} gsp_partition_mode;

/* AOT: the devices of the partition that the caller calls `part`. */
typedef struct gsp_part_devices {
    uint32_t part;
    uint32_t n_ids;
    const uint32_t *ids; /* [n_ids] logical ids, each once */
} gsp_part_devices;

/* One step of a mode, told when it is taken. Partitions are named by their number before the step;
 * afterwards a merged partition is the last and the numbers close up, an emptied one keeps its
 * number until the sweep ends. */
typedef struct gsp_partition_step {
    uint32_t mode;  /* gsp_partition_mode: SPARSE and COST merge, KL swaps */
    uint32_t from;  /* merged: one partition; swapped: where the node was */
    uint32_t to;    /* the other, greater one; where it is now */
    gsp_node node;  /* KL: the node that moves */
    gsp_node other; /* KL: the node that moves the other way, GSP_NONE: none */
    uint64_t work;  /* trials so far */
    double cost;    /* seconds of the whole graph after it; SPARSE: 0 */
} gsp_partition_step;

/* How far COST and KL have come. `done` of `total` rises to the end; how long the rest takes can be
 * told from `work` alone roughly: COST tries less in every round, KL much the same for every
 * node. */
typedef struct gsp_partition_progress {
    uint32_t mode;    /* COST, KL */
    uint32_t n_steps; /* merges or swaps taken */
    uint32_t done;    /* COST: merges; KL: nodes looked at, in all sweeps */
    uint32_t total;   /* COST: merges if all went into one; KL: nodes * sweeps */
    uint64_t work;    /* trials */
    double cost;      /* seconds of the whole graph as it is now */
} gsp_partition_progress;

/* 1: the called module reads big tables. */
typedef int (*gsp_embedding_func)(void *user, const gsp_graph *graph, gsp_node node);
typedef void (*gsp_partition_step_func)(void *user, const gsp_partition_step *step);
/* Returns 0 to go on, anything else to stop with the best result so far. */
typedef int (*gsp_partition_progress_func)(void *user, const gsp_partition_progress *progress);

/* One desc for all modes; what a mode does not need is ignored by it. */
typedef struct gsp_partition_desc {
    uint32_t start_canary;
    uint32_t mode;             /* gsp_partition_mode */
    const gsp_device *devices; /* [n_devices] in order of preference */
    uint32_t n_devices;
    uint32_t saturate;     /* 1: copies of all partitions on idle devices, as often as they go */
    const double *mem;     /* [n] seconds that a node moves data; NULL: mem= of the text, or 0 */
    const double *compute; /* [n] seconds that a node computes; NULL: compute= of the text, or 0 */
    double transfer_rate;  /* bytes a second between devices, counts only with has_rate */
    uint32_t has_rate;     /* 0: moving takes no time; 1: transfer_rate is given */
    uint32_t n_sweeps;     /* KL: sweeps over all nodes; 0: 1 */
    uint64_t max_work;     /* COST, KL: trials after which the best so far is taken; 0: no limit */
    gsp_embedding_func is_embedding; /* SPARSE; NULL: class (module=) contains "Embedding" */
    void *embedding_user;
    const uint32_t *part_of;              /* AOT: [n] partition of every callable node, any number
                                           * but GSP_NONE; others are ignored */
    const gsp_part_devices *part_devices; /* AOT: [n_part_devices] */
    uint32_t n_part_devices;
    uint32_t progress_every;              /* trials between two calls of progress; 0: 4096 */
    gsp_partition_progress_func progress; /* COST, KL; NULL: none */
    void *progress_user;
    gsp_partition_step_func step; /* NULL: none */
    void *step_user;
    uint32_t end_canary;
} gsp_partition_desc;

/* What a mode finds, before latencies and the module. */
typedef struct gsp_assignment {
    uint32_t n_parts;
    uint32_t n_everywhere; /* SPARSE: devices 0 .. n_everywhere - 1 hold the embeddings, and every
                            * partition whose device_of is GSP_NONE is on all of them */
    uint32_t n_steps;      /* merges or swaps taken */
    uint32_t stopped;      /* 1: the work budget or the callback ended it early */
    uint64_t work;         /* trials */
    uint32_t *part_of;     /* [n] partition of a callable node, others GSP_NONE */
    uint32_t *device_of;   /* [n_parts] index of its device in the desc */
} gsp_assignment;

/* gsp_partition_resolve: the desc with all defaults filled in (desc NULL: all defaults).
 * Time: O(1). */
GSP_API gsp_partition_desc gsp_partition_resolve(const gsp_partition_desc *desc);

/* gsp_part_bytes: bytes that a partition needs which holds these callable nodes and the
 * placeholders and get_attr that they read: each node's total size (output and parameters of a
 * called module) and the outputs of its inputs outside. UINT64_MAX: more than 64 bits.
 *
 * In:        nodes     over the nodes of the graph; what is not callable is ignored
 * Time:      O(nodes + edges * log users)
 */
GSP_API uint64_t gsp_part_bytes(const gsp_graph *graph, const gsp_bitset *nodes);
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>latency   Critical paths of partitions                                                   (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#ifndef GSP_NO_COST

/* Seconds of a critical path: the path with the largest `overall`, the sum of max(mem, compute) of
 * its nodes. Of several such paths the one with the larger mem, then the larger compute, node by
 * node from the top. */
typedef struct gsp_latency {
    double mem;
    double compute;
    double overall;
} gsp_latency;

/* gsp_latency_bound: bytes for gsp_latency_run() on a graph of these counts. Time: O(1). */
GSP_API size_t gsp_latency_bound(const gsp_counts *counts, uint32_t n_parts);

/* gsp_latency_run: the critical path of every partition.
 *
 * What:      one forward pass over graph order; the sums are taken in path order from the top,
 *            rounded to nearest-even as doubles after each, and have the same bits on every
 *            machine, with every compiler option
 * In:        desc      mem, compute
 *            part_of   [n] partition (< n_parts) of a callable node, anything else: none
 * Out:       latency   [n_parts]
 *            critical  [n] NULL: not wanted; 1: the node is on the critical path of its partition
 *                      (of equal ones: last nodes and inputs that come first in the graph)
 * Errors:    ARG (detail LATENCY: node), DESC, NOMEM, OVERFLOW (the latencies of all nodes
 *            together are no finite double)
 * Time:      O(nodes + edges)
 * Memory:    gsp_latency_bound(), nothing stays
 */
GSP_API gsp_status gsp_latency_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_partition_desc *desc, const uint32_t *part_of,
                                   uint32_t n_parts, gsp_latency *latency, uint8_t *critical,
                                   gsp_error *err);
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>size   Partitions by bytes                                                               (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#ifndef GSP_NO_PARTITION_SIZE
/* gsp_size_bound: bytes for gsp_size_run(). Time: O(1). */
GSP_API size_t gsp_size_bound(const gsp_counts *counts, const gsp_partition_desc *desc);

/* gsp_size_run: partitions by bytes, also of a graph that fits one device.
 *
 * What:      A partition takes nodes in graph order until its device is full; the next one takes
 *            the first device that is still free and large enough for the node. Without a free
 *            device every further node is a partition of its own; those go to the device with the
 *            fewest bytes left that has more left than they need.
 * Errors:    ARG (details DEVICES, DEVICE_TWICE), DESC, NOMEM, OVERFLOW (detail SIZE),
 *            EMPTY (detail CALLABLE), NO_FIT (details NODE_LARGE, MAPPING)
 * Time:      O(nodes * devices + edges + devices^2)
 * Memory:    gsp_size_bound(); 8 bytes a node stay
 * Order:     graph order, devices as given; same input, same bytes, on every machine
 * See:       torch.fx accelerator_partitioner, size_based_partition
 */
GSP_API gsp_status gsp_size_run(gsp_arena *arena, const gsp_graph *graph,
                                const gsp_partition_desc *desc, gsp_assignment *out,
                                gsp_error *err);
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>sparse   Embeddings beside everything else                                               (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#ifndef GSP_NO_PARTITION_SPARSE
/* gsp_sparse_bound: bytes for gsp_sparse_run(). Time: O(1). */
GSP_API size_t gsp_sparse_bound(const gsp_counts *counts, const gsp_partition_desc *desc);

/* gsp_sparse_run: partitions of embeddings, one a device, and of everything else, on all of these
 * devices, also of a graph that fits one device.
 *
 * What:      Nodes are taken in graph order; a partition ends where the kind changes and where it
 *            is full. Then the smallest partition of a kind joins the largest that has room, is no
 *            more than one level away and makes no cycle, until it finds none; first everything
 *            else, then the embeddings. Without embeddings partitions are mapped to devices as in
 *            the other modes.
 * Errors:    ARG (details DEVICES, DEVICE_TWICE, DEVICES_UNEQUAL), DESC, NOMEM, OVERFLOW, EMPTY,
 *            NO_FIT (details NODE_LARGE, EMBEDDINGS, EMBEDDING_LARGE, MAPPING)
 * Time:      O(nodes + edges) and O(partitions + edges between them) a merge
 * Memory:    gsp_sparse_bound(); 8 bytes a node stay
 * Order:     graph order; same input, same bytes, on every machine
 * See:       torch.fx accelerator_partitioner, sparse_nn_partition
 */
GSP_API gsp_status gsp_sparse_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_partition_desc *desc, gsp_assignment *out,
                                  gsp_error *err);
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>cost   Partitions by latency                                                             (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#ifndef GSP_NO_PARTITION_COST
/* gsp_cost_bound: bytes for gsp_cost_run(): nodes^2 / 4 and more: two sets of partitions for every
 * partition. Time: O(1). */
GSP_API size_t gsp_cost_bound(const gsp_counts *counts, const gsp_partition_desc *desc);

/* gsp_cost_run: partitions by latency, also of a graph that fits one device.
 *
 * What:      Every node begins as a partition. Round after round the two partitions are merged
 *            whose merging gives the least latency of the whole graph, no more than the present
 *            one; they must be adjacent or at most one level apart, make no cycle and leave a
 *            device for every partition. Of equal pairs the last one. Ends when there is none.
 *            The first round looks at a graph without devices: all communication counts.
 * Out:       out       stopped: max_work or progress ended it; the merges taken so far hold, and
 *                      if there is no device for every partition, NO_FIT is the result
 * Errors:    ARG (details DEVICES, DEVICE_TWICE, RATE, RATE_ZERO, LATENCY), DESC, NOMEM, OVERFLOW,
 *            EMPTY, NO_FIT (detail MAPPING)
 * Time:      O(partitions * devices + edges between partitions) a trial at worst, mostly far less;
 *            trials: pairs of partitions at most a level apart, in at most nodes - 1 rounds
 * Memory:    gsp_cost_bound(); 8 bytes a node stay
 * Order:     graph order; same input, same bytes, on every machine
 * See:       torch.fx accelerator_partitioner, cost_aware_partition
 */
GSP_API gsp_status gsp_cost_run(gsp_arena *arena, const gsp_graph *graph,
                                const gsp_partition_desc *desc, gsp_assignment *out,
                                gsp_error *err);
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>kl   Kernighan-Lin swaps                                                                 (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#ifndef GSP_NO_PARTITION_KL
/* gsp_kl_bound: bytes for gsp_kl_run(). Time: O(1). */
GSP_API size_t gsp_kl_bound(const gsp_counts *counts, const gsp_partition_desc *desc);

/* gsp_kl_run: the size-based partitions, improved by swaps, also of a graph that fits one device.
 *
 * What:      For every node in graph order: it changes places with every node of every other
 *            partition in turn (graph order), and with none; the cheapest of these that is below
 *            the present latency is done at once, of equal ones the first. A trial that makes a
 *            cycle or leaves a partition without device does not count. Emptied partitions are
 *            dropped at the end of a sweep. Devices are mapped afresh.
 * Out:       out       stopped: max_work or progress ended it; the swaps taken so far hold
 * Errors:    as gsp_cost_run(), and NO_FIT (detail NODE_LARGE)
 * Time:      O(nodes) trials a node and sweep, each O(nodes + edges) at worst
 * Memory:    gsp_kl_bound(); 8 bytes a node stay
 * Order:     graph order; same input, same bytes, on every machine
 * See:       torch.fx accelerator_partitioner, kl_based_partition (as its comment says)
 */
GSP_API gsp_status gsp_kl_run(gsp_arena *arena, const gsp_graph *graph,
                              const gsp_partition_desc *desc, gsp_assignment *out, gsp_error *err);
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>partition   All modes, and the DAG of partitions                                         (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#ifndef GSP_NO_COST

/* All arrays are read-only and lie at the low end of the arena. Partitions are numbered as the mode
 * made them; with AOT they ascend by the caller's numbers. */
typedef struct gsp_partition_result {
    uint32_t n_nodes;
    uint32_t n_parts;
    uint32_t single;  /* 1: the whole graph fits one device: one partition, no mode was run */
    uint32_t stopped; /* 1: max_work or the callback ended it; the best valid result so far */
    uint32_t n_steps; /* merges or swaps taken */
    uint64_t work;    /* trials */
    const uint32_t *part_of;       /* [n] partition of a callable node, others GSP_NONE */
    const uint32_t *part_id;       /* [n_parts] its number; AOT: as the caller calls it */
    const uint32_t *part_begin;    /* [n_parts + 1] into nodes */
    const gsp_node *nodes;         /* callable nodes by partition, each in graph order */
    const uint64_t *bytes;         /* [n_parts] bytes that it needs, see gsp_part_bytes() */
    const uint32_t *device_begin;  /* [n_parts] into devices: partitions may share a list */
    const uint32_t *device_count;  /* [n_parts] */
    const uint32_t *devices;       /* indices of devices in the desc, in order of assignment */
    const gsp_latency *latency;    /* [n_parts] critical path inside of it */
    double total;                  /* seconds of the whole graph: critical path over partitions */
    const double *finish;          /* [n_parts] seconds until it is done, communication included */
    const uint32_t *late_parent;   /* [n_parts] the parent that it waits for longest, GSP_NONE */
    const uint32_t *level;         /* [n_parts] longest path from a partition without parents */
    const uint32_t *parent_begin;  /* [n_parts + 1] into parents and what lies beside it */
    const uint32_t *parents;       /* ascending */
    const uint64_t *parent_bytes;  /* that the child reads of the parent's nodes, each once; 0 when
                                    * both are on the same devices */
    const double *parent_seconds;  /* that this takes */
    const uint32_t *child_begin;   /* [n_parts + 1] into children */
    const uint32_t *children;      /* ascending */
    const uint64_t *device_bytes;  /* [n_devices] bytes in use: of the union of its partitions */
    gsp_parts_result parts;        /* the module; graph 1 + i holds partition parts.part[i], called
                                    * by node parts.call[i] of the root: the DAG, in order of the
                                    * calls. gsp_node_inputs() of the call are its inputs */
    const uint32_t *dag_out_begin; /* [n_parts + 1] into dag_out, by i as above */
    const gsp_node *dag_out;       /* nodes of the root that hold its values: getitem nodes where
                                    * there are several, else the call */
} gsp_partition_result;

/* gsp_partition_bound: bytes for gsp_partition_run(). `counts` are those of the whole module,
 * `module.counts`. Data-independent: counts, mode, numbers of devices. SIZE_MAX: more than size_t
 * can say. Time: O(1). */
GSP_API size_t gsp_partition_bound(const gsp_counts *counts, const gsp_partition_desc *desc);

/* gsp_partition_run: cut a graph into partitions for devices of limited memory, and make a module
 * of them.
 *
 * What:      One partition on the first of the largest devices where the whole graph fits it (AOT:
 *            never), else what the mode says; copies on idle devices (saturate); latencies, levels,
 *            parents and children, the module, the DAG of its submodules.
 * Errors:    in this order:
 *            ARG (NULL_ARGUMENT), DESC (CANARY; MODE: none that exists or is in this build),
 *            ARG (DEVICES: none), NOMEM (need), OVERFLOW (TOO_MANY),
 *            EMPTY (CALLABLE: no callable node),
 *            ARG (DEVICE_TWICE: node, other: indices of two devices with one logical id),
 *            OVERFLOW (SIZE: other: the device up to which capacities exceed 64 bits; node: the
 *            node up to which sizes do), ARG (RATE), ARG (LATENCY: node),
 *            OVERFLOW (LATENCY: all latencies together are no finite number);
 *            AOT: ARG (PART_NONE: a node without partition; PART_DEVICES: a node whose partition,
 *            `other`, has no devices; DEVICE_UNKNOWN: `other` is the id, need the partition),
 *            else NO_FIT (DEVICES_SMALL: need bytes, limit bytes of all devices), and the mode's:
 *            NO_FIT (NODE_LARGE: node, need, limit and other: the largest device that is left;
 *            MAPPING: node: the first of the partition, need, limit and other: the device with
 *            the most bytes left; EMBEDDINGS: need, limit: devices; EMBEDDING_LARGE: node, need,
 *            limit), ARG (DEVICES_UNEQUAL: other);
 *            CYCLE (PARTS_CYCLE: node and other: two partitions), DAMAGED,
 *            ARG (RATE_ZERO: node and other: a partition and its parent, need: bytes to move);
 *            on error the arena is unchanged
 * Time:      the mode's, and O(nodes + edges + args + strings)
 * Memory:    gsp_partition_bound()
 * Stack:     < 2048 bytes with all callees on 64 bit, no recursion
 * Order:     everything in graph order, seconds without a floating-point operation; same input,
 *            same bytes, on every machine, with every compiler option
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/cli/partition.c
 * See:       torch.fx accelerator_partitioner
 */
GSP_API gsp_status gsp_partition_run(gsp_arena *arena, const gsp_graph *graph,
                                     const gsp_partition_desc *desc, gsp_partition_result *result,
                                     gsp_error *err);
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>effects   What is written, and the order that it forces                                  (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

typedef struct gsp_effects_desc {
    uint32_t start_canary;
    uint32_t max_waits; /* more waits than this: LIMIT; 0: two an edge, which is enough unless
                         * aggregates are written by element and read as a whole */
    uint32_t end_canary;
} gsp_effects_desc;

/* Every value lives in places: a tensor in one, a get_attr in that of its storage, an aggregate
 * whose TYPE lists its elements in one an element, what `alias=` points at in those of that node.
 * The places of a node are a range; two values share memory exactly when their ranges meet, but
 * for elements that no operator.getitem takes: the last place of the range is that of all these. */
typedef struct gsp_effects {
    uint32_t n_nodes;
    uint32_t n_places;
    uint32_t n_waits;
    const uint32_t *place_begin; /* [n] */
    const uint32_t *place_end;   /* [n] */
    const uint32_t *segment;     /* [n] barriers before a node, twice, and one more at a barrier: */
                                 /* whatever has a lower number comes first */
    const uint32_t *waiter_begin; /* [n + 1] into waiters */
    const gsp_node *waiters;      /* [n_waits] nodes that must come after a node for what is written
                                   * or read, though they do not read it */
} gsp_effects;

/* gsp_effects_kept, _bound: bytes that stay after gsp_effects_run() (16 a node, 4 a wait), and
 * bytes for it (56 a node, 8 an edge with the default desc). Time: O(1). */
GSP_API size_t gsp_effects_kept(const gsp_counts *counts, const gsp_effects_desc *desc);
GSP_API size_t gsp_effects_bound(const gsp_counts *counts, const gsp_effects_desc *desc);

/* gsp_effects_run: which memory values live in, and the order that writing forces.
 *
 * What:      A node reads the places of all its arguments and writes those of its arguments at the
 *            positions of `mutates=`. A reader or writer of a place waits for the last writer
 *            before it, a writer besides for every reader since that writer. The output waits for
 *            nothing. Waits that an argument makes anyway are not listed, nor those for barriers:
 *            segment says them.
 * In:        desc      options, NULL = defaults
 * Out:       effects   arrays at the low end of the arena
 * Errors:    ARG (detail POSITION: `mutates=` or `alias=` of a node is no position of its
 *            arguments), DESC, NOMEM (need), OVERFLOW, LIMIT (need = the waits, limit)
 *            on error the arena is unchanged
 * Time:      O((n + m) log n) without aggregates that are written
 * Memory:    gsp_effects_bound()
 * Stack:     < 2048 bytes with all callees on 64 bit
 * Order:     waiters of a node: those that read what it wrote first, each kind ascending
 */
GSP_API gsp_status gsp_effects_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_effects_desc *desc, gsp_effects *effects,
                                   gsp_error *err);

/* gsp_effects_written: the nodes that a node writes: the one at the position of `mutates=` that
 * starts at byte *at, which moves behind it; GSP_NONE: there are no more. Start with 0.
 * Time: O(args of the node). */
GSP_API gsp_node gsp_effects_written(const gsp_graph *graph, gsp_node node, uint32_t *at);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>same   Classes of identical nodes                                                        (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

typedef struct gsp_same_desc {
    uint32_t start_canary;
    uint32_t hash_bits; /* of the hash that are in use; 0: all 32. Fewer cost time, never the
                         * result: what the hash calls equal is compared */
    uint32_t end_canary;
} gsp_same_desc;

typedef struct gsp_same {
    uint32_t n_nodes;
    uint32_t n_classes;          /* of two nodes or more, numbered by first node */
    const uint32_t *class_of;    /* [n] GSP_NONE: no other node is identical */
    const uint32_t *class_begin; /* [n_classes + 1] into nodes */
    const gsp_node *nodes;       /* by class, each in graph order */
} gsp_same;

/* gsp_same_kept, _bound: bytes that stay after gsp_same_run() (12 a node), and bytes for it (28 a
 * node). Time: O(1). */
GSP_API size_t gsp_same_kept(const gsp_counts *counts);
GSP_API size_t gsp_same_bound(const gsp_counts *counts, const gsp_same_desc *desc);

/* gsp_same_run: classes of identical nodes.
 *
 * What:      Callable nodes are identical when they agree in operation, target, TYPE, `key=`,
 *            `state=`, `mutates=`, `alias=` and in their arguments: the same constants in the same
 *            containers, and nodes of the same TYPE. The order of keyword arguments and of the keys
 *            of a dict does not matter. A barrier is identical to nothing.
 * In:        desc      options, NULL = defaults
 * Out:       same      arrays at the low end of the arena
 * Errors:    ARG, DESC, NOMEM (need); on error the arena is unchanged
 * Time:      O(n + args); where hashes collide, a comparison a class
 * Memory:    gsp_same_bound()
 * Stack:     < 1024 bytes with all callees on 64 bit
 * Order:     classes by first node; the hash decides nothing
 */
GSP_API gsp_status gsp_same_run(gsp_arena *arena, const gsp_graph *graph, const gsp_same_desc *desc,
                                gsp_same *same, gsp_error *err);

/* gsp_same_nodes: 1 when two callable nodes are identical in the sense of gsp_same_run(), barriers
 * apart. Time: O(args of the nodes), times the keys of a dict if their order differs. */
GSP_API int gsp_same_nodes(const gsp_graph *graph, gsp_node a, gsp_node b);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>regions   Repeated regions                                                               (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

typedef struct gsp_regions_desc {
    uint32_t start_canary;
    uint32_t hash_bits; /* as in gsp_same_desc */
    uint32_t max_waits; /* as in gsp_effects_desc */
    uint64_t max_work;  /* edges that searches may look at; more: LIMIT; 0: no limit */
    uint32_t end_canary;
} gsp_regions_desc;

/* Groups of identical regions. A group is a table: one row a position, one column a region, columns
 * in graph order of their last nodes, rows in graph order of the first column. */
typedef struct gsp_regions {
    uint32_t n_groups;
    const uint32_t *group_begin;   /* [n_groups + 1] into members */
    const uint32_t *group_regions; /* [n_groups] columns, at least 2; there are at least 2 rows */
    const gsp_node *members;       /* row p, column i of group k: members[group_begin[k] +
                                    * p * group_regions[k] + i] */
    gsp_same same;
    gsp_effects effects;
    uint64_t work; /* edges that searches looked at */
} gsp_regions;

/* gsp_regions_kept, _bound: bytes that stay after gsp_regions_run() (48 a node, 4 a wait), and
 * bytes for it: less than 100 a node and 8 an edge. Time: O(1). */
GSP_API size_t gsp_regions_kept(const gsp_counts *counts, const gsp_regions_desc *desc);
GSP_API size_t gsp_regions_bound(const gsp_counts *counts, const gsp_regions_desc *desc);

/* gsp_regions_run: identical regions: what stands more than once in a graph.
 *
 * What:      gsp_effects_run() and gsp_same_run(); then the nodes of a class, the last class first,
 *            are the ends of as many regions, which grow backwards through inputs, breadth first
 *            and in lock step. A step is taken only if it is for all: the same class, distinct,
 *            taken by no region before, and no path that leaves a region and comes back. A region
 *            gives up an operator.getitem whose aggregate is not in it.
 * In:        desc      options, NULL = defaults
 * Out:       regions   arrays at the low end of the arena; groups in the order found
 * Errors:    ARG, DESC, NOMEM (need), OVERFLOW, LIMIT (detail WAITS or WORK; need, limit)
 *            on error the arena is unchanged
 * Time:      O((n + m) log n), plus searches for paths between candidates and ends, which an index
 *            makes rare and short; the work of all of them is limited by max_work
 * Memory:    gsp_regions_bound()
 * Stack:     < 2048 bytes with all callees on 64 bit
 * Order:     deterministic
 * See:       torch._dynamo graph_region_tracker; Yildirim et al., GRAIL, 2010
 */
GSP_API gsp_status gsp_regions_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_regions_desc *desc, gsp_regions *regions,
                                   gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>accept   Which regions can be replaced                                                   (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

typedef struct gsp_accept_desc {
    uint32_t start_canary;
    uint32_t max_outputs; /* elements of aggregates that leave a region, and of those that are
                           * written out for a reader of the whole; more: LIMIT; 0: two a node */
    uint64_t max_work;    /* edges that searches for cycles may look at; more: LIMIT; 0: 2^32 - 1 */
    uint32_t end_canary;
} gsp_accept_desc;

/* Which regions give way to calls. A call yields items: one for every output position of its
 * region, of an aggregate one an element. Subgraphs, calls and items are numbered in the order in
 * which the replacements are made. */
typedef struct gsp_accepted {
    uint32_t n_nodes;
    uint32_t n_subgraphs;
    uint32_t n_calls;
    uint32_t n_items;
    uint32_t n_outputs;       /* what max_outputs limits */
    const uint32_t *group_of; /* [n_subgraphs] group of regions */
    const uint32_t
        *call_begin;           /* [n_subgraphs + 1] calls of a subgraph, the first gives its body */
    const uint32_t *region_of; /* [n_calls] column of the region in its group */
    const uint32_t *out_begin; /* [n_subgraphs + 1] into outs */
    const uint32_t *outs;      /* output positions of a subgraph: rows of its group */
    const uint32_t *item_begin; /* [n_calls + 1] items of a call */
    const gsp_node *item_node;  /* [n_items] the member that an item stands for, or is part of */
    const uint32_t *call_of;    /* [n] call whose region holds a node; GSP_NONE: none does */
    const uint32_t *went;       /* [n] subgraph with which a node goes; GSP_NONE: it stays */
    const uint32_t *item_of;    /* [n] first item that stands for it; GSP_NONE: nothing does */
    uint64_t work;
} gsp_accepted;

/* gsp_accept_kept, _bound: bytes that stay after gsp_accept_run(), and bytes for it: less than 120
 * a node, with the default desc. Time: O(1). */
GSP_API size_t gsp_accept_kept(const gsp_counts *counts, const gsp_accept_desc *desc);
GSP_API size_t gsp_accept_bound(const gsp_counts *counts, const gsp_accept_desc *desc);

/* gsp_accept_run: which regions can be replaced by calls of one subgraph.
 *
 * What:      A region stays as it is when one of its nodes has been replaced already, one of its
 *            inputs is an aggregate, two inputs share memory, a node in it writes an input, an
 *            output shares memory with an input or with another output, an output is an aggregate
 *            whose elements are not known or that is a view or that a node with `mutates=` or
 *            `alias=` reads as a whole, its nodes are wired in another way than those of the first
 *            region, or one node in its place would close a cycle. Fewer than two regions, or no
 *            input: the group stays.
 * In:        regions   of the graph
 * Out:       accepted  arrays at the low end of the arena
 * Errors:    ARG, DESC, NOMEM (need), OVERFLOW, LIMIT (detail OUTPUTS or WORK; need, limit)
 *            on error the arena is unchanged
 * Time:      O(n + m + args); only where a cycle would close is region by region tested, each
 *            in the time of the nodes between its first and its last
 * Memory:    gsp_accept_bound()
 * Stack:     < 2048 bytes with all callees on 64 bit
 * Order:     deterministic
 */
GSP_API gsp_status gsp_accept_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_regions *regions, const gsp_accept_desc *desc,
                                  gsp_accepted *accepted, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>dedup   One subgraph for all regions of a group                                          (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

typedef struct gsp_dedup_desc {
    uint32_t start_canary;
    uint32_t hash_bits;   /* as in gsp_same_desc */
    uint32_t max_waits;   /* as in gsp_effects_desc */
    uint32_t max_outputs; /* as in gsp_accept_desc */
    uint64_t max_work;    /* as in gsp_regions_desc, and again as in gsp_accept_desc */
    uint32_t end_canary;
} gsp_dedup_desc;

typedef struct gsp_dedup_result {
    gsp_module module; /* the root, one graph a subgraph (1 .. n_subgraphs), other graphs of the
                        * input */
    gsp_regions regions;
    gsp_accepted accepted;
    const gsp_node *call;      /* [n_calls] in the root */
    const uint32_t *now_begin; /* [n + 1] into now */
    const gsp_node *now;       /* nodes of the root that stand for a node of the input: itself, a
                                * getitem, one an element; none for what only a subgraph sees */
} gsp_dedup_result;

/* gsp_dedup_bound: bytes for gsp_dedup_run(). `counts` are those of the whole module,
 * `module.counts`, since child graphs come along. Data-independent. SIZE_MAX: more than size_t can
 * say. Time: O(1). */
GSP_API size_t gsp_dedup_bound(const gsp_counts *counts, const gsp_dedup_desc *desc);

/* gsp_dedup_run: a module in which identical regions are calls of one subgraph.
 *
 * What:      gsp_regions_run(), gsp_accept_run(), then a graph `subgraph_N` a group, its body and
 *            inputs named after the first region, and in the root for every region the call
 *            torch.ops.higher_order.invoke_subgraph(subgraph_N, subgraph_N, inputs...) and an
 *            operator.getitem an output; an aggregate leaves in its elements. The root is in a
 *            stable topological order that keeps what is written in place: reads stay between the
 *            writes that they stood between, barriers stay where they are.
 * In:        desc      options, NULL = defaults
 * Out:       result    with the map from old nodes to new; arrays at the low end of the arena
 * Errors:    ARG (detail POSITION), DESC, NOMEM (need), OVERFLOW, LIMIT (details WAITS, WORK,
 *            OUTPUTS; need, limit), DAMAGED (arguments and rows of a stored module disagree)
 *            on error the arena is unchanged
 * Time:      O((n + m + args + strings) log n), and what gsp_regions_run() and gsp_accept_run() say
 * Memory:    gsp_dedup_bound()
 * Stack:     < 2048 bytes with all callees on 64 bit
 * Order:     deterministic, no hash decides anything
 * Threads:   reentrant
 * Example:   examples/repeated_layers.c
 * See:       torch._dynamo graph_deduplication
 */
GSP_API gsp_status gsp_dedup_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_dedup_desc *desc, gsp_dedup_result *result,
                                 gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>fingerprint   Equal graphs under different names                                         (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

/* 128 bits over what a graph computes, whatever things are called. */
typedef struct gsp_fingerprint {
    uint64_t words[2];
} gsp_fingerprint;

/* gsp_graph_fingerprint: equal for graphs that one compilation serves.
 *
 * What:      Operations, targets of functions and methods, classes of called modules (their target
 *            where there is no class), arguments with their constants, TYPEs, sizes of parameters,
 *            `mutates=`, `alias=`, `state=`, `barrier=`, `device=`. Names of nodes, of inputs, of
 *            parameters and of module instances do not count, nor do costs, keys and scopes. A
 *            graph that is called counts with what it computes itself, not with what it calls in
 *            turn. Equal on every machine. Two different graphs have one fingerprint once in 2^64
 *            pairs by chance; it is no protection against somebody who wants them to.
 * Time:      O(args + bytes of their texts)
 */
GSP_API gsp_fingerprint gsp_graph_fingerprint(const gsp_graph *graph);

/* gsp_fingerprint_write: 32 hexadecimal digits and a NUL. Time: O(1). */
GSP_API void gsp_fingerprint_write(gsp_fingerprint fingerprint, char *text);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>costs   Costs of nodes in whole ticks                                                     (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE
/* What nodes cost, in whole ticks and bytes: no float takes part in a decision. Fill one yourself,
 * or let gsp_costs_run() read the annotations. */
typedef struct gsp_costs {
    uint32_t n_nodes;
    uint32_t n_items;           /* parameters and called modules, each one item */
    const uint64_t *time;       /* [n] ticks to compute; NULL: 0 each */
    const uint64_t *move;       /* [n] ticks to move the output to or from a device; NULL: 0 each */
    const uint64_t *stash;      /* [n] bytes of the output; NULL: 0 each */
    const uint32_t *item_begin; /* [n + 1] into items; NULL: no parameters */
    const uint32_t *items;      /* items that a node reads */
    const uint64_t *item_bytes; /* [n_items] */
} gsp_costs;

typedef struct gsp_costs_desc {
    uint32_t start_canary;
    uint32_t scale; /* compute= is multiplied by so much, e.g. 3 for forward and backward; 0: 1 */
    uint64_t ticks; /* ticks a second; 0: 10^9 */
    uint64_t bandwidth; /* bytes a second, for outputs without comm=; 0: those take no time */
    uint32_t end_canary;
} gsp_costs_desc;

#ifndef GSP_NO_COST
/* gsp_costs_resolve: the desc with all defaults filled in (desc NULL: all defaults). Time: O(1). */
GSP_API gsp_costs_desc gsp_costs_resolve(const gsp_costs_desc *desc);

/* gsp_costs_bound: bytes for gsp_costs_run(): 44 a node, 12 an edge, 12 a string of the module, and
 * padding. SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_costs_bound(const gsp_counts *counts);

/* gsp_costs_run: the costs that the annotations of a graph say.
 *
 * What:      time of callable nodes: compute=; move: comm=, else bytes / bandwidth; both rounded
 *            half up to whole ticks; of nodes without them 0. stash: the bytes of the output.
 *            Items: every target of get_attr, with the bytes of its first get_attr, and every
 *            called module, with the params= of its first call.
 * Out:       costs     lies at the low end of the arena; stash points into the module
 * Errors:    DESC, NOMEM (need), ARG (detail LATENCY: a time of node is negative, infinite or no
 *            number), OVERFLOW (detail SIZE: a time of node); on error the arena is unchanged
 * Time:      O(nodes + edges + strings)
 * Memory:    gsp_costs_bound(); at most 32 bytes a node and 12 an edge stay
 * Stack:     < 1024 bytes with all callees on 64 bit, no recursion
 * Order:     graph order; same ticks on every machine
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/pipeline_plan.c
 */
GSP_API gsp_status gsp_costs_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_costs_desc *desc, gsp_costs *costs, gsp_error *err);
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>stages   Where to cut a pipeline                                                         (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

typedef enum gsp_stages_policy {
    GSP_STAGES_NODES,     /* equal numbers of nodes */
    GSP_STAGES_PARAMS,    /* equal bytes of parameters, each counted where it is read first */
    GSP_STAGES_THRESHOLD, /* no more bytes of parameters a stage than a threshold */
    GSP_STAGES_COUNT,
    GSP_STAGES_FORCE_U32 = 0x7FFFFFFF
} gsp_stages_policy;

/* The marker that PyTorch puts between two stages. */
#define GSP_STAGES_MARKER "torch.ops.pippy._pipe_split.default"

typedef struct gsp_stages_desc {
    uint32_t start_canary;
    uint32_t policy;    /* gsp_stages_policy */
    uint32_t n_stages;  /* no more than so many; 0: NODES and PARAMS 1, THRESHOLD no limit */
    uint64_t threshold; /* THRESHOLD: bytes; 0: the bytes of all parameters / n_stages */
    const char *marker; /* target of the calls that are no nodes of a stage; NULL: PyTorch's */
    uint32_t end_canary;
} gsp_stages_desc;

typedef struct gsp_stages_result {
    uint32_t n_nodes;
    uint32_t n_stages;        /* none is empty; 0 without callable nodes */
    const uint32_t *stage_of; /* [n] stage of a callable node; GSP_NONE: others, and markers */
    const uint64_t *weight;   /* [n_stages] what the policy evens out: nodes, or bytes */
} gsp_stages_result;

/* gsp_stages_resolve: the desc with all defaults filled in (desc NULL: all defaults). Time: O(1).
 */
GSP_API gsp_stages_desc gsp_stages_resolve(const gsp_stages_desc *desc);

/* gsp_stages_bound: bytes for gsp_stages_run(): 20 a node, 5 a string of the module, and padding.
 * SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_stages_bound(const gsp_counts *counts, const gsp_stages_desc *desc);

/* gsp_stages_run: cut a graph, in its order, into stages of equal nodes or parameter bytes.
 *
 * What:      NODES, PARAMS: a stage that opens with weight W left and k stages to fill, itself
 *            included, closes with the first node at which its own weight reaches W / k, rounded
 *            up, or at which only k - 1 nodes are left; the last takes the rest. Where no weight
 *            is left, every node weighs 1. A target of get_attr counts once, with the bytes of its
 *            first get_attr, at the first node that reads it; a called module once, at its first
 *            call. Fewer stages than asked only where there are fewer nodes.
 *            THRESHOLD: a cut before every node whose parameters do not fit into what is left of
 *            the stage; those that the stage already reads are free, a called module counts whole
 *            at every call. A node that is too large for an empty stage ends that stage.
 * In:        desc      n_stages; markers in the graph cut nothing
 * Out:       result    stages are numbered in graph order
 * Errors:    ARG (detail THRESHOLD: neither threshold nor n_stages), DESC, NOMEM (need),
 *            OVERFLOW (detail SIZE: bytes of parameters); on error the arena is unchanged
 * Time:      O(nodes + edges + strings)
 * Memory:    gsp_stages_bound(); 4 bytes a node and 8 a stage stay, at most 12 a node
 * Stack:     < 1024 bytes with all callees on 64 bit, no recursion
 * Order:     graph order, integers only
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/pipeline_plan.c
 * See:       PiPPy, split_on_size_threshold
 */
GSP_API gsp_status gsp_stages_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_stages_desc *desc, gsp_stages_result *result,
                                  gsp_error *err);

/* gsp_stages_is_marker: 1 for a function call of this target (NULL: PyTorch's): where a stage ends,
 * and no node of any stage. Time: O(target). */
GSP_API int gsp_stages_is_marker(const gsp_graph *graph, gsp_node node, const char *marker);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>loads   What every stage takes                                                            (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE
/* How stages are charged. A stage pays for its nodes, once for every value that enters and once for
 * every value that leaves; placeholders and what the root returns move for nothing. */
typedef struct gsp_stage_model {
    const gsp_costs *costs; /* required */
    uint32_t carried;       /* 0: a value goes straight from its stage to those that read it; 1: it
                             * passes through every stage up to the last that reads it */
    uint32_t microbatches;  /* in a run, one forward and one backward in turn: stage s of k keeps
                             * what min(k - s, microbatches) of them made in it and handed to it;
                             * 0: inference, nothing is kept */
    const uint32_t *held; /* [stages] microbatches that a stage keeps, e.g. of a schedule's result;
                             * from stage to stage no more; NULL: min(k - s, microbatches) */
    uint32_t copies;      /* of the parameters: gradients, state of an optimiser, ...; 0: 1 */
    uint64_t first_time;  /* ticks that the first stage takes besides its nodes */
    uint64_t last_time;   /* and the last */
} gsp_stage_model;

typedef struct gsp_loads_desc {
    uint32_t start_canary;
    uint32_t n_stages;
    const uint32_t *stage_of; /* [n] a stage, or GSP_NONE: in none; required */
    gsp_stage_model model;
    uint32_t end_canary;
} gsp_loads_desc;

/* One stage: time = compute + enter + leave + what the model adds to the first and the last. */
typedef struct gsp_load {
    uint32_t n_nodes;
    uint32_t held;    /* microbatches of which it keeps the stash */
    uint64_t time;    /* ticks */
    uint64_t compute; /* ticks of its nodes */
    uint64_t enter;   /* ticks of the values that enter */
    uint64_t leave;   /* ticks of the values that leave */
    uint64_t params;  /* bytes of the parameters that it reads */
    uint64_t stash;   /* bytes of what one microbatch makes in it and hands to it */
    uint64_t memory;  /* params * copies + stash * held */
} gsp_load;

typedef struct gsp_loads_result {
    uint32_t n_stages;
    uint32_t slowest;      /* the stage of the greatest time, the first such; GSP_NONE: no stage */
    uint32_t greatest;     /* of the greatest memory */
    const gsp_load *loads; /* [n_stages] */
} gsp_loads_result;

/* gsp_loads_bound: bytes for gsp_loads_run(): 12 a node, 4 an item of costs (an edge and a node at
 * most), 96 a stage, and padding. SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_loads_bound(const gsp_counts *counts, const gsp_loads_desc *desc);

/* gsp_loads_run: what every stage takes, for stages of any policy.
 *
 * What:      times and bytes by the model; a stage may not read a later one
 * Errors:    ARG (detail NULL_ARGUMENT: no costs, stage_of; detail COSTS: of another graph; detail
 *            STAGE: node has a stage that does not exist, or reads other, which has a later one),
 *            DESC, NOMEM (need), OVERFLOW (detail SIZE); on error the arena is unchanged
 * Time:      O(nodes + edges + items + stages)
 * Memory:    gsp_loads_bound(); 72 bytes a stage stay
 * Stack:     < 1024 bytes with all callees on 64 bit, no recursion
 * Order:     no order matters
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/pipeline_plan.c
 */
GSP_API gsp_status gsp_loads_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_loads_desc *desc, gsp_loads_result *result,
                                 gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>sequence   Other orders of a graph                                                        (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE
typedef enum gsp_sequence_kind {
    GSP_SEQUENCE_LEAST, /* of the nodes whose inputs are out, the one of the least id */
    GSP_SEQUENCE_STACK, /* the one that became ready last */
    GSP_SEQUENCE_QUEUE, /* the one that became ready first */
    GSP_SEQUENCE_DEPTH, /* every node right behind what it needs, depth first from the results */
    GSP_SEQUENCE_COUNT,
    GSP_SEQUENCE_FORCE_U32 = 0x7FFFFFFF
} gsp_sequence_kind;

typedef struct gsp_sequence_desc {
    uint32_t start_canary;
    uint32_t kind;     /* gsp_sequence_kind */
    uint32_t backward; /* 1: made from the users' side, and turned round */
    uint32_t seed;     /* DEPTH: which input is gone into first; 0: the first */
    uint32_t end_canary;
} gsp_sequence_desc;

/* gsp_sequence_bound: bytes for gsp_sequence_run(): 16 a node and padding. Time: O(1). */
GSP_API size_t gsp_sequence_bound(const gsp_counts *counts);

/* gsp_sequence_run: another order of all nodes in which every input stands before its users.
 *
 * What:      LEAST without `backward` is graph order itself
 * Out:       order     [n] at the low end of the arena
 * Errors:    ARG, DESC, NOMEM (need); on error the arena is unchanged
 * Time:      O(nodes + edges), LEAST O(nodes log nodes + edges)
 * Memory:    gsp_sequence_bound(); 4 bytes a node stay
 * Stack:     < 512 bytes, no recursion
 * Order:     ties by id; a seed gives the same order on every machine
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/pipeline_plan.c
 * See:       Kahn 1962; Tarjan 1972
 */
GSP_API gsp_status gsp_sequence_run(gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_sequence_desc *desc, const gsp_node **order,
                                    gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>balance   Stages of the least bottleneck                                                  (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE
typedef enum gsp_balance_goal {
    GSP_BALANCE_TIME,  /* the slowest stage is as fast as can be */
    GSP_BALANCE_BYTES, /* the stage of the greatest memory takes as little as can be */
    GSP_BALANCE_COUNT,
    GSP_BALANCE_FORCE_U32 = 0x7FFFFFFF
} gsp_balance_goal;

#define GSP_BALANCE_ORDERS 14u /* orders that there are to try */

typedef struct gsp_balance_desc {
    uint32_t start_canary;
    uint32_t n_devices;    /* 0: 1 */
    uint32_t n_chunks;     /* interleaved: stages a device, stage s on device s % n_devices; 0: 1 */
    uint32_t goal;         /* gsp_balance_goal */
    uint32_t n_orders;     /* orders to try, graph order first; 0: 1; more than 14: 14 */
    uint32_t keep_groups;  /* 1: no cut between nodes of the same group= */
    gsp_stage_model model; /* costs are required */
    uint64_t memory;       /* bytes a device; each of its stages gets an equal part; 0: no limit */
    uint64_t max_work;     /* nodes looked at, an order; 0: 2^26; UINT64_MAX: no limit */
    const char *marker;    /* target of the calls that are no nodes of a stage; NULL: PyTorch's */
    uint32_t end_canary;
} gsp_balance_desc;

typedef struct gsp_balance_result {
    uint32_t n_nodes;
    uint32_t n_stages;        /* devices * chunks; fewer only where there are fewer nodes */
    uint32_t order;           /* number of the order in which the stages are runs; 0: graph order */
    uint32_t proved;          /* 1: nothing below the objective is possible in the orders tried */
    const uint32_t *stage_of; /* [n] stage of a callable node; GSP_NONE: others, and markers */
    uint64_t objective;       /* time of the slowest stage, ticks; bytes of the greatest */
    uint64_t lower_bound;     /* in the orders tried */
    uint64_t reference;       /* of stages of equal numbers of nodes, whatever their memory */
    uint64_t work;            /* nodes looked at, all orders */
} gsp_balance_result;

/* gsp_balance_resolve: the desc with all defaults filled in (desc NULL: all defaults). Time: O(1).
 */
GSP_API gsp_balance_desc gsp_balance_resolve(const gsp_balance_desc *desc);

/* gsp_balance_bound: bytes for gsp_balance_run(): 116 a node, 12 an edge, 4 a node and stage, and
 * padding. SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_balance_bound(const gsp_counts *counts, const gsp_balance_desc *desc);

/* gsp_balance_run: runs of an order as stages, such that the slowest is as fast as can be.
 *
 * What:      exactly n_devices * n_chunks stages, none empty, each a run of the order and within
 *            the memory; least objective by the model. Several orders: the best, among equals the
 *            first. When max_work ends the search the best plan so far is given, `proved` is 0 and
 *            lower_bound still holds.
 *            Order 0 is graph order, the others the kinds of gsp_sequence_run(): with backward, and
 *            depth first with seeds. Nodes with mutates= or barrier= forbid all but graph order.
 * Out:       result    stage_of lies at the low end of the arena
 * Errors:    ARG (detail NULL_ARGUMENT: no costs; detail COSTS; detail HELD: node is the stage that
 *            keeps more microbatches than the one before it), DESC, NOMEM (need), OVERFLOW
 *            (detail SIZE), NO_FIT (need = the least memory a device that suffices in the orders
 *            tried, limit = the memory); on error the arena is unchanged
 * Time:      O(nodes + edges) for every bound that is tried, and the nodes of all stages that could
 *            belong to a plan within it, at most max_work
 * Memory:    gsp_balance_bound(); 4 bytes a node stay
 * Stack:     < 2048 bytes with all callees on 64 bit, no recursion
 * Order:     the best plan of every prefix for every number of stages, the start of its last stage
 *            tried in ascending order and replaced only by a strictly better one; integers only
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/pipeline_plan.c
 * See:       Tarnawski et al., NeurIPS 2020; Archer et al., ICML 2024
 */
GSP_API gsp_status gsp_balance_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_balance_desc *desc, gsp_balance_result *result,
                                   gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>marks   Stages from markers and split specs                                              (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

/* Where an entry of a split spec cuts. */
typedef enum gsp_point {
    GSP_POINT_BEGINNING, /* the first node of the module is the first of the next stage */
    GSP_POINT_END,       /* its last node is the last of the stage */
    GSP_POINT_COUNT,
    GSP_POINT_FORCE_U32 = 0x7FFFFFFF
} gsp_point;

/* Cuts at every call of a module: at every longest run of callable nodes whose scope (see
 * gsp_node_scope()) is `path` or lies below it; a called module whose target is `path` is a call by
 * itself. */
typedef struct gsp_split_point {
    gsp_text path;
    uint32_t point; /* gsp_point */
} gsp_split_point;

typedef struct gsp_marks_desc {
    uint32_t start_canary;
    uint32_t n_points;
    const char *marker;            /* target of the calls that mark a cut; NULL: PyTorch's */
    const gsp_split_point *points; /* [n_points] cuts beside those of the markers */
    int (*policy)(void *user, const gsp_graph *graph, gsp_node node); /* != 0: a stage begins at
                                    * this callable node; markers cut nothing then; or NULL */
    void *user;                                                       /* for the policy */
    uint32_t end_canary;
} gsp_marks_desc;

typedef struct gsp_marks_result {
    uint32_t n_nodes;
    uint32_t n_stages;        /* none is empty; 0 without callable nodes */
    const uint32_t *stage_of; /* [n] stage of a callable node; GSP_NONE: others, and markers */
} gsp_marks_result;

/* gsp_marks_bound: bytes for gsp_marks_run(). Data-independent. SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_marks_bound(const gsp_counts *counts, const gsp_marks_desc *desc);

/* gsp_marks_run: the stages that markers in the graph, a split spec or a policy ask for.
 *
 * What:      Cuts at one place count once, whoever asks for them; before the first and after the
 *            last callable node they make no stage.
 * In:        desc      NULL: markers alone
 * Errors:    DESC, ARG (details POLICY: points and a policy together; POINT and PATH: node = the
 *            entry), NOMEM (need), OVERFLOW; on error the arena is unchanged
 * Time:      O(nodes + bytes of scopes + points)
 * Memory:    gsp_marks_bound(); 4 bytes a node stay
 * Stack:     < 1024 bytes with all callees on 64 bit
 * Order:     graph order
 * Threads:   reentrant
 * Example:   examples/pipeline.c
 * See:       torch.distributed.pipelining, annotate_split_points
 */
GSP_API gsp_status gsp_marks_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_marks_desc *desc, gsp_marks_result *result,
                                 gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>hold   Which stages hold which parameters                                                (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

/* What becomes of a parameter that several stages read. */
typedef enum gsp_multi_use {
    GSP_MULTI_USE_REPLICATE, /* every stage has its own; a trainer adds up their gradients */
    GSP_MULTI_USE_TRANSMIT,  /* the first of the stages has it and returns it for the others */
    GSP_MULTI_USE_COUNT,
    GSP_MULTI_USE_FORCE_U32 = 0x7FFFFFFF
} gsp_multi_use;

typedef struct gsp_hold_use {
    gsp_text target;    /* of a get_attr */
    uint32_t multi_use; /* gsp_multi_use */
} gsp_hold_use;

typedef struct gsp_hold_desc {
    uint32_t start_canary;
    uint32_t multi_use;       /* gsp_multi_use of what `uses` does not name */
    const uint32_t *stage_of; /* [n] stages of callable nodes, below n, holes allowed; what a node
                               * reads has no later stage (see gsp_marks_run(), gsp_stages_run(),
                               * gsp_balance_run()); GSP_NONE: the node goes */
    const gsp_hold_use *uses; /* [n_uses] for single parameters; the last that names one decides */
    uint32_t n_uses;
    uint32_t end_canary;
} gsp_hold_desc;

/* A parameter, with the stages that hold it: held[begin .. end), ascending. */
typedef struct gsp_hold_param {
    gsp_string target;
    gsp_node node;        /* the first get_attr of it in the input */
    uint32_t first;       /* the first parameter in the same storage (`storage=`): this one, or one
                           * before it, whose other name this is */
    uint32_t transmitted; /* 1: several stages use it, the one that holds it returns it */
    uint32_t begin;
    uint32_t end;
} gsp_hold_param;

/* What several stages hold, and a trainer has to keep equal: stages held[begin .. end). */
typedef struct gsp_hold_copy {
    gsp_string target; /* of a storage: the first of its names */
    gsp_node node;     /* its first get_attr or call in the input */
    uint32_t begin;
    uint32_t end;
} gsp_hold_copy;

typedef struct gsp_hold_result {
    uint32_t n_nodes;
    uint32_t n_stages;
    uint32_t n_params;
    uint32_t n_replicated;
    uint32_t n_shared;
    uint32_t n_held;
    const uint32_t *stage_of;        /* [n] stages without holes, 0 .. n_stages - 1 */
    const gsp_node *kept;            /* [n] of a get_attr the first of its target, else the node */
    const uint32_t *home;            /* [n] stage that returns a value if others read it: of a
                                      * callable node its own, of a transmitted parameter the one
                                      * that holds it; GSP_NONE: all others */
    const uint32_t *begin;           /* [n_stages + 1] into nodes */
    const gsp_node *nodes;           /* callable nodes by stage, in graph order */
    const uint32_t *own_begin;       /* [n_stages + 1] into own */
    const gsp_node *own;             /* get_attr nodes by stage, in graph order */
    const gsp_hold_param *params;    /* [n_params] in graph order; unread ones are none */
    const gsp_hold_copy *replicated; /* [n_replicated] storages that several stages hold */
    const gsp_hold_copy *shared;     /* [n_shared] modules that several stages call, but those
                                      * whose first call says `params=0` */
    const uint32_t *held;            /* [n_held] stages, for all three */
} gsp_hold_result;

/* gsp_hold_bound: bytes for gsp_hold_run(). Data-independent. SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_hold_bound(const gsp_counts *counts, const gsp_hold_desc *desc);

/* gsp_hold_run: which stages hold which parameters, and which of them several stages hold.
 *
 * What:      Attributes of one target are one. A parameter that several stages read is held by all
 *            of them, or by the first, which transmits it. An attribute that names a child graph is
 *            held like a parameter, and is none. What the root returns alone no stage holds.
 * Errors:    ARG (details MULTI_USE and PARAMETER: node = the entry, GSP_NONE: the default; STAGE:
 *            node reads other, which has no stage, or its own is n or more; STAGE_ORDER: node reads
 *            other, which has a later stage; WRITTEN: node writes the parameter that other reads,
 *            of which several stages would have copies), DESC, NOMEM (need), OVERFLOW; on error
 *            the arena is unchanged
 * Time:      O(nodes + edges + args + strings), whatever the number of stages
 * Memory:    gsp_hold_bound()
 * Stack:     < 1024 bytes with all callees on 64 bit
 * Order:     graph order
 * Threads:   reentrant
 * Example:   examples/pipeline.c
 * See:       torch.distributed.pipelining, _IR
 */
GSP_API gsp_status gsp_hold_run(gsp_arena *arena, const gsp_graph *graph, const gsp_hold_desc *desc,
                                gsp_hold_result *result, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>pipe   Stages of a pipeline as a module                                                  (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

typedef struct gsp_pipe_desc {
    uint32_t start_canary;
    uint32_t keep_targets; /* 1: called modules keep their dotted target; 0: `a.b` is called as
                            * `a_b`, as split_module does it */
    gsp_hold_desc hold;    /* stages and parameters */
    uint32_t end_canary;
} gsp_pipe_desc;

typedef struct gsp_pipe_result {
    gsp_module module; /* the root, a graph a stage, the child graphs that they use; strings of the
                        * input have kept their ids */
    uint32_t n_stages; /* stage i is graph 1 + i */
    const uint32_t *stage_of; /* [n] stage of a callable node, GSP_NONE: others */
    const gsp_node *node_of;  /* [n] its id in the graph of its stage */
    const gsp_node *call;     /* [n_stages] in the root; it has `stage=` */
    gsp_hold_result hold;
} gsp_pipe_result;

/* gsp_pipe_bound: bytes for gsp_pipe_run(). `counts` are those of the whole module,
 * `module.counts`. Data-independent. SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_pipe_bound(const gsp_counts *counts, const gsp_pipe_desc *desc);

/* gsp_pipe_run: a module with one graph a stage, and a root that calls them one after the other.
 *
 * What:      Parameters move into the stages that hold them (see gsp_hold_run()), behind the
 *            placeholders, in graph order; those that the root returns stay there too. A stage
 *            returns its values in order of their first reading outside, then the parameters that
 *            it transmits, in graph order: one value bare, several as a tuple, none as `()`.
 *            Readers take them straight from the root. Stages are `submod_0`, ...; a name that a
 *            called module has gets the next free number.
 * Errors:    those of gsp_hold_run(), DAMAGED; on error the arena is unchanged
 * Time:      O(nodes + edges + args + strings), whatever the number of stages
 * Memory:    gsp_pipe_bound()
 * Stack:     < 2048 bytes with all callees on 64 bit
 * Order:     deterministic, no hashing decides anything
 * Threads:   reentrant
 * Example:   examples/pipeline.c
 * See:       torch.distributed.pipelining, _IR
 */
GSP_API gsp_status gsp_pipe_run(gsp_arena *arena, const gsp_graph *graph, const gsp_pipe_desc *desc,
                                gsp_pipe_result *result, gsp_error *err);

/* gsp_pipe_stage: the graph of a stage. Errors: ARG (detail STAGE_INDEX: need = the index, limit =
 * the number of stages). Memory: none. Time: O(1). */
GSP_API gsp_status gsp_pipe_stage(const gsp_pipe_result *result, uint32_t stage, gsp_graph *graph,
                                  gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>backward   Gradients through the stages                                                  (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

/* How the loss is found in what the root returns. */
typedef enum gsp_loss {
    GSP_LOSS_OUTPUT, /* the value of this index in a returned tuple or list; 0 of anything else */
    GSP_LOSS_KEY,    /* the value under the key `loss` of a returned dict */
    GSP_LOSS_SPEC,   /* a value of the same shape as the returned one, True at the loss, False
                      * elsewhere: "(False, {'loss': True, 'x': False})"; a tuple may stand for a
                      * list; keys in the order of the dict; of several True the first counts */
    GSP_LOSS_COUNT,
    GSP_LOSS_FORCE_U32 = 0x7FFFFFFF
} gsp_loss;

typedef struct gsp_backward_desc {
    uint32_t start_canary;
    uint32_t loss;   /* gsp_loss */
    uint32_t output; /* OUTPUT: the index */
    gsp_text spec;   /* SPEC */
    uint32_t end_canary;
} gsp_backward_desc;

typedef struct gsp_backward_result {
    gsp_module module; /* the input, the root with calls of stage_backward before its output; nodes
                        * and graphs keep their ids, but for the output of the root */
    uint32_t n_stages;
    gsp_node loss;           /* the value of the root that is the loss */
    const gsp_node *call;    /* [n_stages] stage_backward of a stage; GSP_NONE: it is not needed */
    const gsp_node *grad_of; /* [nodes of the input's root] the gradient that later stages hand back
                              * for a value, of a placeholder that of the first stage that reads it;
                              * GSP_NONE: none */
} gsp_backward_result;

#define GSP_BACKWARD_STAGE "torch.distributed.pipelining._backward.stage_backward"
#define GSP_BACKWARD_ADD   "torch.distributed.pipelining._backward._null_coalesce_accumulate"

/* gsp_backward_bound: bytes for gsp_backward_run(). `module` are the counts of `pipe->module`,
 * `root` those of its root. Data-independent. SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_backward_bound(const gsp_counts *module, const gsp_counts *root);

/* gsp_backward_run: the root of a pipeline with its backward part.
 *
 * What:      For the stages that the loss depends on, last first: GSP_BACKWARD_STAGE(stage_output =
 *            (values), output_grads = (their gradients, None where there is none), input_values =
 *            [inputs], outputs_with_grads_idxs = [which values lead to the loss]), and for every
 *            input a getitem: its gradient. A value that several stages read gets the gradients
 *            added by GSP_BACKWARD_ADD; those of placeholders are never added.
 * In:        desc      NULL: the first returned value is the loss
 * Errors:    ARG (details LOSS_INDEX: need = index, limit = number of values; LOSS_KEY; LOSS_VALUE:
 *            the loss is no node; LOSS_SPEC: column = where in the spec; LOSS_NONE: it has no
 *            True), DESC, NOMEM (need), OVERFLOW, DAMAGED; on error the arena is unchanged
 * Time:      O(nodes + edges + args + strings)
 * Memory:    gsp_backward_bound()
 * Stack:     < 2048 bytes with all callees on 64 bit
 * Order:     deterministic
 * Threads:   reentrant
 * Example:   examples/pipeline.c
 * See:       torch.distributed.pipelining, _insert_stage_symbolic_backward
 */
GSP_API gsp_status gsp_backward_run(gsp_arena *arena, const gsp_pipe_result *pipe,
                                    const gsp_backward_desc *desc, gsp_backward_result *result,
                                    gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>move   Stages on devices of their own, and alone                                         (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

typedef struct gsp_move_device {
    uint32_t stage;
    gsp_text device; /* as it is spelled in arguments: "cuda:1" */
} gsp_move_device;

typedef struct gsp_move_desc {
    uint32_t start_canary;
    uint32_t n_stages;              /* stage i is graph 1 + i */
    const gsp_move_device *devices; /* [n_devices] the last that names a stage decides */
    uint32_t n_devices;
    uint32_t end_canary;
} gsp_move_desc;

/* gsp_move_bound: bytes for gsp_move_run(). Data-independent. SIZE_MAX: too much. Time:
 * O(n_devices). */
GSP_API size_t gsp_move_bound(const gsp_counts *counts, const gsp_move_desc *desc);

/* gsp_move_run: the module of a pipeline with other devices.
 *
 * What:      In a stage that has a device every call_function with a keyword argument `device` gets
 *            it in its place, whatever stood there; so in the child graphs that the stage uses. A
 *            child graph that stages of different devices use becomes one graph a device, the
 *            further ones under the next free number. Nothing else changes, no id either.
 * In:        input     a module of gsp_pipe_run() or gsp_backward_run()
 * Errors:    ARG (details STAGE_INDEX, DEVICE: node = the entry), DESC, NOMEM (need), OVERFLOW,
 *            DAMAGED; on error the arena is unchanged
 * Time:      O(module * (1 + different devices)), O(module) without child graphs
 * Memory:    gsp_move_bound()
 * Stack:     < 2048 bytes with all callees on 64 bit
 * Order:     deterministic
 * Threads:   reentrant
 * Example:   examples/pipeline.c
 * See:       torch.distributed.pipelining, _modify_graph_op_device
 */
GSP_API gsp_status gsp_move_run(gsp_arena *arena, const gsp_module *input,
                                const gsp_move_desc *desc, gsp_module *result, gsp_error *err);

/* gsp_alone_bound: bytes for gsp_alone_run(). SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_alone_bound(const gsp_counts *counts);

/* gsp_alone_run: one graph of a module as a module of its own, with the child graphs that it uses:
 * what one machine of a pipeline has to be sent. Written as text and read back it is the same.
 *
 * Errors:    ARG (detail STAGE_INDEX: no graph of this index), NOMEM (need), OVERFLOW, DAMAGED; on
 *            error the arena is unchanged
 * Time:      O(module)
 * Memory:    gsp_alone_bound()
 */
GSP_API gsp_status gsp_alone_run(gsp_arena *arena, const gsp_module *input, uint32_t graph,
                                 gsp_module *result, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>schedule   The order of work of a pipeline                                               (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

typedef enum gsp_schedule_kind {
    GSP_SCHEDULE_GPIPE,       /* all microbatches forward, then all backward */
    GSP_SCHEDULE_1F1B,        /* one forward, one backward in turn: fewer microbatches are kept */
    GSP_SCHEDULE_INTERLEAVED, /* the same with several stages a device: shorter bubbles */
    GSP_SCHEDULE_COUNT,
    GSP_SCHEDULE_FORCE_U32 = 0x7FFFFFFF
} gsp_schedule_kind;

typedef struct gsp_schedule_desc {
    uint32_t start_canary;
    uint32_t kind;            /* gsp_schedule_kind */
    uint32_t n_devices;       /* 0: 1 */
    uint32_t n_chunks;        /* INTERLEAVED: stages a device, 0: 2; the others: 1 */
    uint32_t n_microbatches;  /* 0: 1 */
    uint32_t inference;       /* 1: no backward */
    const uint64_t *forward;  /* [stages] ticks of a microbatch; NULL: 1 each */
    const uint64_t *backward; /* [stages] NULL: twice the forward ticks */
    const uint64_t *move;     /* [stages] ticks on the way to the next stage, and of the gradient on
                               * the way back; NULL: 0 each */
    const uint64_t *stash;    /* [stages] bytes of a microbatch from its forward to its backward;
                               * NULL: 0 each */
    const uint64_t *resident; /* [stages] bytes that are always there; NULL: 0 each */
    uint32_t end_canary;
} gsp_schedule_desc;

/* A stage works on a microbatch. */
typedef struct gsp_task {
    uint32_t stage;
    uint32_t microbatch;
    uint32_t backward; /* 0: forward */
    uint32_t device;
    uint64_t begin; /* ticks from the start */
    uint64_t end;
} gsp_task;

/* All arrays are read-only and lie at the low end of the arena. */
typedef struct gsp_schedule_result {
    uint32_t n_devices;
    uint32_t n_stages; /* devices * chunks; stage s on device s % n_devices */
    uint32_t n_tasks;
    uint32_t bubble;            /* idle share of all devices until the end, in millionths */
    uint64_t span;              /* ticks until the last task ends */
    const uint32_t *task_begin; /* [n_devices + 1] into tasks */
    const gsp_task *tasks;      /* of a device in the order in which it does them */
    const uint64_t *busy;       /* [n_devices] ticks */
    const uint64_t *peak;       /* [n_devices] greatest bytes at any time */
    const uint32_t *held;       /* [n_stages] greatest number of microbatches that it keeps */
} gsp_schedule_result;

/* gsp_schedule_resolve: the desc with all defaults filled in (desc NULL: all defaults). Time:
 * O(1). */
GSP_API gsp_schedule_desc gsp_schedule_resolve(const gsp_schedule_desc *desc);

/* gsp_schedule_bound: bytes for gsp_schedule_run(): 80 a stage and microbatch, 40 a device, 4 a
 * stage, and padding. SIZE_MAX: too much. Time: O(1). */
GSP_API size_t gsp_schedule_bound(const gsp_schedule_desc *desc);

/* gsp_schedule_run: what every device of a pipeline does, and when.
 *
 * What:      The order of a device is fixed by the kind: GPIPE all forward, then all backward;
 *            1F1B first as many forward as there are devices behind it, then one backward and one
 *            forward in turn; INTERLEAVED microbatches in rounds of about n_devices, each round
 *            through all stages of the device, and (chunks - 1) rounds and twice the devices behind
 *            it ahead. Every task begins as soon as its device is free and what it reads is there.
 * Out:       result    tasks with their times
 * Errors:    ARG (detail NULL_ARGUMENT: arena, result), DESC, NOMEM (need), OVERFLOW (detail SIZE:
 *            ticks or bytes exceed 63 bits; TOO_MANY); on error the arena is unchanged
 * Time:      O(tasks + devices)
 * Memory:    gsp_schedule_bound(); of which 64 a stage and microbatch stay
 * Stack:     < 1024 bytes with all callees on 64 bit, no recursion
 * Order:     integers only; same input, same bytes, on every machine
 * Threads:   reentrant; arena and outputs must not be shared
 * Example:   examples/pipeline_plan.c
 * See:       Huang et al. 2019 (GPipe); Narayanan et al. 2021 (interleaved 1F1B)
 */
GSP_API gsp_status gsp_schedule_run(gsp_arena *arena, const gsp_schedule_desc *desc,
                                    gsp_schedule_result *result, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>draw   Pictures as Graphviz text                                                         (API)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DRAW

/* Colours: AliceBlue for what is not placed, chartreuse1 for what an accelerator supports, crimson
 * for what none does. A parameter is drawn only where it is returned; the label of its reader says
 * how many bytes of parameters it reads. */
typedef struct gsp_draw_desc {
    uint32_t start_canary;
    uint32_t n_clusters;           /* frames around nodes; 0: none */
    const char *title;             /* above the picture; NULL: none */
    const char *attributes;        /* more attributes of the drawing, "rankdir=LR, "; NULL: none */
    const uint8_t *kind;           /* [n] kinds of nodes: colour by support; NULL: white */
    const uint32_t *cluster_of;    /* [n] frame of a node, GSP_NONE: none */
    const uint32_t *cluster_begin; /* [n_clusters + 1] into cluster_nodes */
    const gsp_node *cluster_nodes; /* nodes of the frames, each in one at most */
    const gsp_text *cluster_names; /* [n_clusters] */
    const uint8_t *cluster_kind;   /* [n_clusters] colours them; NULL: grey */
    uint32_t end_canary;
} gsp_draw_desc;

/* gsp_draw_fill: the colour of frames of a kind, "#cfeccf", for pictures beside these. Time: O(1).
 */
GSP_API const char *gsp_draw_fill(uint32_t kind);

/* gsp_draw_graph: one graph for Graphviz: a box a callable node with name, operator and type; thick
 * edges leave or enter a frame.
 *
 * In:        desc      NULL: no colours, no frames
 * Errors:    ARG (frames without arrays; detail RANGE: node stands in a frame and in no graph),
 *            DESC, LIMIT (the sink asked to stop)
 * Time:      O(nodes + edges + bytes written)
 * Memory:    none
 * See:       torch.fx graph_drawer; the DOT language
 */
GSP_API gsp_status gsp_draw_graph(const gsp_graph *graph, const gsp_draw_desc *desc, gsp_sink sink,
                                  void *user, gsp_error *err);

typedef struct gsp_draw_module_desc {
    uint32_t start_canary;
    const char *title;   /* above the picture; NULL: none */
    const uint8_t *kind; /* [graphs] colours the frames; GSP_KIND_NONE: grey; NULL: all grey */
    uint32_t end_canary;
} gsp_draw_module_desc;

/* gsp_draw_bound: bytes for gsp_draw_module() on a module of these counts: 16 a graph and 400.
 * Time: O(1). */
GSP_API size_t gsp_draw_bound(const gsp_counts *counts);

/* gsp_draw_module: a module for Graphviz, with a frame a child graph.
 *
 * What:      A graph that is called once is drawn in the place of its call, in the frame of its
 *            caller; its inputs are tied to the arguments. A graph that is called several times is
 *            drawn once, and dashed edges lead from the calls to it; so is one that nobody calls.
 *            A call is call_module of a graph's name, or a function whose first argument is a
 *            get_attr of it (invoke_subgraph).
 * In:        desc      NULL: defaults
 * Errors:    ARG, DESC, NOMEM, LIMIT (the sink asked to stop)
 * Time:      O(nodes + edges + args + bytes written), and a search by name a call
 * Memory:    gsp_draw_bound(), nothing stays; no recursion, however deep the graphs are nested
 */
GSP_API gsp_status gsp_draw_module(gsp_arena *arena, const gsp_module *module,
                                   const gsp_draw_module_desc *desc, gsp_sink sink, void *user,
                                   gsp_error *err);
#endif

#ifdef __cplusplus
}
#endif

/* -------------------------------------------------------------------------------------------------
 * Only the API? Stop here.
 * ---------------------------------------------------------------------------------------------- */
#endif /* GRAPHSPLIT_H_INCLUDED */

/* -------------------------------------------------------------------------------------------------
 * >>impl   Implementation guard, leaf macros, assertions
 * ---------------------------------------------------------------------------------------------- */
#ifdef GRAPHSPLIT_IMPLEMENTATION
#ifndef GRAPHSPLIT_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_END        _Pragma("GCC diagnostic pop")
#define GSPI_LEAF(name) __builtin_##name
#define GSPI_OWN_FRAME  __attribute__((noinline)) static /* keeps its stack out of its caller's */
#else
#include <string.h>
#define GSPI_BEGIN
#define GSPI_END
#define GSPI_LEAF(name) name
#define GSPI_OWN_FRAME  static
#endif

#if !defined(GSP_NO_BUILTINS) && defined(__POPCNT__)
#define GSPI_POPCOUNT __builtin_popcount
#endif

#ifndef GSP_MEMCPY
#define GSP_MEMCPY GSPI_LEAF(memcpy)
#endif
#ifndef GSP_MEMSET
#define GSP_MEMSET GSPI_LEAF(memset)
#endif
#ifndef GSP_MEMCMP
#define GSP_MEMCMP GSPI_LEAF(memcmp)
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L
#define GSPI_STATIC_ASSERT(cond, name) static_assert(cond, #name)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define GSPI_STATIC_ASSERT(cond, name) _Static_assert(cond, #name)
#else
#define GSPI_STATIC_ASSERT(cond, name) enum { gspi_assert_##name = 1 / ((cond) ? 1 : 0) }
#endif

GSPI_STATIC_ASSERT(SIZE_MAX >= UINT32_MAX, graphsplit_needs_a_size_t_of_32_bits);
GSPI_STATIC_ASSERT((unsigned char)-1 == 255, graphsplit_needs_bytes_of_8_bits);

/* Which sections use a function of the toolkit is a matter of switches. */
GSPI_BEGIN

/* Leave the function with the status of `expr` unless it is OK. */
#define GSPI_TRY(expr)                          \
    do {                                        \
        gsp_status const gspi_status_ = (expr); \
        if (gspi_status_ != GSP_OK) {           \
            return gspi_status_;                \
        }                                       \
    } while (0)

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------------------
 * >>k.fail   Filling in error details
 * ---------------------------------------------------------------------------------------------- */

static gsp_status gspi_fail_at(gsp_error *err, gsp_status status, gsp_detail detail, uint32_t node,
                               uint32_t other)
{
    if (err != NULL) {
        err->status = status;
        err->detail = detail;
        err->node = node;
        err->other = other;
        err->line = 0u;
        err->column = 0u;
        err->need = 0u;
        err->limit = 0u;
    }
    return status;
}

static gsp_status gspi_fail(gsp_error *err, gsp_status status, gsp_detail detail)
{
    return gspi_fail_at(err, status, detail, GSP_NONE, GSP_NONE);
}

static gsp_status gspi_fail_amount(gsp_error *err, gsp_status status, gsp_detail detail,
                                   uint64_t need, uint64_t limit)
{
    (void)gspi_fail(err, status, detail);
    if (err != NULL) {
        err->need = need;
        err->limit = limit;
    }
    return status;
}

static gsp_status gspi_done(gsp_error *err)
{
    return gspi_fail(err, GSP_OK, GSP_DETAIL_NONE);
}

/* -------------------------------------------------------------------------------------------------
 * >>k.math   Checked sizes
 * ---------------------------------------------------------------------------------------------- */

/* a * b + c, or SIZE_MAX when that does not fit: SIZE_MAX is what every bound says for "too
 * much". */
static size_t gspi_mul_add(size_t a, size_t b, size_t c)
{
    if (b != 0u && a > SIZE_MAX / b) {
        return SIZE_MAX;
    }
    return a * b > SIZE_MAX - c ? SIZE_MAX : a * b + c;
}

static size_t gspi_add(size_t a, size_t b)
{
    return gspi_mul_add(a, 1u, b);
}

static size_t gspi_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Sums of 64-bit sizes; UINT64_MAX stands for "too much". */
static uint64_t gspi_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t gspi_times(uint64_t a, uint64_t b)
{
    return b != 0u && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Sums of 32-bit counts; UINT32_MAX, which no count may reach, stands for "too many". */
static uint32_t gspi_count_add(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static uint32_t gspi_count_mul(uint32_t a, uint32_t b)
{
    uint64_t const product = (uint64_t)a * b;
    return product > UINT32_MAX ? UINT32_MAX : (uint32_t)product;
}

/* -------------------------------------------------------------------------------------------------
 * >>k.bump   One layout for bound and run
 * ---------------------------------------------------------------------------------------------- */

static void *gspi_arena_take(gsp_arena *a, size_t count, size_t size, int high)
{
    size_t const bytes = gspi_mul_add(count, size, 0u);
    size_t const left = a->size - a->low - a->high;
    unsigned char *p;
    size_t pad;
    if (a->base == NULL || bytes > left) {
        return NULL;
    }
    p = a->base + (high ? a->size - a->high - bytes : a->low);
    pad = (size_t)((high ? (uintptr_t)p : (uintptr_t)0u - (uintptr_t)p) & (GSP_ALIGN - 1u));
    if (pad > left - bytes) {
        return NULL;
    }
    a->high += high ? bytes + pad : 0u;
    a->low += high ? 0u : bytes + pad;
    a->touched = gspi_max(a->touched, a->low + a->high);
    return high ? p - pad : p + pad;
}

/* A layout function pushes the arrays of a pass in order. With no arena it only measures. */
typedef struct gspi_bump {
    gsp_arena *arena;
    size_t used; /* SIZE_MAX: too much */
} gspi_bump;

static gspi_bump gspi_bump_over(gsp_arena *arena)
{
    gspi_bump b;
    b.arena = arena;
    b.used = 0u;
    return b;
}

static void *gspi_bump_push(gspi_bump *b, size_t count, size_t size, int high)
{
    size_t bytes = gspi_mul_add(count, size, GSP_ALIGN - 1u);
    if (bytes != SIZE_MAX) {
        bytes &= ~((size_t)GSP_ALIGN - 1u);
    }
    b->used = gspi_add(b->used, bytes);
    return b->arena == NULL ? NULL : gspi_arena_take(b->arena, count, size, high);
}

#define GSPI_LOW(bump, T, count)  ((T *)gspi_bump_push((bump), (count), sizeof(T), 0))
#define GSPI_HIGH(bump, T, count) ((T *)gspi_bump_push((bump), (count), sizeof(T), 1))

/* What any start address needs beyond the arrays: padding once at either end. */
#define GSPI_SLACK GSP_BOUND_SLACK

/* Whether `bound` bytes are left. Looks at the count alone, not at the alignment that happens to be
 * there, so that the same call gives the same answer at every address. */
static gsp_status gspi_room(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    size_t const left = arena->size - arena->low - arena->high;
    if (bound == SIZE_MAX) {
        return gspi_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY);
    }
    if (left < bound) {
        return gspi_fail_amount(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, bound, left);
    }
    return GSP_OK;
}

/* -------------------------------------------------------------------------------------------------
 * >>k.bits   Words
 * ---------------------------------------------------------------------------------------------- */

static uint32_t gspi_popcount(uint32_t x)
{
#ifdef GSPI_POPCOUNT
    return (uint32_t)GSPI_POPCOUNT(x);
#else
    x -= (x >> 1) & 0x55555555u;
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0Fu;
    return (x * 0x01010101u) >> 24;
#endif
}

/* Index of the lowest set bit; x != 0. */
static uint32_t gspi_lowest(uint32_t x)
{
    return gspi_popcount((x & (0u - x)) - 1u);
}

/* The least power of two >= x, at least 2; 0 when that is 2^32. */
static uint32_t gspi_pow2(uint32_t x)
{
    uint32_t p = 2u;
    while (p != 0u && p < x) {
        p <<= 1;
    }
    return p;
}

/* -------------------------------------------------------------------------------------------------
 * >>k.hash   Bytes: hashing, comparing, copying
 * ---------------------------------------------------------------------------------------------- */

/* Picks a slot of a table and never decides an output, so it may differ between machines. */
static uint32_t gspi_hash(const char *data, size_t size, uint32_t seed)
{
    uint32_t h = seed ^ (uint32_t)size;
    while (size >= 4u) {
        uint32_t word;
        GSP_MEMCPY(&word, data, 4u);
        h = (h ^ word) * 0x9E3779B1u;
        h ^= h >> 15;
        data += 4;
        size -= 4u;
    }
    while (size > 0u) {
        h = (h ^ (unsigned char)*data) * 0x85EBCA6Bu;
        h ^= h >> 13;
        data++;
        size--;
    }
    h *= 0xC2B2AE35u;
    return h ^ (h >> 16);
}

static int gspi_same(const void *a, const void *b, size_t size)
{
    return size == 0u || GSP_MEMCMP(a, b, size) == 0;
}

static void gspi_copy(void *to, const void *from, size_t count, size_t size)
{
    if (count != 0u) {
        GSP_MEMCPY(to, from, count * size);
    }
}

static void gspi_set(void *to, int byte, size_t count, size_t size)
{
    if (count != 0u) {
        GSP_MEMSET(to, byte, count * size);
    }
}

/* -------------------------------------------------------------------------------------------------
 * >>k.sort   Sorting ids by a key
 * ---------------------------------------------------------------------------------------------- */

static int gspi_less(uint32_t a, uint32_t b, const uint64_t *key)
{
    return key[a] < key[b] || (key[a] == key[b] && a < b);
}

static void gspi_sift(uint32_t *ids, uint32_t root, uint32_t end, const uint64_t *key)
{
    uint32_t const id = ids[root];
    while (root < end / 2u) {
        uint32_t child = 2u * root + 1u;
        if (child + 1u < end && gspi_less(ids[child], ids[child + 1u], key)) {
            child++;
        }
        if (!gspi_less(id, ids[child], key)) {
            break;
        }
        ids[root] = ids[child];
        root = child;
    }
    ids[root] = id;
}

/* Heapsort: ascending by key, ties by id. No recursion, no memory, no bad case. */
static void gspi_sort(uint32_t *ids, uint32_t n, const uint64_t *key)
{
    uint32_t i;
    for (i = n / 2u; i > 0u; i--) {
        gspi_sift(ids, i - 1u, n, key);
    }
    for (i = n; i > 1u; i--) {
        uint32_t const top = ids[0];
        ids[0] = ids[i - 1u];
        ids[i - 1u] = top;
        gspi_sift(ids, 0u, i - 1u, key);
    }
}

/* First half of a counting sort: count[0 .. n) become the ends of the rows, count[n] their sum.
 * Filling every row from behind by row[--count[i]] turns the ends into starts. */
static void gspi_counts_to_ends(uint32_t *count, uint32_t n)
{
    uint32_t sum = 0u;
    uint32_t i;
    for (i = 0u; i < n; i++) {
        sum += count[i];
        count[i] = sum;
    }
    count[n] = sum;
}

/* -------------------------------------------------------------------------------------------------
 * >>k.chars   Classes of bytes, pieces of text, numbers as text
 * ---------------------------------------------------------------------------------------------- */

static int gspi_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of a node name: [0-9A-Za-z_] and everything outside ASCII. */
static int gspi_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || gspi_is_digit(c) || c == '_' ||
           (unsigned char)c >= 0x80u;
}

static int gspi_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int gspi_is_open(char c)
{
    return c == '(' || c == '[' || c == '{';
}

static int gspi_is_close(char c)
{
    return c == ')' || c == ']' || c == '}';
}

static gsp_text gspi_slice(const char *data, size_t begin, size_t end)
{
    gsp_text t;
    t.data = data + begin;
    t.size = (uint32_t)(end - begin);
    return t;
}

/* Without blanks at either end. */
static gsp_text gspi_trim(gsp_text t)
{
    while (t.size > 0u && gspi_is_blank(t.data[t.size - 1u])) {
        t.size--;
    }
    while (t.size > 0u && gspi_is_blank(t.data[0])) {
        t.data++;
        t.size--;
    }
    return t;
}

/* 1 when `literal` stands in the text at `at`. */
static int gspi_at(gsp_text t, size_t at, const char *literal)
{
    size_t i;
    for (i = 0u; literal[i] != '\0'; i++) {
        if (at + i >= t.size || t.data[at + i] != literal[i]) {
            return 0;
        }
    }
    return 1;
}

static uint32_t gspi_skip_blanks(gsp_text t, uint32_t at)
{
    while (at < t.size && gspi_is_blank(t.data[at])) {
        at++;
    }
    return at;
}

static uint32_t gspi_skip_name(gsp_text t, uint32_t at)
{
    while (at < t.size && gspi_is_name(t.data[at])) {
        at++;
    }
    return at;
}

/* Line ends and NUL bytes stand in no part of a text. */
static int gspi_is_one_line(gsp_text t)
{
    uint32_t i;
    for (i = 0u; i < t.size; i++) {
        if (t.data[i] == '\n' || t.data[i] == '\r' || t.data[i] == '\0') {
            return 0;
        }
    }
    return 1;
}

/* Where a target ends: that of a call before "](args", any other before an unmatched ']'. */
static uint32_t gspi_target_end(gsp_text t, int call)
{
    uint32_t depth = 0u;
    uint32_t i;
    for (i = 0u; i < t.size; i++) {
        if (call ? gspi_at(t, i, "](args") : t.data[i] == ']' && depth == 0u) {
            break;
        }
        depth += t.data[i] == '[' ? 1u : 0u;
        depth -= t.data[i] == ']' && depth > 0u ? 1u : 0u;
    }
    return call || depth == 0u ? i : GSP_NONE;
}

/* A decimal of only digits, within 64 bits. */
static int gspi_number(gsp_text text, uint64_t *value)
{
    uint64_t n = 0u;
    uint32_t i;
    for (i = 0u; i < text.size; i++) {
        uint64_t const digit = (uint64_t)(text.data[i] - '0');
        if (!gspi_is_digit(text.data[i]) || n > (UINT64_MAX - digit) / 10u) {
            return 0;
        }
        n = n * 10u + digit;
    }
    if (text.size == 0u) {
        return 0;
    }
    *value = n;
    return 1;
}

/* Writes a decimal and returns its length; `out` has room for 20 bytes. */
static uint32_t gspi_decimal(uint64_t value, char *out)
{
    char reversed[20];
    uint32_t n = 0u;
    uint32_t i;
    do {
        reversed[n++] = (char)('0' + (int)(value % 10u));
        value /= 10u;
    } while (value != 0u);
    for (i = 0u; i < n; i++) {
        out[i] = reversed[n - 1u - i];
    }
    return n;
}

/* Splits "base_12" into base and 12; without a suffix the base is all and the number 0. */
static uint32_t gspi_name_suffix(gsp_text name, uint32_t *base)
{
    uint64_t number = 0u;
    uint32_t i = name.size;
    while (i > 0u && gspi_is_digit(name.data[i - 1u])) {
        i--;
    }
    *base = name.size;
    if (i == name.size || i < 2u || name.data[i - 1u] != '_' || name.size - i > 9u) {
        return 0u;
    }
    *base = i - 1u;
    (void)gspi_number(gspi_slice(name.data, i, name.size), &number);
    return (uint32_t)number;
}

/* -------------------------------------------------------------------------------------------------
 * >>k.place   Placements
 * ---------------------------------------------------------------------------------------------- */

static int gspi_is_callable(uint8_t op)
{
    return op >= (uint8_t)GSP_OP_CALL_FUNCTION && op <= (uint8_t)GSP_OP_CALL_MODULE;
}

/* Every callable node has a kind below n_kinds, all others none; groups are of callable nodes. */
static gsp_status gspi_check_placement(const gsp_graph *g, const gsp_placement *p, gsp_error *err)
{
    const uint8_t *op = g->module->op + g->first;
    gsp_node v;
    if (p == NULL || p->kind == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (p->n_nodes != g->n_nodes || p->n_kinds == 0u || p->n_kinds > GSP_KIND_NONE) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_KIND);
    }
    for (v = 0u; v < g->n_nodes && !p->trusted; v++) {
        int const callable = gspi_is_callable(op[v]);
        int const grouped = p->group != NULL && p->group[v] != GSP_NONE;
        int const good =
            callable ? p->kind[v] < p->n_kinds : p->kind[v] == GSP_KIND_NONE || p->kind[v] == 0u;
        if (!good || (grouped && (!callable || p->group[v] >= g->n_nodes))) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

static int gspi_on_accelerator(const gsp_placement *p, gsp_node v)
{
    return p->kind[v] != GSP_KIND_CPU && p->kind[v] != GSP_KIND_NONE;
}

static void gspi_give_reason(gsp_placement *p, gsp_node v, gsp_reason reason, gsp_node culprit)
{
    if (p->reason != NULL) {
        p->reason[v] = (uint8_t)reason;
    }
    if (p->culprit != NULL) {
        p->culprit[v] = culprit;
    }
}

/* Links the nodes of every given group into a ring; `last` [n] is scratch. A lone node is its
 * own. */
static void gspi_group_rings(const uint32_t *group, uint32_t n, uint32_t *partner, uint32_t *last)
{
    gsp_node v;
    for (v = 0u; v < n; v++) {
        partner[v] = v;
    }
    if (group == NULL) {
        return;
    }
    gspi_set(last, 0xFF, n, sizeof(uint32_t));
    for (v = 0u; v < n; v++) {
        if (group[v] != GSP_NONE) {
            gsp_node const u = last[group[v]];
            if (u != GSP_NONE) {
                partner[v] = partner[u];
                partner[u] = v;
            }
            last[group[v]] = v;
        }
    }
}

/* A given group of several kinds goes to the CPU before anything else: what reads from it, or hands
 * non-tensor values to it, has to see it there. */
static void gspi_place_groups(gsp_arena *arena, uint32_t n, gsp_placement *p)
{
    size_t const high = arena->high;
    gsp_node *first = (gsp_node *)gspi_arena_take(arena, n, sizeof(gsp_node), 1);
    gsp_node *odd = (gsp_node *)gspi_arena_take(arena, n, sizeof(gsp_node), 1);
    gsp_node v;
    gspi_set(first, 0xFF, n, sizeof(gsp_node));
    gspi_set(odd, 0xFF, n, sizeof(gsp_node));
    for (v = 0u; v < n; v++) {
        uint32_t const group = p->group[v];
        if (group != GSP_NONE) {
            first[group] = first[group] == GSP_NONE ? v : first[group];
            if (p->kind[v] != p->kind[first[group]] && odd[group] == GSP_NONE) {
                odd[group] = v;
            }
        }
    }
    for (v = 0u; v < n; v++) {
        uint32_t const group = p->group[v];
        if (group != GSP_NONE && odd[group] != GSP_NONE && gspi_on_accelerator(p, v)) {
            p->kind[v] = (uint8_t)GSP_KIND_CPU;
            gspi_give_reason(p, v, GSP_REASON_GROUP, v == odd[group] ? first[group] : odd[group]);
        }
    }
    arena->high = high;
}

/* -------------------------------------------------------------------------------------------------
 * >>k.costs   Costs of nodes
 * ---------------------------------------------------------------------------------------------- */

static uint64_t gspi_cost(const uint64_t *costs, gsp_node v)
{
    return costs == NULL ? 0u : costs[v];
}

/* Where the items of a node begin. */
static uint32_t gspi_item(const gsp_costs *costs, gsp_node v)
{
    return costs->item_begin == NULL ? 0u : costs->item_begin[v];
}

/* Microbatches that stage s of n keeps. */
static uint32_t gspi_held(const gsp_stage_model *model, uint32_t s, uint32_t n)
{
    if (model->held != NULL) {
        return model->held[s];
    }
    return n - s < model->microbatches ? n - s : model->microbatches;
}

/* Costs that a caller filled in: of this graph, rows in order, items that exist, no more of them
 * than the bounds count on. */
static gsp_status gspi_check_costs(const gsp_graph *g, const gsp_costs *c, gsp_error *err)
{
    uint32_t const n = g->n_nodes;
    uint64_t const edges = g->module->in_begin[g->first + n] - g->module->in_begin[g->first];
    uint32_t at = 0u;
    gsp_node v;
    if (c->n_nodes != n ||
        (c->item_begin != NULL && (c->item_begin[0] != 0u || c->n_items > n + edges))) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_COSTS);
    }
    for (v = 0u; v < n && c->item_begin != NULL; v++) {
        int good = c->item_begin[v + 1u] >= at && c->item_begin[v + 1u] <= n + edges;
        for (; good && at < c->item_begin[v + 1u]; at++) {
            good = c->items[at] < c->n_items;
        }
        if (!good) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_COSTS, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* -------------------------------------------------------------------------------------------------
 * >>status   Status values and error details                                      (implementation)
 * ---------------------------------------------------------------------------------------------- */

#ifdef GSP_NO_MESSAGES
#define GSPI_MESSAGE(text) ""
#else
#define GSPI_MESSAGE(text) text
#endif

GSP_API const char *gsp_status_name(gsp_status status)
{
    switch ((uint32_t)status) {
#define GSPI_CASE(name, text) \
    case GSP_STATUS_##name:   \
        return #name;
        GSP_STATUS_LIST(GSPI_CASE)
#undef GSPI_CASE
    default:
        return "?";
    }
}

GSP_API const char *gsp_status_text(gsp_status status)
{
    switch ((uint32_t)status) {
#define GSPI_CASE(name, text) \
    case GSP_STATUS_##name:   \
        return GSPI_MESSAGE(text);
        GSP_STATUS_LIST(GSPI_CASE)
#undef GSPI_CASE
    default:
        return "";
    }
}

GSP_API const char *gsp_detail_text(gsp_detail detail)
{
    switch ((uint32_t)detail) {
#define GSPI_CASE(name, text) \
    case GSP_DETAIL_##name:   \
        return GSPI_MESSAGE(text);
        GSP_DETAIL_LIST(GSPI_CASE)
#undef GSPI_CASE
    default:
        return "";
    }
}

/* -------------------------------------------------------------------------------------------------
 * >>memory   Two-ended arena over memory of the caller                            (implementation)
 * ---------------------------------------------------------------------------------------------- */

GSP_API void gsp_arena_init(gsp_arena *arena, void *memory, size_t size)
{
    arena->base = (unsigned char *)memory;
    arena->size = memory == NULL ? 0u : size;
    arena->low = 0u;
    arena->high = 0u;
    arena->touched = 0u;
}

GSP_API size_t gsp_arena_left(const gsp_arena *arena)
{
    return arena->size - arena->low - arena->high;
}

GSP_API gsp_mark gsp_arena_mark(const gsp_arena *arena)
{
    gsp_mark m;
    m.low = arena->low;
    m.high = arena->high;
    return m;
}

GSP_API void gsp_arena_rewind(gsp_arena *arena, gsp_mark mark)
{
    arena->low = mark.low;
    arena->high = mark.high;
}

GSP_API void *gsp_arena_push(gsp_arena *arena, size_t count, size_t size)
{
    return gspi_arena_take(arena, count, size, 0);
}

GSP_API void *gsp_arena_push_high(gsp_arena *arena, size_t count, size_t size)
{
    return gspi_arena_take(arena, count, size, 1);
}

GSP_API void gsp_arena_watch(gsp_arena *arena)
{
    arena->touched = arena->low + arena->high;
}

/* -------------------------------------------------------------------------------------------------
 * >>bitset   Sets of node ids                                                     (implementation)
 * ---------------------------------------------------------------------------------------------- */

GSP_API size_t gsp_bitset_words(uint32_t n)
{
    return (size_t)(n / 32u) + (n % 32u != 0u);
}

GSP_API void gsp_bitset_init(gsp_bitset *set, uint32_t *words, uint32_t n)
{
    set->words = words;
    set->n = n;
    gspi_set(words, 0, gsp_bitset_words(n), sizeof(uint32_t));
}

GSP_API void gsp_bitset_set(gsp_bitset *set, uint32_t id)
{
    if (id < set->n) {
        set->words[id / 32u] |= 1u << (id % 32u);
    }
}

GSP_API void gsp_bitset_clear(gsp_bitset *set, uint32_t id)
{
    if (id < set->n) {
        set->words[id / 32u] &= ~(1u << (id % 32u));
    }
}

GSP_API int gsp_bitset_has(const gsp_bitset *set, uint32_t id)
{
    return id < set->n && ((set->words[id / 32u] >> (id % 32u)) & 1u) != 0u;
}

GSP_API void gsp_bitset_fill(gsp_bitset *set, int all)
{
    size_t const words = gsp_bitset_words(set->n);
    gspi_set(set->words, all ? 0xFF : 0, words, sizeof(uint32_t));
    if (all && set->n % 32u != 0u) {
        set->words[words - 1u] = (1u << (set->n % 32u)) - 1u;
    }
}

GSP_API void gsp_bitset_or(gsp_bitset *a, const gsp_bitset *b)
{
    size_t const words = a->n == b->n ? gsp_bitset_words(a->n) : 0u;
    size_t i;
    for (i = 0u; i < words; i++) {
        a->words[i] |= b->words[i];
    }
}

GSP_API void gsp_bitset_and(gsp_bitset *a, const gsp_bitset *b)
{
    size_t const words = a->n == b->n ? gsp_bitset_words(a->n) : 0u;
    size_t i;
    for (i = 0u; i < words; i++) {
        a->words[i] &= b->words[i];
    }
}

GSP_API void gsp_bitset_andnot(gsp_bitset *a, const gsp_bitset *b)
{
    size_t const words = a->n == b->n ? gsp_bitset_words(a->n) : 0u;
    size_t i;
    for (i = 0u; i < words; i++) {
        a->words[i] &= ~b->words[i];
    }
}

GSP_API int gsp_bitset_equal(const gsp_bitset *a, const gsp_bitset *b)
{
    return a->n == b->n && gspi_same(a->words, b->words, gsp_bitset_words(a->n) * sizeof(uint32_t));
}

GSP_API uint32_t gsp_bitset_count(const gsp_bitset *set)
{
    size_t const words = gsp_bitset_words(set->n);
    uint32_t count = 0u;
    size_t i;
    for (i = 0u; i < words; i++) {
        count += gspi_popcount(set->words[i]);
    }
    return count;
}

GSP_API uint32_t gsp_bitset_next(const gsp_bitset *set, uint32_t from)
{
    size_t const words = gsp_bitset_words(set->n);
    size_t i = from / 32u;
    uint32_t word;
    if (from >= set->n) {
        return GSP_NONE;
    }
    word = set->words[i] & (0xFFFFFFFFu << (from % 32u));
    while (word == 0u && ++i < words) {
        word = set->words[i];
    }
    return word == 0u ? GSP_NONE : (uint32_t)i * 32u + gspi_lowest(word);
}

/* -------------------------------------------------------------------------------------------------
 * >>graph   Modules, graphs, nodes, arguments, annotations                        (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* First bytes of a stored module. `order` reads differently on a machine of the other byte
 * order. */
typedef struct gspi_head {
    uint32_t magic;
    uint32_t order;
    uint32_t version;
    uint32_t n_params;
    uint32_t n_leaves;
    gsp_counts counts;
    uint64_t size;
} gspi_head;

#define GSPI_MAGIC   0x47535031u
#define GSPI_ORDER   0x01020304u
#define GSPI_VERSION 1u

GSPI_STATIC_ASSERT(sizeof(gspi_head) == 56u, the_head_of_a_stored_module_has_no_padding);

/* Points every array of `m` into the block (NULL: only measures) and returns the size of the block.
 * Widest elements first, so that each array is aligned by itself. */
static size_t gspi_block_layout(gsp_module *m, const unsigned char *block)
{
    size_t const n = m->counts.nodes;
    size_t at = sizeof(gspi_head);
#define GSPI_PLACE(field, T, count)                                              \
    do {                                                                         \
        m->field = block == NULL ? NULL : (const T *)(const void *)(block + at); \
        at = gspi_mul_add((count), sizeof(T), at);                               \
    } while (0)
    GSPI_PLACE(bytes, uint64_t, n);
    GSPI_PLACE(graphs, gsp_graph_entry, m->counts.graphs);
    GSPI_PLACE(by_name, uint32_t, m->counts.graphs);
    GSPI_PLACE(name, gsp_string, n);
    GSPI_PLACE(target, gsp_string, n);
    GSPI_PLACE(type, gsp_string, n);
    GSPI_PLACE(attr, uint32_t, n);
    GSPI_PLACE(arg_begin, uint32_t, n + 1u);
    GSPI_PLACE(in_begin, uint32_t, n + 1u);
    GSPI_PLACE(user_begin, uint32_t, n + 1u);
    GSPI_PLACE(inputs, gsp_node, m->counts.edges);
    GSPI_PLACE(users, gsp_node, m->counts.edges);
    GSPI_PLACE(args, gsp_arg, m->counts.args);
    GSPI_PLACE(attrs, gsp_attr, m->counts.attrs);
    GSPI_PLACE(params, gsp_use, m->n_params);
    GSPI_PLACE(leaves, gsp_use, m->n_leaves);
    GSPI_PLACE(string_begin, uint32_t, (size_t)m->counts.strings + 1u);
    GSPI_PLACE(op, uint8_t, n);
    GSPI_PLACE(out, uint8_t, n);
    GSPI_PLACE(flags, uint8_t, n);
    GSPI_PLACE(chars, char, m->counts.bytes);
#undef GSPI_PLACE
    m->block = block;
    m->block_size = at;
    return at;
}

GSP_API gsp_graph gsp_module_graph(const gsp_module *module, uint32_t id)
{
    gsp_graph g;
    g.module = module;
    g.id = id;
    g.first = module->graphs[id].first;
    g.n_nodes = module->graphs[id].n_nodes;
    return g;
}

GSP_API gsp_counts gsp_graph_counts(const gsp_graph *graph)
{
    const gsp_module *m = graph->module;
    uint32_t const end = graph->first + graph->n_nodes;
    gsp_counts c = m->counts;
    c.graphs = 1u;
    c.nodes = graph->n_nodes;
    c.edges = m->in_begin[end] - m->in_begin[graph->first];
    c.args = m->arg_begin[end] - m->arg_begin[graph->first];
    return c;
}

static gsp_text gspi_string(const gsp_module *module, gsp_string s)
{
    if (s >= module->counts.strings) {
        return gspi_slice("", 0u, 0u);
    }
    return gspi_slice(module->chars, module->string_begin[s], module->string_begin[s + 1u]);
}

/* The value of an attribute as an id, GSP_NONE: the node has none of that key. */
static gsp_string gspi_attr(const gsp_graph *graph, gsp_node node, gsp_key key)
{
    const gsp_attr *a = graph->module->attrs + graph->module->attr[graph->first + node];
    while (a->key != (gsp_string)GSP_KEY_NONE && a->key != (gsp_string)key) {
        a++;
    }
    return a->key == (gsp_string)GSP_KEY_NONE ? GSP_NONE : a->value;
}

/* -------------------------------------------------------------------------------------------------
 * >>build   Making a module step by step                                          (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Everything is appended to arrays of the counted size at the high end of the arena; finishing
 * copies what there is into one block at the low end. Strings are interned in an open-addressing
 * table, so that equal names, targets and types are equal ids. A second array, by string id, says
 * which node of the current graph has that name: looking up a name costs one hash. */

static gsp_text gspi_key(uint32_t key)
{
    gsp_text t;
    t.data = "";
    t.size = 0u;
    switch (key) {
#define GSPI_CASE(name, literal)                 \
    case GSP_KEY_##name:                         \
        t.data = literal;                        \
        t.size = (uint32_t)sizeof(literal) - 1u; \
        break;
        GSP_KEY_LIST(GSPI_CASE)
#undef GSPI_CASE
    default:
        break;
    }
    return t;
}

static void gspi_build_fail(gsp_builder *b, gsp_status status, gsp_detail detail)
{
    if (b->error.status == GSP_OK) {
        uint32_t const node =
            b->current == GSP_NONE ? GSP_NONE : b->current - b->graphs[b->used.graphs - 1u].first;
        (void)gspi_fail_at(&b->error, status, detail, node, GSP_NONE);
    }
}

static gsp_counts gspi_counts_grown(gsp_counts c)
{
    uint32_t key;
    c.strings = gspi_count_add(c.strings, (uint32_t)GSP_KEY_COUNT);
    for (key = 0u; key < (uint32_t)GSP_KEY_COUNT; key++) {
        c.bytes = gspi_count_add(c.bytes, gspi_key(key).size);
    }
    return c;
}

GSP_API gsp_counts gsp_build_counts(uint32_t graphs, uint32_t nodes, uint32_t args, uint32_t attrs,
                                    uint32_t strings, uint32_t bytes)
{
    gsp_counts c;
    c.graphs = graphs;
    c.nodes = nodes;
    c.edges = args;
    c.args = args;
    c.attrs = gspi_count_add(gspi_count_add(attrs, nodes), 1u);
    c.strings = strings;
    c.bytes = bytes;
    return gspi_counts_grown(c);
}

static uint32_t gspi_hash_slots(uint32_t strings)
{
    return gspi_pow2(gspi_count_add(strings, strings / 2u));
}

static void gspi_build_layout(gspi_bump *m, gsp_builder *b)
{
    gsp_counts const c = b->cap;
    size_t const strings = (size_t)c.strings + 1u;
    size_t const slots = gspi_hash_slots(c.strings);
    b->made = GSPI_HIGH(m, gsp_module, 1u);
    b->bytes = GSPI_HIGH(m, uint64_t, (size_t)c.nodes + c.graphs);
    b->graphs = GSPI_HIGH(m, gsp_graph_entry, c.graphs);
    b->name = GSPI_HIGH(m, gsp_string, c.nodes);
    b->target = GSPI_HIGH(m, gsp_string, c.nodes);
    b->type = GSPI_HIGH(m, gsp_string, c.nodes);
    b->attr = GSPI_HIGH(m, uint32_t, c.nodes);
    b->arg_begin = GSPI_HIGH(m, uint32_t, (size_t)c.nodes + 1u);
    b->args = GSPI_HIGH(m, gsp_arg, c.args);
    b->attrs = GSPI_HIGH(m, gsp_attr, c.attrs);
    b->string_begin = GSPI_HIGH(m, uint32_t, strings);
    b->op = GSPI_HIGH(m, uint8_t, c.nodes);
    b->out = GSPI_HIGH(m, uint8_t, c.nodes);
    b->flags = GSPI_HIGH(m, uint8_t, c.nodes);
    b->chars = GSPI_HIGH(m, char, c.bytes);
    b->hash = GSPI_HIGH(m, uint32_t, slots);
    b->node_of = GSPI_HIGH(m, uint32_t, strings);
    b->suffix_low = GSPI_HIGH(m, uint32_t, strings);
    b->suffix_high = GSPI_HIGH(m, uint32_t, strings);
    b->suffix_in = GSPI_HIGH(m, uint32_t, strings);
}

/* The block of at most these counts. */
GSPI_OWN_FRAME size_t gspi_block_bound(const gsp_counts *counts)
{
    gsp_module m;
    m.counts = *counts;
    m.n_params = counts->nodes;
    m.n_leaves = counts->nodes;
    return gspi_block_layout(&m, NULL);
}

static int gspi_counts_are_sane(const gsp_counts *c)
{
    return c->graphs < UINT32_MAX && c->nodes < UINT32_MAX && c->edges < UINT32_MAX &&
           c->args < UINT32_MAX && c->attrs < UINT32_MAX && c->strings < 0x40000000u &&
           c->bytes < UINT32_MAX;
}

/* The arrays of a builder; a frame of its own, since it needs one to measure. */
GSPI_OWN_FRAME size_t gspi_build_arrays(const gsp_counts *counts)
{
    gspi_bump m = gspi_bump_over(NULL);
    gsp_builder b;
    b.cap = *counts;
    gspi_build_layout(&m, &b);
    return m.used;
}

GSP_API size_t gsp_build_bound(const gsp_counts *counts)
{
    if (counts == NULL || !gspi_counts_are_sane(counts)) {
        return SIZE_MAX;
    }
    return gspi_add(gspi_add(gspi_build_arrays(counts), gspi_block_bound(counts)),
                    GSPI_SLACK + GSP_ALIGN);
}

static gsp_text gspi_build_text(const gsp_builder *b, gsp_string s)
{
    return gspi_slice(b->chars, b->string_begin[s], b->string_begin[s + 1u]);
}

/* The slot of a string: where it stands, or where it would go. */
static uint32_t gspi_build_slot(const gsp_builder *b, gsp_text text)
{
    uint32_t slot = gspi_hash(text.data, text.size, 0u) & b->hash_mask;
    while (b->hash[slot] != GSP_NONE) {
        gsp_text const other = gspi_build_text(b, b->hash[slot]);
        if (other.size == text.size && gspi_same(other.data, text.data, text.size)) {
            break;
        }
        slot = (slot + 1u) & b->hash_mask;
    }
    return slot;
}

/* Spreads all strings over a table of `slots` (a power of two). It starts small and doubles, so
 * that it stays in the cache for as long as it can: capacity is counted for the worst text. */
static void gspi_build_rehash(gsp_builder *b, uint32_t slots)
{
    gsp_string s;
    b->hash_mask = slots - 1u;
    gspi_set(b->hash, 0xFF, slots, sizeof(uint32_t));
    for (s = 0u; s < b->used.strings; s++) {
        gsp_text const t = gspi_build_text(b, s);
        uint32_t slot = gspi_hash(t.data, t.size, 0u) & b->hash_mask;
        while (b->hash[slot] != GSP_NONE) {
            slot = (slot + 1u) & b->hash_mask;
        }
        b->hash[slot] = s;
    }
}

/* Makes the bytes at the end of `chars` a new string. */
static gsp_string gspi_build_append(gsp_builder *b, uint32_t slot, uint32_t size)
{
    gsp_string const id = b->used.strings++;
    b->used.bytes += size;
    b->string_begin[id + 1u] = b->used.bytes;
    b->node_of[id] = GSP_NONE;
    b->suffix_in[id] = GSP_NONE;
    b->hash[slot] = id;
    if (id > b->hash_mask / 2u && b->hash_mask + 1u < gspi_hash_slots(b->cap.strings)) {
        gspi_build_rehash(b, 2u * (b->hash_mask + 1u));
    }
    return id;
}

GSP_API gsp_string gsp_build_string(gsp_builder *b, gsp_text text)
{
    uint32_t slot;
    if (b->error.status != GSP_OK) {
        return GSP_KEY_NONE;
    }
    slot = gspi_build_slot(b, text);
    if (b->hash[slot] != GSP_NONE) {
        return b->hash[slot];
    }
    if (b->used.strings >= b->cap.strings || text.size > b->cap.bytes - b->used.bytes) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
        return GSP_KEY_NONE;
    }
    gspi_copy(b->chars + b->used.bytes, text.data, text.size, 1u);
    return gspi_build_append(b, slot, text.size);
}

static void gspi_counts_clear(gsp_counts *c)
{
    c->graphs = 0u;
    c->nodes = 0u;
    c->edges = 0u;
    c->args = 0u;
    c->attrs = 0u;
    c->strings = 0u;
    c->bytes = 0u;
}

static void gspi_build_add_attr(gsp_builder *b, gsp_string key, gsp_string value)
{
    if (b->used.attrs >= b->cap.attrs) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
        return;
    }
    b->attrs[b->used.attrs].key = key;
    b->attrs[b->used.attrs].value = value;
    b->used.attrs++;
}

/* What can be wrong before anything is made. */
static gsp_status gspi_build_check(const gsp_arena *arena, const gsp_counts *counts, gsp_error *err)
{
    if (arena == NULL || counts == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (counts->strings < (uint32_t)GSP_KEY_COUNT || counts->attrs == 0u) {
        return gspi_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
    }
    return gspi_room(arena, gsp_build_bound(counts), err);
}

GSP_API gsp_status gsp_build_init(gsp_builder *b, gsp_arena *arena, const gsp_counts *counts,
                                  gsp_error *err)
{
    gspi_bump m = gspi_bump_over(arena);
    uint32_t key;
    if (b == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    (void)gspi_done(&b->error);
    gspi_counts_clear(&b->used);
    b->arena = NULL;
    b->open = 0;
    b->current = GSP_NONE;
    b->container = GSP_NONE;
    b->slice = GSP_NONE;
    if (gspi_build_check(arena, counts, &b->error) == GSP_OK) {
        b->arena = arena;
        b->mark = gsp_arena_mark(arena);
        b->cap = *counts;
        gspi_build_layout(&m, b);
        b->string_begin[0] = 0u;
        gspi_build_rehash(b, gspi_hash_slots((uint32_t)GSP_KEY_COUNT));
        for (key = 0u; key < (uint32_t)GSP_KEY_COUNT; key++) {
            (void)gsp_build_string(b, gspi_key(key));
        }
        gspi_build_add_attr(b, GSP_KEY_NONE, GSP_KEY_NONE);
    }
    if (b->error.status != GSP_OK && b->arena != NULL) {
        gsp_arena_rewind(arena, b->mark);
        b->arena = NULL;
    }
    if (err != NULL) {
        *err = b->error;
    }
    return b->error.status;
}

GSP_API void gsp_build_adopt(gsp_builder *b, const gsp_module *module)
{
    uint32_t const strings = module->counts.strings;
    uint32_t id;
    if (b->error.status != GSP_OK) {
        return;
    }
    if (b->used.graphs != 0u || b->used.strings != (uint32_t)GSP_KEY_COUNT) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
        return;
    }
    if (module->counts.attrs > b->cap.attrs || strings > b->cap.strings ||
        module->counts.bytes > b->cap.bytes) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
        return;
    }
    gspi_copy(b->attrs, module->attrs, module->counts.attrs, sizeof(gsp_attr));
    b->used.attrs = module->counts.attrs;
    gspi_copy(b->chars, module->chars, module->counts.bytes, 1u);
    gspi_build_rehash(b, gspi_hash_slots(strings));
    for (id = (uint32_t)GSP_KEY_COUNT; id < strings; id++) {
        gsp_text const t = gspi_string(module, id);
        (void)gspi_build_append(b, gspi_build_slot(b, t), t.size);
    }
}

/* Index behind the element that starts at `i`. */
static uint32_t gspi_element_end(const gsp_arg *args, uint32_t i)
{
    while (args[i].kind == (uint32_t)GSP_ARG_KEY) {
        i++;
    }
    return args[i].kind >= (uint32_t)GSP_ARG_TUPLE && args[i].kind <= (uint32_t)GSP_ARG_SLICE
               ? i + args[i].value + 1u
               : i + 1u;
}

/* What is wrong with the arguments of the current node, now that there come no more of them: a call
 * has any, an output one, a placeholder at most one (its default), an attribute none. */
static gsp_detail gspi_build_shape(const gsp_builder *b)
{
    uint32_t const begin = b->arg_begin[b->current];
    uint8_t const op = b->op[b->current];
    int const none = begin == b->used.args;
    uint32_t i;
    if (b->container != GSP_NONE) {
        return GSP_DETAIL_BRACKET;
    }
    if (!none && b->args[b->used.args - 1u].kind == (uint32_t)GSP_ARG_KEY) {
        return GSP_DETAIL_KEY;
    }
    if (op == (uint8_t)GSP_OP_OUTPUT &&
        (none || (b->args[begin].kind == (uint32_t)GSP_ARG_CONSTANT &&
                  gspi_trim(gspi_build_text(b, b->args[begin].value)).size == 0u))) {
        return GSP_DETAIL_RETURN;
    }
    if (!gspi_is_callable(op) && !none &&
        (op == (uint8_t)GSP_OP_GET_ATTR || gspi_element_end(b->args, begin) != b->used.args)) {
        return GSP_DETAIL_STATE;
    }
    for (i = begin; op == (uint8_t)GSP_OP_PLACEHOLDER && i < b->used.args; i++) {
        if (b->args[i].kind == (uint32_t)GSP_ARG_NODE) {
            return GSP_DETAIL_DEFAULT;
        }
    }
    return GSP_DETAIL_NONE;
}

/* Ends the description of the current node: closes its run of attributes. */
static void gspi_build_node_done(gsp_builder *b)
{
    if (b->current != GSP_NONE && b->error.status == GSP_OK) {
        gsp_detail const detail = gspi_build_shape(b);
        if (detail != GSP_DETAIL_NONE) {
            gspi_build_fail(b, detail == GSP_DETAIL_RETURN ? GSP_STATUS_PARSE : GSP_STATUS_ARG,
                            detail);
        } else if (b->used.attrs > b->run) {
            gspi_build_add_attr(b, GSP_KEY_NONE, GSP_KEY_NONE);
        }
    }
    b->current = GSP_NONE;
    b->container = GSP_NONE;
    b->slice = GSP_NONE;
}

GSP_API void gsp_build_graph(gsp_builder *b, gsp_text name)
{
    uint32_t const id = b->used.graphs;
    gsp_string const s = name.size == 0u ? (gsp_string)GSP_KEY_MAIN : gsp_build_string(b, name);
    gspi_build_node_done(b);
    if (b->open) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
    }
    if (name.size > 0u && (!gspi_is_one_line(name) || gspi_is_blank(name.data[0]) ||
                           gspi_is_blank(name.data[name.size - 1u]))) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_MODULE_NAME);
    }
    if (id >= b->cap.graphs) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
    }
    if (b->error.status != GSP_OK) {
        return;
    }
    b->graphs[id].name = s;
    b->graphs[id].first = b->used.nodes;
    b->graphs[id].n_nodes = 0u;
    b->used.graphs++;
    b->open = 1;
}

/* 1 when the current graph has a node of this name. */
static int gspi_build_is_taken(const gsp_builder *b, gsp_string name)
{
    uint32_t const node = b->node_of[name];
    return node != GSP_NONE && node >= b->graphs[b->used.graphs - 1u].first;
}

/* 1 when the name is only reserved: it points to the first node of the graph, or to where that
 * will be, and this is no node of that name. */
static int gspi_build_is_reserved(const gsp_builder *b, gsp_string name)
{
    uint32_t const node = b->node_of[name];
    return node >= b->used.nodes || b->name[node] != name;
}

static gsp_node gspi_build_add_node(gsp_builder *b, gsp_op op, gsp_string name, gsp_string target)
{
    uint32_t const v = b->used.nodes;
    gspi_build_node_done(b);
    if (!b->open) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
    }
    if (v >= b->cap.nodes) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
    }
    if (b->error.status != GSP_OK) {
        return GSP_NONE;
    }
    b->op[v] = (uint8_t)op;
    b->out[v] = (uint8_t)GSP_OUT_TENSOR;
    b->flags[v] = 0u;
    b->name[v] = name;
    b->target[v] = target;
    b->type[v] = GSP_KEY_NONE;
    b->bytes[v] = 0u;
    b->attr[v] = 0u;
    b->run = b->used.attrs;
    b->keyed = 0;
    b->arg_begin[v] = b->used.args;
    b->used.nodes++;
    b->current = v;
    return v - b->graphs[b->used.graphs - 1u].first;
}

GSP_API gsp_node gsp_build_node_id(gsp_builder *b, gsp_op op, gsp_string name, gsp_string target)
{
    gsp_node v;
    if (op <= GSP_OP_NONE || op >= GSP_OP_OUTPUT || b->used.graphs == 0u) {
        gspi_build_fail(b, GSP_STATUS_ARG, b->used.graphs == 0u ? GSP_DETAIL_STATE : GSP_DETAIL_OP);
    }
    if (name >= b->used.strings || target >= b->used.strings) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
    }
    if (b->error.status == GSP_OK && gspi_build_is_taken(b, name) &&
        !gspi_build_is_reserved(b, name)) {
        gspi_build_fail(b, GSP_STATUS_DUPLICATE, GSP_DETAIL_NAME_TWICE);
        b->error.node = b->node_of[name] - b->graphs[b->used.graphs - 1u].first;
    }
    v = gspi_build_add_node(b, op, name, target);
    if (v != GSP_NONE) {
        b->node_of[name] = b->current;
    }
    return v;
}

GSP_API void gsp_build_reserve(gsp_builder *b, gsp_string name)
{
    if (b->error.status == GSP_OK && (b->used.graphs == 0u || name >= b->used.strings)) {
        gspi_build_fail(b, GSP_STATUS_ARG,
                        b->used.graphs == 0u ? GSP_DETAIL_STATE : GSP_DETAIL_RANGE);
    }
    if (b->error.status == GSP_OK && !gspi_build_is_taken(b, name)) {
        b->node_of[name] = b->graphs[b->used.graphs - 1u].first;
    }
}

GSP_API gsp_node gsp_build_node(gsp_builder *b, gsp_op op, gsp_text name, gsp_text target)
{
    if (name.size == 0u || gspi_skip_name(name, 0u) != name.size) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_NAME);
    }
    if (!gspi_is_one_line(target) ||
        gspi_target_end(target, gspi_is_callable((uint8_t)op)) != target.size) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_TARGET);
    }
    return gsp_build_node_id(b, op, gsp_build_string(b, name), gsp_build_string(b, target));
}

GSP_API gsp_node gsp_build_output(gsp_builder *b)
{
    gsp_node const v = gspi_build_add_node(b, GSP_OP_OUTPUT, GSP_KEY_OUTPUT, GSP_KEY_OUTPUT);
    if (v != GSP_NONE) {
        b->graphs[b->used.graphs - 1u].n_nodes = v + 1u;
        b->open = 0;
    }
    return v;
}

/* Keys stand in dicts and at the top of calls; from the first key on every element has one. */
static int gspi_build_fits(const gsp_builder *b, gsp_arg_kind kind)
{
    int const after_key = b->used.args > b->arg_begin[b->current] &&
                          b->args[b->used.args - 1u].kind == (uint32_t)GSP_ARG_KEY;
    int const dict =
        b->container != GSP_NONE && b->args[b->container].kind == (uint32_t)GSP_ARG_DICT;
    int const call = b->container == GSP_NONE && gspi_is_callable(b->op[b->current]);
    if (kind == GSP_ARG_KEY) {
        return (dict || call) && !after_key;
    }
    if (kind == GSP_ARG_CLOSE) {
        return !after_key;
    }
    return after_key || !(dict || (call && b->keyed));
}

static void gspi_build_push(gsp_builder *b, gsp_arg_kind kind, uint32_t value)
{
    if (b->current == GSP_NONE) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
    } else if (b->used.args >= b->cap.args) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
    } else if (b->error.status == GSP_OK && !gspi_build_fits(b, kind)) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_KEY);
    }
    if (b->error.status == GSP_OK) {
        b->keyed |= kind == GSP_ARG_KEY && b->container == GSP_NONE;
        b->args[b->used.args].kind = (uint32_t)kind;
        b->args[b->used.args].value = value;
        b->used.args++;
    }
}

GSP_API void gsp_build_arg_node(gsp_builder *b, gsp_node node)
{
    if (b->current != GSP_NONE && node >= b->current - b->graphs[b->used.graphs - 1u].first) {
        gspi_build_fail(b, GSP_STATUS_UNDEFINED, GSP_DETAIL_NAME_UNKNOWN);
    }
    gspi_build_push(b, GSP_ARG_NODE, node);
}

/* While a container is open its token holds the index of the container around it. */
GSP_API void gsp_build_open(gsp_builder *b, gsp_arg_kind container)
{
    if (container < GSP_ARG_TUPLE || container > GSP_ARG_SLICE) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_KIND);
    }
    gspi_build_push(b, container, b->container);
    if (b->error.status == GSP_OK) {
        b->container = b->used.args - 1u;
        if (container == GSP_ARG_SLICE && b->slice == GSP_NONE) {
            b->slice = b->container;
        }
    }
}

/* A list or slice of one blank constant would read back as an empty one. */
static int gspi_build_reads_empty(const gsp_builder *b, uint32_t open)
{
    const gsp_arg *args = b->args + open;
    return b->used.args == open + 2u && args[0].kind != (uint32_t)GSP_ARG_TUPLE &&
           args[1].kind == (uint32_t)GSP_ARG_CONSTANT &&
           gspi_trim(gspi_build_text(b, args[1].value)).size == 0u;
}

GSP_API void gsp_build_close(gsp_builder *b)
{
    uint32_t const open = b->container;
    if (open == GSP_NONE) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_BRACKET);
        return;
    }
    if (b->error.status == GSP_OK && gspi_build_reads_empty(b, open)) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_CONSTANT);
    }
    gspi_build_push(b, GSP_ARG_CLOSE, b->used.args - open);
    if (b->error.status == GSP_OK) {
        b->container = b->args[open].value;
        b->args[open].value = b->used.args - 1u - open;
        b->slice = b->slice == open ? GSP_NONE : b->slice;
    }
}

/* Index behind the quoted string that starts at `at`; `at` itself when it is not closed. */
static uint32_t gspi_quote_end(gsp_text t, uint32_t at)
{
    uint32_t i = at + 1u;
    while (i < t.size && t.data[i] != t.data[at]) {
        i += t.data[i] == '\\' ? 2u : 1u;
    }
    return i < t.size ? i + 1u : at;
}

static int gspi_is_quote(gsp_text t, uint32_t at)
{
    return at < t.size && (t.data[at] == '\'' || t.data[at] == '"');
}

/* Where the constant that starts at `at` ends: at the next ", ", at an unmatched closing bracket,
 * or at the end of the text. Brackets are matched, and a quoted string is taken whole; `comment`
 * != 0: also at "  # ". *open: how many brackets and quotes are still open there. */
static uint32_t gspi_constant_end(gsp_text t, uint32_t at, int comment, uint32_t *open)
{
    uint32_t i = gspi_is_quote(t, at) ? gspi_quote_end(t, at) : at;
    *open = i == at && gspi_is_quote(t, at) ? 1u : 0u;
    for (; i < t.size; i++) {
        char const c = t.data[i];
        if (gspi_is_open(c)) {
            (*open)++;
        } else if (gspi_is_close(c)) {
            if (*open == 0u) {
                break;
            }
            (*open)--;
        } else if (*open == 0u && c == ',' && i + 1u < t.size && t.data[i + 1u] == ' ') {
            break;
        } else if (comment && *open == 0u && gspi_at(t, i, "  # ")) {
            break;
        }
    }
    return i;
}

/* Where the key that starts here ends, if a key and ": " stand here; GSP_NONE: none does. */
static uint32_t gspi_key_end(gsp_text line, uint32_t at)
{
    uint32_t depth = 0u;
    uint32_t i = gspi_is_quote(line, at) ? gspi_quote_end(line, at) : at;
    for (; i < line.size; i++) {
        char const c = line.data[i];
        if (depth == 0u && (gspi_is_close(c) || gspi_at(line, i, ", "))) {
            return GSP_NONE;
        }
        if (depth == 0u && c == ':' && (i + 1u == line.size || line.data[i + 1u] == ' ')) {
            return i;
        }
        depth += gspi_is_open(c) ? 1u : 0u;
        depth -= gspi_is_close(c) ? 1u : 0u;
    }
    return GSP_NONE;
}

/* The container that opens at `at`, if any: its kind, and the size of its opening. */
static gsp_arg_kind gspi_container_at(gsp_text line, uint32_t at, uint32_t *size)
{
    uint32_t key;
    *size = 1u;
    switch (at < line.size ? line.data[at] : '\0') {
    case '(':
        return GSP_ARG_TUPLE;
    case '[':
        return GSP_ARG_LIST;
    case '{':
        key = gspi_skip_blanks(line, at + 1u);
        return gspi_at(line, key, "}") || gspi_key_end(line, key) != GSP_NONE ? GSP_ARG_DICT
                                                                              : GSP_ARG_NONE;
    default:
        *size = 6u;
        return gspi_at(line, at, "slice(") ? GSP_ARG_SLICE : GSP_ARG_NONE;
    }
}

/* 1 when a constant reads back as this one token, in a call's arguments at least. */
static int gspi_is_constant(gsp_text t)
{
    uint32_t const i = gspi_skip_blanks(t, 0u);
    uint32_t size;
    uint32_t open;
    return gspi_is_one_line(t) && gspi_constant_end(t, 0u, 0, &open) == t.size && open == 0u &&
           gspi_container_at(t, i, &size) == GSP_ARG_NONE && !gspi_at(t, i, "%") &&
           !(t.size > 0u && t.data[t.size - 1u] == ',');
}

GSP_API void gsp_build_key(gsp_builder *b, gsp_text key)
{
    uint32_t i;
    int plain = key.size > 0u && gspi_is_one_line(key) && !gspi_is_blank(key.data[0]) &&
                !gspi_is_blank(key.data[key.size - 1u]);
    for (i = 0u; plain && !gspi_is_quote(key, 0u) && i < key.size; i++) {
        char const c = key.data[i];
        plain = !gspi_is_open(c) && !gspi_is_close(c) && c != ':' && c != ',';
    }
    if (!plain || (gspi_is_quote(key, 0u) && gspi_quote_end(key, 0u) != key.size)) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_KEY);
    }
    gspi_build_push(b, GSP_ARG_KEY, gsp_build_string(b, key));
}

/* The node of this name that stands before the current one, in its graph; GSP_NONE: none. */
static gsp_node gspi_build_lookup(const gsp_builder *b, gsp_text name)
{
    gsp_string const s = b->hash[gspi_build_slot(b, name)];
    if (s == GSP_NONE || !gspi_build_is_taken(b, s) || b->node_of[s] >= b->current ||
        gspi_build_is_reserved(b, s)) {
        return GSP_NONE;
    }
    return b->node_of[s] - b->graphs[b->used.graphs - 1u].first;
}

/* 1 when a constant starts with "%name" of a node, or holds it right behind a comma: a blank is
 * missing, and an edge would be lost. */
static int gspi_hides_node(const gsp_builder *b, gsp_text t)
{
    uint32_t i;
    for (i = gspi_is_quote(t, 0u) ? gspi_quote_end(t, 0u) : 0u; i < t.size; i++) {
        if (t.data[i] == '%' && (i == 0u || t.data[i - 1u] == ',')) {
            uint32_t const end = gspi_skip_name(t, i + 1u);
            gsp_text const name = gspi_slice(t.data, (size_t)i + 1u, end);
            if (name.size > 0u && gspi_build_lookup(b, name) != GSP_NONE) {
                return 1;
            }
        }
    }
    return 0;
}

/* Where names stand bare, after `return` and in a slice, a constant must not be one. */
static int gspi_is_taken_for_node(const gsp_builder *b, gsp_text t)
{
    int const output = b->op[b->current] == (uint8_t)GSP_OP_OUTPUT;
    gsp_string const s = b->hash[gspi_build_slot(b, gspi_trim(t))];
    uint32_t open;
    if (!output && b->slice == GSP_NONE) {
        return 0;
    }
    return (s != GSP_NONE && gspi_build_is_taken(b, s)) ||
           (output && gspi_constant_end(t, 0u, 1, &open) != t.size);
}

GSP_API void gsp_build_arg_text(gsp_builder *b, gsp_text spelling)
{
    if (b->current != GSP_NONE && b->error.status == GSP_OK &&
        (!gspi_is_constant(spelling) || gspi_is_taken_for_node(b, spelling) ||
         gspi_hides_node(b, gspi_trim(spelling)))) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_CONSTANT);
    }
    gspi_build_push(b, GSP_ARG_CONSTANT, gsp_build_string(b, spelling));
}

GSP_API void gsp_build_arg(gsp_builder *b, gsp_arg arg)
{
    if (arg.kind == (uint32_t)GSP_ARG_NODE) {
        gsp_build_arg_node(b, arg.value);
    } else if (arg.kind == (uint32_t)GSP_ARG_NONE || arg.kind >= (uint32_t)GSP_ARG_COUNT) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_KIND);
    } else if ((arg.kind == (uint32_t)GSP_ARG_CONSTANT || arg.kind == (uint32_t)GSP_ARG_KEY) &&
               arg.value >= b->used.strings) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
    } else if (arg.kind == (uint32_t)GSP_ARG_CLOSE) {
        gsp_build_close(b);
    } else if (arg.kind >= (uint32_t)GSP_ARG_TUPLE) {
        gsp_build_open(b, (gsp_arg_kind)arg.kind);
    } else {
        gspi_build_push(b, (gsp_arg_kind)arg.kind, arg.value);
    }
}

/* ---- types ---- */

/* Output of scanning a TYPE: the canonical spelling goes to `out`, as far as `room` reaches. */
typedef struct gspi_type {
    char *out; /* NULL: not wanted */
    uint32_t room;
    uint32_t size; /* bytes of the canonical spelling */
    uint64_t bytes;
    uint32_t tensors;
    gsp_detail detail; /* NONE: no error so far */
} gspi_type;

static void gspi_type_put(gspi_type *y, const char *data, uint32_t size)
{
    if (y->out != NULL && size <= y->room - y->size) {
        gspi_copy(y->out + y->size, data, size, 1u);
        y->size += size;
    } else if (y->out != NULL) {
        y->detail = GSP_DETAIL_CAPACITY;
    }
}

static int gspi_is_other_type(gsp_text word)
{
    static const char words[] = " int float bool str none tuple list dict any ";
    gsp_text const all = gspi_slice(words, 0u, sizeof(words) - 1u);
    uint32_t i;
    for (i = 0u; i + word.size + 1u < all.size; i++) {
        if (all.data[i] == ' ' && all.data[i + 1u + word.size] == ' ' && word.size > 0u &&
            gspi_same(all.data + i + 1u, word.data, word.size)) {
            return 1;
        }
    }
    return 0;
}

/* Bytes of an element: the first number in the dtype, in bits; at least one byte. */
static uint64_t gspi_dtype_bytes(gsp_text dtype)
{
    uint64_t bits = 0u;
    uint32_t i = 0u;
    while (i < dtype.size && !gspi_is_digit(dtype.data[i])) {
        i++;
    }
    for (; i < dtype.size && gspi_is_digit(dtype.data[i]) && bits < 100000u; i++) {
        bits = bits * 10u + (uint64_t)(dtype.data[i] - '0');
    }
    return bits < 16u ? 1u : bits / 8u;
}

/* Value of a dimension: digits; anything else (a symbol, -1) counts as 1. 0: beyond 64 bits. */
static int gspi_dimension(gsp_text dim, uint64_t *value)
{
    uint32_t i;
    *value = 1u;
    for (i = 0u; i < dim.size; i++) {
        if (!gspi_is_digit(dim.data[i])) {
            return 1;
        }
    }
    return gspi_number(dim, value);
}

/* `dims` of a tensor from behind '[' to behind ']'; adds its bytes. */
static uint32_t gspi_type_dims(gspi_type *y, gsp_text t, uint32_t at, uint64_t element)
{
    uint64_t product = element;
    int zero = 0;
    int too_big = 0;
    uint32_t i = gspi_skip_blanks(t, at);
    while (i < t.size && t.data[i] != ']') {
        uint32_t const begin = i;
        uint32_t end;
        uint64_t dim;
        while (i < t.size && t.data[i] != ',' && t.data[i] != ']' && t.data[i] != '[') {
            i++;
        }
        end = i;
        while (end > begin && gspi_is_blank(t.data[end - 1u])) {
            end--;
        }
        if (end == begin || i == t.size || t.data[i] == '[') {
            y->detail = GSP_DETAIL_TYPE;
            return i;
        }
        too_big |= !gspi_dimension(gspi_slice(t.data, begin, end), &dim);
        zero |= dim == 0u;
        too_big |= dim != 0u && product > UINT64_MAX / dim;
        product *= dim;
        gspi_type_put(y, t.data + begin, end - begin);
        if (t.data[i] == ',') {
            gspi_type_put(y, ", ", 2u);
            i = gspi_skip_blanks(t, i + 1u);
            if (i < t.size && t.data[i] == ']') {
                y->detail = GSP_DETAIL_TYPE;
            }
        }
    }
    product = zero ? 0u : product;
    if (i == t.size) {
        y->detail = GSP_DETAIL_TYPE;
        return i;
    }
    if ((too_big && !zero) || product > UINT64_MAX - y->bytes) {
        y->detail = GSP_DETAIL_SIZE;
        return i;
    }
    gspi_type_put(y, "]", 1u);
    y->bytes += product;
    y->tensors++;
    return i + 1u;
}

/* Scans the TYPE at `at` and returns where it ends. Nested aggregates need no stack: they are a
 * matter of depth alone. */
static uint32_t gspi_type_scan(gspi_type *y, gsp_text t, uint32_t at)
{
    uint32_t depth = 0u;
    uint32_t i = at;
    do {
        uint32_t const end = gspi_skip_name(t, i);
        gsp_text const word = gspi_slice(t.data, i, end);
        gspi_type_put(y, word.data, word.size);
        i = end;
        if (word.size == 0u || (i < t.size && t.data[i] != '[' && !gspi_is_other_type(word)) ||
            (i == t.size && !gspi_is_other_type(word))) {
            y->detail = GSP_DETAIL_TYPE;
        } else if (i < t.size && t.data[i] == '[') {
            gspi_type_put(y, "[", 1u);
            i = gspi_type_dims(y, t, i + 1u, gspi_dtype_bytes(word));
        } else if (i < t.size && t.data[i] == '(') {
            gspi_type_put(y, "(", 1u);
            i = gspi_skip_blanks(t, i + 1u);
            depth++;
            if (!(i < t.size && t.data[i] == ')')) {
                continue;
            }
        }
        while (depth > 0u && i < t.size && t.data[i] == ')' && y->detail == GSP_DETAIL_NONE) {
            gspi_type_put(y, ")", 1u);
            i++;
            depth--;
        }
        if (depth > 0u && i < t.size && t.data[i] == ',') {
            gspi_type_put(y, ", ", 2u);
            i = gspi_skip_blanks(t, i + 1u);
        } else if (depth > 0u && y->detail == GSP_DETAIL_NONE) {
            y->detail = GSP_DETAIL_TYPE;
        }
    } while (depth > 0u && y->detail == GSP_DETAIL_NONE);
    return i;
}

/* Sets the TYPE that stands at `at` of `t` and returns where it ends; `at` itself after an
 * error. */
static uint32_t gspi_build_type_at(gsp_builder *b, gsp_text t, uint32_t at)
{
    gspi_type y;
    uint32_t end;
    uint32_t slot;
    gsp_text text;
    y.out = b->chars + b->used.bytes;
    y.room = b->cap.bytes - b->used.bytes;
    y.size = 0u;
    y.bytes = 0u;
    y.tensors = 0u;
    y.detail = GSP_DETAIL_NONE;
    end = gspi_type_scan(&y, t, at);
    text = gspi_slice(y.out, 0u, y.size);
    if (y.detail ==
        GSP_DETAIL_CAPACITY) { /* no room to spell it: a known one, spelled like this? */
        y.out = NULL;
        y.bytes = 0u;
        y.tensors = 0u;
        y.detail = GSP_DETAIL_NONE;
        end = gspi_type_scan(&y, t, at);
        text = gspi_slice(t.data, at, end);
        y.detail = b->hash[gspi_build_slot(b, text)] == GSP_NONE ? GSP_DETAIL_CAPACITY : y.detail;
    }
    slot = gspi_build_slot(b, text);
    if (y.detail == GSP_DETAIL_NONE && b->hash[slot] == GSP_NONE &&
        b->used.strings >= b->cap.strings) {
        y.detail = GSP_DETAIL_CAPACITY;
    }
    if (y.detail != GSP_DETAIL_NONE) {
        gspi_build_fail(b, y.detail == GSP_DETAIL_TYPE ? GSP_STATUS_ARG : GSP_STATUS_OVERFLOW,
                        y.detail);
        return at;
    }
    b->type[b->current] =
        b->hash[slot] != GSP_NONE ? b->hash[slot] : gspi_build_append(b, slot, y.size);
    b->out[b->current] = (uint8_t)(y.tensors == 0u                    ? GSP_OUT_OTHER
                                   : text.data[text.size - 1u] == ')' ? GSP_OUT_AGGREGATE
                                                                      : GSP_OUT_TENSOR);
    if ((b->flags[b->current] & GSP_FLAG_BYTES) == 0u) {
        b->bytes[b->current] = y.bytes;
    }
    return end;
}

GSP_API void gsp_build_type(gsp_builder *b, gsp_text type)
{
    if (b->current == GSP_NONE) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
    }
    if (b->error.status == GSP_OK && gspi_build_type_at(b, type, 0u) != type.size) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_TYPE);
    }
}

/* ---- attributes ---- */

/* 1 when the text is a decimal number as far as its form goes. */
static int gspi_is_decimal(gsp_text t)
{
    uint32_t i = t.size > 0u && (t.data[0] == '-' || t.data[0] == '+') ? 1u : 0u;
    uint32_t digits = 0u;
    if (gspi_at(t, i, "inf") || gspi_at(t, i, "nan")) {
        return t.size == i + 3u;
    }
    for (; i < t.size && gspi_is_digit(t.data[i]); i++) {
        digits++;
    }
    if (i < t.size && t.data[i] == '.') {
        for (i++; i < t.size && gspi_is_digit(t.data[i]); i++) {
            digits++;
        }
    }
    if (digits > 0u && i < t.size && (t.data[i] == 'e' || t.data[i] == 'E')) {
        i++;
        i += i < t.size && (t.data[i] == '-' || t.data[i] == '+') ? 1u : 0u;
        digits = i < t.size && gspi_is_digit(t.data[i]) ? digits : 0u;
        while (i < t.size && gspi_is_digit(t.data[i])) {
            i++;
        }
    }
    return digits > 0u && i == t.size;
}

static gsp_detail gspi_number_detail(gsp_text value, uint64_t *number)
{
    uint32_t i;
    for (i = 0u; i < value.size; i++) {
        if (!gspi_is_digit(value.data[i])) {
            return GSP_DETAIL_NUMBER;
        }
    }
    return value.size == 0u                  ? GSP_DETAIL_NUMBER
           : gspi_number(value, number) == 0 ? GSP_DETAIL_SIZE
                                             : GSP_DETAIL_NONE;
}

/* Checks the value of a known key and takes what is kept beside the text. */
static gsp_detail gspi_build_known(gsp_builder *b, uint32_t key, gsp_text value)
{
    uint64_t number = 0u;
    gsp_detail detail = GSP_DETAIL_NONE;
    switch (key) {
    case GSP_KEY_BYTES:
        detail = gspi_number_detail(value, &number);
        b->bytes[b->current] = number;
        b->flags[b->current] |= (uint8_t)GSP_FLAG_BYTES;
        break;
    case GSP_KEY_PARAMS:
        detail = gspi_number_detail(value, &number);
        break;
    case GSP_KEY_ACC:
        detail = gspi_number_detail(value, &number);
        detail = detail == GSP_DETAIL_NONE && number >= GSP_KIND_NONE ? GSP_DETAIL_KIND : detail;
        b->flags[b->current] |= (uint8_t)GSP_FLAG_ACC;
        break;
    case GSP_KEY_MEM:
    case GSP_KEY_COMPUTE:
    case GSP_KEY_CPU:
    case GSP_KEY_COMM:
        detail = gspi_is_decimal(value) ? GSP_DETAIL_NONE : GSP_DETAIL_NUMBER;
        break;
    case GSP_KEY_GROUP:
        b->flags[b->current] |= (uint8_t)GSP_FLAG_GROUP;
        break;
    default:
        break;
    }
    return detail;
}

/* Index of the first byte that ends a word of an annotation: a blank, or one of `stops`. */
static uint32_t gspi_word_end(gsp_text t, uint32_t at, const char *stops)
{
    uint32_t i;
    for (i = at; i < t.size && !gspi_is_blank(t.data[i]); i++) {
        uint32_t k;
        for (k = 0u; stops[k] != '\0'; k++) {
            if (t.data[i] == stops[k]) {
                return i;
            }
        }
    }
    return i;
}

/* 1 when key=value reads back as this pair. A type expression stands elsewhere, before the
 * users. */
static int gspi_is_attr(gsp_string key_id, gsp_text key, gsp_text value)
{
    uint32_t i;
    if (!gspi_is_one_line(key) || !gspi_is_one_line(value)) {
        return 0;
    }
    if (key_id != (gsp_string)GSP_KEY_ANNOTATION) {
        return gspi_word_end(key, 0u, "=[(") == key.size &&
               gspi_word_end(value, 0u, "") == value.size;
    }
    for (i = 0u; i < value.size; i++) {
        if (gspi_at(value, i, "[num_users=") || gspi_at(value, i, "[#users=")) {
            return 0;
        }
    }
    return value.size > 0u && !gspi_is_blank(value.data[0]) &&
           !gspi_is_blank(value.data[value.size - 1u]);
}

/* A taken-over run of attributes is shared and ends where it ends. There is one type expression,
 * and none of an output. */
static int gspi_build_takes_attr(const gsp_builder *b, gsp_string key)
{
    uint32_t i;
    if (b->attr[b->current] != 0u && b->attr[b->current] != b->run) {
        return 0;
    }
    for (i = b->run; key == (gsp_string)GSP_KEY_ANNOTATION && i < b->used.attrs; i++) {
        if (b->attrs[i].key == key) {
            return 0;
        }
    }
    return key != (gsp_string)GSP_KEY_ANNOTATION || b->op[b->current] != (uint8_t)GSP_OP_OUTPUT;
}

GSP_API void gsp_build_attr(gsp_builder *b, gsp_text key, gsp_text value)
{
    gsp_string const k = gsp_build_string(b, key);
    gsp_string const v = gsp_build_string(b, value);
    gsp_detail detail;
    if (b->current == GSP_NONE || k == (gsp_string)GSP_KEY_NONE) {
        gspi_build_fail(b, GSP_STATUS_ARG,
                        b->current == GSP_NONE ? GSP_DETAIL_STATE : GSP_DETAIL_ANNOTATION);
    }
    if (b->error.status != GSP_OK) {
        return;
    }
    detail = gspi_build_known(b, k, value);
    if (!gspi_is_attr(k, key, value) || !gspi_build_takes_attr(b, k)) {
        detail = GSP_DETAIL_ANNOTATION;
    }
    if (detail != GSP_DETAIL_NONE) {
        gspi_build_fail(b, detail == GSP_DETAIL_SIZE ? GSP_STATUS_OVERFLOW : GSP_STATUS_ARG,
                        detail);
        return;
    }
    if (b->used.attrs == b->run) {
        b->attr[b->current] = b->run;
    }
    gspi_build_add_attr(b, k, v);
}

GSP_API void gsp_build_like(gsp_builder *b, const gsp_graph *graph, gsp_node node, int attributes)
{
    const gsp_module *m = graph->module;
    uint32_t const v = graph->first + node;
    if (b->current == GSP_NONE) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
        return;
    }
    if (node >= graph->n_nodes || m->type[v] >= b->used.strings || m->attr[v] >= b->used.attrs) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
        return;
    }
    b->type[b->current] = m->type[v];
    b->out[b->current] = m->out[v];
    b->bytes[b->current] = m->bytes[v];
    if (attributes) {
        b->attr[b->current] = m->attr[v];
        b->flags[b->current] = m->flags[v];
    } else if ((m->flags[v] & GSP_FLAG_BYTES) != 0u) {
        gsp_string const s = gspi_attr(graph, node, GSP_KEY_BYTES);
        gsp_build_attr(b, gspi_key(GSP_KEY_BYTES), gspi_string(m, s));
    }
}

/* ---- free names ---- */

/* Writes the wanted name with illegal bytes replaced behind the last string; 0: no room. */
static uint32_t gspi_name_clean(const gsp_builder *b, gsp_text wanted)
{
    char *out = b->chars + b->used.bytes;
    uint32_t size = 0u;
    uint32_t i;
    if (wanted.size > b->cap.bytes - b->used.bytes ||
        b->cap.bytes - b->used.bytes - wanted.size < 12u) {
        return 0u;
    }
    if (wanted.size == 0u || gspi_is_digit(wanted.data[0])) {
        out[size++] = '_';
    }
    for (i = 0u; i < wanted.size; i++) {
        if (gspi_is_name(wanted.data[i])) {
            out[size++] = wanted.data[i];
        } else if (i == 0u || gspi_is_name(wanted.data[i - 1u])) {
            out[size++] = '_';
        }
    }
    return size;
}

/* Notes that base_N is taken for N in low .. high - 1. One run of numbers is remembered a base: the
 * longest, or what touching runs have become. */
static void gspi_name_remember(gsp_builder *b, gsp_string base, uint32_t low, uint32_t high)
{
    uint32_t const graph = b->used.graphs - 1u;
    int const known = b->suffix_in[base] == graph;
    if (known && low <= b->suffix_high[base] && high >= b->suffix_low[base]) {
        low = low < b->suffix_low[base] ? low : b->suffix_low[base];
        high = high > b->suffix_high[base] ? high : b->suffix_high[base];
    } else if (known && high - low < b->suffix_high[base] - b->suffix_low[base]) {
        return;
    }
    b->suffix_low[base] = low;
    b->suffix_high[base] = high;
    b->suffix_in[base] = graph;
}

/* Writes "base_N" behind the last string, N > number the least that is free; returns its size. */
static uint32_t gspi_name_number(gsp_builder *b, gsp_string base, uint32_t number)
{
    gsp_text const t = gspi_build_text(b, base);
    char *out = b->chars + b->used.bytes;
    uint32_t next = number + 1u;
    uint32_t size;
    gsp_string s;
    if (b->suffix_in[base] == b->used.graphs - 1u && next >= b->suffix_low[base] &&
        next < b->suffix_high[base]) {
        next = b->suffix_high[base];
    }
    gspi_copy(out, t.data, t.size, 1u);
    out[t.size] = '_';
    do {
        size = t.size + 1u + gspi_decimal(next, out + t.size + 1u);
        s = b->hash[gspi_build_slot(b, gspi_slice(out, 0u, size))];
        next++;
    } while (s != GSP_NONE && gspi_build_is_taken(b, s));
    gspi_name_remember(b, base, number + 1u, next);
    return size;
}

GSP_API gsp_string gsp_build_name(gsp_builder *b, gsp_text wanted)
{
    uint32_t base_size = 0u;
    uint32_t number;
    uint32_t size;
    uint32_t slot;
    gsp_text name;
    gsp_string base;
    if (b->error.status == GSP_OK && b->used.graphs == 0u) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
    }
    size = b->error.status == GSP_OK ? gspi_name_clean(b, wanted) : 0u;
    if (size == 0u || b->used.strings >= b->cap.strings) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
        return GSP_KEY_NONE;
    }
    name = gspi_slice(b->chars, b->used.bytes, (size_t)b->used.bytes + size);
    slot = gspi_build_slot(b, name);
    if (b->hash[slot] == GSP_NONE) {
        return gspi_build_append(b, slot, size);
    }
    if (!gspi_build_is_taken(b, b->hash[slot])) {
        return b->hash[slot];
    }
    number = gspi_name_suffix(name, &base_size);
    slot = gspi_build_slot(b, gspi_slice(name.data, 0u, base_size));
    base = b->hash[slot] != GSP_NONE ? b->hash[slot] : gspi_build_append(b, slot, base_size);
    if (b->used.strings >= b->cap.strings || b->cap.bytes - b->used.bytes < base_size + 12u) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
        return GSP_KEY_NONE;
    }
    size = gspi_name_number(b, base, number);
    slot = gspi_build_slot(b, gspi_slice(b->chars, b->used.bytes, (size_t)b->used.bytes + size));
    return b->hash[slot] != GSP_NONE ? b->hash[slot] : gspi_build_append(b, slot, size);
}

/* The string that two texts make together. */
static gsp_string gspi_build_joined(gsp_builder *b, gsp_text head, gsp_text tail)
{
    uint32_t const size = head.size + tail.size;
    char *out = b->chars + b->used.bytes;
    uint32_t slot;
    if (b->error.status != GSP_OK || b->used.strings >= b->cap.strings ||
        size > b->cap.bytes - b->used.bytes) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
        return GSP_KEY_NONE;
    }
    gspi_copy(out, head.data, head.size, 1u);
    gspi_copy(out + head.size, tail.data, tail.size, 1u);
    slot = gspi_build_slot(b, gspi_slice(out, 0u, size));
    return b->hash[slot] != GSP_NONE ? b->hash[slot] : gspi_build_append(b, slot, size);
}

/* ---- finishing ---- */

/* Distinct node arguments of node v, in order of first meeting, to `row` (NULL: only counted).
 * `seen` [n] holds the last user by node; every user asks under another number. */
static uint32_t gspi_distinct_inputs(const gsp_builder *b, uint32_t v, uint32_t stamp,
                                     uint32_t *seen, gsp_node *row)
{
    uint32_t const end = v + 1u < b->used.nodes ? b->arg_begin[v + 1u] : b->used.args;
    uint32_t count = 0u;
    uint32_t i;
    for (i = b->arg_begin[v]; i < end; i++) {
        uint32_t const u = b->args[i].value;
        if (b->args[i].kind == (uint32_t)GSP_ARG_NODE && seen[u] != stamp) {
            seen[u] = stamp;
            if (row != NULL) {
                row[count] = u;
            }
            count++;
        }
    }
    return count;
}

/* Counts what the finished block holds; node_of serves as the stamps. */
static void gspi_finish_count(gsp_builder *b, gsp_module *m)
{
    uint32_t v;
    uint32_t i;
    m->counts = b->used;
    m->counts.edges = 0u;
    m->n_params = 0u;
    m->n_leaves = 0u;
    gspi_set(b->node_of, 0xFF, (size_t)b->used.strings + 1u, sizeof(uint32_t));
    for (v = 0u; v < b->used.nodes; v++) {
        m->counts.edges += gspi_distinct_inputs(b, v, v, b->node_of, NULL);
    }
    gspi_set(b->node_of, 0, (size_t)b->used.strings + 1u, sizeof(uint32_t));
    for (i = 0u; i < b->used.graphs; i++) {
        b->node_of[b->graphs[i].name] |= 4u;
    }
    for (v = 0u; v < b->used.nodes; v++) {
        uint32_t *mark = &b->node_of[b->target[v]];
        if (b->op[v] == (uint8_t)GSP_OP_GET_ATTR && (*mark & 5u) == 0u) {
            *mark |= 1u;
            m->n_params++;
        } else if (b->op[v] == (uint8_t)GSP_OP_CALL_MODULE && (*mark & 6u) == 0u) {
            *mark |= 2u;
            m->n_leaves++;
        }
    }
}

/* The tables of parameters and leaf modules: bits 1 and 2 of the marks stand for "not listed
 * yet". */
static void gspi_finish_uses(gsp_builder *b, const gsp_module *m)
{
    gsp_use *params = (gsp_use *)(uintptr_t)m->params;
    gsp_use *leaves = (gsp_use *)(uintptr_t)m->leaves;
    uint32_t g;
    for (g = 0u; g < b->used.graphs; g++) {
        uint32_t i;
        for (i = 0u; i < b->graphs[g].n_nodes; i++) {
            uint32_t const v = b->graphs[g].first + i;
            uint32_t *mark = &b->node_of[b->target[v]];
            gsp_use use;
            use.target = b->target[v];
            use.graph = g;
            use.node = i;
            if (b->op[v] == (uint8_t)GSP_OP_GET_ATTR && (*mark & 1u) != 0u) {
                *mark &= ~1u;
                *params++ = use;
            } else if (b->op[v] == (uint8_t)GSP_OP_CALL_MODULE && (*mark & 2u) != 0u) {
                *mark &= ~2u;
                *leaves++ = use;
            }
        }
    }
}

/* Rows of inputs, then rows of users from them by counting. `node_of` serves as the stamps. */
GSPI_OWN_FRAME void gspi_finish_rows(gsp_builder *b, const gsp_module *m)
{
    uint32_t *in_begin = (uint32_t *)(uintptr_t)m->in_begin;
    uint32_t *user_begin = (uint32_t *)(uintptr_t)m->user_begin;
    gsp_node *inputs = (gsp_node *)(uintptr_t)m->inputs;
    gsp_node *users = (gsp_node *)(uintptr_t)m->users;
    uint32_t const n = m->counts.nodes;
    uint32_t g = 0u;
    uint32_t v;
    uint32_t i;
    gspi_set(b->node_of, 0xFF, (size_t)b->used.strings + 1u, sizeof(uint32_t));
    gspi_set(user_begin, 0, (size_t)n + 1u, sizeof(uint32_t));
    in_begin[0] = 0u;
    for (v = 0u; v < n; v++) {
        g += v >= b->graphs[g].first + b->graphs[g].n_nodes;
        in_begin[v + 1u] =
            in_begin[v] + gspi_distinct_inputs(b, v, v, b->node_of, inputs + in_begin[v]);
        for (i = in_begin[v]; i < in_begin[v + 1u]; i++) {
            user_begin[b->graphs[g].first + inputs[i]]++;
        }
    }
    gspi_counts_to_ends(user_begin, n);
    for (v = n; v > 0u; v--) { /* from behind, so that each row ends up ascending */
        uint32_t const first = b->graphs[g].first;
        for (i = in_begin[v - 1u]; i < in_begin[v]; i++) {
            users[--user_begin[first + inputs[i]]] = v - 1u - first;
        }
        g -= v - 1u == first && g > 0u;
    }
}

/* The index of graphs by name; returns a graph whose name another has, GSP_NONE: all differ. */
static uint32_t gspi_finish_graph_names(gsp_builder *b, const gsp_module *m)
{
    uint32_t *by_name = (uint32_t *)(uintptr_t)m->by_name;
    uint32_t i;
    for (i = 0u; i < b->used.graphs; i++) {
        by_name[i] = i;
        b->bytes[i] = b->graphs[i].name; /* the array is done with: keys of the sort */
    }
    gspi_sort(by_name, b->used.graphs, b->bytes);
    for (i = 1u; i < b->used.graphs; i++) {
        if (b->graphs[by_name[i]].name == b->graphs[by_name[i - 1u]].name) {
            return by_name[i];
        }
    }
    return GSP_NONE;
}

static void gspi_finish_copy(const gsp_builder *b, const gsp_module *m, unsigned char *block)
{
    uint32_t const n = b->used.nodes;
    gspi_head head;
    head.magic = GSPI_MAGIC;
    head.order = GSPI_ORDER;
    head.version = GSPI_VERSION;
    head.n_params = m->n_params;
    head.n_leaves = m->n_leaves;
    head.counts = m->counts;
    head.size = m->block_size;
    gspi_copy(block, &head, 1u, sizeof(head));
#define GSPI_KEEP(field, count) \
    gspi_copy((void *)(uintptr_t)m->field, b->field, (count), sizeof(*b->field))
    GSPI_KEEP(bytes, n);
    GSPI_KEEP(graphs, b->used.graphs);
    GSPI_KEEP(name, n);
    GSPI_KEEP(target, n);
    GSPI_KEEP(type, n);
    GSPI_KEEP(attr, n);
    GSPI_KEEP(arg_begin, (size_t)n + 1u);
    GSPI_KEEP(args, b->used.args);
    GSPI_KEEP(attrs, b->used.attrs);
    GSPI_KEEP(string_begin, (size_t)b->used.strings + 1u);
    GSPI_KEEP(op, n);
    GSPI_KEEP(out, n);
    GSPI_KEEP(flags, n);
    GSPI_KEEP(chars, b->used.bytes);
#undef GSPI_KEEP
}

/* Makes the block at the low end and *b->made, which stands at the high end still. */
GSPI_OWN_FRAME gsp_status gspi_build_make(gsp_builder *b)
{
    gsp_module *m = b->made;
    unsigned char *block;
    uint32_t twice;
    gspi_build_node_done(b);
    if (b->open) {
        gspi_build_fail(b, GSP_STATUS_PARSE, GSP_DETAIL_RETURN);
    }
    if (b->used.graphs == 0u) {
        gspi_build_fail(b, GSP_STATUS_EMPTY, GSP_DETAIL_HEADER);
    }
    if (b->error.status != GSP_OK) {
        return b->error.status;
    }
    b->arg_begin[b->used.nodes] = b->used.args;
    gspi_finish_count(b, m);
    block = (unsigned char *)gspi_arena_take(b->arena, gspi_block_layout(m, NULL), 1u, 0);
    if (block == NULL || m->counts.edges > b->cap.edges) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
        return b->error.status;
    }
    (void)gspi_block_layout(m, block);
    gspi_finish_uses(b, m);
    gspi_finish_rows(b, m);
    gspi_finish_copy(b, m, block);
    twice = gspi_finish_graph_names(b, m);
    if (twice != GSP_NONE) {
        b->current = GSP_NONE;
        gspi_build_fail(b, GSP_STATUS_DUPLICATE, GSP_DETAIL_MODULE_NAME);
        b->error.node = twice;
        for (b->error.other = 0u; m->graphs[b->error.other].name != m->graphs[twice].name;) {
            b->error.other++;
        }
    }
    return b->error.status;
}

/* Ends building: hands out the module, or rewinds all of it. The builder is of no more use then. */
static gsp_status gspi_build_end(gsp_builder *b, gsp_module *module, gsp_error *err)
{
    gsp_status const status = b->error.status;
    if (err != NULL) {
        *err = b->error;
    }
    if (status == GSP_OK) {
        *module = *b->made;
        b->arena->high = b->mark.high;
        b->current = GSP_NONE;
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
    } else if (b->arena != NULL) {
        gsp_arena_rewind(b->arena, b->mark);
    }
    b->arena = NULL;
    return status;
}

GSP_API gsp_status gsp_build_finish(gsp_builder *b, gsp_module *module, gsp_error *err)
{
    if (b == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (module == NULL) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    (void)gspi_build_make(b);
    return gspi_build_end(b, module, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>query   Questions about a finished graph                                      (implementation)
 * ---------------------------------------------------------------------------------------------- */

GSP_API gsp_text gsp_text_of(const char *s)
{
    size_t n = 0u;
    while (s != NULL && s[n] != '\0' && n < UINT32_MAX) {
        n++;
    }
    return gspi_slice(s, 0u, n);
}

GSP_API int gsp_text_equal(gsp_text a, gsp_text b)
{
    return a.size == b.size && gspi_same(a.data, b.data, a.size);
}

GSP_API gsp_text gsp_module_string(const gsp_module *module, gsp_string s)
{
    return gspi_string(module, s);
}

GSP_API uint32_t gsp_module_find_graph(const gsp_module *module, gsp_string name)
{
    uint32_t begin = 0u;
    uint32_t end = module->counts.graphs;
    while (begin < end) {
        uint32_t const middle = begin + (end - begin) / 2u;
        uint32_t const id = module->by_name[middle];
        if (module->graphs[id].name == name) {
            return id;
        }
        if (module->graphs[id].name < name) {
            begin = middle + 1u;
        } else {
            end = middle;
        }
    }
    return GSP_NONE;
}

GSP_API gsp_text gsp_node_name(const gsp_graph *graph, gsp_node node)
{
    return gsp_module_string(graph->module, graph->module->name[graph->first + node]);
}

GSP_API gsp_text gsp_node_target(const gsp_graph *graph, gsp_node node)
{
    return gsp_module_string(graph->module, graph->module->target[graph->first + node]);
}

GSP_API gsp_text gsp_node_type(const gsp_graph *graph, gsp_node node)
{
    return gsp_module_string(graph->module, graph->module->type[graph->first + node]);
}

GSP_API gsp_op gsp_node_op(const gsp_graph *graph, gsp_node node)
{
    return (gsp_op)graph->module->op[graph->first + node];
}

GSP_API gsp_out gsp_node_out(const gsp_graph *graph, gsp_node node)
{
    return (gsp_out)graph->module->out[graph->first + node];
}

GSP_API int gsp_node_is_callable(const gsp_graph *graph, gsp_node node)
{
    return gspi_is_callable(graph->module->op[graph->first + node]);
}

GSP_API uint64_t gsp_node_bytes(const gsp_graph *graph, gsp_node node)
{
    return graph->module->bytes[graph->first + node];
}

GSP_API gsp_text gsp_node_attr(const gsp_graph *graph, gsp_node node, gsp_key key)
{
    gsp_string const s = gspi_attr(graph, node, key);
    gsp_text none;
    none.data = NULL;
    none.size = 0u;
    return s == GSP_NONE ? none : gsp_module_string(graph->module, s);
}

GSP_API uint64_t gsp_node_params(const gsp_graph *graph, gsp_node node)
{
    uint64_t value = 0u;
    if (gsp_node_op(graph, node) == GSP_OP_GET_ATTR) {
        return gsp_node_bytes(graph, node);
    }
    if (gsp_node_op(graph, node) == GSP_OP_CALL_MODULE) {
        (void)gspi_number(gsp_node_attr(graph, node, GSP_KEY_PARAMS), &value);
    }
    return value;
}

/* What support tables match, as an id. */
static gsp_string gspi_class(const gsp_graph *graph, gsp_node node)
{
    gsp_string s = GSP_NONE;
    if (gsp_node_op(graph, node) == GSP_OP_CALL_MODULE) {
        s = gspi_attr(graph, node, GSP_KEY_MODULE);
    }
    return s == GSP_NONE ? graph->module->target[graph->first + node] : s;
}

GSP_API gsp_text gsp_node_class(const gsp_graph *graph, gsp_node node)
{
    return gsp_module_string(graph->module, gspi_class(graph, node));
}

GSP_API gsp_text gsp_node_scope(const gsp_graph *graph, gsp_node node)
{
    gsp_text t = gsp_node_attr(graph, node, GSP_KEY_SCOPE);
    if (t.data == NULL) {
        t = gsp_node_op(graph, node) == GSP_OP_CALL_MODULE ? gsp_node_target(graph, node)
                                                           : gspi_slice("", 0u, 0u);
    }
    return t;
}

GSP_API int gsp_node_acc(const gsp_graph *graph, gsp_node node)
{
    uint64_t value = 0u;
    if ((graph->module->flags[graph->first + node] & GSP_FLAG_ACC) == 0u ||
        !gspi_number(gsp_node_attr(graph, node, GSP_KEY_ACC), &value) || value >= GSP_KIND_NONE) {
        return -1;
    }
    return (int)value;
}

GSP_API const gsp_node *gsp_node_inputs(const gsp_graph *graph, gsp_node node, uint32_t *count)
{
    const uint32_t *begin = graph->module->in_begin + graph->first + node;
    *count = begin[1] - begin[0];
    return graph->module->inputs + begin[0];
}

GSP_API const gsp_node *gsp_node_users(const gsp_graph *graph, gsp_node node, uint32_t *count)
{
    const uint32_t *begin = graph->module->user_begin + graph->first + node;
    *count = begin[1] - begin[0];
    return graph->module->users + begin[0];
}

GSP_API const gsp_arg *gsp_node_args(const gsp_graph *graph, gsp_node node, uint32_t *count)
{
    const uint32_t *begin = graph->module->arg_begin + graph->first + node;
    *count = begin[1] - begin[0];
    return graph->module->args + begin[0];
}

GSP_API gsp_node gsp_graph_find(const gsp_graph *graph, gsp_text name)
{
    gsp_node v;
    for (v = 0u; v < graph->n_nodes; v++) {
        if (gsp_node_op(graph, v) != GSP_OP_OUTPUT &&
            gsp_text_equal(gsp_node_name(graph, v), name)) {
            return v;
        }
    }
    return GSP_NONE;
}

GSP_API int gsp_text_number(gsp_text text, uint64_t *value)
{
    return gspi_number(text, value);
}

/* `*` and `?`; with `scope` also when a leading part of the text, up to a dot, matches. One star
 * at a time is remembered: what an earlier one took need not be tried again. */
static int gspi_glob(gsp_text pattern, gsp_text text, int scope)
{
    uint32_t p = 0u;
    uint32_t t = 0u;
    uint32_t star = GSP_NONE;
    uint32_t back = 0u;
    for (;;) {
        int const at_end = t == text.size || (scope && t > 0u && text.data[t] == '.');
        if (p < pattern.size && pattern.data[p] == '*') {
            star = p++;
            back = t;
        } else if (p == pattern.size && at_end) {
            return 1;
        } else if (p < pattern.size && t < text.size &&
                   (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
            p++;
            t++;
        } else if (star != GSP_NONE && back < text.size) {
            p = star + 1u;
            t = ++back;
        } else {
            return 0;
        }
    }
}

GSP_API int gsp_glob(gsp_text pattern, gsp_text text)
{
    return gspi_glob(pattern, text, 0);
}

GSP_API int gsp_type_next(gsp_text type, uint32_t *at, gsp_text *dtype, gsp_text *dims)
{
    uint32_t i = *at;
    uint32_t begin = i;
    while (i < type.size && type.data[i] != '[') {
        begin = gspi_is_name(type.data[i]) ? begin : i + 1u;
        i++;
    }
    if (i == type.size) {
        *at = i;
        return 0;
    }
    *dtype = gspi_slice(type.data, begin, i);
    begin = ++i;
    while (i < type.size && type.data[i] != ']') {
        i++;
    }
    *dims = gspi_slice(type.data, begin, i);
    *at = i < type.size ? i + 1u : i;
    return 1;
}

#ifndef GSP_NO_COST
/* ---- decimals ---- */

/* Correct rounding by comparison: a first guess from 64-bit arithmetic is off by one unit at
 * most; then the decimal digits of the text are compared with those of the exact midpoint between
 * the guess and its neighbour, which has at most 768 digits. Only integers, so the answer is the
 * same everywhere. */

#define GSPI_BIG_LIMBS 88u /* of nine decimal digits */

typedef struct gspi_big {
    uint32_t limb[GSPI_BIG_LIMBS]; /* lowest first */
    uint32_t n;
} gspi_big;

static void gspi_big_mul(gspi_big *b, uint32_t factor)
{
    uint64_t carry = 0u;
    uint32_t i;
    for (i = 0u; i < b->n; i++) {
        uint64_t const t = (uint64_t)b->limb[i] * factor + carry;
        b->limb[i] = (uint32_t)(t % 1000000000u);
        carry = t / 1000000000u;
    }
    if (carry != 0u && b->n < GSPI_BIG_LIMBS) {
        b->limb[b->n++] = (uint32_t)carry;
    }
}

/* A decimal: `digits` has no leading zeros (but may hold one '.'), the value is 0.digits *
 * 10^point. */
typedef struct gspi_digits {
    gsp_text digits;
    int32_t point;
    int negative;
} gspi_digits;

/* The bignum of (2 m + 1) * 2^e, times 10^-e where e < 0; returns the power of ten taken out. */
static int32_t gspi_big_midpoint(gspi_big *b, uint64_t m, int32_t e)
{
    int32_t left = e < 0 ? -e : e;
    uint64_t odd = 2u * m + 1u;
    b->n = 0u;
    while (odd != 0u) {
        b->limb[b->n++] = (uint32_t)(odd % 1000000000u);
        odd /= 1000000000u;
    }
    while (left > 0) {
        int32_t const step = left < 12 ? left : 12;
        uint32_t factor = 1u;
        int32_t i;
        for (i = 0; i < step; i++) {
            factor *= e < 0 ? 5u : 2u;
        }
        gspi_big_mul(b, factor);
        left -= step;
    }
    return e < 0 ? -e : 0;
}

/* Digit `i` from the left of the bignum; 0 beyond its end. */
static int gspi_big_digit(const gspi_big *b, uint32_t lead, uint32_t i)
{
    uint32_t const at = i + (9u - lead);
    uint32_t limb;
    uint32_t k;
    if (at / 9u >= b->n) {
        return 0;
    }
    limb = b->limb[b->n - 1u - at / 9u];
    for (k = at % 9u; k < 8u; k++) {
        limb /= 10u;
    }
    return (int)(limb % 10u);
}

/* Sign of (text - midpoint above the double with these bits). */
static int gspi_compare_midpoint(const gspi_digits *d, uint64_t bits)
{
    uint64_t const fraction = bits & 0xFFFFFFFFFFFFFu;
    int32_t const exponent = (int32_t)(bits >> 52);
    uint64_t const m = exponent == 0 ? fraction : fraction | 0x10000000000000u;
    gspi_big big;
    int32_t const scale = gspi_big_midpoint(&big, m, (exponent == 0 ? 1 : exponent) - 1076);
    uint32_t lead = 0u;
    uint32_t top = big.limb[big.n - 1u];
    uint32_t at = 0u;
    uint32_t i = 0u;
    while (top != 0u) {
        top /= 10u;
        lead++;
    }
    if ((int32_t)(lead + 9u * (big.n - 1u)) - scale != d->point) {
        return d->point > (int32_t)(lead + 9u * (big.n - 1u)) - scale ? 1 : -1;
    }
    while (at < d->digits.size || i < lead + 9u * (big.n - 1u)) {
        int own = 0;
        int other;
        if (at < d->digits.size && d->digits.data[at] == '.') {
            at++;
            continue;
        }
        own = at < d->digits.size ? d->digits.data[at] - '0' : 0;
        other = gspi_big_digit(&big, lead, i);
        if (own != other) {
            return own < other ? -1 : 1;
        }
        at++;
        i++;
    }
    return 0;
}

/* Bits of the largest double that is surely not two units away from the decimal. */
static uint64_t gspi_decimal_guess(const gspi_digits *d)
{
    uint64_t m = 0u;
    int32_t ten = d->point;
    int32_t two = 0;
    uint32_t i;
    uint32_t taken = 0u;
    for (i = 0u; i < d->digits.size && taken < 19u; i++) {
        if (d->digits.data[i] != '.') {
            m = m * 10u + (uint64_t)(d->digits.data[i] - '0');
            taken++;
            ten--;
        }
    }
    while (ten != 0) { /* m * 10^ten * 2^two, m with its top bit set before every step */
        int32_t const step = ten < -13 ? 13 : ten > 13 ? 13 : ten < 0 ? -ten : ten;
        uint64_t power = 1u;
        int32_t shift = 0; /* power lies in 2^shift .. 2^(shift + 1) */
        int32_t k;
        for (k = 0; k < step; k++) {
            power *= 5u;
        }
        while ((power >> shift) > 1u) {
            shift++;
        }
        for (; (m >> 63) == 0u; two--) {
            m <<= 1;
        }
        if (ten > 0) {
            uint64_t const high = (m >> 32) * power;
            uint64_t const low = (m & 0xFFFFFFFFu) * power;
            m = (high << (31 - shift)) + (low >> (shift + 1));
            two += shift + 1 + step;
            ten -= step;
        } else {
            m = ((m / power) << shift) | (((m % power) << shift) / power);
            two -= shift + step;
            ten += step;
        }
    }
    for (; (m >> 63) == 0u; two--) {
        m <<= 1;
    }
    two += 63 + 1023; /* biased exponent of the leading bit */
    if (two >= 2047) {
        return 0x7FEFFFFFFFFFFFFFu;
    }
    if (two <= 0) {
        return two < -51 ? 0u : m >> (12 - two);
    }
    return ((uint64_t)two << 52) | ((m >> 11) & 0xFFFFFFFFFFFFFu);
}

static uint64_t gspi_decimal_round(const gspi_digits *d)
{
    uint64_t bits;
    if (d->digits.size == 0u || d->point < -325) {
        return 0u;
    }
    if (d->point > 310) {
        return 0x7FF0000000000000u;
    }
    bits = gspi_decimal_guess(d);
    for (;;) {
        int const above = bits < 0x7FF0000000000000u ? gspi_compare_midpoint(d, bits) : -1;
        if (above > 0 || (above == 0 && (bits & 1u) != 0u)) {
            bits++;
            continue;
        }
        if (bits > 0u) {
            int const below = gspi_compare_midpoint(d, bits - 1u);
            if (below < 0 || (below == 0 && (bits & 1u) != 0u)) {
                bits--;
                continue;
            }
        }
        return bits;
    }
}

/* Takes a well-formed decimal apart. */
static gspi_digits gspi_decimal_digits(gsp_text t)
{
    gspi_digits d;
    int64_t exponent = 0;
    int64_t sign = 1;
    int64_t before = 0; /* digits before the point, less zeros after it that lead */
    uint32_t i = t.data[0] == '-' || t.data[0] == '+' ? 1u : 0u;
    uint32_t begin;
    int seen_point = 0;
    d.negative = t.data[0] == '-';
    for (; i < t.size && (t.data[i] == '0' || t.data[i] == '.'); i++) {
        before -= seen_point && t.data[i] == '0';
        seen_point |= t.data[i] == '.';
    }
    begin = i;
    for (; i < t.size && (gspi_is_digit(t.data[i]) || t.data[i] == '.'); i++) {
        seen_point |= t.data[i] == '.';
        before += !seen_point;
    }
    d.digits = gspi_slice(t.data, begin, i);
    if (i < t.size) {
        i++;
        sign = t.data[i] == '-' ? -1 : 1;
        i += t.data[i] == '-' || t.data[i] == '+' ? 1u : 0u;
        for (; i < t.size && exponent < ((int64_t)1 << 33); i++) {
            exponent = exponent * 10 + (t.data[i] - '0');
        }
    }
    before += sign * exponent;
    d.point = (int32_t)(before > 1000 ? 1000 : before < -1000 ? -1000 : before);
    return d;
}

GSP_API int gsp_text_decimal(gsp_text text, double *value)
{
    uint64_t bits;
    GSPI_STATIC_ASSERT(sizeof(double) == sizeof(uint64_t), a_double_has_64_bits);
    if (!gspi_is_decimal(text)) {
        return 0;
    }
    if (text.data[text.size - 1u] == 'n') {
        bits = 0x7FF8000000000000u;
    } else if (text.data[text.size - 1u] == 'f') {
        bits = 0x7FF0000000000000u | (text.data[0] == '-' ? 0x8000000000000000u : 0u);
    } else {
        gspi_digits const d = gspi_decimal_digits(text);
        bits = gspi_decimal_round(&d) | (d.negative ? 0x8000000000000000u : 0u);
    }
    GSP_MEMCPY(value, &bits, sizeof(*value));
    return 1;
}

GSP_API double gsp_node_seconds(const gsp_graph *graph, gsp_node node, gsp_key key)
{
    double value = 0.0;
    gsp_text const t = gsp_node_attr(graph, node, key);
    if (t.data != NULL) {
        (void)gsp_text_decimal(t, &value);
    }
    return value;
}
#endif

/* ---- aggregates, memory ---- */

/* Index behind the element of an aggregate's TYPE that starts at `at`. */
static uint32_t gspi_type_element_end(gsp_text type, uint32_t at)
{
    uint32_t depth = 0u;
    while (at < type.size && (depth > 0u || (type.data[at] != ',' && type.data[at] != ')'))) {
        depth += gspi_is_open(type.data[at]) ? 1u : 0u;
        depth -= gspi_is_close(type.data[at]) ? 1u : 0u;
        at++;
    }
    return at;
}

/* The kind of aggregate that a TYPE names; *inside: where its elements begin, the end: nowhere. */
static gsp_arg_kind gspi_type_word(gsp_text type, uint32_t *inside)
{
    uint32_t const end = gspi_skip_name(type, 0u);
    gsp_text const word = gspi_slice(type.data, 0u, end);
    *inside = end < type.size && type.data[end] == '(' ? end + 1u : type.size;
    if (end < type.size && type.data[end] != '(') {
        return GSP_ARG_NONE;
    }
    return word.size == 5u && gspi_at(word, 0u, "tuple")  ? GSP_ARG_TUPLE
           : word.size == 4u && gspi_at(word, 0u, "list") ? GSP_ARG_LIST
           : word.size == 4u && gspi_at(word, 0u, "dict") ? GSP_ARG_DICT
                                                          : GSP_ARG_NONE;
}

GSP_API gsp_arg_kind gsp_type_container(gsp_text type, uint32_t *count)
{
    uint32_t at;
    uint32_t nested;
    gsp_arg_kind const kind = gspi_type_word(type, &at);
    *count = GSP_NONE;
    if (kind == GSP_ARG_NONE || kind == GSP_ARG_DICT || at == type.size) {
        return kind;
    }
    for (*count = 0u; at < type.size && type.data[at] != ')'; at += 2u) {
        uint32_t const end = gspi_type_element_end(type, at);
        if (gspi_type_word(gspi_slice(type.data, at, end), &nested) != GSP_ARG_NONE) {
            *count = GSP_NONE;
            return kind;
        }
        (*count)++;
        at = end;
        if (at < type.size && type.data[at] == ')') {
            break;
        }
    }
    return kind;
}

GSP_API gsp_text gsp_type_element(gsp_text type, uint32_t element)
{
    uint32_t at;
    uint32_t i;
    (void)gspi_type_word(type, &at);
    for (i = 0u; at < type.size && type.data[at] != ')'; i++) {
        uint32_t const end = gspi_type_element_end(type, at);
        if (i == element) {
            return gspi_slice(type.data, at, end);
        }
        if (end == type.size || type.data[end] == ')') {
            break;
        }
        at = end + 2u; /* behind ", " */
    }
    return gspi_slice("", 0u, 0u);
}

GSP_API uint32_t gsp_node_leaf(const gsp_graph *graph, gsp_node node, uint32_t position)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(graph, node, &count);
    uint32_t i;
    for (i = 0u; i < count && gsp_node_is_callable(graph, node); i++) {
        if (args[i].kind != (uint32_t)GSP_ARG_NODE && args[i].kind != (uint32_t)GSP_ARG_CONSTANT) {
            continue;
        }
        if (position == 0u) {
            return i;
        }
        position--;
    }
    return GSP_NONE;
}

GSP_API int gsp_node_is_barrier(const gsp_graph *graph, gsp_node node)
{
    gsp_text const t = gsp_node_attr(graph, node, GSP_KEY_BARRIER);
    uint64_t value;
    return t.data != NULL && !(gspi_number(t, &value) && value == 0u);
}

GSP_API uint32_t gsp_node_element(const gsp_graph *graph, gsp_node node)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(graph, node, &count);
    uint32_t elements;
    uint64_t index;
    uint32_t minus;
    gsp_text t;
    if (gsp_node_op(graph, node) != GSP_OP_CALL_FUNCTION ||
        graph->module->target[graph->first + node] != (gsp_string)GSP_KEY_GETITEM || count != 2u ||
        args[0].kind != (uint32_t)GSP_ARG_NODE || args[1].kind != (uint32_t)GSP_ARG_CONSTANT) {
        return GSP_NONE;
    }
    (void)gsp_type_container(gsp_node_type(graph, args[0].value), &elements);
    t = gspi_string(graph->module, args[1].value);
    minus = t.size > 0u && t.data[0] == '-' ? 1u : 0u;
    if (elements == GSP_NONE || !gspi_number(gspi_slice(t.data, minus, t.size), &index) ||
        index >= (uint64_t)elements + minus || (minus != 0u && index == 0u)) {
        return GSP_NONE;
    }
    return minus != 0u ? elements - (uint32_t)index : (uint32_t)index;
}

/* -------------------------------------------------------------------------------------------------
 * >>check   Opening a stored module, validation                                   (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* What is checked is what keeps queries and passes inside the block: every count, offset, id and
 * row. No memory is needed: rows of users are ascending, so an input is looked up there by
 * bisection. */

static gsp_status gspi_damaged(gsp_error *err, gsp_detail detail, uint32_t node)
{
    return gspi_fail_at(err, GSP_STATUS_DAMAGED, detail, node, GSP_NONE);
}

/* 1 when begin[0 .. n] starts at 0, never falls and ends at `end`. */
static int gspi_check_offsets(const uint32_t *begin, uint32_t n, uint32_t end)
{
    uint32_t i;
    if (begin[0] != 0u || begin[n] != end) {
        return 0;
    }
    for (i = 0u; i < n; i++) {
        if (begin[i] > begin[i + 1u]) {
            return 0;
        }
    }
    return 1;
}

static gsp_status gspi_check_strings(const gsp_module *m, gsp_error *err)
{
    uint32_t key;
    if (m->counts.strings < (uint32_t)GSP_KEY_COUNT ||
        !gspi_check_offsets(m->string_begin, m->counts.strings, m->counts.bytes)) {
        return gspi_damaged(err, GSP_DETAIL_RANGE, GSP_NONE);
    }
    for (key = 0u; key < (uint32_t)GSP_KEY_COUNT; key++) {
        if (!gsp_text_equal(gsp_module_string(m, key), gspi_key(key))) {
            return gspi_damaged(err, GSP_DETAIL_MAGIC, GSP_NONE);
        }
    }
    return GSP_OK;
}

static gsp_status gspi_check_graphs(const gsp_module *m, gsp_error *err)
{
    uint32_t next = 0u;
    uint32_t i;
    for (i = 0u; i < m->counts.graphs; i++) {
        gsp_graph_entry const g = m->graphs[i];
        uint32_t const named = m->by_name[i];
        if (g.first != next || g.n_nodes == 0u || g.n_nodes > m->counts.nodes - next ||
            g.name >= m->counts.strings || named >= m->counts.graphs ||
            (i > 0u && m->graphs[named].name <= m->graphs[m->by_name[i - 1u]].name)) {
            return gspi_damaged(err, GSP_DETAIL_RANGE, GSP_NONE);
        }
        next += g.n_nodes;
    }
    return m->counts.graphs > 0u && next == m->counts.nodes
               ? GSP_OK
               : gspi_damaged(err, GSP_DETAIL_RANGE, GSP_NONE);
}

static gsp_status gspi_check_tables(const gsp_module *m, gsp_error *err)
{
    uint32_t const strings = m->counts.strings;
    uint32_t i;
    int good =
        m->counts.attrs > 0u && m->attrs[m->counts.attrs - 1u].key == (gsp_string)GSP_KEY_NONE;
    for (i = 0u; i < m->counts.attrs && good; i++) {
        good = m->attrs[i].key < strings && m->attrs[i].value < strings;
    }
    for (i = 0u; i < m->n_params + m->n_leaves && good; i++) {
        gsp_use const use = i < m->n_params ? m->params[i] : m->leaves[i - m->n_params];
        good = use.target < strings && use.graph < m->counts.graphs &&
               use.node < m->graphs[use.graph].n_nodes;
    }
    return good ? GSP_OK : gspi_damaged(err, GSP_DETAIL_RANGE, GSP_NONE);
}

static gsp_status gspi_check_node(const gsp_graph *g, gsp_node v, gsp_error *err)
{
    const gsp_module *m = g->module;
    uint32_t const at = g->first + v;
    uint32_t const strings = m->counts.strings;
    if (m->op[at] == (uint8_t)GSP_OP_NONE || m->op[at] >= (uint8_t)GSP_OP_COUNT ||
        (m->op[at] == (uint8_t)GSP_OP_OUTPUT) != (v + 1u == g->n_nodes) ||
        m->out[at] >= (uint8_t)GSP_OUT_COUNT) {
        return gspi_damaged(err, GSP_DETAIL_KIND, v);
    }
    if (m->name[at] >= strings || m->target[at] >= strings || m->type[at] >= strings ||
        m->attr[at] >= m->counts.attrs) {
        return gspi_damaged(err, GSP_DETAIL_RANGE, v);
    }
    return GSP_OK;
}

/* 1 when v is in the ascending row of users of u. */
static int gspi_is_user(const gsp_graph *g, gsp_node u, gsp_node v)
{
    uint32_t end;
    const gsp_node *row = gsp_node_users(g, u, &end);
    uint32_t begin = 0u;
    while (begin < end) {
        uint32_t const middle = begin + (end - begin) / 2u;
        if (row[middle] == v) {
            return 1;
        }
        if (row[middle] < v) {
            begin = middle + 1u;
        } else {
            end = middle;
        }
    }
    return 0;
}

static gsp_status gspi_check_args(const gsp_graph *g, gsp_node v, gsp_error *err)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        uint32_t const value = args[i].value;
        int good = args[i].kind > (uint32_t)GSP_ARG_NONE && args[i].kind < (uint32_t)GSP_ARG_COUNT;
        if (args[i].kind == (uint32_t)GSP_ARG_NODE) {
            good = value < v && gspi_is_user(g, value, v) &&
                   gsp_node_op(g, v) != GSP_OP_PLACEHOLDER && gsp_node_op(g, v) != GSP_OP_GET_ATTR;
        } else if (args[i].kind == (uint32_t)GSP_ARG_CLOSE) {
            good = value <= i && value > 0u && args[i - value].kind >= (uint32_t)GSP_ARG_TUPLE &&
                   args[i - value].kind <= (uint32_t)GSP_ARG_SLICE &&
                   args[i - value].value == value;
        } else if (args[i].kind >= (uint32_t)GSP_ARG_TUPLE) {
            good = good && value < count - i && value > 0u &&
                   args[i + value].kind == (uint32_t)GSP_ARG_CLOSE &&
                   args[i + value].value == value;
        } else {
            good = good && value < g->module->counts.strings;
        }
        if (!good) {
            return gspi_damaged(err, GSP_DETAIL_RANGE, v);
        }
    }
    return GSP_OK;
}

static gsp_status gspi_check_rows(const gsp_graph *g, gsp_node v, gsp_error *err)
{
    uint32_t count;
    const gsp_node *row = gsp_node_users(g, v, &count);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        if (row[i] <= v || row[i] >= g->n_nodes || (i > 0u && row[i] <= row[i - 1u])) {
            return gspi_damaged(err, GSP_DETAIL_ROWS, v);
        }
    }
    row = gsp_node_inputs(g, v, &count);
    for (i = 0u; i < count; i++) {
        if (row[i] >= v && row[i] < g->n_nodes) {
            return gspi_fail_at(err, GSP_STATUS_CYCLE, GSP_DETAIL_NAME_LATER, v, row[i]);
        }
        if (row[i] >= v || !gspi_is_user(g, row[i], v) || gsp_node_op(g, v) == GSP_OP_PLACEHOLDER ||
            gsp_node_op(g, v) == GSP_OP_GET_ATTR) {
            return gspi_damaged(err, GSP_DETAIL_ROWS, v);
        }
    }
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_check_all(const gsp_module *m, gsp_error *err)
{
    uint32_t i;
    GSPI_TRY(gspi_check_strings(m, err));
    GSPI_TRY(gspi_check_graphs(m, err));
    if (!gspi_check_offsets(m->arg_begin, m->counts.nodes, m->counts.args) ||
        !gspi_check_offsets(m->in_begin, m->counts.nodes, m->counts.edges) ||
        !gspi_check_offsets(m->user_begin, m->counts.nodes, m->counts.edges)) {
        return gspi_damaged(err, GSP_DETAIL_RANGE, GSP_NONE);
    }
    GSPI_TRY(gspi_check_tables(m, err));
    for (i = 0u; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        gsp_node v;
        for (v = 0u; v < g.n_nodes; v++) {
            GSPI_TRY(gspi_check_node(&g, v, err));
            GSPI_TRY(gspi_check_rows(&g, v, err));
        }
        for (v = 0u; v < g.n_nodes; v++) {
            GSPI_TRY(gspi_check_args(&g, v, err));
        }
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_module_open(gsp_module *module, const void *block, size_t size, int trusted,
                                   gsp_error *err)
{
    gspi_head head;
    gsp_module m;
    if (module == NULL || block == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (((uintptr_t)block & 7u) != 0u) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_ALIGN);
    }
    if (size < sizeof(head)) {
        return gspi_damaged(err, GSP_DETAIL_CUT, GSP_NONE);
    }
    GSP_MEMCPY(&head, block, sizeof(head));
    m.counts = head.counts;
    m.n_params = head.n_params;
    m.n_leaves = head.n_leaves;
    if (head.magic != GSPI_MAGIC || head.order != GSPI_ORDER || head.version != GSPI_VERSION ||
        !gspi_counts_are_sane(&head.counts) || head.n_params > head.counts.nodes ||
        head.n_leaves > head.counts.nodes || gspi_block_layout(&m, NULL) != head.size) {
        return gspi_damaged(err, GSP_DETAIL_MAGIC, GSP_NONE);
    }
    if (head.size > size) {
        return gspi_damaged(err, GSP_DETAIL_CUT, GSP_NONE);
    }
    (void)gspi_block_layout(&m, (const unsigned char *)block);
    if (!trusted) {
        GSPI_TRY(gspi_check_all(&m, err));
    }
    *module = m;
    return gspi_done(err);
}

/* -------------------------------------------------------------------------------------------------
 * >>k.write   Text into a sink
 * ---------------------------------------------------------------------------------------------- */

typedef struct gspi_writer {
    gsp_sink sink;
    void *user;
    int stopped;
    uint32_t used;
    char buffer[256];
} gspi_writer;

static void gspi_flush(gspi_writer *w)
{
    if (w->used > 0u && !w->stopped) {
        w->stopped = w->sink(w->user, w->buffer, w->used) != 0;
    }
    w->used = 0u;
}

static void gspi_put(gspi_writer *w, gsp_text t)
{
    if (t.size > sizeof(w->buffer) - w->used) {
        gspi_flush(w);
    }
    if (t.size > sizeof(w->buffer)) {
        w->stopped = w->stopped || w->sink(w->user, t.data, t.size) != 0;
        return;
    }
    gspi_copy(w->buffer + w->used, t.data, t.size, 1u);
    w->used += t.size;
}

static void gspi_puts(gspi_writer *w, const char *literal)
{
    gspi_put(w, gsp_text_of(literal));
}

static void gspi_put_number(gspi_writer *w, uint32_t n)
{
    char digits[20];
    gspi_put(w, gspi_slice(digits, 0u, gspi_decimal(n, digits)));
}

static void gspi_writer_start(gspi_writer *w, gsp_sink sink, void *user)
{
    w->sink = sink;
    w->user = user;
    w->stopped = 0;
    w->used = 0u;
}

static gsp_status gspi_writer_end(gspi_writer *w, gsp_error *err)
{
    gspi_flush(w);
    return w->stopped ? gspi_fail(err, GSP_STATUS_LIMIT, GSP_DETAIL_NONE) : gspi_done(err);
}

/* -------------------------------------------------------------------------------------------------
 * >>text   Reading and writing the graph text                                     (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_TEXT

/* Reading: one pass over the lines, straight into a builder. A line is taken apart by a cursor;
 * nested containers live on the builder's own token stream, so that no nesting is too deep. */

typedef struct gspi_reader {
    gsp_builder b;
    const char *text;
    size_t size;
    size_t next;   /* start of the line after this one */
    size_t number; /* of this line, from 1 */
    gsp_text line;
    uint32_t at;   /* cursor in the line */
    int modules;   /* there are `module` lines */
    int expect;    /* 0: `module` or `graph():`, 1: `graph():`, 2: nodes, 3: after the only graph */
    int bare;      /* node names stand without '%' here */
    gsp_text name; /* of the graph to come */
} gspi_reader;

/* ---- the counting pass ---- */

/* The high bits of those of eight bytes at once that are `byte`. */
static uint64_t gspi_matches(uint64_t word, unsigned char byte)
{
    uint64_t const low = 0x7F7F7F7F7F7F7F7Fu;
    uint64_t const x = word ^ (0x0101010101010101u * byte);
    return ~(((x & low) + low) | x | low);
}

/* How many of eight bytes at once are `byte`. */
static uint32_t gspi_match_count(uint64_t word, unsigned char byte)
{
    return (uint32_t)(((gspi_matches(word, byte) >> 7) * 0x0101010101010101u) >> 56);
}

/* The first `byte` in text[at .. size), `size` without one; looks at eight bytes at once. */
static size_t gspi_find_byte(const char *text, size_t size, size_t at, unsigned char byte)
{
    size_t i = at;
    while (i + 8u <= size) {
        uint64_t word;
        GSP_MEMCPY(&word, text + i, 8u);
        if (gspi_matches(word, byte) != 0u) {
            break;
        }
        i += 8u;
    }
    while (i < size && (unsigned char)text[i] != byte) {
        i++;
    }
    return i;
}

/* Bytes to the end of the line at `at`, its line end not included. */
static size_t gspi_line_size(const char *text, size_t size, size_t at)
{
    return gspi_find_byte(text, size, at, '\n') - at;
}

/* The first byte of a line that is no blank; NUL when there is none. */
static char gspi_line_start(gsp_text line)
{
    uint32_t const i = gspi_skip_blanks(line, 0u);
    return i < line.size ? line.data[i] : '\0';
}

/* Where the values of a node line can start: nothing before the first "](" is one. */
static uint32_t gspi_args_at(gsp_text line)
{
    size_t at = gspi_find_byte(line.data, line.size, 0u, ']');
    while (at < line.size && !gspi_at(line, at, "](")) {
        at = gspi_find_byte(line.data, line.size, at + 1u, ']');
    }
    return (uint32_t)at;
}

typedef struct gspi_census {
    uint32_t commas;
    uint32_t opens;
    uint32_t colons;
    uint32_t equals;
} gspi_census;

/* Counts the bytes that matter in line[begin .. end). '[' and '{' differ in one bit. */
static gspi_census gspi_take_census(gsp_text line, uint32_t begin, uint32_t end)
{
    gspi_census c = {0u, 0u, 0u, 0u};
    uint32_t i = begin;
    while (i < end) {
        uint32_t const step = end - i < 8u ? end - i : 8u;
        uint64_t word = 0u;
        if (step == 8u) {
            GSP_MEMCPY(&word, line.data + i, 8u);
        } else {
            uint32_t k;
            for (k = 0u; k < step; k++) {
                word |= (uint64_t)(unsigned char)line.data[i + k] << (8u * k);
            }
        }
        c.commas += gspi_match_count(word, ',');
        c.opens += gspi_match_count(word, '(') + gspi_match_count(word | 0x2020202020202020u, '{');
        c.colons += gspi_match_count(word, ':');
        c.equals += gspi_match_count(word, '=');
        i += step;
    }
    return c;
}

/* Where the arguments of a line end for sure: at an annotation, unless the "})" that ends all
 * arguments stands behind what looks like one. */
static uint32_t gspi_args_limit(gsp_text line, uint32_t begin)
{
    size_t note = gspi_find_byte(line.data, line.size, begin, '#');
    size_t at;
    if (!gspi_at(line, begin, "](args")) {
        return line.size;
    }
    while (note < line.size && !(note >= 4u && gspi_at(line, note - 4u, "})  # "))) {
        note = gspi_find_byte(line.data, line.size, note + 1u, '#');
    }
    at = note;
    while (at < line.size && !gspi_at(line, at, "})")) {
        at = gspi_find_byte(line.data, line.size, at + 1u, '}');
    }
    return at < line.size ? line.size : (uint32_t)note;
}

/* Upper bounds of what a line can hold: a value follows an opening bracket, a ", " or a ": "; an
 * attribute has a '=' behind the first "  #". */
GSPI_OWN_FRAME void gspi_count_line(gsp_text line, gsp_counts *c)
{
    int const is_return = gspi_line_start(line) == 'r';
    uint32_t const begin = is_return ? 0u : gspi_args_at(line);
    uint32_t const end = is_return ? line.size : gspi_args_limit(line, begin);
    gspi_census const args = gspi_take_census(line, begin, end);
    size_t note = gspi_find_byte(line.data, line.size, 0u, '#');
    gspi_census rest;
    while (note < line.size && !(note >= 2u && gspi_at(line, note - 2u, "  #"))) {
        note = gspi_find_byte(line.data, line.size, note + 1u, '#');
    }
    rest = gspi_take_census(line, (uint32_t)note, line.size);
    c->nodes = gspi_count_add(c->nodes, 1u);
    c->args = gspi_count_add(c->args, args.commas + 3u * args.opens + 2u * args.colons + 2u);
    c->attrs = gspi_count_add(c->attrs, rest.equals + 1u);
    c->strings = gspi_count_add(c->strings, args.commas + args.opens + 2u * args.colons +
                                                2u * rest.equals + 6u);
    c->bytes = gspi_count_add(c->bytes, gspi_count_add(line.size, rest.commas));
}

static int gspi_is_node_line(gsp_text line)
{
    return gspi_line_start(line) == '%' || gspi_line_start(line) == 'r';
}

GSPI_OWN_FRAME gsp_status gspi_count_text(const char *text, size_t size, gsp_counts *counts,
                                          gsp_error *err)
{
    gsp_counts c;
    size_t at = 0u;
    if ((text == NULL && size != 0u) || counts == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    gspi_counts_clear(&c);
    c.graphs = 1u;
    while (at < size) {
        size_t const line_size = gspi_line_size(text, size, at);
        gsp_text const line = gspi_slice(text, at, at + line_size);
        if (line_size >= UINT32_MAX / 8u) {
            return gspi_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY);
        }
        if (gspi_is_node_line(line)) {
            gspi_count_line(line, &c);
        } else if (gspi_at(line, gspi_skip_blanks(line, 0u), "module")) {
            c.graphs = gspi_count_add(c.graphs, 1u);
            c.strings = gspi_count_add(c.strings, 1u);
            c.bytes = gspi_count_add(c.bytes, line.size);
        }
        at += line_size + 1u;
    }
    c = gsp_build_counts(c.graphs, c.nodes, c.args, c.attrs, c.strings, c.bytes);
    if (!gspi_counts_are_sane(&c)) {
        return gspi_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY);
    }
    *counts = c;
    return gspi_done(err);
}

GSP_API gsp_status gsp_text_count(const char *text, size_t size, gsp_counts *counts, gsp_error *err)
{
    return gspi_count_text(text, size, counts, err);
}

/* ---- errors ---- */

static gsp_status gspi_read_fail(gspi_reader *r, uint32_t at, gsp_status status, gsp_detail detail)
{
    if (r->b.error.status == GSP_OK || r->b.error.line == 0u) {
        (void)gspi_fail(&r->b.error, status, detail);
        r->b.error.line = r->number;
        r->b.error.column = (size_t)at + 1u;
    }
    return status;
}

static gsp_status gspi_expected(gspi_reader *r, gsp_detail detail)
{
    return gspi_read_fail(r, r->at, GSP_STATUS_PARSE, detail);
}

/* An error of the builder, at this place: what would be ARG in a call is PARSE in a text. */
static gsp_status gspi_read_check(gspi_reader *r, uint32_t at)
{
    gsp_status status = r->b.error.status;
    if (status != GSP_OK && r->b.error.line == 0u) {
        status = status == GSP_STATUS_OVERFLOW ? status : GSP_STATUS_PARSE;
        r->b.error.status = status;
        r->b.error.line = r->number;
        r->b.error.column = (size_t)at + 1u;
    }
    return status;
}

/* ---- lines ---- */

/* To the first line, behind the byte order mark that some editors put there. */
static void gspi_reader_rewind(gspi_reader *r)
{
    r->next = r->size >= 3u && gspi_same(r->text, "\xEF\xBB\xBF", 3u) ? 3u : 0u;
    r->number = 0u;
}

/* Takes the next line, without its line end; 0 at the end of the text. */
static int gspi_next_line(gspi_reader *r)
{
    size_t size;
    if (r->next >= r->size) {
        return 0;
    }
    size = gspi_line_size(r->text, r->size, r->next);
    r->line = gspi_slice(r->text, r->next, r->next + size);
    r->next += size + 1u;
    r->number++;
    while (r->line.size > 0u && r->line.data[r->line.size - 1u] == '\r') {
        r->line.size--;
    }
    r->at = gspi_skip_blanks(r->line, 0u);
    return 1;
}

static int gspi_take(gspi_reader *r, const char *literal)
{
    if (!gspi_at(r->line, r->at, literal)) {
        return 0;
    }
    while (*literal != '\0') {
        literal++;
        r->at++;
    }
    return 1;
}

static void gspi_take_blanks(gspi_reader *r)
{
    r->at = gspi_skip_blanks(r->line, r->at);
}

static char gspi_peek_at(const gspi_reader *r, uint32_t at)
{
    return at < r->line.size ? r->line.data[at] : '\0';
}

static char gspi_peek(const gspi_reader *r)
{
    return gspi_peek_at(r, r->at);
}

/* A comma right before a closing bracket: Python's tuple of one, or somebody's style. */
static void gspi_take_trailing_comma(gspi_reader *r)
{
    r->at += gspi_peek(r) == ',' && gspi_is_close(gspi_peek_at(r, r->at + 1u)) ? 1u : 0u;
}

/* ---- values ---- */

/* Whether this place ends a value: the end of the line, a closing bracket, ", " or ",)". */
static int gspi_is_value_end(gsp_text line, uint32_t at)
{
    if (at >= line.size || gspi_is_close(line.data[at])) {
        return 1;
    }
    return line.data[at] == ',' &&
           (at + 1u >= line.size || line.data[at + 1u] == ' ' || gspi_is_close(line.data[at + 1u]));
}

/* 1 when the error is that a name is defined further down: worth saying. */
static int gspi_is_defined_later(const gspi_reader *r, gsp_text name)
{
    size_t at = (size_t)(r->line.data - r->text); /* a node may name itself */
    while (at < r->size) {
        size_t const size = gspi_line_size(r->text, r->size, at);
        gsp_text const line = gspi_slice(r->text, at, at + size);
        uint32_t const i = gspi_skip_blanks(line, 0u);
        if (gspi_at(line, i, "module ")) {
            return 0;
        }
        if (gspi_at(line, i, "%") && gspi_skip_name(line, i + 1u) - i - 1u == name.size &&
            gspi_same(line.data + i + 1u, name.data, name.size)) {
            return 1;
        }
        at += size + 1u;
    }
    return 0;
}

static gsp_status gspi_read_constant(gspi_reader *r, uint32_t begin, int first)
{
    uint32_t open;
    uint32_t end = gspi_constant_end(r->line, begin, r->bare && r->b.container == GSP_NONE, &open);
    gsp_node node = GSP_NONE;
    gsp_text t;
    r->at = end;
    if (first && end > begin && r->line.data[end - 1u] == ',' && gspi_peek(r) == ')' &&
        (r->b.container == GSP_NONE || r->b.args[r->b.container].kind == (uint32_t)GSP_ARG_TUPLE)) {
        end--; /* the comma of a tuple of one */
    }
    t = gspi_slice(r->line.data, begin, end);
    if (r->bare || r->b.slice != GSP_NONE) {
        gsp_text name = gspi_trim(t);
        name.size -= name.size > 0u && name.data[name.size - 1u] == ',' ? 1u : 0u; /* `(a, b,)` */
        node = gspi_build_lookup(&r->b, name);
    }
    if (node == GSP_NONE && gspi_hides_node(&r->b, t)) {
        r->at = begin;
        return gspi_expected(r, GSP_DETAIL_SEPARATOR);
    }
    gspi_build_push(&r->b, node != GSP_NONE ? GSP_ARG_NODE : GSP_ARG_CONSTANT,
                    node != GSP_NONE ? node : gsp_build_string(&r->b, t));
    return gspi_read_check(r, begin);
}

/* A '%' reference, if one stands here; *done says so. */
static gsp_status gspi_read_node(gspi_reader *r, int *done)
{
    uint32_t const begin = r->at + 1u;
    uint32_t const end = gspi_skip_name(r->line, begin);
    uint32_t const after = gspi_skip_blanks(r->line, end);
    gsp_text const name = gspi_slice(r->line.data, begin, end);
    gsp_node node;
    *done = 0;
    if (end == begin || !(gspi_is_value_end(r->line, after) || gspi_at(r->line, after, "#"))) {
        return GSP_OK;
    }
    node = gspi_build_lookup(&r->b, name);
    if (node == GSP_NONE) {
        return gspi_expected(r, gspi_is_defined_later(r, name) ? GSP_DETAIL_NAME_LATER
                                                               : GSP_DETAIL_NAME_UNKNOWN);
    }
    gspi_build_push(&r->b, GSP_ARG_NODE, node);
    r->at = after;
    gspi_take_trailing_comma(r);
    *done = 1;
    return gspi_read_check(r, begin);
}

static gsp_status gspi_read_key(gspi_reader *r)
{
    uint32_t const begin = gspi_skip_blanks(r->line, r->at);
    uint32_t const end = gspi_key_end(r->line, begin);
    if (end == GSP_NONE) {
        return gspi_expected(r, GSP_DETAIL_KEY);
    }
    gspi_build_push(&r->b, GSP_ARG_KEY,
                    gsp_build_string(&r->b, gspi_slice(r->line.data, begin, end)));
    r->at = end + 1u;
    r->at += gspi_peek(r) == ' ' ? 1u : 0u;
    return gspi_read_check(r, begin);
}

static int gspi_is_closer(uint32_t kind, char c)
{
    return kind == (uint32_t)GSP_ARG_LIST   ? c == ']'
           : kind == (uint32_t)GSP_ARG_DICT ? c == '}'
                                            : c == ')';
}

/* Closes containers as long as the cursor stands on their closing brackets, down to `outer`. */
static gsp_status gspi_read_closers(gspi_reader *r, uint32_t outer)
{
    while (r->b.container != outer) {
        gspi_take_blanks(r);
        if (!gspi_is_close(gspi_peek(r))) {
            return GSP_OK;
        }
        if (!gspi_is_closer(r->b.args[r->b.container].kind, gspi_peek(r))) {
            return gspi_expected(r, GSP_DETAIL_BRACKET);
        }
        gsp_build_close(&r->b);
        r->at++;
        gspi_take_trailing_comma(r);
    }
    return gspi_read_check(r, r->at);
}

/* Reads one value with everything in it; `first`: it is the first element of what holds it. The
 * loop stands at the beginning of a value each time; what is open is on the token stream. */
static gsp_status gspi_read_value(gspi_reader *r, int first)
{
    uint32_t const outer = r->b.container;
    do {
        uint32_t const begin = r->at;
        uint32_t size;
        gsp_arg_kind kind;
        int done = 0;
        gspi_take_blanks(r);
        kind = gspi_container_at(r->line, r->at, &size);
        if (kind != GSP_ARG_NONE) {
            gsp_build_open(&r->b, kind);
            r->at += size;
            first = 1;
            if (gspi_is_close(gspi_peek_at(r, gspi_skip_blanks(r->line, r->at)))) {
                GSPI_TRY(gspi_read_closers(r, outer));
            } else {
                GSPI_TRY(kind == GSP_ARG_DICT ? gspi_read_key(r) : gspi_read_check(r, r->at));
                continue;
            }
        } else {
            if (gspi_peek(r) == '%') {
                GSPI_TRY(gspi_read_node(r, &done));
            }
            if (!done) {
                GSPI_TRY(gspi_read_constant(r, begin, first));
            }
            GSPI_TRY(gspi_read_closers(r, outer));
        }
        if (r->b.container != outer) {
            first = 0;
            if (!gspi_take(r, ", ")) {
                return gspi_expected(r, GSP_DETAIL_BRACKET);
            }
            if (r->b.args[r->b.container].kind == (uint32_t)GSP_ARG_DICT) {
                GSPI_TRY(gspi_read_key(r));
            }
        }
    } while (r->b.container != outer);
    return gspi_read_check(r, r->at);
}

/* `args = (...)` or `kwargs = {...}`: elements up to the closing bracket, which is taken. */
static gsp_status gspi_read_elements(gspi_reader *r, char close)
{
    int first = 1;
    if (gspi_peek_at(r, gspi_skip_blanks(r->line, r->at)) != close) {
        do {
            if (close == '}') {
                GSPI_TRY(gspi_read_key(r));
            }
            GSPI_TRY(gspi_read_value(r, first));
            first = 0;
        } while (gspi_take(r, ", "));
    }
    gspi_take_blanks(r);
    gspi_take_trailing_comma(r);
    if (gspi_peek(r) != close) {
        return gspi_expected(r, GSP_DETAIL_BRACKET);
    }
    r->at++;
    return GSP_OK;
}

/* ---- annotations ---- */

static gsp_status gspi_read_attr(gspi_reader *r)
{
    uint32_t const begin = r->at;
    uint32_t const equals = gspi_word_end(r->line, begin, "=");
    if (equals == begin || !gspi_at(r->line, equals, "=") || gspi_at(r->line, begin, ":=")) {
        return gspi_expected(r, GSP_DETAIL_ANNOTATION);
    }
    r->at = gspi_word_end(r->line, equals, "");
    gsp_build_attr(&r->b, gspi_slice(r->line.data, begin, equals),
                   gspi_slice(r->line.data, (size_t)equals + 1u, r->at));
    return gspi_read_check(r, equals + 1u);
}

/* What stands after the node: nothing, or `# TYPE key=value ...`. */
static gsp_status gspi_read_annotation(gspi_reader *r)
{
    uint32_t word;
    gspi_take_blanks(r);
    if (r->at == r->line.size) {
        return GSP_OK;
    }
    if (!gspi_at(r->line, r->at - 2u, "  #") || !gspi_take(r, "#")) {
        return gspi_expected(r, GSP_DETAIL_TRAILING);
    }
    gspi_take_blanks(r);
    word = gspi_word_end(r->line, r->at, "=[(");
    if (word > r->at && !gspi_at(r->line, word, "=")) {
        uint32_t const begin = r->at;
        r->at = gspi_build_type_at(&r->b, r->line, begin);
        GSPI_TRY(gspi_read_check(r, begin));
        if (r->at < r->line.size && !gspi_is_blank(gspi_peek(r))) {
            return gspi_expected(r, GSP_DETAIL_TYPE);
        }
    }
    for (gspi_take_blanks(r); r->at < r->line.size; gspi_take_blanks(r)) {
        GSPI_TRY(gspi_read_attr(r));
    }
    return GSP_OK;
}

/* ---- nodes ---- */

static const char *gspi_op_name(uint32_t op)
{
    switch (op) {
    case GSP_OP_PLACEHOLDER:
        return "placeholder";
    case GSP_OP_GET_ATTR:
        return "get_attr";
    case GSP_OP_CALL_FUNCTION:
        return "call_function";
    case GSP_OP_CALL_METHOD:
        return "call_method";
    default:
        return "call_module";
    }
}

static gsp_op gspi_op_of(gsp_text word)
{
    uint32_t op = (uint32_t)GSP_OP_PLACEHOLDER;
    while (op < (uint32_t)GSP_OP_OUTPUT && !gsp_text_equal(word, gsp_text_of(gspi_op_name(op)))) {
        op++;
    }
    return op < (uint32_t)GSP_OP_OUTPUT ? (gsp_op)op : GSP_OP_NONE;
}

/* `TYPE [num_users=N] = `: the type expression, which may be empty, and N. */
static gsp_status gspi_read_users(gspi_reader *r, gsp_text *type, gsp_text *users)
{
    uint32_t const begin = r->at;
    uint32_t end;
    while (r->at < r->line.size && !gspi_at(r->line, r->at, "[num_users=") &&
           !gspi_at(r->line, r->at, "[#users=")) {
        r->at++;
    }
    end = r->at;
    if (r->at == r->line.size) {
        r->at = begin;
        return gspi_expected(r, GSP_DETAIL_USERS);
    }
    while (end > begin && gspi_is_blank(r->line.data[end - 1u])) {
        end--;
    }
    *type = gspi_slice(r->line.data, begin, end);
    r->at += gspi_at(r->line, r->at, "[num_users=") ? 11u : 8u;
    end = r->at;
    while (gspi_is_digit(gspi_peek(r))) {
        r->at++;
    }
    *users = gspi_slice(r->line.data, end, r->at);
    if (users->size == 0u || !gspi_take(r, "]")) {
        return gspi_expected(r, GSP_DETAIL_USERS);
    }
    gspi_take_blanks(r);
    if (!gspi_take(r, "=")) {
        return gspi_expected(r, GSP_DETAIL_USERS);
    }
    gspi_take_blanks(r);
    return GSP_OK;
}

/* `[target=...]`. */
static gsp_status gspi_read_target(gspi_reader *r, gsp_op op, gsp_text *target)
{
    uint32_t end;
    if (!gspi_take(r, "[target=")) {
        return gspi_expected(r, GSP_DETAIL_TARGET);
    }
    end = gspi_target_end(gspi_slice(r->line.data, r->at, r->line.size),
                          gspi_is_callable((uint8_t)op));
    if (end >= r->line.size - r->at) { /* not found: say where it should have been */
        end = (uint32_t)gspi_find_byte(r->line.data, r->line.size, r->at, ']');
        r->at = end < r->line.size && gspi_is_callable((uint8_t)op) ? end + 1u : r->at;
        return gspi_expected(r, gspi_is_callable((uint8_t)op) && end < r->line.size
                                    ? GSP_DETAIL_ARGS
                                    : GSP_DETAIL_TARGET);
    }
    *target = gspi_slice(r->line.data, r->at, (size_t)r->at + end);
    r->at += end + 1u;
    return GSP_OK;
}

static gsp_status gspi_read_call(gspi_reader *r)
{
    if (!gspi_take(r, "(args = (")) {
        return gspi_expected(r, GSP_DETAIL_ARGS);
    }
    GSPI_TRY(gspi_read_elements(r, ')'));
    if (!gspi_take(r, ", kwargs = {")) {
        return gspi_expected(r, GSP_DETAIL_ARGS);
    }
    GSPI_TRY(gspi_read_elements(r, '}'));
    return gspi_take(r, ")") ? GSP_OK : gspi_expected(r, GSP_DETAIL_ARGS);
}

static gsp_status gspi_read_default(gspi_reader *r)
{
    if (gspi_peek(r) != '(') {
        return GSP_OK;
    }
    if (!gspi_take(r, "(default=")) {
        return gspi_expected(r, GSP_DETAIL_DEFAULT);
    }
    GSPI_TRY(gspi_read_value(r, 0));
    if (!gspi_take(r, ")") || gspi_build_shape(&r->b) != GSP_DETAIL_NONE) {
        return gspi_expected(r, GSP_DETAIL_DEFAULT);
    }
    return GSP_OK;
}

static gsp_status gspi_read_node_line(gspi_reader *r)
{
    uint32_t const name_at = ++r->at;
    gsp_text name;
    gsp_text type;
    gsp_text users;
    gsp_text target;
    gsp_op op;
    r->at = gspi_skip_name(r->line, name_at);
    name = gspi_slice(r->line.data, name_at, r->at);
    gspi_take_blanks(r);
    if (name.size == 0u || !gspi_take(r, ":")) {
        return gspi_expected(r, name.size == 0u ? GSP_DETAIL_NAME : GSP_DETAIL_LINE);
    }
    gspi_take_blanks(r);
    GSPI_TRY(gspi_read_users(r, &type, &users));
    op = gspi_op_of(gspi_slice(r->line.data, r->at, gspi_skip_name(r->line, r->at)));
    if (op == GSP_OP_NONE) {
        return gspi_expected(r, GSP_DETAIL_OP);
    }
    r->at = gspi_skip_name(r->line, r->at);
    GSPI_TRY(gspi_read_target(r, op, &target));
    (void)gsp_build_node(&r->b, op, name, target);
    GSPI_TRY(gspi_read_check(r, name_at));
    if (type.size != 0u) {
        gsp_build_attr(&r->b, gspi_key(GSP_KEY_ANNOTATION), type);
    }
    r->bare = 0;
    if (op == GSP_OP_PLACEHOLDER) {
        GSPI_TRY(gspi_read_default(r));
    } else if (op != GSP_OP_GET_ATTR) {
        GSPI_TRY(gspi_read_call(r));
    }
    return gspi_read_annotation(r);
}

static gsp_status gspi_read_return(gspi_reader *r)
{
    r->at += 6u;
    r->at += r->at < r->line.size ? 1u : 0u;
    if (gspi_skip_blanks(r->line, r->at) == r->line.size) {
        return gspi_expected(r, GSP_DETAIL_RETURN);
    }
    (void)gsp_build_output(&r->b);
    GSPI_TRY(gspi_read_check(r, 0u));
    r->bare = 1;
    GSPI_TRY(gspi_read_value(r, 0));
    if (gspi_build_shape(&r->b) == GSP_DETAIL_RETURN) {
        return gspi_expected(r, GSP_DETAIL_RETURN);
    }
    r->expect = r->modules ? 0 : 3;
    return gspi_read_annotation(r);
}

/* ---- the text as a whole ---- */

static gsp_status gspi_read_module_line(gspi_reader *r)
{
    uint32_t begin;
    uint32_t end;
    r->at += 6u;
    gspi_take_blanks(r);
    begin = r->at;
    end = r->line.size;
    while (end > begin && gspi_is_blank(r->line.data[end - 1u])) {
        end--;
    }
    r->name = gspi_slice(r->line.data, begin, end);
    if (begin == end || (!r->modules && !gsp_text_equal(r->name, gspi_key(GSP_KEY_MAIN)))) {
        return gspi_expected(r, GSP_DETAIL_MODULE_NAME);
    }
    r->modules = 1;
    r->expect = 1;
    return GSP_OK;
}

static gsp_status gspi_read_header(gspi_reader *r)
{
    uint32_t end = r->line.size;
    while (end > r->at && gspi_is_blank(r->line.data[end - 1u])) {
        end--;
    }
    if (!gspi_take(r, "graph(") || end < r->at + 2u || !gspi_at(r->line, end - 2u, "):")) {
        return gspi_expected(r, GSP_DETAIL_HEADER);
    }
    gsp_build_graph(&r->b, r->name);
    r->expect = 2;
    return gspi_read_check(r, 0u);
}

static int gspi_at_word(const gspi_reader *r, const char *word, uint32_t size)
{
    return gspi_at(r->line, r->at, word) &&
           (r->at + size == r->line.size || gspi_is_blank(r->line.data[r->at + size]));
}

static gsp_status gspi_read_line(gspi_reader *r)
{
    if (r->at == r->line.size || gspi_peek(r) == '#') {
        return GSP_OK;
    }
    switch (r->expect) {
    case 0:
        if (gspi_at_word(r, "module", 6u)) {
            return gspi_read_module_line(r);
        }
        return r->modules ? gspi_expected(r, GSP_DETAIL_AFTER_RETURN) : gspi_read_header(r);
    case 1:
        return gspi_read_header(r);
    case 2:
        if (gspi_peek(r) == '%') {
            return gspi_read_node_line(r);
        }
        return gspi_at_word(r, "return", 6u) ? gspi_read_return(r)
                                             : gspi_expected(r, GSP_DETAIL_LINE);
    default:
        return gspi_expected(r, GSP_DETAIL_AFTER_RETURN);
    }
}

GSPI_OWN_FRAME gsp_status gspi_read_lines(gspi_reader *r)
{
    while (gspi_next_line(r)) {
        uint32_t const at = (uint32_t)gspi_find_byte(r->line.data, r->line.size, 0u, '\0');
        if (at < r->line.size) {
            return gspi_read_fail(r, at, GSP_STATUS_PARSE, GSP_DETAIL_NUL_BYTE);
        }
        GSPI_TRY(gspi_read_line(r));
    }
    r->number++;
    r->at = 0u;
    if (r->expect == 2) {
        return gspi_expected(r, GSP_DETAIL_RETURN);
    }
    return r->expect == 1 || r->b.used.graphs == 0u ? gspi_expected(r, GSP_DETAIL_HEADER) : GSP_OK;
}

/* Goes over the lines again to compare num_users with what was counted. */
GSPI_OWN_FRAME gsp_status gspi_read_check_users(gspi_reader *r)
{
    const gsp_module *m = r->b.made;
    uint32_t v = 0u;
    gspi_reader_rewind(r);
    while (gspi_next_line(r)) {
        if (gspi_peek(r) == '%') {
            gsp_text type;
            gsp_text users;
            uint64_t claimed = 0u;
            while (!gspi_take(r, ":")) {
                r->at++;
            }
            gspi_take_blanks(r);
            (void)gspi_read_users(r, &type, &users);
            (void)gspi_number(users, &claimed);
            if (claimed != (uint64_t)(m->user_begin[v + 1u] - m->user_begin[v])) {
                return gspi_read_fail(r, (uint32_t)(users.data - r->line.data), GSP_STATUS_PARSE,
                                      GSP_DETAIL_USERS_WRONG);
            }
        }
        v += gspi_is_node_line(r->line) ? 1u : 0u;
    }
    return GSP_OK;
}

/* A module name that stands twice is noticed at the end; finds its line. */
GSPI_OWN_FRAME void gspi_read_module_twice(gspi_reader *r)
{
    uint32_t graph = 0u;
    gspi_reader_rewind(r);
    while (gspi_next_line(r)) {
        if (gspi_at_word(r, "module", 6u) && graph++ == r->b.error.node) {
            r->at = gspi_skip_blanks(r->line, r->at + 6u);
            (void)gspi_expected(r, GSP_DETAIL_MODULE_NAME);
            return;
        }
    }
}

static gsp_status gspi_text_desc_check(const gsp_text_desc *desc, gsp_error *err)
{
    if (desc != NULL && (desc->start_canary != 0u || desc->end_canary != 0u)) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    return GSP_OK;
}

static void gspi_reader_start(gspi_reader *r, const char *text, size_t size)
{
    r->text = text;
    r->size = size;
    gspi_reader_rewind(r);
    r->at = 0u;
    r->modules = 0;
    r->expect = 0;
    r->bare = 0;
    r->name = gspi_slice("", 0u, 0u);
}

GSP_API gsp_status gsp_text_read(gsp_arena *arena, const char *text, size_t size,
                                 const gsp_text_desc *desc, gsp_module *module, gsp_error *err)
{
    gspi_reader r;
    if (arena == NULL || module == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_text_desc_check(desc, err));
    GSPI_TRY(gspi_count_text(text, size, &r.b.cap, err));
    GSPI_TRY(gsp_build_init(&r.b, arena, &r.b.cap, err));
    gspi_reader_start(&r, text, size);
    if (gspi_read_lines(&r) == GSP_OK && gspi_build_make(&r.b) != GSP_OK) {
        gspi_read_module_twice(&r);
    }
    if (r.b.error.status == GSP_OK && desc != NULL && desc->check_users) {
        (void)gspi_read_check_users(&r);
    }
    return gspi_build_end(&r.b, module, err);
}

/* ---- writing ---- */

static void gspi_put_close(gspi_writer *w, const gsp_arg *args, uint32_t close)
{
    uint32_t const open = close - args[close].value;
    if (args[open].kind == (uint32_t)GSP_ARG_TUPLE) {
        int const one = close > open + 1u && gspi_element_end(args, open + 1u) == close;
        gspi_puts(w, one ? ",)" : ")");
    } else {
        gspi_puts(w, args[open].kind == (uint32_t)GSP_ARG_LIST   ? "]"
                     : args[open].kind == (uint32_t)GSP_ARG_DICT ? "}"
                                                                 : ")");
    }
}

/* Tokens begin .. end of args; names without '%' when `bare`, and inside a slice. */
static void gspi_put_args(gspi_writer *w, const gsp_graph *g, const gsp_arg *args, uint32_t begin,
                          uint32_t end, int bare)
{
    uint32_t slice_end = begin;
    int comma = 0;
    uint32_t i;
    for (i = begin; i < end; i++) {
        uint32_t const kind = args[i].kind;
        if (comma && kind != (uint32_t)GSP_ARG_CLOSE) {
            gspi_puts(w, ", ");
        }
        comma = 1;
        if (kind == (uint32_t)GSP_ARG_NODE) {
            gspi_puts(w, bare || i < slice_end ? "" : "%");
            gspi_put(w, gsp_node_name(g, args[i].value));
        } else if (kind == (uint32_t)GSP_ARG_CLOSE) {
            gspi_put_close(w, args, i);
        } else if (kind >= (uint32_t)GSP_ARG_TUPLE) {
            gspi_puts(w, kind == (uint32_t)GSP_ARG_TUPLE  ? "("
                         : kind == (uint32_t)GSP_ARG_LIST ? "["
                         : kind == (uint32_t)GSP_ARG_DICT ? "{"
                                                          : "slice(");
            if (kind == (uint32_t)GSP_ARG_SLICE && i + args[i].value > slice_end) {
                slice_end = i + args[i].value;
            }
            comma = 0;
        } else {
            gspi_put(w, gsp_module_string(g->module, args[i].value));
            if (kind == (uint32_t)GSP_ARG_KEY) {
                gspi_puts(w, ": ");
                comma = 0;
            }
        }
    }
}

static void gspi_put_call(gspi_writer *w, const gsp_graph *g, gsp_node v)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t keys = 0u;
    while (keys < count && args[keys].kind != (uint32_t)GSP_ARG_KEY) {
        keys = gspi_element_end(args, keys);
    }
    gspi_puts(w, "(args = (");
    gspi_put_args(w, g, args, 0u, keys, 0);
    gspi_puts(w,
              keys > 0u && gspi_element_end(args, 0u) == keys ? ",), kwargs = {" : "), kwargs = {");
    gspi_put_args(w, g, args, keys, count, 0);
    gspi_puts(w, "})");
}

static void gspi_put_annotation(gspi_writer *w, const gsp_graph *g, gsp_node v)
{
    const gsp_module *m = g->module;
    const gsp_attr *a = m->attrs + m->attr[g->first + v];
    const char *before = "  # ";
    if (m->type[g->first + v] != (gsp_string)GSP_KEY_NONE) {
        gspi_puts(w, before);
        gspi_put(w, gsp_node_type(g, v));
        before = " ";
    }
    for (; a->key != (gsp_string)GSP_KEY_NONE; a++) {
        if (a->key != (gsp_string)GSP_KEY_ANNOTATION) {
            gspi_puts(w, before);
            gspi_put(w, gsp_module_string(m, a->key));
            gspi_puts(w, "=");
            gspi_put(w, gsp_module_string(m, a->value));
            before = " ";
        }
    }
}

static void gspi_put_node(gspi_writer *w, const gsp_graph *g, gsp_node v)
{
    gsp_op const op = gsp_node_op(g, v);
    gsp_text const type = gsp_node_attr(g, v, GSP_KEY_ANNOTATION);
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    gspi_puts(w, "    %");
    gspi_put(w, gsp_node_name(g, v));
    gspi_puts(w, " : ");
    if (type.data != NULL) {
        gspi_put(w, type);
        gspi_puts(w, " ");
    }
    gspi_puts(w, "[num_users=");
    gspi_put_number(w,
                    g->module->user_begin[g->first + v + 1u] - g->module->user_begin[g->first + v]);
    gspi_puts(w, "] = ");
    gspi_puts(w, gspi_op_name((uint32_t)op));
    gspi_puts(w, "[target=");
    gspi_put(w, gsp_node_target(g, v));
    gspi_puts(w, "]");
    if (gspi_is_callable((uint8_t)op)) {
        gspi_put_call(w, g, v);
    } else if (count > 0u) {
        gspi_puts(w, "(default=");
        gspi_put_args(w, g, args, 0u, count, 0);
        gspi_puts(w, ")");
    }
}

static void gspi_put_line(gspi_writer *w, const gsp_graph *g, gsp_node v, const gsp_text_desc *desc)
{
    if (gsp_node_op(g, v) == GSP_OP_OUTPUT) {
        uint32_t count;
        const gsp_arg *args = gsp_node_args(g, v, &count);
        gspi_puts(w, "    return ");
        gspi_put_args(w, g, args, 0u, count, 1);
    } else {
        gspi_put_node(w, g, v);
    }
    if (desc == NULL || !desc->no_annotations) {
        gspi_put_annotation(w, g, v);
    }
    gspi_puts(w, "\n");
}

static void gspi_put_graph(gspi_writer *w, const gsp_graph *g, const gsp_text_desc *desc)
{
    int const hoist = desc != NULL && desc->hoist;
    gsp_node v;
    gspi_puts(w, "graph():\n");
    for (v = 0u; hoist && v < g->n_nodes && !w->stopped; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
            gspi_put_line(w, g, v, desc);
        }
    }
    for (v = 0u; v < g->n_nodes && !w->stopped; v++) {
        if (!hoist || gsp_node_op(g, v) != GSP_OP_PLACEHOLDER) {
            gspi_put_line(w, g, v, desc);
        }
    }
}

GSP_API gsp_status gsp_text_write(const gsp_module *module, const gsp_text_desc *desc,
                                  gsp_sink sink, void *user, gsp_error *err)
{
    gspi_writer w;
    uint32_t i;
    if (module == NULL || sink == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_text_desc_check(desc, err));
    gspi_writer_start(&w, sink, user);
    for (i = 0u; i < module->counts.graphs && !w.stopped; i++) {
        gsp_graph const g = gsp_module_graph(module, i);
        if (module->counts.graphs > 1u || (desc != NULL && desc->as_module)) {
            gspi_puts(&w, "module ");
            gspi_put(&w, gsp_module_string(module, module->graphs[i].name));
            gspi_puts(&w, "\n");
        }
        gspi_put_graph(&w, &g, desc);
    }
    return gspi_writer_end(&w, err);
}

GSP_API gsp_status gsp_text_write_graph(const gsp_graph *graph, const gsp_text_desc *desc,
                                        gsp_sink sink, void *user, gsp_error *err)
{
    gspi_writer w;
    if (graph == NULL || sink == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_text_desc_check(desc, err));
    gspi_writer_start(&w, sink, user);
    gspi_put_graph(&w, graph, desc);
    return gspi_writer_end(&w, err);
}

GSP_API gsp_status gsp_text_write_value(const gsp_graph *graph, const gsp_arg *args, uint32_t count,
                                        int output, gsp_sink sink, void *user, gsp_error *err)
{
    gspi_writer w;
    if (graph == NULL || sink == NULL || (args == NULL && count != 0u)) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    gspi_writer_start(&w, sink, user);
    gspi_put_args(&w, graph, args, 0u, count, output);
    return gspi_writer_end(&w, err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>k.live   Which values share memory, and how long they live
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_MEMORY

/* A storage is memory that one node makes. Its id is that node. A view (alias=) has none of its own
 * and keeps that of its input alive. An aggregate that a call yields is one storage, and each of
 * its elements that operator.getitem takes is one, made together with the aggregate: an element
 * lives on when the aggregate is gone, or dies before it. Elements of elements, of aggregates that
 * are given or are views, and of one that says fewer bytes than they do, stay part of the whole.
 * Parameters have no storage.
 *
 * of[v]: the storage of a value, GSP_NONE: none. */

static int gspi_is_getitem(const gsp_graph *g, gsp_node v)
{
    return g->module->op[g->first + v] == (uint8_t)GSP_OP_CALL_FUNCTION &&
           g->module->target[g->first + v] == (gsp_string)GSP_KEY_GETITEM;
}

/* The aggregate that a getitem reads, GSP_NONE: it is none, or reads something else. */
static gsp_node gspi_getitem_of(const gsp_graph *g, gsp_node v)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    if (!gspi_is_getitem(g, v) || count == 0u || args[0].kind != (uint32_t)GSP_ARG_NODE ||
        gsp_node_out(g, args[0].value) != GSP_OUT_AGGREGATE) {
        return GSP_NONE;
    }
    return args[0].value;
}

/* The constant that a getitem of `from` asks for, GSP_NONE: it is none, or asks otherwise. */
static gsp_string gspi_getitem_key(const gsp_graph *g, gsp_node v, gsp_node from)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    return gspi_getitem_of(g, v) == from && count == 2u &&
                   args[1].kind == (uint32_t)GSP_ARG_CONSTANT
               ? args[1].value
               : GSP_NONE;
}

/* The aggregate that a storage is an element of, GSP_NONE: it is none. */
static gsp_node gspi_element_of(const gsp_graph *g, const uint32_t *of, gsp_node v)
{
    return of[v] == v ? gspi_getitem_of(g, v) : GSP_NONE;
}

/* The aggregate that `v` takes a storage of its own from. */
static gsp_node gspi_taken_from(const gsp_graph *g, const uint32_t *of, gsp_node v)
{
    gsp_node const from = of[v] == GSP_NONE ? GSP_NONE : gspi_getitem_of(g, v);
    return from != GSP_NONE && gspi_element_of(g, of, of[v]) == from ? from : GSP_NONE;
}

/* The node at a flattened position of the arguments: containers are entered, constants count.
 * GSP_NONE: a constant stands there; n_nodes: nothing does. */
static gsp_node gspi_node_at(const gsp_graph *g, gsp_node v, uint64_t position)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        int const is_node = args[i].kind == (uint32_t)GSP_ARG_NODE;
        if (is_node || args[i].kind == (uint32_t)GSP_ARG_CONSTANT) {
            if (position == 0u) {
                return is_node ? args[i].value : GSP_NONE;
            }
            position--;
        }
    }
    return g->n_nodes;
}

/* How many elements a TYPE lists: commas outside of inner brackets, and one. */
static uint64_t gspi_type_elements(gsp_text type)
{
    uint64_t elements = 1u;
    uint32_t depth = 0u;
    uint32_t i;
    for (i = 0u; i < type.size; i++) {
        depth += gspi_is_open(type.data[i]) ? 1u : 0u;
        depth -= gspi_is_close(type.data[i]) && depth > 0u ? 1u : 0u;
        elements += type.data[i] == ',' && depth == 1u ? 1u : 0u;
    }
    return elements;
}

/* Equal for getitems that take the same element: its number, or the key of a dict. */
static uint64_t gspi_element_key(const gsp_graph *g, gsp_node from, gsp_node getitem,
                                 uint64_t elements)
{
    gsp_string const s = gspi_getitem_key(g, getitem, from);
    gsp_text t = gsp_module_string(g->module, s);
    int const negative = t.size > 1u && t.data[0] == '-';
    uint64_t number;
    if (negative) {
        t = gspi_slice(t.data, 1u, t.size);
    }
    if (!gspi_number(t, &number) || number > UINT32_MAX || (negative && number > elements)) {
        return ((uint64_t)1u << 63) | s;
    }
    return negative ? elements - number : number;
}

/* The slot of an element in a table of all nodes, which holds its first getitem or, when it is
 * free, GSP_NONE or something of another aggregate. */
static uint32_t gspi_element_slot(const gsp_graph *g, gsp_node from, gsp_node getitem,
                                  uint64_t elements, const uint32_t *slots)
{
    uint64_t const key = gspi_element_key(g, from, getitem, elements);
    uint32_t slot = (uint32_t)(key % g->n_nodes);
    while (slots[slot] != GSP_NONE && gspi_getitem_key(g, slots[slot], from) != GSP_NONE &&
           gspi_element_key(g, from, slots[slot], elements) != key) {
        slot = slot + 1u < g->n_nodes ? slot + 1u : 0u;
    }
    return slot;
}

/* Elements of an aggregate: the first getitem of each has the storage, others are views of it. */
static void gspi_storage_elements(const gsp_graph *g, gsp_node from, uint32_t *of, uint32_t *slots)
{
    uint64_t const elements = gspi_type_elements(gsp_node_type(g, from));
    uint64_t left = gsp_node_bytes(g, from);
    uint32_t count;
    const gsp_node *users = gsp_node_users(g, from, &count);
    int fits = 1;
    uint32_t i;
    for (i = 0u; i < count; i++) {
        if (gspi_getitem_key(g, users[i], from) != GSP_NONE) {
            uint32_t const slot = gspi_element_slot(g, from, users[i], elements, slots);
            gsp_node const first = slots[slot];
            if (first != GSP_NONE && gspi_getitem_key(g, first, from) != GSP_NONE) {
                of[users[i]] = first;
            } else {
                uint64_t const bytes = gsp_node_bytes(g, users[i]);
                slots[slot] = users[i];
                of[users[i]] = users[i];
                fits = fits && bytes <= left;
                left -= fits ? bytes : 0u;
            }
        }
    }
    for (i = 0u; i < count && !fits; i++) {
        if (gspi_getitem_key(g, users[i], from) != GSP_NONE) {
            of[users[i]] = from;
        }
    }
}

/* The storage of `v` that no aggregate has given one; n_nodes: alias= is wrong. */
static gsp_node gspi_storage_of(const gsp_graph *g, gsp_node v, const uint32_t *of)
{
    gsp_text const alias = gsp_node_attr(g, v, GSP_KEY_ALIAS);
    gsp_node u = gspi_getitem_of(g, v);
    uint64_t position = 0u;
    if (gsp_node_op(g, v) == GSP_OP_GET_ATTR || gsp_node_op(g, v) == GSP_OP_OUTPUT) {
        return GSP_NONE;
    }
    if (u == GSP_NONE && alias.data != NULL && gsp_node_is_callable(g, v)) {
        u = gspi_number(alias, &position) ? gspi_node_at(g, v, position) : g->n_nodes;
    }
    return u == GSP_NONE ? v : u < g->n_nodes ? of[u] : u;
}

/* Fills of[n]; slots [n] is scratch. */
static gsp_status gspi_storages(const gsp_graph *g, uint32_t *of, uint32_t *slots, gsp_error *err)
{
    gsp_node v;
    gspi_set(of, 0xFF, g->n_nodes, sizeof(uint32_t));
    gspi_set(slots, 0xFF, g->n_nodes, sizeof(uint32_t));
    for (v = 0u; v < g->n_nodes; v++) {
        if (of[v] == GSP_NONE) {
            of[v] = gspi_storage_of(g, v, of);
            if (of[v] == g->n_nodes) {
                return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_ALIAS, v, GSP_NONE);
            }
            if (of[v] == v && gsp_node_out(g, v) == GSP_OUT_AGGREGATE &&
                gsp_node_is_callable(g, v)) {
                gspi_storage_elements(g, v, of, slots);
            }
        }
    }
    return GSP_OK;
}

/* All bytes that a graph could ever need at once must fit into 64 bits. */
static gsp_status gspi_live_sum(const gsp_graph *g, const uint64_t *scratch, gsp_error *err)
{
    uint64_t sum = 0u;
    gsp_node v;
    for (v = 0u; v < g->n_nodes; v++) {
        uint64_t const own = gsp_node_bytes(g, v);
        uint64_t const more = scratch == NULL ? 0u : scratch[v];
        if (own > UINT64_MAX - sum || more > UINT64_MAX - sum - own) {
            return gspi_fail_at(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v, GSP_NONE);
        }
        sum += own + more;
    }
    return GSP_OK;
}

/* A part of a graph that runs in one go: a range of an order. What comes from outside of it is
 * there from its first step until it is read for the last time; what is read after it lives to its
 * last step. */
typedef struct gspi_live {
    const gsp_graph *graph;
    const uint32_t *of;    /* [n] of gspi_storages() */
    const uint32_t *pos;   /* [n] place in the order, GSP_NONE: outside of all ranges; NULL: the
                            * whole graph in its own order, placeholders given */
    const gsp_node *order; /* NULL with pos */
    uint32_t *end;         /* [n] last step at which a storage is needed, GSP_NONE: it is not */
    gsp_node *active;      /* the storages that are needed, in the order of first need */
    uint32_t n_active;
    uint32_t first; /* of the range in the order */
    uint32_t size;  /* steps */
} gspi_live;

static void gspi_live_start(gspi_live *l, const gsp_graph *g, const uint32_t *of,
                            const uint32_t *pos, const gsp_node *order)
{
    l->graph = g;
    l->of = of;
    l->pos = pos;
    l->order = order;
    gspi_set(l->end, 0xFF, g->n_nodes, sizeof(uint32_t));
}

static int gspi_live_has(const gspi_live *l, gsp_node v)
{
    return l->pos == NULL ? gsp_node_op(l->graph, v) != GSP_OP_PLACEHOLDER
                          : l->pos[v] - l->first < l->size;
}

static gsp_node gspi_live_node(const gspi_live *l, uint32_t step)
{
    return l->order == NULL ? step : l->order[l->first + step];
}

/* An element that is taken from a given aggregate stays part of it. */
static void gspi_live_need(gspi_live *l, gsp_node value, uint32_t step)
{
    gsp_node s = l->of[value];
    gsp_node const from = s == GSP_NONE ? GSP_NONE : gspi_element_of(l->graph, l->of, s);
    if (from != GSP_NONE && gspi_live_has(l, s) && !gspi_live_has(l, from)) {
        s = from;
    }
    if (s == GSP_NONE) {
        return;
    }
    if (l->end[s] == GSP_NONE) {
        l->active[l->n_active++] = s;
        l->end[s] = step;
    } else if (l->end[s] < step) {
        l->end[s] = step;
    }
}

static void gspi_live_step(gspi_live *l, uint32_t step)
{
    gsp_node const v = gspi_live_node(l, step);
    uint32_t count;
    const gsp_node *list = gsp_node_inputs(l->graph, v, &count);
    gsp_node const from = gspi_taken_from(l->graph, l->of, v);
    uint32_t i;
    if (from == GSP_NONE || !gspi_live_has(l, from)) {
        for (i = 0u; i < count; i++) {
            gspi_live_need(l, list[i], step);
        }
    }
    if (from == GSP_NONE || l->of[v] != v) {
        gspi_live_need(l, v, gspi_live_has(l, v) ? step : 0u);
    }
    list = gsp_node_users(l->graph, v, &count);
    for (i = 0u; i < count && l->pos != NULL; i++) {
        if (!gspi_live_has(l, list[i])) {
            gspi_live_need(l, v, l->size - 1u);
            break;
        }
    }
}

/* Finds what lives how long in the range. O(nodes and edges of the range). */
static void gspi_live_run(gspi_live *l, uint32_t first, uint32_t size)
{
    uint32_t step;
    l->first = first;
    l->size = size;
    l->n_active = 0u;
    for (step = 0u; step < size; step++) {
        gspi_live_step(l, step);
    }
}

static void gspi_live_clear(gspi_live *l)
{
    uint32_t i;
    for (i = 0u; i < l->n_active; i++) {
        l->end[l->active[i]] = GSP_NONE;
    }
}

/* The first step at which a storage takes bytes of its own: of an element, when the aggregate that
 * holds it is gone. */
static uint32_t gspi_live_begin(const gspi_live *l, gsp_node s)
{
    gsp_node const from = gspi_element_of(l->graph, l->of, s);
    if (from != GSP_NONE && l->end[from] != GSP_NONE) {
        return l->end[from] + 1u;
    }
    return !gspi_live_has(l, s) ? 0u : l->pos == NULL ? s : l->pos[s] - l->first;
}

/* Bytes that are live at every step, in bytes[size], and where they are most. */
static gsp_peak_piece gspi_live_profile(const gspi_live *l, const uint64_t *scratch,
                                        int skip_inputs, uint64_t *bytes)
{
    gsp_peak_piece peak = {0u, GSP_NONE, 0u};
    uint64_t sum = 0u;
    uint32_t i;
    gspi_set(bytes, 0, l->size, sizeof(uint64_t));
    for (i = 0u; i < l->n_active; i++) {
        gsp_node const s = l->active[i];
        uint32_t const begin = gspi_live_begin(l, s);
        uint32_t const end = l->end[s];
        if (begin <= end && !(skip_inputs && !gspi_live_has(l, s))) {
            bytes[begin] += gsp_node_bytes(l->graph, s);
            if (end + 1u < l->size) {
                bytes[end + 1u] -= gsp_node_bytes(l->graph, s);
            }
        }
    }
    for (i = 0u; i < l->size; i++) {
        gsp_node const v = gspi_live_node(l, i);
        sum += bytes[i];
        bytes[i] = sum + (scratch == NULL ? 0u : scratch[v]);
        if (i == 0u || bytes[i] > peak.bytes) {
            peak.bytes = bytes[i];
            peak.node = v;
            peak.step = i;
        }
    }
    return peak;
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>k.copy   Nodes of a graph into a builder that has adopted its module
 * ---------------------------------------------------------------------------------------------- */

static gsp_string gspi_name_id(const gsp_graph *g, gsp_node v)
{
    return g->module->name[g->first + v];
}

/* Copies a node that keeps name and annotation; arguments follow. */
static gsp_node gspi_copy_node(gsp_builder *b, const gsp_graph *g, gsp_op op, gsp_node v,
                               gsp_string target)
{
    gsp_node const made = gsp_build_node_id(b, op, gspi_name_id(g, v), target);
    gsp_build_like(b, g, v, 1);
    return made;
}

static void gspi_put_arg(gsp_builder *b, gsp_arg_kind kind, uint32_t value)
{
    gsp_arg a;
    a.kind = (uint32_t)kind;
    a.value = value;
    gsp_build_arg(b, a);
}

/* operator.getitem(call, index), its annotation left to the caller. */
static gsp_node gspi_put_getitem(gsp_builder *b, gsp_node call, uint32_t index)
{
    gsp_string const name = gsp_build_name(b, gsp_text_of("getitem"));
    gsp_node const made = gsp_build_node_id(b, GSP_OP_CALL_FUNCTION, name, GSP_KEY_GETITEM);
    char digits[20];
    uint32_t const size = gspi_decimal(index, digits);
    gspi_put_arg(b, GSP_ARG_NODE, call);
    gspi_put_arg(b, GSP_ARG_CONSTANT, gsp_build_string(b, gspi_slice(digits, 0u, size)));
    return made;
}

static void gspi_copy_args(gsp_builder *b, const gsp_arg *args, uint32_t count)
{
    uint32_t i;
    for (i = 0u; i < count; i++) {
        gsp_build_arg(b, args[i]);
    }
}

/* A whole node, as it was. */
static void gspi_copy_whole(gsp_builder *b, const gsp_graph *g, gsp_node v)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    if (v + 1u < g->n_nodes) {
        (void)gspi_copy_node(b, g, gsp_node_op(g, v), v, g->module->target[g->first + v]);
    } else {
        (void)gsp_build_output(b);
        gsp_build_like(b, g, v, 1);
    }
    gspi_copy_args(b, args, count);
}

/* A whole graph, as it was. */
static void gspi_copy_graph(gsp_builder *b, const gsp_graph *g)
{
    gsp_node v;
    gsp_build_graph(b, gsp_module_string(g->module, g->module->graphs[g->id].name));
    for (v = 0u; v < g->n_nodes; v++) {
        gspi_copy_whole(b, g, v);
    }
}

/* -------------------------------------------------------------------------------------------------
 * >>k.cut   A graph in pieces: what crosses, the root that calls, the graphs called
 * ---------------------------------------------------------------------------------------------- */

/* Callable nodes stand in no earlier part than their callable inputs; parts below `limit`. */
static gsp_status gspi_check_parts(const gsp_graph *g, const uint32_t *part_of, uint32_t limit,
                                   gsp_error *err)
{
    gsp_node v;
    for (v = 0u; v < g->n_nodes; v++) {
        uint32_t count;
        uint32_t i;
        const gsp_node *inputs = gsp_node_inputs(g, v, &count);
        if (!gsp_node_is_callable(g, v)) {
            continue;
        }
        if (part_of[v] >= limit) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, v, GSP_NONE);
        }
        for (i = 0u; i < count; i++) {
            if (gsp_node_is_callable(g, inputs[i]) && part_of[inputs[i]] > part_of[v]) {
                return gspi_fail_at(err, GSP_STATUS_CYCLE, GSP_DETAIL_TAG_ORDER, v, inputs[i]);
            }
        }
    }
    return GSP_OK;
}

/* Groups, if there are any, are below n. */
static gsp_status gspi_check_groups(const gsp_graph *g, const uint32_t *group, gsp_error *err)
{
    gsp_node v;
    for (v = 0u; group != NULL && v < g->n_nodes; v++) {
        if (group[v] != GSP_NONE && group[v] >= g->n_nodes) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* Values that cross are found first: the outputs of every part in order of their first reading
 * outside, the inputs of every part in order of first meeting. Then the root and the parts are
 * written one by one into a builder that has adopted the strings of the input, so that no text is
 * looked at again. */

typedef struct gspi_cut {
    const gsp_graph *g;
    const uint32_t *part_of;   /* [n] of every callable node */
    const gsp_text *names;     /* [parts] of the graphs; their calls want the same */
    const gsp_string *target;  /* [n] of nodes inside the parts */
    const gsp_string *in_name; /* [edges] names of placeholders beside in_nodes, NULL: their own */
    uint32_t n_parts;
    int pass_attrs;   /* get_attr nodes stay in the root and are passed in */
    int return_tuple; /* also for one value */
    gsp_builder *b;
    gsp_module *made;
    uint32_t *graph_of;   /* [n] graph of a callable node */
    gsp_node *node_of;    /* [n] its node there */
    uint32_t *part_begin; /* [parts + 1] into part_nodes */
    gsp_node *part_nodes; /* [n] callable nodes by part */
    uint32_t *out_begin;  /* [parts + 1] into out_nodes */
    gsp_node *out_nodes;  /* [n] outputs by part */
    uint32_t *out_index;  /* [n] place among the outputs of its part, GSP_NONE: none */
    uint32_t *in_begin;   /* [parts + 1] into in_nodes */
    gsp_node *in_nodes;   /* [edges] inputs by part */
    uint32_t *stamp;      /* [n] part that a value was met in last, plus one */
    gsp_node *local;      /* [n] its node there */
    gsp_node *root_of;    /* [n] its node in the root; given by the pass */
} gspi_cut;

static void gspi_cut_layout(gspi_bump *b, gspi_cut *w, uint32_t n, uint32_t edges, uint32_t n_parts)
{
    w->b = GSPI_HIGH(b, gsp_builder, 1u);
    w->made = GSPI_HIGH(b, gsp_module, 1u);
    w->graph_of = GSPI_LOW(b, uint32_t, n);
    w->node_of = GSPI_LOW(b, gsp_node, n);
    w->part_begin = GSPI_HIGH(b, uint32_t, (size_t)n_parts + 1u);
    w->part_nodes = GSPI_HIGH(b, gsp_node, n);
    w->out_begin = GSPI_HIGH(b, uint32_t, (size_t)n_parts + 1u);
    w->out_nodes = GSPI_HIGH(b, gsp_node, n);
    w->out_index = GSPI_HIGH(b, uint32_t, n);
    w->in_begin = GSPI_HIGH(b, uint32_t, (size_t)n_parts + 1u);
    w->in_nodes = GSPI_HIGH(b, gsp_node, edges);
    w->stamp = GSPI_HIGH(b, uint32_t, n);
    w->local = GSPI_HIGH(b, gsp_node, n);
}

/* What the result can hold. Root: placeholders, attributes, a call a part, a getitem a node.
 * Parts: every callable node once, at most one placeholder or attribute an edge. */
GSPI_OWN_FRAME gsp_counts gspi_cut_counts(const gsp_counts *c, uint32_t n_parts, size_t name_bytes)
{
    uint32_t const n = c->nodes;
    uint32_t const bytes = name_bytes < UINT32_MAX ? (uint32_t)name_bytes : UINT32_MAX;
    uint32_t const two_n = gspi_count_mul(n, 2u);
    gsp_counts r;
    r.graphs = gspi_count_add(n_parts, c->graphs);
    r.nodes = gspi_count_add(gspi_count_add(two_n, c->edges),
                             gspi_count_add(gspi_count_mul(n_parts, 2u), 1u));
    r.args = gspi_count_add(c->args, gspi_count_mul(n, 3u));
    r.args = gspi_count_add(r.args, gspi_count_add(c->edges, gspi_count_mul(n_parts, 2u)));
    r.edges = r.args;
    r.attrs = gspi_count_add(c->attrs, gspi_count_mul(gspi_count_add(n, n_parts), 2u));
    r.strings = gspi_count_add(gspi_count_add(c->strings, two_n), gspi_count_mul(n_parts, 3u));
    r.strings = gspi_count_add(r.strings, 1u);
    /* "getitem_" and two numbers a node; a part and its name in the root, which may get a number */
    r.bytes = gspi_count_add(c->bytes, gspi_count_mul(n, 30u));
    r.bytes = gspi_count_add(
        r.bytes, gspi_count_add(gspi_count_mul(bytes, 3u), gspi_count_mul(n_parts, 13u)));
    r.bytes = gspi_count_add(r.bytes, gspi_count_add(bytes, 64u));
    return r;
}

/* Rows of callable nodes by part. Returns a part without nodes, GSP_NONE: there is none. */
static uint32_t gspi_cut_nodes(const gspi_cut *w)
{
    uint32_t empty = GSP_NONE;
    uint32_t i;
    gsp_node v;
    gspi_set(w->part_begin, 0, (size_t)w->n_parts + 1u, sizeof(uint32_t));
    for (v = 0u; v < w->g->n_nodes; v++) {
        if (gsp_node_is_callable(w->g, v)) {
            w->part_begin[w->part_of[v]]++;
        }
    }
    for (i = w->n_parts; i > 0u; i--) {
        empty = w->part_begin[i - 1u] == 0u ? i - 1u : empty;
    }
    gspi_counts_to_ends(w->part_begin, w->n_parts);
    for (v = w->g->n_nodes; v > 0u; v--) {
        if (gsp_node_is_callable(w->g, v - 1u)) {
            w->part_nodes[--w->part_begin[w->part_of[v - 1u]]] = v - 1u;
        }
    }
    return empty;
}

/* 1 when u is a callable node and v stands in another graph: an output of its part. */
static int gspi_cut_crosses(const gspi_cut *w, gsp_node u, gsp_node v)
{
    return gsp_node_is_callable(w->g, u) &&
           !(gsp_node_is_callable(w->g, v) && w->part_of[u] == w->part_of[v]);
}

/* 1 for a get_attr that names a child graph: no value that could be passed. */
static int gspi_cut_is_holder(const gspi_cut *w, gsp_node v)
{
    const gsp_module *m = w->g->module;
    return m->counts.graphs > 1u && gsp_node_op(w->g, v) == GSP_OP_GET_ATTR &&
           gsp_module_find_graph(m, m->target[w->g->first + v]) != GSP_NONE;
}

/* 1 when u is passed into the part of its reader v. */
static int gspi_cut_is_input(const gspi_cut *w, gsp_node u, gsp_node v)
{
    if (gsp_node_op(w->g, u) == GSP_OP_GET_ATTR) {
        return w->pass_attrs && !gspi_cut_is_holder(w, u);
    }
    return gsp_node_op(w->g, u) == GSP_OP_PLACEHOLDER || gspi_cut_crosses(w, u, v);
}

/* Rows of outputs by part, each in order of first reading outside. */
static void gspi_cut_outputs(const gspi_cut *w)
{
    uint32_t i;
    gsp_node v;
    gspi_set(w->out_begin, 0, (size_t)w->n_parts + 1u, sizeof(uint32_t));
    gspi_set(w->out_index, 0xFF, w->g->n_nodes, sizeof(uint32_t));
    for (v = 0u; v < w->g->n_nodes; v++) {
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(w->g, v, &count);
        for (i = 0u; i < count; i++) {
            gsp_node const u = inputs[i];
            if (gspi_cut_crosses(w, u, v) && w->out_index[u] == GSP_NONE) {
                w->out_index[u] = w->out_begin[w->part_of[u]]++;
            }
        }
    }
    gspi_counts_to_ends(w->out_begin, w->n_parts);
    for (i = w->n_parts; i > 0u; i--) { /* ends become starts: a row begins where one ended */
        w->out_begin[i] = w->out_begin[i - 1u];
    }
    w->out_begin[0] = 0u;
    for (v = 0u; v < w->g->n_nodes; v++) {
        if (w->out_index[v] != GSP_NONE) {
            w->out_nodes[w->out_begin[w->part_of[v]] + w->out_index[v]] = v;
        }
    }
}

/* Rows of inputs by part, each in order of first meeting. */
static void gspi_cut_inputs(const gspi_cut *w)
{
    uint32_t n = 0u;
    uint32_t part;
    gspi_set(w->stamp, 0, w->g->n_nodes, sizeof(uint32_t));
    w->in_begin[0] = 0u;
    for (part = 0u; part < w->n_parts; part++) {
        uint32_t i;
        for (i = w->part_begin[part]; i < w->part_begin[part + 1u]; i++) {
            gsp_node const v = w->part_nodes[i];
            uint32_t count;
            uint32_t k;
            const gsp_node *inputs = gsp_node_inputs(w->g, v, &count);
            for (k = 0u; k < count; k++) {
                gsp_node const u = inputs[k];
                if (w->stamp[u] != part + 1u && gspi_cut_is_input(w, u, v)) {
                    w->stamp[u] = part + 1u;
                    w->in_nodes[n++] = u;
                }
            }
        }
        w->in_begin[part + 1u] = n;
    }
}

/* All rows, and maps that say nothing yet; the rows of nodes are there. */
static void gspi_cut_rows(const gspi_cut *w)
{
    gspi_cut_outputs(w);
    gspi_cut_inputs(w);
    gspi_set(w->root_of, 0xFF, w->g->n_nodes, sizeof(gsp_node));
    gspi_set(w->graph_of, 0xFF, w->g->n_nodes, sizeof(uint32_t));
    gspi_set(w->node_of, 0xFF, w->g->n_nodes, sizeof(gsp_node));
    gspi_set(w->stamp, 0, w->g->n_nodes, sizeof(uint32_t));
}

/* Copies arguments, each node by where `map` puts it. What `stamp` does not know as met in this
 * graph is in no row of inputs: the module is damaged. */
static void gspi_cut_args(const gspi_cut *w, gsp_node v, const gsp_node *map, uint32_t stamp)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(w->g, v, &count);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        gsp_arg a = args[i];
        if (a.kind == (uint32_t)GSP_ARG_NODE) {
            a.value = stamp != GSP_NONE && w->stamp[a.value] != stamp ? GSP_NONE : map[a.value];
        }
        gsp_build_arg(w->b, a);
    }
}

/* 1 when a get_attr stays in the root, in its place: it is passed in, read by nothing, or nothing
 * is cut at all; a child graph that parts read is copied into them. */
static int gspi_cut_keeps_attr(const gspi_cut *w, gsp_node v)
{
    uint32_t count;
    const gsp_node *users = gsp_node_users(w->g, v, &count);
    if (!w->pass_attrs) {
        return w->n_parts == 0u;
    }
    return count == 0u || users[count - 1u] == w->g->n_nodes - 1u || !gspi_cut_is_holder(w, v);
}

/* What the root has of its own: placeholders and attributes, then those attributes that it alone
 * returns. */
static void gspi_cut_root_values(const gspi_cut *w)
{
    const gsp_graph *g = w->g;
    const gsp_string *target = g->module->target + g->first;
    uint32_t count;
    const gsp_node *returned = gsp_node_inputs(g, g->n_nodes - 1u, &count);
    gsp_node v;
    uint32_t i;
    for (v = 0u; v < g->n_nodes; v++) {
        gsp_op const op = gsp_node_op(g, v);
        if (op == GSP_OP_PLACEHOLDER || (op == GSP_OP_GET_ATTR && gspi_cut_keeps_attr(w, v))) {
            w->root_of[v] = gspi_copy_node(w->b, g, op, v, target[v]);
            gspi_cut_args(w, v, w->root_of, GSP_NONE);
        }
    }
    for (i = 0u; i < count; i++) {
        v = returned[i];
        if (gsp_node_op(g, v) == GSP_OP_GET_ATTR && w->root_of[v] == GSP_NONE) {
            w->root_of[v] = gspi_copy_node(w->b, g, GSP_OP_GET_ATTR, v, target[v]);
        }
    }
}

/* 1 when a part returns a tuple. */
static int gspi_cut_is_tuple(const gspi_cut *w, uint32_t part)
{
    return w->return_tuple || w->out_begin[part + 1u] - w->out_begin[part] != 1u;
}

/* The call of a part, and a getitem for each of its values. Returns the call. */
static gsp_node gspi_cut_call(const gspi_cut *w, uint32_t part)
{
    gsp_string const name = gsp_build_name(w->b, w->names[part]);
    gsp_string const target = gsp_build_string(w->b, w->names[part]);
    gsp_node const call = gsp_build_node_id(w->b, GSP_OP_CALL_MODULE, name, target);
    uint32_t const begin = w->out_begin[part];
    uint32_t i;
    for (i = w->in_begin[part]; i < w->in_begin[part + 1u]; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, w->root_of[w->in_nodes[i]]);
    }
    if (!gspi_cut_is_tuple(w, part)) {
        w->root_of[w->out_nodes[begin]] = call;
        gsp_build_like(w->b, w->g, w->out_nodes[begin], 0);
        return call;
    }
    for (i = begin; i < w->out_begin[part + 1u]; i++) {
        w->root_of[w->out_nodes[i]] = gspi_put_getitem(w->b, call, i - begin);
        gsp_build_like(w->b, w->g, w->out_nodes[i], 0);
    }
    return call;
}

/* The output of the root. */
static void gspi_cut_return(const gspi_cut *w)
{
    gsp_node const output = w->g->n_nodes - 1u;
    (void)gsp_build_output(w->b);
    gsp_build_like(w->b, w->g, output, 1);
    gspi_cut_args(w, output, w->root_of, GSP_NONE);
}

/* The attributes that node v is the first to read in this part, then v itself. */
static void gspi_cut_body_node(const gspi_cut *w, uint32_t part, uint32_t graph, gsp_node v)
{
    const gsp_string *target = w->g->module->target + w->g->first;
    uint32_t count;
    const gsp_node *inputs = gsp_node_inputs(w->g, v, &count);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        gsp_node const u = inputs[i];
        if (gsp_node_op(w->g, u) == GSP_OP_GET_ATTR && w->stamp[u] != part + 1u) {
            w->stamp[u] = part + 1u;
            w->local[u] = gspi_copy_node(w->b, w->g, GSP_OP_GET_ATTR, u, target[u]);
        }
    }
    w->local[v] = gspi_copy_node(w->b, w->g, gsp_node_op(w->g, v), v, w->target[v]);
    gspi_cut_args(w, v, w->local, part + 1u);
    w->stamp[v] = part + 1u;
    w->graph_of[v] = graph;
    w->node_of[v] = w->local[v];
}

/* The graph of a part; it is graph number `graph` of the result. */
GSPI_OWN_FRAME void gspi_cut_body(const gspi_cut *w, uint32_t part, uint32_t graph)
{
    int const tuple = gspi_cut_is_tuple(w, part);
    uint32_t i;
    gsp_build_graph(w->b, w->names[part]);
    for (i = w->in_begin[part]; i < w->in_begin[part + 1u]; i++) {
        gsp_node const u = w->in_nodes[i];
        gsp_string const name = w->in_name == NULL ? gspi_name_id(w->g, u) : w->in_name[i];
        w->stamp[u] = part + 1u;
        w->local[u] = gsp_build_node_id(w->b, GSP_OP_PLACEHOLDER, name, name);
        gsp_build_like(w->b, w->g, u, 1);
    }
    for (i = w->part_begin[part]; i < w->part_begin[part + 1u]; i++) {
        gspi_cut_body_node(w, part, graph, w->part_nodes[i]);
    }
    (void)gsp_build_output(w->b);
    if (tuple) {
        gspi_put_arg(w->b, GSP_ARG_TUPLE, 0u);
    }
    for (i = w->out_begin[part]; i < w->out_begin[part + 1u]; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, w->local[w->out_nodes[i]]);
    }
    if (tuple) {
        gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    }
}

/* The other graphs of the input, as they were. */
static void gspi_cut_children(const gspi_cut *w)
{
    uint32_t id;
    for (id = 1u; id < w->g->module->counts.graphs; id++) {
        if (id != w->g->id) {
            gsp_graph const child = gsp_module_graph(w->g->module, id);
            gspi_copy_graph(w->b, &child);
        }
    }
}

/* -------------------------------------------------------------------------------------------------
 * >>k.texts   Texts of the caller, found by their bytes
 * ---------------------------------------------------------------------------------------------- */

/* Entries with the same bytes share a slot; it holds the last of them. */
typedef struct gspi_texts {
    gsp_text *text; /* [n] */
    uint32_t *hash; /* [n] */
    uint32_t *same; /* [n] the entry before with the same bytes, GSP_NONE: none */
    uint32_t *slot; /* [mask + 1] GSP_NONE: free */
    uint32_t mask;
} gspi_texts;

#define GSPI_TEXTS_LIMIT 0x40000000u /* entries */
#define GSPI_TEXT_START  0x811C9DC5u /* the hash of no bytes */

/* The hash of a text and one more byte: all leading parts of a path cost no more than the path. */
static uint32_t gspi_text_step(uint32_t hash, char c)
{
    return (hash ^ (unsigned char)c) * 0x01000193u;
}

static uint32_t gspi_text_hash(gsp_text t)
{
    uint32_t hash = GSPI_TEXT_START;
    uint32_t i;
    for (i = 0u; i < t.size; i++) {
        hash = gspi_text_step(hash, t.data[i]);
    }
    return hash;
}

/* n < GSPI_TEXTS_LIMIT */
static void gspi_texts_layout(gspi_bump *b, gspi_texts *t, uint32_t n)
{
    uint32_t const slots = gspi_pow2(2u * n);
    t->text = GSPI_HIGH(b, gsp_text, n);
    t->hash = GSPI_HIGH(b, uint32_t, n);
    t->same = GSPI_HIGH(b, uint32_t, n);
    t->slot = GSPI_HIGH(b, uint32_t, slots);
    t->mask = slots - 1u;
}

static void gspi_texts_clear(const gspi_texts *t)
{
    gspi_set(t->slot, 0xFF, (size_t)t->mask + 1u, sizeof(uint32_t));
}

/* The slot of a text: where its last entry stands, or where it would go. */
static uint32_t gspi_texts_slot(const gspi_texts *t, gsp_text text, uint32_t hash)
{
    uint32_t i = (hash ^ (hash >> 15)) & t->mask;
    while (t->slot[i] != GSP_NONE) {
        uint32_t const entry = t->slot[i];
        if (t->hash[entry] == hash && gsp_text_equal(t->text[entry], text)) {
            break;
        }
        i = (i + 1u) & t->mask;
    }
    return i;
}

/* Entries come in order: 0, 1, 2, ... */
static void gspi_texts_add(const gspi_texts *t, uint32_t entry, gsp_text text)
{
    uint32_t const hash = gspi_text_hash(text);
    uint32_t const slot = gspi_texts_slot(t, text, hash);
    t->text[entry] = text;
    t->hash[entry] = hash;
    t->same[entry] = t->slot[slot];
    t->slot[slot] = entry;
}

/* -------------------------------------------------------------------------------------------------
 * >>k.reach   Child graphs that a graph uses
 * ---------------------------------------------------------------------------------------------- */

/* The child graph that a node calls or names; GSP_NONE: none. */
static uint32_t gspi_child_of(const gsp_graph *g, gsp_node v)
{
    uint8_t const op = g->module->op[g->first + v];
    return g->module->counts.graphs > 1u &&
                   (op == (uint8_t)GSP_OP_CALL_MODULE || op == (uint8_t)GSP_OP_GET_ATTR)
               ? gsp_module_find_graph(g->module, g->module->target[g->first + v])
               : GSP_NONE;
}

/* Puts a graph into the work list, once; `seen` and `list` have a place a graph. */
static void gspi_reach_add(uint32_t graph, uint8_t *seen, uint32_t *list, uint32_t *n)
{
    if (graph != GSP_NONE && !seen[graph]) {
        seen[graph] = 1u;
        list[(*n)++] = graph;
    }
}

/* Adds what the graphs in the list use, and what that uses. */
static void gspi_reach_all(const gsp_module *m, uint8_t *seen, uint32_t *list, uint32_t *n)
{
    uint32_t i;
    for (i = 0u; i < *n; i++) {
        gsp_graph const g = gsp_module_graph(m, list[i]);
        gsp_node v;
        for (v = 0u; v < g.n_nodes; v++) {
            gspi_reach_add(gspi_child_of(&g, v), seen, list, n);
        }
    }
}

/* -------------------------------------------------------------------------------------------------
 * >>support   Which accelerator takes which node                                  (implementation)
 * ---------------------------------------------------------------------------------------------- */

GSP_API const char *gsp_reason_name(gsp_reason reason)
{
    switch ((uint32_t)reason) {
#define GSPI_CASE(name, text) \
    case GSP_REASON_##name:   \
        return #name;
        GSP_REASON_LIST(GSPI_CASE)
#undef GSPI_CASE
    default:
        return "?";
    }
}

GSP_API const char *gsp_reason_text(gsp_reason reason)
{
    switch ((uint32_t)reason) {
#define GSPI_CASE(name, text) \
    case GSP_REASON_##name:   \
        return GSPI_MESSAGE(text);
        GSP_REASON_LIST(GSPI_CASE)
#undef GSPI_CASE
    default:
        return "";
    }
}

#ifndef GSP_NO_SUPPORT

/* Rules are evaluated one by one over all nodes, not node by node: the stack of truth values is a
 * word of bits a node, and a table can remember what it said of a name. Pins without wildcards
 * are found by hashing, so that a hundred thousand of them cost no more than their nodes. */

/* 1 when `item` is among the comma-separated items of `list`; an empty list takes all. */
static int gspi_in_list(gsp_text list, gsp_text item)
{
    uint32_t begin = 0u;
    while (begin < list.size) {
        uint32_t end = begin;
        while (end < list.size && list.data[end] != ',') {
            end++;
        }
        if (gsp_text_equal(gspi_slice(list.data, begin, end), item)) {
            return 1;
        }
        begin = end + 1u;
    }
    return list.size == 0u;
}

/* 1 when all tensors that a node yields have an accepted dtype. */
static int gspi_dtypes_of(const gsp_graph *g, gsp_node v, gsp_text dtypes)
{
    gsp_text const type = gsp_node_type(g, v);
    uint32_t at = 0u;
    gsp_text dtype;
    gsp_text dims;
    while (gsp_type_next(type, &at, &dtype, &dims)) {
        if (!gspi_in_list(dtypes, dtype)) {
            return 0;
        }
    }
    return 1;
}

/* 1 when all tensors that a node reads and yields have an accepted dtype. */
static int gspi_dtypes_around(const gsp_graph *g, gsp_node v, gsp_text dtypes)
{
    uint32_t count;
    const gsp_node *inputs = gsp_node_inputs(g, v, &count);
    uint32_t i;
    if (dtypes.size == 0u) {
        return 1;
    }
    for (i = 0u; i < count; i++) {
        if (!gspi_dtypes_of(g, inputs[i], dtypes)) {
            return 0;
        }
    }
    return gspi_dtypes_of(g, v, dtypes);
}

/* Index of the token of a positional or keyword argument; `count` when there is none. */
static uint32_t gspi_find_arg(const gsp_graph *g, const gsp_arg *args, uint32_t count,
                              const gsp_arg_dtypes *wanted)
{
    uint32_t position = 0u;
    uint32_t i = 0u;
    while (i < count) {
        int const keyed = args[i].kind == (uint32_t)GSP_ARG_KEY;
        int const same =
            keyed ? wanted->key.size != 0u &&
                        gsp_text_equal(gsp_module_string(g->module, args[i].value), wanted->key)
                  : wanted->key.size == 0u && position == wanted->position;
        i += keyed ? 1u : 0u;
        if (same) {
            return i;
        }
        position++;
        i += i < count && args[i].kind >= (uint32_t)GSP_ARG_TUPLE &&
                     args[i].kind <= (uint32_t)GSP_ARG_SLICE
                 ? args[i].value + 1u
                 : 1u;
    }
    return count;
}

/* 1 when the nodes in that argument, if it is there, yield accepted dtypes. */
static int gspi_arg_accepted(const gsp_graph *g, gsp_node v, const gsp_arg_dtypes *wanted)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t i = gspi_find_arg(g, args, count, wanted);
    uint32_t end = i;
    if (i < count) {
        end += args[i].kind >= (uint32_t)GSP_ARG_TUPLE && args[i].kind <= (uint32_t)GSP_ARG_SLICE
                   ? args[i].value + 1u
                   : 1u;
    }
    for (; i < end && i < count; i++) {
        if (args[i].kind == (uint32_t)GSP_ARG_NODE &&
            !gspi_dtypes_of(g, args[i].value, wanted->dtypes)) {
            return 0;
        }
    }
    return 1;
}

static int gspi_entry_names(const gsp_table_entry *e, gsp_text name)
{
    uint32_t const n = e->name.size;
    if (n > 0u && e->name.data[n - 1u] == '*') {
        return name.size >= n - 1u && gspi_same(name.data, e->name.data, n - 1u);
    }
    return gsp_text_equal(e->name, name);
}

static int gspi_entry_accepts(const gsp_graph *g, gsp_node v, const gsp_table_entry *e)
{
    uint32_t i;
    for (i = 0u; i < e->n_args; i++) {
        if (!gspi_arg_accepted(g, v, &e->args[i])) {
            return 0;
        }
    }
    return gspi_dtypes_around(g, v, e->dtypes);
}

/* The last entry below `end` that names `name`, plus one; 0: none does. */
static uint32_t gspi_table_last(const gsp_table *t, uint32_t end, gsp_text name)
{
    while (end > 0u && !gspi_entry_names(&t->entries[end - 1u], name)) {
        end--;
    }
    return end;
}

/* The last entry that names a node decides, with those of the very same name before it, up to one
 * that removes it; `memory` [strings] keeps the last by name. */
static int gspi_table_takes(const gsp_graph *g, gsp_node v, const gsp_table *t, uint32_t *memory)
{
    gsp_string const s = gspi_class(g, v);
    uint32_t at = memory[s];
    gsp_text name;
    if (at == GSP_NONE) {
        at = gspi_table_last(t, t->n_entries, gsp_module_string(g->module, s));
        memory[s] = at;
    }
    for (name = at > 0u ? t->entries[at - 1u].name : gspi_slice("", 0u, 0u); at > 0u; at--) {
        const gsp_table_entry *e = &t->entries[at - 1u];
        if (!gsp_text_equal(e->name, name)) {
            continue;
        }
        if (e->remove || gspi_entry_accepts(g, v, e)) {
            return !e->remove;
        }
    }
    return 0;
}

/* ---- operator files ---- */

/* The next line of an operator file that says something, without blanks and comment; 0: none. */
static int gspi_table_line(gsp_text text, uint32_t *at, uint32_t *number, gsp_text *line)
{
    while (*at < text.size) {
        uint32_t begin = *at;
        uint32_t end = begin;
        while (*at < text.size && text.data[*at] != '\n') {
            end += text.data[*at] != '#' && end == *at ? 1u : 0u;
            (*at)++;
        }
        (*at)++;
        (*number)++;
        while (begin < end && gspi_is_blank(text.data[begin])) {
            begin++;
        }
        while (end > begin && (gspi_is_blank(text.data[end - 1u]) || text.data[end - 1u] == '\r')) {
            end--;
        }
        if (begin < end) {
            *line = gspi_slice(text.data, begin, end);
            return 1;
        }
    }
    return 0;
}

static uint32_t gspi_table_count(gsp_text text)
{
    uint32_t n = 0u;
    uint32_t at = 0u;
    uint32_t number = 0u;
    gsp_text line;
    while (gspi_table_line(text, &at, &number, &line)) {
        n++;
    }
    return n;
}

GSP_API size_t gsp_table_bound(gsp_text text)
{
    return gspi_mul_add(gspi_table_count(text), sizeof(gsp_table_entry), GSPI_SLACK + GSP_ALIGN);
}

/* `NAME`, `NAME dtypes`, `!NAME`. Returns where it goes wrong, GSP_NONE: nowhere. */
static uint32_t gspi_table_entry(gsp_text line, gsp_table_entry *e)
{
    uint32_t const begin = line.data[0] == '!' ? 1u : 0u;
    uint32_t const end = gspi_word_end(line, begin, "");
    uint32_t const dtypes = gspi_skip_blanks(line, end);
    uint32_t i;
    e->remove = begin;
    e->args = NULL;
    e->n_args = 0u;
    e->name = gspi_slice(line.data, begin, end);
    e->dtypes = gspi_slice(line.data, dtypes, line.size);
    if (begin == end || (e->remove && dtypes < line.size)) {
        return begin == end ? begin : dtypes;
    }
    for (i = dtypes; i < line.size && (gspi_is_name(line.data[i]) || line.data[i] == ','); i++) {
    }
    return i == line.size ? GSP_NONE : gspi_skip_blanks(line, i);
}

GSP_API gsp_status gsp_table_read(gsp_arena *arena, gsp_text text, gsp_table *table, gsp_error *err)
{
    gsp_mark mark;
    gsp_table_entry *entries;
    gsp_text line;
    uint32_t at = 0u;
    uint32_t number = 0u;
    uint32_t n = 0u;
    if (arena == NULL || table == NULL || (text.data == NULL && text.size != 0u)) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_room(arena, gsp_table_bound(text), err));
    mark = gsp_arena_mark(arena);
    entries = (gsp_table_entry *)gspi_arena_take(arena, gspi_table_count(text),
                                                 sizeof(gsp_table_entry), 0);
    while (gspi_table_line(text, &at, &number, &line)) {
        uint32_t const wrong = gspi_table_entry(line, &entries[n++]);
        if (wrong != GSP_NONE) {
            size_t begin = (size_t)(line.data - text.data);
            gsp_arena_rewind(arena, mark);
            (void)gspi_fail(err, GSP_STATUS_PARSE, GSP_DETAIL_ENTRY);
            if (err != NULL) {
                err->line = number;
                err->column = (size_t)wrong + 1u;
                while (begin-- > 0u && text.data[begin] != '\n') {
                    err->column++;
                }
            }
            return GSP_STATUS_PARSE;
        }
    }
    table->entries = entries;
    table->n_entries = n;
    return gspi_done(err);
}

/* ---- the pass ---- */

#define GSPI_TAKES      1u /* the accelerator at hand takes the node */
#define GSPI_TAKEN_ONCE 2u /* some accelerator did */
#define GSPI_GROUP_BAD  4u /* at a first member: the accelerator at hand does not take them all */

typedef struct gspi_support_ws {
    uint64_t *stack; /* [n] truth values, the lowest bit the oldest */
    uint32_t
        *memory;     /* [strings] last entry of a table that names it; then first node of a group */
    uint8_t *forced; /* [n] kind that pins or acc= ask for, GSP_KIND_NONE: none */
    uint8_t *pinned; /* [n] 1: a pin asked */
    uint8_t *takes;  /* [n] GSPI_TAKES ... */
    uint32_t *slots; /* [slot_mask + 1] pins by hash, GSP_NONE: free */
    uint32_t *globs; /* [n_pins] pins with wildcards, ascending */
    uint32_t n_globs;
    uint32_t longest; /* bytes of the longest exact module path */
    uint8_t *found;   /* [n_pins] 1: names something, or has wildcards */
    uint32_t slot_mask;
} gspi_support_ws;

static void gspi_support_layout(gspi_bump *b, gspi_support_ws *ws, gsp_placement *p, uint32_t n,
                                uint32_t strings, uint32_t n_pins)
{
    uint32_t const slots = gspi_pow2(gspi_count_mul(n_pins, 2u));
    p->kind = GSPI_LOW(b, uint8_t, n);
    p->reason = GSPI_LOW(b, uint8_t, n);
    p->culprit = GSPI_LOW(b, gsp_node, n);
    p->group = GSPI_LOW(b, uint32_t, n);
    ws->stack = GSPI_HIGH(b, uint64_t, n);
    ws->memory = GSPI_HIGH(b, uint32_t, strings);
    ws->forced = GSPI_HIGH(b, uint8_t, n);
    ws->pinned = GSPI_HIGH(b, uint8_t, n);
    ws->takes = GSPI_HIGH(b, uint8_t, n);
    ws->slots = GSPI_HIGH(b, uint32_t, slots);
    ws->globs = GSPI_HIGH(b, uint32_t, n_pins);
    ws->found = GSPI_HIGH(b, uint8_t, n_pins);
    ws->slot_mask = slots - 1u;
    b->used = slots == 0u ? SIZE_MAX : b->used;
}

GSP_API size_t gsp_support_bound(const gsp_counts *counts, const gsp_support_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_support_ws ws;
    gsp_placement p;
    gspi_support_layout(&b, &ws, &p, counts->nodes, counts->strings,
                        desc == NULL ? 0u : desc->n_pins);
    return gspi_add(b.used, GSPI_SLACK);
}

static int gspi_is_glob(gsp_text t)
{
    uint32_t i;
    for (i = 0u; i < t.size; i++) {
        if (t.data[i] == '*' || t.data[i] == '?') {
            return 1;
        }
    }
    return 0;
}

/* The slot of an exact pin: where an equal one stands, or a free one. */
static uint32_t gspi_pin_slot(const gspi_support_ws *ws, const gsp_pin *pins, uint32_t what,
                              gsp_text t)
{
    uint32_t slot = gspi_hash(t.data, t.size, what) & ws->slot_mask;
    while (ws->slots[slot] != GSP_NONE && !(pins[ws->slots[slot]].what == what &&
                                            gsp_text_equal(pins[ws->slots[slot]].pattern, t))) {
        slot = (slot + 1u) & ws->slot_mask;
    }
    return slot;
}

static void gspi_pins_index(gspi_support_ws *ws, const gsp_support_desc *d)
{
    uint32_t i;
    ws->n_globs = 0u;
    ws->longest = 0u;
    gspi_set(ws->slots, 0xFF, (size_t)ws->slot_mask + 1u, sizeof(uint32_t));
    for (i = 0u; i < d->n_pins; i++) {
        int const glob = gspi_is_glob(d->pins[i].pattern);
        ws->found[i] = glob ? 1u : 0u;
        if (glob) {
            ws->globs[ws->n_globs++] = i;
        } else {
            uint32_t const slot = gspi_pin_slot(ws, d->pins, d->pins[i].what, d->pins[i].pattern);
            if (ws->slots[slot] != GSP_NONE) {
                ws->found[ws->slots[slot]] = 1u; /* said again: the later one speaks */
            }
            ws->slots[slot] = i;
            if (d->pins[i].what == (uint32_t)GSP_PIN_SCOPE &&
                d->pins[i].pattern.size > ws->longest) {
                ws->longest = d->pins[i].pattern.size;
            }
        }
    }
}

/* The greater of `best` and the exact pin of this text, plus one. */
static uint32_t gspi_pin_exact(const gspi_support_ws *ws, const gsp_support_desc *d, uint32_t what,
                               gsp_text t, uint32_t best)
{
    uint32_t const i = ws->slots[gspi_pin_slot(ws, d->pins, what, t)];
    if (i == GSP_NONE) {
        return best;
    }
    ws->found[i] = 1u;
    return i + 1u > best ? i + 1u : best;
}

/* 1 when a pin with wildcards matches a node. */
static int gspi_pin_matches(const gsp_pin *pin, const gsp_graph *g, gsp_node v)
{
    switch (pin->what) {
    case GSP_PIN_NAME:
        return gsp_glob(pin->pattern, gsp_node_name(g, v));
    case GSP_PIN_SCOPE:
        return gspi_glob(pin->pattern, gsp_node_scope(g, v), 1);
    default:
        return gsp_glob(pin->pattern, gsp_node_target(g, v)) ||
               gsp_glob(pin->pattern, gsp_node_class(g, v));
    }
}

/* The last pin that matches a node, plus one; 0: none does. */
static uint32_t gspi_pin_of(const gspi_support_ws *ws, const gsp_support_desc *d,
                            const gsp_graph *g, gsp_node v)
{
    gsp_text const name = gsp_node_name(g, v);
    gsp_text const scope = gsp_node_scope(g, v);
    uint32_t best = gspi_pin_exact(ws, d, GSP_PIN_NAME, name, 0u);
    uint32_t i;
    best = gspi_pin_exact(ws, d, GSP_PIN_TARGET, gsp_node_target(g, v), best);
    best = gspi_pin_exact(ws, d, GSP_PIN_TARGET, gsp_node_class(g, v), best);
    for (i = 1u; i <= scope.size && i <= ws->longest; i++) {
        if (i == scope.size || scope.data[i] == '.') {
            best = gspi_pin_exact(ws, d, GSP_PIN_SCOPE, gspi_slice(scope.data, 0u, i), best);
        }
    }
    for (i = ws->n_globs; i > 0u && ws->globs[i - 1u] >= best; i--) {
        if (gspi_pin_matches(&d->pins[ws->globs[i - 1u]], g, v)) {
            return ws->globs[i - 1u] + 1u;
        }
    }
    return best;
}

/* What acc= and pins ask of every callable node. */
GSPI_OWN_FRAME gsp_status gspi_support_force(gspi_support_ws *ws, const gsp_support_desc *d,
                                             const gsp_graph *g, uint32_t n_kinds, gsp_error *err)
{
    gsp_node v;
    uint32_t i;
    gspi_pins_index(ws, d);
    for (v = 0u; v < g->n_nodes; v++) {
        int const acc = d->ignore_annotation ? -1 : gsp_node_acc(g, v);
        uint32_t pin = 0u;
        if (gsp_node_is_callable(g, v)) {
            if (acc >= (int)n_kinds) {
                return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, v, GSP_NONE);
            }
            pin = d->n_pins == 0u ? 0u : gspi_pin_of(ws, d, g, v);
        }
        ws->pinned[v] = pin > 0u ? 1u : 0u;
        ws->forced[v] = pin > 0u   ? (uint8_t)d->pins[pin - 1u].kind
                        : acc >= 0 ? (uint8_t)acc
                                   : (uint8_t)GSP_KIND_NONE;
    }
    for (i = 0u; i < d->n_pins; i++) {
        if (!ws->found[i]) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_PIN, i, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* group[v] = first callable node with the same group=. */
static void gspi_support_groups(const gspi_support_ws *ws, const gsp_support_desc *d,
                                const gsp_graph *g, gsp_placement *p)
{
    gsp_node v;
    gspi_set(ws->memory, 0xFF, g->module->counts.strings, sizeof(uint32_t));
    for (v = 0u; v < g->n_nodes; v++) {
        p->group[v] = GSP_NONE;
        if (!d->ignore_groups && gsp_node_is_callable(g, v) &&
            (g->module->flags[g->first + v] & GSP_FLAG_GROUP) != 0u) {
            gsp_string const s = gspi_attr(g, v, GSP_KEY_GROUP);
            if (s != GSP_NONE) {
                ws->memory[s] = ws->memory[s] == GSP_NONE ? v : ws->memory[s];
                p->group[v] = ws->memory[s];
            }
        }
    }
}

/* Whether rule `rule`, one that pushes a value, says yes to a node. */
static uint64_t gspi_rule_value(const gspi_support_ws *ws, const gsp_graph *g, gsp_node v,
                                const gsp_rule *rule, int acc_kind)
{
    switch (rule->kind) {
    case GSP_RULE_ANNOTATION:
        return gsp_node_acc(g, v) == acc_kind ? 1u : 0u;
    case GSP_RULE_TABLE:
        return gspi_table_takes(g, v, &rule->table, ws->memory) ? 1u : 0u;
    case GSP_RULE_CALL:
        return rule->func(rule->user, g, v) ? 1u : 0u;
    default:
        return gspi_dtypes_around(g, v, rule->dtypes) ? 1u : 0u;
    }
}

/* Depth of the stack after the rules; GSP_NONE: it runs empty or over, or a rule does not exist. */
static uint32_t gspi_rules_depth(const gsp_accelerator *a)
{
    uint32_t depth = 0u;
    uint32_t i;
    for (i = 0u; i < a->n_rules; i++) {
        const gsp_rule *r = &a->rules[i];
        uint32_t const taken = r->kind == (uint32_t)GSP_RULE_NOT   ? 1u
                               : r->kind >= (uint32_t)GSP_RULE_ALL ? r->count
                                                                   : 0u;
        if (r->kind >= (uint32_t)GSP_RULE_COUNT || taken > depth || depth - taken >= 64u ||
            (r->kind == (uint32_t)GSP_RULE_CALL && r->func == NULL) ||
            (r->kind == (uint32_t)GSP_RULE_TABLE && r->table.entries == NULL &&
             r->table.n_entries != 0u)) {
            return GSP_NONE;
        }
        depth = depth - taken + 1u;
    }
    return depth;
}

/* Applies one rule to the stacks of all nodes, which hold `depth` values. */
static void gspi_support_rule(const gspi_support_ws *ws, const gsp_graph *g, const gsp_rule *rule,
                              uint32_t depth, int acc_kind)
{
    gsp_node v;
    gspi_set(ws->memory, 0xFF, g->module->counts.strings, sizeof(uint32_t));
    for (v = 0u; v < g->n_nodes; v++) {
        uint64_t *stack = &ws->stack[v];
        if (!gsp_node_is_callable(g, v)) {
            continue;
        }
        if (rule->kind == (uint32_t)GSP_RULE_NOT) {
            *stack ^= (uint64_t)1u << (depth - 1u);
        } else if (rule->kind >= (uint32_t)GSP_RULE_ALL) {
            uint32_t const base = depth - rule->count;
            uint64_t const ones = rule->count == 0u ? 0u : ~(uint64_t)0u >> (64u - rule->count);
            uint64_t const values = rule->count == 0u ? 0u : (*stack >> base) & ones;
            uint64_t const answer =
                rule->kind == (uint32_t)GSP_RULE_ALL ? values == ones : values != 0u;
            *stack =
                base == 64u ? *stack : (*stack & (((uint64_t)1u << base) - 1u)) | (answer << base);
        } else {
            *stack |= gspi_rule_value(ws, g, v, rule, acc_kind) << depth;
        }
    }
}

GSPI_OWN_FRAME void gspi_support_rules(const gspi_support_ws *ws, const gsp_graph *g,
                                       const gsp_accelerator *a, int acc_kind)
{
    uint32_t depth = 0u;
    uint32_t i;
    gspi_set(ws->stack, 0, g->n_nodes, sizeof(uint64_t));
    for (i = 0u; i < a->n_rules; i++) {
        const gsp_rule *r = &a->rules[i];
        gspi_support_rule(ws, g, r, depth, acc_kind);
        depth += r->kind < (uint32_t)GSP_RULE_NOT    ? 1u
                 : r->kind == (uint32_t)GSP_RULE_NOT ? 0u
                                                     : 1u - r->count;
    }
}

/* Gives accelerator `kind` what it takes of the nodes that have none yet. */
GSPI_OWN_FRAME void gspi_support_assign(const gspi_support_ws *ws, const gsp_graph *g,
                                        gsp_placement *p, uint32_t kind)
{
    gsp_node v;
    for (v = 0u; v < g->n_nodes; v++) {
        int const takes =
            ws->forced[v] == GSP_KIND_NONE ? (ws->stack[v] & 1u) != 0u : ws->forced[v] == kind;
        if (!gsp_node_is_callable(g, v)) {
            continue;
        }
        ws->takes[v] = (uint8_t)((ws->takes[v] & ~(GSPI_TAKES | GSPI_GROUP_BAD)) |
                                 (takes ? GSPI_TAKES | GSPI_TAKEN_ONCE : 0u));
        if (!takes && p->group[v] != GSP_NONE) {
            ws->takes[p->group[v]] |= (uint8_t)GSPI_GROUP_BAD;
            p->culprit[p->group[v]] =
                p->culprit[p->group[v]] == GSP_NONE ? v : p->culprit[p->group[v]];
        }
    }
    for (v = 0u; v < g->n_nodes; v++) {
        int const whole =
            p->group[v] == GSP_NONE || (ws->takes[p->group[v]] & GSPI_GROUP_BAD) == 0u;
        if (p->kind[v] == GSP_KIND_CPU && (ws->takes[v] & GSPI_TAKES) != 0u && whole) {
            p->kind[v] = (uint8_t)kind;
        }
    }
}

static void gspi_support_reasons(const gspi_support_ws *ws, const gsp_graph *g, gsp_placement *p)
{
    gsp_node v;
    for (v = g->n_nodes; v > 0u;
         v--) { /* from behind: the first member holds its group's culprit */
        gsp_node const u = v - 1u;
        int const torn = p->kind[u] == GSP_KIND_CPU && (ws->takes[u] & GSPI_TAKEN_ONCE) != 0u;
        gsp_node const culprit = torn ? p->culprit[p->group[u]] : GSP_NONE;
        gsp_reason const reason = p->kind[u] == GSP_KIND_NONE  ? GSP_REASON_NONE
                                  : torn                       ? GSP_REASON_GROUP
                                  : ws->pinned[u]              ? GSP_REASON_PINNED
                                  : p->kind[u] == GSP_KIND_CPU ? GSP_REASON_UNSUPPORTED
                                                               : GSP_REASON_SUPPORTED;
        gspi_give_reason(p, u, reason, culprit == u ? GSP_NONE : culprit);
    }
}

static gsp_status gspi_support_check(const gsp_support_desc *d, uint32_t n_kinds, gsp_error *err)
{
    uint32_t i;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (n_kinds > GSP_KIND_NONE || (d->n_accelerators != 0u && d->accelerators == NULL) ||
        (d->n_pins != 0u && d->pins == NULL)) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    for (i = 0u; i < d->n_accelerators; i++) {
        if (d->accelerators[i].n_rules != 0u && gspi_rules_depth(&d->accelerators[i]) != 1u) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_RULE, i, GSP_NONE);
        }
    }
    for (i = 0u; i < d->n_pins; i++) {
        if (d->pins[i].kind >= n_kinds || d->pins[i].what >= (uint32_t)GSP_PIN_COUNT) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_KIND, i, GSP_NONE);
        }
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_support_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_support_desc *desc, gsp_placement *out, gsp_error *err)
{
    gsp_support_desc const none = {0u, 0u, NULL, NULL, 0u, 0u, 0u, 0u};
    gsp_support_desc const *d = desc == NULL ? &none : desc;
    gsp_accelerator const no_rules = {NULL, 0u};
    gspi_bump b = gspi_bump_over(arena);
    gspi_support_ws ws;
    gsp_placement p;
    gsp_counts counts;
    gsp_mark mark;
    uint32_t k;
    if (arena == NULL || graph == NULL || out == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    p.n_nodes = graph->n_nodes;
    p.trusted = 0u;
    p.n_kinds = d->n_accelerators == 0u ? 2u : gspi_count_add(d->n_accelerators, 1u);
    GSPI_TRY(gspi_support_check(d, p.n_kinds, err));
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_support_bound(&counts, d), err));
    mark = gsp_arena_mark(arena);
    gspi_support_layout(&b, &ws, &p, graph->n_nodes, counts.strings, d->n_pins);
    if (gspi_support_force(&ws, d, graph, p.n_kinds, err) != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return GSP_STATUS_ARG;
    }
    gspi_support_groups(&ws, d, graph, &p);
    gspi_set(p.culprit, 0xFF, graph->n_nodes, sizeof(gsp_node));
    gspi_set(ws.takes, 0, graph->n_nodes, 1u);
    for (k = 0u; k < graph->n_nodes; k++) {
        p.kind[k] = (uint8_t)(gsp_node_is_callable(graph, k) ? GSP_KIND_CPU : GSP_KIND_NONE);
    }
    for (k = 1u; k < p.n_kinds; k++) {
        const gsp_accelerator *a = d->n_accelerators == 0u ? &no_rules : &d->accelerators[k - 1u];
        gspi_support_rules(&ws, graph, a, (int)k);
        gspi_support_assign(&ws, graph, &p, k);
    }
    gspi_support_reasons(&ws, graph, &p);
    arena->high = mark.high;
    *out = p;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>acc   Accelerator nodes: no non-tensor value crosses                          (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_SPLIT

/* A node leaves when a non-tensor value joins it to a node of another kind. Only nodes that yield
 * such a value have to be looked at: whoever reads or makes it leaves. Whoever leaves can only make
 * neighbours over non-tensor values leave, so a stack of nodes that left finds the greatest
 * fixpoint; each edge is looked at once from either end. */

typedef struct gspi_acc_ws {
    gsp_node *stack;   /* [n] nodes whose neighbours are to be looked at again */
    uint32_t *partner; /* [n] next node of the same given group, in a ring */
    uint32_t n_stack;
} gspi_acc_ws;

static void gspi_acc_layout(gspi_bump *b, gspi_acc_ws *ws, uint32_t n)
{
    ws->stack = GSPI_HIGH(b, gsp_node, n);
    ws->partner = GSPI_HIGH(b, uint32_t, n);
    ws->n_stack = 0u;
}

GSP_API size_t gsp_acc_bound(const gsp_counts *counts)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_acc_ws ws;
    gspi_acc_layout(&b, &ws, counts->nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

/* Takes a node off its accelerator, and with it its given group. */
static void gspi_acc_leave(gspi_acc_ws *ws, gsp_placement *p, gsp_node v, gsp_reason reason,
                           gsp_node culprit)
{
    gsp_node u;
    p->kind[v] = (uint8_t)GSP_KIND_CPU;
    gspi_give_reason(p, v, reason, culprit);
    ws->stack[ws->n_stack++] = v;
    for (u = ws->partner[v]; u != v; u = ws->partner[u]) {
        if (p->kind[u] != GSP_KIND_CPU && p->kind[u] != GSP_KIND_NONE) {
            p->kind[u] = (uint8_t)GSP_KIND_CPU;
            gspi_give_reason(p, u, GSP_REASON_GROUP, v);
            ws->stack[ws->n_stack++] = u;
        }
    }
}

/* The first callable node from v on that yields no tensor; GSP_NONE: there is none. */
static gsp_node gspi_next_non_tensor(const gsp_graph *g, gsp_node v)
{
    const uint8_t *op = g->module->op + g->first;
    const uint8_t *out = g->module->out + g->first;
    while (v < g->n_nodes && (out[v] == (uint8_t)GSP_OUT_TENSOR || !gspi_is_callable(op[v]))) {
        v++;
    }
    return v < g->n_nodes ? v : GSP_NONE;
}

/* Node u yields a non-tensor value: lets it and its readers leave where the value crosses. */
static void gspi_acc_visit(gspi_acc_ws *ws, const gsp_graph *g, gsp_placement *p, gsp_node u)
{
    uint32_t count;
    const gsp_node *users = gsp_node_users(g, u, &count);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        gsp_node const v = users[i];
        uint32_t const own = p->kind[u];
        if (!gsp_node_is_callable(g, v) || p->kind[v] != own) {
            if (gsp_node_is_callable(g, v) && p->kind[v] != GSP_KIND_CPU) {
                gspi_acc_leave(ws, p, v, GSP_REASON_NON_TENSOR_IN, u);
            }
            if (own != GSP_KIND_CPU && p->kind[u] == own) {
                gspi_acc_leave(ws, p, u, GSP_REASON_NON_TENSOR_OUT, v);
            }
        }
    }
}

/* Node v has left: neighbours over non-tensor values leave. */
static void gspi_acc_spread(gspi_acc_ws *ws, const gsp_graph *g, gsp_placement *p, gsp_node v)
{
    uint32_t count;
    const gsp_node *row = gsp_node_inputs(g, v, &count);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        if (gspi_on_accelerator(p, row[i]) && gsp_node_out(g, row[i]) != GSP_OUT_TENSOR) {
            gspi_acc_leave(ws, p, row[i], GSP_REASON_NON_TENSOR_OUT, v);
        }
    }
    if (gsp_node_out(g, v) != GSP_OUT_TENSOR) {
        row = gsp_node_users(g, v, &count);
        for (i = 0u; i < count; i++) {
            if (gspi_on_accelerator(p, row[i])) {
                gspi_acc_leave(ws, p, row[i], GSP_REASON_NON_TENSOR_IN, v);
            }
        }
    }
}

GSP_API gsp_status gsp_acc_run(gsp_arena *arena, const gsp_graph *graph, gsp_placement *io,
                               gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_acc_ws ws;
    gsp_counts counts;
    gsp_mark mark;
    gsp_node v;
    if (arena == NULL || graph == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_check_placement(graph, io, err));
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_acc_bound(&counts), err));
    v = gspi_next_non_tensor(graph, 0u);
    if (v == GSP_NONE) { /* nothing can cross */
        return gspi_done(err);
    }
    mark = gsp_arena_mark(arena);
    if (io->group != NULL) {
        gspi_place_groups(arena, graph->n_nodes, io);
    }
    gspi_acc_layout(&b, &ws, graph->n_nodes);
    gspi_group_rings(io->group, graph->n_nodes, ws.partner, ws.stack);
    for (; v != GSP_NONE; v = gspi_next_non_tensor(graph, v + 1u)) {
        gspi_acc_visit(&ws, graph, io, v);
    }
    while (ws.n_stack > 0u) {
        gspi_acc_spread(&ws, graph, io, ws.stack[--ws.n_stack]);
    }
    gsp_arena_rewind(arena, mark);
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>fuse   Fusion groups: nodes that must run in one subgraph                     (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_SPLIT

/* Nodes joined by values without tensor metadata, or by a given group, form components. A
 * component with such a node on an accelerator is a seed: it must stay together, and so must all
 * that lies on paths between its nodes, with the components of those. This closure does not
 * depend on the placement.
 *
 * 1. A seed whose closure holds a node of another kind falls: the closure leaves for the CPU.
 *    Contract all components and find strongly connected parts: the closure of a seed lies in its
 *    part, so only seeds in parts of mixed kinds ("tangled") need a search of their own, a sweep
 *    up and down over the nodes between first and last member.
 * 2. Contract the seeds that are left: a strongly connected part is what must become one group,
 *    because its seeds share nodes or wait for each other. Parts that reach into other components
 *    swallow them, and are searched again; parts of mixed kinds fall, and all starts over.
 * 3. Contract given groups on the CPU as well: accelerator nodes on a cycle with them leave.
 *
 * The parts come out of the search in an order that respects the data, which is the order of the
 * result. Strongly connected parts: Tarjan's algorithm in Pearce's form (one index array, a stack
 * from either end), along inputs, over rings of members, without recursion. O(nodes + edges) a
 * search. */

#define GSPI_FUSE_SEED     1u   /* at the first node of a component: it holds an accelerator seed */
#define GSPI_FUSE_TAKEN    2u   /* at the first node of a component: swallowed by one with a seed */
#define GSPI_FUSE_TANGLED  4u   /* in a part of mixed kinds */
#define GSPI_FUSE_IN       8u   /* in the closure at hand */
#define GSPI_FUSE_DOWN     16u  /* reachable from the closure */
#define GSPI_FUSE_UP       32u  /* reaches the closure */
#define GSPI_FUSE_NOT_ROOT 64u  /* Pearce: something older is reachable */
#define GSPI_FUSE_MANY     128u /* at the first node of a component: there are others in it */

typedef struct gspi_fuse {
    const gsp_graph *g;
    gsp_placement *p;
    gsp_node *order;     /* [n] the result; a stack from either end while searching */
    uint32_t *component; /* [n] first node of the component */
    uint32_t *unit;      /* [n] first node of what is contracted at the moment */
    uint32_t *member;    /* [n] next member of the same unit, in a ring */
    uint32_t *index;     /* [n] Pearce's index, in the end n less the rank of the part */
    uint32_t *at_member; /* [n] search: member that a unit is at; then counts */
    uint32_t *at_input;  /* [n] search: input that it is at */
    uint8_t *mark;       /* [n] GSPI_FUSE_ */
    uint32_t n;
    int skip;
} gspi_fuse;

static void gspi_fuse_layout(gspi_bump *b, gspi_fuse *f, uint32_t n)
{
    f->order = GSPI_LOW(b, gsp_node, n);
    f->component = GSPI_HIGH(b, uint32_t, n);
    f->unit = GSPI_HIGH(b, uint32_t, n);
    f->member = GSPI_HIGH(b, uint32_t, n);
    f->index = GSPI_HIGH(b, uint32_t, n);
    f->at_member = GSPI_HIGH(b, uint32_t, n);
    f->at_input = GSPI_HIGH(b, uint32_t, n);
    f->mark = GSPI_HIGH(b, uint8_t, n);
    f->n = n;
}

GSP_API size_t gsp_fuse_bound(const gsp_counts *counts, const gsp_fuse_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_fuse f;
    (void)desc;
    gspi_fuse_layout(&b, &f, counts->nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

/* A node whose value carries no tensor metadata: what it feeds is fused with it. */
static int gspi_is_scalar(const gspi_fuse *f, gsp_node v)
{
    return !f->skip && gsp_node_is_callable(f->g, v) && gsp_node_out(f->g, v) == GSP_OUT_OTHER;
}

/* ---- components ---- */

static uint32_t gspi_find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* The root of a component is its first node. */
static void gspi_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    uint32_t const x = gspi_find_root(parent, a);
    uint32_t const y = gspi_find_root(parent, b);
    if (x < y) {
        parent[y] = x;
    } else {
        parent[x] = y;
    }
}

/* Makes given groups name their first member. */
static void gspi_fuse_normalise(const gspi_fuse *f)
{
    gsp_node v;
    gspi_set(f->index, 0xFF, f->n, sizeof(uint32_t));
    for (v = 0u; v < f->n; v++) {
        uint32_t *group = &f->p->group[v];
        if (*group != GSP_NONE) {
            f->index[*group] = f->index[*group] == GSP_NONE ? v : f->index[*group];
            *group = f->index[*group];
        }
    }
}

static void gspi_fuse_components(const gspi_fuse *f)
{
    gsp_node v;
    for (v = 0u; v < f->n; v++) {
        f->component[v] = v;
        f->mark[v] = 0u;
    }
    for (v = 0u; v < f->n; v++) {
        uint32_t count;
        uint32_t i;
        const gsp_node *users = gsp_node_users(f->g, v, &count);
        if (f->p->group[v] != GSP_NONE) {
            gspi_join(f->component, f->p->group[v], v);
        }
        for (i = 0u; gspi_is_scalar(f, v) && i < count; i++) {
            if (gsp_node_is_callable(f->g, users[i])) {
                gspi_join(f->component, v, users[i]);
            }
        }
    }
    for (v = 0u; v < f->n; v++) {
        uint32_t const first = f->component[f->component[v]]; /* it stands before its members */
        f->component[v] = first;
        f->mark[first] |= (uint8_t)(first != v ? GSPI_FUSE_MANY : 0u);
    }
}

/* A node from which a group grows. */
static int gspi_is_seed(const gspi_fuse *f, gsp_node v)
{
    return gspi_on_accelerator(f->p, v) && (gspi_is_scalar(f, v) || f->p->group[v] != GSP_NONE);
}

/* Marks the components that hold a seed now. */
static void gspi_fuse_seeds(const gspi_fuse *f)
{
    gsp_node v;
    for (v = 0u; v < f->n; v++) {
        f->mark[v] &= (uint8_t) ~(GSPI_FUSE_SEED | GSPI_FUSE_TAKEN);
    }
    for (v = 0u; v < f->n; v++) {
        if (gspi_is_seed(f, v)) {
            f->mark[f->component[v]] |= GSPI_FUSE_SEED;
        }
    }
}

/* ---- strongly connected parts ---- */

typedef enum gspi_contract {
    GSPI_CONTRACT_ALL,   /* all components */
    GSPI_CONTRACT_SEEDS, /* those with a seed, and those swallowed */
    GSPI_CONTRACT_GROUPS /* and given groups on the CPU */
} gspi_contract;

/* Sets unit and the rings of members. */
static void gspi_fuse_contract(const gspi_fuse *f, gspi_contract what)
{
    gsp_node v;
    for (v = 0u; v < f->n; v++) {
        uint32_t const c = f->component[v];
        uint32_t unit = v;
        if (what == GSPI_CONTRACT_ALL || (f->mark[c] & (GSPI_FUSE_SEED | GSPI_FUSE_TAKEN)) != 0u) {
            unit = c;
        } else if (what == GSPI_CONTRACT_GROUPS && f->p->group[v] != GSP_NONE) {
            unit = f->p->group[v];
        }
        f->unit[v] = unit;
        f->member[v] = v;
        if (unit != v) {
            f->member[v] = f->member[unit];
            f->member[unit] = v;
        }
    }
}

/* The next unit that unit r reads and that is not r; GSP_NONE when all members have been looked
 * at. */
static uint32_t gspi_fuse_next(const gspi_fuse *f, uint32_t r)
{
    for (;;) {
        uint32_t const m = f->at_member[r];
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(f->g, m, &count);
        while (f->at_input[r] < count) {
            gsp_node const u = inputs[f->at_input[r]++];
            if (f->unit[u] != r) {
                return f->unit[u];
            }
        }
        if (f->member[m] == r) {
            return GSP_NONE;
        }
        f->at_member[r] = f->member[m];
        f->at_input[r] = 0u;
    }
}

/* Pearce's search: `path` counts units on the path (from the low end of the stack), `kept` those
 * that are done but not yet in a part (from the high end). */
typedef struct gspi_scc {
    uint32_t next; /* index of the next unit to be met */
    uint32_t part; /* number of the next part, falling from n */
    uint32_t path;
    uint32_t kept;
} gspi_scc;

static void gspi_scc_enter(const gspi_fuse *f, gspi_scc *s, uint32_t r)
{
    f->index[r] = s->next++;
    f->at_member[r] = r;
    f->at_input[r] = 0u;
    f->mark[r] &= (uint8_t)~GSPI_FUSE_NOT_ROOT;
    f->order[s->path++] = r;
}

/* Unit r has no more inputs: it closes a part, or is kept for an older one. */
static void gspi_scc_leave(const gspi_fuse *f, gspi_scc *s, uint32_t r)
{
    s->path--;
    if ((f->mark[r] & GSPI_FUSE_NOT_ROOT) != 0u) {
        f->order[f->n - ++s->kept] = r;
        return;
    }
    s->next--;
    while (s->kept > 0u && f->index[f->order[f->n - s->kept]] >= f->index[r]) {
        f->index[f->order[f->n - s->kept]] = s->part;
        s->kept--;
        s->next--;
    }
    f->index[r] = s->part--;
}

static void gspi_scc_lower(const gspi_fuse *f, uint32_t r, uint32_t u)
{
    if (f->index[u] < f->index[r]) {
        f->index[r] = f->index[u];
        f->mark[r] |= GSPI_FUSE_NOT_ROOT;
    }
}

/* Orders all nodes by part, each part in graph order: a counting sort by falling index. */
static void gspi_fuse_sort(const gspi_fuse *f)
{
    uint32_t *counts = f->at_member;
    uint32_t sum = 0u;
    gsp_node v;
    gspi_set(counts, 0, f->n, sizeof(uint32_t));
    for (v = 0u; v < f->n; v++) {
        f->index[v] = f->index[f->unit[v]];
        counts[f->n - f->index[v]]++;
    }
    for (v = 0u; v < f->n; v++) {
        uint32_t const count = counts[v];
        counts[v] = sum;
        sum += count;
    }
    for (v = 0u; v < f->n; v++) {
        f->order[counts[f->n - f->index[v]]++] = v;
    }
}

/* Finds the strongly connected parts of the graph with its units contracted: afterwards index[v]
 * names the part of v, and `order` holds the nodes part by part, inputs first. */
static void gspi_fuse_parts(const gspi_fuse *f)
{
    gspi_scc s;
    gsp_node v;
    s.next = 1u;
    s.part = f->n;
    s.path = 0u;
    s.kept = 0u;
    gspi_set(f->index, 0, f->n, sizeof(uint32_t)); /* 0: not met */
    for (v = 0u; v < f->n; v++) {
        if (f->unit[v] != v || f->index[v] != 0u) {
            continue;
        }
        gspi_scc_enter(f, &s, v);
        while (s.path > 0u) {
            uint32_t const r = f->order[s.path - 1u];
            uint32_t const u = gspi_fuse_next(f, r);
            if (u == GSP_NONE) {
                gspi_scc_leave(f, &s, r);
                if (s.path > 0u) {
                    gspi_scc_lower(f, f->order[s.path - 1u], r);
                }
            } else if (f->index[u] == 0u) {
                gspi_scc_enter(f, &s, u);
            } else {
                gspi_scc_lower(f, r, u);
            }
        }
    }
    gspi_fuse_sort(f);
}

/* End of the part that begins at order[begin]. */
static uint32_t gspi_part_end(const gspi_fuse *f, uint32_t begin)
{
    uint32_t end = begin + 1u;
    while (end < f->n && f->index[f->order[end]] == f->index[f->order[begin]]) {
        end++;
    }
    return end;
}

/* The first node of order[begin .. end) whose kind is not that of the first; GSP_NONE: all are
 * alike. */
static gsp_node gspi_part_odd(const gspi_fuse *f, uint32_t begin, uint32_t end)
{
    uint32_t i;
    for (i = begin + 1u; i < end; i++) {
        if (f->p->kind[f->order[i]] != f->p->kind[f->order[begin]]) {
            return f->order[i];
        }
    }
    return GSP_NONE;
}

/* ---- falling ---- */

/* Moves one node to the CPU because of another; 1 when it was not there yet. */
static int gspi_fuse_drop(const gspi_fuse *f, gsp_node v, gsp_reason reason, gsp_node culprit)
{
    if (!gspi_on_accelerator(f->p, v)) {
        return 0;
    }
    f->p->kind[v] = (uint8_t)GSP_KIND_CPU;
    gspi_give_reason(f->p, v, reason, culprit);
    return 1;
}

/* A part of mixed kinds falls: whoever is on an accelerator leaves because of the first of another
 * kind. 1 when somebody left. */
static int gspi_part_fall(const gspi_fuse *f, uint32_t begin, uint32_t end, gsp_node odd,
                          gsp_reason reason)
{
    gsp_node const first = f->order[begin];
    uint32_t const kind = f->p->kind[first];
    int fell = 0;
    uint32_t i;
    for (i = begin; i < end; i++) {
        gsp_node const v = f->order[i];
        fell |= gspi_fuse_drop(f, v, reason, f->p->kind[v] == kind ? odd : first);
    }
    return fell;
}

/* ---- closures of single seeds ---- */

/* The closure that is being found: members carry GSPI_FUSE_IN and lie between low and high. */
typedef struct gspi_closure {
    gsp_node low;
    gsp_node high;
} gspi_closure;

/* Takes in the whole component of a node. `member` holds the rings of all components. */
static void gspi_closure_add(const gspi_fuse *f, gspi_closure *c, gsp_node v)
{
    gsp_node u = v;
    do {
        f->mark[u] |= GSPI_FUSE_IN;
        c->low = u < c->low ? u : c->low;
        c->high = u > c->high ? u : c->high;
        u = f->member[u];
    } while (u != v);
}

/* 1 when a node in the row carries the mark, within low .. high. */
static int gspi_row_marked(const gspi_fuse *f, const gspi_closure *c, const gsp_node *row,
                           uint32_t count, uint32_t mark)
{
    uint32_t i;
    for (i = 0u; i < count; i++) {
        if (row[i] >= c->low && row[i] <= c->high && (f->mark[row[i]] & mark) != 0u) {
            return 1;
        }
    }
    return 0;
}

/* One sweep down and one up: takes in what lies between members. 1 when something was new. */
static int gspi_closure_sweep(const gspi_fuse *f, gspi_closure *c)
{
    gspi_closure const old = *c;
    int grown = 0;
    uint32_t count;
    gsp_node v;
    for (v = old.low; v <= old.high; v++) {
        const gsp_node *row = gsp_node_inputs(f->g, v, &count);
        int const down = (f->mark[v] & GSPI_FUSE_IN) != 0u ||
                         gspi_row_marked(f, &old, row, count, GSPI_FUSE_DOWN);
        f->mark[v] = (uint8_t)((f->mark[v] & ~(GSPI_FUSE_DOWN | GSPI_FUSE_UP)) |
                               (down ? GSPI_FUSE_DOWN : 0u));
    }
    for (v = old.high + 1u; v-- > old.low;) {
        const gsp_node *row = gsp_node_users(f->g, v, &count);
        if ((f->mark[v] & GSPI_FUSE_IN) != 0u ||
            gspi_row_marked(f, &old, row, count, GSPI_FUSE_UP)) {
            f->mark[v] |= GSPI_FUSE_UP;
            if ((f->mark[v] & (GSPI_FUSE_IN | GSPI_FUSE_DOWN)) == GSPI_FUSE_DOWN) {
                gspi_closure_add(f, c, v);
                grown = 1;
            }
        }
    }
    return grown;
}

/* The first node of the closure whose kind is not that of the seed; GSP_NONE: none. */
static gsp_node gspi_closure_odd(const gspi_fuse *f, const gspi_closure *c, uint32_t kind)
{
    gsp_node v;
    for (v = c->low; v <= c->high; v++) {
        if ((f->mark[v] & GSPI_FUSE_IN) != 0u && f->p->kind[v] != kind) {
            return v;
        }
    }
    return GSP_NONE;
}

/* Finds the closure of a seed; lets it fall when it is of mixed kinds. 1 when it fell. */
static int gspi_closure_try(const gspi_fuse *f, gsp_node seed)
{
    uint32_t const kind = f->p->kind[seed];
    gspi_closure c;
    int fell = 0;
    gsp_node odd;
    gsp_node v;
    c.low = seed;
    c.high = seed;
    gspi_closure_add(f, &c, seed);
    while (gspi_closure_sweep(f, &c)) {
    }
    odd = gspi_closure_odd(f, &c, kind);
    for (v = c.low; v <= c.high; v++) {
        if ((f->mark[v] & GSPI_FUSE_IN) != 0u && odd != GSP_NONE) {
            fell |= gspi_fuse_drop(f, v, GSP_REASON_FUSED, f->p->kind[v] == kind ? odd : seed);
        }
        f->mark[v] &= (uint8_t) ~(GSPI_FUSE_IN | GSPI_FUSE_DOWN | GSPI_FUSE_UP);
    }
    return fell;
}

/* Marks the nodes in parts of mixed kinds, all components contracted. */
static void gspi_fuse_tangles(const gspi_fuse *f)
{
    uint32_t begin;
    uint32_t end;
    gspi_fuse_contract(f, GSPI_CONTRACT_ALL);
    gspi_fuse_parts(f);
    for (begin = 0u; begin < f->n; begin = end) {
        end = gspi_part_end(f, begin);
        if (gspi_part_odd(f, begin, end) != GSP_NONE) {
            uint32_t i;
            for (i = begin; i < end; i++) {
                f->mark[f->order[i]] |= GSPI_FUSE_TANGLED;
            }
        }
    }
}

/* Lets all tangled seeds fall whose closure cannot stay, until none falls. */
static void gspi_fuse_fall_alone(const gspi_fuse *f)
{
    int fell;
    gspi_fuse_tangles(f);
    do {
        gsp_node v;
        fell = 0;
        for (v = 0u; v < f->n; v++) {
            uint8_t *first = &f->mark[f->component[v]];
            if ((f->mark[v] & GSPI_FUSE_TANGLED) != 0u && gspi_is_seed(f, v) &&
                (*first & GSPI_FUSE_TAKEN) == 0u) {
                *first |= GSPI_FUSE_TAKEN; /* one search a component and round */
                fell |= gspi_closure_try(f, v);
            }
        }
        gspi_fuse_seeds(f);
    } while (fell);
}

/* ---- groups together ---- */

/* Parts with a seed swallow the components they reach into; 1 when there were any. */
static int gspi_part_swallow(const gspi_fuse *f, uint32_t begin, uint32_t end)
{
    int seed = 0;
    int grown = 0;
    uint32_t i;
    for (i = begin; i < end && end - begin > 1u; i++) {
        seed |= (f->mark[f->unit[f->order[i]]] & GSPI_FUSE_SEED) != 0u;
    }
    for (i = begin; i < end && seed; i++) {
        gsp_node const v = f->order[i];
        uint8_t *first = &f->mark[f->component[v]];
        if ((*first & (GSPI_FUSE_SEED | GSPI_FUSE_TAKEN)) == 0u) {
            *first |= GSPI_FUSE_TAKEN;
            grown |= (*first & GSPI_FUSE_MANY) != 0u;
        }
    }
    return grown;
}

/* Contracts `what`; lets parts of mixed kinds with more than one unit fall. 1 when one fell. */
static int gspi_fuse_fall_together(const gspi_fuse *f, gspi_contract what)
{
    gsp_reason const reason = what == GSPI_CONTRACT_GROUPS ? GSP_REASON_GROUP : GSP_REASON_FUSED;
    uint32_t begin;
    uint32_t end;
    int again;
    int fell = 0;
    do {
        again = 0;
        gspi_fuse_contract(f, what);
        gspi_fuse_parts(f);
        for (begin = 0u; begin < f->n && what == GSPI_CONTRACT_SEEDS; begin = end) {
            end = gspi_part_end(f, begin);
            again |= gspi_part_swallow(f, begin, end);
        }
    } while (again);
    for (begin = 0u; begin < f->n; begin = end) {
        gsp_node odd;
        end = gspi_part_end(f, begin);
        odd = gspi_part_odd(f, begin, end);
        if (odd != GSP_NONE) {
            fell |= gspi_part_fall(f, begin, end, odd, reason);
        }
    }
    return fell;
}

static int gspi_has_cpu_groups(const gspi_fuse *f)
{
    gsp_node v;
    for (v = 0u; v < f->n; v++) {
        if (f->p->group[v] != GSP_NONE && f->p->kind[v] == GSP_KIND_CPU) {
            return 1;
        }
    }
    return 0;
}

/* Numbers the final groups by first member: parts that are contracted or hold several nodes. */
static uint32_t gspi_fuse_number(const gspi_fuse *f)
{
    uint32_t *number = f->at_member; /* by rank of the part */
    uint32_t n_groups = 0u;
    uint32_t begin;
    uint32_t end;
    gsp_node v;
    gspi_set(number, 0xFF, f->n, sizeof(uint32_t));
    for (begin = 0u; begin < f->n; begin = end) {
        end = gspi_part_end(f, begin);
        if (end - begin > 1u || gspi_is_seed(f, f->order[begin])) {
            number[f->n - f->index[f->order[begin]]] = GSP_NONE - 1u;
        }
    }
    for (v = 0u; v < f->n; v++) {
        uint32_t *id = &number[f->n - f->index[v]];
        if (*id == GSP_NONE - 1u) {
            *id = n_groups++;
        }
    }
    for (v = 0u; v < f->n; v++) {
        f->p->group[v] = number[f->n - f->index[v]];
    }
    return n_groups;
}

static uint32_t gspi_fuse_groups(const gspi_fuse *f)
{
    int fell;
    gspi_fuse_components(f);
    gspi_fuse_seeds(f);
    do {
        gspi_fuse_fall_alone(f);
        fell = gspi_fuse_fall_together(f, GSPI_CONTRACT_SEEDS);
        if (!fell && gspi_has_cpu_groups(f)) {
            fell = gspi_fuse_fall_together(f, GSPI_CONTRACT_GROUPS);
        }
        gspi_fuse_seeds(f);
    } while (fell);
    return gspi_fuse_number(f);
}

static int gspi_fuse_is_needed(const gspi_fuse *f)
{
    const uint8_t *out = f->g->module->out + f->g->first;
    const uint32_t *group = f->p->group;
    gsp_node v;
    for (v = 0u; v < f->n; v++) {
        if (group[v] != GSP_NONE || (out[v] == (uint8_t)GSP_OUT_OTHER && gspi_is_scalar(f, v) &&
                                     gspi_on_accelerator(f->p, v))) {
            return 1;
        }
    }
    return 0;
}

GSP_API gsp_status gsp_fuse_run(gsp_arena *arena, const gsp_graph *graph, const gsp_fuse_desc *desc,
                                gsp_placement *io, gsp_fuse_result *result, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_fuse f;
    gsp_counts counts;
    gsp_mark mark;
    if (arena == NULL || graph == NULL || result == NULL || (io != NULL && io->group == NULL)) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc != NULL && (desc->start_canary != 0u || desc->end_canary != 0u)) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    GSPI_TRY(gspi_check_placement(graph, io, err));
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_fuse_bound(&counts, desc), err));
    mark = gsp_arena_mark(arena);
    f.g = graph;
    f.p = io;
    f.n = graph->n_nodes;
    f.skip = desc != NULL && desc->skip != 0u;
    result->n_groups = 0u;
    result->order = NULL;
    if (!gspi_fuse_is_needed(&f)) {
        return gspi_done(err);
    }
    gspi_place_groups(arena, graph->n_nodes, io);
    gspi_fuse_layout(&b, &f, graph->n_nodes);
    gspi_fuse_normalise(&f);
    result->n_groups = gspi_fuse_groups(&f);
    result->order = f.order;
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>boundary   Non-tensor values that need not cross                              (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_SPLIT

/* Subgraphs are looked at from the last to the first, so that readers have found their place when
 * their inputs are looked at. In one subgraph: backwards, which other subgraph a node reaches
 * through its own, if it is a single one; forwards, nodes that go take along what reads them;
 * backwards again, nodes whose readers have all been taken along. */

#define GSPI_MANY (GSP_NONE - 1u)

typedef struct gspi_boundary {
    const gsp_graph *g;
    const gsp_boundary_desc *d;
    uint32_t *of;    /* [n] of the caller */
    uint32_t *begin; /* [subgraphs + 1] into nodes */
    gsp_node *nodes; /* [n] callable nodes by subgraph */
    uint32_t *reach; /* [n] the only other subgraph; GSP_NONE: none, GSPI_MANY: more */
    uint8_t *goes;   /* [n] */
} gspi_boundary;

static void gspi_boundary_layout(gspi_bump *b, gspi_boundary *w, uint32_t n, uint32_t n_subgraphs)
{
    w->begin = GSPI_HIGH(b, uint32_t, (size_t)n_subgraphs + 1u);
    w->nodes = GSPI_HIGH(b, gsp_node, n);
    w->reach = GSPI_HIGH(b, uint32_t, n);
    w->goes = GSPI_HIGH(b, uint8_t, n);
}

GSP_API size_t gsp_boundary_bound(const gsp_counts *counts, uint32_t n_subgraphs)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_boundary w;
    gspi_boundary_layout(&b, &w, counts->nodes, n_subgraphs);
    return gspi_add(b.used, GSPI_SLACK);
}

static void gspi_boundary_rows(const gspi_boundary *w)
{
    gsp_node v;
    gspi_set(w->begin, 0, (size_t)w->d->n_subgraphs + 1u, sizeof(uint32_t));
    for (v = 0u; v < w->g->n_nodes; v++) {
        if (gsp_node_is_callable(w->g, v)) {
            w->begin[w->of[v]]++;
        }
    }
    gspi_counts_to_ends(w->begin, w->d->n_subgraphs);
    for (v = w->g->n_nodes; v > 0u; v--) {
        if (gsp_node_is_callable(w->g, v - 1u)) {
            w->nodes[--w->begin[w->of[v - 1u]]] = v - 1u;
        }
    }
}

/* A node that could go from subgraph `own` to `to`. */
static int gspi_boundary_may(const gspi_boundary *w, gsp_node v, uint32_t own, uint32_t to)
{
    return gsp_node_out(w->g, v) != GSP_OUT_TENSOR && to != own && to < w->d->n_subgraphs &&
           (w->d->kind[to] == GSP_KIND_CPU || w->d->kind[to] == w->d->kind[own]) &&
           (w->d->group == NULL || w->d->group[v] == GSP_NONE);
}

static uint32_t gspi_boundary_join(uint32_t a, uint32_t b)
{
    return a == GSP_NONE || a == b ? b : b == GSP_NONE ? a : GSPI_MANY;
}

/* Where the readers of v stand; `through` != 0: or what those in subgraph `own` reach. Sets
 * *leaves when a reader stands elsewhere, or will. */
static uint32_t gspi_boundary_readers(const gspi_boundary *w, gsp_node v, uint32_t own, int through,
                                      int *leaves)
{
    uint32_t count;
    const gsp_node *users = gsp_node_users(w->g, v, &count);
    uint32_t all = GSP_NONE;
    uint32_t i;
    for (i = 0u; i < count; i++) {
        gsp_node const u = users[i];
        if (gsp_node_is_callable(w->g, u)) {
            int const inside = w->of[u] == own;
            all = gspi_boundary_join(all, inside && through ? w->reach[u] : w->of[u]);
            *leaves |= !inside || w->goes[u] != 0u;
        }
    }
    return all;
}

static void gspi_boundary_reach(const gspi_boundary *w, uint32_t own)
{
    uint32_t i;
    for (i = w->begin[own + 1u]; i > w->begin[own]; i--) {
        gsp_node const v = w->nodes[i - 1u];
        int const grouped = w->d->group != NULL && w->d->group[v] != GSP_NONE;
        int leaves = 0;
        uint32_t const to = gspi_boundary_readers(w, v, own, 1, &leaves);
        w->reach[v] = grouped ? GSPI_MANY : to;
        w->goes[v] = (uint8_t)(leaves && gspi_boundary_may(w, v, own, to));
    }
}

/* What reads a node that goes comes along. What nobody reads elsewhere goes as far as the last of
 * its inputs. */
static void gspi_boundary_spread(const gspi_boundary *w, uint32_t own)
{
    uint32_t i;
    for (i = w->begin[own]; i < w->begin[own + 1u]; i++) {
        gsp_node const v = w->nodes[i];
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(w->g, v, &count);
        uint32_t k;
        for (k = 0u; k < count; k++) {
            gsp_node const u = inputs[k];
            if (gsp_node_is_callable(w->g, u) && w->of[u] == own && w->goes[u] != 0u) {
                uint32_t const to = w->reach[u];
                w->goes[v] = 1u;
                w->reach[v] = w->reach[v] == GSP_NONE || w->reach[v] < to ? to : w->reach[v];
            }
        }
    }
}

/* Moves the nodes of one subgraph; returns how many. */
static uint32_t gspi_boundary_move(const gspi_boundary *w, uint32_t own)
{
    uint32_t n = 0u;
    uint32_t i;
    for (i = w->begin[own]; i < w->begin[own + 1u]; i++) {
        gsp_node const v = w->nodes[i];
        w->of[v] = w->goes[v] != 0u ? w->reach[v] : own;
        n += w->goes[v];
    }
    for (i = w->begin[own + 1u]; i > w->begin[own]; i--) {
        gsp_node const v = w->nodes[i - 1u];
        int leaves = 0;
        uint32_t const to = gspi_boundary_readers(w, v, own, 0, &leaves);
        if (w->goes[v] == 0u && gspi_boundary_may(w, v, own, to)) {
            w->of[v] = to;
            n++;
        }
    }
    return n;
}

GSP_API gsp_status gsp_boundary_run(gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_boundary_desc *desc, uint32_t *subgraph_of,
                                    uint32_t *n_moved, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_boundary w;
    gsp_counts counts;
    gsp_mark mark;
    uint32_t moved = 0u;
    uint32_t i;
    if (arena == NULL || graph == NULL || desc == NULL || subgraph_of == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc->start_canary != 0u || desc->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (desc->kind == NULL && desc->n_subgraphs != 0u) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_boundary_bound(&counts, desc->n_subgraphs), err));
    GSPI_TRY(gspi_check_parts(graph, subgraph_of, desc->n_subgraphs, err));
    mark = gsp_arena_mark(arena);
    w.g = graph;
    w.d = desc;
    w.of = subgraph_of;
    gspi_boundary_layout(&b, &w, graph->n_nodes, desc->n_subgraphs);
    gspi_boundary_rows(&w);
    for (i = desc->n_subgraphs; i > 0u; i--) {
        if (desc->kind[i - 1u] != GSP_KIND_CPU) {
            gspi_boundary_reach(&w, i - 1u);
            gspi_boundary_spread(&w, i - 1u);
            moved += gspi_boundary_move(&w, i - 1u);
        }
    }
    if (n_moved != NULL) {
        *n_moved = moved;
    }
    gsp_arena_rewind(arena, mark);
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>split   CPU and accelerator subgraphs                                         (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_SPLIT

/* Kinds take turns: phase p is of kind (s + p) mod kinds. A node's phase is the least of its kind
 * that is no earlier than the greatest of its inputs' phases, so one pass over graph order finds
 * all (a group: as one node, in the order that fusion gave). The phases that occur are numbered,
 * nodes are sorted by counting, and small subgraphs are merged in one pass over the phases. */

typedef struct gspi_split_ws {
    uint32_t *raw_of;   /* [n] phase of a node, then its raw subgraph */
    uint32_t *final_of; /* [n] subgraph of a raw subgraph */
    uint32_t *number;   /* [phases] 1: occurs; then its number among those that do */
    uint32_t *subgraph_of;
    uint32_t *begin;
    gsp_node *nodes;
    uint8_t *raw_kind;
    uint8_t *kind;      /* of the subgraphs */
    uint64_t *value;    /* [n] DEMOTE: of an accelerator subgraph */
    uint32_t *by_value; /* [n] DEMOTE: accelerator subgraphs, ascending */
    size_t phases;
    uint32_t n_raw;
    uint32_t n_small; /* raw subgraphs that went to the CPU for their size */
    uint32_t n_subgraphs;
} gspi_split_ws;

/* Phases are numbered below this: every node of a path adds less than n_kinds, with two kinds at
 * most one. They must fit into 32 bits. */
static size_t gspi_split_phases(uint32_t n, uint32_t n_kinds)
{
    size_t const phases = gspi_mul_add(n, n_kinds - (n_kinds > 1u ? 1u : 0u), n_kinds);
    return phases < UINT32_MAX ? phases : SIZE_MAX;
}

static void gspi_split_results(gspi_bump *b, gsp_placement *p, uint32_t n)
{
    p->kind = GSPI_LOW(b, uint8_t, n);
    p->reason = GSPI_LOW(b, uint8_t, n);
    p->culprit = GSPI_LOW(b, gsp_node, n);
    p->group = GSPI_LOW(b, uint32_t, n);
}

/* What comes after fusion. `nodes` takes the place of the order that fusion gave, if it gave
 * one. */
static void gspi_split_layout(gspi_bump *b, gspi_split_ws *ws, uint32_t n, uint32_t n_kinds,
                              int demote, int has_nodes)
{
    ws->phases = gspi_split_phases(n, n_kinds);
    if (!has_nodes) {
        ws->nodes = GSPI_LOW(b, gsp_node, n);
    }
    ws->raw_of = GSPI_LOW(b, uint32_t, n);
    ws->subgraph_of = GSPI_LOW(b, uint32_t, n);
    ws->begin = GSPI_LOW(b, uint32_t, (size_t)n + 1u);
    ws->raw_kind = GSPI_LOW(b, uint8_t, n);
    ws->kind = GSPI_LOW(b, uint8_t, n);
    ws->final_of = GSPI_HIGH(b, uint32_t, n);
    ws->number = GSPI_HIGH(b, uint32_t, ws->phases);
    ws->value = NULL;
    ws->by_value = NULL;
    if (demote) {
        ws->value = GSPI_HIGH(b, uint64_t, n);
        ws->by_value = GSPI_HIGH(b, uint32_t, n);
    }
}

GSP_API gsp_split_desc gsp_split_resolve(const gsp_split_desc *desc)
{
    gsp_split_desc d = {0u, 0u, 0u, 0u, 0u, 0u, 0u, NULL, NULL, NULL, NULL, 0u, NULL, NULL, 0u};
    if (desc != NULL) {
        d = *desc;
    }
    d.min_size = d.min_size == 0u ? 1u : d.min_size;
    d.prefix = d.prefix == NULL ? "_run_on_" : d.prefix;
    return d;
}

static int gspi_split_demotes(const gsp_split_desc *d)
{
    return d->limit != 0u && d->limit_policy == (uint32_t)GSP_LIMIT_DEMOTE;
}

GSP_API size_t gsp_split_bound(const gsp_counts *counts, const gsp_split_desc *desc)
{
    uint32_t const n = counts->nodes;
    uint32_t const kinds = desc == NULL || desc->placement == NULL ? 2u : desc->placement->n_kinds;
    gspi_bump results = gspi_bump_over(NULL);
    gspi_bump order = gspi_bump_over(NULL);
    gspi_bump phases = gspi_bump_over(NULL);
    gsp_placement p;
    gspi_split_ws ws;
    size_t before;
    gspi_split_results(&results, &p, n);
    (void)GSPI_LOW(&order, gsp_node, n);
    gspi_split_layout(&phases, &ws, n, kinds, desc != NULL && gspi_split_demotes(desc), 1);
    before = gspi_max(gsp_acc_bound(counts), gsp_fuse_bound(counts, NULL));
    if (desc != NULL && desc->move_non_tensor) { /* every node may be a subgraph */
        phases.used = gspi_add(phases.used, gsp_boundary_bound(counts, n));
    }
    return gspi_add(gspi_add(results.used, GSPI_SLACK),
                    gspi_max(before, gspi_add(order.used, phases.used)));
}

static gsp_status gspi_split_check(const gsp_graph *g, const gsp_split_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u ||
        d->limit_policy >= (uint32_t)GSP_LIMIT_COUNT) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    return gspi_check_placement(g, d->placement, err);
}

/* Takes the given placement over; what the caller left out is filled in. */
static void gspi_split_copy(const gsp_graph *g, const gsp_placement *from, gsp_placement *to)
{
    const uint8_t *op = g->module->op + g->first;
    uint32_t const n = g->n_nodes;
    gsp_node v;
    for (v = 0u; v < n; v++) {
        to->kind[v] = (uint8_t)(gspi_is_callable(op[v]) ? from->kind[v] : GSP_KIND_NONE);
    }
    gspi_set(to->group, 0xFF, n, sizeof(uint32_t));
    gspi_set(to->culprit, 0xFF, n, sizeof(gsp_node));
    gspi_copy(to->group, from->group, from->group == NULL ? 0u : n, sizeof(uint32_t));
    gspi_copy(to->culprit, from->culprit, from->culprit == NULL ? 0u : n, sizeof(gsp_node));
    gspi_copy(to->reason, from->reason, from->reason == NULL ? 0u : n, 1u);
    for (v = 0u; v < n && from->reason == NULL; v++) {
        to->reason[v] = (uint8_t)(to->kind[v] == GSP_KIND_NONE  ? GSP_REASON_NONE
                                  : to->kind[v] == GSP_KIND_CPU ? GSP_REASON_UNSUPPORTED
                                                                : GSP_REASON_SUPPORTED);
    }
}

/* The first kind with a node that has no callable input; 0 without callable nodes. */
static uint32_t gspi_split_start(const gsp_graph *g, const uint8_t *kind)
{
    uint32_t start = GSP_KIND_NONE;
    gsp_node v;
    for (v = 0u; v < g->n_nodes && start > 0u; v++) {
        uint32_t count;
        uint32_t i;
        const gsp_node *inputs = gsp_node_inputs(g, v, &count);
        if (kind[v] < start) {
            for (i = 0u; i < count && kind[inputs[i]] == GSP_KIND_NONE; i++) {
            }
            start = i == count ? kind[v] : start;
        }
    }
    return start == GSP_KIND_NONE ? 0u : start;
}

/* The least phase of this turn from `phase` on. */
static uint32_t gspi_phase_from(uint32_t phase, uint32_t turn, uint32_t n_kinds)
{
    return phase +
           (n_kinds == 2u ? (phase ^ turn) & 1u : (turn + n_kinds - phase % n_kinds) % n_kinds);
}

/* Phases in graph order: all nodes alone. What is no callable node has phase 0, which binds
 * nobody. */
static void gspi_split_order(const gsp_graph *g, const uint8_t *kind, const uint8_t *turn,
                             uint32_t n_kinds, uint32_t *phase)
{
    const uint32_t *begin = g->module->in_begin + g->first;
    const gsp_node *inputs = g->module->inputs;
    uint32_t i = begin[0];
    gsp_node v;
    for (v = 0u; v < g->n_nodes; v++) {
        uint32_t const end = begin[v + 1u];
        uint32_t latest = 0u;
        for (; i < end; i++) {
            uint32_t const p = phase[inputs[i]];
            latest = p > latest ? p : latest;
        }
        phase[v] = kind[v] == GSP_KIND_NONE ? 0u : gspi_phase_from(latest, turn[kind[v]], n_kinds);
    }
}

/* Phases in the order of fusion: the nodes of a group stand side by side and get the greatest. */
static void gspi_split_order_groups(const gsp_graph *g, const uint8_t *kind, const uint8_t *turn,
                                    uint32_t n_kinds, const uint32_t *group, const gsp_node *order,
                                    uint32_t *phase)
{
    uint32_t begin;
    uint32_t end;
    for (begin = 0u; begin < g->n_nodes; begin = end) {
        gsp_node const first = order[begin];
        uint32_t latest = 0u;
        uint32_t i;
        for (end = begin; end < g->n_nodes; end++) {
            uint32_t count;
            const gsp_node *inputs = gsp_node_inputs(g, order[end], &count);
            if (end > begin && (group[first] == GSP_NONE || group[order[end]] != group[first])) {
                break;
            }
            for (i = 0u; i < count; i++) {
                gsp_node const u = inputs[i];
                int const inside = group[u] != GSP_NONE && group[u] == group[first];
                latest = !inside && phase[u] > latest ? phase[u] : latest;
            }
        }
        latest =
            kind[first] == GSP_KIND_NONE ? 0u : gspi_phase_from(latest, turn[kind[first]], n_kinds);
        for (i = begin; i < end; i++) {
            phase[order[i]] = latest;
        }
    }
}

/* Numbers the phases that occur: raw_of[v] becomes the raw subgraph of v, begin[] its size. */
static void gspi_split_number(gspi_split_ws *ws, uint32_t n, const uint8_t *kind)
{
    uint32_t *raw_of = ws->raw_of;
    uint32_t *number = ws->number;
    uint32_t n_raw = 0u;
    gsp_node v;
    size_t i;
    gspi_set(number, 0, ws->phases, sizeof(uint32_t));
    for (v = 0u; v < n; v++) {
        if (kind[v] != GSP_KIND_NONE) {
            number[raw_of[v]] = 1u;
        }
    }
    for (i = 0u; i < ws->phases; i++) {
        uint32_t const occurs = number[i];
        number[i] = n_raw;
        n_raw += occurs;
    }
    ws->n_raw = n_raw;
    gspi_set(ws->begin, 0, (size_t)n_raw + 1u, sizeof(uint32_t));
    for (v = 0u; v < n; v++) {
        if (kind[v] == GSP_KIND_NONE) {
            raw_of[v] = GSP_NONE;
        } else {
            uint32_t const raw = number[raw_of[v]];
            raw_of[v] = raw;
            ws->raw_kind[raw] = kind[v];
            ws->begin[raw]++;
        }
    }
}

/* Merges small accelerator subgraphs into the CPU, and neighbours on the CPU. begin[] holds
 * sizes. */
static void gspi_split_merge(gspi_split_ws *ws, uint32_t min_size)
{
    uint32_t n = 0u;
    uint32_t i;
    ws->n_small = 0u;
    for (i = 0u; i < ws->n_raw; i++) {
        int const cpu = ws->raw_kind[i] == GSP_KIND_CPU;
        int const is_small = !cpu && ws->begin[i] < min_size;
        int const joins = n > 0u && (cpu || is_small) && ws->kind[n - 1u] == GSP_KIND_CPU;
        if (!joins) {
            ws->kind[n++] = (uint8_t)(is_small ? GSP_KIND_CPU : ws->raw_kind[i]);
        }
        ws->final_of[i] = n - 1u;
        ws->n_small += is_small ? 1u : 0u;
    }
    ws->n_subgraphs = n;
}

/* 1 when every callable node is supported, whatever became of it since. */
static int gspi_split_is_full(const gsp_graph *g, const uint8_t *kind)
{
    gsp_node v;
    for (v = 0u; v < g->n_nodes; v++) {
        if (kind[v] == GSP_KIND_CPU && gsp_node_is_callable(g, v)) {
            return 0;
        }
    }
    return 1;
}

/* ---- the limit ---- */

/* How many subgraphs are left when the first `gone` by value are on the CPU; fills their new
 * numbers into `renumber` if it is not NULL. rank_of[i]: place of subgraph i by value. */
static uint32_t gspi_split_left(const gspi_split_ws *ws, const uint32_t *rank_of, uint32_t gone,
                                uint32_t *renumber)
{
    uint32_t n = 0u;
    uint32_t i;
    int last_cpu = 0;
    for (i = 0u; i < ws->n_subgraphs; i++) {
        int const cpu = ws->kind[i] == GSP_KIND_CPU || rank_of[i] < gone;
        n += !(cpu && last_cpu) ? 1u : 0u;
        last_cpu = cpu;
        if (renumber != NULL) {
            renumber[i] = n - 1u;
        }
    }
    return n;
}

/* Values of accelerator subgraphs, and their ids by ascending value; returns how many there are. */
static uint32_t gspi_split_values(gspi_split_ws *ws, const gsp_graph *g, const uint64_t *value)
{
    uint32_t n = 0u;
    uint32_t i;
    gsp_node v;
    gspi_set(ws->value, 0, ws->n_subgraphs, sizeof(uint64_t));
    for (v = 0u; v < g->n_nodes; v++) {
        if (ws->raw_of[v] != GSP_NONE) {
            uint64_t *sum = &ws->value[ws->final_of[ws->raw_of[v]]];
            uint64_t const own = value == NULL ? 1u : value[v];
            *sum = own > UINT64_MAX - *sum ? UINT64_MAX : *sum + own;
        }
    }
    for (i = 0u; i < ws->n_subgraphs; i++) {
        if (ws->kind[i] != GSP_KIND_CPU) {
            ws->by_value[n++] = i;
        }
    }
    gspi_sort(ws->by_value, n, ws->value);
    return n;
}

/* Demotes the least valuable accelerator subgraphs until the limit holds: their number by
 * bisection, since more demoted never leaves more subgraphs. Small arrays of earlier steps serve
 * as scratch. */
static void gspi_split_demote(gspi_split_ws *ws, const gsp_graph *g, const gsp_split_desc *d)
{
    uint32_t const n = gspi_split_values(ws, g, d->value);
    uint32_t *rank_of = ws->begin;
    uint32_t *renumber = ws->subgraph_of;
    uint32_t low = 0u;
    uint32_t high = n;
    uint32_t i;
    gspi_set(rank_of, 0xFF, ws->n_subgraphs, sizeof(uint32_t));
    for (i = 0u; i < n; i++) {
        rank_of[ws->by_value[i]] = i;
    }
    while (low < high) {
        uint32_t const middle = low + (high - low) / 2u;
        if (gspi_split_left(ws, rank_of, middle, NULL) > d->limit) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    i = gspi_split_left(ws, rank_of, low, renumber);
    for (high = 0u; high < ws->n_subgraphs; high++) {
        int const cpu = ws->kind[high] == GSP_KIND_CPU || rank_of[high] < low;
        ws->kind[renumber[high]] = (uint8_t)(cpu ? GSP_KIND_CPU : ws->kind[high]);
    }
    for (high = 0u; high < ws->n_raw; high++) {
        ws->final_of[high] = renumber[ws->final_of[high]];
    }
    ws->n_subgraphs = i;
}

/* ---- results ---- */

/* subgraph_of, and nodes by subgraph: a counting sort. */
static void gspi_split_list(gspi_split_ws *ws, uint32_t n)
{
    const uint32_t *raw = ws->raw_of;
    uint32_t *begin = ws->begin;
    uint32_t *subgraph_of = ws->subgraph_of;
    gsp_node v;
    gspi_set(begin, 0, (size_t)ws->n_subgraphs + 1u, sizeof(uint32_t));
    for (v = 0u; v < n; v++) {
        if (raw[v] == GSP_NONE) {
            subgraph_of[v] = GSP_NONE;
        } else {
            subgraph_of[v] = ws->final_of[raw[v]];
            begin[subgraph_of[v]]++;
        }
    }
    gspi_counts_to_ends(begin, ws->n_subgraphs);
    for (v = n; v > 0u; v--) {
        if (subgraph_of[v - 1u] != GSP_NONE) {
            ws->nodes[--begin[subgraph_of[v - 1u]]] = v - 1u;
        }
    }
}

/* A node that went to the CPU before, for a reason that stays. */
static int gspi_split_has_gone(const gspi_split_ws *ws, const gsp_placement *p, gsp_node v)
{
    uint32_t const reason = p->reason[v];
    return reason == (uint32_t)GSP_REASON_SMALL || reason == (uint32_t)GSP_REASON_REFUSED ||
           (reason == (uint32_t)GSP_REASON_MOVED && ws->raw_kind[ws->raw_of[v]] == GSP_KIND_CPU);
}

/* Nodes whose subgraph went to the CPU just now. */
static void gspi_split_reasons(const gspi_split_ws *ws, const gsp_graph *g, gsp_placement *p,
                               gsp_reason reason)
{
    gsp_node v;
    for (v = 0u; v < g->n_nodes; v++) {
        if (gspi_on_accelerator(p, v) && !gspi_split_has_gone(ws, p, v) &&
            ws->kind[ws->final_of[ws->raw_of[v]]] == GSP_KIND_CPU) {
            gspi_give_reason(p, v, reason, GSP_NONE);
        }
    }
}

/* From a reduced placement to raw subgraphs. */
GSPI_OWN_FRAME void gspi_split_raw(gspi_split_ws *ws, const gsp_graph *g, const gsp_placement *p,
                                   const gsp_node *order)
{
    uint32_t const start = gspi_split_start(g, p->kind);
    uint8_t turn[GSP_KIND_NONE + 1u];
    uint32_t k;
    for (k = 0u; k < p->n_kinds; k++) {
        turn[k] = (uint8_t)((k + p->n_kinds - start) % p->n_kinds);
    }
    turn[GSP_KIND_NONE] = 0u;
    if (order == NULL) {
        gspi_split_order(g, p->kind, turn, p->n_kinds, ws->raw_of);
    } else {
        gspi_split_order_groups(g, p->kind, turn, p->n_kinds, p->group, order, ws->raw_of);
    }
    gspi_split_number(ws, g->n_nodes, p->kind);
}

/* Raw subgraphs that became empty vanish; begin[] holds sizes. */
static void gspi_split_renumber(gspi_split_ws *ws, uint32_t n)
{
    uint32_t n_raw = 0u;
    uint32_t i;
    gsp_node v;
    gspi_set(ws->begin, 0, (size_t)ws->n_raw + 1u, sizeof(uint32_t));
    for (v = 0u; v < n; v++) {
        if (ws->raw_of[v] != GSP_NONE) {
            ws->begin[ws->raw_of[v]]++;
        }
    }
    for (i = 0u; i < ws->n_raw; i++) { /* no new number is above the old one */
        uint32_t const size = ws->begin[i];
        ws->final_of[i] = n_raw;
        ws->raw_kind[n_raw] = ws->raw_kind[i];
        ws->begin[n_raw] = size;
        n_raw += size != 0u ? 1u : 0u;
    }
    ws->n_raw = n_raw;
    for (v = 0u; v < n; v++) {
        if (ws->raw_of[v] != GSP_NONE) {
            ws->raw_of[v] = ws->final_of[ws->raw_of[v]];
        }
    }
}

/* Moves non-tensor nodes off the boundaries of raw subgraphs, and says who reads them. */
GSPI_OWN_FRAME void gspi_split_move(gspi_split_ws *ws, gsp_arena *arena, const gsp_graph *g,
                                    gsp_placement *p)
{
    gsp_boundary_desc d = {0u, 0u, NULL, NULL, 0u};
    gsp_node v;
    d.n_subgraphs = ws->n_raw;
    d.kind = ws->raw_kind;
    d.group = p->group;
    gspi_copy(ws->final_of, ws->raw_of, g->n_nodes, sizeof(uint32_t));
    (void)gsp_boundary_run(arena, g, &d, ws->raw_of, NULL, NULL);
    for (v = 0u; v < g->n_nodes; v++) {
        if (ws->raw_of[v] != ws->final_of[v]) {
            uint32_t count;
            const gsp_node *users = gsp_node_users(g, v, &count);
            gspi_give_reason(p, v, GSP_REASON_MOVED,
                             count > 0u && gsp_node_is_callable(g, users[0]) ? users[0] : GSP_NONE);
        }
    }
    gspi_split_renumber(ws, g->n_nodes);
}

/* Asks the caller about each accelerator subgraph that is not too small; one that is refused
 * counts as empty from here on. begin[] holds sizes. */
GSPI_OWN_FRAME void gspi_split_accept(gspi_split_ws *ws, const gsp_graph *g,
                                      const gsp_split_desc *d, uint32_t min_size, gsp_placement *p)
{
    uint32_t *row = ws->subgraph_of; /* [n_raw + 1]: no node of the output is in a subgraph */
    uint32_t i;
    gsp_node v;
    gspi_copy(row, ws->begin, ws->n_raw, sizeof(uint32_t));
    gspi_counts_to_ends(row, ws->n_raw);
    for (v = g->n_nodes; v > 0u; v--) {
        if (ws->raw_of[v - 1u] != GSP_NONE) {
            ws->nodes[--row[ws->raw_of[v - 1u]]] = v - 1u;
        }
    }
    for (i = 0u; i < ws->n_raw; i++) {
        gsp_subgraph s;
        s.kind = ws->raw_kind[i];
        s.n_nodes = ws->begin[i];
        s.nodes = ws->nodes + row[i];
        if (s.kind != GSP_KIND_CPU && s.n_nodes >= min_size && !d->accept(d->user, g, &s)) {
            uint32_t k;
            for (k = 0u; k < s.n_nodes; k++) {
                gspi_give_reason(p, s.nodes[k], GSP_REASON_REFUSED, GSP_NONE);
            }
            ws->begin[i] = 0u;
        }
    }
}

/* From raw subgraphs to those that stay. */
GSPI_OWN_FRAME gsp_status gspi_split_final(gspi_split_ws *ws, const gsp_graph *g,
                                           const gsp_split_desc *d, gsp_placement *p,
                                           gsp_error *err)
{
    int const waived = d->waive_min_size != 0u && gspi_split_is_full(g, d->placement->kind);
    uint32_t const min_size = waived ? 1u : d->min_size;
    if (d->accept != NULL) {
        gspi_split_accept(ws, g, d, min_size, p);
    }
    gspi_split_merge(ws, min_size);
    if (ws->n_small > 0u) {
        gspi_split_reasons(ws, g, p, GSP_REASON_SMALL);
    }
    if (d->limit != 0u && ws->n_subgraphs > d->limit) {
        if (!gspi_split_demotes(d)) {
            return gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_SUBGRAPHS, ws->n_subgraphs,
                                    d->limit);
        }
        gspi_split_demote(ws, g, d);
        gspi_split_reasons(ws, g, p, GSP_REASON_LIMIT);
    }
    gspi_split_list(ws, g->n_nodes);
    return GSP_OK;
}

static void gspi_split_commit(const gspi_split_ws *ws, const gsp_split_desc *d,
                              const gsp_placement *p, uint32_t n_groups, gsp_split_result *result)
{
    result->n_nodes = p->n_nodes;
    result->n_kinds = p->n_kinds;
    result->n_groups = n_groups;
    result->n_raw = ws->n_raw;
    result->n_subgraphs = ws->n_subgraphs;
    result->kind = p->kind;
    result->reason = p->reason;
    result->culprit = p->culprit;
    result->group = p->group;
    result->raw_of = ws->raw_of;
    result->raw_kind = ws->raw_kind;
    result->subgraph_of = ws->subgraph_of;
    result->subgraph_kind = ws->kind;
    result->subgraph_begin = ws->begin;
    result->nodes = ws->nodes;
    result->prefix = d->prefix;
    result->names = d->names;
}

GSP_API gsp_status gsp_split_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_split_desc *desc, gsp_split_result *result,
                                 gsp_error *err)
{
    gsp_split_desc const d = gsp_split_resolve(desc);
    gsp_fuse_desc const fuse = {0u, d.skip_fusion, 0u};
    gspi_bump b = gspi_bump_over(arena);
    gspi_split_ws ws;
    gsp_fuse_result fused;
    gsp_placement p;
    gsp_counts counts;
    gsp_mark mark;
    if (arena == NULL || graph == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_split_check(graph, &d, err));
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_split_bound(&counts, &d), err));
    mark = gsp_arena_mark(arena);
    p.n_nodes = graph->n_nodes;
    p.n_kinds = d.placement->n_kinds;
    p.trusted = 1u;
    gspi_split_results(&b, &p, graph->n_nodes);
    gspi_split_copy(graph, d.placement, &p);
    if (!d.allow_non_tensor) {
        (void)gsp_acc_run(arena, graph, &p, NULL);
    }
    (void)gsp_fuse_run(arena, graph, &fuse, &p, &fused, NULL);
    gspi_split_layout(&b, &ws, graph->n_nodes, p.n_kinds, gspi_split_demotes(&d),
                      fused.order != NULL);
    gspi_split_raw(&ws, graph, &p, fused.order);
    if (fused.order != NULL) {
        ws.nodes = (gsp_node *)(uintptr_t)fused.order;
    }
    if (d.move_non_tensor) {
        gspi_split_move(&ws, arena, graph, &p);
    }
    if (gspi_split_final(&ws, graph, &d, &p, err) != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return GSP_STATUS_LIMIT;
    }
    arena->high = mark.high;
    gspi_split_commit(&ws, &d, &p, fused.n_groups, result);
    return gspi_done(err);
}

/* Appends `t` to a text of `at` bytes, as far as `size` reaches; returns the new length. */
static size_t gspi_tag_put(char *buffer, size_t size, size_t at, gsp_text t)
{
    uint32_t i;
    for (i = 0u; i < t.size; i++) {
        if (at + i + 1u < size) {
            buffer[at + i] = t.data[i];
        }
    }
    return at + t.size;
}

GSP_API size_t gsp_split_tag(const gsp_split_result *result, uint32_t subgraph, char *buffer,
                             size_t size)
{
    uint32_t const kind = result->subgraph_kind[subgraph];
    char digits[20];
    size_t n = gspi_tag_put(buffer, size, 0u, gsp_text_of(result->prefix));
    if (result->names != NULL) {
        n = gspi_tag_put(buffer, size, n, gsp_text_of(result->names[kind]));
    } else {
        n = gspi_tag_put(buffer, size, n, gsp_text_of(kind == GSP_KIND_CPU ? "cpu" : "acc"));
        if (kind != GSP_KIND_CPU && result->n_kinds > 2u) {
            n = gspi_tag_put(buffer, size, n, gspi_slice(digits, 0u, gspi_decimal(kind, digits)));
        }
    }
    n = gspi_tag_put(buffer, size, n, gsp_text_of("_"));
    n = gspi_tag_put(buffer, size, n, gspi_slice(digits, 0u, gspi_decimal(subgraph, digits)));
    if (size > 0u) {
        buffer[n < size ? n : size - 1u] = '\0';
    }
    return n;
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>module   Graphs from tags                                                     (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_MODULE

/* Checked here, cut and written by the toolkit. */

typedef struct gspi_tags {
    gspi_cut cut;
    const gsp_tags_desc *d;
} gspi_tags;

static void gspi_tags_layout(gspi_bump *b, gspi_tags *w, uint32_t n, uint32_t edges,
                             uint32_t n_tags)
{
    gspi_cut_layout(b, &w->cut, n, edges, n_tags);
    w->cut.root_of = GSPI_HIGH(b, gsp_node, n);
}

GSP_API size_t gsp_tags_bound(const gsp_counts *counts, uint32_t n_tags, size_t name_bytes)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_counts const c = gspi_cut_counts(counts, n_tags, name_bytes);
    gspi_tags w;
    gspi_tags_layout(&b, &w, counts->nodes, counts->edges, n_tags);
    return gspi_add(gspi_add(b.used, GSPI_SLACK), gsp_build_bound(&c));
}

static gsp_status gspi_tags_check(const gsp_graph *g, const gsp_tags_desc *d, gsp_error *err)
{
    gsp_node v;
    uint32_t i;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if ((d->tag_of == NULL && g->n_nodes != 0u) || (d->names == NULL && d->n_tags != 0u)) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    for (i = 0u; i < d->n_tags; i++) {
        gsp_text const name = d->names[i];
        if (name.data == NULL || gspi_trim(name).size != name.size || name.size == 0u ||
            !gspi_is_one_line(name) || gspi_target_end(name, 1) != name.size) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG_NAME, i, GSP_NONE);
        }
    }
    for (v = 0u; v < g->n_nodes; v++) {
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(g, v, &count);
        if (!gsp_node_is_callable(g, v)) {
            continue;
        }
        if (d->tag_of[v] >= d->n_tags) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, v, GSP_NONE);
        }
        for (i = 0u; i < count; i++) {
            if (gsp_node_is_callable(g, inputs[i]) && d->tag_of[inputs[i]] > d->tag_of[v]) {
                return gspi_fail_at(err, GSP_STATUS_CYCLE, GSP_DETAIL_TAG_ORDER, v, inputs[i]);
            }
        }
    }
    return GSP_OK;
}

GSPI_OWN_FRAME size_t gspi_tags_name_bytes(const gsp_tags_desc *d)
{
    size_t bytes = 0u;
    uint32_t i;
    for (i = 0u; i < d->n_tags; i++) {
        bytes = gspi_add(bytes, d->names[i].size);
    }
    return bytes;
}

GSPI_OWN_FRAME gsp_status gspi_tags_write(const gspi_cut *w)
{
    uint32_t tag;
    gsp_build_adopt(w->b, w->g->module);
    gsp_build_graph(w->b, gspi_slice("", 0u, 0u));
    gspi_cut_root_values(w);
    for (tag = 0u; tag < w->n_parts; tag++) {
        (void)gspi_cut_call(w, tag);
    }
    gspi_cut_return(w);
    for (tag = 0u; tag < w->n_parts; tag++) {
        gspi_cut_body(w, tag, tag + 1u);
    }
    gspi_cut_children(w);
    return gsp_build_finish(w->b, w->made, NULL);
}

GSPI_OWN_FRAME gsp_status gspi_tags_prepare(gspi_tags *w, const gsp_graph *g, gsp_error *err)
{
    uint32_t empty;
    w->cut.g = g;
    w->cut.part_of = w->d->tag_of;
    w->cut.names = w->d->names;
    w->cut.n_parts = w->d->n_tags;
    w->cut.target = g->module->target + g->first;
    w->cut.in_name = NULL;
    w->cut.pass_attrs = 0;
    w->cut.return_tuple = w->d->return_tuple != 0u;
    empty = gspi_cut_nodes(&w->cut);
    if (empty != GSP_NONE) {
        return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG_EMPTY, empty, GSP_NONE);
    }
    gspi_cut_rows(&w->cut);
    return GSP_OK;
}

/* Builder errors in the terms of this pass: only a damaged input or a name given twice gets
 * here. */
GSPI_OWN_FRAME gsp_status gspi_tags_status(gsp_status status, const gspi_tags *w, gsp_error *err)
{
    const gsp_error *e = &w->cut.b->error;
    if (status == GSP_STATUS_DUPLICATE && e->detail == GSP_DETAIL_MODULE_NAME) {
        uint32_t const graph = e->node <= w->d->n_tags ? e->node : e->other; /* or a child graph */
        return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG_NAME, graph - 1u, GSP_NONE);
    }
    return status == GSP_OK ? GSP_OK : gspi_fail(err, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS);
}

GSP_API gsp_status gsp_tags_run(gsp_arena *arena, const gsp_graph *graph, const gsp_tags_desc *desc,
                                gsp_tags_result *result, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_tags w;
    gsp_counts counts;
    gsp_mark mark;
    size_t name_bytes;
    uint32_t edges;
    gsp_status status;
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_tags_check(graph, desc, err));
    counts = gsp_graph_counts(graph);
    edges = counts.edges;
    counts = graph->module->counts;
    name_bytes = gspi_tags_name_bytes(desc);
    GSPI_TRY(gspi_room(arena, gsp_tags_bound(&counts, desc->n_tags, name_bytes), err));
    counts = gspi_cut_counts(&counts, desc->n_tags, name_bytes);
    mark = gsp_arena_mark(arena);
    w.d = desc;
    gspi_tags_layout(&b, &w, graph->n_nodes, edges, desc->n_tags);
    status = gspi_tags_prepare(&w, graph, err);
    if (status == GSP_OK) {
        (void)gsp_build_init(w.cut.b, arena, &counts, NULL);
        status = gspi_tags_status(gspi_tags_write(&w.cut), &w, err);
    }
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    result->module = *w.cut.made;
    result->graph_of = w.cut.graph_of;
    result->node_of = w.cut.node_of;
    arena->high = mark.high;
    return gspi_done(err);
}

GSP_API gsp_node gsp_tags_find(const gsp_graph *input, const gsp_tags_result *result, gsp_node old,
                               uint32_t graph)
{
    gsp_graph g;
    gsp_string name;
    gsp_node v;
    if (graph >= result->module.counts.graphs || old >= input->n_nodes) {
        return GSP_NONE;
    }
    if (result->graph_of[old] == graph) {
        return result->node_of[old];
    }
    g = gsp_module_graph(&result->module, graph);
    name = gspi_name_id(input, old);
    for (v = 0u; v + 1u < g.n_nodes; v++) { /* strings kept their ids */
        if (gspi_name_id(&g, v) == name && !gsp_node_is_callable(&g, v)) {
            return v;
        }
    }
    return GSP_NONE;
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>parts   split_module: a graph from any assignment                             (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTS

/* Partitions are put into their order first: Kahn's algorithm over distinct pairs of partitions,
 * its work list a stack as in the reference. Then every called module gets a name that is free in
 * its submodule, and the toolkit cuts. Names are strings of the new module: a string that is taken
 * in the namespace at hand bears its mark, so that none is looked up twice. */

#define GSPI_PARTS_ALWAYS GSP_NONE        /* taken in every namespace: names of graphs */
#define GSPI_PARTS_ROOT   (GSP_NONE - 1u) /* taken beside the names of graphs */

typedef struct gspi_parts {
    gspi_cut cut;
    const gsp_parts_desc *d;
    uint32_t n_parts; /* that have nodes */
    uint32_t n_qualnames;
    uint32_t n_pairs;
    uint32_t *part;          /* [parts] result: partitions in the order of their calls */
    gsp_node *call;          /* [parts] result */
    gsp_qualname *qualnames; /* [n] result */
    uint32_t *pair_from;     /* [edges] distinct pairs: who is read, in order of meeting */
    uint32_t *pair_to;       /* [edges] and who reads */
    uint32_t *row_begin;     /* [parts + 1] into row */
    uint32_t *row;           /* [edges] readers of a partition, in order of meeting */
    uint32_t *waits;         /* [parts] partitions that are still waited for */
    uint32_t *first;         /* [parts] partitions by first node */
    uint32_t *place;         /* [parts] place in an order, or a mark */
    uint32_t *stack;         /* [parts] */
    gsp_text *names;         /* [parts] of the graphs */
    gsp_string *target;      /* [n] of nodes in their submodules */
    gsp_string *in_name;     /* [edges] */
    uint32_t *mark;          /* [strings] namespace in which a string is taken, 0: none */
    uint32_t *next;          /* [strings] number to try next behind a string */
    uint32_t *next_mark;     /* [strings] the namespace of that */
    gsp_string *made;        /* [strings] what a target has become ... */
    uint32_t *made_mark;     /* [strings] ... in this namespace */
    char *chars;             /* [name bytes] names of graphs */
    char *text;              /* [bytes] one name in the making */
} gspi_parts;

static gsp_counts gspi_parts_counts(const gsp_counts *c, const gsp_parts_desc *d, size_t name_bytes)
{
    gsp_counts r = gspi_cut_counts(c, d->n_parts, name_bytes);
    /* a flattened target and a numbered one a node, and a numbered input */
    uint32_t const more = gspi_count_mul(c->nodes, d->number_inputs != 0u ? 4u : 2u);
    r.strings = gspi_count_add(r.strings, more);
    r.bytes = gspi_count_add(r.bytes, gspi_count_mul(more, 15u));
    r.bytes = gspi_count_add(r.bytes, gspi_count_mul(c->bytes, 2u));
    return r;
}

static void gspi_parts_layout(gspi_bump *b, gspi_parts *w, const gsp_counts *c, uint32_t strings,
                              const gsp_parts_desc *d, size_t name_bytes)
{
    size_t const n_parts = d->n_parts;
    gspi_cut_layout(b, &w->cut, c->nodes, c->edges, d->n_parts);
    w->cut.root_of = GSPI_LOW(b, gsp_node, c->nodes);
    w->part = GSPI_LOW(b, uint32_t, n_parts);
    w->call = GSPI_LOW(b, gsp_node, n_parts);
    w->qualnames = GSPI_LOW(b, gsp_qualname, c->nodes);
    w->pair_from = GSPI_HIGH(b, uint32_t, c->edges);
    w->pair_to = GSPI_HIGH(b, uint32_t, c->edges);
    w->row_begin = GSPI_HIGH(b, uint32_t, n_parts + 1u);
    w->row = GSPI_HIGH(b, uint32_t, c->edges);
    w->waits = GSPI_HIGH(b, uint32_t, n_parts);
    w->first = GSPI_HIGH(b, uint32_t, n_parts);
    w->place = GSPI_HIGH(b, uint32_t, n_parts);
    w->stack = GSPI_HIGH(b, uint32_t, n_parts);
    w->names = GSPI_HIGH(b, gsp_text, n_parts);
    w->target = GSPI_HIGH(b, gsp_string, c->nodes);
    w->in_name = GSPI_HIGH(b, gsp_string, d->number_inputs != 0u ? c->edges : 0u);
    w->mark = GSPI_HIGH(b, uint32_t, strings);
    w->next = GSPI_HIGH(b, uint32_t, strings);
    w->next_mark = GSPI_HIGH(b, uint32_t, strings);
    w->made = GSPI_HIGH(b, gsp_string, strings);
    w->made_mark = GSPI_HIGH(b, uint32_t, strings);
    w->chars = GSPI_HIGH(b, char, name_bytes);
    w->text = GSPI_HIGH(b, char, gspi_add(gspi_add(c->bytes, name_bytes), 24u));
}

/* Bytes of all names of graphs, each with a number behind it. */
static size_t gspi_parts_name_bytes(const gsp_parts_desc *d)
{
    size_t const prefix = gsp_text_of(d->prefix == NULL ? "submod_" : d->prefix).size;
    size_t bytes = 0u;
    uint32_t i;
    for (i = 0u; i < d->n_parts; i++) {
        bytes = gspi_add(bytes, gspi_add(prefix, d->names == NULL ? 10u : d->names[i].size));
        bytes = gspi_add(bytes, 11u);
    }
    return bytes;
}

GSP_API size_t gsp_parts_bound(const gsp_counts *counts, const gsp_parts_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    size_t const name_bytes = gspi_parts_name_bytes(desc);
    gsp_counts const c = gspi_parts_counts(counts, desc, name_bytes);
    gspi_parts w;
    (void)GSPI_HIGH(&b, gspi_parts, 1u);
    gspi_parts_layout(&b, &w, counts, c.strings, desc, name_bytes);
    return gspi_add(gspi_add(b.used, GSPI_SLACK), gsp_build_bound(&c));
}

static gsp_status gspi_parts_check(const gsp_graph *g, const gsp_parts_desc *d, gsp_error *err)
{
    gsp_node v;
    uint32_t i;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (d->part_of == NULL && g->n_nodes != 0u) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    for (i = 0u; i < d->n_parts && d->names != NULL; i++) {
        if (d->names[i].data == NULL && d->names[i].size != 0u) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG_NAME, i, GSP_NONE);
        }
    }
    for (v = 0u; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) && d->part_of[v] >= d->n_parts) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* ---- order ---- */

/* Pairs of partitions of which the second reads the first, in order of meeting, repeated. */
static uint32_t gspi_parts_pairs(const gspi_parts *w)
{
    const gspi_cut *c = &w->cut;
    uint32_t n = 0u;
    gsp_node v;
    for (v = 0u; v < c->g->n_nodes; v++) {
        uint32_t count;
        uint32_t i;
        const gsp_node *inputs = gsp_node_inputs(c->g, v, &count);
        for (i = 0u; i < count && gsp_node_is_callable(c->g, v); i++) {
            if (gspi_cut_crosses(c, inputs[i], v)) {
                w->pair_from[n] = c->part_of[inputs[i]];
                w->pair_to[n++] = c->part_of[v];
            }
        }
    }
    return n;
}

/* Rows of readers, distinct, in order of meeting; how many partitions each one waits for. */
static void gspi_parts_rows(gspi_parts *w)
{
    uint32_t part;
    uint32_t kept = 0u;
    uint32_t i;
    gspi_set(w->row_begin, 0, (size_t)w->d->n_parts + 1u, sizeof(uint32_t));
    gspi_set(w->waits, 0, w->d->n_parts, sizeof(uint32_t));
    gspi_set(w->place, 0, w->d->n_parts, sizeof(uint32_t));
    for (i = 0u; i < w->n_pairs; i++) {
        w->row_begin[w->pair_from[i]]++;
    }
    gspi_counts_to_ends(w->row_begin, w->d->n_parts);
    for (i = w->n_pairs; i > 0u; i--) {
        w->row[--w->row_begin[w->pair_from[i - 1u]]] = w->pair_to[i - 1u];
    }
    for (part = 0u; part < w->d->n_parts; part++) {
        uint32_t const end = w->row_begin[part + 1u];
        i = w->row_begin[part];
        w->row_begin[part] = kept;
        for (; i < end; i++) {
            if (w->place[w->row[i]] != part + 1u) {
                w->place[w->row[i]] = part + 1u;
                w->waits[w->row[i]]++;
                w->row[kept++] = w->row[i];
            }
        }
    }
    w->row_begin[w->d->n_parts] = kept;
}

/* Partitions that have nodes, by first node. */
static void gspi_parts_by_first(gspi_parts *w)
{
    const gspi_cut *c = &w->cut;
    gsp_node v;
    w->n_parts = 0u;
    for (v = 0u; v < c->g->n_nodes; v++) {
        if (gsp_node_is_callable(c->g, v) && c->part_nodes[c->part_begin[c->part_of[v]]] == v) {
            w->first[w->n_parts++] = c->part_of[v];
        }
    }
}

/* Kahn's algorithm with a stack, first filled by first node. Returns how many came out. */
static uint32_t gspi_parts_sort(gspi_parts *w)
{
    uint32_t out = 0u;
    uint32_t top = 0u;
    uint32_t i;
    for (i = 0u; i < w->n_parts; i++) {
        if (w->waits[w->first[i]] == 0u) {
            w->stack[top++] = w->first[i];
        }
    }
    while (top > 0u) {
        uint32_t const part = w->stack[--top];
        w->part[out++] = part;
        for (i = w->row_begin[part]; i < w->row_begin[part + 1u]; i++) {
            if (--w->waits[w->row[i]] == 0u) {
                w->stack[top++] = w->row[i];
            }
        }
    }
    return out;
}

/* Two partitions on a cycle, and the one through which the first reads the second: backwards from
 * a partition that waits, over others that wait, until one comes again. */
static gsp_status gspi_parts_cycle(const gspi_parts *w, gsp_error *err)
{
    uint32_t *reads = w->stack; /* a partition that is waited for */
    uint32_t part = GSP_NONE;
    uint32_t step = 1u;
    uint32_t i;
    gspi_set(w->place, 0, w->d->n_parts, sizeof(uint32_t));
    for (i = w->n_pairs; i > 0u; i--) {
        if (w->waits[w->pair_from[i - 1u]] != 0u && w->waits[w->pair_to[i - 1u]] != 0u) {
            reads[w->pair_to[i - 1u]] = w->pair_from[i - 1u];
        }
    }
    for (i = w->n_parts; i > 0u; i--) {
        part = w->waits[w->first[i - 1u]] != 0u ? w->first[i - 1u] : part;
    }
    while (w->place[part] == 0u) {
        w->place[part] = step++;
        part = reads[part];
    }
    (void)gspi_fail_at(err, GSP_STATUS_CYCLE, GSP_DETAIL_PARTS_CYCLE, reads[part], part);
    if (err != NULL) {
        err->need = reads[reads[part]];
    }
    return GSP_STATUS_CYCLE;
}

/* Calls in original order, if the data allows it. */
static gsp_status gspi_parts_keep_order(gspi_parts *w, gsp_error *err)
{
    uint32_t i;
    for (i = 0u; i < w->n_parts; i++) {
        w->part[i] = w->first[i];
        w->place[w->first[i]] = i;
    }
    for (i = 0u; i < w->n_pairs; i++) {
        if (w->place[w->pair_from[i]] > w->place[w->pair_to[i]]) {
            return gspi_fail_at(err, GSP_STATUS_CYCLE, GSP_DETAIL_PARTS_ORDER, w->pair_to[i],
                                w->pair_from[i]);
        }
    }
    return GSP_OK;
}

static gsp_status gspi_parts_order(gspi_parts *w, gsp_error *err)
{
    w->n_pairs = gspi_parts_pairs(w);
    gspi_parts_rows(w);
    gspi_parts_by_first(w);
    if (gspi_parts_sort(w) != w->n_parts) {
        return gspi_parts_cycle(w, err);
    }
    return w->d->keep_order != 0u ? gspi_parts_keep_order(w, err) : GSP_OK;
}

/* ---- names ---- */

static int gspi_parts_is_taken(const gspi_parts *w, gsp_string s, uint32_t space)
{
    return w->mark[s] == space || w->mark[s] == GSPI_PARTS_ALWAYS;
}

/* A free string for the first `size` bytes of w->text: these, or with the next free number, which
 * is put there. Returns the new size. */
static uint32_t gspi_parts_free(gspi_parts *w, uint32_t size, uint32_t space, gsp_string *out)
{
    gsp_string const wanted = gsp_build_string(w->cut.b, gspi_slice(w->text, 0u, size));
    uint32_t number;
    uint32_t base;
    gsp_string s = wanted;
    if (!gspi_parts_is_taken(w, wanted, space)) {
        w->mark[wanted] = space;
        *out = wanted;
        return size;
    }
    number = gspi_name_suffix(gspi_slice(w->text, 0u, size), &base);
    number = w->next_mark[wanted] == space ? w->next[wanted] : number;
    w->text[base] = '_';
    while (gspi_parts_is_taken(w, s, space)) {
        number++;
        size = base + 1u + gspi_decimal(number, w->text + base + 1u);
        s = gsp_build_string(w->cut.b, gspi_slice(w->text, 0u, size));
    }
    w->next[wanted] = number;
    w->next_mark[wanted] = space;
    w->mark[s] = space;
    *out = s;
    return size;
}

/* Writes a target with '_' for '.' to w->text. */
static uint32_t gspi_parts_flatten(const gspi_parts *w, gsp_text target)
{
    uint32_t i;
    for (i = 0u; i < target.size; i++) {
        w->text[i] = target.data[i];
        if (target.data[i] == '.') {
            w->text[i] = '_';
        }
    }
    return target.size;
}

/* 1 for a call of a module that is no child graph: its target is flattened. */
static int gspi_parts_is_leaf(const gspi_parts *w, gsp_node v)
{
    const gsp_graph *g = w->cut.g;
    return gsp_node_op(g, v) == GSP_OP_CALL_MODULE &&
           gsp_module_find_graph(g->module, g->module->target[g->first + v]) == GSP_NONE;
}

/* What no graph may be named: child graphs, attributes, called modules and what they will be. */
static void gspi_parts_reserve(gspi_parts *w)
{
    const gsp_graph *g = w->cut.g;
    gsp_node v;
    uint32_t i;
    for (v = 0u; v < g->n_nodes; v++) {
        gsp_string const t = g->module->target[g->first + v];
        gsp_op const op = gsp_node_op(g, v);
        if (op == GSP_OP_GET_ATTR || op == GSP_OP_CALL_MODULE) {
            w->mark[t] = GSPI_PARTS_ROOT;
        }
        if (op == GSP_OP_CALL_MODULE && w->made_mark[t] == 0u) {
            uint32_t const size = gspi_parts_flatten(w, gsp_node_target(g, v));
            w->made_mark[t] = GSPI_PARTS_ROOT;
            w->mark[gsp_build_string(w->cut.b, gspi_slice(w->text, 0u, size))] = GSPI_PARTS_ROOT;
        }
    }
    for (i = 0u; i < g->module->counts.graphs; i++) {
        w->mark[g->module->graphs[i].name] = GSPI_PARTS_ALWAYS;
    }
}

/* Writes prefix and name of a partition to w->text. */
static uint32_t gspi_parts_wanted(const gspi_parts *w, uint32_t part)
{
    gsp_text const prefix = gsp_text_of(w->d->prefix);
    char digits[20];
    gsp_text name;
    if (w->d->names == NULL) {
        name = gspi_slice(digits, 0u, gspi_decimal(part, digits));
    } else {
        name = w->d->names[part];
    }
    gspi_copy(w->text, prefix.data, prefix.size, 1u);
    gspi_copy(w->text + prefix.size, name.data, name.size, 1u);
    return prefix.size + name.size;
}

/* Names of the graphs, in the order of the calls. */
static gsp_status gspi_parts_graph_names(gspi_parts *w, gsp_error *err)
{
    size_t used = 0u;
    uint32_t i;
    for (i = 0u; i < w->n_parts; i++) {
        uint32_t const part = w->part[i];
        uint32_t size = gspi_parts_wanted(w, part);
        gsp_text const name = gspi_slice(w->text, 0u, size);
        gsp_string s;
        if (size == 0u || gspi_trim(name).size != size || !gspi_is_one_line(name) ||
            gspi_target_end(name, 1) != size) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG_NAME, part, GSP_NONE);
        }
        size = gspi_parts_free(w, size, GSPI_PARTS_ROOT, &s);
        w->mark[s] = GSPI_PARTS_ALWAYS;
        gspi_copy(w->chars + used, w->text, size, 1u);
        w->names[part] = gspi_slice(w->chars, used, used + size);
        used += size;
    }
    return GSP_OK;
}

/* Targets of the modules that one partition calls. The first call of each leaves a 1 in local: it
 * will be a line of the map. */
static void gspi_parts_targets(gspi_parts *w, uint32_t part, uint32_t space)
{
    const gspi_cut *c = &w->cut;
    const gsp_string *target = c->g->module->target + c->g->first;
    uint32_t i;
    for (i = c->part_begin[part]; i < c->part_begin[part + 1u]; i++) {
        gsp_node const v = c->part_nodes[i];
        gsp_string const old = target[v];
        w->target[v] = old;
        c->local[v] = 0u;
        if (gspi_parts_is_leaf(w, v)) {
            if (w->made_mark[old] != space) {
                uint32_t const size = gspi_parts_flatten(w, gsp_node_target(c->g, v));
                (void)gspi_parts_free(w, size, space, &w->made[old]);
                w->made_mark[old] = space;
                c->local[v] = 1u;
            }
            w->target[v] = w->made[old];
        }
    }
}

/* The map of called modules, in graph order. */
static void gspi_parts_map(gspi_parts *w)
{
    const gspi_cut *c = &w->cut;
    gsp_node v;
    w->n_qualnames = 0u;
    for (v = 0u; v < c->g->n_nodes; v++) {
        if (gsp_node_is_callable(c->g, v) && c->local[v] == 1u) {
            gsp_qualname *q = &w->qualnames[w->n_qualnames++];
            q->graph = w->place[c->part_of[v]] + 1u;
            q->made = w->target[v];
            q->old = c->g->module->target[c->g->first + v];
        }
    }
}

static void gspi_parts_take(const gspi_parts *w, gsp_string s, uint32_t space)
{
    if (w->mark[s] != GSPI_PARTS_ALWAYS) {
        w->mark[s] = space;
    }
}

/* Inputs of a partition as arg_0, arg_1, ..., past the names of its nodes. */
static void gspi_parts_number(gspi_parts *w, uint32_t part, uint32_t space)
{
    const gspi_cut *c = &w->cut;
    uint32_t i;
    for (i = c->part_begin[part]; i < c->part_begin[part + 1u]; i++) {
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(c->g, c->part_nodes[i], &count);
        gspi_parts_take(w, gspi_name_id(c->g, c->part_nodes[i]), space);
        for (; count > 0u; count--) {
            if (gspi_cut_is_holder(c, inputs[count - 1u])) {
                gspi_parts_take(w, gspi_name_id(c->g, inputs[count - 1u]), space);
            }
        }
    }
    for (i = c->in_begin[part]; i < c->in_begin[part + 1u]; i++) {
        gspi_copy(w->text, "arg_", 4u, 1u);
        (void)gspi_parts_free(w, 4u + gspi_decimal(i - c->in_begin[part], w->text + 4u), space,
                              &w->in_name[i]);
    }
}

static gsp_status gspi_parts_name(gspi_parts *w, uint32_t strings, gsp_error *err)
{
    uint32_t i;
    gspi_set(w->mark, 0, strings, sizeof(uint32_t));
    gspi_set(w->next_mark, 0, strings, sizeof(uint32_t));
    gspi_set(w->made_mark, 0, strings, sizeof(uint32_t));
    gspi_parts_reserve(w);
    GSPI_TRY(gspi_parts_graph_names(w, err));
    for (i = 0u; i < w->n_parts; i++) { /* a partition has a namespace of names, one of targets */
        w->place[w->part[i]] = i;
        gspi_parts_targets(w, w->part[i], 2u * i + 1u);
        if (w->d->number_inputs != 0u) {
            gspi_parts_number(w, w->part[i], 2u * i + 2u);
        }
    }
    gspi_parts_map(w);
    return GSP_OK;
}

/* ---- writing ---- */

GSPI_OWN_FRAME gsp_status gspi_parts_write(gspi_parts *w, gsp_error *err)
{
    const gspi_cut *c = &w->cut;
    uint32_t i;
    gsp_build_graph(c->b, gspi_slice("", 0u, 0u));
    gspi_cut_root_values(c);
    for (i = 0u; i < w->n_parts; i++) {
        w->call[i] = gspi_cut_call(c, w->part[i]);
    }
    gspi_cut_return(c);
    gspi_set(c->stamp, 0, c->g->n_nodes, sizeof(uint32_t));
    for (i = 0u; i < w->n_parts; i++) {
        gspi_cut_body(c, w->part[i], i + 1u);
    }
    gspi_cut_children(c);
    return gsp_build_finish(c->b, c->made, NULL) == GSP_OK
               ? GSP_OK
               : gspi_fail(err, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS);
}

GSPI_OWN_FRAME gsp_status gspi_parts_make(gspi_parts *w, const gsp_graph *g,
                                          const gsp_parts_desc *d, gsp_arena *arena,
                                          const gsp_counts *counts, gsp_error *err)
{
    gspi_cut *c = &w->cut;
    w->d = d;
    c->g = g;
    c->part_of = d->part_of;
    c->n_parts = d->n_parts;
    c->names = w->names;
    c->target = w->target;
    c->in_name = d->number_inputs != 0u ? w->in_name : NULL;
    c->pass_attrs = 1;
    c->return_tuple = d->return_tuple != 0u;
    (void)gspi_cut_nodes(c);
    GSPI_TRY(gspi_parts_order(w, err));
    gspi_cut_rows(c);
    (void)gsp_build_init(c->b, arena, counts, NULL);
    gsp_build_adopt(c->b, c->g->module);
    GSPI_TRY(gspi_parts_name(w, counts->strings, err));
    return gspi_parts_write(w, err);
}

GSPI_OWN_FRAME void gspi_parts_commit(const gspi_parts *w, gsp_parts_result *result)
{
    result->module = *w->cut.made;
    result->n_parts = w->n_parts;
    result->n_qualnames = w->n_qualnames;
    result->part = w->part;
    result->call = w->call;
    result->graph_of = w->cut.graph_of;
    result->node_of = w->cut.node_of;
    result->root_of = w->cut.root_of;
    result->qualnames = w->qualnames;
}

GSP_API gsp_parts_desc gsp_parts_resolve(const gsp_parts_desc *desc)
{
    gsp_parts_desc d = *desc;
    d.prefix = d.prefix == NULL ? "submod_" : d.prefix;
    return d;
}

GSP_API gsp_status gsp_parts_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_parts_desc *desc, gsp_parts_result *result,
                                 gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_parts *w;
    gsp_parts_desc d;
    gsp_counts counts;
    gsp_counts own;
    gsp_mark mark;
    size_t name_bytes;
    gsp_status status;
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    d = gsp_parts_resolve(desc);
    GSPI_TRY(gspi_parts_check(graph, &d, err));
    counts = graph->module->counts;
    name_bytes = gspi_parts_name_bytes(&d);
    GSPI_TRY(gspi_room(arena, gsp_parts_bound(&counts, &d), err));
    counts = gspi_parts_counts(&counts, &d, name_bytes);
    mark = gsp_arena_mark(arena);
    w = GSPI_HIGH(&b, gspi_parts, 1u);
    own = gsp_graph_counts(graph);
    gspi_parts_layout(&b, w, &own, counts.strings, &d, name_bytes);
    status = gspi_parts_make(w, graph, &d, arena, &counts, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    gspi_parts_commit(w, result);
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>frames   Slots and call frames of a run, planned once                         (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_RUN

/* A graph is compiled when it is first called: its caller waits at the call, so the graphs that
 * wait for each other are a chain of parents, and nothing recurses. Every value has an owner: a
 * node (its id in the module) or, for elements of aggregates, one of the numbers behind. What a
 * node yields is one owner, or a row of owners and a form, the tokens of an aggregate in which
 * each value is a GSP_ARG_NODE. A getitem is a part of the row of another node. What a graph
 * returns belongs to its caller from then on, unless it was the caller's before. Owners live from
 * their node to the last node that reads them, in their own graph; a scan in graph order gives
 * them slots.
 *
 * The caller of the root is a graph outside of the module: its values are the inputs of the run. */

enum {
    GSPI_STEP_NONE,   /* placeholders, resolved getitems, attributes that only name a graph */
    GSPI_STEP_ATTR,   /* get_attr */
    GSPI_STEP_KERNEL, /* a call whose arguments are single values and constants */
    GSPI_STEP_EXPAND, /* a call with an aggregate among them */
    GSPI_STEP_ENTER,  /* a call of a graph */
    GSPI_STEP_RETURN  /* output */
};

enum { GSPI_FRAME_NEW, GSPI_FRAME_OPEN, GSPI_FRAME_DONE };

/* Where a returned value came from, beside places among the inputs and former outputs. */
#define GSPI_FRESH GSP_NONE
/* An element whose key has been looked at. */
#define GSPI_TAKEN (GSP_NONE - 1u)

typedef struct gspi_element {
    gsp_string key; /* GSP_NONE: by position; from counts.strings on: of an input of the run */
    uint32_t at;    /* its token, or the input */
} gspi_element;

typedef struct gspi_frames {
    const gsp_module *m;
    const gsp_frames_desc *d;
    gsp_error *err;
    uint32_t root;   /* graph */
    uint32_t invoke; /* string: target of invoke_subgraph, GSP_NONE: nowhere */
    uint32_t n_owners;
    uint32_t n_leaf;
    uint32_t n_form;
    uint32_t n_ask;
    uint32_t max_owners;
    uint32_t max_leaf;
    uint32_t max_form;
    uint32_t max_ask;
    uint32_t open;      /* innermost open container that is being written to form */
    uint32_t graph;     /* that is being compiled; counts.graphs: the outside */
    gsp_node node;      /* of it */
    gsp_node asker;     /* node that wants constants */
    uint32_t seen_form; /* element that was looked for last: its form, ... */
    uint32_t seen_index;
    uint32_t seen_at;
    uint32_t n_output;      /* tokens that the root returns */
    uint32_t n_tokens;      /* of the greatest call */
    uint32_t n_results;     /* of the greatest call */
    gsp_frame *frames;      /* [graphs + 1] result, as all down to step */
    uint32_t *leaf_at;      /* [nodes] owners until the end, then slots */
    uint32_t *form_at;      /* [nodes] */
    uint32_t *child;        /* [nodes] */
    uint32_t *bind_at;      /* [nodes] */
    uint32_t *ask_at;       /* [nodes] */
    uint32_t *dead;         /* [nodes] */
    gsp_node *placeholders; /* [nodes] */
    uint32_t *leaf;         /* [max_leaf] */
    gsp_arg *form;          /* [max_form] */
    uint32_t *form_leaf;    /* [max_form] */
    gsp_frames_ask *ask;    /* [max_ask] */
    uint32_t *slot;         /* [max_owners] */
    uint32_t *next;         /* [max_owners] */
    uint8_t *step;          /* [nodes] */
    uint64_t *bytes;        /* [max_owners] */
    gsp_node *birth;        /* [max_owners] */
    gsp_node *last;         /* [max_owners] last reader */
    uint32_t *sibling;      /* [max_owners] next owner of the same graph */
    uint32_t *spare;        /* [max_owners] slots that are free */
    uint32_t *origin;       /* [max_leaf] of a returned value */
    uint32_t *latest;       /* [graphs + 1] last owner of a graph */
    gspi_element *elements; /* [args + inputs] of a call */
} gspi_frames;

static void gspi_frames_layout(gspi_bump *b, gspi_frames *w, const gsp_counts *c,
                               const gsp_frames_desc *d)
{
    uint32_t const n = c->nodes;
    uint32_t const room = d->aggregates != 0u ? d->aggregates : gspi_count_add(c->args, n);
    uint32_t const more = gspi_count_add(room, d->n_inputs);
    uint32_t const elements = gspi_count_add(c->args, d->n_inputs);
    size_t const graphs = (size_t)c->graphs + 1u;
    w->max_owners = gspi_count_add(n, more);
    w->max_leaf = gspi_count_add(gspi_count_add(gspi_count_mul(n, 2u), c->args), more);
    w->max_form = gspi_count_add(gspi_count_add(c->args, 64u), more);
    w->max_ask = gspi_count_add(w->max_form, n);
    w->frames = GSPI_LOW(b, gsp_frame, graphs);
    w->leaf_at = GSPI_LOW(b, uint32_t, n);
    w->form_at = GSPI_LOW(b, uint32_t, n);
    w->child = GSPI_LOW(b, uint32_t, n);
    w->bind_at = GSPI_LOW(b, uint32_t, n);
    w->ask_at = GSPI_LOW(b, uint32_t, n);
    w->dead = GSPI_LOW(b, uint32_t, n);
    w->placeholders = GSPI_LOW(b, gsp_node, n);
    w->leaf = GSPI_LOW(b, uint32_t, w->max_leaf);
    w->form = GSPI_LOW(b, gsp_arg, w->max_form);
    w->form_leaf = GSPI_LOW(b, uint32_t, w->max_form);
    w->ask = GSPI_LOW(b, gsp_frames_ask, w->max_ask);
    w->slot = GSPI_LOW(b, uint32_t, w->max_owners);
    w->next = GSPI_LOW(b, uint32_t, w->max_owners);
    w->step = GSPI_LOW(b, uint8_t, n);
    w->bytes = GSPI_HIGH(b, uint64_t, w->max_owners);
    w->birth = GSPI_HIGH(b, gsp_node, w->max_owners);
    w->last = GSPI_HIGH(b, gsp_node, w->max_owners);
    w->sibling = GSPI_HIGH(b, uint32_t, w->max_owners);
    w->spare = GSPI_HIGH(b, uint32_t, w->max_owners);
    w->origin = GSPI_HIGH(b, uint32_t, w->max_leaf);
    w->latest = GSPI_HIGH(b, uint32_t, graphs);
    w->elements = GSPI_HIGH(b, gspi_element, elements);
}

GSP_API gsp_frames_desc gsp_frames_resolve(const gsp_graph *graph, const gsp_frames_desc *desc)
{
    gsp_frames_desc d;
    gspi_set(&d, 0, 1u, sizeof(d));
    d = desc != NULL ? *desc : d;
    if (d.aggregates == 0u) {
        d.aggregates = gspi_count_add(graph->module->counts.args, graph->module->counts.nodes);
    }
    if (d.n_inputs == 0u && d.inputs == NULL) {
        uint32_t n = 0u;
        gsp_node v;
        for (v = 0u; v < graph->n_nodes; v++) {
            uint32_t count;
            (void)gsp_node_args(graph, v, &count);
            if (gsp_node_op(graph, v) == GSP_OP_PLACEHOLDER &&
                !gspi_at(gsp_node_target(graph, v), 0u, "*")) {
                n++;
                d.n_inputs = count == 0u ? n : d.n_inputs;
            }
        }
    }
    return d;
}

/* With no inputs in the desc there may be one a node. */
GSP_API size_t gsp_frames_bound(const gsp_counts *counts, const gsp_frames_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_frames_desc d;
    gspi_frames w;
    gspi_set(&d, 0, 1u, sizeof(d));
    d = desc != NULL ? *desc : d;
    d.n_inputs = d.n_inputs == 0u && d.inputs == NULL ? counts->nodes : d.n_inputs;
    gspi_frames_layout(&b, &w, counts, &d);
    if (w.max_owners == UINT32_MAX || w.max_leaf == UINT32_MAX || w.max_ask == UINT32_MAX) {
        return SIZE_MAX;
    }
    return gspi_add(b.used, GSPI_SLACK);
}

static gsp_status gspi_frames_fail(const gspi_frames *w, gsp_status status, gsp_detail detail)
{
    return gspi_fail_at(w->err, status, detail, w->node, w->graph);
}

static gsp_status gspi_frames_full(const gspi_frames *w)
{
    return gspi_fail_amount(w->err, GSP_STATUS_LIMIT, GSP_DETAIL_AGGREGATES,
                            2u * (uint64_t)w->d->aggregates + 1u, w->d->aggregates);
}

/* First node of the graph that is being compiled, in the module. */
static uint32_t gspi_frames_first(const gspi_frames *w)
{
    return w->graph < w->m->counts.graphs ? w->m->graphs[w->graph].first : 0u;
}

/* ---- owners, rows, forms ---- */

/* Owner `id` is born at the present node of the present graph. */
static void gspi_frames_own(gspi_frames *w, uint32_t id, uint64_t bytes)
{
    uint32_t const before = w->latest[w->graph];
    w->birth[id] = w->node;
    w->last[id] = w->node;
    w->bytes[id] = bytes;
    w->sibling[id] = GSP_NONE;
    w->slot[id] = GSP_NONE;
    if (before == GSP_NONE) {
        w->frames[w->graph].owners = id;
    } else {
        w->sibling[before] = id;
    }
    w->latest[w->graph] = id;
}

static gsp_status gspi_frames_leaf(gspi_frames *w, uint32_t owner)
{
    if (w->n_leaf == w->max_leaf) {
        return gspi_frames_full(w);
    }
    w->leaf[w->n_leaf++] = owner;
    return GSP_OK;
}

/* An owner that is no node, at the end of the present row. */
static gsp_status gspi_frames_new_leaf(gspi_frames *w, uint64_t bytes)
{
    if (w->n_owners == w->max_owners) {
        return gspi_frames_full(w);
    }
    gspi_frames_own(w, w->n_owners, bytes);
    return gspi_frames_leaf(w, w->n_owners++);
}

static gsp_status gspi_frames_token(gspi_frames *w, gsp_arg_kind kind, uint32_t value)
{
    uint32_t const at = w->n_form;
    if (at == w->max_form) {
        return gspi_frames_full(w);
    }
    w->form[at].kind = (uint32_t)kind;
    w->form[at].value = value;
    w->form_leaf[at] = 0u;
    if (at > 0u) {
        w->form_leaf[at] =
            w->form_leaf[at - 1u] + (w->form[at - 1u].kind == (uint32_t)GSP_ARG_NODE ? 1u : 0u);
    }
    w->n_form++;
    return GSP_OK;
}

/* While a container is open its token says which one it stands in. */
static gsp_status gspi_frames_open(gspi_frames *w, uint32_t kind)
{
    GSPI_TRY(gspi_frames_token(w, (gsp_arg_kind)kind, w->open));
    w->open = w->n_form - 1u;
    return GSP_OK;
}

static gsp_status gspi_frames_close(gspi_frames *w)
{
    uint32_t const opening = w->open;
    uint32_t const skip = w->n_form - opening;
    GSPI_TRY(gspi_frames_token(w, GSP_ARG_CLOSE, skip));
    w->open = w->form[opening].value;
    w->form[opening].value = skip;
    return GSP_OK;
}

/* How many values a form has. */
static uint32_t gspi_frames_width(const gspi_frames *w, uint32_t form)
{
    return form == GSP_NONE ? 1u : w->form_leaf[form + w->form[form].value] - w->form_leaf[form];
}

/* A constant becomes a value when the present node runs. */
static gsp_status gspi_frames_constant(gspi_frames *w, gsp_string constant)
{
    if (w->n_ask + 1u >= w->max_ask) {
        return gspi_frames_full(w);
    }
    w->ask[w->n_ask].slot = w->n_owners;
    w->ask[w->n_ask].node = w->asker;
    w->ask[w->n_ask++].constant = constant;
    return gspi_frames_new_leaf(w, 0u);
}

/* Owners of a node's value become a part of the present row: the present node reads them. */
static gsp_status gspi_frames_read(gspi_frames *w, gsp_node u)
{
    uint32_t const at = gspi_frames_first(w) + u;
    uint32_t width;
    uint32_t i;
    if (u >= w->node || w->leaf_at[at] == GSP_NONE) {
        return gspi_frames_fail(w, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS);
    }
    width = gspi_frames_width(w, w->form_at[at]);
    for (i = 0u; i < width; i++) {
        uint32_t const owner =
            w->form_at[at] == GSP_NONE ? w->leaf_at[at] : w->leaf[w->leaf_at[at] + i];
        w->last[owner] = w->node;
        GSPI_TRY(gspi_frames_leaf(w, owner));
    }
    return GSP_OK;
}

/* One token as a part of a form that is being written. */
static gsp_status gspi_frames_write(gspi_frames *w, gsp_arg a, int keep_constants)
{
    uint32_t form;
    uint32_t i;
    switch (a.kind) {
    case GSP_ARG_NODE:
        GSPI_TRY(gspi_frames_read(w, a.value));
        form = w->form_at[gspi_frames_first(w) + a.value];
        if (form == GSP_NONE) {
            return gspi_frames_token(w, GSP_ARG_NODE, 0u);
        }
        for (i = 0u; i <= w->form[form].value; i++) {
            GSPI_TRY(gspi_frames_token(w, (gsp_arg_kind)w->form[form + i].kind,
                                       w->form[form + i].value));
        }
        return GSP_OK;
    case GSP_ARG_CONSTANT:
        if (keep_constants) {
            return gspi_frames_token(w, GSP_ARG_CONSTANT, a.value);
        }
        GSPI_TRY(gspi_frames_token(w, GSP_ARG_NODE, 0u));
        return gspi_frames_constant(w, a.value);
    case GSP_ARG_KEY:
        return gspi_frames_token(w, GSP_ARG_KEY, a.value);
    case GSP_ARG_CLOSE:
        return gspi_frames_close(w);
    case GSP_ARG_TUPLE:
    case GSP_ARG_LIST:
    case GSP_ARG_DICT:
    case GSP_ARG_SLICE:
        return gspi_frames_open(w, a.kind);
    default:
        return gspi_frames_fail(w, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS);
    }
}

static uint32_t gspi_token_end(const gsp_arg *args, uint32_t at)
{
    uint32_t const kind = args[at].kind;
    return at + 1u +
           (kind >= (uint32_t)GSP_ARG_TUPLE && kind < (uint32_t)GSP_ARG_CLOSE ? args[at].value
                                                                              : 0u);
}

/* The element at token `at`: its owners go to the present row, *form says how it is made. */
static gsp_status gspi_frames_value(gspi_frames *w, const gsp_arg *args, uint32_t at,
                                    uint32_t *form)
{
    uint32_t const end = gspi_token_end(args, at);
    *form = GSP_NONE;
    if (args[at].kind == (uint32_t)GSP_ARG_NODE) {
        GSPI_TRY(gspi_frames_read(w, args[at].value));
        *form = w->form_at[gspi_frames_first(w) + args[at].value];
        return GSP_OK;
    }
    if (args[at].kind == (uint32_t)GSP_ARG_CONSTANT) {
        return gspi_frames_constant(w, args[at].value);
    }
    *form = w->n_form;
    w->open = GSP_NONE;
    for (; at < end; at++) {
        GSPI_TRY(gspi_frames_write(w, args[at], 0));
    }
    return GSP_OK;
}

/* ---- binding inputs to placeholders ---- */

static gsp_text gspi_frames_key(const gspi_frames *w, gsp_string key)
{
    return key < w->m->counts.strings ? gspi_string(w->m, key)
                                      : w->d->inputs[key - w->m->counts.strings].name;
}

/* The elements between two tokens of a call, keys apart; returns how many. */
static uint32_t gspi_frames_elements(gspi_frames *w, const gsp_arg *args, uint32_t begin,
                                     uint32_t end)
{
    uint32_t n = 0u;
    while (begin < end) {
        int const keyed = args[begin].kind == (uint32_t)GSP_ARG_KEY;
        w->elements[n].key = keyed ? args[begin].value : GSP_NONE;
        begin += keyed ? 1u : 0u;
        w->elements[n].at = begin;
        begin = begin < end ? gspi_token_end(args, begin) : end;
        n++;
    }
    return n;
}

/* What is being bound: elements of a call in graph w->graph to the placeholders of a child. */
typedef struct gspi_binding {
    const gsp_arg *args; /* of the call; NULL: inputs of the run */
    gsp_graph child;
    uint32_t n;     /* elements */
    uint32_t at;    /* first by position that is not taken */
    uint32_t named; /* where the last name was found */
    uint32_t left;  /* named elements that are not taken */
} gspi_binding;

static void gspi_bind_start(const gspi_frames *w, gspi_binding *s, uint32_t n)
{
    uint32_t i;
    s->n = n;
    s->at = 0u;
    s->named = 0u;
    s->left = 0u;
    for (i = 0u; i < n; i++) {
        s->left += w->elements[i].key != GSP_NONE ? 1u : 0u;
    }
}

static gsp_status gspi_frames_misfit(const gspi_frames *w, gsp_detail detail, gsp_node placeholder,
                                     uint32_t input)
{
    if (w->graph < w->m->counts.graphs) {
        return gspi_frames_fail(w, GSP_STATUS_ARG, GSP_DETAIL_CALL_INPUTS);
    }
    return gspi_fail_at(w->err, GSP_STATUS_ARG, detail, placeholder, input);
}

/* The element named like the placeholder; GSP_NONE: none. */
static uint32_t gspi_bind_named(const gspi_frames *w, gspi_binding *s, gsp_string target)
{
    gsp_text const name = gspi_string(w->m, target);
    uint32_t tried;
    for (tried = 0u; tried < s->n && s->left != 0u; tried++) {
        uint32_t const i = s->named + tried < s->n ? s->named + tried : s->named + tried - s->n;
        gsp_string const key = w->elements[i].key;
        if (key != GSP_NONE && key != GSPI_TAKEN && gsp_text_equal(gspi_frames_key(w, key), name)) {
            s->named = i;
            return i;
        }
    }
    return GSP_NONE;
}

/* The first tensors of two types: dtype, then dimensions, as far as both are numbers. */
static gsp_detail gspi_bind_type(gsp_text given, gsp_text wanted)
{
    uint32_t at_given = 0u;
    uint32_t at_wanted = 0u;
    gsp_text dtype[2];
    gsp_text dims[2];
    uint32_t i = 0u;
    uint32_t k = 0u;
    int const tensor = gsp_type_next(given, &at_given, &dtype[0], &dims[0]);
    if (given.size == 0u || wanted.size == 0u) {
        return GSP_DETAIL_NONE;
    }
    if (tensor != gsp_type_next(wanted, &at_wanted, &dtype[1], &dims[1])) {
        return GSP_DETAIL_INPUT_TYPE;
    }
    if (!tensor) {
        return gsp_text_equal(given, wanted) ? GSP_DETAIL_NONE : GSP_DETAIL_INPUT_TYPE;
    }
    if (!gsp_text_equal(dtype[0], dtype[1])) {
        return GSP_DETAIL_INPUT_DTYPE;
    }
    while (i < dims[0].size && k < dims[1].size) {
        uint32_t const begin[2] = {i, k};
        uint64_t number[2];
        while (i < dims[0].size && dims[0].data[i] != ',') {
            i++;
        }
        while (k < dims[1].size && dims[1].data[k] != ',') {
            k++;
        }
        if (gspi_number(gspi_trim(gspi_slice(dims[0].data, begin[0], i)), &number[0]) &&
            gspi_number(gspi_trim(gspi_slice(dims[1].data, begin[1], k)), &number[1]) &&
            number[0] != number[1]) {
            return GSP_DETAIL_INPUT_SHAPE;
        }
        i++;
        k++;
    }
    return i < dims[0].size || k < dims[1].size || (dims[0].size == 0u) != (dims[1].size == 0u)
               ? GSP_DETAIL_INPUT_SHAPE
               : GSP_DETAIL_NONE;
}

/* One element as the value of placeholder v. */
static gsp_status gspi_bind_element(gspi_frames *w, gspi_binding *s, gsp_node v, uint32_t i,
                                    uint32_t *form)
{
    uint32_t const at = w->elements[i].at;
    gsp_detail detail;
    w->elements[i].key = w->elements[i].key == GSP_NONE ? GSP_NONE : GSPI_TAKEN;
    *form = GSP_NONE;
    if (s->args != NULL) {
        return gspi_frames_value(w, s->args, at, form);
    }
    if (w->d->inputs != NULL && v != GSP_NONE) {
        detail = gspi_bind_type(w->d->inputs[at].type, gsp_node_type(&s->child, v));
        if (detail != GSP_DETAIL_NONE) {
            return gspi_fail_at(w->err, GSP_STATUS_ARG, detail, v, at);
        }
    }
    return gspi_frames_leaf(w, w->m->counts.nodes + at);
}

/* An element inside of the container that is being written. */
static gsp_status gspi_bind_inside(gspi_frames *w, gspi_binding *s, uint32_t i)
{
    uint32_t at = w->elements[i].at;
    uint32_t form;
    if (s->args != NULL) {
        uint32_t const end = gspi_token_end(s->args, at);
        for (; at < end; at++) {
            GSPI_TRY(gspi_frames_write(w, s->args[at], 0));
        }
        return GSP_OK;
    }
    GSPI_TRY(gspi_frames_token(w, GSP_ARG_NODE, 0u));
    return gspi_bind_element(w, s, GSP_NONE, i, &form);
}

/* `*args`: the elements by position that are left. */
static gsp_status gspi_bind_rest(gspi_frames *w, gspi_binding *s, uint32_t *form)
{
    *form = w->n_form;
    w->open = GSP_NONE;
    GSPI_TRY(gspi_frames_open(w, (uint32_t)GSP_ARG_TUPLE));
    for (; s->at < s->n && w->elements[s->at].key == GSP_NONE; s->at++) {
        GSPI_TRY(gspi_bind_inside(w, s, s->at));
    }
    return gspi_frames_close(w);
}

/* `**kwargs`: the named elements that no placeholder takes. */
static gsp_status gspi_bind_names(gspi_frames *w, gspi_binding *s, uint32_t *form)
{
    uint32_t k;
    uint32_t i;
    for (k = 0u; k < w->frames[s->child.id].n_placeholders; k++) { /* others keep theirs */
        gsp_node const v = w->placeholders[s->child.first + k];
        uint32_t const named = gspi_bind_named(w, s, w->m->target[s->child.first + v]);
        if (named != GSP_NONE) {
            return gspi_frames_misfit(w, GSP_DETAIL_INPUT_TWICE, v, w->elements[named].at);
        }
    }
    *form = w->n_form;
    w->open = GSP_NONE;
    GSPI_TRY(gspi_frames_open(w, (uint32_t)GSP_ARG_DICT));
    for (i = 0u; i < s->n; i++) {
        gsp_string const key = w->elements[i].key;
        if (key != GSP_NONE && key != GSPI_TAKEN) {
            GSPI_TRY(gspi_frames_token(w, GSP_ARG_KEY, key));
            w->elements[i].key = GSPI_TAKEN;
            GSPI_TRY(gspi_bind_inside(w, s, i));
        }
    }
    s->left = 0u;
    return gspi_frames_close(w);
}

/* What placeholder v is given: an element by position or by name, else its default. */
static gsp_status gspi_bind_one(gspi_frames *w, gspi_binding *s, gsp_node v, uint32_t *form)
{
    gsp_string const target = w->m->target[s->child.first + v];
    uint32_t count;
    const gsp_arg *standard = gsp_node_args(&s->child, v, &count);
    uint32_t named;
    if (s->at < s->n && w->elements[s->at].key == GSP_NONE) {
        return gspi_bind_element(w, s, v, s->at++, form);
    }
    named = gspi_bind_named(w, s, target);
    if (named != GSP_NONE) {
        s->left--;
        return gspi_bind_element(w, s, v, named, form);
    }
    if (count == 0u) {
        return gspi_frames_misfit(w, GSP_DETAIL_INPUT_MISSING, v, GSP_NONE);
    }
    return gspi_frames_value(w, standard, 0u, form);
}

/* A form as tokens, keys by their texts. */
static int gspi_frames_same_form(const gspi_frames *w, uint32_t a, uint32_t b)
{
    uint32_t i;
    if (a == b) {
        return 1;
    }
    if (a == GSP_NONE || b == GSP_NONE || w->form[a].value != w->form[b].value) {
        return 0;
    }
    for (i = 0u; i <= w->form[a].value; i++) {
        if (w->form[a + i].kind != w->form[b + i].kind ||
            w->form[a + i].value != w->form[b + i].value) {
            return 0;
        }
    }
    return 1;
}

/* Named elements come last; an element that is left is one too many. */
static gsp_status gspi_bind_check(const gspi_frames *w, const gspi_binding *s)
{
    uint32_t i;
    uint32_t k;
    if (s->at < s->n && w->elements[s->at].key == GSP_NONE) {
        return gspi_frames_misfit(w, GSP_DETAIL_INPUT_MANY, GSP_NONE, w->elements[s->at].at);
    }
    for (i = 0u; i < s->n && s->left != 0u; i++) {
        gsp_string const key = w->elements[i].key;
        if (key == GSP_NONE || key == GSPI_TAKEN) {
            continue;
        }
        for (k = 0u; k < w->frames[s->child.id].n_placeholders; k++) {
            gsp_node const v = w->placeholders[s->child.first + k];
            if (gsp_text_equal(gsp_node_target(&s->child, v), gspi_frames_key(w, key))) {
                return gspi_frames_misfit(w, GSP_DETAIL_INPUT_TWICE, v, w->elements[i].at);
            }
        }
        return gspi_frames_misfit(w, GSP_DETAIL_INPUT_UNKNOWN, GSP_NONE, w->elements[i].at);
    }
    return GSP_OK;
}

/* Placeholders of a graph that is met for the first time. */
static void gspi_frames_meet(gspi_frames *w, const gsp_graph *g)
{
    gsp_frame *f = &w->frames[g->id];
    gsp_node v;
    for (v = 0u; v < g->n_nodes && f->state == (uint32_t)GSPI_FRAME_NEW; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
            w->placeholders[g->first + f->n_placeholders++] = v;
        }
    }
}

/* The row of inputs of a child, by placeholders in their order, at the end of leaf. */
static gsp_status gspi_frames_bind(gspi_frames *w, gspi_binding *s)
{
    int const fresh = w->frames[s->child.id].state == (uint32_t)GSPI_FRAME_NEW;
    uint32_t k;
    gspi_frames_meet(w, &s->child);
    for (k = 0u; k < w->frames[s->child.id].n_placeholders; k++) {
        gsp_node const v = w->placeholders[s->child.first + k];
        gsp_text const target = gsp_node_target(&s->child, v);
        uint32_t form = GSP_NONE;
        w->asker = s->args == NULL ? v : w->node;
        if (gspi_at(target, 0u, "**")) {
            GSPI_TRY(gspi_bind_names(w, s, &form));
        } else if (gspi_at(target, 0u, "*")) {
            GSPI_TRY(gspi_bind_rest(w, s, &form));
        } else {
            GSPI_TRY(gspi_bind_one(w, s, v, &form));
        }
        if (fresh) {
            w->form_at[s->child.first + v] = form;
        } else if (!gspi_frames_same_form(w, w->form_at[s->child.first + v], form)) {
            return gspi_frames_fail(w, GSP_STATUS_ARG, GSP_DETAIL_FORMS);
        }
    }
    return gspi_bind_check(w, s);
}

/* ---- one graph ---- */

/* The child graph begins: values of its own for its placeholders. */
static gsp_status gspi_frames_begin(gspi_frames *w, const gsp_graph *child)
{
    gsp_frame *f = &w->frames[child->id];
    uint32_t tokens = 0u;
    uint32_t k;
    f->parent = w->graph;
    f->state = (uint32_t)GSPI_FRAME_OPEN;
    f->in_at = w->n_leaf;
    w->graph = child->id;
    w->node = 0u;
    for (k = 0u; k < f->n_placeholders; k++) {
        uint32_t const at = child->first + w->placeholders[child->first + k];
        uint32_t const form = w->form_at[at];
        uint32_t const width = gspi_frames_width(w, form);
        uint32_t i;
        w->step[at] = (uint8_t)GSPI_STEP_NONE;
        w->leaf_at[at] = form == GSP_NONE ? at : w->n_leaf;
        tokens += form == GSP_NONE ? 1u : w->form[form].value + 1u;
        for (i = 0u; i < width; i++) {
            uint64_t const bytes = child->id == w->root && form == GSP_NONE ? w->m->bytes[at] : 0u;
            if (form == GSP_NONE) {
                gspi_frames_own(w, at, bytes);
                GSPI_TRY(gspi_frames_leaf(w, at));
            } else {
                GSPI_TRY(gspi_frames_new_leaf(w, bytes));
            }
        }
    }
    f->n_in = w->n_leaf - f->in_at;
    w->n_tokens = tokens > w->n_tokens ? tokens : w->n_tokens;
    return GSP_OK;
}

/* Where every returned value comes from: a place among the inputs, n_in and a place among the
 * former outputs, or GSPI_FRESH. Lives are known by now, so `last` may hold the places. */
static void gspi_frames_origins(gspi_frames *w, const gsp_frame *f)
{
    uint32_t j;
    for (j = 0u; j < f->n_out; j++) {
        w->last[w->leaf[f->out_at + j]] = GSPI_FRESH;
    }
    for (j = 0u; j < f->n_in; j++) {
        w->last[w->leaf[f->in_at + j]] = j;
    }
    for (j = 0u; j < f->n_out; j++) {
        uint32_t const owner = w->leaf[f->out_at + j];
        w->origin[f->out_at + j] = w->last[owner];
        w->last[owner] = w->last[owner] == GSPI_FRESH ? f->n_in + j : w->last[owner];
    }
}

/* What the graphs that are called need on top of their caller. */
static gsp_status gspi_frames_above(const gspi_frames *w, gsp_frame *f, const gsp_frame *child,
                                    uint64_t live)
{
    if (child->peak > UINT64_MAX / 2u - live) {
        return gspi_frames_fail(w, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    }
    if (live + child->peak > f->peak) {
        f->peak = live + child->peak;
        f->peak_graph = child->peak_graph;
        f->peak_node = child->peak_node;
    }
    f->slots = child->slots > f->slots ? child->slots : f->slots;
    f->depth = child->depth > f->depth ? child->depth : f->depth;
    return GSP_OK;
}

/* Slots and the peak of a graph, by a scan over its nodes; `next` chains the owners that die at a
 * node. */
static gsp_status gspi_frames_end(gspi_frames *w)
{
    gsp_graph const g = gsp_module_graph(w->m, w->graph);
    gsp_frame *f = &w->frames[g.id];
    uint32_t owner;
    uint32_t spare = 0u;
    uint64_t live = 0u;
    gsp_node v;
    for (owner = f->owners; owner != GSP_NONE; owner = w->sibling[owner]) {
        if (w->last[owner] + 1u < g.n_nodes) {
            w->next[owner] = w->dead[g.first + w->last[owner]];
            w->dead[g.first + w->last[owner]] = owner;
        }
    }
    owner = f->owners;
    for (v = 0u; v < g.n_nodes; v++) {
        uint32_t const child = w->child[g.first + v];
        uint32_t dead = w->dead[g.first + v];
        if (child != GSP_NONE) {
            GSPI_TRY(gspi_frames_above(w, f, &w->frames[child], live));
        }
        for (; owner != GSP_NONE && w->birth[owner] == v; owner = w->sibling[owner]) {
            w->slot[owner] = spare > 0u ? w->spare[--spare] : f->n_slots++;
            if (w->bytes[owner] > UINT64_MAX / 2u - live) {
                return gspi_frames_fail(w, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
            }
            live += w->bytes[owner];
        }
        if (live > f->peak) {
            f->peak = live;
            f->peak_graph = g.id;
            f->peak_node = v;
        }
        for (; dead != GSP_NONE; dead = w->next[dead]) {
            w->spare[spare++] = w->slot[dead];
            live -= w->bytes[dead];
        }
    }
    f->slots += f->n_slots;
    f->depth++;
    gspi_frames_origins(w, f);
    f->state = (uint32_t)GSPI_FRAME_DONE;
    return GSP_OK;
}

/* ---- nodes ---- */

static int gspi_frames_is_invoke(const gspi_frames *w, const gsp_graph *g, gsp_node v)
{
    return gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION && w->invoke != GSP_NONE &&
           w->m->target[g->first + v] == w->invoke;
}

/* The graph that a call enters, GSP_NONE: none. */
static uint32_t gspi_frames_child(const gspi_frames *w, const gsp_graph *g, gsp_node v)
{
    const gsp_string *target = w->m->target + g->first;
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t child = GSP_NONE;
    if (gsp_node_op(g, v) == GSP_OP_CALL_MODULE) {
        return gsp_module_find_graph(w->m, target[v]);
    }
    if (gspi_frames_is_invoke(w, g, v) && count >= 2u) {
        if (args[0].kind == (uint32_t)GSP_ARG_NODE && args[0].value < v &&
            gsp_node_op(g, args[0].value) == GSP_OP_GET_ATTR) {
            child = gsp_module_find_graph(w->m, target[args[0].value]);
        }
        if (child == GSP_NONE && args[1].kind == (uint32_t)GSP_ARG_CONSTANT) {
            child = gsp_module_find_graph(w->m, args[1].value);
        }
    }
    return child;
}

/* An attribute that only says which graph is to be invoked has no value. */
static int gspi_frames_is_holder(const gspi_frames *w, const gsp_graph *g, gsp_node v)
{
    uint32_t n_users;
    const gsp_node *users = gsp_node_users(g, v, &n_users);
    uint32_t i;
    if (gsp_module_find_graph(w->m, w->m->target[g->first + v]) == GSP_NONE || n_users == 0u) {
        return 0;
    }
    for (i = 0u; i < n_users; i++) {
        uint32_t count;
        const gsp_arg *args = gsp_node_args(g, users[i], &count);
        uint32_t k;
        if (!gspi_frames_is_invoke(w, g, users[i])) {
            return 0;
        }
        for (k = 0u; k < count; k++) {
            if (k > 0u && args[k].kind == (uint32_t)GSP_ARG_NODE && args[k].value == v) {
                return 0;
            }
        }
    }
    return 1;
}

/* Bytes of a piece of TYPE that holds one tensor, or none. */
static uint64_t gspi_frames_type_bytes(gsp_text type)
{
    uint32_t at = 0u;
    uint32_t begin = 0u;
    uint32_t i;
    uint64_t bytes;
    gsp_text dtype;
    gsp_text dims;
    if (!gsp_type_next(type, &at, &dtype, &dims)) {
        return 0u;
    }
    bytes = gspi_dtype_bytes(dtype);
    for (i = 0u; i <= dims.size; i++) {
        uint64_t number;
        if (i < dims.size && dims.data[i] != ',') {
            continue;
        }
        if (gspi_number(gspi_trim(gspi_slice(dims.data, begin, i)), &number)) {
            bytes = number != 0u && bytes > UINT64_MAX / number ? UINT64_MAX : bytes * number;
        }
        begin = i + 1u;
    }
    return bytes;
}

/* The results of a kernel by the TYPE of its node: a form and a row; without `tuple(...)` or
 * `list(...)`, or where these hold nothing, no form. */
static gsp_status gspi_frames_type(gspi_frames *w, gsp_text type, int override, uint64_t bytes,
                                   uint32_t *form)
{
    uint32_t const before = w->n_form;
    uint32_t const leaves = w->n_leaf;
    uint32_t i = 0u;
    w->open = GSP_NONE;
    do {
        uint32_t begin = i;
        uint32_t depth = 0u;
        if (gspi_at(type, i, "tuple(") || gspi_at(type, i, "list(")) {
            int const tuple = type.data[i] == 't';
            GSPI_TRY(gspi_frames_open(w, (uint32_t)(tuple ? GSP_ARG_TUPLE : GSP_ARG_LIST)));
            i += tuple ? 6u : 5u;
        } else if (w->open == GSP_NONE) {
            break;
        } else if (i < type.size && type.data[i] == ')') {
            GSPI_TRY(gspi_frames_close(w));
            i++;
        } else if (i < type.size && (type.data[i] == ',' || gspi_is_blank(type.data[i]))) {
            i++;
        } else {
            for (; i < type.size && (depth > 0u || (type.data[i] != ',' && type.data[i] != ')'));
                 i++) {
                depth += gspi_is_open(type.data[i]) ? 1u : 0u;
                depth -= gspi_is_close(type.data[i]) ? 1u : 0u;
            }
            GSPI_TRY(gspi_frames_token(w, GSP_ARG_NODE, 0u));
            GSPI_TRY(gspi_frames_new_leaf(
                w, override ? bytes : gspi_frames_type_bytes(gspi_slice(type.data, begin, i))));
            bytes = 0u;
        }
    } while (w->open != GSP_NONE && i < type.size);
    while (w->open != GSP_NONE) {
        GSPI_TRY(gspi_frames_close(w));
    }
    *form = before;
    if (w->n_leaf == leaves) {
        w->n_form = before;
        *form = GSP_NONE;
    }
    return GSP_OK;
}

/* The present node reads u. Returns how many tokens its value has. */
static uint32_t gspi_frames_touch(gspi_frames *w, const gsp_graph *g, gsp_node u)
{
    uint32_t const at = g->first + u;
    uint32_t const form = w->form_at[at];
    uint32_t const width = gspi_frames_width(w, form);
    uint32_t i;
    if (form == GSP_NONE) {
        w->last[w->leaf_at[at]] = w->node;
        return 1u;
    }
    for (i = 0u; i < width; i++) {
        w->last[w->leaf[w->leaf_at[at] + i]] = w->node;
    }
    return w->form[form].value + 1u;
}

static gsp_status gspi_frames_kernel(gspi_frames *w, const gsp_graph *g, gsp_node v)
{
    uint32_t const at = g->first + v;
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t tokens = count;
    uint32_t i;
    for (i = 0u; i < count; i++) {
        if (args[i].kind == (uint32_t)GSP_ARG_NODE) {
            if (args[i].value >= v || w->leaf_at[g->first + args[i].value] == GSP_NONE) {
                return gspi_frames_fail(w, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS);
            }
            tokens = gspi_count_add(tokens, gspi_frames_touch(w, g, args[i].value) - 1u);
        }
    }
    if (tokens == UINT32_MAX) {
        return gspi_frames_fail(w, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY);
    }
    w->step[at] = (uint8_t)(tokens == count ? GSPI_STEP_KERNEL : GSPI_STEP_EXPAND);
    w->n_tokens = tokens > w->n_tokens ? tokens : w->n_tokens;
    w->leaf_at[at] = w->n_leaf;
    if (w->d->whole == 0u) {
        GSPI_TRY(gspi_frames_type(w, gsp_node_type(g, v), (w->m->flags[at] & GSP_FLAG_BYTES) != 0u,
                                  w->m->bytes[at], &w->form_at[at]));
    }
    if (w->form_at[at] == GSP_NONE) {
        w->leaf_at[at] = at;
        gspi_frames_own(w, at, w->m->bytes[at]);
    }
    i = gspi_frames_width(w, w->form_at[at]);
    w->n_results = i > w->n_results ? i : w->n_results;
    return GSP_OK;
}

/* The token of element `index` of a tuple or list, from the element that was looked for last or
 * from the first one, whichever is nearer; GSP_NONE: there is none. */
static uint32_t gspi_frames_element(gspi_frames *w, uint32_t form, uint64_t index)
{
    uint32_t const end = form + w->form[form].value;
    uint64_t i = 0u;
    uint32_t at = form + 1u;
    if (gspi_frames_width(w, form) + 1u == w->form[form].value) {
        return index < end - form - 1u ? form + 1u + (uint32_t)index : GSP_NONE;
    }
    if (w->seen_form == form && index >= w->seen_index / 2u) {
        i = w->seen_index;
        at = w->seen_at;
    }
    for (; i > index; i--) {
        at--;
        at -= w->form[at].kind == (uint32_t)GSP_ARG_CLOSE ? w->form[at].value : 0u;
    }
    for (; i < index && at < end; i++) {
        at = gspi_token_end(w->form, at);
    }
    if (at >= end) {
        return GSP_NONE;
    }
    w->seen_form = form;
    w->seen_index = (uint32_t)i;
    w->seen_at = at;
    return at;
}

/* Number of elements of a tuple or list. */
static uint32_t gspi_frames_length(const gspi_frames *w, uint32_t form)
{
    uint32_t const end = form + w->form[form].value;
    uint32_t at = form + 1u;
    uint32_t n = 0u;
    if (gspi_frames_width(w, form) + 1u == w->form[form].value) {
        return end - at;
    }
    for (; at < end; n++) {
        at = gspi_token_end(w->form, at);
    }
    return n;
}

/* The token of the element with this key, which is spelled with or without quotes. */
static uint32_t gspi_frames_entry(const gspi_frames *w, uint32_t form, gsp_text key)
{
    uint32_t const end = form + w->form[form].value;
    uint32_t at = form + 1u;
    if (key.size >= 2u && (key.data[0] == '\'' || key.data[0] == '"') &&
        key.data[key.size - 1u] == key.data[0]) {
        key = gspi_slice(key.data, 1u, key.size - 1u);
    }
    for (; at < end; at = gspi_token_end(w->form, at)) {
        if (w->form[at].kind == (uint32_t)GSP_ARG_KEY &&
            gsp_text_equal(gspi_frames_key(w, w->form[at].value), key)) {
            return at + 1u;
        }
    }
    return GSP_NONE;
}

/* Resolves a getitem of a known aggregate by a constant; leaves any other to the kernel. */
static gsp_status gspi_frames_getitem(gspi_frames *w, const gsp_graph *g, gsp_node v)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t const form = w->form_at[g->first + args[0].value];
    gsp_text key = gspi_string(w->m, args[1].value);
    int const negative = key.size > 0u && key.data[0] == '-';
    uint64_t index = 0u;
    uint32_t at;
    if (w->form[form].kind == (uint32_t)GSP_ARG_DICT) {
        at = gspi_frames_entry(w, form, key);
    } else {
        key = negative ? gspi_slice(key.data, 1u, key.size) : key;
        if (w->form[form].kind == (uint32_t)GSP_ARG_SLICE || !gspi_number(key, &index)) {
            return gspi_frames_kernel(w, g, v);
        }
        if (negative && index <= gspi_frames_length(w, form)) {
            index = gspi_frames_length(w, form) - index;
        } else if (negative) {
            index = UINT64_MAX;
        }
        at = gspi_frames_element(w, form, index);
    }
    if (at == GSP_NONE) {
        return gspi_frames_fail(w, GSP_STATUS_ARG, GSP_DETAIL_ELEMENT);
    }
    count = w->leaf_at[g->first + args[0].value] + w->form_leaf[at] - w->form_leaf[form];
    w->leaf_at[g->first + v] = count;
    if (w->form[at].kind == (uint32_t)GSP_ARG_NODE) {
        w->leaf_at[g->first + v] = w->leaf[count];
    } else {
        w->form_at[g->first + v] = at;
    }
    (void)gspi_frames_touch(w, g, v);
    return GSP_OK;
}

static int gspi_frames_is_element(const gspi_frames *w, const gsp_graph *g, gsp_node v)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    return gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION &&
           w->m->target[g->first + v] == (gsp_string)GSP_KEY_GETITEM && count == 2u &&
           args[0].kind == (uint32_t)GSP_ARG_NODE && args[0].value < v &&
           args[1].kind == (uint32_t)GSP_ARG_CONSTANT &&
           w->form_at[g->first + args[0].value] != GSP_NONE;
}

/* What a graph that was called returns, as a row of its caller; `single`: owner of a single fresh
 * value. */
static gsp_status gspi_frames_results(gspi_frames *w, const gsp_frame *f, uint32_t bind_at)
{
    uint32_t const row = w->n_leaf;
    uint32_t j;
    for (j = 0u; j < f->n_out; j++) {
        uint32_t const origin = w->origin[f->out_at + j];
        if (origin == GSPI_FRESH) {
            GSPI_TRY(gspi_frames_new_leaf(w, w->bytes[w->leaf[f->out_at + j]]));
        } else {
            uint32_t const owner =
                origin < f->n_in ? w->leaf[bind_at + origin] : w->leaf[row + (origin - f->n_in)];
            w->last[owner] = w->node;
            GSPI_TRY(gspi_frames_leaf(w, owner));
        }
    }
    return GSP_OK;
}

/* The constants asked for since `before` become a row of their own. */
static uint32_t gspi_frames_asked(gspi_frames *w, uint32_t before)
{
    if (w->n_ask == before) {
        return GSP_NONE;
    }
    w->ask[w->n_ask].slot = GSP_NONE; /* there is always room for this */
    w->n_ask++;
    return before;
}

/* A call of a graph: the first time it is bound and, if it is new, begun; the second time, when
 * the graph is known, its results are taken. Returns with *again = 1 after a beginning. */
static gsp_status gspi_frames_call(gspi_frames *w, const gsp_graph *g, gsp_node v, int *again)
{
    uint32_t const at = g->first + v;
    gsp_frame *f = &w->frames[w->child[at]];
    if (w->bind_at[at] == GSP_NONE) {
        uint32_t const before = w->n_ask;
        uint32_t begin = 0u;
        gspi_binding s;
        uint32_t count;
        s.args = gsp_node_args(g, v, &count);
        if (gspi_frames_is_invoke(w, g, v)) {
            int const packed = count > 3u && s.args[2].kind == (uint32_t)GSP_ARG_TUPLE &&
                               s.args[2].value + 3u == count;
            begin = packed ? 3u : 2u; /* older graphs pass one tuple of inputs */
            count -= packed ? 1u : 0u;
        }
        if (f->state == (uint32_t)GSPI_FRAME_OPEN) {
            return gspi_frames_fail(w, GSP_STATUS_CYCLE, GSP_DETAIL_RECURSION);
        }
        s.child = gsp_module_graph(w->m, w->child[at]);
        gspi_bind_start(w, &s, gspi_frames_elements(w, s.args, begin, count));
        w->bind_at[at] = w->n_leaf;
        GSPI_TRY(gspi_frames_bind(w, &s));
        w->ask_at[at] = gspi_frames_asked(w, before);
        if (f->state == (uint32_t)GSPI_FRAME_NEW) {
            *again = 1;
            return gspi_frames_begin(w, &s.child);
        }
    }
    w->step[at] = (uint8_t)GSPI_STEP_ENTER;
    w->form_at[at] = f->out_form;
    w->leaf_at[at] = w->n_leaf;
    GSPI_TRY(gspi_frames_results(w, f, w->bind_at[at]));
    if (f->out_form == GSP_NONE) {
        w->leaf_at[at] = w->leaf[w->leaf_at[at]];
    }
    return GSP_OK;
}

/* The returned value of a graph: of the root with its constants, which need no kernel there. */
static gsp_status gspi_frames_return(gspi_frames *w, const gsp_graph *g, gsp_node v)
{
    gsp_frame *f = &w->frames[g->id];
    uint32_t const before = w->n_ask;
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t i;
    w->asker = v;
    w->step[g->first + v] = (uint8_t)GSPI_STEP_RETURN;
    f->out_at = w->n_leaf;
    if (count == 0u) {
        return gspi_frames_fail(w, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS);
    }
    if (g->id != w->root) {
        GSPI_TRY(gspi_frames_value(w, args, 0u, &f->out_form));
        w->ask_at[g->first + v] = gspi_frames_asked(w, before);
        f->n_out = w->n_leaf - f->out_at;
        return GSP_OK;
    }
    f->out_form = w->n_form;
    w->open = GSP_NONE;
    for (i = 0u; i < count; i++) {
        GSPI_TRY(gspi_frames_write(w, args[i], 1));
    }
    f->n_out = w->n_leaf - f->out_at;
    w->n_output = w->n_form - f->out_form;
    return GSP_OK;
}

static gsp_status gspi_frames_node(gspi_frames *w, const gsp_graph *g, gsp_node v, int *again)
{
    uint32_t const at = g->first + v;
    switch (w->m->op[at]) {
    case GSP_OP_PLACEHOLDER:
        return GSP_OK;
    case GSP_OP_GET_ATTR:
        if (!gspi_frames_is_holder(w, g, v)) {
            w->step[at] = (uint8_t)GSPI_STEP_ATTR;
            w->leaf_at[at] = at;
            gspi_frames_own(w, at, 0u);
        }
        return GSP_OK;
    case GSP_OP_OUTPUT:
        return gspi_frames_return(w, g, v);
    case GSP_OP_CALL_FUNCTION:
    case GSP_OP_CALL_METHOD:
    case GSP_OP_CALL_MODULE:
        w->child[at] = gspi_frames_child(w, g, v);
        if (w->child[at] != GSP_NONE) {
            return gspi_frames_call(w, g, v, again);
        }
        return gspi_frames_is_element(w, g, v) ? gspi_frames_getitem(w, g, v)
                                               : gspi_frames_kernel(w, g, v);
    default:
        return gspi_frames_fail(w, GSP_STATUS_DAMAGED, GSP_DETAIL_KIND);
    }
}

/* The inputs of the run are the values of the outside, which calls the root. */
static gsp_status gspi_frames_outside(gspi_frames *w)
{
    gsp_frame *f = &w->frames[w->m->counts.graphs];
    gspi_binding s;
    uint32_t i;
    w->graph = w->m->counts.graphs;
    w->node = 0u;
    s.args = NULL;
    s.child = gsp_module_graph(w->m, w->root);
    for (i = 0u; i < w->d->n_inputs; i++) {
        int const named = w->d->inputs != NULL && w->d->inputs[i].name.size != 0u;
        if (!named && i > 0u && w->elements[i - 1u].key != GSP_NONE) {
            return gspi_fail_at(w->err, GSP_STATUS_ARG, GSP_DETAIL_INPUT_ORDER, GSP_NONE, i);
        }
        w->elements[i].key = named ? w->m->counts.strings + i : GSP_NONE;
        w->elements[i].at = i;
        gspi_frames_own(w, w->m->counts.nodes + i, 0u);
    }
    w->n_owners = w->m->counts.nodes + w->d->n_inputs;
    gspi_bind_start(w, &s, w->d->n_inputs);
    f->in_at = 0u;
    GSPI_TRY(gspi_frames_bind(w, &s));
    f->out_form = gspi_frames_asked(w, 0u);
    return gspi_frames_begin(w, &s.child);
}

/* Slots of the outside, which are not used twice. */
static gsp_status gspi_frames_inside_out(gspi_frames *w)
{
    gsp_frame *f = &w->frames[w->m->counts.graphs];
    const gsp_frame *root = &w->frames[w->root];
    uint32_t owner;
    f->out_at = w->n_leaf;
    f->n_out = root->n_out;
    f->n_in = root->n_in;
    GSPI_TRY(gspi_frames_results(w, root, f->in_at));
    for (owner = f->owners; owner != GSP_NONE; owner = w->sibling[owner]) {
        w->slot[owner] = f->n_slots++;
    }
    return GSP_OK;
}

/* Graphs in the order of their first calls; a caller goes on where it waited. */
GSPI_OWN_FRAME gsp_status gspi_frames_plan(gspi_frames *w)
{
    uint32_t const outside = w->m->counts.graphs;
    GSPI_TRY(gspi_frames_outside(w));
    while (w->graph != outside) {
        gsp_graph const g = gsp_module_graph(w->m, w->graph);
        gsp_frame *f = &w->frames[g.id];
        int again = 0;
        while (f->resume < g.n_nodes && !again) {
            w->node = f->resume;
            GSPI_TRY(gspi_frames_node(w, &g, w->node, &again));
            f->resume += again ? 0u : 1u;
        }
        if (!again) {
            GSPI_TRY(gspi_frames_end(w));
            w->graph = f->parent;
            w->node = w->graph == outside ? 0u : w->frames[w->graph].resume;
        }
    }
    return gspi_frames_inside_out(w);
}

/* Owners become slots, and a NODE of the output the index of its value. */
GSPI_OWN_FRAME void gspi_frames_settle(gspi_frames *w, const gsp_graph *graph, gsp_frames *out)
{
    const gsp_frame *root = &w->frames[w->root];
    uint32_t index = 0u;
    uint32_t i;
    for (i = 0u; i < w->n_leaf; i++) {
        w->leaf[i] = w->slot[w->leaf[i]];
    }
    for (i = 0u; i < w->n_ask; i++) {
        w->ask[i].slot = w->ask[i].slot == GSP_NONE ? GSP_NONE : w->slot[w->ask[i].slot];
    }
    for (i = 0u; i < w->m->counts.nodes; i++) {
        if (w->form_at[i] == GSP_NONE && w->leaf_at[i] != GSP_NONE) {
            w->leaf_at[i] = w->slot[w->leaf_at[i]];
        }
    }
    for (i = 0u; i < w->n_output; i++) {
        gsp_arg *a = &w->form[root->out_form + i];
        if (a->kind == (uint32_t)GSP_ARG_NODE) {
            a->value = index++;
        }
    }
    out->graph = *graph;
    out->output = w->form + root->out_form;
    out->n_output = w->n_output;
    out->n_tokens = w->n_tokens;
    out->n_results = w->n_results;
    out->n_outputs = root->n_out;
    out->n_inputs = w->d->n_inputs;
    out->inputs = w->d->inputs;
    out->peak_bytes = root->peak;
    out->peak_graph = root->peak_graph;
    out->peak_node = root->peak_node;
    out->depth = root->depth;
    out->n_slots = w->frames[w->m->counts.graphs].n_slots + root->slots;
    out->frames = w->frames;
    out->leaf_at = w->leaf_at;
    out->form_at = w->form_at;
    out->child = w->child;
    out->bind_at = w->bind_at;
    out->ask_at = w->ask_at;
    out->dead = w->dead;
    out->placeholders = w->placeholders;
    out->leaf = w->leaf;
    out->form = w->form;
    out->form_leaf = w->form_leaf;
    out->ask = w->ask;
    out->slot = w->slot;
    out->next = w->next;
    out->step = w->step;
}

/* The id of a string that graphs may call by, GSP_NONE: the module has none. */
static gsp_string gspi_frames_string(const gsp_module *m, gsp_text text)
{
    gsp_string s;
    for (s = 0u; s < m->counts.strings; s++) {
        if (gsp_text_equal(gspi_string(m, s), text)) {
            return s;
        }
    }
    return GSP_NONE;
}

GSPI_OWN_FRAME void gspi_frames_start(gspi_frames *w)
{
    uint32_t const n = w->m->counts.nodes;
    size_t const graphs = (size_t)w->m->counts.graphs + 1u;
    uint32_t i;
    gspi_set(w->frames, 0, graphs, sizeof(gsp_frame));
    gspi_set(w->latest, 0xFF, graphs, sizeof(uint32_t));
    gspi_set(w->leaf_at, 0xFF, n, sizeof(uint32_t));
    gspi_set(w->form_at, 0xFF, n, sizeof(uint32_t));
    gspi_set(w->child, 0xFF, n, sizeof(uint32_t));
    gspi_set(w->bind_at, 0xFF, n, sizeof(uint32_t));
    gspi_set(w->ask_at, 0xFF, n, sizeof(uint32_t));
    gspi_set(w->dead, 0xFF, n, sizeof(uint32_t));
    gspi_set(w->step, 0, n, 1u);
    for (i = 0u; i < (uint32_t)graphs; i++) {
        w->frames[i].owners = GSP_NONE;
    }
    w->n_owners = n;
    w->n_leaf = 0u;
    w->n_form = 0u;
    w->n_ask = 0u;
    w->n_output = 0u;
    w->n_tokens = 0u;
    w->n_results = 1u;
    w->open = GSP_NONE;
    w->seen_form = GSP_NONE;
    w->invoke = gspi_frames_string(w->m, gsp_text_of("torch.ops.higher_order.invoke_subgraph"));
}

GSP_API gsp_status gsp_frames_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_frames_desc *desc, gsp_frames *frames, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gsp_frames_desc d;
    gspi_frames w;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || graph == NULL || frames == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    d = gsp_frames_resolve(graph, desc);
    if (d.start_canary != 0u || d.end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    GSPI_TRY(gspi_room(arena, gsp_frames_bound(&graph->module->counts, desc), err));
    mark = gsp_arena_mark(arena);
    w.m = graph->module;
    w.d = &d;
    w.err = err;
    w.root = graph->id;
    gspi_frames_layout(&b, &w, &graph->module->counts, &d);
    gspi_frames_start(&w);
    status = gspi_frames_plan(&w);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    gspi_frames_settle(&w, graph, frames);
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>run   Running a graph with the kernels of the caller                          (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_RUN

/* Values lie in one block, a frame above the frame of its caller. Which of them a kernel made, and
 * so may be released, is said by a byte beside each value, and only kept up where releases are
 * asked for: it moves along when a value is returned, is not set where a value is only lent, and
 * is cleared by the release. */

typedef struct gspi_active {
    uint32_t graph;
    gsp_node node;
    uint32_t base; /* of its values */
} gspi_active;

typedef struct gspi_run {
    const gsp_frames *p;
    const gsp_run_desc *d;
    gsp_error *err;
    const gsp_module *m;
    gsp_call call;
    uint32_t top;         /* active frames above the outside */
    gsp_value *values;    /* [n_slots] */
    gsp_value *arguments; /* [n_tokens] */
    gsp_arg *tokens;      /* [n_tokens] */
    gsp_value *results;   /* [n_results] */
    gspi_active *active;  /* [depth + 1] the outside first */
    uint8_t *owned;       /* [n_slots] */
} gspi_run;

static void gspi_run_layout(gspi_bump *b, gspi_run *r, const gsp_frames *p)
{
    uint32_t const tokens = p->n_tokens > 1u ? p->n_tokens : 1u;
    r->values = GSPI_HIGH(b, gsp_value, p->n_slots);
    r->arguments = GSPI_HIGH(b, gsp_value, tokens);
    r->tokens = GSPI_HIGH(b, gsp_arg, tokens);
    r->results = GSPI_HIGH(b, gsp_value, p->n_results);
    r->active = GSPI_HIGH(b, gspi_active, (size_t)p->depth + 1u);
    r->owned = GSPI_HIGH(b, uint8_t, p->n_slots);
}

GSP_API size_t gsp_run_bound(const gsp_frames *frames)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_run r;
    gspi_run_layout(&b, &r, frames);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API gsp_text gsp_call_text(const gsp_call *call, uint32_t token)
{
    const gsp_module *m = call->graph.module;
    gsp_arg const a = token < call->n_args ? call->args[token] : call->args[0];
    if (token >= call->n_args ||
        (a.kind != (uint32_t)GSP_ARG_CONSTANT && a.kind != (uint32_t)GSP_ARG_KEY)) {
        return gspi_slice("", 0u, 0u);
    }
    return a.value < m->counts.strings ? gspi_string(m, a.value)
                                       : call->frames->inputs[a.value - m->counts.strings].name;
}

GSP_API uint32_t gsp_call_find(const gsp_call *call, uint32_t position, const char *name)
{
    gsp_text const wanted = gsp_text_of(name);
    uint32_t i = 0u;
    while (i < call->n_args) {
        int const keyed = call->args[i].kind == (uint32_t)GSP_ARG_KEY;
        if (keyed && name != NULL && gsp_text_equal(gsp_call_text(call, i), wanted)) {
            return i + 1u;
        }
        if (!keyed && position == 0u) {
            return i;
        }
        position -= keyed || position == GSP_NONE ? 0u : 1u;
        i = keyed ? i + 1u : i;
        i += i < call->n_args && call->args[i].kind >= (uint32_t)GSP_ARG_TUPLE &&
                     call->args[i].kind < (uint32_t)GSP_ARG_CLOSE
                 ? call->args[i].value + 1u
                 : 1u;
    }
    return GSP_NONE;
}

/* ---- asking the kernel ---- */

static void gspi_run_about(gspi_run *r, gsp_ask ask, uint32_t graph, gsp_node node)
{
    r->call.graph = gsp_module_graph(r->m, graph);
    r->call.node = node;
    r->call.ask = (uint32_t)ask;
    r->call.n_args = 0u;
    r->call.n_results = 1u;
    r->call.args = r->tokens;
    r->call.values = r->arguments;
    r->call.results = r->results;
}

static gsp_status gspi_run_failed(const gspi_run *r, gsp_status status)
{
    return gspi_fail_at(r->err, status, GSP_DETAIL_KERNEL, r->call.node, r->call.graph.id);
}

/* A value that a kernel made. */
static void gspi_run_keep(gspi_run *r, uint32_t at, gsp_value value)
{
    r->values[at] = value;
    if (r->d->release != NULL) {
        r->owned[at] = 1u;
    }
}

static void gspi_run_drop(gspi_run *r, uint32_t at)
{
    if (r->owned[at] != 0u) {
        r->owned[at] = 0u;
        r->d->release(r->d->user, r->values[at]);
    }
}

/* Values for a row of constants, in the frame at `base`. */
static gsp_status gspi_run_constants(gspi_run *r, uint32_t graph, uint32_t row, uint32_t base)
{
    for (; row != GSP_NONE && r->p->ask[row].slot != GSP_NONE; row++) {
        gsp_status status;
        gspi_run_about(r, GSP_ASK_CONSTANT, graph, r->p->ask[row].node);
        r->call.n_args = 1u;
        r->tokens[0].kind = (uint32_t)GSP_ARG_CONSTANT;
        r->tokens[0].value = r->p->ask[row].constant;
        r->arguments[0] = 0u;
        status = r->d->kernel(r->d->user, &r->call);
        if (status != GSP_OK) {
            return gspi_run_failed(r, status);
        }
        gspi_run_keep(r, base + r->p->ask[row].slot, r->results[0]);
    }
    return GSP_OK;
}

/* Writes out an aggregate behind the tokens that are there already. */
static void gspi_run_write_out(gspi_run *r, uint32_t form, const uint32_t *leaf, uint32_t base)
{
    uint32_t i;
    for (i = 0u; i <= r->p->form[form].value; i++) {
        uint32_t const n = r->call.n_args++;
        r->tokens[n] = r->p->form[form + i];
        r->arguments[n] = 0u;
        if (r->tokens[n].kind == (uint32_t)GSP_ARG_NODE) {
            r->arguments[n] = r->values[base + *leaf++];
        }
    }
}

/* Arguments of a node with aggregates written out. Containers around them grow: while one is open
 * its token says which one it stands in. */
static void gspi_run_expand(gspi_run *r, const gsp_arg *args, uint32_t count, uint32_t base)
{
    uint32_t const first = r->call.graph.first;
    uint32_t open = GSP_NONE;
    uint32_t i;
    for (i = 0u; i < count; i++) {
        uint32_t const u = args[i].kind == (uint32_t)GSP_ARG_NODE ? first + args[i].value : 0u;
        uint32_t n;
        if (args[i].kind == (uint32_t)GSP_ARG_NODE && r->p->form_at[u] != GSP_NONE) {
            gspi_run_write_out(r, r->p->form_at[u], r->p->leaf + r->p->leaf_at[u], base);
            continue;
        }
        n = r->call.n_args++;
        r->tokens[n] = args[i];
        r->arguments[n] = 0u;
        if (args[i].kind == (uint32_t)GSP_ARG_NODE) {
            r->arguments[n] = r->values[base + r->p->leaf_at[u]];
        } else if (args[i].kind == (uint32_t)GSP_ARG_CLOSE) {
            uint32_t const opening = open;
            open = r->tokens[opening].value;
            r->tokens[opening].value = n - opening;
            r->tokens[n].value = n - opening;
        } else if (args[i].kind >= (uint32_t)GSP_ARG_TUPLE) {
            r->tokens[n].value = open;
            open = n;
        }
    }
}

static gsp_status gspi_run_kernel(gspi_run *r, const gspi_active *a, int expand)
{
    const gsp_frames *p = r->p;
    uint32_t const first = r->call.graph.first;
    uint32_t const at = first + a->node;
    uint32_t const form = p->form_at[at];
    uint32_t const begin = r->m->arg_begin[at];
    uint32_t const count = r->m->arg_begin[at + 1u] - begin;
    const gsp_arg *args = r->m->args + begin;
    gsp_status status;
    uint32_t i;
    r->call.node = a->node;
    r->call.ask = (uint32_t)GSP_ASK_CALL;
    r->call.n_results = 1u;
    r->call.n_args = 0u;
    r->call.args = expand ? r->tokens : args;
    if (expand) {
        gspi_run_expand(r, args, count, a->base);
    } else {
        r->call.n_args = count;
        for (i = 0u; i < count; i++) {
            r->arguments[i] = args[i].kind == (uint32_t)GSP_ARG_NODE
                                  ? r->values[a->base + p->leaf_at[first + args[i].value]]
                                  : 0u;
        }
    }
    if (form != GSP_NONE) {
        r->call.n_results = p->form_leaf[form + p->form[form].value] - p->form_leaf[form];
    }
    status = r->d->kernel(r->d->user, &r->call);
    if (status != GSP_OK) {
        return gspi_run_failed(r, status);
    }
    if (form == GSP_NONE) {
        gspi_run_keep(r, a->base + p->leaf_at[at], r->results[0]);
        return GSP_OK;
    }
    for (i = 0u; i < r->call.n_results; i++) {
        gspi_run_keep(r, a->base + p->leaf[p->leaf_at[at] + i], r->results[i]);
    }
    return GSP_OK;
}

static gsp_status gspi_run_attr(gspi_run *r, const gspi_active *a)
{
    gsp_status status;
    gspi_run_about(r, GSP_ASK_ATTR, a->graph, a->node);
    status = r->d->kernel(r->d->user, &r->call);
    if (status != GSP_OK) {
        return gspi_run_failed(r, status);
    }
    r->values[a->base + r->p->leaf_at[r->call.graph.first + a->node]] = r->results[0];
    return GSP_OK;
}

/* Tells desc.enter what a graph is given: the values of its placeholders in their order. */
static gsp_status gspi_run_tell(gspi_run *r, const gspi_active *caller, uint32_t child,
                                const uint32_t *row, uint32_t base)
{
    const gsp_frames *p = r->p;
    uint32_t const first = r->m->graphs[child].first;
    gsp_status status;
    uint32_t k;
    gspi_run_about(r, GSP_ASK_ENTER, caller->graph, caller->node);
    r->call.child = child;
    r->call.n_results = 0u;
    for (k = 0u; k < p->frames[child].n_placeholders; k++) {
        uint32_t const form = p->form_at[first + p->placeholders[first + k]];
        uint32_t const n = r->call.n_args;
        if (form != GSP_NONE) {
            gspi_run_write_out(r, form, row, base);
            row += p->form_leaf[form + p->form[form].value] - p->form_leaf[form];
        } else {
            r->tokens[n].kind = (uint32_t)GSP_ARG_NODE;
            r->tokens[n].value = p->placeholders[first + k];
            r->arguments[n] = r->values[base + *row++];
            r->call.n_args++;
        }
    }
    status = r->d->enter(r->d->user, &r->call);
    return status == GSP_OK ? GSP_OK : gspi_run_failed(r, status);
}

/* A frame for a graph: a row of values of its caller become those of its placeholders. */
static gsp_status gspi_run_enter(gspi_run *r, uint32_t graph, uint32_t row, uint32_t asks)
{
    const gsp_frames *p = r->p;
    const gspi_active *caller = &r->active[r->top];
    const gsp_frame *f = &p->frames[graph];
    gspi_active *a = &r->active[r->top + 1u];
    uint32_t j;
    GSPI_TRY(gspi_run_constants(r, r->top == 0u ? graph : caller->graph, asks, caller->base));
    a->graph = graph;
    a->node = 0u;
    a->base = caller->base + p->frames[caller->graph].n_slots;
    for (j = 0u; j < f->n_in; j++) {
        r->values[a->base + p->leaf[f->in_at + j]] = r->values[caller->base + p->leaf[row + j]];
    }
    if (r->d->enter != NULL && r->top > 0u) {
        GSPI_TRY(gspi_run_tell(r, caller, graph, p->leaf + f->in_at, a->base));
    }
    r->top++;
    r->call.graph = gsp_module_graph(r->m, graph);
    return GSP_OK;
}

/* The frame on top gives its values to its caller, and is gone. */
static gsp_status gspi_run_return(gspi_run *r)
{
    const gsp_frames *p = r->p;
    const gspi_active *a = &r->active[r->top];
    const gspi_active *caller = a - 1;
    const gsp_frame *f = &p->frames[a->graph];
    const uint32_t *row = p->leaf + p->frames[caller->graph].out_at;
    uint32_t j;
    GSPI_TRY(gspi_run_constants(r, a->graph, p->ask_at[r->call.graph.first + a->node], a->base));
    if (r->top > 1u) {
        uint32_t const to = r->m->graphs[caller->graph].first + caller->node;
        row = p->form_at[to] == GSP_NONE ? &p->leaf_at[to] : p->leaf + p->leaf_at[to];
    }
    for (j = 0u; j < f->n_out; j++) {
        uint32_t const from = a->base + p->leaf[f->out_at + j];
        uint32_t const at = caller->base + row[j];
        r->values[at] = r->values[from];
        if (r->d->release != NULL && r->owned[from] != 0u) {
            r->owned[from] = 0u;
            r->owned[at] = 1u;
        }
    }
    r->top--;
    return GSP_OK;
}

/* Values that no later node of the frame reads. */
static void gspi_run_bury(gspi_run *r, const gspi_active *a)
{
    uint32_t const at = r->m->graphs[a->graph].first + a->node;
    uint32_t dead;
    for (dead = r->p->dead[at]; dead != GSP_NONE; dead = r->p->next[dead]) {
        gspi_run_drop(r, a->base + r->p->slot[dead]);
    }
}

/* One node of the frame on top; a call of a graph only enters it. */
static gsp_status gspi_run_step(gspi_run *r)
{
    const gsp_frames *p = r->p;
    gspi_active *a = &r->active[r->top];
    uint32_t const at = r->call.graph.first + a->node;
    uint32_t const step = p->step[at];
    gsp_status status = GSP_OK;
    if (step == (uint32_t)GSPI_STEP_KERNEL || step == (uint32_t)GSPI_STEP_EXPAND) {
        status = gspi_run_kernel(r, a, step == (uint32_t)GSPI_STEP_EXPAND);
    } else if (step == (uint32_t)GSPI_STEP_ATTR) {
        status = gspi_run_attr(r, a);
    } else if (step == (uint32_t)GSPI_STEP_ENTER) {
        return gspi_run_enter(r, p->child[at], p->bind_at[at], p->ask_at[at]);
    } else if (step == (uint32_t)GSPI_STEP_RETURN) {
        GSPI_TRY(gspi_run_return(r));
        if (r->top == 0u) {
            return GSP_OK;
        }
        a = &r->active[r->top];
        r->call.graph = gsp_module_graph(r->m, a->graph);
    }
    if (status == GSP_OK && r->d->release != NULL) {
        gspi_run_bury(r, a);
    }
    a->node++;
    return status;
}

static gsp_status gspi_run_all(gspi_run *r, gsp_value *outputs)
{
    const gsp_frame *outside = &r->p->frames[r->m->counts.graphs];
    uint32_t j;
    GSPI_TRY(gspi_run_enter(r, r->p->graph.id, outside->in_at, outside->out_form));
    while (r->top > 0u) {
        GSPI_TRY(gspi_run_step(r));
    }
    for (j = 0u; j < outside->n_out; j++) {
        uint32_t const at = r->p->leaf[outside->out_at + j];
        outputs[j] = r->values[at];
        r->owned[at] = 0u;
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_run_graph(gsp_arena *arena, const gsp_frames *frames,
                                 const gsp_run_desc *desc, const gsp_value *inputs,
                                 gsp_value *outputs, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gsp_status status;
    gspi_run r;
    size_t high;
    uint32_t i;
    if (arena == NULL || frames == NULL || desc == NULL ||
        (inputs == NULL && frames->n_inputs != 0u) ||
        (outputs == NULL && frames->n_outputs != 0u)) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc->start_canary != 0u || desc->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (desc->kernel == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_room(arena, gsp_run_bound(frames), err));
    high = arena->high;
    gspi_run_layout(&b, &r, frames);
    r.p = frames;
    r.d = desc;
    r.err = err;
    r.m = frames->graph.module;
    r.top = 0u;
    r.call.frames = frames;
    r.call.child = GSP_NONE;
    gspi_run_about(&r, GSP_ASK_CALL, frames->graph.id, 0u);
    gspi_set(r.owned, 0, frames->n_slots, 1u);
    r.active[0].graph = r.m->counts.graphs;
    r.active[0].node = 0u;
    r.active[0].base = 0u;
    gspi_copy(r.values, inputs, frames->n_inputs, sizeof(gsp_value));
    status = gspi_run_all(&r, outputs);
    for (i = 0u; i < frames->n_slots && desc->release != NULL; i++) {
        gspi_run_drop(&r, i);
    }
    arena->high = high;
    return status == GSP_OK ? gspi_done(err) : status;
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>peak   Live bytes of a graph in its order                                     (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_MEMORY

/* The pieces are made ranges of one order, by a counting sort; the whole graph is one range of all
 * nodes. Each range is gone through once (see >>k.live). */

typedef struct gspi_peak_ws {
    gspi_live live;
    gsp_peak_piece *pieces;
    uint32_t *step_begin;
    gsp_node *nodes;
    uint64_t *bytes;
    uint32_t *tensor_begin;
    gsp_node *tensors;
    uint32_t *of;
    uint32_t *pos;
} gspi_peak_ws;

static void gspi_peak_layout(gspi_bump *b, gspi_peak_ws *ws, uint32_t n, uint32_t m,
                             uint32_t pieces)
{
    size_t const k = pieces == 0u ? 1u : pieces;
    ws->pieces = GSPI_LOW(b, gsp_peak_piece, k);
    ws->step_begin = GSPI_LOW(b, uint32_t, k + 1u);
    ws->nodes = GSPI_LOW(b, gsp_node, n);
    ws->bytes = GSPI_LOW(b, uint64_t, n);
    ws->tensor_begin = GSPI_LOW(b, uint32_t, k + 1u);
    ws->tensors = GSPI_LOW(b, gsp_node, pieces == 0u ? n : gspi_add(n, m));
    ws->of = GSPI_HIGH(b, uint32_t, n);
    ws->live.end = GSPI_HIGH(b, uint32_t, n);
    ws->pos = NULL;
    if (pieces != 0u) {
        ws->pos = GSPI_HIGH(b, uint32_t, n);
    }
}

GSP_API size_t gsp_peak_bound(const gsp_counts *counts, const gsp_peak_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_peak_ws ws;
    gspi_peak_layout(&b, &ws, counts->nodes, counts->edges, desc == NULL ? 0u : desc->n_pieces);
    return gspi_add(b.used, GSPI_SLACK);
}

static gsp_status gspi_peak_check(const gsp_peak_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (d->n_pieces != 0u && d->piece_of == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    return GSP_OK;
}

/* Steps of the whole graph: its nodes. */
static void gspi_peak_whole(gspi_peak_ws *ws, uint32_t n)
{
    uint32_t v;
    ws->step_begin[0] = 0u;
    ws->step_begin[1] = n;
    for (v = 0u; v < n; v++) {
        ws->nodes[v] = v;
    }
}

static gsp_status gspi_peak_sort(gspi_peak_ws *ws, const gsp_graph *g, const gsp_peak_desc *d,
                                 gsp_error *err)
{
    uint32_t *begin = ws->step_begin;
    gsp_node v;
    gspi_set(begin, 0, (size_t)d->n_pieces + 1u, sizeof(uint32_t));
    for (v = 0u; v < g->n_nodes; v++) {
        ws->pos[v] = GSP_NONE;
        if (gsp_node_is_callable(g, v)) {
            if (d->piece_of[v] >= d->n_pieces) {
                return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, v, GSP_NONE);
            }
            begin[d->piece_of[v]]++;
        }
    }
    gspi_counts_to_ends(begin, d->n_pieces);
    for (v = g->n_nodes; v > 0u; v--) {
        if (gsp_node_is_callable(g, v - 1u)) {
            uint32_t const at = --begin[d->piece_of[v - 1u]];
            ws->pos[v - 1u] = at;
            ws->nodes[at] = v - 1u;
        }
    }
    return GSP_OK;
}

/* Moves the storages that take bytes at a step to the front and counts them. */
static uint32_t gspi_peak_tensors(const gspi_live *l, uint32_t step, int skip_inputs)
{
    uint32_t n = 0u;
    uint32_t i;
    for (i = 0u; i < l->n_active; i++) {
        gsp_node const s = l->active[i];
        if (gspi_live_begin(l, s) <= step && l->end[s] >= step &&
            gsp_node_bytes(l->graph, s) != 0u && !(skip_inputs && !gspi_live_has(l, s))) {
            l->active[i] = l->active[n];
            l->active[n++] = s;
        }
    }
    return n;
}

static void gspi_peak_pieces(gspi_peak_ws *ws, const gsp_peak_desc *d, gsp_peak_result *result)
{
    gspi_live *l = &ws->live;
    uint32_t i;
    ws->tensor_begin[0] = 0u;
    result->worst = GSP_NONE;
    for (i = 0u; i < result->n_pieces; i++) {
        uint32_t const first = ws->step_begin[i];
        l->active = ws->tensors + ws->tensor_begin[i];
        gspi_live_run(l, first, ws->step_begin[i + 1u] - first);
        ws->pieces[i] = gspi_live_profile(l, d->scratch, d->skip_inputs != 0u, ws->bytes + first);
        ws->tensor_begin[i + 1u] =
            ws->tensor_begin[i] + gspi_peak_tensors(l, ws->pieces[i].step, d->skip_inputs != 0u);
        gspi_live_clear(l);
        if (i == 0u || ws->pieces[i].bytes > ws->pieces[result->worst].bytes) {
            result->worst = i;
        }
    }
}

GSP_API gsp_status gsp_peak_run(gsp_arena *arena, const gsp_graph *graph, const gsp_peak_desc *desc,
                                gsp_peak_result *result, gsp_error *err)
{
    gsp_peak_desc const none = {0u, 0u, NULL, NULL, 0u, 0u};
    const gsp_peak_desc *d = desc == NULL ? &none : desc;
    gspi_bump b = gspi_bump_over(arena);
    gspi_peak_ws ws;
    gsp_counts counts;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || graph == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_peak_check(d, err));
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_peak_bound(&counts, d), err));
    GSPI_TRY(gspi_live_sum(graph, d->scratch, err));
    mark = gsp_arena_mark(arena);
    gspi_peak_layout(&b, &ws, graph->n_nodes, counts.edges, d->n_pieces);
    status = gspi_storages(graph, ws.of, ws.live.end, err);
    if (status == GSP_OK && d->n_pieces != 0u) {
        status = gspi_peak_sort(&ws, graph, d, err);
    }
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    if (d->n_pieces == 0u) {
        gspi_peak_whole(&ws, graph->n_nodes);
    }
    gspi_live_start(&ws.live, graph, ws.of, ws.pos, ws.pos == NULL ? NULL : ws.nodes);
    result->n_pieces = d->n_pieces == 0u ? 1u : d->n_pieces;
    gspi_peak_pieces(&ws, d, result);
    arena->high = mark.high;
    result->pieces = ws.pieces;
    result->step_begin = ws.step_begin;
    result->nodes = ws.nodes;
    result->live = ws.bytes;
    result->tensor_begin = ws.tensor_begin;
    result->tensors = ws.tensors;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>offsets   Tensors in one arena                                                (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_MEMORY

/* The tensors that are placed stand in a row by their first step; a tree of 16 children a node
 * holds the latest last step below it. So all that are live together with a tensor are found by
 * going from one to the next, whatever lies between. */

#define GSPI_SKY 512u /* stretches of time in the coarse picture that max_work falls back on */

typedef struct gspi_offsets_ws {
    gspi_live live;
    gsp_tensor *tensors;
    uint32_t *tensor_of;
    uint32_t *of;
    uint32_t *begin; /* [n + 1] tensors that begin before a step */
    uint32_t *place; /* [t] place of a tensor in the row */
    uint32_t *row;   /* [t] tensors by first step */
    uint32_t *order; /* [t] tensors by falling size */
    uint32_t *found; /* [t] */
    uint64_t *key;   /* [t] for sorting: sizes, then offsets */
    uint32_t *tree;  /* last step + 1 of placed tensors by place, 0: not placed; then the maxima */
    uint64_t *sky;   /* [GSPI_SKY] greatest end of what is placed in a stretch of time */
    uint32_t level[10]; /* where the levels of the tree begin; the last is its end */
    uint32_t n_levels;
    uint32_t n_steps;
    uint32_t n;
} gspi_offsets_ws;

static uint32_t gspi_offsets_most(uint32_t n, const gsp_offsets_desc *d)
{
    return d != NULL && d->scratch != NULL ? gspi_count_mul(n, 2u) : n;
}

static void gspi_offsets_layout(gspi_bump *b, gspi_offsets_ws *ws, uint32_t n, uint32_t t)
{
    ws->tensors = GSPI_LOW(b, gsp_tensor, t);
    ws->tensor_of = GSPI_LOW(b, uint32_t, n);
    ws->of = GSPI_HIGH(b, uint32_t, n);
    ws->live.end = GSPI_HIGH(b, uint32_t, n);
    ws->live.active = GSPI_HIGH(b, uint32_t, n);
    ws->begin = GSPI_HIGH(b, uint32_t, (size_t)n + 1u);
    ws->place = GSPI_HIGH(b, uint32_t, t);
    ws->row = GSPI_HIGH(b, uint32_t, t);
    ws->order = GSPI_HIGH(b, uint32_t, t);
    ws->found = GSPI_HIGH(b, uint32_t, t);
    ws->key = GSPI_HIGH(b, uint64_t, t);
    ws->tree = GSPI_HIGH(b, uint32_t, gspi_add(gspi_add(t, t / 8u), 16u));
    ws->sky = GSPI_HIGH(b, uint64_t, GSPI_SKY);
    b->used = t == UINT32_MAX ? SIZE_MAX : b->used;
}

GSP_API size_t gsp_offsets_bound(const gsp_counts *counts, const gsp_offsets_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_offsets_ws ws;
    gspi_offsets_layout(&b, &ws, counts->nodes, gspi_offsets_most(counts->nodes, desc));
    return gspi_add(b.used, GSPI_SLACK);
}

/* ---- which tensors there are ---- */

/* What is left of an aggregate without the elements that are tensors of their own. */
static uint64_t gspi_offsets_bytes(const gspi_live *l, gsp_node v)
{
    uint64_t bytes = gsp_node_bytes(l->graph, v);
    uint32_t count;
    const gsp_node *users = gsp_node_users(l->graph, v, &count);
    uint32_t i;
    for (i = 0u; i < count && gsp_node_out(l->graph, v) == GSP_OUT_AGGREGATE; i++) {
        gsp_node const u = users[i];
        if (l->end[u] != GSP_NONE && gspi_element_of(l->graph, l->of, u) == v) {
            bytes -= gsp_node_bytes(l->graph, u);
        }
    }
    return bytes;
}

static void gspi_offsets_add(gspi_offsets_ws *ws, gsp_node v, uint64_t bytes, uint32_t begin,
                             uint32_t end, uint32_t scratch)
{
    gsp_tensor *t = &ws->tensors[ws->n++];
    t->offset = 0u;
    t->bytes = bytes;
    t->node = v;
    t->begin = begin;
    t->end = end;
    t->scratch = scratch;
}

static void gspi_offsets_collect(gspi_offsets_ws *ws, const gsp_offsets_desc *d)
{
    const gspi_live *l = &ws->live;
    const gsp_graph *g = l->graph;
    gsp_node v;
    ws->n = 0u;
    for (v = 0u; v < g->n_nodes; v++) {
        int const given = gsp_node_op(g, v) == GSP_OP_PLACEHOLDER;
        ws->tensor_of[v] = GSP_NONE;
        if (l->end[v] != GSP_NONE && !(given && d->skip_inputs)) {
            gsp_node const whole = gspi_element_of(g, l->of, v);
            gsp_node const from = whole == GSP_NONE ? v : whole;
            uint64_t const bytes = gspi_offsets_bytes(l, v);
            uint32_t const last = l->end[v] > l->end[from] ? l->end[v] : l->end[from];
            if (bytes > 0u) {
                ws->tensor_of[v] = ws->n;
                gspi_offsets_add(ws, v, bytes, given ? 0u : from, last, 0u);
            }
        }
        if (d->scratch != NULL && d->scratch[v] > 0u) {
            gspi_offsets_add(ws, v, d->scratch[v], v, v, 1u);
        }
    }
    for (v = 0u; v < g->n_nodes; v++) {
        if (l->of[v] != GSP_NONE) {
            ws->tensor_of[v] = ws->tensor_of[l->of[v]];
        }
    }
}

/* Most bytes that are live at once. */
static uint64_t gspi_offsets_peak(gspi_offsets_ws *ws)
{
    uint64_t *bytes = ws->key;
    uint64_t sum = 0u;
    uint64_t peak = 0u;
    uint32_t i;
    gspi_set(bytes, 0, ws->n_steps, sizeof(uint64_t));
    for (i = 0u; i < ws->n; i++) {
        bytes[ws->tensors[i].begin] += ws->tensors[i].bytes;
        if (ws->tensors[i].end + 1u < ws->n_steps) {
            bytes[ws->tensors[i].end + 1u] -= ws->tensors[i].bytes;
        }
    }
    for (i = 0u; i < ws->n_steps; i++) {
        sum += bytes[i];
        peak = sum > peak ? sum : peak;
    }
    return peak;
}

/* ---- the row and its tree ---- */

static void gspi_offsets_sort(gspi_offsets_ws *ws)
{
    uint32_t size = ws->n;
    uint32_t i;
    gspi_set(ws->begin, 0, (size_t)ws->n_steps + 1u, sizeof(uint32_t));
    for (i = 0u; i < ws->n; i++) {
        ws->begin[ws->tensors[i].begin]++;
        ws->order[i] = i;
        ws->key[i] = UINT64_MAX - ws->tensors[i].bytes;
    }
    gspi_counts_to_ends(ws->begin, ws->n_steps);
    for (i = ws->n; i > 0u; i--) {
        uint32_t const at = --ws->begin[ws->tensors[i - 1u].begin];
        ws->row[at] = i - 1u;
        ws->place[i - 1u] = at;
    }
    gspi_sort(ws->order, ws->n, ws->key);
    ws->level[0] = 0u;
    for (i = 0u; i == 0u || size > 1u; i++) {
        size = i == 0u ? size : size / 16u + (size % 16u != 0u ? 1u : 0u);
        ws->level[i + 1u] = ws->level[i] + size;
    }
    ws->n_levels = i;
    gspi_set(ws->tree, 0, ws->level[i], sizeof(uint32_t));
}

static void gspi_offsets_put(gspi_offsets_ws *ws, uint32_t tensor)
{
    uint32_t const end = ws->tensors[tensor].end + 1u;
    uint32_t at = ws->place[tensor];
    uint32_t i;
    for (i = 0u; i < ws->n_levels; i++, at /= 16u) {
        uint32_t *latest = &ws->tree[ws->level[i] + at];
        *latest = end > *latest ? end : *latest;
    }
}

/* The first place from `at` on of a placed tensor that is live at `step` or later. */
static uint32_t gspi_offsets_next(const gspi_offsets_ws *ws, uint32_t at, uint32_t step)
{
    uint32_t i = 0u;
    while (at < ws->level[i + 1u] - ws->level[i]) {
        const uint32_t *latest = ws->tree + ws->level[i];
        uint32_t const size = ws->level[i + 1u] - ws->level[i];
        uint32_t const stop = size - at > 15u - at % 16u ? (at | 15u) + 1u : size;
        while (at < stop && latest[at] <= step) {
            at++;
        }
        if (at < stop) {
            if (i == 0u) {
                return at;
            }
            i--;
            at *= 16u;
        } else {
            if (i + 1u == ws->n_levels) {
                return GSP_NONE;
            }
            i++;
            at = at / 16u + (at % 16u != 0u ? 1u : 0u);
        }
    }
    return GSP_NONE;
}

/* ---- placing ---- */

/* Lists the placed tensors that are live at some step together with `t`. */
static uint32_t gspi_offsets_neighbours(gspi_offsets_ws *ws, const gsp_tensor *t)
{
    uint32_t const stop = t->end + 1u < ws->n_steps ? ws->begin[t->end + 1u] : ws->n;
    uint32_t n = 0u;
    uint32_t at = gspi_offsets_next(ws, 0u, t->begin);
    while (at < stop) {
        ws->found[n++] = ws->row[at];
        at = gspi_offsets_next(ws, at + 1u, t->begin);
    }
    return n;
}

static uint64_t gspi_offsets_round(uint64_t offset, uint32_t align)
{
    return (offset + align - 1u) & ~((uint64_t)align - 1u);
}

/* The first gap that takes `t`; found[0 .. n) are its neighbours. */
static uint64_t gspi_offsets_gap(gspi_offsets_ws *ws, const gsp_tensor *t, uint32_t n,
                                 uint32_t align)
{
    uint64_t offset = 0u;
    uint32_t i;
    gspi_sort(ws->found, n, ws->key);
    for (i = 0u; i < n; i++) {
        const gsp_tensor *o = &ws->tensors[ws->found[i]];
        if (o->offset >= offset && o->offset - offset >= t->bytes) {
            break;
        }
        if (o->offset + o->bytes > offset) {
            offset = gspi_offsets_round(o->offset + o->bytes, align);
        }
    }
    return offset;
}

static uint32_t gspi_offsets_stretch(const gspi_offsets_ws *ws, uint32_t step)
{
    return (uint32_t)((uint64_t)step * GSPI_SKY / ws->n_steps);
}

static void gspi_offsets_raise(gspi_offsets_ws *ws, const gsp_tensor *t)
{
    uint32_t const last = gspi_offsets_stretch(ws, t->end);
    uint64_t const top = t->offset + t->bytes;
    uint32_t i;
    for (i = gspi_offsets_stretch(ws, t->begin); i <= last; i++) {
        ws->sky[i] = top > ws->sky[i] ? top : ws->sky[i];
    }
}

/* Above all that is placed in the stretches of time of `t`. */
static uint64_t gspi_offsets_above(const gspi_offsets_ws *ws, const gsp_tensor *t)
{
    uint32_t const last = gspi_offsets_stretch(ws, t->end);
    uint64_t top = 0u;
    uint32_t i;
    for (i = gspi_offsets_stretch(ws, t->begin); i <= last; i++) {
        top = ws->sky[i] > top ? ws->sky[i] : top;
    }
    return top;
}

/* By falling size into the first gap; from the moment on that max_work is used up, on top. */
static void gspi_offsets_place(gspi_offsets_ws *ws, uint32_t align, uint64_t max_work,
                               gsp_offsets_result *result)
{
    uint32_t i;
    uint32_t k;
    for (i = 0u; i < ws->n; i++) {
        gsp_tensor *t = &ws->tensors[ws->order[i]];
        if (result->work < max_work) {
            uint32_t const n = gspi_offsets_neighbours(ws, t);
            result->work += n;
            t->offset = gspi_offsets_gap(ws, t, n, align);
            ws->key[ws->order[i]] = t->offset;
            gspi_offsets_put(ws, ws->order[i]);
        } else {
            if (result->n_stacked++ == 0u) {
                gspi_set(ws->sky, 0, GSPI_SKY, sizeof(uint64_t));
                for (k = 0u; k < i; k++) {
                    gspi_offsets_raise(ws, &ws->tensors[ws->order[k]]);
                }
            }
            t->offset = gspi_offsets_round(gspi_offsets_above(ws, t), align);
            gspi_offsets_raise(ws, t);
        }
        if (t->offset + t->bytes > result->arena) {
            result->arena = t->offset + t->bytes;
        }
    }
}

/* Rounding up must not leave 64 bits either. */
static gsp_status gspi_offsets_check(const gsp_graph *g, const gsp_offsets_desc *d, uint32_t align,
                                     gsp_error *err)
{
    uint64_t const rounding = (uint64_t)align * gspi_offsets_most(g->n_nodes, d);
    uint64_t sum = 0u;
    gsp_node v;
    GSPI_TRY(gspi_live_sum(g, d->scratch, err));
    for (v = 0u; v < g->n_nodes; v++) {
        sum += gsp_node_bytes(g, v) + (d->scratch == NULL ? 0u : d->scratch[v]);
        if (sum > UINT64_MAX - rounding) {
            return gspi_fail_at(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_offsets_work(gsp_arena *arena, const gsp_graph *g,
                                            const gsp_offsets_desc *d, uint32_t align,
                                            gsp_offsets_result *result, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_offsets_ws ws;
    ws.n_steps = g->n_nodes;
    gspi_offsets_layout(&b, &ws, g->n_nodes, gspi_offsets_most(g->n_nodes, d));
    GSPI_TRY(gspi_storages(g, ws.of, ws.live.end, err));
    gspi_live_start(&ws.live, g, ws.of, NULL, NULL);
    gspi_live_run(&ws.live, 0u, g->n_nodes);
    gspi_offsets_collect(&ws, d);
    result->arena = 0u;
    result->work = 0u;
    result->n_stacked = 0u;
    result->peak = gspi_offsets_peak(&ws);
    gspi_offsets_sort(&ws);
    gspi_offsets_place(&ws, align, d->max_work == 0u ? (uint64_t)1u << 26 : d->max_work, result);
    result->n_tensors = ws.n;
    result->tensors = ws.tensors;
    result->tensor_of = ws.tensor_of;
    return GSP_OK;
}

GSP_API gsp_status gsp_offsets_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_offsets_desc *desc, gsp_offsets_result *result,
                                   gsp_error *err)
{
    gsp_offsets_desc const none = {0u, 0u, 0u, NULL, 0u, 0u};
    const gsp_offsets_desc *d = desc == NULL ? &none : desc;
    uint32_t const align = d->align == 0u ? GSP_ALIGN : d->align;
    gsp_counts counts;
    gsp_mark mark;
    if (arena == NULL || graph == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if ((align & (align - 1u)) != 0u) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NUMBER);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_offsets_bound(&counts, d), err));
    GSPI_TRY(gspi_offsets_check(graph, d, align, err));
    mark = gsp_arena_mark(arena);
    if (gspi_offsets_work(arena, graph, d, align, result, err) != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return GSP_STATUS_ARG;
    }
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>budget   Fewest pieces under a byte budget                                    (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_MEMORY

/* Places in the order where a cut may be are numbered. The longest pieces from the front give the
 * latest place of every cut, the longest from the back the earliest; these windows do not overlap,
 * or a piece could be saved. Between two windows, the later a piece ends the later it must begin,
 * so the least boundary up to a cut is a minimum over the end of the window before. */

typedef struct gspi_budget_ws {
    gspi_live live;
    const gsp_budget_desc *desc;
    gsp_peak_piece *pieces;
    uint32_t *piece_of;
    uint32_t *begin;
    gsp_node *order;
    uint32_t *of;
    uint32_t *pos;
    uint64_t *bytes;    /* [n] of a piece that is tried */
    uint64_t *boundary; /* [n + 1] bytes handed over at a place of the order; sort key before */
    uint64_t *best;     /* [n + 1] least boundary up to a cut */
    uint32_t *from;     /* [n + 1] the cut before it then */
    uint32_t *least;    /* [n + 1] of the cuts from here to the end of the window, the best */
    uint32_t *cuts;     /* [n + 1] places in the order */
    uint32_t *latest;   /* [n + 1] cut at the end of a piece, when pieces are long at the front */
    uint32_t *earliest; /* [n + 1] when they are long at the back; then the cuts of the result */
    uint64_t work;
    uint32_t n; /* callable nodes */
    uint32_t n_cuts;
    uint32_t n_pieces;
} gspi_budget_ws;

static void gspi_budget_layout(gspi_bump *b, gspi_budget_ws *ws, uint32_t n)
{
    size_t const n1 = (size_t)n + 1u;
    ws->pieces = GSPI_LOW(b, gsp_peak_piece, n);
    ws->piece_of = GSPI_LOW(b, uint32_t, n);
    ws->begin = GSPI_LOW(b, uint32_t, n1);
    ws->order = GSPI_LOW(b, gsp_node, n);
    ws->of = GSPI_HIGH(b, uint32_t, n);
    ws->pos = GSPI_HIGH(b, uint32_t, n);
    ws->live.end = GSPI_HIGH(b, uint32_t, n);
    ws->live.active = GSPI_HIGH(b, uint32_t, n);
    ws->bytes = GSPI_HIGH(b, uint64_t, n);
    ws->boundary = GSPI_HIGH(b, uint64_t, n1);
    ws->best = GSPI_HIGH(b, uint64_t, n1);
    ws->from = GSPI_HIGH(b, uint32_t, n1);
    ws->least = GSPI_HIGH(b, uint32_t, n1);
    ws->cuts = GSPI_HIGH(b, uint32_t, n1);
    ws->latest = GSPI_HIGH(b, uint32_t, n1);
    ws->earliest = GSPI_HIGH(b, uint32_t, n1);
}

GSP_API size_t gsp_budget_bound(const gsp_counts *counts, const gsp_budget_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_budget_ws ws;
    (void)desc;
    gspi_budget_layout(&b, &ws, counts->nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

/* ---- the order, and where it may be cut ---- */

static void gspi_budget_put(gspi_budget_ws *ws, gsp_node v)
{
    ws->pos[v] = ws->n;
    ws->order[ws->n++] = v;
}

/* Callable nodes in graph order, what takes an element of an aggregate behind the aggregate. */
static void gspi_budget_order(gspi_budget_ws *ws, const gsp_graph *g)
{
    gsp_node v;
    gspi_set(ws->pos, 0xFF, g->n_nodes, sizeof(uint32_t));
    ws->n = 0u;
    for (v = 0u; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) && ws->pos[v] == GSP_NONE) {
            uint32_t count;
            const gsp_node *users = gsp_node_users(g, v, &count);
            uint32_t i;
            gspi_budget_put(ws, v);
            for (i = 0u; i < count && gsp_node_out(g, v) == GSP_OUT_AGGREGATE; i++) {
                if (gspi_taken_from(g, ws->of, users[i]) == v) {
                    gspi_budget_put(ws, users[i]);
                }
            }
        }
    }
}

/* Counts, at every place, the groups that are open there; scratch: from, boundary. */
static void gspi_budget_groups(gspi_budget_ws *ws, const gsp_graph *g, uint32_t *open)
{
    uint32_t *members = ws->from;
    uint64_t *key = ws->boundary;
    uint32_t n = 0u;
    uint32_t i;
    uint32_t k;
    for (i = 0u; i < ws->n; i++) {
        gsp_string const group = gspi_attr(g, ws->order[i], GSP_KEY_GROUP);
        if (group != GSP_NONE) {
            key[i] = ((uint64_t)group << 32) | i;
            members[n++] = i;
        }
    }
    gspi_sort(members, n, key);
    for (i = 0u; i < n; i = k) {
        for (k = i + 1u; k < n && key[members[k]] >> 32 == key[members[i]] >> 32; k++) {
        }
        open[members[i] + 1u]++;
        open[members[k - 1u] + 1u]--;
    }
}

/* The places where a cut may be, both ends among them. */
static void gspi_budget_cuts(gspi_budget_ws *ws, const gsp_graph *g)
{
    uint32_t *open = ws->least;
    uint32_t depth = 0u;
    uint32_t i;
    gspi_set(open, 0, (size_t)ws->n + 1u, sizeof(uint32_t));
    if (!ws->desc->ignore_groups) {
        gspi_budget_groups(ws, g, open);
    }
    ws->n_cuts = 0u;
    for (i = 0u; i < ws->n; i++) {
        depth += open[i];
        if (depth == 0u && gspi_taken_from(g, ws->of, ws->order[i]) == GSP_NONE) {
            ws->cuts[ws->n_cuts++] = i;
        }
    }
    ws->cuts[ws->n_cuts++] = ws->n;
}

/* Bytes that a cut at each place hands over. */
static void gspi_budget_boundaries(gspi_budget_ws *ws, const gsp_graph *g)
{
    uint64_t sum = 0u;
    uint32_t i;
    gspi_set(ws->boundary, 0, (size_t)ws->n + 1u, sizeof(uint64_t));
    for (i = 0u; i < ws->n; i++) {
        uint32_t count;
        const gsp_node *users = gsp_node_users(g, ws->order[i], &count);
        uint32_t last = i;
        uint32_t k;
        for (k = 0u; k < count; k++) {
            uint32_t const at = ws->pos[users[k]];
            last = at != GSP_NONE && at > last ? at : last;
        }
        ws->boundary[i + 1u] += gsp_node_bytes(g, ws->order[i]);
        if (last < ws->n) {
            ws->boundary[last + 1u] -= gsp_node_bytes(g, ws->order[i]);
        }
    }
    for (i = 0u; i <= ws->n; i++) {
        sum += ws->boundary[i];
        ws->boundary[i] = sum;
    }
}

/* ---- pieces ---- */

/* The peak of the piece between two cuts. */
static gsp_peak_piece gspi_budget_peak(gspi_budget_ws *ws, uint32_t a, uint32_t b)
{
    gsp_peak_piece peak;
    gspi_live_run(&ws->live, ws->cuts[a], ws->cuts[b] - ws->cuts[a]);
    peak = gspi_live_profile(&ws->live, ws->desc->scratch, 0, ws->bytes);
    gspi_live_clear(&ws->live);
    ws->work += ws->live.size;
    return peak;
}

static int gspi_budget_fits(gspi_budget_ws *ws, uint32_t a, uint32_t b)
{
    return gspi_budget_peak(ws, a < b ? a : b, a < b ? b : a).bytes <= ws->desc->budget;
}

/* A piece with one end fixed and the other at `from` fits: how near to `to` can the other come?
 * Ever longer steps, then bisection. */
static uint32_t gspi_budget_reach(gspi_budget_ws *ws, uint32_t fixed, uint32_t from, uint32_t to)
{
    int const up = to > from;
    uint32_t const most = up ? to - from : from - to;
    uint32_t good = 0u; /* distances from `from` */
    uint32_t bad = 1u;
    while (bad <= most && gspi_budget_fits(ws, fixed, up ? from + bad : from - bad)) {
        good = bad;
        bad = bad == most ? most + 1u : most - bad < bad ? most : 2u * bad;
    }
    while (bad <= most && bad - good > 1u) {
        uint32_t const middle = good + (bad - good) / 2u;
        if (gspi_budget_fits(ws, fixed, up ? from + middle : from - middle)) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    return up ? from + good : from - good;
}

/* The longest pieces from the front, then from the back. */
static gsp_status gspi_budget_windows(gspi_budget_ws *ws, gsp_error *err)
{
    uint32_t const end = ws->n_cuts - 1u;
    uint32_t k;
    ws->n_pieces = 0u;
    ws->latest[0] = 0u;
    while (ws->latest[ws->n_pieces] < end) {
        uint32_t const at = ws->latest[ws->n_pieces];
        uint32_t const stop = gspi_budget_reach(ws, at, at, end);
        if (stop == at) {
            gsp_peak_piece const peak = gspi_budget_peak(ws, at, at + 1u);
            (void)gspi_fail_amount(err, GSP_STATUS_NO_FIT, GSP_DETAIL_BUDGET, peak.bytes,
                                   ws->desc->budget);
            if (err != NULL) {
                err->node = peak.node;
            }
            return GSP_STATUS_NO_FIT;
        }
        ws->latest[++ws->n_pieces] = stop;
    }
    ws->earliest[ws->n_pieces] = end;
    for (k = ws->n_pieces; k > 0u; k--) {
        ws->earliest[k - 1u] = gspi_budget_reach(ws, ws->earliest[k], ws->earliest[k], 0u);
    }
    return GSP_OK;
}

/* ---- the least boundary ---- */

static uint64_t gspi_budget_sum(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static void gspi_budget_least(gspi_budget_ws *ws, uint32_t low, uint32_t high)
{
    uint32_t i;
    ws->least[high] = high;
    for (i = high; i > low; i--) {
        uint32_t const next = ws->least[i];
        ws->least[i - 1u] = ws->best[i - 1u] <= ws->best[next] ? i - 1u : next;
    }
}

/* From the window of cut k to the next. */
static void gspi_budget_advance(gspi_budget_ws *ws, uint32_t k)
{
    uint32_t const stop = ws->latest[k + 1u];
    uint32_t first = ws->earliest[k];
    uint32_t c = ws->earliest[k + 1u];
    while (c <= stop) {
        uint32_t reach;
        first = gspi_budget_reach(ws, c, ws->latest[k], first);
        reach = gspi_budget_reach(ws, first, c, stop);
        for (; c <= reach; c++) {
            ws->from[c] = ws->least[first];
            ws->best[c] = gspi_budget_sum(ws->best[ws->from[c]], ws->boundary[ws->cuts[c]]);
        }
    }
}

/* Puts the cuts of the result into `earliest`; 0: max_work ended before it was found. */
static int gspi_budget_choose(gspi_budget_ws *ws)
{
    uint64_t const most = ws->desc->max_work == 0u ? (uint64_t)1u << 26 : ws->desc->max_work;
    uint32_t const last = ws->n_pieces - 1u;
    uint32_t k;
    uint32_t c;
    ws->work = 0u;
    for (c = ws->earliest[1]; c <= ws->latest[1]; c++) {
        ws->best[c] = ws->boundary[ws->cuts[c]];
    }
    gspi_budget_least(ws, ws->earliest[1], ws->latest[1]);
    for (k = 1u; k < last; k++) {
        if (ws->work >= most) {
            gspi_copy(ws->earliest, ws->latest, (size_t)ws->n_pieces + 1u, sizeof(uint32_t));
            return 0;
        }
        gspi_budget_advance(ws, k);
        gspi_budget_least(ws, ws->earliest[k + 1u], ws->latest[k + 1u]);
    }
    c = ws->least[ws->earliest[last]];
    for (k = last; k > 0u; k--) {
        ws->earliest[k] = c;
        c = k > 1u ? ws->from[c] : c;
    }
    ws->earliest[0] = 0u;
    return 1;
}

static uint64_t gspi_budget_total(const gspi_budget_ws *ws, const uint32_t *ends)
{
    uint64_t sum = 0u;
    uint32_t k;
    for (k = 1u; k < ws->n_pieces; k++) {
        sum = gspi_budget_sum(sum, ws->boundary[ws->cuts[ends[k]]]);
    }
    return sum;
}

static void gspi_budget_commit(gspi_budget_ws *ws, gsp_budget_result *result)
{
    uint32_t k;
    uint32_t i;
    ws->begin[0] = 0u;
    for (k = 0u; k < ws->n_pieces; k++) {
        ws->pieces[k] = gspi_budget_peak(ws, ws->earliest[k], ws->earliest[k + 1u]);
        ws->begin[k + 1u] = ws->cuts[ws->earliest[k + 1u]];
        for (i = ws->begin[k]; i < ws->begin[k + 1u]; i++) {
            ws->piece_of[ws->order[i]] = k;
        }
    }
    result->n_pieces = ws->n_pieces;
    result->boundary = gspi_budget_total(ws, ws->earliest);
    result->greedy_boundary = gspi_budget_total(ws, ws->latest);
    result->pieces = ws->pieces;
    result->piece_of = ws->piece_of;
    result->begin = ws->begin;
    result->nodes = ws->order;
}

static gsp_status gspi_budget_work(gspi_budget_ws *ws, const gsp_graph *g,
                                   gsp_budget_result *result, gsp_error *err)
{
    int proved = 1;
    GSPI_TRY(gspi_storages(g, ws->of, ws->live.end, err));
    gspi_budget_order(ws, g);
    gspi_live_start(&ws->live, g, ws->of, ws->pos, ws->order);
    gspi_budget_cuts(ws, g);
    gspi_budget_boundaries(ws, g);
    GSPI_TRY(gspi_budget_windows(ws, err));
    if (ws->n_pieces > 1u) {
        proved = gspi_budget_choose(ws);
    }
    gspi_set(ws->piece_of, 0xFF, g->n_nodes, sizeof(uint32_t));
    gspi_budget_commit(ws, result);
    result->proved = (uint32_t)proved;
    return GSP_OK;
}

GSP_API gsp_status gsp_budget_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_budget_desc *desc, gsp_budget_result *result,
                                  gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_budget_ws ws;
    gsp_counts counts;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc->start_canary != 0u || desc->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_budget_bound(&counts, desc), err));
    GSPI_TRY(gspi_live_sum(graph, desc->scratch, err));
    mark = gsp_arena_mark(arena);
    gspi_budget_layout(&b, &ws, graph->n_nodes);
    ws.desc = desc;
    ws.work = 0u;
    status = gspi_budget_work(&ws, graph, result, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>plan   Assignments saved by name                                              (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PLAN

/* Names to the place where they stand in an array of structs that begin with them. */
typedef struct gspi_plan_table {
    const void *names;
    size_t stride;
    uint32_t *slots; /* [mask + 1] places, GSP_NONE: free */
    uint32_t mask;
} gspi_plan_table;

static gsp_text gspi_plan_name(const gspi_plan_table *t, uint32_t at)
{
    gsp_text name;
    GSP_MEMCPY(&name, (const unsigned char *)t->names + (size_t)at * t->stride, sizeof(name));
    return name;
}

static void gspi_plan_table_start(gspi_plan_table *t, const void *names, size_t stride)
{
    t->names = names;
    t->stride = stride;
    gspi_set(t->slots, 0xFF, (size_t)t->mask + 1u, sizeof(uint32_t));
}

/* The slot where a name stands, or a free one. */
static uint32_t gspi_plan_slot(const gspi_plan_table *t, gsp_text name)
{
    uint32_t slot = gspi_hash(name.data, name.size, 0u) & t->mask;
    while (t->slots[slot] != GSP_NONE && !gsp_text_equal(gspi_plan_name(t, t->slots[slot]), name)) {
        slot = (slot + 1u) & t->mask;
    }
    return slot;
}

static void gspi_plan_table_layout(gspi_bump *b, gspi_plan_table *t, uint32_t n)
{
    uint32_t const slots = gspi_pow2(gspi_count_mul(n, 2u));
    t->slots = GSPI_HIGH(b, uint32_t, slots);
    t->mask = slots - 1u;
    b->used = slots == 0u ? SIZE_MAX : b->used;
}

/* ---- reading ---- */

typedef struct gspi_plan_reader {
    gsp_text text;
    size_t at;     /* of the next line */
    size_t start;  /* of this line */
    size_t number; /* of this line, from 1 */
    gsp_text line; /* without blanks around it; a comment may stand at its end */
    gspi_plan_table table;
    gsp_text *names;
    gsp_text *notes;
    gsp_plan_line *lines;
    uint32_t n_pieces;
    uint32_t n_lines;
    uint32_t piece; /* that lines belong to */
} gspi_plan_reader;

static void gspi_plan_start(gspi_plan_reader *r, gsp_text text)
{
    r->text = text;
    r->at = 0u;
    r->start = 0u;
    r->number = 0u;
    r->n_pieces = 0u;
    r->n_lines = 0u;
    r->piece = GSP_NONE;
}

/* The next line that says something; 0: there is none. */
static int gspi_plan_next(gspi_plan_reader *r)
{
    while (r->at < r->text.size) {
        size_t end = r->at;
        while (end < r->text.size && r->text.data[end] != '\n') {
            end++;
        }
        r->start = r->at;
        r->at = end + 1u;
        r->number++;
        end -= end > r->start && r->text.data[end - 1u] == '\r' ? 1u : 0u;
        r->line = gspi_trim(gspi_slice(r->text.data, r->start, end));
        if (r->line.size > 0u && r->line.data[0] != '#') {
            return 1;
        }
    }
    return 0;
}

/* Without a comment and the blanks before it. */
static gsp_text gspi_plan_bare(gsp_text line)
{
    uint32_t i;
    for (i = 0u; i < line.size && line.data[i] != '#'; i++) {
    }
    return gspi_trim(gspi_slice(line.data, 0u, i));
}

/* How many pieces and lines a text can hold. */
static void gspi_plan_count(gsp_text text, uint32_t *pieces, uint32_t *lines)
{
    gspi_plan_reader r;
    gspi_plan_start(&r, text);
    while (gspi_plan_next(&r)) {
        r.n_pieces += r.line.data[0] == '[' ? 1u : 0u;
        r.n_lines += r.line.data[0] == '[' ? 0u : 1u;
    }
    *pieces = r.n_pieces;
    *lines = r.n_lines;
}

static void gspi_plan_layout(gspi_bump *b, gspi_plan_reader *r, uint32_t pieces, uint32_t lines)
{
    r->names = GSPI_LOW(b, gsp_text, pieces);
    r->notes = GSPI_LOW(b, gsp_text, pieces);
    r->lines = GSPI_LOW(b, gsp_plan_line, lines);
    gspi_plan_table_layout(b, &r->table, pieces);
}

GSP_API size_t gsp_plan_bound(gsp_text text)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_plan_reader r;
    uint32_t pieces;
    uint32_t lines;
    gspi_plan_count(text, &pieces, &lines);
    gspi_plan_layout(&b, &r, pieces, lines);
    return gspi_add(b.used, GSPI_SLACK);
}

/* An offence at a byte of this line; NULL: at its start. */
static gsp_status gspi_plan_fail(const gspi_plan_reader *r, const char *where, gsp_detail detail,
                                 gsp_error *err)
{
    (void)gspi_fail(err, GSP_STATUS_PARSE, detail);
    if (err != NULL) {
        err->line = r->number;
        err->column = where == NULL ? 1u : (size_t)(where - (r->text.data + r->start)) + 1u;
    }
    return GSP_STATUS_PARSE;
}

/* The first byte of a text that is a control byte or `end`; its size: there is none. */
static uint32_t gspi_plan_plain(gsp_text t, char end)
{
    uint32_t i;
    for (i = 0u; i < t.size; i++) {
        if ((unsigned char)t.data[i] < 0x20u || t.data[i] == 0x7F || t.data[i] == end) {
            break;
        }
    }
    return i;
}

/* `[NAME] note` */
static gsp_status gspi_plan_piece(gspi_plan_reader *r, gsp_error *err)
{
    gsp_text const inside = gspi_slice(r->line.data, 1u, r->line.size);
    uint32_t const end = gspi_plan_plain(inside, ']');
    gsp_text const name = gspi_trim(gspi_slice(inside.data, 0u, end));
    gsp_text note;
    uint32_t slot;
    if (end == inside.size || inside.data[end] != ']' || name.size == 0u) {
        return gspi_plan_fail(r, inside.data + end, GSP_DETAIL_PLAN_PIECE, err);
    }
    note = gspi_plan_bare(gspi_slice(inside.data, end + 1u, inside.size));
    if (gspi_plan_plain(note, '#') != note.size) {
        return gspi_plan_fail(r, note.data + gspi_plan_plain(note, '#'), GSP_DETAIL_PLAN_PIECE,
                              err);
    }
    slot = gspi_plan_slot(&r->table, name);
    r->piece = r->table.slots[slot];
    if (r->piece == GSP_NONE) {
        r->piece = r->n_pieces++;
        r->table.slots[slot] = r->piece;
        r->names[r->piece] = name;
        r->notes[r->piece] = note;
    }
    return GSP_OK;
}

static int gspi_plan_is_wild(char c)
{
    return c == '*' || c == '?';
}

/* A name or a pattern. */
static gsp_status gspi_plan_node(gspi_plan_reader *r, gsp_error *err)
{
    gsp_text t = gspi_plan_bare(r->line);
    gsp_plan_line *line = &r->lines[r->n_lines];
    uint32_t i;
    if (r->piece == GSP_NONE) {
        return gspi_plan_fail(r, t.data, GSP_DETAIL_PLAN_PIECE, err);
    }
    if (t.data[0] == '%') {
        t = gspi_slice(t.data, 1u, t.size);
    }
    line->is_pattern = 0u;
    for (i = 0u; i < t.size; i++) {
        if (!gspi_is_name(t.data[i]) && !gspi_plan_is_wild(t.data[i])) {
            break;
        }
        line->is_pattern |= gspi_plan_is_wild(t.data[i]) ? 1u : 0u;
    }
    if (i < t.size || i == 0u) {
        return gspi_plan_fail(r, t.data + i, GSP_DETAIL_PLAN_LINE, err);
    }
    line->pattern = t;
    line->piece = r->piece;
    line->line = r->number;
    r->n_lines++;
    return GSP_OK;
}

static gsp_status gspi_plan_parse(gspi_plan_reader *r, gsp_error *err)
{
    if (!gspi_plan_next(r)) {
        r->number++;
        return gspi_plan_fail(r, NULL, GSP_DETAIL_PLAN_HEAD, err);
    }
    if (!gsp_text_equal(gspi_plan_bare(r->line), gsp_text_of("plan 1"))) {
        return gspi_plan_fail(r, r->line.data, GSP_DETAIL_PLAN_HEAD, err);
    }
    while (gspi_plan_next(r)) {
        GSPI_TRY(r->line.data[0] == '[' ? gspi_plan_piece(r, err) : gspi_plan_node(r, err));
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_plan_read(gsp_arena *arena, gsp_text text, gsp_plan *plan, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_plan_reader r;
    uint32_t pieces;
    uint32_t lines;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || plan == NULL || (text.data == NULL && text.size > 0u)) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_room(arena, gsp_plan_bound(text), err));
    mark = gsp_arena_mark(arena);
    gspi_plan_start(&r, text);
    gspi_plan_count(text, &pieces, &lines);
    gspi_plan_layout(&b, &r, pieces, lines);
    gspi_plan_table_start(&r.table, r.names, sizeof(gsp_text));
    status = gspi_plan_parse(&r, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    arena->high = mark.high;
    plan->n_pieces = r.n_pieces;
    plan->n_lines = r.n_lines;
    plan->names = r.names;
    plan->notes = r.notes;
    plan->lines = r.lines;
    return gspi_done(err);
}

/* ---- writing ---- */

typedef struct gspi_plan_writer {
    gspi_plan_table table;
    uint32_t *begin; /* [n_pieces + 1] into nodes */
    gsp_node *nodes; /* [n] by piece */
} gspi_plan_writer;

static void gspi_plan_write_layout(gspi_bump *b, gspi_plan_writer *w, uint32_t n, uint32_t pieces)
{
    w->begin = GSPI_HIGH(b, uint32_t, (size_t)pieces + 1u);
    w->nodes = GSPI_HIGH(b, gsp_node, n);
    gspi_plan_table_layout(b, &w->table, pieces);
}

GSP_API size_t gsp_plan_write_bound(const gsp_counts *counts, uint32_t n_pieces)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_plan_writer w;
    gspi_plan_write_layout(&b, &w, counts->nodes, n_pieces);
    return gspi_add(b.used, GSPI_SLACK);
}

/* Names and notes that read back as they are, every name once. */
static gsp_status gspi_plan_check(const gspi_plan_table *t, const gsp_plan_desc *d, gsp_error *err)
{
    uint32_t i;
    for (i = 0u; i < d->n_pieces; i++) {
        gsp_text const name = d->names[i];
        int good = name.size > 0u && gspi_trim(name).size == name.size &&
                   gspi_plan_plain(name, ']') == name.size;
        if (d->notes != NULL) {
            gsp_text const note = d->notes[i];
            good = good && gspi_trim(note).size == note.size &&
                   gspi_plan_plain(note, '#') == note.size;
        }
        if (good) {
            uint32_t const slot = gspi_plan_slot(t, name);
            good = t->slots[slot] == GSP_NONE;
            t->slots[slot] = i;
        }
        if (!good) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG_NAME, i, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* Nodes by piece, a counting sort. */
static gsp_status gspi_plan_sort(gspi_plan_writer *w, const gsp_graph *g, const gsp_plan_desc *d,
                                 gsp_error *err)
{
    gsp_node v;
    gspi_set(w->begin, 0, (size_t)d->n_pieces + 1u, sizeof(uint32_t));
    for (v = 0u; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) && d->piece_of[v] != GSP_NONE) {
            if (d->piece_of[v] >= d->n_pieces) {
                return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, v, GSP_NONE);
            }
            w->begin[d->piece_of[v]]++;
        }
    }
    gspi_counts_to_ends(w->begin, d->n_pieces);
    for (v = g->n_nodes; v > 0u; v--) {
        if (gsp_node_is_callable(g, v - 1u) && d->piece_of[v - 1u] != GSP_NONE) {
            w->nodes[--w->begin[d->piece_of[v - 1u]]] = v - 1u;
        }
    }
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_plan_print(const gspi_plan_writer *w, const gsp_graph *g,
                                          const gsp_plan_desc *d, gsp_sink sink, void *user,
                                          gsp_error *err)
{
    gspi_writer out;
    uint32_t i;
    uint32_t k;
    gspi_writer_start(&out, sink, user);
    gspi_puts(&out, "plan 1\n");
    for (i = 0u; i < d->n_pieces; i++) {
        gspi_puts(&out, "\n[");
        gspi_put(&out, d->names[i]);
        gspi_puts(&out, d->notes != NULL && d->notes[i].size > 0u ? "] " : "]");
        if (d->notes != NULL) {
            gspi_put(&out, d->notes[i]);
        }
        gspi_puts(&out, "\n");
        for (k = w->begin[i]; k < w->begin[i + 1u]; k++) {
            gspi_put(&out, gsp_node_name(g, w->nodes[k]));
            gspi_puts(&out, "\n");
        }
    }
    return gspi_writer_end(&out, err);
}

GSP_API gsp_status gsp_plan_write(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_plan_desc *desc, gsp_sink sink, void *user,
                                  gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_plan_writer w;
    gsp_counts counts;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || graph == NULL || desc == NULL || sink == NULL ||
        (desc->n_pieces > 0u && desc->names == NULL) || desc->piece_of == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc->start_canary != 0u || desc->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_plan_write_bound(&counts, desc->n_pieces), err));
    mark = gsp_arena_mark(arena);
    gspi_plan_write_layout(&b, &w, graph->n_nodes, desc->n_pieces);
    gspi_plan_table_start(&w.table, desc->names, sizeof(gsp_text));
    status = gspi_plan_check(&w.table, desc, err);
    if (status == GSP_OK) {
        status = gspi_plan_sort(&w, graph, desc, err);
    }
    if (status == GSP_OK) {
        status = gspi_plan_print(&w, graph, desc, sink, user, err);
    }
    gsp_arena_rewind(arena, mark);
    return status;
}

/* ---- on a graph ---- */

typedef struct gspi_plan_ws {
    gspi_plan_table table; /* the last line of every name */
    uint32_t *piece_of;
    uint32_t *line_of;
    uint8_t *use;
    uint32_t *patterns; /* [lines] lines that are patterns, ascending */
    uint32_t n_patterns;
} gspi_plan_ws;

static void gspi_plan_apply_layout(gspi_bump *b, gspi_plan_ws *ws, uint32_t n, uint32_t lines)
{
    ws->piece_of = GSPI_LOW(b, uint32_t, n);
    ws->line_of = GSPI_LOW(b, uint32_t, n);
    ws->use = GSPI_LOW(b, uint8_t, lines);
    ws->patterns = GSPI_HIGH(b, uint32_t, lines);
    gspi_plan_table_layout(b, &ws->table, lines);
}

GSP_API size_t gsp_plan_apply_bound(const gsp_counts *counts, const gsp_plan *plan)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_plan_ws ws;
    gspi_plan_apply_layout(&b, &ws, counts->nodes, plan->n_lines);
    return gspi_add(b.used, GSPI_SLACK);
}

static void gspi_plan_index(gspi_plan_ws *ws, const gsp_plan *plan)
{
    uint32_t i;
    ws->n_patterns = 0u;
    for (i = 0u; i < plan->n_lines; i++) {
        ws->use[i] = (uint8_t)GSP_PLAN_GONE;
        if (plan->lines[i].is_pattern) {
            ws->patterns[ws->n_patterns++] = i;
        } else {
            ws->table.slots[gspi_plan_slot(&ws->table, plan->lines[i].pattern)] = i;
        }
    }
}

/* Uses get better only: from gone to not called to overruled to used. */
static void gspi_plan_mark(gspi_plan_ws *ws, uint32_t line, gsp_plan_use use)
{
    uint8_t *at = &ws->use[line];
    if (*at != (uint8_t)GSP_PLAN_USED && (use == GSP_PLAN_USED || *at < (uint8_t)use)) {
        *at = (uint8_t)use;
    }
}

/* The line that decides about a node, GSP_NONE: none. */
static uint32_t gspi_plan_decide(gspi_plan_ws *ws, const gsp_plan *plan, gsp_text name,
                                 int callable)
{
    uint32_t const exact = ws->table.slots[gspi_plan_slot(&ws->table, name)];
    uint32_t decides = exact;
    uint32_t i;
    for (i = ws->n_patterns; i > 0u; i--) {
        uint32_t const line = ws->patterns[i - 1u];
        if ((decides == GSP_NONE || ws->use[line] != (uint8_t)GSP_PLAN_USED) &&
            gsp_glob(plan->lines[line].pattern, name)) {
            decides = decides == GSP_NONE ? line : decides;
            gspi_plan_mark(ws, line, callable ? GSP_PLAN_OVERRULED : GSP_PLAN_NOT_CALLED);
        }
    }
    if (decides != GSP_NONE) {
        gspi_plan_mark(ws, decides, callable ? GSP_PLAN_USED : GSP_PLAN_NOT_CALLED);
    }
    return callable ? decides : GSP_NONE;
}

static void gspi_plan_place(gspi_plan_ws *ws, const gsp_graph *g, const gsp_plan *plan,
                            gsp_plan_result *result)
{
    gsp_node v;
    uint32_t i;
    result->n_placed = 0u;
    result->n_new = 0u;
    for (v = 0u; v < g->n_nodes; v++) {
        int const callable = gsp_node_is_callable(g, v);
        uint32_t const line = gspi_plan_decide(ws, plan, gsp_node_name(g, v), callable);
        ws->line_of[v] = line;
        ws->piece_of[v] = line == GSP_NONE ? GSP_NONE : plan->lines[line].piece;
        result->n_placed += line != GSP_NONE ? 1u : 0u;
        result->n_new += callable && line == GSP_NONE ? 1u : 0u;
    }
    gspi_set(result->n_lines, 0, (size_t)GSP_PLAN_USE_COUNT, sizeof(uint32_t));
    for (i = 0u; i < plan->n_lines; i++) {
        uint32_t const slot = plan->lines[i].is_pattern
                                  ? GSP_NONE
                                  : gspi_plan_slot(&ws->table, plan->lines[i].pattern);
        if (slot != GSP_NONE && ws->table.slots[slot] != i) {
            ws->use[i] = (uint8_t)GSP_PLAN_OVERRULED; /* the name comes again later */
        }
        result->n_lines[ws->use[i]]++;
    }
}

GSP_API gsp_status gsp_plan_apply(gsp_arena *arena, const gsp_graph *graph, const gsp_plan *plan,
                                  gsp_plan_result *result, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_plan_ws ws;
    gsp_counts counts;
    gsp_mark mark;
    if (arena == NULL || graph == NULL || plan == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_plan_apply_bound(&counts, plan), err));
    mark = gsp_arena_mark(arena);
    gspi_plan_apply_layout(&b, &ws, graph->n_nodes, plan->n_lines);
    gspi_plan_table_start(&ws.table, plan->lines, sizeof(gsp_plan_line));
    gspi_plan_index(&ws, plan);
    gspi_plan_place(&ws, graph, plan, result);
    arena->high = mark.high;
    result->piece_of = ws.piece_of;
    result->line_of = ws.line_of;
    result->use = ws.use;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>compare   Two assignments                                                     (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PLAN

/* Items sorted by their two pieces make runs, one a pair of pieces that share items. The runs
 * sorted by size make partners; how many runs a piece has says what became of it. */

typedef struct gspi_compare_ws {
    uint32_t *partner;
    uint8_t *change[2];
    uint32_t *back;    /* [n_pieces[1]] partner in the first */
    uint32_t *ids;     /* [n] items, then runs */
    uint64_t *key;     /* [n] of items, then of runs */
    uint32_t *run[2];  /* [n] pieces of a run */
    uint32_t *runs[2]; /* [n_pieces] runs of a piece */
    uint32_t n_runs;
} gspi_compare_ws;

static void gspi_compare_layout(gspi_bump *b, gspi_compare_ws *ws, const gsp_compare_desc *d)
{
    uint32_t k;
    ws->partner = GSPI_LOW(b, uint32_t, d->n_pieces[0]);
    for (k = 0u; k < 2u; k++) {
        ws->change[k] = GSPI_LOW(b, uint8_t, d->n_pieces[k]);
        ws->run[k] = GSPI_HIGH(b, uint32_t, d->n_items);
        ws->runs[k] = GSPI_HIGH(b, uint32_t, d->n_pieces[k]);
    }
    ws->back = GSPI_HIGH(b, uint32_t, d->n_pieces[1]);
    ws->ids = GSPI_HIGH(b, uint32_t, d->n_items);
    ws->key = GSPI_HIGH(b, uint64_t, d->n_items);
}

GSP_API size_t gsp_compare_bound(const gsp_compare_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_compare_ws ws;
    gspi_compare_layout(&b, &ws, desc);
    return gspi_add(b.used, GSPI_SLACK);
}

static int gspi_compare_same_name(const gsp_compare_desc *d, uint32_t a, uint32_t b)
{
    return d->names[0] == NULL || d->names[1] == NULL
               ? a == b
               : gsp_text_equal(d->names[0][a], d->names[1][b]);
}

/* Sorts the items that are in both; counts those that are in one. */
static gsp_status gspi_compare_items(gspi_compare_ws *ws, const gsp_compare_desc *d,
                                     gsp_compare_result *result, gsp_error *err)
{
    uint32_t const *first = d->of[0];
    uint32_t const *second = d->of[1];
    uint32_t n = 0u;
    uint32_t i;
    uint32_t only[2] = {0u, 0u};
    for (i = 0u; i < d->n_items; i++) {
        if ((first[i] != GSP_NONE && first[i] >= d->n_pieces[0]) ||
            (second[i] != GSP_NONE && second[i] >= d->n_pieces[1])) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, i, GSP_NONE);
        }
        ws->key[i] = ((uint64_t)first[i] << 32) | second[i];
        if (first[i] != GSP_NONE && second[i] != GSP_NONE) {
            ws->ids[n++] = i;
        } else {
            only[0] += first[i] != GSP_NONE ? 1u : 0u;
            only[1] += second[i] != GSP_NONE ? 1u : 0u;
        }
    }
    gspi_sort(ws->ids, n, ws->key);
    result->n_only[0] = only[0];
    result->n_only[1] = only[1];
    result->n_moved = n; /* less those that agree, later */
    return GSP_OK;
}

/* One run a pair of pieces; its key: many items first, then equal names. */
static void gspi_compare_runs(gspi_compare_ws *ws, const gsp_compare_desc *d, uint32_t n)
{
    uint32_t i;
    uint32_t k;
    ws->n_runs = 0u;
    gspi_set(ws->runs[0], 0, d->n_pieces[0], sizeof(uint32_t));
    gspi_set(ws->runs[1], 0, d->n_pieces[1], sizeof(uint32_t));
    for (i = 0u; i < n; i = k) {
        uint32_t const a = d->of[0][ws->ids[i]];
        uint32_t const b = d->of[1][ws->ids[i]];
        for (k = i + 1u; k < n && d->of[0][ws->ids[k]] == a && d->of[1][ws->ids[k]] == b; k++) {
        }
        ws->run[0][ws->n_runs] = a;
        ws->run[1][ws->n_runs] = b;
        ws->key[ws->n_runs++] =
            ((uint64_t)(UINT32_MAX - (k - i)) << 1) | (gspi_compare_same_name(d, a, b) ? 0u : 1u);
        ws->runs[0][a]++;
        ws->runs[1][b]++;
    }
}

/* Partners, the largest runs first; returns how many items agree. */
static uint32_t gspi_compare_partners(gspi_compare_ws *ws, const gsp_compare_desc *d)
{
    uint32_t agree = 0u;
    uint32_t i;
    gspi_set(ws->partner, 0xFF, d->n_pieces[0], sizeof(uint32_t));
    gspi_set(ws->back, 0xFF, d->n_pieces[1], sizeof(uint32_t));
    for (i = 0u; i < ws->n_runs; i++) {
        ws->ids[i] = i;
    }
    gspi_sort(ws->ids, ws->n_runs, ws->key);
    for (i = 0u; i < ws->n_runs; i++) {
        uint32_t const run = ws->ids[i];
        uint32_t const a = ws->run[0][run];
        uint32_t const b = ws->run[1][run];
        if (ws->partner[a] == GSP_NONE && ws->back[b] == GSP_NONE) {
            ws->partner[a] = b;
            ws->back[b] = a;
            agree += UINT32_MAX - (uint32_t)(ws->key[run] >> 1);
        }
    }
    return agree;
}

/* A piece with one run is the same or renamed when its other has one too, and a part of it when all
 * of the other's have one; several runs are a split or a merge when each is all of its other. */
static void gspi_compare_changes(gspi_compare_ws *ws, const gsp_compare_desc *d)
{
    uint32_t i;
    uint32_t k;
    for (k = 0u; k < 2u; k++) {
        for (i = 0u; i < d->n_pieces[k]; i++) {
            ws->change[k][i] = (uint8_t)(ws->runs[k][i] == 0u   ? GSP_PLAN_EMPTY
                                         : ws->runs[k][i] == 1u ? GSP_PLAN_SAME
                                         : k == 0u              ? GSP_PLAN_SPLIT
                                                                : GSP_PLAN_MERGED);
        }
    }
    for (i = 0u; i < ws->n_runs; i++) { /* a piece of several runs shares one with such a piece */
        uint32_t const a = ws->run[0][i];
        uint32_t const b = ws->run[1][i];
        if (ws->runs[0][a] > 1u && ws->runs[1][b] > 1u) {
            ws->change[0][a] = (uint8_t)GSP_PLAN_MIXED;
            ws->change[1][b] = (uint8_t)GSP_PLAN_MIXED;
        }
    }
    for (i = 0u; i < ws->n_runs; i++) { /* then those of one run follow their other */
        uint32_t const a = ws->run[0][i];
        uint32_t const b = ws->run[1][i];
        if (ws->runs[0][a] == 1u && ws->runs[1][b] == 1u) {
            gsp_plan_change const change =
                gspi_compare_same_name(d, a, b) ? GSP_PLAN_SAME : GSP_PLAN_RENAMED;
            ws->change[0][a] = (uint8_t)change;
            ws->change[1][b] = (uint8_t)change;
        } else if (ws->runs[0][a] == 1u) {
            ws->change[0][a] = ws->change[1][b];
        } else if (ws->runs[1][b] == 1u) {
            ws->change[1][b] = ws->change[0][a];
        }
    }
}

static gsp_status gspi_compare_check(const gsp_compare_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (d->n_items > 0u && (d->of[0] == NULL || d->of[1] == NULL)) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_compare_run(gsp_arena *arena, const gsp_compare_desc *desc,
                                   gsp_compare_result *result, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_compare_ws ws;
    gsp_compare_result made;
    gsp_mark mark;
    if (arena == NULL || desc == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_compare_check(desc, err));
    GSPI_TRY(gspi_room(arena, gsp_compare_bound(desc), err));
    mark = gsp_arena_mark(arena);
    gspi_compare_layout(&b, &ws, desc);
    if (gspi_compare_items(&ws, desc, &made, err) != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return GSP_STATUS_ARG;
    }
    gspi_compare_runs(&ws, desc, made.n_moved);
    made.n_agree = gspi_compare_partners(&ws, desc);
    made.n_moved -= made.n_agree;
    gspi_compare_changes(&ws, desc);
    arena->high = mark.high;
    made.partner = ws.partner;
    made.change[0] = ws.change[0];
    made.change[1] = ws.change[1];
    *result = made;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>extend   An accelerator subgraph and what may join it                         (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PREVIEW

/* Units are fusion groups and single nodes. A unit that may join waits for its readers in earlier
 * subgraphs; a worklist of nodes that have joined counts them down. A unit that may not, or holds
 * a node that does not stand in an earlier subgraph, waits for ever. */

typedef struct gspi_extend {
    const gsp_graph *g;
    const gsp_extend_desc *d;
    uint32_t *of;      /* [n] of the caller */
    uint32_t *partner; /* [n] next node of the unit, in a ring */
    uint32_t *unit;    /* [n] first node of the unit */
    uint32_t *waits;   /* [n] of a unit: readers in earlier subgraphs; GSP_NONE: for ever */
    gsp_node *stack;   /* [n] nodes that have joined, their inputs not yet looked at */
    uint32_t n_stack;
    uint32_t n_moved;
} gspi_extend;

static void gspi_extend_layout(gspi_bump *b, gspi_extend *w, uint32_t n)
{
    w->partner = GSPI_HIGH(b, uint32_t, n);
    w->unit = GSPI_HIGH(b, uint32_t, n);
    w->waits = GSPI_HIGH(b, uint32_t, n);
    w->stack = GSPI_HIGH(b, gsp_node, n);
    w->n_stack = 0u;
    w->n_moved = 0u;
}

GSP_API size_t gsp_extend_bound(const gsp_counts *counts)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_extend w;
    gspi_extend_layout(&b, &w, counts->nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

/* The kind of the subgraph; GSP_NONE: it has nodes of two kinds; GSP_KIND_NONE: it has none. */
static uint32_t gspi_extend_kind(const gsp_graph *g, const gsp_extend_desc *d, const uint32_t *of)
{
    uint32_t kind = GSP_KIND_NONE;
    gsp_node v;
    for (v = 0u; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) && of[v] == d->subgraph) {
            kind = kind == GSP_KIND_NONE || kind == d->kind[v] ? d->kind[v] : GSP_NONE;
        }
    }
    return kind;
}

/* 1 when v stands in an earlier subgraph and outside of the unit of `of_unit`: joining has to wait
 * for it. */
static int gspi_extend_is_before(const gspi_extend *w, gsp_node v, uint32_t of_unit)
{
    return gsp_node_is_callable(w->g, v) && w->of[v] < w->d->subgraph && w->unit[v] != of_unit;
}

static void gspi_extend_units(gspi_extend *w, uint32_t kind)
{
    uint32_t const n = w->g->n_nodes;
    gsp_node v;
    gspi_group_rings(w->d->group, n, w->partner, w->stack);
    gspi_set(w->unit, 0xFF, n, sizeof(uint32_t));
    gspi_set(w->waits, 0, n, sizeof(uint32_t));
    for (v = 0u; v < n; v++) {
        gsp_node u = v;
        while (w->unit[u] == GSP_NONE) {
            w->unit[u] = v;
            u = w->partner[u];
        }
    }
    for (v = 0u; v < n; v++) {
        uint32_t *waits = &w->waits[w->unit[v]];
        uint32_t count;
        const gsp_node *users = gsp_node_users(w->g, v, &count);
        uint32_t i;
        if (!gsp_node_is_callable(w->g, v) || w->of[v] >= w->d->subgraph || w->d->kind[v] != kind) {
            *waits = GSP_NONE;
        }
        for (i = 0u; i < count && *waits != GSP_NONE; i++) {
            *waits += gspi_extend_is_before(w, users[i], w->unit[v]) ? 1u : 0u;
        }
    }
}

static void gspi_extend_join(gspi_extend *w, uint32_t unit)
{
    gsp_node v = unit;
    w->waits[unit] = GSP_NONE;
    do {
        w->of[v] = w->d->subgraph;
        w->stack[w->n_stack++] = v;
        w->n_moved++;
        v = w->partner[v];
    } while (v != unit);
}

/* The inputs of the subgraph, then those of what has joined. */
static void gspi_extend_back(gspi_extend *w)
{
    uint32_t count;
    uint32_t i;
    gsp_node v;
    for (v = w->g->n_nodes; v > 0u; v--) {
        if (gsp_node_is_callable(w->g, v - 1u) && w->of[v - 1u] == w->d->subgraph) {
            const gsp_node *inputs = gsp_node_inputs(w->g, v - 1u, &count);
            for (i = 0u; i < count; i++) {
                if (w->waits[w->unit[inputs[i]]] == 0u) {
                    gspi_extend_join(w, w->unit[inputs[i]]);
                }
            }
        }
        while (w->n_stack > 0u) {
            gsp_node const u = w->stack[--w->n_stack];
            const gsp_node *inputs = gsp_node_inputs(w->g, u, &count);
            for (i = 0u; i < count; i++) {
                uint32_t const unit = w->unit[inputs[i]];
                if (unit != w->unit[u] && w->waits[unit] != GSP_NONE && --w->waits[unit] == 0u) {
                    gspi_extend_join(w, unit);
                }
            }
        }
    }
}

GSP_API gsp_status gsp_extend_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_extend_desc *desc, uint32_t *subgraph_of,
                                  uint32_t *n_moved, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_extend w;
    gsp_counts counts;
    gsp_mark mark;
    uint32_t kind;
    if (arena == NULL || graph == NULL || desc == NULL || subgraph_of == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc->start_canary != 0u || desc->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (desc->kind == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_extend_bound(&counts), err));
    GSPI_TRY(gspi_check_groups(graph, desc->group, err));
    GSPI_TRY(gspi_check_parts(graph, subgraph_of, GSP_NONE, err));
    kind = gspi_extend_kind(graph, desc, subgraph_of);
    if (kind == GSP_KIND_NONE) {
        return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG_EMPTY, desc->subgraph, GSP_NONE);
    }
    if (kind == GSP_KIND_CPU || kind == GSP_NONE) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_KIND);
    }
    mark = gsp_arena_mark(arena);
    w.g = graph;
    w.d = desc;
    w.of = subgraph_of;
    gspi_extend_layout(&b, &w, graph->n_nodes);
    gspi_extend_units(&w, kind);
    gspi_extend_back(&w);
    if (n_moved != NULL) {
        *n_moved = w.n_moved;
    }
    gsp_arena_rewind(arena, mark);
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>culprit   The least set of nodes that fails                                   (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PREVIEW

/* All traversals work on units, which are fusion groups and single nodes, in the order of their
 * first nodes; a set to be tested is a run of units and what has been found before. */

typedef struct gspi_culprit {
    const gsp_graph *g;
    const gsp_culprit_desc *d;
    gsp_bitset set;
    uint32_t *partner; /* [n] next node of a unit, in a ring */
    gsp_node *unit;    /* [n_units] first nodes that are searched */
    uint8_t *found;    /* [n] of a unit: a culprit */
    uint32_t *range;   /* [GSPI_HALVINGS] BINARY: ranges that have failed */
    gsp_node *nodes;   /* [n] result */
    uint32_t n_units;
    uint32_t n_tests;
    int stopped;
} gspi_culprit;

/* BINARY halves at most 32 times, and keeps begin, end and what is known of the halves. */
#define GSPI_HALVINGS (3u * 34u)

static void gspi_culprit_layout(gspi_bump *b, gspi_culprit *w, uint32_t n)
{
    size_t const words = gsp_bitset_words(n);
    w->nodes = GSPI_LOW(b, gsp_node, n);
    w->partner = GSPI_HIGH(b, uint32_t, n);
    w->unit = GSPI_HIGH(b, gsp_node, n);
    w->found = GSPI_HIGH(b, uint8_t, n);
    w->range = GSPI_HIGH(b, uint32_t, GSPI_HALVINGS);
    w->set.words = GSPI_HIGH(b, uint32_t, words);
    w->set.n = n;
    w->n_units = 0u;
    w->n_tests = 0u;
    w->stopped = 0;
}

GSP_API size_t gsp_culprit_bound(const gsp_counts *counts)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_culprit w;
    gspi_culprit_layout(&b, &w, counts->nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

static gsp_status gspi_culprit_check(const gsp_graph *g, const gsp_culprit_desc *d, gsp_error *err)
{
    uint32_t i;
    for (i = 0u; d->nodes != NULL && i < d->n_nodes; i++) {
        if (d->nodes[i] >= g->n_nodes || !gsp_node_is_callable(g, d->nodes[i]) ||
            (i > 0u && d->nodes[i] <= d->nodes[i - 1u])) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, d->nodes[i], GSP_NONE);
        }
    }
    return gspi_check_groups(g, d->group, err);
}

/* Units, each by the first of its nodes that is searched. */
static void gspi_culprit_units(gspi_culprit *w)
{
    uint32_t const n = w->g->n_nodes;
    uint32_t const n_given = w->d->nodes == NULL ? n : w->d->n_nodes;
    uint32_t i;
    gspi_group_rings(w->d->group, n, w->partner, w->nodes);
    gspi_set(w->found, 0, n, 1u);
    for (i = 0u; i < n_given; i++) {
        gsp_node const v = w->d->nodes == NULL ? i : w->d->nodes[i];
        if (gsp_node_is_callable(w->g, v) && w->found[v] == 0u) {
            gsp_node u = v;
            w->unit[w->n_units++] = v;
            do {
                w->found[u] = 1u;
                u = w->partner[u];
            } while (u != v);
        }
    }
    gspi_set(w->found, 0, n, 1u);
}

static void gspi_culprit_put(gspi_culprit *w, gsp_node v)
{
    gsp_node u = v;
    do {
        gsp_bitset_set(&w->set, u);
        u = w->partner[u];
    } while (u != v);
}

/* 1 when units begin .. end - 1 fail, with `known` != 0 together with those that are found. */
static int gspi_culprit_fails(gspi_culprit *w, uint32_t begin, uint32_t end, int known)
{
    uint32_t i;
    int answer;
    if (w->stopped) {
        return 0;
    }
    gsp_bitset_fill(&w->set, 0);
    for (i = 0u; i < w->n_units; i++) {
        if ((i >= begin && i < end) || (known && w->found[w->unit[i]] != 0u)) {
            gspi_culprit_put(w, w->unit[i]);
        }
    }
    w->n_tests++;
    answer = w->d->fails(w->d->user, w->g, &w->set);
    w->stopped = answer < 0;
    return answer > 0;
}

static void gspi_culprit_mark(gspi_culprit *w, uint32_t begin, uint32_t end)
{
    uint32_t i;
    for (i = begin; i < end; i++) {
        w->found[w->unit[i]] = 1u;
    }
}

/* The least end for which units 0 .. end - 1, and those that are found, fail; `end` does. */
static uint32_t gspi_culprit_end(gspi_culprit *w, uint32_t end)
{
    uint32_t low = 1u;
    while (low < end) {
        uint32_t const middle = low + (end - low) / 2u;
        if (gspi_culprit_fails(w, 0u, middle, 1)) {
            end = middle;
        } else {
            low = middle + 1u;
        }
    }
    return end;
}

static void gspi_culprit_block(gspi_culprit *w)
{
    uint32_t begin = 0u;
    uint32_t high;
    uint32_t end;
    if (!gspi_culprit_fails(w, 0u, w->n_units, 0)) {
        return;
    }
    end = gspi_culprit_end(w, w->n_units);
    high = end - 1u;
    while (begin < high) { /* the greatest begin for which begin .. end - 1 fail */
        uint32_t const middle = high - (high - begin) / 2u;
        if (gspi_culprit_fails(w, middle, end, 0)) {
            begin = middle;
        } else {
            high = middle - 1u;
        }
    }
    gspi_culprit_mark(w, begin, end);
}

/* The last unit without which what is left does not fail is a culprit; then the one before it. */
static void gspi_culprit_least(gspi_culprit *w)
{
    uint32_t end = w->n_units;
    int fails = gspi_culprit_fails(w, 0u, end, 0);
    while (fails) {
        end = gspi_culprit_end(w, end) - 1u;
        gspi_culprit_mark(w, end, end + 1u);
        fails = end > 0u && !w->stopped && !gspi_culprit_fails(w, 0u, 0u, 1);
    }
}

static void gspi_culprit_sequential(gspi_culprit *w)
{
    uint32_t i;
    int go_on = 1;
    for (i = 0u; i < w->n_units && go_on; i++) {
        if (gspi_culprit_fails(w, i, i + 1u, 0)) {
            gspi_culprit_mark(w, i, i + 1u);
            go_on = w->d->find_all != 0u;
        }
    }
}

static void gspi_culprit_accumulate(gspi_culprit *w)
{
    uint32_t end = 1u;
    while (end <= w->n_units && !w->stopped && !gspi_culprit_fails(w, 0u, end, 0)) {
        end++;
    }
    if (end <= w->n_units && !w->stopped) {
        gspi_culprit_mark(w, end - 1u, end);
    }
}

/* Depth first over halves that fail; a stack of ranges takes the place of recursion. What a range
 * knows: 0: nothing, 1: the first half was looked at, 2: both were; +4: a half has failed. */
static void gspi_culprit_binary(gspi_culprit *w)
{
    uint32_t depth = 0u;
    uint32_t *r = w->range;
    if (!gspi_culprit_fails(w, 0u, w->n_units, 0)) {
        return;
    }
    r[0] = 0u;
    r[1] = w->n_units;
    r[2] = 0u;
    while (depth != GSP_NONE && !w->stopped) {
        uint32_t *top = r + 3u * depth;
        uint32_t const middle = top[0] + (top[1] - top[0]) / 2u;
        uint32_t const step = top[2] & 3u;
        uint32_t const begin = step == 0u ? top[0] : middle;
        uint32_t const end = step == 0u ? middle : top[1];
        if (top[1] - top[0] == 1u || top[2] == 2u) { /* no half fails alone */
            gspi_culprit_mark(w, top[0], top[1]);
            depth--;
        } else if (step == 2u || (top[2] == 5u && w->d->find_all == 0u)) {
            depth--;
        } else {
            int const fails = gspi_culprit_fails(w, begin, end, 0);
            top[2] += fails ? 5u : 1u;
            if (fails) {
                top[3] = begin;
                top[4] = end;
                top[5] = 0u;
                depth++;
            }
        }
    }
}

GSPI_OWN_FRAME void gspi_culprit_search(gspi_culprit *w)
{
    if (w->n_units == 0u) {
        return;
    }
    switch (w->d->traversal) {
    case GSP_TRAVERSAL_BLOCK:
        gspi_culprit_block(w);
        break;
    case GSP_TRAVERSAL_LEAST:
        gspi_culprit_least(w);
        break;
    case GSP_TRAVERSAL_SEQUENTIAL:
        gspi_culprit_sequential(w);
        break;
    case GSP_TRAVERSAL_BINARY:
        gspi_culprit_binary(w);
        break;
    default:
        gspi_culprit_accumulate(w);
        break;
    }
}

/* The nodes of the units that were found. */
static void gspi_culprit_commit(gspi_culprit *w, gsp_culprit_result *result)
{
    uint32_t i;
    gsp_node v;
    gsp_bitset_fill(&w->set, 0);
    for (i = 0u; i < w->n_units; i++) {
        if (w->found[w->unit[i]] != 0u) {
            gspi_culprit_put(w, w->unit[i]);
        }
    }
    result->n_nodes = 0u;
    for (v = gsp_bitset_next(&w->set, 0u); v != GSP_NONE; v = gsp_bitset_next(&w->set, v + 1u)) {
        w->nodes[result->n_nodes++] = v;
    }
    result->n_tests = w->n_tests;
    result->nodes = w->nodes;
}

GSP_API gsp_status gsp_culprit_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_culprit_desc *desc, gsp_culprit_result *result,
                                   gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_culprit w;
    gsp_counts counts;
    gsp_mark mark;
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc->start_canary != 0u || desc->end_canary != 0u ||
        desc->traversal >= (uint32_t)GSP_TRAVERSAL_COUNT) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (desc->fails == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_culprit_bound(&counts), err));
    GSPI_TRY(gspi_culprit_check(graph, desc, err));
    mark = gsp_arena_mark(arena);
    w.g = graph;
    w.d = desc;
    gspi_culprit_layout(&b, &w, graph->n_nodes);
    gspi_culprit_units(&w);
    gspi_culprit_search(&w);
    if (w.stopped) {
        gsp_arena_rewind(arena, mark);
        return gspi_fail(err, GSP_STATUS_LIMIT, GSP_DETAIL_STOPPED);
    }
    gspi_culprit_commit(&w, result);
    arena->high = mark.high;
    return gspi_done(err);
}

GSP_API gsp_node gsp_culprit_tags(const gsp_graph *graph, const gsp_bitset *set, uint32_t *tag_of)
{
    gsp_node bad = GSP_NONE;
    gsp_node v;
    for (v = 0u; v < graph->n_nodes; v++) {
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(graph, v, &count);
        uint32_t latest = 0u;
        uint32_t i;
        tag_of[v] = GSP_NONE;
        if (!gsp_node_is_callable(graph, v)) {
            continue;
        }
        for (i = 0u; i < count; i++) {
            uint32_t const tag = tag_of[inputs[i]];
            latest = tag != GSP_NONE && tag > latest ? tag : latest;
        }
        tag_of[v] = gsp_bitset_has(set, v) ? 1u : latest == 0u ? 0u : 2u;
        bad = bad == GSP_NONE && tag_of[v] == 1u && latest == 2u ? v : bad;
    }
    return bad;
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>preview   What a split would cost                                             (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PREVIEW

/* ---- which types of nodes there are ---- */

/* A hash table of types; equal types are found by comparing what their first nodes say. */
typedef struct gspi_signatures {
    const gsp_graph *g;
    const gsp_placement *p;
    gsp_signature *made; /* [n] */
    uint64_t *key;       /* [n] place of a type in the result */
    uint32_t *order;     /* [n] */
    uint32_t *slot;      /* [mask + 1] type, GSP_NONE: free */
    uint32_t mask;
    uint32_t n;
} gspi_signatures;

/* One argument at the top level that has a dtype, or is a keyword with a node. */
typedef struct gspi_typed_arg {
    uint32_t place;  /* of a positional one */
    gsp_string key;  /* of a keyword, GSP_NONE: positional */
    gsp_text dtype;  /* empty: none */
    uint32_t at;     /* next token */
    uint32_t n_seen; /* arguments so far */
} gspi_typed_arg;

static void gspi_signatures_layout(gspi_bump *b, gspi_signatures *w, uint32_t n)
{
    uint32_t const slots = gspi_pow2(gspi_count_add(n, n / 2u));
    w->made = GSPI_HIGH(b, gsp_signature, n);
    w->key = GSPI_HIGH(b, uint64_t, n);
    w->order = GSPI_HIGH(b, uint32_t, n);
    w->slot = GSPI_HIGH(b, uint32_t, slots != 0u ? slots : SIZE_MAX);
    w->mask = slots - 1u;
    w->n = 0u;
}

GSP_API size_t gsp_signatures_bound(const gsp_counts *counts)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_signatures w;
    gspi_signatures_layout(&b, &w, counts->nodes);
    (void)GSPI_LOW(&b, gsp_signature, counts->nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

static gsp_text gspi_dtype_of(const gsp_graph *g, gsp_node v)
{
    gsp_text dtype = gspi_slice("", 0u, 0u);
    gsp_text dims;
    uint32_t at = 0u;
    if (gsp_node_out(g, v) == GSP_OUT_TENSOR) {
        (void)gsp_type_next(gsp_node_type(g, v), &at, &dtype, &dims);
    }
    return dtype;
}

/* The next argument that counts; `a` starts as zeros. 0: there is none left. */
static int gspi_next_typed(const gsp_graph *g, gsp_node v, gspi_typed_arg *a)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    a->key = GSP_NONE;
    while (a->at < count) {
        gsp_arg const arg = args[a->at];
        if (arg.kind == (uint32_t)GSP_ARG_KEY) {
            a->key = arg.value;
            a->at++;
            continue;
        }
        a->at += 1u;
        if (arg.kind >= (uint32_t)GSP_ARG_TUPLE && arg.kind <= (uint32_t)GSP_ARG_SLICE) {
            a->at += arg.value;
        }
        a->place = a->n_seen++;
        if (arg.kind == (uint32_t)GSP_ARG_NODE) {
            a->dtype = gspi_dtype_of(g, arg.value);
            if (a->dtype.size != 0u || a->key != GSP_NONE) {
                return 1;
            }
        }
        a->key = GSP_NONE;
    }
    return 0;
}

static int gspi_same_signature(const gspi_signatures *w, gsp_node u, gsp_node v)
{
    gspi_typed_arg a = {0u, 0u, {NULL, 0u}, 0u, 0u};
    gspi_typed_arg b = {0u, 0u, {NULL, 0u}, 0u, 0u};
    int more;
    if (w->p->kind[u] != w->p->kind[v] ||
        !gsp_text_equal(gsp_node_class(w->g, u), gsp_node_class(w->g, v))) {
        return 0;
    }
    do {
        more = gspi_next_typed(w->g, u, &a);
        if (gspi_next_typed(w->g, v, &b) != more) {
            return 0;
        }
        if (more && (a.key != b.key || (a.key == GSP_NONE && a.place != b.place) ||
                     !gsp_text_equal(a.dtype, b.dtype))) {
            return 0;
        }
    } while (more);
    return 1;
}

static uint32_t gspi_signature_hash(const gspi_signatures *w, gsp_node v)
{
    gsp_text const name = gsp_node_class(w->g, v);
    gspi_typed_arg a = {0u, 0u, {NULL, 0u}, 0u, 0u};
    uint32_t h = gspi_hash(name.data, name.size, w->p->kind[v]);
    while (gspi_next_typed(w->g, v, &a)) {
        h = gspi_hash(a.dtype.data, a.dtype.size, h ^ (a.key == GSP_NONE ? a.place : ~a.key));
    }
    return h;
}

static void gspi_signatures_add(gspi_signatures *w, gsp_node v)
{
    uint32_t i = gspi_signature_hash(w, v) & w->mask;
    while (w->slot[i] != GSP_NONE && !gspi_same_signature(w, w->made[w->slot[i]].first, v)) {
        i = (i + 1u) & w->mask;
    }
    if (w->slot[i] == GSP_NONE) {
        gsp_signature *made = &w->made[w->n];
        made->name = gsp_node_class(w->g, v);
        made->kind = w->p->kind[v];
        made->n_nodes = 0u;
        made->first = v;
        w->key[w->n] = made->kind == GSP_KIND_CPU ? GSP_KIND_NONE : made->kind;
        w->order[w->n] = w->n;
        w->slot[i] = w->n++;
    }
    w->made[w->slot[i]].n_nodes++;
}

GSP_API gsp_status gsp_signatures_run(gsp_arena *arena, const gsp_graph *graph,
                                      const gsp_placement *placement, gsp_signatures_result *result,
                                      gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_signatures w;
    gsp_signature *sorted;
    gsp_counts counts;
    gsp_mark mark;
    gsp_node v;
    uint32_t i;
    if (arena == NULL || graph == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_signatures_bound(&counts), err));
    GSPI_TRY(gspi_check_placement(graph, placement, err));
    mark = gsp_arena_mark(arena);
    w.g = graph;
    w.p = placement;
    gspi_signatures_layout(&b, &w, graph->n_nodes);
    gspi_set(w.slot, 0xFF, (size_t)w.mask + 1u, sizeof(uint32_t));
    for (v = 0u; v < graph->n_nodes; v++) {
        if (gsp_node_is_callable(graph, v)) {
            gspi_signatures_add(&w, v);
        }
    }
    gspi_sort(w.order, w.n, w.key);
    sorted = GSPI_LOW(&b, gsp_signature, w.n);
    for (i = 0u; i < w.n; i++) {
        sorted[i] = w.made[w.order[i]];
    }
    result->n_signatures = w.n;
    result->signatures = sorted;
    arena->high = mark.high;
    return gspi_done(err);
}

/* A dtype after what separates it from the one before. */
static void gspi_put_dtype(gspi_writer *w, const char *separator, gsp_text dtype)
{
    gspi_puts(w, separator);
    if (dtype.size != 0u) {
        gspi_put(w, dtype);
    } else {
        gspi_puts(w, "None");
    }
}

GSP_API gsp_status gsp_signature_write(const gsp_graph *graph, gsp_node node, gsp_sink sink,
                                       void *user, gsp_error *err)
{
    gsp_text const none = {"", 0u};
    gspi_typed_arg a = {0u, 0u, {NULL, 0u}, 0u, 0u};
    gspi_writer w;
    uint32_t n = 0u;
    int more;
    if (graph == NULL || sink == NULL || node >= graph->n_nodes) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    gspi_writer_start(&w, sink, user);
    gspi_puts(&w, "((");
    more = gspi_next_typed(graph, node, &a);
    while (more && a.key == GSP_NONE) {
        for (; n < a.place; n++) {
            gspi_put_dtype(&w, n == 0u ? "" : ", ", none);
        }
        gspi_put_dtype(&w, n++ == 0u ? "" : ", ", a.dtype);
        more = gspi_next_typed(graph, node, &a);
    }
    gspi_puts(&w, n == 1u ? ",), {" : "), {");
    for (n = 0u; more; n++) {
        gspi_puts(&w, n == 0u ? "'" : ", '");
        gspi_put(&w, gsp_module_string(graph->module, a.key));
        gspi_put_dtype(&w, "': ", a.dtype);
        more = gspi_next_typed(graph, node, &a);
    }
    gspi_puts(&w, "})");
    return gspi_writer_end(&w, err);
}

/* ---- what a split would cost ---- */

typedef struct gspi_preview {
    gspi_cut cut; /* only its rows */
    gsp_preview_subgraph *made;
} gspi_preview;

static void gspi_preview_layout(gspi_bump *b, gspi_preview *w, uint32_t n, uint32_t edges,
                                uint32_t n_subgraphs)
{
    w->made = GSPI_LOW(b, gsp_preview_subgraph, n_subgraphs);
    w->cut.in_nodes = GSPI_LOW(b, gsp_node, edges);
    w->cut.out_nodes = GSPI_LOW(b, gsp_node, n);
    w->cut.in_begin = GSPI_HIGH(b, uint32_t, (size_t)n_subgraphs + 1u);
    w->cut.out_begin = GSPI_HIGH(b, uint32_t, (size_t)n_subgraphs + 1u);
    w->cut.out_index = GSPI_HIGH(b, uint32_t, n);
    w->cut.stamp = GSPI_HIGH(b, uint32_t, n);
}

GSP_API size_t gsp_preview_bound(const gsp_counts *counts, uint32_t n_subgraphs)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_preview w;
    gspi_preview_layout(&b, &w, counts->nodes, counts->edges, n_subgraphs);
    return gspi_add(b.used, GSPI_SLACK);
}

static gsp_status gspi_preview_check(const gsp_graph *g, const gsp_split_result *s,
                                     const gsp_preview_desc *d, gsp_error *err)
{
    gsp_node v;
    if (d != NULL && (d->start_canary != 0u || d->end_canary != 0u)) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (s->n_nodes != g->n_nodes) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_TAG);
    }
    for (v = 0u; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) && s->subgraph_of[v] >= s->n_subgraphs) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* Bytes of the tensors among `nodes`; counts the others. */
static gsp_status gspi_preview_bytes(const gsp_graph *g, const gsp_node *nodes, uint32_t n,
                                     uint64_t *bytes, uint32_t *odd, gsp_error *err)
{
    uint32_t i;
    *bytes = 0u;
    *odd = 0u;
    for (i = 0u; i < n; i++) {
        uint64_t const own = gsp_node_bytes(g, nodes[i]);
        if (gsp_node_out(g, nodes[i]) != GSP_OUT_TENSOR) {
            *odd += 1u;
        } else if (own > UINT64_MAX - *bytes) {
            return gspi_fail_at(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, nodes[i], GSP_NONE);
        } else {
            *bytes += own;
        }
    }
    return GSP_OK;
}

static gsp_status gspi_preview_fill(gspi_preview *w, const gsp_split_result *s, uint32_t i,
                                    gsp_error *err)
{
    gsp_preview_subgraph *m = &w->made[i];
    m->kind = s->subgraph_kind[i];
    m->n_nodes = s->subgraph_begin[i + 1u] - s->subgraph_begin[i];
    m->n_inputs = w->cut.in_begin[i + 1u] - w->cut.in_begin[i];
    m->n_outputs = w->cut.out_begin[i + 1u] - w->cut.out_begin[i];
    m->nodes = s->nodes + s->subgraph_begin[i];
    m->inputs = w->cut.in_nodes + w->cut.in_begin[i];
    m->outputs = w->cut.out_nodes + w->cut.out_begin[i];
    m->lowered = (uint32_t)GSP_LOWERED_NOT;
    m->culprit = GSP_NONE;
    GSPI_TRY(
        gspi_preview_bytes(w->cut.g, m->inputs, m->n_inputs, &m->bytes_in, &m->odd_inputs, err));
    return gspi_preview_bytes(w->cut.g, m->outputs, m->n_outputs, &m->bytes_out, &m->odd_outputs,
                              err);
}

static uint64_t gspi_preview_most(const gsp_preview_subgraph *m)
{
    return m->bytes_in > m->bytes_out ? m->bytes_in : m->bytes_out;
}

static void gspi_preview_count(const gsp_split_result *s, const gsp_preview_subgraph *made,
                               gsp_preview_result *r)
{
    uint64_t most = 0u;
    uint32_t i;
    r->raw_acc = 0u;
    r->n_acc = 0u;
    r->bottleneck = GSP_NONE;
    for (i = 0u; i < s->n_raw; i++) {
        r->raw_acc += s->raw_kind[i] != GSP_KIND_CPU ? 1u : 0u;
    }
    for (i = 0u; i < s->n_subgraphs; i++) {
        if (made[i].kind != GSP_KIND_CPU) {
            r->n_acc++;
            if (gspi_preview_most(&made[i]) > most) {
                most = gspi_preview_most(&made[i]);
                r->bottleneck = i;
            }
        }
    }
    r->raw_cpu = s->n_raw - r->raw_acc;
    r->n_cpu = s->n_subgraphs - r->n_acc;
    r->n_subgraphs = s->n_subgraphs;
    r->subgraphs = made;
}

static void gspi_preview_lower(const gspi_preview *w, const gsp_preview_desc *d, uint32_t n)
{
    uint32_t i;
    for (i = 0u; i < n; i++) {
        gsp_preview_subgraph *m = &w->made[i];
        if (m->kind != GSP_KIND_CPU) {
            gsp_lowered const lowered = d->lower(d->user, w->cut.g, m);
            m->lowered = (uint32_t)lowered;
            if (d->blame != NULL && (m->lowered == (uint32_t)GSP_LOWERED_FAILED ||
                                     m->lowered == (uint32_t)GSP_LOWERED_RUN_FAILED)) {
                m->culprit = d->blame(d->user, w->cut.g, m);
            }
        }
    }
}

GSP_API gsp_status gsp_preview_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_split_result *split, const gsp_preview_desc *desc,
                                   gsp_preview_result *result, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_preview w;
    gsp_counts counts;
    gsp_mark mark;
    uint32_t i;
    if (arena == NULL || graph == NULL || split == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_preview_check(graph, split, desc, err));
    GSPI_TRY(gspi_room(arena, gsp_preview_bound(&counts, split->n_subgraphs), err));
    mark = gsp_arena_mark(arena);
    gspi_preview_layout(&b, &w, graph->n_nodes, counts.edges, split->n_subgraphs);
    w.cut.g = graph;
    w.cut.part_of = split->subgraph_of;
    w.cut.n_parts = split->n_subgraphs;
    w.cut.pass_attrs = 0;
    w.cut.part_begin = (uint32_t *)(uintptr_t)split->subgraph_begin;
    w.cut.part_nodes = (gsp_node *)(uintptr_t)split->nodes;
    gspi_cut_outputs(&w.cut);
    gspi_cut_inputs(&w.cut);
    for (i = 0u; i < split->n_subgraphs; i++) {
        gsp_status const status = gspi_preview_fill(&w, split, i, err);
        if (status != GSP_OK) {
            gsp_arena_rewind(arena, mark);
            return status;
        }
    }
    if (desc != NULL && desc->lower != NULL) {
        gspi_preview_lower(&w, desc, split->n_subgraphs);
    }
    gspi_preview_count(split, w.made, result);
    result->bandwidth = desc == NULL || desc->bandwidth == 0u ? GSP_BANDWIDTH : desc->bandwidth;
    arena->high = mark.high;
    return gspi_done(err);
}

#ifndef GSP_NO_COST
GSP_API int gsp_preview_rate(const gsp_preview_result *result, uint32_t subgraph, double *rate)
{
    uint64_t const most =
        subgraph < result->n_subgraphs ? gspi_preview_most(&result->subgraphs[subgraph]) : 0u;
    if (most == 0u) {
        return 0;
    }
    *rate = (double)result->bandwidth / (double)most;
    return 1;
}
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>device   Devices, memory, mapping of partitions                               (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#endif

/* -------------------------------------------------------------------------------------------------
 * >>latency   Critical paths of partitions                                        (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#endif

/* -------------------------------------------------------------------------------------------------
 * >>size   Partitions by bytes                                                    (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#endif

/* -------------------------------------------------------------------------------------------------
 * >>sparse   Embeddings beside everything else                                    (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#endif

/* -------------------------------------------------------------------------------------------------
 * >>cost   Partitions by latency                                                  (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#endif

/* -------------------------------------------------------------------------------------------------
 * >>kl   Kernighan-Lin swaps                                                      (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#endif

/* -------------------------------------------------------------------------------------------------
 * >>partition   All modes, and the DAG of partitions                              (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PARTITION
#endif

/* -------------------------------------------------------------------------------------------------
 * >>k.order   Stable topological order
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

/* A stable topological order: elements come out from the front of a list; one whose needs are not
 * all out waits for the last of them, and is tried again as soon as that comes out, before
 * anything else, with all that wait for it in the order in which they began to wait. */
typedef struct gspi_order {
    uint32_t n;           /* elements */
    uint32_t n_list;      /* that are in the list */
    uint32_t *list;       /* [n_list] replaced by the order */
    uint32_t *need_begin; /* [n + 1] into need */
    uint32_t *need_end;   /* [n] behind the needs that may still be missing */
    uint32_t *need;
    uint32_t *place;   /* [n] place in the order, GSP_NONE: not in the list */
    uint32_t *waiting; /* [n] first and last of those that wait for an element */
    uint32_t *last;    /* [n] */
    uint32_t *next;    /* [n] who waits after this one */
    uint32_t *made;    /* [n_list] */
} gspi_order;

/* Lets element x wait, if need be; 1 when it has come out. */
static int gspi_order_try(gspi_order *o, uint32_t x, uint32_t *n_made)
{
    uint32_t *end = &o->need_end[x];
    while (*end > o->need_begin[x] && o->place[o->need[*end - 1u]] != GSP_NONE) {
        (*end)--;
    }
    if (*end > o->need_begin[x]) {
        uint32_t const on = o->need[*end - 1u];
        o->next[x] = GSP_NONE;
        if (o->waiting[on] == GSP_NONE) {
            o->waiting[on] = x;
        } else {
            o->next[o->last[on]] = x;
        }
        o->last[on] = x;
        return 0;
    }
    o->made[*n_made] = x;
    o->place[x] = (*n_made)++;
    return 1;
}

/* 1 when all elements have come out. */
static int gspi_order_run(gspi_order *o)
{
    uint32_t n_made = 0u;
    uint32_t i = 0u;
    uint32_t x;
    uint32_t again = GSP_NONE; /* those that are to be tried again, in turn */
    gspi_set(o->place, 0xFF, o->n, sizeof(uint32_t));
    gspi_set(o->waiting, 0xFF, o->n, sizeof(uint32_t));
    while (again != GSP_NONE || i < o->n_list) {
        x = again != GSP_NONE ? again : o->list[i++];
        again = again != GSP_NONE ? o->next[again] : again;
        if (gspi_order_try(o, x, &n_made) && o->waiting[x] != GSP_NONE) {
            o->next[o->last[x]] = again;
            again = o->waiting[x];
        }
    }
    gspi_copy(o->list, o->made, n_made, sizeof(uint32_t));
    return n_made == o->n_list;
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>k.values   What arguments mean while regions are replaced
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

/* While regions are replaced one group after the other, an argument means another value in time:
 * the node that stands there, or an item of a call, or, of an aggregate, all its items. Values are
 * numbered: nodes, then items. */

typedef struct gspi_values {
    const gsp_graph *g;
    uint32_t *went;    /* [n] subgraph with which a node goes, GSP_NONE: it stays */
    uint32_t *call_of; /* [n] call whose region holds it, GSP_NONE: none */
    uint32_t *item_of; /* [n] first item that stands for it */
} gspi_values;

/* The values of a node's arguments in flattened order, as they are when `time` subgraphs have been
 * made; GSP_NONE: in the end. */
typedef struct gspi_walk {
    const gsp_arg *args;
    uint32_t count;
    uint32_t time;
    uint32_t token;  /* index of the argument that value comes from */
    uint32_t next;   /* of the argument to look at next */
    uint32_t more;   /* elements of an aggregate that are still to come */
    uint32_t value;  /* the present one */
    uint32_t nested; /* 1: it is an element of an aggregate that is written out */
} gspi_walk;

static gspi_walk gspi_walk_over(const gspi_values *s, gsp_node v, uint32_t time)
{
    gspi_walk k;
    k.args = gsp_node_args(s->g, v, &k.count);
    k.time = time;
    k.token = GSP_NONE;
    k.next = 0u;
    k.more = 0u;
    k.value = GSP_NONE;
    k.nested = 0u;
    return k;
}

/* How many items stand for node v once it has gone; 1 for all but aggregates. */
static uint32_t gspi_value_count(const gspi_values *s, gsp_node v)
{
    uint32_t elements;
    return s->call_of[v] == GSP_NONE ||
                   gsp_type_container(gsp_node_type(s->g, v), &elements) == GSP_ARG_NONE
               ? 1u
               : elements;
}

/* The value of a node that is no aggregate, or still there. */
static uint32_t gspi_value_of(const gspi_values *s, gsp_node v, uint32_t time)
{
    return s->went[v] < time && s->item_of[v] != GSP_NONE ? s->g->n_nodes + s->item_of[v] : v;
}

/* 1 for an aggregate in the place of which its items are written. */
static int gspi_value_is_written_out(const gspi_values *s, gsp_node v, uint32_t time)
{
    uint32_t elements;
    return s->went[v] < time && s->call_of[v] != GSP_NONE &&
           gsp_type_container(gsp_node_type(s->g, v), &elements) != GSP_ARG_NONE;
}

static int gspi_walk_next(const gspi_values *s, gspi_walk *k)
{
    if (k->more > 0u) {
        k->more--;
        k->value++;
        return 1;
    }
    for (; k->next < k->count; k->next++) {
        gsp_node const v = k->args[k->next].value;
        if (k->args[k->next].kind != (uint32_t)GSP_ARG_NODE) {
            continue;
        }
        k->token = k->next;
        k->value = gspi_value_of(s, v, k->time);
        k->nested = gspi_value_is_written_out(s, v, k->time) ? 1u : 0u;
        if (k->nested == 0u || gspi_value_count(s, v) > 0u) {
            k->more = k->nested == 0u ? 0u : gspi_value_count(s, v) - 1u;
            k->next++;
            return 1;
        }
    }
    return 0;
}

/* ---- regions ---- */

/* Number of rows of a group. */
static uint32_t gspi_group_rows(const gsp_regions *r, uint32_t group)
{
    return (r->group_begin[group + 1u] - r->group_begin[group]) / r->group_regions[group];
}

static gsp_node gspi_group_member(const gsp_regions *r, uint32_t group, uint32_t row,
                                  uint32_t region)
{
    return r
        ->members[(size_t)r->group_begin[group] + (size_t)row * r->group_regions[group] + region];
}

/* The `i`-th of the nodes that come after v: its users, then its waiters; GSP_NONE: no more. */
static gsp_node gspi_later(const gsp_graph *g, const gsp_effects *effects, gsp_node v, uint32_t i)
{
    uint32_t count;
    const gsp_node *users = gsp_node_users(g, v, &count);
    const uint32_t *begin = effects->waiter_begin + v;
    if (i < count) {
        return users[i];
    }
    return i - count < begin[1] - begin[0] ? effects->waiters[begin[0] + i - count] : GSP_NONE;
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>effects   What is written, and the order that it forces                       (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

/* The places of a value are always a range of numbers, since elements of an aggregate get theirs
 * together: one for every element that some operator.getitem takes, and one for all the others.
 * A sweep forward over the last writers of all places finds who reads after a write, a sweep
 * backward over the next writers who writes after a read; so no lists of readers are needed. Both
 * are made twice, to count and to fill. */

typedef struct gspi_effects {
    const gsp_graph *g;
    uint32_t *place_begin;  /* [n] result */
    uint32_t *place_end;    /* [n] result */
    uint32_t *segment;      /* [n] result */
    uint32_t *waiter_begin; /* [n + 1] result */
    gsp_node *waiters;      /* result, NULL: only counted */
    uint64_t *key;          /* [n] of what shares places: a storage, an element */
    uint32_t *ids;          /* [n] */
    uint32_t *slot;         /* [n] place of an element in the range of its aggregate; get_attr:
                             * first node of the storage; GSP_NONE: others */
    uint32_t *n_slots;      /* [n] places for elements of an aggregate */
    gsp_node *writer;       /* [2 n] last or next writer of a place */
    uint32_t *written;      /* [2 n + 1] how many places before it are ever written */
    uint32_t *stamp;        /* [n] node that met this one last */
    uint32_t n_places;
    uint64_t n_waits;
} gspi_effects;

static void gspi_effects_keep(gspi_bump *b, gspi_effects *w, uint32_t n)
{
    w->place_begin = GSPI_LOW(b, uint32_t, n);
    w->place_end = GSPI_LOW(b, uint32_t, n);
    w->segment = GSPI_LOW(b, uint32_t, n);
    w->waiter_begin = GSPI_LOW(b, uint32_t, (size_t)n + 1u);
}

static void gspi_effects_layout(gspi_bump *b, gspi_effects *w, uint32_t n)
{
    gspi_effects_keep(b, w, n);
    w->key = GSPI_HIGH(b, uint64_t, n);
    w->ids = GSPI_HIGH(b, uint32_t, n);
    w->slot = GSPI_HIGH(b, uint32_t, n);
    w->n_slots = GSPI_HIGH(b, uint32_t, n);
    w->writer = GSPI_HIGH(b, gsp_node, gspi_mul_add(n, 2u, 0u));
    w->written = GSPI_HIGH(b, uint32_t, gspi_mul_add(n, 2u, 1u));
    w->stamp = GSPI_HIGH(b, uint32_t, n);
}

static uint32_t gspi_effects_max_waits(uint32_t edges, const gsp_effects_desc *desc)
{
    return desc == NULL || desc->max_waits == 0u ? gspi_count_mul(edges, 2u) : desc->max_waits;
}

GSP_API size_t gsp_effects_kept(const gsp_counts *counts, const gsp_effects_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_effects w;
    gspi_effects_keep(&b, &w, counts->nodes);
    w.waiters = GSPI_LOW(&b, gsp_node, gspi_effects_max_waits(counts->edges, desc));
    return b.used;
}

GSP_API size_t gsp_effects_bound(const gsp_counts *counts, const gsp_effects_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_effects w;
    gspi_effects_layout(&b, &w, counts->nodes);
    w.waiters = GSPI_LOW(&b, gsp_node, gspi_effects_max_waits(counts->edges, desc));
    return gspi_add(b.used, GSPI_SLACK);
}

/* The number that starts at `at` of a list such as "0,2"; *at moves behind its comma. */
static int gspi_effects_position(gsp_text t, uint32_t *at, uint32_t *position)
{
    uint32_t const begin = *at;
    uint64_t value;
    uint32_t end = begin;
    while (end < t.size && t.data[end] != ',') {
        end++;
    }
    *at = end < t.size ? end + 1u : t.size;
    if (!gspi_number(gspi_slice(t.data, begin, end), &value) || value >= GSP_NONE ||
        (end < t.size && end + 1u == t.size)) {
        return 0;
    }
    *position = (uint32_t)value;
    return 1;
}

/* What stands at a position: a node, or GSP_NONE for a constant. */
static gsp_node gspi_effects_at(const gsp_graph *g, gsp_node v, uint32_t position)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t const i = gsp_node_leaf(g, v, position);
    return i != GSP_NONE && args[i].kind == (uint32_t)GSP_ARG_NODE ? args[i].value : GSP_NONE;
}

GSP_API gsp_node gsp_effects_written(const gsp_graph *graph, gsp_node node, uint32_t *at)
{
    gsp_text const t = gsp_node_attr(graph, node, GSP_KEY_MUTATES);
    while (t.data != NULL && *at < t.size) {
        uint32_t position = 0u;
        gsp_node u;
        if (!gspi_effects_position(t, at, &position)) {
            break;
        }
        u = gspi_effects_at(graph, node, position);
        if (u != GSP_NONE) {
            return u;
        }
    }
    return GSP_NONE;
}

/* The node whose memory v lives in by `alias=`; GSP_NONE: v has none. */
static gsp_node gspi_effects_alias(const gsp_graph *g, gsp_node v)
{
    gsp_text const t = gsp_node_attr(g, v, GSP_KEY_ALIAS);
    uint32_t at = 0u;
    uint32_t position = 0u;
    if (t.data == NULL || !gspi_effects_position(t, &at, &position)) {
        return GSP_NONE;
    }
    return gspi_effects_at(g, v, position);
}

/* Every position of `mutates=` and the one of `alias=` exist. */
static int gspi_effects_is_sound(const gsp_graph *g, gsp_node v, gsp_key key)
{
    gsp_text const t = gsp_node_attr(g, v, key);
    uint32_t at = 0u;
    if (t.data == NULL) {
        return 1;
    }
    do {
        uint32_t position = 0u;
        if (!gspi_effects_position(t, &at, &position) ||
            gsp_node_leaf(g, v, position) == GSP_NONE) {
            return 0;
        }
    } while (at < t.size && key == GSP_KEY_MUTATES);
    return at >= t.size;
}

/* 1 for a getitem of any aggregate: its memory is that of the aggregate, or of one element. */
static int gspi_effects_is_getitem(const gsp_graph *g, gsp_node v)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t elements;
    return gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION &&
           g->module->target[g->first + v] == (gsp_string)GSP_KEY_GETITEM && count > 0u &&
           args[0].kind == (uint32_t)GSP_ARG_NODE &&
           gsp_type_container(gsp_node_type(g, args[0].value), &elements) != GSP_ARG_NONE;
}

/* How many elements of its own memory a node has; GSP_NONE: it is no such aggregate. */
static uint32_t gspi_effects_elements(const gsp_graph *g, gsp_node v)
{
    uint32_t elements;
    (void)gsp_type_container(gsp_node_type(g, v), &elements);
    return elements == GSP_NONE || gsp_node_op(g, v) == GSP_OP_GET_ATTR ||
                   gspi_effects_alias(g, v) != GSP_NONE || gspi_effects_is_getitem(g, v)
               ? GSP_NONE
               : elements;
}

/* The get_attr nodes of one storage, or of one target: slot becomes the first of them. */
static void gspi_effects_storages(gspi_effects *w)
{
    uint32_t n = 0u;
    uint32_t i;
    gsp_node v;
    for (v = 0u; v < w->g->n_nodes; v++) {
        if (gsp_node_op(w->g, v) == GSP_OP_GET_ATTR) {
            gsp_string const s = gspi_attr(w->g, v, GSP_KEY_STORAGE);
            w->key[v] =
                s == GSP_NONE ? w->g->module->target[w->g->first + v] : ((uint64_t)1u << 32) | s;
            w->ids[n++] = v;
        }
    }
    gspi_sort(w->ids, n, w->key);
    for (i = 0u; i < n; i++) {
        int const again = i > 0u && w->key[w->ids[i]] == w->key[w->ids[i - 1u]];
        w->slot[w->ids[i]] = again ? w->slot[w->ids[i - 1u]] : w->ids[i];
    }
}

/* The getitem nodes of one element: slot becomes its number among those of the aggregate. */
static void gspi_effects_slots(gspi_effects *w)
{
    uint32_t n = 0u;
    uint32_t i;
    gsp_node v;
    for (v = 0u; v < w->g->n_nodes; v++) {
        uint32_t const element = gsp_node_element(w->g, v);
        if (element != GSP_NONE && gspi_effects_alias(w->g, v) == GSP_NONE) {
            gsp_node const u = gsp_node_args(w->g, v, &i)[0].value;
            if (gspi_effects_elements(w->g, u) != GSP_NONE) {
                w->key[v] = ((uint64_t)u << 32) | element;
                w->ids[n++] = v;
            }
        }
    }
    gspi_sort(w->ids, n, w->key);
    for (i = 0u; i < n; i++) {
        uint64_t const key = w->key[w->ids[i]];
        int const again = i > 0u && key == w->key[w->ids[i - 1u]];
        w->slot[w->ids[i]] = again ? w->slot[w->ids[i - 1u]] : w->n_slots[(uint32_t)(key >> 32)]++;
    }
}

/* The places of node v, all inputs of which have theirs. */
static void gspi_effects_place(gspi_effects *w, gsp_node v)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(w->g, v, &count);
    gsp_op const op = gsp_node_op(w->g, v);
    gsp_node const alias = op == GSP_OP_GET_ATTR ? w->slot[v] : gspi_effects_alias(w->g, v);
    gsp_node const like = alias != GSP_NONE                  ? alias
                          : gspi_effects_is_getitem(w->g, v) ? args[0].value
                                                             : GSP_NONE;
    if (like != GSP_NONE && like != v) {
        w->place_begin[v] = w->place_begin[like];
        w->place_end[v] = w->place_end[like];
        if (alias == GSP_NONE && w->slot[v] != GSP_NONE) {
            w->place_begin[v] += w->slot[v];
            w->place_end[v] = w->place_begin[v] + 1u;
        }
        return;
    }
    w->place_begin[v] = w->n_places;
    w->n_places += gspi_effects_elements(w->g, v) == 0u ? 0u : w->n_slots[v] + 1u;
    w->place_end[v] = w->n_places;
}

/* Segments and places; in graph order, the output left out. */
static gsp_status gspi_effects_places(gspi_effects *w, gsp_error *err)
{
    uint32_t barriers = 0u;
    gsp_node v;
    gspi_set(w->slot, 0xFF, w->g->n_nodes, sizeof(uint32_t));
    gspi_set(w->n_slots, 0, w->g->n_nodes, sizeof(uint32_t));
    gspi_effects_storages(w);
    gspi_effects_slots(w);
    for (v = 0u; v < w->g->n_nodes; v++) {
        int const output = v + 1u == w->g->n_nodes;
        uint32_t const barrier = !output && gsp_node_is_barrier(w->g, v) ? 1u : 0u;
        if (!output && (!gspi_effects_is_sound(w->g, v, GSP_KEY_ALIAS) ||
                        !gspi_effects_is_sound(w->g, v, GSP_KEY_MUTATES))) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_POSITION, v, GSP_NONE);
        }
        w->segment[v] = 2u * barriers + barrier;
        barriers += barrier;
        w->place_begin[v] = w->n_places;
        w->place_end[v] = w->n_places;
        if (!output) {
            gspi_effects_place(w, v);
        }
    }
    return GSP_OK;
}

/* Marks all that node v writes; returns whether it writes anything. */
static int gspi_effects_write(const gspi_effects *w, gsp_node v, uint32_t *places, uint32_t value)
{
    uint32_t at = 0u;
    int any = 0;
    gsp_node u;
    while ((u = gsp_effects_written(w->g, v, &at)) != GSP_NONE) {
        uint32_t s;
        for (s = w->place_begin[u]; s < w->place_end[u]; s++) {
            places[s] = value;
            any = 1;
        }
    }
    return any;
}

/* Which places are ever written, as sums; 0: none is, and nothing waits. */
static int gspi_effects_sums(gspi_effects *w)
{
    int any = 0;
    uint32_t sum = 0u;
    uint32_t s;
    gsp_node v;
    gspi_set(w->written, 0, (size_t)w->n_places + 1u, sizeof(uint32_t));
    for (v = 0u; v + 1u < w->g->n_nodes; v++) {
        any |= gspi_effects_write(w, v, w->written, 1u);
    }
    for (s = 0u; s <= w->n_places; s++) {
        uint32_t const one = w->written[s];
        w->written[s] = sum;
        sum += one;
    }
    return any;
}

/* Notes that `later` waits for `earlier`. */
static void gspi_effects_wait(gspi_effects *w, gsp_node earlier, gsp_node later)
{
    if (w->waiters != NULL) {
        w->waiters[w->waiter_begin[earlier]++] = later;
    } else {
        w->waiter_begin[earlier]++;
        w->n_waits++;
    }
}

/* Lets node v meet the writers of what it reads: those before it when `before` != 0, which it
 * waits for, or those behind it, which wait for it. Who is stamped with v is known already. */
static void gspi_effects_meet(gspi_effects *w, gsp_node v, int before)
{
    uint32_t count;
    const gsp_node *inputs = gsp_node_inputs(w->g, v, &count);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        uint32_t s = w->place_begin[inputs[i]];
        uint32_t const end = w->place_end[inputs[i]];
        for (; s < end && w->written[s] != w->written[end]; s++) {
            gsp_node const other = w->writer[s];
            if (other == GSP_NONE || other == v || w->stamp[other] == v) {
                continue;
            }
            w->stamp[other] = v;
            gspi_effects_wait(w, before ? other : v, before ? v : other);
        }
    }
}

/* Both sweeps. */
static void gspi_effects_sweep(gspi_effects *w)
{
    uint32_t const last = w->g->n_nodes - 1u;
    uint32_t count;
    const gsp_node *row;
    uint32_t i;
    gsp_node v;
    gspi_set(w->writer, 0xFF, w->n_places, sizeof(gsp_node));
    gspi_set(w->stamp, 0xFF, w->g->n_nodes, sizeof(uint32_t));
    for (v = 0u; v < last; v++) {
        row = gsp_node_inputs(w->g, v, &count);
        for (i = 0u; i < count; i++) {
            w->stamp[row[i]] = v;
        }
        gspi_effects_meet(w, v, 1);
        (void)gspi_effects_write(w, v, w->writer, v);
    }
    gspi_set(w->writer, 0xFF, w->n_places, sizeof(gsp_node));
    gspi_set(w->stamp, 0xFF, w->g->n_nodes, sizeof(uint32_t));
    for (v = last; v > 0u; v--) {
        row = gsp_node_users(w->g, v - 1u, &count);
        for (i = 0u; i < count; i++) {
            w->stamp[row[i]] = v - 1u;
        }
        (void)gspi_effects_write(w, v - 1u, w->writer, v - 1u);
        gspi_effects_meet(w, v - 1u, 0);
    }
}

/* Counts the waits, makes room for exactly them, and fills it. */
static gsp_status gspi_effects_waits(gspi_effects *w, gsp_arena *arena, uint32_t most,
                                     gsp_error *err)
{
    uint32_t const n = w->g->n_nodes;
    uint32_t sum = 0u;
    gsp_node v;
    gspi_set(w->waiter_begin, 0, (size_t)n + 1u, sizeof(uint32_t));
    w->waiters = NULL;
    w->n_waits = 0u;
    if (!gspi_effects_sums(w)) {
        return GSP_OK;
    }
    gspi_effects_sweep(w);
    if (w->n_waits > most) {
        return gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_WAITS, w->n_waits, most);
    }
    for (v = 0u; v <= n; v++) {
        uint32_t const one = w->waiter_begin[v];
        w->waiter_begin[v] = sum;
        sum += one;
    }
    w->waiters = (gsp_node *)gspi_arena_take(arena, sum, sizeof(gsp_node), 0);
    gspi_effects_sweep(w);
    for (v = n; v > 0u; v--) { /* filling has moved every start to the next one */
        w->waiter_begin[v] = w->waiter_begin[v - 1u];
    }
    w->waiter_begin[0] = 0u;
    return GSP_OK;
}

GSP_API gsp_status gsp_effects_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_effects_desc *desc, gsp_effects *effects,
                                   gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_effects w;
    gsp_counts counts;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || graph == NULL || effects == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc != NULL && (desc->start_canary != 0u || desc->end_canary != 0u)) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_effects_bound(&counts, desc), err));
    mark = gsp_arena_mark(arena);
    w.g = graph;
    w.n_places = 0u;
    gspi_effects_layout(&b, &w, graph->n_nodes);
    status = gspi_effects_places(&w, err);
    if (status == GSP_OK) {
        status = gspi_effects_waits(&w, arena, gspi_effects_max_waits(counts.edges, desc), err);
    }
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    effects->n_nodes = graph->n_nodes;
    effects->n_places = w.n_places;
    effects->n_waits = (uint32_t)w.n_waits;
    effects->place_begin = w.place_begin;
    effects->place_end = w.place_end;
    effects->segment = w.segment;
    effects->waiter_begin = w.waiter_begin;
    effects->waiters = w.waiters;
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>same   Classes of identical nodes                                             (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

/* A table of one node a class, found by hash and then compared. Keyword arguments may stand in any
 * order: the hash adds up what stands behind each key, and the comparison walks both nodes in the
 * order of their keys, unless they happen to stand alike. */

typedef struct gspi_classes {
    uint32_t *class_of;    /* [n] result */
    uint32_t *class_begin; /* [n + 1] result */
    gsp_node *nodes;       /* [n] result */
    uint32_t *hash;        /* [n] by class */
    gsp_node *table;       /* [slots] a class, GSP_NONE: free */
    uint32_t slots;
} gspi_classes;

static void gspi_same_keep(gspi_bump *b, gspi_classes *w, uint32_t n)
{
    w->class_of = GSPI_LOW(b, uint32_t, n);
    w->class_begin = GSPI_LOW(b, uint32_t, (size_t)n + 1u);
    w->nodes = GSPI_LOW(b, gsp_node, n);
}

static void gspi_same_layout(gspi_bump *b, gspi_classes *w, uint32_t n)
{
    w->slots = gspi_pow2(gspi_count_add(n, n / 2u));
    gspi_same_keep(b, w, n);
    w->hash = GSPI_HIGH(b, uint32_t, n);
    w->table = GSPI_HIGH(b, gsp_node, w->slots == 0u ? SIZE_MAX : w->slots);
}

GSP_API size_t gsp_same_kept(const gsp_counts *counts)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_classes w;
    gspi_same_keep(&b, &w, counts->nodes);
    return b.used;
}

GSP_API size_t gsp_same_bound(const gsp_counts *counts, const gsp_same_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_classes w;
    (void)desc;
    gspi_same_layout(&b, &w, counts->nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

static uint32_t gspi_same_mix(uint32_t h, uint32_t x)
{
    h = (h ^ x) * 0x9E3779B1u;
    return h ^ (h >> 15);
}

/* What else tells nodes apart: the ids of these attributes. */
#define GSPI_SAME_TRAITS 4u

static void gspi_same_traits(const gsp_graph *g, gsp_node v, gsp_string *traits)
{
    static const uint8_t keys[GSPI_SAME_TRAITS] = {GSP_KEY_KEY, GSP_KEY_STATE, GSP_KEY_MUTATES,
                                                   GSP_KEY_ALIAS};
    const gsp_attr *a = g->module->attrs + g->module->attr[g->first + v];
    uint32_t i;
    gspi_set(traits, 0xFF, GSPI_SAME_TRAITS, sizeof(gsp_string));
    for (; a->key != (gsp_string)GSP_KEY_NONE; a++) {
        for (i = 0u; i < GSPI_SAME_TRAITS; i++) {
            if (a->key == keys[i] && traits[i] == GSP_NONE) {
                traits[i] = a->value;
            }
        }
    }
}

/* What an argument token is worth: of a node its TYPE. */
static uint32_t gspi_same_value(const gsp_graph *g, gsp_arg a)
{
    return a.kind == (uint32_t)GSP_ARG_NODE ? g->module->type[g->first + a.value] : a.value;
}

static uint32_t gspi_same_hash(const gsp_graph *g, gsp_node v)
{
    gsp_string traits[GSPI_SAME_TRAITS];
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t h = gspi_same_mix(g->module->target[g->first + v], g->module->op[g->first + v]);
    uint32_t sum = 0u;
    int keyed = 0;
    uint32_t i;
    gspi_same_traits(g, v, traits);
    h = gspi_same_mix(h, g->module->type[g->first + v]);
    for (i = 0u; i < GSPI_SAME_TRAITS; i++) {
        h = gspi_same_mix(h, traits[i]);
    }
    for (i = 0u; i < count; i++) {
        if (args[i].kind == (uint32_t)GSP_ARG_KEY ||
            (keyed && args[i].kind == (uint32_t)GSP_ARG_CLOSE)) {
            sum += gspi_same_mix(h, h >> 16);
            h = 1u;
            keyed = 1;
        }
        h = gspi_same_mix(gspi_same_mix(h, args[i].kind), gspi_same_value(g, args[i]));
    }
    return gspi_same_mix(sum + gspi_same_mix(h, h >> 16), count);
}

/* ---- arguments in the order of their keys ---- */

/* Where the value starts that ends with token `i`. */
static uint32_t gspi_same_start(const gsp_arg *args, uint32_t i)
{
    return args[i].kind == (uint32_t)GSP_ARG_CLOSE ? i - args[i].value : i;
}

/* Of the keys that stand beside the one at `key`, itself included, the least that follows `after`
 * by id and then by place; GSP_NONE as `after`: the least of all. GSP_NONE: none follows. */
static uint32_t gspi_same_key(const gsp_arg *args, uint32_t count, uint32_t key, uint32_t after)
{
    uint32_t best = GSP_NONE;
    uint32_t i = key;
    while (i > 0u && args[i - 1u].kind != (uint32_t)GSP_ARG_DICT) {
        uint32_t const start = gspi_same_start(args, i - 1u);
        if (start == 0u || args[start - 1u].kind != (uint32_t)GSP_ARG_KEY) {
            break;
        }
        i = start - 1u;
    }
    for (; i < count && args[i].kind == (uint32_t)GSP_ARG_KEY; i = gspi_element_end(args, i)) {
        int const follows = after == GSP_NONE || args[i].value > args[after].value ||
                            (args[i].value == args[after].value && i > after);
        if (follows && (best == GSP_NONE || args[i].value < args[best].value)) {
            best = i;
        }
    }
    return best;
}

/* The token that follows `i` when keys are taken in their order; `count`: none does. */
static uint32_t gspi_same_next(const gsp_arg *args, uint32_t count, uint32_t i)
{
    int const opens =
        args[i].kind >= (uint32_t)GSP_ARG_TUPLE && args[i].kind <= (uint32_t)GSP_ARG_SLICE;
    uint32_t start;
    uint32_t next = i + 1u;
    if (args[i].kind != (uint32_t)GSP_ARG_KEY && !opens) { /* a value ends here: has it a key? */
        start = gspi_same_start(args, i);
        if (start > 0u && args[start - 1u].kind == (uint32_t)GSP_ARG_KEY) {
            next = gspi_same_key(args, count, start - 1u, start - 1u);
            if (next != GSP_NONE) {
                return next;
            }
            for (next = i + 1u; next < count && args[next].kind == (uint32_t)GSP_ARG_KEY;) {
                next = gspi_element_end(args, next);
            }
            return next;
        }
    }
    return next < count && args[next].kind == (uint32_t)GSP_ARG_KEY &&
                   args[i].kind != (uint32_t)GSP_ARG_KEY
               ? gspi_same_key(args, count, next, GSP_NONE)
               : next;
}

static uint32_t gspi_same_first(const gsp_arg *args, uint32_t count)
{
    return count > 0u && args[0].kind == (uint32_t)GSP_ARG_KEY
               ? gspi_same_key(args, count, 0u, GSP_NONE)
               : 0u;
}

static int gspi_same_tokens(const gsp_graph *g, const gsp_arg *a, const gsp_arg *b, uint32_t count)
{
    uint32_t i = 0u;
    uint32_t k;
    while (i < count && a[i].kind == b[i].kind &&
           (a[i].value == b[i].value || gspi_same_value(g, a[i]) == gspi_same_value(g, b[i]))) {
        i++;
    }
    if (i == count) {
        return 1;
    }
    i = gspi_same_first(a, count);
    k = gspi_same_first(b, count);
    while (i < count && k < count && a[i].kind == b[k].kind &&
           gspi_same_value(g, a[i]) == gspi_same_value(g, b[k])) {
        i = gspi_same_next(a, count, i);
        k = gspi_same_next(b, count, k);
    }
    return i == count && k == count;
}

GSP_API int gsp_same_nodes(const gsp_graph *graph, gsp_node a, gsp_node b)
{
    const gsp_module *m = graph->module;
    uint32_t const x = graph->first + a;
    uint32_t const y = graph->first + b;
    gsp_string traits[2][GSPI_SAME_TRAITS];
    uint32_t count;
    uint32_t other;
    const gsp_arg *a_args = gsp_node_args(graph, a, &count);
    const gsp_arg *b_args = gsp_node_args(graph, b, &other);
    if (m->op[x] != m->op[y] || m->target[x] != m->target[y] || m->type[x] != m->type[y] ||
        count != other) {
        return 0;
    }
    gspi_same_traits(graph, a, traits[0]);
    gspi_same_traits(graph, b, traits[1]);
    return gspi_same(traits[0], traits[1], sizeof(traits[0])) &&
           gspi_same_tokens(graph, a_args, b_args, count);
}

/* ---- classes ---- */

/* The class of node v, which is the first of a new one if need be; its first nodes stand in
 * w->nodes. */
static uint32_t gspi_same_class(gspi_classes *w, const gsp_graph *g, gsp_node v, uint32_t hash,
                                uint32_t *n_classes)
{
    uint32_t slot = gspi_same_mix(hash, hash >> 16) & (w->slots - 1u);
    uint32_t c;
    while ((c = w->table[slot]) != GSP_NONE) {
        if (w->hash[c] == hash && gsp_same_nodes(g, w->nodes[c], v)) {
            return c;
        }
        slot = (slot + 1u) & (w->slots - 1u);
    }
    c = (*n_classes)++;
    w->table[slot] = c;
    w->hash[c] = hash;
    w->nodes[c] = v;
    w->class_begin[c] = 0u;
    return c;
}

/* Classes of all callable nodes; class_begin counts them. */
static uint32_t gspi_same_classes(gspi_classes *w, const gsp_graph *g, uint32_t mask)
{
    uint32_t n_classes = 0u;
    gsp_node v;
    gspi_set(w->table, 0xFF, w->slots, sizeof(gsp_node));
    for (v = 0u; v < g->n_nodes; v++) {
        w->class_of[v] = GSP_NONE;
        if (gsp_node_is_callable(g, v) && !gsp_node_is_barrier(g, v)) {
            w->class_of[v] = gspi_same_class(w, g, v, gspi_same_hash(g, v) & mask, &n_classes);
            w->class_begin[w->class_of[v]]++;
        }
    }
    return n_classes;
}

/* Leaves out the classes of one node, and makes rows of the others. Returns how many are left. */
static uint32_t gspi_same_rows(gspi_classes *w, uint32_t n_nodes, uint32_t n_classes)
{
    uint32_t kept = 0u;
    uint32_t c;
    gsp_node v;
    for (c = 0u; c < n_classes; c++) {
        w->hash[c] = w->class_begin[c] > 1u ? kept : GSP_NONE; /* its new number */
        if (w->class_begin[c] > 1u) {
            w->class_begin[kept++] = w->class_begin[c];
        }
    }
    gspi_counts_to_ends(w->class_begin, kept);
    for (v = n_nodes; v > 0u; v--) {
        c = w->class_of[v - 1u];
        c = c == GSP_NONE ? c : w->hash[c];
        w->class_of[v - 1u] = c;
        if (c != GSP_NONE) {
            w->nodes[--w->class_begin[c]] = v - 1u;
        }
    }
    return kept;
}

GSP_API gsp_status gsp_same_run(gsp_arena *arena, const gsp_graph *graph, const gsp_same_desc *desc,
                                gsp_same *same, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_classes w;
    gsp_counts counts;
    gsp_mark mark;
    uint32_t n_classes;
    uint32_t mask = UINT32_MAX;
    if (arena == NULL || graph == NULL || same == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc != NULL && (desc->start_canary != 0u || desc->end_canary != 0u)) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_same_bound(&counts, desc), err));
    mark = gsp_arena_mark(arena);
    gspi_same_layout(&b, &w, graph->n_nodes);
    if (desc != NULL && desc->hash_bits > 0u && desc->hash_bits < 32u) {
        mask = (1u << desc->hash_bits) - 1u;
    }
    n_classes = gspi_same_classes(&w, graph, mask);
    same->n_nodes = graph->n_nodes;
    same->n_classes = gspi_same_rows(&w, graph->n_nodes, n_classes);
    same->class_of = w.class_of;
    same->class_begin = w.class_begin;
    same->nodes = w.nodes;
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>regions   Repeated regions                                                    (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

/* A candidate is an input of a member, so it is an ancestor of the region's end, and so are all its
 * own ancestors: what stands above a region never changes while it grows. A step would close a
 * cycle exactly when a user of the candidate, outside of the region, reaches the end; a question
 * about the graph as it was. Barriers cut the graph into segments, each wholly before the next.
 * Within a segment three numbers a node answer nearly all questions (GRAIL): its level, its number
 * in one post-order, and the least such number that it reaches. The others are searched.
 *
 * The queue of a region is its members, in the order in which they came, and their inputs: two
 * numbers say how far it has been read. A node is added as a candidate once in all, and may be
 * added to a first region again and again, but each time with a new candidate in another region;
 * hence all tables together have no more than 3 n entries. */

typedef struct gspi_regions {
    const gsp_graph *g;
    const gsp_same *same;
    const gsp_effects *effects;
    uint32_t *group_begin;   /* [n + 1] result */
    uint32_t *group_regions; /* [n] result */
    gsp_node *members;       /* [3 n] result */
    uint32_t *level;         /* [n] longest path from a source */
    uint32_t *post;          /* [n] number in a post-order along users */
    uint32_t *low;           /* [n] least post that is reachable */
    uint32_t *seen;          /* [n] search that met this node last */
    uint32_t *stack;         /* [n] */
    uint32_t *in_first;      /* [n] group + 1, the first region of which holds this node */
    uint32_t *in_other;      /* [n] other region that holds it, counted over all groups from 1 */
    uint32_t *claimed;       /* [n / 32] added by some step */
    uint32_t *adding;        /* [n / 32] in the step at hand */
    gsp_node *row;           /* [n] candidates of the step at hand */
    uint32_t *at_member;     /* [n] queues: member ... */
    uint32_t *at_input;      /* [n] ... and its input that come next; */
    uint64_t *key;           /* [n + 1] after growing the same bytes are the keys of a sort */
    uint32_t *ids;           /* [n + 1] */
    uint32_t n_groups;
    uint32_t n_members; /* entries of members before the group at hand */
    uint32_t n_others;  /* regions so far that are not the first of their group */
    uint32_t n_seen;    /* searches */
    uint64_t work;
    uint64_t max_work;
} gspi_regions;

/* The table that is growing. */
typedef struct gspi_region_group {
    gsp_node *members; /* [rows * columns] */
    uint32_t rows;
    uint32_t columns;
    uint32_t group; /* number of the group, plus 1 */
    uint32_t other; /* number of its region 1 among others; region 0 is not one of them */
} gspi_region_group;

static void gspi_regions_keep(gspi_bump *b, gspi_regions *w, uint32_t n)
{
    w->group_begin = GSPI_LOW(b, uint32_t, (size_t)n / 2u + 1u);
    w->group_regions = GSPI_LOW(b, uint32_t, (size_t)n / 2u);
    w->members = GSPI_LOW(b, gsp_node, gspi_mul_add(n, 3u, 0u));
}

static void gspi_regions_layout(gspi_bump *b, gspi_regions *w, uint32_t n)
{
    size_t const words = gsp_bitset_words(n);
    gspi_regions_keep(b, w, n);
    w->level = GSPI_HIGH(b, uint32_t, n);
    w->post = GSPI_HIGH(b, uint32_t, n);
    w->low = GSPI_HIGH(b, uint32_t, n);
    w->seen = GSPI_HIGH(b, uint32_t, n);
    w->stack = GSPI_HIGH(b, uint32_t, n);
    w->in_first = GSPI_HIGH(b, uint32_t, n);
    w->in_other = GSPI_HIGH(b, uint32_t, n);
    w->claimed = GSPI_HIGH(b, uint32_t, words);
    w->adding = GSPI_HIGH(b, uint32_t, words);
    w->row = GSPI_HIGH(b, gsp_node, n);
    w->key = GSPI_HIGH(b, uint64_t, (size_t)n + 1u);
    w->at_member = (uint32_t *)(void *)w->key;
    w->at_input = w->at_member == NULL ? NULL : w->at_member + n;
    w->ids = GSPI_HIGH(b, uint32_t, (size_t)n + 1u);
}

static gsp_effects_desc gspi_regions_effects(const gsp_regions_desc *desc)
{
    gsp_effects_desc d;
    d.start_canary = 0u;
    d.max_waits = desc == NULL ? 0u : desc->max_waits;
    d.end_canary = 0u;
    return d;
}

static size_t gspi_regions_own(const gsp_counts *counts, int kept)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_regions w;
    if (kept) {
        gspi_regions_keep(&b, &w, counts->nodes);
    } else {
        gspi_regions_layout(&b, &w, counts->nodes);
    }
    return b.used;
}

GSP_API size_t gsp_regions_kept(const gsp_counts *counts, const gsp_regions_desc *desc)
{
    gsp_effects_desc const e = gspi_regions_effects(desc);
    return gspi_add(gspi_add(gsp_effects_kept(counts, &e), gsp_same_kept(counts)),
                    gspi_regions_own(counts, 1));
}

GSP_API size_t gsp_regions_bound(const gsp_counts *counts, const gsp_regions_desc *desc)
{
    gsp_effects_desc const e = gspi_regions_effects(desc);
    size_t const after = gspi_add(gsp_effects_kept(counts, &e), GSP_ALIGN);
    size_t const both = gspi_add(after, gspi_add(gsp_same_kept(counts), GSP_ALIGN));
    size_t const same = gspi_add(after, gsp_same_bound(counts, NULL));
    size_t const own = gspi_add(both, gspi_add(gspi_regions_own(counts, 0), GSPI_SLACK));
    return gspi_max(gsp_effects_bound(counts, &e), gspi_max(same, own));
}

/* ---- the index ---- */

/* Visits all that is reachable from `root` and not yet visited; depth first, `seen` says how many
 * of the nodes after each have been looked at, plus one. Returns the next number of the
 * post-order. */
static uint32_t gspi_regions_visit(const gspi_regions *w, gsp_node root, uint32_t post)
{
    uint32_t depth = 1u;
    w->stack[0] = root;
    w->seen[root] = 1u;
    while (depth > 0u) {
        gsp_node const v = w->stack[depth - 1u];
        gsp_node const u = gspi_later(w->g, w->effects, v, w->seen[v] - 1u);
        if (u == GSP_NONE) {
            w->post[v] = post;
            w->low[v] = w->low[v] < post ? w->low[v] : post;
            post++;
            depth--;
            if (depth > 0u && w->low[w->stack[depth - 1u]] > w->low[v]) {
                w->low[w->stack[depth - 1u]] = w->low[v];
            }
            continue;
        }
        w->seen[v]++;
        if (w->seen[u] == 0u) {
            w->seen[u] = 1u;
            w->stack[depth++] = u;
        } else if (w->low[u] < w->low[v]) {
            w->low[v] = w->low[u];
        }
    }
    return post;
}

static void gspi_regions_index(const gspi_regions *w)
{
    uint32_t const n = w->g->n_nodes;
    uint32_t post = 0u;
    uint32_t i;
    gsp_node u;
    gsp_node v;
    gspi_set(w->seen, 0, n, sizeof(uint32_t));
    gspi_set(w->low, 0xFF, n, sizeof(uint32_t));
    for (v = 0u; v < n; v++) {
        if (w->seen[v] == 0u) {
            post = gspi_regions_visit(w, v, post);
        }
    }
    gspi_set(w->level, 0, n, sizeof(uint32_t));
    for (v = 0u; v < n; v++) {
        for (i = 0u; (u = gspi_later(w->g, w->effects, v, i)) != GSP_NONE; i++) {
            if (w->level[u] <= w->level[v]) {
                w->level[u] = w->level[v] + 1u;
            }
        }
    }
    gspi_set(w->seen, 0, n, sizeof(uint32_t));
}

/* 0: there is no path from v to `end`; 1: there may be one. */
static int gspi_regions_may_reach(const gspi_regions *w, gsp_node v, gsp_node end)
{
    return v < end && w->level[v] < w->level[end] && w->low[v] <= w->low[end] &&
           w->post[end] < w->post[v];
}

/* Whether there is a path from v to `end`, v another node. */
static int gspi_regions_reaches(gspi_regions *w, gsp_node v, gsp_node end)
{
    uint32_t depth = 0u;
    if (!gspi_regions_may_reach(w, v, end)) {
        return 0;
    }
    if (++w->n_seen == 0u) {
        gspi_set(w->seen, 0, w->g->n_nodes, sizeof(uint32_t));
        w->n_seen = 1u;
    }
    w->stack[depth++] = v;
    w->seen[v] = w->n_seen;
    while (depth > 0u) {
        uint32_t i;
        gsp_node u;
        v = w->stack[--depth];
        for (i = 0u; (u = gspi_later(w->g, w->effects, v, i)) != GSP_NONE; i++) {
            w->work++;
            if (u == end) {
                return 1;
            }
            if (w->seen[u] != w->n_seen && gspi_regions_may_reach(w, u, end)) {
                w->seen[u] = w->n_seen;
                w->stack[depth++] = u;
            }
        }
    }
    return 0;
}

/* ---- growing ---- */

static int gspi_regions_holds(const gspi_regions *w, const gspi_region_group *t, uint32_t region,
                              gsp_node v)
{
    return region == 0u ? w->in_first[v] == t->group : w->in_other[v] == t->other + region - 1u;
}

static void gspi_regions_enter(const gspi_regions *w, const gspi_region_group *t, uint32_t region,
                               gsp_node v)
{
    if (region == 0u) {
        w->in_first[v] = t->group;
    } else {
        w->in_other[v] = t->other + region - 1u;
    }
}

/* Whether a path would leave the region by candidate c and come back. */
static int gspi_regions_is_cyclic(gspi_regions *w, const gspi_region_group *t, uint32_t region,
                                  gsp_node c)
{
    gsp_node const end = t->members[region];
    uint32_t i;
    gsp_node u;
    if (w->effects->segment[c] != w->effects->segment[end]) {
        return 1;
    }
    for (i = 0u; (u = gspi_later(w->g, w->effects, c, i)) != GSP_NONE; i++) {
        w->work++;
        if (u < end && !gspi_regions_holds(w, t, region, u) && gspi_regions_reaches(w, u, end)) {
            return 1;
        }
    }
    return 0;
}

/* Takes the next node from the queue of a region; GSP_NONE: it is empty. */
static gsp_node gspi_regions_pop(const gspi_regions *w, const gspi_region_group *t, uint32_t region)
{
    while (w->at_member[region] < t->rows) {
        gsp_node const v = t->members[(size_t)w->at_member[region] * t->columns + region];
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(w->g, v, &count);
        if (w->at_input[region] < count) {
            return inputs[w->at_input[region]++];
        }
        w->at_member[region]++;
        w->at_input[region] = 0u;
    }
    return GSP_NONE;
}

/* Pops every queue into w->row; 1 when the candidates are of one class, distinct and, but for the
 * first, in no region yet. All queues move on, whatever comes of it. */
static int gspi_regions_pop_all(const gspi_regions *w, const gspi_region_group *t)
{
    uint32_t const class_of = w->same->class_of[w->row[0]];
    int good = class_of != GSP_NONE;
    uint32_t n = 1u;
    uint32_t i;
    for (i = 1u; i < t->columns; i++) {
        gsp_node const c = gspi_regions_pop(w, t, i);
        uint32_t const bit = 1u << (c % 32u);
        if (!good) {
            continue;
        }
        good = c != GSP_NONE && c != w->row[0] && w->same->class_of[c] == class_of &&
               ((w->claimed[c / 32u] | w->adding[c / 32u]) & bit) == 0u;
        if (good) {
            w->adding[c / 32u] |= bit;
            w->row[n++] = c;
        }
    }
    for (i = 1u; i < n; i++) {
        w->adding[w->row[i] / 32u] &= ~(1u << (w->row[i] % 32u));
    }
    return good;
}

/* Grows the regions that end in the members of row 0. */
static gsp_status gspi_regions_grow(gspi_regions *w, gspi_region_group *t, gsp_error *err)
{
    uint32_t i;
    for (i = 0u; i < t->columns; i++) {
        gspi_regions_enter(w, t, i, t->members[i]);
        w->at_member[i] = 0u;
        w->at_input[i] = 0u;
    }
    while ((w->row[0] = gspi_regions_pop(w, t, 0u)) != GSP_NONE) {
        int good = gspi_regions_pop_all(w, t);
        for (i = 0u; good && i < t->columns; i++) {
            good = !gspi_regions_is_cyclic(w, t, i, w->row[i]);
        }
        if (w->max_work != 0u && w->work > w->max_work) {
            return gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_WORK, w->work, w->max_work);
        }
        for (i = 0u; good && i < t->columns; i++) {
            t->members[(size_t)t->rows * t->columns + i] = w->row[i];
            gspi_regions_enter(w, t, i, w->row[i]);
            w->claimed[w->row[i] / 32u] |= 1u << (w->row[i] % 32u);
        }
        t->rows += good ? 1u : 0u;
    }
    return GSP_OK;
}

/* ---- after growing ---- */

static void gspi_regions_move_row(const gspi_region_group *t, uint32_t to, uint32_t from)
{
    gspi_copy(t->members + (size_t)to * t->columns, t->members + (size_t)from * t->columns,
              to == from ? 0u : t->columns, sizeof(gsp_node));
}

/* Rows in graph order of the first region. A node that it holds twice: what came later first. */
static void gspi_regions_sort(const gspi_regions *w, const gspi_region_group *t)
{
    uint32_t p;
    for (p = 0u; p < t->rows; p++) {
        w->ids[p] = p;
        w->key[p] = ((uint64_t)t->members[(size_t)p * t->columns] << 32) | (UINT32_MAX - p);
    }
    gspi_sort(w->ids, t->rows, w->key);
    for (p = 0u; p < t->rows; p++) { /* w->ids[p]: the row that belongs to place p */
        uint32_t to = p;
        uint32_t from = w->ids[p];
        if (from == p) {
            continue;
        }
        gspi_copy(w->row, t->members + (size_t)p * t->columns, t->columns, sizeof(gsp_node));
        while (from != p) {
            gspi_regions_move_row(t, to, from);
            w->ids[to] = to;
            to = from;
            from = w->ids[to];
        }
        gspi_copy(t->members + (size_t)to * t->columns, w->row, t->columns, sizeof(gsp_node));
        w->ids[to] = to;
    }
}

/* 1 when some region has at row p the getitem of an aggregate that is not in it. */
static int gspi_regions_gives_up(const gspi_regions *w, const gspi_region_group *t, uint32_t p)
{
    uint32_t i;
    for (i = 0u; i < t->columns; i++) {
        gsp_node const v = t->members[(size_t)p * t->columns + i];
        uint32_t count;
        const gsp_arg *args = gsp_node_args(w->g, v, &count);
        uint32_t elements;
        if (gsp_node_op(w->g, v) != GSP_OP_CALL_FUNCTION ||
            w->g->module->target[w->g->first + v] != (gsp_string)GSP_KEY_GETITEM) {
            return 0; /* they are identical */
        }
        if (count > 0u && args[0].kind == (uint32_t)GSP_ARG_NODE &&
            gsp_type_container(gsp_node_type(w->g, args[0].value), &elements) != GSP_ARG_NONE &&
            !gspi_regions_holds(w, t, i, args[0].value)) {
            return 1;
        }
    }
    return 0;
}

/* Takes the nodes of row p out of their regions; a node that the first region holds in another row,
 * too, stands in a row beside it. */
static void gspi_regions_leave(const gspi_regions *w, const gspi_region_group *t, uint32_t p,
                               uint32_t kept)
{
    const gsp_node *row = t->members + (size_t)p * t->columns;
    uint32_t i;
    if (!((kept > 0u && t->members[(size_t)(kept - 1u) * t->columns] == row[0]) ||
          (p + 1u < t->rows && row[t->columns] == row[0]))) {
        w->in_first[row[0]] = 0u;
    }
    for (i = 1u; i < t->columns; i++) {
        w->in_other[row[i]] = 0u;
    }
}

static void gspi_regions_getitems(const gspi_regions *w, gspi_region_group *t)
{
    uint32_t kept = 0u;
    uint32_t p;
    for (p = 0u; p < t->rows; p++) {
        if (gspi_regions_gives_up(w, t, p)) {
            gspi_regions_leave(w, t, p, kept);
        } else {
            gspi_regions_move_row(t, kept++, p);
        }
    }
    t->rows = kept;
}

/* The regions that end in the nodes of a class. */
static gsp_status gspi_regions_class(gspi_regions *w, uint32_t class_of, gsp_error *err)
{
    const uint32_t *begin = w->same->class_begin + class_of;
    gspi_region_group t;
    t.members = w->members + w->n_members;
    t.rows = 1u;
    t.columns = begin[1] - begin[0];
    t.group = w->same->n_classes - class_of;
    t.other = w->n_others + 1u;
    w->n_others += t.columns - 1u;
    gspi_copy(t.members, w->same->nodes + begin[0], t.columns, sizeof(gsp_node));
    GSPI_TRY(gspi_regions_grow(w, &t, err));
    if (t.rows > 1u) {
        gspi_regions_sort(w, &t);
        gspi_regions_getitems(w, &t);
    }
    if (t.rows > 1u) {
        w->group_begin[w->n_groups] = w->n_members;
        w->group_regions[w->n_groups++] = t.columns;
        w->n_members += t.rows * t.columns;
    }
    return GSP_OK;
}

static gsp_status gspi_regions_all(gspi_regions *w, gsp_error *err)
{
    uint32_t const n = w->g->n_nodes;
    uint32_t c;
    w->n_groups = 0u;
    w->n_members = 0u;
    w->n_others = 0u;
    w->n_seen = 0u;
    w->work = 0u;
    gspi_regions_index(w);
    gspi_set(w->in_first, 0, n, sizeof(uint32_t));
    gspi_set(w->in_other, 0, n, sizeof(uint32_t));
    gspi_set(w->claimed, 0, gsp_bitset_words(n), sizeof(uint32_t));
    gspi_set(w->adding, 0, gsp_bitset_words(n), sizeof(uint32_t));
    for (c = w->same->n_classes; c > 0u; c--) {
        GSPI_TRY(gspi_regions_class(w, c - 1u, err));
    }
    w->group_begin[w->n_groups] = w->n_members;
    return GSP_OK;
}

/* Effects, classes, regions, each on what is left of the arena. */
GSPI_OWN_FRAME gsp_status gspi_regions_find(gspi_regions *w, gsp_arena *arena,
                                            const gsp_regions_desc *desc, gsp_regions *regions,
                                            gsp_error *err)
{
    gsp_effects_desc const effects = gspi_regions_effects(desc);
    gsp_same_desc same;
    gspi_bump b = gspi_bump_over(arena);
    same.start_canary = 0u;
    same.hash_bits = desc == NULL ? 0u : desc->hash_bits;
    same.end_canary = 0u;
    GSPI_TRY(gsp_effects_run(arena, w->g, &effects, &regions->effects, err));
    GSPI_TRY(gsp_same_run(arena, w->g, &same, &regions->same, err));
    w->same = &regions->same;
    w->effects = &regions->effects;
    w->max_work = desc == NULL ? 0u : desc->max_work;
    gspi_regions_layout(&b, w, w->g->n_nodes);
    return gspi_regions_all(w, err);
}

GSP_API gsp_status gsp_regions_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_regions_desc *desc, gsp_regions *regions,
                                   gsp_error *err)
{
    gspi_regions w;
    gsp_regions found;
    gsp_counts counts;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || graph == NULL || regions == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc != NULL && (desc->start_canary != 0u || desc->end_canary != 0u)) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_regions_bound(&counts, desc), err));
    mark = gsp_arena_mark(arena);
    w.g = graph;
    status = gspi_regions_find(&w, arena, desc, &found, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    found.n_groups = w.n_groups;
    found.group_begin = w.group_begin;
    found.group_regions = w.group_regions;
    found.members = w.members;
    found.work = w.work;
    *regions = found;
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>accept   Which regions can be replaced                                        (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

/* Groups are replaced one after the other, so each is judged on the graph as those before it have
 * left it (see k.values). Whether one node in the place of a region would close a cycle is first
 * taken to be no for all of them, and tested once at the end: contracting less cannot close a
 * cycle that contracting more does not. Only when there is one all is done again, with an order of
 * the contracted graph that is kept up to date (as Pearce and Kelly do): every node has a label,
 * first of all a slot of its own, nodes of a region next to each other where that is possible; a
 * region that is contracted takes the label of its last node, and what it reaches before the end
 * of that slot moves to the end. */

typedef struct gspi_accept {
    gspi_values s; /* went, call_of, item_of: results */
    const gsp_regions *r;
    const gsp_effects *effects;
    uint32_t *group_of;   /* [n / 4] results from here */
    uint32_t *call_begin; /* [n / 4 + 1] */
    uint32_t *region_of;  /* [n / 2] */
    uint32_t *out_begin;  /* [n / 4 + 1] */
    uint32_t *outs;       /* [n + 1] */
    uint32_t *item_begin; /* [n / 2 + 1] */
    gsp_node *item_node;  /* [n + outputs] */
    uint32_t *item_place; /* [n + outputs] place of an element, GSP_NONE: that of all others */
    uint32_t *in;         /* [n] region that was looked at last with this node in it */
    uint32_t *at;         /* [n] its row there */
    uint32_t *in_first;   /* [n] the same for the first region that is replaced */
    uint32_t *at_first;   /* [n] */
    uint32_t *met;        /* [n + items] region that was looked at last with this value outside */
    uint32_t *pair;       /* [n + items] value outside of the first region that goes with it */
    uint32_t *met_first;  /* [n + items] the same, the other way round */
    uint32_t *pair_first; /* [n + items] */
    uint32_t *place;      /* [2 n] region that met this place last */
    uint64_t *label;      /* [n] cycles: an order of the units, ascending */
    uint32_t *top;        /* [n] last label in the slot of a node */
    uint32_t *after;      /* [n] what a region reaches */
    uint32_t *seen;       /* [n] */
    uint32_t max_outputs;
    uint32_t n_subgraphs;
    uint32_t n_calls;
    uint32_t n_items;
    uint32_t n_outputs;
    uint32_t n_regions; /* regions looked at */
    uint32_t n_seen;
    int careful; /* every region is tested for a cycle */
    uint64_t work;
    uint64_t max_work;
} gspi_accept;

/* The group that is judged. */
typedef struct gspi_accept_group {
    uint32_t group;
    uint32_t rows;
    uint32_t columns;
    uint32_t first; /* region of the first call, GSP_NONE: none yet */
    uint32_t taken; /* calls */
    int has_inputs;
    uint64_t label; /* that the first node of the region contracted last had before */
} gspi_accept_group;

static uint32_t gspi_accept_outputs(uint32_t nodes, const gsp_accept_desc *desc)
{
    return desc == NULL || desc->max_outputs == 0u ? gspi_count_mul(nodes, 2u) : desc->max_outputs;
}

static void gspi_accept_keep(gspi_bump *b, gspi_accept *w, uint32_t n, size_t items)
{
    w->s.went = GSPI_LOW(b, uint32_t, n);
    w->s.call_of = GSPI_LOW(b, uint32_t, n);
    w->s.item_of = GSPI_LOW(b, uint32_t, n);
    w->group_of = GSPI_LOW(b, uint32_t, (size_t)n / 4u + 1u);
    w->call_begin = GSPI_LOW(b, uint32_t, (size_t)n / 4u + 1u);
    w->region_of = GSPI_LOW(b, uint32_t, n);
    w->out_begin = GSPI_LOW(b, uint32_t, (size_t)n / 4u + 1u);
    w->outs = GSPI_LOW(b, uint32_t, (size_t)n + 1u);
    w->item_begin = GSPI_LOW(b, uint32_t, (size_t)n / 2u + 1u);
    w->item_node = GSPI_LOW(b, gsp_node, items);
}

static void gspi_accept_layout(gspi_bump *b, gspi_accept *w, uint32_t n, size_t items)
{
    size_t const values = gspi_add(items, n);
    gspi_accept_keep(b, w, n, items);
    w->item_place = GSPI_HIGH(b, uint32_t, items);
    w->in = GSPI_HIGH(b, uint32_t, n);
    w->at = GSPI_HIGH(b, uint32_t, n);
    w->in_first = GSPI_HIGH(b, uint32_t, n);
    w->at_first = GSPI_HIGH(b, uint32_t, n);
    w->met = GSPI_HIGH(b, uint32_t, values);
    w->pair = GSPI_HIGH(b, uint32_t, values);
    w->met_first = GSPI_HIGH(b, uint32_t, values);
    w->pair_first = GSPI_HIGH(b, uint32_t, values);
    w->place = GSPI_HIGH(b, uint32_t, gspi_mul_add(n, 2u, 0u));
    w->label = GSPI_HIGH(b, uint64_t, n);
    w->top = GSPI_HIGH(b, uint32_t, n);
    w->after = GSPI_HIGH(b, uint32_t, n);
    w->seen = GSPI_HIGH(b, uint32_t, n);
}

static size_t gspi_accept_size(const gsp_counts *counts, const gsp_accept_desc *desc, int kept)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_accept w;
    size_t const items = gspi_add(counts->nodes, gspi_accept_outputs(counts->nodes, desc));
    if (kept) {
        gspi_accept_keep(&b, &w, counts->nodes, items);
    } else {
        gspi_accept_layout(&b, &w, counts->nodes, items);
    }
    return b.used;
}

GSP_API size_t gsp_accept_kept(const gsp_counts *counts, const gsp_accept_desc *desc)
{
    return gspi_accept_size(counts, desc, 1);
}

GSP_API size_t gsp_accept_bound(const gsp_counts *counts, const gsp_accept_desc *desc)
{
    return gspi_add(gspi_accept_size(counts, desc, 0), GSPI_SLACK);
}

static gsp_node gspi_accept_member(const gspi_accept *w, const gspi_accept_group *t, uint32_t row,
                                   uint32_t region)
{
    return gspi_group_member(w->r, t->group, row, region);
}

/* Looks at a region: `in` and `at` say which nodes it holds. */
static void gspi_accept_enter(gspi_accept *w, const gspi_accept_group *t, uint32_t region)
{
    uint32_t p;
    w->n_regions++;
    for (p = 0u; p < t->rows; p++) {
        gsp_node const v = gspi_accept_member(w, t, p, region);
        w->in[v] = w->n_regions;
        w->at[v] = p;
    }
}

/* 1 when a node that is still there is read outside of the region at hand. A call of a subgraph
 * that took a reader away reads it now. */
static int gspi_accept_is_output(const gspi_accept *w, gsp_node v)
{
    uint32_t count;
    const gsp_node *users = gsp_node_users(w->s.g, v, &count);
    uint32_t i;
    for (i = 0u; i < count && w->s.went[v] == GSP_NONE; i++) {
        if (w->in[users[i]] != w->n_regions || w->s.went[users[i]] != GSP_NONE) {
            return 1;
        }
    }
    return 0;
}

/* The output positions: of any region, replaced in the end or not. */
static uint32_t gspi_accept_find_outs(gspi_accept *w, const gspi_accept_group *t)
{
    uint32_t *outs = w->outs + w->out_begin[w->n_subgraphs];
    uint32_t n = 0u;
    uint32_t i;
    uint32_t p;
    for (p = 0u; p < t->rows; p++) {
        w->after[p] = 0u;
    }
    for (i = 0u; i < t->columns; i++) {
        gspi_accept_enter(w, t, i);
        for (p = 0u; p < t->rows; p++) {
            if (w->after[p] == 0u && gspi_accept_is_output(w, gspi_accept_member(w, t, p, i))) {
                w->after[p] = 1u;
            }
        }
    }
    for (p = 0u; p < t->rows; p++) {
        if (w->after[p] != 0u) {
            outs[n++] = p;
        }
    }
    return n;
}

/* ---- memory ---- */

/* Meets the places of a range: 1 when one of them has been met by this region before. */
static int gspi_accept_meets(const gspi_accept *w, uint32_t begin, uint32_t end)
{
    uint32_t s;
    for (s = begin; s < end; s++) {
        if (w->place[s] / 2u == w->n_regions) {
            return 1;
        }
        w->place[s] = 2u * w->n_regions;
    }
    return 0;
}

/* The same for an element that has no place of its own: such elements share the last place of the
 * aggregate among each other, but do not meet. */
static int gspi_accept_meets_rest(const gspi_accept *w, uint32_t s)
{
    if (w->place[s] == 2u * w->n_regions) {
        return 1;
    }
    w->place[s] = 2u * w->n_regions + 1u;
    return 0;
}

static int gspi_accept_meets_value(const gspi_accept *w, uint32_t value)
{
    uint32_t const n = w->s.g->n_nodes;
    gsp_node const v = value < n ? value : w->item_node[value - n];
    uint32_t const begin = w->effects->place_begin[v];
    uint32_t const end = w->effects->place_end[v];
    uint32_t elements;
    if (value < n || gsp_type_container(gsp_node_type(w->s.g, v), &elements) == GSP_ARG_NONE) {
        return gspi_accept_meets(w, begin, end);
    }
    if (w->item_place[value - n] == GSP_NONE) {
        return gspi_accept_meets_rest(w, end - 1u);
    }
    return gspi_accept_meets(w, w->item_place[value - n], w->item_place[value - n] + 1u);
}

/* 1 when node v writes a place that the region has met. */
static int gspi_accept_writes(const gspi_accept *w, gsp_node v)
{
    uint32_t at = 0u;
    gsp_node u;
    while ((u = gsp_effects_written(w->s.g, v, &at)) != GSP_NONE) {
        uint32_t s;
        for (s = w->effects->place_begin[u]; s < w->effects->place_end[u]; s++) {
            if (w->place[s] / 2u == w->n_regions) {
                return 1;
            }
        }
    }
    return 0;
}

/* ---- may a region be replaced? ---- */

static int gspi_accept_is_aggregate(const gspi_accept *w, gsp_node v, uint32_t *elements)
{
    return gsp_type_container(gsp_node_type(w->s.g, v), elements) != GSP_ARG_NONE;
}

/* An aggregate that leaves the region in elements: all of them are known, it is no view, and no
 * reader of the whole counts positions of its arguments. */
static int gspi_accept_can_leave(const gspi_accept *w, gsp_node v)
{
    uint32_t count;
    const gsp_node *users = gsp_node_users(w->s.g, v, &count);
    uint32_t elements;
    uint32_t i;
    if (!gspi_accept_is_aggregate(w, v, &elements)) {
        return 1;
    }
    if (elements == GSP_NONE || gspi_attr(w->s.g, v, GSP_KEY_ALIAS) != GSP_NONE) {
        return 0;
    }
    for (i = 0u; i < count; i++) {
        if (w->in[users[i]] != w->n_regions && gsp_node_element(w->s.g, users[i]) == GSP_NONE &&
            (gspi_attr(w->s.g, users[i], GSP_KEY_ALIAS) != GSP_NONE ||
             gspi_attr(w->s.g, users[i], GSP_KEY_MUTATES) != GSP_NONE)) {
            return 0;
        }
    }
    return 1;
}

/* The inputs of the region at hand: none is an aggregate, no two share memory. */
static int gspi_accept_inputs(const gspi_accept *w, gspi_accept_group *t, uint32_t region)
{
    uint32_t elements;
    uint32_t p;
    for (p = 0u; p < t->rows; p++) {
        gspi_walk k = gspi_walk_over(&w->s, gspi_accept_member(w, t, p, region), GSP_NONE);
        while (gspi_walk_next(&w->s, &k)) {
            int const node = k.value < w->s.g->n_nodes;
            if (node && w->in[k.value] == w->n_regions && w->at[k.value] >= p) {
                return 0; /* rows are in an order that suits the first column only */
            }
            if ((node && w->in[k.value] == w->n_regions) || w->met[k.value] == w->n_regions) {
                continue;
            }
            w->met[k.value] = w->n_regions;
            t->has_inputs |= t->first == GSP_NONE;
            if ((node && gspi_accept_is_aggregate(w, k.value, &elements)) ||
                gspi_accept_meets_value(w, k.value)) {
                return 0;
            }
        }
    }
    return 1;
}

/* 1 when a region may be replaced, wiring and cycles apart. */
static int gspi_accept_may(gspi_accept *w, gspi_accept_group *t, uint32_t region, uint32_t n_outs)
{
    const uint32_t *outs = w->outs + w->out_begin[w->n_subgraphs];
    uint32_t i;
    gspi_accept_enter(w, t, region);
    t->has_inputs = t->first == GSP_NONE ? 0 : t->has_inputs;
    for (i = 0u; i < t->rows; i++) {
        gsp_node const v = gspi_accept_member(w, t, i, region);
        if (w->s.went[v] != GSP_NONE || w->s.call_of[v] != GSP_NONE) {
            return 0;
        }
    }
    if (!gspi_accept_inputs(w, t, region)) {
        return 0;
    }
    for (i = 0u; i < t->rows; i++) {
        if (gspi_accept_writes(w, gspi_accept_member(w, t, i, region))) {
            return 0;
        }
    }
    for (i = 0u; i < n_outs; i++) {
        gsp_node const v = gspi_accept_member(w, t, outs[i], region);
        if (!gspi_accept_can_leave(w, v) ||
            gspi_accept_meets(w, w->effects->place_begin[v], w->effects->place_end[v])) {
            return 0;
        }
    }
    return 1;
}

/* ---- wiring ---- */

/* Arguments a of the first region and b of the region at hand: both from the member at the same
 * row, or both from outside, and one outside value with one. */
static int gspi_accept_same_value(const gspi_accept *w, uint32_t a, uint32_t b)
{
    uint32_t const n = w->s.g->n_nodes;
    int const a_in = a < n && w->in_first[a] != 0u;
    int const b_in = b < n && w->in[b] == w->n_regions;
    if (a_in || b_in) {
        return a_in && b_in && w->at_first[a] == w->at[b];
    }
    if (w->met_first[a] != w->n_regions) {
        w->met_first[a] = w->n_regions;
        w->pair_first[a] = b;
    }
    if (w->met[b] != w->n_regions) {
        w->met[b] = w->n_regions;
        w->pair[b] = GSP_NONE;
    }
    w->pair[b] = w->pair[b] == GSP_NONE ? a : w->pair[b];
    return w->pair_first[a] == b && w->pair[b] == a;
}

/* Members v of the first region and u of the region at hand. Keys in another order are no matter
 * as long as no node stands behind them. */
static int gspi_accept_same_node(const gspi_accept *w, gsp_node v, gsp_node u)
{
    gspi_walk a = gspi_walk_over(&w->s, v, GSP_NONE);
    gspi_walk b = gspi_walk_over(&w->s, u, GSP_NONE);
    uint32_t i = 0u;
    while (gspi_walk_next(&w->s, &a)) {
        if (!gspi_walk_next(&w->s, &b) || a.token != b.token) {
            return 0;
        }
        for (; i < a.token; i++) {
            if (a.args[i].kind != b.args[i].kind ||
                (a.args[i].kind == (uint32_t)GSP_ARG_KEY && a.args[i].value != b.args[i].value)) {
                return 0;
            }
        }
        if (!gspi_accept_same_value(w, a.value, b.value)) {
            return 0;
        }
    }
    return !gspi_walk_next(&w->s, &b);
}

static int gspi_accept_same_wiring(gspi_accept *w, const gspi_accept_group *t, uint32_t region)
{
    uint32_t p;
    gspi_accept_enter(w, t, region);
    for (p = 0u; p < t->rows; p++) {
        if (!gspi_accept_same_node(w, gspi_accept_member(w, t, p, t->first),
                                   gspi_accept_member(w, t, p, region))) {
            return 0;
        }
    }
    return 1;
}

/* ---- cycles ---- */

/* The `i`-th node of the unit of u, which is a node or a region that is replaced; GSP_NONE: no
 * more. */
static gsp_node gspi_accept_part(const gspi_accept *w, const gspi_accept_group *t, gsp_node u,
                                 uint32_t i)
{
    uint32_t const call = w->s.call_of[u];
    uint32_t s = 0u;
    uint32_t end = w->n_subgraphs;
    uint32_t group = t->group; /* of calls that are not yet those of a subgraph */
    if (call == GSP_NONE) {
        return i == 0u ? u : GSP_NONE;
    }
    if (call < w->call_begin[w->n_subgraphs]) {
        while (s + 1u < end) {
            uint32_t const middle = s + (end - s) / 2u;
            s = call >= w->call_begin[middle] ? middle : s;
            end = call >= w->call_begin[middle] ? end : middle;
        }
        group = w->group_of[s];
    }
    return i < gspi_group_rows(w->r, group) ? gspi_group_member(w->r, group, i, w->region_of[call])
                                            : GSP_NONE;
}

/* The node at which the label of the unit of v stands. */
static gsp_node gspi_accept_unit(const gspi_accept *w, const gspi_accept_group *t, gsp_node v)
{
    return w->s.call_of[v] == GSP_NONE ? v : gspi_accept_part(w, t, v, 0u);
}

/* Marks the units that come right after node v, up to label `last`; 1 when one of them is the
 * region at hand. */
static int gspi_accept_follow(gspi_accept *w, const gspi_accept_group *t, gsp_node v, uint64_t last,
                              uint32_t *n_after)
{
    int back = 0;
    uint32_t i;
    gsp_node x;
    for (i = 0u; (x = gspi_later(w->s.g, w->effects, v, i)) != GSP_NONE; i++) {
        w->work++;
        if (w->in[x] == w->n_regions) {
            back = 1;
            continue;
        }
        x = gspi_accept_unit(w, t, x);
        if (w->label[x] <= last && w->seen[x] != w->n_seen) {
            w->seen[x] = w->n_seen;
            w->after[(*n_after)++] = x;
        }
    }
    return back;
}

/* Contracts the region at hand, unless that closes a cycle. It takes the label of its last node;
 * what it reaches in the slot of that label or before moves to the end of the slot. */
static int gspi_accept_contract(gspi_accept *w, gspi_accept_group *t, uint32_t region)
{
    uint64_t last = 0u;
    uint64_t end;
    uint32_t n = 0u;
    uint32_t i;
    uint32_t p;
    gsp_node v;
    gspi_accept_enter(w, t, region);
    for (p = 0u; p < t->rows; p++) {
        v = gspi_accept_member(w, t, p, region);
        last = w->label[v] > last ? w->label[v] : last;
    }
    end = last | UINT32_MAX;
    w->n_seen++;
    for (p = 0u; p < t->rows; p++) {
        (void)gspi_accept_follow(w, t, gspi_accept_member(w, t, p, region), end, &n);
    }
    for (i = 0u; i < n; i++) {
        for (p = 0u; (v = gspi_accept_part(w, t, w->after[i], p)) != GSP_NONE; p++) {
            if (gspi_accept_follow(w, t, v, end, &n)) {
                return 0;
            }
        }
    }
    gspi_sort(w->after, n, w->label);
    for (i = 0u; i < n; i++) {
        w->label[w->after[i]] = (end - UINT32_MAX) | ++w->top[end >> 32];
    }
    v = gspi_accept_member(w, t, 0u, region);
    t->label = w->label[v];
    w->label[v] = last;
    return 1;
}

/* ---- is there a cycle? ---- */

/* The arrays that are free before and after the groups are judged. */
typedef struct gspi_accept_kahn {
    uint32_t *unit;   /* [n] the first node of the region that holds it; itself */
    uint32_t *apart;  /* [n] 1: its region has been taken apart again */
    uint32_t *waits;  /* [n] edges into the unit from others that are still to come */
    uint32_t *edges;  /* [n] those into this node */
    uint32_t *ready;  /* [n] queue */
    uint32_t n_ready; /* units in the queue, and before it */
    uint32_t n_done;  /* nodes that have their label */
} gspi_accept_kahn;

/* One edge less into node x. */
static void gspi_accept_met(gspi_accept_kahn *q, gsp_node x)
{
    q->edges[x]--;
    if (--q->waits[q->unit[x]] == 0u) {
        q->ready[q->n_ready++] = q->unit[x];
    }
}

/* The next unit of the queue: its nodes get the next labels. */
static void gspi_accept_done(gspi_accept *w, gspi_accept_kahn *q, const gspi_accept_group *t,
                             gsp_node u)
{
    uint32_t i;
    uint32_t k;
    gsp_node v;
    gsp_node x;
    for (i = 0u; (v = q->apart[u] != 0u ? (i == 0u ? u : GSP_NONE)
                                        : gspi_accept_part(w, t, u, i)) != GSP_NONE;
         i++) {
        w->label[v] = (uint64_t)q->n_done++ << 32;
        for (k = 0u; (x = gspi_later(w->s.g, w->effects, v, k)) != GSP_NONE; k++) {
            if (q->unit[x] != u) {
                gspi_accept_met(q, x);
            }
        }
    }
}

/* The region of node v is part of a cycle: its nodes go on alone. */
static void gspi_accept_take_apart(const gspi_accept *w, gspi_accept_kahn *q,
                                   const gspi_accept_group *t, gsp_node v)
{
    gsp_node const u = q->unit[v];
    uint32_t i;
    uint32_t k;
    gsp_node x;
    for (i = 0u; (v = gspi_accept_part(w, t, u, i)) != GSP_NONE; i++) {
        for (k = 0u; (x = gspi_later(w->s.g, w->effects, v, k)) != GSP_NONE; k++) {
            q->edges[x] += q->unit[x] == u ? 1u : 0u;
        }
    }
    for (i = 0u; (v = gspi_accept_part(w, t, u, i)) != GSP_NONE; i++) {
        q->unit[v] = v;
        q->apart[v] = 1u;
        q->waits[v] = q->edges[v];
        if (q->waits[v] == 0u) {
            q->ready[q->n_ready++] = v;
        }
    }
}

/* Kahn's algorithm on the graph in which every region is one node. Where it gets stuck there is a
 * cycle, and the region of the first node that is left is taken apart: all before that node is
 * done. Returns whether that was ever so; labels give every node a place, regions as far as
 * possible in a row. */
static int gspi_accept_is_cyclic(gspi_accept *w)
{
    uint32_t const n = w->s.g->n_nodes;
    gspi_accept_group none;
    gspi_accept_kahn q;
    uint32_t i;
    uint32_t k;
    gsp_node v;
    gsp_node x;
    int cyclic = 0;
    none.group = 0u; /* all calls are those of a subgraph */
    q.unit = w->top;
    q.apart = w->pair;
    q.waits = w->seen;
    q.edges = w->pair_first;
    q.ready = w->after;
    q.n_ready = 0u;
    q.n_done = 0u;
    gspi_set(q.apart, 0, n, sizeof(uint32_t));
    gspi_set(q.waits, 0, n, sizeof(uint32_t));
    gspi_set(q.edges, 0, n, sizeof(uint32_t));
    for (v = 0u; v < n; v++) {
        q.unit[v] = gspi_accept_unit(w, &none, v);
    }
    for (v = 0u; v < n; v++) {
        for (k = 0u; (x = gspi_later(w->s.g, w->effects, v, k)) != GSP_NONE; k++) {
            q.edges[x] += q.unit[x] != q.unit[v] ? 1u : 0u;
            q.waits[q.unit[x]] += q.unit[x] != q.unit[v] ? 1u : 0u;
        }
    }
    for (v = 0u; v < n; v++) {
        if (q.unit[v] == v && q.waits[v] == 0u) {
            q.ready[q.n_ready++] = v;
        }
    }
    gspi_set(w->label, 0xFF, n, sizeof(uint64_t));
    for (i = 0u, v = 0u; q.n_done < n;) {
        if (i < q.n_ready) {
            gspi_accept_done(w, &q, &none, q.ready[i++]);
        } else if (w->label[v] != UINT64_MAX) {
            v++;
        } else {
            cyclic = 1;
            gspi_accept_take_apart(w, &q, &none, v);
        }
    }
    gspi_set(w->seen, 0, n, sizeof(uint32_t));
    return cyclic;
}

/* ---- replacing ---- */

/* Lets the getitems outside of the region at hand go that take elements of its output v. */
static void gspi_accept_elements(gspi_accept *w, gsp_node v, uint32_t elements)
{
    uint32_t count;
    const gsp_node *users = gsp_node_users(w->s.g, v, &count);
    uint32_t const item = w->s.item_of[v];
    uint32_t i;
    for (i = 0u; i < count; i++) {
        gsp_node const u = users[i];
        uint32_t const element = gsp_node_element(w->s.g, u);
        if (element != GSP_NONE && gspi_attr(w->s.g, u, GSP_KEY_ALIAS) == GSP_NONE) {
            w->item_place[item + element] = w->effects->place_begin[u];
        }
        if (w->in[u] == w->n_regions) {
            continue;
        }
        if (element != GSP_NONE) {
            w->s.went[u] = w->n_subgraphs;
            w->s.item_of[u] = item + element;
        } else {
            w->n_outputs = gspi_count_add(w->n_outputs, gspi_count_add(elements, 2u));
        }
    }
}

/* The items of a call. */
static gsp_status gspi_accept_items(gspi_accept *w, const gspi_accept_group *t, uint32_t region,
                                    uint32_t n_outs, gsp_error *err)
{
    const uint32_t *outs = w->outs + w->out_begin[w->n_subgraphs];
    uint32_t i;
    uint32_t e;
    gspi_accept_enter(w, t, region);
    for (i = 0u; i < t->rows; i++) {
        w->s.went[gspi_accept_member(w, t, i, region)] = w->n_subgraphs;
    }
    for (i = 0u; i < n_outs; i++) {
        gsp_node const v = gspi_accept_member(w, t, outs[i], region);
        uint32_t elements = 1u;
        int const whole = !gspi_accept_is_aggregate(w, v, &elements);
        elements = whole ? 1u : elements;
        w->n_outputs = whole ? w->n_outputs : gspi_count_add(w->n_outputs, elements);
        if (w->n_outputs > w->max_outputs) {
            return gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_OUTPUTS, w->n_outputs,
                                    w->max_outputs);
        }
        w->s.item_of[v] = w->n_items;
        for (e = 0u; e < elements; e++) {
            w->item_node[w->n_items] = v;
            w->item_place[w->n_items++] = GSP_NONE;
        }
        if (!whole) {
            gspi_accept_elements(w, v, elements);
        }
    }
    return GSP_OK;
}

/* Makes the calls of a subgraph final. */
static gsp_status gspi_accept_commit(gspi_accept *w, const gspi_accept_group *t, uint32_t n_outs,
                                     gsp_error *err)
{
    uint32_t i;
    for (i = 0u; i < t->taken; i++) {
        GSPI_TRY(gspi_accept_items(w, t, w->region_of[w->n_calls + i], n_outs, err));
        w->item_begin[w->n_calls + i + 1u] = w->n_items;
    }
    if (w->n_outputs > w->max_outputs) {
        return gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_OUTPUTS, w->n_outputs,
                                w->max_outputs);
    }
    w->group_of[w->n_subgraphs] = t->group;
    w->n_calls += t->taken;
    w->n_subgraphs++;
    w->call_begin[w->n_subgraphs] = w->n_calls;
    w->out_begin[w->n_subgraphs] = w->out_begin[w->n_subgraphs - 1u] + n_outs;
    return GSP_OK;
}

/* Notes the region as the next call of the group; the first one is what others are compared to. */
static void gspi_accept_take(gspi_accept *w, gspi_accept_group *t, uint32_t region)
{
    uint32_t p;
    for (p = 0u; p < t->rows; p++) {
        gsp_node const v = gspi_accept_member(w, t, p, region);
        w->s.call_of[v] = w->n_calls + t->taken;
        if (t->first == GSP_NONE) {
            w->in_first[v] = 1u;
            w->at_first[v] = p;
        }
    }
    t->first = t->first == GSP_NONE ? region : t->first;
    w->region_of[w->n_calls + t->taken++] = region;
}

/* Forgets what the group has left in the arrays: all of it when it stays. */
static void gspi_accept_forget(const gspi_accept *w, const gspi_accept_group *t, int stays)
{
    uint32_t i;
    uint32_t p;
    for (p = 0u; p < t->rows && t->taken > 0u; p++) {
        w->in_first[gspi_accept_member(w, t, p, t->first)] = 0u;
        for (i = 0u; i < t->taken && stays; i++) {
            w->s.call_of[gspi_accept_member(w, t, p, w->region_of[w->n_calls + i])] = GSP_NONE;
        }
    }
}

static gsp_status gspi_accept_group_run(gspi_accept *w, uint32_t group, gsp_error *err)
{
    gspi_accept_group t;
    uint32_t n_outs;
    uint32_t i;
    int stays;
    t.group = group;
    t.columns = w->r->group_regions[group];
    t.rows = gspi_group_rows(w->r, group);
    t.first = GSP_NONE;
    t.taken = 0u;
    t.has_inputs = 0;
    n_outs = gspi_accept_find_outs(w, &t);
    for (i = 0u; i < t.columns; i++) {
        if (gspi_accept_may(w, &t, i, n_outs) &&
            (t.taken == 0u || gspi_accept_same_wiring(w, &t, i)) &&
            (!w->careful || gspi_accept_contract(w, &t, i))) {
            gspi_accept_take(w, &t, i);
        }
        if (t.taken == 1u && !t.has_inputs) {
            break; /* the group stays */
        }
    }
    stays = t.taken < 2u || !t.has_inputs;
    if (stays && w->careful && t.taken == 1u) {
        w->label[gspi_accept_member(w, &t, 0u, t.first)] = t.label;
    }
    gspi_accept_forget(w, &t, stays);
    if (w->work > w->max_work) {
        return gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_WORK, w->work, w->max_work);
    }
    return stays ? GSP_OK : gspi_accept_commit(w, &t, n_outs, err);
}

static gsp_status gspi_accept_all(gspi_accept *w, int careful, gsp_error *err)
{
    uint32_t const n = w->s.g->n_nodes;
    uint32_t i;
    w->careful = careful;
    w->n_subgraphs = 0u;
    w->n_calls = 0u;
    w->n_items = 0u;
    w->n_outputs = 0u;
    w->call_begin[0] = 0u;
    w->out_begin[0] = 0u;
    w->item_begin[0] = 0u;
    gspi_set(w->s.went, 0xFF, n, sizeof(uint32_t));
    gspi_set(w->s.call_of, 0xFF, n, sizeof(uint32_t));
    gspi_set(w->s.item_of, 0xFF, n, sizeof(uint32_t));
    gspi_set(w->in_first, 0, n, sizeof(uint32_t));
    gspi_set(w->top, 0, n, sizeof(uint32_t));
    for (i = 0u; i < w->r->n_groups; i++) {
        GSPI_TRY(gspi_accept_group_run(w, i, err));
    }
    return GSP_OK;
}

static gsp_status gspi_accept_both(gspi_accept *w, gsp_error *err)
{
    uint32_t const n = w->s.g->n_nodes;
    size_t const values = (size_t)n + n + w->max_outputs;
    gspi_set(w->in, 0, n, sizeof(uint32_t));
    gspi_set(w->met, 0, values, sizeof(uint32_t));
    gspi_set(w->met_first, 0, values, sizeof(uint32_t));
    gspi_set(w->place, 0, w->effects->n_places, sizeof(uint32_t));
    gspi_set(w->seen, 0, n, sizeof(uint32_t));
    w->n_regions = 0u;
    w->n_seen = 0u;
    w->work = 0u;
    GSPI_TRY(gspi_accept_all(w, 0, err));
    return w->n_calls > 0u && gspi_accept_is_cyclic(w) ? gspi_accept_all(w, 1, err) : GSP_OK;
}

static void gspi_accept_result(const gspi_accept *w, gsp_accepted *a)
{
    a->n_nodes = w->s.g->n_nodes;
    a->n_subgraphs = w->n_subgraphs;
    a->n_calls = w->n_calls;
    a->n_items = w->n_items;
    a->n_outputs = w->n_outputs;
    a->group_of = w->group_of;
    a->call_begin = w->call_begin;
    a->region_of = w->region_of;
    a->out_begin = w->out_begin;
    a->outs = w->outs;
    a->item_begin = w->item_begin;
    a->item_node = w->item_node;
    a->call_of = w->s.call_of;
    a->went = w->s.went;
    a->item_of = w->s.item_of;
    a->work = w->work;
}

GSP_API gsp_status gsp_accept_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_regions *regions, const gsp_accept_desc *desc,
                                  gsp_accepted *accepted, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_accept w;
    gsp_counts counts;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || graph == NULL || regions == NULL || accepted == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc != NULL && (desc->start_canary != 0u || desc->end_canary != 0u)) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (regions->effects.n_nodes != graph->n_nodes) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_accept_bound(&counts, desc), err));
    mark = gsp_arena_mark(arena);
    w.s.g = graph;
    w.r = regions;
    w.effects = &regions->effects;
    w.max_outputs = gspi_accept_outputs(graph->n_nodes, desc);
    w.max_work = desc == NULL || desc->max_work == 0u ? UINT32_MAX : desc->max_work;
    gspi_accept_layout(&b, &w, graph->n_nodes, (size_t)graph->n_nodes + w.max_outputs);
    status = gspi_accept_both(&w, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    gspi_accept_result(&w, accepted);
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>dedup   One subgraph for all regions of a group                               (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

/* Elements of the new root: values (nodes, then items; see k.values), then calls, then the get_attr
 * nodes that hold the subgraphs. All get their names in the order in which they are made, then
 * their needs, then their place; only then the root is written. Bodies follow. */

/* What is found before the module is made; too large for a frame. */
typedef struct gspi_dedup_found {
    gsp_regions regions;
    gsp_accepted accepted;
} gspi_dedup_found;

typedef struct gspi_dedup {
    gspi_values s;
    const gsp_regions *r;
    const gsp_accepted *a;
    gsp_builder *b;
    gsp_module *made;
    gsp_node *call;       /* [n / 2] result */
    uint32_t *now_begin;  /* [n + 1] result */
    gsp_node *now;        /* [values] result */
    gspi_order o;         /* of all elements but the output */
    gsp_string *name;     /* [elements] */
    gsp_string *sub_name; /* [n / 4] */
    uint32_t *met;        /* [elements] who met this one last */
    uint32_t *met_first;  /* [elements] the same, for inputs of the first region */
    gsp_node *local;      /* [values] node in the body at hand */
    uint32_t *in;         /* [n] subgraph + 1 whose body holds this node */
    uint32_t *used;       /* [strings / 32] names of graphs, attributes, called modules */
    uint32_t items;       /* first element that is a call */
    uint32_t holders;     /* first that holds a subgraph */
    uint32_t n_met;
} gspi_dedup;

static gsp_regions_desc gspi_dedup_regions(const gsp_dedup_desc *d)
{
    gsp_regions_desc r;
    gspi_set(&r, 0, 1u, sizeof(r));
    if (d != NULL) {
        r.hash_bits = d->hash_bits;
        r.max_waits = d->max_waits;
        r.max_work = d->max_work;
    }
    return r;
}

static gsp_accept_desc gspi_dedup_accept(const gsp_dedup_desc *d)
{
    gsp_accept_desc a;
    gspi_set(&a, 0, 1u, sizeof(a));
    if (d != NULL) {
        a.max_outputs = d->max_outputs;
        a.max_work = d->max_work;
    }
    return a;
}

/* How many elements of aggregates there may be, and nodes that wait. */
static uint32_t gspi_dedup_outputs(const gsp_counts *c, const gsp_dedup_desc *d)
{
    return d == NULL || d->max_outputs == 0u ? gspi_count_mul(c->nodes, 2u) : d->max_outputs;
}

static uint32_t gspi_dedup_waits(const gsp_counts *c, const gsp_dedup_desc *d)
{
    return d == NULL || d->max_waits == 0u ? gspi_count_mul(c->edges, 2u) : d->max_waits;
}

/* Needs: arguments of nodes and calls, what is written out, one an item, the holder of a call;
 * waits; a barrier before and one behind a node. */
static size_t gspi_dedup_needs(const gsp_counts *c, const gsp_dedup_desc *d)
{
    size_t const outputs = gspi_dedup_outputs(c, d);
    size_t const sum =
        gspi_add(gspi_add(c->edges, gspi_dedup_waits(c, d)), gspi_mul_add(c->nodes, 4u, 0u));
    return gspi_add(sum, gspi_mul_add(outputs, 2u, 0u));
}

static void gspi_dedup_layout(gspi_bump *b, gspi_dedup *w, const gsp_counts *c,
                              const gsp_dedup_desc *d)
{
    size_t const n = c->nodes;
    size_t const values = gspi_add(2u * n, gspi_dedup_outputs(c, d));
    size_t const elements = gspi_add(values, n);
    w->call = GSPI_LOW(b, gsp_node, n / 2u);
    w->now_begin = GSPI_LOW(b, uint32_t, n + 1u);
    w->now = GSPI_LOW(b, gsp_node, values);
    w->b = GSPI_HIGH(b, gsp_builder, 1u);
    w->made = GSPI_HIGH(b, gsp_module, 1u);
    w->name = GSPI_HIGH(b, gsp_string, elements);
    w->sub_name = GSPI_HIGH(b, gsp_string, n / 4u);
    w->met = GSPI_HIGH(b, uint32_t, elements);
    w->met_first = GSPI_HIGH(b, uint32_t, elements);
    w->local = GSPI_HIGH(b, gsp_node, values);
    w->in = GSPI_HIGH(b, uint32_t, n);
    w->used = GSPI_HIGH(b, uint32_t, gsp_bitset_words(c->strings));
    w->o.list = GSPI_HIGH(b, uint32_t, elements);
    w->o.made = GSPI_HIGH(b, uint32_t, elements);
    w->o.need_begin = GSPI_HIGH(b, uint32_t, gspi_add(elements, 1u));
    w->o.need_end = GSPI_HIGH(b, uint32_t, elements);
    w->o.place = GSPI_HIGH(b, uint32_t, elements);
    w->o.waiting = GSPI_HIGH(b, uint32_t, elements);
    w->o.last = GSPI_HIGH(b, uint32_t, elements);
    w->o.next = GSPI_HIGH(b, uint32_t, elements);
    w->o.need = GSPI_HIGH(b, uint32_t, gspi_dedup_needs(c, d));
}

/* What the result can hold. Root: no more nodes and items than there were nodes, elements of
 * aggregates, half as many calls, a quarter as many holders. Bodies: half of the nodes, an input
 * an edge, elements, outputs. */
GSPI_OWN_FRAME gsp_counts gspi_dedup_counts(const gsp_counts *c, const gsp_dedup_desc *d)
{
    uint32_t const n = c->nodes;
    uint32_t const x = gspi_dedup_outputs(c, d);
    gsp_counts r;
    r.graphs = gspi_count_add(c->graphs, n / 4u);
    r.nodes =
        gspi_count_add(gspi_count_mul(n, 3u), gspi_count_add(c->edges, gspi_count_mul(x, 3u)));
    r.args = gspi_count_add(gspi_count_mul(c->args, 2u), gspi_count_mul(n, 5u));
    r.args = gspi_count_add(gspi_count_add(r.args, c->edges), gspi_count_mul(x, 8u));
    r.edges = r.args;
    r.attrs = gspi_count_add(gspi_count_add(n, x), gspi_count_add(c->edges, x));
    r.attrs = gspi_count_add(c->attrs, gspi_count_mul(r.attrs, 2u));
    r.strings = gspi_count_add(gspi_count_mul(n, 5u), gspi_count_mul(x, 4u));
    r.strings = gspi_count_add(r.strings, gspi_count_add(c->strings, 64u));
    /* "getitem_", "invoke_subgraph_", "subgraph_" and "subgraph_input_" with numbers or names, and
     * the types of elements */
    r.bytes = gspi_count_add(gspi_count_mul(n, 90u), gspi_count_mul(x, 64u));
    r.bytes = gspi_count_add(r.bytes, gspi_count_add(gspi_count_mul(c->bytes, 4u), 256u));
    return r;
}

GSP_API size_t gsp_dedup_bound(const gsp_counts *counts, const gsp_dedup_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_regions_desc const r = gspi_dedup_regions(desc);
    gsp_accept_desc const a = gspi_dedup_accept(desc);
    gsp_counts const c = gspi_dedup_counts(counts, desc);
    size_t const regions = gspi_add(gsp_regions_kept(counts, &r), GSP_ALIGN);
    size_t const both = gspi_add(regions, gspi_add(gsp_accept_kept(counts, &a), GSP_ALIGN));
    size_t const accept = gspi_add(regions, gsp_accept_bound(counts, &a));
    gspi_dedup w;
    size_t own;
    gspi_dedup_layout(&b, &w, counts, desc);
    own = gspi_add(gspi_add(b.used, GSPI_SLACK), gspi_add(both, gsp_build_bound(&c)));
    own = gspi_max(gspi_max(gsp_regions_bound(counts, &r), accept), own);
    return gspi_add(own, sizeof(gspi_dedup_found) + GSP_ALIGN);
}

/* ---- names ---- */

/* Names that a subgraph must not have. */
static void gspi_dedup_used(const gspi_dedup *w)
{
    const gsp_module *m = w->s.g->module;
    gsp_bitset used;
    uint32_t i;
    gsp_bitset_init(&used, w->used, m->counts.strings);
    for (i = 0u; i < m->counts.graphs; i++) {
        gsp_bitset_set(&used, m->graphs[i].name);
    }
    for (i = 0u; i < m->n_params; i++) {
        gsp_bitset_set(&used, m->params[i].target);
    }
    for (i = 0u; i < m->n_leaves; i++) {
        gsp_bitset_set(&used, m->leaves[i].target);
    }
}

/* "subgraph_N" for the least N from *number on that is not in use. */
static gsp_string gspi_dedup_sub_name(const gspi_dedup *w, uint32_t *number)
{
    gsp_bitset used;
    char text[32];
    gsp_string s;
    used.words = w->used;
    used.n = w->s.g->module->counts.strings;
    do {
        gspi_copy(text, "subgraph_", 9u, 1u);
        s = gsp_build_string(
            w->b, gspi_slice(text, 0u, 9u + (size_t)gspi_decimal((*number)++, text + 9)));
    } while (gsp_bitset_has(&used, s));
    return s;
}

static gsp_string gspi_dedup_new_name(const gspi_dedup *w, gsp_text wanted)
{
    gsp_string const s = gsp_build_name(w->b, wanted);
    gsp_build_reserve(w->b, s);
    return s;
}

/* Names of the root: those of the input stay taken, also when a node has gone. */
static void gspi_dedup_names(const gspi_dedup *w)
{
    const gsp_accepted *a = w->a;
    uint32_t number = 0u;
    uint32_t s;
    uint32_t c;
    uint32_t i;
    gsp_node v;
    gspi_dedup_used(w);
    for (v = 0u; v + 1u < a->n_nodes; v++) {
        w->name[v] = gspi_name_id(w->s.g, v);
        gsp_build_reserve(w->b, w->name[v]);
    }
    for (s = 0u; s < a->n_subgraphs; s++) {
        w->sub_name[s] = gspi_dedup_sub_name(w, &number);
        w->name[w->holders + s] = gspi_dedup_new_name(w, gspi_build_text(w->b, w->sub_name[s]));
        for (c = a->call_begin[s]; c < a->call_begin[s + 1u]; c++) {
            w->name[w->items + c] = gspi_dedup_new_name(w, gsp_text_of("invoke_subgraph"));
            for (i = a->item_begin[c]; i < a->item_begin[c + 1u]; i++) {
                w->name[a->n_nodes + i] = gspi_dedup_new_name(w, gsp_text_of("getitem"));
            }
        }
    }
}

/* ---- needs ---- */

/* The inputs of the call of a region, each once and in order of first use by the first region of
 * its subgraph: next() sets `first`, the value for the first region when the subgraph was made, and
 * `value`, what the call reads in the end. */
typedef struct gspi_dedup_inputs {
    gspi_walk k;
    uint32_t first;
    uint32_t value;
    uint32_t subgraph;
    uint32_t region;
    uint32_t row;
    uint32_t stamp;
} gspi_dedup_inputs;

static gsp_node gspi_dedup_member(const gspi_dedup *w, uint32_t subgraph, uint32_t row,
                                  uint32_t region)
{
    return gspi_group_member(w->r, w->a->group_of[subgraph], row, region);
}

static uint32_t gspi_dedup_first(const gspi_dedup *w, uint32_t subgraph)
{
    return w->a->region_of[w->a->call_begin[subgraph]];
}

static gspi_dedup_inputs gspi_dedup_inputs_of(gspi_dedup *w, uint32_t subgraph, uint32_t region)
{
    gspi_dedup_inputs q;
    q.first = GSP_NONE;
    q.value = GSP_NONE;
    q.subgraph = subgraph;
    q.region = region;
    q.row = 0u;
    q.stamp = ++w->n_met;
    q.k = gspi_walk_over(&w->s, gspi_dedup_member(w, subgraph, 0u, gspi_dedup_first(w, subgraph)),
                         subgraph);
    return q;
}

static int gspi_dedup_next_input(const gspi_dedup *w, gspi_dedup_inputs *q)
{
    uint32_t const rows = gspi_group_rows(w->r, w->a->group_of[q->subgraph]);
    uint32_t const first = gspi_dedup_first(w, q->subgraph);
    for (;;) {
        uint32_t count;
        gsp_node u;
        if (!gspi_walk_next(&w->s, &q->k)) {
            if (++q->row == rows) {
                return 0;
            }
            q->k = gspi_walk_over(&w->s, gspi_dedup_member(w, q->subgraph, q->row, first),
                                  q->subgraph);
            continue;
        }
        q->first = q->k.value;
        if ((q->first < w->a->n_nodes && w->in[q->first] == q->subgraph + 1u) ||
            w->met_first[q->first] == q->stamp) {
            continue;
        }
        w->met_first[q->first] = q->stamp;
        u = gspi_dedup_member(w, q->subgraph, q->row, q->region);
        u = gsp_node_args(w->s.g, u, &count)[q->k.token].value;
        q->value = gspi_value_of(&w->s, u, GSP_NONE);
        if (q->k.nested) { /* the element with as many behind it */
            q->value += gspi_value_count(&w->s, u) - 1u - q->k.more;
        }
        return 1;
    }
}

/* Notes which nodes the bodies hold: those of the first regions. */
static void gspi_dedup_bodies(const gspi_dedup *w)
{
    uint32_t s;
    uint32_t p;
    gspi_set(w->in, 0, w->a->n_nodes, sizeof(uint32_t));
    for (s = 0u; s < w->a->n_subgraphs; s++) {
        uint32_t const rows = gspi_group_rows(w->r, w->a->group_of[s]);
        for (p = 0u; p < rows; p++) {
            w->in[gspi_dedup_member(w, s, p, gspi_dedup_first(w, s))] = s + 1u;
        }
    }
}

/* One more need of element x; counted only, or written. */
static void gspi_dedup_need(const gspi_dedup *w, uint32_t x, uint32_t on, int fill)
{
    if (fill) {
        w->o.need[w->o.need_end[x]] = on;
    }
    w->o.need_end[x]++;
}

static uint32_t gspi_dedup_sub_of(const gspi_dedup *w, uint32_t call)
{
    uint32_t s = 0u;
    uint32_t end = w->a->n_subgraphs;
    while (s + 1u < end) {
        uint32_t const middle = s + (end - s) / 2u;
        s = call >= w->a->call_begin[middle] ? middle : s;
        end = call >= w->a->call_begin[middle] ? end : middle;
    }
    return s;
}

/* Arguments of element x, each once. */
static void gspi_dedup_args(gspi_dedup *w, uint32_t x, int fill)
{
    uint32_t const stamp = ++w->n_met;
    if (x < w->a->n_nodes) {
        gspi_walk k = gspi_walk_over(&w->s, x, GSP_NONE);
        while (gspi_walk_next(&w->s, &k)) {
            if (w->met[k.value] != stamp) {
                w->met[k.value] = stamp;
                gspi_dedup_need(w, x, k.value, fill);
            }
        }
    } else if (x < w->items) {
        gspi_dedup_need(w, x, w->items + w->a->call_of[w->a->item_node[x - w->a->n_nodes]], fill);
    } else if (x < w->holders) {
        uint32_t const s = gspi_dedup_sub_of(w, x - w->items);
        gspi_dedup_inputs q = gspi_dedup_inputs_of(w, s, w->a->region_of[x - w->items]);
        gspi_dedup_need(w, x, w->holders + s, fill);
        while (gspi_dedup_next_input(w, &q)) {
            if (w->met[q.value] != stamp) {
                w->met[q.value] = stamp;
                gspi_dedup_need(w, x, q.value, fill);
            }
        }
    }
}

/* ---- waits ---- */

/* The element that node v is, or is part of; GSP_NONE: a getitem that went with its aggregate. */
static uint32_t gspi_dedup_element(const gspi_dedup *w, gsp_node v)
{
    return w->s.went[v] == GSP_NONE      ? v
           : w->s.call_of[v] != GSP_NONE ? w->items + w->s.call_of[v]
                                         : GSP_NONE;
}

/* 1 when node v reads node u. */
static int gspi_dedup_reads(const gsp_graph *g, gsp_node v, gsp_node u)
{
    uint32_t end;
    const gsp_node *users = gsp_node_users(g, u, &end);
    uint32_t begin = 0u;
    while (begin < end) {
        uint32_t const middle = begin + (end - begin) / 2u;
        if (users[middle] == v) {
            return 1;
        }
        begin = users[middle] < v ? middle + 1u : begin;
        end = users[middle] < v ? end : middle;
    }
    return 0;
}

/* Node v waits for an earlier node, that is element x. Needs of an element come in the order of the
 * list, since x does: an x that is there already is the last. */
static void gspi_dedup_wait(const gspi_dedup *w, gsp_node v, uint32_t x, int fill)
{
    uint32_t const y = gspi_dedup_element(w, v);
    if (y != GSP_NONE && y != x && w->met[y] != w->n_met) {
        w->met[y] = w->n_met;
        gspi_dedup_need(w, y, x, fill);
    }
}

/* Who waits for node u, that is element x or went with it; `barriers`: the barrier behind each
 * node. */
static void gspi_dedup_waits_for(const gspi_dedup *w, gsp_node u, uint32_t x,
                                 const gsp_node *barriers, int fill)
{
    const gsp_effects *e = &w->r->effects;
    gsp_node const barrier = barriers[u];
    uint32_t i;
    gsp_node v = barrier;
    for (i = e->waiter_begin[u]; i < e->waiter_begin[u + 1u]; i++) {
        gspi_dedup_wait(w, e->waiters[i], x, fill);
    }
    if (e->segment[u] % 2u != 0u) { /* a barrier: all up to the next one wait for it */
        v = u + 1u;
    }
    for (; v < w->a->n_nodes - 1u && (barrier == GSP_NONE || v <= barrier); v++) {
        if (!gspi_dedup_reads(w->s.g, v, u)) {
            gspi_dedup_wait(w, v, x, fill);
        }
    }
}

/* The next barrier behind every node; GSP_NONE: none is. */
static void gspi_dedup_barriers(const gspi_dedup *w, gsp_node *barriers)
{
    gsp_node next = GSP_NONE;
    gsp_node v;
    for (v = w->a->n_nodes; v > 0u; v--) {
        barriers[v - 1u] = next;
        next = w->r->effects.segment[v - 1u] % 2u != 0u ? v - 1u : next;
    }
}

/* The getitems that went with the aggregates of a call: they wait for nothing, but others may wait
 * for them. */
static void gspi_dedup_waits_for_gone(const gspi_dedup *w, gsp_node v, uint32_t x,
                                      const gsp_node *barriers, int fill)
{
    uint32_t count;
    const gsp_node *users = gsp_node_users(w->s.g, v, &count);
    uint32_t i;
    for (i = 0u; i < count && w->s.item_of[v] != GSP_NONE; i++) {
        if (w->s.call_of[users[i]] == GSP_NONE && w->s.went[users[i]] == w->s.went[v]) {
            gspi_dedup_waits_for(w, users[i], x, barriers, fill);
        }
    }
}

/* All waits, element by element in the order of the list. */
static void gspi_dedup_waits_all(gspi_dedup *w, const gsp_node *barriers, int fill)
{
    uint32_t i;
    uint32_t p;
    for (i = 0u; i < w->o.n_list; i++) {
        uint32_t const x = w->o.list[i];
        w->n_met++;
        if (x < w->a->n_nodes) {
            gspi_dedup_waits_for(w, x, x, barriers, fill);
        } else if (x >= w->items && x < w->holders) {
            uint32_t const s = gspi_dedup_sub_of(w, x - w->items);
            uint32_t const rows = gspi_group_rows(w->r, w->a->group_of[s]);
            for (p = 0u; p < rows; p++) {
                gsp_node const v = gspi_dedup_member(w, s, p, w->a->region_of[x - w->items]);
                gspi_dedup_waits_for(w, v, x, barriers, fill);
                gspi_dedup_waits_for_gone(w, v, x, barriers, fill);
            }
        }
    }
}

/* A call that reads what one of its nodes waits for needs it once, as an argument. */
static void gspi_dedup_once(gspi_dedup *w, uint32_t x, uint32_t n_args)
{
    uint32_t const begin = w->o.need_begin[x];
    uint32_t const end = w->o.need_end[x];
    uint32_t to = begin + n_args;
    uint32_t i;
    w->n_met++;
    for (i = begin; i < begin + n_args; i++) {
        w->met[w->o.need[i]] = w->n_met;
    }
    for (i = begin + n_args; i < end; i++) {
        if (w->met[w->o.need[i]] != w->n_met) {
            w->o.need[to++] = w->o.need[i];
        }
    }
    w->o.need_end[x] = to;
}

/* The list: holders, the latest first; nodes that are left; calls, each with its items. */
static void gspi_dedup_list(gspi_dedup *w)
{
    const gsp_accepted *a = w->a;
    uint32_t n = 0u;
    uint32_t i;
    uint32_t c;
    for (i = a->n_subgraphs; i > 0u; i--) {
        w->o.list[n++] = w->holders + i - 1u;
    }
    for (i = 0u; i + 1u < a->n_nodes; i++) {
        if (w->s.went[i] == GSP_NONE) {
            w->o.list[n++] = i;
        }
    }
    for (c = 0u; c < a->n_calls; c++) {
        w->o.list[n++] = w->items + c;
        for (i = a->item_begin[c]; i < a->item_begin[c + 1u]; i++) {
            w->o.list[n++] = a->n_nodes + i;
        }
    }
    w->o.n_list = n;
}

/* Needs of all elements, counted and then written: arguments, then waits. */
static void gspi_dedup_needs_all(gspi_dedup *w, const gsp_node *barriers, int fill)
{
    uint32_t *n_args = w->o.place; /* its turn comes later */
    uint32_t i;
    for (i = 0u; i < w->o.n_list; i++) {
        uint32_t const x = w->o.list[i];
        uint32_t const begin = w->o.need_end[x];
        gspi_dedup_args(w, x, fill);
        n_args[x] = w->o.need_end[x] - begin;
    }
    gspi_dedup_waits_all(w, barriers, fill);
    for (i = 0u; i < w->a->n_calls && fill; i++) {
        gspi_dedup_once(w, w->items + i, n_args[w->items + i]);
    }
}

/* The order of the root; 0: rows and arguments of the module disagree. */
GSPI_OWN_FRAME int gspi_dedup_sort(gspi_dedup *w)
{
    gsp_node *barriers = w->local; /* its turn comes later */
    uint32_t sum = 0u;
    uint32_t i;
    w->o.n = w->holders + w->a->n_subgraphs;
    gspi_set(w->met, 0, w->o.n, sizeof(uint32_t));
    gspi_set(w->met_first, 0, w->o.n, sizeof(uint32_t));
    gspi_set(w->o.need_end, 0, w->o.n, sizeof(uint32_t));
    w->n_met = 0u;
    gspi_dedup_bodies(w);
    gspi_dedup_barriers(w, barriers);
    gspi_dedup_list(w);
    gspi_dedup_needs_all(w, barriers, 0);
    for (i = 0u; i < w->o.n; i++) {
        uint32_t const count = w->o.need_end[i];
        w->o.need_begin[i] = sum;
        w->o.need_end[i] = sum;
        sum += count;
    }
    gspi_dedup_needs_all(w, barriers, 1);
    return gspi_order_run(&w->o);
}

/* ---- writing ---- */

/* An argument in the place of which the items of an aggregate stand: opens, and closes. */
static gsp_arg_kind gspi_dedup_container(const gspi_dedup *w, gsp_node v)
{
    uint32_t elements;
    return gsp_type_container(gsp_node_type(w->s.g, v), &elements);
}

/* Copies the arguments of node v as they are at `time`, values by `map`. */
static void gspi_dedup_put_args(const gspi_dedup *w, gsp_node v, uint32_t time, const gsp_node *map)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(w->s.g, v, &count);
    uint32_t i;
    uint32_t e;
    for (i = 0u; i < count; i++) {
        gsp_arg a = args[i];
        gsp_node const u = a.value;
        uint32_t value;
        uint32_t elements;
        if (a.kind != (uint32_t)GSP_ARG_NODE) {
            gsp_build_arg(w->b, a);
            continue;
        }
        value = gspi_value_of(&w->s, u, time);
        if (!gspi_value_is_written_out(&w->s, u, time)) {
            gspi_put_arg(w->b, GSP_ARG_NODE, map[value]);
            continue;
        }
        gspi_put_arg(w->b, gspi_dedup_container(w, u), 0u);
        elements = gspi_value_count(&w->s, u);
        for (e = 0u; e < elements; e++) {
            gspi_put_arg(w->b, GSP_ARG_NODE, map[value + e]);
        }
        gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    }
}

/* The annotation of an item: that of its node, or the TYPE of an element. */
static void gspi_dedup_type(const gspi_dedup *w, uint32_t item)
{
    gsp_node const v = w->a->item_node[item];
    uint32_t elements;
    gsp_text const type = gsp_node_type(w->s.g, v);
    if (gsp_type_container(type, &elements) == GSP_ARG_NONE) {
        gsp_build_like(w->b, w->s.g, v, 0);
    } else {
        gsp_build_type(w->b, gsp_type_element(type, item - w->s.item_of[v]));
    }
}

static void gspi_dedup_put_getitem(const gspi_dedup *w, gsp_string name, gsp_node from,
                                   uint32_t index)
{
    char digits[20];
    uint32_t const size = gspi_decimal(index, digits);
    (void)gsp_build_node_id(w->b, GSP_OP_CALL_FUNCTION, name, GSP_KEY_GETITEM);
    gspi_put_arg(w->b, GSP_ARG_NODE, from);
    gspi_put_arg(w->b, GSP_ARG_CONSTANT, gsp_build_string(w->b, gspi_slice(digits, 0u, size)));
}

static void gspi_dedup_put_call(gspi_dedup *w, uint32_t c, gsp_string target)
{
    uint32_t const s = gspi_dedup_sub_of(w, c);
    gspi_dedup_inputs q = gspi_dedup_inputs_of(w, s, w->a->region_of[c]);
    w->call[c] = gsp_build_node_id(w->b, GSP_OP_CALL_FUNCTION, w->name[w->items + c], target);
    gspi_put_arg(w->b, GSP_ARG_NODE, w->o.place[w->holders + s]);
    gspi_put_arg(w->b, GSP_ARG_CONSTANT, w->sub_name[s]);
    while (gspi_dedup_next_input(w, &q)) {
        gspi_put_arg(w->b, GSP_ARG_NODE, w->o.place[q.value]);
    }
}

/* The root. Places in the order are ids of nodes. */
static void gspi_dedup_root(gspi_dedup *w)
{
    const gsp_graph *g = w->s.g;
    const gsp_string *target = g->module->target + g->first;
    gsp_string const invoke =
        gsp_build_string(w->b, gsp_text_of("torch.ops.higher_order.invoke_subgraph"));
    gsp_node const output = g->n_nodes - 1u;
    uint32_t i;
    for (i = 0u; i < w->o.n_list; i++) {
        uint32_t const x = w->o.list[i];
        if (x < w->a->n_nodes) {
            (void)gspi_copy_node(w->b, g, gsp_node_op(g, x), x, target[x]);
            gspi_dedup_put_args(w, x, GSP_NONE, w->o.place);
        } else if (x < w->items) {
            uint32_t const c = w->a->call_of[w->a->item_node[x - w->a->n_nodes]];
            gspi_dedup_put_getitem(w, w->name[x], w->o.place[w->items + c],
                                   x - w->a->n_nodes - w->a->item_begin[c]);
            gspi_dedup_type(w, x - w->a->n_nodes);
        } else if (x < w->holders) {
            gspi_dedup_put_call(w, x - w->items, invoke);
        } else {
            (void)gsp_build_node_id(w->b, GSP_OP_GET_ATTR, w->name[x], w->sub_name[x - w->holders]);
        }
    }
    (void)gsp_build_output(w->b);
    gsp_build_like(w->b, g, output, 1);
    gspi_dedup_put_args(w, output, GSP_NONE, w->o.place);
}

/* "subgraph_input_NAME" for every input of a subgraph. */
static void gspi_dedup_put_inputs(gspi_dedup *w, uint32_t s)
{
    gspi_dedup_inputs q = gspi_dedup_inputs_of(w, s, gspi_dedup_first(w, s));
    while (gspi_dedup_next_input(w, &q)) {
        gsp_string const name = gspi_build_joined(w->b, gsp_text_of("subgraph_input_"),
                                                  gspi_build_text(w->b, w->name[q.first]));
        w->local[q.first] = gsp_build_node_id(w->b, GSP_OP_PLACEHOLDER, name, name);
        if (q.first < w->a->n_nodes) {
            gsp_build_like(w->b, w->s.g, q.first, 0);
        } else {
            gspi_dedup_type(w, q.first - w->a->n_nodes);
        }
    }
}

/* The values that a subgraph returns: its outputs, aggregates in their elements. Made are the
 * getitems, or else the arguments of the return. */
static void gspi_dedup_put_outputs(const gspi_dedup *w, uint32_t s, gsp_node *next, int getitems)
{
    uint32_t const first = gspi_dedup_first(w, s);
    uint32_t i;
    uint32_t e;
    for (i = w->a->out_begin[s]; i < w->a->out_begin[s + 1u]; i++) {
        gsp_node const v = gspi_dedup_member(w, s, w->a->outs[i], first);
        int const whole = gspi_dedup_container(w, v) == GSP_ARG_NONE;
        uint32_t const elements = gspi_value_count(&w->s, v);
        if (whole && !getitems) {
            gspi_put_arg(w->b, GSP_ARG_NODE, w->local[v]);
        }
        for (e = 0u; e < elements && !whole; e++) {
            if (getitems) {
                gspi_dedup_put_getitem(w, gsp_build_name(w->b, gsp_text_of("getitem")), w->local[v],
                                       e);
                gspi_dedup_type(w, w->s.item_of[v] + e);
            } else {
                gspi_put_arg(w->b, GSP_ARG_NODE, (*next)++);
            }
        }
    }
}

/* The graph of a subgraph. */
static void gspi_dedup_body(gspi_dedup *w, uint32_t s)
{
    const gsp_graph *g = w->s.g;
    const gsp_string *target = g->module->target + g->first;
    uint32_t const rows = gspi_group_rows(w->r, w->a->group_of[s]);
    gsp_node next = 0u;
    uint32_t p;
    gsp_build_graph(w->b, gspi_build_text(w->b, w->sub_name[s]));
    gspi_dedup_put_inputs(w, s);
    for (p = 0u; p < rows; p++) {
        gsp_node const v = gspi_dedup_member(w, s, p, gspi_dedup_first(w, s));
        w->local[v] = gsp_build_node_id(w->b, gsp_node_op(g, v),
                                        gsp_build_name(w->b, gsp_node_name(g, v)), target[v]);
        gsp_build_like(w->b, g, v, 1);
        gspi_dedup_put_args(w, v, s, w->local);
        next = w->local[v] + 1u;
    }
    gspi_dedup_put_outputs(w, s, &next, 1);
    (void)gsp_build_output(w->b);
    gspi_put_arg(w->b, GSP_ARG_TUPLE, 0u);
    gspi_dedup_put_outputs(w, s, &next, 0);
    gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
}

GSPI_OWN_FRAME gsp_status gspi_dedup_write(gspi_dedup *w, gsp_error *err)
{
    const gsp_module *m = w->s.g->module;
    uint32_t i;
    gsp_build_adopt(w->b, m);
    gsp_build_graph(w->b, gspi_slice("", 0u, 0u));
    gspi_dedup_names(w);
    gspi_dedup_root(w);
    for (i = 0u; i < w->a->n_subgraphs; i++) {
        gspi_dedup_body(w, i);
    }
    for (i = 1u; i < m->counts.graphs; i++) {
        if (i != w->s.g->id) {
            gsp_graph const child = gsp_module_graph(m, i);
            gspi_copy_graph(w->b, &child);
        }
    }
    return gsp_build_finish(w->b, w->made, NULL) == GSP_OK
               ? GSP_OK
               : gspi_fail(err, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS);
}

/* The map from old nodes to new. */
static void gspi_dedup_map(const gspi_dedup *w)
{
    uint32_t const n = w->a->n_nodes;
    uint32_t sum = 0u;
    uint32_t e;
    gsp_node v;
    for (v = 0u; v < n; v++) {
        uint32_t const value = gspi_value_of(&w->s, v, GSP_NONE);
        uint32_t const count = value == v && w->s.went[v] != GSP_NONE ? 0u
                               : value == v                           ? 1u
                                                                      : gspi_value_count(&w->s, v);
        w->now_begin[v] = sum;
        for (e = 0u; e < count; e++) {
            w->now[sum++] = v + 1u == n ? w->o.n_list : w->o.place[value + e];
        }
    }
    w->now_begin[n] = sum;
}

GSPI_OWN_FRAME gsp_status gspi_dedup_make(gspi_dedup *w, gsp_arena *arena,
                                          const gsp_dedup_desc *desc, gsp_error *err)
{
    gsp_counts counts = w->s.g->module->counts;
    gspi_bump b = gspi_bump_over(arena);
    gspi_dedup_layout(&b, w, &counts, desc);
    w->items = w->a->n_nodes + w->a->n_items;
    w->holders = w->items + w->a->n_calls;
    if (!gspi_dedup_sort(w)) {
        return gspi_fail(err, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS);
    }
    counts = gspi_dedup_counts(&counts, desc);
    GSPI_TRY(gsp_build_init(w->b, arena, &counts, err));
    GSPI_TRY(gspi_dedup_write(w, err));
    gspi_dedup_map(w);
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_dedup_find(gsp_arena *arena, const gsp_graph *graph,
                                          const gsp_dedup_desc *desc, gspi_dedup_found *f,
                                          gsp_error *err)
{
    gsp_regions_desc const regions = gspi_dedup_regions(desc);
    gsp_accept_desc const accept = gspi_dedup_accept(desc);
    GSPI_TRY(gsp_regions_run(arena, graph, &regions, &f->regions, err));
    return gsp_accept_run(arena, graph, &f->regions, &accept, &f->accepted, err);
}

/* Finds, makes, and hands out. */
GSPI_OWN_FRAME gsp_status gspi_dedup_all(gsp_arena *arena, const gsp_graph *graph,
                                         const gsp_dedup_desc *desc, gsp_dedup_result *result,
                                         gsp_error *err)
{
    gspi_dedup_found *f =
        (gspi_dedup_found *)gspi_arena_take(arena, 1u, sizeof(gspi_dedup_found), 1);
    gspi_dedup w;
    GSPI_TRY(gspi_dedup_find(arena, graph, desc, f, err));
    w.s.g = graph;
    w.s.went = (uint32_t *)(uintptr_t)f->accepted.went;
    w.s.call_of = (uint32_t *)(uintptr_t)f->accepted.call_of;
    w.s.item_of = (uint32_t *)(uintptr_t)f->accepted.item_of;
    w.r = &f->regions;
    w.a = &f->accepted;
    GSPI_TRY(gspi_dedup_make(&w, arena, desc, err));
    result->module = *w.made;
    result->regions = f->regions;
    result->accepted = f->accepted;
    result->call = w.call;
    result->now_begin = w.now_begin;
    result->now = w.now;
    return GSP_OK;
}

GSP_API gsp_status gsp_dedup_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_dedup_desc *desc, gsp_dedup_result *result,
                                 gsp_error *err)
{
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || graph == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc != NULL && (desc->start_canary != 0u || desc->end_canary != 0u)) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    GSPI_TRY(gspi_room(arena, gsp_dedup_bound(&graph->module->counts, desc), err));
    mark = gsp_arena_mark(arena);
    status = gspi_dedup_all(arena, graph, desc, result, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>fingerprint   Equal graphs under different names                              (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DEDUP

/* Two lanes that are fed with numbers, never with bytes as they lie in memory. */

static void gspi_print_number(gsp_fingerprint *f, uint64_t x)
{
    uint64_t a = f->words[0] ^ x;
    uint64_t b = f->words[1] + x;
    a *= 0x9E3779B97F4A7C15u;
    a ^= a >> 29;
    b *= 0xC2B2AE3D27D4EB4Fu;
    b ^= b >> 31;
    f->words[0] = a * 0xBF58476D1CE4E5B9u + b;
    f->words[1] = (b ^ (a >> 17)) * 0x94D049BB133111EBu;
}

static void gspi_print_text(gsp_fingerprint *f, gsp_text t)
{
    uint64_t x = 0u;
    uint32_t i;
    gspi_print_number(f, t.data == NULL ? UINT64_MAX : t.size);
    for (i = 0u; i < t.size; i++) {
        x = (x << 8) | (unsigned char)t.data[i];
        if (i % 8u == 7u || i + 1u == t.size) {
            gspi_print_number(f, x);
            x = 0u;
        }
    }
}

/* The child graph that a string names; GSP_NONE: none, or the root. */
static uint32_t gspi_print_child(const gsp_graph *g, gsp_string s)
{
    uint32_t const id = gsp_module_find_graph(g->module, s);
    return id == 0u ? GSP_NONE : id;
}

/* What a node does, by texts. */
static void gspi_print_target(gsp_fingerprint *f, const gsp_graph *g, gsp_node v)
{
    gsp_op const op = gsp_node_op(g, v);
    gspi_print_number(f, (uint64_t)op);
    if (op == GSP_OP_CALL_FUNCTION || op == GSP_OP_CALL_METHOD) {
        gspi_print_text(f, gsp_node_target(g, v));
    } else if (op == GSP_OP_CALL_MODULE &&
               gspi_print_child(g, g->module->target[g->first + v]) == GSP_NONE) {
        gspi_print_text(f, gsp_node_class(g, v));
        gspi_print_number(f, gsp_node_params(g, v));
    }
    gspi_print_text(f, gsp_node_type(g, v));
}

static void gspi_print_args(gsp_fingerprint *f, const gsp_graph *g, gsp_node v)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t i;
    gspi_print_number(f, count);
    for (i = 0u; i < count; i++) {
        int const text =
            args[i].kind == (uint32_t)GSP_ARG_CONSTANT || args[i].kind == (uint32_t)GSP_ARG_KEY;
        gspi_print_number(f, args[i].kind);
        if (!text) {
            gspi_print_number(f, args[i].value);
        } else if (gspi_print_child(g, args[i].value) == GSP_NONE) {
            gspi_print_text(f, gspi_string(g->module, args[i].value));
        }
    }
}

/* One graph; returns the first child graph from node *at on that it names, and moves *at behind
 * it. */
static uint32_t gspi_print_next_child(const gsp_graph *g, gsp_node *at)
{
    while (*at < g->n_nodes) {
        gsp_node const v = (*at)++;
        gsp_op const op = gsp_node_op(g, v);
        uint32_t const child = op == GSP_OP_CALL_MODULE || op == GSP_OP_GET_ATTR
                                   ? gspi_print_child(g, g->module->target[g->first + v])
                                   : GSP_NONE;
        if (child != GSP_NONE) {
            return child;
        }
    }
    return GSP_NONE;
}

static void gspi_print_graph(gsp_fingerprint *f, const gsp_graph *g)
{
    static const uint8_t keys[] = {GSP_KEY_MUTATES, GSP_KEY_ALIAS, GSP_KEY_STATE, GSP_KEY_BARRIER,
                                   GSP_KEY_DEVICE};
    gsp_node v;
    uint32_t i;
    gspi_print_number(f, g->n_nodes);
    for (v = 0u; v < g->n_nodes; v++) {
        gspi_print_target(f, g, v);
        gspi_print_args(f, g, v);
        for (i = 0u; i < sizeof(keys); i++) {
            gspi_print_text(f, gsp_node_attr(g, v, (gsp_key)keys[i]));
        }
    }
}

GSP_API gsp_fingerprint gsp_graph_fingerprint(const gsp_graph *graph)
{
    gsp_fingerprint f;
    gsp_node at = 0u;
    uint32_t child;
    f.words[0] = 0u;
    f.words[1] = 1u;
    gspi_print_graph(&f, graph);
    while ((child = gspi_print_next_child(graph, &at)) != GSP_NONE) {
        gsp_graph const g = gsp_module_graph(graph->module, child);
        gspi_print_graph(&f, &g);
    }
    return f;
}

GSP_API void gsp_fingerprint_write(gsp_fingerprint fingerprint, char *text)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t i;
    for (i = 0u; i < 32u; i++) {
        text[i] = digits[(fingerprint.words[i / 16u] >> (60u - 4u * (i % 16u))) & 15u];
    }
    text[32] = '\0';
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>costs   Costs of nodes in whole ticks                                          (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE
#ifndef GSP_NO_COST

/* ---- ticks ---- */

typedef struct gspi_wide {
    uint64_t high;
    uint64_t low;
} gspi_wide;

static gspi_wide gspi_costs_product(uint64_t a, uint64_t b)
{
    uint64_t const a1 = a >> 32;
    uint64_t const a0 = a & 0xFFFFFFFFu;
    uint64_t const b1 = b >> 32;
    uint64_t const b0 = b & 0xFFFFFFFFu;
    uint64_t const middle = a1 * b0 + ((a0 * b0) >> 32);
    uint64_t const other = a0 * b1 + (middle & 0xFFFFFFFFu);
    gspi_wide w;
    w.high = a1 * b1 + (middle >> 32) + (other >> 32);
    w.low = (other << 32) | ((a0 * b0) & 0xFFFFFFFFu);
    return w;
}

static gspi_wide gspi_costs_right(gspi_wide w, uint32_t shift)
{
    for (; shift >= 64u; shift -= 64u) {
        w.low = w.high;
        w.high = 0u;
    }
    if (shift > 0u) {
        w.low = (w.low >> shift) | (w.high << (64u - shift));
        w.high >>= shift;
    }
    return w;
}

/* Seconds in ticks, rounded half up; UINT64_MAX: too many. The double is taken apart, so that no
 * machine rounds. Not negative, not infinite, a number. */
static uint64_t gspi_costs_ticks(double seconds, uint64_t per_second)
{
    uint64_t bits;
    uint32_t exponent;
    gspi_wide w;
    GSP_MEMCPY(&bits, &seconds, sizeof(bits));
    exponent = (uint32_t)(bits >> 52);
    bits &= 0xFFFFFFFFFFFFFu;
    w = gspi_costs_product(exponent == 0u ? bits : bits | 0x10000000000000u, per_second);
    exponent = exponent == 0u ? 1u : exponent; /* the value is w * 2^(exponent - 1075) */
    if (exponent < 1075u) {
        w = gspi_costs_right(w, 1074u - exponent);
        w.low = (w.high << 63 | w.low >> 1) + (w.low & 1u);
        w.high >>= 1;
        return w.high != 0u ? UINT64_MAX : w.low;
    }
    exponent -= 1075u;
    if ((w.high | w.low) == 0u) {
        return 0u;
    }
    return w.high != 0u || exponent > 63u || (w.low << exponent) >> exponent != w.low
               ? UINT64_MAX
               : w.low << exponent;
}

/* bytes * ticks / bandwidth, rounded half up; UINT64_MAX: too much. Division bit by bit. */
static uint64_t gspi_costs_transfer(uint64_t bytes, uint64_t ticks, uint64_t bandwidth)
{
    gspi_wide const w = gspi_costs_product(bytes, ticks);
    uint64_t quotient = 0u;
    uint64_t rest = 0u;
    uint32_t i;
    for (i = 128u; i > 0u; i--) {
        uint64_t const next = ((i > 64u ? w.high : w.low) >> ((i - 1u) % 64u)) & 1u;
        int const carry = (rest >> 63) != 0u;
        rest = (rest << 1) | next;
        if (quotient >> 63 != 0u) {
            return UINT64_MAX;
        }
        quotient <<= 1;
        if (carry || rest >= bandwidth) {
            rest -= bandwidth;
            quotient |= 1u;
        }
    }
    return gspi_sum(quotient, rest >= bandwidth - rest ? 1u : 0u);
}

/* ---- items ---- */

typedef struct gspi_costs_ws {
    uint64_t *time;
    uint64_t *move;
    uint32_t *item_begin;
    uint32_t *items;
    uint64_t *item_bytes;
    gsp_node *first;     /* [strings] get_attr that reads this target first */
    uint32_t *attr_item; /* [strings] */
    uint32_t *module_item;
    uint32_t n_items;
    uint32_t n_reads;
} gspi_costs_ws;

static void gspi_costs_layout(gspi_bump *b, gspi_costs_ws *ws, const gsp_counts *counts)
{
    size_t const n = counts->nodes;
    size_t const reads = gspi_add(n, counts->edges);
    ws->time = GSPI_LOW(b, uint64_t, n);
    ws->move = GSPI_LOW(b, uint64_t, n);
    ws->item_begin = GSPI_LOW(b, uint32_t, n + 1u);
    ws->items = GSPI_LOW(b, uint32_t, reads);
    ws->item_bytes = GSPI_LOW(b, uint64_t, reads);
    ws->first = GSPI_HIGH(b, gsp_node, counts->strings);
    ws->attr_item = GSPI_HIGH(b, uint32_t, counts->strings);
    ws->module_item = GSPI_HIGH(b, uint32_t, counts->strings);
    ws->n_items = 0u;
    ws->n_reads = 0u;
}

static void gspi_costs_read(gspi_costs_ws *ws, uint32_t *item_of, uint64_t bytes)
{
    if (*item_of == GSP_NONE) {
        *item_of = ws->n_items++;
        ws->item_bytes[*item_of] = bytes;
    }
    ws->items[ws->n_reads++] = *item_of;
}

static void gspi_costs_items(gspi_costs_ws *ws, const gsp_graph *g, gsp_node v)
{
    const gsp_string *target = g->module->target + g->first;
    uint32_t count;
    uint32_t i;
    const gsp_node *inputs = gsp_node_inputs(g, v, &count);
    if (gsp_node_op(g, v) == GSP_OP_GET_ATTR && ws->first[target[v]] == GSP_NONE) {
        ws->first[target[v]] = v;
    }
    for (i = 0u; i < count && gsp_node_is_callable(g, v); i++) {
        if (gsp_node_op(g, inputs[i]) == GSP_OP_GET_ATTR) {
            gsp_string const t = target[inputs[i]];
            gspi_costs_read(ws, &ws->attr_item[t], gsp_node_bytes(g, ws->first[t]));
        }
    }
    if (gsp_node_op(g, v) == GSP_OP_CALL_MODULE) {
        gspi_costs_read(ws, &ws->module_item[target[v]], gsp_node_params(g, v));
    }
}

static gsp_status gspi_costs_seconds(const gsp_graph *g, gsp_node v, gsp_key key, uint64_t ticks,
                                     uint64_t *out, gsp_error *err)
{
    double const seconds = gsp_node_seconds(g, v, key);
    if (!(seconds >= 0.0) || seconds > 1.7976931348623157e308) {
        return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_LATENCY, v, GSP_NONE);
    }
    *out = seconds > 0.0 ? gspi_costs_ticks(seconds, ticks) : 0u;
    return GSP_OK;
}

static gsp_status gspi_costs_node(gspi_costs_ws *ws, const gsp_graph *g, const gsp_costs_desc *d,
                                  gsp_node v, gsp_error *err)
{
    uint64_t time = 0u;
    uint64_t move = 0u;
    if (gsp_node_is_callable(g, v)) {
        GSPI_TRY(gspi_costs_seconds(g, v, GSP_KEY_COMPUTE, d->ticks, &time, err));
    }
    GSPI_TRY(gspi_costs_seconds(g, v, GSP_KEY_COMM, d->ticks, &move, err));
    if (d->bandwidth != 0u && gsp_node_attr(g, v, GSP_KEY_COMM).data == NULL) {
        move = gspi_costs_transfer(gsp_node_bytes(g, v), d->ticks, d->bandwidth);
    }
    if (time > (UINT64_MAX - 1u) / d->scale || move == UINT64_MAX) {
        return gspi_fail_at(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v, GSP_NONE);
    }
    ws->time[v] = time * d->scale;
    ws->move[v] = move;
    ws->item_begin[v] = ws->n_reads;
    gspi_costs_items(ws, g, v);
    return GSP_OK;
}

GSP_API gsp_costs_desc gsp_costs_resolve(const gsp_costs_desc *desc)
{
    gsp_costs_desc d = {0u, 0u, 0u, 0u, 0u};
    if (desc != NULL) {
        d = *desc;
    }
    d.scale = d.scale == 0u ? 1u : d.scale;
    d.ticks = d.ticks == 0u ? 1000000000u : d.ticks;
    return d;
}

GSP_API size_t gsp_costs_bound(const gsp_counts *counts)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_costs_ws ws;
    gspi_costs_layout(&b, &ws, counts);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API gsp_status gsp_costs_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_costs_desc *desc, gsp_costs *costs, gsp_error *err)
{
    gsp_costs_desc const d = gsp_costs_resolve(desc);
    gspi_bump b = gspi_bump_over(arena);
    gspi_costs_ws ws;
    gsp_counts counts;
    gsp_mark mark;
    gsp_node v;
    if (arena == NULL || graph == NULL || costs == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (d.start_canary != 0u || d.end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_costs_bound(&counts), err));
    mark = gsp_arena_mark(arena);
    gspi_costs_layout(&b, &ws, &counts);
    gspi_set(ws.first, 0xFF, counts.strings, sizeof(gsp_node));
    gspi_set(ws.attr_item, 0xFF, counts.strings, sizeof(uint32_t));
    gspi_set(ws.module_item, 0xFF, counts.strings, sizeof(uint32_t));
    for (v = 0u; v < graph->n_nodes; v++) {
        gsp_status const status = gspi_costs_node(&ws, graph, &d, v, err);
        if (status != GSP_OK) {
            gsp_arena_rewind(arena, mark);
            return status;
        }
    }
    ws.item_begin[graph->n_nodes] = ws.n_reads;
    arena->high = mark.high;
    costs->n_nodes = graph->n_nodes;
    costs->n_items = ws.n_items;
    costs->time = ws.time;
    costs->move = ws.move;
    costs->stash = graph->module->bytes + graph->first;
    costs->item_begin = ws.item_begin;
    costs->items = ws.items;
    costs->item_bytes = ws.item_bytes;
    return gspi_done(err);
}
#endif
#endif

/* -------------------------------------------------------------------------------------------------
 * >>stages   Where to cut a pipeline                                              (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

/* One pass in graph order weighs the nodes, a second one closes stages. Names of parameters are
 * strings of the module, so "for the first time" is a bit a string, and "in this stage" the number
 * of the stage that read it last. */

typedef struct gspi_stages_ws {
    uint32_t *stage_of;
    uint64_t *stage_weight; /* [stages] */
    uint64_t *weight;       /* [n] of a node, 0: in no stage */
    gsp_node *first;        /* [strings] get_attr that reads this target first */
    uint32_t *read_by;      /* [strings] THRESHOLD: last stage that reads it */
    gsp_bitset attrs;       /* [strings] targets of get_attr that have been counted */
    gsp_bitset modules;     /* [strings] called modules that have been counted */
    uint32_t n_members;
    uint32_t n_stages;
    uint64_t total; /* of all weights */
} gspi_stages_ws;

static void gspi_stages_layout(gspi_bump *b, gspi_stages_ws *ws, const gsp_counts *counts,
                               const gsp_stages_desc *d)
{
    uint32_t const n = counts->nodes;
    uint32_t const strings = d->policy == (uint32_t)GSP_STAGES_NODES ? 0u : counts->strings;
    size_t const words = gsp_bitset_words(strings);
    ws->stage_of = GSPI_LOW(b, uint32_t, n);
    ws->stage_weight =
        GSPI_LOW(b, uint64_t, d->n_stages == 0u || d->n_stages > n ? n : d->n_stages);
    ws->weight = GSPI_HIGH(b, uint64_t, n);
    ws->first = GSPI_HIGH(b, gsp_node, strings);
    ws->read_by =
        GSPI_HIGH(b, uint32_t, d->policy == (uint32_t)GSP_STAGES_THRESHOLD ? strings : 0u);
    ws->attrs.words = GSPI_HIGH(b, uint32_t, words);
    ws->modules.words = GSPI_HIGH(b, uint32_t, words);
    ws->n_members = 0u;
    ws->n_stages = 0u;
    ws->total = 0u;
}

GSP_API gsp_stages_desc gsp_stages_resolve(const gsp_stages_desc *desc)
{
    gsp_stages_desc d = {0u, 0u, 0u, 0u, NULL, 0u};
    if (desc != NULL) {
        d = *desc;
    }
    if (d.n_stages == 0u && d.policy != (uint32_t)GSP_STAGES_THRESHOLD) {
        d.n_stages = 1u;
    }
    d.marker = d.marker == NULL ? GSP_STAGES_MARKER : d.marker;
    return d;
}

GSP_API size_t gsp_stages_bound(const gsp_counts *counts, const gsp_stages_desc *desc)
{
    gsp_stages_desc const d = gsp_stages_resolve(desc);
    gspi_bump b = gspi_bump_over(NULL);
    gspi_stages_ws ws;
    gspi_stages_layout(&b, &ws, counts, &d);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API int gsp_stages_is_marker(const gsp_graph *graph, gsp_node node, const char *marker)
{
    return gsp_node_op(graph, node) == GSP_OP_CALL_FUNCTION &&
           gsp_text_equal(gsp_node_target(graph, node),
                          gsp_text_of(marker == NULL ? GSP_STAGES_MARKER : marker));
}

static gsp_status gspi_stages_check(const gsp_stages_desc *d, gsp_error *err)
{
    if (d->start_canary != 0u || d->end_canary != 0u || d->policy >= (uint32_t)GSP_STAGES_COUNT) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (d->policy == (uint32_t)GSP_STAGES_THRESHOLD && d->threshold == 0u && d->n_stages == 0u) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_THRESHOLD);
    }
    return GSP_OK;
}

/* ---- weights ---- */

/* Bytes of parameters that node v is the first to read; UINT64_MAX: too many. */
static uint64_t gspi_stages_first_read(gspi_stages_ws *ws, const gsp_graph *g, gsp_node v)
{
    const gsp_string *target = g->module->target + g->first;
    uint64_t sum = 0u;
    uint32_t count;
    uint32_t i;
    const gsp_node *inputs = gsp_node_inputs(g, v, &count);
    for (i = 0u; i < count; i++) {
        gsp_string const t = target[inputs[i]];
        if (gsp_node_op(g, inputs[i]) == GSP_OP_GET_ATTR && !gsp_bitset_has(&ws->attrs, t)) {
            gsp_bitset_set(&ws->attrs, t);
            sum = gspi_sum(sum, gsp_node_bytes(g, ws->first[t]));
        }
    }
    if (gsp_node_op(g, v) == GSP_OP_CALL_MODULE && !gsp_bitset_has(&ws->modules, target[v])) {
        gsp_bitset_set(&ws->modules, target[v]);
        sum = gspi_sum(sum, gsp_node_params(g, v));
    }
    return sum;
}

/* Members of stages and their weights: stage_of is 0 for a member, GSP_NONE for all others. */
static gsp_status gspi_stages_weigh(gspi_stages_ws *ws, const gsp_graph *g,
                                    const gsp_stages_desc *d, gsp_error *err)
{
    const gsp_string *target = g->module->target + g->first;
    int const bytes = d->policy != (uint32_t)GSP_STAGES_NODES;
    uint32_t const strings = bytes ? g->module->counts.strings : 0u;
    gsp_node v;
    gsp_bitset_init(&ws->attrs, ws->attrs.words, strings);
    gsp_bitset_init(&ws->modules, ws->modules.words, strings);
    gspi_set(ws->first, 0xFF, strings, sizeof(gsp_node));
    for (v = 0u; v < g->n_nodes; v++) {
        int const member = gsp_node_is_callable(g, v) && !gsp_stages_is_marker(g, v, d->marker);
        ws->stage_of[v] = member ? 0u : GSP_NONE;
        ws->weight[v] = 0u;
        ws->n_members += member ? 1u : 0u;
        if (bytes && gsp_node_op(g, v) == GSP_OP_GET_ATTR && ws->first[target[v]] == GSP_NONE) {
            ws->first[target[v]] = v;
        }
        if (member) {
            ws->weight[v] = bytes ? gspi_stages_first_read(ws, g, v) : 1u;
            ws->total = gspi_sum(ws->total, ws->weight[v]);
        }
        if (ws->total == UINT64_MAX) {
            return gspi_fail_at(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* ---- equal shares ---- */

static void gspi_stages_share(gspi_stages_ws *ws, uint32_t n, uint32_t n_stages)
{
    uint32_t const last = (n_stages < ws->n_members ? n_stages : ws->n_members);
    uint64_t left = ws->total;     /* weight from the open stage on */
    uint64_t rest = ws->n_members; /* nodes behind v */
    uint64_t share = 0u;           /* at which the open stage closes */
    uint64_t own = 0u;             /* weight of the open stage so far */
    uint64_t counted = 0u;         /* the same, as it counts against the share */
    int even = 0;                  /* 1: every node weighs 1 */
    int open = 0;
    gsp_node v;
    for (v = 0u; v < n; v++) {
        uint64_t const to_fill = last - ws->n_stages;
        if (ws->stage_of[v] == GSP_NONE) {
            continue;
        }
        if (!open) {
            uint64_t const w = left > 0u ? left : rest;
            even = left == 0u;
            share = w / to_fill + (w % to_fill != 0u ? 1u : 0u);
            own = 0u;
            counted = 0u;
            open = 1;
        }
        rest--;
        own += ws->weight[v];
        counted += even ? 1u : ws->weight[v];
        ws->stage_of[v] = ws->n_stages;
        ws->stage_weight[ws->n_stages] = own;
        if (to_fill > 1u && (counted >= share || rest == to_fill - 1u)) {
            left -= own;
            ws->n_stages++;
            open = 0;
        }
    }
    ws->n_stages = last;
}

/* ---- threshold ---- */

/* Whether v reads parameters; *fresh: bytes of those that the stage does not read yet. From now on
 * it does. */
static int gspi_stages_add(gspi_stages_ws *ws, const gsp_graph *g, gsp_node v, uint64_t *fresh)
{
    const gsp_string *target = g->module->target + g->first;
    int reads = 0;
    uint32_t count;
    uint32_t i;
    const gsp_node *inputs = gsp_node_inputs(g, v, &count);
    *fresh = gsp_node_op(g, v) == GSP_OP_CALL_MODULE ? gsp_node_params(g, v) : 0u;
    reads = *fresh > 0u;
    for (i = 0u; i < count; i++) {
        gsp_string const t = target[inputs[i]];
        if (gsp_node_op(g, inputs[i]) == GSP_OP_GET_ATTR) {
            uint64_t const bytes = gsp_node_bytes(g, ws->first[t]);
            *fresh = gspi_sum(*fresh, ws->read_by[t] == ws->n_stages ? 0u : bytes);
            ws->read_by[t] = ws->n_stages;
            reads = 1;
        }
    }
    return reads;
}

/* ws->n_stages is the open stage. A node that does not fit closes it: behind itself when no
 * parameters stand before it, else before itself. Either way it does no harm that
 * gspi_stages_add() has noted its parameters for the stage that closes. */
static void gspi_stages_fill(gspi_stages_ws *ws, const gsp_graph *g, const gsp_stages_desc *d)
{
    uint64_t const threshold = d->threshold != 0u ? d->threshold : ws->total / d->n_stages;
    uint32_t const last = d->n_stages == 0u ? UINT32_MAX : d->n_stages - 1u;
    uint64_t held = 0u;
    int closed = 0;
    gsp_node v;
    gspi_set(ws->read_by, 0xFF, g->module->counts.strings, sizeof(uint32_t));
    for (v = 0u; v < g->n_nodes; v++) {
        uint64_t fresh;
        int reads;
        if (ws->stage_of[v] == GSP_NONE) {
            continue;
        }
        ws->n_stages += closed ? 1u : 0u;
        held = closed ? 0u : held;
        closed = 0;
        reads = gspi_stages_add(ws, g, v, &fresh);
        if (reads && gspi_sum(held, fresh) > threshold && ws->n_stages < last) {
            closed = held == 0u;
            ws->n_stages += closed ? 0u : 1u;
            held = 0u;
            if (!closed) {
                (void)gspi_stages_add(ws, g, v, &fresh);
            }
        }
        held = gspi_sum(held, fresh);
        ws->stage_of[v] = ws->n_stages;
        ws->stage_weight[ws->n_stages] = held;
    }
    ws->n_stages += ws->n_members > 0u ? 1u : 0u;
}

GSP_API gsp_status gsp_stages_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_stages_desc *desc, gsp_stages_result *result,
                                  gsp_error *err)
{
    gsp_stages_desc const d = gsp_stages_resolve(desc);
    gspi_bump b = gspi_bump_over(arena);
    gspi_stages_ws ws;
    gsp_counts counts;
    gsp_mark mark;
    if (arena == NULL || graph == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_stages_check(&d, err));
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_stages_bound(&counts, &d), err));
    mark = gsp_arena_mark(arena);
    gspi_stages_layout(&b, &ws, &counts, &d);
    if (gspi_stages_weigh(&ws, graph, &d, err) != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return GSP_STATUS_OVERFLOW;
    }
    if (d.policy == (uint32_t)GSP_STAGES_THRESHOLD) {
        gspi_stages_fill(&ws, graph, &d);
    } else {
        gspi_stages_share(&ws, graph->n_nodes, d.n_stages);
    }
    arena->high = mark.high;
    result->n_nodes = graph->n_nodes;
    result->n_stages = ws.n_stages;
    result->stage_of = ws.stage_of;
    result->weight = ws.stage_weight;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>loads   What every stage takes                                                 (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE
/* Nodes are sorted by stage; then "counted in this stage" is a stamp a node and a stamp an item.
 * Carried values are charged at the stages between their own and their last reader's by a
 * difference array. */

typedef struct gspi_loads_ws {
    gsp_load *loads;      /* [stages] */
    uint32_t *begin;      /* [stages + 1] into nodes */
    gsp_node *nodes;      /* [n] by stage */
    uint32_t *seen_value; /* [n] stage that a value has been counted into last */
    uint32_t *seen_item;  /* [items] */
    uint64_t *change;     /* [stages + 1] ticks of carried values from this stage on */
} gspi_loads_ws;

static void gspi_loads_layout(gspi_bump *b, gspi_loads_ws *ws, const gsp_counts *counts,
                              const gsp_loads_desc *d)
{
    size_t const n = counts->nodes;
    size_t const stages = d->n_stages;
    ws->loads = GSPI_LOW(b, gsp_load, stages);
    ws->begin = GSPI_HIGH(b, uint32_t, stages + 1u);
    ws->nodes = GSPI_HIGH(b, gsp_node, n);
    ws->seen_value = GSPI_HIGH(b, uint32_t, n);
    ws->seen_item = GSPI_HIGH(b, uint32_t, gspi_add(n, counts->edges));
    ws->change = GSPI_HIGH(b, uint64_t, stages + 1u);
}

GSP_API size_t gsp_loads_bound(const gsp_counts *counts, const gsp_loads_desc *desc)
{
    gsp_loads_desc const none = {0u, 0u, NULL, {NULL, 0u, 0u, NULL, 0u, 0u, 0u}, 0u};
    gspi_bump b = gspi_bump_over(NULL);
    gspi_loads_ws ws;
    gspi_loads_layout(&b, &ws, counts, desc == NULL ? &none : desc);
    return gspi_add(b.used, GSPI_SLACK);
}

static gsp_status gspi_loads_check(const gsp_graph *g, const gsp_loads_desc *d, gsp_error *err)
{
    const uint32_t *stage_of = d->stage_of;
    gsp_node v;
    for (v = 0u; v < g->n_nodes; v++) {
        uint32_t count;
        uint32_t i;
        const gsp_node *inputs = gsp_node_inputs(g, v, &count);
        if (stage_of[v] == GSP_NONE) {
            continue;
        }
        if (stage_of[v] >= d->n_stages || gsp_node_op(g, v) == GSP_OP_OUTPUT) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE, v, GSP_NONE);
        }
        for (i = 0u; i < count; i++) {
            uint32_t const s = stage_of[inputs[i]];
            if (s != GSP_NONE && s > stage_of[v]) {
                return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE, v, inputs[i]);
            }
        }
    }
    return GSP_OK;
}

static void gspi_loads_sort(gspi_loads_ws *ws, const gsp_graph *g, const gsp_loads_desc *d)
{
    const uint32_t *stage_of = d->stage_of;
    gsp_node v;
    gspi_set(ws->begin, 0, (size_t)d->n_stages + 1u, sizeof(uint32_t));
    for (v = 0u; v < g->n_nodes; v++) {
        if (stage_of[v] != GSP_NONE) {
            ws->begin[stage_of[v]]++;
        }
    }
    gspi_counts_to_ends(ws->begin, d->n_stages);
    for (v = g->n_nodes; v > 0u; v--) {
        if (stage_of[v - 1u] != GSP_NONE) {
            ws->nodes[--ws->begin[stage_of[v - 1u]]] = v - 1u;
        }
    }
}

/* The last stage that reads v; its own when no later one does. */
static uint32_t gspi_loads_last(const gsp_graph *g, const uint32_t *stage_of, gsp_node v)
{
    uint32_t last = stage_of[v];
    uint32_t count;
    uint32_t i;
    const gsp_node *users = gsp_node_users(g, v, &count);
    for (i = 0u; i < count; i++) {
        uint32_t const s = stage_of[users[i]];
        last = s != GSP_NONE && s > last ? s : last;
    }
    return last;
}

/* What enters stage s with node v. */
static void gspi_loads_enter(gspi_loads_ws *ws, const gsp_graph *g, const gsp_loads_desc *d,
                             gsp_node v, uint32_t s)
{
    const gsp_costs *c = d->model.costs;
    gsp_load *load = &ws->loads[s];
    uint32_t count;
    uint32_t i;
    const gsp_node *inputs = gsp_node_inputs(g, v, &count);
    for (i = 0u; i < count; i++) {
        gsp_node const u = inputs[i];
        if (d->stage_of[u] != GSP_NONE && d->stage_of[u] != s && ws->seen_value[u] != s) {
            ws->seen_value[u] = s;
            load->enter = gspi_sum(load->enter, gspi_cost(c->move, u));
            load->stash = gspi_sum(load->stash, gspi_cost(c->stash, u));
        }
    }
}

static void gspi_loads_items(gspi_loads_ws *ws, const gsp_costs *c, gsp_node v, uint32_t s)
{
    uint32_t i;
    for (i = gspi_item(c, v); i < gspi_item(c, v + 1u); i++) {
        if (ws->seen_item[c->items[i]] != s) {
            ws->seen_item[c->items[i]] = s;
            ws->loads[s].params = gspi_sum(ws->loads[s].params, c->item_bytes[c->items[i]]);
        }
    }
}

/* Values that pass through: change[s] becomes the ticks of what crosses into stage s. */
static uint64_t gspi_loads_carried(gspi_loads_ws *ws, const gsp_graph *g, const gsp_loads_desc *d)
{
    uint64_t all = 0u;
    gsp_node v;
    uint32_t s;
    gspi_set(ws->change, 0, (size_t)d->n_stages + 1u, sizeof(uint64_t));
    for (v = 0u; v < g->n_nodes; v++) {
        uint64_t const move = gspi_cost(d->model.costs->move, v);
        uint32_t const own = d->stage_of[v];
        uint32_t const last = own == GSP_NONE ? own : gspi_loads_last(g, d->stage_of, v);
        if (last != own) {
            ws->change[own + 1u] += move;
            ws->change[last + 1u] -= move;
            all = gspi_sum(all, move);
        }
    }
    for (s = 0u; s < d->n_stages; s++) {
        ws->change[s + 1u] += ws->change[s];
    }
    return all;
}

static void gspi_loads_stage(gspi_loads_ws *ws, const gsp_graph *g, const gsp_loads_desc *d,
                             uint32_t s)
{
    gsp_load *load = &ws->loads[s];
    uint32_t i;
    for (i = ws->begin[s]; i < ws->begin[s + 1u]; i++) {
        gsp_node const v = ws->nodes[i];
        load->compute = gspi_sum(load->compute, gspi_cost(d->model.costs->time, v));
        load->stash = gspi_sum(load->stash, gspi_cost(d->model.costs->stash, v));
        gspi_loads_enter(ws, g, d, v, s);
        gspi_loads_items(ws, d->model.costs, v, s);
        if (gspi_loads_last(g, d->stage_of, v) != s) {
            load->leave = gspi_sum(load->leave, gspi_cost(d->model.costs->move, v));
        }
    }
    load->n_nodes = ws->begin[s + 1u] - ws->begin[s];
}

static void gspi_loads_total(gspi_loads_ws *ws, const gsp_loads_desc *d, uint32_t s)
{
    const gsp_stage_model *m = &d->model;
    gsp_load *load = &ws->loads[s];
    int const is_last = s + 1u == d->n_stages;
    if (m->carried) {
        load->enter = ws->change[s];
        load->leave = ws->change[s + 1u];
    }
    load->held = gspi_held(m, s, d->n_stages);
    load->time = gspi_sum(load->compute, gspi_sum(load->enter, load->leave));
    load->time = gspi_sum(load->time, s == 0u ? m->first_time : 0u);
    load->time = gspi_sum(load->time, is_last ? m->last_time : 0u);
    load->memory = gspi_sum(gspi_times(load->params, m->copies == 0u ? 1u : m->copies),
                            gspi_times(load->stash, load->held));
}

static gsp_status gspi_loads_ready(const gsp_arena *arena, const gsp_graph *g,
                                   const gsp_loads_desc *d, const gsp_loads_result *result,
                                   gsp_error *err)
{
    gsp_counts counts;
    if (arena == NULL || g == NULL || d == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (d->model.costs == NULL || d->stage_of == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    counts = gsp_graph_counts(g);
    GSPI_TRY(gspi_room(arena, gsp_loads_bound(&counts, d), err));
    GSPI_TRY(gspi_check_costs(g, d->model.costs, err));
    return gspi_loads_check(g, d, err);
}

/* The slowest stage and the one of the greatest memory; 0 when a sum exceeds 64 bits. */
static int gspi_loads_greatest(const gspi_loads_ws *ws, gsp_loads_result *r)
{
    uint32_t s;
    for (s = 0u; s < r->n_stages; s++) {
        const gsp_load *load = &ws->loads[s];
        if (r->slowest == GSP_NONE || load->time > ws->loads[r->slowest].time) {
            r->slowest = s;
        }
        if (r->greatest == GSP_NONE || load->memory > ws->loads[r->greatest].memory) {
            r->greatest = s;
        }
    }
    return r->slowest == GSP_NONE || (ws->loads[r->slowest].time != UINT64_MAX &&
                                      ws->loads[r->greatest].memory != UINT64_MAX);
}

GSP_API gsp_status gsp_loads_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_loads_desc *desc, gsp_loads_result *result,
                                 gsp_error *err)
{
    gsp_loads_result r = {0u, GSP_NONE, GSP_NONE, NULL};
    gspi_bump b = gspi_bump_over(arena);
    gspi_loads_ws ws;
    gsp_counts counts;
    gsp_mark mark;
    uint64_t carried = 0u;
    uint32_t s;
    GSPI_TRY(gspi_loads_ready(arena, graph, desc, result, err));
    counts = gsp_graph_counts(graph);
    mark = gsp_arena_mark(arena);
    gspi_loads_layout(&b, &ws, &counts, desc);
    gspi_set(ws.loads, 0, desc->n_stages, sizeof(gsp_load));
    gspi_set(ws.seen_value, 0xFF, graph->n_nodes, sizeof(uint32_t));
    gspi_set(ws.seen_item, 0xFF, desc->model.costs->n_items, sizeof(uint32_t));
    gspi_loads_sort(&ws, graph, desc);
    if (desc->model.carried) {
        carried = gspi_loads_carried(&ws, graph, desc);
    }
    for (s = 0u; s < desc->n_stages; s++) {
        gspi_loads_stage(&ws, graph, desc, s);
        gspi_loads_total(&ws, desc, s);
    }
    r.n_stages = desc->n_stages;
    r.loads = ws.loads;
    if (!gspi_loads_greatest(&ws, &r) || carried == UINT64_MAX) {
        gsp_arena_rewind(arena, mark);
        return gspi_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    }
    arena->high = mark.high;
    *result = r;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>sequence   Other orders of a graph                                             (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE
/* Backward, inputs and users change places and the order is turned round at the end. Kahn's
 * algorithm keeps the nodes that are ready in one array: a heap, a stack or a queue. Depth first
 * keeps its path there, and how many neighbours of a node have been tried. */

typedef struct gspi_sequence_ws {
    gsp_node *order;
    gsp_node *ready;   /* [n] */
    uint32_t *missing; /* [n] inputs that are not out yet; DEPTH: neighbours tried */
    uint32_t *state;   /* [n] DEPTH: 1: on the path or out */
    uint32_t n_order;
    uint32_t first; /* of ready: QUEUE */
    uint32_t n_ready;
} gspi_sequence_ws;

static void gspi_sequence_layout(gspi_bump *b, gspi_sequence_ws *ws, uint32_t n)
{
    ws->order = GSPI_LOW(b, gsp_node, n);
    ws->ready = GSPI_HIGH(b, gsp_node, n);
    ws->missing = GSPI_HIGH(b, uint32_t, n);
    ws->state = GSPI_HIGH(b, uint32_t, n);
    ws->n_order = 0u;
    ws->first = 0u;
    ws->n_ready = 0u;
}

static const gsp_node *gspi_sequence_before(const gsp_graph *g, gsp_node v, int backward,
                                            uint32_t *count)
{
    return backward ? gsp_node_users(g, v, count) : gsp_node_inputs(g, v, count);
}

static void gspi_sequence_push(gspi_sequence_ws *ws, uint32_t kind, gsp_node v)
{
    uint32_t at = ws->n_ready++;
    while (kind == (uint32_t)GSP_SEQUENCE_LEAST && at > 0u && ws->ready[(at - 1u) / 2u] > v) {
        ws->ready[at] = ws->ready[(at - 1u) / 2u];
        at = (at - 1u) / 2u;
    }
    ws->ready[at] = v;
}

/* The root of the heap; the last element sinks from there. */
static gsp_node gspi_sequence_least(gspi_sequence_ws *ws)
{
    gsp_node *heap = ws->ready;
    gsp_node const least = heap[0];
    gsp_node const v = heap[--ws->n_ready];
    uint32_t at = 0u;
    uint32_t child = 1u;
    while (child < ws->n_ready) {
        child += child + 1u < ws->n_ready && heap[child + 1u] < heap[child] ? 1u : 0u;
        if (heap[child] >= v) {
            break;
        }
        heap[at] = heap[child];
        at = child;
        child = 2u * at + 1u;
    }
    heap[at] = v;
    return least;
}

static gsp_node gspi_sequence_pop(gspi_sequence_ws *ws, uint32_t kind)
{
    if (kind == (uint32_t)GSP_SEQUENCE_LEAST) {
        return gspi_sequence_least(ws);
    }
    return kind == (uint32_t)GSP_SEQUENCE_STACK ? ws->ready[--ws->n_ready] : ws->ready[ws->first++];
}

static void gspi_sequence_kahn(gspi_sequence_ws *ws, const gsp_graph *g, uint32_t kind,
                               int backward)
{
    gsp_node v;
    uint32_t count;
    uint32_t i;
    for (v = 0u; v < g->n_nodes; v++) {
        (void)gspi_sequence_before(g, v, backward, &ws->missing[v]);
        if (ws->missing[v] == 0u) {
            gspi_sequence_push(ws, kind, v);
        }
    }
    while (ws->first < ws->n_ready) {
        const gsp_node *after;
        v = gspi_sequence_pop(ws, kind);
        ws->order[ws->n_order++] = v;
        after = gspi_sequence_before(g, v, !backward, &count);
        for (i = 0u; i < count; i++) {
            if (--ws->missing[after[i]] == 0u) {
                gspi_sequence_push(ws, kind, after[i]);
            }
        }
    }
}

/* One depth-first search from a node without users. ready[] is the path. */
static void gspi_sequence_search(gspi_sequence_ws *ws, const gsp_graph *g,
                                 const gsp_sequence_desc *d, gsp_node root)
{
    uint32_t depth = 0u;
    ws->ready[depth++] = root;
    ws->state[root] = 1u;
    while (depth > 0u) {
        gsp_node const v = ws->ready[depth - 1u];
        uint32_t count;
        const gsp_node *before = gspi_sequence_before(g, v, d->backward != 0u, &count);
        uint32_t const turn =
            d->seed == 0u || count == 0u ? 0u : ((v ^ d->seed) * 0x9E3779B1u >> 8) % count;
        if (ws->missing[v] == count) {
            ws->order[ws->n_order++] = v;
            depth--;
        } else {
            gsp_node const u = before[(turn + ws->missing[v]++) % count];
            if (ws->state[u] == 0u) {
                ws->state[u] = 1u;
                ws->ready[depth++] = u;
            }
        }
    }
}

static void gspi_sequence_depth(gspi_sequence_ws *ws, const gsp_graph *g,
                                const gsp_sequence_desc *d)
{
    gsp_node v;
    gspi_set(ws->missing, 0, g->n_nodes, sizeof(uint32_t));
    gspi_set(ws->state, 0, g->n_nodes, sizeof(uint32_t));
    for (v = 0u; v < g->n_nodes; v++) {
        uint32_t count;
        (void)gspi_sequence_before(g, v, d->backward == 0u, &count);
        if (count == 0u) {
            gspi_sequence_search(ws, g, d, v);
        }
    }
}

GSP_API size_t gsp_sequence_bound(const gsp_counts *counts)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_sequence_ws ws;
    gspi_sequence_layout(&b, &ws, counts->nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API gsp_status gsp_sequence_run(gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_sequence_desc *desc, const gsp_node **order,
                                    gsp_error *err)
{
    gsp_sequence_desc d = {0u, 0u, 0u, 0u, 0u};
    gspi_bump b = gspi_bump_over(arena);
    gspi_sequence_ws ws;
    gsp_counts counts;
    gsp_mark mark;
    uint32_t i;
    if (arena == NULL || graph == NULL || order == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    d = desc == NULL ? d : *desc;
    if (d.start_canary != 0u || d.end_canary != 0u || d.kind >= (uint32_t)GSP_SEQUENCE_COUNT) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_sequence_bound(&counts), err));
    mark = gsp_arena_mark(arena);
    gspi_sequence_layout(&b, &ws, graph->n_nodes);
    if (d.kind == (uint32_t)GSP_SEQUENCE_DEPTH) {
        gspi_sequence_depth(&ws, graph, &d);
    } else {
        gspi_sequence_kahn(&ws, graph, d.kind, d.backward != 0u);
    }
    for (i = 0u; i < graph->n_nodes / 2u && d.backward; i++) {
        gsp_node const v = ws.order[i];
        ws.order[i] = ws.order[graph->n_nodes - 1u - i];
        ws.order[graph->n_nodes - 1u - i] = v;
    }
    arena->high = mark.high;
    *order = ws.order;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>balance   Stages of the least bottleneck                                       (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE
/* Dynamic programming over prefixes: best[e] is the least bottleneck of the first e nodes in s
 * stages. A row extends one stage node by node and keeps what enters and leaves it, so that no
 * table of all runs is needed. What makes it fast is a guess: only plans within an upper bound are
 * looked for, which leaves few places for every cut, since the stages before it and behind it have
 * to hold all the rest. A guess below the optimum finds nothing and proves a lower bound; guesses
 * start at what total and greatest node say and widen. Within a guess that holds a plan the result
 * is that of the whole table, ties included: whatever was left out is on no plan within the guess.
 *
 * Everything here counts in places of the order that is tried, not in nodes. */

typedef struct gspi_balance_ws {
    uint32_t *stage_of;
    /* the order as a line */
    gsp_node *node;         /* [n] at a place */
    uint32_t *place;        /* [n] of a node, GSP_NONE: in no stage */
    uint64_t *time;         /* [n + 1] ticks of the nodes before a place */
    uint64_t *weight;       /* [n + 1] what any stage takes at least, before a place */
    uint64_t *cross;        /* [n + 1] ticks of the values that a cut at this place cuts */
    uint64_t *move;         /* [n] */
    uint64_t *stash;        /* [n] */
    uint64_t *own;          /* [n] bytes of items that nobody else reads */
    uint32_t *in_begin;     /* [n + 1] into inputs */
    uint32_t *inputs;       /* [m] */
    uint32_t *last;         /* [n] last user of a value, its own place: nobody */
    uint32_t *end_begin;    /* [n + 1] into ends */
    uint32_t *ends;         /* [n] values by last user */
    uint32_t *shared_begin; /* [n + 1] into shared */
    uint32_t *shared;       /* [n + m] items that several nodes read */
    uint32_t *room;         /* [n + 1] places behind this one where a cut may be; GSP_NONE: none
                             * may be here */
    uint32_t *group_last;   /* [strings] last place of a group that is to be kept */
    uint32_t n;             /* places */
    uint32_t n_stages;
    /* rows */
    uint32_t *seen_value; /* [n] row that has counted it last */
    uint32_t *seen_item;  /* [n + m] */
    uint32_t row;
    uint64_t memory; /* of a stage, UINT64_MAX: no limit */
    uint64_t work;   /* in this order */
    /* plans */
    uint64_t *best;     /* [n + 1] of prefixes, in s stages */
    uint64_t *next;     /* [n + 1] in s + 1 */
    uint32_t *from;     /* [stages * (n + 1)] where the last stage begins */
    uint32_t *cut;      /* [stages + 1] the best plan of this order */
    uint32_t *trial;    /* [stages + 1] */
    uint64_t objective; /* of cut, UINT64_MAX: none */
    uint64_t lower;     /* no plan of this order is below it */
} gspi_balance_ws;

/* A run of places as a stage. */
typedef struct gspi_row {
    uint32_t begin;
    uint32_t end;
    uint64_t enter;
    uint64_t leave;
    uint64_t params;
    uint64_t stash;
} gspi_row;

static uint32_t gspi_balance_stages(const gsp_balance_desc *d, uint32_t n)
{
    uint64_t const stages = (uint64_t)d->n_devices * d->n_chunks;
    return stages < n ? (uint32_t)stages : n;
}

static void gspi_balance_layout(gspi_bump *b, gspi_balance_ws *ws, const gsp_counts *counts,
                                const gsp_balance_desc *d)
{
    size_t const n = counts->nodes;
    size_t const reads = gspi_add(n, counts->edges);
    size_t const stages = gspi_balance_stages(d, counts->nodes);
    ws->stage_of = GSPI_LOW(b, uint32_t, n);
    ws->node = GSPI_HIGH(b, gsp_node, n);
    ws->place = GSPI_HIGH(b, uint32_t, n);
    ws->time = GSPI_HIGH(b, uint64_t, n + 1u);
    ws->weight = GSPI_HIGH(b, uint64_t, n + 1u);
    ws->cross = GSPI_HIGH(b, uint64_t, n + 1u);
    ws->move = GSPI_HIGH(b, uint64_t, n);
    ws->stash = GSPI_HIGH(b, uint64_t, n);
    ws->own = GSPI_HIGH(b, uint64_t, n);
    ws->in_begin = GSPI_HIGH(b, uint32_t, n + 1u);
    ws->inputs = GSPI_HIGH(b, uint32_t, counts->edges);
    ws->last = GSPI_HIGH(b, uint32_t, n);
    ws->end_begin = GSPI_HIGH(b, uint32_t, n + 1u);
    ws->ends = GSPI_HIGH(b, uint32_t, n);
    ws->shared_begin = GSPI_HIGH(b, uint32_t, n + 1u);
    ws->shared = GSPI_HIGH(b, uint32_t, reads);
    ws->room = GSPI_HIGH(b, uint32_t, n + 1u);
    ws->group_last = GSPI_HIGH(b, uint32_t, d->keep_groups ? counts->strings : 0u);
    ws->seen_value = GSPI_HIGH(b, uint32_t, n);
    ws->seen_item = GSPI_HIGH(b, uint32_t, reads);
    ws->best = GSPI_HIGH(b, uint64_t, n + 1u);
    ws->next = GSPI_HIGH(b, uint64_t, n + 1u);
    ws->from = GSPI_HIGH(b, uint32_t, gspi_mul_add(stages, n + 1u, 0u));
    ws->cut = GSPI_HIGH(b, uint32_t, stages + 1u);
    ws->trial = GSPI_HIGH(b, uint32_t, stages + 1u);
}

GSP_API gsp_balance_desc gsp_balance_resolve(const gsp_balance_desc *desc)
{
    gsp_balance_desc d = {0u, 0u, 0u,   0u, 0u, 0u, {NULL, 0u, 0u, NULL, 0u, 0u, 0u},
                          0u, 0u, NULL, 0u};
    if (desc != NULL) {
        d = *desc;
    }
    d.n_devices = d.n_devices == 0u ? 1u : d.n_devices;
    d.n_chunks = d.n_chunks == 0u ? 1u : d.n_chunks;
    d.n_orders = d.n_orders == 0u ? 1u : d.n_orders;
    d.n_orders = d.n_orders > GSP_BALANCE_ORDERS ? GSP_BALANCE_ORDERS : d.n_orders;
    d.model.copies = d.model.copies == 0u ? 1u : d.model.copies;
    d.max_work = d.max_work == 0u ? (uint64_t)1u << 26 : d.max_work;
    d.marker = d.marker == NULL ? GSP_STAGES_MARKER : d.marker;
    return d;
}

GSP_API size_t gsp_balance_bound(const gsp_counts *counts, const gsp_balance_desc *desc)
{
    gsp_balance_desc const d = gsp_balance_resolve(desc);
    gspi_bump b = gspi_bump_over(NULL);
    gspi_balance_ws ws;
    (void)GSPI_HIGH(&b, gspi_balance_ws, 1u);
    gspi_balance_layout(&b, &ws, counts, &d);
    return gspi_add(gspi_add(b.used, GSPI_SLACK),
                    d.n_orders > 1u ? gsp_sequence_bound(counts) : 0u);
}

/* ---- the line ---- */

/* Places of members, in the order; inputs among them; what has no place is nobody's business. */
static void gspi_balance_places(gspi_balance_ws *ws, const gsp_graph *g, const gsp_node *order,
                                const gsp_balance_desc *d)
{
    uint32_t m = 0u;
    uint32_t i;
    ws->n = 0u;
    for (i = 0u; i < g->n_nodes; i++) {
        gsp_node const v = order == NULL ? i : order[i];
        int const member = gsp_node_is_callable(g, v) && !gsp_stages_is_marker(g, v, d->marker);
        uint32_t const p = ws->n;
        uint32_t count;
        uint32_t k;
        const gsp_node *inputs = gsp_node_inputs(g, v, &count);
        ws->place[v] = member ? p : GSP_NONE;
        if (!member) {
            continue;
        }
        ws->node[p] = v;
        ws->in_begin[p] = m;
        ws->last[p] = p;
        ws->move[p] = gspi_cost(d->model.costs->move, v);
        ws->stash[p] = gspi_cost(d->model.costs->stash, v);
        for (k = 0u; k < count; k++) {
            uint32_t const u = ws->place[inputs[k]];
            if (u != GSP_NONE) {
                ws->inputs[m++] = u;
                ws->last[u] = p;
            }
        }
        ws->n++;
    }
    ws->in_begin[ws->n] = m;
}

/* Values by last user, and the ticks that every cut cuts. */
static void gspi_balance_ends(gspi_balance_ws *ws)
{
    uint32_t const n = ws->n;
    uint32_t p;
    gspi_set(ws->end_begin, 0, (size_t)n + 1u, sizeof(uint32_t));
    gspi_set(ws->cross, 0, (size_t)n + 1u, sizeof(uint64_t));
    for (p = 0u; p < n; p++) {
        if (ws->last[p] != p) {
            ws->end_begin[ws->last[p]]++;
            ws->cross[p + 1u] += ws->move[p];
            ws->cross[ws->last[p] + 1u] -= ws->move[p];
        }
    }
    gspi_counts_to_ends(ws->end_begin, n);
    for (p = n; p > 0u; p--) {
        ws->cross[n + 1u - p] += ws->cross[n - p];
        if (ws->last[p - 1u] != p - 1u) {
            ws->ends[--ws->end_begin[ws->last[p - 1u]]] = p - 1u;
        }
    }
}

/* Items that one place reads once are a sum there; the others stay items. */
static void gspi_balance_items(gspi_balance_ws *ws, const gsp_costs *c)
{
    uint32_t *readers = ws->seen_item;
    uint32_t n_shared = 0u;
    uint32_t p;
    gspi_set(readers, 0, c->n_items, sizeof(uint32_t));
    for (p = 0u; p < ws->n; p++) {
        uint32_t i;
        for (i = gspi_item(c, ws->node[p]); i < gspi_item(c, ws->node[p] + 1u); i++) {
            readers[c->items[i]]++;
        }
    }
    for (p = 0u; p < ws->n; p++) {
        uint32_t i;
        ws->own[p] = 0u;
        ws->shared_begin[p] = n_shared;
        for (i = gspi_item(c, ws->node[p]); i < gspi_item(c, ws->node[p] + 1u); i++) {
            if (readers[c->items[i]] == 1u) {
                ws->own[p] += c->item_bytes[c->items[i]];
            } else {
                ws->shared[n_shared++] = c->items[i];
            }
        }
    }
    ws->shared_begin[ws->n] = n_shared;
}

/* What all runs together take at least: ticks of the nodes, or bytes that are counted once. */
static void gspi_balance_sums(gspi_balance_ws *ws, const gsp_balance_desc *d)
{
    uint32_t const stages = gspi_balance_stages(d, ws->n);
    uint64_t const held = stages == 0u ? 0u : gspi_held(&d->model, stages - 1u, stages);
    uint32_t p;
    ws->time[0] = 0u;
    ws->weight[0] = 0u;
    for (p = 0u; p < ws->n; p++) {
        uint64_t const time = gspi_cost(d->model.costs->time, ws->node[p]);
        uint64_t const bytes = ws->own[p] * d->model.copies + ws->stash[p] * held;
        ws->time[p + 1u] = ws->time[p] + time;
        ws->weight[p + 1u] = ws->weight[p] + (d->goal == (uint32_t)GSP_BALANCE_TIME ? time : bytes);
    }
}

/* Where a cut may be: not between the first and the last node of a group that is to be kept. room
 * counts such places from behind. */
static void gspi_balance_room(gspi_balance_ws *ws, const gsp_graph *g, int keep_groups)
{
    uint32_t *last = ws->group_last;
    uint32_t found = 0u;
    uint32_t reach = 0u;
    uint32_t p;
    for (p = 0u; p < ws->n && keep_groups; p++) {
        gsp_string const group = gspi_attr(g, ws->node[p], GSP_KEY_GROUP);
        if (group != GSP_NONE) {
            last[group] = p;
        }
    }
    ws->room[0] = 0u;
    for (p = 1u; p < ws->n; p++) {
        gsp_string const group =
            keep_groups ? gspi_attr(g, ws->node[p - 1u], GSP_KEY_GROUP) : GSP_NONE;
        if (group != GSP_NONE && last[group] > reach) {
            reach = last[group];
        }
        ws->room[p] = reach >= p ? GSP_NONE : 0u;
    }
    for (p = ws->n; p > 1u; p--) {
        if (ws->room[p - 1u] != GSP_NONE) {
            ws->room[p - 1u] = found++;
        }
    }
    ws->room[0] = found;
    ws->room[ws->n] = 0u;
}

static void gspi_balance_line(gspi_balance_ws *ws, const gsp_graph *g, const gsp_node *order,
                              const gsp_balance_desc *d)
{
    uint64_t const all = (uint64_t)d->n_devices * d->n_chunks;
    gspi_balance_places(ws, g, order, d);
    gspi_balance_ends(ws);
    gspi_balance_items(ws, d->model.costs);
    gspi_balance_sums(ws, d);
    gspi_balance_room(ws, g, d->keep_groups != 0u);
    ws->n_stages = ws->n == 0u ? 0u : ws->room[0] + 1u;
    ws->n_stages = ws->n_stages < all ? ws->n_stages : (uint32_t)all;
    ws->row = 0u;
    gspi_set(ws->seen_value, 0, ws->n, sizeof(uint32_t));
    gspi_set(ws->seen_item, 0, d->model.costs->n_items, sizeof(uint32_t));
}

/* ---- rows ---- */

static gspi_row gspi_balance_open(gspi_balance_ws *ws, const gsp_balance_desc *d, uint32_t begin)
{
    gspi_row r = {0u, 0u, 0u, 0u, 0u, 0u};
    r.begin = begin;
    r.end = begin;
    r.enter = d->model.carried ? ws->cross[begin] : 0u;
    ws->row++;
    if (ws->row == 0u) {
        gspi_set(ws->seen_value, 0, ws->n, sizeof(uint32_t));
        gspi_set(ws->seen_item, 0, d->model.costs->n_items, sizeof(uint32_t));
        ws->row = 1u;
    }
    return r;
}

/* The node at the end of the row joins it. */
static void gspi_balance_step(gspi_balance_ws *ws, const gsp_balance_desc *d, gspi_row *r)
{
    uint32_t const p = r->end++;
    uint32_t i;
    for (i = ws->in_begin[p]; i < ws->in_begin[p + 1u]; i++) {
        uint32_t const u = ws->inputs[i];
        if (u < r->begin && ws->seen_value[u] != ws->row) {
            ws->seen_value[u] = ws->row;
            r->enter += d->model.carried ? 0u : ws->move[u];
            r->stash += ws->stash[u];
        }
    }
    for (i = ws->end_begin[p]; i < ws->end_begin[p + 1u]; i++) {
        r->leave -= ws->ends[i] >= r->begin ? ws->move[ws->ends[i]] : 0u;
    }
    for (i = ws->shared_begin[p]; i < ws->shared_begin[p + 1u]; i++) {
        if (ws->seen_item[ws->shared[i]] != ws->row) {
            ws->seen_item[ws->shared[i]] = ws->row;
            r->params += d->model.costs->item_bytes[ws->shared[i]];
        }
    }
    r->leave += ws->last[p] != p ? ws->move[p] : 0u;
    r->params += ws->own[p];
    r->stash += ws->stash[p];
    ws->work++;
}

/* Bytes of a row as stage s; never falls when the row grows. */
static uint64_t gspi_balance_bytes(const gspi_balance_ws *ws, const gsp_balance_desc *d,
                                   const gspi_row *r, uint32_t s)
{
    return r->params * d->model.copies + r->stash * gspi_held(&d->model, s, ws->n_stages);
}

/* What the row takes as stage s however it grows. */
static uint64_t gspi_balance_floor(const gspi_balance_ws *ws, const gsp_balance_desc *d,
                                   const gspi_row *r, uint32_t s)
{
    if (d->goal == (uint32_t)GSP_BALANCE_BYTES) {
        return gspi_balance_bytes(ws, d, r, s);
    }
    return ws->time[r->end] - ws->time[r->begin] + r->enter + (s == 0u ? d->model.first_time : 0u) +
           (s + 1u == ws->n_stages ? d->model.last_time : 0u);
}

/* What it takes as it is. */
static uint64_t gspi_balance_load(const gspi_balance_ws *ws, const gsp_balance_desc *d,
                                  const gspi_row *r, uint32_t s)
{
    uint64_t const leave = d->model.carried ? ws->cross[r->end] : r->leave;
    return gspi_balance_floor(ws, d, r, s) + (d->goal == (uint32_t)GSP_BALANCE_BYTES ? 0u : leave);
}

/* Whether stage s of a plan may end at a place: a cut is allowed there and leaves room for all
 * others. */
static int gspi_balance_may_end(const gspi_balance_ws *ws, uint32_t end, uint32_t s)
{
    return s + 1u == ws->n_stages
               ? end == ws->n
               : end < ws->n && ws->room[end] != GSP_NONE && ws->room[end] + s + 2u >= ws->n_stages;
}

/* ---- plans without search ---- */

/* Every stage as long as it can be with loads of at most `within`, into trial. Its bottleneck, or
 * UINT64_MAX when that leads to no plan. */
static uint64_t gspi_balance_greedy(gspi_balance_ws *ws, const gsp_balance_desc *d, uint64_t within)
{
    uint64_t bottleneck = 0u;
    uint32_t s;
    ws->trial[0] = 0u;
    for (s = 0u; s < ws->n_stages; s++) {
        gspi_row r = gspi_balance_open(ws, d, ws->trial[s]);
        uint64_t load = UINT64_MAX;
        while (r.end < ws->n) {
            gspi_balance_step(ws, d, &r);
            if (gspi_balance_bytes(ws, d, &r, s) > ws->memory ||
                gspi_balance_floor(ws, d, &r, s) > within) {
                break;
            }
            if (gspi_balance_may_end(ws, r.end, s) && gspi_balance_load(ws, d, &r, s) <= within) {
                load = gspi_balance_load(ws, d, &r, s);
                ws->trial[s + 1u] = r.end;
            }
        }
        if (load == UINT64_MAX) {
            return UINT64_MAX;
        }
        bottleneck = load > bottleneck ? load : bottleneck;
    }
    return bottleneck;
}

/* The bottleneck of trial, whatever the memory. */
static uint64_t gspi_balance_bottleneck(gspi_balance_ws *ws, const gsp_balance_desc *d)
{
    uint64_t bottleneck = 0u;
    uint32_t s;
    for (s = 0u; s < ws->n_stages; s++) {
        gspi_row r = gspi_balance_open(ws, d, ws->trial[s]);
        uint64_t load;
        while (r.end < ws->trial[s + 1u]) {
            gspi_balance_step(ws, d, &r);
        }
        load = gspi_balance_load(ws, d, &r, s);
        bottleneck = load > bottleneck ? load : bottleneck;
    }
    return bottleneck;
}

/* Stages of equal numbers of places, into trial. */
static void gspi_balance_equal(gspi_balance_ws *ws)
{
    uint32_t s;
    ws->trial[0] = 0u;
    for (s = 0u; s < ws->n_stages; s++) {
        uint32_t const rest = ws->n - ws->trial[s];
        uint32_t const left = ws->n_stages - s;
        ws->trial[s + 1u] = ws->trial[s] + rest / left + (rest % left != 0u ? 1u : 0u);
    }
}

/* The node before the row joins it; only bytes are kept. */
static void gspi_balance_step_back(gspi_balance_ws *ws, const gsp_balance_desc *d, gspi_row *r)
{
    uint32_t const p = --r->begin;
    uint32_t i;
    for (i = ws->in_begin[p]; i <= ws->in_begin[p + 1u]; i++) {
        uint32_t const u = i < ws->in_begin[p + 1u] ? ws->inputs[i] : p;
        r->stash += ws->seen_value[u] != ws->row ? ws->stash[u] : 0u;
        ws->seen_value[u] = ws->row;
    }
    for (i = ws->shared_begin[p]; i < ws->shared_begin[p + 1u]; i++) {
        uint32_t const item = ws->shared[i];
        r->params += ws->seen_item[item] != ws->row ? d->model.costs->item_bytes[item] : 0u;
        ws->seen_item[item] = ws->row;
    }
    r->params += ws->own[p];
    ws->work++;
}

/* Every stage, from the last on, as long as the memory allows, into trial; 0 when that leads to no
 * plan. Then there is none: a stage never takes less when it grows, and no node takes less in an
 * earlier stage. */
static int gspi_balance_fit(gspi_balance_ws *ws, const gsp_balance_desc *d, uint64_t memory)
{
    uint32_t s;
    ws->trial[ws->n_stages] = ws->n;
    for (s = ws->n_stages; s > 0u; s--) {
        gspi_row r = gspi_balance_open(ws, d, ws->trial[s]);
        ws->trial[s - 1u] = GSP_NONE;
        while (r.begin > 0u) {
            uint32_t p;
            gspi_balance_step_back(ws, d, &r);
            p = r.begin;
            if (gspi_balance_bytes(ws, d, &r, s - 1u) > memory) {
                break;
            }
            if (s == 1u
                    ? p == 0u
                    : p > 0u && ws->room[p] != GSP_NONE && ws->room[0] - ws->room[p] + 1u >= s) {
                ws->trial[s - 1u] = p;
            }
        }
        if (ws->trial[s - 1u] == GSP_NONE) {
            return 0;
        }
    }
    return 1;
}

static uint64_t gspi_balance_least_memory(gspi_balance_ws *ws, const gsp_balance_desc *d)
{
    uint64_t low = 0u;
    uint64_t high = UINT64_MAX - 1u;
    while (low < high) {
        uint64_t const middle = low + (high - low) / 2u;
        if (gspi_balance_fit(ws, d, middle)) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    return low;
}

static void gspi_balance_keep(gspi_balance_ws *ws, uint64_t bottleneck)
{
    if (bottleneck < ws->objective) {
        ws->objective = bottleneck;
        gspi_copy(ws->cut, ws->trial, (size_t)ws->n_stages + 1u, sizeof(uint32_t));
    }
}

/* ---- bounds ---- */

/* What a cut at place p adds at least to the two stages beside it. */
static uint64_t gspi_balance_cut_cost(const gspi_balance_ws *ws, const gsp_balance_desc *d,
                                      uint32_t p)
{
    uint64_t cost = ws->last[p - 1u] >= p ? ws->move[p - 1u] : 0u;
    uint32_t i;
    if (d->goal == (uint32_t)GSP_BALANCE_BYTES) {
        return 0u;
    }
    if (d->model.carried) {
        return 2u * ws->cross[p];
    }
    for (i = ws->in_begin[p]; i < ws->in_begin[p + 1u]; i++) {
        cost += ws->move[ws->inputs[i]];
    }
    return cost;
}

/* ws->lower: an equal share of everything, or the greatest node. Returns the least cost of a
 * cut. */
static uint64_t gspi_balance_lower(gspi_balance_ws *ws, const gsp_balance_desc *d)
{
    uint64_t const k = ws->n_stages;
    uint64_t least = k > 1u ? UINT64_MAX : 0u;
    uint64_t all = ws->weight[ws->n];
    uint32_t p;
    ws->lower = 0u;
    for (p = 0u; p < ws->n; p++) {
        uint64_t const one = ws->weight[p + 1u] - ws->weight[p];
        uint64_t const cost =
            p > 0u && ws->room[p] != GSP_NONE ? gspi_balance_cut_cost(ws, d, p) : UINT64_MAX;
        least = cost < least ? cost : least;
        ws->lower = one > ws->lower ? one : ws->lower;
    }
    if (d->goal == (uint32_t)GSP_BALANCE_TIME) {
        all += d->model.first_time + d->model.last_time;
    }
    all += least * (k - 1u);
    all = all / k + (all % k != 0u ? 1u : 0u);
    ws->lower = all > ws->lower ? all : ws->lower;
    return least;
}

/* ---- the table, within a guess ---- */

/* All rows of stage s that begin at place `begin`, into next. */
static void gspi_balance_extend(gspi_balance_ws *ws, const gsp_balance_desc *d, uint32_t s,
                                uint32_t begin, uint64_t guess)
{
    uint32_t *from = ws->from + (size_t)s * ((size_t)ws->n + 1u);
    gspi_row r = gspi_balance_open(ws, d, begin);
    while (r.end < ws->n) {
        uint64_t load;
        gspi_balance_step(ws, d, &r);
        if (gspi_balance_bytes(ws, d, &r, s) > ws->memory ||
            gspi_balance_floor(ws, d, &r, s) > guess) {
            break;
        }
        if (!gspi_balance_may_end(ws, r.end, s)) {
            continue;
        }
        load = gspi_balance_load(ws, d, &r, s);
        load = load > ws->best[begin] ? load : ws->best[begin];
        if (load <= guess && load < ws->next[r.end]) {
            ws->next[r.end] = load;
            from[r.end] = begin;
        }
    }
}

/* Looks for the best plan within a guess: 1 found, 0 there is none, -1 too much work. `least` is
 * the least cost of a cut. */
static int gspi_balance_search(gspi_balance_ws *ws, const gsp_balance_desc *d, uint64_t guess,
                               uint64_t least)
{
    uint32_t const n = ws->n;
    uint64_t const tail = d->goal == (uint32_t)GSP_BALANCE_TIME ? d->model.last_time : 0u;
    uint32_t s;
    uint32_t p;
    gspi_set(ws->best, 0xFF, (size_t)n + 1u, sizeof(uint64_t));
    ws->best[0] = 0u;
    for (s = 0u; s < ws->n_stages; s++) {
        uint64_t *swap = ws->best;
        uint64_t const left = ws->n_stages - s;
        uint64_t const rest = gspi_times(guess, left);
        gspi_set(ws->next, 0xFF, (size_t)n + 1u, sizeof(uint64_t));
        for (p = s; p < n; p++) {
            uint64_t const need = ws->weight[n] - ws->weight[p] + tail + least * (left - 1u);
            if (ws->best[p] != UINT64_MAX && need <= rest) {
                gspi_balance_extend(ws, d, s, p, guess);
                if (ws->work > d->max_work) {
                    return -1;
                }
            }
        }
        ws->best = ws->next;
        ws->next = swap;
    }
    if (ws->best[n] == UINT64_MAX) {
        return 0;
    }
    p = n;
    for (s = ws->n_stages; s > 0u; s--) {
        ws->trial[s] = p;
        p = ws->from[(size_t)(s - 1u) * ((size_t)n + 1u) + p];
    }
    ws->trial[0] = 0u;
    return 1;
}

/* The best plan of the line that is not above `cap`, into cut, objective and lower. 0 when the
 * memory suffices for none. */
static int gspi_balance_solve(gspi_balance_ws *ws, const gsp_balance_desc *d, uint64_t cap)
{
    uint64_t const least = gspi_balance_lower(ws, d);
    uint64_t low = ws->lower;
    uint64_t step = ws->lower / 1024u + 1u;
    int found = 0;
    ws->objective = UINT64_MAX;
    if (!gspi_balance_fit(ws, d, ws->memory)) {
        return 0;
    }
    gspi_balance_keep(ws, gspi_balance_bottleneck(ws, d));
    if (ws->memory == UINT64_MAX && !d->keep_groups) {
        gspi_balance_equal(ws);
        gspi_balance_keep(ws, gspi_balance_bottleneck(ws, d));
    }
    while (low < ws->objective && ws->objective - low > ws->lower / 4096u) {
        uint64_t const middle = low + (ws->objective - low) / 2u;
        uint64_t const bottleneck = gspi_balance_greedy(ws, d, middle);
        low = bottleneck == UINT64_MAX ? middle + 1u : low;
        gspi_balance_keep(ws, bottleneck);
    }
    cap = cap < ws->objective ? cap : ws->objective;
    while (found == 0 && ws->lower <= cap) {
        uint64_t const guess = step < cap - ws->lower ? ws->lower + step : cap;
        found = gspi_balance_search(ws, d, guess, least);
        if (found > 0) {
            ws->objective = UINT64_MAX;
            gspi_balance_keep(ws, ws->best[ws->n]);
            ws->lower = ws->objective;
        } else if (found == 0) {
            ws->lower = guess + 1u;
            step *= 4u;
        }
    }
    return 1;
}

/* ---- several orders ---- */

/* Order number i: kinds first, then seeds, each forward and backward. */
GSPI_OWN_FRAME const gsp_node *gspi_balance_order(gsp_arena *arena, const gsp_graph *g, uint32_t i)
{
    gsp_sequence_desc d = {0u, 0u, 0u, 0u, 0u};
    const gsp_node *order = NULL;
    d.backward = i % 2u;
    d.kind = i / 2u < (uint32_t)GSP_SEQUENCE_DEPTH ? i / 2u : (uint32_t)GSP_SEQUENCE_DEPTH;
    d.seed = i / 2u - d.kind;
    (void)gsp_sequence_run(arena, g, &d, &order, NULL);
    return order;
}

/* Whether the nodes may run in any order that data allows. */
static int gspi_balance_is_free(const gsp_graph *g)
{
    gsp_node v;
    for (v = 0u; v < g->n_nodes; v++) {
        if (gspi_attr(g, v, GSP_KEY_MUTATES) != GSP_NONE ||
            gspi_attr(g, v, GSP_KEY_BARRIER) != GSP_NONE) {
            return 0;
        }
    }
    return 1;
}

static void gspi_balance_assign(gspi_balance_ws *ws, const gsp_graph *g)
{
    uint32_t s;
    uint32_t p;
    gspi_set(ws->stage_of, 0xFF, g->n_nodes, sizeof(uint32_t));
    for (s = 0u; s < ws->n_stages; s++) {
        for (p = ws->cut[s]; p < ws->cut[s + 1u]; p++) {
            ws->stage_of[ws->node[p]] = s;
        }
    }
}

/* One order, made a line already. 0 when the memory suffices for no plan. */
static int gspi_balance_one(gspi_balance_ws *ws, const gsp_graph *g, const gsp_balance_desc *d,
                            uint32_t number, gsp_balance_result *r)
{
    ws->work = 0u;
    if (number == 0u) {
        gspi_balance_equal(ws);
        r->reference = gspi_balance_bottleneck(ws, d);
    }
    if (!gspi_balance_solve(ws, d, r->objective - 1u)) {
        return 0;
    }
    r->lower_bound = ws->lower < r->lower_bound ? ws->lower : r->lower_bound;
    if (ws->objective < r->objective) {
        r->objective = ws->objective;
        r->order = number;
        r->n_stages = ws->n_stages;
        gspi_balance_assign(ws, g);
    }
    r->work += ws->work;
    return 1;
}

/* Tries the orders one by one. The least memory with which there is a plan, 0 when there is one. */
GSPI_OWN_FRAME uint64_t gspi_balance_try(gsp_arena *arena, gspi_balance_ws *ws, const gsp_graph *g,
                                         const gsp_balance_desc *d, gsp_balance_result *r)
{
    uint32_t const n_orders = d->n_orders > 1u && gspi_balance_is_free(g) ? d->n_orders : 1u;
    uint64_t need = UINT64_MAX;
    uint32_t i;
    for (i = 0u; i < n_orders && r->objective > 0u; i++) {
        gsp_mark const mark = gsp_arena_mark(arena);
        gspi_balance_line(ws, g, i == 0u ? NULL : gspi_balance_order(arena, g, i), d);
        gsp_arena_rewind(arena, mark);
        if (ws->n == 0u) {
            gspi_set(ws->stage_of, 0xFF, g->n_nodes, sizeof(uint32_t));
            r->objective = 0u;
        } else if (!gspi_balance_one(ws, g, d, i, r)) {
            uint64_t const least = gspi_balance_least_memory(ws, d);
            need = least < need ? least : need;
        }
    }
    r->lower_bound = r->lower_bound < r->objective ? r->lower_bound : r->objective;
    r->proved = r->lower_bound == r->objective ? 1u : 0u;
    return r->objective == UINT64_MAX ? need : 0u;
}

/* No sum may exceed 63 bits: all ticks with a cut at every stage, all bytes in every microbatch. */
static gsp_status gspi_balance_sizes(const gsp_graph *g, const gsp_balance_desc *d, gsp_error *err)
{
    const gsp_stage_model *m = &d->model;
    uint32_t const stages = gspi_balance_stages(d, g->n_nodes);
    uint64_t const held = 1u + (stages == 0u ? 0u : (uint64_t)gspi_held(m, 0u, stages));
    uint64_t ticks = gspi_sum(m->first_time, m->last_time);
    uint64_t bytes = 0u;
    gsp_node v;
    for (v = 0u; v < m->costs->n_items && m->costs->item_begin != NULL; v++) {
        bytes = gspi_sum(bytes, gspi_times(m->costs->item_bytes[v], m->copies));
    }
    for (v = 0u; v < g->n_nodes; v++) {
        uint64_t const move = gspi_times(gspi_cost(m->costs->move, v), 2u * (uint64_t)stages);
        uint64_t const stash = gspi_cost(m->costs->stash, v);
        ticks = gspi_sum(gspi_sum(ticks, gspi_cost(m->costs->time, v)), move);
        bytes = gspi_sum(bytes, gspi_times(stash, 2u * held));
        if (ticks > UINT64_MAX / 2u || bytes > UINT64_MAX / 2u) {
            return gspi_fail_at(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

static gsp_status gspi_balance_check(const gsp_graph *g, const gsp_balance_desc *d, gsp_error *err)
{
    uint32_t const stages = gspi_balance_stages(d, g->n_nodes);
    uint32_t s;
    if (d->start_canary != 0u || d->end_canary != 0u || d->goal >= (uint32_t)GSP_BALANCE_COUNT) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (d->model.costs == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    for (s = 1u; s < stages && d->model.held != NULL; s++) {
        if (d->model.held[s] > d->model.held[s - 1u]) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_HELD, s, GSP_NONE);
        }
    }
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_balance_ready(const gsp_arena *arena, const gsp_graph *g,
                                             const gsp_balance_desc *d, gsp_error *err)
{
    gsp_counts const counts = gsp_graph_counts(g);
    GSPI_TRY(gspi_balance_check(g, d, err));
    GSPI_TRY(gspi_room(arena, gsp_balance_bound(&counts, d), err));
    GSPI_TRY(gspi_check_costs(g, d->model.costs, err));
    return gspi_balance_sizes(g, d, err);
}

GSP_API gsp_status gsp_balance_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_balance_desc *desc, gsp_balance_result *result,
                                   gsp_error *err)
{
    gsp_balance_desc const d = gsp_balance_resolve(desc);
    gsp_balance_result r = {0u, 0u, 0u, 0u, NULL, UINT64_MAX, UINT64_MAX, 0u, 0u};
    gspi_bump b = gspi_bump_over(arena);
    gspi_balance_ws *ws;
    gsp_counts counts;
    gsp_mark mark;
    uint64_t need;
    if (arena == NULL || graph == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_balance_ready(arena, graph, &d, err));
    counts = gsp_graph_counts(graph);
    mark = gsp_arena_mark(arena);
    ws = GSPI_HIGH(&b, gspi_balance_ws, 1u);
    gspi_balance_layout(&b, ws, &counts, &d);
    ws->memory = d.memory == 0u ? UINT64_MAX : d.memory / d.n_chunks;
    need = gspi_balance_try(arena, ws, graph, &d, &r);
    if (need != 0u) {
        gsp_arena_rewind(arena, mark);
        return gspi_fail_amount(err, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY,
                                gspi_times(need, d.n_chunks), d.memory);
    }
    arena->high = mark.high;
    r.n_nodes = graph->n_nodes;
    r.stage_of = ws->stage_of;
    *result = r;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>marks   Stages from markers and split specs                                   (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

/* Callable nodes are counted without the markers: 0, 1, 2, ... `cut[i]` is 1 when a stage begins at
 * the i-th. Every node is held against the paths that are leading parts of its scope; a path
 * remembers its last node, so that it notices where its calls begin and end. */

typedef struct gspi_marks {
    const gsp_graph *g;
    const gsp_marks_desc *d;
    uint32_t *stage_of; /* [n] result */
    uint8_t *cut;       /* [n + 1] */
    gspi_texts paths;   /* [n_points] */
    uint32_t *last;     /* [n_points] the last callable node under the path, GSP_NONE: none yet */
    uint8_t *whole;     /* [n_points] that node is a call of the path by itself */
} gspi_marks;

static void gspi_marks_layout(gspi_bump *b, gspi_marks *w, uint32_t n, uint32_t n_points)
{
    w->stage_of = GSPI_LOW(b, uint32_t, n);
    w->cut = GSPI_HIGH(b, uint8_t, (size_t)n + 1u);
    gspi_texts_layout(b, &w->paths, n_points);
    w->last = GSPI_HIGH(b, uint32_t, n_points);
    w->whole = GSPI_HIGH(b, uint8_t, n_points);
}

GSP_API size_t gsp_marks_bound(const gsp_counts *counts, const gsp_marks_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    uint32_t const n_points = desc == NULL ? 0u : desc->n_points;
    gspi_marks w;
    if (n_points >= GSPI_TEXTS_LIMIT) {
        return SIZE_MAX;
    }
    gspi_marks_layout(&b, &w, counts->nodes, n_points);
    return gspi_add(b.used, GSPI_SLACK);
}

static gsp_status gspi_marks_check(const gsp_marks_desc *d, gsp_error *err)
{
    uint32_t i;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (d->points == NULL && d->n_points != 0u) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (d->n_points != 0u && d->policy != NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_POLICY);
    }
    for (i = 0u; i < d->n_points; i++) {
        if (d->points[i].point >= (uint32_t)GSP_POINT_COUNT) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_POINT, i, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* The i-th callable node stands under the path of an entry; `whole`: it is a call by itself. */
static void gspi_marks_hit(const gspi_marks *w, uint32_t entry, uint32_t i, int whole)
{
    uint32_t const before = w->last[entry];
    int const begins = before == GSP_NONE || before + 1u != i || whole || w->whole[entry];
    if (begins && w->d->points[entry].point == (uint32_t)GSP_POINT_BEGINNING) {
        w->cut[i] = 1u;
    } else if (begins && before != GSP_NONE) {
        w->cut[before + 1u] = 1u;
    }
    w->last[entry] = i;
    w->whole[entry] = (uint8_t)whole;
}

/* Holds a node, the i-th callable one, against all leading parts of its scope. */
static void gspi_marks_node(const gspi_marks *w, gsp_node v, uint32_t i)
{
    gsp_text const scope = gsp_node_scope(w->g, v);
    int const call = gsp_node_op(w->g, v) == GSP_OP_CALL_MODULE;
    uint32_t hash = GSPI_TEXT_START;
    uint32_t k;
    for (k = 0u; k < scope.size; k++) {
        hash = gspi_text_step(hash, scope.data[k]);
        if (k + 1u == scope.size || scope.data[k + 1u] == '.') {
            gsp_text const path = gspi_slice(scope.data, 0u, (size_t)k + 1u);
            int const whole = call && gsp_text_equal(gsp_node_target(w->g, v), path);
            uint32_t entry = w->paths.slot[gspi_texts_slot(&w->paths, path, hash)];
            for (; entry != GSP_NONE; entry = w->paths.same[entry]) {
                gspi_marks_hit(w, entry, i, whole);
            }
        }
    }
}

static void gspi_marks_paths(const gspi_marks *w)
{
    uint32_t i;
    gspi_texts_clear(&w->paths);
    for (i = 0u; i < w->d->n_points; i++) {
        gspi_texts_add(&w->paths, i, w->d->points[i].path);
        w->last[i] = GSP_NONE;
        w->whole[i] = 0u;
    }
}

/* Ends of last calls. Returns an entry under whose path no node stands, GSP_NONE: there is none. */
static uint32_t gspi_marks_ends(const gspi_marks *w)
{
    uint32_t i;
    for (i = 0u; i < w->d->n_points; i++) {
        if (w->last[i] == GSP_NONE) {
            return i;
        }
        if (w->d->points[i].point == (uint32_t)GSP_POINT_END) {
            w->cut[w->last[i] + 1u] = 1u;
        }
    }
    return GSP_NONE;
}

/* All cuts. Returns an entry that names nothing, or GSP_NONE. */
static uint32_t gspi_marks_cuts(const gspi_marks *w)
{
    int const marks = w->d->policy == NULL;
    uint32_t i = 0u;
    gsp_node v;
    gspi_marks_paths(w);
    gspi_set(w->cut, 0, (size_t)w->g->n_nodes + 1u, 1u);
    for (v = 0u; v < w->g->n_nodes; v++) {
        if (!gsp_node_is_callable(w->g, v)) {
            continue;
        }
        if (gsp_stages_is_marker(w->g, v, w->d->marker)) {
            w->cut[i] |= (uint8_t)marks;
            continue;
        }
        if (w->d->policy != NULL && w->d->policy(w->d->user, w->g, v) != 0) {
            w->cut[i] = 1u;
        }
        if (w->d->n_points != 0u) {
            gspi_marks_node(w, v, i);
        }
        i++;
    }
    return gspi_marks_ends(w);
}

/* Stages by number; returns how many. */
static uint32_t gspi_marks_stages(const gspi_marks *w)
{
    uint32_t stage = 0u;
    uint32_t i = 0u;
    gsp_node v;
    for (v = 0u; v < w->g->n_nodes; v++) {
        w->stage_of[v] = GSP_NONE;
        if (gsp_node_is_callable(w->g, v) && !gsp_stages_is_marker(w->g, v, w->d->marker)) {
            stage += w->cut[i] && i > 0u ? 1u : 0u;
            w->stage_of[v] = stage;
            i++;
        }
    }
    return i > 0u ? stage + 1u : 0u;
}

GSP_API gsp_status gsp_marks_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_marks_desc *desc, gsp_marks_result *result,
                                 gsp_error *err)
{
    gsp_marks_desc d = {0u, 0u, NULL, NULL, NULL, NULL, 0u};
    gspi_bump b = gspi_bump_over(arena);
    gspi_marks w;
    gsp_counts counts;
    gsp_mark mark;
    uint32_t missing;
    if (arena == NULL || graph == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc != NULL) {
        d = *desc;
    }
    GSPI_TRY(gspi_marks_check(&d, err));
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_marks_bound(&counts, &d), err));
    mark = gsp_arena_mark(arena);
    w.g = graph;
    w.d = &d;
    gspi_marks_layout(&b, &w, graph->n_nodes, d.n_points);
    missing = gspi_marks_cuts(&w);
    if (missing != GSP_NONE) {
        gsp_arena_rewind(arena, mark);
        return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_PATH, missing, GSP_NONE);
    }
    result->n_nodes = graph->n_nodes;
    result->n_stages = gspi_marks_stages(&w);
    result->stage_of = w.stage_of;
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>hold   Which stages hold which parameters                                     (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

/* Attributes of one target become one. Then rows: nodes by stage, stages by attribute, attributes
 * by stage; each is counted and filled by walking the row before it. */

#define GSPI_HOLD_CHILD    1u /* of an attribute: names a child graph */
#define GSPI_HOLD_TRANSMIT 2u /* stays with its first stage */

typedef struct gspi_hold {
    const gsp_graph *g;
    const gsp_hold_desc *d;
    uint32_t n_stages;
    uint32_t n_attrs;
    uint32_t *stage_of;        /* [n] result */
    gsp_node *kept;            /* [n] result */
    uint32_t *home;            /* [n] result */
    uint32_t *begin;           /* [n + 1] result */
    gsp_node *nodes;           /* [n] result */
    uint32_t *own_begin;       /* [n + 1] result */
    gsp_node *own;             /* [edges] result */
    gsp_hold_param *params;    /* [n] result */
    gsp_hold_copy *replicated; /* [n] result */
    gsp_hold_copy *shared;     /* [n] result */
    uint32_t *held;            /* [2 * edges + n] result */
    gspi_texts uses;           /* [n_uses] */
    uint8_t *used;             /* [n_uses] the entry names a parameter */
    uint32_t *by_string;       /* [strings] what is first by target or storage */
    uint32_t *attr_of;         /* [n] number of an attribute that stays, else GSP_NONE */
    gsp_node *attrs;           /* [n] attributes that stay, in graph order */
    uint8_t *how;              /* [n] by attribute: GSPI_HOLD_ */
    uint32_t *attr_begin;      /* [n + 1] into attr_stages */
    uint32_t *attr_stages;     /* [edges] stages by attribute, ascending */
    uint32_t *param_of;        /* [n] parameter by node of its attribute, else GSP_NONE */
    uint32_t *stamp;           /* [n] stage in which something was met last, plus one */
    uint32_t *row;             /* [n] how many stages hold something; the row of copies it has */
} gspi_hold;

static void gspi_hold_layout(gspi_bump *b, gspi_hold *w, const gsp_counts *c, uint32_t n_uses)
{
    uint32_t const n = c->nodes;
    size_t const rows = (size_t)n + 1u;
    w->stage_of = GSPI_LOW(b, uint32_t, n);
    w->kept = GSPI_LOW(b, gsp_node, n);
    w->home = GSPI_LOW(b, uint32_t, n);
    w->begin = GSPI_LOW(b, uint32_t, rows);
    w->nodes = GSPI_LOW(b, gsp_node, n);
    w->own_begin = GSPI_LOW(b, uint32_t, rows);
    w->own = GSPI_LOW(b, gsp_node, c->edges);
    w->params = GSPI_LOW(b, gsp_hold_param, n);
    w->replicated = GSPI_LOW(b, gsp_hold_copy, n);
    w->shared = GSPI_LOW(b, gsp_hold_copy, n);
    w->held = GSPI_LOW(b, uint32_t, gspi_mul_add(c->edges, 2u, n));
    gspi_texts_layout(b, &w->uses, n_uses);
    w->used = GSPI_HIGH(b, uint8_t, n_uses);
    w->by_string = GSPI_HIGH(b, uint32_t, c->strings);
    w->attr_of = GSPI_HIGH(b, uint32_t, n);
    w->attrs = GSPI_HIGH(b, gsp_node, n);
    w->how = GSPI_HIGH(b, uint8_t, n);
    w->attr_begin = GSPI_HIGH(b, uint32_t, rows);
    w->attr_stages = GSPI_HIGH(b, uint32_t, c->edges);
    w->param_of = GSPI_HIGH(b, uint32_t, n);
    w->stamp = GSPI_HIGH(b, uint32_t, n);
    w->row = GSPI_HIGH(b, uint32_t, n);
}

GSP_API size_t gsp_hold_bound(const gsp_counts *counts, const gsp_hold_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_hold w;
    if (desc->n_uses >= GSPI_TEXTS_LIMIT) {
        return SIZE_MAX;
    }
    (void)GSPI_HIGH(&b, gspi_hold, 1u);
    gspi_hold_layout(&b, &w, counts, desc->n_uses);
    return gspi_add(b.used, GSPI_SLACK);
}

static gsp_status gspi_hold_check(const gsp_graph *g, const gsp_hold_desc *d, gsp_error *err)
{
    uint32_t i;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if ((d->stage_of == NULL && g->n_nodes != 0u) || (d->uses == NULL && d->n_uses != 0u)) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (d->multi_use >= (uint32_t)GSP_MULTI_USE_COUNT) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_MULTI_USE);
    }
    for (i = 0u; i < d->n_uses; i++) {
        if (d->uses[i].multi_use >= (uint32_t)GSP_MULTI_USE_COUNT) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_MULTI_USE, i, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* Stages as 0, 1, 2, ... without holes, and rows of their nodes. Numbers are below that of
 * nodes. */
static gsp_status gspi_hold_stages(gspi_hold *w, gsp_error *err)
{
    uint32_t const n = w->g->n_nodes;
    gsp_node v;
    gspi_set(w->begin, 0, (size_t)n + 1u, sizeof(uint32_t));
    for (v = 0u; v < n; v++) {
        uint32_t const stage = w->d->stage_of[v];
        w->stage_of[v] = gsp_node_is_callable(w->g, v) ? stage : GSP_NONE;
        if (w->stage_of[v] != GSP_NONE) {
            if (stage >= n) {
                return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE, v, GSP_NONE);
            }
            w->begin[stage] = 1u;
        }
    }
    w->n_stages = 0u;
    for (v = 0u; v < n; v++) { /* numbers without holes, for now in row */
        w->row[v] = w->n_stages;
        w->n_stages += w->begin[v];
        w->begin[v] = 0u;
    }
    for (v = 0u; v < n; v++) {
        if (w->stage_of[v] != GSP_NONE) {
            w->stage_of[v] = w->row[w->stage_of[v]];
            w->begin[w->stage_of[v]]++;
        }
    }
    gspi_counts_to_ends(w->begin, w->n_stages);
    for (v = n; v > 0u; v--) {
        if (w->stage_of[v - 1u] != GSP_NONE) {
            w->nodes[--w->begin[w->stage_of[v - 1u]]] = v - 1u;
        }
    }
    return GSP_OK;
}

/* 1 when a node is copied: it is in a stage, or the root's return. */
static int gspi_hold_reads(const gspi_hold *w, gsp_node v)
{
    return w->stage_of[v] != GSP_NONE || v + 1u == w->g->n_nodes;
}

/* Nothing that stays reads what goes, and no stage a later one. */
static gsp_status gspi_hold_check_reads(const gspi_hold *w, gsp_error *err)
{
    gsp_node v;
    for (v = 0u; v < w->g->n_nodes; v++) {
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(w->g, v, &count);
        uint32_t i;
        for (i = 0u; i < count && gspi_hold_reads(w, v); i++) {
            gsp_node const u = inputs[i];
            if (gsp_node_is_callable(w->g, u) && w->stage_of[u] == GSP_NONE) {
                return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE, v, u);
            }
            if (gsp_node_is_callable(w->g, u) && w->stage_of[u] > w->stage_of[v]) {
                return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE_ORDER, v, u);
            }
        }
    }
    return GSP_OK;
}

/* Attributes of one target become the first of them. */
static void gspi_hold_merge(gspi_hold *w)
{
    const gsp_string *target = w->g->module->target + w->g->first;
    gsp_node v;
    w->n_attrs = 0u;
    gspi_set(w->by_string, 0xFF, w->g->module->counts.strings, sizeof(uint32_t));
    gspi_set(w->attr_of, 0xFF, w->g->n_nodes, sizeof(uint32_t));
    for (v = 0u; v < w->g->n_nodes; v++) {
        w->kept[v] = v;
        if (gsp_node_op(w->g, v) != GSP_OP_GET_ATTR) {
            continue;
        }
        if (w->by_string[target[v]] == GSP_NONE) {
            w->by_string[target[v]] = v;
            w->attr_of[v] = w->n_attrs;
            w->how[w->n_attrs] = gspi_child_of(w->g, v) != GSP_NONE ? (uint8_t)GSPI_HOLD_CHILD : 0u;
            w->attrs[w->n_attrs++] = v;
        }
        w->kept[v] = w->by_string[target[v]];
    }
}

/* Counts, or with `fill` notes, the stages that read every attribute. */
static void gspi_hold_walk_attrs(gspi_hold *w, int fill)
{
    uint32_t stage;
    gspi_set(w->stamp, 0, w->g->n_nodes, sizeof(uint32_t));
    for (stage = w->n_stages; stage > 0u; stage--) { /* rows are filled from behind */
        uint32_t k;
        for (k = w->begin[stage - 1u]; k < w->begin[stage]; k++) {
            uint32_t count;
            const gsp_node *inputs = gsp_node_inputs(w->g, w->nodes[k], &count);
            uint32_t i;
            for (i = 0u; i < count; i++) {
                gsp_node const u = w->kept[inputs[i]];
                uint32_t const attr = w->attr_of[u];
                if (attr == GSP_NONE || w->stamp[u] == stage) {
                    continue;
                }
                w->stamp[u] = stage;
                if (fill) {
                    w->attr_stages[--w->attr_begin[attr]] = stage - 1u;
                } else {
                    w->attr_begin[attr]++;
                }
            }
        }
    }
}

static void gspi_hold_attr_stages(gspi_hold *w)
{
    gspi_set(w->attr_begin, 0, (size_t)w->n_attrs + 1u, sizeof(uint32_t));
    gspi_hold_walk_attrs(w, 0);
    gspi_counts_to_ends(w->attr_begin, w->n_attrs);
    gspi_hold_walk_attrs(w, 1);
}

/* Which attributes are transmitted. Returns an entry that names none, GSP_NONE: there is none. */
static uint32_t gspi_hold_uses(gspi_hold *w)
{
    uint32_t i;
    gspi_texts_clear(&w->uses);
    for (i = 0u; i < w->d->n_uses; i++) {
        gspi_texts_add(&w->uses, i, w->d->uses[i].target);
        w->used[i] = 0u;
    }
    for (i = 0u; i < w->n_attrs; i++) {
        gsp_text const target = gsp_node_target(w->g, w->attrs[i]);
        uint32_t const slot = gspi_texts_slot(&w->uses, target, gspi_text_hash(target));
        uint32_t entry = w->uses.slot[slot];
        uint32_t const use = entry != GSP_NONE ? w->d->uses[entry].multi_use : w->d->multi_use;
        if (use == (uint32_t)GSP_MULTI_USE_TRANSMIT && (w->how[i] & GSPI_HOLD_CHILD) == 0u &&
            w->attr_begin[i + 1u] - w->attr_begin[i] > 1u) {
            w->how[i] = (uint8_t)(w->how[i] | GSPI_HOLD_TRANSMIT);
        }
        for (; entry != GSP_NONE; entry = w->uses.same[entry]) {
            w->used[entry] = 1u;
        }
    }
    for (i = 0u; i < w->d->n_uses && w->used[i]; i++) {
    }
    return i < w->d->n_uses ? i : GSP_NONE;
}

static int gspi_hold_transmits(const gspi_hold *w, uint32_t attr)
{
    return (w->how[attr] & GSPI_HOLD_TRANSMIT) != 0u;
}

/* How many stages hold an attribute. */
static uint32_t gspi_hold_holders(const gspi_hold *w, uint32_t attr)
{
    uint32_t const count = w->attr_begin[attr + 1u] - w->attr_begin[attr];
    return gspi_hold_transmits(w, attr) ? 1u : count;
}

/* The attributes that every stage holds, in graph order; the stage that a value comes from. */
static void gspi_hold_own(gspi_hold *w)
{
    uint32_t attr;
    uint32_t i;
    gsp_node v;
    for (v = 0u; v < w->g->n_nodes; v++) {
        w->home[v] = w->stage_of[v];
    }
    gspi_set(w->own_begin, 0, (size_t)w->n_stages + 1u, sizeof(uint32_t));
    for (attr = 0u; attr < w->n_attrs; attr++) {
        const uint32_t *stages = w->attr_stages + w->attr_begin[attr];
        for (i = 0u; i < gspi_hold_holders(w, attr); i++) {
            w->own_begin[stages[i]]++;
        }
        if (gspi_hold_transmits(w, attr)) {
            w->home[w->attrs[attr]] = stages[0];
        }
    }
    gspi_counts_to_ends(w->own_begin, w->n_stages);
    for (attr = w->n_attrs; attr > 0u; attr--) {
        const uint32_t *stages = w->attr_stages + w->attr_begin[attr - 1u];
        for (i = 0u; i < gspi_hold_holders(w, attr - 1u); i++) {
            w->own[--w->own_begin[stages[i]]] = w->attrs[attr - 1u];
        }
    }
}

/* 1 when a list such as "0,2" holds a number. */
static int gspi_hold_lists(gsp_text list, uint32_t number)
{
    uint32_t begin = 0u;
    uint32_t i;
    for (i = 0u; i <= list.size; i++) {
        if (i == list.size || list.data[i] == ',') {
            uint64_t value;
            if (gspi_number(gspi_slice(list.data, begin, i), &value) && value == number) {
                return 1;
            }
            begin = i + 1u;
        }
    }
    return 0;
}

/* 1 when several stages have copies of an attribute. */
static int gspi_hold_is_copied(const gspi_hold *w, uint32_t attr)
{
    return attr != GSP_NONE && (w->how[attr] & GSPI_HOLD_CHILD) == 0u &&
           gspi_hold_holders(w, attr) > 1u;
}

/* A copied attribute that node v writes: one at a flattened position of its `mutates=`. */
static gsp_node gspi_hold_written(const gspi_hold *w, gsp_node v)
{
    gsp_text const list = gsp_node_attr(w->g, v, GSP_KEY_MUTATES);
    uint32_t count;
    const gsp_arg *args = gsp_node_args(w->g, v, &count);
    uint32_t position = 0u;
    uint32_t i;
    for (i = 0u; i < count && list.size > 0u; i++) {
        if (args[i].kind == (uint32_t)GSP_ARG_NODE || args[i].kind == (uint32_t)GSP_ARG_CONSTANT) {
            if (args[i].kind == (uint32_t)GSP_ARG_NODE &&
                gspi_hold_is_copied(w, w->attr_of[w->kept[args[i].value]]) &&
                gspi_hold_lists(list, position)) {
                return args[i].value;
            }
            position++;
        }
    }
    return GSP_NONE;
}

/* A parameter that is written has to be one, whatever the number of its stages. */
static gsp_status gspi_hold_check_writes(const gspi_hold *w, gsp_error *err)
{
    gsp_node v;
    for (v = 0u; v < w->g->n_nodes; v++) {
        gsp_node const u = w->stage_of[v] == GSP_NONE ? GSP_NONE : gspi_hold_written(w, v);
        if (u != GSP_NONE) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_WRITTEN, v, u);
        }
    }
    return GSP_OK;
}

/* ---- what is told ---- */

/* Parameters with the stages that hold them; those that no stage reads are none. */
static void gspi_hold_params(gspi_hold *w, gsp_hold_result *r)
{
    uint32_t attr;
    gspi_set(w->param_of, 0xFF, w->g->n_nodes, sizeof(uint32_t));
    for (attr = 0u; attr < w->n_attrs; attr++) {
        uint32_t const count = gspi_hold_holders(w, attr);
        gsp_hold_param *p = w->params + r->n_params;
        if ((w->how[attr] & GSPI_HOLD_CHILD) != 0u || count == 0u) {
            continue;
        }
        p->node = w->attrs[attr];
        p->target = w->g->module->target[w->g->first + p->node];
        w->param_of[p->node] = r->n_params;
        p->first = r->n_params++;
        p->transmitted = (uint32_t)gspi_hold_transmits(w, attr);
        p->begin = r->n_held;
        gspi_copy(w->held + p->begin, w->attr_stages + w->attr_begin[attr], count,
                  sizeof(uint32_t));
        p->end = r->n_held += count;
    }
}

/* The first parameter of every storage: `storage=`, or without it the parameter itself. */
static void gspi_hold_storages(gspi_hold *w, const gsp_hold_result *r)
{
    uint32_t i;
    gspi_set(w->by_string, 0xFF, w->g->module->counts.strings, sizeof(uint32_t));
    for (i = 0u; i < r->n_params; i++) {
        gsp_string const storage = gspi_attr(w->g, w->params[i].node, GSP_KEY_STORAGE);
        if (storage != GSP_NONE && w->by_string[storage] == GSP_NONE) {
            w->by_string[storage] = i;
        }
        w->params[i].first = storage != GSP_NONE ? w->by_string[storage] : i;
    }
}

/* Counts, or with `rows` notes, the stages of every storage. */
static void gspi_hold_walk_storages(gspi_hold *w, gsp_hold_copy *rows)
{
    uint32_t stage;
    uint32_t i;
    gspi_set(w->stamp, 0, w->g->n_nodes, sizeof(uint32_t));
    for (stage = 0u; stage < w->n_stages; stage++) {
        for (i = w->own_begin[stage]; i < w->own_begin[stage + 1u]; i++) {
            uint32_t const param = w->param_of[w->own[i]];
            uint32_t const first = param == GSP_NONE ? GSP_NONE : w->params[param].first;
            if (first == GSP_NONE || w->stamp[first] == stage + 1u) {
                continue;
            }
            w->stamp[first] = stage + 1u;
            if (rows == NULL) {
                w->row[first]++;
            } else if (w->row[first] != GSP_NONE) {
                w->held[rows[w->row[first]].end++] = stage;
            }
        }
    }
}

/* The same for called modules, under their first calls. */
static void gspi_hold_walk_calls(gspi_hold *w, gsp_hold_copy *rows)
{
    const gsp_string *target = w->g->module->target + w->g->first;
    gsp_node v;
    gspi_set(w->by_string, 0xFF, w->g->module->counts.strings, sizeof(uint32_t));
    gspi_set(w->stamp, 0, w->g->n_nodes, sizeof(uint32_t));
    for (v = 0u; v < w->g->n_nodes; v++) {
        gsp_node first;
        if (w->stage_of[v] == GSP_NONE || gsp_node_op(w->g, v) != GSP_OP_CALL_MODULE) {
            continue;
        }
        if (w->by_string[target[v]] == GSP_NONE) {
            w->by_string[target[v]] = v;
        }
        first = w->by_string[target[v]];
        if (w->stamp[first] == w->stage_of[v] + 1u) {
            continue;
        }
        w->stamp[first] = w->stage_of[v] + 1u;
        if (rows == NULL) {
            w->row[first]++;
        } else if (w->row[first] != GSP_NONE) {
            w->held[rows[w->row[first]].end++] = w->stage_of[v];
        }
    }
}

/* Makes a row of what more than one stage holds; row[] becomes its number. */
static void gspi_hold_add_row(gspi_hold *w, gsp_hold_copy *rows, uint32_t *n_rows, uint32_t i,
                              gsp_node node, gsp_hold_result *r)
{
    uint32_t const count = w->row[i];
    w->row[i] = GSP_NONE;
    if (count > 1u) {
        gsp_hold_copy *copy = rows + *n_rows;
        copy->node = node;
        copy->target = w->g->module->target[w->g->first + node];
        copy->begin = r->n_held;
        copy->end = r->n_held;
        r->n_held += count;
        w->row[i] = (*n_rows)++;
    }
}

/* 1 when the annotation says that a called module has no parameters. */
static int gspi_hold_is_bare(const gspi_hold *w, gsp_node v)
{
    uint64_t bytes;
    return gsp_text_number(gsp_node_attr(w->g, v, GSP_KEY_PARAMS), &bytes) && bytes == 0u;
}

GSPI_OWN_FRAME void gspi_hold_tell(gspi_hold *w, gsp_hold_result *r)
{
    uint32_t i;
    r->n_nodes = w->g->n_nodes;
    r->n_stages = w->n_stages;
    r->n_params = 0u;
    r->n_replicated = 0u;
    r->n_shared = 0u;
    r->n_held = 0u;
    r->stage_of = w->stage_of;
    r->kept = w->kept;
    r->home = w->home;
    r->begin = w->begin;
    r->nodes = w->nodes;
    r->own_begin = w->own_begin;
    r->own = w->own;
    r->params = w->params;
    r->replicated = w->replicated;
    r->shared = w->shared;
    r->held = w->held;
    gspi_hold_params(w, r);
    gspi_hold_storages(w, r);
    gspi_set(w->row, 0, w->g->n_nodes, sizeof(uint32_t));
    gspi_hold_walk_storages(w, NULL);
    for (i = 0u; i < r->n_params; i++) {
        gspi_hold_add_row(w, w->replicated, &r->n_replicated, i, w->params[i].node, r);
    }
    gspi_hold_walk_storages(w, w->replicated);
    gspi_set(w->row, 0, w->g->n_nodes, sizeof(uint32_t));
    gspi_hold_walk_calls(w, NULL);
    for (i = 0u; i < w->g->n_nodes; i++) {
        if (w->row[i] > 1u && gspi_hold_is_bare(w, i)) {
            w->row[i] = 0u;
        }
        gspi_hold_add_row(w, w->shared, &r->n_shared, i, i, r);
    }
    gspi_hold_walk_calls(w, w->shared);
}

GSPI_OWN_FRAME gsp_status gspi_hold_prepare(gspi_hold *w, const gsp_graph *g,
                                            const gsp_hold_desc *d, gsp_error *err)
{
    uint32_t missing;
    w->g = g;
    w->d = d;
    GSPI_TRY(gspi_hold_stages(w, err));
    GSPI_TRY(gspi_hold_check_reads(w, err));
    gspi_hold_merge(w);
    gspi_hold_attr_stages(w);
    missing = gspi_hold_uses(w);
    if (missing != GSP_NONE) {
        return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_PARAMETER, missing, GSP_NONE);
    }
    GSPI_TRY(gspi_hold_check_writes(w, err));
    gspi_hold_own(w);
    return GSP_OK;
}

GSP_API gsp_status gsp_hold_run(gsp_arena *arena, const gsp_graph *graph, const gsp_hold_desc *desc,
                                gsp_hold_result *result, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_hold *w;
    gsp_counts counts;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_hold_check(graph, desc, err));
    counts = gsp_graph_counts(graph);
    GSPI_TRY(gspi_room(arena, gsp_hold_bound(&counts, desc), err));
    mark = gsp_arena_mark(arena);
    w = GSPI_HIGH(&b, gspi_hold, 1u);
    gspi_hold_layout(&b, w, &counts, desc->n_uses);
    status = gspi_hold_prepare(w, graph, desc, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    gspi_hold_tell(w, result);
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>pipe   Stages of a pipeline as a module                                       (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

/* The rows of values that enter and leave every stage are found first; then root and stages are
 * written, one by one, into a builder that has adopted the strings of the input. */

#define GSPI_PIPE_CALLED 1u /* of a string: target of a called module */
#define GSPI_PIPE_GRAPH  2u /* name of a graph of the result */

/* Names of graphs, and of called modules in the stage that is being written. */
typedef struct gspi_pipe_names {
    gsp_string *name;    /* [n] of stages */
    uint8_t *taken;      /* [strings of the result] GSPI_PIPE_ */
    uint32_t *name_in;   /* [strings of the result] stage in which a target is called, plus one */
    uint32_t *number;    /* [strings of the result] last number tried behind it there */
    uint32_t *flat_in;   /* [strings] stage that calls a target, plus one ... */
    gsp_string *flat_as; /* [strings] ... under this name */
    char *text;          /* [bytes + 32] a name in the making */
    uint8_t *seen;       /* [graphs] child graphs that are used */
    uint32_t *list;      /* [graphs] */
} gspi_pipe_names;

typedef struct gspi_pipe {
    const gsp_graph *g;
    const gsp_pipe_desc *d;
    const gsp_hold_result *h;
    gsp_builder *b;
    gsp_module *made;
    gspi_pipe_names *names;
    gsp_node *node_of;   /* [n] result */
    gsp_node *call;      /* [n] result */
    uint32_t *out_begin; /* [n + 1] into out_nodes */
    gsp_node *out_nodes; /* [n] values by stage */
    uint32_t *out_index; /* [n] place of a value among those of its stage; GSP_NONE: read
                            * nowhere outside */
    uint32_t *in_begin;  /* [n + 1] into in_nodes */
    gsp_node *in_nodes;  /* [edges] inputs by stage */
    uint32_t *stamp;     /* [n] stage that a value was met in last, plus one */
    gsp_node *local;     /* [n] its node there */
    gsp_node *in_root;   /* [n] its node in the root */
} gspi_pipe;

static void gspi_pipe_names_layout(gspi_bump *b, gspi_pipe_names *w, const gsp_counts *c,
                                   const gsp_counts *made)
{
    w->name = GSPI_HIGH(b, gsp_string, c->nodes);
    w->taken = GSPI_HIGH(b, uint8_t, made->strings);
    w->name_in = GSPI_HIGH(b, uint32_t, made->strings);
    w->number = GSPI_HIGH(b, uint32_t, made->strings);
    w->flat_in = GSPI_HIGH(b, uint32_t, c->strings);
    w->flat_as = GSPI_HIGH(b, gsp_string, c->strings);
    w->text = GSPI_HIGH(b, char, (size_t)c->bytes + 32u);
    w->seen = GSPI_HIGH(b, uint8_t, c->graphs);
    w->list = GSPI_HIGH(b, uint32_t, c->graphs);
}

static void gspi_pipe_layout(gspi_bump *b, gspi_pipe *w, const gsp_counts *c)
{
    uint32_t const n = c->nodes;
    size_t const rows = (size_t)n + 1u;
    w->b = GSPI_HIGH(b, gsp_builder, 1u);
    w->made = GSPI_HIGH(b, gsp_module, 1u);
    w->names = GSPI_HIGH(b, gspi_pipe_names, 1u);
    w->node_of = GSPI_LOW(b, gsp_node, n);
    w->call = GSPI_LOW(b, gsp_node, n);
    w->out_begin = GSPI_HIGH(b, uint32_t, rows);
    w->out_nodes = GSPI_HIGH(b, gsp_node, n);
    w->out_index = GSPI_HIGH(b, uint32_t, n);
    w->in_begin = GSPI_HIGH(b, uint32_t, rows);
    w->in_nodes = GSPI_HIGH(b, gsp_node, c->edges);
    w->stamp = GSPI_HIGH(b, uint32_t, n);
    w->local = GSPI_HIGH(b, gsp_node, n);
    w->in_root = GSPI_HIGH(b, gsp_node, n);
}

/* What the result can hold: no more stages than nodes; a root node for every node, and a call a
 * stage; in the stages every callable node once, at most one placeholder or attribute an edge. */
GSPI_OWN_FRAME gsp_counts gspi_pipe_counts(const gsp_counts *c)
{
    uint32_t const n = c->nodes;
    gsp_counts r;
    r.graphs = gspi_count_add(gspi_count_add(n, c->graphs), 1u);
    /* root: 2 n + 1; stages: n callable nodes, n outputs, the edges; child graphs: n */
    r.nodes = gspi_count_add(gspi_count_add(gspi_count_mul(n, 5u), c->edges), 1u);
    /* those of the input twice (child graphs, callable nodes); 2 a getitem, 3 a stage's return */
    r.args = gspi_count_add(gspi_count_mul(c->args, 2u), gspi_count_mul(n, 5u));
    r.args = gspi_count_add(r.args, c->edges);
    r.edges = r.args;
    r.attrs = gspi_count_add(c->attrs, gspi_count_mul(n, 5u));
    /* a getitem: name and index; a stage: name and call, both with a number, number; a flattened
     * target, also with a number; "getitem", "submod" */
    r.strings = gspi_count_add(gspi_count_add(c->strings, gspi_count_mul(n, 10u)), 4u);
    r.bytes = gspi_count_add(gspi_count_mul(c->bytes, 3u), gspi_count_mul(n, 130u));
    r.bytes = gspi_count_add(r.bytes, 128u);
    return r;
}

GSPI_OWN_FRAME size_t gspi_pipe_names_size(const gsp_counts *c, const gsp_counts *made)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_pipe_names w;
    gspi_pipe_names_layout(&b, &w, c, made);
    return b.used;
}

GSP_API size_t gsp_pipe_bound(const gsp_counts *counts, const gsp_pipe_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_counts const made = gspi_pipe_counts(counts);
    gspi_pipe w;
    size_t bound;
    (void)GSPI_HIGH(&b, gsp_pipe_result, 1u);
    gspi_pipe_layout(&b, &w, counts);
    bound = gspi_add(b.used, gspi_pipe_names_size(counts, &made));
    bound = gspi_add(gspi_add(bound, GSPI_SLACK), gsp_build_bound(&made));
    return gspi_add(bound, gsp_hold_bound(counts, &desc->hold));
}

/* ---- rows ---- */

/* Numbers the values of every stage in order of their first reading outside. */
static void gspi_pipe_number_values(gspi_pipe *w)
{
    gsp_node v;
    for (v = 0u; v < w->g->n_nodes; v++) {
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(w->g, v, &count);
        uint32_t i;
        if (w->h->stage_of[v] == GSP_NONE && v + 1u < w->g->n_nodes) {
            continue;
        }
        for (i = 0u; i < count; i++) {
            gsp_node const u = inputs[i];
            if (w->h->stage_of[u] != GSP_NONE && w->h->stage_of[u] != w->h->stage_of[v] &&
                w->out_index[u] == GSP_NONE) {
                w->out_index[u] = w->out_begin[w->h->stage_of[u]]++;
            }
        }
    }
    for (v = 0u; v < w->g->n_nodes; v++) {
        if (gsp_node_op(w->g, v) == GSP_OP_GET_ATTR && w->h->home[v] != GSP_NONE) {
            w->out_index[v] = w->out_begin[w->h->home[v]]++;
        }
    }
}

/* Rows of values by stage: its own, then the attributes that it transmits. */
static void gspi_pipe_outputs(gspi_pipe *w)
{
    uint32_t sum = 0u;
    uint32_t stage;
    gsp_node v;
    gspi_set(w->out_begin, 0, (size_t)w->h->n_stages + 1u, sizeof(uint32_t));
    gspi_set(w->out_index, 0xFF, w->g->n_nodes, sizeof(uint32_t));
    gspi_pipe_number_values(w);
    for (stage = 0u; stage <= w->h->n_stages; stage++) {
        uint32_t const count = w->out_begin[stage];
        w->out_begin[stage] = sum;
        sum += count;
    }
    for (v = 0u; v < w->g->n_nodes; v++) {
        if (w->out_index[v] != GSP_NONE) {
            w->out_nodes[w->out_begin[w->h->home[v]] + w->out_index[v]] = v;
        }
    }
}

/* 1 when a value enters a stage from outside. */
static int gspi_pipe_enters(const gspi_pipe *w, gsp_node u, uint32_t stage)
{
    return gsp_node_op(w->g, u) == GSP_OP_PLACEHOLDER ||
           (w->h->home[u] != GSP_NONE && w->h->home[u] != stage);
}

/* Rows of inputs by stage, each in order of first meeting. */
static void gspi_pipe_inputs(gspi_pipe *w)
{
    uint32_t n = 0u;
    uint32_t stage;
    gspi_set(w->stamp, 0, w->g->n_nodes, sizeof(uint32_t));
    for (stage = 0u; stage < w->h->n_stages; stage++) {
        uint32_t k;
        w->in_begin[stage] = n;
        for (k = w->h->begin[stage]; k < w->h->begin[stage + 1u]; k++) {
            uint32_t count;
            const gsp_node *inputs = gsp_node_inputs(w->g, w->h->nodes[k], &count);
            uint32_t i;
            for (i = 0u; i < count; i++) {
                gsp_node const u = w->h->kept[inputs[i]];
                if (w->stamp[u] != stage + 1u && gspi_pipe_enters(w, u, stage)) {
                    w->stamp[u] = stage + 1u;
                    w->in_nodes[n++] = u;
                }
            }
        }
    }
    w->in_begin[w->h->n_stages] = n;
}

/* ---- names ---- */

/* Child graphs that stages or the root's return use, and those that these use. */
static void gspi_pipe_children(const gspi_pipe *w)
{
    gspi_pipe_names *names = w->names;
    uint32_t count;
    const gsp_node *returned = gsp_node_inputs(w->g, w->g->n_nodes - 1u, &count);
    uint32_t n = 0u;
    uint32_t i;
    gsp_node v;
    gspi_set(names->seen, 0, w->g->module->counts.graphs, 1u);
    for (v = 0u; v < w->g->n_nodes; v++) {
        if (w->h->stage_of[v] != GSP_NONE) {
            gspi_reach_add(gspi_child_of(w->g, v), names->seen, names->list, &n);
        }
    }
    for (i = 0u; i < w->h->own_begin[w->h->n_stages]; i++) {
        gspi_reach_add(gspi_child_of(w->g, w->h->own[i]), names->seen, names->list, &n);
    }
    for (i = 0u; i < count; i++) {
        gspi_reach_add(gspi_child_of(w->g, returned[i]), names->seen, names->list, &n);
    }
    gspi_reach_all(w->g->module, names->seen, names->list, &n);
}

/* What no stage may be called: names of other graphs, targets of called modules. */
static void gspi_pipe_reserve(gspi_pipe *w)
{
    const gsp_module *m = w->g->module;
    uint32_t i;
    gspi_set(w->names->taken, 0, w->b->cap.strings, 1u);
    gspi_set(w->names->name_in, 0, w->b->cap.strings, sizeof(uint32_t));
    gspi_set(w->names->flat_in, 0, m->counts.strings, sizeof(uint32_t));
    w->names->taken[GSP_KEY_MAIN] = (uint8_t)GSPI_PIPE_GRAPH;
    for (i = 0u; i < m->counts.graphs; i++) {
        w->names->taken[m->graphs[i].name] |= w->names->seen[i] ? (uint8_t)GSPI_PIPE_GRAPH : 0u;
    }
    for (i = 0u; i < w->g->n_nodes; i++) {
        if (gsp_node_op(w->g, i) == GSP_OP_CALL_MODULE) {
            w->names->taken[m->target[w->g->first + i]] |= (uint8_t)GSPI_PIPE_CALLED;
        }
    }
}

/* The first `size` bytes of names->text, "_" and a number. */
static gsp_string gspi_pipe_numbered(const gspi_pipe *w, uint32_t size, uint32_t number)
{
    char *text = w->names->text;
    text[size] = '_';
    return gsp_build_string(
        w->b, gspi_slice(text, 0u, size + 1u + gspi_decimal(number, text + size + 1u)));
}

/* "submod_0", "submod_1", ..., without those that are taken. */
static void gspi_pipe_names_of_stages(const gspi_pipe *w)
{
    uint32_t number = 0u;
    uint32_t stage;
    gspi_copy(w->names->text, "submod", 6u, 1u);
    for (stage = 0u; stage < w->h->n_stages; stage++) {
        gsp_string s = gspi_pipe_numbered(w, 6u, number);
        while (w->names->taken[s] != 0u && w->b->error.status == GSP_OK) {
            s = gspi_pipe_numbered(w, 6u, ++number);
        }
        w->names->taken[s] = (uint8_t)GSPI_PIPE_GRAPH;
        w->names->name[stage] = s;
        number++;
    }
}

static int gspi_pipe_is_taken(const gspi_pipe *w, gsp_string s, uint32_t stage)
{
    return (w->names->taken[s] & GSPI_PIPE_GRAPH) != 0u || w->names->name_in[s] == stage + 1u;
}

/* The target of a called module in a stage: dots become '_', and a name that another target of the
 * stage or a graph has gets the next free number. */
static gsp_string gspi_pipe_flat(const gspi_pipe *w, gsp_string target, uint32_t stage)
{
    gspi_pipe_names *names = w->names;
    gsp_text const t = gspi_string(w->g->module, target);
    gsp_string wanted;
    gsp_string s;
    uint32_t number;
    uint32_t base;
    uint32_t i;
    if (names->flat_in[target] == stage + 1u) {
        return names->flat_as[target];
    }
    for (i = 0u; i < t.size; i++) {
        names->text[i] = t.data[i] == '.' ? '_' : t.data[i];
    }
    wanted = gsp_build_string(w->b, gspi_slice(names->text, 0u, t.size));
    number = gspi_name_suffix(gspi_slice(names->text, 0u, t.size), &base);
    number = names->name_in[wanted] == stage + 1u ? names->number[wanted] : number;
    for (s = wanted; gspi_pipe_is_taken(w, s, stage) && w->b->error.status == GSP_OK;) {
        s = gspi_pipe_numbered(w, base, ++number);
    }
    names->name_in[wanted] = stage + 1u;
    names->number[wanted] = number;
    names->name_in[s] = stage + 1u;
    names->number[s] = number;
    names->flat_in[target] = stage + 1u;
    names->flat_as[target] = s;
    return s;
}

/* ---- writing ---- */

/* Copies arguments, each node by where `map` puts it. What `stamp` does not know as met in this
 * graph is in no row of inputs: the module is damaged. */
static void gspi_pipe_args(const gspi_pipe *w, gsp_node v, const gsp_node *map, uint32_t stamp)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(w->g, v, &count);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        gsp_arg a = args[i];
        if (a.kind == (uint32_t)GSP_ARG_NODE) {
            gsp_node const u = w->h->kept[a.value];
            a.value = stamp != GSP_NONE && w->stamp[u] != stamp ? GSP_NONE : map[u];
        }
        gsp_build_arg(w->b, a);
    }
}

/* The root's own: placeholders, and the attributes that it returns and no stage returns for it. */
static void gspi_pipe_root_values(gspi_pipe *w)
{
    const gsp_string *target = w->g->module->target + w->g->first;
    uint32_t count;
    const gsp_node *returned = gsp_node_inputs(w->g, w->g->n_nodes - 1u, &count);
    uint32_t i;
    gsp_node v;
    gspi_set(w->stamp, 0, w->g->n_nodes, sizeof(uint32_t));
    for (i = 0u; i < count; i++) {
        w->stamp[w->h->kept[returned[i]]] = 1u;
    }
    for (v = 0u; v < w->g->n_nodes; v++) {
        gsp_op const op = gsp_node_op(w->g, v);
        if (op == GSP_OP_PLACEHOLDER ||
            (op == GSP_OP_GET_ATTR && w->stamp[v] != 0u && w->h->home[v] == GSP_NONE)) {
            w->in_root[v] = gspi_copy_node(w->b, w->g, op, v, target[v]);
            gspi_pipe_args(w, v, w->in_root, GSP_NONE);
        }
    }
}

/* The call of a stage, and a getitem for each of its values unless it is one. */
static void gspi_pipe_call(gspi_pipe *w, uint32_t stage)
{
    gsp_string const name = gsp_build_name(w->b, gspi_build_text(w->b, w->names->name[stage]));
    gsp_node const call = gsp_build_node_id(w->b, GSP_OP_CALL_MODULE, name, w->names->name[stage]);
    uint32_t const begin = w->out_begin[stage];
    uint32_t const end = w->out_begin[stage + 1u];
    char digits[20];
    uint32_t i;
    for (i = w->in_begin[stage]; i < w->in_begin[stage + 1u]; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, w->in_root[w->in_nodes[i]]);
    }
    if (end - begin == 1u) {
        w->in_root[w->out_nodes[begin]] = call;
        gsp_build_like(w->b, w->g, w->out_nodes[begin], 0);
    }
    gsp_build_attr(w->b, gspi_key(GSP_KEY_STAGE),
                   gspi_slice(digits, 0u, gspi_decimal(stage, digits)));
    for (i = begin; i < end && end - begin > 1u; i++) {
        w->in_root[w->out_nodes[i]] = gspi_put_getitem(w->b, call, i - begin);
        gsp_build_like(w->b, w->g, w->out_nodes[i], 0);
    }
    w->call[stage] = call;
}

GSPI_OWN_FRAME void gspi_pipe_root(gspi_pipe *w)
{
    gsp_node const output = w->g->n_nodes - 1u;
    uint32_t stage;
    gsp_build_graph(w->b, gspi_slice("", 0u, 0u));
    gspi_pipe_root_values(w);
    for (stage = 0u; stage < w->h->n_stages; stage++) {
        gspi_pipe_call(w, stage);
    }
    (void)gsp_build_output(w->b);
    gsp_build_like(w->b, w->g, output, 1);
    gspi_pipe_args(w, output, w->in_root, GSP_NONE);
}

/* What a stage has before its first call: placeholders, then its attributes. */
static void gspi_pipe_stage_values(gspi_pipe *w, uint32_t stage)
{
    const gsp_string *target = w->g->module->target + w->g->first;
    uint32_t i;
    for (i = w->in_begin[stage]; i < w->in_begin[stage + 1u]; i++) {
        gsp_node const u = w->in_nodes[i];
        w->stamp[u] = stage + 1u;
        w->local[u] = gspi_copy_node(w->b, w->g, GSP_OP_PLACEHOLDER, u, gspi_name_id(w->g, u));
    }
    for (i = w->h->own_begin[stage]; i < w->h->own_begin[stage + 1u]; i++) {
        gsp_node const u = w->h->own[i];
        w->stamp[u] = stage + 1u;
        w->local[u] = gspi_copy_node(w->b, w->g, GSP_OP_GET_ATTR, u, target[u]);
    }
}

static void gspi_pipe_node(gspi_pipe *w, uint32_t stage, gsp_node v)
{
    gsp_op const op = gsp_node_op(w->g, v);
    gsp_string target = w->g->module->target[w->g->first + v];
    if (op == GSP_OP_CALL_MODULE && w->d->keep_targets == 0u &&
        gspi_child_of(w->g, v) == GSP_NONE) {
        target = gspi_pipe_flat(w, target, stage);
    }
    w->local[v] = gspi_copy_node(w->b, w->g, op, v, target);
    gspi_pipe_args(w, v, w->local, stage + 1u);
    w->stamp[v] = stage + 1u;
    w->node_of[v] = w->local[v];
}

GSPI_OWN_FRAME void gspi_pipe_body(gspi_pipe *w, uint32_t stage)
{
    int const tuple = w->out_begin[stage + 1u] - w->out_begin[stage] != 1u;
    uint32_t i;
    gsp_build_graph(w->b, gspi_build_text(w->b, w->names->name[stage]));
    gspi_pipe_stage_values(w, stage);
    for (i = w->h->begin[stage]; i < w->h->begin[stage + 1u]; i++) {
        gspi_pipe_node(w, stage, w->h->nodes[i]);
    }
    (void)gsp_build_output(w->b);
    if (tuple) {
        gspi_put_arg(w->b, GSP_ARG_TUPLE, 0u);
    }
    for (i = w->out_begin[stage]; i < w->out_begin[stage + 1u]; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, w->local[w->out_nodes[i]]);
    }
    if (tuple) {
        gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    }
}

static gsp_status gspi_pipe_write(gspi_pipe *w)
{
    uint32_t i;
    gsp_build_adopt(w->b, w->g->module);
    gspi_pipe_children(w);
    gspi_pipe_reserve(w);
    gspi_pipe_names_of_stages(w);
    gspi_set(w->in_root, 0xFF, w->g->n_nodes, sizeof(gsp_node));
    gspi_set(w->node_of, 0xFF, w->g->n_nodes, sizeof(gsp_node));
    gspi_pipe_root(w);
    gspi_set(w->stamp, 0, w->g->n_nodes, sizeof(uint32_t));
    for (i = 0u; i < w->h->n_stages; i++) {
        gspi_pipe_body(w, i);
    }
    for (i = 0u; i < w->g->module->counts.graphs; i++) {
        if (w->names->seen[i]) {
            gsp_graph const child = gsp_module_graph(w->g->module, i);
            gspi_copy_graph(w->b, &child);
        }
    }
    return gsp_build_finish(w->b, w->made, NULL);
}

/* ---- the pass ---- */

GSPI_OWN_FRAME gsp_status gspi_pipe_make(gsp_arena *arena, const gsp_graph *g,
                                         const gsp_pipe_desc *d, gsp_pipe_result *r)
{
    gsp_counts const *c = &g->module->counts;
    gsp_counts const made = gspi_pipe_counts(c);
    gspi_bump b = gspi_bump_over(arena);
    gspi_pipe w;
    w.g = g;
    w.d = d;
    w.h = &r->hold;
    gspi_pipe_layout(&b, &w, c);
    gspi_pipe_names_layout(&b, w.names, c, &made);
    gspi_pipe_outputs(&w);
    gspi_pipe_inputs(&w);
    (void)gsp_build_init(w.b, arena, &made, NULL);
    GSPI_TRY(gspi_pipe_write(&w));
    r->module = *w.made;
    r->n_stages = r->hold.n_stages;
    r->stage_of = r->hold.stage_of;
    r->node_of = w.node_of;
    r->call = w.call;
    return GSP_OK;
}

GSP_API gsp_status gsp_pipe_run(gsp_arena *arena, const gsp_graph *graph, const gsp_pipe_desc *desc,
                                gsp_pipe_result *result, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gsp_pipe_result *made;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || graph == NULL || desc == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc->start_canary != 0u || desc->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    GSPI_TRY(gspi_room(arena, gsp_pipe_bound(&graph->module->counts, desc), err));
    mark = gsp_arena_mark(arena);
    made = GSPI_HIGH(&b, gsp_pipe_result, 1u);
    status = gsp_hold_run(arena, graph, &desc->hold, &made->hold, err);
    if (status == GSP_OK && gspi_pipe_make(arena, graph, desc, made) != GSP_OK) {
        status = gspi_fail(err, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS); /* nothing else gets here */
    }
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    *result = *made;
    arena->high = mark.high;
    return gspi_done(err);
}

GSP_API gsp_status gsp_pipe_stage(const gsp_pipe_result *result, uint32_t stage, gsp_graph *graph,
                                  gsp_error *err)
{
    if (result == NULL || graph == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (stage >= result->n_stages) {
        return gspi_fail_amount(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE_INDEX, stage,
                                result->n_stages);
    }
    *graph = gsp_module_graph(&result->module, 1u + stage);
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>backward   Gradients through the stages                                       (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

/* The loss is looked up in the root's return. The root is copied, and before its output the stages
 * are walked last to first: a stage is needed when one of its values is. */

typedef struct gspi_backward {
    gsp_graph g; /* the root */
    const gsp_pipe_result *p;
    const gsp_backward_desc *d;
    gsp_builder *b;
    gsp_module *made;
    gsp_node loss;
    gsp_node *call;    /* [n] result */
    gsp_node *grad_of; /* [n] result */
    uint8_t *live;     /* [n] the loss depends on this value */
    char *closer;      /* [args] bracket that closes a container in the loss spec */
    gsp_string stage_backward;
    gsp_string accumulate;
} gspi_backward;

static void gspi_backward_layout(gspi_bump *b, gspi_backward *w, const gsp_counts *root)
{
    w->b = GSPI_HIGH(b, gsp_builder, 1u);
    w->made = GSPI_HIGH(b, gsp_module, 1u);
    w->call = GSPI_LOW(b, gsp_node, root->nodes);
    w->grad_of = GSPI_LOW(b, gsp_node, root->nodes);
    w->live = GSPI_HIGH(b, uint8_t, root->nodes);
    w->closer = GSPI_HIGH(b, char, root->args);
}

/* What comes on top of the input: a call a stage, and for each of its inputs a getitem and perhaps
 * a sum; arguments are four keys with containers, three lists of values, the inputs. */
GSPI_OWN_FRAME gsp_counts gspi_backward_counts(const gsp_counts *c, const gsp_counts *root)
{
    uint32_t const n = root->nodes;
    uint32_t const two = gspi_count_mul(root->edges, 2u);
    uint32_t const names = gspi_count_add(gspi_count_mul(n, 2u), gspi_count_mul(root->edges, 3u));
    gsp_counts r = *c;
    r.nodes = gspi_count_add(r.nodes, gspi_count_add(n, two));
    r.args = gspi_count_add(r.args, gspi_count_mul(n, 15u));
    r.args = gspi_count_add(r.args, gspi_count_mul(root->edges, 5u));
    r.edges = r.args;
    r.attrs = gspi_count_add(r.attrs, gspi_count_mul(two, 2u));
    r.strings = gspi_count_add(r.strings, gspi_count_add(names, 10u));
    r.bytes = gspi_count_add(r.bytes, gspi_count_mul(names, 40u));
    r.bytes = gspi_count_add(r.bytes, 384u);
    return r;
}

GSP_API size_t gsp_backward_bound(const gsp_counts *module, const gsp_counts *root)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_counts const c = gspi_backward_counts(module, root);
    gspi_backward w;
    gspi_backward_layout(&b, &w, root);
    return gspi_add(gspi_add(b.used, GSPI_SLACK), gsp_build_bound(&c));
}

/* ---- the loss ---- */

/* An element of what is returned, as a value of the root. */
static gsp_status gspi_loss_at(gspi_backward *w, uint32_t i, gsp_error *err)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(&w->g, w->g.n_nodes - 1u, &count);
    if (args[i].kind != (uint32_t)GSP_ARG_NODE) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_LOSS_VALUE);
    }
    w->loss = args[i].value;
    return GSP_OK;
}

static gsp_status gspi_loss_by_index(gspi_backward *w, gsp_error *err)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(&w->g, w->g.n_nodes - 1u, &count);
    int const row =
        args[0].kind == (uint32_t)GSP_ARG_TUPLE || args[0].kind == (uint32_t)GSP_ARG_LIST;
    uint32_t i = row ? 1u : 0u;
    uint32_t index = 0u;
    while (i < count && args[i].kind != (uint32_t)GSP_ARG_CLOSE) {
        if (index == w->d->output) {
            return gspi_loss_at(w, i, err);
        }
        i = gspi_element_end(args, i);
        index++;
    }
    return gspi_fail_amount(err, GSP_STATUS_ARG, GSP_DETAIL_LOSS_INDEX, w->d->output, index);
}

/* Without its quotes. */
static gsp_text gspi_loss_unquoted(gsp_text t)
{
    return t.size >= 2u && gspi_is_quote(t, 0u) && gspi_quote_end(t, 0u) == t.size
               ? gspi_slice(t.data, 1u, (size_t)t.size - 1u)
               : t;
}

static gsp_status gspi_loss_by_key(gspi_backward *w, gsp_error *err)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(&w->g, w->g.n_nodes - 1u, &count);
    uint32_t i = 1u;
    while (args[0].kind == (uint32_t)GSP_ARG_DICT && args[i].kind == (uint32_t)GSP_ARG_KEY) {
        gsp_text const key = gspi_string(w->g.module, args[i].value);
        if (gsp_text_equal(gspi_loss_unquoted(key), gsp_text_of("loss"))) {
            return gspi_loss_at(w, i + 1u, err);
        }
        i = gspi_element_end(args, i);
    }
    return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_LOSS_KEY);
}

/* Takes a literal, and the blanks before it, if it comes next. */
static int gspi_loss_takes(gsp_text spec, uint32_t *at, const char *literal)
{
    uint32_t const begin = gspi_skip_blanks(spec, *at);
    if (!gspi_at(spec, begin, literal)) {
        return 0;
    }
    *at = begin + gsp_text_of(literal).size;
    return 1;
}

/* Takes "key:" if it comes next. */
static int gspi_loss_takes_key(gsp_text spec, uint32_t *at, gsp_text key)
{
    uint32_t const begin = gspi_skip_blanks(spec, *at);
    uint32_t end = gspi_is_quote(spec, begin) ? gspi_quote_end(spec, begin) : begin;
    while (end < spec.size && spec.data[end] != ':') {
        end++;
    }
    if (end == spec.size ||
        !gsp_text_equal(gspi_loss_unquoted(gspi_trim(gspi_slice(spec.data, begin, end))),
                        gspi_loss_unquoted(key))) {
        return 0;
    }
    *at = end + 1u;
    return 1;
}

/* Takes a bracket that opens the container at args[i]. */
static int gspi_loss_opens(const gspi_backward *w, uint32_t *at, const gsp_arg *args, uint32_t i)
{
    uint32_t const begin = gspi_skip_blanks(w->d->spec, *at);
    char const c = begin < w->d->spec.size ? w->d->spec.data[begin] : '\0';
    int const dict = args[i].kind == (uint32_t)GSP_ARG_DICT;
    int const row =
        args[i].kind == (uint32_t)GSP_ARG_TUPLE || args[i].kind == (uint32_t)GSP_ARG_LIST;
    *at = begin + 1u;
    w->closer[i] = c == '(' ? ')' : c == '[' ? ']' : '}';
    return dict ? c == '{' : row && (c == '(' || c == '[');
}

/* Takes the bracket that closes it; behind an element a comma may stand before it. */
static int gspi_loss_closes(const gspi_backward *w, uint32_t *at, uint32_t open, int fresh)
{
    if (!fresh) {
        (void)gspi_loss_takes(w->d->spec, at, ",");
    }
    *at = gspi_skip_blanks(w->d->spec, *at) + 1u;
    return *at <= w->d->spec.size && w->d->spec.data[*at - 1u] == w->closer[open];
}

/* Takes what stands in the spec for args[*i], which moves behind it. 0: something else does. */
static int gspi_loss_step(gspi_backward *w, uint32_t *at, const gsp_arg *args, uint32_t *i,
                          int *fresh)
{
    gsp_text const spec = w->d->spec;
    gsp_arg const a = args[*i];
    if (a.kind == (uint32_t)GSP_ARG_CLOSE) {
        int const empty = *fresh;
        *fresh = 0;
        *i += 1u;
        return gspi_loss_closes(w, at, *i - 1u - a.value, empty);
    }
    *fresh = 0;
    if (a.kind == (uint32_t)GSP_ARG_KEY) {
        *fresh = 1;
        *i += 1u;
        return gspi_loss_takes_key(spec, at, gspi_string(w->g.module, a.value));
    }
    if (gspi_loss_takes(spec, at, "False")) {
        *i = gspi_element_end(args, *i);
        return 1;
    }
    if (gspi_loss_takes(spec, at, "True")) {
        w->loss = w->loss == GSP_NONE ? a.value : w->loss;
        *i += 1u;
        return a.kind == (uint32_t)GSP_ARG_NODE;
    }
    *fresh = 1;
    *i += 1u;
    return gspi_loss_opens(w, at, args, *i - 1u);
}

static gsp_status gspi_loss_by_spec(gspi_backward *w, gsp_error *err)
{
    gsp_node const output = w->g.n_nodes - 1u;
    uint32_t count;
    const gsp_arg *args = gsp_node_args(&w->g, output, &count);
    uint32_t at = 0u;
    uint32_t i = 0u;
    int fresh = 1; /* right behind an opening bracket or a key: no comma */
    int good = 1;
    while (good && i < count) {
        uint32_t before;
        good = fresh || args[i].kind == (uint32_t)GSP_ARG_CLOSE ||
               gspi_loss_takes(w->d->spec, &at, ",");
        before = at;
        good = good && gspi_loss_step(w, &at, args, &i, &fresh);
        at = good ? at : before;
    }
    at = gspi_skip_blanks(w->d->spec, at);
    if (!good || at != w->d->spec.size) {
        (void)gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_LOSS_SPEC, output, GSP_NONE);
        if (err != NULL) {
            err->line = 1u;
            err->column = (size_t)at + 1u;
        }
        return GSP_STATUS_ARG;
    }
    return w->loss == GSP_NONE ? gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_LOSS_NONE) : GSP_OK;
}

static gsp_status gspi_backward_loss(gspi_backward *w, gsp_error *err)
{
    w->loss = GSP_NONE;
    return w->d->loss == (uint32_t)GSP_LOSS_OUTPUT ? gspi_loss_by_index(w, err)
           : w->d->loss == (uint32_t)GSP_LOSS_KEY  ? gspi_loss_by_key(w, err)
                                                   : gspi_loss_by_spec(w, err);
}

/* ---- writing ---- */

/* The values of a stage: its getitems, which stand behind its call, or the call. */
static uint32_t gspi_backward_values(const gspi_backward *w, gsp_node call, gsp_node *first)
{
    gsp_node v = call + 1u;
    uint32_t count;
    while (gsp_node_op(&w->g, v) == GSP_OP_CALL_FUNCTION &&
           gsp_node_inputs(&w->g, v, &count)[0] == call) {
        v++;
    }
    *first = v > call + 1u ? call + 1u : call;
    return v > call + 1u ? v - call - 1u : 1u;
}

static void gspi_backward_key(gspi_backward *w, const char *key, gsp_arg_kind container)
{
    gsp_build_key(w->b, gsp_text_of(key));
    gspi_put_arg(w->b, container, 0u);
}

/* The call that takes the gradients through one stage. */
static gsp_node gspi_backward_call(gspi_backward *w, gsp_node stage)
{
    gsp_string const none = gsp_build_string(w->b, gsp_text_of("None"));
    gsp_string const name = gsp_build_name(w->b, gsp_text_of("stage_backward"));
    gsp_node const call = gsp_build_node_id(w->b, GSP_OP_CALL_FUNCTION, name, w->stage_backward);
    uint32_t n_inputs;
    const gsp_node *inputs = gsp_node_inputs(&w->g, stage, &n_inputs);
    gsp_node first;
    uint32_t const n_values = gspi_backward_values(w, stage, &first);
    char digits[20];
    uint32_t i;
    gspi_backward_key(w, "stage_output", GSP_ARG_TUPLE);
    for (i = 0u; i < n_values; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, first + i);
    }
    gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    gspi_backward_key(w, "output_grads", GSP_ARG_TUPLE);
    for (i = 0u; i < n_values; i++) {
        gsp_node const grad = w->grad_of[first + i];
        gspi_put_arg(w->b, grad == GSP_NONE ? GSP_ARG_CONSTANT : GSP_ARG_NODE,
                     grad == GSP_NONE ? none : grad);
    }
    gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    gspi_backward_key(w, "input_values", GSP_ARG_LIST);
    for (i = 0u; i < n_inputs; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, inputs[i]);
    }
    gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    gspi_backward_key(w, "outputs_with_grads_idxs", GSP_ARG_LIST);
    for (i = 0u; i < n_values; i++) {
        if (w->live[first + i]) {
            gsp_text const index = gspi_slice(digits, 0u, gspi_decimal(i, digits));
            gspi_put_arg(w->b, GSP_ARG_CONSTANT, gsp_build_string(w->b, index));
        }
    }
    gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    return call;
}

/* The gradients of the inputs of a stage, each added to what is there from later stages. */
static void gspi_backward_inputs(gspi_backward *w, gsp_node stage, gsp_node call)
{
    uint32_t count;
    const gsp_node *inputs = gsp_node_inputs(&w->g, stage, &count);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        gsp_node const u = inputs[i];
        gsp_node grad = gspi_put_getitem(w->b, call, i);
        gsp_build_like(w->b, &w->g, u, 0);
        if (w->grad_of[u] != GSP_NONE && gsp_node_op(&w->g, u) != GSP_OP_PLACEHOLDER) {
            gsp_string const name = gsp_build_name(w->b, gsp_text_of("_null_coalesce_accumulate"));
            gsp_node const sum = gsp_build_node_id(w->b, GSP_OP_CALL_FUNCTION, name, w->accumulate);
            gspi_put_arg(w->b, GSP_ARG_NODE, w->grad_of[u]);
            gspi_put_arg(w->b, GSP_ARG_NODE, grad);
            gsp_build_like(w->b, &w->g, u, 0);
            grad = sum;
        }
        w->grad_of[u] = grad;
        w->live[u] = 1u;
    }
}

static void gspi_backward_stages(gspi_backward *w)
{
    uint32_t stage;
    gspi_set(w->grad_of, 0xFF, w->g.n_nodes, sizeof(gsp_node));
    gspi_set(w->live, 0, w->g.n_nodes, 1u);
    w->live[w->loss] = 1u;
    w->stage_backward = gsp_build_string(w->b, gsp_text_of(GSP_BACKWARD_STAGE));
    w->accumulate = gsp_build_string(w->b, gsp_text_of(GSP_BACKWARD_ADD));
    for (stage = w->p->n_stages; stage > 0u; stage--) {
        gsp_node const node = w->p->call[stage - 1u];
        gsp_node first;
        uint32_t const count = gspi_backward_values(w, node, &first);
        uint32_t i;
        w->call[stage - 1u] = GSP_NONE;
        for (i = 0u; i < count && !w->live[first + i]; i++) {
        }
        if (i < count) {
            w->call[stage - 1u] = gspi_backward_call(w, node);
            gspi_backward_inputs(w, node, w->call[stage - 1u]);
        }
    }
}

static gsp_status gspi_backward_write(gspi_backward *w)
{
    uint32_t id;
    gsp_node v;
    gsp_build_adopt(w->b, w->g.module);
    gsp_build_graph(w->b, gspi_slice("", 0u, 0u));
    for (v = 0u; v + 1u < w->g.n_nodes; v++) {
        gspi_copy_whole(w->b, &w->g, v);
    }
    gspi_backward_stages(w);
    gspi_copy_whole(w->b, &w->g, w->g.n_nodes - 1u);
    for (id = 1u; id < w->g.module->counts.graphs; id++) {
        gsp_graph const child = gsp_module_graph(w->g.module, id);
        gspi_copy_graph(w->b, &child);
    }
    return gsp_build_finish(w->b, w->made, NULL);
}

GSPI_OWN_FRAME gsp_status gspi_backward_make(gspi_backward *w, gsp_arena *arena,
                                             const gsp_counts *made, gsp_error *err)
{
    GSPI_TRY(gspi_backward_loss(w, err));
    (void)gsp_build_init(w->b, arena, made, NULL);
    if (gspi_backward_write(w) != GSP_OK) {
        return gspi_fail(err, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS); /* nothing else gets here */
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_backward_run(gsp_arena *arena, const gsp_pipe_result *pipe,
                                    const gsp_backward_desc *desc, gsp_backward_result *result,
                                    gsp_error *err)
{
    gsp_backward_desc d = {0u, 0u, 0u, {NULL, 0u}, 0u};
    gspi_bump b = gspi_bump_over(arena);
    gspi_backward w;
    gsp_counts root;
    gsp_counts made;
    gsp_mark mark;
    gsp_status status;
    if (arena == NULL || pipe == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc != NULL) {
        d = *desc;
    }
    if (d.start_canary != 0u || d.end_canary != 0u || d.loss >= (uint32_t)GSP_LOSS_COUNT) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    w.g = gsp_module_graph(&pipe->module, 0u);
    w.p = pipe;
    w.d = &d;
    root = gsp_graph_counts(&w.g);
    GSPI_TRY(gspi_room(arena, gsp_backward_bound(&pipe->module.counts, &root), err));
    made = gspi_backward_counts(&pipe->module.counts, &root);
    mark = gsp_arena_mark(arena);
    gspi_backward_layout(&b, &w, &root);
    status = gspi_backward_make(&w, arena, &made, err);
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return status;
    }
    result->module = *w.made;
    result->n_stages = pipe->n_stages;
    result->loss = w.loss;
    result->call = w.call;
    result->grad_of = w.grad_of;
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>move   Stages on devices of their own, and alone                              (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

/* Devices are told apart by their text: a device is the number of the first entry that names it,
 * n_devices is none. A child graph belongs to the device of the first stage that uses it; for every
 * further device it is written once more, behind all other graphs. */

typedef struct gspi_move {
    const gsp_module *m;
    const gsp_move_desc *d;
    gsp_builder *b;
    gsp_module *made;
    gspi_texts texts;     /* [n_devices] */
    uint32_t *first;      /* [n_devices] first entry of the same device */
    uint32_t *device_of;  /* [graphs] of a graph */
    uint8_t *seen;        /* [(n_devices + 1) * graphs] a device needs a child graph */
    gsp_string *name;     /* [(n_devices + 1) * graphs] its name for a device, GSP_KEY_NONE: its
                           * own */
    uint32_t *list;       /* [graphs] */
    gsp_string *spelling; /* [n_devices] */
    uint8_t *taken;       /* [strings of the result] name of a graph */
    char *text;           /* [bytes + 32] a name in the making */
} gspi_move;

/* Rows of graphs by device: none without child graphs. */
static uint32_t gspi_move_rows(const gsp_counts *c, const gsp_move_desc *d)
{
    return c->graphs > gspi_count_add(d->n_stages, 1u) ? gspi_count_add(d->n_devices, 1u) : 0u;
}

static void gspi_move_layout(gspi_bump *b, gspi_move *w, const gsp_counts *c,
                             const gsp_counts *made, const gsp_move_desc *d)
{
    uint32_t const rows = gspi_move_rows(c, d);
    size_t const cells = gspi_mul_add(rows, c->graphs, 0u);
    gspi_texts_layout(b, &w->texts, d->n_devices);
    w->b = GSPI_HIGH(b, gsp_builder, 1u);
    w->made = GSPI_HIGH(b, gsp_module, 1u);
    w->first = GSPI_HIGH(b, uint32_t, d->n_devices);
    w->device_of = GSPI_HIGH(b, uint32_t, c->graphs);
    w->seen = GSPI_HIGH(b, uint8_t, cells);
    w->name = GSPI_HIGH(b, gsp_string, cells);
    w->list = GSPI_HIGH(b, uint32_t, c->graphs);
    w->spelling = GSPI_HIGH(b, gsp_string, d->n_devices);
    w->taken = GSPI_HIGH(b, uint8_t, rows > 0u ? made->strings : 0u);
    w->text = GSPI_HIGH(b, char, rows > 0u ? (size_t)c->bytes + 32u : 0u);
}

/* Every graph once, every child graph once more a device. */
GSPI_OWN_FRAME gsp_counts gspi_move_counts(const gsp_counts *c, const gsp_move_desc *d)
{
    uint32_t const rows = gspi_move_rows(c, d);
    uint32_t const copies = gspi_count_add(rows, 1u);
    gsp_counts r;
    uint32_t i;
    r.graphs = gspi_count_mul(c->graphs, copies);
    r.nodes = gspi_count_mul(c->nodes, copies);
    r.args = gspi_count_mul(c->args, copies);
    r.edges = r.args;
    r.attrs = c->attrs;
    r.strings = gspi_count_add(c->strings, gspi_count_mul(c->graphs, rows));
    r.strings = gspi_count_add(r.strings, gspi_count_add(d->n_devices, 1u));
    r.bytes = gspi_count_mul(gspi_count_add(c->bytes, gspi_count_mul(c->graphs, 11u)), copies);
    for (i = 0u; d->devices != NULL && i < d->n_devices; i++) {
        r.bytes = gspi_count_add(r.bytes, d->devices[i].device.size);
    }
    return r;
}

GSP_API size_t gsp_move_bound(const gsp_counts *counts, const gsp_move_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_counts const made = gspi_move_counts(counts, desc);
    gspi_move w;
    if (desc->n_devices >= GSPI_TEXTS_LIMIT) {
        return SIZE_MAX;
    }
    gspi_move_layout(&b, &w, counts, &made, desc);
    return gspi_add(gspi_add(b.used, GSPI_SLACK), gsp_build_bound(&made));
}

/* 1 when a text reads back as one argument that is no node. */
static int gspi_move_is_device(gsp_text t)
{
    uint32_t i;
    for (i = 0u; i < t.size && t.data[i] != '%'; i++) {
    }
    return i == t.size && gspi_trim(t).size == t.size && t.size > 0u && gspi_is_constant(t);
}

static gsp_status gspi_move_check(const gsp_module *m, const gsp_move_desc *d, gsp_error *err)
{
    uint32_t i;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (d->devices == NULL && d->n_devices != 0u) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (d->n_stages >= m->counts.graphs) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE_INDEX);
    }
    for (i = 0u; i < d->n_devices; i++) {
        if (d->devices[i].stage >= d->n_stages) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE_INDEX, i, GSP_NONE);
        }
        if (!gspi_move_is_device(d->devices[i].device)) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_DEVICE, i, GSP_NONE);
        }
    }
    return GSP_OK;
}

/* The device of every stage. */
static void gspi_move_devices(const gspi_move *w)
{
    uint32_t i;
    gspi_texts_clear(&w->texts);
    for (i = 0u; i < w->m->counts.graphs; i++) {
        w->device_of[i] = w->d->n_devices;
    }
    for (i = 0u; i < w->d->n_devices; i++) {
        gsp_text const device = w->d->devices[i].device;
        gspi_texts_add(&w->texts, i, device);
        w->first[i] = w->texts.same[i] == GSP_NONE ? i : w->first[w->texts.same[i]];
        w->spelling[i] = gsp_build_string(w->b, device);
        w->device_of[1u + w->d->devices[i].stage] = w->first[i];
    }
}

/* The cell of a child graph for a device. */
static size_t gspi_move_cell(const gspi_move *w, uint32_t device, uint32_t graph)
{
    return (size_t)device * w->m->counts.graphs + graph;
}

/* A name that no graph has: NAME_1, NAME_2, ... */
static gsp_string gspi_move_name(const gspi_move *w, uint32_t graph)
{
    gsp_text const t = gspi_string(w->m, w->m->graphs[graph].name);
    uint32_t number = 0u;
    gsp_string s = w->m->graphs[graph].name;
    gspi_copy(w->text, t.data, t.size, 1u);
    w->text[t.size] = '_';
    while (w->taken[s] && w->b->error.status == GSP_OK) {
        uint32_t const size = t.size + 1u + gspi_decimal(++number, w->text + t.size + 1u);
        s = gsp_build_string(w->b, gspi_slice(w->text, 0u, size));
    }
    w->taken[s] = 1u;
    return s;
}

/* What a stage uses belongs to its device, or is named anew for it. */
static void gspi_move_claim(const gspi_move *w, uint32_t stage)
{
    uint32_t const device = w->device_of[1u + stage];
    gsp_graph const g = gsp_module_graph(w->m, 1u + stage);
    uint32_t n = 0u;
    uint32_t i;
    gsp_node v;
    for (v = 0u; v < g.n_nodes; v++) {
        gspi_reach_add(gspi_child_of(&g, v), w->seen + gspi_move_cell(w, device, 0u), w->list, &n);
    }
    gspi_reach_all(w->m, w->seen + gspi_move_cell(w, device, 0u), w->list, &n);
    for (i = 0u; i < n; i++) {
        uint32_t const id = w->list[i];
        int const unclaimed = w->device_of[id] == GSP_NONE;
        w->device_of[id] = unclaimed ? device : w->device_of[id];
        w->name[gspi_move_cell(w, device, id)] =
            unclaimed ? (gsp_string)GSP_KEY_NONE : gspi_move_name(w, id);
    }
}

static void gspi_move_children(const gspi_move *w)
{
    uint32_t const rows = gspi_move_rows(&w->m->counts, w->d);
    size_t const cells = gspi_mul_add(rows, w->m->counts.graphs, 0u);
    uint32_t i;
    if (rows == 0u) {
        return;
    }
    gspi_set(w->seen, 0, cells, 1u);
    gspi_set(w->name, 0, cells, sizeof(gsp_string));
    gspi_set(w->taken, 0, w->b->cap.strings, 1u);
    for (i = 0u; i < w->m->counts.graphs; i++) {
        w->taken[w->m->graphs[i].name] = 1u;
        w->device_of[i] = i > w->d->n_stages ? GSP_NONE : w->device_of[i];
    }
    for (i = 0u; i < w->d->n_stages; i++) {
        gspi_move_claim(w, i);
    }
    for (i = w->d->n_stages + 1u; i < w->m->counts.graphs; i++) {
        w->device_of[i] = w->device_of[i] == GSP_NONE ? w->d->n_devices : w->device_of[i];
    }
}

/* Arguments of a function call, `device` replaced. */
static void gspi_move_args(const gspi_move *w, const gsp_arg *args, uint32_t count, uint32_t device)
{
    uint32_t depth = 0u;
    uint32_t i;
    for (i = 0u; i < count; i++) {
        gsp_build_arg(w->b, args[i]);
        if (args[i].kind == (uint32_t)GSP_ARG_CLOSE) {
            depth--;
        } else if (args[i].kind >= (uint32_t)GSP_ARG_TUPLE) {
            depth++;
        } else if (args[i].kind == (uint32_t)GSP_ARG_KEY && depth == 0u &&
                   args[i].value == (uint32_t)GSP_KEY_DEVICE) {
            gspi_put_arg(w->b, GSP_ARG_CONSTANT, w->spelling[device]);
            i = gspi_element_end(args, i + 1u) - 1u;
        }
    }
}

/* A graph for a device: its child graphs by the names that they have for it. */
static void gspi_move_graph(const gspi_move *w, uint32_t id, uint32_t device, gsp_string name)
{
    gsp_graph const g = gsp_module_graph(w->m, id);
    gsp_node v;
    gsp_build_graph(w->b, gspi_build_text(w->b, name));
    for (v = 0u; v + 1u < g.n_nodes; v++) {
        gsp_op const op = gsp_node_op(&g, v);
        uint32_t const child = gspi_child_of(&g, v);
        size_t const cell = child > w->d->n_stages && child != GSP_NONE
                                ? gspi_move_cell(w, device, child)
                                : SIZE_MAX;
        uint32_t count;
        const gsp_arg *args = gsp_node_args(&g, v, &count);
        (void)gspi_copy_node(w->b, &g, op, v,
                             cell != SIZE_MAX && w->name[cell] != (gsp_string)GSP_KEY_NONE
                                 ? w->name[cell]
                                 : w->m->target[g.first + v]);
        if (op == GSP_OP_CALL_FUNCTION && device < w->d->n_devices) {
            gspi_move_args(w, args, count, device);
        } else {
            gspi_copy_args(w->b, args, count);
        }
    }
    gspi_copy_whole(w->b, &g, v);
}

GSPI_OWN_FRAME gsp_status gspi_move_write(const gspi_move *w)
{
    uint32_t const rows = gspi_move_rows(&w->m->counts, w->d);
    uint32_t device;
    uint32_t id;
    gsp_build_adopt(w->b, w->m);
    gspi_move_devices(w);
    gspi_move_children(w);
    for (id = 0u; id < w->m->counts.graphs; id++) {
        gspi_move_graph(w, id, w->device_of[id], w->m->graphs[id].name);
    }
    for (device = 0u; device < rows; device++) {
        for (id = w->d->n_stages + 1u; id < w->m->counts.graphs; id++) {
            gsp_string const name = w->name[gspi_move_cell(w, device, id)];
            if (name != (gsp_string)GSP_KEY_NONE) {
                gspi_move_graph(w, id, device, name);
            }
        }
    }
    return gsp_build_finish(w->b, w->made, NULL);
}

GSP_API gsp_status gsp_move_run(gsp_arena *arena, const gsp_module *input,
                                const gsp_move_desc *desc, gsp_module *result, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gsp_counts made;
    gspi_move w;
    gsp_mark mark;
    if (arena == NULL || input == NULL || desc == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    GSPI_TRY(gspi_move_check(input, desc, err));
    GSPI_TRY(gspi_room(arena, gsp_move_bound(&input->counts, desc), err));
    made = gspi_move_counts(&input->counts, desc);
    mark = gsp_arena_mark(arena);
    w.m = input;
    w.d = desc;
    gspi_move_layout(&b, &w, &input->counts, &made, desc);
    (void)gsp_build_init(w.b, arena, &made, NULL);
    if (gspi_move_write(&w) != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return gspi_fail(err, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS); /* nothing else gets here */
    }
    *result = *w.made;
    arena->high = mark.high;
    return gspi_done(err);
}

/* ---- alone ---- */

typedef struct gspi_alone {
    gsp_builder *b;
    uint8_t *seen;  /* [graphs] */
    uint32_t *list; /* [graphs] */
} gspi_alone;

static void gspi_alone_layout(gspi_bump *b, gspi_alone *w, uint32_t n_graphs)
{
    w->b = GSPI_HIGH(b, gsp_builder, 1u);
    w->seen = GSPI_HIGH(b, uint8_t, n_graphs);
    w->list = GSPI_HIGH(b, uint32_t, n_graphs);
}

/* The edges of the builder are tokens. */
static gsp_counts gspi_alone_counts(const gsp_counts *c)
{
    gsp_counts r = *c;
    r.edges = r.args;
    return r;
}

GSP_API size_t gsp_alone_bound(const gsp_counts *counts)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_counts const made = gspi_alone_counts(counts);
    gspi_alone w;
    gspi_alone_layout(&b, &w, counts->graphs);
    return gspi_add(gspi_add(b.used, GSPI_SLACK), gsp_build_bound(&made));
}

GSPI_OWN_FRAME gsp_status gspi_alone_write(const gspi_alone *w, const gsp_module *m, uint32_t graph,
                                           gsp_module *made)
{
    gsp_graph g = gsp_module_graph(m, graph);
    uint32_t n = 0u;
    uint32_t i;
    gsp_build_adopt(w->b, m);
    gsp_build_graph(w->b, gspi_slice("", 0u, 0u));
    gspi_set(w->seen, 0, m->counts.graphs, 1u);
    for (i = 0u; i < g.n_nodes; i++) {
        gspi_copy_whole(w->b, &g, i);
        gspi_reach_add(gspi_child_of(&g, i), w->seen, w->list, &n);
    }
    gspi_reach_all(m, w->seen, w->list, &n);
    for (i = 0u; i < m->counts.graphs; i++) {
        if (w->seen[i]) {
            g = gsp_module_graph(m, i);
            gspi_copy_graph(w->b, &g);
        }
    }
    return gsp_build_finish(w->b, made, NULL);
}

GSP_API gsp_status gsp_alone_run(gsp_arena *arena, const gsp_module *input, uint32_t graph,
                                 gsp_module *result, gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_alone w;
    gsp_counts made;
    gsp_module module;
    gsp_mark mark;
    if (arena == NULL || input == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (graph >= input->counts.graphs) {
        return gspi_fail_amount(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE_INDEX, graph,
                                input->counts.graphs);
    }
    GSPI_TRY(gspi_room(arena, gsp_alone_bound(&input->counts), err));
    made = gspi_alone_counts(&input->counts);
    mark = gsp_arena_mark(arena);
    gspi_alone_layout(&b, &w, input->counts.graphs);
    (void)gsp_build_init(w.b, arena, &made, NULL);
    if (gspi_alone_write(&w, input, graph, &module) != GSP_OK) {
        gsp_arena_rewind(arena, mark);
        return gspi_fail(err, GSP_STATUS_DAMAGED, GSP_DETAIL_ROWS); /* nothing else gets here */
    }
    *result = module;
    arena->high = mark.high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>schedule   The order of work of a pipeline                                    (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_PIPE

/* The order of a device is a formula: its n-th forward and its n-th backward task, and which of the
 * two comes next. Times follow from a work list of devices: one that has something to do does as
 * much as it can, and every task that it ends wakes the devices that wait for it. */

typedef struct gspi_schedule_ws {
    gsp_task *tasks;
    uint32_t *task_begin;
    uint64_t *busy;
    uint64_t *peak;
    uint32_t *held;
    uint64_t *end[2];    /* [stages * microbatches] of forward and backward; UINT64_MAX: not yet */
    uint32_t *kept;      /* [stages] microbatches that it keeps now */
    uint32_t *done;      /* [devices] tasks */
    uint32_t *waiting;   /* [devices] work list */
    uint8_t *is_waiting; /* [devices] */
    uint32_t n_waiting;
    uint32_t n_stages;
    uint32_t rounds; /* INTERLEAVED: microbatches go in so many rounds, */
    uint32_t round;  /* each of so many, */
    uint32_t longer; /* the first of them of one more */
} gspi_schedule_ws;

static void gspi_schedule_layout(gspi_bump *b, gspi_schedule_ws *ws, const gsp_schedule_desc *d)
{
    size_t const devices = d->n_devices;
    size_t const stages = gspi_mul_add(devices, d->n_chunks, 0u);
    size_t const pairs = gspi_mul_add(stages, d->n_microbatches, 0u);
    size_t const tasks = d->inference ? pairs : gspi_mul_add(pairs, 2u, 0u);
    ws->tasks = GSPI_LOW(b, gsp_task, tasks < UINT32_MAX ? tasks : SIZE_MAX);
    ws->task_begin = GSPI_LOW(b, uint32_t, devices + 1u);
    ws->busy = GSPI_LOW(b, uint64_t, devices);
    ws->peak = GSPI_LOW(b, uint64_t, devices);
    ws->held = GSPI_LOW(b, uint32_t, stages);
    ws->end[0] = GSPI_HIGH(b, uint64_t, pairs);
    ws->end[1] = GSPI_HIGH(b, uint64_t, d->inference ? 0u : pairs);
    ws->kept = GSPI_HIGH(b, uint32_t, stages);
    ws->done = GSPI_HIGH(b, uint32_t, devices);
    ws->waiting = GSPI_HIGH(b, uint32_t, devices);
    ws->is_waiting = GSPI_HIGH(b, uint8_t, devices);
    ws->n_waiting = 0u;
    ws->n_stages = (uint32_t)stages;
    ws->rounds = d->n_microbatches > d->n_devices ? d->n_microbatches / d->n_devices : 1u;
    ws->round = d->n_microbatches / ws->rounds;
    ws->longer = d->n_microbatches % ws->rounds;
}

GSP_API gsp_schedule_desc gsp_schedule_resolve(const gsp_schedule_desc *desc)
{
    gsp_schedule_desc d = {0u, 0u, 0u, 0u, 0u, 0u, NULL, NULL, NULL, NULL, NULL, 0u};
    if (desc != NULL) {
        d = *desc;
    }
    d.n_devices = d.n_devices == 0u ? 1u : d.n_devices;
    d.n_microbatches = d.n_microbatches == 0u ? 1u : d.n_microbatches;
    if (d.n_chunks == 0u) {
        d.n_chunks = d.kind == (uint32_t)GSP_SCHEDULE_INTERLEAVED ? 2u : 1u;
    }
    return d;
}

GSP_API size_t gsp_schedule_bound(const gsp_schedule_desc *desc)
{
    gsp_schedule_desc const d = gsp_schedule_resolve(desc);
    gspi_bump b = gspi_bump_over(NULL);
    gspi_schedule_ws ws;
    gspi_schedule_layout(&b, &ws, &d);
    return gspi_add(b.used, GSPI_SLACK);
}

/* ---- orders ---- */

/* The n-th forward or backward task of a device. */
static void gspi_schedule_nth(const gspi_schedule_ws *ws, const gsp_schedule_desc *d, uint32_t n,
                              gsp_task *t)
{
    uint64_t const head = (uint64_t)ws->longer * (ws->round + 1u); /* microbatches of the longer */
    uint64_t const at =
        n / d->n_chunks; /* microbatches that are through before the round, or in it */
    uint32_t const size = at < head ? ws->round + 1u : ws->round;
    uint64_t const first = at < head ? at - at % size : head + (at - head) - (at - head) % size;
    uint32_t const inside = (uint32_t)(n - first * d->n_chunks);
    uint32_t const chunk = inside / size;
    t->microbatch = (uint32_t)first + inside % size;
    t->stage = t->device + d->n_devices * (t->backward ? d->n_chunks - 1u - chunk : chunk);
}

/* Forward tasks before the first backward one. */
static uint32_t gspi_schedule_ahead(const gspi_schedule_ws *ws, const gsp_schedule_desc *d,
                                    uint32_t device)
{
    uint64_t const all = (uint64_t)d->n_chunks * d->n_microbatches;
    uint64_t const behind = d->n_devices - 1u - device;
    uint64_t ahead = behind;
    if (d->inference || d->kind == (uint32_t)GSP_SCHEDULE_GPIPE) {
        return (uint32_t)all;
    }
    if (d->n_chunks > 1u) {
        ahead = 2u * behind + (d->n_chunks - 1u) * ((uint64_t)ws->round + (ws->longer ? 1u : 0u));
    }
    return ahead < all ? (uint32_t)ahead : (uint32_t)all;
}

/* Task number i of a device: forward ones ahead, then forward and backward in turn, then backward
 * ones. */
static gsp_task gspi_schedule_task(const gspi_schedule_ws *ws, const gsp_schedule_desc *d,
                                   uint32_t device, uint32_t i)
{
    gsp_task t = {0u, 0u, 0u, 0u, 0u, 0u};
    uint32_t const all = d->n_chunks * d->n_microbatches;
    uint32_t const ahead = gspi_schedule_ahead(ws, d, device);
    uint32_t const pairs = all - ahead;
    uint32_t n = i;
    t.device = device;
    if (i >= ahead && i < ahead + 2u * pairs) {
        t.backward = (i - ahead) % 2u;
        n = t.backward ? (i - ahead) / 2u : ahead + (i - ahead) / 2u;
    } else if (i >= ahead) {
        t.backward = 1u;
        n = i - all;
    }
    gspi_schedule_nth(ws, d, n, &t);
    return t;
}

/* ---- times ---- */

static uint64_t gspi_schedule_ticks(const gsp_schedule_desc *d, const gsp_task *t)
{
    uint64_t const forward = d->forward == NULL ? 1u : d->forward[t->stage];
    if (!t->backward) {
        return forward;
    }
    return d->backward == NULL ? 2u * forward : d->backward[t->stage];
}

/* When what a task reads is there; UINT64_MAX: not yet known. */
static uint64_t gspi_schedule_ready(const gspi_schedule_ws *ws, const gsp_schedule_desc *d,
                                    const gsp_task *t)
{
    size_t const at = (size_t)t->stage * d->n_microbatches + t->microbatch;
    int const alone = t->backward ? t->stage + 1u == ws->n_stages : t->stage == 0u;
    uint32_t const s = t->backward ? t->stage : t->stage - 1u; /* the way begins or ends there */
    uint64_t const own = t->backward ? ws->end[0][at] : 0u;
    uint64_t other = 0u;
    if (!alone) {
        other =
            t->backward ? ws->end[1][at + d->n_microbatches] : ws->end[0][at - d->n_microbatches];
        other = other == UINT64_MAX ? other : other + gspi_cost(d->move, s);
    }
    return own > other ? own : other;
}

static void gspi_schedule_wake(gspi_schedule_ws *ws, uint32_t device)
{
    if (!ws->is_waiting[device]) {
        ws->is_waiting[device] = 1u;
        ws->waiting[ws->n_waiting++] = device;
    }
}

/* One device does what it can. */
static void gspi_schedule_device(gspi_schedule_ws *ws, const gsp_schedule_desc *d, uint32_t device)
{
    uint32_t const first = ws->task_begin[device];
    uint32_t const last = ws->task_begin[device + 1u];
    uint32_t i;
    for (i = first + ws->done[device]; i < last; i++) {
        gsp_task t = gspi_schedule_task(ws, d, device, i - first);
        uint64_t const free_at = i == first ? 0u : ws->tasks[i - 1u].end;
        t.begin = gspi_schedule_ready(ws, d, &t);
        if (t.begin == UINT64_MAX) {
            break;
        }
        t.begin = free_at > t.begin ? free_at : t.begin;
        t.end = t.begin + gspi_schedule_ticks(d, &t);
        ws->tasks[i] = t;
        ws->busy[device] += t.end - t.begin;
        ws->end[t.backward][(size_t)t.stage * d->n_microbatches + t.microbatch] = t.end;
        gspi_schedule_wake(ws, (t.stage + (t.backward ? ws->n_stages - 1u : 1u)) % d->n_devices);
    }
    ws->done[device] = i - first;
}

GSPI_OWN_FRAME void gspi_schedule_times(gspi_schedule_ws *ws, const gsp_schedule_desc *d)
{
    uint32_t const each = d->n_chunks * d->n_microbatches * (d->inference ? 1u : 2u);
    size_t const pairs = (size_t)ws->n_stages * d->n_microbatches;
    uint32_t k;
    gspi_set(ws->end[0], 0xFF, pairs, sizeof(uint64_t));
    gspi_set(ws->end[1], 0xFF, d->inference ? 0u : pairs, sizeof(uint64_t));
    gspi_set(ws->busy, 0, d->n_devices, sizeof(uint64_t));
    gspi_set(ws->done, 0, d->n_devices, sizeof(uint32_t));
    gspi_set(ws->is_waiting, 0, d->n_devices, 1u);
    for (k = 0u; k <= d->n_devices; k++) {
        ws->task_begin[k] = k * each;
    }
    for (k = d->n_devices; k > 0u; k--) {
        gspi_schedule_wake(ws, k - 1u);
    }
    while (ws->n_waiting > 0u) {
        uint32_t const device = ws->waiting[--ws->n_waiting];
        ws->is_waiting[device] = 0u;
        gspi_schedule_device(ws, d, device);
    }
}

/* ---- results ---- */

/* Bytes over time. A stage keeps a microbatch from the start of its forward task to the end of its
 * backward task; in inference during the one task. */
static void gspi_schedule_bytes(gspi_schedule_ws *ws, const gsp_schedule_desc *d, uint32_t device)
{
    uint64_t bytes = 0u;
    uint32_t s;
    uint32_t i;
    for (s = device; s < ws->n_stages; s += d->n_devices) {
        bytes += gspi_cost(d->resident, s);
        ws->held[s] = 0u;
        ws->kept[s] = 0u;
    }
    ws->peak[device] = bytes;
    for (i = ws->task_begin[device]; i < ws->task_begin[device + 1u]; i++) {
        uint64_t const stash = gspi_cost(d->stash, ws->tasks[i].stage);
        s = ws->tasks[i].stage;
        if (!ws->tasks[i].backward) {
            bytes += stash;
            ws->kept[s]++;
            ws->held[s] = ws->kept[s] > ws->held[s] ? ws->kept[s] : ws->held[s];
            ws->peak[device] = bytes > ws->peak[device] ? bytes : ws->peak[device];
        }
        if (ws->tasks[i].backward || d->inference) {
            bytes -= stash;
            ws->kept[s]--;
        }
    }
}

/* part / whole in millionths, rounded half up, by long division. */
static uint32_t gspi_schedule_share(uint64_t part, uint64_t whole)
{
    uint32_t share = 0u;
    uint32_t i;
    if (part >= whole) {
        return whole == 0u ? 0u : 1000000u;
    }
    for (i = 0u; i < 6u; i++) {
        uint32_t digit = 0u;
        uint64_t rest = part;
        uint32_t k;
        part = 0u; /* ten times the rest, less the digit's part of it */
        for (k = 0u; k < 10u; k++) {
            digit += part >= whole - rest ? 1u : 0u;
            part = part >= whole - rest ? part - (whole - rest) : part + rest;
        }
        share = 10u * share + digit;
    }
    return share + (part >= whole - part ? 1u : 0u);
}

GSPI_OWN_FRAME void gspi_schedule_commit(gspi_schedule_ws *ws, const gsp_schedule_desc *d,
                                         gsp_schedule_result *r)
{
    uint64_t span = 0u;
    uint64_t idle = 0u;
    uint32_t k;
    for (k = 0u; k < d->n_devices; k++) {
        uint64_t const end = ws->tasks[ws->task_begin[k + 1u] - 1u].end;
        span = end > span ? end : span;
        gspi_schedule_bytes(ws, d, k);
    }
    for (k = 0u; k < d->n_devices; k++) {
        idle += span - ws->busy[k];
    }
    r->n_devices = d->n_devices;
    r->n_stages = ws->n_stages;
    r->n_tasks = ws->task_begin[d->n_devices];
    r->bubble = gspi_schedule_share(idle, span * d->n_devices);
    r->span = span;
    r->task_begin = ws->task_begin;
    r->tasks = ws->tasks;
    r->busy = ws->busy;
    r->peak = ws->peak;
    r->held = ws->held;
}

/* All ticks one after the other, on every device, fit into 63 bits; so do all bytes. */
static gsp_status gspi_schedule_sizes(const gsp_schedule_desc *d, gsp_error *err)
{
    uint32_t const stages = d->n_devices * d->n_chunks;
    uint64_t ticks = 0u;
    uint64_t bytes = 0u;
    uint32_t s;
    for (s = 0u; s < stages; s++) {
        uint64_t const forward = d->forward == NULL ? 1u : d->forward[s];
        uint64_t const backward = d->backward == NULL ? gspi_times(forward, 2u) : d->backward[s];
        ticks = gspi_sum(ticks, gspi_sum(forward, backward));
        ticks = gspi_sum(ticks, gspi_times(gspi_cost(d->move, s), 2u));
        bytes = gspi_sum(bytes, gspi_times(gspi_cost(d->stash, s), d->n_microbatches));
        bytes = gspi_sum(bytes, gspi_cost(d->resident, s));
    }
    ticks = gspi_times(gspi_times(ticks, d->n_microbatches), d->n_devices);
    if (ticks > UINT64_MAX / 2u || bytes > UINT64_MAX / 2u) {
        return gspi_fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE);
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_schedule_run(gsp_arena *arena, const gsp_schedule_desc *desc,
                                    gsp_schedule_result *result, gsp_error *err)
{
    gsp_schedule_desc const d = gsp_schedule_resolve(desc);
    gspi_bump b = gspi_bump_over(arena);
    gspi_schedule_ws ws;
    size_t high;
    if (arena == NULL || result == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (d.start_canary != 0u || d.end_canary != 0u || d.kind >= (uint32_t)GSP_SCHEDULE_COUNT ||
        (d.n_chunks > 1u && d.kind != (uint32_t)GSP_SCHEDULE_INTERLEAVED)) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    GSPI_TRY(gspi_room(arena, gsp_schedule_bound(&d), err));
    GSPI_TRY(gspi_schedule_sizes(&d, err));
    high = arena->high;
    gspi_schedule_layout(&b, &ws, &d);
    gspi_schedule_times(&ws, &d);
    gspi_schedule_commit(&ws, &d, result);
    arena->high = high;
    return gspi_done(err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>draw   Pictures as Graphviz text                                              (implementation)
 * ---------------------------------------------------------------------------------------------- */
#ifndef GSP_NO_DRAW

/* Everything goes straight into the sink. Of a module only the tree of graphs is remembered: which
 * call stands for a graph that is called once. Walking down and up that tree needs no stack, since
 * every graph knows its call. */

/* ---- labels ---- */

#define GSPI_LABEL_BYTES 60u

/* Bytes of the UTF-8 character at `at`; 0: there is none. */
static uint32_t gspi_utf8(gsp_text t, uint32_t at)
{
    static const unsigned char least[] = {0x80u, 0xA0u, 0x90u}; /* of the second byte: E0, F0 */
    unsigned char const c = (unsigned char)t.data[at];
    uint32_t const size = c < 0x80u ? 1u : c < 0xC2u ? 0u : c < 0xE0u ? 2u : c < 0xF0u ? 3u : 4u;
    uint32_t i;
    if (size == 0u || c > 0xF4u || size > t.size - at) {
        return 0u;
    }
    for (i = 1u; i < size; i++) {
        unsigned char const d = (unsigned char)t.data[at + i];
        unsigned char const low = i > 1u ? 0x80u : least[c == 0xE0u ? 1 : c == 0xF0u ? 2 : 0];
        unsigned char const top = i > 1u ? 0xBFu : c == 0xEDu ? 0x9Fu : c == 0xF4u ? 0x8Fu : 0xBFu;
        if (d < low || d > top) {
            return 0u;
        }
    }
    return size;
}

/* Inside of a quoted label: quotes and backslashes escaped, what is no text as '?', and no longer
 * than people read. */
static void gspi_draw_label(gspi_writer *w, gsp_text t)
{
    uint32_t i = 0u;
    while (i < t.size && i < GSPI_LABEL_BYTES) {
        uint32_t const size = gspi_utf8(t, i);
        unsigned char const c = (unsigned char)t.data[i];
        if (c == '"' || c == '\\') {
            gspi_puts(w, "\\");
        }
        if (size == 0u || c < 0x20u || c == 0x7Fu) {
            gspi_puts(w, "?");
        } else {
            gspi_put(w, gspi_slice(t.data, i, i + size));
        }
        i += size == 0u ? 1u : size;
    }
    gspi_puts(w, i < t.size ? "..." : "");
}

/* "1.5 MiB": to one decimal, rounded down. */
static void gspi_draw_bytes(gspi_writer *w, uint64_t bytes)
{
    static const char units[] = "BKMGTPE";
    char digits[20];
    uint32_t unit = 0u;
    uint64_t rest = 0u;
    while (bytes >= 1024u) {
        rest = bytes % 1024u;
        bytes /= 1024u;
        unit++;
    }
    gspi_put(w, gspi_slice(digits, 0u, gspi_decimal(bytes, digits)));
    if (unit > 0u) {
        gspi_puts(w, ".");
        gspi_put_number(w, (uint32_t)(rest * 10u / 1024u));
        gspi_puts(w, " ");
        gspi_put(w, gspi_slice(units, unit, unit + 1u));
        gspi_puts(w, "iB");
    } else {
        gspi_puts(w, " B");
    }
}

/* ---- nodes and frames ---- */

GSP_API const char *gsp_draw_fill(uint32_t kind)
{
    switch (kind) {
    case 0u:
        return "#fdebc8";
    case 1u:
        return "#cfeccf";
    case 2u:
        return "#cfe6f7";
    case 3u:
        return "#ead5f5";
    case GSP_KIND_NONE:
        return "#eeeeee";
    default:
        return "#d8dcf0";
    }
}

static void gspi_draw_head(gspi_writer *w, const char *title, const char *attributes)
{
    gspi_puts(w, "digraph graphsplit {\n    graph [compound=true, ");
    gspi_puts(w, attributes == NULL ? "" : attributes);
    gspi_puts(w, "fontname=\"Helvetica\", labelloc=t, label=\"");
    gspi_draw_label(w, gsp_text_of(title));
    gspi_puts(w, "\"];\n"
                 "    node [shape=box, style=\"filled,rounded\", fillcolor=white, "
                 "color=\"#606060\", fontname=\"Helvetica\", fontsize=10];\n"
                 "    edge [color=\"#606060\", fontname=\"Helvetica\", fontsize=9];\n");
}

static void gspi_draw_id(gspi_writer *w, const gsp_graph *g, gsp_node v)
{
    gspi_puts(w, "g");
    gspi_put_number(w, g->id);
    gspi_puts(w, "n");
    gspi_put_number(w, v);
}

/* Bytes of parameters that a node reads, or has as a called module. */
static uint64_t gspi_draw_params(const gsp_graph *g, gsp_node v)
{
    uint32_t count;
    const gsp_node *inputs = gsp_node_inputs(g, v, &count);
    uint64_t bytes = gsp_node_params(g, v);
    uint32_t i;
    for (i = 0u; i < count; i++) {
        bytes += gsp_node_op(g, inputs[i]) == GSP_OP_GET_ATTR ? gsp_node_bytes(g, inputs[i]) : 0u;
    }
    return bytes;
}

/* A parameter is drawn only where the graph returns it. */
static int gspi_draw_has(const gsp_graph *g, gsp_node v)
{
    uint32_t count;
    const gsp_node *users = gsp_node_users(g, v, &count);
    return gsp_node_op(g, v) != GSP_OP_GET_ATTR ||
           (count != 0u && users[count - 1u] == g->n_nodes - 1u);
}

/* `fill`: a colour of Graphviz, NULL: that of all nodes. */
GSPI_OWN_FRAME void gspi_draw_node(gspi_writer *w, const gsp_graph *g, gsp_node v,
                                   const char *indent, const char *fill)
{
    int const callable = gsp_node_is_callable(g, v);
    gsp_text const type = gsp_node_type(g, v);
    uint64_t const params = callable ? gspi_draw_params(g, v) : 0u;
    gspi_puts(w, indent);
    gspi_draw_id(w, g, v);
    gspi_puts(w, " [label=\"");
    gspi_draw_label(w, gsp_node_name(g, v));
    if (callable) {
        gspi_puts(w, "\\n");
        gspi_draw_label(w, gsp_node_class(g, v));
    }
    if (type.size != 0u) {
        gspi_puts(w, "\\n");
        gspi_draw_label(w, type);
    }
    if (params != 0u) {
        gspi_puts(w, "\\nparameters ");
        gspi_draw_bytes(w, params);
    }
    gspi_puts(w, callable ? "\"" : "\", shape=oval");
    if (fill != NULL) {
        gspi_puts(w, ", fillcolor=");
        gspi_puts(w, fill);
    }
    gspi_puts(w, "];\n");
}

/* The head of a frame, its number and `title` given by the caller; "}" is to follow. */
static void gspi_draw_frame(gspi_writer *w, uint32_t number, gsp_text title, uint32_t n_nodes,
                            uint32_t kind)
{
    gspi_puts(w, "    subgraph cluster_");
    gspi_put_number(w, number);
    gspi_puts(w, " {\n        label=\"");
    gspi_draw_label(w, title);
    gspi_puts(w, ": ");
    gspi_put_number(w, n_nodes);
    gspi_puts(w, n_nodes == 1u ? " node" : " nodes");
    gspi_puts(w, "\"; labeljust=l; fontsize=11; style=\"filled,rounded\"; color=\"#808080\"; "
                 "fillcolor=\"");
    gspi_puts(w, gsp_draw_fill(kind));
    gspi_puts(w, "\";\n");
}

/* ---- one graph ---- */

static const char *gspi_draw_support(const gsp_graph *g, const uint8_t *kind, gsp_node v)
{
    if (kind == NULL) {
        return NULL;
    }
    return !gsp_node_is_callable(g, v) ? "AliceBlue"
           : kind[v] != GSP_KIND_CPU   ? "chartreuse1"
                                       : "\"crimson\", fontcolor=\"white\"";
}

static gsp_status gspi_draw_check(const gsp_graph *g, const gsp_draw_desc *d, gsp_error *err)
{
    uint32_t i;
    if (d->start_canary != 0u || d->end_canary != 0u) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    if (d->n_clusters == 0u) {
        return GSP_OK;
    }
    if (d->cluster_of == NULL || d->cluster_begin == NULL || d->cluster_nodes == NULL ||
        d->cluster_names == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    for (i = d->cluster_begin[0]; i < d->cluster_begin[d->n_clusters]; i++) {
        if (d->cluster_nodes[i] >= g->n_nodes) {
            return gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_RANGE, d->cluster_nodes[i],
                                GSP_NONE);
        }
    }
    return GSP_OK;
}

GSPI_OWN_FRAME void gspi_draw_frames(gspi_writer *w, const gsp_graph *g, const gsp_draw_desc *d)
{
    uint32_t s;
    for (s = 0u; s < d->n_clusters && !w->stopped; s++) {
        uint32_t i;
        gspi_draw_frame(w, s, d->cluster_names[s], d->cluster_begin[s + 1u] - d->cluster_begin[s],
                        d->cluster_kind == NULL ? GSP_KIND_NONE : d->cluster_kind[s]);
        for (i = d->cluster_begin[s]; i < d->cluster_begin[s + 1u]; i++) {
            gsp_node const v = d->cluster_nodes[i];
            gspi_draw_node(w, g, v, "        ", gspi_draw_support(g, d->kind, v));
        }
        gspi_puts(w, "    }\n");
    }
}

GSPI_OWN_FRAME void gspi_draw_edges(gspi_writer *w, const gsp_graph *g, const uint32_t *cluster_of)
{
    gsp_node v;
    for (v = 0u; v < g->n_nodes && !w->stopped; v++) {
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(g, v, &count);
        uint32_t i;
        for (i = 0u; i < count; i++) {
            gsp_node const u = inputs[i];
            if (gsp_node_op(g, u) == GSP_OP_GET_ATTR && gsp_node_op(g, v) != GSP_OP_OUTPUT) {
                continue;
            }
            gspi_puts(w, "    ");
            gspi_draw_id(w, g, u);
            gspi_puts(w, " -> ");
            gspi_draw_id(w, g, v);
            gspi_puts(w, cluster_of != NULL && cluster_of[u] != cluster_of[v] ? " [penwidth=2];\n"
                                                                              : ";\n");
        }
    }
}

GSP_API gsp_status gsp_draw_graph(const gsp_graph *graph, const gsp_draw_desc *desc, gsp_sink sink,
                                  void *user, gsp_error *err)
{
    gsp_draw_desc d = {0u, 0u, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0u};
    gspi_writer w;
    gsp_node v;
    if (graph == NULL || sink == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    d = desc == NULL ? d : *desc;
    GSPI_TRY(gspi_draw_check(graph, &d, err));
    gspi_writer_start(&w, sink, user);
    gspi_draw_head(&w, d.title, d.attributes);
    gspi_draw_frames(&w, graph, &d);
    for (v = 0u; v < graph->n_nodes && !w.stopped; v++) {
        if ((d.n_clusters == 0u || d.cluster_of[v] >= d.n_clusters) && gspi_draw_has(graph, v)) {
            gspi_draw_node(&w, graph, v, "    ", gspi_draw_support(graph, d.kind, v));
        }
    }
    gspi_draw_edges(&w, graph, d.n_clusters == 0u ? NULL : d.cluster_of);
    gspi_puts(&w, "}\n");
    return gspi_writer_end(&w, err);
}

/* ---- a module ---- */

typedef struct gspi_draw_module {
    const gsp_module *m;
    const gsp_draw_module_desc *d;
    gspi_writer *w;
    uint32_t *calls;  /* [graphs] how often a graph is called */
    uint32_t *parent; /* [graphs] the graph in whose frame it is drawn, GSP_NONE: in none */
    gsp_node *call;   /* [graphs] its call there */
    uint32_t *drawn;  /* [graphs] 1: has its frame */
} gspi_draw_module;

static void gspi_draw_layout(gspi_bump *b, gspi_draw_module *w, uint32_t n_graphs)
{
    w->w = GSPI_HIGH(b, gspi_writer, 1u);
    w->calls = GSPI_HIGH(b, uint32_t, n_graphs);
    w->parent = GSPI_HIGH(b, uint32_t, n_graphs);
    w->call = GSPI_HIGH(b, gsp_node, n_graphs);
    w->drawn = GSPI_HIGH(b, uint32_t, n_graphs);
}

GSP_API size_t gsp_draw_bound(const gsp_counts *counts)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_draw_module w;
    gspi_draw_layout(&b, &w, counts->graphs);
    return gspi_add(b.used, GSPI_SLACK);
}

/* The graph that v calls, GSP_NONE: none; *first is the place of its first argument. */
static uint32_t gspi_draw_callee(const gsp_graph *g, gsp_node v, uint32_t *first)
{
    const gsp_module *m = g->module;
    gsp_op const op = gsp_node_op(g, v);
    gsp_node holder = v;
    *first = 0u;
    if (op == GSP_OP_CALL_FUNCTION) { /* invoke_subgraph(holder, name, arguments ...) */
        uint32_t count;
        const gsp_arg *args = gsp_node_args(g, v, &count);
        if (count < 2u || args[0].kind != (uint32_t)GSP_ARG_NODE ||
            gsp_node_op(g, args[0].value) != GSP_OP_GET_ATTR) {
            return GSP_NONE;
        }
        holder = args[0].value;
        *first = 2u;
    } else if (op != GSP_OP_CALL_MODULE) {
        return GSP_NONE;
    }
    return m->counts.graphs < 2u ? GSP_NONE
                                 : gsp_module_find_graph(m, m->target[g->first + holder]);
}

/* 1 when graph c is drawn in the place of node v of graph g. */
static int gspi_draw_stands_for(const gspi_draw_module *w, uint32_t c, uint32_t g, gsp_node v)
{
    return c != GSP_NONE && w->parent[c] == g && w->call[c] == v;
}

static void gspi_draw_count(const gspi_draw_module *w)
{
    uint32_t id;
    gspi_set(w->calls, 0, w->m->counts.graphs, sizeof(uint32_t));
    gspi_set(w->drawn, 0, w->m->counts.graphs, sizeof(uint32_t));
    gspi_set(w->parent, 0xFF, w->m->counts.graphs, sizeof(uint32_t));
    for (id = 0u; id < w->m->counts.graphs; id++) {
        gsp_graph const g = gsp_module_graph(w->m, id);
        gsp_node v;
        for (v = 0u; v < g.n_nodes; v++) {
            uint32_t first;
            uint32_t const c = gspi_draw_callee(&g, v, &first);
            if (c != GSP_NONE) {
                w->calls[c]++;
            }
        }
    }
}

static void gspi_draw_open(const gspi_draw_module *w, uint32_t id)
{
    gsp_graph const g = gsp_module_graph(w->m, id);
    uint32_t const kind = w->d == NULL || w->d->kind == NULL ? GSP_KIND_NONE : w->d->kind[id];
    uint32_t n = 0u;
    gsp_node v;
    for (v = 0u; v < g.n_nodes; v++) {
        n += gsp_node_is_callable(&g, v) ? 1u : 0u;
    }
    gspi_draw_frame(w->w, id, gsp_module_string(w->m, w->m->graphs[id].name), n, kind);
}

/* Nodes and frames of graph `top` and of all that stand in it: down at the call of a graph that is
 * called once, up at the end of one. */
static void gspi_draw_tree(const gspi_draw_module *w, uint32_t top)
{
    gsp_graph g = gsp_module_graph(w->m, top);
    gsp_node v = 0u;
    w->drawn[top] = 1u;
    if (top != 0u) {
        gspi_draw_open(w, top);
    }
    while (!w->w->stopped) {
        uint32_t first;
        uint32_t c;
        if (v == g.n_nodes) {
            gspi_puts(w->w, g.id != 0u ? "    }\n" : "");
            if (g.id == top) {
                return;
            }
            v = w->call[g.id] + 1u;
            g = gsp_module_graph(w->m, w->parent[g.id]);
            continue;
        }
        c = gspi_draw_callee(&g, v, &first);
        if (c != GSP_NONE && w->calls[c] == 1u && !w->drawn[c]) {
            w->drawn[c] = 1u;
            w->parent[c] = g.id;
            w->call[c] = v;
            gspi_draw_open(w, c);
            g = gsp_module_graph(w->m, c);
            v = 0u;
            continue;
        }
        if (gspi_draw_has(&g, v)) {
            gspi_draw_node(w->w, &g, v, "        ", c != GSP_NONE ? "gold" : NULL);
        }
        v++;
    }
}

/* Where the value of node u comes from: a call that a frame stands for yields what its graph
 * returns. */
static void gspi_draw_from(const gspi_draw_module *w, const gsp_graph *g, gsp_node u)
{
    uint32_t first;
    uint32_t const c = gspi_draw_callee(g, u, &first);
    gspi_puts(w->w, "    ");
    if (gspi_draw_stands_for(w, c, g->id, u)) {
        gsp_graph const inner = gsp_module_graph(w->m, c);
        gspi_draw_id(w->w, &inner, inner.n_nodes - 1u);
    } else {
        gspi_draw_id(w->w, g, u);
    }
    gspi_puts(w->w, " -> ");
}

/* The arguments of a call, tied to the inputs of graph c one after the other; what is left over is
 * tied to its end. */
static void gspi_draw_bind(const gspi_draw_module *w, const gsp_graph *g, gsp_node v, uint32_t c,
                           uint32_t first)
{
    gsp_graph const inner = gsp_module_graph(w->m, c);
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t end = 0u; /* of the container that is open at the top level */
    gsp_node input = 0u;
    uint32_t i;
    for (i = first; i < count; i++) {
        gsp_arg const a = args[i];
        if (i >= end && i > first && a.kind != (uint32_t)GSP_ARG_CLOSE &&
            args[i - 1u].kind != (uint32_t)GSP_ARG_KEY) {
            input += input < inner.n_nodes - 1u ? 1u : 0u;
        }
        while (input < inner.n_nodes - 1u && gsp_node_op(&inner, input) != GSP_OP_PLACEHOLDER) {
            input++;
        }
        if (i >= end && a.kind >= (uint32_t)GSP_ARG_TUPLE && a.kind <= (uint32_t)GSP_ARG_SLICE) {
            end = i + a.value + 1u;
        }
        if (a.kind == (uint32_t)GSP_ARG_NODE && gsp_node_op(g, a.value) != GSP_OP_GET_ATTR) {
            gspi_draw_from(w, g, a.value);
            gspi_draw_id(w->w, &inner, input);
            gspi_puts(w->w, ";\n");
        }
    }
}

static void gspi_draw_wires(const gspi_draw_module *w, const gsp_graph *g, gsp_node v)
{
    uint32_t first;
    uint32_t const c = gspi_draw_callee(g, v, &first);
    uint32_t count;
    const gsp_node *inputs = gsp_node_inputs(g, v, &count);
    uint32_t i;
    if (gspi_draw_stands_for(w, c, g->id, v)) {
        gspi_draw_bind(w, g, v, c, first);
        return;
    }
    for (i = 0u; i < count; i++) {
        if (gsp_node_op(g, inputs[i]) != GSP_OP_GET_ATTR || gsp_node_op(g, v) == GSP_OP_OUTPUT) {
            gspi_draw_from(w, g, inputs[i]);
            gspi_draw_id(w->w, g, v);
            gspi_puts(w->w, ";\n");
        }
    }
    if (c != GSP_NONE) {
        gsp_graph const callee = gsp_module_graph(w->m, c);
        gspi_puts(w->w, "    ");
        gspi_draw_id(w->w, g, v);
        gspi_puts(w->w, " -> ");
        gspi_draw_id(w->w, &callee, callee.n_nodes - 1u);
        gspi_puts(w->w, " [style=dashed, constraint=false, lhead=cluster_");
        gspi_put_number(w->w, c);
        gspi_puts(w->w, "];\n");
    }
}

GSP_API gsp_status gsp_draw_module(gsp_arena *arena, const gsp_module *module,
                                   const gsp_draw_module_desc *desc, gsp_sink sink, void *user,
                                   gsp_error *err)
{
    gspi_bump b = gspi_bump_over(arena);
    gspi_draw_module w;
    gsp_status status;
    gsp_mark mark;
    uint32_t id;
    if (arena == NULL || module == NULL || sink == NULL) {
        return gspi_fail(err, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    if (desc != NULL && (desc->start_canary != 0u || desc->end_canary != 0u)) {
        return gspi_fail(err, GSP_STATUS_DESC, GSP_DETAIL_CANARY);
    }
    GSPI_TRY(gspi_room(arena, gsp_draw_bound(&module->counts), err));
    mark = gsp_arena_mark(arena);
    w.m = module;
    w.d = desc;
    gspi_draw_layout(&b, &w, module->counts.graphs);
    gspi_draw_count(&w);
    gspi_writer_start(w.w, sink, user);
    gspi_draw_head(w.w, desc == NULL ? NULL : desc->title, NULL);
    for (id = 0u; id < module->counts.graphs; id++) {
        if (!w.drawn[id] && (id == 0u || w.calls[id] != 1u)) {
            gspi_draw_tree(&w, id);
        }
    }
    for (id = 0u; id < module->counts.graphs; id++) { /* graphs that only call each other */
        if (!w.drawn[id]) {
            gspi_draw_tree(&w, id);
        }
    }
    for (id = 0u; id < module->counts.graphs; id++) {
        gsp_graph const g = gsp_module_graph(module, id);
        gsp_node v;
        for (v = 0u; v < g.n_nodes && !w.w->stopped; v++) {
            gspi_draw_wires(&w, &g, v);
        }
    }
    gspi_puts(w.w, "}\n");
    status = gspi_writer_end(w.w, err);
    gsp_arena_rewind(arena, mark);
    return status;
}
#endif

#ifdef __cplusplus
}
#endif

GSPI_END

#endif /* GRAPHSPLIT_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_IMPLEMENTATION */
