/* graphsplit.h - v0.1.0 - splits computation graphs into runnable subgraphs
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * One C header, no dependency, no malloc: places nodes on accelerators and cuts the graph there.
 *
 * Do this in ONE file of your program:
 *
 *     #define GRAPHSPLIT_IMPLEMENTATION
 *     #include "graphsplit.h"
 *
 * and include it plainly everywhere else. C99 and later, C++11 and later, 32 and 64 bit.
 *
 * 1 WHAT IT IS, AND WHAT IT IS NOT
 *
 * A CPU runs every operator of a model, an accelerator some. graphsplit decides which node runs
 * where, gives the reason, cuts the graph into few subgraphs, and returns them as graphs that call
 * each other. It also assigns partitions to devices, cuts by any assignment (split_module),
 * deduplicates repeated regions, cuts pipelines, plans memory, and executes the results with
 * kernels of yours. The answers are those of torch.fx where those are right.
 *
 * graphsplit has no kernels, reads no model files (the program in examples/ does) and knows no
 * hardware: a table of operators, or a function of yours, says what an accelerator supports.
 *
 * 2 SIXTY SECONDS
 *
 *     ~~~
 *     #define GRAPHSPLIT_IMPLEMENTATION
 *     #include "graphsplit.h"
 *     #include <stdio.h>
 *
 *     static const char text[] =
 *         "graph():\n"
 *         "    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n"
 *         "    %conv : [num_users=1] = call_method[target=conv](args = (%x,), kwargs = {})"
 *         "  # f32[8]\n"
 *         "    %nms : [num_users=1] = call_method[target=nms](args = (%conv,), kwargs = {})"
 *         "  # f32[8]\n"
 *         "    return nms\n";
 *     static const gsp_table_entry operators[] = {GSP_OP("conv", "f32,i8"), GSP_OP("relu*", "")};
 *     static unsigned char memory[65536];
 *
 *     static int print(void *user, const char *data, size_t size)
 *     {
 *         (void)user;
 *         return fwrite(data, 1, size, stdout) != size;
 *     }
 *
 *     int main(void)
 *     {
 *         gsp_rule rule = {0};
 *         gsp_accelerator npu = {&rule, 1};
 *         gsp_split_subgraphs_desc desc = {0};
 *         gsp_split_subgraphs_result result;
 *         gsp_arena arena;
 *         gsp_module module;
 *         gsp_error error;
 *         rule.kind = GSP_RULE_TABLE;
 *         rule.table.entries = operators;
 *         rule.table.n_entries = 2;
 *         desc.support.accelerators = &npu;
 *         desc.support.n_accelerators = 1;
 *         gsp_arena_init(&arena, memory, sizeof(memory));
 *         if (gsp_text_read(&arena, text, sizeof(text) - 1, NULL, &module, &error) != GSP_OK) {
 *             return gsp_error_write(&error, NULL, print, NULL), 1;
 *         }
 *         gsp_graph graph = gsp_module_graph(&module, 0);
 *         if (gsp_split_subgraphs_run(&arena, &graph, &desc, &result, &error) != GSP_OK) {
 *             return gsp_error_write(&error, &graph, print, NULL), 1;
 *         }
 *         return gsp_text_write(&result.subgraphs.module, NULL, print, NULL, &error) != GSP_OK;
 *     }
 *     ~~~
 *
 * prints the module: `main`, which calls `_run_on_acc_0` (conv) and `_run_on_cpu_1` (nms).
 *
 * 3 QUESTIONS
 *
 * Graphs
 *   My graph is not text?    gsp_build_init(); count generously, the finished module is compact.
 *   A graph in flash?    module.block, module.block_size; gsp_module_open() makes the view.
 *   What does the library call?    Your callbacks and sinks, and the functions of section 13.
 *
 * Splitting
 *   Why is a node not on my accelerator?    result.reason[v] and result.culprit[v]: unsupported,
 *     reads or yields a non-tensor value, fused with an unsupported node, subgraph too small,
 *     refused by your accept function, moved off a boundary, over the limit, pinned.
 *   Too many small subgraphs?    desc.min_size, or desc.limit with GSP_LIMIT_DEMOTE.
 *   Too large ones?    desc.max_size.
 *   My compiler refuses some subgraphs?    desc.accept; gsp_minimize_run() finds the nodes at fault
 *     with a test of yours.
 *   Keep some nodes together?    group= in the text, or placement.group.
 *   My own idea of support?    GSP_RULE_CALL, or fill placement.kind and skip gsp_support_run().
 *   Nodes that write in place, or enter and leave autocast?    A split orders subgraphs by values
 *     alone, as PyTorch does: a node that writes the input of another may run on the wrong side of
 *     it, and no later subgraph enters an autocast region again. gsp_dependences_run() says which
 *     node must wait (mutates=, alias=, barrier=, storage=); deduplication keeps that order.
 *
 * Partitions, deduplication, pipelines
 *   Several devices, and the model fits none of them?    gsp_partition_run(): partitions that fit,
 *     the device of each, and the critical path.
 *   The same layer a hundred times?    gsp_dedup_run(): one subgraph and a hundred calls. Graphs
 *     with equal fingerprints (gsp_fingerprints_run()) are one program under other names: compile
 *     it once.
 *   Where to cut a pipeline?    gsp_stages_even_run() by counts or bytes; gsp_costs_run() and
 *     gsp_stages_optimal_run() for the smallest bottleneck; gsp_stage_costs_run() for any stages.
 *   Are stages module trees?    No: flat graphs, whose attributes keep their dotted targets; so do
 *     called modules with desc.keep_targets.
 *
 * Memory and execution
 *   How much RAM does the model take?    gsp_liveness_run(): no plan needs less;
 *     gsp_memory_plan_run(): one arena. GSP_LIVENESS_BOUND(n, m) and GSP_MEMORY_PLAN_BOUND(n, m)
 *     size static memory for both.
 *   It does not fit?    gsp_split_by_memory_run(): the fewest parts that do, for split_module.
 *   Execute a graph, or its subgraphs?    gsp_exec_plan_run() once, then gsp_exec_run() with a
 *     callback for kernels; it enters called graphs, unpacks aggregates and says when a value is
 *     dead. Values are 64-bit handles: shapes propagate shapes, hashes compare modules.
 *
 * 4 CONTENTS
 *
 * `grep -n '>>' graphsplit.h` is the outline: eight families, in capitals, and their sections. The
 * API half and the implementation half have the same names in the same order. Private functions of
 * a family stand at its head.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>BASE               Status, memory, bitsets
 *         >>status             Status values and error details
 *         >>memory             Two-ended arena over memory of the caller
 *         >>bitset             Sets of node ids
 *     >>GRAPH              Modules, graphs, text
 *         >>graph              Modules, graphs, nodes, arguments, annotations
 *         >>build              Making a module step by step
 *         >>query              Questions about a finished graph
 *         >>check              Opening a stored module, validation
 *         >>text               Reading and writing the graph text
 *         >>topo_order         Topological orders
 *     >>SPLIT              CPU and accelerator subgraphs
 *         >>support            Operator support and pins
 *         >>acc_nodes          Accelerator nodes without non-tensor boundaries
 *         >>fuse               Fusion groups: nodes that must run in one subgraph
 *         >>move_non_tensor    Moving non-tensor values off boundaries
 *         >>split              CPU and accelerator subgraphs
 *         >>split_by_tags      A module from tags
 *         >>split_module       split_module: a module from any assignment
 *         >>subgraph_grow      Growing an accelerator subgraph
 *         >>minimize           The least failing set of nodes
 *         >>preview            Cost preview of a split
 *     >>PARTITION          Partitions on devices
 *         >>device             Devices, memory, mapping of partitions
 *         >>latency            Critical paths of partitions
 *         >>assign             Partitions of the modes
 *         >>partition          All modes, and the DAG of partitions
 *     >>DEDUP              Repeated regions
 *         >>dependences        Alias sets and memory dependences
 *         >>node_classes       Classes of identical nodes
 *         >>regions            Repeated regions
 *         >>dedup_select       Selection of replaceable regions
 *         >>dedup              Replacement of regions by calls of one subgraph
 *         >>fingerprint        Fingerprints of graphs
 *     >>PIPELINE           Stages of a pipeline
 *         >>costs              Costs of nodes in ticks and bytes
 *         >>stages_even        Stages of equal size
 *         >>stage_costs        Time and memory of stages
 *         >>stages_optimal     Stages of the smallest bottleneck
 *         >>stages_from_marks  Stages from markers and split specs
 *         >>stage_params       Parameters of stages
 *         >>pipeline           The pipeline as a module
 *         >>backward           Gradients through the stages
 *         >>stage_devices      Devices of stages, stages as modules
 *     >>MEMORY             Memory plans and execution
 *         >>liveness           Live bytes in graph order
 *         >>memory_plan        Tensors in one arena
 *         >>split_by_memory    Fewest parts under a byte budget
 *         >>exec_plan          Slots and call frames, planned once
 *         >>exec               Execution with kernels of the caller
 *     >>REPORT             Drawings
 *         >>draw               Pictures as Graphviz text
 *     >>impl               Implementation guard, leaf macros, assertions
 *
 * 5 CONCEPTS
 *
 *     text or builder --> module --> a pass --> result (sets, subgraphs, partitions, stages)
 *                                       |
 *                                       `----> a module again: graphs that call graphs
 *
 * Passes never change their input. Every pass has one shape: gsp_x_bound() says how many bytes it
 * takes, gsp_x_run() leaves results at the low end of your arena.
 *
 *     x --> relu --> sort --> mul --> y        relu, mul: accelerator      sort: CPU
 *           [acc_0]  [cpu_1]  [acc_2]          three subgraphs, two cuts
 *
 * accelerator nodes  nodes on an accelerator such that no non-tensor value crosses its boundary
 * aggregate          a tuple, list or dict of values that one node yields
 * alias set          values that share memory (alias=, storage=); a write to one changes all
 * arena              one block of memory of the caller, filled from both ends
 * atom               an interned string of a module, by number
 * barrier            a node that enters or leaves a global state; nothing moves across it
 * bottleneck         the largest time of a stage; it limits the rate of a pipeline (Hennessy 2017)
 * bound              bytes that suffice for a pass, known before it runs
 * bubble             time in which a device of a pipeline is idle (Huang et al. 2019)
 * callable node      call_function, call_method or call_module; only these are placed
 * critical path      the path of largest total latency
 * culprit            the node that caused a decision about another node
 * cut                an edge between two subgraphs
 * fusion group       nodes that pass non-tensor values to each other and stay in one subgraph
 * group              nodes that stay together (group=), whatever the pass
 * kind               0 for the CPU, k for accelerator k
 * leaf module        a called module that is no graph of this module: it has a class and parameters
 * liveness           from the node that defines a value to the last node that reads it (Aho 2006)
 * microbatch         a part of a batch that passes through a pipeline as one
 * module             graphs that call graphs; graph 0 is the root
 * part               a set of nodes in an assignment of the caller
 * partition          a set of nodes on one or more devices
 * placement          a kind for every callable node, with a reason and a culprit
 * quotient graph     the graph of parts: an edge where a node of one reads a node of the other
 * region             a set of nodes that occurs again elsewhere with the same structure
 * stage              a part of a pipeline; stages are contiguous in a topological order
 * storage            the memory of one or more tensors that are views of each other
 * subgraph           callable nodes of one kind that run as one unit; the result of a split
 * topological order  an order of nodes in which inputs stand before users (Kahn 1962)
 *
 * 6 GRAPH TEXT
 *
 * The text form is what PyTorch prints for print(gm.graph), one node per line, each with an
 * optional annotation:
 *
 *     graph():
 *         %x : [num_users=2] = placeholder[target=x](default=None)  # f32[1, 3, 8, 8]
 *         %w : [num_users=1] = get_attr[target=blk.w]  # f32[8, 3]
 *         %c : [num_users=1] = call_module[target=conv](args = (%x, %w), kwargs = {dim: 1})  # ...
 *         return (c, x)
 *
 * Operations: placeholder (an input), get_attr (a parameter), call_function, call_method,
 * call_module, and `return`, the output. Arguments nest: %nodes, tuples, lists, dicts, slice(a, b,
 * c); anything else is a constant and keeps its spelling. ", " separates elements. After `return`
 * and in a slice, nodes stand without '%'. A line `module NAME` precedes each of several graphs,
 * root first. Blank lines, tabs, CRLF and '#' lines are allowed; num_users is checked on request.
 *
 *     # TYPE key=value ...    all of it optional, after two blanks
 *     TYPE      f32[1, 3]     a tensor; the first number of its dtype is the bits per element,
 *                             8 at least; a dimension that is no number, such as s0, counts as 1
 *               tuple(f32[2], i64[2]), list(...), dict(...)    an aggregate
 *               int float bool str none tuple list dict any    a non-tensor value
 *               (no TYPE)                                      a tensor of 0 bytes
 *     bytes=    of the output, instead of what TYPE says       params=   of a called module, bytes
 *     module=   class of a called module                       scope=    path of the calling module
 *     acc=      0: CPU, k: accelerator k, over the tables      group=    equal: never separated
 *     mem= compute= cpu= comm=    seconds
 *     alias=    the argument of which the output is a view: memory, deduplication
 *     mutates= key= storage= state= barrier=    what deduplication has to know of a node
 *     stage= device= part=    and all others: kept and printed back for your own use
 *
 * 7 MEMORY
 *
 * You give an arena: one block with two ends. Results grow from the low end, scratch from the high
 * end; a pass releases its scratch when it returns. Nothing is freed one by one: gsp_arena_mark(),
 * work, gsp_arena_rewind(). Every function that needs memory has a partner that says how much:
 *
 *     gsp_x_bound(graph, desc)    so many bytes left in the arena suffice, at any address
 *     gsp_x_run(arena, ...)       with one byte less: NOMEM, and error.need is the bound
 *
 * A bound depends on counts only, never on the edges. For 64 nodes, 80 edges and one accelerator,
 * gsp_split_bound() is 2556 bytes on a 64-bit machine (39 per node, and padding); about 1800 stay.
 * Several passes in a row take the sum of what stays and the largest scratch; the sum of the bounds
 * is enough. Results are valid until the arena is rewound, and point into their inputs.
 *
 * 8 ERRORS
 *
 * Every function that can fail returns a gsp_status and, if asked, fills a gsp_error: what is at
 * fault, line, column, bytes needed. After a failure, outputs and arena are as before the call.
 * Nothing is printed, nothing aborts. Checks run in one order: null arguments, desc, choices,
 * counts, the data in graph order, memory.
 *
 * 9 DETERMINISM, THREADS, STACK
 *
 * Same input, same bytes, on every compiler, word size and byte order: no hash decides an output,
 * and no floating-point number takes part in a decision outside of latencies, whose sums have one
 * order. There are no globals: any number of threads may work, each with its own arena; finished
 * modules may be shared. There is no recursion: a hundred million nested brackets take the stack of
 * one. Bytes of stack: on 64 bit every function takes less than 1280; on a Cortex-M4 every pass
 * takes less than 768, support, accelerator nodes, fusion, split, memory plans and execution less
 * than 512.
 *
 * 10 SWITCHES (define them where the implementation is compiled; none changes a public type)
 *
 *     GRAPHSPLIT_STATIC         everything static: several private copies in one program
 *     GSP_API                   prefix of every public function, e.g. for export
 *     GSP_CONFIG_HEADER         a header to include first
 *     GSP_NO_TEXT               no reading and writing of the graph text
 *     GSP_NO_SPLIT              no family SPLIT; needs GSP_NO_PARTITION
 *     GSP_NO_FUSE               within it, no fusion groups; a split that needs them is refused
 *     GSP_NO_MOVE_NON_TENSOR    and no moving of non-tensor values; likewise
 *     GSP_NO_PARTITION          no family PARTITION
 *     GSP_NO_DEDUP              no family DEDUP
 *     GSP_NO_PIPELINE           no family PIPELINE
 *     GSP_NO_MEMORY             no family MEMORY
 *     GSP_NO_REPORT             no family REPORT
 *     GSP_NO_COST               no floating point at all, and so no family PARTITION
 *     GSP_NO_ALL_PASSES         only BASE and GRAPH, no text; GSP_WITH_TEXT, GSP_WITH_SPLIT, ...
 *                               bring one back with what it needs
 *     GSP_NO_MESSAGES           sentences of statuses and reasons are empty
 *     GSP_NO_BUILTINS           portable code instead of compiler builtins
 *     GSP_MEMCPY, GSP_MEMSET, GSP_MEMCMP    replacements for the only library functions in use
 *
 * 11 PASSES                        time                     bytes per node + edge, at most
 *
 *     gsp_text_read                O(bytes of text)         gsp_build_bound(gsp_text_count())
 *     gsp_topo_order_run           O(n + m)                 16 + 0
 *     gsp_support_run              O(n * rules)             25 + 0, and 4 per string
 *     gsp_acc_nodes_run            O(n + m)                 8 + 0
 *     gsp_fuse_run                 O(n + m) *               29 + 0
 *     gsp_split_run                O(n + m) *               39 + 0
 *     gsp_move_non_tensor_run      O(n + m)                 9 + 0, and 4 per subgraph
 *     gsp_split_by_tags_run        O(n + m + args)          gsp_split_by_tags_bound()
 *     gsp_split_subgraphs_run      the three before it      gsp_split_subgraphs_bound()
 *     gsp_split_module_run         O(n + m + args)          gsp_split_module_bound()
 *     gsp_exec_plan_run            O(n + m + args)          gsp_exec_plan_bound()
 *     gsp_exec_run                 O(args), 10 ns per node  9 per live value: gsp_exec_bound()
 *     gsp_liveness_run             O(n + m + args)          24 + 0; with parts 32 + 4
 *     gsp_memory_plan_run          O(n log n + p) **        85 + 0
 *     gsp_split_by_memory_run      O((n + m) log n)         88 + 0
 *     gsp_stages_even_run          O(n + m)                 12 + 0, and 9 per string
 *     gsp_costs_run                O(n + m)                 32 + 12, and 12 per string
 *     gsp_stage_costs_run          O(n + m)                 64 + 12, and 76 per stage
 *     gsp_latency_run              O(n + m)                 gsp_latency_bound()
 *     gsp_partition_run            O(n + m), and by mode:   gsp_partition_bound()
 *     gsp_assign_run               by mode:                 gsp_assign_bound()
 *       SIZE, AOT                  O(n * devices + m)
 *       SPARSE                     O(n + m), O(parts + their edges) per merge
 *       COST                       about n^3 trials of O(n) at worst, most of them O(1)
 *       KL                         n^2 trials of O(n + m + parts * devices) per sweep
 *     gsp_stages_optimal_run       desc.max_work            gsp_stages_optimal_bound()
 *     gsp_stages_from_marks_run    O(n + scopes)            5 + 0, and 30 per split point
 *     gsp_stage_params_run         O(n + m + args)          109 + 16, and 4 per string
 *     gsp_pipeline_run             O(n + m + args)          gsp_pipeline_bound()
 *     gsp_backward_run             O(n + m + args)          gsp_backward_bound()
 *     gsp_stage_devices_run        O(n + args)              gsp_stage_devices_bound()
 *     gsp_stage_extract_run        O(n + args)              gsp_stage_extract_bound()
 *     gsp_subgraph_grow_run        O(n + m)                 16 + 0
 *     gsp_minimize_run             O(tests * n)             14 + 0, and 600
 *     gsp_signatures_run           O(args)                  gsp_signatures_bound()
 *     gsp_preview_run              O(n + m)                 12 + 4, and 80 per subgraph
 *     gsp_dependences_run          O((n + m) log n)         56 + 8
 *     gsp_node_classes_run         O(n + args)              25 + 0
 *     gsp_regions_run              O(n + m), and searches   89 + 8
 *     gsp_dedup_select_run         O(n + m + args)          117 + 0
 *     gsp_dedup_run                O(n + m + args)          gsp_dedup_bound()
 *     gsp_fingerprints_run         O(args + their bytes)    25 per graph
 *     gsp_draw_graph               O(n + m), 0.4 us a node  none
 *     gsp_draw_module              O(n + m + args)          16 per graph, and 400
 *
 *     * a fusion group that is tangled with nodes of another kind costs a search of its own, over
 *       the nodes between its first and last member: O(groups * (n + m)) at the very worst
 *     ** p: pairs of tensors that are live at once; bounded by desc.max_work
 *
 * 12 LIMITS
 *
 * Fewer than 2^32 - 1 of everything, 4 GiB of strings per module, 254 accelerators, lines below
 * 512 MiB. Names chosen to collide make reading quadratic: limit the size of texts from strangers.
 *
 * 13 PORTING
 *
 * Needs stddef.h, stdint.h, and memcpy, memset, memcmp (compilers call the first two unasked).
 * size_t has 32 bits at least: 16-bit targets fail at compile time with a clear name. A stored
 * module has the byte order of its maker.
 *
 * 14 MISRA C:2012
 *
 * No heap, recursion, goto, stdio or variable-length arrays. Of the rules that cppcheck's addon
 * checks, the library deviates from these and no others:
 *
 *     2.4    enumerations have tags that only their typedef uses
 *     2.5    macros for users: versions, defaults, switches
 *     8.7    public functions that only users call
 *     9.2    a struct within an initialiser is given as a value
 *     10.3   comparisons are kept in int: C99 without stdbool, so that C++ and C agree
 *     10.4   char compared with character constants; counts plus (condition)
 *     10.5   comparisons as numbers to multiply and to mask with, where a branch would be slow
 *     10.6   uint32_t chosen by a condition or divided before it is widened: meant
 *     10.7   counts of shifts are narrower than what is shifted
 *     10.8   differences of pointers and of checked counts as sizes
 *     11.4   addresses are numbers where memory is aligned
 *     11.5   pointers from void: arenas give out void pointers
 *     11.8   arrays that the library itself has just made lose their const
 *     12.1   a && b == c, i + 1 < n: precedence that every reader of C knows
 *     12.3   loops that step a counter and a place side by side
 *     13.3   list[n++] = x
 *     13.4   while ((v = next()) != none)
 *     14.2   loops that step something other than a counter
 *     14.4   if (flag), with int flags
 *     15.4   a search of a sorted list ends at its limit or at what it looks for
 *     15.5   early returns: no resource is ever held
 *     15.7   if ... else if without else where nothing is left to do
 *     17.8   parameters passed by value are counted up and down
 *     18.4   pointer + offset, for slices of arrays and texts
 *     19.2   workspaces of phases that follow each other share their bytes
 *     20.1   string.h is included by the implementation only
 *     20.5   #undef of macros that live for one list
 *     20.7   the X of lists, and types, stand in macros without parentheses
 *     20.10  # and ## in those lists
 *     21.15  numbers are read from bytes by memcpy, which costs nothing and needs no alignment
 */

/* -------------------------------------------------------------------------------------------------
 * >>config   Compile-time switches and compiler adaptation
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

/* GSP_NO_ALL_PASSES leaves out every family but those named by GSP_WITH_ and what they need. */
#ifdef GSP_NO_ALL_PASSES
#if defined(GSP_WITH_PARTITION) && !defined(GSP_WITH_SPLIT)
#define GSP_WITH_SPLIT
#endif
#ifndef GSP_WITH_TEXT
#define GSP_NO_TEXT
#endif
#ifndef GSP_WITH_SPLIT
#define GSP_NO_SPLIT
#endif
#ifndef GSP_WITH_PARTITION
#define GSP_NO_PARTITION
#endif
#ifndef GSP_WITH_DEDUP
#define GSP_NO_DEDUP
#endif
#ifndef GSP_WITH_PIPELINE
#define GSP_NO_PIPELINE
#endif
#ifndef GSP_WITH_MEMORY
#define GSP_NO_MEMORY
#endif
#ifndef GSP_WITH_REPORT
#define GSP_NO_REPORT
#endif
#endif

/* Latencies of partitions are floating point. */
#if defined(GSP_NO_COST) && !defined(GSP_NO_PARTITION)
#define GSP_NO_PARTITION
#endif
#if defined(GSP_NO_SPLIT) && !defined(GSP_NO_PARTITION)
#error "graphsplit: partitions need split_module; define GSP_NO_PARTITION beside GSP_NO_SPLIT"
#endif
#if defined(GRAPHSPLIT_STATIC) && !defined(GRAPHSPLIT_IMPLEMENTATION)
#error "graphsplit: no bodies; define GRAPHSPLIT_IMPLEMENTATION beside GRAPHSPLIT_STATIC"
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

/* =================================================================================================
 * >>BASE   Status, memory, bitsets                                                            (API)
 * ============================================================================================== */

/* The ground of all families: status values and errors, the arena, sets of node ids.
 *
 * In:      memory of the caller
 * Out:     gsp_arena, gsp_bitset, gsp_error
 * Order:   gsp_arena_init() once; gsp_arena_mark() and gsp_arena_rewind() around temporary results
 *
 *     base [ results ---->            free            <---- scratch ] base + size
 */

/* -------------------------------------------------------------------------------------------------
 * >>status   Status values and error details                                                  (API)
 * ---------------------------------------------------------------------------------------------- */

/* The status of a function that can fail. The list is append-only. */
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

/* The statuses of GSP_STATUS_LIST. */
typedef enum gsp_status {
#define GSP_STATUS_ENUM(name, text) GSP_STATUS_##name,
    GSP_STATUS_LIST(GSP_STATUS_ENUM)
#undef GSP_STATUS_ENUM
        GSP_STATUS_COUNT,
    GSP_STATUS_FORCE_U32 = 0x7FFFFFFF
} gsp_status;

#define GSP_OK   GSP_STATUS_OK
#define GSP_NONE UINT32_MAX /* no node, no string, no subgraph */

/* The sentences of a family go with its code. */
#ifdef GSP_NO_PARTITION
#define GSP_TEXT_PARTITION(text) ""
#else
#define GSP_TEXT_PARTITION(text) text
#endif
#ifdef GSP_NO_PIPELINE
#define GSP_TEXT_PIPELINE(text) ""
#else
#define GSP_TEXT_PIPELINE(text) text
#endif

/* One sentence per cause of a failure, see gsp_detail_text(). Append-only. */
/* clang-format off */
#define GSP_DETAIL_LIST(X) \
    X(NONE, "no further detail") \
    X(NULL_ARGUMENT, "a pointer that must not be null is null") \
    X(CANARY, "the desc was not zero-initialised") \
    X(BOUND, "the arena holds fewer bytes than the bound") \
    X(CAPACITY, "the counts or the arena leave no room for what a builder adds by itself") \
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
    X(ENTRY, "expected NAME, NAME dtype,dtype or !NAME, with * only at the end of NAME") \
    X(SEPARATOR, "expected elements separated by a comma and a blank") \
    X(ALIGN, "the block must lie at a multiple of 8") \
    X(CUT, "the block is shorter than its header says") \
    X(THRESHOLD, \
      GSP_TEXT_PIPELINE("a threshold of parameter bytes wants a number, or a number of stages")) \
    X(DEVICES, GSP_TEXT_PARTITION("there are no devices")) \
    X(DEVICE_TWICE, GSP_TEXT_PARTITION("two devices have the same logical id")) \
    X(DEVICE_UNKNOWN, GSP_TEXT_PARTITION("no device has this logical id, or it is given twice")) \
    X(DEVICES_UNEQUAL, GSP_TEXT_PARTITION("this mode wants devices of equal size")) \
    X(DEVICES_SMALL, GSP_TEXT_PARTITION("all devices together are too small")) \
    X(CALLABLE, "the graph has no callable node") \
    X(LATENCY, "a latency is negative, infinite or no number") \
    X(RATE, GSP_TEXT_PARTITION("the transfer rate is negative, infinite or no number")) \
    X(RATE_ZERO, GSP_TEXT_PARTITION("the transfer rate is zero, and there are bytes to move")) \
    X(MODE, "this mode does not exist, or is not in this build") \
    X(NODE_LARGE, GSP_TEXT_PARTITION("a node needs more bytes than any device that is left has")) \
    X(MAPPING, GSP_TEXT_PARTITION("a partition needs more bytes than any device has left")) \
    X(EMBEDDINGS, GSP_TEXT_PARTITION("more partitions of embeddings than devices")) \
    X(EMBEDDING_LARGE, \
      GSP_TEXT_PARTITION("a partition of embeddings does not fit beside all others")) \
    X(PART_NONE, GSP_TEXT_PARTITION("a callable node has no partition")) \
    X(PART_DEVICES, GSP_TEXT_PARTITION("a partition has no devices")) \
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
    X(COSTS, \
      GSP_TEXT_PIPELINE("the costs are those of another graph, or name an item that " \
      "does not exist")) \
    X(STAGE, GSP_TEXT_PIPELINE("a stage that does not exist, or that reads a later one")) \
    X(MEMORY, GSP_TEXT_PIPELINE("no plan keeps every device within its memory")) \
    X(POINT, GSP_TEXT_PIPELINE("a split point is neither beginning nor end")) \
    X(PATH, GSP_TEXT_PIPELINE("no callable node stands under this module path")) \
    X(POLICY, GSP_TEXT_PIPELINE("there are both a split spec and a policy")) \
    X(MULTI_USE, GSP_TEXT_PIPELINE("a multi-use setting is neither replicate nor transmit")) \
    X(PARAMETER, GSP_TEXT_PIPELINE("no get_attr reads a parameter of this name")) \
    X(STAGE_ORDER, GSP_TEXT_PIPELINE("a node reads one of a later stage")) \
    X(WRITTEN, \
      GSP_TEXT_PIPELINE("a node writes a parameter of which several stages would have copies")) \
    X(STAGE_INDEX, GSP_TEXT_PIPELINE("there is no stage of this index")) \
    X(DEVICE, GSP_TEXT_PIPELINE("a device would not read back from the text form")) \
    X(LOSS_INDEX, GSP_TEXT_PIPELINE("there is no returned value of this index")) \
    X(LOSS_KEY, GSP_TEXT_PIPELINE("the returned value is no dict with a key loss")) \
    X(LOSS_VALUE, GSP_TEXT_PIPELINE("the loss is no value of a node")) \
    X(LOSS_SPEC, GSP_TEXT_PIPELINE("the loss spec and the returned value differ in shape here")) \
    X(LOSS_NONE, GSP_TEXT_PIPELINE("the loss spec has no True")) \
    X(HELD, GSP_TEXT_PIPELINE("a stage keeps more microbatches than the one before it")) \
    X(POSITION, "mutates= or alias= is no position of the arguments") \
    X(DEPENDENCES, "more nodes wait for writers than the limit allows") \
    X(WORK, "the search took more steps than the limit allows") \
    X(OUTPUTS, "elements of aggregates leave regions more often than the limit allows") \
    X(CHOICE, "an option names a choice that does not exist") \
    X(CAPACITY_GRAPHS, "there are more graphs than the counts given at the start") \
    X(CAPACITY_NODES, "there are more nodes than the counts given at the start") \
    X(CAPACITY_EDGES, "there are more edges than the counts given at the start") \
    X(CAPACITY_ARGS, "there are more argument tokens than the counts given at the start") \
    X(CAPACITY_ATTRS, "there are more attributes than the counts given at the start") \
    X(CAPACITY_STRINGS, "there are more strings than the counts given at the start") \
    X(CAPACITY_BYTES, "strings have more bytes than the counts given at the start")
/* clang-format on */

/* The details of GSP_DETAIL_LIST. */
typedef enum gsp_detail {
#define GSP_DETAIL_ENUM(name, text) GSP_DETAIL_##name,
    GSP_DETAIL_LIST(GSP_DETAIL_ENUM)
#undef GSP_DETAIL_ENUM
        GSP_DETAIL_COUNT,
    GSP_DETAIL_FORCE_U32 = 0x7FFFFFFF
} gsp_detail;

/* What gsp_error.node and .other number. Append-only. */
#define GSP_WHAT_LIST(X)          \
    X(NONE, "nothing")            \
    X(NODE, "node")               \
    X(GRAPH, "graph")             \
    X(PIN, "pin")                 \
    X(RULE, "rule")               \
    X(ACCELERATOR, "accelerator") \
    X(TAG, "tag")                 \
    X(SUBGRAPH, "subgraph")       \
    X(PART, "part")               \
    X(DEVICE, "device")           \
    X(STAGE, "stage")             \
    X(POINT, "split point")       \
    X(PARAM, "parameter")         \
    X(ENTRY, "line of a support table")

/* The kinds of things of GSP_WHAT_LIST. */
typedef enum gsp_what {
#define GSP_WHAT_ENUM(name, text) GSP_WHAT_##name,
    GSP_WHAT_LIST(GSP_WHAT_ENUM)
#undef GSP_WHAT_ENUM
        GSP_WHAT_COUNT,
    GSP_WHAT_FORCE_U32 = 0x7FFFFFFF
} gsp_what;

/* Details of a failure; a call that fails sets all of them. */
typedef struct gsp_error {
    gsp_status status;
    gsp_detail detail;
    uint32_t what;  /* gsp_what: the meaning of the next two numbers */
    uint32_t node;  /* the node or other item at fault, or GSP_NONE */
    uint32_t other; /* a second one, such as the other end of an edge, or GSP_NONE */
    size_t line;    /* text: 1-based line, 0: not about text */
    size_t column;  /* text: 1-based column, in bytes */
    uint64_t need;  /* NOMEM: bytes that suffice; LIMIT, OVERFLOW: the count reached */
    uint64_t limit; /* NOMEM: bytes left; LIMIT, OVERFLOW: the greatest count allowed */
} gsp_error;

/* gsp_status_name: the name in this header, without prefix ("NOMEM"); else "?". Time: O(1). */
GSP_API const char *gsp_status_name(gsp_status status);

/* gsp_status_text: one English sentence, "" with GSP_NO_MESSAGES. Time: O(1). */
GSP_API const char *gsp_status_text(gsp_status status);

/* gsp_detail_text: one English sentence, "" with GSP_NO_MESSAGES. Time: O(1). */
GSP_API const char *gsp_detail_text(gsp_detail detail);

/* -------------------------------------------------------------------------------------------------
 * >>memory   Two-ended arena over memory of the caller                                        (API)
 * ---------------------------------------------------------------------------------------------- */

/* Results grow from the low end, scratch from the high end. Fields are read-only. */
typedef struct gsp_arena {
    unsigned char *base;
    size_t size;
    size_t low;     /* bytes in use at the low end */
    size_t high;    /* bytes in use at the high end */
    size_t touched; /* maximum of low + high since gsp_arena_init() or gsp_arena_watch() */
} gsp_arena;

/* The state of both ends of an arena. */
typedef struct gsp_mark {
    size_t low;
    size_t high;
} gsp_mark;

/* The alignment of every address from an arena. */
#define GSP_ALIGN 16u

/* Constant bounds for static memory: GSP_X_BOUND(n_nodes, n_edges) equals gsp_x_bound() with one
 * accelerator and defaults, for counts that do not overflow. */
#define GSP_BOUND_ARRAY(count, size) \
    (((size_t)(count) * (size) + (GSP_ALIGN - 1u)) & ~((size_t)GSP_ALIGN - 1u))
#define GSP_BOUND_SLACK     (2u * ((size_t)GSP_ALIGN - 1u))
#define GSP_BOUND_MAX(a, b) ((a) > (b) ? (a) : (b))
/* The least power of two >= x, for 2 <= x <= 2^31. */
#define GSP_BOUND_POW2(x)   (1u + (GSP_BOUND_BELOW(x) | (GSP_BOUND_BELOW(x) >> 16)))
#define GSP_BOUND_BELOW(x)  GSP_BOUND_OR4(GSP_BOUND_OR4((size_t)(x)-1u, 1u), 4u)
#define GSP_BOUND_OR4(x, k) ((x) | ((x) >> (k)) | ((x) >> (2u * (k))) | ((x) >> (3u * (k))))

/* gsp_arena_init: an arena over `size` bytes at `memory` (any alignment; NULL: 0). Time: O(1). */
GSP_API void gsp_arena_init(gsp_arena *arena, void *memory, size_t size);

/* gsp_arena_left: bytes between both ends. Time: O(1). */
GSP_API size_t gsp_arena_left(const gsp_arena *arena);

/* gsp_arena_mark: the state of both ends. Time: O(1). */
GSP_API gsp_mark gsp_arena_mark(const gsp_arena *arena);

/* gsp_arena_rewind: back to a mark; releases everything allocated since. Time: O(1). */
GSP_API void gsp_arena_rewind(gsp_arena *arena, gsp_mark mark);

/* gsp_arena_push: aligned, uninitialised bytes at the low end; NULL: too many. Time: O(1). */
GSP_API void *gsp_arena_push(gsp_arena *arena, size_t count, size_t size);

/* gsp_arena_push_high: the same at the high end. Time: O(1). */
GSP_API void *gsp_arena_push_high(gsp_arena *arena, size_t count, size_t size);

/* gsp_arena_watch: measure `touched` anew from the present use. Time: O(1). */
GSP_API void gsp_arena_watch(gsp_arena *arena);

/* -------------------------------------------------------------------------------------------------
 * >>bitset   Sets of node ids                                                                 (API)
 * ---------------------------------------------------------------------------------------------- */

/* A view of words of the caller; bits at and above `n` are always 0. */
typedef struct gsp_bitset {
    uint32_t *words; /* [gsp_bitset_words(n)] */
    uint32_t n;      /* ids 0 .. n - 1 */
} gsp_bitset;

/* gsp_bitset_words: 32-bit words per set of n ids. Time: O(1). */
GSP_API size_t gsp_bitset_words(uint32_t n);

/* gsp_bitset_init: an empty set in `words` [gsp_bitset_words(n)]. Time: O(n / 32). */
GSP_API void gsp_bitset_init(gsp_bitset *set, uint32_t *words, uint32_t n);

/* gsp_bitset_set: add an id; no effect unless id < n. Time: O(1). */
GSP_API void gsp_bitset_set(gsp_bitset *set, uint32_t id);

/* gsp_bitset_clear: remove an id. Time: O(1). */
GSP_API void gsp_bitset_clear(gsp_bitset *set, uint32_t id);

/* gsp_bitset_has: 1 for a member. Time: O(1). */
GSP_API int gsp_bitset_has(const gsp_bitset *set, uint32_t id);

/* gsp_bitset_fill: all ids, or none. Time: O(n / 32). */
GSP_API void gsp_bitset_fill(gsp_bitset *set, int all);

/* gsp_bitset_or: a = a | b; no effect unless both have the same n. Time: O(n / 32). */
GSP_API void gsp_bitset_or(gsp_bitset *a, const gsp_bitset *b);

/* gsp_bitset_and: a = a & b. Time: O(n / 32). */
GSP_API void gsp_bitset_and(gsp_bitset *a, const gsp_bitset *b);

/* gsp_bitset_andnot: a = a & ~b. Time: O(n / 32). */
GSP_API void gsp_bitset_andnot(gsp_bitset *a, const gsp_bitset *b);

/* gsp_bitset_equal: 1 for equal sets of the same n. Time: O(n / 32). */
GSP_API int gsp_bitset_equal(const gsp_bitset *a, const gsp_bitset *b);

/* gsp_bitset_count: the number of members. Time: O(n / 32). */
GSP_API uint32_t gsp_bitset_count(const gsp_bitset *set);

/* gsp_bitset_next: the least member >= from, or GSP_NONE. Time: O(words skipped). */
GSP_API uint32_t gsp_bitset_next(const gsp_bitset *set, uint32_t from);

/* =================================================================================================
 * >>GRAPH   Modules, graphs, text                                                             (API)
 * ============================================================================================== */

/* The intermediate representation: immutable modules of graphs.
 *
 * In:      text (gsp_text_read), a builder (gsp_build_init), or a stored module (gsp_module_open)
 * Out:     gsp_module; gsp_graph, a view of one of its graphs; text (gsp_text_write)
 * Order:   read or build once; then queries and passes
 *
 *     text --> gsp_text_count --> gsp_text_read --> gsp_module --> gsp_module_graph --> passes
 */

/* -------------------------------------------------------------------------------------------------
 * >>graph   Modules, graphs, nodes, arguments, annotations                                    (API)
 * ---------------------------------------------------------------------------------------------- */

typedef uint32_t gsp_node; /* index of a node in its graph, in graph order */
typedef uint32_t gsp_atom; /* index of an interned string in its module */

/* A slice of text that another object owns; not NUL-terminated. */
typedef struct gsp_str {
    const char *data;
    uint32_t size; /* bytes */
} gsp_str;

/* The initialiser of a gsp_str, also a static one: gsp_str const name = GSP_STR("relu"); */
#define GSP_STR(literal)                            \
    {                                               \
        (literal), (uint32_t)(sizeof(literal) - 1u) \
    }

/* The operation of a node. */
typedef enum gsp_op {
    GSP_OP_NONE,
    GSP_OP_PLACEHOLDER,
    GSP_OP_GET_ATTR,
    GSP_OP_CALL_FUNCTION, /* the three calls are the callable nodes */
    GSP_OP_CALL_METHOD,
    GSP_OP_CALL_MODULE,
    GSP_OP_OUTPUT, /* exactly one per graph, its last node */
    GSP_OP_COUNT,
    GSP_OP_FORCE_U32 = 0x7FFFFFFF
} gsp_op;

/* The kind of value that a node yields. */
typedef enum gsp_value_kind {
    GSP_VALUE_TENSOR,    /* a tensor, or no annotation (0 bytes) */
    GSP_VALUE_AGGREGATE, /* a tuple, list or dict that holds a tensor */
    GSP_VALUE_OTHER,     /* any other: int, bool, a tuple of ints, ... */
    GSP_VALUE_COUNT,
    GSP_VALUE_FORCE_U32 = 0x7FFFFFFF
} gsp_value_kind;

/* Arguments are tokens in reading order; an opening and a closing token enclose the elements of a
 * container. The top level holds: of a call, positional and then, from the first KEY on, keyword
 * arguments; of a placeholder, its default, if any; of the output, the returned value. */
typedef enum gsp_arg_kind {
    GSP_ARG_NONE,
    GSP_ARG_NODE,     /* value: the node */
    GSP_ARG_CONSTANT, /* value: its spelling, a gsp_atom */
    GSP_ARG_KEY,      /* value: a gsp_atom; the key of the next element (dict, keyword) */
    GSP_ARG_TUPLE,    /* opening tokens; value: index of the matching CLOSE minus own index */
    GSP_ARG_LIST,
    GSP_ARG_DICT,
    GSP_ARG_SLICE,
    GSP_ARG_CLOSE, /* value: own index minus that of its opening token */
    GSP_ARG_COUNT,
    GSP_ARG_FORCE_U32 = 0x7FFFFFFF
} gsp_arg_kind;

/* One argument token. */
typedef struct gsp_arg {
    uint32_t kind; /* gsp_arg_kind */
    uint32_t value;
} gsp_arg;

/* One `key=value` of an annotation. The attributes of a node end with the key GSP_KEY_NONE. */
typedef struct gsp_attr {
    gsp_atom key; /* a gsp_key, or any other string */
    gsp_atom value;
} gsp_attr;

/* The known keys. They are the first strings of every module, in this order. */
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

/* The ids of the strings of GSP_KEY_LIST. */
typedef enum gsp_key {
#define GSP_KEY_ENUM(name, text) GSP_KEY_##name,
    GSP_KEY_LIST(GSP_KEY_ENUM)
#undef GSP_KEY_ENUM
        GSP_KEY_COUNT,
    GSP_KEY_FORCE_U32 = 0x7FFFFFFF
} gsp_key;

/* The kind of a callable node: 0 is the CPU, k accelerator k. */
#define GSP_KIND_CPU   0u
#define GSP_KIND_NONE  255u /* of a node that is not callable */

#define GSP_FLAG_ACC   1u /* has acc=: gsp_node_acc() says which */
#define GSP_FLAG_GROUP 2u /* has group= */
#define GSP_FLAG_BYTES 4u /* has bytes=, which overrides the type */

/* The counts that determine bounds. */
typedef struct gsp_counts {
    uint32_t graphs;
    uint32_t nodes;   /* of every operation */
    uint32_t edges;   /* distinct pairs of input and user, users include the output */
    uint32_t args;    /* argument tokens */
    uint32_t attrs;   /* attributes with terminators */
    uint32_t strings; /* distinct strings with the known keys */
    uint32_t bytes;   /* of all distinct strings */
} gsp_counts;

/* The nodes of a graph within its module. */
typedef struct gsp_graph_entry {
    gsp_atom name;
    uint32_t first; /* index of its first node in the node arrays */
    uint32_t n_nodes;
} gsp_graph_entry;

/* The first use of a called leaf module or of a parameter. */
typedef struct gsp_symbol {
    gsp_atom target; /* qualified name */
    uint32_t graph;
    gsp_node node;
} gsp_symbol;

/* A module: a root (graph 0), the graphs that it calls and their strings, in one relocatable block
 * to copy, store and open. This view is read-only; node arrays hold one graph after the other. */
typedef struct gsp_module {
    const void *block;
    size_t block_size; /* bytes */
    gsp_counts counts;
    uint32_t n_params;
    uint32_t n_leaves;
    const uint64_t *bytes;         /* [nodes] of the output */
    const gsp_graph_entry *graphs; /* [graphs] */
    const uint32_t *by_name;       /* [graphs] graph ids by ascending name id */
    const gsp_atom *name;          /* [nodes] */
    const gsp_atom *target;        /* [nodes] */
    const gsp_atom *type;          /* [nodes] TYPE of the annotation, or GSP_KEY_NONE */
    const uint32_t *attr;          /* [nodes] first attribute in attrs */
    const uint32_t *arg_begin;     /* [nodes + 1] into args */
    const uint32_t *in_begin;      /* [nodes + 1] into inputs */
    const uint32_t *user_begin;    /* [nodes + 1] into users */
    const gsp_node *inputs;        /* [edges] distinct inputs per node, in argument order */
    const gsp_node *users;         /* [edges] distinct users per node, ascending */
    const gsp_arg *args;           /* [args] */
    const gsp_attr *attrs;         /* [attrs] */
    const gsp_symbol *params;      /* [n_params] distinct targets of get_attr, by first use */
    const gsp_symbol *leaves;      /* [n_leaves] distinct called leaf modules, by first use */
    const uint32_t *string_begin;  /* [strings + 1] into chars */
    const uint8_t *op;             /* [nodes] gsp_op */
    const uint8_t *out;            /* [nodes] gsp_value_kind */
    const uint8_t *flags;          /* [nodes] GSP_FLAG_ */
    const char *chars;             /* [bytes] */
} gsp_module;

/* One graph of a module, passed by value; the module must outlive it. */
typedef struct gsp_graph {
    const gsp_module *module;
    uint32_t id;    /* index in module->graphs */
    uint32_t first; /* index of its first node in the node arrays */
    uint32_t n_nodes;
} gsp_graph;

/* gsp_module_graph: graph `id` < counts.graphs. Time: O(1). */
GSP_API gsp_graph gsp_module_graph(const gsp_module *module, uint32_t id);

/* gsp_graph_counts: the counts of a graph; strings and bytes are the module's. Time: O(1). */
GSP_API gsp_counts gsp_graph_counts(const gsp_graph *graph);

/* -------------------------------------------------------------------------------------------------
 * >>build   Making a module step by step                                                      (API)
 * ---------------------------------------------------------------------------------------------- */

/* A builder keeps its first error for gsp_build_finish(). The fields are private. */
typedef struct gsp_builder {
    gsp_arena *arena;
    gsp_mark mark;
    gsp_error error;
    gsp_counts cap;
    gsp_counts used;
    int open;           /* inside a graph */
    uint32_t first;     /* first node of the present graph, in the whole module */
    uint32_t current;   /* present node, in the whole module, or GSP_NONE */
    uint32_t run;       /* its first attribute */
    int keyed;          /* it has keyword arguments */
    uint32_t container; /* innermost open container, or GSP_NONE */
    uint32_t slice;     /* outermost open slice, or GSP_NONE */
    gsp_module *made;   /* the future result */
    uint64_t *bytes;
    gsp_graph_entry *graphs;
    gsp_atom *name;
    gsp_atom *target;
    gsp_atom *type;
    uint32_t *attr;
    uint32_t *arg_begin;
    gsp_arg *args;
    gsp_attr *attrs;
    uint32_t *string_begin;
    uint8_t *op;
    uint8_t *out;
    uint8_t *flags;
    char *chars;
    uint32_t *hash; /* [hash_mask + 1] string ids, or GSP_NONE */
    uint32_t hash_mask;
    uint32_t *node_of;     /* [strings] node of this name in the present graph, module-wide id */
    uint32_t *suffix_low;  /* [strings] base_N is taken for suffix_low <= N */
    uint32_t *suffix_high; /* [strings] and N < suffix_high */
    uint32_t *suffix_in;   /* [strings] in this graph */
} gsp_builder;

/* gsp_build_bound: bytes for building a module of at most these counts. Time: O(1). */
GSP_API size_t gsp_build_bound(const gsp_counts *counts);

/* gsp_build_bound() of gsp_build_counts() as a constant. */
#define GSP_BUILD_BOUND(graphs, nodes, args, attrs, strings, bytes)           \
    (GSP_BUILD_BOUND_LISTS((size_t)(graphs), (size_t)(nodes), (size_t)(args), \
                           (size_t)(attrs) + (nodes) + 1u) +                  \
     GSP_BUILD_BOUND_TEXT((size_t)(strings) + GSP_KEY_COUNT,                  \
                          (size_t)(bytes) + GSP_BUILD_BOUND_KEYS) +           \
     GSP_BOUND_ARRAY(1u, sizeof(gsp_module)) + 68u + GSP_BOUND_SLACK + GSP_ALIGN)
#define GSP_BUILD_BOUND_LISTS(graphs, nodes, args, attrs)                                       \
    (GSP_BOUND_ARRAY((nodes) + (graphs), 8u) + GSP_BOUND_ARRAY(graphs, 12u) +                   \
     4u * GSP_BOUND_ARRAY(nodes, 4u) + GSP_BOUND_ARRAY((nodes) + 1u, 4u) +                      \
     GSP_BOUND_ARRAY(args, 8u) + GSP_BOUND_ARRAY(attrs, 8u) + 3u * GSP_BOUND_ARRAY(nodes, 1u) + \
     (nodes)*63u + (graphs)*16u + (args)*16u + (attrs)*8u)
#define GSP_BUILD_BOUND_TEXT(strings, bytes)                                                   \
    (5u * GSP_BOUND_ARRAY((strings) + 1u, 4u) + GSP_BOUND_ARRAY(bytes, 1u) +                   \
     GSP_BOUND_ARRAY(GSP_BOUND_POW2((strings) + (strings) / 2u), 4u) + ((strings) + 1u) * 4u + \
     (bytes))
#define GSP_BUILD_BOUND_KEYS            (sizeof("" GSP_KEY_LIST(GSP_BUILD_BOUND_KEY)) - 1u)
#define GSP_BUILD_BOUND_KEY(name, text) text

/* gsp_build_counts: the counts of the caller plus the additions of the builder. Time: O(1). */
GSP_API gsp_counts gsp_build_counts(uint32_t graphs, uint32_t nodes, uint32_t args, uint32_t attrs,
                                    uint32_t strings, uint32_t bytes);

/* gsp_build_init: start a module of at most `counts` (see gsp_build_counts). Later calls need no
 * memory and report more items as OVERFLOW, with a detail such as CAPACITY_NODES. Errors: ARG,
 * OVERFLOW, NOMEM. Time: O(strings). Memory: gsp_build_bound(), of which only the module stays. */
GSP_API gsp_status gsp_build_init(gsp_builder *b, gsp_arena *arena, const gsp_counts *counts,
                                  gsp_error *err);

/* gsp_build_graph: start a graph; the root is first, alone "main", if unnamed. Time: O(name). */
GSP_API void gsp_build_graph(gsp_builder *b, gsp_str name);

/* gsp_build_node: add a node of any op but OUTPUT; its id, or GSP_NONE after an error (DUPLICATE:
 * error.other has the name). Its arguments, type and attributes follow. Time: O(name + target). */
GSP_API gsp_node gsp_build_node(gsp_builder *b, gsp_op op, gsp_str name, gsp_str target);

/* gsp_build_output: add the output; its argument ends the graph. Time: O(1). */
GSP_API gsp_node gsp_build_output(gsp_builder *b);

/* gsp_build_arg_node: a node as next argument, in the order of gsp_arg_kind. Time: O(1). */
GSP_API void gsp_build_arg_node(gsp_builder *b, gsp_node node);

/* gsp_build_constant: a constant that reads back from the text form. Time: O(size). */
GSP_API void gsp_build_constant(gsp_builder *b, gsp_str spelling);

/* gsp_build_key: the key of the next element. Time: O(size). */
GSP_API void gsp_build_key(gsp_builder *b, gsp_str key);

/* gsp_build_open: open a tuple, list, dict or slice, at any depth. Time: O(1). */
GSP_API void gsp_build_open(gsp_builder *b, gsp_arg_kind container);

/* gsp_build_close: close the innermost container. Time: O(1). */
GSP_API void gsp_build_close(gsp_builder *b);

/* gsp_build_type: the TYPE of the present node: value kind and bytes. Time: O(size). */
GSP_API void gsp_build_type(gsp_builder *b, gsp_str type);

/* gsp_build_attr: one key=value of the present node; known numbers are checked. Time: O(size). */
GSP_API void gsp_build_attr(gsp_builder *b, gsp_str key, gsp_str value);

/* gsp_build_adopt: copy all strings and attributes of a module, ids unchanged, before the first
 * graph; the functions below take these ids. Time: O(strings + bytes + attrs). */
GSP_API void gsp_build_adopt(gsp_builder *b, const gsp_module *module);

/* gsp_build_atom: the id of a string, new or existing. Time: O(size). */
GSP_API gsp_atom gsp_build_atom(gsp_builder *b, gsp_str text);

/* gsp_build_name: a free node name of the present graph by the rules of PyTorch: bytes outside
 * [0-9A-Za-z_] become one '_', '_' precedes a leading digit, and a taken name gets the next free
 * number ("add" -> "add_1", "add_1" -> "add_2"). Time: O(size) amortised. */
GSP_API gsp_atom gsp_build_name(gsp_builder *b, gsp_str wanted);

/* gsp_build_reserve: exclude a name of the present graph from gsp_build_name(). Time: O(1). */
GSP_API void gsp_build_reserve(gsp_builder *b, gsp_atom name);

/* gsp_build_node_atoms: gsp_build_node() by ids. Time: O(1). */
GSP_API gsp_node gsp_build_node_atoms(gsp_builder *b, gsp_op op, gsp_atom name, gsp_atom target);

/* gsp_build_arg: one token; the values of opening and closing ones are ignored. Time: O(1). */
GSP_API void gsp_build_arg(gsp_builder *b, gsp_arg arg);

/* gsp_build_like: copy type and bytes of a node of the adopted module, or its whole annotation if
 * `attributes` != 0, to the present node. Time: O(attributes). */
GSP_API void gsp_build_like(gsp_builder *b, const gsp_graph *graph, gsp_node node, int attributes);

/* gsp_build_finish: check the last graph and make the module, a compact block at the low end.
 * Errors: the first of the builder; UNDEFINED, PARSE (no output), EMPTY (no graph); the arena is as
 * before gsp_build_init(). Time: O(nodes + args + strings). Memory: within gsp_build_bound(). */
GSP_API gsp_status gsp_build_finish(gsp_builder *b, gsp_module *module, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>query   Questions about a finished graph                                                  (API)
 * ---------------------------------------------------------------------------------------------- */

/* For a missing node, graph or string, the result is empty, GSP_OP_NONE or 0; where 0 has a
 * meaning, GSP_NONE or -1. */

/* gsp_str_of: a slice of a NUL-terminated string (NULL: empty). Time: O(size). */
GSP_API gsp_str gsp_str_of(const char *s);

/* gsp_str_equal: 1 for equal bytes. Time: O(size). */
GSP_API int gsp_str_equal(gsp_str a, gsp_str b);

/* gsp_str_number: parse decimal digits; 0: other bytes, or more than 64 bits. Time: O(size). */
GSP_API int gsp_str_number(gsp_str text, uint64_t *value);

/* gsp_str_glob: 1 when `text` matches `pattern` with `*` and `?`. Time: O(text * stars). */
GSP_API int gsp_str_glob(gsp_str pattern, gsp_str text);

#ifndef GSP_NO_COST
/* gsp_str_decimal: parse a decimal such as 1.5e-06, inf or nan; 1 on success. Rounds as strtod
 * does, but in integers: the same bits everywhere. Time: O(size + exponent^2). */
GSP_API int gsp_str_decimal(gsp_str text, double *value);
#endif

/* gsp_module_str: the bytes of a string. Time: O(1). */
GSP_API gsp_str gsp_module_str(const gsp_module *module, gsp_atom s);

/* gsp_module_find_graph: index of the graph of this name, or GSP_NONE. Time: O(log graphs). */
GSP_API uint32_t gsp_module_find_graph(const gsp_module *module, gsp_atom name);

/* gsp_graph_find: the node of this name, or GSP_NONE. The output has no name. Time: O(nodes). */
GSP_API gsp_node gsp_graph_find(const gsp_graph *graph, gsp_str name);

/* gsp_node_op: the operation. Time: O(1). */
GSP_API gsp_op gsp_node_op(const gsp_graph *graph, gsp_node node);

/* gsp_node_value_kind: the kind of its value. Time: O(1). */
GSP_API gsp_value_kind gsp_node_value_kind(const gsp_graph *graph, gsp_node node);

/* gsp_node_is_callable: 1 for the three calls. Time: O(1). */
GSP_API int gsp_node_is_callable(const gsp_graph *graph, gsp_node node);

/* gsp_node_bytes: bytes of the output. Time: O(1). */
GSP_API uint64_t gsp_node_bytes(const gsp_graph *graph, gsp_node node);

/* gsp_node_name: unique in its graph. Time: O(1). */
GSP_API gsp_str gsp_node_name(const gsp_graph *graph, gsp_node node);

/* gsp_node_target: the target of a call, or the name of an attribute. Time: O(1). */
GSP_API gsp_str gsp_node_target(const gsp_graph *graph, gsp_node node);

/* gsp_node_type: the TYPE of its annotation. Time: O(1). */
GSP_API gsp_str gsp_node_type(const gsp_graph *graph, gsp_node node);

/* gsp_node_class: `module=` of a called module, else the target. Time: O(attributes). */
GSP_API gsp_str gsp_node_class(const gsp_graph *graph, gsp_node node);

/* gsp_node_scope: `scope=`, else the target of a called module, else empty. Time: O(attributes). */
GSP_API gsp_str gsp_node_scope(const gsp_graph *graph, gsp_node node);

/* gsp_node_attr: the value of an attribute; NULL data: none of that key. Time: O(attributes). */
GSP_API gsp_str gsp_node_attr(const gsp_graph *graph, gsp_node node, gsp_key key);

/* gsp_node_params: `params=` of a module, bytes of a get_attr, else 0. Time: O(attributes). */
GSP_API uint64_t gsp_node_params(const gsp_graph *graph, gsp_node node);

/* gsp_node_acc: the override `acc=`: -1 none, 0 the CPU, k accelerator k. Time: O(attributes). */
GSP_API int gsp_node_acc(const gsp_graph *graph, gsp_node node);

/* gsp_node_is_barrier: 1 for `barrier=` other than 0. Time: O(attributes). */
GSP_API int gsp_node_is_barrier(const gsp_graph *graph, gsp_node node);

#ifndef GSP_NO_COST
/* gsp_node_seconds: `mem=`, `compute=`, `cpu=` or `comm=`, else 0. Time: O(attributes). */
GSP_API double gsp_node_seconds(const gsp_graph *graph, gsp_node node, gsp_key key);
#endif

/* gsp_node_inputs: distinct inputs, in argument order. Time: O(1). */
GSP_API const gsp_node *gsp_node_inputs(const gsp_graph *graph, gsp_node node, uint32_t *count);

/* gsp_node_users: distinct users, ascending. Time: O(1). */
GSP_API const gsp_node *gsp_node_users(const gsp_graph *graph, gsp_node node, uint32_t *count);

/* gsp_node_args: argument tokens. Time: O(1). */
GSP_API const gsp_arg *gsp_node_args(const gsp_graph *graph, gsp_node node, uint32_t *count);

/* gsp_node_leaf: the token at a flattened position, as in `mutates=` and `alias=`, which count
 * nodes and constants at any depth; else GSP_NONE. Time: O(args). */
GSP_API uint32_t gsp_node_leaf(const gsp_graph *graph, gsp_node node, uint32_t position);

/* gsp_node_element: the index that an `operator.getitem` with a constant index selects; GSP_NONE:
 * another node, or no such element in the TYPE. Time: O(size of the type). */
GSP_API uint32_t gsp_node_element(const gsp_graph *graph, gsp_node node);

/* gsp_node_element_of: the same for a TYPE of `count` elements (GSP_NONE: unknown). Time: O(1). */
GSP_API uint32_t gsp_node_element_of(const gsp_graph *graph, gsp_node node, uint32_t count);

/* gsp_type_container: GSP_ARG_TUPLE, _LIST or _DICT for the TYPE of an aggregate, else _NONE.
 * *count: its elements; GSP_NONE: no flat tuple or list. Time: O(size), O(1) with count NULL. */
GSP_API gsp_arg_kind gsp_type_container(gsp_str type, uint32_t *count);

/* gsp_type_next_element: the TYPE of the next element of such a tuple or list; *at: its end, 0 at
 * the start. Returns 0 after the last. Time: O(size of the element). */
GSP_API int gsp_type_next_element(gsp_str type, uint32_t *at, gsp_str *element);

/* gsp_type_next: dtype ("f32") and dimensions ("1, 3") of the next tensor of a TYPE from *at on,
 * and moves *at. Returns 0 after the last. Time: O(size). */
GSP_API int gsp_type_next(gsp_str type, uint32_t *at, gsp_str *dtype, gsp_str *dims);

/* -------------------------------------------------------------------------------------------------
 * >>check   Opening a stored module, validation                                               (API)
 * ---------------------------------------------------------------------------------------------- */

/* gsp_module_open: a view of a stored module; `block` is aligned to 8 and outlives the view. Checks
 * every count, offset, id and row, so that no later query or pass can leave the block; with
 * `trusted` != 0 only the header. Errors: ARG (alignment), DAMAGED (node, if known), CYCLE (an
 * input at or after its user). Time: O(block), for a node of k unordered inputs O(k * nodes / 768);
 * O(1) when trusted. Memory: none. */
GSP_API gsp_status gsp_module_open(gsp_module *module, const void *block, size_t size, int trusted,
                                   gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>text   Reading and writing the graph text                                                 (API)
 * ---------------------------------------------------------------------------------------------- */

/* Receives pieces of text in order; returns 0 to continue, else to stop. */
typedef int (*gsp_sink)(void *user, const char *data, size_t size);

/* gsp_error_write: an error as one sentence, "PARSE: expected a number, line 3, column 7". `graph`,
 * unless NULL, gives names. Errors: ARG, LIMIT (the sink stopped). Time: O(text). Memory: none. */
GSP_API gsp_status gsp_error_write(const gsp_error *err, const gsp_graph *graph, gsp_sink sink,
                                   void *user);

#ifndef GSP_NO_TEXT

/* Options of reading and writing. */
typedef struct gsp_text_desc {
    uint32_t start_canary;
    uint8_t check_users;    /* read: 1: check num_users */
    uint8_t no_annotations; /* write: 1: omit annotations */
    uint8_t hoist;          /* write: 1: placeholders first, in their own order */
    uint8_t as_module;      /* write: 1: a `module NAME` line also for a single graph */
    uint32_t end_canary;
} gsp_text_desc;

/* gsp_text_count: upper bounds of the counts of a text, for gsp_build_bound(). Errors: ARG,
 * OVERFLOW (2^32 items, 4 GiB). Time: O(size). Memory: none. */
GSP_API gsp_status gsp_text_count(const char *text, size_t size, gsp_counts *counts,
                                  gsp_error *err);

/* gsp_text_read: a module from its text form (section 6), root first; a text without `module` lines
 * gives one graph, "main". Errors: ARG, DESC, PARSE (line, column, detail), OVERFLOW (sizes). Time:
 * O(size). Memory: gsp_build_bound(gsp_text_count()); only the module stays. */
GSP_API gsp_status gsp_text_read(gsp_arena *arena, const char *text, size_t size,
                                 const gsp_text_desc *desc, gsp_module *module, gsp_error *err);

/* gsp_text_write: a module as text, which reads back as an equal module. Errors: ARG, DESC, LIMIT
 * (the sink stopped). Time: O(text). Memory: none. */
GSP_API gsp_status gsp_text_write(const gsp_module *module, const gsp_text_desc *desc,
                                  gsp_sink sink, void *user, gsp_error *err);

/* gsp_text_write_graph: one graph. Errors: ARG, DESC, LIMIT. Time: O(text). Memory: none. */
GSP_API gsp_status gsp_text_write_graph(const gsp_graph *graph, const gsp_text_desc *desc,
                                        gsp_sink sink, void *user, gsp_error *err);

/* gsp_text_write_value: the tokens args[0 .. count) as text, with `output` != 0 as after `return`.
 * Errors: ARG, LIMIT. Time: O(text). Memory: none. */
GSP_API gsp_status gsp_text_write_value(const gsp_graph *graph, const gsp_arg *args, uint32_t count,
                                        int output, gsp_sink sink, void *user, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>topo_order   Topological orders                                                           (API)
 * ---------------------------------------------------------------------------------------------- */

/* The choice among the nodes whose inputs have been placed. */
typedef enum gsp_topo_order_kind {
    GSP_TOPO_ORDER_LEAST, /* the least id */
    GSP_TOPO_ORDER_STACK, /* the last that became ready */
    GSP_TOPO_ORDER_QUEUE, /* the first that became ready */
    GSP_TOPO_ORDER_DEPTH, /* depth first from the results: each node directly after its inputs */
    GSP_TOPO_ORDER_COUNT,
    GSP_TOPO_ORDER_FORCE_U32 = 0x7FFFFFFF
} gsp_topo_order_kind;

/* Options of the run. */
typedef struct gsp_topo_order_desc {
    uint32_t start_canary;
    uint32_t kind;     /* gsp_topo_order_kind */
    uint32_t backward; /* 1: from the users' side, then reversed */
    uint32_t seed;     /* DEPTH: selects the input visited first; 0: the first */
    uint32_t end_canary;
} gsp_topo_order_desc;

/* Another order of a graph. */
typedef struct gsp_topo_order_result {
    uint32_t n_nodes;
    const gsp_node *order; /* [n_nodes] inputs before users */
} gsp_topo_order_result;

/* gsp_topo_order_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_topo_order_bound(const gsp_graph *graph, const gsp_topo_order_desc *desc);

/* gsp_topo_order_run: a topological order of all nodes; LEAST without `backward` is graph order.
 * Errors: ARG, DESC (CHOICE). Time: O(nodes + edges), LEAST O(nodes log nodes + edges). Memory:
 * gsp_topo_order_bound(); 4 bytes per node stay. See: Kahn 1962; Tarjan 1972. */
GSP_API gsp_status gsp_topo_order_run(gsp_arena *arena, const gsp_graph *graph,
                                      const gsp_topo_order_desc *desc,
                                      gsp_topo_order_result *result, gsp_error *err);

/* =================================================================================================
 * >>SPLIT   CPU and accelerator subgraphs                                                     (API)
 * ============================================================================================== */

/* Assigns nodes to the CPU and to accelerators, and makes graphs of the subgraphs.
 *
 * In:      gsp_graph; operator tables, rules and pins, or a gsp_placement of the caller
 * Out:     gsp_placement, gsp_split_result, modules
 * Order:   support, split (which runs acc_nodes and fuse), then split_by_tags. split_module cuts
 *          by any other assignment; subgraph_grow, minimize, preview examine and change a split.
 *
 *     support --> acc_nodes --> fuse --> split --> split_by_tags --> module
 *     kind per node, reason     groups   subgraphs                   root calls subgraphs
 */
#ifndef GSP_NO_SPLIT

/* -------------------------------------------------------------------------------------------------
 * >>support   Operator support and pins                                                       (API)
 * ---------------------------------------------------------------------------------------------- */

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
    X(MOVED, "moved to the only subgraph that reads its non-tensor value")  \
    X(DTYPE, "its operator is supported, but not with this dtype")          \
    X(LARGE, "its group is above the maximum size of a subgraph")

/* Why a callable node is where it is. */
typedef enum gsp_reason {
#define GSP_REASON_ENUM(name, text) GSP_REASON_##name,
    GSP_REASON_LIST(GSP_REASON_ENUM)
#undef GSP_REASON_ENUM
        GSP_REASON_COUNT,
    GSP_REASON_FORCE_U32 = 0x7FFFFFFF
} gsp_reason;

/* gsp_reason_name: "NON_TENSOR_IN". Time: O(1). */
GSP_API const char *gsp_reason_name(gsp_reason reason);

/* gsp_reason_text: a phrase, or "" with GSP_NO_MESSAGES. Time: O(1). */
GSP_API const char *gsp_reason_text(gsp_reason reason);

/* Where every node may run, and why. gsp_split_run() needs `kind` only. */
typedef struct gsp_placement {
    uint32_t n_nodes;
    uint32_t n_kinds;  /* 1 + accelerators, at most 255 */
    uint32_t trusted;  /* 1: kind and group are valid and are not checked */
    uint8_t *kind;     /* [n] 0: CPU, k: accelerator k, GSP_KIND_NONE: not callable */
    uint8_t *reason;   /* [n] gsp_reason */
    gsp_node *culprit; /* [n] the node that caused it; GSP_NONE: none, or the node itself */
    uint32_t *group;   /* [n] equal ids (< n) must stay together; GSP_NONE: alone */
} gsp_placement;

/* Accepted dtypes of one argument of an operator. */
typedef struct gsp_arg_dtypes {
    gsp_str key;       /* keyword; empty: positional */
    uint32_t position; /* from 0; only if positional */
    gsp_str dtypes;    /* "i8,qi8"; empty: any */
} gsp_arg_dtypes;

/* A table line. 'x*' matches a prefix. The last match decides; equal names are alternatives. */
typedef struct gsp_table_entry {
    gsp_str name;
    gsp_str dtypes;             /* of all tensor inputs and outputs; empty: any */
    const gsp_arg_dtypes *args; /* [n_args] further conditions */
    uint32_t n_args;
    uint32_t remove; /* 1: removes the name */
} gsp_table_entry;

/* GSP_OP: a line of a static table: {GSP_OP("CONV_2D", "i8,qi8"), GSP_OP("RELU*", "")}. */
#define GSP_OP(name, dtypes)                                                                    \
    {                                                                                           \
        {"" name, (uint32_t)(sizeof(name) - 1u)}, {"" dtypes, (uint32_t)(sizeof(dtypes) - 1u)}, \
            NULL, 0u, 0u                                                                        \
    }

/* A support table. */
typedef struct gsp_table {
    const gsp_table_entry *entries;
    uint32_t n_entries;
    uint32_t trusted; /* 1: the lines are valid and are not checked */
    uint8_t *matched; /* [n_entries] set to 1 where a line names a callable node; or NULL */
} gsp_table;

/* Returns 1 if the accelerator supports the node. */
typedef int (*gsp_support_func)(void *user, const gsp_graph *graph, gsp_node node);

/* A postfix program on 64 truth values that leaves one: the first four push, the others combine. */
typedef enum gsp_rule_kind {
    GSP_RULE_ANNOTATION, /* acc= names this accelerator; 0 without annotation */
    GSP_RULE_TABLE,
    GSP_RULE_CALL,
    GSP_RULE_DTYPES, /* all tensor inputs and outputs have one of `dtypes` */
    GSP_RULE_NOT,
    GSP_RULE_ALL, /* of the last `count` values */
    GSP_RULE_ANY,
    GSP_RULE_COUNT,
    GSP_RULE_FORCE_U32 = 0x7FFFFFFF
} gsp_rule_kind;

/* One rule; `kind` selects the fields that count. */
typedef struct gsp_rule {
    uint32_t kind;
    uint32_t count;        /* ALL, ANY; 0 or 1 for NOT */
    gsp_table table;       /* TABLE */
    gsp_support_func func; /* CALL */
    void *user;            /* CALL */
    gsp_str dtypes;        /* DTYPES: "i8,qi8" */
} gsp_rule;

/* The operators that an accelerator supports. */
typedef struct gsp_accelerator {
    const gsp_rule *rules; /* none: only acc= and pins */
    uint32_t n_rules;
} gsp_accelerator;

/* The property of a node that a pin matches. */
typedef enum gsp_pin_what {
    GSP_PIN_NAME,   /* node names */
    GSP_PIN_SCOPE,  /* module path: itself and all below */
    GSP_PIN_TARGET, /* target, or class of a called module */
    GSP_PIN_NODE,
    GSP_PIN_COUNT,
    GSP_PIN_FORCE_U32 = 0x7FFFFFFF
} gsp_pin_what;

/* Forces matching nodes onto one kind. `*` matches any bytes, `?` one byte. */
typedef struct gsp_pin {
    uint32_t what;
    uint32_t kind; /* 0: CPU, k: accelerator k */
    gsp_str pattern;
    gsp_node node; /* NODE */
} gsp_pin;

/* Options of the run. */
typedef struct gsp_support_desc {
    uint32_t start_canary;
    uint32_t n_accelerators;             /* 0: one, which supports what acc= names */
    const gsp_accelerator *accelerators; /* in order of priority */
    const gsp_pin *pins;                 /* override acc= and rules; the last match wins */
    uint32_t n_pins;
    uint32_t ignore_annotation; /* 1: the rules override acc= */
    uint32_t ignore_groups;     /* 1: group= is ignored */
    uint32_t end_canary;
} gsp_support_desc;

/* gsp_table_bound: bytes for gsp_table_read(). Time: O(size). */
GSP_API size_t gsp_table_bound(gsp_str text);

/* gsp_table_read: a support table from an operator file: one name per line, `NAME*`, `NAME i8,qi8`,
 * `!NAME`, `#` comments. A `*` inside a name is an error. The table points into the text. Errors:
 * ARG, PARSE (line, column). Time: O(size). Memory: gsp_table_bound(). */
GSP_API gsp_status gsp_table_read(gsp_arena *arena, gsp_str text, gsp_table *table, gsp_error *err);

/* gsp_support_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_support_bound(const gsp_graph *graph, const gsp_support_desc *desc);

/* GSP_SUPPORT_BOUND: the same without pins; n_strings is counts.strings of the module. */
#define GSP_SUPPORT_BOUND(n_nodes, n_strings)                                                  \
    (5u * GSP_BOUND_ARRAY(n_nodes, 1u) + 3u * GSP_BOUND_ARRAY(n_nodes, 4u) +                   \
     GSP_BOUND_ARRAY(n_nodes, 8u) + GSP_BOUND_ARRAY(n_strings, 4u) + GSP_BOUND_ARRAY(1u, 4u) + \
     GSP_BOUND_SLACK)

/* gsp_support_run: for every callable node the first accelerator that supports it.
 *
 * What:    acc= overrides the rules of each accelerator, pins override both. The nodes of one
 *          group= go to the first accelerator that supports them all, else to the CPU.
 * Out:     out: kind, reason (SUPPORTED, UNSUPPORTED, DTYPE, PINNED, GROUP), culprit, group
 * Errors:  ARG (RULE: of an accelerator; ENTRY: a table line of accelerator other; CHOICE, KIND);
 *          after NOMEM: ARG (PIN: a pin without wildcards names nothing)
 * Time:    O(nodes * (rules + pins with wildcards) + strings * table entries + pins); O(nodes *
 *          table entries) for a table whose last line of a name keeps refusing dtypes
 * Memory:  the bound
 */
GSP_API gsp_status gsp_support_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_support_desc *desc, gsp_placement *out,
                                   gsp_error *err);

/* The decision about one node and one accelerator: a pin, acc=, or a rule. */
typedef struct gsp_why {
    uint32_t takes;     /* 1: supported, unless its group forbids it */
    uint32_t pin;       /* the pin that decides, or GSP_NONE */
    uint32_t annotated; /* 1: acc= decides */
    uint32_t rule;      /* the first rule that alone gives this answer, or GSP_NONE */
    uint32_t line;      /* the last table line that names the node, or GSP_NONE */
    uint32_t arg;       /* the argument condition of this line that fails, or GSP_NONE */
    gsp_node culprit;   /* the input or node whose dtype is refused, or GSP_NONE */
    gsp_str dtype;
    gsp_str accepted;
} gsp_why;

/* gsp_support_why: the pin, rule, table line and dtype that decide about a callable node and
 * accelerator `kind` (1, 2, ...) in gsp_support_run() with this desc.
 *
 * Errors:  ARG (RANGE: no callable node; others as gsp_support_run())
 * Time:    O(pins + rules + table entries). Memory: none
 * Example: examples/why.c
 */
GSP_API gsp_status gsp_support_why(const gsp_graph *graph, const gsp_support_desc *desc,
                                   gsp_node node, uint32_t kind, gsp_why *why, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>acc_nodes   Accelerator nodes without non-tensor boundaries                               (API)
 * ---------------------------------------------------------------------------------------------- */

/* gsp_acc_nodes_bound, GSP_ACC_NODES_BOUND: bytes for the run. Time: O(1). */
GSP_API size_t gsp_acc_nodes_bound(const gsp_graph *graph);
#define GSP_ACC_NODES_BOUND(n_nodes, n_edges) (2u * GSP_BOUND_ARRAY(n_nodes, 4u) + GSP_BOUND_SLACK)

/* gsp_acc_nodes_run: removes nodes from accelerators until no non-tensor value (int, tuple, ...)
 * crosses an accelerator boundary, graph inputs and outputs included.
 *
 * What:    The result is the greatest fixpoint below the given placement, independent of the
 *          visiting order. Nodes of one group leave together.
 * In, out: io: kind is reduced; reason, culprit (or NULL): NON_TENSOR_IN, NON_TENSOR_OUT, GROUP
 * Errors:  ARG (KIND)
 * Time:    O(nodes + edges). Memory: the bound, nothing stays
 * See:     torch.fx splitter_base, FxNetAccNodesFinder
 */
GSP_API gsp_status gsp_acc_nodes_run(gsp_arena *arena, const gsp_graph *graph, gsp_placement *io,
                                     gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>fuse   Fusion groups: nodes that must run in one subgraph                                 (API)
 * ---------------------------------------------------------------------------------------------- */

/* Fusion groups; their ids are in the placement. */
typedef struct gsp_fuse_result {
    uint32_t n_groups;     /* numbered by first member, on the CPU too */
    const gsp_node *order; /* [n] topological order with contiguous groups; NULL: no groups */
} gsp_fuse_result;

#ifndef GSP_NO_FUSE

/* Options of the run. */
typedef struct gsp_fuse_desc {
    uint32_t start_canary;
    uint32_t skip; /* 1: only the given groups, no fusion over non-tensor values */
    uint32_t end_canary;
} gsp_fuse_desc;

/* gsp_fuse_bound, GSP_FUSE_BOUND: bytes for the run. Time: O(1). */
GSP_API size_t gsp_fuse_bound(const gsp_graph *graph, const gsp_fuse_desc *desc);
#define GSP_FUSE_BOUND(n_nodes, n_edges) \
    (7u * GSP_BOUND_ARRAY(n_nodes, 4u) + GSP_BOUND_ARRAY(n_nodes, 1u) + GSP_BOUND_SLACK)

/* gsp_fuse_run: fusion groups, the nodes that must run in one subgraph.
 *
 * What:    Accelerator nodes that exchange values without tensor metadata are fused, with all nodes
 *          on paths between them. A group that cannot run on one accelerator is dissolved: its
 *          nodes go to the CPU, and so do groups that share nodes with it. Groups that share a node
 *          or depend on each other are merged. Given groups stay whole, on the CPU too.
 * In, out: io: kind (reduced) and group (final) are required; reason, culprit: FUSED, GROUP
 * Errors:  ARG (KIND)
 * Time:    O(nodes + edges) if no group lies on a cycle with a node of another kind; each group
 *          that does adds one search over the nodes between its first and last member
 * Memory:  the bound
 * See:     torch.fx tools_common, FxNetAccFusionsFinder; Tarjan 1972; Pearce 2016
 */
GSP_API gsp_status gsp_fuse_run(gsp_arena *arena, const gsp_graph *graph, const gsp_fuse_desc *desc,
                                gsp_placement *io, gsp_fuse_result *result, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>move_non_tensor   Moving non-tensor values off boundaries                                 (API)
 * ---------------------------------------------------------------------------------------------- */

#ifndef GSP_NO_MOVE_NON_TENSOR

/* Options of the run. */
typedef struct gsp_move_non_tensor_desc {
    uint32_t start_canary;
    uint32_t n_subgraphs;
    const uint8_t *kind;   /* [n_subgraphs] 0: CPU, k: accelerator k; required */
    const uint32_t *group; /* [n] nodes with an id do not move; or NULL */
    uint32_t end_canary;
} gsp_move_non_tensor_desc;

/* gsp_move_non_tensor_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_move_non_tensor_bound(const gsp_graph *graph,
                                         const gsp_move_non_tensor_desc *desc);

/* gsp_move_non_tensor_run: moves non-tensor values off the boundaries of accelerator subgraphs.
 *
 * What:    A node of an accelerator subgraph that yields no tensor, and whose readers all lie in
 *          one later subgraph, moves there, unless that is on another accelerator. Readers in its
 *          own subgraph move along if all nodes that they reach lie there too. Later subgraphs come
 *          first, so one call reaches the fixpoint.
 * In, out: subgraph_of: [n] of callable nodes; others are ignored. A subgraph may become empty.
 * Out:     n_moved: nodes that moved; may be NULL
 * Errors:  ARG (TAG: node), CYCLE (TAG_ORDER: node reads other)
 * Time:    O(nodes + edges). Memory: the bound, nothing stays
 * See:     torch.fx split_utils, move_non_tensor_nodes_on_boundary
 */
GSP_API gsp_status gsp_move_non_tensor_run(gsp_arena *arena, const gsp_graph *graph,
                                           const gsp_move_non_tensor_desc *desc,
                                           uint32_t *subgraph_of, uint32_t *n_moved,
                                           gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>split   CPU and accelerator subgraphs                                                     (API)
 * ---------------------------------------------------------------------------------------------- */

/* The action above a limit. */
typedef enum gsp_limit_policy {
    GSP_LIMIT_ERROR,  /* status LIMIT */
    GSP_LIMIT_DEMOTE, /* the least valuable accelerator subgraphs go to the CPU */
    GSP_LIMIT_COUNT,
    GSP_LIMIT_FORCE_U32 = 0x7FFFFFFF
} gsp_limit_policy;

/* A subgraph, for callbacks. */
typedef struct gsp_subgraph {
    uint32_t kind;
    uint32_t n_nodes;
    const gsp_node *nodes; /* in graph order */
} gsp_subgraph;

/* Returns 0 if the subgraph goes to the CPU, 1 if its accelerator keeps it. */
typedef int (*gsp_accept_func)(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph);

/* Options of the run. */
typedef struct gsp_split_desc {
    uint32_t start_canary;
    uint32_t min_size;              /* nodes; smaller accelerator subgraphs go to the CPU; 0: 1 */
    uint32_t waive_min_size;        /* 1: no min_size when every callable node is supported */
    uint32_t limit;                 /* subgraphs in all; 0: no limit */
    uint32_t limit_policy;          /* gsp_limit_policy of limit and max_acc */
    uint32_t skip_fusion;           /* 1: no fusion groups over non-tensor values */
    uint32_t allow_non_tensor;      /* 1: non-tensor values may cross boundaries */
    const gsp_placement *placement; /* where nodes may run; required */
    const uint64_t *value;          /* [n] DEMOTE: of a node; NULL: 1 each */
    const char *prefix;             /* of tags; NULL: "_run_on_" */
    const char *const *names;  /* [n_kinds] of kinds in tags; NULL: cpu, acc or acc1, acc2, ... */
    uint32_t move_non_tensor;  /* 1: gsp_move_non_tensor_run() before small ones are removed */
    uint32_t max_acc;          /* accelerator subgraphs; 0: no limit */
    const uint32_t *min_sizes; /* [n_kinds] min_size of each kind; NULL: min_size */
    uint32_t max_size;         /* nodes; larger accelerator subgraphs are cut; 0: no limit */
    const uint32_t *max_sizes; /* [n_kinds] max_size of each kind; NULL: max_size */
    gsp_accept_func accept;    /* called for subgraphs of sufficient size; or NULL */
    void *user;
    uint32_t end_canary;
} gsp_split_desc;

/* The subgraphs of a graph; all arrays are read-only. */
typedef struct gsp_split_result {
    uint32_t n_nodes;
    uint32_t n_kinds;
    uint32_t n_groups;
    uint32_t n_raw;                 /* before small subgraphs were removed */
    uint32_t n_subgraphs;           /* tags count these */
    const uint8_t *kind;            /* [n] after fusion */
    const uint8_t *reason;          /* [n] gsp_reason of the final subgraph */
    const gsp_node *culprit;        /* [n] */
    const uint32_t *group;          /* [n] fusion or given group; GSP_NONE: alone */
    const uint32_t *raw_of;         /* [n] raw subgraph; GSP_NONE: not callable */
    const uint8_t *raw_kind;        /* [n_raw] */
    const uint32_t *subgraph_of;    /* [n] subgraph; GSP_NONE: not callable */
    const uint8_t *subgraph_kind;   /* [n_subgraphs] */
    const uint32_t *subgraph_begin; /* [n_subgraphs + 1] into nodes */
    const gsp_node *nodes;          /* callable nodes by subgraph, each in graph order */
    const char *prefix;
    const char *const *names;
} gsp_split_result;

/* gsp_split_resolve: the desc with its defaults. Time: O(1). */
GSP_API gsp_split_desc gsp_split_resolve(const gsp_split_desc *desc);

/* gsp_split_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_split_bound(const gsp_graph *graph, const gsp_split_desc *desc);

/* GSP_SPLIT_BOUND, GSP_SPLIT_BOUND_K: the same as a constant, with one or k accelerators. */
#ifndef GSP_NO_FUSE
#define GSP_SPLIT_BEFORE GSP_FUSE_BOUND
#else
#define GSP_SPLIT_BEFORE GSP_ACC_NODES_BOUND
#endif
#define GSP_SPLIT_BOUND(n_nodes, n_edges) GSP_SPLIT_BOUND_K(n_nodes, n_edges, 1u)
#define GSP_SPLIT_BOUND_K(n_nodes, n_edges, k)                                                 \
    (2u * GSP_BOUND_ARRAY(n_nodes, 1u) + 2u * GSP_BOUND_ARRAY(n_nodes, 4u) + GSP_BOUND_SLACK + \
     GSP_BOUND_MAX(GSP_SPLIT_BEFORE(n_nodes, n_edges),                                         \
                   4u * GSP_BOUND_ARRAY(n_nodes, 4u) + 2u * GSP_BOUND_ARRAY(n_nodes, 1u) +     \
                       GSP_BOUND_ARRAY((size_t)(n_nodes) + 1u, 4u) +                           \
                       GSP_BOUND_ARRAY((size_t)(n_nodes) * (k) + (k) + 1u, 4u)))

/* gsp_split_run: cuts a graph into CPU and accelerator subgraphs that run one after the other.
 *
 * What:    gsp_acc_nodes_run(), gsp_fuse_run(), then phases, whose kinds alternate: a node or group
 *          goes into the first phase of its kind that is not before its inputs. The first phase has
 *          the lowest kind with a node without callable inputs. Accelerator subgraphs above
 *          max_size are cut into consecutive subgraphs: each takes nodes and whole groups in
 *          topological order as long as they fit. A group above max_size goes to the CPU. Small and
 *          refused accelerator subgraphs join the CPU subgraph before them.
 * Errors:  ARG (no placement; KIND), DESC (CHOICE; MODE: this build lacks the fusion that node
 *          needs, or move_non_tensor), OVERFLOW, LIMIT (need = subgraphs, limit = the limit)
 * Time:    O(nodes + edges), plus that of gsp_fuse_run(); GSP_LIMIT_DEMOTE: O(subgraphs log)
 * Memory:  the bound
 * Order:   subgraphs in order of execution, nodes in graph order
 * Example: examples/static_memory.c
 * See:     torch.fx splitter_base, _SplitterBase
 */
GSP_API gsp_status gsp_split_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_split_desc *desc, gsp_split_result *result,
                                 gsp_error *err);

/* gsp_split_tag: writes the tag of a subgraph ("_run_on_acc_0", or "" if there is none) and a NUL,
 * cut to `size` bytes; returns its full length. Time: O(length). */
GSP_API size_t gsp_split_tag(const gsp_split_result *result, uint32_t subgraph, char *buffer,
                             size_t size);

/* -------------------------------------------------------------------------------------------------
 * >>split_by_tags   A module from tags                                                        (API)
 * ---------------------------------------------------------------------------------------------- */

/* Options of the run. */
typedef struct gsp_split_by_tags_desc {
    uint32_t start_canary;
    uint32_t n_tags;
    const uint32_t *tag_of; /* [n] of callable nodes; others are ignored */
    const gsp_str *names;   /* [n_tags] */
    uint32_t return_tuple;  /* 1: a submodule returns one value as a tuple too */
    uint32_t end_canary;
} gsp_split_by_tags_desc;

/* The graphs of the tags. */
typedef struct gsp_split_by_tags_result {
    gsp_module module;        /* root, one graph per tag, other child graphs of the input */
    const uint32_t *graph_of; /* [n] new graph of a callable node; GSP_NONE: others */
    const gsp_node *node_of;  /* [n] its id in that graph */
} gsp_split_by_tags_result;

/* gsp_split_by_tags_bound: bytes for the run, from n_tags and names (NULL: 32 bytes each). Time:
 * O(n_tags). */
GSP_API size_t gsp_split_by_tags_bound(const gsp_graph *graph, const gsp_split_by_tags_desc *desc);

/* gsp_split_by_tags_run: a module with one graph per tag and a root that calls them in tag order.
 *
 * What:    Inputs of a submodule are in order of first use, outputs in order of first use outside,
 *          the root's return last. The root unpacks several outputs by operator.getitem. Each
 *          submodule that reads a get_attr node gets a copy before the first reader; those that the
 *          root returns stay there. Nodes keep name, type and annotations. A name taken in the root
 *          gets the next free number. A module or attribute `a.b` becomes `TAG.a.b`.
 * Errors:  ARG (TAG_NAME: node = the tag; TAG: node), CYCLE (TAG_ORDER: node reads other); after
 *          NOMEM: ARG (TAG_EMPTY, TAG_NAME: two equal names), OVERFLOW, DAMAGED
 * Time:    O(nodes + edges + args + strings). Memory: the bound
 * Example: examples/run_network.c
 * See:     torch.fx split_utils, split_by_tags
 */
GSP_API gsp_status gsp_split_by_tags_run(gsp_arena *arena, const gsp_graph *graph,
                                         const gsp_split_by_tags_desc *desc,
                                         gsp_split_by_tags_result *result, gsp_error *err);

/* Options of the run. */
typedef struct gsp_split_subgraphs_desc {
    uint32_t start_canary;
    uint32_t return_tuple;    /* 1: a submodule returns one value as a tuple too */
    gsp_support_desc support; /* not read if split.placement is given */
    gsp_split_desc split;     /* placement NULL: that of gsp_support_run() */
    uint32_t end_canary;
} gsp_split_subgraphs_desc;

/* Subgraphs as graphs: subgraph i is graph 1 + i of subgraphs.module, named by its tag. */
typedef struct gsp_split_subgraphs_result {
    gsp_placement placement; /* of the desc, or of gsp_support_run() */
    gsp_split_result split;  /* in order of execution */
    gsp_split_by_tags_result subgraphs;
} gsp_split_subgraphs_result;

/* gsp_split_subgraphs_bound: bytes for the run. Time: O(names). */
GSP_API size_t gsp_split_subgraphs_bound(const gsp_graph *graph,
                                         const gsp_split_subgraphs_desc *desc);

/* gsp_split_subgraphs_run: gsp_support_run(), gsp_split_run(), gsp_split_by_tags_run() in one call.
 *
 * Errors:  those of the three
 * Time:    that of the three. Memory: the bound
 * Example: examples/hello.c
 */
GSP_API gsp_status gsp_split_subgraphs_run(gsp_arena *arena, const gsp_graph *graph,
                                           const gsp_split_subgraphs_desc *desc,
                                           gsp_split_subgraphs_result *result, gsp_error *err);

/* gsp_split_by_tags_find: the copy of node `old` of the input in graph `graph` of the result: a
 * callable node, a get_attr, or a placeholder; GSP_NONE: none. Time: O(nodes of the graph). */
GSP_API gsp_node gsp_split_by_tags_find(const gsp_graph *input,
                                        const gsp_split_by_tags_result *result, gsp_node old,
                                        uint32_t graph);

/* -------------------------------------------------------------------------------------------------
 * >>split_module   split_module: a module from any assignment                                 (API)
 * ---------------------------------------------------------------------------------------------- */

/* Options of the run. */
typedef struct gsp_split_module_desc {
    uint32_t start_canary;
    uint32_t n_parts;
    const uint32_t *part_of; /* [n] of callable nodes; others are ignored */
    const gsp_str *names;    /* [n_parts] after the prefix; NULL: 0, 1, 2, ... */
    const char *prefix;      /* of submodules; NULL: "submod_" */
    uint32_t keep_order;     /* 1: parts in the order of their first nodes */
    uint32_t return_tuple;   /* 1: a submodule returns one value as a tuple too */
    uint32_t number_inputs;  /* 1: inputs are arg_0, arg_1, ..., so equal parts look equal */
    uint32_t end_canary;
} gsp_split_module_desc;

/* A called module: `SUBMODULE.made` in the result is `old` in the input. */
typedef struct gsp_qualname {
    uint32_t graph; /* that calls it, named like the submodule */
    gsp_atom made;  /* "layer1_conv", an atom of the new module */
    gsp_atom old;   /* "layer1.conv" */
} gsp_qualname;

/* The graphs of the parts. */
typedef struct gsp_split_module_result {
    gsp_module module; /* root, one graph per part in call order, other graphs */
    uint32_t n_parts;  /* parts that have nodes: graphs 1 .. n_parts */
    uint32_t n_qualnames;
    const uint32_t *part;          /* [n_parts] the part of graph 1 + i */
    const gsp_node *call;          /* [n_parts] its call in the root */
    const uint32_t *graph_of;      /* [n] new graph of a callable node; GSP_NONE: others */
    const gsp_node *node_of;       /* [n] its id in that graph */
    const gsp_node *root_of;       /* [n] its value in the root, or GSP_NONE */
    const gsp_qualname *qualnames; /* [n_qualnames] in order of first use */
} gsp_split_module_result;

/* gsp_split_module_resolve: the desc with its defaults. Time: O(1). */
GSP_API gsp_split_module_desc gsp_split_module_resolve(const gsp_split_module_desc *desc);

/* gsp_split_module_bound: bytes for the run, from n_parts, names, prefix and number_inputs. Time:
 * O(n_parts). */
GSP_API size_t gsp_split_module_bound(const gsp_graph *graph, const gsp_split_module_desc *desc);

/* gsp_split_module_run: a module with one graph per part, for any acyclic assignment of nodes.
 *
 * What:    Inputs and outputs of a part are in order of first use. Parts are called in topological
 *          order by a stack that first holds those without dependencies, or in original order.
 *          get_attr nodes stay in the root, before all calls, and are passed in; one that names a
 *          child graph is copied into the parts that read it. Targets of called modules are
 *          flattened: `a.b` in `submod_0` is `submod_0.a_b`, with a number if taken. A part without
 *          outputs returns `()`; the root unpacks several outputs by operator.getitem. Nodes keep
 *          name and annotations.
 * Errors:  ARG (TAG: node); after NOMEM: CYCLE (PARTS_CYCLE: part other reads part node, which
 *          reads part need, which reads other, itself or via more parts; PARTS_ORDER: part node
 *          reads the later part other), ARG (TAG_NAME: node = the part), OVERFLOW, DAMAGED
 * Time:    O(nodes + edges + args + strings). Memory: the bound
 * Example: examples/split_module.c
 * See:     torch.fx passes/split_module
 */
GSP_API gsp_status gsp_split_module_run(gsp_arena *arena, const gsp_graph *graph,
                                        const gsp_split_module_desc *desc,
                                        gsp_split_module_result *result, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>subgraph_grow   Growing an accelerator subgraph                                           (API)
 * ---------------------------------------------------------------------------------------------- */

/* Options of the run. */
typedef struct gsp_subgraph_grow_desc {
    uint32_t start_canary;
    uint32_t subgraph;     /* to grow; on an accelerator */
    const uint8_t *kind;   /* [n] as gsp_split_result.kind; required */
    const uint32_t *group; /* [n] equal ids (< n) join together; NULL: all alone */
    uint32_t end_canary;
} gsp_subgraph_grow_desc;

/* gsp_subgraph_grow_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_subgraph_grow_bound(const gsp_graph *graph, const gsp_subgraph_grow_desc *desc);

/* gsp_subgraph_grow_run: moves nodes of earlier subgraphs into an accelerator subgraph, backwards
 * from its inputs, if its accelerator supports them.
 *
 * What:    A node joins if the subgraph or a joined node reads it and all its other readers lie in
 *          this or later subgraphs. A fusion group joins whole or not at all. The result is the
 *          greatest, independent of the visiting order. Unlike in the reference, inputs of a fusion
 *          group in this or a later subgraph may join too.
 * In, out: subgraph_of: [n] of callable nodes; others are ignored. A subgraph may become empty.
 * Out:     n_moved: nodes that joined; may be NULL
 * Errors:  ARG (TAG_EMPTY: node = the subgraph; KIND: it is not on one accelerator, or node has a
 *          group that does not exist), CYCLE (TAG_ORDER: node reads other)
 * Time:    O(nodes + edges). Memory: the bound, nothing stays
 * Example: examples/grow.c
 * See:     torch.fx splitter_base, extend_acc_subgraph
 */
GSP_API gsp_status gsp_subgraph_grow_run(gsp_arena *arena, const gsp_graph *graph,
                                         const gsp_subgraph_grow_desc *desc, uint32_t *subgraph_of,
                                         uint32_t *n_moved, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>minimize   The least failing set of nodes                                                 (API)
 * ---------------------------------------------------------------------------------------------- */

/* How gsp_minimize_run() reduces a failing set (a set that holds a failing set fails). */
typedef enum gsp_traversal {
    GSP_TRAVERSAL_BLOCK,      /* the least range in graph order; 2 log n tests */
    GSP_TRAVERSAL_LEAST,      /* the least set; log n tests per culprit */
    GSP_TRAVERSAL_SEQUENTIAL, /* the first node that fails alone; n tests */
    GSP_TRAVERSAL_BINARY,     /* halves until neither fails; about 2 log n tests */
    GSP_TRAVERSAL_ACCUMULATE, /* the last node of the least failing prefix; n tests */
    GSP_TRAVERSAL_COUNT,
    GSP_TRAVERSAL_FORCE_U32 = 0x7FFFFFFF
} gsp_traversal;

/* Returns 1 if this set of nodes fails, 0 if it works, below 0 to stop the search. */
typedef int (*gsp_fails_func)(void *user, const gsp_graph *graph, const gsp_bitset *set);

/* Options of the run. */
typedef struct gsp_minimize_desc {
    uint32_t start_canary;
    uint32_t traversal;
    uint32_t find_all; /* 1: SEQUENTIAL, BINARY continue after the first */
    uint32_t n_nodes;
    const gsp_node *nodes; /* [n_nodes] callable nodes to search, ascending; NULL: all */
    const uint32_t *group; /* [n] equal ids (< n) are tested together; NULL: all alone */
    gsp_fails_func fails;  /* required */
    void *user;
    uint32_t end_canary;
} gsp_minimize_desc;

/* A failing set. */
typedef struct gsp_minimize_result {
    uint32_t n_nodes; /* 0: nothing fails */
    uint32_t n_tests;
    const gsp_node *nodes; /* ascending */
} gsp_minimize_result;

/* gsp_minimize_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_minimize_bound(const gsp_graph *graph, const gsp_minimize_desc *desc);

/* gsp_minimize_run: the least set of nodes that fails a test, e.g. one that lowers and compares.
 *
 * What:    see gsp_traversal. The results of BLOCK, LEAST and BINARY have failed as such; that of
 *          ACCUMULATE is one node of a failing set.
 * Errors:  ARG (RANGE: node not callable or out of order; KIND: no such group), LIMIT (STOPPED)
 * Time:    O(tests * nodes) and the tests. Memory: the bound
 * Example: examples/minimize.c
 * See:     torch.fx net_min_base; Zeller, Yesterday, my program worked, 1999
 */
GSP_API gsp_status gsp_minimize_run(gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_minimize_desc *desc, gsp_minimize_result *result,
                                    gsp_error *err);

/* gsp_minimize_tags: tags for gsp_split_by_tags_run() that cut out a set of nodes: 1 for the set, 2
 * for its direct and indirect readers, 0 for the rest; GSP_NONE: not callable. Returns a node of
 * the set that reads one of tag 2 (the tags have no order), or GSP_NONE. Time: O(nodes + edges). */
GSP_API gsp_node gsp_minimize_tags(const gsp_graph *graph, const gsp_bitset *set, uint32_t *tag_of);

/* -------------------------------------------------------------------------------------------------
 * >>preview   Cost preview of a split                                                         (API)
 * ---------------------------------------------------------------------------------------------- */

/* ---- Types of nodes ---- */

/* Nodes of the same operator, argument dtypes and kind. */
typedef struct gsp_signature {
    gsp_str name;  /* operator, as gsp_node_class() */
    uint32_t kind; /* 0: not supported, k: by accelerator k */
    uint32_t n_nodes;
    gsp_node first; /* gsp_signature_write() writes its dtypes */
} gsp_signature;

/* The types of the nodes of a graph. */
typedef struct gsp_signatures_result {
    uint32_t n_signatures;
    const gsp_signature *signatures; /* accelerators first, then the CPU; each by first node */
} gsp_signatures_result;

/* gsp_signatures_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_signatures_bound(const gsp_graph *graph);

/* gsp_signatures_run: the types of the callable nodes of a graph.
 *
 * What:    The dtypes of a node are those of its arguments that are nodes and yield a tensor. A
 *          node in a tuple, list or dict has none.
 * Errors:  ARG (KIND)
 * Time:    O(args), and a sort of the types. Memory: the bound
 * See:     torch.fx splitter_base, node_support_preview
 */
GSP_API gsp_status gsp_signatures_run(gsp_arena *arena, const gsp_graph *graph,
                                      const gsp_placement *placement, gsp_signatures_result *result,
                                      gsp_error *err);

/* gsp_signature_write: the argument dtypes of a callable node as PyTorch prints them, positional
 * ones up to the last with a dtype: "((f32, None, i64), {'dim': i64})". Errors: ARG, LIMIT (the
 * sink stopped). Time: O(args). Memory: none. */
GSP_API gsp_status gsp_signature_write(const gsp_graph *graph, gsp_node node, gsp_sink sink,
                                       void *user, gsp_error *err);

/* ---- Costs of subgraphs ---- */

#define GSP_BANDWIDTH 107374182400u /* bytes per second: 100 * 2^30 */

/* The result of lowering a subgraph. */
typedef enum gsp_lowered {
    GSP_LOWERED_NOT, /* no callback, or on the CPU */
    GSP_LOWERED_OK,
    GSP_LOWERED_FAILED,
    GSP_LOWERED_RUN_FAILED, /* lowered, but did not run */
    GSP_LOWERED_COUNT,
    GSP_LOWERED_FORCE_U32 = 0x7FFFFFFF
} gsp_lowered;

/* A subgraph and the values that cross its boundary. */
typedef struct gsp_preview_subgraph {
    uint32_t kind;
    uint32_t n_nodes;
    uint32_t n_inputs;
    uint32_t n_outputs;
    const gsp_node *nodes;   /* in graph order */
    const gsp_node *inputs;  /* from elsewhere, in order of first use; no parameters */
    const gsp_node *outputs; /* used elsewhere, in order of first use */
    uint32_t odd_inputs;     /* inputs that are no tensors */
    uint32_t odd_outputs;
    uint64_t bytes_in; /* of the tensors */
    uint64_t bytes_out;
    uint32_t lowered;
    gsp_node culprit; /* of a failure; GSP_NONE: unknown */
} gsp_preview_subgraph;

/* Lowers a subgraph for its accelerator and runs it: GSP_LOWERED_OK, _FAILED or _RUN_FAILED. */
typedef gsp_lowered (*gsp_lower_func)(void *user, const gsp_graph *graph,
                                      const gsp_preview_subgraph *subgraph);

/* Returns the node that makes a subgraph fail, or GSP_NONE. See gsp_minimize_run(). */
typedef gsp_node (*gsp_blame_func)(void *user, const gsp_graph *graph,
                                   const gsp_preview_subgraph *subgraph);

/* Options of the run. */
typedef struct gsp_preview_desc {
    uint32_t start_canary;
    uint64_t bandwidth;   /* bytes per second to and from accelerators; 0: GSP_BANDWIDTH */
    gsp_lower_func lower; /* called for accelerator subgraphs in order; or NULL */
    gsp_blame_func blame; /* called when lower fails; or NULL */
    void *user;
    uint32_t end_canary;
} gsp_preview_desc;

/* The subgraphs and their counts. */
typedef struct gsp_preview_result {
    uint32_t raw_acc;
    uint32_t raw_cpu;
    uint32_t n_acc;
    uint32_t n_cpu;
    uint32_t bottleneck; /* accelerator subgraph that moves most bytes one way, or GSP_NONE */
    uint32_t n_subgraphs;
    uint64_t bandwidth;
    const gsp_preview_subgraph *subgraphs; /* [n_subgraphs] those on the CPU too */
} gsp_preview_result;

/* gsp_preview_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_preview_bound(const gsp_graph *graph, const gsp_split_result *split,
                                 const gsp_preview_desc *desc);

/* gsp_preview_run: the values and bytes that cross the boundary of every subgraph of a split.
 *
 * Errors:  ARG (TAG: node has no subgraph), OVERFLOW (SIZE: node)
 * Time:    O(nodes + edges) and the callbacks. Memory: the bound
 * Example: examples/preview.c
 * See:     torch.fx splitter_base, split_preview
 */
GSP_API gsp_status gsp_preview_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_split_result *split, const gsp_preview_desc *desc,
                                   gsp_preview_result *result, gsp_error *err);

#ifndef GSP_NO_COST
/* gsp_preview_rate: the greatest rate of runs per second of a subgraph: bandwidth / max(bytes_in,
 * bytes_out). Returns 0 if no tensor crosses. Time: O(1). */
GSP_API int gsp_preview_rate(const gsp_preview_result *result, uint32_t subgraph, double *rate);
#endif

#endif /* GSP_NO_SPLIT */

/* =================================================================================================
 * >>PARTITION   Partitions on devices                                                         (API)
 * ============================================================================================== */

/* Assigns the nodes of a graph to several devices of given memory, and predicts the latency.
 * gsp_partition_run() does all of it; assignment and latency are available by themselves.
 *
 * In:      graph with bytes, and for some modes seconds, per node; devices
 * Out:     partition of each node, devices of each partition, critical path, module
 *
 *     nodes --> partitions --> logical devices --> latency of the critical path --> module
 */
#ifndef GSP_NO_PARTITION

/* -------------------------------------------------------------------------------------------------
 * >>device   Devices, memory, mapping of partitions                                           (API)
 * ---------------------------------------------------------------------------------------------- */

/* A place with memory of its own. */
typedef struct gsp_device {
    gsp_str name;
    uint64_t bytes;
    uint32_t id; /* logical id, unique */
} gsp_device;

/* Partitioners; gsp_assign_run() describes them. */
typedef enum gsp_partition_mode {
    GSP_PARTITION_SIZE,   /* fills one device after the other, in graph order */
    GSP_PARTITION_SPARSE, /* spreads embeddings over equal devices, the rest is on each of them */
    GSP_PARTITION_COST,   /* merges partitions to lower the latency, from one per node */
    GSP_PARTITION_KL,     /* swaps nodes to lower the latency, from the partitions of SIZE */
    GSP_PARTITION_AOT,    /* partitions and devices are given by the caller */
    GSP_PARTITION_COUNT,
    GSP_PARTITION_FORCE_U32 = 0x7FFFFFFF
} gsp_partition_mode;

/* AOT: the devices of partition `part`. */
typedef struct gsp_part_devices {
    uint32_t part;
    uint32_t n_ids;
    const uint32_t *ids; /* [n_ids] logical ids, each once */
} gsp_part_devices;

/* One step of a mode. Partitions have their numbers from before the step. After it the merged
 * partition is the last one and numbers close up; an emptied one keeps its number for the sweep. */
typedef struct gsp_partition_step {
    uint32_t mode;  /* gsp_partition_mode: SPARSE and COST merge, KL swaps */
    uint32_t from;  /* merge: lower partition; swap: old partition of `node` */
    uint32_t to;    /* merge: higher partition; swap: new partition of `node` */
    gsp_node node;  /* KL: node that moves */
    gsp_node other; /* KL: node that moves from `to` to `from`, or GSP_NONE */
    uint64_t work;  /* trials so far */
    double cost;    /* seconds of the whole graph after the step; SPARSE: 0 */
} gsp_partition_step;

/* Progress of COST and KL. `done` rises up to `total`. COST makes fewer trials per round as it
 * proceeds; KL makes about equally many per node. */
typedef struct gsp_partition_progress {
    uint32_t mode;    /* COST, KL */
    uint32_t n_steps; /* merges or swaps */
    uint32_t done;    /* COST: merges; KL: visited nodes of all sweeps */
    uint32_t total;   /* COST: merges down to one partition; KL: nodes * sweeps */
    uint64_t work;    /* trials */
    double cost;      /* present seconds of the whole graph */
} gsp_partition_progress;

/* Returns 1 for a called module that is an embedding. */
typedef int (*gsp_embedding_func)(void *user, const gsp_graph *graph, gsp_node node);
typedef void (*gsp_partition_step_func)(void *user, const gsp_partition_step *step);
/* Returns nonzero to stop with the best result so far. */
typedef int (*gsp_partition_progress_func)(void *user, const gsp_partition_progress *progress);

/* One desc for all modes; a mode ignores the fields of the others. */
typedef struct gsp_partition_desc {
    uint32_t start_canary;
    uint32_t mode;             /* gsp_partition_mode */
    const gsp_device *devices; /* [n_devices] in order of preference */
    uint32_t n_devices;
    uint32_t saturate;     /* 1: fills idle devices with copies of all partitions */
    const double *mem;     /* [n] seconds of data movement per node; NULL: mem= of the text, or 0 */
    const double *compute; /* [n] seconds of computation; NULL: compute= of the text, or 0 */
    double transfer_rate;  /* bytes per second between devices; needs has_rate */
    uint32_t has_rate;     /* 0: transfers take no time; 1: transfer_rate is set */
    uint32_t n_sweeps;     /* KL: sweeps over all nodes; 0: 1 */
    uint64_t max_work;     /* COST, KL: limit of trials; 0: none */
    gsp_embedding_func is_embedding; /* SPARSE; NULL: class (module=) contains "Embedding" */
    void *embedding_user;
    const uint32_t *part_of;              /* AOT: [n] of callable nodes, any number but GSP_NONE */
    const gsp_part_devices *part_devices; /* AOT: [n_part_devices] */
    uint32_t n_part_devices;
    uint32_t progress_every;              /* trials per call of progress; 0: 4096 */
    gsp_partition_progress_func progress; /* COST, KL; NULL: none */
    void *progress_user;
    gsp_partition_step_func step; /* NULL: none */
    void *step_user;
    uint32_t end_canary;
} gsp_partition_desc;

/* gsp_partition_resolve: the desc with its defaults. Time: O(1). */
GSP_API gsp_partition_desc gsp_partition_resolve(const gsp_partition_desc *desc);

/* gsp_part_bytes: bytes of a partition of the callable nodes of this set and the placeholders and
 * get_attr that they read: per node its output, parameters and inputs outside. UINT64_MAX: above 64
 * bits. Time: O(nodes + edges * log users). */
GSP_API uint64_t gsp_part_bytes(const gsp_graph *graph, const gsp_bitset *nodes);

/* -------------------------------------------------------------------------------------------------
 * >>latency   Critical paths of partitions                                                    (API)
 * ---------------------------------------------------------------------------------------------- */

/* Seconds of a critical path: the path with the largest `overall`, the sum of max(mem, compute) of
 * its nodes. Ties: the larger mem, then the larger compute, at each node from the top. */
typedef struct gsp_latency {
    double mem;
    double compute;
    double overall;
} gsp_latency;

/* Critical paths. Ties: the path whose last node, then whose inputs come first in the graph. */
typedef struct gsp_latency_result {
    gsp_latency *latency; /* [n_parts] */
    gsp_node *last;       /* [n_parts] last node of the path, GSP_NONE: the part is empty */
    gsp_node *from;       /* [n] previous node of the path to a node in a part, or GSP_NONE */
} gsp_latency_result;

/* An assignment and the seconds of its nodes. */
typedef struct gsp_latency_desc {
    uint32_t start_canary;
    uint32_t n_parts;
    const uint32_t *part_of; /* [n] part of a callable node; n_parts and above: none */
    const double *mem;       /* [n] as in gsp_partition_desc */
    const double *compute;   /* [n] */
    uint32_t end_canary;
} gsp_latency_desc;

/* gsp_latency_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_latency_bound(const gsp_graph *graph, const gsp_latency_desc *desc);

/* gsp_latency_run: the critical path of every part of an assignment.
 *
 * What:    Sums are taken in path order from the top and rounded to nearest-even doubles after each
 *          addition: they have the same bits on every machine, with every compiler option.
 * Errors:  ARG (LATENCY: node), OVERFLOW (LATENCY: no finite sum; after NOMEM: TOO_MANY)
 * Time:    O(nodes + edges). Memory: the bound
 * Example: examples/partition_modes.c
 */
GSP_API gsp_status gsp_latency_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_latency_desc *desc, gsp_latency_result *result,
                                   gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>assign   Partitions of the modes                                                          (API)
 * ---------------------------------------------------------------------------------------------- */

/* Assignment of a mode. */
typedef struct gsp_assignment {
    uint32_t n_parts;
    uint32_t n_everywhere; /* SPARSE: number of devices with embeddings: 0, 1, ... */
    uint32_t n_steps;      /* merges or swaps */
    uint32_t stopped;      /* 1: max_work or progress ended the search early */
    uint64_t work;         /* trials */
    uint32_t *part_of;     /* [n] partition of a callable node, others GSP_NONE */
    uint32_t *device_of;   /* [n_parts] index in the desc; SPARSE, GSP_NONE: all n_everywhere */
} gsp_assignment;

/* gsp_assign_bound: bytes for the run; COST: above nodes^2 / 4. Time: O(1). */
GSP_API size_t gsp_assign_bound(const gsp_graph *graph, const gsp_partition_desc *desc);

/* gsp_assign_run: assigns a partition and a device to every node, also when the graph fits one
 * device. The modes are those of torch.fx, accelerator_partitioner.
 *
 * What:    SIZE (size_based_partition): A partition takes nodes in graph order until its device is
 *          full. The next one takes the first free device that is large enough for the node.
 *          Without a free device every further node is a partition of its own, on the device with
 *          the fewest bytes left that has more left than the node needs.
 *
 *          SPARSE (sparse_nn_partition): one partition of embeddings per device; all other
 *          partitions are on each of these devices. Partitions take nodes in graph order and end
 *          where the kind changes or the device is full. Then the smallest partition of a kind
 *          joins the largest that has room, is at most one level away and makes no cycle, while
 *          there is one; embeddings come last. Without embeddings, devices as in the other modes.
 *
 *          COST (cost_aware_partition): Every node begins as a partition. Each round merges the two
 *          partitions that give the least latency of the whole graph, not above the present one.
 *          They must be adjacent or at most one level apart, make no cycle and leave a device for
 *          every partition. Ties: the last pair. The first round has no devices: it counts all
 *          transfers.
 *
 *          KL (kl_based_partition, as its comment says): improves the partitions of SIZE. Every
 *          node in graph order is tried in exchange for every node of every other partition, and
 *          for none. The cheapest swap below the present latency is taken; ties: the first. Swaps
 *          that make a cycle or leave a partition without device are infeasible. A sweep ends by
 *          removing empty partitions. Finally all partitions are mapped to devices anew.
 *
 * Out:     result: stopped: the steps so far hold; COST: NO_FIT if a partition has no device then
 * Errors:  those of gsp_partition_run(); RATE, LATENCY: COST and KL only; AOT: DESC (CHOICE)
 * Time:    SIZE: O(nodes * devices + edges + devices^2)
 *          SPARSE: O(nodes + edges), and O(partitions + their edges) per merge
 *          COST: O(partitions * devices + their edges) per trial at worst, nodes - 1 rounds
 *          KL: O(nodes) trials per node and sweep, each O(nodes + edges + partitions * devices)
 * Memory:  the bound
 */
GSP_API gsp_status gsp_assign_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_partition_desc *desc, gsp_assignment *result,
                                  gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>partition   All modes, and the DAG of partitions                                          (API)
 * ---------------------------------------------------------------------------------------------- */

/* Partitions have the numbers of gsp_assignment; with AOT they ascend by the caller's numbers. */
typedef struct gsp_partition_result {
    uint32_t n_nodes;
    uint32_t n_parts;
    uint32_t single;  /* 1: the whole graph fits one device: one partition, no mode */
    uint32_t stopped; /* this and the next three as in gsp_assignment */
    uint32_t n_steps;
    uint64_t work;
    uint32_t *part_of;      /* [n] */
    uint32_t *part_id;      /* [n_parts] its number; AOT: the caller's number */
    uint32_t *part_begin;   /* [n_parts + 1] into nodes */
    gsp_node *nodes;        /* callable nodes by partition, each in graph order */
    uint64_t *bytes;        /* [n_parts] gsp_part_bytes() */
    uint32_t *device_begin; /* [n_parts] into devices; lists may be shared */
    uint32_t *device_count; /* [n_parts] */
    uint32_t *devices;      /* indices in the desc, in order of assignment */
    gsp_latency *latency;   /* [n_parts] critical path inside */
    double total;           /* seconds of the whole graph: critical path over partitions */
    double *finish;         /* [n_parts] finish time with communication, seconds */
    uint32_t *late_parent;  /* [n_parts] parent that determines its start, or GSP_NONE */
    uint32_t *level;        /* [n_parts] longest path from a partition without parents */
    uint32_t *parent_begin; /* [n_parts + 1] into the three arrays of parents */
    uint32_t *parents;      /* ascending */
    uint64_t *parent_bytes; /* transferred, each value once; 0: on the same devices */
    double *parent_seconds; /* of the transfer */
    uint32_t *child_begin;  /* [n_parts + 1] into children */
    uint32_t *children;     /* ascending */
    uint64_t *device_bytes; /* [n_devices] bytes of the union of its partitions */
    /* graph 1 + i: partition part[i], called by call[i] */
    gsp_split_module_result *parts;
    uint32_t *dag_out_begin; /* [n_parts + 1] into dag_out, by i as above */
    gsp_node *dag_out;       /* root nodes of its values: getitem nodes, or the call */
} gsp_partition_result;

/* gsp_partition_bound: bytes for the run. Time: O(nodes). */
GSP_API size_t gsp_partition_bound(const gsp_graph *graph, const gsp_partition_desc *desc);

/* gsp_partition_run: partitions a graph for devices of limited memory, and makes the module.
 *
 * What:    One partition on the first of the largest devices if the whole graph fits it (not for
 *          AOT), else those of the mode; copies on idle devices (saturate); latencies, levels,
 *          parents, children; the module and the DAG of its submodules.
 * Errors:  in this order: ARG (NULL_ARGUMENT), DESC (CANARY, CHOICE: the mode), ARG (NULL_ARGUMENT:
 *          AOT without part_of), ARG (DEVICES: none), ARG (PART_NONE: AOT: node without partition),
 *          EMPTY (CALLABLE), OVERFLOW (SIZE: capacities up to device `other`, or sizes up to the
 *          node, exceed 64 bits), ARG (RATE), ARG (LATENCY: node), OVERFLOW (LATENCY: no finite sum
 *          of all), NOMEM, OVERFLOW (TOO_MANY), ARG (DEVICE_TWICE: node, other: the two devices);
 *          AOT: ARG (DEVICE_UNKNOWN: `other` is the id, need the partition; PART_DEVICES: node
 *          whose partition, `other`, has no devices), else NO_FIT (DEVICES_SMALL: need bytes, limit
 *          bytes of all devices), and the mode's: NO_FIT (NODE_LARGE: node, need, limit, other: the
 *          largest device left; MAPPING: first node of the partition, need, limit, other: the
 *          device with the most bytes left; EMBEDDINGS: need, limit: devices; EMBEDDING_LARGE:
 *          node, need, limit), ARG (DEVICES_UNEQUAL: other); CYCLE (PARTS_CYCLE: node, other: two
 *          partitions), DAMAGED, ARG (RATE_ZERO: node, other: first nodes of a partition and its
 *          parent, need: bytes)
 * Time:    the mode's, and O(nodes + edges + args + strings). Memory: the bound
 * Example: examples/devices.c
 */
GSP_API gsp_status gsp_partition_run(gsp_arena *arena, const gsp_graph *graph,
                                     const gsp_partition_desc *desc, gsp_partition_result *result,
                                     gsp_error *err);

#endif /* GSP_NO_PARTITION */

/* =================================================================================================
 * >>DEDUP   Repeated regions                                                                  (API)
 * ============================================================================================== */

/* Finds repeated regions and replaces them by calls of one subgraph.
 *
 * In:      gsp_graph; mutates=, alias=, storage=, barrier= say which memory is written and shared
 * Out:     groups of identical regions; a module with one graph per group
 * Order:   gsp_dedup_run() runs all steps; each step is also available by itself
 *
 *     dependences --> node classes --> regions --> selection --> replacement
 */
#ifndef GSP_NO_DEDUP

/* -------------------------------------------------------------------------------------------------
 * >>dependences   Alias sets and memory dependences                                           (API)
 * ---------------------------------------------------------------------------------------------- */

/* Options of the run. */
typedef struct gsp_dependences_desc {
    uint32_t start_canary;
    uint32_t max_dependences; /* more: LIMIT; 0: two per edge */
    uint32_t end_canary;
} gsp_dependences_desc;

/* Alias sets and memory dependences. Tensors of one alias set share memory. A tensor has one set,
 * a get_attr the set of its storage, a node with `alias=` those of the named node, an
 * aggregate whose TYPE lists its elements one per element. The sets of a node are a range. Nodes
 * alias when ranges overlap, but elements without operator.getitem only share the last set. */
typedef struct gsp_dependences {
    uint32_t n_nodes;
    uint32_t n_alias_sets;
    uint32_t n_dependences;
    uint32_t *alias_begin;     /* [n] */
    uint32_t *alias_end;       /* [n] */
    uint32_t *segment;         /* [n] 2 * barriers before, + 1 at a barrier; lower ones run first */
    uint32_t *dependent_begin; /* [n + 1] into dependents */
    gsp_node *dependents; /* [n_dependences] nodes that must run after a node but do not read it */
} gsp_dependences;

/* gsp_dependences_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_dependences_bound(const gsp_graph *graph, const gsp_dependences_desc *desc);

/* gsp_dependences_run: alias sets, and the order that writes impose.
 *
 * What:    A node reads the alias sets of all its arguments and writes those of the arguments at
 *          the positions in `mutates=`. A reader or writer of a set depends on the last writer
 *          before it, a writer also on every reader since that writer. The output depends on
 *          nothing. Dependences by arguments and on barriers (see `segment`) are not listed.
 * Errors:  ARG (POSITION: node), LIMIT (WORK: descending positions of node pass over 2^26
 *          arguments), OVERFLOW; after NOMEM: LIMIT (need = the dependences, limit; by default
 *          only if aggregates are written by element and read as a whole)
 * Time:    O((n + m) log n) unless aggregates are written. Memory: the bound
 * Order:   dependents of a node: first readers of what it wrote, then others, each ascending
 */
GSP_API gsp_status gsp_dependences_run(gsp_arena *arena, const gsp_graph *graph,
                                       const gsp_dependences_desc *desc, gsp_dependences *result,
                                       gsp_error *err);

/* State of an iteration over the nodes that a node writes; all zero at the start. */
typedef struct gsp_written_iter {
    uint32_t at;    /* byte of `mutates=` */
    uint32_t token; /* next argument, and flattened positions before it */
    uint32_t position;
} gsp_written_iter;

/* gsp_node_next_written: the next node that a node writes, in the order of `mutates=`; GSP_NONE at
 * the end. Time: O(args + size of `mutates=`) in total if positions ascend, else O(args) each. */
GSP_API gsp_node gsp_node_next_written(const gsp_graph *graph, gsp_node node,
                                       gsp_written_iter *walk);

/* -------------------------------------------------------------------------------------------------
 * >>node_classes   Classes of identical nodes                                                 (API)
 * ---------------------------------------------------------------------------------------------- */

/* Options of the run. */
typedef struct gsp_node_classes_desc {
    uint32_t start_canary;
    uint32_t hash_bits; /* bits of the hash in use, for tests; 0 or above 31: all 32 */
    uint32_t end_canary;
} gsp_node_classes_desc;

/* Classes of identical nodes. */
typedef struct gsp_node_classes {
    uint32_t n_nodes;
    uint32_t n_classes;    /* classes of two or more nodes, by first node */
    uint32_t *class_of;    /* [n] GSP_NONE: no other node is identical */
    uint32_t *class_begin; /* [n_classes + 1] into nodes */
    gsp_node *nodes;       /* by class, each in graph order */
} gsp_node_classes;

/* gsp_node_classes_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_node_classes_bound(const gsp_graph *graph, const gsp_node_classes_desc *desc);

/* gsp_node_classes_run: classes of identical nodes.
 *
 * What:    Callable nodes are identical when operation, target, TYPE, `key=`, `state=`, `mutates=`,
 *          `alias=` and arguments agree: the same constants in the same containers, and nodes of
 *          the same TYPE. The order of keyword arguments and dict keys is free. A barrier is
 *          identical to no node.
 * Errors:  ARG, DESC, NOMEM
 * Time:    O(n + args), plus one comparison per class on a hash collision. Memory: the bound
 */
GSP_API gsp_status gsp_node_classes_run(gsp_arena *arena, const gsp_graph *graph,
                                        const gsp_node_classes_desc *desc, gsp_node_classes *result,
                                        gsp_error *err);

/* gsp_node_equal: 1 when two callable nodes are identical as in gsp_node_classes_run(), barriers
 * included; 0 for nodes out of range. Time: O(args), times the dict keys if their order differs. */
GSP_API int gsp_node_equal(const gsp_graph *graph, gsp_node a, gsp_node b);

/* -------------------------------------------------------------------------------------------------
 * >>regions   Repeated regions                                                                (API)
 * ---------------------------------------------------------------------------------------------- */

/* Options of the run. */
typedef struct gsp_regions_desc {
    uint32_t start_canary;
    uint32_t hash_bits;       /* as in gsp_node_classes_desc */
    uint32_t max_dependences; /* as in gsp_dependences_desc */
    uint64_t max_work;        /* edges that path searches may visit; more: LIMIT; 0: no limit */
    uint32_t end_canary;
} gsp_regions_desc;

/* Groups of identical regions. A group is a table with one row per position and one column per
 * region: columns in graph order of their last nodes, rows in graph order of the first column. */
typedef struct gsp_regions {
    uint32_t n_groups;
    uint32_t *group_begin;   /* [n_groups + 1] into members */
    uint32_t *group_regions; /* [n_groups] columns, at least 2; at least 2 rows */
    gsp_node *members; /* group k, row p, column i: [group_begin[k] + p * group_regions[k] + i] */
    gsp_node_classes classes;
    gsp_dependences dependences;
    uint64_t work; /* edges that path searches visited */
} gsp_regions;

/* gsp_regions_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_regions_bound(const gsp_graph *graph, const gsp_regions_desc *desc);

/* gsp_regions_run: groups of identical regions of a graph.
 *
 * What:    Runs gsp_dependences_run() and gsp_node_classes_run(). Each class, from the last, gives
 *          the end nodes of its regions. These grow backwards through inputs, breadth first and in
 *          lockstep. A step is taken only if all regions can take it: the candidates are of one
 *          class, distinct and in no region yet, and no path leaves a region and returns. A region
 *          drops an operator.getitem without its aggregate.
 * Errors:  ARG (POSITION: node), LIMIT (WORK: node), OVERFLOW; after NOMEM: LIMIT (DEPENDENCES,
 *          WORK: need, limit)
 * Time:    O((n + m) log n), plus path searches, which an index makes rare and max_work limits
 * Memory:  the bound
 * Order:   groups in the order found
 * See:     torch._dynamo graph_region_tracker; Yildirim et al., GRAIL, 2010
 */
GSP_API gsp_status gsp_regions_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_regions_desc *desc, gsp_regions *result,
                                   gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>dedup_select   Selection of replaceable regions                                           (API)
 * ---------------------------------------------------------------------------------------------- */

/* Options of the run. */
typedef struct gsp_dedup_select_desc {
    uint32_t start_canary;
    uint32_t max_outputs; /* aggregate elements returned or passed on; more: LIMIT; 0: n / 2 + 32 */
    uint64_t max_work;    /* edges that cycle searches may visit; more: LIMIT; 0: 2^32 - 1 */
    uint32_t end_canary;
} gsp_dedup_select_desc;

/* The regions that become calls. A call yields one item per output position of its region, or one
 * per element of an aggregate. Subgraphs, calls and items have numbers in order of replacement. */
typedef struct gsp_dedup_selection {
    uint32_t n_nodes;
    uint32_t n_subgraphs;
    uint32_t n_calls;
    uint32_t n_items;
    uint32_t n_outputs;    /* limited by max_outputs */
    uint32_t *group_of;    /* [n_subgraphs] group of regions */
    uint32_t *call_begin;  /* [n_subgraphs + 1] calls of a subgraph; the first gives its body */
    uint32_t *region_of;   /* [n_calls] column of the region in its group */
    uint32_t *out_begin;   /* [n_subgraphs + 1] into outs */
    uint32_t *outs;        /* output positions of a subgraph: rows of its group */
    uint32_t *item_begin;  /* [n_calls + 1] items of a call */
    gsp_node *item_node;   /* [n_items] the member that an item stands for or is an element of */
    uint32_t *call_of;     /* [n] call whose region holds a node; GSP_NONE: none */
    uint32_t *subgraph_of; /* [n] subgraph whose calls replace a node; GSP_NONE: the node stays */
    uint32_t *item_of;     /* [n] first item that stands for a node; GSP_NONE: none */
    uint64_t work;
} gsp_dedup_selection;

/* gsp_dedup_select_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_dedup_select_bound(const gsp_graph *graph, const gsp_dedup_select_desc *desc);

/* gsp_dedup_select_run: the regions that calls of one subgraph can replace.
 *
 * What:    A region stays when one of its nodes has been replaced, an input is an aggregate, two
 *          inputs alias, a node writes an input, an output aliases an input or another output, its
 *          wiring differs from that of the first region, or its contraction closes a cycle. It also
 *          stays when an output is an aggregate that has unknown elements, is a view, or is read as
 *          a whole by a node with `mutates=` or `alias=`. A group stays when fewer than two regions
 *          are left, or when these have no input or hold only the call of a graph, as after
 *          deduplication.
 * Errors:  ARG (RANGE: the regions are those of another graph), OVERFLOW; after NOMEM: LIMIT
 *          (OUTPUTS, WORK: need, limit)
 * Time:    O(n + m + args); after a cycle, per region the nodes between its first and its last
 * Memory:  the bound
 */
GSP_API gsp_status gsp_dedup_select_run(gsp_arena *arena, const gsp_graph *graph,
                                        const gsp_regions *regions,
                                        const gsp_dedup_select_desc *desc,
                                        gsp_dedup_selection *result, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>dedup   Replacement of regions by calls of one subgraph                                   (API)
 * ---------------------------------------------------------------------------------------------- */

/* Options of the run. */
typedef struct gsp_dedup_desc {
    uint32_t start_canary;
    uint32_t hash_bits;       /* as in gsp_node_classes_desc */
    uint32_t max_dependences; /* as in gsp_dependences_desc */
    uint32_t max_outputs;     /* as in gsp_dedup_select_desc */
    uint64_t max_work;        /* as in gsp_regions_desc; separately as in gsp_dedup_select_desc */
    uint32_t end_canary;
} gsp_dedup_desc;

/* A deduplicated module, and the map from old nodes to new. */
typedef struct gsp_dedup_result {
    gsp_module module; /* root, subgraphs (1 .. n_subgraphs), other graphs of the input */
    gsp_regions regions;
    gsp_dedup_selection selection;
    gsp_node *call;      /* [n_calls] in the root */
    uint32_t *map_begin; /* [n + 1] into map */
    gsp_node *map;       /* root nodes for a node: itself, a getitem, one per element, or none */
} gsp_dedup_result;

/* gsp_dedup_bound: bytes for the run, which copies the whole module. Time: O(1). */
GSP_API size_t gsp_dedup_bound(const gsp_graph *graph, const gsp_dedup_desc *desc);

/* gsp_dedup_run: a module in which identical regions are calls of one subgraph.
 *
 * What:    Runs gsp_regions_run() and gsp_dedup_select_run(). Each group becomes a graph
 *          `subgraph_N` with the names of its first region. The root calls, per region,
 *          torch.ops.higher_order.invoke_subgraph(subgraph_N, subgraph_N, inputs...), with one
 *          operator.getitem per output; aggregates are returned as elements. The root is in a
 *          stable topological order: reads stay between the same writes, no node crosses a barrier.
 * Errors:  ARG (RANGE: no such graph; POSITION: node), LIMIT (WORK: node), OVERFLOW; after NOMEM:
 *          LIMIT (DEPENDENCES, WORK, OUTPUTS: need, limit), DAMAGED
 * Time:    O((n + m + args + strings) log n), plus gsp_regions_run() and gsp_dedup_select_run()
 * Memory:  the bound
 * Example: examples/repeated_layers.c
 * See:     torch._dynamo graph_deduplication
 */
GSP_API gsp_status gsp_dedup_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_dedup_desc *desc, gsp_dedup_result *result,
                                 gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>fingerprint   Fingerprints of graphs                                                      (API)
 * ---------------------------------------------------------------------------------------------- */

/* 128 bits over the computation of a graph, independent of names. */
typedef struct gsp_fingerprint {
    uint64_t words[2];
} gsp_fingerprint;

/* Fingerprints of all graphs of a module. */
typedef struct gsp_fingerprints {
    uint32_t n_graphs;
    gsp_fingerprint *prints; /* [n_graphs] */
} gsp_fingerprints;

/* gsp_fingerprints_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_fingerprints_bound(const gsp_module *module);

/* gsp_fingerprints_run: one fingerprint per graph; one compilation serves equal ones.
 *
 * What:    Hashes operations, targets of functions and methods, classes of called modules (without
 *          a class, their target), arguments with constants, TYPEs, sizes of parameters,
 *          `mutates=`, `alias=`, `state=`, `barrier=`, `device=`, and the fingerprints of called
 *          graphs. Names of nodes, inputs, parameters, graphs and module instances do not count,
 *          nor do costs, keys and scopes. By chance, one of 2^64 pairs of different graphs has
 *          equal fingerprints; the hash is not cryptographic.
 * Errors:  ARG, OVERFLOW; after NOMEM: CYCLE (RECURSION: the graph)
 * Time:    O(nodes + args + bytes of their texts), and a search by name per call. Memory: the bound
 * Example: examples/repeated_layers.c
 */
GSP_API gsp_status gsp_fingerprints_run(gsp_arena *arena, const gsp_module *module,
                                        gsp_fingerprints *result, gsp_error *err);

/* gsp_fingerprint_write: 32 hexadecimal digits and a NUL into text[33]. Time: O(1). */
GSP_API void gsp_fingerprint_write(gsp_fingerprint fingerprint, char *text);

#endif /* GSP_NO_DEDUP */

/* =================================================================================================
 * >>PIPELINE   Stages of a pipeline                                                           (API)
 * ============================================================================================== */

/* Cuts a graph into stages that run on devices one after the other, microbatch by microbatch.
 *
 * In:      gsp_graph; markers, split points or a policy; costs of nodes
 * Out:     stage of each node, costs of each stage, a module with one graph per stage, gradients
 * Order:   gsp_stage_costs_run() takes stages of any policy
 *
 *     costs --> stages_* --> stage_params --> pipeline --> backward --> stage_devices
 */
#ifndef GSP_NO_PIPELINE

/* -------------------------------------------------------------------------------------------------
 * >>costs   Costs of nodes in ticks and bytes                                                 (API)
 * ---------------------------------------------------------------------------------------------- */

/* Costs of nodes in ticks and bytes, from the caller or gsp_costs_run(). No float decides. */
typedef struct gsp_costs {
    uint32_t n_nodes;
    uint32_t n_items;           /* parameters and called modules, one item each */
    const uint64_t *time;       /* [n] ticks to compute; NULL: 0 */
    const uint64_t *move;       /* [n] ticks to move the output to or from a device; NULL: 0 */
    const uint64_t *stash;      /* [n] bytes of the output; NULL: 0 */
    const uint32_t *item_begin; /* [n + 1] into items; NULL: no parameters */
    const uint32_t *items;      /* items that a node reads */
    const uint64_t *item_bytes; /* [n_items] */
} gsp_costs;

/* Options of the run. */
typedef struct gsp_costs_desc {
    uint32_t start_canary;
    uint32_t scale;     /* factor of compute=, e.g. 3 for forward and backward; 0: 1 */
    uint64_t ticks;     /* ticks per second; 0: 10^9 */
    uint64_t bandwidth; /* bytes per second, for outputs without comm=; 0: no time */
    uint32_t end_canary;
} gsp_costs_desc;

#ifndef GSP_NO_COST
/* gsp_costs_resolve: the desc with its defaults. Time: O(1). */
GSP_API gsp_costs_desc gsp_costs_resolve(const gsp_costs_desc *desc);

/* gsp_costs_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_costs_bound(const gsp_graph *graph);

/* gsp_costs_run: reads the costs of nodes from the annotations of a graph. time of callable nodes:
 * compute=. move: comm=, else bytes / bandwidth. Both are rounded half up to ticks and 0 without
 * annotation. stash: bytes of the output, in the module. Items: each target of get_attr, with the
 * bytes of its first get_attr; each called module, with params= of its first call.
 *
 * Errors:  after NOMEM: ARG (LATENCY: a time of node is negative or not finite), OVERFLOW (SIZE)
 * Time:    O(nodes + edges + strings). Memory: the bound
 * Example: examples/pipeline_plan.c
 */
GSP_API gsp_status gsp_costs_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_costs_desc *desc, gsp_costs *costs, gsp_error *err);
#endif

/* -------------------------------------------------------------------------------------------------
 * >>stages_even   Stages of equal size                                                        (API)
 * ---------------------------------------------------------------------------------------------- */

/* Which quantity stages share equally. */
typedef enum gsp_stages_even_policy {
    GSP_STAGES_EVEN_NODES,     /* numbers of nodes */
    GSP_STAGES_EVEN_PARAMS,    /* bytes of parameters, each counted at its first reader */
    GSP_STAGES_EVEN_THRESHOLD, /* bytes of parameters per stage are at most a threshold */
    GSP_STAGES_EVEN_COUNT,
    GSP_STAGES_EVEN_FORCE_U32 = 0x7FFFFFFF
} gsp_stages_even_policy;

/* Marker of PyTorch between two stages. */
#define GSP_STAGES_MARKER "torch.ops.pippy._pipe_split.default"

/* Options of the run. */
typedef struct gsp_stages_even_desc {
    uint32_t start_canary;
    uint32_t policy;    /* gsp_stages_even_policy */
    uint32_t n_stages;  /* maximum; 0: NODES and PARAMS 1, THRESHOLD no limit */
    uint64_t threshold; /* THRESHOLD: bytes; 0: bytes of all parameters / n_stages */
    const char *marker; /* target of markers; NULL: PyTorch's */
    uint32_t end_canary;
} gsp_stages_even_desc;

/* Stages in graph order. */
typedef struct gsp_stages_even_result {
    uint32_t n_nodes;
    uint32_t n_stages;        /* none is empty; 0: no callable nodes */
    const uint32_t *stage_of; /* [n] GSP_NONE: not callable, or a marker */
    const uint64_t *weight;   /* [n_stages] nodes, or bytes of parameters */
} gsp_stages_even_result;

/* gsp_stages_even_resolve: the desc with its defaults. Time: O(1). */
GSP_API gsp_stages_even_desc gsp_stages_even_resolve(const gsp_stages_even_desc *desc);

/* gsp_stages_even_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_stages_even_bound(const gsp_graph *graph, const gsp_stages_even_desc *desc);

/* gsp_stages_even_run: stages of equal node counts or parameter bytes; markers do not cut.
 * NODES, PARAMS: with weight W left for k stages, the next ends at the first node with which it
 * weighs ceil(W / k), or behind which only k - 1 nodes are left; the last takes the rest. With no
 * weight left, every node weighs 1. A target of get_attr counts at its first reader, with the bytes
 * of its first get_attr; a called module at its first call. Only fewer nodes give fewer stages.
 * THRESHOLD: a stage ends before a node whose parameters exceed the rest of the threshold; those
 * that the stage already reads are free, a called module counts at every call. A node too large for
 * an empty stage ends that stage.
 *
 * Errors:  ARG (THRESHOLD: neither threshold nor n_stages), OVERFLOW (SIZE)
 * Time:    O(nodes + edges + strings). Memory: the bound
 * Example: examples/stages.c
 * See:     PiPPy, split_on_size_threshold
 */
GSP_API gsp_status gsp_stages_even_run(gsp_arena *arena, const gsp_graph *graph,
                                       const gsp_stages_even_desc *desc,
                                       gsp_stages_even_result *result, gsp_error *err);

/* gsp_stages_is_marker: 1 for a function call of this target (NULL: PyTorch's). Time: O(target). */
GSP_API int gsp_stages_is_marker(const gsp_graph *graph, gsp_node node, const char *marker);

/* -------------------------------------------------------------------------------------------------
 * >>stage_costs   Time and memory of stages                                                   (API)
 * ---------------------------------------------------------------------------------------------- */

/* Model of costs. A stage pays for its nodes, and once per value that enters or leaves;
 * placeholders and returned values of the root move at no cost. */
typedef struct gsp_stage_model {
    const gsp_costs *costs; /* required */
    uint32_t carried; /* 0: values go straight to readers; 1: through all stages up to the last */
    uint32_t microbatches; /* per run, 1F1B: stage s of k stashes min(k - s, this); 0: inference */
    const uint32_t *held;  /* [stages] stashed microbatches, non-increasing; NULL: as in 1F1B */
    uint32_t copies;       /* of parameters: gradients, optimizer state, ...; 0: 1 */
    uint64_t first_time;   /* ticks added to the first stage */
    uint64_t last_time;    /* and the last stage */
} gsp_stage_model;

/* Stages of any policy, and the model of their costs. */
typedef struct gsp_stage_costs_desc {
    uint32_t start_canary;
    uint32_t n_stages;
    const uint32_t *stage_of; /* [n] GSP_NONE: in no stage; required */
    gsp_stage_model model;
    uint32_t end_canary;
} gsp_stage_costs_desc;

/* One stage: time = compute + enter + leave + first_time or last_time of the model. */
typedef struct gsp_stage_cost {
    uint32_t n_nodes;
    uint32_t held;    /* microbatches whose stash it keeps */
    uint64_t time;    /* ticks */
    uint64_t compute; /* ticks of its nodes */
    uint64_t enter;   /* ticks of the values that enter */
    uint64_t leave;   /* ticks of the values that leave */
    uint64_t params;  /* bytes of the parameters that it reads */
    uint64_t stash;   /* bytes that one microbatch makes in it and hands to it */
    uint64_t memory;  /* params * copies + stash * held */
} gsp_stage_cost;

/* The costs of all stages. */
typedef struct gsp_stage_costs_result {
    uint32_t n_stages;
    uint32_t slowest;            /* first stage of the greatest time; GSP_NONE: no stage */
    uint32_t greatest;           /* first stage of the greatest memory */
    const gsp_stage_cost *loads; /* [n_stages] */
} gsp_stage_costs_result;

/* gsp_stage_costs_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_stage_costs_bound(const gsp_graph *graph, const gsp_stage_costs_desc *desc);

/* gsp_stage_costs_run: time and memory of each stage, for stages of any policy.
 *
 * Errors:  ARG (NULL_ARGUMENT: no costs, stage_of or bytes of items; COSTS: of another graph, no
 *          such item; STAGE: node has none, or reads other, of a later one), OVERFLOW (SIZE)
 * Time:    O(nodes + edges + items + stages). Memory: the bound
 * Example: examples/pipeline_plan.c
 */
GSP_API gsp_status gsp_stage_costs_run(gsp_arena *arena, const gsp_graph *graph,
                                       const gsp_stage_costs_desc *desc,
                                       gsp_stage_costs_result *result, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>stages_optimal   Stages of the smallest bottleneck                                        (API)
 * ---------------------------------------------------------------------------------------------- */

/* The bottleneck that is minimised. */
typedef enum gsp_stages_optimal_goal {
    GSP_STAGES_OPTIMAL_TIME,  /* time of the slowest stage */
    GSP_STAGES_OPTIMAL_BYTES, /* memory of the greatest stage */
    GSP_STAGES_OPTIMAL_COUNT,
    GSP_STAGES_OPTIMAL_FORCE_U32 = 0x7FFFFFFF
} gsp_stages_optimal_goal;

#define GSP_STAGES_OPTIMAL_ORDERS 14u /* distinct orders */

/* Options of the run. */
typedef struct gsp_stages_optimal_desc {
    uint32_t start_canary;
    uint32_t n_devices;    /* 0: 1 */
    uint32_t n_chunks;     /* stages per device, stage s on device s % n_devices; 0: 1 */
    uint32_t goal;         /* gsp_stages_optimal_goal */
    uint32_t n_orders;     /* orders to try, graph order first; 0: 1; capped at 14 */
    uint32_t keep_groups;  /* 1: no cut between nodes of the same group= */
    gsp_stage_model model; /* costs are required */
    uint64_t memory;       /* bytes per device, in equal shares for its stages; 0: no limit */
    uint64_t max_work;     /* nodes visited per order; 0: 2^26; UINT64_MAX: no limit */
    const char *marker;    /* target of markers; NULL: PyTorch's */
    uint32_t end_canary;
} gsp_stages_optimal_desc;

/* The best plan found, and a lower bound. */
typedef struct gsp_stages_optimal_result {
    uint32_t n_nodes;
    uint32_t n_stages;        /* devices * chunks; fewer only where nodes are fewer */
    uint32_t order;           /* the order that the stages cut; 0: graph order */
    uint32_t proved;          /* 1: the objective is optimal in the orders tried */
    const uint32_t *stage_of; /* [n] GSP_NONE: not callable, or a marker */
    uint64_t objective;       /* ticks of the slowest stage, or bytes of the greatest */
    uint64_t lower_bound;     /* in the orders tried */
    uint64_t reference;       /* objective of stages of equal node counts, memory ignored */
    uint64_t work;            /* nodes visited, all orders */
} gsp_stages_optimal_result;

/* gsp_stages_optimal_resolve: the desc with its defaults. Time: O(1). */
GSP_API gsp_stages_optimal_desc gsp_stages_optimal_resolve(const gsp_stages_optimal_desc *desc);

/* gsp_stages_optimal_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_stages_optimal_bound(const gsp_graph *graph,
                                        const gsp_stages_optimal_desc *desc);

/* gsp_stages_optimal_run: contiguous pieces of a topological order that minimise the bottleneck. It
 * makes n_devices * n_chunks stages, none empty, each within the memory. Among orders of equal
 * objective the first wins. When max_work ends the search, the result is the best plan so far, and
 * lower_bound holds. Order 0 is graph order; the others are the kinds of gsp_topo_order_run(), with
 * backward, and depth first with seeds. Nodes with mutates= or barrier= allow graph order only.
 *
 * Errors:  ARG (NULL_ARGUMENT, COSTS: see gsp_stage_costs_run(); HELD: stage `node` keeps more
 *          microbatches than the one before it), OVERFLOW (SIZE), NO_FIT (need = least memory per
 *          device that suffices, limit = the memory)
 * Time:    O(nodes + edges) per bound tried, with carried values O(nodes log nodes); and the nodes
 *          of all stages that could be in a plan within the bound, at most max_work
 * Memory:  the bound
 * Order:   starts of the last stage ascend; only a strictly better one replaces another
 * Example: examples/pipeline_plan.c
 * See:     Tarnawski et al., NeurIPS 2020; Archer et al., ICML 2024
 */
GSP_API gsp_status gsp_stages_optimal_run(gsp_arena *arena, const gsp_graph *graph,
                                          const gsp_stages_optimal_desc *desc,
                                          gsp_stages_optimal_result *result, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>stages_from_marks   Stages from markers and split specs                                   (API)
 * ---------------------------------------------------------------------------------------------- */

/* Where an entry of a split spec cuts. */
typedef enum gsp_split_point_kind {
    GSP_SPLIT_POINT_BEGINNING, /* before the first node of the module */
    GSP_SPLIT_POINT_END,       /* behind its last node */
    GSP_SPLIT_POINT_COUNT,
    GSP_SPLIT_POINT_FORCE_U32 = 0x7FFFFFFF
} gsp_split_point_kind;

/* A cut at every call of a module: at each longest sequence of callable nodes whose scope
 * (gsp_node_scope()) is `path` or lies below it, and at each called module of target `path`. */
typedef struct gsp_split_point {
    gsp_str path;
    uint32_t point; /* gsp_split_point_kind */
} gsp_split_point;

/* Where stages begin and end. */
typedef struct gsp_stages_from_marks_desc {
    uint32_t start_canary;
    uint32_t n_points;
    const char *marker;            /* target of markers; NULL: PyTorch's */
    const gsp_split_point *points; /* [n_points] further cuts */
    /* not 0: a stage begins at this callable node, and markers do not cut; or NULL */
    int (*policy)(void *user, const gsp_graph *graph, gsp_node node);
    void *user; /* for the policy */
    uint32_t end_canary;
} gsp_stages_from_marks_desc;

/* Stages in graph order. */
typedef struct gsp_stages_from_marks_result {
    uint32_t n_nodes;
    uint32_t n_stages;        /* none is empty; 0: no callable nodes */
    const uint32_t *stage_of; /* [n] GSP_NONE: not callable, or a marker */
} gsp_stages_from_marks_result;

/* gsp_stages_from_marks_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_stages_from_marks_bound(const gsp_graph *graph,
                                           const gsp_stages_from_marks_desc *desc);

/* gsp_stages_from_marks_run: the stages that markers, a split spec or a policy ask for.
 *
 * Errors:  ARG (POLICY: both points and a policy; POINT, NULL_ARGUMENT and, after NOMEM, PATH:
 *          `node` = the entry), OVERFLOW
 * Time:    O(nodes + bytes of scopes + points). Memory: the bound
 * Example: examples/pipeline.c
 * See:     torch.distributed.pipelining, annotate_split_points
 */
GSP_API gsp_status gsp_stages_from_marks_run(gsp_arena *arena, const gsp_graph *graph,
                                             const gsp_stages_from_marks_desc *desc,
                                             gsp_stages_from_marks_result *result, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>stage_params   Parameters of stages                                                       (API)
 * ---------------------------------------------------------------------------------------------- */

/* Treatment of parameters that several stages read. */
typedef enum gsp_multi_use {
    GSP_MULTI_USE_REPLICATE, /* every stage holds a copy; the trainer sums their gradients */
    GSP_MULTI_USE_TRANSMIT,  /* the first of the stages holds it and returns it for the others */
    GSP_MULTI_USE_COUNT,
    GSP_MULTI_USE_FORCE_U32 = 0x7FFFFFFF
} gsp_multi_use;

/* The setting of one parameter. */
typedef struct gsp_stage_param_use {
    gsp_str target;     /* of a get_attr */
    uint32_t multi_use; /* gsp_multi_use */
} gsp_stage_param_use;

/* Stages, and the treatment of parameters that several of them read. */
typedef struct gsp_stage_params_desc {
    uint32_t start_canary;
    uint32_t multi_use;              /* gsp_multi_use of parameters not in `uses` */
    const uint32_t *stage_of;        /* [n] below n, holes allowed; GSP_NONE: in none; required */
    const gsp_stage_param_use *uses; /* [n_uses] the last entry of a parameter decides */
    uint32_t n_uses;
    uint32_t end_canary;
} gsp_stage_params_desc;

/* A parameter, with the stages that hold it: held[begin .. end), ascending. */
typedef struct gsp_stage_param {
    gsp_atom target;
    gsp_node node;  /* its first get_attr in the input */
    uint32_t first; /* the first parameter in the same storage (`storage=`), itself included */
    uint32_t transmitted; /* 1: several stages read it, its one holder returns it */
    uint32_t begin;
    uint32_t end;
} gsp_stage_param;

/* A storage or module that stages held[begin .. end) hold; a trainer keeps its copies equal. */
typedef struct gsp_stage_param_copy {
    gsp_atom target; /* of a storage: its first name */
    gsp_node node;   /* its first get_attr or call in the input */
    uint32_t begin;
    uint32_t end;
} gsp_stage_param_copy;

/* Stages with their nodes and parameters. */
typedef struct gsp_stage_params_result {
    uint32_t n_nodes;
    uint32_t n_stages;
    uint32_t n_params;
    uint32_t n_replicated;
    uint32_t n_shared;
    uint32_t n_held;
    const uint32_t *stage_of;  /* [n] stages without holes */
    const gsp_node *kept;      /* [n] a get_attr: the first of its target; else the node */
    const uint32_t *home;      /* [n] stage that returns the value if others read it; or GSP_NONE */
    const uint32_t *begin;     /* [n_stages + 1] into nodes */
    const gsp_node *nodes;     /* callable nodes by stage, in graph order */
    const uint32_t *own_begin; /* [n_stages + 1] into own */
    const gsp_node *own;       /* get_attr nodes by stage, in graph order */
    const gsp_stage_param *params;          /* [n_params] in graph order; without unread ones */
    const gsp_stage_param_copy *replicated; /* [n_replicated] storages that several stages hold */
    const gsp_stage_param_copy *shared; /* [n_shared] modules of several stages, not of params=0 */
    const uint32_t *held;               /* [n_held] stages, of all three */
} gsp_stage_params_result;

/* gsp_stage_params_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_stage_params_bound(const gsp_graph *graph, const gsp_stage_params_desc *desc);

/* gsp_stage_params_run: which stages hold each parameter. Attributes of one target are one. A
 * parameter that several stages read is held by all of them, or by the first, which transmits it.
 * An attribute that names a child graph is held, but not listed; no stage holds one that the root
 * alone returns.
 *
 * Errors:  ARG (MULTI_USE, PARAMETER and NULL_ARGUMENT: `node` = the entry, GSP_NONE: the default;
 *          STAGE: node reads other, of no stage, or its own is n or more; STAGE_ORDER: node reads
 *          other, of a later stage; WRITTEN: node writes the parameter that other reads, of which
 *          there are copies), LIMIT (WORK: node), OVERFLOW. PARAMETER, WRITTEN and LIMIT are after
 *          NOMEM
 * Time:    O(nodes + edges + args + strings). Memory: the bound
 * Example: examples/pipeline.c
 * See:     torch.distributed.pipelining, _IR
 */
GSP_API gsp_status gsp_stage_params_run(gsp_arena *arena, const gsp_graph *graph,
                                        const gsp_stage_params_desc *desc,
                                        gsp_stage_params_result *result, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>pipeline   The pipeline as a module                                                       (API)
 * ---------------------------------------------------------------------------------------------- */

/* Options of the run. */
typedef struct gsp_pipeline_desc {
    uint32_t start_canary;
    uint32_t keep_targets;      /* 1: called modules keep dotted targets; 0: `a.b` becomes `a_b` */
    gsp_stage_params_desc hold; /* stages and parameters */
    uint32_t end_canary;
} gsp_pipeline_desc;

/* The module, and where the nodes of the input are in it. */
typedef struct gsp_pipeline_result {
    gsp_module module; /* root, stages, child graphs in use; strings of the input keep their ids */
    uint32_t n_stages; /* stage i is graph 1 + i */
    const uint32_t *stage_of; /* [n] stage of a callable node; GSP_NONE: others */
    const gsp_node *node_of;  /* [n] its id in the graph of its stage */
    const gsp_node *call;     /* [n_stages] in the root; it has `stage=` */
    gsp_stage_params_result hold;
} gsp_pipeline_result;

/* gsp_pipeline_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_pipeline_bound(const gsp_graph *graph, const gsp_pipeline_desc *desc);

/* gsp_pipeline_run: a module with one graph per stage, and a root that calls them in order.
 * Parameters move into the stages that hold them (gsp_stage_params_run()), behind the placeholders,
 * in graph order; the root also keeps those that it returns. A stage returns its values in order of
 * their first reader outside, then the parameters that it transmits, in graph order: one value
 * bare, several as a tuple, none as `()`. Readers take them from the root. Stages are `submod_0`,
 * ...; a name that a called module has gets the next free number.
 *
 * Errors:  those of gsp_stage_params_run(), NULL_ARGUMENT also for a graph without nodes; DAMAGED
 * Time:    O(nodes + edges + args + strings). Memory: the bound
 * Example: examples/pipeline.c
 * See:     torch.distributed.pipelining, _IR
 */
GSP_API gsp_status gsp_pipeline_run(gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_pipeline_desc *desc, gsp_pipeline_result *result,
                                    gsp_error *err);

/* gsp_pipeline_stage: graph 1 + stage. Errors: ARG (STAGE_INDEX). Memory: none. Time: O(1). */
GSP_API gsp_status gsp_pipeline_stage(const gsp_pipeline_result *result, uint32_t stage,
                                      gsp_graph *graph, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>backward   Gradients through the stages                                                   (API)
 * ---------------------------------------------------------------------------------------------- */

/* How the loss is found among the returned values of the root. */
typedef enum gsp_loss {
    GSP_LOSS_OUTPUT, /* the value of this index in a returned tuple or list; 0 of anything else */
    GSP_LOSS_KEY,    /* the value under the key `loss` of a returned dict */
    /* a value of the returned shape: True at the loss (the first True counts), else False, e.g.
     * "(False, {'loss': True, 'x': False})"; a tuple may stand for a list; dict keys in order */
    GSP_LOSS_SPEC,
    GSP_LOSS_COUNT,
    GSP_LOSS_FORCE_U32 = 0x7FFFFFFF
} gsp_loss;

/* Which returned value is the loss; NULL: the first. */
typedef struct gsp_backward_desc {
    uint32_t start_canary;
    uint32_t loss;   /* gsp_loss */
    uint32_t output; /* OUTPUT: the index */
    gsp_str spec;    /* SPEC */
    uint32_t end_canary;
} gsp_backward_desc;

/* The module with its backward part. */
typedef struct gsp_backward_result {
    gsp_module module; /* ids are those of the input, but for the root's output */
    uint32_t n_stages;
    gsp_node loss;        /* the value of the root that is the loss */
    const gsp_node *call; /* [n_stages] stage_backward of a stage; GSP_NONE: not needed */
    /* [nodes of the input's root] gradient that later stages return for a value; for a placeholder,
     * that of its first reader; or GSP_NONE */
    const gsp_node *grad_of;
} gsp_backward_result;

#define GSP_BACKWARD_STAGE "torch.distributed.pipelining._backward.stage_backward"
#define GSP_BACKWARD_ADD   "torch.distributed.pipelining._backward._null_coalesce_accumulate"

/* gsp_backward_bound: bytes for the run of `pipe->module`. Time: O(1). */
GSP_API size_t gsp_backward_bound(const gsp_module *module, const gsp_backward_desc *desc);

/* gsp_backward_run: the root of a pipeline with its backward part. For the stages that the loss
 * depends on, last first: GSP_BACKWARD_STAGE(stage_output = (values), output_grads = (their
 * gradients, or None), input_values = [inputs], outputs_with_grads_idxs = [indices of the values
 * that lead to the loss]), and per input a getitem, its gradient. GSP_BACKWARD_ADD adds the
 * gradients of a value that several stages read; those of placeholders are not added.
 *
 * Errors:  ARG (NULL_ARGUMENT; LOSS_INDEX: need = index, limit = number of values; LOSS_KEY;
 *          LOSS_VALUE: the loss is no node; after NOMEM LOSS_SPEC: column in the spec, and
 *          LOSS_NONE: no True), OVERFLOW, DAMAGED
 * Time:    O(nodes + edges + args + strings). Memory: the bound
 * Example: examples/pipeline.c
 * See:     torch.distributed.pipelining, _insert_stage_symbolic_backward
 */
GSP_API gsp_status gsp_backward_run(gsp_arena *arena, const gsp_pipeline_result *pipe,
                                    const gsp_backward_desc *desc, gsp_backward_result *result,
                                    gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>stage_devices   Devices of stages, stages as modules                                      (API)
 * ---------------------------------------------------------------------------------------------- */

/* The device of a stage. */
typedef struct gsp_stage_device {
    uint32_t stage;
    gsp_str device; /* as spelled in arguments: "cuda:1" */
} gsp_stage_device;

/* The devices of all stages. */
typedef struct gsp_stage_devices_desc {
    uint32_t start_canary;
    uint32_t n_stages;               /* stage i is graph 1 + i */
    const gsp_stage_device *devices; /* [n_devices] the last entry of a stage decides */
    uint32_t n_devices;
    uint32_t end_canary;
} gsp_stage_devices_desc;

/* gsp_stage_devices_bound: bytes for the run. Time: O(n_devices). */
GSP_API size_t gsp_stage_devices_bound(const gsp_module *module,
                                       const gsp_stage_devices_desc *desc);

/* gsp_stage_devices_run: sets the devices of stages in a module of gsp_pipeline_run() or
 * gsp_backward_run(). In a stage with a device, every call_function with a keyword argument
 * `device` gets this one; so do the child graphs that the stage uses. A child graph used by stages
 * of different devices becomes one graph per device, further ones under the next free number.
 * Nothing else changes; all ids stay.
 *
 * Errors:  ARG (STAGE_INDEX, DEVICE, NULL_ARGUMENT: `node` = the entry), OVERFLOW, DAMAGED
 * Time:    O(module * (1 + different devices)), O(module) without child graphs. Memory: the bound
 * Example: examples/pipeline.c
 * See:     torch.distributed.pipelining, _modify_graph_op_device
 */
GSP_API gsp_status gsp_stage_devices_run(gsp_arena *arena, const gsp_module *input,
                                         const gsp_stage_devices_desc *desc, gsp_module *result,
                                         gsp_error *err);

/* gsp_stage_extract_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_stage_extract_bound(const gsp_module *module);

/* gsp_stage_extract_run: one graph of a module and the child graphs that it uses as a module, e.g.
 * to send to one machine. Its text reads back as the same module.
 *
 * Errors:  ARG (STAGE_INDEX: no graph of this index), OVERFLOW, DAMAGED
 * Time:    O(module). Memory: the bound
 * Example: examples/pipeline.c
 */
GSP_API gsp_status gsp_stage_extract_run(gsp_arena *arena, const gsp_module *input, uint32_t graph,
                                         gsp_module *result, gsp_error *err);

#endif /* GSP_NO_PIPELINE */

/* =================================================================================================
 * >>MEMORY   Memory plans and execution                                                       (API)
 * ============================================================================================== */

/* Memory of a graph, and its execution.
 *
 * In:      gsp_graph with bytes per value, in graph order; kernels of the caller
 * Out:     live bytes per step, an offset per tensor, parts that fit a budget; outputs
 * Order:   liveness gives a lower bound for every memory_plan; exec_plan once, exec per run
 *
 *     liveness --> memory_plan        exec_plan --> exec (calls your kernels)
 *              `-> split_by_memory
 */
#ifndef GSP_NO_MEMORY

/* -------------------------------------------------------------------------------------------------
 * >>liveness   Live bytes in graph order                                                      (API)
 * ---------------------------------------------------------------------------------------------- */

/* The peak of a part: the step that needs most memory. */
typedef struct gsp_liveness_part {
    uint64_t bytes;
    gsp_node node; /* GSP_NONE: the part has no nodes */
    uint32_t step; /* place of the node in the part */
} gsp_liveness_part;

/* All zero: the whole graph. */
typedef struct gsp_liveness_desc {
    uint32_t start_canary;
    uint32_t n_parts;        /* 0: the whole graph, with placeholders and outputs */
    const uint32_t *part_of; /* [n] part of every callable node */
    const uint64_t *scratch; /* [n] bytes needed only while a node runs; NULL: none */
    uint32_t skip_inputs;    /* 1: the inputs of a part have 0 bytes */
    uint32_t end_canary;
} gsp_liveness_desc;

/* All arrays are read-only. */
typedef struct gsp_liveness_result {
    uint32_t n_parts;               /* 1 for the whole graph */
    uint32_t worst;                 /* the first part with the greatest peak; GSP_NONE: no part */
    const gsp_liveness_part *parts; /* [n_parts] */
    const uint32_t *step_begin;     /* [n_parts + 1] into nodes and live */
    const gsp_node *nodes;          /* callable nodes by part, or all nodes */
    const uint64_t *live;           /* live bytes while that node runs */
    const uint32_t *tensor_begin;   /* [n_parts + 1] into tensors */
    const gsp_node *tensors; /* live at the peak of a part, by first use; 0 bytes: not listed */
} gsp_liveness_result;

/* gsp_liveness_bound() of the whole graph as a constant. */
#define GSP_LIVENESS_BOUND(n_nodes, n_edges)                                         \
    (GSP_BOUND_ARRAY(1u, sizeof(gsp_liveness_part)) + GSP_BOUND_ARRAY(n_nodes, 8u) + \
     4u * GSP_BOUND_ARRAY(n_nodes, 4u) + 2u * GSP_BOUND_ARRAY(2u, 4u) +              \
     GSP_BOUND_ARRAY(1u, 20u * sizeof(void *) + 24u) + GSP_BOUND_SLACK)

/* gsp_liveness_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_liveness_bound(const gsp_graph *graph, const gsp_liveness_desc *desc);

/* gsp_liveness_run: live bytes of activations in graph order, of a graph or of each part of it.
 *
 * What:    While a node runs, its inputs, its output and all values that are read later are live.
 *          Inputs (placeholders; of a part, all values from outside) are live from the first step,
 *          even if nothing reads them. Values that are returned, or read outside of the part, are
 *          live to the last step. Values without readers are live only at their own step. A view
 *          (alias=) has 0 bytes and keeps its storage live. An aggregate is one storage until its
 *          last read as a whole; then each element that operator.getitem takes is live alone until
 *          its last read. Elements of an input aggregate, of an element and of a view stay part of
 *          it. get_attr has 0 bytes: it reads parameters. For a called graph, desc.scratch says the
 *          bytes: its peak with skip_inputs.
 * Errors:  ARG (NULL_ARGUMENT: n_parts without part_of; TAG: node has no part; ALIAS: node),
 *          OVERFLOW (SIZE: node)
 * Time:    O(nodes + edges + args). Memory: the bound
 * Order:   the first of several steps with equal bytes
 * Example: examples/memory_plan.c
 */
GSP_API gsp_status gsp_liveness_run(gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_liveness_desc *desc, gsp_liveness_result *result,
                                    gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>memory_plan   Tensors in one arena                                                        (API)
 * ---------------------------------------------------------------------------------------------- */

/* A buffer of the plan: an activation, or the scratch of a node. */
typedef struct gsp_tensor {
    uint64_t offset; /* bytes from the start of the arena */
    uint64_t bytes;
    gsp_node node;  /* its producer; of an element: its first getitem */
    uint32_t begin; /* first and last step (node) at which it is live */
    uint32_t end;
    uint32_t scratch; /* 1: desc.scratch of the node */
} gsp_tensor;

/* All zero: placeholders in the arena too, offsets aligned to 16. */
typedef struct gsp_memory_plan_desc {
    uint32_t start_canary;
    uint32_t align;          /* bytes, a power of two; 0: 16 */
    uint32_t skip_inputs;    /* 1: placeholders have no tensor */
    const uint64_t *scratch; /* [n] bytes needed only while a node runs; NULL: none */
    uint64_t max_work;       /* see gsp_memory_plan_result.work; 0: 2^25 */
    uint32_t end_canary;
} gsp_memory_plan_desc;

/* All arrays are read-only. */
typedef struct gsp_memory_plan_result {
    uint64_t arena; /* size in bytes */
    uint64_t peak;  /* most live bytes: a lower bound of `arena` for every plan */
    uint64_t work;  /* pairs of tensors compared; 16 with a long-lived one count as one */
    uint32_t n_tensors;
    uint32_t n_stacked;        /* tensors placed on the skyline because max_work was reached */
    const gsp_tensor *tensors; /* [n_tensors] by node, its scratch last */
    const uint32_t *tensor_of; /* [n] tensor of a value, GSP_NONE: none */
} gsp_memory_plan_result;

/* gsp_memory_plan_bound() without scratch as a constant. */
#define GSP_MEMORY_PLAN_BOUND(n_nodes, n_edges)                                         \
    (GSP_BOUND_ARRAY(n_nodes, sizeof(gsp_tensor)) + 7u * GSP_BOUND_ARRAY(n_nodes, 4u) + \
     2u * GSP_BOUND_ARRAY((size_t)(n_nodes) + 1u, 4u) + GSP_BOUND_ARRAY(n_nodes, 8u) +  \
     GSP_BOUND_ARRAY((size_t)(n_nodes) + (size_t)(n_nodes) / 8u + 16u, 4u) +            \
     2u * GSP_BOUND_ARRAY((size_t)(n_nodes) / 8u + 1u, 16u) +                           \
     GSP_BOUND_ARRAY(1u, 23u * sizeof(void *) + 112u) + GSP_BOUND_SLACK)

/* gsp_memory_plan_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_memory_plan_bound(const gsp_graph *graph, const gsp_memory_plan_desc *desc);

/* gsp_memory_plan_run: offsets in one arena; tensors that are live at the same step do not overlap.
 *
 * What:    Greedy by size: tensors by falling size, each in the first gap between placed tensors
 *          whose lifetimes overlap with its own. Tensors and lifetimes are those of
 *          gsp_liveness_run(), but an element of an aggregate keeps its offset from the start.
 * Errors:  ARG (NUMBER: align; ALIAS: node), OVERFLOW (SIZE: node)
 * Time:    O(n log n + p) for p pairs of tensors with overlapping lifetimes; at worst, with very
 *          different sizes, O(p log p). After desc.max_work the remaining, smallest tensors are
 *          placed on a coarse skyline, O(log n) each: the plan is valid, but its arena is larger
 * Memory:  the bound
 * Order:   tensors of equal size by node
 * Example: examples/memory_plan.c
 * See:     TensorFlow Lite Micro, GreedyMemoryPlanner; Pisarchyk, Lee 2020
 */
GSP_API gsp_status gsp_memory_plan_run(gsp_arena *arena, const gsp_graph *graph,
                                       const gsp_memory_plan_desc *desc,
                                       gsp_memory_plan_result *result, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>split_by_memory   Fewest parts under a byte budget                                        (API)
 * ---------------------------------------------------------------------------------------------- */

/* `budget` is required. */
typedef struct gsp_split_by_memory_desc {
    uint32_t start_canary;
    uint64_t budget;         /* upper bound for the peaks, in bytes */
    const uint64_t *scratch; /* [n] bytes needed only while a node runs; NULL: none */
    uint32_t ignore_groups;  /* 1: group= is ignored */
    uint64_t max_work;       /* steps of the search for the boundaries; 0: 2^24 */
    uint32_t end_canary;
} gsp_split_by_memory_desc;

/* All arrays are read-only. */
typedef struct gsp_split_by_memory_result {
    uint32_t n_parts;               /* the minimum for this order */
    uint32_t proved;                /* 1: `boundary` is minimal; 0: max_work was reached before */
    uint64_t boundary;              /* bytes that cross the cuts */
    uint64_t greedy_boundary;       /* the same with every part as long as possible */
    const gsp_liveness_part *parts; /* [n_parts] peaks */
    const uint32_t *part_of;        /* [n] part of every callable node, GSP_NONE: others */
    const uint32_t *begin;          /* [n_parts + 1] into nodes */
    const gsp_node *nodes;          /* callable nodes by part */
} gsp_split_by_memory_result;

/* gsp_split_by_memory_bound() as a constant. */
#define GSP_SPLIT_BY_MEMORY_BOUND(n_nodes, n_edges)                                            \
    (GSP_BOUND_ARRAY(n_nodes, sizeof(gsp_liveness_part)) + 6u * GSP_BOUND_ARRAY(n_nodes, 4u) + \
     6u * GSP_BOUND_ARRAY((size_t)(n_nodes) + 1u, 4u) + GSP_BOUND_ARRAY(n_nodes, 8u) +         \
     2u * GSP_BOUND_ARRAY((size_t)(n_nodes) + 1u, 8u) +                                        \
     GSP_BOUND_ARRAY(1u, 25u * sizeof(void *) + 60u) + GSP_BOUND_SLACK)

/* gsp_split_by_memory_bound: bytes for the run. Time: O(1). */
GSP_API size_t gsp_split_by_memory_bound(const gsp_graph *graph,
                                         const gsp_split_by_memory_desc *desc);

/* gsp_split_by_memory_run: the fewest parts whose peaks each fit into a budget of bytes.
 *
 * What:    Parts are contiguous in graph order; a getitem of an element stays with its aggregate,
 *          and nodes of one group= stay together. Peaks are those of gsp_liveness_run(). A peak
 *          never falls when a part grows at either end, so parts of maximal length are fewest.
 *          Among all splits into the fewest parts the result has the least boundary: the sum over
 *          all cuts of the bytes of the values that a callable node before the cut yields and one
 *          after it reads. gsp_split_module_run() takes `part_of`.
 * Errors:  ARG (no desc; ALIAS: node), OVERFLOW (SIZE: node); after NOMEM: NO_FIT (BUDGET: node,
 *          limit)
 * Time:    O((nodes + edges) log n) for the parts, about max_work steps for the boundary; after
 *          these each cut is chosen alone, from the last to the first
 * Memory:  the bound
 * Order:   of equal splits the one with the earliest cuts, compared from the last cut
 * Example: examples/memory_plan.c
 */
GSP_API gsp_status gsp_split_by_memory_run(gsp_arena *arena, const gsp_graph *graph,
                                           const gsp_split_by_memory_desc *desc,
                                           gsp_split_by_memory_result *result, gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>exec_plan   Slots and call frames, planned once                                           (API)
 * ---------------------------------------------------------------------------------------------- */

/* A value of the caller: a handle, a pointer, a hash. The library never looks into it. */
typedef uint64_t gsp_value;

/* One input of a run. */
typedef struct gsp_input {
    gsp_str name; /* target of the placeholder; empty: by position */
    gsp_str type; /* TYPE; empty: not checked. A dimension that is no number fits any */
} gsp_input;

/* All zero: inputs by position, unchecked. */
typedef struct gsp_exec_plan_desc {
    uint32_t start_canary;
    uint32_t n_inputs;       /* 0, `inputs` NULL: all up to the last placeholder without default */
    const gsp_input *inputs; /* [n_inputs] by position first; NULL: by position, unchecked */
    uint32_t aggregates;     /* room for elements; 0: one per node and argument token */
    uint32_t whole;          /* 1: a kernel yields one value even if TYPE is an aggregate */
    uint32_t end_canary;
} gsp_exec_plan_desc;

/* One graph of a plan. */
typedef struct gsp_exec_frame {
    uint32_t n_slots; /* values in its frame */
    uint32_t n_in;    /* of its placeholders */
    uint32_t n_out;   /* returned */
    uint32_t slots;   /* most values in its frame and the frames above */
    uint32_t depth;   /* most frames from this one on */
    uint32_t in_at;   /* private from here */
    uint32_t out_at;
    uint32_t out_tree;
    uint32_t n_placeholders;
    uint32_t state;
    uint32_t parent;
    uint32_t resume;
    uint32_t owners;
    uint64_t peak;
    uint32_t peak_graph;
    gsp_node peak_node;
} gsp_exec_frame;

/* What a plan says of a node. */
typedef struct gsp_exec_node {
    uint32_t step;        /* what a run does; GSP_NONE: nothing */
    uint32_t leaf_at;     /* slot of its value, or start of its row in leaf; GSP_NONE: no value */
    uint32_t tree_at;     /* opening token of an aggregate, GSP_NONE: one value */
    uint32_t child;       /* called graph, GSP_NONE: none */
    uint32_t bind_at;     /* start of the row of its inputs in leaf */
    uint32_t request_at;  /* start of the row of its constants, GSP_NONE: none */
    uint32_t dead;        /* first value that dies after the node, GSP_NONE: none */
    gsp_node placeholder; /* of the k-th node of a graph: its k-th placeholder */
} gsp_exec_node;

/* A constant that becomes a value. */
typedef struct gsp_exec_plan_request {
    uint32_t slot; /* GSP_NONE: end of the row */
    gsp_atom constant;
    gsp_node node; /* its node, or the placeholder of the root whose default it is */
} gsp_exec_plan_request;

/* All of a run that does not depend on values; read-only. The module and desc.inputs outlive it. */
typedef struct gsp_exec_plan {
    gsp_graph graph;
    uint32_t n_inputs;     /* values that a run reads */
    uint32_t n_outputs;    /* values that it returns */
    uint32_t n_output;     /* tokens of the output */
    const gsp_arg *output; /* [n_output] the number of a NODE is an index of outputs */
    uint64_t peak_bytes;   /* most live bytes, without parameters */
    uint32_t peak_graph;   /* the peak is after this node of this graph */
    gsp_node peak_node;
    uint32_t depth;         /* most frames */
    uint32_t n_slots;       /* most values in all of them */
    gsp_exec_frame *frames; /* [graphs + 1] zero if never called; private from here */
    const gsp_input *inputs;
    gsp_exec_node *nodes; /* [nodes] */
    uint32_t *leaf;       /* slots */
    gsp_arg *tree;        /* tokens of aggregates, each value a GSP_ARG_NODE */
    uint32_t *tree_leaf;  /* values before a token */
    gsp_exec_plan_request *requests;
    uint32_t *slot;     /* of a value */
    uint32_t *next;     /* next value that dies after the same node */
    uint32_t n_tokens;  /* most argument tokens of a call */
    uint32_t n_results; /* most results of a call */
} gsp_exec_plan;

/* gsp_exec_plan_resolve: the desc with the defaults for this graph. Time: O(nodes). */
GSP_API gsp_exec_plan_desc gsp_exec_plan_resolve(const gsp_graph *graph,
                                                 const gsp_exec_plan_desc *desc);

/* gsp_exec_plan_bound: bytes for the run, by the counts of the module. Time: O(1). */
GSP_API size_t gsp_exec_plan_bound(const gsp_graph *graph, const gsp_exec_plan_desc *desc);

/* The same as a constant; n_aggregates and n_inputs are those of the desc and not 0. */
#define GSP_EXEC_PLAN_BOUND(n_graphs, n_nodes, n_args, n_aggregates, n_inputs)           \
    (GSP_BOUND_ARRAY((n_graphs) + 1u, sizeof(gsp_exec_frame)) +                          \
     GSP_BOUND_ARRAY((n_graphs) + 1u, 4u) + GSP_BOUND_ARRAY(n_nodes, 32u) +              \
     2u * GSP_BOUND_ARRAY(2u * (n_nodes) + (n_args) + (n_aggregates) + (n_inputs), 4u) + \
     GSP_BOUND_ARRAY((n_args) + (n_aggregates) + (n_inputs) + 64u, sizeof(gsp_arg)) +    \
     GSP_BOUND_ARRAY((n_args) + (n_aggregates) + (n_inputs) + 64u, 4u) +                 \
     GSP_BOUND_ARRAY((n_nodes) + (n_args) + (n_aggregates) + (n_inputs) + 64u,           \
                     sizeof(gsp_exec_plan_request)) +                                    \
     2u * GSP_BOUND_ARRAY((n_nodes) + (n_aggregates) + (n_inputs), 4u) +                 \
     GSP_BOUND_ARRAY((n_nodes) + (n_aggregates) + (n_inputs), 24u) +                     \
     GSP_BOUND_ARRAY((n_args) + (n_inputs), 8u) +                                        \
     GSP_BOUND_ARRAY(1u, sizeof(gsp_exec_plan) + 7u * sizeof(void *) + 96u) + GSP_BOUND_SLACK)

/* gsp_exec_plan_run: plan the execution of a graph and of all graphs that it calls.
 *
 * What:    Inputs are bound to placeholders by position, then by name; other placeholders have
 *          their default. `*args` binds the remaining positional inputs as a tuple, `**kwargs` the
 *          named ones as a dict. Arguments of a call of a child graph (call_module of its name;
 *          torch.ops.higher_order.invoke_subgraph of a get_attr with its name) are bound alike;
 *          each call has a frame. A getitem of a known aggregate (returned by a graph, an input of
 *          one, or yielded by a kernel with TYPE `tuple(...)` or `list(...)`) is resolved here and
 *          costs nothing at run time. Disjoint lifetimes share slots.
 * Errors:  ARG (RANGE: no such graph); after NOMEM: ARG (INPUT_MISSING: node = the placeholder;
 *          INPUT_MANY, INPUT_UNKNOWN, INPUT_TWICE, INPUT_ORDER: other = the input; INPUT_DTYPE,
 *          INPUT_SHAPE, INPUT_TYPE: node = the placeholder, other = the input; CALL_INPUTS,
 *          ELEMENT, FORMS: other = the graph of node), CYCLE (RECURSION), LIMIT (desc.aggregates is
 *          too small: double it), OVERFLOW, DAMAGED
 * Time:    O(nodes + edges + args + tokens of aggregates); quadratic in the placeholders of a call
 *          that names all in another order
 * Memory:  the bound
 * Example: examples/run_network.c
 */
GSP_API gsp_status gsp_exec_plan_run(gsp_arena *arena, const gsp_graph *graph,
                                     const gsp_exec_plan_desc *desc, gsp_exec_plan *plan,
                                     gsp_error *err);

/* -------------------------------------------------------------------------------------------------
 * >>exec   Execution with kernels of the caller                                               (API)
 * ---------------------------------------------------------------------------------------------- */

/* What a kernel computes. */
typedef enum gsp_request {
    GSP_REQUEST_CALL,     /* the results of a call */
    GSP_REQUEST_ATTR,     /* the value of a get_attr */
    GSP_REQUEST_CONSTANT, /* constant args[0]: a default, a call argument or an output */
    GSP_REQUEST_ENTER,    /* nothing: desc.enter sees the inputs of a called graph */
    GSP_REQUEST_COUNT,
    GSP_REQUEST_FORCE_U32 = 0x7FFFFFFF
} gsp_request;

/* One call of a kernel. Argument tokens are those of the node (gsp_arg_kind), but aggregates are
 * written out: containers, keys and values. */
typedef struct gsp_call {
    const gsp_exec_plan *plan;
    gsp_graph graph; /* of the node */
    gsp_node node;
    uint32_t request; /* gsp_request */
    uint32_t child;   /* ENTER: the called graph */
    uint32_t n_args;
    uint32_t n_results;      /* 1, or the values of an aggregate TYPE in text order */
    const gsp_arg *args;     /* [n_args] */
    const gsp_value *values; /* [n_args] of GSP_ARG_NODE tokens; others: 0 */
    gsp_value *results;      /* [n_results] to fill in */
} gsp_call;

/* GSP_OK continues; any other number stops the run, which returns it. */
typedef gsp_status (*gsp_kernel_func)(void *user, const gsp_call *call);

/* `kernel` is required. */
typedef struct gsp_exec_desc {
    uint32_t start_canary;
    gsp_kernel_func kernel;
    gsp_kernel_func enter; /* sees the inputs of every called graph; NULL: not called */
    void (*release)(void *user, gsp_value value); /* see gsp_exec_run(); NULL: not called */
    void *user;
    uint32_t end_canary;
} gsp_exec_desc;

/* gsp_exec_bound: bytes for the run, all scratch. Time: O(1). */
GSP_API size_t gsp_exec_bound(const gsp_exec_plan *plan);

/* The same as a constant, from the numbers of a plan. */
#define GSP_EXEC_BOUND(n_slots, n_tokens, n_results, depth)                               \
    (GSP_BOUND_ARRAY(n_slots, sizeof(gsp_value)) + GSP_BOUND_ARRAY(n_slots, 1u) +         \
     GSP_BOUND_ARRAY(GSP_BOUND_MAX(n_tokens, 1u), sizeof(gsp_value)) +                    \
     GSP_BOUND_ARRAY(GSP_BOUND_MAX(n_tokens, 1u), sizeof(gsp_arg)) +                      \
     GSP_BOUND_ARRAY(n_results, sizeof(gsp_value)) + GSP_BOUND_ARRAY((depth) + 1u, 12u) + \
     GSP_BOUND_SLACK)

/* gsp_exec_run: execute a graph with kernels of the caller.
 *
 * What:    Nodes run in graph order, those of a called graph at its call; every call and get_attr
 *          is a request to the kernel. desc.release gets every value that a kernel yields for a
 *          call or a constant, after its last use; inputs, attributes and outputs are the caller's.
 * In:      inputs: [plan->n_inputs] in the order of the inputs of the plan
 * Out:     outputs: [plan->n_outputs] as plan->output says; unspecified after an error
 * Errors:  ARG (no desc or no kernel), OVERFLOW; the status of a kernel (KERNEL: node, other = its
 *          graph), after all live values are released
 * Time:    O(argument tokens), about 10 ns per node without the kernels. Memory: the bound
 * Example: examples/run_network.c
 */
GSP_API gsp_status gsp_exec_run(gsp_arena *arena, const gsp_exec_plan *plan,
                                const gsp_exec_desc *desc, const gsp_value *inputs,
                                gsp_value *outputs, gsp_error *err);

/* gsp_call_find: the token of argument `position` or, with fewer arguments, of the one named `name`
 * (NULL: none); GSP_NONE: neither. Time: O(argument tokens). */
GSP_API uint32_t gsp_call_find(const gsp_call *call, uint32_t position, const char *name);

/* gsp_call_str: the text of a token of kind CONSTANT or KEY, else empty. Time: O(1). */
GSP_API gsp_str gsp_call_str(const gsp_call *call, uint32_t token);

#endif /* GSP_NO_MEMORY */

/* =================================================================================================
 * >>REPORT   Drawings                                                                         (API)
 * ============================================================================================== */

/* Graphs and modules as Graphviz text for a gsp_sink, coloured by placement or subgraph. */
#ifndef GSP_NO_REPORT

/* -------------------------------------------------------------------------------------------------
 * >>draw   Pictures as Graphviz text                                                          (API)
 * ---------------------------------------------------------------------------------------------- */

/* All zero: no colours, no clusters. Colours by support: AliceBlue for nodes without placement,
 * chartreuse1 for supported ones, crimson for unsupported ones. A parameter is drawn only where it
 * is returned; the label of its reader has its bytes. */
typedef struct gsp_draw_desc {
    uint32_t start_canary;
    uint32_t n_clusters;
    const char *title;             /* NULL: none */
    const char *attributes;        /* of the drawing, "rankdir=LR, "; NULL: none */
    const uint8_t *kind;           /* [n] colour by support; NULL: white */
    const uint32_t *cluster_of;    /* [n] cluster of a node, GSP_NONE: none */
    const uint32_t *cluster_begin; /* [n_clusters + 1] into cluster_nodes */
    const gsp_node *cluster_nodes; /* by cluster, each in at most one */
    const gsp_str *cluster_names;  /* [n_clusters] */
    const uint8_t *cluster_kind;   /* [n_clusters] colours; NULL: grey */
    uint32_t end_canary;
} gsp_draw_desc;

/* gsp_draw_fill: the colour of clusters of a kind, "#cfeccf". Time: O(1). */
GSP_API const char *gsp_draw_fill(uint32_t kind);

/* gsp_draw_graph: a graph as Graphviz text: one box per callable node with name, operator and type;
 * edges that cross the border of a cluster are thick and say the bytes of their value.
 *
 * Errors:  ARG (clusters without arrays; RANGE: node not in the graph), LIMIT (the sink stopped)
 * Time:    O(nodes + edges + bytes written). Memory: none
 * See:     torch.fx graph_drawer; the DOT language
 */
GSP_API gsp_status gsp_draw_graph(const gsp_graph *graph, const gsp_draw_desc *desc, gsp_sink sink,
                                  void *user, gsp_error *err);

/* All zero: no title, all clusters grey. */
typedef struct gsp_draw_module_desc {
    uint32_t start_canary;
    const char *title;   /* NULL: none */
    const uint8_t *kind; /* [graphs] colours; GSP_KIND_NONE: grey; NULL: all grey */
    uint32_t end_canary;
} gsp_draw_module_desc;

/* gsp_draw_bound: bytes for gsp_draw_module(). Time: O(1). */
GSP_API size_t gsp_draw_bound(const gsp_module *module);

/* gsp_draw_module: a module as Graphviz text, one cluster per child graph.
 *
 * What:    A graph with one call is drawn in place of the call, inside the cluster of its caller;
 *          edges lead from the arguments to its inputs. A graph with several calls, or none, is
 *          drawn once; dashed edges lead from the calls to it. A call is call_module of a graph's
 *          name, or a function whose first argument is a get_attr of it (invoke_subgraph).
 * Errors:  ARG, LIMIT (the sink stopped)
 * Time:    O(nodes + edges + args + bytes written), and a search by name per call
 * Memory:  gsp_draw_bound(), all scratch
 */
GSP_API gsp_status gsp_draw_module(gsp_arena *arena, const gsp_module *module,
                                   const gsp_draw_module_desc *desc, gsp_sink sink, void *user,
                                   gsp_error *err);

#endif /* GSP_NO_REPORT */

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
#define GSPI_STATIC_ASSERT(cond, name)       \
    struct gspi_assert_##name {              \
        unsigned int name : (cond) ? 1 : -1; \
    }
#endif

GSPI_STATIC_ASSERT(SIZE_MAX >= UINT32_MAX, graphsplit_needs_a_size_t_of_32_bits);
GSPI_STATIC_ASSERT((unsigned char)-1 == 255, graphsplit_needs_bytes_of_8_bits);

/* Switches decide which private functions are in use. */
GSPI_BEGIN

/* Return the status of `expr` unless it is OK. */
#define GSPI_TRY(expr)                          \
    do {                                        \
        gsp_status const gspi_status_ = (expr); \
        if (gspi_status_ != GSP_OK) {           \
            return gspi_status_;                \
        }                                       \
    } while (0)

/* Status, detail and kind of item of an error in one number: a short call where a check fails. */
#define GSPI_CODE(status, detail, what)                                      \
    ((uint32_t)GSP_STATUS_##status | ((uint32_t)GSP_DETAIL_##detail << 8u) | \
     ((uint32_t)GSP_WHAT_##what << 16u))

/* Fail with status and detail unless `cond` holds; _AT names a node, _ITEM another item. */
#define GSPI_CHECK_ITEM(cond, status, detail, what, item, other)                          \
    do {                                                                                  \
        if (!(cond)) {                                                                    \
            return gspi_fail_code(err, GSPI_CODE(status, detail, what), (item), (other)); \
        }                                                                                 \
    } while (0)
#define GSPI_CHECK_AT(cond, status, detail, node, other) \
    GSPI_CHECK_ITEM(cond, status, detail, NODE, node, other)
#define GSPI_CHECK(cond, status, detail)                                  \
    do {                                                                  \
        if (!(cond)) {                                                    \
            return gspi_fail_plain(err, GSPI_CODE(status, detail, NONE)); \
        }                                                                 \
    } while (0)

/* What the caller has to give. */
#define GSPI_CHECK_GIVEN(cond) GSPI_CHECK(cond, ARG, NULL_ARGUMENT)

/* The canaries of an initialised desc are zero. */
#define GSPI_CHECK_DESC(desc) \
    GSPI_CHECK((desc).start_canary == 0u && (desc).end_canary == 0u, DESC, CANARY)

#ifdef __cplusplus
extern "C" {
#endif

/* =================================================================================================
 * >>BASE   Status, memory, bitsets                                                 (implementation)
 * ============================================================================================== */

GSPI_STATIC_ASSERT((unsigned)GSP_STATUS_COUNT < 256u && (unsigned)GSP_DETAIL_COUNT < 256u,
                   a_code_holds_status_and_detail);

static gsp_status gspi_fail_code(gsp_error *err, uint32_t code, uint32_t item, uint32_t other)
{
    gsp_status const status = (gsp_status)(code & 255u);
    if (err != NULL) {
        gsp_detail const detail = (gsp_detail)((code >> 8) & 255u);
        uint32_t const what = item == GSP_NONE && other == GSP_NONE ? 0u : code >> 16;
        gsp_error const e = {status, detail, what, item, other, 0u, 0u, 0u, 0u};
        *err = e;
    }
    return status;
}

static gsp_status gspi_fail_plain(gsp_error *err, uint32_t code)
{
    return gspi_fail_code(err, code, GSP_NONE, GSP_NONE);
}

static gsp_status gspi_fail_item(gsp_error *err, gsp_status status, gsp_detail detail,
                                 gsp_what what, uint32_t item, uint32_t other)
{
    return gspi_fail_code(err, (uint32_t)status | ((uint32_t)detail << 8) | ((uint32_t)what << 16),
                          item, other);
}

static gsp_status gspi_fail_at(gsp_error *err, gsp_status status, gsp_detail detail, uint32_t node,
                               uint32_t other)
{
    return gspi_fail_item(err, status, detail, GSP_WHAT_NODE, node, other);
}

static gsp_status gspi_fail(gsp_error *err, gsp_status status, gsp_detail detail)
{
    return gspi_fail_plain(err, (uint32_t)status | ((uint32_t)detail << 8));
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
    return gspi_fail_plain(err, 0u);
}

/* a * b + c; SIZE_MAX, the "too much" of every bound, when it does not fit. */
static size_t gspi_mul_add(size_t a, size_t b, size_t c)
{
    return b != 0u && (a > SIZE_MAX / b || a * b > SIZE_MAX - c) ? SIZE_MAX : a * b + c;
}

static size_t gspi_add(size_t a, size_t b)
{
    return gspi_mul_add(a, 1u, b);
}

static size_t gspi_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Saturating sums of 64-bit sizes. */
static uint64_t gspi_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t gspi_times(uint64_t a, uint64_t b)
{
    return b != 0u && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Saturating sums of 32-bit counts; no valid count reaches UINT32_MAX. */
static uint32_t gspi_count_add(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static uint32_t gspi_count_mul(uint32_t a, uint32_t b)
{
    uint64_t const product = (uint64_t)a * b;
    return product > UINT32_MAX ? UINT32_MAX : (uint32_t)product;
}

/* ---- One layout for bound and run ---- */

static void *gspi_arena_take(gsp_arena *a, size_t count, size_t size, int high)
{
    size_t const bytes = gspi_mul_add(count, size, 0u);
    size_t const left = a->size - a->low - a->high;
    if (a->base == NULL || bytes > left) {
        return NULL;
    }
    unsigned char *p = a->base + (high ? a->size - a->high - bytes : a->low);
    size_t const pad =
        (size_t)((high ? (uintptr_t)p : (uintptr_t)0u - (uintptr_t)p) & (GSP_ALIGN - 1u));
    if (pad > left - bytes) {
        return NULL;
    }
    a->high += high ? bytes + pad : 0u;
    a->low += high ? 0u : bytes + pad;
    a->touched = gspi_max(a->touched, a->low + a->high);
    return high ? p - pad : p + pad;
}

/* A layout function pushes the arrays of a pass in order; without an arena it measures. */
typedef struct gspi_bump {
    gsp_arena *arena;
    size_t used; /* SIZE_MAX: too much */
} gspi_bump;

static gspi_bump gspi_bump_over(gsp_arena *arena)
{
    gspi_bump const b = {arena, 0u};
    return b;
}

static void *gspi_bump_push(gspi_bump *b, size_t count, size_t size, int high)
{
    size_t const bytes = gspi_mul_add(count, size, GSP_ALIGN - 1u);
    b->used = gspi_add(b->used, bytes == SIZE_MAX ? bytes : bytes & ~((size_t)GSP_ALIGN - 1u));
    return b->arena == NULL ? NULL : gspi_arena_take(b->arena, count, size, high);
}

/* Never inlined: compilers would warn of the NULL of a full arena, which gspi_enter() excludes. */
GSPI_OWN_FRAME void *gspi_bump_low(gspi_bump *b, size_t count, size_t size)
{
    return gspi_bump_push(b, count, size, 0);
}

GSPI_OWN_FRAME void *gspi_bump_high(gspi_bump *b, size_t count, size_t size)
{
    return gspi_bump_push(b, count, size, 1);
}

/* Most arrays are words at the high end: two arguments make less code than three. */
static void *gspi_high_words(gspi_bump *b, size_t count)
{
    return gspi_bump_high(b, count, 4u);
}

static inline void *gspi_high(gspi_bump *b, size_t count, size_t size)
{
    return size == 4u ? gspi_high_words(b, count) : gspi_bump_high(b, count, size);
}

#define GSPI_LOW(bump, T, count)  ((T *)gspi_bump_low((bump), (count), sizeof(T)))
#define GSPI_HIGH(bump, T, count) ((T *)gspi_high((bump), (count), sizeof(T)))

/* Padding for any start address, once per end. */
#define GSPI_SLACK GSP_BOUND_SLACK

/* Fails for less than `bound` bytes; the alignment of the arena makes no difference. */
static gsp_status gspi_room(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    size_t const left = arena->size - arena->low - arena->high;
    GSPI_CHECK(bound != SIZE_MAX, OVERFLOW, TOO_MANY);
    if (left < bound) {
        return gspi_fail_amount(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, bound, left);
    }
    return GSP_OK;
}

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

/* The index of the lowest set bit of x != 0. */
static uint32_t gspi_lowest(uint32_t x)
{
    return gspi_popcount((x & (0u - x)) - 1u);
}

/* The least power of two >= max(x, 2), or 0 for 2^32. */
static uint32_t gspi_pow2(uint32_t x)
{
    uint32_t p = 2u;
    while (p != 0u && p < x) {
        p <<= 1;
    }
    return p;
}

/* ---- Bytes: hashing, comparing, copying ---- */

/* Selects a slot of a table and never decides an output, so it may differ between machines. */
static uint32_t gspi_hash(const char *data, size_t size, uint32_t seed)
{
    uint32_t h = seed ^ (uint32_t)size;
    for (; size >= 4u; size -= 4u, data += 4) {
        uint32_t word;
        (void)GSP_MEMCPY(&word, data, 4u);
        h = (h ^ word) * 0x9E3779B1u;
        h ^= h >> 15;
    }
    for (; size > 0u; size--, data++) {
        h = (h ^ (unsigned char)*data) * 0x85EBCA6Bu;
        h ^= h >> 13;
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
        (void)GSP_MEMCPY(to, from, count * size);
    }
}

static void gspi_set_bytes(void *to, int byte, size_t bytes)
{
    if (to != NULL) {
        (void)GSP_MEMSET(to, byte, bytes);
    }
}

static void gspi_zero_words(void *to, size_t count)
{
    gspi_set_bytes(to, 0, count * 4u);
}

static void gspi_none_words(void *to, size_t count)
{
    gspi_set_bytes(to, 0xFF, count * 4u);
}

static inline void gspi_set(void *to, int byte, size_t count, size_t size)
{
    if (size == 4u && byte == 0) {
        gspi_zero_words(to, count);
    } else if (size == 4u && byte == 0xFF) {
        gspi_none_words(to, count);
    } else {
        gspi_set_bytes(to, byte, count * size);
    }
}

/* ---- Sorting ids by a key ---- */

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

/* Heapsort, ascending by key, ties by id: O(n log n) in place. */
static void gspi_sort(uint32_t *ids, uint32_t n, const uint64_t *key)
{
    for (uint32_t i = n / 2u; i > 0u; i--) {
        gspi_sift(ids, i - 1u, n, key);
    }
    for (uint32_t i = n; i > 1u; i--) {
        uint32_t const top = ids[0];
        ids[0] = ids[i - 1u];
        ids[i - 1u] = top;
        gspi_sift(ids, 0u, i - 1u, key);
    }
}

/* Turns counts into row ends, count[n] the sum; filling rows by row[--count[i]] leaves starts. */
static void gspi_counts_to_ends(uint32_t *count, uint32_t n)
{
    uint32_t sum = 0u;
    for (uint32_t i = 0u; i < n; i++) {
        sum += count[i];
        count[i] = sum;
    }
    count[n] = sum;
}

/* Counting sort: member[begin[k] .. begin[k + 1]) are the ids below n with label k, ascending; none
 * with label GSP_NONE. */
static void gspi_rows(const uint32_t *label, uint32_t n, uint32_t n_labels, uint32_t *begin,
                      uint32_t *member)
{
    gspi_zero_words(begin, (size_t)n_labels + 1u);
    for (uint32_t i = 0u; i < n; i++) {
        if (label[i] != GSP_NONE) {
            begin[label[i]]++;
        }
    }
    gspi_counts_to_ends(begin, n_labels);
    for (uint32_t i = n; i > 0u; i--) {
        if (label[i - 1u] != GSP_NONE) {
            member[--begin[label[i - 1u]]] = i - 1u;
        }
    }
}

/* The least i with list[i] >= value in an ascending list, else n. The row of element i is
 * gspi_lower_bound(begin, n_rows, i + 1) - 1. */
static uint32_t gspi_lower_bound(const uint32_t *list, uint32_t n, uint32_t value)
{
    uint32_t begin = 0u;
    while (begin < n) {
        uint32_t const middle = begin + (n - begin) / 2u;
        if (list[middle] < value) {
            begin = middle + 1u;
        } else {
            n = middle;
        }
    }
    return begin;
}

/* -------------------------------------------------------------------------------------------------
 * >>status   Status values and error details                                       (implementation)
 * ---------------------------------------------------------------------------------------------- */

#ifdef GSP_NO_MESSAGES
#define GSPI_MESSAGE(text) ""
#else
#define GSPI_MESSAGE(text) text
#endif

#define GSPI_NAME(name, text) #name "\0"
#define GSPI_TEXT(name, text) GSPI_MESSAGE(text) "\0"

/* Entry n < count of a list of NUL-terminated texts, or what stands behind them. */
static const char *gspi_nth(const char *list, uint32_t n, uint32_t count)
{
    for (n = n < count ? n : count; n > 0u; list++) {
        n -= *list == '\0' ? 1u : 0u;
    }
    return list;
}

GSP_API const char *gsp_status_name(gsp_status status)
{
    return gspi_nth(GSP_STATUS_LIST(GSPI_NAME) "?", (uint32_t)status, (uint32_t)GSP_STATUS_COUNT);
}

GSP_API const char *gsp_status_text(gsp_status status)
{
    return gspi_nth(GSP_STATUS_LIST(GSPI_TEXT), (uint32_t)status, (uint32_t)GSP_STATUS_COUNT);
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
 * >>memory   Two-ended arena over memory of the caller                             (implementation)
 * ---------------------------------------------------------------------------------------------- */

GSP_API void gsp_arena_init(gsp_arena *arena, void *memory, size_t size)
{
    gsp_arena const a = {(unsigned char *)memory, memory == NULL ? 0u : size, 0u, 0u, 0u};
    *arena = a;
}

GSP_API size_t gsp_arena_left(const gsp_arena *arena)
{
    return arena->size - arena->low - arena->high;
}

GSP_API gsp_mark gsp_arena_mark(const gsp_arena *arena)
{
    gsp_mark const mark = {arena->low, arena->high};
    return mark;
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
 * >>bitset   Sets of node ids                                                      (implementation)
 * ---------------------------------------------------------------------------------------------- */

GSP_API size_t gsp_bitset_words(uint32_t n)
{
    return (size_t)(n / 32u) + (n % 32u != 0u);
}

GSP_API void gsp_bitset_init(gsp_bitset *set, uint32_t *words, uint32_t n)
{
    set->words = words;
    set->n = n;
    gspi_zero_words(words, gsp_bitset_words(n));
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
    for (size_t i = 0u; i < words; i++) {
        a->words[i] |= b->words[i];
    }
}

GSP_API void gsp_bitset_and(gsp_bitset *a, const gsp_bitset *b)
{
    size_t const words = a->n == b->n ? gsp_bitset_words(a->n) : 0u;
    for (size_t i = 0u; i < words; i++) {
        a->words[i] &= b->words[i];
    }
}

GSP_API void gsp_bitset_andnot(gsp_bitset *a, const gsp_bitset *b)
{
    size_t const words = a->n == b->n ? gsp_bitset_words(a->n) : 0u;
    for (size_t i = 0u; i < words; i++) {
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
    for (size_t i = 0u; i < words; i++) {
        count += gspi_popcount(set->words[i]);
    }
    return count;
}

GSP_API uint32_t gsp_bitset_next(const gsp_bitset *set, uint32_t from)
{
    size_t const words = gsp_bitset_words(set->n);
    size_t i = from / 32u;
    if (from >= set->n) {
        return GSP_NONE;
    }
    uint32_t word = set->words[i] & (0xFFFFFFFFu << (from % 32u));
    while (word == 0u && ++i < words) {
        word = set->words[i];
    }
    return word == 0u ? GSP_NONE : (uint32_t)i * 32u + gspi_lowest(word);
}

/* ---- The frame of a pass ---- */

/* A running pass: its layout, and both ends of the arena before it. */
typedef struct gspi_pass {
    gspi_bump bump;
    gsp_mark mark;
} gspi_pass;

static gsp_status gspi_enter(gspi_pass *pass, gsp_arena *arena, size_t bound, gsp_error *err)
{
    GSPI_TRY(gspi_room(arena, bound, err));
    pass->bump = gspi_bump_over(arena);
    pass->mark = gsp_arena_mark(arena);
    return GSP_OK;
}

/* Releases the scratch; after a failure also the results. */
static gsp_status gspi_leave(gspi_pass *pass, gsp_status status, gsp_error *err)
{
    if (status != GSP_OK) {
        gsp_arena_rewind(pass->bump.arena, pass->mark);
        return status;
    }
    pass->bump.arena->high = pass->mark.high;
    return gspi_done(err);
}

/* A copy of the desc of the caller; NULL gives zeros, the defaults. */
static void gspi_desc(void *desc, const void *given, size_t size)
{
    if (given == NULL) {
        (void)GSP_MEMSET(desc, 0, size);
    } else {
        (void)GSP_MEMCPY(desc, given, size);
    }
}

/* =================================================================================================
 * >>GRAPH   Modules, graphs, text                                                  (implementation)
 * ============================================================================================== */

static int gspi_is_callable(uint8_t op)
{
    return op >= (uint8_t)GSP_OP_CALL_FUNCTION && op <= (uint8_t)GSP_OP_CALL_MODULE;
}

/* The spelling of a container. */
static const char *gspi_opener(uint32_t kind)
{
    return kind == (uint32_t)GSP_ARG_TUPLE  ? "("
           : kind == (uint32_t)GSP_ARG_LIST ? "["
           : kind == (uint32_t)GSP_ARG_DICT ? "{"
                                            : "slice(";
}

static const char *gspi_closer(uint32_t kind)
{
    return kind == (uint32_t)GSP_ARG_LIST ? "]" : kind == (uint32_t)GSP_ARG_DICT ? "}" : ")";
}

static int gspi_is_opening(uint32_t kind)
{
    return kind >= (uint32_t)GSP_ARG_TUPLE && kind <= (uint32_t)GSP_ARG_SLICE;
}

/* ---- Classes of bytes, pieces of text, numbers as text ---- */

static int gspi_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* 1 for a byte of a node name: [0-9A-Za-z_] or not ASCII. One bit per byte. */
static int gspi_is_name(char c)
{
    static const uint32_t names[8] = {0u,         0x03FF0000u, 0x87FFFFFEu, 0x07FFFFFEu,
                                      UINT32_MAX, UINT32_MAX,  UINT32_MAX,  UINT32_MAX};
    unsigned char const byte = (unsigned char)c;
    return ((names[byte / 32u] >> (byte % 32u)) & 1u) != 0u;
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

static gsp_str gspi_slice(const char *data, size_t begin, size_t end)
{
    gsp_str const t = {data + begin, (uint32_t)(end - begin)};
    return t;
}

static gsp_str gspi_trim(gsp_str t)
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

/* The byte at `at`, NUL after the end. */
static char gspi_byte(gsp_str t, size_t at)
{
    return (char)(at < t.size ? t.data[at] : '\0');
}

/* 1 when `literal` occurs at `at`. */
static int gspi_at(gsp_str t, size_t at, const char *literal)
{
    for (size_t i = 0u; literal[i] != '\0'; i++) {
        if (at + i >= t.size || t.data[at + i] != literal[i]) {
            return 0;
        }
    }
    return 1;
}

static uint32_t gspi_skip_blanks(gsp_str t, uint32_t at)
{
    while (at < t.size && gspi_is_blank(t.data[at])) {
        at++;
    }
    return at;
}

static uint32_t gspi_skip_name(gsp_str t, uint32_t at)
{
    while (at < t.size && gspi_is_name(t.data[at])) {
        at++;
    }
    return at;
}

static uint32_t gspi_skip_digits(gsp_str t, uint32_t at)
{
    while (at < t.size && gspi_is_digit(t.data[at])) {
        at++;
    }
    return at;
}

static int gspi_is_digits(gsp_str t)
{
    return t.size > 0u && gspi_skip_digits(t, 0u) == t.size;
}

/* 1 for a text without line end and NUL byte. */
static int gspi_is_one_line(gsp_str t)
{
    uint32_t i = 0u;
    while (i < t.size && t.data[i] != '\n' && t.data[i] != '\r' && t.data[i] != '\0') {
        i++;
    }
    return i == t.size;
}

/* The high bit of each of eight bytes that equals `byte`. */
static uint64_t gspi_matches(uint64_t word, unsigned char byte)
{
    uint64_t const low = 0x7F7F7F7F7F7F7F7Fu;
    uint64_t const x = word ^ (0x0101010101010101u * byte);
    return ~(((x & low) + low) | x | low);
}

/* The index of the first `byte` in text[at .. size), or `size`; compares eight bytes at once. */
static size_t gspi_find_byte(const char *text, size_t size, size_t at, unsigned char byte)
{
    for (; at + 8u <= size; at += 8u) {
        uint64_t word;
        (void)GSP_MEMCPY(&word, text + at, 8u);
        if (gspi_matches(word, byte) != 0u) {
            break;
        }
    }
    while (at < size && (unsigned char)text[at] != byte) {
        at++;
    }
    return at;
}

/* The first occurrence of the literal from `at` on, or t.size. */
static uint32_t gspi_find(gsp_str t, size_t at, const char *literal)
{
    unsigned char const first = (unsigned char)literal[0];
    at = gspi_find_byte(t.data, t.size, at, first);
    while (at < t.size && !gspi_at(t, at, literal)) {
        at = gspi_find_byte(t.data, t.size, at + 1u, first);
    }
    return (uint32_t)at;
}

/* The end of a target: in a call "](args", otherwise an unmatched ']'. */
static uint32_t gspi_target_end(gsp_str t, int call)
{
    uint32_t depth = 0u;
    uint32_t i = call ? gspi_find(t, 0u, "](args") : 0u;
    for (; !call && i < t.size && !(t.data[i] == ']' && depth == 0u); i++) {
        depth += t.data[i] == '[' ? 1u : 0u;
        depth -= t.data[i] == ']' ? 1u : 0u;
    }
    return depth == 0u ? i : GSP_NONE;
}

/* Parses decimal digits of at most 64 bits. */
static int gspi_number(gsp_str text, uint64_t *value)
{
    uint64_t n = 0u;
    for (uint32_t i = 0u; i < text.size; i++) {
        uint64_t const digit = (uint64_t)(text.data[i] - '0');
        if (!gspi_is_digit(text.data[i]) || n > (UINT64_MAX - digit) / 10u) {
            return 0;
        }
        n = n * 10u + digit;
    }
    *value = text.size > 0u ? n : *value;
    return text.size > 0u;
}

/* Writes a decimal of at most 20 bytes and returns its size. */
static uint32_t gspi_decimal(uint64_t value, char *out)
{
    char reversed[20];
    uint32_t n = 0u;
    do {
        reversed[n++] = (char)('0' + (int)(value % 10u));
        value /= 10u;
    } while (value != 0u);
    for (uint32_t i = 0u; i < n; i++) {
        out[i] = reversed[n - 1u - i];
    }
    return n;
}

/* Splits "base_12" into base and 12; without a suffix the number is 0. */
static uint32_t gspi_name_suffix(gsp_str name, uint32_t *base)
{
    uint32_t number = 0u;
    uint32_t i = name.size;
    while (i > 0u && gspi_is_digit(name.data[i - 1u])) {
        i--;
    }
    *base = name.size;
    if (i == name.size || i < 2u || name.data[i - 1u] != '_' || name.size - i > 9u) {
        return 0u;
    }
    *base = i - 1u;
    for (; i < name.size; i++) {
        number = number * 10u + (uint32_t)(name.data[i] - '0');
    }
    return number;
}

/* -------------------------------------------------------------------------------------------------
 * >>graph   Modules, graphs, nodes, arguments, annotations                         (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* The head of a stored module. `order` tells the byte order. */
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

/* An array of a module, a builder, or both: where their pointers are (0: none), bytes per element,
 * and the count: a member of gsp_counts or one of the two below, and 0 or 1 more. */
typedef struct gspi_module_array {
    uint16_t in_module;
    uint16_t in_builder;
    uint8_t size;
    uint8_t count;
    uint8_t more;
} gspi_module_array;

#define GSPI_COUNT(member) (offsetof(gsp_counts, member) / sizeof(uint32_t))
#define GSPI_PARAMS        (sizeof(gsp_counts) / sizeof(uint32_t))
#define GSPI_LEAVES        (GSPI_PARAMS + 1u)
#define GSPI_MODULE(field) offsetof(gsp_module, field)
#define GSPI_BOTH(field)   offsetof(gsp_module, field), offsetof(gsp_builder, field)
#define GSPI_BUILD(field)  0u, offsetof(gsp_builder, field)

/* In the order of the block, widest elements first so that none needs padding. */
static const gspi_module_array gspi_module_arrays[] = {
    {GSPI_BOTH(bytes), 8u, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(graphs), 12u, GSPI_COUNT(graphs), 0u},
    {GSPI_MODULE(by_name), 0u, 4u, GSPI_COUNT(graphs), 0u},
    {GSPI_BOTH(name), 4u, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(target), 4u, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(type), 4u, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(attr), 4u, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(arg_begin), 4u, GSPI_COUNT(nodes), 1u},
    {GSPI_MODULE(in_begin), 0u, 4u, GSPI_COUNT(nodes), 1u},
    {GSPI_MODULE(user_begin), 0u, 4u, GSPI_COUNT(nodes), 1u},
    {GSPI_MODULE(inputs), 0u, 4u, GSPI_COUNT(edges), 0u},
    {GSPI_MODULE(users), 0u, 4u, GSPI_COUNT(edges), 0u},
    {GSPI_BOTH(args), 8u, GSPI_COUNT(args), 0u},
    {GSPI_BOTH(attrs), 8u, GSPI_COUNT(attrs), 0u},
    {GSPI_MODULE(params), 0u, 12u, GSPI_PARAMS, 0u},
    {GSPI_MODULE(leaves), 0u, 12u, GSPI_LEAVES, 0u},
    {GSPI_BOTH(string_begin), 4u, GSPI_COUNT(strings), 1u},
    {GSPI_BOTH(op), 1u, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(out), 1u, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(flags), 1u, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(chars), 1u, GSPI_COUNT(bytes), 0u},
    {GSPI_BUILD(node_of), 4u, GSPI_COUNT(strings), 1u},
    {GSPI_BUILD(suffix_low), 4u, GSPI_COUNT(strings), 1u},
    {GSPI_BUILD(suffix_high), 4u, GSPI_COUNT(strings), 1u},
    {GSPI_BUILD(suffix_in), 4u, GSPI_COUNT(strings), 1u}};

#define GSPI_MODULE_ARRAYS (sizeof(gspi_module_arrays) / sizeof(gspi_module_arrays[0]))

/* Sets the arrays of `m` within the block (NULL: only measures) and returns the size. */
static size_t gspi_block_layout(gsp_module *m, const unsigned char *block)
{
    uint32_t counts[GSPI_LEAVES + 1u];
    size_t at = sizeof(gspi_head);
    (void)GSP_MEMCPY(counts, &m->counts, sizeof(m->counts));
    counts[GSPI_PARAMS] = m->n_params;
    counts[GSPI_LEAVES] = m->n_leaves;
    for (uint32_t i = 0u; i < GSPI_MODULE_ARRAYS; i++) {
        gspi_module_array const a = gspi_module_arrays[i];
        if (a.in_module != 0u) {
            const unsigned char *p = block == NULL ? NULL : block + at;
            (void)GSP_MEMCPY((unsigned char *)m + a.in_module, &p, sizeof(p));
            at = gspi_mul_add((size_t)counts[a.count] + a.more, a.size, at);
        }
    }
    m->block = block;
    m->block_size = at;
    return at;
}

/* A graph of the module, id < counts.graphs. */
static gsp_graph gspi_graph(const gsp_module *m, uint32_t id)
{
    gsp_graph const g = {m, id, m->graphs[id].first, m->graphs[id].n_nodes};
    return g;
}

GSP_API gsp_graph gsp_module_graph(const gsp_module *module, uint32_t id)
{
    gsp_graph const none = {module, id, 0u, 0u};
    return id < module->counts.graphs ? gspi_graph(module, id) : none;
}

GSP_API gsp_counts gsp_graph_counts(const gsp_graph *graph)
{
    const gsp_module *m = graph->module;
    gsp_counts c = m->counts;
    if (c.graphs == 1u) {
        return c;
    }
    uint32_t const end = graph->first + graph->n_nodes;
    c.graphs = 1u;
    c.nodes = graph->n_nodes;
    c.edges = m->in_begin[end] - m->in_begin[graph->first];
    c.args = m->arg_begin[end] - m->arg_begin[graph->first];
    return c;
}

static gsp_str gspi_string(const gsp_module *module, gsp_atom s)
{
    if (s >= module->counts.strings) {
        return gspi_slice("", 0u, 0u);
    }
    return gspi_slice(module->chars, module->string_begin[s], module->string_begin[s + 1u]);
}

/* The id of the value of an attribute, or GSP_NONE. */
static gsp_atom gspi_attr(const gsp_graph *graph, gsp_node node, gsp_key key)
{
    const gsp_attr *a = graph->module->attrs + graph->module->attr[graph->first + node];
    while (a->key != (gsp_atom)GSP_KEY_NONE && a->key != (gsp_atom)key) {
        a++;
    }
    return a->key == (gsp_atom)GSP_KEY_NONE ? GSP_NONE : a->value;
}

/* -------------------------------------------------------------------------------------------------
 * >>build   Making a module step by step                                           (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* A builder appends to arrays of the counted sizes at the high end of the arena; finishing copies
 * them into one block at the low end. A hash table interns strings: equal names, targets and types
 * have equal ids. node_of[string] is the node of a name in the present graph. */

static gsp_str gspi_key(uint32_t key)
{
    switch (key) {
#define GSPI_CASE(name, literal) \
    case GSP_KEY_##name:         \
        return gspi_slice(literal, 0u, sizeof(literal) - 1u);
        GSP_KEY_LIST(GSPI_CASE)
#undef GSPI_CASE
    default:
        return gspi_slice("", 0u, 0u);
    }
}

/* Keeps the first error, at the present node. */
static void gspi_build_fail(gsp_builder *b, gsp_status status, gsp_detail detail)
{
    if (b->error.status == GSP_OK) {
        uint32_t const node = b->current == GSP_NONE ? GSP_NONE : b->current - b->first;
        (void)gspi_fail_at(&b->error, status, detail, node, GSP_NONE);
    }
}

/* Unless `good` holds, the builder fails; 1 as long as it has no error. */
static int gspi_build_check(gsp_builder *b, int good, gsp_detail detail)
{
    if (!good) {
        gspi_build_fail(b, GSP_STATUS_ARG, detail);
    }
    return b->error.status == GSP_OK;
}

/* Unless `more` items fit into a count, the builder fails; 1 as long as it has no error. */
static int gspi_build_room(gsp_builder *b, gsp_detail detail, uint32_t used, size_t more,
                           uint32_t limit)
{
    if (more <= limit - used) {
        return b->error.status == GSP_OK;
    }
    if (b->error.status == GSP_OK) {
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, detail);
        b->error.need = (uint64_t)used + more;
        b->error.limit = limit;
    }
    return 0;
}

GSP_API gsp_counts gsp_build_counts(uint32_t graphs, uint32_t nodes, uint32_t args, uint32_t attrs,
                                    uint32_t strings, uint32_t bytes)
{
    attrs = gspi_count_add(gspi_count_add(attrs, nodes), 1u);
    strings = gspi_count_add(strings, (uint32_t)GSP_KEY_COUNT);
    bytes = gspi_count_add(bytes, (uint32_t)GSP_BUILD_BOUND_KEYS);
    gsp_counts const c = {graphs, nodes, args, args, attrs, strings, bytes};
    return c;
}

static uint32_t gspi_hash_slots(uint32_t strings)
{
    return gspi_pow2(gspi_count_add(strings, strings / 2u));
}

/* Without a builder it measures, to save the stack of a builder. */
static void gspi_build_layout(gspi_bump *m, gsp_builder *b, const gsp_counts *c)
{
    uint32_t counts[GSPI_PARAMS];
    gsp_module *made = GSPI_HIGH(m, gsp_module, 1u);
    uint32_t *hash = GSPI_HIGH(m, uint32_t, gspi_hash_slots(c->strings));
    (void)GSP_MEMCPY(counts, c, sizeof(*c));
    if (b != NULL) {
        b->made = made;
        b->hash = hash;
    }
    for (uint32_t i = 0u; i < GSPI_MODULE_ARRAYS; i++) {
        gspi_module_array const a = gspi_module_arrays[i];
        if (a.in_builder != 0u) {
            size_t const count = (size_t)counts[a.count] + (i == 0u ? c->graphs : a.more);
            void *p = gspi_bump_high(m, count, a.size);
            if (b != NULL) {
                (void)GSP_MEMCPY((unsigned char *)b + a.in_builder, &p, sizeof(p));
            }
        }
    }
}

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

GSP_API size_t gsp_build_bound(const gsp_counts *counts)
{
    gspi_bump m = gspi_bump_over(NULL);
    if (counts == NULL || !gspi_counts_are_sane(counts)) {
        return SIZE_MAX;
    }
    gspi_build_layout(&m, NULL, counts);
    return gspi_add(gspi_add(m.used, gspi_block_bound(counts)), GSPI_SLACK + GSP_ALIGN);
}

static gsp_str gspi_build_text(const gsp_builder *b, gsp_atom s)
{
    return gspi_slice(b->chars, b->string_begin[s], b->string_begin[s + 1u]);
}

/* The first slot of a string; "x_10" to "x_19" share a cache line. */
static uint32_t gspi_build_hash(const gsp_builder *b, gsp_str text)
{
    uint32_t hash = 0u;
    if (text.size != 0u) {
        text.size--;
        hash = gspi_hash(text.data, text.size, 0u) ^ (unsigned char)text.data[text.size];
    }
    return hash & b->hash_mask;
}

/* The slot of a string, existing or to be filled. */
static uint32_t gspi_build_slot(const gsp_builder *b, gsp_str text)
{
    uint32_t slot = gspi_build_hash(b, text);
    while (b->hash[slot] != GSP_NONE) {
        gsp_str const other = gspi_build_text(b, b->hash[slot]);
        if (other.size == text.size && gspi_same(other.data, text.data, text.size)) {
            break;
        }
        slot = (slot + 1u) & b->hash_mask;
    }
    return slot;
}

/* Rehashes all strings into `slots`, a power of two; one that grows stays in cache. */
static void gspi_build_rehash(gsp_builder *b, uint32_t slots)
{
    b->hash_mask = slots - 1u;
    gspi_none_words(b->hash, slots);
    for (gsp_atom s = 0u; s < b->used.strings; s++) {
        uint32_t slot = gspi_build_hash(b, gspi_build_text(b, s));
        while (b->hash[slot] != GSP_NONE) {
            slot = (slot + 1u) & b->hash_mask;
        }
        b->hash[slot] = s;
    }
}

/* Interns the last `size` bytes of `chars` as a new string. */
static gsp_atom gspi_build_append(gsp_builder *b, uint32_t slot, uint32_t size)
{
    gsp_atom const id = b->used.strings++;
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

/* 1 when one more string of this size fits. */
static int gspi_build_has_room(gsp_builder *b, size_t size)
{
    return gspi_build_room(b, GSP_DETAIL_CAPACITY_STRINGS, b->used.strings, 1u, b->cap.strings) &&
           gspi_build_room(b, GSP_DETAIL_CAPACITY_BYTES, b->used.bytes, size, b->cap.bytes);
}

/* The string of the `size` bytes that the caller has written after the last one. */
static gsp_atom gspi_build_written(gsp_builder *b, uint32_t size)
{
    uint32_t const slot = gspi_build_slot(b, gspi_slice(b->chars + b->used.bytes, 0u, size));
    if (b->hash[slot] != GSP_NONE) {
        return b->hash[slot];
    }
    return gspi_build_has_room(b, size) ? gspi_build_append(b, slot, size) : (gsp_atom)GSP_KEY_NONE;
}

GSP_API gsp_atom gsp_build_atom(gsp_builder *b, gsp_str text)
{
    if (b->error.status != GSP_OK) {
        return GSP_KEY_NONE;
    }
    uint32_t slot = gspi_build_slot(b, text);
    if (b->hash[slot] != GSP_NONE) {
        return b->hash[slot];
    }
    if (!gspi_build_has_room(b, text.size)) {
        return GSP_KEY_NONE;
    }
    gspi_copy(b->chars + b->used.bytes, text.data, text.size, 1u);
    return gspi_build_append(b, slot, text.size);
}

static void gspi_build_add_attr(gsp_builder *b, gsp_atom key, gsp_atom value)
{
    gsp_attr const attr = {key, value};
    if (gspi_build_room(b, GSP_DETAIL_CAPACITY_ATTRS, b->used.attrs, 1u, b->cap.attrs)) {
        b->attrs[b->used.attrs++] = attr;
    }
}

/* Initialises the builder with the known keys and an empty list of attributes. */
static gsp_status gspi_build_start(gsp_builder *b, gsp_arena *arena, const gsp_counts *counts,
                                   gsp_error *err)
{
    gspi_bump m = gspi_bump_over(arena);
    GSPI_CHECK_GIVEN(arena != NULL && counts != NULL);
    GSPI_CHECK(counts->strings >= (uint32_t)GSP_KEY_COUNT && counts->attrs != 0u, OVERFLOW,
               CAPACITY);
    GSPI_TRY(gspi_room(arena, gsp_build_bound(counts), err));
    b->arena = arena;
    b->mark = gsp_arena_mark(arena);
    b->cap = *counts;
    gspi_build_layout(&m, b, counts);
    b->string_begin[0] = 0u;
    gspi_build_rehash(b, gspi_hash_slots((uint32_t)GSP_KEY_COUNT));
    for (uint32_t key = 0u; key < (uint32_t)GSP_KEY_COUNT; key++) {
        (void)gsp_build_atom(b, gspi_key(key));
    }
    gspi_build_add_attr(b, GSP_KEY_NONE, GSP_KEY_NONE);
    return b->error.status;
}

GSP_API gsp_status gsp_build_init(gsp_builder *b, gsp_arena *arena, const gsp_counts *counts,
                                  gsp_error *err)
{
    GSPI_CHECK_GIVEN(b != NULL);
    gspi_set(b, 0, 1u, sizeof(*b));
    (void)gspi_done(&b->error);
    b->current = GSP_NONE;
    b->container = GSP_NONE;
    b->slice = GSP_NONE;
    if (gspi_build_start(b, arena, counts, &b->error) != GSP_OK && b->arena != NULL) {
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
    gsp_counts const c = module->counts;
    if (!gspi_build_check(b, b->used.graphs == 0u && b->used.strings == (uint32_t)GSP_KEY_COUNT,
                          GSP_DETAIL_STATE) ||
        !gspi_build_room(b, GSP_DETAIL_CAPACITY_ATTRS, 0u, c.attrs, b->cap.attrs) ||
        !gspi_build_room(b, GSP_DETAIL_CAPACITY_STRINGS, 0u, c.strings, b->cap.strings) ||
        !gspi_build_room(b, GSP_DETAIL_CAPACITY_BYTES, 0u, c.bytes, b->cap.bytes)) {
        return;
    }
    gspi_copy(b->attrs, module->attrs, c.attrs, sizeof(gsp_attr));
    b->used.attrs = c.attrs;
    b->used.strings = c.strings;
    b->used.bytes = c.bytes;
    gspi_copy(b->chars, module->chars, c.bytes, 1u);
    for (gsp_atom s = 0u; s < c.strings; s++) {
        b->string_begin[s + 1u] = module->string_begin[s + 1u];
        b->node_of[s] = GSP_NONE;
        b->suffix_in[s] = GSP_NONE;
    }
    gspi_build_rehash(b, gspi_hash_slots(c.strings));
}

/* The index after the element at `i`. */
static uint32_t gspi_element_end(const gsp_arg *args, uint32_t i)
{
    while (args[i].kind == (uint32_t)GSP_ARG_KEY) {
        i++;
    }
    return gspi_is_opening(args[i].kind) ? i + args[i].value + 1u : i + 1u;
}

/* Complete arguments: of a placeholder at most one, an output one, an attribute none. */
static gsp_detail gspi_build_shape(const gsp_builder *b)
{
    uint32_t const begin = b->arg_begin[b->current];
    uint8_t const op = b->op[b->current];
    int const none = begin == b->used.args;
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
    for (uint32_t i = begin; op == (uint8_t)GSP_OP_PLACEHOLDER && i < b->used.args; i++) {
        if (b->args[i].kind == (uint32_t)GSP_ARG_NODE) {
            return GSP_DETAIL_DEFAULT;
        }
    }
    return GSP_DETAIL_NONE;
}

/* Completes the present node: terminates its attributes. */
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

GSP_API void gsp_build_graph(gsp_builder *b, gsp_str name)
{
    gsp_atom const s = name.size == 0u ? (gsp_atom)GSP_KEY_MAIN : gsp_build_atom(b, name);
    gspi_build_node_done(b);
    (void)gspi_build_check(b, !b->open, GSP_DETAIL_STATE);
    (void)gspi_build_check(b, gspi_is_one_line(name) && gspi_trim(name).size == name.size,
                           GSP_DETAIL_MODULE_NAME);
    if (gspi_build_room(b, GSP_DETAIL_CAPACITY_GRAPHS, b->used.graphs, 1u, b->cap.graphs)) {
        gsp_graph_entry const graph = {s, b->used.nodes, 0u};
        b->graphs[b->used.graphs++] = graph;
        b->first = b->used.nodes;
        b->open = 1;
    }
}

/* 1 for a name that is used or reserved in the present graph. */
static int gspi_build_is_taken(const gsp_builder *b, gsp_atom name)
{
    uint32_t const node = b->node_of[name];
    return node != GSP_NONE && node >= b->first;
}

/* 1 for a reserved name: its entry is the first node of the graph, which has another name. */
static int gspi_build_is_reserved(const gsp_builder *b, gsp_atom name)
{
    uint32_t const node = b->node_of[name];
    return node >= b->used.nodes || b->name[node] != name;
}

/* Sets the id of the next node in the error. */
static void gspi_build_error_at_next(gsp_builder *b, gsp_node other)
{
    b->error.what = (uint32_t)GSP_WHAT_NODE;
    b->error.node = b->used.nodes - b->first;
    b->error.other = other;
}

static gsp_node gspi_build_add_node(gsp_builder *b, gsp_op op, gsp_atom name, gsp_atom target)
{
    uint32_t const v = b->used.nodes;
    gspi_build_node_done(b);
    if (!b->open) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
    }
    if (b->error.status != GSP_OK ||
        !gspi_build_room(b, GSP_DETAIL_CAPACITY_NODES, v, 1u, b->cap.nodes)) {
        return GSP_NONE;
    }
    b->op[v] = (uint8_t)op;
    b->out[v] = (uint8_t)GSP_VALUE_TENSOR;
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
    return v - b->first;
}

GSP_API gsp_node gsp_build_node_atoms(gsp_builder *b, gsp_op op, gsp_atom name, gsp_atom target)
{
    gsp_detail const detail = b->used.graphs == 0u                       ? GSP_DETAIL_STATE
                              : op <= GSP_OP_NONE || op >= GSP_OP_OUTPUT ? GSP_DETAIL_OP
                              : name >= b->used.strings || target >= b->used.strings
                                  ? GSP_DETAIL_RANGE
                                  : GSP_DETAIL_NONE;
    if (detail != GSP_DETAIL_NONE) {
        gspi_build_fail(b, GSP_STATUS_ARG, detail);
    }
    if (b->error.status != GSP_OK) {
        return GSP_NONE;
    }
    if (gspi_build_is_taken(b, name) && !gspi_build_is_reserved(b, name)) {
        gspi_build_fail(b, GSP_STATUS_DUPLICATE, GSP_DETAIL_NAME_TWICE);
        gspi_build_error_at_next(b, b->node_of[name] - b->first);
    }
    gsp_node const v = gspi_build_add_node(b, op, name, target);
    if (v != GSP_NONE) {
        b->node_of[name] = b->current;
    }
    return v;
}

GSP_API void gsp_build_reserve(gsp_builder *b, gsp_atom name)
{
    if (gspi_build_check(b, b->used.graphs != 0u, GSP_DETAIL_STATE) &&
        gspi_build_check(b, name < b->used.strings, GSP_DETAIL_RANGE) &&
        !gspi_build_is_taken(b, name)) {
        b->node_of[name] = b->first;
    }
}

GSP_API gsp_node gsp_build_node(gsp_builder *b, gsp_op op, gsp_str name, gsp_str target)
{
    gsp_detail const detail =
        name.size == 0u || gspi_skip_name(name, 0u) != name.size ? GSP_DETAIL_NAME
        : !gspi_is_one_line(target) ||
                gspi_target_end(target, gspi_is_callable((uint8_t)op)) != target.size
            ? GSP_DETAIL_TARGET
            : GSP_DETAIL_NONE;
    if (detail != GSP_DETAIL_NONE && b->error.status == GSP_OK) {
        gspi_build_fail(b, GSP_STATUS_ARG, detail);
        if (b->used.graphs != 0u) {
            gspi_build_error_at_next(b, GSP_NONE);
        }
    }
    gsp_atom const t = gsp_build_atom(b, target); /* the order of arguments is open */
    return gsp_build_node_atoms(b, op, gsp_build_atom(b, name), t);
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

/* Keys occur in dicts and at the top level of calls; after the first, every element has a key. */
static int gspi_build_fits(const gsp_builder *b, gsp_arg_kind kind)
{
    int const after_key = b->used.args > b->arg_begin[b->current] &&
                          b->args[b->used.args - 1u].kind == (uint32_t)GSP_ARG_KEY;
    int const dict =
        b->container != GSP_NONE && b->args[b->container].kind == (uint32_t)GSP_ARG_DICT;
    int const call = b->container == GSP_NONE && gspi_is_callable(b->op[b->current]);
    return kind == GSP_ARG_KEY     ? (dict || call) && !after_key
           : kind == GSP_ARG_CLOSE ? !after_key
                                   : after_key || !(dict || (call && b->keyed));
}

static void gspi_build_push(gsp_builder *b, gsp_arg_kind kind, uint32_t value)
{
    if (b->current == GSP_NONE) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
    } else if (b->used.args >= b->cap.args) {
        (void)gspi_build_room(b, GSP_DETAIL_CAPACITY_ARGS, b->used.args, 1u, b->cap.args);
    } else if (b->error.status == GSP_OK && !gspi_build_fits(b, kind)) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_KEY);
    }
    if (b->error.status == GSP_OK) {
        b->keyed |= kind == GSP_ARG_KEY && b->container == GSP_NONE;
        b->args[b->used.args].kind = (uint32_t)kind;
        b->args[b->used.args++].value = value;
    }
}

GSP_API void gsp_build_arg_node(gsp_builder *b, gsp_node node)
{
    if (b->current != GSP_NONE && node >= b->current - b->first) {
        gspi_build_fail(b, GSP_STATUS_UNDEFINED, GSP_DETAIL_NAME_UNKNOWN);
    }
    gspi_build_push(b, GSP_ARG_NODE, node);
}

/* The token of an open container holds the index of the enclosing one. */
GSP_API void gsp_build_open(gsp_builder *b, gsp_arg_kind container)
{
    (void)gspi_build_check(b, gspi_is_opening((uint32_t)container), GSP_DETAIL_KIND);
    gspi_build_push(b, container, b->container);
    if (b->error.status == GSP_OK) {
        b->container = b->used.args - 1u;
        b->slice = container == GSP_ARG_SLICE && b->slice == GSP_NONE ? b->container : b->slice;
    }
}

/* A list or slice with one empty constant would read back as an empty one. */
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
    if (!gspi_build_check(b, open != GSP_NONE, GSP_DETAIL_BRACKET) ||
        !gspi_build_check(b, !gspi_build_reads_empty(b, open), GSP_DETAIL_CONSTANT)) {
        return;
    }
    gspi_build_push(b, GSP_ARG_CLOSE, b->used.args - open);
    if (b->error.status == GSP_OK) {
        b->container = b->args[open].value;
        b->args[open].value = b->used.args - 1u - open;
        b->slice = b->slice == open ? GSP_NONE : b->slice;
    }
}

/* The index after the quoted string at `at`, or `at` when it is not closed. */
static uint32_t gspi_quote_end(gsp_str t, uint32_t at)
{
    uint32_t i = at + 1u;
    while (i < t.size && t.data[i] != t.data[at]) {
        i += t.data[i] == '\\' ? 2u : 1u;
    }
    return i < t.size ? i + 1u : at;
}

static int gspi_is_quote(gsp_str t, uint32_t at)
{
    return at < t.size && (t.data[at] == '\'' || t.data[at] == '"');
}

/* The end of the constant at `at`: the next ", ", an unmatched closing bracket, with `comment` != 0
 * "  # ", or the end of the text. *open: brackets and quotes that are not closed. */
static uint32_t gspi_constant_end(gsp_str t, uint32_t at, int comment, uint32_t *open)
{
    uint32_t i = gspi_is_quote(t, at) ? gspi_quote_end(t, at) : at;
    *open = i == at && gspi_is_quote(t, at) ? 1u : 0u;
    for (; i < t.size; i++) {
        char const c = t.data[i];
        if (gspi_is_open(c)) {
            (*open)++;
        } else if (gspi_is_close(c)) {
            if (*open == 0u) {
                return i;
            }
            (*open)--;
        } else if (*open == 0u && (gspi_at(t, i, ", ") || (comment && gspi_at(t, i, "  # ")))) {
            return i;
        }
    }
    return i;
}

/* The end of the key when a key and ": " stand at `at`, else GSP_NONE. */
static uint32_t gspi_key_end(gsp_str line, uint32_t at)
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

/* 1 for a complex number of Python at `at`, such as (1+2j): it is no tuple. */
static int gspi_is_complex(gsp_str line, uint32_t at)
{
    uint32_t const begin = at + 1u;
    uint32_t sign = begin; /* the last sign, of the imaginary part or its exponent */
    uint32_t i;
    for (i = begin; i < line.size && !gspi_is_open(line.data[i]) && !gspi_is_close(line.data[i]) &&
                    line.data[i] != ',' && line.data[i] != ' ';
         i++) {
        sign = line.data[i] == '+' || line.data[i] == '-' ? i : sign;
    }
    return sign > begin && gspi_at(line, i - 1u, "j)");
}

/* The kind of the container that opens at `at`, if any, and the size of its opening. */
static gsp_arg_kind gspi_container_at(gsp_str line, uint32_t at, uint32_t *size)
{
    uint32_t key;
    *size = 1u;
    switch (gspi_byte(line, at)) {
    case '(':
        return gspi_is_complex(line, at) ? GSP_ARG_NONE : GSP_ARG_TUPLE;
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

/* 1 when a constant reads back as this token in a call. */
static int gspi_is_constant(gsp_str t)
{
    uint32_t const i = gspi_skip_blanks(t, 0u);
    uint32_t size;
    uint32_t open;
    return gspi_is_one_line(t) && gspi_constant_end(t, 0u, 0, &open) == t.size && open == 0u &&
           gspi_container_at(t, i, &size) == GSP_ARG_NONE && !gspi_at(t, i, "%") &&
           !(t.size > 0u && t.data[t.size - 1u] == ',');
}

GSP_API void gsp_build_key(gsp_builder *b, gsp_str key)
{
    int plain = key.size > 0u && gspi_is_one_line(key) && gspi_trim(key).size == key.size;
    for (uint32_t i = 0u; plain && !gspi_is_quote(key, 0u) && i < key.size; i++) {
        char const c = key.data[i];
        plain = !gspi_is_open(c) && !gspi_is_close(c) && c != ':' && c != ',';
    }
    plain = plain && (!gspi_is_quote(key, 0u) || gspi_quote_end(key, 0u) == key.size);
    (void)gspi_build_check(b, plain, GSP_DETAIL_KEY);
    gspi_build_push(b, GSP_ARG_KEY, gsp_build_atom(b, key));
}

/* The earlier node of this name in the present graph, or GSP_NONE. */
static gsp_node gspi_build_lookup(const gsp_builder *b, gsp_str name)
{
    gsp_atom const s = b->hash[gspi_build_slot(b, name)];
    if (s == GSP_NONE || !gspi_build_is_taken(b, s) || b->node_of[s] >= b->current ||
        gspi_build_is_reserved(b, s)) {
        return GSP_NONE;
    }
    return b->node_of[s] - b->first;
}

/* 1 when a constant has "%name" at its start or after a comma: an edge would be lost. */
static int gspi_hides_node(const gsp_builder *b, gsp_str t)
{
    for (uint32_t i = gspi_is_quote(t, 0u) ? gspi_quote_end(t, 0u) : 0u; i < t.size; i++) {
        if (t.data[i] == '%' && (i == 0u || t.data[i - 1u] == ',')) {
            uint32_t const end = gspi_skip_name(t, i + 1u);
            gsp_str const name = gspi_slice(t.data, (size_t)i + 1u, end);
            if (name.size > 0u && gspi_build_lookup(b, name) != GSP_NONE) {
                return 1;
            }
        }
    }
    return 0;
}

/* After `return` and in a slice, names have no '%': a constant must differ from all of them. */
static int gspi_is_taken_for_node(const gsp_builder *b, gsp_str t)
{
    int const output = b->op[b->current] == (uint8_t)GSP_OP_OUTPUT;
    uint32_t open;
    if (!output && b->slice == GSP_NONE) {
        return 0;
    }
    gsp_atom const s = b->hash[gspi_build_slot(b, gspi_trim(t))];
    return (s != GSP_NONE && gspi_build_is_taken(b, s)) ||
           (output && gspi_constant_end(t, 0u, 1, &open) != t.size);
}

GSP_API void gsp_build_constant(gsp_builder *b, gsp_str spelling)
{
    if (b->current != GSP_NONE && b->error.status == GSP_OK &&
        (!gspi_is_constant(spelling) || gspi_is_taken_for_node(b, spelling) ||
         gspi_hides_node(b, gspi_trim(spelling)))) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_CONSTANT);
    }
    gspi_build_push(b, GSP_ARG_CONSTANT, gsp_build_atom(b, spelling));
}

GSP_API void gsp_build_arg(gsp_builder *b, gsp_arg arg)
{
    if (arg.kind == (uint32_t)GSP_ARG_NODE) {
        gsp_build_arg_node(b, arg.value);
    } else if (arg.kind == (uint32_t)GSP_ARG_CLOSE) {
        gsp_build_close(b);
    } else if (gspi_is_opening(arg.kind)) {
        gsp_build_open(b, (gsp_arg_kind)arg.kind);
    } else if (arg.kind != (uint32_t)GSP_ARG_CONSTANT && arg.kind != (uint32_t)GSP_ARG_KEY) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_KIND);
    } else if (gspi_build_check(b, arg.value < b->used.strings, GSP_DETAIL_RANGE)) {
        gspi_build_push(b, (gsp_arg_kind)arg.kind, arg.value);
    }
}

/* ---- types ---- */

/* The state of a scan of a TYPE; `out` gets up to `room` bytes of the canonical spelling. */
typedef struct gspi_type {
    char *out;
    uint32_t room;
    uint32_t size; /* bytes of the canonical spelling, those above `room` too */
    uint64_t bytes;
    uint32_t tensors;
    gsp_detail detail; /* NONE: no error */
} gspi_type;

static void gspi_type_put(gspi_type *y, const char *data, uint32_t size)
{
    if (size != 0u && y->size <= y->room && size <= y->room - y->size) {
        gspi_copy(y->out + y->size, data, size, 1u);
    }
    y->size += size;
}

static int gspi_is_other_type(gsp_str word)
{
    static const char words[] = " int float bool str none tuple list dict any ";
    gsp_str const all = gspi_slice(words, 0u, sizeof(words) - 1u);
    for (uint32_t i = 0u; i + word.size + 1u < all.size; i++) {
        if (all.data[i] == ' ' && all.data[i + 1u + word.size] == ' ' && word.size > 0u &&
            gspi_same(all.data + i + 1u, word.data, word.size)) {
            return 1;
        }
    }
    return 0;
}

/* Bytes per element: the first number of the dtype, in bits; at least one byte. */
static uint32_t gspi_dtype_bytes(gsp_str dtype)
{
    uint32_t bits = 0u;
    uint32_t i = 0u;
    while (i < dtype.size && !gspi_is_digit(dtype.data[i])) {
        i++;
    }
    for (; i < dtype.size && gspi_is_digit(dtype.data[i]) && bits < 100000u; i++) {
        bits = bits * 10u + (uint32_t)(dtype.data[i] - '0');
    }
    return bits < 16u ? 1u : bits / 8u;
}

/* Scans the dimensions of a tensor and adds its bytes. A symbol or -1 counts as 1. */
static uint32_t gspi_type_dims(gspi_type *y, gsp_str t, uint32_t at, uint32_t element)
{
    uint64_t product = element; /* saturated, so that a later 0 counts */
    int too_big = 0;
    uint32_t i = gspi_skip_blanks(t, at);
    while (i < t.size && t.data[i] != ']') {
        uint32_t const begin = i;
        uint64_t dim = 1u;
        while (i < t.size && t.data[i] != ',' && t.data[i] != ']' && t.data[i] != '[') {
            i++;
        }
        gsp_str const text = gspi_trim(gspi_slice(t.data, begin, i));
        if (text.size == 0u || i == t.size || t.data[i] == '[') {
            y->detail = GSP_DETAIL_TYPE;
            return i;
        }
        too_big |= gspi_is_digits(text) && !gspi_number(text, &dim);
        too_big |= dim != 0u && product > UINT64_MAX / dim;
        product = gspi_times(product, dim);
        gspi_type_put(y, text.data, text.size);
        if (t.data[i] == ',') {
            gspi_type_put(y, ", ", 2u);
            i = gspi_skip_blanks(t, i + 1u);
            y->detail = gspi_byte(t, i) == ']' ? GSP_DETAIL_TYPE : y->detail;
        }
    }
    if (i == t.size || (too_big && product != 0u) || product > UINT64_MAX - y->bytes) {
        y->detail = i == t.size ? GSP_DETAIL_TYPE : GSP_DETAIL_SIZE;
        return i;
    }
    gspi_type_put(y, "]", 1u);
    y->bytes += product;
    y->tensors++;
    return i + 1u;
}

/* Scans the TYPE at `at` and returns its end. A counter of nested containers replaces a stack. */
static uint32_t gspi_type_scan(gspi_type *y, gsp_str t, uint32_t at)
{
    uint32_t depth = 0u;
    uint32_t i = at;
    do {
        gsp_str const word = gspi_slice(t.data, i, gspi_skip_name(t, i));
        gspi_type_put(y, word.data, word.size);
        i += word.size;
        if (word.size == 0u || (gspi_byte(t, i) != '[' && !gspi_is_other_type(word))) {
            y->detail = GSP_DETAIL_TYPE;
        } else if (gspi_byte(t, i) == '[') {
            gspi_type_put(y, "[", 1u);
            i = gspi_type_dims(y, t, i + 1u, gspi_dtype_bytes(word));
        } else if (gspi_byte(t, i) == '(') {
            gspi_type_put(y, "(", 1u);
            i = gspi_skip_blanks(t, i + 1u);
            depth++;
            if (gspi_byte(t, i) != ')') {
                continue;
            }
        }
        for (; depth > 0u && gspi_byte(t, i) == ')' && y->detail == GSP_DETAIL_NONE; depth--) {
            gspi_type_put(y, ")", 1u);
            i++;
        }
        if (depth > 0u && gspi_byte(t, i) == ',') {
            gspi_type_put(y, ", ", 2u);
            i = gspi_skip_blanks(t, i + 1u);
        } else if (depth > 0u && y->detail == GSP_DETAIL_NONE) {
            y->detail = GSP_DETAIL_TYPE;
        }
    } while (depth > 0u && y->detail == GSP_DETAIL_NONE);
    return i;
}

/* Sets the TYPE at `at` and returns its end, `at` after an error. */
static uint32_t gspi_build_type_at(gsp_builder *b, gsp_str t, uint32_t at)
{
    gspi_type y = {b->chars + b->used.bytes, b->cap.bytes - b->used.bytes, 0u, 0u, 0u,
                   GSP_DETAIL_NONE};
    uint32_t const end = gspi_type_scan(&y, t, at);
    if (y.detail != GSP_DETAIL_NONE) {
        gspi_build_fail(b, y.detail == GSP_DETAIL_TYPE ? GSP_STATUS_ARG : GSP_STATUS_OVERFLOW,
                        y.detail);
        return at;
    }
    /* A known TYPE in canonical spelling needs no room. */
    gsp_str const text =
        y.size <= y.room ? gspi_slice(y.out, 0u, y.size) : gspi_slice(t.data, at, end);
    uint32_t const slot = gspi_build_slot(b, text);
    if (b->hash[slot] == GSP_NONE && !gspi_build_has_room(b, y.size)) {
        return at;
    }
    b->type[b->current] =
        b->hash[slot] != GSP_NONE ? b->hash[slot] : gspi_build_append(b, slot, y.size);
    b->out[b->current] = (uint8_t)(y.tensors == 0u                    ? GSP_VALUE_OTHER
                                   : text.data[text.size - 1u] == ')' ? GSP_VALUE_AGGREGATE
                                                                      : GSP_VALUE_TENSOR);
    if ((b->flags[b->current] & GSP_FLAG_BYTES) == 0u) {
        b->bytes[b->current] = y.bytes;
    }
    return end;
}

GSP_API void gsp_build_type(gsp_builder *b, gsp_str type)
{
    if (gspi_build_check(b, b->current != GSP_NONE, GSP_DETAIL_STATE) &&
        gspi_build_type_at(b, type, 0u) != type.size) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_TYPE);
    }
}

static uint32_t gspi_skip_sign(gsp_str t, uint32_t at)
{
    return gspi_byte(t, at) == '-' || gspi_byte(t, at) == '+' ? at + 1u : at;
}

/* 1 for a text in the form of a decimal number. */
static int gspi_is_decimal(gsp_str t)
{
    uint32_t const begin = gspi_skip_sign(t, 0u);
    if (gspi_at(t, begin, "inf") || gspi_at(t, begin, "nan")) {
        return t.size == begin + 3u;
    }
    uint32_t i = gspi_skip_digits(t, begin);
    uint32_t digits = i - begin;
    if (gspi_byte(t, i) == '.') {
        uint32_t const point = i + 1u;
        i = gspi_skip_digits(t, point);
        digits += i - point;
    }
    if (digits > 0u && (gspi_byte(t, i) == 'e' || gspi_byte(t, i) == 'E')) {
        uint32_t const exponent = gspi_skip_sign(t, i + 1u);
        i = gspi_skip_digits(t, exponent);
        digits = i - exponent;
    }
    return digits > 0u && i == t.size;
}

/* Checks the value of a known key, stores it if it has a field. MEM to COMM are seconds. */
static gsp_detail gspi_build_known(gsp_builder *b, uint32_t key, gsp_str value)
{
    uint8_t *flags = &b->flags[b->current];
    uint64_t number = 0u;
    if (key >= (uint32_t)GSP_KEY_MEM && key <= (uint32_t)GSP_KEY_COMM) {
        return gspi_is_decimal(value) ? GSP_DETAIL_NONE : GSP_DETAIL_NUMBER;
    }
    if (key == (uint32_t)GSP_KEY_GROUP) {
        *flags |= (uint8_t)GSP_FLAG_GROUP;
    }
    if (key != (uint32_t)GSP_KEY_BYTES && key != (uint32_t)GSP_KEY_PARAMS &&
        key != (uint32_t)GSP_KEY_ACC) {
        return GSP_DETAIL_NONE;
    }
    if (!gspi_number(value, &number)) {
        return gspi_is_digits(value) ? GSP_DETAIL_SIZE : GSP_DETAIL_NUMBER;
    }
    if (key == (uint32_t)GSP_KEY_BYTES) {
        b->bytes[b->current] = number;
        *flags |= (uint8_t)GSP_FLAG_BYTES;
    } else if (key == (uint32_t)GSP_KEY_ACC) {
        *flags |= (uint8_t)GSP_FLAG_ACC;
        return number < GSP_KIND_NONE ? GSP_DETAIL_NONE : GSP_DETAIL_KIND;
    }
    return GSP_DETAIL_NONE;
}

/* The end of a word of an annotation: a blank, or one of `stops`. */
static uint32_t gspi_word_end(gsp_str t, uint32_t at, const char *stops)
{
    uint32_t i;
    for (i = at; i < t.size && !gspi_is_blank(t.data[i]); i++) {
        for (uint32_t k = 0u; stops[k] != '\0'; k++) {
            if (t.data[i] == stops[k]) {
                return i;
            }
        }
    }
    return i;
}

/* 1 when key=value reads back as this pair. A type expression has a place of its own. */
static int gspi_is_attr(gsp_atom key_id, gsp_str key, gsp_str value)
{
    if (!gspi_is_one_line(key) || !gspi_is_one_line(value)) {
        return 0;
    }
    if (key_id != (gsp_atom)GSP_KEY_ANNOTATION) {
        return gspi_word_end(key, 0u, "=[(") == key.size &&
               gspi_word_end(value, 0u, "") == value.size;
    }
    return value.size > 0u && gspi_trim(value).size == value.size &&
           gspi_find(value, 0u, "[num_users=") == value.size &&
           gspi_find(value, 0u, "[#users=") == value.size;
}

/* Adopted attributes are shared and cannot grow. Only one type expression, none of an output. */
static int gspi_build_takes_attr(const gsp_builder *b, gsp_atom key)
{
    if (b->attr[b->current] != 0u && b->attr[b->current] != b->run) {
        return 0;
    }
    for (uint32_t i = b->run; key == (gsp_atom)GSP_KEY_ANNOTATION && i < b->used.attrs; i++) {
        if (b->attrs[i].key == key) {
            return 0;
        }
    }
    return key != (gsp_atom)GSP_KEY_ANNOTATION || b->op[b->current] != (uint8_t)GSP_OP_OUTPUT;
}

/* Appends to the attributes of the present node. */
static void gspi_build_run_attr(gsp_builder *b, gsp_atom key, gsp_atom value)
{
    if (b->used.attrs == b->run) {
        b->attr[b->current] = b->run;
    }
    gspi_build_add_attr(b, key, value);
}

GSP_API void gsp_build_attr(gsp_builder *b, gsp_str key, gsp_str value)
{
    gsp_atom const k = gsp_build_atom(b, key);
    gsp_atom const v = gsp_build_atom(b, value);
    if (!gspi_build_check(b, b->current != GSP_NONE, GSP_DETAIL_STATE) ||
        !gspi_build_check(b, k != (gsp_atom)GSP_KEY_NONE, GSP_DETAIL_ANNOTATION)) {
        return;
    }
    gsp_detail const detail = gspi_is_attr(k, key, value) && gspi_build_takes_attr(b, k)
                                  ? gspi_build_known(b, k, value)
                                  : GSP_DETAIL_ANNOTATION;
    if (detail == GSP_DETAIL_NONE) {
        gspi_build_run_attr(b, k, v);
    } else {
        gspi_build_fail(b, detail == GSP_DETAIL_SIZE ? GSP_STATUS_OVERFLOW : GSP_STATUS_ARG,
                        detail);
    }
}

GSP_API void gsp_build_like(gsp_builder *b, const gsp_graph *graph, gsp_node node, int attributes)
{
    const gsp_module *m = graph->module;
    uint32_t const v = graph->first + node;
    uint32_t const at = b->current;
    int const exists =
        node < graph->n_nodes && m->type[v] < b->used.strings && m->attr[v] < b->used.attrs;
    if (at == GSP_NONE || !exists) {
        gspi_build_fail(b, GSP_STATUS_ARG, at == GSP_NONE ? GSP_DETAIL_STATE : GSP_DETAIL_RANGE);
        return;
    }
    b->type[at] = m->type[v];
    b->out[at] = m->out[v];
    b->bytes[at] = m->bytes[v];
    if (attributes) {
        b->attr[at] = m->attr[v];
        b->flags[at] = m->flags[v];
    } else if ((m->flags[v] & GSP_FLAG_BYTES) != 0u) {
        gsp_atom const s = gspi_attr(graph, node, GSP_KEY_BYTES);
        if (gspi_build_check(b, s < b->used.strings && gspi_build_takes_attr(b, GSP_KEY_BYTES),
                             GSP_DETAIL_ANNOTATION)) {
            b->flags[at] |= (uint8_t)GSP_FLAG_BYTES;
            gspi_build_run_attr(b, GSP_KEY_BYTES, s);
        }
    }
}

/* ---- free names ---- */

/* Writes the wanted name, illegal bytes replaced, after the last string, with room for a suffix. */
GSPI_OWN_FRAME uint32_t gspi_name_clean(const gsp_builder *b, gsp_str wanted)
{
    char *out = b->chars + b->used.bytes;
    uint32_t size = 0u;
    if (wanted.size == 0u || gspi_is_digit(wanted.data[0])) {
        out[size++] = '_';
    }
    for (uint32_t i = 0u; i < wanted.size; i++) {
        if (gspi_is_name(wanted.data[i])) {
            out[size++] = wanted.data[i];
        } else if (i == 0u || gspi_is_name(wanted.data[i - 1u])) {
            out[size++] = '_';
        }
    }
    return size;
}

/* Records base_N as taken for low <= N < high; per base only the longest interval is kept. */
static void gspi_name_remember(gsp_builder *b, gsp_atom base, uint32_t low, uint32_t high)
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

/* The free "base_N" of least N > number; the caller has checked the room. */
GSPI_OWN_FRAME gsp_atom gspi_name_number(gsp_builder *b, gsp_atom base, uint32_t number)
{
    gsp_str const t = gspi_build_text(b, base);
    char *out = b->chars + b->used.bytes;
    uint32_t next = number + 1u;
    uint32_t size;
    uint32_t slot;
    gsp_atom s;
    if (b->suffix_in[base] == b->used.graphs - 1u && next >= b->suffix_low[base] &&
        next < b->suffix_high[base]) {
        next = b->suffix_high[base];
    }
    gspi_copy(out, t.data, t.size, 1u);
    out[t.size] = '_';
    do {
        size = t.size + 1u + gspi_decimal(next, out + t.size + 1u);
        slot = gspi_build_slot(b, gspi_slice(out, 0u, size));
        s = b->hash[slot];
        next++;
    } while (s != GSP_NONE && gspi_build_is_taken(b, s));
    gspi_name_remember(b, base, number + 1u, next);
    return s != GSP_NONE ? s : gspi_build_append(b, slot, size);
}

GSP_API gsp_atom gsp_build_name(gsp_builder *b, gsp_str wanted)
{
    uint32_t base_size = 0u;
    if (!gspi_build_check(b, b->used.graphs != 0u, GSP_DETAIL_STATE) ||
        !gspi_build_has_room(b, (size_t)wanted.size + 12u)) {
        return GSP_KEY_NONE;
    }
    uint32_t const size = gspi_name_clean(b, wanted);
    gsp_str const name = gspi_slice(b->chars, b->used.bytes, (size_t)b->used.bytes + size);
    gsp_atom s = gspi_build_written(b, size);
    if (!gspi_build_is_taken(b, s)) {
        return s;
    }
    uint32_t const number = gspi_name_suffix(name, &base_size);
    s = base_size == size ? s : gspi_build_written(b, base_size);
    if (!gspi_build_has_room(b, (size_t)base_size + 12u)) {
        return GSP_KEY_NONE;
    }
    return gspi_name_number(b, s, number);
}

static gsp_atom gspi_build_joined(gsp_builder *b, gsp_str head, gsp_str tail)
{
    char *out = b->chars + b->used.bytes;
    if (b->error.status != GSP_OK || !gspi_build_has_room(b, (size_t)head.size + tail.size)) {
        return GSP_KEY_NONE;
    }
    gspi_copy(out, head.data, head.size, 1u);
    gspi_copy(out + head.size, tail.data, tail.size, 1u);
    return gspi_build_written(b, head.size + tail.size);
}

/* "submod", 3 -> "submod_3". */
static gsp_atom gspi_build_numbered(gsp_builder *b, gsp_str base, uint32_t number)
{
    char tail[21];
    tail[0] = '_';
    return gspi_build_joined(b, base, gspi_slice(tail, 0u, 1u + gspi_decimal(number, tail + 1)));
}

/* A target as one attribute name: '_' replaces every '.'. */
static gsp_atom gspi_build_flat(gsp_builder *b, gsp_str target)
{
    char *out = b->chars + b->used.bytes;
    if (b->error.status != GSP_OK || !gspi_build_has_room(b, target.size)) {
        return GSP_KEY_NONE;
    }
    for (uint32_t i = 0u; i < target.size; i++) {
        out[i] = (char)(target.data[i] == '.' ? '_' : target.data[i]);
    }
    return gspi_build_written(b, target.size);
}

/* Names in spaces, which the caller numbers from 1. A name is in one, or in all (GSP_NONE). */
typedef struct gspi_name {
    uint32_t space;     /* of this string */
    uint32_t number;    /* last number given to it */
    uint32_t number_in; /* space of that number */
} gspi_name;

typedef struct gspi_names {
    gspi_name *of; /* [b->cap.strings] */
    uint32_t n;    /* entries so far: further ones are made on demand */
} gspi_names;

static gspi_name *gspi_name_at(gspi_names *names, gsp_atom name)
{
    for (; names->n <= name; names->n++) {
        names->of[names->n].space = 0u;
        names->of[names->n].number_in = 0u;
    }
    return &names->of[name];
}

static int gspi_name_is_taken(gspi_names *names, gsp_atom name, uint32_t space)
{
    uint32_t const now = gspi_name_at(names, name)->space;
    return now == space || now == GSP_NONE;
}

/* Takes `wanted` in a space, or its next free number ("conv_1"). Arbitrary after an error. */
static gsp_atom gspi_name_free(gsp_builder *b, gspi_names *names, gsp_atom wanted, uint32_t space)
{
    gsp_str t = gspi_build_text(b, wanted);
    gsp_atom name = wanted;
    if (gspi_name_is_taken(names, wanted, space)) {
        gspi_name *w = gspi_name_at(names, wanted);
        uint32_t number = gspi_name_suffix(t, &t.size);
        number = w->number_in == space ? w->number : number;
        while (gspi_name_is_taken(names, name, space) && b->error.status == GSP_OK) {
            name = gspi_build_numbered(b, t, ++number);
        }
        w->number = number;
        w->number_in = space;
    }
    gspi_name_at(names, name)->space = space;
    return name;
}

/* ---- finishing ---- */

/* Counts, and lists in `row` unless NULL, the distinct node arguments of v in argument order.
 * `seen` [n]: the last stamp, one per user. */
static uint32_t gspi_distinct_inputs(const gsp_builder *b, uint32_t v, uint32_t stamp,
                                     uint32_t *seen, gsp_node *row)
{
    uint32_t const end = v + 1u < b->used.nodes ? b->arg_begin[v + 1u] : b->used.args;
    uint32_t count = 0u;
    for (uint32_t i = b->arg_begin[v]; i < end; i++) {
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

/* Counts, and lists where the block has room, the distinct targets of get_attr nodes and of called
 * leaf modules, by first use. node_of[target] has a bit for each kind of target. */
static void gspi_finish_symbols(gsp_builder *b, gsp_module *m)
{
    gsp_symbol *params = (gsp_symbol *)(uintptr_t)m->params;
    gsp_symbol *leaves = (gsp_symbol *)(uintptr_t)m->leaves;
    m->n_params = 0u;
    m->n_leaves = 0u;
    gspi_zero_words(b->node_of, (size_t)b->used.strings + 1u);
    for (uint32_t g = 0u; g < b->used.graphs; g++) {
        b->node_of[b->graphs[g].name] = 1u;
    }
    for (uint32_t g = 0u; g < b->used.graphs; g++) {
        for (uint32_t i = 0u; i < b->graphs[g].n_nodes; i++) {
            uint32_t const v = b->graphs[g].first + i;
            int const param = b->op[v] == (uint8_t)GSP_OP_GET_ATTR;
            uint32_t const bit = param ? 2u : 4u;
            if (!(param || b->op[v] == (uint8_t)GSP_OP_CALL_MODULE) ||
                (b->node_of[b->target[v]] & (bit | 1u)) != 0u) {
                continue;
            }
            uint32_t const at = param ? m->n_params++ : m->n_leaves++;
            b->node_of[b->target[v]] |= bit;
            if (params != NULL) {
                gsp_symbol const symbol = {b->target[v], g, i};
                (param ? params : leaves)[at] = symbol;
            }
        }
    }
}

/* Counts the contents of the finished block; node_of holds the stamps. */
static void gspi_finish_count(gsp_builder *b, gsp_module *m)
{
    m->counts = b->used;
    m->counts.edges = 0u;
    m->params = NULL;
    m->leaves = NULL;
    gspi_none_words(b->node_of, (size_t)b->used.strings + 1u);
    for (uint32_t v = 0u; v < b->used.nodes; v++) {
        m->counts.edges += gspi_distinct_inputs(b, v, v, b->node_of, NULL);
    }
    gspi_finish_symbols(b, m);
}

/* The rows of inputs, then the rows of users by a counting sort; node_of holds the stamps. */
GSPI_OWN_FRAME void gspi_finish_rows(gsp_builder *b, const gsp_module *m)
{
    uint32_t *in_begin = (uint32_t *)(uintptr_t)m->in_begin;
    uint32_t *user_begin = (uint32_t *)(uintptr_t)m->user_begin;
    gsp_node *inputs = (gsp_node *)(uintptr_t)m->inputs;
    gsp_node *users = (gsp_node *)(uintptr_t)m->users;
    uint32_t const n = m->counts.nodes;
    uint32_t g = 0u;
    gspi_none_words(b->node_of, (size_t)b->used.strings + 1u);
    gspi_zero_words(user_begin, (size_t)n + 1u);
    in_begin[0] = 0u;
    for (uint32_t v = 0u; v < n; v++) {
        g += v >= b->graphs[g].first + b->graphs[g].n_nodes;
        in_begin[v + 1u] =
            in_begin[v] + gspi_distinct_inputs(b, v, v, b->node_of, inputs + in_begin[v]);
        for (uint32_t i = in_begin[v]; i < in_begin[v + 1u]; i++) {
            user_begin[b->graphs[g].first + inputs[i]]++;
        }
    }
    gspi_counts_to_ends(user_begin, n);
    for (uint32_t v = n; v > 0u; v--) { /* backward, so that rows ascend */
        uint32_t const first = b->graphs[g].first;
        for (uint32_t i = in_begin[v - 1u]; i < in_begin[v]; i++) {
            users[--user_begin[first + inputs[i]]] = v - 1u - first;
        }
        g -= v - 1u == first && g > 0u;
    }
}

/* Sorts the graphs by name; 0 and an error for equal names, or for a later `main`. */
static int gspi_finish_graph_names(gsp_builder *b, const gsp_module *m)
{
    uint32_t *by_name = (uint32_t *)(uintptr_t)m->by_name;
    for (uint32_t i = 0u; i < b->used.graphs; i++) {
        by_name[i] = i;
        b->bytes[i] = b->graphs[i].name; /* the array is no longer needed: keys of the sort */
    }
    gspi_sort(by_name, b->used.graphs, b->bytes);
    for (uint32_t i = 0u; i < b->used.graphs; i++) {
        uint32_t const g = by_name[i];
        uint32_t const last = i > 0u ? by_name[i - 1u] : 0u;
        if (g > 0u && (b->graphs[g].name == b->graphs[last].name ||
                       b->graphs[g].name == (gsp_atom)GSP_KEY_MAIN)) {
            (void)gspi_fail_item(&b->error, GSP_STATUS_DUPLICATE, GSP_DETAIL_MODULE_NAME,
                                 GSP_WHAT_GRAPH, g, last);
            return 0;
        }
    }
    return 1;
}

static void gspi_finish_copy(const gsp_builder *b, const gsp_module *m, unsigned char *block)
{
    gspi_head const head = {GSPI_MAGIC,  GSPI_ORDER, GSPI_VERSION, m->n_params,
                            m->n_leaves, m->counts,  m->block_size};
    uint32_t counts[GSPI_PARAMS];
    (void)GSP_MEMCPY(block, &head, sizeof(head));
    (void)GSP_MEMCPY(counts, &b->used, sizeof(b->used));
    for (uint32_t i = 0u; i < GSPI_MODULE_ARRAYS; i++) {
        gspi_module_array const a = gspi_module_arrays[i];
        if (a.in_module != 0u && a.in_builder != 0u) {
            void *to;
            const void *from;
            (void)GSP_MEMCPY(&to, (const unsigned char *)m + a.in_module, sizeof(to));
            (void)GSP_MEMCPY(&from, (const unsigned char *)b + a.in_builder, sizeof(from));
            gspi_copy(to, from, (size_t)counts[a.count] + a.more, a.size);
        }
    }
}

/* Makes the block at the low end and *b->made at the high end. */
GSPI_OWN_FRAME gsp_status gspi_build_make(gsp_builder *b)
{
    gsp_module *m = b->made;
    gspi_build_node_done(b);
    if (b->open) {
        gspi_build_fail(b, GSP_STATUS_PARSE, GSP_DETAIL_RETURN);
    } else if (b->used.graphs == 0u) {
        gspi_build_fail(b, GSP_STATUS_EMPTY, GSP_DETAIL_HEADER);
    }
    if (b->error.status != GSP_OK) {
        return b->error.status;
    }
    b->arg_begin[b->used.nodes] = b->used.args;
    gspi_finish_count(b, m);
    if (!gspi_build_room(b, GSP_DETAIL_CAPACITY_EDGES, 0u, m->counts.edges, b->cap.edges)) {
        return b->error.status;
    }
    unsigned char *block =
        (unsigned char *)gspi_arena_take(b->arena, gspi_block_layout(m, NULL), 1u, 0);
    if (block == NULL) { /* the caller has used the arena in between */
        gspi_build_fail(b, GSP_STATUS_OVERFLOW, GSP_DETAIL_CAPACITY);
        return b->error.status;
    }
    (void)gspi_block_layout(m, block);
    gspi_finish_symbols(b, m);
    gspi_finish_rows(b, m);
    gspi_finish_copy(b, m, block);
    (void)gspi_finish_graph_names(b, m);
    return b->error.status;
}

/* Returns the module, or rewinds the arena. */
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
    GSPI_CHECK_GIVEN(b != NULL);
    if (module == NULL) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT);
    }
    (void)gspi_build_make(b);
    return gspi_build_end(b, module, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>query   Questions about a finished graph                                       (implementation)
 * ---------------------------------------------------------------------------------------------- */

GSP_API gsp_str gsp_str_of(const char *s)
{
    gsp_str t = {s, 0u};
    while (s != NULL && s[t.size] != '\0' && t.size < UINT32_MAX) {
        t.size++;
    }
    return t;
}

GSP_API int gsp_str_equal(gsp_str a, gsp_str b)
{
    return a.size == b.size && gspi_same(a.data, b.data, a.size);
}

GSP_API gsp_str gsp_module_str(const gsp_module *module, gsp_atom s)
{
    return gspi_string(module, s);
}

GSP_API uint32_t gsp_module_find_graph(const gsp_module *module, gsp_atom name)
{
    uint32_t begin = 0u;
    uint32_t end = module->counts.graphs;
    while (begin < end) {
        uint32_t const middle = begin + (end - begin) / 2u;
        uint32_t const id = module->by_name[middle];
        if (module->graphs[id].name == name) {
            return id;
        }
        begin = module->graphs[id].name < name ? middle + 1u : begin;
        end = module->graphs[id].name < name ? end : middle;
    }
    return GSP_NONE;
}

/* These functions take only nodes of the graph; the public ones below check. */

static gsp_op gspi_op(const gsp_graph *g, gsp_node v)
{
    return (gsp_op)g->module->op[g->first + v];
}

static int gspi_callable(const gsp_graph *g, gsp_node v)
{
    return gspi_is_callable(g->module->op[g->first + v]);
}

static gsp_value_kind gspi_value_kind(const gsp_graph *g, gsp_node v)
{
    return (gsp_value_kind)g->module->out[g->first + v];
}

static uint64_t gspi_bytes(const gsp_graph *g, gsp_node v)
{
    return g->module->bytes[g->first + v];
}

static gsp_atom gspi_name_id(const gsp_graph *g, gsp_node v)
{
    return g->module->name[g->first + v];
}

static gsp_atom gspi_target_id(const gsp_graph *g, gsp_node v)
{
    return g->module->target[g->first + v];
}

static gsp_str gspi_name_str(const gsp_graph *g, gsp_node v)
{
    return gspi_string(g->module, gspi_name_id(g, v));
}

static gsp_str gspi_target_str(const gsp_graph *g, gsp_node v)
{
    return gspi_string(g->module, gspi_target_id(g, v));
}

static gsp_str gspi_type_str(const gsp_graph *g, gsp_node v)
{
    return gspi_string(g->module, g->module->type[g->first + v]);
}

/* The value of an attribute; NULL data: none of that key. */
static gsp_str gspi_attr_str(const gsp_graph *g, gsp_node v, gsp_key key)
{
    gsp_atom const s = gspi_attr(g, v, key);
    gsp_str const none = {NULL, 0u};
    return s == GSP_NONE ? none : gspi_string(g->module, s);
}

/* gsp_node_class() as an id. */
static gsp_atom gspi_class(const gsp_graph *g, gsp_node v)
{
    gsp_atom const s =
        gspi_op(g, v) == GSP_OP_CALL_MODULE ? gspi_attr(g, v, GSP_KEY_MODULE) : GSP_NONE;
    return s == GSP_NONE ? gspi_target_id(g, v) : s;
}

/* The distinct inputs or users, and the argument tokens, of a node. */
typedef struct gspi_row {
    const gsp_node *at; /* [n] */
    uint32_t n;
} gspi_row;

typedef struct gspi_arg_row {
    const gsp_arg *at; /* [n] */
    uint32_t n;
} gspi_arg_row;

static gspi_row gspi_inputs(const gsp_graph *g, gsp_node v)
{
    const uint32_t *begin = g->module->in_begin + g->first + v;
    gspi_row const row = {g->module->inputs + begin[0], begin[1] - begin[0]};
    return row;
}

static gspi_row gspi_users(const gsp_graph *g, gsp_node v)
{
    const uint32_t *begin = g->module->user_begin + g->first + v;
    gspi_row const row = {g->module->users + begin[0], begin[1] - begin[0]};
    return row;
}

static gspi_arg_row gspi_args(const gsp_graph *g, gsp_node v)
{
    const uint32_t *begin = g->module->arg_begin + g->first + v;
    gspi_arg_row const row = {g->module->args + begin[0], begin[1] - begin[0]};
    return row;
}

GSP_API gsp_op gsp_node_op(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_op(graph, node) : GSP_OP_NONE;
}

GSP_API gsp_value_kind gsp_node_value_kind(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_value_kind(graph, node) : GSP_VALUE_TENSOR;
}

GSP_API int gsp_node_is_callable(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes && gspi_callable(graph, node);
}

GSP_API uint64_t gsp_node_bytes(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_bytes(graph, node) : 0u;
}

GSP_API gsp_str gsp_node_name(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_name_str(graph, node) : gspi_slice("", 0u, 0u);
}

GSP_API gsp_str gsp_node_target(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_target_str(graph, node) : gspi_slice("", 0u, 0u);
}

GSP_API gsp_str gsp_node_type(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_type_str(graph, node) : gspi_slice("", 0u, 0u);
}

GSP_API gsp_str gsp_node_class(const gsp_graph *graph, gsp_node node)
{
    return gspi_string(graph->module, node < graph->n_nodes ? gspi_class(graph, node) : GSP_NONE);
}

GSP_API gsp_str gsp_node_attr(const gsp_graph *graph, gsp_node node, gsp_key key)
{
    gsp_str const none = {NULL, 0u};
    return node < graph->n_nodes ? gspi_attr_str(graph, node, key) : none;
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

GSP_API gsp_str gsp_node_scope(const gsp_graph *graph, gsp_node node)
{
    gsp_str const t = gsp_node_attr(graph, node, GSP_KEY_SCOPE);
    return t.data != NULL                                   ? t
           : gsp_node_op(graph, node) == GSP_OP_CALL_MODULE ? gsp_node_target(graph, node)
                                                            : gspi_slice("", 0u, 0u);
}

GSP_API int gsp_node_acc(const gsp_graph *graph, gsp_node node)
{
    uint64_t value = 0u;
    if (node >= graph->n_nodes ||
        (graph->module->flags[graph->first + node] & GSP_FLAG_ACC) == 0u ||
        !gspi_number(gsp_node_attr(graph, node, GSP_KEY_ACC), &value) || value >= GSP_KIND_NONE) {
        return -1;
    }
    return (int)value;
}

GSP_API const gsp_node *gsp_node_inputs(const gsp_graph *graph, gsp_node node, uint32_t *count)
{
    gspi_row const none = {NULL, 0u};
    gspi_row const row = node < graph->n_nodes ? gspi_inputs(graph, node) : none;
    *count = row.n;
    return row.at;
}

GSP_API const gsp_node *gsp_node_users(const gsp_graph *graph, gsp_node node, uint32_t *count)
{
    gspi_row const none = {NULL, 0u};
    gspi_row const row = node < graph->n_nodes ? gspi_users(graph, node) : none;
    *count = row.n;
    return row.at;
}

GSP_API const gsp_arg *gsp_node_args(const gsp_graph *graph, gsp_node node, uint32_t *count)
{
    gspi_arg_row const none = {NULL, 0u};
    gspi_arg_row const row = node < graph->n_nodes ? gspi_args(graph, node) : none;
    *count = row.n;
    return row.at;
}

/* 1 when v reads u: bisection in the users of u. */
static int gspi_reads(const gsp_graph *g, gsp_node v, gsp_node u)
{
    gspi_row const users = gspi_users(g, u);
    uint32_t const at = gspi_lower_bound(users.at, users.n, v);
    return at < users.n && users.at[at] == v;
}

/* An iterator over the elements of an argument list or of a container. */
typedef struct gspi_elements {
    const gsp_arg *args;
    uint32_t n;     /* tokens */
    uint32_t next;  /* index after the present element */
    uint32_t at;    /* first token of its value */
    uint32_t index; /* index of the element */
    gsp_atom key;   /* or GSP_NONE */
} gspi_elements;

static gspi_elements gspi_elements_of(const gsp_arg *args, uint32_t n)
{
    gspi_elements e = {NULL, 0u, 0u, 0u, GSP_NONE, GSP_NONE};
    e.args = args;
    e.n = n;
    return e;
}

/* Advances; 0: no element is left. */
static int gspi_next_element(gspi_elements *e)
{
    if (e->next >= e->n) {
        return 0;
    }
    int const keyed = e->args[e->next].kind == (uint32_t)GSP_ARG_KEY;
    e->key = keyed ? e->args[e->next].value : GSP_NONE;
    e->at = e->next + (keyed ? 1u : 0u);
    e->next = gspi_element_end(e->args, e->next);
    e->index++;
    return 1;
}

/* The next token from `i` on that is a node or a constant, as gsp_node_leaf() counts, or args.n. */
static uint32_t gspi_next_leaf(gspi_arg_row args, uint32_t i)
{
    while (i < args.n && args.at[i].kind != (uint32_t)GSP_ARG_NODE &&
           args.at[i].kind != (uint32_t)GSP_ARG_CONSTANT) {
        i++;
    }
    return i;
}

/* The token at a flattened position; GSP_NONE: none. Resumes at *token, position *at, or starts. */
static uint32_t gspi_seek_leaf(gspi_arg_row args, uint32_t *token, uint32_t *at, uint32_t position)
{
    if (position < *at) {
        *at = 0u;
        *token = 0u;
    }
    uint32_t i = gspi_next_leaf(args, *token);
    for (; *at < position && i < args.n; ++*at) {
        i = gspi_next_leaf(args, i + 1u);
    }
    *token = i;
    return i < args.n ? i : GSP_NONE;
}

/* Arguments that descending positions may pass again. */
#define GSPI_SOUGHT ((uint64_t)1u << 26)

/* Parses the number at `at` of a list such as "0,2" and moves *at after its comma; 0: none. */
static int gspi_next_position(gsp_str list, uint32_t *at, uint32_t *position)
{
    uint32_t const begin = *at;
    uint64_t value;
    uint32_t end = begin;
    while (end < list.size && list.data[end] != ',') {
        end++;
    }
    *at = end < list.size ? end + 1u : list.size;
    if (!gspi_number(gspi_slice(list.data, begin, end), &value) || value >= GSP_NONE ||
        (end < list.size && end + 1u == list.size)) {
        return 0;
    }
    *position = (uint32_t)value;
    return 1;
}

/* The node that an operator.getitem indexes; GSP_NONE: v is none, or indexes a constant. */
static gsp_node gspi_getitem_source(const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    return gspi_op(g, v) == GSP_OP_CALL_FUNCTION &&
                   gspi_target_id(g, v) == (gsp_atom)GSP_KEY_GETITEM && args.n > 0u &&
                   args.at[0].kind == (uint32_t)GSP_ARG_NODE
               ? args.at[0].value
               : GSP_NONE;
}

/* 1 for an `operator.getitem` of a node with a constant index; 0 also for GSP_NONE. */
static int gspi_takes_element(const gsp_graph *g, gsp_node v)
{
    if (v >= g->n_nodes || gspi_getitem_source(g, v) == GSP_NONE) {
        return 0;
    }
    gspi_arg_row const args = gspi_args(g, v);
    return args.n == 2u && args.at[1].kind == (uint32_t)GSP_ARG_CONSTANT;
}

/* The child graph that a node calls or names, or GSP_NONE. */
static uint32_t gspi_child_of(const gsp_graph *g, gsp_node v)
{
    gsp_op const op = gspi_op(g, v);
    return g->module->counts.graphs > 1u && (op == GSP_OP_CALL_MODULE || op == GSP_OP_GET_ATTR)
               ? gsp_module_find_graph(g->module, gspi_target_id(g, v))
               : GSP_NONE;
}

GSP_API gsp_node gsp_graph_find(const gsp_graph *graph, gsp_str name)
{
    for (gsp_node v = 0u; v < graph->n_nodes; v++) {
        if (gspi_op(graph, v) != GSP_OP_OUTPUT && gsp_str_equal(gsp_node_name(graph, v), name)) {
            return v;
        }
    }
    return GSP_NONE;
}

GSP_API int gsp_str_number(gsp_str text, uint64_t *value)
{
    return gspi_number(text, value);
}

/* Matches `*` and `?`, with `scope` also a prefix before a dot. Only the last star backtracks. */
static int gspi_glob(gsp_str pattern, gsp_str text, int scope)
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

GSP_API int gsp_str_glob(gsp_str pattern, gsp_str text)
{
    return gspi_glob(pattern, text, 0);
}

GSP_API int gsp_type_next(gsp_str type, uint32_t *at, gsp_str *dtype, gsp_str *dims)
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

/* Correct rounding: after a guess in 64-bit arithmetic, the digits are compared with the exact
 * midpoint between the guess and its neighbour (at most 768 digits), nine at a time: before the
 * point by division, after it by multiplication. */

#define GSPI_BIG_LIMBS 34u /* of 32 bits: a midpoint has 1024 before and 1075 after the point */
#define GSPI_NINE      1000000000u

/* The decimal 0.digits * 10^point; `digits` has no leading zeros, but may contain one '.'. */
typedef struct gspi_digits {
    gsp_str digits;
    uint32_t dot; /* index of the '.', or the size */
    int32_t point;
    int negative;
} gspi_digits;

/* Nine digits from place `at` on as a number; zeros on either side. */
static uint32_t gspi_nine_digits(const gspi_digits *d, int64_t at)
{
    int64_t const end = at + 9;
    uint32_t nine = 0u;
    for (; at < end; at++) {
        int64_t const k = at < (int64_t)d->dot ? at : at + 1;
        nine *= 10u;
        nine += k < 0 || k >= (int64_t)d->digits.size ? 0u : (uint32_t)(d->digits.data[k] - '0');
    }
    return nine;
}

/* limb[0 .. GSPI_BIG_LIMBS), lowest first, become x * 2^shift; overflow is dropped. */
static void gspi_big_set(uint32_t *limb, uint64_t x, uint32_t shift)
{
    uint32_t i = shift / 32u;
    uint32_t above = 0u; /* high bits of the previous limb */
    gspi_zero_words(limb, GSPI_BIG_LIMBS);
    shift %= 32u;
    for (; i < GSPI_BIG_LIMBS && (x != 0u || above != 0u); i++) {
        limb[i] = (uint32_t)(x << shift) | above;
        above = (uint32_t)((x & UINT32_MAX) >> (31u - shift) >> 1);
        x >>= 32;
    }
}

/* The sign of (text before the point - whole number). */
static int gspi_compare_whole(const gspi_digits *d, uint32_t *limb)
{
    int32_t at = d->point;
    uint32_t n = GSPI_BIG_LIMBS;
    int sign = 0;
    while (n > 0u || at > 0) {
        uint64_t rest = 0u;
        for (uint32_t i = n; i > 0u; i--) {
            rest = (rest << 32) | limb[i - 1u];
            limb[i - 1u] = (uint32_t)(rest / GSPI_NINE);
            rest %= GSPI_NINE;
        }
        while (n > 0u && limb[n - 1u] == 0u) {
            n--;
        }
        at -= 9;
        uint32_t own = gspi_nine_digits(d, at);
        sign = own < rest ? -1 : own > rest ? 1 : sign;
    }
    return sign;
}

/* The sign of (text after the point - fraction in units of 2^-(32 GSPI_BIG_LIMBS)). */
static int gspi_compare_fraction(const gspi_digits *d, uint32_t *limb)
{
    int64_t at = d->point;
    uint32_t low = 0u; /* lower limbs are zero */
    for (;;) {
        uint64_t carry = 0u;
        while (low < GSPI_BIG_LIMBS && limb[low] == 0u) {
            low++;
        }
        if (low == GSPI_BIG_LIMBS && at >= (int64_t)d->digits.size) {
            return 0;
        }
        for (uint32_t i = low; i < GSPI_BIG_LIMBS; i++) {
            carry += (uint64_t)limb[i] * GSPI_NINE;
            limb[i] = (uint32_t)carry;
            carry >>= 32;
        }
        uint32_t own = gspi_nine_digits(d, at);
        if (own != carry) {
            return own < carry ? -1 : 1;
        }
        at += 9;
    }
}

/* The sign of (text - midpoint above the double of these bits), the midpoint being odd * 2^two. */
static int gspi_compare_midpoint(const gspi_digits *d, uint64_t bits)
{
    uint64_t const fraction = bits & 0xFFFFFFFFFFFFFu;
    int32_t const exponent = (int32_t)(bits >> 52);
    uint64_t const odd = 2u * (exponent == 0 ? fraction : fraction | 0x10000000000000u) + 1u;
    int32_t const two = (exponent == 0 ? 1 : exponent) - 1076;
    uint32_t limb[GSPI_BIG_LIMBS];
    gspi_big_set(limb,
                 two >= 0     ? odd
                 : two <= -64 ? 0u
                              : odd >> (uint32_t)-two,
                 two >= 0 ? (uint32_t)two : 0u);
    int sign = gspi_compare_whole(d, limb);
    if (sign == 0) {
        gspi_big_set(limb, two < 0 ? odd : 0u,
                     two < 0 ? (uint32_t)(two + 32 * (int32_t)GSPI_BIG_LIMBS) : 0u);
        sign = gspi_compare_fraction(d, limb);
    }
    return sign;
}

/* The bits of the nearest double (*sure: 1) or of one below it. m is never above the decimal, and
 * at most 10 units of its last place lower per step: most decimals are provably on one side of the
 * midpoint. */
static uint64_t gspi_decimal_guess(const gspi_digits *d, int *sure)
{
    uint64_t m = 0u;
    int32_t ten = d->point;
    int32_t two = 63 + 1023; /* biased exponent of the top bit of m */
    uint32_t taken = 0u;
    uint32_t error = d->digits.size > 19u ? 0x400u : 0u;
    *sure = 0;
    for (uint32_t i = 0u; i < d->digits.size && taken < 19u; i++) {
        if (d->digits.data[i] != '.') {
            m = m * 10u + (uint64_t)(d->digits.data[i] - '0');
            taken++;
            ten--;
        }
    }
    for (; (m >> 63) == 0u; two--) {
        m <<= 1;
    }
    while (ten != 0) {
        if (ten > 0) { /* times 5/8 and 2^4 */
            m = (m >> 1) + (m >> 3);
            two += 4;
            ten--;
        } else { /* times 4/5, which is 0.CCC... in hexadecimal, and 2^-3 */
            uint64_t const high = (m >> 32) * 0xCCCCCCCCu;
            m = high + (high >> 32) + ((m & UINT32_MAX) * 0xCCCCCCCCu >> 32);
            two -= 3;
            ten++;
        }
        if ((m >> 63) == 0u) {
            m <<= 1;
            two--;
        }
        error += 10u;
    }
    if (two >= 2047) {
        return 0x7FEFFFFFFFFFFFFFu;
    }
    if (two <= 0) {
        return two < -51 ? 0u : m >> (uint32_t)(12 - two);
    }
    uint32_t const rest = (uint32_t)m & 0x7FFu;
    *sure = error < 0x400u && (rest > 0x400u || rest + error < 0x400u);
    return (((uint64_t)two << 52) | ((m >> 11) & 0xFFFFFFFFFFFFFu)) +
           (*sure && rest > 0x400u ? 1u : 0u);
}

static uint64_t gspi_decimal_round(const gspi_digits *d)
{
    int sure;
    if (d->digits.size == 0u || d->point < -325) {
        return 0u;
    }
    if (d->point > 310) {
        return 0x7FF0000000000000u;
    }
    uint64_t bits = gspi_decimal_guess(d, &sure);
    while (!sure && bits < 0x7FF0000000000000u) {
        int const sign = gspi_compare_midpoint(d, bits);
        sure = sign < 0 || (sign == 0 && (bits & 1u) == 0u);
        bits += sure ? 0u : 1u;
    }
    return bits;
}

/* Decomposes a well-formed decimal. */
static gspi_digits gspi_decimal_digits(gsp_str t)
{
    gspi_digits d;
    int64_t exponent = 0;
    int64_t before = 0; /* digits before the point, minus leading zeros after it */
    uint32_t i = gspi_skip_sign(t, 0u);
    int seen_point = 0;
    d.negative = t.data[0] == '-';
    for (; gspi_byte(t, i) == '0' || gspi_byte(t, i) == '.'; i++) {
        before -= seen_point && t.data[i] == '0';
        seen_point |= t.data[i] == '.';
    }
    uint32_t const begin = i;
    for (; gspi_is_digit(gspi_byte(t, i)) || gspi_byte(t, i) == '.'; i++) {
        seen_point |= t.data[i] == '.';
        before += !seen_point;
    }
    d.digits = gspi_slice(t.data, begin, i);
    d.dot = gspi_find(d.digits, 0u, ".");
    if (i < t.size) {
        int64_t const sign = gspi_byte(t, (size_t)i + 1u) == '-' ? -1 : 1;
        for (i = gspi_skip_sign(t, i + 1u); i < t.size && exponent < INT64_C(8589934592); i++) {
            exponent = exponent * 10 + (t.data[i] - '0');
        }
        before += sign * exponent;
    }
    d.point = (int32_t)(before > 1000 ? 1000 : before < -1000 ? -1000 : before);
    return d;
}

GSP_API int gsp_str_decimal(gsp_str text, double *value)
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
    (void)GSP_MEMCPY(value, &bits, sizeof(*value));
    return 1;
}

GSP_API double gsp_node_seconds(const gsp_graph *graph, gsp_node node, gsp_key key)
{
    double value = 0.0;
    gsp_str const t = gsp_node_attr(graph, node, key);
    if (t.data != NULL) {
        (void)gsp_str_decimal(t, &value);
    }
    return value;
}
#endif

/* ---- aggregates, memory ---- */

/* The index after the element of an aggregate's TYPE at `at`. */
static uint32_t gspi_type_element_end(gsp_str type, uint32_t at)
{
    uint32_t depth = 0u;
    while (at < type.size && (depth > 0u || (type.data[at] != ',' && type.data[at] != ')'))) {
        depth += gspi_is_open(type.data[at]) ? 1u : 0u;
        depth -= gspi_is_close(type.data[at]) ? 1u : 0u;
        at++;
    }
    return at;
}

/* The kind of aggregate of a TYPE; *inside: the start of its elements, or the end. */
static gsp_arg_kind gspi_type_word(gsp_str type, uint32_t *inside)
{
    uint32_t const end = gspi_skip_name(type, 0u);
    gsp_str const word = gspi_slice(type.data, 0u, end);
    *inside = end < type.size && type.data[end] == '(' ? end + 1u : type.size;
    if (end < type.size && type.data[end] != '(') {
        return GSP_ARG_NONE;
    }
    return word.size == 5u && gspi_at(word, 0u, "tuple")  ? GSP_ARG_TUPLE
           : word.size == 4u && gspi_at(word, 0u, "list") ? GSP_ARG_LIST
           : word.size == 4u && gspi_at(word, 0u, "dict") ? GSP_ARG_DICT
                                                          : GSP_ARG_NONE;
}

GSP_API int gsp_type_next_element(gsp_str type, uint32_t *at, gsp_str *element)
{
    uint32_t begin = *at;
    if (begin == 0u) {
        (void)gspi_type_word(type, &begin);
    } else if (begin < type.size) {
        begin = type.data[begin] == ')' ? type.size : begin + 2u; /* after ", " */
    }
    if (begin >= type.size || type.data[begin] == ')') {
        return 0;
    }
    *at = gspi_type_element_end(type, begin);
    *element = gspi_slice(type.data, begin, *at);
    return 1;
}

GSP_API gsp_arg_kind gsp_type_container(gsp_str type, uint32_t *count)
{
    uint32_t at;
    uint32_t nested;
    gsp_str element;
    gsp_arg_kind const kind = gspi_type_word(type, &at);
    if (count == NULL) {
        return kind;
    }
    *count = GSP_NONE;
    if (kind == GSP_ARG_NONE || kind == GSP_ARG_DICT || at == type.size) {
        return kind;
    }
    at = 0u;
    for (*count = 0u; gsp_type_next_element(type, &at, &element); (*count)++) {
        if (gspi_type_word(element, &nested) != GSP_ARG_NONE) {
            *count = GSP_NONE;
            return kind;
        }
    }
    return kind;
}

GSP_API uint32_t gsp_node_leaf(const gsp_graph *graph, gsp_node node, uint32_t position)
{
    uint32_t token = 0u;
    uint32_t at = 0u;
    return gsp_node_is_callable(graph, node)
               ? gspi_seek_leaf(gspi_args(graph, node), &token, &at, position)
               : GSP_NONE;
}

GSP_API int gsp_node_is_barrier(const gsp_graph *graph, gsp_node node)
{
    gsp_str const t = gsp_node_attr(graph, node, GSP_KEY_BARRIER);
    uint64_t value;
    return t.data != NULL && !(gspi_number(t, &value) && value == 0u);
}

GSP_API uint32_t gsp_node_element_of(const gsp_graph *graph, gsp_node node, uint32_t count)
{
    uint64_t index = 0u;
    if (count == GSP_NONE || !gspi_takes_element(graph, node)) {
        return GSP_NONE;
    }
    gsp_str const t = gspi_string(graph->module, gspi_args(graph, node).at[1].value);
    uint32_t const minus = t.size > 0u && t.data[0] == '-' ? 1u : 0u;
    if (!gspi_number(gspi_slice(t.data, minus, t.size), &index) ||
        index >= (uint64_t)count + minus || (minus != 0u && index == 0u)) {
        return GSP_NONE;
    }
    return minus != 0u ? count - (uint32_t)index : (uint32_t)index;
}

GSP_API uint32_t gsp_node_element(const gsp_graph *graph, gsp_node node)
{
    uint32_t count = GSP_NONE;
    if (gspi_takes_element(graph, node)) {
        (void)gsp_type_container(gsp_node_type(graph, gspi_getitem_source(graph, node)), &count);
    }
    return gsp_node_element_of(graph, node, count);
}

/* -------------------------------------------------------------------------------------------------
 * >>check   Opening a stored module, validation                                    (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Checks, without memory, what keeps queries and passes inside the block. */

/* 1 when begin[0 .. n] starts at 0, is non-decreasing and ends at `end`. */
static int gspi_check_offsets(const uint32_t *begin, uint32_t n, uint32_t end)
{
    uint32_t i = 0u;
    while (i < n && begin[i] <= begin[i + 1u]) {
        i++;
    }
    return i == n && begin[0] == 0u && begin[n] == end;
}

static gsp_status gspi_check_strings(const gsp_module *m, gsp_error *err)
{
    GSPI_CHECK(m->counts.strings >= (uint32_t)GSP_KEY_COUNT &&
                   gspi_check_offsets(m->string_begin, m->counts.strings, m->counts.bytes),
               DAMAGED, RANGE);
    for (uint32_t key = 0u; key < (uint32_t)GSP_KEY_COUNT; key++) {
        GSPI_CHECK(gsp_str_equal(gsp_module_str(m, key), gspi_key(key)), DAMAGED, MAGIC);
    }
    return GSP_OK;
}

static gsp_status gspi_check_graphs(const gsp_module *m, gsp_error *err)
{
    uint32_t next = 0u;
    for (uint32_t i = 0u; i < m->counts.graphs; i++) {
        gsp_graph_entry const g = m->graphs[i];
        uint32_t const named = m->by_name[i];
        GSPI_CHECK(g.first == next && g.n_nodes != 0u && g.n_nodes <= m->counts.nodes - next &&
                       g.name < m->counts.strings && named < m->counts.graphs &&
                       (i == 0u || m->graphs[named].name > m->graphs[m->by_name[i - 1u]].name),
                   DAMAGED, RANGE);
        next += g.n_nodes;
    }
    GSPI_CHECK(m->counts.graphs > 0u && next == m->counts.nodes, DAMAGED, RANGE);
    return GSP_OK;
}

static gsp_status gspi_check_tables(const gsp_module *m, gsp_error *err)
{
    uint32_t const strings = m->counts.strings;
    int good = m->counts.attrs > 0u && m->attrs[m->counts.attrs - 1u].key == (gsp_atom)GSP_KEY_NONE;
    for (uint32_t i = 0u; i < m->counts.attrs && good; i++) {
        good = m->attrs[i].key < strings && m->attrs[i].value < strings;
    }
    for (uint32_t i = 0u; i < m->n_params + m->n_leaves && good; i++) {
        gsp_symbol const use = i < m->n_params ? m->params[i] : m->leaves[i - m->n_params];
        good = use.target < strings && use.graph < m->counts.graphs &&
               use.node < m->graphs[use.graph].n_nodes;
    }
    GSPI_CHECK(good, DAMAGED, RANGE);
    return GSP_OK;
}

static gsp_status gspi_check_node(const gsp_graph *g, gsp_node v, gsp_error *err)
{
    const gsp_module *m = g->module;
    uint32_t const at = g->first + v;
    uint32_t const strings = m->counts.strings;
    GSPI_CHECK_AT(m->op[at] != (uint8_t)GSP_OP_NONE && m->op[at] < (uint8_t)GSP_OP_COUNT &&
                      (m->op[at] == (uint8_t)GSP_OP_OUTPUT) == (v + 1u == g->n_nodes) &&
                      m->out[at] < (uint8_t)GSP_VALUE_COUNT,
                  DAMAGED, KIND, v, GSP_NONE);
    GSPI_CHECK_AT(m->name[at] < strings && m->target[at] < strings && m->type[at] < strings &&
                      m->attr[at] < m->counts.attrs,
                  DAMAGED, RANGE, v, GSP_NONE);
    return GSP_OK;
}

/* 1 for a call or the output. */
static int gspi_has_inputs(const gsp_graph *g, gsp_node v)
{
    return gspi_op(g, v) >= GSP_OP_CALL_FUNCTION;
}

/* 1 when all argument tokens of v are valid; most nodes are its checked inputs, in their order. */
static int gspi_check_args(const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    gspi_row inputs = gspi_inputs(g, v);
    int good = 1;
    for (uint32_t i = 0u; i < args.n && good; i++) {
        uint32_t const kind = args.at[i].kind;
        uint32_t const value = args.at[i].value;
        if (kind == (uint32_t)GSP_ARG_NODE && inputs.n > 0u && inputs.at[0] == value) {
            inputs.at++;
            inputs.n--;
        } else if (kind == (uint32_t)GSP_ARG_NODE) {
            good = value < v && gspi_reads(g, v, value) && gspi_has_inputs(g, v);
        } else if (kind == (uint32_t)GSP_ARG_CLOSE) {
            good = value <= i && value > 0u && gspi_is_opening(args.at[i - value].kind) &&
                   args.at[i - value].value == value;
        } else if (gspi_is_opening(kind)) {
            good = value < args.n - i && value > 0u &&
                   args.at[i + value].kind == (uint32_t)GSP_ARG_CLOSE &&
                   args.at[i + value].value == value;
        } else {
            good = (kind == (uint32_t)GSP_ARG_CONSTANT || kind == (uint32_t)GSP_ARG_KEY) &&
                   value < g->module->counts.strings;
        }
    }
    return good;
}

/* 1 for a row without duplicates, by windows of ids. Distinct inputs that are all in rows of users,
 * with equal totals, prove that both kinds of rows hold the same edges. */
static int gspi_is_distinct(const gsp_node *row, uint32_t count)
{
    uint32_t seen[24];
    uint32_t const window = 8u * (uint32_t)sizeof(seen);
    uint32_t base = count < 2u ? GSP_NONE : 0u;
    while (base != GSP_NONE) {
        uint32_t next = GSP_NONE;
        gspi_set(seen, 0, sizeof(seen), 1u);
        for (uint32_t i = 0u; i < count; i++) {
            uint32_t const at = row[i] - base;
            if (row[i] >= base && at >= window) {
                next = row[i] < next ? row[i] : next;
            } else if (row[i] >= base) {
                uint32_t const bit = 1u << (at % 32u);
                if ((seen[at / 32u] & bit) != 0u) {
                    return 0;
                }
                seen[at / 32u] |= bit;
            }
        }
        base = next;
    }
    return 1;
}

static gsp_status gspi_check_rows(const gsp_graph *g, gsp_node v, gsp_error *err)
{
    gspi_row const users = gspi_users(g, v);
    gspi_row const inputs = gspi_inputs(g, v);
    for (uint32_t i = 0u; i < users.n; i++) {
        GSPI_CHECK_AT(users.at[i] > v && users.at[i] < g->n_nodes &&
                          (i == 0u || users.at[i] > users.at[i - 1u]),
                      DAMAGED, ROWS, v, GSP_NONE);
    }
    for (uint32_t i = 0u; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        GSPI_CHECK_AT(u < v || u >= g->n_nodes, CYCLE, NAME_LATER, v, u);
        GSPI_CHECK_AT(u < v && gspi_reads(g, v, u) && gspi_has_inputs(g, v), DAMAGED, ROWS, v,
                      GSP_NONE);
    }
    GSPI_CHECK_AT(gspi_is_distinct(inputs.at, inputs.n), DAMAGED, ROWS, v, GSP_NONE);
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_check_all(const gsp_module *m, gsp_error *err)
{
    GSPI_TRY(gspi_check_strings(m, err));
    GSPI_TRY(gspi_check_graphs(m, err));
    GSPI_CHECK(gspi_check_offsets(m->arg_begin, m->counts.nodes, m->counts.args) &&
                   gspi_check_offsets(m->in_begin, m->counts.nodes, m->counts.edges) &&
                   gspi_check_offsets(m->user_begin, m->counts.nodes, m->counts.edges),
               DAMAGED, RANGE);
    GSPI_TRY(gspi_check_tables(m, err));
    for (uint32_t i = 0u; i < m->counts.graphs; i++) {
        gsp_graph const g = gspi_graph(m, i);
        for (gsp_node v = 0u; v < g.n_nodes; v++) {
            GSPI_TRY(gspi_check_node(&g, v, err));
            GSPI_TRY(gspi_check_rows(&g, v, err));
        }
        for (gsp_node v = 0u; v < g.n_nodes; v++) {
            GSPI_CHECK_AT(gspi_check_args(&g, v), DAMAGED, RANGE, v, GSP_NONE);
        }
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_module_open(gsp_module *module, const void *block, size_t size, int trusted,
                                   gsp_error *err)
{
    gspi_head head;
    gsp_module m;
    GSPI_CHECK_GIVEN(module != NULL && block != NULL);
    GSPI_CHECK(((uintptr_t)(const unsigned char *)block & 7u) == 0u, ARG, ALIGN);
    GSPI_CHECK(size >= sizeof(head), DAMAGED, CUT);
    (void)GSP_MEMCPY(&head, block, sizeof(head));
    m.counts = head.counts;
    m.n_params = head.n_params;
    m.n_leaves = head.n_leaves;
    GSPI_CHECK(head.magic == GSPI_MAGIC && head.order == GSPI_ORDER &&
                   head.version == GSPI_VERSION && gspi_counts_are_sane(&head.counts) &&
                   head.n_params <= head.counts.nodes && head.n_leaves <= head.counts.nodes &&
                   gspi_block_layout(&m, NULL) == head.size,
               DAMAGED, MAGIC);
    GSPI_CHECK(head.size <= size, DAMAGED, CUT);
    (void)gspi_block_layout(&m, (const unsigned char *)block);
    if (!trusted) {
        GSPI_TRY(gspi_check_all(&m, err));
    }
    *module = m;
    return gspi_done(err);
}

/* ---- Text into a sink ---- */

typedef struct gspi_writer {
    gsp_sink sink;
    void *user;
    int stopped;
    uint32_t used;
    char buffer[128];
} gspi_writer;

static void gspi_flush(gspi_writer *w)
{
    if (w->used > 0u && !w->stopped) {
        w->stopped = w->sink(w->user, w->buffer, w->used) != 0;
    }
    w->used = 0u;
}

static void gspi_put(gspi_writer *w, gsp_str t)
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
    for (; *literal != '\0'; literal++) {
        if (w->used == sizeof(w->buffer)) {
            gspi_flush(w);
        }
        w->buffer[w->used++] = *literal;
    }
}

static void gspi_put_number(gspi_writer *w, uint64_t n)
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
    return w->stopped ? gspi_fail_plain(err, GSPI_CODE(LIMIT, NONE, NONE)) : gspi_done(err);
}

/* -------------------------------------------------------------------------------------------------
 * >>text   Reading and writing the graph text                                      (implementation)
 * ---------------------------------------------------------------------------------------------- */

#define GSPI_WHAT(name, text) text "\0"

static void gspi_put_thing(gspi_writer *w, const gsp_graph *g, uint32_t what, uint32_t item)
{
    if (item == GSP_NONE || what == (uint32_t)GSP_WHAT_NONE || what >= (uint32_t)GSP_WHAT_COUNT) {
        return;
    }
    gsp_str name = gspi_slice("", 0u, 0u);
    if (g != NULL && what == (uint32_t)GSP_WHAT_NODE) {
        name = gsp_node_name(g, item);
    } else if (g != NULL && what == (uint32_t)GSP_WHAT_GRAPH && item < g->module->counts.graphs) {
        name = gspi_string(g->module, g->module->graphs[item].name);
    }
    gspi_puts(w, ", ");
    gspi_puts(w, gspi_nth(GSP_WHAT_LIST(GSPI_WHAT), what, (uint32_t)GSP_WHAT_COUNT));
    gspi_puts(w, " ");
    gspi_put_number(w, item);
    gspi_puts(w, name.size > 0u ? " '" : "");
    gspi_put(w, name);
    gspi_puts(w, name.size > 0u ? "'" : "");
}

static void gspi_put_amount(gspi_writer *w, const char *before, uint64_t n, const char *after)
{
    gspi_puts(w, before);
    gspi_put_number(w, n);
    gspi_puts(w, after);
}

GSP_API gsp_status gsp_error_write(const gsp_error *err, const gsp_graph *graph, gsp_sink sink,
                                   void *user)
{
    gspi_writer w;
    if (err == NULL || sink == NULL) {
        return GSP_STATUS_ARG;
    }
    gspi_writer_start(&w, sink, user);
    gspi_puts(&w, gsp_status_name(err->status));
    gspi_puts(&w, ": ");
    gspi_puts(&w, err->detail != GSP_DETAIL_NONE ? gsp_detail_text(err->detail)
                                                 : gsp_status_text(err->status));
    gspi_put_thing(&w, graph, err->what, err->node);
    gspi_put_thing(&w, graph, err->what, err->other);
    if (err->line != 0u) {
        gspi_put_amount(&w, ", line ", err->line, "");
        gspi_put_amount(&w, ", column ", err->column, "");
    }
    if (err->status == GSP_STATUS_NOMEM) {
        gspi_put_amount(&w, ", ", err->need, " bytes needed");
        gspi_put_amount(&w, ", ", err->limit, " available");
    } else if (err->need != 0u &&
               (err->status == GSP_STATUS_LIMIT || err->status == GSP_STATUS_OVERFLOW)) {
        gspi_put_amount(&w, ", ", err->need, " reached");
        gspi_put_amount(&w, ", ", err->limit, " allowed");
    }
    return gspi_writer_end(&w, NULL);
}

#ifndef GSP_NO_TEXT

/* One pass over the lines into a builder; its token stream holds open containers of any depth. */

typedef struct gspi_reader {
    gsp_builder b;
    const char *text;
    size_t size;
    size_t next;   /* start of the next line */
    size_t number; /* line number, from 1 */
    gsp_str line;
    uint32_t at;  /* cursor in the line */
    int modules;  /* the text has `module` lines */
    int expect;   /* 0: `module` or `graph():`, 1: `graph():`, 2: nodes, 3: end of the text */
    int bare;     /* node names have no '%' here */
    gsp_str name; /* of the next graph */
} gspi_reader;

/* ---- the counting pass ---- */

/* The number of `byte` among eight bytes. */
static uint32_t gspi_match_count(uint64_t word, unsigned char byte)
{
    return (uint32_t)(((gspi_matches(word, byte) >> 7) * 0x0101010101010101u) >> 56);
}

/* The size of the line at `at`, without its line end. */
static size_t gspi_line_size(const char *text, size_t size, size_t at)
{
    return gspi_find_byte(text, size, at, '\n') - at;
}

/* The first byte of a line that is no blank, or NUL. */
static char gspi_line_start(gsp_str line)
{
    return gspi_byte(line, gspi_skip_blanks(line, 0u));
}

typedef struct gspi_byte_counts {
    uint32_t commas;
    uint32_t opens;
    uint32_t colons;
    uint32_t equals;
} gspi_byte_counts;

/* Counts the relevant bytes of line[begin .. end). '[' and '{' differ in one bit. */
static gspi_byte_counts gspi_count_bytes(gsp_str line, uint32_t begin, uint32_t end)
{
    gspi_byte_counts c = {0u, 0u, 0u, 0u};
    for (uint32_t i = begin; i < end; i += 8u) {
        uint64_t word = 0u;
        if (end - i >= 8u) {
            (void)GSP_MEMCPY(&word, line.data + i, 8u);
        } else {
            (void)GSP_MEMCPY(&word, line.data + i, end - i);
        }
        c.commas += gspi_match_count(word, ',');
        c.opens += gspi_match_count(word, '(') + gspi_match_count(word | 0x2020202020202020u, '{');
        c.colons += gspi_match_count(word, ':');
        c.equals += gspi_match_count(word, '=');
    }
    return c;
}

/* An upper bound of the end of the arguments: the first annotation, if no "})" follows. */
static uint32_t gspi_args_limit(gsp_str line, uint32_t begin)
{
    if (!gspi_at(line, begin, "](args")) {
        return line.size;
    }
    uint32_t const end = gspi_find(line, begin, "})  # ");
    return end == line.size || gspi_find(line, (size_t)end + 4u, "})") < line.size ? line.size
                                                                                   : end + 4u;
}

/* Upper bounds for a line: values follow '(', '[', '{', ", " or ": "; attributes have a '='. */
GSPI_OWN_FRAME void gspi_count_line(gsp_str line, gsp_counts *c)
{
    int const is_return = gspi_line_start(line) == 'r';
    uint32_t const begin = is_return ? 0u : gspi_find(line, 0u, "](");
    uint32_t const end = is_return ? line.size : gspi_args_limit(line, begin);
    gspi_byte_counts const args = gspi_count_bytes(line, begin, end);
    size_t note = gspi_find_byte(line.data, line.size, 0u, '#');
    while (note < line.size && !(note >= 2u && gspi_at(line, note - 2u, "  #"))) {
        note = gspi_find_byte(line.data, line.size, note + 1u, '#');
    }
    gspi_byte_counts rest = gspi_count_bytes(line, (uint32_t)note, line.size);
    c->nodes = gspi_count_add(c->nodes, 1u);
    c->args = gspi_count_add(c->args, args.commas + 3u * args.opens + 2u * args.colons + 2u);
    c->attrs = gspi_count_add(c->attrs, rest.equals + 1u);
    c->strings = gspi_count_add(c->strings, args.commas + args.opens + 2u * args.colons +
                                                2u * rest.equals + 6u);
    c->bytes = gspi_count_add(c->bytes, gspi_count_add(line.size, rest.commas));
}

static int gspi_is_node_line(gsp_str line)
{
    return gspi_line_start(line) == '%' || gspi_line_start(line) == 'r';
}

GSP_API gsp_status gsp_text_count(const char *text, size_t size, gsp_counts *counts, gsp_error *err)
{
    gsp_counts c = {1u, 0u, 0u, 0u, 0u, 0u, 0u};
    size_t at = 0u;
    GSPI_CHECK_GIVEN((text != NULL || size == 0u) && counts != NULL);
    while (at < size) {
        size_t const line_size = gspi_line_size(text, size, at);
        gsp_str const line = gspi_slice(text, at, at + line_size);
        GSPI_CHECK(line_size < UINT32_MAX / 8u, OVERFLOW, TOO_MANY);
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
    GSPI_CHECK(gspi_counts_are_sane(&c), OVERFLOW, TOO_MANY);
    *counts = c;
    return gspi_done(err);
}

/* An error of the builder at `at`: the ARG of a call is PARSE in a text. */
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

static gsp_status gspi_read_fail(gspi_reader *r, uint32_t at, gsp_detail detail)
{
    if (r->b.error.line == 0u) {
        (void)gspi_fail(&r->b.error, GSP_STATUS_PARSE, detail);
    }
    return gspi_read_check(r, at);
}

static gsp_status gspi_expected(gspi_reader *r, gsp_detail detail)
{
    return gspi_read_fail(r, r->at, detail);
}

/* Fail at the cursor unless `cond` holds. */
#define GSPI_EXPECT(cond, detail)                         \
    do {                                                  \
        if (!(cond)) {                                    \
            return gspi_expected(r, GSP_DETAIL_##detail); \
        }                                                 \
    } while (0)

/* To the first line, after a byte order mark. */
static void gspi_reader_rewind(gspi_reader *r)
{
    r->next = r->size >= 3u && gspi_same(r->text, "\xEF\xBB\xBF", 3u) ? 3u : 0u;
    r->number = 0u;
}

/* Takes the next line without its line end; 0 at the end of the text. */
static int gspi_next_line(gspi_reader *r)
{
    if (r->next >= r->size) {
        return 0;
    }
    size_t size = gspi_line_size(r->text, r->size, r->next);
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
    r->at += gsp_str_of(literal).size;
    return 1;
}

static void gspi_take_blanks(gspi_reader *r)
{
    r->at = gspi_skip_blanks(r->line, r->at);
}

static char gspi_peek(const gspi_reader *r)
{
    return gspi_byte(r->line, r->at);
}

/* A comma directly before a closing bracket, as in Python's tuple of one. */
static void gspi_take_trailing_comma(gspi_reader *r)
{
    r->at += gspi_peek(r) == ',' && gspi_is_close(gspi_byte(r->line, r->at + 1u)) ? 1u : 0u;
}

/* 1 at the end of a value: the end of the line, a closing bracket, ", " or ",)". */
static int gspi_is_value_end(gsp_str line, uint32_t at)
{
    return at >= line.size || gspi_is_close(line.data[at]) ||
           (line.data[at] == ',' && (at + 1u == line.size || line.data[at + 1u] == ' ' ||
                                     gspi_is_close(line.data[at + 1u])));
}

/* 1 when a later line defines the name: the error says so. */
static int gspi_is_defined_later(const gspi_reader *r, gsp_str name)
{
    size_t at = (size_t)(r->line.data - r->text); /* includes this line: a node may read itself */
    while (at < r->size) {
        size_t const size = gspi_line_size(r->text, r->size, at);
        gsp_str const line = gspi_slice(r->text, at, at + size);
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
    r->at = end;
    if (first && end > begin && r->line.data[end - 1u] == ',' && gspi_peek(r) == ')' &&
        (r->b.container == GSP_NONE || r->b.args[r->b.container].kind == (uint32_t)GSP_ARG_TUPLE)) {
        end--; /* the comma of a tuple of one */
    }
    gsp_str t = gspi_slice(r->line.data, begin, end);
    if (r->bare || r->b.slice != GSP_NONE) {
        gsp_str name = gspi_trim(t);
        name.size -= name.size > 0u && name.data[name.size - 1u] == ',' ? 1u : 0u; /* `(a, b,)` */
        node = gspi_build_lookup(&r->b, name);
    }
    if (node == GSP_NONE && gspi_hides_node(&r->b, t)) {
        r->at = begin;
        return gspi_expected(r, GSP_DETAIL_SEPARATOR);
    }
    gspi_build_push(&r->b, node != GSP_NONE ? GSP_ARG_NODE : GSP_ARG_CONSTANT,
                    node != GSP_NONE ? node : gsp_build_atom(&r->b, t));
    return gspi_read_check(r, begin);
}

/* Reads a '%' reference; *done: 1 if one stands here. */
static gsp_status gspi_read_node(gspi_reader *r, int *done)
{
    uint32_t const begin = r->at + 1u;
    uint32_t const end = gspi_skip_name(r->line, begin);
    uint32_t const after = gspi_skip_blanks(r->line, end);
    gsp_str const name = gspi_slice(r->line.data, begin, end);
    *done = 0;
    if (end == begin || !(gspi_is_value_end(r->line, after) || gspi_at(r->line, after, "#"))) {
        return GSP_OK;
    }
    gsp_node node = gspi_build_lookup(&r->b, name);
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
    GSPI_EXPECT(end != GSP_NONE, KEY);
    gspi_build_push(&r->b, GSP_ARG_KEY,
                    gsp_build_atom(&r->b, gspi_slice(r->line.data, begin, end)));
    r->at = end + 1u;
    r->at += gspi_peek(r) == ' ' ? 1u : 0u;
    return gspi_read_check(r, begin);
}

/* Closes containers while the cursor is at their closing brackets, down to `outer`. */
static gsp_status gspi_read_closers(gspi_reader *r, uint32_t outer)
{
    while (r->b.container != outer) {
        gspi_take_blanks(r);
        if (!gspi_is_close(gspi_peek(r))) {
            return GSP_OK;
        }
        GSPI_EXPECT(gspi_peek(r) == gspi_closer(r->b.args[r->b.container].kind)[0], BRACKET);
        gsp_build_close(&r->b);
        r->at++;
        gspi_take_trailing_comma(r);
    }
    return gspi_read_check(r, r->at);
}

/* Reads one value with its contents; `first`: the first element of its container. */
static gsp_status gspi_read_value(gspi_reader *r, int first)
{
    uint32_t const outer = r->b.container;
    do {
        uint32_t const begin = r->at;
        uint32_t size;
        int done = 0;
        gspi_take_blanks(r);
        gsp_arg_kind const kind = gspi_container_at(r->line, r->at, &size);
        if (kind != GSP_ARG_NONE) {
            gsp_build_open(&r->b, kind);
            r->at += size;
            first = 1;
            if (!gspi_is_close(gspi_byte(r->line, gspi_skip_blanks(r->line, r->at)))) {
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
        }
        GSPI_TRY(gspi_read_closers(r, outer));
        if (r->b.container != outer) {
            first = 0;
            GSPI_EXPECT(gspi_take(r, ", "), BRACKET);
            if (r->b.args[r->b.container].kind == (uint32_t)GSP_ARG_DICT) {
                GSPI_TRY(gspi_read_key(r));
            }
        }
    } while (r->b.container != outer);
    return gspi_read_check(r, r->at);
}

/* The elements of `args = (...)` or `kwargs = {...}`, including the closing bracket. */
static gsp_status gspi_read_elements(gspi_reader *r, char close)
{
    int first = 1;
    if (gspi_byte(r->line, gspi_skip_blanks(r->line, r->at)) != close) {
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
    GSPI_EXPECT(gspi_peek(r) == close, BRACKET);
    r->at++;
    return GSP_OK;
}

static gsp_status gspi_read_attr(gspi_reader *r)
{
    uint32_t const begin = r->at;
    uint32_t const equals = gspi_word_end(r->line, begin, "=");
    GSPI_EXPECT(equals != begin && gspi_at(r->line, equals, "=") && !gspi_at(r->line, begin, ":="),
                ANNOTATION);
    r->at = gspi_word_end(r->line, equals, "");
    gsp_build_attr(&r->b, gspi_slice(r->line.data, begin, equals),
                   gspi_slice(r->line.data, (size_t)equals + 1u, r->at));
    return gspi_read_check(r, equals + 1u);
}

/* The rest of a node line: empty, or `# TYPE key=value ...`. */
static gsp_status gspi_read_annotation(gspi_reader *r)
{
    gspi_take_blanks(r);
    if (r->at == r->line.size) {
        return GSP_OK;
    }
    GSPI_EXPECT(gspi_at(r->line, r->at - 2u, "  #") && gspi_take(r, "#"), TRAILING);
    gspi_take_blanks(r);
    uint32_t const word = gspi_word_end(r->line, r->at, "=[(");
    if (word > r->at && !gspi_at(r->line, word, "=")) {
        uint32_t const begin = r->at;
        r->at = gspi_build_type_at(&r->b, r->line, begin);
        GSPI_TRY(gspi_read_check(r, begin));
        GSPI_EXPECT(r->at == r->line.size || gspi_is_blank(gspi_peek(r)), TYPE);
    }
    for (gspi_take_blanks(r); r->at < r->line.size; gspi_take_blanks(r)) {
        GSPI_TRY(gspi_read_attr(r));
    }
    return GSP_OK;
}

static const char *gspi_op_name(uint32_t op)
{
    return op == (uint32_t)GSP_OP_PLACEHOLDER     ? "placeholder"
           : op == (uint32_t)GSP_OP_GET_ATTR      ? "get_attr"
           : op == (uint32_t)GSP_OP_CALL_FUNCTION ? "call_function"
           : op == (uint32_t)GSP_OP_CALL_METHOD   ? "call_method"
                                                  : "call_module";
}

static gsp_op gspi_op_of(gsp_str word)
{
    uint32_t op = (uint32_t)GSP_OP_PLACEHOLDER;
    while (op < (uint32_t)GSP_OP_OUTPUT && !gsp_str_equal(word, gsp_str_of(gspi_op_name(op)))) {
        op++;
    }
    return op < (uint32_t)GSP_OP_OUTPUT ? (gsp_op)op : GSP_OP_NONE;
}

/* `TYPE [num_users=N] = ` with an optional type expression. */
static gsp_status gspi_read_users(gspi_reader *r, gsp_str *type, gsp_str *users)
{
    uint32_t const begin = r->at;
    uint32_t at = begin;
    while (at < r->line.size && !gspi_at(r->line, at, "[num_users=") &&
           !gspi_at(r->line, at, "[#users=")) {
        at++;
    }
    GSPI_EXPECT(at < r->line.size, USERS);
    *type = gspi_trim(gspi_slice(r->line.data, begin, at));
    r->at = at + (gspi_at(r->line, at, "[num_users=") ? 11u : 8u);
    at = r->at;
    r->at = gspi_skip_digits(r->line, at);
    *users = gspi_slice(r->line.data, at, r->at);
    GSPI_EXPECT(users->size != 0u && gspi_take(r, "]"), USERS);
    gspi_take_blanks(r);
    GSPI_EXPECT(gspi_take(r, "="), USERS);
    gspi_take_blanks(r);
    return GSP_OK;
}

static gsp_status gspi_read_target(gspi_reader *r, gsp_op op, gsp_str *target)
{
    int const call = gspi_is_callable((uint8_t)op);
    GSPI_EXPECT(gspi_take(r, "[target="), TARGET);
    uint32_t const size = gspi_target_end(gspi_slice(r->line.data, r->at, r->line.size), call);
    if (size >= r->line.size - r->at) { /* not found: report where it is expected */
        size_t const end = gspi_find_byte(r->line.data, r->line.size, r->at, ']');
        GSPI_EXPECT(call && end < r->line.size, TARGET);
        r->at = (uint32_t)end + 1u;
        return gspi_expected(r, GSP_DETAIL_ARGS);
    }
    *target = gspi_slice(r->line.data, r->at, (size_t)r->at + size);
    r->at += size + 1u;
    return GSP_OK;
}

static gsp_status gspi_read_call(gspi_reader *r)
{
    GSPI_EXPECT(gspi_take(r, "(args = ("), ARGS);
    GSPI_TRY(gspi_read_elements(r, ')'));
    GSPI_EXPECT(gspi_take(r, ", kwargs = {"), ARGS);
    GSPI_TRY(gspi_read_elements(r, '}'));
    GSPI_EXPECT(gspi_take(r, ")"), ARGS);
    return GSP_OK;
}

static gsp_status gspi_read_default(gspi_reader *r)
{
    if (gspi_peek(r) == '(') {
        GSPI_EXPECT(gspi_take(r, "(default="), DEFAULT);
        GSPI_TRY(gspi_read_value(r, 0));
        GSPI_EXPECT(gspi_take(r, ")") && gspi_build_shape(&r->b) == GSP_DETAIL_NONE, DEFAULT);
    }
    return GSP_OK;
}

static gsp_status gspi_read_node_line(gspi_reader *r)
{
    uint32_t const name_at = ++r->at;
    gsp_str type;
    gsp_str users;
    gsp_str target;
    r->at = gspi_skip_name(r->line, name_at);
    gsp_str name = gspi_slice(r->line.data, name_at, r->at);
    gspi_take_blanks(r);
    GSPI_EXPECT(name.size != 0u, NAME);
    GSPI_EXPECT(gspi_take(r, ":"), LINE);
    gspi_take_blanks(r);
    GSPI_TRY(gspi_read_users(r, &type, &users));
    gsp_op op = gspi_op_of(gspi_slice(r->line.data, r->at, gspi_skip_name(r->line, r->at)));
    GSPI_EXPECT(op != GSP_OP_NONE, OP);
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
    return GSP_OK;
}

static gsp_status gspi_read_return(gspi_reader *r)
{
    r->at += 6u;
    r->at += r->at < r->line.size ? 1u : 0u;
    GSPI_EXPECT(gspi_skip_blanks(r->line, r->at) < r->line.size, RETURN);
    (void)gsp_build_output(&r->b);
    GSPI_TRY(gspi_read_check(r, 0u));
    r->bare = 1;
    GSPI_TRY(gspi_read_value(r, 0));
    GSPI_EXPECT(gspi_build_shape(&r->b) != GSP_DETAIL_RETURN, RETURN);
    r->expect = r->modules ? 0 : 3;
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_read_module_line(gspi_reader *r)
{
    r->at = gspi_skip_blanks(r->line, r->at + 6u);
    r->name = gspi_trim(gspi_slice(r->line.data, r->at, r->line.size));
    GSPI_EXPECT(r->name.size > 0u, MODULE_NAME);
    r->modules = 1;
    r->expect = 1;
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_read_header(gspi_reader *r)
{
    gsp_str const line = gspi_trim(gspi_slice(r->line.data, r->at, r->line.size));
    GSPI_EXPECT(gspi_take(r, "graph(") && line.size >= 8u && gspi_at(line, line.size - 2u, "):"),
                HEADER);
    gsp_build_graph(&r->b, r->name);
    r->expect = 2;
    return gspi_read_check(r, 0u);
}

/* 1 when this word of six bytes stands at the cursor. */
static int gspi_at_word(const gspi_reader *r, const char *word)
{
    return gspi_at(r->line, r->at, word) &&
           (r->at + 6u == r->line.size || gspi_is_blank(r->line.data[r->at + 6u]));
}

static gsp_status gspi_read_line(gspi_reader *r)
{
    if (r->at == r->line.size || gspi_peek(r) == '#') {
        return GSP_OK;
    }
    if (r->expect == 0 && gspi_at_word(r, "module")) {
        return gspi_read_module_line(r);
    }
    GSPI_EXPECT(r->expect != 3 && !(r->expect == 0 && r->modules), AFTER_RETURN);
    if (r->expect != 2) {
        return gspi_read_header(r);
    }
    if (gspi_peek(r) == '%') {
        GSPI_TRY(gspi_read_node_line(r));
    } else {
        GSPI_EXPECT(gspi_at_word(r, "return"), LINE);
        GSPI_TRY(gspi_read_return(r));
    }
    return gspi_read_annotation(r);
}

GSPI_OWN_FRAME gsp_status gspi_read_lines(gspi_reader *r)
{
    while (gspi_next_line(r)) {
        uint32_t const at = (uint32_t)gspi_find_byte(r->line.data, r->line.size, 0u, '\0');
        if (at < r->line.size) {
            return gspi_read_fail(r, at, GSP_DETAIL_NUL_BYTE);
        }
        GSPI_TRY(gspi_read_line(r));
    }
    r->number++;
    r->at = 0u;
    GSPI_EXPECT(r->expect != 2, RETURN);
    GSPI_EXPECT(r->expect != 1 && r->b.used.graphs != 0u, HEADER);
    return GSP_OK;
}

/* Reads the lines again to compare num_users with the users found. */
GSPI_OWN_FRAME gsp_status gspi_read_check_users(gspi_reader *r)
{
    const gsp_module *m = r->b.made;
    uint32_t v = 0u;
    gspi_reader_rewind(r);
    while (gspi_next_line(r)) {
        if (gspi_peek(r) == '%') {
            gsp_str type;
            gsp_str users;
            uint64_t claimed = 0u;
            while (!gspi_take(r, ":")) {
                r->at++;
            }
            gspi_take_blanks(r);
            (void)gspi_read_users(r, &type, &users);
            (void)gspi_number(users, &claimed);
            if (claimed != (uint64_t)(m->user_begin[v + 1u] - m->user_begin[v])) {
                return gspi_read_fail(r, (uint32_t)(users.data - r->line.data),
                                      GSP_DETAIL_USERS_WRONG);
            }
        }
        v += gspi_is_node_line(r->line) ? 1u : 0u;
    }
    return GSP_OK;
}

/* Finds the line of a duplicate module name, which is detected at the end. */
GSPI_OWN_FRAME void gspi_read_module_twice(gspi_reader *r)
{
    uint32_t graph = 0u;
    gspi_reader_rewind(r);
    while (gspi_next_line(r)) {
        if (gspi_at_word(r, "module") && graph++ == r->b.error.node) {
            r->at = gspi_skip_blanks(r->line, r->at + 6u);
            (void)gspi_expected(r, GSP_DETAIL_MODULE_NAME);
            return;
        }
    }
}

GSPI_OWN_FRAME gsp_status gspi_reader_init(gspi_reader *r, gsp_arena *arena, const char *text,
                                           size_t size, gsp_error *err)
{
    gsp_counts counts;
    GSPI_TRY(gsp_text_count(text, size, &counts, err));
    gspi_set(r, 0, 1u, sizeof(*r));
    r->text = text;
    r->size = size;
    gspi_reader_rewind(r);
    return gsp_build_init(&r->b, arena, &counts, err);
}

GSP_API gsp_status gsp_text_read(gsp_arena *arena, const char *text, size_t size,
                                 const gsp_text_desc *desc, gsp_module *module, gsp_error *err)
{
    gspi_reader r;
    gsp_text_desc d;
    GSPI_CHECK_GIVEN(arena != NULL && module != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_TRY(gspi_reader_init(&r, arena, text, size, err));
    if (gspi_read_lines(&r) == GSP_OK && gspi_build_make(&r.b) != GSP_OK) {
        gspi_read_module_twice(&r);
    }
    if (r.b.error.status == GSP_OK && d.check_users) {
        (void)gspi_read_check_users(&r);
    }
    return gspi_build_end(&r.b, module, err);
}

/* ---- writing ---- */

static void gspi_put_close(gspi_writer *w, const gsp_arg *args, uint32_t close)
{
    uint32_t const open = close - args[close].value;
    int const one = args[open].kind == (uint32_t)GSP_ARG_TUPLE && close > open + 1u &&
                    gspi_element_end(args, open + 1u) == close;
    gspi_puts(w, one ? ",)" : gspi_closer(args[open].kind));
}

/* Writes the tokens begin .. end of args; names have no '%' when `bare`, and inside a slice. */
static void gspi_put_args(gspi_writer *w, const gsp_graph *g, const gsp_arg *args, uint32_t begin,
                          uint32_t end, int bare)
{
    uint32_t slice_end = begin;
    int comma = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t const kind = args[i].kind;
        if (comma && kind != (uint32_t)GSP_ARG_CLOSE) {
            gspi_puts(w, ", ");
        }
        comma = 1;
        if (kind == (uint32_t)GSP_ARG_NODE) {
            gspi_puts(w, bare || i < slice_end ? "" : "%");
            gspi_put(w, gsp_node_name(g, args[i].value)); /* the token may be the caller's */
        } else if (kind == (uint32_t)GSP_ARG_CLOSE) {
            gspi_put_close(w, args, i);
        } else if (kind >= (uint32_t)GSP_ARG_TUPLE) {
            gspi_puts(w, gspi_opener(kind));
            if (kind == (uint32_t)GSP_ARG_SLICE && i + args[i].value > slice_end) {
                slice_end = i + args[i].value;
            }
            comma = 0;
        } else {
            gspi_put(w, gsp_module_str(g->module, args[i].value));
            if (kind == (uint32_t)GSP_ARG_KEY) {
                gspi_puts(w, ": ");
                comma = 0;
            }
        }
    }
}

static void gspi_put_call(gspi_writer *w, const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    gspi_elements e = gspi_elements_of(args.at, args.n);
    uint32_t n_positional = 0u;
    uint32_t keys = 0u;
    while (gspi_next_element(&e) && e.key == GSP_NONE) {
        keys = e.next;
        n_positional++;
    }
    gspi_puts(w, "(args = (");
    gspi_put_args(w, g, args.at, 0u, keys, 0);
    gspi_puts(w, n_positional == 1u ? ",), kwargs = {" : "), kwargs = {");
    gspi_put_args(w, g, args.at, keys, args.n, 0);
    gspi_puts(w, "})");
}

static void gspi_put_annotation(gspi_writer *w, const gsp_graph *g, gsp_node v)
{
    const gsp_module *m = g->module;
    const gsp_attr *a = m->attrs + m->attr[g->first + v];
    const char *before = "  # ";
    if (m->type[g->first + v] != (gsp_atom)GSP_KEY_NONE) {
        gspi_puts(w, before);
        gspi_put(w, gspi_type_str(g, v));
        before = " ";
    }
    for (; a->key != (gsp_atom)GSP_KEY_NONE; a++) {
        if (a->key != (gsp_atom)GSP_KEY_ANNOTATION) {
            gspi_puts(w, before);
            gspi_put(w, gsp_module_str(m, a->key));
            gspi_puts(w, "=");
            gspi_put(w, gsp_module_str(m, a->value));
            before = " ";
        }
    }
}

static void gspi_put_node(gspi_writer *w, const gsp_graph *g, gsp_node v)
{
    gsp_op const op = gspi_op(g, v);
    gsp_str const type = gspi_attr_str(g, v, GSP_KEY_ANNOTATION);
    gspi_arg_row const args = gspi_args(g, v);
    gspi_puts(w, "    %");
    gspi_put(w, gspi_name_str(g, v));
    gspi_puts(w, " : ");
    if (type.data != NULL) {
        gspi_put(w, type);
        gspi_puts(w, " ");
    }
    gspi_puts(w, "[num_users=");
    gspi_put_number(w, gspi_users(g, v).n);
    gspi_puts(w, "] = ");
    gspi_puts(w, gspi_op_name((uint32_t)op));
    gspi_puts(w, "[target=");
    gspi_put(w, gspi_target_str(g, v));
    gspi_puts(w, "]");
    if (gspi_is_callable((uint8_t)op)) {
        gspi_put_call(w, g, v);
    } else if (args.n > 0u) {
        gspi_puts(w, "(default=");
        gspi_put_args(w, g, args.at, 0u, args.n, 0);
        gspi_puts(w, ")");
    }
}

static void gspi_put_line(gspi_writer *w, const gsp_graph *g, gsp_node v, const gsp_text_desc *d)
{
    if (gspi_op(g, v) == GSP_OP_OUTPUT) {
        gspi_arg_row const args = gspi_args(g, v);
        gspi_puts(w, "    return ");
        gspi_put_args(w, g, args.at, 0u, args.n, 1);
    } else {
        gspi_put_node(w, g, v);
    }
    if (!d->no_annotations) {
        gspi_put_annotation(w, g, v);
    }
    gspi_puts(w, "\n");
}

static void gspi_put_graph(gspi_writer *w, const gsp_graph *g, const gsp_text_desc *d)
{
    gspi_puts(w, "graph():\n");
    for (int hoisted = d->hoist ? 1 : 0; hoisted >= 0; hoisted--) {
        for (gsp_node v = 0u; v < g->n_nodes && !w->stopped; v++) {
            if (!d->hoist || (gspi_op(g, v) == GSP_OP_PLACEHOLDER) == (hoisted != 0)) {
                gspi_put_line(w, g, v, d);
            }
        }
    }
}

GSP_API gsp_status gsp_text_write(const gsp_module *module, const gsp_text_desc *desc,
                                  gsp_sink sink, void *user, gsp_error *err)
{
    gspi_writer w;
    gsp_text_desc d;
    GSPI_CHECK_GIVEN(module != NULL && sink != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    gspi_writer_start(&w, sink, user);
    for (uint32_t i = 0u; i < module->counts.graphs && !w.stopped; i++) {
        gsp_graph const g = gspi_graph(module, i);
        if (module->counts.graphs > 1u || d.as_module ||
            module->graphs[i].name != (gsp_atom)GSP_KEY_MAIN) {
            gspi_puts(&w, "module ");
            gspi_put(&w, gsp_module_str(module, module->graphs[i].name));
            gspi_puts(&w, "\n");
        }
        gspi_put_graph(&w, &g, &d);
    }
    return gspi_writer_end(&w, err);
}

GSP_API gsp_status gsp_text_write_graph(const gsp_graph *graph, const gsp_text_desc *desc,
                                        gsp_sink sink, void *user, gsp_error *err)
{
    gspi_writer w;
    gsp_text_desc d;
    GSPI_CHECK_GIVEN(graph != NULL && sink != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    gspi_writer_start(&w, sink, user);
    gspi_put_graph(&w, graph, &d);
    return gspi_writer_end(&w, err);
}

GSP_API gsp_status gsp_text_write_value(const gsp_graph *graph, const gsp_arg *args, uint32_t count,
                                        int output, gsp_sink sink, void *user, gsp_error *err)
{
    gspi_writer w;
    GSPI_CHECK_GIVEN(graph != NULL && sink != NULL && (args != NULL || count == 0u));
    gspi_writer_start(&w, sink, user);
    gspi_put_args(&w, graph, args, 0u, count, output);
    return gspi_writer_end(&w, err);
}
#endif

/* ---- Topological orders ---- */

/* Kahn's algorithm on any rows: the caller counts predecessors in missing[], pushes the elements
 * without any, then takes the next element and reports it to all successors until none is left. */
typedef struct gspi_kahn {
    uint32_t *ready;   /* [n] a heap, a stack or a queue */
    uint32_t *missing; /* [n] predecessors not yet placed */
    uint32_t policy;   /* GSP_TOPO_ORDER_LEAST, _STACK or _QUEUE: the choice among ready elements */
    uint32_t begin;    /* QUEUE: start in ready[] */
    uint32_t end;
} gspi_kahn;

static gspi_kahn gspi_kahn_start(uint32_t *ready, uint32_t *missing, uint32_t policy)
{
    gspi_kahn k;
    k.ready = ready;
    k.missing = missing;
    k.policy = policy;
    k.begin = k.end = 0u;
    return k;
}

static void gspi_kahn_push(gspi_kahn *k, uint32_t x)
{
    uint32_t *ready = k->ready;
    uint32_t at = k->end++;
    uint32_t end = k->policy == (uint32_t)GSP_TOPO_ORDER_LEAST ? 0u : at; /* of the way up */
    while (at > end && ready[(at - 1u) / 2u] > x) {
        ready[at] = ready[(at - 1u) / 2u];
        at = (at - 1u) / 2u;
    }
    ready[at] = x;
}

/* One predecessor of x has been placed. */
static void gspi_kahn_met(gspi_kahn *k, uint32_t x)
{
    if (--k->missing[x] == 0u) {
        gspi_kahn_push(k, x);
    }
}

/* Removes the root of the heap. */
static uint32_t gspi_kahn_least(gspi_kahn *k)
{
    uint32_t *heap = k->ready;
    uint32_t const least = heap[0];
    uint32_t const x = heap[--k->end];
    uint32_t at = 0u;
    uint32_t child = 1u;
    while (child < k->end) {
        child += child + 1u < k->end && heap[child + 1u] < heap[child] ? 1u : 0u;
        if (heap[child] >= x) {
            break;
        }
        heap[at] = heap[child];
        at = child;
        child = 2u * at + 1u;
    }
    heap[at] = x;
    return least;
}

static uint32_t gspi_kahn_next(gspi_kahn *k)
{
    return k->begin == k->end                            ? GSP_NONE
           : k->policy == (uint32_t)GSP_TOPO_ORDER_LEAST ? gspi_kahn_least(k)
           : k->policy == (uint32_t)GSP_TOPO_ORDER_STACK ? k->ready[--k->end]
                                                         : k->ready[k->begin++];
}

/* -------------------------------------------------------------------------------------------------
 * >>topo_order   Topological orders                                                (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* `backward` swaps inputs and users and reverses the order. The depth-first search keeps its path
 * in ready[] and the number of visited neighbours per node in missing[]. */

/* The inputs or users of all nodes: at[begin[v] .. begin[v + 1]). */
typedef struct gspi_edges {
    const uint32_t *begin;
    const gsp_node *at;
} gspi_edges;

typedef struct gspi_topo_ws {
    gspi_edges before;
    gspi_edges after;
    gsp_node *order;
    gspi_kahn kahn;
    uint32_t *state; /* [n] DEPTH: 1: visited */
    uint32_t n_order;
} gspi_topo_ws;

static void gspi_topo_layout(gspi_bump *b, gspi_topo_ws *ws, uint32_t n, uint32_t policy)
{
    ws->order = GSPI_LOW(b, gsp_node, n);
    gsp_node *ready = GSPI_HIGH(b, gsp_node, n);
    uint32_t *missing = GSPI_HIGH(b, uint32_t, n);
    ws->kahn = gspi_kahn_start(ready, missing, policy);
    ws->state = GSPI_HIGH(b, uint32_t, n);
    ws->n_order = 0u;
}

static void gspi_topo_kahn(gspi_topo_ws *ws, uint32_t n)
{
    for (gsp_node v = 0u; v < n; v++) {
        ws->kahn.missing[v] = ws->before.begin[v + 1u] - ws->before.begin[v];
        if (ws->kahn.missing[v] == 0u) {
            gspi_kahn_push(&ws->kahn, v);
        }
    }
    for (gsp_node v = gspi_kahn_next(&ws->kahn); v != GSP_NONE; v = gspi_kahn_next(&ws->kahn)) {
        ws->order[ws->n_order++] = v;
        for (uint32_t i = ws->after.begin[v]; i < ws->after.begin[v + 1u]; i++) {
            gspi_kahn_met(&ws->kahn, ws->after.at[i]);
        }
    }
}

/* A depth-first search from a node without users. */
static void gspi_topo_search(gspi_topo_ws *ws, uint32_t seed, gsp_node root)
{
    gsp_node *path = ws->kahn.ready;
    uint32_t *tried = ws->kahn.missing;
    uint32_t depth = 0u;
    path[depth++] = root;
    ws->state[root] = 1u;
    while (depth > 0u) {
        gsp_node const v = path[depth - 1u];
        uint32_t const n = ws->before.begin[v + 1u] - ws->before.begin[v];
        if (tried[v] == n) {
            ws->order[ws->n_order++] = v;
            depth--;
            continue;
        }
        uint32_t const turn = seed == 0u ? 0u : ((v ^ seed) * 0x9E3779B1u >> 8) % n;
        gsp_node const u = ws->before.at[ws->before.begin[v] + (turn + tried[v]++) % n];
        if (ws->state[u] == 0u) {
            ws->state[u] = 1u;
            path[depth++] = u;
        }
    }
}

static void gspi_topo_depth(gspi_topo_ws *ws, uint32_t n, uint32_t seed)
{
    gspi_zero_words(ws->kahn.missing, n);
    gspi_zero_words(ws->state, n);
    for (gsp_node v = 0u; v < n; v++) {
        if (ws->after.begin[v] == ws->after.begin[v + 1u]) {
            gspi_topo_search(ws, seed, v);
        }
    }
}

GSP_API size_t gsp_topo_order_bound(const gsp_graph *graph, const gsp_topo_order_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_topo_ws ws;
    (void)desc;
    gspi_topo_layout(&b, &ws, graph->n_nodes, 0u);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API gsp_status gsp_topo_order_run(gsp_arena *arena, const gsp_graph *graph,
                                      const gsp_topo_order_desc *desc,
                                      gsp_topo_order_result *result, gsp_error *err)
{
    gsp_topo_order_desc d;
    gspi_pass pass;
    gspi_topo_ws ws;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_CHECK(d.kind < (uint32_t)GSP_TOPO_ORDER_COUNT, DESC, CHOICE);
    GSPI_TRY(gspi_enter(&pass, arena, gsp_topo_order_bound(graph, &d), err));
    gspi_topo_layout(&pass.bump, &ws, graph->n_nodes, d.kind);
    const gsp_module *m = graph->module;
    gspi_edges const inputs = {m->in_begin + graph->first, m->inputs};
    gspi_edges const users = {m->user_begin + graph->first, m->users};
    ws.before = d.backward != 0u ? users : inputs;
    ws.after = d.backward != 0u ? inputs : users;
    if (d.kind == (uint32_t)GSP_TOPO_ORDER_DEPTH) {
        gspi_topo_depth(&ws, graph->n_nodes, d.seed);
    } else {
        gspi_topo_kahn(&ws, graph->n_nodes);
    }
    for (uint32_t i = 0u; i < graph->n_nodes / 2u && d.backward; i++) {
        gsp_node const v = ws.order[i];
        ws.order[i] = ws.order[graph->n_nodes - 1u - i];
        ws.order[graph->n_nodes - 1u - i] = v;
    }
    result->n_nodes = graph->n_nodes;
    result->order = ws.order;
    return gspi_leave(&pass, GSP_OK, err);
}

/* ---- Nodes of a graph into a builder that has adopted its module ---- */

/* Copies a node with name and annotation; arguments follow. */
static gsp_node gspi_copy_node(gsp_builder *b, const gsp_graph *g, gsp_op op, gsp_node v,
                               gsp_atom target)
{
    gsp_node const made = gsp_build_node_atoms(b, op, gspi_name_id(g, v), target);
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

/* operator.getitem(call, index) without annotation. */
GSPI_OWN_FRAME void gspi_put_index(gsp_builder *b, uint32_t index)
{
    char digits[20];
    uint32_t const size = gspi_decimal(index, digits);
    gspi_put_arg(b, GSP_ARG_CONSTANT, gsp_build_atom(b, gspi_slice(digits, 0u, size)));
}

static gsp_node gspi_put_getitem_as(gsp_builder *b, gsp_atom name, gsp_node call, uint32_t index)
{
    gsp_node const made = gsp_build_node_atoms(b, GSP_OP_CALL_FUNCTION, name, GSP_KEY_GETITEM);
    gspi_put_arg(b, GSP_ARG_NODE, call);
    gspi_put_index(b, index);
    return made;
}

static gsp_node gspi_put_getitem(gsp_builder *b, gsp_node call, uint32_t index)
{
    return gspi_put_getitem_as(b, gsp_build_name(b, gsp_str_of("getitem")), call, index);
}

static void gspi_copy_args(gsp_builder *b, const gsp_arg *args, uint32_t count)
{
    for (uint32_t i = 0u; i < count; i++) {
        gsp_build_arg(b, args[i]);
    }
}

static void gspi_copy_whole(gsp_builder *b, const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    if (v + 1u < g->n_nodes) {
        (void)gspi_copy_node(b, g, gspi_op(g, v), v, g->module->target[g->first + v]);
    } else {
        (void)gsp_build_output(b);
        gsp_build_like(b, g, v, 1);
    }
    gspi_copy_args(b, args.at, args.n);
}

static void gspi_copy_graph(gsp_builder *b, const gsp_graph *g)
{
    gsp_build_graph(b, gsp_module_str(g->module, g->module->graphs[g->id].name));
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        gspi_copy_whole(b, g, v);
    }
}

/* =================================================================================================
 * >>SPLIT   CPU and accelerator subgraphs                                          (implementation)
 * ============================================================================================== */
#ifndef GSP_NO_SPLIT

static void gspi_placement_layout(gspi_bump *b, gsp_placement *p, uint32_t n)
{
    p->kind = GSPI_LOW(b, uint8_t, n);
    p->reason = GSPI_LOW(b, uint8_t, n);
    p->culprit = GSPI_LOW(b, gsp_node, n);
    p->group = GSPI_LOW(b, uint32_t, n);
}

/* Every callable node has a kind below n_kinds, all others none; groups hold callable nodes. */
GSPI_OWN_FRAME gsp_status gspi_check_placement(const gsp_graph *g, const gsp_placement *p,
                                               gsp_error *err)
{
    const uint8_t *op = g->module->op + g->first;
    GSPI_CHECK_GIVEN(p != NULL && p->kind != NULL);
    GSPI_CHECK(p->n_nodes == g->n_nodes && p->n_kinds - 1u < GSP_KIND_NONE, ARG, KIND);
    for (gsp_node v = 0u; v < g->n_nodes && !p->trusted; v++) {
        int const callable = gspi_is_callable(op[v]);
        uint32_t const kind = callable || p->kind[v] != GSP_KIND_NONE ? p->kind[v] : 0u;
        uint32_t const group = p->group == NULL ? GSP_NONE : p->group[v];
        GSPI_CHECK_AT(kind < (callable ? p->n_kinds : 1u) &&
                          (group == GSP_NONE || group < (callable ? g->n_nodes : 0u)),
                      ARG, KIND, v, GSP_NONE);
    }
    return GSP_OK;
}

static int gspi_on_accelerator(const gsp_placement *p, gsp_node v)
{
    return p->kind[v] != GSP_KIND_CPU && p->kind[v] != GSP_KIND_NONE;
}

/* The first node in a given group, or, unless `skip`, on an accelerator without tensor metadata. */
static gsp_node gspi_wants_fusion(const gsp_graph *g, const gsp_placement *p, int skip)
{
    const uint8_t *out = g->module->out + g->first;
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        if (p->group[v] != GSP_NONE ||
            (!skip && out[v] == (uint8_t)GSP_VALUE_OTHER && gspi_on_accelerator(p, v))) {
            return v;
        }
    }
    return GSP_NONE;
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

/* Links the nodes of every given group into a ring; `last` [n] is scratch. */
static void gspi_group_rings(const uint32_t *group, uint32_t n, uint32_t *partner, uint32_t *last)
{
    for (gsp_node v = 0u; v < n; v++) {
        partner[v] = v;
    }
    if (group == NULL) {
        return;
    }
    gspi_none_words(last, n);
    for (gsp_node v = 0u; v < n; v++) {
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

/* Given groups of several kinds go to the CPU first, so that their neighbours see them there. The
 * last member of a ring leads to the first. */
static void gspi_place_groups(gsp_placement *p, const uint32_t *partner)
{
    for (gsp_node last = 0u; last < p->n_nodes; last++) {
        gsp_node const first = partner[last];
        gsp_node odd = first < last ? partner[first] : first;
        gsp_node v = last;
        while (odd != first && p->kind[odd] == p->kind[first]) {
            odd = partner[odd];
        }
        while (odd != first) {
            v = partner[v];
            if (gspi_on_accelerator(p, v)) {
                p->kind[v] = (uint8_t)GSP_KIND_CPU;
                gspi_give_reason(p, v, GSP_REASON_GROUP, v == odd ? first : odd);
            }
            odd = v == last ? first : odd;
        }
    }
}

/* ---- Module of subgraphs: crossing values, root, called graphs ---- */

/* No callable node is in an earlier part than its callable inputs; parts are below `limit`. */
static gsp_status gspi_check_parts(const gsp_graph *g, const uint32_t *part_of, uint32_t limit,
                                   gsp_error *err)
{
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        gspi_row const inputs = gspi_inputs(g, v);
        if (!gspi_callable(g, v)) {
            continue;
        }
        GSPI_CHECK_AT(part_of[v] < limit, ARG, TAG, v, GSP_NONE);
        for (uint32_t i = 0u; i < inputs.n; i++) {
            GSPI_CHECK_AT(!gspi_callable(g, inputs.at[i]) || part_of[inputs.at[i]] <= part_of[v],
                          CYCLE, TAG_ORDER, v, inputs.at[i]);
        }
    }
    return GSP_OK;
}

static gsp_status gspi_check_groups(const gsp_graph *g, const uint32_t *group, gsp_error *err)
{
    for (gsp_node v = 0u; group != NULL && v < g->n_nodes; v++) {
        GSPI_CHECK_AT(group[v] == GSP_NONE || group[v] < g->n_nodes, ARG, KIND, v, GSP_NONE);
    }
    return GSP_OK;
}

/* 1 if the text form can read this name of a part. */
static int gspi_is_part_name(gsp_str name)
{
    return name.size != 0u && gspi_trim(name).size == name.size && gspi_is_one_line(name) &&
           gspi_target_end(name, 1) == name.size;
}

static void gspi_callable_rows(const gsp_graph *g, const uint32_t *label, uint32_t n_labels,
                               uint32_t *begin, gsp_node *nodes)
{
    const uint8_t *op = g->module->op + g->first;
    gspi_zero_words(begin, (size_t)n_labels + 1u);
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        if (gspi_is_callable(op[v])) {
            begin[label[v]]++;
        }
    }
    gspi_counts_to_ends(begin, n_labels);
    for (gsp_node v = g->n_nodes; v > 0u; v--) {
        if (gspi_is_callable(op[v - 1u])) {
            nodes[--begin[label[v - 1u]]] = v - 1u;
        }
    }
}

/* Finds the values that cross: outputs of a part in order of first use outside, inputs in order of
 * first use. Then writes root and parts into a builder with the atoms of the input. */

typedef struct gspi_cut {
    const gsp_graph *g;
    const uint32_t *part_of;
    const gsp_str *names; /* [parts] of the graphs; wanted names of their calls */
    const gsp_atom *target;
    const gsp_atom *in_name; /* [edges] names of placeholders; NULL: their own */
    uint32_t n_parts;
    int pass_attrs; /* get_attr nodes stay in the root and are passed in */
    int return_tuple;
    gsp_builder *b;
    uint32_t *graph_of;
    gsp_node *node_of;
    uint32_t *part_begin;
    gsp_node *part_nodes;
    uint32_t *out_begin;
    gsp_node *out_nodes;
    uint32_t *out_index; /* [n] index among the outputs of its part, or GSP_NONE */
    uint32_t *in_begin;
    gsp_node *in_nodes;
    uint32_t *stamp; /* [n] last part that used a value, plus one */
    gsp_node *local;
    gsp_node *root_of; /* [n] its id in the root; given by the pass */
} gspi_cut;

static void gspi_cut_layout(gspi_bump *b, gspi_cut *w, const gsp_counts *c, uint32_t n_parts)
{
    w->b = GSPI_HIGH(b, gsp_builder, 1u);
    w->graph_of = GSPI_LOW(b, uint32_t, c->nodes);
    w->node_of = GSPI_LOW(b, gsp_node, c->nodes);
    w->part_begin = GSPI_HIGH(b, uint32_t, (size_t)n_parts + 1u);
    w->part_nodes = GSPI_HIGH(b, gsp_node, c->nodes);
    w->out_begin = GSPI_HIGH(b, uint32_t, (size_t)n_parts + 1u);
    w->out_nodes = GSPI_HIGH(b, gsp_node, c->nodes);
    w->out_index = GSPI_HIGH(b, uint32_t, c->nodes);
    w->in_begin = GSPI_HIGH(b, uint32_t, (size_t)n_parts + 1u);
    w->in_nodes = GSPI_HIGH(b, gsp_node, c->edges);
    w->stamp = GSPI_HIGH(b, uint32_t, c->nodes);
    w->local = GSPI_HIGH(b, gsp_node, c->nodes);
    w->n_parts = n_parts;
}

static uint32_t gspi_cut_count(uint64_t count)
{
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* Upper bounds. Root: placeholders, attributes, a call per part, a getitem per node. Parts: every
 * node once, a placeholder or attribute per edge. */
GSPI_OWN_FRAME gsp_counts gspi_cut_counts(const gsp_counts *c, uint64_t parts, size_t name_bytes)
{
    uint64_t const n = c->nodes;
    uint64_t const bytes = gspi_cut_count(name_bytes);
    gsp_counts r;
    r.graphs = gspi_cut_count(parts + c->graphs);
    r.nodes = gspi_cut_count(2u * n + c->edges + 2u * parts + 1u);
    r.args = gspi_cut_count(3u * n + c->edges + 2u * parts + c->args);
    r.edges = r.args;
    r.attrs = gspi_cut_count(2u * (n + parts) + c->attrs);
    r.strings = gspi_cut_count(2u * n + 3u * parts + c->strings + 1u);
    /* per node "getitem_" and two numbers; per part two names, one with a number */
    r.bytes = gspi_cut_count(30u * n + 13u * parts + 4u * bytes + c->bytes + 64u);
    return r;
}

static void gspi_cut_nodes(const gspi_cut *w)
{
    gspi_callable_rows(w->g, w->part_of, w->n_parts, w->part_begin, w->part_nodes);
}

/* 1 if u is an output of its part, read by v. */
static int gspi_cut_crosses(const gspi_cut *w, gsp_node u, gsp_node v)
{
    return gspi_callable(w->g, u) && !(gspi_callable(w->g, v) && w->part_of[u] == w->part_of[v]);
}

/* 1 for a get_attr that names a child graph, which is no value to pass. */
static int gspi_cut_is_holder(const gspi_cut *w, gsp_node v)
{
    return gspi_op(w->g, v) == GSP_OP_GET_ATTR && gspi_child_of(w->g, v) != GSP_NONE;
}

/* 1 if u is passed into the part of its reader v. */
static int gspi_cut_is_input(const gspi_cut *w, gsp_node u, gsp_node v)
{
    if (gspi_op(w->g, u) == GSP_OP_GET_ATTR) {
        return w->pass_attrs && !gspi_cut_is_holder(w, u);
    }
    return gspi_op(w->g, u) == GSP_OP_PLACEHOLDER || gspi_cut_crosses(w, u, v);
}

static void gspi_cut_outputs(const gspi_cut *w)
{
    gspi_zero_words(w->out_begin, (size_t)w->n_parts + 1u);
    gspi_none_words(w->out_index, w->g->n_nodes);
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        gspi_row const inputs = gspi_inputs(w->g, v);
        for (uint32_t i = 0u; i < inputs.n; i++) {
            gsp_node const u = inputs.at[i];
            if (gspi_cut_crosses(w, u, v) && w->out_index[u] == GSP_NONE) {
                w->out_index[u] = w->out_begin[w->part_of[u] + 1u]++;
            }
        }
    }
    for (uint32_t i = 0u; i < w->n_parts; i++) {
        w->out_begin[i + 1u] += w->out_begin[i];
    }
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        if (w->out_index[v] != GSP_NONE) {
            w->out_nodes[w->out_begin[w->part_of[v]] + w->out_index[v]] = v;
        }
    }
}

static void gspi_cut_inputs(const gspi_cut *w)
{
    uint32_t n = 0u;
    gspi_zero_words(w->stamp, w->g->n_nodes);
    w->in_begin[0] = 0u;
    for (uint32_t part = 0u; part < w->n_parts; part++) {
        for (uint32_t i = w->part_begin[part]; i < w->part_begin[part + 1u]; i++) {
            gsp_node const v = w->part_nodes[i];
            gspi_row const inputs = gspi_inputs(w->g, v);
            for (uint32_t k = 0u; k < inputs.n; k++) {
                gsp_node const u = inputs.at[k];
                if (w->stamp[u] != part + 1u && gspi_cut_is_input(w, u, v)) {
                    w->stamp[u] = part + 1u;
                    w->in_nodes[n++] = u;
                }
            }
        }
        w->in_begin[part + 1u] = n;
    }
}

static void gspi_cut_start(const gspi_cut *w)
{
    gspi_cut_outputs(w);
    gspi_cut_inputs(w);
    gspi_none_words(w->root_of, w->g->n_nodes);
    gspi_none_words(w->graph_of, w->g->n_nodes);
    gspi_none_words(w->node_of, w->g->n_nodes);
    gspi_zero_words(w->stamp, w->g->n_nodes);
}

/* Copies mapped arguments. A node without this stamp is no input: a damaged module. */
static void gspi_cut_args(const gspi_cut *w, gsp_node v, const gsp_node *map, uint32_t stamp)
{
    gspi_arg_row const args = gspi_args(w->g, v);
    for (uint32_t i = 0u; i < args.n; i++) {
        gsp_arg a = args.at[i];
        if (a.kind == (uint32_t)GSP_ARG_NODE) {
            a.value = stamp != GSP_NONE && w->stamp[a.value] != stamp ? GSP_NONE : map[a.value];
        }
        gsp_build_arg(w->b, a);
    }
}

/* 1 if a get_attr stays in the root: it is passed in, unread, or nothing is cut. Child graphs that
 * parts read are copied into them. */
static int gspi_cut_keeps_attr(const gspi_cut *w, gsp_node v)
{
    gspi_row const users = gspi_users(w->g, v);
    if (!w->pass_attrs) {
        return w->n_parts == 0u;
    }
    return users.n == 0u || users.at[users.n - 1u] == w->g->n_nodes - 1u ||
           !gspi_cut_is_holder(w, v);
}

/* Placeholders and attributes of the root, then the attributes that it alone returns. */
static void gspi_cut_root_values(const gspi_cut *w)
{
    const gsp_graph *g = w->g;
    const gsp_atom *target = g->module->target + g->first;
    gspi_row const returned = gspi_inputs(g, g->n_nodes - 1u);
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        gsp_op const op = gspi_op(g, v);
        if (op == GSP_OP_PLACEHOLDER || (op == GSP_OP_GET_ATTR && gspi_cut_keeps_attr(w, v))) {
            w->root_of[v] = gspi_copy_node(w->b, g, op, v, target[v]);
            gspi_cut_args(w, v, w->root_of, GSP_NONE);
        }
    }
    for (uint32_t i = 0u; i < returned.n; i++) {
        gsp_node const v = returned.at[i];
        if (gspi_op(g, v) == GSP_OP_GET_ATTR && w->root_of[v] == GSP_NONE) {
            w->root_of[v] = gspi_copy_node(w->b, g, GSP_OP_GET_ATTR, v, target[v]);
        }
    }
}

static int gspi_cut_is_tuple(const gspi_cut *w, uint32_t part)
{
    return w->return_tuple || w->out_begin[part + 1u] - w->out_begin[part] != 1u;
}

/* The call of a part, which it returns, and a getitem per value. */
static gsp_node gspi_cut_call(const gspi_cut *w, uint32_t part)
{
    gsp_atom const name = gsp_build_name(w->b, w->names[part]);
    gsp_atom const target = gsp_build_atom(w->b, w->names[part]);
    gsp_node const call = gsp_build_node_atoms(w->b, GSP_OP_CALL_MODULE, name, target);
    uint32_t const begin = w->out_begin[part];
    int const tuple = gspi_cut_is_tuple(w, part);
    for (uint32_t i = w->in_begin[part]; i < w->in_begin[part + 1u]; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, w->root_of[w->in_nodes[i]]);
    }
    for (uint32_t i = begin; i < w->out_begin[part + 1u]; i++) {
        w->root_of[w->out_nodes[i]] = tuple ? gspi_put_getitem(w->b, call, i - begin) : call;
        gsp_build_like(w->b, w->g, w->out_nodes[i], 0);
    }
    return call;
}

/* The attributes that node v reads first in this part, then v. */
static void gspi_cut_body_node(const gspi_cut *w, uint32_t part, gsp_node v)
{
    gspi_row const inputs = gspi_inputs(w->g, v);
    for (uint32_t i = 0u; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        if (gspi_op(w->g, u) == GSP_OP_GET_ATTR && w->stamp[u] != part + 1u) {
            w->stamp[u] = part + 1u;
            w->local[u] = gspi_copy_node(w->b, w->g, GSP_OP_GET_ATTR, u, gspi_target_id(w->g, u));
        }
    }
    w->local[v] = gspi_copy_node(w->b, w->g, gspi_op(w->g, v), v, w->target[v]);
    gspi_cut_args(w, v, w->local, part + 1u);
    w->stamp[v] = part + 1u;
    w->node_of[v] = w->local[v];
}

static void gspi_cut_body(const gspi_cut *w, uint32_t part, uint32_t graph)
{
    int const tuple = gspi_cut_is_tuple(w, part);
    gsp_build_graph(w->b, w->names[part]);
    for (uint32_t i = w->in_begin[part]; i < w->in_begin[part + 1u]; i++) {
        gsp_node const u = w->in_nodes[i];
        gsp_atom const name = w->in_name == NULL ? gspi_name_id(w->g, u) : w->in_name[i];
        w->stamp[u] = part + 1u;
        w->local[u] = gsp_build_node_atoms(w->b, GSP_OP_PLACEHOLDER, name, name);
        gsp_build_like(w->b, w->g, u, 1);
    }
    for (uint32_t i = w->part_begin[part]; i < w->part_begin[part + 1u]; i++) {
        gspi_cut_body_node(w, part, w->part_nodes[i]);
        w->graph_of[w->part_nodes[i]] = graph;
    }
    (void)gsp_build_output(w->b);
    if (tuple) {
        gspi_put_arg(w->b, GSP_ARG_TUPLE, 0u);
    }
    for (uint32_t i = w->out_begin[part]; i < w->out_begin[part + 1u]; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, w->local[w->out_nodes[i]]);
    }
    if (tuple) {
        gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    }
}

/* Writes the root, one graph per part in call order (NULL: by number), and the other graphs. `call`
 * [n_calls] (or NULL) gets the calls. */
static gsp_status gspi_cut_write(const gspi_cut *w, const uint32_t *order, uint32_t n_calls,
                                 gsp_node *call, gsp_module *made)
{
    gsp_node const output = w->g->n_nodes - 1u;
    gsp_build_graph(w->b, gspi_slice("", 0u, 0u));
    gspi_cut_root_values(w);
    for (uint32_t i = 0u; i < n_calls; i++) {
        gsp_node const made_call = gspi_cut_call(w, order == NULL ? i : order[i]);
        if (call != NULL) {
            call[i] = made_call;
        }
    }
    (void)gsp_build_output(w->b);
    gsp_build_like(w->b, w->g, output, 1);
    gspi_cut_args(w, output, w->root_of, GSP_NONE);
    for (uint32_t i = 0u; i < n_calls; i++) {
        gspi_cut_body(w, order == NULL ? i : order[i], i + 1u);
    }
    for (uint32_t id = 1u; id < w->g->module->counts.graphs; id++) {
        if (id != w->g->id) {
            gsp_graph const child = gspi_graph(w->g->module, id);
            gspi_copy_graph(w->b, &child);
        }
    }
    return gsp_build_finish(w->b, made, NULL);
}

/* -------------------------------------------------------------------------------------------------
 * >>support   Operator support and pins                                            (implementation)
 * ---------------------------------------------------------------------------------------------- */

GSP_API const char *gsp_reason_name(gsp_reason reason)
{
    return gspi_nth(GSP_REASON_LIST(GSPI_NAME) "?", (uint32_t)reason, (uint32_t)GSP_REASON_COUNT);
}

GSP_API const char *gsp_reason_text(gsp_reason reason)
{
    return gspi_nth(GSP_REASON_LIST(GSPI_TEXT), (uint32_t)reason, (uint32_t)GSP_REASON_COUNT);
}

/* Each rule runs over all nodes before the next: a stack is a bit word per node, and a table can
 * cache its answer per name. Pins without wildcards are hashed. */

/* 1 if `item` is in the comma-separated `list`; an empty list holds all. */
static int gspi_in_list(gsp_str list, gsp_str item)
{
    uint32_t begin = 0u;
    while (begin < list.size) {
        uint32_t end = begin;
        while (end < list.size && list.data[end] != ',') {
            end++;
        }
        if (gsp_str_equal(gspi_slice(list.data, begin, end), item)) {
            return 1;
        }
        begin = end + 1u;
    }
    return list.size == 0u;
}

/* 1 if a node yields a tensor of another dtype; *dtype is the first. */
GSPI_OWN_FRAME int gspi_other_dtype(const gsp_graph *g, gsp_node v, const gsp_str *dtypes,
                                    gsp_str *dtype)
{
    gsp_str const type = gspi_type_str(g, v);
    uint32_t at = 0u;
    gsp_str dims;
    while (gsp_type_next(type, &at, dtype, &dims)) {
        if (!gspi_in_list(*dtypes, *dtype)) {
            return 1;
        }
    }
    return 0;
}

/* 1 if all tensors that a node yields have an accepted dtype. `memory` [strings] (or NULL) caches
 * the last answer per TYPE, `refused` or `refused` + 1, since many nodes may read one aggregate.
 * Names of targets share the array with values below any `refused`. */
static int gspi_dtypes_accepted(const gsp_graph *g, gsp_node v, const gsp_str *dtypes,
                                uint32_t *memory, uint32_t refused)
{
    gsp_str dtype;
    if (memory == NULL || gspi_value_kind(g, v) != GSP_VALUE_AGGREGATE) {
        return !gspi_other_dtype(g, v, dtypes, &dtype);
    }
    uint32_t *answer = &memory[g->module->type[g->first + v]];
    if (*answer != refused && *answer != refused + 1u) {
        *answer = refused + (gspi_other_dtype(g, v, dtypes, &dtype) ? 0u : 1u);
    }
    return *answer != refused;
}

/* The first of v's inputs and v with a tensor of another dtype, or GSP_NONE. */
static gsp_node gspi_dtypes_refused(const gsp_graph *g, gsp_node v, const gsp_str *dtypes,
                                    uint32_t *memory, uint32_t refused)
{
    gspi_row const inputs = gspi_inputs(g, v);
    if (dtypes->size == 0u) {
        return GSP_NONE;
    }
    for (uint32_t i = 0u; i <= inputs.n; i++) {
        gsp_node const u = i < inputs.n ? inputs.at[i] : v;
        if (!gspi_dtypes_accepted(g, u, dtypes, memory, refused)) {
            return u;
        }
    }
    return GSP_NONE;
}

static gspi_elements gspi_arguments_of(const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    return gspi_elements_of(args.at, args.n);
}

/* The first node in that argument with a tensor of another dtype. */
static gsp_node gspi_arg_refused(const gsp_graph *g, gsp_node v, const gsp_arg_dtypes *wanted)
{
    gspi_elements e = gspi_arguments_of(g, v);
    gsp_str dtype;
    while (gspi_next_element(&e)) {
        int const same = e.key == GSP_NONE
                             ? wanted->key.size == 0u && e.index == wanted->position
                             : wanted->key.size != 0u &&
                                   gsp_str_equal(gsp_module_str(g->module, e.key), wanted->key);
        for (uint32_t i = e.at; i < e.next && same; i++) {
            if (e.args[i].kind == (uint32_t)GSP_ARG_NODE &&
                gspi_other_dtype(g, e.args[i].value, &wanted->dtypes, &dtype)) {
                return e.args[i].value;
            }
        }
        if (same) {
            break;
        }
    }
    return GSP_NONE;
}

static int gspi_entry_names(const gsp_table_entry *e, gsp_str name)
{
    uint32_t const n = e->name.size;
    if (n > 0u && e->name.data[n - 1u] == '*') {
        return name.size >= n - 1u && gspi_same(name.data, e->name.data, n - 1u);
    }
    return gsp_str_equal(e->name, name);
}

/* The last line that names `name`, plus one, or 0. Marks all matching lines in `matched`. */
static uint32_t gspi_table_find(const gsp_table *t, gsp_str name)
{
    uint32_t last = 0u;
    for (uint32_t i = t->n_entries; i > 0u && (last == 0u || t->matched != NULL); i--) {
        if (gspi_entry_names(&t->entries[i - 1u], name)) {
            last = last == 0u ? i : last;
            if (t->matched != NULL) {
                t->matched[i - 1u] = 1u;
            }
        }
    }
    return last;
}

typedef struct gspi_answer {
    uint32_t rule;
    uint32_t line;    /* the last table line that names the node, or GSP_NONE */
    gsp_node culprit; /* its dtype is refused by this line or rule; or GSP_NONE */
} gspi_answer;

/* 1 if a table supports a node. The last line that names it decides, with those of the same name
 * down to one that removes it. `memory` [strings] caches line and answer per name and TYPE. */
static int gspi_table_takes(const gsp_graph *g, gsp_node v, const gsp_table *t, uint32_t *memory,
                            gspi_answer *a)
{
    gsp_atom const s = gspi_class(g, v);
    uint32_t at = memory == NULL ? GSP_NONE : memory[s];
    if (at > t->n_entries) {
        at = gspi_table_find(t, gsp_module_str(g->module, s));
        if (memory != NULL) {
            memory[s] = at;
        }
    }
    a->line = at - 1u;
    for (uint32_t i = at; i > 0u; i--) {
        const gsp_table_entry *e = &t->entries[i - 1u];
        gsp_node culprit = GSP_NONE;
        if (i < at && !gsp_str_equal(e->name, t->entries[at - 1u].name)) {
            continue;
        }
        if (e->remove) {
            return 0;
        }
        for (uint32_t k = 0u; k < e->n_args && culprit == GSP_NONE; k++) {
            culprit = gspi_arg_refused(g, v, &e->args[k]);
        }
        if (culprit == GSP_NONE) {
            culprit = gspi_dtypes_refused(g, v, &e->dtypes, memory, t->n_entries + 2u * i - 1u);
        }
        if (culprit == GSP_NONE) {
            a->culprit = GSP_NONE;
            return 1;
        }
        a->culprit = i == at ? culprit : a->culprit;
    }
    return 0;
}

/* Offset of the first error in a list of dtypes, or its size. */
static uint32_t gspi_dtypes_end(gsp_str t)
{
    uint32_t i = 0u;
    while (i < t.size && (gspi_is_name(t.data[i]) || t.data[i] == ',')) {
        i++;
    }
    return i;
}

/* The end of an operator name: at a blank, or before a `*` inside it. */
static uint32_t gspi_operator_end(gsp_str t, uint32_t at)
{
    while (at < t.size && !gspi_is_blank(t.data[at]) &&
           (t.data[at] != '*' || at + 1u == t.size || gspi_is_blank(t.data[at + 1u]))) {
        at++;
    }
    return at;
}

static int gspi_entry_is_valid(const gsp_table_entry *e)
{
    int valid = e->name.size != 0u && gspi_operator_end(e->name, 0u) == e->name.size &&
                gspi_dtypes_end(e->dtypes) == e->dtypes.size &&
                (e->n_args == 0u || e->args != NULL) && (!e->remove || e->dtypes.size == 0u);
    for (uint32_t i = 0u; i < e->n_args && valid; i++) {
        valid = gspi_dtypes_end(e->args[i].dtypes) == e->args[i].dtypes.size;
    }
    return valid;
}

/* The next non-empty line of an operator file without blanks and comment; 0: none. */
static int gspi_table_line(gsp_str text, uint32_t *at, uint32_t *number, gsp_str *line)
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

static uint32_t gspi_table_count(gsp_str text)
{
    uint32_t n = 0u;
    uint32_t at = 0u;
    uint32_t number = 0u;
    gsp_str line;
    while (gspi_table_line(text, &at, &number, &line)) {
        n++;
    }
    return n;
}

GSP_API size_t gsp_table_bound(gsp_str text)
{
    return gspi_mul_add(gspi_table_count(text), sizeof(gsp_table_entry), GSPI_SLACK + GSP_ALIGN);
}

/* Parses `NAME`, `NAME dtypes`, `!NAME`. Returns the offset of the error, or GSP_NONE. */
static uint32_t gspi_table_entry(gsp_str line, gsp_table_entry *e)
{
    uint32_t const begin = line.data[0] == '!' ? 1u : 0u;
    uint32_t const end = gspi_operator_end(line, begin);
    uint32_t const dtypes = gspi_skip_blanks(line, end);
    e->remove = begin;
    e->args = NULL;
    e->n_args = 0u;
    e->name = gspi_slice(line.data, begin, end);
    e->dtypes = gspi_slice(line.data, dtypes, line.size);
    uint32_t const dtypes_end = dtypes + gspi_dtypes_end(e->dtypes);
    if (begin == end || (dtypes < line.size && (dtypes == end || e->remove))) {
        return dtypes;
    }
    return dtypes_end == line.size ? GSP_NONE : gspi_skip_blanks(line, dtypes_end);
}

GSP_API gsp_status gsp_table_read(gsp_arena *arena, gsp_str text, gsp_table *table, gsp_error *err)
{
    gspi_pass pass;
    gsp_str line;
    uint32_t at = 0u;
    uint32_t number = 0u;
    uint32_t n = 0u;
    GSPI_CHECK_GIVEN(arena != NULL && table != NULL && (text.data != NULL || text.size == 0u));
    GSPI_TRY(gspi_enter(&pass, arena, gsp_table_bound(text), err));
    gsp_table_entry *entries = GSPI_LOW(&pass.bump, gsp_table_entry, gspi_table_count(text));
    while (gspi_table_line(text, &at, &number, &line)) {
        uint32_t const wrong = gspi_table_entry(line, &entries[n++]);
        if (wrong != GSP_NONE) {
            size_t begin = (size_t)(line.data - text.data);
            (void)gspi_fail_plain(err, GSPI_CODE(PARSE, ENTRY, NONE));
            if (err != NULL) {
                err->line = number;
                err->column = (size_t)wrong + 1u;
                while (begin-- > 0u && text.data[begin] != '\n') {
                    err->column++;
                }
            }
            return gspi_leave(&pass, GSP_STATUS_PARSE, err);
        }
    }
    table->entries = entries;
    table->n_entries = n;
    table->trusted = 1u;
    table->matched = NULL;
    return gspi_leave(&pass, GSP_OK, err);
}

#define GSPI_TAKES      1u /* the current accelerator supports the node */
#define GSPI_TAKEN_ONCE 2u
#define GSPI_GROUP_BAD  4u /* first member: it does not support the whole group */

static const gsp_support_desc gspi_support_default = {0u, 0u, NULL, NULL, 0u, 0u, 0u, 0u};

typedef struct gspi_support_ws {
    const gsp_support_desc *d;
    gsp_placement p;
    uint64_t *stack;   /* [n] truth values, the oldest in bit 0 */
    uint32_t *memory;  /* [strings] cache (gspi_table_takes()); first node of a group */
    gsp_node *refused; /* [n] last pin by id, plus one; then a node with a refused dtype */
    uint8_t *forced;   /* [n] kind given by pins or acc=, or GSP_KIND_NONE */
    uint8_t *pinned;
    uint8_t *takes;  /* [n] GSPI_TAKES ... */
    uint32_t *slots; /* [slot_mask + 1] pins by hash, or GSP_NONE */
    uint32_t *globs;
    uint8_t *found; /* [n_pins] 1: names something or has wildcards */
    uint32_t n_globs;
    uint32_t longest; /* bytes of the longest module path without wildcards */
    uint32_t slot_mask;
} gspi_support_ws;

static void gspi_support_layout(gspi_bump *b, gspi_support_ws *ws, const gsp_graph *g)
{
    uint32_t const n = g->n_nodes;
    uint32_t const slots = gspi_pow2(gspi_count_mul(ws->d->n_pins, 2u));
    gspi_placement_layout(b, &ws->p, n);
    ws->stack = GSPI_HIGH(b, uint64_t, n);
    ws->memory = GSPI_HIGH(b, uint32_t, g->module->counts.strings);
    ws->refused = GSPI_HIGH(b, gsp_node, n);
    ws->forced = GSPI_HIGH(b, uint8_t, n);
    ws->pinned = GSPI_HIGH(b, uint8_t, n);
    ws->takes = GSPI_HIGH(b, uint8_t, n);
    ws->slots = GSPI_HIGH(b, uint32_t, slots == 0u ? SIZE_MAX : slots);
    ws->globs = GSPI_HIGH(b, uint32_t, ws->d->n_pins);
    ws->found = GSPI_HIGH(b, uint8_t, ws->d->n_pins);
    ws->slot_mask = slots - 1u;
}

GSP_API size_t gsp_support_bound(const gsp_graph *graph, const gsp_support_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_support_ws ws;
    ws.d = desc == NULL ? &gspi_support_default : desc;
    gspi_support_layout(&b, &ws, graph);
    return gspi_add(b.used, GSPI_SLACK);
}

static int gspi_is_glob(gsp_str t)
{
    uint32_t i = 0u;
    while (i < t.size && t.data[i] != '*' && t.data[i] != '?') {
        i++;
    }
    return i < t.size;
}

/* The slot of a pin without wildcards: that of an equal pin, or a free one. */
static uint32_t gspi_pin_slot(const gspi_support_ws *ws, const gsp_pin *pins, uint32_t what,
                              gsp_str t)
{
    uint32_t slot = gspi_hash(t.data, t.size, what) & ws->slot_mask;
    while (ws->slots[slot] != GSP_NONE && !(pins[ws->slots[slot]].what == what &&
                                            gsp_str_equal(pins[ws->slots[slot]].pattern, t))) {
        slot = (slot + 1u) & ws->slot_mask;
    }
    return slot;
}

static void gspi_pins_index(gspi_support_ws *ws)
{
    ws->n_globs = 0u;
    ws->longest = 0u;
    gspi_none_words(ws->slots, (size_t)ws->slot_mask + 1u);
    gspi_zero_words(ws->refused, ws->d->n_pins != 0u ? ws->p.n_nodes : 0u);
    gspi_set(ws->found, 1, ws->d->n_pins, 1u);
    for (uint32_t i = 0u; i < ws->d->n_pins; i++) {
        const gsp_pin *pin = &ws->d->pins[i];
        if (pin->what == (uint32_t)GSP_PIN_NODE) {
            ws->refused[pin->node] = i + 1u;
        } else if (gspi_is_glob(pin->pattern)) {
            ws->globs[ws->n_globs++] = i;
        } else {
            uint32_t const slot = gspi_pin_slot(ws, ws->d->pins, pin->what, pin->pattern);
            if (ws->slots[slot] != GSP_NONE) {
                ws->found[ws->slots[slot]] = 1u; /* the later of equal pins counts */
            }
            ws->slots[slot] = i;
            ws->found[i] = 0u;
            if (pin->what == (uint32_t)GSP_PIN_SCOPE && pin->pattern.size > ws->longest) {
                ws->longest = pin->pattern.size;
            }
        }
    }
}

/* The greater of `best` and the pin with exactly this text, plus one. */
static uint32_t gspi_pin_exact(const gspi_support_ws *ws, uint32_t what, gsp_str t, uint32_t best)
{
    uint32_t const i = ws->slots[gspi_pin_slot(ws, ws->d->pins, what, t)];
    if (i == GSP_NONE) {
        return best;
    }
    ws->found[i] = 1u;
    return i + 1u > best ? i + 1u : best;
}

static int gspi_pin_matches(const gsp_pin *pin, const gsp_graph *g, gsp_node v)
{
    switch (pin->what) {
    case GSP_PIN_NODE:
        return pin->node == v;
    case GSP_PIN_NAME:
        return gsp_str_glob(pin->pattern, gspi_name_str(g, v));
    case GSP_PIN_SCOPE:
        return gspi_glob(pin->pattern, gsp_node_scope(g, v), 1);
    default:
        return gsp_str_glob(pin->pattern, gspi_target_str(g, v)) ||
               gsp_str_glob(pin->pattern, gsp_node_class(g, v));
    }
}

/* The last pin that matches a node, plus one, or 0. */
static uint32_t gspi_pin_of(const gspi_support_ws *ws, const gsp_graph *g, gsp_node v)
{
    gsp_str const scope = gsp_node_scope(g, v);
    uint32_t best = gspi_pin_exact(ws, GSP_PIN_NAME, gspi_name_str(g, v), ws->refused[v]);
    best = gspi_pin_exact(ws, GSP_PIN_TARGET, gspi_target_str(g, v), best);
    best = gspi_pin_exact(ws, GSP_PIN_TARGET, gsp_node_class(g, v), best);
    for (uint32_t i = 1u; i <= scope.size && i <= ws->longest; i++) {
        if (i == scope.size || scope.data[i] == '.') {
            best = gspi_pin_exact(ws, GSP_PIN_SCOPE, gspi_slice(scope.data, 0u, i), best);
        }
    }
    for (uint32_t i = ws->n_globs; i > 0u && ws->globs[i - 1u] >= best; i--) {
        if (gspi_pin_matches(&ws->d->pins[ws->globs[i - 1u]], g, v)) {
            return ws->globs[i - 1u] + 1u;
        }
    }
    return best;
}

GSPI_OWN_FRAME gsp_status gspi_support_force(gspi_support_ws *ws, const gsp_graph *g,
                                             gsp_error *err)
{
    gspi_pins_index(ws);
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        int const acc = ws->d->ignore_annotation ? -1 : gsp_node_acc(g, v);
        uint32_t const pin =
            ws->d->n_pins != 0u && gspi_callable(g, v) ? gspi_pin_of(ws, g, v) : 0u;
        ws->pinned[v] = pin > 0u ? 1u : 0u;
        ws->forced[v] = pin > 0u   ? (uint8_t)ws->d->pins[pin - 1u].kind
                        : acc >= 0 ? (uint8_t)acc
                                   : (uint8_t)GSP_KIND_NONE;
    }
    for (uint32_t i = 0u; i < ws->d->n_pins; i++) {
        GSPI_CHECK_ITEM(ws->found[i], ARG, PIN, PIN, i, GSP_NONE);
    }
    return GSP_OK;
}

/* group[v] = first callable node with the same group=. */
GSPI_OWN_FRAME void gspi_support_groups(gspi_support_ws *ws, const gsp_graph *g)
{
    const uint8_t *flags = g->module->flags + g->first;
    uint32_t groups = 0u;
    gspi_none_words(ws->p.group, g->n_nodes);
    for (gsp_node v = 0u; v < g->n_nodes && !ws->d->ignore_groups; v++) {
        gsp_atom const s = (flags[v] & GSP_FLAG_GROUP) != 0u && gspi_callable(g, v)
                               ? gspi_attr(g, v, GSP_KEY_GROUP)
                               : GSP_NONE;
        if (s != GSP_NONE) {
            gspi_none_words(ws->memory, groups++ == 0u ? g->module->counts.strings : 0u);
            ws->memory[s] = ws->memory[s] == GSP_NONE ? v : ws->memory[s];
            ws->p.group[v] = ws->memory[s];
        }
    }
}

/* The answer of a rule that pushes a value. */
static int gspi_rule_says(const gsp_graph *g, gsp_node v, const gsp_rule *rule, int acc_kind,
                          uint32_t *memory, gspi_answer *a)
{
    a->line = GSP_NONE;
    a->culprit = GSP_NONE;
    switch (rule->kind) {
    case GSP_RULE_ANNOTATION:
        return gsp_node_acc(g, v) == acc_kind;
    case GSP_RULE_TABLE:
        return gspi_table_takes(g, v, &rule->table, memory, a);
    case GSP_RULE_CALL:
        return rule->func(rule->user, g, v) != 0;
    default:
        a->culprit = gspi_dtypes_refused(g, v, &rule->dtypes, memory, 0u);
        return a->culprit == GSP_NONE;
    }
}

/* The number of values that a rule replaces by one. */
static uint32_t gspi_rule_taken(const gsp_rule *r)
{
    return r->kind == (uint32_t)GSP_RULE_NOT   ? 1u
           : r->kind >= (uint32_t)GSP_RULE_ALL ? r->count
                                               : 0u;
}

/* Rules are complete, table lines valid, and the stack keeps its bounds and ends with one value. */
static gsp_status gspi_rules_check(const gsp_accelerator *a, uint32_t accelerator, gsp_error *err)
{
    uint32_t depth = 0u;
    for (uint32_t i = 0u; i < a->n_rules; i++) {
        const gsp_rule *r = &a->rules[i];
        uint32_t const taken = gspi_rule_taken(r);
        GSPI_CHECK_ITEM(r->kind < (uint32_t)GSP_RULE_COUNT && taken <= depth &&
                            depth - taken < 64u &&
                            (r->kind != (uint32_t)GSP_RULE_NOT || r->count <= 1u) &&
                            (r->kind != (uint32_t)GSP_RULE_CALL || r->func != NULL) &&
                            (r->kind != (uint32_t)GSP_RULE_TABLE || r->table.entries != NULL ||
                             r->table.n_entries == 0u),
                        ARG, RULE, ACCELERATOR, accelerator, GSP_NONE);
        depth = depth - taken + 1u;
        for (uint32_t k = 0u;
             r->kind == (uint32_t)GSP_RULE_TABLE && !r->table.trusted && k < r->table.n_entries;
             k++) {
            GSPI_CHECK_ITEM(gspi_entry_is_valid(&r->table.entries[k]), ARG, ENTRY, ENTRY, k,
                            accelerator);
        }
        GSPI_CHECK_ITEM(r->kind != (uint32_t)GSP_RULE_DTYPES ||
                            gspi_dtypes_end(r->dtypes) == r->dtypes.size,
                        ARG, RULE, ACCELERATOR, accelerator, GSP_NONE);
    }
    GSPI_CHECK_ITEM(depth == 1u || a->n_rules == 0u, ARG, RULE, ACCELERATOR, accelerator, GSP_NONE);
    return GSP_OK;
}

/* Applies a rule to the top of a stack of `depth` > 0 values. */
static uint64_t gspi_rule_join(const gsp_rule *rule, uint64_t stack, uint32_t depth)
{
    if (rule->kind == (uint32_t)GSP_RULE_NOT) {
        return stack ^ (uint64_t)1 << ((depth - 1u) % 64u);
    }
    uint32_t const base = depth - rule->count;
    uint64_t const ones = rule->count == 0u ? 0u : ~(uint64_t)0u >> (64u - rule->count);
    uint64_t const values = (stack >> base) & ones; /* base < 64: the program is valid */
    uint64_t const answer = rule->kind == (uint32_t)GSP_RULE_ALL ? values == ones : values != 0u;
    return (stack & (((uint64_t)1u << base) - 1u)) | (answer << base);
}

static void gspi_support_rule(const gspi_support_ws *ws, const gsp_graph *g, const gsp_rule *rule,
                              uint32_t depth, int acc_kind)
{
    gspi_answer a;
    gspi_none_words(ws->memory, g->module->counts.strings);
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        if (!gspi_callable(g, v)) {
            continue;
        }
        if (rule->kind >= (uint32_t)GSP_RULE_NOT) {
            ws->stack[v] = gspi_rule_join(rule, ws->stack[v], depth);
        } else if (gspi_rule_says(g, v, rule, acc_kind, ws->memory, &a)) {
            ws->stack[v] |= (uint64_t)1u << depth;
        } else if (a.line != GSP_NONE && ws->refused[v] == GSP_NONE) {
            ws->refused[v] = a.culprit;
        }
    }
}

GSPI_OWN_FRAME void gspi_support_rules(const gspi_support_ws *ws, const gsp_graph *g,
                                       const gsp_accelerator *a, int acc_kind)
{
    uint32_t depth = 0u;
    gspi_set(ws->stack, 0, g->n_nodes, sizeof(uint64_t));
    for (uint32_t i = 0u; i < a->n_rules; i++) {
        gspi_support_rule(ws, g, &a->rules[i], depth, acc_kind);
        depth = depth - gspi_rule_taken(&a->rules[i]) + 1u;
    }
}

/* Assigns to accelerator `kind` the unassigned nodes that it supports. */
GSPI_OWN_FRAME void gspi_support_assign(gspi_support_ws *ws, const gsp_graph *g, uint32_t kind)
{
    gsp_placement *p = &ws->p;
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        int const takes =
            ws->forced[v] == GSP_KIND_NONE ? (ws->stack[v] & 1u) != 0u : ws->forced[v] == kind;
        if (!gspi_callable(g, v)) {
            continue;
        }
        ws->takes[v] = (uint8_t)((ws->takes[v] & ~(GSPI_TAKES | GSPI_GROUP_BAD)) |
                                 (takes ? GSPI_TAKES | GSPI_TAKEN_ONCE : 0u));
        if (!takes && p->group[v] != GSP_NONE) {
            gsp_node *culprit = &p->culprit[p->group[v]];
            ws->takes[p->group[v]] |= (uint8_t)GSPI_GROUP_BAD;
            *culprit = *culprit == GSP_NONE ? v : *culprit;
        }
    }
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        int const whole =
            p->group[v] == GSP_NONE || (ws->takes[p->group[v]] & GSPI_GROUP_BAD) == 0u;
        if (p->kind[v] == GSP_KIND_CPU && (ws->takes[v] & GSPI_TAKES) != 0u && whole) {
            p->kind[v] = (uint8_t)kind;
        }
    }
}

/* Backwards, because the first member of a group holds the group's culprit. */
GSPI_OWN_FRAME void gspi_support_reasons(gspi_support_ws *ws)
{
    gsp_placement *p = &ws->p;
    for (gsp_node v = p->n_nodes; v-- > 0u;) {
        int const cpu = p->kind[v] == GSP_KIND_CPU;
        int const incomplete = cpu && (ws->takes[v] & GSPI_TAKEN_ONCE) != 0u;
        int const refused = ws->refused[v] != GSP_NONE && ws->forced[v] == GSP_KIND_NONE;
        gsp_node const culprit = incomplete       ? p->culprit[p->group[v]]
                                 : cpu && refused ? ws->refused[v]
                                                  : GSP_NONE;
        gsp_reason const reason = p->kind[v] == GSP_KIND_NONE ? GSP_REASON_NONE
                                  : incomplete                ? GSP_REASON_GROUP
                                  : ws->pinned[v]             ? GSP_REASON_PINNED
                                  : !cpu                      ? GSP_REASON_SUPPORTED
                                  : refused                   ? GSP_REASON_DTYPE
                                                              : GSP_REASON_UNSUPPORTED;
        gspi_give_reason(p, v, reason, culprit == v ? GSP_NONE : culprit);
    }
}

GSPI_OWN_FRAME gsp_status gspi_support_check(const gsp_graph *g, const gsp_support_desc *d,
                                             uint32_t n_kinds, gsp_error *err)
{
    GSPI_CHECK_DESC(*d);
    GSPI_CHECK_GIVEN(n_kinds <= GSP_KIND_NONE &&
                     (d->n_accelerators == 0u || d->accelerators != NULL) &&
                     (d->n_pins == 0u || d->pins != NULL));
    for (uint32_t i = 0u; i < d->n_accelerators; i++) {
        GSPI_TRY(gspi_rules_check(&d->accelerators[i], i, err));
    }
    for (uint32_t i = 0u; i < d->n_pins; i++) {
        GSPI_CHECK_ITEM(d->pins[i].what < (uint32_t)GSP_PIN_COUNT, ARG, CHOICE, PIN, i, GSP_NONE);
        GSPI_CHECK_ITEM(d->pins[i].kind < n_kinds, ARG, KIND, PIN, i, GSP_NONE);
        GSPI_CHECK_ITEM(d->pins[i].what != (uint32_t)GSP_PIN_NODE ||
                            (d->pins[i].node < g->n_nodes && gspi_callable(g, d->pins[i].node)),
                        ARG, PIN, PIN, i, GSP_NONE);
    }
    return GSP_OK;
}

static uint32_t gspi_support_kinds(const gsp_support_desc *d)
{
    return d->n_accelerators == 0u ? 2u : gspi_count_add(d->n_accelerators, 1u);
}

GSP_API gsp_status gsp_support_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_support_desc *desc, gsp_placement *out, gsp_error *err)
{
    static const gsp_accelerator no_rules = {NULL, 0u};
    gspi_pass pass;
    gspi_support_ws ws;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && out != NULL);
    ws.d = desc == NULL ? &gspi_support_default : desc;
    ws.p.n_nodes = graph->n_nodes;
    ws.p.n_kinds = gspi_support_kinds(ws.d);
    ws.p.trusted = 0u;
    GSPI_TRY(gspi_support_check(graph, ws.d, ws.p.n_kinds, err));
    for (gsp_node v = 0u; v < graph->n_nodes && !ws.d->ignore_annotation; v++) {
        GSPI_CHECK_AT(gsp_node_acc(graph, v) < (int)ws.p.n_kinds || !gspi_callable(graph, v), ARG,
                      KIND, v, GSP_NONE);
    }

    GSPI_TRY(gspi_enter(&pass, arena, gsp_support_bound(graph, desc), err));
    gspi_support_layout(&pass.bump, &ws, graph);
    gsp_status const status = gspi_support_force(&ws, graph, err);
    if (status != GSP_OK) {
        return gspi_leave(&pass, status, err);
    }
    gspi_support_groups(&ws, graph);
    for (gsp_node v = 0u; v < graph->n_nodes; v++) {
        ws.p.culprit[v] = GSP_NONE;
        ws.refused[v] = GSP_NONE;
        ws.takes[v] = 0u;
        ws.p.kind[v] = (uint8_t)(gspi_callable(graph, v) ? GSP_KIND_CPU : GSP_KIND_NONE);
    }
    for (uint32_t kind = 1u; kind < ws.p.n_kinds; kind++) {
        gspi_support_rules(&ws, graph,
                           ws.d->n_accelerators == 0u ? &no_rules : &ws.d->accelerators[kind - 1u],
                           (int)kind);
        gspi_support_assign(&ws, graph, kind);
    }
    gspi_support_reasons(&ws);
    *out = ws.p;
    return gspi_leave(&pass, GSP_OK, err);
}

/* Of the rules of an accelerator for a node, the first that alone gives their answer. */
static void gspi_why_rules(const gsp_graph *g, gsp_node v, const gsp_accelerator *a, uint32_t kind,
                           gsp_why *why)
{
    gspi_answer first[2] = {{GSP_NONE, GSP_NONE, GSP_NONE}, {GSP_NONE, GSP_NONE, GSP_NONE}};
    uint64_t stack = 0u;
    uint32_t depth = 0u;
    for (uint32_t i = 0u; i < a->n_rules; i++) {
        if (a->rules[i].kind >= (uint32_t)GSP_RULE_NOT) {
            stack = gspi_rule_join(&a->rules[i], stack, depth);
        } else {
            gspi_answer answer;
            int const yes = gspi_rule_says(g, v, &a->rules[i], (int)kind, NULL, &answer);
            answer.rule = i;
            stack |= (uint64_t)(yes ? 1u : 0u) << depth;
            if (first[yes].rule == GSP_NONE) {
                first[yes] = answer;
            }
        }
        depth = depth - gspi_rule_taken(&a->rules[i]) + 1u;
    }
    why->takes = (uint32_t)(stack & 1u);
    gspi_answer const *chosen =
        &first[first[why->takes].rule == GSP_NONE ? 1u - why->takes : why->takes];
    why->rule = chosen->rule;
    why->line = chosen->line;
    why->culprit = chosen->culprit;
    if (chosen->culprit != GSP_NONE) {
        const gsp_rule *r = &a->rules[chosen->rule];
        why->accepted = r->dtypes;
        if (chosen->line != GSP_NONE) {
            const gsp_table_entry *e = &r->table.entries[chosen->line];
            why->accepted = e->dtypes;
            for (uint32_t k = e->n_args; k > 0u; k--) {
                if (gspi_arg_refused(g, v, &e->args[k - 1u]) != GSP_NONE) {
                    why->arg = k - 1u;
                    why->accepted = e->args[k - 1u].dtypes;
                }
            }
        }
        (void)gspi_other_dtype(g, why->culprit, &why->accepted, &why->dtype);
    }
}

GSP_API gsp_status gsp_support_why(const gsp_graph *graph, const gsp_support_desc *desc,
                                   gsp_node node, uint32_t kind, gsp_why *why, gsp_error *err)
{
    gsp_support_desc const *d = desc == NULL ? &gspi_support_default : desc;
    GSPI_CHECK_GIVEN(graph != NULL && why != NULL);
    GSPI_TRY(gspi_support_check(graph, d, gspi_support_kinds(d), err));
    GSPI_CHECK_AT(node < graph->n_nodes && gspi_callable(graph, node), ARG, RANGE, node, GSP_NONE);
    GSPI_CHECK(kind > 0u && kind < gspi_support_kinds(d), ARG, KIND);
    int const acc = d->ignore_annotation ? -1 : gsp_node_acc(graph, node);
    gspi_set(why, 0, 1u, sizeof(*why));
    why->pin = why->rule = why->line = why->arg = why->culprit = GSP_NONE;
    for (uint32_t i = d->n_pins; i > 0u && why->pin == GSP_NONE; i--) {
        why->pin = gspi_pin_matches(&d->pins[i - 1u], graph, node) ? i - 1u : GSP_NONE;
    }
    if (why->pin != GSP_NONE) {
        why->takes = d->pins[why->pin].kind == kind ? 1u : 0u;
    } else if (acc >= 0) {
        why->annotated = 1u;
        why->takes = (uint32_t)acc == kind ? 1u : 0u;
    } else if (d->n_accelerators != 0u) {
        gspi_why_rules(graph, node, &d->accelerators[kind - 1u], kind, why);
    }
    return gspi_done(err);
}

/* -------------------------------------------------------------------------------------------------
 * >>acc_nodes   Accelerator nodes without non-tensor boundaries                    (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* A node leaves if a non-tensor value connects it to a node of another kind. It can
 * only make neighbours over such values leave: a stack of nodes that left finds the greatest
 * fixpoint and examines each edge at most once from either end. */

typedef struct gspi_acc_ws {
    const gsp_graph *g;
    gsp_placement *p;
    gsp_node *stack;   /* [n] nodes whose neighbours must be examined again */
    uint32_t *partner; /* [n] next node of the same given group, a ring */
    uint32_t n_stack;
} gspi_acc_ws;

static void gspi_acc_layout(gspi_bump *b, gspi_acc_ws *ws, uint32_t n)
{
    ws->stack = GSPI_HIGH(b, gsp_node, n);
    ws->partner = GSPI_HIGH(b, uint32_t, n);
    ws->n_stack = 0u;
}

GSP_API size_t gsp_acc_nodes_bound(const gsp_graph *graph)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_acc_ws ws;
    gspi_acc_layout(&b, &ws, graph->n_nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

/* Removes a node and its given group from their accelerator. */
static void gspi_acc_leave(gspi_acc_ws *ws, gsp_node v, gsp_reason reason, gsp_node culprit)
{
    gsp_placement *p = ws->p;
    p->kind[v] = (uint8_t)GSP_KIND_CPU;
    gspi_give_reason(p, v, reason, culprit);
    ws->stack[ws->n_stack++] = v;
    for (gsp_node u = ws->partner[v]; u != v; u = ws->partner[u]) {
        if (gspi_on_accelerator(p, u)) {
            p->kind[u] = (uint8_t)GSP_KIND_CPU;
            gspi_give_reason(p, u, GSP_REASON_GROUP, v);
            ws->stack[ws->n_stack++] = u;
        }
    }
}

/* The first callable node from v on that yields no tensor, or GSP_NONE. */
static gsp_node gspi_next_non_tensor(const gsp_graph *g, gsp_node v)
{
    const uint8_t *op = g->module->op + g->first;
    const uint8_t *out = g->module->out + g->first;
    while (v < g->n_nodes && (out[v] == (uint8_t)GSP_VALUE_TENSOR || !gspi_is_callable(op[v]))) {
        v++;
    }
    return v < g->n_nodes ? v : GSP_NONE;
}

/* Node u yields a non-tensor value: removes u and its readers where the value crosses. */
static void gspi_acc_visit(gspi_acc_ws *ws, gsp_node u)
{
    const uint8_t *kind = ws->p->kind;
    gspi_row const users = gspi_users(ws->g, u);
    for (uint32_t i = 0u; i < users.n; i++) {
        gsp_node const v = users.at[i];
        uint32_t const own = kind[u];
        int const callable = gspi_callable(ws->g, v);
        if (!callable || kind[v] != own) {
            if (callable && kind[v] != GSP_KIND_CPU) {
                gspi_acc_leave(ws, v, GSP_REASON_NON_TENSOR_IN, u);
            }
            if (own != GSP_KIND_CPU && kind[u] == own) {
                gspi_acc_leave(ws, u, GSP_REASON_NON_TENSOR_OUT, v);
            }
        }
    }
}

/* Node v has left: its neighbours over non-tensor values leave. */
static void gspi_acc_spread(gspi_acc_ws *ws, gsp_node v)
{
    gspi_row const inputs = gspi_inputs(ws->g, v);
    gspi_row const users = gspi_users(ws->g, v);
    for (uint32_t i = 0u; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        if (gspi_on_accelerator(ws->p, u) && gspi_value_kind(ws->g, u) != GSP_VALUE_TENSOR) {
            gspi_acc_leave(ws, u, GSP_REASON_NON_TENSOR_OUT, v);
        }
    }
    for (uint32_t i = 0u; i < users.n && gspi_value_kind(ws->g, v) != GSP_VALUE_TENSOR; i++) {
        if (gspi_on_accelerator(ws->p, users.at[i])) {
            gspi_acc_leave(ws, users.at[i], GSP_REASON_NON_TENSOR_IN, v);
        }
    }
}

GSP_API gsp_status gsp_acc_nodes_run(gsp_arena *arena, const gsp_graph *graph, gsp_placement *io,
                                     gsp_error *err)
{
    gspi_pass pass;
    gspi_acc_ws ws;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL);
    GSPI_TRY(gspi_check_placement(graph, io, err));

    GSPI_TRY(gspi_enter(&pass, arena, gsp_acc_nodes_bound(graph), err));
    gsp_node v = gspi_next_non_tensor(graph, 0u);
    if (v == GSP_NONE) {
        return gspi_leave(&pass, GSP_OK, err);
    }
    ws.g = graph;
    ws.p = io;
    gspi_acc_layout(&pass.bump, &ws, graph->n_nodes);
    gspi_group_rings(io->group, graph->n_nodes, ws.partner, ws.stack);
    gspi_place_groups(io, ws.partner);
    for (; v != GSP_NONE; v = gspi_next_non_tensor(graph, v + 1u)) {
        gspi_acc_visit(&ws, v);
    }
    while (ws.n_stack > 0u) {
        gspi_acc_spread(&ws, ws.stack[--ws.n_stack]);
    }
    return gspi_leave(&pass, GSP_OK, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>fuse   Fusion groups: nodes that must run in one subgraph                      (implementation)
 * ---------------------------------------------------------------------------------------------- */

#ifndef GSP_NO_FUSE

/* Components are nodes joined by values without tensor metadata or by a given group. One that has
 * such a node on an accelerator is a seed. Its closure, which must stay together, adds all nodes on
 * paths between its nodes, and their components; it does not depend on the placement.
 *
 * 1. A seed whose closure holds a node of another kind is demoted: the closure goes to the CPU. All
 *    components are contracted; the closure of a seed lies in its strongly connected component
 *    (SCC), so only seeds in SCCs of mixed kinds need their own search, a sweep forward and
 *    backward between first and last member.
 * 2. The other seeds are contracted. Each SCC must become one group, because its seeds share nodes
 *    or depend on each other. SCCs that reach into other components absorb them, and the search
 *    starts again; SCCs of mixed kinds are demoted, and all starts again.
 * 3. Given groups on the CPU are contracted too: accelerator nodes on a cycle with them leave.
 *
 * The search yields the SCCs in topological order, the order of the result. It is Tarjan's
 * algorithm in Pearce's form (one index array, one array with a stack at either end) along inputs,
 * over rings of members, without recursion: O(nodes + edges) per search. */

#define GSPI_FUSE_SEED     1u /* first node of a component with an accelerator seed */
#define GSPI_FUSE_TAKEN    2u /* first node of a component absorbed by one with a seed */
#define GSPI_FUSE_MIXED    4u /* in an SCC of mixed kinds */
#define GSPI_FUSE_IN       8u
#define GSPI_FUSE_DOWN     16u
#define GSPI_FUSE_UP       32u
#define GSPI_FUSE_NOT_ROOT 64u  /* Pearce: an older node is reachable */
#define GSPI_FUSE_MANY     128u /* first node of a component of several nodes */

typedef struct gspi_fuse {
    const gsp_graph *g;
    gsp_placement *p;
    gsp_node *order;     /* [n] the result; during the search a stack at either end */
    uint32_t *component; /* [n] first node of the component */
    uint32_t *unit;      /* [n] first node of the current contraction */
    uint32_t *member;    /* [n] next member of the unit, a ring */
    uint32_t *index;     /* [n] Pearce's index; at the end n less the rank of the SCC */
    uint32_t *at_member; /* [n] search: current member of a unit; then counts */
    uint32_t *at_input;  /* [n] search: its current input */
    uint8_t *mark;
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

GSP_API size_t gsp_fuse_bound(const gsp_graph *graph, const gsp_fuse_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_fuse f;
    (void)desc;
    gspi_fuse_layout(&b, &f, graph->n_nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

/* 1 if the value of a node carries no tensor metadata: its readers are fused with it. */
static int gspi_is_scalar(const gspi_fuse *f, gsp_node v)
{
    return !f->skip && gspi_callable(f->g, v) && gspi_value_kind(f->g, v) == GSP_VALUE_OTHER;
}

static uint32_t gspi_find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static void gspi_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    uint32_t const x = gspi_find_root(parent, a);
    uint32_t const y = gspi_find_root(parent, b);
    parent[x < y ? y : x] = x < y ? x : y;
}

static void gspi_fuse_normalise(const gspi_fuse *f)
{
    gspi_none_words(f->index, f->n);
    for (gsp_node v = 0u; v < f->n; v++) {
        uint32_t *group = &f->p->group[v];
        if (*group != GSP_NONE) {
            f->index[*group] = f->index[*group] == GSP_NONE ? v : f->index[*group];
            *group = f->index[*group];
        }
    }
}

static void gspi_fuse_components(const gspi_fuse *f)
{
    for (gsp_node v = 0u; v < f->n; v++) {
        f->component[v] = v;
        f->mark[v] = 0u;
    }
    for (gsp_node v = 0u; v < f->n; v++) {
        gspi_row const users = gspi_users(f->g, v);
        if (f->p->group[v] != GSP_NONE) {
            gspi_join(f->component, f->p->group[v], v);
        }
        for (uint32_t i = 0u; gspi_is_scalar(f, v) && i < users.n; i++) {
            if (gspi_callable(f->g, users.at[i])) {
                gspi_join(f->component, v, users.at[i]);
            }
        }
    }
    for (gsp_node v = 0u; v < f->n; v++) {
        uint32_t const first = f->component[f->component[v]];
        f->component[v] = first;
        f->mark[first] |= (uint8_t)(first != v ? GSPI_FUSE_MANY : 0u);
    }
}

static int gspi_is_seed(const gspi_fuse *f, gsp_node v)
{
    return gspi_on_accelerator(f->p, v) && (gspi_is_scalar(f, v) || f->p->group[v] != GSP_NONE);
}

static void gspi_fuse_seeds(const gspi_fuse *f)
{
    for (gsp_node v = 0u; v < f->n; v++) {
        f->mark[v] &= (uint8_t) ~(GSPI_FUSE_SEED | GSPI_FUSE_TAKEN);
    }
    for (gsp_node v = 0u; v < f->n; v++) {
        if (gspi_is_seed(f, v)) {
            f->mark[f->component[v]] |= GSPI_FUSE_SEED;
        }
    }
}

typedef enum gspi_contract {
    GSPI_CONTRACT_ALL,
    GSPI_CONTRACT_SEEDS,
    GSPI_CONTRACT_GROUPS
} gspi_contract;

static void gspi_fuse_contract(const gspi_fuse *f, gspi_contract what)
{
    for (gsp_node v = 0u; v < f->n; v++) {
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

/* The next other unit that unit r reads, or GSP_NONE. */
static uint32_t gspi_fuse_next(const gspi_fuse *f, uint32_t r)
{
    for (;;) {
        uint32_t const m = f->at_member[r];
        gspi_row const inputs = gspi_inputs(f->g, m);
        while (f->at_input[r] < inputs.n) {
            gsp_node const u = inputs.at[f->at_input[r]++];
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

/* Pearce's search. */
typedef struct gspi_scc {
    uint32_t next; /* index of the next new unit */
    uint32_t scc;  /* number of the next SCC, descending from n */
    uint32_t path; /* units on the path: low end of the stack */
    uint32_t kept; /* finished units without an SCC: high end */
} gspi_scc;

static void gspi_scc_enter(const gspi_fuse *f, gspi_scc *s, uint32_t r)
{
    f->index[r] = s->next++;
    f->at_member[r] = r;
    f->at_input[r] = 0u;
    f->mark[r] &= (uint8_t)~GSPI_FUSE_NOT_ROOT;
    f->order[s->path++] = r;
}

/* Unit r has no more inputs: it closes an SCC, or waits for an older unit. */
static void gspi_scc_leave(const gspi_fuse *f, gspi_scc *s, uint32_t r)
{
    s->path--;
    if ((f->mark[r] & GSPI_FUSE_NOT_ROOT) != 0u) {
        f->order[f->n - ++s->kept] = r;
        return;
    }
    s->next--;
    while (s->kept > 0u && f->index[f->order[f->n - s->kept]] >= f->index[r]) {
        f->index[f->order[f->n - s->kept]] = s->scc;
        s->kept--;
        s->next--;
    }
    f->index[r] = s->scc--;
}

static void gspi_scc_lower(const gspi_fuse *f, uint32_t r, uint32_t u)
{
    if (f->index[u] < f->index[r]) {
        f->index[r] = f->index[u];
        f->mark[r] |= GSPI_FUSE_NOT_ROOT;
    }
}

/* Orders all nodes by SCC, each in graph order: a counting sort by descending index. */
static void gspi_fuse_sort(const gspi_fuse *f)
{
    uint32_t *counts = f->at_member;
    uint32_t sum = 0u;
    gspi_zero_words(counts, f->n);
    for (gsp_node v = 0u; v < f->n; v++) {
        f->index[v] = f->index[f->unit[v]];
        counts[f->n - f->index[v]]++;
    }
    for (gsp_node v = 0u; v < f->n; v++) {
        uint32_t const count = counts[v];
        counts[v] = sum;
        sum += count;
    }
    for (gsp_node v = 0u; v < f->n; v++) {
        f->order[counts[f->n - f->index[v]]++] = v;
    }
}

/* Finds the SCCs of the contracted graph: index[v] names that of v; `order` is topological. */
static void gspi_fuse_sccs(const gspi_fuse *f)
{
    gspi_scc s = {1u, f->n, 0u, 0u};
    gspi_zero_words(f->index, f->n);
    for (gsp_node v = 0u; v < f->n; v++) {
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

static uint32_t gspi_scc_end(const gspi_fuse *f, uint32_t begin)
{
    uint32_t end = begin + 1u;
    while (end < f->n && f->index[f->order[end]] == f->index[f->order[begin]]) {
        end++;
    }
    return end;
}

/* The first node of order[begin .. end) of another kind than order[begin], or GSP_NONE. */
static gsp_node gspi_scc_other(const gspi_fuse *f, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin + 1u; i < end; i++) {
        if (f->p->kind[f->order[i]] != f->p->kind[f->order[begin]]) {
            return f->order[i];
        }
    }
    return GSP_NONE;
}

/* Moves a node to the CPU because of `culprit`; 1 if it was not there. */
static int gspi_fuse_leave(const gspi_fuse *f, gsp_node v, gsp_reason reason, gsp_node culprit)
{
    if (!gspi_on_accelerator(f->p, v)) {
        return 0;
    }
    f->p->kind[v] = (uint8_t)GSP_KIND_CPU;
    gspi_give_reason(f->p, v, reason, culprit);
    return 1;
}

/* Moves the accelerator nodes of an SCC of mixed kinds to the CPU. 1 if a node moved. */
static int gspi_scc_demote(const gspi_fuse *f, uint32_t begin, uint32_t end, gsp_reason reason)
{
    gsp_node const first = f->order[begin];
    gsp_node const other = gspi_scc_other(f, begin, end);
    uint32_t const kind = f->p->kind[first];
    int left = 0;
    for (uint32_t i = begin; i < end && other != GSP_NONE; i++) {
        gsp_node const v = f->order[i];
        left |= gspi_fuse_leave(f, v, reason, f->p->kind[v] == kind ? other : first);
    }
    return left;
}

/* The current closure: members carry GSPI_FUSE_IN and lie in low .. high. */
typedef struct gspi_closure {
    gsp_node low;
    gsp_node high;
} gspi_closure;

/* Adds the component of a node. `member` holds the rings of all components. */
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

/* 1 if a node of the row within low .. high carries the mark. */
static int gspi_row_marked(const gspi_fuse *f, gspi_closure c, gspi_row row, uint32_t mark)
{
    for (uint32_t i = 0u; i < row.n; i++) {
        gsp_node const u = row.at[i];
        if (u >= c.low && u <= c.high && (f->mark[u] & mark) != 0u) {
            return 1;
        }
    }
    return 0;
}

/* A sweep forward and one backward add the nodes between members. 1 if there were any. */
static int gspi_closure_sweep(const gspi_fuse *f, gspi_closure *c)
{
    gspi_closure const old = *c;
    int grown = 0;
    for (gsp_node v = old.low; v <= old.high; v++) {
        int const down = (f->mark[v] & GSPI_FUSE_IN) != 0u ||
                         gspi_row_marked(f, old, gspi_inputs(f->g, v), GSPI_FUSE_DOWN);
        f->mark[v] = (uint8_t)((f->mark[v] & ~(GSPI_FUSE_DOWN | GSPI_FUSE_UP)) |
                               (down ? GSPI_FUSE_DOWN : 0u));
    }
    for (gsp_node v = old.high + 1u; v-- > old.low;) {
        if ((f->mark[v] & GSPI_FUSE_IN) != 0u ||
            gspi_row_marked(f, old, gspi_users(f->g, v), GSPI_FUSE_UP)) {
            f->mark[v] |= GSPI_FUSE_UP;
            if ((f->mark[v] & (GSPI_FUSE_IN | GSPI_FUSE_DOWN)) == GSPI_FUSE_DOWN) {
                gspi_closure_add(f, c, v);
                grown = 1;
            }
        }
    }
    return grown;
}

/* Demotes the closure of a seed if it has mixed kinds. 1 if a node left. */
static int gspi_closure_demote(const gspi_fuse *f, gsp_node seed)
{
    uint32_t const kind = f->p->kind[seed];
    gsp_node other = GSP_NONE;
    gspi_closure c = {seed, seed};
    int left = 0;
    gspi_closure_add(f, &c, seed);
    while (gspi_closure_sweep(f, &c)) {
    }
    for (gsp_node v = c.low; v <= c.high && other == GSP_NONE; v++) {
        other = (f->mark[v] & GSPI_FUSE_IN) != 0u && f->p->kind[v] != kind ? v : GSP_NONE;
    }
    for (gsp_node v = c.low; v <= c.high; v++) {
        if ((f->mark[v] & GSPI_FUSE_IN) != 0u && other != GSP_NONE) {
            left |= gspi_fuse_leave(f, v, GSP_REASON_FUSED, f->p->kind[v] == kind ? other : seed);
        }
        f->mark[v] &= (uint8_t) ~(GSPI_FUSE_IN | GSPI_FUSE_DOWN | GSPI_FUSE_UP);
    }
    return left;
}

/* Marks the nodes in SCCs of mixed kinds, all components contracted. */
static void gspi_fuse_mark_mixed(const gspi_fuse *f)
{
    uint32_t end;
    gspi_fuse_contract(f, GSPI_CONTRACT_ALL);
    gspi_fuse_sccs(f);
    for (uint32_t begin = 0u; begin < f->n; begin = end) {
        end = gspi_scc_end(f, begin);
        if (gspi_scc_other(f, begin, end) != GSP_NONE) {
            for (uint32_t i = begin; i < end; i++) {
                f->mark[f->order[i]] |= GSPI_FUSE_MIXED;
            }
        }
    }
}

/* Demotes seeds in mixed SCCs until every closure is of one kind. */
static void gspi_fuse_demote_alone(const gspi_fuse *f)
{
    int left;
    gspi_fuse_mark_mixed(f);
    do {
        left = 0;
        for (gsp_node v = 0u; v < f->n; v++) {
            uint8_t *first = &f->mark[f->component[v]];
            if ((f->mark[v] & GSPI_FUSE_MIXED) != 0u && gspi_is_seed(f, v) &&
                (*first & GSPI_FUSE_TAKEN) == 0u) {
                *first |= GSPI_FUSE_TAKEN;
                left |= gspi_closure_demote(f, v);
            }
        }
        gspi_fuse_seeds(f);
    } while (left);
}

/* SCCs with a seed absorb the components that they reach into; 1 if there were any. */
static int gspi_scc_absorb(const gspi_fuse *f, uint32_t begin, uint32_t end)
{
    int seed = 0;
    int grown = 0;
    for (uint32_t i = begin; i < end && end - begin > 1u; i++) {
        seed |= (f->mark[f->unit[f->order[i]]] & GSPI_FUSE_SEED) != 0u;
    }
    for (uint32_t i = begin; i < end && seed; i++) {
        gsp_node const v = f->order[i];
        uint8_t *first = &f->mark[f->component[v]];
        if ((*first & (GSPI_FUSE_SEED | GSPI_FUSE_TAKEN)) == 0u) {
            *first |= GSPI_FUSE_TAKEN;
            grown |= (*first & GSPI_FUSE_MANY) != 0u;
        }
    }
    return grown;
}

/* Contracts `what` and demotes SCCs of mixed kinds. 1 if a node left. */
static int gspi_fuse_demote_together(const gspi_fuse *f, gspi_contract what)
{
    gsp_reason const reason = what == GSPI_CONTRACT_GROUPS ? GSP_REASON_GROUP : GSP_REASON_FUSED;
    uint32_t end;
    int again;
    int left = 0;
    do {
        again = 0;
        gspi_fuse_contract(f, what);
        gspi_fuse_sccs(f);
        for (uint32_t begin = 0u; begin < f->n && what == GSPI_CONTRACT_SEEDS; begin = end) {
            end = gspi_scc_end(f, begin);
            again |= gspi_scc_absorb(f, begin, end);
        }
    } while (again);
    for (uint32_t begin = 0u; begin < f->n; begin = end) {
        end = gspi_scc_end(f, begin);
        left |= gspi_scc_demote(f, begin, end, reason);
    }
    return left;
}

static int gspi_has_cpu_groups(const gspi_fuse *f)
{
    int found = 0;
    for (gsp_node v = 0u; v < f->n && !found; v++) {
        found = f->p->group[v] != GSP_NONE && f->p->kind[v] == GSP_KIND_CPU;
    }
    return found;
}

/* Numbers the final groups by first member: SCCs that are contracted or have several nodes. */
static uint32_t gspi_fuse_number(const gspi_fuse *f)
{
    uint32_t *number = f->at_member;
    uint32_t n_groups = 0u;
    uint32_t end;
    gspi_none_words(number, f->n);
    for (uint32_t begin = 0u; begin < f->n; begin = end) {
        end = gspi_scc_end(f, begin);
        if (end - begin > 1u || gspi_is_seed(f, f->order[begin])) {
            number[f->n - f->index[f->order[begin]]] = GSP_NONE - 1u;
        }
    }
    for (gsp_node v = 0u; v < f->n; v++) {
        uint32_t *id = &number[f->n - f->index[v]];
        if (*id == GSP_NONE - 1u) {
            *id = n_groups++;
        }
    }
    for (gsp_node v = 0u; v < f->n; v++) {
        f->p->group[v] = number[f->n - f->index[v]];
    }
    return n_groups;
}

static uint32_t gspi_fuse_groups(const gspi_fuse *f)
{
    int left;
    gspi_fuse_components(f);
    gspi_fuse_seeds(f);
    do {
        gspi_fuse_demote_alone(f);
        left = gspi_fuse_demote_together(f, GSPI_CONTRACT_SEEDS);
        if (!left && gspi_has_cpu_groups(f)) {
            left = gspi_fuse_demote_together(f, GSPI_CONTRACT_GROUPS);
        }
        gspi_fuse_seeds(f);
    } while (left);
    return gspi_fuse_number(f);
}

GSP_API gsp_status gsp_fuse_run(gsp_arena *arena, const gsp_graph *graph, const gsp_fuse_desc *desc,
                                gsp_placement *io, gsp_fuse_result *result, gsp_error *err)
{
    gspi_pass pass;
    gsp_fuse_desc d;
    gspi_fuse f;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL &&
                     (io == NULL || io->group != NULL));
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_TRY(gspi_check_placement(graph, io, err));

    GSPI_TRY(gspi_enter(&pass, arena, gsp_fuse_bound(graph, desc), err));
    f.g = graph;
    f.p = io;
    f.skip = d.skip != 0u;
    result->n_groups = 0u;
    result->order = NULL;
    if (gspi_wants_fusion(graph, io, f.skip) != GSP_NONE) {
        gspi_fuse_layout(&pass.bump, &f, graph->n_nodes);
        gspi_group_rings(io->group, graph->n_nodes, f.member, f.unit);
        gspi_place_groups(io, f.member);
        gspi_fuse_normalise(&f);
        result->n_groups = gspi_fuse_groups(&f);
        result->order = f.order;
    }
    return gspi_leave(&pass, GSP_OK, err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>move_non_tensor   Moving non-tensor values off boundaries                      (implementation)
 * ---------------------------------------------------------------------------------------------- */

#ifndef GSP_NO_MOVE_NON_TENSOR

/* From the last subgraph to the first, so that readers are final before their inputs, a backward
 * scan finds the only other subgraph that a node reaches, a forward scan moves readers along with
 * nodes that move, and a backward scan moves nodes whose readers have all moved. */

#define GSPI_MANY (GSP_NONE - 1u)

typedef struct gspi_boundary {
    const gsp_graph *g;
    const gsp_move_non_tensor_desc *d;
    uint32_t *of;
    uint32_t *begin;
    gsp_node *nodes;
    uint32_t *reach; /* [n] the only other subgraph, GSP_NONE: none, GSPI_MANY: several */
    uint8_t *goes;
} gspi_boundary;

static void gspi_boundary_layout(gspi_bump *b, gspi_boundary *w, uint32_t n, uint32_t n_subgraphs)
{
    w->begin = GSPI_HIGH(b, uint32_t, (size_t)n_subgraphs + 1u);
    w->nodes = GSPI_HIGH(b, gsp_node, n);
    w->reach = GSPI_HIGH(b, uint32_t, n);
    w->goes = GSPI_HIGH(b, uint8_t, n);
}

GSP_API size_t gsp_move_non_tensor_bound(const gsp_graph *graph,
                                         const gsp_move_non_tensor_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_boundary w;
    gspi_boundary_layout(&b, &w, graph->n_nodes, desc == NULL ? 0u : desc->n_subgraphs);
    return gspi_add(b.used, GSPI_SLACK);
}

/* 1 if a node could move from subgraph `own` to `to`. */
static int gspi_boundary_may(const gspi_boundary *w, gsp_node v, uint32_t own, uint32_t to)
{
    return gspi_value_kind(w->g, v) != GSP_VALUE_TENSOR && to != own && to < w->d->n_subgraphs &&
           (w->d->kind[to] == GSP_KIND_CPU || w->d->kind[to] == w->d->kind[own]) &&
           (w->d->group == NULL || w->d->group[v] == GSP_NONE);
}

static uint32_t gspi_boundary_join(uint32_t a, uint32_t b)
{
    return a == GSP_NONE || a == b ? b : b == GSP_NONE ? a : GSPI_MANY;
}

/* The subgraph of v's readers; `through` != 0: or of what readers in `own` reach. *leaves: a reader
 * is, or will be, in another. */
static uint32_t gspi_boundary_readers(const gspi_boundary *w, gsp_node v, uint32_t own, int through,
                                      int *leaves)
{
    gspi_row const users = gspi_users(w->g, v);
    uint32_t all = GSP_NONE;
    for (uint32_t i = 0u; i < users.n; i++) {
        gsp_node const u = users.at[i];
        if (gspi_callable(w->g, u)) {
            int const inside = w->of[u] == own;
            all = gspi_boundary_join(all, inside && through ? w->reach[u] : w->of[u]);
            *leaves |= !inside || w->goes[u] != 0u;
        }
    }
    return all;
}

GSPI_OWN_FRAME void gspi_boundary_reach(const gspi_boundary *w, uint32_t own)
{
    for (uint32_t i = w->begin[own + 1u]; i > w->begin[own]; i--) {
        gsp_node const v = w->nodes[i - 1u];
        int const grouped = w->d->group != NULL && w->d->group[v] != GSP_NONE;
        int leaves = 0;
        uint32_t const to = gspi_boundary_readers(w, v, own, 1, &leaves);
        w->reach[v] = grouped ? GSPI_MANY : to;
        w->goes[v] = leaves && gspi_boundary_may(w, v, own, to) ? 1u : 0u;
    }
}

/* Readers of a moving node move along. A node without readers goes to the last of its inputs. */
GSPI_OWN_FRAME void gspi_boundary_spread(const gspi_boundary *w, uint32_t own)
{
    for (uint32_t i = w->begin[own]; i < w->begin[own + 1u]; i++) {
        gsp_node const v = w->nodes[i];
        gspi_row const inputs = gspi_inputs(w->g, v);
        for (uint32_t k = 0u; k < inputs.n; k++) {
            gsp_node const u = inputs.at[k];
            if (gspi_callable(w->g, u) && w->of[u] == own && w->goes[u] != 0u) {
                uint32_t const to = w->reach[u];
                w->goes[v] = 1u;
                w->reach[v] = w->reach[v] == GSP_NONE || w->reach[v] < to ? to : w->reach[v];
            }
        }
    }
}

GSPI_OWN_FRAME uint32_t gspi_boundary_move(const gspi_boundary *w, uint32_t own)
{
    uint32_t n = 0u;
    for (uint32_t i = w->begin[own]; i < w->begin[own + 1u]; i++) {
        gsp_node const v = w->nodes[i];
        w->of[v] = w->goes[v] != 0u ? w->reach[v] : own;
        n += w->goes[v];
    }
    for (uint32_t i = w->begin[own + 1u]; i > w->begin[own]; i--) {
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

GSP_API gsp_status gsp_move_non_tensor_run(gsp_arena *arena, const gsp_graph *graph,
                                           const gsp_move_non_tensor_desc *desc,
                                           uint32_t *subgraph_of, uint32_t *n_moved, gsp_error *err)
{
    gspi_pass pass;
    gspi_boundary w;
    uint32_t moved = 0u;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && desc != NULL && subgraph_of != NULL);
    GSPI_CHECK_DESC(*desc);
    GSPI_CHECK_GIVEN(desc->kind != NULL || desc->n_subgraphs == 0u);
    GSPI_TRY(gspi_check_parts(graph, subgraph_of, desc->n_subgraphs, err));

    GSPI_TRY(gspi_enter(&pass, arena, gsp_move_non_tensor_bound(graph, desc), err));
    w.g = graph;
    w.d = desc;
    w.of = subgraph_of;
    gspi_boundary_layout(&pass.bump, &w, graph->n_nodes, desc->n_subgraphs);
    gspi_callable_rows(graph, subgraph_of, desc->n_subgraphs, w.begin, w.nodes);
    for (uint32_t i = desc->n_subgraphs; i > 0u; i--) {
        if (desc->kind[i - 1u] != GSP_KIND_CPU) {
            gspi_boundary_reach(&w, i - 1u);
            gspi_boundary_spread(&w, i - 1u);
            moved += gspi_boundary_move(&w, i - 1u);
        }
    }
    if (n_moved != NULL) {
        *n_moved = moved;
    }
    return gspi_leave(&pass, GSP_OK, err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>split   CPU and accelerator subgraphs                                          (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* 1. Placement: nodes leave accelerators (gsp_acc_nodes_run()) and form groups (gsp_fuse_run()).
 * 2. Phases: phase p is of kind (s + p) mod kinds. A node's phase is the least of its kind not
 *    below its inputs' phases, in one pass over graph order (groups: as one node, in order of
 *    fusion).
 * 3. Raw subgraphs: phases that occur are numbered, non-tensor nodes move, accelerator subgraphs
 *    above the maximum size are cut.
 * 4. Merge: small and refused accelerator subgraphs join the CPU.
 * 5. Limits: the least valuable accelerator subgraphs go to the CPU.
 * 6. Results: nodes by subgraph, and reasons. */

typedef struct gspi_split_ws {
    const gsp_graph *g;
    const gsp_split_desc *d;
    gsp_placement *p;
    uint32_t *raw_of;
    uint8_t *raw_kind;
    uint32_t *subgraph_of;
    uint8_t *kind;
    uint32_t *begin;    /* [n + 1] sizes of raw subgraphs; then the result */
    gsp_node *nodes;    /* [n] the order of fusion, if any; then the result */
    uint32_t *final_of; /* [n] subgraph of a raw subgraph */
    uint32_t *number;   /* [phases] 1: occurs; then its number among those that do */
    uint64_t *value;    /* [n] DEMOTE: of a raw subgraph */
    uint32_t *by_value; /* [n] DEMOTE: raw subgraphs on accelerators, ascending */
    uint32_t *rank_of;  /* [n] DEMOTE: subgraph_of, of raw subgraphs there */
    size_t phases;
    uint32_t n_raw;
    uint32_t n_subgraphs;
    uint32_t n_acc; /* of them on accelerators */
    int has_order;  /* 1: fusion gave an order; 0: graph order, no groups */
    int waived;     /* 1: no minimum size */
} gspi_split_ws;

static int gspi_split_demotes(const gsp_split_desc *d)
{
    return (d->limit != 0u || d->max_acc != 0u) && d->limit_policy == (uint32_t)GSP_LIMIT_DEMOTE;
}

/* Arrays after fusion; `nodes` exists if fusion gave an order. Phases must fit into 32 bits: every
 * node of a path adds less than n_kinds, and at most one with two kinds. */
static void gspi_split_layout(gspi_bump *b, gspi_split_ws *ws, uint32_t n, uint32_t n_kinds,
                              int demotes)
{
    size_t const phases = gspi_mul_add(n, n_kinds - (n_kinds > 1u ? 1u : 0u), n_kinds);
    ws->phases = phases < UINT32_MAX ? phases : SIZE_MAX;
    if (!ws->has_order) {
        ws->nodes = GSPI_LOW(b, gsp_node, n);
    }
    ws->raw_of = GSPI_LOW(b, uint32_t, n);
    ws->subgraph_of = GSPI_LOW(b, uint32_t, n);
    ws->begin = GSPI_LOW(b, uint32_t, (size_t)n + 1u);
    ws->raw_kind = GSPI_LOW(b, uint8_t, n);
    ws->kind = GSPI_LOW(b, uint8_t, n);
    ws->final_of = GSPI_HIGH(b, uint32_t, n);
    ws->number = GSPI_HIGH(b, uint32_t, ws->phases);
    ws->value = GSPI_HIGH(b, uint64_t, demotes ? n : 0u);
    ws->by_value = GSPI_HIGH(b, uint32_t, demotes ? n : 0u);
    ws->rank_of = ws->subgraph_of;
}

GSP_API gsp_split_desc gsp_split_resolve(const gsp_split_desc *desc)
{
    gsp_split_desc d;
    gspi_desc(&d, desc, sizeof(d));
    d.min_size = d.min_size == 0u ? 1u : d.min_size;
    d.prefix = d.prefix == NULL ? "_run_on_" : d.prefix;
    return d;
}

GSPI_OWN_FRAME size_t gspi_split_bytes(uint32_t n, const gsp_split_desc *d)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_split_ws ws;
    ws.has_order = 0;
    gspi_split_layout(&b, &ws, n, d == NULL || d->placement == NULL ? 2u : d->placement->n_kinds,
                      d != NULL && gspi_split_demotes(d));
    return b.used;
}

GSP_API size_t gsp_split_bound(const gsp_graph *graph, const gsp_split_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_placement p;
    size_t most = gspi_split_bytes(graph->n_nodes, desc);
#ifndef GSP_NO_MOVE_NON_TENSOR
    if (desc != NULL && desc->move_non_tensor) {
        gsp_move_non_tensor_desc const move = {0u, graph->n_nodes, NULL, NULL, 0u};
        most = gspi_add(most, gsp_move_non_tensor_bound(graph, &move));
    }
#endif
    most = gspi_max(most, gsp_acc_nodes_bound(graph));
#ifndef GSP_NO_FUSE
    most = gspi_max(most, gsp_fuse_bound(graph, NULL));
#endif
    gspi_placement_layout(&b, &p, graph->n_nodes);
    return gspi_add(gspi_add(most, b.used), GSPI_SLACK);
}

/* ---- 1. Placement ---- */

/* Copies the given placement and fills in what is missing. */
GSPI_OWN_FRAME void gspi_split_placement(const gsp_graph *g, const gsp_placement *from,
                                         gsp_placement *to)
{
    const uint8_t *op = g->module->op + g->first;
    uint32_t const n = g->n_nodes;
    to->n_nodes = n;
    to->n_kinds = from->n_kinds;
    to->trusted = 1u;
    for (gsp_node v = 0u; v < n; v++) {
        uint32_t const kind = gspi_is_callable(op[v]) ? from->kind[v] : GSP_KIND_NONE;
        gsp_reason const reason = kind == GSP_KIND_NONE  ? GSP_REASON_NONE
                                  : kind == GSP_KIND_CPU ? GSP_REASON_UNSUPPORTED
                                                         : GSP_REASON_SUPPORTED;
        to->kind[v] = (uint8_t)kind;
        to->reason[v] = from->reason == NULL ? (uint8_t)reason : from->reason[v];
        to->culprit[v] = from->culprit == NULL ? GSP_NONE : from->culprit[v];
        to->group[v] = from->group == NULL ? GSP_NONE : from->group[v];
    }
}

static gsp_status gspi_split_reduce(gsp_arena *arena, const gsp_graph *g, const gsp_split_desc *d,
                                    gsp_placement *p, gsp_fuse_result *fused, gsp_error *err)
{
    if (!d->allow_non_tensor) {
        (void)gsp_acc_nodes_run(arena, g, p, NULL);
    }
#ifndef GSP_NO_FUSE
    gsp_fuse_desc const desc = {0u, d->skip_fusion, 0u};
    return gsp_fuse_run(arena, g, &desc, p, fused, err);
#else
    gsp_node const v = gspi_wants_fusion(g, p, d->skip_fusion != 0u);
    GSPI_CHECK_AT(v == GSP_NONE, DESC, MODE, v, GSP_NONE);
    fused->n_groups = 0u;
    fused->order = NULL;
    return GSP_OK;
#endif
}

/* ---- 2. Phases ---- */

/* The lowest kind that has a node without callable input. */
static uint32_t gspi_split_start(const gsp_graph *g, const uint8_t *kind)
{
    uint32_t start = GSP_KIND_NONE;
    for (gsp_node v = 0u; v < g->n_nodes && start > 0u; v++) {
        uint32_t i;
        gspi_row const inputs = gspi_inputs(g, v);
        if (kind[v] < start) {
            for (i = 0u; i < inputs.n && kind[inputs.at[i]] == GSP_KIND_NONE; i++) {
            }
            start = i == inputs.n ? kind[v] : start;
        }
    }
    return start;
}

/* The order of kinds: `start`, `start` + 1, ..., last, 0, ... */
typedef struct gspi_turns {
    uint32_t start;
    uint32_t n_kinds;
} gspi_turns;

/* The least phase of this kind from `phase` on; 0, which does not bind, if not callable. */
static uint32_t gspi_phase_from(gspi_turns t, uint32_t phase, uint32_t kind)
{
    uint32_t const turn = kind - t.start + (kind < t.start ? t.n_kinds : 0u);
    if (kind == GSP_KIND_NONE) {
        return 0u;
    }
    uint32_t const at = t.n_kinds == 2u ? phase & 1u : phase % t.n_kinds;
    return phase + turn - at + (turn < at ? t.n_kinds : 0u);
}

static void gspi_split_order(const gsp_graph *g, const gsp_placement *p, gspi_turns turns,
                             uint32_t *phase)
{
    const uint32_t *begin = g->module->in_begin + g->first;
    const gsp_node *inputs = g->module->inputs;
    uint32_t i = begin[0];
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        uint32_t const end = begin[v + 1u];
        uint32_t latest = 0u;
        for (; i < end; i++) {
            uint32_t const input = phase[inputs[i]];
            latest = input > latest ? input : latest;
        }
        phase[v] = gspi_phase_from(turns, latest, p->kind[v]);
    }
}

#ifndef GSP_NO_FUSE
/* Phases in the order of fusion: all nodes of a group, contiguous there, get the greatest. */
static void gspi_split_order_groups(const gsp_graph *g, const gsp_placement *p, gspi_turns turns,
                                    const gsp_node *order, uint32_t *phase)
{
    const uint32_t *group = p->group;
    uint32_t end;
    for (uint32_t begin = 0u; begin < g->n_nodes; begin = end) {
        gsp_node const first = order[begin];
        uint32_t latest = 0u;
        for (end = begin; end < g->n_nodes; end++) {
            gspi_row const inputs = gspi_inputs(g, order[end]);
            if (end > begin && (group[first] == GSP_NONE || group[order[end]] != group[first])) {
                break;
            }
            for (uint32_t i = 0u; i < inputs.n; i++) {
                gsp_node const u = inputs.at[i];
                int const inside = group[u] != GSP_NONE && group[u] == group[first];
                latest = !inside && phase[u] > latest ? phase[u] : latest;
            }
        }
        latest = gspi_phase_from(turns, latest, p->kind[first]);
        for (uint32_t i = begin; i < end; i++) {
            phase[order[i]] = latest;
        }
    }
}
#endif

/* ---- 3. Raw subgraphs ---- */

/* Numbers the phases that occur: raw_of[v] becomes a raw subgraph, begin[] its size. */
static void gspi_split_number(gspi_split_ws *ws)
{
    uint32_t const n = ws->p->n_nodes;
    const uint8_t *kind = ws->p->kind;
    uint32_t *raw_of = ws->raw_of;
    uint32_t *number = ws->number;
    uint32_t top = 0u;
    uint32_t n_raw = 0u;
    gspi_zero_words(number, ws->phases);
    for (gsp_node v = 0u; v < n; v++) {
        if (kind[v] != GSP_KIND_NONE) {
            number[raw_of[v]] = 1u;
            top = raw_of[v] >= top ? raw_of[v] + 1u : top;
        }
    }
    for (uint32_t i = 0u; i < top; i++) {
        uint32_t const occurs = number[i];
        number[i] = n_raw;
        n_raw += occurs;
    }
    ws->n_raw = n_raw;
    gspi_zero_words(ws->begin, (size_t)n_raw + 1u);
    for (gsp_node v = 0u; v < n; v++) {
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

GSPI_OWN_FRAME void gspi_split_raw(gspi_split_ws *ws)
{
    gspi_turns const turns = {gspi_split_start(ws->g, ws->p->kind), ws->p->n_kinds};
#ifndef GSP_NO_FUSE
    if (ws->has_order) {
        gspi_split_order_groups(ws->g, ws->p, turns, ws->nodes, ws->raw_of);
        gspi_split_number(ws);
        return;
    }
#endif
    gspi_split_order(ws->g, ws->p, turns, ws->raw_of);
    gspi_split_number(ws);
}

#ifndef GSP_NO_MOVE_NON_TENSOR
static void gspi_split_renumber(gspi_split_ws *ws)
{
    uint32_t const n = ws->p->n_nodes;
    uint32_t n_raw = 0u;
    gspi_zero_words(ws->begin, (size_t)ws->n_raw + 1u);
    for (gsp_node v = 0u; v < n; v++) {
        if (ws->raw_of[v] != GSP_NONE) {
            ws->begin[ws->raw_of[v]]++;
        }
    }
    for (uint32_t i = 0u; i < ws->n_raw; i++) { /* new numbers never exceed old ones */
        uint32_t const size = ws->begin[i];
        ws->final_of[i] = n_raw;
        ws->raw_kind[n_raw] = ws->raw_kind[i];
        ws->begin[n_raw] = size;
        n_raw += size != 0u ? 1u : 0u;
    }
    ws->n_raw = n_raw;
    for (gsp_node v = 0u; v < n; v++) {
        if (ws->raw_of[v] != GSP_NONE) {
            ws->raw_of[v] = ws->final_of[ws->raw_of[v]];
        }
    }
}

/* Moves non-tensor nodes off the boundaries of raw subgraphs; their culprit is a reader. */
static void gspi_split_move(gspi_split_ws *ws, gsp_arena *arena)
{
    gsp_move_non_tensor_desc const d = {0u, ws->n_raw, ws->raw_kind, ws->p->group, 0u};
    gspi_copy(ws->final_of, ws->raw_of, ws->p->n_nodes, sizeof(uint32_t));
    (void)gsp_move_non_tensor_run(arena, ws->g, &d, ws->raw_of, NULL, NULL);
    for (gsp_node v = 0u; v < ws->p->n_nodes; v++) {
        if (ws->raw_of[v] != ws->final_of[v]) {
            gspi_row const users = gspi_users(ws->g, v);
            gspi_give_reason(ws->p, v, GSP_REASON_MOVED,
                             users.n > 0u && gspi_callable(ws->g, users.at[0]) ? users.at[0]
                                                                               : GSP_NONE);
        }
    }
    gspi_split_renumber(ws);
}
#endif

/* A size limit of a kind; 0: none. */
static uint32_t gspi_size_limit(const uint32_t *sizes, uint32_t size, uint32_t kind)
{
    return kind == GSP_KIND_CPU ? 0u : sizes == NULL ? size : sizes[kind];
}

/* Numbers the raw subgraphs anew, those on accelerators cut at the maximum size, in topological
 * order with contiguous groups. A group above it is a CPU subgraph. */
GSPI_OWN_FRAME void gspi_split_cut(gspi_split_ws *ws)
{
    const uint32_t *group = ws->p->group;
    uint32_t *at = ws->number;
    gsp_node *nodes = ws->final_of; /* by raw subgraph */
    uint32_t n = 0u;
    uint32_t end;
    uint32_t last = GSP_NONE;
    for (uint32_t i = 0u; i < ws->n_raw; i++) {
        at[i] = n;
        n += ws->begin[i];
        ws->kind[i] = ws->raw_kind[i];
    }
    for (uint32_t i = 0u; i < ws->p->n_nodes; i++) {
        gsp_node const v = ws->has_order ? ws->nodes[i] : i;
        if (ws->raw_of[v] != GSP_NONE) {
            nodes[at[ws->raw_of[v]]++] = v;
        }
    }
    ws->n_raw = 0u;
    for (uint32_t i = 0u; i < n; i = end) {
        uint32_t const old = ws->raw_of[nodes[i]];
        uint32_t const limit =
            gspi_size_limit(ws->d->max_sizes, ws->d->max_size, ws->kind[old]) - 1u;
        uint32_t const id = group[nodes[i]];
        end = i + 1u;
        while (end < n && id != GSP_NONE && group[nodes[end]] == id) {
            end++;
        }
        int const large = end - i - 1u > limit;
        if (old != last || ws->begin[ws->n_raw - 1u] + (end - i) - 1u > limit) {
            ws->raw_kind[ws->n_raw] = (uint8_t)(large ? GSP_KIND_CPU : ws->kind[old]);
            ws->begin[ws->n_raw++] = 0u;
        }
        last = old;
        for (uint32_t k = i; k < end; k++) {
            ws->raw_of[nodes[k]] = ws->n_raw - 1u;
            ws->begin[ws->n_raw - 1u]++;
            if (large) {
                gspi_give_reason(ws->p, nodes[k], GSP_REASON_LARGE, GSP_NONE);
            }
        }
    }
}

/* ---- 4. Small and refused subgraphs ---- */

/* 1 for a raw subgraph on an accelerator with the minimum size. */
static int gspi_split_is_enough(const gspi_split_ws *ws, uint32_t raw)
{
    uint32_t const size = ws->begin[raw];
    uint32_t const kind = ws->raw_kind[raw];
    return kind != GSP_KIND_CPU && size != 0u &&
           (ws->waived || size >= gspi_size_limit(ws->d->min_sizes, ws->d->min_size, kind));
}

/* Calls accept for accelerator subgraphs of sufficient size; begin[] of refused ones becomes 0. */
GSPI_OWN_FRAME void gspi_split_accept(gspi_split_ws *ws)
{
    uint32_t *row = ws->subgraph_of; /* [n_raw + 1], as the output is in no subgraph */
    gspi_rows(ws->raw_of, ws->p->n_nodes, ws->n_raw, row, ws->nodes);
    for (uint32_t i = 0u; i < ws->n_raw; i++) {
        gsp_subgraph const s = {ws->raw_kind[i], ws->begin[i], ws->nodes + row[i]};
        if (gspi_split_is_enough(ws, i) && !ws->d->accept(ws->d->user, ws->g, &s)) {
            for (uint32_t k = 0u; k < s.n_nodes; k++) {
                gspi_give_reason(ws->p, s.nodes[k], GSP_REASON_REFUSED, GSP_NONE);
            }
            ws->begin[i] = 0u;
        }
    }
}

/* Moves small accelerator subgraphs and those of a rank below `demoted` to the CPU, merges
 * neighbours there, and returns how many moved. */
GSPI_OWN_FRAME uint32_t gspi_split_merge(gspi_split_ws *ws, uint32_t demoted)
{
    uint32_t n = 0u;
    uint32_t n_left = 0u;
    ws->n_acc = 0u;
    for (uint32_t i = 0u; i < ws->n_raw; i++) {
        int const stays =
            gspi_split_is_enough(ws, i) && (demoted == 0u || ws->rank_of[i] >= demoted);
        uint32_t const kind = stays ? ws->raw_kind[i] : GSP_KIND_CPU;
        if (n == 0u || stays || ws->kind[n - 1u] != GSP_KIND_CPU) {
            ws->kind[n++] = (uint8_t)kind;
        }
        ws->final_of[i] = n - 1u;
        ws->n_acc += stays ? 1u : 0u;
        n_left += kind != ws->raw_kind[i] ? 1u : 0u;
    }
    ws->n_subgraphs = n;
    return n_left;
}

static int gspi_split_is_full(const gsp_graph *g, const uint8_t *kind)
{
    int full = 1;
    for (gsp_node v = 0u; v < g->n_nodes && full; v++) {
        full = kind[v] != GSP_KIND_CPU || !gspi_callable(g, v);
    }
    return full;
}

/* 1 if a node went to the CPU before; its reason stays. */
static int gspi_split_has_left(const gspi_split_ws *ws, gsp_node v)
{
    uint32_t const reason = ws->p->reason[v];
    return reason == (uint32_t)GSP_REASON_SMALL || reason == (uint32_t)GSP_REASON_REFUSED ||
           ws->raw_kind[ws->raw_of[v]] == GSP_KIND_CPU;
}

/* Sets the reason of nodes whose subgraph has just gone to the CPU. */
static void gspi_split_reasons(gspi_split_ws *ws, gsp_reason reason)
{
    for (gsp_node v = 0u; v < ws->p->n_nodes; v++) {
        if (gspi_on_accelerator(ws->p, v) && !gspi_split_has_left(ws, v) &&
            ws->kind[ws->final_of[ws->raw_of[v]]] == GSP_KIND_CPU) {
            gspi_give_reason(ws->p, v, reason, GSP_NONE);
        }
    }
}

/* ---- 5. Limits ---- */

/* Ranks the raw subgraphs on accelerators by ascending value. */
static void gspi_split_rank(gspi_split_ws *ws)
{
    const uint64_t *value = ws->d->value;
    uint32_t n = 0u;
    gspi_set(ws->value, 0, ws->n_raw, sizeof(uint64_t));
    for (gsp_node v = 0u; v < ws->p->n_nodes; v++) {
        if (ws->raw_of[v] != GSP_NONE) {
            uint64_t *sum = &ws->value[ws->raw_of[v]];
            *sum = gspi_sum(*sum, value == NULL ? 1u : value[v]);
        }
    }
    for (uint32_t i = 0u; i < ws->n_raw; i++) {
        if (gspi_split_is_enough(ws, i)) {
            ws->by_value[n++] = i;
        }
    }
    gspi_sort(ws->by_value, n, ws->value);
    for (uint32_t i = 0u; i < n; i++) {
        ws->rank_of[ws->by_value[i]] = i;
    }
}

/* Demotes the least valuable accelerator subgraphs until the limits hold, by bisection: demoting
 * more never leaves more. */
static void gspi_split_demote(gspi_split_ws *ws, uint32_t limit, uint32_t max_acc)
{
    uint32_t high = ws->n_acc;
    uint32_t low = high > max_acc ? high - max_acc : 0u;
    gspi_split_rank(ws);
    while (low < high) {
        uint32_t const middle = low + (high - low) / 2u;
        (void)gspi_split_merge(ws, middle);
        if (ws->n_subgraphs > limit) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    (void)gspi_split_merge(ws, low);
}

GSPI_OWN_FRAME gsp_status gspi_split_limit(gspi_split_ws *ws, gsp_error *err)
{
    const gsp_split_desc *d = ws->d;
    uint32_t const limit = d->limit == 0u ? UINT32_MAX : d->limit;
    uint32_t const max_acc = d->max_acc == 0u ? UINT32_MAX : d->max_acc;
    int const many = ws->n_subgraphs > limit;
    if (!many && ws->n_acc <= max_acc) {
        return GSP_OK;
    }
    if (d->limit_policy == (uint32_t)GSP_LIMIT_ERROR) {
        return gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_SUBGRAPHS,
                                many ? ws->n_subgraphs : ws->n_acc, many ? limit : max_acc);
    }
    gspi_split_demote(ws, limit, max_acc);
    gspi_split_reasons(ws, GSP_REASON_LIMIT);
    return GSP_OK;
}

/* ---- 6. Results ---- */

GSPI_OWN_FRAME void gspi_split_commit(gspi_split_ws *ws, gsp_split_result *result)
{
    for (gsp_node v = 0u; v < ws->p->n_nodes; v++) {
        uint32_t const raw = ws->raw_of[v];
        ws->subgraph_of[v] = raw == GSP_NONE ? GSP_NONE : ws->final_of[raw];
    }
    gspi_rows(ws->subgraph_of, ws->p->n_nodes, ws->n_subgraphs, ws->begin, ws->nodes);
    result->n_nodes = ws->p->n_nodes;
    result->n_kinds = ws->p->n_kinds;
    result->n_raw = ws->n_raw;
    result->n_subgraphs = ws->n_subgraphs;
    result->kind = ws->p->kind;
    result->reason = ws->p->reason;
    result->culprit = ws->p->culprit;
    result->group = ws->p->group;
    result->raw_of = ws->raw_of;
    result->raw_kind = ws->raw_kind;
    result->subgraph_of = ws->subgraph_of;
    result->subgraph_kind = ws->kind;
    result->subgraph_begin = ws->begin;
    result->nodes = ws->nodes;
    result->prefix = ws->d->prefix == NULL ? "_run_on_" : ws->d->prefix;
    result->names = ws->d->names;
}

GSPI_OWN_FRAME gsp_status gspi_split_make(gspi_pass *pass, const gsp_graph *g,
                                          const gsp_split_desc *d, gsp_placement *p,
                                          const gsp_fuse_result *fused, gsp_split_result *result,
                                          gsp_error *err)
{
    gspi_split_ws ws;
    ws.g = g;
    ws.d = d;
    ws.p = p;
    ws.nodes = (gsp_node *)(uintptr_t)fused->order;
    ws.has_order = fused->order != NULL;
    gspi_split_layout(&pass->bump, &ws, g->n_nodes, p->n_kinds, gspi_split_demotes(d));
    gspi_split_raw(&ws);
#ifndef GSP_NO_MOVE_NON_TENSOR
    if (d->move_non_tensor) {
        gspi_split_move(&ws, pass->bump.arena);
    }
#endif
    if (d->max_size != 0u || d->max_sizes != NULL) {
        gspi_split_cut(&ws);
    }
    ws.waived = d->waive_min_size != 0u && gspi_split_is_full(g, d->placement->kind);
    if (d->accept != NULL) {
        gspi_split_accept(&ws);
    }
    if (gspi_split_merge(&ws, 0u) > 0u) {
        gspi_split_reasons(&ws, GSP_REASON_SMALL);
    }
    GSPI_TRY(gspi_split_limit(&ws, err));
    gspi_split_commit(&ws, result);
    result->n_groups = fused->n_groups;
    return GSP_OK;
}

GSP_API gsp_status gsp_split_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_split_desc *desc, gsp_split_result *result,
                                 gsp_error *err)
{
    gspi_pass pass;
    gsp_placement p;
    gsp_fuse_result fused;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && desc != NULL && result != NULL);
    GSPI_CHECK_DESC(*desc);
    GSPI_CHECK(desc->limit_policy < (uint32_t)GSP_LIMIT_COUNT, DESC, CHOICE);
#ifdef GSP_NO_MOVE_NON_TENSOR
    GSPI_CHECK(desc->move_non_tensor == 0u, DESC, MODE);
#endif
    GSPI_TRY(gspi_check_placement(graph, desc->placement, err));

    GSPI_TRY(gspi_enter(&pass, arena, gsp_split_bound(graph, desc), err));
    gspi_placement_layout(&pass.bump, &p, graph->n_nodes);
    gspi_split_placement(graph, desc->placement, &p);
    gsp_status status = gspi_split_reduce(arena, graph, desc, &p, &fused, err);
    if (status == GSP_OK) {
        status = gspi_split_make(&pass, graph, desc, &p, &fused, result, err);
    }
    return gspi_leave(&pass, status, err);
}

GSP_API size_t gsp_split_tag(const gsp_split_result *result, uint32_t subgraph, char *buffer,
                             size_t size)
{
    char digits[2][20];
    size_t n = 0u;
    if (subgraph < result->n_subgraphs) {
        uint32_t const kind = result->subgraph_kind[subgraph];
        int const numbered = result->names == NULL && kind != GSP_KIND_CPU && result->n_kinds > 2u;
        const char *name = result->names != NULL  ? result->names[kind]
                           : kind == GSP_KIND_CPU ? "cpu"
                                                  : "acc";
        gsp_str parts[5];
        parts[0] = gsp_str_of(result->prefix);
        parts[1] = gsp_str_of(name);
        parts[2] = gspi_slice(digits[0], 0u, numbered ? gspi_decimal(kind, digits[0]) : 0u);
        parts[3] = gspi_slice("_", 0u, 1u);
        parts[4] = gspi_slice(digits[1], 0u, gspi_decimal(subgraph, digits[1]));
        for (uint32_t i = 0u; i < 5u; i++) {
            for (uint32_t k = 0u; k < parts[i].size; k++, n++) {
                if (n + 1u < size) {
                    buffer[n] = parts[i].data[k];
                }
            }
        }
    }
    if (size > 0u) {
        buffer[n < size ? n : size - 1u] = '\0';
    }
    return n;
}

/* -------------------------------------------------------------------------------------------------
 * >>split_by_tags   A module from tags                                             (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Bytes of all names; without names 32 bytes each. */
static size_t gspi_tags_name_bytes(const gsp_split_by_tags_desc *d)
{
    size_t bytes = d->names == NULL ? gspi_mul_add(d->n_tags, 32u, 0u) : 0u;
    for (uint32_t i = 0u; d->names != NULL && i < d->n_tags; i++) {
        bytes = gspi_add(bytes, d->names[i].size);
    }
    return bytes;
}

static void gspi_tags_layout(gspi_bump *b, gspi_cut *w, const gsp_graph *g, uint32_t n_tags)
{
    gsp_counts const counts = gsp_graph_counts(g);
    gspi_cut_layout(b, w, &counts, n_tags);
    w->root_of = GSPI_HIGH(b, gsp_node, counts.nodes);
}

static size_t gspi_tags_bytes(const gsp_graph *g, uint32_t n_tags, size_t name_bytes)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_cut w;
    gsp_counts const made = gspi_cut_counts(&g->module->counts, n_tags, name_bytes);
    gspi_tags_layout(&b, &w, g, n_tags);
    return gspi_add(gspi_add(b.used, GSPI_SLACK), gsp_build_bound(&made));
}

GSP_API size_t gsp_split_by_tags_bound(const gsp_graph *graph, const gsp_split_by_tags_desc *desc)
{
    return desc == NULL ? gspi_tags_bytes(graph, 0u, 0u)
                        : gspi_tags_bytes(graph, desc->n_tags, gspi_tags_name_bytes(desc));
}

/* The builder only fails for a damaged input, or a name of a child graph or of another tag. */
static gsp_status gspi_tags_make(gspi_cut *w, gsp_arena *arena, const gsp_split_by_tags_desc *d,
                                 gsp_module *made, gsp_error *err)
{
    gsp_counts const counts =
        gspi_cut_counts(&w->g->module->counts, d->n_tags, gspi_tags_name_bytes(d));
    const gsp_error *e = &w->b->error;
    gspi_cut_nodes(w);
    for (uint32_t i = 0u; i < d->n_tags; i++) {
        GSPI_CHECK_ITEM(w->part_begin[i] < w->part_begin[i + 1u], ARG, TAG_EMPTY, TAG, i, GSP_NONE);
    }
    gspi_cut_start(w);
    (void)gsp_build_init(w->b, arena, &counts, NULL);
    gsp_build_adopt(w->b, w->g->module);
    if (gspi_cut_write(w, NULL, d->n_tags, NULL, made) == GSP_OK) {
        return GSP_OK;
    }
    GSPI_CHECK_ITEM(e->status != GSP_STATUS_DUPLICATE || e->detail != GSP_DETAIL_MODULE_NAME, ARG,
                    TAG_NAME, TAG, (e->node <= d->n_tags ? e->node : e->other) - 1u, GSP_NONE);
    return gspi_fail_plain(err, GSPI_CODE(DAMAGED, ROWS, NONE));
}

GSP_API gsp_status gsp_split_by_tags_run(gsp_arena *arena, const gsp_graph *graph,
                                         const gsp_split_by_tags_desc *desc,
                                         gsp_split_by_tags_result *result, gsp_error *err)
{
    gspi_pass pass;
    gspi_cut w;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && desc != NULL && result != NULL);
    GSPI_CHECK_DESC(*desc);
    GSPI_CHECK(graph->n_nodes != 0u, ARG, RANGE);
    GSPI_CHECK_GIVEN(desc->tag_of != NULL && (desc->names != NULL || desc->n_tags == 0u));
    for (uint32_t i = 0u; i < desc->n_tags; i++) {
        GSPI_CHECK_ITEM(desc->names[i].data != NULL && gspi_is_part_name(desc->names[i]), ARG,
                        TAG_NAME, TAG, i, GSP_NONE);
    }
    GSPI_TRY(gspi_check_parts(graph, desc->tag_of, desc->n_tags, err));

    GSPI_TRY(gspi_enter(&pass, arena, gsp_split_by_tags_bound(graph, desc), err));
    gspi_tags_layout(&pass.bump, &w, graph, desc->n_tags);
    w.g = graph;
    w.part_of = desc->tag_of;
    w.names = desc->names;
    w.target = graph->module->target + graph->first;
    w.in_name = NULL;
    w.pass_attrs = 0;
    w.return_tuple = desc->return_tuple != 0u;
    gsp_status const status = gspi_tags_make(&w, arena, desc, &result->module, err);
    if (status == GSP_OK) {
        result->graph_of = w.graph_of;
        result->node_of = w.node_of;
    }
    return gspi_leave(&pass, status, err);
}

/* ---- Support, split and tags in one call ---- */

typedef struct gspi_subgraphs {
    gsp_split_subgraphs_desc d;
    gsp_split_subgraphs_result *r;
    gsp_str *names;
    char *chars;
    size_t size; /* of the longest tag with its NUL */
    uint32_t n_kinds;
    uint32_t most; /* maximum number of subgraphs */
} gspi_subgraphs;

static void gspi_subgraphs_layout(gspi_bump *b, gspi_subgraphs *w, const gsp_graph *g)
{
    const gsp_split_desc *s = &w->d.split;
    size_t longest = 6u; /* "acc255" */
    for (uint32_t k = 0u; s->names != NULL && k < w->n_kinds; k++) {
        longest = gspi_max(longest, gsp_str_of(s->names[k]).size);
    }
    w->size = longest + gsp_str_of(s->prefix == NULL ? "_run_on_" : s->prefix).size + 12u;
    w->most = s->limit != 0u && s->limit < g->n_nodes ? s->limit : g->n_nodes;
    w->r = GSPI_HIGH(b, gsp_split_subgraphs_result, 1u);
    w->names = GSPI_HIGH(b, gsp_str, w->most);
    w->chars = GSPI_HIGH(b, char, gspi_mul_add(w->most, w->size, 0u));
}

static void gspi_subgraphs_start(gspi_subgraphs *w, const gsp_split_subgraphs_desc *desc)
{
    gspi_desc(&w->d, desc, sizeof(w->d));
    w->n_kinds = w->d.split.placement != NULL ? w->d.split.placement->n_kinds
                                              : gspi_support_kinds(&w->d.support);
}

GSP_API size_t gsp_split_subgraphs_bound(const gsp_graph *graph,
                                         const gsp_split_subgraphs_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_placement placement;
    gspi_subgraphs w;
    gspi_subgraphs_start(&w, desc);
    placement.n_kinds = w.n_kinds;
    (void)GSPI_HIGH(&b, gspi_subgraphs, 1u);
    gspi_subgraphs_layout(&b, &w, graph);
    if (w.d.split.placement == NULL) {
        b.used = gspi_add(b.used, gsp_support_bound(graph, &w.d.support));
        w.d.split.placement = &placement;
    }
    b.used = gspi_add(b.used, gsp_split_bound(graph, &w.d.split));
    b.used = gspi_add(b.used, gspi_tags_bytes(graph, w.most, gspi_mul_add(w.most, w.size, 0u)));
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API gsp_status gsp_split_subgraphs_run(gsp_arena *arena, const gsp_graph *graph,
                                           const gsp_split_subgraphs_desc *desc,
                                           gsp_split_subgraphs_result *result, gsp_error *err)
{
    gspi_pass pass;
    gsp_split_by_tags_desc tags = {0u, 0u, NULL, NULL, 0u, 0u};
    gsp_status status = GSP_OK;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    GSPI_CHECK(desc == NULL || (desc->start_canary == 0u && desc->end_canary == 0u), DESC, CANARY);
    GSPI_TRY(gspi_enter(&pass, arena, gsp_split_subgraphs_bound(graph, desc), err));
    gspi_subgraphs *w = GSPI_HIGH(&pass.bump, gspi_subgraphs, 1u);
    gspi_subgraphs_start(w, desc);
    gspi_subgraphs_layout(&pass.bump, w, graph);
    if (w->d.split.placement != NULL) {
        w->r->placement = *w->d.split.placement;
    } else {
        status = gsp_support_run(arena, graph, &w->d.support, &w->r->placement, err);
        w->d.split.placement = &w->r->placement;
    }
    if (status == GSP_OK) {
        status = gsp_split_run(arena, graph, &w->d.split, &w->r->split, err);
    }
    if (status == GSP_OK) {
        for (uint32_t i = 0u; i < w->r->split.n_subgraphs; i++) {
            char *tag = w->chars + i * w->size;
            w->names[i] = gspi_slice(tag, 0u, gsp_split_tag(&w->r->split, i, tag, w->size));
        }
        tags.n_tags = w->r->split.n_subgraphs;
        tags.tag_of = w->r->split.subgraph_of;
        tags.names = w->names;
        tags.return_tuple = w->d.return_tuple;
        status = gsp_split_by_tags_run(arena, graph, &tags, &w->r->subgraphs, err);
    }
    if (status == GSP_OK) {
        *result = *w->r;
    }
    return gspi_leave(&pass, status, err);
}

GSP_API gsp_node gsp_split_by_tags_find(const gsp_graph *input,
                                        const gsp_split_by_tags_result *result, gsp_node old,
                                        uint32_t graph)
{
    if (graph >= result->module.counts.graphs || old >= input->n_nodes) {
        return GSP_NONE;
    }
    if (result->graph_of[old] == graph) {
        return result->node_of[old];
    }
    gsp_graph g = gspi_graph(&result->module, graph);
    gsp_atom name = gspi_name_id(input, old);
    for (gsp_node v = 0u; v + 1u < g.n_nodes; v++) {
        if (gspi_name_id(&g, v) == name && !gspi_callable(&g, v)) {
            return v;
        }
    }
    return GSP_NONE;
}

/* -------------------------------------------------------------------------------------------------
 * >>split_module   split_module: a module from any assignment                      (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Kahn's algorithm over distinct pairs of parts, with a stack as in the reference, orders them.
 * Then called modules get free names in their submodules, and the parts are cut. */

#define GSPI_PARTS_ROOT (GSP_NONE - 1u) /* the name space apart from those of graphs */

typedef struct gspi_parts {
    gspi_cut cut;
    gsp_split_module_desc d;
    gsp_counts counts; /* upper bounds of the result */
    uint32_t n_parts;  /* parts that have nodes */
    uint32_t n_qualnames;
    uint32_t n_pairs;
    uint32_t *part; /* [parts] result: parts in call order */
    gsp_node *call;
    gsp_qualname *qualnames;
    uint32_t *pair_from; /* [edges] part that is read, in order of first use */
    uint32_t *pair_to;   /* [edges] and its reader */
    uint32_t *row_begin;
    uint32_t *row;     /* [edges] distinct readers of a part, in order of first use */
    uint32_t *missing; /* [parts] predecessors not yet ordered */
    uint32_t *ready;
    uint32_t *first;
    uint32_t *place; /* [parts] position in an order, or a mark */
    gsp_str *names;
    gsp_atom *target;
    gsp_atom *in_name;
    gspi_names taken;
    gsp_atom *flat;      /* [strings] flattened target */
    uint32_t *flat_mark; /* [strings] the space of flat */
} gspi_parts;

GSP_API gsp_split_module_desc gsp_split_module_resolve(const gsp_split_module_desc *desc)
{
    gsp_split_module_desc d;
    gspi_desc(&d, desc, sizeof(d));
    d.prefix = d.prefix == NULL ? "submod_" : d.prefix;
    return d;
}

static void gspi_parts_layout(gspi_bump *b, gspi_parts *w, const gsp_graph *g)
{
    const gsp_split_module_desc *d = &w->d;
    gsp_counts const c = gsp_graph_counts(g);
    gsp_counts const *all = &g->module->counts;
    size_t const n_parts = d->n_parts;
    size_t const edges = d->number_inputs != 0u ? c.edges : 0u;
    size_t const prefix = gsp_str_of(d->prefix).size;
    size_t bytes = 0u;
    for (uint32_t i = 0u; i < d->n_parts; i++) {
        bytes = gspi_add(bytes, prefix + (d->names == NULL ? 10u : d->names[i].size) + 11u);
    }
    /* per node a flattened and a numbered target, and a numbered input */
    uint64_t const more = (uint64_t)all->nodes * (d->number_inputs != 0u ? 4u : 2u);
    w->counts = gspi_cut_counts(all, d->n_parts, bytes);
    w->counts.strings = gspi_cut_count(w->counts.strings + more);
    w->counts.bytes = gspi_cut_count(w->counts.bytes + 15u * more + 2u * (uint64_t)all->bytes);
    gspi_cut_layout(b, &w->cut, &c, d->n_parts);
    w->cut.root_of = GSPI_LOW(b, gsp_node, c.nodes);
    w->part = GSPI_LOW(b, uint32_t, n_parts);
    w->call = GSPI_LOW(b, gsp_node, n_parts);
    w->qualnames = GSPI_LOW(b, gsp_qualname, c.nodes);
    w->pair_from = GSPI_HIGH(b, uint32_t, c.edges);
    w->pair_to = GSPI_HIGH(b, uint32_t, c.edges);
    w->row_begin = GSPI_HIGH(b, uint32_t, n_parts + 1u);
    w->row = GSPI_HIGH(b, uint32_t, c.edges);
    w->missing = GSPI_HIGH(b, uint32_t, n_parts);
    w->ready = GSPI_HIGH(b, uint32_t, n_parts);
    w->first = GSPI_HIGH(b, uint32_t, n_parts);
    w->place = GSPI_HIGH(b, uint32_t, n_parts);
    w->names = GSPI_HIGH(b, gsp_str, n_parts);
    w->target = GSPI_HIGH(b, gsp_atom, c.nodes);
    w->in_name = GSPI_HIGH(b, gsp_atom, edges);
    w->taken.of = GSPI_HIGH(b, gspi_name, w->counts.strings);
    w->flat = GSPI_HIGH(b, gsp_atom, w->counts.strings);
    w->flat_mark = GSPI_HIGH(b, uint32_t, w->counts.strings);
}

/* Bytes without those of the builder, whose counts it sets. */
GSPI_OWN_FRAME size_t gspi_parts_bytes(const gsp_graph *g, const gsp_split_module_desc *desc,
                                       gsp_counts *counts)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_parts w;
    w.d = gsp_split_module_resolve(desc);
    (void)GSPI_HIGH(&b, gspi_parts, 1u);
    gspi_parts_layout(&b, &w, g);
    *counts = w.counts;
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API size_t gsp_split_module_bound(const gsp_graph *graph, const gsp_split_module_desc *desc)
{
    gsp_counts counts;
    size_t const bytes = gspi_parts_bytes(graph, desc, &counts);
    return gspi_add(bytes, gsp_build_bound(&counts));
}

/* Distinct readers in order of first use, and the number of parts that each part reads. */
static void gspi_parts_readers(gspi_parts *w)
{
    const gspi_cut *c = &w->cut;
    uint32_t kept = 0u;
    w->n_pairs = 0u;
    for (gsp_node v = 0u; v < c->g->n_nodes; v++) {
        gspi_row const inputs = gspi_inputs(c->g, v);
        for (uint32_t i = 0u; i < inputs.n && gspi_callable(c->g, v); i++) {
            if (gspi_cut_crosses(c, inputs.at[i], v)) {
                w->pair_from[w->n_pairs] = c->part_of[inputs.at[i]];
                w->pair_to[w->n_pairs++] = c->part_of[v];
            }
        }
    }
    gspi_rows(w->pair_from, w->n_pairs, c->n_parts, w->row_begin, w->row);
    gspi_zero_words(w->missing, c->n_parts);
    gspi_zero_words(w->place, c->n_parts);
    for (uint32_t part = 0u; part < c->n_parts; part++) {
        uint32_t i = w->row_begin[part];
        w->row_begin[part] = kept;
        for (; i < w->row_begin[part + 1u]; i++) {
            uint32_t const reader = w->pair_to[w->row[i]];
            if (w->place[reader] != part + 1u) {
                w->place[reader] = part + 1u;
                w->missing[reader]++;
                w->row[kept++] = reader;
            }
        }
    }
    w->row_begin[c->n_parts] = kept;
}

/* Two parts on a cycle and one in between: a walk back over unordered parts to a repeated one. */
static gsp_status gspi_parts_cycle(const gspi_parts *w, gsp_error *err)
{
    uint32_t *reads = w->ready; /* a predecessor not yet ordered */
    uint32_t part = GSP_NONE;
    gspi_zero_words(w->place, w->cut.n_parts);
    for (uint32_t i = w->n_pairs; i > 0u; i--) {
        if (w->missing[w->pair_from[i - 1u]] != 0u && w->missing[w->pair_to[i - 1u]] != 0u) {
            reads[w->pair_to[i - 1u]] = w->pair_from[i - 1u];
        }
    }
    for (uint32_t i = w->n_parts; i > 0u; i--) {
        part = w->missing[w->first[i - 1u]] != 0u ? w->first[i - 1u] : part;
    }
    while (w->place[part] == 0u) {
        w->place[part] = 1u;
        part = reads[part];
    }
    (void)gspi_fail_item(err, GSP_STATUS_CYCLE, GSP_DETAIL_PARTS_CYCLE, GSP_WHAT_PART, reads[part],
                         part);
    if (err != NULL) {
        err->need = reads[reads[part]];
    }
    return GSP_STATUS_CYCLE;
}

/* Calls in original order, if no part reads a later one. */
static gsp_status gspi_parts_keep_order(gspi_parts *w, gsp_error *err)
{
    for (uint32_t i = 0u; i < w->n_parts; i++) {
        w->part[i] = w->first[i];
        w->place[w->first[i]] = i;
    }
    for (uint32_t i = 0u; i < w->n_pairs; i++) {
        GSPI_CHECK_ITEM(w->place[w->pair_from[i]] <= w->place[w->pair_to[i]], CYCLE, PARTS_ORDER,
                        PART, w->pair_to[i], w->pair_from[i]);
    }
    return GSP_OK;
}

/* The order of the calls; the work list starts in order of first nodes. */
GSPI_OWN_FRAME gsp_status gspi_parts_order(gspi_parts *w, gsp_error *err)
{
    const gspi_cut *c = &w->cut;
    gspi_kahn k = gspi_kahn_start(w->ready, w->missing, (uint32_t)GSP_TOPO_ORDER_STACK);
    uint32_t n_out = 0u;
    uint32_t part;
    gspi_parts_readers(w);
    w->n_parts = 0u;
    for (gsp_node v = 0u; v < c->g->n_nodes; v++) {
        if (gspi_callable(c->g, v) && c->part_nodes[c->part_begin[c->part_of[v]]] == v) {
            part = c->part_of[v];
            w->first[w->n_parts++] = part;
            if (w->missing[part] == 0u) {
                gspi_kahn_push(&k, part);
            }
        }
    }
    while ((part = gspi_kahn_next(&k)) != GSP_NONE) {
        w->part[n_out++] = part;
        for (uint32_t i = w->row_begin[part]; i < w->row_begin[part + 1u]; i++) {
            gspi_kahn_met(&k, w->row[i]);
        }
    }
    if (n_out != w->n_parts) {
        return gspi_parts_cycle(w, err);
    }
    return w->d.keep_order != 0u ? gspi_parts_keep_order(w, err) : GSP_OK;
}

/* 1 for a call of a module that is no child graph: its target is flattened. */
static int gspi_parts_is_leaf(const gspi_parts *w, gsp_node v)
{
    return gspi_op(w->cut.g, v) == GSP_OP_CALL_MODULE && gspi_child_of(w->cut.g, v) == GSP_NONE;
}

/* Reserves names of child graphs, attributes, called modules and their flat targets. */
static void gspi_parts_reserve(gspi_parts *w)
{
    const gsp_graph *g = w->cut.g;
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        gsp_atom const t = gspi_target_id(g, v);
        gsp_op const op = gspi_op(g, v);
        if (op == GSP_OP_GET_ATTR || op == GSP_OP_CALL_MODULE) {
            gspi_name_at(&w->taken, t)->space = GSPI_PARTS_ROOT;
        }
        if (op == GSP_OP_CALL_MODULE && w->flat_mark[t] == 0u) {
            w->flat_mark[t] = GSPI_PARTS_ROOT;
            gspi_name_at(&w->taken, gspi_build_flat(w->cut.b, gspi_target_str(g, v)))->space =
                GSPI_PARTS_ROOT;
        }
    }
    for (uint32_t i = 0u; i < g->module->counts.graphs; i++) {
        gspi_name_at(&w->taken, g->module->graphs[i].name)->space = GSP_NONE;
    }
}

static gsp_status gspi_parts_graph_names(gspi_parts *w, gsp_error *err)
{
    gsp_builder *b = w->cut.b;
    char digits[20];
    for (uint32_t i = 0u; i < w->n_parts; i++) {
        uint32_t const part = w->part[i];
        gsp_str const tail = w->d.names == NULL ? gspi_slice(digits, 0u, gspi_decimal(part, digits))
                                                : w->d.names[part];
        gsp_atom name = gspi_build_joined(b, gsp_str_of(w->d.prefix), tail);
        GSPI_CHECK_ITEM(gspi_is_part_name(gspi_build_text(b, name)), ARG, TAG_NAME, PART, part,
                        GSP_NONE);
        name = gspi_name_free(b, &w->taken, name, GSPI_PARTS_ROOT);
        gspi_name_at(&w->taken, name)->space = GSP_NONE;
        w->names[part] = gspi_build_text(b, name);
    }
    return GSP_OK;
}

/* Targets of the modules that a part calls; local is 1 at the first call of each. */
static void gspi_parts_targets(gspi_parts *w, uint32_t part, uint32_t space)
{
    const gspi_cut *c = &w->cut;
    for (uint32_t i = c->part_begin[part]; i < c->part_begin[part + 1u]; i++) {
        gsp_node const v = c->part_nodes[i];
        gsp_atom const old = gspi_target_id(c->g, v);
        w->target[v] = old;
        c->local[v] = 0u;
        if (gspi_parts_is_leaf(w, v)) {
            if (w->flat_mark[old] != space) {
                gsp_atom const flat = gspi_build_flat(c->b, gspi_target_str(c->g, v));
                w->flat[old] = gspi_name_free(c->b, &w->taken, flat, space);
                w->flat_mark[old] = space;
                c->local[v] = 1u;
            }
            w->target[v] = w->flat[old];
        }
    }
}

static void gspi_parts_map(gspi_parts *w)
{
    const gspi_cut *c = &w->cut;
    w->n_qualnames = 0u;
    for (gsp_node v = 0u; v < c->g->n_nodes; v++) {
        if (gspi_callable(c->g, v) && c->local[v] == 1u) {
            gsp_qualname *q = &w->qualnames[w->n_qualnames++];
            q->graph = w->place[c->part_of[v]] + 1u;
            q->made = w->target[v];
            q->old = gspi_target_id(c->g, v);
        }
    }
}

static void gspi_parts_take(gspi_parts *w, gsp_atom s, uint32_t space)
{
    gspi_name *name = gspi_name_at(&w->taken, s);
    name->space = name->space == GSP_NONE ? GSP_NONE : space;
}

/* Names the inputs of a part arg_0, arg_1, ..., avoiding the names of its nodes. */
static void gspi_parts_number(gspi_parts *w, uint32_t part, uint32_t space)
{
    const gspi_cut *c = &w->cut;
    for (uint32_t i = c->part_begin[part]; i < c->part_begin[part + 1u]; i++) {
        gspi_row const inputs = gspi_inputs(c->g, c->part_nodes[i]);
        gspi_parts_take(w, gspi_name_id(c->g, c->part_nodes[i]), space);
        for (uint32_t k = 0u; k < inputs.n; k++) {
            if (gspi_cut_is_holder(c, inputs.at[k])) {
                gspi_parts_take(w, gspi_name_id(c->g, inputs.at[k]), space);
            }
        }
    }
    for (uint32_t i = c->in_begin[part]; i < c->in_begin[part + 1u]; i++) {
        gsp_atom const wanted = gspi_build_numbered(c->b, gsp_str_of("arg"), i - c->in_begin[part]);
        w->in_name[i] = gspi_name_free(c->b, &w->taken, wanted, space);
    }
}

GSPI_OWN_FRAME gsp_status gspi_parts_name(gspi_parts *w, gsp_error *err)
{
    w->taken.n = 0u;
    gspi_zero_words(w->flat_mark, w->counts.strings);
    gspi_parts_reserve(w);
    GSPI_TRY(gspi_parts_graph_names(w, err));
    for (uint32_t i = 0u; i < w->n_parts; i++) {
        w->place[w->part[i]] = i;
        gspi_parts_targets(w, w->part[i], 2u * i + 1u);
        if (w->d.number_inputs != 0u) {
            gspi_parts_number(w, w->part[i], 2u * i + 2u);
        }
    }
    gspi_parts_map(w);
    return GSP_OK;
}

/* Orders, names and cuts. The builder only fails for a damaged input. */
GSPI_OWN_FRAME gsp_status gspi_parts_make(gspi_parts *w, gsp_arena *arena,
                                          gsp_split_module_result *result, gsp_error *err)
{
    gspi_cut *c = &w->cut;
    gspi_cut_nodes(c);
    GSPI_TRY(gspi_parts_order(w, err));
    gspi_cut_start(c);
    (void)gsp_build_init(c->b, arena, &w->counts, NULL);
    gsp_build_adopt(c->b, c->g->module);
    GSPI_TRY(gspi_parts_name(w, err));
    GSPI_CHECK(gspi_cut_write(c, w->part, w->n_parts, w->call, &result->module) == GSP_OK, DAMAGED,
               ROWS);
    result->n_parts = w->n_parts;
    result->n_qualnames = w->n_qualnames;
    result->part = w->part;
    result->call = w->call;
    result->graph_of = c->graph_of;
    result->node_of = c->node_of;
    result->root_of = c->root_of;
    result->qualnames = w->qualnames;
    return GSP_OK;
}

GSP_API gsp_status gsp_split_module_run(gsp_arena *arena, const gsp_graph *graph,
                                        const gsp_split_module_desc *desc,
                                        gsp_split_module_result *result, gsp_error *err)
{
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && desc != NULL && result != NULL);
    GSPI_CHECK_DESC(*desc);
    GSPI_CHECK(graph->n_nodes != 0u, ARG, RANGE);
    GSPI_CHECK_GIVEN(desc->part_of != NULL);
    for (uint32_t i = 0u; i < desc->n_parts && desc->names != NULL; i++) {
        GSPI_CHECK_ITEM(desc->names[i].data != NULL || desc->names[i].size == 0u, ARG, TAG_NAME,
                        PART, i, GSP_NONE);
    }
    for (gsp_node v = 0u; v < graph->n_nodes; v++) {
        GSPI_CHECK_AT(!gspi_callable(graph, v) || desc->part_of[v] < desc->n_parts, ARG, TAG, v,
                      GSP_NONE);
    }

    GSPI_TRY(gspi_enter(&pass, arena, gsp_split_module_bound(graph, desc), err));
    gspi_parts *w = GSPI_HIGH(&pass.bump, gspi_parts, 1u);
    w->d = gsp_split_module_resolve(desc);
    gspi_parts_layout(&pass.bump, w, graph);
    w->cut.g = graph;
    w->cut.part_of = desc->part_of;
    w->cut.names = w->names;
    w->cut.target = w->target;
    w->cut.in_name = desc->number_inputs != 0u ? w->in_name : NULL;
    w->cut.pass_attrs = 1;
    w->cut.return_tuple = desc->return_tuple != 0u;
    return gspi_leave(&pass, gspi_parts_make(w, arena, result, err), err);
}

/* -------------------------------------------------------------------------------------------------
 * >>subgraph_grow   Growing an accelerator subgraph                                (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Units are fusion groups and single nodes. One waits for its readers in earlier subgraphs, which a
 * worklist of joined nodes counts down. One of another kind or not all in earlier subgraphs never
 * joins. */

typedef struct gspi_grow {
    const gsp_graph *g;
    const gsp_subgraph_grow_desc *d;
    uint32_t *of;
    uint32_t *partner;
    uint32_t *unit;
    uint32_t *waits; /* [n] of a unit: readers in earlier subgraphs; GSP_NONE: never joins */
    gsp_node *stack; /* [n] joined nodes whose inputs are not yet examined */
    uint32_t n_stack;
    uint32_t n_moved;
} gspi_grow;

static void gspi_grow_layout(gspi_bump *b, gspi_grow *w, uint32_t n)
{
    w->partner = GSPI_HIGH(b, uint32_t, n);
    w->unit = GSPI_HIGH(b, uint32_t, n);
    w->waits = GSPI_HIGH(b, uint32_t, n);
    w->stack = GSPI_HIGH(b, gsp_node, n);
    w->n_stack = 0u;
    w->n_moved = 0u;
}

GSP_API size_t gsp_subgraph_grow_bound(const gsp_graph *graph, const gsp_subgraph_grow_desc *desc)
{
    (void)desc;
    gspi_bump b = gspi_bump_over(NULL);
    gspi_grow w;
    gspi_grow_layout(&b, &w, graph->n_nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

/* The kind of the subgraph; GSP_NONE: mixed; GSP_KIND_NONE: no nodes. */
static uint32_t gspi_grow_kind(const gsp_graph *g, const gsp_subgraph_grow_desc *d,
                               const uint32_t *of)
{
    uint32_t kind = GSP_KIND_NONE;
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        if (gspi_callable(g, v) && of[v] == d->subgraph) {
            kind = kind == GSP_KIND_NONE || kind == d->kind[v] ? d->kind[v] : GSP_NONE;
        }
    }
    return kind;
}

/* 1 if v is in an earlier subgraph and outside of the unit `of_unit`, so joining waits for v. */
static int gspi_grow_is_before(const gspi_grow *w, gsp_node v, uint32_t of_unit)
{
    return gspi_callable(w->g, v) && w->of[v] < w->d->subgraph && w->unit[v] != of_unit;
}

static void gspi_grow_units(gspi_grow *w, uint32_t kind)
{
    uint32_t const n = w->g->n_nodes;
    gspi_group_rings(w->d->group, n, w->partner, w->stack);
    gspi_none_words(w->unit, n);
    gspi_zero_words(w->waits, n);
    for (gsp_node v = 0u; v < n; v++) {
        gsp_node u = v;
        while (w->unit[u] == GSP_NONE) {
            w->unit[u] = v;
            u = w->partner[u];
        }
    }
    for (gsp_node v = 0u; v < n; v++) {
        uint32_t *waits = &w->waits[w->unit[v]];
        gspi_row const users = gspi_users(w->g, v);
        if (!gspi_callable(w->g, v) || w->of[v] >= w->d->subgraph || w->d->kind[v] != kind) {
            *waits = GSP_NONE;
        }
        for (uint32_t i = 0u; i < users.n && *waits != GSP_NONE; i++) {
            *waits += gspi_grow_is_before(w, users.at[i], w->unit[v]) ? 1u : 0u;
        }
    }
}

static void gspi_grow_join(gspi_grow *w, uint32_t unit)
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

/* Examines the inputs of the subgraph, then those of joined nodes. */
static void gspi_grow_back(gspi_grow *w)
{
    for (gsp_node v = w->g->n_nodes; v-- > 0u;) {
        gspi_row const own = gspi_inputs(w->g, v);
        int const inside = gspi_callable(w->g, v) && w->of[v] == w->d->subgraph;
        for (uint32_t i = 0u; i < own.n && inside; i++) {
            if (w->waits[w->unit[own.at[i]]] == 0u) {
                gspi_grow_join(w, w->unit[own.at[i]]);
            }
        }
        while (w->n_stack > 0u) {
            gsp_node const u = w->stack[--w->n_stack];
            gspi_row const inputs = gspi_inputs(w->g, u);
            for (uint32_t i = 0u; i < inputs.n; i++) {
                uint32_t const unit = w->unit[inputs.at[i]];
                if (unit != w->unit[u] && w->waits[unit] != GSP_NONE && --w->waits[unit] == 0u) {
                    gspi_grow_join(w, unit);
                }
            }
        }
    }
}

GSP_API gsp_status gsp_subgraph_grow_run(gsp_arena *arena, const gsp_graph *graph,
                                         const gsp_subgraph_grow_desc *desc, uint32_t *subgraph_of,
                                         uint32_t *n_moved, gsp_error *err)
{
    gspi_pass pass;
    gspi_grow w;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && desc != NULL && subgraph_of != NULL);
    GSPI_CHECK_DESC(*desc);
    GSPI_CHECK_GIVEN(desc->kind != NULL);
    GSPI_TRY(gspi_check_groups(graph, desc->group, err));
    GSPI_TRY(gspi_check_parts(graph, subgraph_of, GSP_NONE, err));
    uint32_t const kind = gspi_grow_kind(graph, desc, subgraph_of);
    GSPI_CHECK_ITEM(kind != GSP_KIND_NONE, ARG, TAG_EMPTY, SUBGRAPH, desc->subgraph, GSP_NONE);
    GSPI_CHECK(kind != GSP_KIND_CPU && kind != GSP_NONE, ARG, KIND);

    GSPI_TRY(gspi_enter(&pass, arena, gsp_subgraph_grow_bound(graph, desc), err));
    w.g = graph;
    w.d = desc;
    w.of = subgraph_of;
    gspi_grow_layout(&pass.bump, &w, graph->n_nodes);
    gspi_grow_units(&w, kind);
    gspi_grow_back(&w);
    if (n_moved != NULL) {
        *n_moved = w.n_moved;
    }
    return gspi_leave(&pass, GSP_OK, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>minimize   The least failing set of nodes                                      (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Units are fusion groups and single nodes in the order of their first nodes; a tested set is a
 * range of them plus the culprits found. */

typedef struct gspi_minimize {
    const gsp_graph *g;
    const gsp_minimize_desc *d;
    gsp_bitset set;
    uint32_t *partner;
    gsp_node *unit;
    uint8_t *found;  /* [n_units] 1: a culprit */
    uint32_t *range; /* [GSPI_HALVINGS] BINARY: ranges that have failed */
    gsp_node *nodes;
    uint32_t n_units;
    uint32_t n_tests;
    int stopped;
} gspi_minimize;

/* BINARY halves at most 32 times and keeps begin, end and state: 3 * 34. */
#define GSPI_HALVINGS 102u

static void gspi_minimize_layout(gspi_bump *b, gspi_minimize *w, uint32_t n)
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

GSP_API size_t gsp_minimize_bound(const gsp_graph *graph, const gsp_minimize_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_minimize w;
    (void)desc;
    gspi_minimize_layout(&b, &w, graph->n_nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

static void gspi_minimize_units(gspi_minimize *w)
{
    uint32_t const n = w->g->n_nodes;
    uint32_t const n_given = w->d->nodes == NULL ? n : w->d->n_nodes;
    gspi_group_rings(w->d->group, n, w->partner, w->nodes);
    gspi_set(w->found, 0, n, 1u);
    for (uint32_t i = 0u; i < n_given; i++) {
        gsp_node const v = w->d->nodes == NULL ? i : w->d->nodes[i];
        if (gspi_callable(w->g, v) && w->found[v] == 0u) {
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

/* The nodes of units begin .. end - 1; `known` != 0: and the culprits found. */
static void gspi_minimize_collect(gspi_minimize *w, uint32_t begin, uint32_t end, int known)
{
    gsp_bitset_fill(&w->set, 0);
    for (uint32_t i = 0u; i < w->n_units; i++) {
        gsp_node v = w->unit[i];
        if (i - begin < end - begin || (known && w->found[i] != 0u)) {
            do {
                gsp_bitset_set(&w->set, v);
                v = w->partner[v];
            } while (v != w->unit[i]);
        }
    }
}

static int gspi_minimize_fails(gspi_minimize *w, uint32_t begin, uint32_t end, int known)
{
    if (w->stopped) {
        return 0;
    }
    gspi_minimize_collect(w, begin, end, known);
    w->n_tests++;
    int answer = w->d->fails(w->d->user, w->g, &w->set);
    w->stopped = answer < 0;
    return answer > 0;
}

static void gspi_minimize_mark(gspi_minimize *w, uint32_t begin, uint32_t end)
{
    gspi_set(w->found + begin, 1, end - begin, 1u);
}

/* The least end for which units 0 .. end - 1 and the culprits found fail; `end` does. */
static uint32_t gspi_minimize_end(gspi_minimize *w, uint32_t end)
{
    uint32_t low = 1u;
    while (low < end) {
        uint32_t const middle = low + (end - low) / 2u;
        if (gspi_minimize_fails(w, 0u, middle, 1)) {
            end = middle;
        } else {
            low = middle + 1u;
        }
    }
    return end;
}

static void gspi_minimize_block(gspi_minimize *w)
{
    uint32_t begin = 0u;
    if (!gspi_minimize_fails(w, 0u, w->n_units, 0)) {
        return;
    }
    uint32_t end = gspi_minimize_end(w, w->n_units);
    uint32_t high = end - 1u;
    while (begin < high) { /* the greatest begin for which begin .. end - 1 fail */
        uint32_t const middle = high - (high - begin) / 2u;
        if (gspi_minimize_fails(w, middle, end, 0)) {
            begin = middle;
        } else {
            high = middle - 1u;
        }
    }
    gspi_minimize_mark(w, begin, end);
}

/* The last unit without which the rest works is a culprit; then the one before it. */
static void gspi_minimize_least(gspi_minimize *w)
{
    uint32_t end = w->n_units;
    int fails = gspi_minimize_fails(w, 0u, end, 0);
    while (fails) {
        end = gspi_minimize_end(w, end) - 1u;
        gspi_minimize_mark(w, end, end + 1u);
        fails = end > 0u && !w->stopped && !gspi_minimize_fails(w, 0u, 0u, 1);
    }
}

static void gspi_minimize_sequential(gspi_minimize *w)
{
    int more = 1;
    for (uint32_t i = 0u; i < w->n_units && more; i++) {
        if (gspi_minimize_fails(w, i, i + 1u, 0)) {
            gspi_minimize_mark(w, i, i + 1u);
            more = w->d->find_all != 0u;
        }
    }
}

static void gspi_minimize_accumulate(gspi_minimize *w)
{
    uint32_t end = 1u;
    while (end <= w->n_units && !w->stopped && !gspi_minimize_fails(w, 0u, end, 0)) {
        end++;
    }
    if (end <= w->n_units && !w->stopped) {
        gspi_minimize_mark(w, end - 1u, end);
    }
}

/* Depth-first search of failing halves on a stack of begin, end and state: the number of halves
 * tested, plus 4 if one has failed. */
static void gspi_minimize_binary(gspi_minimize *w)
{
    uint32_t depth = 0u;
    uint32_t *r = w->range;
    if (!gspi_minimize_fails(w, 0u, w->n_units, 0)) {
        return;
    }
    r[0] = 0u;
    r[1] = w->n_units;
    r[2] = 0u;
    while (depth != GSP_NONE && !w->stopped) {
        uint32_t *top = &r[(size_t)3u * depth];
        uint32_t const middle = top[0] + (top[1] - top[0]) / 2u;
        uint32_t const step = top[2] & 3u;
        uint32_t const begin = step == 0u ? top[0] : middle;
        uint32_t const end = step == 0u ? middle : top[1];
        if (top[1] - top[0] == 1u || top[2] == 2u) { /* no half fails alone */
            gspi_minimize_mark(w, top[0], top[1]);
            depth--;
        } else if (step == 2u || (top[2] == 5u && w->d->find_all == 0u)) {
            depth--;
        } else {
            int const fails = gspi_minimize_fails(w, begin, end, 0);
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

static void gspi_minimize_search(gspi_minimize *w)
{
    if (w->n_units == 0u) {
        return;
    }
    switch (w->d->traversal) {
    case GSP_TRAVERSAL_BLOCK:
        gspi_minimize_block(w);
        break;
    case GSP_TRAVERSAL_LEAST:
        gspi_minimize_least(w);
        break;
    case GSP_TRAVERSAL_SEQUENTIAL:
        gspi_minimize_sequential(w);
        break;
    case GSP_TRAVERSAL_BINARY:
        gspi_minimize_binary(w);
        break;
    default:
        gspi_minimize_accumulate(w);
        break;
    }
}

GSP_API gsp_status gsp_minimize_run(gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_minimize_desc *desc, gsp_minimize_result *result,
                                    gsp_error *err)
{
    gspi_pass pass;
    gspi_minimize w;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && desc != NULL && result != NULL);
    GSPI_CHECK_DESC(*desc);
    GSPI_CHECK(desc->traversal < (uint32_t)GSP_TRAVERSAL_COUNT, DESC, CHOICE);
    GSPI_CHECK_GIVEN(desc->fails != NULL);
    for (uint32_t i = 0u; desc->nodes != NULL && i < desc->n_nodes; i++) {
        gsp_node const v = desc->nodes[i];
        GSPI_CHECK_AT(v < graph->n_nodes && gspi_callable(graph, v) &&
                          (i == 0u || v > desc->nodes[i - 1u]),
                      ARG, RANGE, v, GSP_NONE);
    }
    GSPI_TRY(gspi_check_groups(graph, desc->group, err));

    GSPI_TRY(gspi_enter(&pass, arena, gsp_minimize_bound(graph, desc), err));
    w.g = graph;
    w.d = desc;
    gspi_minimize_layout(&pass.bump, &w, graph->n_nodes);
    gspi_minimize_units(&w);
    gspi_minimize_search(&w);
    if (w.stopped) {
        return gspi_leave(&pass, gspi_fail_plain(err, GSPI_CODE(LIMIT, STOPPED, NONE)), err);
    }
    gspi_minimize_collect(&w, 0u, 0u, 1);
    result->n_nodes = 0u;
    for (gsp_node v = gsp_bitset_next(&w.set, 0u); v != GSP_NONE;
         v = gsp_bitset_next(&w.set, v + 1u)) {
        w.nodes[result->n_nodes++] = v;
    }
    result->n_tests = w.n_tests;
    result->nodes = w.nodes;
    return gspi_leave(&pass, GSP_OK, err);
}

GSP_API gsp_node gsp_minimize_tags(const gsp_graph *graph, const gsp_bitset *set, uint32_t *tag_of)
{
    gsp_node bad = GSP_NONE;
    for (gsp_node v = 0u; v < graph->n_nodes; v++) {
        gspi_row const inputs = gspi_inputs(graph, v);
        uint32_t latest = 0u;
        tag_of[v] = GSP_NONE;
        if (!gspi_callable(graph, v)) {
            continue;
        }
        for (uint32_t i = 0u; i < inputs.n; i++) {
            uint32_t const tag = tag_of[inputs.at[i]];
            latest = tag != GSP_NONE && tag > latest ? tag : latest;
        }
        tag_of[v] = gsp_bitset_has(set, v) ? 1u : latest == 0u ? 0u : 2u;
        bad = bad == GSP_NONE && tag_of[v] == 1u && latest == 2u ? v : bad;
    }
    return bad;
}

/* -------------------------------------------------------------------------------------------------
 * >>preview   Cost preview of a split                                              (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* ---- Types of nodes ---- */

/* A hash table of types, compared by their first nodes. */
typedef struct gspi_signatures {
    const gsp_graph *g;
    const gsp_placement *p;
    gsp_signature *made;
    uint64_t *key; /* [n] position of a type in the result */
    uint32_t *order;
    uint32_t *slot; /* [mask + 1] type, or GSP_NONE */
    uint32_t mask;
    uint32_t n;
} gspi_signatures;

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

GSP_API size_t gsp_signatures_bound(const gsp_graph *graph)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_signatures w;
    gspi_signatures_layout(&b, &w, graph->n_nodes);
    (void)GSPI_LOW(&b, gsp_signature, graph->n_nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

static gsp_str gspi_dtype_of(const gsp_graph *g, gsp_node v)
{
    gsp_str dtype = gspi_slice("", 0u, 0u);
    gsp_str dims;
    uint32_t at = 0u;
    if (gspi_value_kind(g, v) == GSP_VALUE_TENSOR) {
        (void)gsp_type_next(gspi_type_str(g, v), &at, &dtype, &dims);
    }
    return dtype;
}

/* The next argument that is a node and has a dtype or a key; fills its dtype. 0: none. */
static int gspi_next_typed(const gsp_graph *g, gspi_elements *a, gsp_str *dtype)
{
    while (gspi_next_element(a)) {
        gsp_arg const arg = a->args[a->at];
        if (arg.kind == (uint32_t)GSP_ARG_NODE) {
            *dtype = gspi_dtype_of(g, arg.value);
            if (dtype->size != 0u || a->key != GSP_NONE) {
                return 1;
            }
        }
    }
    return 0;
}

static int gspi_same_signature(const gspi_signatures *w, gsp_node u, gsp_node v)
{
    gspi_elements a = gspi_arguments_of(w->g, u);
    gspi_elements b = gspi_arguments_of(w->g, v);
    gsp_str dtype_a;
    gsp_str dtype_b;
    if (w->p->kind[u] != w->p->kind[v] ||
        !gsp_str_equal(gsp_node_class(w->g, u), gsp_node_class(w->g, v))) {
        return 0;
    }
    while (gspi_next_typed(w->g, &a, &dtype_a)) {
        if (!gspi_next_typed(w->g, &b, &dtype_b) || a.key != b.key ||
            (a.key == GSP_NONE && a.index != b.index) || !gsp_str_equal(dtype_a, dtype_b)) {
            return 0;
        }
    }
    return !gspi_next_typed(w->g, &b, &dtype_b);
}

static uint32_t gspi_signature_hash(const gspi_signatures *w, gsp_node v)
{
    gsp_str const name = gsp_node_class(w->g, v);
    gspi_elements a = gspi_arguments_of(w->g, v);
    gsp_str dtype;
    uint32_t h = gspi_hash(name.data, name.size, w->p->kind[v]);
    while (gspi_next_typed(w->g, &a, &dtype)) {
        h = gspi_hash(dtype.data, dtype.size, h ^ (a.key == GSP_NONE ? a.index : ~a.key));
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
    gspi_pass pass;
    gspi_signatures w;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    GSPI_TRY(gspi_check_placement(graph, placement, err));

    GSPI_TRY(gspi_enter(&pass, arena, gsp_signatures_bound(graph), err));
    w.g = graph;
    w.p = placement;
    gspi_signatures_layout(&pass.bump, &w, graph->n_nodes);
    gspi_none_words(w.slot, (size_t)w.mask + 1u);
    for (gsp_node v = 0u; v < graph->n_nodes; v++) {
        if (gspi_callable(graph, v)) {
            gspi_signatures_add(&w, v);
        }
    }
    gspi_sort(w.order, w.n, w.key);
    gsp_signature *sorted = GSPI_LOW(&pass.bump, gsp_signature, w.n);
    for (uint32_t i = 0u; i < w.n; i++) {
        sorted[i] = w.made[w.order[i]];
    }
    result->n_signatures = w.n;
    result->signatures = sorted;
    return gspi_leave(&pass, GSP_OK, err);
}

static void gspi_put_dtype(gspi_writer *w, const char *separator, gsp_str dtype)
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
    gsp_str const none = {"", 0u};
    gspi_writer w;
    gsp_str dtype;
    uint32_t n = 0u;
    GSPI_CHECK_GIVEN(graph != NULL && sink != NULL && node < graph->n_nodes);
    gspi_elements a = gspi_arguments_of(graph, node);
    gspi_writer_start(&w, sink, user);
    gspi_puts(&w, "((");
    int more = gspi_next_typed(graph, &a, &dtype);
    while (more && a.key == GSP_NONE) {
        for (; n < a.index; n++) {
            gspi_put_dtype(&w, n == 0u ? "" : ", ", none);
        }
        gspi_put_dtype(&w, n++ == 0u ? "" : ", ", dtype);
        more = gspi_next_typed(graph, &a, &dtype);
    }
    gspi_puts(&w, n == 1u ? ",), {" : "), {");
    for (n = 0u; more; n++) {
        gspi_puts(&w, n == 0u ? "'" : ", '");
        gspi_put(&w, gsp_module_str(graph->module, a.key));
        gspi_put_dtype(&w, "': ", dtype);
        more = gspi_next_typed(graph, &a, &dtype);
    }
    gspi_puts(&w, "})");
    return gspi_writer_end(&w, err);
}

/* ---- Costs of subgraphs ---- */

typedef struct gspi_preview {
    gspi_cut cut;
    gsp_preview_subgraph *made;
} gspi_preview;

static void gspi_preview_layout(gspi_bump *b, gspi_preview *w, const gsp_graph *g,
                                uint32_t n_subgraphs)
{
    gsp_counts const counts = gsp_graph_counts(g);
    w->made = GSPI_LOW(b, gsp_preview_subgraph, n_subgraphs);
    w->cut.in_nodes = GSPI_LOW(b, gsp_node, counts.edges);
    w->cut.out_nodes = GSPI_LOW(b, gsp_node, counts.nodes);
    w->cut.in_begin = GSPI_HIGH(b, uint32_t, (size_t)n_subgraphs + 1u);
    w->cut.out_begin = GSPI_HIGH(b, uint32_t, (size_t)n_subgraphs + 1u);
    w->cut.out_index = GSPI_HIGH(b, uint32_t, counts.nodes);
    w->cut.stamp = GSPI_HIGH(b, uint32_t, counts.nodes);
}

GSP_API size_t gsp_preview_bound(const gsp_graph *graph, const gsp_split_result *split,
                                 const gsp_preview_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_preview w;
    (void)desc;
    gspi_preview_layout(&b, &w, graph, split->n_subgraphs);
    return gspi_add(b.used, GSPI_SLACK);
}

/* Sums the bytes of the tensors among `nodes` and counts the others. */
static gsp_status gspi_preview_bytes(const gsp_graph *g, const gsp_node *nodes, uint32_t n,
                                     uint64_t *bytes, uint32_t *others, gsp_error *err)
{
    *bytes = 0u;
    *others = 0u;
    for (uint32_t i = 0u; i < n; i++) {
        uint64_t const own = gspi_bytes(g, nodes[i]);
        if (gspi_value_kind(g, nodes[i]) != GSP_VALUE_TENSOR) {
            *others += 1u;
        } else {
            GSPI_CHECK_AT(own <= UINT64_MAX - *bytes, OVERFLOW, SIZE, nodes[i], GSP_NONE);
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

static void gspi_preview_lower(const gsp_graph *g, const gsp_preview_desc *d,
                               gsp_preview_subgraph *m)
{
    gsp_lowered const lowered = d->lower(d->user, g, m);
    m->lowered = (uint32_t)lowered;
    if (d->blame != NULL && (m->lowered == (uint32_t)GSP_LOWERED_FAILED ||
                             m->lowered == (uint32_t)GSP_LOWERED_RUN_FAILED)) {
        m->culprit = d->blame(d->user, g, m);
    }
}

static void gspi_preview_count(const gsp_split_result *s, const gsp_preview_subgraph *made,
                               gsp_preview_result *r)
{
    uint64_t most = 0u;
    r->raw_acc = 0u;
    r->n_acc = 0u;
    r->bottleneck = GSP_NONE;
    for (uint32_t i = 0u; i < s->n_raw; i++) {
        r->raw_acc += s->raw_kind[i] != GSP_KIND_CPU ? 1u : 0u;
    }
    for (uint32_t i = 0u; i < s->n_subgraphs; i++) {
        if (made[i].kind != GSP_KIND_CPU) {
            r->n_acc++;
            r->bottleneck = gspi_preview_most(&made[i]) > most ? i : r->bottleneck;
            most = r->bottleneck == i ? gspi_preview_most(&made[i]) : most;
        }
    }
    r->raw_cpu = s->n_raw - r->raw_acc;
    r->n_cpu = s->n_subgraphs - r->n_acc;
    r->n_subgraphs = s->n_subgraphs;
    r->subgraphs = made;
}

GSP_API gsp_status gsp_preview_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_split_result *split, const gsp_preview_desc *desc,
                                   gsp_preview_result *result, gsp_error *err)
{
    gspi_pass pass;
    gsp_preview_desc d;
    gspi_preview w;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && split != NULL && result != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_CHECK(split->n_nodes == graph->n_nodes, ARG, TAG);
    for (gsp_node v = 0u; v < graph->n_nodes; v++) {
        GSPI_CHECK_AT(!gspi_callable(graph, v) || split->subgraph_of[v] < split->n_subgraphs, ARG,
                      TAG, v, GSP_NONE);
    }

    GSPI_TRY(gspi_enter(&pass, arena, gsp_preview_bound(graph, split, desc), err));
    gspi_preview_layout(&pass.bump, &w, graph, split->n_subgraphs);
    w.cut.g = graph;
    w.cut.part_of = split->subgraph_of;
    w.cut.n_parts = split->n_subgraphs;
    w.cut.pass_attrs = 0;
    w.cut.part_begin = (uint32_t *)(uintptr_t)split->subgraph_begin;
    w.cut.part_nodes = (gsp_node *)(uintptr_t)split->nodes;
    gspi_cut_outputs(&w.cut);
    gspi_cut_inputs(&w.cut);
    gsp_status status = GSP_OK;
    for (uint32_t i = 0u; i < split->n_subgraphs && status == GSP_OK; i++) {
        status = gspi_preview_fill(&w, split, i, err);
    }
    for (uint32_t i = 0u; i < split->n_subgraphs && status == GSP_OK && d.lower != NULL; i++) {
        if (w.made[i].kind != GSP_KIND_CPU) {
            gspi_preview_lower(graph, &d, &w.made[i]);
        }
    }
    if (status == GSP_OK) {
        gspi_preview_count(split, w.made, result);
        result->bandwidth = d.bandwidth == 0u ? GSP_BANDWIDTH : d.bandwidth;
    }
    return gspi_leave(&pass, status, err);
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

#endif /* GSP_NO_SPLIT */

/* =================================================================================================
 * >>PARTITION   Partitions on devices                                              (implementation)
 * ============================================================================================== */
#ifndef GSP_NO_PARTITION

/* ---- Arrays in tables ---- */

/* Layouts of many arrays are tables of lengths. A row is for one pointer of a workspace, or for all
 * from `first` to `last`: pointers to elements of one size. Measuring needs no workspace. */

typedef enum gspi_length {
    GSPI_OF_PARTS, /* of gsp_latency_run() */
    GSPI_OF_NODES,
    GSPI_OF_TIMED, /* nodes; 0: no latencies */
    GSPI_OF_ROWS,  /* nodes + 1 */
    GSPI_OF_EDGES,
    GSPI_OF_DEVICES,
    GSPI_OF_NODE_DEVICES, /* nodes * devices */
    GSPI_OF_WORDS,        /* COST: of a row of reach */
    GSPI_OF_REACH,
    GSPI_OF_RUNS,
    GSPI_OF_RUN_DEVICES,
    GSPI_OF_LISTS,  /* of devices */
    GSPI_OF_BASE,   /* devices in them without copies */
    GSPI_OF_COPIES, /* and with copies; see gspi_saturate() */
    GSPI_OF_OUTPUTS,
    GSPI_OF_NAMES,
    GSPI_OF_DIGITS,
    GSPI_LENGTHS
} gspi_length;

typedef struct gspi_array {
    uint16_t at; /* offset of the first pointer */
    uint8_t n;
    uint8_t size;   /* of an element */
    uint8_t length; /* gspi_length */
} gspi_array;

#define GSPI_ARRAY(type, field, length) GSPI_ARRAYS(type, field, field, length)
#define GSPI_ARRAYS(type, first, last, length)                                    \
    {                                                                             \
        offsetof(type, first),                                                    \
            (offsetof(type, last) - offsetof(type, first)) / sizeof(void *) + 1u, \
            sizeof(*((type *)NULL)->last), GSPI_OF_##length                       \
    }
#define GSPI_LAYOUT(b, ws, arrays, lengths, high) \
    gspi_layout((b), (ws), (arrays), (arrays) + sizeof(arrays) / sizeof((arrays)[0]), lengths, high)

#define GSPI_COST_RUN 4u /* COST: partitions per run; 8 is as fast, 16 slower */

static void gspi_layout(gspi_bump *b, void *ws, const gspi_array *a, const gspi_array *end,
                        const size_t *lengths, int high)
{
    for (; a < end; a++) {
        for (size_t i = 0u; i < a->n; i++) {
            void *array = gspi_bump_push(b, lengths[a->length], a->size, high);
            if (ws != NULL) {
                (void)GSP_MEMCPY((unsigned char *)ws + a->at + i * sizeof(array), &array,
                                 sizeof(array));
            }
        }
    }
}

/* ---- Seconds without floating point ---- */

/* Costs are the bits of non-negative doubles, which compare as integers. Sums and quotients are
 * computed in integers and rounded to nearest-even on every machine, whatever the compiler options.
 * Sums above the largest double have exponents of 12 bits and stay in order. */

#define GSPI_FRACTION 0xFFFFFFFFFFFFFu
#define GSPI_HIDDEN   0x10000000000000u
#define GSPI_FOREVER  0x7FF0000000000000u /* infinity */

/* m / 2^shift; bit 0 is sticky. */
static uint64_t gspi_seconds_shift(uint64_t m, uint32_t shift)
{
    if (shift == 0u || shift > 62u) {
        return shift == 0u ? m : m != 0u;
    }
    return (m >> shift) | ((m << (64u - shift)) != 0u ? 1u : 0u);
}

/* The double nearest to m * 2^(e - 1085), 2^62 <= m or e = 1. */
static uint64_t gspi_seconds_round(uint64_t m, int32_t e)
{
    if ((m >> 63) != 0u) {
        m = (m >> 1) | (m & 1u);
        e++;
    }
    m = (m + 511u + ((m >> 10) & 1u)) >> 10;
    return ((uint64_t)((uint32_t)e - 1u) << 52) + m;
}

/* The same for any m and e. */
static uint64_t gspi_seconds_scale(uint64_t m, int32_t e)
{
    for (; e > 1 && (m >> 62) == 0u; e--) {
        m <<= 1;
    }
    return e > 0 ? gspi_seconds_round(m, e)
                 : gspi_seconds_round(gspi_seconds_shift(m, (uint32_t)(1 - e)), 1);
}

/* m of a double m * 2^(e - 1075). */
static uint64_t gspi_seconds_split(uint64_t bits, int32_t *e)
{
    *e = (int32_t)(bits >> 52);
    if (*e == 0) {
        *e = 1;
        return bits;
    }
    return (bits & GSPI_FRACTION) | GSPI_HIDDEN;
}

static uint64_t gspi_latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t gspi_seconds_add(uint64_t a, uint64_t b)
{
    int32_t e;
    int32_t e_least;
    uint64_t const m = gspi_seconds_split(a < b ? b : a, &e) << 10;
    uint64_t const least = gspi_seconds_split(a < b ? a : b, &e_least) << 10;
    return gspi_seconds_round(m + gspi_seconds_shift(least, (uint32_t)(e - e_least)), e);
}

/* bytes / rate, bytes rounded to a double first. GSPI_FOREVER as rate: 0; from GSPI_FOREVER on: the
 * quotient is too large. */
static uint64_t gspi_seconds_move(uint64_t bytes, uint64_t rate)
{
    int32_t e;
    int32_t e_rate;
    if (bytes == 0u || rate == GSPI_FOREVER || rate == 0u) {
        return bytes != 0u && rate == 0u ? GSPI_FOREVER : 0u;
    }
    uint64_t m = gspi_seconds_split(gspi_seconds_scale(bytes, 1085), &e);
    uint64_t divisor = gspi_seconds_split(rate, &e_rate);
    for (; (divisor & GSPI_HIDDEN) == 0u; divisor <<= 1) {
        e_rate--;
    }
    /* m / divisor is in (1/2, 2): 55 bits of it, eleven per step */
    uint64_t q = 0u;
    for (uint32_t i = 0u; i < 6u; i++) {
        q = (q << 11) | (m / divisor);
        m = (m % divisor) << 11;
    }
    return gspi_seconds_scale(q | (m != 0u ? 1u : 0u), e - e_rate + 1085 - 55);
}

static uint64_t gspi_seconds_bits(double value)
{
    uint64_t bits;
    (void)GSP_MEMCPY(&bits, &value, sizeof(bits));
    return bits;
}

/* -0 as 0; GSPI_FOREVER and above: no latency. */
static uint64_t gspi_seconds_read(double value)
{
    uint64_t const bits = gspi_seconds_bits(value);
    return bits == 0x8000000000000000u ? 0u : bits;
}

static double gspi_seconds_double(uint64_t bits)
{
    double value;
    (void)GSP_MEMCPY(&value, &bits, sizeof(value));
    return value;
}

/* ---- The quotient graph ---- */

/* The quotient graph: its nodes are partitions. An edge from Q to P: P reads callable nodes of Q.
 *     weight   sum of outputs over pairs (node of P, distinct input in Q). P needs its own bytes
 *              and the weights of its edges, without those of parents on its device
 *     volume   bytes that move between two devices: the sum over distinct nodes of Q that P reads
 *              and over placeholders and get_attr that both hold
 * It is rebuilt in linear time from the partition of every node. */
typedef struct gspi_quotient {
    const gsp_graph *g;
    const uint64_t *out; /* [n] bytes of the output */
    const uint8_t *op;   /* [n] */
    uint32_t n;
    uint32_t k;             /* partitions */
    uint32_t n_edges;       /* between them */
    uint64_t total;         /* bytes of all nodes but the output */
    uint32_t *part_of;      /* [n] of a callable node; others GSP_NONE */
    uint64_t *used;         /* [n] bytes of a partition */
    uint32_t *node_begin;   /* [n + 1] by partition */
    uint32_t *parent_begin; /* [n + 1] by partition */
    uint32_t *child_begin;  /* [n + 1] by partition */
    gsp_node *nodes;        /* [n] in graph order */
    uint32_t *level;        /* [n] longest path from a partition without parents */
    uint32_t *child;        /* [m] ascending */
    uint64_t *size;         /* [n] output and parameters */
    uint64_t *weight;       /* [m] */
    uint64_t *volume;       /* [m] */
    uint64_t *calls;        /* COST: [m] volume without nodes that both hold; else NULL */
    uint32_t *held_begin;   /* [n + 1] by partition */
    gsp_node *held;         /* [m] placeholders and get_attr read */
    uint32_t *parent;       /* [m] */
    uint32_t *child_edge;   /* [m] index in parent[], weight[], volume[] */
    uint32_t *order;        /* [n] topological */
    uint32_t *stamp;        /* [n] of nodes */
    uint32_t *mark;         /* [n] of partitions */
    uint32_t *slot;         /* [n] of partitions */
} gspi_quotient;

/* Sizes of all nodes into `size`, if it is not NULL. The sum of all sizes and all inputs bounds
 * every later sum: none overflows. */
static gsp_status gspi_quotient_init(gspi_quotient *q, const gsp_graph *g, gsp_error *err)
{
    uint64_t sum = 0u;
    q->g = g;
    q->out = g->module->bytes + g->first;
    q->op = g->module->op + g->first;
    q->n = g->n_nodes;
    for (gsp_node v = 0u; v + 1u < q->n; v++) {
        int const called = q->op[v] == (uint8_t)GSP_OP_CALL_MODULE;
        uint64_t bytes = called ? gspi_sum(q->out[v], gsp_node_params(q->g, v)) : q->out[v];
        gspi_row const inputs = gspi_inputs(q->g, v);
        if (q->size != NULL) {
            q->size[v] = bytes;
        }
        q->total += bytes;
        for (uint32_t i = 0u; i < inputs.n && bytes <= UINT64_MAX - sum; i++) {
            sum += bytes;
            bytes = q->out[inputs.at[i]];
        }
        GSPI_CHECK_AT(bytes < UINT64_MAX - sum, OVERFLOW, SIZE, v, GSP_NONE);
        sum += bytes;
    }
    return GSP_OK;
}

/* Bytes that node v adds to partition p (GSP_NONE: an empty one), in graph order. stamp[] is the
 * last partition that read a placeholder or get_attr. */
static uint64_t gspi_quotient_extra(const gspi_quotient *q, gsp_node v, uint32_t p)
{
    uint64_t bytes = q->size[v];
    gspi_row const inputs = gspi_inputs(q->g, v);
    for (uint32_t i = 0u; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        uint32_t const at = gspi_is_callable(q->op[u]) ? q->part_of[u] : q->stamp[u];
        bytes += p == GSP_NONE || at != p ? q->out[u] : 0u;
    }
    return bytes;
}

static void gspi_quotient_add(const gspi_quotient *q, gsp_node v, uint32_t p)
{
    gspi_row const inputs = gspi_inputs(q->g, v);
    q->part_of[v] = p;
    for (uint32_t i = 0u; i < inputs.n; i++) {
        q->stamp[inputs.at[i]] = p;
    }
}

static void gspi_quotient_read(gspi_quotient *q, uint32_t p, gsp_node u, uint32_t *n_held)
{
    uint32_t const r = q->part_of[u];
    int const is_new = q->stamp[u] != p;
    q->stamp[u] = p;
    if (r == GSP_NONE) {
        if (is_new) {
            q->held[(*n_held)++] = u;
            q->used[p] += q->out[u];
        }
    } else if (r != p) {
        if (q->mark[r] != p) {
            q->mark[r] = p;
            q->slot[r] = q->n_edges;
            q->parent[q->n_edges] = r;
            q->weight[q->n_edges] = 0u;
            q->volume[q->n_edges] = 0u;
            q->n_edges++;
        }
        q->used[p] += q->out[u];
        q->weight[q->slot[r]] += q->out[u];
        q->volume[q->slot[r]] += is_new ? q->out[u] : 0u;
    }
}

/* used, held, parents; volumes without nodes that both hold. */
GSPI_OWN_FRAME void gspi_quotient_parents(gspi_quotient *q)
{
    uint32_t n_held = 0u;
    uint32_t p;
    q->n_edges = 0u;
    gspi_none_words(q->stamp, q->n);
    gspi_none_words(q->mark, q->k);
    for (p = 0u; p < q->k; p++) {
        q->used[p] = 0u;
        q->held_begin[p] = n_held;
        q->parent_begin[p] = q->n_edges;
        for (uint32_t i = q->node_begin[p]; i < q->node_begin[p + 1u]; i++) {
            gsp_node const v = q->nodes[i];
            gspi_row const inputs = gspi_inputs(q->g, v);
            q->used[p] += q->size[v];
            for (uint32_t j = 0u; j < inputs.n; j++) {
                gspi_quotient_read(q, p, inputs.at[j], &n_held);
            }
        }
    }
    q->held_begin[p] = n_held;
    q->parent_begin[p] = q->n_edges;
}

static void gspi_quotient_children(gspi_quotient *q)
{
    uint32_t *begin = q->child_begin;
    gspi_zero_words(begin, (size_t)q->k + 1u);
    for (uint32_t e = 0u; e < q->n_edges; e++) {
        begin[q->parent[e]]++;
    }
    gspi_counts_to_ends(begin, q->k);
    for (uint32_t p = q->k; p > 0u; p--) {
        for (uint32_t e = q->parent_begin[p]; e > q->parent_begin[p - 1u]; e--) {
            uint32_t const at = --begin[q->parent[e - 1u]];
            q->child[at] = p - 1u;
            q->child_edge[at] = e - 1u;
        }
    }
}

/* Bytes that p and r both hold; the held nodes of p are stamped. */
static uint64_t gspi_quotient_both(const gspi_quotient *q, uint32_t p, uint32_t r)
{
    uint64_t bytes = 0u;
    for (uint32_t i = q->held_begin[r]; i < q->held_begin[r + 1u]; i++) {
        bytes += q->stamp[q->held[i]] == p ? q->out[q->held[i]] : 0u;
    }
    return bytes;
}

/* Adds nodes that both ends of an edge hold, from the shorter list. */
static void gspi_quotient_volumes(gspi_quotient *q)
{
    const uint32_t *held = q->held_begin;
    gspi_none_words(q->stamp, q->n);
    for (uint32_t p = 0u; p < q->k; p++) {
        uint32_t const own = held[p + 1u] - held[p];
        for (uint32_t i = held[p]; i < held[p + 1u]; i++) {
            q->stamp[q->held[i]] = p;
        }
        for (uint32_t i = q->parent_begin[p]; own > 0u && i < q->parent_begin[p + 1u]; i++) {
            uint32_t const r = q->parent[i];
            if (held[r + 1u] - held[r] <= own) {
                q->volume[i] += gspi_quotient_both(q, p, r);
            }
        }
        for (uint32_t i = q->child_begin[p]; own > 0u && i < q->child_begin[p + 1u]; i++) {
            uint32_t const r = q->child[i];
            if (held[r + 1u] - held[r] < own) {
                q->volume[q->child_edge[i]] += gspi_quotient_both(q, p, r);
            }
        }
    }
}

/* Levels and a topological order; 0: a cycle. With `rep` a partition is a list of groups: rep[]
 * represents it, next[] chains them; without, each is one of its own. */
static int gspi_quotient_levels(gspi_quotient *q, const uint32_t *rep, const uint32_t *next)
{
    gspi_kahn kahn = gspi_kahn_start(q->order, q->slot, GSP_TOPO_ORDER_QUEUE);
    uint32_t from;
    gspi_zero_words(q->slot, q->k);
    gspi_zero_words(q->level, q->k);
    for (uint32_t p = 0u; p < q->k; p++) {
        uint32_t const own = rep == NULL ? p : rep[p];
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            uint32_t const r = q->parent[e];
            q->slot[own] += (rep == NULL ? r : rep[r]) != own ? 1u : 0u;
        }
    }
    for (uint32_t p = 0u; p < q->k; p++) {
        if (q->slot[p] == 0u && (rep == NULL || rep[p] == p)) {
            gspi_kahn_push(&kahn, p);
        }
    }
    while ((from = gspi_kahn_next(&kahn)) != GSP_NONE) {
        for (uint32_t p = from; p != GSP_NONE; p = next == NULL ? GSP_NONE : next[p]) {
            for (uint32_t e = q->child_begin[p]; e < q->child_begin[p + 1u]; e++) {
                uint32_t const c = rep == NULL ? q->child[e] : rep[q->child[e]];
                if (c != from) {
                    q->level[c] = q->level[c] > q->level[from] ? q->level[c] : q->level[from] + 1u;
                    gspi_kahn_met(&kahn, c);
                }
            }
        }
    }
    return kahn.end == q->k;
}

/* The whole quotient from part_of and k; 0: a cycle. */
static int gspi_quotient_build(gspi_quotient *q)
{
    gspi_rows(q->part_of, q->n, q->k, q->node_begin, q->nodes);
    gspi_quotient_parents(q);
    gspi_quotient_children(q);
    if (q->calls != NULL) {
        gspi_copy(q->calls, q->volume, q->n_edges, sizeof(uint64_t));
    }
    gspi_quotient_volumes(q);
    return gspi_quotient_levels(q, NULL, NULL);
}

/* ---- The mapping of partitions to devices ---- */

typedef struct gspi_devices {
    const gsp_device *device;
    uint32_t n;
    uint32_t *device_of; /* [partitions] GSP_NONE: none yet */
    uint64_t *left;      /* [n] bytes */
    uint64_t *need;      /* [n] bytes of a partition there */
    uint32_t *order;     /* [n] ascending by left, stable */
} gspi_devices;

/* Checks that logical ids are distinct; order[] ascends by them. */
static gsp_status gspi_devices_check(const gspi_devices *v, gsp_error *err)
{
    for (uint32_t i = 0u; i < v->n; i++) {
        v->need[i] = v->device[i].id;
        v->order[i] = i;
    }
    gspi_sort(v->order, v->n, v->need);
    for (uint32_t i = 1u; i < v->n; i++) {
        GSPI_CHECK_ITEM(v->need[v->order[i]] != v->need[v->order[i - 1u]], ARG, DEVICE_TWICE,
                        DEVICE, v->order[i - 1u], v->order[i]);
    }
    return GSP_OK;
}

static void gspi_devices_reset(gspi_devices *v, uint32_t n_parts)
{
    gspi_none_words(v->device_of, n_parts);
    for (uint32_t i = 0u; i < v->n; i++) {
        v->left[i] = v->device[i].bytes;
        v->order[i] = i;
    }
}

static gsp_status gspi_fail_need(gsp_error *err, gsp_status status, gsp_detail detail,
                                 gsp_what what, uint32_t item, uint32_t other, uint64_t need,
                                 uint64_t limit)
{
    (void)gspi_fail_item(err, status, detail, what, item, other);
    if (err != NULL) {
        err->need = need;
        err->limit = limit;
    }
    return status;
}

static gsp_status gspi_fail_device(gsp_error *err, gsp_detail detail, gsp_node node, uint64_t need,
                                   uint32_t device, uint64_t limit)
{
    return gspi_fail_need(err, GSP_STATUS_NO_FIT, detail, GSP_WHAT_NODE, node, device, need, limit);
}

/* A partition goes to the device with the fewest bytes left, but strictly more than the partition
 * needs there, as in the reference. The reference sorts all devices stably before every partition;
 * moving the device of the last partition suffices. */

/* Moves the device at place t of the order, which has less left than before. */
static void gspi_devices_reorder(gspi_devices *v, uint32_t t)
{
    uint32_t const device = v->order[t];
    for (; t > 0u && v->left[v->order[t - 1u]] > v->left[device]; t--) {
        v->order[t] = v->order[t - 1u];
    }
    v->order[t] = device;
}

/* Bytes that a partition needs on every device: all, or less with a partition there. */
static void gspi_devices_need(const gspi_devices *v, uint64_t *need, uint64_t bytes)
{
    for (uint32_t i = 0u; i < v->n; i++) {
        need[i] = bytes;
    }
}

static void gspi_devices_share(const gspi_devices *v, uint64_t *need, uint32_t with, uint64_t bytes)
{
    if (v->device_of[with] != GSP_NONE) {
        need[v->device_of[with]] -= bytes;
    }
}

/* The same for p, given the mapping of all before it. */
static void gspi_devices_needs(const gspi_devices *v, const gspi_quotient *q, uint32_t p,
                               uint64_t *need)
{
    gspi_devices_need(v, need, q->used[p]);
    for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
        if (q->parent[e] < p) {
            gspi_devices_share(v, need, q->parent[e], q->weight[e]);
        }
    }
}

/* The place of the first device in the order with more than need[] left, or n. */
static uint32_t gspi_devices_fit(const gspi_devices *v)
{
    uint32_t t = 0u;
    while (t < v->n && v->need[v->order[t]] >= v->left[v->order[t]]) {
        t++;
    }
    return t;
}

/* Places p; 0: no device has room. */
static int gspi_devices_place(gspi_devices *v, uint32_t p)
{
    uint32_t const t = gspi_devices_fit(v);
    if (t < v->n) {
        v->device_of[p] = v->order[t];
        v->left[v->order[t]] -= v->need[v->order[t]];
        gspi_devices_reorder(v, t);
    }
    return t < v->n;
}

static int gspi_devices_map_one(gspi_devices *v, const gspi_quotient *q, uint32_t p)
{
    gspi_devices_needs(v, q, p, v->need);
    return gspi_devices_place(v, p);
}

/* Maps partitions without device in order. NO_FIT: the first that has none. */
static gsp_status gspi_devices_map(gspi_devices *v, const gspi_quotient *q, gsp_error *err)
{
    for (uint32_t p = 0u; p < q->k; p++) {
        if (v->device_of[p] != GSP_NONE) {
            v->left[v->device_of[p]] -= q->used[p];
        }
    }
    gspi_sort(v->order, v->n, v->left);
    for (uint32_t p = 0u; p < q->k; p++) {
        if (v->device_of[p] == GSP_NONE && !gspi_devices_map_one(v, q, p)) {
            uint32_t const most = v->order[v->n - 1u];
            return gspi_fail_device(err, GSP_DETAIL_MAPPING, q->nodes[q->node_begin[p]],
                                    v->need[most], most, v->left[most]);
        }
    }
    return GSP_OK;
}

/* ---- Critical paths ---- */

/* Latency is a longest path and x -> round(x + c) is monotone: one forward pass in topological
 * order gives the greatest of all path sums from the top, bit for bit. No path is enumerated. */
typedef struct gspi_paths {
    uint64_t rate;     /* bits; GSPI_FOREVER: transfers take no time */
    uint64_t *mem;     /* [n] seconds of a node */
    uint64_t *compute; /* [n] */
} gspi_paths;

static const gspi_array gspi_paths_arrays[] = {GSPI_ARRAYS(gspi_paths, mem, compute, TIMED)};

static uint64_t gspi_seconds_of(const gsp_graph *g, const double *given, gsp_key key, gsp_node v)
{
    return gspi_seconds_read(given != NULL ? given[v] : gsp_node_seconds(g, v, key));
}

/* Latencies of callable nodes; NULL only checks them. If the sum of all is finite, every sum is. */
static gsp_status gspi_paths_read(const gspi_paths *t, const gsp_graph *g, const double *mem,
                                  const double *compute, gsp_error *err)
{
    uint64_t sum = 0u;
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        if (gspi_callable(g, v)) {
            uint64_t const m = gspi_seconds_of(g, mem, GSP_KEY_MEM, v);
            uint64_t const c = gspi_seconds_of(g, compute, GSP_KEY_COMPUTE, v);
            GSPI_CHECK_AT(m < GSPI_FOREVER && c < GSPI_FOREVER, ARG, LATENCY, v, GSP_NONE);
            if (t != NULL) {
                t->mem[v] = m;
                t->compute[v] = c;
            }
            sum = gspi_seconds_add(sum, gspi_seconds_add(m, c));
        }
    }
    return sum < GSPI_FOREVER ? GSP_OK : gspi_fail_plain(err, GSPI_CODE(OVERFLOW, LATENCY, NONE));
}

static uint64_t gspi_paths_move(const gspi_paths *t, uint64_t bytes)
{
    return gspi_seconds_move(bytes, t->rate);
}

static uint64_t gspi_paths_node(const gspi_paths *t, gsp_node v)
{
    return t->mem[v] > t->compute[v] ? t->mem[v] : t->compute[v];
}

/* Critical paths to every node within its partition, and of every partition. */
static void gspi_paths_parts(const gspi_paths *t, const gspi_quotient *q, uint64_t *node_done,
                             uint64_t *latency)
{
    gspi_set(latency, 0, q->k, sizeof(uint64_t));
    for (gsp_node v = 0u; v < q->n; v++) {
        uint32_t const p = q->part_of[v];
        if (p != GSP_NONE) {
            uint64_t top = 0u;
            gspi_row const inputs = gspi_inputs(q->g, v);
            for (uint32_t i = 0u; i < inputs.n; i++) {
                if (q->part_of[inputs.at[i]] == p && node_done[inputs.at[i]] > top) {
                    top = node_done[inputs.at[i]];
                }
            }
            top = gspi_seconds_add(top, gspi_paths_node(t, v));
            node_done[v] = top;
            latency[p] = gspi_latest(latency[p], top);
        }
    }
}

/* Finish times of partitions (device GSP_NONE: none); returns the latest. `seconds`: of edges;
 * `late`: the edge that determines the start, or GSP_NONE. */
static uint64_t gspi_paths_total(const gspi_quotient *q, const uint64_t *seconds,
                                 const uint64_t *latency, const uint32_t *device_of, uint64_t *done,
                                 uint32_t *late)
{
    uint64_t total = 0u;
    for (uint32_t t = 0u; t < q->k; t++) {
        uint32_t const p = q->order[t];
        uint64_t latest = 0u;
        late[p] = GSP_NONE;
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            uint32_t const r = q->parent[e];
            uint64_t there = done[r];
            if (device_of[p] == GSP_NONE || device_of[p] != device_of[r]) {
                there = gspi_seconds_add(there, seconds[e]);
            }
            if (late[p] == GSP_NONE || there > latest) {
                latest = there;
                late[p] = e;
            }
        }
        done[p] = gspi_seconds_add(latest, latency[p]);
        total = gspi_latest(total, done[p]);
    }
    return total;
}

/* No finite latency: a transfer at rate zero, or overflow. */
static gsp_status gspi_paths_fail(const gspi_paths *t, const gspi_quotient *q, gsp_error *err)
{
    for (uint32_t p = 0u; p < q->k && t->rate == 0u; p++) {
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            if (q->volume[e] != 0u) {
                return gspi_fail_need(err, GSP_STATUS_ARG, GSP_DETAIL_RATE_ZERO, GSP_WHAT_NODE,
                                      q->nodes[q->node_begin[p]],
                                      q->nodes[q->node_begin[q->parent[e]]], q->volume[e], 0u);
            }
        }
    }
    return gspi_fail_plain(err, GSPI_CODE(OVERFLOW, LATENCY, NONE));
}

/* -------------------------------------------------------------------------------------------------
 * >>device   Devices, memory, mapping of partitions                                (implementation)
 * ---------------------------------------------------------------------------------------------- */

GSP_API gsp_partition_desc gsp_partition_resolve(const gsp_partition_desc *desc)
{
    gsp_partition_desc d;
    gspi_desc(&d, desc, sizeof(d));
    d.n_sweeps = d.n_sweeps == 0u ? 1u : d.n_sweeps;
    d.progress_every = d.progress_every == 0u ? 4096u : d.progress_every;
    return d;
}

/* Whether one of the nodes reads a placeholder or get_attr. */
static int gspi_part_holds(const gsp_graph *graph, gsp_node v, const gsp_bitset *nodes)
{
    gspi_row const users = gspi_users(graph, v);
    for (uint32_t i = 0u; i < users.n; i++) {
        if (gspi_callable(graph, users.at[i]) && gsp_bitset_has(nodes, users.at[i])) {
            return 1;
        }
    }
    return 0;
}

GSP_API uint64_t gsp_part_bytes(const gsp_graph *graph, const gsp_bitset *nodes)
{
    uint64_t sum = 0u;
    for (gsp_node v = 0u; v < graph->n_nodes; v++) {
        int const callable = gspi_callable(graph, v);
        gspi_row const inputs = gspi_inputs(graph, v);
        if (callable ? !gsp_bitset_has(nodes, v) : !gspi_part_holds(graph, v, nodes)) {
            continue;
        }
        sum = gspi_sum(sum, gspi_bytes(graph, v));
        if (gspi_op(graph, v) == GSP_OP_CALL_MODULE) {
            sum = gspi_sum(sum, gsp_node_params(graph, v));
        }
        for (uint32_t i = 0u; callable && i < inputs.n; i++) {
            gsp_node const u = inputs.at[i];
            if (gspi_callable(graph, u) && !gsp_bitset_has(nodes, u)) {
                sum = gspi_sum(sum, gspi_bytes(graph, u));
            }
        }
    }
    return sum;
}

/* -------------------------------------------------------------------------------------------------
 * >>latency   Critical paths of partitions                                         (implementation)
 * ---------------------------------------------------------------------------------------------- */

typedef struct gspi_latency_ws {
    gspi_paths *paths; /* of a node, then sums from the top through it */
    uint64_t *overall; /* [n] the same */
    gsp_latency_result r;
} gspi_latency_ws;

static void gspi_latency_layout(gspi_bump *b, gspi_latency_ws *ws, const size_t *lengths)
{
    static const gspi_array results[] = {
        GSPI_ARRAY(gspi_latency_ws, r.latency, PARTS),
        GSPI_ARRAY(gspi_latency_ws, r.last, PARTS),
        GSPI_ARRAY(gspi_latency_ws, r.from, NODES),
    };
    static const gspi_array scratch[] = {GSPI_ARRAY(gspi_latency_ws, overall, NODES)};
    GSPI_LAYOUT(b, ws, results, lengths, 0);
    GSPI_LAYOUT(b, ws, scratch, lengths, 1);
}

/* Whether the path to a is longer, or as long with more mem or compute, or the first of equals. */
static int gspi_latency_above(const gspi_latency_ws *ws, gsp_node a, gsp_node b)
{
    const gspi_paths *t = ws->paths;
    if (b == GSP_NONE || ws->overall[a] != ws->overall[b]) {
        return b == GSP_NONE || ws->overall[a] > ws->overall[b];
    }
    if (t->mem[a] != t->mem[b]) {
        return t->mem[a] > t->mem[b];
    }
    return t->compute[a] != t->compute[b] ? t->compute[a] > t->compute[b] : a < b;
}

/* Path to v through its best input in the same partition. */
static void gspi_latency_node(gspi_latency_ws *ws, const gsp_graph *g, const uint32_t *part_of,
                              gsp_node v)
{
    const gspi_paths *t = ws->paths;
    gsp_node best = GSP_NONE;
    gspi_row const inputs = gspi_inputs(g, v);
    for (uint32_t i = 0u; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        if (gspi_callable(g, u) && part_of[u] == part_of[v] && gspi_latency_above(ws, u, best)) {
            best = u;
        }
    }
    ws->r.from[v] = best;
    ws->overall[v] = gspi_paths_node(t, v);
    if (best != GSP_NONE) {
        ws->overall[v] = gspi_seconds_add(ws->overall[best], ws->overall[v]);
        t->mem[v] = gspi_seconds_add(t->mem[best], t->mem[v]);
        t->compute[v] = gspi_seconds_add(t->compute[best], t->compute[v]);
    }
}

static void gspi_latency_parts(gspi_latency_ws *ws, const gsp_graph *g, const uint32_t *part_of,
                               uint32_t n_parts)
{
    gsp_node *last = ws->r.last;
    gspi_none_words(last, n_parts);
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        if (gspi_callable(g, v) && part_of[v] < n_parts) {
            gspi_latency_node(ws, g, part_of, v);
            if (gspi_latency_above(ws, v, last[part_of[v]])) {
                last[part_of[v]] = v;
            }
        }
    }
    gspi_set(ws->r.latency, 0, n_parts, sizeof(gsp_latency));
    for (uint32_t p = 0u; p < n_parts; p++) {
        if (last[p] != GSP_NONE) {
            ws->r.latency[p].mem = gspi_seconds_double(ws->paths->mem[last[p]]);
            ws->r.latency[p].compute = gspi_seconds_double(ws->paths->compute[last[p]]);
            ws->r.latency[p].overall = gspi_seconds_double(ws->overall[last[p]]);
        }
    }
}

GSP_API size_t gsp_latency_bound(const gsp_graph *graph, const gsp_latency_desc *desc)
{
    size_t const n = graph->n_nodes;
    size_t const lengths[] = {desc == NULL ? 0u : desc->n_parts, n, n};
    gspi_bump b = gspi_bump_over(NULL);
    gspi_latency_layout(&b, NULL, lengths);
    GSPI_LAYOUT(&b, NULL, gspi_paths_arrays, lengths, 1);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API gsp_status gsp_latency_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_latency_desc *desc, gsp_latency_result *result,
                                   gsp_error *err)
{
    gspi_pass pass;
    gspi_paths paths;
    gspi_latency_ws ws;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && desc != NULL && result != NULL);
    GSPI_CHECK_DESC(*desc);
    GSPI_CHECK_GIVEN(desc->part_of != NULL);
    gsp_status status = gspi_enter(&pass, arena, gsp_latency_bound(graph, desc), err);
    if (status != GSP_OK) { /* errors of the input come first */
        GSPI_TRY(gspi_paths_read(NULL, graph, desc->mem, desc->compute, err));
        return status;
    }
    size_t const n = graph->n_nodes;
    size_t const lengths[] = {desc->n_parts, n, n};
    gspi_latency_layout(&pass.bump, &ws, lengths);
    GSPI_LAYOUT(&pass.bump, &paths, gspi_paths_arrays, lengths, 1);
    ws.paths = &paths;
    status = gspi_paths_read(&paths, graph, desc->mem, desc->compute, err);
    if (status == GSP_OK) {
        gspi_latency_parts(&ws, graph, desc->part_of, desc->n_parts);
        *result = ws.r;
    }
    return gspi_leave(&pass, status, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>assign   Partitions of the modes                                               (implementation)
 * ---------------------------------------------------------------------------------------------- */

typedef struct gspi_assign {
    const gsp_partition_desc *d;
    gspi_quotient q;
    gspi_devices devices;
    gspi_paths paths;
    gsp_assignment made;
    uint32_t every; /* trials between two calls of progress */
    uint32_t until; /* trials to the next one */
    uint32_t done;
    uint32_t total;
    size_t lengths[GSPI_LENGTHS];
} gspi_assign;

/* `timed`: with latencies. */
GSPI_OWN_FRAME void gspi_assign_lengths(size_t *lengths, const gsp_graph *graph,
                                        const gsp_partition_desc *desc, int timed)
{
    gsp_counts const c = gsp_graph_counts(graph);
    gsp_partition_desc d;
    gspi_desc(&d, desc, sizeof(d));
    size_t const n = c.nodes;
    size_t const lists = gspi_mul_add(d.n_devices, 3u, 0u);
    size_t const words = gsp_bitset_words(c.nodes);
    size_t const runs = n / GSPI_COST_RUN + 1u;
    int const aot = d.mode == (uint32_t)GSP_PARTITION_AOT;
    lengths[GSPI_OF_PARTS] = n;
    lengths[GSPI_OF_NODES] = n;
    lengths[GSPI_OF_TIMED] = timed ? n : 0u;
    lengths[GSPI_OF_ROWS] = n + 1u;
    lengths[GSPI_OF_EDGES] = c.edges;
    lengths[GSPI_OF_DEVICES] = d.n_devices;
    lengths[GSPI_OF_NODE_DEVICES] = gspi_mul_add(n, d.n_devices, 0u);
    lengths[GSPI_OF_WORDS] = words;
    lengths[GSPI_OF_REACH] = gspi_mul_add(n, words, 0u);
    lengths[GSPI_OF_RUNS] = runs;
    lengths[GSPI_OF_RUN_DEVICES] = gspi_mul_add(runs, d.n_devices, 0u);
    lengths[GSPI_OF_LISTS] = gspi_add(aot ? c.nodes : d.n_devices, 1u);
    lengths[GSPI_OF_BASE] = aot ? gspi_mul_add(d.n_part_devices, d.n_devices, lists) : lists;
    lengths[GSPI_OF_COPIES] = d.mode == (uint32_t)GSP_PARTITION_SPARSE && d.saturate != 0u
                                  ? gspi_mul_add(n, d.n_devices, lists)
                                  : lengths[GSPI_OF_BASE];
    lengths[GSPI_OF_OUTPUTS] = gspi_mul_add(n, 2u, 0u);
    lengths[GSPI_OF_NAMES] = aot ? n : 0u;
    lengths[GSPI_OF_DIGITS] = gspi_mul_add(lengths[GSPI_OF_NAMES], 10u, 0u);
}

/* `high` 0: arrays of gsp_partition_result are at the low end. */
static void gspi_assign_layout(gspi_bump *b, gspi_assign *a, const size_t *lengths, int high)
{
    static const gspi_array made[] = {
        GSPI_ARRAYS(gspi_assign, made.part_of, made.device_of, NODES)};
    static const gspi_array results[] = {
        GSPI_ARRAY(gspi_assign, q.used, NODES),
        GSPI_ARRAYS(gspi_assign, q.node_begin, q.child_begin, ROWS),
        GSPI_ARRAYS(gspi_assign, q.nodes, q.level, NODES),
        GSPI_ARRAY(gspi_assign, q.child, EDGES),
    };
    static const gspi_array scratch[] = {
        GSPI_ARRAY(gspi_assign, q.size, NODES),
        GSPI_ARRAYS(gspi_assign, q.weight, q.volume, EDGES),
        GSPI_ARRAY(gspi_assign, q.held_begin, ROWS),
        GSPI_ARRAYS(gspi_assign, q.held, q.child_edge, EDGES),
        GSPI_ARRAYS(gspi_assign, q.order, q.slot, NODES),
        GSPI_ARRAYS(gspi_assign, devices.left, devices.need, DEVICES),
        GSPI_ARRAY(gspi_assign, devices.order, DEVICES),
        GSPI_ARRAYS(gspi_assign, paths.mem, paths.compute, TIMED),
    };
    GSPI_LAYOUT(b, a, made, lengths, 0);
    GSPI_LAYOUT(b, a, results, lengths, high);
    GSPI_LAYOUT(b, a, scratch, lengths, 1);
}

/* Measures all of it. */
static void gspi_assign_measure(gspi_bump *b, const size_t *lengths, int high)
{
    (void)GSPI_HIGH(b, gspi_assign, 1u);
    gspi_assign_layout(b, NULL, lengths, high);
}

static gsp_status gspi_assign_check(const gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_partition_desc *d, const void *out, gsp_error *err)
{
    int empty = 1;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && d != NULL && out != NULL);
    GSPI_CHECK_DESC(*d);
    GSPI_CHECK(d->mode < (uint32_t)GSP_PARTITION_COUNT, DESC, CHOICE);
    int const aot = d->mode == (uint32_t)GSP_PARTITION_AOT;
    GSPI_CHECK_GIVEN((d->devices != NULL || d->n_devices == 0u) &&
                     (d->part_devices != NULL || d->n_part_devices == 0u) &&
                     (d->part_of != NULL || !aot));
    GSPI_CHECK(d->n_devices != 0u, ARG, DEVICES);
    for (gsp_node v = 0u; v < graph->n_nodes && (aot || empty); v++) {
        if (gspi_callable(graph, v)) {
            empty = 0;
            GSPI_CHECK_AT(!aot || d->part_of[v] != GSP_NONE, ARG, PART_NONE, v, GSP_NONE);
        }
    }
    GSPI_CHECK(!empty, EMPTY, CALLABLE);
    uint64_t room = 0u;
    for (uint32_t i = 0u; i < d->n_devices; i++) {
        GSPI_CHECK_ITEM(d->devices[i].bytes <= UINT64_MAX - room, OVERFLOW, SIZE, DEVICE, GSP_NONE,
                        i);
        room += d->devices[i].bytes;
    }
    return GSP_OK;
}

/* Bytes and latencies, into arrays if there are some. `timed`: with latencies. */
static gsp_status gspi_assign_read(gspi_quotient *q, gspi_paths *t, const gsp_graph *g,
                                   const gsp_partition_desc *d, int timed, gsp_error *err)
{
    GSPI_TRY(gspi_quotient_init(q, g, err));
    if (timed) {
        t->rate = d->has_rate != 0u ? gspi_seconds_read(d->transfer_rate) : GSPI_FOREVER;
        GSPI_CHECK(d->has_rate == 0u || t->rate < GSPI_FOREVER, ARG, RATE);
        return gspi_paths_read(q->size == NULL ? NULL : t, g, d->mem, d->compute, err);
    }
    return GSP_OK;
}

/* Enters the pass. Without room errors of the input come first. */
GSPI_OWN_FRAME gsp_status gspi_assign_enter(gspi_pass *pass, gsp_arena *arena, size_t bound,
                                            const gsp_graph *g, const gsp_partition_desc *d,
                                            int timed, gsp_error *err)
{
    gsp_status const status = gspi_enter(pass, arena, bound, err);
    if (status != GSP_OK) {
        gspi_quotient q;
        gspi_paths paths;
        gspi_set(&q, 0, 1u, sizeof(q));
        GSPI_TRY(gspi_assign_read(&q, &paths, g, d, timed, err));
    }
    return status;
}

/* Layout and data. */
static gsp_status gspi_assign_start(gspi_bump *b, gspi_assign *a, const gsp_graph *g,
                                    const gsp_partition_desc *d, int timed, int high,
                                    gsp_error *err)
{
    gspi_set(a, 0, 1u, sizeof(*a));
    gspi_assign_lengths(a->lengths, g, d, timed);
    gspi_assign_layout(b, a, a->lengths, high);
    a->d = d;
    a->q.part_of = a->made.part_of;
    gspi_none_words(a->q.part_of, g->n_nodes);
    a->devices.device = d->devices;
    a->devices.n = d->n_devices;
    a->devices.device_of = a->made.device_of;
    a->every = d->progress_every == 0u ? 4096u : d->progress_every;
    a->until = a->every;
    GSPI_TRY(gspi_assign_read(&a->q, &a->paths, g, d, timed, err));
    return gspi_devices_check(&a->devices, err);
}

/* Counts a trial before it is made; 1: the search stops. */
static int gspi_assign_stops(gspi_assign *a, uint64_t cost)
{
    const gsp_partition_desc *d = a->d;
    if (d->max_work != 0u && a->made.work >= d->max_work) {
        a->made.stopped = 1u;
        return 1;
    }
    a->made.work++;
    a->until--;
    if (a->until == 0u) {
        a->until = a->every;
        if (d->progress != NULL) {
            gsp_partition_progress const now = {d->mode,      a->made.n_steps,
                                                a->done,      a->total,
                                                a->made.work, gspi_seconds_double(cost)};
            a->made.stopped = d->progress(d->progress_user, &now) != 0 ? 1u : 0u;
        }
    }
    return a->made.stopped != 0u;
}

/* Counts and reports a merge or swap before it is made. */
static void gspi_assign_step(gspi_assign *a, uint32_t from, uint32_t to, gsp_node node,
                             gsp_node other, uint64_t cost)
{
    a->made.n_steps++;
    if (a->d->step != NULL) {
        gsp_partition_step const step = {
            a->d->mode, from, to, node, other, a->made.work, gspi_seconds_double(cost)};
        a->d->step(a->d->step_user, &step);
    }
}

/* The quotient, transfers of its edges, critical paths of its partitions. */
static void gspi_assign_build(gspi_assign *a, uint64_t *seconds, uint64_t *node_done,
                              uint64_t *latency)
{
    (void)gspi_quotient_build(&a->q);
    for (uint32_t e = 0u; e < a->q.n_edges; e++) {
        seconds[e] = gspi_paths_move(&a->paths, a->q.volume[e]);
    }
    gspi_paths_parts(&a->paths, &a->q, node_done, latency);
}

static gsp_status gspi_assign_map(gspi_assign *a, gsp_error *err)
{
    gspi_devices_reset(&a->devices, a->q.k);
    return gspi_devices_map(&a->devices, &a->q, err);
}

/* ---- by size ---- */

/* One pass in graph order with one open partition: no node reads a later one, so the bytes that a
 * node adds are known without another pass over the partition. */

typedef struct gspi_size_ws {
    gspi_assign *a;
    uint8_t *taken; /* [devices] */
    uint32_t open;  /* partition to fill */
    uint64_t left;  /* bytes of its device */
} gspi_size_ws;

/* Opens a partition with v on the first free device that is large enough. */
static gsp_status gspi_size_open(gspi_size_ws *ws, gsp_node v, gsp_error *err)
{
    const gspi_devices *devices = &ws->a->devices;
    uint64_t const need = gspi_quotient_extra(&ws->a->q, v, GSP_NONE);
    uint32_t largest = GSP_NONE;
    for (uint32_t i = 0u; i < devices->n; i++) {
        uint64_t const bytes = devices->device[i].bytes;
        if (!ws->taken[i] && bytes >= need) {
            ws->taken[i] = 1u;
            ws->open = ws->a->q.k++;
            ws->left = bytes - need;
            devices->device_of[ws->open] = i;
            gspi_quotient_add(&ws->a->q, v, ws->open);
            return GSP_OK;
        }
        if (!ws->taken[i] && (largest == GSP_NONE || bytes > devices->device[largest].bytes)) {
            largest = i;
        }
    }
    return gspi_fail_device(err, GSP_DETAIL_NODE_LARGE, v, need, largest,
                            largest == GSP_NONE ? 0u : devices->device[largest].bytes);
}

static gsp_status gspi_size_node(gspi_size_ws *ws, gsp_node v, gsp_error *err)
{
    gspi_quotient *q = &ws->a->q;
    uint32_t const n = ws->a->devices.n;
    if (q->k > 0u && q->k <= n) {
        uint64_t const extra = gspi_quotient_extra(q, v, ws->open);
        if (extra <= ws->left) {
            ws->left -= extra;
            gspi_quotient_add(q, v, ws->open);
            return GSP_OK;
        }
    }
    if (q->k < n) {
        return gspi_size_open(ws, v, err);
    }
    gspi_quotient_add(q, v, q->k++);
    return GSP_OK;
}

static gsp_status gspi_size_assign(gspi_size_ws *ws, gsp_error *err)
{
    gspi_quotient *q = &ws->a->q;
    gspi_set(ws->taken, 0, ws->a->devices.n, 1u);
    gspi_none_words(q->stamp, q->n);
    for (gsp_node v = 0u; v < q->n; v++) {
        if (gspi_is_callable(q->op[v])) {
            GSPI_TRY(gspi_size_node(ws, v, err));
        }
    }
    if (q->k <= ws->a->devices.n) { /* every partition has a device */
        return GSP_OK;
    }
    (void)gspi_quotient_build(q);
    return gspi_devices_map(&ws->a->devices, q, err);
}

/* ---- sparse: embeddings, and everything else ---- */

/* One pass in graph order makes groups, which end where the kind changes or the device is full.
 * Later steps read groups and edges between them only: a partition is a list of groups, and one of
 * them represents it. Levels are longest paths: partitions at most one level apart have no path of
 * two edges between them, and merging them makes no cycle. */

typedef struct gspi_sparse_ws {
    gspi_assign *a; /* quotient of the groups */
    uint64_t room;  /* bytes of a device */
    uint32_t n_made;
    uint32_t n_list;
    uint8_t *embeds; /* [n] 1: embeddings */
    uint64_t *cut;   /* [n] weights between the smallest partition and others */
    uint32_t *rep;   /* [n] representative group of its partition */
    uint32_t *next;  /* [n] next group of the partition, or GSP_NONE */
    uint32_t *last;  /* [n] last group of a partition */
    uint32_t *made;  /* [n] creation time of a partition */
    uint32_t *list;  /* [n] partitions of one kind by bytes, then made[]; finally all by made[] */
} gspi_sparse_ws;

static void gspi_sparse_layout(gspi_bump *b, void *ws, const size_t *lengths)
{
    static const gspi_array arrays[] = {
        GSPI_ARRAY(gspi_sparse_ws, embeds, NODES),
        GSPI_ARRAY(gspi_sparse_ws, cut, NODES),
        GSPI_ARRAYS(gspi_sparse_ws, rep, list, NODES),
    };
    GSPI_LAYOUT(b, ws, arrays, lengths, 1);
}

/* Whether the class of a called module itself contains "Embedding". */
static int gspi_sparse_embeds(const gsp_graph *g, const gsp_partition_desc *d, gsp_node v)
{
    if (gspi_op(g, v) != GSP_OP_CALL_MODULE) {
        return 0;
    }
    if (d->is_embedding != NULL) {
        return d->is_embedding(d->embedding_user, g, v) != 0;
    }
    gsp_str name = gspi_attr_str(g, v, GSP_KEY_MODULE);
    for (uint32_t i = 0u; i < name.size; i++) {
        if (gspi_at(name, i, "Embedding")) {
            return 1;
        }
    }
    return 0;
}

static gsp_status gspi_sparse_groups(gspi_sparse_ws *ws, gsp_error *err)
{
    gspi_quotient *q = &ws->a->q;
    uint64_t used = 0u;
    uint32_t group = GSP_NONE; /* open */
    q->k = 0u;
    gspi_none_words(q->stamp, q->n);
    for (gsp_node v = 0u; v < q->n; v++) {
        if (!gspi_is_callable(q->op[v])) {
            continue;
        }
        int embeds = gspi_sparse_embeds(q->g, ws->a->d, v);
        uint64_t extra = gspi_quotient_extra(q, v, group);
        if (group == GSP_NONE || embeds != (int)ws->embeds[group] || extra > ws->room - used) {
            extra = gspi_quotient_extra(q, v, GSP_NONE);
            group = q->k++;
            ws->embeds[group] = (uint8_t)embeds;
            used = 0u;
        }
        if (extra > ws->room) {
            return gspi_fail_device(err, GSP_DETAIL_NODE_LARGE, v, extra, 0u, ws->room);
        }
        used += extra;
        gspi_quotient_add(q, v, group);
    }
    return GSP_OK;
}

static int gspi_sparse_before(const gspi_sparse_ws *ws, uint32_t a, uint32_t b)
{
    const uint64_t *used = ws->a->q.used;
    return used[a] < used[b] || (used[a] == used[b] && ws->made[a] < ws->made[b]);
}

/* Sorted partitions of a kind; made[] is the order of the groups. */
static void gspi_sparse_list(gspi_sparse_ws *ws, uint8_t embeds)
{
    ws->n_list = 0u;
    for (uint32_t p = 0u; p < ws->a->q.k; p++) {
        if (ws->rep[p] == p && ws->embeds[p] == embeds) {
            ws->list[ws->n_list++] = p;
        }
    }
    gspi_sort(ws->list, ws->n_list, ws->a->q.used);
}

/* cut[]: weights between partition s and others. Stamps the nodes that s holds. */
static void gspi_sparse_mark(gspi_sparse_ws *ws, uint32_t s, uint32_t stamp)
{
    const gspi_quotient *q = &ws->a->q;
    gspi_set(ws->cut, 0, q->k, sizeof(uint64_t));
    for (uint32_t p = s; p != GSP_NONE; p = ws->next[p]) {
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            ws->cut[ws->rep[q->parent[e]]] += q->weight[e];
        }
        for (uint32_t e = q->child_begin[p]; e < q->child_begin[p + 1u]; e++) {
            ws->cut[ws->rep[q->child[e]]] += q->weight[q->child_edge[e]];
        }
        for (uint32_t e = q->held_begin[p]; e < q->held_begin[p + 1u]; e++) {
            q->stamp[q->held[e]] = stamp;
        }
    }
}

/* Bytes that partition a and the marked one both hold. */
static uint64_t gspi_sparse_both(const gspi_sparse_ws *ws, uint32_t a)
{
    const gspi_quotient *q = &ws->a->q;
    uint64_t bytes = 0u;
    for (uint32_t round = 1u; round <= 2u; round++) { /* 1: counts, 2: restores stamps */
        for (uint32_t p = a; p != GSP_NONE; p = ws->next[p]) {
            for (uint32_t e = q->held_begin[p]; e < q->held_begin[p + 1u]; e++) {
                gsp_node const u = q->held[e];
                if (q->stamp[u] == round) {
                    q->stamp[u] = 3u - round;
                    bytes += round == 1u ? q->out[u] : 0u;
                }
            }
        }
    }
    return bytes;
}

/* List index of the partition that the smallest joins, or 0. `need`: bytes of both. */
static uint32_t gspi_sparse_partner(const gspi_sparse_ws *ws, uint64_t *need)
{
    const gspi_quotient *q = &ws->a->q;
    uint32_t const s = ws->list[0];
    for (uint32_t i = ws->n_list - 1u; i > 0u; i--) {
        uint32_t const p = ws->list[i];
        uint32_t const a = q->level[p];
        uint32_t const b = q->level[s];
        if ((a > b ? a - b : b - a) <= 1u) {
            *need = q->used[p] + q->used[s] - ws->cut[p] - gspi_sparse_both(ws, p);
            if (*need <= ws->room) {
                return i;
            }
        }
    }
    return 0u;
}

static uint32_t gspi_sparse_rank(const gspi_sparse_ws *ws, uint32_t a)
{
    uint32_t rank = 0u;
    for (uint32_t p = 0u; p < ws->a->q.k; p++) {
        rank += ws->rep[p] == p && ws->made[p] < ws->made[a] ? 1u : 0u;
    }
    return rank;
}

/* The smallest partition joins the one at index i, which moves to its new place by bytes. */
static void gspi_sparse_join(gspi_sparse_ws *ws, uint32_t i, uint64_t need)
{
    uint32_t const s = ws->list[0];
    uint32_t const a = ws->list[i];
    uint32_t at = 0u;
    uint32_t const rank_a = ws->a->d->step == NULL ? 0u : gspi_sparse_rank(ws, a);
    uint32_t const rank_s = ws->a->d->step == NULL ? 0u : gspi_sparse_rank(ws, s);
    gspi_assign_step(ws->a, rank_a < rank_s ? rank_a : rank_s, rank_a < rank_s ? rank_s : rank_a,
                     GSP_NONE, GSP_NONE, 0u);
    for (uint32_t p = s; p != GSP_NONE; p = ws->next[p]) {
        ws->rep[p] = a;
    }
    ws->next[ws->last[a]] = s;
    ws->last[a] = ws->last[s];
    ws->made[a] = ws->n_made++;
    ws->a->q.used[a] = need;
    for (uint32_t p = 1u; p < ws->n_list; p++) {
        if (p != i) {
            ws->list[at++] = ws->list[p];
        }
    }
    for (; at > 0u && gspi_sparse_before(ws, a, ws->list[at - 1u]); at--) {
        ws->list[at] = ws->list[at - 1u];
    }
    ws->list[at] = a;
    ws->n_list--;
}

static void gspi_sparse_merge(gspi_sparse_ws *ws, uint8_t embeds)
{
    uint32_t partner = 1u;
    gspi_sparse_list(ws, embeds);
    while (ws->n_list > 1u && partner != 0u) {
        uint32_t const s = ws->list[0];
        uint64_t need = 0u;
        (void)gspi_quotient_levels(&ws->a->q, ws->rep, ws->next);
        gspi_sparse_mark(ws, s, 1u);
        partner = gspi_sparse_partner(ws, &need);
        gspi_sparse_mark(ws, s, 0u);
        if (partner != 0u) {
            gspi_sparse_join(ws, partner, need);
        }
    }
}

static void gspi_sparse_number(gspi_sparse_ws *ws)
{
    gspi_quotient *q = &ws->a->q;
    uint32_t *number = q->slot; /* of a partition */
    uint32_t const n_groups = q->k;
    q->k = 0u;
    for (uint32_t p = 0u; p < n_groups; p++) {
        if (ws->rep[p] == p) {
            ws->list[q->k++] = p;
            ws->cut[p] = ws->made[p];
        }
    }
    gspi_sort(ws->list, q->k, ws->cut);
    for (uint32_t p = 0u; p < q->k; p++) {
        number[ws->list[p]] = p;
    }
    for (gsp_node v = 0u; v < q->n; v++) {
        if (q->part_of[v] != GSP_NONE) {
            q->part_of[v] = number[ws->rep[q->part_of[v]]];
        }
    }
}

/* One partition of embeddings per device, which must hold it and all other partitions. */
static gsp_status gspi_sparse_devices(gspi_sparse_ws *ws, gsp_error *err)
{
    gspi_quotient *q = &ws->a->q;
    gspi_devices *devices = &ws->a->devices;
    uint64_t others = 0u;
    uint32_t n = 0u;
    for (uint32_t p = 0u; p < q->k; p++) {
        n += ws->embeds[ws->list[p]];
        others += ws->embeds[ws->list[p]] != 0u ? 0u : q->used[p];
    }
    if (n > devices->n) {
        return gspi_fail_amount(err, GSP_STATUS_NO_FIT, GSP_DETAIL_EMBEDDINGS, n, devices->n);
    }
    ws->a->made.n_everywhere = n;
    if (n == 0u) {
        return gspi_devices_map(devices, q, err);
    }
    n = 0u;
    for (uint32_t p = 0u; p < q->k; p++) {
        if (ws->embeds[ws->list[p]] != 0u) {
            if (others + q->used[p] > ws->room) {
                return gspi_fail_device(err, GSP_DETAIL_EMBEDDING_LARGE, q->nodes[q->node_begin[p]],
                                        others + q->used[p], n, ws->room);
            }
            devices->device_of[p] = n++;
        }
    }
    return GSP_OK;
}

static gsp_status gspi_sparse_assign(gspi_sparse_ws *ws, gsp_error *err)
{
    gspi_quotient *q = &ws->a->q;
    const gspi_devices *devices = &ws->a->devices;
    ws->room = devices->device[0].bytes;
    for (uint32_t i = 1u; i < devices->n; i++) {
        GSPI_CHECK_ITEM(devices->device[i].bytes == ws->room, ARG, DEVICES_UNEQUAL, DEVICE,
                        GSP_NONE, i);
    }
    GSPI_TRY(gspi_sparse_groups(ws, err));
    (void)gspi_quotient_build(q);
    ws->n_made = q->k;
    for (uint32_t i = 0u; i < q->k; i++) {
        ws->rep[i] = i;
        ws->next[i] = GSP_NONE;
        ws->last[i] = i;
        ws->made[i] = i;
    }
    gspi_zero_words(q->stamp, q->n);
    gspi_sparse_merge(ws, 0u);
    gspi_sparse_merge(ws, 1u);
    gspi_sparse_number(ws);
    (void)gspi_quotient_build(q);
    return gspi_sparse_devices(ws, err);
}

/* ---- by cost: merges ---- */

/* The reference tries every pair on a copy of everything, in time n^5 or more. These rules give the
 * same merges in the same order.
 *
 * The last of equal pairs wins. So pairs are scanned from the last to the first, and must be
 * strictly below the limit: the best so far, at first just above the present latency. Each round
 * computes in linear time: quotient, critical paths, levels, a mapping to devices and finish times
 * under it; besides reachability as bits. A trial of (i, j) reads only differences, and stops at
 * the first test that excludes a value below the limit:
 *     cycle     partitions at most one level apart have no path of two edges between them; only
 *               neighbours further apart need the bits
 *     longest   the longest path without communication remains a path after the merge, unless both
 *               are on it; a merged partition takes no less time than one of them. Sums have the
 *               same order and rounding is monotone: exact
 *     bound     longest path above, merged partition, longest path below, without communication.
 *               A margin of units in the last place per term covers the rounding
 *     devices   the mapping is simulated exactly. The part before j is equal for all j of an i: a
 *               mapping without i is made once, and a trial continues at j. Bytes needed on every
 *               device come from it, unless a parent has moved. A run of partitions on one device
 *               is placed at once where sums prove the same device. Devices too full for all
 *               remaining partitions are skipped
 *     watch     the longest path of the round, timed in the mapping without i. Only a partition on
 *               a changed device can shorten it: mapping stops after the last such partition if
 *               none has changed. Most trials end here
 *     longest   the longest path of the round with the devices of the trial: exact as well
 *     time      only partitions whose device, parents or finish times of parents differ from the
 *               round are computed, in topological order, until nothing changes or the limit is
 *               passed. A sorted list gives the latest of all others
 *
 * A trial takes a few operations at best, and mostly a few per run after j. */

/* Partition in the mapping without i. */
typedef struct gspi_cost_base {
    uint32_t device;
    uint32_t stale; /* trial in which a parent has moved */
} gspi_cost_base;

/* Consecutive partitions of the list in that mapping. */
typedef struct gspi_cost_run {
    uint64_t need;   /* bytes of all on the device */
    uint32_t device; /* GSP_NONE: several */
    uint32_t stale;  /* trial in which a parent of one has moved */
} gspi_cost_run;

/* Seconds without communication as integers, rounded down. */
typedef struct gspi_cost_ticks {
    uint64_t above;
    uint64_t latency;
    uint64_t tail;
} gspi_cost_ticks;

typedef struct gspi_cost_link {
    uint64_t weight; /* of a parent */
    uint64_t volume;
    uint32_t part;
} gspi_cost_link;

typedef struct gspi_cost_ws {
    gspi_assign *a; /* partitions in list order: a merged one is last */
    uint32_t trial; /* number in its round, for marks */
    uint32_t i;     /* the pair of the trial */
    uint32_t j;
    uint32_t first; /* in topological order */
    uint32_t later;
    uint32_t pair_device; /* its device */
    uint32_t best_i;      /* GSP_NONE: no pair yet */
    uint32_t best_j;
    uint32_t words;     /* of a row of reach */
    uint32_t n_parents; /* in link[] */
    uint32_t n_links;
    uint32_t n_longest;
    uint32_t n_candidates;
    uint32_t n_moved;
    uint32_t reached;       /* first partition without device in the mapping of the round, or k */
    uint32_t known;         /* the same in the mapping without i */
    uint32_t watched;       /* end of the partitions that can shorten the path by moving */
    uint32_t watched_moved; /* one of them has moved */
    uint32_t exponent;      /* of the limit at the begin of the round, for ticks */
    gspi_cost_base *base;   /* [n] */
    gspi_cost_link *link;   /* [n] neighbours of the pair: parents, then children */
    gspi_cost_ticks *ticks; /* [n] */
    gspi_cost_run *run;     /* [n / run + 1] */
    uint8_t *on_longest;    /* [n] 1: in longest; 2: without communication; 4: 1, with transfers */
    uint32_t *round_device; /* [n] device in the mapping of the round */
    uint32_t *done_mark;    /* [n] trial of done_trial */
    uint32_t *latest;       /* [n] partitions by finish time */
    uint32_t *place;        /* [n] index in topological order */
    uint32_t *neighbour;    /* [n] i + 1: a neighbour of i */
    uint32_t *seen;         /* [n] last trial that counted a node */
    uint32_t *moved;        /* [n] partitions on another device in the trial */
    uint32_t *candidate;    /* [n] 2 j, descending; 2 j + 1: a neighbour of i */
    uint32_t *longest;      /* [n] longest path in the mapping of the round */
    uint32_t *read_begin;   /* [n + 1] by partition */
    gsp_node *read;         /* [m] distinct callable inputs outside */
    uint32_t *reach;        /* [n * words] descendants */
    gsp_bitset dirty;       /* [words] by place: to recompute */
    uint64_t *calls;        /* [m] of the quotient */
    uint64_t *seconds;      /* [m] of an edge */
    uint64_t *node_done;    /* [n] seconds from the top of its partition to a node */
    uint64_t *node_trial;   /* [n] in a merged partition */
    uint64_t *latency;      /* [n] of a partition */
    uint64_t *above;        /* [n] longest path without communication to a partition, exclusive */
    uint64_t *below;        /* [n] longest path from it, inclusive */
    uint64_t *tail;         /* [n] longest path from it, exclusive */
    uint64_t *done;         /* [n] finish time in the mapping of the round */
    uint64_t *done_trial;   /* [n] in a trial */
    uint64_t *floor;        /* [n] least unshared bytes of this and all later partitions */
    uint64_t *longest_seconds; /* [n] from the one before */
    uint64_t *need;            /* [n * devices] bytes without i */
    uint64_t *left;            /* [n * devices] left before a candidate without i */
    uint64_t *left_round;      /* [n * devices] left before i in the mapping of the round */
    uint32_t *order;           /* [n * devices] */
    uint32_t *order_round;     /* [n * devices] */
    uint64_t *run_need;        /* [(n / run + 1) * devices] least need[] of its partitions */
    uint64_t limit;            /* seconds, exclusive */
    uint64_t free_total;       /* longest path without communication */
    uint64_t late;             /* ticks that exclude a pair */
    uint64_t watched_total;    /* seconds if no watched partition moves */
    uint64_t guard;            /* units in the last place */
    uint64_t pair_used;
    uint64_t pair_latency;
    uint64_t pair_done;
    uint64_t pair_total; /* latest of all recomputed */
} gspi_cost_ws;

static void gspi_cost_layout(gspi_bump *b, void *ws, const size_t *lengths)
{
    static const gspi_array arrays[] = {
        GSPI_ARRAY(gspi_cost_ws, base, NODES),
        GSPI_ARRAY(gspi_cost_ws, link, NODES),
        GSPI_ARRAY(gspi_cost_ws, ticks, NODES),
        GSPI_ARRAY(gspi_cost_ws, run, RUNS),
        GSPI_ARRAY(gspi_cost_ws, on_longest, NODES),
        GSPI_ARRAYS(gspi_cost_ws, round_device, longest, NODES),
        GSPI_ARRAY(gspi_cost_ws, read_begin, ROWS),
        GSPI_ARRAY(gspi_cost_ws, read, EDGES),
        GSPI_ARRAY(gspi_cost_ws, reach, REACH),
        GSPI_ARRAY(gspi_cost_ws, dirty.words, WORDS),
        GSPI_ARRAYS(gspi_cost_ws, calls, seconds, EDGES),
        GSPI_ARRAYS(gspi_cost_ws, node_done, longest_seconds, NODES),
        GSPI_ARRAYS(gspi_cost_ws, need, left_round, NODE_DEVICES),
        GSPI_ARRAYS(gspi_cost_ws, order, order_round, NODE_DEVICES),
        GSPI_ARRAY(gspi_cost_ws, run_need, RUN_DEVICES),
    };
    GSPI_LAYOUT(b, ws, arrays, lengths, 1);
}

/* ---- cost: once per round ---- */

static void gspi_cost_reads(gspi_cost_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    uint32_t n = 0u;
    uint32_t p;
    gspi_none_words(q->stamp, q->n);
    for (p = 0u; p < q->k; p++) {
        ws->read_begin[p] = n;
        for (uint32_t i = q->node_begin[p]; i < q->node_begin[p + 1u]; i++) {
            gspi_row const inputs = gspi_inputs(q->g, q->nodes[i]);
            for (uint32_t j = 0u; j < inputs.n; j++) {
                gsp_node const u = inputs.at[j];
                if (q->part_of[u] != GSP_NONE && q->part_of[u] != p && q->stamp[u] != p) {
                    q->stamp[u] = p;
                    ws->read[n++] = u;
                }
            }
        }
    }
    ws->read_begin[p] = n;
}

/* above, below, reach. done[] and moved[] are those without communication. */
static void gspi_cost_order(gspi_cost_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    for (uint32_t t = 0u; t < q->k; t++) {
        uint32_t const p = q->order[t];
        ws->place[p] = t;
        ws->above[p] = ws->moved[p] == GSP_NONE ? 0u : ws->done[q->parent[ws->moved[p]]];
    }
    for (uint32_t t = q->k; t > 0u; t--) {
        uint32_t const p = q->order[t - 1u];
        uint32_t *row = ws->reach + (size_t)p * ws->words;
        uint64_t below = 0u;
        gspi_zero_words(row, ws->words);
        for (uint32_t e = q->child_begin[p]; e < q->child_begin[p + 1u]; e++) {
            uint32_t const c = q->child[e];
            const uint32_t *from = ws->reach + (size_t)c * ws->words;
            for (uint32_t w = 0u; w < ws->words; w++) {
                row[w] |= from[w];
            }
            row[c / 32u] |= 1u << (c % 32u);
            below = gspi_latest(below, ws->below[c]);
        }
        ws->tail[p] = below;
        ws->below[p] = gspi_seconds_add(ws->latency[p], below);
    }
}

static int gspi_cost_reaches(const gspi_cost_ws *ws, uint32_t from, uint32_t to)
{
    return (int)((ws->reach[(size_t)from * ws->words + to / 32u] >> (to % 32u)) & 1u);
}

static void gspi_cost_build(gspi_cost_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    gspi_assign_build(ws->a, ws->seconds, ws->node_done, ws->latency);
    gspi_cost_reads(ws);
    for (uint32_t p = 0u; p < q->k; p++) {
        ws->floor[p] = q->used[p];
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            ws->floor[p] -= q->weight[e];
        }
    }
}

/* Seconds of the whole graph on the devices of the round; moved[] is the latest edge. */
static uint64_t gspi_cost_total(gspi_cost_ws *ws)
{
    return gspi_paths_total(&ws->a->q, ws->seconds, ws->latency, ws->round_device, ws->done,
                            ws->moved);
}

/* The longest path of that, from its end. */
static void gspi_cost_longest(gspi_cost_ws *ws, uint8_t mark)
{
    const gspi_quotient *q = &ws->a->q;
    uint32_t p = 0u;
    for (uint32_t i = 1u; i < q->k; i++) {
        p = ws->done[i] > ws->done[p] ? i : p;
    }
    ws->n_longest = 0u;
    while (p != GSP_NONE) {
        uint32_t const e = ws->moved[p];
        ws->on_longest[p] |= mark;
        ws->longest[ws->n_longest] = p;
        ws->longest_seconds[ws->n_longest++] = e == GSP_NONE ? 0u : ws->seconds[e];
        p = e == GSP_NONE ? GSP_NONE : q->parent[e];
    }
}

/* The mapping of the round, and bytes left before every partition. */
static void gspi_cost_map_round(gspi_cost_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    gspi_devices *v = &ws->a->devices;
    size_t const n = v->n;
    uint32_t p;
    gspi_devices_reset(v, q->k);
    gspi_sort(v->order, v->n, v->left);
    for (p = 0u; p < q->k; p++) {
        gspi_copy(ws->left_round + p * n, v->left, n, sizeof(uint64_t));
        gspi_copy(ws->order_round + p * n, v->order, n, sizeof(uint32_t));
        if (!gspi_devices_map_one(v, q, p)) {
            break;
        }
    }
    ws->reached = p;
    gspi_copy(ws->round_device, v->device_of, q->k, sizeof(uint32_t));
}

/* The exponent makes everything below the limit less than 2^62. */
static uint64_t gspi_cost_to_ticks(const gspi_cost_ws *ws, uint64_t seconds)
{
    uint32_t const e = (uint32_t)(seconds >> 52);
    uint64_t const m = ((seconds & GSPI_FRACTION) | (e != 0u ? GSPI_HIDDEN : 0u)) << 9;
    uint32_t const shift = ws->exponent - (e == 0u ? 1u : e);
    if (e > ws->exponent) {
        return (uint64_t)1u << 62;
    }
    return shift < 64u ? m >> shift : 0u;
}

static void gspi_cost_all_ticks(gspi_cost_ws *ws)
{
    ws->exponent = ws->limit >> 52 == 0u ? 1u : (uint32_t)(ws->limit >> 52);
    for (uint32_t p = 0u; p < ws->a->q.k; p++) {
        ws->ticks[p].above = gspi_cost_to_ticks(ws, ws->above[p]);
        ws->ticks[p].latency = gspi_cost_to_ticks(ws, ws->latency[p]);
        ws->ticks[p].tail = gspi_cost_to_ticks(ws, ws->tail[p]);
    }
}

static void gspi_cost_unmark(gspi_cost_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    ws->trial = 0u;
    gspi_zero_words(ws->done_mark, q->k);
    gspi_zero_words(q->mark, q->k);
    gspi_zero_words(ws->seen, q->n);
    for (uint32_t p = 0u; p < q->k; p++) {
        ws->base[p].stale = 0u;
        ws->run[p / GSPI_COST_RUN].stale = 0u;
    }
}

static void gspi_cost_prepare(gspi_cost_ws *ws, int first)
{
    gspi_quotient *q = &ws->a->q;
    ws->words = (uint32_t)gsp_bitset_words(q->k);
    ws->dirty.n = q->k;
    ws->guard = 4u * ((uint64_t)q->k + 4u);
    gspi_cost_build(ws);
    gspi_set(ws->on_longest, 0, q->k, 1u);
    gspi_zero_words(ws->round_device, q->k); /* no communication */
    ws->free_total = gspi_cost_total(ws);
    gspi_cost_order(ws);
    gspi_cost_longest(ws, 2u);
    gspi_none_words(ws->round_device, q->k);
    if (first) {
        ws->limit = gspi_cost_total(ws) + 1u;
    }
    gspi_cost_map_round(ws);
    uint64_t const total = gspi_cost_total(ws);
    ws->limit = first ? ws->limit : total + 1u;
    gspi_cost_longest(ws, 1u);
    for (uint32_t p = 0u; p < q->k; p++) {
        ws->latest[p] = p;
    }
    gspi_sort(ws->latest, q->k, ws->done);
    for (uint32_t p = q->k - 1u; p > 0u; p--) {
        ws->floor[p - 1u] = ws->floor[p] < ws->floor[p - 1u] ? ws->floor[p] : ws->floor[p - 1u];
    }
    gspi_cost_all_ticks(ws);
    ws->best_i = GSP_NONE;
    gspi_cost_unmark(ws);
    gspi_zero_words(ws->neighbour, q->k);
    gspi_none_words(q->stamp, q->n);
}

/* ---- cost: a trial ---- */

/* Whether a path of two or more edges exists. */
static int gspi_cost_around(const gspi_cost_ws *ws, uint32_t from, uint32_t to)
{
    const gspi_quotient *q = &ws->a->q;
    for (uint32_t e = q->child_begin[from]; e < q->child_begin[from + 1u]; e++) {
        if (q->child[e] != to && gspi_cost_reaches(ws, q->child[e], to)) {
            return 1;
        }
    }
    return 0;
}

/* Critical path of two merged neighbours: recomputes nodes of the later one. */
static uint64_t gspi_cost_merged(const gspi_cost_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    uint64_t latency = ws->latency[ws->first];
    for (uint32_t i = q->node_begin[ws->later]; i < q->node_begin[ws->later + 1u]; i++) {
        gsp_node const v = q->nodes[i];
        uint64_t top = 0u;
        gspi_row const inputs = gspi_inputs(q->g, v);
        for (uint32_t j = 0u; j < inputs.n; j++) {
            gsp_node const u = inputs.at[j];
            if (q->part_of[u] == ws->later) {
                top = gspi_latest(top, ws->node_trial[u]);
            } else if (q->part_of[u] == ws->first) {
                top = gspi_latest(top, ws->node_done[u]);
            }
        }
        ws->node_trial[v] = gspi_seconds_add(top, gspi_paths_node(&ws->a->paths, v));
        latency = gspi_latest(latency, ws->node_trial[v]);
    }
    return latency;
}

/* Whether two merged neighbours are too late even without communication. Sets their latency. */
static int gspi_cost_is_late(gspi_cost_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    uint64_t above = ws->above[ws->first];
    uint64_t below = ws->tail[ws->later];
    for (uint32_t e = q->parent_begin[ws->later]; e < q->parent_begin[ws->later + 1u]; e++) {
        uint32_t const r = q->parent[e];
        if (r != ws->first) {
            above = gspi_latest(above, gspi_seconds_add(ws->above[r], ws->latency[r]));
        }
    }
    for (uint32_t e = q->child_begin[ws->first]; e < q->child_begin[ws->first + 1u]; e++) {
        below = q->child[e] == ws->later ? below : gspi_latest(below, ws->below[q->child[e]]);
    }
    ws->pair_latency = gspi_cost_merged(ws);
    return gspi_seconds_add(gspi_seconds_add(above, ws->pair_latency), below) >=
           ws->limit + ws->guard;
}

/* The same for two other partitions. */
static int gspi_cost_is_apart_late(const gspi_cost_ws *ws, uint32_t i, uint32_t j)
{
    const gspi_cost_ticks *a = &ws->ticks[i];
    const gspi_cost_ticks *b = &ws->ticks[j];
    return gspi_latest(a->above, b->above) + gspi_latest(a->latency, b->latency) +
               gspi_latest(a->tail, b->tail) >=
           ws->late;
}

/* Adds a neighbour of the pair: parent (weight) or child (volume). */
static void gspi_cost_add_link(gspi_cost_ws *ws, uint32_t p, uint64_t weight, uint64_t volume)
{
    gspi_quotient *q = &ws->a->q;
    if (q->mark[p] != ws->trial) {
        q->mark[p] = ws->trial;
        q->slot[p] = ws->n_links;
        ws->link[ws->n_links].part = p;
        ws->link[ws->n_links].weight = 0u;
        ws->link[ws->n_links].volume = 0u;
        ws->n_links++;
    }
    ws->link[q->slot[p]].weight += weight;
    ws->link[q->slot[p]].volume += volume;
}

static void gspi_cost_links(gspi_cost_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    ws->pair_used = q->used[ws->i] + q->used[ws->j] - gspi_quotient_both(q, ws->i, ws->j);
    ws->n_links = 0u;
    for (uint32_t side = 0u; side < 2u; side++) {
        uint32_t const p = side == 0u ? ws->i : ws->j;
        uint32_t const other = side == 0u ? ws->j : ws->i;
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            if (q->parent[e] == other) {
                ws->pair_used -= q->weight[e];
            } else {
                gspi_cost_add_link(ws, q->parent[e], q->weight[e], 0u);
            }
        }
    }
    ws->n_parents = ws->n_links;
    for (uint32_t side = 0u; side < 2u; side++) {
        uint32_t const p = side == 0u ? ws->i : ws->j;
        uint32_t const other = side == 0u ? ws->j : ws->i;
        for (uint32_t e = q->child_begin[p]; e < q->child_begin[p + 1u]; e++) {
            if (q->child[e] != other) {
                gspi_cost_add_link(ws, q->child[e], 0u, q->calls[q->child_edge[e]]);
            }
        }
    }
}

/* ---- cost: devices ---- */

static int gspi_cost_place_pair(gspi_cost_ws *ws)
{
    const gspi_devices *v = &ws->a->devices;
    gspi_devices_need(v, v->need, ws->pair_used);
    for (uint32_t e = 0u; e < ws->n_parents; e++) {
        gspi_devices_share(v, v->need, ws->link[e].part, ws->link[e].weight);
    }
    uint32_t const t = gspi_devices_fit(v);
    ws->pair_device = t < v->n ? v->order[t] : GSP_NONE;
    return t < v->n;
}

/* Moves a partition off its device in the mapping without i. */
static void gspi_cost_move(gspi_cost_ws *ws, uint32_t p, uint32_t device)
{
    const gspi_quotient *q = &ws->a->q;
    ws->a->devices.device_of[p] = device;
    ws->moved[ws->n_moved++] = p;
    ws->watched_moved |= ws->on_longest[p] & 4u;
    for (uint32_t e = q->child_begin[p]; e < q->child_begin[p + 1u]; e++) {
        ws->base[q->child[e]].stale = ws->trial;
        ws->run[q->child[e] / GSPI_COST_RUN].stale = ws->trial;
    }
}

/* Runs after i in which every partition has a device. */
static void gspi_cost_runs(gspi_cost_ws *ws)
{
    uint32_t const n = ws->a->devices.n;
    for (uint32_t r = 0u; r * GSPI_COST_RUN < ws->a->q.k; r++) {
        gspi_cost_run *run = &ws->run[r];
        uint64_t *least = ws->run_need + (size_t)r * n;
        uint32_t p = r * GSPI_COST_RUN;
        uint32_t const end = p + GSPI_COST_RUN;
        run->need = 0u;
        run->device = p > ws->i && end <= ws->known ? ws->base[p].device : GSP_NONE;
        gspi_set(least, 0xFF, n, sizeof(uint64_t));
        for (; p < end && run->device != GSP_NONE; p++) {
            const uint64_t *need = ws->need + (size_t)p * n;
            run->need += need[run->device];
            run->device = ws->base[p].device == run->device ? run->device : GSP_NONE;
            for (uint32_t e = 0u; e < n; e++) {
                least[e] = need[e] < least[e] ? need[e] : least[e];
            }
        }
    }
}

/* Places a run on its device if that is the first from index t of the order on which a partition of
 * it fits, has room for all and keeps its place in the order. */
static int gspi_cost_place_run(const gspi_cost_ws *ws, uint32_t r, uint32_t t)
{
    const gspi_devices *v = &ws->a->devices;
    const gspi_cost_run *run = &ws->run[r];
    const uint64_t *least = ws->run_need + (size_t)r * v->n;
    if (run->device == GSP_NONE || run->stale == ws->trial || run->need >= v->left[run->device]) {
        return 0;
    }
    while (v->order[t] != run->device) {
        if (v->left[v->order[t]] > least[v->order[t]]) {
            return 0;
        }
        t++;
        if (t == v->n) {
            return 0; /* too full for all remaining partitions */
        }
    }
    if (t != 0u && v->left[v->order[t - 1u]] > v->left[run->device] - run->need) {
        return 0;
    }
    v->left[run->device] -= run->need;
    return 1;
}

/* Maps partitions begin .. end - 1; returns the first without device, or end. Devices before `from`
 * in the order are too full for all remaining partitions. */
static uint32_t gspi_cost_map(gspi_cost_ws *ws, uint32_t begin, uint32_t end)
{
    gspi_devices *v = &ws->a->devices;
    const uint32_t *order = v->order;
    uint64_t *left = v->left;
    uint32_t const n = v->n;
    uint32_t from = 0u;
    uint32_t p;
    for (p = begin; p < end; p++) {
        uint64_t *need = ws->need + (size_t)p * n;
        uint32_t t = from;
        if (p % GSPI_COST_RUN == 0u && p + GSPI_COST_RUN <= end && p < ws->known &&
            gspi_cost_place_run(ws, p / GSPI_COST_RUN, from)) {
            p += GSPI_COST_RUN - 1u;
            continue;
        }
        if (p >= ws->known) {
            gspi_devices_needs(v, &ws->a->q, p, need);
        } else if (ws->base[p].stale == ws->trial) {
            need = v->need;
            gspi_devices_needs(v, &ws->a->q, p, need);
        }
        while (t < n && need[order[t]] >= left[order[t]]) {
            t++;
        }
        if (t == n) {
            return p;
        }
        uint32_t device = order[t];
        from += t != from && left[order[from]] <= ws->floor[p] ? 1u : 0u;
        left[device] -= need[device];
        if (t != 0u && left[order[t - 1u]] > left[device]) {
            gspi_devices_reorder(v, t);
        }
        if (p >= ws->known) {
            v->device_of[p] = device;
        } else if (device != ws->base[p].device) {
            gspi_cost_move(ws, p, device);
        }
    }
    return p;
}

/* Devices of all partitions after j. 0: one has none, or the trial is too late. */
static int gspi_cost_map_after(gspi_cost_ws *ws, int watches)
{
    gspi_devices *v = &ws->a->devices;
    uint32_t const k = ws->a->q.k;
    size_t const n = v->n;
    uint32_t begin = ws->j + 1u;
    if (watches && begin >= ws->watched) {
        return 0;
    }
    gspi_copy(v->left, ws->left + ws->j * n, n, sizeof(uint64_t));
    gspi_copy(v->order, ws->order + ws->j * n, n, sizeof(uint32_t));
    gspi_cost_move(ws, ws->j, GSP_NONE);
    if (watches) {
        ws->watched_moved = 0u;
        if (gspi_cost_map(ws, begin, ws->watched) < ws->watched || ws->watched_moved == 0u) {
            return 0;
        }
        begin = ws->watched;
    }
    return gspi_cost_map(ws, begin, k) == k;
}

/* Whether the longest path of the round reaches the limit on the devices of the trial. */
static int gspi_cost_is_longest_late(const gspi_cost_ws *ws)
{
    const uint32_t *device_of = ws->a->devices.device_of;
    uint64_t done = 0u;
    uint32_t before = GSP_NONE;
    uint64_t moving = 0u;
    for (uint32_t t = ws->n_longest; t > 0u; t--) {
        uint32_t const p = ws->longest[t - 1u];
        uint32_t const device = p == ws->i || p == ws->j ? ws->pair_device : device_of[p];
        moving = ws->longest_seconds[t - 1u];
        done = t < ws->n_longest && device != before ? gspi_seconds_add(done, moving) : done;
        done = gspi_seconds_add(done, ws->latency[p]);
        before = device;
    }
    return done >= ws->limit;
}

/* Time of the longest path of the round in the mapping without i, without transfers of i. A trial
 * shortens it only by moving a partition of it before `watched`: later ones have no transfers. */
static void gspi_cost_watch(gspi_cost_ws *ws)
{
    uint64_t done = 0u;
    uint32_t before = GSP_NONE;
    ws->watched = ws->i + 1u;
    for (uint32_t t = 0u; t < ws->n_longest; t++) {
        ws->on_longest[ws->longest[t]] &= 3u;
    }
    for (uint32_t t = ws->n_longest; t > 0u && ws->known == ws->a->q.k; t--) {
        uint32_t const p = ws->longest[t - 1u];
        uint64_t const moving = ws->longest_seconds[t - 1u];
        if (before != GSP_NONE && p != ws->i && before != ws->i && moving != 0u &&
            ws->base[p].device != ws->base[before].device) {
            uint32_t const later = p > before ? p : before;
            done = gspi_seconds_add(done, moving);
            ws->watched = later >= ws->watched ? later + 1u : ws->watched;
            ws->on_longest[p] |= 4u;
            ws->on_longest[before] |= 4u;
        }
        done = gspi_seconds_add(done, ws->latency[p]);
        before = p;
    }
    ws->watched_total = done;
}

/* ---- cost: times ---- */

static void gspi_cost_dirty(gspi_cost_ws *ws, uint32_t p)
{
    gsp_bitset_set(&ws->dirty, ws->place[p]);
}

static void gspi_cost_dirty_children(gspi_cost_ws *ws, uint32_t p)
{
    const gspi_quotient *q = &ws->a->q;
    for (uint32_t e = q->child_begin[p]; e < q->child_begin[p + 1u]; e++) {
        gspi_cost_dirty(ws, q->child[e]);
    }
}

/* Volumes of the links; nodes that both of the pair read or hold count once. */
static void gspi_cost_volumes(gspi_cost_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    uint32_t held = 0u;
    for (uint32_t side = 0u; side < 2u; side++) {
        uint32_t const p = side == 0u ? ws->i : ws->j;
        for (uint32_t i = ws->read_begin[p]; i < ws->read_begin[p + 1u]; i++) {
            gsp_node const u = ws->read[i];
            uint32_t const r = q->part_of[u];
            if (ws->seen[u] != ws->trial && r != ws->i && r != ws->j) {
                ws->seen[u] = ws->trial;
                ws->link[q->slot[r]].volume += q->out[u];
            }
        }
        for (uint32_t i = q->held_begin[p]; i < q->held_begin[p + 1u]; i++) {
            ws->seen[q->held[i]] = ws->trial;
            held++;
        }
    }
    for (uint32_t i = 0u; i < ws->n_links && held > 0u; i++) {
        uint32_t const r = ws->link[i].part;
        for (uint32_t k = q->held_begin[r]; k < q->held_begin[r + 1u]; k++) {
            gsp_node const u = q->held[k];
            ws->link[i].volume += ws->seen[u] == ws->trial ? q->out[u] : 0u;
        }
    }
}

static uint64_t gspi_cost_done(const gspi_cost_ws *ws, uint32_t p)
{
    return ws->done_mark[p] == ws->trial ? ws->done_trial[p] : ws->done[p];
}

/* Adds the transfer between the pair and link k. */
static uint64_t gspi_cost_linked(const gspi_cost_ws *ws, uint64_t from, uint32_t k)
{
    if (ws->a->devices.device_of[ws->link[k].part] == ws->pair_device) {
        return from;
    }
    return gspi_seconds_add(from, gspi_paths_move(&ws->a->paths, ws->link[k].volume));
}

/* Finish time of the pair; 0: too late. */
static int gspi_cost_pair(gspi_cost_ws *ws)
{
    uint64_t latest = 0u;
    for (uint32_t k = 0u; k < ws->n_parents; k++) {
        latest = gspi_latest(latest, gspi_cost_linked(ws, gspi_cost_done(ws, ws->link[k].part), k));
    }
    ws->pair_done = gspi_seconds_add(latest, ws->pair_latency);
    ws->pair_total = gspi_latest(ws->pair_total, ws->pair_done);
    return ws->pair_done < ws->limit;
}

/* Finish time of a partition; 0: it or one of its descendants is too late. */
static int gspi_cost_partition(gspi_cost_ws *ws, uint32_t p)
{
    const gspi_quotient *q = &ws->a->q;
    const uint32_t *device_of = ws->a->devices.device_of;
    uint64_t latest = 0u;
    for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
        uint32_t const r = q->parent[e];
        if (r != ws->i && r != ws->j) {
            uint64_t there = gspi_cost_done(ws, r);
            if (device_of[r] != device_of[p]) {
                there = gspi_seconds_add(there, ws->seconds[e]);
            }
            latest = gspi_latest(latest, there);
        }
    }
    if (q->mark[p] == ws->trial && q->slot[p] >= ws->n_parents) {
        latest = gspi_latest(latest, gspi_cost_linked(ws, ws->pair_done, q->slot[p]));
    }
    uint64_t done = gspi_seconds_add(latest, ws->latency[p]);
    ws->done_trial[p] = done;
    ws->done_mark[p] = ws->trial;
    ws->pair_total = gspi_latest(ws->pair_total, done);
    if (done != ws->done[p]) {
        gspi_cost_dirty_children(ws, p);
    }
    return done < ws->limit && gspi_seconds_add(latest, ws->below[p]) < ws->limit + ws->guard;
}

/* Recomputes dirty places begin .. end - 1 without descendants of `after`. 0: too late. */
static int gspi_cost_sweep(gspi_cost_ws *ws, uint32_t begin, uint32_t end, uint32_t after)
{
    uint32_t t = gsp_bitset_next(&ws->dirty, begin);
    for (; t < end; t = gsp_bitset_next(&ws->dirty, t + 1u)) {
        uint32_t const p = ws->a->q.order[t];
        if (p != ws->i && p != ws->j && (after == GSP_NONE || !gspi_cost_reaches(ws, after, p))) {
            gsp_bitset_clear(&ws->dirty, t);
            if (!gspi_cost_partition(ws, p)) {
                return 0;
            }
        }
    }
    return 1;
}

/* Marks moved partitions, their children and those of the pair as dirty. */
static void gspi_cost_changes(gspi_cost_ws *ws)
{
    const uint32_t *device_of = ws->a->devices.device_of;
    gsp_bitset_fill(&ws->dirty, 0);
    for (uint32_t p = ws->i + 1u; p < ws->a->q.k; p++) {
        if (device_of[p] != ws->round_device[p] && p != ws->j) {
            gspi_cost_dirty(ws, p);
            gspi_cost_dirty_children(ws, p);
        }
    }
    for (uint32_t p = ws->n_parents; p < ws->n_links; p++) {
        gspi_cost_dirty(ws, ws->link[p].part);
    }
}

/* Seconds of the whole graph; above the best: too late. The pair has the place of the later one in
 * the topological order; descendants of the first one in between wait for it. */
static uint64_t gspi_cost_time(gspi_cost_ws *ws)
{
    ws->pair_total = 0u;
    gspi_cost_volumes(ws);
    gspi_cost_changes(ws);
    if (!gspi_cost_sweep(ws, 0u, ws->place[ws->later], ws->first) || !gspi_cost_pair(ws) ||
        !gspi_cost_sweep(ws, ws->place[ws->first], ws->a->q.k, GSP_NONE)) {
        return UINT64_MAX;
    }
    for (uint32_t t = ws->a->q.k; t > 0u; t--) { /* latest that is not recomputed */
        uint32_t const p = ws->latest[t - 1u];
        if (p != ws->i && p != ws->j && ws->done_mark[p] != ws->trial) {
            return ws->done[p] > ws->pair_total ? ws->done[p] : ws->pair_total;
        }
    }
    return ws->pair_total;
}

/* ---- cost: a round ---- */

/* Undoes the previous trial. */
static void gspi_cost_next(gspi_cost_ws *ws)
{
    if (ws->trial == UINT32_MAX) {
        gspi_cost_unmark(ws);
    }
    ws->trial++;
    for (; ws->n_moved > 0u; ws->n_moved--) {
        uint32_t const p = ws->moved[ws->n_moved - 1u];
        ws->a->devices.device_of[p] = ws->base[p].device;
    }
}

static void gspi_cost_try(gspi_cost_ws *ws, uint32_t j, int adjacent)
{
    uint8_t const one = (uint8_t)(ws->on_longest[ws->i] ^ ws->on_longest[j]);
    uint8_t const both = (uint8_t)(ws->on_longest[ws->i] & ws->on_longest[j]);
    int const watches =
        ws->watched_total >= ws->limit && (both & 1u) == 0u && (ws->on_longest[j] & 5u) != 5u;
    ws->j = j;
    ws->first = ws->place[ws->i] < ws->place[j] ? ws->i : j;
    ws->later = ws->first == j ? ws->i : j;
    ws->pair_latency = ws->latency[ws->i] > ws->latency[j] ? ws->latency[ws->i] : ws->latency[j];
    gspi_cost_next(ws);
    if ((adjacent && gspi_cost_is_late(ws)) || !gspi_cost_map_after(ws, watches)) {
        return;
    }
    if ((one & 1u) == 0u && (both & 1u) == 0u && gspi_cost_is_longest_late(ws)) {
        return; /* on any device */
    }
    gspi_cost_links(ws);
    if (!gspi_cost_place_pair(ws) || ((both & 1u) == 0u && gspi_cost_is_longest_late(ws))) {
        return;
    }
    uint64_t total = gspi_cost_time(ws);
    if (total < ws->limit) {
        ws->limit = total;
        ws->best_i = ws->i;
        ws->best_j = j;
    }
}

/* Marks neighbours of i and nodes that it holds. */
static void gspi_cost_begin(gspi_cost_ws *ws, uint32_t i)
{
    const gspi_quotient *q = &ws->a->q;
    ws->i = i;
    for (uint32_t e = q->parent_begin[i]; e < q->parent_begin[i + 1u]; e++) {
        ws->neighbour[q->parent[e]] = i + 1u;
    }
    for (uint32_t e = q->child_begin[i]; e < q->child_begin[i + 1u]; e++) {
        ws->neighbour[q->child[e]] = i + 1u;
    }
    for (uint32_t e = q->held_begin[i]; e < q->held_begin[i + 1u]; e++) {
        q->stamp[q->held[e]] = i;
    }
}

/* Only two partitions on the longest path without communication can shorten it. */
static int gspi_cost_cannot_improve(const gspi_cost_ws *ws, uint32_t j)
{
    return ws->free_total >= ws->limit && (ws->on_longest[ws->i] & ws->on_longest[j] & 2u) == 0u;
}

/* Partners j of i, descending. 0: the search stops. */
static int gspi_cost_candidates(gspi_cost_ws *ws, uint32_t i)
{
    const gspi_quotient *q = &ws->a->q;
    uint32_t const a = q->level[i];
    ws->n_candidates = 0u;
    ws->late = gspi_cost_to_ticks(ws, ws->limit) + (ws->guard << 9);
    for (uint32_t j = q->k - 1u; j > i; j--) {
        uint32_t const b = q->level[j];
        int const adjacent = ws->neighbour[j] == i + 1u;
        int const apart = (a > b ? a - b : b - a) > 1u;
        if (apart && !adjacent) {
            continue;
        }
        if (gspi_assign_stops(ws->a, ws->limit)) {
            return 0;
        }
        if (gspi_cost_cannot_improve(ws, j) || (!adjacent && gspi_cost_is_apart_late(ws, i, j)) ||
            (apart && (a < b ? gspi_cost_around(ws, i, j) : gspi_cost_around(ws, j, i)))) {
            continue;
        }
        ws->candidate[ws->n_candidates++] = 2u * j + (adjacent ? 1u : 0u);
    }
    return 1;
}

/* The mapping without i, and bytes left before every candidate. */
static void gspi_cost_without(gspi_cost_ws *ws, uint32_t i)
{
    gspi_devices *v = &ws->a->devices;
    size_t const n = v->n;
    uint32_t const k = ws->a->q.k;
    uint32_t c = ws->n_candidates;
    uint32_t p = i + 1u;
    gspi_copy(v->left, ws->left_round + i * n, n, sizeof(uint64_t));
    gspi_copy(v->order, ws->order_round + i * n, n, sizeof(uint32_t));
    v->device_of[i] = GSP_NONE;
    ws->known = p;
    ws->n_moved = 0u;
    for (; c > 0u; c--) {
        uint32_t const j = ws->candidate[c - 1u] / 2u;
        p = gspi_cost_map(ws, p, j);
        if (p != j) {
            break; /* removing a later one gives it no device either */
        }
        gspi_copy(ws->left + j * n, v->left, n, sizeof(uint64_t));
        gspi_copy(ws->order + j * n, v->order, n, sizeof(uint32_t));
    }
    ws->known = c > 0u ? p : gspi_cost_map(ws, p, k);
    for (p = 0u; p < k; p++) {
        ws->base[p].device = v->device_of[p];
    }
    gspi_cost_watch(ws);
    gspi_cost_runs(ws);
}

/* Trials of i. 0: the search stops. */
static int gspi_cost_pairs(gspi_cost_ws *ws, uint32_t i)
{
    gspi_cost_begin(ws, i);
    int goes_on = gspi_cost_candidates(ws, i);
    if (ws->n_candidates > 0u) {
        gspi_cost_without(ws, i);
    }
    for (uint32_t c = 0u; c < ws->n_candidates; c++) {
        uint32_t const j = ws->candidate[c] / 2u;
        if (j <= ws->known) {
            gspi_cost_try(ws, j, (ws->candidate[c] & 1u) != 0u);
        }
    }
    return goes_on;
}

static void gspi_cost_round(gspi_cost_ws *ws)
{
    uint32_t i = ws->reached < ws->a->q.k - 1u ? ws->reached + 1u : ws->a->q.k - 1u;
    for (; i > 0u && gspi_cost_pairs(ws, i - 1u); i--) {
    }
}

/* Removes the pair from the list and appends the merged partition. */
static void gspi_cost_merge(gspi_cost_ws *ws)
{
    gspi_quotient *q = &ws->a->q;
    uint32_t const i = ws->best_i;
    uint32_t const j = ws->best_j;
    gspi_assign_step(ws->a, i, j, GSP_NONE, GSP_NONE, ws->limit);
    for (gsp_node v = 0u; v < q->n; v++) {
        uint32_t const p = q->part_of[v];
        if (p == i || p == j) {
            q->part_of[v] = q->k - 2u;
        } else if (p != GSP_NONE) {
            q->part_of[v] = p - (p > i ? 1u : 0u) - (p > j ? 1u : 0u);
        }
    }
    q->k--;
    ws->a->done++;
}

GSPI_OWN_FRAME gsp_status gspi_cost_assign(gspi_cost_ws *ws, gsp_error *err)
{
    gspi_quotient *q = &ws->a->q;
    int first = 1;
    for (gsp_node v = 0u; v < q->n; v++) {
        if (gspi_is_callable(q->op[v])) {
            q->part_of[v] = q->k++;
        }
    }
    ws->a->total = q->k - 1u;
    do {
        gspi_cost_prepare(ws, first);
        if (ws->limit > GSPI_FOREVER) {
            return gspi_paths_fail(&ws->a->paths, q, err);
        }
        first = 0;
        gspi_cost_round(ws);
        if (ws->best_i != GSP_NONE) {
            gspi_cost_merge(ws);
        }
    } while (ws->best_i != GSP_NONE && q->k > 1u && ws->a->made.stopped == 0u);
    (void)gspi_quotient_build(q);
    return gspi_assign_map(ws->a, err);
}

/* ---- KL: swaps ---- */

/* A trial changes two partitions, the pair. One pass over their nodes in graph order finds bytes,
 * critical paths and edges; the quotient of the others stays. Then devices are mapped and finish
 * times computed in topological order, which also finds cycles, until they reach the best time.
 * Memory is linear. */

/* Edges between a partition of the pair and others. */
typedef struct gspi_kl_edges {
    uint32_t n;
    uint32_t *part;   /* [n] partitions outside */
    uint32_t *mark;   /* [partitions] its last trial */
    uint64_t *weight; /* [partitions] */
    uint64_t *volume; /* [partitions] */
} gspi_kl_edges;

typedef struct gspi_kl_side {
    uint32_t part;
    uint32_t n_nodes;
    uint32_t n_held;
    uint64_t used;
    uint64_t latency;
    gspi_kl_edges in;  /* partitions that it reads */
    gspi_kl_edges out; /* partitions that read it, without the other side */
    gsp_node *held;    /* [n] placeholders and get_attr */
    uint32_t *seen;    /* [n] last trial in which it read or held a node */
} gspi_kl_side;

typedef struct gspi_kl_ws {
    gspi_assign *a;
    uint32_t trial;
    uint32_t n_both;
    uint32_t best_part; /* GSP_NONE: no improvement */
    gsp_node best_node;
    uint64_t best; /* seconds */
    gspi_kahn kahn;
    uint32_t *missing;    /* [n] unfinished parents */
    gsp_node *both;       /* [n] nodes of the pair, in graph order */
    uint32_t *once;       /* [n] node that a partition last read */
    uint32_t *once_mark;  /* [n] its trial */
    uint64_t *seconds;    /* [m] of an edge */
    uint64_t *latency;    /* [n] of a partition */
    uint64_t *node_done;  /* [n] seconds from the top of its partition to a node */
    uint64_t *start;      /* [n] start time of a partition */
    uint64_t *done;       /* [n] finish time */
    gspi_kl_side side[2]; /* partition of the node, then the other */
    gspi_size_ws size;    /* initial partitions */
} gspi_kl_ws;

static void gspi_kl_layout(gspi_bump *b, void *ws, const size_t *lengths)
{
    static const gspi_array arrays[] = {
        GSPI_ARRAYS(gspi_kl_ws, missing, once_mark, NODES),
        GSPI_ARRAY(gspi_kl_ws, seconds, EDGES),
        GSPI_ARRAYS(gspi_kl_ws, latency, done, NODES),
        GSPI_ARRAYS(gspi_kl_ws, side[0].in.part, side[0].in.mark, NODES),
        GSPI_ARRAYS(gspi_kl_ws, side[0].in.weight, side[0].in.volume, NODES),
        GSPI_ARRAYS(gspi_kl_ws, side[0].out.part, side[0].out.mark, NODES),
        GSPI_ARRAYS(gspi_kl_ws, side[0].out.weight, side[0].out.volume, NODES),
        GSPI_ARRAYS(gspi_kl_ws, side[0].held, side[0].seen, NODES),
        GSPI_ARRAYS(gspi_kl_ws, side[1].in.part, side[1].in.mark, NODES),
        GSPI_ARRAYS(gspi_kl_ws, side[1].in.weight, side[1].in.volume, NODES),
        GSPI_ARRAYS(gspi_kl_ws, side[1].out.part, side[1].out.mark, NODES),
        GSPI_ARRAYS(gspi_kl_ws, side[1].out.weight, side[1].out.volume, NODES),
        GSPI_ARRAYS(gspi_kl_ws, side[1].held, side[1].seen, NODES),
        GSPI_ARRAY(gspi_kl_ws, size.taken, DEVICES),
    };
    GSPI_LAYOUT(b, ws, arrays, lengths, 1);
}

static void gspi_kl_build(gspi_kl_ws *ws)
{
    gspi_assign_build(ws->a, ws->seconds, ws->node_done, ws->latency);
}

/* ---- KL: a trial ---- */

static void gspi_kl_edge(gspi_kl_edges *edges, uint32_t trial, uint32_t part, uint64_t weight,
                         uint64_t volume)
{
    if (edges->mark[part] != trial) {
        edges->mark[part] = trial;
        edges->part[edges->n++] = part;
        edges->weight[part] = 0u;
        edges->volume[part] = 0u;
    }
    edges->weight[part] += weight;
    edges->volume[part] += volume;
}

/* An input of this side from outside. */
static void gspi_kl_input(gspi_kl_side *s, uint32_t trial, gsp_node u, uint32_t part, uint64_t out)
{
    int const is_new = s->seen[u] != trial;
    s->seen[u] = trial;
    if (part != GSP_NONE) {
        s->used += out;
        gspi_kl_edge(&s->in, trial, part, out, is_new ? out : 0u);
    } else if (is_new) {
        s->held[s->n_held++] = u;
        s->used += out;
    }
}

/* A user of node v of this side, in a partition outside of the pair. */
static void gspi_kl_user(gspi_kl_ws *ws, gspi_kl_side *s, gsp_node v, uint32_t part)
{
    uint64_t const out = ws->a->q.out[v];
    int const is_new = ws->once_mark[part] != ws->trial || ws->once[part] != v;
    ws->once[part] = v;
    ws->once_mark[part] = ws->trial;
    gspi_kl_edge(&s->out, ws->trial, part, out, is_new ? out : 0u);
}

static void gspi_kl_node(gspi_kl_ws *ws, gspi_kl_side *s, gsp_node v)
{
    const gspi_quotient *q = &ws->a->q;
    gspi_row const inputs = gspi_inputs(q->g, v);
    gspi_row const users = gspi_users(q->g, v);
    uint64_t top = 0u;
    s->n_nodes++;
    s->used += q->size[v];
    for (uint32_t i = 0u; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        if (q->part_of[u] != s->part) {
            gspi_kl_input(s, ws->trial, u, q->part_of[u], q->out[u]);
        } else if (ws->node_done[u] > top) {
            top = ws->node_done[u];
        }
    }
    top = gspi_seconds_add(top, gspi_paths_node(&ws->a->paths, v));
    ws->node_done[v] = top;
    s->latency = gspi_latest(s->latency, top);
    for (uint32_t i = 0u; i < users.n; i++) {
        uint32_t const part = q->part_of[users.at[i]];
        if (part != GSP_NONE && part != ws->side[0].part && part != ws->side[1].part) {
            gspi_kl_user(ws, s, v, part);
        }
    }
}

static void gspi_kl_pair(gspi_kl_ws *ws)
{
    for (uint32_t i = 0u; i < 2u; i++) {
        gspi_kl_side *s = &ws->side[i];
        s->n_nodes = 0u;
        s->n_held = 0u;
        s->used = 0u;
        s->latency = 0u;
        s->in.n = 0u;
        s->out.n = 0u;
    }
    for (uint32_t i = 0u; i < ws->n_both; i++) {
        gsp_node const v = ws->both[i];
        gspi_kl_node(ws, &ws->side[ws->a->q.part_of[v] == ws->side[0].part ? 0 : 1], v);
    }
}

/* The side of a partition, NULL: outside of the pair. */
static const gspi_kl_side *gspi_kl_side_of(const gspi_kl_ws *ws, uint32_t p)
{
    return p == ws->side[0].part ? &ws->side[0] : p == ws->side[1].part ? &ws->side[1] : NULL;
}

static int gspi_kl_is_empty(const gspi_kl_ws *ws, uint32_t p)
{
    const gspi_kl_side *s = gspi_kl_side_of(ws, p);
    const uint32_t *begin = ws->a->q.node_begin + p;
    return s != NULL ? s->n_nodes == 0u : begin[0] == begin[1];
}

static int gspi_kl_place(gspi_kl_ws *ws, uint32_t p)
{
    const gspi_quotient *q = &ws->a->q;
    gspi_devices *v = &ws->a->devices;
    const gspi_kl_side *own = gspi_kl_side_of(ws, p);
    gspi_devices_need(v, v->need, own != NULL ? own->used : q->used[p]);
    for (uint32_t i = 0u; own != NULL && i < own->in.n; i++) {
        gspi_devices_share(v, v->need, own->in.part[i], own->in.weight[own->in.part[i]]);
    }
    for (uint32_t i = q->parent_begin[p]; own == NULL && i < q->parent_begin[p + 1u]; i++) {
        if (gspi_kl_side_of(ws, q->parent[i]) == NULL) {
            gspi_devices_share(v, v->need, q->parent[i], q->weight[i]);
        }
    }
    for (uint32_t i = 0u; own == NULL && i < 2u; i++) {
        if (ws->side[i].out.mark[p] == ws->trial) {
            gspi_devices_share(v, v->need, ws->side[i].part, ws->side[i].out.weight[p]);
        }
    }
    return gspi_devices_place(v, p);
}

static int gspi_kl_map(gspi_kl_ws *ws)
{
    gspi_devices *v = &ws->a->devices;
    gspi_devices_reset(v, ws->a->q.k);
    gspi_sort(v->order, v->n, v->left);
    for (uint32_t p = 0u; p < ws->a->q.k; p++) {
        if (!gspi_kl_is_empty(ws, p) && !gspi_kl_place(ws, p)) {
            return 0;
        }
    }
    return 1;
}

/* Finishes parent p of c. */
static void gspi_kl_reach(gspi_kl_ws *ws, uint32_t p, uint32_t c, uint64_t seconds)
{
    const uint32_t *device_of = ws->a->devices.device_of;
    uint64_t const there =
        device_of[p] == device_of[c] ? ws->done[p] : gspi_seconds_add(ws->done[p], seconds);
    ws->start[c] = gspi_latest(ws->start[c], there);
    gspi_kahn_met(&ws->kahn, c);
}

/* The same where p or c is side s: `volume` and nodes that both hold are transferred. */
static void gspi_kl_reach_side(gspi_kl_ws *ws, uint32_t p, uint32_t c, const gspi_kl_side *s,
                               uint64_t volume)
{
    const gspi_quotient *q = &ws->a->q;
    const uint32_t *device_of = ws->a->devices.device_of;
    uint32_t const r = p == s->part ? c : p;
    const gspi_kl_side *other = gspi_kl_side_of(ws, r);
    const gsp_node *held = other != NULL ? other->held : q->held + q->held_begin[r];
    uint32_t const n = other != NULL ? other->n_held : q->held_begin[r + 1u] - q->held_begin[r];
    int const apart = device_of[p] != device_of[c];
    for (uint32_t i = 0u; i < n && apart && s->n_held > 0u; i++) {
        volume += s->seen[held[i]] == ws->trial ? q->out[held[i]] : 0u;
    }
    gspi_kl_reach(ws, p, c, apart ? gspi_paths_move(&ws->a->paths, volume) : 0u);
}

/* Children of side s. */
static void gspi_kl_after_side(gspi_kl_ws *ws, const gspi_kl_side *s)
{
    const gspi_kl_side *other = s == &ws->side[0] ? &ws->side[1] : &ws->side[0];
    for (uint32_t i = 0u; i < s->out.n; i++) {
        gspi_kl_reach_side(ws, s->part, s->out.part[i], s, s->out.volume[s->out.part[i]]);
    }
    if (other->in.mark[s->part] == ws->trial) {
        gspi_kl_reach_side(ws, s->part, other->part, s, other->in.volume[s->part]);
    }
}

/* Children of p, which is outside of the pair. */
static void gspi_kl_after(gspi_kl_ws *ws, uint32_t p)
{
    const gspi_quotient *q = &ws->a->q;
    for (uint32_t i = q->child_begin[p]; i < q->child_begin[p + 1u]; i++) {
        if (gspi_kl_side_of(ws, q->child[i]) == NULL) {
            gspi_kl_reach(ws, p, q->child[i], ws->seconds[q->child_edge[i]]);
        }
    }
    for (uint32_t i = 0u; i < 2u; i++) {
        const gspi_kl_side *s = &ws->side[i];
        if (s->in.mark[p] == ws->trial) {
            gspi_kl_reach_side(ws, p, s->part, s, s->in.volume[p]);
        }
    }
}

/* Unfinished parents of every partition; queues those without parents. */
static void gspi_kl_ready(gspi_kl_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    ws->kahn = gspi_kahn_start(q->order, ws->missing, GSP_TOPO_ORDER_QUEUE);
    for (uint32_t p = 0u; p < q->k; p++) {
        const gspi_kl_side *own = gspi_kl_side_of(ws, p);
        ws->start[p] = 0u;
        ws->missing[p] = own != NULL ? own->in.n : 0u;
        for (uint32_t i = q->parent_begin[p]; own == NULL && i < q->parent_begin[p + 1u]; i++) {
            ws->missing[p] += gspi_kl_side_of(ws, q->parent[i]) == NULL ? 1u : 0u;
        }
        for (uint32_t i = 0u; own == NULL && i < 2u; i++) {
            ws->missing[p] += ws->side[i].out.mark[p] == ws->trial ? 1u : 0u;
        }
        if (ws->missing[p] == 0u) {
            gspi_kahn_push(&ws->kahn, p);
        }
    }
}

/* Seconds of the whole graph; UINT64_MAX: a cycle, or not below the best. */
static uint64_t gspi_kl_time(gspi_kl_ws *ws)
{
    uint64_t total = 0u;
    uint32_t p;
    gspi_kl_ready(ws);
    while ((p = gspi_kahn_next(&ws->kahn)) != GSP_NONE) {
        const gspi_kl_side *own = gspi_kl_side_of(ws, p);
        ws->done[p] = gspi_seconds_add(ws->start[p], own != NULL ? own->latency : ws->latency[p]);
        total = gspi_latest(total, ws->done[p]);
        if (total >= ws->best) {
            return UINT64_MAX;
        }
        if (own != NULL) {
            gspi_kl_after_side(ws, own);
        } else {
            gspi_kl_after(ws, p);
        }
    }
    return ws->kahn.end == ws->a->q.k ? total : UINT64_MAX;
}

/* ---- KL: sweeps ---- */

static void gspi_kl_merge(gspi_kl_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    uint32_t a = q->node_begin[ws->side[0].part];
    uint32_t const end_a = q->node_begin[ws->side[0].part + 1u];
    uint32_t b = q->node_begin[ws->side[1].part];
    uint32_t const end_b = q->node_begin[ws->side[1].part + 1u];
    ws->n_both = 0u;
    while (a < end_a || b < end_b) {
        int const from_a = b == end_b || (a < end_a && q->nodes[a] < q->nodes[b]);
        ws->both[ws->n_both++] = from_a ? q->nodes[a++] : q->nodes[b++];
    }
}

static void gspi_kl_next(gspi_kl_ws *ws)
{
    uint32_t const n = ws->a->q.n;
    if (ws->trial != UINT32_MAX) {
        ws->trial++;
        return;
    }
    for (uint32_t i = 0u; i < 2u; i++) {
        gspi_zero_words(ws->side[i].in.mark, n);
        gspi_zero_words(ws->side[i].out.mark, n);
        gspi_zero_words(ws->side[i].seen, n);
    }
    gspi_zero_words(ws->once_mark, n);
    ws->trial = 1u;
}

/* Tries to swap node v with m (GSP_NONE: none). */
static void gspi_kl_try(gspi_kl_ws *ws, gsp_node v, gsp_node m)
{
    uint32_t *part_of = ws->a->q.part_of;
    uint32_t const home = ws->side[0].part;
    uint32_t const other = ws->side[1].part;
    uint64_t total = UINT64_MAX;
    part_of[v] = other;
    if (m != GSP_NONE) {
        part_of[m] = home;
    }
    gspi_kl_next(ws);
    gspi_kl_pair(ws);
    if (ws->side[0].latency < ws->best && ws->side[1].latency < ws->best && gspi_kl_map(ws)) {
        total = gspi_kl_time(ws);
    }
    part_of[v] = home;
    if (m != GSP_NONE) {
        part_of[m] = other;
    }
    if (total < ws->best) {
        ws->best = total;
        ws->best_part = other;
        ws->best_node = m;
    }
}

/* Every node of every other partition. 0: the search stops. */
static int gspi_kl_partners(gspi_kl_ws *ws, gsp_node v)
{
    const gspi_quotient *q = &ws->a->q;
    ws->best_part = GSP_NONE;
    ws->side[0].part = q->part_of[v];
    for (uint32_t p = 0u; p < q->k; p++) {
        if (p == q->part_of[v]) {
            continue;
        }
        ws->side[1].part = p;
        gspi_kl_merge(ws);
        for (uint32_t i = q->node_begin[p]; i <= q->node_begin[p + 1u]; i++) {
            if (gspi_assign_stops(ws->a, ws->best)) {
                return 0;
            }
            gspi_kl_try(ws, v, i < q->node_begin[p + 1u] ? q->nodes[i] : GSP_NONE);
        }
    }
    return 1;
}

static void gspi_kl_swap(gspi_kl_ws *ws, gsp_node v)
{
    gspi_quotient *q = &ws->a->q;
    uint32_t const home = q->part_of[v];
    gspi_assign_step(ws->a, home, ws->best_part, v, ws->best_node, ws->best);
    q->part_of[v] = ws->best_part;
    if (ws->best_node != GSP_NONE) {
        q->part_of[ws->best_node] = home;
    }
    gspi_kl_build(ws);
}

/* Removes empty partitions and renumbers. */
static void gspi_kl_drop(gspi_kl_ws *ws)
{
    gspi_quotient *q = &ws->a->q;
    uint32_t n = 0u;
    for (uint32_t p = 0u; p < q->k; p++) {
        q->slot[p] = n;
        n += q->node_begin[p] < q->node_begin[p + 1u] ? 1u : 0u;
    }
    for (gsp_node v = 0u; v < q->n; v++) {
        if (q->part_of[v] != GSP_NONE) {
            q->part_of[v] = q->slot[q->part_of[v]];
        }
    }
    q->k = n;
    gspi_kl_build(ws);
}

static void gspi_kl_sweep(gspi_kl_ws *ws)
{
    gspi_quotient *q = &ws->a->q;
    for (gsp_node v = 0u; v < q->n && ws->a->made.stopped == 0u; v++) {
        if (q->part_of[v] != GSP_NONE) {
            int const whole = gspi_kl_partners(ws, v);
            if (ws->best_part != GSP_NONE) {
                gspi_kl_swap(ws, v);
            } else {
                gspi_paths_parts(&ws->a->paths, q, ws->node_done, ws->latency);
            }
            ws->a->done += whole ? 1u : 0u;
        }
    }
    gspi_kl_drop(ws);
}

GSPI_OWN_FRAME gsp_status gspi_kl_assign(gspi_kl_ws *ws, gsp_error *err)
{
    gspi_quotient *q = &ws->a->q;
    uint32_t const n_sweeps = ws->a->d->n_sweeps == 0u ? 1u : ws->a->d->n_sweeps;
    GSPI_TRY(gspi_size_assign(&ws->size, err));
    for (gsp_node v = 0u; v < q->n; v++) {
        ws->a->total += q->part_of[v] != GSP_NONE ? 1u : 0u;
    }
    ws->a->total = gspi_count_mul(ws->a->total, n_sweeps);
    gspi_kl_build(ws);
    ws->best = gspi_paths_total(q, ws->seconds, ws->latency, ws->a->devices.device_of, ws->done,
                                ws->missing);
    if (ws->best >= GSPI_FOREVER) {
        return gspi_paths_fail(&ws->a->paths, q, err);
    }
    ws->trial = UINT32_MAX;
    for (uint32_t sweep = 0u; sweep < n_sweeps && ws->a->made.stopped == 0u; sweep++) {
        gspi_kl_sweep(ws);
    }
    return gspi_assign_map(ws->a, err);
}

/* ---- bound and run ---- */

typedef union gspi_mode_ws {
    gspi_size_ws size;
    gspi_sparse_ws sparse;
    gspi_cost_ws cost;
    gspi_kl_ws kl;
} gspi_mode_ws;

static gspi_mode_ws *gspi_mode_layout(gspi_bump *b, uint32_t mode, const size_t *lengths)
{
    static const gspi_array size[] = {GSPI_ARRAY(gspi_size_ws, taken, DEVICES)};
    gspi_mode_ws *ws = GSPI_HIGH(b, gspi_mode_ws, 1u);
    switch (mode) {
    case GSP_PARTITION_SIZE:
        GSPI_LAYOUT(b, ws, size, lengths, 1);
        break;
    case GSP_PARTITION_SPARSE:
        gspi_sparse_layout(b, ws, lengths);
        break;
    case GSP_PARTITION_COST:
        gspi_cost_layout(b, ws, lengths);
        break;
    case GSP_PARTITION_KL:
        gspi_kl_layout(b, ws, lengths);
        break;
    default:
        break;
    }
    return ws;
}

/* Partition of every node, device of every partition. */
static gsp_status gspi_mode_assign(gspi_bump *b, gspi_assign *a, gsp_error *err)
{
    gspi_mode_ws *ws = gspi_mode_layout(b, a->d->mode, a->lengths);
    gspi_devices_reset(&a->devices, a->q.n);
    gsp_status status;
    switch (a->d->mode) {
    case GSP_PARTITION_SIZE:
        ws->size.a = a;
        status = gspi_size_assign(&ws->size, err);
        break;
    case GSP_PARTITION_SPARSE:
        ws->sparse.a = a;
        status = gspi_sparse_assign(&ws->sparse, err);
        break;
    case GSP_PARTITION_COST:
        ws->cost.a = a;
        a->q.calls = ws->cost.calls;
        status = gspi_cost_assign(&ws->cost, err);
        break;
    default:
        ws->kl.a = a;
        ws->kl.size.a = a;
        status = gspi_kl_assign(&ws->kl, err);
        break;
    }
    a->made.n_parts = a->q.k;
    return status;
}

static int gspi_mode_is_timed(uint32_t mode)
{
    return mode == (uint32_t)GSP_PARTITION_COST || mode == (uint32_t)GSP_PARTITION_KL;
}

GSP_API size_t gsp_assign_bound(const gsp_graph *graph, const gsp_partition_desc *desc)
{
    uint32_t const mode = desc == NULL ? 0u : desc->mode;
    size_t lengths[GSPI_LENGTHS];
    gspi_bump b = gspi_bump_over(NULL);
    gspi_assign_lengths(lengths, graph, desc, gspi_mode_is_timed(mode));
    gspi_assign_measure(&b, lengths, 1);
    (void)gspi_mode_layout(&b, mode, lengths);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API gsp_status gsp_assign_run(gsp_arena *arena, const gsp_graph *graph,
                                  const gsp_partition_desc *desc, gsp_assignment *result,
                                  gsp_error *err)
{
    gspi_pass pass;
    GSPI_TRY(gspi_assign_check(arena, graph, desc, result, err));
    GSPI_CHECK(desc->mode != (uint32_t)GSP_PARTITION_AOT, DESC, CHOICE);
    int const timed = gspi_mode_is_timed(desc->mode);
    GSPI_TRY(
        gspi_assign_enter(&pass, arena, gsp_assign_bound(graph, desc), graph, desc, timed, err));
    gspi_assign *a = GSPI_HIGH(&pass.bump, gspi_assign, 1u);
    gsp_status status = gspi_assign_start(&pass.bump, a, graph, desc, timed, 1, err);
    if (status == GSP_OK) {
        status = gspi_mode_assign(&pass.bump, a, err);
    }
    if (status == GSP_OK) {
        *result = a->made;
    }
    return gspi_leave(&pass, status, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>partition   All modes, and the DAG of partitions                               (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* The rest is equal for all modes: bytes, edges, latencies, copies on idle devices, the module. */

typedef struct gspi_partition_ws {
    gspi_assign *a;
    uint32_t n_taken;
    uint32_t n_lists;
    uint32_t everywhere;  /* SPARSE: the list of partitions on all devices */
    uint32_t *list_of;    /* [n] list of devices of a partition */
    uint32_t *base_begin; /* [lists] into base */
    uint32_t *base_count; /* [lists] */
    uint32_t *list_first; /* [lists] its first partition, GSP_NONE: none yet */
    uint32_t *base;       /* lists without copies */
    uint32_t *copy;       /* [devices] device that an idle one copies, or GSP_NONE */
    uint32_t *taken;      /* [devices] devices with copies, in order of assignment */
    uint64_t *sum;        /* [devices] sum of the bytes of its partitions */
    uint64_t *done;       /* [n] finish time of a partition */
    gsp_str *names;       /* [n] AOT: of submodules */
    char *digits;         /* [n * 10] */
    gspi_latency_ws latency;
    gsp_partition_result r;
} gspi_partition_ws;

static void gspi_partition_results(gspi_bump *b, gspi_partition_ws *ws, const size_t *lengths)
{
    static const gspi_array results[] = {
        GSPI_ARRAY(gspi_partition_ws, r.part_id, NODES),
        GSPI_ARRAYS(gspi_partition_ws, r.device_begin, r.device_count, NODES),
        GSPI_ARRAY(gspi_partition_ws, r.devices, COPIES),
        GSPI_ARRAY(gspi_partition_ws, r.finish, NODES),
        GSPI_ARRAY(gspi_partition_ws, r.late_parent, NODES),
        GSPI_ARRAY(gspi_partition_ws, r.parents, EDGES),
        GSPI_ARRAYS(gspi_partition_ws, r.parent_bytes, r.parent_seconds, EDGES),
        GSPI_ARRAY(gspi_partition_ws, r.device_bytes, DEVICES),
        GSPI_ARRAY(gspi_partition_ws, r.dag_out_begin, ROWS),
        GSPI_ARRAY(gspi_partition_ws, r.dag_out, OUTPUTS),
    };
    GSPI_LAYOUT(b, ws, results, lengths, 0);
}

/* Scratch after the mode. Partitions on the same devices share a list: one per device and one for
 * partitions on all devices, or with AOT one per partition. */
static void gspi_partition_layout(gspi_bump *b, gspi_partition_ws *ws, const size_t *lengths)
{
    static const gspi_array scratch[] = {
        GSPI_ARRAY(gspi_partition_ws, list_of, NODES),
        GSPI_ARRAYS(gspi_partition_ws, base_begin, list_first, LISTS),
        GSPI_ARRAY(gspi_partition_ws, base, BASE),
        GSPI_ARRAYS(gspi_partition_ws, copy, taken, DEVICES),
        GSPI_ARRAY(gspi_partition_ws, sum, DEVICES),
        GSPI_ARRAY(gspi_partition_ws, done, NODES),
        GSPI_ARRAY(gspi_partition_ws, names, NAMES),
        GSPI_ARRAY(gspi_partition_ws, digits, DIGITS),
    };
    GSPI_LAYOUT(b, ws, scratch, lengths, 1);
    gspi_latency_layout(b, ws == NULL ? NULL : &ws->latency, lengths);
}

/* The module with as many partitions as nodes. A missing name counts as a number of ten digits. */
GSPI_OWN_FRAME size_t gspi_partition_module_bound(const gsp_graph *graph)
{
    gsp_split_module_desc d = {0u, 0u, NULL, NULL, NULL, 0u, 0u, 0u, 0u};
    d.n_parts = graph->n_nodes;
    return gsp_split_module_bound(graph, &d);
}

GSPI_OWN_FRAME size_t gspi_partition_bytes(const gsp_graph *graph, const gsp_partition_desc *desc,
                                           size_t module_bound)
{
    size_t lengths[GSPI_LENGTHS];
    gspi_bump b = gspi_bump_over(NULL);
    gspi_assign_lengths(lengths, graph, desc, 1);
    (void)GSPI_HIGH(&b, gspi_partition_ws, 1u);
    gspi_partition_results(&b, NULL, lengths);
    (void)GSPI_LOW(&b, gsp_split_module_result, 1u);
    gspi_assign_measure(&b, lengths, 0);
    gspi_bump mode = b;
    (void)gspi_mode_layout(&mode, desc == NULL ? 0u : desc->mode, lengths);
    gspi_partition_layout(&b, NULL, lengths);
    return gspi_add(gspi_max(mode.used, gspi_add(b.used, module_bound)), GSPI_SLACK);
}

GSP_API size_t gsp_partition_bound(const gsp_graph *graph, const gsp_partition_desc *desc)
{
    return gspi_partition_bytes(graph, desc, gspi_partition_module_bound(graph));
}

static void gspi_aot_parts(gspi_partition_ws *ws)
{
    gspi_quotient *q = &ws->a->q;
    const uint32_t *given = ws->a->d->part_of;
    gsp_node *first = q->stamp; /* nodes, then the first of every partition */
    uint32_t n = 0u;
    for (gsp_node v = 0u; v < q->n; v++) {
        if (gspi_is_callable(q->op[v])) {
            first[n++] = v;
            ws->done[v] = given[v];
        }
    }
    gspi_sort(first, n, ws->done);
    for (uint32_t i = 0u; i < n; i++) {
        if (i == 0u || given[first[i]] != given[first[i - 1u]]) {
            ws->r.part_id[q->k++] = given[first[i]];
        }
        q->part_of[first[i]] = q->k - 1u;
    }
}

static gsp_status gspi_aot_devices(gspi_partition_ws *ws, const gsp_part_devices *entry, uint32_t p,
                                   uint32_t *n_base, gsp_error *err)
{
    const gspi_devices *devices = &ws->a->devices;
    ws->base_begin[p] = *n_base;
    for (uint32_t i = 0u; i < entry->n_ids; i++) {
        uint32_t const at = gspi_lower_bound(ws->taken, devices->n, entry->ids[i]);
        uint32_t const device = at < devices->n ? devices->order[at] : 0u;
        if (devices->device[device].id != entry->ids[i] || ws->copy[device] == p) {
            return gspi_fail_need(err, GSP_STATUS_ARG, GSP_DETAIL_DEVICE_UNKNOWN, GSP_WHAT_DEVICE,
                                  GSP_NONE, entry->ids[i], entry->part, 0u);
        }
        ws->copy[device] = p;
        ws->base[(*n_base)++] = device;
    }
    ws->base_count[p] = entry->n_ids;
    return GSP_OK;
}

static gsp_status gspi_aot_lists(gspi_partition_ws *ws, gsp_error *err)
{
    const gsp_partition_desc *d = ws->a->d;
    const gspi_quotient *q = &ws->a->q;
    uint32_t n_base = 0u;
    for (uint32_t i = 0u; i < d->n_devices; i++) {
        ws->taken[i] = d->devices[ws->a->devices.order[i]].id;
    }
    gspi_zero_words(ws->base_count, q->k);
    gspi_none_words(ws->copy, d->n_devices);
    for (uint32_t i = 0u; i < d->n_part_devices; i++) {
        uint32_t const part = d->part_devices[i].part;
        uint32_t const p = gspi_lower_bound(ws->r.part_id, q->k, part);
        if (p < q->k && ws->r.part_id[p] == part && ws->base_count[p] == 0u) {
            GSPI_TRY(gspi_aot_devices(ws, &d->part_devices[i], p, &n_base, err));
        }
    }
    for (uint32_t i = 0u; i < q->n; i++) {
        uint32_t const p = q->part_of[i];
        GSPI_CHECK_AT(p == GSP_NONE || ws->base_count[p] != 0u, ARG, PART_DEVICES, i,
                      ws->r.part_id[p]);
    }
    for (uint32_t i = 0u; i < q->k; i++) {
        ws->list_of[i] = i;
    }
    ws->n_lists = q->k;
    ws->everywhere = GSP_NONE;
    return GSP_OK;
}

static void gspi_partition_base(gspi_partition_ws *ws)
{
    uint32_t const n = ws->a->devices.n;
    for (uint32_t p = 0u; p < n; p++) {
        ws->base[p] = p;
        ws->base_begin[p] = p;
        ws->base_count[p] = 1u;
    }
    ws->base_begin[n] = 0u;
    ws->base_count[n] = ws->a->made.n_everywhere;
    ws->n_lists = n + 1u;
    ws->everywhere = n;
    for (uint32_t p = 0u; p < ws->a->q.k; p++) {
        ws->r.part_id[p] = p;
        ws->list_of[p] = ws->a->devices.device_of[p] == GSP_NONE ? n : ws->a->devices.device_of[p];
    }
}

static int gspi_list_has(const gspi_partition_ws *ws, uint32_t list, uint32_t device)
{
    const uint32_t *base = ws->base + ws->base_begin[list];
    uint32_t i;
    for (i = 0u; i < ws->base_count[list] && base[i] != device; i++) {
    }
    return i < ws->base_count[list];
}

static int gspi_partition_together(const gspi_partition_ws *ws, uint32_t p, uint32_t r)
{
    uint32_t const a = ws->list_of[p];
    uint32_t const b = ws->list_of[r];
    return a == b || (ws->base_count[a] == ws->base_count[b] &&
                      gspi_same(ws->base + ws->base_begin[a], ws->base + ws->base_begin[b],
                                ws->base_count[a] * sizeof(uint32_t)));
}

/* Bytes that p adds to a device with the partitions marked by it. */
static uint64_t gspi_partition_load(const gspi_partition_ws *ws, uint32_t p, uint32_t device)
{
    const gspi_quotient *q = &ws->a->q;
    uint64_t bytes = q->used[p];
    for (uint32_t i = q->parent_begin[p]; i < q->parent_begin[p + 1u]; i++) {
        bytes -= q->mark[q->parent[i]] == device ? q->weight[i] : 0u;
    }
    for (uint32_t i = q->held_begin[p]; i < q->held_begin[p + 1u]; i++) {
        bytes -= q->stamp[q->held[i]] == device ? q->out[q->held[i]] : 0u;
        q->stamp[q->held[i]] = device;
    }
    return bytes;
}

/* Bytes on every device: of the union of its partitions, and their sum. */
static void gspi_partition_loads(gspi_partition_ws *ws)
{
    gspi_quotient *q = &ws->a->q;
    gspi_none_words(q->mark, q->k);
    gspi_none_words(q->stamp, q->n);
    for (uint32_t device = 0u; device < ws->a->devices.n; device++) {
        ws->sum[device] = 0u;
        ws->r.device_bytes[device] = 0u;
        for (uint32_t p = 0u; p < q->k; p++) {
            if (gspi_list_has(ws, ws->list_of[p], device)) {
                q->mark[p] = device;
                ws->sum[device] += q->used[p];
            }
        }
        for (uint32_t p = 0u; p < q->k; p++) {
            if (q->mark[p] == device) {
                ws->r.device_bytes[device] +=
                    ws->r.single != 0u ? q->used[p] : gspi_partition_load(ws, p, device);
            }
        }
    }
}

static uint32_t gspi_saturate_find(const gspi_partition_ws *ws, const uint32_t *uses, uint64_t need)
{
    uint32_t best = GSP_NONE;
    for (uint32_t i = 0u; i < ws->a->devices.n; i++) {
        uint64_t const bytes = ws->a->devices.device[i].bytes;
        if (uses[i] == 0u && ws->copy[i] == GSP_NONE && bytes >= need &&
            (best == GSP_NONE || bytes < ws->a->devices.device[best].bytes)) {
            best = i;
        }
    }
    return best;
}

/* Copies all devices once; 0: one finds no idle device, and nothing changes. */
static int gspi_saturate_round(gspi_partition_ws *ws, const uint32_t *uses)
{
    uint32_t const before = ws->n_taken;
    for (uint32_t i = 0u; i < ws->a->devices.n; i++) {
        uint32_t const idle = uses[i] == 0u ? GSP_NONE : gspi_saturate_find(ws, uses, ws->sum[i]);
        if (idle != GSP_NONE) {
            ws->copy[idle] = i;
            ws->taken[ws->n_taken++] = idle;
        } else if (uses[i] != 0u) {
            while (ws->n_taken > before) {
                ws->copy[ws->taken[--ws->n_taken]] = GSP_NONE;
            }
            return 0;
        }
    }
    return 1;
}

/* Copies while every device in use finds an idle one. */
static void gspi_saturate(gspi_partition_ws *ws)
{
    uint32_t *uses = ws->a->devices.order; /* [devices] partitions on it */
    uint32_t n_used = 0u;
    ws->n_taken = 0u;
    gspi_none_words(ws->copy, ws->a->devices.n);
    if (ws->a->d->saturate == 0u) {
        return;
    }
    gspi_zero_words(uses, ws->a->devices.n);
    for (uint32_t p = 0u; p < ws->a->q.k; p++) {
        uint32_t const list = ws->list_of[p];
        for (uint32_t i = 0u; i < ws->base_count[list]; i++) {
            uint32_t *n = &uses[ws->base[ws->base_begin[list] + i]];
            n_used += *n == 0u ? 1u : 0u;
            (*n)++;
        }
    }
    while (2u * (uint64_t)n_used + ws->n_taken <= ws->a->devices.n &&
           gspi_saturate_round(ws, uses)) {
    }
}

/* A list with its copies. In the reference partitions on all devices share a list, and each adds
 * the copies of its devices: a copy occurs `times`. */
static uint32_t gspi_list_fill(const gspi_partition_ws *ws, uint32_t list, uint32_t times,
                               uint32_t n_list)
{
    for (uint32_t i = 0u; i < ws->base_count[list]; i++) {
        ws->r.devices[n_list++] = ws->base[ws->base_begin[list] + i];
    }
    for (uint32_t i = 0u; i < ws->n_taken; i++) {
        for (uint32_t k = 0u; k < times && gspi_list_has(ws, list, ws->copy[ws->taken[i]]); k++) {
            ws->r.devices[n_list++] = ws->taken[i];
        }
    }
    return n_list;
}

static void gspi_partition_copies(gspi_partition_ws *ws)
{
    uint32_t *first = ws->list_first;
    uint32_t n_devices = 0u;
    uint32_t n_everywhere = 0u;
    gspi_none_words(first, ws->n_lists);
    for (uint32_t p = 0u; p < ws->a->q.k; p++) {
        n_everywhere += ws->list_of[p] == ws->everywhere ? 1u : 0u;
    }
    for (uint32_t p = 0u; p < ws->a->q.k; p++) {
        uint32_t const list = ws->list_of[p];
        if (first[list] == GSP_NONE) {
            first[list] = p;
            ws->r.device_begin[p] = n_devices;
            n_devices =
                gspi_list_fill(ws, list, list == ws->everywhere ? n_everywhere : 1u, n_devices);
            ws->r.device_count[p] = n_devices - ws->r.device_begin[p];
        }
        ws->r.device_begin[p] = ws->r.device_begin[first[list]];
        ws->r.device_count[p] = ws->r.device_count[first[list]];
    }
    for (uint32_t p = 0u; p < ws->n_taken; p++) {
        ws->r.device_bytes[ws->taken[p]] = ws->r.device_bytes[ws->copy[ws->taken[p]]];
    }
}

/* Edges with ascending parents, and their transfers. */
static void gspi_partition_edges(gspi_partition_ws *ws)
{
    gspi_quotient *q = &ws->a->q;
    uint32_t *at = q->slot;
    gspi_copy(at, q->parent_begin, q->k, sizeof(uint32_t));
    for (uint32_t p = 0u; p < q->k; p++) {
        for (uint32_t e = q->child_begin[p]; e < q->child_begin[p + 1u]; e++) {
            uint32_t const c = q->child[e];
            uint64_t *bytes = &q->volume[q->child_edge[e]];
            *bytes = gspi_partition_together(ws, p, c) ? 0u : *bytes;
            ws->r.parents[at[c]] = p;
            ws->r.parent_bytes[at[c]] = *bytes;
            ws->r.parent_seconds[at[c]] =
                gspi_seconds_double(gspi_paths_move(&ws->a->paths, *bytes));
            at[c]++;
        }
    }
}

/* Finish times in topological order; returns the latest. */
static uint64_t gspi_partition_finish(gspi_partition_ws *ws)
{
    const gspi_quotient *q = &ws->a->q;
    uint64_t total = 0u;
    for (uint32_t i = 0u; i < q->k; i++) {
        uint32_t const p = q->order[i];
        uint64_t latest = 0u;
        ws->r.late_parent[p] = GSP_NONE;
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            uint64_t const there = gspi_seconds_add(ws->done[ws->r.parents[e]],
                                                    gspi_seconds_bits(ws->r.parent_seconds[e]));
            if (ws->r.late_parent[p] == GSP_NONE || there > latest) {
                latest = there;
                ws->r.late_parent[p] = ws->r.parents[e];
            }
        }
        ws->done[p] = gspi_seconds_add(latest, gspi_seconds_bits(ws->r.latency[p].overall));
        ws->r.finish[p] = gspi_seconds_double(ws->done[p]);
        total = gspi_latest(total, ws->done[p]);
    }
    return total;
}

/* AOT: names from the caller's numbers. */
GSPI_OWN_FRAME const gsp_str *gspi_partition_names(gspi_partition_ws *ws)
{
    if (ws->a->d->mode != (uint32_t)GSP_PARTITION_AOT) {
        return NULL;
    }
    for (uint32_t p = 0u; p < ws->a->q.k; p++) {
        char *digits = ws->digits + (size_t)p * 10u;
        ws->names[p] = gspi_slice(digits, 0u, gspi_decimal(ws->r.part_id[p], digits));
    }
    return ws->names;
}

GSPI_OWN_FRAME gsp_status gspi_partition_module(gsp_arena *arena, gspi_partition_ws *ws,
                                                gsp_error *err)
{
    gsp_split_module_desc d = {0u, 0u, NULL, NULL, NULL, 0u, 0u, 0u, 0u};
    d.n_parts = ws->a->q.k;
    d.part_of = ws->a->q.part_of;
    d.names = gspi_partition_names(ws);
    return gsp_split_module_run(arena, ws->a->q.g, &d, ws->r.parts, err);
}

/* Root nodes of the values of every call. */
GSPI_OWN_FRAME void gspi_partition_dag(const gspi_partition_ws *ws)
{
    const gsp_split_module_result *parts = ws->r.parts;
    gsp_graph const root = gspi_graph(&parts->module, 0u);
    const gsp_atom *target = root.module->target + root.first;
    uint32_t n = 0u;
    uint32_t i;
    for (i = 0u; i < parts->n_parts; i++) {
        gspi_row const users = gspi_users(&root, parts->call[i]);
        ws->r.dag_out_begin[i] = n;
        for (uint32_t k = 0u; k < users.n; k++) {
            if (gspi_callable(&root, users.at[k]) &&
                target[users.at[k]] == (gsp_atom)GSP_KEY_GETITEM) {
                ws->r.dag_out[n++] = users.at[k];
            }
        }
        if (n == ws->r.dag_out_begin[i]) {
            ws->r.dag_out[n++] = parts->call[i];
        }
    }
    ws->r.dag_out_begin[i] = n;
}

/* One partition on the first of the largest devices, if the graph fits. */
static int gspi_partition_single(gspi_assign *a)
{
    uint32_t largest = 0u;
    for (uint32_t i = 1u; i < a->devices.n; i++) {
        largest = a->devices.device[i].bytes > a->devices.device[largest].bytes ? i : largest;
    }
    if (a->q.total > a->devices.device[largest].bytes) {
        return 0;
    }
    for (uint32_t i = 0u; i < a->q.n; i++) {
        a->q.part_of[i] = gspi_is_callable(a->q.op[i]) ? 0u : GSP_NONE;
    }
    a->devices.device_of[0] = largest;
    a->q.k = 1u;
    return 1;
}

GSPI_OWN_FRAME gsp_status gspi_partition_start(gspi_bump *b, gspi_partition_ws *ws,
                                               const gsp_graph *graph,
                                               const gsp_partition_desc *desc, gsp_error *err)
{
    ws->a = GSPI_HIGH(b, gspi_assign, 1u);
    GSPI_TRY(gspi_assign_start(b, ws->a, graph, desc, 1, 0, err));
    gspi_partition_results(b, ws, ws->a->lengths);
    ws->r.parts = GSPI_LOW(b, gsp_split_module_result, 1u);
    return GSP_OK;
}

/* Partition of every node, devices of every partition. */
GSPI_OWN_FRAME gsp_status gspi_partition_assign(gspi_bump *b, gspi_partition_ws *ws, gsp_error *err)
{
    gspi_assign *a = ws->a;
    size_t const high = b->arena->high;
    int const aot = a->d->mode == (uint32_t)GSP_PARTITION_AOT;
    ws->r.single = !aot && gspi_partition_single(a) ? 1u : 0u;
    if (!aot && ws->r.single == 0u) {
        uint64_t room = 0u;
        for (uint32_t i = 0u; i < a->devices.n; i++) {
            room += a->devices.device[i].bytes;
        }
        if (a->q.total > room) {
            return gspi_fail_amount(err, GSP_STATUS_NO_FIT, GSP_DETAIL_DEVICES_SMALL, a->q.total,
                                    room);
        }
        GSPI_TRY(gspi_mode_assign(b, a, err));
        b->arena->high = high;
    }
    gspi_partition_layout(b, ws, a->lengths);
    if (aot) {
        gspi_aot_parts(ws);
        return gspi_aot_lists(ws, err);
    }
    gspi_partition_base(ws);
    return GSP_OK;
}

/* Bytes, edges, latencies. A cycle of partitions has no latency: the module fails later. */
GSPI_OWN_FRAME gsp_status gspi_partition_measure(gspi_partition_ws *ws, gsp_error *err)
{
    gspi_quotient *q = &ws->a->q;
    int const sound = gspi_quotient_build(q);
    gspi_partition_edges(ws);
    if (ws->r.single != 0u) {
        q->used[0] = q->total;
    }
    gspi_partition_loads(ws);
    gspi_saturate(ws);
    gspi_partition_copies(ws);
    ws->latency.paths = &ws->a->paths;
    gspi_latency_parts(&ws->latency, q->g, q->part_of, q->k);
    ws->r.latency = ws->latency.r.latency;
    uint64_t const total = sound ? gspi_partition_finish(ws) : 0u;
    ws->r.total = gspi_seconds_double(total);
    return total < GSPI_FOREVER ? GSP_OK : gspi_paths_fail(&ws->a->paths, q, err);
}

static void gspi_partition_give(gspi_partition_ws *ws)
{
    const gspi_assign *a = ws->a;
    gsp_partition_result *r = &ws->r;
    r->n_nodes = a->q.n;
    r->n_parts = a->q.k;
    r->stopped = a->made.stopped;
    r->n_steps = a->made.n_steps;
    r->work = a->made.work;
    r->part_of = a->q.part_of;
    r->part_begin = a->q.node_begin;
    r->nodes = a->q.nodes;
    r->bytes = a->q.used;
    r->level = a->q.level;
    r->parent_begin = a->q.parent_begin;
    r->child_begin = a->q.child_begin;
    r->children = a->q.child;
}

GSP_API gsp_status gsp_partition_run(gsp_arena *arena, const gsp_graph *graph,
                                     const gsp_partition_desc *desc, gsp_partition_result *result,
                                     gsp_error *err)
{
    gspi_pass pass;
    GSPI_TRY(gspi_assign_check(arena, graph, desc, result, err));
    GSPI_TRY(
        gspi_assign_enter(&pass, arena, gsp_partition_bound(graph, desc), graph, desc, 1, err));
    gspi_partition_ws *ws = GSPI_HIGH(&pass.bump, gspi_partition_ws, 1u);
    gsp_status status = gspi_partition_start(&pass.bump, ws, graph, desc, err);
    if (status == GSP_OK) {
        status = gspi_partition_assign(&pass.bump, ws, err);
    }
    if (status == GSP_OK) {
        status = gspi_partition_measure(ws, err);
    }
    if (status == GSP_OK) {
        status = gspi_partition_module(arena, ws, err);
    }
    if (status == GSP_OK) {
        gspi_partition_dag(ws);
        gspi_partition_give(ws);
        *result = ws->r;
    }
    return gspi_leave(&pass, status, err);
}

#endif /* GSP_NO_PARTITION */

/* =================================================================================================
 * >>DEDUP   Repeated regions                                                       (implementation)
 * ============================================================================================== */
#ifndef GSP_NO_DEDUP

/* ---- Stable topological order ---- */

/* Needs of an element, and the queue of the elements that wait for it. */
typedef struct gspi_wait {
    uint32_t begin; /* its needs in the list of all */
    uint32_t end;   /* end of the needs that may be unplaced */
    uint32_t first; /* its queue */
    uint32_t last;
    uint32_t next; /* the element after it in a queue */
} gspi_wait;

/* Takes elements from the front of a list. An element with unplaced needs is queued at the last of
 * them; once that need is placed, its queue goes first. */
typedef struct gspi_order {
    uint32_t n;      /* elements */
    uint32_t n_list; /* elements in the list */
    uint32_t *list;  /* [n_list] replaced by the order */
    gspi_wait *wait; /* [n] */
    uint32_t *need;
    uint32_t *place; /* [n] place in the order; GSP_NONE: none yet, or not in the list */
    uint32_t *made;  /* [n_list] */
} gspi_order;

static int gspi_order_run(gspi_order *o)
{
    uint32_t n_made = 0u;
    uint32_t i = 0u;
    uint32_t queue = GSP_NONE; /* taken next */
    gspi_none_words(o->place, o->n);
    while (queue != GSP_NONE || i < o->n_list) {
        uint32_t const x = queue != GSP_NONE ? queue : o->list[i++];
        gspi_wait *w = &o->wait[x];
        queue = queue != GSP_NONE ? w->next : GSP_NONE;
        while (w->end > w->begin && o->place[o->need[w->end - 1u]] != GSP_NONE) {
            w->end--;
        }
        if (w->end > w->begin) {
            gspi_wait *on = &o->wait[o->need[w->end - 1u]];
            w->next = GSP_NONE;
            *(on->first == GSP_NONE ? &on->first : &o->wait[on->last].next) = x;
            on->last = x;
            continue;
        }
        o->made[n_made] = x;
        o->place[x] = n_made++;
        if (w->first != GSP_NONE) {
            o->wait[w->last].next = queue;
            queue = w->first;
        }
    }
    gspi_copy(o->list, o->made, n_made, sizeof(uint32_t));
    return n_made == o->n_list;
}

/* The nodes of a region: a column of the table of its group. */
typedef struct gspi_region {
    const gsp_node *first;
    uint32_t step;
    uint32_t rows;
} gspi_region;

static gspi_region gspi_region_of(const gsp_regions *r, uint32_t group, uint32_t region)
{
    uint32_t const begin = r->group_begin[group];
    uint32_t const columns = r->group_regions[group];
    gspi_region const c = {r->members + begin + region, columns,
                           (r->group_begin[group + 1u] - begin) / columns};
    return c;
}

static gsp_node gspi_region_node(const gspi_region *r, uint32_t row)
{
    return r->first[(size_t)row * r->step];
}

static uint32_t gspi_call_subgraph(const gsp_dedup_selection *a, uint32_t call)
{
    return gspi_lower_bound(a->call_begin, a->n_subgraphs, call + 1u) - 1u;
}

/* The `i`-th successor of v: its users, then its dependents; GSP_NONE at the end. */
static gsp_node gspi_later(const gsp_graph *g, const gsp_dependences *d, gsp_node v, uint32_t i)
{
    gspi_row const users = gspi_users(g, v);
    const uint32_t *begin = d->dependent_begin + v;
    if (i < users.n) {
        return users.at[i];
    }
    return i - users.n < begin[1] - begin[0] ? d->dependents[begin[0] + i - users.n] : GSP_NONE;
}

/* The value of an argument changes while groups are replaced: the node, an item of a call, or all
 * items of an aggregate. Values are numbered: nodes, then items. */
typedef struct gspi_values {
    const gsp_graph *g;
    const gsp_dedup_selection *a;
} gspi_values;

/* Iterates over argument values of a node, flattened, after `time` subgraphs (GSP_NONE: all). */
typedef struct gspi_walk {
    gspi_arg_row args;
    uint32_t time;
    uint32_t token; /* argument that value comes from */
    uint32_t next;  /* next argument */
    uint32_t more;  /* elements of an aggregate still to come */
    uint32_t value; /* the current one */
    uint32_t index; /* index among the elements of an aggregate */
} gspi_walk;

static gspi_walk gspi_walk_over(const gspi_values *s, gsp_node v, uint32_t time)
{
    gspi_walk k = {{NULL, 0u}, time, GSP_NONE, 0u, 0u, GSP_NONE, 0u};
    k.args = gspi_args(s->g, v);
    return k;
}

/* Kind of the aggregate that the TYPE of node v describes, if it does. */
static gsp_arg_kind gspi_value_container(const gspi_values *s, gsp_node v)
{
    return gsp_type_container(gspi_type_str(s->g, v), NULL);
}

/* Number of items of node v once it is replaced; 1 unless it is an aggregate. */
static uint32_t gspi_value_count(const gspi_values *s, gsp_node v)
{
    uint32_t elements;
    return s->a->call_of[v] == GSP_NONE ||
                   gsp_type_container(gspi_type_str(s->g, v), &elements) == GSP_ARG_NONE
               ? 1u
               : elements;
}

/* The value of a node; of a replaced aggregate the first. */
static uint32_t gspi_value_of(const gspi_values *s, gsp_node v, uint32_t time)
{
    return s->a->subgraph_of[v] < time && s->a->item_of[v] != GSP_NONE
               ? s->g->n_nodes + s->a->item_of[v]
               : v;
}

static int gspi_walk_next(const gspi_values *s, gspi_walk *k)
{
    while (k->more == 0u) {
        if (k->next == k->args.n) {
            return 0;
        }
        gsp_arg const a = k->args.at[k->next];
        k->token = k->next++;
        if (a.kind == (uint32_t)GSP_ARG_NODE) {
            k->more = 1u;
            k->value = a.value - 1u;
            k->index = UINT32_MAX;
        }
        if (k->more != 0u && s->a->subgraph_of[a.value] < k->time) {
            k->more = gspi_value_count(s, a.value);
            k->value = gspi_value_of(s, a.value, k->time) - 1u;
        }
    }
    k->more--;
    k->value++;
    k->index++;
    return 1;
}

/* -------------------------------------------------------------------------------------------------
 * >>dependences   Alias sets and memory dependences                                (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Elements of an aggregate get their alias sets together, so the sets of a node are a range: one
 * set per element that some operator.getitem takes, and one for all others. A forward sweep over
 * the last writers of all sets finds reads after writes, a backward sweep over the next writers
 * finds writes after reads, without lists of readers. Both run twice, to count and to fill. */

typedef struct gspi_deps {
    const gsp_graph *g;
    uint64_t *key;     /* [n] what shares alias sets: a storage, an element */
    uint32_t *ids;     /* [n] */
    uint32_t *slot;    /* [n] element: alias set in its aggregate; get_attr: first of its storage */
    uint32_t *n_slots; /* [n] alias sets for elements of an aggregate */
    gsp_node *writer;  /* [2 n] last or next writer of an alias set */
    uint32_t *written; /* [2 n + 1] alias sets before it that are ever written */
    uint32_t *stamp;   /* [n] last node that visited this one */
    uint64_t n_dependences;
    int fill; /* 1: lists dependences; 0: counts them */
    gsp_dependences result;
} gspi_deps;

static void gspi_deps_keep(gspi_bump *b, gsp_dependences *r, uint32_t n, uint32_t limit)
{
    r->alias_begin = GSPI_LOW(b, uint32_t, n);
    r->alias_end = GSPI_LOW(b, uint32_t, n);
    r->segment = GSPI_LOW(b, uint32_t, n);
    r->dependent_begin = GSPI_LOW(b, uint32_t, (size_t)n + 2u);
    r->dependents = GSPI_LOW(b, gsp_node, limit); /* last: the unused rest is given back */
}

static void gspi_deps_layout(gspi_bump *b, gspi_deps *w, uint32_t n, uint32_t limit)
{
    gspi_deps_keep(b, &w->result, n, limit);
    w->key = GSPI_HIGH(b, uint64_t, n);
    w->ids = GSPI_HIGH(b, uint32_t, n);
    w->slot = GSPI_HIGH(b, uint32_t, n);
    w->n_slots = GSPI_HIGH(b, uint32_t, n);
    w->writer = GSPI_HIGH(b, gsp_node, 2u * (size_t)n);
    w->written = GSPI_HIGH(b, uint32_t, 2u * (size_t)n + 1u);
    w->stamp = GSPI_HIGH(b, uint32_t, n);
}

static uint32_t gspi_max_dependences(const gsp_counts *c, uint32_t limit)
{
    return limit == 0u ? gspi_count_add(c->edges, c->edges) : limit;
}

static size_t gspi_deps_bound(const gsp_counts *c, uint32_t limit)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_deps w;
    (void)GSPI_HIGH(&b, gspi_deps, 1u);
    gspi_deps_layout(&b, &w, c->nodes, limit);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API size_t gsp_dependences_bound(const gsp_graph *graph, const gsp_dependences_desc *desc)
{
    gsp_counts const c = gsp_graph_counts(graph);
    return gspi_deps_bound(&c, gspi_max_dependences(&c, desc == NULL ? 0u : desc->max_dependences));
}

static gsp_node gspi_deps_next(const gsp_graph *g, gsp_node v, gsp_key key, gsp_written_iter *walk)
{
    gsp_str const t = gspi_attr_str(g, v, key);
    uint32_t position = 0u;
    gspi_arg_row const args = gspi_args(g, v);
    while (t.data != NULL && gspi_callable(g, v) && gspi_next_position(t, &walk->at, &position)) {
        uint32_t const i = gspi_seek_leaf(args, &walk->token, &walk->position, position);
        if (i != GSP_NONE && args.at[i].kind == (uint32_t)GSP_ARG_NODE) {
            return args.at[i].value;
        }
    }
    return GSP_NONE;
}

GSP_API gsp_node gsp_node_next_written(const gsp_graph *graph, gsp_node node,
                                       gsp_written_iter *walk)
{
    return node < graph->n_nodes ? gspi_deps_next(graph, node, GSP_KEY_MUTATES, walk) : GSP_NONE;
}

static gsp_node gspi_deps_alias(const gsp_graph *g, gsp_node v)
{
    gsp_written_iter walk = {0u, 0u, 0u};
    return gspi_deps_next(g, v, GSP_KEY_ALIAS, &walk);
}

static int gspi_deps_is_sound(const gsp_graph *g, gsp_node v, gsp_key key, uint64_t *sought)
{
    gsp_str const t = gspi_attr_str(g, v, key);
    uint32_t i = 0u;
    uint32_t token = 0u;
    uint32_t at = 0u;
    uint32_t position;
    if (t.data == NULL) {
        return 1;
    }
    do {
        if (!gspi_callable(g, v) || !gspi_next_position(t, &i, &position)) {
            return 0;
        }
        *sought += position < at ? at : 0u;
        if (gspi_seek_leaf(gspi_args(g, v), &token, &at, position) == GSP_NONE) {
            return 0;
        }
    } while (i < t.size && key == GSP_KEY_MUTATES && *sought <= GSPI_SOUGHT);
    return i >= t.size;
}

static gsp_status gspi_deps_check(const gsp_graph *g, gsp_error *err)
{
    uint64_t sought = 0u;
    for (gsp_node v = 0u; v + 1u < g->n_nodes; v++) {
        int const sound = gspi_deps_is_sound(g, v, GSP_KEY_ALIAS, &sought) &&
                          gspi_deps_is_sound(g, v, GSP_KEY_MUTATES, &sought);
        GSPI_CHECK_AT(sought <= GSPI_SOUGHT, LIMIT, WORK, v, GSP_NONE);
        GSPI_CHECK_AT(sound, ARG, POSITION, v, GSP_NONE);
    }
    return GSP_OK;
}

/* The aggregate that getitem v aliases, as a whole or in one element; GSP_NONE: none. */
static gsp_node gspi_deps_aggregate(const gsp_graph *g, gsp_node v)
{
    gsp_node const u = gspi_getitem_source(g, v);
    return u != GSP_NONE && gsp_type_container(gspi_type_str(g, u), NULL) != GSP_ARG_NONE
               ? u
               : GSP_NONE;
}

/* Number of elements with memory of their own; GSP_NONE: no such aggregate. */
static uint32_t gspi_deps_elements(const gsp_graph *g, gsp_node v)
{
    uint32_t elements;
    (void)gsp_type_container(gspi_type_str(g, v), &elements);
    return elements == GSP_NONE || gspi_op(g, v) == GSP_OP_GET_ATTR ||
                   gspi_deps_alias(g, v) != GSP_NONE || gspi_deps_aggregate(g, v) != GSP_NONE
               ? GSP_NONE
               : elements;
}

/* Slots of get_attr nodes by storage or target, and of getitem nodes by element. */
static void gspi_deps_slots(gspi_deps *w)
{
    uint32_t n = 0u;
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        uint32_t const elements = gspi_deps_elements(w->g, v);
        gspi_row const users = gspi_users(w->g, v);
        if (gspi_op(w->g, v) == GSP_OP_GET_ATTR) {
            gsp_atom const s = gspi_attr(w->g, v, GSP_KEY_STORAGE);
            w->key[v] = s == GSP_NONE ? gspi_target_id(w->g, v) : ((uint64_t)1u << 32) | s;
            w->ids[n++] = v;
        }
        for (uint32_t i = 0u; i < users.n && elements != GSP_NONE; i++) {
            gsp_node const u = users.at[i];
            uint32_t const element = gsp_node_element_of(w->g, u, elements);
            if (element != GSP_NONE && gspi_deps_alias(w->g, u) == GSP_NONE) {
                w->key[u] = (((uint64_t)v + 2u) << 32) | element;
                w->ids[n++] = u;
            }
        }
    }
    gspi_sort(w->ids, n, w->key);
    for (uint32_t i = 0u; i < n; i++) {
        gsp_node const v = w->ids[i];
        w->slot[v] = i > 0u && w->key[v] == w->key[w->ids[i - 1u]] ? w->slot[w->ids[i - 1u]]
                     : gspi_op(w->g, v) == GSP_OP_GET_ATTR
                         ? v
                         : w->n_slots[(uint32_t)(w->key[v] >> 32) - 2u]++;
    }
}

static void gspi_deps_place(gspi_deps *w, gsp_node v)
{
    gsp_dependences *r = &w->result;
    gsp_op const op = gspi_op(w->g, v);
    gsp_node const alias = op == GSP_OP_GET_ATTR ? w->slot[v] : gspi_deps_alias(w->g, v);
    gsp_node const like = alias != GSP_NONE ? alias : gspi_deps_aggregate(w->g, v);
    if (like != GSP_NONE && like != v) {
        r->alias_begin[v] = r->alias_begin[like];
        r->alias_end[v] = r->alias_end[like];
        if (alias == GSP_NONE && w->slot[v] != GSP_NONE) {
            r->alias_begin[v] += w->slot[v];
            r->alias_end[v] = r->alias_begin[v] + 1u;
        }
        return;
    }
    r->alias_begin[v] = r->n_alias_sets;
    r->n_alias_sets += gspi_deps_elements(w->g, v) == 0u ? 0u : w->n_slots[v] + 1u;
    r->alias_end[v] = r->n_alias_sets;
}

/* Segments and alias sets in graph order; the output has none. */
static void gspi_deps_alias_sets(gspi_deps *w)
{
    gsp_dependences *r = &w->result;
    uint32_t const n = w->g->n_nodes;
    uint32_t barriers = 0u;
    r->n_alias_sets = 0u;
    gspi_none_words(w->slot, n);
    gspi_zero_words(w->n_slots, n);
    gspi_deps_slots(w);
    for (gsp_node v = 0u; v < n; v++) {
        int const output = v + 1u == n;
        uint32_t const barrier = !output && gsp_node_is_barrier(w->g, v) ? 1u : 0u;
        r->segment[v] = 2u * barriers + barrier;
        barriers += barrier;
        r->alias_begin[v] = r->alias_end[v] = r->n_alias_sets;
        if (!output) {
            gspi_deps_place(w, v);
        }
    }
}

/* Sets `value` for all alias sets that node v writes; returns whether there are any. */
static int gspi_deps_write(const gspi_deps *w, gsp_node v, uint32_t *sets, uint32_t value)
{
    gsp_written_iter walk = {0u, 0u, 0u};
    int any = 0;
    gsp_node u;
    while ((u = gsp_node_next_written(w->g, v, &walk)) != GSP_NONE) {
        for (uint32_t s = w->result.alias_begin[u]; s < w->result.alias_end[u]; s++) {
            sets[s] = value;
            any = 1;
        }
    }
    return any;
}

/* Prefix sums of the alias sets ever written; 0: none, so there are no dependences. */
static int gspi_deps_sums(gspi_deps *w)
{
    int any = 0;
    uint32_t sum = 0u;
    gspi_zero_words(w->written, (size_t)w->result.n_alias_sets + 1u);
    for (gsp_node v = 0u; v + 1u < w->g->n_nodes; v++) {
        any |= gspi_deps_write(w, v, w->written, 1u);
    }
    for (uint32_t s = 0u; s <= w->result.n_alias_sets; s++) {
        uint32_t const one = w->written[s];
        w->written[s] = sum;
        sum += one;
    }
    return any;
}

/* Dependences of node v on earlier writers of its sets, or of later writers on v, each once. */
static void gspi_deps_visit(gspi_deps *w, gsp_node v, int forward)
{
    gsp_dependences *r = &w->result;
    gspi_row const inputs = gspi_inputs(w->g, v);
    for (uint32_t i = 0u; i < inputs.n; i++) {
        uint32_t s = r->alias_begin[inputs.at[i]];
        uint32_t const end = r->alias_end[inputs.at[i]];
        for (; s < end && w->written[s] != w->written[end]; s++) {
            gsp_node const other = w->writer[s];
            if (other == GSP_NONE || other == v || w->stamp[other] == v) {
                continue;
            }
            w->stamp[other] = v;
            gsp_node const earlier = forward ? other : v;
            if (w->fill) {
                r->dependents[r->dependent_begin[earlier + 1u]++] = forward ? v : other;
            } else {
                r->dependent_begin[earlier + 2u]++;
                w->n_dependences++;
            }
        }
    }
}

static void gspi_deps_sweep(gspi_deps *w, int forward)
{
    uint32_t const last = w->g->n_nodes - 1u;
    gspi_none_words(w->writer, w->result.n_alias_sets);
    gspi_none_words(w->stamp, w->g->n_nodes);
    for (uint32_t i = 0u; i < last; i++) {
        gsp_node const v = forward ? i : last - 1u - i;
        gspi_row const known = forward ? gspi_inputs(w->g, v) : gspi_users(w->g, v);
        for (uint32_t k = 0u; k < known.n; k++) {
            w->stamp[known.at[k]] = v;
        }
        if (forward) {
            gspi_deps_visit(w, v, 1);
        }
        (void)gspi_deps_write(w, v, w->writer, v);
        if (!forward) {
            gspi_deps_visit(w, v, 0);
        }
    }
}

/* Counts, then lists the dependences. Counts stand two behind their node: sums are starts one
 * behind it, which listing moves to the next start. */
static gsp_status gspi_deps_list(gspi_deps *w, uint32_t limit, gsp_error *err)
{
    gsp_dependences *r = &w->result;
    uint32_t const n = w->g->n_nodes;
    gspi_zero_words(r->dependent_begin, (size_t)n + 2u);
    w->n_dependences = 0u;
    w->fill = 0;
    r->n_dependences = 0u;
    if (!gspi_deps_sums(w)) {
        return GSP_OK;
    }
    gspi_deps_sweep(w, 1);
    gspi_deps_sweep(w, 0);
    if (w->n_dependences > limit) {
        return gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_DEPENDENCES, w->n_dependences,
                                limit);
    }
    w->fill = 1;
    r->n_dependences = (uint32_t)w->n_dependences;
    for (uint32_t i = 2u; i <= n + 1u; i++) {
        r->dependent_begin[i] += r->dependent_begin[i - 1u];
    }
    gspi_deps_sweep(w, 1);
    gspi_deps_sweep(w, 0);
    return GSP_OK;
}

static gsp_status gspi_deps_run(gsp_arena *arena, const gsp_graph *g, uint32_t limit,
                                gsp_dependences *result, gsp_error *err)
{
    gsp_counts const c = gsp_graph_counts(g);
    gspi_pass pass;
    limit = gspi_max_dependences(&c, limit);
    GSPI_TRY(gspi_enter(&pass, arena, 0u, err));
    gspi_deps *w = GSPI_HIGH(&pass.bump, gspi_deps, 1u);
    gspi_deps_layout(&pass.bump, w, c.nodes, limit);
    w->g = g;
    gspi_deps_alias_sets(w);
    gsp_status const status = gspi_deps_list(w, limit, err);
    if (status == GSP_OK) {
        w->result.n_nodes = g->n_nodes;
        arena->low -= (limit - w->result.n_dependences) * sizeof(gsp_node);
        *result = w->result;
    }
    return gspi_leave(&pass, status, err);
}

GSP_API gsp_status gsp_dependences_run(gsp_arena *arena, const gsp_graph *graph,
                                       const gsp_dependences_desc *desc, gsp_dependences *result,
                                       gsp_error *err)
{
    gsp_dependences_desc d;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_TRY(gspi_deps_check(graph, err));
    GSPI_TRY(gspi_room(arena, gsp_dependences_bound(graph, &d), err));
    return gspi_deps_run(arena, graph, d.max_dependences, result, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>node_classes   Classes of identical nodes                                      (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* A hash table with one node per class. Keyword arguments may have any order: the hash adds the
 * values of all keys, and the comparison sorts keys unless both nodes agree in order. */

typedef struct gspi_classes {
    gsp_node_classes result;
    uint32_t *hash;  /* [n] by class */
    gsp_node *table; /* [slots] a class; GSP_NONE: free */
    uint32_t slots;
} gspi_classes;

static void gspi_classes_keep(gspi_bump *b, gsp_node_classes *r, uint32_t n)
{
    r->class_of = GSPI_LOW(b, uint32_t, n);
    r->class_begin = GSPI_LOW(b, uint32_t, (size_t)n + 1u);
    r->nodes = GSPI_LOW(b, gsp_node, n);
}

static void gspi_classes_layout(gspi_bump *b, gspi_classes *w, uint32_t n)
{
    w->slots = gspi_pow2(gspi_count_add(n, n / 2u));
    gspi_classes_keep(b, &w->result, n);
    w->hash = GSPI_HIGH(b, uint32_t, n);
    w->table = GSPI_HIGH(b, gsp_node, w->slots == 0u ? SIZE_MAX : w->slots);
}

static size_t gspi_classes_bound(uint32_t n)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_classes w;
    gspi_classes_layout(&b, &w, n);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API size_t gsp_node_classes_bound(const gsp_graph *graph, const gsp_node_classes_desc *desc)
{
    (void)desc;
    return gspi_classes_bound(graph->n_nodes);
}

static uint32_t gspi_mix(uint32_t h, uint32_t x)
{
    h = (h ^ x) * 0x9E3779B1u;
    return h ^ (h >> 15);
}

/* Annotations that must agree. */
static const uint8_t gspi_traits[] = {GSP_KEY_KEY, GSP_KEY_STATE, GSP_KEY_MUTATES, GSP_KEY_ALIAS};

/* Value of an argument token: for a node its TYPE. */
static uint32_t gspi_classes_value(const gsp_graph *g, gsp_arg a)
{
    return a.kind == (uint32_t)GSP_ARG_NODE ? g->module->type[g->first + a.value] : a.value;
}

static uint32_t gspi_classes_hash(const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    const gsp_attr *any = g->module->attrs + g->module->attr[g->first + v];
    uint32_t h = gspi_mix(gspi_target_id(g, v), g->module->op[g->first + v]);
    uint32_t sum = 0u;
    int keyed = 0;
    h = gspi_mix(h, g->module->type[g->first + v]);
    for (uint32_t i = 0u; any->key != (gsp_atom)GSP_KEY_NONE && i < sizeof(gspi_traits); i++) {
        gsp_atom const trait = gspi_attr(g, v, (gsp_key)gspi_traits[i]);
        h = trait == GSP_NONE ? h : gspi_mix(h + i, trait);
    }
    for (uint32_t i = 0u; i < args.n; i++) {
        if (args.at[i].kind == (uint32_t)GSP_ARG_KEY ||
            (keyed && args.at[i].kind == (uint32_t)GSP_ARG_CLOSE)) {
            sum += gspi_mix(h, h >> 16);
            h = 1u;
            keyed = 1;
        }
        h = gspi_mix(gspi_mix(h, args.at[i].kind), gspi_classes_value(g, args.at[i]));
    }
    return gspi_mix(sum + gspi_mix(h, h >> 16), args.n);
}

/* Start of the value that ends with token `i`. */
static uint32_t gspi_classes_start(const gsp_arg *args, uint32_t i)
{
    return args[i].kind == (uint32_t)GSP_ARG_CLOSE ? i - args[i].value : i;
}

/* The key after `after` (GSP_NONE: first) by id, then place, at the level of `key`; or GSP_NONE. */
static uint32_t gspi_classes_key(const gsp_arg *args, uint32_t count, uint32_t key, uint32_t after)
{
    uint32_t best = GSP_NONE;
    uint32_t i = key;
    while (i > 0u && args[i - 1u].kind != (uint32_t)GSP_ARG_DICT) {
        uint32_t const start = gspi_classes_start(args, i - 1u);
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

/* Token i, or the least of the keys that start there. */
static uint32_t gspi_classes_enter(const gsp_arg *args, uint32_t count, uint32_t i)
{
    return i < count && args[i].kind == (uint32_t)GSP_ARG_KEY
               ? gspi_classes_key(args, count, i, GSP_NONE)
               : i;
}

/* The token after `i` with keys in order; `count` at the end. */
static uint32_t gspi_classes_next(const gsp_arg *args, uint32_t count, uint32_t i)
{
    uint32_t const start = gspi_classes_start(args, i);
    uint32_t next = i + 1u;
    if (args[i].kind == (uint32_t)GSP_ARG_KEY) {
        return next;
    }
    if ((args[i].kind >= (uint32_t)GSP_ARG_TUPLE && args[i].kind <= (uint32_t)GSP_ARG_SLICE) ||
        start == 0u || args[start - 1u].kind != (uint32_t)GSP_ARG_KEY) {
        return gspi_classes_enter(args, count, next); /* a container opens, or no key precedes */
    }
    uint32_t const key = gspi_classes_key(args, count, start - 1u, start - 1u);
    while (key == GSP_NONE && next < count && args[next].kind == (uint32_t)GSP_ARG_KEY) {
        next = gspi_element_end(args, next);
    }
    return key != GSP_NONE ? key : next;
}

static int gspi_classes_same_token(const gsp_graph *g, gsp_arg a, gsp_arg b)
{
    return a.kind == b.kind &&
           (a.value == b.value || gspi_classes_value(g, a) == gspi_classes_value(g, b));
}

/* First token by token, then with keys in order. */
static int gspi_classes_tokens(const gsp_graph *g, const gsp_arg *a, const gsp_arg *b,
                               uint32_t count)
{
    for (int sorted = 0; sorted < 2; sorted++) {
        uint32_t i = sorted ? gspi_classes_enter(a, count, 0u) : 0u;
        uint32_t k = sorted ? gspi_classes_enter(b, count, 0u) : 0u;
        while (i < count && k < count && gspi_classes_same_token(g, a[i], b[k])) {
            i = sorted ? gspi_classes_next(a, count, i) : i + 1u;
            k = sorted ? gspi_classes_next(b, count, k) : k + 1u;
        }
        if (i == count && k == count) {
            return 1;
        }
    }
    return 0;
}

GSP_API int gsp_node_equal(const gsp_graph *graph, gsp_node a, gsp_node b)
{
    if (a >= graph->n_nodes || b >= graph->n_nodes) {
        return 0;
    }
    const gsp_atom *type = graph->module->type + graph->first;
    gspi_arg_row const a_args = gspi_args(graph, a);
    gspi_arg_row const b_args = gspi_args(graph, b);
    int same = gspi_op(graph, a) == gspi_op(graph, b) && type[a] == type[b] &&
               a_args.n == b_args.n && gspi_target_id(graph, a) == gspi_target_id(graph, b);
    const uint32_t *attr = graph->module->attr + graph->first;
    for (uint32_t i = 0u; same && attr[a] != attr[b] && i < sizeof(gspi_traits); i++) {
        gsp_key const key = (gsp_key)gspi_traits[i];
        same = gspi_attr(graph, a, key) == gspi_attr(graph, b, key);
    }
    return same && gspi_classes_tokens(graph, a_args.at, b_args.at, a_args.n);
}

/* The class of node v, possibly new; result.nodes holds the first node of each. */
static uint32_t gspi_classes_find(gspi_classes *w, const gsp_graph *g, gsp_node v, uint32_t hash)
{
    gsp_node_classes *r = &w->result;
    uint32_t slot = gspi_mix(hash, hash >> 16) & (w->slots - 1u);
    uint32_t c;
    for (; (c = w->table[slot]) != GSP_NONE; slot = (slot + 1u) & (w->slots - 1u)) {
        if (w->hash[c] == hash && gsp_node_equal(g, r->nodes[c], v)) {
            return c;
        }
    }
    c = r->n_classes++;
    w->table[slot] = c;
    w->hash[c] = hash;
    r->nodes[c] = v;
    r->class_begin[c] = 0u;
    return c;
}

/* Classes of all callable nodes; class_begin counts them. */
static void gspi_classes_all(gspi_classes *w, const gsp_graph *g, uint32_t mask)
{
    gsp_node_classes *r = &w->result;
    gspi_none_words(w->table, w->slots);
    r->n_nodes = g->n_nodes;
    r->n_classes = 0u;
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        r->class_of[v] = GSP_NONE;
        if (gspi_callable(g, v) && !gsp_node_is_barrier(g, v)) {
            r->class_of[v] = gspi_classes_find(w, g, v, gspi_classes_hash(g, v) & mask);
            r->class_begin[r->class_of[v]]++;
        }
    }
}

/* Drops classes of one node and builds rows of the others. */
static void gspi_classes_rows(gspi_classes *w)
{
    gsp_node_classes *r = &w->result;
    uint32_t kept = 0u;
    for (uint32_t c = 0u; c < r->n_classes; c++) {
        w->hash[c] = r->class_begin[c] > 1u ? kept : GSP_NONE; /* its new number */
        r->class_begin[kept] = r->class_begin[c];
        kept += r->class_begin[c] > 1u ? 1u : 0u;
    }
    r->n_classes = kept;
    gspi_counts_to_ends(r->class_begin, kept);
    for (gsp_node v = r->n_nodes; v > 0u; v--) {
        uint32_t const old = r->class_of[v - 1u];
        uint32_t const c = old == GSP_NONE ? GSP_NONE : w->hash[old];
        r->class_of[v - 1u] = c;
        if (c != GSP_NONE) {
            r->nodes[--r->class_begin[c]] = v - 1u;
        }
    }
}

static gsp_status gspi_classes_run(gsp_arena *arena, const gsp_graph *g, uint32_t hash_bits,
                                   gsp_node_classes *result, gsp_error *err)
{
    gspi_pass pass;
    gspi_classes w;
    int const some = hash_bits > 0u && hash_bits < 32u;
    GSPI_TRY(gspi_enter(&pass, arena, 0u, err));
    gspi_classes_layout(&pass.bump, &w, g->n_nodes);
    gspi_classes_all(&w, g, some ? ((uint32_t)1u << hash_bits) - 1u : UINT32_MAX);
    gspi_classes_rows(&w);
    *result = w.result;
    return gspi_leave(&pass, GSP_OK, err);
}

GSP_API gsp_status gsp_node_classes_run(gsp_arena *arena, const gsp_graph *graph,
                                        const gsp_node_classes_desc *desc, gsp_node_classes *result,
                                        gsp_error *err)
{
    gsp_node_classes_desc d;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_TRY(gspi_room(arena, gspi_classes_bound(graph->n_nodes), err));
    return gspi_classes_run(arena, graph, d.hash_bits, result, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>regions   Repeated regions                                                     (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* A candidate is an input of a member, hence an ancestor of the end of the region, as are all its
 * own ancestors: the ancestors of a region never change while it grows. A step closes a cycle
 * exactly when a user of the candidate outside the region reaches the end in the original graph.
 * Barriers cut the graph into segments that run one after the other. Within a segment three numbers
 * per node answer nearly all queries (GRAIL): its level, its post-order number, and the least
 * post-order number that it reaches. A search answers the others.
 *
 * The queue of a region holds its members in order of addition, and their inputs: two numbers give
 * the next entry. A node is a candidate at most once. A first region may add a node again, but each
 * time with a new candidate in another region, so all tables together have at most 3 n entries.
 */

typedef struct gspi_reach {
    uint32_t level; /* longest path from a source */
    uint32_t post;  /* number in a post-order along users */
    uint32_t low;   /* least post that is reachable */
} gspi_reach;

typedef struct gspi_regions {
    const gsp_graph *g;
    gspi_reach *index;   /* [n] */
    uint32_t *seen;      /* [n] last search that visited this node */
    uint32_t *stack;     /* [n] */
    uint32_t *in[2];     /* [n] number of the last first, of the last other region that holds it */
    gsp_bitset claimed;  /* added by any step */
    gsp_bitset adding;   /* in the current step */
    gsp_node *row;       /* [n] candidates of the current step */
    uint32_t *at_member; /* [n] queues: next member ... */
    uint32_t *at_input;  /* [n] ... and next input of it */
    uint64_t *key;       /* [n + 1] the same bytes: keys for sorting after growth */
    uint32_t *ids;       /* [n + 1] */
    gsp_node *table;     /* [rows * columns] the growing group, in members */
    uint32_t rows;
    uint32_t columns;
    uint32_t number; /* of its first region, over all groups, from 1 */
    uint32_t n_seen; /* searches */
    uint64_t max_work;
    gsp_regions result;
} gspi_regions;

static void gspi_regions_tables(gspi_bump *b, gsp_regions *r, uint32_t n)
{
    r->group_begin = GSPI_LOW(b, uint32_t, (size_t)n / 2u + 1u);
    r->group_regions = GSPI_LOW(b, uint32_t, (size_t)n / 2u);
    r->members = GSPI_LOW(b, gsp_node, 3u * (size_t)n);
}

static void gspi_regions_keep(gspi_bump *b, gsp_regions *r, uint32_t n, uint32_t limit)
{
    gspi_deps_keep(b, &r->dependences, n, limit);
    gspi_classes_keep(b, &r->classes, n);
    gspi_regions_tables(b, r, n);
}

static void gspi_regions_layout(gspi_bump *b, gspi_regions *w, uint32_t n)
{
    size_t const words = gsp_bitset_words(n);
    gspi_regions_tables(b, &w->result, n);
    w->index = GSPI_HIGH(b, gspi_reach, n);
    w->seen = GSPI_HIGH(b, uint32_t, n);
    w->stack = GSPI_HIGH(b, uint32_t, n);
    w->in[0] = GSPI_HIGH(b, uint32_t, n);
    w->in[1] = GSPI_HIGH(b, uint32_t, n);
    w->claimed.words = GSPI_HIGH(b, uint32_t, words);
    w->adding.words = GSPI_HIGH(b, uint32_t, words);
    w->row = GSPI_HIGH(b, gsp_node, n);
    w->key = GSPI_HIGH(b, uint64_t, (size_t)n + 1u);
    w->at_member = (uint32_t *)(void *)w->key;
    w->at_input = w->at_member == NULL ? NULL : w->at_member + n;
    w->ids = GSPI_HIGH(b, uint32_t, (size_t)n + 1u);
}

/* Three passes, one after the other in the remaining space. */
GSPI_OWN_FRAME size_t gspi_regions_bound(const gsp_counts *c, uint32_t limit)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_regions w;
    (void)GSPI_HIGH(&b, gspi_regions, 1u);
    size_t most = gspi_add(b.used, gspi_deps_bound(c, limit));
    gspi_deps_keep(&b, &w.result.dependences, c->nodes, limit);
    most = gspi_max(most, gspi_add(b.used, gspi_classes_bound(c->nodes)));
    gspi_classes_keep(&b, &w.result.classes, c->nodes);
    gspi_regions_layout(&b, &w, c->nodes);
    return gspi_max(most, gspi_add(b.used, GSPI_SLACK));
}

GSP_API size_t gsp_regions_bound(const gsp_graph *graph, const gsp_regions_desc *desc)
{
    gsp_counts const c = gsp_graph_counts(graph);
    uint32_t const limit = desc == NULL ? 0u : desc->max_dependences;
    return gspi_regions_bound(&c, gspi_max_dependences(&c, limit));
}

/* Visits depth first from `root`; `seen`: 1 + visited successors. Returns the next post number. */
static uint32_t gspi_regions_visit(const gspi_regions *w, gsp_node root, uint32_t post)
{
    uint32_t depth = 1u;
    w->stack[0] = root;
    w->seen[root] = 1u;
    while (depth > 0u) {
        gsp_node const v = w->stack[depth - 1u];
        gsp_node const u = gspi_later(w->g, &w->result.dependences, v, w->seen[v] - 1u);
        gspi_reach *x = &w->index[v];
        if (u == GSP_NONE) {
            x->post = post;
            x->low = x->low < post ? x->low : post;
            post++;
            depth--;
            continue;
        }
        if (w->seen[u] == 0u) {
            w->seen[u] = 1u;
            w->stack[depth++] = u;
            continue; /* and back to this successor */
        }
        w->seen[v]++;
        x->low = w->index[u].low < x->low ? w->index[u].low : x->low;
    }
    return post;
}

static void gspi_regions_index(const gspi_regions *w)
{
    uint32_t const n = w->g->n_nodes;
    uint32_t post = 0u;
    gsp_node u;
    gspi_zero_words(w->seen, n);
    for (gsp_node v = 0u; v < n; v++) {
        gspi_reach const unknown = {0u, 0u, UINT32_MAX};
        w->index[v] = unknown;
    }
    for (gsp_node v = 0u; v < n; v++) {
        uint32_t const level = w->index[v].level + 1u;
        post = w->seen[v] == 0u ? gspi_regions_visit(w, v, post) : post;
        for (uint32_t i = 0u; (u = gspi_later(w->g, &w->result.dependences, v, i)) != GSP_NONE;
             i++) {
            w->index[u].level = w->index[u].level < level ? level : w->index[u].level;
        }
    }
    gspi_zero_words(w->seen, n);
}

/* 0: there is no path from v to `end`; 1: there may be one. */
static int gspi_regions_may_reach(const gspi_regions *w, gsp_node v, gsp_node end)
{
    const gspi_reach *x = &w->index[v];
    const gspi_reach *y = &w->index[end];
    return v < end && x->level < y->level && x->low <= y->low && y->post < x->post;
}

/* Whether a path leads from v to another node `end`. */
static int gspi_regions_reaches(gspi_regions *w, gsp_node v, gsp_node end)
{
    uint32_t depth = 0u;
    if (!gspi_regions_may_reach(w, v, end)) {
        return 0;
    }
    if (++w->n_seen == 0u) {
        gspi_zero_words(w->seen, w->g->n_nodes);
        w->n_seen = 1u;
    }
    w->stack[depth++] = v;
    w->seen[v] = w->n_seen;
    while (depth > 0u) {
        gsp_node u;
        v = w->stack[--depth];
        for (uint32_t i = 0u; (u = gspi_later(w->g, &w->result.dependences, v, i)) != GSP_NONE;
             i++) {
            w->result.work++;
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

static int gspi_regions_holds(const gspi_regions *w, uint32_t region, gsp_node v)
{
    return w->in[region != 0u][v] == w->number + region;
}

static void gspi_regions_hold(const gspi_regions *w, uint32_t region, gsp_node v)
{
    w->in[region != 0u][v] = w->number + region;
}

static int gspi_regions_is_cyclic(gspi_regions *w, uint32_t region, gsp_node c)
{
    const gsp_dependences *d = &w->result.dependences;
    gsp_node const end = w->table[region];
    gsp_node u;
    if (d->segment[c] != d->segment[end]) {
        return 1;
    }
    for (uint32_t i = 0u; (u = gspi_later(w->g, d, c, i)) != GSP_NONE; i++) {
        w->result.work++;
        if (u < end && !gspi_regions_holds(w, region, u) && gspi_regions_reaches(w, u, end)) {
            return 1;
        }
    }
    return 0;
}

/* Next node of the queue of a region; GSP_NONE: empty. */
static gsp_node gspi_regions_pop(const gspi_regions *w, uint32_t region)
{
    for (; w->at_member[region] < w->rows; w->at_member[region]++, w->at_input[region] = 0u) {
        gsp_node const v = w->table[(size_t)w->at_member[region] * w->columns + region];
        gspi_row const inputs = gspi_inputs(w->g, v);
        if (w->at_input[region] < inputs.n) {
            return inputs.at[w->at_input[region]++];
        }
    }
    return GSP_NONE;
}

/* Pops all queues into w->row; 1 when the candidates are of one class, distinct and, but for the
 * first, in no region yet. All queues advance in any case. */
static int gspi_regions_pop_all(gspi_regions *w)
{
    const uint32_t *class_of = w->result.classes.class_of;
    int good = class_of[w->row[0]] != GSP_NONE;
    uint32_t n = 1u;
    for (uint32_t i = 1u; i < w->columns; i++) {
        gsp_node const c = gspi_regions_pop(w, i);
        good = good && c != GSP_NONE && c != w->row[0] && class_of[c] == class_of[w->row[0]] &&
               !gsp_bitset_has(&w->claimed, c) && !gsp_bitset_has(&w->adding, c);
        if (good) {
            gsp_bitset_set(&w->adding, c);
            w->row[n++] = c;
        }
    }
    for (uint32_t i = 1u; i < n; i++) {
        gsp_bitset_clear(&w->adding, w->row[i]);
    }
    return good;
}

static gsp_status gspi_regions_grow(gspi_regions *w, gsp_error *err)
{
    for (uint32_t i = 0u; i < w->columns; i++) {
        gspi_regions_hold(w, i, w->table[i]);
        w->at_member[i] = 0u;
        w->at_input[i] = 0u;
    }
    while ((w->row[0] = gspi_regions_pop(w, 0u)) != GSP_NONE) {
        int good = gspi_regions_pop_all(w);
        for (uint32_t i = 0u; good && i < w->columns; i++) {
            good = !gspi_regions_is_cyclic(w, i, w->row[i]);
        }
        if (w->max_work != 0u && w->result.work > w->max_work) {
            return gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_WORK, w->result.work,
                                    w->max_work);
        }
        for (uint32_t i = 0u; good && i < w->columns; i++) {
            w->table[(size_t)w->rows * w->columns + i] = w->row[i];
            gspi_regions_hold(w, i, w->row[i]);
            gsp_bitset_set(&w->claimed, w->row[i]);
        }
        w->rows += good ? 1u : 0u;
    }
    return GSP_OK;
}

/* Rows in graph order of the first region; of a node that it holds twice, the later one first. */
static void gspi_regions_sort(const gspi_regions *w)
{
    for (uint32_t p = 0u; p < w->rows; p++) {
        w->ids[p] = p;
        w->key[p] = ((uint64_t)w->table[(size_t)p * w->columns] << 32) | (UINT32_MAX - p);
    }
    gspi_sort(w->ids, w->rows, w->key);
    for (uint32_t i = 0u; i < w->columns; i++) {
        for (uint32_t p = 0u; p < w->rows; p++) {
            w->row[p] = w->table[(size_t)w->ids[p] * w->columns + i];
        }
        for (uint32_t p = 0u; p < w->rows; p++) {
            w->table[(size_t)p * w->columns + i] = w->row[p];
        }
    }
}

/* 1 when some region has in row p a getitem without its aggregate. */
static int gspi_regions_lacks_aggregate(const gspi_regions *w, uint32_t p)
{
    const gsp_node *row = w->table + (size_t)p * w->columns;
    gsp_node u;
    for (uint32_t i = 0u; i < w->columns; i++) {
        if ((u = gspi_deps_aggregate(w->g, row[i])) == GSP_NONE) {
            return 0; /* the nodes of a row are identical */
        }
        if (!gspi_regions_holds(w, i, u)) {
            return 1;
        }
    }
    return 0;
}

/* Removes rows of getitems without their aggregate; rows that repeat a node are adjacent. */
static void gspi_regions_getitems(gspi_regions *w)
{
    uint32_t kept = 0u;
    for (uint32_t p = 0u; p < w->rows; p++) {
        const gsp_node *row = w->table + (size_t)p * w->columns;
        if (!gspi_regions_lacks_aggregate(w, p)) {
            gspi_copy(w->table + (size_t)kept * w->columns, row, kept == p ? 0u : w->columns,
                      sizeof(gsp_node));
            kept++;
            continue;
        }
        if (!((kept > 0u && w->table[(size_t)(kept - 1u) * w->columns] == row[0]) ||
              (p + 1u < w->rows && row[w->columns] == row[0]))) {
            w->in[0][row[0]] = 0u;
        }
        for (uint32_t i = 1u; i < w->columns; i++) {
            w->in[1][row[i]] = 0u;
        }
    }
    w->rows = kept;
}

static gsp_status gspi_regions_of_class(gspi_regions *w, uint32_t class_of, gsp_error *err)
{
    gsp_regions *r = &w->result;
    const uint32_t *begin = r->classes.class_begin + class_of;
    w->table = r->members + r->group_begin[r->n_groups];
    w->rows = 1u;
    w->columns = begin[1] - begin[0];
    gspi_copy(w->table, r->classes.nodes + begin[0], w->columns, sizeof(gsp_node));
    GSPI_TRY(gspi_regions_grow(w, err));
    if (w->rows > 1u) {
        gspi_regions_sort(w);
        gspi_regions_getitems(w);
    }
    if (w->rows > 1u) {
        r->group_regions[r->n_groups] = w->columns;
        r->group_begin[r->n_groups + 1u] = r->group_begin[r->n_groups] + w->rows * w->columns;
        r->n_groups++;
    }
    w->number += w->columns;
    return GSP_OK;
}

static gsp_status gspi_regions_find(gspi_regions *w, gsp_error *err)
{
    uint32_t const n = w->g->n_nodes;
    w->result.n_groups = 0u;
    w->result.group_begin[0] = 0u;
    w->result.work = 0u;
    w->number = 1u;
    w->n_seen = 0u;
    gspi_regions_index(w);
    gspi_zero_words(w->in[0], n);
    gspi_zero_words(w->in[1], n);
    gsp_bitset_init(&w->claimed, w->claimed.words, n);
    gsp_bitset_init(&w->adding, w->adding.words, n);
    for (uint32_t c = w->result.classes.n_classes; c > 0u; c--) {
        GSPI_TRY(gspi_regions_of_class(w, c - 1u, err));
    }
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_regions_all(gspi_regions *w, gspi_bump *b, const gsp_graph *g,
                                           const gsp_regions_desc *d, gsp_error *err)
{
    gsp_regions *r = &w->result;
    w->g = g;
    w->max_work = d->max_work;
    GSPI_TRY(gspi_deps_run(b->arena, g, d->max_dependences, &r->dependences, err));
    GSPI_TRY(gspi_classes_run(b->arena, g, d->hash_bits, &r->classes, err));
    gspi_regions_layout(b, w, g->n_nodes);
    return gspi_regions_find(w, err);
}

static gsp_status gspi_regions_run(gsp_arena *arena, const gsp_graph *g, const gsp_regions_desc *d,
                                   gsp_regions *result, gsp_error *err)
{
    gspi_pass pass;
    GSPI_TRY(gspi_enter(&pass, arena, 0u, err));
    gspi_regions *w = GSPI_HIGH(&pass.bump, gspi_regions, 1u);
    gsp_status const status = gspi_regions_all(w, &pass.bump, g, d, err);
    if (status == GSP_OK) {
        *result = w->result;
    }
    return gspi_leave(&pass, status, err);
}

GSP_API gsp_status gsp_regions_run(gsp_arena *arena, const gsp_graph *graph,
                                   const gsp_regions_desc *desc, gsp_regions *result,
                                   gsp_error *err)
{
    gsp_regions_desc d;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_TRY(gspi_deps_check(graph, err));
    GSPI_TRY(gspi_room(arena, gsp_regions_bound(graph, &d), err));
    return gspi_regions_run(arena, graph, &d, result, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>dedup_select   Selection of replaceable regions                                (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Groups are replaced one after the other, each judged on the graph that the previous ones leave
 * (see gspi_values). The first attempt assumes that no region closes a cycle and tests all of them
 * at the end: contracting fewer regions cannot close a cycle that contracting more does not. On a
 * cycle, a second attempt keeps an order of the contracted graph up to date (as Pearce and Kelly
 * do): each node has a label, at first a slot of its own, nodes of a region adjacent where
 * possible. A contracted region takes the label of its last node. The nodes that it reaches before
 * the end of that slot move to the end. */

/* The last region considered that holds a node, and its row there. */
typedef struct gspi_select_node {
    uint32_t region;
    uint32_t row;
} gspi_select_node;

/* A value that regions read from outside, and its counterparts. */
typedef struct gspi_match {
    uint32_t mark;       /* last region considered that reads it */
    uint32_t pair;       /* what the region of the first call reads there */
    uint32_t mark_first; /* last region compared with that of the first call, which reads it */
    uint32_t pair_first; /* what that region reads there */
} gspi_match;

typedef struct gspi_select {
    gspi_values s;
    gspi_select_node *in; /* [n] */
    gspi_match *match;    /* [n + items] */
    gspi_region region;   /* the current one */
    uint32_t n_regions;   /* regions considered */
    uint32_t first;       /* region of the first call; GSP_NONE: none yet */
    uint32_t n_taken;     /* calls */
    int has_inputs;
    uint32_t *outs; /* output positions of the group */
    uint32_t n_outs;
    const gsp_dependences *d;
    const gsp_node *table; /* members of the group */
    uint64_t *label;       /* [n] cycles: ascending order of the units */
    uint32_t *unit;        /* [n] Kahn: first node of its region, or the node itself */
    uint32_t *edges;       /* [n] remaining edges into a node from other units */
    uint32_t *mark_set;    /* [2 n] 2 * last region with this set; + 1: only its shared elements */
    gsp_dedup_selection result;
    uint32_t *seen; /* [n] */
    const gsp_regions *r;
    uint32_t *item_set;  /* [n + outputs] alias set of an element; GSP_NONE: the shared one */
    uint32_t *row_first; /* [n] row of a node in the region of the first call */
    uint32_t *top;       /* [n] last label in the slot of a node */
    uint32_t *after;     /* [n] nodes that a region reaches */
    uint32_t n_labels;   /* nodes with a label */
    uint32_t max_outputs;
    uint32_t n_seen;
    int careful;    /* 1: tests every region for a cycle */
    uint32_t group; /* the current group */
    gspi_kahn kahn; /* over units, in `after` */
    uint64_t undo;  /* previous label of the first node of the last contracted region */
    uint64_t max_work;
} gspi_select;

static uint32_t gspi_max_outputs(uint32_t nodes, uint32_t limit)
{
    return limit == 0u ? gspi_count_add(nodes / 2u, 32u) : limit;
}

static void gspi_select_keep(gspi_bump *b, gsp_dedup_selection *a, uint32_t n, uint32_t limit)
{
    a->subgraph_of = GSPI_LOW(b, uint32_t, n);
    a->call_of = GSPI_LOW(b, uint32_t, n);
    a->item_of = GSPI_LOW(b, uint32_t, n);
    a->group_of = GSPI_LOW(b, uint32_t, (size_t)n / 4u + 1u);
    a->call_begin = GSPI_LOW(b, uint32_t, (size_t)n / 4u + 1u);
    a->region_of = GSPI_LOW(b, uint32_t, n);
    a->out_begin = GSPI_LOW(b, uint32_t, (size_t)n / 4u + 1u);
    a->outs = GSPI_LOW(b, uint32_t, (size_t)n + 1u);
    a->item_begin = GSPI_LOW(b, uint32_t, (size_t)n / 2u + 1u);
    a->item_node = GSPI_LOW(b, gsp_node, gspi_add(n, limit));
}

static void gspi_select_layout(gspi_bump *b, gspi_select *w, uint32_t n, uint32_t limit)
{
    size_t const items = gspi_add(n, limit);
    gspi_select_keep(b, &w->result, n, limit);
    w->item_set = GSPI_HIGH(b, uint32_t, items);
    w->in = GSPI_HIGH(b, gspi_select_node, n);
    w->row_first = GSPI_HIGH(b, uint32_t, n);
    w->match = GSPI_HIGH(b, gspi_match, gspi_add(items, n));
    w->mark_set = GSPI_HIGH(b, uint32_t, 2u * (size_t)n);
    w->label = GSPI_HIGH(b, uint64_t, n);
    w->top = GSPI_HIGH(b, uint32_t, n);
    w->after = GSPI_HIGH(b, uint32_t, n);
    w->seen = GSPI_HIGH(b, uint32_t, n);
    w->unit = w->top; /* unused while Kahn's algorithm runs */
    w->edges = w->row_first;
    w->kahn = gspi_kahn_start(w->after, w->seen, (uint32_t)GSP_TOPO_ORDER_QUEUE);
}

GSPI_OWN_FRAME size_t gspi_select_bound(uint32_t n, uint32_t limit)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_select w;
    (void)GSPI_HIGH(&b, gspi_select, 1u);
    gspi_select_layout(&b, &w, n, gspi_max_outputs(n, limit));
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API size_t gsp_dedup_select_bound(const gsp_graph *graph, const gsp_dedup_select_desc *desc)
{
    return gspi_select_bound(graph->n_nodes, desc == NULL ? 0u : desc->max_outputs);
}

static gsp_node gspi_select_member(const gspi_select *w, uint32_t row)
{
    return gspi_region_node(&w->region, row);
}

/* Makes a region current. */
static void gspi_select_enter(gspi_select *w, uint32_t region)
{
    w->n_regions++;
    w->region.first = w->table + region;
    for (uint32_t p = 0u; p < w->region.rows; p++) {
        gspi_select_node const in = {w->n_regions, p};
        w->in[gspi_select_member(w, p)] = in;
    }
}

/* 1 when unreplaced v is read outside of the current region, by a node or the call in its place. */
static int gspi_select_is_output(const gspi_select *w, gsp_node v)
{
    const uint32_t *subgraph_of = w->result.subgraph_of;
    gspi_row const users = gspi_users(w->s.g, v);
    for (uint32_t i = 0u; i < users.n && subgraph_of[v] == GSP_NONE; i++) {
        if (w->in[users.at[i]].region != w->n_regions || subgraph_of[users.at[i]] != GSP_NONE) {
            return 1;
        }
    }
    return 0;
}

/* Output positions of any region, replaced or not. */
static void gspi_select_find_outs(gspi_select *w)
{
    w->outs = w->result.outs + w->result.out_begin[w->result.n_subgraphs];
    w->n_outs = 0u;
    gspi_zero_words(w->after, w->region.rows);
    for (uint32_t i = 0u; i < w->region.step; i++) {
        gspi_select_enter(w, i);
        for (uint32_t p = 0u; p < w->region.rows; p++) {
            if (w->after[p] == 0u && gspi_select_is_output(w, gspi_select_member(w, p))) {
                w->after[p] = 1u;
            }
        }
    }
    for (uint32_t p = 0u; p < w->region.rows; p++) {
        if (w->after[p] != 0u) {
            w->outs[w->n_outs++] = p;
        }
    }
}

/* Marks a range of alias sets; 1 when the current region has marked one before. */
static int gspi_select_mark(const gspi_select *w, uint32_t begin, uint32_t end)
{
    for (uint32_t s = begin; s < end; s++) {
        if (w->mark_set[s] / 2u == w->n_regions) {
            return 1;
        }
        w->mark_set[s] = 2u * w->n_regions;
    }
    return 0;
}

/* The same for a value. Elements that share the last set of an aggregate do not alias. */
static int gspi_select_mark_value(const gspi_select *w, uint32_t value)
{
    uint32_t const n = w->s.g->n_nodes;
    gsp_node const v = value < n ? value : w->result.item_node[value - n];
    uint32_t const end = w->d->alias_end[v];
    if (value < n || gspi_value_container(&w->s, v) == GSP_ARG_NONE) {
        return gspi_select_mark(w, w->d->alias_begin[v], end);
    }
    uint32_t const s = w->item_set[value - n];
    if (s != GSP_NONE) {
        return gspi_select_mark(w, s, s + 1u);
    }
    if (w->mark_set[end - 1u] == 2u * w->n_regions) {
        return 1;
    }
    w->mark_set[end - 1u] = 2u * w->n_regions + 1u;
    return 0;
}

/* 1 when node v writes an alias set marked by the region. */
static int gspi_select_writes(const gspi_select *w, gsp_node v)
{
    gsp_written_iter walk = {0u, 0u, 0u};
    gsp_node u;
    while ((u = gsp_node_next_written(w->s.g, v, &walk)) != GSP_NONE) {
        for (uint32_t s = w->d->alias_begin[u]; s < w->d->alias_end[u]; s++) {
            if (w->mark_set[s] / 2u == w->n_regions) {
                return 1;
            }
        }
    }
    return 0;
}

/* 1 when aggregate v can leave as elements: all are known, it is no view, and no reader of the
 * whole counts argument positions. */
static int gspi_select_can_leave(const gspi_select *w, gsp_node v)
{
    const gsp_graph *g = w->s.g;
    gspi_row const users = gspi_users(g, v);
    uint32_t elements;
    if (gsp_type_container(gspi_type_str(g, v), &elements) == GSP_ARG_NONE) {
        return 1;
    }
    int good = elements != GSP_NONE && gspi_attr(g, v, GSP_KEY_ALIAS) == GSP_NONE;
    for (uint32_t i = 0u; i < users.n && good; i++) {
        gsp_node const u = users.at[i];
        good = w->in[u].region == w->n_regions || gsp_node_element_of(g, u, elements) != GSP_NONE ||
               (gspi_attr(g, u, GSP_KEY_ALIAS) == GSP_NONE &&
                gspi_attr(g, u, GSP_KEY_MUTATES) == GSP_NONE);
    }
    return good;
}

/* The current region has no replaced node; its inputs are no aggregates, and no two alias. */
static int gspi_select_inputs(gspi_select *w)
{
    for (uint32_t p = 0u; p < w->region.rows; p++) {
        gsp_node const v = gspi_select_member(w, p);
        gspi_walk k = gspi_walk_over(&w->s, v, GSP_NONE);
        if (w->result.subgraph_of[v] != GSP_NONE || w->result.call_of[v] != GSP_NONE) {
            return 0;
        }
        while (gspi_walk_next(&w->s, &k)) {
            int const node = k.value < w->s.g->n_nodes;
            if (node && w->in[k.value].region == w->n_regions) {
                if (w->in[k.value].row >= p) {
                    return 0; /* the row order suits the first column only */
                }
                continue;
            }
            if (w->match[k.value].mark == w->n_regions) {
                continue;
            }
            w->match[k.value].mark = w->n_regions;
            w->has_inputs |= w->first == GSP_NONE;
            if ((node && gspi_value_container(&w->s, k.value) != GSP_ARG_NONE) ||
                gspi_select_mark_value(w, k.value)) {
                return 0;
            }
        }
    }
    return 1;
}

/* 1 when a region may be replaced, except for wiring and cycles. */
static int gspi_select_may(gspi_select *w, uint32_t region)
{
    gspi_select_enter(w, region);
    w->has_inputs = w->first == GSP_NONE ? 0 : w->has_inputs;
    int good = gspi_select_inputs(w);
    for (uint32_t p = 0u; p < w->region.rows && good; p++) {
        good = !gspi_select_writes(w, gspi_select_member(w, p));
    }
    for (uint32_t i = 0u; i < w->n_outs && good; i++) {
        gsp_node const v = gspi_select_member(w, w->outs[i]);
        good = gspi_select_can_leave(w, v) &&
               !gspi_select_mark(w, w->d->alias_begin[v], w->d->alias_end[v]);
    }
    return good;
}

/* Arguments a of the first and b of the current region: of the same row, or outside one to one. */
static int gspi_select_same_value(const gspi_select *w, uint32_t a, uint32_t b)
{
    uint32_t const n = w->s.g->n_nodes;
    gspi_match *x = &w->match[a];
    gspi_match *y = &w->match[b];
    int const a_in = a < n && w->result.call_of[a] == w->result.n_calls;
    int const b_in = b < n && w->in[b].region == w->n_regions;
    if (a_in || b_in) {
        return a_in && b_in && w->row_first[a] == w->in[b].row;
    }
    if (x->mark_first != w->n_regions) {
        x->mark_first = w->n_regions;
        x->pair_first = b;
    }
    if (y->mark != w->n_regions) {
        y->mark = w->n_regions;
        y->pair = a;
    }
    return x->pair_first == b && y->pair == a;
}

/* Members v of the first and u of the current region; the order of keys without nodes is free. */
static int gspi_select_same_node(const gspi_select *w, gsp_node v, gsp_node u)
{
    gspi_walk a = gspi_walk_over(&w->s, v, GSP_NONE);
    gspi_walk b = gspi_walk_over(&w->s, u, GSP_NONE);
    uint32_t i = 0u;
    while (gspi_walk_next(&w->s, &a)) {
        if (!gspi_walk_next(&w->s, &b) || a.token != b.token) {
            return 0;
        }
        for (; i < a.token; i++) {
            gsp_arg const x = a.args.at[i];
            gsp_arg const y = b.args.at[i];
            if (x.kind != y.kind || (x.kind == (uint32_t)GSP_ARG_KEY && x.value != y.value)) {
                return 0;
            }
        }
        if (!gspi_select_same_value(w, a.value, b.value)) {
            return 0;
        }
    }
    return !gspi_walk_next(&w->s, &b);
}

static int gspi_select_same_wiring(gspi_select *w, uint32_t region)
{
    gspi_select_enter(w, region);
    for (uint32_t p = 0u; p < w->region.rows; p++) {
        gsp_node const v = w->table[(size_t)p * w->region.step + w->first];
        if (!gspi_select_same_node(w, v, gspi_select_member(w, p))) {
            return 0;
        }
    }
    return 1;
}

/* The `i`-th node of the unit of u, a node or a replaced region; GSP_NONE at the end. */
static gsp_node gspi_select_part(const gspi_select *w, gsp_node u, uint32_t i)
{
    const gsp_dedup_selection *a = &w->result;
    uint32_t const call = a->call_of[u];
    if (call == GSP_NONE) {
        return i == 0u ? u : GSP_NONE;
    }
    uint32_t const group = call < a->n_calls ? a->group_of[gspi_call_subgraph(a, call)] : w->group;
    gspi_region const r = gspi_region_of(w->r, group, a->region_of[call]);
    return i < r.rows ? gspi_region_node(&r, i) : GSP_NONE;
}

/* Marks the successor units of v up to label `last`; 1 when one is the current region. */
static int gspi_select_follow(gspi_select *w, gsp_node v, uint64_t last, uint32_t *n_after)
{
    int back = 0;
    gsp_node x;
    for (uint32_t i = 0u; (x = gspi_later(w->s.g, w->d, v, i)) != GSP_NONE; i++) {
        w->result.work++;
        if (w->in[x].region == w->n_regions) {
            back = 1;
            continue;
        }
        x = gspi_select_part(w, x, 0u); /* the label is at the first node of a unit */
        if (w->label[x] <= last && w->seen[x] != w->n_seen) {
            w->seen[x] = w->n_seen;
            w->after[(*n_after)++] = x;
        }
    }
    return back;
}

/* Contracts the current region unless that closes a cycle. It takes the label of its last node; its
 * successors in or before that slot move to the end of the slot. */
static int gspi_select_contract(gspi_select *w)
{
    uint64_t last = 0u;
    uint32_t n = 0u;
    gsp_node v;
    for (uint32_t p = 0u; p < w->region.rows; p++) {
        v = gspi_select_member(w, p);
        last = w->label[v] > last ? w->label[v] : last;
    }
    uint64_t const end = last | UINT32_MAX;
    w->n_seen++;
    for (uint32_t p = 0u; p < w->region.rows; p++) {
        (void)gspi_select_follow(w, gspi_select_member(w, p), end, &n);
    }
    for (uint32_t i = 0u; i < n; i++) {
        for (uint32_t p = 0u; (v = gspi_select_part(w, w->after[i], p)) != GSP_NONE; p++) {
            if (gspi_select_follow(w, v, end, &n)) {
                return 0;
            }
        }
    }
    gspi_sort(w->after, n, w->label);
    for (uint32_t i = 0u; i < n; i++) {
        w->label[w->after[i]] = (end - UINT32_MAX) | ++w->top[end >> 32];
    }
    v = w->region.first[0];
    w->undo = w->label[v];
    w->label[v] = last;
    return 1;
}

/* Gives the next labels to the nodes of the next unit of the queue. */
static void gspi_select_label(gspi_select *w, gsp_node u)
{
    gsp_node v;
    gsp_node x;
    for (uint32_t i = 0u; (v = gspi_select_part(w, u, i)) != GSP_NONE; i++) {
        w->label[v] = (uint64_t)w->n_labels++ << 32;
        for (uint32_t k = 0u; (x = gspi_later(w->s.g, w->d, v, k)) != GSP_NONE; k++) {
            if (w->unit[x] == u) {
                continue;
            }
            w->edges[x]--;
            gspi_kahn_met(&w->kahn, w->unit[x]);
        }
    }
}

/* Unit u is on a cycle: makes each of its nodes a unit. */
static void gspi_select_take_apart(gspi_select *w, gsp_node u)
{
    gsp_node v;
    gsp_node x;
    for (uint32_t i = 0u; (v = gspi_select_part(w, u, i)) != GSP_NONE; i++) {
        for (uint32_t k = 0u; (x = gspi_later(w->s.g, w->d, v, k)) != GSP_NONE; k++) {
            w->edges[x] += w->unit[x] == u ? 1u : 0u;
        }
    }
    for (uint32_t i = 0u; (v = gspi_select_part(w, u, i)) != GSP_NONE; i++) {
        w->unit[v] = v;
        w->kahn.missing[v] = w->edges[v];
        if (w->edges[v] == 0u) {
            gspi_kahn_push(&w->kahn, v);
        }
        w->result.call_of[v] = v == u ? w->result.call_of[u] : GSP_NONE;
    }
    w->result.call_of[u] = GSP_NONE;
}

/* Kahn's algorithm with one node per region. When no unit is ready there is a cycle: it splits the
 * region of the first remaining node, since all nodes before are done. Returns whether there was
 * one, so that selection is repeated. Labels place every node, regions adjacent where possible. */
static int gspi_select_is_cyclic(gspi_select *w)
{
    uint32_t const n = w->s.g->n_nodes;
    gsp_node x;
    int cyclic = 0;
    w->n_labels = 0u;
    gspi_zero_words(w->kahn.missing, n);
    gspi_zero_words(w->edges, n);
    gspi_set(w->label, 0xFF, n, sizeof(uint64_t));
    for (gsp_node v = 0u; v < n; v++) {
        w->unit[v] = gspi_select_part(w, v, 0u);
    }
    for (gsp_node v = 0u; v < n; v++) {
        for (uint32_t k = 0u; (x = gspi_later(w->s.g, w->d, v, k)) != GSP_NONE; k++) {
            w->edges[x] += w->unit[x] != w->unit[v] ? 1u : 0u;
            w->kahn.missing[w->unit[x]] += w->unit[x] != w->unit[v] ? 1u : 0u;
        }
    }
    for (gsp_node v = 0u; v < n; v++) {
        if (w->unit[v] == v && w->kahn.missing[v] == 0u) {
            gspi_kahn_push(&w->kahn, v);
        }
    }
    for (gsp_node left = 0u; w->n_labels < n;) {
        gsp_node const u = gspi_kahn_next(&w->kahn);
        if (u != GSP_NONE) {
            gspi_select_label(w, u);
        } else if (w->label[left] != UINT64_MAX) {
            left++;
        } else {
            cyclic = 1;
            gspi_select_take_apart(w, w->unit[left]);
        }
    }
    gspi_zero_words(w->seen, n);
    return cyclic;
}

/* Replaces getitems of elements of the output v outside of the current region. */
static void gspi_select_elements(gspi_select *w, gsp_node v, uint32_t elements)
{
    gsp_dedup_selection *a = &w->result;
    gspi_row const users = gspi_users(w->s.g, v);
    for (uint32_t i = 0u; i < users.n; i++) {
        gsp_node const u = users.at[i];
        uint32_t const element = gsp_node_element_of(w->s.g, u, elements);
        if (element != GSP_NONE && gspi_attr(w->s.g, u, GSP_KEY_ALIAS) == GSP_NONE) {
            w->item_set[a->item_of[v] + element] = w->d->alias_begin[u];
        }
        if (w->in[u].region == w->n_regions) {
            continue;
        }
        if (element != GSP_NONE) {
            a->subgraph_of[u] = a->n_subgraphs;
            a->item_of[u] = a->item_of[v] + element;
        } else {
            a->n_outputs = gspi_count_add(a->n_outputs, gspi_count_add(elements, 2u));
        }
    }
}

static gsp_status gspi_select_check_outputs(const gspi_select *w, gsp_error *err)
{
    return w->result.n_outputs <= w->max_outputs
               ? GSP_OK
               : gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_OUTPUTS, w->result.n_outputs,
                                  w->max_outputs);
}

static gsp_status gspi_select_items(gspi_select *w, uint32_t region, gsp_error *err)
{
    gsp_dedup_selection *a = &w->result;
    gspi_select_enter(w, region);
    for (uint32_t p = 0u; p < w->region.rows; p++) {
        a->subgraph_of[gspi_select_member(w, p)] = a->n_subgraphs;
    }
    for (uint32_t i = 0u; i < w->n_outs; i++) {
        gsp_node const v = gspi_select_member(w, w->outs[i]);
        uint32_t const elements = gspi_value_count(&w->s, v);
        int const whole = gspi_value_container(&w->s, v) == GSP_ARG_NONE;
        a->n_outputs = whole ? a->n_outputs : gspi_count_add(a->n_outputs, elements);
        GSPI_TRY(gspi_select_check_outputs(w, err));
        a->item_of[v] = a->n_items;
        for (uint32_t e = 0u; e < elements; e++) {
            gspi_set(&w->match[w->s.g->n_nodes + a->n_items], 0, 1u, sizeof(gspi_match));
            a->item_node[a->n_items] = v;
            w->item_set[a->n_items++] = GSP_NONE;
        }
        if (!whole) {
            gspi_select_elements(w, v, elements);
        }
    }
    return GSP_OK;
}

static gsp_status gspi_select_commit(gspi_select *w, gsp_error *err)
{
    gsp_dedup_selection *a = &w->result;
    uint32_t const calls = a->n_calls;
    for (uint32_t i = 0u; i < w->n_taken; i++) {
        GSPI_TRY(gspi_select_items(w, a->region_of[calls + i], err));
        a->item_begin[calls + i + 1u] = a->n_items;
    }
    GSPI_TRY(gspi_select_check_outputs(w, err));
    a->group_of[a->n_subgraphs] = w->group;
    a->n_calls += w->n_taken;
    a->out_begin[a->n_subgraphs + 1u] = a->out_begin[a->n_subgraphs] + w->n_outs;
    a->call_begin[++a->n_subgraphs] = a->n_calls;
    return GSP_OK;
}

/* Makes the current region the next call of the group; others are compared with the first. */
static void gspi_select_take(gspi_select *w, uint32_t region)
{
    uint32_t const call = w->result.n_calls + w->n_taken++;
    for (uint32_t p = 0u; p < w->region.rows; p++) {
        gsp_node const v = gspi_select_member(w, p);
        w->result.call_of[v] = call;
        w->row_first[v] = p;
    }
    w->first = w->first == GSP_NONE ? region : w->first;
    w->result.region_of[call] = region;
}

/* 1 when a region is only the call of a graph and getitems of its results. */
static int gspi_select_is_call(const gspi_select *w)
{
    const gsp_graph *g = w->s.g;
    gsp_node call = GSP_NONE;
    for (uint32_t p = 0u; p < w->region.rows && g->module->counts.graphs > 1u; p++) {
        gsp_node const v = gspi_select_member(w, p);
        gspi_arg_row const args = gspi_args(g, v);
        gsp_node const from =
            args.n > 0u && args.at[0].kind == (uint32_t)GSP_ARG_NODE ? args.at[0].value : GSP_NONE;
        if (call == GSP_NONE && (gspi_child_of(g, v) != GSP_NONE ||
                                 (from != GSP_NONE && gspi_child_of(g, from) != GSP_NONE))) {
            call = v;
        } else if (call == GSP_NONE || from != call ||
                   gspi_target_id(g, v) != (gsp_atom)GSP_KEY_GETITEM) {
            return 0;
        }
    }
    return call != GSP_NONE;
}

static gsp_status gspi_select_group(gspi_select *w, uint32_t group, gsp_error *err)
{
    w->group = group;
    w->region = gspi_region_of(w->r, group, 0u);
    w->table = w->region.first;
    w->first = GSP_NONE;
    w->n_taken = 0u;
    w->has_inputs = 0;
    if (gspi_select_is_call(w)) {
        return GSP_OK;
    }
    gspi_select_find_outs(w);
    for (uint32_t i = 0u; i < w->region.step && (w->n_taken != 1u || w->has_inputs); i++) {
        if (gspi_select_may(w, i) && (w->n_taken == 0u || gspi_select_same_wiring(w, i)) &&
            (!w->careful || gspi_select_contract(w))) {
            gspi_select_take(w, i);
        }
    }
    int const stays = w->n_taken < 2u || !w->has_inputs;
    if (stays && w->careful && w->n_taken == 1u) {
        w->label[w->table[w->first]] = w->undo;
    }
    for (uint32_t i = 0u; i < w->region.rows * w->region.step && stays; i++) {
        uint32_t *call = &w->result.call_of[w->table[i]];
        *call = *call < w->result.n_calls ? *call : GSP_NONE;
    }
    if (w->result.work > w->max_work) {
        return gspi_fail_amount(err, GSP_STATUS_LIMIT, GSP_DETAIL_WORK, w->result.work,
                                w->max_work);
    }
    return stays ? GSP_OK : gspi_select_commit(w, err);
}

static gsp_status gspi_select_all(gspi_select *w, int careful, gsp_error *err)
{
    gsp_dedup_selection *a = &w->result;
    w->careful = careful;
    a->n_subgraphs = a->n_calls = a->n_items = a->n_outputs = 0u;
    a->call_begin[0] = a->out_begin[0] = a->item_begin[0] = 0u;
    gspi_none_words(a->subgraph_of, a->n_nodes);
    gspi_none_words(a->call_of, a->n_nodes);
    gspi_none_words(a->item_of, a->n_nodes);
    gspi_zero_words(w->top, a->n_nodes);
    for (uint32_t i = 0u; i < w->r->n_groups; i++) {
        GSPI_TRY(gspi_select_group(w, i, err));
    }
    return GSP_OK;
}

static gsp_status gspi_select_run(gsp_arena *arena, const gsp_graph *g, const gsp_regions *regions,
                                  const gsp_dedup_select_desc *d, gsp_dedup_selection *result,
                                  gsp_error *err)
{
    uint32_t const n = g->n_nodes;
    uint32_t const limit = gspi_max_outputs(n, d->max_outputs);
    gspi_pass pass;
    GSPI_TRY(gspi_enter(&pass, arena, 0u, err));
    gspi_select *w = GSPI_HIGH(&pass.bump, gspi_select, 1u);
    gspi_set(w, 0, 1u, sizeof(*w));
    gspi_select_layout(&pass.bump, w, n, limit);
    w->s.g = g;
    w->s.a = &w->result;
    w->r = regions;
    w->d = &regions->dependences;
    w->max_outputs = limit;
    w->max_work = d->max_work == 0u ? UINT32_MAX : d->max_work;
    w->result.n_nodes = n;
    gspi_set(w->in, 0, n, sizeof(gspi_select_node));
    gspi_set(w->match, 0, n, sizeof(gspi_match));
    gspi_zero_words(w->mark_set, w->d->n_alias_sets);
    gspi_zero_words(w->seen, n);
    gsp_status status = gspi_select_all(w, 0, err);
    if (status == GSP_OK && w->result.n_calls > 0u && gspi_select_is_cyclic(w)) {
        status = gspi_select_all(w, 1, err);
    }
    if (status == GSP_OK) {
        *result = w->result;
    }
    return gspi_leave(&pass, status, err);
}

GSP_API gsp_status gsp_dedup_select_run(gsp_arena *arena, const gsp_graph *graph,
                                        const gsp_regions *regions,
                                        const gsp_dedup_select_desc *desc,
                                        gsp_dedup_selection *result, gsp_error *err)
{
    gsp_dedup_select_desc d;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && regions != NULL && result != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_CHECK(regions->dependences.n_nodes == graph->n_nodes, ARG, RANGE);
    GSPI_TRY(gspi_room(arena, gsp_dedup_select_bound(graph, &d), err));
    return gspi_select_run(arena, graph, regions, &d, result, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>dedup   Replacement of regions by calls of one subgraph                        (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Elements of the new root: values (nodes, then items; see gspi_values), calls, get_attr nodes. All
 * get names in order of creation, then needs, then places; root and bodies come last. */

typedef struct gspi_dedup {
    gspi_values s;
    gsp_dedup_result *result;
    const gsp_regions *r;
    const gsp_dedup_selection *a;
    gsp_builder *b;
    gsp_atom *name;      /* [elements] */
    gsp_atom *sub_name;  /* [n / 4] */
    uint32_t first_call; /* first element that is a call */
    uint32_t first_sub;  /* first element that holds a subgraph */
    uint32_t n_met;
    int fill;             /* 1: lists needs; 0: counts them */
    gsp_node *call;       /* [n / 2] of the result */
    uint32_t *map_begin;  /* [n + 1] */
    gsp_node *map;        /* [values] */
    uint32_t *mark;       /* [elements] last visitor */
    uint32_t *mark_first; /* [elements] the same, for inputs of the first region */
    gsp_node *local;      /* [values] node in the current body */
    gsp_node *barrier;    /* the same bytes, earlier: next barrier behind every node */
    uint32_t *in;         /* [n] subgraph + 1 whose body holds this node */
    uint32_t *type_at;    /* [items] of an element: its TYPE in that of its aggregate */
    gsp_bitset used;      /* names of graphs, attributes, called modules */
    gspi_order o;         /* all elements but the output */
} gspi_dedup;

/* Inputs of the call of a region, each once, in order of first use in the first region. */
typedef struct gspi_dedup_inputs {
    gspi_walk k;
    uint32_t value; /* value that the call finally reads */
    uint32_t subgraph;
    gspi_region first;
    gspi_region region;
    uint32_t row;
    uint32_t stamp;
} gspi_dedup_inputs;

static void gspi_dedup_layout(gspi_bump *b, gspi_dedup *w, const gsp_counts *c,
                              uint32_t max_outputs)
{
    size_t const n = c->nodes;
    size_t const items = gspi_add(n, max_outputs);
    size_t const values = gspi_add(n, items);
    size_t const elements = gspi_add(values, n / 2u + n / 4u); /* calls, holders of subgraphs */
    w->call = GSPI_LOW(b, gsp_node, n / 2u);
    w->map_begin = GSPI_LOW(b, uint32_t, n + 1u);
    w->map = GSPI_LOW(b, gsp_node, values);
    w->b = GSPI_HIGH(b, gsp_builder, 1u);
    w->name = GSPI_HIGH(b, gsp_atom, elements);
    w->sub_name = GSPI_HIGH(b, gsp_atom, n / 4u);
    w->mark_first = GSPI_HIGH(b, uint32_t, elements);
    w->local = GSPI_HIGH(b, gsp_node, values);
    w->barrier = w->local;
    w->in = GSPI_HIGH(b, uint32_t, n);
    w->type_at = GSPI_HIGH(b, uint32_t, items);
    w->used.words = GSPI_HIGH(b, uint32_t, gsp_bitset_words(c->strings));
    w->o.list = GSPI_HIGH(b, uint32_t, elements);
    w->o.place = GSPI_HIGH(b, uint32_t, elements);
}

/* Arrays of the order. Needs: arguments, elements, items, holders; dependences; two barriers. */
static void gspi_dedup_order_layout(gspi_bump *b, gspi_dedup *w, const gsp_counts *c,
                                    uint32_t max_dependences, uint32_t max_outputs)
{
    size_t const n = c->nodes;
    size_t const elements = gspi_add(gspi_mul_add(n, 2u, max_outputs), n / 2u + n / 4u);
    size_t const needs = gspi_add(gspi_add(c->edges, max_dependences), gspi_mul_add(n, 4u, 0u));
    w->mark = GSPI_HIGH(b, uint32_t, elements);
    w->o.made = GSPI_HIGH(b, uint32_t, elements);
    w->o.wait = GSPI_HIGH(b, gspi_wait, elements);
    w->o.need = GSPI_HIGH(b, uint32_t, gspi_add(needs, gspi_mul_add(max_outputs, 2u, 0u)));
}

/* n * quarters / 4 + x * halves / 2 + 2 + more */
GSPI_OWN_FRAME uint32_t gspi_dedup_terms(uint32_t n, uint32_t quarters, uint32_t x, uint32_t halves,
                                         uint64_t more)
{
    more += (uint64_t)n * quarters / 4u + (uint64_t)x * halves / 2u + 2u;
    return more > UINT32_MAX ? UINT32_MAX : (uint32_t)more;
}

/* Counts of the result. Nodes stay or are members of regions of at least two nodes, and a subgraph
 * has at least two regions: at most n / 2 calls and n / 4 subgraphs, whose bodies have n / 2 nodes
 * and read half of the edges from outside. x elements of aggregates are items of calls or
 * arguments, with half as many getitems in bodies. The number in a name is at most the number of
 * strings. */
GSPI_OWN_FRAME gsp_counts gspi_dedup_counts(const gsp_counts *c, uint32_t x)
{
    char digits[20];
    uint32_t const n = c->nodes;
    uint32_t const half = c->edges / 2u;
    uint32_t const inputs = half / 2u < n ? half : 2u * n;
    int const annotated = c->attrs > 1u;
    gsp_counts r;
    r.graphs = gspi_count_add(c->graphs, n / 4u);
    /* root: n, calls, holders; bodies: members, inputs, returns */
    r.nodes = gspi_dedup_terms(n, 10u, x, 3u, half);
    /* two per item and call, returns; half of outside reads, and all of the calls */
    r.args = gspi_dedup_terms(n, 16u, x, 7u, (uint64_t)c->args + half);
    r.edges = gspi_dedup_terms(n, 8u, x, 4u, (uint64_t)c->edges + half);
    /* `bytes=` of items and inputs takes two entries; all other annotations are shared */
    r.attrs = gspi_dedup_terms(n, annotated ? 8u : 0u, half, annotated ? 4u : 0u, c->attrs);
    /* items, calls, subgraphs, holders, members named like an input, indices; inputs */
    r.strings = gspi_dedup_terms(n, 12u, x, 6u, (uint64_t)c->strings + inputs + 64u);
    uint32_t const w = gspi_decimal(r.strings, digits);
    /* the input's bytes; again in "subgraph_input_", before "_N", and as TYPEs of elements */
    r.bytes = gspi_dedup_terms(inputs, 60u, x, 15u, (uint64_t)c->bytes * 4u + 256u);
    /* "getitem_N" of items and in names of inputs, "_N" of half of the members; "invoke_subgraph_N"
     * and index per two; "subgraph_N" and "subgraph_N_N" */
    r.bytes = gspi_dedup_terms(n, 4u * (22u + 2u * w) + 2u * (16u + 2u * w) + 19u + 3u * w, x,
                               40u + 6u * w, r.bytes);
    return r;
}

GSP_API size_t gsp_dedup_bound(const gsp_graph *graph, const gsp_dedup_desc *desc)
{
    gsp_counts const c = graph->module->counts;
    uint32_t const deps = gspi_max_dependences(&c, desc == NULL ? 0u : desc->max_dependences);
    uint32_t const outputs = gspi_max_outputs(c.nodes, desc == NULL ? 0u : desc->max_outputs);
    gspi_bump b = gspi_bump_over(NULL);
    union {
        gsp_regions regions;
        gsp_dedup_selection selection;
        gspi_dedup w;
    } u;
    (void)GSPI_HIGH(&b, gspi_dedup, 1u);
    (void)GSPI_HIGH(&b, gsp_dedup_result, 1u);
    size_t most = gspi_add(b.used, gspi_regions_bound(&c, deps));
    gspi_regions_keep(&b, &u.regions, c.nodes, deps);
    most = gspi_max(most, gspi_add(b.used, gspi_select_bound(c.nodes, outputs)));
    gspi_select_keep(&b, &u.selection, c.nodes, outputs);
    gspi_dedup_layout(&b, &u.w, &c, outputs);
    gsp_counts const made = gspi_dedup_counts(&c, outputs);
    size_t const build = gspi_add(b.used, gsp_build_bound(&made));
    gspi_dedup_order_layout(&b, &u.w, &c, deps, outputs);
    return gspi_max(most, gspi_add(gspi_max(build, b.used), GSPI_SLACK));
}

/* "subgraph_N" with the least free N from *number on. */
static gsp_atom gspi_dedup_sub_name(const gspi_dedup *w, uint32_t *number)
{
    gsp_atom s;
    do {
        s = gspi_build_numbered(w->b, gsp_str_of("subgraph"), (*number)++);
    } while (gsp_bitset_has(&w->used, s));
    return s;
}

static gsp_atom gspi_dedup_new_name(const gspi_dedup *w, gsp_str wanted)
{
    gsp_atom const s = gsp_build_name(w->b, wanted);
    gsp_build_reserve(w->b, s);
    return s;
}

/* Names of the root; those of the input stay taken, even of replaced nodes. */
GSPI_OWN_FRAME void gspi_dedup_names(gspi_dedup *w)
{
    const gsp_dedup_selection *a = w->a;
    const gsp_module *m = w->s.g->module;
    uint32_t number = 0u;
    gsp_bitset_init(&w->used, w->used.words, m->counts.strings);
    for (uint32_t i = 0u; i < m->counts.graphs; i++) {
        gsp_bitset_set(&w->used, m->graphs[i].name);
    }
    for (uint32_t i = 0u; i < m->n_params; i++) {
        gsp_bitset_set(&w->used, m->params[i].target);
    }
    for (uint32_t i = 0u; i < m->n_leaves; i++) {
        gsp_bitset_set(&w->used, m->leaves[i].target);
    }
    for (gsp_node v = 0u; v + 1u < a->n_nodes; v++) {
        w->name[v] = gspi_name_id(w->s.g, v);
        gsp_build_reserve(w->b, w->name[v]);
    }
    for (uint32_t s = 0u; s < a->n_subgraphs; s++) {
        w->sub_name[s] = gspi_dedup_sub_name(w, &number);
        w->name[w->first_sub + s] = gspi_dedup_new_name(w, gspi_build_text(w->b, w->sub_name[s]));
        for (uint32_t c = a->call_begin[s]; c < a->call_begin[s + 1u]; c++) {
            w->name[w->first_call + c] = gspi_dedup_new_name(w, gsp_str_of("invoke_subgraph"));
            for (uint32_t i = a->item_begin[c]; i < a->item_begin[c + 1u]; i++) {
                w->name[a->n_nodes + i] = gspi_dedup_new_name(w, gsp_str_of("getitem"));
            }
        }
    }
}

static gspi_region gspi_dedup_region(const gspi_dedup *w, uint32_t subgraph, uint32_t call)
{
    return gspi_region_of(w->r, w->a->group_of[subgraph], w->a->region_of[call]);
}

/* The region that gives the body of a subgraph. */
static gspi_region gspi_dedup_first(const gspi_dedup *w, uint32_t subgraph)
{
    return gspi_dedup_region(w, subgraph, w->a->call_begin[subgraph]);
}

static gspi_dedup_inputs gspi_dedup_inputs_of(gspi_dedup *w, uint32_t subgraph, uint32_t call)
{
    gspi_dedup_inputs q;
    q.value = GSP_NONE;
    q.k.args.n = q.k.next = q.k.more = 0u; /* an empty walk, before row 0 */
    q.subgraph = subgraph;
    q.first = gspi_dedup_first(w, subgraph);
    q.region = gspi_dedup_region(w, subgraph, call);
    q.row = UINT32_MAX;
    q.stamp = ++w->n_met;
    return q;
}

/* Sets k.value, the input of the first region at the time of the subgraph, and `value`. */
static int gspi_dedup_next_input(const gspi_dedup *w, gspi_dedup_inputs *q)
{
    for (;;) {
        while (gspi_walk_next(&w->s, &q->k)) {
            uint32_t const x = q->k.value;
            if ((x < w->a->n_nodes && w->in[x] == q->subgraph + 1u) ||
                w->mark_first[x] == q->stamp) {
                continue;
            }
            w->mark_first[x] = q->stamp;
            gsp_node const u = gspi_region_node(&q->region, q->row);
            q->value = gspi_value_of(&w->s, gspi_args(w->s.g, u).at[q->k.token].value, GSP_NONE) +
                       q->k.index; /* of an aggregate of the same TYPE */
            return 1;
        }
        if (++q->row == q->first.rows) {
            return 0;
        }
        q->k = gspi_walk_over(&w->s, gspi_region_node(&q->first, q->row), q->subgraph);
    }
}

/* Counts or lists one more need of element x. */
static void gspi_dedup_need(const gspi_dedup *w, uint32_t x, uint32_t on)
{
    uint32_t *end = &w->o.wait[x].end;
    if (w->fill) {
        w->o.need[*end] = on;
    }
    ++*end;
}

static void gspi_dedup_need_once(const gspi_dedup *w, uint32_t x, uint32_t on, uint32_t stamp)
{
    if (w->mark[on] != stamp) {
        w->mark[on] = stamp;
        gspi_dedup_need(w, x, on);
    }
}

static void gspi_dedup_args(gspi_dedup *w, uint32_t x)
{
    uint32_t const stamp = ++w->n_met;
    if (x < w->a->n_nodes) {
        gspi_walk k = gspi_walk_over(&w->s, x, GSP_NONE);
        while (gspi_walk_next(&w->s, &k)) {
            gspi_dedup_need_once(w, x, k.value, stamp);
        }
    } else if (x < w->first_call) {
        gspi_dedup_need(w, x, w->first_call + w->a->call_of[w->a->item_node[x - w->a->n_nodes]]);
    } else if (x < w->first_sub) {
        uint32_t const call = x - w->first_call;
        uint32_t const s = gspi_call_subgraph(w->a, call);
        gspi_dedup_inputs q = gspi_dedup_inputs_of(w, s, call);
        gspi_dedup_need(w, x, w->first_sub + s);
        while (gspi_dedup_next_input(w, &q)) {
            gspi_dedup_need_once(w, x, q.value, stamp);
        }
    }
}

/* Node v follows element x, and x ascends: if x is a need of v already, it is the last. */
static void gspi_dedup_depend(const gspi_dedup *w, gsp_node v, uint32_t x)
{
    uint32_t const y = w->a->call_of[v] != GSP_NONE ? w->first_call + w->a->call_of[v] : v;
    int const replaced = y == v && w->a->subgraph_of[v] != GSP_NONE; /* a getitem */
    if (!replaced && y != x && w->mark[y] != w->n_met) {
        w->mark[y] = w->n_met;
        gspi_dedup_need(w, y, x);
    }
}

/* Dependents of node u, which is element x or is replaced with it. */
static void gspi_dedup_dependents(const gspi_dedup *w, gsp_node u, uint32_t x)
{
    const gsp_dependences *d = &w->r->dependences;
    gsp_node const barrier = w->barrier[u];
    for (uint32_t i = d->dependent_begin[u]; i < d->dependent_begin[u + 1u]; i++) {
        gspi_dedup_depend(w, d->dependents[i], x);
    }
    /* nodes up to the next barrier depend on a barrier */
    gsp_node v = d->segment[u] % 2u != 0u ? u + 1u : barrier;
    for (; v < w->a->n_nodes - 1u && (barrier == GSP_NONE || v <= barrier); v++) {
        if (!gspi_reads(w->s.g, v, u)) {
            gspi_dedup_depend(w, v, x);
        }
    }
}

/* All dependences in list order. Replaced getitems have none, but nodes may depend on them. */
static void gspi_dedup_dependences(gspi_dedup *w)
{
    const gsp_dedup_selection *a = w->a;
    for (uint32_t i = 0u; i < w->o.n_list; i++) {
        uint32_t const x = w->o.list[i];
        w->n_met++;
        if (x < a->n_nodes) {
            gspi_dedup_dependents(w, x, x);
        }
        if (x < w->first_call || x >= w->first_sub) {
            continue;
        }
        uint32_t const s = gspi_call_subgraph(a, x - w->first_call);
        gspi_region const r = gspi_dedup_region(w, s, x - w->first_call);
        for (uint32_t p = 0u; p < r.rows; p++) {
            gsp_node const v = gspi_region_node(&r, p);
            gspi_row const users = gspi_users(w->s.g, v);
            gspi_dedup_dependents(w, v, x);
            for (uint32_t k = 0u; k < users.n && a->item_of[v] != GSP_NONE; k++) {
                gsp_node const u = users.at[k];
                if (a->call_of[u] == GSP_NONE && a->subgraph_of[u] == a->subgraph_of[v]) {
                    gspi_dedup_dependents(w, u, x);
                }
            }
        }
    }
}

/* A call that reads a node on which one of its nodes depends needs it once, as an argument. */
static void gspi_dedup_once(gspi_dedup *w, uint32_t x, uint32_t n_args)
{
    gspi_wait *wait = &w->o.wait[x];
    uint32_t *need = w->o.need;
    uint32_t to = wait->begin;
    w->n_met++;
    for (uint32_t i = wait->begin; i < wait->end; i++) {
        if (i < wait->begin + n_args || w->mark[need[i]] != w->n_met) {
            w->mark[need[i]] = w->n_met;
            need[to++] = need[i];
        }
    }
    wait->end = to;
}

static void gspi_dedup_list(gspi_dedup *w)
{
    const gsp_dedup_selection *a = w->a;
    uint32_t n = 0u;
    for (uint32_t i = a->n_subgraphs; i > 0u; i--) {
        w->o.list[n++] = w->first_sub + i - 1u;
    }
    for (uint32_t i = 0u; i + 1u < a->n_nodes; i++) {
        if (a->subgraph_of[i] == GSP_NONE) {
            w->o.list[n++] = i;
        }
    }
    for (uint32_t c = 0u; c < a->n_calls; c++) {
        w->o.list[n++] = w->first_call + c;
        for (uint32_t i = a->item_begin[c]; i < a->item_begin[c + 1u]; i++) {
            w->o.list[n++] = a->n_nodes + i;
        }
    }
    w->o.n_list = n;
}

/* Counts or lists the needs of all elements: arguments, then dependences. */
static void gspi_dedup_needs(gspi_dedup *w, int fill)
{
    uint32_t *n_args = w->o.place; /* not yet in use */
    w->fill = fill;
    for (uint32_t i = 0u; i < w->o.n_list; i++) {
        uint32_t const x = w->o.list[i];
        uint32_t const begin = w->o.wait[x].end;
        gspi_dedup_args(w, x);
        n_args[x] = w->o.wait[x].end - begin;
    }
    gspi_dedup_dependences(w);
    for (uint32_t x = w->first_call; x < w->first_sub && fill; x++) {
        gspi_dedup_once(w, x, n_args[x]);
    }
}

/* The order of the root; 0: rows and arguments of the module disagree. */
GSPI_OWN_FRAME int gspi_dedup_sort(gspi_dedup *w)
{
    const gsp_dedup_selection *a = w->a;
    gsp_node next = GSP_NONE;
    uint32_t sum = 0u;
    w->o.n = w->first_sub + a->n_subgraphs;
    w->n_met = 0u;
    gspi_zero_words(w->mark, w->o.n);
    gspi_zero_words(w->mark_first, w->o.n);
    gspi_set(w->o.wait, 0, w->o.n, sizeof(gspi_wait));
    gspi_zero_words(w->in, a->n_nodes);
    for (uint32_t s = 0u; s < a->n_subgraphs; s++) {
        gspi_region const r = gspi_dedup_first(w, s);
        for (uint32_t p = 0u; p < r.rows; p++) {
            w->in[gspi_region_node(&r, p)] = s + 1u;
        }
    }
    for (gsp_node v = a->n_nodes; v > 0u; v--) {
        w->barrier[v - 1u] = next;
        next = w->r->dependences.segment[v - 1u] % 2u != 0u ? v - 1u : next;
    }
    gspi_dedup_list(w);
    gspi_dedup_needs(w, 0);
    for (uint32_t i = 0u; i < w->o.n; i++) {
        gspi_wait *wait = &w->o.wait[i];
        uint32_t const count = wait->end;
        wait->begin = wait->end = sum;
        wait->first = GSP_NONE;
        sum += count;
    }
    gspi_dedup_needs(w, 1);
    return gspi_order_run(&w->o);
}

/* Copies the arguments of node v as of `time`, values by `map`. */
static void gspi_dedup_put_args(const gspi_dedup *w, gsp_node v, uint32_t time, const gsp_node *map)
{
    gspi_arg_row const args = gspi_args(w->s.g, v);
    for (uint32_t i = 0u; i < args.n; i++) {
        gsp_node const u = args.at[i].value;
        if (args.at[i].kind != (uint32_t)GSP_ARG_NODE) {
            gsp_build_arg(w->b, args.at[i]);
            continue;
        }
        uint32_t const value = gspi_value_of(&w->s, u, time);
        int const replaced = w->a->subgraph_of[u] < time && w->a->call_of[u] != GSP_NONE;
        gsp_arg_kind const kind = replaced ? gspi_value_container(&w->s, u) : GSP_ARG_NONE;
        if (kind == GSP_ARG_NONE) {
            gspi_put_arg(w->b, GSP_ARG_NODE, map[value]);
            continue;
        }
        uint32_t const elements = gspi_value_count(&w->s, u);
        gspi_put_arg(w->b, kind, 0u);
        for (uint32_t e = 0u; e < elements; e++) {
            gspi_put_arg(w->b, GSP_ARG_NODE, map[value + e]);
        }
        gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    }
}

/* Position of the TYPE of each element item in that of its aggregate. */
static void gspi_dedup_elements(const gspi_dedup *w)
{
    gsp_str element;
    uint32_t at = 0u;
    for (uint32_t i = 0u; i < w->a->n_items; i++) {
        gsp_node const v = w->a->item_node[i];
        at = w->a->item_of[v] == i ? 0u : at;
        w->type_at[i] = at;
        if (gspi_value_container(&w->s, v) != GSP_ARG_NONE) {
            (void)gsp_type_next_element(gspi_type_str(w->s.g, v), &at, &element);
        }
    }
}

/* Annotation of a value: that of its node, or the TYPE of an element. */
static void gspi_dedup_type(const gspi_dedup *w, uint32_t value)
{
    uint32_t const item = value - w->a->n_nodes;
    gsp_node const v = value < w->a->n_nodes ? value : w->a->item_node[item];
    gsp_str element;
    if (v == value || gspi_value_container(&w->s, v) == GSP_ARG_NONE) {
        gsp_build_like(w->b, w->s.g, v, 0);
        return;
    }
    uint32_t at = w->type_at[item];
    if (gsp_type_next_element(gspi_type_str(w->s.g, v), &at, &element)) {
        gsp_build_type(w->b, element);
    }
}

static void gspi_dedup_put(gspi_dedup *w, uint32_t x, gsp_atom invoke)
{
    const gsp_graph *g = w->s.g;
    const gsp_dedup_selection *a = w->a;
    if (x < a->n_nodes) {
        (void)gspi_copy_node(w->b, g, gspi_op(g, x), x, gspi_target_id(g, x));
        gspi_dedup_put_args(w, x, GSP_NONE, w->o.place);
    } else if (x < w->first_call) {
        uint32_t const c = a->call_of[a->item_node[x - a->n_nodes]];
        (void)gspi_put_getitem_as(w->b, w->name[x], w->o.place[w->first_call + c],
                                  x - a->n_nodes - a->item_begin[c]);
        gspi_dedup_type(w, x);
    } else if (x < w->first_sub) {
        uint32_t const c = x - w->first_call;
        uint32_t const s = gspi_call_subgraph(a, c);
        gspi_dedup_inputs q = gspi_dedup_inputs_of(w, s, c);
        w->call[c] = gsp_build_node_atoms(w->b, GSP_OP_CALL_FUNCTION, w->name[x], invoke);
        gspi_put_arg(w->b, GSP_ARG_NODE, w->o.place[w->first_sub + s]);
        gspi_put_arg(w->b, GSP_ARG_CONSTANT, w->sub_name[s]);
        while (gspi_dedup_next_input(w, &q)) {
            gspi_put_arg(w->b, GSP_ARG_NODE, w->o.place[q.value]);
        }
    } else {
        (void)gsp_build_node_atoms(w->b, GSP_OP_GET_ATTR, w->name[x],
                                   w->sub_name[x - w->first_sub]);
    }
}

/* The root. Places in the order are node ids. */
GSPI_OWN_FRAME void gspi_dedup_root(gspi_dedup *w)
{
    gsp_atom const invoke =
        gsp_build_atom(w->b, gsp_str_of("torch.ops.higher_order.invoke_subgraph"));
    for (uint32_t i = 0u; i < w->o.n_list; i++) {
        gspi_dedup_put(w, w->o.list[i], invoke);
    }
    (void)gsp_build_output(w->b);
    gsp_build_like(w->b, w->s.g, w->a->n_nodes - 1u, 1);
    gspi_dedup_put_args(w, w->a->n_nodes - 1u, GSP_NONE, w->o.place);
}

static void gspi_dedup_put_inputs(gspi_dedup *w, uint32_t s)
{
    gspi_dedup_inputs q = gspi_dedup_inputs_of(w, s, w->a->call_begin[s]);
    while (gspi_dedup_next_input(w, &q)) {
        gsp_atom const name = gspi_build_joined(w->b, gsp_str_of("subgraph_input_"),
                                                gspi_build_text(w->b, w->name[q.k.value]));
        w->local[q.k.value] = gsp_build_node_atoms(w->b, GSP_OP_PLACEHOLDER, name, name);
        gspi_dedup_type(w, q.k.value);
    }
}

/* Returned values, aggregates as elements: their getitems from node `next`, or the arguments. */
static void gspi_dedup_put_outputs(const gspi_dedup *w, uint32_t s, gsp_node next, int getitems)
{
    gspi_region const r = gspi_dedup_first(w, s);
    for (uint32_t i = w->a->out_begin[s]; i < w->a->out_begin[s + 1u]; i++) {
        gsp_node const v = gspi_region_node(&r, w->a->outs[i]);
        int const whole = gspi_value_container(&w->s, v) == GSP_ARG_NONE;
        uint32_t const elements = gspi_value_count(&w->s, v);
        for (uint32_t e = 0u; e < elements; e++) {
            if (!getitems) {
                gspi_put_arg(w->b, GSP_ARG_NODE, whole ? w->local[v] : next++);
            } else if (!whole) {
                (void)gspi_put_getitem(w->b, w->local[v], e);
                gspi_dedup_type(w, w->a->n_nodes + w->a->item_of[v] + e);
            }
        }
    }
}

GSPI_OWN_FRAME void gspi_dedup_body(gspi_dedup *w, uint32_t s)
{
    const gsp_graph *g = w->s.g;
    gspi_region const r = gspi_dedup_first(w, s);
    gsp_node next = 0u;
    gsp_build_graph(w->b, gspi_build_text(w->b, w->sub_name[s]));
    gspi_dedup_put_inputs(w, s);
    for (uint32_t p = 0u; p < r.rows; p++) {
        gsp_node const v = gspi_region_node(&r, p);
        gsp_atom const name = gsp_build_name(w->b, gspi_name_str(g, v));
        w->local[v] = gsp_build_node_atoms(w->b, gspi_op(g, v), name, gspi_target_id(g, v));
        gsp_build_like(w->b, g, v, 1);
        gspi_dedup_put_args(w, v, s, w->local);
        next = w->local[v] + 1u;
    }
    gspi_dedup_put_outputs(w, s, next, 1);
    (void)gsp_build_output(w->b);
    gspi_put_arg(w->b, GSP_ARG_TUPLE, 0u);
    gspi_dedup_put_outputs(w, s, next, 0);
    gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
}

GSPI_OWN_FRAME gsp_status gspi_dedup_write(gspi_dedup *w, gsp_error *err)
{
    const gsp_module *m = w->s.g->module;
    gsp_build_adopt(w->b, m);
    gsp_build_graph(w->b, gspi_slice("", 0u, 0u));
    gspi_dedup_names(w);
    gspi_dedup_elements(w);
    gspi_dedup_root(w);
    for (uint32_t i = 0u; i < w->a->n_subgraphs; i++) {
        gspi_dedup_body(w, i);
    }
    for (uint32_t i = 1u; i < m->counts.graphs; i++) {
        if (i != w->s.g->id) {
            gsp_graph const child = gspi_graph(m, i);
            gspi_copy_graph(w->b, &child);
        }
    }
    GSPI_CHECK(gsp_build_finish(w->b, &w->result->module, NULL) == GSP_OK, DAMAGED, ROWS);
    return GSP_OK;
}

GSPI_OWN_FRAME const gsp_dedup_result *gspi_dedup_map(const gspi_dedup *w)
{
    uint32_t const n = w->a->n_nodes;
    uint32_t sum = 0u;
    for (gsp_node v = 0u; v < n; v++) {
        uint32_t const value = gspi_value_of(&w->s, v, GSP_NONE);
        uint32_t const count = value != v                         ? gspi_value_count(&w->s, v)
                               : w->a->subgraph_of[v] != GSP_NONE ? 0u
                                                                  : 1u;
        w->map_begin[v] = sum;
        for (uint32_t e = 0u; e < count; e++) {
            w->map[sum++] = v + 1u == n ? w->o.n_list : w->o.place[value + e];
        }
    }
    w->map_begin[n] = sum;
    w->result->call = w->call;
    w->result->map_begin = w->map_begin;
    w->result->map = w->map;
    return w->result;
}

GSPI_OWN_FRAME gsp_status gspi_dedup_find(gspi_dedup *w, gsp_dedup_result *r, gsp_arena *arena,
                                          const gsp_graph *g, const gsp_dedup_desc *d,
                                          gsp_error *err)
{
    gsp_regions_desc const regions = {0u, d->hash_bits, d->max_dependences, d->max_work, 0u};
    gsp_dedup_select_desc const select = {0u, d->max_outputs, d->max_work, 0u};
    w->result = r;
    w->r = &r->regions;
    w->a = &r->selection;
    w->s.g = g;
    w->s.a = w->a;
    GSPI_TRY(gspi_regions_run(arena, g, &regions, &r->regions, err));
    return gspi_select_run(arena, g, &r->regions, &select, &r->selection, err);
}

GSPI_OWN_FRAME gsp_status gspi_dedup_prepare(gspi_dedup *w, gspi_bump *b, const gsp_dedup_desc *d,
                                             gsp_error *err)
{
    gsp_counts c = w->s.g->module->counts;
    uint32_t const outputs = gspi_max_outputs(c.nodes, d->max_outputs);
    gspi_dedup_layout(b, w, &c, outputs);
    gsp_mark const mark = gsp_arena_mark(b->arena);
    gspi_dedup_order_layout(b, w, &c, gspi_max_dependences(&c, d->max_dependences), outputs);
    w->first_call = w->a->n_nodes + w->a->n_items;
    w->first_sub = w->first_call + w->a->n_calls;
    GSPI_CHECK(gspi_dedup_sort(w), DAMAGED, ROWS);
    gsp_arena_rewind(b->arena, mark);
    c = gspi_dedup_counts(&c, outputs);
    return gsp_build_init(w->b, b->arena, &c, err);
}

GSP_API gsp_status gsp_dedup_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_dedup_desc *desc, gsp_dedup_result *result,
                                 gsp_error *err)
{
    gsp_dedup_desc d;
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_CHECK(graph->n_nodes != 0u, ARG, RANGE);
    GSPI_TRY(gspi_deps_check(graph, err));
    GSPI_TRY(gspi_enter(&pass, arena, gsp_dedup_bound(graph, &d), err));
    gspi_dedup *w = GSPI_HIGH(&pass.bump, gspi_dedup, 1u);
    gsp_dedup_result *r = GSPI_HIGH(&pass.bump, gsp_dedup_result, 1u);
    gsp_status status = gspi_dedup_find(w, r, arena, graph, &d, err);
    status = status == GSP_OK ? gspi_dedup_prepare(w, &pass.bump, &d, err) : status;
    status = status == GSP_OK ? gspi_dedup_write(w, err) : status;
    if (status == GSP_OK) {
        *result = *gspi_dedup_map(w);
    }
    return gspi_leave(&pass, status, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>fingerprint   Fingerprints of graphs                                           (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Two lanes fed with numbers, never with bytes in memory order, so all machines agree. */

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

static void gspi_print_text(gsp_fingerprint *f, gsp_str t)
{
    uint64_t x = 0u;
    gspi_print_number(f, t.data == NULL ? UINT64_MAX : t.size);
    for (uint32_t i = 0u; i < t.size; i++) {
        x = (x << 8) | (unsigned char)t.data[i];
        if (i % 8u == 7u || i + 1u == t.size) {
            gspi_print_number(f, x);
            x = 0u;
        }
    }
}

typedef struct gspi_prints {
    gsp_fingerprints result;
    uint8_t *state; /* [graphs] 0: not visited, 1: on the path, 2: done */
    uint32_t *path; /* [graphs] calls from each graph to the next */
    gsp_node *at;   /* [graphs] next node of each */
} gspi_prints;

static void gspi_prints_layout(gspi_bump *b, gspi_prints *w, uint32_t n_graphs)
{
    w->result.n_graphs = n_graphs;
    w->result.prints = GSPI_LOW(b, gsp_fingerprint, n_graphs);
    w->state = GSPI_HIGH(b, uint8_t, n_graphs);
    w->path = GSPI_HIGH(b, uint32_t, n_graphs);
    w->at = GSPI_HIGH(b, gsp_node, n_graphs);
}

GSP_API size_t gsp_fingerprints_bound(const gsp_module *module)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_prints w;
    gspi_prints_layout(&b, &w, module->counts.graphs);
    return gspi_add(b.used, GSPI_SLACK);
}

/* A text, or the fingerprint of the called graph of this name. */
static void gspi_print_named(const gspi_prints *w, gsp_fingerprint *f, const gsp_module *m,
                             gsp_atom s)
{
    uint32_t const child = m->counts.graphs > 1u ? gsp_module_find_graph(m, s) : GSP_NONE;
    if (child != GSP_NONE && child != 0u && w->state[child] == 2u) {
        gspi_print_number(f, w->result.prints[child].words[0]);
        gspi_print_number(f, w->result.prints[child].words[1]);
    } else {
        gspi_print_text(f, gspi_string(m, s));
    }
}

/* Operation and target of a node, by text. */
static void gspi_print_target(const gspi_prints *w, gsp_fingerprint *f, const gsp_graph *g,
                              gsp_node v)
{
    gsp_op const op = gspi_op(g, v);
    gspi_print_number(f, (uint64_t)op);
    if (gspi_child_of(g, v) != GSP_NONE) {
        gspi_print_named(w, f, g->module, gspi_target_id(g, v));
    } else if (op == GSP_OP_CALL_FUNCTION || op == GSP_OP_CALL_METHOD) {
        gspi_print_text(f, gspi_target_str(g, v));
    } else if (op == GSP_OP_CALL_MODULE) {
        gspi_print_text(f, gsp_node_class(g, v));
        gspi_print_number(f, gsp_node_params(g, v));
    }
    gspi_print_text(f, gspi_type_str(g, v));
}

static void gspi_print_args(const gspi_prints *w, gsp_fingerprint *f, const gsp_graph *g,
                            gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    gspi_print_number(f, args.n);
    for (uint32_t i = 0u; i < args.n; i++) {
        gspi_print_number(f, args.at[i].kind);
        if (args.at[i].kind == (uint32_t)GSP_ARG_CONSTANT ||
            args.at[i].kind == (uint32_t)GSP_ARG_KEY) {
            gspi_print_named(w, f, g->module, args.at[i].value);
        } else {
            gspi_print_number(f, args.at[i].value);
        }
    }
}

/* A graph after all its callees. */
static gsp_fingerprint gspi_print_graph(const gspi_prints *w, const gsp_graph *g)
{
    static const uint8_t keys[] = {GSP_KEY_MUTATES, GSP_KEY_ALIAS, GSP_KEY_STATE, GSP_KEY_BARRIER,
                                   GSP_KEY_DEVICE};
    gsp_fingerprint f = {{0u, 1u}};
    gspi_print_number(&f, g->n_nodes);
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        gspi_print_target(w, &f, g, v);
        gspi_print_args(w, &f, g, v);
        for (uint32_t i = 0u; i < sizeof(keys); i++) {
            gspi_print_text(&f, gspi_attr_str(g, v, (gsp_key)keys[i]));
        }
    }
    return f;
}

/* The next callee without fingerprint, from node *at; *at moves behind its call. */
static uint32_t gspi_prints_next(const gspi_prints *w, const gsp_graph *g, gsp_node *at)
{
    while (*at < g->n_nodes) {
        uint32_t const child = gspi_child_of(g, (*at)++);
        if (child != GSP_NONE && child != 0u && w->state[child] != 2u) {
            return child;
        }
    }
    return GSP_NONE;
}

/* A graph and its callees, depth first. */
static gsp_status gspi_prints_from(const gspi_prints *w, const gsp_module *m, uint32_t graph,
                                   gsp_error *err)
{
    uint32_t depth = 0u;
    uint32_t child = w->state[graph] == 0u ? graph : GSP_NONE;
    while (child != GSP_NONE || depth > 0u) {
        GSPI_CHECK_ITEM(child == GSP_NONE || w->state[child] != 1u, CYCLE, RECURSION, GRAPH, child,
                        GSP_NONE);
        if (child != GSP_NONE) {
            w->state[child] = 1u;
            w->at[depth] = 0u;
            w->path[depth++] = child;
        }
        gsp_graph g = gspi_graph(m, w->path[depth - 1u]);
        child = gspi_prints_next(w, &g, &w->at[depth - 1u]);
        if (child == GSP_NONE) {
            w->result.prints[g.id] = gspi_print_graph(w, &g);
            w->state[g.id] = 2u;
            depth--;
        }
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_fingerprints_run(gsp_arena *arena, const gsp_module *module,
                                        gsp_fingerprints *result, gsp_error *err)
{
    gspi_pass pass;
    gspi_prints w;
    gsp_status status = GSP_OK;
    GSPI_CHECK_GIVEN(arena != NULL && module != NULL && result != NULL);
    GSPI_TRY(gspi_enter(&pass, arena, gsp_fingerprints_bound(module), err));
    gspi_prints_layout(&pass.bump, &w, module->counts.graphs);
    gspi_set(w.state, 0, module->counts.graphs, 1u);
    for (uint32_t i = 0u; i < module->counts.graphs && status == GSP_OK; i++) {
        status = gspi_prints_from(&w, module, i, err);
    }
    if (status == GSP_OK) {
        *result = w.result;
    }
    return gspi_leave(&pass, status, err);
}

GSP_API void gsp_fingerprint_write(gsp_fingerprint fingerprint, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (uint32_t i = 0u; i < 32u; i++) {
        text[i] = digits[(fingerprint.words[i / 16u] >> (60u - 4u * (i % 16u))) & 15u];
    }
    text[32] = '\0';
}

#endif /* GSP_NO_DEDUP */

/* =================================================================================================
 * >>PIPELINE   Stages of a pipeline                                                (implementation)
 * ============================================================================================== */
#ifndef GSP_NO_PIPELINE

/* A copy of a module, with each child graph in use once. */
typedef struct gspi_copier {
    const gsp_module *m;
    gsp_builder *b;
    gsp_module *made;
    uint8_t *seen;  /* [graphs] child graphs in use */
    uint32_t *list; /* [graphs] the same in order of discovery */
    uint32_t n;
} gspi_copier;

static void gspi_copier_layout(gspi_bump *b, gspi_copier *c, const gsp_module *m)
{
    c->m = m;
    c->b = GSPI_HIGH(b, gsp_builder, 1u);
    c->made = GSPI_HIGH(b, gsp_module, 1u);
    c->seen = GSPI_HIGH(b, uint8_t, m->counts.graphs);
    c->list = GSPI_HIGH(b, uint32_t, m->counts.graphs);
    c->n = 0u;
}

static void gspi_copier_start(gspi_copier *c, gsp_arena *arena, const gsp_counts *made)
{
    (void)gsp_build_init(c->b, arena, made, NULL);
    gsp_build_adopt(c->b, c->m);
    gspi_set(c->seen, 0, c->m->counts.graphs, 1u);
}

/* The counts suffice for every sound module. */
static gsp_status gspi_copier_finish(gspi_copier *c, gsp_error *err)
{
    return gsp_build_finish(c->b, c->made, NULL) == GSP_OK
               ? GSP_OK
               : gspi_fail_plain(err, GSPI_CODE(DAMAGED, ROWS, NONE));
}

static void gspi_copier_add(gspi_copier *c, const gsp_graph *g, gsp_node v)
{
    uint32_t const child = gspi_child_of(g, v);
    if (child != GSP_NONE && !c->seen[child]) {
        c->seen[child] = 1u;
        c->list[c->n++] = child;
    }
}

/* Adds the child graphs of those in the list. */
static void gspi_copier_add_all(gspi_copier *c)
{
    for (uint32_t i = 0u; i < c->n; i++) {
        gsp_graph const g = gspi_graph(c->m, c->list[i]);
        for (gsp_node v = 0u; v < g.n_nodes; v++) {
            gspi_copier_add(c, &g, v);
        }
    }
}

static void gspi_copier_copy(gspi_copier *c)
{
    for (uint32_t i = 0u; i < c->m->counts.graphs; i++) {
        if (c->seen[i]) {
            gsp_graph const g = gspi_graph(c->m, i);
            gspi_copy_graph(c->b, &g);
        }
    }
}

/* ---- A line of nodes, cut into stages ---- */

/* Nodes of stages in topological order, at places 0 .. n - 1. */
typedef struct gspi_line {
    const gsp_graph *g;
    const gsp_stage_model *m;
    uint32_t n; /* places */
    uint32_t n_stages;
    gsp_node *node;         /* [n] at a place */
    uint32_t *place;        /* [nodes] of a node, GSP_NONE: in no stage */
    uint64_t *time;         /* [n + 1] ticks of the nodes before a place */
    uint64_t *move;         /* [n] */
    uint64_t *stash;        /* [n] */
    uint64_t *own;          /* [n] bytes of items with no other reader */
    uint32_t *in_begin;     /* [n + 1] into inputs */
    uint32_t *inputs;       /* [edges] */
    uint32_t *last;         /* [n] last reader of a value; its own place: none */
    uint32_t *shared_begin; /* [n + 1] into shared */
    uint32_t *shared;       /* [n + edges] items that several nodes read */
    uint64_t *cross;        /* [n + 1] carried: ticks of the values that cross this place */
    uint32_t *seen_value;   /* [n] last span that counted it */
    uint32_t *seen_item;    /* [n + edges] */
    uint32_t span;
    uint64_t work; /* nodes visited */
} gspi_line;

/* Consecutive places as a stage. */
typedef struct gspi_span {
    uint32_t begin;
    uint32_t end;
    uint64_t enter;
    uint64_t leave;
    uint64_t params;
    uint64_t stash;
} gspi_span;

static uint64_t gspi_cost(const uint64_t *costs, gsp_node v)
{
    return costs == NULL ? 0u : costs[v];
}

/* Without rows no node reads an item. */
static uint32_t gspi_n_items(const gsp_costs *costs)
{
    return costs->item_begin == NULL ? 0u : costs->n_items;
}

/* Microbatches that stage s of n stashes. */
static uint32_t gspi_held(const gsp_stage_model *model, uint32_t s, uint32_t n)
{
    uint32_t const deep = n - s < model->microbatches ? n - s : model->microbatches;
    return model->held != NULL ? model->held[s] : deep;
}

/* Costs of a caller: of this graph, ascending rows of existing items, within the bounds. Sums fit
 * 61 bits, with each value moved and stashed so many times. */
GSPI_OWN_FRAME gsp_status gspi_check_costs(const gsp_graph *g, const gsp_stage_model *m,
                                           uint64_t moves, uint64_t stashes, gsp_error *err)
{
    const gsp_costs *c = m->costs;
    uint64_t const most = UINT64_MAX / 16u;
    uint64_t const most_move = most / moves;
    uint64_t const most_stash = most / stashes;
    uint32_t const n_items = gspi_n_items(c);
    uint64_t const reads = (uint64_t)g->n_nodes + gsp_graph_counts(g).edges;
    uint64_t time = gspi_sum(m->first_time, m->last_time);
    uint64_t move = 0u;
    uint64_t stash = 0u;
    uint64_t bytes = 0u;
    uint32_t at = 0u;
    GSPI_CHECK(c->n_nodes == g->n_nodes && n_items <= reads, ARG, COSTS);
    GSPI_CHECK_GIVEN(c->item_bytes != NULL || n_items == 0u);
    GSPI_CHECK(c->item_begin == NULL || c->item_begin[0] == 0u, ARG, COSTS);
    for (uint32_t i = 0u; i < n_items; i++) {
        bytes = gspi_sum(bytes, c->item_bytes[i]);
    }
    GSPI_CHECK(time <= most && gspi_times(bytes, m->copies) <= most, OVERFLOW, SIZE);
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        uint32_t const end = c->item_begin == NULL ? 0u : c->item_begin[v + 1u];
        int good = end >= at && end <= reads;
        for (; good && at < end; at++) {
            good = c->items != NULL && c->items[at] < n_items;
        }
        GSPI_CHECK_AT(good, ARG, COSTS, v, GSP_NONE);
        uint64_t const more_time = gspi_cost(c->time, v);
        uint64_t const more_move = gspi_cost(c->move, v);
        uint64_t const more_stash = gspi_cost(c->stash, v);
        time += more_time;
        move += more_move;
        stash += more_stash;
        GSPI_CHECK_AT((more_time | more_move | more_stash) <= most && time <= most &&
                          move <= most_move && stash <= most_stash,
                      OVERFLOW, SIZE, v, GSP_NONE);
    }
    return GSP_OK;
}

static void gspi_line_layout(gspi_bump *b, gspi_line *l, const gsp_graph *g,
                             const gsp_stage_model *m)
{
    gsp_counts const c = gsp_graph_counts(g);
    size_t const n = c.nodes;
    size_t const reads = gspi_add(n, c.edges);
    l->g = g;
    l->m = m;
    l->node = GSPI_HIGH(b, gsp_node, n);
    l->place = GSPI_HIGH(b, uint32_t, n);
    l->time = GSPI_HIGH(b, uint64_t, n + 1u);
    l->move = GSPI_HIGH(b, uint64_t, n);
    l->stash = GSPI_HIGH(b, uint64_t, n);
    l->own = GSPI_HIGH(b, uint64_t, n);
    l->in_begin = GSPI_HIGH(b, uint32_t, n + 1u);
    l->inputs = GSPI_HIGH(b, uint32_t, c.edges);
    l->last = GSPI_HIGH(b, uint32_t, n);
    l->shared_begin = GSPI_HIGH(b, uint32_t, n + 1u);
    l->shared = GSPI_HIGH(b, uint32_t, reads);
    l->cross = GSPI_HIGH(b, uint64_t, m->carried ? n + 1u : 0u);
    l->seen_value = GSPI_HIGH(b, uint32_t, n);
    l->seen_item = GSPI_HIGH(b, uint32_t, reads);
}

/* Ticks of the values that cross each place: a sum of differences. */
static void gspi_line_cross(gspi_line *l)
{
    gspi_set(l->cross, 0, (size_t)l->n + 1u, sizeof(uint64_t));
    for (uint32_t p = 0u; p < l->n; p++) {
        l->cross[p + 1u] += l->move[p];
        l->cross[l->last[p] + 1u] -= l->move[p];
        l->cross[p + 1u] += l->cross[p];
    }
}

/* Fills the line from node[0 .. n). Nodes without place are ignored; items with one reader become
 * a sum per place. */
GSPI_OWN_FRAME void gspi_line_make(gspi_line *l)
{
    const gsp_costs *c = l->m->costs;
    uint32_t const reads = c->item_begin == NULL ? 0u : c->item_begin[l->g->n_nodes];
    uint32_t *readers = l->seen_item;
    uint32_t n_inputs = 0u;
    uint32_t n_shared = 0u;
    gspi_none_words(l->place, l->g->n_nodes);
    gspi_zero_words(readers, gspi_n_items(c));
    for (uint32_t i = 0u; i < reads; i++) {
        readers[c->items[i]]++;
    }
    l->time[0] = 0u;
    for (uint32_t p = 0u; p < l->n; p++) {
        gsp_node const v = l->node[p];
        gspi_row const inputs = gspi_inputs(l->g, v);
        l->place[v] = p;
        l->last[p] = p;
        l->in_begin[p] = n_inputs;
        l->shared_begin[p] = n_shared;
        l->time[p + 1u] = l->time[p] + gspi_cost(c->time, v);
        l->move[p] = gspi_cost(c->move, v);
        l->stash[p] = gspi_cost(c->stash, v);
        l->own[p] = 0u;
        l->seen_value[p] = 0u;
        for (uint32_t i = 0u; i < inputs.n; i++) {
            uint32_t const u = l->place[inputs.at[i]];
            if (u != GSP_NONE) {
                l->inputs[n_inputs++] = u;
                l->last[u] = p;
            }
        }
        uint32_t const end = reads == 0u ? 0u : c->item_begin[v + 1u];
        for (uint32_t i = reads == 0u ? 0u : c->item_begin[v]; i < end; i++) {
            uint32_t const item = c->items[i];
            if (readers[item] == 1u) {
                l->own[p] += c->item_bytes[item];
            } else {
                l->shared[n_shared++] = item;
            }
        }
    }
    l->in_begin[l->n] = n_inputs;
    l->shared_begin[l->n] = n_shared;
    l->span = reads; /* stamps exceed the numbers of readers */
    l->work = 0u;
    if (l->m->carried) {
        gspi_line_cross(l);
    }
}

static gspi_span gspi_span_open(gspi_line *l, uint32_t begin)
{
    gspi_span r = {begin, begin, 0u, 0u, 0u, 0u};
    r.enter = l->m->carried ? l->cross[begin] : 0u;
    l->span++;
    if (l->span == 0u) {
        gspi_zero_words(l->seen_value, l->n);
        gspi_zero_words(l->seen_item, gspi_n_items(l->m->costs));
        l->span = 1u;
    }
    return r;
}

/* Adds the node behind the span. */
static void gspi_span_step(gspi_line *l, gspi_span *r)
{
    uint32_t const p = r->end++;
    for (uint32_t i = l->in_begin[p]; i < l->in_begin[p + 1u]; i++) {
        uint32_t const u = l->inputs[i];
        if (u >= r->begin) {
            r->leave -= l->last[u] == p ? l->move[u] : 0u;
        } else if (l->seen_value[u] != l->span) {
            l->seen_value[u] = l->span;
            r->enter += l->m->carried ? 0u : l->move[u];
            r->stash += l->stash[u];
        }
    }
    for (uint32_t i = l->shared_begin[p]; i < l->shared_begin[p + 1u]; i++) {
        if (l->seen_item[l->shared[i]] != l->span) {
            l->seen_item[l->shared[i]] = l->span;
            r->params += l->m->costs->item_bytes[l->shared[i]];
        }
    }
    r->leave += l->last[p] != p ? l->move[p] : 0u;
    r->params += l->own[p];
    r->stash += l->stash[p];
    l->work++;
}

/* The places from begin to end as a stage. */
static gspi_span gspi_span_of(gspi_line *l, uint32_t begin, uint32_t end)
{
    gspi_span r = gspi_span_open(l, begin);
    while (r.end < end) {
        gspi_span_step(l, &r);
    }
    return r;
}

/* Bytes of a span as stage s; non-decreasing as it grows. */
static uint64_t gspi_span_bytes(const gspi_line *l, const gspi_span *r, uint32_t s)
{
    return r->params * l->m->copies + r->stash * gspi_held(l->m, s, l->n_stages);
}

/* Ticks of a span as stage s, without those of values that leave; non-decreasing, too. */
static uint64_t gspi_span_ticks(const gspi_line *l, const gspi_span *r, uint32_t s)
{
    return l->time[r->end] - l->time[r->begin] + r->enter + (s == 0u ? l->m->first_time : 0u) +
           (s + 1u == l->n_stages ? l->m->last_time : 0u);
}

static uint64_t gspi_span_leave(const gspi_line *l, const gspi_span *r)
{
    return l->m->carried ? l->cross[r->end] : r->leave;
}

/* Hash table of texts; equal entries share the slot of the last. */
typedef struct gspi_texts {
    gsp_str *text;  /* [n] */
    uint32_t *same; /* [n] the previous entry with equal bytes, GSP_NONE: none */
    uint32_t *slot; /* [mask + 1] GSP_NONE: free */
    uint32_t mask;
} gspi_texts;

#define GSPI_TEXTS_LIMIT 0x40000000u /* entries */
#define GSPI_TEXT_START  0x811C9DC5u /* hash of the empty text */

/* Continues the hash of a prefix: hashing all prefixes of a path is linear. */
static uint32_t gspi_text_hash(uint32_t hash, gsp_str t)
{
    for (uint32_t i = 0u; i < t.size; i++) {
        hash = (hash ^ (unsigned char)t.data[i]) * 0x01000193u;
    }
    return hash;
}

static void gspi_texts_layout(gspi_bump *b, gspi_texts *t, uint32_t n)
{
    uint32_t const slots = n < GSPI_TEXTS_LIMIT ? gspi_pow2(2u * n) : 0u;
    t->text = GSPI_HIGH(b, gsp_str, n);
    t->same = GSPI_HIGH(b, uint32_t, n);
    t->slot = GSPI_HIGH(b, uint32_t, slots == 0u ? SIZE_MAX : slots);
    t->mask = slots - 1u;
}

static int gspi_is_null(gsp_str t)
{
    return t.data == NULL && t.size != 0u;
}

/* The slot of the last equal entry, or a free one. */
static uint32_t *gspi_texts_slot(const gspi_texts *t, gsp_str text, uint32_t hash)
{
    uint32_t i = (hash ^ (hash >> 15)) & t->mask;
    while (t->slot[i] != GSP_NONE && !gsp_str_equal(t->text[t->slot[i]], text)) {
        i = (i + 1u) & t->mask;
    }
    return t->slot + i;
}

/* Entries arrive as 0, 1, 2, ... */
static void gspi_texts_add(const gspi_texts *t, uint32_t entry, gsp_str text)
{
    uint32_t *slot = gspi_texts_slot(t, text, gspi_text_hash(GSPI_TEXT_START, text));
    t->text[entry] = text;
    t->same[entry] = *slot;
    *slot = entry;
}

/* A count of results; UINT32_MAX, no valid count, means "too many". */
static uint32_t gspi_count(uint64_t n)
{
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* -------------------------------------------------------------------------------------------------
 * >>costs   Costs of nodes in ticks and bytes                                      (implementation)
 * ---------------------------------------------------------------------------------------------- */

#ifndef GSP_NO_COST

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

/* Bits of finite seconds >= 0 in ticks, rounded half up; UINT64_MAX: too many. */
static uint64_t gspi_costs_ticks(uint64_t bits, uint64_t per_second)
{
    uint32_t exponent = (uint32_t)(bits >> 52);
    bits &= 0xFFFFFFFFFFFFFu;
    gspi_wide w = gspi_costs_product(exponent == 0u ? bits : bits | 0x10000000000000u, per_second);
    exponent = exponent == 0u ? 1u : exponent; /* the value is w * 2^(exponent - 1075) */
    if (exponent < 1075u) {
        uint32_t shift = 1074u - exponent;
        for (; shift >= 64u; shift -= 64u) {
            w.low = w.high;
            w.high = 0u;
        }
        if (shift > 0u) {
            w.low = (w.low >> shift) | (w.high << (64u - shift));
            w.high >>= shift;
        }
        w.low = (w.high << 63 | w.low >> 1) + (w.low & 1u);
        w.high >>= 1;
        exponent = 1075u;
    }
    exponent -= 1075u;
    if ((w.high | w.low) == 0u) {
        return 0u;
    }
    return w.high != 0u || exponent > 63u || (w.low << exponent) >> exponent != w.low
               ? UINT64_MAX
               : w.low << exponent;
}

/* bytes * ticks / bandwidth, rounded half up; UINT64_MAX: too much. Binary long division. */
static uint64_t gspi_costs_transfer(uint64_t bytes, uint64_t ticks, uint64_t bandwidth)
{
    gspi_wide const w = gspi_costs_product(bytes, ticks);
    uint64_t quotient = 0u;
    uint64_t rest = w.high;
    if (rest >= bandwidth) {
        return UINT64_MAX;
    }
    for (uint32_t i = 64u; i > 0u; i--) {
        int const carry = (rest >> 63) != 0u;
        rest = (rest << 1) | ((w.low >> (i - 1u)) & 1u);
        quotient <<= 1;
        if (carry || rest >= bandwidth) {
            rest -= bandwidth;
            quotient |= 1u;
        }
    }
    return gspi_sum(quotient, rest >= bandwidth - rest ? 1u : 0u);
}

typedef struct gspi_costs_ws {
    gsp_costs made;
    uint64_t *time;
    uint64_t *move;
    uint32_t *item_begin;
    uint32_t *items;
    uint64_t *item_bytes;
    gsp_node *first;       /* [strings] first get_attr of this target */
    uint32_t *attr_item;   /* [strings] */
    uint32_t *module_item; /* [strings] */
    uint32_t n_reads;
    uint64_t most_time; /* before scaling */
} gspi_costs_ws;

static void gspi_costs_layout(gspi_bump *b, gspi_costs_ws *ws, const gsp_graph *g)
{
    gsp_counts const c = gsp_graph_counts(g);
    size_t const reads = gspi_add(c.nodes, c.edges);
    ws->made.time = ws->time = GSPI_LOW(b, uint64_t, c.nodes);
    ws->made.move = ws->move = GSPI_LOW(b, uint64_t, c.nodes);
    ws->made.item_begin = ws->item_begin = GSPI_LOW(b, uint32_t, (size_t)c.nodes + 1u);
    ws->made.items = ws->items = GSPI_LOW(b, uint32_t, reads);
    ws->made.item_bytes = ws->item_bytes = GSPI_LOW(b, uint64_t, reads);
    ws->first = GSPI_HIGH(b, gsp_node, c.strings);
    ws->attr_item = GSPI_HIGH(b, uint32_t, c.strings);
    ws->module_item = GSPI_HIGH(b, uint32_t, c.strings);
}

static void gspi_costs_read(gspi_costs_ws *ws, uint32_t *item_of, uint64_t bytes)
{
    if (*item_of == GSP_NONE) {
        *item_of = ws->made.n_items++;
        ws->item_bytes[*item_of] = bytes;
    }
    ws->items[ws->n_reads++] = *item_of;
}

static gsp_status gspi_costs_seconds(const gsp_graph *g, gsp_node v, gsp_key key, uint64_t ticks,
                                     uint64_t *out, gsp_error *err)
{
    double const seconds = gsp_node_seconds(g, v, key);
    uint64_t bits;
    (void)GSP_MEMCPY(&bits, &seconds, sizeof(bits));
    bits = bits << 1 == 0u ? 0u : bits; /* -0.0 */
    GSPI_CHECK_AT(bits < 0x7FF0000000000000u, ARG, LATENCY, v, GSP_NONE);
    *out = bits != 0u ? gspi_costs_ticks(bits, ticks) : 0u;
    return GSP_OK;
}

static gsp_status gspi_costs_node(gspi_costs_ws *ws, const gsp_graph *g, const gsp_costs_desc *d,
                                  gsp_node v, gsp_error *err)
{
    int const callable = gspi_callable(g, v);
    gsp_atom const target = gspi_target_id(g, v);
    gspi_row const inputs = gspi_inputs(g, v);
    uint64_t time = 0u;
    uint64_t move = 0u;
    if (callable) {
        GSPI_TRY(gspi_costs_seconds(g, v, GSP_KEY_COMPUTE, d->ticks, &time, err));
    }
    GSPI_TRY(gspi_costs_seconds(g, v, GSP_KEY_COMM, d->ticks, &move, err));
    if (d->bandwidth != 0u && gspi_attr_str(g, v, GSP_KEY_COMM).data == NULL) {
        move = gspi_costs_transfer(gspi_bytes(g, v), d->ticks, d->bandwidth);
    }
    GSPI_CHECK_AT(time <= ws->most_time && move != UINT64_MAX, OVERFLOW, SIZE, v, GSP_NONE);
    ws->time[v] = time * d->scale;
    ws->move[v] = move;
    ws->item_begin[v] = ws->n_reads;
    if (gspi_op(g, v) == GSP_OP_GET_ATTR && ws->first[target] == GSP_NONE) {
        ws->first[target] = v;
    }
    for (uint32_t i = 0u; i < inputs.n && callable; i++) {
        if (gspi_op(g, inputs.at[i]) == GSP_OP_GET_ATTR) {
            gsp_atom const t = gspi_target_id(g, inputs.at[i]);
            gspi_costs_read(ws, &ws->attr_item[t], gspi_bytes(g, ws->first[t]));
        }
    }
    if (gspi_op(g, v) == GSP_OP_CALL_MODULE) {
        gspi_costs_read(ws, &ws->module_item[target], gsp_node_params(g, v));
    }
    return GSP_OK;
}

GSP_API gsp_costs_desc gsp_costs_resolve(const gsp_costs_desc *desc)
{
    gsp_costs_desc d;
    gspi_desc(&d, desc, sizeof(d));
    d.scale = d.scale == 0u ? 1u : d.scale;
    d.ticks = d.ticks == 0u ? 1000000000u : d.ticks;
    return d;
}

GSP_API size_t gsp_costs_bound(const gsp_graph *graph)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_costs_ws ws;
    gspi_costs_layout(&b, &ws, graph);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API gsp_status gsp_costs_run(gsp_arena *arena, const gsp_graph *graph,
                                 const gsp_costs_desc *desc, gsp_costs *costs, gsp_error *err)
{
    gsp_costs_desc const d = gsp_costs_resolve(desc);
    gsp_status status = GSP_OK;
    gspi_costs_ws ws;
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && costs != NULL);
    GSPI_CHECK_DESC(d);
    GSPI_TRY(gspi_enter(&pass, arena, gsp_costs_bound(graph), err));
    uint32_t const strings = graph->module->counts.strings;
    gspi_costs_layout(&pass.bump, &ws, graph);
    gspi_none_words(ws.first, strings);
    gspi_none_words(ws.attr_item, strings);
    gspi_none_words(ws.module_item, strings);
    ws.made.n_nodes = graph->n_nodes;
    ws.made.n_items = 0u;
    ws.made.stash = graph->module->bytes + graph->first;
    ws.n_reads = 0u;
    ws.most_time = (UINT64_MAX - 1u) / d.scale;
    for (gsp_node v = 0u; v < graph->n_nodes && status == GSP_OK; v++) {
        status = gspi_costs_node(&ws, graph, &d, v, err);
    }
    ws.item_begin[graph->n_nodes] = ws.n_reads;
    *costs = status == GSP_OK ? ws.made : *costs;
    return gspi_leave(&pass, status, err);
}
#endif

/* -------------------------------------------------------------------------------------------------
 * >>stages_even   Stages of equal size                                             (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* One pass in graph order weighs nodes, a second one closes stages. An array by string of the
 * module holds the last stage that reads a parameter. */

/* The stage of all nodes while they are weighed. */
#define GSPI_EVEN_ALL (GSP_NONE - 1u)

typedef struct gspi_even {
    const gsp_graph *g;
    const gsp_stages_even_desc *d;
    uint32_t *stage_of;
    uint64_t *stage_weight; /* [stages] */
    uint64_t *weight;       /* [n] 0: in no stage */
    gsp_node *first;        /* [strings] first get_attr of this target */
    uint32_t *read_in;      /* [strings] the last stage that reads it */
    gsp_bitset called;      /* [strings] called modules already counted */
    uint32_t n_members;
    uint32_t n_stages;
    uint64_t total; /* of all weights */
} gspi_even;

static void gspi_even_layout(gspi_bump *b, gspi_even *w, const gsp_graph *g,
                             const gsp_stages_even_desc *d)
{
    uint32_t const n = g->n_nodes;
    w->g = g;
    w->d = d;
    w->called.n = d->policy == (uint32_t)GSP_STAGES_EVEN_NODES ? 0u : g->module->counts.strings;
    w->stage_of = GSPI_LOW(b, uint32_t, n);
    w->stage_weight = GSPI_LOW(b, uint64_t, d->n_stages == 0u || d->n_stages > n ? n : d->n_stages);
    w->weight = GSPI_HIGH(b, uint64_t, n);
    w->first = GSPI_HIGH(b, gsp_node, w->called.n);
    w->read_in = GSPI_HIGH(b, uint32_t, w->called.n);
    w->called.words = GSPI_HIGH(b, uint32_t, gsp_bitset_words(w->called.n));
}

GSP_API gsp_stages_even_desc gsp_stages_even_resolve(const gsp_stages_even_desc *desc)
{
    gsp_stages_even_desc d;
    gspi_desc(&d, desc, sizeof(d));
    if (d.n_stages == 0u && d.policy != (uint32_t)GSP_STAGES_EVEN_THRESHOLD) {
        d.n_stages = 1u;
    }
    d.marker = d.marker == NULL ? GSP_STAGES_MARKER : d.marker;
    return d;
}

GSP_API size_t gsp_stages_even_bound(const gsp_graph *graph, const gsp_stages_even_desc *desc)
{
    gsp_stages_even_desc const d = gsp_stages_even_resolve(desc);
    gspi_bump b = gspi_bump_over(NULL);
    gspi_even w;
    gspi_even_layout(&b, &w, graph, &d);
    return gspi_add(b.used, GSPI_SLACK);
}

static gsp_str gspi_marker(const char *marker)
{
    return gsp_str_of(marker == NULL ? GSP_STAGES_MARKER : marker);
}

static int gspi_is_marker(const gsp_graph *g, gsp_node v, gsp_str marker)
{
    return gspi_op(g, v) == GSP_OP_CALL_FUNCTION && gsp_str_equal(gspi_target_str(g, v), marker);
}

GSP_API int gsp_stages_is_marker(const gsp_graph *graph, gsp_node node, const char *marker)
{
    return node < graph->n_nodes && gspi_is_marker(graph, node, gspi_marker(marker));
}

static int gspi_is_member(const gsp_graph *g, gsp_node v, gsp_str marker)
{
    return gspi_callable(g, v) && !gspi_is_marker(g, v, marker);
}

/* 1 if v reads parameters. *fresh: their bytes new to the stage, which reads them from now on. A
 * called module counts at every call, in the whole graph only at the first. */
static int gspi_even_reads(gspi_even *w, gsp_node v, uint32_t stage, uint64_t *fresh)
{
    const gsp_atom *target = w->g->module->target + w->g->first;
    gspi_row const inputs = gspi_inputs(w->g, v);
    *fresh = 0u;
    if (gspi_op(w->g, v) == GSP_OP_CALL_MODULE &&
        (stage != GSPI_EVEN_ALL || !gsp_bitset_has(&w->called, target[v]))) {
        gsp_bitset_set(&w->called, target[v]);
        *fresh = gsp_node_params(w->g, v);
    }
    int reads = *fresh > 0u;
    for (uint32_t i = 0u; i < inputs.n; i++) {
        gsp_atom const t = target[inputs.at[i]];
        if (gspi_op(w->g, inputs.at[i]) == GSP_OP_GET_ATTR) {
            if (w->read_in[t] != stage) {
                *fresh = gspi_sum(*fresh, gspi_bytes(w->g, w->first[t]));
            }
            w->read_in[t] = stage;
            reads = 1;
        }
    }
    return reads;
}

/* stage_of 0 for members of stages, GSP_NONE for others, and weights. */
static gsp_status gspi_even_weigh(gspi_even *w, gsp_error *err)
{
    const gsp_atom *target = w->g->module->target + w->g->first;
    gsp_str const marker = gspi_marker(w->d->marker);
    uint32_t const strings = w->called.n;
    gsp_bitset_init(&w->called, w->called.words, strings);
    gspi_none_words(w->first, strings);
    gspi_none_words(w->read_in, strings);
    w->n_members = 0u;
    w->n_stages = 0u;
    w->total = 0u;
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        int const member = gspi_is_member(w->g, v, marker);
        w->stage_of[v] = member ? 0u : GSP_NONE;
        w->weight[v] = member ? 1u : 0u;
        w->n_members += member ? 1u : 0u;
        if (member && strings != 0u) {
            (void)gspi_even_reads(w, v, GSPI_EVEN_ALL, &w->weight[v]);
        } else if (strings != 0u && gspi_op(w->g, v) == GSP_OP_GET_ATTR &&
                   w->first[target[v]] == GSP_NONE) {
            w->first[target[v]] = v;
        }
        w->total = gspi_sum(w->total, w->weight[v]);
        GSPI_CHECK_AT(w->total != UINT64_MAX, OVERFLOW, SIZE, v, GSP_NONE);
    }
    return GSP_OK;
}

/* Equal shares. Where no weight is left, every node weighs 1. */
static void gspi_even_share(gspi_even *w)
{
    uint32_t const last = w->d->n_stages < w->n_members ? w->d->n_stages : w->n_members;
    uint64_t left = w->total;     /* weight from the open stage on */
    uint64_t rest = w->n_members; /* nodes from v on */
    gsp_node v = 0u;
    for (uint32_t s = 0u; s < last; s++) {
        uint64_t const to_fill = last - s;
        uint64_t const all = left > 0u ? left : rest;
        uint64_t const share = all / to_fill + (all % to_fill != 0u ? 1u : 0u);
        int const even = left == 0u;
        uint64_t own = 0u;
        uint64_t counted = 0u; /* own, or nodes if no weight is left */
        for (int open = 1; open && v < w->g->n_nodes; v++) {
            if (w->stage_of[v] == GSP_NONE) {
                continue;
            }
            rest--;
            own += w->weight[v];
            counted += even ? 1u : w->weight[v];
            w->stage_of[v] = s;
            open = to_fill == 1u || (counted < share && rest != to_fill - 1u);
        }
        w->stage_weight[s] = own;
        left -= own;
    }
    w->n_stages = last;
}

/* A node that does not fit closes the open stage, w->n_stages: behind itself if the stage holds no
 * parameters, else before itself; what it reads stays noted there, harmlessly. */
static void gspi_even_fill(gspi_even *w)
{
    uint64_t const threshold = w->d->threshold != 0u ? w->d->threshold : w->total / w->d->n_stages;
    uint32_t const last = w->d->n_stages == 0u ? UINT32_MAX : w->d->n_stages - 1u;
    uint64_t held = 0u;
    int closed = 0;
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        uint64_t fresh;
        if (w->stage_of[v] == GSP_NONE) {
            continue;
        }
        w->n_stages += closed ? 1u : 0u;
        held = closed ? 0u : held;
        closed = 0;
        int const reads = gspi_even_reads(w, v, w->n_stages, &fresh);
        if (reads && gspi_sum(held, fresh) > threshold && w->n_stages < last) {
            closed = held == 0u;
            held = 0u;
            if (!closed) {
                (void)gspi_even_reads(w, v, ++w->n_stages, &fresh);
            }
        }
        held = gspi_sum(held, fresh);
        w->stage_of[v] = w->n_stages;
        w->stage_weight[w->n_stages] = held;
    }
    w->n_stages += w->n_members > 0u ? 1u : 0u;
}

GSP_API gsp_status gsp_stages_even_run(gsp_arena *arena, const gsp_graph *graph,
                                       const gsp_stages_even_desc *desc,
                                       gsp_stages_even_result *result, gsp_error *err)
{
    gsp_stages_even_desc const d = gsp_stages_even_resolve(desc);
    int const fill = d.policy == (uint32_t)GSP_STAGES_EVEN_THRESHOLD;
    gspi_even w;
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    GSPI_CHECK_DESC(d);
    GSPI_CHECK(d.policy < (uint32_t)GSP_STAGES_EVEN_COUNT, DESC, CHOICE);
    GSPI_CHECK(!fill || d.threshold != 0u || d.n_stages != 0u, ARG, THRESHOLD);
    GSPI_TRY(gspi_enter(&pass, arena, gsp_stages_even_bound(graph, &d), err));
    gspi_even_layout(&pass.bump, &w, graph, &d);
    gsp_status const status = gspi_even_weigh(&w, err);
    if (status == GSP_OK) {
        if (fill) {
            gspi_even_fill(&w);
        } else {
            gspi_even_share(&w);
        }
        result->n_nodes = graph->n_nodes;
        result->n_stages = w.n_stages;
        result->stage_of = w.stage_of;
        result->weight = w.stage_weight;
    }
    return gspi_leave(&pass, status, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>stage_costs   Time and memory of stages                                        (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* The nodes by stage are a line, which the stages cut. */

typedef struct gspi_loads {
    gspi_line line;
    gsp_stage_cost *loads; /* [stages] */
    uint32_t *begin;       /* [stages + 1] places */
} gspi_loads;

static gsp_stage_costs_desc gspi_loads_resolve(const gsp_stage_costs_desc *desc)
{
    gsp_stage_costs_desc d;
    gspi_desc(&d, desc, sizeof(d));
    d.model.copies = d.model.copies == 0u ? 1u : d.model.copies;
    return d;
}

static void gspi_loads_layout(gspi_bump *b, gspi_loads *w, const gsp_graph *g,
                              const gsp_stage_costs_desc *d)
{
    w->loads = GSPI_LOW(b, gsp_stage_cost, d->n_stages);
    w->begin = GSPI_HIGH(b, uint32_t, (size_t)d->n_stages + 1u);
    gspi_line_layout(b, &w->line, g, &d->model);
}

GSP_API size_t gsp_stage_costs_bound(const gsp_graph *graph, const gsp_stage_costs_desc *desc)
{
    gsp_stage_costs_desc const d = gspi_loads_resolve(desc);
    gspi_bump b = gspi_bump_over(NULL);
    gspi_loads w;
    (void)GSPI_HIGH(&b, gspi_loads, 1u);
    gspi_loads_layout(&b, &w, graph, &d);
    return gspi_add(b.used, GSPI_SLACK);
}

/* Stages exist, and none reads a later one. */
static gsp_status gspi_loads_check(const gsp_graph *g, const gsp_stage_costs_desc *d,
                                   gsp_error *err)
{
    const uint32_t *stage_of = d->stage_of;
    uint32_t held = 1u;
    for (uint32_t s = 0u; s < d->n_stages; s++) {
        uint32_t const now = gspi_held(&d->model, s, d->n_stages);
        held = now > held ? now : held;
    }
    GSPI_TRY(gspi_check_costs(g, &d->model, 2u, held, err));
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        gspi_row const inputs = gspi_inputs(g, v);
        if (stage_of[v] == GSP_NONE) {
            continue;
        }
        GSPI_CHECK_AT(stage_of[v] < d->n_stages && gspi_op(g, v) != GSP_OP_OUTPUT, ARG, STAGE, v,
                      GSP_NONE);
        for (uint32_t i = 0u; i < inputs.n; i++) {
            uint32_t const s = stage_of[inputs.at[i]];
            GSPI_CHECK_AT(s == GSP_NONE || s <= stage_of[v], ARG, STAGE, v, inputs.at[i]);
        }
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_stage_costs_run(gsp_arena *arena, const gsp_graph *graph,
                                       const gsp_stage_costs_desc *desc,
                                       gsp_stage_costs_result *result, gsp_error *err)
{
    gsp_stage_costs_desc const d = gspi_loads_resolve(desc);
    gsp_stage_costs_result r = {0u, GSP_NONE, GSP_NONE, NULL};
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    GSPI_CHECK_DESC(d);
    GSPI_CHECK_GIVEN(d.model.costs != NULL && d.stage_of != NULL);
    GSPI_TRY(gspi_loads_check(graph, &d, err));
    GSPI_TRY(gspi_enter(&pass, arena, gsp_stage_costs_bound(graph, &d), err));
    gspi_loads *w = GSPI_HIGH(&pass.bump, gspi_loads, 1u);
    gspi_loads_layout(&pass.bump, w, graph, &d);
    gspi_rows(d.stage_of, graph->n_nodes, d.n_stages, w->begin, w->line.node);
    w->line.n = w->begin[d.n_stages];
    w->line.n_stages = d.n_stages;
    gspi_line_make(&w->line);
    for (uint32_t s = 0u; s < d.n_stages; s++) {
        gspi_span const span = gspi_span_of(&w->line, w->begin[s], w->begin[s + 1u]);
        gsp_stage_cost *load = &w->loads[s];
        load->n_nodes = span.end - span.begin;
        load->held = gspi_held(&d.model, s, d.n_stages);
        load->compute = w->line.time[span.end] - w->line.time[span.begin];
        load->enter = span.enter;
        load->leave = gspi_span_leave(&w->line, &span);
        load->time = gspi_span_ticks(&w->line, &span, s) + load->leave;
        load->params = span.params;
        load->stash = span.stash;
        load->memory = gspi_span_bytes(&w->line, &span, s);
        r.slowest = s == 0u || load->time > w->loads[r.slowest].time ? s : r.slowest;
        r.greatest = s == 0u || load->memory > w->loads[r.greatest].memory ? s : r.greatest;
    }
    r.n_stages = d.n_stages;
    r.loads = w->loads;
    *result = r;
    return gspi_leave(&pass, GSP_OK, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>stages_optimal   Stages of the smallest bottleneck                             (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Dynamic programming over prefixes: best[e] is the least bottleneck of the first e nodes in s
 * stages. A row extends one stage node by node, without a table of all spans. A search keeps to
 * plans within a guess: each cut has few places, since the other stages must hold the rest. A guess
 * below the optimum finds no plan and proves a lower bound; guesses start at the bound of total and
 * greatest node and grow. Within a feasible guess the result is that of the full table, ties
 * included: only states of no plan within the guess are omitted. */

/* Keeps `down`, a difference, above 0; sums of ticks are below it. */
#define GSPI_CARRIED_OFFSET ((uint64_t)1u << 61)

typedef struct gspi_optimal {
    gsp_stages_optimal_result *made;
    const gsp_stages_optimal_desc *d;
    uint32_t *stage_of;
    uint64_t memory;      /* per stage, UINT64_MAX: no limit */
    gspi_line line;       /* the nodes of an order */
    uint64_t *weight;     /* [n + 1] minimum cost of the nodes before a place in any stages */
    uint32_t *room;       /* [n + 1] places for cuts behind this one; GSP_NONE: no cut here */
    uint32_t *group_last; /* [strings] last place of a group to keep */
    /* carried values */
    uint64_t *up;      /* [n + 1] */
    uint64_t *down;    /* [n + 1] plus the offset */
    uint32_t *by_up;   /* [n + 1] places, ascending */
    uint32_t *by_down; /* [n + 1] */
    uint32_t *rank;    /* [n + 1] of a place in by_up */
    uint32_t *reach;   /* [n + 1] number of by_up that are ends of spans from here */
    uint32_t *tree;    /* [n + 2] minima over prefixes of ranks (Fenwick tree) */
    uint32_t *fewest;  /* [n + 1] stages from here on, GSP_NONE: infeasible */
    uint32_t *most;    /* [n + 1] */
    /* plans */
    uint64_t *best;     /* [n + 1] of prefixes in s stages */
    uint64_t *next;     /* [n + 1] in s + 1 */
    uint32_t *from;     /* [stages * (n + 1)] begin of the last stage */
    uint32_t *cut;      /* [stages + 1] best plan of this order */
    uint32_t *trial;    /* [stages + 1] */
    uint64_t objective; /* of cut, UINT64_MAX: none */
    uint64_t lower;     /* lower bound of this order */
} gspi_optimal;

static uint32_t gspi_line_asked(const gsp_stages_optimal_desc *d, uint32_t n)
{
    uint64_t const stages = (uint64_t)d->n_devices * d->n_chunks;
    return stages < n ? (uint32_t)stages : n;
}

GSPI_OWN_FRAME void gspi_optimal_layout(gspi_bump *b, gspi_optimal *w, const gsp_graph *g,
                                        const gsp_stages_optimal_desc *d)
{
    gsp_counts const c = gsp_graph_counts(g);
    size_t const n = c.nodes;
    size_t const stages = gspi_line_asked(d, c.nodes);
    size_t const places = d->model.carried ? n + 1u : 0u;
    w->d = d;
    w->made = GSPI_HIGH(b, gsp_stages_optimal_result, 1u);
    w->stage_of = GSPI_LOW(b, uint32_t, n);
    gspi_line_layout(b, &w->line, g, &d->model);
    w->weight = GSPI_HIGH(b, uint64_t, n + 1u);
    w->room = GSPI_HIGH(b, uint32_t, n + 1u);
    w->group_last = GSPI_HIGH(b, uint32_t, d->keep_groups ? c.strings : 0u);
    w->up = GSPI_HIGH(b, uint64_t, places);
    w->down = GSPI_HIGH(b, uint64_t, places);
    w->by_up = GSPI_HIGH(b, uint32_t, places);
    w->by_down = GSPI_HIGH(b, uint32_t, places);
    w->rank = GSPI_HIGH(b, uint32_t, places);
    w->reach = GSPI_HIGH(b, uint32_t, places);
    w->tree = GSPI_HIGH(b, uint32_t, places == 0u ? 0u : places + 1u);
    w->fewest = GSPI_HIGH(b, uint32_t, places);
    w->most = GSPI_HIGH(b, uint32_t, places);
    w->best = GSPI_HIGH(b, uint64_t, n + 1u);
    w->next = GSPI_HIGH(b, uint64_t, n + 1u);
    w->from = GSPI_HIGH(b, uint32_t, gspi_mul_add(stages, n + 1u, 0u));
    w->cut = GSPI_HIGH(b, uint32_t, stages + 1u);
    w->trial = GSPI_HIGH(b, uint32_t, stages + 1u);
}

GSP_API gsp_stages_optimal_desc gsp_stages_optimal_resolve(const gsp_stages_optimal_desc *desc)
{
    gsp_stages_optimal_desc d;
    gspi_desc(&d, desc, sizeof(d));
    d.n_devices = d.n_devices == 0u ? 1u : d.n_devices;
    d.n_chunks = d.n_chunks == 0u ? 1u : d.n_chunks;
    d.n_orders = d.n_orders == 0u ? 1u : d.n_orders;
    d.n_orders = d.n_orders > GSP_STAGES_OPTIMAL_ORDERS ? GSP_STAGES_OPTIMAL_ORDERS : d.n_orders;
    d.model.copies = d.model.copies == 0u ? 1u : d.model.copies;
    d.max_work = d.max_work == 0u ? (uint64_t)1u << 26 : d.max_work;
    d.marker = d.marker == NULL ? GSP_STAGES_MARKER : d.marker;
    return d;
}

GSPI_OWN_FRAME size_t gspi_optimal_bound(const gsp_graph *g, const gsp_stages_optimal_desc *d)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_optimal w;
    (void)GSPI_HIGH(&b, gspi_optimal, 1u);
    gspi_optimal_layout(&b, &w, g, d);
    return gspi_add(gspi_add(b.used, GSPI_SLACK),
                    d->n_orders > 1u ? gsp_topo_order_bound(g, NULL) : 0u);
}

GSP_API size_t gsp_stages_optimal_bound(const gsp_graph *graph, const gsp_stages_optimal_desc *desc)
{
    gsp_stages_optimal_desc const d = gsp_stages_optimal_resolve(desc);
    return gspi_optimal_bound(graph, &d);
}

/* No cut inside a group to keep. room counts allowed cuts from the end. */
static void gspi_optimal_room(gspi_optimal *w, const gsp_graph *g)
{
    gspi_line *l = &w->line;
    uint32_t found = 0u;
    uint32_t reach = 0u;
    gspi_zero_words(w->room, (size_t)l->n + 1u);
    for (uint32_t p = 0u; p < l->n && w->d->keep_groups; p++) {
        gsp_atom const group = gspi_attr(g, l->node[p], GSP_KEY_GROUP);
        if (group != GSP_NONE) {
            w->group_last[group] = p;
        }
    }
    for (uint32_t p = 1u; p < l->n && w->d->keep_groups; p++) {
        gsp_atom const group = gspi_attr(g, l->node[p - 1u], GSP_KEY_GROUP);
        if (group != GSP_NONE && w->group_last[group] > reach) {
            reach = w->group_last[group];
        }
        w->room[p] = reach >= p ? GSP_NONE : 0u;
    }
    for (uint32_t p = l->n; p > 1u; p--) {
        if (w->room[p - 1u] != GSP_NONE) {
            w->room[p - 1u] = found++;
        }
    }
    w->room[0] = found;
}

/* An order, NULL for graph order, as a line. weight: ticks, or bytes counted once. */
static void gspi_optimal_line(gspi_optimal *w, const gsp_graph *g, const gsp_node *order)
{
    const gsp_stage_model *m = &w->d->model;
    gspi_line *l = &w->line;
    gsp_str const marker = gspi_marker(w->d->marker);
    int const by_time = w->d->goal == (uint32_t)GSP_STAGES_OPTIMAL_TIME;
    l->n = 0u;
    for (uint32_t i = 0u; i < g->n_nodes; i++) {
        gsp_node const v = order == NULL ? i : order[i];
        if (gspi_is_member(g, v, marker)) {
            l->node[l->n++] = v;
        }
    }
    gspi_line_make(l);
    gspi_optimal_room(w, g);
    uint32_t const stages = gspi_line_asked(w->d, l->n);
    uint64_t const held = stages == 0u ? 0u : gspi_held(m, stages - 1u, stages);
    w->weight[0] = 0u;
    for (uint32_t p = 0u; p < l->n; p++) {
        uint64_t const bytes = l->own[p] * m->copies + l->stash[p] * held;
        w->weight[p + 1u] = w->weight[p] + (by_time ? l->time[p + 1u] - l->time[p] : bytes);
    }
    l->n_stages = gspi_line_asked(w->d, l->n == 0u ? 0u : w->room[0] + 1u);
}

/* Adds the node before the span; updates bytes only. */
static void gspi_span_step_back(gspi_optimal *w, gspi_span *r)
{
    gspi_line *l = &w->line;
    uint32_t const p = --r->begin;
    for (uint32_t i = l->in_begin[p]; i <= l->in_begin[p + 1u]; i++) {
        uint32_t const u = i < l->in_begin[p + 1u] ? l->inputs[i] : p;
        r->stash += l->seen_value[u] != l->span ? l->stash[u] : 0u;
        l->seen_value[u] = l->span;
    }
    for (uint32_t i = l->shared_begin[p]; i < l->shared_begin[p + 1u]; i++) {
        uint32_t const item = l->shared[i];
        r->params += l->seen_item[item] != l->span ? w->d->model.costs->item_bytes[item] : 0u;
        l->seen_item[item] = l->span;
    }
    r->params += l->own[p];
    l->work++;
}

/* Non-decreasing part of the cost as stage s. */
static uint64_t gspi_span_floor(const gspi_optimal *w, const gspi_span *r, uint32_t s)
{
    return w->d->goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES ? gspi_span_bytes(&w->line, r, s)
                                                            : gspi_span_ticks(&w->line, r, s);
}

/* The rest of the cost if the span ends here. */
static uint64_t gspi_span_rest(const gspi_optimal *w, const gspi_span *r)
{
    return w->d->goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES ? 0u : gspi_span_leave(&w->line, r);
}

/* Extends a span to the next end of stage s within memory and load, with room for later cuts. */
static int gspi_span_next(gspi_optimal *w, gspi_span *r, uint32_t s, uint64_t within,
                          uint64_t *load)
{
    gspi_line *l = &w->line;
    while (r->end < l->n) {
        gspi_span_step(l, r);
        uint64_t const floor = gspi_span_floor(w, r, s);
        if (floor > within || gspi_span_bytes(l, r, s) > w->memory) {
            return 0;
        }
        uint32_t const room = w->room[r->end];
        if (s + 1u == l->n_stages
                ? r->end < l->n
                : r->end == l->n || room == GSP_NONE || room + s + 2u < l->n_stages) {
            continue;
        }
        *load = floor + gspi_span_rest(w, r);
        if (*load <= within) {
            return 1;
        }
    }
    return 0;
}

/* ---- Carried values ---- */

/* If every cut carries all live values, load(i, j) = up[j] - down[i]. Each start reaches a prefix
 * of the ends by `up`. Minima over prefixes give the fewest and most stages from each place, in O(n
 * log n) per guess; bisection finds the least feasible guess. */

/* Ends of every start within a guess: a merge of two ascending orders. */
static void gspi_carried_reach(const gspi_optimal *w, uint64_t guess)
{
    uint32_t ends = 0u;
    for (uint32_t i = 0u; i <= w->line.n; i++) {
        uint64_t const most = w->down[w->by_down[i]] + guess;
        while (ends <= w->line.n && w->up[w->by_up[ends]] + GSPI_CARRIED_OFFSET <= most) {
            ends++;
        }
        w->reach[w->by_down[i]] = ends;
    }
}

static void gspi_carried_count(const gspi_optimal *w, int most, uint32_t *count)
{
    const gspi_line *l = &w->line;
    uint32_t const places = l->n + 1u;
    gspi_none_words(w->tree, (size_t)places + 1u);
    for (uint32_t p = places; p > 0u; p--) {
        uint32_t const at = p - 1u;
        uint32_t least = at == l->n ? (most ? GSP_NONE - 1u : 0u) : GSP_NONE;
        for (uint32_t i = at == l->n ? 0u : w->reach[at]; i > 0u; i &= i - 1u) {
            least = w->tree[i] < least ? w->tree[i] : least;
        }
        count[at] = least == GSP_NONE
                        ? GSP_NONE
                        : (most ? GSP_NONE - 1u - least : least) + (at < l->n ? 1u : 0u);
        if (least == GSP_NONE || w->room[at] == GSP_NONE) {
            continue;
        }
        least = most ? GSP_NONE - 1u - count[at] : count[at];
        for (uint32_t i = w->rank[at] + 1u; i <= places; i += i & (0u - i)) {
            w->tree[i] = least < w->tree[i] ? least : w->tree[i];
        }
    }
}

/* Raises w->lower to the least guess for which l->n_stages stages suffice. */
static void gspi_carried_lower(gspi_optimal *w)
{
    gspi_line *l = &w->line;
    const gsp_stage_model *m = &w->d->model;
    for (uint32_t p = 0u; p <= l->n; p++) {
        w->up[p] = l->time[p] + l->cross[p] + (p == l->n ? m->last_time : 0u);
        w->down[p] =
            GSPI_CARRIED_OFFSET + l->time[p] - l->cross[p] - (p == 0u ? m->first_time : 0u);
        w->by_up[p] = p;
        w->by_down[p] = p;
    }
    gspi_sort(w->by_up, l->n + 1u, w->up);
    gspi_sort(w->by_down, l->n + 1u, w->down);
    for (uint32_t p = 0u; p <= l->n; p++) {
        w->rank[w->by_up[p]] = p;
    }
    for (uint64_t high = w->objective; w->lower < high;) {
        uint64_t const middle = w->lower + (high - w->lower) / 2u;
        gspi_carried_reach(w, middle);
        gspi_carried_count(w, 0, w->fewest);
        l->work += l->n;
        if (w->fewest[0] <= l->n_stages) {
            high = middle;
        } else {
            w->lower = middle + 1u;
        }
    }
}

/* l->n_stages stages within w->lower into trial, earliest cuts first; 0: none found. */
static int gspi_carried_plan(gspi_optimal *w)
{
    gspi_carried_reach(w, w->lower);
    gspi_carried_count(w, 0, w->fewest);
    gspi_carried_count(w, 1, w->most);
    w->trial[0] = 0u;
    for (uint32_t s = 0u; s < w->line.n_stages; s++) {
        uint32_t const left = w->line.n_stages - s - 1u;
        uint32_t const ends = w->reach[w->trial[s]];
        uint32_t p = w->trial[s] + 1u;
        while (p <= w->line.n && (w->room[p] == GSP_NONE || w->rank[p] >= ends ||
                                  w->fewest[p] > left || w->most[p] < left)) {
            p++;
        }
        if (p > w->line.n) {
            return 0;
        }
        w->trial[s + 1u] = p;
    }
    return 1;
}

/* Greedy stages with loads of at most `within`, into trial. The bottleneck; UINT64_MAX: none. */
static uint64_t gspi_optimal_greedy(gspi_optimal *w, uint64_t within)
{
    uint64_t bottleneck = 0u;
    w->trial[0] = 0u;
    for (uint32_t s = 0u; s < w->line.n_stages && bottleneck != UINT64_MAX; s++) {
        gspi_span r = gspi_span_open(&w->line, w->trial[s]);
        uint64_t load = UINT64_MAX;
        for (uint64_t here; gspi_span_next(w, &r, s, within, &here);) {
            load = here;
            w->trial[s + 1u] = r.end;
        }
        bottleneck = load > bottleneck ? load : bottleneck;
    }
    return bottleneck;
}

/* The bottleneck of trial, memory ignored. */
static uint64_t gspi_optimal_bottleneck(gspi_optimal *w)
{
    uint64_t bottleneck = 0u;
    for (uint32_t s = 0u; s < w->line.n_stages; s++) {
        gspi_span const r = gspi_span_of(&w->line, w->trial[s], w->trial[s + 1u]);
        uint64_t const load = gspi_span_floor(w, &r, s) + gspi_span_rest(w, &r);
        bottleneck = load > bottleneck ? load : bottleneck;
    }
    return bottleneck;
}

static void gspi_optimal_equal(gspi_optimal *w)
{
    w->trial[0] = 0u;
    for (uint32_t s = 0u; s < w->line.n_stages; s++) {
        uint32_t const rest = w->line.n - w->trial[s];
        uint32_t const left = w->line.n_stages - s;
        w->trial[s + 1u] = w->trial[s] + rest / left + (rest % left != 0u ? 1u : 0u);
    }
}

/* Greedy stages within the memory, last first, into trial. 0: no plan exists, since a larger stage,
 * or an earlier one for a node, never saves memory. */
static int gspi_optimal_fit(gspi_optimal *w, uint64_t memory)
{
    w->trial[w->line.n_stages] = w->line.n;
    for (uint32_t s = w->line.n_stages; s > 0u; s--) {
        gspi_span r = gspi_span_open(&w->line, w->trial[s]);
        w->trial[s - 1u] = GSP_NONE;
        while (r.begin > 0u) {
            gspi_span_step_back(w, &r);
            uint32_t p = r.begin;
            if (gspi_span_bytes(&w->line, &r, s - 1u) > memory) {
                break;
            }
            if (s == 1u ? p == 0u
                        : p > 0u && w->room[p] != GSP_NONE && w->room[0] - w->room[p] + 1u >= s) {
                w->trial[s - 1u] = p;
            }
        }
        if (w->trial[s - 1u] == GSP_NONE) {
            return 0;
        }
    }
    return 1;
}

static void gspi_optimal_keep(gspi_optimal *w, uint64_t bottleneck)
{
    if (bottleneck < w->objective) {
        w->objective = bottleneck;
        gspi_copy(w->cut, w->trial, (size_t)w->line.n_stages + 1u, sizeof(uint32_t));
    }
}

/* w->lower: an equal share of all, or the greatest node. Returns the least cost of a cut. */
static uint64_t gspi_optimal_lower(gspi_optimal *w)
{
    gspi_line *l = &w->line;
    int const by_time = w->d->goal == (uint32_t)GSP_STAGES_OPTIMAL_TIME;
    uint64_t const k = l->n_stages;
    uint64_t least = by_time && k > 1u ? UINT64_MAX : 0u;
    uint64_t all = w->weight[l->n];
    w->lower = 0u;
    for (uint32_t p = 0u; p < l->n; p++) {
        uint64_t const one = w->weight[p + 1u] - w->weight[p];
        w->lower = one > w->lower ? one : w->lower;
        if (p == 0u || w->room[p] == GSP_NONE || least == 0u) {
            continue;
        }
        uint64_t cost = l->last[p - 1u] >= p ? l->move[p - 1u] : 0u;
        for (uint32_t i = l->in_begin[p]; i < l->in_begin[p + 1u]; i++) {
            cost += l->move[l->inputs[i]];
        }
        cost = w->d->model.carried ? 2u * l->cross[p] : cost;
        least = cost < least ? cost : least;
    }
    all += by_time ? w->d->model.first_time + w->d->model.last_time : 0u;
    all += least * (k - 1u);
    all = all / k + (all % k != 0u ? 1u : 0u);
    w->lower = all > w->lower ? all : w->lower;
    return least;
}

/* The best plan within a guess: 1 found, 0 infeasible, -1 max_work. least: least cost of a cut. */
static int gspi_optimal_search(gspi_optimal *w, uint64_t guess, uint64_t least)
{
    gspi_line *l = &w->line;
    uint32_t const n = l->n;
    uint64_t const tail =
        w->d->goal == (uint32_t)GSP_STAGES_OPTIMAL_TIME ? w->d->model.last_time : 0u;
    gspi_set(w->best, 0xFF, (size_t)n + 1u, sizeof(uint64_t));
    w->best[0] = 0u;
    for (uint32_t s = 0u; s < l->n_stages; s++) {
        uint64_t *swap = w->best;
        uint32_t *from = w->from + (size_t)s * ((size_t)n + 1u);
        uint64_t const left = l->n_stages - s;
        uint64_t const rest = gspi_times(guess, left);
        gspi_set(w->next, 0xFF, (size_t)n + 1u, sizeof(uint64_t));
        for (uint32_t p = s; p < n; p++) {
            uint64_t const need = w->weight[n] - w->weight[p] + tail + least * (left - 1u);
            if (w->best[p] == UINT64_MAX || need > rest) {
                continue;
            }
            gspi_span r = gspi_span_open(l, p);
            for (uint64_t load; gspi_span_next(w, &r, s, guess, &load);) {
                load = load > w->best[p] ? load : w->best[p];
                if (load < w->next[r.end]) {
                    w->next[r.end] = load;
                    from[r.end] = p;
                }
            }
            if (l->work > w->d->max_work) {
                return -1;
            }
        }
        w->best = w->next;
        w->next = swap;
    }
    if (w->best[n] == UINT64_MAX) {
        return 0;
    }
    w->trial[l->n_stages] = n;
    for (uint32_t s = l->n_stages; s > 0u; s--) {
        w->trial[s - 1u] = w->from[(size_t)(s - 1u) * ((size_t)n + 1u) + w->trial[s]];
    }
    return 1;
}

/* The best plan of at most `cap`, into cut, objective and lower. 0: too little memory. */
static int gspi_optimal_solve(gspi_optimal *w, uint64_t cap)
{
    const gsp_stages_optimal_desc *d = w->d;
    uint64_t const least = gspi_optimal_lower(w);
    uint64_t step = w->lower / 1024u + 1u;
    int found = 0;
    w->objective = UINT64_MAX;
    if (!gspi_optimal_fit(w, w->memory)) {
        return 0;
    }
    gspi_optimal_keep(w, gspi_optimal_bottleneck(w));
    if (w->memory == UINT64_MAX && !d->keep_groups) {
        gspi_optimal_equal(w);
        gspi_optimal_keep(w, gspi_optimal_bottleneck(w));
    }
    if (d->model.carried && d->goal == (uint32_t)GSP_STAGES_OPTIMAL_TIME) {
        gspi_carried_lower(w);
        if (w->memory == UINT64_MAX && gspi_carried_plan(w)) {
            gspi_optimal_keep(w, gspi_optimal_bottleneck(w));
        }
    }
    /* tighten greedy stages until the gap is small */
    for (uint64_t low = w->lower; low < w->objective && w->objective - low > w->lower / 4096u;) {
        uint64_t const middle = low + (w->objective - low) / 2u;
        uint64_t const bottleneck = gspi_optimal_greedy(w, middle);
        low = bottleneck == UINT64_MAX ? middle + 1u : low;
        gspi_optimal_keep(w, bottleneck);
    }
    cap = cap < w->objective ? cap : w->objective;
    while (found == 0 && w->lower <= cap) {
        uint64_t const guess = step < cap - w->lower ? w->lower + step : cap;
        found = gspi_optimal_search(w, guess, least);
        if (found > 0) {
            w->objective = UINT64_MAX;
            gspi_optimal_keep(w, w->best[w->line.n]);
            w->lower = w->objective;
        } else if (found == 0) {
            w->lower = guess + 1u;
            step *= 4u;
        }
    }
    return 1;
}

/* Solves one line. Returns the least feasible memory per stage; 0: a plan exists. */
static uint64_t gspi_optimal_one(gspi_optimal *w, uint32_t number)
{
    gsp_stages_optimal_result *r = w->made;
    w->line.work = 0u;
    if (number == 0u) {
        gspi_optimal_equal(w);
        r->reference = gspi_optimal_bottleneck(w);
    }
    if (!gspi_optimal_solve(w, r->objective - 1u)) {
        uint64_t low = 0u;
        for (uint64_t high = UINT64_MAX - 1u; low < high;) {
            uint64_t const middle = low + (high - low) / 2u;
            int const fits = gspi_optimal_fit(w, middle);
            low = fits ? low : middle + 1u;
            high = fits ? middle : high;
        }
        return low;
    }
    r->lower_bound = w->lower < r->lower_bound ? w->lower : r->lower_bound;
    if (w->objective < r->objective) {
        r->objective = w->objective;
        r->order = number;
        r->n_stages = w->line.n_stages;
        for (uint32_t s = 0u; s < r->n_stages; s++) {
            for (uint32_t p = w->cut[s]; p < w->cut[s + 1u]; p++) {
                w->stage_of[w->line.node[p]] = s;
            }
        }
    }
    r->work += w->line.work;
    return 0u;
}

/* Tries graph order, kinds, then seeds, forward and backward. Returns as gspi_optimal_one(). */
GSPI_OWN_FRAME uint64_t gspi_optimal_try(gsp_arena *arena, gspi_optimal *w, const gsp_graph *g)
{
    gsp_stages_optimal_result *r = w->made;
    uint32_t n_orders = w->d->n_orders;
    uint64_t need = UINT64_MAX;
    for (gsp_node v = 0u; v < g->n_nodes && n_orders > 1u; v++) {
        if (gspi_attr(g, v, GSP_KEY_MUTATES) != GSP_NONE ||
            gspi_attr(g, v, GSP_KEY_BARRIER) != GSP_NONE) {
            n_orders = 1u;
        }
    }
    gspi_none_words(w->stage_of, g->n_nodes);
    for (uint32_t i = 0u; i < n_orders && r->objective > 0u; i++) {
        uint32_t const deep = (uint32_t)GSP_TOPO_ORDER_DEPTH;
        gsp_mark const mark = gsp_arena_mark(arena);
        gsp_topo_order_desc order = {0u, 0u, 0u, 0u, 0u};
        gsp_topo_order_result made = {0u, NULL};
        order.backward = i % 2u;
        order.kind = i / 2u < deep ? i / 2u : deep;
        order.seed = i / 2u - order.kind;
        if (i > 0u) {
            (void)gsp_topo_order_run(arena, g, &order, &made, NULL);
        }
        gspi_optimal_line(w, g, made.order);
        gsp_arena_rewind(arena, mark);
        if (w->line.n == 0u) {
            r->objective = 0u;
        } else {
            uint64_t const least = gspi_optimal_one(w, i);
            need = least != 0u && least < need ? least : need;
        }
    }
    r->lower_bound = r->lower_bound < r->objective ? r->lower_bound : r->objective;
    r->proved = r->lower_bound == r->objective ? 1u : 0u;
    return r->objective == UINT64_MAX ? need : 0u;
}

/* held is non-increasing; sums fit 61 bits, with all cuts and all microbatches. */
static gsp_status gspi_optimal_check(const gsp_graph *g, const gsp_stages_optimal_desc *d,
                                     gsp_error *err)
{
    const gsp_stage_model *m = &d->model;
    uint32_t const stages = gspi_line_asked(d, g->n_nodes);
    uint64_t const held = 1u + (stages == 0u ? 0u : (uint64_t)gspi_held(m, 0u, stages));
    for (uint32_t s = 1u; s < stages && m->held != NULL; s++) {
        GSPI_CHECK_ITEM(m->held[s] <= m->held[s - 1u], ARG, HELD, STAGE, s, GSP_NONE);
    }
    return gspi_check_costs(g, m, 2u * (uint64_t)stages + 1u, 2u * held, err);
}

GSP_API gsp_status gsp_stages_optimal_run(gsp_arena *arena, const gsp_graph *graph,
                                          const gsp_stages_optimal_desc *desc,
                                          gsp_stages_optimal_result *result, gsp_error *err)
{
    gsp_stages_optimal_desc const d = gsp_stages_optimal_resolve(desc);
    gsp_status status = GSP_OK;
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    GSPI_CHECK_DESC(d);
    GSPI_CHECK(d.goal < (uint32_t)GSP_STAGES_OPTIMAL_COUNT, DESC, CHOICE);
    GSPI_CHECK_GIVEN(d.model.costs != NULL);
    GSPI_TRY(gspi_optimal_check(graph, &d, err));
    GSPI_TRY(gspi_enter(&pass, arena, gspi_optimal_bound(graph, &d), err));
    gspi_optimal *w = GSPI_HIGH(&pass.bump, gspi_optimal, 1u);
    gspi_optimal_layout(&pass.bump, w, graph, &d);
    gspi_set(w->made, 0, 1u, sizeof(gsp_stages_optimal_result));
    w->memory = d.memory == 0u ? UINT64_MAX : d.memory / d.n_chunks;
    w->made->n_nodes = graph->n_nodes;
    w->made->stage_of = w->stage_of;
    w->made->objective = UINT64_MAX;
    w->made->lower_bound = UINT64_MAX;
    uint64_t const need = gspi_optimal_try(arena, w, graph);
    if (need != 0u) {
        status = gspi_fail_amount(err, GSP_STATUS_NO_FIT, GSP_DETAIL_MEMORY,
                                  gspi_times(need, d.n_chunks), d.memory);
    } else {
        *result = *w->made;
    }
    return gspi_leave(&pass, status, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>stages_from_marks   Stages from markers and split specs                        (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Callable nodes but markers are numbered 0, 1, ...; cut[i]: a stage begins at the i-th. A node
 * looks up all prefixes of its scope; a path keeps its last node, to see its calls begin and
 * end. */

typedef struct gspi_marks {
    const gsp_graph *g;
    const gsp_stages_from_marks_desc *d;
    uint32_t *stage_of; /* [n] result */
    uint8_t *cut;       /* [n + 1] */
    gspi_texts paths;   /* [n_points] */
    uint32_t *last;     /* [n_points] last callable node below the path, GSP_NONE: none */
    uint8_t *whole;     /* [n_points] that node is a call of the path itself */
} gspi_marks;

static void gspi_marks_layout(gspi_bump *b, gspi_marks *w, const gsp_graph *g,
                              const gsp_stages_from_marks_desc *d)
{
    w->g = g;
    w->d = d;
    w->stage_of = GSPI_LOW(b, uint32_t, g->n_nodes);
    w->cut = GSPI_HIGH(b, uint8_t, (size_t)g->n_nodes + 1u);
    gspi_texts_layout(b, &w->paths, d->n_points);
    w->last = GSPI_HIGH(b, uint32_t, d->n_points);
    w->whole = GSPI_HIGH(b, uint8_t, d->n_points);
}

GSP_API size_t gsp_stages_from_marks_bound(const gsp_graph *graph,
                                           const gsp_stages_from_marks_desc *desc)
{
    gsp_stages_from_marks_desc d;
    gspi_bump b = gspi_bump_over(NULL);
    gspi_marks w;
    gspi_desc(&d, desc, sizeof(d));
    gspi_marks_layout(&b, &w, graph, &d);
    return gspi_add(b.used, GSPI_SLACK);
}

/* Looks up all prefixes of the scope of a node, the i-th callable. Each entry found cuts where a
 * call of its path begins, or the previous one has ended. */
static void gspi_marks_node(const gspi_marks *w, gsp_node v, uint32_t i)
{
    gsp_str const scope = gsp_node_scope(w->g, v);
    int const call = gspi_op(w->g, v) == GSP_OP_CALL_MODULE;
    uint32_t hash = GSPI_TEXT_START;
    for (uint32_t k = 0u; k < scope.size; k++) {
        hash = gspi_text_hash(hash, gspi_slice(scope.data, k, (size_t)k + 1u));
        if (k + 1u < scope.size && scope.data[k + 1u] != '.') {
            continue;
        }
        gsp_str const path = gspi_slice(scope.data, 0u, (size_t)k + 1u);
        int const whole = call && gsp_str_equal(gspi_target_str(w->g, v), path);
        uint32_t entry = *gspi_texts_slot(&w->paths, path, hash);
        for (; entry != GSP_NONE; entry = w->paths.same[entry]) {
            uint32_t const before = w->last[entry];
            int const begins = before == GSP_NONE || before + 1u != i || whole || w->whole[entry];
            if (begins && w->d->points[entry].point == (uint32_t)GSP_SPLIT_POINT_BEGINNING) {
                w->cut[i] = 1u;
            } else if (begins && before != GSP_NONE) {
                w->cut[before + 1u] = 1u;
            }
            w->last[entry] = i;
            w->whole[entry] = (uint8_t)whole;
        }
    }
}

/* Makes all cuts, and numbers the nodes in stage_of. Returns an entry without nodes below its path,
 * or GSP_NONE. */
static uint32_t gspi_marks_cuts(const gspi_marks *w)
{
    const gsp_stages_from_marks_desc *d = w->d;
    gsp_str const marker = gspi_marker(d->marker);
    uint32_t i = 0u;
    gspi_none_words(w->paths.slot, (size_t)w->paths.mask + 1u);
    gspi_none_words(w->last, d->n_points);
    gspi_set(w->whole, 0, d->n_points, 1u);
    gspi_set(w->cut, 0, (size_t)w->g->n_nodes + 1u, 1u);
    for (uint32_t k = 0u; k < d->n_points; k++) {
        gspi_texts_add(&w->paths, k, d->points[k].path);
    }
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        w->stage_of[v] = GSP_NONE;
        if (!gspi_callable(w->g, v)) {
            continue;
        }
        if (gspi_is_marker(w->g, v, marker)) {
            w->cut[i] |= d->policy == NULL;
            continue;
        }
        if (d->policy != NULL && d->policy(d->user, w->g, v) != 0) {
            w->cut[i] = 1u;
        }
        if (d->n_points != 0u) {
            gspi_marks_node(w, v, i);
        }
        w->stage_of[v] = i++;
    }
    for (uint32_t k = 0u; k < d->n_points; k++) {
        if (w->last[k] == GSP_NONE) {
            return k;
        }
        if (d->points[k].point == (uint32_t)GSP_SPLIT_POINT_END) {
            w->cut[w->last[k] + 1u] = 1u; /* behind the last call */
        }
    }
    return GSP_NONE;
}

GSP_API gsp_status gsp_stages_from_marks_run(gsp_arena *arena, const gsp_graph *graph,
                                             const gsp_stages_from_marks_desc *desc,
                                             gsp_stages_from_marks_result *result, gsp_error *err)
{
    gsp_stages_from_marks_desc d;
    gspi_marks w;
    gspi_pass pass;
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    GSPI_CHECK_DESC(d);
    GSPI_CHECK_GIVEN(d.points != NULL || d.n_points == 0u);
    GSPI_CHECK(d.n_points == 0u || d.policy == NULL, ARG, POLICY);
    for (uint32_t i = 0u; i < d.n_points; i++) {
        GSPI_CHECK_ITEM(d.points[i].point < (uint32_t)GSP_SPLIT_POINT_COUNT, ARG, POINT, POINT, i,
                        GSP_NONE);
        GSPI_CHECK_ITEM(!gspi_is_null(d.points[i].path), ARG, NULL_ARGUMENT, POINT, i, GSP_NONE);
    }
    GSPI_TRY(gspi_enter(&pass, arena, gsp_stages_from_marks_bound(graph, &d), err));
    gspi_marks_layout(&pass.bump, &w, graph, &d);
    uint32_t const missing = gspi_marks_cuts(&w);
    if (missing != GSP_NONE) {
        return gspi_leave(
            &pass,
            gspi_fail_item(err, GSP_STATUS_ARG, GSP_DETAIL_PATH, GSP_WHAT_POINT, missing, GSP_NONE),
            err);
    }
    result->n_nodes = graph->n_nodes;
    result->n_stages = 0u;
    for (gsp_node v = 0u; v < graph->n_nodes; v++) {
        uint32_t const i = w.stage_of[v];
        if (i != GSP_NONE) {
            result->n_stages += i == 0u || w.cut[i] ? 1u : 0u;
            w.stage_of[v] = result->n_stages - 1u;
        }
    }
    result->stage_of = w.stage_of;
    return gspi_leave(&pass, GSP_OK, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>stage_params   Parameters of stages                                            (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Attributes of one target become one. Rows follow: nodes by stage, stages by attribute, attributes
 * by stage; a walk of the previous row counts and fills each. */

/* What a stage holds: what its nodes read, attributes, or called modules. */
#define GSPI_HOLDS_READ   0
#define GSPI_HOLDS_OWN    1
#define GSPI_HOLDS_CALLED 2

typedef struct gspi_params {
    gsp_stage_params_result made;
    const gsp_graph *g;
    const gsp_stage_params_desc *d;
    uint32_t n_attrs;
    uint32_t *stage_of;               /* [n] result */
    gsp_node *kept;                   /* [n] result */
    uint32_t *home;                   /* [n] result */
    uint32_t *begin;                  /* [n + 1] result */
    gsp_node *nodes;                  /* [n] result */
    uint32_t *own_begin;              /* [n + 1] result */
    gsp_node *own;                    /* [edges] result */
    gsp_stage_param *params;          /* [n] result */
    gsp_stage_param_copy *replicated; /* [n] result */
    gsp_stage_param_copy *shared;     /* [n] result */
    uint32_t *held;                   /* [2 * edges + n] result */
    gspi_texts uses;                  /* [n_uses] */
    uint8_t *used;                    /* [n_uses] the entry names an attribute */
    uint32_t *by_string;              /* [strings] first of a target or storage */
    uint32_t *attr_of;                /* [n] number of a kept attribute, or GSP_NONE */
    gsp_node *attrs;                  /* [n] kept attributes, in graph order */
    uint8_t *child;                   /* [n] the attribute names a child graph */
    uint32_t *attr_begin;             /* [n + 1] into attr_stages */
    uint32_t *attr_stages;            /* [edges] ascending */
    uint32_t *key_of;                 /* [n] first node of the same storage or module */
    uint32_t *stamp;                  /* [n] last stage of a key, plus one */
    uint32_t *row;                    /* [n] number of stages of a key, then where they go */
} gspi_params;

static void gspi_params_layout(gspi_bump *b, gspi_params *w, const gsp_graph *g,
                               const gsp_stage_params_desc *d)
{
    gsp_counts const c = gsp_graph_counts(g);
    uint32_t const n = c.nodes;
    size_t const rows = (size_t)n + 1u;
    gsp_stage_params_result *r = &w->made;
    w->g = g;
    w->d = d;
    r->stage_of = w->stage_of = GSPI_LOW(b, uint32_t, n);
    r->kept = w->kept = GSPI_LOW(b, gsp_node, n);
    r->home = w->home = GSPI_LOW(b, uint32_t, n);
    r->begin = w->begin = GSPI_LOW(b, uint32_t, rows);
    r->nodes = w->nodes = GSPI_LOW(b, gsp_node, n);
    r->own_begin = w->own_begin = GSPI_LOW(b, uint32_t, rows);
    r->own = w->own = GSPI_LOW(b, gsp_node, c.edges);
    r->params = w->params = GSPI_LOW(b, gsp_stage_param, n);
    r->replicated = w->replicated = GSPI_LOW(b, gsp_stage_param_copy, n);
    r->shared = w->shared = GSPI_LOW(b, gsp_stage_param_copy, n);
    r->held = w->held = GSPI_LOW(b, uint32_t, gspi_mul_add(c.edges, 2u, n));
    gspi_texts_layout(b, &w->uses, d->n_uses);
    w->used = GSPI_HIGH(b, uint8_t, d->n_uses);
    w->by_string = GSPI_HIGH(b, uint32_t, c.strings);
    w->attr_of = GSPI_HIGH(b, uint32_t, n);
    w->attrs = GSPI_HIGH(b, gsp_node, n);
    w->child = GSPI_HIGH(b, uint8_t, n);
    w->attr_begin = GSPI_HIGH(b, uint32_t, rows);
    w->attr_stages = GSPI_HIGH(b, uint32_t, c.edges);
    w->key_of = GSPI_HIGH(b, uint32_t, n);
    w->stamp = GSPI_HIGH(b, uint32_t, n);
    w->row = GSPI_HIGH(b, uint32_t, n);
}

GSPI_OWN_FRAME size_t gspi_params_bytes(const gsp_graph *graph, const gsp_stage_params_desc *desc)
{
    gsp_stage_params_desc d;
    gspi_bump b = gspi_bump_over(NULL);
    gspi_params w;
    gspi_desc(&d, desc, sizeof(d));
    (void)GSPI_HIGH(&b, gspi_params, 1u);
    gspi_params_layout(&b, &w, graph, &d);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API size_t gsp_stage_params_bound(const gsp_graph *graph, const gsp_stage_params_desc *desc)
{
    return gspi_params_bytes(graph, desc);
}

/* No kept or returned node reads one that is not kept, or of a later stage. */
static gsp_status gspi_params_check(const gsp_graph *g, const gsp_stage_params_desc *d,
                                    gsp_error *err)
{
    const uint32_t *stage_of = d->stage_of;
    GSPI_CHECK_DESC(*d);
    GSPI_CHECK_GIVEN((stage_of != NULL || g->n_nodes == 0u) &&
                     (d->uses != NULL || d->n_uses == 0u));
    GSPI_CHECK(d->multi_use < (uint32_t)GSP_MULTI_USE_COUNT, ARG, MULTI_USE);
    for (uint32_t i = 0u; i < d->n_uses; i++) {
        GSPI_CHECK_ITEM(d->uses[i].multi_use < (uint32_t)GSP_MULTI_USE_COUNT, ARG, MULTI_USE, PARAM,
                        i, GSP_NONE);
        GSPI_CHECK_ITEM(!gspi_is_null(d->uses[i].target), ARG, NULL_ARGUMENT, PARAM, i, GSP_NONE);
    }
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        uint32_t const stage = gspi_callable(g, v) ? stage_of[v] : GSP_NONE;
        gspi_row const inputs = gspi_inputs(g, v);
        if (stage == GSP_NONE && v + 1u < g->n_nodes) {
            continue;
        }
        GSPI_CHECK_AT(stage == GSP_NONE || stage < g->n_nodes, ARG, STAGE, v, GSP_NONE);
        for (uint32_t i = 0u; i < inputs.n; i++) {
            gsp_node const u = inputs.at[i];
            if (gspi_callable(g, u)) {
                GSPI_CHECK_AT(stage_of[u] != GSP_NONE, ARG, STAGE, v, u);
                GSPI_CHECK_AT(stage_of[u] <= stage, ARG, STAGE_ORDER, v, u);
            }
        }
    }
    return GSP_OK;
}

/* Renumbers stages without holes; rows of nodes. Attributes become the first of a target. */
static void gspi_params_stages(gspi_params *w)
{
    uint32_t const n = w->g->n_nodes;
    uint32_t *number = w->row;
    uint32_t n_stages = 0u;
    w->n_attrs = 0u;
    gspi_zero_words(number, n);
    gspi_none_words(w->by_string, w->g->module->counts.strings);
    for (gsp_node v = 0u; v < n; v++) {
        w->stage_of[v] = gspi_callable(w->g, v) ? w->d->stage_of[v] : GSP_NONE;
        w->kept[v] = v;
        w->attr_of[v] = GSP_NONE;
        if (w->stage_of[v] != GSP_NONE) {
            number[w->stage_of[v]] = 1u;
        } else if (gspi_op(w->g, v) == GSP_OP_GET_ATTR) {
            uint32_t *first = &w->by_string[gspi_target_id(w->g, v)];
            if (*first == GSP_NONE) {
                *first = v;
                w->attr_of[v] = w->n_attrs;
                w->child[w->n_attrs] = gspi_child_of(w->g, v) != GSP_NONE;
                w->attrs[w->n_attrs++] = v;
            }
            w->kept[v] = *first;
        }
    }
    for (uint32_t s = 0u; s < n; s++) {
        uint32_t const used = number[s];
        number[s] = n_stages;
        n_stages += used;
    }
    for (gsp_node v = 0u; v < n; v++) {
        w->stage_of[v] = w->stage_of[v] == GSP_NONE ? GSP_NONE : number[w->stage_of[v]];
        w->home[v] = w->stage_of[v];
    }
    gspi_rows(w->stage_of, n, n_stages, w->begin, w->nodes);
    w->made.n_nodes = n;
    w->made.n_stages = n_stages;
}

/* Counts in `row` by key the stages that hold something; with `held` notes them, from the end of
 * each row. Nodes without key and rows of GSP_NONE are skipped. */
static void gspi_params_walk(gspi_params *w, int what, const uint32_t *key_of, uint32_t *row,
                             uint32_t *held)
{
    const uint32_t *begin = what == GSPI_HOLDS_OWN ? w->own_begin : w->begin;
    const gsp_node *list = what == GSPI_HOLDS_OWN ? w->own : w->nodes;
    gspi_zero_words(w->stamp, w->g->n_nodes);
    for (uint32_t stage = w->made.n_stages; stage > 0u; stage--) {
        for (uint32_t k = begin[stage - 1u]; k < begin[stage]; k++) {
            gspi_row things = {list + k, 1u};
            things = what == GSPI_HOLDS_READ ? gspi_inputs(w->g, list[k]) : things;
            for (uint32_t i = 0u; i < things.n; i++) {
                uint32_t const key = key_of[w->kept[things.at[i]]];
                if (key == GSP_NONE || w->stamp[key] == stage || row[key] == GSP_NONE) {
                    continue;
                }
                w->stamp[key] = stage;
                if (held != NULL) {
                    held[--row[key]] = stage - 1u;
                } else {
                    row[key]++;
                }
            }
        }
    }
}

/* Stages that read an attribute, or the one that transmits it. */
static gspi_row gspi_params_holders(const gspi_params *w, uint32_t attr)
{
    gspi_row row;
    row.at = w->attr_stages + w->attr_begin[attr];
    row.n =
        w->home[w->attrs[attr]] != GSP_NONE ? 1u : w->attr_begin[attr + 1u] - w->attr_begin[attr];
    return row;
}

/* Sets transmitted attributes. Returns an entry that names none, or GSP_NONE. */
static uint32_t gspi_params_uses(gspi_params *w)
{
    gspi_none_words(w->uses.slot, (size_t)w->uses.mask + 1u);
    gspi_set(w->used, 0, w->d->n_uses, 1u);
    for (uint32_t i = 0u; i < w->d->n_uses; i++) {
        gspi_texts_add(&w->uses, i, w->d->uses[i].target);
    }
    for (uint32_t i = 0u; i < w->n_attrs; i++) {
        gsp_str const target = gspi_target_str(w->g, w->attrs[i]);
        uint32_t entry =
            *gspi_texts_slot(&w->uses, target, gspi_text_hash(GSPI_TEXT_START, target));
        uint32_t const use = entry != GSP_NONE ? w->d->uses[entry].multi_use : w->d->multi_use;
        if (use == (uint32_t)GSP_MULTI_USE_TRANSMIT && !w->child[i] &&
            gspi_params_holders(w, i).n > 1u) {
            w->home[w->attrs[i]] = gspi_params_holders(w, i).at[0];
        }
        for (; entry != GSP_NONE; entry = w->uses.same[entry]) {
            w->used[entry] = 1u;
        }
    }
    for (uint32_t i = 0u; i < w->d->n_uses; i++) {
        if (!w->used[i]) {
            return i;
        }
    }
    return GSP_NONE;
}

static void gspi_params_own(gspi_params *w)
{
    gspi_zero_words(w->own_begin, (size_t)w->made.n_stages + 1u);
    for (uint32_t attr = 0u; attr < w->n_attrs; attr++) {
        gspi_row const stages = gspi_params_holders(w, attr);
        for (uint32_t i = 0u; i < stages.n; i++) {
            w->own_begin[stages.at[i]]++;
        }
    }
    gspi_counts_to_ends(w->own_begin, w->made.n_stages);
    for (uint32_t attr = w->n_attrs; attr > 0u; attr--) {
        gspi_row const stages = gspi_params_holders(w, attr - 1u);
        for (uint32_t i = 0u; i < stages.n; i++) {
            w->own[--w->own_begin[stages.at[i]]] = w->attrs[attr - 1u];
        }
    }
}

/* No node writes an attribute of several stages (flattened positions of `mutates=`). */
static gsp_status gspi_params_check_writes(const gspi_params *w, gsp_error *err)
{
    uint64_t sought = 0u;
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        gsp_str const list = gspi_attr_str(w->g, v, GSP_KEY_MUTATES);
        gspi_arg_row const args = gspi_args(w->g, v);
        uint32_t token = 0u;
        uint32_t at = 0u;
        uint32_t i = w->stage_of[v] == GSP_NONE ? list.size : 0u;
        while (i < list.size) {
            uint32_t position;
            if (!gspi_next_position(list, &i, &position)) {
                continue;
            }
            sought += position < at ? at : 0u;
            GSPI_CHECK_AT(sought <= GSPI_SOUGHT, LIMIT, WORK, v, GSP_NONE);
            uint32_t const k = gspi_seek_leaf(args, &token, &at, position);
            int const is_node = k != GSP_NONE && args.at[k].kind == (uint32_t)GSP_ARG_NODE;
            gsp_node const u = is_node ? args.at[k].value : v;
            uint32_t const attr = w->attr_of[w->kept[u]];
            GSPI_CHECK_AT(attr == GSP_NONE || w->child[attr] ||
                              gspi_params_holders(w, attr).n <= 1u,
                          ARG, WRITTEN, v, u);
        }
    }
    return GSP_OK;
}

/* Parameters of stages, with holders and the first of each storage. */
static void gspi_params_list(gspi_params *w)
{
    gsp_stage_params_result *r = &w->made;
    r->n_params = 0u;
    r->n_held = 0u;
    gspi_none_words(w->by_string, w->g->module->counts.strings);
    gspi_none_words(w->key_of, w->g->n_nodes);
    for (uint32_t attr = 0u; attr < w->n_attrs; attr++) {
        gspi_row const stages = gspi_params_holders(w, attr);
        gsp_node const v = w->attrs[attr];
        gsp_stage_param *p = w->params + r->n_params;
        if (w->child[attr] || stages.n == 0u) {
            continue;
        }
        gsp_atom const storage = gspi_attr(w->g, v, GSP_KEY_STORAGE);
        p->first = r->n_params++;
        if (storage != GSP_NONE && w->by_string[storage] != GSP_NONE) {
            p->first = w->by_string[storage];
        } else if (storage != GSP_NONE) {
            w->by_string[storage] = p->first;
        }
        p->node = v;
        p->target = gspi_target_id(w->g, v);
        p->transmitted = w->home[v] != GSP_NONE ? 1u : 0u;
        p->begin = r->n_held;
        p->end = r->n_held += stages.n;
        gspi_copy(w->held + p->begin, stages.at, stages.n, sizeof(uint32_t));
        w->key_of[v] = w->params[p->first].node;
    }
}

/* Keys of called modules: the first call of each. */
static void gspi_params_calls(gspi_params *w)
{
    gspi_none_words(w->by_string, w->g->module->counts.strings);
    gspi_none_words(w->key_of, w->g->n_nodes);
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        if (w->stage_of[v] != GSP_NONE && gspi_op(w->g, v) == GSP_OP_CALL_MODULE) {
            uint32_t *first = &w->by_string[gspi_target_id(w->g, v)];
            *first = *first == GSP_NONE ? v : *first;
            w->key_of[v] = *first;
        }
    }
}

/* Lists keys held by several stages, but modules of `params=0`. Returns their number. */
static uint32_t gspi_params_copies(gspi_params *w, int what, gsp_stage_param_copy *copies)
{
    uint32_t n_copies = 0u;
    gspi_zero_words(w->row, w->g->n_nodes);
    gspi_params_walk(w, what, w->key_of, w->row, NULL);
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        uint32_t const count = w->row[v];
        uint64_t bytes = 1u;
        w->row[v] = GSP_NONE;
        if (count > 1u && what == GSPI_HOLDS_CALLED) {
            (void)gsp_str_number(gspi_attr_str(w->g, v, GSP_KEY_PARAMS), &bytes);
        }
        if (count > 1u && bytes > 0u) {
            gsp_stage_param_copy *copy = copies + n_copies++;
            copy->node = v;
            copy->target = gspi_target_id(w->g, v);
            copy->begin = w->made.n_held;
            copy->end = w->row[v] = w->made.n_held += count;
        }
    }
    gspi_params_walk(w, what, w->key_of, w->row, w->held);
    return n_copies;
}

GSPI_OWN_FRAME gsp_status gspi_params_run(gsp_arena *arena, const gsp_graph *g,
                                          const gsp_stage_params_desc *d,
                                          gsp_stage_params_result *result, gsp_error *err)
{
    gspi_pass pass;
    gsp_status status;
    GSPI_TRY(gspi_enter(&pass, arena, gsp_stage_params_bound(g, d), err));
    gspi_params *w = GSPI_HIGH(&pass.bump, gspi_params, 1u);
    gspi_params_layout(&pass.bump, w, g, d);
    gspi_params_stages(w);
    gspi_zero_words(w->attr_begin, (size_t)w->n_attrs + 1u);
    gspi_params_walk(w, GSPI_HOLDS_READ, w->attr_of, w->attr_begin, NULL);
    gspi_counts_to_ends(w->attr_begin, w->n_attrs);
    gspi_params_walk(w, GSPI_HOLDS_READ, w->attr_of, w->attr_begin, w->attr_stages);
    uint32_t const missing = gspi_params_uses(w);
    if (missing != GSP_NONE) {
        status = gspi_fail_item(err, GSP_STATUS_ARG, GSP_DETAIL_PARAMETER, GSP_WHAT_PARAM, missing,
                                GSP_NONE);
    } else {
        status = gspi_params_check_writes(w, err);
    }
    if (status == GSP_OK) {
        gspi_params_own(w);
        gspi_params_list(w);
        w->made.n_replicated = gspi_params_copies(w, GSPI_HOLDS_OWN, w->replicated);
        gspi_params_calls(w);
        w->made.n_shared = gspi_params_copies(w, GSPI_HOLDS_CALLED, w->shared);
        *result = w->made;
    }
    return gspi_leave(&pass, status, err);
}

GSP_API gsp_status gsp_stage_params_run(gsp_arena *arena, const gsp_graph *graph,
                                        const gsp_stage_params_desc *desc,
                                        gsp_stage_params_result *result, gsp_error *err)
{
    gsp_stage_params_desc d;
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    GSPI_TRY(gspi_params_check(graph, &d, err));
    return gspi_params_run(arena, graph, &d, result, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>pipeline   The pipeline as a module                                            (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Finds values that enter and leave stages, then builds root and stages on the input's atoms. */

/* Name spaces. All contain the names of graphs. */
#define GSPI_PIPE_NOWHERE 0u
#define GSPI_PIPE_CALLED  1u /* targets of called modules: no names for stages */
#define GSPI_PIPE_STAGE   2u /* plus a stage: targets in its graph */

typedef struct gspi_pipe {
    const gsp_graph *g;
    const gsp_pipeline_desc *d;
    gsp_builder *b;
    gsp_pipeline_result *made;
    const gsp_stage_params_result *h;
    gsp_node *node_of;   /* [n] result */
    gsp_node *call;      /* [n] result */
    uint32_t *out_begin; /* [n + 1] into out_nodes */
    gsp_node *out_nodes; /* [n] values by stage */
    uint32_t *out_index; /* [n] index among values of its stage; GSP_NONE: no reader outside */
    uint32_t *in_begin;  /* [n + 1] into in_nodes */
    gsp_node *in_nodes;  /* [edges] inputs by stage */
    uint32_t *stamp;     /* [n] last stage that met this value, plus one */
    gsp_node *local;     /* [n] its node in that stage */
    gsp_node *in_root;   /* [n] its node in the root */
    gsp_atom *name;      /* [n] names of stages */
    gspi_names names;    /* [strings of the result] */
    uint32_t *flat_in;   /* [strings] stage that calls a target, plus one ... */
    gsp_atom *flat_as;   /* [strings] ... under this name */
    gspi_copier copier;
} gspi_pipe;

static void gspi_pipe_layout(gspi_bump *b, gspi_pipe *w, const gsp_graph *g, const gsp_counts *made)
{
    gsp_counts const *c = &g->module->counts;
    uint32_t const n = c->nodes;
    size_t const rows = (size_t)n + 1u;
    gspi_copier_layout(b, &w->copier, g->module);
    w->g = g;
    w->b = w->copier.b;
    w->made = GSPI_HIGH(b, gsp_pipeline_result, 1u);
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
    w->name = GSPI_HIGH(b, gsp_atom, n);
    w->names.of = GSPI_HIGH(b, gspi_name, made->strings);
    w->flat_in = GSPI_HIGH(b, uint32_t, c->strings);
    w->flat_as = GSPI_HIGH(b, gsp_atom, c->strings);
}

/* At most n stages; a root node and a call per node; in stages each callable node once, and at most
 * one placeholder or attribute per edge. */
static gsp_counts gspi_pipe_counts(const gsp_counts *c)
{
    uint64_t const n = c->nodes;
    gsp_counts r;
    r.graphs = gspi_count(n + c->graphs + 1u);
    /* root: 2 n + 1; stages: n callable nodes, n outputs, the edges; child graphs: n */
    r.nodes = gspi_count(n * 5u + c->edges + 1u);
    /* those of the input twice (child graphs, callable nodes); 2 per getitem, 3 per return */
    r.args = gspi_count((uint64_t)c->args * 2u + n * 5u + c->edges);
    r.edges = r.args;
    r.attrs = gspi_count(c->attrs + n * 5u);
    /* name and index per getitem; two numbered names and a number per stage; a numbered flattened
     * target; "getitem", "submod" */
    r.strings = gspi_count(c->strings + n * 10u + 4u);
    r.bytes = gspi_count((uint64_t)c->bytes * 3u + n * 130u + 128u);
    return r;
}

/* Without the parameters. */
GSPI_OWN_FRAME size_t gspi_pipe_bytes(const gsp_graph *graph)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_counts const made = gspi_pipe_counts(&graph->module->counts);
    gspi_pipe w;
    (void)GSPI_HIGH(&b, gspi_pipe, 1u);
    gspi_pipe_layout(&b, &w, graph, &made);
    return gspi_add(gspi_add(b.used, GSPI_SLACK), gsp_build_bound(&made));
}

GSP_API size_t gsp_pipeline_bound(const gsp_graph *graph, const gsp_pipeline_desc *desc)
{
    size_t const bound = gspi_pipe_bytes(graph);
    return gspi_add(bound, gsp_stage_params_bound(graph, desc == NULL ? NULL : &desc->hold));
}

/* Rows of returned values by stage: own by first reader outside, then transmitted attributes. */
static void gspi_pipe_outputs(gspi_pipe *w)
{
    const uint32_t *home = w->h->home;
    uint32_t const n = w->g->n_nodes;
    gspi_zero_words(w->out_begin, (size_t)w->h->n_stages + 1u);
    gspi_none_words(w->out_index, n);
    for (gsp_node v = 0u; v < n; v++) {
        uint32_t const stage = w->h->stage_of[v];
        gspi_row const inputs = gspi_inputs(w->g, v);
        for (uint32_t i = 0u; i < inputs.n && (stage != GSP_NONE || v + 1u == n); i++) {
            gsp_node const u = inputs.at[i];
            if (w->h->stage_of[u] != GSP_NONE && home[u] != stage && w->out_index[u] == GSP_NONE) {
                w->out_index[u] = w->out_begin[home[u] + 1u]++;
            }
        }
    }
    for (gsp_node v = 0u; v < n; v++) {
        if (gspi_op(w->g, v) == GSP_OP_GET_ATTR && home[v] != GSP_NONE) {
            w->out_index[v] = w->out_begin[home[v] + 1u]++;
        }
    }
    for (uint32_t stage = 0u; stage < w->h->n_stages; stage++) {
        w->out_begin[stage + 1u] += w->out_begin[stage];
    }
    for (gsp_node v = 0u; v < n; v++) {
        if (w->out_index[v] != GSP_NONE) {
            w->out_nodes[w->out_begin[home[v]] + w->out_index[v]] = v;
        }
    }
}

/* Rows of inputs by stage, by first use: placeholders and values of other stages. */
static void gspi_pipe_inputs(gspi_pipe *w)
{
    uint32_t n = 0u;
    gspi_zero_words(w->stamp, w->g->n_nodes);
    for (uint32_t stage = 0u; stage < w->h->n_stages; stage++) {
        w->in_begin[stage] = n;
        for (uint32_t k = w->h->begin[stage]; k < w->h->begin[stage + 1u]; k++) {
            gspi_row const inputs = gspi_inputs(w->g, w->h->nodes[k]);
            for (uint32_t i = 0u; i < inputs.n; i++) {
                gsp_node const u = w->h->kept[inputs.at[i]];
                uint32_t const home = w->h->home[u];
                if (w->stamp[u] != stage + 1u && home != stage &&
                    (home != GSP_NONE || gspi_op(w->g, u) == GSP_OP_PLACEHOLDER)) {
                    w->stamp[u] = stage + 1u;
                    w->in_nodes[n++] = u;
                }
            }
        }
    }
    w->in_begin[w->h->n_stages] = n;
}

/* "submod_0", ..., but names of other graphs and called modules. */
static void gspi_pipe_names_of_stages(gspi_pipe *w)
{
    const gsp_module *m = w->g->module;
    uint32_t number = 0u;
    w->names.n = 0u;
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        if (gspi_op(w->g, v) == GSP_OP_CALL_MODULE) {
            gspi_name_at(&w->names, gspi_target_id(w->g, v))->space = GSPI_PIPE_CALLED;
            w->flat_in[gspi_target_id(w->g, v)] = 0u;
        }
    }
    gspi_name_at(&w->names, GSP_KEY_MAIN)->space = GSP_NONE;
    for (uint32_t i = 0u; i < m->counts.graphs; i++) {
        if (w->copier.seen[i]) {
            gspi_name_at(&w->names, m->graphs[i].name)->space = GSP_NONE;
        }
    }
    for (uint32_t stage = 0u; stage < w->h->n_stages; stage++) {
        gspi_name *name;
        do {
            w->name[stage] = gspi_build_numbered(w->b, gsp_str_of("submod"), number++);
            name = gspi_name_at(&w->names, w->name[stage]);
        } while (name->space != GSPI_PIPE_NOWHERE && w->b->error.status == GSP_OK);
        name->space = GSP_NONE;
    }
}

/* Copies arguments by `map`. A node without this stamp is in no row of inputs: DAMAGED. */
static void gspi_pipe_args(const gspi_pipe *w, gsp_node v, const gsp_node *map, uint32_t stamp)
{
    gspi_arg_row const args = gspi_args(w->g, v);
    for (uint32_t i = 0u; i < args.n; i++) {
        gsp_arg a = args.at[i];
        if (a.kind == (uint32_t)GSP_ARG_NODE) {
            gsp_node const u = w->h->kept[a.value];
            a.value = stamp != GSP_NONE && w->stamp[u] != stamp ? GSP_NONE : map[u];
        }
        gsp_build_arg(w->b, a);
    }
}

/* The call of a stage, and getitems of several values. */
static void gspi_pipe_call(gspi_pipe *w, uint32_t stage)
{
    gsp_atom const target = w->name[stage];
    gsp_atom const name = gsp_build_name(w->b, gspi_build_text(w->b, target));
    gsp_node const call = gsp_build_node_atoms(w->b, GSP_OP_CALL_MODULE, name, target);
    const gsp_node *values = w->out_nodes + w->out_begin[stage];
    uint32_t const n_values = w->out_begin[stage + 1u] - w->out_begin[stage];
    char digits[20];
    for (uint32_t i = w->in_begin[stage]; i < w->in_begin[stage + 1u]; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, w->in_root[w->in_nodes[i]]);
    }
    if (n_values == 1u) {
        w->in_root[values[0]] = call;
        gsp_build_like(w->b, w->g, values[0], 0);
    }
    gsp_build_attr(w->b, gspi_key(GSP_KEY_STAGE),
                   gspi_slice(digits, 0u, gspi_decimal(stage, digits)));
    for (uint32_t i = 0u; i < n_values && n_values > 1u; i++) {
        w->in_root[values[i]] = gspi_put_getitem(w->b, call, i);
        gsp_build_like(w->b, w->g, values[i], 0);
    }
    w->call[stage] = call;
}

/* Placeholders, attributes that only the root returns, calls. */
static void gspi_pipe_root(gspi_pipe *w)
{
    gsp_node const output = w->g->n_nodes - 1u;
    gspi_row const returned = gspi_inputs(w->g, output);
    uint32_t const stamp = w->h->n_stages + 1u;
    gsp_build_graph(w->b, gspi_slice("", 0u, 0u));
    for (uint32_t i = 0u; i < returned.n; i++) {
        w->stamp[w->h->kept[returned.at[i]]] = stamp;
    }
    for (gsp_node v = 0u; v < output; v++) {
        gsp_op const op = gspi_op(w->g, v);
        if (op == GSP_OP_PLACEHOLDER ||
            (op == GSP_OP_GET_ATTR && w->stamp[v] == stamp && w->h->home[v] == GSP_NONE)) {
            w->in_root[v] = gspi_copy_node(w->b, w->g, op, v, gspi_target_id(w->g, v));
            gspi_pipe_args(w, v, w->in_root, GSP_NONE);
        }
    }
    for (uint32_t stage = 0u; stage < w->h->n_stages; stage++) {
        gspi_pipe_call(w, stage);
    }
    (void)gsp_build_output(w->b);
    gsp_build_like(w->b, w->g, output, 1);
    gspi_pipe_args(w, output, w->in_root, GSP_NONE);
}

/* A node of a stage; arguments follow. */
static void gspi_pipe_copy(gspi_pipe *w, uint32_t stage, gsp_op op, gsp_node v, gsp_atom target)
{
    w->stamp[v] = stage + 1u;
    w->local[v] = gspi_copy_node(w->b, w->g, op, v, target);
}

/* Dots of called targets become '_'; a taken name gets the next free number. */
static void gspi_pipe_node(gspi_pipe *w, uint32_t stage, gsp_node v)
{
    gsp_op const op = gspi_op(w->g, v);
    gsp_atom target = gspi_target_id(w->g, v);
    if (op == GSP_OP_CALL_MODULE && w->d->keep_targets == 0u &&
        gspi_child_of(w->g, v) == GSP_NONE) {
        if (w->flat_in[target] != stage + 1u) {
            gsp_atom const wanted = gspi_build_flat(w->b, gspi_target_str(w->g, v));
            w->flat_in[target] = stage + 1u;
            w->flat_as[target] = gspi_name_free(w->b, &w->names, wanted, GSPI_PIPE_STAGE + stage);
        }
        target = w->flat_as[target];
    }
    gspi_pipe_copy(w, stage, op, v, target);
    gspi_pipe_args(w, v, w->local, stage + 1u);
    w->node_of[v] = w->local[v];
}

/* Placeholders, attributes, nodes. */
static void gspi_pipe_body(gspi_pipe *w, uint32_t stage)
{
    int const tuple = w->out_begin[stage + 1u] - w->out_begin[stage] != 1u;
    gsp_build_graph(w->b, gspi_build_text(w->b, w->name[stage]));
    for (uint32_t i = w->in_begin[stage]; i < w->in_begin[stage + 1u]; i++) {
        gsp_node const u = w->in_nodes[i];
        gspi_pipe_copy(w, stage, GSP_OP_PLACEHOLDER, u, gspi_name_id(w->g, u));
    }
    for (uint32_t i = w->h->own_begin[stage]; i < w->h->own_begin[stage + 1u]; i++) {
        gsp_node const u = w->h->own[i];
        gspi_pipe_copy(w, stage, GSP_OP_GET_ATTR, u, gspi_target_id(w->g, u));
    }
    for (uint32_t i = w->h->begin[stage]; i < w->h->begin[stage + 1u]; i++) {
        gspi_pipe_node(w, stage, w->h->nodes[i]);
    }
    (void)gsp_build_output(w->b);
    if (tuple) {
        gspi_put_arg(w->b, GSP_ARG_TUPLE, 0u);
    }
    for (uint32_t i = w->out_begin[stage]; i < w->out_begin[stage + 1u]; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, w->local[w->out_nodes[i]]);
    }
    if (tuple) {
        gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    }
}

GSPI_OWN_FRAME void gspi_pipe_write(gspi_pipe *w)
{
    gspi_row const returned = gspi_inputs(w->g, w->g->n_nodes - 1u);
    gspi_pipe_outputs(w);
    gspi_pipe_inputs(w);
    gspi_none_words(w->in_root, w->g->n_nodes);
    gspi_none_words(w->node_of, w->g->n_nodes);
    for (gsp_node v = 0u; v < w->g->n_nodes; v++) {
        if (w->h->stage_of[v] != GSP_NONE) {
            gspi_copier_add(&w->copier, w->g, v);
        }
    }
    for (uint32_t i = 0u; i < w->h->own_begin[w->h->n_stages]; i++) {
        gspi_copier_add(&w->copier, w->g, w->h->own[i]);
    }
    for (uint32_t i = 0u; i < returned.n; i++) {
        gspi_copier_add(&w->copier, w->g, returned.at[i]);
    }
    gspi_copier_add_all(&w->copier);
    gspi_pipe_names_of_stages(w);
    gspi_pipe_root(w);
    for (uint32_t i = 0u; i < w->h->n_stages; i++) {
        gspi_pipe_body(w, i);
    }
    gspi_copier_copy(&w->copier);
}

GSP_API gsp_status gsp_pipeline_run(gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_pipeline_desc *desc, gsp_pipeline_result *result,
                                    gsp_error *err)
{
    gsp_pipeline_desc d;
    gspi_pass pass;
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && graph->n_nodes != 0u && result != NULL);
    GSPI_CHECK_DESC(d);
    GSPI_TRY(gspi_params_check(graph, &d.hold, err));
    GSPI_TRY(gspi_enter(&pass, arena, gsp_pipeline_bound(graph, &d), err));
    gsp_counts const made = gspi_pipe_counts(&graph->module->counts);
    gspi_pipe *w = GSPI_HIGH(&pass.bump, gspi_pipe, 1u);
    gspi_pipe_layout(&pass.bump, w, graph, &made);
    gsp_pipeline_result *r = w->made;
    gsp_status status = gspi_params_run(arena, graph, &d.hold, &r->hold, err);
    if (status == GSP_OK) {
        w->d = &d;
        w->h = &r->hold;
        gspi_copier_start(&w->copier, arena, &made);
        gspi_pipe_write(w);
        status = gspi_copier_finish(&w->copier, err);
    }
    if (status == GSP_OK) {
        r->module = *w->copier.made;
        r->n_stages = r->hold.n_stages;
        r->stage_of = r->hold.stage_of;
        r->node_of = w->node_of;
        r->call = w->call;
        *result = *r;
    }
    return gspi_leave(&pass, status, err);
}

GSP_API gsp_status gsp_pipeline_stage(const gsp_pipeline_result *result, uint32_t stage,
                                      gsp_graph *graph, gsp_error *err)
{
    GSPI_CHECK_GIVEN(result != NULL && graph != NULL);
    if (stage >= result->n_stages) {
        return gspi_fail_amount(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE_INDEX, stage,
                                result->n_stages);
    }
    *graph = gspi_graph(&result->module, 1u + stage);
    return gspi_done(err);
}

/* -------------------------------------------------------------------------------------------------
 * >>backward   Gradients through the stages                                        (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* The root is copied up to its output; then stages follow, last first, if the loss needs them. */

typedef struct gspi_backward {
    gsp_graph g; /* the root */
    const gsp_pipeline_result *p;
    const gsp_backward_desc *d;
    gspi_copier copier;
    gsp_builder *b;
    gsp_node loss;
    gsp_node *call;    /* [n] result */
    gsp_node *grad_of; /* [n] result */
    uint8_t *live;     /* [n] the loss depends on this value */
    char *closer;      /* [args] closing brackets of open containers in the loss spec */
    gsp_atom stage_backward;
    gsp_atom accumulate;
    gsp_atom none;
    gsp_atom stage_output; /* keys of stage_backward, here and below */
    gsp_atom output_grads;
    gsp_atom input_values;
    gsp_atom grads_idxs;
} gspi_backward;

static void gspi_backward_layout(gspi_bump *b, gspi_backward *w, const gsp_module *m)
{
    gsp_graph const g = gspi_graph(m, 0u);
    gsp_counts const root = gsp_graph_counts(&g);
    gspi_copier_layout(b, &w->copier, m);
    w->b = w->copier.b;
    w->call = GSPI_LOW(b, gsp_node, root.nodes);
    w->grad_of = GSPI_LOW(b, gsp_node, root.nodes);
    w->live = GSPI_HIGH(b, uint8_t, root.nodes);
    w->closer = GSPI_HIGH(b, char, root.args);
}

/* Additions: a call per stage, a getitem and a sum per input; as arguments four keys with
 * containers, three lists of values, and the inputs. */
static gsp_counts gspi_backward_counts(const gsp_module *module)
{
    gsp_graph const g = gspi_graph(module, 0u);
    gsp_counts const root = gsp_graph_counts(&g);
    uint64_t const n = root.nodes;
    uint64_t const m = root.edges;
    uint64_t const names = n * 2u + m * 3u;
    gsp_counts r = module->counts;
    r.nodes = gspi_count(r.nodes + n + m * 2u);
    r.args = gspi_count(r.args + n * 15u + m * 5u);
    r.edges = r.args;
    r.attrs = gspi_count(r.attrs + m * 4u);
    r.strings = gspi_count(r.strings + names + 10u);
    r.bytes = gspi_count(r.bytes + names * 40u + 384u);
    return r;
}

GSP_API size_t gsp_backward_bound(const gsp_module *module, const gsp_backward_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_counts const made = gspi_backward_counts(module);
    gspi_backward w;
    (void)desc;
    gspi_backward_layout(&b, &w, module);
    return gspi_add(gspi_add(b.used, GSPI_SLACK), gsp_build_bound(&made));
}

static gsp_str gspi_loss_unquoted(gsp_str t)
{
    return t.size >= 2u && gspi_is_quote(t, 0u) && gspi_quote_end(t, 0u) == t.size
               ? gspi_slice(t.data, 1u, (size_t)t.size - 1u)
               : t;
}

/* The loss by index in a returned tuple or list, or by key in a dict. */
static gsp_status gspi_loss_element(gspi_backward *w, gsp_error *err)
{
    gspi_arg_row const args = gspi_args(&w->g, w->g.n_nodes - 1u);
    uint32_t const kind = args.at[0].kind;
    int const by_key = w->d->loss == (uint32_t)GSP_LOSS_KEY;
    gspi_elements e = gspi_elements_of(args.at, args.n);
    if (by_key ? kind == (uint32_t)GSP_ARG_DICT
               : kind == (uint32_t)GSP_ARG_TUPLE || kind == (uint32_t)GSP_ARG_LIST) {
        e = gspi_elements_of(args.at + 1, args.n - 2u);
    }
    uint32_t n = 0u;
    for (; gspi_next_element(&e); n++) {
        gsp_str const key = e.key == GSP_NONE ? gsp_str_of("") : gspi_string(w->g.module, e.key);
        if (by_key ? gsp_str_equal(gspi_loss_unquoted(key), gsp_str_of("loss"))
                   : n == w->d->output) {
            GSPI_CHECK(e.args[e.at].kind == (uint32_t)GSP_ARG_NODE, ARG, LOSS_VALUE);
            w->loss = e.args[e.at].value;
            return GSP_OK;
        }
    }
    return by_key ? gspi_fail_plain(err, GSPI_CODE(ARG, LOSS_KEY, NONE))
                  : gspi_fail_amount(err, GSP_STATUS_ARG, GSP_DETAIL_LOSS_INDEX, w->d->output, n);
}

/* Consumes blanks and a literal, if they come next. */
static int gspi_loss_takes(gsp_str spec, uint32_t *at, const char *literal)
{
    uint32_t const begin = gspi_skip_blanks(spec, *at);
    if (!gspi_at(spec, begin, literal)) {
        return 0;
    }
    *at = begin + gsp_str_of(literal).size;
    return 1;
}

/* Consumes "key:", if it comes next. */
static int gspi_loss_takes_key(gsp_str spec, uint32_t *at, gsp_str key)
{
    uint32_t const begin = gspi_skip_blanks(spec, *at);
    uint32_t end = gspi_is_quote(spec, begin) ? gspi_quote_end(spec, begin) : begin;
    while (end < spec.size && spec.data[end] != ':') {
        end++;
    }
    if (end == spec.size ||
        !gsp_str_equal(gspi_loss_unquoted(gspi_trim(gspi_slice(spec.data, begin, end))),
                       gspi_loss_unquoted(key))) {
        return 0;
    }
    *at = end + 1u;
    return 1;
}

/* Consumes the part of the spec for args[*i] and advances *i. 0: mismatch. */
static int gspi_loss_step(gspi_backward *w, uint32_t *at, const gsp_arg *args, uint32_t *i,
                          int *fresh)
{
    gsp_str const spec = w->d->spec;
    uint32_t const now = *i;
    uint32_t const kind = args[now].kind;
    int const empty = *fresh;
    *i = now + 1u;
    *fresh = kind == (uint32_t)GSP_ARG_KEY;
    if (kind == (uint32_t)GSP_ARG_KEY) {
        return gspi_loss_takes_key(spec, at, gspi_string(w->g.module, args[now].value));
    }
    if (kind == (uint32_t)GSP_ARG_CLOSE) { /* a comma may follow an element */
        (void)(!empty && gspi_loss_takes(spec, at, ","));
        *at = gspi_skip_blanks(spec, *at) + 1u;
        return *at <= spec.size && spec.data[*at - 1u] == w->closer[now - args[now].value];
    }
    if (gspi_loss_takes(spec, at, "False")) {
        *i = gspi_element_end(args, now);
        return 1;
    }
    if (gspi_loss_takes(spec, at, "True")) {
        w->loss = w->loss == GSP_NONE ? args[now].value : w->loss;
        return kind == (uint32_t)GSP_ARG_NODE;
    }
    *fresh = 1;
    *at = gspi_skip_blanks(spec, *at) + 1u;
    char const open = gspi_byte(spec, *at - 1u);
    w->closer[now] = (char)(open == '(' ? ')' : open == '[' ? ']' : '}');
    if (kind == (uint32_t)GSP_ARG_DICT) {
        return open == '{';
    }
    return (kind == (uint32_t)GSP_ARG_TUPLE || kind == (uint32_t)GSP_ARG_LIST) &&
           (open == '(' || open == '[');
}

static gsp_status gspi_loss_by_spec(gspi_backward *w, gsp_error *err)
{
    gsp_node const output = w->g.n_nodes - 1u;
    gspi_arg_row const args = gspi_args(&w->g, output);
    uint32_t at = 0u;
    uint32_t i = 0u;
    int fresh = 1; /* no comma behind an opening bracket or a key */
    int good = 1;
    while (good && i < args.n) {
        good = fresh || args.at[i].kind == (uint32_t)GSP_ARG_CLOSE ||
               gspi_loss_takes(w->d->spec, &at, ",");
        uint32_t const before = at;
        good = good && gspi_loss_step(w, &at, args.at, &i, &fresh);
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
    GSPI_CHECK(w->loss != GSP_NONE, ARG, LOSS_NONE);
    return GSP_OK;
}

/* Values of a stage: the getitems behind its call, or the call. */
static uint32_t gspi_backward_values(const gspi_backward *w, gsp_node call, gsp_node *first)
{
    gsp_node v = call + 1u;
    while (gspi_getitem_source(&w->g, v) == call) {
        v++;
    }
    *first = v > call + 1u ? call + 1u : call;
    return v > call + 1u ? v - call - 1u : 1u;
}

static gsp_atom gspi_backward_atom(gspi_backward *w, const char *text)
{
    return gsp_build_atom(w->b, gsp_str_of(text));
}

static void gspi_backward_key(gspi_backward *w, gsp_atom key, gsp_arg_kind container)
{
    gspi_put_arg(w->b, GSP_ARG_KEY, key);
    gspi_put_arg(w->b, container, 0u);
}

static gsp_node gspi_backward_call(gspi_backward *w, gsp_node stage)
{
    gsp_atom const name = gsp_build_name(w->b, gsp_str_of("stage_backward"));
    gsp_node const call = gsp_build_node_atoms(w->b, GSP_OP_CALL_FUNCTION, name, w->stage_backward);
    gspi_row const inputs = gspi_inputs(&w->g, stage);
    gsp_node first;
    uint32_t const n_values = gspi_backward_values(w, stage, &first);
    gspi_backward_key(w, w->stage_output, GSP_ARG_TUPLE);
    for (uint32_t i = 0u; i < n_values; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, first + i);
    }
    gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    gspi_backward_key(w, w->output_grads, GSP_ARG_TUPLE);
    for (uint32_t i = 0u; i < n_values; i++) {
        gsp_node const grad = w->grad_of[first + i];
        gspi_put_arg(w->b, grad == GSP_NONE ? GSP_ARG_CONSTANT : GSP_ARG_NODE,
                     grad == GSP_NONE ? w->none : grad);
    }
    gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    gspi_backward_key(w, w->input_values, GSP_ARG_LIST);
    for (uint32_t i = 0u; i < inputs.n; i++) {
        gspi_put_arg(w->b, GSP_ARG_NODE, inputs.at[i]);
    }
    gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    gspi_backward_key(w, w->grads_idxs, GSP_ARG_LIST);
    for (uint32_t i = 0u; i < n_values; i++) {
        if (w->live[first + i]) {
            gspi_put_index(w->b, i);
        }
    }
    gspi_put_arg(w->b, GSP_ARG_CLOSE, 0u);
    return call;
}

/* Calls that the loss needs, and gradients of their inputs, added to those of later stages. */
static void gspi_backward_stages(gspi_backward *w)
{
    gspi_none_words(w->grad_of, w->g.n_nodes);
    gspi_set(w->live, 0, w->g.n_nodes, 1u);
    w->live[w->loss] = 1u;
    w->stage_backward = gspi_backward_atom(w, GSP_BACKWARD_STAGE);
    w->accumulate = gspi_backward_atom(w, GSP_BACKWARD_ADD);
    w->none = gspi_backward_atom(w, "None");
    w->stage_output = gspi_backward_atom(w, "stage_output");
    w->output_grads = gspi_backward_atom(w, "output_grads");
    w->input_values = gspi_backward_atom(w, "input_values");
    w->grads_idxs = gspi_backward_atom(w, "outputs_with_grads_idxs");
    for (uint32_t stage = w->p->n_stages; stage > 0u; stage--) {
        gsp_node const node = w->p->call[stage - 1u];
        gspi_row const inputs = gspi_inputs(&w->g, node);
        gsp_node first;
        uint32_t const count = gspi_backward_values(w, node, &first);
        uint32_t i = 0u;
        while (i < count && !w->live[first + i]) {
            i++;
        }
        w->call[stage - 1u] = i < count ? gspi_backward_call(w, node) : GSP_NONE;
        for (uint32_t k = 0u; k < inputs.n && i < count; k++) {
            gsp_node const u = inputs.at[k];
            gsp_node grad = gspi_put_getitem(w->b, w->call[stage - 1u], k);
            gsp_build_like(w->b, &w->g, u, 0);
            if (w->grad_of[u] != GSP_NONE && gspi_op(&w->g, u) != GSP_OP_PLACEHOLDER) {
                gsp_atom const name = gsp_build_name(w->b, gsp_str_of("_null_coalesce_accumulate"));
                gsp_node const sum =
                    gsp_build_node_atoms(w->b, GSP_OP_CALL_FUNCTION, name, w->accumulate);
                gspi_put_arg(w->b, GSP_ARG_NODE, w->grad_of[u]);
                gspi_put_arg(w->b, GSP_ARG_NODE, grad);
                gsp_build_like(w->b, &w->g, u, 0);
                grad = sum;
            }
            w->grad_of[u] = grad;
            w->live[u] = 1u;
        }
    }
}

GSPI_OWN_FRAME void gspi_backward_write(gspi_backward *w)
{
    gsp_build_graph(w->b, gspi_slice("", 0u, 0u));
    for (gsp_node v = 0u; v + 1u < w->g.n_nodes; v++) {
        gspi_copy_whole(w->b, &w->g, v);
    }
    gspi_backward_stages(w);
    gspi_copy_whole(w->b, &w->g, w->g.n_nodes - 1u);
    gspi_set(w->copier.seen + 1, 1, w->copier.m->counts.graphs - 1u, 1u);
    gspi_copier_copy(&w->copier);
}

GSP_API gsp_status gsp_backward_run(gsp_arena *arena, const gsp_pipeline_result *pipe,
                                    const gsp_backward_desc *desc, gsp_backward_result *result,
                                    gsp_error *err)
{
    gsp_backward_desc d;
    gspi_backward w;
    gspi_pass pass;
    gspi_desc(&d, desc, sizeof(d));
    int const by_spec = d.loss == (uint32_t)GSP_LOSS_SPEC;
    GSPI_CHECK_GIVEN(arena != NULL && pipe != NULL && result != NULL);
    GSPI_CHECK_DESC(d);
    GSPI_CHECK(d.loss < (uint32_t)GSP_LOSS_COUNT, DESC, CHOICE);
    GSPI_CHECK_GIVEN(!gspi_is_null(d.spec) && (pipe->call != NULL || pipe->n_stages == 0u));
    w.g = gspi_graph(&pipe->module, 0u);
    w.p = pipe;
    w.d = &d;
    w.loss = GSP_NONE;
    if (!by_spec) {
        GSPI_TRY(gspi_loss_element(&w, err));
    }
    GSPI_TRY(gspi_enter(&pass, arena, gsp_backward_bound(&pipe->module, &d), err));
    gspi_backward_layout(&pass.bump, &w, &pipe->module);
    gsp_status status = by_spec ? gspi_loss_by_spec(&w, err) : GSP_OK;
    if (status == GSP_OK) {
        gsp_counts const made = gspi_backward_counts(&pipe->module);
        gspi_copier_start(&w.copier, arena, &made);
        gspi_backward_write(&w);
        status = gspi_copier_finish(&w.copier, err);
    }
    if (status == GSP_OK) {
        result->module = *w.copier.made;
        result->n_stages = pipe->n_stages;
        result->loss = w.loss;
        result->call = w.call;
        result->grad_of = w.grad_of;
    }
    return gspi_leave(&pass, status, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>stage_devices   Devices of stages, stages as modules                           (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Equal texts are one device, numbered by first entry; n_devices: none. A child graph belongs to
 * the device of its first stage; copies for further devices follow all other graphs. */

typedef struct gspi_move {
    const gsp_module *m;
    const gsp_stage_devices_desc *d;
    gspi_copier copier; /* its `seen` is the row of one device */
    gsp_builder *b;
    gspi_texts texts;    /* [n_devices] */
    uint32_t *first;     /* [n_devices] first entry of the same device */
    uint32_t *device_of; /* [graphs] of a graph */
    uint8_t *seen;       /* [(n_devices + 1) * graphs] a device needs a child graph */
    gsp_atom *name;      /* [(n_devices + 1) * graphs] GSP_KEY_NONE: its own */
    gsp_atom *spelling;  /* [n_devices] */
    uint8_t *taken;      /* [strings of the result] a graph has this name */
} gspi_move;

/* Rows of graphs by device: none without child graphs. */
static uint32_t gspi_move_rows(const gsp_counts *c, const gsp_stage_devices_desc *d)
{
    return c->graphs > gspi_count_add(d->n_stages, 1u) ? gspi_count_add(d->n_devices, 1u) : 0u;
}

static void gspi_move_layout(gspi_bump *b, gspi_move *w, const gsp_module *m,
                             const gsp_counts *made, const gsp_stage_devices_desc *d)
{
    uint32_t const rows = gspi_move_rows(&m->counts, d);
    size_t const cells = gspi_mul_add(rows, m->counts.graphs, 0u);
    gspi_copier_layout(b, &w->copier, m);
    w->m = m;
    w->d = d;
    w->b = w->copier.b;
    gspi_texts_layout(b, &w->texts, d->n_devices);
    w->first = GSPI_HIGH(b, uint32_t, d->n_devices);
    w->device_of = GSPI_HIGH(b, uint32_t, m->counts.graphs);
    w->seen = GSPI_HIGH(b, uint8_t, cells);
    w->name = GSPI_HIGH(b, gsp_atom, cells);
    w->spelling = GSPI_HIGH(b, gsp_atom, d->n_devices);
    w->taken = GSPI_HIGH(b, uint8_t, rows > 0u ? made->strings : 0u);
}

/* Every graph once, every child graph once more per device. */
static gsp_counts gspi_move_counts(const gsp_counts *c, const gsp_stage_devices_desc *d)
{
    uint32_t const rows = gspi_move_rows(c, d);
    uint32_t const copies = gspi_count_add(rows, 1u);
    gsp_counts r;
    r.graphs = gspi_count_mul(c->graphs, copies);
    r.nodes = gspi_count_mul(c->nodes, copies);
    r.args = gspi_count_mul(c->args, copies);
    r.edges = r.args;
    r.attrs = c->attrs;
    r.strings = gspi_count_add(gspi_count_mul(c->graphs, rows),
                               gspi_count((uint64_t)c->strings + d->n_devices + 1u));
    r.bytes = gspi_count_mul(gspi_count_add(c->bytes, gspi_count_mul(c->graphs, 11u)), copies);
    for (uint32_t i = 0u; d->devices != NULL && i < d->n_devices; i++) {
        r.bytes = gspi_count_add(r.bytes, d->devices[i].device.size);
    }
    return r;
}

GSP_API size_t gsp_stage_devices_bound(const gsp_module *module, const gsp_stage_devices_desc *desc)
{
    gsp_stage_devices_desc d;
    gspi_bump b = gspi_bump_over(NULL);
    gspi_move w;
    gspi_desc(&d, desc, sizeof(d));
    gsp_counts const made = gspi_move_counts(&module->counts, &d);
    gspi_move_layout(&b, &w, module, &made, &d);
    return gspi_add(gspi_add(b.used, GSPI_SLACK), gsp_build_bound(&made));
}

/* 1 if a text reads back as one argument that is no node. */
static int gspi_move_is_device(gsp_str t)
{
    for (uint32_t i = 0u; i < t.size; i++) {
        if (t.data[i] == '%') {
            return 0;
        }
    }
    return gspi_trim(t).size == t.size && t.size > 0u && gspi_is_constant(t);
}

/* Gives child graphs the device of a stage, or further names for it: NAME_1, NAME_2, ... */
static void gspi_move_claim(gspi_move *w, uint32_t stage)
{
    uint32_t const device = w->device_of[1u + stage];
    size_t const row = (size_t)device * w->m->counts.graphs;
    gsp_graph const g = gspi_graph(w->m, 1u + stage);
    w->copier.seen = w->seen + row;
    w->copier.n = 0u;
    for (gsp_node v = 0u; v < g.n_nodes; v++) {
        gspi_copier_add(&w->copier, &g, v);
    }
    gspi_copier_add_all(&w->copier);
    for (uint32_t i = 0u; i < w->copier.n; i++) {
        uint32_t const id = w->copier.list[i];
        gsp_atom s = (gsp_atom)GSP_KEY_NONE;
        if (w->device_of[id] == GSP_NONE) {
            w->device_of[id] = device;
        } else {
            gsp_str const base = gspi_string(w->m, w->m->graphs[id].name);
            s = w->m->graphs[id].name;
            for (uint32_t k = 1u; w->taken[s] && w->b->error.status == GSP_OK; k++) {
                s = gspi_build_numbered(w->b, base, k);
            }
            w->taken[s] = 1u;
        }
        w->name[row + id] = s;
    }
}

static void gspi_move_devices(gspi_move *w)
{
    uint32_t const graphs = w->m->counts.graphs;
    uint32_t const none = w->d->n_devices;
    size_t const cells = (size_t)gspi_move_rows(&w->m->counts, w->d) * graphs;
    gspi_none_words(w->texts.slot, (size_t)w->texts.mask + 1u);
    for (uint32_t i = 0u; i < graphs; i++) {
        w->device_of[i] = i > w->d->n_stages ? GSP_NONE : none;
    }
    for (uint32_t i = 0u; i < none; i++) {
        gsp_str const device = w->d->devices[i].device;
        gspi_texts_add(&w->texts, i, device);
        w->first[i] = w->texts.same[i] == GSP_NONE ? i : w->first[w->texts.same[i]];
        w->spelling[i] = gsp_build_atom(w->b, device);
        w->device_of[1u + w->d->devices[i].stage] = w->first[i];
    }
    if (cells == 0u) {
        return;
    }
    gspi_set(w->seen, 0, cells, 1u);
    gspi_zero_words(w->name, cells);
    gspi_set(w->taken, 0, w->b->cap.strings, 1u);
    for (uint32_t i = 0u; i < graphs; i++) {
        w->taken[w->m->graphs[i].name] = 1u;
    }
    for (uint32_t i = 0u; i < w->d->n_stages; i++) {
        gspi_move_claim(w, i);
    }
    for (uint32_t i = w->d->n_stages + 1u; i < graphs; i++) {
        w->device_of[i] = w->device_of[i] == GSP_NONE ? none : w->device_of[i];
    }
}

static void gspi_move_args(const gspi_move *w, gspi_arg_row args, uint32_t device)
{
    gspi_elements e = gspi_elements_of(args.at, args.n);
    for (uint32_t begin = 0u; gspi_next_element(&e); begin = e.next) {
        if (e.key == (gsp_atom)GSP_KEY_DEVICE) {
            gspi_copy_args(w->b, args.at + begin, e.at - begin);
            gspi_put_arg(w->b, GSP_ARG_CONSTANT, w->spelling[device]);
        } else {
            gspi_copy_args(w->b, args.at + begin, e.next - begin);
        }
    }
}

static void gspi_move_graph(const gspi_move *w, uint32_t id, uint32_t device, gsp_atom name)
{
    gsp_graph const g = gspi_graph(w->m, id);
    size_t const row = (size_t)device * w->m->counts.graphs;
    int const has_children = w->m->counts.graphs > w->d->n_stages + 1u;
    gsp_build_graph(w->b, gspi_build_text(w->b, name));
    for (gsp_node v = 0u; v + 1u < g.n_nodes; v++) {
        gsp_op const op = gspi_op(&g, v);
        uint32_t const child = has_children ? gspi_child_of(&g, v) : GSP_NONE;
        gspi_arg_row const args = gspi_args(&g, v);
        gsp_atom target = gspi_target_id(&g, v);
        if (child != GSP_NONE && child > w->d->n_stages &&
            w->name[row + child] != (gsp_atom)GSP_KEY_NONE) {
            target = w->name[row + child];
        }
        (void)gspi_copy_node(w->b, &g, op, v, target);
        if (op == GSP_OP_CALL_FUNCTION && device < w->d->n_devices) {
            gspi_move_args(w, args, device);
        } else {
            gspi_copy_args(w->b, args.at, args.n);
        }
    }
    gspi_copy_whole(w->b, &g, g.n_nodes - 1u);
}

GSPI_OWN_FRAME void gspi_move_write(gspi_move *w)
{
    uint32_t const graphs = w->m->counts.graphs;
    uint32_t const rows = gspi_move_rows(&w->m->counts, w->d);
    gspi_move_devices(w);
    for (uint32_t id = 0u; id < graphs; id++) {
        gspi_move_graph(w, id, w->device_of[id], w->m->graphs[id].name);
    }
    for (uint32_t device = 0u; device < rows; device++) {
        for (uint32_t id = w->d->n_stages + 1u; id < graphs; id++) {
            gsp_atom const name = w->name[(size_t)device * graphs + id];
            if (name != (gsp_atom)GSP_KEY_NONE) {
                gspi_move_graph(w, id, device, name);
            }
        }
    }
}

GSP_API gsp_status gsp_stage_devices_run(gsp_arena *arena, const gsp_module *input,
                                         const gsp_stage_devices_desc *desc, gsp_module *result,
                                         gsp_error *err)
{
    gsp_stage_devices_desc d;
    gspi_move w;
    gspi_pass pass;
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_GIVEN(arena != NULL && input != NULL && result != NULL);
    GSPI_CHECK_DESC(d);
    GSPI_CHECK_GIVEN(d.devices != NULL || d.n_devices == 0u);
    GSPI_CHECK(d.n_stages < input->counts.graphs, ARG, STAGE_INDEX);
    for (uint32_t i = 0u; i < d.n_devices; i++) {
        gsp_stage_device const *entry = &d.devices[i];
        GSPI_CHECK_ITEM(entry->stage < d.n_stages, ARG, STAGE_INDEX, DEVICE, i, GSP_NONE);
        GSPI_CHECK_ITEM(!gspi_is_null(entry->device), ARG, NULL_ARGUMENT, DEVICE, i, GSP_NONE);
        GSPI_CHECK_ITEM(gspi_move_is_device(entry->device), ARG, DEVICE, DEVICE, i, GSP_NONE);
    }
    GSPI_TRY(gspi_enter(&pass, arena, gsp_stage_devices_bound(input, &d), err));
    gsp_counts const made = gspi_move_counts(&input->counts, &d);
    gspi_move_layout(&pass.bump, &w, input, &made, &d);
    gspi_copier_start(&w.copier, arena, &made);
    gspi_move_write(&w);
    gsp_status const status = gspi_copier_finish(&w.copier, err);
    *result = status == GSP_OK ? *w.copier.made : *result;
    return gspi_leave(&pass, status, err);
}

GSP_API size_t gsp_stage_extract_bound(const gsp_module *module)
{
    gspi_bump b = gspi_bump_over(NULL);
    gsp_counts made = module->counts;
    gspi_copier c;
    made.edges = made.args; /* edges of a builder are tokens */
    gspi_copier_layout(&b, &c, module);
    return gspi_add(gspi_add(b.used, GSPI_SLACK), gsp_build_bound(&made));
}

GSP_API gsp_status gsp_stage_extract_run(gsp_arena *arena, const gsp_module *input, uint32_t graph,
                                         gsp_module *result, gsp_error *err)
{
    gspi_copier c;
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && input != NULL && result != NULL);
    if (graph >= input->counts.graphs) {
        return gspi_fail_amount(err, GSP_STATUS_ARG, GSP_DETAIL_STAGE_INDEX, graph,
                                input->counts.graphs);
    }
    GSPI_TRY(gspi_enter(&pass, arena, gsp_stage_extract_bound(input), err));
    gsp_graph const g = gspi_graph(input, graph);
    gsp_counts made = input->counts;
    made.edges = made.args;
    gspi_copier_layout(&pass.bump, &c, input);
    gspi_copier_start(&c, arena, &made);
    gsp_build_graph(c.b, gspi_slice("", 0u, 0u));
    for (gsp_node v = 0u; v < g.n_nodes; v++) {
        gspi_copy_whole(c.b, &g, v);
        gspi_copier_add(&c, &g, v);
    }
    gspi_copier_add_all(&c);
    gspi_copier_copy(&c);
    gsp_status const status = gspi_copier_finish(&c, err);
    *result = status == GSP_OK ? *c.made : *result;
    return gspi_leave(&pass, status, err);
}

#endif /* GSP_NO_PIPELINE */

/* =================================================================================================
 * >>MEMORY   Memory plans and execution                                            (implementation)
 * ============================================================================================== */
#ifndef GSP_NO_MEMORY

/* ---- Storages: which values share memory ---- */

/* A storage is the memory that a node allocates; its id is the node. A view (alias=) has none and
 * keeps the storage of its input live. An aggregate that a call yields is one storage; each element
 * that operator.getitem takes is another, allocated with it, because either may die first. Elements
 * stay part of the aggregate if it is an element, an input or a view, or has fewer bytes than they
 * have together. Parameters have no storage. of[v]: the storage of v, GSP_NONE: none. */

/* The aggregate of a getitem, GSP_NONE: `v` is none, or reads no aggregate. */
static gsp_node gspi_getitem_of(const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    if (gspi_op(g, v) != GSP_OP_CALL_FUNCTION ||
        g->module->target[g->first + v] != (gsp_atom)GSP_KEY_GETITEM || args.n == 0u ||
        args.at[0].kind != (uint32_t)GSP_ARG_NODE ||
        gspi_value_kind(g, args.at[0].value) != GSP_VALUE_AGGREGATE) {
        return GSP_NONE;
    }
    return args.at[0].value;
}

/* The aggregate of a storage that is an element, else GSP_NONE. */
static gsp_node gspi_element_of(const gsp_graph *g, const uint32_t *of, gsp_node v)
{
    return of[v] == v ? gspi_getitem_of(g, v) : GSP_NONE;
}

/* The same for a value `v`, if that element has a storage. */
static gsp_node gspi_taken_from(const gsp_graph *g, const uint32_t *of, gsp_node v)
{
    gsp_node const from = of[v] == GSP_NONE ? GSP_NONE : gspi_getitem_of(g, v);
    return from != GSP_NONE && gspi_element_of(g, of, of[v]) == from ? from : GSP_NONE;
}

static int gspi_takes_from(const gsp_graph *g, gsp_node v, gsp_node from)
{
    return gspi_takes_element(g, v) && gspi_args(g, v).at[0].value == from;
}

/* Equal for getitems of the same element: its number, or the key of a dict. */
static uint64_t gspi_element_key(const gsp_graph *g, gsp_node getitem, uint32_t elements)
{
    uint32_t const index = gsp_node_element_of(g, getitem, elements);
    return index != GSP_NONE ? index : ((uint64_t)1u << 63) | gspi_args(g, getitem).at[1].value;
}

/* The first getitem of the same element; first[n] is a hash table, stale entries count as free. */
static gsp_node gspi_element_first(const gsp_graph *g, gsp_node from, gsp_node getitem,
                                   uint32_t elements, gsp_node *first)
{
    uint64_t const key = gspi_element_key(g, getitem, elements);
    uint32_t slot = (uint32_t)key % g->n_nodes;
    while (first[slot] != GSP_NONE && gspi_takes_from(g, first[slot], from)) {
        if (gspi_element_key(g, first[slot], elements) == key) {
            return first[slot];
        }
        slot = slot + 1u < g->n_nodes ? slot + 1u : 0u;
    }
    first[slot] = getitem;
    return getitem;
}

/* The first getitem of each element has the storage, the others are views of it. */
static void gspi_storage_elements(const gsp_graph *g, gsp_node from, uint32_t *of, gsp_node *first)
{
    gspi_row const users = gspi_users(g, from);
    uint64_t left = gspi_bytes(g, from);
    uint32_t elements = 0u;
    uint32_t at = 0u;
    gsp_str element;
    int fits = 1;
    while (gsp_type_next_element(gspi_type_str(g, from), &at, &element)) {
        elements++;
    }
    for (uint32_t i = 0u; i < users.n; i++) {
        gsp_node const u = users.at[i];
        if (gspi_takes_from(g, u, from)) {
            of[u] = gspi_element_first(g, from, u, elements, first);
            uint64_t const bytes = of[u] == u ? gspi_bytes(g, u) : 0u;
            fits = fits && bytes <= left;
            left -= fits ? bytes : 0u;
        }
    }
    for (uint32_t i = 0u; i < users.n && !fits; i++) {
        if (gspi_takes_from(g, users.at[i], from)) {
            of[users.at[i]] = from;
        }
    }
}

/* The argument of a call that alias= names; GSP_NONE: no such argument. */
static uint32_t gspi_alias_token(const gsp_graph *g, gsp_node v)
{
    uint64_t position = GSP_NONE;
    return gspi_number(gspi_attr_str(g, v, GSP_KEY_ALIAS), &position) && position < GSP_NONE
               ? gsp_node_leaf(g, v, (uint32_t)position)
               : GSP_NONE;
}

/* 1 for a call that yields a view of an argument. */
static int gspi_is_view(const gsp_graph *g, gsp_node v)
{
    return gspi_callable(g, v) && gspi_attr(g, v, GSP_KEY_ALIAS) != GSP_NONE &&
           gspi_getitem_of(g, v) == GSP_NONE;
}

/* The storage of a value that is no element. */
static gsp_node gspi_storage_of(const gsp_graph *g, gsp_node v, const uint32_t *of)
{
    if (gspi_op(g, v) == GSP_OP_GET_ATTR || gspi_op(g, v) == GSP_OP_OUTPUT) {
        return GSP_NONE;
    }
    gsp_node u = gspi_getitem_of(g, v);
    if (gspi_is_view(g, v)) {
        gsp_arg const a = gspi_args(g, v).at[gspi_alias_token(g, v)];
        u = a.kind == (uint32_t)GSP_ARG_NODE ? a.value : GSP_NONE;
    }
    return u == GSP_NONE ? v : of[u];
}

/* Views name an argument; the sum of all bytes of a graph, and `spare` more, fits into 64 bits. */
static gsp_status gspi_check_values(const gsp_graph *g, const uint64_t *scratch, uint64_t spare,
                                    gsp_error *err)
{
    uint64_t left = UINT64_MAX - spare;
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        uint64_t const own = gspi_bytes(g, v);
        uint64_t const more = scratch == NULL ? 0u : scratch[v];
        GSPI_CHECK_AT(!gspi_is_view(g, v) || gspi_alias_token(g, v) != GSP_NONE, ARG, ALIAS, v,
                      GSP_NONE);
        GSPI_CHECK_AT(own <= left && more <= left - own, OVERFLOW, SIZE, v, GSP_NONE);
        left -= own + more;
    }
    return GSP_OK;
}

/* ---- Profiles: an amount per step, stored as differences until all is added ---- */

static void gspi_profile_add(uint64_t *profile, uint32_t size, uint32_t begin, uint32_t end,
                             uint64_t amount)
{
    profile[begin] += amount;
    if (end + 1u < size) {
        profile[end + 1u] -= amount;
    }
}

/* Sums up the differences; returns the first step with the greatest amount. */
static uint32_t gspi_profile_sum(uint64_t *profile, uint32_t size)
{
    uint64_t sum = 0u;
    uint64_t most = 0u;
    uint32_t peak = 0u;
    for (uint32_t i = 0u; i < size; i++) {
        sum += profile[i];
        profile[i] = sum;
        if (sum > most) {
            most = sum;
            peak = i;
        }
    }
    return peak;
}

/* ---- Lifetimes of storages ---- */

/* A contiguous range of an order: outer values are live from its start, values read later to its
 * end. */
typedef struct gspi_live {
    const gsp_graph *graph;
    const uint32_t *of;  /* [n] storage of a value, GSP_NONE: none */
    const uint32_t *pos; /* [n] place in the order, GSP_NONE: in no range; NULL: the whole graph */
    const gsp_node *order; /* NULL if pos is */
    uint32_t *end;         /* [n] last step of a storage, GSP_NONE: not live */
    gsp_node *active;      /* the live storages by first use */
    uint32_t n_active;
    uint32_t first; /* place of the range */
    uint32_t size;  /* steps of the range */
    int elements;   /* 0: no storage is an element */
} gspi_live;

/* Finds the storages; until its end `end` is the hash table of first getitems. */
static void gspi_live_start(gspi_live *l, const gsp_graph *g, uint32_t *of)
{
    l->graph = g;
    l->of = of;
    l->pos = NULL;
    l->order = NULL;
    l->elements = 0;
    gspi_none_words(of, g->n_nodes);
    gspi_none_words(l->end, g->n_nodes);
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        if (of[v] == GSP_NONE) {
            of[v] = gspi_storage_of(g, v, of);
            if (of[v] == v && gspi_value_kind(g, v) == GSP_VALUE_AGGREGATE && gspi_callable(g, v)) {
                gspi_storage_elements(g, v, of, l->end);
            }
        }
        l->elements = l->elements || gspi_element_of(g, of, v) != GSP_NONE;
    }
    gspi_none_words(l->end, g->n_nodes);
}

static int gspi_live_has(const gspi_live *l, gsp_node v)
{
    return l->pos == NULL ? gspi_op(l->graph, v) != GSP_OP_PLACEHOLDER
                          : l->pos[v] - l->first < l->size;
}

static gsp_node gspi_live_node(const gspi_live *l, uint32_t step)
{
    return l->order == NULL ? step : l->order[l->first + step];
}

/* An element of an aggregate from outside stays part of it. */
static void gspi_live_need(gspi_live *l, gsp_node value, uint32_t step)
{
    gsp_node s = l->of[value];
    if (s == GSP_NONE) {
        return;
    }
    if (l->elements) {
        gsp_node const from = gspi_element_of(l->graph, l->of, s);
        s = from != GSP_NONE && gspi_live_has(l, s) && !gspi_live_has(l, from) ? from : s;
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
    gspi_row const inputs = gspi_inputs(l->graph, v);
    gsp_node const from = l->elements ? gspi_taken_from(l->graph, l->of, v) : GSP_NONE;
    if (from == GSP_NONE || !gspi_live_has(l, from)) {
        for (uint32_t i = 0u; i < inputs.n; i++) {
            gspi_live_need(l, inputs.at[i], step);
        }
    }
    if (from == GSP_NONE || l->of[v] != v) {
        gspi_live_need(l, v, gspi_live_has(l, v) ? step : 0u);
    }
    if (l->pos == NULL) {
        return;
    }
    gspi_row const users = gspi_users(l->graph, v);
    for (uint32_t i = 0u; i < users.n; i++) {
        if (!gspi_live_has(l, users.at[i])) {
            gspi_live_need(l, v, l->size - 1u);
            break;
        }
    }
}

static void gspi_live_run(gspi_live *l, uint32_t first, uint32_t size)
{
    l->first = first;
    l->size = size;
    l->n_active = 0u;
    for (uint32_t step = 0u; step < size; step++) {
        gspi_live_step(l, step);
    }
}

static void gspi_live_clear(gspi_live *l)
{
    for (uint32_t i = 0u; i < l->n_active; i++) {
        l->end[l->active[i]] = GSP_NONE;
    }
}

/* The first step at which a storage counts by itself: an element, after its aggregate has died. */
static uint32_t gspi_live_begin(const gspi_live *l, gsp_node s)
{
    gsp_node const from = l->elements ? gspi_element_of(l->graph, l->of, s) : GSP_NONE;
    if (from != GSP_NONE && l->end[from] != GSP_NONE) {
        return l->end[from] + 1u;
    }
    return !gspi_live_has(l, s) ? 0u : l->pos == NULL ? s : l->pos[s] - l->first;
}

/* Live bytes per step, in bytes[size], and their peak. */
static gsp_liveness_part gspi_live_profile(const gspi_live *l, const uint64_t *scratch,
                                           int skip_inputs, uint64_t *bytes)
{
    gsp_liveness_part peak = {0u, GSP_NONE, 0u};
    gspi_set(bytes, 0, l->size, sizeof(uint64_t));
    for (uint32_t i = 0u; i < l->n_active; i++) {
        gsp_node const s = l->active[i];
        uint32_t const begin = gspi_live_begin(l, s);
        if (begin <= l->end[s] && !(skip_inputs && !gspi_live_has(l, s))) {
            gspi_profile_add(bytes, l->size, begin, l->end[s], gspi_bytes(l->graph, s));
        }
    }
    for (uint32_t i = 0u; i < l->size && scratch != NULL; i++) {
        gspi_profile_add(bytes, l->size, i, i, scratch[gspi_live_node(l, i)]);
    }
    if (l->size != 0u) {
        peak.step = gspi_profile_sum(bytes, l->size);
        peak.node = gspi_live_node(l, peak.step);
        peak.bytes = bytes[peak.step];
    }
    return peak;
}

/* -------------------------------------------------------------------------------------------------
 * >>liveness   Live bytes in graph order                                           (implementation)
 * ---------------------------------------------------------------------------------------------- */

typedef struct gspi_liveness_ws {
    gsp_liveness_part *parts; /* the writable arrays of the result */
    uint32_t *step_begin;
    gsp_node *nodes;
    uint64_t *bytes;
    uint32_t *tensor_begin;
    gsp_node *tensors;
    uint32_t *of;
    uint32_t *pos;
    gspi_live live;
    gsp_liveness_result result;
} gspi_liveness_ws;

GSPI_STATIC_ASSERT(GSP_BOUND_ARRAY(1u, sizeof(gspi_liveness_ws)) ==
                       GSP_BOUND_ARRAY(1u, 20u * sizeof(void *) + 24u),
                   GSP_LIVENESS_BOUND_says_otherwise);

static void gspi_liveness_layout(gspi_bump *b, gspi_liveness_ws *ws, uint32_t n, uint32_t m,
                                 uint32_t parts)
{
    size_t const k = parts == 0u ? 1u : parts;
    ws->result.parts = ws->parts = GSPI_LOW(b, gsp_liveness_part, k);
    ws->result.step_begin = ws->step_begin = GSPI_LOW(b, uint32_t, k + 1u);
    ws->result.nodes = ws->nodes = GSPI_LOW(b, gsp_node, n);
    ws->result.live = ws->bytes = GSPI_LOW(b, uint64_t, n);
    ws->result.tensor_begin = ws->tensor_begin = GSPI_LOW(b, uint32_t, k + 1u);
    ws->result.tensors = ws->tensors = GSPI_LOW(b, gsp_node, parts == 0u ? n : gspi_add(n, m));
    ws->of = GSPI_HIGH(b, uint32_t, n);
    ws->live.end = GSPI_HIGH(b, uint32_t, n);
    ws->pos = NULL;
    if (parts != 0u) {
        ws->pos = GSPI_HIGH(b, uint32_t, n);
    }
}

GSP_API size_t gsp_liveness_bound(const gsp_graph *graph, const gsp_liveness_desc *desc)
{
    gsp_counts const counts = gsp_graph_counts(graph);
    gspi_bump b = gspi_bump_over(NULL);
    gspi_liveness_ws ws;
    (void)GSPI_HIGH(&b, gspi_liveness_ws, 1u);
    gspi_liveness_layout(&b, &ws, counts.nodes, counts.edges, desc == NULL ? 0u : desc->n_parts);
    return gspi_add(b.used, GSPI_SLACK);
}

/* The steps: callable nodes by part (counting sort), or all nodes. */
static void gspi_liveness_sort(gspi_liveness_ws *ws, const gsp_graph *g, const gsp_liveness_desc *d)
{
    uint32_t *begin = ws->step_begin;
    if (d->n_parts == 0u) {
        begin[0] = 0u;
        begin[1] = g->n_nodes;
        for (gsp_node v = 0u; v < g->n_nodes; v++) {
            ws->nodes[v] = v;
        }
        return;
    }
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        ws->pos[v] = gspi_callable(g, v) ? d->part_of[v] : GSP_NONE;
    }
    gspi_rows(ws->pos, g->n_nodes, d->n_parts, begin, ws->nodes);
    for (uint32_t i = 0u; i < begin[d->n_parts]; i++) {
        ws->pos[ws->nodes[i]] = i;
    }
    ws->live.pos = ws->pos;
    ws->live.order = ws->nodes;
}

/* Moves the storages that count at a step to the front; returns their number. */
static uint32_t gspi_liveness_tensors(const gspi_live *l, uint32_t step, int skip_inputs)
{
    uint32_t n = 0u;
    for (uint32_t i = 0u; i < l->n_active; i++) {
        gsp_node const s = l->active[i];
        if (gspi_live_begin(l, s) <= step && l->end[s] >= step && gspi_bytes(l->graph, s) != 0u &&
            !(skip_inputs && !gspi_live_has(l, s))) {
            l->active[i] = l->active[n];
            l->active[n++] = s;
        }
    }
    return n;
}

static void gspi_liveness_parts(gspi_liveness_ws *ws, const gsp_liveness_desc *d)
{
    gspi_live *l = &ws->live;
    int const skip = d->skip_inputs != 0u;
    ws->tensor_begin[0] = 0u;
    ws->result.worst = GSP_NONE;
    for (uint32_t i = 0u; i < ws->result.n_parts; i++) {
        uint32_t const first = ws->step_begin[i];
        l->active = ws->tensors + ws->tensor_begin[i];
        gspi_live_run(l, first, ws->step_begin[i + 1u] - first);
        ws->parts[i] = gspi_live_profile(l, d->scratch, skip, ws->bytes + first);
        ws->tensor_begin[i + 1u] =
            ws->tensor_begin[i] + gspi_liveness_tensors(l, ws->parts[i].step, skip);
        gspi_live_clear(l);
        if (i == 0u || ws->parts[i].bytes > ws->parts[ws->result.worst].bytes) {
            ws->result.worst = i;
        }
    }
}

GSP_API gsp_status gsp_liveness_run(gsp_arena *arena, const gsp_graph *graph,
                                    const gsp_liveness_desc *desc, gsp_liveness_result *result,
                                    gsp_error *err)
{
    gsp_liveness_desc d;
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_CHECK_GIVEN(d.n_parts == 0u || d.part_of != NULL);
    for (gsp_node v = 0u; v < graph->n_nodes && d.n_parts != 0u; v++) {
        GSPI_CHECK_AT(!gspi_callable(graph, v) || d.part_of[v] < d.n_parts, ARG, TAG, v, GSP_NONE);
    }
    GSPI_TRY(gspi_check_values(graph, d.scratch, 0u, err));
    GSPI_TRY(gspi_enter(&pass, arena, gsp_liveness_bound(graph, &d), err));
    gspi_liveness_ws *ws = GSPI_HIGH(&pass.bump, gspi_liveness_ws, 1u);
    gspi_liveness_layout(&pass.bump, ws, graph->n_nodes, gsp_graph_counts(graph).edges, d.n_parts);
    gspi_live_start(&ws->live, graph, ws->of);
    ws->result.n_parts = d.n_parts == 0u ? 1u : d.n_parts;
    gspi_liveness_sort(ws, graph, &d);
    gspi_liveness_parts(ws, &d);
    *result = ws->result;
    return gspi_leave(&pass, GSP_OK, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>memory_plan   Tensors in one arena                                             (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Tensors are sorted by first step. A tree over them with 16 children per node holds the greatest
 * last step of the placed tensors below, so the search for tensors that conflict (are live
 * together) skips the rest. Conflicts are sorted by buckets of addresses (stretches). Long tensors,
 * in whose lifetime many others begin, are in a list by offset. Most searches scan all of it, live
 * or not: this pays because each long tensor conflicts with many. */

#define GSPI_LONG    64u /* long: more than 1/64 of all tensors begin in its lifetime */
#define GSPI_PASSED  16u /* long tensors scanned in the time of one conflict */
#define GSPI_STRETCH 4u  /* buckets per conflict, at most */
#define GSPI_FEW     12u /* up to 12 ids: insertion sort */
#define GSPI_SKYLINE 8u  /* steps per bucket of the coarse skyline after max_work */

typedef struct gspi_plan_ws {
    gsp_tensor *tensors; /* the writable arrays of the result */
    uint32_t *tensor_of;
    uint32_t *of;
    uint32_t *begin;   /* [n + 1] tensors that begin before a step */
    uint32_t *place;   /* [t] place of a tensor in row */
    uint32_t *row;     /* [t] tensors by first step */
    uint32_t *order;   /* [t] tensors by falling size */
    uint32_t *found;   /* [t] conflicts */
    uint64_t *key;     /* [t] ~size, then offset */
    uint32_t *tree;    /* last step + 1 by place, 0: not placed; then the maxima */
    uint64_t *skyline; /* [2 * buckets] a tree of maxima: greatest end of placed tensors */
    uint64_t *cover;   /* [2 * buckets] the same of tensors that cover all below a node */
    uint32_t *lasting; /* [n] long tensors by offset; live.active before */
    uint32_t *sorted;  /* [t] conflicts by bucket; live.of before */
    uint32_t *spread;  /* [t + 1] begin of a bucket in sorted; live.end before */
    uint32_t n_lasting;
    uint32_t level[10]; /* begins of the levels of the tree, and its end */
    uint32_t n_levels;
    uint32_t stretches;
    uint32_t n_steps;
    uint32_t align;
    uint32_t n;
    gspi_live live;
    gsp_memory_plan_result result;
} gspi_plan_ws;

GSPI_STATIC_ASSERT(GSP_BOUND_ARRAY(1u, sizeof(gspi_plan_ws)) ==
                       GSP_BOUND_ARRAY(1u, 23u * sizeof(void *) + 112u),
                   GSP_MEMORY_PLAN_BOUND_says_otherwise);

static void gspi_plan_layout(gspi_bump *b, gspi_plan_ws *ws, uint32_t n, int scratch)
{
    uint32_t const t = scratch ? 2u * n : n;
    ws->result.tensors = ws->tensors = GSPI_LOW(b, gsp_tensor, t);
    ws->result.tensor_of = ws->tensor_of = GSPI_LOW(b, uint32_t, n);
    ws->sorted = ws->of = GSPI_HIGH(b, uint32_t, t);
    ws->spread = ws->live.end = GSPI_HIGH(b, uint32_t, (size_t)t + 1u);
    ws->lasting = ws->live.active = GSPI_HIGH(b, uint32_t, n);
    ws->begin = GSPI_HIGH(b, uint32_t, (size_t)n + 1u);
    ws->place = GSPI_HIGH(b, uint32_t, t);
    ws->row = GSPI_HIGH(b, uint32_t, t);
    ws->order = GSPI_HIGH(b, uint32_t, t);
    ws->found = GSPI_HIGH(b, uint32_t, t);
    ws->key = GSPI_HIGH(b, uint64_t, t);
    ws->tree = GSPI_HIGH(b, uint32_t, (size_t)t + t / 8u + 16u);
    ws->stretches = n / GSPI_SKYLINE + 1u;
    ws->skyline = GSPI_HIGH(b, uint64_t, 2u * (size_t)ws->stretches);
    ws->cover = GSPI_HIGH(b, uint64_t, 2u * (size_t)ws->stretches);
    ws->n_steps = n;
    b->used = t < n ? SIZE_MAX : b->used;
}

GSP_API size_t gsp_memory_plan_bound(const gsp_graph *graph, const gsp_memory_plan_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_plan_ws ws;
    (void)GSPI_HIGH(&b, gspi_plan_ws, 1u);
    gspi_plan_layout(&b, &ws, graph->n_nodes, desc != NULL && desc->scratch != NULL);
    return gspi_add(b.used, GSPI_SLACK);
}

/* The bytes of a value without those of its elements that are tensors. */
static uint64_t gspi_plan_bytes(const gspi_live *l, gsp_node v)
{
    uint64_t bytes = gspi_bytes(l->graph, v);
    gspi_row const users = gspi_users(l->graph, v);
    for (uint32_t i = 0u; i < users.n && gspi_value_kind(l->graph, v) == GSP_VALUE_AGGREGATE; i++) {
        gsp_node const u = users.at[i];
        if (l->end[u] != GSP_NONE && gspi_element_of(l->graph, l->of, u) == v) {
            bytes -= gspi_bytes(l->graph, u);
        }
    }
    return bytes;
}

static void gspi_plan_add(gspi_plan_ws *ws, gsp_node v, uint64_t bytes, uint32_t begin,
                          uint32_t end, uint32_t scratch)
{
    gsp_tensor const t = {0u, bytes, v, begin, end, scratch};
    ws->tensors[ws->n++] = t;
}

GSPI_OWN_FRAME void gspi_plan_collect(gspi_plan_ws *ws, const gsp_memory_plan_desc *d)
{
    const gspi_live *l = &ws->live;
    const gsp_graph *g = l->graph;
    ws->n = 0u;
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        int const given = gspi_op(g, v) == GSP_OP_PLACEHOLDER;
        ws->tensor_of[v] = GSP_NONE;
        if (l->end[v] != GSP_NONE && !(given && d->skip_inputs)) {
            gsp_node const whole = gspi_element_of(g, l->of, v);
            gsp_node const from = whole == GSP_NONE ? v : whole;
            uint64_t const bytes = gspi_plan_bytes(l, v);
            if (bytes > 0u) {
                ws->tensor_of[v] = ws->n;
                gspi_plan_add(ws, v, bytes, given ? 0u : from,
                              l->end[v] > l->end[from] ? l->end[v] : l->end[from], 0u);
            }
        }
        if (d->scratch != NULL && d->scratch[v] > 0u) {
            gspi_plan_add(ws, v, d->scratch[v], v, v, 1u);
        }
    }
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        if (l->of[v] != GSP_NONE) {
            ws->tensor_of[v] = ws->tensor_of[l->of[v]];
        }
    }
}

static uint64_t gspi_plan_peak(const gspi_plan_ws *ws)
{
    uint64_t *bytes = ws->key;
    gspi_set(bytes, 0, ws->n_steps, sizeof(uint64_t));
    for (uint32_t i = 0u; i < ws->n; i++) {
        const gsp_tensor *t = &ws->tensors[i];
        gspi_profile_add(bytes, ws->n_steps, t->begin, t->end, t->bytes);
    }
    return bytes[gspi_profile_sum(bytes, ws->n_steps)];
}

GSPI_OWN_FRAME void gspi_plan_sort(gspi_plan_ws *ws)
{
    uint32_t size = ws->n;
    uint32_t i;
    for (i = 0u; i < ws->n; i++) {
        ws->place[i] = ws->tensors[i].begin;
        ws->order[i] = i;
        ws->key[i] = UINT64_MAX - ws->tensors[i].bytes;
    }
    gspi_rows(ws->place, ws->n, ws->n_steps, ws->begin, ws->row);
    for (i = 0u; i < ws->n; i++) {
        ws->place[ws->row[i]] = i;
    }
    gspi_sort(ws->order, ws->n, ws->key);
    ws->level[0] = 0u;
    for (i = 0u; i == 0u || size > 1u; i++) {
        size = i == 0u ? size : size / 16u + (size % 16u != 0u ? 1u : 0u);
        ws->level[i + 1u] = ws->level[i] + size;
    }
    ws->n_levels = i;
    gspi_zero_words(ws->tree, ws->level[i]);
}

static void gspi_plan_put(gspi_plan_ws *ws, uint32_t tensor)
{
    uint32_t const end = ws->tensors[tensor].end + 1u;
    uint32_t at = ws->place[tensor];
    for (uint32_t i = 0u; i < ws->n_levels; i++) {
        uint32_t *latest = &ws->tree[ws->level[i] + at];
        *latest = end > *latest ? end : *latest;
        at /= 16u;
    }
}

/* The first place from `at` on of a placed tensor that is live at or after `step`. */
static uint32_t gspi_plan_next(const gspi_plan_ws *ws, uint32_t at, uint32_t step)
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

/* ---- First gap ---- */

typedef struct gspi_plan_search {
    const gsp_tensor *t;
    uint64_t offset; /* least free offset so far */
    uint32_t at;     /* long tensors scanned */
} gspi_plan_search;

static uint64_t gspi_plan_round(uint64_t offset, uint32_t align)
{
    return (offset + align - 1u) & ~((uint64_t)align - 1u);
}

/* The number of tensors that begin before the end of `t`. */
static uint32_t gspi_plan_begun(const gspi_plan_ws *ws, const gsp_tensor *t)
{
    return t->end + 1u < ws->n_steps ? ws->begin[t->end + 1u] : ws->n;
}

/* Inserts an id into ids[0 .. n), sorted by key. */
static void gspi_plan_insert(uint32_t *ids, uint32_t n, uint32_t id, const uint64_t *key)
{
    for (; n > 0u && key[ids[n - 1u]] > key[id]; n--) {
        ids[n] = ids[n - 1u];
    }
    ids[n] = id;
}

/* Scans long tensors below `limit`; 1: gap found. No branch on liveness: it is unpredictable. */
static int gspi_plan_pass(const gspi_plan_ws *ws, gspi_plan_search *w, uint64_t limit)
{
    uint64_t const bytes = w->t->bytes;
    uint32_t const begin = w->t->begin;
    uint32_t const end = w->t->end;
    uint64_t offset = w->offset;
    uint32_t at = w->at;
    int gap = 0;
    for (; at < ws->n_lasting; at++) {
        const gsp_tensor *o = &ws->tensors[ws->lasting[at]];
        uint32_t const live = (uint32_t)(o->begin <= end) & (uint32_t)(o->end >= begin);
        uint64_t const top = gspi_plan_round(o->offset + o->bytes, ws->align) * live;
        if (o->offset >= limit) {
            break;
        }
        gap = ((uint32_t)(o->offset >= offset + bytes) & live) != 0u;
        if (gap) {
            break;
        }
        offset = top > offset ? top : offset;
    }
    w->offset = offset;
    w->at = at;
    return gap;
}

/* Lists the placed tensors, except long ones, that conflict with `t`. */
static uint32_t gspi_plan_conflicts(gspi_plan_ws *ws, const gsp_tensor *t)
{
    uint32_t const stop = gspi_plan_begun(ws, t);
    uint32_t n = 0u;
    uint32_t at = gspi_plan_next(ws, 0u, t->begin);
    while (at < stop) {
        ws->found[n++] = ws->row[at];
        at = gspi_plan_next(ws, at + 1u, t->begin);
    }
    return n;
}

/* Sorts found[0 .. n) into buckets of 2^*shift bytes, at most `least` unless they are too many. */
static uint32_t gspi_plan_spread(gspi_plan_ws *ws, uint32_t n, uint64_t least, uint32_t *shift)
{
    uint64_t const most = n < ws->n / GSPI_STRETCH ? GSPI_STRETCH * n : ws->n - 1u;
    uint64_t top = 0u;
    for (uint32_t i = 0u; i < n; i++) {
        top = ws->key[ws->found[i]] > top ? ws->key[ws->found[i]] : top;
    }
    for (*shift = 0u; least >> *shift > 1u || top >> *shift > most; ++*shift) {
    }
    top = (top >> *shift) + 1u;
    gspi_zero_words(ws->spread, (size_t)top);
    for (uint32_t i = 0u; i < n; i++) {
        ws->spread[ws->key[ws->found[i]] >> *shift]++;
    }
    gspi_counts_to_ends(ws->spread, (uint32_t)top);
    for (uint32_t i = 0u; i < n; i++) {
        ws->sorted[--ws->spread[ws->key[ws->found[i]] >> *shift]] = ws->found[i];
    }
    return (uint32_t)top;
}

static void gspi_plan_sort_few(uint32_t *ids, uint32_t n, const uint64_t *key)
{
    if (n > GSPI_FEW) {
        gspi_sort(ids, n, key);
        return;
    }
    for (uint32_t i = 1u; i < n; i++) {
        gspi_plan_insert(ids, i, ids[i], key);
    }
}

static void gspi_plan_lowest_first(uint32_t *ids, uint32_t n, const uint64_t *key)
{
    for (uint32_t i = 1u; i < n; i++) {
        if (key[ids[i]] < key[ids[0]]) {
            uint32_t const id = ids[0];
            ids[0] = ids[i];
            ids[i] = id;
        }
    }
}

/* The first gap among found[0 .. n) and the long tensors. All placed tensors are at least as large
 * as `t`, so no gap is between two in one bucket of that width: only the lowest must be first. */
static void gspi_plan_find_gap(gspi_plan_ws *ws, gspi_plan_search *w, uint32_t n)
{
    uint64_t const least = gspi_plan_round(w->t->bytes, ws->align);
    uint32_t shift;
    uint32_t const stretches = gspi_plan_spread(ws, n, least, &shift);
    for (uint32_t k = 0u; k < stretches; k++) {
        uint32_t const first = ws->spread[k];
        uint32_t const count = ws->spread[k + 1u] - first;
        if (least >> shift != 0u) {
            gspi_plan_lowest_first(ws->sorted + first, count, ws->key);
        } else {
            gspi_plan_sort_few(ws->sorted + first, count, ws->key);
        }
        for (uint32_t i = first; i < first + count; i++) {
            const gsp_tensor *o = &ws->tensors[ws->sorted[i]];
            uint64_t const top = gspi_plan_round(o->offset + o->bytes, ws->align);
            if (gspi_plan_pass(ws, w, o->offset) || o->offset >= w->offset + w->t->bytes) {
                return;
            }
            w->offset = top > w->offset ? top : w->offset;
        }
    }
    (void)gspi_plan_pass(ws, w, UINT64_MAX);
}

GSPI_OWN_FRAME uint32_t gspi_plan_fit(gspi_plan_ws *ws, uint32_t tensor)
{
    gsp_tensor *t = &ws->tensors[tensor];
    uint32_t const n = gspi_plan_conflicts(ws, t);
    gspi_plan_search w = {NULL, 0u, 0u};
    w.t = t;
    gspi_plan_find_gap(ws, &w, n);
    t->offset = w.offset;
    ws->key[tensor] = w.offset;
    if (!t->scratch && gspi_plan_begun(ws, t) - ws->begin[t->begin] > ws->n / GSPI_LONG) {
        gspi_plan_insert(ws->lasting, ws->n_lasting++, tensor, ws->key);
    } else {
        gspi_plan_put(ws, tensor);
    }
    return n + w.at / GSPI_PASSED;
}

/* ---- Skyline ---- */

static void gspi_plan_raise(uint64_t *at, uint64_t top)
{
    *at = top > *at ? top : *at;
}

/* Raises the skyline to the end of `t`: `cover` of the nodes of its lifetime, and maxima above. */
static void gspi_plan_cover(gspi_plan_ws *ws, const gsp_tensor *t)
{
    uint64_t const top = t->offset + t->bytes;
    uint32_t a = t->begin / GSPI_SKYLINE + ws->stretches;
    uint32_t b = t->end / GSPI_SKYLINE + ws->stretches;
    for (uint32_t i = a / 2u; i > 0u; i /= 2u) {
        gspi_plan_raise(&ws->skyline[i], top);
    }
    for (uint32_t i = b / 2u; i > 0u; i /= 2u) {
        gspi_plan_raise(&ws->skyline[i], top);
    }
    for (b++; a < b; a /= 2u, b /= 2u) {
        if (a % 2u != 0u) {
            gspi_plan_raise(&ws->cover[a++], top);
        }
        if (b % 2u != 0u) {
            gspi_plan_raise(&ws->cover[--b], top);
        }
    }
}

static uint64_t gspi_plan_above(const gspi_plan_ws *ws, const gsp_tensor *t)
{
    uint32_t a = t->begin / GSPI_SKYLINE + ws->stretches;
    uint32_t b = t->end / GSPI_SKYLINE + ws->stretches;
    uint64_t top = 0u;
    for (uint32_t i = a; i > 0u; i /= 2u) {
        gspi_plan_raise(&top, ws->cover[i]);
    }
    for (uint32_t i = b; i > 0u; i /= 2u) {
        gspi_plan_raise(&top, ws->cover[i]);
    }
    for (b++; a < b; a = (a + 1u) / 2u, b /= 2u) {
        if (a % 2u != 0u) {
            gspi_plan_raise(&top, ws->skyline[a]);
            gspi_plan_raise(&top, ws->cover[a]);
        }
        if (b % 2u != 0u) {
            gspi_plan_raise(&top, ws->skyline[b - 1u]);
            gspi_plan_raise(&top, ws->cover[b - 1u]);
        }
    }
    return top;
}

/* Places by falling size: first gap; after max_work, on the skyline. */
GSPI_OWN_FRAME void gspi_plan_place(gspi_plan_ws *ws, uint64_t max_work)
{
    gsp_memory_plan_result *result = &ws->result;
    result->arena = 0u;
    result->work = 0u;
    result->n_stacked = 0u;
    result->n_tensors = ws->n;
    ws->n_lasting = 0u;
    for (uint32_t i = 0u; i < ws->n; i++) {
        gsp_tensor *t = &ws->tensors[ws->order[i]];
        if (result->work < max_work) {
            result->work += gspi_plan_fit(ws, ws->order[i]);
        } else {
            if (result->n_stacked++ == 0u) {
                gspi_set(ws->skyline, 0, 2u * (size_t)ws->stretches, sizeof(uint64_t));
                gspi_set(ws->cover, 0, 2u * (size_t)ws->stretches, sizeof(uint64_t));
                for (uint32_t k = 0u; k < i; k++) {
                    gspi_plan_cover(ws, &ws->tensors[ws->order[k]]);
                }
            }
            t->offset = gspi_plan_round(gspi_plan_above(ws, t), ws->align);
            gspi_plan_cover(ws, t);
        }
        gspi_plan_raise(&result->arena, t->offset + t->bytes);
    }
}

GSP_API gsp_status gsp_memory_plan_run(gsp_arena *arena, const gsp_graph *graph,
                                       const gsp_memory_plan_desc *desc,
                                       gsp_memory_plan_result *result, gsp_error *err)
{
    gsp_memory_plan_desc d;
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && result != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    uint32_t const align = d.align == 0u ? GSP_ALIGN : d.align;
    uint64_t const rounding = (uint64_t)align * graph->n_nodes * (d.scratch != NULL ? 2u : 1u);
    GSPI_CHECK((align & (align - 1u)) == 0u, ARG, NUMBER);
    GSPI_TRY(gspi_check_values(graph, d.scratch, rounding, err));
    GSPI_TRY(gspi_enter(&pass, arena, gsp_memory_plan_bound(graph, &d), err));
    gspi_plan_ws *ws = GSPI_HIGH(&pass.bump, gspi_plan_ws, 1u);
    gspi_plan_layout(&pass.bump, ws, graph->n_nodes, d.scratch != NULL);
    ws->align = align;
    gspi_live_start(&ws->live, graph, ws->of);
    gspi_live_run(&ws->live, 0u, graph->n_nodes);
    gspi_plan_collect(ws, &d);
    ws->result.peak = gspi_plan_peak(ws);
    gspi_plan_sort(ws);
    gspi_plan_place(ws, d.max_work == 0u ? (uint64_t)1u << 25 : d.max_work);
    *result = ws->result;
    return gspi_leave(&pass, GSP_OK, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>split_by_memory   Fewest parts under a byte budget                             (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Allowed places of cuts are numbered. Longest parts from the front give the latest place of each
 * cut, longest parts from the back the earliest. These windows do not overlap: else one part fewer
 * would do. The earliest start of a part does not decrease with its end, so the least boundary up
 * to a cut is a minimum over a suffix of the window before. */

typedef struct gspi_budget_ws {
    uint64_t work;
    const gsp_split_by_memory_desc *desc;
    gsp_liveness_part *parts; /* the writable arrays of the result */
    uint32_t *part_of;
    uint32_t *begin;
    gsp_node *order;
    uint32_t *of;
    uint32_t *pos;
    uint64_t *bytes;    /* [n] profile of a candidate part */
    uint64_t *boundary; /* [n + 1] bytes that cross a place; sort key before */
    uint64_t *best;     /* [n + 1] least boundary up to a cut */
    uint32_t *from;     /* [n + 1] the cut before it then */
    uint32_t *least;    /* [n + 1] the best cut from here to the end of the window */
    uint32_t *cuts;     /* [n + 1] places in the order */
    uint32_t *latest;   /* [n + 1] latest cut at the end of a part */
    uint32_t *earliest; /* [n + 1] earliest cut; then the cuts of the result */
    uint32_t n;         /* callable nodes */
    uint32_t n_cuts;
    uint32_t n_parts;
    gspi_live live;
    gsp_split_by_memory_result result;
} gspi_budget_ws;

GSPI_STATIC_ASSERT(GSP_BOUND_ARRAY(1u, sizeof(gspi_budget_ws)) ==
                       GSP_BOUND_ARRAY(1u, 25u * sizeof(void *) + 60u),
                   GSP_SPLIT_BY_MEMORY_BOUND_says_otherwise);

static void gspi_budget_layout(gspi_bump *b, gspi_budget_ws *ws, uint32_t n)
{
    size_t const n1 = (size_t)n + 1u;
    ws->result.parts = ws->parts = GSPI_LOW(b, gsp_liveness_part, n);
    ws->result.part_of = ws->part_of = GSPI_LOW(b, uint32_t, n);
    ws->result.begin = ws->begin = GSPI_LOW(b, uint32_t, n1);
    ws->result.nodes = ws->order = GSPI_LOW(b, gsp_node, n);
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

GSP_API size_t gsp_split_by_memory_bound(const gsp_graph *graph,
                                         const gsp_split_by_memory_desc *desc)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_budget_ws ws;
    (void)desc;
    (void)GSPI_HIGH(&b, gspi_budget_ws, 1u);
    gspi_budget_layout(&b, &ws, graph->n_nodes);
    return gspi_add(b.used, GSPI_SLACK);
}

/* ---- Order and allowed cuts ---- */

static void gspi_budget_put(gspi_budget_ws *ws, gsp_node v)
{
    ws->pos[v] = ws->n;
    ws->order[ws->n++] = v;
}

/* Callable nodes in graph order; getitems of an element directly follow the aggregate. */
static void gspi_budget_order(gspi_budget_ws *ws, const gsp_graph *g)
{
    gspi_none_words(ws->pos, g->n_nodes);
    ws->n = 0u;
    for (gsp_node v = 0u; v < g->n_nodes; v++) {
        if (!gspi_callable(g, v) || ws->pos[v] != GSP_NONE) {
            continue;
        }
        gspi_row const users = gspi_users(g, v);
        gspi_budget_put(ws, v);
        for (uint32_t i = 0u; i < users.n && gspi_value_kind(g, v) == GSP_VALUE_AGGREGATE; i++) {
            if (gspi_taken_from(g, ws->of, users.at[i]) == v) {
                gspi_budget_put(ws, users.at[i]);
            }
        }
    }
}

/* The number of open groups per place; scratch: from, boundary. */
static void gspi_budget_groups(gspi_budget_ws *ws, const gsp_graph *g, uint32_t *open)
{
    uint32_t *members = ws->from;
    uint64_t *key = ws->boundary;
    uint32_t n = 0u;
    uint32_t k;
    for (uint32_t i = 0u; i < ws->n; i++) {
        gsp_atom const group = gspi_attr(g, ws->order[i], GSP_KEY_GROUP);
        if (group != GSP_NONE) {
            key[i] = ((uint64_t)group << 32) | i;
            members[n++] = i;
        }
    }
    gspi_sort(members, n, key);
    for (uint32_t i = 0u; i < n; i = k) {
        for (k = i + 1u; k < n && key[members[k]] >> 32 == key[members[i]] >> 32; k++) {
        }
        open[members[i] + 1u]++;
        open[members[k - 1u] + 1u]--;
    }
}

static void gspi_budget_cuts(gspi_budget_ws *ws, const gsp_graph *g)
{
    uint32_t *open = ws->least;
    uint32_t depth = 0u;
    gspi_zero_words(open, (size_t)ws->n + 1u);
    if (!ws->desc->ignore_groups) {
        gspi_budget_groups(ws, g, open);
    }
    ws->n_cuts = 0u;
    for (uint32_t i = 0u; i < ws->n; i++) {
        depth += open[i];
        if (depth == 0u && gspi_taken_from(g, ws->of, ws->order[i]) == GSP_NONE) {
            ws->cuts[ws->n_cuts++] = i;
        }
    }
    ws->cuts[ws->n_cuts++] = ws->n;
}

static void gspi_budget_boundaries(gspi_budget_ws *ws, const gsp_graph *g)
{
    gspi_set(ws->boundary, 0, (size_t)ws->n + 1u, sizeof(uint64_t));
    for (uint32_t i = 0u; i < ws->n; i++) {
        gspi_row const users = gspi_users(g, ws->order[i]);
        uint32_t last = i;
        for (uint32_t k = 0u; k < users.n; k++) {
            uint32_t const at = ws->pos[users.at[k]];
            last = at != GSP_NONE && at > last ? at : last;
        }
        gspi_profile_add(ws->boundary, ws->n + 1u, i + 1u, last, gspi_bytes(g, ws->order[i]));
    }
    (void)gspi_profile_sum(ws->boundary, ws->n + 1u);
}

static gsp_liveness_part gspi_budget_peak(gspi_budget_ws *ws, uint32_t a, uint32_t b)
{
    gspi_live_run(&ws->live, ws->cuts[a], ws->cuts[b] - ws->cuts[a]);
    gsp_liveness_part const peak = gspi_live_profile(&ws->live, ws->desc->scratch, 0, ws->bytes);
    gspi_live_clear(&ws->live);
    ws->work += ws->live.size;
    return peak;
}

static int gspi_budget_fits(gspi_budget_ws *ws, uint32_t a, uint32_t b)
{
    return gspi_budget_peak(ws, a < b ? a : b, a < b ? b : a).bytes <= ws->desc->budget;
}

/* The part from `fixed` to `from` fits: its farthest end towards `to`; doubling, then bisection. */
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

static gsp_status gspi_budget_windows(gspi_budget_ws *ws, gsp_error *err)
{
    uint32_t const end = ws->n_cuts - 1u;
    ws->n_parts = 0u;
    ws->latest[0] = 0u;
    while (ws->latest[ws->n_parts] < end) {
        uint32_t const at = ws->latest[ws->n_parts];
        uint32_t const stop = gspi_budget_reach(ws, at, at, end);
        if (stop == at) {
            gsp_liveness_part const peak = gspi_budget_peak(ws, at, at + 1u);
            (void)gspi_fail_at(err, GSP_STATUS_NO_FIT, GSP_DETAIL_BUDGET, peak.node, GSP_NONE);
            if (err != NULL) {
                err->need = peak.bytes;
                err->limit = ws->desc->budget;
            }
            return GSP_STATUS_NO_FIT;
        }
        ws->latest[++ws->n_parts] = stop;
    }
    ws->earliest[ws->n_parts] = end;
    for (uint32_t k = ws->n_parts; k > 0u; k--) {
        ws->earliest[k - 1u] = gspi_budget_reach(ws, ws->earliest[k], ws->earliest[k], 0u);
    }
    return GSP_OK;
}

/* ---- Least boundary ---- */

static void gspi_budget_least(gspi_budget_ws *ws, uint32_t low, uint32_t high)
{
    ws->least[high] = high;
    for (uint32_t i = high; i > low; i--) {
        uint32_t const next = ws->least[i];
        ws->least[i - 1u] = ws->best[i - 1u] <= ws->best[next] ? i - 1u : next;
    }
}

/* The earliest start from `first` on of a part that ends at `c` and fits; `last` fits. It is near
 * `first`, the start for the end before: doubling, then bisection. */
static uint32_t gspi_budget_begin(gspi_budget_ws *ws, uint32_t c, uint32_t first, uint32_t last)
{
    uint32_t good = first;
    uint32_t step = 1u;
    while (good < last && !gspi_budget_fits(ws, c, good)) {
        first = good + 1u;
        good = last - good > step ? good + step : last;
        step *= 2u;
    }
    while (first < good) {
        uint32_t const middle = first + (good - first) / 2u;
        if (gspi_budget_fits(ws, c, middle)) {
            good = middle;
        } else {
            first = middle + 1u;
        }
    }
    return good;
}

/* From the window of cut k to the next; 0: max_work is reached. */
static int gspi_budget_advance(gspi_budget_ws *ws, uint32_t k, uint64_t max_work)
{
    uint32_t const stop = ws->latest[k + 1u];
    uint32_t first = ws->earliest[k];
    uint32_t c = ws->earliest[k + 1u];
    while (c <= stop) {
        if (ws->work >= max_work) {
            return 0;
        }
        first = gspi_budget_begin(ws, c, first, ws->latest[k]);
        uint32_t const reach = gspi_budget_reach(ws, first, c, stop);
        for (; c <= reach; c++) {
            ws->from[c] = ws->least[first];
            ws->best[c] = gspi_sum(ws->best[ws->from[c]], ws->boundary[ws->cuts[c]]);
        }
    }
    return 1;
}

/* After max_work: from the last cut to the first, each the best for the next. */
static void gspi_budget_approximate(gspi_budget_ws *ws)
{
    uint32_t low = ws->earliest[ws->n_parts - 1u];
    for (uint32_t k = ws->n_parts - 1u; k > 0u; k--) {
        uint32_t best = ws->latest[k];
        for (uint32_t c = best; c > low; c--) {
            if (ws->boundary[ws->cuts[c - 1u]] <= ws->boundary[ws->cuts[best]]) {
                best = c - 1u;
            }
        }
        ws->earliest[k] = best;
        low = gspi_budget_reach(ws, best, ws->latest[k - 1u], ws->earliest[k - 1u]);
    }
}

/* Writes the cuts of the result into `earliest`; 0: max_work was reached before the minimum. */
static int gspi_budget_choose(gspi_budget_ws *ws)
{
    uint64_t const most = ws->desc->max_work == 0u ? (uint64_t)1u << 24 : ws->desc->max_work;
    uint32_t const last = ws->n_parts - 1u;
    uint32_t c;
    ws->work = 0u;
    for (c = ws->earliest[1]; c <= ws->latest[1]; c++) {
        ws->best[c] = ws->boundary[ws->cuts[c]];
    }
    gspi_budget_least(ws, ws->earliest[1], ws->latest[1]);
    for (uint32_t k = 1u; k < last; k++) {
        if (!gspi_budget_advance(ws, k, most)) {
            gspi_budget_approximate(ws);
            return 0;
        }
        gspi_budget_least(ws, ws->earliest[k + 1u], ws->latest[k + 1u]);
    }
    c = ws->least[ws->earliest[last]];
    for (uint32_t k = last; k > 0u; k--) {
        ws->earliest[k] = c;
        c = k > 1u ? ws->from[c] : c;
    }
    ws->earliest[0] = 0u;
    return 1;
}

static uint64_t gspi_budget_total(const gspi_budget_ws *ws, const uint32_t *ends)
{
    uint64_t sum = 0u;
    for (uint32_t k = 1u; k < ws->n_parts; k++) {
        sum = gspi_sum(sum, ws->boundary[ws->cuts[ends[k]]]);
    }
    return sum;
}

static void gspi_budget_finish(gspi_budget_ws *ws, uint32_t n_nodes)
{
    gspi_none_words(ws->part_of, n_nodes);
    ws->begin[0] = 0u;
    for (uint32_t k = 0u; k < ws->n_parts; k++) {
        ws->parts[k] = gspi_budget_peak(ws, ws->earliest[k], ws->earliest[k + 1u]);
        ws->begin[k + 1u] = ws->cuts[ws->earliest[k + 1u]];
        for (uint32_t i = ws->begin[k]; i < ws->begin[k + 1u]; i++) {
            ws->part_of[ws->order[i]] = k;
        }
    }
    ws->result.n_parts = ws->n_parts;
    ws->result.boundary = gspi_budget_total(ws, ws->earliest);
    ws->result.greedy_boundary = gspi_budget_total(ws, ws->latest);
}

GSPI_OWN_FRAME gsp_status gspi_budget_cut(gspi_budget_ws *ws, const gsp_graph *g, gsp_error *err)
{
    gspi_live_start(&ws->live, g, ws->of);
    gspi_budget_order(ws, g);
    ws->live.pos = ws->pos;
    ws->live.order = ws->order;
    gspi_budget_cuts(ws, g);
    gspi_budget_boundaries(ws, g);
    GSPI_TRY(gspi_budget_windows(ws, err));
    ws->result.proved = 1u;
    if (ws->n_parts > 1u) {
        ws->result.proved = (uint32_t)gspi_budget_choose(ws);
    }
    gspi_budget_finish(ws, g->n_nodes);
    return GSP_OK;
}

GSP_API gsp_status gsp_split_by_memory_run(gsp_arena *arena, const gsp_graph *graph,
                                           const gsp_split_by_memory_desc *desc,
                                           gsp_split_by_memory_result *result, gsp_error *err)
{
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && desc != NULL && result != NULL);
    GSPI_CHECK_DESC(*desc);
    GSPI_TRY(gspi_check_values(graph, desc->scratch, 0u, err));
    GSPI_TRY(gspi_enter(&pass, arena, gsp_split_by_memory_bound(graph, desc), err));
    gspi_budget_ws *ws = GSPI_HIGH(&pass.bump, gspi_budget_ws, 1u);
    gspi_budget_layout(&pass.bump, ws, graph->n_nodes);
    ws->desc = desc;
    ws->work = 0u;
    gsp_status const status = gspi_budget_cut(ws, graph, err);
    if (status == GSP_OK) {
        *result = ws->result;
    }
    return gspi_leave(&pass, status, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>exec_plan   Slots and call frames, planned once                                (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* A graph is planned at its first call, while its caller waits: waiting graphs are a chain of
 * parents, and nothing recurses. The caller of the root is a pseudo graph (the outside) whose
 * values are the inputs of the run. Every value has an owner: a node (its id in the module) or, for
 * elements of aggregates, a number above. A node yields one owner or an aggregate: a row of owners,
 * and a tree, the tokens of its containers, keys and values, each value a GSP_ARG_NODE. A getitem
 * is a part of the row of another node. A returned value belongs to the caller afterwards. Owners
 * live until the last node of their graph that reads them; a scan in graph order assigns slots.
 * Then rows hold slots, and the run uses the same rows and trees. */

/* Others, GSP_NONE: placeholders, resolved getitems, attributes that only name a graph. */
enum {
    GSPI_STEP_ATTR,   /* get_attr */
    GSPI_STEP_KERNEL, /* a call whose arguments are single values and constants */
    GSPI_STEP_EXPAND, /* a call with aggregates */
    GSPI_STEP_ENTER,  /* a call of a graph */
    GSPI_STEP_RETURN  /* output */
};

enum { GSPI_FRAME_NEW, GSPI_FRAME_OPEN, GSPI_FRAME_DONE };

/* Origin of a returned value that is neither an input nor an earlier output. */
#define GSPI_FRESH GSP_NONE
/* The key of an element that is bound. */
#define GSPI_TAKEN (GSP_NONE - 1u)

typedef struct gspi_element {
    gsp_atom key; /* GSP_NONE: by position; from counts.strings on: of an input of the run */
    uint32_t at;  /* its token, or the input */
} gspi_element;

typedef struct gspi_owner {
    uint64_t bytes;
    gsp_node birth;
    gsp_node last;    /* last reader */
    uint32_t sibling; /* next owner of the same graph */
    uint32_t spare;   /* owner i: free slot i of the graph */
} gspi_owner;

typedef struct gspi_exec_ws {
    gspi_owner *owners;     /* [max_owners] */
    uint32_t *origin;       /* [max_leaf] of a returned value */
    uint32_t *latest;       /* [graphs + 1] last owner of a graph */
    gspi_element *elements; /* [args + inputs] of a call */
    const gsp_module *m;
    gsp_error *err;
    const gsp_arg *args; /* of the call to bind; NULL: the inputs of the run */
    uint32_t callee;
    uint32_t n_elements;
    uint32_t n_placed;   /* bound, by position */
    uint32_t n_named;    /* not bound, by name */
    uint32_t found;      /* last element found by name */
    uint32_t aggregates; /* of the desc */
    int whole;
    uint32_t invoke; /* target of invoke_subgraph; counts.strings: none */
    uint32_t n_owners;
    uint32_t n_leaf;
    uint32_t n_tree;
    uint32_t n_requests;
    uint32_t max_owners;
    uint32_t max_leaf;
    uint32_t max_tree;
    uint32_t max_requests;
    uint32_t open;      /* innermost open container of tree */
    uint32_t graph;     /* current graph; counts.graphs: the pseudo graph */
    uint32_t first;     /* its first node in the module */
    gsp_node node;      /* current node of it */
    gsp_node requester; /* node that needs constants */
    uint32_t seen_tree; /* last element found: its tree, ... */
    uint32_t seen_index;
    uint32_t seen_at;
    gsp_exec_plan p; /* the result; until the end leaf_at, leaf and requests hold owners */
} gspi_exec_ws;

GSPI_STATIC_ASSERT(GSP_BOUND_ARRAY(1u, sizeof(gspi_exec_ws)) ==
                       GSP_BOUND_ARRAY(1u, sizeof(gsp_exec_plan) + 7u * sizeof(void *) + 96u),
                   GSP_EXEC_PLAN_BOUND_says_otherwise);

static void gspi_exec_layout(gspi_bump *b, gspi_exec_ws *w, const gsp_counts *c,
                             const gsp_exec_plan_desc *d)
{
    uint32_t const n = c->nodes;
    uint64_t const room = d->aggregates != 0u ? d->aggregates : (uint64_t)c->args + n;
    uint64_t const most = room + d->n_inputs + c->args + 2u * (uint64_t)n + 64u;
    uint32_t const more = (uint32_t)room + d->n_inputs; /* no sum is above `most` */
    size_t const graphs = (size_t)c->graphs + 1u;
    w->max_owners = n + more;
    w->max_leaf = 2u * n + c->args + more;
    w->max_tree = c->args + 64u + more;
    w->max_requests = w->max_tree + n;
    w->p.frames = GSPI_LOW(b, gsp_exec_frame, graphs);
    w->p.nodes = GSPI_LOW(b, gsp_exec_node, n);
    w->p.leaf = GSPI_LOW(b, uint32_t, w->max_leaf);
    w->p.tree = GSPI_LOW(b, gsp_arg, w->max_tree);
    w->p.tree_leaf = GSPI_LOW(b, uint32_t, w->max_tree);
    w->p.requests = GSPI_LOW(b, gsp_exec_plan_request, w->max_requests);
    w->p.slot = GSPI_LOW(b, uint32_t, w->max_owners);
    w->p.next = GSPI_LOW(b, uint32_t, w->max_owners);
    w->owners = GSPI_HIGH(b, gspi_owner, w->max_owners);
    w->origin = GSPI_HIGH(b, uint32_t, w->max_leaf);
    w->latest = GSPI_HIGH(b, uint32_t, graphs);
    w->elements = GSPI_HIGH(b, gspi_element, c->args + d->n_inputs);
    b->used = most < UINT32_MAX ? b->used : SIZE_MAX;
}

GSP_API gsp_exec_plan_desc gsp_exec_plan_resolve(const gsp_graph *graph,
                                                 const gsp_exec_plan_desc *desc)
{
    gsp_exec_plan_desc d;
    gspi_desc(&d, desc, sizeof(d));
    if (d.aggregates == 0u) {
        d.aggregates = gspi_count_add(graph->module->counts.args, graph->module->counts.nodes);
    }
    if (d.n_inputs == 0u && d.inputs == NULL) {
        uint32_t n = 0u;
        for (gsp_node v = 0u; v < graph->n_nodes; v++) {
            if (gspi_op(graph, v) == GSP_OP_PLACEHOLDER &&
                !gspi_at(gspi_target_str(graph, v), 0u, "*")) {
                n++;
                d.n_inputs = gspi_args(graph, v).n == 0u ? n : d.n_inputs;
            }
        }
    }
    return d;
}

/* Without inputs in the desc there may be one per node. */
GSP_API size_t gsp_exec_plan_bound(const gsp_graph *graph, const gsp_exec_plan_desc *desc)
{
    const gsp_counts *counts = &graph->module->counts;
    gspi_bump b = gspi_bump_over(NULL);
    gsp_exec_plan_desc d;
    gspi_exec_ws w;
    gspi_desc(&d, desc, sizeof(d));
    d.n_inputs = d.n_inputs == 0u && d.inputs == NULL ? counts->nodes : d.n_inputs;
    (void)GSPI_HIGH(&b, gspi_exec_ws, 1u);
    gspi_exec_layout(&b, &w, counts, &d);
    return gspi_add(b.used, GSPI_SLACK);
}

/* ---- Values: owners, rows, trees ---- */

/* The row of the value of a node. */
static const uint32_t *gspi_exec_row(const gsp_exec_plan *p, const gsp_exec_node *x)
{
    return x->tree_at == GSP_NONE ? &x->leaf_at : p->leaf + x->leaf_at;
}

static uint32_t gspi_exec_width(const gsp_exec_plan *p, uint32_t tree)
{
    return tree == GSP_NONE ? 1u : p->tree_leaf[tree + p->tree[tree].value] - p->tree_leaf[tree];
}

static gsp_str gspi_exec_text(const gsp_exec_plan *p, gsp_atom s)
{
    const gsp_module *m = p->graph.module;
    return s < m->counts.strings ? gspi_string(m, s) : p->inputs[s - m->counts.strings].name;
}

/* The end of the element that begins at a token. */
static uint32_t gspi_token_end(const gsp_arg *args, uint32_t at)
{
    return at + 1u + (gspi_is_opening(args[at].kind) ? args[at].value : 0u);
}

/* Fail at the current node unless `cond` holds. */
#define GSPI_EXEC_CHECK(cond, status, detail)                                              \
    do {                                                                                   \
        if (!(cond)) {                                                                     \
            return gspi_fail_at(w->err, GSP_STATUS_##status, GSP_DETAIL_##detail, w->node, \
                                w->graph);                                                 \
        }                                                                                  \
    } while (0)

static gsp_status gspi_exec_full(const gspi_exec_ws *w)
{
    return gspi_fail_amount(w->err, GSP_STATUS_LIMIT, GSP_DETAIL_AGGREGATES,
                            2u * (uint64_t)w->aggregates + 1u, w->aggregates);
}

/* Owner `id` begins at the current node. */
static void gspi_exec_own(gspi_exec_ws *w, uint32_t id, uint64_t bytes)
{
    uint32_t *latest = &w->latest[w->graph];
    gspi_owner *owner = &w->owners[id];
    owner->birth = w->node;
    owner->last = w->node;
    owner->bytes = bytes;
    owner->sibling = GSP_NONE;
    w->p.slot[id] = GSP_NONE;
    *(*latest == GSP_NONE ? &w->p.frames[w->graph].owners : &w->owners[*latest].sibling) = id;
    *latest = id;
}

static gsp_status gspi_exec_leaf(gspi_exec_ws *w, uint32_t owner)
{
    if (w->n_leaf == w->max_leaf) {
        return gspi_exec_full(w);
    }
    w->p.leaf[w->n_leaf++] = owner;
    return GSP_OK;
}

/* Appends an owner that is no node to the current row. */
static gsp_status gspi_exec_new_leaf(gspi_exec_ws *w, uint64_t bytes)
{
    if (w->n_owners == w->max_owners) {
        return gspi_exec_full(w);
    }
    gspi_exec_own(w, w->n_owners, bytes);
    return gspi_exec_leaf(w, w->n_owners++);
}

static gsp_status gspi_exec_token(gspi_exec_ws *w, uint32_t kind, uint32_t value)
{
    uint32_t const at = w->n_tree;
    gsp_arg *token = &w->p.tree[at];
    if (at == w->max_tree) {
        return gspi_exec_full(w);
    }
    token->kind = kind;
    token->value = value;
    w->p.tree_leaf[at] = 0u;
    if (at > 0u) {
        w->p.tree_leaf[at] =
            w->p.tree_leaf[at - 1u] + (token[-1].kind == (uint32_t)GSP_ARG_NODE ? 1u : 0u);
    }
    w->n_tree++;
    return GSP_OK;
}

/* The token of an open container holds the one around it. */
static gsp_status gspi_exec_open(gspi_exec_ws *w, uint32_t kind)
{
    GSPI_TRY(gspi_exec_token(w, kind, w->open));
    w->open = w->n_tree - 1u;
    return GSP_OK;
}

static gsp_status gspi_exec_close(gspi_exec_ws *w)
{
    uint32_t const opening = w->open;
    uint32_t const skip = w->n_tree - opening;
    GSPI_EXEC_CHECK(opening != GSP_NONE, DAMAGED, BRACKET); /* crossing, in a stored module */
    GSPI_TRY(gspi_exec_token(w, (uint32_t)GSP_ARG_CLOSE, skip));
    w->open = w->p.tree[opening].value;
    w->p.tree[opening].value = skip;
    return GSP_OK;
}

/* A constant becomes a value at the current node. */
static gsp_status gspi_exec_constant(gspi_exec_ws *w, gsp_atom constant)
{
    if (w->n_requests + 1u >= w->max_requests) {
        return gspi_exec_full(w);
    }
    gsp_exec_plan_request const request = {w->n_owners, constant, w->requester};
    w->p.requests[w->n_requests++] = request;
    return gspi_exec_new_leaf(w, 0u);
}

/* The constants requested since `before` become a row. */
static uint32_t gspi_exec_requested(gspi_exec_ws *w, uint32_t before)
{
    if (w->n_requests == before) {
        return GSP_NONE;
    }
    w->p.requests[w->n_requests++].slot = GSP_NONE; /* there is always room */
    return before;
}

/* The current node reads the value of a node; returns its tokens - 1. */
static uint32_t gspi_exec_touch(gspi_exec_ws *w, const gsp_exec_node *x)
{
    if (x->tree_at == GSP_NONE) {
        w->owners[x->leaf_at].last = w->node;
        return 0u;
    }
    uint32_t const width = gspi_exec_width(&w->p, x->tree_at);
    for (uint32_t i = 0u; i < width; i++) {
        w->owners[w->p.leaf[x->leaf_at + i]].last = w->node;
    }
    return w->p.tree[x->tree_at].value;
}

/* Appends the value of node u to the current row; *tree is its tree. */
static gsp_status gspi_exec_append(gspi_exec_ws *w, gsp_node u, uint32_t *tree)
{
    const gsp_exec_node *x = &w->p.nodes[w->first + u];
    GSPI_EXEC_CHECK(u < w->node && x->leaf_at != GSP_NONE, DAMAGED, ROWS);
    const uint32_t *row = gspi_exec_row(&w->p, x);
    uint32_t const width = gspi_exec_width(&w->p, x->tree_at);
    (void)gspi_exec_touch(w, x);
    *tree = x->tree_at;
    for (uint32_t i = 0u; i < width; i++) {
        GSPI_TRY(gspi_exec_leaf(w, row[i]));
    }
    return GSP_OK;
}

static gsp_status gspi_exec_write(gspi_exec_ws *w, gsp_arg a, int keep_constants)
{
    uint32_t tree;
    switch (a.kind) {
    case GSP_ARG_NODE:
        GSPI_TRY(gspi_exec_append(w, a.value, &tree));
        if (tree == GSP_NONE) {
            return gspi_exec_token(w, a.kind, 0u);
        }
        for (uint32_t i = 0u; i <= w->p.tree[tree].value; i++) {
            GSPI_TRY(gspi_exec_token(w, w->p.tree[tree + i].kind, w->p.tree[tree + i].value));
        }
        return GSP_OK;
    case GSP_ARG_CONSTANT:
        if (keep_constants) {
            return gspi_exec_token(w, a.kind, a.value);
        }
        GSPI_TRY(gspi_exec_token(w, (uint32_t)GSP_ARG_NODE, 0u));
        return gspi_exec_constant(w, a.value);
    case GSP_ARG_KEY:
        return gspi_exec_token(w, a.kind, a.value);
    case GSP_ARG_CLOSE:
        return gspi_exec_close(w);
    default:
        GSPI_EXEC_CHECK(gspi_is_opening(a.kind), DAMAGED, ROWS);
        return gspi_exec_open(w, a.kind);
    }
}

static gsp_status gspi_exec_write_all(gspi_exec_ws *w, const gsp_arg *args, uint32_t at)
{
    uint32_t const end = gspi_token_end(args, at);
    uint32_t const open = w->open;
    for (; at < end; at++) {
        GSPI_TRY(gspi_exec_write(w, args[at], 0));
    }
    GSPI_EXEC_CHECK(w->open == open, DAMAGED, BRACKET);
    return GSP_OK;
}

/* Appends the value of the element at a token to the current row; *tree is its tree. */
static gsp_status gspi_exec_value(gspi_exec_ws *w, const gsp_arg *args, uint32_t at, uint32_t *tree)
{
    *tree = GSP_NONE;
    if (args[at].kind == (uint32_t)GSP_ARG_NODE) {
        return gspi_exec_append(w, args[at].value, tree);
    }
    if (args[at].kind == (uint32_t)GSP_ARG_CONSTANT) {
        return gspi_exec_constant(w, args[at].value);
    }
    GSPI_EXEC_CHECK(gspi_is_opening(args[at].kind), DAMAGED, ROWS);
    *tree = w->n_tree;
    w->open = GSP_NONE;
    return gspi_exec_write_all(w, args, at);
}

static int gspi_exec_same_tree(const gsp_exec_plan *p, uint32_t a, uint32_t b)
{
    return a == b ||
           (a != GSP_NONE && b != GSP_NONE && p->tree[a].value == p->tree[b].value &&
            gspi_same(p->tree + a, p->tree + b, ((size_t)p->tree[a].value + 1u) * sizeof(gsp_arg)));
}

/* Bytes of the first tensor of a TYPE; 0: none. */
static uint64_t gspi_type_bytes(gsp_str type)
{
    uint32_t at = 0u;
    gsp_str dtype;
    gsp_str dims;
    gspi_type tensor;
    gspi_set(&tensor, 0, 1u, sizeof(tensor));
    if (gsp_type_next(type, &at, &dtype, &dims)) {
        (void)gspi_type_scan(&tensor, type, (uint32_t)(dtype.data - type.data));
    }
    return tensor.bytes;
}

/* The results of a kernel by TYPE: a row, and a tree for a nonempty `tuple(...)` or `list(...)`. */
static gsp_status gspi_exec_type(gspi_exec_ws *w, uint32_t at)
{
    gsp_str const type = gspi_string(w->m, w->m->type[at]);
    int const override = (w->m->flags[at] & GSP_FLAG_BYTES) != 0u; /* bytes= counts as the first */
    uint64_t bytes = w->m->bytes[at];
    gsp_exec_node *x = &w->p.nodes[at];
    uint32_t const tree = w->n_tree;
    uint32_t i = 0u;
    x->leaf_at = w->n_leaf;
    w->open = GSP_NONE;
    do {
        uint32_t const begin = i;
        if (gspi_at(type, i, "tuple(") || gspi_at(type, i, "list(")) {
            int const tuple = type.data[i] == 't';
            GSPI_TRY(gspi_exec_open(w, (uint32_t)(tuple ? GSP_ARG_TUPLE : GSP_ARG_LIST)));
            i += tuple ? 6u : 5u;
        } else if (w->open == GSP_NONE) {
            break;
        } else if (gspi_byte(type, i) == ')') {
            GSPI_TRY(gspi_exec_close(w));
            i++;
        } else if (gspi_byte(type, i) == ',' || gspi_is_blank(gspi_byte(type, i))) {
            i++;
        } else {
            i = gspi_type_element_end(type, begin);
            gsp_str const element = gspi_slice(type.data, begin, i);
            GSPI_TRY(gspi_exec_token(w, (uint32_t)GSP_ARG_NODE, 0u));
            GSPI_TRY(gspi_exec_new_leaf(w, override ? bytes : gspi_type_bytes(element)));
            bytes = 0u;
        }
    } while (w->open != GSP_NONE && i < type.size);
    while (w->open != GSP_NONE) {
        GSPI_TRY(gspi_exec_close(w));
    }
    x->tree_at = tree;
    if (w->n_leaf == x->leaf_at) {
        w->n_tree = tree;
        x->tree_at = GSP_NONE;
    }
    return GSP_OK;
}

/* The next dimension of a tensor; 0: none. */
static int gspi_next_dimension(gsp_str dims, uint32_t *at, gsp_str *dim)
{
    uint32_t const begin = *at;
    while (*at < dims.size && dims.data[*at] != ',') {
        ++*at;
    }
    *dim = gspi_trim(gspi_slice(dims.data, begin, *at));
    ++*at;
    return begin < dims.size;
}

/* The difference of two types, either may be empty: dtype, then numeric dimensions. */
GSPI_OWN_FRAME gsp_detail gspi_type_mismatch(gsp_str given, gsp_str wanted)
{
    uint32_t at[2] = {0u, 0u};
    gsp_str part[2]; /* dtype, then a dimension */
    gsp_str dims[2];
    int const tensor = gsp_type_next(given, &at[0], &part[0], &dims[0]);
    if (given.size == 0u || wanted.size == 0u) {
        return GSP_DETAIL_NONE;
    }
    if (tensor != gsp_type_next(wanted, &at[1], &part[1], &dims[1])) {
        return GSP_DETAIL_INPUT_TYPE;
    }
    if (!tensor) {
        return gsp_str_equal(given, wanted) ? GSP_DETAIL_NONE : GSP_DETAIL_INPUT_TYPE;
    }
    if (!gsp_str_equal(part[0], part[1])) {
        return GSP_DETAIL_INPUT_DTYPE;
    }
    at[0] = at[1] = 0u;
    for (;;) {
        uint64_t number[2];
        int const more = gspi_next_dimension(dims[0], &at[0], &part[0]);
        if (more != gspi_next_dimension(dims[1], &at[1], &part[1])) {
            return GSP_DETAIL_INPUT_SHAPE;
        }
        if (!more) {
            return GSP_DETAIL_NONE;
        }
        if (gspi_number(part[0], &number[0]) && gspi_number(part[1], &number[1]) &&
            number[0] != number[1]) {
            return GSP_DETAIL_INPUT_SHAPE;
        }
    }
}

/* ---- Elements of aggregates ---- */

static int gspi_is_value(uint32_t kind)
{
    return kind == (uint32_t)GSP_ARG_NODE || gspi_is_opening(kind);
}

/* The token of element `index` of a tuple or list, from its end if `negative`, else from the
 * element found last or the first one, whichever is nearer; GSP_NONE: none. */
static uint32_t gspi_exec_element(gspi_exec_ws *w, uint32_t tree, uint32_t index, int negative)
{
    const gsp_arg *tokens = w->p.tree;
    uint32_t const first = tree + 1u;
    uint32_t const end = tree + tokens[tree].value;
    uint32_t i = 0u;
    uint32_t at = first;
    if (gspi_exec_width(&w->p, tree) == end - first) { /* single values */
        index = !negative ? index : index <= end - first ? end - first - index : end;
        return index < end - first ? first + index : GSP_NONE;
    }
    if (negative) {
        i = index;
        index = 0u;
        at = end;
    } else if (w->seen_tree == tree && index >= w->seen_index / 2u) {
        i = w->seen_index;
        at = w->seen_at;
    }
    for (; i > index && at > first; i--) {
        at--;
        at -= tokens[at].kind == (uint32_t)GSP_ARG_CLOSE ? tokens[at].value : 0u;
    }
    for (; i < index && at < end; i++) {
        at = gspi_token_end(tokens, at);
    }
    if (i != index || at >= end || !gspi_is_value(tokens[at].kind)) {
        return GSP_NONE;
    }
    if (!negative) {
        w->seen_tree = tree;
        w->seen_index = i;
        w->seen_at = at;
    }
    return at;
}

/* The token of the element with this key, with or without quotes. */
static uint32_t gspi_exec_entry(const gsp_exec_plan *p, uint32_t tree, gsp_str key)
{
    uint32_t const end = tree + p->tree[tree].value;
    if (key.size >= 2u && (key.data[0] == '\'' || key.data[0] == '"') &&
        key.data[key.size - 1u] == key.data[0]) {
        key = gspi_slice(key.data, 1u, key.size - 1u);
    }
    for (uint32_t at = tree + 1u; at < end; at = gspi_token_end(p->tree, at)) {
        if (p->tree[at].kind == (uint32_t)GSP_ARG_KEY && gspi_is_value(p->tree[at + 1u].kind) &&
            gsp_str_equal(gspi_exec_text(p, p->tree[at].value), key)) {
            return at + 1u;
        }
    }
    return GSP_NONE;
}

/* Resolves a getitem of a known aggregate by a constant to a row; a kernel executes any other. */
GSPI_OWN_FRAME gsp_status gspi_exec_getitem(gspi_exec_ws *w, const gsp_graph *g, gsp_node v)
{
    const gsp_arg *args = gspi_args(g, v).at;
    gsp_exec_node *x = &w->p.nodes[g->first + v];
    const gsp_exec_node *from = &w->p.nodes[g->first + args[0].value];
    uint32_t const tree = args[0].value < v ? from->tree_at : GSP_NONE;
    gsp_str const key = gspi_string(w->m, args[1].value);
    uint64_t index = 0u;
    uint32_t token;
    if (tree == GSP_NONE) {
        return GSP_OK;
    }
    if (w->p.tree[tree].kind == (uint32_t)GSP_ARG_DICT) {
        token = gspi_exec_entry(&w->p, tree, key);
    } else {
        uint32_t const minus = gspi_byte(key, 0u) == '-' ? 1u : 0u;
        if (w->p.tree[tree].kind == (uint32_t)GSP_ARG_SLICE ||
            !gspi_number(gspi_slice(key.data, minus, key.size), &index)) {
            return GSP_OK;
        }
        index = index < UINT32_MAX ? index : UINT32_MAX;
        token = gspi_exec_element(w, tree, (uint32_t)index, minus != 0u);
    }
    GSPI_EXEC_CHECK(token != GSP_NONE, ARG, ELEMENT);
    x->leaf_at = from->leaf_at + w->p.tree_leaf[token] - w->p.tree_leaf[tree];
    if (w->p.tree[token].kind == (uint32_t)GSP_ARG_NODE) {
        x->leaf_at = w->p.leaf[x->leaf_at];
    } else {
        x->tree_at = token;
    }
    (void)gspi_exec_touch(w, x);
    return GSP_OK;
}

/* ---- Inputs bound to placeholders ---- */

static void gspi_bind_start(gspi_exec_ws *w, const gsp_arg *args, uint32_t callee)
{
    w->args = args;
    w->callee = callee;
    w->n_elements = 0u;
    w->n_placed = 0u;
    w->n_named = 0u;
    w->found = 0u;
}

static void gspi_bind_add(gspi_exec_ws *w, gsp_atom key, uint32_t at)
{
    w->elements[w->n_elements].key = key;
    w->elements[w->n_elements++].at = at;
    w->n_named += key != GSP_NONE ? 1u : 0u;
}

static gsp_status gspi_bind_fail(const gspi_exec_ws *w, gsp_detail detail, gsp_node placeholder,
                                 uint32_t input)
{
    GSPI_EXEC_CHECK(w->graph == w->m->counts.graphs, ARG, CALL_INPUTS);
    return gspi_fail_at(w->err, GSP_STATUS_ARG, detail, placeholder, input);
}

static uint32_t gspi_bind_named(gspi_exec_ws *w, gsp_atom target)
{
    gsp_str const name = gspi_string(w->m, target);
    uint32_t const n = w->n_named != 0u ? w->n_elements : 0u;
    for (uint32_t tried = 0u; tried < n; tried++) {
        uint32_t const i = w->found + tried < n ? w->found + tried : w->found + tried - n;
        gsp_atom const key = w->elements[i].key;
        if (key == target || (key < GSPI_TAKEN && key >= w->m->counts.strings &&
                              gsp_str_equal(gspi_exec_text(&w->p, key), name))) {
            w->found = i;
            return i;
        }
    }
    return GSP_NONE;
}

/* Fails for an unbound named element if a placeholder has its name. */
static gsp_status gspi_bind_once(const gspi_exec_ws *w, uint32_t i)
{
    gsp_graph const g = gspi_graph(w->m, w->callee);
    for (uint32_t k = 0u; k < w->p.frames[g.id].n_placeholders; k++) {
        gsp_node const v = w->p.nodes[g.first + k].placeholder;
        if (gsp_str_equal(gspi_target_str(&g, v), gspi_exec_text(&w->p, w->elements[i].key))) {
            return gspi_bind_fail(w, GSP_DETAIL_INPUT_TWICE, v, w->elements[i].at);
        }
    }
    return GSP_OK;
}

static gsp_status gspi_bind_inside(gspi_exec_ws *w, uint32_t at)
{
    if (w->args != NULL) {
        return gspi_exec_write_all(w, w->args, at);
    }
    GSPI_TRY(gspi_exec_token(w, (uint32_t)GSP_ARG_NODE, 0u));
    return gspi_exec_leaf(w, w->m->counts.nodes + at);
}

/* `*args`, a tuple of the remaining elements by position; `**kwargs`, a dict of the named ones. */
static gsp_status gspi_bind_rest(gspi_exec_ws *w, gsp_arg_kind kind, uint32_t *tree)
{
    *tree = w->n_tree;
    w->open = GSP_NONE;
    GSPI_TRY(gspi_exec_open(w, (uint32_t)kind));
    for (uint32_t i = 0u; i < w->n_elements; i++) {
        gspi_element *e = &w->elements[i];
        if (kind == GSP_ARG_TUPLE && i == w->n_placed && e->key == GSP_NONE) {
            w->n_placed++;
        } else if (kind == GSP_ARG_DICT && e->key < GSPI_TAKEN) {
            GSPI_TRY(gspi_bind_once(w, i));
            GSPI_TRY(gspi_exec_token(w, (uint32_t)GSP_ARG_KEY, e->key));
            e->key = GSPI_TAKEN;
            w->n_named--;
        } else {
            continue;
        }
        GSPI_TRY(gspi_bind_inside(w, e->at));
    }
    return gspi_exec_close(w);
}

/* The value of placeholder v: an element by position or by name, else its default. */
static gsp_status gspi_bind_one(gspi_exec_ws *w, const gsp_graph *g, gsp_node v, uint32_t *tree)
{
    gspi_arg_row const standard = gspi_args(g, v);
    uint32_t i = w->n_placed;
    if (i < w->n_elements && w->elements[i].key == GSP_NONE) {
        w->n_placed++;
    } else {
        i = gspi_bind_named(w, w->m->target[g->first + v]);
        if (i == GSP_NONE) {
            return standard.n == 0u ? gspi_bind_fail(w, GSP_DETAIL_INPUT_MISSING, v, GSP_NONE)
                                    : gspi_exec_value(w, standard.at, 0u, tree);
        }
        w->elements[i].key = GSPI_TAKEN;
        w->n_named--;
    }
    uint32_t const at = w->elements[i].at;
    if (w->args != NULL) {
        return gspi_exec_value(w, w->args, at, tree);
    }
    if (w->p.inputs != NULL) {
        gsp_detail const detail = gspi_type_mismatch(w->p.inputs[at].type, gspi_type_str(g, v));
        if (detail != GSP_DETAIL_NONE) {
            return gspi_fail_at(w->err, GSP_STATUS_ARG, detail, v, at);
        }
    }
    return gspi_exec_leaf(w, w->m->counts.nodes + at);
}

/* Fails for elements that no placeholder takes. */
static gsp_status gspi_bind_check(const gspi_exec_ws *w)
{
    uint32_t i = w->n_placed;
    if (i < w->n_elements && w->elements[i].key == GSP_NONE) {
        return gspi_bind_fail(w, GSP_DETAIL_INPUT_MANY, GSP_NONE, w->elements[i].at);
    }
    if (w->n_named == 0u) {
        return GSP_OK;
    }
    for (i = 0u; w->elements[i].key >= GSPI_TAKEN; i++) {
    }
    GSPI_TRY(gspi_bind_once(w, i));
    return gspi_bind_fail(w, GSP_DETAIL_INPUT_UNKNOWN, GSP_NONE, w->elements[i].at);
}

/* The row of inputs of the callee in the order of placeholders, at the end of leaf. */
static gsp_status gspi_bind_run(gspi_exec_ws *w)
{
    gsp_graph const g = gspi_graph(w->m, w->callee);
    gsp_exec_frame *f = &w->p.frames[g.id];
    int const fresh = f->state == (uint32_t)GSPI_FRAME_NEW;
    for (gsp_node v = 0u; v < g.n_nodes && fresh; v++) {
        if (gspi_op(&g, v) == GSP_OP_PLACEHOLDER) {
            w->p.nodes[g.first + f->n_placeholders++].placeholder = v;
        }
    }
    for (uint32_t k = 0u; k < f->n_placeholders; k++) {
        gsp_node const v = w->p.nodes[g.first + k].placeholder;
        gsp_str const target = gspi_target_str(&g, v);
        uint32_t tree = GSP_NONE;
        w->requester = w->args == NULL ? v : w->node;
        if (gspi_byte(target, 0u) == '*') {
            int const named = gspi_byte(target, 1u) == '*';
            GSPI_TRY(gspi_bind_rest(w, named ? GSP_ARG_DICT : GSP_ARG_TUPLE, &tree));
        } else {
            GSPI_TRY(gspi_bind_one(w, &g, v, &tree));
        }
        uint32_t *known = &w->p.nodes[g.first + v].tree_at;
        *known = fresh ? tree : *known;
        GSPI_EXEC_CHECK(gspi_exec_same_tree(&w->p, *known, tree), ARG, FORMS);
    }
    return gspi_bind_check(w);
}

/* ---- Graphs ---- */

/* Begins the callee: its placeholders get values of their own. */
GSPI_OWN_FRAME gsp_status gspi_exec_begin(gspi_exec_ws *w)
{
    uint32_t const first = w->m->graphs[w->callee].first;
    gsp_exec_frame *f = &w->p.frames[w->callee];
    uint32_t tokens = 0u;
    f->parent = w->graph;
    f->state = (uint32_t)GSPI_FRAME_OPEN;
    f->in_at = w->n_leaf;
    w->graph = w->callee;
    w->node = 0u;
    for (uint32_t k = 0u; k < f->n_placeholders; k++) {
        uint32_t const at = first + w->p.nodes[first + k].placeholder;
        uint32_t const tree = w->p.nodes[at].tree_at;
        uint32_t const width = gspi_exec_width(&w->p, tree);
        w->p.nodes[at].leaf_at = tree == GSP_NONE ? at : w->n_leaf;
        if (tree == GSP_NONE) {
            tokens++;
            gspi_exec_own(w, at, w->callee == w->p.graph.id ? w->m->bytes[at] : 0u);
            GSPI_TRY(gspi_exec_leaf(w, at));
            continue;
        }
        tokens += w->p.tree[tree].value + 1u;
        for (uint32_t i = 0u; i < width; i++) {
            GSPI_TRY(gspi_exec_new_leaf(w, 0u));
        }
    }
    f->n_in = w->n_leaf - f->in_at;
    w->p.n_tokens = tokens > w->p.n_tokens ? tokens : w->p.n_tokens;
    return GSP_OK;
}

/* The origin of every returned value: an index of inputs, n_in + an index of earlier outputs, or
 * GSPI_FRESH. Lifetimes are known, so `last` may hold the indices. */
static void gspi_exec_origins(gspi_exec_ws *w, const gsp_exec_frame *f)
{
    const uint32_t *out = w->p.leaf + f->out_at;
    for (uint32_t j = 0u; j < f->n_out; j++) {
        w->owners[out[j]].last = GSPI_FRESH;
    }
    for (uint32_t j = 0u; j < f->n_in; j++) {
        w->owners[w->p.leaf[f->in_at + j]].last = j;
    }
    for (uint32_t j = 0u; j < f->n_out; j++) {
        gsp_node *last = &w->owners[out[j]].last;
        w->origin[f->out_at + j] = *last;
        *last = *last == GSPI_FRESH ? f->n_in + j : *last;
    }
}

/* Raises the needs of a caller to those during a call. */
static gsp_status gspi_exec_above(const gspi_exec_ws *w, gsp_exec_frame *f,
                                  const gsp_exec_frame *child, uint64_t live)
{
    GSPI_EXEC_CHECK(child->peak <= UINT64_MAX / 2u - live, OVERFLOW, SIZE);
    if (live + child->peak > f->peak) {
        f->peak = live + child->peak;
        f->peak_graph = child->peak_graph;
        f->peak_node = child->peak_node;
    }
    f->slots = child->slots > f->slots ? child->slots : f->slots;
    f->depth = child->depth > f->depth ? child->depth : f->depth;
    return GSP_OK;
}

/* Slots and peak of a graph, by one scan; `next` chains the owners that die at a node. */
GSPI_OWN_FRAME gsp_status gspi_exec_end(gspi_exec_ws *w)
{
    gsp_graph const g = gspi_graph(w->m, w->graph);
    gsp_exec_frame *f = &w->p.frames[g.id];
    gsp_exec_node *nodes = w->p.nodes + g.first;
    uint32_t owner;
    uint32_t spare = 0u;
    uint64_t live = 0u;
    for (owner = f->owners; owner != GSP_NONE; owner = w->owners[owner].sibling) {
        gsp_node const last = w->owners[owner].last;
        if (last + 1u < g.n_nodes) {
            w->p.next[owner] = nodes[last].dead;
            nodes[last].dead = owner;
        }
    }
    owner = f->owners;
    for (gsp_node v = 0u; v < g.n_nodes; v++) {
        uint32_t const child = nodes[v].child;
        if (child != GSP_NONE) {
            GSPI_TRY(gspi_exec_above(w, f, &w->p.frames[child], live));
        }
        for (; owner != GSP_NONE && w->owners[owner].birth == v; owner = w->owners[owner].sibling) {
            w->p.slot[owner] = spare > 0u ? w->owners[--spare].spare : f->n_slots++;
            GSPI_EXEC_CHECK(w->owners[owner].bytes <= UINT64_MAX / 2u - live, OVERFLOW, SIZE);
            live += w->owners[owner].bytes;
        }
        if (live > f->peak) {
            f->peak = live;
            f->peak_graph = g.id;
            f->peak_node = v;
        }
        for (uint32_t d = nodes[v].dead; d != GSP_NONE; d = w->p.next[d]) {
            w->owners[spare++].spare = w->p.slot[d];
            live -= w->owners[d].bytes;
        }
    }
    f->slots += f->n_slots;
    f->depth++;
    gspi_exec_origins(w, f);
    f->state = (uint32_t)GSPI_FRAME_DONE;
    return GSP_OK;
}

static int gspi_exec_is_invoke(const gspi_exec_ws *w, const gsp_graph *g, gsp_node v)
{
    return gspi_op(g, v) == GSP_OP_CALL_FUNCTION && w->m->target[g->first + v] == w->invoke;
}

GSPI_OWN_FRAME uint32_t gspi_exec_child(const gspi_exec_ws *w, const gsp_graph *g, gsp_node v)
{
    const gsp_atom *target = w->m->target + g->first;
    gspi_arg_row const args = gspi_args(g, v);
    uint32_t child = GSP_NONE;
    if (gspi_op(g, v) == GSP_OP_CALL_MODULE) {
        return gsp_module_find_graph(w->m, target[v]);
    }
    if (gspi_exec_is_invoke(w, g, v) && args.n >= 2u) {
        if (args.at[0].kind == (uint32_t)GSP_ARG_NODE && args.at[0].value < v &&
            gspi_op(g, args.at[0].value) == GSP_OP_GET_ATTR) {
            child = gsp_module_find_graph(w->m, target[args.at[0].value]);
        }
        if (child == GSP_NONE && args.at[1].kind == (uint32_t)GSP_ARG_CONSTANT) {
            child = gsp_module_find_graph(w->m, args.at[1].value);
        }
    }
    return child;
}

/* An attribute that only names a graph for invoke_subgraph has no value. */
GSPI_OWN_FRAME int gspi_exec_is_holder(const gspi_exec_ws *w, const gsp_graph *g, gsp_node v)
{
    gspi_row const users = gspi_users(g, v);
    int holder = users.n != 0u && w->invoke < w->m->counts.strings &&
                 gsp_module_find_graph(w->m, w->m->target[g->first + v]) != GSP_NONE;
    for (uint32_t i = 0u; i < users.n && holder; i++) {
        gspi_arg_row const args = gspi_args(g, users.at[i]);
        holder = gspi_exec_is_invoke(w, g, users.at[i]);
        for (uint32_t k = 1u; k < args.n && holder; k++) {
            holder = args.at[k].kind != (uint32_t)GSP_ARG_NODE || args.at[k].value != v;
        }
    }
    return holder;
}

GSPI_OWN_FRAME gsp_status gspi_exec_kernel(gspi_exec_ws *w, const gsp_graph *g, gsp_node v)
{
    uint32_t const at = g->first + v;
    gsp_exec_node *x = &w->p.nodes[at];
    gspi_arg_row const args = gspi_args(g, v);
    uint32_t tokens = args.n;
    for (uint32_t i = 0u; i < args.n; i++) {
        if (args.at[i].kind == (uint32_t)GSP_ARG_NODE) {
            const gsp_exec_node *u = &w->p.nodes[g->first + args.at[i].value];
            GSPI_EXEC_CHECK(args.at[i].value < v && u->leaf_at != GSP_NONE, DAMAGED, ROWS);
            tokens = gspi_count_add(tokens, gspi_exec_touch(w, u));
        }
    }
    GSPI_EXEC_CHECK(tokens != UINT32_MAX, OVERFLOW, TOO_MANY);
    x->step = (uint32_t)(tokens == args.n ? GSPI_STEP_KERNEL : GSPI_STEP_EXPAND);
    w->p.n_tokens = tokens > w->p.n_tokens ? tokens : w->p.n_tokens;
    if (!w->whole) {
        GSPI_TRY(gspi_exec_type(w, at));
    }
    if (x->tree_at == GSP_NONE) {
        x->leaf_at = at;
        gspi_exec_own(w, at, w->m->bytes[at]);
    }
    uint32_t const width = gspi_exec_width(&w->p, x->tree_at);
    w->p.n_results = width > w->p.n_results ? width : w->p.n_results;
    return GSP_OK;
}

static gsp_status gspi_exec_results(gspi_exec_ws *w, const gsp_exec_frame *f, uint32_t bind_at)
{
    uint32_t const row = w->n_leaf;
    for (uint32_t j = 0u; j < f->n_out; j++) {
        uint32_t const origin = w->origin[f->out_at + j];
        if (origin == GSPI_FRESH) {
            GSPI_TRY(gspi_exec_new_leaf(w, w->owners[w->p.leaf[f->out_at + j]].bytes));
        } else {
            uint32_t const owner =
                w->p.leaf[origin < f->n_in ? bind_at + origin : row + (origin - f->n_in)];
            w->owners[owner].last = w->node;
            GSPI_TRY(gspi_exec_leaf(w, owner));
        }
    }
    return GSP_OK;
}

static gsp_status gspi_exec_bind(gspi_exec_ws *w, const gsp_graph *g, gsp_node v)
{
    gsp_exec_node *x = &w->p.nodes[g->first + v];
    uint32_t const before = w->n_requests;
    gspi_arg_row const args = gspi_args(g, v);
    uint32_t begin = 0u;
    uint32_t end = args.n;
    if (gspi_exec_is_invoke(w, g, v)) {
        int const packed = args.n > 3u && args.at[2].kind == (uint32_t)GSP_ARG_TUPLE &&
                           args.at[2].value + 3u == args.n;
        begin = packed ? 3u : 2u; /* older graphs pass one tuple of inputs */
        end -= packed ? 1u : 0u;
    }
    gspi_bind_start(w, args.at, x->child);
    while (begin < end) {
        int const keyed = args.at[begin].kind == (uint32_t)GSP_ARG_KEY;
        gsp_atom const key = keyed ? args.at[begin].value : GSP_NONE;
        begin += keyed && begin + 1u < end ? 1u : 0u; /* a stored module may end in a key */
        gspi_bind_add(w, key, begin);
        begin = gspi_token_end(args.at, begin);
    }
    x->bind_at = w->n_leaf;
    GSPI_TRY(gspi_bind_run(w));
    x->request_at = gspi_exec_requested(w, before);
    return GSP_OK;
}

/* A call of a graph: the first visit binds it and plans a new graph, the second takes results. */
static gsp_status gspi_exec_call(gspi_exec_ws *w, const gsp_graph *g, gsp_node v)
{
    gsp_exec_node *x = &w->p.nodes[g->first + v];
    const gsp_exec_frame *f = &w->p.frames[x->child];
    if (x->bind_at == GSP_NONE) {
        GSPI_EXEC_CHECK(f->state != (uint32_t)GSPI_FRAME_OPEN, CYCLE, RECURSION);
        GSPI_TRY(gspi_exec_bind(w, g, v));
        if (f->state == (uint32_t)GSPI_FRAME_NEW) {
            return gspi_exec_begin(w);
        }
    }
    x->step = (uint32_t)GSPI_STEP_ENTER;
    x->tree_at = f->out_tree;
    x->leaf_at = w->n_leaf;
    GSPI_TRY(gspi_exec_results(w, f, x->bind_at));
    if (f->out_tree == GSP_NONE) {
        x->leaf_at = w->p.leaf[x->leaf_at];
    }
    return GSP_OK;
}

/* The returned value of a graph; constants of the root need no kernel. */
GSPI_OWN_FRAME gsp_status gspi_exec_return(gspi_exec_ws *w, const gsp_graph *g, gsp_node v)
{
    gsp_exec_frame *f = &w->p.frames[g->id];
    gsp_exec_node *x = &w->p.nodes[g->first + v];
    uint32_t const before = w->n_requests;
    gspi_arg_row const args = gspi_args(g, v);
    w->requester = v;
    x->step = (uint32_t)GSPI_STEP_RETURN;
    f->out_at = w->n_leaf;
    GSPI_EXEC_CHECK(args.n != 0u, DAMAGED, ROWS);
    if (g->id != w->p.graph.id) {
        GSPI_TRY(gspi_exec_value(w, args.at, 0u, &f->out_tree));
        x->request_at = gspi_exec_requested(w, before);
    } else {
        f->out_tree = w->n_tree;
        w->open = GSP_NONE;
        for (uint32_t i = 0u; i < args.n; i++) {
            GSPI_TRY(gspi_exec_write(w, args.at[i], 1));
        }
        w->p.n_output = w->n_tree - f->out_tree;
    }
    f->n_out = w->n_leaf - f->out_at;
    return GSP_OK;
}

static gsp_status gspi_exec_node(gspi_exec_ws *w, const gsp_graph *g, gsp_node v)
{
    uint32_t const at = g->first + v;
    gsp_exec_node *x = &w->p.nodes[at];
    switch (w->m->op[at]) {
    case GSP_OP_PLACEHOLDER:
        return GSP_OK;
    case GSP_OP_GET_ATTR:
        if (!gspi_exec_is_holder(w, g, v)) {
            x->step = (uint32_t)GSPI_STEP_ATTR;
            x->leaf_at = at;
            gspi_exec_own(w, at, 0u);
        }
        return GSP_OK;
    case GSP_OP_OUTPUT:
        return gspi_exec_return(w, g, v);
    case GSP_OP_CALL_FUNCTION:
    case GSP_OP_CALL_METHOD:
    case GSP_OP_CALL_MODULE:
        x->child = gspi_exec_child(w, g, v);
        if (x->child != GSP_NONE) {
            return gspi_exec_call(w, g, v);
        }
        if (gspi_takes_element(g, v)) {
            GSPI_TRY(gspi_exec_getitem(w, g, v));
        }
        return x->leaf_at != GSP_NONE ? GSP_OK : gspi_exec_kernel(w, g, v);
    default:
        GSPI_EXEC_CHECK(0, DAMAGED, KIND);
        return GSP_OK;
    }
}

/* The pseudo graph: its values are the inputs of the run, and it calls the root. */
GSPI_OWN_FRAME gsp_status gspi_exec_outside(gspi_exec_ws *w)
{
    gsp_exec_frame *f = &w->p.frames[w->m->counts.graphs];
    gspi_bind_start(w, NULL, w->p.graph.id);
    w->graph = w->m->counts.graphs;
    for (uint32_t i = 0u; i < w->p.n_inputs; i++) {
        int const named = w->p.inputs != NULL && w->p.inputs[i].name.size != 0u;
        if (!named && w->n_named != 0u) {
            return gspi_fail_at(w->err, GSP_STATUS_ARG, GSP_DETAIL_INPUT_ORDER, GSP_NONE, i);
        }
        gspi_bind_add(w, named ? w->m->counts.strings + i : GSP_NONE, i);
        gspi_exec_own(w, w->m->counts.nodes + i, 0u);
    }
    w->n_owners = w->m->counts.nodes + w->p.n_inputs;
    GSPI_TRY(gspi_bind_run(w));
    f->out_tree = gspi_exec_requested(w, 0u);
    return gspi_exec_begin(w);
}

/* Graphs in the order of their first calls; a caller continues at its call. */
GSPI_OWN_FRAME gsp_status gspi_exec_graphs(gspi_exec_ws *w)
{
    uint32_t const outside = w->m->counts.graphs;
    while (w->graph != outside) {
        gsp_graph const g = gspi_graph(w->m, w->graph);
        gsp_exec_frame *f = &w->p.frames[g.id];
        w->first = g.first;
        while (f->resume < g.n_nodes && w->graph == g.id) {
            w->node = f->resume;
            GSPI_TRY(gspi_exec_node(w, &g, w->node));
            f->resume += w->graph == g.id ? 1u : 0u;
        }
        if (w->graph == g.id) {
            GSPI_TRY(gspi_exec_end(w));
            w->graph = f->parent;
            w->node = w->graph == outside ? 0u : w->p.frames[w->graph].resume;
        }
    }
    return GSP_OK;
}

/* The pseudo graph takes the results of the root, whose slots are not shared. Then owners become
 * slots, and a NODE of the output the index of its value. */
GSPI_OWN_FRAME gsp_status gspi_exec_finish(gspi_exec_ws *w)
{
    gsp_exec_plan *p = &w->p;
    gsp_exec_frame *outside = &p->frames[w->m->counts.graphs];
    const gsp_exec_frame *root = &p->frames[p->graph.id];
    uint32_t index = 0u;
    outside->out_at = w->n_leaf;
    outside->n_out = root->n_out;
    outside->n_in = root->n_in;
    GSPI_TRY(gspi_exec_results(w, root, outside->in_at));
    for (uint32_t owner = outside->owners; owner != GSP_NONE; owner = w->owners[owner].sibling) {
        p->slot[owner] = outside->n_slots++;
    }
    for (uint32_t i = 0u; i < w->n_leaf; i++) {
        p->leaf[i] = p->slot[p->leaf[i]];
    }
    for (uint32_t i = 0u; i < w->n_requests; i++) {
        uint32_t const owner = p->requests[i].slot;
        p->requests[i].slot = owner == GSP_NONE ? GSP_NONE : p->slot[owner];
    }
    for (uint32_t i = 0u; i < w->m->counts.nodes; i++) {
        gsp_exec_node *x = &p->nodes[i];
        if (x->tree_at == GSP_NONE && x->leaf_at != GSP_NONE) {
            x->leaf_at = p->slot[x->leaf_at];
        }
    }
    for (uint32_t i = 0u; i < p->n_output; i++) {
        gsp_arg *a = &p->tree[root->out_tree + i];
        a->value = a->kind == (uint32_t)GSP_ARG_NODE ? index++ : a->value;
    }
    p->output = p->tree + root->out_tree;
    p->n_outputs = root->n_out;
    p->peak_bytes = root->peak;
    p->peak_graph = root->peak_graph;
    p->peak_node = root->peak_node;
    p->depth = root->depth;
    p->n_slots = outside->n_slots + root->slots;
    return GSP_OK;
}

GSPI_OWN_FRAME void gspi_exec_start(gspi_exec_ws *w, gspi_bump *b, const gsp_graph *g,
                                    const gsp_exec_plan_desc *desc, gsp_error *err)
{
    const gsp_module *m = g->module;
    gsp_str const invoke = gsp_str_of("torch.ops.higher_order.invoke_subgraph");
    gsp_exec_node const none = {GSP_NONE, GSP_NONE, GSP_NONE, GSP_NONE,
                                GSP_NONE, GSP_NONE, GSP_NONE, GSP_NONE};
    gsp_atom s = 0u;
    gsp_exec_plan_desc const d = gsp_exec_plan_resolve(g, desc);
    uint32_t const n = m->counts.nodes;
    size_t const graphs = (size_t)m->counts.graphs + 1u;
    gspi_set(w, 0, 1u, sizeof(*w));
    gspi_exec_layout(b, w, &m->counts, &d);
    gspi_set(w->p.frames, 0, graphs, sizeof(gsp_exec_frame));
    gspi_none_words(w->latest, graphs);
    for (uint32_t i = 0u; i < n; i++) {
        w->p.nodes[i] = none;
    }
    for (size_t i = 0u; i < graphs; i++) {
        w->p.frames[i].owners = GSP_NONE;
    }
    w->p.graph = *g;
    w->p.inputs = d.inputs;
    w->p.n_inputs = d.n_inputs;
    w->p.n_results = 1u;
    w->m = m;
    w->err = err;
    w->aggregates = d.aggregates;
    w->whole = d.whole != 0u;
    w->n_owners = n;
    w->open = GSP_NONE;
    w->seen_tree = GSP_NONE;
    while (s < m->counts.strings && !gsp_str_equal(gspi_string(m, s), invoke)) {
        s++;
    }
    w->invoke = s;
}

GSP_API gsp_status gsp_exec_plan_run(gsp_arena *arena, const gsp_graph *graph,
                                     const gsp_exec_plan_desc *desc, gsp_exec_plan *plan,
                                     gsp_error *err)
{
    gspi_pass pass;
    GSPI_CHECK_GIVEN(arena != NULL && graph != NULL && plan != NULL);
    GSPI_CHECK(desc == NULL || (desc->start_canary == 0u && desc->end_canary == 0u), DESC, CANARY);
    GSPI_CHECK(graph->n_nodes != 0u, ARG, RANGE);
    GSPI_TRY(gspi_enter(&pass, arena, gsp_exec_plan_bound(graph, desc), err));
    gspi_exec_ws *w = GSPI_HIGH(&pass.bump, gspi_exec_ws, 1u);
    gspi_exec_start(w, &pass.bump, graph, desc, err);
    gsp_status status = gspi_exec_outside(w);
    status = status == GSP_OK ? gspi_exec_graphs(w) : status;
    status = status == GSP_OK ? gspi_exec_finish(w) : status;
    if (status == GSP_OK) {
        *plan = w->p;
    }
    return gspi_leave(&pass, status, err);
}

/* -------------------------------------------------------------------------------------------------
 * >>exec   Execution with kernels of the caller                                    (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Values lie in one block, a frame above that of its caller. With desc.release, a byte per value
 * says whether a kernel made it: it moves with a returned value, is not set for a borrowed one, and
 * is cleared by the release. */

typedef struct gspi_active {
    uint32_t graph;
    gsp_node node;
    uint32_t base; /* of its values */
} gspi_active;

typedef struct gspi_run {
    const gsp_exec_plan *p;
    const gsp_exec_desc *d;
    gsp_error *err;
    const gsp_module *m;
    uint32_t top;         /* frames above the pseudo graph */
    gsp_value *values;    /* [n_slots] */
    gsp_value *arguments; /* [n_tokens] */
    gsp_arg *tokens;      /* [n_tokens] */
    gsp_value *results;   /* [n_results] */
    gspi_active *active;  /* [depth + 1] the pseudo graph first */
    uint8_t *owned;       /* [n_slots] */
    gsp_call call;
} gspi_run;

static void gspi_run_layout(gspi_bump *b, gspi_run *r, const gsp_exec_plan *p)
{
    uint32_t const tokens = p->n_tokens > 1u ? p->n_tokens : 1u;
    r->values = GSPI_HIGH(b, gsp_value, p->n_slots);
    r->arguments = GSPI_HIGH(b, gsp_value, tokens);
    r->tokens = GSPI_HIGH(b, gsp_arg, tokens);
    r->results = GSPI_HIGH(b, gsp_value, p->n_results);
    r->active = GSPI_HIGH(b, gspi_active, (size_t)p->depth + 1u);
    r->owned = GSPI_HIGH(b, uint8_t, p->n_slots);
}

GSP_API size_t gsp_exec_bound(const gsp_exec_plan *plan)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_run r;
    gspi_run_layout(&b, &r, plan);
    return gspi_add(b.used, GSPI_SLACK);
}

GSP_API gsp_str gsp_call_str(const gsp_call *call, uint32_t token)
{
    if (token >= call->n_args || (call->args[token].kind != (uint32_t)GSP_ARG_CONSTANT &&
                                  call->args[token].kind != (uint32_t)GSP_ARG_KEY)) {
        return gspi_slice("", 0u, 0u);
    }
    return gspi_exec_text(call->plan, call->args[token].value);
}

GSP_API uint32_t gsp_call_find(const gsp_call *call, uint32_t position, const char *name)
{
    gsp_str const wanted = gsp_str_of(name);
    uint32_t i = 0u;
    while (i < call->n_args) {
        int const keyed = call->args[i].kind == (uint32_t)GSP_ARG_KEY;
        if (keyed && name != NULL && gsp_str_equal(gsp_call_str(call, i), wanted)) {
            return i + 1u;
        }
        if (!keyed && position == 0u) {
            return i;
        }
        position -= keyed || position == GSP_NONE ? 0u : 1u;
        i += keyed ? 1u : 0u;
        i = i < call->n_args ? gspi_token_end(call->args, i) : i;
    }
    return GSP_NONE;
}

static void gspi_run_prepare(gspi_run *r, gsp_request request, gsp_node node)
{
    r->call.node = node;
    r->call.request = (uint32_t)request;
    r->call.n_args = 0u;
    r->call.n_results = 1u;
    r->call.args = r->tokens;
}

static gsp_status gspi_run_request(const gspi_run *r, gsp_kernel_func func)
{
    gsp_status const status = func(r->d->user, &r->call);
    return status == GSP_OK
               ? GSP_OK
               : gspi_fail_at(r->err, status, GSP_DETAIL_KERNEL, r->call.node, r->call.graph.id);
}

static void gspi_run_keep(gspi_run *r, uint32_t at, gsp_value value)
{
    r->values[at] = value;
    if (r->d->release != NULL) {
        r->owned[at] = 1u;
    }
}

static void gspi_run_release(gspi_run *r, uint32_t at)
{
    if (r->owned[at] != 0u) {
        r->owned[at] = 0u;
        r->d->release(r->d->user, r->values[at]);
    }
}

/* Appends a value: a single one as the token `single`, an aggregate with all its tokens. */
static void gspi_run_put(gspi_run *r, gsp_arg single, uint32_t tree, const uint32_t *row,
                         uint32_t base)
{
    const gsp_arg *tokens = tree == GSP_NONE ? &single : r->p->tree + tree;
    uint32_t const count = tree == GSP_NONE ? 1u : tokens->value + 1u;
    for (uint32_t i = 0u; i < count; i++) {
        uint32_t const n = r->call.n_args++;
        int const is_value = row != NULL && tokens[i].kind == (uint32_t)GSP_ARG_NODE;
        r->tokens[n] = tokens[i];
        r->arguments[n] = is_value ? r->values[base + *row++] : 0u;
    }
}

/* Values for a row of constants, in the frame at `base`. */
static gsp_status gspi_run_constants(gspi_run *r, uint32_t graph, uint32_t row, uint32_t base)
{
    for (; row != GSP_NONE && r->p->requests[row].slot != GSP_NONE; row++) {
        const gsp_exec_plan_request *q = &r->p->requests[row];
        gsp_arg const constant = {(uint32_t)GSP_ARG_CONSTANT, q->constant};
        r->call.graph = gspi_graph(r->m, graph);
        gspi_run_prepare(r, GSP_REQUEST_CONSTANT, q->node);
        gspi_run_put(r, constant, GSP_NONE, NULL, 0u);
        GSPI_TRY(gspi_run_request(r, r->d->kernel));
        gspi_run_keep(r, base + q->slot, r->results[0]);
    }
    return GSP_OK;
}

/* Arguments with aggregates written out. Containers grow; the token of an open one holds its
 * parent. */
static void gspi_run_expand(gspi_run *r, const gsp_arg *args, uint32_t count, uint32_t base)
{
    uint32_t open = GSP_NONE;
    for (uint32_t i = 0u; i < count; i++) {
        uint32_t const n = r->call.n_args;
        if (args[i].kind == (uint32_t)GSP_ARG_NODE) {
            const gsp_exec_node *u = &r->p->nodes[r->call.graph.first + args[i].value];
            gspi_run_put(r, args[i], u->tree_at, gspi_exec_row(r->p, u), base);
            continue;
        }
        gspi_run_put(r, args[i], GSP_NONE, NULL, base);
        if (args[i].kind == (uint32_t)GSP_ARG_CLOSE) {
            uint32_t const opening = open;
            open = r->tokens[opening].value;
            r->tokens[opening].value = n - opening;
            r->tokens[n].value = n - opening;
        } else if (gspi_is_opening(args[i].kind)) {
            r->tokens[n].value = open;
            open = n;
        }
    }
}

static gsp_status gspi_run_kernel(gspi_run *r, const gspi_active *a, const gsp_exec_node *x)
{
    const gsp_exec_plan *p = r->p;
    const gsp_exec_node *nodes = p->nodes + r->call.graph.first;
    uint32_t const at = r->call.graph.first + a->node;
    uint32_t const begin = r->m->arg_begin[at];
    uint32_t const count = r->m->arg_begin[at + 1u] - begin;
    const gsp_arg *args = r->m->args + begin;
    gspi_run_prepare(r, GSP_REQUEST_CALL, a->node);
    if (x->step == (uint32_t)GSPI_STEP_EXPAND) {
        gspi_run_expand(r, args, count, a->base);
    } else {
        r->call.n_args = count;
        r->call.args = args;
        for (uint32_t i = 0u; i < count; i++) {
            r->arguments[i] = args[i].kind == (uint32_t)GSP_ARG_NODE
                                  ? r->values[a->base + nodes[args[i].value].leaf_at]
                                  : 0u;
        }
    }
    if (x->tree_at == GSP_NONE) {
        GSPI_TRY(gspi_run_request(r, r->d->kernel));
        gspi_run_keep(r, a->base + x->leaf_at, r->results[0]);
        return GSP_OK;
    }
    r->call.n_results = gspi_exec_width(p, x->tree_at);
    GSPI_TRY(gspi_run_request(r, r->d->kernel));
    for (uint32_t i = 0u; i < r->call.n_results; i++) {
        gspi_run_keep(r, a->base + p->leaf[x->leaf_at + i], r->results[i]);
    }
    return GSP_OK;
}

static gsp_status gspi_run_attr(gspi_run *r, const gspi_active *a, const gsp_exec_node *x)
{
    gspi_run_prepare(r, GSP_REQUEST_ATTR, a->node);
    GSPI_TRY(gspi_run_request(r, r->d->kernel));
    r->values[a->base + x->leaf_at] = r->results[0];
    return GSP_OK;
}

/* Shows desc.enter the inputs of a graph in the order of its placeholders. */
static gsp_status gspi_run_show(gspi_run *r, const gspi_active *caller, uint32_t child,
                                const uint32_t *row, uint32_t base)
{
    const gsp_exec_plan *p = r->p;
    uint32_t const first = r->m->graphs[child].first;
    r->call.graph = gspi_graph(r->m, caller->graph);
    gspi_run_prepare(r, GSP_REQUEST_ENTER, caller->node);
    r->call.child = child;
    r->call.n_results = 0u;
    for (uint32_t k = 0u; k < p->frames[child].n_placeholders; k++) {
        gsp_arg const single = {(uint32_t)GSP_ARG_NODE, p->nodes[first + k].placeholder};
        uint32_t const tree = p->nodes[first + single.value].tree_at;
        gspi_run_put(r, single, tree, row, base);
        row += gspi_exec_width(p, tree);
    }
    return gspi_run_request(r, r->d->enter);
}

/* Pushes a frame: a row of the caller becomes the values of the placeholders. */
static gsp_status gspi_run_enter(gspi_run *r, uint32_t graph, uint32_t row, uint32_t requests)
{
    const gsp_exec_plan *p = r->p;
    const gspi_active *caller = &r->active[r->top];
    const gsp_exec_frame *f = &p->frames[graph];
    gspi_active *a = &r->active[r->top + 1u];
    GSPI_TRY(gspi_run_constants(r, r->top == 0u ? graph : caller->graph, requests, caller->base));
    a->graph = graph;
    a->node = 0u;
    a->base = caller->base + p->frames[caller->graph].n_slots;
    for (uint32_t j = 0u; j < f->n_in; j++) {
        r->values[a->base + p->leaf[f->in_at + j]] = r->values[caller->base + p->leaf[row + j]];
    }
    if (r->d->enter != NULL && r->top > 0u) {
        GSPI_TRY(gspi_run_show(r, caller, graph, p->leaf + f->in_at, a->base));
    }
    r->top++;
    r->call.graph = gspi_graph(r->m, graph);
    return GSP_OK;
}

/* Pops the top frame and returns its values to its caller. */
static gsp_status gspi_run_return(gspi_run *r)
{
    const gsp_exec_plan *p = r->p;
    const gspi_active *a = &r->active[r->top];
    const gspi_active *caller = a - 1;
    const gsp_exec_frame *f = &p->frames[a->graph];
    const uint32_t *row =
        r->top > 1u ? gspi_exec_row(p, &p->nodes[r->m->graphs[caller->graph].first + caller->node])
                    : p->leaf + p->frames[caller->graph].out_at;
    GSPI_TRY(gspi_run_constants(r, a->graph, p->nodes[r->call.graph.first + a->node].request_at,
                                a->base));
    for (uint32_t j = 0u; j < f->n_out; j++) {
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

/* Runs one node of the top frame; a call of a graph only enters it. */
static gsp_status gspi_run_step(gspi_run *r)
{
    const gsp_exec_plan *p = r->p;
    gspi_active *a = &r->active[r->top];
    const gsp_exec_node *x = &p->nodes[r->call.graph.first + a->node];
    if (x->step == (uint32_t)GSPI_STEP_ATTR) {
        GSPI_TRY(gspi_run_attr(r, a, x));
    } else if (x->step <= (uint32_t)GSPI_STEP_EXPAND) {
        GSPI_TRY(gspi_run_kernel(r, a, x));
    } else if (x->step == (uint32_t)GSPI_STEP_ENTER) {
        return gspi_run_enter(r, x->child, x->bind_at, x->request_at);
    } else if (x->step == (uint32_t)GSPI_STEP_RETURN) {
        GSPI_TRY(gspi_run_return(r));
        if (r->top == 0u) {
            return GSP_OK;
        }
        a = &r->active[r->top];
        r->call.graph = gspi_graph(r->m, a->graph);
    }
    if (r->d->release != NULL) { /* values that no later node reads */
        uint32_t dead = p->nodes[r->call.graph.first + a->node].dead;
        for (; dead != GSP_NONE; dead = p->next[dead]) {
            gspi_run_release(r, a->base + p->slot[dead]);
        }
    }
    a->node++;
    return GSP_OK;
}

static gsp_status gspi_run_all(gspi_run *r, gsp_value *outputs)
{
    const gsp_exec_frame *outside = &r->p->frames[r->m->counts.graphs];
    GSPI_TRY(gspi_run_enter(r, r->p->graph.id, outside->in_at, outside->out_tree));
    while (r->top > 0u) {
        GSPI_TRY(gspi_run_step(r));
    }
    for (uint32_t j = 0u; j < outside->n_out; j++) {
        uint32_t const at = r->p->leaf[outside->out_at + j];
        outputs[j] = r->values[at];
        r->owned[at] = 0u;
    }
    return GSP_OK;
}

GSP_API gsp_status gsp_exec_run(gsp_arena *arena, const gsp_exec_plan *plan,
                                const gsp_exec_desc *desc, const gsp_value *inputs,
                                gsp_value *outputs, gsp_error *err)
{
    gspi_pass pass;
    gspi_run r;
    GSPI_CHECK_GIVEN(arena != NULL && plan != NULL && desc != NULL &&
                     (inputs != NULL || plan->n_inputs == 0u) &&
                     (outputs != NULL || plan->n_outputs == 0u));
    GSPI_CHECK_DESC(*desc);
    GSPI_CHECK_GIVEN(desc->kernel != NULL);
    GSPI_TRY(gspi_enter(&pass, arena, gsp_exec_bound(plan), err));
    gspi_run_layout(&pass.bump, &r, plan);
    r.p = plan;
    r.d = desc;
    r.err = err;
    r.m = plan->graph.module;
    r.top = 0u;
    r.call.plan = plan;
    r.call.child = GSP_NONE;
    r.call.values = r.arguments;
    r.call.results = r.results;
    gspi_set(r.owned, 0, plan->n_slots, 1u);
    r.active[0].graph = r.m->counts.graphs;
    r.active[0].node = 0u;
    r.active[0].base = 0u;
    gspi_copy(r.values, inputs, plan->n_inputs, sizeof(gsp_value));
    gsp_status const status = gspi_run_all(&r, outputs);
    for (uint32_t i = 0u; i < plan->n_slots && desc->release != NULL; i++) {
        gspi_run_release(&r, i);
    }
    return gspi_leave(&pass, status, err);
}

#endif /* GSP_NO_MEMORY */

/* =================================================================================================
 * >>REPORT   Drawings                                                              (implementation)
 * ============================================================================================== */
#ifndef GSP_NO_REPORT

/* -------------------------------------------------------------------------------------------------
 * >>draw   Pictures as Graphviz text                                               (implementation)
 * ---------------------------------------------------------------------------------------------- */

/* Text goes straight into the sink. Only the tree of graphs is stored: per graph the call in whose
 * place it is drawn. So the walk over the tree needs no stack. */

#define GSPI_LABEL_BYTES 60u

/* Bytes of the UTF-8 character at `at`; 0: none. */
static uint32_t gspi_utf8(gsp_str t, uint32_t at)
{
    static const unsigned char least[] = {0x80u, 0xA0u, 0x90u}; /* of the second byte: E0, F0 */
    unsigned char const c = (unsigned char)t.data[at];
    uint32_t const size = c < 0x80u ? 1u : c < 0xC2u ? 0u : c < 0xE0u ? 2u : c < 0xF0u ? 3u : 4u;
    if (size == 0u || c > 0xF4u || size > t.size - at) {
        return 0u;
    }
    for (uint32_t i = 1u; i < size; i++) {
        unsigned char const d = (unsigned char)t.data[at + i];
        unsigned char const low = i > 1u ? 0x80u : least[c == 0xE0u ? 1 : c == 0xF0u ? 2 : 0];
        unsigned char const top = i > 1u ? 0xBFu : c == 0xEDu ? 0x9Fu : c == 0xF4u ? 0x8Fu : 0xBFu;
        if (d < low || d > top) {
            return 0u;
        }
    }
    return size;
}

/* The inside of a quoted label: escaped, cut; control characters and no UTF-8 as '?'. */
static void gspi_draw_label(gspi_writer *w, gsp_str t)
{
    uint32_t i = 0u;
    while (i < t.size && i < GSPI_LABEL_BYTES) {
        uint32_t const size = gspi_utf8(t, i);
        unsigned char const c = (unsigned char)t.data[i];
        if (c == '"' || c == '\\') {
            gspi_puts(w, "\\");
        }
        if (size == 0u || c < 0x20u || c == 0x7Fu ||
            (c == 0xC2u && (unsigned char)t.data[i + 1u] < 0xA0u)) {
            gspi_puts(w, "?");
        } else {
            gspi_put(w, gspi_slice(t.data, i, i + size));
        }
        i += size == 0u ? 1u : size;
    }
    gspi_puts(w, i < t.size ? "..." : "");
}

/* "1.5 MiB": one decimal, rounded to the nearest. */
static void gspi_draw_bytes(gspi_writer *w, uint64_t bytes)
{
    static const char units[] = "BKMGTPE";
    char digits[20];
    uint32_t unit = 0u;
    while (bytes >> (10u * unit) >= 1024u) {
        unit++;
    }
    uint64_t const one = UINT64_C(1) << (10u * unit);
    uint32_t const rest = (uint32_t)(((bytes & (one - 1u)) * 10u + one / 2u) >> (10u * unit));
    gspi_put(w, gspi_slice(digits, 0u, gspi_decimal((bytes >> (10u * unit)) + rest / 10u, digits)));
    if (unit > 0u) {
        gspi_puts(w, ".");
        gspi_put_number(w, rest % 10u);
        gspi_puts(w, " ");
        gspi_put(w, gspi_slice(units, unit, unit + 1u));
        gspi_puts(w, "iB");
    } else {
        gspi_puts(w, " B");
    }
}

/* ---- Nodes, edges, clusters ---- */

GSP_API const char *gsp_draw_fill(uint32_t kind)
{
    static const char fill[] = "#fdebc8\0#cfeccf\0#cfe6f7\0#ead5f5\0#d8dcf0";
    return kind == GSP_KIND_NONE ? "#eeeeee" : fill + (size_t)8 * (kind < 4u ? kind : 4u);
}

static void gspi_draw_head(gspi_writer *w, const char *title, const char *attributes)
{
    gspi_puts(w, "digraph graphsplit {\n    graph [compound=true, ");
    gspi_puts(w, attributes == NULL ? "" : attributes);
    gspi_puts(w, "fontname=\"Helvetica\", labelloc=t, label=\"");
    gspi_draw_label(w, gsp_str_of(title));
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

static int gspi_draw_is_param(const gsp_graph *g, gsp_node v)
{
    return gspi_op(g, v) == GSP_OP_GET_ATTR;
}

/* A parameter is drawn only where the graph returns it. */
static int gspi_draw_has(const gsp_graph *g, gsp_node v)
{
    gspi_row const users = gspi_users(g, v);
    return !gspi_draw_is_param(g, v) ||
           (users.n != 0u && users.at[users.n - 1u] == g->n_nodes - 1u);
}

static int gspi_draw_has_edge(const gsp_graph *g, gsp_node u, gsp_node v)
{
    return !gspi_draw_is_param(g, u) || gspi_op(g, v) == GSP_OP_OUTPUT;
}

/* An edge between nodes of two graphs; the caller ends the line. */
static void gspi_draw_edge(gspi_writer *w, const gsp_graph *from, gsp_node u, const gsp_graph *to,
                           gsp_node v)
{
    gspi_puts(w, "    ");
    gspi_draw_id(w, from, u);
    gspi_puts(w, " -> ");
    gspi_draw_id(w, to, v);
}

/* The end of its line; n: clusters, if it crosses a border. Graphviz is slow to place many labels. */
static void gspi_draw_edge_end(gspi_writer *w, uint32_t n, uint64_t bytes)
{
    gspi_puts(w, n != 0u ? " [penwidth=2" : "");
    if (n != 0u && bytes != 0u) {
        gspi_puts(w, n > 60u ? ", tooltip=\"" : ", label=\"");
        gspi_draw_bytes(w, bytes);
        gspi_puts(w, "\"");
    }
    gspi_puts(w, n != 0u ? "];\n" : ";\n");
}

/* `fill`: a colour, NULL: that of all nodes. */
GSPI_OWN_FRAME void gspi_draw_node(gspi_writer *w, const gsp_graph *g, gsp_node v,
                                   const char *indent, const char *fill)
{
    int const callable = gspi_callable(g, v);
    gsp_str const type = gspi_type_str(g, v);
    uint64_t params = callable ? gsp_node_params(g, v) : 0u;
    gspi_row const inputs = gspi_inputs(g, v);
    for (uint32_t i = 0u; i < inputs.n && callable; i++) {
        params += gspi_draw_is_param(g, inputs.at[i]) ? gspi_bytes(g, inputs.at[i]) : 0u;
    }
    gspi_puts(w, indent);
    gspi_draw_id(w, g, v);
    gspi_puts(w, " [label=\"");
    gspi_draw_label(w, gspi_name_str(g, v));
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

/* The head of a cluster; the caller closes it. */
static void gspi_draw_cluster(gspi_writer *w, uint32_t number, gsp_str title, uint32_t n_nodes,
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

static const char *gspi_draw_support(const gsp_graph *g, const uint8_t *kind, gsp_node v)
{
    return kind == NULL              ? NULL
           : !gspi_callable(g, v)    ? "AliceBlue"
           : kind[v] != GSP_KIND_CPU ? "chartreuse1"
                                     : "\"crimson\", fontcolor=\"white\"";
}

GSPI_OWN_FRAME void gspi_draw_clusters(gspi_writer *w, const gsp_graph *g, const gsp_draw_desc *d)
{
    for (uint32_t s = 0u; s < d->n_clusters && !w->stopped; s++) {
        gspi_draw_cluster(w, s, d->cluster_names[s], d->cluster_begin[s + 1u] - d->cluster_begin[s],
                          d->cluster_kind == NULL ? GSP_KIND_NONE : d->cluster_kind[s]);
        for (uint32_t i = d->cluster_begin[s]; i < d->cluster_begin[s + 1u]; i++) {
            gsp_node const v = d->cluster_nodes[i];
            gspi_draw_node(w, g, v, "        ", gspi_draw_support(g, d->kind, v));
        }
        gspi_puts(w, "    }\n");
    }
}

GSPI_OWN_FRAME void gspi_draw_edges(gspi_writer *w, const gsp_graph *g, const gsp_draw_desc *d)
{
    for (gsp_node v = 0u; v < g->n_nodes && !w->stopped; v++) {
        gspi_row const inputs = gspi_inputs(g, v);
        for (uint32_t i = 0u; i < inputs.n; i++) {
            gsp_node const u = inputs.at[i];
            if (gspi_draw_has_edge(g, u, v)) {
                int const cut = d->n_clusters != 0u && d->cluster_of[u] != d->cluster_of[v];
                gspi_draw_edge(w, g, u, g, v);
                gspi_draw_edge_end(w, cut ? d->n_clusters : 0u, gspi_bytes(g, u));
            }
        }
    }
}

GSP_API gsp_status gsp_draw_graph(const gsp_graph *graph, const gsp_draw_desc *desc, gsp_sink sink,
                                  void *user, gsp_error *err)
{
    gsp_draw_desc d;
    gspi_writer w;
    GSPI_CHECK_GIVEN(graph != NULL && sink != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_CHECK_GIVEN(d.n_clusters == 0u || (d.cluster_of != NULL && d.cluster_begin != NULL &&
                                            d.cluster_nodes != NULL && d.cluster_names != NULL));
    for (uint32_t k = 0u; k < d.n_clusters; k++) {
        for (uint32_t i = d.cluster_begin[k]; i < d.cluster_begin[k + 1u]; i++) {
            GSPI_CHECK_AT(d.cluster_nodes[i] < graph->n_nodes, ARG, RANGE, d.cluster_nodes[i],
                          GSP_NONE);
        }
    }
    gspi_writer_start(&w, sink, user);
    gspi_draw_head(&w, d.title, d.attributes);
    gspi_draw_clusters(&w, graph, &d);
    for (gsp_node v = 0u; v < graph->n_nodes && !w.stopped; v++) {
        if ((d.n_clusters == 0u || d.cluster_of[v] >= d.n_clusters) && gspi_draw_has(graph, v)) {
            gspi_draw_node(&w, graph, v, "    ", gspi_draw_support(graph, d.kind, v));
        }
    }
    gspi_draw_edges(&w, graph, &d);
    gspi_puts(&w, "}\n");
    return gspi_writer_end(&w, err);
}

/* ---- A module ---- */

typedef struct gspi_draw_ws {
    const gsp_module *m;
    const uint8_t *kind;
    gspi_writer *w;
    uint32_t *calls;  /* [graphs] number of calls of a graph */
    uint32_t *parent; /* [graphs] the graph in whose cluster it is drawn, GSP_NONE: none */
    gsp_node *call;   /* [graphs] its call there */
    uint32_t *drawn;  /* [graphs] 1: drawn */
} gspi_draw_ws;

static void gspi_draw_layout(gspi_bump *b, gspi_draw_ws *w, uint32_t n_graphs)
{
    w->w = GSPI_HIGH(b, gspi_writer, 1u);
    w->calls = GSPI_HIGH(b, uint32_t, n_graphs);
    w->parent = GSPI_HIGH(b, uint32_t, n_graphs);
    w->call = GSPI_HIGH(b, gsp_node, n_graphs);
    w->drawn = GSPI_HIGH(b, uint32_t, n_graphs);
}

GSP_API size_t gsp_draw_bound(const gsp_module *module)
{
    gspi_bump b = gspi_bump_over(NULL);
    gspi_draw_ws w;
    gspi_draw_layout(&b, &w, module->counts.graphs);
    return gspi_add(b.used, GSPI_SLACK);
}

/* The graph that v calls, GSP_NONE: none; *first is the index of its first argument. */
static uint32_t gspi_draw_callee(const gsp_graph *g, gsp_node v, uint32_t *first)
{
    const gsp_module *m = g->module;
    gsp_op const op = gspi_op(g, v);
    gsp_node holder = v;
    *first = 0u;
    if (op == GSP_OP_CALL_FUNCTION) { /* invoke_subgraph(holder, name, arguments ...) */
        gspi_arg_row const args = gspi_args(g, v);
        if (args.n < 2u || args.at[0].kind != (uint32_t)GSP_ARG_NODE ||
            !gspi_draw_is_param(g, args.at[0].value)) {
            return GSP_NONE;
        }
        holder = args.at[0].value;
        *first = 2u;
    } else if (op != GSP_OP_CALL_MODULE) {
        return GSP_NONE;
    }
    return m->counts.graphs < 2u ? GSP_NONE
                                 : gsp_module_find_graph(m, m->target[g->first + holder]);
}

static int gspi_draw_stands_for(const gspi_draw_ws *w, uint32_t c, uint32_t g, gsp_node v)
{
    return c != GSP_NONE && w->parent[c] == g && w->call[c] == v;
}

static void gspi_draw_count(const gspi_draw_ws *w)
{
    gspi_zero_words(w->calls, w->m->counts.graphs);
    gspi_zero_words(w->drawn, w->m->counts.graphs);
    for (uint32_t id = 0u; id < w->m->counts.graphs; id++) {
        gsp_graph const g = gspi_graph(w->m, id);
        for (gsp_node v = 0u; v < g.n_nodes; v++) {
            uint32_t first;
            uint32_t const c = gspi_draw_callee(&g, v, &first);
            if (c != GSP_NONE) {
                w->calls[c]++;
            }
        }
    }
}

static gsp_graph gspi_draw_begin(const gspi_draw_ws *w, uint32_t id, uint32_t parent, gsp_node call)
{
    gsp_graph const g = gspi_graph(w->m, id);
    uint32_t n = 0u;
    w->drawn[id] = 1u;
    w->parent[id] = parent;
    w->call[id] = call;
    for (gsp_node v = 0u; v < g.n_nodes; v++) {
        n += gspi_callable(&g, v) ? 1u : 0u;
    }
    if (id != 0u) {
        gspi_draw_cluster(w->w, id, gsp_module_str(w->m, w->m->graphs[id].name), n,
                          w->kind == NULL ? GSP_KIND_NONE : w->kind[id]);
    }
    return g;
}

/* Graph `top` and all graphs inside: down at the single call of a graph, up at its end. */
static void gspi_draw_tree(const gspi_draw_ws *w, uint32_t top)
{
    gsp_graph g = gspi_draw_begin(w, top, GSP_NONE, 0u);
    gsp_node v = 0u;
    while (!w->w->stopped) {
        uint32_t first;
        if (v == g.n_nodes) {
            gspi_puts(w->w, g.id != 0u ? "    }\n" : "");
            if (g.id == top) {
                return;
            }
            v = w->call[g.id] + 1u;
            g = gspi_graph(w->m, w->parent[g.id]);
            continue;
        }
        uint32_t const c = gspi_draw_callee(&g, v, &first);
        if (c != GSP_NONE && w->calls[c] == 1u && !w->drawn[c]) {
            g = gspi_draw_begin(w, c, g.id, v);
            v = 0u;
            continue;
        }
        if (gspi_draw_has(&g, v)) {
            gspi_draw_node(w->w, &g, v, "        ", c != GSP_NONE ? "gold" : NULL);
        }
        v++;
    }
}

/* An edge from node u of graph g; a call drawn as a cluster yields the output of its graph. */
static void gspi_draw_from(const gspi_draw_ws *w, const gsp_graph *g, gsp_node u,
                           const gsp_graph *to, gsp_node v)
{
    uint32_t first;
    uint32_t const c = gspi_draw_callee(g, u, &first);
    int const within = gspi_draw_stands_for(w, c, g->id, u);
    if (within) {
        gsp_graph const inner = gspi_graph(w->m, c);
        gspi_draw_edge(w->w, &inner, inner.n_nodes - 1u, to, v);
    } else {
        gspi_draw_edge(w->w, g, u, to, v);
    }
    gspi_draw_edge_end(w->w, within || to->id != g->id ? w->m->counts.graphs : 0u,
                       gspi_bytes(g, u));
}

/* Edges from the arguments of a call to the inputs of graph c in order, the rest to its output. */
static void gspi_draw_bind(const gspi_draw_ws *w, const gsp_graph *g, gsp_node v, uint32_t c,
                           uint32_t first)
{
    gsp_graph const inner = gspi_graph(w->m, c);
    gspi_arg_row const args = gspi_args(g, v);
    uint32_t end = 0u; /* of the open container at the top level */
    gsp_node input = 0u;
    for (uint32_t i = first; i < args.n; i++) {
        gsp_arg const a = args.at[i];
        if (i >= end && i > first && a.kind != (uint32_t)GSP_ARG_CLOSE &&
            args.at[i - 1u].kind != (uint32_t)GSP_ARG_KEY) {
            input += input < inner.n_nodes - 1u ? 1u : 0u;
        }
        while (input < inner.n_nodes - 1u && gspi_op(&inner, input) != GSP_OP_PLACEHOLDER) {
            input++;
        }
        if (i >= end && a.kind >= (uint32_t)GSP_ARG_TUPLE && a.kind <= (uint32_t)GSP_ARG_SLICE) {
            end = i + a.value + 1u;
        }
        if (a.kind == (uint32_t)GSP_ARG_NODE && !gspi_draw_is_param(g, a.value)) {
            gspi_draw_from(w, g, a.value, &inner, input);
        }
    }
}

static void gspi_draw_inputs(const gspi_draw_ws *w, const gsp_graph *g, gsp_node v)
{
    uint32_t first;
    uint32_t const c = gspi_draw_callee(g, v, &first);
    gspi_row const inputs = gspi_inputs(g, v);
    if (gspi_draw_stands_for(w, c, g->id, v)) {
        gspi_draw_bind(w, g, v, c, first);
        return;
    }
    for (uint32_t i = 0u; i < inputs.n; i++) {
        if (gspi_draw_has_edge(g, inputs.at[i], v)) {
            gspi_draw_from(w, g, inputs.at[i], g, v);
        }
    }
    if (c != GSP_NONE) {
        gsp_graph const callee = gspi_graph(w->m, c);
        gspi_draw_edge(w->w, g, v, &callee, callee.n_nodes - 1u);
        gspi_puts(w->w, " [style=dashed, constraint=false, lhead=cluster_");
        gspi_put_number(w->w, c);
        gspi_puts(w->w, "];\n");
    }
}

GSP_API gsp_status gsp_draw_module(gsp_arena *arena, const gsp_module *module,
                                   const gsp_draw_module_desc *desc, gsp_sink sink, void *user,
                                   gsp_error *err)
{
    gsp_draw_module_desc d;
    gspi_pass pass;
    gspi_draw_ws w;
    GSPI_CHECK_GIVEN(arena != NULL && module != NULL && sink != NULL);
    gspi_desc(&d, desc, sizeof(d));
    GSPI_CHECK_DESC(d);
    GSPI_TRY(gspi_enter(&pass, arena, gsp_draw_bound(module), err));
    w.m = module;
    w.kind = d.kind;
    gspi_draw_layout(&pass.bump, &w, module->counts.graphs);
    gspi_draw_count(&w);
    gspi_writer_start(w.w, sink, user);
    gspi_draw_head(w.w, d.title, NULL);
    for (uint32_t all = 0u; all < 2u; all++) { /* at last graphs that only call each other */
        for (uint32_t id = 0u; id < module->counts.graphs; id++) {
            if (!w.drawn[id] && (all != 0u || id == 0u || w.calls[id] != 1u)) {
                gspi_draw_tree(&w, id);
            }
        }
    }
    for (uint32_t id = 0u; id < module->counts.graphs; id++) {
        gsp_graph const g = gspi_graph(module, id);
        for (gsp_node v = 0u; v < g.n_nodes && !w.w->stopped; v++) {
            gspi_draw_inputs(&w, &g, v);
        }
    }
    gspi_puts(w.w, "}\n");
    return gspi_leave(&pass, gspi_writer_end(w.w, err), err);
}

#endif /* GSP_NO_REPORT */

#ifdef __cplusplus
}
#endif

GSPI_END

#endif /* GRAPHSPLIT_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_IMPLEMENTATION */

/* -------------------------------------------------------------------------------------------------
 * Licence: choose the one that you prefer.
 *
 * A. MIT License. Copyright (c) graphsplit contributors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
 * associated documentation files (the "Software"), to deal in the Software without restriction,
 * including without limitation the rights to use, copy, modify, merge, publish, distribute,
 * sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 * The above copyright notice and this permission notice shall be included in all copies or
 * substantial portions of the Software.
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
 * NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
 * NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
 * DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 *
 * B. Public Domain (the Unlicense, in full at www.unlicense.org)
 *
 * This is free and unencumbered software released into the public domain. Anyone is free to copy,
 * modify, publish, use, compile, sell, or distribute this software, either in source code form or
 * as a compiled binary, for any purpose, commercial or non-commercial, and by any means.
 *
 * Revision history
 *
 *     0.1.0    first version
 * ---------------------------------------------------------------------------------------------- */
