/* graphsplit.h - v0.1.0 - splits computation graphs into runnable subgraphs
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * One C header without dependencies and malloc. It places nodes on accelerators and splits graphs.
 *
 * Do this in ONE file of your program:
 *
 *     #define GRAPHSPLIT_IMPLEMENTATION
 *     #include "graphsplit.h"
 *
 * Include it without the macro in all other files. C99 and later, C++11 and later, 32 and 64 bit.
 *
 * 1 WHAT IT IS, AND WHAT IT IS NOT
 *
 * A CPU runs every operator of a model, an accelerator some. graphsplit decides which node runs
 * where, gives the reason, cuts the graph into few subgraphs, and returns them as graphs that call
 * each other. It also assigns partitions to devices, splits by any assignment (split_module),
 * deduplicates repeated regions, cuts pipelines into stages, plans memory, and executes the results
 * with your kernels. Results are those of torch.fx where torch.fx is right.
 *
 * graphsplit has no kernels, reads no model files (the program in examples/ does) and knows no
 * hardware. An operator table, or your function, decides whether an accelerator supports a node.
 * Add-on headers, in examples/extra/, need this header alone. Besides those in section 3,
 * graphsplit_numbers.h takes and returns shapes, sizes, times and totals as numbers,
 * graphsplit_kway.h finds acyclic parts of equal load, graphsplit_heft.h devices that finish early,
 * graphsplit_offload.h what is worth offloading, graphsplit_traffic.h subgraphs that move the
 * fewest bytes, graphsplit_order.h the order of the least peak, graphsplit_intervals.h plans of
 * buffers without a graph, graphsplit_memories.h a place for each tensor in several memories,
 * graphsplit_tiles.h regions that run in tiles, graphsplit_prefetch.h copies ahead of use,
 * graphsplit_devices.h stages on unequal devices, graphsplit_downsets.h stages of units in any
 * order of their dependences, graphsplit_repeats.h groups of equal regions that save most nodes,
 * graphsplit_operators.h which operators to support next, graphsplit_compare.h what changed between
 * two splits, graphsplit_schedule.h simulates pipelines, graphsplit_draw.h writes Graphviz.
 *
 * 2 SIXTY SECONDS
 *
 *     ~~~
 *     #define GRAPHSPLIT_IMPLEMENTATION
 *     #include "graphsplit.h"
 *     #include <stdio.h>
 *     static const gsp_table_entry operators[] = {GSP_OP("conv", ""), GSP_OP("relu*", "")};
 *     static unsigned char memory[65536];
 *     int main(void)
 *     {
 *         gsp_counts const most = gsp_build_counts(1, 9, 9, 9, 9, 99);
 *         gsp_split_subgraphs_result r = {0};
 *         gsp_arena arena;
 *         gsp_builder b;
 *         gsp_arena_init(&arena, memory, sizeof(memory));
 *         gsp_build_init(&b, &arena, &most, NULL);
 *         gsp_build_graph(&b, gsp_str_of("main"));
 *         gsp_node x = gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
 *         gsp_node conv = gsp_build_call(&b, gsp_str_of("conv"), &x, 1);
 *         gsp_node nms = gsp_build_call(&b, gsp_str_of("nms"), &conv, 1);
 *         gsp_build_output(&b);
 *         gsp_build_arg_node(&b, nms);
 *         gsp_status status = gsp_split_simple(&b, operators, 2, &r, NULL);
 *         for (gsp_node v = 0; v < r.split.n_nodes; v++) {
 *             uint32_t const s = r.split.subgraph_of[v];
 *             if (s != GSP_NONE) {
 *                 printf("%s %u has node %u\n", r.split.subgraph_kind[s] ? "npu" : "cpu", s, v);
 *             }
 *         }
 *         return (int)status;
 *     }
 *     ~~~
 *
 * prints `npu 0 has node 1` and `cpu 1 has node 2`. r.subgraphs.module is a module of the two
 * subgraphs and a root that calls them; the table may name dtypes ("f32,i8") and constraints.
 *
 * 3 QUESTIONS
 *
 * Graphs
 *   My graph is rows of inputs or users?    gsp_build_csr() of graphsplit_csr.h, in place.
 *   It is text?    gsp_text_read(), in the form of section 6.
 *   My names are no identifiers ("/conv1/Conv")?    gsp_build_node() takes any bytes and numbers
 *     equal ones; gsp_graph_find() finds the original.
 *   Change one node?    A module is immutable. Copy it with gsp_build_adopt() and, for each node,
 *     gsp_build_node_atoms(), gsp_build_like(), gsp_build_arg(), and change it, as examples/edit.c.
 *   My own data per node?    Use an array by node id: graph_of[v] and node_of[v] of a result name
 *     the copy of v, graphsplit_origin.h names the origin of each new node. Or store the data by
 *     gsp_build_user() of graphsplit_numbers.h; copies of the node keep it.
 *   Several outputs?    Return a tuple; a node that yields several has TYPE tuple(...). Readers of
 *     such a node, or of a subgraph, take elements by operator.getitem.
 *   Dynamic shapes?    A symbol counts as 1; give `bytes=` for the largest size. The cuts depend on
 *     shapes only by constraints of operator tables; an unknown value fails them.
 *   Control flow?    A get_attr or an annotation (then=, body=) names the graph of a branch or a
 *     loop; gsp_called_next() finds it, gsp_calls_run() orders all graphs. A call such as
 *     torch.ops.higher_order.cond is one node; its kernel plans and executes the chosen graph.
 *     Split each graph by itself (gsp_module_graph()).
 *   A graph in flash?    Store module.block (block_size bytes); gsp_module_open() makes the view.
 *   What does the library call?    Your callbacks and sinks, and the functions of section 13.
 *
 * Splitting
 *   Why is a node not on my accelerator?    result.reason[v] and result.culprit[v] tell: it is
 *     unsupported, reads or yields a non-tensor value, is fused or grouped with an unsupported
 *     node, is in a subgraph too small or large, refused by accept, moved off a boundary, over the
 *     limit, or pinned.
 *   Too many small subgraphs?    desc.min_size, desc.limit; gsp_demote_run() keeps the best nodes.
 *   Too large ones?    desc.max_size; in bytes, gsp_limits_run() of graphsplit_limits.h.
 *   My compiler or delegate refuses some?    desc.accept; gsp_minimize_run() finds the culprits.
 *   Keep some nodes together?    group= in the text, or placement.group.
 *   My own rules of support?    GSP_RULE_CALL, or fill placement.kind and skip gsp_support_run().
 *   How many bytes cross a cut?    gsp_preview_run() counts them per subgraph, gsp_score_run() in
 *     total; its n_parts and part_of are n_subgraphs and subgraph_of of the split.
 *   How much memory does a split take?    gsp_liveness_run() with the same two gives the peak of
 *     each subgraph. For all of it in one RAM, set skip_inputs, and run gsp_memory_plan_run() on
 *     the root of the split module with these peaks as desc.scratch of the calls.
 *   Nodes that write in place, or enter and leave autocast?    As in PyTorch, values alone order
 *     nodes. With graph.order from gsp_order_run(), passes keep the order of writes and barriers
 *     too (mutates=, alias=, storage=, barrier=).
 *
 * Partitions, deduplication, pipelines
 *   Several devices?    gsp_partition_run() gives partitions that fit, devices, critical paths.
 *   Is my own assignment good?    gsp_score_run(), and gsp_score_move() to improve it.
 *   The same layer a hundred times?    gsp_dedup_run() makes a subgraph and 100 calls. Graphs of
 *     equal fingerprint (graphsplit_fingerprint.h) need one compilation.
 *   Where to cut a pipeline?    gsp_stages_even_run() by counts or bytes. For the smallest
 *     bottleneck, gsp_costs_run(), then gsp_stages_optimal_run() of graphsplit_stages.h, which also
 *     has gsp_stage_costs_run() for the costs of any stages.
 *   Are stages module trees?    No, flat graphs; desc.keep_targets keeps dotted module targets.
 *
 * Memory and execution
 *   How much RAM does the model need?    gsp_liveness_run() gives a lower bound of every plan,
 *     gsp_memory_plan_run() one arena, gsp_memory_pack_run() a smaller one. For the first two,
 *     GSP_LIVENESS_BOUND(n, m) and GSP_MEMORY_PLAN_BOUND(n, m) size static memory.
 *   I have a plan of my own?    gsp_memory_check_run() tells whether it is valid.
 *   It does not fit?    gsp_split_by_memory_run() makes the fewest parts that fit, if values that
 *     are live across another part are in another memory. In one RAM no cut helps.
 *   Execute a graph, or its subgraphs?    gsp_exec_plan_run() once, then gsp_exec_run() with a
 *     callback for kernels; it enters called graphs, unpacks aggregates and releases dead values.
 *     Values are 64-bit handles. Shapes as values propagate shapes, hashes compare modules.
 *
 * 4 CONTENTS
 *
 * `grep -n '^ \* *>>' graphsplit.h` prints the outline: the families, each with its sections. The
 * API half and the implementation half have the same names in the same order. Private functions of
 * a family stand at its head. To read the code, start here: gsp_split_run(), six steps.
 *
 *     >>config             Compile-time switches and compiler adaptation
 *     >>family BASE        Status, memory, bitsets
 *         >>status             Status values and error details
 *         >>memory             Two-ended arena over memory of the caller
 *         >>bitset             Sets of node ids
 *         >>min_cut            Minimum cuts
 *     >>family GRAPH       Modules, graphs, text
 *         >>graph              Modules, graphs, nodes, arguments, annotations
 *         >>build              Making a module step by step
 *         >>query              Questions about a finished graph
 *         >>check              Opening a stored module, validation
 *         >>text               Reading and writing the graph text
 *         >>topo_order         Topological orders
 *         >>calls              Graphs that nodes run
 *     >>family SPLIT       CPU and accelerator subgraphs
 *         >>constraint         Conditions on the arguments and shapes of a node
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
 *         >>demote             Most on the accelerator, in few subgraphs
 *     >>family PARTITION   Partitions on devices
 *         >>device             Devices, memory, mapping of partitions
 *         >>latency            Critical paths of partitions
 *         >>assign             Partitions of the modes
 *         >>partition          All modes, and the DAG of partitions
 *         >>score              Evaluation of any assignment
 *     >>family DEDUP       Repeated regions
 *         >>dependences        Alias sets and memory dependences
 *         >>node_classes       Classes of identical nodes
 *         >>regions            Repeated regions
 *         >>dedup              Replacement of regions by calls of one subgraph
 *     >>family PIPELINE    Stages of a pipeline
 *         >>costs              Costs of nodes in ticks and bytes
 *         >>stages_even        Stages of equal size
 *         >>stages_from_marks  Stages from markers and split specs
 *         >>stage_params       Parameters of stages
 *         >>pipeline           The pipeline as a module
 *         >>backward           Gradients through the stages
 *         >>stage_devices      Devices of stages, stages as modules
 *     >>family MEMORY      Memory plans and execution
 *         >>liveness           Live bytes in graph order
 *         >>memory_plan        Tensors in one arena
 *         >>memory_check       Validity of a plan
 *         >>memory_pack        Smaller plans, with a proof
 *         >>split_by_memory    Fewest parts under a byte budget
 *         >>exec_plan          Slots and call frames, planned once
 *         >>exec               Execution with kernels of the caller
 *     >>impl               Implementation guard, leaf macros, assertions
 *
 * 5 CONCEPTS
 *
 *     text or builder --> module --> a pass --> result (sets, subgraphs, partitions, stages)
 *                                       |
 *                                       `----> a module again: graphs that call graphs
 *
 * Passes never change a graph. Every pass has two functions, gsp_x_bound() and gsp_x_run() (section
 * 7). gsp_x_desc has the options: NULL or {0} is the default; a canary other than 0 shows that it
 * was not initialised.
 *
 *     x --> relu --> sort --> mul --> y        relu, mul: accelerator      sort: CPU
 *           [acc_0]  [cpu_1]  [acc_2]          three subgraphs, two cuts
 *
 * accelerator nodes  nodes on an accelerator such that no non-tensor value crosses its boundary
 * aggregate          a tuple, list or dict that holds a tensor
 * alias set          values that share memory (alias=, storage=); a write to one changes all
 * arena              one block of memory of the caller, filled from both ends
 * atom               the number of an interned string of a module
 * barrier            a node that enters or leaves a global state; no node moves across it
 * bottleneck         the largest time of a stage; it limits the rate of a pipeline (Hennessy 2017)
 * bound              bytes that suffice for a pass, known before it runs
 * bubble             time in which a device of a pipeline is idle (Huang et al. 2019)
 * callable node      call_function, call_method or call_module; only these are placed
 * communication      bytes of values read from other parts, each value once per part that reads it
 *   volume           (Hendrickson, Kolda 2000)
 * connectivity       the number of parts that yield or read a value; minus 1 and times its bytes,
 *                    it sums up to the communication volume (Catalyurek, Aykanat 1999)
 * critical path      the path of largest total latency
 * culprit            the node that caused a decision about another node
 * cut                an edge between two subgraphs
 * delegate           a backend that runs subgraphs for a runtime (TensorFlow Lite); an accelerator
 * edge cut           the number of edges between different parts (Kernighan, Lin 1970)
 * first-fit          a tensor takes the lowest offset that is free (Knuth 1968)
 * fusion group       nodes that pass non-tensor values to each other and stay in one subgraph
 * group              nodes that stay together (group=), whatever the pass
 * kind               0 for the CPU, k for accelerator k
 * leaf module        a called module that is no graph of this module; has a class and parameters
 * live range         from the node that yields a value to the last node that reads it (Aho 2006)
 * makespan           the time from the first start to the last end of all parts (Graham 1969)
 * microbatch         a slice of a batch that passes through a pipeline as one
 * module             graphs that call graphs; graph 0 is the root
 * part               a set of nodes in an assignment of the caller
 * partition          a set of nodes on one or more devices
 * placement          a kind for every callable node, with a reason and a culprit
 * quotient graph     the graph of parts, with an edge where a node of one reads a node of the other
 * region             a set of nodes that occurs again with the same structure
 * stage              nodes of one step of a pipeline, contiguous in a topological order
 * storage            the memory of one or more tensors that are views of each other
 * subgraph           callable nodes of one kind that run as one unit; the result of a split
 * topological order  an order of nodes in which inputs stand before users (Kahn 1962)
 *
 * 6 GRAPH TEXT
 *
 * The text form is the output of print(gm.graph) in PyTorch, one node per line, each with an
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
 * and in a slice, nodes have no '%'. With several graphs, a line `module NAME` precedes each, root
 * first. Blank lines, tabs, CRLF and '#' lines are allowed; num_users is checked on request.
 *
 *     # TYPE key=value ...    all of it optional, after two blanks
 *     TYPE      f32[1, 3]     a tensor; the first number of its dtype is the bits per element,
 *                             8 at least; a dimension that is no number, such as s0, counts as 1
 *               tuple(f32[2], i64[2]), list(...), dict(...)    an aggregate
 *               int float bool str none tuple list dict any    a non-tensor value
 *               (no TYPE)                                      a tensor of 0 bytes
 *     bytes=    of the output; overrides TYPE                  params=   of a called module, bytes
 *     module=   class of a called module                       scope=    path of the calling module
 *     acc=      kind (0 is the CPU); overrides tables      group=    equal ones stay together
 *     mem= compute= cpu= comm=    seconds
 *     alias=    position of the argument of which the output is a view
 *     mutates= key= storage= state= barrier=    for deduplication and gsp_order_run()
 *     stage= device= part=    and all others: kept and written back for your own use
 *
 * 7 MEMORY
 *
 * You give an arena: one block with two ends. Results grow from the low end, scratch from the high
 * end; a pass releases its scratch when it returns. Nothing is freed one by one: gsp_arena_mark(),
 * work, gsp_arena_rewind(). Every function that needs memory has a bound function:
 *
 *     gsp_x_bound(graph, desc)    free bytes that suffice at any address, or SIZE_MAX
 *     gsp_x_run(arena, ...)       NOMEM with one byte less, and error.need is the bound
 *
 * A bound depends on counts, names and the desc, never on the edges. For 64 nodes, 80 edges and one
 * accelerator, gsp_split_bound() is 2556 bytes on a 64-bit machine (39 per node, and padding);
 * about 1800 stay. Passes in a row need all their results and the largest scratch; the sum of the
 * bounds suffices. Results are valid until the arena is rewound, and point into their inputs.
 *
 * A plan of the memory of a graph (family MEMORY) belongs to an order of its nodes: in another
 * order, live tensors may overlap. The subgraphs of a split run in another order than the graph:
 *
 *     gsp_memory_plan_desc d = {0};
 *     d.order = split.nodes;
 *     d.n_order = split.subgraph_begin[split.n_subgraphs];
 *     d.part_of = split.subgraph_of;    then `crosses` marks tensors between them
 *
 * 8 ERRORS
 *
 * A function that can fail returns a gsp_status and fills a gsp_error, if given: item at fault,
 * line, column, bytes needed. After a failure, outputs and arena are as before the call. Nothing is
 * printed, nothing aborts. The order of checks is null arguments, desc, choices, counts, data in
 * graph order, memory, and those listed after NOMEM. `Errors: ARG (TAG: node has no tag)` means
 * status ARG, detail TAG and error.node; other, need and limit likewise.
 *
 * 9 DETERMINISM, THREADS, STACK
 *
 * The same input gives the same output on every compiler, word size and byte order. No hash decides
 * an output. Outside of latencies, whose sums have one order, no floating-point number takes part
 * in a decision. There are no globals. Any number of threads may work, each with its own arena, and
 * share finished modules. There is no recursion. A hundred million nested brackets need the stack
 * of one. On 64 bit every function needs less than 1472 bytes of stack. On a Cortex-M4 every pass
 * needs less than 768, split less than 544; support, accelerator nodes, fusion, memory plans and
 * execution need less than 512. Operator tables with constraints need 192 more.
 *
 * 10 SWITCHES (define them where the implementation is compiled; none changes a public type)
 *
 *     GRAPHSPLIT_STATIC         everything static, for several private copies in one program
 *     GSP_API                   prefix of every public function, e.g. for export
 *     GSP_CONFIG_HEADER         a header to include first
 *     GSP_NO_FLOW               no minimum cuts, hence no demote, phases of the caller
 *     GSP_NO_TEXT               no reading and writing of the graph text
 *     GSP_NO_SPLIT              no family SPLIT; needs GSP_NO_PARTITION
 *     GSP_NO_FUSE               no fusion groups; a split that needs them is refused
 *     GSP_NO_MOVE_NON_TENSOR    no moving of non-tensor values; likewise refused
 *     GSP_NO_PARTITION          no family PARTITION
 *     GSP_NO_SCORE              no evaluation of assignments
 *     GSP_NO_DEDUP              no family DEDUP
 *     GSP_NO_PIPELINE           no family PIPELINE
 *     GSP_NO_MEMORY             no family MEMORY
 *     GSP_NO_COST               no floating point, hence no PARTITION, no gsp_costs_run()
 *     GSP_NO_ALL_PASSES         only BASE and GRAPH, no text; GSP_WITH_TEXT, GSP_WITH_SPLIT, ...
 *                               add a family and those that it needs
 *     GSP_NO_MESSAGES           texts of statuses, details and reasons are empty
 *     GSP_GAP                   guard bytes between arrays of an arena, for AddressSanitizer;
 *                               the same wherever the header is included (else: no link)
 *     GSP_NO_BUILTINS           portable code instead of compiler builtins
 *     GSP_MEMCPY, GSP_MEMSET, GSP_MEMCMP    replacements for the only library functions in use
 *
 * 11 PASSES                        time                     bytes per node + edge, at most
 *
 *     gsp_text_read                O(bytes of text)         gsp_build_bound(gsp_text_count())
 *     gsp_topo_order_run           O(n + m)                 16 + 0
 *     gsp_calls_run                O(n + args + attrs)      41 per graph
 *     gsp_support_run              O(n * rules)             25 + 0, and 4 per string
 *     gsp_acc_nodes_run            O(n + m)                 8 + 0
 *     gsp_fuse_run                 O(n + m) *               29 + 0
 *     gsp_split_run                O(n + m) *               39 + 0
 *     gsp_move_non_tensor_run      O(n + m)                 9 + 0, and 4 per subgraph
 *     gsp_split_by_tags_run        O(n + m + args)
 *     gsp_split_subgraphs_run      support, split, split_by_tags
 *     gsp_split_module_run         O(n + m + args)
 *     gsp_exec_plan_run            O(n + m + args)
 *     gsp_exec_run                 O(args), 10 ns per node  9 per live value
 *     gsp_liveness_run             O(n + m + args)          24 + 0; with parts 32 + 4
 *     gsp_memory_plan_run          O(n log n + p) **        81 + 0; with an order 89 + 0
 *     gsp_memory_check_run         O(n log n)               48 per tensor
 *     gsp_memory_pack_run          O(n log n + p), search   180 per tensor
 *     gsp_split_by_memory_run      O((n + m) log n), search 88 + 0
 *     gsp_stages_even_run          O(n + m)                 12 + 0, and 9 per string
 *     gsp_costs_run                O(n + m)                 32 + 12, and 12 per string
 *     gsp_latency_run              O(n + m)
 *     gsp_partition_run            O(n + m), and by mode:
 *     gsp_assign_run               by mode:
 *       SIZE, AOT                  O(n * devices + m)
 *       SPARSE                     O(n + m), O(parts + their edges) per merge
 *       COST                       up to n^3 / 2 trials as of KL; most end far earlier
 *       KL                         SIZE; n^2 trials of O(n + m + parts * devices) per sweep
 *     gsp_score_run                O(n + m)                 20 + 0, and 72 per part
 *     gsp_stages_from_marks_run    O(n + scopes)            5 + 0, and 30 per split point
 *     gsp_stage_params_run         O(n + m + args)          109 + 16, and 4 per string
 *     gsp_pipeline_run             O(n + m + args)
 *     gsp_backward_run             O(n + m + args)
 *     gsp_stage_devices_run        O(n + args)
 *     gsp_stage_extract_run        O(n + args)
 *     gsp_subgraph_grow_run        O(n + m)                 16 + 0
 *     gsp_minimize_run             O(tests * n)             14 + 0, and 600
 *     gsp_signatures_run           O(args)
 *     gsp_preview_run              O(n + m)                 12 + 4, and 80 per subgraph
 *     gsp_min_cut_run              close to O(nodes + arcs) 17 per node, 32 per arc
 *     gsp_demote_run               desc.max_work
 *     gsp_dependences_run          O((n + m) log n)         56 + 8
 *     gsp_order_run                O((n + m) log n)
 *     gsp_node_classes_run         O(n + args)              25 + 0
 *     gsp_regions_run              O((n + m) log n), search 89 + 8
 *     gsp_dedup_run                O((n + m + args) log n)
 *
 *     * a fusion group on a cycle with nodes of another kind costs a search of its own, over the
 *       nodes between its first and last member: O(groups * (n + m)) at worst
 *     ** p pairs of tensors are live at once; desc.max_work bounds p
 *     gsp_x_bound() returns the bytes that the table does not list
 *
 * 12 LIMITS
 *
 * Fewer than 2^32 - 1 items of each type, 4 GiB of strings per module, 254 accelerators, lines
 * below 512 MiB. Strings chosen to collide make reading, building and pins quadratic; limit the
 * size of untrusted texts.
 *
 * 13 PORTING
 *
 * Needs stddef.h, stdint.h, and memcpy, memset, memcmp (compilers emit calls of the first two).
 * size_t has 32 bits at least; 16-bit targets fail at compile time with a clear name. A stored
 * module has the byte order of its maker.
 */

/* ----
 * >>config   Compile-time switches and compiler adaptation
 * ---- */
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

/* ====
 * >>family BASE   Status, memory, bitsets (API)
 * ==== */

/* Used by all families: status values and errors, the arena, sets of node ids, minimum cuts.
 *
 * In:      memory of the caller
 * Out:     gsp_arena, gsp_bitset, gsp_error
 * Order:   gsp_arena_init() once; gsp_arena_mark() and gsp_arena_rewind() around temporary results
 *
 *     base [ results ---->            free            <---- scratch ] base + size
 */

/* ----
 * >>status   Status values and error details (API)
 * ---- */

/* The status of a function that can fail. The list is append-only. */
#define GSP_STATUS_LIST(X) \
    X(OK, "success") \
    X(ARG, "an argument is outside of what the function accepts") \
    X(DESC, "a desc was not zero-initialised, or its options cannot be combined") \
    X(NOMEM, "the arena is too small") \
    X(OVERFLOW, "a size does not fit into 64 bits, or a count into 32") \
    X(PARSE, "the text cannot be read") \
    X(CYCLE, "the graph, or the required order, is cyclic") \
    X(DUPLICATE, "a name is given twice") \
    X(UNDEFINED, "a name is used before its definition, or has none") \
    X(DAMAGED, "a stored module is damaged or was written by another kind of machine") \
    X(LIMIT, "a limit that the caller set is exceeded") \
    X(EMPTY, "there is nothing to work on") \
    X(NO_FIT, "an item does not fit into the memory or capacity that is left for it")

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

/* One sentence per cause of a failure, see gsp_detail_text(). PART and PIPE mark causes of the
 * families PARTITION and PIPELINE. Append-only. */
#define GSP_DETAIL_LIST(X, PART, PIPE) \
    X(NONE, "no further detail") \
    X(NULL_ARGUMENT, "a pointer that must not be null is null") \
    X(CANARY, "the desc was not zero-initialised") \
    X(BOUND, "the arena holds fewer bytes than the bound") \
    X(CAPACITY, "the counts or the arena leave no room for the additions of a builder") \
    X(TOO_MANY, "there are more than 2^32 - 2 items") \
    X(SIZE, "a size exceeds 64 bits") \
    X(NUMBER, "expected a number") \
    X(NAME, "expected a node name") \
    X(NAME_TWICE, "this name is already taken") \
    X(NAME_UNKNOWN, "no node of this name is defined before this place") \
    X(NAME_LATER, "this node is defined only here or later, out of order or in a cycle") \
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
    X(AFTER_RETURN, "expected no text after 'return'") \
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
    X(RULE, "a support rule is unknown, or the rules do not leave exactly one value") \
    X(TAG, "a callable node has no tag, or a tag that does not exist") \
    X(TAG_EMPTY, "a tag has no nodes") \
    X(TAG_ORDER, "the order of the tags contradicts the data flow") \
    X(TAG_NAME, "a tag has no name, or the name of another tag, parameter or module") \
    X(SUBGRAPHS, "more subgraphs than the limit") \
    X(ENTRY, "expected NAME, NAME dtype,dtype or !NAME, with * only at the end of NAME") \
    X(SEPARATOR, "expected elements separated by a comma and a blank") \
    X(ALIGN, "the block must lie at a multiple of 8") \
    X(CUT, "the block is shorter than its header says") \
    PIPE(THRESHOLD, "a threshold of parameter bytes requires a number of bytes or of stages") \
    PART(DEVICES, "there are no devices") \
    PART(DEVICE_TWICE, "two devices have the same logical id") \
    PART(DEVICE_UNKNOWN, "no device has this logical id, or it is given twice") \
    PART(DEVICES_UNEQUAL, "this mode requires devices of equal size") \
    PART(DEVICES_SMALL, "all devices together are too small") \
    X(CALLABLE, "the graph has no callable node") \
    X(LATENCY, "a latency is negative, infinite or no number") \
    PART(RATE, "the transfer rate is negative, infinite or no number") \
    PART(RATE_ZERO, "the transfer rate is zero, and there are bytes to move") \
    X(MODE, "this mode does not exist, or is not in this build") \
    PART(NODE_LARGE, "a node needs more bytes than any remaining device has") \
    PART(MAPPING, "a partition needs more bytes than are free on any device") \
    PART(EMBEDDINGS, "more partitions of embeddings than devices") \
    PART(EMBEDDING_LARGE, "a partition of embeddings does not fit together with all others") \
    PART(PART_NONE, "a callable node has no partition") \
    PART(PART_DEVICES, "a partition has no devices") \
    X(PARTS_CYCLE, "partitions read each other in a cycle") \
    X(PARTS_ORDER, "a partition reads a later one in the required order") \
    X(STOPPED, "a callback requested a stop") \
    X(ALIAS, "alias= names no argument") \
    X(BUDGET, "a part that cannot be cut needs more bytes than the budget") \
    X(INPUT_MISSING, "a placeholder without default has no input") \
    X(INPUT_MANY, "more inputs than placeholders") \
    X(INPUT_UNKNOWN, "no placeholder has the name of this input") \
    X(INPUT_TWICE, "two inputs are given for one placeholder") \
    X(INPUT_ORDER, "an input by position follows one by name") \
    X(INPUT_DTYPE, "the dtype of the input is not that of the placeholder") \
    X(INPUT_SHAPE, "the shape of the input is not that of the placeholder") \
    X(INPUT_TYPE, "the kind of the input is not that of the placeholder") \
    X(CALL_INPUTS, "a graph is called with inputs that do not match its placeholders") \
    X(ELEMENT, "an aggregate has no such element") \
    X(FORMS, "calls of a graph pass aggregates of different structure") \
    X(RECURSION, "a graph calls itself, perhaps through others") \
    X(AGGREGATES, "aggregates have more elements than the desc makes room for") \
    X(KERNEL, "a kernel failed; the status is its own") \
    PIPE(COSTS, "the costs are those of another graph, or name an item that does not exist") \
    PIPE(STAGE, "a stage that does not exist, or that reads a later one") \
    PIPE(MEMORY, "no plan keeps every device within its memory") \
    PIPE(POINT, "a split point is neither beginning nor end") \
    PIPE(PATH, "no callable node has this module path") \
    PIPE(POLICY, "a split spec cannot be combined with a policy") \
    PIPE(MULTI_USE, "a multi-use setting is neither replicate nor transmit") \
    PIPE(PARAMETER, "no get_attr reads a parameter of this name") \
    PIPE(STAGE_ORDER, "a node reads one of a later stage") \
    PIPE(WRITTEN, "a node writes a parameter of which several stages would have copies") \
    PIPE(STAGE_INDEX, "there is no stage of this index") \
    PIPE(DEVICE, "a device would not read back from the text form") \
    PIPE(LOSS_INDEX, "there is no returned value of this index") \
    PIPE(LOSS_KEY, "the returned value is no dict with a key loss") \
    PIPE(LOSS_VALUE, "the loss is no value of a node") \
    PIPE(LOSS_SPEC, "the loss spec and the returned value differ in shape here") \
    PIPE(LOSS_NONE, "the loss spec has no True") \
    PIPE(HELD, "a stage keeps more microbatches than the one before it") \
    X(POSITION, "mutates= or alias= is no position of a node in the arguments") \
    X(DEPENDENCES, "there are more memory dependences than the limit allows") \
    X(WORK, "the search took more steps than the limit allows") \
    X(OUTPUTS, "elements of aggregates leave regions more often than the limit allows") \
    X(CHOICE, "an option names a choice that does not exist") \
    X(CAPACITY_GRAPHS, "there are more graphs than the counts given at the start") \
    X(CAPACITY_NODES, "there are more nodes than the counts given at the start") \
    X(CAPACITY_EDGES, "there are more edges than the counts given at the start") \
    X(CAPACITY_ARGS, "there are more argument tokens than the counts given at the start") \
    X(CAPACITY_ATTRS, "there are more attributes than the counts given at the start") \
    X(CAPACITY_STRINGS, "there are more strings than the counts given at the start") \
    X(CAPACITY_BYTES, "strings have more bytes than the counts given at the start") \
    PART(PARTS_LOAD, "no parts of these capacities were found") \
    X(BARE, "the module has no arguments, or no stored names") \
    X(ORDER, "an order has every callable node once, after its inputs") \
    X(OVERLAP, "two tensors that are live at the same step overlap") \
    X(OFFSET, "the offset of a tensor is no multiple of its alignment") \
    X(ARENA, "a tensor ends beyond the arena")

/* The details of GSP_DETAIL_LIST. */
typedef enum gsp_detail {
#define GSP_DETAIL_ENUM(name, text) GSP_DETAIL_##name,
    GSP_DETAIL_LIST(GSP_DETAIL_ENUM, GSP_DETAIL_ENUM, GSP_DETAIL_ENUM)
#undef GSP_DETAIL_ENUM
        GSP_DETAIL_COUNT,
    GSP_DETAIL_FORCE_U32 = 0x7FFFFFFF
} gsp_detail;

/* The items that gsp_error.node and .other number. Append-only. */
#define GSP_WHAT_LIST(X) \
    X(NONE, "nothing") \
    X(NODE, "node") \
    X(GRAPH, "graph") \
    X(PIN, "pin") \
    X(RULE, "rule") \
    X(ACCELERATOR, "accelerator") \
    X(TAG, "tag") \
    X(SUBGRAPH, "subgraph") \
    X(PART, "part") \
    X(DEVICE, "device") \
    X(STAGE, "stage") \
    X(POINT, "split point") \
    X(PARAM, "parameter") \
    X(ENTRY, "line of a support table") \
    X(TENSOR, "tensor")

/* The items of GSP_WHAT_LIST. */
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
    uint32_t what;     /* gsp_what of `node`, and of `other` unless Errors: says otherwise */
    uint32_t node;     /* the node or other item at fault, or GSP_NONE */
    uint32_t other;    /* a second one, such as the other end of an edge, or GSP_NONE */
    size_t line;       /* 1-based line of the text, else 0 */
    size_t column;     /* 1-based column of the text, in bytes */
    uint64_t need;     /* NOMEM, NO_FIT: amount that suffices; LIMIT, OVERFLOW: the count reached */
    uint64_t limit;    /* NOMEM, NO_FIT: amount left; LIMIT, OVERFLOW: the greatest count allowed */
    const char *field; /* NULL_ARGUMENT, CHOICE, RANGE: the argument or field at fault, else "" */
} gsp_error;

/* gsp_status_name: the name in this header, without prefix ("NOMEM"); else "?". Time: O(1). */
GSP_API const char *gsp_status_name(gsp_status status);

/* gsp_status_text: one English sentence, "" with GSP_NO_MESSAGES. Time: O(1). */
GSP_API const char *gsp_status_text(gsp_status status);

/* gsp_detail_text: one English sentence, "" with GSP_NO_MESSAGES. Time: O(1). */
GSP_API const char *gsp_detail_text(gsp_detail detail);

/* ----
 * >>memory   Two-ended arena over memory of the caller (API)
 * ---- */

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

/* Bytes after every array of an arena, also an empty one, that AddressSanitizer guards. All bounds
 * count them. The memory must not be on the stack, where the guards would outlive it. */
#ifndef GSP_GAP
#define GSP_GAP 0u
#endif

/* Objects of different gaps do not link. The functions that open and mark an arena have the gap in
 * their names. */
#if GSP_GAP
#define gsp_arena_init             GSPI_WITH_GAP(gsp_arena_init_with_gap_, GSP_GAP)
#define gsp_arena_mark             GSPI_WITH_GAP(gsp_arena_mark_with_gap_, GSP_GAP)
#define GSPI_WITH_GAP(name, gap)   GSPI_WITH_GAP_2(name, gap)
#define GSPI_WITH_GAP_2(name, gap) name##gap
#endif

/* Packed structs do not compile. They would link with others, and crash. */
typedef struct gspi_padded {
    char byte;
    void *pointer;
} gspi_padded;
typedef char gspi_structs_must_not_be_packed
    [sizeof(gspi_padded) % (sizeof(void *) == 8u ? 16u : sizeof(void *) / 2u) == 0u ? 1 : -1];

/* Constant bounds for static memory: GSP_X_BOUND(n_nodes, n_edges) is gsp_x_bound() with one
 * accelerator and defaults, or at most GSP_BOUND_WORKSPACE bytes more, for counts that do not
 * overflow. */
#define GSP_BOUND_ARRAY(count, size) \
    (((size_t)(count) * (size) + (GSP_GAP + GSP_ALIGN - 1u)) & ~((size_t)GSP_ALIGN - 1u))
#define GSP_BOUND_SLACK     (2u * ((size_t)GSP_ALIGN - 1u))
#define GSP_BOUND_WORKSPACE ((size_t)512u + GSP_GAP) /* what does not depend on counts */
#define GSP_BOUND_MAX(a, b) ((a) > (b) ? (a) : (b))
/* The least power of two >= x, for 2 <= x <= 2^31. */
#define GSP_BOUND_POW2(x)   (1u + (GSP_BOUND_BELOW(x) | (GSP_BOUND_BELOW(x) >> 16)))
#define GSP_BOUND_BELOW(x)  GSP_BOUND_OR4(GSP_BOUND_OR4((size_t)(x)-1u, 1u), 4u)
#define GSP_BOUND_OR4(x, k) ((x) | ((x) >> (k)) | ((x) >> (2u * (k))) | ((x) >> (3u * (k))))

/* gsp_arena_init: an arena over `size` bytes at `memory`, of any alignment; 0 bytes
 * at NULL. Time: O(1). */
GSP_API void gsp_arena_init(gsp_arena *arena, void *memory, size_t size);

/* gsp_arena_left: bytes between both ends. Time: O(1). */
GSP_API size_t gsp_arena_left(const gsp_arena *arena);

/* gsp_arena_mark: the state of both ends. Time: O(1). */
GSP_API gsp_mark gsp_arena_mark(const gsp_arena *arena);

/* gsp_arena_rewind: return to a mark and release everything allocated since. Time: O(1). */
GSP_API void gsp_arena_rewind(gsp_arena *arena, gsp_mark mark);

/* gsp_arena_push: count * size uninitialised bytes at the low end, or NULL. Time: O(1). */
GSP_API void *gsp_arena_push(gsp_arena *arena, size_t count, size_t size);

/* gsp_arena_push_high: the same at the high end. Time: O(1). */
GSP_API void *gsp_arena_push_high(gsp_arena *arena, size_t count, size_t size);

/* gsp_arena_watch: restart `touched` at the bytes now in use. Time: O(1). */
GSP_API void gsp_arena_watch(gsp_arena *arena);

/* ----
 * >>bitset   Sets of node ids (API)
 * ---- */

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

/* gsp_bitset_fill: add all ids, or remove all if `all` is 0. Time: O(n / 32). */
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

/* ----
 * >>min_cut   Minimum cuts (API)
 * ---- */

#ifndef GSP_NO_FLOW

#define GSP_CUT_INFINITE ((uint64_t)1 << 62u) /* an arc that is never cut */

/* An arc, and its reverse (back). */
typedef struct gsp_cut_arc {
    uint64_t capacity;
    uint64_t back;
    uint32_t from;
    uint32_t to;
} gsp_cut_arc;

/* A network. Node 0 is the source, node 1 the sink. */
typedef struct gsp_min_cut_desc {
    uint32_t start_canary;
    uint32_t n_nodes; /* 2 at least */
    uint32_t n_arcs;
    const gsp_cut_arc *arcs;
    uint64_t max_work; /* see gsp_min_cut_result.work; 0 means no limit */
    uint32_t end_canary;
} gsp_min_cut_desc;

/* A minimum cut, or a lower bound. */
typedef struct gsp_min_cut_result {
    const uint8_t *side; /* [n_nodes] 1 on the source's side; NULL after too much work */
    uint64_t value;      /* no cut is less; from 2^61 on every cut is infinite and side is NULL */
    uint64_t work;       /* arcs scanned */
} gsp_min_cut_result;

/* gsp_min_cut_bound: bytes, 17 per node and 32 per arc. Time: O(1). */
GSP_API size_t gsp_min_cut_bound(const gsp_min_cut_desc *desc);

/* gsp_min_cut_run: the minimum cut with the fewest nodes on the source's side. It is unique, so the
 * order of the arcs does not matter.
 *
 * Errors:  DESC (CHOICE: fewer than two nodes), ARG (RANGE: end of an arc), OVERFLOW (SIZE: the
 *          finite capacities together are 2^61 or more; TOO_MANY)
 * Time:    O(nodes^2 * arcs), close to O(nodes + arcs) as a rule. Memory: the bound
 * Example: examples/extra/graphsplit_offload.h
 * See:     Dinic 1970; Picard 1976
 */
GSP_API gsp_status gsp_min_cut_run(
    gsp_arena *arena, const gsp_min_cut_desc *desc, gsp_min_cut_result *result, gsp_error *err);
#endif

/* ====
 * >>family GRAPH   Modules, graphs, text (API)
 * ==== */

/* The intermediate representation, immutable modules of graphs.
 *
 * In:      text (gsp_text_read), a builder (gsp_build_init), or a stored module (gsp_module_open)
 * Out:     gsp_module; gsp_graph, a view of one of its graphs; text (gsp_text_write)
 * Order:   read or build once; then queries and passes
 *
 *     text --> gsp_text_count --> gsp_text_read --> gsp_module --> gsp_module_graph --> passes
 */

/* ----
 * >>graph   Modules, graphs, nodes, arguments, annotations (API)
 * ---- */

typedef uint32_t gsp_node; /* index of a node in its graph, in graph order */
typedef uint32_t gsp_atom; /* index of an interned string in its module */

/* A slice of text that another object owns; not NUL-terminated. */
typedef struct gsp_str {
    const char *data;
    uint32_t size; /* bytes */
} gsp_str;

/* The initialiser of a gsp_str, also a static one: gsp_str const name = GSP_STR("relu"); */
#define GSP_STR(literal) \
    { \
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
    GSP_VALUE_OTHER,     /* any other, such as int, bool, a tuple of ints */
    GSP_VALUE_COUNT,
    GSP_VALUE_FORCE_U32 = 0x7FFFFFFF
} gsp_value_kind;

/* Arguments are tokens in reading order; an opening and a closing token enclose the elements of a
 * container. The top level of a call holds positional and then, from the first KEY on, keyword
 * arguments; that of a placeholder its default, if any; that of the output the returned value. */
typedef enum gsp_arg_kind {
    GSP_ARG_NONE,
    GSP_ARG_NODE,     /* value is the node */
    GSP_ARG_CONSTANT, /* value is its spelling, a gsp_atom */
    GSP_ARG_KEY,      /* value is the key of the next element (dict, keyword), a gsp_atom */
    GSP_ARG_TUPLE,    /* opening tokens; value is the index of the matching CLOSE minus their own */
    GSP_ARG_LIST,
    GSP_ARG_DICT,
    GSP_ARG_SLICE,
    GSP_ARG_CLOSE, /* value is its index minus that of its opening token */
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
#define GSP_KEY_LIST(X) \
    X(NONE, "") \
    X(ANNOTATION, ":") \
    X(BYTES, "bytes") \
    X(PARAMS, "params") \
    X(MODULE, "module") \
    X(MEM, "mem") \
    X(COMPUTE, "compute") \
    X(CPU, "cpu") \
    X(COMM, "comm") \
    X(ACC, "acc") \
    X(KEY, "key") \
    X(MUTATES, "mutates") \
    X(ALIAS, "alias") \
    X(STORAGE, "storage") \
    X(STATE, "state") \
    X(BARRIER, "barrier") \
    X(GROUP, "group") \
    X(SCOPE, "scope") \
    X(STAGE, "stage") \
    X(DEVICE, "device") \
    X(PART, "part") \
    X(MAIN, "main") \
    X(OUTPUT, "output") \
    X(GETITEM, "operator.getitem")

/* The ids of the strings of GSP_KEY_LIST. */
typedef enum gsp_key {
#define GSP_KEY_ENUM(name, text) GSP_KEY_##name,
    GSP_KEY_LIST(GSP_KEY_ENUM)
#undef GSP_KEY_ENUM
        GSP_KEY_COUNT,
    GSP_KEY_FORCE_U32 = 0x7FFFFFFF
} gsp_key;

/* The kind of a callable node. Kind 0 is the CPU, kind k is accelerator k. */
#define GSP_KIND_CPU   0u
#define GSP_KIND_NONE  255u /* of a node not callable */

#define GSP_FLAG_ACC   1u /* has acc=, see gsp_node_acc() */
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
    uint32_t n_stored;             /* strings in chars; from here on names "n0", "n1", ... */
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
    const uint64_t *run_params;    /* [nodes] bytes of parameters of the graphs that a node runs, */
    const uint64_t *run_bytes; /* [nodes] and what else they need; both NULL unless the caller */
                               /* sets them: partitions, costs, liveness and plans add them */
} gsp_module;

/* Rows of nodes; that of v is at[begin[v] .. begin[v + 1]). */
typedef struct gsp_edges {
    const uint32_t *begin;
    const gsp_node *at;
} gsp_edges;

/* Nodes that run before each node (its inputs and others) and after it (its users, then others). */
typedef struct gsp_order {
    gsp_edges before;
    gsp_edges after;
} gsp_order;

/* One graph of a module, passed by value; the module must outlive it. */
typedef struct gsp_graph {
    const gsp_module *module;
    uint32_t id;    /* index in module->graphs */
    uint32_t first; /* index of its first node in the node arrays */
    uint32_t n_nodes;
    const gsp_order *order; /* gsp_order_run(), or your own; NULL if values alone order nodes */
} gsp_graph;

/* gsp_module_graph: graph `id` < counts.graphs. Time: O(1). */
GSP_API gsp_graph gsp_module_graph(const gsp_module *module, uint32_t id);

/* gsp_graph_counts: the counts of a graph; strings and bytes are the module's. Time: O(1). */
GSP_API gsp_counts gsp_graph_counts(const gsp_graph *graph);

/* ----
 * >>build   Making a module step by step (API)
 * ---- */

/* A builder keeps its first error for gsp_build_finish(). Times are for strings whose hashes seldom
 * collide; see section 12. The fields are private. */
typedef struct gsp_builder {
    gsp_arena *arena;
    gsp_mark mark;
    gsp_error error;
    gsp_counts cap;
    gsp_counts used;
    int open;           /* inside a graph */
    uint32_t first;     /* first node of the present graph; index in the module */
    uint32_t current;   /* present node, index in the module, or GSP_NONE */
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
    uint32_t *suffix_in;   /* [strings] in this graph, or no name */
} gsp_builder;

/* gsp_build_bound: bytes for building a module of at most these counts. Time: O(1). */
GSP_API size_t gsp_build_bound(const gsp_counts *counts);

/* gsp_build_bound() of gsp_build_counts() as a constant. */
#define GSP_BUILD_BOUND(graphs, nodes, args, attrs, strings, bytes) \
    (GSP_BUILD_BOUND_LISTS( \
         (size_t)(graphs), (size_t)(nodes), (size_t)(args), (size_t)(attrs) + (nodes) + 1u) + \
        GSP_BUILD_BOUND_TEXT( \
            (size_t)(strings) + GSP_KEY_COUNT, (size_t)(bytes) + GSP_BUILD_BOUND_KEYS) + \
        GSP_BOUND_MAX(GSP_BUILD_BOUND_TABLE((size_t)(strings) + GSP_KEY_COUNT), \
            GSP_BUILD_BOUND_REST( \
                (size_t)(graphs), (size_t)(nodes), (size_t)(args), (size_t)(nodes))) + \
        GSP_BOUND_WORKSPACE + GSP_BOUND_SLACK)
#define GSP_BUILD_BOUND_LISTS(graphs, nodes, args, attrs) \
    (GSP_BOUND_ARRAY(nodes, 8u) + GSP_BOUND_ARRAY(graphs, 12u) + 4u * GSP_BOUND_ARRAY(nodes, 4u) + \
        GSP_BOUND_ARRAY((nodes) + 1u, 4u) + GSP_BOUND_ARRAY(args, 8u) + \
        GSP_BOUND_ARRAY(attrs, 8u) + 3u * GSP_BOUND_ARRAY(nodes, 1u))
#define GSP_BUILD_BOUND_TEXT(strings, bytes) \
    (2u * GSP_BOUND_ARRAY((strings) + 1u, 4u) + GSP_BOUND_ARRAY(bytes, 1u))
#define GSP_BUILD_BOUND_TABLE(strings) \
    (3u * GSP_BOUND_ARRAY((strings) + 1u, 4u) + \
        GSP_BOUND_ARRAY(GSP_BOUND_POW2((strings) + (strings) / 2u), 4u))
#define GSP_BUILD_BOUND_REST(graphs, nodes, edges, symbols) \
    GSP_BOUND_ARRAY((nodes)*8u + (symbols)*12u + (graphs)*4u + (edges)*8u + 64u, 1u)
#define GSP_BUILD_BOUND_KEYS            (sizeof("" GSP_KEY_LIST(GSP_BUILD_BOUND_KEY)) - 1u)
#define GSP_BUILD_BOUND_KEY(name, text) text

/* gsp_build_counts: the counts of the caller plus the additions of the builder. Time: O(1). */
GSP_API gsp_counts gsp_build_counts(uint32_t graphs, uint32_t nodes, uint32_t args, uint32_t attrs,
    uint32_t strings, uint32_t bytes);

/* gsp_build_init: start a module of at most `counts` (see gsp_build_counts). Later calls need no
 * memory and report more items as OVERFLOW, with a detail such as CAPACITY_NODES. Errors: ARG,
 * OVERFLOW, NOMEM. Time: O(strings). Memory: gsp_build_bound(), of which only the module stays. */
GSP_API gsp_status gsp_build_init(
    gsp_builder *b, gsp_arena *arena, const gsp_counts *counts, gsp_error *err);

/* gsp_build_graph: start a graph, the root first; only it may be "main" or "". Time: O(name). */
GSP_API void gsp_build_graph(gsp_builder *b, gsp_str name);

/* gsp_build_node: add a node of any op but OUTPUT; its id, or GSP_NONE after an error (DUPLICATE:
 * error.other has the name). Its arguments, type and attributes follow. A name that is no
 * identifier, or is that of such a node, becomes gsp_build_name() of it; the attribute `name` keeps
 * the original, with bytes outside of '!' to '~', and '%', as %XX. Time: O(name + target). */
GSP_API gsp_node gsp_build_node(gsp_builder *b, gsp_op op, gsp_str name, gsp_str target);

/* gsp_build_output: add the output; its one argument ends the graph. Time: O(1). */
GSP_API gsp_node gsp_build_output(gsp_builder *b);

/* gsp_build_arg_node: a node as the next argument (order: gsp_arg_kind). Time: O(1). */
GSP_API void gsp_build_arg_node(gsp_builder *b, gsp_node node);

/* gsp_build_call: a call_function of nodes, named after its target. Time: O(target + n_inputs). */
GSP_API gsp_node gsp_build_call(
    gsp_builder *b, gsp_str target, const gsp_node *inputs, uint32_t n_inputs);

/* gsp_build_constant: a constant, which must read back from the text form. Time: O(size). */
GSP_API void gsp_build_constant(gsp_builder *b, gsp_str spelling);

/* gsp_build_key: the key of the next element. Time: O(size). */
GSP_API void gsp_build_key(gsp_builder *b, gsp_str key);

/* gsp_build_open: open a tuple, list, dict or slice, at any depth. Time: O(1). */
GSP_API void gsp_build_open(gsp_builder *b, gsp_arg_kind container);

/* gsp_build_close: close the innermost container. Time: O(1). */
GSP_API void gsp_build_close(gsp_builder *b);

/* gsp_build_type: set the TYPE of the present node, and thereby value kind and bytes. Time:
 * O(size). */
GSP_API void gsp_build_type(gsp_builder *b, gsp_str type);

/* gsp_build_attr: one key=value of the present node; known numbers are checked. Time: O(size). */
GSP_API void gsp_build_attr(gsp_builder *b, gsp_str key, gsp_str value);

/* gsp_build_adopt: copy all strings and attributes of a module, ids unchanged, before the first
 * graph; the functions below take these ids. Time: O(strings + bytes + attrs). */
GSP_API void gsp_build_adopt(gsp_builder *b, const gsp_module *module);

/* gsp_build_atom: the id of a string, new or existing. Time: O(size). */
GSP_API gsp_atom gsp_build_atom(gsp_builder *b, gsp_str text);

/* gsp_build_name: a free node name of the present graph by the rules of PyTorch: a run of bytes
 * outside [0-9A-Za-z_] becomes one '_', '_' precedes a leading digit, and a taken name gets the
 * next free number ("add" -> "add_1", "add_1" -> "add_2"). Time: O(size) amortised. */
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

/* ----
 * >>query   Questions about a finished graph (API)
 * ---- */

/* For a missing node, graph or string, the result is empty, GSP_OP_NONE or 0; where 0 has a
 * meaning, GSP_NONE or -1. */

/* gsp_str_of: a slice of a NUL-terminated string; NULL gives an empty one. Time: O(size). */
GSP_API gsp_str gsp_str_of(const char *s);

/* gsp_str_equal: 1 for equal bytes. Time: O(size). */
GSP_API int gsp_str_equal(gsp_str a, gsp_str b);

/* gsp_str_number: parse decimal digits; 0 for other bytes, or more than 64 bits. Time: O(size). */
GSP_API int gsp_str_number(gsp_str text, uint64_t *value);

/* gsp_str_glob: 1 when `text` matches `pattern` with `*` and `?`. Time: O(text * pattern). */
GSP_API int gsp_str_glob(gsp_str pattern, gsp_str text);

#ifndef GSP_NO_COST
/* gsp_str_decimal: parse a decimal such as 1.5e-06, inf or nan; 1 on success. It rounds as strtod
 * does, but in integers, which gives the same bits everywhere. Time: O(size + exponent^2). */
GSP_API int gsp_str_decimal(gsp_str text, double *value);
#endif

/* gsp_module_str: the bytes of a string. Time: O(1). */
GSP_API gsp_str gsp_module_str(const gsp_module *module, gsp_atom s);

/* gsp_module_find_graph: index of the graph of this name, or GSP_NONE. Time: O(log graphs). */
GSP_API uint32_t gsp_module_find_graph(const gsp_module *module, gsp_atom name);

/* gsp_graph_find: the node of this original name (gsp_build_node()), else of this name, else
 * GSP_NONE. The output has none. Time: O(nodes + attributes). */
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

/* gsp_node_name_make: the same, made in `buffer` [GSP_NAME_MADE] if not stored. Time: O(1). */
GSP_API gsp_str gsp_node_name_make(const gsp_graph *graph, gsp_node node, char *buffer);

#define GSP_NAME_MADE 11u /* bytes of "n4294967294" */

/* gsp_node_target: the target of a call, or the name of an attribute. Time: O(1). */
GSP_API gsp_str gsp_node_target(const gsp_graph *graph, gsp_node node);

/* gsp_node_type: the TYPE of its annotation. Time: O(1). */
GSP_API gsp_str gsp_node_type(const gsp_graph *graph, gsp_node node);

/* gsp_node_class: `module=` of a called module, else the target. Time: O(attributes). */
GSP_API gsp_str gsp_node_class(const gsp_graph *graph, gsp_node node);

/* gsp_node_scope: `scope=`, else the target of a called module, else empty. Time: O(attributes). */
GSP_API gsp_str gsp_node_scope(const gsp_graph *graph, gsp_node node);

/* gsp_node_attr: the value of an attribute, else NULL data. Time: O(attributes). */
GSP_API gsp_str gsp_node_attr(const gsp_graph *graph, gsp_node node, gsp_key key);

/* gsp_node_attr_find: the same by any key. Time: O(attributes). */
GSP_API gsp_str gsp_node_attr_find(const gsp_graph *graph, gsp_node node, gsp_str key);

/* gsp_node_params: `params=` of a module, bytes of a get_attr, and run_params of the module.
 * Time: O(attributes). */
GSP_API uint64_t gsp_node_params(const gsp_graph *graph, gsp_node node);

/* gsp_node_acc: the override `acc=`, a kind, or -1. Time: O(attributes). */
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

/* gsp_node_element: the index that an `operator.getitem` with a constant index selects; GSP_NONE
 * for another node, or if the TYPE has no such element. Time: O(size of the type). */
GSP_API uint32_t gsp_node_element(const gsp_graph *graph, gsp_node node);

/* gsp_node_element_of: the same for a TYPE of `count` elements, or GSP_NONE. Time: O(1). */
GSP_API uint32_t gsp_node_element_of(const gsp_graph *graph, gsp_node node, uint32_t count);

/* gsp_type_container: GSP_ARG_TUPLE, _LIST or _DICT for the TYPE of an aggregate, else _NONE.
 * *count gets its elements, GSP_NONE unless it is a flat tuple or list. Time: O(size), or O(1)
 * with count NULL. */
GSP_API gsp_arg_kind gsp_type_container(gsp_str type, uint32_t *count);

/* gsp_type_next_element: the TYPE of the next element of such a tuple or list; *at is its end, 0 at
 * the start. Returns 0 after the last. Time: O(size of the element). */
GSP_API int gsp_type_next_element(gsp_str type, uint32_t *at, gsp_str *element);

/* gsp_type_next: dtype ("f32") and dimensions ("1, 3") of the next tensor of a TYPE from *at on;
 * advances *at. Returns 0 after the last. Time: O(size). */
GSP_API int gsp_type_next(gsp_str type, uint32_t *at, gsp_str *dtype, gsp_str *dims);

/* ----
 * >>check   Opening a stored module, validation (API)
 * ---- */

/* gsp_module_open: a view of a stored module; `block` is aligned to 8 and outlives the view. Checks
 * every count, offset, id and row, so that no later query or pass reads outside the block; with
 * `trusted` != 0 only the header. Errors: ARG (alignment), DAMAGED (node, if known), CYCLE (an
 * input at or after its user). Time: O(block), for a node of k unordered inputs O(k * nodes / 768);
 * O(1) when trusted. Memory: none. */
GSP_API gsp_status gsp_module_open(
    gsp_module *module, const void *block, size_t size, int trusted, gsp_error *err);

/* ----
 * >>text   Reading and writing the graph text (API)
 * ---- */

/* Receives slices of text in order; returns 0 to continue, else to stop. */
typedef int (*gsp_sink)(void *user, const char *data, size_t size);

/* gsp_error_write: an error as one sentence, "PARSE: expected a number, line 3, column 7", without
 * newline. `graph`, unless NULL, gives names. Errors: ARG, LIMIT (the sink stopped). Time: O(text).
 * Memory: none. */
GSP_API gsp_status gsp_error_write(
    const gsp_error *err, const gsp_graph *graph, gsp_sink sink, void *user);

#ifndef GSP_NO_TEXT

/* Options of reading and writing. */
typedef struct gsp_text_desc {
    uint32_t start_canary;
    uint8_t check_users;    /* 1 checks num_users while reading */
    uint8_t no_annotations; /* 1 writes no annotations */
    uint8_t hoist;          /* 1 writes placeholders first, in their own order */
    uint8_t as_module;      /* 1 writes a `module NAME` line also for a single graph */
    uint32_t end_canary;
} gsp_text_desc;

/* gsp_text_count: upper bounds of the counts of a text, for gsp_build_bound(). Errors: ARG,
 * OVERFLOW (2^32 items, 4 GiB). Time: O(size). Memory: none. */
GSP_API gsp_status gsp_text_count(
    const char *text, size_t size, gsp_counts *counts, gsp_error *err);

/* gsp_text_read: a module from its text form (section 6), root first; a text without `module` lines
 * gives one graph, "main". Errors: ARG, DESC, OVERFLOW; after NOMEM: PARSE (line, column),
 * OVERFLOW. Time: O(size), see 12. Memory: gsp_build_bound(gsp_text_count()); the module stays. */
GSP_API gsp_status gsp_text_read(gsp_arena *arena, const char *text, size_t size,
    const gsp_text_desc *desc, gsp_module *module, gsp_error *err);

/* gsp_text_write: a module as text, which reads back as an equal module. Errors: ARG, DESC, LIMIT
 * (the sink stopped). Time: O(text). Memory: none. */
GSP_API gsp_status gsp_text_write(
    const gsp_module *module, const gsp_text_desc *desc, gsp_sink sink, void *user, gsp_error *err);

/* gsp_text_write_graph: one graph. Errors: ARG, DESC, LIMIT. Time: O(text). Memory: none. */
GSP_API gsp_status gsp_text_write_graph(
    const gsp_graph *graph, const gsp_text_desc *desc, gsp_sink sink, void *user, gsp_error *err);

/* gsp_text_write_value: the tokens args[0 .. count) as text, with `output` != 0 as after `return`.
 * Errors: ARG, LIMIT. Time: O(text). Memory: none. */
GSP_API gsp_status gsp_text_write_value(const gsp_graph *graph, const gsp_arg *args, uint32_t count,
    int output, gsp_sink sink, void *user, gsp_error *err);
#endif

/* ----
 * >>topo_order   Topological orders (API)
 * ---- */

/* The choice among the nodes whose inputs have been placed. */
typedef enum gsp_topo_order_kind {
    GSP_TOPO_ORDER_LEAST, /* the least id */
    GSP_TOPO_ORDER_STACK, /* the last that became ready */
    GSP_TOPO_ORDER_QUEUE, /* the first that became ready */
    GSP_TOPO_ORDER_DEPTH, /* depth first from the results; each node directly follows its inputs */
    GSP_TOPO_ORDER_COUNT,
    GSP_TOPO_ORDER_FORCE_U32 = 0x7FFFFFFF
} gsp_topo_order_kind;

typedef struct gsp_topo_order_desc {
    uint32_t start_canary;
    uint32_t kind;     /* gsp_topo_order_kind */
    uint32_t backward; /* 1 reverses an order of the reversed graph */
    uint32_t seed;     /* DEPTH: selects the input visited first; 0 selects the first */
    uint32_t end_canary;
} gsp_topo_order_desc;

/* Another order of a graph. */
typedef struct gsp_topo_order_result {
    uint32_t n_nodes;
    const gsp_node *order; /* [n_nodes] inputs before users */
} gsp_topo_order_result;

/* gsp_topo_order_bound: bytes. Time: O(1). */
GSP_API size_t gsp_topo_order_bound(const gsp_graph *graph, const gsp_topo_order_desc *desc);

/* gsp_topo_order_run: a topological order of all nodes; LEAST without `backward` is graph order.
 * Errors: ARG, DESC (CHOICE). Time: O(nodes + edges), LEAST O(nodes log nodes + edges). Memory:
 * gsp_topo_order_bound(); 4 bytes per node stay. See: Kahn 1962; Tarjan 1972. */
GSP_API gsp_status gsp_topo_order_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_topo_order_desc *desc, gsp_topo_order_result *result, gsp_error *err);

/* ----
 * >>calls   Graphs that nodes run (API)
 * ---- */

/* How a node runs a graph. */
typedef enum gsp_role {
    GSP_ROLE_ONCE,   /* once per run of the node */
    GSP_ROLE_BRANCH, /* instead of the other branches of the node */
    GSP_ROLE_LOOP,   /* as the condition or the body of a loop, once per trip */
    GSP_ROLE_INIT,   /* once per program, as an initialiser */
    GSP_ROLE_COUNT,
    GSP_ROLE_FORCE_U32 = 0x7FFFFFFF
} gsp_role;

/* A graph that a node runs. All zero starts the search; the last three fields are private. */
typedef struct gsp_called {
    uint32_t graph;
    uint32_t role;  /* gsp_role */
    uint32_t token; /* the next place to look at */
    uint32_t attr;
    uint32_t offset;
} gsp_called;

/* gsp_called_next: the next graph of the module that a node runs.
 *
 * What:    A node runs the graph that is the target of its call_module, that an argument names as a
 *          get_attr, or that an annotation value names (then=, else=, body=, cond=, init=, others;
 *          `calls=A,B` names several). Keys that the library knows otherwise name no graph. Keys,
 *          and for arguments the target of the call (cond, while_loop, scan, map), give the role.
 * Out:     returns 1 and *called, or 0 after the last graph
 * Time:    O(args + attributes) for all graphs of a node, with `calls=` O(graphs) per name more
 */
GSP_API int gsp_called_next(const gsp_graph *graph, gsp_node node, gsp_called *called);

/* The graphs of a module in an order for figures that need those of callees. */
typedef struct gsp_calls_result {
    uint32_t n_graphs;
    const uint32_t *order; /* [n_graphs] every graph after those that its nodes run */
} gsp_calls_result;

/* gsp_calls_bound: bytes. Time: O(1). */
GSP_API size_t gsp_calls_bound(const gsp_module *module);

/* gsp_calls_run: the graphs of a module, callees first.
 * Errors: ARG, CYCLE (RECURSION: the graph). Time: O(nodes + args + attributes). Memory: the bound;
 * 4 bytes per graph stay. */
GSP_API gsp_status gsp_calls_run(
    gsp_arena *arena, const gsp_module *module, gsp_calls_result *result, gsp_error *err);

/* ====
 * >>family SPLIT   CPU and accelerator subgraphs (API)
 * ==== */

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

/* ----
 * >>constraint   Conditions on the arguments and shapes of a node (API)
 * ---- */

/* Constraints end a line of an operator table (gsp_table_read(), gsp_table_entry): "stride<=3
 * rank==4". All must hold. A constraint is `SUBJECT==VALUE`, `SUBJECT<=VALUE`, `SUBJECT>=VALUE`,
 * `SUBJECT in VALUE,VALUE`, or `const(1,2)`, which holds if these arguments are get_attr or no
 * nodes.
 *
 *     stride, scale(0)   a keyword argument or annotation of the node, of its argument 0
 *     rank(0), shape(0), dtype(0)   of the tensor in argument 0; `rank` means rank(0)
 *     dim(0,-1)          a dimension of it; `batch` means dim(0,0)
 *     rank(out)          `out` instead of an index: of the node itself
 *
 * VALUE is a word, integers (3 for all, or 64x64) or a SUBJECT with parentheses. An unknown value
 * fails, except with `SUBJECT?`; an absent argument passes. A remark `WORD: VALUE` always holds.
 */

/* ----
 * >>support   Operator support and pins (API)
 * ---- */

#define GSP_REASON_LIST(X) \
    X(NONE, "not a callable node") \
    X(SUPPORTED, "supported by its accelerator") \
    X(UNSUPPORTED, "no accelerator supports it") \
    X(PINNED, "pinned by the caller") \
    X(NON_TENSOR_IN, "reads a non-tensor value from outside") \
    X(NON_TENSOR_OUT, "yields a non-tensor value that is read outside") \
    X(FUSED, "fused with a node that is not on this accelerator") \
    X(GROUP, "its group is not supported there as a whole") \
    X(SMALL, "its accelerator subgraph is below the minimum size") \
    X(LIMIT, "its accelerator subgraph was removed by the limit on subgraphs") \
    X(REFUSED, "the caller refused its accelerator subgraph") \
    X(MOVED, "moved to the only subgraph that reads its non-tensor value") \
    X(DTYPE, "its operator is supported, but not with this dtype or form") \
    X(LARGE, "by itself, or with its group, it is above a limit of subgraphs") \
    X(BEHIND, "it is behind its accelerator's one subgraph")

/* The reason for the kind of a callable node. Only callers set BEHIND. */
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

/* The kind of every node, and the reason. gsp_split_run() needs `kind` only. */
typedef struct gsp_placement {
    uint32_t n_nodes;
    uint32_t n_kinds;  /* 1 + accelerators, at most 255 */
    uint32_t trusted;  /* 1 if kind and group are valid; they are not checked */
    uint8_t *kind;     /* [n] kind, or GSP_KIND_NONE if not callable */
    uint8_t *reason;   /* [n] gsp_reason */
    gsp_node *culprit; /* [n] the node that caused it, or GSP_NONE */
    uint32_t *group;   /* [n] equal ids (< n) must stay together; else GSP_NONE */
} gsp_placement;

/* Accepted dtypes of one argument of an operator. */
typedef struct gsp_arg_dtypes {
    gsp_str key;       /* keyword; empty if positional */
    uint32_t position; /* from 0; only if positional */
    gsp_str dtypes;    /* "i8,qi8"; empty for any */
} gsp_arg_dtypes;

/* A table line. 'x*' matches a prefix. The last match decides; equal names are alternatives. */
typedef struct gsp_table_entry {
    gsp_str name;
    gsp_str dtypes;             /* of all tensor inputs and outputs; empty for any */
    const gsp_arg_dtypes *args; /* [n_args] further conditions */
    uint32_t n_args;
    uint32_t remove;     /* 1 removes the name */
    gsp_str constraints; /* "stride<=3 rank==4", see >>constraint */
} gsp_table_entry;

/* GSP_OP: a line of a static table: {GSP_OP("CONV_2D", "i8,qi8"), GSP_OP("RELU*", "")}. */
#define GSP_OP(name, dtypes) \
    { \
        {"" name, (uint32_t)(sizeof(name) - 1u)}, {"" dtypes, (uint32_t)(sizeof(dtypes) - 1u)}, \
            NULL, 0u, 0u, \
        { \
            "", 0u \
        } \
    }

/* A support table. */
typedef struct gsp_table {
    const gsp_table_entry *entries;
    uint32_t n_entries;
    uint32_t trusted; /* 1 if the lines are valid; they are not checked */
    uint8_t *matched; /* [n_entries] set to 1 where a line names a callable node; or NULL */
} gsp_table;

/* Returns 1 if the accelerator supports the node. */
typedef int (*gsp_support_func)(void *user, const gsp_graph *graph, gsp_node node);

/* A postfix program on 64 truth values. The first four push, the others combine; one remains. */
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
    const gsp_rule *rules; /* may be none; then acc= and pins decide */
    uint32_t n_rules;
} gsp_accelerator;

/* The property of a node that a pin matches. */
typedef enum gsp_pin_what {
    GSP_PIN_NAME,   /* node names */
    GSP_PIN_SCOPE,  /* module path with all below it */
    GSP_PIN_TARGET, /* target, or class of a called module */
    GSP_PIN_NODE,
    GSP_PIN_COUNT,
    GSP_PIN_FORCE_U32 = 0x7FFFFFFF
} gsp_pin_what;

/* Forces matching nodes onto one kind. `*` matches any bytes, `?` one byte. */
typedef struct gsp_pin {
    uint32_t what;
    uint32_t kind; /* of the nodes; 0 is the CPU */
    gsp_str pattern;
    gsp_node node; /* NODE */
} gsp_pin;

typedef struct gsp_support_desc {
    uint32_t start_canary;
    uint32_t n_accelerators;             /* 0 means one, which supports nodes with acc=1 */
    const gsp_accelerator *accelerators; /* in order of priority */
    const gsp_pin *pins;                 /* override acc= and rules; the last match wins */
    uint32_t n_pins;
    uint32_t ignore_annotation; /* 1 if the rules override acc= */
    uint32_t ignore_groups;     /* 1 ignores group= */
    uint32_t end_canary;
} gsp_support_desc;

/* gsp_table_bound: bytes for gsp_table_read(). Time: O(size). */
GSP_API size_t gsp_table_bound(gsp_str text);

/* gsp_table_read: a support table from an operator file: one name per line, `NAME*`, `NAME i8,qi8`,
 * `!NAME`, `#` comments. A `*` inside a name is an error. The table points into the text.
 *
 * What:    constraints end a line, see >>constraint
 * Errors:  ARG, PARSE (line, column). Time: O(size). Memory: gsp_table_bound() */
GSP_API gsp_status gsp_table_read(gsp_arena *arena, gsp_str text, gsp_table *table, gsp_error *err);

/* gsp_support_bound: bytes. Time: O(1). */
GSP_API size_t gsp_support_bound(const gsp_graph *graph, const gsp_support_desc *desc);

/* GSP_SUPPORT_BOUND: the same without pins; n_strings is counts.strings of the module. */
#define GSP_SUPPORT_BOUND(n_nodes, n_strings) \
    (5u * GSP_BOUND_ARRAY(n_nodes, 1u) + 3u * GSP_BOUND_ARRAY(n_nodes, 4u) + \
        GSP_BOUND_ARRAY(n_nodes, 8u) + GSP_BOUND_ARRAY(n_strings, 4u) + GSP_BOUND_ARRAY(1u, 4u) + \
        2u * GSP_BOUND_ARRAY(0u, 1u) + GSP_BOUND_SLACK)

/* gsp_support_run: for every callable node the first accelerator that supports it.
 *
 * What:    acc= overrides the rules of each accelerator, pins override both. The nodes of one
 *          group= go to the first accelerator that supports them all, else to the CPU.
 * Out:     out: kind, reason (SUPPORTED, UNSUPPORTED, DTYPE, PINNED, GROUP), culprit, group
 * Errors:  ARG (RULE: of an accelerator; ENTRY: a table line of accelerator other; CHOICE, KIND,
 *          PIN); after NOMEM: ARG (PIN: a pin without wildcards names nothing)
 * Time:    O(nodes * (rules + globs) + operators * lines + pins) comparisons of a name with a
 *          pattern (globs: pins with wildcards; lines: of tables); O(lines) more per node that a
 *          line of its name refuses; and per node the constraints of its line, per input its dtypes
 * Memory:  the bound
 * Example: examples/minimize.c
 * See:     torch.fx operator_support, OperatorSupport
 */
GSP_API gsp_status gsp_support_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_support_desc *desc, gsp_placement *out, gsp_error *err);

/* A pin, acc= or rule that decides about one node and one accelerator. */
typedef struct gsp_why {
    uint32_t takes;     /* 1 if supported, unless its group forbids it */
    uint32_t pin;       /* the pin that decides, or GSP_NONE */
    uint32_t annotated; /* 1 if acc= decides */
    uint32_t rule;      /* the first rule that alone gives this answer, or GSP_NONE */
    uint32_t line;      /* the last table line that names the node, or GSP_NONE */
    uint32_t arg;       /* the argument condition of this line that fails, or GSP_NONE */
    gsp_node culprit;   /* the input or node whose dtype is refused, or GSP_NONE */
    gsp_str dtype;
    gsp_str accepted;
    gsp_str constraint; /* the failed constraint, about the culprit; else empty */
} gsp_why;

/* gsp_support_why: the pin, rule, table line, dtype and constraint that decide about a node and
 * accelerator `kind` (1, 2, ...) in gsp_support_run() with this desc.
 *
 * Errors:  ARG (RANGE: no callable node; others as gsp_support_run())
 * Time:    O(pins + rules + table entries). Memory: none
 * Example: examples/why.c
 */
GSP_API gsp_status gsp_support_why(const gsp_graph *graph, const gsp_support_desc *desc,
    gsp_node node, uint32_t kind, gsp_why *why, gsp_error *err);

/* ----
 * >>acc_nodes   Accelerator nodes without non-tensor boundaries (API)
 * ---- */

/* gsp_acc_nodes_bound, GSP_ACC_NODES_BOUND: bytes. Time: O(1). */
GSP_API size_t gsp_acc_nodes_bound(const gsp_graph *graph);
#define GSP_ACC_NODES_BOUND(n_nodes, n_edges) (2u * GSP_BOUND_ARRAY(n_nodes, 4u) + GSP_BOUND_SLACK)

/* gsp_acc_nodes_run: moves nodes to the CPU until no non-tensor value (int, tuple, ...) of a
 * callable node crosses an accelerator boundary; a returned value crosses.
 *
 * What:    The result is the greatest fixpoint below the given placement, independent of the
 *          visiting order. A group moves to the CPU as a whole.
 * In, out: io: kind is reduced; reason, culprit (or NULL): NON_TENSOR_IN, NON_TENSOR_OUT, GROUP
 * Errors:  ARG (KIND)
 * Time:    O(nodes + edges). Memory: the bound, nothing stays
 * See:     torch.fx splitter_base, FxNetAccNodesFinder
 */
GSP_API gsp_status gsp_acc_nodes_run(
    gsp_arena *arena, const gsp_graph *graph, gsp_placement *io, gsp_error *err);

/* ----
 * >>fuse   Fusion groups: nodes that must run in one subgraph (API)
 * ---- */

/* Fusion groups; their ids are in the placement. */
typedef struct gsp_fuse_result {
    uint32_t n_groups;     /* numbered by first member, on the CPU too */
    const gsp_node *order; /* [n] topological order with contiguous groups; NULL without groups */
} gsp_fuse_result;

#ifndef GSP_NO_FUSE

typedef struct gsp_fuse_desc {
    uint32_t start_canary;
    uint32_t skip; /* 1 keeps the given groups and makes none over non-tensor values */
    uint32_t end_canary;
} gsp_fuse_desc;

/* gsp_fuse_bound, GSP_FUSE_BOUND: bytes. Time: O(1). */
GSP_API size_t gsp_fuse_bound(const gsp_graph *graph, const gsp_fuse_desc *desc);
#define GSP_FUSE_BOUND(n_nodes, n_edges) \
    (7u * GSP_BOUND_ARRAY(n_nodes, 4) + GSP_BOUND_ARRAY(n_nodes, 1) + GSP_BOUND_SLACK)

/* gsp_fuse_run: fusion groups, the nodes that must run in one subgraph.
 *
 * What:    Accelerator nodes that exchange values without tensor metadata are fused, with all nodes
 *          on paths between them. A group that cannot run on one accelerator is dissolved. Its
 *          nodes move to the CPU, and so do groups that share nodes with it. Groups that share a
 *          node or depend on each other are merged. Given groups are not divided on the CPU either.
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

/* ----
 * >>move_non_tensor   Moving non-tensor values off boundaries (API)
 * ---- */

#ifndef GSP_NO_MOVE_NON_TENSOR

typedef struct gsp_move_non_tensor_desc {
    uint32_t start_canary;
    uint32_t n_subgraphs;
    const uint8_t *kind;   /* [n_subgraphs] kind of each; required */
    const uint32_t *group; /* [n] nodes with an id do not move; or NULL */
    uint32_t end_canary;
} gsp_move_non_tensor_desc;

/* gsp_move_non_tensor_bound: bytes. Time: O(1). */
GSP_API size_t gsp_move_non_tensor_bound(
    const gsp_graph *graph, const gsp_move_non_tensor_desc *desc);

/* gsp_move_non_tensor_run: moves non-tensor values off the boundaries of accelerator subgraphs.
 *
 * What:    A node of an accelerator subgraph that yields no tensor moves into the later subgraph
 *          that holds all its readers, unless that is on another accelerator. Readers in its own
 *          subgraph move with it if all nodes that they reach are in that later subgraph too. Later
 *          subgraphs come first, so one call reaches the fixpoint.
 * In, out: subgraph_of: [n] of callable nodes; others are ignored. A subgraph may become empty.
 * Out:     n_moved: nodes that moved; may be NULL
 * Errors:  ARG (TAG: node), CYCLE (TAG_ORDER: node reads other)
 * Time:    O(nodes + edges). Memory: the bound, nothing stays
 * Example: examples/cut_out.c
 * See:     torch.fx split_utils, move_non_tensor_nodes_on_boundary
 */
GSP_API gsp_status gsp_move_non_tensor_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_move_non_tensor_desc *desc, uint32_t *subgraph_of, uint32_t *n_moved, gsp_error *err);
#endif

/* ----
 * >>split   CPU and accelerator subgraphs (API)
 * ---- */

/* The action above a limit. */
typedef enum gsp_limit_policy {
    GSP_LIMIT_DEMOTE, /* the least valuable accelerator subgraphs move to the CPU */
    GSP_LIMIT_ERROR,  /* status LIMIT, as in PyTorch */
    GSP_LIMIT_COUNT,
    GSP_LIMIT_FORCE_U32 = 0x7FFFFFFF
} gsp_limit_policy;

/* A subgraph, for callbacks. */
typedef struct gsp_subgraph {
    uint32_t kind;
    uint32_t n_nodes;
    const gsp_node *nodes; /* in graph order */
} gsp_subgraph;

/* Returns 1 if the accelerator keeps the subgraph, 0 if it moves to the CPU. */
typedef int (*gsp_accept_func)(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph);

typedef struct gsp_split_desc {
    uint32_t start_canary;
    uint32_t min_size;              /* nodes; smaller subgraphs move to the CPU; 0 means 1 */
    uint32_t waive_min_size;        /* 1 ignores min_size if every callable node is supported */
    uint32_t limit;                 /* subgraphs in all; 0 means no limit */
    uint32_t limit_policy;          /* gsp_limit_policy of limit and max_acc */
    uint32_t skip_fusion;           /* 1 makes no fusion groups over non-tensor values */
    uint32_t allow_non_tensor;      /* 1 lets non-tensor values cross boundaries */
    const gsp_placement *placement; /* where nodes may run; required */
    const uint64_t *value;          /* [n] DEMOTE: value of a node; NULL means 1 each */
    const char *prefix;             /* of tags; NULL means "_run_on_" */
    const char *const *names;       /* [n_kinds] in tags; NULL means cpu, acc or acc1, acc2, ... */
    uint32_t move_non_tensor;  /* 1 runs gsp_move_non_tensor_run() before small ones are removed */
    uint32_t max_acc;          /* accelerator subgraphs; 0 means no limit */
    const uint32_t *min_sizes; /* [n_kinds] min_size of each kind; NULL means min_size */
    uint32_t max_size;         /* nodes; larger accelerator subgraphs are cut; 0 means no limit */
    const uint32_t *max_sizes; /* [n_kinds] max_size of each kind; NULL means max_size */
    gsp_accept_func accept;    /* called for accelerator subgraphs that are large enough; or NULL */
    void *user;
    uint32_t best_start;   /* 1 starts with the kind that gives the fewest raw subgraphs */
    const uint32_t *phase; /* [n] phase of a callable node, below n; NULL means the earliest */
    uint32_t end_canary;
} gsp_split_desc;

/* The subgraphs of a graph; all arrays are read-only. */
typedef struct gsp_split_result {
    uint32_t n_nodes;
    uint32_t n_kinds;
    uint32_t n_groups;
    uint32_t n_raw;                 /* before small subgraphs were removed */
    uint32_t n_subgraphs;           /* of the result; tags number them */
    const uint8_t *kind;            /* [n] after fusion */
    const uint8_t *reason;          /* [n] gsp_reason of the final subgraph */
    const gsp_node *culprit;        /* [n] */
    const uint32_t *group;          /* [n] fusion or given group, or GSP_NONE */
    const uint32_t *raw_of;         /* [n] raw subgraph; GSP_NONE if not callable */
    const uint8_t *raw_kind;        /* [n_raw] */
    const uint32_t *subgraph_of;    /* [n] subgraph; GSP_NONE if not callable */
    const uint8_t *subgraph_kind;   /* [n_subgraphs] */
    const uint32_t *subgraph_begin; /* [n_subgraphs + 1] into nodes */
    const gsp_node *nodes;          /* callable nodes by subgraph, each in graph order */
    const char *prefix;
    const char *const *names;
    uint32_t n_phases;    /* raw subgraphs before any was moved or cut */
    uint32_t n_reference; /* the same with PyTorch's first kind */
    uint32_t n_least;     /* lower bound of n_phases in any order, with best_start; else 0 */
    uint32_t first_tag;   /* number of the first tag: 0, or set by gsp_split_first_tag() */
} gsp_split_result;

/* gsp_split_bound: bytes. Time: O(1). */
GSP_API size_t gsp_split_bound(const gsp_graph *graph, const gsp_split_desc *desc);

/* GSP_SPLIT_BOUND, GSP_SPLIT_BOUND_K: the same as a constant, with one or k accelerators. */
#ifndef GSP_NO_FUSE
#define GSP_SPLIT_BEFORE GSP_FUSE_BOUND
#else
#define GSP_SPLIT_BEFORE GSP_ACC_NODES_BOUND
#endif
#define GSP_SPLIT_BOUND(n_nodes, n_edges) GSP_SPLIT_BOUND_K(n_nodes, n_edges, 1u)
#define GSP_SPLIT_BOUND_K(n_nodes, n_edges, k) \
    (2u * GSP_BOUND_ARRAY(n_nodes, 1u) + 2u * GSP_BOUND_ARRAY(n_nodes, 4u) + GSP_BOUND_SLACK + \
        GSP_BOUND_MAX(GSP_SPLIT_BEFORE(n_nodes, n_edges), \
            4u * GSP_BOUND_ARRAY(n_nodes, 4u) + 2u * GSP_BOUND_ARRAY(n_nodes, 1u) + \
                GSP_BOUND_ARRAY((size_t)(n_nodes) + 1u, 4u) + \
                GSP_BOUND_ARRAY((size_t)(n_nodes) * (k) + (k) + 1u, 4) + \
                2u * GSP_BOUND_ARRAY(0u, 1u)))

/* gsp_split_run: cuts a graph into CPU and accelerator subgraphs that run one after the other.
 *
 * What:    gsp_acc_nodes_run(), gsp_fuse_run(), then phases, whose kinds alternate. A node or group
 *          is in the first phase of its kind that is not before its inputs. The first phase has the
 *          lowest kind of a node without callable inputs; with best_start, the kind that gives the
 *          fewest raw subgraphs. With one accelerator, no order of the nodes has fewer. Accelerator
 *          subgraphs above max_size are cut into consecutive subgraphs, each of as many nodes and
 *          undivided groups in topological order as fit. A group above max_size moves to the CPU.
 *          Small and refused accelerator subgraphs join the CPU subgraph before them.
 * Errors:  ARG (no placement; KIND), DESC (CHOICE; MODE: this build lacks the fusion that node
 *          needs, move_non_tensor or phase), OVERFLOW, LIMIT (need = subgraphs, limit = the limit);
 *          after NOMEM: ARG (TAG: node has no phase, shares one with other of another kind, or is
 *          apart from other of its group), CYCLE (TAG_ORDER: node reads other, which has a later
 *          phase)
 * Time:    O(nodes + edges), plus that of gsp_fuse_run(); GSP_LIMIT_DEMOTE: O(subgraphs log)
 * Memory:  the bound
 * Order:   subgraphs in order of execution, nodes in graph order within each. A memory plan of the
 *          graph is none of this order, but with desc.order = nodes it is
 * Example: examples/static_memory.c
 * See:     torch.fx splitter_base, _SplitterBase
 */
GSP_API gsp_status gsp_split_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_desc *desc, gsp_split_result *result, gsp_error *err);

/* gsp_split_tag: writes the tag of a subgraph ("_run_on_acc_0", or "" if there is none) and a NUL,
 * cut to `size` bytes; returns its full length. Time: O(length). */
GSP_API size_t gsp_split_tag(
    const gsp_split_result *result, uint32_t subgraph, char *buffer, size_t size);

/* gsp_split_first_tag: a value of first_tag with which no tag is a name that the graph uses, which
 * gsp_split_by_tags_run() refuses. It is 0 unless there is such a name. Time: O(names). */
GSP_API uint32_t gsp_split_first_tag(const gsp_graph *graph, const gsp_split_result *result);

/* ----
 * >>split_by_tags   A module from tags (API)
 * ---- */

typedef struct gsp_split_by_tags_desc {
    uint32_t start_canary;
    uint32_t n_tags;
    const uint32_t *tag_of; /* [n] of callable nodes; others are ignored */
    const gsp_str *names;   /* [n_tags] */
    uint32_t return_tuple;  /* 1 if a submodule returns a single value as a tuple */
    uint32_t end_canary;
} gsp_split_by_tags_desc;

/* The graphs of the tags. gsp_graph_find() finds a copied placeholder or get_attr by its name. */
typedef struct gsp_split_by_tags_result {
    gsp_module module;        /* root, one graph per tag, other child graphs of the input */
    const uint32_t *graph_of; /* [n] new graph of a callable node; GSP_NONE for others */
    const gsp_node *node_of;  /* [n] its id in that graph */
} gsp_split_by_tags_result;

/* gsp_split_by_tags_bound() as a constant, of a module with these counts, one graph and no tuples
 * of single values; name_bytes: of all tags. */
#define GSP_SPLIT_BY_TAGS_BOUND(nodes, edges, args, attrs, strings, bytes, n_tags, name_bytes) \
    (GSP_BY_TAGS_CUT((size_t)(nodes), edges, strings, (size_t)(n_tags)) + \
        GSP_BY_TAGS_MADE((size_t)(nodes), (size_t)(edges), args, (size_t)(attrs), strings, bytes, \
            (size_t)(n_tags), name_bytes, GSP_BY_TAGS_MORE((size_t)(nodes), (size_t)(n_tags))) + \
        GSP_BOUND_WORKSPACE + 2u * GSP_BOUND_SLACK)
#define GSP_BY_TAGS_CUT(n, e, s, p) \
    (GSP_BOUND_ARRAY(1u, sizeof(gsp_builder)) + GSP_BOUND_ARRAY(p, 4u) + \
        8u * GSP_BOUND_ARRAY(n, 4u) + 3u * GSP_BOUND_ARRAY((p) + 1u, 4u) + \
        GSP_BOUND_ARRAY(e, 4u) + GSP_BOUND_ARRAY(((size_t)(s) + 31u) / 32u, 4u))
#define GSP_BY_TAGS_MORE(n, p) ((p) < (n) / 2u ? (n) + 2u * (p) : 2u * (n))
#define GSP_BY_TAGS_MADE(n, e, a, t, s, b, p, name_bytes, more) \
    (GSP_BUILD_BOUND_LISTS((p) + 1u, (n) + (e) + (more) + 1u, 2u * (n) + (e) + (more) + (a), \
         (t) + ((t) > 1u ? 2u * (n) : 0u)) + \
        GSP_BUILD_BOUND_TEXT((n) + (more) + (s) + 2u, \
            ((more)-2u * GSP_BY_TAGS_PARTS(n, p)) * \
                    (8u + GSP_BY_TAGS_DIGITS((n) + (e) + (more))) + \
                ((n)-GSP_BY_TAGS_PARTS(n, p) + 1u) * GSP_BY_TAGS_DIGITS((n) + (e) + (more)) + \
                GSP_BY_TAGS_PARTS(n, p) * (4u + GSP_BY_TAGS_DIGITS((n) + (e) + (more))) + \
                (size_t)(name_bytes)*4u + (b) + 64u) + \
        GSP_BOUND_MAX(GSP_BUILD_BOUND_TABLE((n) + (more) + (s) + 2u), \
            GSP_BUILD_BOUND_REST((p) + 1u, (n) + (e) + (more) + 1u, 2u * ((n) + (e)), n)))
#define GSP_BY_TAGS_PARTS(n, p) ((p) < (n) ? (p) : (n))
#define GSP_BY_TAGS_DIGITS(x)   /* of x + 1 */ \
    (1u + ((x) >= 9u) + ((x) >= 99u) + ((x) >= 999u) + ((x) >= 9999u) + ((x) >= 99999u) + \
        ((x) >= 999999u) + ((x) >= 9999999u) + ((x) >= 99999999u) + ((x) >= 999999999u))

/* gsp_split_by_tags_bound: bytes, from n_tags and names; NULL counts 32 bytes each.
 * Time: O(n_tags). */
GSP_API size_t gsp_split_by_tags_bound(const gsp_graph *graph, const gsp_split_by_tags_desc *desc);

/* gsp_split_by_tags_run: a module with one graph per tag and a root that calls them in tag order.
 *
 * What:    Inputs of a submodule are in order of first use, outputs in order of first use outside,
 *          the root's return last. The root unpacks several outputs by operator.getitem. Each
 *          submodule that reads a get_attr gets a copy before the first reader; one that the root
 *          returns stays there too. Nodes keep name, type and annotations. A name taken in the root
 *          gets the next free number. A module or attribute `a.b` becomes `TAG.a.b`.
 * Errors:  ARG (RANGE: no nodes; TAG_NAME: node = the tag; TAG: node), CYCLE (TAG_ORDER: node reads
 *          other); after NOMEM: ARG (TAG_EMPTY, TAG_NAME: two equal names, or that of a parameter
 *          or called module), OVERFLOW, DAMAGED
 * Time:    O(nodes + edges + args + strings). Memory: the bound
 * Example: examples/run_network.c
 * See:     torch.fx split_utils, split_by_tags
 */
GSP_API gsp_status gsp_split_by_tags_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_by_tags_desc *desc, gsp_split_by_tags_result *result, gsp_error *err);

typedef struct gsp_split_subgraphs_desc {
    uint32_t start_canary;
    uint32_t return_tuple;    /* 1 if a submodule returns a single value as a tuple */
    gsp_support_desc support; /* not read if split.placement is given */
    gsp_split_desc split;     /* placement NULL means that of gsp_support_run() */
    uint32_t end_canary;
} gsp_split_subgraphs_desc;

/* Subgraph i is graph 1 + i of subgraphs.module, named by its tag. */
typedef struct gsp_split_subgraphs_result {
    gsp_placement placement; /* of the desc, or of gsp_support_run() */
    gsp_split_result split;  /* in order of execution */
    gsp_split_by_tags_result subgraphs;
} gsp_split_subgraphs_result;

/* gsp_split_subgraphs_bound() as a constant, with the `limit` of the split, or 0. */
#define GSP_SPLIT_SUBGRAPHS_BOUND(nodes, edges, args, attrs, strings, bytes, limit) \
    (GSP_BOUND_ARRAY(1u, sizeof(gsp_split_subgraphs_desc)) + GSP_BOUND_ARRAY(23u, 1u) + \
        GSP_BOUND_ARRAY(1u, sizeof(gsp_split_subgraphs_result)) + \
        GSP_BOUND_ARRAY(1u, sizeof(gsp_split_by_tags_desc)) + GSP_BOUND_SLACK + \
        GSP_BOUND_MAX(GSP_SUPPORT_BOUND(nodes, strings), \
            2u * GSP_BOUND_ARRAY(nodes, 1u) + 2u * GSP_BOUND_ARRAY(nodes, 4u) + \
                GSP_BOUND_MAX(GSP_SPLIT_BOUND(nodes, edges), GSP_SPLIT_DEMOTES(nodes, limit)) + \
                GSP_SPLIT_BY_TAGS_BOUND(nodes, edges, args, attrs, strings, bytes, \
                    GSP_SPLIT_MOST(nodes, limit), GSP_SPLIT_MOST(nodes, limit) * 23u)))
#define GSP_SPLIT_MOST(n, limit) ((limit) != 0u && (limit) < (n) ? (size_t)(limit) : (size_t)(n))
#define GSP_SPLIT_DEMOTES(n, limit) \
    ((limit) == 0u \
            ? 0u \
            : 4u * GSP_BOUND_ARRAY(n, 1u) + 7u * GSP_BOUND_ARRAY(n, 4u) + \
                  GSP_BOUND_ARRAY((size_t)(n) + 1u, 4u) + GSP_BOUND_ARRAY((size_t)(n) + 2u, 4u) + \
                  GSP_BOUND_ARRAY(n, 8u) + GSP_BOUND_SLACK)

/* gsp_split_subgraphs_bound: bytes. Time: O(names). */
GSP_API size_t gsp_split_subgraphs_bound(
    const gsp_graph *graph, const gsp_split_subgraphs_desc *desc);

/* gsp_split_subgraphs_run: gsp_support_run(), gsp_split_run(), gsp_split_by_tags_run() in one call.
 *
 * Errors:  those of the three, after NOMEM
 * Time:    that of the three. Memory: the bound
 * Example: examples/hello.c
 */
GSP_API gsp_status gsp_split_subgraphs_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_subgraphs_desc *desc, gsp_split_subgraphs_result *result, gsp_error *err);

/* gsp_split_simple: gsp_build_finish(), and gsp_split_subgraphs_run() for one accelerator with
 * these operators.
 *
 * Errors:  those of both; the arena is then as before gsp_build_init(). Time: that of both
 * Memory:  gsp_build_bound() and gsp_split_subgraphs_bound()
 * Example: README.md
 */
GSP_API gsp_status gsp_split_simple(gsp_builder *b, const gsp_table_entry *operators,
    uint32_t n_operators, gsp_split_subgraphs_result *result, gsp_error *err);

/* ----
 * >>split_module   split_module: a module from any assignment (API)
 * ---- */

typedef struct gsp_split_module_desc {
    uint32_t start_canary;
    uint32_t n_parts;
    const uint32_t *part_of; /* [n] of callable nodes; others are ignored */
    const gsp_str *names;    /* [n_parts] after the prefix; NULL means 0, 1, 2, ... */
    const char *prefix;      /* of submodules; NULL means "submod_" */
    uint32_t keep_order;     /* 1 keeps parts in the order of their first nodes */
    uint32_t return_tuple;   /* 1 if a submodule returns a single value as a tuple */
    uint32_t number_inputs;  /* 1 names inputs arg_0, arg_1, ..., so equal parts are equal graphs */
    uint32_t end_canary;
} gsp_split_module_desc;

/* A called module, `SUBMODULE.made` in the result and `old` in the input. */
typedef struct gsp_qualname {
    uint32_t graph; /* that calls it, named like the submodule */
    gsp_atom made;  /* "layer1_conv", an atom of the new module */
    gsp_atom old;   /* "layer1.conv" */
} gsp_qualname;

/* The graphs of the parts. */
typedef struct gsp_split_module_result {
    gsp_module module; /* root, one graph per part in call order, other graphs */
    uint32_t n_parts;  /* parts that have nodes, graphs 1 .. n_parts */
    uint32_t n_qualnames;
    const uint32_t *part;          /* [n_parts] the part of graph 1 + i */
    const gsp_node *call;          /* [n_parts] its call in the root */
    const uint32_t *graph_of;      /* [n] new graph of a callable node; GSP_NONE for others */
    const gsp_node *node_of;       /* [n] its id in that graph */
    const gsp_node *root_of;       /* [n] its value in the root, or GSP_NONE */
    const gsp_qualname *qualnames; /* [n_qualnames] in order of first use */
} gsp_split_module_result;

/* gsp_split_module_bound: bytes, from n_parts, names, prefix and number_inputs. Time:
 * O(n_parts). */
GSP_API size_t gsp_split_module_bound(const gsp_graph *graph, const gsp_split_module_desc *desc);

/* gsp_split_module_run: a module with one graph per part, for any acyclic assignment of nodes.
 *
 * What:    Inputs and outputs of a part are in order of first use. Parts are called in topological
 *          order by a stack that first holds those without dependencies, or by first node
 *          (keep_order). get_attr nodes stay in the root, before all calls, and are passed in; one
 *          that names a child graph is copied into the parts that read it. Targets of called
 *          modules are flattened: `a.b` in `submod_0` is `submod_0.a_b`, with a number if taken. A
 *          part without outputs returns `()`; the root unpacks several outputs by operator.getitem.
 *          Nodes keep name and annotations.
 * Errors:  ARG (RANGE: no nodes; TAG: node); after NOMEM: CYCLE (PARTS_CYCLE: part other reads part
 *          node, node reads part need, need reads other, maybe through others; PARTS_ORDER: part
 *          node reads the later part other), ARG (TAG_NAME: node = the part), OVERFLOW, DAMAGED
 * Time:    O(nodes + edges + args + strings). Memory: the bound
 * Example: examples/split_module.c
 * See:     torch.fx passes/split_module
 */
GSP_API gsp_status gsp_split_module_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_module_desc *desc, gsp_split_module_result *result, gsp_error *err);

/* ----
 * >>subgraph_grow   Growing an accelerator subgraph (API)
 * ---- */

typedef struct gsp_subgraph_grow_desc {
    uint32_t start_canary;
    uint32_t subgraph;     /* to grow; on an accelerator */
    const uint8_t *kind;   /* [n] as gsp_split_result.kind; required */
    const uint32_t *group; /* [n] equal ids (< n) join together; NULL means no groups */
    uint32_t end_canary;
} gsp_subgraph_grow_desc;

/* gsp_subgraph_grow_bound: bytes. Time: O(1). */
GSP_API size_t gsp_subgraph_grow_bound(const gsp_graph *graph, const gsp_subgraph_grow_desc *desc);

/* gsp_subgraph_grow_run: moves nodes of earlier subgraphs into an accelerator subgraph, backwards
 * from its inputs, if its accelerator supports them.
 *
 * What:    A node joins if the subgraph or a joined node reads it and all its other readers lie in
 *          this or later subgraphs. A fusion group is never divided. The result is the greatest,
 *          independent of the visiting order. Unlike in torch.fx, inputs of a fusion group in this
 *          or a later subgraph may join too.
 * In, out: subgraph_of: [n] of callable nodes; others are ignored. A subgraph may become empty.
 * Out:     n_moved: nodes that joined; may be NULL
 * Errors:  ARG (TAG_EMPTY: node = the subgraph; KIND: it is not on one accelerator, or node has a
 *          group that does not exist), CYCLE (TAG_ORDER: node reads other)
 * Time:    O(nodes + edges). Memory: the bound, nothing stays
 * Example: examples/grow.c
 * See:     torch.fx splitter_base, extend_acc_subgraph
 */
GSP_API gsp_status gsp_subgraph_grow_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_subgraph_grow_desc *desc, uint32_t *subgraph_of, uint32_t *n_moved, gsp_error *err);

/* ----
 * >>minimize   The least failing set of nodes (API)
 * ---- */

/* The search of gsp_minimize_run(). A superset of a failing set must fail, too. */
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

typedef struct gsp_minimize_desc {
    uint32_t start_canary;
    uint32_t traversal;
    uint32_t find_all; /* 1 lets SEQUENTIAL and BINARY continue after the first */
    uint32_t n_nodes;
    const gsp_node *nodes; /* [n_nodes] callable nodes to search, ascending; NULL means all */
    const uint32_t *group; /* [n] equal ids (< n) are tested together; NULL means no groups */
    gsp_fails_func fails;  /* required */
    void *user;
    uint32_t end_canary;
} gsp_minimize_desc;

/* A failing set. */
typedef struct gsp_minimize_result {
    uint32_t n_nodes; /* 0 if nothing fails */
    uint32_t n_tests;
    const gsp_node *nodes; /* ascending */
} gsp_minimize_result;

/* gsp_minimize_bound: bytes. Time: O(1). */
GSP_API size_t gsp_minimize_bound(const gsp_graph *graph, const gsp_minimize_desc *desc);

/* gsp_minimize_run: the least set of nodes that fails a test, e.g. lowering and comparing results.
 *
 * What:    see gsp_traversal. Results of BLOCK, LEAST and BINARY have failed the test themselves;
 *          that of ACCUMULATE is one node of a failing set.
 * Errors:  ARG (RANGE: node not callable or out of order; KIND: no such group), LIMIT (STOPPED)
 * Time:    O(tests * nodes) and the tests. Memory: the bound
 * Example: examples/minimize.c
 * See:     torch.fx net_min_base; Zeller, Yesterday, my program worked, 1999
 */
GSP_API gsp_status gsp_minimize_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_minimize_desc *desc, gsp_minimize_result *result, gsp_error *err);

/* gsp_minimize_tags: tags for gsp_split_by_tags_run() that cut out a set of nodes: 1 for the set, 2
 * for its direct and indirect readers, 0 for the rest; GSP_NONE if not callable. Returns a node of
 * the set that reads one of tag 2 (the tags have no order), or GSP_NONE. Time: O(nodes + edges). */
GSP_API gsp_node gsp_minimize_tags(const gsp_graph *graph, const gsp_bitset *set, uint32_t *tag_of);

/* ----
 * >>preview   Cost preview of a split (API)
 * ---- */

/* ---- Types of nodes ---- */

/* Nodes of the same operator, argument dtypes and kind. */
typedef struct gsp_signature {
    gsp_str name;  /* operator, as gsp_node_class() */
    uint32_t kind; /* of the nodes; 0 if not supported */
    uint32_t n_nodes;
    gsp_node first; /* gsp_signature_write() writes its dtypes */
} gsp_signature;

/* The types of the nodes of a graph. */
typedef struct gsp_signatures_result {
    uint32_t n_signatures;
    const gsp_signature *signatures; /* accelerators first, then the CPU; each by first node */
} gsp_signatures_result;

/* gsp_signatures_bound: bytes. Time: O(1). */
GSP_API size_t gsp_signatures_bound(const gsp_graph *graph);

/* gsp_signatures_run: the types of the callable nodes of a graph.
 *
 * What:    The dtypes of a node are those of its arguments that yield a tensor. An argument in a
 *          tuple, list or dict has none.
 * Errors:  ARG (KIND)
 * Time:    O(args), and a sort of the types. Memory: the bound
 * Example: examples/preview.c
 * See:     torch.fx splitter_base, node_support_preview
 */
GSP_API gsp_status gsp_signatures_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_placement *placement, gsp_signatures_result *result, gsp_error *err);

/* gsp_signature_write: the argument dtypes of a callable node as PyTorch prints them, positional
 * ones up to the last with a dtype: "((f32, None, i64), {'dim': i64})". Errors: ARG, LIMIT (the
 * sink stopped). Time: O(args). Memory: none. */
GSP_API gsp_status gsp_signature_write(
    const gsp_graph *graph, gsp_node node, gsp_sink sink, void *user, gsp_error *err);

/* ---- Costs of subgraphs ---- */

#define GSP_BANDWIDTH 107374182400u /* bytes per second, 100 * 2^30 */

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
    const gsp_node *inputs;  /* from outside, in order of first use; no parameters */
    const gsp_node *outputs; /* used outside, in order of first use */
    uint32_t odd_inputs;     /* inputs other than tensors */
    uint32_t odd_outputs;
    uint64_t bytes_in; /* of the tensors */
    uint64_t bytes_out;
    uint32_t lowered;
    gsp_node culprit; /* of a failure, if known; else GSP_NONE */
} gsp_preview_subgraph;

/* Lowers a subgraph for its accelerator and runs it: GSP_LOWERED_OK, _FAILED or _RUN_FAILED. */
typedef gsp_lowered (*gsp_lower_func)(
    void *user, const gsp_graph *graph, const gsp_preview_subgraph *subgraph);

/* Returns the node that makes a subgraph fail, or GSP_NONE. See gsp_minimize_run(). */
typedef gsp_node (*gsp_blame_func)(
    void *user, const gsp_graph *graph, const gsp_preview_subgraph *subgraph);

typedef struct gsp_preview_desc {
    uint32_t start_canary;
    uint64_t bandwidth;   /* bytes per second to and from accelerators; 0 means GSP_BANDWIDTH */
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
    uint32_t bottleneck; /* accelerator subgraph with most bytes in or out, or GSP_NONE */
    uint32_t n_subgraphs;
    uint64_t bandwidth;
    const gsp_preview_subgraph *subgraphs; /* [n_subgraphs] those on the CPU too */
} gsp_preview_result;

/* gsp_preview_bound: bytes. Time: O(1). */
GSP_API size_t gsp_preview_bound(
    const gsp_graph *graph, const gsp_split_result *split, const gsp_preview_desc *desc);

/* gsp_preview_run: the values and bytes that cross the boundary of every subgraph of a split.
 *
 * Errors:  ARG (TAG: node has no subgraph, or the rows of subgraphs differ); after NOMEM: OVERFLOW
 *          (SIZE: node)
 * Time:    O(nodes + edges) and the callbacks. Memory: the bound
 * Example: examples/preview.c
 * See:     torch.fx splitter_base, split_preview
 */
GSP_API gsp_status gsp_preview_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_result *split, const gsp_preview_desc *desc, gsp_preview_result *result,
    gsp_error *err);

#ifndef GSP_NO_COST
/* gsp_preview_rate: upper bound of the runs per second of a subgraph: bandwidth / max(bytes_in,
 * bytes_out). Returns 0 if no tensor crosses. Time: O(1). */
GSP_API int gsp_preview_rate(const gsp_preview_result *result, uint32_t subgraph, double *rate);
#endif

/* ----
 * >>demote   Most on the accelerator, in few subgraphs (API)
 * ---- */

#ifndef GSP_NO_FLOW

/* `split` is required. */
typedef struct gsp_demote_desc {
    uint32_t start_canary;
    uint32_t limit;                /* subgraphs in all; 0 means no limit */
    uint32_t max_acc;              /* accelerator subgraphs; 0 means no limit */
    const gsp_split_result *split; /* of this graph, with one accelerator */
    const uint64_t *value;         /* [n] of a node on the accelerator; NULL means 1 each */
    uint64_t max_work;             /* see gsp_demote_result.work; 0 means 2^26 */
    uint32_t end_canary;
} gsp_demote_desc;

/* All arrays are read-only. */
typedef struct gsp_demote_result {
    const uint8_t *kind;  /* [n] */
    uint64_t value;       /* of the nodes on the accelerator */
    uint64_t upper_bound; /* of `value` within the limits; if equal, `value` is proved optimal */
    uint64_t work;        /* arcs scanned */
} gsp_demote_result;

/* gsp_demote_bound: bytes; 48 n + 32 m per allowed subgraph. Time: O(1). */
GSP_API size_t gsp_demote_bound(const gsp_graph *graph, const gsp_demote_desc *desc);

/* gsp_demote_run: the accelerator nodes of greatest value for a number of subgraphs.
 *
 * What:    Moves single nodes and groups to the CPU, not subgraphs as GSP_LIMIT_DEMOTE does. The
 *          search starts from the split if within the limits, else from all on the CPU. The kinds
 *          suit gsp_split_run() with the groups of the split, best_start and allow_non_tensor.
 * Errors:  ARG (KIND; TAG: node has no subgraph), OVERFLOW (SIZE: the values up to node are 2^61
 *          or more)
 * Time:    max_work, 2 to 10 ns per unit. Memory: the bound
 * Order:   of results of equal value the first one, then one that starts on the CPU
 * Example: examples/program/commands/split/choose.c
 * See:     Picard 1976; Ishikawa 2003
 */
GSP_API gsp_status gsp_demote_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_demote_desc *desc, gsp_demote_result *result, gsp_error *err);
#endif

#endif /* GSP_NO_SPLIT */

/* ====
 * >>family PARTITION   Partitions on devices (API)
 * ==== */

/* Assigns the nodes of a graph to several devices of given memory, and predicts the latency.
 * gsp_partition_run() does all of it; assignment and latency are available by themselves.
 *
 * In:      graph with bytes, and for some modes seconds, per node; devices
 * Out:     partition of each node, devices of each partition, critical path, module
 *
 *     nodes --> partitions --> logical devices --> latency of the critical path --> module
 */
#ifndef GSP_NO_PARTITION

/* ----
 * >>device   Devices, memory, mapping of partitions (API)
 * ---- */

/* A device with its own memory. */
typedef struct gsp_device {
    gsp_str name;
    uint64_t bytes;
    uint32_t id; /* logical id, unique */
} gsp_device;

/* Partitioners; gsp_assign_run() describes them. */
typedef enum gsp_partition_mode {
    GSP_PARTITION_SIZE,   /* fills one device after the other, in graph order */
    GSP_PARTITION_SPARSE, /* spreads embeddings over equal devices; all other nodes are on each */
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

/* One step of a mode. Partitions have the numbers from before the step. After it the merged
 * partition is the last one and the others are renumbered without gaps; an emptied one keeps its
 * number until the sweep ends. */
typedef struct gsp_partition_step {
    uint32_t mode;  /* gsp_partition_mode: SPARSE and COST merge, KL swaps */
    uint32_t from;  /* lower partition of a merge, or old partition of `node` */
    uint32_t to;    /* higher partition of a merge, or new partition of `node` */
    gsp_node node;  /* KL: node that moves */
    gsp_node other; /* KL: node that moves from `to` to `from`, or GSP_NONE */
    uint64_t work;  /* trials so far */
    double cost;    /* seconds of the whole graph after the step; 0 for SPARSE */
} gsp_partition_step;

/* Progress of COST and KL. `done` increases to `total`. COST makes fewer trials per round as it
 * proceeds; KL makes about equally many per node. */
typedef struct gsp_partition_progress {
    uint32_t mode;    /* COST, KL */
    uint32_t n_steps; /* merges or swaps */
    uint32_t done;    /* COST: merges; KL: visited nodes of all sweeps */
    uint32_t total;   /* COST: merges down to one partition; KL: nodes * sweeps */
    uint64_t work;    /* trials */
    double cost;      /* present seconds of the whole graph */
} gsp_partition_progress;

/* Returns 1 if a called module is an embedding. */
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
    uint32_t saturate;     /* 1 fills idle devices with copies of all partitions */
    const double *mem;     /* [n] seconds of data movement per node; NULL means mem=, or 0 */
    const double *compute; /* [n] seconds of computation per node; NULL means compute=, or 0 */
    double transfer_rate;  /* bytes per second between devices; needs has_rate */
    uint32_t has_rate;     /* 1 if transfer_rate is set; else transfers take no time */
    uint32_t n_sweeps;     /* KL: sweeps over all nodes; 0 means 1 */
    uint64_t max_work;     /* COST, KL: limit of trials; 0 means none */
    gsp_embedding_func is_embedding; /* SPARSE; NULL tests for "Embedding" in the class */
    void *embedding_user;
    const uint32_t *part_of;              /* AOT: [n] of callable nodes, any number but GSP_NONE */
    const gsp_part_devices *part_devices; /* AOT: [n_part_devices] */
    uint32_t n_part_devices;
    uint32_t progress_every;              /* trials per call of progress; 0 means 4096 */
    gsp_partition_progress_func progress; /* COST, KL; or NULL */
    void *progress_user;
    gsp_partition_step_func step; /* or NULL */
    void *step_user;
    uint32_t end_canary;
} gsp_partition_desc;

/* gsp_part_bytes: bytes of a partition with the callable nodes of this set and the placeholders and
 * get_attr that they read: per node its output, parameters and outer inputs. UINT64_MAX above 64
 * bits. Time: O(nodes + edges * log users). */
GSP_API uint64_t gsp_part_bytes(const gsp_graph *graph, const gsp_bitset *nodes);

/* ----
 * >>latency   Critical paths of partitions (API)
 * ---- */

/* Seconds of a critical path: the path with the largest `overall`, the sum of max(mem, compute) of
 * its nodes. Ties go to the larger mem, then the larger compute, at each node from the top. */
typedef struct gsp_latency {
    double mem;
    double compute;
    double overall;
} gsp_latency;

/* Critical paths. Ties go to the path whose last node, then inputs come first in the graph. */
typedef struct gsp_latency_result {
    gsp_latency *latency; /* [n_parts] */
    gsp_node *last;       /* [n_parts] last node of the path; GSP_NONE if the part is empty */
    gsp_node *from;       /* [n] previous node of the path to a node in a part, or GSP_NONE */
} gsp_latency_result;

/* An assignment and the seconds of its nodes. */
typedef struct gsp_latency_desc {
    uint32_t start_canary;
    uint32_t n_parts;
    const uint32_t *part_of; /* [n] part of a callable node; none if n_parts or more */
    const double *mem;       /* [n] as in gsp_partition_desc */
    const double *compute;   /* [n] */
    uint32_t end_canary;
} gsp_latency_desc;

/* gsp_latency_bound: bytes. Time: O(1). */
GSP_API size_t gsp_latency_bound(const gsp_graph *graph, const gsp_latency_desc *desc);

/* gsp_latency_run: the critical path of every part of an assignment.
 *
 * What:    Sums are taken in path order from the top and rounded to nearest-even doubles after each
 *          addition: they have the same bits on every machine, with every compiler option.
 * Errors:  ARG (LATENCY: node), OVERFLOW (LATENCY: no finite sum; after NOMEM: TOO_MANY)
 * Time:    O(nodes + edges). Memory: the bound
 * Example: examples/partition_modes.c
 * See:     torch.fx partitioner_utils, get_latency_of_one_partition
 */
GSP_API gsp_status gsp_latency_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_latency_desc *desc, gsp_latency_result *result, gsp_error *err);

/* ----
 * >>assign   Partitions of the modes (API)
 * ---- */

/* Assignment of a mode. */
typedef struct gsp_assignment {
    uint32_t n_parts;
    uint32_t n_everywhere; /* SPARSE: devices 0 .. n_everywhere - 1 have embeddings */
    uint32_t n_steps;      /* merges or swaps */
    uint32_t stopped;      /* 1 if max_work or progress ended the search early */
    uint64_t work;         /* trials */
    uint32_t *part_of;     /* [n] partition of a callable node, others GSP_NONE */
    uint32_t *device_of;   /* [n_parts] index in the desc; SPARSE: GSP_NONE for all n_everywhere */
} gsp_assignment;

/* gsp_assign_bound: bytes. Time: O(1). */
GSP_API size_t gsp_assign_bound(const gsp_graph *graph, const gsp_partition_desc *desc);

/* gsp_assign_run: assigns a partition and a device to every node, even if the graph fits one
 * device.
 *
 * What:    SIZE (size_based_partition): A partition takes nodes in graph order until its device is
 *          full. The next one takes the first free device that is large enough for the node.
 *          Without a free device every further node is a partition of its own, on the device with
 *          the fewest bytes left that has more left than the node needs.
 *
 *          SPARSE (sparse_nn_partition): Each partition of embeddings has a device of its own; all
 *          other partitions are on each of these devices. Partitions take nodes in graph order and
 *          end where embeddings begin or end, or the device is full. Then, as long as possible, the
 *          smallest partition joins the largest of its type that has room, is at most one level
 *          away and makes no cycle; embeddings come last. Without embeddings, devices are as in
 *          other modes.
 *
 *          COST (cost_aware_partition): Every node begins as a partition. Each round merges the two
 *          partitions that give the least latency of the whole graph, not above the present one.
 *          They must be adjacent or at most one level apart, make no cycle and leave a device for
 *          every partition. The last of equal pairs wins. The first round ignores devices and
 *          counts all transfers.
 *
 *          KL (kl_based_partition, as its comment says): Swaps improve the partitions of SIZE.
 *          Every node in graph order is tried in exchange for every node of every other partition,
 *          and for none. The cheapest swap below the present latency is taken, the first of equal
 *          ones. Swaps that make a cycle or leave a partition without device are infeasible. A
 *          sweep ends by removing empty partitions. Finally all partitions are mapped to devices
 *          again; if they do not fit, those of SIZE are the result. A latency of 0 ends the search.
 *
 * Out:     result: stopped: the steps so far count; COST: NO_FIT if a partition then has no device
 * Errors:  those of gsp_partition_run(); RATE, LATENCY: COST and KL only; AOT: DESC (CHOICE)
 * Time:    SIZE: O(nodes * devices + edges + devices^2)
 *          SPARSE: O(nodes + edges), and O(partitions + their edges) per merge
 *          COST: nodes - 1 rounds of up to nodes^2 / 2 trials, each as with KL at worst
 *          KL: SIZE; nodes trials per node and sweep, each O(nodes + edges + partitions * devices)
 * Memory:  the bound
 * See:     torch.fx experimental accelerator_partitioner; Kernighan, Lin 1970
 */
GSP_API gsp_status gsp_assign_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_partition_desc *desc, gsp_assignment *result, gsp_error *err);

/* ----
 * >>partition   All modes, and the DAG of partitions (API)
 * ---- */

/* Partitions have the numbers of gsp_assignment; with AOT they ascend by the caller's numbers. */
typedef struct gsp_partition_result {
    uint32_t n_nodes;
    uint32_t n_parts;
    uint32_t single;  /* 1 if the whole graph fits one device and is one partition */
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
    double total;           /* makespan in seconds if every partition has a device of its own */
    double *finish;         /* [n_parts] finish time with communication, seconds */
    uint32_t *late_parent;  /* [n_parts] parent that determines its start, or GSP_NONE */
    uint32_t *level;        /* [n_parts] edges of the longest path from one without parents */
    uint32_t *parent_begin; /* [n_parts + 1] into the three arrays of parents */
    uint32_t *parents;      /* ascending */
    uint64_t *parent_bytes; /* transferred, each value once; 0 on the same devices */
    double *parent_seconds; /* of the transfer */
    uint32_t *child_begin;  /* [n_parts + 1] into children */
    uint32_t *children;     /* ascending */
    uint64_t *device_bytes; /* [n_devices] bytes of the union of its partitions */
    /* graph 1 + i is partition part[i], called by call[i] */
    gsp_split_module_result *parts;
    uint32_t *dag_out_begin; /* [n_parts + 1] into dag_out, by i as above */
    gsp_node *dag_out;       /* root nodes of its values, either getitem nodes or the call */
} gsp_partition_result;

/* gsp_partition_bound: bytes. Time: O(nodes). */
GSP_API size_t gsp_partition_bound(const gsp_graph *graph, const gsp_partition_desc *desc);

/* gsp_partition_run: partitions a graph for devices of limited memory, and makes the module.
 *
 * What:    One partition on the first of the largest devices if the whole graph fits it (not for
 *          AOT), else those of the mode; copies on idle devices (saturate); latencies, levels,
 *          parents, children; the module and the DAG of its submodules.
 * Errors:  before NOMEM, in this order: ARG (NULL_ARGUMENT), DESC (CANARY; CHOICE: the mode), ARG
 *          (NULL_ARGUMENT: AOT has no part_of; DEVICES: none; PART_NONE: AOT, node), EMPTY
 *          (CALLABLE), OVERFLOW (SIZE: sum of capacities up to device other, or of sizes up to
 *          node), ARG (RATE; LATENCY: node), OVERFLOW (LATENCY: the sum of all is not finite)
 *          after it: OVERFLOW (TOO_MANY), ARG (DEVICE_TWICE: devices node and other)
 *          AOT: ARG (DEVICE_UNKNOWN: the id other of partition need; PART_DEVICES: node, whose
 *          partition other has no devices)
 *          other modes: NO_FIT (DEVICES_SMALL: need, limit of all), then the mode's: NO_FIT
 *          (NODE_LARGE: node, need, limit of other, the largest device left; MAPPING: first node of
 *          the partition, need, limit of other, the device with the most bytes left; EMBEDDINGS:
 *          need and limit are devices; EMBEDDING_LARGE: node), ARG (DEVICES_UNEQUAL: other)
 *          at the end: CYCLE (PARTS_CYCLE: partitions node and other), DAMAGED, ARG (RATE_ZERO:
 *          node and other, first nodes of a partition and its parent, need bytes)
 * Time:    the mode's, O(nodes + edges + args + strings), and O(devices) per device of a partition.
 *          Memory: the bound
 * Example: examples/devices.c
 */
GSP_API gsp_status gsp_partition_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_partition_desc *desc, gsp_partition_result *result, gsp_error *err);

/* ----
 * >>score   Evaluation of any assignment (API)
 * ---- */
#ifndef GSP_NO_SCORE

/* An assignment and its limits. */
typedef struct gsp_score_desc {
    uint32_t start_canary;
    uint32_t n_parts;
    const uint32_t *part_of;   /* [n] part of a callable node; none if n_parts or more */
    const uint64_t *weight;    /* [n] load of a node; NULL means 1 each */
    const uint64_t *capacity;  /* [n_parts] largest load; NULL means no limit */
    const uint32_t *group;     /* [n] a node of the same part, or GSP_NONE; or NULL */
    const uint32_t *pin;       /* [n] its only part, or GSP_NONE; or NULL */
    const uint32_t *device_of; /* [n_parts] below n_parts; NULL means one per part */
    const double *mem;         /* this and the next three as in gsp_partition_desc */
    const double *compute;
    double transfer_rate;
    uint32_t has_rate;
    uint32_t moves;     /* 1 keeps 4 * n_parts bytes per node, for gsp_score_move() */
    uint32_t imbalance; /* without capacity: loads above ceil(total / n_parts), in millionths of it,
                         * where no node is heavier; 0 means no limit */
    uint32_t end_canary;
} gsp_score_desc;

/* Figures of an assignment. The edge cut counts edges between callable nodes of different parts. */
typedef struct gsp_score_result {
    uint32_t valid;      /* 1 if the next five are GSP_NONE and n_cycle is 0 */
    gsp_node unplaced;   /* first callable node without part */
    gsp_node group_node; /* first node in another part than its group */
    gsp_node pin_node;   /* first node in another part than its pin */
    uint32_t empty;      /* first part without nodes */
    uint32_t overloaded; /* first part above its capacity */
    uint32_t n_cycle;    /* parts of a cycle of the quotient graph */
    uint32_t *cycle;     /* [n_cycle] each is read by the next, the last by the first */
    uint32_t cut_edges;
    uint32_t cut_values; /* nodes that other parts read */
    uint64_t cut_bytes;  /* communication volume, the sum of bytes * (connectivity - 1) */
    uint64_t written;    /* bytes of the values that other parts read, each once */
    uint64_t resident;   /* bytes, each value once per part up to its last reader; 0 for a cycle */
    uint64_t total_load; /* imbalance = largest * n_parts / total - 1 */
    uint64_t largest_load;
    double path;        /* seconds of the critical path over parts; 0 for a cycle */
    double serial;      /* makespan if devices run one part at a time, in `order`; 0 for a cycle */
    uint32_t *part_of;  /* [n] or GSP_NONE */
    uint32_t *order;    /* [n_parts] topological, first in first out */
    uint32_t *position; /* [n_parts] in `order` */
    uint32_t *n_nodes;  /* [n_parts] */
    uint64_t *load;     /* [n_parts] */
    uint32_t *readers;  /* [n][n_parts] users of a node in a part, if `moves` */
    uint64_t limit;     /* of loads, by imbalance; UINT64_MAX if none */
} gsp_score_result;

/* gsp_score_bound: bytes. Time: O(1). */
GSP_API size_t gsp_score_bound(const gsp_graph *graph, const gsp_score_desc *desc);

/* gsp_score_run: evaluates any assignment, valid or not; makes no module.
 *
 * What:    A part runs for the time of its critical path and starts when its inputs have arrived.
 *          The transfer of a value from another device takes its bytes / transfer_rate. In
 *          `serial`, a part starts only when its device is idle.
 * Errors:  ARG (RATE; DEVICE_UNKNOWN: part), OVERFLOW (SIZE: node; bytes of edges and weights
 *          exceed 63 bits), ARG (LATENCY: node), OVERFLOW (LATENCY); after NOMEM: ARG (RATE_ZERO)
 * Time:    O(nodes + edges + parts). Memory: the bound
 * Example: examples/score.c
 * See:     Hendrickson, Kolda 2000; Graham 1969
 */
GSP_API gsp_status gsp_score_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_score_desc *desc, gsp_score_result *result, gsp_error *err);

/* gsp_score_move: moves a node; updates cuts, written, loads, empty and overloaded. Moving it back
 * restores them. A move is refused unless `order` stays topological, which excludes all cycles and
 * some moves without one. Errors: ARG (STATE: no moves, a cycle or nodes without part; RANGE),
 * CYCLE (PARTS_ORDER: node, other: input or user).
 * Time: O(inputs + users + parts). Memory: none. */
GSP_API gsp_status gsp_score_move(const gsp_graph *graph, const gsp_score_desc *desc,
    gsp_score_result *result, gsp_node node, uint32_t to, gsp_error *err);

#endif /* GSP_NO_SCORE */

#endif /* GSP_NO_PARTITION */

/* ====
 * >>family DEDUP   Repeated regions (API)
 * ==== */

/* Finds repeated regions and replaces them by calls of one subgraph.
 *
 * In:      gsp_graph; mutates=, alias=, storage=, barrier= say which memory is written and shared
 * Out:     groups of identical regions; a module with one graph per group
 * Order:   gsp_dedup_run() runs all steps; each step is also available by itself
 *
 *     dependences --> node classes --> regions --> selection --> replacement
 */
#ifndef GSP_NO_DEDUP

/* ----
 * >>dependences   Alias sets and memory dependences (API)
 * ---- */

typedef struct gsp_dependences_desc {
    uint32_t start_canary;
    uint32_t max_dependences; /* LIMIT if there are more; 0 means two per edge */
    uint32_t end_canary;
} gsp_dependences_desc;

/* Alias sets and memory dependences. Tensors of one alias set share memory. A tensor has one set, a
 * get_attr the set of its storage, a node with `alias=` those of the named node, an aggregate whose
 * TYPE lists its elements one per element. The sets of a node are a range. Nodes alias when ranges
 * overlap, except elements that no operator.getitem takes, which share a set. */
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

/* gsp_dependences_bound: bytes. Time: O(1). */
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
 * Order:   dependents of a node: first readers of its writes, then others, each ascending
 * Example: examples/order.c
 */
GSP_API gsp_status gsp_dependences_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_dependences_desc *desc, gsp_dependences *result, gsp_error *err);

/* gsp_order_bound: bytes. Time: O(1). */
GSP_API size_t gsp_order_bound(const gsp_graph *graph, const gsp_dependences *dependences);

/* gsp_order_run: the order that values, dependences and barriers impose, for graph.order.
 *
 * What:    Families SPLIT and PARTITION, and gsp_topo_order_run(), keep it. It carries no values,
 *          so inputs, outputs, sizes and costs stay; only gsp_kway_run() counts it as edges.
 * Errors:  ARG (RANGE: dependences of another graph)
 * Time:    O((n + m) log n). Memory: the bound, and all of it stays
 * Example: examples/order.c
 */
GSP_API gsp_status gsp_order_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_dependences *dependences, gsp_order *result, gsp_error *err);

/* State of an iteration over the nodes that a node writes; all zero at the start. */
typedef struct gsp_written_iter {
    uint32_t at;    /* byte of `mutates=` */
    uint32_t token; /* next argument, and flattened positions before it */
    uint32_t position;
} gsp_written_iter;

/* gsp_node_next_written: the next node that a node writes, in the order of `mutates=`; GSP_NONE at
 * the end. Time: O(args + size of `mutates=`) in total if positions ascend, else O(args) each. */
GSP_API gsp_node gsp_node_next_written(
    const gsp_graph *graph, gsp_node node, gsp_written_iter *iter);

/* ----
 * >>node_classes   Classes of identical nodes (API)
 * ---- */

typedef struct gsp_node_classes_desc {
    uint32_t start_canary;
    uint32_t hash_bits; /* bits of the hash in use, for tests; 0 or above 31 means 32 */
    uint32_t end_canary;
} gsp_node_classes_desc;

/* Classes of identical nodes. */
typedef struct gsp_node_classes {
    uint32_t n_nodes;
    uint32_t n_classes;    /* classes of two or more nodes, by first node */
    uint32_t *class_of;    /* [n] GSP_NONE if no other node is identical */
    uint32_t *class_begin; /* [n_classes + 1] into nodes */
    gsp_node *nodes;       /* by class, each in graph order */
} gsp_node_classes;

/* gsp_node_classes_bound: bytes. Time: O(1). */
GSP_API size_t gsp_node_classes_bound(const gsp_graph *graph, const gsp_node_classes_desc *desc);

/* gsp_node_classes_run: classes of identical nodes.
 *
 * What:    Callable nodes are identical when operation, target, TYPE, `key=`, `state=`, `mutates=`,
 *          `alias=` and names of graphs (`then=`) are equal, and arguments are equal constants in
 *          equal containers and nodes of the same TYPE. The order of keyword arguments and dict
 *          keys is free. A barrier is identical to no node.
 * Errors:  ARG, DESC, NOMEM
 * Time:    O(n + args), plus one comparison per class on a hash collision. Memory: the bound
 */
GSP_API gsp_status gsp_node_classes_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_node_classes_desc *desc, gsp_node_classes *result, gsp_error *err);

/* gsp_node_equal: 1 when two callable nodes are identical as in gsp_node_classes_run(), barriers
 * included; 0 for nodes out of range. Time: O(args), times the dict keys if their order differs. */
GSP_API int gsp_node_equal(const gsp_graph *graph, gsp_node a, gsp_node b);

/* ----
 * >>regions   Repeated regions (API)
 * ---- */

typedef struct gsp_regions_desc {
    uint32_t start_canary;
    uint32_t hash_bits;       /* as in gsp_node_classes_desc */
    uint32_t max_dependences; /* as in gsp_dependences_desc */
    uint64_t max_work;        /* limit of edges that path searches visit; 0 means none */
    uint32_t end_canary;
} gsp_regions_desc;

/* Groups of identical regions. A group is a table with one row per position and one column per
 * region: columns in graph order of their last nodes, rows in graph order of the first column. */
typedef struct gsp_regions {
    uint32_t n_groups;
    uint32_t *group_begin;   /* [n_groups + 1] into members */
    uint32_t *group_regions; /* [n_groups] columns, at least 2; at least 2 rows */
    gsp_node
        *members; /* [group_begin[k] + p * group_regions[k] + i] for group k, row p, column i */
    gsp_node_classes classes;
    gsp_dependences dependences;
    uint64_t work; /* edges that path searches visited */
} gsp_regions;

/* gsp_regions_bound: bytes. Time: O(1). */
GSP_API size_t gsp_regions_bound(const gsp_graph *graph, const gsp_regions_desc *desc);

/* gsp_regions_run: groups of identical regions of a graph.
 *
 * What:    Runs gsp_dependences_run() and gsp_node_classes_run(). Each class, from the last, gives
 *          the end nodes of its regions. These grow backwards through inputs, breadth first and in
 *          lockstep. A step requires that the candidates of all regions are of one class, distinct
 *          and in no region yet, and that no path leaves a region and returns. A region drops an
 *          operator.getitem without its aggregate.
 * Errors:  ARG (POSITION: node), LIMIT (WORK: node), OVERFLOW; after NOMEM: LIMIT (DEPENDENCES,
 *          WORK: need, limit)
 * Time:    O((n + m) log n), plus path searches, which an index makes rare and max_work limits
 * Memory:  the bound
 * Order:   groups in the order found
 * See:     torch._dynamo graph_region_tracker; Yildirim et al., GRAIL, 2010
 */
GSP_API gsp_status gsp_regions_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_regions_desc *desc, gsp_regions *result, gsp_error *err);

/* ----
 * >>dedup   Replacement of regions by calls of one subgraph (API)
 * ---- */

typedef struct gsp_dedup_desc {
    uint32_t start_canary;
    uint32_t hash_bits;       /* as in gsp_node_classes_desc */
    uint32_t max_dependences; /* as in gsp_dependences_desc */
    uint32_t max_outputs; /* most aggregate elements returned or passed on; 0 means n / 2 + 32 */
    uint64_t max_work;    /* as in gsp_regions_desc, and again for the search of cycles */
    const gsp_regions *given; /* groups to replace instead of those found; or NULL */
    uint32_t end_canary;
} gsp_dedup_desc;

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
    uint32_t *outs;        /* output positions of a subgraph, as rows of its group */
    uint32_t *item_begin;  /* [n_calls + 1] items of a call */
    gsp_node *item_node;   /* [n_items] the member that an item stands for or is an element of */
    uint32_t *call_of;     /* [n] call whose region holds a node, or GSP_NONE */
    uint32_t *subgraph_of; /* [n] subgraph whose calls replace a node; GSP_NONE if it stays */
    uint32_t *item_of;     /* [n] first item that stands for a node, or GSP_NONE */
    uint64_t work;
} gsp_dedup_selection;

/* A deduplicated module, and the map from old nodes to new. */
typedef struct gsp_dedup_result {
    gsp_module module; /* root, subgraphs (1 .. n_subgraphs), other graphs of the input */
    gsp_regions regions;
    gsp_dedup_selection selection;
    gsp_node *call;      /* [n_calls] in the root */
    uint32_t *map_begin; /* [n + 1] into map */
    gsp_node *map; /* root nodes of a node, that is itself, a getitem, one per element, or none */
} gsp_dedup_result;

/* gsp_dedup_bound: bytes, which copies the whole module. Time: O(1). */
GSP_API size_t gsp_dedup_bound(const gsp_graph *graph, const gsp_dedup_desc *desc);

/* gsp_dedup_run: a module in which identical regions are calls of one subgraph.
 *
 * What:    Runs gsp_regions_run(). Each group becomes a graph `subgraph_N` with the names of its
 *          first region. The root calls, per region,
 *          torch.ops.higher_order.invoke_subgraph(subgraph_N, subgraph_N, inputs...), with one
 *          operator.getitem per output; aggregates are returned as elements. The root is in a
 *          stable topological order, in which reads stay between the same writes and no node
 *          crosses a barrier. A region is not replaced when one of its nodes already is, an input
 *          is an aggregate, two inputs alias, a node writes an input, an output aliases an input or
 *          another output, its wiring differs from that of the first region, or its contraction
 *          closes a cycle; nor when an output is an aggregate that has unknown elements, is a view,
 *          or is read as a whole by a node with `mutates=` or `alias=`. A group is not replaced
 *          when fewer than two regions are left, or when these have no input or hold only the call
 *          of a graph, as after deduplication.
 * Errors:  ARG (RANGE: no such graph; POSITION: node), LIMIT (WORK: node), OVERFLOW; after NOMEM:
 *          ARG (RANGE: `given` is not a table of identical nodes), LIMIT (DEPENDENCES, WORK,
 *          OUTPUTS: need, limit), DAMAGED
 * Time:    O((n + m + args + strings) log n), plus gsp_regions_run(); after a cycle, per region the
 *          nodes between its first and its last
 * Memory:  the bound
 * Example: examples/repeated_layers.c
 * See:     torch._dynamo graph_deduplication
 */
GSP_API gsp_status gsp_dedup_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_dedup_desc *desc, gsp_dedup_result *result, gsp_error *err);

#endif /* GSP_NO_DEDUP */

/* ====
 * >>family PIPELINE   Stages of a pipeline (API)
 * ==== */

/* Cuts a graph into stages that run on devices one after the other, microbatch by microbatch.
 *
 * In:      gsp_graph; markers, split points or a policy; costs of nodes
 * Out:     stage of each node, a module with one graph per stage, gradients
 *
 *     costs --> stages_* --> stage_params --> pipeline --> backward --> stage_devices
 */
#ifndef GSP_NO_PIPELINE

/* ----
 * >>costs   Costs of nodes in ticks and bytes (API)
 * ---- */

/* Costs of nodes in ticks and bytes, from the caller or gsp_costs_run(). No float decides. */
typedef struct gsp_costs {
    uint32_t n_nodes;
    uint32_t n_items;           /* parameters and called modules, one item each */
    const uint64_t *time;       /* [n] ticks to compute; or NULL */
    const uint64_t *move;       /* [n] ticks to move the output to or from a device; or NULL */
    const uint64_t *stash;      /* [n] bytes of the output; or NULL */
    const uint32_t *item_begin; /* [n + 1] into items; NULL without parameters */
    const uint32_t *items;      /* items that a node reads */
    const uint64_t *item_bytes; /* [n_items] */
} gsp_costs;

typedef struct gsp_costs_desc {
    uint32_t start_canary;
    uint32_t scale;     /* factor of compute=, e.g. 3 for forward and backward; 0 means 1 */
    uint64_t ticks;     /* ticks per second; 0 means 10^9 */
    uint64_t bandwidth; /* bytes per second for outputs without comm=; if 0 they take no time */
    uint32_t end_canary;
} gsp_costs_desc;

#ifndef GSP_NO_COST
/* gsp_costs_bound: bytes. Time: O(1). */
GSP_API size_t gsp_costs_bound(const gsp_graph *graph);

/* gsp_costs_run: reads the costs of nodes from the annotations of a graph. `time` of callable nodes
 * is compute=, `move` is comm=, else bytes / bandwidth. Both are rounded half up to ticks, and 0
 * without annotation. `stash` is the bytes of the output. Items are each target of get_attr, with
 * the bytes of its first get_attr, and each called module, with params= of its first call.
 *
 * Errors:  after NOMEM: ARG (LATENCY: a time of node is negative or not finite), OVERFLOW (SIZE)
 * Time:    O(nodes + edges + strings). Memory: the bound
 * Example: examples/pipeline_plan.c
 */
GSP_API gsp_status gsp_costs_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_costs_desc *desc, gsp_costs *costs, gsp_error *err);
#endif

/* ----
 * >>stages_even   Stages of equal size (API)
 * ---- */

/* The quantity that stages share equally. */
typedef enum gsp_stages_even_policy {
    GSP_STAGES_EVEN_NODES,     /* numbers of nodes */
    GSP_STAGES_EVEN_PARAMS,    /* bytes of parameters, each counted at its first reader */
    GSP_STAGES_EVEN_THRESHOLD, /* bytes of parameters per stage are at most a threshold */
    GSP_STAGES_EVEN_COUNT,
    GSP_STAGES_EVEN_FORCE_U32 = 0x7FFFFFFF
} gsp_stages_even_policy;

/* Marker of PyTorch between two stages. */
#define GSP_STAGES_MARKER "torch.ops.pippy._pipe_split.default"

typedef struct gsp_stages_even_desc {
    uint32_t start_canary;
    uint32_t policy;    /* gsp_stages_even_policy */
    uint32_t n_stages;  /* maximum; 0 means 1, for THRESHOLD no limit */
    uint64_t threshold; /* THRESHOLD: bytes; 0 means bytes of all parameters / n_stages */
    const char *marker; /* target of markers; NULL means PyTorch's */
    uint32_t end_canary;
} gsp_stages_even_desc;

/* Stages in graph order. */
typedef struct gsp_stages_even_result {
    uint32_t n_nodes;
    uint32_t n_stages;  /* none is empty; 0 without callable nodes */
    uint32_t *stage_of; /* [n] GSP_NONE if not callable, or a marker */
    uint64_t *weight;   /* [n_stages] nodes, or bytes of parameters */
} gsp_stages_even_result;

/* gsp_stages_even_bound: bytes. Time: O(1). */
GSP_API size_t gsp_stages_even_bound(const gsp_graph *graph, const gsp_stages_even_desc *desc);

/* gsp_stages_even_run: stages of equal node counts or parameter bytes; markers do not cut.
 *
 * What:    NODES, PARAMS: with weight W remaining for k stages, the next one ends at the first node
 *          with which it weighs at least ceil(W / k), or after which only k - 1 nodes remain; the
 *          last has all others. If no weight remains, every node weighs 1. A target of get_attr
 *          counts at its first reader, with the bytes of its first get_attr; a called module at its
 *          first call. There are fewer stages only if there are fewer nodes.
 *
 *          THRESHOLD: a stage ends before a node whose parameters exceed the rest of the threshold,
 *          or directly after it if the stage holds no bytes yet, so a node above the threshold ends
 *          one stage or begins the next. Parameters that the stage already reads add nothing, a
 *          called module counts at every call. The last of n_stages has all others.
 *
 * Errors:  ARG (THRESHOLD: neither threshold nor n_stages), OVERFLOW (SIZE)
 * Time:    O(nodes + edges + strings). Memory: the bound
 * Example: examples/stages.c
 * See:     PiPPy, split_on_size_threshold
 */
GSP_API gsp_status gsp_stages_even_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stages_even_desc *desc, gsp_stages_even_result *result, gsp_error *err);

/* gsp_stages_is_marker: 1 for a function call of this target; NULL means PyTorch's.
 * Time: O(target). */
GSP_API int gsp_stages_is_marker(const gsp_graph *graph, gsp_node node, const char *marker);

/* ----
 * >>stages_from_marks   Stages from markers and split specs (API)
 * ---- */

/* The side of a module where a split spec cuts. */
typedef enum gsp_split_point_kind {
    GSP_SPLIT_POINT_BEGINNING, /* before the first node of the module */
    GSP_SPLIT_POINT_END,       /* after its last node */
    GSP_SPLIT_POINT_COUNT,
    GSP_SPLIT_POINT_FORCE_U32 = 0x7FFFFFFF
} gsp_split_point_kind;

/* A cut at every call of a module, that is, at each longest sequence of callable nodes whose scope
 * (gsp_node_scope()) is `path` or is below it, and at each called module of target `path`. */
typedef struct gsp_split_point {
    gsp_str path;
    uint32_t point; /* gsp_split_point_kind */
} gsp_split_point;

/* Markers, split points or a policy. */
typedef struct gsp_stages_from_marks_desc {
    uint32_t start_canary;
    uint32_t n_points;
    const char *marker;            /* target of markers; NULL means PyTorch's */
    const gsp_split_point *points; /* [n_points] further cuts */
    /* returns nonzero where a stage begins; a policy disables markers; or NULL */
    int (*policy)(void *user, const gsp_graph *graph, gsp_node node);
    void *user; /* for the policy */
    uint32_t end_canary;
} gsp_stages_from_marks_desc;

/* Stages in graph order. */
typedef struct gsp_stages_from_marks_result {
    uint32_t n_nodes;
    uint32_t n_stages;        /* none is empty; 0 without callable nodes */
    const uint32_t *stage_of; /* [n] GSP_NONE if not callable, or a marker */
} gsp_stages_from_marks_result;

/* gsp_stages_from_marks_bound: bytes. Time: O(1). */
GSP_API size_t gsp_stages_from_marks_bound(
    const gsp_graph *graph, const gsp_stages_from_marks_desc *desc);

/* gsp_stages_from_marks_run: the stages of markers, a split spec or a policy.
 *
 * Errors:  ARG (POLICY: both points and a policy; POINT, NULL_ARGUMENT and, after NOMEM, PATH:
 *          `node` = the entry), OVERFLOW
 * Time:    O(nodes + bytes of scopes + points). Memory: the bound
 * Example: examples/pipeline.c
 * See:     torch.distributed.pipelining, annotate_split_points
 */
GSP_API gsp_status gsp_stages_from_marks_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stages_from_marks_desc *desc, gsp_stages_from_marks_result *result, gsp_error *err);

/* ----
 * >>stage_params   Parameters of stages (API)
 * ---- */

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
    const uint32_t *stage_of;        /* [n] below n, holes allowed; or GSP_NONE; required */
    const gsp_stage_param_use *uses; /* [n_uses] the last entry of a parameter decides */
    uint32_t n_uses;
    uint32_t end_canary;
} gsp_stage_params_desc;

/* A parameter, with the stages that hold it: held[begin .. end), ascending. */
typedef struct gsp_stage_param {
    gsp_atom target;
    gsp_node node;  /* its first get_attr in the input */
    uint32_t first; /* the first parameter in the same storage (`storage=`), itself included */
    uint32_t transmitted; /* 1 if several stages read it and its one holder returns it */
    uint32_t begin;
    uint32_t end;
} gsp_stage_param;

/* A storage or module that stages held[begin .. end) hold; a trainer keeps its copies equal. */
typedef struct gsp_stage_param_copy {
    gsp_atom target; /* the first name of a storage */
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
    uint32_t *stage_of;      /* [n] stages without holes */
    gsp_node *kept;          /* [n] of a get_attr the first of its target, else the node */
    uint32_t *home;          /* [n] stage that returns the value if others read it; or GSP_NONE */
    uint32_t *begin;         /* [n_stages + 1] into nodes */
    gsp_node *nodes;         /* callable nodes by stage, in graph order */
    uint32_t *own_begin;     /* [n_stages + 1] into own */
    gsp_node *own;           /* get_attr nodes by stage, in graph order */
    gsp_stage_param *params; /* [n_params] in graph order; without unread ones */
    gsp_stage_param_copy *replicated; /* [n_replicated] storages that several stages hold */
    gsp_stage_param_copy *shared;     /* [n_shared] modules of several stages, not of params=0 */
    uint32_t *held;                   /* [n_held] stages, of all three */
} gsp_stage_params_result;

/* gsp_stage_params_bound: bytes. Time: O(1). */
GSP_API size_t gsp_stage_params_bound(const gsp_graph *graph, const gsp_stage_params_desc *desc);

/* gsp_stage_params_run: the stages that hold each parameter. Attributes of one target are one
 * parameter. If several stages read it, all hold it, or the first does and transmits it. An
 * attribute that names a child graph is held, but not listed; no stage holds one that the root
 * alone returns.
 *
 * Errors:  ARG (MULTI_USE, PARAMETER and NULL_ARGUMENT: `node` = the entry, or GSP_NONE;
 *          STAGE: node reads other, which has no stage, or its own is n or more; STAGE_ORDER: node
 *          reads other, of a later stage; WRITTEN: node writes the parameter that other reads, of
 *          which there are copies), LIMIT (WORK: node), OVERFLOW. After NOMEM: PARAMETER, WRITTEN,
 *          LIMIT
 * Time:    O(nodes + edges + args + strings) if positions in `mutates=` ascend, else up to LIMIT
 * Memory:  the bound
 * Example: examples/pipeline.c
 * See:     torch.distributed.pipelining, _IR
 */
GSP_API gsp_status gsp_stage_params_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stage_params_desc *desc, gsp_stage_params_result *result, gsp_error *err);

/* ----
 * >>pipeline   The pipeline as a module (API)
 * ---- */

typedef struct gsp_pipeline_desc {
    uint32_t start_canary;
    uint32_t keep_targets;        /* 1 keeps dotted targets of modules; else `a.b` becomes `a_b` */
    gsp_stage_params_desc params; /* stages and parameters */
    uint32_t end_canary;
} gsp_pipeline_desc;

/* The module, and where the nodes of the input are in it. */
typedef struct gsp_pipeline_result {
    gsp_module module; /* root, stages, child graphs in use; strings of the input keep their ids */
    uint32_t n_stages; /* stage i is graph 1 + i */
    const uint32_t *stage_of; /* [n] stage of a callable node; GSP_NONE for others */
    const gsp_node *node_of;  /* [n] its id in the graph of its stage */
    const gsp_node *call;     /* [n_stages] in the root; it has `stage=` */
    gsp_stage_params_result params;
} gsp_pipeline_result;

/* gsp_pipeline_bound: bytes, from the stages; NULL counts one per node. Time: O(nodes). */
GSP_API size_t gsp_pipeline_bound(const gsp_graph *graph, const gsp_pipeline_desc *desc);

/* gsp_pipeline_run: a module with one graph per stage, and a root that calls them in order.
 * Parameters move into the stages that hold them (gsp_stage_params_run()), after the placeholders,
 * in graph order; the root also keeps those that it returns. A stage returns its values in order of
 * their first reader outside, then the parameters that it transmits, in graph order, as a tuple of
 * several, `()` of none, and one value as it is. Readers take them from the root. Stages are
 * `submod_0`, ...; a name taken by a called module gets the next free number.
 *
 * Errors:  those of gsp_stage_params_run(), NULL_ARGUMENT also for a graph without nodes; DAMAGED
 * Time:    O(nodes + edges + args + strings) if positions in `mutates=` ascend, else up to LIMIT
 * Memory:  the bound
 * Example: examples/pipeline.c
 * See:     torch.distributed.pipelining, _IR
 */
GSP_API gsp_status gsp_pipeline_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_pipeline_desc *desc, gsp_pipeline_result *result, gsp_error *err);

/* ----
 * >>backward   Gradients through the stages (API)
 * ---- */

/* The position of the loss among the returned values of the root. */
typedef enum gsp_loss {
    GSP_LOSS_OUTPUT, /* the value of this index in a returned tuple or list; 0 if any other */
    GSP_LOSS_KEY,    /* the value under the key `loss` of a returned dict */
    /* a value of the returned shape: True at the loss (the first True counts), else False, e.g.
     * "(False, {'loss': True, 'x': False})"; a tuple may stand for a list; dict keys in order */
    GSP_LOSS_SPEC,
    GSP_LOSS_COUNT,
    GSP_LOSS_FORCE_U32 = 0x7FFFFFFF
} gsp_loss;

/* The returned value that is the loss; NULL means the first. */
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
    gsp_node loss;        /* the loss, a value of the root */
    const gsp_node *call; /* [n_stages] stage_backward of a stage; GSP_NONE if not needed */
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
    const gsp_backward_desc *desc, gsp_backward_result *result, gsp_error *err);

/* ----
 * >>stage_devices   Devices of stages, stages as modules (API)
 * ---- */

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

/* gsp_stage_devices_bound: bytes. Time: O(n_devices). */
GSP_API size_t gsp_stage_devices_bound(
    const gsp_module *module, const gsp_stage_devices_desc *desc);

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
    const gsp_stage_devices_desc *desc, gsp_module *result, gsp_error *err);

/* gsp_stage_extract_bound: bytes. Time: O(1). */
GSP_API size_t gsp_stage_extract_bound(const gsp_module *module);

/* gsp_stage_extract_run: a module of one graph and the child graphs that it uses, e.g. for one
 * machine. Its text reads back as the same module.
 *
 * Errors:  ARG (STAGE_INDEX: no graph of this index), OVERFLOW, DAMAGED
 * Time:    O(module). Memory: the bound
 * Example: examples/pipeline.c
 */
GSP_API gsp_status gsp_stage_extract_run(
    gsp_arena *arena, const gsp_module *input, uint32_t graph, gsp_module *result, gsp_error *err);

#endif /* GSP_NO_PIPELINE */

/* ====
 * >>family MEMORY   Memory plans and execution (API)
 * ==== */

/* Memory of a graph, and its execution.
 *
 * In:      gsp_graph with bytes per value, in graph order; kernels of the caller
 * Out:     live bytes per step, an offset per tensor, parts that fit a budget; outputs
 * Order:   liveness gives a lower bound for every memory_plan; exec_plan once, exec per run. All
 *          results belong to one order of the nodes, desc.order
 *
 *     liveness --> memory_plan        exec_plan --> exec (calls your kernels)
 *              `-> split_by_memory
 */
#ifndef GSP_NO_MEMORY

/* ----
 * >>liveness   Live bytes in graph order (API)
 * ---- */

/* The peak of a part, at the step that needs most memory. */
typedef struct gsp_liveness_part {
    uint64_t bytes;
    gsp_node node; /* GSP_NONE if the part has no nodes */
    uint32_t step; /* index of the node in the part */
} gsp_liveness_part;

/* GSP_ORDER_BOUND: bytes that a pass of this family needs besides its constant if desc.order is
 * given. That is the order in which the nodes run, such as gsp_topo_order_result.order or
 * gsp_split_result.nodes. Inputs and parameters that it does not list come first; the output is
 * last. */
#define GSP_ORDER_BOUND(n_nodes) (2u * GSP_BOUND_ARRAY(n_nodes, 4u))

/* All zero means the whole graph. */
typedef struct gsp_liveness_desc {
    uint32_t start_canary;
    uint32_t n_parts;        /* 0 means the whole graph, with placeholders and outputs */
    const uint32_t *part_of; /* [n] part of every callable node */
    const uint64_t *scratch; /* [n] bytes needed while a node runs; NULL means run_bytes */
    uint32_t skip_inputs;    /* 1 if the inputs of a part have 0 bytes */
    uint32_t n_order;
    const gsp_node *order; /* [n_order] see GSP_ORDER_BOUND; NULL means graph order */
    uint32_t end_canary;
} gsp_liveness_desc;

/* All arrays are read-only. */
typedef struct gsp_liveness_result {
    uint32_t n_parts;         /* 1 for the whole graph */
    uint32_t worst;           /* the first part with the greatest peak, or GSP_NONE */
    gsp_liveness_part *parts; /* [n_parts] */
    uint32_t *step_begin;     /* [n_parts + 1] into nodes and live */
    gsp_node *nodes;          /* callable nodes by part, or all nodes */
    uint64_t *live;           /* live bytes while that node runs */
    uint32_t *tensor_begin;   /* [n_parts + 1] into tensors */
    gsp_node *tensors;        /* live at the peak of a part, by first use; none of 0 bytes */
} gsp_liveness_result;

/* gsp_liveness_bound() of the whole graph as a constant. */
#define GSP_LIVENESS_BOUND(n_nodes, n_edges) \
    (GSP_BOUND_ARRAY(1u, sizeof(gsp_liveness_part)) + GSP_BOUND_ARRAY(n_nodes, 8u) + \
        4u * GSP_BOUND_ARRAY(n_nodes, 4u) + 2u * GSP_BOUND_ARRAY(2u, 4u) + GSP_BOUND_WORKSPACE + \
        GSP_BOUND_SLACK)

/* gsp_liveness_bound: bytes. Time: O(1). */
GSP_API size_t gsp_liveness_bound(const gsp_graph *graph, const gsp_liveness_desc *desc);

/* gsp_liveness_run: live bytes of activations in an order, of a graph or of each part of it.
 *
 * What:    While a node runs, its inputs, its output and all values that are read later are live.
 *          Inputs are live from the first step. Inputs of the graph are placeholders, even if
 *          nothing reads them; inputs of a part are the values from outside that it reads, live to
 *          the last read in it. Values that are returned, or that a part makes for others, are live
 *          to the last step. Values without readers are live only at their own step. A view
 *          (alias=) has 0 bytes and keeps its storage live. An aggregate is one storage until its
 *          last read as a whole; then each element that operator.getitem takes is live alone until
 *          its last read. Elements of an input aggregate, of an element and of a view stay part of
 *          it. A get_attr has 0 bytes, since it reads parameters. For a called graph, give its peak
 *          with skip_inputs in desc.scratch.
 * Errors:  ARG (NULL_ARGUMENT: n_parts without part_of; TAG: node has no part; ALIAS: node),
 *          OVERFLOW (SIZE: node); after NOMEM: ARG (ORDER: node is missing, listed twice, or before
 *          other, which it reads)
 * Time:    O(nodes + edges + args). Memory: the bound
 * Order:   the first of several steps with equal bytes
 * Example: examples/memory_plan.c
 * See:     Aho et al. 2006, 9.2.5
 */
GSP_API gsp_status gsp_liveness_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_liveness_desc *desc, gsp_liveness_result *result, gsp_error *err);

/* ----
 * >>memory_plan   Tensors in one arena (API)
 * ---- */

/* A buffer of the plan. It holds an activation, or the scratch of a node. */
typedef struct gsp_tensor {
    uint64_t offset; /* bytes from the start of the arena */
    uint64_t bytes;
    gsp_node node;  /* its producer, or the first getitem of an element */
    uint32_t begin; /* first and last step at which it is live; in graph order, steps are nodes */
    uint32_t end;
    uint32_t scratch; /* 1 for desc.scratch of the node */
} gsp_tensor;

/* All zero places placeholders in the arena too and aligns offsets to 16. */
typedef struct gsp_memory_plan_desc {
    uint32_t start_canary;
    uint32_t align;          /* bytes, a power of two; 0 means 16 */
    uint32_t skip_inputs;    /* 1 if placeholders have no tensor */
    const uint64_t *scratch; /* [n] bytes needed while a node runs; NULL means run_bytes */
    uint64_t max_work;       /* see gsp_memory_plan_result.work; 0 means 2^25 */
    uint32_t n_order;
    const gsp_node *order;    /* [n_order] see GSP_ORDER_BOUND; NULL means graph order */
    const uint32_t *part_of;  /* [n] part of every callable node, for `crosses`; or NULL */
    const uint32_t *in_place; /* [n] bit k is 1 if the result may be where argument k is; or NULL */
    uint32_t end_canary;
} gsp_memory_plan_desc;

/* All arrays are read-only. */
typedef struct gsp_memory_plan_result {
    uint64_t arena; /* size in bytes */
    uint64_t peak;  /* most live bytes, a lower bound of `arena` for every plan */
    uint64_t work;  /* pairs compared for the last plan; 16 of a long-lived tensor count as one */
    uint32_t n_tensors;
    uint32_t n_stacked;  /* tensors placed on the skyline because max_work was reached */
    gsp_tensor *tensors; /* [n_tensors] by node, its scratch last */
    uint32_t *tensor_of; /* [n] tensor of a value, or GSP_NONE */
    uint32_t *crosses;   /* [n_tensors] 1 if another part reads it; NULL without part_of */
    gsp_node *stands_on; /* [n] the node whose memory a result takes; NULL without in_place */
    uint32_t n_in_place; /* results that are in place */
} gsp_memory_plan_result;

/* gsp_memory_plan_bound() without scratch, order, part_of and in_place as a constant; the last two
 * need 4 bytes per node each. */
#define GSP_MEMORY_PLAN_BOUND(n_nodes, n_edges) \
    (GSP_BOUND_ARRAY(n_nodes, sizeof(gsp_tensor)) + 7u * GSP_BOUND_ARRAY(n_nodes, 4u) + \
        2u * GSP_BOUND_ARRAY((size_t)(n_nodes) + 1u, 4u) + \
        GSP_BOUND_ARRAY((size_t)(n_nodes) + 4u, 8u) + \
        GSP_BOUND_ARRAY((size_t)(n_nodes) + (size_t)(n_nodes) / 8u + 16u, 4u) + \
        GSP_BOUND_WORKSPACE + GSP_BOUND_SLACK)

/* gsp_memory_plan_bound: bytes. Time: O(1). */
GSP_API size_t gsp_memory_plan_bound(const gsp_graph *graph, const gsp_memory_plan_desc *desc);

/* gsp_memory_plan_run: offsets in one arena; tensors live at the same step do not overlap.
 *
 * What:    While pairs of tensors with overlapping live ranges are few (max_work / 1024): first-fit
 *          by decreasing size, where each tensor takes the first gap between placed ones; if that
 *          exceeds the peak, also from both ends of the arena, alternately in order of time. Else
 *          first-fit in reverse order of time; in order of time, unless the first is within 1/64
 *          of the peak; and by size up to 4 times as many pairs if these are more than 1/32 above
 *          the peak. The result is the smallest of these plans. Tensors and live
 *          ranges are those of gsp_liveness_run(), but an element of an aggregate keeps its offset
 *          from the start. The plan belongs to desc.order (section 7); with order and part_of from
 *          a split it is one arena for all its subgraphs. With in_place, a result of as many bytes
 *          takes the memory of its argument if that is read for the last time; both are one tensor
 *          then. If the plan without results in place is smaller, it is the result.
 * Errors:  ARG (NUMBER: align; ALIAS: node), OVERFLOW (SIZE: node); after NOMEM:
 *          ARG (ORDER, as gsp_liveness_run())
 * Time:    O(n l) for l tensors live at a step, without those live to the last step. If that
 *          exceeds max_work / 2, by size until max_work; the remaining, smallest tensors are placed
 *          on a coarse skyline, O(log n) each; the plan is valid, but its arena is larger
 * Memory:  the bound
 * Order:   tensors of equal size by node; of equal plans the one by size, then in reverse
 * Example: examples/memory_plan.c
 * See:     TensorFlow Lite Micro, GreedyMemoryPlanner; Pisarchyk, Lee 2020
 */
GSP_API gsp_status gsp_memory_plan_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_memory_plan_desc *desc, gsp_memory_plan_result *result, gsp_error *err);

/* ----
 * >>memory_check   Validity of a plan (API)
 * ---- */

/* By default offsets must be multiples of 16, and live tensors must not overlap. */
typedef struct gsp_memory_check_desc {
    uint32_t start_canary;
    uint32_t align;          /* bytes, a power of two; 0 means 16 */
    const uint32_t *aligns;  /* [n_tensors] powers of two; NULL means align */
    const uint32_t *fixed;   /* [n_tensors] 1 if it may have any offset; or NULL */
    const uint32_t *resumed; /* [n_tensors] 1 if it is the entry before it, live again; or NULL */
    uint64_t bytes;          /* size of the arena; 0 means any */
    uint32_t end_canary;
} gsp_memory_check_desc;

/* gsp_memory_check_bound: bytes, 48 per tensor. Time: O(1). */
GSP_API size_t gsp_memory_check_bound(uint32_t n_tensors, const gsp_memory_check_desc *desc);

/* gsp_memory_check_run: whether a plan is valid: tensors that are live at the same step do not
 * overlap. Every plan of gsp_memory_plan_run() is.
 *
 * What:    Tensors are checked in ascending order of their offsets. Tensors of 0 bytes overlap
 *          none. A resumed tensor has the offset of its first entry.
 * Errors:  ARG (NUMBER: an alignment; RANGE: tensor begins after its end), OVERFLOW (SIZE: tensor);
 *          after NOMEM: ARG (OFFSET: tensor; OVERLAP: tensor and other), NO_FIT (ARENA: tensor)
 * Time:    O(n log n). Memory: the bound, all of it scratch
 * Example: examples/memory_pack.c
 */
GSP_API gsp_status gsp_memory_check_run(gsp_arena *arena, const gsp_tensor *tensors,
    uint32_t n_tensors, const gsp_memory_check_desc *desc, gsp_error *err);

/* ----
 * >>memory_pack   Smaller plans, with a proof (API)
 * ---- */

/* Returns nonzero to stop with the best plan so far. */
typedef int (*gsp_memory_pack_progress_func)(void *user, uint64_t work);

/* All zero searches for the smallest arena with offsets aligned to 16. */
typedef struct gsp_memory_pack_desc {
    uint32_t start_canary;
    uint32_t align;         /* bytes, a power of two; 0 means 16 */
    const uint32_t *aligns; /* [n_tensors] powers of two; NULL means align */
    const uint32_t *fixed;  /* [n_tensors] 1 if the tensor keeps its offset; or NULL */
    uint64_t capacity;      /* the search ends at a plan of this size */
    uint64_t max_work; /* see gsp_memory_pack_result.work; 0 means 2^26, 2^34 / n_tensors if less */
    const uint32_t *resumed; /* [n_tensors] 1 if it is the entry before it, live again; or NULL */
    gsp_memory_pack_progress_func progress; /* called every 2^16 units of work or more; or NULL */
    void *progress_user;
    uint32_t end_canary;
} gsp_memory_pack_desc;

/* All arrays are read-only. */
typedef struct gsp_memory_pack_result {
    uint64_t bytes;       /* size of the arena */
    uint64_t lower_bound; /* no plan is smaller; `bytes` if that is proved */
    uint64_t work;        /* tensors visited by the search */
    uint64_t *offsets;    /* [n_tensors] */
    uint32_t stopped;     /* 1 if progress ended the search early */
} gsp_memory_pack_result;

/* gsp_memory_pack_bound: bytes, 180 per tensor. Time: O(1). */
GSP_API size_t gsp_memory_pack_bound(uint32_t n_tensors, const gsp_memory_pack_desc *desc);

/* gsp_memory_pack_run: the smallest arena for tensors with given live ranges, proved where
 * possible.
 *
 * What:    A complete search for plans smaller than the given one, such as that of
 *          gsp_memory_plan_run(), by bytes, offset, begin and end of the tensors. Tensors of 0
 *          bytes do not count. A tensor with gaps in its live range is one entry per live interval
 *          (resumed), with equal bytes at the offset of the first, which alone may be fixed.
 *          Tensors connected by live ranges form a part, which gets work by their number. If bytes
 *          may not be reused within some steps, let tensors end so many steps later.
 * Errors:  ARG (NUMBER: an alignment; RANGE: tensor begins after its end, or is resumed before the
 *          end or with other bytes), OVERFLOW (SIZE: tensor); after NOMEM: ARG (OFFSET, OVERLAP, as
 *          gsp_memory_check_run(): the given plan is not valid)
 * Time:    O(n log n + p) for p pairs of tensors with overlapping live ranges; and max_work, 10 to
 *          60 ns per unit in networks, O(n) at worst. Memory: the bound
 * Order:   of plans of the same size the first one found; the given one before all
 * Example: examples/memory_pack.c
 * See:     Moffitt 2023 (MiniMalloc); Boussemart et al. 2004 (weights of failures)
 */
GSP_API gsp_status gsp_memory_pack_run(gsp_arena *arena, const gsp_tensor *tensors,
    uint32_t n_tensors, const gsp_memory_pack_desc *desc, gsp_memory_pack_result *result,
    gsp_error *err);

/* ----
 * >>split_by_memory   Fewest parts under a byte budget (API)
 * ---- */

/* `budget` is required. */
typedef struct gsp_split_by_memory_desc {
    uint32_t start_canary;
    uint64_t budget;         /* upper bound for the peaks, in bytes */
    const uint64_t *scratch; /* [n] bytes needed only while a node runs; or NULL */
    uint32_t ignore_groups;  /* 1 ignores group= */
    uint64_t max_work;       /* nodes visited, with edges, for the least boundary; 0 means 2^24 */
    uint32_t n_order;
    const gsp_node *order; /* [n_order] see GSP_ORDER_BOUND; NULL means graph order */
    uint32_t end_canary;
} gsp_split_by_memory_desc;

/* All arrays are read-only. */
typedef struct gsp_split_by_memory_result {
    uint32_t n_parts;         /* the minimum for this order */
    uint32_t proved;          /* 1 if `boundary` is minimal; 0 if max_work was reached before */
    uint64_t boundary;        /* bytes that cross the cuts */
    uint64_t greedy_boundary; /* the same with every part as long as possible */
    gsp_liveness_part *parts; /* [n_parts] peaks */
    uint32_t *part_of;        /* [n] part of every callable node, GSP_NONE for others */
    uint32_t *begin;          /* [n_parts + 1] into nodes */
    gsp_node *nodes;          /* callable nodes by part */
} gsp_split_by_memory_result;

/* gsp_split_by_memory_bound() as a constant. */
#define GSP_SPLIT_BY_MEMORY_BOUND(n_nodes, n_edges) \
    (GSP_BOUND_ARRAY(n_nodes, sizeof(gsp_liveness_part)) + 6u * GSP_BOUND_ARRAY(n_nodes, 4u) + \
        6u * GSP_BOUND_ARRAY((size_t)(n_nodes) + 1u, 4u) + GSP_BOUND_ARRAY(n_nodes, 8u) + \
        2u * GSP_BOUND_ARRAY((size_t)(n_nodes) + 1u, 8u) + GSP_BOUND_WORKSPACE + GSP_BOUND_SLACK)

/* gsp_split_by_memory_bound: bytes. Time: O(1). */
GSP_API size_t gsp_split_by_memory_bound(
    const gsp_graph *graph, const gsp_split_by_memory_desc *desc);

/* gsp_split_by_memory_run: the fewest parts whose peaks each fit into a budget of bytes.
 *
 * What:    Parts are contiguous in desc.order; a getitem of an element stays with its aggregate,
 *          and nodes of one group= stay together. Peaks are those of gsp_liveness_run(), or that of
 *          the graph if one part suffices. A peak never falls when a part grows at either end, so
 *          parts of maximal length are fewest. Values that are live across another part do not
 *          count. With them, in one memory, no cut lowers the peak of the graph. Among all splits
 *          into the fewest parts the result has the least boundary, which is the sum over all cuts
 *          of the bytes of the values that a callable node before the cut yields and one after it
 *          reads. gsp_split_module_run() takes `part_of`.
 * Errors:  ARG (no desc; ALIAS: node), OVERFLOW (SIZE: node); after NOMEM: ARG (ORDER, as
 *          gsp_liveness_run()), NO_FIT (BUDGET: node, limit)
 * Time:    O((nodes + edges) log n) for the parts; for the boundary about max_work visits of a node
 *          and its edges, after which each cut is chosen alone, from the last to the first
 * Memory:  the bound
 * Order:   of equal splits the one with the earliest cuts, compared from the last cut
 * Example: examples/memory_plan.c
 */
GSP_API gsp_status gsp_split_by_memory_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_by_memory_desc *desc, gsp_split_by_memory_result *result, gsp_error *err);

/* ----
 * >>exec_plan   Slots and call frames, planned once (API)
 * ---- */

/* A value of the caller, such as a handle, pointer or hash; opaque to the library. */
typedef uint64_t gsp_value;

/* One input of a run. */
typedef struct gsp_input {
    gsp_str name; /* target of the placeholder; empty if by position */
    gsp_str type; /* TYPE, not checked if empty. A dimension that is no number fits any */
} gsp_input;

/* All zero means inputs by position, unchecked. */
typedef struct gsp_exec_plan_desc {
    uint32_t start_canary;
    uint32_t n_inputs;       /* if 0 with NULL, all up to the last placeholder without default */
    const gsp_input *inputs; /* [n_inputs] by position first; NULL means by position, unchecked */
    uint32_t aggregates;     /* capacity of elements; 0 means one per node and argument token */
    uint32_t whole;          /* 1 if a kernel yields one value even if TYPE is an aggregate */
    uint32_t n_order;
    const gsp_node *order; /* [n_order] of the given graph, see GSP_ORDER_BOUND; called graphs, and
                              NULL, have graph order */
    uint32_t end_canary;
} gsp_exec_plan_desc;

/* One graph of a plan. */
typedef struct gsp_exec_frame {
    uint32_t n_slots; /* values in its frame */
    uint32_t n_in;    /* of its placeholders */
    uint32_t n_out;   /* returned */
    uint32_t slots;   /* most values in its frame and those above */
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

/* A node in a plan. */
typedef struct gsp_exec_node {
    uint32_t step;        /* action of a run, or GSP_NONE */
    uint32_t leaf_at;     /* slot of its value, start of its row in leaf, or GSP_NONE */
    uint32_t tree_at;     /* opening token of an aggregate, else GSP_NONE */
    uint32_t child;       /* called graph, or GSP_NONE */
    uint32_t bind_at;     /* start of the row of its inputs in leaf */
    uint32_t request_at;  /* start of the row of its constants, or GSP_NONE */
    uint32_t dead;        /* first value that dies after the node, or GSP_NONE */
    gsp_node placeholder; /* at the k-th node of a graph, its k-th placeholder */
} gsp_exec_node;

/* A constant that becomes a value. */
typedef struct gsp_exec_plan_request {
    uint32_t slot; /* GSP_NONE at the end of the row */
    gsp_atom constant;
    gsp_node node; /* its node, or the placeholder of the root whose default it is */
} gsp_exec_plan_request;

/* The part of a run that is independent of values; read-only. The module and desc.inputs outlive
 * it. */
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
    gsp_node *order;    /* [n] of the graph; NULL means graph order */
} gsp_exec_plan;

/* gsp_exec_plan_bound: bytes, by the counts of the module. Time: O(1). */
GSP_API size_t gsp_exec_plan_bound(const gsp_graph *graph, const gsp_exec_plan_desc *desc);

/* The same as a constant without order; n_aggregates and n_inputs are those of the desc and not 0.
 */
#define GSP_EXEC_PLAN_BOUND(n_graphs, n_nodes, n_args, n_aggregates, n_inputs) \
    (GSP_BOUND_ARRAY((n_graphs) + 1u, sizeof(gsp_exec_frame)) + \
        GSP_BOUND_ARRAY((n_graphs) + 1u, 4u) + GSP_BOUND_ARRAY(n_nodes, 32u) + \
        2u * GSP_BOUND_ARRAY(2u * (n_nodes) + (n_args) + (n_aggregates) + (n_inputs), 4u) + \
        GSP_BOUND_ARRAY((n_args) + (n_aggregates) + (n_inputs) + 64u, sizeof(gsp_arg)) + \
        GSP_BOUND_ARRAY((n_args) + (n_aggregates) + (n_inputs) + 64u, 4u) + \
        GSP_BOUND_ARRAY((n_nodes) + (n_args) + (n_aggregates) + (n_inputs) + 64u, \
            sizeof(gsp_exec_plan_request)) + \
        2u * GSP_BOUND_ARRAY((n_nodes) + (n_aggregates) + (n_inputs), 4u) + \
        GSP_BOUND_ARRAY((n_nodes) + (n_aggregates) + (n_inputs), 24u) + \
        GSP_BOUND_ARRAY((n_args) + (n_inputs), 8u) + GSP_BOUND_WORKSPACE + GSP_BOUND_SLACK)

/* gsp_exec_plan_run: plan the execution of a graph and of all graphs that it calls.
 *
 * What:    Inputs are bound to placeholders by position, then by name; other placeholders have
 *          their default. `*args` binds the remaining positional inputs as a tuple, `**kwargs` the
 *          named ones as a dict. Arguments of a call of a child graph (call_module of its name;
 *          torch.ops.higher_order.invoke_subgraph of a get_attr with its name) are bound in the
 *          same way; each call has a frame. A getitem of a known aggregate (returned by a graph, an
 *          input of one, or yielded by a kernel with TYPE `tuple(...)` or `list(...)`) is resolved
 *          here and costs nothing at run time. Values of disjoint live ranges share slots.
 * Errors:  ARG (RANGE: no such graph); after NOMEM: ARG (INPUT_MISSING: node = the placeholder;
 *          INPUT_MANY, INPUT_UNKNOWN, INPUT_TWICE, INPUT_ORDER: other = the input; INPUT_DTYPE,
 *          INPUT_SHAPE, INPUT_TYPE: node = the placeholder, other = the input; CALL_INPUTS,
 *          ELEMENT, FORMS: other = the graph of node; ORDER, as gsp_liveness_run()), CYCLE
 *          (RECURSION), LIMIT (desc.aggregates is too small: double it), OVERFLOW, DAMAGED
 * Time:    O(nodes + edges + args + tokens of aggregates); quadratic in the placeholders of a call
 *          that names all in another order
 * Memory:  the bound
 * Example: examples/run_network.c
 * See:     torch.fx interpreter, Interpreter
 */
GSP_API gsp_status gsp_exec_plan_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_exec_plan_desc *desc, gsp_exec_plan *plan, gsp_error *err);

/* ----
 * >>exec   Execution with kernels of the caller (API)
 * ---- */

/* The task of a kernel call. */
typedef enum gsp_request {
    GSP_REQUEST_CALL,     /* the results of a call */
    GSP_REQUEST_ATTR,     /* the value of a get_attr */
    GSP_REQUEST_CONSTANT, /* constant args[0]: a default, a call argument or an output */
    GSP_REQUEST_ENTER,    /* desc.enter sees the inputs of a called graph */
    GSP_REQUEST_COUNT,
    GSP_REQUEST_FORCE_U32 = 0x7FFFFFFF
} gsp_request;

/* One call of a kernel. Argument tokens are those of the node (gsp_arg_kind), but aggregates are
 * expanded into containers, keys and values. */
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
    gsp_kernel_func enter; /* sees the inputs of every called graph; or NULL */
    void (*release)(void *user, gsp_value value); /* see gsp_exec_run(); or NULL */
    void *user;
    uint32_t end_canary;
} gsp_exec_desc;

/* gsp_exec_bound: bytes, all scratch. Time: O(1). */
GSP_API size_t gsp_exec_bound(const gsp_exec_plan *plan);

/* The same as a constant, from the numbers of a plan. */
#define GSP_EXEC_BOUND(n_slots, n_tokens, n_results, depth) \
    (GSP_BOUND_ARRAY(n_slots, sizeof(gsp_value)) + GSP_BOUND_ARRAY(n_slots, 1u) + \
        GSP_BOUND_ARRAY(GSP_BOUND_MAX(n_tokens, 1u), sizeof(gsp_value)) + \
        GSP_BOUND_ARRAY(GSP_BOUND_MAX(n_tokens, 1u), sizeof(gsp_arg)) + \
        GSP_BOUND_ARRAY(n_results, sizeof(gsp_value)) + GSP_BOUND_ARRAY((depth) + 1u, 12u) + \
        GSP_BOUND_SLACK)

/* gsp_exec_run: execute a graph with kernels of the caller.
 *
 * What:    Nodes run in the order of the plan, those of a called graph at its call; every call and
 *          get_attr is a request to the kernel. desc.release gets every value that a kernel yields
 *          for a call or a constant, after its last use; inputs, attributes and outputs are the
 *          caller's.
 * In:      inputs: [plan->n_inputs] in the order of the inputs of the plan
 * Out:     outputs: [plan->n_outputs] as plan->output says; unspecified after an error
 * Errors:  ARG (no desc or no kernel), OVERFLOW; the status of a kernel (KERNEL: node, other = its
 *          graph), after all live values are released
 * Time:    O(argument tokens), about 10 ns per node without the kernels. Memory: the bound
 * Example: examples/run_network.c
 */
GSP_API gsp_status gsp_exec_run(gsp_arena *arena, const gsp_exec_plan *plan,
    const gsp_exec_desc *desc, const gsp_value *inputs, gsp_value *outputs, gsp_error *err);

/* gsp_call_find: the token of argument `position` or, with fewer arguments, of the one named `name`
 * (or NULL); GSP_NONE if there is neither. Position GSP_NONE is none. Time: O(tokens). */
GSP_API uint32_t gsp_call_find(const gsp_call *call, uint32_t position, const char *name);

/* gsp_call_str: the text of a token of kind CONSTANT or KEY, else empty. Time: O(1). */
GSP_API gsp_str gsp_call_str(const gsp_call *call, uint32_t token);

#endif /* GSP_NO_MEMORY */

#ifdef __cplusplus
}
#endif

/* ----
 * Only the API? Stop here.
 * ---- */
#endif /* GRAPHSPLIT_H_INCLUDED */

/* ----
 * >>impl   Implementation guard, leaf macros, assertions
 * ---- */
#ifdef GRAPHSPLIT_IMPLEMENTATION
#ifndef GRAPHSPLIT_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_IMPLEMENTATION_ONCE

#if defined(__GNUC__) || defined(__clang__)
#define GSPI_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GSPI_END        _Pragma("GCC diagnostic pop")
#define GSPI_LEAF(name) __builtin_##name
#define GSPI_OWN_FRAME  __attribute__((noinline)) static /* own stack, and one copy of the code */
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
#define GSPI_STATIC_ASSERT(cond, name) \
    struct gspi_assert_##name { \
        unsigned int name : (cond) ? 1 : -1; \
    }
#endif

GSPI_STATIC_ASSERT(SIZE_MAX >= UINT32_MAX, graphsplit_needs_a_size_t_of_32_bits);
GSPI_STATIC_ASSERT((unsigned char)-1 == 255, graphsplit_needs_bytes_of_8_bits);

/* Some switches leave private functions unused. */
GSPI_BEGIN

/* Return the status of `expr` unless it is OK. */
#define GSPI_TRY(expr) \
    do { \
        gsp_status const gspi_status_ = (expr); \
        if (gspi_status_ != GSP_OK) { \
            return gspi_status_; \
        } \
    } while (0)

/* A condition that only inputs of gigabytes can cause; `make cov` does not count it. */
#define GSPI_NEVER(x) (x)

/* Status, detail and item type of an error in one number, which keeps the call of a check short.
 * Each macro pastes the names itself: a user may have macros such as OVERFLOW. */
#define GSPI_JOIN(status, detail, what) \
    ((uint32_t)(status) | ((uint32_t)(detail) << 8u) | ((uint32_t)(what) << 16u))
#define GSPI_CODE(status, detail, what) \
    GSPI_JOIN(GSP_STATUS_##status, GSP_DETAIL_##detail, GSP_WHAT_##what)
#define GSPI_CHECK_CODE(cond, fail) \
    do { \
        if (!(cond)) { \
            return fail; \
        } \
    } while (0)

/* Fail with status and detail unless `cond` holds, naming a node, two nodes (_AT) or items. */
#define GSPI_CHECK_ITEM(cond, status, detail, what, item, other) \
    GSPI_CHECK_CODE(cond, \
        gspi_fail_code(err, GSPI_JOIN(GSP_STATUS_##status, GSP_DETAIL_##detail, GSP_WHAT_##what), \
            item, other))
#define GSPI_CHECK_AT(cond, status, detail, node, other) \
    GSPI_CHECK_CODE(cond, \
        gspi_fail_code( \
            err, GSPI_JOIN(GSP_STATUS_##status, GSP_DETAIL_##detail, GSP_WHAT_NODE), node, other))
#define GSPI_CHECK_NODE(cond, status, detail, node) \
    GSPI_CHECK_CODE(cond, \
        gspi_fail_code(err, GSPI_JOIN(GSP_STATUS_##status, GSP_DETAIL_##detail, GSP_WHAT_NODE), \
            node, GSP_NONE))
#define GSPI_CHECK(cond, status, detail) \
    GSPI_CHECK_CODE(cond, \
        gspi_fail_plain(err, GSPI_JOIN(GSP_STATUS_##status, GSP_DETAIL_##detail, GSP_WHAT_NONE)))

/* The same with a needed amount and its limit. */
#define GSPI_CHECK_AMOUNT(cond, status, detail, need, limit) \
    GSPI_CHECK_CODE(cond, \
        gspi_fail_amount( \
            err, GSPI_JOIN(GSP_STATUS_##status, GSP_DETAIL_##detail, GSP_WHAT_NONE), need, limit))

/* The same, naming an argument or field, and the count that makes an array required. */
#ifdef GSP_NO_MESSAGES
#define GSPI_CHECK_FIELD(cond, code, field, count) GSPI_CHECK_CODE(cond, gspi_fail_plain(err, code))
#define GSPI_FIELD(field)                          ""
#else
#define GSPI_CHECK_FIELD(cond, code, field, count) \
    GSPI_CHECK_CODE(cond, gspi_fail_field(err, code, field "\0" count))
#define GSPI_FIELD(field) field "\0"
#endif
/* The same for a field of an item. */
#define GSPI_CHECK_OF(cond, status, detail, what, item, field) \
    GSPI_CHECK_CODE(cond, \
        gspi_fail_of(err, GSPI_JOIN(GSP_STATUS_##status, GSP_DETAIL_##detail, GSP_WHAT_##what), \
            item, GSPI_FIELD(field)))
#define GSPI_CODE_NULL        GSPI_JOIN(GSP_STATUS_ARG, GSP_DETAIL_NULL_ARGUMENT, 0)
#define GSPI_GIVEN(p)         GSPI_CHECK_FIELD((p) != NULL, GSPI_CODE_NULL, #p, "")
#define GSPI_GIVEN_ROWS(p, n) GSPI_CHECK_FIELD((p) != NULL || (n) == 0u, GSPI_CODE_NULL, #p, #n)
#define GSPI_GIVEN_STR(t, name) \
    GSPI_CHECK_FIELD((t).data != NULL || (t).size == 0u, GSPI_CODE_NULL, name, "")
#define GSPI_GIVEN_2(p, q) \
    do { \
        GSPI_GIVEN(p); \
        GSPI_GIVEN(q); \
    } while (0)
#define GSPI_GIVEN_3(p, q, r) \
    do { \
        GSPI_GIVEN_2(p, q); \
        GSPI_GIVEN(r); \
    } while (0)
#define GSPI_GIVEN_PASS() GSPI_GIVEN_3(arena, graph, result)
#define GSPI_CHECK_CHOICE(x, n) \
    GSPI_CHECK_FIELD((x) < (uint32_t)(n), GSPI_JOIN(GSP_STATUS_DESC, GSP_DETAIL_CHOICE, 0), #x, "")
#define GSPI_CHECK_RANGE(cond, x) \
    GSPI_CHECK_FIELD(cond, GSPI_JOIN(GSP_STATUS_ARG, GSP_DETAIL_RANGE, 0), #x, "")

#define GSPI_CHECK_DESC(desc) \
    GSPI_CHECK((desc).start_canary == 0u && (desc).end_canary == 0u, DESC, CANARY)

/* Checks the arguments of a pass with a required desc. */
#define GSPI_GIVEN_DESC() \
    do { \
        GSPI_GIVEN_PASS(); \
        GSPI_GIVEN(desc); \
        GSPI_CHECK_DESC(*desc); \
    } while (0)

/* Copies the desc of the caller, NULL as zeros, and checks it. */
#define GSPI_READ_DESC(d, given) \
    do { \
        gspi_desc(&(d), (given), sizeof(d)); \
        GSPI_CHECK_DESC(d); \
    } while (0)

#ifdef __cplusplus
extern "C" {
#endif

/* ====
 * >>family BASE   Status, memory, bitsets (implementation)
 * ==== */

GSPI_STATIC_ASSERT((unsigned)GSP_STATUS_COUNT < 256u && (unsigned)GSP_DETAIL_COUNT < 256u,
    a_code_holds_status_and_detail);

GSPI_OWN_FRAME gsp_status gspi_fail_code(
    gsp_error *err, uint32_t code, uint32_t item, uint32_t other)
{
    gsp_status const status = (gsp_status)(code & 255u);
    if (err != NULL) {
        gsp_detail const detail = (gsp_detail)((code >> 8) & 255u);
        uint32_t const what = item == GSP_NONE && other == GSP_NONE ? 0u : code >> 16;
        gsp_error const e = {status, detail, what, item, other, 0, 0, 0, 0u, ""};
        *err = e;
    }
    return status;
}

GSPI_OWN_FRAME gsp_status gspi_fail_plain(gsp_error *err, uint32_t code)
{
    return gspi_fail_code(err, code, GSP_NONE, GSP_NONE);
}

GSPI_OWN_FRAME gsp_status gspi_fail_of(
    gsp_error *err, uint32_t code, uint32_t item, const char *field)
{
    gsp_status const status = gspi_fail_code(err, code, item, GSP_NONE);
    if (err != NULL) {
        err->field = field;
    }
    return status;
}

/* What follows the last "->" or '.' of an expression. */
static const char *gspi_field(const char *t)
{
    const char *field = t;
    for (; *t != '\0'; t++) {
        field = *t == '>' || *t == '.' ? t + 1 : field;
    }
    return field;
}

GSPI_OWN_FRAME gsp_status gspi_fail_field(gsp_error *err, uint32_t code, const char *field)
{
    if (err != NULL) {
        (void)gspi_fail_plain(err, code);
        err->field = gspi_field(field);
    }
    return (gsp_status)(code & 255u);
}

GSPI_OWN_FRAME gsp_status gspi_fail_at(
    gsp_error *err, gsp_status status, gsp_detail detail, uint32_t node, uint32_t other)
{
    uint32_t const code = GSPI_CODE(OK, NONE, NODE) | (uint32_t)status | ((uint32_t)detail << 8);
    return gspi_fail_code(err, code, node, other);
}

static gsp_status gspi_fail_need(
    gsp_error *err, uint32_t code, uint32_t item, uint32_t other, uint64_t need, uint64_t limit)
{
    if (err != NULL) {
        (void)gspi_fail_code(err, code, item, other);
        err->need = need;
        err->limit = limit;
    }
    return (gsp_status)(code & 255u);
}

static gsp_status gspi_fail_amount(gsp_error *err, uint32_t code, uint64_t need, uint64_t limit)
{
    return gspi_fail_need(err, code, GSP_NONE, GSP_NONE, need, limit);
}

static gsp_status gspi_done(gsp_error *err)
{
    return gspi_fail_plain(err, 0);
}

/* a * b + c, or SIZE_MAX, which every bound returns on overflow. */
static size_t gspi_mul_add(size_t a, size_t b, size_t c)
{
    return b != 0u && (a > SIZE_MAX / b || a * b > SIZE_MAX - c) ? SIZE_MAX : a * b + c;
}

static size_t gspi_add(size_t a, size_t b)
{
    return gspi_mul_add(a, 1, b);
}

static size_t gspi_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Saturating 64-bit arithmetic. */
static uint64_t gspi_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t gspi_times(uint64_t a, uint64_t b)
{
    return b != 0u && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Saturating 32-bit counts; no valid count reaches UINT32_MAX. */
static uint32_t gspi_count(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static uint32_t gspi_count_add(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static uint32_t gspi_count_mul(uint32_t a, uint32_t b)
{
    return gspi_count((uint64_t)a * b);
}

/* ---- One layout for bound and run ---- */

#if GSP_GAP
#include <sanitizer/asan_interface.h>
#define GSPI_GUARD(p, bytes, gap) /* p: or NULL */ \
    (ASAN_UNPOISON_MEMORY_REGION(p, bytes), \
        ASAN_POISON_MEMORY_REGION((void *)((uintptr_t)(p) + (bytes) - (gap)), gap))
#else
#define GSPI_GUARD(p, bytes, gap) ((void)0)
#endif

static void *gspi_arena_take(gsp_arena *a, size_t count, size_t size, int high)
{
    size_t const bytes = gspi_mul_add(count, size, GSP_GAP);
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
    *(high ? &a->high : &a->low) += bytes + pad;
    a->touched = gspi_max(a->touched, a->low + a->high);
    p = high ? p - pad : p + pad;
    GSPI_GUARD(p, bytes, GSP_GAP);
    return p;
}

/* A layout function pushes the arrays of a pass in order; without an arena it measures. */
typedef struct {
    gsp_arena *arena;
    size_t used; /* SIZE_MAX after an overflow */
} gspi_bump;

static gspi_bump gspi_bump_over(gsp_arena *arena)
{
    gspi_bump const b = {arena, 0u};
    return b;
}

static gspi_bump gspi_measure(void)
{
    return gspi_bump_over(NULL);
}

static void *gspi_bump_push(gspi_bump *b, size_t count, size_t size, int high)
{
    size_t const bytes = gspi_mul_add(count, size, GSP_GAP + GSP_ALIGN - 1u);
    b->used = gspi_add(b->used, bytes == SIZE_MAX ? bytes : bytes & ~((size_t)GSP_ALIGN - 1u));
    return b->arena == NULL ? NULL : gspi_arena_take(b->arena, count, size, high);
}

/* Inlining makes compilers warn of NULL from a full arena, which gspi_enter() excludes. */
GSPI_OWN_FRAME void *gspi_bump_low(gspi_bump *b, size_t count, size_t size)
{
    return gspi_bump_push(b, count, size, 0);
}

GSPI_OWN_FRAME void *gspi_bump_high(gspi_bump *b, size_t count, size_t size)
{
    return gspi_bump_push(b, count, size, 1);
}

/* The same with a workspace in the arena. */
static gspi_bump gspi_measure_with(size_t workspace)
{
    gspi_bump b = gspi_measure();
    (void)gspi_bump_high(&b, 1, workspace);
    return b;
}

#define GSPI_LOW(bump, T, count)  ((T *)gspi_bump_low((bump), (count), sizeof(T)))
#define GSPI_HIGH(bump, T, count) ((T *)gspi_bump_high((bump), (count), sizeof(T)))

/* Most arrays are words at the high end, and two arguments make less code than three. */
static uint32_t *gspi_words(gspi_bump *b, size_t count)
{
    return GSPI_HIGH(b, uint32_t, count);
}

static uint64_t *gspi_longs(gspi_bump *b, size_t count)
{
    return GSPI_HIGH(b, uint64_t, count);
}

/* Words at the low end, for results. */
static uint32_t *gspi_kept(gspi_bump *b, size_t count)
{
    return GSPI_LOW(b, uint32_t, count);
}

/* Bytes that suffice for a layout at any start address. */
static size_t gspi_bound(const gspi_bump *b)
{
    return gspi_add(b->used, GSP_BOUND_SLACK);
}

/* Fails for less than `bound` bytes; the alignment of the arena makes no difference. */
static gsp_status gspi_room(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    size_t const left = arena->size - arena->low - arena->high;
    GSPI_CHECK(bound != SIZE_MAX, OVERFLOW, TOO_MANY);
    GSPI_CHECK_AMOUNT(left >= bound, NOMEM, BOUND, bound, left);
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

/* The least power of two >= max(x, 2), or 0 for 2^32. */
static uint32_t gspi_pow2(uint32_t x)
{
    uint32_t p = 2;
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
    uint32_t word = 0;
    for (size_t at = 0; at + 4u < size; at += 4u) {
        (void)GSP_MEMCPY(&word, data + at, 4);
        h = (h ^ word) * 0x9E3779B1u;
        h ^= h >> 15;
    }
    if (size >= 4u) {
        (void)GSP_MEMCPY(&word, data + size - 4u, 4);
    } else {
        for (; size > 0u; size--) {
            word = word << 8 | (unsigned char)data[size - 1u];
        }
    }
    h = (h ^ word) * 0x85EBCA6Bu;
    h = (h ^ (h >> 13)) * 0xC2B2AE35u;
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

static void gspi_set(void *to, int byte, size_t bytes)
{
    if (to != NULL) {
        (void)GSP_MEMSET(to, byte, bytes);
    }
}

static void gspi_zero(void *to, size_t count)
{
    gspi_set(to, 0, count * 4u);
}

static void gspi_none(void *to, size_t count)
{
    gspi_set(to, 0xFF, count * 4u);
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

/* Heapsort, ascending by key, ties by id. Time: O(n log n), in place. */
static void gspi_sort(uint32_t *ids, uint32_t n, const uint64_t *key)
{
    for (uint32_t i = n / 2u; i > 0u; i--) {
        gspi_sift(ids, i - 1u, n, key);
    }
    for (uint32_t i = n; i > 1u; i--) {
        uint32_t const top = ids[0];
        ids[0] = ids[i - 1u];
        ids[i - 1u] = top;
        gspi_sift(ids, 0, i - 1u, key);
    }
}

/* Prefix sums: counts become row ends, count[n] the sum. row[--count[i]] then fills the rows and
 * turns ends into starts. */
static void gspi_counts_to_ends(uint32_t *count, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += count[i];
        count[i] = sum;
    }
    count[n] = sum;
}

/* Counting sort: member[begin[k] .. begin[k + 1]) are the ids below n with label k, ascending; ids
 * with label GSP_NONE are in no row. */
static void gspi_rows(
    const uint32_t *label, uint32_t n, uint32_t n_labels, uint32_t *begin, uint32_t *member)
{
    gspi_zero(begin, (size_t)n_labels + 1u);
    for (uint32_t i = 0; i < n; i++) {
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
    uint32_t begin = 0;
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

/* ---- Maximum flows ---- */

/* Dinic 1970, with an explicit path. At the end, nodes reachable in the residual network are the
 * source side of the minimum cut with the fewest nodes, for any order of arcs. The network is
 * emitted twice: counted after gspi_flow_start(), stored after gspi_flow_place(). */

#define GSPI_FLOW_INF    ((uint64_t)1 << 62u) /* GSP_CUT_INFINITE, and what exceeds it */
#define GSPI_FLOW_MOST   ((uint64_t)1 << 61u) /* above the sum of finite capacities */
#define GSPI_FLOW_SOURCE 0u
#define GSPI_FLOW_SINK   1u

typedef struct {
    uint64_t left; /* residual capacity */
    uint32_t to;
    uint32_t next; /* arc from the same node */
} gspi_flow_arc;

typedef struct {
    gspi_flow_arc *arc; /* [2 * n_arcs] i ^ 1 is the reverse of arc i; NULL while counting */
    uint32_t *first;    /* [n_nodes] */
    uint32_t *level;    /* [n_nodes] arcs from the source, or GSP_NONE */
    uint32_t *at;       /* [n_nodes] the arc to try next */
    uint32_t *path;     /* [n_nodes] a queue of nodes, then arcs */
    uint32_t n_nodes;
    uint32_t n_arcs;
    uint64_t total; /* sum of finite capacities, at most GSPI_FLOW_MOST */
    uint64_t value; /* of the flow, a lower bound of all cuts */
    uint64_t work;  /* arcs scanned, in all runs */
    uint64_t max_work;
} gspi_flow;

static size_t gspi_flow_bytes(size_t n_nodes, size_t n_arcs)
{
    return gspi_mul_add(
        n_arcs, 2u * sizeof(gspi_flow_arc), gspi_mul_add(n_nodes, 4u * sizeof(uint32_t), 0));
}

/* Begins to count a network of source and sink. */
static void gspi_flow_start(gspi_flow *f)
{
    f->arc = NULL;
    f->n_nodes = 2;
    f->n_arcs = 0;
    f->total = 0;
    f->value = 0;
}

static void gspi_flow_half(
    const gspi_flow *f, uint32_t arc, uint32_t from, uint32_t to, uint64_t capacity)
{
    gspi_flow_arc const half = {
        capacity < GSPI_FLOW_INF ? capacity : GSPI_FLOW_INF, to, f->first[from]};
    f->arc[arc] = half;
    f->first[from] = arc;
}

static void gspi_flow_count(gspi_flow *f, uint64_t capacity)
{
    if (capacity < GSPI_FLOW_INF) {
        uint64_t const sum = gspi_sum(f->total, capacity);
        f->total = sum < GSPI_FLOW_MOST ? sum : GSPI_FLOW_MOST;
    }
}

static void gspi_flow_add(
    gspi_flow *f, uint32_t from, uint32_t to, uint64_t capacity, uint64_t back)
{
    gspi_flow_count(f, capacity);
    gspi_flow_count(f, back);
    if (f->arc != NULL) {
        gspi_flow_half(f, 2u * f->n_arcs, from, to, capacity);
        gspi_flow_half(f, 2u * f->n_arcs + 1u, to, from, back);
    }
    f->n_arcs++;
}

/* Starts to store the counted network in gspi_flow_bytes(). */
static void gspi_flow_place(gspi_flow *f, void *memory)
{
    gspi_flow_arc *arc = (gspi_flow_arc *)memory;
    uint32_t const n = f->n_nodes;
    f->first = (uint32_t *)(void *)(arc + 2u * (size_t)f->n_arcs);
    f->level = f->first + n;
    f->at = f->level + n;
    f->path = f->at + n;
    gspi_flow_start(f);
    f->arc = arc;
    gspi_none(f->first, n);
}

/* Finds breadth-first levels up to the sink; returns 0 if it is unreachable. */
static int gspi_flow_levels(gspi_flow *f)
{
    uint32_t end = 1;
    gspi_none(f->level, f->n_nodes);
    f->level[GSPI_FLOW_SOURCE] = 0;
    f->path[0] = GSPI_FLOW_SOURCE;
    for (uint32_t i = 0; i < end && f->level[GSPI_FLOW_SINK] == GSP_NONE; i++) {
        uint32_t const u = f->path[i];
        for (uint32_t a = f->first[u]; a != GSP_NONE; a = f->arc[a].next) {
            uint32_t const v = f->arc[a].to;
            f->work++;
            if (f->arc[a].left != 0u && f->level[v] == GSP_NONE) {
                f->level[v] = f->level[u] + 1u;
                f->path[end++] = v;
            }
        }
    }
    return f->level[GSPI_FLOW_SINK] != GSP_NONE;
}

/* Augments the path by its bottleneck; returns the number of arcs before the first full one. */
static uint32_t gspi_flow_push(gspi_flow *f, uint32_t depth)
{
    uint64_t least = UINT64_MAX;
    uint32_t stay = 0;
    for (uint32_t i = depth; i > 0u; i--) {
        uint64_t const left = f->arc[f->path[i - 1u]].left;
        stay = left <= least ? i - 1u : stay;
        least = left < least ? left : least;
    }
    for (uint32_t i = 0; i < depth; i++) {
        f->arc[f->path[i]].left -= least;
        f->arc[f->path[i] ^ 1u].left += least;
    }
    f->value += least;
    f->work += depth;
    return stay;
}

/* Finds a blocking flow along shortest paths; returns 0 after too much work or on a path of
 * infinite arcs. */
static int gspi_flow_block(gspi_flow *f)
{
    uint32_t u = GSPI_FLOW_SOURCE;
    uint32_t depth = 0;
    gspi_copy(f->at, f->first, f->n_nodes, sizeof(uint32_t));
    while (f->work < f->max_work && f->value < GSPI_FLOW_MOST) {
        uint32_t a = f->at[u];
        while (
            a != GSP_NONE && (f->arc[a].left == 0u || f->level[f->arc[a].to] != f->level[u] + 1u)) {
            a = f->arc[a].next;
            f->work++;
        }
        f->at[u] = a;
        f->work++;
        if (a != GSP_NONE) {
            f->path[depth++] = a;
            u = f->arc[a].to;
        } else if (depth > 0u) {
            f->level[u] = GSP_NONE;
            u = f->arc[f->path[--depth] ^ 1u].to;
        } else {
            return 1;
        }
        if (u == GSPI_FLOW_SINK) {
            depth = gspi_flow_push(f, depth);
            u = f->arc[f->path[depth] ^ 1u].to;
        }
    }
    return 0;
}

/* Finds a maximum flow; returns 0, with the flow so far, after too much work or on an infinite
 * path. */
static int gspi_flow_run(gspi_flow *f)
{
    while (gspi_flow_levels(f)) {
        if (!gspi_flow_block(f)) {
            return 0;
        }
    }
    return 1;
}

/* 1 if a node is on the source side of the least minimum cut, after gspi_flow_run(). */
static int gspi_flow_side(const gspi_flow *f, uint32_t node)
{
    return f->level[node] != GSP_NONE;
}

/* ---- Entries of lists ---- */

/* Entry n < count of a list of NUL-terminated texts, else the text after the last. */
static const char *gspi_nth(const char *list, uint32_t n, uint32_t count)
{
    for (n = n < count ? n : count; n > 0u; list++) {
        n -= *list == '\0';
    }
    return list;
}

/* ---- The frame of a pass ---- */

/* A running pass: its layout, and both ends of the arena before it. */
typedef struct {
    gspi_bump bump;
    gsp_mark mark;
} gspi_pass;

/* Begins a step of a pass that has checked the room. */
static void gspi_begin(gspi_pass *pass, gsp_arena *arena)
{
    pass->bump = gspi_bump_over(arena);
    pass->mark.low = arena->low;
    pass->mark.high = arena->high;
}

GSPI_OWN_FRAME gsp_status gspi_enter(
    gspi_pass *pass, gsp_arena *arena, size_t bound, gsp_error *err)
{
    gspi_begin(pass, arena);
    return gspi_room(arena, bound, err);
}

/* The same for the variables that every pass has. */
#define GSPI_ENTER(bound) \
    gspi_pass pass; \
    GSPI_TRY(gspi_enter(&pass, arena, (bound), err))

/* Releases scratch and results after a failure. */
static gsp_status gspi_step(gspi_pass *pass, gsp_status status)
{
    if (status != GSP_OK) {
        pass->bump.arena->low = pass->mark.low;
        pass->bump.arena->high = pass->mark.high;
    }
    return status;
}

#define GSPI_STEP(expr) GSPI_TRY(gspi_step(&pass, (expr)))

/* The workspace of a pass that would be large on the stack. */
#define GSPI_NEW(type) GSPI_HIGH(&pass.bump, type, 1)

/* Releases the scratch; the results stay. */
static gsp_status gspi_leave(gspi_pass *pass, gsp_error *err)
{
    pass->bump.arena->high = pass->mark.high;
    return gspi_done(err);
}

#define GSPI_LEAVE() gspi_leave(&pass, err)

static void gspi_desc(void *desc, const void *given, size_t size)
{
    if (given == NULL) {
        (void)GSP_MEMSET(desc, 0, size);
    } else {
        (void)GSP_MEMCPY(desc, given, size);
    }
}

/* ---- Topological orders ---- */

/* Kahn's algorithm on any rows. The caller counts predecessors in missing[] and pushes the elements
 * without any; then it pops an element and counts it down at all successors, until none remains. */
typedef struct {
    uint32_t *ready;   /* [n] a heap, a stack or a queue */
    uint32_t *missing; /* [n] predecessors not yet placed */
    uint32_t policy;   /* the choice among ready elements, GSP_TOPO_ORDER_LEAST, _STACK or _QUEUE */
    uint32_t begin;    /* start of a QUEUE in ready[] */
    uint32_t end;
} gspi_kahn;

static gspi_kahn gspi_kahn_start(uint32_t *ready, uint32_t *missing, uint32_t policy)
{
    gspi_kahn k = {NULL, NULL, policy, 0, 0u};
    k.ready = ready;
    k.missing = missing;
    return k;
}

static void gspi_kahn_push(gspi_kahn *k, uint32_t x)
{
    uint32_t *ready = k->ready;
    uint32_t at = k->end++;
    uint32_t end = k->policy == GSP_TOPO_ORDER_LEAST ? 0u : at; /* of the sift up */
    while (at > end && ready[(at - 1u) / 2u] > x) {
        ready[at] = ready[(at - 1u) / 2u];
        at = (at - 1u) / 2u;
    }
    ready[at] = x;
}

/* Counts one placed predecessor of x. */
static void gspi_kahn_decrement(gspi_kahn *k, uint32_t x)
{
    if (--k->missing[x] == 0u) {
        gspi_kahn_push(k, x);
    }
}

static uint32_t gspi_kahn_least(gspi_kahn *k)
{
    uint32_t *heap = k->ready;
    uint32_t const least = heap[0];
    uint32_t const x = heap[--k->end];
    uint32_t at = 0;
    uint32_t child = 1;
    while (child < k->end) {
        child += child + 1u < k->end && heap[child + 1u] < heap[child];
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
    return k->begin == k->end                  ? GSP_NONE
           : k->policy == GSP_TOPO_ORDER_LEAST ? gspi_kahn_least(k)
           : k->policy == GSP_TOPO_ORDER_STACK ? k->ready[--k->end]
                                               : k->ready[k->begin++];
}

/* Puts every node with an index (not GSP_NONE) there in the row of its label. begin[r + 1] is the
 * size of row r, and becomes its end. */
static void gspi_rows_by_index(const uint32_t *label, const uint32_t *index, uint32_t n,
    uint32_t n_rows, uint32_t *begin, gsp_node *nodes)
{
    for (uint32_t r = 0; r < n_rows; r++) {
        begin[r + 1u] += begin[r];
    }
    for (gsp_node v = 0; v < n; v++) {
        if (index[v] != GSP_NONE) {
            nodes[begin[label[v]] + index[v]] = v;
        }
    }
}

/* ----
 * >>status   Status values and error details (implementation)
 * ---- */

/* The lists of the API are X-macros. The names and texts of statuses are one literal each, in which
 * gspi_nth() counts NULs, so no table of pointers needs relocation or RAM. */

#ifdef GSP_NO_MESSAGES
#define GSPI_MESSAGE(text) ""
#else
#define GSPI_MESSAGE(text) text
#endif

#define GSPI_NAME(name, text) #name "\0"
#define GSPI_TEXT(name, text) GSPI_MESSAGE(text) "\0"

const char *gsp_status_name(gsp_status status)
{
    return gspi_nth(GSP_STATUS_LIST(GSPI_NAME) "?", (uint32_t)status, GSP_STATUS_COUNT);
}

const char *gsp_status_text(gsp_status status)
{
    return gspi_nth(GSP_STATUS_LIST(GSPI_TEXT), (uint32_t)status, GSP_STATUS_COUNT);
}

/* A build without a family omits its sentences. */
#define GSPI_DETAIL(name, text) \
    case GSP_DETAIL_##name: \
        return GSPI_MESSAGE(text);
#ifdef GSP_NO_PARTITION
#define GSPI_DETAIL_PARTITION(name, text)
#else
#define GSPI_DETAIL_PARTITION GSPI_DETAIL
#endif
#ifdef GSP_NO_PIPELINE
#define GSPI_DETAIL_PIPELINE(name, text)
#else
#define GSPI_DETAIL_PIPELINE GSPI_DETAIL
#endif

const char *gsp_detail_text(gsp_detail detail)
{
    switch ((uint32_t)detail) {
        GSP_DETAIL_LIST(GSPI_DETAIL, GSPI_DETAIL_PARTITION, GSPI_DETAIL_PIPELINE)
    default:
        return "";
    }
}

/* ----
 * >>memory   Two-ended arena over memory of the caller (implementation)
 * ---- */

/* A stack at either end of one block. Results grow from the low end and scratch from the high end,
 * so a pass frees its scratch without moving a result, and a mark is two counts of bytes. Always
 * low + high <= size. */

void gsp_arena_init(gsp_arena *arena, void *memory, size_t size)
{
    gsp_arena const a = {(unsigned char *)memory, memory == NULL ? 0u : size, 0, 0, 0u};
    GSPI_GUARD(memory, a.size, 0u);
    *arena = a;
}

size_t gsp_arena_left(const gsp_arena *arena)
{
    return arena->size - arena->low - arena->high;
}

gsp_mark gsp_arena_mark(const gsp_arena *arena)
{
    gsp_mark const mark = {arena->low, arena->high};
    return mark;
}

void gsp_arena_rewind(gsp_arena *arena, gsp_mark mark)
{
    arena->low = mark.low;
    arena->high = mark.high;
}

void *gsp_arena_push(gsp_arena *arena, size_t count, size_t size)
{
    return gspi_arena_take(arena, count, size, 0);
}

void *gsp_arena_push_high(gsp_arena *arena, size_t count, size_t size)
{
    return gspi_arena_take(arena, count, size, 1);
}

void gsp_arena_watch(gsp_arena *arena)
{
    arena->touched = arena->low + arena->high;
}

/* ----
 * >>bitset   Sets of node ids (implementation)
 * ---- */

/* Bits from n on are 0, so counting, comparing and searching need no mask at the end; operations on
 * two sets change nothing unless both have the same n. */

size_t gsp_bitset_words(uint32_t n)
{
    return (size_t)(n / 32u) + (n % 32u != 0u);
}

void gsp_bitset_init(gsp_bitset *set, uint32_t *words, uint32_t n)
{
    set->words = words;
    set->n = n;
    gspi_zero(words, gsp_bitset_words(n));
}

void gsp_bitset_set(gsp_bitset *set, uint32_t id)
{
    if (id < set->n) {
        set->words[id / 32u] |= 1u << (id % 32u);
    }
}

void gsp_bitset_clear(gsp_bitset *set, uint32_t id)
{
    if (id < set->n) {
        set->words[id / 32u] &= ~(1u << (id % 32u));
    }
}

int gsp_bitset_has(const gsp_bitset *set, uint32_t id)
{
    return id < set->n && ((set->words[id / 32u] >> (id % 32u)) & 1u) != 0u;
}

void gsp_bitset_fill(gsp_bitset *set, int all)
{
    size_t const words = gsp_bitset_words(set->n);
    gspi_set(set->words, all ? 0xFF : 0, words * sizeof(uint32_t));
    if (all && set->n % 32u != 0u) {
        set->words[words - 1u] = (1u << (set->n % 32u)) - 1u;
    }
}

void gsp_bitset_or(gsp_bitset *a, const gsp_bitset *b)
{
    size_t const words = a->n == b->n ? gsp_bitset_words(a->n) : 0u;
    for (size_t i = 0; i < words; i++) {
        a->words[i] |= b->words[i];
    }
}

void gsp_bitset_and(gsp_bitset *a, const gsp_bitset *b)
{
    size_t const words = a->n == b->n ? gsp_bitset_words(a->n) : 0u;
    for (size_t i = 0; i < words; i++) {
        a->words[i] &= b->words[i];
    }
}

void gsp_bitset_andnot(gsp_bitset *a, const gsp_bitset *b)
{
    size_t const words = a->n == b->n ? gsp_bitset_words(a->n) : 0u;
    for (size_t i = 0; i < words; i++) {
        a->words[i] &= ~b->words[i];
    }
}

int gsp_bitset_equal(const gsp_bitset *a, const gsp_bitset *b)
{
    return a->n == b->n && gspi_same(a->words, b->words, gsp_bitset_words(a->n) * sizeof(uint32_t));
}

uint32_t gsp_bitset_count(const gsp_bitset *set)
{
    size_t const words = gsp_bitset_words(set->n);
    uint32_t count = 0;
    for (size_t i = 0; i < words; i++) {
        count += gspi_popcount(set->words[i]);
    }
    return count;
}

uint32_t gsp_bitset_next(const gsp_bitset *set, uint32_t from)
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
    return word == 0u ? GSP_NONE /* else the number of bits below the lowest 1 is its index */
                      : (uint32_t)i * 32u + gspi_popcount((word & (0u - word)) - 1u);
}

/* ----
 * >>min_cut   Minimum cuts (implementation)
 * ---- */

/* The value of a maximum flow is the capacity of a minimum cut (Ford and Fulkerson 1956). The arcs
 * are added twice, as gspi_flow counts a network before it stores it. Of all minimum cuts, the
 * source side found is contained in every other. */

#ifndef GSP_NO_FLOW

size_t gsp_min_cut_bound(const gsp_min_cut_desc *desc)
{
    gspi_bump b = gspi_measure();
    (void)GSPI_LOW(&b, uint8_t, desc->n_nodes);
    (void)gspi_bump_high(&b, gspi_flow_bytes(desc->n_nodes, desc->n_arcs), 1);
    return desc->n_arcs < GSP_NONE / 2u ? gspi_bound(&b) : SIZE_MAX;
}

gsp_status gsp_min_cut_run(
    gsp_arena *arena, const gsp_min_cut_desc *desc, gsp_min_cut_result *result, gsp_error *err)
{
    gspi_flow f;
    GSPI_GIVEN_3(arena, desc, result);
    GSPI_CHECK_DESC(*desc);
    GSPI_GIVEN_ROWS(desc->arcs, desc->n_arcs);
    GSPI_CHECK_FIELD(
        desc->n_nodes >= 2u, GSPI_JOIN(GSP_STATUS_DESC, GSP_DETAIL_CHOICE, 0), "n_nodes", "");
    GSPI_CHECK(desc->n_arcs < GSP_NONE / 2u, OVERFLOW, TOO_MANY); /* each has an arc back */
    f.work = 0;
    f.max_work = desc->max_work == 0u ? UINT64_MAX : desc->max_work;
    gspi_flow_start(&f);
    f.n_nodes = desc->n_nodes;
    for (uint32_t i = 0; i < desc->n_arcs; i++) {
        const gsp_cut_arc *a = &desc->arcs[i];
        GSPI_CHECK_RANGE(a->from < f.n_nodes && a->to < f.n_nodes, arcs);
        gspi_flow_add(&f, a->from, a->to, a->capacity, a->back);
        GSPI_CHECK(f.total < GSPI_FLOW_MOST, OVERFLOW, SIZE);
    }
    GSPI_ENTER(gsp_min_cut_bound(desc));
    uint8_t *side = GSPI_LOW(&pass.bump, uint8_t, f.n_nodes);
    size_t const bytes = gspi_flow_bytes(f.n_nodes, f.n_arcs);
    gspi_flow_place(&f, gspi_bump_high(&pass.bump, bytes, 1));
    f.n_nodes = desc->n_nodes;
    for (uint32_t i = 0; i < desc->n_arcs; i++) {
        const gsp_cut_arc *a = &desc->arcs[i];
        gspi_flow_add(&f, a->from, a->to, a->capacity, a->back);
    }
    result->side = gspi_flow_run(&f) ? side : NULL;
    result->value = f.value;
    result->work = f.work;
    for (uint32_t v = 0; v < f.n_nodes; v++) {
        side[v] = (uint8_t)gspi_flow_side(&f, v);
    }
    return GSPI_LEAVE();
}
#endif

/* ====
 * >>family GRAPH   Modules, graphs, text (implementation)
 * ==== */

static int gspi_is_callable(uint8_t op)
{
    return op >= GSP_OP_CALL_FUNCTION && op <= GSP_OP_CALL_MODULE;
}

static const char *gspi_opener(uint32_t kind)
{
    return kind == GSP_ARG_TUPLE  ? "("
           : kind == GSP_ARG_LIST ? "["
           : kind == GSP_ARG_DICT ? "{"
                                  : "slice(";
}

static const char *gspi_closer(uint32_t kind)
{
    return kind == GSP_ARG_LIST ? "]" : kind == GSP_ARG_DICT ? "}" : ")";
}

static int gspi_is_opening(uint32_t kind)
{
    return kind >= GSP_ARG_TUPLE && kind <= GSP_ARG_SLICE;
}

/* ---- Classes of bytes, slices of text, numbers as text ---- */

static int gspi_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* 1 for a byte of a node name: [0-9A-Za-z_] or not ASCII. One bit per byte. */
static int gspi_is_name(char c)
{
    static const uint32_t names[8] = {
        0u, 0x03FF0000u, 0x87FFFFFEu, 0x07FFFFFEu, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
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

/* The byte at `at`, NUL after the end. */
static char gspi_byte(gsp_str t, size_t at)
{
    return (char)(at < t.size ? t.data[at] : '\0');
}

static int gspi_at(gsp_str t, size_t at, const char *literal)
{
    for (size_t i = 0; literal[i] != '\0'; i++) {
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
    return t.size > 0u && gspi_skip_digits(t, 0) == t.size;
}

/* 1 for a text without line end and NUL byte. */
static int gspi_is_one_line(gsp_str t)
{
    uint32_t i = 0;
    while (i < t.size && t.data[i] != '\n' && t.data[i] != '\r' && t.data[i] != '\0') {
        i++;
    }
    return i == t.size;
}

/* 1 for a blank, a byte of a line end and the NUL byte. */
static int gspi_ends_word(char c)
{
    unsigned char const byte = (unsigned char)c;
    return byte > 32u ? 0 : (int)(((uint64_t)0x100002601u >> byte) & 1u);
}

/* 1 for a text without blanks, line ends and NUL bytes. */
static int gspi_is_word(gsp_str t)
{
    uint32_t i = 0;
    while (i < t.size && !gspi_ends_word(t.data[i])) {
        i++;
    }
    return i == t.size;
}

/* 1 if `item` is in the comma-separated `list`; an empty list holds all. */
static int gspi_in_list(gsp_str list, gsp_str item)
{
    uint32_t begin = 0;
    while (begin < list.size) {
        uint32_t end = begin;
        while (end < list.size && list.data[end] != ',') {
            end++;
        }
        if (end - begin == item.size && gspi_same(list.data + begin, item.data, item.size)) {
            return 1;
        }
        begin = end + 1u;
    }
    return list.size == 0u;
}

/* Sets the high bit of each of eight bytes that equals `byte`. */
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
        (void)GSP_MEMCPY(&word, text + at, 8);
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

/* The end of a target, which is "](args" in a call and otherwise an unmatched ']'. */
static uint32_t gspi_target_end(gsp_str t, int call)
{
    uint32_t depth = 0;
    uint32_t i = call ? gspi_find(t, 0, "](args") : 0u;
    for (; !call && i < t.size && !(t.data[i] == ']' && depth == 0u); i++) {
        depth += t.data[i] == '[' ? 1u : 0u;
        depth -= t.data[i] == ']' ? 1u : 0u;
    }
    return depth == 0u ? i : GSP_NONE;
}

/* Parses a decimal number below 2^64. */
static int gspi_number(gsp_str text, uint64_t *value)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < text.size; i++) {
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
GSPI_OWN_FRAME uint32_t gspi_decimal(uint64_t value, char *out)
{
    char reversed[20];
    uint32_t n = 0;
    do {
        reversed[n++] = (char)('0' + (int)(value % 10u));
        value /= 10;
    } while (value != 0u);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = reversed[n - 1u - i];
    }
    return n;
}

static int gspi_begins(gsp_str text, gsp_str with)
{
    return text.size >= with.size && (with.size == 0u || text.data[0] == with.data[0]) &&
           gspi_same(text.data, with.data, with.size);
}

/* Splits "base_12" into base and 12; without a suffix the number is 0. */
static uint32_t gspi_name_suffix(gsp_str name, uint32_t *base)
{
    uint32_t number = 0;
    uint32_t i = name.size;
    while (i > 0u && gspi_is_digit(name.data[i - 1u])) {
        i--;
    }
    *base = name.size;
    if (i == name.size || i < 2u || name.data[i - 1u] != '_' || name.size - i > 9u) {
        return 0;
    }
    *base = i - 1u;
    for (; i < name.size; i++) {
        number = number * 10u + (uint32_t)(name.data[i] - '0');
    }
    return number;
}

/* ---- Modules, graphs, annotations ---- */

/* The head of a stored module. `order` tells the byte order. */
typedef struct {
    uint32_t magic;
    uint32_t order;
    uint32_t version;
    uint32_t n_params;
    uint32_t n_leaves;
    gsp_counts counts;
    uint64_t size;
} gspi_head;

GSPI_STATIC_ASSERT(sizeof(gspi_head) == 56u, the_head_of_a_stored_module_has_no_padding);

/* An array of a module, a builder, or both: offsets of their pointers (or 0), bytes per element,
 * and the count, which is a member of gsp_counts, GSPI_PARAMS or GSPI_LEAVES, plus `more`. */
typedef struct {
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

/* In the order of the block, widest elements first so that none needs padding, after those that
 * finishing overwrites. */
static const gspi_module_array gspi_module_arrays[] = {
    {GSPI_BUILD(suffix_low), 4, GSPI_COUNT(strings), 1u},
    {GSPI_BUILD(suffix_high), 4, GSPI_COUNT(strings), 1u},
    {GSPI_BUILD(suffix_in), 4, GSPI_COUNT(strings), 1u},
    {GSPI_BOTH(bytes), 8, GSPI_COUNT(nodes), 0u}, {GSPI_BOTH(graphs), 12, GSPI_COUNT(graphs), 0u},
    {GSPI_MODULE(by_name), 0, 4, GSPI_COUNT(graphs), 0u},
    {GSPI_BOTH(name), 4, GSPI_COUNT(nodes), 0u}, {GSPI_BOTH(target), 4, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(type), 4, GSPI_COUNT(nodes), 0u}, {GSPI_BOTH(attr), 4, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(arg_begin), 4, GSPI_COUNT(nodes), 1u},
    {GSPI_MODULE(in_begin), 0, 4, GSPI_COUNT(nodes), 1u},
    {GSPI_MODULE(user_begin), 0, 4, GSPI_COUNT(nodes), 1u},
    {GSPI_MODULE(inputs), 0, 4, GSPI_COUNT(edges), 0u},
    {GSPI_MODULE(users), 0, 4, GSPI_COUNT(edges), 0u}, {GSPI_BOTH(args), 8, GSPI_COUNT(args), 0u},
    {GSPI_BOTH(attrs), 8, GSPI_COUNT(attrs), 0u}, {GSPI_MODULE(params), 0, 12, GSPI_PARAMS, 0u},
    {GSPI_MODULE(leaves), 0, 12, GSPI_LEAVES, 0u},
    {GSPI_BOTH(string_begin), 4, GSPI_COUNT(strings), 1u},
    {GSPI_BOTH(op), 1, GSPI_COUNT(nodes), 0u}, {GSPI_BOTH(out), 1, GSPI_COUNT(nodes), 0u},
    {GSPI_BOTH(flags), 1, GSPI_COUNT(nodes), 0u}, {GSPI_BOTH(chars), 1, GSPI_COUNT(bytes), 0u},
    {GSPI_BUILD(node_of), 4, GSPI_COUNT(strings), 1u}};

#define GSPI_MODULE_ARRAYS (sizeof(gspi_module_arrays) / sizeof(gspi_module_arrays[0]))

/* Sets the arrays of `m` within the block (only measures if NULL) and returns the size. */
static size_t gspi_block_layout(gsp_module *m, const unsigned char *block)
{
    uint32_t counts[GSPI_LEAVES + 1u];
    size_t at = sizeof(gspi_head);
    (void)GSP_MEMCPY(counts, &m->counts, sizeof(m->counts));
    counts[GSPI_PARAMS] = m->n_params;
    counts[GSPI_LEAVES] = m->n_leaves;
    for (uint32_t i = 0; i < GSPI_MODULE_ARRAYS; i++) {
        gspi_module_array const a = gspi_module_arrays[i];
        if (a.in_module != 0u) {
            const unsigned char *p = block == NULL ? NULL : block + at;
            (void)GSP_MEMCPY((unsigned char *)m + a.in_module, &p, sizeof(p));
            at = gspi_mul_add((size_t)counts[a.count] + a.more, a.size, at);
        }
    }
    m->block = block;
    m->block_size = at;
    m->run_params = m->run_bytes = NULL;
    m->n_stored = m->counts.strings;
    return at;
}

static gsp_graph gspi_graph(const gsp_module *m, uint32_t id)
{
    gsp_graph const g = {m, id, m->graphs[id].first, m->graphs[id].n_nodes, NULL};
    return g;
}

/* The id of the value of an attribute, or GSP_NONE. */
static gsp_atom gspi_attr(const gsp_graph *graph, gsp_node node, gsp_key key)
{
    const gsp_attr *a = graph->module->attrs + graph->module->attr[graph->first + node];
    while (a->key != GSP_KEY_NONE && a->key != (gsp_atom)key) {
        a++;
    }
    return a->key == GSP_KEY_NONE ? GSP_NONE : a->value;
}

/* ---- Tokens, constants, names ---- */

static gsp_str gspi_key(uint32_t key)
{
    switch (key) {
    default: /* none */
#define GSPI_CASE(name, literal) \
    case GSP_KEY_##name: \
        return gspi_slice(literal, 0, sizeof(literal) - 1u);
        GSP_KEY_LIST(GSPI_CASE)
#undef GSPI_CASE
    }
}

static int gspi_counts_are_sane(const gsp_counts *c)
{
    return c->graphs < UINT32_MAX && c->nodes < UINT32_MAX && c->edges < UINT32_MAX &&
           c->args < UINT32_MAX && c->attrs < UINT32_MAX && c->strings < 0x40000000u &&
           c->bytes < UINT32_MAX;
}

static int gspi_is_node(gsp_arg a)
{
    return a.kind == GSP_ARG_NODE;
}

static int gspi_is_key(gsp_arg a)
{
    return a.kind == GSP_ARG_KEY;
}

/* The index after the value or key at `i`. */
static uint32_t gspi_token_end(const gsp_arg *args, uint32_t i)
{
    return i + 1u + (gspi_is_opening(args[i].kind) ? args[i].value : 0u);
}

/* The index after the element at `i`. */
static uint32_t gspi_element_end(const gsp_arg *args, uint32_t i)
{
    while (gspi_is_key(args[i])) {
        i++;
    }
    return gspi_token_end(args, i);
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

static gsp_str gspi_unquoted(gsp_str t)
{
    int const quoted = gspi_is_quote(t, 0) && gspi_quote_end(t, 0) == t.size;
    return quoted ? gspi_slice(t.data, 1, t.size - 1u) : t;
}

/* The end of the constant at `at`: the next ", ", an unmatched closing bracket, with `comment` != 0
 * "  # " or a carriage return, or the end of the text. *open: brackets and quotes that are not
 * closed. */
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
        } else if (*open == 0u &&
                   (gspi_at(t, i, ", ") || (comment && (c == '\r' || gspi_at(t, i, "  # "))))) {
            return i;
        }
    }
    return i;
}

/* The end of the key if `at` is a key and ": ", else GSP_NONE. */
static uint32_t gspi_key_end(gsp_str line, uint32_t at)
{
    uint32_t depth = 0;
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

/* 1 for a complex number of Python at `at`, such as (1+2j), which is no tuple. */
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
    *size = 1;
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
        *size = 6;
        return gspi_at(line, at, "slice(") ? GSP_ARG_SLICE : GSP_ARG_NONE;
    }
}

/* 1 if a constant reads back as this token in a call. */
static int gspi_is_constant(gsp_str t)
{
    uint32_t const i = gspi_skip_blanks(t, 0);
    uint32_t size;
    uint32_t open;
    return gspi_is_one_line(t) && gspi_constant_end(t, 0, 0, &open) == t.size && open == 0u &&
           gspi_container_at(t, i, &size) == GSP_ARG_NONE && !gspi_at(t, i, "%") &&
           !(t.size > 0u && t.data[t.size - 1u] == ',');
}

/* A byte of an original name as in the attribute `name`; returns its size. */
static uint32_t gspi_escape(char c, char *out)
{
    unsigned char const byte = (unsigned char)c;
    out[0] = (char)(byte > 32u && byte < 127u && c != '%' ? c : '%');
    out[1] = "0123456789ABCDEF"[byte / 16u];
    out[2] = "0123456789ABCDEF"[byte % 16u];
    return out[0] == '%' ? 3u : 1u;
}

/* ---- Types of values ---- */

/* The state of a scan over a TYPE; `out` gets up to `room` bytes of the canonical spelling. */
typedef struct {
    char *out;
    uint32_t room;
    uint32_t size; /* bytes of the canonical spelling, may exceed `room` */
    uint64_t bytes;
    uint32_t tensors;
    gsp_detail detail; /* or NONE */
} gspi_type;

static void gspi_type_put(gspi_type *y, const char *data, uint32_t size)
{
    if (size != 0u && y->size <= y->room && size <= y->room - y->size) {
        gspi_copy(y->out + y->size, data, size, 1);
    }
    y->size += size;
}

/* Bytes per element, by the first number of the dtype, which is in bits; at least one byte. */
static uint32_t gspi_dtype_bytes(gsp_str dtype)
{
    uint32_t bits = 0;
    uint32_t i = 0;
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
    uint64_t product = element; /* saturates; a later 0 gives 0 */
    int too_big = 0;
    uint32_t i = gspi_skip_blanks(t, at);
    while (i < t.size && t.data[i] != ']') {
        uint32_t const begin = i;
        uint64_t dim = 1;
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
            gspi_type_put(y, ", ", 2);
            i = gspi_skip_blanks(t, i + 1u);
            y->detail = gspi_byte(t, i) == ']' ? GSP_DETAIL_TYPE : y->detail;
        }
    }
    if (i == t.size || (too_big && product != 0u) || product > UINT64_MAX - y->bytes) {
        y->detail = i == t.size ? GSP_DETAIL_TYPE : GSP_DETAIL_SIZE;
        return i;
    }
    gspi_type_put(y, "]", 1);
    y->bytes += product;
    y->tensors++;
    return i + 1u;
}

/* Scans the TYPE at `at` and returns its end. A counter of nested containers replaces a stack. */
static uint32_t gspi_type_scan(gspi_type *y, gsp_str t, uint32_t at)
{
    static const char others[] = "int,float,bool,str,none,tuple,list,dict,any";
    gsp_str const list = gspi_slice(others, 0, sizeof(others) - 1u);
    uint32_t depth = 0;
    uint32_t i = at;
    do {
        gsp_str const word = gspi_slice(t.data, i, gspi_skip_name(t, i));
        gspi_type_put(y, word.data, word.size);
        i += word.size;
        if (word.size == 0u || (gspi_byte(t, i) != '[' && !gspi_in_list(list, word))) {
            y->detail = GSP_DETAIL_TYPE;
        } else if (gspi_byte(t, i) == '[') {
            gspi_type_put(y, "[", 1);
            i = gspi_type_dims(y, t, i + 1u, gspi_dtype_bytes(word));
        } else if (gspi_byte(t, i) == '(') {
            gspi_type_put(y, "(", 1);
            i = gspi_skip_blanks(t, i + 1u);
            depth++;
            if (gspi_byte(t, i) != ')') {
                continue;
            }
        }
        for (; depth > 0u && gspi_byte(t, i) == ')' && y->detail == GSP_DETAIL_NONE; depth--) {
            gspi_type_put(y, ")", 1);
            i++;
        }
        if (depth > 0u && gspi_byte(t, i) == ',') {
            gspi_type_put(y, ", ", 2);
            i = gspi_skip_blanks(t, i + 1u);
        } else if (depth > 0u && y->detail == GSP_DETAIL_NONE) {
            y->detail = GSP_DETAIL_TYPE;
        }
    } while (depth > 0u && y->detail == GSP_DETAIL_NONE);
    return i;
}

static uint32_t gspi_skip_sign(gsp_str t, uint32_t at)
{
    return gspi_byte(t, at) == '-' || gspi_byte(t, at) == '+' ? at + 1u : at;
}

/* The index after the element of an aggregate's TYPE at `at`. */
static uint32_t gspi_type_element_end(gsp_str type, uint32_t at)
{
    uint32_t depth = 0;
    while (at < type.size && (depth > 0u || (type.data[at] != ',' && type.data[at] != ')'))) {
        depth += gspi_is_open(type.data[at]) ? 1u : 0u;
        depth -= gspi_is_close(type.data[at]) ? 1u : 0u;
        at++;
    }
    return at;
}

static int gspi_is_decimal(gsp_str t)
{
    uint32_t const begin = gspi_skip_sign(t, 0);
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

/* The end of a word of an annotation: a blank, or one of `stops`. */
static uint32_t gspi_word_end(gsp_str t, uint32_t at, const char *stops)
{
    uint32_t i;
    for (i = at; i < t.size && !gspi_is_blank(t.data[i]); i++) {
        for (uint32_t k = 0; stops[k] != '\0'; k++) {
            if (t.data[i] == stops[k]) {
                return i;
            }
        }
    }
    return i;
}

/* ---- Nodes, their rows and arguments ---- */

static gsp_str gspi_str(const gsp_module *module, gsp_atom s)
{
    if (s >= module->n_stored) {
        return gspi_slice("", 0, 0);
    }
    return gspi_slice(module->chars, module->string_begin[s], module->string_begin[s + 1u]);
}

/* The i-th graph, parameter or called module of a module; GSP_NONE after the last. */
static gsp_atom gspi_used_name(const gsp_module *m, uint32_t i)
{
    if (i < m->counts.graphs) {
        return m->graphs[i].name;
    }
    i -= m->counts.graphs;
    if (i < m->n_params) {
        return m->params[i].target;
    }
    i -= m->n_params;
    return i < m->n_leaves ? m->leaves[i].target : GSP_NONE;
}

/* These functions trust their node; the public ones below check it. */

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
    return gspi_str(g->module, gspi_name_id(g, v));
}

static gsp_str gspi_target_str(const gsp_graph *g, gsp_node v)
{
    return gspi_str(g->module, gspi_target_id(g, v));
}

static gsp_str gspi_type_str(const gsp_graph *g, gsp_node v)
{
    return gspi_str(g->module, g->module->type[g->first + v]);
}

/* Writes "n7"; returns its size. */
static uint32_t gspi_name_made(gsp_node v, char *out)
{
    out[0] = 'n';
    return 1u + gspi_decimal(v, out + 1);
}

/* 1 for a module without stored names and arguments; the inputs of a node are its arguments. */
static int gspi_is_bare(const gsp_module *m)
{
    return m->n_stored != m->counts.strings;
}

/* The value of an attribute, with NULL data if there is none of that key. */
static gsp_str gspi_attr_str(const gsp_graph *g, gsp_node v, gsp_key key)
{
    gsp_atom const s = gspi_attr(g, v, key);
    gsp_str const none = {NULL, 0u};
    return s == GSP_NONE ? none : gspi_str(g->module, s);
}

/* The id of gsp_node_class(). */
static gsp_atom gspi_class(const gsp_graph *g, gsp_node v)
{
    gsp_atom const s =
        gspi_op(g, v) == GSP_OP_CALL_MODULE ? gspi_attr(g, v, GSP_KEY_MODULE) : GSP_NONE;
    return s == GSP_NONE ? gspi_target_id(g, v) : s;
}

/* The distinct inputs or users, and the argument tokens, of a node. */
typedef struct {
    const gsp_node *at; /* [n] */
    uint32_t n;
} gspi_row;

typedef struct {
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

/* Predecessors or successors of nodes, which are inputs or users unless g->order is set. */
static gsp_edges gspi_edges(const gsp_graph *g, int after)
{
    const gsp_module *m = g->module;
    gsp_edges const e = {
        (after ? m->user_begin : m->in_begin) + g->first, after ? m->users : m->inputs};
    return g->order == NULL ? e : after ? g->order->after : g->order->before;
}

static gspi_row gspi_edges_at(gsp_edges e, gsp_node v)
{
    gspi_row const row = {e.at + e.begin[v], e.begin[v + 1u] - e.begin[v]};
    return row;
}

static gspi_row gspi_before(const gsp_graph *g, gsp_node v)
{
    return gspi_edges_at(gspi_edges(g, 0), v);
}

static gspi_row gspi_after(const gsp_graph *g, gsp_node v)
{
    return gspi_edges_at(gspi_edges(g, 1), v);
}

static gspi_arg_row gspi_args(const gsp_graph *g, gsp_node v)
{
    const uint32_t *begin = g->module->arg_begin + g->first + v;
    gspi_arg_row const row = {g->module->args + begin[0], begin[1] - begin[0]};
    return row;
}

/* 1 if v reads u, by bisection in the users of u. */
static int gspi_reads(const gsp_graph *g, gsp_node v, gsp_node u)
{
    gspi_row const users = gspi_users(g, u);
    uint32_t const at = gspi_lower_bound(users.at, users.n, v);
    return at < users.n && users.at[at] == v;
}

/* An iterator over the elements of an argument list or of a container. */
typedef struct {
    const gsp_arg *args;
    uint32_t n;     /* tokens */
    uint32_t next;  /* index after the current element */
    uint32_t at;    /* first token of its value */
    uint32_t index; /* index of the element */
    gsp_atom key;   /* or GSP_NONE */
} gspi_elements;

static gspi_elements gspi_elements_of(gspi_arg_row args)
{
    gspi_elements const e = {args.at, args.n, 0, 0, GSP_NONE, GSP_NONE};
    return e;
}

static int gspi_next_element(gspi_elements *e)
{
    if (e->next >= e->n) {
        return 0;
    }
    int const keyed = gspi_is_key(e->args[e->next]);
    e->key = keyed ? e->args[e->next].value : GSP_NONE;
    e->at = e->next + (keyed ? 1u : 0u);
    e->next = gspi_element_end(e->args, e->next);
    e->index++;
    return 1;
}

/* The next token from `i` on that is a node or a constant, as gsp_node_leaf() counts, or args.n. */
static uint32_t gspi_next_leaf(gspi_arg_row args, uint32_t i)
{
    while (i < args.n && !gspi_is_node(args.at[i]) && args.at[i].kind != GSP_ARG_CONSTANT) {
        i++;
    }
    return i;
}

/* The token at a flattened position, or GSP_NONE. Resumes at *token (position *at) if it can. */
static uint32_t gspi_seek_leaf(gspi_arg_row args, uint32_t *token, uint32_t *at, uint32_t position)
{
    if (position < *at) {
        *at = 0;
        *token = 0;
    }
    uint32_t i = gspi_next_leaf(args, *token);
    for (; *at < position && i < args.n; ++*at) {
        i = gspi_next_leaf(args, i + 1u);
    }
    *token = i;
    return i < args.n ? i : GSP_NONE;
}

/* Parses the number at `at` of a list such as "0,2" and moves *at after its comma; returns 0 if
 * there is none. */
static int gspi_next_position(gsp_str list, uint32_t *at, uint32_t *position)
{
    uint32_t const begin = *at;
    uint64_t value;
    uint32_t const end = (uint32_t)gspi_find_byte(list.data, list.size, begin, ',');
    *at = end < list.size ? end + 1u : list.size;
    if (!gspi_number(gspi_slice(list.data, begin, end), &value) || value >= GSP_NONE ||
        (end < list.size && end + 1u == list.size)) {
        return 0;
    }
    *position = (uint32_t)value;
    return 1;
}

/* The node that an operator.getitem indexes, or GSP_NONE if v is no getitem or indexes a
 * constant. */
static gsp_node gspi_getitem_source(const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    return gspi_op(g, v) == GSP_OP_CALL_FUNCTION && gspi_target_id(g, v) == GSP_KEY_GETITEM &&
                   args.n > 0u && gspi_is_node(args.at[0])
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
    return args.n == 2u && args.at[1].kind == GSP_ARG_CONSTANT;
}

/* Matches `*` and `?`, with `scope` also a prefix before a dot. Only the last star backtracks. */
static int gspi_glob(gsp_str pattern, gsp_str text, int scope)
{
    uint32_t p = 0;
    uint32_t t = 0;
    uint32_t star = GSP_NONE;
    uint32_t back = 0;
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

/* ---- Decimals ---- */

#ifndef GSP_NO_COST

/* Rounds correctly. 64-bit arithmetic gives a guess; then the digits are compared, nine at a time,
 * with the exact midpoint to its neighbour (at most 768 digits), before the point by division,
 * after it by multiplication. */

#define GSPI_BIG_LIMBS 34u /* of 32 bits; a midpoint has 1024 bits before the point, 1075 after */
#define GSPI_NINE      1000000000u

/* The decimal 0.digits * 10^point; `digits` has no leading zeros, but may contain one '.'. */
typedef struct {
    gsp_str digits;
    uint32_t dot; /* index of the '.', or the size */
    int32_t point;
    int negative;
} gspi_digits;

/* Nine digits from place `at` on as a number; zeros outside the digits. */
static uint32_t gspi_nine_digits(const gspi_digits *d, int64_t at)
{
    int64_t const end = at + 9;
    uint32_t nine = 0;
    for (; at < end; at++) {
        int64_t const k = at < (int64_t)d->dot ? at : at + 1;
        nine *= 10;
        nine += k < 0 || k >= (int64_t)d->digits.size ? 0u : (uint32_t)(d->digits.data[k] - '0');
    }
    return nine;
}

/* limb[0 .. GSPI_BIG_LIMBS), lowest first, become x * 2^shift; overflow is dropped. */
static void gspi_big_set(uint32_t *limb, uint64_t x, uint32_t shift)
{
    uint32_t i = shift / 32u;
    uint32_t above = 0; /* high bits of the previous limb */
    gspi_zero(limb, GSPI_BIG_LIMBS);
    shift %= 32;
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
        uint64_t rest = 0;
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
    uint32_t low = 0; /* lower limbs are zero */
    for (;;) {
        uint64_t carry = 0;
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

/* The bits of the nearest double (then *sure is 1), or of one not above it. m is at most the
 * decimal and loses at most 10 units in the last place per step, which proves the rounding in most
 * cases. */
static uint64_t gspi_decimal_guess(const gspi_digits *d, int *sure)
{
    uint64_t m = 0;
    int32_t ten = d->point;
    int32_t two = 63 + 1023; /* biased exponent of the top bit of m */
    uint32_t taken = 0;
    uint32_t error = d->digits.size > 19u ? 0x400u : 0u;
    *sure = 0;
    for (uint32_t i = 0; i < d->digits.size && taken < 19u; i++) {
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
        error += 10;
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
        return 0;
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

static gspi_digits gspi_decimal_digits(gsp_str t)
{
    gspi_digits d;
    int64_t exponent = 0;
    int64_t before = 0; /* digits before the point, minus leading zeros after it */
    uint32_t i = gspi_skip_sign(t, 0);
    int seen_point = 0;
    d.negative = t.data[0] == '-';
    for (; gspi_byte(t, i) == '0' || gspi_byte(t, i) == '.'; i++) {
        before -= seen_point; /* a well-formed number has no second one */
        seen_point |= t.data[i] == '.';
    }
    uint32_t const begin = i;
    for (; gspi_is_digit(gspi_byte(t, i)) || gspi_byte(t, i) == '.'; i++) {
        seen_point |= t.data[i] == '.';
        before += !seen_point;
    }
    d.digits = gspi_slice(t.data, begin, i);
    d.dot = gspi_find(d.digits, 0, ".");
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

#endif

/* ---- Text into a sink ---- */

typedef struct {
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
    w->used = 0;
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
    gspi_copy(w->buffer + w->used, t.data, t.size, 1);
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

static void gspi_put_between(gspi_writer *w, const char *before, gsp_str t, const char *after)
{
    gspi_puts(w, before);
    gspi_put(w, t);
    gspi_puts(w, after);
}

static void gspi_writer_start(gspi_writer *w, gsp_sink sink, void *user)
{
    w->sink = sink;
    w->user = user;
    w->stopped = 0;
    w->used = 0;
}

static gsp_status gspi_writer_end(gspi_writer *w, gsp_error *err)
{
    gspi_flush(w);
    GSPI_CHECK(!w->stopped, LIMIT, NONE);
    return gspi_done(err);
}

static void gspi_put_amount(gspi_writer *w, const char *before, uint64_t n, const char *after)
{
    char digits[20];
    gspi_puts(w, before);
    gspi_put(w, gspi_slice(digits, 0, gspi_decimal(n, digits)));
    gspi_puts(w, after);
}

/* ----
 * >>graph   Modules, graphs, nodes, arguments, annotations (implementation)
 * ---- */

/* A graph is a view of its module. Its nodes are contiguous in the arrays of all graphs, and rows
 * of inputs, users and arguments lie there in the order of nodes, so the counts of a graph are
 * differences of offsets. A graph with an order counts the edges of that order. */

#define GSPI_MAGIC   0x47535031u
#define GSPI_ORDER   0x01020304u
#define GSPI_VERSION 1u

gsp_graph gsp_module_graph(const gsp_module *module, uint32_t id)
{
    gsp_graph const none = {module, id, 0, 0, NULL};
    return id < module->counts.graphs ? gspi_graph(module, id) : none;
}

gsp_counts gsp_graph_counts(const gsp_graph *graph)
{
    const gsp_module *m = graph->module;
    gsp_counts c = m->counts;
    if (c.graphs != 1u) {
        uint32_t const end = graph->first + graph->n_nodes;
        c.graphs = 1;
        c.nodes = graph->n_nodes;
        c.edges = m->in_begin[end] - m->in_begin[graph->first];
        c.args = m->arg_begin[end] - m->arg_begin[graph->first];
    }
    c.edges = graph->order != NULL ? graph->order->before.begin[c.nodes] : c.edges;
    return c;
}

/* ----
 * >>build   Making a module step by step (implementation)
 * ---- */

/* A builder appends to arrays of the counted sizes at the high end of the arena, which ascend in
 * the order of the block. Finishing moves them down to its place at the low end: the hash table and
 * more, which lie below them, leave room for the arrays that only the block has. The table interns
 * strings: equal names, targets and types have equal ids. */

/* Keeps the first error, at the current node. */
GSPI_OWN_FRAME void gspi_build_fail(gsp_builder *b, gsp_status status, gsp_detail detail)
{
    if (b->error.status == GSP_OK) {
        uint32_t const node = b->current == GSP_NONE ? GSP_NONE : b->current - b->first;
        (void)gspi_fail_at(&b->error, status, detail, node, GSP_NONE);
    }
}

/* The same for an argument that is no index, or is NULL. */
GSPI_OWN_FRAME void gspi_build_fail_of(gsp_builder *b, gsp_detail detail, const char *field)
{
    int const first = b->error.status == GSP_OK;
    gspi_build_fail(b, GSP_STATUS_ARG, detail);
    b->error.field = first ? field : b->error.field;
}

/* Fails the builder unless `good` holds; returns 1 if it has no error. */
static int gspi_build_check(gsp_builder *b, int good, gsp_detail detail)
{
    if (!good) {
        gspi_build_fail(b, GSP_STATUS_ARG, detail);
    }
    return b->error.status == GSP_OK;
}

/* The same for an atom. */
static int gspi_build_check_atom(gsp_builder *b, gsp_atom atom, const char *field)
{
    if (atom >= b->used.strings) {
        gspi_build_fail_of(b, GSP_DETAIL_RANGE, field);
    }
    return b->error.status == GSP_OK;
}

/* Fails the builder unless `more` items fit; returns 1 if it has no error. */
static int gspi_build_room(
    gsp_builder *b, gsp_detail detail, uint32_t used, size_t more, uint32_t limit)
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

gsp_counts gsp_build_counts(uint32_t graphs, uint32_t nodes, uint32_t args, uint32_t attrs,
    uint32_t strings, uint32_t bytes)
{
    attrs = gspi_count_add(gspi_count_add(attrs, nodes), 1);
    strings = gspi_count_add(strings, GSP_KEY_COUNT);
    bytes = gspi_count_add(bytes, GSP_BUILD_BOUND_KEYS);
    gsp_counts const c = {graphs, nodes, args, args, attrs, strings, bytes};
    return c;
}

static uint32_t gspi_hash_slots(uint32_t strings)
{
    return gspi_pow2(gspi_count_add(strings, strings / 2u));
}

/* Most bytes of the head and the arrays of a block that a builder does not have: by_name, in_begin,
 * user_begin, inputs, users, and params and leaves, of `symbols` together. */
static size_t gspi_build_rest(const gsp_counts *c, size_t symbols)
{
    size_t const lists = gspi_mul_add(c->graphs, 4, sizeof(gspi_head) + 8u);
    size_t const rows = gspi_mul_add(c->edges, 8, gspi_mul_add(c->nodes, 8, lists));
    return gspi_mul_add(symbols, sizeof(gsp_symbol), rows);
}

/* Only measures if b is NULL, which saves the stack of a builder. */
static void gspi_build_layout(gspi_bump *m, gsp_builder *b, const gsp_counts *c, size_t symbols)
{
    uint32_t counts[GSPI_PARAMS];
    gsp_module *made = GSPI_HIGH(m, gsp_module, 1);
    size_t used = 0; /* down to the lowest array of the block */
    (void)GSP_MEMCPY(counts, c, sizeof(*c));
    for (uint32_t i = GSPI_MODULE_ARRAYS; i > 0u; i--) {
        gspi_module_array const a = gspi_module_arrays[i - 1u];
        if (a.in_builder != 0u) {
            void *p = gspi_bump_high(m, (size_t)counts[a.count] + a.more, a.size);
            used = a.in_module != 0u ? m->used : used;
            if (b != NULL) {
                (void)GSP_MEMCPY((unsigned char *)b + a.in_builder, &p, sizeof(p));
            }
        }
    }
    uint32_t *hash = gspi_words(m, gspi_hash_slots(c->strings));
    size_t const rest = gspi_build_rest(c, symbols);
    (void)gspi_bump_high(m, rest > m->used - used ? rest - (m->used - used) : 0u, 1);
    if (b != NULL) {
        b->made = made;
        b->hash = hash;
    }
}

/* gsp_build_bound() of a module with at most so many parameters and called modules. */
static size_t gspi_build_bound(const gsp_counts *counts, size_t symbols)
{
    gspi_bump m = gspi_measure();
    if (!gspi_counts_are_sane(counts)) {
        return SIZE_MAX;
    }
    gspi_build_layout(&m, NULL, counts, symbols);
    return gspi_bound(&m);
}

size_t gsp_build_bound(const gsp_counts *counts)
{
    return counts == NULL ? SIZE_MAX : gspi_build_bound(counts, counts->nodes);
}

static gsp_str gspi_build_text(const gsp_builder *b, gsp_atom s)
{
    return gspi_slice(b->chars, b->string_begin[s], b->string_begin[s + 1u]);
}

/* The first slot of a string; "x_10" to "x_19" share a cache line. */
static uint32_t gspi_build_hash(const gsp_builder *b, gsp_str text)
{
    uint32_t hash = 0;
    if (text.size != 0u) {
        text.size--;
        hash = gspi_hash(text.data, text.size, 0) ^ (unsigned char)text.data[text.size];
    }
    return hash & b->hash_mask;
}

/* The slot after a taken one. An odd step meets all; 17 leaves a line shared by "x_10" to "x_19" at
 * once. */
static uint32_t gspi_build_next(const gsp_builder *b, uint32_t slot)
{
    return (slot + 17u) & b->hash_mask;
}

static uint32_t gspi_build_slot(const gsp_builder *b, gsp_str text)
{
    uint32_t slot = gspi_build_hash(b, text);
    while (b->hash[slot] != GSP_NONE) {
        gsp_str const other = gspi_build_text(b, b->hash[slot]);
        if (other.size == text.size && gspi_same(other.data, text.data, text.size)) {
            break;
        }
        slot = gspi_build_next(b, slot);
    }
    return slot;
}

/* Rehashes all strings into `slots`, a power of two. A table that grows stays in cache. */
static void gspi_build_rehash(gsp_builder *b, uint32_t slots)
{
    b->hash_mask = slots - 1u;
    gspi_none(b->hash, slots);
    for (gsp_atom s = 0; s < b->used.strings; s++) {
        uint32_t slot = gspi_build_hash(b, gspi_build_text(b, s));
        while (b->hash[slot] != GSP_NONE) {
            slot = gspi_build_next(b, slot);
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

static int gspi_build_has_room(gsp_builder *b, size_t size)
{
    return gspi_build_room(b, GSP_DETAIL_CAPACITY_STRINGS, b->used.strings, 1, b->cap.strings) &&
           gspi_build_room(b, GSP_DETAIL_CAPACITY_BYTES, b->used.bytes, size, b->cap.bytes);
}

gsp_atom gsp_build_atom(gsp_builder *b, gsp_str text)
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
    char *out = b->chars + b->used.bytes;
    if (text.data != out) {
        gspi_copy(out, text.data, text.size, 1);
    }
    return gspi_build_append(b, slot, text.size);
}

/* Interns the `size` bytes that the caller wrote after the last string. */
static gsp_atom gspi_build_written(gsp_builder *b, uint32_t size)
{
    return gsp_build_atom(b, gspi_slice(b->chars, b->used.bytes, (size_t)b->used.bytes + size));
}

static void gspi_build_add_attr(gsp_builder *b, gsp_atom key, gsp_atom value)
{
    gsp_attr const attr = {key, value};
    if (gspi_build_room(b, GSP_DETAIL_CAPACITY_ATTRS, b->used.attrs, 1, b->cap.attrs)) {
        b->attrs[b->used.attrs++] = attr;
    }
}

/* Initialises the builder with the known keys and an empty list of attributes. */
static gsp_status gspi_build_start(
    gsp_builder *b, gsp_arena *arena, const gsp_counts *counts, size_t symbols, gsp_error *err)
{
    gspi_bump m = gspi_bump_over(arena);
    GSPI_GIVEN_2(arena, counts);
    GSPI_CHECK(counts->strings >= GSP_KEY_COUNT && counts->attrs != 0u, OVERFLOW, CAPACITY);
    GSPI_TRY(gspi_room(arena, gspi_build_bound(counts, symbols), err));
    b->arena = arena;
    b->mark = gsp_arena_mark(arena);
    b->cap = *counts;
    gspi_build_layout(&m, b, counts, symbols);
    b->string_begin[0] = 0;
    gspi_build_rehash(b, gspi_hash_slots(GSP_KEY_COUNT));
    for (uint32_t key = 0; key < GSP_KEY_COUNT; key++) {
        (void)gsp_build_atom(b, gspi_key(key));
    }
    gspi_build_add_attr(b, GSP_KEY_NONE, GSP_KEY_NONE);
    return b->error.status;
}

/* gsp_build_init() with room for so many parameters and called modules. */
static gsp_status gspi_build_init(
    gsp_builder *b, gsp_arena *arena, const gsp_counts *counts, size_t symbols, gsp_error *err)
{
    gspi_set(b, 0, sizeof(*b));
    (void)gspi_done(&b->error);
    b->current = GSP_NONE;
    b->container = GSP_NONE;
    b->slice = GSP_NONE;
    if (gspi_build_start(b, arena, counts, symbols, &b->error) != GSP_OK && b->arena != NULL) {
        gsp_arena_rewind(arena, b->mark);
        b->arena = NULL;
    }
    if (err != NULL) {
        *err = b->error;
    }
    return b->error.status;
}

gsp_status gsp_build_init(
    gsp_builder *b, gsp_arena *arena, const gsp_counts *counts, gsp_error *err)
{
    GSPI_GIVEN(b);
    return gspi_build_init(b, arena, counts, counts == NULL ? 0u : counts->nodes, err);
}

void gsp_build_adopt(gsp_builder *b, const gsp_module *module)
{
    gsp_counts const c = module->counts;
    if (!gspi_build_check(
            b, b->used.graphs == 0u && b->used.strings == GSP_KEY_COUNT, GSP_DETAIL_STATE) ||
        !gspi_build_room(b, GSP_DETAIL_CAPACITY_ATTRS, 0, c.attrs, b->cap.attrs) ||
        !gspi_build_room(b, GSP_DETAIL_CAPACITY_STRINGS, 0, c.strings, b->cap.strings) ||
        !gspi_build_room(b, GSP_DETAIL_CAPACITY_BYTES, 0, c.bytes, b->cap.bytes)) {
        return;
    }
    gspi_copy(b->attrs, module->attrs, c.attrs, sizeof(gsp_attr));
    b->used.attrs = c.attrs;
    b->used.strings = c.strings;
    b->used.bytes = c.bytes;
    uint32_t const stored = module->n_stored;
    gspi_copy(b->chars, module->chars, module->string_begin[stored], 1);
    for (gsp_atom s = 0; s < c.strings; s++) {
        if (s < stored) {
            b->string_begin[s + 1u] = module->string_begin[s + 1u];
        }
        b->node_of[s] = GSP_NONE;
        b->suffix_in[s] = GSP_NONE;
    }
    for (gsp_atom s = stored; s < c.strings; s++) {
        uint32_t const begin = b->string_begin[s];
        b->string_begin[s + 1u] = begin + gspi_name_made(s - stored, b->chars + begin);
    }
    /* A large table is cleared faster than grown. */
    gspi_build_rehash(b, gspi_hash_slots(c.strings < 1000u ? c.strings : b->cap.strings));
}

/* Checks a complete node: a placeholder has at most one argument, an output one, get_attr none. */
static gsp_detail gspi_build_shape(const gsp_builder *b)
{
    uint32_t const begin = b->arg_begin[b->current];
    uint8_t const op = b->op[b->current];
    int const none = begin == b->used.args;
    if (b->container != GSP_NONE) {
        return GSP_DETAIL_BRACKET;
    }
    if (!none && gspi_is_key(b->args[b->used.args - 1u])) {
        return GSP_DETAIL_KEY;
    }
    if (op == GSP_OP_OUTPUT &&
        (none || (b->args[begin].kind == GSP_ARG_CONSTANT &&
                     gspi_trim(gspi_build_text(b, b->args[begin].value)).size == 0u))) {
        return GSP_DETAIL_RETURN;
    }
    if (!gspi_is_callable(op) && !none &&
        (op == GSP_OP_GET_ATTR || gspi_element_end(b->args, begin) != b->used.args)) {
        return GSP_DETAIL_STATE;
    }
    for (uint32_t i = begin; op == GSP_OP_PLACEHOLDER && i < b->used.args; i++) {
        if (gspi_is_node(b->args[i])) {
            return GSP_DETAIL_DEFAULT;
        }
    }
    return GSP_DETAIL_NONE;
}

/* Completes the current node and terminates its attributes. */
static void gspi_build_node_done(gsp_builder *b)
{
    if (b->current != GSP_NONE && b->error.status == GSP_OK) {
        gsp_detail const detail = gspi_build_shape(b);
        if (detail != GSP_DETAIL_NONE) {
            gspi_build_fail(
                b, detail == GSP_DETAIL_RETURN ? GSP_STATUS_PARSE : GSP_STATUS_ARG, detail);
        } else if (b->used.attrs > b->run) {
            gspi_build_add_attr(b, GSP_KEY_NONE, GSP_KEY_NONE);
        }
    }
    b->current = GSP_NONE;
    b->container = GSP_NONE;
    b->slice = GSP_NONE;
}

/* Begins a graph of a legal name. */
static void gspi_build_graph_atom(gsp_builder *b, gsp_atom s)
{
    if (gspi_build_room(b, GSP_DETAIL_CAPACITY_GRAPHS, b->used.graphs, 1, b->cap.graphs)) {
        gsp_graph_entry const graph = {s, b->used.nodes, 0u};
        b->graphs[b->used.graphs++] = graph;
        b->first = b->used.nodes;
        b->open = 1;
    }
}

void gsp_build_graph(gsp_builder *b, gsp_str name)
{
    gsp_atom const s = name.size == 0u ? (gsp_atom)GSP_KEY_MAIN : gsp_build_atom(b, name);
    gspi_build_node_done(b);
    (void)gspi_build_check(b, !b->open, GSP_DETAIL_STATE);
    (void)gspi_build_check(
        b, gspi_is_one_line(name) && gspi_trim(name).size == name.size, GSP_DETAIL_MODULE_NAME);
    gspi_build_graph_atom(b, s);
}

/* 1 for a name used or reserved in the current graph. */
static int gspi_build_is_taken(const gsp_builder *b, gsp_atom name)
{
    uint32_t const node = b->node_of[name];
    return node != GSP_NONE && node >= b->first;
}

/* 1 for a reserved name, whose entry is the first node of the graph, which has another name. */
static int gspi_build_is_reserved(const gsp_builder *b, gsp_atom name)
{
    uint32_t const node = b->node_of[name];
    return node >= b->used.nodes || b->name[node] != name;
}

static void gspi_build_error_at_next(gsp_builder *b, gsp_node other)
{
    b->error.what = GSP_WHAT_NODE;
    b->error.node = b->used.nodes - b->first;
    b->error.other = other;
}

static gsp_node gspi_build_add_node(gsp_builder *b, gsp_op op, gsp_atom name, gsp_atom target)
{
    uint32_t const v = b->used.nodes;
    gspi_build_node_done(b);
    if (!gspi_build_check(b, b->open, GSP_DETAIL_STATE) ||
        !gspi_build_room(b, GSP_DETAIL_CAPACITY_NODES, v, 1, b->cap.nodes)) {
        return GSP_NONE;
    }
    b->op[v] = (uint8_t)op;
    b->out[v] = GSP_VALUE_TENSOR;
    b->flags[v] = 0;
    b->name[v] = name;
    b->target[v] = target;
    b->type[v] = GSP_KEY_NONE;
    b->bytes[v] = 0;
    b->attr[v] = 0;
    b->run = b->used.attrs;
    b->keyed = 0;
    b->arg_begin[v] = b->used.args;
    b->used.nodes++;
    b->current = v;
    return v - b->first;
}

gsp_node gsp_build_node_atoms(gsp_builder *b, gsp_op op, gsp_atom name, gsp_atom target)
{
    gsp_detail const detail = b->used.graphs == 0u                       ? GSP_DETAIL_STATE
                              : op <= GSP_OP_NONE || op >= GSP_OP_OUTPUT ? GSP_DETAIL_OP
                              : name >= b->used.strings || target >= b->used.strings
                                  ? GSP_DETAIL_RANGE
                                  : GSP_DETAIL_NONE;
    if (detail == GSP_DETAIL_RANGE) {
        const char *const field = GSPI_FIELD("target");
        gspi_build_fail_of(b, detail, name >= b->used.strings ? GSPI_FIELD("name") : field);
    }
    if (!gspi_build_check(b, detail == GSP_DETAIL_NONE, detail)) {
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

void gsp_build_reserve(gsp_builder *b, gsp_atom name)
{
    if (gspi_build_check(b, b->used.graphs != 0u, GSP_DETAIL_STATE) &&
        gspi_build_check_atom(b, name, GSPI_FIELD("name")) && !gspi_build_is_taken(b, name)) {
        b->node_of[name] = b->first;
    }
}

gsp_node gsp_build_output(gsp_builder *b)
{
    gsp_node const v = gspi_build_add_node(b, GSP_OP_OUTPUT, GSP_KEY_OUTPUT, GSP_KEY_OUTPUT);
    if (v != GSP_NONE) {
        b->graphs[b->used.graphs - 1u].n_nodes = v + 1u;
        b->open = 0;
    }
    return v;
}

/* Keys occur in dicts and at the top level of calls; after the first, every element has a key. */
static void gspi_build_push(gsp_builder *b, gsp_arg_kind kind, uint32_t value)
{
    if (b->current == GSP_NONE) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_STATE);
    } else if (b->used.args >= b->cap.args) {
        (void)gspi_build_room(b, GSP_DETAIL_CAPACITY_ARGS, b->used.args, 1, b->cap.args);
    } else if (b->error.status == GSP_OK) {
        int const after_key =
            b->used.args > b->arg_begin[b->current] && gspi_is_key(b->args[b->used.args - 1u]);
        int const top = b->container == GSP_NONE;
        int const dict = !top && b->args[b->container].kind == GSP_ARG_DICT;
        int good = !after_key;
        if (kind == GSP_ARG_KEY) {
            good &= top ? gspi_is_callable(b->op[b->current]) : dict;
        } else if (kind != GSP_ARG_CLOSE) {
            good = after_key | (top ? !b->keyed : !dict);
        }
        (void)gspi_build_check(b, good, GSP_DETAIL_KEY);
    }
    if (b->error.status == GSP_OK) {
        b->keyed |= kind == GSP_ARG_KEY && b->container == GSP_NONE;
        b->args[b->used.args].kind = (uint32_t)kind;
        b->args[b->used.args++].value = value;
    }
}

void gsp_build_arg_node(gsp_builder *b, gsp_node node)
{
    if (b->current != GSP_NONE && node >= b->current - b->first) {
        gspi_build_fail(b, GSP_STATUS_UNDEFINED, GSP_DETAIL_NAME_UNKNOWN);
    }
    gspi_build_push(b, GSP_ARG_NODE, node);
}

/* The token of an open container holds the index of the enclosing one. */
void gsp_build_open(gsp_builder *b, gsp_arg_kind container)
{
    (void)gspi_build_check(b, gspi_is_opening((uint32_t)container), GSP_DETAIL_KIND);
    gspi_build_push(b, container, b->container);
    if (b->error.status == GSP_OK) {
        b->container = b->used.args - 1u;
        b->slice = container == GSP_ARG_SLICE && b->slice == GSP_NONE ? b->container : b->slice;
    }
}

void gsp_build_close(gsp_builder *b)
{
    uint32_t const open = b->container;
    if (!gspi_build_check(b, open != GSP_NONE, GSP_DETAIL_BRACKET)) {
        return;
    }
    /* A list or slice with one empty constant would read back as an empty one. */
    const gsp_arg *args = b->args + open;
    (void)gspi_build_check(b,
        b->used.args != open + 2u || args[0].kind == GSP_ARG_TUPLE ||
            args[1].kind != GSP_ARG_CONSTANT ||
            gspi_trim(gspi_build_text(b, args[1].value)).size != 0u,
        GSP_DETAIL_CONSTANT);
    gspi_build_push(b, GSP_ARG_CLOSE, b->used.args - open);
    if (b->error.status == GSP_OK) {
        b->container = b->args[open].value;
        b->args[open].value = b->used.args - 1u - open;
        b->slice = b->slice == open ? GSP_NONE : b->slice;
    }
}

void gsp_build_key(gsp_builder *b, gsp_str key)
{
    int plain = key.size > 0u && gspi_is_one_line(key) && gspi_trim(key).size == key.size;
    for (uint32_t i = 0; plain && !gspi_is_quote(key, 0) && i < key.size; i++) {
        char const c = key.data[i];
        plain = !gspi_is_open(c) && !gspi_is_close(c) && c != ':' && c != ',';
    }
    plain = plain && (!gspi_is_quote(key, 0) || gspi_quote_end(key, 0) == key.size);
    (void)gspi_build_check(b, plain, GSP_DETAIL_KEY);
    gspi_build_push(b, GSP_ARG_KEY, gsp_build_atom(b, key));
}

/* The earlier node of this name in the current graph, or GSP_NONE. */
static gsp_node gspi_build_lookup(const gsp_builder *b, gsp_str name)
{
    gsp_atom const s = b->hash[gspi_build_slot(b, name)];
    if (s == GSP_NONE || !gspi_build_is_taken(b, s) || b->node_of[s] >= b->current ||
        gspi_build_is_reserved(b, s)) {
        return GSP_NONE;
    }
    return b->node_of[s] - b->first;
}

/* 1 if a constant has "%name" at its start or after a comma, which would lose an edge. */
static int gspi_build_hides_node(const gsp_builder *b, gsp_str t)
{
    for (uint32_t i = gspi_is_quote(t, 0) ? gspi_quote_end(t, 0) : 0u; i < t.size; i++) {
        if (t.data[i] == '%' && (i == 0u || t.data[i - 1u] == ',')) {
            uint32_t const end = gspi_skip_name(t, i + 1u);
            gsp_str const name = gspi_slice(t.data, (size_t)i + 1u, end);
            if (gspi_build_lookup(b, name) != GSP_NONE) {
                return 1;
            }
        }
    }
    return 0;
}

/* After `return` and in a slice, names have no '%', so a constant must differ from all of them. */
static int gspi_is_taken_for_node(const gsp_builder *b, gsp_str t)
{
    int const output = b->op[b->current] == GSP_OP_OUTPUT;
    uint32_t open;
    if (!output && b->slice == GSP_NONE) {
        return 0;
    }
    gsp_atom const s = b->hash[gspi_build_slot(b, gspi_trim(t))];
    return (s != GSP_NONE && gspi_build_is_taken(b, s)) ||
           (output && gspi_constant_end(t, 0, 1, &open) != t.size);
}

void gsp_build_constant(gsp_builder *b, gsp_str spelling)
{
    if (gspi_build_check(b, b->current != GSP_NONE, GSP_DETAIL_STATE) &&
        gspi_build_check(b,
            gspi_is_constant(spelling) && !gspi_is_taken_for_node(b, spelling) &&
                !gspi_build_hides_node(b, gspi_trim(spelling)),
            GSP_DETAIL_CONSTANT)) {
        gspi_build_push(b, GSP_ARG_CONSTANT, gsp_build_atom(b, spelling));
    }
}

void gsp_build_arg(gsp_builder *b, gsp_arg arg)
{
    if (gspi_is_node(arg)) {
        gsp_build_arg_node(b, arg.value);
    } else if (arg.kind == GSP_ARG_CLOSE) {
        gsp_build_close(b);
    } else if (gspi_is_opening(arg.kind)) {
        gsp_build_open(b, (gsp_arg_kind)arg.kind);
    } else if (arg.kind != GSP_ARG_CONSTANT && !gspi_is_key(arg)) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_KIND);
    } else if (gspi_build_check_atom(b, arg.value, GSPI_FIELD("value"))) {
        gspi_build_push(b, (gsp_arg_kind)arg.kind, arg.value);
    }
}

/* suffix_in[] of a checked decimal, or TYPE of a tensor whose bytes suffix_low[] and suffix_high[]
 * hold. */
#define GSPI_KNOWN_DECIMAL (GSP_NONE - 1u)
#define GSPI_KNOWN_TENSOR  (GSP_NONE - 2u)

static void gspi_build_set_type(gsp_builder *b, gsp_atom type, gsp_value_kind out, uint64_t bytes)
{
    b->type[b->current] = type;
    b->out[b->current] = (uint8_t)out;
    if ((b->flags[b->current] & GSP_FLAG_BYTES) == 0u) {
        b->bytes[b->current] = bytes;
    }
}

/* Sets a TYPE that was never parsed. */
static uint32_t gspi_build_type_new(gsp_builder *b, gsp_str t, uint32_t at)
{
    gspi_type y = {
        b->chars + b->used.bytes, b->cap.bytes - b->used.bytes, 0, 0, 0, GSP_DETAIL_NONE};
    uint32_t const end = gspi_type_scan(&y, t, at);
    if (y.detail != GSP_DETAIL_NONE) {
        gspi_build_fail(
            b, y.detail == GSP_DETAIL_TYPE ? GSP_STATUS_ARG : GSP_STATUS_OVERFLOW, y.detail);
        return at;
    }
    /* A known TYPE in canonical spelling needs no room. */
    gsp_str const text =
        y.size <= y.room ? gspi_slice(y.out, 0, y.size) : gspi_slice(t.data, at, end);
    uint32_t const slot = gspi_build_slot(b, text);
    if (b->hash[slot] == GSP_NONE && !gspi_build_has_room(b, y.size)) {
        return at;
    }
    gsp_value_kind const out = y.tensors == 0u                    ? GSP_VALUE_OTHER
                               : text.data[text.size - 1u] == ')' ? GSP_VALUE_AGGREGATE
                                                                  : GSP_VALUE_TENSOR;
    gsp_atom const s =
        b->hash[slot] != GSP_NONE ? b->hash[slot] : gspi_build_append(b, slot, y.size);
    gspi_build_set_type(b, s, out, y.bytes);
    if (out == GSP_VALUE_TENSOR) {
        b->suffix_in[s] = GSPI_KNOWN_TENSOR;
        b->suffix_low[s] = (uint32_t)y.bytes;
        b->suffix_high[s] = (uint32_t)(y.bytes >> 32);
    }
    return end;
}

/* Sets the TYPE at `at`; returns its end, or `at` after an error. */
static uint32_t gspi_build_type_at(gsp_builder *b, gsp_str t, uint32_t at)
{
    size_t const bracket = gspi_find_byte(t.data, t.size, at, ']');
    gsp_str const text = gspi_slice(t.data, at, bracket < t.size ? bracket + 1u : at);
    gsp_atom const s = b->hash[gspi_build_slot(b, text)];
    if (s == GSP_NONE || b->suffix_in[s] != GSPI_KNOWN_TENSOR) {
        return gspi_build_type_new(b, t, at);
    }
    gspi_build_set_type(
        b, s, GSP_VALUE_TENSOR, (uint64_t)b->suffix_high[s] << 32 | b->suffix_low[s]);
    return at + text.size;
}

void gsp_build_type(gsp_builder *b, gsp_str type)
{
    if (gspi_build_check(b, b->current != GSP_NONE, GSP_DETAIL_STATE)) {
        (void)gspi_build_check(b, gspi_build_type_at(b, type, 0) == type.size, GSP_DETAIL_TYPE);
    }
}

/* A decimal that could be a name is checked each time. */
static int gspi_build_is_decimal(gsp_builder *b, gsp_str value, gsp_atom id)
{
    if (b->suffix_in[id] == GSPI_KNOWN_DECIMAL) {
        return 1;
    }
    int const decimal = gspi_is_decimal(value);
    if (decimal && gspi_is_digit(value.data[0])) {
        b->suffix_in[id] = GSPI_KNOWN_DECIMAL;
    }
    return decimal;
}

/* Checks the value of a known key and fills the field of that key, if any. MEM to COMM are
 * seconds. */
static gsp_detail gspi_build_known(gsp_builder *b, uint32_t key, gsp_str value, gsp_atom id)
{
    uint8_t *flags = &b->flags[b->current];
    uint64_t number = 0;
    if (key >= GSP_KEY_MEM && key <= GSP_KEY_COMM) {
        return gspi_build_is_decimal(b, value, id) ? GSP_DETAIL_NONE : GSP_DETAIL_NUMBER;
    }
    if (key == GSP_KEY_GROUP) {
        *flags |= GSP_FLAG_GROUP;
    }
    if (key != GSP_KEY_BYTES && key != GSP_KEY_PARAMS && key != GSP_KEY_ACC) {
        return GSP_DETAIL_NONE;
    }
    if (!gspi_number(value, &number)) {
        return gspi_is_digits(value) ? GSP_DETAIL_SIZE : GSP_DETAIL_NUMBER;
    }
    if (key == GSP_KEY_BYTES) {
        b->bytes[b->current] = number;
        *flags |= GSP_FLAG_BYTES;
    } else if (key == GSP_KEY_ACC) {
        *flags |= GSP_FLAG_ACC;
        return number < GSP_KIND_NONE ? GSP_DETAIL_NONE : GSP_DETAIL_KIND;
    }
    return GSP_DETAIL_NONE;
}

/* 1 if key=value reads back as this pair; `word` is 1 if the value is known to be a word. A type
 * expression stands before "[num_users=". */
static int gspi_is_attr(gsp_atom key_id, gsp_str key, gsp_str value, int word)
{
    if (key_id != GSP_KEY_ANNOTATION) {
        return (word || gspi_is_word(value)) &&
               (key_id < GSP_KEY_COUNT ||
                   (gspi_is_word(key) && gspi_word_end(key, 0, "=[(") == key.size));
    }
    return value.size > 0u && gspi_is_one_line(value) && gspi_trim(value).size == value.size &&
           gspi_find(value, 0, "[num_users=") == value.size &&
           gspi_find(value, 0, "[#users=") == value.size;
}

/* Adopted attributes are shared, so none can be added. A node has at most one type expression, an
 * output none. */
static int gspi_build_takes_attr(const gsp_builder *b, gsp_atom key)
{
    if (b->attr[b->current] != 0u && b->attr[b->current] != b->run) {
        return 0;
    }
    for (uint32_t i = b->run; key == GSP_KEY_ANNOTATION && i < b->used.attrs; i++) {
        if (b->attrs[i].key == key) {
            return 0;
        }
    }
    return key != GSP_KEY_ANNOTATION || b->op[b->current] != GSP_OP_OUTPUT;
}

static void gspi_build_run_attr(gsp_builder *b, gsp_atom key, gsp_atom value)
{
    if (b->used.attrs == b->run) {
        b->attr[b->current] = b->run;
    }
    gspi_build_add_attr(b, key, value);
}

static void gspi_build_attr(gsp_builder *b, gsp_str key, gsp_str value, int word)
{
    gsp_atom const k = gsp_build_atom(b, key);
    gsp_atom const v = gsp_build_atom(b, value);
    if (!gspi_build_check(b, b->current != GSP_NONE, GSP_DETAIL_STATE) ||
        !gspi_build_check(b, k != GSP_KEY_NONE, GSP_DETAIL_ANNOTATION)) {
        return;
    }
    gsp_detail const detail = gspi_is_attr(k, key, value, word) && gspi_build_takes_attr(b, k)
                                  ? gspi_build_known(b, k, value, v)
                                  : GSP_DETAIL_ANNOTATION;
    if (detail == GSP_DETAIL_NONE) {
        gspi_build_run_attr(b, k, v);
    } else {
        gspi_build_fail(
            b, detail == GSP_DETAIL_SIZE ? GSP_STATUS_OVERFLOW : GSP_STATUS_ARG, detail);
    }
}

void gsp_build_attr(gsp_builder *b, gsp_str key, gsp_str value)
{
    gspi_build_attr(b, key, value, 0);
}

void gsp_build_like(gsp_builder *b, const gsp_graph *graph, gsp_node node, int attributes)
{
    const gsp_module *m = graph->module;
    uint32_t const v = graph->first + node;
    uint32_t const at = b->current;
    if (!gspi_build_check(b, at != GSP_NONE, GSP_DETAIL_STATE)) {
        return;
    }
    if (node >= graph->n_nodes || m->type[v] >= b->used.strings || m->attr[v] >= b->used.attrs) {
        gspi_build_fail_of(b, GSP_DETAIL_RANGE, GSPI_FIELD("node"));
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
            b->flags[at] |= GSP_FLAG_BYTES;
            gspi_build_run_attr(b, GSP_KEY_BYTES, s);
        }
    }
}

/* ---- free names ---- */

/* Writes `wanted` after the last string, each run of illegal bytes as one '_'; returns its size. */
GSPI_OWN_FRAME uint32_t gspi_name_clean(const gsp_builder *b, gsp_str wanted)
{
    char *out = b->chars + b->used.bytes;
    uint32_t size = 0;
    if (wanted.size == 0u || gspi_is_digit(wanted.data[0])) {
        out[size++] = '_';
    }
    for (uint32_t i = 0; i < wanted.size; i++) {
        if (gspi_is_name(wanted.data[i])) {
            out[size++] = wanted.data[i];
        } else if (i == 0u || gspi_is_name(wanted.data[i - 1u])) {
            out[size++] = '_';
        }
    }
    return size;
}

/* Records base_N as used for low <= N < high; per base only the longest interval is recorded. */
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
    gspi_copy(out, t.data, t.size, 1);
    out[t.size] = '_';
    do {
        size = t.size + 1u + gspi_decimal(next, out + t.size + 1u);
        slot = gspi_build_slot(b, gspi_slice(out, 0, size));
        s = b->hash[slot];
        next++;
    } while (s != GSP_NONE && gspi_build_is_taken(b, s));
    gspi_name_remember(b, base, number + 1u, next);
    return s != GSP_NONE ? s : gspi_build_append(b, slot, size);
}

gsp_atom gsp_build_name(gsp_builder *b, gsp_str wanted)
{
    uint32_t base_size = 0;
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

/* Gives the present node its original name. */
static void gspi_build_original(gsp_builder *b, gsp_str name)
{
    char *out = b->chars + b->used.bytes;
    uint32_t size = 0;
    if (name.size != 0u && gspi_build_has_room(b, (size_t)name.size * 3u)) {
        for (uint32_t i = 0; i < name.size; i++) {
            size += gspi_escape(name.data[i], out + size);
        }
        gsp_atom const original = gspi_build_written(b, size);
        gspi_build_run_attr(b, gsp_build_atom(b, gspi_slice("name", 0, 4)), original);
    }
}

/* 1 for the name of a node that has an original one. */
static int gspi_build_is_made(const gsp_builder *b, gsp_atom s)
{
    if (!gspi_build_is_taken(b, s) || gspi_build_is_reserved(b, s)) {
        return 0;
    }
    gsp_str const key = gspi_build_text(b, b->attrs[b->attr[b->node_of[s]]].key);
    return key.size == 4u && gspi_same(key.data, "name", 4);
}

/* gsp_build_node() of a legal target; a `plain` name is legal too. */
static gsp_node gspi_build_node(gsp_builder *b, gsp_op op, gsp_str name, gsp_str target, int plain)
{
    gsp_atom const t = gsp_build_atom(b, target); /* C evaluates arguments in any order */
    gsp_atom const s = plain ? gsp_build_atom(b, name) : (gsp_atom)GSP_KEY_NONE;
    if (b->error.status != GSP_OK || (plain && !gspi_build_is_made(b, s))) {
        return gsp_build_node_atoms(b, op, s, t);
    }
    gsp_node const v = gsp_build_node_atoms(b, op, gsp_build_name(b, name), t);
    gspi_build_original(b, name);
    return v;
}

gsp_node gsp_build_node(gsp_builder *b, gsp_op op, gsp_str name, gsp_str target)
{
    int const plain = name.size != 0u && gspi_skip_name(name, 0) == name.size;
    if (b->error.status == GSP_OK &&
        (!gspi_is_one_line(target) ||
            gspi_target_end(target, gspi_is_callable((uint8_t)op)) != target.size)) {
        gspi_build_fail(b, GSP_STATUS_ARG, GSP_DETAIL_TARGET);
        if (b->used.graphs != 0u) {
            gspi_build_error_at_next(b, GSP_NONE);
        }
    }
    return gspi_build_node(b, op, name, target, plain);
}

gsp_node gsp_build_call(gsp_builder *b, gsp_str target, const gsp_node *inputs, uint32_t n_inputs)
{
    gsp_str const name = gspi_build_text(b, gsp_build_name(b, target));
    gsp_node const v = gsp_build_node(b, GSP_OP_CALL_FUNCTION, name, target);
    for (uint32_t i = 0; i < n_inputs; i++) {
        gsp_build_arg_node(b, inputs[i]);
    }
    return v;
}

static gsp_atom gspi_build_joined(gsp_builder *b, gsp_str head, gsp_str tail)
{
    char *out = b->chars + b->used.bytes;
    if (GSPI_NEVER(!gspi_build_has_room(b, (size_t)head.size + tail.size))) {
        return GSP_KEY_NONE;
    }
    gspi_copy(out, head.data, head.size, 1);
    gspi_copy(out + head.size, tail.data, tail.size, 1);
    return gspi_build_written(b, head.size + tail.size);
}

/* "submod", 3 -> "submod_3". */
static gsp_atom gspi_build_numbered(gsp_builder *b, gsp_str base, uint32_t number)
{
    char tail[21];
    tail[0] = '_';
    return gspi_build_joined(b, base, gspi_slice(tail, 0, 1u + gspi_decimal(number, tail + 1)));
}

/* A target as one attribute name: '_' replaces every '.'. */
static gsp_atom gspi_build_flat(gsp_builder *b, gsp_str target)
{
    char *out = b->chars + b->used.bytes;
    if (GSPI_NEVER(!gspi_build_has_room(b, target.size))) {
        return GSP_KEY_NONE;
    }
    for (uint32_t i = 0; i < target.size; i++) {
        out[i] = (char)(target.data[i] == '.' ? '_' : target.data[i]);
    }
    return gspi_build_written(b, target.size);
}

/* Iterates over names of a module that begin with `base`, which new graphs must avoid: of graphs,
 * parameters and called modules, each as a whole and up to its first '.'. GSP_NONE at the end. Adds
 * at most one string per parameter and called module, parts of their bytes. */
static gsp_atom gspi_build_next_used(
    gsp_builder *b, const gsp_module *m, gsp_str base, uint32_t *at)
{
    for (;;) {
        gsp_atom const s = gspi_used_name(m, *at / 2u);
        gsp_str const t = gspi_str(m, s);
        int const begins = s != GSP_NONE && gspi_begins(t, base);
        if (s == GSP_NONE || (begins && *at % 2u == 0u)) {
            ++*at;
            return s;
        }
        *at += 2u - *at % 2u;
        size_t const dot = begins ? gspi_find_byte(t.data, t.size, 0, '.') : t.size;
        if (dot < t.size) {
            return gsp_build_atom(b, gspi_slice(t.data, 0, dot));
        }
    }
}

/* Name spaces, numbered from 1 by the caller. A name is used in one, or in all (GSP_NONE). */
typedef struct {
    uint32_t space;     /* in which the name is used */
    uint32_t number;    /* last number given to it */
    uint32_t number_in; /* space of that number */
} gspi_name;

typedef struct {
    gspi_name *of; /* [b->cap.strings] */
    uint32_t n;    /* initialised entries; others follow on demand */
} gspi_names;

static gspi_name *gspi_build_name_at(gspi_names *names, gsp_atom name)
{
    for (; names->n <= name; names->n++) {
        names->of[names->n].space = 0;
        names->of[names->n].number_in = 0;
    }
    return &names->of[name];
}

static int gspi_build_name_is_taken(gspi_names *names, gsp_atom name, uint32_t space)
{
    uint32_t const now = gspi_build_name_at(names, name)->space;
    return now == space || now == GSP_NONE;
}

static void gspi_build_take(gspi_names *names, gsp_atom name, uint32_t space)
{
    gspi_name *at = gspi_build_name_at(names, name);
    at->space = at->space == GSP_NONE ? GSP_NONE : space;
}

/* Adds `wanted` to a space, or its next free number ("conv_1"). After an error the result is
 * arbitrary. */
static gsp_atom gspi_build_name_free(
    gsp_builder *b, gspi_names *names, gsp_atom wanted, uint32_t space)
{
    gsp_str t = gspi_build_text(b, wanted);
    gsp_atom name = wanted;
    if (gspi_build_name_is_taken(names, wanted, space)) {
        gspi_name *w = gspi_build_name_at(names, wanted);
        uint32_t number = gspi_name_suffix(t, &t.size);
        number = w->number_in == space ? w->number : number;
        while (gspi_build_name_is_taken(names, name, space) && b->error.status == GSP_OK) {
            name = gspi_build_numbered(b, t, ++number);
        }
        w->number = number;
        w->number_in = space;
    }
    gspi_build_name_at(names, name)->space = space;
    return name;
}

/* ---- finishing ---- */

/* Counts, and lists in `row` unless NULL, the distinct node arguments of v in argument order.
 * node_of[u] is the last user of u. */
static uint32_t gspi_distinct_inputs(const gsp_builder *b, uint32_t v, gsp_node *row)
{
    uint32_t const end = v + 1u < b->used.nodes ? b->arg_begin[v + 1u] : b->used.args;
    uint32_t count = 0;
    for (uint32_t i = b->arg_begin[v]; i < end; i++) {
        uint32_t const u = b->args[i].value;
        if (gspi_is_node(b->args[i]) && b->node_of[u] != v) {
            b->node_of[u] = v;
            if (row != NULL) {
                row[count] = u;
            }
            count++;
        }
    }
    return count;
}

/* Counts, and lists once the block exists, distinct targets of get_attr nodes and of called leaf
 * modules, by first use. node_of[target] has a bit per kind of target. */
static void gspi_finish_symbols(gsp_builder *b, gsp_module *m)
{
    gsp_symbol *params = (gsp_symbol *)(uintptr_t)m->params;
    gsp_symbol *leaves = (gsp_symbol *)(uintptr_t)m->leaves;
    m->n_params = 0;
    m->n_leaves = 0;
    gspi_zero(b->node_of, (size_t)b->used.strings + 1u);
    for (uint32_t g = 0; g < b->used.graphs; g++) {
        b->node_of[b->graphs[g].name] = 1;
    }
    for (uint32_t g = 0; g < b->used.graphs; g++) {
        for (uint32_t i = 0; i < b->graphs[g].n_nodes; i++) {
            uint32_t const v = b->graphs[g].first + i;
            int const param = b->op[v] == GSP_OP_GET_ATTR;
            uint32_t const bit = param ? 2u : 4u;
            if (!(param || b->op[v] == GSP_OP_CALL_MODULE) ||
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

/* Fills rows of inputs, then rows of users by a counting sort. */
GSPI_OWN_FRAME void gspi_finish_rows(gsp_builder *b, const gsp_module *m)
{
    uint32_t *in_begin = (uint32_t *)(uintptr_t)m->in_begin;
    uint32_t *user_begin = (uint32_t *)(uintptr_t)m->user_begin;
    gsp_node *inputs = (gsp_node *)(uintptr_t)m->inputs;
    gsp_node *users = (gsp_node *)(uintptr_t)m->users;
    uint32_t const n = m->counts.nodes;
    uint32_t g = 0;
    gspi_none(b->node_of, (size_t)b->used.strings + 1u);
    gspi_zero(user_begin, (size_t)n + 1u);
    in_begin[0] = 0;
    for (uint32_t v = 0; v < n; v++) {
        g += v >= b->graphs[g].first + b->graphs[g].n_nodes;
        in_begin[v + 1u] = in_begin[v] + gspi_distinct_inputs(b, v, inputs + in_begin[v]);
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

/* Sorts the graphs by name; 0 and an error for equal names, or for a later `main`. Nothing has
 * moved yet, and the rest of the block has room for keys and list, as every graph has a node. */
static int gspi_finish_graph_names(gsp_builder *b, const gsp_module *m)
{
    uint32_t *by_name = (uint32_t *)(uintptr_t)m->by_name;
    uint64_t *key = (uint64_t *)(uintptr_t)m->bytes;
    for (uint32_t i = 0; i < b->used.graphs; i++) {
        by_name[i] = i;
        key[i] = b->graphs[i].name;
    }
    gspi_sort(by_name, b->used.graphs, key);
    for (uint32_t i = 0; i < b->used.graphs; i++) {
        uint32_t const g = by_name[i];
        uint32_t const last = i > 0u ? by_name[i - 1u] : 0u;
        if (g > 0u &&
            (b->graphs[g].name == b->graphs[last].name || b->graphs[g].name == GSP_KEY_MAIN)) {
            (void)gspi_fail_code(&b->error, GSPI_CODE(DUPLICATE, MODULE_NAME, GRAPH), g, last);
            return 0;
        }
    }
    return 1;
}

/* Moves bytes down in steps that do not overlap. */
static void gspi_move_down(unsigned char *to, const unsigned char *from, size_t size)
{
    size_t const down = (size_t)(from - to);
    for (size_t i = 0; i < size; i += down) {
        gspi_copy(to + i, from + i, size - i < down ? size - i : down, 1);
    }
}

/* Writes the head, and moves the builder's arrays, which are then those of the block. Each moves
 * down, as outputs are no symbols and so the rest is never full. */
GSPI_OWN_FRAME void gspi_finish_move(gsp_builder *b, const gsp_module *m, unsigned char *block)
{
    gspi_head const head = {
        GSPI_MAGIC, GSPI_ORDER, GSPI_VERSION, m->n_params, m->n_leaves, m->counts, m->block_size};
    uint32_t counts[GSPI_PARAMS];
    (void)GSP_MEMCPY(block, &head, sizeof(head));
    (void)GSP_MEMCPY(counts, &b->used, sizeof(b->used));
    for (uint32_t i = 0; i < GSPI_MODULE_ARRAYS; i++) {
        gspi_module_array const a = gspi_module_arrays[i];
        if (a.in_module != 0u && a.in_builder != 0u) {
            unsigned char *to;
            unsigned char *from;
            (void)GSP_MEMCPY(&to, (const unsigned char *)m + a.in_module, sizeof(to));
            (void)GSP_MEMCPY(&from, (const unsigned char *)b + a.in_builder, sizeof(from));
            gspi_move_down(to, from, ((size_t)counts[a.count] + a.more) * a.size);
            (void)GSP_MEMCPY((unsigned char *)b + a.in_builder, &to, sizeof(to));
        }
    }
}

/* Makes the block at the low end. *b->made and node_of stay at the high end. */
GSPI_OWN_FRAME void gspi_finish_block(gsp_builder *b)
{
    gsp_module *m = b->made;
    gspi_bump low = gspi_bump_over(b->arena);
    unsigned char *kept = (unsigned char *)b->node_of;
    size_t const size = gspi_block_layout(m, NULL);
    b->arena->high = (size_t)(b->arena->base + b->arena->size - kept);
    unsigned char *block = GSPI_LOW(&low, unsigned char, size);
    GSPI_GUARD(block, (size_t)(kept - block), 0u);
    (void)gspi_block_layout(m, block);
    if (gspi_finish_graph_names(b, m)) {
        gspi_finish_move(b, m, block);
        gspi_finish_symbols(b, m);
        gspi_finish_rows(b, m);
    }
    GSPI_GUARD(block, size + GSP_GAP, GSP_GAP);
}

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
    m->counts = b->used;
    m->counts.edges = 0;
    m->params = NULL;
    m->leaves = NULL;
    gspi_none(b->node_of, (size_t)b->used.strings + 1u);
    for (uint32_t v = 0; v < b->used.nodes; v++) {
        m->counts.edges += gspi_distinct_inputs(b, v, NULL);
    }
    gspi_finish_symbols(b, m);
    if (gspi_build_room(b, GSP_DETAIL_CAPACITY_EDGES, 0, m->counts.edges, b->cap.edges)) {
        gspi_finish_block(b);
    }
    return b->error.status;
}

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

gsp_status gsp_build_finish(gsp_builder *b, gsp_module *module, gsp_error *err)
{
    GSPI_GIVEN(b);
    if (module == NULL) {
        gspi_build_fail_of(b, GSP_DETAIL_NULL_ARGUMENT, GSPI_FIELD("module"));
    }
    (void)gspi_build_make(b);
    return gspi_build_end(b, module, err);
}

/* ---- Nodes of a graph into a builder that has adopted its module ---- */

/* Copies a node with name and annotation; arguments follow. */
static gsp_node gspi_build_copy_node(
    gsp_builder *b, const gsp_graph *g, gsp_op op, gsp_node v, gsp_atom target)
{
    gsp_node const made = gsp_build_node_atoms(b, op, gspi_name_id(g, v), target);
    gsp_build_like(b, g, v, 1);
    return made;
}

static void gspi_build_put_arg(gsp_builder *b, gsp_arg_kind kind, uint32_t value)
{
    gsp_arg const a = {(uint32_t)kind, value};
    gsp_build_arg(b, a);
}

GSPI_OWN_FRAME void gspi_build_put_index(gsp_builder *b, uint32_t index)
{
    char digits[20];
    uint32_t const size = gspi_decimal(index, digits);
    gspi_build_put_arg(b, GSP_ARG_CONSTANT, gsp_build_atom(b, gspi_slice(digits, 0, size)));
}

/* operator.getitem(call, index) without annotation. */
static gsp_node gspi_build_put_getitem_as(
    gsp_builder *b, gsp_atom name, gsp_node call, uint32_t index)
{
    gsp_node const made = gsp_build_node_atoms(b, GSP_OP_CALL_FUNCTION, name, GSP_KEY_GETITEM);
    gsp_build_arg_node(b, call);
    gspi_build_put_index(b, index);
    return made;
}

static gsp_node gspi_build_put_getitem(gsp_builder *b, gsp_node call, uint32_t index)
{
    gsp_atom name = gsp_build_atom(b, gspi_slice("getitem", 0, 7));
    if (gspi_build_is_taken(b, name)) {
        name = GSPI_NEVER(!gspi_build_has_room(b, 19u)) ? name : gspi_name_number(b, name, 0);
    }
    return gspi_build_put_getitem_as(b, name, call, index);
}

static void gspi_build_copy_args(gsp_builder *b, const gsp_arg *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        gsp_build_arg(b, args[i]);
    }
}

/* Returns map[kept[u]]; `kept` of NULL maps nodes to themselves. Returns GSP_NONE for a node with
 * another stamp, which only damaged input has, unless `stamp` is GSP_NONE. */
static gsp_node gspi_build_mapped(
    gsp_node u, const gsp_node *kept, const gsp_node *map, const uint32_t *stamps, uint32_t stamp)
{
    u = kept == NULL ? u : kept[u];
    return stamp != GSP_NONE && stamps[u] != stamp ? GSP_NONE : map[u];
}

/* Copies the inputs of v, which has no tokens, as arguments, mapped unless `map` is NULL. Several
 * of an output form a tuple. */
GSPI_OWN_FRAME void gspi_build_copy_bare(gsp_builder *b, const gsp_graph *g, gsp_node v,
    const gsp_node *kept, const gsp_node *map, const uint32_t *stamps, uint32_t stamp)
{
    gspi_row const in = gspi_inputs(g, v);
    int const tuple = in.n != 1u && gspi_op(g, v) == GSP_OP_OUTPUT;
    if (tuple) {
        gsp_build_open(b, GSP_ARG_TUPLE);
    }
    for (uint32_t i = 0; i < in.n; i++) {
        gsp_node const u = in.at[i];
        gsp_build_arg_node(b, map == NULL ? u : gspi_build_mapped(u, kept, map, stamps, stamp));
    }
    if (tuple) {
        gsp_build_close(b);
    }
}

/* Copies the arguments of v, mapped. */
static void gspi_build_copy_mapped(gsp_builder *b, const gsp_graph *g, gsp_node v,
    const gsp_node *kept, const gsp_node *map, const uint32_t *stamps, uint32_t stamp)
{
    gspi_arg_row const args = gspi_args(g, v);
    if (gspi_is_bare(g->module)) {
        gspi_build_copy_bare(b, g, v, kept, map, stamps, stamp);
    }
    for (uint32_t i = 0; i < args.n; i++) {
        gsp_arg a = args.at[i];
        if (gspi_is_node(a)) {
            a.value = gspi_build_mapped(a.value, kept, map, stamps, stamp);
        }
        gsp_build_arg(b, a);
    }
}

/* Writes an output: nodes begin .. end - 1 of a list, mapped, as one value or a tuple. */
static void gspi_build_put_return(gsp_builder *b, const gsp_node *nodes, uint32_t begin,
    uint32_t end, const gsp_node *map, int tuple)
{
    (void)gsp_build_output(b);
    if (tuple) {
        gsp_build_open(b, GSP_ARG_TUPLE);
    }
    for (; begin < end; begin++) {
        gsp_build_arg_node(b, map[nodes[begin]]);
    }
    if (tuple) {
        gsp_build_close(b);
    }
}

static void gspi_build_copy_whole(gsp_builder *b, const gsp_graph *g, gsp_node v)
{
    if (v + 1u < g->n_nodes) {
        (void)gspi_build_copy_node(b, g, gspi_op(g, v), v, g->module->target[g->first + v]);
    } else {
        (void)gsp_build_output(b);
        gsp_build_like(b, g, v, 1);
    }
    gspi_arg_row const args = gspi_args(g, v);
    if (gspi_is_bare(g->module)) {
        gspi_build_copy_bare(b, g, v, NULL, NULL, NULL, GSP_NONE);
    }
    gspi_build_copy_args(b, args.at, args.n);
}

static void gspi_build_copy_graph(gsp_builder *b, const gsp_module *m, uint32_t id)
{
    gsp_graph const g = gspi_graph(m, id);
    gsp_build_graph(b, gspi_str(m, m->graphs[id].name));
    for (gsp_node v = 0; v < g.n_nodes; v++) {
        gspi_build_copy_whole(b, &g, v);
    }
}

/* Copies all graphs of the module of g except the root and g. */
static void gspi_build_copy_others(gsp_builder *b, const gsp_graph *g)
{
    for (uint32_t id = 1; id < g->module->counts.graphs; id++) {
        if (id != g->id) {
            gspi_build_copy_graph(b, g->module, id);
        }
    }
}

/* ----
 * >>query   Questions about a finished graph (implementation)
 * ---- */

/* Public queries check their node and answer for any other id as for a node that has nothing, NULL
 * or 0; the private ones at the head of the family trust it. They read the block in place, without
 * memory. The time is constant or linear in the text or row read, except in gsp_graph_find(), which
 * compares all names. */

gsp_str gsp_str_of(const char *s)
{
    gsp_str t = {s, 0u};
    while (s != NULL && s[t.size] != '\0' && !GSPI_NEVER(t.size == UINT32_MAX)) {
        t.size++;
    }
    return t;
}

int gsp_str_equal(gsp_str a, gsp_str b)
{
    return a.size == b.size && gspi_same(a.data, b.data, a.size);
}

gsp_str gsp_module_str(const gsp_module *module, gsp_atom s)
{
    return gspi_str(module, s);
}

uint32_t gsp_module_find_graph(const gsp_module *module, gsp_atom name)
{
    uint32_t begin = 0;
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

gsp_op gsp_node_op(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_op(graph, node) : GSP_OP_NONE;
}

gsp_value_kind gsp_node_value_kind(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_value_kind(graph, node) : GSP_VALUE_TENSOR;
}

int gsp_node_is_callable(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes && gspi_callable(graph, node);
}

uint64_t gsp_node_bytes(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_bytes(graph, node) : 0u;
}

gsp_str gsp_node_name(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_name_str(graph, node) : gsp_str_of("");
}

gsp_str gsp_node_name_make(const gsp_graph *graph, gsp_node node, char *buffer)
{
    int const made = gspi_is_bare(graph->module) && node < graph->n_nodes;
    return made ? gspi_slice(buffer, 0, gspi_name_made(node, buffer)) : gsp_node_name(graph, node);
}

gsp_str gsp_node_target(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_target_str(graph, node) : gsp_str_of("");
}

gsp_str gsp_node_type(const gsp_graph *graph, gsp_node node)
{
    return node < graph->n_nodes ? gspi_type_str(graph, node) : gsp_str_of("");
}

gsp_str gsp_node_class(const gsp_graph *graph, gsp_node node)
{
    return gspi_str(graph->module, node < graph->n_nodes ? gspi_class(graph, node) : GSP_NONE);
}

gsp_str gsp_node_attr(const gsp_graph *graph, gsp_node node, gsp_key key)
{
    gsp_str const none = {NULL, 0u};
    return node < graph->n_nodes ? gspi_attr_str(graph, node, key) : none;
}

gsp_str gsp_node_attr_find(const gsp_graph *graph, gsp_node node, gsp_str key)
{
    const gsp_module *m = graph->module;
    gsp_str const none = {NULL, 0u};
    if (node >= graph->n_nodes) {
        return none;
    }
    const gsp_attr *a = m->attrs + m->attr[graph->first + node];
    while (a->key != GSP_KEY_NONE && !gsp_str_equal(gspi_str(m, a->key), key)) {
        a++;
    }
    return a->key != GSP_KEY_NONE ? gspi_str(m, a->value) : none;
}

uint64_t gsp_node_params(const gsp_graph *graph, gsp_node node)
{
    uint64_t value = 0;
    if (gsp_node_op(graph, node) == GSP_OP_GET_ATTR) {
        return gsp_node_bytes(graph, node);
    }
    if (gsp_node_op(graph, node) == GSP_OP_CALL_MODULE) {
        (void)gspi_number(gsp_node_attr(graph, node, GSP_KEY_PARAMS), &value);
    }
    if (graph->module->run_params != NULL && gsp_node_is_callable(graph, node)) {
        value = gspi_sum(value, graph->module->run_params[graph->first + node]);
    }
    return value;
}

gsp_str gsp_node_scope(const gsp_graph *graph, gsp_node node)
{
    gsp_str const t = gsp_node_attr(graph, node, GSP_KEY_SCOPE);
    return t.data != NULL                                   ? t
           : gsp_node_op(graph, node) == GSP_OP_CALL_MODULE ? gsp_node_target(graph, node)
                                                            : gsp_str_of("");
}

int gsp_node_acc(const gsp_graph *graph, gsp_node node)
{
    uint64_t value = 0;
    if (node >= graph->n_nodes ||
        (graph->module->flags[graph->first + node] & GSP_FLAG_ACC) == 0u ||
        !gspi_number(gsp_node_attr(graph, node, GSP_KEY_ACC), &value) || value >= GSP_KIND_NONE) {
        return -1;
    }
    return (int)value;
}

const gsp_node *gsp_node_inputs(const gsp_graph *graph, gsp_node node, uint32_t *count)
{
    gspi_row const none = {NULL, 0u};
    gspi_row const row = node < graph->n_nodes ? gspi_inputs(graph, node) : none;
    *count = row.n;
    return row.at;
}

const gsp_node *gsp_node_users(const gsp_graph *graph, gsp_node node, uint32_t *count)
{
    gspi_row const none = {NULL, 0u};
    gspi_row const row = node < graph->n_nodes ? gspi_users(graph, node) : none;
    *count = row.n;
    return row.at;
}

const gsp_arg *gsp_node_args(const gsp_graph *graph, gsp_node node, uint32_t *count)
{
    gspi_arg_row const none = {NULL, 0u};
    gspi_arg_row const row = node < graph->n_nodes ? gspi_args(graph, node) : none;
    *count = row.n;
    return row.at;
}

/* Limit of arguments that searches for lower positions scan again. */
#define GSPI_SOUGHT ((uint64_t)1u << 26)

/* The child graph that a node calls or names, or GSP_NONE. */
static uint32_t gspi_query_child(const gsp_graph *g, gsp_node v)
{
    gsp_op const op = gspi_op(g, v);
    return g->module->counts.graphs > 1u && (op == GSP_OP_CALL_MODULE || op == GSP_OP_GET_ATTR)
               ? gsp_module_find_graph(g->module, gspi_target_id(g, v))
               : GSP_NONE;
}

/* 1 if gspi_build_original() writes `name` as `escaped`. */
static int gspi_is_original(gsp_str escaped, gsp_str name)
{
    char c[3];
    uint32_t at = 0;
    uint32_t i = 0;
    for (; i < name.size && at < escaped.size; i++) {
        uint32_t const size = gspi_escape(name.data[i], c);
        if (size > escaped.size - at || !gspi_same(escaped.data + at, c, size)) {
            return 0;
        }
        at += size;
    }
    return escaped.size != 0u && i == name.size && at == escaped.size;
}

gsp_node gsp_graph_find(const gsp_graph *graph, gsp_str name)
{
    char made[GSP_NAME_MADE];
    gsp_node found = GSP_NONE;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        if (gspi_is_original(gsp_node_attr_find(graph, v, gsp_str_of("name")), name)) {
            return v;
        }
        if (found == GSP_NONE && gspi_op(graph, v) != GSP_OP_OUTPUT &&
            gsp_str_equal(gsp_node_name_make(graph, v, made), name)) {
            found = v;
        }
    }
    return found;
}

int gsp_str_number(gsp_str text, uint64_t *value)
{
    return gspi_number(text, value);
}

int gsp_str_glob(gsp_str pattern, gsp_str text)
{
    return gspi_glob(pattern, text, 0);
}

int gsp_type_next(gsp_str type, uint32_t *at, gsp_str *dtype, gsp_str *dims)
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
    begin = i + 1u;
    i = (uint32_t)gspi_find_byte(type.data, type.size, begin, ']');
    *dims = gspi_slice(type.data, begin, i);
    *at = i < type.size ? i + 1u : i;
    return 1;
}

#ifndef GSP_NO_COST

int gsp_str_decimal(gsp_str text, double *value)
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

double gsp_node_seconds(const gsp_graph *graph, gsp_node node, gsp_key key)
{
    double value = 0.0;
    gsp_str const t = gsp_node_attr(graph, node, key);
    if (t.data != NULL) {
        (void)gsp_str_decimal(t, &value);
    }
    return value;
}
#endif

/* The kind of aggregate of a TYPE; *inside is the start of its elements, or the end. */
static gsp_arg_kind gspi_type_word(gsp_str type, uint32_t *inside)
{
    uint32_t const end = gspi_skip_name(type, 0);
    gsp_str const word = gspi_slice(type.data, 0, end);
    *inside = end < type.size && type.data[end] == '(' ? end + 1u : type.size;
    if (end < type.size && type.data[end] != '(') {
        return GSP_ARG_NONE;
    }
    return word.size == 5u && gspi_at(word, 0, "tuple")  ? GSP_ARG_TUPLE
           : word.size == 4u && gspi_at(word, 0, "list") ? GSP_ARG_LIST
           : word.size == 4u && gspi_at(word, 0, "dict") ? GSP_ARG_DICT
                                                         : GSP_ARG_NONE;
}

int gsp_type_next_element(gsp_str type, uint32_t *at, gsp_str *element)
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

gsp_arg_kind gsp_type_container(gsp_str type, uint32_t *count)
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
    at = 0;
    for (*count = 0; gsp_type_next_element(type, &at, &element); (*count)++) {
        if (gspi_type_word(element, &nested) != GSP_ARG_NONE) {
            *count = GSP_NONE;
            return kind;
        }
    }
    return kind;
}

uint32_t gsp_node_leaf(const gsp_graph *graph, gsp_node node, uint32_t position)
{
    uint32_t token = 0;
    uint32_t at = 0;
    return gsp_node_is_callable(graph, node)
               ? gspi_seek_leaf(gspi_args(graph, node), &token, &at, position)
               : GSP_NONE;
}

int gsp_node_is_barrier(const gsp_graph *graph, gsp_node node)
{
    gsp_str const t = gsp_node_attr(graph, node, GSP_KEY_BARRIER);
    uint64_t value;
    return t.data != NULL && !(gspi_number(t, &value) && value == 0u);
}

uint32_t gsp_node_element_of(const gsp_graph *graph, gsp_node node, uint32_t count)
{
    uint64_t index = 0;
    if (count == GSP_NONE || !gspi_takes_element(graph, node)) {
        return GSP_NONE;
    }
    gsp_str const t = gspi_str(graph->module, gspi_args(graph, node).at[1].value);
    uint32_t const minus = t.size > 0u && t.data[0] == '-' ? 1u : 0u;
    if (!gspi_number(gspi_slice(t.data, minus, t.size), &index) ||
        index >= (uint64_t)count + minus || (minus != 0u && index == 0u)) {
        return GSP_NONE;
    }
    return minus != 0u ? count - (uint32_t)index : (uint32_t)index;
}

uint32_t gsp_node_element(const gsp_graph *graph, gsp_node node)
{
    uint32_t count = GSP_NONE;
    if (gspi_takes_element(graph, node)) {
        (void)gsp_type_container(gsp_node_type(graph, gspi_getitem_source(graph, node)), &count);
    }
    return gsp_node_element_of(graph, node, count);
}

/* ----
 * >>check   Opening a stored module, validation (implementation)
 * ---- */

/* Checks, without memory, the offsets and ids that keep queries and passes inside the block. */

/* 1 if begin[0 .. n] starts at 0, is non-decreasing and ends at `end`. */
static int gspi_check_offsets(const uint32_t *begin, uint32_t n, uint32_t end)
{
    uint32_t i = 0;
    while (i < n && begin[i] <= begin[i + 1u]) {
        i++;
    }
    return i == n && begin[0] == 0u && begin[n] == end;
}

static gsp_status gspi_check_graphs(const gsp_module *m, gsp_error *err)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < m->counts.graphs; i++) {
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
    int good = m->counts.attrs > 0u && m->attrs[m->counts.attrs - 1u].key == GSP_KEY_NONE;
    for (uint32_t i = 0; i < m->counts.attrs && good; i++) {
        good = m->attrs[i].key < strings && m->attrs[i].value < strings;
    }
    for (size_t i = 0; i < (size_t)m->n_params + m->n_leaves && good; i++) {
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
    GSPI_CHECK_NODE(m->op[at] != GSP_OP_NONE && m->op[at] < GSP_OP_COUNT &&
                        (m->op[at] == GSP_OP_OUTPUT) == (v + 1u == g->n_nodes) &&
                        m->out[at] < GSP_VALUE_COUNT,
        DAMAGED, KIND, v);
    GSPI_CHECK_NODE(m->name[at] < strings && m->target[at] < strings && m->type[at] < strings &&
                        m->attr[at] < m->counts.attrs,
        DAMAGED, RANGE, v);
    return GSP_OK;
}

/* 1 if all argument tokens of v are valid; only calls and the output have nodes. Most nodes are the
 * checked inputs of v, in their order. */
static int gspi_check_args(const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    gspi_row inputs = gspi_inputs(g, v);
    int good = 1;
    for (uint32_t i = 0; i < args.n && good; i++) {
        uint32_t const kind = args.at[i].kind;
        uint32_t const value = args.at[i].value;
        if (kind == GSP_ARG_NODE && inputs.n > 0u && inputs.at[0] == value) {
            inputs.at++;
            inputs.n--;
        } else if (kind == GSP_ARG_NODE) {
            good = value < v && gspi_reads(g, v, value);
        } else if (kind == GSP_ARG_CLOSE) {
            good = value <= i && value > 0u && gspi_is_opening(args.at[i - value].kind) &&
                   args.at[i - value].value == value;
        } else if (gspi_is_opening(kind)) {
            good = value < args.n - i && value > 0u && args.at[i + value].kind == GSP_ARG_CLOSE &&
                   args.at[i + value].value == value;
        } else {
            good = (kind == GSP_ARG_CONSTANT || kind == GSP_ARG_KEY) &&
                   value < g->module->counts.strings;
        }
    }
    return good;
}

/* 1 if a row has no duplicates; one scan per window of ids. Distinct inputs, all in rows of users,
 * and equal totals prove that both kinds of rows hold the same edges. */
static int gspi_is_distinct(const gsp_node *row, uint32_t count)
{
    uint32_t seen[24];
    uint32_t const window = 8u * (uint32_t)sizeof(seen);
    uint32_t base = count < 2u ? GSP_NONE : 0u;
    while (base != GSP_NONE) {
        uint32_t next = GSP_NONE;
        gspi_set(seen, 0, sizeof(seen));
        for (uint32_t i = 0; i < count; i++) {
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
    for (uint32_t i = 0; i < users.n; i++) {
        GSPI_CHECK_NODE(users.at[i] > v && users.at[i] < g->n_nodes &&
                            (i == 0u || users.at[i] > users.at[i - 1u]),
            DAMAGED, ROWS, v);
    }
    for (uint32_t i = 0; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        GSPI_CHECK_AT(u < v || u >= g->n_nodes, CYCLE, NAME_LATER, v, u);
        GSPI_CHECK_NODE(u < v && gspi_reads(g, v, u) && gspi_op(g, v) >= GSP_OP_CALL_FUNCTION,
            DAMAGED, ROWS, v);
    }
    GSPI_CHECK_NODE(gspi_is_distinct(inputs.at, inputs.n), DAMAGED, ROWS, v);
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_check_all(const gsp_module *m, gsp_error *err)
{
    GSPI_CHECK(m->counts.strings >= GSP_KEY_COUNT &&
                   gspi_check_offsets(m->string_begin, m->counts.strings, m->counts.bytes),
        DAMAGED, RANGE);
    for (uint32_t key = 0; key < GSP_KEY_COUNT; key++) {
        GSPI_CHECK(gsp_str_equal(gspi_str(m, key), gspi_key(key)), DAMAGED, MAGIC);
    }
    GSPI_TRY(gspi_check_graphs(m, err));
    GSPI_CHECK(gspi_check_offsets(m->arg_begin, m->counts.nodes, m->counts.args) &&
                   gspi_check_offsets(m->in_begin, m->counts.nodes, m->counts.edges) &&
                   gspi_check_offsets(m->user_begin, m->counts.nodes, m->counts.edges),
        DAMAGED, RANGE);
    GSPI_TRY(gspi_check_tables(m, err));
    for (uint32_t i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gspi_graph(m, i);
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            GSPI_TRY(gspi_check_node(&g, v, err));
            GSPI_TRY(gspi_check_rows(&g, v, err));
        }
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            GSPI_CHECK_NODE(gspi_check_args(&g, v), DAMAGED, RANGE, v);
        }
    }
    return GSP_OK;
}

gsp_status gsp_module_open(
    gsp_module *module, const void *block, size_t size, int trusted, gsp_error *err)
{
    gspi_head head;
    gsp_module m;
    GSPI_GIVEN_2(module, block);
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

/* ----
 * >>text   Reading and writing the graph text (implementation)
 * ---- */

/* A first pass over the bytes counts bounds for a builder, a second one parses every line once,
 * from left to right, into it. The writer emits what the reader accepts, so text survives a round
 * trip. */

#define GSPI_WHAT(name, text) text "\0"

static void gspi_put_item(gspi_writer *w, const gsp_graph *g, uint32_t what, uint32_t item)
{
    if (item == GSP_NONE || what == GSP_WHAT_NONE || what >= GSP_WHAT_COUNT) {
        return;
    }
    char made[GSP_NAME_MADE];
    gsp_str name = gsp_str_of("");
    if (g != NULL && what == GSP_WHAT_NODE) {
        name = gsp_node_name_make(g, item, made);
    } else if (g != NULL && what == GSP_WHAT_GRAPH && item < g->module->counts.graphs) {
        name = gspi_str(g->module, g->module->graphs[item].name);
    }
    gspi_puts(w, ", ");
    gspi_puts(w, gspi_nth(GSP_WHAT_LIST(GSPI_WHAT), what, GSP_WHAT_COUNT));
    gspi_put_amount(w, " ", item, "");
    if (name.size > 0u) {
        gspi_put_between(w, " '", name, "'");
    }
}

/* The kind of item that err->other numbers. */
static uint32_t gspi_other_what(const gsp_error *err)
{
    uint32_t const d = (uint32_t)err->detail;
    if (d >= GSP_DETAIL_NODE_LARGE && d <= GSP_DETAIL_EMBEDDING_LARGE) {
        return GSP_WHAT_DEVICE;
    }
    if (d >= GSP_DETAIL_INPUT_MANY && d <= GSP_DETAIL_INPUT_TYPE) {
        return GSP_WHAT_NONE;
    }
    if ((d >= GSP_DETAIL_CALL_INPUTS && d <= GSP_DETAIL_FORMS) || d == GSP_DETAIL_KERNEL) {
        return GSP_WHAT_GRAPH;
    }
    return d == GSP_DETAIL_PART_DEVICES ? (uint32_t)GSP_WHAT_PART : err->what;
}

/* The name of a count, or "", follows that of a field. */
static void gspi_put_null(gspi_writer *w, const char *field)
{
    gspi_puts(w, field);
    gspi_puts(w, " is NULL");
    while (*field != '\0') {
        field++;
    }
    if (field[1] != '\0') {
        gspi_puts(w, "; required when ");
        gspi_puts(w, gspi_field(field + 1));
        gspi_puts(w, " > 0");
    }
}

gsp_status gsp_error_write(const gsp_error *err, const gsp_graph *graph, gsp_sink sink, void *user)
{
    gspi_writer w;
    if (err == NULL || sink == NULL) {
        return GSP_STATUS_ARG;
    }
    gspi_writer_start(&w, sink, user);
    gspi_puts(&w, gsp_status_name(err->status));
    gspi_puts(&w, ": ");
    const char *field = err->field == NULL ? "" : err->field;
    if (*field != '\0' && err->detail == GSP_DETAIL_NULL_ARGUMENT) {
        gspi_put_null(&w, field);
    } else {
        gspi_puts(&w, err->detail != GSP_DETAIL_NONE ? gsp_detail_text(err->detail)
                                                     : gsp_status_text(err->status));
        gspi_puts(&w, *field != '\0' ? ", " : "");
        gspi_puts(&w, field);
    }
    gspi_put_item(&w, graph, err->what, err->node);
    gspi_put_item(&w, graph, gspi_other_what(err), err->other);
    if (err->line != 0u) {
        gspi_put_amount(&w, ", line ", err->line, "");
        gspi_put_amount(&w, ", column ", err->column, "");
    }
    int const over = err->status == GSP_STATUS_LIMIT || err->status == GSP_STATUS_OVERFLOW;
    if (err->status == GSP_STATUS_NOMEM) {
        gspi_put_amount(&w, ", ", err->need, " bytes needed");
        gspi_put_amount(&w, ", ", err->limit, " available");
    } else if (err->need != 0u && (over || err->status == GSP_STATUS_NO_FIT)) {
        gspi_put_amount(&w, ", ", err->need, over ? " reached" : " needed");
        gspi_put_amount(&w, ", ", err->limit, over ? " allowed" : " available");
    }
    return gspi_writer_end(&w, NULL);
}

#ifndef GSP_NO_TEXT

/* One pass over the lines fills a builder, whose tokens hold open containers of any depth. */

typedef struct {
    gsp_builder b;
    const char *text;
    size_t size;
    size_t next;   /* start of the next line */
    size_t number; /* line number, from 1 */
    gsp_str line;
    uint32_t at;     /* cursor in the line */
    int modules;     /* the text has `module` lines */
    int expect;      /* `module` or `graph():` (0), `graph():` (1), nodes (2), the end (3) */
    uint8_t bare;    /* node names have no '%' here */
    uint8_t nul;     /* a line so far has a NUL byte */
    uint8_t returns; /* a line so far has a carriage return */
    gsp_str name;    /* of the next graph */
} gspi_reader;

/* ---- the counting pass ---- */

/* Bytes i .. i + 7 of a text, NUL from `end` on. */
static uint64_t gspi_eight(gsp_str t, uint32_t i, uint32_t end)
{
    uint64_t word = 0;
    if (end - i >= 8u) {
        (void)GSP_MEMCPY(&word, t.data + i, 8);
    } else if (end < 8u) {
        (void)GSP_MEMCPY(&word, t.data + i, end - i);
    } else { /* the bytes before i go, whichever end of the word they are at */
        uint16_t const one = 1;
        unsigned char little;
        uint32_t const shift = 8u * (8u - (end - i));
        (void)GSP_MEMCPY(&little, &one, 1);
        (void)GSP_MEMCPY(&word, t.data + end - 8u, 8);
        word = (word >> (shift * little)) << (shift * (1u - little));
    }
    return word;
}

/* The sum of eight bytes, below 256. */
static uint32_t gspi_byte_sum(uint64_t bytes)
{
    return (uint32_t)((bytes * 0x0101010101010101u) >> 56);
}

/* Counts of line[begin .. end): *values is commas, openings and twice the colons. '[' and '{'
 * differ in one bit. */
static void gspi_count_values(
    gsp_str line, uint32_t begin, uint32_t end, uint32_t *values, uint32_t *opens)
{
    for (uint32_t i = begin; i < end; i += 8u) {
        uint64_t const word = gspi_eight(line, i, end);
        uint64_t const open =
            (gspi_matches(word, '(') | gspi_matches(word | 0x2020202020202020u, '{')) >> 7;
        *opens += gspi_byte_sum(open);
        *values +=
            gspi_byte_sum(open + (gspi_matches(word, ',') >> 7) + (gspi_matches(word, ':') >> 6));
    }
}

/* Counts of the bytes from `begin` on. */
static void gspi_count_pairs(gsp_str line, uint32_t begin, uint32_t *equals, uint32_t *commas)
{
    for (uint32_t i = begin; i < line.size; i += 8u) {
        uint64_t const word = gspi_eight(line, i, line.size);
        *equals += gspi_byte_sum(gspi_matches(word, '=') >> 7);
        *commas += gspi_byte_sum(gspi_matches(word, ',') >> 7);
    }
}

/* Upper bounds for a line: values follow '(', '[', '{', ", " or ": "; attributes have a '='. */
GSPI_OWN_FRAME void gspi_count_line(gsp_str line, int is_return, gsp_counts *c)
{
    uint32_t values = 0;
    uint32_t opens = 0;
    uint32_t equals = 0;
    uint32_t commas = 0;
    uint32_t const begin = is_return ? 0u : gspi_find(line, 0, "](");
    uint32_t end = line.size;
    if (!is_return && gspi_at(line, begin, "](args")) {
        /* an upper bound of the end of the arguments: the first "})  # " if no "})" follows it */
        uint32_t const first = gspi_find(line, begin, "})  # ");
        if (first < end && gspi_find(line, (size_t)first + 4u, "})") == end) {
            end = first + 4u;
        }
    }
    gspi_count_values(line, begin, end, &values, &opens);
    size_t note = gspi_find_byte(line.data, line.size, 0, '#');
    while (note < line.size && !(note >= 2u && gspi_at(line, note - 2u, "  #"))) {
        note = gspi_find_byte(line.data, line.size, note + 1u, '#');
    }
    gspi_count_pairs(line, (uint32_t)note, &equals, &commas);
    c->nodes = gspi_count_add(c->nodes, 1);
    c->args = gspi_count_add(c->args, values + 2u * opens + 2u);
    c->attrs = gspi_count_add(c->attrs, equals + 1u);
    c->strings = gspi_count_add(c->strings, values + 2u * equals + 6u);
    c->bytes = gspi_count_add(c->bytes, gspi_count_add(line.size, commas));
}

/* 1 for the first byte of the line of a node. */
static int gspi_is_node_start(char c)
{
    return c == '%' || c == 'r';
}

gsp_status gsp_text_count(const char *text, size_t size, gsp_counts *counts, gsp_error *err)
{
    gsp_counts c = {1u, 0, 0, 0, 0, 0, 0u};
    size_t at = 0;
    GSPI_GIVEN_ROWS(text, size);
    GSPI_GIVEN(counts);
    while (at < size) {
        size_t const end = gspi_find_byte(text, size, at, '\n');
        gsp_str const line = gspi_slice(text, at, end);
        GSPI_CHECK(!GSPI_NEVER(end - at >= UINT32_MAX / 8u), OVERFLOW, TOO_MANY);
        uint32_t const begin = gspi_skip_blanks(line, 0);
        if (gspi_is_node_start(gspi_byte(line, begin))) {
            gspi_count_line(line, line.data[begin] == 'r', &c);
        } else if (gspi_at(line, begin, "module")) {
            c.graphs = gspi_count_add(c.graphs, 1);
            c.strings = gspi_count_add(c.strings, 1);
            c.bytes = gspi_count_add(c.bytes, line.size);
        }
        at = end + 1u;
    }
    c = gsp_build_counts(c.graphs, c.nodes, c.args, c.attrs, c.strings, c.bytes);
    GSPI_CHECK(!GSPI_NEVER(!gspi_counts_are_sane(&c)), OVERFLOW, TOO_MANY);
    *counts = c;
    return gspi_done(err);
}

/* Puts an error of the builder at byte `at`; all but OVERFLOW become PARSE. */
static gsp_status gspi_read_check(gspi_reader *r, uint32_t at)
{
    gsp_status status = r->b.error.status;
    if (status != GSP_OK) {
        status = status == GSP_STATUS_OVERFLOW ? status : GSP_STATUS_PARSE;
        r->b.error.status = status;
        r->b.error.line = r->number;
        r->b.error.column = (size_t)at + 1u;
    }
    return status;
}

GSPI_OWN_FRAME gsp_status gspi_read_fail(gspi_reader *r, uint32_t at, gsp_detail detail)
{
    (void)gspi_fail_at(&r->b.error, GSP_STATUS_PARSE, detail, GSP_NONE, GSP_NONE);
    return gspi_read_check(r, at);
}

static gsp_status gspi_expected(gspi_reader *r, gsp_detail detail)
{
    return gspi_read_fail(r, r->at, detail);
}

#define GSPI_EXPECT(cond, detail) GSPI_CHECK_CODE(cond, gspi_expected(r, GSP_DETAIL_##detail))

/* Rewinds to the first line, after a byte order mark. */
static void gspi_reader_rewind(gspi_reader *r)
{
    r->next = r->size >= 3u && gspi_same(r->text, "\xEF\xBB\xBF", 3) ? 3u : 0u;
    r->number = 0;
}

/* The first NUL byte, carriage return or byte between them from `at` on, or `size`. */
static size_t gspi_find_low(const char *text, size_t size, size_t at)
{
    for (; at + 8u <= size; at += 8u) {
        uint64_t word;
        (void)GSP_MEMCPY(&word, text + at, 8);
        if (((word - 0x0E0E0E0E0E0E0E0Eu) & ~word & 0x8080808080808080u) != 0u) {
            break;
        }
    }
    while (at < size && (unsigned char)text[at] > 13u) {
        at++;
    }
    return at;
}

/* Takes the next line without its line end; 0 at the end of the text. */
static int gspi_next_line(gspi_reader *r)
{
    if (r->next >= r->size) {
        return 0;
    }
    size_t end = gspi_find_low(r->text, r->size, r->next);
    while (end < r->size && r->text[end] != '\n') {
        r->nul = r->text[end] == '\0' ? 1 : r->nul;
        r->returns = r->text[end] == '\r' ? 1 : r->returns;
        end = gspi_find_low(r->text, r->size, end + 1u);
    }
    r->line = gspi_slice(r->text, r->next, end);
    r->next = end + 1u;
    r->number++;
    while (r->line.size > 0u && r->line.data[r->line.size - 1u] == '\r') {
        r->line.size--;
    }
    r->at = gspi_skip_blanks(r->line, 0);
    return 1;
}

static int gspi_take(gspi_reader *r, const char *literal)
{
    uint32_t at = r->at;
    while (*literal != '\0' && gspi_byte(r->line, at) == *literal) {
        literal++;
        at++;
    }
    r->at = *literal == '\0' ? at : r->at;
    return *literal == '\0';
}

static void gspi_take_blanks(gspi_reader *r)
{
    r->at = gspi_skip_blanks(r->line, r->at);
}

static char gspi_peek(const gspi_reader *r)
{
    return gspi_byte(r->line, r->at);
}

/* Takes a comma directly before a closing bracket, as in Python's tuple of one. */
static void gspi_take_trailing_comma(gspi_reader *r)
{
    r->at += gspi_peek(r) == ',' && gspi_is_close(gspi_byte(r->line, r->at + 1u)) ? 1u : 0u;
}

/* 1 if a later line defines the name, as the error then says. */
static int gspi_is_defined_later(const gspi_reader *r, gsp_str name)
{
    size_t at = (size_t)(r->line.data - r->text); /* this line counts: a node may read itself */
    while (at < r->size) {
        size_t const end = gspi_find_byte(r->text, r->size, at, '\n');
        gsp_str const line = gspi_slice(r->text, at, end);
        uint32_t const i = gspi_skip_blanks(line, 0) + 1u;
        if (gspi_at(line, i - 1u, "module ")) {
            return 0;
        }
        if (gspi_at(line, i - 1u, "%") &&
            gsp_str_equal(gspi_slice(line.data, i, gspi_skip_name(line, i)), name)) {
            return 1;
        }
        at = end + 1u;
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
        (r->b.container == GSP_NONE || r->b.args[r->b.container].kind == GSP_ARG_TUPLE)) {
        end--; /* the comma of a tuple of one */
    }
    gsp_str t = gspi_slice(r->line.data, begin, end);
    if (r->bare || r->b.slice != GSP_NONE) {
        gsp_str name = gspi_trim(t);
        name.size -= name.size > 0u && name.data[name.size - 1u] == ',' ? 1u : 0u; /* `(a, b,)` */
        node = gspi_build_lookup(&r->b, name);
    }
    if (node == GSP_NONE && gspi_build_hides_node(&r->b, t)) {
        r->at = begin;
        return gspi_expected(r, GSP_DETAIL_SEPARATOR);
    }
    gspi_build_push(&r->b, node != GSP_NONE ? GSP_ARG_NODE : GSP_ARG_CONSTANT,
        node != GSP_NONE ? node : gsp_build_atom(&r->b, t));
    return gspi_read_check(r, begin);
}

/* Reads a '%' reference, if the cursor is at one; *done is 1 then. */
static gsp_status gspi_read_node(gspi_reader *r, int *done)
{
    uint32_t const begin = r->at + 1u;
    uint32_t const end = gspi_skip_name(r->line, begin);
    uint32_t const after = gspi_skip_blanks(r->line, end);
    gsp_str const name = gspi_slice(r->line.data, begin, end);
    /* The value ends at a closing bracket, ", ", ",)", a comment or the end of the line. */
    char const next = gspi_byte(r->line, after + 1u);
    int const ends = after >= r->line.size || gspi_is_close(r->line.data[after]) ||
                     r->line.data[after] == '#' ||
                     (r->line.data[after] == ',' &&
                         (after + 1u == r->line.size || next == ' ' || gspi_is_close(next)));
    *done = 0;
    if (end == begin || !ends) {
        return GSP_OK;
    }
    gsp_node node = gspi_build_lookup(&r->b, name);
    if (node == GSP_NONE) {
        return gspi_expected(
            r, gspi_is_defined_later(r, name) ? GSP_DETAIL_NAME_LATER : GSP_DETAIL_NAME_UNKNOWN);
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
    gspi_build_push(
        &r->b, GSP_ARG_KEY, gsp_build_atom(&r->b, gspi_slice(r->line.data, begin, end)));
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

/* Reads one value with its contents; `first` is 1 for the first element of its container. */
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
            if (r->b.args[r->b.container].kind == GSP_ARG_DICT) {
                GSPI_TRY(gspi_read_key(r));
            }
        }
    } while (r->b.container != outer);
    return gspi_read_check(r, r->at);
}

/* Reads elements of `args = (...)` or `kwargs = {...}`, including the closing bracket. */
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

/* Reads the rest of a node line, which is empty or `# TYPE key=value ...`. */
static gsp_status gspi_read_annotation(gspi_reader *r)
{
    gspi_take_blanks(r);
    if (r->at == r->line.size) {
        return GSP_OK;
    }
    GSPI_EXPECT(gspi_at(r->line, r->at - 2u, "  #"), TRAILING);
    r->at++;
    gspi_take_blanks(r);
    uint32_t const word = gspi_word_end(r->line, r->at, "=[(");
    if (word > r->at && !gspi_at(r->line, word, "=")) {
        uint32_t const begin = r->at;
        r->at = gspi_build_type_at(&r->b, r->line, begin);
        GSPI_TRY(gspi_read_check(r, begin));
        GSPI_EXPECT(r->at == r->line.size || gspi_is_blank(gspi_peek(r)), TYPE);
    }
    for (gspi_take_blanks(r); r->at < r->line.size; gspi_take_blanks(r)) {
        uint32_t const key = r->at;
        uint32_t const equals = gspi_word_end(r->line, key, "=");
        GSPI_EXPECT(
            equals != key && gspi_byte(r->line, equals) == '=' && !gspi_at(r->line, key, ":="),
            ANNOTATION);
        r->at = gspi_word_end(r->line, equals, "");
        gspi_build_attr(&r->b, gspi_slice(r->line.data, key, equals),
            gspi_slice(r->line.data, (size_t)equals + 1u, r->at), !r->returns);
        GSPI_TRY(gspi_read_check(r, equals + 1u));
    }
    return GSP_OK;
}

static gsp_str gspi_op_name(uint32_t op)
{
    return op == GSP_OP_PLACEHOLDER     ? gspi_slice("placeholder", 0, 11)
           : op == GSP_OP_GET_ATTR      ? gspi_slice("get_attr", 0, 8)
           : op == GSP_OP_CALL_FUNCTION ? gspi_slice("call_function", 0, 13)
           : op == GSP_OP_CALL_METHOD   ? gspi_slice("call_method", 0, 11)
                                        : gspi_slice("call_module", 0, 11);
}

/* Reads `TYPE [num_users=N] = ` with an optional type expression. */
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
    r->at = at + (r->line.data[at + 1u] == 'n' ? 11u : 8u);
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
    if (size >= r->line.size - r->at) { /* not found; report where it is expected */
        size_t const end = gspi_find_byte(r->line.data, r->line.size, r->at, ']');
        GSPI_EXPECT(call && end < r->line.size, TARGET);
        r->at = (uint32_t)end + 1u;
        return gspi_expected(r, GSP_DETAIL_ARGS);
    }
    *target = gspi_slice(r->line.data, r->at, (size_t)r->at + size);
    r->at += size + 1u;
    return GSP_OK;
}

static gsp_status gspi_read_node_line(gspi_reader *r)
{
    uint32_t const name_at = ++r->at;
    gsp_str type = {NULL, 0};
    gsp_str users;
    gsp_str target;
    r->at = gspi_skip_name(r->line, name_at);
    gsp_str name = gspi_slice(r->line.data, name_at, r->at);
    gspi_take_blanks(r);
    GSPI_EXPECT(name.size != 0u, NAME);
    GSPI_EXPECT(gspi_take(r, ":"), LINE);
    gspi_take_blanks(r);
    GSPI_TRY(gspi_read_users(r, &type, &users));
    gsp_str const word = gspi_slice(r->line.data, r->at, gspi_skip_name(r->line, r->at));
    gsp_op op = GSP_OP_PLACEHOLDER;
    while (op < GSP_OP_OUTPUT && !gsp_str_equal(word, gspi_op_name((uint32_t)op))) {
        op = (gsp_op)((int)op + 1);
    }
    GSPI_EXPECT(op < GSP_OP_OUTPUT, OP);
    r->at += word.size;
    GSPI_TRY(gspi_read_target(r, op, &target));
    (void)(r->returns ? gsp_build_node(&r->b, op, name, target)
                      : gspi_build_node(&r->b, op, name, target, 1));
    GSPI_TRY(gspi_read_check(r, name_at));
    if (type.size != 0u) {
        gsp_build_attr(&r->b, gspi_key(GSP_KEY_ANNOTATION), type);
    }
    r->bare = 0;
    if (op == GSP_OP_PLACEHOLDER && gspi_peek(r) == '(') {
        GSPI_EXPECT(gspi_take(r, "(default="), DEFAULT);
        GSPI_TRY(gspi_read_value(r, 0));
        GSPI_EXPECT(gspi_take(r, ")") && gspi_build_shape(&r->b) == GSP_DETAIL_NONE, DEFAULT);
    } else if (gspi_is_callable((uint8_t)op)) {
        GSPI_EXPECT(gspi_take(r, "(args = ("), ARGS);
        GSPI_TRY(gspi_read_elements(r, ')'));
        GSPI_EXPECT(gspi_take(r, ", kwargs = {"), ARGS);
        GSPI_TRY(gspi_read_elements(r, '}'));
        GSPI_EXPECT(gspi_take(r, ")"), ARGS);
    }
    return GSP_OK;
}

static gsp_status gspi_read_return(gspi_reader *r)
{
    r->at += 6;
    r->at += r->at < r->line.size ? 1u : 0u;
    GSPI_EXPECT(gspi_skip_blanks(r->line, r->at) < r->line.size, RETURN);
    (void)gsp_build_output(&r->b);
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
    GSPI_EXPECT(
        gspi_take(r, "graph(") && line.size >= 8u && gspi_at(line, line.size - 2u, "):"), HEADER);
    gsp_build_graph(&r->b, r->name);
    r->expect = 2;
    return gspi_read_check(r, 0);
}

/* 1 if the cursor is at this word of six bytes. */
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
        if (r->nul) {
            size_t const at = gspi_find_byte(r->line.data, r->line.size, 0, '\0');
            return gspi_read_fail(r, (uint32_t)at, GSP_DETAIL_NUL_BYTE);
        }
        GSPI_TRY(gspi_read_line(r));
    }
    r->number++;
    r->at = 0;
    GSPI_EXPECT(r->expect != 2, RETURN);
    GSPI_EXPECT(r->expect != 1 && r->b.used.graphs != 0u, HEADER);
    return GSP_OK;
}

/* Reads the lines again to compare num_users with the users found. */
GSPI_OWN_FRAME gsp_status gspi_read_check_users(gspi_reader *r)
{
    const gsp_module *m = r->b.made;
    uint32_t v = 0;
    gspi_reader_rewind(r);
    while (gspi_next_line(r)) {
        uint32_t const next = v + (gspi_is_node_start(gspi_peek(r)) ? 1u : 0u);
        if (gspi_peek(r) == '%') {
            gsp_str type;
            gsp_str users;
            uint64_t claimed = 0;
            while (!gspi_take(r, ":")) {
                r->at++;
            }
            gspi_take_blanks(r);
            (void)gspi_read_users(r, &type, &users);
            (void)gspi_number(users, &claimed);
            if (claimed != (uint64_t)(m->user_begin[next] - m->user_begin[v])) {
                return gspi_read_fail(
                    r, (uint32_t)(users.data - r->line.data), GSP_DETAIL_USERS_WRONG);
            }
        }
        v = next;
    }
    return GSP_OK;
}

/* Finds the line of a duplicate module name, detected at the end. */
GSPI_OWN_FRAME void gspi_read_module_twice(gspi_reader *r)
{
    uint32_t graph = 0;
    gspi_reader_rewind(r);
    while (!GSPI_NEVER(!gspi_next_line(r))) {
        if (gspi_at_word(r, "module") && graph++ == r->b.error.node) {
            r->at = gspi_skip_blanks(r->line, r->at + 6u);
            (void)gspi_expected(r, GSP_DETAIL_MODULE_NAME);
            return;
        }
    }
}

GSPI_OWN_FRAME gsp_status gspi_reader_init(
    gspi_reader *r, gsp_arena *arena, const char *text, size_t size, gsp_error *err)
{
    gsp_counts counts;
    GSPI_TRY(gsp_text_count(text, size, &counts, err));
    gspi_set(r, 0, sizeof(*r));
    r->text = text;
    r->size = size;
    gspi_reader_rewind(r);
    return gsp_build_init(&r->b, arena, &counts, err);
}

gsp_status gsp_text_read(gsp_arena *arena, const char *text, size_t size, const gsp_text_desc *desc,
    gsp_module *module, gsp_error *err)
{
    gspi_reader r;
    gsp_text_desc d;
    GSPI_GIVEN_2(arena, module);
    GSPI_READ_DESC(d, desc);
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

/* Writes tokens begin .. end - 1 of args; names have no '%' if `bare`, or inside a slice. */
static void gspi_put_args(
    gspi_writer *w, const gsp_graph *g, const gsp_arg *args, uint32_t begin, uint32_t end, int bare)
{
    uint32_t slice_end = begin;
    int comma = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t const kind = args[i].kind;
        if (comma && kind != GSP_ARG_CLOSE) {
            gspi_puts(w, ", ");
        }
        comma = 1;
        if (kind == GSP_ARG_NODE) {
            gspi_puts(w, bare || i < slice_end ? "" : "%");
            gspi_put(w, gsp_node_name(g, args[i].value)); /* the token may be the caller's */
        } else if (kind == GSP_ARG_CLOSE) {
            uint32_t const open = i - args[i].value;
            int const one = args[open].kind == GSP_ARG_TUPLE && i > open + 1u &&
                            gspi_element_end(args, open + 1u) == i;
            gspi_puts(w, one ? ",)" : gspi_closer(args[open].kind));
        } else if (kind >= GSP_ARG_TUPLE) {
            gspi_puts(w, gspi_opener(kind));
            if (kind == GSP_ARG_SLICE && i + args[i].value > slice_end) {
                slice_end = i + args[i].value;
            }
            comma = 0;
        } else {
            gspi_put(w, gspi_str(g->module, args[i].value));
            if (kind == GSP_ARG_KEY) {
                gspi_puts(w, ": ");
                comma = 0;
            }
        }
    }
}

static void gspi_put_call(gspi_writer *w, const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    gspi_elements e = gspi_elements_of(args);
    uint32_t n_positional = 0;
    uint32_t keys = 0;
    while (gspi_next_element(&e) && e.key == GSP_NONE) {
        keys = e.next;
        n_positional++;
    }
    gspi_puts(w, "(args = (");
    gspi_put_args(w, g, args.at, 0, keys, 0);
    gspi_puts(w, n_positional == 1u ? ",), kwargs = {" : "), kwargs = {");
    gspi_put_args(w, g, args.at, keys, args.n, 0);
    gspi_puts(w, "})");
}

static void gspi_put_annotation(gspi_writer *w, const gsp_graph *g, gsp_node v)
{
    const gsp_module *m = g->module;
    const gsp_attr *a = m->attrs + m->attr[g->first + v];
    const char *before = "  # ";
    if (m->type[g->first + v] != GSP_KEY_NONE) {
        gspi_put_between(w, before, gspi_type_str(g, v), "");
        before = " ";
    }
    for (; a->key != GSP_KEY_NONE; a++) {
        if (a->key != GSP_KEY_ANNOTATION) {
            gspi_put_between(w, before, gspi_str(m, a->key), "=");
            gspi_put(w, gspi_str(m, a->value));
            before = " ";
        }
    }
}

static void gspi_put_node(gspi_writer *w, const gsp_graph *g, gsp_node v)
{
    gsp_op const op = gspi_op(g, v);
    gsp_str const type = gspi_attr_str(g, v, GSP_KEY_ANNOTATION);
    gspi_arg_row const args = gspi_args(g, v);
    gspi_put_between(w, "    %", gspi_name_str(g, v), " : ");
    if (type.data != NULL) {
        gspi_put_between(w, "", type, " ");
    }
    gspi_put_amount(w, "[num_users=", gspi_users(g, v).n, "] = ");
    gspi_puts(w, gspi_op_name((uint32_t)op).data);
    gspi_put_between(w, "[target=", gspi_target_str(g, v), "]");
    if (gspi_is_callable((uint8_t)op)) {
        gspi_put_call(w, g, v);
    } else if (args.n > 0u) {
        gspi_puts(w, "(default=");
        gspi_put_args(w, g, args.at, 0, args.n, 0);
        gspi_puts(w, ")");
    }
}

static void gspi_put_line(gspi_writer *w, const gsp_graph *g, gsp_node v, const gsp_text_desc *d)
{
    if (gspi_op(g, v) == GSP_OP_OUTPUT) {
        gspi_arg_row const args = gspi_args(g, v);
        gspi_puts(w, "    return ");
        gspi_put_args(w, g, args.at, 0, args.n, 1);
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
        for (gsp_node v = 0; v < g->n_nodes && !w->stopped; v++) {
            if (!d->hoist || (gspi_op(g, v) == GSP_OP_PLACEHOLDER) == (hoisted != 0)) {
                gspi_put_line(w, g, v, d);
            }
        }
    }
}

gsp_status gsp_text_write(
    const gsp_module *module, const gsp_text_desc *desc, gsp_sink sink, void *user, gsp_error *err)
{
    gspi_writer w;
    gsp_text_desc d;
    GSPI_GIVEN_2(module, sink);
    GSPI_READ_DESC(d, desc);
    GSPI_CHECK(!gspi_is_bare(module), ARG, BARE);
    gspi_writer_start(&w, sink, user);
    for (uint32_t i = 0; i < module->counts.graphs && !w.stopped; i++) {
        gsp_graph const g = gspi_graph(module, i);
        if (module->counts.graphs > 1u || d.as_module || module->graphs[i].name != GSP_KEY_MAIN) {
            gspi_put_between(&w, "module ", gspi_str(module, module->graphs[i].name), "\n");
        }
        gspi_put_graph(&w, &g, &d);
    }
    return gspi_writer_end(&w, err);
}

gsp_status gsp_text_write_graph(
    const gsp_graph *graph, const gsp_text_desc *desc, gsp_sink sink, void *user, gsp_error *err)
{
    gspi_writer w;
    gsp_text_desc d;
    GSPI_GIVEN_2(graph, sink);
    GSPI_READ_DESC(d, desc);
    GSPI_CHECK(!gspi_is_bare(graph->module), ARG, BARE);
    gspi_writer_start(&w, sink, user);
    gspi_put_graph(&w, graph, &d);
    return gspi_writer_end(&w, err);
}

gsp_status gsp_text_write_value(const gsp_graph *graph, const gsp_arg *args, uint32_t count,
    int output, gsp_sink sink, void *user, gsp_error *err)
{
    gspi_writer w;
    GSPI_GIVEN_2(graph, sink);
    GSPI_GIVEN_ROWS(args, count);
    gspi_writer_start(&w, sink, user);
    gspi_put_args(&w, graph, args, 0, count, output);
    return gspi_writer_end(&w, err);
}
#endif

/* ----
 * >>topo_order   Topological orders (implementation)
 * ---- */

/* `backward` swaps inputs and users and reverses the order. The depth-first search keeps its path
 * in ready[] and the number of visited neighbours per node in missing[]. */

typedef struct {
    gsp_edges before;
    gsp_edges after;
    gsp_node *order;
    gspi_kahn kahn;
    uint32_t *state; /* [n] DEPTH: 1 if visited */
    uint32_t n_order;
} gspi_topo;

static void gspi_topo_layout(gspi_bump *b, gspi_topo *ws, uint32_t n, uint32_t policy)
{
    ws->order = gspi_kept(b, n);
    gsp_node *ready = gspi_words(b, n);
    uint32_t *missing = gspi_words(b, n);
    ws->kahn = gspi_kahn_start(ready, missing, policy);
    ws->state = gspi_words(b, n);
    ws->n_order = 0;
}

static void gspi_topo_kahn(gspi_topo *ws, uint32_t n)
{
    for (gsp_node v = 0; v < n; v++) {
        ws->kahn.missing[v] = ws->before.begin[v + 1u] - ws->before.begin[v];
        if (ws->kahn.missing[v] == 0u) {
            gspi_kahn_push(&ws->kahn, v);
        }
    }
    for (gsp_node v = gspi_kahn_next(&ws->kahn); v != GSP_NONE; v = gspi_kahn_next(&ws->kahn)) {
        ws->order[ws->n_order++] = v;
        for (uint32_t i = ws->after.begin[v]; i < ws->after.begin[v + 1u]; i++) {
            gspi_kahn_decrement(&ws->kahn, ws->after.at[i]);
        }
    }
}

/* A depth-first search from a node without users. */
static void gspi_topo_search(gspi_topo *ws, uint32_t seed, gsp_node root)
{
    gsp_node *path = ws->kahn.ready;
    uint32_t *tried = ws->kahn.missing;
    uint32_t depth = 0;
    path[depth++] = root;
    ws->state[root] = 1;
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
            ws->state[u] = 1;
            path[depth++] = u;
        }
    }
}

size_t gsp_topo_order_bound(const gsp_graph *graph, const gsp_topo_order_desc *desc)
{
    gspi_bump b = gspi_measure();
    gspi_topo ws;
    (void)desc;
    gspi_topo_layout(&b, &ws, graph->n_nodes, 0);
    return gspi_bound(&b);
}

gsp_status gsp_topo_order_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_topo_order_desc *desc, gsp_topo_order_result *result, gsp_error *err)
{
    gsp_topo_order_desc d;
    gspi_topo ws;
    GSPI_GIVEN_PASS();
    GSPI_READ_DESC(d, desc);
    GSPI_CHECK_CHOICE(d.kind, GSP_TOPO_ORDER_COUNT);
    GSPI_ENTER(gsp_topo_order_bound(graph, &d));
    gspi_topo_layout(&pass.bump, &ws, graph->n_nodes, d.kind);
    ws.before = gspi_edges(graph, d.backward != 0u);
    ws.after = gspi_edges(graph, d.backward == 0u);
    if (d.kind == GSP_TOPO_ORDER_DEPTH) {
        gspi_zero(ws.kahn.missing, graph->n_nodes);
        gspi_zero(ws.state, graph->n_nodes);
        for (gsp_node v = 0; v < graph->n_nodes; v++) {
            if (ws.after.begin[v] == ws.after.begin[v + 1u]) {
                gspi_topo_search(&ws, d.seed, v);
            }
        }
    } else {
        gspi_topo_kahn(&ws, graph->n_nodes);
    }
    for (uint32_t i = 0; i < graph->n_nodes / 2u && d.backward; i++) {
        gsp_node const v = ws.order[i];
        ws.order[i] = ws.order[graph->n_nodes - 1u - i];
        ws.order[graph->n_nodes - 1u - i] = v;
    }
    result->n_nodes = graph->n_nodes;
    result->order = ws.order;
    return GSPI_LEAVE();
}

/* ----
 * >>calls   Graphs that nodes run (implementation)
 * ---- */

/* A call graph is searched depth first. A graph on the path that is met again calls itself. */

/* The role that a key of an annotation tells. */
static uint32_t gspi_key_role(gsp_str key)
{
    static const char keys[] = "then\0else\0cond\0body\0init\0";
    static const uint8_t roles[] = {
        GSP_ROLE_BRANCH, GSP_ROLE_BRANCH, GSP_ROLE_LOOP, GSP_ROLE_LOOP, GSP_ROLE_INIT};
    for (uint32_t i = 0; i < sizeof(roles); i++) {
        if (gsp_str_equal(key, gsp_str_of(keys + (size_t)5u * i))) {
            return roles[i];
        }
    }
    return GSP_ROLE_ONCE;
}

/* The role that the target of a call gives to graphs among its arguments. */
static uint32_t gspi_target_role(const gsp_graph *g, gsp_node v)
{
    gsp_str const target = gspi_target_str(g, v);
    if (gsp_str_glob(gsp_str_of("*.cond"), target)) {
        return GSP_ROLE_BRANCH;
    }
    return gsp_str_glob(gsp_str_of("*.while_loop"), target) ||
                   gsp_str_glob(gsp_str_of("*.map*"), target) ||
                   gsp_str_glob(gsp_str_of("*scan"), target)
               ? GSP_ROLE_LOOP
               : GSP_ROLE_ONCE;
}

/* The graph of this name by its bytes, but the root. */
static uint32_t gspi_graph_named(const gsp_module *m, gsp_str name)
{
    uint32_t i = m->counts.graphs;
    while (--i > 0u && !gsp_str_equal(gsp_module_str(m, m->graphs[i].name), name)) {
    }
    return i == 0u ? GSP_NONE : i;
}

/* The target of a called module, then the arguments. */
GSPI_OWN_FRAME int gspi_called_token(const gsp_graph *g, gsp_node v, gsp_called *c)
{
    gspi_arg_row const args = gspi_args(g, v);
    c->graph = GSP_NONE;
    if (c->token == 0u) {
        c->token = 1;
        c->role = GSP_ROLE_ONCE;
        c->graph = gspi_op(g, v) == GSP_OP_CALL_MODULE ? gspi_query_child(g, v) : GSP_NONE;
    }
    while (c->graph == GSP_NONE && c->token <= args.n) {
        gsp_arg const a = args.at[c->token++ - 1u];
        if (gspi_is_node(a) && gspi_op(g, a.value) == GSP_OP_GET_ATTR) {
            c->role = gspi_target_role(g, v);
            c->graph = gspi_query_child(g, a.value);
        }
    }
    return c->graph != GSP_NONE;
}

/* The next name in a list. */
static uint32_t gspi_called_listed(const gsp_module *m, gsp_str list, uint32_t *offset)
{
    uint32_t graph = GSP_NONE;
    while (graph == GSP_NONE && *offset < list.size) {
        uint32_t end = *offset;
        while (end < list.size && list.data[end] != ',') {
            end++;
        }
        graph = gspi_graph_named(m, gspi_slice(list.data, *offset, end));
        *offset = end + 1u;
    }
    return graph;
}

/* Annotations whose key the library does not know otherwise. */
GSPI_OWN_FRAME int gspi_called_attr(const gsp_graph *g, gsp_node v, gsp_called *c)
{
    const gsp_module *m = g->module;
    const gsp_attr *a = m->attrs + m->attr[g->first + v];
    for (a += c->attr; a->key != GSP_KEY_NONE; a++, c->attr++, c->offset = 0) {
        gsp_str const key = gsp_module_str(m, a->key);
        if (a->key < (gsp_atom)GSP_KEY_COUNT) {
            continue;
        }
        c->role = gspi_key_role(key);
        if (gsp_str_equal(key, gsp_str_of("calls"))) {
            c->graph = gspi_called_listed(m, gsp_module_str(m, a->value), &c->offset);
        } else {
            c->graph = c->offset++ == 0u ? gsp_module_find_graph(m, a->value) : GSP_NONE;
        }
        if (c->graph != GSP_NONE && c->graph != 0u) {
            return 1;
        }
    }
    return 0;
}

int gsp_called_next(const gsp_graph *graph, gsp_node node, gsp_called *called)
{
    return graph->module->counts.graphs > 1u &&
           (gspi_called_token(graph, node, called) || gspi_called_attr(graph, node, called));
}

typedef struct {
    gsp_calls_result result;
    uint32_t *order;
    uint8_t *state;     /* [graphs] 0 before the visit, 1 on the path, 2 after it */
    uint32_t *path;     /* [graphs] each runs the next one */
    gsp_node *at;       /* [graphs] the node of each that is searched */
    gsp_called *called; /* [graphs] the search in that node */
} gspi_calls;

static void gspi_calls_layout(gspi_bump *b, gspi_calls *w, uint32_t n)
{
    w->order = GSPI_LOW(b, uint32_t, n);
    w->state = GSPI_HIGH(b, uint8_t, n);
    w->path = gspi_words(b, n);
    w->at = gspi_words(b, n);
    w->called = GSPI_HIGH(b, gsp_called, n);
}

size_t gsp_calls_bound(const gsp_module *module)
{
    gspi_bump b = gspi_measure();
    gspi_calls w;
    gspi_calls_layout(&b, &w, module->counts.graphs);
    return gspi_bound(&b);
}

/* The next graph that one on the path runs and that is not done. */
static uint32_t gspi_calls_next(const gspi_calls *w, const gsp_graph *g, uint32_t depth)
{
    gsp_called *c = &w->called[depth];
    for (gsp_node *at = &w->at[depth]; *at < g->n_nodes; ++*at) {
        while (gsp_called_next(g, *at, c)) {
            if (w->state[c->graph] != 2u) {
                return c->graph;
            }
        }
        gspi_set(c, 0, sizeof(*c));
    }
    return GSP_NONE;
}

static gsp_status gspi_calls_from(gspi_calls *w, const gsp_module *m, uint32_t root, gsp_error *err)
{
    uint32_t depth = 0;
    uint32_t child = w->state[root] == 0u ? root : GSP_NONE;
    while (child != GSP_NONE || depth > 0u) {
        GSPI_CHECK_ITEM(
            child == GSP_NONE || w->state[child] != 1u, CYCLE, RECURSION, GRAPH, child, GSP_NONE);
        if (child != GSP_NONE) {
            w->state[child] = 1;
            w->at[depth] = 0;
            gspi_set(&w->called[depth], 0, sizeof(*w->called));
            w->path[depth++] = child;
        }
        gsp_graph const g = gspi_graph(m, w->path[depth - 1u]);
        child = gspi_calls_next(w, &g, depth - 1u);
        if (child == GSP_NONE) {
            w->order[w->result.n_graphs++] = g.id;
            w->state[g.id] = 2;
            depth--;
        }
    }
    return GSP_OK;
}

gsp_status gsp_calls_run(
    gsp_arena *arena, const gsp_module *module, gsp_calls_result *result, gsp_error *err)
{
    gspi_calls w;
    GSPI_GIVEN_3(arena, module, result);
    GSPI_ENTER(gsp_calls_bound(module));
    gspi_calls_layout(&pass.bump, &w, module->counts.graphs);
    gspi_set(w.state, 0, module->counts.graphs);
    w.result.n_graphs = 0;
    w.result.order = w.order;
    for (uint32_t i = 0; i < module->counts.graphs; i++) {
        GSPI_STEP(gspi_calls_from(&w, module, i, err));
    }
    *result = w.result;
    return GSPI_LEAVE();
}

/* ====
 * >>family SPLIT   CPU and accelerator subgraphs (implementation)
 * ==== */
#ifndef GSP_NO_SPLIT

static void gspi_placement_layout(gspi_bump *b, gsp_placement *p, uint32_t n)
{
    p->kind = GSPI_LOW(b, uint8_t, n);
    p->reason = GSPI_LOW(b, uint8_t, n);
    p->culprit = gspi_kept(b, n);
    p->group = gspi_kept(b, n);
}

/* Checks that callable nodes have a kind below n_kinds, others NONE or CPU, and that only callable
 * nodes have a group. */
GSPI_OWN_FRAME gsp_status gspi_check_placement(
    const gsp_graph *g, const gsp_placement *p, gsp_error *err)
{
    const uint8_t *op = g->module->op + g->first;
    GSPI_GIVEN_2(p, p->kind);
    GSPI_CHECK(p->n_nodes == g->n_nodes && p->n_kinds - 1u < GSP_KIND_NONE, ARG, KIND);
    for (gsp_node v = 0; v < g->n_nodes && !p->trusted; v++) {
        int const callable = gspi_is_callable(op[v]);
        uint32_t const kind = callable || p->kind[v] != GSP_KIND_NONE ? p->kind[v] : 0u;
        uint32_t const group = p->group == NULL ? GSP_NONE : p->group[v];
        GSPI_CHECK_NODE(kind < (callable ? p->n_kinds : 1u) &&
                            (group == GSP_NONE || group < (callable ? g->n_nodes : 0u)),
            ARG, KIND, v);
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
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (p->group[v] != GSP_NONE ||
            (!skip && out[v] == GSP_VALUE_OTHER && gspi_on_accelerator(p, v))) {
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
    for (gsp_node v = 0; v < n; v++) {
        partner[v] = v;
    }
    if (group == NULL) {
        return;
    }
    gspi_none(last, n);
    for (gsp_node v = 0; v < n; v++) {
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

/* Moves given groups of several kinds to the CPU before their neighbours are examined. The partner
 * of the last member of a ring is the first. */
static void gspi_place_groups(gsp_placement *p, const uint32_t *partner)
{
    for (gsp_node last = 0; last < p->n_nodes; last++) {
        gsp_node const first = partner[last];
        uint32_t const kind = p->kind[first];
        gsp_node other = first < last ? partner[first] : first;
        gsp_node v = last;
        while (other != first && p->kind[other] == kind) {
            other = partner[other];
        }
        while (other != first) {
            v = partner[v];
            if (gspi_on_accelerator(p, v)) {
                gspi_give_reason(p, v, GSP_REASON_GROUP, p->kind[v] == kind ? other : first);
                p->kind[v] = GSP_KIND_CPU;
            }
            other = v == last ? first : other;
        }
    }
}

/* ---- Module of subgraphs: crossing values, root, called graphs ---- */

/* Checks that callable nodes have a part below `limit` and, if `ordered`, read no later part. */
static gsp_status gspi_check_parts(
    const gsp_graph *g, const uint32_t *part_of, uint32_t limit, int ordered, gsp_error *err)
{
    const uint8_t *op = g->module->op + g->first;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (!gspi_is_callable(op[v])) {
            continue;
        }
        GSPI_CHECK_NODE(part_of[v] < limit, ARG, TAG, v);
        if (!ordered) {
            continue;
        }
        gspi_row const inputs = gspi_before(g, v);
        for (uint32_t i = 0; i < inputs.n; i++) {
            GSPI_CHECK_AT(
                !gspi_is_callable(op[inputs.at[i]]) || part_of[inputs.at[i]] <= part_of[v], CYCLE,
                TAG_ORDER, v, inputs.at[i]);
        }
    }
    return GSP_OK;
}

static gsp_status gspi_check_groups(const gsp_graph *g, const uint32_t *group, gsp_error *err)
{
    for (gsp_node v = 0; group != NULL && v < g->n_nodes; v++) {
        GSPI_CHECK_NODE(group[v] == GSP_NONE || group[v] < g->n_nodes, ARG, KIND, v);
    }
    return GSP_OK;
}

/* 1 if the text form can read this name of a part. */
static int gspi_is_part_name(gsp_str name)
{
    return name.size != 0u && gspi_trim(name).size == name.size && gspi_is_one_line(name) &&
           gspi_target_end(name, 1) == name.size;
}

static void gspi_callable_rows(
    const gsp_graph *g, const uint32_t *label, uint32_t n_labels, uint32_t *begin, gsp_node *nodes)
{
    const uint8_t *op = g->module->op + g->first;
    gspi_zero(begin, (size_t)n_labels + 1u);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
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

typedef struct {
    const gsp_graph *g;
    const uint32_t *part_of;
    gsp_atom *names; /* [parts] of the graphs; wanted names of their calls */
    const gsp_atom *target;
    const gsp_atom *in_name; /* [edges] names of placeholders; NULL for their own */
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
    w->b = GSPI_HIGH(b, gsp_builder, 1);
    w->names = gspi_words(b, n_parts);
    w->graph_of = gspi_kept(b, c->nodes);
    w->node_of = gspi_kept(b, c->nodes);
    w->part_begin = gspi_words(b, (size_t)n_parts + 1u);
    w->part_nodes = gspi_words(b, c->nodes);
    w->out_begin = gspi_words(b, (size_t)n_parts + 1u);
    w->out_nodes = gspi_words(b, c->nodes);
    w->out_index = gspi_words(b, c->nodes);
    w->in_begin = gspi_words(b, (size_t)n_parts + 1u);
    w->in_nodes = gspi_words(b, c->edges);
    w->stamp = gspi_words(b, c->nodes);
    w->local = gspi_words(b, c->nodes);
    w->n_parts = n_parts;
}

/* Upper bounds. Each node is in the root, in a part or in another graph; parts have a placeholder
 * or attribute per edge. A part adds a call and an output, and a getitem per output unless that is
 * its only value and no tuple: up to two nodes per node, whether a part has one or two. If there
 * are many parts, each is small and has few indices. */
GSPI_OWN_FRAME gsp_counts gspi_cut_counts(
    const gsp_counts *c, uint64_t parts, size_t name_bytes, int tuples)
{
    uint64_t const n = c->nodes;
    uint64_t const p = parts < n ? parts : n;
    uint64_t const more = tuples || p < n / 2u ? n + 2u * p : 2u * n; /* calls, outputs, getitems */
    uint64_t const bytes = gspi_count(name_bytes);
    uint32_t w = 1; /* digits of an index */
    gsp_counts r;
    r.graphs = gspi_count(parts + c->graphs);
    r.nodes = gspi_count(n + c->edges + more + 1u);
    /* once more per edge in calls; per node an argument of a return and two of a getitem, and a
     * tuple per part */
    r.args = gspi_count(2u * n + c->edges + more + c->args);
    r.edges = gspi_count(2u * (n + c->edges));
    r.attrs = gspi_count(c->attrs + (c->attrs > 1u ? 2u * n : 0u)); /* `bytes=` of outputs */
    /* per part its name, that of its call, the start of that, and "getitem_N"s with indices */
    r.strings = gspi_count(n + more + c->strings + 2u);
    for (uint32_t left = r.nodes; left > 9u; left /= 10u) {
        w++;
    }
    r.bytes = gspi_count(
        (more - 2u * p) * (8u + w) + (n - p + 1u) * w + p * (4u + w) + 4u * bytes + c->bytes + 64u);
    return r;
}

/* 1 if u is an output of its part, read by v. */
static int gspi_cut_crosses(const gspi_cut *w, gsp_node u, gsp_node v)
{
    return gspi_callable(w->g, u) && !(gspi_callable(w->g, v) && w->part_of[u] == w->part_of[v]);
}

/* 1 for a get_attr that names a child graph, which is no value to pass. */
static int gspi_cut_is_holder(const gspi_cut *w, gsp_node v)
{
    return gspi_op(w->g, v) == GSP_OP_GET_ATTR && gspi_query_child(w->g, v) != GSP_NONE;
}

static void gspi_cut_outputs(const gspi_cut *w)
{
    gspi_zero(w->out_begin, (size_t)w->n_parts + 1u);
    gspi_none(w->out_index, w->g->n_nodes);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        gspi_row const inputs = gspi_inputs(w->g, v);
        for (uint32_t i = 0; i < inputs.n; i++) {
            gsp_node const u = inputs.at[i];
            if (gspi_cut_crosses(w, u, v) && w->out_index[u] == GSP_NONE) {
                w->out_index[u] = w->out_begin[w->part_of[u] + 1u]++;
            }
        }
    }
    gspi_rows_by_index(
        w->part_of, w->out_index, w->g->n_nodes, w->n_parts, w->out_begin, w->out_nodes);
}

static void gspi_cut_inputs(const gspi_cut *w)
{
    uint32_t n = 0;
    gspi_zero(w->stamp, w->g->n_nodes);
    w->in_begin[0] = 0;
    for (uint32_t part = 0; part < w->n_parts; part++) {
        for (uint32_t i = w->part_begin[part]; i < w->part_begin[part + 1u]; i++) {
            gsp_node const v = w->part_nodes[i];
            gspi_row const inputs = gspi_inputs(w->g, v);
            for (uint32_t k = 0; k < inputs.n; k++) {
                gsp_node const u = inputs.at[k];
                gsp_op const op = gspi_op(w->g, u);
                int const passed = op == GSP_OP_GET_ATTR
                                       ? w->pass_attrs && !gspi_cut_is_holder(w, u)
                                       : op == GSP_OP_PLACEHOLDER || gspi_cut_crosses(w, u, v);
                if (w->stamp[u] != part + 1u && passed) {
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
    gspi_callable_rows(w->g, w->part_of, w->n_parts, w->part_begin, w->part_nodes);
    gspi_cut_outputs(w);
    gspi_cut_inputs(w);
    gspi_none(w->root_of, w->g->n_nodes);
    gspi_none(w->graph_of, w->g->n_nodes);
    gspi_none(w->node_of, w->g->n_nodes);
    gspi_zero(w->stamp, w->g->n_nodes);
}

static void gspi_cut_args(const gspi_cut *w, gsp_node v, const gsp_node *map, uint32_t stamp)
{
    gspi_build_copy_mapped(w->b, w->g, v, NULL, map, w->stamp, stamp);
}

/* 1 if a get_attr stays in the root. With pass_attrs, all stay but child graphs that only parts
 * read, which are copied into these parts. Otherwise they stay only if nothing is cut. */
static int gspi_cut_keeps_attr(const gspi_cut *w, gsp_node v)
{
    gspi_row const users = gspi_users(w->g, v);
    if (!w->pass_attrs) {
        return w->n_parts == 0u;
    }
    return users.n == 0u || users.at[users.n - 1u] == w->g->n_nodes - 1u ||
           !gspi_cut_is_holder(w, v);
}

/* Writes placeholders and kept attributes of the root, then others that it returns. */
static void gspi_cut_root_values(const gspi_cut *w)
{
    const gsp_graph *g = w->g;
    const gsp_atom *target = g->module->target + g->first;
    gspi_row const returned = gspi_inputs(g, g->n_nodes - 1u);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        gsp_op const op = gspi_op(g, v);
        if (op == GSP_OP_PLACEHOLDER || (op == GSP_OP_GET_ATTR && gspi_cut_keeps_attr(w, v))) {
            w->root_of[v] = gspi_build_copy_node(w->b, g, op, v, target[v]);
            gspi_cut_args(w, v, w->root_of, GSP_NONE);
        }
    }
    for (uint32_t i = 0; i < returned.n; i++) {
        gsp_node const v = returned.at[i];
        if (gspi_op(g, v) == GSP_OP_GET_ATTR && w->root_of[v] == GSP_NONE) {
            w->root_of[v] = gspi_build_copy_node(w->b, g, GSP_OP_GET_ATTR, v, target[v]);
        }
    }
}

static int gspi_cut_is_tuple(const gspi_cut *w, uint32_t part)
{
    return w->return_tuple || w->out_begin[part + 1u] - w->out_begin[part] != 1u;
}

/* Writes the call of a part and a getitem per value; returns the call. */
static gsp_node gspi_cut_call(const gspi_cut *w, uint32_t part)
{
    gsp_atom const target = w->names[part];
    gsp_atom const name = gsp_build_name(w->b, gspi_build_text(w->b, target));
    gsp_node const call = gsp_build_node_atoms(w->b, GSP_OP_CALL_MODULE, name, target);
    uint32_t const begin = w->out_begin[part];
    int const tuple = gspi_cut_is_tuple(w, part);
    for (uint32_t i = w->in_begin[part]; i < w->in_begin[part + 1u]; i++) {
        gsp_build_arg_node(w->b, w->root_of[w->in_nodes[i]]);
    }
    for (uint32_t i = begin; i < w->out_begin[part + 1u]; i++) {
        w->root_of[w->out_nodes[i]] = tuple ? gspi_build_put_getitem(w->b, call, i - begin) : call;
        gsp_build_like(w->b, w->g, w->out_nodes[i], 0);
    }
    return call;
}

/* Writes the attributes that v is the first to read in this part, then v. */
static void gspi_cut_body_node(const gspi_cut *w, uint32_t part, gsp_node v)
{
    gspi_row const inputs = gspi_inputs(w->g, v);
    for (uint32_t i = 0; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        if (gspi_op(w->g, u) == GSP_OP_GET_ATTR && w->stamp[u] != part + 1u) {
            w->stamp[u] = part + 1u;
            w->local[u] =
                gspi_build_copy_node(w->b, w->g, GSP_OP_GET_ATTR, u, gspi_target_id(w->g, u));
        }
    }
    w->local[v] = gspi_build_copy_node(w->b, w->g, gspi_op(w->g, v), v, w->target[v]);
    gspi_cut_args(w, v, w->local, part + 1u);
    w->stamp[v] = part + 1u;
    w->node_of[v] = w->local[v];
}

static void gspi_cut_body(const gspi_cut *w, uint32_t part, uint32_t graph)
{
    gspi_build_node_done(w->b);
    gspi_build_graph_atom(w->b, w->names[part]);
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
    gspi_build_put_return(w->b, w->out_nodes, w->out_begin[part], w->out_begin[part + 1u], w->local,
        gspi_cut_is_tuple(w, part));
}

/* Writes the root, parts in call `order` (by number if NULL) and other graphs. `call` [n_calls], or
 * NULL, gets the calls. */
static gsp_status gspi_cut_write(
    const gspi_cut *w, const uint32_t *order, uint32_t n_calls, gsp_node *call, gsp_module *made)
{
    gsp_node const output = w->g->n_nodes - 1u;
    gsp_build_graph(w->b, gsp_str_of(""));
    gspi_cut_root_values(w);
    for (uint32_t i = 0; i < n_calls; i++) {
        gsp_node const made_call = gspi_cut_call(w, order == NULL ? i : order[i]);
        if (call != NULL) {
            call[i] = made_call;
        }
    }
    (void)gsp_build_output(w->b);
    gsp_build_like(w->b, w->g, output, 1);
    gspi_cut_args(w, output, w->root_of, GSP_NONE);
    for (uint32_t i = 0; i < n_calls; i++) {
        gspi_cut_body(w, order == NULL ? i : order[i], i + 1u);
    }
    gspi_build_copy_others(w->b, w->g);
    return gsp_build_finish(w->b, made, NULL);
}

/* Seeks an argument by keyword, or by position if the keyword is empty. */
static int gspi_find_argument(
    const gsp_graph *g, gsp_node v, gsp_str key, uint32_t position, gspi_elements *e)
{
    *e = gspi_elements_of(gspi_args(g, v));
    while (gspi_next_element(e)) {
        if (e->key == GSP_NONE
                ? key.size == 0u && e->index == position
                : key.size != 0u && gsp_str_equal(gspi_str(g->module, e->key), key)) {
            return 1;
        }
    }
    return 0;
}

/* ----
 * >>constraint   Conditions on the arguments and shapes of a node (implementation)
 * ---- */

/* A constraint is parsed while it is evaluated, from left to right, without a tree. A term names a
 * subject and the node that it is about; the items of both sides are then read one after the other
 * from the text of the module. Without a graph, the same functions only check the grammar. */

typedef struct {
    uint32_t rule;
    uint32_t line;    /* the last table line that names the node, or GSP_NONE */
    gsp_node culprit; /* its dtype is refused by this line or rule; or GSP_NONE */
    gsp_str limit;    /* the constraint that refuses it instead; or empty */
} gspi_answer;

/* The subject of a term; NONE if malformed. */
typedef enum {
    GSPI_COND_NONE,
    GSPI_COND_CONST, /* the order of the words in gspi_cond_word() */
    GSPI_COND_RANK,
    GSPI_COND_DIM,
    GSPI_COND_SHAPE,
    GSPI_COND_DTYPE,
    GSPI_COND_BATCH,
    GSPI_COND_ATTR
} gspi_cond_subject;

typedef struct {
    const gsp_graph *g; /* NULL to parse only */
    gsp_str line;
    uint32_t at;
    gsp_node v;
    gsp_node about; /* of the last term, or GSP_NONE for an absent argument */
} gspi_cond;

/* Items of "3x3", "1, 2" or "relu", or constants among tokens. */
typedef struct {
    gsp_str text;
    const gsp_arg *args; /* or NULL */
    union {
        uint32_t n_args;
        char digits[4]; /* a rank below 10,000, without args */
    } of;
    uint32_t at; /* of the next item */
} gspi_cond_items;

/* The next item, or an empty text. */
static gsp_str gspi_cond_item(const gspi_cond *q, gspi_cond_items *s)
{
    const char *c = s->text.data;
    while (s->args != NULL && s->at < s->of.n_args) {
        gsp_arg const a = s->args[s->at++];
        if (a.kind == GSP_ARG_CONSTANT) {
            return gspi_str(q->g->module, a.value);
        }
    }
    uint32_t const begin = s->at < s->text.size ? gspi_skip_blanks(s->text, s->at) : s->text.size;
    uint32_t end = begin;
    while (end < s->text.size && c[end] != ',' && (c[end] != 'x' || c[begin] > '9')) {
        end++;
    }
    s->at = end + 1u;
    return begin < end ? gspi_slice(c, begin, end) : gspi_slice("", 0, 0);
}

static int gspi_cond_integer(gsp_str t, int64_t *value)
{
    uint64_t n = 0;
    uint32_t const sign = gspi_byte(t, 0) == '-' ? 1u : 0u;
    int const valid = gspi_number(gspi_slice(t.data, sign, t.size), &n) && n <= INT64_MAX;
    *value = sign != 0u ? -(int64_t)n : (int64_t)n;
    return valid;
}

/* Items of a keyword argument, else of an annotation. */
GSPI_OWN_FRAME void gspi_cond_attr(const gspi_cond *q, gspi_cond_items *s, gsp_str key)
{
    const gsp_module *m = q->g->module;
    gspi_elements e;
    if (gspi_callable(q->g, q->about) && gspi_find_argument(q->g, q->about, key, 0, &e)) {
        s->args = e.args + e.at;
        s->of.n_args = e.next - e.at;
        return;
    }
    for (const gsp_attr *a = m->attrs + m->attr[q->g->first + q->about]; a->key != GSP_KEY_NONE;
         a++) {
        if (gsp_str_equal(gspi_str(m, a->key), key)) {
            s->text = gspi_str(m, a->value);
        }
    }
}

/* Finds the items of a TYPE, of its first tensor. */
GSPI_OWN_FRAME void gspi_cond_type(
    const gspi_cond *q, gspi_cond_items *s, gspi_cond_subject subject, int32_t dim)
{
    gspi_cond_items dims;
    uint32_t at = 0;
    uint32_t rank = 0;
    gsp_str dtype;
    gspi_set(&dims, 0, sizeof(dims));
    if (!gsp_type_next(gspi_type_str(q->g, q->about), &at, &dtype, &dims.text) ||
        (dims.text.size > 0u && dims.text.data[0] == '?')) {
        return;
    }
    for (uint32_t i = 0; i < dims.text.size && rank < 9999u; i++) {
        rank += i == 0u || dims.text.data[i] == ',' ? 1u : 0u;
    }
    dim += dim < 0 ? (int32_t)rank : 0;
    s->text = subject == GSPI_COND_DTYPE   ? dtype
              : subject == GSPI_COND_SHAPE ? dims.text
              : subject == GSPI_COND_RANK
                  ? gspi_slice(s->of.digits, 0, gspi_decimal(rank, s->of.digits))
                  : s->text;
    if (subject == GSPI_COND_DIM || subject == GSPI_COND_BATCH) {
        for (int32_t i = 0; i <= dim; i++) {
            s->text = gspi_cond_item(q, &dims);
        }
        if (s->text.size > 0u && !gspi_is_digit(s->text.data[0])) { /* a symbol */
            s->text.size = 0;
        }
    }
}

static gsp_node gspi_cond_node(const gsp_graph *g, gsp_node v, int64_t position)
{
    gspi_elements e;
    gsp_str const none = {NULL, 0u};
    int const found = gspi_find_argument(g, v, none, (uint32_t)position, &e);
    for (uint32_t i = e.at; found && i < e.next; i++) {
        if (gspi_is_node(e.args[i])) {
            return e.args[i].value;
        }
    }
    return GSP_NONE;
}

/* The subject of this name; ATTR for a keyword argument or annotation. */
static gspi_cond_subject gspi_cond_word(gsp_str name)
{
    static const char words[] = "const rank  dim   shape dtype batch ";
    uint32_t const n = name.size;
    for (uint32_t i = 0; i + 6u < sizeof(words) && n > 2u && n < 6u; i += 6u) {
        if (gspi_same(words + i, name.data, n) && words[i + n] == ' ') {
            return (gspi_cond_subject)(i / 6u + (uint32_t)GSPI_COND_CONST);
        }
    }
    return GSPI_COND_ATTR;
}

static int gspi_cond_inside(
    gspi_cond *q, gspi_cond_subject subject, gsp_str inside, int64_t *number)
{
    gspi_cond_items list;
    gspi_set(&list, 0, sizeof(list));
    list.text = inside;
    for (uint32_t i = 0; i == 0u || list.at < inside.size; i++) {
        gsp_str const item = gspi_cond_item(q, &list);
        int64_t n;
        if (!gspi_cond_integer(item, &n)) {
            n = -1;
            if (i > 0u || !gsp_str_equal(item, gsp_str_of("out"))) {
                return 0;
            }
        }
        if (i > 0u && subject != GSPI_COND_CONST) {
            *number = n;
            return subject == GSPI_COND_DIM && list.at > inside.size;
        }
        if (q->g != NULL) {
            q->about = n < 0 ? q->v : gspi_cond_node(q->g, q->v, n);
            if (subject == GSPI_COND_CONST && q->about != GSP_NONE &&
                gspi_op(q->g, q->about) != GSP_OP_GET_ATTR) {
                *number = 0;
                return 1;
            }
        }
    }
    return subject != GSPI_COND_DIM;
}

/* Returns the subject of a term, or NONE. *number is the index of dim, or 1 or 0 for const. */
GSPI_OWN_FRAME gspi_cond_subject gspi_cond_term(gspi_cond *q, gsp_str *attr, int64_t *number)
{
    const gsp_str *t = &q->line; /* a copy needs 16 more bytes of stack */
    uint32_t end = gspi_skip_name(*t, q->at);
    if (end == q->at) {
        return GSPI_COND_NONE;
    }
    *attr = gspi_slice(t->data, q->at, end);
    gspi_cond_subject subject = gspi_cond_word(*attr);
    *number = subject == GSPI_COND_CONST ? 1 : 0;
    q->about = q->v;
    q->at = end;
    if (end < t->size && t->data[end] == '(') {
        end = (uint32_t)gspi_find_byte(t->data, t->size, end, ')');
        gsp_str const inside = gspi_slice(t->data, q->at + 1u, end);
        q->at = end + 1u;
        if (end == t->size || !gspi_cond_inside(q, subject, inside, number)) {
            return GSPI_COND_NONE;
        }
    } else if (subject != GSPI_COND_RANK && subject != GSPI_COND_BATCH) {
        subject = GSPI_COND_ATTR;
    } else if (q->g != NULL) {
        q->about = gspi_cond_node(q->g, q->v, 0);
    }
    return subject;
}

/* Finds the items of a term of name s->text. */
GSPI_OWN_FRAME void gspi_cond_read(
    gspi_cond *q, gspi_cond_items *s, gspi_cond_subject subject, const int64_t *number)
{
    gsp_str const attr = s->text;
    gspi_set(s, 0, sizeof(*s));
    if (q->about != GSP_NONE && subject == GSPI_COND_ATTR) {
        gspi_cond_attr(q, s, attr);
    } else if (q->about != GSP_NONE && subject != GSPI_COND_CONST) {
        gspi_cond_type(q, s, subject, *number < -99 || *number > 99 ? 99 : (int32_t)*number);
    }
}

/* Returns 1 if it holds, 0 if not, -1 if unknown. */
GSPI_OWN_FRAME int gspi_cond_compare(
    const gspi_cond *q, char op, gspi_cond_items *a, gspi_cond_items *b)
{
    gsp_str x = gspi_cond_item(q, a);
    gsp_str y = gspi_cond_item(q, b);
    int holds = x.size > 0u && y.size > 0u ? 1 : -1;
    int pairs = 0;
    while (holds > 0 && (x.size > 0u || (pairs && y.size > 0u))) {
        int64_t m = 0;
        int64_t n = 0;
        while (op == 'i' && y.size > 0u && !gsp_str_equal(x, y)) {
            y = gspi_cond_item(q, b);
        }
        int const integers = gspi_cond_integer(x, &m) && gspi_cond_integer(y, &n);
        if (op != '<' && op != '>') {
            holds = integers ? m == n : gsp_str_equal(x, y);
        } else {
            holds = !integers ? -1 : op == '<' ? m <= n : m >= n;
        }
        b->at = op == 'i' ? 0u : b->at;
        x = gspi_cond_item(q, a);
        gsp_str const next = gspi_cond_item(q, b);
        pairs |= op != 'i' && next.size > 0u;
        if (op == 'i' || pairs) {
            y = next;
        }
    }
    return holds;
}

/* Evaluates the next constraint; returns 1 if it holds, 0 if not (because of node `about`), -1 if
 * it is malformed. */
GSPI_OWN_FRAME int gspi_cond_next(gspi_cond *q)
{
    gsp_str const t = q->line;
    gspi_cond_items a;
    gspi_cond_items b;
    int64_t number;
    gspi_cond_subject const subject = gspi_cond_term(q, &a.text, &number);
    if (subject == GSPI_COND_NONE) {
        return -1;
    }
    gspi_cond_read(q, &a, subject, &number);
    gsp_node const about = q->about;
    int const remark = q->at < t.size && t.data[q->at] == ':';
    int holds = number > 0;
    if (remark) {
        uint32_t const value = gspi_skip_blanks(t, q->at + 1u);
        q->at = gspi_word_end(t, value, "");
        holds = q->at > value ? 1 : -1;
    } else if (subject != GSPI_COND_CONST) {
        int const optional = q->at < t.size && t.data[q->at] == '?';
        uint32_t const at = gspi_skip_blanks(t, q->at + (optional ? 1u : 0u));
        char const op = (char)(at < t.size ? t.data[at] : '\0');
        q->at = at + 2u < t.size ? gspi_skip_blanks(t, at + 2u) : t.size;
        uint32_t const value = q->at;
        if (value == t.size || t.data[at + 1u] != (op == 'i' ? 'n' : '=') ||
            (op == 'i' ? !gspi_is_blank(t.data[at + 2u]) : op != '=' && op != '<' && op != '>')) {
            return -1;
        }
        q->at = gspi_word_end(t, q->at, "");
        uint32_t const end = q->at;
        if (t.data[end - 1u] == ')') {
            q->at = value;
            gspi_cond_subject const right = gspi_cond_term(q, &b.text, &number);
            if (right == GSPI_COND_CONST || right == GSPI_COND_NONE || op == 'i' || q->at != end) {
                return -1;
            }
            gspi_cond_read(q, &b, right, &number);
        } else {
            gspi_set(&b, 0, sizeof(b));
            b.text = gspi_slice(t.data, value, end);
            q->about = q->v;
        }
        holds = about == GSP_NONE || q->about == GSP_NONE ? 1 : gspi_cond_compare(q, op, &a, &b);
        holds = holds < 0 ? optional : holds;
    }
    q->about = about;
    if (q->at < t.size && !gspi_is_blank(t.data[q->at])) {
        return -1;
    }
    q->at = gspi_skip_blanks(t, q->at);
    return holds;
}

/* 1 if the constraints of line i accept v; else *a gets the reason unless it has one. */
static int gspi_constraint_hold(
    const gsp_graph *g, gsp_node v, gsp_str constraints, uint32_t i, gspi_answer *a)
{
    gspi_cond q = {g, constraints, 0, v, v};
    uint32_t begin = 0;
    int holds = 1;
    while (q.at < constraints.size && holds > 0) {
        begin = q.at;
        holds = gspi_cond_next(&q);
    }
    if (holds <= 0 && a->limit.size == 0u) {
        a->limit = gspi_slice(constraints.data, begin, q.at);
        a->line = i;
        a->culprit = q.about;
    }
    return holds > 0;
}

/* Offset of the first error, or the size. */
static uint32_t gspi_constraint_end(gsp_str t)
{
    gspi_answer a = {GSP_NONE, GSP_NONE, GSP_NONE, {NULL, 0u}};
    return gspi_constraint_hold(NULL, GSP_NONE, t, 0, &a) ? t.size
                                                          : (uint32_t)(a.limit.data - t.data);
}

/* ----
 * >>support   Operator support and pins (implementation)
 * ---- */

const char *gsp_reason_name(gsp_reason reason)
{
    return gspi_nth(GSP_REASON_LIST(GSPI_NAME) "?", (uint32_t)reason, GSP_REASON_COUNT);
}

const char *gsp_reason_text(gsp_reason reason)
{
    return gspi_nth(GSP_REASON_LIST(GSPI_TEXT), (uint32_t)reason, GSP_REASON_COUNT);
}

/* Each rule runs over all nodes before the next, so the operand stack of a node is one word of bits
 * and a table can cache its answer per name. Pins without wildcards are hashed. */

/* 1 if a node yields a tensor of another dtype; *dtype is the first. */
GSPI_OWN_FRAME int gspi_other_dtype(
    const gsp_graph *g, gsp_node v, const gsp_str *dtypes, gsp_str *dtype)
{
    gsp_str const type = gspi_type_str(g, v);
    uint32_t at = 0;
    gsp_str dims;
    while (gsp_type_next(type, &at, dtype, &dims)) {
        if (!gspi_in_list(*dtypes, *dtype)) {
            return 1;
        }
    }
    return 0;
}

/* 1 if all tensors that a node yields have an accepted dtype. `memory` [strings] (or NULL) caches
 * the last answer per TYPE of an aggregate as `refused` or `refused` + 1, which exceed the values
 * of targets. */
static int gspi_dtypes_accepted(
    const gsp_graph *g, gsp_node v, const gsp_str *dtypes, uint32_t *memory, uint32_t refused)
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
static gsp_node gspi_dtypes_refused(
    const gsp_graph *g, gsp_node v, const gsp_str *dtypes, uint32_t *memory, uint32_t refused)
{
    gspi_row const inputs = gspi_inputs(g, v);
    if (dtypes->size == 0u) {
        return GSP_NONE;
    }
    for (uint32_t i = 0; i <= inputs.n; i++) {
        gsp_node const u = i < inputs.n ? inputs.at[i] : v;
        if (!gspi_dtypes_accepted(g, u, dtypes, memory, refused)) {
            return u;
        }
    }
    return GSP_NONE;
}

/* The first node in the wanted argument with a tensor of another dtype. */
static gsp_node gspi_arg_refused(const gsp_graph *g, gsp_node v, const gsp_arg_dtypes *wanted)
{
    gspi_elements e;
    gsp_str dtype;
    int const found = gspi_find_argument(g, v, wanted->key, wanted->position, &e);
    for (uint32_t i = e.at; found && i < e.next; i++) {
        if (gspi_is_node(e.args[i]) &&
            gspi_other_dtype(g, e.args[i].value, &wanted->dtypes, &dtype)) {
            return e.args[i].value;
        }
    }
    return GSP_NONE;
}

/* One plus the last line that names `name`, or 0. Marks all matching lines in `matched`. */
static uint32_t gspi_table_find(const gsp_table *t, gsp_str name)
{
    uint32_t last = 0;
    for (uint32_t i = t->n_entries; i > 0u && (last == 0u || t->matched != NULL); i--) {
        gsp_str pattern = t->entries[i - 1u].name;
        int const prefix = pattern.data[pattern.size - 1u] == '*';
        pattern.size -= prefix ? 1u : 0u;
        if ((prefix ? name.size >= pattern.size : name.size == pattern.size) &&
            gspi_same(name.data, pattern.data, pattern.size)) {
            last = last == 0u ? i : last;
            if (t->matched != NULL) {
                t->matched[i - 1u] = 1;
            }
        }
    }
    return last;
}

/* 1 if a line up to `at` with the name of line `at` supports a node. */
static int gspi_lines_take(const gsp_graph *g, gsp_node v, const gsp_table *t, uint32_t at,
    uint32_t *memory, gspi_answer *a)
{
    for (uint32_t i = at; i > 0u; i--) {
        const gsp_table_entry *e = &t->entries[i - 1u];
        gsp_node culprit = GSP_NONE;
        if (i < at && !gsp_str_equal(e->name, t->entries[at - 1u].name)) {
            continue;
        }
        if (e->remove) {
            return 0;
        }
        for (uint32_t k = 0; k < e->n_args && culprit == GSP_NONE; k++) {
            culprit = gspi_arg_refused(g, v, &e->args[k]);
        }
        if (culprit == GSP_NONE) {
            culprit = gspi_dtypes_refused(g, v, &e->dtypes, memory, t->n_entries + 2u * i - 1u);
        }
        if (culprit != GSP_NONE) {
            a->culprit = i == at ? culprit : a->culprit;
        } else if (e->constraints.size == 0u ||
                   gspi_constraint_hold(g, v, e->constraints, i - 1u, a)) {
            a->culprit = GSP_NONE;
            return 1;
        }
    }
    return 0;
}

/* 1 if a table supports a node. The last line that names it decides, then earlier lines of the same
 * name, down to one that removes it. `memory` [strings] caches answers. */
static int gspi_table_takes(
    const gsp_graph *g, gsp_node v, const gsp_table *t, uint32_t *memory, gspi_answer *a)
{
    gsp_atom const s = gspi_class(g, v);
    uint32_t at = memory == NULL ? GSP_NONE : memory[s];
    if (at > t->n_entries) {
        at = gspi_table_find(t, gspi_str(g->module, s));
        if (memory != NULL) {
            memory[s] = at;
        }
    }
    a->line = at - 1u;
    return gspi_lines_take(g, v, t, at, memory, a);
}

/* Offset of the first error in a list of dtypes, or its size. */
static uint32_t gspi_dtypes_end(gsp_str t)
{
    uint32_t i = 0;
    while (i < t.size && (gspi_is_name(t.data[i]) || t.data[i] == ',')) {
        i++;
    }
    return i;
}

/* The end of an operator name, at a blank or before a `*` inside it. */
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
    int valid = e->name.size != 0u && gspi_operator_end(e->name, 0) == e->name.size &&
                gspi_dtypes_end(e->dtypes) == e->dtypes.size &&
                (e->n_args == 0u || e->args != NULL) &&
                (!e->remove || e->dtypes.size + e->constraints.size == 0u) &&
                gspi_constraint_end(e->constraints) == e->constraints.size;
    for (uint32_t i = 0; i < e->n_args && valid; i++) {
        valid = gspi_dtypes_end(e->args[i].dtypes) == e->args[i].dtypes.size;
    }
    return valid;
}

/* The next non-empty line of an operator file, stripped of blanks and comment; returns 0 if there
 * is none. */
static int gspi_table_line(gsp_str text, uint32_t *at, uint32_t *number, gsp_str *line)
{
    while (*at < text.size) {
        uint32_t begin = *at;
        uint32_t end = begin;
        while (*at < text.size && text.data[*at] != '\n') {
            end += text.data[*at] != '#' && end == *at ? 1u : 0u;
            (*at)++;
        }
        *at += *at < text.size ? 1u : 0u;
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
    uint32_t n = 0;
    uint32_t at = 0;
    uint32_t number = 0;
    gsp_str line;
    while (gspi_table_line(text, &at, &number, &line)) {
        n++;
    }
    return n;
}

size_t gsp_table_bound(gsp_str text)
{
    return gspi_mul_add(
        gspi_table_count(text), sizeof(gsp_table_entry), GSP_GAP + GSP_BOUND_SLACK + GSP_ALIGN);
}

/* Parses `NAME`, `NAME dtypes constraints`, `!NAME`; returns the offset of the error, or
 * GSP_NONE. */
static uint32_t gspi_table_entry(gsp_str line, gsp_table_entry *e)
{
    uint32_t const begin = line.data[0] == '!' ? 1u : 0u;
    uint32_t const end = gspi_operator_end(line, begin);
    uint32_t const dtypes = gspi_skip_blanks(line, end);
    e->remove = begin;
    e->args = NULL;
    e->n_args = 0;
    e->name = gspi_slice(line.data, begin, end);
    uint32_t const list = dtypes + gspi_dtypes_end(gspi_slice(line.data, dtypes, line.size));
    uint32_t at = gspi_skip_blanks(line, list);
    if ((list < line.size && at == list) ||
        (line.size - at > 2u && gspi_same(line.data + at, "in ", 3))) {
        at = dtypes; /* a constraint begins here */
    }
    e->dtypes = gspi_slice(line.data, dtypes, at == dtypes ? dtypes : list);
    e->constraints = gspi_slice(line.data, at, line.size);
    if (begin == end || (dtypes < line.size && (dtypes == end || e->remove))) {
        return dtypes;
    }
    at += gspi_constraint_end(e->constraints);
    return at == line.size ? GSP_NONE : at;
}

gsp_status gsp_table_read(gsp_arena *arena, gsp_str text, gsp_table *table, gsp_error *err)
{
    gsp_str line;
    uint32_t at = 0;
    uint32_t number = 0;
    uint32_t n = 0;
    GSPI_GIVEN_2(arena, table);
    GSPI_GIVEN_STR(text, "text");
    GSPI_ENTER(gsp_table_bound(text));
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
            return gspi_step(&pass, GSP_STATUS_PARSE);
        }
    }
    table->entries = entries;
    table->n_entries = n;
    table->trusted = 1;
    table->matched = NULL;
    return GSPI_LEAVE();
}

#define GSPI_TAKES      1u /* the current accelerator supports the node */
#define GSPI_TAKEN_ONCE 2u
#define GSPI_GROUP_BAD  4u /* in its first member; the accelerator does not support all of it */

static const gsp_support_desc gspi_support_default = {0u, 0, NULL, NULL, 0, 0, 0, 0u};

typedef struct {
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
    uint8_t *found; /* [n_pins] 1 if it names something or has wildcards */
    uint32_t n_globs;
    uint32_t longest; /* bytes of the longest SCOPE pattern without wildcards */
    uint32_t slot_mask;
} gspi_support;

static void gspi_support_layout(gspi_bump *b, gspi_support *w, const gsp_graph *g)
{
    uint32_t const n = g->n_nodes;
    uint32_t const slots = gspi_pow2(gspi_count_mul(w->d->n_pins, 2));
    gspi_placement_layout(b, &w->p, n);
    w->stack = gspi_longs(b, n);
    w->memory = gspi_words(b, g->module->counts.strings);
    w->refused = gspi_words(b, n);
    w->forced = GSPI_HIGH(b, uint8_t, n);
    w->pinned = GSPI_HIGH(b, uint8_t, n);
    w->takes = GSPI_HIGH(b, uint8_t, n);
    w->slots = gspi_words(b, slots == 0u ? SIZE_MAX : slots);
    w->globs = gspi_words(b, w->d->n_pins);
    w->found = GSPI_HIGH(b, uint8_t, w->d->n_pins);
    w->slot_mask = slots - 1u;
}

size_t gsp_support_bound(const gsp_graph *graph, const gsp_support_desc *desc)
{
    gspi_bump b = gspi_measure();
    gspi_support w;
    w.d = desc == NULL ? &gspi_support_default : desc;
    gspi_support_layout(&b, &w, graph);
    return gspi_bound(&b);
}

/* Continues the hash `h` of the first `from` bytes over the rest of a text. */
static uint32_t gspi_pin_hash(gsp_str t, uint32_t from, uint32_t h)
{
    for (; from < t.size; from++) {
        h = (h ^ (unsigned char)t.data[from]) * 0x85EBCA6Bu;
        h ^= h >> 13;
    }
    return h;
}

/* The slot of a pin without wildcards, whose hash is `h`; it is free or holds an equal pin. */
static uint32_t gspi_pin_slot(const gspi_support *w, uint32_t what, gsp_str t, uint32_t h)
{
    const gsp_pin *pins = w->d->pins;
    uint32_t slot = h & w->slot_mask;
    while (w->slots[slot] != GSP_NONE &&
           !(pins[w->slots[slot]].what == what && gsp_str_equal(pins[w->slots[slot]].pattern, t))) {
        slot = (slot + 1u) & w->slot_mask;
    }
    return slot;
}

/* The maximum of `best` and one plus the pin of exactly this text. */
static uint32_t gspi_pin_exact(
    const gspi_support *w, uint32_t what, gsp_str t, uint32_t h, uint32_t best)
{
    uint32_t const i = w->slots[gspi_pin_slot(w, what, t, h)];
    if (i == GSP_NONE) {
        return best;
    }
    w->found[i] = 1;
    return i + 1u > best ? i + 1u : best;
}

static uint32_t gspi_pin_text(const gspi_support *w, uint32_t what, gsp_str t, uint32_t best)
{
    return gspi_pin_exact(w, what, t, gspi_pin_hash(t, 0, what), best);
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

/* One plus the last pin that matches a node, or 0. */
static uint32_t gspi_pin_of(const gspi_support *w, const gsp_graph *g, gsp_node v)
{
    gsp_str const scope = gsp_node_scope(g, v);
    uint32_t hash = GSP_PIN_SCOPE;
    uint32_t hashed = 0;
    uint32_t best = gspi_pin_text(w, GSP_PIN_NAME, gspi_name_str(g, v), w->refused[v]);
    best = gspi_pin_text(w, GSP_PIN_TARGET, gspi_target_str(g, v), best);
    best = gspi_pin_text(w, GSP_PIN_TARGET, gsp_node_class(g, v), best);
    for (uint32_t i = 1; i <= scope.size && i <= w->longest; i++) {
        if (i == scope.size || scope.data[i] == '.') {
            gsp_str const path = gspi_slice(scope.data, 0, i);
            hash = gspi_pin_hash(path, hashed, hash); /* incremental, since paths may be long */
            hashed = i;
            best = gspi_pin_exact(w, GSP_PIN_SCOPE, path, hash, best);
        }
    }
    for (uint32_t i = w->n_globs; i > 0u && w->globs[i - 1u] >= best; i--) {
        if (gspi_pin_matches(&w->d->pins[w->globs[i - 1u]], g, v)) {
            return w->globs[i - 1u] + 1u;
        }
    }
    return best;
}

GSPI_OWN_FRAME gsp_status gspi_support_force(gspi_support *w, const gsp_graph *g, gsp_error *err)
{
    w->n_globs = 0;
    w->longest = 0;
    gspi_none(w->slots, (size_t)w->slot_mask + 1u);
    gspi_zero(w->refused, w->d->n_pins != 0u ? w->p.n_nodes : 0u);
    gspi_set(w->found, 1, w->d->n_pins);
    for (uint32_t i = 0; i < w->d->n_pins; i++) {
        const gsp_pin *pin = &w->d->pins[i];
        if (pin->what == GSP_PIN_NODE) {
            w->refused[pin->node] = i + 1u;
        } else if (gspi_find(pin->pattern, 0, "*") + gspi_find(pin->pattern, 0, "?") <
                   2u * pin->pattern.size) {
            w->globs[w->n_globs++] = i;
        } else {
            uint32_t const slot = gspi_pin_slot(
                w, pin->what, pin->pattern, gspi_pin_hash(pin->pattern, 0, pin->what));
            if (w->slots[slot] != GSP_NONE) {
                w->found[w->slots[slot]] = 1; /* the later of equal pins counts */
            }
            w->slots[slot] = i;
            w->found[i] = 0;
            if (pin->what == GSP_PIN_SCOPE && pin->pattern.size > w->longest) {
                w->longest = pin->pattern.size;
            }
        }
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int const acc = w->d->ignore_annotation ? -1 : gsp_node_acc(g, v);
        uint32_t const pin = w->d->n_pins != 0u && gspi_callable(g, v) ? gspi_pin_of(w, g, v) : 0u;
        w->pinned[v] = pin > 0u ? 1u : 0u;
        w->forced[v] = pin > 0u   ? (uint8_t)w->d->pins[pin - 1u].kind
                       : acc >= 0 ? (uint8_t)acc
                                  : GSP_KIND_NONE;
    }
    for (uint32_t i = 0; i < w->d->n_pins; i++) {
        GSPI_CHECK_ITEM(w->found[i], ARG, PIN, PIN, i, GSP_NONE);
    }
    return GSP_OK;
}

/* group[v] = first callable node with the same group=. */
GSPI_OWN_FRAME void gspi_support_groups(gspi_support *w, const gsp_graph *g)
{
    const uint8_t *flags = g->module->flags + g->first;
    uint32_t groups = 0;
    gspi_none(w->p.group, g->n_nodes);
    for (gsp_node v = 0; v < g->n_nodes && !w->d->ignore_groups; v++) {
        gsp_atom const s = (flags[v] & GSP_FLAG_GROUP) != 0u && gspi_callable(g, v)
                               ? gspi_attr(g, v, GSP_KEY_GROUP)
                               : GSP_NONE;
        if (s != GSP_NONE) {
            gspi_none(w->memory, groups++ == 0u ? g->module->counts.strings : 0u);
            w->memory[s] = w->memory[s] == GSP_NONE ? v : w->memory[s];
            w->p.group[v] = w->memory[s];
        }
    }
}

static int gspi_rule_holds(const gsp_graph *g, gsp_node v, const gsp_rule *rule, int acc_kind,
    uint32_t *memory, gspi_answer *a)
{
    a->line = GSP_NONE;
    a->culprit = GSP_NONE;
    a->limit = gspi_slice("", 0, 0);
    switch (rule->kind) {
    case GSP_RULE_ANNOTATION:
        return gsp_node_acc(g, v) == acc_kind;
    case GSP_RULE_TABLE:
        return gspi_table_takes(g, v, &rule->table, memory, a);
    case GSP_RULE_CALL:
        return rule->func(rule->user, g, v) != 0;
    default:
        a->culprit = gspi_dtypes_refused(g, v, &rule->dtypes, memory, 0);
        return a->culprit == GSP_NONE;
    }
}

/* The number of values that a rule replaces by one. */
static uint32_t gspi_rule_taken(const gsp_rule *r)
{
    return r->kind == GSP_RULE_NOT ? 1u : r->kind >= GSP_RULE_ALL ? r->count : 0u;
}

/* Checks rules and table lines, and that the stack stays in bounds and ends with one value. */
static gsp_status gspi_rules_check(const gsp_accelerator *a, uint32_t accelerator, gsp_error *err)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < a->n_rules; i++) {
        const gsp_rule *r = &a->rules[i];
        uint32_t const taken = gspi_rule_taken(r);
        GSPI_CHECK_ITEM(
            r->kind < GSP_RULE_COUNT && taken <= depth && depth - taken < 64u &&
                (r->kind != GSP_RULE_NOT || r->count <= 1u) &&
                (r->kind != GSP_RULE_CALL || r->func != NULL) &&
                (r->kind != GSP_RULE_TABLE || r->table.entries != NULL || r->table.n_entries == 0u),
            ARG, RULE, ACCELERATOR, accelerator, GSP_NONE);
        depth = depth - taken + 1u;
        for (uint32_t k = 0;
             r->kind == GSP_RULE_TABLE && !r->table.trusted && k < r->table.n_entries; k++) {
            GSPI_CHECK_ITEM(
                gspi_entry_is_valid(&r->table.entries[k]), ARG, ENTRY, ENTRY, k, accelerator);
        }
        GSPI_CHECK_ITEM(r->kind != GSP_RULE_DTYPES || gspi_dtypes_end(r->dtypes) == r->dtypes.size,
            ARG, RULE, ACCELERATOR, accelerator, GSP_NONE);
    }
    GSPI_CHECK_ITEM(depth == 1u || a->n_rules == 0u, ARG, RULE, ACCELERATOR, accelerator, GSP_NONE);
    return GSP_OK;
}

/* Applies a rule to the top of a stack of `depth` > 0 values. */
static uint64_t gspi_rule_join(const gsp_rule *rule, uint64_t stack, uint32_t depth)
{
    if (rule->kind == GSP_RULE_NOT) {
        return stack ^ (uint64_t)1 << ((depth - 1u) % 64u);
    }
    uint32_t const base = depth - rule->count;
    uint64_t const ones = rule->count == 0u ? 0u : ~(uint64_t)0u >> (64u - rule->count);
    uint64_t const values = (stack >> base) & ones; /* base < 64, since the program is valid */
    uint64_t const answer = rule->kind == GSP_RULE_ALL ? values == ones : values != 0u;
    return (stack & (((uint64_t)1u << base) - 1u)) | (answer << base);
}

GSPI_OWN_FRAME void gspi_support_rules(
    const gspi_support *w, const gsp_graph *g, const gsp_accelerator *a, int acc_kind)
{
    gspi_answer answer;
    uint32_t depth = 0;
    gspi_set(w->stack, 0, g->n_nodes * sizeof(uint64_t));
    for (uint32_t i = 0; i < a->n_rules; i++) {
        const gsp_rule *rule = &a->rules[i];
        gspi_none(w->memory, g->module->counts.strings);
        for (gsp_node v = 0; v < g->n_nodes; v++) {
            if (!gspi_callable(g, v) ||
                (w->forced[v] != GSP_KIND_NONE && rule->kind == GSP_RULE_TABLE &&
                    w->memory[gspi_class(g, v)] <= rule->table.n_entries)) {
                continue; /* its line is marked, and no rule decides */
            }
            if (rule->kind >= GSP_RULE_NOT) {
                w->stack[v] = gspi_rule_join(rule, w->stack[v], depth);
            } else if (gspi_rule_holds(g, v, rule, acc_kind, w->memory, &answer)) {
                w->stack[v] |= (uint64_t)1u << depth;
            } else if (answer.line != GSP_NONE && w->refused[v] == GSP_NONE) {
                w->refused[v] = answer.culprit;
            }
        }
        depth = depth - gspi_rule_taken(rule) + 1u;
    }
}

/* Assigns to accelerator `kind` the unassigned nodes that it supports. */
GSPI_OWN_FRAME void gspi_support_assign(gspi_support *w, const gsp_graph *g, uint32_t kind)
{
    gsp_placement *p = &w->p;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int const takes =
            w->forced[v] == GSP_KIND_NONE ? (w->stack[v] & 1u) != 0u : w->forced[v] == kind;
        if (!gspi_callable(g, v)) {
            continue;
        }
        w->takes[v] = (uint8_t)((w->takes[v] & ~(GSPI_TAKES | GSPI_GROUP_BAD)) |
                                (takes ? GSPI_TAKES | GSPI_TAKEN_ONCE : 0u));
        if (!takes && p->group[v] != GSP_NONE) {
            gsp_node *culprit = &p->culprit[p->group[v]];
            w->takes[p->group[v]] |= (uint8_t)GSPI_GROUP_BAD;
            *culprit = *culprit == GSP_NONE ? v : *culprit;
        }
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int const whole = p->group[v] == GSP_NONE || (w->takes[p->group[v]] & GSPI_GROUP_BAD) == 0u;
        if (p->kind[v] == GSP_KIND_CPU && (w->takes[v] & GSPI_TAKES) != 0u && whole) {
            p->kind[v] = (uint8_t)kind;
        }
    }
}

/* Backwards, because the first member of a group holds the group's culprit. */
GSPI_OWN_FRAME void gspi_support_reasons(gspi_support *w)
{
    gsp_placement *p = &w->p;
    for (gsp_node v = p->n_nodes; v-- > 0u;) {
        int const cpu = p->kind[v] == GSP_KIND_CPU;
        int const incomplete = cpu && (w->takes[v] & GSPI_TAKEN_ONCE) != 0u;
        int const refused = w->refused[v] != GSP_NONE && w->forced[v] == GSP_KIND_NONE;
        gsp_node const culprit = incomplete       ? p->culprit[p->group[v]]
                                 : cpu && refused ? w->refused[v]
                                                  : GSP_NONE;
        gsp_reason const reason = p->kind[v] == GSP_KIND_NONE ? GSP_REASON_NONE
                                  : incomplete                ? GSP_REASON_GROUP
                                  : w->pinned[v]              ? GSP_REASON_PINNED
                                  : !cpu                      ? GSP_REASON_SUPPORTED
                                  : refused                   ? GSP_REASON_DTYPE
                                                              : GSP_REASON_UNSUPPORTED;
        gspi_give_reason(p, v, reason, culprit == v ? GSP_NONE : culprit);
    }
}

GSPI_OWN_FRAME gsp_status gspi_support_check(
    const gsp_graph *g, const gsp_support_desc *d, uint32_t n_kinds, gsp_error *err)
{
    GSPI_CHECK_DESC(*d);
    GSPI_CHECK_RANGE(n_kinds <= GSP_KIND_NONE, n_accelerators);
    GSPI_GIVEN_ROWS(d->accelerators, d->n_accelerators);
    GSPI_GIVEN_ROWS(d->pins, d->n_pins);
    for (uint32_t i = 0; i < d->n_accelerators; i++) {
        GSPI_TRY(gspi_rules_check(&d->accelerators[i], i, err));
    }
    for (uint32_t i = 0; i < d->n_pins; i++) {
        GSPI_CHECK_OF(d->pins[i].what < GSP_PIN_COUNT, ARG, CHOICE, PIN, i, "what");
        GSPI_CHECK_ITEM(d->pins[i].kind < n_kinds, ARG, KIND, PIN, i, GSP_NONE);
        GSPI_CHECK_ITEM(d->pins[i].what != GSP_PIN_NODE ||
                            (d->pins[i].node < g->n_nodes && gspi_callable(g, d->pins[i].node)),
            ARG, PIN, PIN, i, GSP_NONE);
    }
    return GSP_OK;
}

static uint32_t gspi_support_kinds(const gsp_support_desc *d)
{
    return d->n_accelerators == 0u ? 2u : gspi_count_add(d->n_accelerators, 1);
}

gsp_status gsp_support_run(gsp_arena *arena, const gsp_graph *graph, const gsp_support_desc *desc,
    gsp_placement *out, gsp_error *err)
{
    static const gsp_accelerator no_rules = {NULL, 0u};
    gspi_support w;
    GSPI_GIVEN_3(arena, graph, out);
    w.d = desc == NULL ? &gspi_support_default : desc;
    w.p.n_nodes = graph->n_nodes;
    w.p.n_kinds = gspi_support_kinds(w.d);
    w.p.trusted = 0;
    GSPI_TRY(gspi_support_check(graph, w.d, w.p.n_kinds, err));
    for (gsp_node v = 0; v < graph->n_nodes && !w.d->ignore_annotation; v++) {
        GSPI_CHECK_NODE(
            gsp_node_acc(graph, v) < (int)w.p.n_kinds || !gspi_callable(graph, v), ARG, KIND, v);
    }

    GSPI_ENTER(gsp_support_bound(graph, desc));
    gspi_support_layout(&pass.bump, &w, graph);
    GSPI_STEP(gspi_support_force(&w, graph, err));
    gspi_support_groups(&w, graph);
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        w.p.culprit[v] = GSP_NONE;
        w.refused[v] = GSP_NONE;
        w.takes[v] = 0;
        w.p.kind[v] = (uint8_t)(gspi_callable(graph, v) ? GSP_KIND_CPU : GSP_KIND_NONE);
    }
    for (uint32_t kind = 1; kind < w.p.n_kinds; kind++) {
        gspi_support_rules(&w, graph,
            w.d->n_accelerators == 0u ? &no_rules : &w.d->accelerators[kind - 1u], (int)kind);
        gspi_support_assign(&w, graph, kind);
    }
    gspi_support_reasons(&w);
    *out = w.p;
    return GSPI_LEAVE();
}

/* The first rule of an accelerator that alone gives the answer of all rules for a node. */
static void gspi_why_rules(
    const gsp_graph *g, gsp_node v, const gsp_accelerator *a, uint32_t kind, gsp_why *why)
{
    static gspi_answer const none = {GSP_NONE, GSP_NONE, GSP_NONE, {NULL, 0u}};
    gspi_answer first[2];
    uint64_t stack = 0;
    uint32_t depth = 0;
    first[0] = none;
    first[1] = none;
    for (uint32_t i = 0; i < a->n_rules; i++) {
        if (a->rules[i].kind >= GSP_RULE_NOT) {
            stack = gspi_rule_join(&a->rules[i], stack, depth);
        } else {
            gspi_answer answer = none;
            int const yes = gspi_rule_holds(g, v, &a->rules[i], (int)kind, NULL, &answer);
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
    why->constraint = chosen->limit;
    if (chosen->culprit != GSP_NONE && chosen->limit.size == 0u) {
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

gsp_status gsp_support_why(const gsp_graph *graph, const gsp_support_desc *desc, gsp_node node,
    uint32_t kind, gsp_why *why, gsp_error *err)
{
    gsp_support_desc const *d = desc == NULL ? &gspi_support_default : desc;
    GSPI_GIVEN_2(graph, why);
    GSPI_TRY(gspi_support_check(graph, d, gspi_support_kinds(d), err));
    GSPI_CHECK_OF(
        node < graph->n_nodes && gspi_callable(graph, node), ARG, RANGE, NODE, node, "node");
    GSPI_CHECK(kind > 0u && kind < gspi_support_kinds(d), ARG, KIND);
    int const acc = d->ignore_annotation ? -1 : gsp_node_acc(graph, node);
    gspi_set(why, 0, sizeof(*why));
    why->pin = why->rule = why->line = why->arg = why->culprit = GSP_NONE;
    for (uint32_t i = d->n_pins; i > 0u && why->pin == GSP_NONE; i--) {
        why->pin = gspi_pin_matches(&d->pins[i - 1u], graph, node) ? i - 1u : GSP_NONE;
    }
    if (why->pin != GSP_NONE) {
        why->takes = d->pins[why->pin].kind == kind ? 1u : 0u;
    } else if (acc >= 0) {
        why->annotated = 1;
        why->takes = (uint32_t)acc == kind ? 1u : 0u;
    } else if (d->n_accelerators != 0u) {
        gspi_why_rules(graph, node, &d->accelerators[kind - 1u], kind, why);
    }
    return gspi_done(err);
}

/* ----
 * >>acc_nodes   Accelerator nodes without non-tensor boundaries (implementation)
 * ---- */

/* A node moves to the CPU if a non-tensor value connects it to a node of another kind. Then only
 * neighbours over such values may have to move. A worklist of moved nodes finds the greatest
 * fixpoint and examines each edge at most once from either end. */

typedef struct {
    const gsp_graph *g;
    gsp_placement *p;
    gsp_node *stack;   /* [n] nodes whose neighbours must be examined again */
    uint32_t *partner; /* [n] next node of the same given group, a ring */
    uint32_t n_stack;
} gspi_acc;

static void gspi_acc_layout(gspi_bump *b, gspi_acc *w, uint32_t n)
{
    w->stack = gspi_words(b, n);
    w->partner = gspi_words(b, n);
    w->n_stack = 0;
}

size_t gsp_acc_nodes_bound(const gsp_graph *graph)
{
    gspi_bump b = gspi_measure();
    gspi_acc w;
    gspi_acc_layout(&b, &w, graph->n_nodes);
    return gspi_bound(&b);
}

/* Moves node v and its group, which has one kind, to the CPU. */
static void gspi_acc_leave(gspi_acc *w, gsp_node v, gsp_reason reason, gsp_node culprit)
{
    gsp_placement *p = w->p;
    gsp_node u = v;
    do {
        p->kind[u] = GSP_KIND_CPU;
        gspi_give_reason(p, u, u == v ? reason : GSP_REASON_GROUP, u == v ? culprit : v);
        w->stack[w->n_stack++] = u;
        u = w->partner[u];
    } while (u != v);
}

/* The first callable node from v on that yields no tensor, or GSP_NONE. */
static gsp_node gspi_next_non_tensor(const gsp_graph *g, gsp_node v)
{
    const uint8_t *op = g->module->op + g->first;
    const uint8_t *out = g->module->out + g->first;
    while (v < g->n_nodes && (out[v] == GSP_VALUE_TENSOR || !gspi_is_callable(op[v]))) {
        v++;
    }
    return v < g->n_nodes ? v : GSP_NONE;
}

/* Moves both ends of a non-tensor value to the CPU if it crosses from u to its reader v. */
static void gspi_acc_cross(gspi_acc *w, gsp_node u, gsp_node v)
{
    if (w->p->kind[u] != w->p->kind[v]) {
        if (gspi_on_accelerator(w->p, v)) {
            gspi_acc_leave(w, v, GSP_REASON_NON_TENSOR_IN, u);
        }
        if (gspi_on_accelerator(w->p, u)) {
            gspi_acc_leave(w, u, GSP_REASON_NON_TENSOR_OUT, v);
        }
    }
}

/* Examines the readers of u if it yields a non-tensor value. */
static void gspi_acc_visit(gspi_acc *w, gsp_node u)
{
    gspi_row const users = gspi_users(w->g, u);
    uint32_t const n = gspi_value_kind(w->g, u) == GSP_VALUE_TENSOR ? 0u : users.n;
    for (uint32_t i = 0; i < n; i++) {
        gspi_acc_cross(w, u, users.at[i]);
    }
}

gsp_status gsp_acc_nodes_run(
    gsp_arena *arena, const gsp_graph *graph, gsp_placement *io, gsp_error *err)
{
    gspi_acc w;
    GSPI_GIVEN_2(arena, graph);
    GSPI_TRY(gspi_check_placement(graph, io, err));

    GSPI_ENTER(gsp_acc_nodes_bound(graph));
    gsp_node v = gspi_next_non_tensor(graph, 0);
    if (v == GSP_NONE) {
        return GSPI_LEAVE();
    }
    w.g = graph;
    w.p = io;
    gspi_acc_layout(&pass.bump, &w, graph->n_nodes);
    gspi_group_rings(io->group, graph->n_nodes, w.partner, w.stack);
    gspi_place_groups(io, w.partner);
    for (; v != GSP_NONE; v = gspi_next_non_tensor(graph, v + 1u)) {
        gspi_acc_visit(&w, v);
    }
    while (w.n_stack > 0u) {
        v = w.stack[--w.n_stack]; /* has moved, so its neighbours over non-tensor values move */
        gspi_row const inputs = gspi_inputs(graph, v);
        for (uint32_t i = 0; i < inputs.n; i++) {
            if (gspi_value_kind(graph, inputs.at[i]) != GSP_VALUE_TENSOR) {
                gspi_acc_cross(&w, inputs.at[i], v);
            }
        }
        gspi_acc_visit(&w, v);
    }
    return GSPI_LEAVE();
}

/* ----
 * >>fuse   Fusion groups: nodes that must run in one subgraph (implementation)
 * ---- */

#ifndef GSP_NO_FUSE

/* Components are nodes joined by values without tensor metadata or by a given group. One that has
 * such a node on an accelerator is a seed. Its closure, which must stay together, adds all nodes on
 * paths between its nodes, and their components; it does not depend on the placement.
 *
 * 1. A seed whose closure holds a node of another kind moves to the CPU with its closure. All
 *    components are contracted; the closure of a seed lies in its strongly connected component
 *    (SCC), so only seeds in SCCs of mixed kinds need their own search, a sweep forward and
 *    backward between first and last member.
 * 2. The other seeds are contracted. Each SCC must become one group, because its seeds share nodes
 *    or depend on each other. SCCs that reach into other components absorb them, and the search
 *    starts again; SCCs of mixed kinds are demoted, and all starts again.
 * 3. Given groups on the CPU are contracted too; accelerator nodes on a cycle with them are
 *    demoted.
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
#define GSPI_FUSE_NOT_ROOT 64u  /* an older node is reachable (Pearce) */
#define GSPI_FUSE_MANY     128u /* first node of a component of several nodes */

typedef struct {
    const gsp_graph *g;
    gsp_placement *p;
    gsp_node *order;     /* [n] the result; during the search a stack at either end */
    uint32_t *component; /* [n] first node of the component */
    uint32_t *unit;      /* [n] first node of the current contraction */
    uint32_t *member;    /* [n] next member of the unit, a ring */
    uint32_t *index;     /* [n] Pearce's index; at the end n less the rank of the SCC */
    uint32_t *at_member; /* [n] current member of a unit in the search; then counts */
    uint32_t *at_input;  /* [n] its current input in the search */
    uint8_t *mark;
    uint32_t n;
    int skip;
} gspi_fuse;

static void gspi_fuse_layout(gspi_bump *b, gspi_fuse *f, uint32_t n)
{
    f->order = gspi_kept(b, n);
    f->component = gspi_words(b, n);
    f->unit = gspi_words(b, n);
    f->member = gspi_words(b, n);
    f->index = gspi_words(b, n);
    f->at_member = gspi_words(b, n);
    f->at_input = gspi_words(b, n);
    f->mark = GSPI_HIGH(b, uint8_t, n);
    f->n = n;
}

size_t gsp_fuse_bound(const gsp_graph *graph, const gsp_fuse_desc *desc)
{
    gspi_bump b = gspi_measure();
    gspi_fuse f;
    (void)desc;
    gspi_fuse_layout(&b, &f, graph->n_nodes);
    return gspi_bound(&b);
}

/* 1 if the value of a node has no tensor metadata, so that its readers are fused with it. */
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

static void gspi_fuse_components(const gspi_fuse *f)
{
    for (gsp_node v = 0; v < f->n; v++) {
        f->component[v] = v;
        f->mark[v] = 0;
    }
    for (gsp_node v = 0; v < f->n; v++) {
        gspi_row const users = gspi_users(f->g, v);
        if (f->p->group[v] != GSP_NONE) {
            gspi_join(f->component, f->p->group[v], v);
        }
        for (uint32_t i = 0; gspi_is_scalar(f, v) && i < users.n; i++) {
            if (gspi_callable(f->g, users.at[i])) {
                gspi_join(f->component, v, users.at[i]);
            }
        }
    }
    for (gsp_node v = 0; v < f->n; v++) {
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
    for (gsp_node v = 0; v < f->n; v++) {
        f->mark[v] &= (uint8_t) ~(GSPI_FUSE_SEED | GSPI_FUSE_TAKEN);
    }
    for (gsp_node v = 0; v < f->n; v++) {
        if (gspi_is_seed(f, v)) {
            f->mark[f->component[v]] |= GSPI_FUSE_SEED;
        }
    }
}

typedef enum { GSPI_CONTRACT_ALL, GSPI_CONTRACT_SEEDS, GSPI_CONTRACT_GROUPS } gspi_contract;

static void gspi_fuse_contract(const gspi_fuse *f, gspi_contract what)
{
    for (gsp_node v = 0; v < f->n; v++) {
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
        gspi_row const inputs = gspi_before(f->g, m);
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
        f->at_input[r] = 0;
    }
}

typedef struct {
    uint32_t next; /* index of the next new unit */
    uint32_t scc;  /* number of the next SCC, descending from n */
    uint32_t path; /* units on the path: low end of the stack */
    uint32_t kept; /* finished units without an SCC: high end */
} gspi_scc;

static void gspi_scc_enter(const gspi_fuse *f, gspi_scc *s, uint32_t r)
{
    f->index[r] = s->next++;
    f->at_member[r] = r;
    f->at_input[r] = 0;
    f->mark[r] &= (uint8_t)~GSPI_FUSE_NOT_ROOT;
    f->order[s->path++] = r;
}

/* Unit r has no more inputs. It closes an SCC, or stays on the stack for an older unit. */
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
    uint32_t sum = 0;
    gspi_zero(counts, f->n);
    for (gsp_node v = 0; v < f->n; v++) {
        f->index[v] = f->index[f->unit[v]];
        counts[f->n - f->index[v]]++;
    }
    for (gsp_node v = 0; v < f->n; v++) {
        uint32_t const count = counts[v];
        counts[v] = sum;
        sum += count;
    }
    for (gsp_node v = 0; v < f->n; v++) {
        f->order[counts[f->n - f->index[v]]++] = v;
    }
}

/* Finds the SCCs of the contracted graph; index[v] names that of v, `order` is topological. */
static void gspi_fuse_sccs(const gspi_fuse *f)
{
    gspi_scc s = {1u, f->n, 0, 0u};
    gspi_zero(f->index, f->n);
    for (gsp_node v = 0; v < f->n; v++) {
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
    f->p->kind[v] = GSP_KIND_CPU;
    gspi_give_reason(f->p, v, reason, culprit);
    return 1;
}

/* The current closure: members have GSPI_FUSE_IN and are in low .. high. */
typedef struct {
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

static int gspi_row_marked(const gspi_fuse *f, gspi_closure c, gspi_row row, uint32_t mark)
{
    for (uint32_t i = 0; i < row.n; i++) {
        gsp_node const u = row.at[i];
        if (u >= c.low && u <= c.high && (f->mark[u] & mark) != 0u) {
            return 1;
        }
    }
    return 0;
}

/* A sweep forward and one backward add the nodes between members. Returns 1 if there were any. */
static int gspi_closure_sweep(const gspi_fuse *f, gspi_closure *c)
{
    gspi_closure const old = *c;
    int grown = 0;
    for (gsp_node v = old.low; v <= old.high; v++) {
        int const down = (f->mark[v] & GSPI_FUSE_IN) != 0u ||
                         gspi_row_marked(f, old, gspi_before(f->g, v), GSPI_FUSE_DOWN);
        f->mark[v] = (uint8_t)((f->mark[v] & ~(GSPI_FUSE_DOWN | GSPI_FUSE_UP)) |
                               (down ? GSPI_FUSE_DOWN : 0u));
    }
    for (gsp_node v = old.high + 1u; v-- > old.low;) {
        if ((f->mark[v] & GSPI_FUSE_IN) != 0u ||
            gspi_row_marked(f, old, gspi_after(f->g, v), GSPI_FUSE_UP)) {
            f->mark[v] |= GSPI_FUSE_UP;
            if ((f->mark[v] & (GSPI_FUSE_IN | GSPI_FUSE_DOWN)) == GSPI_FUSE_DOWN) {
                gspi_closure_add(f, c, v);
                grown = 1;
            }
        }
    }
    return grown;
}

/* Demotes the closure of a seed if it has mixed kinds. Returns 1 if a node moved. */
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

/* Demotes seeds in SCCs of mixed kinds until every closure is of one kind. */
static void gspi_fuse_demote_alone(const gspi_fuse *f)
{
    uint32_t end;
    int left;
    gspi_fuse_contract(f, GSPI_CONTRACT_ALL);
    gspi_fuse_sccs(f);
    for (uint32_t begin = 0; begin < f->n; begin = end) {
        end = gspi_scc_end(f, begin);
        if (gspi_scc_other(f, begin, end) != GSP_NONE) {
            for (uint32_t i = begin; i < end; i++) {
                f->mark[f->order[i]] |= GSPI_FUSE_MIXED;
            }
        }
    }
    do {
        left = 0;
        for (gsp_node v = 0; v < f->n; v++) {
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

/* SCCs with a seed absorb the components that they reach into. Returns 1 if there were any. */
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

/* Contracts `what` and demotes SCCs of mixed kinds. Returns 1 if a node moved. */
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
        for (uint32_t begin = 0; begin < f->n && what == GSPI_CONTRACT_SEEDS; begin = end) {
            end = gspi_scc_end(f, begin);
            again |= gspi_scc_absorb(f, begin, end);
        }
    } while (again);
    for (uint32_t begin = 0; begin < f->n; begin = end) {
        gsp_node const first = f->order[begin];
        uint32_t const kind = f->p->kind[first];
        end = gspi_scc_end(f, begin);
        gsp_node const other = gspi_scc_other(f, begin, end);
        for (uint32_t i = begin; i < end && other != GSP_NONE; i++) {
            gsp_node const v = f->order[i];
            left |= gspi_fuse_leave(f, v, reason, f->p->kind[v] == kind ? other : first);
        }
    }
    return left;
}

/* Numbers the final groups by first member: SCCs of several nodes, and single seeds. */
static uint32_t gspi_fuse_number(const gspi_fuse *f)
{
    uint32_t *number = f->at_member;
    uint32_t n_groups = 0;
    uint32_t end;
    gspi_none(number, f->n);
    for (uint32_t begin = 0; begin < f->n; begin = end) {
        end = gspi_scc_end(f, begin);
        if (end - begin > 1u || gspi_is_seed(f, f->order[begin])) {
            number[f->n - f->index[f->order[begin]]] = GSP_NONE - 1u;
        }
    }
    for (gsp_node v = 0; v < f->n; v++) {
        uint32_t *id = &number[f->n - f->index[v]];
        if (*id == GSP_NONE - 1u) {
            *id = n_groups++;
        }
    }
    for (gsp_node v = 0; v < f->n; v++) {
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
        for (gsp_node v = 0; v < f->n && !left; v++) {
            if (f->p->group[v] != GSP_NONE && f->p->kind[v] == GSP_KIND_CPU) {
                left = gspi_fuse_demote_together(f, GSPI_CONTRACT_GROUPS);
                break;
            }
        }
        gspi_fuse_seeds(f);
    } while (left);
    return gspi_fuse_number(f);
}

gsp_status gsp_fuse_run(gsp_arena *arena, const gsp_graph *graph, const gsp_fuse_desc *desc,
    gsp_placement *io, gsp_fuse_result *result, gsp_error *err)
{
    gsp_fuse_desc d;
    gspi_fuse f;
    GSPI_GIVEN_3(arena, graph, result);
    if (io != NULL) {
        GSPI_GIVEN(io->group);
    }
    GSPI_READ_DESC(d, desc);
    GSPI_TRY(gspi_check_placement(graph, io, err));

    GSPI_ENTER(gsp_fuse_bound(graph, desc));
    f.g = graph;
    f.p = io;
    f.skip = d.skip != 0u;
    result->n_groups = 0;
    result->order = NULL;
    if (gspi_wants_fusion(graph, io, f.skip) != GSP_NONE) {
        gspi_fuse_layout(&pass.bump, &f, graph->n_nodes);
        gspi_group_rings(io->group, graph->n_nodes, f.member, f.unit);
        gspi_place_groups(io, f.member);
        gspi_none(f.index, f.n);
        for (gsp_node v = 0; v < f.n; v++) { /* a group is named by its first node */
            uint32_t *group = &io->group[v];
            if (*group != GSP_NONE) {
                f.index[*group] = f.index[*group] == GSP_NONE ? v : f.index[*group];
                *group = f.index[*group];
            }
        }
        result->n_groups = gspi_fuse_groups(&f);
        result->order = f.order;
    }
    return GSPI_LEAVE();
}
#endif

/* ----
 * >>move_non_tensor   Moving non-tensor values off boundaries (implementation)
 * ---- */

#ifndef GSP_NO_MOVE_NON_TENSOR

/* Subgraphs are visited from the last to the first, so readers are final before their inputs. In
 * each, a backward scan finds the only other subgraph that a node reaches; a forward scan moves
 * readers along with nodes that move; a backward scan moves nodes whose readers have all moved. */

#define GSPI_MANY (GSP_NONE - 1u)

typedef struct {
    const gsp_graph *g;
    const gsp_move_non_tensor_desc *d;
    uint32_t *of;
    uint32_t *begin;
    gsp_node *nodes;
    uint32_t *reach; /* [n] the only other subgraph, GSP_NONE or GSPI_MANY */
    uint8_t *moves;
} gspi_move;

static void gspi_move_layout(gspi_bump *b, gspi_move *w, uint32_t n, uint32_t n_subgraphs)
{
    w->begin = gspi_words(b, (size_t)n_subgraphs + 1u);
    w->nodes = gspi_words(b, n);
    w->reach = gspi_words(b, n);
    w->moves = GSPI_HIGH(b, uint8_t, n);
}

size_t gsp_move_non_tensor_bound(const gsp_graph *graph, const gsp_move_non_tensor_desc *desc)
{
    gspi_bump b = gspi_measure();
    gspi_move w;
    gspi_move_layout(&b, &w, graph->n_nodes, desc == NULL ? 0u : desc->n_subgraphs);
    return gspi_bound(&b);
}

static int gspi_move_may(const gspi_move *w, gsp_node v, uint32_t own, uint32_t to)
{
    return gspi_value_kind(w->g, v) != GSP_VALUE_TENSOR && to != own && to < w->d->n_subgraphs &&
           (w->d->kind[to] == GSP_KIND_CPU || w->d->kind[to] == w->d->kind[own]) &&
           (w->d->group == NULL || w->d->group[v] == GSP_NONE);
}

/* The one subgraph of v's readers. If `through`, a reader in `own` counts as the one that it
 * reaches. *leaves is 1 if a reader is, or will be, in another. */
static uint32_t gspi_move_readers(
    const gspi_move *w, gsp_node v, uint32_t own, int through, int *leaves)
{
    gspi_row const users = gspi_after(w->g, v);
    uint32_t all = GSP_NONE;
    for (uint32_t i = 0; i < users.n; i++) {
        gsp_node const u = users.at[i];
        if (gspi_callable(w->g, u)) {
            int const inside = w->of[u] == own;
            uint32_t const to = inside && through ? w->reach[u] : w->of[u];
            all = all == GSP_NONE || all == to ? to : to == GSP_NONE ? all : GSPI_MANY;
            *leaves |= !inside || w->moves[u] != 0u;
        }
    }
    return all;
}

/* Returns the number of nodes that moved. */
GSPI_OWN_FRAME uint32_t gspi_move_nodes(const gspi_move *w, uint32_t own)
{
    uint32_t const begin = w->begin[own];
    uint32_t const end = w->begin[own + 1u];
    uint32_t n = 0;
    for (uint32_t i = end; i > begin; i--) {
        gsp_node const v = w->nodes[i - 1u];
        int const grouped = w->d->group != NULL && w->d->group[v] != GSP_NONE;
        int leaves = 0;
        uint32_t const to = gspi_move_readers(w, v, own, 1, &leaves);
        w->reach[v] = grouped ? GSPI_MANY : to;
        w->moves[v] = leaves && gspi_move_may(w, v, own, to);
    }
    for (uint32_t i = begin; i < end; i++) { /* if it reaches none, the last of its inputs */
        gsp_node const v = w->nodes[i];
        gspi_row const inputs = gspi_before(w->g, v);
        for (uint32_t k = 0; k < inputs.n; k++) {
            gsp_node const u = inputs.at[k];
            if (gspi_callable(w->g, u) && w->of[u] == own && w->moves[u] != 0u) {
                uint32_t const to = w->reach[u];
                w->moves[v] = 1;
                w->reach[v] = w->reach[v] == GSP_NONE || w->reach[v] < to ? to : w->reach[v];
            }
        }
    }
    for (uint32_t i = end; i > begin; i--) {
        gsp_node const v = w->nodes[i - 1u];
        int leaves = w->moves[v] != 0u;
        uint32_t const to = leaves ? w->reach[v] : gspi_move_readers(w, v, own, 0, &leaves);
        if (w->moves[v] != 0u || gspi_move_may(w, v, own, to)) {
            w->of[v] = to;
            n++;
        }
    }
    return n;
}

gsp_status gsp_move_non_tensor_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_move_non_tensor_desc *desc, uint32_t *subgraph_of, uint32_t *n_moved, gsp_error *err)
{
    gspi_move w;
    uint32_t moved = 0;
    GSPI_GIVEN_3(arena, graph, desc);
    GSPI_GIVEN(subgraph_of);
    GSPI_CHECK_DESC(*desc);
    GSPI_GIVEN_ROWS(desc->kind, desc->n_subgraphs);
    GSPI_TRY(gspi_check_parts(graph, subgraph_of, desc->n_subgraphs, 1, err));

    GSPI_ENTER(gsp_move_non_tensor_bound(graph, desc));
    w.g = graph;
    w.d = desc;
    w.of = subgraph_of;
    gspi_move_layout(&pass.bump, &w, graph->n_nodes, desc->n_subgraphs);
    gspi_callable_rows(graph, subgraph_of, desc->n_subgraphs, w.begin, w.nodes);
    for (uint32_t i = desc->n_subgraphs; i > 0u; i--) {
        if (desc->kind[i - 1u] != GSP_KIND_CPU) {
            moved += gspi_move_nodes(&w, i - 1u);
        }
    }
    if (n_moved != NULL) {
        *n_moved = moved;
    }
    return GSPI_LEAVE();
}
#endif

/* ----
 * >>split   CPU and accelerator subgraphs (implementation)
 * ---- */

/* 1. Placement: nodes move to the CPU (gsp_acc_nodes_run()) and form groups (gsp_fuse_run()).
 * 2. Phases: phase p is of kind (s + p) mod kinds. A node's phase is the least of its kind not
 *    below its inputs' phases, in one pass over graph order (a group is one node, in order of
 *    fusion).
 * 3. Raw subgraphs: phases that occur are numbered, non-tensor nodes move, accelerator subgraphs
 *    above the maximum size are cut.
 * 4. Merge: small and refused accelerator subgraphs join the CPU.
 * 5. Limits: the least valuable accelerator subgraphs move to the CPU.
 * 6. Results: nodes by subgraph, and reasons. */

typedef struct {
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
    uint32_t *number;   /* [phases] 1 if it occurs; then its number among those that do */
    uint64_t *value;    /* [n] DEMOTE: of a raw subgraph */
    uint32_t *by_value; /* [n] DEMOTE: raw subgraphs on accelerators, ascending */
    uint32_t *rank_of;  /* [n] DEMOTE: of a raw subgraph; is subgraph_of */
    uint32_t n_acc;     /* subgraphs on accelerators */
    uint8_t has_order;  /* 1 if fusion gave an order, 0 for graph order without groups */
    uint8_t waived;     /* 1 without a minimum size */
    gsp_split_result *r;
} gspi_split;

static int gspi_split_demotes(const gsp_split_desc *d)
{
    return (d->limit != 0u || d->max_acc != 0u) && d->limit_policy == GSP_LIMIT_DEMOTE;
}

/* Phases must fit into 32 bits: every node of a path adds less than n_kinds, and at most one with
 * two kinds. */
static size_t gspi_split_phases(uint32_t n, uint32_t n_kinds)
{
    size_t const phases = gspi_mul_add(n, n_kinds - (n_kinds > 1u ? 1u : 0u), n_kinds);
    return phases < UINT32_MAX ? phases : SIZE_MAX;
}

/* Arrays after fusion; `nodes` exists if fusion gave an order. */
static void gspi_split_layout(
    gspi_bump *b, gspi_split *w, uint32_t n, uint32_t n_kinds, int demotes)
{
    if (!w->has_order) {
        w->nodes = gspi_kept(b, n);
    }
    w->r->nodes = w->nodes;
    w->r->raw_of = w->raw_of = gspi_kept(b, n);
    w->r->subgraph_of = w->subgraph_of = gspi_kept(b, n);
    w->r->subgraph_begin = w->begin = gspi_kept(b, (size_t)n + 1u);
    w->r->raw_kind = w->raw_kind = GSPI_LOW(b, uint8_t, n);
    w->r->subgraph_kind = w->kind = GSPI_LOW(b, uint8_t, n);
    w->final_of = gspi_words(b, n);
    w->number = gspi_words(b, gspi_split_phases(n, n_kinds));
    w->value = gspi_longs(b, demotes ? n : 0u);
    w->by_value = gspi_words(b, demotes ? n : 0u);
    w->rank_of = w->subgraph_of;
}

size_t gsp_split_bound(const gsp_graph *graph, const gsp_split_desc *desc)
{
    gspi_bump split = gspi_measure();
    gspi_bump b = gspi_measure();
    gsp_placement p;
    gspi_split w;
    gsp_split_result r;
    w.r = &r;
    w.has_order = 0;
    gspi_split_layout(&split, &w, graph->n_nodes,
        desc == NULL || desc->placement == NULL ? 2u : desc->placement->n_kinds,
        desc != NULL && gspi_split_demotes(desc));
    size_t most = split.used;
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
    return gspi_add(most, gspi_bound(&b));
}

/* ---- 1. Placement ---- */

static void gspi_split_reduce(gsp_arena *arena, const gsp_graph *g, const gsp_split_desc *d,
    gsp_placement *p, gsp_fuse_result *fused)
{
    if (!d->allow_non_tensor) {
        (void)gsp_acc_nodes_run(arena, g, p, NULL);
    }
#ifndef GSP_NO_FUSE
    gsp_fuse_desc const desc = {0u, d->skip_fusion, 0u};
    (void)gsp_fuse_run(arena, g, &desc, p, fused, NULL);
#else
    fused->n_groups = 0;
    fused->order = NULL;
#endif
}

/* ---- 2. Phases ---- */

/* The order of kinds: `start`, `start` + 1, ..., last, 0, ... */
typedef struct {
    uint32_t start;
    uint32_t n_kinds;
} gspi_turns;

/* The least phase of this kind from `phase` on; 0, no restriction, if not callable. */
static uint32_t gspi_phase_from(gspi_turns t, uint32_t phase, uint32_t kind)
{
    uint32_t const turn = kind - t.start + (kind < t.start ? t.n_kinds : 0u);
    if (kind == GSP_KIND_NONE) {
        return 0;
    }
    uint32_t const at = t.n_kinds == 2u ? phase & 1u : phase % t.n_kinds;
    return phase + turn - at + (turn < at ? t.n_kinds : 0u);
}

#ifndef GSP_NO_FUSE
/* Sets phases in the order of fusion: nodes of a group, contiguous there, get the greatest. */
static void gspi_split_order_groups(const gsp_graph *g, const gsp_placement *p, gspi_turns turns,
    const gsp_node *order, uint32_t *phase)
{
    const uint32_t *group = p->group;
    uint32_t end;
    for (uint32_t begin = 0; begin < g->n_nodes; begin = end) {
        gsp_node const first = order[begin];
        uint32_t latest = 0;
        for (end = begin; end < g->n_nodes; end++) {
            gspi_row const inputs = gspi_before(g, order[end]);
            if (end > begin && (group[first] == GSP_NONE || group[order[end]] != group[first])) {
                break;
            }
            for (uint32_t i = 0; i < inputs.n; i++) {
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
static void gspi_split_number(gspi_split *w)
{
    uint32_t const n = w->p->n_nodes;
    const uint8_t *kind = w->p->kind;
    uint32_t *raw_of = w->raw_of;
    uint32_t *number = w->number;
    uint32_t top = 0;
    uint32_t n_raw = 0;
    gspi_zero(number, gspi_split_phases(n, w->p->n_kinds));
    for (gsp_node v = 0; v < n; v++) {
        if (kind[v] != GSP_KIND_NONE) {
            number[raw_of[v]] = 1;
            top = raw_of[v] >= top ? raw_of[v] + 1u : top;
        }
    }
    for (uint32_t i = 0; i < top; i++) {
        uint32_t const occurs = number[i];
        number[i] = n_raw;
        n_raw += occurs;
    }
    w->r->n_raw = n_raw;
    gspi_zero(w->begin, (size_t)n_raw + 1u);
    for (gsp_node v = 0; v < n; v++) {
        if (kind[v] == GSP_KIND_NONE) {
            raw_of[v] = GSP_NONE;
        } else {
            uint32_t const raw = number[raw_of[v]];
            raw_of[v] = raw;
            w->raw_kind[raw] = kind[v];
            w->begin[raw]++;
        }
    }
}

/* Makes raw subgraphs with this first kind. */
static void gspi_split_from(gspi_split *w, uint32_t start)
{
    gspi_turns const turns = {start, w->p->n_kinds};
#ifndef GSP_NO_FUSE
    if (w->has_order) {
        gspi_split_order_groups(w->g, w->p, turns, w->nodes, w->raw_of);
        gspi_split_number(w);
        return;
    }
#endif
    gsp_edges const before = gspi_edges(w->g, 0);
    uint32_t *phase = w->raw_of;
    uint32_t i = before.begin[0];
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t const end = before.begin[v + 1u];
        uint32_t latest = 0;
        for (; i < end; i++) {
            uint32_t const input = phase[before.at[i]];
            latest = input > latest ? input : latest;
        }
        phase[v] = gspi_phase_from(turns, latest, w->p->kind[v]);
    }
    gspi_split_number(w);
}

/* The largest number of runs of one kind on a path. */
static uint32_t gspi_split_runs(const gspi_split *w)
{
    const uint8_t *kind = w->p->kind;
    uint32_t *runs = w->final_of; /* most on a path to a node, 0 if not callable */
    uint32_t most = 0;
    for (gsp_node v = 0; v < w->p->n_nodes; v++) {
        gspi_row const inputs = gspi_before(w->g, v);
        runs[v] = kind[v] == GSP_KIND_NONE ? 0u : 1u;
        for (uint32_t i = 0; i < inputs.n && runs[v] != 0u; i++) {
            uint32_t const next = runs[inputs.at[i]] + (kind[inputs.at[i]] != kind[v] ? 1u : 0u);
            runs[v] = next > runs[v] ? next : runs[v];
        }
        most = runs[v] > most ? runs[v] : most;
    }
    return most;
}

/* With two kinds, no order with the same first kind gives a node a lower phase. */
static void gspi_split_raw(gspi_split *w)
{
    const uint8_t *kind_of = w->p->kind;
    uint32_t best = GSP_KIND_NONE; /* the lowest kind that has a node without callable input */
    for (gsp_node v = 0; v < w->g->n_nodes && best > 0u; v++) {
        gspi_row const inputs = gspi_before(w->g, v);
        uint32_t i = 0;
        while (i < inputs.n && kind_of[inputs.at[i]] == GSP_KIND_NONE) {
            i++;
        }
        best = i == inputs.n && kind_of[v] < best ? kind_of[v] : best;
    }
    uint32_t last = best;
    gspi_split_from(w, best);
    w->r->n_reference = w->r->n_phases = w->r->n_raw;
    w->r->n_least = 0;
    if (w->d->best_start != 0u) {
        for (uint32_t kind = 0; kind < w->p->n_kinds; kind++) {
            if (kind != last) {
                gspi_split_from(w, last = kind);
            }
            best = w->r->n_raw < w->r->n_phases ? kind : best;
            w->r->n_phases = w->r->n_raw < w->r->n_phases ? w->r->n_raw : w->r->n_phases;
        }
        if (last != best) {
            gspi_split_from(w, best);
        }
        w->r->n_least = w->p->n_kinds == 2u ? w->r->n_phases : gspi_split_runs(w);
    }
}

#ifndef GSP_NO_FLOW
/* Raw subgraphs are the phases of the caller, each of one kind, with whole groups. */
static gsp_status gspi_split_given(gspi_split *w, gsp_error *err)
{
    const uint32_t *phase = w->d->phase;
    uint32_t const n = w->p->n_nodes;
    gspi_none(w->number, n);
    gspi_none(w->final_of, n); /* a node of each group */
    GSPI_TRY(gspi_check_parts(w->g, phase, n, 1, err));
    for (gsp_node v = 0; v < n; v++) {
        uint32_t const group = w->p->group[v];
        w->raw_of[v] = phase[v];
        if (w->p->kind[v] != GSP_KIND_NONE) {
            uint32_t *same = &w->number[phase[v]];
            *same = *same == GSP_NONE ? v : *same;
            GSPI_CHECK_AT(w->p->kind[*same] == w->p->kind[v], ARG, TAG, v, *same);
        }
        if (group != GSP_NONE) {
            uint32_t *same = &w->final_of[group];
            *same = *same == GSP_NONE ? v : *same;
            GSPI_CHECK_AT(phase[*same] == phase[v], ARG, TAG, v, *same);
        }
    }
    gspi_split_number(w);
    w->r->n_phases = w->r->n_raw;
    return GSP_OK;
}
#endif

#ifndef GSP_NO_MOVE_NON_TENSOR
/* Moves non-tensor nodes off the boundaries of raw subgraphs; their culprit is a reader. */
static void gspi_split_move(gspi_split *w, gsp_arena *arena)
{
    gsp_move_non_tensor_desc const d = {0u, w->r->n_raw, w->raw_kind, w->p->group, 0u};
    uint32_t const n = w->p->n_nodes;
    gspi_copy(w->final_of, w->raw_of, n, sizeof(uint32_t));
    gspi_copy(w->kind, w->raw_kind, d.n_subgraphs, 1);
    (void)gsp_move_non_tensor_run(arena, w->g, &d, w->raw_of, NULL, NULL);
    for (gsp_node v = 0; v < n; v++) {
        if (w->raw_of[v] != w->final_of[v]) {
            gspi_row const users = gspi_users(w->g, v);
            gspi_give_reason(w->p, v, GSP_REASON_MOVED,
                users.n > 0u && gspi_callable(w->g, users.at[0]) ? users.at[0] : GSP_NONE);
        }
    }
    gspi_copy(w->final_of, w->raw_of, n, sizeof(uint32_t));
    gspi_split_number(w);
    for (gsp_node v = 0; v < n; v++) {
        if (w->raw_of[v] != GSP_NONE) {
            w->raw_kind[w->raw_of[v]] = w->kind[w->final_of[v]];
        }
    }
}
#endif

static uint32_t gspi_size_limit(const uint32_t *sizes, uint32_t size, uint32_t kind)
{
    return kind == GSP_KIND_CPU ? 0u : sizes == NULL ? size : sizes[kind];
}

/* Renumbers raw subgraphs and cuts those on accelerators at the maximum size, in topological order
 * with contiguous groups. A larger group becomes a CPU subgraph. */
GSPI_OWN_FRAME void gspi_split_cut(gspi_split *w)
{
    const uint32_t *group = w->p->group;
    uint32_t *at = w->number;
    gsp_node *nodes = w->final_of; /* by raw subgraph */
    uint32_t n = 0;
    uint32_t end;
    uint32_t last = GSP_NONE;
    for (uint32_t i = 0; i < w->r->n_raw; i++) {
        at[i] = n;
        n += w->begin[i];
        w->kind[i] = w->raw_kind[i];
    }
    for (uint32_t i = 0; i < w->p->n_nodes; i++) {
        gsp_node const v = w->has_order ? w->nodes[i] : i;
        if (w->raw_of[v] != GSP_NONE) {
            nodes[at[w->raw_of[v]]++] = v;
        }
    }
    w->r->n_raw = 0;
    for (uint32_t i = 0; i < n; i = end) {
        uint32_t const old = w->raw_of[nodes[i]];
        uint32_t const limit = gspi_size_limit(w->d->max_sizes, w->d->max_size, w->kind[old]) - 1u;
        uint32_t const id = group[nodes[i]];
        end = i + 1u;
        while (end < n && id != GSP_NONE && group[nodes[end]] == id) {
            end++;
        }
        int const large = end - i - 1u > limit;
        if (old != last || w->begin[w->r->n_raw - 1u] + (end - i) - 1u > limit) {
            w->raw_kind[w->r->n_raw] = (uint8_t)(large ? GSP_KIND_CPU : w->kind[old]);
            w->begin[w->r->n_raw++] = 0;
        }
        last = old;
        for (uint32_t k = i; k < end; k++) {
            w->raw_of[nodes[k]] = w->r->n_raw - 1u;
            w->begin[w->r->n_raw - 1u]++;
            if (large) {
                gspi_give_reason(w->p, nodes[k], GSP_REASON_LARGE, GSP_NONE);
            }
        }
    }
}

/* ---- 4. Small and refused subgraphs ---- */

/* 1 for an accepted raw accelerator subgraph of at least the minimum size. */
static int gspi_is_enough(const gspi_split *w, uint32_t raw)
{
    uint32_t const size = w->begin[raw];
    uint32_t const kind = w->raw_kind[raw];
    return kind != GSP_KIND_CPU && size != 0u &&
           (w->waived || size >= gspi_size_limit(w->d->min_sizes, w->d->min_size, kind));
}

/* Calls accept for accelerator subgraphs of sufficient size; begin[] of refused ones becomes 0. */
static void gspi_split_accept(gspi_split *w)
{
    uint32_t *row = w->subgraph_of; /* [n_raw + 1] fits, since the output is in no subgraph */
    gspi_rows(w->raw_of, w->p->n_nodes, w->r->n_raw, row, w->nodes);
    for (uint32_t i = 0; i < w->r->n_raw; i++) {
        gsp_subgraph const s = {w->raw_kind[i], w->begin[i], w->nodes + row[i]};
        if (gspi_is_enough(w, i) && !w->d->accept(w->d->user, w->g, &s)) {
            for (uint32_t k = 0; k < s.n_nodes; k++) {
                gspi_give_reason(w->p, s.nodes[k], GSP_REASON_REFUSED, GSP_NONE);
            }
            w->begin[i] = 0;
        }
    }
}

/* Moves small accelerator subgraphs and those of a rank below `demoted` to the CPU, merges
 * neighbours there, and returns the number moved. */
static uint32_t gspi_split_merge(gspi_split *w, uint32_t demoted)
{
    uint32_t n = 0;
    uint32_t n_left = 0;
    w->n_acc = 0;
    for (uint32_t i = 0; i < w->r->n_raw; i++) {
        int const stays = gspi_is_enough(w, i) && (demoted == 0u || w->rank_of[i] >= demoted);
        uint32_t const kind = stays ? w->raw_kind[i] : GSP_KIND_CPU;
        if (n == 0u || stays || w->kind[n - 1u] != GSP_KIND_CPU) {
            w->kind[n++] = (uint8_t)kind;
        }
        w->final_of[i] = n - 1u;
        w->n_acc += stays ? 1u : 0u;
        n_left += kind != w->raw_kind[i];
    }
    w->r->n_subgraphs = n;
    return n_left;
}

/* Sets the reason of nodes whose subgraph has just moved to the CPU. */
static void gspi_split_reasons(gspi_split *w, gsp_reason reason)
{
    for (gsp_node v = 0; v < w->p->n_nodes; v++) {
        uint32_t const raw = w->raw_of[v];
        uint32_t const old = w->p->reason[v];
        if (gspi_on_accelerator(w->p, v) && old != GSP_REASON_SMALL && old != GSP_REASON_REFUSED &&
            w->raw_kind[raw] != GSP_KIND_CPU && w->kind[w->final_of[raw]] == GSP_KIND_CPU) {
            gspi_give_reason(w->p, v, reason, GSP_NONE);
        }
    }
}

/* ---- 5. Limits ---- */

/* Demotes the least valuable accelerator subgraphs until the limits hold, by bisection, since
 * demoting more never leaves more subgraphs. */
static gsp_status gspi_split_limit(gspi_split *w, gsp_error *err)
{
    const gsp_split_desc *d = w->d;
    uint32_t const limit = d->limit == 0u ? UINT32_MAX : d->limit;
    uint32_t const max_acc = d->max_acc == 0u ? UINT32_MAX : d->max_acc;
    const uint64_t *value = d->value;
    uint32_t high = w->n_acc;
    uint32_t low = high > max_acc ? high - max_acc : 0u;
    uint32_t n = 0;
    int const many = w->r->n_subgraphs > limit;
    if (!many && w->n_acc <= max_acc) {
        return GSP_OK;
    }
    if (d->limit_policy == GSP_LIMIT_ERROR) {
        return gspi_fail_amount(err, GSPI_CODE(LIMIT, SUBGRAPHS, NONE),
            many ? w->r->n_subgraphs : w->n_acc, many ? limit : max_acc);
    }
    gspi_set(w->value, 0, w->r->n_raw * sizeof(uint64_t));
    for (gsp_node v = 0; v < w->p->n_nodes; v++) {
        if (w->raw_of[v] != GSP_NONE) {
            uint64_t *sum = &w->value[w->raw_of[v]];
            *sum = gspi_sum(*sum, value == NULL ? 1u : value[v]);
        }
    }
    for (uint32_t i = 0; i < w->r->n_raw; i++) {
        if (gspi_is_enough(w, i)) {
            w->by_value[n++] = i;
        }
    }
    gspi_sort(w->by_value, n, w->value);
    for (uint32_t i = 0; i < n; i++) {
        w->rank_of[w->by_value[i]] = i;
    }
    while (low < high) {
        uint32_t const middle = low + (high - low) / 2u;
        (void)gspi_split_merge(w, middle);
        if (w->r->n_subgraphs > limit) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    (void)gspi_split_merge(w, low);
    gspi_split_reasons(w, GSP_REASON_LIMIT);
    return GSP_OK;
}

/* ---- 6. Results ---- */

GSPI_OWN_FRAME gsp_status gspi_split_make(gspi_pass *pass, const gsp_graph *g,
    const gsp_split_desc *d, gsp_placement *p, const gsp_fuse_result *fused,
    gsp_split_result *result, gsp_error *err)
{
    gspi_split w;
    gsp_split_result made;
    w.r = &made;
    w.g = g;
    w.d = d;
    w.p = p;
    w.nodes = (gsp_node *)(uintptr_t)fused->order;
    w.has_order = fused->order != NULL;
    gspi_split_layout(&pass->bump, &w, g->n_nodes, p->n_kinds, gspi_split_demotes(d));
    gspi_split_raw(&w);
#ifndef GSP_NO_FLOW
    if (d->phase != NULL) {
        GSPI_TRY(gspi_split_given(&w, err));
    }
#endif
#ifndef GSP_NO_MOVE_NON_TENSOR
    if (d->move_non_tensor) {
        gspi_split_move(&w, pass->bump.arena);
    }
#endif
    if (d->max_size != 0u || d->max_sizes != NULL) {
        gspi_split_cut(&w);
    }
    w.waived = d->waive_min_size != 0u;
    for (gsp_node v = 0; v < g->n_nodes && w.waived; v++) {
        w.waived = d->placement->kind[v] != GSP_KIND_CPU || !gspi_callable(g, v);
    }
    if (d->accept != NULL) {
        gspi_split_accept(&w);
    }
    if (gspi_split_merge(&w, 0) > 0u) {
        gspi_split_reasons(&w, GSP_REASON_SMALL);
    }
    GSPI_TRY(gspi_split_limit(&w, err));
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const raw = w.raw_of[v];
        w.subgraph_of[v] = raw == GSP_NONE ? GSP_NONE : w.final_of[raw];
    }
    gspi_rows(w.subgraph_of, g->n_nodes, w.r->n_subgraphs, w.begin, w.nodes);
    w.r->n_nodes = g->n_nodes;
    w.r->n_kinds = p->n_kinds;
    w.r->n_groups = fused->n_groups;
    w.r->kind = p->kind;
    w.r->reason = p->reason;
    w.r->culprit = p->culprit;
    w.r->group = p->group;
    w.r->prefix = d->prefix == NULL ? "_run_on_" : d->prefix;
    w.r->names = d->names;
    w.r->first_tag = 0;
    *result = made;
    return GSP_OK;
}

gsp_status gsp_split_run(gsp_arena *arena, const gsp_graph *graph, const gsp_split_desc *desc,
    gsp_split_result *result, gsp_error *err)
{
    gsp_placement p;
    gsp_fuse_result fused;
    GSPI_GIVEN_DESC();
    GSPI_CHECK_CHOICE(desc->limit_policy, GSP_LIMIT_COUNT);
#ifdef GSP_NO_MOVE_NON_TENSOR
    GSPI_CHECK(desc->move_non_tensor == 0u, DESC, MODE);
#endif
#ifdef GSP_NO_FLOW
    GSPI_CHECK(desc->phase == NULL, DESC, MODE);
#endif
    GSPI_TRY(gspi_check_placement(graph, desc->placement, err));
    const gsp_placement *from = desc->placement;
    const uint8_t *op = graph->module->op + graph->first;

    GSPI_ENTER(gsp_split_bound(graph, desc));
    gspi_placement_layout(&pass.bump, &p, graph->n_nodes);
    p.n_nodes = graph->n_nodes;
    p.n_kinds = from->n_kinds;
    p.trusted = 1;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        uint32_t const kind = gspi_is_callable(op[v]) ? from->kind[v] : GSP_KIND_NONE;
        gsp_reason const reason = kind == GSP_KIND_NONE  ? GSP_REASON_NONE
                                  : kind == GSP_KIND_CPU ? GSP_REASON_UNSUPPORTED
                                                         : GSP_REASON_SUPPORTED;
        p.kind[v] = (uint8_t)kind;
        p.reason[v] = from->reason == NULL ? (uint8_t)reason : from->reason[v];
        p.culprit[v] = from->culprit == NULL ? GSP_NONE : from->culprit[v];
        p.group[v] = from->group == NULL ? GSP_NONE : from->group[v];
    }
    gspi_split_reduce(arena, graph, desc, &p, &fused);
#ifdef GSP_NO_FUSE
    gsp_node const unfused = gspi_wants_fusion(graph, &p, desc->skip_fusion != 0u);
    GSPI_STEP(unfused == GSP_NONE
                  ? GSP_OK
                  : gspi_fail_at(err, GSP_STATUS_DESC, GSP_DETAIL_MODE, unfused, GSP_NONE));
#endif
    GSPI_STEP(gspi_split_make(&pass, graph, desc, &p, &fused, result, err));
    return GSPI_LEAVE();
}

size_t gsp_split_tag(const gsp_split_result *result, uint32_t subgraph, char *buffer, size_t size)
{
    char digits[2][22];
    size_t n = 0;
    if (subgraph < result->n_subgraphs) {
        uint32_t const kind = result->subgraph_kind[subgraph];
        int const numbered = result->names == NULL && kind != GSP_KIND_CPU && result->n_kinds > 2u;
        const char *parts[4];
        parts[0] = result->prefix;
        parts[1] = result->names != NULL  ? result->names[kind]
                   : kind == GSP_KIND_CPU ? "cpu"
                                          : "acc";
        parts[2] = numbered ? digits[0] : "";
        parts[3] = digits[1];
        digits[0][gspi_decimal(kind, digits[0])] = '\0';
        digits[1][0] = '_';
        digits[1][1u + gspi_decimal(result->first_tag + subgraph, digits[1] + 1)] = '\0';
        for (uint32_t i = 0; i < 4u; i++) {
            for (const char *c = parts[i]; c != NULL && *c != '\0'; c++, n++) {
                if (n + 1u < size) {
                    buffer[n] = *c;
                }
            }
        }
    }
    if (size > 0u) {
        buffer[n < size ? n : size - 1u] = '\0';
    }
    return n;
}

uint32_t gsp_split_first_tag(const gsp_graph *graph, const gsp_split_result *result)
{
    const gsp_module *m = graph->module;
    gsp_str const prefix = gsp_str_of(result->prefix);
    uint32_t const n = m->counts.graphs + m->n_params + m->n_leaves;
    uint32_t first = 0;
    int clash = 0;
    for (uint32_t i = 0; i < n; i++) {
        gsp_str t = gspi_str(m, gspi_used_name(m, i));
        uint32_t base;
        t.size = (uint32_t)gspi_find_byte(t.data, t.size, 0, '.');
        uint32_t const number = gspi_name_suffix(t, &base);
        if (base < t.size && base >= prefix.size && gspi_begins(t, prefix)) {
            clash = clash || number < result->n_subgraphs;
            first = number < first ? first : number + 1u;
        }
    }
    return clash ? first : 0u;
}

/* ----
 * >>split_by_tags   A module from tags (implementation)
 * ---- */

/* The caller's tags are the parts of gspi_cut. No part reads a later one, which is checked first,
 * so the calls follow in order of tags, the root needs no sort, and tag i becomes graph i + 1. The
 * tags of a split come from its subgraphs in order; split_subgraphs runs support, split and this
 * pass within one scratch. Source: torch.fx.passes.split_utils. */

/* Bytes of all names, or 32 bytes each without names. */
static size_t gspi_split_by_tags_name_bytes(const gsp_split_by_tags_desc *d)
{
    size_t bytes = d->names == NULL ? gspi_mul_add(d->n_tags, 32, 0) : 0u;
    for (uint32_t i = 0; d->names != NULL && i < d->n_tags; i++) {
        bytes = gspi_add(bytes, d->names[i].size);
    }
    return bytes;
}

static void gspi_split_by_tags_layout(
    gspi_bump *b, gspi_cut *w, gsp_bitset *used, const gsp_graph *g, uint32_t n_tags)
{
    gsp_counts const counts = gsp_graph_counts(g);
    gspi_cut_layout(b, w, &counts, n_tags);
    w->root_of = gspi_words(b, counts.nodes);
    used->words = gspi_words(b, gsp_bitset_words(counts.strings));
}

/* Each parameter and called module is that of a node. */
static size_t gspi_split_by_tags_bytes(
    const gsp_graph *g, uint32_t n_tags, size_t name_bytes, uint32_t tuples)
{
    gspi_bump b = gspi_measure();
    gspi_cut w;
    gsp_bitset used;
    gsp_counts const *c = &g->module->counts;
    gsp_counts const made = gspi_cut_counts(c, n_tags, name_bytes, tuples != 0u);
    gspi_split_by_tags_layout(&b, &w, &used, g, n_tags);
    return gspi_add(gspi_bound(&b), gspi_build_bound(&made, c->nodes));
}

size_t gsp_split_by_tags_bound(const gsp_graph *graph, const gsp_split_by_tags_desc *desc)
{
    return desc == NULL ? gspi_split_by_tags_bytes(graph, 0, 0, 0)
                        : gspi_split_by_tags_bytes(graph, desc->n_tags,
                              gspi_split_by_tags_name_bytes(desc), desc->return_tuple);
}

/* Collects the names of parameters and called modules. */
static void gspi_split_by_tags_used(gsp_bitset *used, const gsp_module *m)
{
    gsp_bitset_init(used, used->words, m->counts.strings);
    for (uint32_t i = m->counts.graphs; gspi_used_name(m, i) != GSP_NONE; i++) {
        gsp_bitset_set(used, gspi_used_name(m, i));
    }
}

/* Names of tags: given, or those of a split, each in its turn. */
typedef struct {
    const gsp_split_result *split;
    char *chars;
    size_t size;
} gspi_tags;

/* A tag that is the name of a parameter or called module would be read for it. Otherwise the
 * builder fails only for a damaged input or a tag named like a child graph or another tag. */
static gsp_status gspi_split_by_tags_make(gspi_cut *w, gsp_bitset *used, gsp_arena *arena,
    const gsp_split_by_tags_desc *d, const gspi_tags *tags, gsp_module *made, gsp_error *err)
{
    const gsp_module *m = w->g->module;
    size_t const bytes =
        tags != NULL ? gspi_mul_add(d->n_tags, tags->size, 0) : gspi_split_by_tags_name_bytes(d);
    gsp_counts const counts = gspi_cut_counts(&m->counts, d->n_tags, bytes, w->return_tuple);
    const gsp_error *e = &w->b->error;
    uint32_t tag;
    gspi_cut_start(w);
    for (uint32_t i = 0; i < d->n_tags; i++) {
        GSPI_CHECK_ITEM(w->part_begin[i] < w->part_begin[i + 1u], ARG, TAG_EMPTY, TAG, i, GSP_NONE);
    }
    (void)gspi_build_init(w->b, arena, &counts, m->counts.nodes, NULL);
    gsp_build_adopt(w->b, m);
    used->n = 0; /* empty until a tag is a string of the module */
    for (uint32_t i = 0; i < d->n_tags; i++) {
        gsp_str const name = tags == NULL
                                 ? d->names[i]
                                 : gspi_slice(tags->chars, 0,
                                       gsp_split_tag(tags->split, i, tags->chars, tags->size));
        w->names[i] = gsp_build_atom(w->b, name);
        if (w->names[i] < m->counts.strings && used->n == 0u) {
            gspi_split_by_tags_used(used, m);
        }
        GSPI_CHECK_ITEM(!gsp_bitset_has(used, w->names[i]), ARG, TAG_NAME, TAG, i, GSP_NONE);
    }
    if (gspi_cut_write(w, NULL, d->n_tags, NULL, made) == GSP_OK) {
        return GSP_OK;
    }
    tag = (e->node <= d->n_tags ? e->node : e->other) - 1u; /* graph 0 is the root */
    GSPI_CHECK_ITEM(e->status != GSP_STATUS_DUPLICATE || e->detail != GSP_DETAIL_MODULE_NAME ||
                        tag >= d->n_tags,
        ARG, TAG_NAME, TAG, tag, GSP_NONE);
    return gspi_fail_plain(err, GSPI_CODE(DAMAGED, ROWS, NONE));
}

/* `bound`: free bytes that suffice. */
GSPI_OWN_FRAME gsp_status gspi_split_by_tags_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_by_tags_desc *desc, const gspi_tags *tags, size_t bound,
    gsp_split_by_tags_result *result, gsp_error *err)
{
    gspi_cut w;
    gsp_bitset used;
    GSPI_CHECK_RANGE(graph->n_nodes != 0u, n_nodes);
    GSPI_ENTER(bound);
    gspi_split_by_tags_layout(&pass.bump, &w, &used, graph, desc->n_tags);
    w.g = graph;
    w.part_of = desc->tag_of;
    w.target = graph->module->target + graph->first;
    w.in_name = NULL;
    w.pass_attrs = 0;
    w.return_tuple = desc->return_tuple != 0u;
    GSPI_STEP(gspi_split_by_tags_make(&w, &used, arena, desc, tags, &result->module, err));
    result->graph_of = w.graph_of;
    result->node_of = w.node_of;
    return GSPI_LEAVE();
}

gsp_status gsp_split_by_tags_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_by_tags_desc *desc, gsp_split_by_tags_result *result, gsp_error *err)
{
    GSPI_GIVEN_DESC();
    GSPI_CHECK_RANGE(graph->n_nodes != 0u, n_nodes);
    GSPI_GIVEN(desc->tag_of);
    GSPI_GIVEN_ROWS(desc->names, desc->n_tags);
    for (uint32_t i = 0; i < desc->n_tags; i++) {
        GSPI_CHECK_ITEM(desc->names[i].data != NULL && gspi_is_part_name(desc->names[i]), ARG,
            TAG_NAME, TAG, i, GSP_NONE);
    }
    GSPI_TRY(gspi_check_parts(graph, desc->tag_of, desc->n_tags, 1, err));
    return gspi_split_by_tags_run(
        arena, graph, desc, NULL, gsp_split_by_tags_bound(graph, desc), result, err);
}

/* ---- Support, split and tags in one call ---- */

typedef struct {
    gsp_split_subgraphs_desc d;
    gsp_split_subgraphs_result *r;
    gspi_tags names; /* of the size of the longest tag with its NUL */
    uint32_t n_kinds;
    uint32_t most; /* maximum number of subgraphs */
    gsp_split_by_tags_desc *tags;
} gspi_subgraphs;

static void gspi_subgraphs_layout(
    gspi_bump *b, gspi_subgraphs *w, const gsp_graph *g, const gsp_split_subgraphs_desc *desc)
{
    const gsp_split_desc *s = &w->d.split;
    gspi_desc(&w->d, desc, sizeof(w->d));
    w->n_kinds = s->placement != NULL ? s->placement->n_kinds : gspi_support_kinds(&w->d.support);
    size_t longest = w->n_kinds > 2u ? 6u : 3u; /* "acc254" */
    for (uint32_t k = 0; s->names != NULL && k < w->n_kinds; k++) {
        longest = gspi_max(longest, gsp_str_of(s->names[k]).size);
    }
    w->names.size = longest + gsp_str_of(s->prefix == NULL ? "_run_on_" : s->prefix).size + 12u;
    w->most = s->limit != 0u && s->limit < g->n_nodes ? s->limit : g->n_nodes;
    w->r = GSPI_HIGH(b, gsp_split_subgraphs_result, 1);
    w->tags = GSPI_HIGH(b, gsp_split_by_tags_desc, 1);
    w->names.chars = GSPI_HIGH(b, char, w->names.size);
}

static size_t gspi_subgraphs_tags_bound(const gsp_graph *g, const gspi_subgraphs *w, uint32_t n)
{
    return gspi_split_by_tags_bytes(g, n, gspi_mul_add(n, w->names.size, 0), w->d.return_tuple);
}

size_t gsp_split_subgraphs_bound(const gsp_graph *graph, const gsp_split_subgraphs_desc *desc)
{
    gspi_bump b = gspi_measure_with(sizeof(gspi_subgraphs));
    gsp_placement placement;
    gspi_subgraphs w;
    gspi_subgraphs_layout(&b, &w, graph, desc);
    placement.n_kinds = w.n_kinds;
    size_t support = b.used;
    if (w.d.split.placement == NULL) {
        support = gspi_add(b.used, gsp_support_bound(graph, &w.d.support));
        gspi_placement_layout(&b, &placement, graph->n_nodes);
        w.d.split.placement = &placement;
    }
    b.used = gspi_add(b.used, gsp_split_bound(graph, &w.d.split));
    b.used = gspi_add(b.used, gspi_subgraphs_tags_bound(graph, &w, w.most));
    b.used = gspi_max(b.used, support);
    return gspi_bound(&b);
}

/* The module of the split. */
GSPI_OWN_FRAME gsp_status gspi_subgraphs_make(
    gspi_subgraphs *w, gsp_arena *arena, const gsp_graph *graph, gsp_error *err)
{
    gspi_set(w->tags, 0, sizeof(*w->tags));
    w->r->split.first_tag = gsp_split_first_tag(graph, &w->r->split);
    w->names.split = &w->r->split;
    w->tags->n_tags = w->r->split.n_subgraphs;
    w->tags->tag_of = w->r->split.subgraph_of;
    w->tags->return_tuple = w->d.return_tuple;
    return gspi_split_by_tags_run(arena, graph, w->tags, &w->names,
        gspi_subgraphs_tags_bound(graph, w, w->tags->n_tags), &w->r->subgraphs, err);
}

gsp_status gsp_split_subgraphs_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_subgraphs_desc *desc, gsp_split_subgraphs_result *result, gsp_error *err)
{
    GSPI_GIVEN_PASS();
    if (desc != NULL) {
        GSPI_CHECK_DESC(*desc);
    }
    GSPI_ENTER(gsp_split_subgraphs_bound(graph, desc));
    gspi_subgraphs *w = GSPI_NEW(gspi_subgraphs);
    gspi_subgraphs_layout(&pass.bump, w, graph, desc);
    if (w->d.split.placement != NULL) {
        w->r->placement = *w->d.split.placement;
    } else {
        GSPI_STEP(gsp_support_run(arena, graph, &w->d.support, &w->r->placement, err));
        w->d.split.placement = &w->r->placement;
    }
    GSPI_STEP(gsp_split_run(arena, graph, &w->d.split, &w->r->split, err));
    GSPI_STEP(gspi_subgraphs_make(w, arena, graph, err));
    *result = *w->r;
    return GSPI_LEAVE();
}

typedef struct {
    gsp_arena *arena;
    gsp_module module;
    gsp_graph graph;
    gsp_rule rule;
    gsp_accelerator accelerator;
    gsp_split_subgraphs_desc desc;
} gspi_simple;

/* Finishes the module, and makes room above it. */
GSPI_OWN_FRAME gsp_status gspi_simple_start(gsp_builder *b, gspi_simple **made, gsp_error *err)
{
    gspi_bump measure = gspi_measure();
    gsp_arena *arena = b->arena;
    gspi_pass pass;
    gsp_module module;
    (void)GSPI_HIGH(&measure, gspi_simple, 1);
    GSPI_TRY(gsp_build_finish(b, &module, err));
    gsp_status const status = gspi_enter(&pass, arena, gspi_bound(&measure), err);
    if (GSPI_NEVER(status != GSP_OK)) { /* the builder has freed more */
        gsp_arena_rewind(arena, b->mark);
        return status;
    }
    *made = GSPI_NEW(gspi_simple);
    gspi_set(*made, 0, sizeof(**made));
    (*made)->arena = arena;
    (*made)->module = module;
    (*made)->graph = gspi_graph(&(*made)->module, 0);
    return GSP_OK;
}

gsp_status gsp_split_simple(gsp_builder *b, const gsp_table_entry *operators, uint32_t n_operators,
    gsp_split_subgraphs_result *result, gsp_error *err)
{
    gspi_simple *w;
    GSPI_GIVEN(b);
    GSPI_TRY(gspi_simple_start(b, &w, err));
    w->rule.kind = GSP_RULE_TABLE;
    w->rule.table.entries = operators;
    w->rule.table.n_entries = n_operators;
    w->accelerator.rules = &w->rule;
    w->accelerator.n_rules = 1;
    w->desc.support.accelerators = &w->accelerator;
    w->desc.support.n_accelerators = 1;
    gsp_arena *arena = w->arena;
    gsp_status const status = gsp_split_subgraphs_run(arena, &w->graph, &w->desc, result, err);
    arena->high = b->mark.high;
    if (status != GSP_OK) {
        gsp_arena_rewind(arena, b->mark);
    }
    return status;
}

/* ----
 * >>split_module   split_module: a module from any assignment (implementation)
 * ---- */

/* Kahn's algorithm, with a stack as in the reference, orders the parts by distinct pairs. Called
 * modules then get free names in their submodules, and the parts are cut. */

#define GSPI_SPLIT_MODULE_ROOT (GSP_NONE - 1u) /* the name space apart from those of graphs */

typedef struct {
    gspi_cut cut;
    gsp_split_module_desc d;
    gsp_counts counts; /* upper bounds of the result */
    uint32_t n_parts;  /* parts that have nodes */
    uint32_t n_qualnames;
    uint32_t n_pairs;
    uint32_t *part; /* [parts] result: parts in call order */
    gsp_node *call;
    gsp_qualname *qualnames;
    uint32_t *pair_from; /* [edges] part read, in order of first use */
    uint32_t *pair_to;   /* [edges] and its reader */
    uint32_t *row_begin;
    uint32_t *row;     /* [edges] distinct readers of a part, in order of first use */
    uint32_t *missing; /* [parts] predecessors not yet ordered */
    uint32_t *ready;
    uint32_t *first;
    uint32_t *place; /* [parts] position in an order, or a mark */
    gsp_atom *target;
    gsp_atom *in_name;
    gspi_names taken;
    gsp_atom *flat;      /* [strings] flattened target */
    uint32_t *flat_mark; /* [strings] the space of flat */
} gspi_modules;

static gsp_split_module_desc gspi_modules_desc(const gsp_split_module_desc *desc)
{
    gsp_split_module_desc d;
    gspi_desc(&d, desc, sizeof(d));
    d.prefix = d.prefix == NULL ? "submod_" : d.prefix;
    return d;
}

static void gspi_modules_layout(gspi_bump *b, gspi_modules *w, const gsp_graph *g)
{
    const gsp_split_module_desc *d = &w->d;
    gsp_counts const c = gsp_graph_counts(g);
    gsp_counts const *all = &g->module->counts;
    size_t const n_parts = d->n_parts;
    size_t const edges = d->number_inputs ? c.edges : 0u;
    size_t const prefix = gsp_str_of(d->prefix).size;
    size_t bytes = 0;
    for (uint32_t i = 0; i < d->n_parts; i++) {
        bytes = gspi_add(bytes, prefix + (d->names == NULL ? 10u : d->names[i].size) + 11u);
    }
    /* per node a flattened and a numbered target, the start of a target, and a numbered input */
    uint64_t const more = (uint64_t)all->nodes * (d->number_inputs ? 5u : 3u);
    w->counts = gspi_cut_counts(all, d->n_parts, bytes, d->return_tuple != 0u);
    /* a graph may have a number of its own */
    w->counts.strings = gspi_count(w->counts.strings + 2u * (uint64_t)d->n_parts + more);
    w->counts.bytes = gspi_count(
        w->counts.bytes + (uint64_t)gspi_count(bytes) + 15u * more + 3u * (uint64_t)all->bytes);
    gspi_cut_layout(b, &w->cut, &c, d->n_parts);
    w->cut.root_of = gspi_kept(b, c.nodes);
    w->part = gspi_kept(b, n_parts);
    w->call = gspi_kept(b, n_parts);
    w->qualnames = GSPI_LOW(b, gsp_qualname, c.nodes);
    w->pair_from = gspi_words(b, c.edges);
    w->pair_to = gspi_words(b, c.edges);
    w->row_begin = gspi_words(b, n_parts + 1u);
    w->row = gspi_words(b, c.edges);
    w->missing = gspi_words(b, n_parts);
    w->ready = gspi_words(b, n_parts);
    w->first = gspi_words(b, n_parts);
    w->place = gspi_words(b, n_parts);
    w->target = gspi_words(b, c.nodes);
    w->in_name = gspi_words(b, edges);
    w->taken.of = GSPI_HIGH(b, gspi_name, w->counts.strings);
    w->flat = gspi_words(b, w->counts.strings);
    w->flat_mark = gspi_words(b, w->counts.strings);
}

size_t gsp_split_module_bound(const gsp_graph *graph, const gsp_split_module_desc *desc)
{
    gspi_bump b = gspi_measure_with(sizeof(gspi_modules));
    gspi_modules w;
    w.d = gspi_modules_desc(desc);
    gspi_modules_layout(&b, &w, graph);
    return gspi_add(gspi_bound(&b), gspi_build_bound(&w.counts, graph->module->counts.nodes));
}

/* Lists distinct readers in order of first use, and counts the parts that each part reads. */
static void gspi_modules_readers(gspi_modules *w)
{
    const gspi_cut *c = &w->cut;
    uint32_t kept = 0;
    w->n_pairs = 0;
    for (gsp_node v = 0; v < c->g->n_nodes; v++) {
        gspi_row const inputs = gspi_before(c->g, v);
        for (uint32_t i = 0; i < inputs.n && gspi_callable(c->g, v); i++) {
            if (gspi_cut_crosses(c, inputs.at[i], v)) {
                w->pair_from[w->n_pairs] = c->part_of[inputs.at[i]];
                w->pair_to[w->n_pairs++] = c->part_of[v];
            }
        }
    }
    gspi_rows(w->pair_from, w->n_pairs, c->n_parts, w->row_begin, w->row);
    gspi_zero(w->missing, c->n_parts);
    gspi_zero(w->place, c->n_parts);
    for (uint32_t part = 0; part < c->n_parts; part++) {
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

/* Reports two parts on a cycle and one in between, found by following inputs over unordered parts
 * to a repeated one. */
static gsp_status gspi_modules_cycle(const gspi_modules *w, gsp_error *err)
{
    uint32_t *reads = w->ready; /* a predecessor not yet ordered */
    uint32_t part = GSP_NONE;
    gspi_zero(w->place, w->cut.n_parts);
    for (uint32_t i = w->n_pairs; i > 0u; i--) {
        if (w->missing[w->pair_from[i - 1u]] != 0u) { /* nor are its readers */
            reads[w->pair_to[i - 1u]] = w->pair_from[i - 1u];
        }
    }
    for (uint32_t i = w->n_parts; i > 0u; i--) {
        part = w->missing[w->first[i - 1u]] != 0u ? w->first[i - 1u] : part;
    }
    while (w->place[part] == 0u) {
        w->place[part] = 1;
        part = reads[part];
    }
    return gspi_fail_need(
        err, GSPI_CODE(CYCLE, PARTS_CYCLE, PART), reads[part], part, reads[reads[part]], 0);
}

/* Orders the calls; the worklist starts in order of first nodes. keep_order keeps that order, if no
 * part reads a later one. */
GSPI_OWN_FRAME gsp_status gspi_modules_order(gspi_modules *w, gsp_error *err)
{
    const gspi_cut *c = &w->cut;
    gspi_kahn k = gspi_kahn_start(w->ready, w->missing, GSP_TOPO_ORDER_STACK);
    uint32_t n_out = 0;
    uint32_t part;
    gspi_modules_readers(w);
    w->n_parts = 0;
    for (gsp_node v = 0; v < c->g->n_nodes; v++) {
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
            gspi_kahn_decrement(&k, w->row[i]);
        }
    }
    if (n_out != w->n_parts) {
        return gspi_modules_cycle(w, err);
    }
    for (uint32_t i = 0; i < w->n_parts && w->d.keep_order; i++) {
        w->part[i] = w->first[i];
        w->place[w->first[i]] = i;
    }
    for (uint32_t i = 0; i < w->n_pairs && w->d.keep_order; i++) {
        GSPI_CHECK_ITEM(w->place[w->pair_from[i]] <= w->place[w->pair_to[i]], CYCLE, PARTS_ORDER,
            PART, w->pair_to[i], w->pair_from[i]);
    }
    return GSP_OK;
}

static gsp_status gspi_modules_graph_names(gspi_modules *w, gsp_error *err)
{
    gsp_builder *b = w->cut.b;
    char digits[20];
    for (uint32_t i = 0; i < w->n_parts; i++) {
        uint32_t const part = w->part[i];
        gsp_str const tail = w->d.names == NULL ? gspi_slice(digits, 0, gspi_decimal(part, digits))
                                                : w->d.names[part];
        gsp_atom name = gspi_build_joined(b, gsp_str_of(w->d.prefix), tail);
        GSPI_CHECK_ITEM(
            gspi_is_part_name(gspi_build_text(b, name)), ARG, TAG_NAME, PART, part, GSP_NONE);
        name = gspi_build_name_free(b, &w->taken, name, GSPI_SPLIT_MODULE_ROOT);
        gspi_build_name_at(&w->taken, name)->space = GSP_NONE;
        w->cut.names[part] = name;
    }
    return GSP_OK;
}

/* Sets the targets of the modules that a part calls, flattened unless they are child graphs; local
 * is 1 at the first call of each. */
static void gspi_modules_targets(gspi_modules *w, uint32_t part, uint32_t space)
{
    const gspi_cut *c = &w->cut;
    for (uint32_t i = c->part_begin[part]; i < c->part_begin[part + 1u]; i++) {
        gsp_node const v = c->part_nodes[i];
        gsp_atom const old = gspi_target_id(c->g, v);
        w->target[v] = old;
        c->local[v] = 0;
        if (gspi_op(c->g, v) == GSP_OP_CALL_MODULE && gspi_query_child(c->g, v) == GSP_NONE) {
            if (w->flat_mark[old] != space) {
                gsp_atom const flat = gspi_build_flat(c->b, gspi_target_str(c->g, v));
                w->flat[old] = gspi_build_name_free(c->b, &w->taken, flat, space);
                w->flat_mark[old] = space;
                c->local[v] = 1;
            }
            w->target[v] = w->flat[old];
        }
    }
}

/* Names the inputs of a part arg_0, arg_1, ..., avoiding the names of its nodes. */
static void gspi_modules_number(gspi_modules *w, uint32_t part, uint32_t space)
{
    const gspi_cut *c = &w->cut;
    for (uint32_t i = c->part_begin[part]; i < c->part_begin[part + 1u]; i++) {
        gspi_row const inputs = gspi_inputs(c->g, c->part_nodes[i]);
        gspi_build_take(&w->taken, gspi_name_id(c->g, c->part_nodes[i]), space);
        for (uint32_t k = 0; k < inputs.n; k++) {
            if (gspi_cut_is_holder(c, inputs.at[k])) {
                gspi_build_take(&w->taken, gspi_name_id(c->g, inputs.at[k]), space);
            }
        }
    }
    for (uint32_t i = c->in_begin[part]; i < c->in_begin[part + 1u]; i++) {
        gsp_atom const wanted = gspi_build_numbered(c->b, gsp_str_of("arg"), i - c->in_begin[part]);
        w->in_name[i] = gspi_build_name_free(c->b, &w->taken, wanted, space);
    }
}

GSPI_OWN_FRAME gsp_status gspi_modules_name(gspi_modules *w, gsp_error *err)
{
    const gspi_cut *c = &w->cut;
    const gsp_graph *g = c->g;
    uint32_t at = 0;
    gsp_atom used;
    w->taken.n = 0;
    gspi_zero(w->flat_mark, w->counts.strings);
    while (
        (used = gspi_build_next_used(c->b, g->module, gsp_str_of(w->d.prefix), &at)) != GSP_NONE) {
        gspi_build_name_at(&w->taken, used)->space = GSPI_SPLIT_MODULE_ROOT;
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        gsp_atom const t = gspi_target_id(g, v);
        gsp_op const op = gspi_op(g, v);
        if (op == GSP_OP_GET_ATTR || op == GSP_OP_CALL_MODULE) {
            gspi_build_name_at(&w->taken, t)->space = GSPI_SPLIT_MODULE_ROOT;
        }
        if (op == GSP_OP_CALL_MODULE && w->flat_mark[t] == 0u) {
            w->flat_mark[t] = GSPI_SPLIT_MODULE_ROOT;
            gspi_build_name_at(&w->taken, gspi_build_flat(c->b, gspi_target_str(g, v)))->space =
                GSPI_SPLIT_MODULE_ROOT;
        }
    }
    for (uint32_t i = 0; i < g->module->counts.graphs; i++) {
        gspi_build_name_at(&w->taken, g->module->graphs[i].name)->space = GSP_NONE;
    }
    GSPI_TRY(gspi_modules_graph_names(w, err));
    for (uint32_t i = 0; i < w->n_parts; i++) {
        w->place[w->part[i]] = i;
        gspi_modules_targets(w, w->part[i], 2u * i + 1u);
        if (w->d.number_inputs) {
            gspi_modules_number(w, w->part[i], 2u * i + 2u);
        }
    }
    w->n_qualnames = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (gspi_callable(g, v) && c->local[v] == 1u) {
            gsp_qualname const q = {
                w->place[c->part_of[v]] + 1u, w->target[v], gspi_target_id(g, v)};
            w->qualnames[w->n_qualnames++] = q;
        }
    }
    return GSP_OK;
}

/* Orders, names and cuts. The builder fails only for a damaged input. */
GSPI_OWN_FRAME gsp_status gspi_modules_make(
    gspi_modules *w, gsp_arena *arena, gsp_split_module_result *result, gsp_error *err)
{
    gspi_cut *c = &w->cut;
    gspi_cut_start(c);
    GSPI_TRY(gspi_modules_order(w, err));
    (void)gspi_build_init(c->b, arena, &w->counts, c->g->module->counts.nodes, NULL);
    gsp_build_adopt(c->b, c->g->module);
    GSPI_TRY(gspi_modules_name(w, err));
    GSPI_CHECK(
        gspi_cut_write(c, w->part, w->n_parts, w->call, &result->module) == GSP_OK, DAMAGED, ROWS);
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

gsp_status gsp_split_module_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_module_desc *desc, gsp_split_module_result *result, gsp_error *err)
{
    GSPI_GIVEN_DESC();
    GSPI_CHECK_RANGE(graph->n_nodes != 0u, n_nodes);
    GSPI_GIVEN(desc->part_of);
    for (uint32_t i = 0; i < desc->n_parts && desc->names != NULL; i++) {
        GSPI_CHECK_ITEM(desc->names[i].data != NULL || desc->names[i].size == 0u, ARG, TAG_NAME,
            PART, i, GSP_NONE);
    }
    GSPI_TRY(gspi_check_parts(graph, desc->part_of, desc->n_parts, 0, err));

    GSPI_ENTER(gsp_split_module_bound(graph, desc));
    gspi_modules *w = GSPI_NEW(gspi_modules);
    w->d = gspi_modules_desc(desc);
    gspi_modules_layout(&pass.bump, w, graph);
    w->cut.g = graph;
    w->cut.part_of = desc->part_of;
    w->cut.target = w->target;
    w->cut.in_name = desc->number_inputs ? w->in_name : NULL;
    w->cut.pass_attrs = 1;
    w->cut.return_tuple = desc->return_tuple != 0u;
    GSPI_STEP(gspi_modules_make(w, arena, result, err));
    return GSPI_LEAVE();
}

/* ----
 * >>subgraph_grow   Growing an accelerator subgraph (implementation)
 * ---- */

/* Units are fusion groups and single nodes. A unit joins once all its readers in earlier subgraphs
 * have joined; a worklist of joined nodes counts them down. A unit of another kind, or with a node
 * outside earlier subgraphs, never joins. */

typedef struct {
    const gsp_graph *g;
    const gsp_subgraph_grow_desc *d;
    uint32_t *of;
    uint32_t *partner;
    uint32_t *unit;
    uint32_t *unjoined; /* [n] readers of a unit in earlier subgraphs; GSP_NONE if it never joins */
    gsp_node *stack;    /* [n] joined nodes whose inputs are not yet examined */
    uint32_t n_stack;
    uint32_t n_moved;
} gspi_grow;

static void gspi_grow_layout(gspi_bump *b, gspi_grow *w, uint32_t n)
{
    w->partner = gspi_words(b, n);
    w->unit = gspi_words(b, n);
    w->unjoined = gspi_words(b, n);
    w->stack = gspi_words(b, n);
    w->n_stack = 0;
    w->n_moved = 0;
}

size_t gsp_subgraph_grow_bound(const gsp_graph *graph, const gsp_subgraph_grow_desc *desc)
{
    (void)desc;
    gspi_bump b = gspi_measure();
    gspi_grow w;
    gspi_grow_layout(&b, &w, graph->n_nodes);
    return gspi_bound(&b);
}

static void gspi_grow_join(gspi_grow *w, uint32_t unit)
{
    gsp_node v = unit;
    w->unjoined[unit] = GSP_NONE;
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
        gspi_row const own = gspi_before(w->g, v);
        int const inside = gspi_callable(w->g, v) && w->of[v] == w->d->subgraph;
        for (uint32_t i = 0; i < own.n && inside; i++) {
            if (w->unjoined[w->unit[own.at[i]]] == 0u) {
                gspi_grow_join(w, w->unit[own.at[i]]);
            }
        }
        while (w->n_stack > 0u) {
            gsp_node const u = w->stack[--w->n_stack];
            gspi_row const inputs = gspi_before(w->g, u);
            for (uint32_t i = 0; i < inputs.n; i++) {
                uint32_t const unit = w->unit[inputs.at[i]];
                if (unit != w->unit[u] && w->unjoined[unit] != GSP_NONE &&
                    --w->unjoined[unit] == 0u) {
                    gspi_grow_join(w, unit);
                }
            }
        }
    }
}

gsp_status gsp_subgraph_grow_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_subgraph_grow_desc *desc, uint32_t *subgraph_of, uint32_t *n_moved, gsp_error *err)
{
    gspi_grow w;
    GSPI_GIVEN_3(arena, graph, desc);
    GSPI_GIVEN(subgraph_of);
    GSPI_CHECK_DESC(*desc);
    GSPI_GIVEN(desc->kind);
    GSPI_TRY(gspi_check_groups(graph, desc->group, err));
    GSPI_TRY(gspi_check_parts(graph, subgraph_of, GSP_NONE, 1, err));
    uint32_t kind = GSP_KIND_NONE; /* GSP_NONE if mixed, GSP_KIND_NONE without nodes */
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        if (gspi_callable(graph, v) && subgraph_of[v] == desc->subgraph) {
            kind = kind == GSP_KIND_NONE || kind == desc->kind[v] ? desc->kind[v] : GSP_NONE;
        }
    }
    GSPI_CHECK_ITEM(kind != GSP_KIND_NONE, ARG, TAG_EMPTY, SUBGRAPH, desc->subgraph, GSP_NONE);
    GSPI_CHECK(kind != GSP_KIND_CPU && kind != GSP_NONE, ARG, KIND);

    GSPI_ENTER(gsp_subgraph_grow_bound(graph, desc));
    w.g = graph;
    w.d = desc;
    w.of = subgraph_of;
    uint32_t const n = graph->n_nodes;
    gspi_grow_layout(&pass.bump, &w, n);
    gspi_group_rings(desc->group, n, w.partner, w.stack);
    gspi_none(w.unit, n);
    gspi_zero(w.unjoined, n);
    for (gsp_node v = 0; v < n; v++) {
        gsp_node u = v;
        while (w.unit[u] == GSP_NONE) {
            w.unit[u] = v;
            u = w.partner[u];
        }
    }
    for (gsp_node v = 0; v < n; v++) {
        uint32_t *unjoined = &w.unjoined[w.unit[v]];
        gspi_row const users = gspi_after(graph, v);
        if (!gspi_callable(graph, v) || w.of[v] >= desc->subgraph || desc->kind[v] != kind) {
            *unjoined = GSP_NONE;
        }
        for (uint32_t i = 0; i < users.n && *unjoined != GSP_NONE; i++) {
            gsp_node const u = users.at[i];
            int const before = gspi_callable(graph, u) && w.of[u] < desc->subgraph;
            *unjoined += before && w.unit[u] != w.unit[v];
        }
    }
    gspi_grow_back(&w);
    if (n_moved != NULL) {
        *n_moved = w.n_moved;
    }
    return GSPI_LEAVE();
}

/* ----
 * >>minimize   The least failing set of nodes (implementation)
 * ---- */

/* Units are fusion groups and single nodes in the order of their first nodes; a tested set is a
 * range of them plus the culprits found. */

typedef struct {
    const gsp_graph *g;
    const gsp_minimize_desc *d;
    gsp_bitset set;
    uint32_t *partner;
    gsp_node *unit;
    uint8_t *found;  /* [n_units] 1 for a culprit */
    uint32_t *range; /* [GSPI_HALVINGS] BINARY: ranges that have failed */
    gsp_node *nodes;
    uint32_t n_units;
    uint32_t n_tests;
    int stopped;
} gspi_minimize;

/* BINARY halves at most 32 times and keeps begin, end and state, 3 * 34 words. */
#define GSPI_HALVINGS 102u

static void gspi_minimize_layout(gspi_bump *b, gspi_minimize *w, uint32_t n)
{
    size_t const words = gsp_bitset_words(n);
    w->nodes = gspi_kept(b, n);
    w->partner = gspi_words(b, n);
    w->unit = gspi_words(b, n);
    w->found = GSPI_HIGH(b, uint8_t, n);
    w->range = gspi_words(b, GSPI_HALVINGS);
    w->set.words = gspi_words(b, words);
    w->set.n = n;
    w->n_units = 0;
    w->n_tests = 0;
    w->stopped = 0;
}

size_t gsp_minimize_bound(const gsp_graph *graph, const gsp_minimize_desc *desc)
{
    gspi_bump b = gspi_measure();
    gspi_minimize w;
    (void)desc;
    gspi_minimize_layout(&b, &w, graph->n_nodes);
    return gspi_bound(&b);
}

/* Collects the nodes of units begin .. end - 1 and, if `known`, of the culprits found. */
static void gspi_minimize_collect(gspi_minimize *w, uint32_t begin, uint32_t end, int known)
{
    gsp_bitset_fill(&w->set, 0);
    for (uint32_t i = 0; i < w->n_units; i++) {
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

/* The least end for which units 0 .. end - 1 and the culprits found fail; the given one does. */
static uint32_t gspi_minimize_end(gspi_minimize *w, uint32_t end)
{
    uint32_t low = 1;
    while (low < end) {
        uint32_t const middle = low + (end - low) / 2u;
        if (gspi_minimize_fails(w, 0, middle, 1)) {
            end = middle;
        } else {
            low = middle + 1u;
        }
    }
    return end;
}

static void gspi_minimize_block(gspi_minimize *w)
{
    uint32_t begin = 0;
    if (!gspi_minimize_fails(w, 0, w->n_units, 0)) {
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
    gspi_set(w->found + begin, 1, end - begin);
}

/* Depth-first search of failing halves on a stack of begin, end and state. The state is the number
 * of halves tested, plus 4 for each that failed. */
static void gspi_minimize_binary(gspi_minimize *w)
{
    uint32_t depth = 0;
    uint32_t *r = w->range;
    if (!gspi_minimize_fails(w, 0, w->n_units, 0)) {
        return;
    }
    r[0] = 0;
    r[1] = w->n_units;
    r[2] = 0;
    while (depth != GSP_NONE && !w->stopped) {
        uint32_t *top = &r[(size_t)3u * depth];
        uint32_t const middle = top[0] + (top[1] - top[0]) / 2u;
        uint32_t const step = top[2] & 3u;
        uint32_t const begin = step == 0u ? top[0] : middle;
        uint32_t const end = step == 0u ? middle : top[1];
        if (top[1] - top[0] == 1u || top[2] == 2u) { /* no half fails alone */
            gspi_set(w->found + top[0], 1, top[1] - top[0]);
            depth--;
        } else if (step == 2u || (top[2] == 5u && !w->d->find_all)) {
            depth--;
        } else {
            int const fails = gspi_minimize_fails(w, begin, end, 0);
            top[2] += fails ? 5u : 1u;
            if (fails) {
                top[3] = begin;
                top[4] = end;
                top[5] = 0;
                depth++;
            }
        }
    }
}

static void gspi_minimize_search(gspi_minimize *w)
{
    uint32_t const traversal = w->d->traversal;
    uint32_t end = w->n_units;
    int more = end > 0u;
    if (traversal == GSP_TRAVERSAL_BLOCK && more) {
        gspi_minimize_block(w);
    } else if (traversal == GSP_TRAVERSAL_BINARY && more) {
        gspi_minimize_binary(w);
    } else if (traversal == GSP_TRAVERSAL_LEAST && more) {
        more = gspi_minimize_fails(w, 0, end, 0);
        while (more) { /* the last unit of the least failing prefix; later tests include it */
            end = gspi_minimize_end(w, end) - 1u;
            w->found[end] = 1;
            more = end > 0u && !w->stopped && !gspi_minimize_fails(w, 0, 0, 1);
        }
    } else {
        int const prefix = traversal == GSP_TRAVERSAL_ACCUMULATE;
        for (uint32_t i = 0; i < w->n_units && more; i++) {
            if (gspi_minimize_fails(w, prefix ? 0u : i, i + 1u, 0)) {
                w->found[i] = 1;
                more = !prefix && w->d->find_all != 0u;
            }
        }
    }
}

gsp_status gsp_minimize_run(gsp_arena *arena, const gsp_graph *graph, const gsp_minimize_desc *desc,
    gsp_minimize_result *result, gsp_error *err)
{
    gspi_minimize w;
    GSPI_GIVEN_DESC();
    GSPI_CHECK_CHOICE(desc->traversal, GSP_TRAVERSAL_COUNT);
    GSPI_GIVEN(desc->fails);
    for (uint32_t i = 0; desc->nodes != NULL && i < desc->n_nodes; i++) {
        gsp_node const v = desc->nodes[i];
        GSPI_CHECK_OF(
            v < graph->n_nodes && gspi_callable(graph, v) && (i == 0u || v > desc->nodes[i - 1u]),
            ARG, RANGE, NODE, v, "nodes");
    }
    GSPI_TRY(gspi_check_groups(graph, desc->group, err));

    GSPI_ENTER(gsp_minimize_bound(graph, desc));
    w.g = graph;
    w.d = desc;
    uint32_t const n = graph->n_nodes;
    gspi_minimize_layout(&pass.bump, &w, n);
    uint32_t const n_given = desc->nodes == NULL ? n : desc->n_nodes;
    gspi_group_rings(desc->group, n, w.partner, w.nodes);
    gspi_set(w.found, 0, n);
    for (uint32_t i = 0; i < n_given; i++) {
        gsp_node const v = desc->nodes == NULL ? i : desc->nodes[i];
        if (gspi_callable(graph, v) && w.found[v] == 0u) {
            gsp_node u = v;
            w.unit[w.n_units++] = v;
            do {
                w.found[u] = 1;
                u = w.partner[u];
            } while (u != v);
        }
    }
    gspi_set(w.found, 0, n);
    gspi_minimize_search(&w);
    if (w.stopped) {
        return gspi_step(&pass, gspi_fail_plain(err, GSPI_CODE(LIMIT, STOPPED, NONE)));
    }
    gspi_minimize_collect(&w, 0, 0, 1);
    result->n_nodes = 0;
    for (gsp_node v = gsp_bitset_next(&w.set, 0); v != GSP_NONE;
         v = gsp_bitset_next(&w.set, v + 1u)) {
        w.nodes[result->n_nodes++] = v;
    }
    result->n_tests = w.n_tests;
    result->nodes = w.nodes;
    return GSPI_LEAVE();
}

gsp_node gsp_minimize_tags(const gsp_graph *graph, const gsp_bitset *set, uint32_t *tag_of)
{
    gsp_node bad = GSP_NONE;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        gspi_row const inputs = gspi_before(graph, v);
        uint32_t latest = 0;
        tag_of[v] = GSP_NONE;
        if (!gspi_callable(graph, v)) {
            continue;
        }
        for (uint32_t i = 0; i < inputs.n; i++) {
            uint32_t const tag = tag_of[inputs.at[i]];
            latest = tag != GSP_NONE && tag > latest ? tag : latest;
        }
        tag_of[v] = gsp_bitset_has(set, v) ? 1u : latest == 0u ? 0u : 2u;
        bad = bad == GSP_NONE && tag_of[v] == 1u && latest == 2u ? v : bad;
    }
    return bad;
}

/* ----
 * >>preview   Cost preview of a split (implementation)
 * ---- */

/* gspi_cut finds the values that cross, as it does for split_by_tags, but no module is built. Rows
 * of inputs and outputs per subgraph give the bytes of each transfer; the accelerator subgraph with
 * the most bytes one way is the bottleneck, which bounds the rate. Signatures are the classes of
 * nodes by kind, target and dtypes of arguments. Source: torch.fx.passes.splitter_base. */

/* ---- Types of nodes ---- */

/* A hash table of types, compared by their first nodes. */
typedef struct {
    const gsp_graph *g;
    const gsp_placement *p;
    gsp_signature *made;
    uint64_t *key; /* [n] of a type: its kind, the CPU last */
    uint32_t *order;
    uint32_t *slot; /* [mask + 1] type, or GSP_NONE */
    uint32_t mask;
    uint32_t n;
} gspi_signatures;

static void gspi_signatures_layout(gspi_bump *b, gspi_signatures *w, uint32_t n)
{
    uint32_t const slots = gspi_pow2(gspi_count_add(n, n / 2u));
    w->made = GSPI_HIGH(b, gsp_signature, n);
    w->key = gspi_longs(b, n);
    w->order = gspi_words(b, n);
    w->slot = gspi_words(b, slots != 0u ? slots : SIZE_MAX);
    w->mask = slots - 1u;
    w->n = 0;
}

size_t gsp_signatures_bound(const gsp_graph *graph)
{
    gspi_bump b = gspi_measure();
    gspi_signatures w;
    gspi_signatures_layout(&b, &w, graph->n_nodes);
    (void)GSPI_LOW(&b, gsp_signature, graph->n_nodes);
    return gspi_bound(&b);
}

/* The next argument that is a node and has a dtype or a key; fills its dtype. Returns 0 if there is
 * none. */
static int gspi_next_typed(const gsp_graph *g, gspi_elements *a, gsp_str *dtype)
{
    while (gspi_next_element(a)) {
        gsp_arg const arg = a->args[a->at];
        gsp_str dims;
        uint32_t at = 0;
        if (!gspi_is_node(arg)) {
            continue;
        }
        *dtype = gspi_slice("", 0, 0);
        if (gspi_value_kind(g, arg.value) == GSP_VALUE_TENSOR) {
            (void)gsp_type_next(gspi_type_str(g, arg.value), &at, dtype, &dims);
        }
        if (dtype->size != 0u || a->key != GSP_NONE) {
            return 1;
        }
    }
    return 0;
}

static int gspi_same_signature(const gspi_signatures *w, gsp_node u, gsp_node v)
{
    gspi_elements a = gspi_elements_of(gspi_args(w->g, u));
    gspi_elements b = gspi_elements_of(gspi_args(w->g, v));
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

static void gspi_signatures_add(gspi_signatures *w, gsp_node v)
{
    gsp_str const name = gsp_node_class(w->g, v);
    gspi_elements a = gspi_elements_of(gspi_args(w->g, v));
    gsp_str dtype;
    uint32_t i = gspi_hash(name.data, name.size, w->p->kind[v]);
    while (gspi_next_typed(w->g, &a, &dtype)) {
        i = gspi_hash(dtype.data, dtype.size, i ^ (a.key == GSP_NONE ? a.index : ~a.key));
    }
    i &= w->mask;
    while (w->slot[i] != GSP_NONE && !gspi_same_signature(w, w->made[w->slot[i]].first, v)) {
        i = (i + 1u) & w->mask;
    }
    if (w->slot[i] == GSP_NONE) {
        gsp_signature const made = {name, w->p->kind[v], 0, v};
        w->made[w->n] = made;
        w->key[w->n] = made.kind == GSP_KIND_CPU ? GSP_KIND_NONE : made.kind;
        w->order[w->n] = w->n;
        w->slot[i] = w->n++;
    }
    w->made[w->slot[i]].n_nodes++;
}

gsp_status gsp_signatures_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_placement *placement, gsp_signatures_result *result, gsp_error *err)
{
    gspi_signatures w;
    GSPI_GIVEN_PASS();
    GSPI_TRY(gspi_check_placement(graph, placement, err));

    GSPI_ENTER(gsp_signatures_bound(graph));
    w.g = graph;
    w.p = placement;
    gspi_signatures_layout(&pass.bump, &w, graph->n_nodes);
    gspi_none(w.slot, (size_t)w.mask + 1u);
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        if (gspi_callable(graph, v)) {
            gspi_signatures_add(&w, v);
        }
    }
    gspi_sort(w.order, w.n, w.key);
    gsp_signature *sorted = GSPI_LOW(&pass.bump, gsp_signature, w.n);
    for (uint32_t i = 0; i < w.n; i++) {
        sorted[i] = w.made[w.order[i]];
    }
    result->n_signatures = w.n;
    result->signatures = sorted;
    return GSPI_LEAVE();
}

gsp_status gsp_signature_write(
    const gsp_graph *graph, gsp_node node, gsp_sink sink, void *user, gsp_error *err)
{
    gspi_writer w;
    gsp_str dtype;
    uint32_t n = 0;
    GSPI_GIVEN_2(graph, sink);
    GSPI_CHECK_RANGE(node < graph->n_nodes, node);
    gspi_elements a = gspi_elements_of(gspi_args(graph, node));
    gspi_writer_start(&w, sink, user);
    gspi_puts(&w, "((");
    int more = gspi_next_typed(graph, &a, &dtype);
    while (more && a.key == GSP_NONE) {
        for (; n < a.index; n++) {
            gspi_puts(&w, n == 0u ? "None" : ", None");
        }
        gspi_put_between(&w, n++ == 0u ? "" : ", ", dtype, "");
        more = gspi_next_typed(graph, &a, &dtype);
    }
    gspi_puts(&w, n == 1u ? ",), {" : "), {");
    for (n = 0; more; n++) {
        gspi_put_between(&w, n == 0u ? "'" : ", '", gspi_str(graph->module, a.key), "': ");
        gspi_put_between(&w, "", dtype, dtype.size == 0u ? "None" : "");
        more = gspi_next_typed(graph, &a, &dtype);
    }
    gspi_puts(&w, "})");
    return gspi_writer_end(&w, err);
}

/* ---- Costs of subgraphs ---- */

typedef struct {
    gspi_cut cut;
    gsp_preview_subgraph *made;
} gspi_preview;

static void gspi_preview_layout(
    gspi_bump *b, gspi_preview *w, const gsp_graph *g, uint32_t n_subgraphs)
{
    gsp_counts const counts = gsp_graph_counts(g);
    w->made = GSPI_LOW(b, gsp_preview_subgraph, n_subgraphs);
    w->cut.in_nodes = gspi_kept(b, counts.edges);
    w->cut.out_nodes = gspi_kept(b, counts.nodes);
    w->cut.in_begin = gspi_words(b, (size_t)n_subgraphs + 1u);
    w->cut.out_begin = gspi_words(b, (size_t)n_subgraphs + 1u);
    w->cut.out_index = gspi_words(b, counts.nodes);
    w->cut.stamp = gspi_words(b, counts.nodes);
}

size_t gsp_preview_bound(
    const gsp_graph *graph, const gsp_split_result *split, const gsp_preview_desc *desc)
{
    gspi_bump b = gspi_measure();
    gspi_preview w;
    (void)desc;
    gspi_preview_layout(&b, &w, graph, split->n_subgraphs);
    return gspi_bound(&b);
}

/* Checks that the rows of subgraphs hold the nodes of each. */
static gsp_status gspi_preview_check(const gsp_graph *g, const gsp_split_result *s, gsp_error *err)
{
    uint32_t n = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        n += gspi_callable(g, v) ? 1u : 0u;
    }
    GSPI_CHECK(
        s->n_subgraphs == 0u || gspi_check_offsets(s->subgraph_begin, s->n_subgraphs, n), ARG, TAG);
    for (uint32_t i = 0; i < s->n_subgraphs; i++) {
        for (uint32_t k = s->subgraph_begin[i]; k < s->subgraph_begin[i + 1u]; k++) {
            gsp_node const v = s->nodes[k];
            GSPI_CHECK_NODE(v < g->n_nodes && s->subgraph_of[v] == i, ARG, TAG, v);
        }
    }
    return GSP_OK;
}

/* Sums the bytes of the tensors among `nodes` and counts the others. */
static gsp_status gspi_preview_bytes(const gsp_graph *g, const gsp_node *nodes, uint32_t n,
    uint64_t *bytes, uint32_t *others, gsp_error *err)
{
    *bytes = 0;
    *others = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t const own = gspi_bytes(g, nodes[i]);
        if (gspi_value_kind(g, nodes[i]) != GSP_VALUE_TENSOR) {
            *others += 1;
        } else {
            GSPI_CHECK_NODE(own <= UINT64_MAX - *bytes, OVERFLOW, SIZE, nodes[i]);
            *bytes += own;
        }
    }
    return GSP_OK;
}

static gsp_status gspi_preview_fill(
    gspi_preview *w, const gsp_split_result *s, uint32_t i, gsp_error *err)
{
    gsp_preview_subgraph *m = &w->made[i];
    m->kind = s->subgraph_kind[i];
    m->n_nodes = s->subgraph_begin[i + 1u] - s->subgraph_begin[i];
    m->n_inputs = w->cut.in_begin[i + 1u] - w->cut.in_begin[i];
    m->n_outputs = w->cut.out_begin[i + 1u] - w->cut.out_begin[i];
    m->nodes = s->nodes + s->subgraph_begin[i];
    m->inputs = w->cut.in_nodes + w->cut.in_begin[i];
    m->outputs = w->cut.out_nodes + w->cut.out_begin[i];
    m->lowered = GSP_LOWERED_NOT;
    m->culprit = GSP_NONE;
    GSPI_TRY(
        gspi_preview_bytes(w->cut.g, m->inputs, m->n_inputs, &m->bytes_in, &m->odd_inputs, err));
    return gspi_preview_bytes(
        w->cut.g, m->outputs, m->n_outputs, &m->bytes_out, &m->odd_outputs, err);
}

static uint64_t gspi_preview_most(const gsp_preview_subgraph *m)
{
    return m->bytes_in > m->bytes_out ? m->bytes_in : m->bytes_out;
}

static void gspi_preview_count(
    const gsp_split_result *s, const gsp_preview_subgraph *made, gsp_preview_result *r)
{
    uint64_t most = 0;
    r->raw_acc = 0;
    r->n_acc = 0;
    r->bottleneck = GSP_NONE;
    for (uint32_t i = 0; i < s->n_raw; i++) {
        r->raw_acc += s->raw_kind[i] != GSP_KIND_CPU;
    }
    for (uint32_t i = 0; i < s->n_subgraphs; i++) {
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

gsp_status gsp_preview_run(gsp_arena *arena, const gsp_graph *graph, const gsp_split_result *split,
    const gsp_preview_desc *desc, gsp_preview_result *result, gsp_error *err)
{
    gsp_preview_desc d;
    gspi_preview w;
    GSPI_GIVEN_3(arena, graph, split);
    GSPI_GIVEN(result);
    GSPI_READ_DESC(d, desc);
    GSPI_CHECK(split->n_nodes == graph->n_nodes, ARG, TAG);
    GSPI_TRY(gspi_check_parts(graph, split->subgraph_of, split->n_subgraphs, 0, err));
    GSPI_TRY(gspi_preview_check(graph, split, err));

    GSPI_ENTER(gsp_preview_bound(graph, split, desc));
    gspi_preview_layout(&pass.bump, &w, graph, split->n_subgraphs);
    w.cut.g = graph;
    w.cut.part_of = split->subgraph_of;
    w.cut.n_parts = split->n_subgraphs;
    w.cut.pass_attrs = 0;
    w.cut.part_begin = (uint32_t *)(uintptr_t)split->subgraph_begin;
    w.cut.part_nodes = (gsp_node *)(uintptr_t)split->nodes;
    gspi_cut_outputs(&w.cut);
    gspi_cut_inputs(&w.cut);
    for (uint32_t i = 0; i < split->n_subgraphs; i++) {
        GSPI_STEP(gspi_preview_fill(&w, split, i, err));
    }
    for (uint32_t i = 0; i < split->n_subgraphs && d.lower != NULL; i++) {
        gsp_preview_subgraph *m = &w.made[i];
        gsp_lowered const lowered =
            m->kind != GSP_KIND_CPU ? d.lower(d.user, graph, m) : GSP_LOWERED_NOT;
        m->lowered = (uint32_t)lowered;
        if (d.blame != NULL &&
            (lowered == GSP_LOWERED_FAILED || lowered == GSP_LOWERED_RUN_FAILED)) {
            m->culprit = d.blame(d.user, graph, m);
        }
    }
    gspi_preview_count(split, w.made, result);
    result->bandwidth = d.bandwidth == 0u ? GSP_BANDWIDTH : d.bandwidth;
    return GSPI_LEAVE();
}

#ifndef GSP_NO_COST
int gsp_preview_rate(const gsp_preview_result *result, uint32_t subgraph, double *rate)
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

/* ----
 * >>demote   Most on the accelerator, in few subgraphs (implementation)
 * ---- */

#ifndef GSP_NO_FLOW

/* Every unit gets a label. Labels are non-decreasing along edges and alternate between CPU and
 * accelerator. Costs belong to single labels, so one minimum cut is exact: place t of a unit is on
 * the source's side if its label is at least t. */

typedef struct {
    const gsp_graph *g;
    const gsp_demote_desc *d;
    uint8_t *kind;   /* [n] the best so far */
    uint32_t *unit;  /* [n] */
    uint32_t *last;  /* [n] */
    uint64_t *value; /* [n] of a unit; UINT64_MAX if only the CPU runs it */
    void *memory;
    uint32_t n_labels;
    uint32_t start; /* kind of label 0 */
    int has_cpu;    /* 1 if some unit cannot run on the accelerator */
    uint64_t total;
    gspi_flow flow;
    gsp_demote_result result;
} gspi_demote;

/* n nodes need at most n + 1 labels in any order. */
static uint32_t gspi_demote_labels(const gsp_demote_desc *d, uint32_t n)
{
    uint64_t const by_acc = d->max_acc == 0u ? UINT64_MAX : 2u * (uint64_t)d->max_acc + 1u;
    uint64_t const labels = d->limit != 0u && d->limit < by_acc ? d->limit : by_acc;
    return labels > n ? n + 1u : (uint32_t)labels;
}

static void gspi_demote_layout(gspi_bump *b, gspi_demote *ws, const gsp_graph *g)
{
    size_t const n = g->n_nodes;
    size_t const labels = ws->n_labels;
    size_t const arcs = gspi_mul_add(labels, n + gsp_graph_counts(g).edges, 0);
    ws->result.kind = ws->kind = GSPI_LOW(b, uint8_t, n);
    ws->unit = gspi_words(b, n);
    ws->last = gspi_words(b, n);
    ws->value = gspi_longs(b, n);
    size_t const bytes = arcs < UINT32_MAX / 2u ? gspi_flow_bytes(labels * n + 2u, arcs) : SIZE_MAX;
    ws->memory = gspi_bump_high(b, bytes, 1);
}

size_t gsp_demote_bound(const gsp_graph *graph, const gsp_demote_desc *desc)
{
    gspi_bump b = gspi_measure_with(sizeof(gspi_demote));
    gspi_demote ws;
    gsp_demote_desc d;
    gspi_desc(&d, desc, sizeof(d));
    ws.n_labels = gspi_demote_labels(&d, graph->n_nodes);
    gspi_demote_layout(&b, &ws, graph);
    return gspi_bound(&b);
}

/* Sets the initial answer and the values of units. */
static void gspi_demote_read(gspi_demote *ws)
{
    const gsp_split_result *s = ws->d->split;
    const uint64_t *given = ws->d->value;
    uint32_t n_acc = 0;
    for (uint32_t i = 0; i < s->n_subgraphs; i++) {
        n_acc += s->subgraph_kind[i];
    }
    int const fits = (ws->d->limit == 0u || s->n_subgraphs <= ws->d->limit) &&
                     (ws->d->max_acc == 0u || n_acc <= ws->d->max_acc);
    gspi_set(ws->value, 0, ws->g->n_nodes * sizeof(uint64_t));
    for (gsp_node v = 0; v < ws->g->n_nodes; v++) {
        if (s->group[v] != GSP_NONE) {
            ws->last[s->group[v]] = v;
        }
    }
    for (gsp_node v = 0; v < ws->g->n_nodes; v++) {
        ws->unit[v] = !gspi_callable(ws->g, v)  ? GSP_NONE
                      : s->group[v] == GSP_NONE ? v
                                                : ws->last[s->group[v]];
        uint64_t const value = s->kind[v] != 1u ? 0u : given == NULL ? 1u : given[v];
        ws->kind[v] = s->kind[v] != 1u ? s->kind[v]
                      : fits           ? s->subgraph_kind[s->subgraph_of[v]]
                                       : 0u;
        ws->result.value += ws->kind[v] == 1u ? value : 0u;
        ws->total += value;
        if (ws->unit[v] != GSP_NONE) {
            uint64_t *sum = &ws->value[ws->unit[v]];
            *sum = s->kind[v] == 1u ? gspi_sum(*sum, value) : UINT64_MAX;
            ws->has_cpu |= s->kind[v] != 1u;
        }
    }
}

static uint32_t gspi_demote_place(const gspi_demote *ws, uint32_t unit, uint32_t place)
{
    return place == 0u             ? GSPI_FLOW_SOURCE
           : place == ws->n_labels ? GSPI_FLOW_SINK
                                   : 1u + unit * (ws->n_labels - 1u) + place;
}

static void gspi_demote_unit(gspi_demote *ws, uint32_t unit)
{
    int const bound = ws->value[unit] == UINT64_MAX;
    for (uint32_t t = 0; t < ws->n_labels; t++) {
        int const on_acc = ((ws->start ^ t) & 1u) != 0u;
        uint64_t const cost = on_acc ? (bound ? GSPI_FLOW_INF : 0u) : bound ? 0u : ws->value[unit];
        uint64_t const back = t > 0u && t + 1u < ws->n_labels ? GSPI_FLOW_INF : 0u;
        if (cost != 0u || back != 0u) {
            gspi_flow_add(&ws->flow, gspi_demote_place(ws, unit, t),
                gspi_demote_place(ws, unit, t + 1u), cost, back);
        }
    }
}

static void gspi_demote_emit(gspi_demote *ws)
{
    for (gsp_node v = 0; v < ws->g->n_nodes; v++) {
        gspi_row const inputs = gspi_before(ws->g, v);
        ws->flow.n_nodes += ws->n_labels - 1u;
        if (ws->unit[v] == v) {
            gspi_demote_unit(ws, v);
        }
        for (uint32_t i = 0; i < inputs.n && ws->unit[v] != GSP_NONE; i++) {
            uint32_t const unit = ws->unit[inputs.at[i]];
            int const apart = unit != GSP_NONE && unit != ws->unit[v];
            for (uint32_t t = 1; t < ws->n_labels && apart; t++) {
                gspi_flow_add(&ws->flow, gspi_demote_place(ws, unit, t),
                    gspi_demote_place(ws, ws->unit[v], t), GSPI_FLOW_INF, 0);
            }
        }
    }
}

/* Keeps the answer with this kind of label 0 if it is better; returns an upper bound. */
GSPI_OWN_FRAME uint64_t gspi_demote_try(gspi_demote *ws, uint32_t start)
{
    gspi_flow *f = &ws->flow;
    ws->start = start;
    gspi_flow_start(f);
    gspi_demote_emit(ws);
    gspi_flow_place(f, ws->memory);
    gspi_demote_emit(ws);
    if (gspi_flow_run(f) && ws->total - f->value > ws->result.value) {
        ws->result.value = ws->total - f->value;
        for (gsp_node v = 0; v < ws->g->n_nodes; v++) {
            uint32_t label = 0;
            while (ws->unit[v] != GSP_NONE && label + 1u < ws->n_labels &&
                   gspi_flow_side(f, gspi_demote_place(ws, ws->unit[v], label + 1u))) {
                label++;
            }
            ws->kind[v] = ws->unit[v] == GSP_NONE ? GSP_KIND_NONE : (uint8_t)((start ^ label) & 1u);
        }
    }
    return ws->total - f->value;
}

gsp_status gsp_demote_run(gsp_arena *arena, const gsp_graph *graph, const gsp_demote_desc *desc,
    gsp_demote_result *result, gsp_error *err)
{
    uint64_t sum = 0;
    GSPI_GIVEN_DESC();
    const gsp_split_result *s = desc->split;
    GSPI_GIVEN_3(s, s->kind, s->group);
    gsp_placement const p = {s->n_nodes, s->n_kinds, 0, (uint8_t *)(uintptr_t)s->kind, NULL, NULL,
        (uint32_t *)(uintptr_t)s->group};
    GSPI_CHECK(s->n_kinds <= 2u, ARG, KIND);
    GSPI_TRY(gspi_check_placement(graph, &p, err));
    GSPI_TRY(gspi_check_parts(graph, s->subgraph_of, s->n_subgraphs, 0, err));
    for (gsp_node v = 0; v < graph->n_nodes && desc->value != NULL; v++) {
        sum = gspi_sum(sum, s->kind[v] == 1u ? desc->value[v] : 0u);
        GSPI_CHECK_NODE(sum < GSPI_FLOW_MOST, OVERFLOW, SIZE, v);
    }
    GSPI_ENTER(gsp_demote_bound(graph, desc));
    gspi_demote *ws = GSPI_NEW(gspi_demote);
    gspi_set(ws, 0, sizeof(*ws));
    ws->g = graph;
    ws->d = desc;
    ws->n_labels = gspi_demote_labels(desc, graph->n_nodes);
    ws->flow.max_work = desc->max_work == 0u ? (uint64_t)1u << 26 : desc->max_work;
    gspi_demote_layout(&pass.bump, ws, graph);
    gspi_demote_read(ws);
    ws->result.upper_bound = gspi_demote_try(ws, GSP_KIND_CPU);
    if ((ws->n_labels > 1u || !ws->has_cpu) &&
        (desc->max_acc == 0u || ws->n_labels - ws->n_labels / 2u <= desc->max_acc)) {
        uint64_t const most = gspi_demote_try(ws, 1);
        ws->result.upper_bound = most > ws->result.upper_bound ? most : ws->result.upper_bound;
    }
    ws->result.work = ws->flow.work;
    *result = ws->result;
    return GSPI_LEAVE();
}
#endif

#endif /* GSP_NO_SPLIT */

/* ====
 * >>family PARTITION   Partitions on devices (implementation)
 * ==== */
#ifndef GSP_NO_PARTITION

/* ---- Seconds without floating point ---- */

/* Costs are the bits of non-negative doubles, which compare as integers. Sums and quotients are
 * computed in integers and rounded to nearest-even on every machine, whatever the compiler options.
 * Sums above the largest double have exponents of 12 bits and stay in order. */

#define GSPI_FRACTION 0xFFFFFFFFFFFFFu
#define GSPI_HIDDEN   0x10000000000000u
#define GSPI_FOREVER  0x7FF0000000000000u /* infinity */

/* m / 2^shift; bit 0 is sticky. */
static uint64_t gspi_time_shift(uint64_t m, uint32_t shift)
{
    if (shift == 0u || shift > 62u) {
        return shift == 0u ? m : m != 0u;
    }
    return (m >> shift) | ((m << (64u - shift)) != 0u ? 1u : 0u);
}

/* The double nearest to m * 2^(e - 1085), 2^62 <= m or e = 1. */
static uint64_t gspi_time_round(uint64_t m, int32_t e)
{
    if ((m >> 63) != 0u) {
        m = (m >> 1) | (m & 1u);
        e++;
    }
    m = (m + 511u + ((m >> 10) & 1u)) >> 10;
    return ((uint64_t)((uint32_t)e - 1u) << 52) + m;
}

/* The same for any m, and e > 0, which gspi_time_move() keeps. */
static uint64_t gspi_time_scale(uint64_t m, int32_t e)
{
    for (; e > 1 && (m >> 62) == 0u; e--) {
        m <<= 1;
    }
    return gspi_time_round(m, e);
}

/* Returns m and sets e of a double m * 2^(e - 1075). */
static uint64_t gspi_time_split(uint64_t bits, int32_t *e)
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

static uint64_t gspi_time_add(uint64_t a, uint64_t b)
{
    int32_t e;
    int32_t e_least;
    uint64_t const m = gspi_time_split(a < b ? b : a, &e) << 10;
    uint64_t const least = gspi_time_split(a < b ? a : b, &e_least) << 10;
    return gspi_time_round(m + gspi_time_shift(least, (uint32_t)(e - e_least)), e);
}

/* Seconds of a transfer; bytes are rounded to a double first. Rate GSPI_FOREVER gives 0; a result
 * of GSPI_FOREVER or more is too large. */
static uint64_t gspi_time_move(uint64_t bytes, uint64_t rate)
{
    int32_t e;
    int32_t e_rate;
    if (bytes == 0u || rate == GSPI_FOREVER || rate == 0u) {
        return bytes != 0u && rate == 0u ? GSPI_FOREVER : 0u;
    }
    uint64_t m = gspi_time_split(gspi_time_scale(bytes, 1085), &e);
    uint64_t divisor = gspi_time_split(rate, &e_rate);
    for (; (divisor & GSPI_HIDDEN) == 0u; divisor <<= 1) {
        e_rate--;
    }
    /* m / divisor is in (1/2, 2): 55 bits of it, eleven per step */
    uint64_t q = 0;
    for (uint32_t i = 0; i < 6u; i++) {
        q = (q << 11) | (m / divisor);
        m = (m % divisor) << 11;
    }
    return gspi_time_scale(q | (m != 0u ? 1u : 0u), e - e_rate + 1085 - 55);
}

static uint64_t gspi_time_bits(double value)
{
    uint64_t bits;
    (void)GSP_MEMCPY(&bits, &value, sizeof(bits));
    return bits;
}

/* -0 becomes 0; GSPI_FOREVER and above are invalid. */
static uint64_t gspi_time_read(double value)
{
    uint64_t const bits = gspi_time_bits(value);
    return bits == 0x8000000000000000u ? 0u : bits;
}

static double gspi_time_double(uint64_t bits)
{
    double value;
    (void)GSP_MEMCPY(&value, &bits, sizeof(value));
    return value;
}

/* ---- The quotient graph ---- */

/* Quotient graph of partitions. An edge from Q to P: P reads, or must follow, callable nodes of Q.
 *     weight   sum of outputs over pairs (node of P, distinct input in Q). P needs its own bytes
 *              and the weights of its edges, without those of parents on its device
 *     volume   bytes that move between two devices: the sum over distinct nodes of Q that P reads
 *              and over placeholders and get_attr that both hold
 * It is rebuilt in linear time from the partition of every node. */
typedef struct {
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
    uint32_t *held_begin;   /* [n + 1] by partition */
    gsp_node *held;         /* [m] placeholders and get_attr read */
    uint32_t *parent;       /* [m] */
    uint32_t *child_edge;   /* [m] index in parent[], weight[], volume[] */
    uint32_t *order;        /* [n] topological */
    uint32_t *stamp;        /* [n] of nodes */
    uint32_t *mark;         /* [n] of partitions */
    uint32_t *slot;         /* [n] of partitions */
} gspi_quot;

/* All but part_of and size. Arrays of gsp_partition_result are at the low end if `high` is 0. */
static void gspi_quot_layout(gspi_bump *b, gspi_quot *q, const gsp_counts *c, int high)
{
    uint32_t *(*const words)(gspi_bump *, size_t) = high ? gspi_words : gspi_kept;
    size_t const n = c->nodes;
    size_t const m = c->edges;
    q->used = high ? gspi_longs(b, n) : GSPI_LOW(b, uint64_t, n);
    q->node_begin = words(b, n + 1u);
    q->parent_begin = words(b, n + 1u);
    q->child_begin = words(b, n + 1u);
    q->nodes = words(b, n);
    q->level = words(b, n);
    q->child = words(b, m);
    q->weight = gspi_longs(b, m);
    q->volume = gspi_longs(b, m);
    q->held_begin = gspi_words(b, n + 1u);
    q->held = gspi_words(b, m);
    q->parent = gspi_words(b, m);
    q->child_edge = gspi_words(b, m);
    q->order = gspi_words(b, n);
    q->stamp = gspi_words(b, n);
    q->mark = gspi_words(b, n);
    q->slot = gspi_words(b, n);
}

/* Output, parameters if it is no get_attr, and what the graphs that it runs need. */
static uint64_t gspi_node_size(const gsp_graph *g, gsp_node v)
{
    const uint64_t *more = g->module->run_bytes;
    uint64_t const bytes = gspi_bytes(g, v);
    return gspi_op(g, v) == GSP_OP_GET_ATTR
               ? bytes
               : gspi_sum(gspi_sum(bytes, more == NULL ? 0u : more[g->first + v]),
                     gsp_node_params(g, v));
}

/* Fills `size` unless NULL. The sum of all sizes and all inputs bounds every later sum: none
 * overflows. */
static gsp_status gspi_quot_init(gspi_quot *q, const gsp_graph *g, gsp_error *err)
{
    uint64_t sum = 0;
    q->g = g;
    q->out = g->module->bytes + g->first;
    q->op = g->module->op + g->first;
    q->n = g->n_nodes;
    for (gsp_node v = 0; v + 1u < q->n; v++) {
        int const called = q->op[v] == GSP_OP_CALL_MODULE || g->module->run_params != NULL;
        uint64_t bytes = called ? gspi_node_size(q->g, v) : q->out[v];
        gspi_row const inputs = gspi_inputs(q->g, v);
        if (q->size != NULL) {
            q->size[v] = bytes;
        }
        q->total += bytes;
        for (uint32_t i = 0; i < inputs.n && bytes <= UINT64_MAX - sum; i++) {
            sum += bytes;
            bytes = q->out[inputs.at[i]];
        }
        GSPI_CHECK_NODE(bytes < UINT64_MAX - sum, OVERFLOW, SIZE, v);
        sum += bytes;
    }
    return GSP_OK;
}

/* Bytes that node v adds to partition p (GSP_NONE if empty), in graph order. stamp[] is the
 * last partition that read a placeholder or get_attr. */
static uint64_t gspi_quot_extra(const gspi_quot *q, gsp_node v, uint32_t p)
{
    uint64_t bytes = q->size[v];
    gspi_row const inputs = gspi_inputs(q->g, v);
    for (uint32_t i = 0; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        uint32_t const at = gspi_is_callable(q->op[u]) ? q->part_of[u] : q->stamp[u];
        bytes += p == GSP_NONE || at != p ? q->out[u] : 0u;
    }
    return bytes;
}

static void gspi_quot_add(const gspi_quot *q, gsp_node v, uint32_t p)
{
    gspi_row const inputs = gspi_inputs(q->g, v);
    q->part_of[v] = p;
    for (uint32_t i = 0; i < inputs.n; i++) {
        q->stamp[inputs.at[i]] = p;
    }
}

static void gspi_quot_edge(gspi_quot *q, uint32_t p, uint32_t r)
{
    if (r != GSP_NONE && r != p && q->mark[r] != p) {
        q->mark[r] = p;
        q->slot[r] = q->n_edges;
        q->parent[q->n_edges] = r;
        q->weight[q->n_edges] = 0;
        q->volume[q->n_edges] = 0;
        q->n_edges++;
    }
}

static void gspi_quot_read(gspi_quot *q, uint32_t p, gsp_node u, uint32_t *n_held)
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
        gspi_quot_edge(q, p, r);
        q->used[p] += q->out[u];
        q->weight[q->slot[r]] += q->out[u];
        q->volume[q->slot[r]] += is_new ? q->out[u] : 0u;
    }
}

/* Fills used, held, parents; volumes without nodes that both hold. */
GSPI_OWN_FRAME void gspi_quot_parents(gspi_quot *q)
{
    uint32_t n_held = 0;
    uint32_t p;
    q->n_edges = 0;
    gspi_none(q->stamp, q->n);
    gspi_none(q->mark, q->k);
    for (p = 0; p < q->k; p++) {
        q->used[p] = 0;
        q->held_begin[p] = n_held;
        q->parent_begin[p] = q->n_edges;
        for (uint32_t i = q->node_begin[p]; i < q->node_begin[p + 1u]; i++) {
            gsp_node const v = q->nodes[i];
            gspi_row const inputs = gspi_inputs(q->g, v);
            q->used[p] += q->size[v];
            for (uint32_t j = 0; j < inputs.n; j++) {
                gspi_quot_read(q, p, inputs.at[j], &n_held);
            }
            gspi_row const before = gspi_before(q->g, v);
            for (uint32_t j = 0; j < before.n && q->g->order != NULL; j++) {
                gspi_quot_edge(q, p, q->part_of[before.at[j]]);
            }
        }
    }
    q->held_begin[p] = n_held;
    q->parent_begin[p] = q->n_edges;
}

/* Bytes that p and r both hold; the held nodes of p are stamped. */
static uint64_t gspi_quot_both(const gspi_quot *q, uint32_t p, uint32_t r)
{
    uint64_t bytes = 0;
    for (uint32_t i = q->held_begin[r]; i < q->held_begin[r + 1u]; i++) {
        bytes += q->stamp[q->held[i]] == p ? q->out[q->held[i]] : 0u;
    }
    return bytes;
}

/* Adds nodes that both ends of an edge hold; scans the shorter list. */
static void gspi_quot_volumes(gspi_quot *q)
{
    const uint32_t *held = q->held_begin;
    gspi_none(q->stamp, q->n);
    for (uint32_t p = 0; p < q->k; p++) {
        uint32_t const own = held[p + 1u] - held[p];
        for (uint32_t i = held[p]; i < held[p + 1u]; i++) {
            q->stamp[q->held[i]] = p;
        }
        for (uint32_t i = q->parent_begin[p]; own > 0u && i < q->parent_begin[p + 1u]; i++) {
            uint32_t const r = q->parent[i];
            if (held[r + 1u] - held[r] <= own) {
                q->volume[i] += gspi_quot_both(q, p, r);
            }
        }
        for (uint32_t i = q->child_begin[p]; own > 0u && i < q->child_begin[p + 1u]; i++) {
            uint32_t const r = q->child[i];
            if (held[r + 1u] - held[r] < own) {
                q->volume[q->child_edge[i]] += gspi_quot_both(q, p, r);
            }
        }
    }
}

/* Levels and a topological order; returns 0 for a cycle. With `rep` (result unused) a partition is
 * a list of groups, which next[] chains and rep[] represents. Without it, every group is a
 * partition. */
static int gspi_quot_levels(gspi_quot *q, const uint32_t *rep, const uint32_t *next)
{
    gspi_kahn kahn = gspi_kahn_start(q->order, q->slot, GSP_TOPO_ORDER_QUEUE);
    uint32_t from;
    gspi_zero(q->slot, q->k);
    gspi_zero(q->level, q->k);
    for (uint32_t p = 0; p < q->k; p++) {
        uint32_t const own = rep == NULL ? p : rep[p];
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            uint32_t const r = q->parent[e];
            q->slot[own] += (rep == NULL ? r : rep[r]) != own ? 1u : 0u;
        }
    }
    for (uint32_t p = 0; p < q->k; p++) {
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
                    gspi_kahn_decrement(&kahn, c);
                }
            }
        }
    }
    return kahn.end == q->k;
}

/* Builds the quotient graph from part_of, node_begin and nodes; returns 0 for a cycle. */
static int gspi_quot_link(gspi_quot *q)
{
    uint32_t *begin = q->child_begin;
    gspi_quot_parents(q);
    gspi_zero(begin, (size_t)q->k + 1u);
    for (uint32_t e = 0; e < q->n_edges; e++) {
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
    gspi_quot_volumes(q);
    return gspi_quot_levels(q, NULL, NULL);
}

/* The same from part_of and k. */
static int gspi_quot_build(gspi_quot *q)
{
    gspi_rows(q->part_of, q->n, q->k, q->node_begin, q->nodes);
    return gspi_quot_link(q);
}

/* ---- The mapping of partitions to devices ---- */

typedef struct {
    const gsp_device *device;
    uint32_t n;
    uint32_t n_sharing;
    uint32_t *device_of; /* [partitions] or GSP_NONE */
    uint64_t *left;      /* [n] bytes */
    uint64_t *shared;    /* [n] bytes there already of the partition to place */
    uint32_t *sharing;   /* [n_sharing] devices with shared bytes */
    uint32_t *order;     /* [n] ascending by left, then by device */
    uint32_t *empty;     /* [n] the order of empty devices */
    uint32_t *place;     /* NULL, or [partitions] place in the order before that */
    uint64_t *taken;     /* [partitions] bytes that it needs there */
} gspi_devices;

/* All but device_of, place and taken. */
static void gspi_devices_layout(gspi_bump *b, gspi_devices *v, size_t n)
{
    v->left = gspi_longs(b, n);
    v->shared = gspi_longs(b, n);
    v->sharing = gspi_words(b, n);
    v->order = gspi_words(b, n);
    v->empty = gspi_words(b, n);
}

static void gspi_devices_start(gspi_devices *v, const gsp_device *device, uint32_t n)
{
    v->device = device;
    v->n = n;
    for (uint32_t i = 0; i < n; i++) {
        v->left[i] = device[i].bytes;
        v->empty[i] = i;
    }
    gspi_sort(v->empty, n, v->left);
}

static void gspi_devices_reset(gspi_devices *v, uint32_t n_parts)
{
    gspi_none(v->device_of, n_parts);
    gspi_copy(v->order, v->empty, v->n, sizeof(uint32_t));
    v->n_sharing = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        v->left[i] = v->device[i].bytes;
        v->shared[i] = 0;
    }
}

/* Best fit: a partition is placed on the device with the fewest bytes left of those with strictly
 * more than it needs there, as in the reference. The reference sorts all devices stably before
 * every partition; moving the device of the last partition suffices. */

/* Moves the device at place t of the order, which has less left than before. */
static void gspi_devices_reorder(gspi_devices *v, uint32_t t)
{
    uint32_t const device = v->order[t];
    for (; t > 0u && v->left[v->order[t - 1u]] > v->left[device]; t--) {
        v->order[t] = v->order[t - 1u];
    }
    v->order[t] = device;
}

/* The partition to place shares `bytes` with partition `with` on its device. */
static void gspi_devices_share(gspi_devices *v, uint32_t with, uint64_t bytes)
{
    uint32_t const device = v->device_of[with];
    if (device != GSP_NONE && bytes != 0u) {
        if (v->shared[device] == 0u) {
            v->sharing[v->n_sharing++] = device;
        }
        v->shared[device] += bytes;
    }
}

/* The place in order[] of the first device with more left than the partition needs there, or n. */
static uint32_t gspi_devices_fit(const gspi_devices *v, uint64_t bytes)
{
    uint64_t least = bytes + 1u;
    uint32_t t = 0;
    for (uint32_t i = 0; i < v->n_sharing; i++) {
        uint32_t const device = v->sharing[i];
        uint64_t const left = v->left[device];
        least = left < least && left > bytes - v->shared[device] ? left : least;
    }
    for (uint32_t end = v->n; t < end;) { /* the first with `least` bytes left */
        uint32_t const middle = t + (end - t) / 2u;
        if (v->left[v->order[middle]] < least) {
            t = middle + 1u;
        } else {
            end = middle;
        }
    }
    while (t < v->n && v->left[v->order[t]] <= bytes - v->shared[v->order[t]]) {
        t++;
    }
    return t;
}

static void gspi_devices_unshare(gspi_devices *v)
{
    for (; v->n_sharing > 0u; v->n_sharing--) {
        v->shared[v->sharing[v->n_sharing - 1u]] = 0;
    }
}

/* Places p; returns 0 if no device has room. */
static int gspi_devices_place(gspi_devices *v, uint32_t p, uint64_t bytes)
{
    uint32_t const t = gspi_devices_fit(v, bytes);
    if (t < v->n) {
        uint32_t const device = v->order[t];
        v->device_of[p] = device;
        v->left[device] -= bytes - v->shared[device];
        if (v->place != NULL) {
            v->place[p] = t;
            v->taken[p] = bytes - v->shared[device];
        }
        gspi_devices_reorder(v, t);
        gspi_devices_unshare(v);
    }
    return t < v->n;
}

static int gspi_devices_map_one(gspi_devices *v, const gspi_quot *q, uint32_t p)
{
    for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
        if (q->parent[e] < p) {
            gspi_devices_share(v, q->parent[e], q->weight[e]);
        }
    }
    return gspi_devices_place(v, p, q->used[p]);
}

/* Undoes the placement of p, the last one. */
static void gspi_devices_undo(gspi_devices *v, uint32_t p)
{
    uint32_t const device = v->device_of[p];
    uint32_t t = v->place[p];
    while (v->order[t] != device) {
        t--;
    }
    for (; t < v->place[p]; t++) {
        v->order[t] = v->order[t + 1u];
    }
    v->order[t] = device;
    v->left[device] += v->taken[p];
}

/* Maps partitions without device in order. NO_FIT: the first that has none. */
static gsp_status gspi_devices_map(gspi_devices *v, const gspi_quot *q, gsp_error *err)
{
    for (uint32_t p = 0; p < q->k; p++) {
        if (v->device_of[p] != GSP_NONE) {
            v->left[v->device_of[p]] -= q->used[p];
        }
    }
    gspi_sort(v->order, v->n, v->left);
    for (uint32_t p = 0; p < q->k; p++) {
        if (v->device_of[p] == GSP_NONE && !gspi_devices_map_one(v, q, p)) {
            uint32_t const most = v->order[v->n - 1u];
            return gspi_fail_need(err, GSPI_CODE(NO_FIT, MAPPING, NODE), q->nodes[q->node_begin[p]],
                most, q->used[p] - v->shared[most], v->left[most]);
        }
    }
    return GSP_OK;
}

/* ---- Critical paths ---- */

/* Latency is a longest path and x -> round(x + c) is monotone, so one forward pass in topological
 * order gives the greatest of all path sums from the top, bit for bit. No path is enumerated. */
typedef struct {
    uint64_t rate;     /* bits; GSPI_FOREVER: transfers take no time */
    uint64_t *mem;     /* [n] seconds of a node */
    uint64_t *compute; /* [n] */
} gspi_paths;

static void gspi_paths_layout(gspi_bump *b, gspi_paths *t, size_t n)
{
    t->mem = gspi_longs(b, n);
    t->compute = gspi_longs(b, n);
}

static uint64_t gspi_time_of(const gsp_graph *g, const double *given, gsp_key key, gsp_node v)
{
    return gspi_time_read(given != NULL ? given[v] : gsp_node_seconds(g, v, key));
}

/* Reads latencies of callable nodes, or only checks them if t is NULL. If their sum is finite,
 * every sum is. */
static gsp_status gspi_paths_read(const gspi_paths *t, const gsp_graph *g, const double *mem,
    const double *compute, gsp_error *err)
{
    uint64_t sum = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (gspi_callable(g, v)) {
            uint64_t const m = gspi_time_of(g, mem, GSP_KEY_MEM, v);
            uint64_t const c = gspi_time_of(g, compute, GSP_KEY_COMPUTE, v);
            GSPI_CHECK_NODE(m < GSPI_FOREVER && c < GSPI_FOREVER, ARG, LATENCY, v);
            if (t != NULL) {
                t->mem[v] = m;
                t->compute[v] = c;
            }
            sum = gspi_time_add(sum, gspi_time_add(m, c));
        }
    }
    GSPI_CHECK(sum < GSPI_FOREVER, OVERFLOW, LATENCY);
    return GSP_OK;
}

/* Enters a pass over latencies, whose errors precede NOMEM. */
static gsp_status gspi_paths_enter(gspi_pass *pass, gsp_arena *arena, size_t bound,
    const gsp_graph *g, const double *mem, const double *compute, gsp_error *err)
{
    gsp_status const status = gspi_enter(pass, arena, bound, err);
    if (status != GSP_OK) {
        GSPI_TRY(gspi_paths_read(NULL, g, mem, compute, err));
    }
    return status;
}

static uint64_t gspi_paths_node(const gspi_paths *t, gsp_node v)
{
    return gspi_latest(t->mem[v], t->compute[v]);
}

/* Critical paths to every node within its partition, and of every partition. */
static void gspi_paths_parts(
    const gspi_paths *t, const gspi_quot *q, uint64_t *node_done, uint64_t *latency)
{
    gspi_set(latency, 0, q->k * sizeof(uint64_t));
    for (gsp_node v = 0; v < q->n; v++) {
        uint32_t const p = q->part_of[v];
        if (p != GSP_NONE) {
            uint64_t top = 0;
            gspi_row const inputs = gspi_inputs(q->g, v);
            for (uint32_t i = 0; i < inputs.n; i++) {
                if (q->part_of[inputs.at[i]] == p && node_done[inputs.at[i]] > top) {
                    top = node_done[inputs.at[i]];
                }
            }
            top = gspi_time_add(top, gspi_paths_node(t, v));
            node_done[v] = top;
            latency[p] = gspi_latest(latency[p], top);
        }
    }
}

/* Reports a latency that is not finite: a transfer at rate zero, or overflow. */
static gsp_status gspi_paths_fail(const gspi_paths *t, const gspi_quot *q, gsp_error *err)
{
    for (uint32_t p = 0; p < q->k && t->rate == 0u; p++) {
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            if (q->volume[e] != 0u) {
                return gspi_fail_need(err, GSPI_CODE(ARG, RATE_ZERO, NODE),
                    q->nodes[q->node_begin[p]], q->nodes[q->node_begin[q->parent[e]]], q->volume[e],
                    0);
            }
        }
    }
    return gspi_fail_plain(err, GSPI_CODE(OVERFLOW, LATENCY, NONE));
}

/* ----
 * >>device   Devices, memory, mapping of partitions (implementation)
 * ---- */

/* A part holds the outputs and parameters of its nodes and, per pair of a node and an input from
 * another part, the bytes of that input. Source: get_extra_size_of() in
 * torch.fx.experimental.partitioner_utils. */

/* 1 if one of `nodes` reads v, a placeholder or get_attr. */
static int gspi_part_holds(const gsp_graph *graph, gsp_node v, const gsp_bitset *nodes)
{
    gspi_row const users = gspi_users(graph, v);
    for (uint32_t i = 0; i < users.n; i++) {
        if (gspi_callable(graph, users.at[i]) && gsp_bitset_has(nodes, users.at[i])) {
            return 1;
        }
    }
    return 0;
}

uint64_t gsp_part_bytes(const gsp_graph *graph, const gsp_bitset *nodes)
{
    uint64_t sum = 0;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        int const callable = gspi_callable(graph, v);
        gspi_row const inputs = gspi_inputs(graph, v);
        if (callable ? !gsp_bitset_has(nodes, v) : !gspi_part_holds(graph, v, nodes)) {
            continue;
        }
        sum = gspi_sum(sum, gspi_node_size(graph, v));
        for (uint32_t i = 0; callable && i < inputs.n; i++) {
            gsp_node const u = inputs.at[i];
            if (gspi_callable(graph, u) && !gsp_bitset_has(nodes, u)) {
                sum = gspi_sum(sum, gspi_bytes(graph, u));
            }
        }
    }
    return sum;
}

/* ----
 * >>latency   Critical paths of partitions (implementation)
 * ---- */

/* One pass in graph order extends the longest path to an input of the same part by a node. Ties are
 * broken by seconds of memory, of computing, then by the node, so every path is unique. Source:
 * get_latency_of_one_partition() in torch.fx.experimental.partitioner_utils. */

typedef struct {
    gspi_paths *paths; /* of a node, then sums of the path to it */
    uint64_t *overall; /* [n] the same */
    gsp_latency_result r;
} gspi_latency;

static void gspi_latency_layout(gspi_bump *b, gspi_latency *w, size_t n, size_t n_parts)
{
    w->r.latency = GSPI_LOW(b, gsp_latency, n_parts);
    w->r.last = gspi_kept(b, n_parts);
    w->r.from = gspi_kept(b, n);
    w->overall = gspi_longs(b, n);
}

/* 1 if the path to a is longer than to b, by overall, mem, compute, then the first node. */
static int gspi_latency_above(const gspi_latency *w, gsp_node a, gsp_node b)
{
    const gspi_paths *t = w->paths;
    if (b == GSP_NONE || w->overall[a] != w->overall[b]) {
        return b == GSP_NONE || w->overall[a] > w->overall[b];
    }
    if (t->mem[a] != t->mem[b]) {
        return t->mem[a] > t->mem[b];
    }
    return t->compute[a] != t->compute[b] ? t->compute[a] > t->compute[b] : a < b;
}

/* Extends the longest path to an input of v in its part to v. */
static void gspi_latency_node(
    gspi_latency *w, const gsp_graph *g, const uint32_t *part_of, gsp_node v)
{
    const gspi_paths *t = w->paths;
    gsp_node best = GSP_NONE;
    gspi_row const inputs = gspi_inputs(g, v);
    for (uint32_t i = 0; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        if (gspi_callable(g, u) && part_of[u] == part_of[v] && gspi_latency_above(w, u, best)) {
            best = u;
        }
    }
    w->r.from[v] = best;
    w->overall[v] = gspi_paths_node(t, v);
    if (best != GSP_NONE) {
        w->overall[v] = gspi_time_add(w->overall[best], w->overall[v]);
        t->mem[v] = gspi_time_add(t->mem[best], t->mem[v]);
        t->compute[v] = gspi_time_add(t->compute[best], t->compute[v]);
    }
}

static void gspi_latency_parts(
    gspi_latency *w, const gsp_graph *g, const uint32_t *part_of, uint32_t n_parts)
{
    gsp_node *last = w->r.last;
    gspi_none(last, n_parts);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (gspi_callable(g, v) && part_of[v] < n_parts) {
            gspi_latency_node(w, g, part_of, v);
            if (gspi_latency_above(w, v, last[part_of[v]])) {
                last[part_of[v]] = v;
            }
        }
    }
    gspi_set(w->r.latency, 0, n_parts * sizeof(gsp_latency));
    for (uint32_t p = 0; p < n_parts; p++) {
        if (last[p] != GSP_NONE) {
            w->r.latency[p].mem = gspi_time_double(w->paths->mem[last[p]]);
            w->r.latency[p].compute = gspi_time_double(w->paths->compute[last[p]]);
            w->r.latency[p].overall = gspi_time_double(w->overall[last[p]]);
        }
    }
}

size_t gsp_latency_bound(const gsp_graph *graph, const gsp_latency_desc *desc)
{
    gspi_latency w;
    gspi_paths paths;
    gspi_bump b = gspi_measure();
    gspi_latency_layout(&b, &w, graph->n_nodes, desc == NULL ? 0u : desc->n_parts);
    gspi_paths_layout(&b, &paths, graph->n_nodes);
    return gspi_bound(&b);
}

gsp_status gsp_latency_run(gsp_arena *arena, const gsp_graph *graph, const gsp_latency_desc *desc,
    gsp_latency_result *result, gsp_error *err)
{
    gspi_pass pass;
    gspi_paths paths;
    gspi_latency w;
    GSPI_GIVEN_DESC();
    GSPI_GIVEN(desc->part_of);
    GSPI_TRY(gspi_paths_enter(
        &pass, arena, gsp_latency_bound(graph, desc), graph, desc->mem, desc->compute, err));
    gspi_latency_layout(&pass.bump, &w, graph->n_nodes, desc->n_parts);
    gspi_paths_layout(&pass.bump, &paths, graph->n_nodes);
    w.paths = &paths;
    GSPI_STEP(gspi_paths_read(&paths, graph, desc->mem, desc->compute, err));
    gspi_latency_parts(&w, graph, desc->part_of, desc->n_parts);
    *result = w.r;
    return GSPI_LEAVE();
}

/* ----
 * >>assign   Partitions of the modes (implementation)
 * ---- */

typedef struct {
    const gsp_partition_desc *d;
    gspi_quot q;
    gspi_devices devices;
    gspi_paths paths;
    gsp_assignment made;
    uint32_t every; /* trials between two calls of progress */
    uint32_t until; /* trials to the next one */
    uint32_t done;
    uint32_t total;
} gspi_assign;

/* `timed`: with latencies; `high` as in gspi_quot_layout(). */
GSPI_OWN_FRAME gspi_assign *gspi_assign_layout(
    gspi_bump *b, const gsp_graph *graph, uint32_t n_devices, int timed, int high)
{
    gsp_counts const c = gsp_graph_counts(graph);
    gspi_assign a;
    gspi_set(&a, 0, sizeof(a));
    a.made.part_of = gspi_kept(b, c.nodes);
    a.made.device_of = gspi_kept(b, c.nodes);
    gspi_quot_layout(b, &a.q, &c, high);
    a.q.size = gspi_longs(b, c.nodes);
    gspi_devices_layout(b, &a.devices, n_devices);
    gspi_paths_layout(b, &a.paths, timed ? c.nodes : 0u);
    gspi_assign *at = GSPI_HIGH(b, gspi_assign, 1);
    if (at != NULL) {
        *at = a;
    }
    return at;
}

static gsp_status gspi_assign_check(const gsp_arena *arena, const gsp_graph *graph,
    const gsp_partition_desc *d, const void *out, gsp_error *err)
{
    int empty = 1;
    GSPI_GIVEN_3(arena, graph, d);
    GSPI_GIVEN(out);
    GSPI_CHECK_DESC(*d);
    GSPI_CHECK_CHOICE(d->mode, GSP_PARTITION_COUNT);
    int const aot = d->mode == GSP_PARTITION_AOT;
    GSPI_GIVEN_ROWS(d->devices, d->n_devices);
    GSPI_GIVEN_ROWS(d->part_devices, d->n_part_devices);
    GSPI_GIVEN_ROWS(d->part_of, (uint32_t)aot);
    GSPI_CHECK(d->n_devices != 0u, ARG, DEVICES);
    for (gsp_node v = 0; v < graph->n_nodes && (aot || empty); v++) {
        if (gspi_callable(graph, v)) {
            empty = 0;
            GSPI_CHECK_NODE(!aot || d->part_of[v] != GSP_NONE, ARG, PART_NONE, v);
        }
    }
    GSPI_CHECK(!empty, EMPTY, CALLABLE);
    uint64_t room = 0;
    for (uint32_t i = 0; i < d->n_devices; i++) {
        GSPI_CHECK_ITEM(
            d->devices[i].bytes <= UINT64_MAX - room, OVERFLOW, SIZE, DEVICE, GSP_NONE, i);
        room += d->devices[i].bytes;
    }
    return GSP_OK;
}

/* Reads bytes and, if `timed`, latencies, into arrays if there are some. */
static gsp_status gspi_assign_read(gspi_quot *q, gspi_paths *t, const gsp_graph *g,
    const gsp_partition_desc *d, int timed, gsp_error *err)
{
    GSPI_TRY(gspi_quot_init(q, g, err));
    if (timed) {
        t->rate = d->has_rate ? gspi_time_read(d->transfer_rate) : GSPI_FOREVER;
        GSPI_CHECK(!d->has_rate || t->rate < GSPI_FOREVER, ARG, RATE);
        return gspi_paths_read(q->size == NULL ? NULL : t, g, d->mem, d->compute, err);
    }
    return GSP_OK;
}

/* Enters the pass. Errors of the input precede NOMEM. */
GSPI_OWN_FRAME gsp_status gspi_assign_enter(gspi_pass *pass, gsp_arena *arena, size_t bound,
    const gsp_graph *g, const gsp_partition_desc *d, int timed, gsp_error *err)
{
    gsp_status const status = gspi_enter(pass, arena, bound, err);
    if (status != GSP_OK) {
        gspi_quot q;
        gspi_paths paths;
        gspi_set(&q, 0, sizeof(q));
        GSPI_TRY(gspi_assign_read(&q, &paths, g, d, timed, err));
    }
    return status;
}

/* Reads all data; devices.order ascends by id, and ids differ. */
static gsp_status gspi_assign_start(
    gspi_assign *a, const gsp_graph *g, const gsp_partition_desc *d, int timed, gsp_error *err)
{
    a->d = d;
    a->q.part_of = a->made.part_of;
    gspi_none(a->q.part_of, g->n_nodes);
    a->devices.device_of = a->made.device_of;
    gspi_devices_start(&a->devices, d->devices, d->n_devices);
    a->every = d->progress_every == 0u ? 4096u : d->progress_every;
    a->until = a->every;
    GSPI_TRY(gspi_assign_read(&a->q, &a->paths, g, d, timed, err));
    gspi_devices *v = &a->devices;
    for (uint32_t i = 0; i < v->n; i++) {
        v->left[i] = v->device[i].id;
        v->order[i] = i;
    }
    gspi_sort(v->order, v->n, v->left);
    for (uint32_t i = 1; i < v->n; i++) {
        GSPI_CHECK_ITEM(v->left[v->order[i]] != v->left[v->order[i - 1u]], ARG, DEVICE_TWICE,
            DEVICE, v->order[i - 1u], v->order[i]);
    }
    return GSP_OK;
}

/* Counts a trial before it is made; returns 1 if the search stops. */
static int gspi_assign_stops(gspi_assign *a, uint64_t cost)
{
    const gsp_partition_desc *d = a->d;
    if (d->max_work != 0u && a->made.work >= d->max_work) {
        a->made.stopped = 1;
        return 1;
    }
    a->made.work++;
    a->until--;
    if (a->until == 0u) {
        a->until = a->every;
        if (d->progress != NULL) {
            gsp_partition_progress const now = {
                d->mode, a->made.n_steps, a->done, a->total, a->made.work, gspi_time_double(cost)};
            a->made.stopped = d->progress(d->progress_user, &now) != 0 ? 1u : 0u;
        }
    }
    return a->made.stopped != 0u;
}

/* Counts and reports a merge or swap before it is made. */
static void gspi_assign_step(
    gspi_assign *a, uint32_t from, uint32_t to, gsp_node node, gsp_node other, uint64_t cost)
{
    a->made.n_steps++;
    if (a->d->step != NULL) {
        gsp_partition_step const step = {
            a->d->mode, from, to, node, other, a->made.work, gspi_time_double(cost)};
        a->d->step(a->d->step_user, &step);
    }
}

static gsp_status gspi_assign_map(gspi_assign *a, gsp_error *err)
{
    gspi_devices_reset(&a->devices, a->q.k);
    return gspi_devices_map(&a->devices, &a->q, err);
}

/* ---- by size ---- */

/* One pass in graph order with one open partition. No node reads a later one, so the bytes that a
 * node adds are known without another pass over the partition. */

typedef struct {
    gspi_assign *a;
    uint8_t *taken; /* [devices] */
    uint32_t open;  /* partition to fill */
    uint64_t left;  /* bytes of its device */
} gspi_size;

/* Opens a partition with v on the first free device large enough. */
static gsp_status gspi_size_open(gspi_size *w, gsp_node v, gsp_error *err)
{
    const gspi_devices *devices = &w->a->devices;
    uint64_t const need = gspi_quot_extra(&w->a->q, v, GSP_NONE);
    uint32_t largest = GSP_NONE;
    for (uint32_t i = 0; i < devices->n; i++) {
        uint64_t const bytes = devices->device[i].bytes;
        if (!w->taken[i] && bytes >= need) {
            w->taken[i] = 1;
            w->open = w->a->q.k++;
            w->left = bytes - need;
            devices->device_of[w->open] = i;
            gspi_quot_add(&w->a->q, v, w->open);
            return GSP_OK;
        }
        if (!w->taken[i] && (largest == GSP_NONE || bytes > devices->device[largest].bytes)) {
            largest = i;
        }
    }
    return gspi_fail_need(
        err, GSPI_CODE(NO_FIT, NODE_LARGE, NODE), v, largest, need, devices->device[largest].bytes);
}

static gsp_status gspi_size_node(gspi_size *w, gsp_node v, gsp_error *err)
{
    gspi_quot *q = &w->a->q;
    uint32_t const n = w->a->devices.n;
    if (q->k > 0u && q->k <= n) {
        uint64_t const extra = gspi_quot_extra(q, v, w->open);
        if (extra <= w->left) {
            w->left -= extra;
            gspi_quot_add(q, v, w->open);
            return GSP_OK;
        }
    }
    if (q->k < n) {
        return gspi_size_open(w, v, err);
    }
    gspi_quot_add(q, v, q->k++);
    return GSP_OK;
}

static gsp_status gspi_size_assign(gspi_size *w, gsp_error *err)
{
    gspi_quot *q = &w->a->q;
    gspi_set(w->taken, 0, w->a->devices.n);
    gspi_none(q->stamp, q->n);
    for (gsp_node v = 0; v < q->n; v++) {
        if (gspi_is_callable(q->op[v])) {
            GSPI_TRY(gspi_size_node(w, v, err));
        }
    }
    if (q->k <= w->a->devices.n) { /* every partition has a device */
        return GSP_OK;
    }
    (void)gspi_quot_build(q);
    return gspi_devices_map(&w->a->devices, q, err);
}

/* ---- sparse: embeddings, and everything else ---- */

/* One pass in graph order makes groups, each up to a change of kind or a full device. Later steps
 * read groups and edges between them only. A partition is a list of groups, one of which represents
 * it. Levels are longest paths: partitions at most one level apart have no path of two edges
 * between them, and merging them makes no cycle. */

typedef struct {
    gspi_assign *a; /* quotient of the groups */
    uint64_t room;  /* bytes of a device */
    uint32_t n_made;
    uint32_t n_list;
    uint8_t *embeds; /* [n] 1 for embeddings */
    uint64_t *cut;   /* [n] weights between the smallest partition and others */
    uint32_t *rep;   /* [n] representative group of its partition */
    uint32_t *next;  /* [n] next group of the partition, or GSP_NONE */
    uint32_t *last;  /* [n] last group of a partition */
    uint32_t *made;  /* [n] creation time of a partition */
    uint32_t *list;  /* [n] partitions of one kind by bytes, then made[]; finally all by made[] */
} gspi_sparse;

static void gspi_sparse_layout(gspi_bump *b, gspi_sparse *w, size_t n)
{
    w->embeds = GSPI_HIGH(b, uint8_t, n);
    w->cut = gspi_longs(b, n);
    w->rep = gspi_words(b, n);
    w->next = gspi_words(b, n);
    w->last = gspi_words(b, n);
    w->made = gspi_words(b, n);
    w->list = gspi_words(b, n);
}

/* 1 for a called module whose own class contains "Embedding", or as the callback says. */
static int gspi_sparse_embeds(const gsp_graph *g, const gsp_partition_desc *d, gsp_node v)
{
    if (gspi_op(g, v) != GSP_OP_CALL_MODULE) {
        return 0;
    }
    if (d->is_embedding != NULL) {
        return d->is_embedding(d->embedding_user, g, v) != 0;
    }
    gsp_str const name = gspi_attr_str(g, v, GSP_KEY_MODULE);
    return gspi_find(name, 0, "Embedding") < name.size;
}

static gsp_status gspi_sparse_groups(gspi_sparse *w, gsp_error *err)
{
    gspi_quot *q = &w->a->q;
    uint64_t used = 0;
    uint32_t group = GSP_NONE; /* open */
    q->k = 0;
    gspi_none(q->stamp, q->n);
    for (gsp_node v = 0; v < q->n; v++) {
        if (!gspi_is_callable(q->op[v])) {
            continue;
        }
        int embeds = gspi_sparse_embeds(q->g, w->a->d, v);
        uint64_t extra = gspi_quot_extra(q, v, group);
        if (group == GSP_NONE || embeds != (int)w->embeds[group] || extra > w->room - used) {
            extra = gspi_quot_extra(q, v, GSP_NONE);
            group = q->k++;
            w->embeds[group] = (uint8_t)embeds;
            used = 0;
        }
        if (extra > w->room) {
            return gspi_fail_need(err, GSPI_CODE(NO_FIT, NODE_LARGE, NODE), v, 0, extra, w->room);
        }
        used += extra;
        gspi_quot_add(q, v, group);
    }
    return GSP_OK;
}

/* cut[]: weights between partition s and others. Stamps the nodes that s holds. */
static void gspi_sparse_mark(gspi_sparse *w, uint32_t s, uint32_t stamp)
{
    const gspi_quot *q = &w->a->q;
    gspi_set(w->cut, 0, q->k * sizeof(uint64_t));
    for (uint32_t p = s; p != GSP_NONE; p = w->next[p]) {
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            w->cut[w->rep[q->parent[e]]] += q->weight[e];
        }
        for (uint32_t e = q->child_begin[p]; e < q->child_begin[p + 1u]; e++) {
            w->cut[w->rep[q->child[e]]] += q->weight[q->child_edge[e]];
        }
        for (uint32_t e = q->held_begin[p]; e < q->held_begin[p + 1u]; e++) {
            q->stamp[q->held[e]] = stamp;
        }
    }
}

/* Bytes that partition a and the marked one both hold. */
static uint64_t gspi_sparse_both(const gspi_sparse *w, uint32_t a)
{
    const gspi_quot *q = &w->a->q;
    uint64_t bytes = 0;
    for (uint32_t round = 1; round <= 2u; round++) { /* counts, then restores stamps */
        for (uint32_t p = a; p != GSP_NONE; p = w->next[p]) {
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
static uint32_t gspi_sparse_partner(const gspi_sparse *w, uint64_t *need)
{
    uint32_t const s = w->list[0];
    for (uint32_t i = w->n_list - 1u; i > 0u; i--) {
        uint32_t const p = w->list[i];
        uint32_t const a = w->a->q.level[p];
        uint32_t const b = w->a->q.level[s];
        if ((a > b ? a - b : b - a) <= 1u) {
            *need = w->a->q.used[p] + w->a->q.used[s] - w->cut[p] - gspi_sparse_both(w, p);
            if (*need <= w->room) {
                return i;
            }
        }
    }
    return 0;
}

static uint32_t gspi_sparse_rank(const gspi_sparse *w, uint32_t a)
{
    uint32_t rank = 0;
    for (uint32_t p = 0; p < w->a->q.k; p++) {
        rank += w->rep[p] == p && w->made[p] < w->made[a];
    }
    return rank;
}

/* The smallest partition joins the one at index i, which moves to its new place by bytes. */
static void gspi_sparse_join(gspi_sparse *w, uint32_t i, uint64_t need)
{
    uint32_t const s = w->list[0];
    uint32_t const a = w->list[i];
    uint32_t at = 0;
    uint32_t const rank_a = w->a->d->step == NULL ? 0u : gspi_sparse_rank(w, a);
    uint32_t const rank_s = w->a->d->step == NULL ? 0u : gspi_sparse_rank(w, s);
    gspi_assign_step(w->a, rank_a < rank_s ? rank_a : rank_s, rank_a < rank_s ? rank_s : rank_a,
        GSP_NONE, GSP_NONE, 0);
    for (uint32_t p = s; p != GSP_NONE; p = w->next[p]) {
        w->rep[p] = a;
    }
    w->next[w->last[a]] = s;
    w->last[a] = w->last[s];
    w->made[a] = w->n_made++;
    w->a->q.used[a] = need;
    for (uint32_t p = 1; p < w->n_list; p++) {
        if (p != i) {
            w->list[at++] = w->list[p];
        }
    }
    for (; at > 0u && need < w->a->q.used[w->list[at - 1u]]; at--) { /* ties: a is made last */
        w->list[at] = w->list[at - 1u];
    }
    w->list[at] = a;
    w->n_list--;
}

static void gspi_sparse_merge(gspi_sparse *w, uint8_t embeds)
{
    uint32_t partner = 1;
    w->n_list = 0;
    for (uint32_t p = 0; p < w->a->q.k; p++) {
        if (w->rep[p] == p && w->embeds[p] == embeds) {
            w->list[w->n_list++] = p;
        }
    }
    gspi_sort(w->list, w->n_list, w->a->q.used); /* made[] is the order of the groups */
    while (w->n_list > 1u && partner != 0u) {
        uint32_t const s = w->list[0];
        uint64_t need = 0;
        (void)gspi_quot_levels(&w->a->q, w->rep, w->next);
        gspi_sparse_mark(w, s, 1);
        partner = gspi_sparse_partner(w, &need);
        gspi_sparse_mark(w, s, 0);
        if (partner != 0u) {
            gspi_sparse_join(w, partner, need);
        }
    }
}

/* Each partition of embeddings gets a device, which must hold all other partitions too. */
static gsp_status gspi_sparse_devices(gspi_sparse *w, gsp_error *err)
{
    gspi_quot *q = &w->a->q;
    gspi_devices *v = &w->a->devices;
    uint64_t others = 0;
    uint32_t n = 0;
    for (uint32_t p = 0; p < q->k; p++) {
        n += w->embeds[w->list[p]];
        others += w->embeds[w->list[p]] != 0u ? 0u : q->used[p];
    }
    GSPI_CHECK_AMOUNT(n <= v->n, NO_FIT, EMBEDDINGS, n, v->n);
    w->a->made.n_everywhere = n;
    if (n == 0u) {
        return gspi_devices_map(v, q, err);
    }
    n = 0;
    for (uint32_t p = 0; p < q->k; p++) {
        if (w->embeds[w->list[p]] != 0u) {
            if (others + q->used[p] > w->room) {
                return gspi_fail_need(err, GSPI_CODE(NO_FIT, EMBEDDING_LARGE, NODE),
                    q->nodes[q->node_begin[p]], n, others + q->used[p], w->room);
            }
            v->device_of[p] = n++;
        }
    }
    return GSP_OK;
}

static gsp_status gspi_sparse_assign(gspi_sparse *w, gsp_error *err)
{
    gspi_quot *q = &w->a->q;
    const gspi_devices *devices = &w->a->devices;
    w->room = devices->device[0].bytes;
    for (uint32_t i = 1; i < devices->n; i++) {
        GSPI_CHECK_ITEM(
            devices->device[i].bytes == w->room, ARG, DEVICES_UNEQUAL, DEVICE, GSP_NONE, i);
    }
    GSPI_TRY(gspi_sparse_groups(w, err));
    (void)gspi_quot_build(q);
    w->n_made = q->k;
    for (uint32_t i = 0; i < q->k; i++) {
        w->rep[i] = i;
        w->next[i] = GSP_NONE;
        w->last[i] = i;
        w->made[i] = i;
    }
    gspi_zero(q->stamp, q->n);
    gspi_sparse_merge(w, 0);
    gspi_sparse_merge(w, 1);
    uint32_t *number = q->slot; /* of a partition */
    uint32_t const n_groups = q->k;
    q->k = 0;
    for (uint32_t p = 0; p < n_groups; p++) {
        if (w->rep[p] == p) {
            w->list[q->k++] = p;
            w->cut[p] = w->made[p];
        }
    }
    gspi_sort(w->list, q->k, w->cut);
    for (uint32_t p = 0; p < q->k; p++) {
        number[w->list[p]] = p;
    }
    for (gsp_node v = 0; v < q->n; v++) {
        if (q->part_of[v] != GSP_NONE) {
            q->part_of[v] = number[w->rep[q->part_of[v]]];
        }
    }
    (void)gspi_quot_build(q);
    return gspi_sparse_devices(w, err);
}

/* ---- A trial of COST or KL ---- */

/* Both modes judge partitions by one trial: quotient graph, mapping to devices, critical path, from
 * nothing but the partition of every node. It is exact and takes linear time. The present
 * partitions stay in gspi_assign. */
typedef struct {
    gspi_quot q; /* part_of, k, node_begin and nodes: the partitions to judge */
    gspi_devices devices;
    const gspi_paths *paths;
    uint64_t *node_done;     /* [n] seconds from the top of its partition to a node */
    uint64_t *latency;       /* [n] of a partition */
    uint64_t *done;          /* [n] finish time of a partition */
    uint32_t *late;          /* [n] edge that determines its start, or GSP_NONE */
    uint64_t *moved;         /* [n] bytes of a recent transfer, by hash; 0 bytes take 0 seconds */
    uint64_t *moved_seconds; /* [n] */
} gspi_trial;

GSPI_OWN_FRAME gspi_trial *gspi_trial_layout(gspi_bump *b, const gsp_counts *c, uint32_t n_devices)
{
    gspi_trial t;
    size_t const n = c->nodes;
    gspi_set(&t, 0, sizeof(t));
    gspi_quot_layout(b, &t.q, c, 1);
    gspi_devices_layout(b, &t.devices, n_devices);
    t.q.part_of = gspi_words(b, n);
    t.devices.device_of = gspi_words(b, n);
    t.node_done = gspi_longs(b, n);
    t.latency = gspi_longs(b, n);
    t.done = gspi_longs(b, n);
    t.late = gspi_words(b, n);
    t.moved = gspi_longs(b, n);
    t.moved_seconds = gspi_longs(b, n);
    gspi_trial *at = GSPI_HIGH(b, gspi_trial, 1);
    if (at != NULL) {
        *at = t;
    }
    return at;
}

static void gspi_trial_start(gspi_trial *t, const gspi_assign *a)
{
    t->q.g = a->q.g;
    t->q.out = a->q.out;
    t->q.op = a->q.op;
    t->q.size = a->q.size;
    t->q.n = a->q.n;
    t->paths = &a->paths;
    gspi_devices_start(&t->devices, a->devices.device, a->devices.n);
    gspi_set(t->moved, 0, t->q.n * sizeof(uint64_t));
    gspi_set(t->moved_seconds, 0, t->q.n * sizeof(uint64_t));
}

/* Seconds of a transfer; a division takes as long as all else about an edge. */
static uint64_t gspi_trial_move(const gspi_trial *t, uint64_t bytes)
{
    uint64_t const hash = (bytes * 0x9E3779B97F4A7C15u) >> 32;
    uint32_t const at = (uint32_t)((hash * t->q.n) >> 32);
    if (t->moved[at] != bytes) {
        t->moved[at] = bytes;
        t->moved_seconds[at] = gspi_time_move(bytes, t->paths->rate);
    }
    return t->moved_seconds[at];
}

/* Seconds of the critical path; all transfer from and to a partition on device GSP_NONE. UINT64_MAX
 * from `limit` on. */
static uint64_t gspi_trial_path(const gspi_trial *t, const gspi_quot *q, const uint64_t *latency,
    const uint32_t *device_of, uint64_t limit)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < q->k; i++) {
        uint32_t const p = q->order[i];
        uint64_t latest = 0;
        t->late[p] = GSP_NONE;
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            uint32_t const r = q->parent[e];
            uint64_t there = t->done[r];
            if (device_of[p] == GSP_NONE || device_of[p] != device_of[r]) {
                there = gspi_time_add(there, gspi_trial_move(t, q->volume[e]));
            }
            if (t->late[p] == GSP_NONE || there > latest) {
                latest = there;
                t->late[p] = e;
            }
        }
        t->done[p] = gspi_time_add(latest, latency[p]);
        total = gspi_latest(total, t->done[p]);
        if (total >= limit) {
            return UINT64_MAX;
        }
    }
    return total;
}

/* Seconds of the whole graph with the partitions of the trial; UINT64_MAX for a cycle, a partition
 * without device, or seconds not below `limit`. */
static uint64_t gspi_trial_time(gspi_trial *t, uint64_t limit)
{
    gspi_quot *q = &t->q;
    int sound = gspi_quot_link(q);
    gspi_devices_reset(&t->devices, q->k);
    for (uint32_t p = 0; p < q->k && sound; p++) {
        sound = gspi_devices_map_one(&t->devices, q, p);
    }
    if (!sound) {
        return UINT64_MAX;
    }
    gspi_paths_parts(t->paths, q, t->node_done, t->latency);
    return gspi_trial_path(t, q, t->latency, t->devices.device_of, limit);
}

/* ---- by cost: merges ---- */

/* The reference tries every pair on a copy, in time n^5 or more. Here a round finds the quotient
 * graph, the mapping and the longest path once. The last of equal pairs wins: pairs are scanned
 * from the last to the first, and must be strictly below the limit, the best so far, at first just
 * above the present latency. Exact rules exclude nearly all pairs before their trial:
 *     cycle   a partition lies between two neighbours
 *     above   the longest path above, through and below two partitions that are no neighbours,
 *             without transfers, is too late. A margin of units in the last place per term covers
 *             the rounding of sums in another order
 *     path    the longest path of the round remains one, unless both are on it. A merged partition
 *             takes no less time and reads no fewer bytes than one of them, and rounding is
 *             monotone. So the path is too late on the devices of the trial, or even with the
 *             transfers between partitions before j alone
 * The mapping before i, and that without i before j, are those of the pair tried before it, with
 * the last partition taken back. Memory is linear. */
typedef struct {
    gspi_assign *a; /* partitions in list order: a merged one is last */
    gspi_trial *t;
    uint32_t i;      /* the first of the pair */
    uint32_t best_i; /* GSP_NONE before the first pair */
    uint32_t best_j;
    uint32_t n_path;
    uint64_t limit;    /* seconds, exclusive */
    uint64_t *latency; /* [n] of a partition */
    uint64_t *above;   /* [n] longest path without transfers to a partition, exclusive */
    uint64_t *below;   /* [n] and from it */
    uint32_t *path;    /* [n] the longest path of the round, from its end */
    uint64_t *move;    /* [n] seconds of the transfer to the one after it in path[] */
    uint8_t *on_path;  /* [n] */
    uint32_t *place;   /* [n] of gspi_devices */
    uint64_t *taken;   /* [n] */
} gspi_merge;

static void gspi_cost_layout(gspi_bump *b, gspi_merge *w, const gsp_counts *c, uint32_t n_devices)
{
    size_t const n = c->nodes;
    w->t = gspi_trial_layout(b, c, n_devices);
    w->latency = gspi_longs(b, n);
    w->above = gspi_longs(b, n);
    w->below = gspi_longs(b, n);
    w->path = gspi_words(b, n);
    w->move = gspi_longs(b, n);
    w->on_path = GSPI_HIGH(b, uint8_t, n);
    w->place = gspi_words(b, n);
    w->taken = gspi_longs(b, n);
}

/* Maps partitions from p on while they have a device; returns the first without, or k. */
static uint32_t gspi_cost_map(gspi_assign *a, uint32_t p)
{
    while (p < a->q.k && gspi_devices_map_one(&a->devices, &a->q, p)) {
        p++;
    }
    gspi_devices_unshare(&a->devices);
    return p;
}

/* Sets above[] and below[]. */
static void gspi_cost_free_paths(gspi_merge *w)
{
    const gspi_quot *q = &w->a->q;
    gspi_set(w->above, 0, q->k * sizeof(uint64_t));
    gspi_set(w->below, 0, q->k * sizeof(uint64_t));
    for (uint32_t i = 0; i < q->k; i++) {
        uint32_t const p = q->order[i];
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            uint32_t const r = q->parent[e];
            w->above[p] = gspi_latest(w->above[p], gspi_time_add(w->above[r], w->latency[r]));
        }
    }
    for (uint32_t i = q->k; i > 0u; i--) {
        uint32_t const p = q->order[i - 1u];
        uint64_t const from = gspi_time_add(w->latency[p], w->below[p]);
        for (uint32_t e = q->parent_begin[p]; e < q->parent_begin[p + 1u]; e++) {
            w->below[q->parent[e]] = gspi_latest(w->below[q->parent[e]], from);
        }
    }
}

/* Sets path[] from the finish times of the round. */
static void gspi_cost_longest(gspi_merge *w)
{
    const gspi_quot *q = &w->a->q;
    uint32_t p = 0;
    for (uint32_t i = 1; i < q->k; i++) {
        p = w->t->done[i] > w->t->done[p] ? i : p;
    }
    gspi_set(w->on_path, 0, q->k);
    w->n_path = 0;
    while (p != GSP_NONE) {
        uint32_t const e = w->t->late[p];
        w->on_path[p] = 1;
        w->path[w->n_path] = p;
        w->move[w->n_path++] = e == GSP_NONE ? 0u : gspi_trial_move(w->t, q->volume[e]);
        p = e == GSP_NONE ? GSP_NONE : q->parent[e];
    }
}

/* Begins a round; returns the first partition without device in its mapping, or k. */
static uint32_t gspi_cost_round(gspi_merge *w, int first)
{
    gspi_assign *a = w->a;
    gspi_quot *q = &a->q;
    uint32_t *device_of = a->devices.device_of;
    (void)gspi_quot_build(q);
    gspi_paths_parts(&a->paths, q, w->t->node_done, w->latency);
    gspi_devices_reset(&a->devices, q->k);
    uint64_t const apart = gspi_trial_path(w->t, q, w->latency, device_of, UINT64_MAX);
    uint32_t const end = gspi_cost_map(a, 0);
    uint64_t const total = gspi_trial_path(w->t, q, w->latency, device_of, UINT64_MAX);
    w->limit = (first ? apart : total) + 1u;
    w->best_i = GSP_NONE;
    gspi_cost_longest(w);
    gspi_cost_free_paths(w);
    gspi_zero(q->mark, q->k);
    return end;
}

/* 1 if the path of the round is too late, with the transfers between partitions before `end`. */
static int gspi_cost_is_path_late(const gspi_merge *w, uint32_t j, uint32_t end)
{
    uint32_t before = GSP_NONE; /* device */
    uint64_t done = 0;
    for (uint32_t t = w->n_path; t > 0u; t--) {
        uint32_t const p = w->path[t - 1u];
        int const placed = p < end && p != w->i && p != j;
        uint32_t const device = placed ? w->a->devices.device_of[p] : GSP_NONE;
        if (device != GSP_NONE && before != GSP_NONE && device != before) {
            done = gspi_time_add(done, w->move[t - 1u]);
        }
        done = gspi_time_add(done, w->latency[p]);
        before = device;
    }
    return done >= w->limit;
}

/* 1 if no mapping without i and j lets the pair be better. */
static int gspi_cost_is_late(gspi_merge *w, uint32_t j)
{
    gspi_devices *v = &w->a->devices;
    uint32_t const k = w->a->q.k;
    if (gspi_cost_is_path_late(w, j, j)) {
        return 1;
    }
    v->device_of[j] = GSP_NONE;
    uint32_t const end = gspi_cost_map(w->a, j + 1u);
    int const late = end < k || gspi_cost_is_path_late(w, j, k);
    for (uint32_t p = end; p > j + 1u; p--) {
        gspi_devices_undo(v, p - 1u);
    }
    return late;
}

/* The partitions of the trial are those after the merge of i and j. */
static void gspi_cost_merge(const gspi_merge *w, uint32_t i, uint32_t j)
{
    const gspi_quot *q = &w->a->q;
    for (gsp_node v = 0; v < q->n; v++) {
        uint32_t const p = q->part_of[v];
        uint32_t const after = p - (p > i ? 1u : 0u) - (p > j ? 1u : 0u);
        w->t->q.part_of[v] = p == GSP_NONE ? p : p == i || p == j ? q->k - 2u : after;
    }
    w->t->q.k = q->k - 1u;
}

/* 1 if a neighbour of i lies between i and its neighbour j. */
static int gspi_cost_is_cyclic(const gspi_merge *w, uint32_t j)
{
    const gspi_quot *q = &w->a->q;
    uint32_t const level = q->level[w->i];
    int const after = q->level[j] > level;
    const uint32_t *begin = after ? q->parent_begin : q->child_begin;
    const uint32_t *row = after ? q->parent : q->child;
    for (uint32_t e = begin[j]; e < begin[j + 1u]; e++) {
        if (q->mark[row[e]] == w->i + 1u && (q->level[row[e]] > level) == after) {
            return 1;
        }
    }
    return 0;
}

static void gspi_cost_try(gspi_merge *w, uint32_t j, int adjacent)
{
    gspi_quot *q = &w->t->q;
    uint32_t const i = w->i;
    uint64_t const guard = 4u * ((uint64_t)w->a->q.k + 4u);
    if (adjacent && gspi_cost_is_cyclic(w, j)) {
        return;
    }
    if (!adjacent) {
        uint64_t above = gspi_latest(w->above[i], w->above[j]);
        above = gspi_time_add(above, gspi_latest(w->latency[i], w->latency[j]));
        above = gspi_time_add(above, gspi_latest(w->below[i], w->below[j]));
        if (above >= w->limit + guard) {
            return;
        }
    }
    if ((w->on_path[i] & w->on_path[j]) == 0u && gspi_cost_is_late(w, j)) {
        return;
    }
    gspi_cost_merge(w, i, j);
    gspi_rows(q->part_of, q->n, q->k, q->node_begin, q->nodes);
    uint64_t const total = gspi_trial_time(w->t, w->limit);
    if (total < w->limit) {
        w->limit = total;
        w->best_i = i;
        w->best_j = j;
    }
}

/* Tries all partners of i, the last first. Returns 0 if the search stops. */
static int gspi_cost_partners(gspi_merge *w, uint32_t i)
{
    gspi_quot *q = &w->a->q;
    uint32_t const level = q->level[i];
    w->i = i;
    for (uint32_t e = q->parent_begin[i]; e < q->parent_begin[i + 1u]; e++) {
        q->mark[q->parent[e]] = i + 1u;
    }
    for (uint32_t e = q->child_begin[i]; e < q->child_begin[i + 1u]; e++) {
        q->mark[q->child[e]] = i + 1u;
    }
    w->a->devices.device_of[i] = GSP_NONE;
    uint32_t const end = gspi_cost_map(w->a, i + 1u);
    for (uint32_t j = q->k - 1u; j > i; j--) {
        int const adjacent = q->mark[j] == i + 1u;
        if (j < end) {
            gspi_devices_undo(&w->a->devices, j);
        }
        if (adjacent || (q->level[j] <= level + 1u && level <= q->level[j] + 1u)) {
            if (gspi_assign_stops(w->a, w->limit)) {
                return 0;
            }
            if (j <= end) { /* else one before j has no device, with or without j */
                gspi_cost_try(w, j, adjacent);
            }
        }
    }
    return 1;
}

GSPI_OWN_FRAME gsp_status gspi_cost_assign(gspi_merge *w, gsp_error *err)
{
    gspi_quot *q = &w->a->q;
    for (gsp_node v = 0; v < q->n; v++) {
        if (gspi_is_callable(q->op[v])) {
            q->part_of[v] = q->k++;
        }
    }
    w->a->total = q->k - 1u;
    w->a->devices.place = w->place;
    w->a->devices.taken = w->taken;
    do {
        uint32_t const reached = gspi_cost_round(w, w->a->done == 0u);
        uint32_t end = reached;
        if (w->limit > GSPI_FOREVER) {
            return gspi_paths_fail(&w->a->paths, q, err);
        }
        int running = 1;
        for (uint32_t i = q->k - 1u; i > 0u && running; i--) {
            for (; end >= i; end--) {
                gspi_devices_undo(&w->a->devices, end - 1u);
            }
            running = i - 1u > reached || gspi_cost_partners(w, i - 1u);
        }
        if (w->best_i != GSP_NONE) {
            gspi_assign_step(w->a, w->best_i, w->best_j, GSP_NONE, GSP_NONE, w->limit);
            gspi_cost_merge(w, w->best_i, w->best_j);
            gspi_copy(q->part_of, w->t->q.part_of, q->n, sizeof(uint32_t));
            q->k--;
            w->a->done++;
        }
    } while (w->best_i != GSP_NONE && q->k > 1u && !w->a->made.stopped);
    (void)gspi_quot_build(q);
    return gspi_assign_map(w->a, err);
}

/* ---- KL: swaps ---- */

/* Most trials make a cycle of the two partitions, which counts of their edges exclude. */
typedef struct {
    gspi_assign *a;
    gspi_trial *t;
    uint32_t side[2];   /* partition of the node, then the other */
    uint32_t cross[2];  /* edges between nodes, from this side to the other */
    uint32_t best_part; /* GSP_NONE without improvement */
    gsp_node best_node;
    uint64_t best;  /* seconds */
    gspi_size size; /* initial partitions */
} gspi_kl;

/* Adds the edges between v and the other side to cross[], or subtracts them (sign -1). */
static void gspi_kl_cross(gspi_kl *w, gsp_node v, uint32_t sign)
{
    const gspi_quot *q = &w->t->q;
    uint32_t const own = q->part_of[v] == w->side[0] ? 0u : 1u;
    for (uint32_t k = 0; k < 2u; k++) {
        gspi_row const row = k == 0u ? gspi_before(q->g, v) : gspi_after(q->g, v);
        for (uint32_t i = 0; i < row.n; i++) {
            int const crosses = q->part_of[row.at[i]] == w->side[1u - own];
            w->cross[k == own ? 1u : 0u] += crosses ? sign : 0u;
        }
    }
}

static void gspi_kl_move(gspi_kl *w, gsp_node v, uint32_t part)
{
    gspi_kl_cross(w, v, UINT32_MAX);
    w->t->q.part_of[v] = part;
    gspi_kl_cross(w, v, 1);
}

/* The partitions of the trials are the present ones. */
static void gspi_kl_reset(gspi_kl *w)
{
    const gspi_quot *q = &w->a->q;
    w->t->q.k = q->k;
    gspi_copy(w->t->q.part_of, q->part_of, q->n, sizeof(uint32_t));
    gspi_copy(w->t->q.nodes, q->nodes, q->node_begin[q->k], sizeof(gsp_node));
    gspi_copy(w->t->q.node_begin, q->node_begin, (size_t)q->k + 1u, sizeof(uint32_t));
}

/* Tries to swap the moved node, which was at place `at` of nodes[], with the node at place i; with
 * none from the end of its partition on. */
static void gspi_kl_try(gspi_kl *w, uint32_t at, uint32_t i)
{
    gspi_quot *q = &w->t->q;
    const gsp_node *nodes = w->a->q.nodes;
    int const swaps = i < w->a->q.node_begin[w->side[1] + 1u];
    uint64_t total = UINT64_MAX;
    if (swaps) {
        gspi_kl_move(w, nodes[i], w->side[0]);
        q->nodes[at] = nodes[i];
        q->nodes[i] = nodes[at];
    }
    if (w->cross[0] == 0u || w->cross[1] == 0u) { /* else a cycle of the two */
        if (!swaps) {
            gspi_rows(q->part_of, q->n, q->k, q->node_begin, q->nodes);
        }
        total = gspi_trial_time(w->t, w->best);
    }
    if (swaps) {
        q->nodes[at] = nodes[at];
        q->nodes[i] = nodes[i];
        gspi_kl_move(w, nodes[i], w->side[1]);
    }
    if (total < w->best) {
        w->best = total;
        w->best_part = w->side[1];
        w->best_node = swaps ? nodes[i] : GSP_NONE;
    }
}

/* Tries every node of every other partition. Returns 0 if the search stops. */
static int gspi_kl_partners(gspi_kl *w, gsp_node v)
{
    const gspi_quot *q = &w->a->q;
    uint32_t const home = q->part_of[v];
    uint32_t at = q->node_begin[home];
    int running = 1;
    while (q->nodes[at] != v) {
        at++;
    }
    w->best_part = GSP_NONE;
    w->side[0] = home;
    for (uint32_t p = 0; p < q->k && running; p++) {
        uint32_t const end = q->node_begin[p + 1u];
        if (p == home) {
            continue;
        }
        w->side[1] = p;
        w->cross[0] = 0;
        w->cross[1] = 0;
        for (uint32_t i = q->node_begin[p]; i < end; i++) {
            gspi_kl_cross(w, q->nodes[i], 1);
        }
        gspi_kl_move(w, v, p);
        for (uint32_t i = q->node_begin[p]; i <= end && running; i++) {
            running = !gspi_assign_stops(w->a, w->best);
            if (running) {
                gspi_kl_try(w, at, i);
            }
        }
        gspi_kl_reset(w);
    }
    return running;
}

/* Makes the best swap of v. */
static void gspi_kl_swap(gspi_kl *w, gsp_node v)
{
    gspi_quot *q = &w->a->q;
    uint32_t const home = q->part_of[v];
    gspi_assign_step(w->a, home, w->best_part, v, w->best_node, w->best);
    q->part_of[v] = w->best_part;
    if (w->best_node != GSP_NONE) {
        q->part_of[w->best_node] = home;
    }
    gspi_rows(q->part_of, q->n, q->k, q->node_begin, q->nodes);
    gspi_kl_reset(w);
}

static void gspi_kl_sweep(gspi_kl *w)
{
    gspi_quot *q = &w->a->q;
    gspi_kl_reset(w);
    for (gsp_node v = 0; v < q->n && !w->a->made.stopped; v++) {
        if (q->part_of[v] != GSP_NONE) {
            w->a->done += gspi_kl_partners(w, v) ? 1u : 0u;
            if (w->best_part != GSP_NONE) {
                gspi_kl_swap(w, v);
            }
        }
    }
    uint32_t n = 0; /* removes empty partitions */
    for (uint32_t p = 0; p < q->k; p++) {
        q->slot[p] = n;
        n += q->node_begin[p] < q->node_begin[p + 1u];
    }
    for (gsp_node v = 0; v < q->n; v++) {
        if (q->part_of[v] != GSP_NONE) {
            q->part_of[v] = q->slot[q->part_of[v]];
        }
    }
    q->k = n;
    (void)gspi_quot_build(q);
}

GSPI_OWN_FRAME gsp_status gspi_kl_assign(gspi_kl *w, gsp_error *err)
{
    gspi_quot *q = &w->a->q;
    gspi_devices *v = &w->a->devices;
    uint32_t const n_sweeps = w->a->d->n_sweeps == 0u ? 1u : w->a->d->n_sweeps;
    GSPI_TRY(gspi_size_assign(&w->size, err));
    (void)gspi_quot_build(q);
    gspi_paths_parts(&w->a->paths, q, w->t->node_done, w->t->latency);
    w->a->total = gspi_count_mul(q->node_begin[q->k], n_sweeps);
    w->best = gspi_trial_path(w->t, q, w->t->latency, v->device_of, UINT64_MAX);
    if (w->best >= GSPI_FOREVER) {
        return gspi_paths_fail(&w->a->paths, q, err);
    }
    for (uint32_t i = 0; i < n_sweeps && w->best > 0u && !w->a->made.stopped; i++) {
        gspi_kl_sweep(w);
    }
    if (gspi_assign_map(w->a, NULL) == GSP_OK) {
        return GSP_OK;
    }
    gspi_devices_reset(v, q->k); /* falls back to SIZE: it fills devices to the last byte */
    q->k = 0;
    return gspi_size_assign(&w->size, err);
}

/* ---- bound and run ---- */

typedef union {
    gspi_size size;
    gspi_sparse sparse;
    gspi_merge cost;
    gspi_kl kl;
} gspi_mode;

static void gspi_assign_mode_layout(
    gspi_bump *b, gspi_mode *w, uint32_t mode, const gsp_graph *graph, uint32_t n_devices)
{
    gsp_counts const c = gsp_graph_counts(graph);
    switch (mode) {
    case GSP_PARTITION_SIZE:
        w->size.taken = GSPI_HIGH(b, uint8_t, n_devices);
        break;
    case GSP_PARTITION_SPARSE:
        gspi_sparse_layout(b, &w->sparse, c.nodes);
        break;
    case GSP_PARTITION_COST:
        gspi_cost_layout(b, &w->cost, &c, n_devices);
        break;
    case GSP_PARTITION_KL:
        w->kl.t = gspi_trial_layout(b, &c, n_devices);
        w->kl.size.taken = GSPI_HIGH(b, uint8_t, n_devices);
        break;
    default:
        break;
    }
}

/* Assigns nodes to partitions, and partitions to devices. */
static gsp_status gspi_assign_mode(gspi_bump *b, gspi_assign *a, gsp_error *err)
{
    gspi_mode *w = GSPI_HIGH(b, gspi_mode, 1);
    gsp_status status;
    gspi_assign_mode_layout(b, w, a->d->mode, a->q.g, a->d->n_devices);
    gspi_devices_reset(&a->devices, a->q.n);
    switch (a->d->mode) {
    case GSP_PARTITION_SIZE:
        w->size.a = a;
        status = gspi_size_assign(&w->size, err);
        break;
    case GSP_PARTITION_SPARSE:
        w->sparse.a = a;
        status = gspi_sparse_assign(&w->sparse, err);
        break;
    case GSP_PARTITION_COST:
        w->cost.a = a;
        gspi_trial_start(w->cost.t, a);
        status = gspi_cost_assign(&w->cost, err);
        break;
    default:
        w->kl.a = a;
        w->kl.size.a = a;
        gspi_trial_start(w->kl.t, a);
        status = gspi_kl_assign(&w->kl, err);
        break;
    }
    a->made.n_parts = a->q.k;
    return status;
}

static int gspi_mode_is_timed(uint32_t mode)
{
    return mode == GSP_PARTITION_COST || mode == GSP_PARTITION_KL;
}

size_t gsp_assign_bound(const gsp_graph *graph, const gsp_partition_desc *desc)
{
    gspi_mode w;
    gspi_bump b = gspi_measure_with(sizeof(gspi_mode));
    uint32_t const mode = desc == NULL ? 0u : desc->mode;
    uint32_t const n_devices = desc == NULL ? 0u : desc->n_devices;
    (void)gspi_assign_layout(&b, graph, n_devices, gspi_mode_is_timed(mode), 1);
    gspi_assign_mode_layout(&b, &w, mode, graph, n_devices);
    return gspi_bound(&b);
}

gsp_status gsp_assign_run(gsp_arena *arena, const gsp_graph *graph, const gsp_partition_desc *desc,
    gsp_assignment *result, gsp_error *err)
{
    gspi_pass pass;
    GSPI_TRY(gspi_assign_check(arena, graph, desc, result, err));
    GSPI_CHECK_CHOICE(desc->mode, GSP_PARTITION_AOT);
    int const timed = gspi_mode_is_timed(desc->mode);
    GSPI_TRY(
        gspi_assign_enter(&pass, arena, gsp_assign_bound(graph, desc), graph, desc, timed, err));
    gspi_assign *a = gspi_assign_layout(&pass.bump, graph, desc->n_devices, timed, 1);
    GSPI_STEP(gspi_assign_start(a, graph, desc, timed, err));
    GSPI_STEP(gspi_assign_mode(&pass.bump, a, err));
    *result = a->made;
    return GSPI_LEAVE();
}

/* ----
 * >>partition   All modes, and the DAG of partitions (implementation)
 * ---- */

/* All modes share the rest: bytes, edges, latencies, copies on idle devices, the module. */

typedef struct {
    gspi_assign *a;
    uint32_t n_taken;
    uint32_t n_lists;
    uint32_t everywhere;  /* SPARSE: the list for partitions on all devices */
    uint32_t *list_of;    /* [n] list of devices of a partition */
    uint32_t *base_begin; /* [lists] into base */
    uint32_t *base_count; /* [lists] */
    uint32_t *list_first; /* [lists] its first partition, or GSP_NONE */
    uint32_t *base;       /* lists without copies */
    uint32_t *copy;       /* [devices] device that an idle one copies, or GSP_NONE */
    uint32_t *taken;      /* [devices] devices with copies, in order of assignment */
    uint64_t *sum;        /* [devices] sum of the bytes of its partitions */
    uint64_t *done;       /* [n] finish time of a partition */
    gsp_str *names;       /* [n] AOT: of submodules */
    char *digits;         /* [n * 10] */
    gspi_latency latency;
    gsp_partition_result r;
} gspi_part;

/* Devices in lists; see gspi_saturate(). */
static size_t gspi_part_entries(const gsp_partition_desc *d, size_t n_lists)
{
    return gspi_mul_add(n_lists, d->n_devices, gspi_mul_add(d->n_devices, 3, 0));
}

/* Results without those of gspi_assign_layout(). */
static void gspi_part_results(
    gspi_bump *b, gsp_partition_result *r, const gsp_graph *graph, const gsp_partition_desc *d)
{
    size_t const n = graph->n_nodes;
    size_t const m = gsp_graph_counts(graph).edges;
    int const each = d->mode == GSP_PARTITION_SPARSE && d->saturate;
    size_t const lists = d->mode == GSP_PARTITION_AOT ? d->n_part_devices : each ? n : 0u;
    r->part_id = gspi_kept(b, n);
    r->device_begin = gspi_kept(b, n);
    r->device_count = gspi_kept(b, n);
    r->devices = gspi_kept(b, gspi_part_entries(d, lists));
    r->finish = GSPI_LOW(b, double, n);
    r->late_parent = gspi_kept(b, n);
    r->parents = gspi_kept(b, m);
    r->parent_bytes = GSPI_LOW(b, uint64_t, m);
    r->parent_seconds = GSPI_LOW(b, double, m);
    r->device_bytes = GSPI_LOW(b, uint64_t, d->n_devices);
    r->dag_out_begin = gspi_kept(b, n + 1u);
    r->dag_out = gspi_kept(b, gspi_mul_add(n, 2, 0));
    r->parts = GSPI_LOW(b, gsp_split_module_result, 1);
}

/* Scratch after the mode. Partitions on the same devices share a list: one per device and one for
 * partitions on all devices, or with AOT one per partition. */
static void gspi_part_layout(
    gspi_bump *b, gspi_part *w, const gsp_graph *graph, const gsp_partition_desc *d)
{
    size_t const n = graph->n_nodes;
    int const aot = d->mode == GSP_PARTITION_AOT;
    size_t const named = aot ? n : 0u;
    size_t const lists = gspi_add(aot ? n : d->n_devices, 1);
    w->list_of = gspi_words(b, n);
    w->base_begin = gspi_words(b, lists);
    w->base_count = gspi_words(b, lists);
    w->list_first = gspi_words(b, lists);
    w->base = gspi_words(b, gspi_part_entries(d, aot ? d->n_part_devices : 0u));
    w->copy = gspi_words(b, d->n_devices);
    w->taken = gspi_words(b, d->n_devices);
    w->sum = gspi_longs(b, d->n_devices);
    w->done = gspi_longs(b, n);
    w->names = GSPI_HIGH(b, gsp_str, named);
    w->digits = GSPI_HIGH(b, char, gspi_mul_add(named, 10, 0));
    gspi_latency_layout(b, &w->latency, n, n);
}

/* Adds what follows gspi_assign_layout(). `mode`, `split`: bytes of the scratch of the mode, and of
 * gsp_split_module_run(). */
GSPI_OWN_FRAME size_t gspi_part_bound(
    gspi_bump *b, const gsp_graph *graph, const gsp_partition_desc *d, size_t mode, size_t split)
{
    gspi_part w;
    (void)GSPI_HIGH(b, gspi_part, 1);
    gspi_part_results(b, &w.r, graph, d);
    size_t const with_mode = gspi_add(b->used, mode);
    gspi_part_layout(b, &w, graph, d);
    b->used = gspi_max(with_mode, gspi_add(b->used, split));
    return gspi_bound(b);
}

/* The bytes of the scratch of a mode. */
GSPI_OWN_FRAME size_t gspi_part_mode_bytes(const gsp_graph *graph, const gsp_partition_desc *d)
{
    gspi_mode w;
    gspi_bump b = gspi_measure_with(sizeof(gspi_mode));
    gspi_assign_mode_layout(&b, &w, d->mode, graph, d->n_devices);
    return b.used;
}

size_t gsp_partition_bound(const gsp_graph *graph, const gsp_partition_desc *desc)
{
    gsp_split_module_desc split = {0u, 0, NULL, NULL, NULL, 0, 0, 0, 0u};
    gsp_partition_desc d;
    gspi_bump b = gspi_measure();
    gspi_desc(&d, desc, sizeof(d));
    (void)gspi_assign_layout(&b, graph, d.n_devices, 1, 0);
    split.n_parts = graph->n_nodes; /* a missing name counts as a number of ten digits */
    return gspi_part_bound(
        &b, graph, &d, gspi_part_mode_bytes(graph, &d), gsp_split_module_bound(graph, &split));
}

static gsp_status gspi_aot_devices(
    gspi_part *w, const gsp_part_devices *entry, uint32_t p, uint32_t *n_base, gsp_error *err)
{
    const gspi_devices *v = &w->a->devices;
    w->base_begin[p] = *n_base;
    for (uint32_t i = 0; i < entry->n_ids; i++) {
        uint32_t const at = gspi_lower_bound(w->taken, v->n, entry->ids[i]);
        uint32_t const device = at < v->n ? v->order[at] : 0u;
        if (v->device[device].id != entry->ids[i] || w->copy[device] == p) {
            return gspi_fail_need(err, GSPI_CODE(ARG, DEVICE_UNKNOWN, DEVICE), GSP_NONE,
                entry->ids[i], entry->part, 0);
        }
        w->copy[device] = p;
        w->base[(*n_base)++] = device;
    }
    w->base_count[p] = entry->n_ids;
    return GSP_OK;
}

static gsp_status gspi_aot_lists(gspi_part *w, gsp_error *err)
{
    const gsp_partition_desc *d = w->a->d;
    gspi_quot *q = &w->a->q;
    gsp_node *first = q->stamp; /* callable nodes, sorted by the caller's part */
    uint32_t n = 0;
    uint32_t n_base = 0;
    for (gsp_node v = 0; v < q->n; v++) {
        if (gspi_is_callable(q->op[v])) {
            first[n++] = v;
            w->done[v] = d->part_of[v];
        }
    }
    gspi_sort(first, n, w->done);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0u || d->part_of[first[i]] != d->part_of[first[i - 1u]]) {
            w->r.part_id[q->k++] = d->part_of[first[i]];
        }
        q->part_of[first[i]] = q->k - 1u;
    }
    for (uint32_t i = 0; i < d->n_devices; i++) {
        w->taken[i] = d->devices[w->a->devices.order[i]].id;
    }
    gspi_zero(w->base_count, q->k);
    gspi_none(w->copy, d->n_devices);
    for (uint32_t i = 0; i < d->n_part_devices; i++) {
        uint32_t const part = d->part_devices[i].part;
        uint32_t const p = gspi_lower_bound(w->r.part_id, q->k, part);
        if (p < q->k && w->r.part_id[p] == part && w->base_count[p] == 0u) {
            GSPI_TRY(gspi_aot_devices(w, &d->part_devices[i], p, &n_base, err));
        }
    }
    for (uint32_t i = 0; i < q->n; i++) {
        uint32_t const p = q->part_of[i];
        GSPI_CHECK_AT(
            p == GSP_NONE || w->base_count[p] != 0u, ARG, PART_DEVICES, i, w->r.part_id[p]);
    }
    for (uint32_t i = 0; i < q->k; i++) {
        w->list_of[i] = i;
    }
    w->n_lists = q->k;
    w->everywhere = GSP_NONE;
    return GSP_OK;
}

static int gspi_list_has(const gspi_part *w, uint32_t list, uint32_t device)
{
    const uint32_t *base = w->base + w->base_begin[list];
    uint32_t i;
    for (i = 0; i < w->base_count[list] && base[i] != device; i++) {
    }
    return i < w->base_count[list];
}

static int gspi_part_together(const gspi_part *w, uint32_t p, uint32_t r)
{
    uint32_t const a = w->list_of[p];
    uint32_t const b = w->list_of[r];
    return a == b || (w->base_count[a] == w->base_count[b] &&
                         gspi_same(w->base + w->base_begin[a], w->base + w->base_begin[b],
                             w->base_count[a] * sizeof(uint32_t)));
}

/* Bytes that p adds to a device; partitions on it are marked with it. */
static uint64_t gspi_part_load(const gspi_part *w, uint32_t p, uint32_t device)
{
    const gspi_quot *q = &w->a->q;
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

/* Bytes on each device: of the union of its partitions, and the sum over them. */
static void gspi_part_loads(gspi_part *w)
{
    gspi_quot *q = &w->a->q;
    gspi_none(q->mark, q->k);
    gspi_none(q->stamp, q->n);
    for (uint32_t device = 0; device < w->a->devices.n; device++) {
        w->sum[device] = 0;
        w->r.device_bytes[device] = 0;
        for (uint32_t p = 0; p < q->k; p++) {
            if (gspi_list_has(w, w->list_of[p], device)) {
                q->mark[p] = device;
                w->sum[device] += q->used[p];
            }
        }
        for (uint32_t p = 0; p < q->k; p++) {
            if (q->mark[p] == device) {
                w->r.device_bytes[device] +=
                    w->r.single ? q->used[p] : gspi_part_load(w, p, device);
            }
        }
    }
}

/* Copies each device in use once. Returns 0, without a change, if one finds no idle device. */
static int gspi_saturate_round(gspi_part *w, const uint32_t *uses)
{
    const gspi_devices *v = &w->a->devices;
    uint32_t const before = w->n_taken;
    for (uint32_t i = 0; i < v->n; i++) {
        uint32_t idle = GSP_NONE; /* the smallest with room */
        for (uint32_t k = 0; k < v->n && uses[i] != 0u; k++) {
            uint64_t const bytes = v->device[k].bytes;
            if (uses[k] == 0u && w->copy[k] == GSP_NONE && bytes >= w->sum[i] &&
                (idle == GSP_NONE || bytes < v->device[idle].bytes)) {
                idle = k;
            }
        }
        if (idle != GSP_NONE) {
            w->copy[idle] = i;
            w->taken[w->n_taken++] = idle;
        } else if (uses[i] != 0u) {
            while (w->n_taken > before) {
                w->copy[w->taken[--w->n_taken]] = GSP_NONE;
            }
            return 0;
        }
    }
    return 1;
}

/* Repeats the copies while each device in use finds an idle one. */
static void gspi_saturate(gspi_part *w)
{
    uint32_t *uses = w->a->devices.order; /* [devices] partitions on it */
    uint32_t n_used = 0;
    w->n_taken = 0;
    gspi_none(w->copy, w->a->devices.n);
    if (!w->a->d->saturate) {
        return;
    }
    gspi_zero(uses, w->a->devices.n);
    for (uint32_t p = 0; p < w->a->q.k; p++) {
        uint32_t const list = w->list_of[p];
        for (uint32_t i = 0; i < w->base_count[list]; i++) {
            n_used += uses[w->base[w->base_begin[list] + i]]++ == 0u;
        }
    }
    while (2u * (uint64_t)n_used + w->n_taken <= w->a->devices.n && gspi_saturate_round(w, uses)) {
    }
}

/* Appends a list and its copies. In the reference, partitions on all devices share a list, and each
 * adds the copies of its devices: a copy occurs `times` times. */
static uint32_t gspi_list_fill(const gspi_part *w, uint32_t list, uint32_t times, uint32_t n_list)
{
    for (uint32_t i = 0; i < w->base_count[list]; i++) {
        w->r.devices[n_list++] = w->base[w->base_begin[list] + i];
    }
    for (uint32_t i = 0; i < w->n_taken; i++) {
        for (uint32_t k = 0; k < times && gspi_list_has(w, list, w->copy[w->taken[i]]); k++) {
            w->r.devices[n_list++] = w->taken[i];
        }
    }
    return n_list;
}

static void gspi_part_copies(gspi_part *w)
{
    uint32_t *first = w->list_first;
    uint32_t n_devices = 0;
    uint32_t n_everywhere = 0;
    gspi_none(first, w->n_lists);
    for (uint32_t p = 0; p < w->a->q.k; p++) {
        n_everywhere += w->list_of[p] == w->everywhere;
    }
    for (uint32_t p = 0; p < w->a->q.k; p++) {
        uint32_t const list = w->list_of[p];
        if (first[list] == GSP_NONE) {
            first[list] = p;
            w->r.device_begin[p] = n_devices;
            n_devices =
                gspi_list_fill(w, list, list == w->everywhere ? n_everywhere : 1u, n_devices);
            w->r.device_count[p] = n_devices - w->r.device_begin[p];
        }
        w->r.device_begin[p] = w->r.device_begin[first[list]];
        w->r.device_count[p] = w->r.device_count[first[list]];
    }
    for (uint32_t p = 0; p < w->n_taken; p++) {
        w->r.device_bytes[w->taken[p]] = w->r.device_bytes[w->copy[w->taken[p]]];
    }
}

/* Edges with ascending parents, and their transfers. */
static void gspi_part_edges(gspi_part *w)
{
    gspi_quot *q = &w->a->q;
    uint32_t *at = q->slot;
    gspi_copy(at, q->parent_begin, q->k, sizeof(uint32_t));
    for (uint32_t p = 0; p < q->k; p++) {
        for (uint32_t e = q->child_begin[p]; e < q->child_begin[p + 1u]; e++) {
            uint32_t const c = q->child[e];
            uint64_t *bytes = &q->volume[q->child_edge[e]];
            *bytes = gspi_part_together(w, p, c) ? 0u : *bytes;
            w->r.parents[at[c]] = p;
            w->r.parent_bytes[at[c]] = *bytes;
            w->r.parent_seconds[at[c]] = gspi_time_double(gspi_time_move(*bytes, w->a->paths.rate));
            at[c]++;
        }
    }
}

/* Finish times in topological order; returns the makespan. */
static uint64_t gspi_part_finish(gspi_part *w)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < w->a->q.k; i++) {
        uint32_t const p = w->a->q.order[i];
        uint64_t latest = 0;
        w->r.late_parent[p] = GSP_NONE;
        for (uint32_t e = w->a->q.parent_begin[p]; e < w->a->q.parent_begin[p + 1u]; e++) {
            uint64_t const there =
                gspi_time_add(w->done[w->r.parents[e]], gspi_time_bits(w->r.parent_seconds[e]));
            if (w->r.late_parent[p] == GSP_NONE || there > latest) {
                latest = there;
                w->r.late_parent[p] = w->r.parents[e];
            }
        }
        w->done[p] = gspi_time_add(latest, gspi_time_bits(w->r.latency[p].overall));
        w->r.finish[p] = gspi_time_double(w->done[p]);
        total = gspi_latest(total, w->done[p]);
    }
    return total;
}

/* Root nodes that hold the values of each call; the rest of the result. */
GSPI_OWN_FRAME void gspi_part_dag(gspi_part *w)
{
    const gspi_assign *a = w->a;
    gsp_partition_result *r = &w->r;
    const gsp_split_module_result *parts = r->parts;
    gsp_graph const root = gspi_graph(&parts->module, 0);
    const gsp_atom *target = root.module->target + root.first;
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < parts->n_parts; i++) {
        gspi_row const users = gspi_users(&root, parts->call[i]);
        r->dag_out_begin[i] = n;
        for (uint32_t k = 0; k < users.n; k++) {
            if (gspi_callable(&root, users.at[k]) && target[users.at[k]] == GSP_KEY_GETITEM) {
                r->dag_out[n++] = users.at[k];
            }
        }
        if (n == r->dag_out_begin[i]) {
            r->dag_out[n++] = parts->call[i];
        }
    }
    r->dag_out_begin[i] = n;
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

GSPI_OWN_FRAME gsp_status gspi_part_assign(gspi_bump *b, gspi_part *w, gsp_error *err)
{
    gspi_assign *a = w->a;
    gspi_part_results(b, &w->r, a->q.g, a->d);
    size_t const high = b->arena->high;
    int const aot = a->d->mode == GSP_PARTITION_AOT;
    gspi_devices *v = &a->devices;
    uint32_t largest = 0; /* the first of the largest devices */
    uint64_t room = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        largest = v->device[i].bytes > v->device[largest].bytes ? i : largest;
        room += v->device[i].bytes;
    }
    w->r.single = !aot && a->q.total <= v->device[largest].bytes;
    if (w->r.single) {
        for (uint32_t i = 0; i < a->q.n; i++) {
            a->q.part_of[i] = gspi_is_callable(a->q.op[i]) ? 0u : GSP_NONE;
        }
        v->device_of[0] = largest;
        a->q.k = 1;
    } else if (!aot) {
        GSPI_CHECK_AMOUNT(a->q.total <= room, NO_FIT, DEVICES_SMALL, a->q.total, room);
        GSPI_TRY(gspi_assign_mode(b, a, err));
        b->arena->high = high;
    }
    gspi_part_layout(b, w, a->q.g, a->d);
    if (aot) {
        return gspi_aot_lists(w, err);
    }
    uint32_t const n = v->n;
    for (uint32_t p = 0; p < n; p++) {
        w->base[p] = p;
        w->base_begin[p] = p;
        w->base_count[p] = 1;
    }
    w->base_begin[n] = 0;
    w->base_count[n] = a->made.n_everywhere;
    w->n_lists = n + 1u;
    w->everywhere = n;
    for (uint32_t p = 0; p < a->q.k; p++) {
        w->r.part_id[p] = p;
        w->list_of[p] = v->device_of[p] == GSP_NONE ? n : v->device_of[p];
    }
    return GSP_OK;
}

/* Bytes, edges, latencies. A cycle of partitions has no latency; the module fails later. */
GSPI_OWN_FRAME gsp_status gspi_part_measure(gspi_part *w, gsp_error *err)
{
    gspi_quot *q = &w->a->q;
    int const sound = gspi_quot_build(q);
    gspi_part_edges(w);
    if (w->r.single) {
        q->used[0] = q->total;
    }
    gspi_part_loads(w);
    gspi_saturate(w);
    gspi_part_copies(w);
    w->latency.paths = &w->a->paths;
    gspi_latency_parts(&w->latency, q->g, q->part_of, q->k);
    w->r.latency = w->latency.r.latency;
    uint64_t const total = sound ? gspi_part_finish(w) : 0u;
    w->r.total = gspi_time_double(total);
    return total < GSPI_FOREVER ? GSP_OK : gspi_paths_fail(&w->a->paths, q, err);
}

GSPI_OWN_FRAME gsp_status gspi_part_module(gspi_part *w, gsp_arena *arena, gsp_error *err)
{
    gsp_split_module_desc d = {0u, 0, NULL, NULL, NULL, 0, 0, 0, 0u};
    d.n_parts = w->a->q.k;
    d.part_of = w->a->q.part_of;
    d.names = w->a->d->mode == GSP_PARTITION_AOT ? w->names : NULL;
    for (uint32_t p = 0; p < d.n_parts && d.names != NULL; p++) { /* the caller's numbers */
        char *digits = w->digits + (size_t)p * 10u;
        w->names[p] = gspi_slice(digits, 0, gspi_decimal(w->r.part_id[p], digits));
    }
    return gsp_split_module_run(arena, w->a->q.g, &d, w->r.parts, err);
}

gsp_status gsp_partition_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_partition_desc *desc, gsp_partition_result *result, gsp_error *err)
{
    gspi_pass pass;
    GSPI_TRY(gspi_assign_check(arena, graph, desc, result, err));
    GSPI_TRY(
        gspi_assign_enter(&pass, arena, gsp_partition_bound(graph, desc), graph, desc, 1, err));
    gspi_part *w = GSPI_NEW(gspi_part);
    w->a = gspi_assign_layout(&pass.bump, graph, desc->n_devices, 1, 0);
    GSPI_STEP(gspi_assign_start(w->a, graph, desc, 1, err));
    GSPI_STEP(gspi_part_assign(&pass.bump, w, err));
    GSPI_STEP(gspi_part_measure(w, err));
    GSPI_STEP(gspi_part_module(w, arena, err));
    gspi_part_dag(w);
    *result = w->r;
    return GSPI_LEAVE();
}

/* ----
 * >>score   Evaluation of any assignment (implementation)
 * ---- */

/* Kahn's algorithm over parts, without a quotient graph in memory. A part that joins the order
 * reads its inputs, whose parts have two finish times: `done` on the critical path, and `left` if a
 * device runs one part at a time (list scheduling, Graham 1969). A move updates only the terms of
 * its node, inputs and users. */

#ifndef GSP_NO_SCORE

typedef struct {
    uint64_t done;   /* finish time on the critical path */
    uint64_t left;   /* finish time if a device runs one part at a time */
    uint64_t idle;   /* finish time of the last part on this device */
    uint64_t volume; /* bytes from it to `reader` */
    uint32_t reader; /* 1 + part */
    uint32_t parent; /* 1 + part on a walk to a cycle */
} gspi_score_part;

typedef struct {
    const gsp_graph *g;
    const gsp_score_desc *d;
    gsp_score_result r;
    gspi_score_part *part; /* [parts] */
    uint32_t *missing;     /* [parts] edges from parts not done */
    uint32_t *begin;       /* [parts + 1] into nodes */
    gsp_node *nodes;       /* [n] */
    uint32_t *seen;        /* [n] position of the last part that read it; before that, of its own */
    uint64_t *top;         /* [n] its seconds, then those of the critical path to it in its part */
} gspi_score;

static void gspi_score_layout(gspi_bump *b, gspi_score *w, size_t n, const gsp_score_desc *d)
{
    size_t const k = d->n_parts;
    w->r.part_of = gspi_kept(b, n);
    w->r.order = gspi_kept(b, k);
    w->r.position = gspi_kept(b, k);
    w->r.n_nodes = gspi_kept(b, k);
    w->r.load = GSPI_LOW(b, uint64_t, k);
    w->r.cycle = gspi_kept(b, k);
    w->r.readers = gspi_kept(b, d->moves ? gspi_mul_add(n, k, 0) : 0u);
    w->part = GSPI_HIGH(b, gspi_score_part, k);
    w->missing = gspi_words(b, k);
    w->begin = gspi_words(b, k + 1u);
    w->nodes = gspi_words(b, n);
    w->seen = gspi_words(b, n);
    w->top = gspi_longs(b, n);
}

static uint64_t gspi_score_weight(const gsp_score_desc *d, gsp_node v)
{
    return d->weight == NULL ? 1u : d->weight[v];
}

static void gspi_score_first(uint32_t *first, uint32_t x, int wrong)
{
    *first = wrong && *first == GSP_NONE ? x : *first;
}

/* 1 if a node of part p reads node u of another part. */
static int gspi_score_cuts(const gspi_score *w, gsp_node u, uint32_t p)
{
    return w->r.part_of[u] != GSP_NONE && w->r.part_of[u] != p;
}

static uint64_t gspi_score_limit(const gsp_score_desc *d, uint64_t total, uint64_t heaviest)
{
    uint64_t const k = d->n_parts;
    uint64_t const million = 1000000u;
    uint64_t const mean = k == 0u ? 0u : total / k + (total % k != 0u ? 1u : 0u);
    uint64_t const above =
        gspi_sum(gspi_times(mean / million, d->imbalance), mean % million * d->imbalance / million);
    return d->imbalance == 0u ? UINT64_MAX : gspi_latest(gspi_sum(mean, above), heaviest);
}

static void gspi_score_loads(const gsp_score_desc *d, gsp_score_result *r)
{
    r->empty = r->overloaded = GSP_NONE;
    r->largest_load = 0;
    for (uint32_t p = 0; p < d->n_parts; p++) {
        gspi_score_first(&r->empty, p, r->n_nodes[p] == 0u);
        gspi_score_first(
            &r->overloaded, p, r->load[p] > (d->capacity != NULL ? d->capacity[p] : r->limit));
        r->largest_load = gspi_latest(r->largest_load, r->load[p]);
    }
}

/* Finds parts, loads, seconds and edges between parts; checks groups and pins. */
static gsp_status gspi_score_nodes(gspi_score *w, gsp_error *err)
{
    const gsp_score_desc *d = w->d;
    gsp_score_result *r = &w->r;
    uint64_t sum = 0;
    uint64_t heaviest = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        gspi_row const inputs = gspi_before(w->g, v);
        int const callable = gspi_callable(w->g, v);
        uint32_t const p = callable && d->part_of[v] < d->n_parts ? d->part_of[v] : GSP_NONE;
        r->part_of[v] = p;
        if (callable) {
            uint64_t const mem = gspi_time_of(w->g, d->mem, GSP_KEY_MEM, v);
            uint64_t const compute = gspi_time_of(w->g, d->compute, GSP_KEY_COMPUTE, v);
            GSPI_CHECK_NODE(gspi_latest(mem, compute) < GSPI_FOREVER, ARG, LATENCY, v);
            w->top[v] = gspi_latest(mem, compute);
            sum = gspi_time_add(sum, gspi_time_add(mem, compute));
        }
        gspi_score_first(&r->unplaced, v, callable && p == GSP_NONE);
        if (p == GSP_NONE) {
            continue;
        }
        for (uint32_t i = 0; i < inputs.n; i++) {
            w->missing[p] += gspi_score_cuts(w, inputs.at[i], p) ? 1u : 0u;
        }
        gspi_score_first(&r->group_node, v,
            d->group != NULL && d->group[v] < w->g->n_nodes && d->part_of[d->group[v]] != p);
        gspi_score_first(
            &r->pin_node, v, d->pin != NULL && d->pin[v] != GSP_NONE && d->pin[v] != p);
        r->n_nodes[p]++;
        r->load[p] += gspi_score_weight(d, v);
        r->total_load += gspi_score_weight(d, v);
        heaviest = gspi_latest(heaviest, gspi_score_weight(d, v));
    }
    r->limit = gspi_score_limit(d, r->total_load, heaviest);
    gspi_rows(r->part_of, w->g->n_nodes, d->n_parts, w->begin, w->nodes);
    gspi_score_loads(d, r);
    GSPI_CHECK(sum < GSPI_FOREVER, OVERFLOW, LATENCY);
    return GSP_OK;
}

/* Part p reads u of another part at the position of p. The start of p is monotone in the bytes from
 * each part, so the last value decides. */
static void gspi_score_read(gspi_score *w, uint32_t p, gsp_node u, uint64_t *done, uint64_t *left)
{
    gsp_score_result *r = &w->r;
    const uint32_t *device = w->d->device_of;
    gspi_score_part *from = &w->part[r->part_of[u]];
    uint64_t const bytes = gspi_bytes(w->g, u);
    uint64_t const rate = w->d->has_rate ? gspi_time_read(w->d->transfer_rate) : GSPI_FOREVER;
    r->cut_edges++;
    if (w->seen[u] == GSP_NONE) {
        w->seen[u] = r->position[r->part_of[u]];
        r->cut_values++;
        r->written += bytes;
    }
    if (w->seen[u] != r->position[p]) {
        uint32_t const places = r->position[p] - w->seen[u];
        w->seen[u] = r->position[p];
        r->cut_bytes += bytes;
        r->resident = gspi_sum(r->resident, gspi_times(bytes, places));
        from->volume = (from->reader == p + 1u ? from->volume : 0u) + bytes;
        from->reader = p + 1u;
        int const here = device != NULL && device[p] == device[r->part_of[u]];
        uint64_t const move = here ? 0u : gspi_time_move(from->volume, rate);
        *done = gspi_latest(*done, gspi_time_add(from->done, move));
        *left = gspi_latest(*left, gspi_time_add(from->left, move));
    }
}

/* Appends p to the order and finds its finish times. */
static void gspi_score_next(gspi_score *w, gspi_kahn *kahn, uint32_t p)
{
    gspi_score_part *device = &w->part[w->d->device_of != NULL ? w->d->device_of[p] : p];
    uint64_t done = 0;
    uint64_t left = device->idle;
    uint64_t path = 0;
    w->r.position[p] = kahn->begin - 1u;
    for (uint32_t i = w->begin[p]; i < w->begin[p + 1u]; i++) {
        gsp_node const v = w->nodes[i];
        gspi_row const inputs = gspi_inputs(w->g, v);
        gspi_row const users = gspi_users(w->g, v);
        gspi_row const after = gspi_after(w->g, v);
        uint64_t top = 0;
        for (uint32_t j = 0; j < inputs.n; j++) {
            gsp_node const u = inputs.at[j];
            if (w->r.part_of[u] == p) {
                top = gspi_latest(top, w->top[u]);
            } else if (w->r.part_of[u] != GSP_NONE) {
                gspi_score_read(w, p, u, &done, &left);
            }
        }
        for (uint32_t j = 0; j < after.n; j++) {
            uint32_t const q = w->r.part_of[after.at[j]];
            if (q != GSP_NONE && q != p) {
                gspi_kahn_decrement(kahn, q);
            }
        }
        for (uint32_t j = 0; j < users.n && w->d->moves; j++) {
            uint32_t const q = w->r.part_of[users.at[j]];
            if (q != GSP_NONE) {
                w->r.readers[(size_t)v * w->d->n_parts + q]++;
            }
        }
        w->top[v] = gspi_time_add(top, w->top[v]);
        path = gspi_latest(path, w->top[v]);
    }
    w->part[p].done = gspi_time_add(done, path);
    w->part[p].left = device->idle = gspi_time_add(left, path);
}

/* Each part that is not in the order reads another such part, so following them leads to a
 * cycle. */
static void gspi_score_cycle(gspi_score *w, uint32_t p)
{
    while (w->part[p].parent == 0u) {
        for (uint32_t i = w->begin[p]; i < w->begin[p + 1u]; i++) {
            gspi_row const inputs = gspi_before(w->g, w->nodes[i]);
            for (uint32_t j = 0; j < inputs.n; j++) {
                uint32_t const q = w->r.part_of[inputs.at[j]];
                if (gspi_score_cuts(w, inputs.at[j], p) && w->missing[q] != 0u) {
                    w->part[p].parent = q + 1u;
                }
            }
        }
        p = w->part[p].parent - 1u;
    }
    w->r.cycle += w->d->n_parts;
    for (uint32_t q = p; q != p || w->r.n_cycle == 0u; q = w->part[q].parent - 1u) {
        *--w->r.cycle = q;
        w->r.n_cycle++;
    }
}

/* Visits all parts. If a cycle blocks the order, the lowest remaining part is next, which makes
 * counts complete. */
GSPI_OWN_FRAME gsp_status gspi_score_parts(gspi_score *w, gsp_error *err)
{
    gsp_score_result *r = &w->r;
    gspi_kahn kahn = gspi_kahn_start(r->order, w->missing, GSP_TOPO_ORDER_QUEUE);
    uint64_t path = 0;
    uint64_t serial = 0;
    for (uint32_t p = 0; p < w->d->n_parts; p++) {
        if (w->missing[p] == 0u) {
            gspi_kahn_push(&kahn, p);
        }
    }
    for (uint32_t p = 0; kahn.begin < w->d->n_parts; p++) {
        for (uint32_t q = gspi_kahn_next(&kahn); q != GSP_NONE; q = gspi_kahn_next(&kahn)) {
            gspi_score_next(w, &kahn, q);
        }
        if (r->position[p] == GSP_NONE) {
            if (r->n_cycle == 0u) {
                gspi_score_cycle(w, p);
            }
            w->missing[p] = GSP_NONE;
            gspi_kahn_push(&kahn, p);
        }
    }
    for (uint32_t p = 0; r->n_cycle == 0u && p < w->d->n_parts; p++) {
        path = gspi_latest(path, w->part[p].done);
        serial = gspi_latest(serial, w->part[p].left);
    }
    r->resident = r->n_cycle == 0u ? r->resident : 0u;
    r->path = gspi_time_double(path);
    r->serial = gspi_time_double(serial);
    GSPI_CHECK(serial < GSPI_FOREVER || gspi_time_read(w->d->transfer_rate) != 0u, ARG, RATE_ZERO);
    GSPI_CHECK(serial < GSPI_FOREVER, OVERFLOW, LATENCY);
    return GSP_OK;
}

size_t gsp_score_bound(const gsp_graph *graph, const gsp_score_desc *desc)
{
    gsp_score_desc d;
    gspi_score w;
    gspi_bump b = gspi_measure();
    gspi_desc(&d, desc, sizeof(d));
    gspi_score_layout(&b, &w, graph->n_nodes, &d);
    return gspi_bound(&b);
}

gsp_status gsp_score_run(gsp_arena *arena, const gsp_graph *graph, const gsp_score_desc *desc,
    gsp_score_result *result, gsp_error *err)
{
    gspi_pass pass;
    gspi_score w;
    GSPI_GIVEN_DESC();
    GSPI_GIVEN(desc->part_of);
    uint64_t sum = 0;
    GSPI_CHECK(!desc->has_rate || gspi_time_read(desc->transfer_rate) < GSPI_FOREVER, ARG, RATE);
    for (uint32_t p = 0; desc->device_of != NULL && p < desc->n_parts; p++) {
        GSPI_CHECK_ITEM(desc->device_of[p] < desc->n_parts, ARG, DEVICE_UNKNOWN, PART, p, GSP_NONE);
    }
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        uint64_t const bytes = gspi_times(gspi_bytes(graph, v), gspi_users(graph, v).n);
        sum = gspi_sum(sum, gspi_sum(bytes, gspi_score_weight(desc, v)));
        GSPI_CHECK_NODE(sum <= INT64_MAX, OVERFLOW, SIZE, v);
    }
    GSPI_TRY(gspi_paths_enter(
        &pass, arena, gsp_score_bound(graph, desc), graph, desc->mem, desc->compute, err));
    uint32_t const n = graph->n_nodes;
    uint32_t const k = desc->n_parts;
    gspi_set(&w, 0, sizeof(w));
    w.g = graph;
    w.d = desc;
    w.r.unplaced = w.r.group_node = w.r.pin_node = GSP_NONE;
    gspi_score_layout(&pass.bump, &w, n, desc);
    gspi_zero(w.missing, k);
    gspi_zero(w.r.n_nodes, k);
    gspi_zero(w.r.readers, desc->moves ? (size_t)n * k : 0u);
    gspi_none(w.r.position, k);
    gspi_none(w.seen, n);
    gspi_set(w.r.load, 0, k * sizeof(uint64_t));
    gspi_set(w.part, 0, k * sizeof(gspi_score_part));
    GSPI_STEP(gspi_score_nodes(&w, err));
    GSPI_STEP(gspi_score_parts(&w, err));
    w.r.valid = w.r.n_cycle == 0u && (w.r.unplaced & w.r.group_node & w.r.pin_node & w.r.empty &
                                         w.r.overloaded) == GSP_NONE;
    *result = w.r;
    return GSPI_LEAVE();
}

/* Adds the edge cut, cut values and written bytes of node u; subtracts them if sign is -1. */
static void gspi_score_value(
    const gsp_graph *g, gsp_score_result *r, const uint32_t *readers, gsp_node u, uint64_t sign)
{
    gspi_row const users = gspi_users(g, u);
    uint32_t const returned = users.n != 0u && users.at[users.n - 1u] == g->n_nodes - 1u;
    uint32_t const outside = users.n - returned - readers[r->part_of[u]];
    r->cut_edges += (uint32_t)sign * outside;
    r->cut_values += outside != 0u ? (uint32_t)sign : 0u;
    r->written += outside != 0u ? sign * gspi_bytes(g, u) : 0u;
}

/* Moves v to another part; all nodes are placed. */
static void gspi_score_shift(
    const gsp_graph *g, gsp_score_result *r, size_t k, gsp_node v, uint32_t to)
{
    uint32_t const from = r->part_of[v];
    uint32_t *readers = r->readers + v * k;
    gspi_row const inputs = gspi_inputs(g, v);
    uint64_t const minus = UINT64_MAX; /* -1, modulo 2^64 */
    gspi_score_value(g, r, readers, v, minus);
    r->part_of[v] = to;
    gspi_score_value(g, r, readers, v, 1);
    r->cut_bytes += readers[from] != 0u ? gspi_bytes(g, v) : 0u;
    r->cut_bytes -= readers[to] != 0u ? gspi_bytes(g, v) : 0u;
    for (uint32_t i = 0; i < inputs.n; i++) {
        gsp_node const u = inputs.at[i];
        uint32_t const p = r->part_of[u];
        if (p != GSP_NONE) {
            readers = r->readers + u * k;
            gspi_score_value(g, r, readers, u, minus);
            r->cut_bytes -= --readers[from] == 0u && p != from ? gspi_bytes(g, u) : 0u;
            r->cut_bytes += readers[to]++ == 0u && p != to ? gspi_bytes(g, u) : 0u;
            gspi_score_value(g, r, readers, u, 1);
        }
    }
}

gsp_status gsp_score_move(const gsp_graph *graph, const gsp_score_desc *desc,
    gsp_score_result *result, gsp_node node, uint32_t to, gsp_error *err)
{
    GSPI_GIVEN_3(graph, desc, result);
    GSPI_CHECK(desc->moves && result->unplaced == GSP_NONE && result->n_cycle == 0u, ARG, STATE);
    GSPI_CHECK_OF(gsp_node_is_callable(graph, node), ARG, RANGE, NODE, node, "node");
    GSPI_CHECK_OF(to < desc->n_parts, ARG, RANGE, NODE, node, "to");
    uint32_t const from = result->part_of[node];
    gspi_row const inputs = gspi_before(graph, node);
    gspi_row const users = gspi_after(graph, node);
    for (uint32_t i = 0; i < inputs.n; i++) {
        uint32_t const p = result->part_of[inputs.at[i]];
        GSPI_CHECK_AT(p == GSP_NONE || result->position[p] <= result->position[to], CYCLE,
            PARTS_ORDER, node, inputs.at[i]);
    }
    for (uint32_t i = 0; i < users.n; i++) {
        uint32_t const p = result->part_of[users.at[i]];
        GSPI_CHECK_AT(p == GSP_NONE || result->position[p] >= result->position[to], CYCLE,
            PARTS_ORDER, node, users.at[i]);
    }
    if (to != from) {
        gspi_score_shift(graph, result, desc->n_parts, node, to);
        result->n_nodes[from]--;
        result->n_nodes[to]++;
        result->load[from] -= gspi_score_weight(desc, node);
        result->load[to] += gspi_score_weight(desc, node);
        gspi_score_loads(desc, result);
    }
    return gspi_done(err);
}

#endif /* GSP_NO_SCORE */

#endif /* GSP_NO_PARTITION */

/* ====
 * >>family DEDUP   Repeated regions (implementation)
 * ==== */
#ifndef GSP_NO_DEDUP

/* ---- Stable topological order ---- */

/* The needs of an element, and the queue of elements that need it. */
typedef struct {
    uint32_t begin; /* its needs in the list of all */
    uint32_t end;   /* end of the needs that may be unplaced */
    uint32_t first; /* its queue */
    uint32_t last;
    uint32_t next; /* the element after it in a queue */
} gspi_order_element;

/* Pops elements from the front of a list. An element with unplaced needs joins the queue of the
 * last of them; when that need is placed, its queue is next. */
typedef struct {
    uint32_t n;                  /* elements */
    uint32_t n_list;             /* elements in the list */
    uint32_t *list;              /* [n_list] replaced by the order */
    gspi_order_element *element; /* [n] */
    uint32_t *need;
    uint32_t *place; /* [n] place in the order; GSP_NONE if none yet, or not in the list */
    uint32_t *made;  /* [n_list] */
} gspi_order;

static int gspi_order_run(gspi_order *o)
{
    uint32_t n_made = 0;
    uint32_t i = 0;
    uint32_t queue = GSP_NONE; /* popped next */
    gspi_none(o->place, o->n);
    while (queue != GSP_NONE || i < o->n_list) {
        uint32_t const x = queue != GSP_NONE ? queue : o->list[i++];
        gspi_order_element *w = &o->element[x];
        queue = queue != GSP_NONE ? w->next : GSP_NONE;
        while (w->end > w->begin && o->place[o->need[w->end - 1u]] != GSP_NONE) {
            w->end--;
        }
        if (w->end > w->begin) {
            gspi_order_element *on = &o->element[o->need[w->end - 1u]];
            w->next = GSP_NONE;
            *(on->first == GSP_NONE ? &on->first : &o->element[on->last].next) = x;
            on->last = x;
            continue;
        }
        o->made[n_made] = x;
        o->place[x] = n_made++;
        if (w->first != GSP_NONE) {
            o->element[w->last].next = queue;
            queue = w->first;
        }
    }
    gspi_copy(o->list, o->made, n_made, sizeof(uint32_t));
    return n_made == o->n_list;
}

/* The nodes of a region: a column of the table of its group. */
typedef struct {
    const gsp_node *first;
    uint32_t step;
    uint32_t rows;
} gspi_region;

static gspi_region gspi_region_of(const gsp_regions *r, uint32_t group, uint32_t region)
{
    uint32_t const begin = r->group_begin[group];
    uint32_t const columns = r->group_regions[group];
    gspi_region const c = {
        r->members + begin + region, columns, (r->group_begin[group + 1u] - begin) / columns};
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

/* While groups are replaced, the value of an argument changes from the node to an item of a call,
 * or to all items of an aggregate. Numbers of values count nodes, then items. */
typedef struct {
    const gsp_graph *g;
    const gsp_dedup_selection *a;
} gspi_values;

/* Iterates over argument values of a node, flattened, after `time` subgraphs (all if GSP_NONE). */
typedef struct {
    gspi_arg_row args;
    uint32_t time;
    uint32_t token; /* argument that yields the value */
    uint32_t next;  /* next argument */
    uint32_t more;  /* remaining elements of an aggregate */
    uint32_t value; /* the current one */
    uint32_t index; /* index among the elements of an aggregate */
} gspi_walk;

static gspi_walk gspi_walk_over(const gspi_values *s, gsp_node v, uint32_t time)
{
    gspi_walk const k = {gspi_args(s->g, v), time, GSP_NONE, 0, 0, GSP_NONE, 0u};
    return k;
}

/* Kind of the aggregate that the TYPE of node v describes, or GSP_ARG_NONE. */
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

/* The value of a node, or the first of a replaced aggregate. */
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
        if (gspi_is_node(a)) {
            k->more = s->a->subgraph_of[a.value] < k->time ? gspi_value_count(s, a.value) : 1u;
            k->value = gspi_value_of(s, a.value, k->time) - 1u;
            k->index = UINT32_MAX;
        }
    }
    k->more--;
    k->value++;
    k->index++;
    return 1;
}

/* ----
 * >>dependences   Alias sets and memory dependences (implementation)
 * ---- */

/* Elements of an aggregate have consecutive alias sets, one per element that some operator.getitem
 * reads and one for all others; so the sets of a node are a range. A forward sweep over the last
 * writers of all sets finds reads after writes, a backward sweep over the next writers finds writes
 * after reads, without lists of readers. Both run twice, to count and to fill. */

typedef struct {
    const gsp_graph *g;
    uint64_t *key;     /* [n] storage or element; equal keys share alias sets */
    uint32_t *ids;     /* [n] */
    uint32_t *slot;    /* [n] alias set of an element in its aggregate; first get_attr of a key */
    uint32_t *n_slots; /* [n] alias sets for elements of an aggregate */
    gsp_node *writer;  /* [2 n] last or next writer of an alias set */
    uint32_t *written; /* [2 n + 1] number of written alias sets before it */
    uint32_t *stamp;   /* [n] last node that visited this one */
    uint64_t n_dependences;
    int fill; /* 1 to list dependences, 0 to count them */
    gsp_dependences result;
} gspi_dependences;

static void gspi_dependences_keep(gspi_bump *b, gsp_dependences *r, uint32_t n, uint32_t limit)
{
    r->alias_begin = gspi_kept(b, n);
    r->alias_end = gspi_kept(b, n);
    r->segment = gspi_kept(b, n);
    r->dependent_begin = gspi_kept(b, (size_t)n + 2u);
    r->dependents = gspi_kept(b, limit); /* last, so that unused bytes are returned */
}

static void gspi_dependences_layout(gspi_bump *b, gspi_dependences *w, uint32_t n, uint32_t limit)
{
    gspi_dependences_keep(b, &w->result, n, limit);
    w->key = gspi_longs(b, n);
    w->ids = gspi_words(b, n);
    w->slot = gspi_words(b, n);
    w->n_slots = gspi_words(b, n);
    w->writer = gspi_words(b, 2u * (size_t)n);
    w->written = gspi_words(b, 2u * (size_t)n + 1u);
    w->stamp = gspi_words(b, n);
}

static uint32_t gspi_dependences_max(const gsp_counts *c, uint32_t limit)
{
    return limit == 0u ? gspi_count_add(c->edges, c->edges) : limit;
}

static size_t gspi_dependences_bound(const gsp_counts *c, uint32_t limit)
{
    gspi_bump b = gspi_measure_with(sizeof(gspi_dependences));
    gspi_dependences w;
    gspi_dependences_layout(&b, &w, c->nodes, limit);
    return gspi_bound(&b);
}

size_t gsp_dependences_bound(const gsp_graph *graph, const gsp_dependences_desc *desc)
{
    gsp_counts const c = gsp_graph_counts(graph);
    return gspi_dependences_bound(
        &c, gspi_dependences_max(&c, desc == NULL ? 0u : desc->max_dependences));
}

static gsp_node gspi_dependences_next(
    const gsp_graph *g, gsp_node v, gsp_key key, gsp_written_iter *walk)
{
    gsp_str const t = gspi_attr_str(g, v, key);
    uint32_t position = 0;
    gspi_arg_row const args = gspi_args(g, v);
    while (t.data != NULL && gspi_callable(g, v) && gspi_next_position(t, &walk->at, &position)) {
        uint32_t const i = gspi_seek_leaf(args, &walk->token, &walk->position, position);
        if (i != GSP_NONE && gspi_is_node(args.at[i])) {
            return args.at[i].value;
        }
    }
    return GSP_NONE;
}

gsp_node gsp_node_next_written(const gsp_graph *graph, gsp_node node, gsp_written_iter *walk)
{
    return node < graph->n_nodes ? gspi_dependences_next(graph, node, GSP_KEY_MUTATES, walk)
                                 : GSP_NONE;
}

static gsp_node gspi_dependences_alias(const gsp_graph *g, gsp_node v)
{
    gsp_written_iter walk = {0u, 0, 0u};
    return gspi_dependences_next(g, v, GSP_KEY_ALIAS, &walk);
}

static int gspi_dependences_is_sound(const gsp_graph *g, gsp_node v, gsp_key key, uint64_t *sought)
{
    gsp_str const t = gspi_attr_str(g, v, key);
    uint32_t i = 0;
    uint32_t token = 0;
    uint32_t at = 0;
    uint32_t position;
    if (t.data == NULL || (t.size == 0u && key == GSP_KEY_MUTATES)) {
        return 1;
    }
    do {
        if (!gspi_callable(g, v) || !gspi_next_position(t, &i, &position)) {
            return 0;
        }
        *sought += position < at ? at : 0u;
        uint32_t const k = gspi_seek_leaf(gspi_args(g, v), &token, &at, position);
        if (k == GSP_NONE || !gspi_is_node(gspi_args(g, v).at[k])) {
            return 0;
        }
    } while (i < t.size && key == GSP_KEY_MUTATES && *sought <= GSPI_SOUGHT);
    return i >= t.size;
}

static gsp_status gspi_dependences_check(const gsp_graph *g, gsp_error *err)
{
    uint64_t sought = 0;
    for (gsp_node v = 0; v + 1u < g->n_nodes; v++) {
        int const sound = gspi_dependences_is_sound(g, v, GSP_KEY_ALIAS, &sought) &&
                          gspi_dependences_is_sound(g, v, GSP_KEY_MUTATES, &sought);
        GSPI_CHECK_NODE(sought <= GSPI_SOUGHT, LIMIT, WORK, v);
        GSPI_CHECK_NODE(sound, ARG, POSITION, v);
    }
    return GSP_OK;
}

/* The aggregate that getitem v aliases, as a whole or in one element, or GSP_NONE. */
static gsp_node gspi_dependences_aggregate(const gsp_graph *g, gsp_node v)
{
    gsp_node const u = gspi_getitem_source(g, v);
    return u != GSP_NONE && gsp_type_container(gspi_type_str(g, u), NULL) != GSP_ARG_NONE
               ? u
               : GSP_NONE;
}

/* Number of elements with memory of their own; GSP_NONE if this is no such aggregate. */
static uint32_t gspi_dependences_elements(const gsp_graph *g, gsp_node v)
{
    uint32_t elements;
    (void)gsp_type_container(gspi_type_str(g, v), &elements);
    return elements == GSP_NONE || gspi_op(g, v) == GSP_OP_GET_ATTR ||
                   gspi_dependences_alias(g, v) != GSP_NONE ||
                   gspi_dependences_aggregate(g, v) != GSP_NONE
               ? GSP_NONE
               : elements;
}

/* Slots of get_attr nodes by storage or target, and of getitem nodes by element. */
static void gspi_dependences_slots(gspi_dependences *w)
{
    uint32_t n = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t const elements = gspi_dependences_elements(w->g, v);
        gspi_row const users = gspi_users(w->g, v);
        if (gspi_op(w->g, v) == GSP_OP_GET_ATTR) {
            gsp_atom const s = gspi_attr(w->g, v, GSP_KEY_STORAGE);
            w->key[v] = s == GSP_NONE ? gspi_target_id(w->g, v) : ((uint64_t)1u << 32) | s;
            w->ids[n++] = v;
        }
        for (uint32_t i = 0; i < users.n && elements != GSP_NONE; i++) {
            gsp_node const u = users.at[i];
            uint32_t const element = gsp_node_element_of(w->g, u, elements);
            if (element != GSP_NONE && gspi_dependences_alias(w->g, u) == GSP_NONE) {
                w->key[u] = (((uint64_t)v + 2u) << 32) | element;
                w->ids[n++] = u;
            }
        }
    }
    gspi_sort(w->ids, n, w->key);
    for (uint32_t i = 0; i < n; i++) {
        gsp_node const v = w->ids[i];
        w->slot[v] = i > 0u && w->key[v] == w->key[w->ids[i - 1u]] ? w->slot[w->ids[i - 1u]]
                     : gspi_op(w->g, v) == GSP_OP_GET_ATTR
                         ? v
                         : w->n_slots[(uint32_t)(w->key[v] >> 32) - 2u]++;
    }
}

static void gspi_dependences_place(gspi_dependences *w, gsp_node v)
{
    gsp_dependences *r = &w->result;
    gsp_op const op = gspi_op(w->g, v);
    gsp_node const alias = op == GSP_OP_GET_ATTR ? w->slot[v] : gspi_dependences_alias(w->g, v);
    gsp_node const like = alias != GSP_NONE ? alias : gspi_dependences_aggregate(w->g, v);
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
    r->n_alias_sets += gspi_dependences_elements(w->g, v) == 0u ? 0u : w->n_slots[v] + 1u;
    r->alias_end[v] = r->n_alias_sets;
}

/* Segments and alias sets in graph order; the output has no alias set. */
static void gspi_dependences_alias_sets(gspi_dependences *w)
{
    gsp_dependences *r = &w->result;
    uint32_t const n = w->g->n_nodes;
    uint32_t barriers = 0;
    r->n_alias_sets = 0;
    gspi_none(w->slot, n);
    gspi_zero(w->n_slots, n);
    gspi_dependences_slots(w);
    for (gsp_node v = 0; v < n; v++) {
        int const output = v + 1u == n;
        uint32_t const barrier = gspi_callable(w->g, v) && gsp_node_is_barrier(w->g, v) ? 1u : 0u;
        r->segment[v] = 2u * barriers + barrier;
        barriers += barrier;
        r->alias_begin[v] = r->alias_end[v] = r->n_alias_sets;
        if (!output) {
            gspi_dependences_place(w, v);
        }
    }
}

/* Sets `value` for all alias sets that node v writes; returns 1 if any. */
static int gspi_dependences_write(
    const gspi_dependences *w, gsp_node v, uint32_t *sets, uint32_t value)
{
    gsp_written_iter walk = {0u, 0, 0u};
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

/* Makes prefix sums of the alias sets ever written; returns 0 if there are none, thus no
 * dependences. */
static int gspi_dependences_sums(gspi_dependences *w)
{
    int any = 0;
    uint32_t sum = 0;
    gspi_zero(w->written, (size_t)w->result.n_alias_sets + 1u);
    for (gsp_node v = 0; v + 1u < w->g->n_nodes; v++) {
        any |= gspi_dependences_write(w, v, w->written, 1);
    }
    for (uint32_t s = 0; s <= w->result.n_alias_sets; s++) {
        uint32_t const one = w->written[s];
        w->written[s] = sum;
        sum += one;
    }
    return any;
}

/* Adds dependences of v on earlier writers of its sets, or of later writers on v, each once. */
static void gspi_dependences_visit(gspi_dependences *w, gsp_node v, int forward)
{
    gsp_dependences *r = &w->result;
    gspi_row const inputs = gspi_inputs(w->g, v);
    for (uint32_t i = 0; i < inputs.n; i++) {
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

static void gspi_dependences_sweep(gspi_dependences *w, int forward)
{
    uint32_t const last = w->g->n_nodes - 1u;
    gspi_none(w->writer, w->result.n_alias_sets);
    gspi_none(w->stamp, w->g->n_nodes);
    for (uint32_t i = 0; i < last; i++) {
        gsp_node const v = forward ? i : last - 1u - i;
        gspi_row const known = forward ? gspi_inputs(w->g, v) : gspi_users(w->g, v);
        for (uint32_t k = 0; k < known.n; k++) {
            w->stamp[known.at[k]] = v;
        }
        if (forward) {
            gspi_dependences_visit(w, v, 1);
        }
        (void)gspi_dependences_write(w, v, w->writer, v);
        if (!forward) {
            gspi_dependences_visit(w, v, 0);
        }
    }
}

/* Counts, then lists the dependences. The count of node v is at v + 2. Prefix sums turn it into the
 * start of v at v + 1; listing advances that to the start of v + 1. */
static gsp_status gspi_dependences_list(gspi_dependences *w, uint32_t limit, gsp_error *err)
{
    gsp_dependences *r = &w->result;
    uint32_t const n = w->g->n_nodes;
    gspi_zero(r->dependent_begin, (size_t)n + 2u);
    w->n_dependences = 0;
    w->fill = 0;
    r->n_dependences = 0;
    if (!gspi_dependences_sums(w)) {
        return GSP_OK;
    }
    gspi_dependences_sweep(w, 1);
    gspi_dependences_sweep(w, 0);
    GSPI_CHECK_AMOUNT(w->n_dependences <= limit, LIMIT, DEPENDENCES, w->n_dependences, limit);
    w->fill = 1;
    r->n_dependences = (uint32_t)w->n_dependences;
    for (uint32_t i = 2; i <= n + 1u; i++) {
        r->dependent_begin[i] += r->dependent_begin[i - 1u];
    }
    gspi_dependences_sweep(w, 1);
    gspi_dependences_sweep(w, 0);
    return GSP_OK;
}

static gsp_status gspi_dependences_run(
    gsp_arena *arena, const gsp_graph *g, uint32_t limit, gsp_dependences *result, gsp_error *err)
{
    gsp_counts const c = gsp_graph_counts(g);
    gspi_pass pass;
    limit = gspi_dependences_max(&c, limit);
    gspi_begin(&pass, arena);
    gspi_dependences *w = GSPI_NEW(gspi_dependences);
    gspi_dependences_layout(&pass.bump, w, c.nodes, limit);
    w->g = g;
    gspi_dependences_alias_sets(w);
    GSPI_STEP(gspi_dependences_list(w, limit, err));
    w->result.n_nodes = g->n_nodes;
    arena->low -= (limit - w->result.n_dependences) * sizeof(gsp_node);
    *result = w->result;
    return GSPI_LEAVE();
}

gsp_status gsp_dependences_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_dependences_desc *desc, gsp_dependences *result, gsp_error *err)
{
    gsp_dependences_desc d;
    GSPI_GIVEN_PASS();
    GSPI_READ_DESC(d, desc);
    GSPI_TRY(gspi_dependences_check(graph, err));
    GSPI_TRY(gspi_room(arena, gsp_dependences_bound(graph, &d), err));
    return gspi_dependences_run(arena, graph, d.max_dependences, result, err);
}

/* Barriers add at most two edges per node. */
static void gspi_order_layout(
    gspi_bump *b, uint32_t **rows, const gsp_graph *g, const gsp_dependences *d)
{
    size_t const n = g->n_nodes;
    size_t const most = gspi_add(gsp_graph_counts(g).edges, gspi_mul_add(n, 2, d->n_dependences));
    for (uint32_t i = 0; i < 4u; i++) {
        rows[i] = gspi_kept(b, i % 2u == 0u ? n + 1u : most);
    }
}

size_t gsp_order_bound(const gsp_graph *graph, const gsp_dependences *dependences)
{
    gspi_bump b = gspi_measure();
    uint32_t *rows[4];
    gspi_order_layout(&b, rows, graph, dependences);
    return gspi_bound(&b);
}

gsp_status gsp_order_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_dependences *dependences, gsp_order *result, gsp_error *err)
{
    uint32_t *rows[4]; /* begin and at: before, after */
    uint32_t m = 0;
    gsp_node barrier = 0; /* the next one */
    GSPI_GIVEN_PASS();
    GSPI_GIVEN(dependences);
    GSPI_CHECK_RANGE(dependences->n_nodes == graph->n_nodes, n_nodes);
    GSPI_ENTER(gsp_order_bound(graph, dependences));
    gspi_order_layout(&pass.bump, rows, graph, dependences);
    uint32_t const n = graph->n_nodes;
    for (gsp_node v = 0; v < n; v++) {
        gsp_node u;
        rows[2][v] = m;
        for (uint32_t i = 0; (u = gspi_later(graph, dependences, v, i)) != GSP_NONE; i++) {
            rows[3][m++] = u;
        }
        while (barrier < n && (barrier <= v || dependences->segment[barrier] % 2u == 0u)) {
            barrier++;
        }
        u = dependences->segment[v] % 2u != 0u ? v + 1u : barrier;
        for (; u <= barrier && u < n; u++) {
            if (gspi_callable(graph, v) && gspi_callable(graph, u)) {
                rows[3][m++] = u;
            }
        }
    }
    rows[2][n] = m;
    gspi_rows(rows[3], m, n, rows[0], rows[1]);
    for (uint32_t i = 0; i < m; i++) { /* replaces each edge by the node of its row */
        rows[1][i] = gspi_lower_bound(rows[2], n, rows[1][i] + 1u) - 1u;
    }
    result->before.begin = rows[0];
    result->before.at = rows[1];
    result->after.begin = rows[2];
    result->after.at = rows[3];
    return GSPI_LEAVE();
}

/* ----
 * >>node_classes   Classes of identical nodes (implementation)
 * ---- */

/* A hash table of classes. Keywords may have any order: the hash adds the values of all keys, and
 * the comparison sorts them unless both nodes agree. */

typedef struct {
    gsp_node_classes result;
    uint32_t *hash;  /* [n] by class */
    gsp_node *table; /* [slots] a class, or GSP_NONE */
    uint32_t slots;
} gspi_classes;

static void gspi_classes_keep(gspi_bump *b, gsp_node_classes *r, uint32_t n)
{
    r->class_of = gspi_kept(b, n);
    r->class_begin = gspi_kept(b, (size_t)n + 1u);
    r->nodes = gspi_kept(b, n);
}

static void gspi_classes_layout(gspi_bump *b, gspi_classes *w, uint32_t n)
{
    w->slots = gspi_pow2(gspi_count_add(n, n / 2u));
    gspi_classes_keep(b, &w->result, n);
    w->hash = gspi_words(b, n);
    w->table = gspi_words(b, w->slots == 0u ? SIZE_MAX : w->slots);
}

static size_t gspi_classes_bound(uint32_t n)
{
    gspi_bump b = gspi_measure();
    gspi_classes w;
    gspi_classes_layout(&b, &w, n);
    return gspi_bound(&b);
}

size_t gsp_node_classes_bound(const gsp_graph *graph, const gsp_node_classes_desc *desc)
{
    (void)desc;
    return gspi_classes_bound(graph->n_nodes);
}

static uint32_t gspi_mix(uint32_t h, uint32_t x)
{
    h = (h ^ x) * 0x9E3779B1u;
    return h ^ (h >> 15);
}

/* Attributes that must be equal. */
static const uint8_t gspi_traits[] = {GSP_KEY_KEY, GSP_KEY_STATE, GSP_KEY_MUTATES, GSP_KEY_ALIAS};

/* Value of an argument token, which for a node is its TYPE. */
static uint32_t gspi_classes_value(const gsp_graph *g, gsp_arg a)
{
    return gspi_is_node(a) ? g->module->type[g->first + a.value] : a.value;
}

/* The sum of the graphs that annotations of a node name. */
static uint32_t gspi_classes_called(const gsp_graph *g, gsp_node v)
{
    gsp_called c = {0, 0, UINT32_MAX, 0, 0};
    uint32_t sum = 0;
    while (gsp_called_next(g, v, &c)) {
        sum += c.graph;
    }
    return sum;
}

static uint32_t gspi_classes_hash(const gsp_graph *g, gsp_node v)
{
    gspi_arg_row const args = gspi_args(g, v);
    const gsp_attr *any = g->module->attrs + g->module->attr[g->first + v];
    uint32_t h = gspi_mix(gspi_target_id(g, v), g->module->op[g->first + v]);
    uint32_t sum = g->module->counts.graphs > 1u ? gspi_classes_called(g, v) : 0u;
    int keyed = 0;
    h = gspi_mix(h, g->module->type[g->first + v]);
    for (uint32_t i = 0; any->key != GSP_KEY_NONE && i < sizeof(gspi_traits); i++) {
        gsp_atom const trait = gspi_attr(g, v, (gsp_key)gspi_traits[i]);
        h = trait == GSP_NONE ? h : gspi_mix(h + i, trait);
    }
    for (uint32_t i = 0; i < args.n; i++) {
        if (gspi_is_key(args.at[i]) || (keyed && args.at[i].kind == GSP_ARG_CLOSE)) {
            sum += gspi_mix(h, h >> 16);
            h = 1;
            keyed = 1;
        }
        h = gspi_mix(gspi_mix(h, args.at[i].kind), gspi_classes_value(g, args.at[i]));
    }
    return gspi_mix(sum + gspi_mix(h, h >> 16), args.n);
}

/* Start of the value that ends with token `i`. */
static uint32_t gspi_classes_start(const gsp_arg *args, uint32_t i)
{
    return args[i].kind == GSP_ARG_CLOSE ? i - args[i].value : i;
}

/* The key after `after` (or the first) by id, then position, at the level of `key`, or GSP_NONE. */
static uint32_t gspi_classes_key(const gsp_arg *args, uint32_t count, uint32_t key, uint32_t after)
{
    uint32_t best = GSP_NONE;
    uint32_t i = key;
    while (i > 0u && args[i - 1u].kind != GSP_ARG_DICT) {
        uint32_t const start = gspi_classes_start(args, i - 1u);
        if (start == 0u || !gspi_is_key(args[start - 1u])) {
            break;
        }
        i = start - 1u;
    }
    for (; i < count && gspi_is_key(args[i]); i = gspi_element_end(args, i)) {
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
    return i < count && gspi_is_key(args[i]) ? gspi_classes_key(args, count, i, GSP_NONE) : i;
}

/* The token after `i` with keys in order; `count` at the end. */
static uint32_t gspi_classes_next(const gsp_arg *args, uint32_t count, uint32_t i)
{
    uint32_t const start = gspi_classes_start(args, i);
    uint32_t next = i + 1u;
    if (gspi_is_key(args[i])) {
        return next;
    }
    if (gspi_is_opening(args[i].kind) || start == 0u || !gspi_is_key(args[start - 1u])) {
        return gspi_classes_enter(args, count, next); /* a container opens, or no key precedes */
    }
    uint32_t const key = gspi_classes_key(args, count, start - 1u, start - 1u);
    while (key == GSP_NONE && next < count && gspi_is_key(args[next])) {
        next = gspi_element_end(args, next);
    }
    return key != GSP_NONE ? key : next;
}

/* 1 if b has the annotations of a that name graphs. */
static int gspi_classes_runs(const gsp_graph *g, gsp_node a, gsp_node b)
{
    gsp_called c = {0, 0, UINT32_MAX, 0, 0};
    while (gsp_called_next(g, a, &c)) {
        const gsp_attr *x = &g->module->attrs[g->module->attr[g->first + a] + c.attr];
        if (gspi_attr(g, b, (gsp_key)x->key) != x->value) {
            return 0;
        }
    }
    return 1;
}

int gsp_node_equal(const gsp_graph *graph, gsp_node a, gsp_node b)
{
    if (a >= graph->n_nodes || b >= graph->n_nodes) {
        return 0;
    }
    const gsp_atom *type = graph->module->type + graph->first;
    gspi_arg_row const x = gspi_args(graph, a);
    gspi_arg_row const y = gspi_args(graph, b);
    int same = gspi_op(graph, a) == gspi_op(graph, b) && type[a] == type[b] && x.n == y.n &&
               gspi_target_id(graph, a) == gspi_target_id(graph, b) &&
               (x.n != 0u || gspi_inputs(graph, a).n == gspi_inputs(graph, b).n);
    const uint32_t *attr = graph->module->attr + graph->first;
    for (uint32_t i = 0; same && attr[a] != attr[b] && i < sizeof(gspi_traits); i++) {
        gsp_key const key = (gsp_key)gspi_traits[i];
        same = gspi_attr(graph, a, key) == gspi_attr(graph, b, key);
    }
    if (same && graph->module->counts.graphs > 1u) {
        same = gspi_classes_runs(graph, a, b) && gspi_classes_runs(graph, b, a);
    }
    for (int sorted = 0; same && sorted < 2; sorted++) { /* token by token, then keys in order */
        uint32_t i = sorted ? gspi_classes_enter(x.at, x.n, 0) : 0u;
        uint32_t k = sorted ? gspi_classes_enter(y.at, x.n, 0) : 0u;
        while (i < x.n && k < x.n && x.at[i].kind == y.at[k].kind &&
               gspi_classes_value(graph, x.at[i]) == gspi_classes_value(graph, y.at[k])) {
            i = sorted ? gspi_classes_next(x.at, x.n, i) : i + 1u;
            k = sorted ? gspi_classes_next(y.at, x.n, k) : k + 1u;
        }
        if (i == x.n) {
            return 1;
        }
    }
    return 0;
}

/* The class of node v; result.nodes holds the first node of each. */
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
    r->class_begin[c] = 0;
    return c;
}

/* Rows of the classes of several nodes. */
static void gspi_classes_rows(gspi_classes *w)
{
    gsp_node_classes *r = &w->result;
    uint32_t kept = 0;
    for (uint32_t c = 0; c < r->n_classes; c++) {
        w->hash[c] = r->class_begin[c] > 1u ? kept : GSP_NONE; /* its new number */
        r->class_begin[kept] = r->class_begin[c];
        kept += r->class_begin[c] > 1u;
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
    uint32_t const mask = some ? ((uint32_t)1u << hash_bits) - 1u : UINT32_MAX;
    gsp_node_classes *r = &w.result;
    gspi_begin(&pass, arena);
    gspi_classes_layout(&pass.bump, &w, g->n_nodes);
    gspi_none(w.table, w.slots);
    r->n_nodes = g->n_nodes;
    r->n_classes = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        r->class_of[v] = GSP_NONE;
        if (gspi_callable(g, v) && !gsp_node_is_barrier(g, v)) {
            r->class_of[v] = gspi_classes_find(&w, g, v, gspi_classes_hash(g, v) & mask);
            r->class_begin[r->class_of[v]]++; /* counts, until gspi_classes_rows() */
        }
    }
    gspi_classes_rows(&w);
    *result = *r;
    return GSPI_LEAVE();
}

gsp_status gsp_node_classes_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_node_classes_desc *desc, gsp_node_classes *result, gsp_error *err)
{
    gsp_node_classes_desc d;
    GSPI_GIVEN_PASS();
    GSPI_READ_DESC(d, desc);
    GSPI_TRY(gspi_room(arena, gspi_classes_bound(graph->n_nodes), err));
    return gspi_classes_run(arena, graph, d.hash_bits, result, err);
}

/* ----
 * >>regions   Repeated regions (implementation)
 * ---- */

/* A candidate is an input of a member. It and its ancestors are ancestors of the end of the region,
 * so the ancestors of a region never change while it grows. A step closes a cycle if and only if a
 * user of the candidate outside the region reaches the end in the original graph. Barriers cut the
 * graph into segments that run one after the other. Within a segment three numbers per node answer
 * nearly all queries (GRAIL): its level, its post-order number, and the least post-order number
 * that it reaches. A search answers the others.
 *
 * The queue of a region holds its members in order of addition, and their inputs: two numbers give
 * the next entry. Regions other than the first add a node at most once. A first region may repeat a
 * node, each time with a new node in another region: all tables have at most 3 n entries.
 */

typedef struct {
    uint32_t level; /* longest path from a source */
    uint32_t post;  /* number in a post-order along users */
    uint32_t low;   /* least reachable post */
} gspi_reach;

typedef struct {
    const gsp_graph *g;
    gspi_reach *index;   /* [n] */
    uint32_t *seen;      /* [n] last search that visited this node */
    uint32_t *stack;     /* [n] */
    uint32_t *in[2];     /* [n] last region that holds it: of the first regions, of the others */
    gsp_bitset claimed;  /* added by any step */
    gsp_bitset adding;   /* in the current step */
    gsp_node *row;       /* [n] candidates of the current step */
    uint32_t *at_member; /* [n] queues: next member ... */
    uint32_t *at_input;  /* [n] ... and next input of it */
    uint64_t *key;       /* [n + 1] keys to sort after growth; shares memory with the queues */
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
    r->group_begin = gspi_kept(b, n / 2u + 1u);
    r->group_regions = gspi_kept(b, n / 2u);
    r->members = gspi_kept(b, 3u * (size_t)n);
}

static void gspi_regions_layout(gspi_bump *b, gspi_regions *w, uint32_t n)
{
    size_t const words = gsp_bitset_words(n);
    gspi_regions_tables(b, &w->result, n);
    w->index = GSPI_HIGH(b, gspi_reach, n);
    w->seen = gspi_words(b, n);
    w->stack = gspi_words(b, n);
    w->in[0] = gspi_words(b, n);
    w->in[1] = gspi_words(b, n);
    w->claimed.words = gspi_words(b, words);
    w->adding.words = gspi_words(b, words);
    w->row = gspi_words(b, n);
    w->key = gspi_longs(b, (size_t)n + 1u);
    w->at_member = (uint32_t *)(void *)w->key;
    w->at_input = w->at_member == NULL ? NULL : w->at_member + n;
    w->ids = gspi_words(b, (size_t)n + 1u);
}

/* Three passes, one after the other in the remaining space. */
GSPI_OWN_FRAME size_t gspi_regions_bound(const gsp_counts *c, uint32_t limit)
{
    gspi_bump b = gspi_measure_with(sizeof(gspi_regions));
    gspi_regions w;
    size_t most = gspi_add(b.used, gspi_dependences_bound(c, limit));
    gspi_dependences_keep(&b, &w.result.dependences, c->nodes, limit);
    most = gspi_max(most, gspi_add(b.used, gspi_classes_bound(c->nodes)));
    gspi_classes_keep(&b, &w.result.classes, c->nodes);
    gspi_regions_layout(&b, &w, c->nodes);
    return gspi_max(most, gspi_bound(&b));
}

size_t gsp_regions_bound(const gsp_graph *graph, const gsp_regions_desc *desc)
{
    gsp_counts const c = gsp_graph_counts(graph);
    uint32_t const limit = desc == NULL ? 0u : desc->max_dependences;
    return gspi_regions_bound(&c, gspi_dependences_max(&c, limit));
}

/* Visits depth first from `root`; `seen` is 1 + the visited successors. Returns the next post
 * number. */
static uint32_t gspi_regions_visit(const gspi_regions *w, gsp_node root, uint32_t post)
{
    uint32_t depth = 1;
    w->stack[0] = root;
    w->seen[root] = 1;
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
            w->seen[u] = 1;
            w->stack[depth++] = u;
            continue; /* then returns to this successor */
        }
        w->seen[v]++;
        x->low = w->index[u].low < x->low ? w->index[u].low : x->low;
    }
    return post;
}

static void gspi_regions_index(const gspi_regions *w)
{
    uint32_t const n = w->g->n_nodes;
    uint32_t post = 0;
    gsp_node u;
    gspi_zero(w->seen, n);
    for (gsp_node v = 0; v < n; v++) {
        gspi_reach const unknown = {0u, 0, UINT32_MAX};
        w->index[v] = unknown;
    }
    for (gsp_node v = 0; v < n; v++) {
        uint32_t const level = w->index[v].level + 1u;
        post = w->seen[v] == 0u ? gspi_regions_visit(w, v, post) : post;
        for (uint32_t i = 0; (u = gspi_later(w->g, &w->result.dependences, v, i)) != GSP_NONE;
             i++) {
            w->index[u].level = w->index[u].level < level ? level : w->index[u].level;
        }
    }
    gspi_zero(w->seen, n);
}

/* Returns 0 if there is no path from v to `end`, 1 if there may be one. */
static int gspi_regions_may_reach(const gspi_regions *w, gsp_node v, gsp_node end)
{
    const gspi_reach *x = &w->index[v];
    const gspi_reach *y = &w->index[end];
    return v < end && x->level < y->level && x->low <= y->low && y->post < x->post;
}

/* 1 if a path leads from v to another node `end`. */
static int gspi_regions_reaches(gspi_regions *w, gsp_node v, gsp_node end)
{
    uint32_t depth = 0;
    if (!gspi_regions_may_reach(w, v, end)) {
        return 0;
    }
    if (GSPI_NEVER(++w->n_seen == 0u)) {
        gspi_zero(w->seen, w->g->n_nodes);
        w->n_seen = 1;
    }
    w->stack[depth++] = v;
    w->seen[v] = w->n_seen;
    while (depth > 0u) {
        gsp_node u;
        v = w->stack[--depth];
        for (uint32_t i = 0; (u = gspi_later(w->g, &w->result.dependences, v, i)) != GSP_NONE;
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
    for (uint32_t i = 0; (u = gspi_later(w->g, d, c, i)) != GSP_NONE; i++) {
        w->result.work++;
        if (u < end && !gspi_regions_holds(w, region, u) && gspi_regions_reaches(w, u, end)) {
            return 1;
        }
    }
    return 0;
}

/* Next node of the queue of a region, or GSP_NONE. */
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

/* Pops all queues into w->row; 1 if the candidates are of one class, distinct and, except
 * the first, in no region yet. All queues advance in any case. */
static int gspi_regions_pop_all(gspi_regions *w)
{
    const uint32_t *class_of = w->result.classes.class_of;
    int good = class_of[w->row[0]] != GSP_NONE;
    uint32_t n = 1;
    for (uint32_t i = 1; i < w->columns; i++) {
        gsp_node const c = gspi_regions_pop(w, i);
        good = good && c != GSP_NONE && c != w->row[0] && class_of[c] == class_of[w->row[0]] &&
               !gsp_bitset_has(&w->claimed, c) && !gsp_bitset_has(&w->adding, c);
        if (good) {
            gsp_bitset_set(&w->adding, c);
            w->row[n++] = c;
        }
    }
    for (uint32_t i = 1; i < n; i++) {
        gsp_bitset_clear(&w->adding, w->row[i]);
    }
    return good;
}

static gsp_status gspi_regions_grow(gspi_regions *w, gsp_error *err)
{
    for (uint32_t i = 0; i < w->columns; i++) {
        gspi_regions_hold(w, i, w->table[i]);
        w->at_member[i] = 0;
        w->at_input[i] = 0;
    }
    while ((w->row[0] = gspi_regions_pop(w, 0)) != GSP_NONE) {
        int good = gspi_regions_pop_all(w);
        for (uint32_t i = 0; good && i < w->columns; i++) {
            good = !gspi_regions_is_cyclic(w, i, w->row[i]);
        }
        GSPI_CHECK_AMOUNT(w->max_work == 0u || w->result.work <= w->max_work, LIMIT, WORK,
            w->result.work, w->max_work);
        for (uint32_t i = 0; good && i < w->columns; i++) {
            w->table[(size_t)w->rows * w->columns + i] = w->row[i];
            gspi_regions_hold(w, i, w->row[i]);
            gsp_bitset_set(&w->claimed, w->row[i]);
        }
        w->rows += good ? 1u : 0u;
    }
    return GSP_OK;
}

/* Sorts rows by the node of the first region; of equal ones, the later row first. */
static void gspi_regions_sort(const gspi_regions *w)
{
    for (uint32_t p = 0; p < w->rows; p++) {
        w->ids[p] = p;
        w->key[p] = ((uint64_t)w->table[(size_t)p * w->columns] << 32) | (UINT32_MAX - p);
    }
    gspi_sort(w->ids, w->rows, w->key);
    for (uint32_t i = 0; i < w->columns; i++) {
        for (uint32_t p = 0; p < w->rows; p++) {
            w->row[p] = w->table[(size_t)w->ids[p] * w->columns + i];
        }
        for (uint32_t p = 0; p < w->rows; p++) {
            w->table[(size_t)p * w->columns + i] = w->row[p];
        }
    }
}

/* 1 if row p holds getitems and some region lacks their aggregate. */
static int gspi_regions_lacks_aggregate(const gspi_regions *w, uint32_t p)
{
    const gsp_node *row = w->table + (size_t)p * w->columns;
    gsp_node u;
    for (uint32_t i = 0; i < w->columns; i++) {
        if ((u = gspi_dependences_aggregate(w->g, row[i])) == GSP_NONE) {
            return 0; /* the nodes of a row are identical */
        }
        if (!gspi_regions_holds(w, i, u)) {
            return 1;
        }
    }
    return 0;
}

/* Removes rows of getitems without aggregate; rows of a node are adjacent. */
static void gspi_regions_getitems(gspi_regions *w)
{
    uint32_t kept = 0;
    for (uint32_t p = 0; p < w->rows; p++) {
        const gsp_node *row = w->table + (size_t)p * w->columns;
        if (!gspi_regions_lacks_aggregate(w, p)) {
            gspi_copy(w->table + (size_t)kept * w->columns, row, kept == p ? 0u : w->columns,
                sizeof(gsp_node));
            kept++;
            continue;
        }
        if (!((kept > 0u && w->table[(size_t)(kept - 1u) * w->columns] == row[0]) ||
                (p + 1u < w->rows && row[w->columns] == row[0]))) {
            w->in[0][row[0]] = 0;
        }
        for (uint32_t i = 1; i < w->columns; i++) {
            w->in[1][row[i]] = 0;
        }
    }
    w->rows = kept;
}

static gsp_status gspi_regions_of_class(gspi_regions *w, uint32_t class_of, gsp_error *err)
{
    gsp_regions *r = &w->result;
    const uint32_t *begin = r->classes.class_begin + class_of;
    w->table = r->members + r->group_begin[r->n_groups];
    w->rows = 1;
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

/* Copies a given group. The nodes of a column differ, and all are in one segment. */
static gsp_status gspi_regions_take(gspi_regions *w, const gsp_regions *given, gsp_error *err)
{
    gsp_regions *r = &w->result;
    uint32_t const begin = r->group_begin[r->n_groups];
    uint32_t const columns = given->group_regions[r->n_groups];
    uint32_t const end = given->group_begin[r->n_groups + 1u];
    GSPI_CHECK_RANGE(columns > 1u && begin < end && end - begin >= 2u * (size_t)columns &&
                         (end - begin) % columns == 0u && end <= 3u * (size_t)w->g->n_nodes,
        group_begin);
    for (uint32_t i = 0; i < end - begin; i++) {
        const gsp_node *v = given->members + begin + i;
        uint32_t const column = i % columns;
        GSPI_CHECK_RANGE(
            *v < w->g->n_nodes && r->classes.class_of[*v] != GSP_NONE &&
                r->classes.class_of[*v] == r->classes.class_of[v[-(ptrdiff_t)column]] &&
                r->dependences.segment[*v] ==
                    r->dependences.segment[given->members[begin + column]] &&
                w->seen[*v] != w->number + column,
            members);
        w->seen[*v] = w->number + column;
        r->members[begin + i] = *v;
    }
    w->number += columns;
    r->group_regions[r->n_groups] = columns;
    r->group_begin[++r->n_groups] = end;
    return GSP_OK;
}

static gsp_status gspi_regions_find(gspi_regions *w, const gsp_regions *given, gsp_error *err)
{
    uint32_t const n = w->g->n_nodes;
    w->result.n_groups = 0;
    w->result.group_begin[0] = 0;
    w->result.work = 0;
    w->number = 1;
    w->n_seen = 0;
    gspi_regions_index(w);
    gspi_zero(w->in[0], n);
    gspi_zero(w->in[1], n);
    gsp_bitset_init(&w->claimed, w->claimed.words, n);
    gsp_bitset_init(&w->adding, w->adding.words, n);
    GSPI_CHECK_RANGE(given == NULL || given->n_groups <= n / 2u, n_groups);
    while (given != NULL && w->result.n_groups < given->n_groups) {
        GSPI_TRY(gspi_regions_take(w, given, err));
    }
    for (uint32_t c = w->result.classes.n_classes; given == NULL && c > 0u; c--) {
        GSPI_TRY(gspi_regions_of_class(w, c - 1u, err));
    }
    return GSP_OK;
}

static gsp_status gspi_regions_run(gsp_arena *arena, const gsp_graph *g, const gsp_regions_desc *d,
    const gsp_regions *given, gsp_regions *result, gsp_error *err)
{
    gspi_pass pass;
    gspi_begin(&pass, arena);
    gspi_regions *w = GSPI_NEW(gspi_regions);
    gsp_regions *r = &w->result;
    w->g = g;
    w->max_work = d->max_work;
    GSPI_STEP(gspi_dependences_run(arena, g, d->max_dependences, &r->dependences, err));
    (void)gspi_classes_run(arena, g, d->hash_bits, &r->classes, err);
    gspi_regions_layout(&pass.bump, w, g->n_nodes);
    GSPI_STEP(gspi_regions_find(w, given, err));
    *result = *r;
    return GSPI_LEAVE();
}

gsp_status gsp_regions_run(gsp_arena *arena, const gsp_graph *graph, const gsp_regions_desc *desc,
    gsp_regions *result, gsp_error *err)
{
    gsp_regions_desc d;
    GSPI_GIVEN_PASS();
    GSPI_READ_DESC(d, desc);
    GSPI_TRY(gspi_dependences_check(graph, err));
    GSPI_TRY(gspi_room(arena, gsp_regions_bound(graph, &d), err));
    return gspi_regions_run(arena, graph, &d, NULL, result, err);
}

/* ----
 * >>dedup   Replacement of regions by calls of one subgraph (implementation)
 * ---- */

/* Groups are replaced one by one, each checked on the graph after the previous ones (gspi_values).
 * The first attempt tests for cycles at the end, since contracting fewer regions closes no more. On
 * a cycle, a second one keeps an order of the contracted graph (Pearce and Kelly): each node has a
 * label in a slot of its own; a contracted region takes that of its last node, and the nodes that
 * it reaches before the end of that slot move to the end. */

/* The last region considered that holds a node, and its row there. */
typedef struct {
    uint32_t region;
    uint32_t row;
} gspi_select_node;

/* A value that regions read from outside, and its counterparts. */
typedef struct {
    uint32_t mark;       /* last region considered that reads it */
    uint32_t pair;       /* its counterpart in the region of the first call */
    uint32_t mark_first; /* last region compared; that of the first call reads this value */
    uint32_t pair_first; /* its counterpart in that last region */
} gspi_match;

typedef struct {
    gspi_values s;
    gspi_select_node *in; /* [n] */
    gspi_match *match;    /* [n + items] */
    gspi_region region;   /* the current one */
    uint32_t n_regions;   /* considered */
    uint32_t first;       /* region of the first call, or GSP_NONE */
    uint32_t n_taken;     /* calls */
    int has_inputs;
    uint32_t *outs; /* output positions of the group */
    uint32_t n_outs;
    const gsp_dependences *d;
    const gsp_node *table; /* members of the group */
    uint64_t *label;       /* [n] ascending order of the units, to find cycles */
    uint32_t *unit;        /* [n] for Kahn, first node of its region, or the node itself */
    uint32_t *edges;       /* [n] remaining edges into a node from other units */
    uint32_t *mark_set;    /* [2 n] 2 * last region with this set, + 1 if only shared elements */
    gsp_dedup_selection result;
    uint32_t *seen; /* [n] */
    const gsp_regions *r;
    uint32_t *item_set;  /* [n + outputs] alias set of an element; GSP_NONE for the shared one */
    uint32_t *row_first; /* [n] row of a node in the region of the first call */
    uint32_t *top;       /* [n] last label in the slot of a node */
    uint32_t *after;     /* [n] nodes that a region reaches */
    uint32_t n_labels;   /* nodes with a label */
    uint32_t max_outputs;
    uint32_t n_seen;
    int check_cycles; /* 1 to test every region for a cycle */
    uint32_t group;   /* the current group */
    gspi_kahn kahn;   /* over units, in `after` */
    uint64_t undo;    /* previous label of the first node of the last contracted region */
    uint64_t max_work;
} gspi_select;

static uint32_t gspi_dedup_outputs_max(uint32_t nodes, uint32_t limit)
{
    return limit == 0u ? gspi_count_add(nodes / 2u, 32) : limit;
}

static void gspi_select_keep(gspi_bump *b, gsp_dedup_selection *a, uint32_t n, uint32_t limit)
{
    a->subgraph_of = gspi_kept(b, n);
    a->call_of = gspi_kept(b, n);
    a->item_of = gspi_kept(b, n);
    a->group_of = gspi_kept(b, n / 4u + 1u);
    a->call_begin = gspi_kept(b, n / 4u + 1u);
    a->region_of = gspi_kept(b, n);
    a->out_begin = gspi_kept(b, n / 4u + 1u);
    a->outs = gspi_kept(b, (size_t)n + 1u);
    a->item_begin = gspi_kept(b, n / 2u + 1u);
    a->item_node = gspi_kept(b, gspi_add(n, limit));
}

static void gspi_select_layout(gspi_bump *b, gspi_select *w, uint32_t n, uint32_t limit)
{
    size_t const items = gspi_add(n, limit);
    gspi_select_keep(b, &w->result, n, limit);
    w->item_set = gspi_words(b, items);
    w->in = GSPI_HIGH(b, gspi_select_node, n);
    w->row_first = gspi_words(b, n);
    w->match = GSPI_HIGH(b, gspi_match, gspi_add(items, n));
    w->mark_set = gspi_words(b, 2u * (size_t)n);
    w->label = gspi_longs(b, n);
    w->top = gspi_words(b, n);
    w->after = gspi_words(b, n);
    w->seen = gspi_words(b, n);
    w->unit = w->top; /* unused while Kahn's algorithm runs */
    w->edges = w->row_first;
    w->kahn = gspi_kahn_start(w->after, w->seen, GSP_TOPO_ORDER_QUEUE);
}

static gsp_node gspi_select_member(const gspi_select *w, uint32_t row)
{
    return gspi_region_node(&w->region, row);
}

static void gspi_select_enter(gspi_select *w, uint32_t region)
{
    w->n_regions++;
    w->region.first = w->table + region;
    for (uint32_t p = 0; p < w->region.rows; p++) {
        gspi_select_node const in = {w->n_regions, p};
        w->in[gspi_select_member(w, p)] = in;
    }
}

/* 1 if v, not replaced, has a reader, or its call, outside the current region. */
static int gspi_select_is_output(const gspi_select *w, gsp_node v)
{
    const uint32_t *subgraph_of = w->result.subgraph_of;
    gspi_row const users = gspi_users(w->s.g, v);
    for (uint32_t i = 0; i < users.n && subgraph_of[v] == GSP_NONE; i++) {
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
    w->n_outs = 0;
    gspi_zero(w->after, w->region.rows);
    for (uint32_t i = 0; i < w->region.step; i++) {
        gspi_select_enter(w, i);
        for (uint32_t p = 0; p < w->region.rows; p++) {
            w->after[p] = w->after[p] != 0u || gspi_select_is_output(w, gspi_select_member(w, p));
        }
    }
    for (uint32_t p = 0; p < w->region.rows; p++) {
        if (w->after[p] != 0u) {
            w->outs[w->n_outs++] = p;
        }
    }
}

/* Marks a range of alias sets; 1 when the region marked one before. */
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
    gsp_written_iter walk = {0u, 0, 0u};
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

/* 1 if aggregate v can be returned by element. Then all are known, it is no view, and no reader of
 * the whole has argument positions (alias=, mutates=). */
static int gspi_select_can_leave(const gspi_select *w, gsp_node v)
{
    const gsp_graph *g = w->s.g;
    gspi_row const users = gspi_users(g, v);
    uint32_t elements;
    if (gsp_type_container(gspi_type_str(g, v), &elements) == GSP_ARG_NONE) {
        return 1;
    }
    int good = elements != GSP_NONE && gspi_attr(g, v, GSP_KEY_ALIAS) == GSP_NONE;
    for (uint32_t i = 0; i < users.n && good; i++) {
        gsp_node const u = users.at[i];
        good = w->in[u].region == w->n_regions || gsp_node_element_of(g, u, elements) != GSP_NONE ||
               (gspi_attr(g, u, GSP_KEY_ALIAS) == GSP_NONE &&
                   gspi_attr(g, u, GSP_KEY_MUTATES) == GSP_NONE);
    }
    return good;
}

/* 1 if no node of the region is replaced, and its inputs are no aggregates and do not alias. */
static int gspi_select_inputs(gspi_select *w)
{
    for (uint32_t p = 0; p < w->region.rows; p++) {
        gsp_node const v = gspi_select_member(w, p);
        gspi_walk k = gspi_walk_over(&w->s, v, GSP_NONE);
        if (w->result.subgraph_of[v] != GSP_NONE || w->result.call_of[v] != GSP_NONE) {
            return 0;
        }
        while (gspi_walk_next(&w->s, &k)) {
            int const node = k.value < w->s.g->n_nodes;
            if (node && w->in[k.value].region == w->n_regions) {
                if (w->in[k.value].row >= p) {
                    return 0; /* the rows are in the order of the first column */
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

/* 1 if a region may be replaced; wiring and cycles are tested later. */
static int gspi_select_may(gspi_select *w, uint32_t region)
{
    gspi_select_enter(w, region);
    w->has_inputs = w->first == GSP_NONE ? 0 : w->has_inputs;
    int good = gspi_select_inputs(w);
    for (uint32_t p = 0; p < w->region.rows && good; p++) {
        good = !gspi_select_writes(w, gspi_select_member(w, p));
    }
    for (uint32_t i = 0; i < w->n_outs && good; i++) {
        gsp_node const v = gspi_select_member(w, w->outs[i]);
        good = gspi_select_can_leave(w, v) &&
               !gspi_select_mark(w, w->d->alias_begin[v], w->d->alias_end[v]);
    }
    return good;
}

/* 1 if a of the first and b of the current region match, by row or, outside, one to one. */
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

/* Members v of the first and u of the current region; keys without nodes have any order. */
static int gspi_select_same_node(const gspi_select *w, gsp_node v, gsp_node u)
{
    gspi_walk a = gspi_walk_over(&w->s, v, GSP_NONE);
    gspi_walk b = gspi_walk_over(&w->s, u, GSP_NONE);
    uint32_t i = 0;
    while (gspi_walk_next(&w->s, &a)) {
        if (!gspi_walk_next(&w->s, &b) || a.token != b.token) {
            return 0;
        }
        for (; i < a.token; i++) {
            gsp_arg const x = a.args.at[i];
            if (gspi_is_key(x) && x.value != b.args.at[i].value) {
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
    for (uint32_t p = 0; p < w->region.rows; p++) {
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
    for (uint32_t i = 0; (x = gspi_later(w->s.g, w->d, v, i)) != GSP_NONE; i++) {
        w->result.work++;
        if (w->in[x].region == w->n_regions) {
            back = 1;
            continue;
        }
        x = gspi_select_part(w, x, 0); /* the label is at the first node of a unit */
        if (w->label[x] <= last && w->seen[x] != w->n_seen) {
            w->seen[x] = w->n_seen;
            w->after[(*n_after)++] = x;
        }
    }
    return back;
}

/* Contracts the current region unless that closes a cycle. The region takes the label of its last
 * node; its successors in or before that slot move to the end of the slot. */
static int gspi_select_contract(gspi_select *w)
{
    uint64_t last = 0;
    uint32_t n = 0;
    gsp_node v;
    for (uint32_t p = 0; p < w->region.rows; p++) {
        v = gspi_select_member(w, p);
        last = w->label[v] > last ? w->label[v] : last;
    }
    uint64_t const end = last | UINT32_MAX;
    w->n_seen++;
    for (uint32_t p = 0; p < w->region.rows; p++) {
        (void)gspi_select_follow(w, gspi_select_member(w, p), end, &n);
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t p = 0; (v = gspi_select_part(w, w->after[i], p)) != GSP_NONE; p++) {
            if (gspi_select_follow(w, v, end, &n)) {
                return 0;
            }
        }
    }
    gspi_sort(w->after, n, w->label);
    for (uint32_t i = 0; i < n; i++) {
        w->label[w->after[i]] = (end - UINT32_MAX) | ++w->top[end >> 32];
    }
    v = w->region.first[0];
    w->undo = w->label[v];
    w->label[v] = last;
    return 1;
}

static void gspi_select_label(gspi_select *w, gsp_node u)
{
    gsp_node v;
    gsp_node x;
    for (uint32_t i = 0; (v = gspi_select_part(w, u, i)) != GSP_NONE; i++) {
        w->label[v] = (uint64_t)w->n_labels++ << 32;
        for (uint32_t k = 0; (x = gspi_later(w->s.g, w->d, v, k)) != GSP_NONE; k++) {
            if (w->unit[x] == u) {
                continue;
            }
            w->edges[x]--;
            gspi_kahn_decrement(&w->kahn, w->unit[x]);
        }
    }
}

/* Splits unit u into its nodes. */
static void gspi_select_split_unit(gspi_select *w, gsp_node u)
{
    gsp_node v;
    gsp_node x;
    for (uint32_t i = 0; (v = gspi_select_part(w, u, i)) != GSP_NONE; i++) {
        for (uint32_t k = 0; (x = gspi_later(w->s.g, w->d, v, k)) != GSP_NONE; k++) {
            w->edges[x] += w->unit[x] == u;
        }
    }
    for (uint32_t i = 0; (v = gspi_select_part(w, u, i)) != GSP_NONE; i++) {
        w->unit[v] = v;
        w->kahn.missing[v] = w->edges[v];
        if (w->edges[v] == 0u) {
            gspi_kahn_push(&w->kahn, v);
        }
        w->result.call_of[v] = v == u ? w->result.call_of[u] : GSP_NONE;
    }
    w->result.call_of[u] = GSP_NONE;
}

/* Kahn's algorithm with one node per region. On a cycle no unit is ready: the region of the first
 * remaining node is split, since all nodes before that are done. Returns 1 after a cycle: selection
 * is repeated. All nodes get labels; nodes of a region are adjacent where possible. */
static int gspi_select_is_cyclic(gspi_select *w)
{
    uint32_t const n = w->s.g->n_nodes;
    gsp_node x;
    int cyclic = 0;
    w->n_labels = 0;
    gspi_zero(w->kahn.missing, n);
    gspi_zero(w->edges, n);
    gspi_set(w->label, 0xFF, n * sizeof(uint64_t));
    for (gsp_node v = 0; v < n; v++) {
        w->unit[v] = gspi_select_part(w, v, 0);
    }
    for (gsp_node v = 0; v < n; v++) {
        for (uint32_t k = 0; (x = gspi_later(w->s.g, w->d, v, k)) != GSP_NONE; k++) {
            w->edges[x] += w->unit[x] != w->unit[v];
            w->kahn.missing[w->unit[x]] += w->unit[x] != w->unit[v];
        }
    }
    for (gsp_node v = 0; v < n; v++) {
        if (w->unit[v] == v && w->kahn.missing[v] == 0u) {
            gspi_kahn_push(&w->kahn, v);
        }
    }
    for (gsp_node left = 0; w->n_labels < n;) {
        gsp_node const u = gspi_kahn_next(&w->kahn);
        if (u != GSP_NONE) {
            gspi_select_label(w, u);
        } else if (w->label[left] != UINT64_MAX) {
            left++;
        } else {
            cyclic = 1;
            gspi_select_split_unit(w, w->unit[left]);
        }
    }
    gspi_zero(w->seen, n);
    return cyclic;
}

/* Replaces outer getitems that read elements of output v. */
static void gspi_select_elements(gspi_select *w, gsp_node v, uint32_t elements)
{
    gsp_dedup_selection *a = &w->result;
    gspi_row const users = gspi_users(w->s.g, v);
    for (uint32_t i = 0; i < users.n; i++) {
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
            a->n_outputs = gspi_count_add(a->n_outputs, gspi_count_add(elements, 2));
        }
    }
}

static gsp_status gspi_select_check_outputs(const gspi_select *w, gsp_error *err)
{
    GSPI_CHECK_AMOUNT(
        w->result.n_outputs <= w->max_outputs, LIMIT, OUTPUTS, w->result.n_outputs, w->max_outputs);
    return GSP_OK;
}

static gsp_status gspi_select_items(gspi_select *w, uint32_t region, gsp_error *err)
{
    gsp_dedup_selection *a = &w->result;
    gspi_select_enter(w, region);
    for (uint32_t p = 0; p < w->region.rows; p++) {
        a->subgraph_of[gspi_select_member(w, p)] = a->n_subgraphs;
    }
    for (uint32_t i = 0; i < w->n_outs; i++) {
        gsp_node const v = gspi_select_member(w, w->outs[i]);
        uint32_t const elements = gspi_value_count(&w->s, v);
        int const whole = gspi_value_container(&w->s, v) == GSP_ARG_NONE;
        a->n_outputs = whole ? a->n_outputs : gspi_count_add(a->n_outputs, elements);
        GSPI_TRY(gspi_select_check_outputs(w, err));
        a->item_of[v] = a->n_items;
        for (uint32_t e = 0; e < elements; e++) {
            gspi_set(&w->match[w->s.g->n_nodes + a->n_items], 0, sizeof(gspi_match));
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
    for (uint32_t i = 0; i < w->n_taken; i++) {
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

/* 1 if a region is only the call of a graph and getitems of its results. */
static int gspi_select_is_call(const gspi_select *w)
{
    const gsp_graph *g = w->s.g;
    gsp_node call = GSP_NONE;
    for (uint32_t p = 0; p < w->region.rows; p++) {
        gsp_node const v = gspi_select_member(w, p);
        gspi_arg_row const args = gspi_args(g, v);
        gsp_node const from = args.n > 0u && gspi_is_node(args.at[0]) ? args.at[0].value : GSP_NONE;
        if (call == GSP_NONE && (gspi_query_child(g, v) != GSP_NONE ||
                                    (from != GSP_NONE && gspi_query_child(g, from) != GSP_NONE))) {
            call = v;
        } else if (call == GSP_NONE || from != call || gspi_target_id(g, v) != GSP_KEY_GETITEM) {
            return 0;
        }
    }
    return call != GSP_NONE;
}

static gsp_status gspi_select_group(gspi_select *w, uint32_t group, gsp_error *err)
{
    w->group = group;
    w->region = gspi_region_of(w->r, group, 0);
    w->table = w->region.first;
    w->first = GSP_NONE;
    w->n_taken = 0;
    w->has_inputs = 0;
    if (gspi_select_is_call(w)) {
        return GSP_OK;
    }
    gspi_select_find_outs(w);
    for (uint32_t i = 0; i < w->region.step && (w->n_taken != 1u || w->has_inputs); i++) {
        if (gspi_select_may(w, i) && (w->n_taken == 0u || gspi_select_same_wiring(w, i)) &&
            (!w->check_cycles || gspi_select_contract(w))) {
            uint32_t const call = w->result.n_calls + w->n_taken++;
            for (uint32_t p = 0; p < w->region.rows; p++) {
                w->result.call_of[gspi_select_member(w, p)] = call;
                w->row_first[gspi_select_member(w, p)] = p;
            }
            w->first = w->first == GSP_NONE ? i : w->first; /* others are compared with it */
            w->result.region_of[call] = i;
        }
    }
    int const stays = w->n_taken < 2u;
    if (w->check_cycles && w->n_taken == 1u) {
        w->label[w->table[w->first]] = w->undo;
    }
    for (uint32_t i = 0; i < w->region.rows * w->region.step && stays; i++) {
        uint32_t *call = &w->result.call_of[w->table[i]];
        *call = *call < w->result.n_calls ? *call : GSP_NONE;
    }
    GSPI_CHECK_AMOUNT(w->result.work <= w->max_work, LIMIT, WORK, w->result.work, w->max_work);
    return stays ? GSP_OK : gspi_select_commit(w, err);
}

static gsp_status gspi_select_all(gspi_select *w, int check_cycles, gsp_error *err)
{
    gsp_dedup_selection *a = &w->result;
    w->check_cycles = check_cycles;
    a->n_subgraphs = a->n_calls = a->n_items = a->n_outputs = 0;
    a->call_begin[0] = a->out_begin[0] = a->item_begin[0] = 0;
    gspi_none(a->subgraph_of, a->n_nodes);
    gspi_none(a->call_of, a->n_nodes);
    gspi_none(a->item_of, a->n_nodes);
    gspi_zero(w->top, a->n_nodes);
    for (uint32_t i = 0; i < w->r->n_groups; i++) {
        GSPI_TRY(gspi_select_group(w, i, err));
    }
    return GSP_OK;
}

GSPI_OWN_FRAME gsp_status gspi_select_run(gsp_arena *arena, const gsp_graph *g,
    const gsp_regions *regions, uint32_t max_outputs, uint64_t max_work,
    gsp_dedup_selection *result, gsp_error *err)
{
    uint32_t const n = g->n_nodes;
    uint32_t const limit = gspi_dedup_outputs_max(n, max_outputs);
    gspi_pass pass;
    gspi_begin(&pass, arena);
    gspi_select *w = GSPI_NEW(gspi_select);
    gspi_set(w, 0, sizeof(*w));
    gspi_select_layout(&pass.bump, w, n, limit);
    w->s.g = g;
    w->s.a = &w->result;
    w->r = regions;
    w->d = &regions->dependences;
    w->max_outputs = limit;
    w->max_work = max_work == 0u ? UINT32_MAX : max_work;
    w->result.n_nodes = n;
    gspi_set(w->in, 0, n * sizeof(gspi_select_node));
    gspi_set(w->match, 0, n * sizeof(gspi_match));
    gspi_zero(w->mark_set, w->d->n_alias_sets);
    gspi_zero(w->seen, n);
    GSPI_STEP(gspi_select_all(w, 0, err));
    if (w->result.n_calls > 0u && gspi_select_is_cyclic(w)) {
        GSPI_STEP(gspi_select_all(w, 1, err));
    }
    *result = w->result;
    return GSPI_LEAVE();
}

/* Elements of the new root: values (nodes, then items; see gspi_values), calls, get_attr nodes. All
 * get names in order of creation, then needs, then places; root and bodies are last. */

typedef struct {
    gspi_values s;
    gsp_dedup_result *result;
    const gsp_regions *r;
    const gsp_dedup_selection *a;
    gsp_builder *b;
    gsp_atom *name;      /* [elements] */
    gsp_atom *sub_name;  /* [n / 4] */
    uint32_t first_call; /* first call among the elements */
    uint32_t first_sub;  /* first element that holds a subgraph */
    uint32_t stamp;
    int fill;             /* 1 to list needs, 0 to count them */
    gsp_node *call;       /* [n / 2] of the result */
    uint32_t *map_begin;  /* [n + 1] */
    gsp_node *map;        /* [values] */
    uint32_t *mark;       /* [elements] last visitor */
    uint32_t *mark_first; /* [elements] the same, for inputs of the first region */
    gsp_node *local;      /* [values] node in the current body */
    gsp_node *barrier;    /* shares memory with local: next barrier after each node */
    uint32_t *in;         /* [n] subgraph + 1 whose body holds this node */
    uint32_t *type_at;    /* [items] of an element: its TYPE in that of its aggregate */
    gsp_bitset used;      /* names of graphs, attributes, called modules */
    gspi_order o;         /* all elements but the output */
} gspi_dedup;

/* Inputs of the call of a region, each once, by first use in the first region. */
typedef struct {
    gspi_walk k;
    uint32_t value; /* value that the call reads in the result */
    uint32_t subgraph;
    gspi_region first;
    gspi_region region;
    uint32_t row;
    uint32_t stamp;
} gspi_dedup_inputs;

/* n * quarters / 4 + x * halves / 2 + 2 + more */
GSPI_OWN_FRAME uint32_t gspi_dedup_terms(
    uint32_t n, uint32_t quarters, uint32_t x, uint32_t halves, uint64_t more)
{
    more += (uint64_t)n * quarters / 4u + (uint64_t)x * halves / 2u + 2u;
    return more > UINT32_MAX ? UINT32_MAX : (uint32_t)more;
}

/* Counts of the result. Regions have at least 2 nodes, subgraphs at least 2 regions: there are at
 * most n / 2 calls and n / 4 subgraphs, whose bodies have n / 2 nodes and read half of the edges
 * from outside. x elements of aggregates are items of calls or arguments, with half as many
 * getitems in bodies. The number in a name is at most the number of strings. */
GSPI_OWN_FRAME gsp_counts gspi_dedup_counts(const gsp_counts *c, uint32_t x)
{
    char digits[20];
    uint32_t const n = c->nodes;
    uint32_t const half = c->edges / 2u;
    uint32_t const inputs = half / 2u < n ? half : 2u * n;
    int const annotated = c->attrs > 1u;
    gsp_counts r;
    r.graphs = gspi_count_add(c->graphs, n / 4u);
    /* n, calls and holders in the root; members, inputs and outputs in bodies */
    r.nodes = gspi_dedup_terms(n, 10, x, 3, half);
    /* two per item and call, returns; half of outside reads, and all of the calls */
    r.args = gspi_dedup_terms(n, 16, x, 7, (uint64_t)c->args + half);
    r.edges = gspi_dedup_terms(n, 8, x, 4, (uint64_t)c->edges + half);
    /* `bytes=` of items and inputs needs two entries; all other annotations are shared */
    r.attrs = gspi_dedup_terms(n, annotated ? 8u : 0u, half, annotated ? 4u : 0u, c->attrs);
    /* items, calls, subgraphs, holders, members named like an input, indices, starts of targets;
     * inputs */
    r.strings = gspi_dedup_terms(n, 16, x, 6, (uint64_t)c->strings + inputs + 64u);
    uint32_t const w = gspi_decimal(r.strings, digits);
    /* the input's bytes; again in "subgraph_input_", before "_N", as TYPEs of elements, and as
     * starts of targets */
    r.bytes = gspi_dedup_terms(inputs, 60, x, 15, (uint64_t)c->bytes * 5u + 256u);
    /* "getitem_N" of items and in names of inputs, "_N" of half of the members; "invoke_subgraph_N"
     * and index per two; "subgraph_N" and "subgraph_N_N" */
    r.bytes = gspi_dedup_terms(
        n, 4u * (22u + 2u * w) + 2u * (16u + 2u * w) + 19u + 3u * w, x, 40u + 6u * w, r.bytes);
    return r;
}

static void gspi_dedup_layout(
    gspi_bump *b, gspi_dedup *w, const gsp_counts *c, uint32_t max_outputs)
{
    size_t const n = c->nodes;
    size_t const items = gspi_add(n, max_outputs);
    size_t const values = gspi_add(n, items);
    size_t const elements = gspi_add(values, n / 2u + n / 4u); /* calls, holders of subgraphs */
    w->call = gspi_kept(b, n / 2u);
    w->map_begin = gspi_kept(b, n + 1u);
    w->map = gspi_kept(b, values);
    w->b = GSPI_HIGH(b, gsp_builder, 1);
    w->name = gspi_words(b, elements);
    w->sub_name = gspi_words(b, n / 4u);
    w->mark_first = gspi_words(b, elements);
    w->local = gspi_words(b, values);
    w->barrier = w->local;
    w->in = gspi_words(b, n);
    w->type_at = gspi_words(b, items);
    w->used.words = gspi_words(b, gsp_bitset_words(gspi_dedup_counts(c, max_outputs).strings));
    w->o.list = gspi_words(b, elements);
    w->o.place = gspi_words(b, elements);
}

/* Arrays of the order. Needs: arguments, elements, items, holders; dependences; two barriers. */
static void gspi_dedup_order_layout(gspi_bump *b, gspi_dedup *w, const gsp_counts *c,
    uint32_t max_dependences, uint32_t max_outputs)
{
    size_t const n = c->nodes;
    size_t const elements = gspi_add(gspi_mul_add(n, 2, max_outputs), n / 2u + n / 4u);
    size_t const needs = gspi_add(gspi_add(c->edges, max_dependences), gspi_mul_add(n, 4, 0));
    w->mark = gspi_words(b, elements);
    w->o.made = gspi_words(b, elements);
    w->o.element = GSPI_HIGH(b, gspi_order_element, elements);
    w->o.need = gspi_words(b, gspi_add(needs, gspi_mul_add(max_outputs, 2, 0)));
}

/* `deps`, `outputs`: the limits of desc; `regions`, `module`: bytes of both. */
GSPI_OWN_FRAME size_t gspi_dedup_whole_bound(
    const gsp_counts *c, uint32_t deps, uint32_t outputs, size_t regions, size_t module)
{
    gspi_bump b = gspi_measure_with(sizeof(gspi_dedup));
    union {
        gsp_regions regions;
        gspi_select select;
        gspi_dedup w;
    } u;
    (void)GSPI_HIGH(&b, gsp_dedup_result, 1);
    size_t most = gspi_add(b.used, regions);
    gspi_dependences_keep(&b, &u.regions.dependences, c->nodes, deps);
    gspi_classes_keep(&b, &u.regions.classes, c->nodes);
    gspi_regions_tables(&b, &u.regions, c->nodes);
    gspi_bump select = b;
    (void)GSPI_HIGH(&select, gspi_select, 1);
    gspi_select_layout(&select, &u.select, c->nodes, outputs);
    most = gspi_max(most, gspi_bound(&select));
    gspi_select_keep(&b, &u.select.result, c->nodes, outputs);
    gspi_dedup_layout(&b, &u.w, c, outputs);
    size_t const build = gspi_add(b.used, module);
    gspi_dedup_order_layout(&b, &u.w, c, deps, outputs);
    return gspi_max(most, gspi_add(gspi_max(build, b.used), GSP_BOUND_SLACK));
}

size_t gsp_dedup_bound(const gsp_graph *graph, const gsp_dedup_desc *desc)
{
    gsp_counts const c = graph->module->counts;
    uint32_t const deps = gspi_dependences_max(&c, desc == NULL ? 0u : desc->max_dependences);
    uint32_t const outputs = gspi_dedup_outputs_max(c.nodes, desc == NULL ? 0u : desc->max_outputs);
    gsp_counts const made = gspi_dedup_counts(&c, outputs);
    return gspi_dedup_whole_bound(
        &c, deps, outputs, gspi_regions_bound(&c, deps), gsp_build_bound(&made));
}

static gsp_atom gspi_dedup_new_name(const gspi_dedup *w, gsp_str wanted)
{
    gsp_atom const s = gsp_build_name(w->b, wanted);
    gsp_build_reserve(w->b, s);
    return s;
}

/* Names of the root; all names of the input stay reserved. */
GSPI_OWN_FRAME void gspi_dedup_names(gspi_dedup *w)
{
    const gsp_dedup_selection *a = w->a;
    const gsp_module *m = w->s.g->module;
    uint32_t number = 0;
    uint32_t at = 0;
    gsp_atom used;
    gsp_bitset_init(&w->used, w->used.words, w->b->cap.strings);
    while ((used = gspi_build_next_used(w->b, m, gsp_str_of("subgraph_"), &at)) != GSP_NONE) {
        gsp_bitset_set(&w->used, used);
    }
    for (gsp_node v = 0; v + 1u < a->n_nodes; v++) {
        w->name[v] = gspi_name_id(w->s.g, v);
        gsp_build_reserve(w->b, w->name[v]);
    }
    for (uint32_t s = 0; s < a->n_subgraphs; s++) {
        do {
            w->sub_name[s] = gspi_build_numbered(w->b, gsp_str_of("subgraph"), number++);
        } while (gsp_bitset_has(&w->used, w->sub_name[s]));
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

/* The region that becomes the body of a subgraph. */
static gspi_region gspi_dedup_first(const gspi_dedup *w, uint32_t subgraph)
{
    return gspi_dedup_region(w, subgraph, w->a->call_begin[subgraph]);
}

static gspi_dedup_inputs gspi_dedup_inputs_of(gspi_dedup *w, uint32_t subgraph, uint32_t call)
{
    gspi_walk const before = {{NULL, 0u}, 0, 0, 0, 0, 0, 0u};
    gspi_dedup_inputs const q = {before, GSP_NONE, subgraph, gspi_dedup_first(w, subgraph),
        gspi_dedup_region(w, subgraph, call), UINT32_MAX, ++w->stamp};
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
    uint32_t *end = &w->o.element[x].end;
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
    uint32_t const stamp = ++w->stamp;
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

/* Makes x a need of v. Needs on x are added together: one mark per element finds duplicates. */
static void gspi_dedup_depend(const gspi_dedup *w, gsp_node v, uint32_t x)
{
    uint32_t const y = w->a->call_of[v] != GSP_NONE ? w->first_call + w->a->call_of[v] : v;
    int const replaced = y == v && w->a->subgraph_of[v] != GSP_NONE; /* a getitem */
    if (!replaced && y != x && w->mark[y] != w->stamp) {
        w->mark[y] = w->stamp;
        gspi_dedup_need(w, y, x);
    }
}

/* Counts or lists dependents of node u, element x or replaced with it. */
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

/* Counts or lists all dependences in list order. Replaced getitems have none, but nodes may depend
 * on them. */
static void gspi_dedup_dependences(gspi_dedup *w)
{
    const gsp_dedup_selection *a = w->a;
    for (uint32_t i = 0; i < w->o.n_list; i++) {
        uint32_t const x = w->o.list[i];
        w->stamp++;
        if (x < a->n_nodes) {
            gspi_dedup_dependents(w, x, x);
        }
        if (x < w->first_call || x >= w->first_sub) {
            continue;
        }
        uint32_t const s = gspi_call_subgraph(a, x - w->first_call);
        gspi_region const r = gspi_dedup_region(w, s, x - w->first_call);
        for (uint32_t p = 0; p < r.rows; p++) {
            gsp_node const v = gspi_region_node(&r, p);
            gspi_row const users = gspi_users(w->s.g, v);
            gspi_dedup_dependents(w, v, x);
            for (uint32_t k = 0; k < users.n && a->item_of[v] != GSP_NONE; k++) {
                gsp_node const u = users.at[k];
                if (a->call_of[u] == GSP_NONE && a->subgraph_of[u] == a->subgraph_of[v]) {
                    gspi_dedup_dependents(w, u, x);
                }
            }
        }
    }
}

/* Removes the dependences of call x on elements that are its arguments. */
static void gspi_dedup_once(gspi_dedup *w, uint32_t x, uint32_t n_args)
{
    gspi_order_element *element = &w->o.element[x];
    uint32_t *need = w->o.need;
    uint32_t to = element->begin;
    w->stamp++;
    for (uint32_t i = element->begin; i < element->end; i++) {
        if (i < element->begin + n_args || w->mark[need[i]] != w->stamp) {
            w->mark[need[i]] = w->stamp;
            need[to++] = need[i];
        }
    }
    element->end = to;
}

static void gspi_dedup_list(gspi_dedup *w)
{
    const gsp_dedup_selection *a = w->a;
    uint32_t n = 0;
    for (uint32_t i = a->n_subgraphs; i > 0u; i--) {
        w->o.list[n++] = w->first_sub + i - 1u;
    }
    for (uint32_t i = 0; i + 1u < a->n_nodes; i++) {
        if (a->subgraph_of[i] == GSP_NONE) {
            w->o.list[n++] = i;
        }
    }
    for (uint32_t c = 0; c < a->n_calls; c++) {
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
    for (uint32_t i = 0; i < w->o.n_list; i++) {
        uint32_t const x = w->o.list[i];
        uint32_t const begin = w->o.element[x].end;
        gspi_dedup_args(w, x);
        n_args[x] = w->o.element[x].end - begin;
    }
    gspi_dedup_dependences(w);
    for (uint32_t x = w->first_call; x < w->first_sub && fill; x++) {
        gspi_dedup_once(w, x, n_args[x]);
    }
}

/* Finds the order of the root; 0 if rows and arguments disagree. */
GSPI_OWN_FRAME int gspi_dedup_sort(gspi_dedup *w)
{
    const gsp_dedup_selection *a = w->a;
    gsp_node next = GSP_NONE;
    uint32_t sum = 0;
    w->o.n = w->first_sub + a->n_subgraphs;
    w->stamp = 0;
    gspi_zero(w->mark, w->o.n);
    gspi_zero(w->mark_first, w->o.n);
    gspi_set(w->o.element, 0, w->o.n * sizeof(gspi_order_element));
    gspi_zero(w->in, a->n_nodes);
    for (uint32_t s = 0; s < a->n_subgraphs; s++) {
        gspi_region const r = gspi_dedup_first(w, s);
        for (uint32_t p = 0; p < r.rows; p++) {
            w->in[gspi_region_node(&r, p)] = s + 1u;
        }
    }
    for (gsp_node v = a->n_nodes; v > 0u; v--) {
        w->barrier[v - 1u] = next;
        next = w->r->dependences.segment[v - 1u] % 2u != 0u ? v - 1u : next;
    }
    gspi_dedup_list(w);
    gspi_dedup_needs(w, 0);
    for (uint32_t i = 0; i < w->o.n; i++) {
        gspi_order_element *element = &w->o.element[i];
        uint32_t const count = element->end;
        element->begin = element->end = sum;
        element->first = GSP_NONE;
        sum += count;
    }
    gspi_dedup_needs(w, 1);
    return gspi_order_run(&w->o);
}

/* Copies the arguments of v as of `time`; `map` holds the node of a value. */
GSPI_OWN_FRAME void gspi_dedup_put_args(
    const gspi_dedup *w, gsp_node v, uint32_t time, const gsp_node *map)
{
    gspi_arg_row const args = gspi_args(w->s.g, v);
    for (uint32_t i = 0; i < args.n; i++) {
        gsp_node const u = args.at[i].value;
        if (!gspi_is_node(args.at[i])) {
            gsp_build_arg(w->b, args.at[i]);
            continue;
        }
        uint32_t const value = gspi_value_of(&w->s, u, time);
        int const replaced = w->a->subgraph_of[u] < time && w->a->call_of[u] != GSP_NONE;
        gsp_arg_kind const kind = replaced ? gspi_value_container(&w->s, u) : GSP_ARG_NONE;
        if (kind == GSP_ARG_NONE) {
            gsp_build_arg_node(w->b, map[value]);
            continue;
        }
        uint32_t const elements = gspi_value_count(&w->s, u);
        gsp_build_open(w->b, kind);
        for (uint32_t e = 0; e < elements; e++) {
            gsp_build_arg_node(w->b, map[value + e]);
        }
        gsp_build_close(w->b);
    }
}

/* Finds where the TYPE of each element begins in that of its aggregate. */
GSPI_OWN_FRAME void gspi_dedup_elements(const gspi_dedup *w)
{
    gsp_str element;
    uint32_t at = 0;
    for (uint32_t i = 0; i < w->a->n_items; i++) {
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
    gsp_str element = {NULL, 0u};
    if (v == value || gspi_value_container(&w->s, v) == GSP_ARG_NONE) {
        gsp_build_like(w->b, w->s.g, v, 0);
        return;
    }
    uint32_t at = w->type_at[item];
    (void)gsp_type_next_element(gspi_type_str(w->s.g, v), &at, &element);
    gsp_build_type(w->b, element);
}

GSPI_OWN_FRAME void gspi_dedup_put(gspi_dedup *w, uint32_t x, gsp_atom invoke)
{
    const gsp_graph *g = w->s.g;
    const gsp_dedup_selection *a = w->a;
    if (x < a->n_nodes) {
        (void)gspi_build_copy_node(w->b, g, gspi_op(g, x), x, gspi_target_id(g, x));
        gspi_dedup_put_args(w, x, GSP_NONE, w->o.place);
    } else if (x < w->first_call) {
        uint32_t const c = a->call_of[a->item_node[x - a->n_nodes]];
        (void)gspi_build_put_getitem_as(
            w->b, w->name[x], w->o.place[w->first_call + c], x - a->n_nodes - a->item_begin[c]);
        gspi_dedup_type(w, x);
    } else if (x < w->first_sub) {
        uint32_t const c = x - w->first_call;
        uint32_t const s = gspi_call_subgraph(a, c);
        gspi_dedup_inputs q = gspi_dedup_inputs_of(w, s, c);
        w->call[c] = gsp_build_node_atoms(w->b, GSP_OP_CALL_FUNCTION, w->name[x], invoke);
        gsp_build_arg_node(w->b, w->o.place[w->first_sub + s]);
        gspi_build_put_arg(w->b, GSP_ARG_CONSTANT, w->sub_name[s]);
        while (gspi_dedup_next_input(w, &q)) {
            gsp_build_arg_node(w->b, w->o.place[q.value]);
        }
    } else {
        (void)gsp_build_node_atoms(
            w->b, GSP_OP_GET_ATTR, w->name[x], w->sub_name[x - w->first_sub]);
    }
}

GSPI_OWN_FRAME void gspi_dedup_put_inputs(gspi_dedup *w, uint32_t s)
{
    gspi_dedup_inputs q = gspi_dedup_inputs_of(w, s, w->a->call_begin[s]);
    while (gspi_dedup_next_input(w, &q)) {
        gsp_atom const name = gspi_build_joined(
            w->b, gsp_str_of("subgraph_input_"), gspi_build_text(w->b, w->name[q.k.value]));
        w->local[q.k.value] = gsp_build_node_atoms(w->b, GSP_OP_PLACEHOLDER, name, name);
        gspi_dedup_type(w, q.k.value);
    }
}

/* Returned values, aggregates by element: writes the getitems of elements, or the arguments, which
 * read these from node `next` on. */
static void gspi_dedup_put_outputs(const gspi_dedup *w, uint32_t s, gsp_node next, int getitems)
{
    gspi_region const r = gspi_dedup_first(w, s);
    for (uint32_t i = w->a->out_begin[s]; i < w->a->out_begin[s + 1u]; i++) {
        gsp_node const v = gspi_region_node(&r, w->a->outs[i]);
        int const whole = gspi_value_container(&w->s, v) == GSP_ARG_NONE;
        uint32_t const elements = gspi_value_count(&w->s, v);
        for (uint32_t e = 0; e < elements; e++) {
            if (!getitems) {
                gsp_build_arg_node(w->b, whole ? w->local[v] : next++);
            } else if (!whole) {
                (void)gspi_build_put_getitem(w->b, w->local[v], e);
                gspi_dedup_type(w, w->a->n_nodes + w->a->item_of[v] + e);
            }
        }
    }
}

GSPI_OWN_FRAME void gspi_dedup_body(gspi_dedup *w, uint32_t s)
{
    const gsp_graph *g = w->s.g;
    gspi_region const r = gspi_dedup_first(w, s);
    gsp_node next = 0;
    gsp_build_graph(w->b, gspi_build_text(w->b, w->sub_name[s]));
    gspi_dedup_put_inputs(w, s);
    for (uint32_t p = 0; p < r.rows; p++) {
        gsp_node const v = gspi_region_node(&r, p);
        gsp_atom const name = gsp_build_name(w->b, gspi_name_str(g, v));
        w->local[v] = gsp_build_node_atoms(w->b, gspi_op(g, v), name, gspi_target_id(g, v));
        gsp_build_like(w->b, g, v, 1);
        gspi_dedup_put_args(w, v, s, w->local);
        next = w->local[v] + 1u;
    }
    gspi_dedup_put_outputs(w, s, next, 1);
    (void)gsp_build_output(w->b);
    gsp_build_open(w->b, GSP_ARG_TUPLE);
    gspi_dedup_put_outputs(w, s, next, 0);
    gsp_build_close(w->b);
}

GSPI_OWN_FRAME gsp_status gspi_dedup_write(gspi_dedup *w, gsp_error *err)
{
    const gsp_module *m = w->s.g->module;
    gsp_build_adopt(w->b, m);
    gsp_build_graph(w->b, gsp_str_of(""));
    gspi_dedup_names(w);
    gspi_dedup_elements(w);
    gsp_atom const invoke =
        gsp_build_atom(w->b, gsp_str_of("torch.ops.higher_order.invoke_subgraph"));
    for (uint32_t i = 0; i < w->o.n_list; i++) { /* places in the order are node ids */
        gspi_dedup_put(w, w->o.list[i], invoke);
    }
    (void)gsp_build_output(w->b);
    gsp_build_like(w->b, w->s.g, w->a->n_nodes - 1u, 1);
    gspi_dedup_put_args(w, w->a->n_nodes - 1u, GSP_NONE, w->o.place);
    for (uint32_t i = 0; i < w->a->n_subgraphs; i++) {
        gspi_dedup_body(w, i);
    }
    gspi_build_copy_others(w->b, w->s.g);
    GSPI_CHECK(gsp_build_finish(w->b, &w->result->module, NULL) == GSP_OK, DAMAGED, ROWS);
    return GSP_OK;
}

GSPI_OWN_FRAME const gsp_dedup_result *gspi_dedup_map(const gspi_dedup *w)
{
    uint32_t const n = w->a->n_nodes;
    uint32_t sum = 0;
    for (gsp_node v = 0; v < n; v++) {
        uint32_t const value = gspi_value_of(&w->s, v, GSP_NONE);
        uint32_t const count = value != v                         ? gspi_value_count(&w->s, v)
                               : w->a->subgraph_of[v] != GSP_NONE ? 0u
                                                                  : 1u;
        w->map_begin[v] = sum;
        for (uint32_t e = 0; e < count; e++) {
            w->map[sum++] = v + 1u == n ? w->o.n_list : w->o.place[value + e];
        }
    }
    w->map_begin[n] = sum;
    w->result->call = w->call;
    w->result->map_begin = w->map_begin;
    w->result->map = w->map;
    return w->result;
}

GSPI_OWN_FRAME gsp_status gspi_dedup_prepare(
    gspi_dedup *w, gspi_bump *b, const gsp_dedup_desc *d, gsp_error *err)
{
    gsp_counts c = w->s.g->module->counts;
    uint32_t const outputs = gspi_dedup_outputs_max(c.nodes, d->max_outputs);
    gspi_dedup_layout(b, w, &c, outputs);
    gsp_mark const mark = gsp_arena_mark(b->arena);
    gspi_dedup_order_layout(b, w, &c, gspi_dependences_max(&c, d->max_dependences), outputs);
    w->first_call = w->a->n_nodes + w->a->n_items;
    w->first_sub = w->first_call + w->a->n_calls;
    GSPI_CHECK(gspi_dedup_sort(w), DAMAGED, ROWS);
    gsp_arena_rewind(b->arena, mark);
    c = gspi_dedup_counts(&c, outputs);
    return gsp_build_init(w->b, b->arena, &c, err);
}

gsp_status gsp_dedup_run(gsp_arena *arena, const gsp_graph *graph, const gsp_dedup_desc *desc,
    gsp_dedup_result *result, gsp_error *err)
{
    gsp_dedup_desc d;
    GSPI_GIVEN_PASS();
    GSPI_READ_DESC(d, desc);
    GSPI_CHECK_RANGE(graph->n_nodes != 0u, n_nodes);
    GSPI_TRY(gspi_dependences_check(graph, err));
    GSPI_CHECK(!gspi_is_bare(graph->module), ARG, BARE);
    GSPI_ENTER(gsp_dedup_bound(graph, &d));
    gspi_dedup *w = GSPI_NEW(gspi_dedup);
    gsp_dedup_result *r = GSPI_NEW(gsp_dedup_result);
    gsp_regions_desc const regions = {0u, d.hash_bits, d.max_dependences, d.max_work, 0u};
    w->result = r;
    w->r = &r->regions;
    w->a = &r->selection;
    w->s.g = graph;
    w->s.a = w->a;
    GSPI_STEP(gspi_regions_run(arena, graph, &regions, d.given, &r->regions, err));
    GSPI_STEP(gspi_select_run(arena, graph, w->r, d.max_outputs, d.max_work, &r->selection, err));
    GSPI_STEP(gspi_dedup_prepare(w, &pass.bump, &d, err));
    GSPI_STEP(gspi_dedup_write(w, err));
    *result = *gspi_dedup_map(w);
    return GSPI_LEAVE();
}

#endif /* GSP_NO_DEDUP */

/* ====
 * >>family PIPELINE   Stages of a pipeline (implementation)
 * ==== */
#ifndef GSP_NO_PIPELINE

/* A copy of a module, with each child graph in use once. */
typedef struct {
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
    c->b = GSPI_HIGH(b, gsp_builder, 1);
    c->made = GSPI_HIGH(b, gsp_module, 1);
    c->seen = GSPI_HIGH(b, uint8_t, m->counts.graphs);
    c->list = gspi_words(b, m->counts.graphs);
    c->n = 0;
}

static void gspi_copier_start(gspi_copier *c, gsp_arena *arena, const gsp_counts *made)
{
    (void)gsp_build_init(c->b, arena, made, NULL);
    gsp_build_adopt(c->b, c->m);
    gspi_set(c->seen, 0, c->m->counts.graphs);
}

/* The counts suffice for undamaged modules. */
static gsp_status gspi_copier_finish(gspi_copier *c, gsp_error *err)
{
    GSPI_CHECK(gsp_build_finish(c->b, c->made, NULL) == GSP_OK, DAMAGED, ROWS);
    return GSP_OK;
}

static void gspi_copier_add(gspi_copier *c, const gsp_graph *g, gsp_node v)
{
    if (c->m->counts.graphs < 2u) {
        return;
    }
    gsp_called x = {gspi_query_child(g, v), 0, UINT32_MAX, 0, 0};
    do {
        if (x.graph != GSP_NONE && !c->seen[x.graph]) {
            c->seen[x.graph] = 1;
            c->list[c->n++] = x.graph;
        }
    } while (gsp_called_next(g, v, &x));
}

/* Adds the child graphs of those in the list. */
static void gspi_copier_add_all(gspi_copier *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        gsp_graph const g = gspi_graph(c->m, c->list[i]);
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            gspi_copier_add(c, &g, v);
        }
    }
}

static void gspi_copier_copy(gspi_copier *c)
{
    for (uint32_t i = 0; i < c->m->counts.graphs; i++) {
        if (c->seen[i]) {
            gspi_build_copy_graph(c->b, c->m, i);
        }
    }
}

/* Hash table of texts, empty once laid out; equal entries share the slot of the last. */
typedef struct {
    gsp_str *text;  /* [n] */
    uint32_t *same; /* [n] the previous entry with equal bytes, or GSP_NONE */
    uint32_t *slot; /* [mask + 1] GSP_NONE if free */
    uint32_t mask;
} gspi_texts;

#define GSPI_TEXTS_LIMIT 0x40000000u /* entries */
#define GSPI_TEXT_START  0x811C9DC5u /* hash of the empty text */

/* Continues the hash of a prefix, so that hashing all prefixes of a path is linear. */
static uint32_t gspi_text_hash(uint32_t hash, gsp_str t)
{
    for (uint32_t i = 0; i < t.size; i++) {
        hash = (hash ^ (unsigned char)t.data[i]) * 0x01000193u;
    }
    return hash;
}

static void gspi_texts_layout(gspi_bump *b, gspi_texts *t, uint32_t n)
{
    uint32_t const slots = n < GSPI_TEXTS_LIMIT ? gspi_pow2(2u * n) : 0u;
    t->text = GSPI_HIGH(b, gsp_str, n);
    t->same = gspi_words(b, n);
    t->slot = gspi_words(b, slots == 0u ? SIZE_MAX : slots);
    t->mask = slots - 1u;
    gspi_none(t->slot, slots);
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

/* Adds an entry; their numbers are 0, 1, 2, ... */
static void gspi_texts_add(const gspi_texts *t, uint32_t entry, gsp_str text)
{
    uint32_t *slot = gspi_texts_slot(t, text, gspi_text_hash(GSPI_TEXT_START, text));
    t->text[entry] = text;
    t->same[entry] = *slot;
    *slot = entry;
}

static gsp_str gspi_marker(const char *marker)
{
    return gsp_str_of(marker == NULL ? GSP_STAGES_MARKER : marker);
}

static int gspi_is_marker(const gsp_graph *g, gsp_node v, gsp_str marker)
{
    return gspi_op(g, v) == GSP_OP_CALL_FUNCTION && gsp_str_equal(gspi_target_str(g, v), marker);
}

static int gspi_is_member(const gsp_graph *g, gsp_node v, gsp_str marker)
{
    return gspi_callable(g, v) && !gspi_is_marker(g, v, marker);
}

/* ----
 * >>costs   Costs of nodes in ticks and bytes (implementation)
 * ---- */

/* Seconds become integer ticks, and so do bytes at a bandwidth. Sums of integers are exact in any
 * order, so plans agree on all machines. A product has 128 bits (Knuth, The Art of Computer
 * Programming 4.3.1) and is rounded once. Parameters of an attribute or called module are an item,
 * counted once per stage however many nodes there read it. */

#ifndef GSP_NO_COST

typedef struct {
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

/* Bits of finite seconds >= 0 in ticks, rounded half up; UINT64_MAX if too many. */
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
            w.high = 0;
        }
        if (shift > 0u) {
            w.low = (w.low >> shift) | (w.high << (64u - shift));
            w.high >>= shift;
        }
        w.low = (w.high << 63 | w.low >> 1) + (w.low & 1u);
        w.high >>= 1;
        exponent = 1075;
    }
    exponent -= 1075;
    if ((w.high | w.low) == 0u) {
        return 0;
    }
    return w.high != 0u || exponent > 63u || (w.low << exponent) >> exponent != w.low
               ? UINT64_MAX
               : w.low << exponent;
}

/* bytes * ticks / bandwidth, rounded half up, by binary long division; UINT64_MAX if too much. */
static uint64_t gspi_costs_transfer(uint64_t bytes, uint64_t ticks, uint64_t bandwidth)
{
    gspi_wide const w = gspi_costs_product(bytes, ticks);
    uint64_t quotient = 0;
    uint64_t rest = w.high;
    if (rest >= bandwidth) {
        return UINT64_MAX;
    }
    for (uint32_t i = 64; i > 0u; i--) {
        int const carry = (rest >> 63) != 0u;
        rest = (rest << 1) | ((w.low >> (i - 1u)) & 1u);
        quotient <<= 1;
        if (carry || rest >= bandwidth) {
            rest -= bandwidth;
            quotient |= 1;
        }
    }
    return gspi_sum(quotient, rest >= bandwidth - rest);
}

typedef struct {
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
} gspi_costs;

static void gspi_costs_layout(gspi_bump *b, gspi_costs *ws, const gsp_graph *g)
{
    gsp_counts const c = gsp_graph_counts(g);
    size_t const reads = gspi_add(c.nodes, c.edges);
    ws->made.time = ws->time = GSPI_LOW(b, uint64_t, c.nodes);
    ws->made.move = ws->move = GSPI_LOW(b, uint64_t, c.nodes);
    ws->made.item_begin = ws->item_begin = gspi_kept(b, (size_t)c.nodes + 1u);
    ws->made.items = ws->items = gspi_kept(b, reads);
    ws->made.item_bytes = ws->item_bytes = GSPI_LOW(b, uint64_t, reads);
    ws->first = gspi_words(b, c.strings);
    ws->attr_item = gspi_words(b, c.strings);
    ws->module_item = gspi_words(b, c.strings);
}

static void gspi_costs_read(gspi_costs *ws, uint32_t *item_of, uint64_t bytes)
{
    if (*item_of == GSP_NONE) {
        *item_of = ws->made.n_items++;
        ws->item_bytes[*item_of] = bytes;
    }
    ws->items[ws->n_reads++] = *item_of;
}

static gsp_status gspi_costs_seconds(
    const gsp_graph *g, gsp_node v, gsp_key key, uint64_t ticks, uint64_t *out, gsp_error *err)
{
    double const seconds = gsp_node_seconds(g, v, key);
    uint64_t bits;
    (void)GSP_MEMCPY(&bits, &seconds, sizeof(bits));
    bits = bits << 1 == 0u ? 0u : bits; /* -0.0 */
    GSPI_CHECK_NODE(bits < 0x7FF0000000000000u, ARG, LATENCY, v);
    *out = bits != 0u ? gspi_costs_ticks(bits, ticks) : 0u;
    return GSP_OK;
}

static gsp_status gspi_costs_node(
    gspi_costs *ws, const gsp_graph *g, const gsp_costs_desc *d, gsp_node v, gsp_error *err)
{
    int const callable = gspi_callable(g, v);
    gsp_atom const target = gspi_target_id(g, v);
    gspi_row const inputs = gspi_inputs(g, v);
    uint64_t time = 0;
    uint64_t move = 0;
    if (callable) {
        GSPI_TRY(gspi_costs_seconds(g, v, GSP_KEY_COMPUTE, d->ticks, &time, err));
    }
    GSPI_TRY(gspi_costs_seconds(g, v, GSP_KEY_COMM, d->ticks, &move, err));
    if (d->bandwidth != 0u && gspi_attr_str(g, v, GSP_KEY_COMM).data == NULL) {
        move = gspi_costs_transfer(gspi_bytes(g, v), d->ticks, d->bandwidth);
    }
    GSPI_CHECK_NODE(time <= ws->most_time && move != UINT64_MAX, OVERFLOW, SIZE, v);
    ws->time[v] = time * d->scale;
    ws->move[v] = move;
    ws->item_begin[v] = ws->n_reads;
    if (gspi_op(g, v) == GSP_OP_GET_ATTR && ws->first[target] == GSP_NONE) {
        ws->first[target] = v;
    }
    for (uint32_t i = 0; i < inputs.n && callable; i++) {
        if (gspi_op(g, inputs.at[i]) == GSP_OP_GET_ATTR) {
            gsp_atom const t = gspi_target_id(g, inputs.at[i]);
            gspi_costs_read(ws, &ws->attr_item[t], gspi_bytes(g, ws->first[t]));
        }
    }
    if (gspi_op(g, v) == GSP_OP_CALL_MODULE) {
        gspi_costs_read(ws, &ws->module_item[target], gsp_node_params(g, v));
    } else if (callable && g->module->run_params != NULL) {
        uint32_t own = GSP_NONE;
        gspi_costs_read(ws, &own, gsp_node_params(g, v));
    }
    return GSP_OK;
}

size_t gsp_costs_bound(const gsp_graph *graph)
{
    gspi_bump b = gspi_measure();
    gspi_costs ws;
    gspi_costs_layout(&b, &ws, graph);
    return gspi_bound(&b);
}

gsp_status gsp_costs_run(gsp_arena *arena, const gsp_graph *graph, const gsp_costs_desc *desc,
    gsp_costs *costs, gsp_error *err)
{
    gsp_costs_desc d;
    gspi_costs ws;
    GSPI_GIVEN_3(arena, graph, costs);
    GSPI_READ_DESC(d, desc);
    d.scale = d.scale == 0u ? 1u : d.scale;
    d.ticks = d.ticks == 0u ? 1000000000u : d.ticks;
    GSPI_ENTER(gsp_costs_bound(graph));
    uint32_t const strings = graph->module->counts.strings;
    gspi_costs_layout(&pass.bump, &ws, graph);
    gspi_none(ws.first, strings);
    gspi_none(ws.attr_item, strings);
    gspi_none(ws.module_item, strings);
    ws.made.n_nodes = graph->n_nodes;
    ws.made.n_items = 0;
    ws.made.stash = graph->module->bytes + graph->first;
    ws.n_reads = 0;
    ws.most_time = (UINT64_MAX - 1u) / d.scale;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        GSPI_STEP(gspi_costs_node(&ws, graph, &d, v, err));
    }
    ws.item_begin[graph->n_nodes] = ws.n_reads;
    *costs = ws.made;
    return GSPI_LEAVE();
}
#endif

/* ----
 * >>stages_even   Stages of equal size (implementation)
 * ---- */

/* One pass in graph order weighs nodes, a second one closes stages. An array by string of the
 * module holds the last stage that reads a parameter. */

/* The stage of all nodes while they are weighed. */
#define GSPI_EVEN_ALL (GSP_NONE - 1u)

typedef struct {
    const gsp_graph *g;
    const gsp_stages_even_desc *d;
    uint64_t *weight;  /* [n] 0 if in no stage */
    gsp_node *first;   /* [strings] first get_attr of this target */
    uint32_t *read_in; /* [strings] the last stage that reads it */
    gsp_bitset called; /* [strings] called modules already counted */
    uint32_t n_members;
    uint64_t total; /* of all weights */
    gsp_stages_even_result r;
} gspi_even;

static void gspi_even_layout(
    gspi_bump *b, gspi_even *w, const gsp_graph *g, const gsp_stages_even_desc *d)
{
    uint32_t const n = g->n_nodes;
    w->g = g;
    w->d = d;
    w->called.n = d->policy == GSP_STAGES_EVEN_NODES ? 0u : g->module->counts.strings;
    w->r.stage_of = gspi_kept(b, n);
    w->r.weight = GSPI_LOW(b, uint64_t, d->n_stages == 0u || d->n_stages > n ? n : d->n_stages);
    w->weight = gspi_longs(b, n);
    w->first = gspi_words(b, w->called.n);
    w->read_in = gspi_words(b, w->called.n);
    w->called.words = gspi_words(b, gsp_bitset_words(w->called.n));
}

static gsp_stages_even_desc gspi_even_desc(const gsp_stages_even_desc *desc)
{
    gsp_stages_even_desc d;
    gspi_desc(&d, desc, sizeof(d));
    if (d.n_stages == 0u && d.policy != GSP_STAGES_EVEN_THRESHOLD) {
        d.n_stages = 1;
    }
    d.marker = d.marker == NULL ? GSP_STAGES_MARKER : d.marker;
    return d;
}

size_t gsp_stages_even_bound(const gsp_graph *graph, const gsp_stages_even_desc *desc)
{
    gsp_stages_even_desc const d = gspi_even_desc(desc);
    gspi_bump b = gspi_measure();
    gspi_even w;
    gspi_even_layout(&b, &w, graph, &d);
    return gspi_bound(&b);
}

int gsp_stages_is_marker(const gsp_graph *graph, gsp_node node, const char *marker)
{
    return node < graph->n_nodes && gspi_is_marker(graph, node, gspi_marker(marker));
}

/* 1 if v reads parameters. *added gets the bytes of those that the stage did not read before; they
 * are marked as read. A called module counts at each call; for GSPI_EVEN_ALL, only at the first. */
static int gspi_even_reads(gspi_even *w, gsp_node v, uint32_t stage, uint64_t *added)
{
    const gsp_atom *target = w->g->module->target + w->g->first;
    gspi_row const inputs = gspi_inputs(w->g, v);
    *added = 0;
    if (gspi_op(w->g, v) == GSP_OP_CALL_MODULE &&
        (stage != GSPI_EVEN_ALL || !gsp_bitset_has(&w->called, target[v]))) {
        gsp_bitset_set(&w->called, target[v]);
        *added = gsp_node_params(w->g, v);
    } else if (w->g->module->run_params != NULL && gspi_op(w->g, v) != GSP_OP_CALL_MODULE) {
        *added = gsp_node_params(w->g, v);
    }
    int reads = *added > 0u;
    for (uint32_t i = 0; i < inputs.n; i++) {
        gsp_atom const t = target[inputs.at[i]];
        if (gspi_op(w->g, inputs.at[i]) == GSP_OP_GET_ATTR) {
            if (w->read_in[t] != stage) {
                *added = gspi_sum(*added, gspi_bytes(w->g, w->first[t]));
            }
            w->read_in[t] = stage;
            reads = 1;
        }
    }
    return reads;
}

/* Sets stage_of (0 for members of stages, else GSP_NONE) and weights. */
static gsp_status gspi_even_weigh(gspi_even *w, gsp_error *err)
{
    const gsp_atom *target = w->g->module->target + w->g->first;
    gsp_str const marker = gspi_marker(w->d->marker);
    uint32_t const strings = w->called.n;
    gsp_bitset_init(&w->called, w->called.words, strings);
    gspi_none(w->first, strings);
    gspi_none(w->read_in, strings);
    w->n_members = 0;
    w->r.n_stages = 0;
    w->total = 0;
    uint32_t const n = w->g->n_nodes;
    for (gsp_node v = 0; v < n; v++) {
        int const member = gspi_is_member(w->g, v, marker);
        w->r.stage_of[v] = member ? 0u : GSP_NONE;
        w->weight[v] = member ? 1u : 0u;
        w->n_members += member ? 1u : 0u;
        if (member && strings != 0u) {
            (void)gspi_even_reads(w, v, GSPI_EVEN_ALL, &w->weight[v]);
        } else if (strings != 0u && gspi_op(w->g, v) == GSP_OP_GET_ATTR &&
                   w->first[target[v]] == GSP_NONE) {
            w->first[target[v]] = v;
        }
        w->total = gspi_sum(w->total, w->weight[v]);
        GSPI_CHECK_NODE(w->total != UINT64_MAX, OVERFLOW, SIZE, v);
    }
    return GSP_OK;
}

/* Gives stages equal shares. When no weight remains, each node weighs 1. */
static void gspi_even_share(gspi_even *w)
{
    uint32_t const last = w->d->n_stages < w->n_members ? w->d->n_stages : w->n_members;
    uint64_t left = w->total;     /* weight from the open stage on */
    uint64_t rest = w->n_members; /* nodes from v on */
    gsp_node v = 0;
    for (uint32_t s = 0; s < last; s++) {
        uint64_t const to_fill = last - s;
        uint64_t const all = left > 0u ? left : rest;
        uint64_t const share = all / to_fill + (all % to_fill != 0u);
        int const even = left == 0u;
        uint64_t own = 0;
        uint64_t counted = 0; /* own, or nodes if no weight remains */
        for (int open = 1; open && v < w->g->n_nodes; v++) {
            if (w->r.stage_of[v] == GSP_NONE) {
                continue;
            }
            rest--;
            own += w->weight[v];
            counted += even ? 1u : w->weight[v];
            w->r.stage_of[v] = s;
            open = to_fill == 1u || (counted < share && rest != to_fill - 1u);
        }
        w->r.weight[s] = own;
        left -= own;
    }
    w->r.n_stages = last;
}

/* A node that does not fit ends the open stage r.n_stages, after the node if the stage holds no
 * parameters, else before it. Marks of the node for the ended stage stay, without effect. */
static void gspi_even_fill(gspi_even *w)
{
    uint64_t const threshold = w->d->threshold != 0u ? w->d->threshold : w->total / w->d->n_stages;
    uint32_t const last = w->d->n_stages == 0u ? UINT32_MAX : w->d->n_stages - 1u;
    uint64_t held = 0;
    int closed = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint64_t added;
        if (w->r.stage_of[v] == GSP_NONE) {
            continue;
        }
        w->r.n_stages += closed ? 1u : 0u;
        held = closed ? 0u : held;
        closed = 0;
        int const reads = gspi_even_reads(w, v, w->r.n_stages, &added);
        if (reads && gspi_sum(held, added) > threshold && w->r.n_stages < last) {
            closed = held == 0u;
            held = 0;
            if (!closed) {
                (void)gspi_even_reads(w, v, ++w->r.n_stages, &added);
            }
        }
        held = gspi_sum(held, added);
        w->r.stage_of[v] = w->r.n_stages;
        w->r.weight[w->r.n_stages] = held;
    }
    w->r.n_stages += w->n_members > 0u;
}

gsp_status gsp_stages_even_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stages_even_desc *desc, gsp_stages_even_result *result, gsp_error *err)
{
    gsp_stages_even_desc const d = gspi_even_desc(desc);
    int const fill = d.policy == GSP_STAGES_EVEN_THRESHOLD;
    gspi_even w;
    GSPI_GIVEN_PASS();
    GSPI_CHECK_DESC(d);
    GSPI_CHECK_CHOICE(d.policy, GSP_STAGES_EVEN_COUNT);
    GSPI_CHECK(!fill || d.threshold != 0u || d.n_stages != 0u, ARG, THRESHOLD);
    GSPI_ENTER(gsp_stages_even_bound(graph, &d));
    gspi_even_layout(&pass.bump, &w, graph, &d);
    GSPI_STEP(gspi_even_weigh(&w, err));
    if (fill) {
        gspi_even_fill(&w);
    } else {
        gspi_even_share(&w);
    }
    w.r.n_nodes = graph->n_nodes;
    *result = w.r;
    return GSPI_LEAVE();
}

/* ----
 * >>stages_from_marks   Stages from markers and split specs (implementation)
 * ---- */

/* Callable nodes except markers are numbered 0, 1, ...; cut[i] is 1 if a stage begins at the i-th.
 * All prefixes of the scope of a node are looked up; the last node of a path shows where its calls
 * begin and end. */

typedef struct {
    const gsp_graph *g;
    const gsp_stages_from_marks_desc *d;
    uint32_t *stage_of; /* [n] result */
    uint8_t *cut;       /* [n + 1] */
    gspi_texts paths;   /* [n_points] */
    uint32_t *last;     /* [n_points] last callable node below the path, or GSP_NONE */
    uint8_t *whole;     /* [n_points] that node is a call of the path itself */
} gspi_marks;

static void gspi_marks_layout(
    gspi_bump *b, gspi_marks *w, const gsp_graph *g, const gsp_stages_from_marks_desc *d)
{
    w->g = g;
    w->d = d;
    w->stage_of = gspi_kept(b, g->n_nodes);
    w->cut = GSPI_HIGH(b, uint8_t, (size_t)g->n_nodes + 1u);
    gspi_texts_layout(b, &w->paths, d->n_points);
    w->last = gspi_words(b, d->n_points);
    w->whole = GSPI_HIGH(b, uint8_t, d->n_points);
}

size_t gsp_stages_from_marks_bound(const gsp_graph *graph, const gsp_stages_from_marks_desc *desc)
{
    gsp_stages_from_marks_desc d;
    gspi_bump b = gspi_measure();
    gspi_marks w;
    gspi_desc(&d, desc, sizeof(d));
    gspi_marks_layout(&b, &w, graph, &d);
    return gspi_bound(&b);
}

/* Looks up all prefixes of the scope of a node, the i-th callable. Each entry found cuts where a
 * call of its path begins, or after the previous one. */
static void gspi_marks_node(const gspi_marks *w, gsp_node v, uint32_t i)
{
    gsp_str const scope = gsp_node_scope(w->g, v);
    int const call = gspi_op(w->g, v) == GSP_OP_CALL_MODULE;
    uint32_t hash = GSPI_TEXT_START;
    for (uint32_t k = 0; k < scope.size; k++) {
        hash = gspi_text_hash(hash, gspi_slice(scope.data, k, (size_t)k + 1u));
        if (k + 1u < scope.size && scope.data[k + 1u] != '.') {
            continue;
        }
        gsp_str const path = gspi_slice(scope.data, 0, (size_t)k + 1u);
        int const whole = call && gsp_str_equal(gspi_target_str(w->g, v), path);
        uint32_t entry = *gspi_texts_slot(&w->paths, path, hash);
        for (; entry != GSP_NONE; entry = w->paths.same[entry]) {
            uint32_t const before = w->last[entry];
            int const begins = before == GSP_NONE || before + 1u != i || whole || w->whole[entry];
            if (begins && w->d->points[entry].point == GSP_SPLIT_POINT_BEGINNING) {
                w->cut[i] = 1;
            } else if (begins && before != GSP_NONE) {
                w->cut[before + 1u] = 1;
            }
            w->last[entry] = i;
            w->whole[entry] = (uint8_t)whole;
        }
    }
}

/* Makes all cuts, and numbers the nodes in stage_of. Checks that each path has nodes below it. */
static gsp_status gspi_marks_cuts(const gspi_marks *w, gsp_error *err)
{
    const gsp_stages_from_marks_desc *d = w->d;
    gsp_str const marker = gspi_marker(d->marker);
    uint32_t i = 0;
    gspi_none(w->last, d->n_points);
    gspi_set(w->whole, 0, d->n_points);
    gspi_set(w->cut, 0, (size_t)w->g->n_nodes + 1u);
    for (uint32_t k = 0; k < d->n_points; k++) {
        gspi_texts_add(&w->paths, k, d->points[k].path);
    }
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        w->stage_of[v] = GSP_NONE;
        if (!gspi_callable(w->g, v)) {
            continue;
        }
        if (gspi_is_marker(w->g, v, marker)) {
            w->cut[i] |= d->policy == NULL;
            continue;
        }
        if (d->policy != NULL && d->policy(d->user, w->g, v) != 0) {
            w->cut[i] = 1;
        }
        if (d->n_points != 0u) {
            gspi_marks_node(w, v, i);
        }
        w->stage_of[v] = i++;
    }
    for (uint32_t k = 0; k < d->n_points; k++) {
        GSPI_CHECK_ITEM(w->last[k] != GSP_NONE, ARG, PATH, POINT, k, GSP_NONE);
        if (d->points[k].point == GSP_SPLIT_POINT_END) {
            w->cut[w->last[k] + 1u] = 1; /* after the last call */
        }
    }
    return GSP_OK;
}

gsp_status gsp_stages_from_marks_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stages_from_marks_desc *desc, gsp_stages_from_marks_result *result, gsp_error *err)
{
    gsp_stages_from_marks_desc d;
    gspi_marks w;
    GSPI_GIVEN_PASS();
    GSPI_READ_DESC(d, desc);
    GSPI_GIVEN_ROWS(d.points, d.n_points);
    GSPI_CHECK(d.n_points == 0u || d.policy == NULL, ARG, POLICY);
    for (uint32_t i = 0; i < d.n_points; i++) {
        GSPI_CHECK_ITEM(d.points[i].point < GSP_SPLIT_POINT_COUNT, ARG, POINT, POINT, i, GSP_NONE);
        GSPI_CHECK_OF(!gspi_is_null(d.points[i].path), ARG, NULL_ARGUMENT, POINT, i, "path");
    }
    GSPI_ENTER(gsp_stages_from_marks_bound(graph, &d));
    gspi_marks_layout(&pass.bump, &w, graph, &d);
    GSPI_STEP(gspi_marks_cuts(&w, err));
    result->n_nodes = graph->n_nodes;
    result->n_stages = 0;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        uint32_t const i = w.stage_of[v];
        if (i != GSP_NONE) {
            result->n_stages += i == 0u || w.cut[i];
            w.stage_of[v] = result->n_stages - 1u;
        }
    }
    result->stage_of = w.stage_of;
    return GSPI_LEAVE();
}

/* ----
 * >>stage_params   Parameters of stages (implementation)
 * ---- */

/* Attributes of one target become one. Rows follow: nodes by stage, stages by attribute, attributes
 * by stage. A scan of the previous rows counts and fills the next ones. */

/* A stage holds values that its nodes read, attributes, or called modules. */
#define GSPI_HOLDS_READ   0
#define GSPI_HOLDS_OWN    1
#define GSPI_HOLDS_CALLED 2

typedef struct {
    gsp_stage_params_result r;
    const gsp_graph *g;
    const gsp_stage_params_desc *d;
    uint32_t n_attrs;
    gspi_texts uses;       /* [n_uses] */
    uint8_t *used;         /* [n_uses] the entry names an attribute */
    uint32_t *by_string;   /* [strings] first of a target or storage */
    uint32_t *attr_of;     /* [n] number of a kept attribute, or GSP_NONE */
    gsp_node *attrs;       /* [n] kept attributes, in graph order */
    uint8_t *child;        /* [n] the attribute names a child graph */
    uint32_t *attr_begin;  /* [n + 1] into attr_stages */
    uint32_t *attr_stages; /* [edges] ascending */
    uint32_t *key_of;      /* [n] first node of the same storage or module */
    uint32_t *stamp;       /* [n] last stage of a key, plus one */
    uint32_t *row;         /* [n] number of stages of a key, then place in held */
} gspi_params;

static void gspi_params_layout(
    gspi_bump *b, gspi_params *w, const gsp_graph *g, const gsp_stage_params_desc *d)
{
    gsp_counts const c = gsp_graph_counts(g);
    uint32_t const n = c.nodes;
    size_t const rows = (size_t)n + 1u;
    gsp_stage_params_result *r = &w->r;
    w->g = g;
    w->d = d;
    r->stage_of = gspi_kept(b, n);
    r->kept = gspi_kept(b, n);
    r->home = gspi_kept(b, n);
    r->begin = gspi_kept(b, rows);
    r->nodes = gspi_kept(b, n);
    r->own_begin = gspi_kept(b, rows);
    r->own = gspi_kept(b, c.edges);
    r->params = GSPI_LOW(b, gsp_stage_param, n);
    r->replicated = GSPI_LOW(b, gsp_stage_param_copy, n);
    r->shared = GSPI_LOW(b, gsp_stage_param_copy, n);
    r->held = gspi_kept(b, gspi_mul_add(c.edges, 2, n));
    gspi_texts_layout(b, &w->uses, d->n_uses);
    w->used = GSPI_HIGH(b, uint8_t, d->n_uses);
    w->by_string = gspi_words(b, c.strings);
    w->attr_of = gspi_words(b, n);
    w->attrs = gspi_words(b, n);
    w->child = GSPI_HIGH(b, uint8_t, n);
    w->attr_begin = gspi_words(b, rows);
    w->attr_stages = gspi_words(b, c.edges);
    w->key_of = gspi_words(b, n);
    w->stamp = gspi_words(b, n);
    w->row = gspi_words(b, n);
}

GSPI_OWN_FRAME size_t gspi_params_bytes(const gsp_graph *graph, const gsp_stage_params_desc *desc)
{
    gsp_stage_params_desc d;
    gspi_bump b = gspi_measure_with(sizeof(gspi_params));
    gspi_params w;
    gspi_desc(&d, desc, sizeof(d));
    gspi_params_layout(&b, &w, graph, &d);
    return gspi_bound(&b);
}

size_t gsp_stage_params_bound(const gsp_graph *graph, const gsp_stage_params_desc *desc)
{
    return gspi_params_bytes(graph, desc);
}

/* Checks that no kept or returned node reads one that is not kept, or of a later stage. */
static gsp_status gspi_params_check(
    const gsp_graph *g, const gsp_stage_params_desc *d, gsp_error *err)
{
    const uint32_t *stage_of = d->stage_of;
    GSPI_CHECK_DESC(*d);
    GSPI_GIVEN_ROWS(stage_of, g->n_nodes);
    GSPI_GIVEN_ROWS(d->uses, d->n_uses);
    GSPI_CHECK(d->multi_use < GSP_MULTI_USE_COUNT, ARG, MULTI_USE);
    for (uint32_t i = 0; i < d->n_uses; i++) {
        GSPI_CHECK_ITEM(
            d->uses[i].multi_use < GSP_MULTI_USE_COUNT, ARG, MULTI_USE, PARAM, i, GSP_NONE);
        GSPI_CHECK_OF(!gspi_is_null(d->uses[i].target), ARG, NULL_ARGUMENT, PARAM, i, "target");
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const stage = gspi_callable(g, v) ? stage_of[v] : GSP_NONE;
        gspi_row const inputs = gspi_inputs(g, v);
        if (stage == GSP_NONE && v + 1u < g->n_nodes) {
            continue;
        }
        GSPI_CHECK_NODE(stage == GSP_NONE || stage < g->n_nodes, ARG, STAGE, v);
        for (uint32_t i = 0; i < inputs.n; i++) {
            gsp_node const u = inputs.at[i];
            if (gspi_callable(g, u)) {
                GSPI_CHECK_AT(stage_of[u] != GSP_NONE, ARG, STAGE, v, u);
                GSPI_CHECK_AT(stage_of[u] <= stage, ARG, STAGE_ORDER, v, u);
            }
        }
    }
    return GSP_OK;
}

/* Renumbers stages without gaps; makes rows of nodes. Attributes become the first of a target. */
static void gspi_params_stages(gspi_params *w)
{
    uint32_t const n = w->g->n_nodes;
    uint32_t *number = w->row;
    uint32_t n_stages = 0;
    w->n_attrs = 0;
    gspi_zero(number, n);
    gspi_none(w->by_string, w->g->module->counts.strings);
    for (gsp_node v = 0; v < n; v++) {
        w->r.stage_of[v] = gspi_callable(w->g, v) ? w->d->stage_of[v] : GSP_NONE;
        w->r.kept[v] = v;
        w->attr_of[v] = GSP_NONE;
        if (w->r.stage_of[v] != GSP_NONE) {
            number[w->r.stage_of[v]] = 1;
        } else if (gspi_op(w->g, v) == GSP_OP_GET_ATTR) {
            uint32_t *first = &w->by_string[gspi_target_id(w->g, v)];
            if (*first == GSP_NONE) {
                *first = v;
                w->attr_of[v] = w->n_attrs;
                w->child[w->n_attrs] = gspi_query_child(w->g, v) != GSP_NONE;
                w->attrs[w->n_attrs++] = v;
            }
            w->r.kept[v] = *first;
        }
    }
    for (uint32_t s = 0; s < n; s++) {
        uint32_t const used = number[s];
        number[s] = n_stages;
        n_stages += used;
    }
    for (gsp_node v = 0; v < n; v++) {
        w->r.stage_of[v] = w->r.stage_of[v] == GSP_NONE ? GSP_NONE : number[w->r.stage_of[v]];
        w->r.home[v] = w->r.stage_of[v];
    }
    gspi_rows(w->r.stage_of, n, n_stages, w->r.begin, w->r.nodes);
    w->r.n_nodes = n;
    w->r.n_stages = n_stages;
}

/* Counts per key, in `row`, the stages that hold it; with `held` lists them, from the end of each
 * row. Nodes without key and rows of GSP_NONE are skipped. */
static void gspi_params_walk(
    gspi_params *w, int what, const uint32_t *key_of, uint32_t *row, uint32_t *held)
{
    const uint32_t *begin = what == GSPI_HOLDS_OWN ? w->r.own_begin : w->r.begin;
    const gsp_node *list = what == GSPI_HOLDS_OWN ? w->r.own : w->r.nodes;
    gspi_zero(w->stamp, w->g->n_nodes);
    for (uint32_t stage = w->r.n_stages; stage > 0u; stage--) {
        for (uint32_t k = begin[stage - 1u]; k < begin[stage]; k++) {
            gspi_row things = {list + k, 1u};
            things = what == GSPI_HOLDS_READ ? gspi_inputs(w->g, list[k]) : things;
            for (uint32_t i = 0; i < things.n; i++) {
                uint32_t const key = key_of[w->r.kept[things.at[i]]];
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
        w->r.home[w->attrs[attr]] != GSP_NONE ? 1u : w->attr_begin[attr + 1u] - w->attr_begin[attr];
    return row;
}

/* Sets transmitted attributes. Checks that each entry names one. */
static gsp_status gspi_params_uses(gspi_params *w, gsp_error *err)
{
    gspi_set(w->used, 0, w->d->n_uses);
    for (uint32_t i = 0; i < w->d->n_uses; i++) {
        gspi_texts_add(&w->uses, i, w->d->uses[i].target);
    }
    for (uint32_t i = 0; i < w->n_attrs; i++) {
        gsp_str const target = gspi_target_str(w->g, w->attrs[i]);
        uint32_t entry =
            *gspi_texts_slot(&w->uses, target, gspi_text_hash(GSPI_TEXT_START, target));
        uint32_t const use = entry != GSP_NONE ? w->d->uses[entry].multi_use : w->d->multi_use;
        if (use == GSP_MULTI_USE_TRANSMIT && !w->child[i] && gspi_params_holders(w, i).n > 1u) {
            w->r.home[w->attrs[i]] = gspi_params_holders(w, i).at[0];
        }
        for (; entry != GSP_NONE; entry = w->uses.same[entry]) {
            w->used[entry] = 1;
        }
    }
    for (uint32_t i = 0; i < w->d->n_uses; i++) {
        GSPI_CHECK_ITEM(w->used[i], ARG, PARAMETER, PARAM, i, GSP_NONE);
    }
    return GSP_OK;
}

static void gspi_params_own(gspi_params *w)
{
    gspi_zero(w->r.own_begin, (size_t)w->r.n_stages + 1u);
    for (uint32_t attr = 0; attr < w->n_attrs; attr++) {
        gspi_row const stages = gspi_params_holders(w, attr);
        for (uint32_t i = 0; i < stages.n; i++) {
            w->r.own_begin[stages.at[i]]++;
        }
    }
    gspi_counts_to_ends(w->r.own_begin, w->r.n_stages);
    for (uint32_t attr = w->n_attrs; attr > 0u; attr--) {
        gspi_row const stages = gspi_params_holders(w, attr - 1u);
        for (uint32_t i = 0; i < stages.n; i++) {
            w->r.own[--w->r.own_begin[stages.at[i]]] = w->attrs[attr - 1u];
        }
    }
}

/* Checks that no node writes an attribute of several stages (flattened positions of `mutates=`). */
static gsp_status gspi_params_check_writes(const gspi_params *w, gsp_error *err)
{
    uint64_t sought = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        gsp_str const list = gspi_attr_str(w->g, v, GSP_KEY_MUTATES);
        gspi_arg_row const args = gspi_args(w->g, v);
        uint32_t token = 0;
        uint32_t at = 0;
        uint32_t i = w->r.stage_of[v] == GSP_NONE ? list.size : 0u;
        while (i < list.size) {
            uint32_t position;
            if (!gspi_next_position(list, &i, &position)) {
                continue;
            }
            sought += position < at ? at : 0u;
            GSPI_CHECK_NODE(sought <= GSPI_SOUGHT, LIMIT, WORK, v);
            uint32_t const k = gspi_seek_leaf(args, &token, &at, position);
            int const is_node = k != GSP_NONE && gspi_is_node(args.at[k]);
            gsp_node const u = is_node ? args.at[k].value : v;
            uint32_t const attr = w->attr_of[w->r.kept[u]];
            GSPI_CHECK_AT(
                attr == GSP_NONE || w->child[attr] || gspi_params_holders(w, attr).n <= 1u, ARG,
                WRITTEN, v, u);
        }
    }
    return GSP_OK;
}

/* Lists the parameters of stages, with holders and the first parameter of each storage. */
static void gspi_params_list(gspi_params *w)
{
    gsp_stage_params_result *r = &w->r;
    r->n_params = 0;
    r->n_held = 0;
    gspi_none(w->by_string, w->g->module->counts.strings);
    gspi_none(w->key_of, w->g->n_nodes);
    for (uint32_t attr = 0; attr < w->n_attrs; attr++) {
        gspi_row const stages = gspi_params_holders(w, attr);
        gsp_node const v = w->attrs[attr];
        gsp_stage_param *p = w->r.params + r->n_params;
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
        p->transmitted = w->r.home[v] != GSP_NONE;
        p->begin = r->n_held;
        p->end = r->n_held += stages.n;
        gspi_copy(w->r.held + p->begin, stages.at, stages.n, sizeof(uint32_t));
        w->key_of[v] = w->r.params[p->first].node;
    }
}

/* The key of a called module is its first call. */
static void gspi_params_calls(gspi_params *w)
{
    gspi_none(w->by_string, w->g->module->counts.strings);
    gspi_none(w->key_of, w->g->n_nodes);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        if (w->r.stage_of[v] != GSP_NONE && gspi_op(w->g, v) == GSP_OP_CALL_MODULE) {
            uint32_t *first = &w->by_string[gspi_target_id(w->g, v)];
            *first = *first == GSP_NONE ? v : *first;
            w->key_of[v] = *first;
        }
    }
}

/* Lists keys that several stages hold, except modules of `params=0`. Returns their number. */
static uint32_t gspi_params_copies(gspi_params *w, int what, gsp_stage_param_copy *copies)
{
    uint32_t n_copies = 0;
    gspi_zero(w->row, w->g->n_nodes);
    gspi_params_walk(w, what, w->key_of, w->row, NULL);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t const count = w->row[v];
        uint64_t bytes = 1;
        w->row[v] = GSP_NONE;
        if (count > 1u && what == GSPI_HOLDS_CALLED) {
            (void)gsp_str_number(gspi_attr_str(w->g, v, GSP_KEY_PARAMS), &bytes);
        }
        if (count > 1u && bytes > 0u) {
            gsp_stage_param_copy *copy = copies + n_copies++;
            copy->node = v;
            copy->target = gspi_target_id(w->g, v);
            copy->begin = w->r.n_held;
            copy->end = w->row[v] = w->r.n_held += count;
        }
    }
    gspi_params_walk(w, what, w->key_of, w->row, w->r.held);
    return n_copies;
}

GSPI_OWN_FRAME gsp_status gspi_params_run(gsp_arena *arena, const gsp_graph *g,
    const gsp_stage_params_desc *d, gsp_stage_params_result *result, gsp_error *err)
{
    GSPI_ENTER(gsp_stage_params_bound(g, d));
    gspi_params *w = GSPI_NEW(gspi_params);
    gspi_params_layout(&pass.bump, w, g, d);
    gspi_params_stages(w);
    gspi_zero(w->attr_begin, (size_t)w->n_attrs + 1u);
    gspi_params_walk(w, GSPI_HOLDS_READ, w->attr_of, w->attr_begin, NULL);
    gspi_counts_to_ends(w->attr_begin, w->n_attrs);
    gspi_params_walk(w, GSPI_HOLDS_READ, w->attr_of, w->attr_begin, w->attr_stages);
    GSPI_STEP(gspi_params_uses(w, err));
    GSPI_STEP(gspi_params_check_writes(w, err));
    gspi_params_own(w);
    gspi_params_list(w);
    w->r.n_replicated = gspi_params_copies(w, GSPI_HOLDS_OWN, w->r.replicated);
    gspi_params_calls(w);
    w->r.n_shared = gspi_params_copies(w, GSPI_HOLDS_CALLED, w->r.shared);
    *result = w->r;
    return GSPI_LEAVE();
}

gsp_status gsp_stage_params_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_stage_params_desc *desc, gsp_stage_params_result *result, gsp_error *err)
{
    gsp_stage_params_desc d;
    gspi_desc(&d, desc, sizeof(d));
    GSPI_GIVEN_PASS();
    GSPI_TRY(gspi_params_check(graph, &d, err));
    return gspi_params_run(arena, graph, &d, result, err);
}

/* ----
 * >>pipeline   The pipeline as a module (implementation)
 * ---- */

/* Finds values that enter and leave stages, then builds root and stages on the input's atoms. */

/* Name spaces. All contain the names of graphs. */
#define GSPI_PIPE_NOWHERE 0u
#define GSPI_PIPE_USED    1u /* parameters and called modules: no names for stages */
#define GSPI_PIPE_STAGE   2u /* plus a stage: targets in its graph */

typedef struct {
    const gsp_graph *g;
    const gsp_pipeline_desc *d;
    gsp_builder *b;
    gsp_pipeline_result *made;
    const gsp_stage_params_result *h;
    gsp_node *node_of;   /* [n] result */
    gsp_node *call;      /* [n] result */
    uint32_t *out_begin; /* [n + 1] into out_nodes */
    gsp_node *out_nodes; /* [n] values by stage */
    uint32_t *out_index; /* [n] index among values of its stage; GSP_NONE without reader outside */
    uint32_t *in_begin;  /* [n + 1] into in_nodes */
    gsp_node *in_nodes;  /* [edges] inputs by stage */
    uint32_t *stamp;     /* [n] last stage that used this value, plus one */
    gsp_node *local;     /* [n] its node in that stage */
    gsp_node *in_root;   /* [n] its node in the root */
    gsp_atom *name;      /* [n] names of stages */
    gspi_names names;    /* [strings of the result] */
    uint32_t *flat_in;   /* [strings] stage that calls a target, plus one; GSP_NONE for others */
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
    w->made = GSPI_HIGH(b, gsp_pipeline_result, 1);
    w->node_of = gspi_kept(b, n);
    w->call = gspi_kept(b, n);
    w->out_begin = gspi_words(b, rows);
    w->out_nodes = gspi_words(b, n);
    w->out_index = gspi_words(b, n);
    w->in_begin = gspi_words(b, rows);
    w->in_nodes = gspi_words(b, c->edges);
    w->stamp = gspi_words(b, n);
    w->local = gspi_words(b, n);
    w->in_root = gspi_words(b, n);
    w->name = gspi_words(b, n);
    w->names.of = GSPI_HIGH(b, gspi_name, made->strings);
    w->flat_in = gspi_words(b, c->strings);
    w->flat_as = gspi_words(b, c->strings);
}

/* The last stage and one, at most n. */
static uint32_t gspi_pipe_stages(const gsp_graph *g, const uint32_t *stage_of)
{
    uint32_t stages = stage_of == NULL ? g->n_nodes : 0u;
    for (gsp_node v = 0; v < g->n_nodes && stage_of != NULL; v++) {
        if (gspi_callable(g, v) && stage_of[v] < g->n_nodes && stage_of[v] >= stages) {
            stages = stage_of[v] + 1u;
        }
    }
    return stages;
}

/* Each node once in the root or a stage, and once in a child graph if there are any; at most one
 * placeholder or attribute per edge in stages; a call and an output per stage; a getitem per
 * value. */
static gsp_counts gspi_pipe_counts(const gsp_graph *g, const uint32_t *stage_of)
{
    gsp_counts const *c = &g->module->counts;
    uint64_t const n = c->nodes;
    uint64_t const p = gspi_pipe_stages(g, stage_of);
    uint64_t const copies = c->graphs > 1u ? 1u : 0u;
    char digits[20];
    gsp_counts r;
    r.graphs = gspi_count(p + c->graphs + 1u);
    r.nodes = gspi_count(n * (2u + copies) + c->edges + 2u * p + 1u);
    /* 2 per getitem, and a returned value; a tuple per stage */
    r.args = gspi_count(c->args * (1u + copies) + n * 3u + c->edges + 2u * p);
    r.edges = gspi_count(c->edges * (2u + copies) + n * 2u);
    r.attrs = gspi_count(c->attrs + n * 2u + 2u * p);
    /* name and index per getitem; two numbered names and a number per stage; a numbered flattened
     * target; the start of a target, also as a used name; "getitem", "submod" */
    r.strings = gspi_count(c->strings + n * 6u + p * 4u + 4u);
    uint64_t const w = gspi_decimal(r.strings, digits);
    r.bytes = gspi_count((uint64_t)c->bytes * 4u + n * (32u + 2u * w) + p * 60u + 128u);
    return r;
}

GSPI_OWN_FRAME size_t gspi_pipe_bytes(const gsp_graph *graph, const uint32_t *stage_of)
{
    gspi_bump b = gspi_measure_with(sizeof(gspi_pipe));
    gsp_counts const made = gspi_pipe_counts(graph, stage_of);
    gspi_pipe w;
    gspi_pipe_layout(&b, &w, graph, &made);
    return gspi_add(gspi_bound(&b), gsp_build_bound(&made));
}

size_t gsp_pipeline_bound(const gsp_graph *graph, const gsp_pipeline_desc *desc)
{
    return gspi_add(gspi_pipe_bytes(graph, desc == NULL ? NULL : desc->params.stage_of),
        gsp_stage_params_bound(graph, desc == NULL ? NULL : &desc->params));
}

/* Rows of returned values by stage: own by first outside reader, then transmitted attributes. */
static void gspi_pipe_outputs(gspi_pipe *w)
{
    const uint32_t *home = w->h->home;
    uint32_t const n = w->g->n_nodes;
    gspi_zero(w->out_begin, (size_t)w->h->n_stages + 1u);
    gspi_none(w->out_index, n);
    for (gsp_node v = 0; v < n; v++) {
        uint32_t const stage = w->h->stage_of[v];
        gspi_row const inputs = gspi_inputs(w->g, v);
        for (uint32_t i = 0; i < inputs.n && (stage != GSP_NONE || v + 1u == n); i++) {
            gsp_node const u = inputs.at[i];
            if (w->h->stage_of[u] != GSP_NONE && home[u] != stage && w->out_index[u] == GSP_NONE) {
                w->out_index[u] = w->out_begin[home[u] + 1u]++;
            }
        }
    }
    for (gsp_node v = 0; v < n; v++) {
        if (gspi_op(w->g, v) == GSP_OP_GET_ATTR && home[v] != GSP_NONE) {
            w->out_index[v] = w->out_begin[home[v] + 1u]++;
        }
    }
    gspi_rows_by_index(home, w->out_index, n, w->h->n_stages, w->out_begin, w->out_nodes);
}

/* Rows of inputs by stage, by first use: placeholders and values of other stages. */
static void gspi_pipe_inputs(gspi_pipe *w)
{
    uint32_t n = 0;
    gspi_zero(w->stamp, w->g->n_nodes);
    for (uint32_t stage = 0; stage < w->h->n_stages; stage++) {
        w->in_begin[stage] = n;
        for (uint32_t k = w->h->begin[stage]; k < w->h->begin[stage + 1u]; k++) {
            gspi_row const inputs = gspi_inputs(w->g, w->h->nodes[k]);
            for (uint32_t i = 0; i < inputs.n; i++) {
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

/* "submod_0", ..., except names of other graphs, parameters and called modules. */
static void gspi_pipe_names_of_stages(gspi_pipe *w)
{
    const gsp_module *m = w->g->module;
    uint32_t number = 0;
    uint32_t at = 2u * m->counts.graphs; /* graphs that nothing needs are dropped */
    gsp_atom used;
    w->names.n = 0;
    gspi_none(w->flat_in, m->counts.strings);
    while ((used = gspi_build_next_used(w->b, m, gsp_str_of("submod_"), &at)) != GSP_NONE) {
        gspi_build_name_at(&w->names, used)->space = GSPI_PIPE_USED;
    }
    for (uint32_t i = 0; i < m->n_leaves; i++) {
        w->flat_in[m->leaves[i].target] = 0;
    }
    gspi_build_name_at(&w->names, GSP_KEY_MAIN)->space = GSP_NONE;
    for (uint32_t i = 0; i < m->counts.graphs; i++) {
        if (w->copier.seen[i]) {
            gspi_build_name_at(&w->names, m->graphs[i].name)->space = GSP_NONE;
        }
    }
    for (uint32_t stage = 0; stage < w->h->n_stages; stage++) {
        gspi_name *name;
        do {
            w->name[stage] = gspi_build_numbered(w->b, gsp_str_of("submod"), number++);
            name = gspi_build_name_at(&w->names, w->name[stage]);
        } while (name->space != GSPI_PIPE_NOWHERE && !GSPI_NEVER(w->b->error.status != GSP_OK));
        name->space = GSP_NONE;
    }
}

static void gspi_pipe_args(const gspi_pipe *w, gsp_node v, const gsp_node *map, uint32_t stamp)
{
    gspi_build_copy_mapped(w->b, w->g, v, w->h->kept, map, w->stamp, stamp);
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
        gsp_build_arg_node(w->b, w->in_root[w->in_nodes[i]]);
    }
    if (n_values == 1u) {
        w->in_root[values[0]] = call;
        gsp_build_like(w->b, w->g, values[0], 0);
    }
    gsp_build_attr(
        w->b, gspi_key(GSP_KEY_STAGE), gspi_slice(digits, 0, gspi_decimal(stage, digits)));
    for (uint32_t i = 0; i < n_values && n_values > 1u; i++) {
        w->in_root[values[i]] = gspi_build_put_getitem(w->b, call, i);
        gsp_build_like(w->b, w->g, values[i], 0);
    }
    w->call[stage] = call;
}

/* Placeholders, returned attributes that no stage transmits, calls. */
static void gspi_pipe_root(gspi_pipe *w)
{
    gsp_node const output = w->g->n_nodes - 1u;
    gspi_row const returned = gspi_inputs(w->g, output);
    uint32_t const stamp = w->h->n_stages + 1u;
    gsp_build_graph(w->b, gsp_str_of(""));
    for (uint32_t i = 0; i < returned.n; i++) {
        w->stamp[w->h->kept[returned.at[i]]] = stamp;
    }
    for (gsp_node v = 0; v < output; v++) {
        gsp_op const op = gspi_op(w->g, v);
        if (op == GSP_OP_PLACEHOLDER ||
            (op == GSP_OP_GET_ATTR && w->stamp[v] == stamp && w->h->home[v] == GSP_NONE)) {
            w->in_root[v] = gspi_build_copy_node(w->b, w->g, op, v, gspi_target_id(w->g, v));
            gspi_pipe_args(w, v, w->in_root, GSP_NONE);
        }
    }
    for (uint32_t stage = 0; stage < w->h->n_stages; stage++) {
        gspi_pipe_call(w, stage);
    }
    (void)gsp_build_output(w->b);
    gsp_build_like(w->b, w->g, output, 1);
    gspi_pipe_args(w, output, w->in_root, GSP_NONE);
}

/* Adds a node to a stage; arguments follow. */
static void gspi_pipe_copy(gspi_pipe *w, uint32_t stage, gsp_op op, gsp_node v, gsp_atom target)
{
    w->stamp[v] = stage + 1u;
    w->local[v] = gspi_build_copy_node(w->b, w->g, op, v, target);
}

/* Dots of called targets become '_'; a used name gets the next free number. */
static void gspi_pipe_node(gspi_pipe *w, uint32_t stage, gsp_node v)
{
    gsp_op const op = gspi_op(w->g, v);
    gsp_atom target = gspi_target_id(w->g, v);
    if (op == GSP_OP_CALL_MODULE && w->d->keep_targets == 0u &&
        gspi_query_child(w->g, v) == GSP_NONE) {
        if (w->flat_in[target] != stage + 1u) {
            gsp_atom const wanted = gspi_build_flat(w->b, gspi_target_str(w->g, v));
            w->flat_in[target] = stage + 1u;
            w->flat_as[target] =
                gspi_build_name_free(w->b, &w->names, wanted, GSPI_PIPE_STAGE + stage);
        }
        target = w->flat_as[target];
    }
    gspi_pipe_copy(w, stage, op, v, target);
    gspi_pipe_args(w, v, w->local, stage + 1u);
    w->node_of[v] = w->local[v];
}

/* Keeps flattened targets, which have a '_', apart from a parameter of the stage, and from the
 * start of its name unless that is a called module, which then holds it. */
static void gspi_pipe_take(gspi_pipe *w, uint32_t stage, gsp_atom target)
{
    gsp_str const t = gspi_str(w->g->module, target);
    size_t const dot = gspi_find_byte(t.data, t.size, 0, '.');
    gspi_build_take(&w->names, target, GSPI_PIPE_STAGE + stage);
    if (dot < t.size && gspi_find_byte(t.data, dot, 0, '_') < dot) {
        gsp_atom const start = gsp_build_atom(w->b, gspi_slice(t.data, 0, dot));
        if (start >= w->g->module->counts.strings || w->flat_in[start] == GSP_NONE) {
            gspi_build_take(&w->names, start, GSPI_PIPE_STAGE + stage);
        }
    }
}

static void gspi_pipe_body(gspi_pipe *w, uint32_t stage)
{
    gsp_build_graph(w->b, gspi_build_text(w->b, w->name[stage]));
    for (uint32_t i = w->in_begin[stage]; i < w->in_begin[stage + 1u]; i++) {
        gsp_node const u = w->in_nodes[i];
        gspi_pipe_copy(w, stage, GSP_OP_PLACEHOLDER, u, gspi_name_id(w->g, u));
    }
    for (uint32_t i = w->h->own_begin[stage]; i < w->h->own_begin[stage + 1u]; i++) {
        gsp_node const u = w->h->own[i];
        gspi_pipe_copy(w, stage, GSP_OP_GET_ATTR, u, gspi_target_id(w->g, u));
        if (w->g->module->n_leaves != 0u) { /* else no target is flattened */
            gspi_pipe_take(w, stage, gspi_target_id(w->g, u));
        }
    }
    for (uint32_t i = w->h->begin[stage]; i < w->h->begin[stage + 1u]; i++) {
        gspi_pipe_node(w, stage, w->h->nodes[i]);
    }
    gspi_build_put_return(w->b, w->out_nodes, w->out_begin[stage], w->out_begin[stage + 1u],
        w->local, w->out_begin[stage + 1u] - w->out_begin[stage] != 1u);
}

GSPI_OWN_FRAME void gspi_pipe_write(gspi_pipe *w)
{
    gspi_row const returned = gspi_inputs(w->g, w->g->n_nodes - 1u);
    gspi_pipe_outputs(w);
    gspi_pipe_inputs(w);
    gspi_none(w->in_root, w->g->n_nodes);
    gspi_none(w->node_of, w->g->n_nodes);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        if (w->h->stage_of[v] != GSP_NONE) {
            gspi_copier_add(&w->copier, w->g, v);
        }
    }
    for (uint32_t i = 0; i < w->h->own_begin[w->h->n_stages]; i++) {
        gspi_copier_add(&w->copier, w->g, w->h->own[i]);
    }
    for (uint32_t i = 0; i < returned.n; i++) {
        gspi_copier_add(&w->copier, w->g, returned.at[i]);
    }
    gspi_copier_add_all(&w->copier);
    gspi_pipe_names_of_stages(w);
    gspi_pipe_root(w);
    for (uint32_t i = 0; i < w->h->n_stages; i++) {
        gspi_pipe_body(w, i);
    }
    gspi_copier_copy(&w->copier);
}

gsp_status gsp_pipeline_run(gsp_arena *arena, const gsp_graph *graph, const gsp_pipeline_desc *desc,
    gsp_pipeline_result *result, gsp_error *err)
{
    gsp_pipeline_desc d;
    GSPI_GIVEN_PASS();
    GSPI_CHECK_RANGE(graph->n_nodes != 0u, n_nodes);
    GSPI_READ_DESC(d, desc);
    GSPI_TRY(gspi_params_check(graph, &d.params, err));
    GSPI_ENTER(gsp_pipeline_bound(graph, &d));
    gsp_counts const made = gspi_pipe_counts(graph, d.params.stage_of);
    gspi_pipe *w = GSPI_NEW(gspi_pipe);
    gspi_pipe_layout(&pass.bump, w, graph, &made);
    gsp_pipeline_result *r = w->made;
    GSPI_STEP(gspi_params_run(arena, graph, &d.params, &r->params, err));
    w->d = &d;
    w->h = &r->params;
    gspi_copier_start(&w->copier, arena, &made);
    gspi_pipe_write(w);
    GSPI_STEP(gspi_copier_finish(&w->copier, err));
    r->module = *w->copier.made;
    r->n_stages = r->params.n_stages;
    r->stage_of = r->params.stage_of;
    r->node_of = w->node_of;
    r->call = w->call;
    *result = *r;
    return GSPI_LEAVE();
}

/* ----
 * >>backward   Gradients through the stages (implementation)
 * ---- */

/* The root is copied up to its output; then stages follow, last first, if the loss needs them. */

typedef struct {
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
} gspi_grad;

static void gspi_grad_layout(gspi_bump *b, gspi_grad *w, const gsp_module *m)
{
    gsp_graph const g = gspi_graph(m, 0);
    gsp_counts const root = gsp_graph_counts(&g);
    gspi_copier_layout(b, &w->copier, m);
    w->b = w->copier.b;
    w->call = gspi_kept(b, root.nodes);
    w->grad_of = gspi_kept(b, root.nodes);
    w->live = GSPI_HIGH(b, uint8_t, root.nodes);
    w->closer = GSPI_HIGH(b, char, root.args);
}

/* Additions: a call per stage, a getitem and a sum per input; as arguments four keys with
 * containers, three lists of values, and the inputs. */
static gsp_counts gspi_grad_counts(const gsp_module *module)
{
    gsp_graph const g = gspi_graph(module, 0);
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

size_t gsp_backward_bound(const gsp_module *module, const gsp_backward_desc *desc)
{
    gspi_bump b = gspi_measure();
    gsp_counts const made = gspi_grad_counts(module);
    gspi_grad w;
    (void)desc;
    gspi_grad_layout(&b, &w, module);
    return gspi_add(gspi_bound(&b), gsp_build_bound(&made));
}

/* The loss by index in a returned tuple or list, or by key in a dict. */
GSPI_OWN_FRAME gsp_status gspi_loss_element(gspi_grad *w, gsp_error *err)
{
    gspi_arg_row args = gspi_args(&w->g, w->g.n_nodes - 1u);
    uint32_t const kind = args.at[0].kind;
    int const by_key = w->d->loss == GSP_LOSS_KEY;
    if (by_key ? kind == GSP_ARG_DICT : kind == GSP_ARG_TUPLE || kind == GSP_ARG_LIST) {
        args.at++;
        args.n -= 2;
    }
    gspi_elements e = gspi_elements_of(args);
    uint32_t n = 0;
    for (; gspi_next_element(&e); n++) {
        gsp_str const key = gspi_str(w->g.module, e.key);
        if (by_key ? gsp_str_equal(gspi_unquoted(key), gsp_str_of("loss")) : n == w->d->output) {
            GSPI_CHECK(gspi_is_node(e.args[e.at]), ARG, LOSS_VALUE);
            w->loss = e.args[e.at].value;
            return GSP_OK;
        }
    }
    return by_key ? gspi_fail_plain(err, GSPI_CODE(ARG, LOSS_KEY, NONE))
                  : gspi_fail_amount(err, GSPI_CODE(ARG, LOSS_INDEX, NONE), w->d->output, n);
}

/* Consumes blanks and a literal, if they follow. */
static int gspi_loss_takes(gsp_str spec, uint32_t *at, const char *literal)
{
    uint32_t const begin = gspi_skip_blanks(spec, *at);
    if (!gspi_at(spec, begin, literal)) {
        return 0;
    }
    *at = begin + gsp_str_of(literal).size;
    return 1;
}

/* Consumes "key:", if it follows. */
static int gspi_loss_takes_key(gsp_str spec, uint32_t *at, gsp_str key)
{
    uint32_t const begin = gspi_skip_blanks(spec, *at);
    uint32_t end = gspi_is_quote(spec, begin) ? gspi_quote_end(spec, begin) : begin;
    while (end < spec.size && spec.data[end] != ':') {
        end++;
    }
    if (end == spec.size ||
        !gsp_str_equal(
            gspi_unquoted(gspi_trim(gspi_slice(spec.data, begin, end))), gspi_unquoted(key))) {
        return 0;
    }
    *at = end + 1u;
    return 1;
}

/* Consumes the part of the spec for args[*i] and advances *i. Returns 0 on a mismatch. */
static int gspi_loss_step(
    gspi_grad *w, uint32_t *at, const gsp_arg *args, uint32_t *i, int *at_start)
{
    gsp_str const spec = w->d->spec;
    uint32_t const now = *i;
    uint32_t const kind = args[now].kind;
    int const empty = *at_start;
    *i = now + 1u;
    *at_start = kind == GSP_ARG_KEY;
    if (kind == GSP_ARG_KEY) {
        return gspi_loss_takes_key(spec, at, gspi_str(w->g.module, args[now].value));
    }
    if (kind == GSP_ARG_CLOSE) { /* a comma may follow an element */
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
        return kind == GSP_ARG_NODE;
    }
    *at_start = 1;
    *at = gspi_skip_blanks(spec, *at) + 1u;
    char const open = gspi_byte(spec, *at - 1u);
    w->closer[now] = (char)(open == '(' ? ')' : open == '[' ? ']' : '}');
    if (kind == GSP_ARG_DICT) {
        return open == '{';
    }
    return (kind == GSP_ARG_TUPLE || kind == GSP_ARG_LIST) && (open == '(' || open == '[');
}

static gsp_status gspi_loss_by_spec(gspi_grad *w, gsp_error *err)
{
    gsp_node const output = w->g.n_nodes - 1u;
    gspi_arg_row const args = gspi_args(&w->g, output);
    uint32_t at = 0;
    uint32_t i = 0;
    int at_start = 1; /* no comma after an opening bracket or a key */
    int good = 1;
    while (good && i < args.n) {
        good =
            at_start || args.at[i].kind == GSP_ARG_CLOSE || gspi_loss_takes(w->d->spec, &at, ",");
        uint32_t const before = at;
        good = good && gspi_loss_step(w, &at, args.at, &i, &at_start);
        at = good ? at : before;
    }
    at = gspi_skip_blanks(w->d->spec, at);
    if (!good || at != w->d->spec.size) {
        (void)gspi_fail_at(err, GSP_STATUS_ARG, GSP_DETAIL_LOSS_SPEC, output, GSP_NONE);
        if (err != NULL) {
            err->line = 1;
            err->column = (size_t)at + 1u;
        }
        return GSP_STATUS_ARG;
    }
    GSPI_CHECK(w->loss != GSP_NONE, ARG, LOSS_NONE);
    return GSP_OK;
}

/* Values of a stage: the getitems after its call, or the call. */
static uint32_t gspi_grad_values(const gspi_grad *w, gsp_node call, gsp_node *first)
{
    gsp_node v = call + 1u;
    while (gspi_getitem_source(&w->g, v) == call) {
        v++;
    }
    *first = v > call + 1u ? call + 1u : call;
    return v > call + 1u ? v - call - 1u : 1u;
}

static gsp_atom gspi_grad_atom(gspi_grad *w, const char *text)
{
    return gsp_build_atom(w->b, gsp_str_of(text));
}

static void gspi_grad_key(gspi_grad *w, gsp_atom key, gsp_arg_kind container)
{
    gspi_build_put_arg(w->b, GSP_ARG_KEY, key);
    gsp_build_open(w->b, container);
}

static gsp_node gspi_grad_call(gspi_grad *w, gsp_node stage)
{
    gsp_atom const name = gsp_build_name(w->b, gsp_str_of("stage_backward"));
    gsp_node const call = gsp_build_node_atoms(w->b, GSP_OP_CALL_FUNCTION, name, w->stage_backward);
    gspi_row const inputs = gspi_inputs(&w->g, stage);
    gsp_node first;
    uint32_t const n_values = gspi_grad_values(w, stage, &first);
    gspi_grad_key(w, w->stage_output, GSP_ARG_TUPLE);
    for (uint32_t i = 0; i < n_values; i++) {
        gsp_build_arg_node(w->b, first + i);
    }
    gsp_build_close(w->b);
    gspi_grad_key(w, w->output_grads, GSP_ARG_TUPLE);
    for (uint32_t i = 0; i < n_values; i++) {
        gsp_node const grad = w->grad_of[first + i];
        gspi_build_put_arg(w->b, grad == GSP_NONE ? GSP_ARG_CONSTANT : GSP_ARG_NODE,
            grad == GSP_NONE ? w->none : grad);
    }
    gsp_build_close(w->b);
    gspi_grad_key(w, w->input_values, GSP_ARG_LIST);
    for (uint32_t i = 0; i < inputs.n; i++) {
        gsp_build_arg_node(w->b, inputs.at[i]);
    }
    gsp_build_close(w->b);
    gspi_grad_key(w, w->grads_idxs, GSP_ARG_LIST);
    for (uint32_t i = 0; i < n_values; i++) {
        if (w->live[first + i]) {
            gspi_build_put_index(w->b, i);
        }
    }
    gsp_build_close(w->b);
    return call;
}

/* Calls that the loss needs, and gradients of their inputs, added to those of later stages. */
static void gspi_grad_stages(gspi_grad *w)
{
    gspi_none(w->grad_of, w->g.n_nodes);
    gspi_set(w->live, 0, w->g.n_nodes);
    w->live[w->loss] = 1;
    w->stage_backward = gspi_grad_atom(w, GSP_BACKWARD_STAGE);
    w->accumulate = gspi_grad_atom(w, GSP_BACKWARD_ADD);
    w->none = gspi_grad_atom(w, "None");
    w->stage_output = gspi_grad_atom(w, "stage_output");
    w->output_grads = gspi_grad_atom(w, "output_grads");
    w->input_values = gspi_grad_atom(w, "input_values");
    w->grads_idxs = gspi_grad_atom(w, "outputs_with_grads_idxs");
    for (uint32_t stage = w->p->n_stages; stage > 0u; stage--) {
        gsp_node const node = w->p->call[stage - 1u];
        gspi_row const inputs = gspi_inputs(&w->g, node);
        gsp_node first;
        uint32_t const count = gspi_grad_values(w, node, &first);
        uint32_t i = 0;
        while (i < count && !w->live[first + i]) {
            i++;
        }
        w->call[stage - 1u] = i < count ? gspi_grad_call(w, node) : GSP_NONE;
        for (uint32_t k = 0; k < inputs.n && i < count; k++) {
            gsp_node const u = inputs.at[k];
            gsp_node grad = gspi_build_put_getitem(w->b, w->call[stage - 1u], k);
            gsp_build_like(w->b, &w->g, u, 0);
            if (w->grad_of[u] != GSP_NONE && gspi_op(&w->g, u) != GSP_OP_PLACEHOLDER) {
                gsp_atom const name = gsp_build_name(w->b, gsp_str_of("_null_coalesce_accumulate"));
                gsp_node const sum =
                    gsp_build_node_atoms(w->b, GSP_OP_CALL_FUNCTION, name, w->accumulate);
                gsp_build_arg_node(w->b, w->grad_of[u]);
                gsp_build_arg_node(w->b, grad);
                gsp_build_like(w->b, &w->g, u, 0);
                grad = sum;
            }
            w->grad_of[u] = grad;
            w->live[u] = 1;
        }
    }
}

GSPI_OWN_FRAME void gspi_grad_write(gspi_grad *w)
{
    gsp_build_graph(w->b, gsp_str_of(""));
    for (gsp_node v = 0; v + 1u < w->g.n_nodes; v++) {
        gspi_build_copy_whole(w->b, &w->g, v);
    }
    gspi_grad_stages(w);
    gspi_build_copy_whole(w->b, &w->g, w->g.n_nodes - 1u);
    gspi_set(w->copier.seen + 1, 1, w->copier.m->counts.graphs - 1u);
    gspi_copier_copy(&w->copier);
}

GSPI_OWN_FRAME void gspi_grad_start(gspi_grad *w, gsp_arena *arena)
{
    gsp_counts const made = gspi_grad_counts(&w->p->module);
    gspi_copier_start(&w->copier, arena, &made);
}

gsp_status gsp_backward_run(gsp_arena *arena, const gsp_pipeline_result *pipe,
    const gsp_backward_desc *desc, gsp_backward_result *result, gsp_error *err)
{
    gsp_backward_desc d;
    gspi_grad w;
    gspi_desc(&d, desc, sizeof(d));
    int const by_spec = d.loss == GSP_LOSS_SPEC;
    GSPI_GIVEN_3(arena, pipe, result);
    GSPI_CHECK_DESC(d);
    GSPI_CHECK_CHOICE(d.loss, GSP_LOSS_COUNT);
    GSPI_GIVEN_STR(d.spec, "spec");
    GSPI_GIVEN_ROWS(pipe->call, pipe->n_stages);
    w.g = gspi_graph(&pipe->module, 0);
    w.p = pipe;
    w.d = &d;
    w.loss = GSP_NONE;
    if (!by_spec) {
        GSPI_TRY(gspi_loss_element(&w, err));
    }
    GSPI_ENTER(gsp_backward_bound(&pipe->module, &d));
    gspi_grad_layout(&pass.bump, &w, &pipe->module);
    GSPI_STEP(by_spec ? gspi_loss_by_spec(&w, err) : GSP_OK);
    gspi_grad_start(&w, arena);
    gspi_grad_write(&w);
    GSPI_STEP(gspi_copier_finish(&w.copier, err));
    result->module = *w.copier.made;
    result->n_stages = pipe->n_stages;
    result->loss = w.loss;
    result->call = w.call;
    result->grad_of = w.grad_of;
    return GSPI_LEAVE();
}

/* ----
 * >>stage_devices   Devices of stages, stages as modules (implementation)
 * ---- */

/* Equal texts are one device, numbered by first entry; n_devices stands for none. A child graph
 * belongs to the device of its first stage; copies for further devices follow all other graphs. */

typedef struct {
    const gsp_module *m;
    const gsp_stage_devices_desc *d;
    gspi_copier copier; /* its `seen` is the row of one device */
    gsp_builder *b;
    gspi_texts texts;    /* [n_devices] */
    uint32_t *first;     /* [n_devices] first entry of the same device */
    uint32_t *device_of; /* [graphs] of a graph */
    uint8_t *seen;       /* [(n_devices + 1) * graphs] a device needs a child graph */
    gsp_atom *name;      /* [(n_devices + 1) * graphs] GSP_KEY_NONE for its own */
    gsp_atom *spelling;  /* [n_devices] */
    uint8_t *taken;      /* [strings of the result] a graph has this name */
} gspi_stage_devices;

/* Rows of graphs, one per device; 0 without child graphs. */
static uint32_t gspi_stage_devices_rows(const gsp_counts *c, const gsp_stage_devices_desc *d)
{
    return c->graphs > gspi_count_add(d->n_stages, 1) ? gspi_count_add(d->n_devices, 1) : 0u;
}

static void gspi_stage_devices_layout(gspi_bump *b, gspi_stage_devices *w, const gsp_module *m,
    const gsp_counts *made, const gsp_stage_devices_desc *d)
{
    uint32_t const rows = gspi_stage_devices_rows(&m->counts, d);
    size_t const cells = gspi_mul_add(rows, m->counts.graphs, 0);
    gspi_copier_layout(b, &w->copier, m);
    w->m = m;
    w->d = d;
    w->b = w->copier.b;
    gspi_texts_layout(b, &w->texts, d->n_devices);
    w->first = gspi_words(b, d->n_devices);
    w->device_of = gspi_words(b, m->counts.graphs);
    w->seen = GSPI_HIGH(b, uint8_t, cells);
    w->name = gspi_words(b, cells);
    w->spelling = gspi_words(b, d->n_devices);
    w->taken = GSPI_HIGH(b, uint8_t, rows > 0u ? made->strings : 0u);
}

/* Each graph once, each child graph once more per device; the start of each target. */
static gsp_counts gspi_stage_devices_counts(const gsp_counts *c, const gsp_stage_devices_desc *d)
{
    uint32_t const rows = gspi_stage_devices_rows(c, d);
    uint32_t const copies = gspi_count_add(rows, 1);
    gsp_counts r;
    r.graphs = gspi_count_mul(c->graphs, copies);
    r.nodes = gspi_count_mul(c->nodes, copies);
    r.args = gspi_count_mul(c->args, copies);
    r.edges = r.args;
    r.attrs = c->attrs;
    r.strings = gspi_count_add(gspi_count_mul(c->graphs, rows),
        gspi_count((uint64_t)c->strings + c->nodes + d->n_devices + 1u));
    r.bytes = gspi_count_mul(gspi_count_add(c->bytes, gspi_count_mul(c->graphs, 11)), copies);
    r.bytes = gspi_count_add(r.bytes, c->bytes);
    for (uint32_t i = 0; d->devices != NULL && i < d->n_devices; i++) {
        r.bytes = gspi_count_add(r.bytes, d->devices[i].device.size);
    }
    return r;
}

size_t gsp_stage_devices_bound(const gsp_module *module, const gsp_stage_devices_desc *desc)
{
    gsp_stage_devices_desc d;
    gspi_bump b = gspi_measure();
    gspi_stage_devices w;
    gspi_desc(&d, desc, sizeof(d));
    gsp_counts const made = gspi_stage_devices_counts(&module->counts, &d);
    gspi_stage_devices_layout(&b, &w, module, &made, &d);
    return gspi_add(gspi_bound(&b), gsp_build_bound(&made));
}

/* Gives child graphs the device of a stage, or further names for it: NAME_1, NAME_2, ... */
static void gspi_stage_devices_claim(gspi_stage_devices *w, uint32_t stage)
{
    uint32_t const device = w->device_of[1u + stage];
    size_t const row = (size_t)device * w->m->counts.graphs;
    gsp_graph const g = gspi_graph(w->m, 1u + stage);
    w->copier.seen = w->seen + row;
    w->copier.n = 0;
    for (gsp_node v = 0; v < g.n_nodes; v++) {
        gspi_copier_add(&w->copier, &g, v);
    }
    gspi_copier_add_all(&w->copier);
    for (uint32_t i = 0; i < w->copier.n; i++) {
        uint32_t const id = w->copier.list[i];
        gsp_atom s = GSP_KEY_NONE;
        if (w->device_of[id] == GSP_NONE) {
            w->device_of[id] = device;
        } else {
            gsp_str const base = gspi_str(w->m, w->m->graphs[id].name);
            s = w->m->graphs[id].name;
            for (uint32_t k = 1; w->taken[s] && !GSPI_NEVER(w->b->error.status != GSP_OK); k++) {
                s = gspi_build_numbered(w->b, base, k);
            }
            w->taken[s] = 1;
        }
        w->name[row + id] = s;
    }
}

static void gspi_stage_devices_devices(gspi_stage_devices *w)
{
    uint32_t const graphs = w->m->counts.graphs;
    uint32_t const none = w->d->n_devices;
    size_t const cells = (size_t)gspi_stage_devices_rows(&w->m->counts, w->d) * graphs;
    uint32_t at = 0;
    gsp_atom used;
    for (uint32_t i = 0; i < graphs; i++) {
        w->device_of[i] = i > w->d->n_stages ? GSP_NONE : none;
    }
    for (uint32_t i = 0; i < none; i++) {
        gsp_str const device = w->d->devices[i].device;
        gspi_texts_add(&w->texts, i, device);
        w->first[i] = w->texts.same[i] == GSP_NONE ? i : w->first[w->texts.same[i]];
        w->spelling[i] = gsp_build_atom(w->b, device);
        w->device_of[1u + w->d->devices[i].stage] = w->first[i];
    }
    if (cells == 0u) {
        return;
    }
    gspi_set(w->seen, 0, cells);
    gspi_zero(w->name, cells);
    gspi_set(w->taken, 0, w->b->cap.strings);
    while ((used = gspi_build_next_used(w->b, w->m, gsp_str_of(""), &at)) != GSP_NONE) {
        w->taken[used] = 1;
    }
    for (uint32_t i = 0; i < w->d->n_stages; i++) {
        gspi_stage_devices_claim(w, i);
    }
    for (uint32_t i = w->d->n_stages + 1u; i < graphs; i++) {
        w->device_of[i] = w->device_of[i] == GSP_NONE ? none : w->device_of[i];
    }
}

static void gspi_stage_devices_args(const gspi_stage_devices *w, gspi_arg_row args, uint32_t device)
{
    gspi_elements e = gspi_elements_of(args);
    for (uint32_t begin = 0; gspi_next_element(&e); begin = e.next) {
        int const is_device = e.key == GSP_KEY_DEVICE;
        gspi_build_copy_args(w->b, args.at + begin, (is_device ? e.at : e.next) - begin);
        if (is_device) {
            gspi_build_put_arg(w->b, GSP_ARG_CONSTANT, w->spelling[device]);
        }
    }
}

static void gspi_stage_devices_graph(
    const gspi_stage_devices *w, uint32_t id, uint32_t device, gsp_atom name)
{
    gsp_graph const g = gspi_graph(w->m, id);
    size_t const row = (size_t)device * w->m->counts.graphs;
    int const has_children = w->m->counts.graphs > w->d->n_stages + 1u; /* else no need to search */
    gsp_build_graph(w->b, gspi_build_text(w->b, name));
    for (gsp_node v = 0; v + 1u < g.n_nodes; v++) {
        gsp_op const op = gspi_op(&g, v);
        uint32_t const child = has_children ? gspi_query_child(&g, v) : GSP_NONE;
        gspi_arg_row const args = gspi_args(&g, v);
        gsp_atom target = gspi_target_id(&g, v);
        if (child != GSP_NONE && child > w->d->n_stages && w->name[row + child] != GSP_KEY_NONE) {
            target = w->name[row + child];
        }
        (void)gspi_build_copy_node(w->b, &g, op, v, target);
        if (op == GSP_OP_CALL_FUNCTION && device < w->d->n_devices) {
            gspi_stage_devices_args(w, args, device);
        } else {
            gspi_build_copy_args(w->b, args.at, args.n);
        }
    }
    gspi_build_copy_whole(w->b, &g, g.n_nodes - 1u);
}

GSPI_OWN_FRAME void gspi_stage_devices_write(gspi_stage_devices *w)
{
    uint32_t const graphs = w->m->counts.graphs;
    uint32_t const rows = gspi_stage_devices_rows(&w->m->counts, w->d);
    gspi_stage_devices_devices(w);
    for (uint32_t id = 0; id < graphs; id++) {
        gspi_stage_devices_graph(w, id, w->device_of[id], w->m->graphs[id].name);
    }
    for (uint32_t device = 0; device < rows; device++) {
        for (uint32_t id = w->d->n_stages + 1u; id < graphs; id++) {
            gsp_atom const name = w->name[(size_t)device * graphs + id];
            if (name != GSP_KEY_NONE) {
                gspi_stage_devices_graph(w, id, device, name);
            }
        }
    }
}

gsp_status gsp_stage_devices_run(gsp_arena *arena, const gsp_module *input,
    const gsp_stage_devices_desc *desc, gsp_module *result, gsp_error *err)
{
    gsp_stage_devices_desc d;
    gspi_stage_devices w;
    GSPI_GIVEN_3(arena, input, result);
    GSPI_READ_DESC(d, desc);
    GSPI_GIVEN_ROWS(d.devices, d.n_devices);
    GSPI_CHECK(d.n_stages < input->counts.graphs, ARG, STAGE_INDEX);
    for (uint32_t i = 0; i < d.n_devices; i++) {
        gsp_str const t = d.devices[i].device; /* one argument, not a node */
        GSPI_CHECK_ITEM(d.devices[i].stage < d.n_stages, ARG, STAGE_INDEX, DEVICE, i, GSP_NONE);
        GSPI_CHECK_OF(!gspi_is_null(t), ARG, NULL_ARGUMENT, DEVICE, i, "device");
        GSPI_CHECK_ITEM(gspi_find(t, 0, "%") == t.size && gspi_trim(t).size == t.size &&
                            t.size > 0u && gspi_is_constant(t),
            ARG, DEVICE, DEVICE, i, GSP_NONE);
    }
    GSPI_ENTER(gsp_stage_devices_bound(input, &d));
    gsp_counts const made = gspi_stage_devices_counts(&input->counts, &d);
    gspi_stage_devices_layout(&pass.bump, &w, input, &made, &d);
    gspi_copier_start(&w.copier, arena, &made);
    gspi_stage_devices_write(&w);
    GSPI_STEP(gspi_copier_finish(&w.copier, err));
    *result = *w.copier.made;
    return GSPI_LEAVE();
}

size_t gsp_stage_extract_bound(const gsp_module *module)
{
    gspi_bump b = gspi_measure();
    gsp_counts made = module->counts;
    gspi_copier c;
    made.edges = made.args; /* edges of a builder are tokens */
    gspi_copier_layout(&b, &c, module);
    return gspi_add(gspi_bound(&b), gsp_build_bound(&made));
}

gsp_status gsp_stage_extract_run(
    gsp_arena *arena, const gsp_module *input, uint32_t graph, gsp_module *result, gsp_error *err)
{
    gspi_copier c;
    GSPI_GIVEN_3(arena, input, result);
    GSPI_CHECK_AMOUNT(graph < input->counts.graphs, ARG, STAGE_INDEX, graph, input->counts.graphs);
    GSPI_ENTER(gsp_stage_extract_bound(input));
    gsp_graph const g = gspi_graph(input, graph);
    gsp_counts made = input->counts;
    made.edges = made.args;
    gspi_copier_layout(&pass.bump, &c, input);
    gspi_copier_start(&c, arena, &made);
    gsp_build_graph(c.b, gsp_str_of(""));
    for (gsp_node v = 0; v < g.n_nodes; v++) {
        gspi_build_copy_whole(c.b, &g, v);
        gspi_copier_add(&c, &g, v);
    }
    gspi_copier_add_all(&c);
    gspi_copier_copy(&c);
    GSPI_STEP(gspi_copier_finish(&c, err));
    *result = *c.made;
    return GSPI_LEAVE();
}

#endif /* GSP_NO_PIPELINE */

/* ====
 * >>family MEMORY   Memory plans and execution (implementation)
 * ==== */
#ifndef GSP_NO_MEMORY

/* ---- Storages: which values share memory ---- */

/* A storage is the memory that a node allocates; its id is the node. A view (alias=) has none and
 * keeps the storage of its input live. An aggregate that a call yields is one storage; each element
 * that operator.getitem reads is another, allocated with it, because the live range of either may
 * end first. Elements stay part of the aggregate if it is an element, an input or a view, or
 * smaller than their sum. Parameters have no storage. of[v] is the storage of v, or GSP_NONE. */

/* The aggregate that getitem v reads, or GSP_NONE for no getitem or no aggregate. */
static gsp_node gspi_getitem_of(const gsp_graph *g, gsp_node v)
{
    gsp_node const u = gspi_getitem_source(g, v);
    return u != GSP_NONE && gspi_value_kind(g, u) == GSP_VALUE_AGGREGATE ? u : GSP_NONE;
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

/* The first getitem of the same element; first[n] is a hash table where stale entries are free. */
static gsp_node gspi_element_first(
    const gsp_graph *g, gsp_node from, gsp_node getitem, uint32_t elements, gsp_node *first)
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
    uint32_t elements = 0;
    uint32_t at = 0;
    gsp_str element;
    int fits = 1;
    while (gsp_type_next_element(gspi_type_str(g, from), &at, &element)) {
        elements++;
    }
    for (uint32_t i = 0; i < users.n; i++) {
        gsp_node const u = users.at[i];
        if (gspi_takes_from(g, u, from)) {
            of[u] = gspi_element_first(g, from, u, elements, first);
            uint64_t const bytes = of[u] == u ? gspi_bytes(g, u) : 0u;
            fits = fits && bytes <= left;
            left -= fits ? bytes : 0u;
        }
    }
    for (uint32_t i = 0; i < users.n && !fits; i++) {
        if (gspi_takes_from(g, users.at[i], from)) {
            of[users.at[i]] = from;
        }
    }
}

/* The argument of a call that alias= names, or GSP_NONE. */
static uint32_t gspi_alias_token(const gsp_graph *g, gsp_node v)
{
    uint64_t position = GSP_NONE;
    return gspi_number(gspi_attr_str(g, v, GSP_KEY_ALIAS), &position)
               ? gsp_node_leaf(g, v, gspi_count(position))
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
        u = gspi_is_node(a) ? a.value : GSP_NONE;
    }
    return u == GSP_NONE ? v : of[u];
}

/* The bytes that nodes need while they run: given, or of the graphs that they run. */
static const uint64_t *gspi_scratch(const gsp_graph *g, const uint64_t *given)
{
    const uint64_t *run = g->module->run_bytes;
    return given != NULL || run == NULL ? given : run + g->first;
}

/* Checks that views name an argument and that all bytes and `spare` together fit into 64 bits. */
static gsp_status gspi_check_values(
    const gsp_graph *g, const uint64_t *scratch, uint64_t spare, gsp_error *err)
{
    uint64_t left = UINT64_MAX - spare;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint64_t const own = gspi_bytes(g, v);
        uint64_t const more = scratch == NULL ? 0u : scratch[v];
        GSPI_CHECK_NODE(!gspi_is_view(g, v) || gspi_alias_token(g, v) != GSP_NONE, ARG, ALIAS, v);
        GSPI_CHECK_NODE(own <= left && more <= left - own, OVERFLOW, SIZE, v);
        left -= own + more;
    }
    return GSP_OK;
}

/* ---- Profiles: an amount per step, stored as differences until all is added ---- */

static void gspi_profile_add(
    uint64_t *profile, uint32_t size, uint32_t begin, uint32_t end, uint64_t amount)
{
    profile[begin] += amount;
    if (end + 1u < size) {
        profile[end + 1u] -= amount;
    }
}

/* Sums up the differences; returns the first step with the greatest amount. */
static uint32_t gspi_profile_sum(uint64_t *profile, uint32_t size)
{
    uint64_t sum = 0;
    uint64_t most = 0;
    uint32_t peak = 0;
    for (uint32_t i = 0; i < size; i++) {
        sum += profile[i];
        profile[i] = sum;
        if (sum > most) {
            most = sum;
            peak = i;
        }
    }
    return peak;
}

/* ---- Orders of the caller ---- */

/* Expands an order to all nodes: full[n], and pos[n], its inverse. */
GSPI_OWN_FRAME gsp_status gspi_order_read(const gsp_graph *g, const gsp_node *order,
    uint32_t n_order, gsp_node *full, uint32_t *pos, gsp_error *err)
{
    uint32_t n = 0;
    gspi_none(pos, g->n_nodes);
    for (uint32_t i = 0; i < n_order; i++) {
        gsp_node const v = order[i];
        GSPI_CHECK_NODE(v < g->n_nodes && pos[v] == GSP_NONE, ARG, ORDER, v);
        pos[v] = i;
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (pos[v] == GSP_NONE && gspi_op(g, v) != GSP_OP_OUTPUT) {
            GSPI_CHECK_NODE(!gspi_callable(g, v), ARG, ORDER, v);
            full[n++] = v;
        }
    }
    for (uint32_t i = 0; i < n_order; i++) {
        full[n] = order[i];
        n += gspi_op(g, order[i]) != GSP_OP_OUTPUT;
    }
    full[n] = g->n_nodes - 1u;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        pos[full[i]] = i;
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        gspi_row const in = gspi_inputs(g, v);
        for (uint32_t i = 0; i < in.n; i++) {
            GSPI_CHECK_AT(pos[in.at[i]] < pos[v], ARG, ORDER, v, in.at[i]);
        }
    }
    return GSP_OK;
}

/* ---- Live ranges of storages ---- */

/* A contiguous range of an order: values from outside are live from its start, values read later
 * until its end. */
typedef struct {
    const gsp_graph *graph;
    const uint32_t *of;    /* [n] storage of a value, or GSP_NONE */
    const uint32_t *pos;   /* [n] place in the order, or GSP_NONE; NULL for graph order */
    const gsp_node *order; /* NULL if pos is */
    uint32_t *end;         /* [n] last step of a storage, GSP_NONE if not live */
    gsp_node *active;      /* the live storages by first use */
    uint32_t n_active;
    uint32_t first; /* place of the range */
    uint32_t size;  /* steps of the range */
    int whole;      /* 1 if the range is the whole graph, and its inputs come from outside */
    int elements;   /* 0 if no storage is an element */
} gspi_live;

/* Finds the storages. While it runs, `end` is the hash table of first getitems. */
static void gspi_live_start(gspi_live *l, const gsp_graph *g, uint32_t *of)
{
    l->graph = g;
    l->of = of;
    l->pos = NULL;
    l->order = NULL;
    l->whole = 1;
    l->elements = 0;
    gspi_none(of, g->n_nodes);
    gspi_none(l->end, g->n_nodes);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (of[v] == GSP_NONE) {
            of[v] = gspi_storage_of(g, v, of);
            if (of[v] == v && gspi_value_kind(g, v) == GSP_VALUE_AGGREGATE && gspi_callable(g, v)) {
                gspi_storage_elements(g, v, of, l->end);
            }
        }
        l->elements = l->elements || gspi_element_of(g, of, v) != GSP_NONE;
    }
    gspi_none(l->end, g->n_nodes);
}

static int gspi_live_has(const gspi_live *l, gsp_node v)
{
    return l->whole ? gspi_op(l->graph, v) != GSP_OP_PLACEHOLDER : l->pos[v] - l->first < l->size;
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

static void gspi_live_run(gspi_live *l, uint32_t first, uint32_t size)
{
    l->first = first;
    l->size = size;
    l->n_active = 0;
    for (uint32_t step = 0; step < size; step++) {
        gsp_node const v = gspi_live_node(l, step);
        gspi_row const inputs = gspi_inputs(l->graph, v);
        gspi_row const users = gspi_users(l->graph, v);
        gsp_node const from = l->elements ? gspi_taken_from(l->graph, l->of, v) : GSP_NONE;
        int inside = 1;
        if (from == GSP_NONE || !gspi_live_has(l, from)) {
            for (uint32_t i = 0; i < inputs.n; i++) {
                gspi_live_need(l, inputs.at[i], step);
            }
        }
        if (from == GSP_NONE || l->of[v] != v) {
            gspi_live_need(l, v, gspi_live_has(l, v) ? step : 0u);
        }
        for (uint32_t i = 0; i < users.n && !l->whole && inside; i++) {
            inside = gspi_live_has(l, users.at[i]);
        }
        if (!inside) {
            gspi_live_need(l, v, size - 1u);
        }
    }
}

static void gspi_live_clear(gspi_live *l)
{
    for (uint32_t i = 0; i < l->n_active; i++) {
        l->end[l->active[i]] = GSP_NONE;
    }
}

/* The first step at which a storage counts by itself, which for an element is after its aggregate
 * ends. */
static uint32_t gspi_live_begin(const gspi_live *l, gsp_node s)
{
    gsp_node const from = l->elements ? gspi_element_of(l->graph, l->of, s) : GSP_NONE;
    if (from != GSP_NONE && l->end[from] != GSP_NONE) {
        return l->end[from] + 1u;
    }
    return !gspi_live_has(l, s) ? 0u : l->pos == NULL ? s : l->pos[s] - l->first;
}

/* Live bytes per step of a range, in bytes[size], and their peak. */
static gsp_liveness_part gspi_live_profile(gspi_live *l, uint32_t first, uint32_t size,
    const uint64_t *scratch, int skip_inputs, uint64_t *bytes)
{
    gsp_liveness_part peak = {0u, GSP_NONE, 0u};
    gspi_live_run(l, first, size);
    gspi_set(bytes, 0, l->size * sizeof(uint64_t));
    for (uint32_t i = 0; i < l->n_active; i++) {
        gsp_node const s = l->active[i];
        uint32_t const begin = gspi_live_begin(l, s);
        if (begin <= l->end[s] && !(skip_inputs && !gspi_live_has(l, s))) {
            gspi_profile_add(bytes, l->size, begin, l->end[s], gspi_bytes(l->graph, s));
        }
    }
    for (uint32_t i = 0; i < l->size && scratch != NULL; i++) {
        gspi_profile_add(bytes, l->size, i, i, scratch[gspi_live_node(l, i)]);
    }
    if (l->size != 0u) {
        peak.step = gspi_profile_sum(bytes, l->size);
        peak.node = gspi_live_node(l, peak.step);
        peak.bytes = bytes[peak.step];
    }
    return peak;
}

static void gspi_raise(uint64_t *at, uint64_t top)
{
    *at = top > *at ? top : *at;
}

static uint64_t gspi_round(uint64_t offset, uint32_t align)
{
    return (offset + align - 1u) & ~((uint64_t)align - 1u);
}

/* Heights of places 0 .. width - 1, raised in ranges: a segment tree of maxima. */
typedef struct {
    uint64_t *top;   /* [2 * width] greatest height below a node */
    uint64_t *cover; /* [2 * width] greatest height of a range that covers all below a node */
    uint32_t width;
} gspi_skyline;

/* Raises places first .. last to `top`. */
static void gspi_skyline_raise(const gspi_skyline *s, uint32_t first, uint32_t last, uint64_t top)
{
    uint32_t a = first + s->width;
    uint32_t b = last + s->width;
    for (uint32_t i = a / 2u, k = b / 2u; k > 0u; i /= 2, k /= 2u) {
        gspi_raise(&s->top[i], top);
        gspi_raise(&s->top[k], top);
    }
    for (b++; a < b; a /= 2, b /= 2u) {
        if (a % 2u != 0u) {
            gspi_raise(&s->cover[a++], top);
        }
        if (b % 2u != 0u) {
            gspi_raise(&s->cover[--b], top);
        }
    }
}

/* The greatest height of places first .. last. */
static uint64_t gspi_skyline_top(const gspi_skyline *s, uint32_t first, uint32_t last)
{
    uint32_t a = first + s->width;
    uint32_t b = last + s->width;
    uint64_t top = 0;
    for (uint32_t i = a, k = b; k > 0u; i /= 2, k /= 2u) {
        gspi_raise(&top, s->cover[i]);
        gspi_raise(&top, s->cover[k]);
    }
    for (b++; a < b; a = (a + 1u) / 2u, b /= 2u) {
        if (a % 2u != 0u) {
            gspi_raise(&top, s->top[a]);
            gspi_raise(&top, s->cover[a]);
        }
        if (b % 2u != 0u) {
            gspi_raise(&top, s->top[b - 1u]);
            gspi_raise(&top, s->cover[b - 1u]);
        }
    }
    return top;
}

/* ----
 * >>liveness   Live bytes in graph order (implementation)
 * ---- */

/* Backward analysis of live ranges needs no fixpoint in straight-line code (Aho, Lam, Sethi and
 * Ullman, Compilers 9.2), since the last reader ends a range. Per part, the bytes of a storage are
 * added at its first step and subtracted after its last one; prefix sums are the live bytes, and
 * the first greatest one is the peak. The storages live there become the row of the part. */

typedef struct {
    uint32_t *of;
    uint32_t *pos;
    gsp_node *full; /* [n] the order of the caller, or NULL */
    gspi_live live;
    gsp_liveness_result r;
} gspi_liveness;

GSPI_STATIC_ASSERT(sizeof(gspi_liveness) <= GSP_BOUND_WORKSPACE - GSP_GAP - GSP_ALIGN,
    GSP_LIVENESS_BOUND_is_too_small);

static void gspi_liveness_layout(
    gspi_bump *b, gspi_liveness *w, uint32_t n, uint32_t m, const gsp_liveness_desc *d)
{
    uint32_t const parts = d->n_parts;
    size_t const k = parts == 0u ? 1u : parts;
    w->r.parts = GSPI_LOW(b, gsp_liveness_part, k);
    w->r.step_begin = gspi_kept(b, k + 1u);
    w->r.nodes = gspi_kept(b, n);
    w->r.live = GSPI_LOW(b, uint64_t, n);
    w->r.tensor_begin = gspi_kept(b, k + 1u);
    w->r.tensors = gspi_kept(b, parts == 0u ? n : gspi_add(n, m));
    w->of = gspi_words(b, n);
    w->live.end = gspi_words(b, n);
    w->full = d->order == NULL ? NULL : gspi_words(b, n);
    w->pos = parts == 0u && d->order == NULL ? NULL : gspi_words(b, n);
}

size_t gsp_liveness_bound(const gsp_graph *graph, const gsp_liveness_desc *desc)
{
    gsp_counts const counts = gsp_graph_counts(graph);
    gspi_bump b = gspi_measure_with(sizeof(gspi_liveness));
    gsp_liveness_desc d;
    gspi_liveness w;
    gspi_desc(&d, desc, sizeof(d));
    gspi_liveness_layout(&b, &w, counts.nodes, counts.edges, &d);
    return gspi_bound(&b);
}

/* The steps: callable nodes by part (counting sort), or all nodes. */
static void gspi_liveness_sort(gspi_liveness *w, const gsp_graph *g, const gsp_liveness_desc *d)
{
    uint32_t *begin = w->r.step_begin;
    if (d->n_parts == 0u) {
        begin[0] = 0;
        begin[1] = g->n_nodes;
        for (uint32_t i = 0; i < g->n_nodes; i++) {
            w->r.nodes[i] = w->full != NULL ? w->full[i] : i;
        }
    } else {
        for (uint32_t i = 0; i < g->n_nodes; i++) {
            gsp_node const v = w->full != NULL ? w->full[i] : i;
            w->pos[i] = gspi_callable(g, v) ? d->part_of[v] : GSP_NONE;
        }
        gspi_rows(w->pos, g->n_nodes, d->n_parts, begin, w->r.nodes);
        gspi_none(w->pos, g->n_nodes);
        for (uint32_t i = 0; i < begin[d->n_parts]; i++) {
            gsp_node *v = &w->r.nodes[i];
            *v = w->full != NULL ? w->full[*v] : *v;
            w->pos[*v] = i;
        }
    }
    w->live.whole = d->n_parts == 0u;
    w->live.pos = w->pos;
    w->live.order = w->pos == NULL ? NULL : w->r.nodes;
}

gsp_status gsp_liveness_run(gsp_arena *arena, const gsp_graph *graph, const gsp_liveness_desc *desc,
    gsp_liveness_result *result, gsp_error *err)
{
    gsp_liveness_desc d;
    GSPI_GIVEN_PASS();
    GSPI_READ_DESC(d, desc);
    d.scratch = gspi_scratch(graph, d.scratch);
    GSPI_GIVEN_ROWS(d.part_of, d.n_parts);
    for (gsp_node v = 0; v < graph->n_nodes && d.n_parts != 0u; v++) {
        GSPI_CHECK_NODE(!gspi_callable(graph, v) || d.part_of[v] < d.n_parts, ARG, TAG, v);
    }
    GSPI_TRY(gspi_check_values(graph, d.scratch, 0, err));
    GSPI_ENTER(gsp_liveness_bound(graph, &d));
    int const skip = d.skip_inputs != 0u;
    gspi_liveness *w = GSPI_NEW(gspi_liveness);
    gspi_live *l = &w->live;
    gspi_liveness_layout(&pass.bump, w, graph->n_nodes, gsp_graph_counts(graph).edges, &d);
    if (w->full != NULL) {
        GSPI_STEP(gspi_order_read(graph, d.order, d.n_order, w->full, w->pos, err));
    }
    gspi_live_start(l, graph, w->of);
    w->r.n_parts = d.n_parts == 0u ? 1u : d.n_parts;
    gspi_liveness_sort(w, graph, &d);
    w->r.tensor_begin[0] = 0;
    w->r.worst = GSP_NONE;
    for (uint32_t i = 0; i < w->r.n_parts; i++) {
        uint32_t const first = w->r.step_begin[i];
        l->active = w->r.tensors + w->r.tensor_begin[i];
        w->r.parts[i] = gspi_live_profile(
            l, first, w->r.step_begin[i + 1u] - first, d.scratch, skip, w->r.live + first);
        uint32_t const step = w->r.parts[i].step;
        uint32_t n = 0;
        for (uint32_t k = 0; k < l->n_active; k++) { /* moves storages live there to the front */
            gsp_node const t = l->active[k];
            if (gspi_live_begin(l, t) <= step && l->end[t] >= step &&
                gspi_bytes(l->graph, t) != 0u && !(skip && !gspi_live_has(l, t))) {
                l->active[k] = l->active[n];
                l->active[n++] = t;
            }
        }
        w->r.tensor_begin[i + 1u] = w->r.tensor_begin[i] + n;
        gspi_live_clear(l);
        if (i == 0u || w->r.parts[i].bytes > w->r.parts[w->r.worst].bytes) {
            w->r.worst = i;
        }
    }
    *result = w->r;
    return GSPI_LEAVE();
}

/* ----
 * >>memory_plan   Tensors in one arena (implementation)
 * ---- */

/* Tensors are sorted by first step. A tree over them with 16 children per node holds the greatest
 * last step of the placed tensors below, so the search for conflicts (tensors live together) skips
 * the rest. Conflicts are sorted by buckets of addresses (stretches). Long tensors, in whose live
 * range many others begin, are in a list by offset. Most searches scan all of it, live or not,
 * which is fast because each long tensor conflicts with many. */

#define GSPI_LONG    64u   /* more than 1/64 of all tensors begin in the live range of a long one */
#define GSPI_PASSED  16u   /* long tensors scanned in the time of one conflict */
#define GSPI_STRETCH 4u    /* buckets per conflict, at most */
#define GSPI_SKYLINE 8u    /* steps per bucket of the coarse skyline after max_work */
#define GSPI_FEW     1024u /* max_work per pair up to which tensors are placed by size */

typedef struct {
    uint32_t *of;
    uint32_t *begin;   /* [n + 1] tensors that begin before a step */
    uint32_t *place;   /* [t] place of a tensor in row */
    uint32_t *row;     /* [t] tensors by first step */
    uint32_t *order;   /* [t] tensors by last step, then by decreasing size */
    uint32_t *found;   /* [t] conflicts */
    uint64_t *key;     /* [t] ~size, then offset */
    uint32_t *tree;    /* last step + 1 by place, 0 if not placed; then the maxima */
    gspi_skyline sky;  /* over buckets of steps; reuses key */
    uint32_t *lasting; /* [n] long tensors by offset; reuses live.active */
    uint32_t *sorted;  /* [t] conflicts by bucket; reuses live.of */
    uint32_t *spread;  /* [t + 1] begin of a bucket in sorted; reuses live.end */
    uint32_t n_lasting;
    uint32_t level[10]; /* begins of the levels of the tree, and its end */
    uint32_t n_levels;
    uint32_t stretches;
    uint32_t n_steps;
    uint32_t align;
    uint32_t n;
    gsp_node *full; /* [n] the order of the caller, or NULL */
    uint32_t *rank; /* [n] its inverse */
    gspi_live live;
    gsp_memory_plan_result r;
} gspi_plan;

GSPI_STATIC_ASSERT(sizeof(gspi_plan) <= GSP_BOUND_WORKSPACE - GSP_GAP - GSP_ALIGN,
    GSP_MEMORY_PLAN_BOUND_is_too_small);

static void gspi_plan_layout(gspi_bump *b, gspi_plan *w, uint32_t n, const gsp_memory_plan_desc *d)
{
    uint32_t const t = d->scratch != NULL ? 2u * n : n;
    w->r.tensors = GSPI_LOW(b, gsp_tensor, t);
    w->r.tensor_of = gspi_kept(b, n);
    w->r.crosses = d->part_of != NULL ? gspi_kept(b, t) : NULL;
    w->r.stands_on = d->in_place != NULL ? gspi_kept(b, n) : NULL;
    w->full = d->order != NULL ? gspi_words(b, n) : NULL;
    w->rank = d->order != NULL ? gspi_words(b, n) : NULL;
    w->sorted = w->of = gspi_words(b, t);
    w->spread = w->live.end = gspi_words(b, (size_t)t + 1u);
    w->lasting = w->live.active = gspi_words(b, n);
    w->begin = gspi_words(b, (size_t)n + 1u);
    w->place = gspi_words(b, t);
    w->row = gspi_words(b, t);
    w->order = gspi_words(b, t);
    w->found = gspi_words(b, t);
    w->sky.top = w->key = gspi_longs(b, (size_t)t + 4u);
    w->tree = gspi_words(b, (size_t)t + t / 8u + 16u);
    w->stretches = n / GSPI_SKYLINE + 1u;
    w->n_steps = n;
    b->used = t < n ? SIZE_MAX : b->used;
}

size_t gsp_memory_plan_bound(const gsp_graph *graph, const gsp_memory_plan_desc *desc)
{
    gspi_bump b = gspi_measure_with(sizeof(gspi_plan));
    gsp_memory_plan_desc d;
    gspi_plan w;
    gspi_desc(&d, desc, sizeof(d));
    d.scratch = gspi_scratch(graph, d.scratch);
    gspi_plan_layout(&b, &w, graph->n_nodes, &d);
    return gspi_bound(&b);
}

static uint32_t gspi_plan_step(const gspi_plan *w, gsp_node v)
{
    return w->rank == NULL ? v : w->rank[v];
}

static void gspi_plan_add(
    gspi_plan *w, gsp_node v, uint64_t bytes, uint32_t begin, uint32_t end, uint32_t scratch)
{
    gsp_tensor const t = {0u, bytes, v, begin, end, scratch};
    w->r.tensors[w->n++] = t;
}

GSPI_OWN_FRAME void gspi_plan_collect(gspi_plan *w, const gsp_memory_plan_desc *d)
{
    const gspi_live *l = &w->live;
    const gsp_graph *g = l->graph;
    w->n = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int const given = gspi_op(g, v) == GSP_OP_PLACEHOLDER;
        w->r.tensor_of[v] = GSP_NONE;
        if (l->end[v] != GSP_NONE && !(given && d->skip_inputs)) {
            gsp_node const whole = gspi_element_of(g, l->of, v);
            gsp_node const from = whole == GSP_NONE ? v : whole;
            gspi_row const users = gspi_users(g, v);
            uint64_t bytes = gspi_bytes(g, v); /* without those of elements that are tensors */
            int const aggregate = gspi_value_kind(g, v) == GSP_VALUE_AGGREGATE;
            for (uint32_t i = 0; i < users.n && aggregate; i++) {
                gsp_node const u = users.at[i];
                if (l->end[u] != GSP_NONE && gspi_element_of(g, l->of, u) == v) {
                    bytes -= gspi_bytes(g, u);
                }
            }
            if (bytes > 0u) {
                w->r.tensor_of[v] = w->n;
                gspi_plan_add(w, v, bytes, given ? 0u : gspi_plan_step(w, from),
                    l->end[v] > l->end[from] ? l->end[v] : l->end[from], 0);
            }
        }
        if (d->scratch != NULL && d->scratch[v] > 0u) {
            gspi_plan_add(w, v, d->scratch[v], gspi_plan_step(w, v), gspi_plan_step(w, v), 1);
        }
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        if (l->of[v] != GSP_NONE) {
            w->r.tensor_of[v] = w->r.tensor_of[l->of[v]];
        }
    }
}

/* ---- Results in place ---- */

/* The node that is argument k of v, or GSP_NONE. */
static gsp_node gspi_plan_leaf(const gsp_graph *g, gsp_node v, uint32_t k)
{
    if (gspi_is_bare(g->module)) {
        gspi_row const in = gspi_inputs(g, v);
        return k < in.n ? in.at[k] : GSP_NONE;
    }
    uint32_t const token = gsp_node_leaf(g, v, k);
    int const is_node = token != GSP_NONE && gspi_is_node(gspi_args(g, v).at[token]);
    return is_node ? gspi_args(g, v).at[token].value : GSP_NONE;
}

/* The argument in whose memory the result of v may be, or GSP_NONE. It is a whole tensor of as many
 * bytes that v reads last and by no other argument. place[] is the tensor that a tensor is part of.
 */
static gsp_node gspi_plan_argument(const gspi_plan *w, gsp_node v, uint32_t may)
{
    const gsp_graph *g = w->live.graph;
    const gsp_tensor *own = &w->r.tensors[w->r.tensor_of[v]];
    gspi_row const in = gspi_inputs(g, v);
    for (uint32_t k = 0; may != 0u; may >>= 1, k++) {
        gsp_node const u = (may & 1u) != 0u ? gspi_plan_leaf(g, v, k) : GSP_NONE;
        uint32_t const tensor = u == GSP_NONE ? GSP_NONE : w->r.tensor_of[u];
        if (tensor == GSP_NONE || gspi_bytes(g, u) != own->bytes) {
            continue;
        }
        uint32_t const root = w->place[tensor];
        int last = w->r.tensors[root].bytes == own->bytes && w->r.tensors[root].end == own->begin;
        for (uint32_t i = 0; i < in.n && last; i++) {
            uint32_t const other = w->r.tensor_of[in.at[i]];
            last = in.at[i] == u || other == GSP_NONE || w->place[other] != root;
        }
        if (last) {
            return u;
        }
    }
    return GSP_NONE;
}

/* Makes a result and its argument one tensor. */
GSPI_OWN_FRAME void gspi_plan_merge(gspi_plan *w, const uint32_t *in_place)
{
    const gsp_graph *g = w->live.graph;
    gsp_tensor *tensors = w->r.tensors;
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        w->place[i] = i;
    }
    for (uint32_t step = 0; step < g->n_nodes; step++) {
        gsp_node const v = w->full != NULL ? w->full[step] : step;
        uint32_t const t = w->r.tensor_of[v];
        if (in_place[v] != 0u && gspi_callable(g, v) && t != GSP_NONE && tensors[t].node == v &&
            tensors[t].begin == step && gspi_attr(g, v, GSP_KEY_MUTATES) == GSP_NONE) {
            gsp_node const u = gspi_plan_argument(w, v, in_place[v]);
            if (u != GSP_NONE) {
                w->r.stands_on[v] = tensors[w->r.tensor_of[u]].node;
                w->place[t] = w->place[w->r.tensor_of[u]];
                tensors[w->place[t]].end = tensors[t].end;
                w->r.n_in_place++;
            }
        }
    }
    for (uint32_t i = 0; i < w->n; i++) { /* a tensor stands before those that are part of it */
        w->found[i] = w->place[i] == i ? n : w->found[w->place[i]];
        tensors[n] = tensors[i];
        n += w->place[i] == i;
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t *t = &w->r.tensor_of[v];
        *t = *t == GSP_NONE ? GSP_NONE : w->found[*t];
    }
    w->n = n;
}

/* Marks tensors that a node of another part reads. */
GSPI_OWN_FRAME void gspi_plan_cross(gspi_plan *w, const gsp_graph *g, const uint32_t *part_of)
{
    gspi_zero(w->r.crosses, w->n);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const t = w->r.tensor_of[v];
        uint32_t const part = gspi_callable(g, v) ? part_of[v] : GSP_NONE;
        gspi_row const users = gspi_users(g, v);
        for (uint32_t i = 0; i < users.n && t != GSP_NONE; i++) {
            gsp_node const u = users.at[i];
            w->r.crosses[t] |= part != (gspi_callable(g, u) ? part_of[u] : GSP_NONE);
        }
    }
}

static uint64_t gspi_plan_peak(const gspi_plan *w, uint32_t align)
{
    uint64_t *bytes = w->key;
    gspi_set(bytes, 0, w->n_steps * sizeof(uint64_t));
    for (uint32_t i = 0; i < w->n; i++) {
        const gsp_tensor *t = &w->r.tensors[i];
        gspi_profile_add(bytes, w->n_steps, t->begin, t->end, gspi_round(t->bytes, align));
    }
    return w->n_steps == 0u ? 0u : bytes[gspi_profile_sum(bytes, w->n_steps)];
}

/* Pairs of tensors with overlapping live ranges; of equal first steps, twice. */
static uint64_t gspi_plan_pairs(const gspi_plan *w)
{
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        const gsp_tensor *t = &w->r.tensors[i];
        pairs += w->begin[t->end + 1u] - w->begin[t->begin] - 1u;
    }
    return pairs;
}

static void gspi_plan_by_size(gspi_plan *w, uint32_t first, uint32_t n)
{
    uint32_t *order = w->order + first;
    for (uint32_t i = 0; i < n; i++) {
        w->key[order[i]] = UINT64_MAX - w->r.tensors[order[i]].bytes;
    }
    gspi_sort(order, n, w->key);
}

GSPI_OWN_FRAME void gspi_plan_sort(gspi_plan *w)
{
    uint32_t size = w->n;
    uint32_t i;
    for (i = 0; i < w->n; i++) {
        w->place[i] = w->r.tensors[i].begin;
    }
    gspi_rows(w->place, w->n, w->n_steps, w->begin, w->row);
    for (i = 0; i < w->n; i++) {
        w->place[w->row[i]] = i;
    }
    w->level[0] = 0;
    for (i = 0; i == 0u || size > 1u; i++) {
        size = i == 0u ? size : size / 16u + (size % 16u != 0u);
        w->level[i + 1u] = w->level[i] + size;
    }
    w->n_levels = i;
}

static void gspi_plan_clear(gspi_plan *w)
{
    gspi_zero(w->tree, w->level[w->n_levels]);
    w->n_lasting = 0;
}

/* The first place from `at` on of a placed tensor that is live at or after `step`. */
static uint32_t gspi_plan_next(const gspi_plan *w, uint32_t at, uint32_t step)
{
    uint32_t i = 0;
    while (at < w->level[i + 1u] - w->level[i]) {
        const uint32_t *latest = w->tree + w->level[i];
        uint32_t const size = w->level[i + 1u] - w->level[i];
        uint32_t const stop = size - at > 15u - at % 16u ? (at | 15u) + 1u : size;
        while (at < stop && latest[at] <= step) {
            at++;
        }
        if (at < stop) {
            if (i == 0u) {
                return at;
            }
            i--;
            at *= 16;
        } else {
            if (i + 1u == w->n_levels) {
                return GSP_NONE;
            }
            i++;
            at = at / 16u + (at % 16u != 0u);
        }
    }
    return GSP_NONE;
}

/* ---- First fit ---- */

typedef struct {
    const gsp_tensor *t;
    uint64_t offset; /* least free offset so far */
    uint32_t at;     /* long tensors scanned */
} gspi_gap;

/* Inserts an id into ids[0 .. n), sorted by key. */
static void gspi_plan_insert(uint32_t *ids, uint32_t n, uint32_t id, const uint64_t *key)
{
    for (; n > 0u && key[ids[n - 1u]] > key[id]; n--) {
        ids[n] = ids[n - 1u];
    }
    ids[n] = id;
}

/* Scans long tensors below `limit`; returns 1 if a gap is found. Liveness is unpredictable, so no
 * branch tests it. */
static int gspi_plan_pass(const gspi_plan *w, gspi_gap *s, uint64_t limit)
{
    uint64_t const bytes = s->t->bytes;
    uint32_t const begin = s->t->begin;
    uint32_t const end = s->t->end;
    uint64_t offset = s->offset;
    uint32_t at = s->at;
    int gap = 0;
    for (; at < w->n_lasting; at++) {
        const gsp_tensor *o = &w->r.tensors[w->lasting[at]];
        uint64_t const low = w->key[w->lasting[at]];
        uint32_t const live = (uint32_t)(o->begin <= end) & (uint32_t)(o->end >= begin);
        uint64_t const top = gspi_round(low + o->bytes, w->align) * live;
        if (low >= limit) {
            break;
        }
        gap = ((uint32_t)(low >= offset + bytes) & live) != 0u;
        if (gap) {
            break;
        }
        offset = top > offset ? top : offset;
    }
    s->offset = offset;
    s->at = at;
    return gap;
}

/* Sorts found[0 .. n) into buckets of 2^*shift <= `least` bytes, or larger ones if too many. */
static uint32_t gspi_plan_spread(gspi_plan *w, uint32_t n, uint64_t least, uint32_t *shift)
{
    uint64_t const most = n < w->n / GSPI_STRETCH ? GSPI_STRETCH * n : w->n - 1u;
    uint64_t top = 0;
    for (uint32_t i = 0; i < n; i++) {
        gspi_raise(&top, w->key[w->found[i]]);
    }
    for (*shift = 0; least >> *shift > 1u || top >> *shift > most; ++*shift) {
    }
    top = (top >> *shift) + 1u;
    gspi_zero(w->spread, (size_t)top);
    for (uint32_t i = 0; i < n; i++) {
        w->spread[w->key[w->found[i]] >> *shift]++;
    }
    gspi_counts_to_ends(w->spread, (uint32_t)top);
    for (uint32_t i = 0; i < n; i++) {
        w->sorted[--w->spread[w->key[w->found[i]] >> *shift]] = w->found[i];
    }
    return (uint32_t)top;
}

/* The first gap among found[0 .. n) and the long tensors. In a bucket of at most `least` bytes no
 * gap is between two tensors, so only the lowest must be first. */
static void gspi_plan_find_gap(gspi_plan *w, gspi_gap *s, uint32_t n)
{
    uint64_t const least = gspi_round(s->t->bytes, w->align);
    uint32_t shift;
    uint32_t const stretches = gspi_plan_spread(w, n, least, &shift);
    for (uint32_t k = 0; k < stretches; k++) {
        uint32_t const first = w->spread[k];
        uint32_t const count = w->spread[k + 1u] - first;
        if (least >> shift != 0u) {
            uint32_t *lowest = &w->sorted[first];
            for (uint32_t i = first + 1u; i < first + count; i++) {
                uint32_t const id = w->sorted[i];
                if (w->key[id] < w->key[*lowest]) {
                    w->sorted[i] = *lowest;
                    *lowest = id;
                }
            }
        } else {
            gspi_sort(w->sorted + first, count, w->key);
        }
        for (uint32_t i = first; i < first + count; i++) {
            uint64_t const low = w->key[w->sorted[i]];
            uint64_t const top = gspi_round(low + w->r.tensors[w->sorted[i]].bytes, w->align);
            if (gspi_plan_pass(w, s, low) || low >= s->offset + s->t->bytes) {
                return;
            }
            gspi_raise(&s->offset, top);
        }
    }
    (void)gspi_plan_pass(w, s, UINT64_MAX);
}

GSPI_OWN_FRAME uint32_t gspi_plan_fit(gspi_plan *w, uint32_t tensor)
{
    const gsp_tensor *t = &w->r.tensors[tensor];
    uint32_t const stop = w->begin[t->end + 1u];
    gspi_gap s = {t, 0, 0u};
    uint32_t n = 0;
    uint32_t at = gspi_plan_next(w, 0, t->begin);
    while (at < stop) { /* placed tensors, except long ones, that are live together with `t` */
        w->found[n++] = w->row[at];
        at = gspi_plan_next(w, at + 1u, t->begin);
    }
    gspi_plan_find_gap(w, &s, n);
    w->key[tensor] = s.offset;
    if (!t->scratch && stop - w->begin[t->begin] > w->n / GSPI_LONG) {
        gspi_plan_insert(w->lasting, w->n_lasting++, tensor, w->key);
        return n + s.at / GSPI_PASSED;
    }
    at = w->place[tensor];
    for (uint32_t i = 0; i < w->n_levels; i++) {
        uint32_t *latest = &w->tree[w->level[i] + at];
        *latest = t->end + 1u > *latest ? t->end + 1u : *latest;
        at /= 16;
    }
    return n + s.at / GSPI_PASSED;
}

/* ---- Skyline ---- */

static void gspi_plan_cover(gspi_plan *w, const gsp_tensor *t)
{
    gspi_skyline_raise(
        &w->sky, t->begin / GSPI_SKYLINE, t->end / GSPI_SKYLINE, t->offset + t->bytes);
}

static void gspi_plan_reset(gspi_plan *w)
{
    w->r.arena = 0;
    w->r.work = 0;
    w->r.n_stacked = 0;
    w->r.n_tensors = w->n;
    w->n_lasting = 0;
}

/* Places first-fit by decreasing size; after max_work, on the skyline. `key` is the offset while
 * gaps are searched. */
GSPI_OWN_FRAME void gspi_plan_place(gspi_plan *w, uint64_t max_work)
{
    gsp_memory_plan_result *result = &w->r;
    gspi_plan_reset(w);
    gspi_plan_clear(w);
    for (uint32_t i = 0; i < w->n; i++) {
        w->order[i] = i;
    }
    gspi_plan_by_size(w, 0, w->n);
    for (uint32_t i = 0; i < w->n; i++) {
        gsp_tensor *t = &w->r.tensors[w->order[i]];
        if (result->work < max_work) {
            result->work += gspi_plan_fit(w, w->order[i]);
            t->offset = w->key[w->order[i]];
        } else {
            if (result->n_stacked++ == 0u) {
                w->sky.width = w->stretches;
                w->sky.cover = w->sky.top + 2u * (size_t)w->stretches;
                gspi_zero(w->sky.top, 8u * (size_t)w->stretches);
                for (uint32_t k = 0; k < i; k++) {
                    gspi_plan_cover(w, &w->r.tensors[w->order[k]]);
                }
            }
            uint64_t const top =
                gspi_skyline_top(&w->sky, t->begin / GSPI_SKYLINE, t->end / GSPI_SKYLINE);
            t->offset = gspi_round(top, w->align);
            gspi_plan_cover(w, t);
        }
        gspi_raise(&result->arena, t->offset + t->bytes);
    }
}

/* ---- Both ends ---- */

/* Mirrors the placed tensors order[0 .. n) within `size` bytes; returns the last end. */
static uint64_t gspi_plan_turn(gspi_plan *w, uint32_t n, uint64_t size)
{
    uint64_t arena = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t const bytes = w->r.tensors[w->order[i]].bytes;
        uint64_t *offset = &w->key[w->order[i]];
        *offset = size - *offset - gspi_round(bytes, w->align);
        gspi_raise(&arena, *offset + bytes);
    }
    for (uint32_t i = 0; i < w->n_lasting; i++) {
        gspi_plan_insert(w->lasting, i, w->lasting[i], w->key);
    }
    return arena;
}

/* Places from both ends of an arena of the size of the peak; the plan is the result if the arena is
 * smaller. Tensors alternate between the ends, in order of time; scratch follows its node. `order`
 * holds tensors of the first end, then of the other, each by decreasing size. */
GSPI_OWN_FRAME void gspi_plan_both_ends(gspi_plan *w, uint64_t max_work)
{
    gsp_memory_plan_result *result = &w->r;
    uint64_t size = gspi_plan_peak(w, w->align);
    uint64_t arena = 0;
    uint32_t others = 0;
    uint32_t high = w->n;
    uint32_t turn = 1;
    for (uint32_t i = 0; i < w->n; i++) {
        turn ^= w->r.tensors[w->row[i]].scratch ^ 1u;
        w->order[turn == 0u ? others++ : --high] = w->row[i];
    }
    gspi_plan_by_size(w, 0, others);
    gspi_plan_by_size(w, others, w->n - others);
    gspi_plan_clear(w);
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t const id = w->order[i];
        if (i == others) {
            gspi_raise(&size, gspi_round(arena, w->align));
            arena = gspi_plan_turn(w, i, size);
        }
        result->work += gspi_plan_fit(w, id);
        gspi_raise(&arena, w->key[id] + w->r.tensors[id].bytes);
        if ((i >= others && arena >= result->arena) || result->work >= max_work) {
            return;
        }
    }
    result->arena = arena;
    for (uint32_t i = 0; i < w->n; i++) {
        w->r.tensors[i].offset = w->key[i];
    }
}

/* ---- In order of time ---- */

/* Inserts a tensor first-fit, from its offset on, among those live with it, sorted by offset.
 * Removes all others. */
static void gspi_plan_add_live(gspi_plan *w, gsp_tensor *t, uint64_t bytes)
{
    uint32_t n = 0;
    uint32_t place = 0;
    for (uint32_t i = 0; i < w->n_lasting; i++) {
        const gsp_tensor *o = &w->r.tensors[w->lasting[i]];
        if (o->end >= t->begin && o->begin <= t->end) {
            w->lasting[n++] = w->lasting[i];
            if (place + 1u == n && o->offset < t->offset + bytes) {
                gspi_raise(&t->offset, gspi_round(o->offset + o->bytes, w->align));
                place = n;
            }
        }
    }
    for (w->n_lasting = n + 1u; n > place; n--) {
        w->lasting[n] = w->lasting[n - 1u];
    }
    w->lasting[n] = (uint32_t)(t - w->r.tensors);
}

/* Tensors live until the last step are a stack. Places all others above it in reverse order of
 * time; or from the other end of the arena in order of time. Returns the arena, or UINT64_MAX after
 * max_work. */
GSPI_OWN_FRAME uint64_t gspi_plan_sweep(gspi_plan *w, uint64_t max_work, int reverse)
{
    uint32_t const last = w->n_steps - 1u;
    uint64_t *stack = w->key; /* [n_steps] its height */
    uint64_t top = 0;
    gspi_plan_reset(w);
    gspi_set(stack, 0, w->n_steps * sizeof(uint64_t));
    for (uint32_t i = 0; i < w->n; i++) {
        const gsp_tensor *t = &w->r.tensors[i];
        w->found[i] = t->end;
        if (t->end == last) {
            stack[t->begin] += gspi_round(t->bytes, w->align);
        }
    }
    if (reverse) {
        gspi_rows(w->found, w->n, w->n_steps, w->spread, w->order);
    }
    uint64_t size = stack[gspi_profile_sum(stack, w->n_steps)];
    for (uint32_t i = 0; i < w->n && w->r.work < max_work; i++) {
        gsp_tensor *t = &w->r.tensors[w->row[i]];
        if (t->end == last) {
            t->offset = top;
            top += gspi_round(t->bytes, w->align);
        }
        t = &w->r.tensors[reverse ? w->order[w->n - 1u - i] : w->row[i]];
        if (t->end != last) {
            uint64_t const bytes = gspi_round(t->bytes, w->align);
            t->offset = reverse ? stack[t->end] : 0u;
            gspi_plan_add_live(w, t, bytes);
            gspi_raise(&size, t->offset + bytes + (reverse ? 0u : stack[t->end]));
            w->r.work += w->n_lasting / GSPI_PASSED + 1u;
        }
    }
    for (uint32_t i = 0; i < w->n; i++) {
        gsp_tensor *t = &w->r.tensors[i];
        if (t->end != last && !reverse) {
            t->offset = size - gspi_round(t->offset + t->bytes, w->align);
        }
        gspi_raise(&w->r.arena, t->offset + t->bytes);
    }
    return w->r.work < max_work ? w->r.arena : UINT64_MAX;
}

/* ---- The best of all ---- */

GSPI_OWN_FRAME void gspi_plan_choose(gspi_plan *w, uint64_t max_work)
{
    uint64_t const peak = gspi_plan_peak(w, w->align);
    uint64_t const pairs = gspi_plan_pairs(w);
    uint64_t const few = max_work / GSPI_FEW;
    uint64_t const by_end = pairs <= few ? UINT64_MAX : gspi_plan_sweep(w, max_work / 2u, 1);
    int const second = by_end != UINT64_MAX && by_end > peak + peak / 64u;
    uint64_t const by_begin = second ? gspi_plan_sweep(w, max_work / 2u, 0) : UINT64_MAX;
    int const reverse = by_end <= by_begin;
    uint64_t const by_time = reverse ? by_end : by_begin;
    if (by_time == UINT64_MAX || (pairs / 4u <= few && by_time > peak + peak / 32u)) {
        gspi_plan_place(w, max_work);
        if (w->r.arena > w->r.peak && w->r.work < max_work / 16u) {
            gspi_plan_both_ends(w, max_work / 16u);
        }
    }
    if (by_time < w->r.arena) {
        (void)gspi_plan_sweep(w, max_work / 2u, reverse);
    }
}

/* Plans with or without results in place. Returns the most live bytes without. */
static uint64_t gspi_plan_run(
    gspi_plan *w, const gsp_graph *graph, const gsp_memory_plan_desc *d, int merges)
{
    gspi_live_start(&w->live, graph, w->of);
    w->live.pos = w->rank;
    w->live.order = w->full;
    gspi_live_run(&w->live, 0, graph->n_nodes);
    gspi_plan_collect(w, d);
    uint64_t const separate = gspi_plan_peak(w, 1);
    w->r.peak = separate;
    w->r.n_in_place = 0;
    if (w->r.stands_on != NULL) {
        gspi_none(w->r.stands_on, graph->n_nodes);
        if (merges) {
            gspi_plan_merge(w, d->in_place);
            w->r.peak = gspi_plan_peak(w, 1);
        }
    }
    gspi_plan_sort(w);
    gspi_plan_reset(w);
    if (w->n > 0u) {
        gspi_plan_choose(w, d->max_work);
    }
    return separate;
}

gsp_status gsp_memory_plan_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_memory_plan_desc *desc, gsp_memory_plan_result *result, gsp_error *err)
{
    gsp_memory_plan_desc d;
    GSPI_GIVEN_PASS();
    GSPI_READ_DESC(d, desc);
    d.scratch = gspi_scratch(graph, d.scratch);
    uint32_t const align = d.align == 0u ? GSP_ALIGN : d.align;
    uint64_t const rounding = (uint64_t)align * graph->n_nodes * (d.scratch != NULL ? 2u : 1u);
    GSPI_CHECK((align & (align - 1u)) == 0u, ARG, NUMBER);
    GSPI_TRY(gspi_check_values(graph, d.scratch, rounding, err));
    GSPI_ENTER(gsp_memory_plan_bound(graph, &d));
    gspi_plan *w = GSPI_NEW(gspi_plan);
    gspi_plan_layout(&pass.bump, w, graph->n_nodes, &d);
    if (w->full != NULL) {
        GSPI_STEP(gspi_order_read(graph, d.order, d.n_order, w->full, w->rank, err));
    }
    w->align = align;
    d.max_work = d.max_work == 0u ? (uint64_t)1u << 25 : d.max_work;
    uint64_t const separate = gspi_plan_run(w, graph, &d, 1);
    uint64_t const merged = w->r.arena;
    if (w->r.n_in_place != 0u && merged > separate) { /* else no plan without is smaller */
        (void)gspi_plan_run(w, graph, &d, 0);
        if (w->r.arena >= merged) {
            (void)gspi_plan_run(w, graph, &d, 1);
        }
    }
    if (w->r.crosses != NULL) {
        gspi_plan_cross(w, graph, d.part_of);
    }
    *result = w->r;
    return GSPI_LEAVE();
}

/* ----
 * >>memory_check   Validity of a plan (implementation)
 * ---- */

/* A skyline over tensors in ascending order of first steps. A tensor covers the range of those that
 * begin while it is live. Two tensors are live together exactly if their ranges overlap. */
typedef struct {
    gspi_skyline sky;
    uint64_t *offset; /* [n] key of the list; in the end, the offset of the first entry */
    uint32_t *list;   /* [n] */
    uint32_t *begin;  /* [n] first steps, ascending */
} gspi_memory_check;

static void gspi_memory_check_layout(gspi_bump *b, gspi_memory_check *w, uint32_t n)
{
    w->sky.width = n;
    w->sky.top = gspi_longs(b, 2u * (size_t)n);
    w->sky.cover = gspi_longs(b, 2u * (size_t)n);
    w->offset = gspi_longs(b, n);
    w->list = gspi_words(b, n);
    w->begin = gspi_words(b, n);
}

size_t gsp_memory_check_bound(uint32_t n_tensors, const gsp_memory_check_desc *desc)
{
    gspi_bump b = gspi_measure();
    gspi_memory_check w;
    (void)desc;
    gspi_memory_check_layout(&b, &w, n_tensors);
    return gspi_bound(&b);
}

static gsp_status gspi_memory_check_given(
    const gsp_tensor *tensors, uint32_t n, const gsp_memory_check_desc *d, gsp_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        const gsp_tensor *t = &tensors[i];
        uint32_t const align = d->aligns != NULL ? d->aligns[i] : d->align;
        GSPI_CHECK_ITEM(
            align != 0u && (align & (align - 1u)) == 0u, ARG, NUMBER, TENSOR, i, GSP_NONE);
        GSPI_CHECK_OF(t->begin <= t->end, ARG, RANGE, TENSOR, i, "begin");
        GSPI_CHECK_ITEM(
            (t->offset | t->bytes) <= UINT64_MAX / 4u, OVERFLOW, SIZE, TENSOR, i, GSP_NONE);
    }
    return GSP_OK;
}

/* Sorts the tensors by first step, then by offset. */
static void gspi_memory_check_sort(
    gspi_memory_check *w, const gsp_tensor *tensors, uint32_t n, const uint32_t *resumed)
{
    for (uint32_t i = 0; i < n; i++) {
        w->list[i] = i;
        w->offset[i] = tensors[i].begin;
    }
    gspi_sort(w->list, n, w->offset);
    for (uint32_t i = 0; i < n; i++) {
        w->begin[i] = tensors[w->list[i]].begin;
    }
    for (uint32_t i = 0; i < n; i++) {
        int const again = i > 0u && resumed != NULL && resumed[i] != 0u;
        w->offset[i] = again ? w->offset[i - 1u] : tensors[i].offset;
    }
    gspi_sort(w->list, n, w->offset);
}

/* The first tensor, by id, that overlaps tensor i. */
static uint32_t gspi_memory_check_other(
    const gspi_memory_check *w, const gsp_tensor *tensors, uint32_t i)
{
    const gsp_tensor *t = &tensors[i];
    uint32_t k = 0;
    while (k == i || tensors[k].bytes == 0u || tensors[k].begin > t->end ||
           tensors[k].end < t->begin || w->offset[k] >= w->offset[i] + t->bytes ||
           w->offset[k] + tensors[k].bytes <= w->offset[i]) {
        k++;
    }
    return k;
}

static gsp_status gspi_memory_check_tensor(gspi_memory_check *w, const gsp_tensor *tensors,
    uint32_t i, const gsp_memory_check_desc *d, gsp_error *err)
{
    const gsp_tensor *t = &tensors[i];
    uint64_t const end = w->offset[i] + t->bytes;
    uint64_t const align = d->aligns != NULL ? d->aligns[i] : d->align;
    uint32_t const n = w->sky.width;
    uint32_t const first = gspi_lower_bound(w->begin, n, t->begin);
    uint32_t const last = t->end == UINT32_MAX ? n : gspi_lower_bound(w->begin, n, t->end + 1u);
    int const any =
        (d->fixed != NULL && d->fixed[i] != 0u) || (d->resumed != NULL && d->resumed[i] != 0u);
    GSPI_CHECK_ITEM(any || (w->offset[i] & (align - 1u)) == 0u, ARG, OFFSET, TENSOR, i, GSP_NONE);
    GSPI_CHECK_ITEM(gspi_skyline_top(&w->sky, first, last - 1u) <= w->offset[i], ARG, OVERLAP,
        TENSOR, i, gspi_memory_check_other(w, tensors, i));
    GSPI_CHECK_ITEM(d->bytes == 0u || end <= d->bytes, NO_FIT, ARENA, TENSOR, i, GSP_NONE);
    gspi_skyline_raise(&w->sky, first, last - 1u, end);
    return GSP_OK;
}

gsp_status gsp_memory_check_run(gsp_arena *arena, const gsp_tensor *tensors, uint32_t n_tensors,
    const gsp_memory_check_desc *desc, gsp_error *err)
{
    gsp_memory_check_desc d;
    gspi_memory_check w;
    GSPI_GIVEN(arena);
    GSPI_GIVEN_ROWS(tensors, n_tensors);
    GSPI_READ_DESC(d, desc);
    d.align = d.align == 0u ? GSP_ALIGN : d.align;
    GSPI_TRY(gspi_memory_check_given(tensors, n_tensors, &d, err));
    GSPI_ENTER(gsp_memory_check_bound(n_tensors, &d));
    gspi_memory_check_layout(&pass.bump, &w, n_tensors);
    gspi_memory_check_sort(&w, tensors, n_tensors, d.resumed);
    gspi_set(w.sky.top, 0, 2u * (size_t)n_tensors * sizeof(*w.sky.top));
    gspi_set(w.sky.cover, 0, 2u * (size_t)n_tensors * sizeof(*w.sky.cover));
    for (uint32_t i = 0; i < n_tensors; i++) {
        if (tensors[w.list[i]].bytes != 0u) {
            GSPI_STEP(gspi_memory_check_tensor(&w, tensors, w.list[i], &d, err));
        }
    }
    return GSPI_LEAVE();
}

/* ----
 * >>memory_pack   Smaller plans, with a proof (implementation)
 * ---- */

/* A depth-first search places the next tensor directly above those live with it. Any plan whose
 * tensors cannot move down results from placing them by (offset, rank), so the search tries only
 * larger pairs. Sections are the maximal sets of tensors live together; a branch ends if one has no
 * room. Restarts with more work rank tensors by recent failures of their sections. Tensors not yet
 * placed that are connected by shared sections form a part. The parent of a placement is the last
 * placement on which its part depends; a part that fails returns there. */

typedef struct {
    uint64_t offset; /* a lower bound if not placed */
    uint64_t least;  /* least offset above placed tensors live with it */
    uint64_t lowest; /* least offset without them */
    uint64_t highest;
    uint64_t bytes;
    uint32_t id;    /* its place in the tensors of the caller */
    uint32_t first; /* sections; GSP_NONE in [n] */
    uint32_t end;   /* last one before a gap */
    uint32_t last;
    uint32_t next;   /* its stretch after the gap, or GSP_NONE */
    uint32_t before; /* tensors not placed, by `first`, in a ring through [n] */
    uint32_t after;
    uint32_t rank;
    uint32_t align;
    uint32_t width;   /* in steps */
    uint32_t support; /* the placed tensor below `least`, or GSP_NONE */
} gspi_packed;

/* Sizes are rounded up to multiples of gspi_pack.unit; only the highest tensor needs less. */
typedef struct {
    uint64_t load;
    uint64_t slack;  /* the most that one tensor is rounded up */
    uint64_t weight; /* of failures */
    uint32_t cut;    /* tensors not placed that are also live in the next section */
} gspi_section;

/* A placement, or the choice to make next, from (offset, rank) on. */
typedef struct {
    uint64_t offset;
    uint64_t top; /* greatest end of this tensor and of its parents */
    uint32_t tensor;
    uint32_t rank;
    uint32_t parent;
    uint32_t end; /* sections of its part end here */
} gspi_pack_step;

typedef struct {
    gspi_packed *at;       /* [n + 1] by begin */
    gspi_section *in;      /* [n] */
    uint64_t *sum;         /* [n] bytes of a section above some offset */
    gspi_pack_step *steps; /* [n] placements */
    uint64_t *key;         /* [n] */
    uint32_t *list;        /* [n] */
    uint64_t capacity;     /* of the search */
    uint64_t max_work;
    uint64_t next;    /* work before the next call of progress */
    uint64_t half;    /* work at which the present part leaves its lower bound */
    uint64_t stop;    /* work at which the present part ends */
    uint64_t failure; /* weight of the next one */
    const gsp_memory_pack_desc *d;
    uint32_t attempt;
    uint32_t n;
    uint32_t left; /* tensors of parts to come */
    uint32_t depth;
    uint32_t unit; /* all offsets are multiples of it */
    gsp_memory_pack_result r;
} gspi_pack;

static void gspi_pack_layout(gspi_bump *b, gspi_pack *w, uint32_t n)
{
    w->r.offsets = GSPI_LOW(b, uint64_t, n);
    w->at = GSPI_HIGH(b, gspi_packed, (size_t)n + 1u);
    w->in = GSPI_HIGH(b, gspi_section, n);
    w->sum = gspi_longs(b, n);
    w->steps = GSPI_HIGH(b, gspi_pack_step, n);
    w->key = gspi_longs(b, n);
    w->list = gspi_words(b, n);
}

size_t gsp_memory_pack_bound(uint32_t n_tensors, const gsp_memory_pack_desc *desc)
{
    gspi_bump b = gspi_measure_with(sizeof(gspi_pack));
    gspi_pack w;
    (void)desc;
    gspi_pack_layout(&b, &w, n_tensors);
    return gspi_bound(&b);
}

/* The section in which the first tensor not placed begins, or GSP_NONE if all are placed. */
static uint32_t gspi_pack_begin(const gspi_pack *w)
{
    return w->at[w->at[w->n].after].first;
}

/* Links a tensor into the ring, `by` 1, or out of it, `by` UINT32_MAX. */
static void gspi_pack_link(gspi_pack *w, uint32_t i, uint32_t by)
{
    gspi_packed *t = &w->at[i];
    w->at[t->before].after = by == 1u ? i : t->after;
    w->at[t->after].before = by == 1u ? i : t->before;
    for (uint32_t s = t->first; s < t->last; s++) {
        w->in[s].cut += by;
    }
}

/* The tensor that `id` resumes, or itself. */
static uint32_t gspi_pack_before(const gsp_memory_pack_desc *d, uint32_t id)
{
    return d->resumed != NULL && d->resumed[id] != 0u ? id - 1u : id;
}

/* The last place in the list whose tensor begins no later than the tensor at place i ends. */
static uint32_t gspi_pack_last(const gspi_pack *w, const gsp_tensor *tensors, uint32_t i)
{
    uint32_t const end = tensors[w->list[i]].end;
    uint32_t high = w->n;
    while (high - i > 1u) {
        uint32_t const middle = i + (high - i) / 2u;
        if (tensors[w->list[middle]].begin <= end) {
            i = middle;
        } else {
            high = middle;
        }
    }
    return i;
}

static void gspi_pack_read(gspi_pack *w, const gsp_tensor *tensors, const gsp_memory_pack_desc *d)
{
    gspi_set(w->in, 0, w->n * sizeof(*w->in));
    for (uint32_t i = 0; i < w->n; i++) {
        w->list[i] = i;
        w->key[i] = tensors[i].begin;
        w->r.offsets[i] = tensors[i].offset;
    }
    gspi_sort(w->list, w->n, w->key);
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t const id = w->list[i];
        int const fixed = d->fixed != NULL && d->fixed[id] != 0u;
        gspi_packed *t = &w->at[i];
        t->id = id;
        t->least = t->lowest = fixed ? tensors[id].offset : 0u;
        t->highest = fixed ? tensors[id].offset : UINT64_MAX;
        t->bytes = tensors[id].bytes;
        t->align = fixed ? 1u : d->aligns != NULL ? d->aligns[id] : d->align;
        w->unit |= fixed ? (uint32_t)t->lowest : t->align;
        t->width = tensors[id].end - tensors[id].begin;
        t->support = GSP_NONE;
        t->next = GSP_NONE;
        t->before = 0;
        t->first = i;
        t->last = t->end = gspi_pack_last(w, tensors, i);
        w->key[id] = i;
        w->in[t->end].cut = 1;
    }
    for (uint32_t id = w->n; id-- > 0u;) {
        if (gspi_pack_before(d, id) < id) {
            gspi_packed *t = &w->at[w->key[id - 1u]];
            t->next = (uint32_t)w->key[id];
            t->last = w->at[t->next].last;
            w->at[t->next].before = GSP_NONE;
        }
    }
}

/* Merges places where no tensor ends into the next section. Links the tensors that have bytes. */
static void gspi_pack_sections(gspi_pack *w)
{
    uint32_t section = 0;
    w->unit &= 0u - w->unit;
    for (uint32_t i = 0; i < w->n; i++) {
        w->list[i] = section;
        section += w->in[i].cut;
        w->in[i].cut = 0;
    }
    w->at[w->n].first = GSP_NONE;
    w->at[w->n].before = w->at[w->n].after = w->n;
    for (uint32_t i = 0; i < w->n; i++) {
        gspi_packed *t = &w->at[i];
        t->first = w->list[t->first];
        t->end = w->list[t->end];
        t->last = w->list[t->last];
        if (t->bytes > 0u && t->before != GSP_NONE) {
            t->before = w->at[w->n].before;
            t->after = w->n;
            gspi_pack_link(w, i, 1);
        }
        for (uint32_t s = t->first; s <= t->end; s++) {
            uint64_t const bytes = gspi_round(t->bytes, w->unit);
            w->in[s].load += bytes;
            gspi_raise(&w->in[s].slack, bytes - t->bytes);
        }
    }
}

static int gspi_pack_meet(const gspi_pack *w, const gspi_packed *t, const gspi_packed *o)
{
    while (o->first > t->end || o->end < t->first) { /* advances the one that ends first */
        const gspi_packed **first = t->end < o->first ? &t : &o;
        if ((*first)->next == GSP_NONE) {
            return 0;
        }
        *first = &w->at[(*first)->next];
    }
    return 1;
}

/* 1 if a tensor is at (offset, rank) or later. */
static int gspi_pack_from(const gspi_packed *t, const gspi_pack_step *at)
{
    return t->least > at->offset || (t->least == at->offset && t->rank >= at->rank);
}

/* A lower bound of the offset of a tensor. A skipped tensor is above one not placed. */
static uint64_t gspi_pack_release(
    const gspi_pack *w, const gspi_packed *t, const gspi_pack_step *at)
{
    uint64_t release = UINT64_MAX;
    if (gspi_pack_from(t, at)) {
        return t->least;
    }
    for (uint32_t i = w->at[w->n].after; w->at[i].first < t->last + 1u; i = w->at[i].after) {
        const gspi_packed *o = &w->at[i];
        uint64_t const end = (o->least < at->offset ? at->offset : o->least) + o->bytes;
        release = end < release && o != t && gspi_pack_meet(w, t, o) ? end : release;
    }
    return release;
}

/* Counts a failure; it weighs 1/32 more than the one before. */
static void gspi_pack_weigh(gspi_pack *w, uint32_t section)
{
    w->in[section].weight += w->failure;
    w->failure += w->failure / 32u;
    if (w->failure >> 30u != 0u) {
        w->failure >>= 10u;
        for (uint32_t s = 0; s < w->n; s++) {
            w->in[s].weight >>= 10u;
        }
    }
}

/* Adds to [n] sums up to the first that would exceed `room`. Returns its index, or n. Adds two at a
 * time, since a load waits for the stores before it. */
static uint32_t gspi_pack_add(uint64_t *sum, uint32_t n, uint64_t bytes, uint64_t room)
{
    uint32_t i = 0;
    for (; n - i >= 2u; i += 2u) {
        uint64_t const a = sum[i] + bytes;
        uint64_t const b = sum[i + 1u] + bytes;
        if ((a > room) | (b > room)) {
            break;
        }
        sum[i] = a;
        sum[i + 1u] = b;
    }
    while (i < n && sum[i] + bytes <= room) {
        sum[i++] += bytes;
    }
    return i;
}

/* 1 if the n listed tensors, the highest first, fit in each section of a part. */
GSPI_OWN_FRAME int gspi_pack_sum(gspi_pack *w, const gspi_pack_step *at, uint32_t n)
{
    for (uint32_t s = gspi_pack_begin(w); s < at->end; s++) {
        w->sum[s] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        const gspi_packed *t = &w->at[w->list[i]];
        uint64_t const room = gspi_round(w->capacity, w->unit) - t->offset;
        uint64_t const bytes = gspi_round(t->bytes, w->unit);
        for (uint32_t k = w->list[i]; k != GSP_NONE; k = w->at[k].next) {
            uint32_t const first = w->at[k].first;
            uint32_t const n_in = w->at[k].end + 1u - first;
            uint32_t const fit = gspi_pack_add(w->sum + first, n_in, bytes, room);
            if (fit != n_in) {
                gspi_pack_weigh(w, first + fit);
                return 0;
            }
        }
    }
    return 1;
}

/* 1 if the tensors above each offset fit, in each section of a part. */
static int gspi_pack_fits(gspi_pack *w, const gspi_pack_step *at)
{
    uint32_t n = 0;
    for (uint32_t i = w->at[w->n].after; w->at[i].first < at->end; i = w->at[i].after) {
        gspi_packed *t = &w->at[i];
        t->offset = gspi_pack_release(w, t, at);
        w->r.work++;
        if (t->offset > t->highest || t->offset > w->capacity) {
            return 0;
        }
        w->key[i] = ~t->offset;
        w->list[n++] = i;
    }
    gspi_sort(w->list, n, w->key);
    return gspi_pack_sum(w, at, n);
}

static void gspi_pack_place(gspi_pack *w, const gspi_pack_step *at)
{
    gspi_packed *t = &w->at[at->tensor];
    gspi_pack_step *step = &w->steps[w->depth++];
    uint64_t const end = at->offset + t->bytes;
    *step = *at;
    step->top = end;
    if (at->parent != GSP_NONE) {
        gspi_raise(&step->top, w->steps[at->parent].top);
    }
    t->offset = at->offset;
    gspi_pack_link(w, at->tensor, UINT32_MAX);
    for (uint32_t i = w->at[w->n].after; w->at[i].first < t->last + 1u; i = w->at[i].after) {
        gspi_packed *o = &w->at[i];
        if (o->least < end && gspi_pack_meet(w, t, o)) {
            o->least = gspi_round(end, o->align);
            o->support = at->tensor;
        }
    }
}

/* Finds the support that a tensor had when `parent` was placed. */
static void gspi_pack_lower(const gspi_pack *w, gspi_packed *t, uint32_t parent)
{
    uint64_t top = 0;
    t->support = GSP_NONE;
    for (uint32_t p = parent; p != GSP_NONE && w->steps[p].top > top; p = w->steps[p].parent) {
        const gspi_packed *o = &w->at[w->steps[p].tensor];
        if (o->offset + o->bytes > top && gspi_pack_meet(w, t, o)) {
            top = o->offset + o->bytes;
            t->support = w->steps[p].tensor;
        }
    }
    t->least = gspi_round(top, t->align);
    gspi_raise(&t->least, t->lowest);
}

static void gspi_pack_undo(gspi_pack *w, uint32_t depth)
{
    while (w->depth > depth) {
        const gspi_pack_step *step = &w->steps[--w->depth];
        for (uint32_t i = w->at[w->n].after; w->at[i].first < w->at[step->tensor].last + 1u;
             i = w->at[i].after) {
            if (w->at[i].support == step->tensor) {
                gspi_pack_lower(w, &w->at[i], step->parent);
            }
        }
        gspi_pack_link(w, step->tensor, 1);
    }
}

/* Chooses the first tensor from (offset, rank) on; returns 0 if there is none, or a whole tensor
 * fits below it. */
static int gspi_pack_next(const gspi_pack *w, gspi_pack_step *at)
{
    uint64_t offset = UINT64_MAX;
    uint64_t end = UINT64_MAX;
    uint32_t rank = GSP_NONE;
    for (uint32_t i = w->at[w->n].after; w->at[i].first < at->end; i = w->at[i].after) {
        const gspi_packed *t = &w->at[i];
        end = t->least + t->bytes < end ? t->least + t->bytes : end;
        if (gspi_pack_from(t, at) &&
            (t->least < offset || (t->least == offset && t->rank < rank))) {
            at->tensor = i;
            offset = t->least;
            rank = t->rank;
        }
    }
    at->offset = offset;
    at->rank = rank;
    return offset < end && offset + w->at[at->tensor].bytes <= w->capacity;
}

/* The first part not placed, and the placement that it depends on. */
static gspi_pack_step gspi_pack_part(const gspi_pack *w)
{
    uint32_t const begin = gspi_pack_begin(w);
    gspi_pack_step at = {0u, 0, 0, 0, w->depth, begin};
    while (w->in[at.end++].cut != 0u) {
    }
    while (--at.parent != GSP_NONE) {
        const gspi_pack_step *step = &w->steps[at.parent];
        if (w->at[step->tensor].last >= begin) {
            at.offset = step->offset;
            at.rank = step->rank;
            break;
        }
    }
    return at;
}

/* 1 if the search ends after `stop` units of work, or by progress. */
static int gspi_pack_stops(gspi_pack *w, uint64_t stop)
{
    if (w->d->progress != NULL && w->r.work >= w->next) {
        w->next = w->r.work + ((uint64_t)1u << 16u);
        w->r.stopped = w->d->progress(w->d->progress_user, w->r.work) != 0 ? 1u : 0u;
        w->max_work = w->r.stopped != 0u ? 0u : w->max_work;
    }
    return w->r.work++ >= stop || w->r.stopped != 0u;
}

/* Places all tensors before section `end`. Returns 1 if they fit, 0 if they cannot, -1 after too
 * much work. */
static int gspi_pack_search(gspi_pack *w, uint32_t end, uint64_t work)
{
    uint64_t const stop = w->r.work + work;
    while (gspi_pack_begin(w) < end) {
        gspi_pack_step at = gspi_pack_part(w);
        int open = w->depth > 0u || !GSPI_NEVER(!gspi_pack_fits(w, &at));
        while (open) {
            if (gspi_pack_stops(w, stop)) {
                gspi_pack_undo(w, 0);
                return -1;
            }
            if (gspi_pack_next(w, &at)) {
                gspi_pack_place(w, &at);
                if (gspi_pack_fits(w, &at)) {
                    break;
                }
                gspi_pack_undo(w, w->depth - 1u);
            } else if (at.parent != GSP_NONE) {
                gspi_pack_undo(w, at.parent);
                at = w->steps[at.parent];
            } else {
                open = 0;
            }
            at.rank++;
        }
        if (!open) {
            return 0;
        }
    }
    return 1;
}

/* Ranks tensors by the greatest weight of a section, then by steps; or by the product. */
static void gspi_pack_rank(gspi_pack *w, uint32_t end)
{
    int const both = w->attempt++ % 2u != 0u;
    uint32_t n = 0;
    for (uint32_t i = w->at[w->n].after; w->at[i].first < end; i = w->at[i].after) {
        const gspi_packed *t = &w->at[i];
        uint64_t const steps = (uint64_t)t->width + 1u;
        uint64_t weight = 0;
        for (uint32_t k = i; k != GSP_NONE; k = w->at[k].next) {
            for (uint32_t s = w->at[k].first; s <= w->at[k].end; s++) {
                gspi_raise(&weight, w->in[s].weight);
            }
        }
        w->list[n++] = i;
        w->key[i] = ~(both ? (weight >> 4) * steps : (weight << 24u) + steps);
    }
    gspi_sort(w->list, n, w->key);
    for (uint32_t i = 0; i < n; i++) {
        w->at[w->list[i]].rank = i;
    }
}

/* Searches smaller plans of a part; half of the work is for the lower bound, the rest for sizes in
 * between. */
static void gspi_pack_improve(gspi_pack *w, uint32_t end)
{
    gsp_memory_pack_result *r = &w->r;
    uint64_t n = 0;
    uint64_t size = 0;
    uint64_t lower = 0;
    for (uint32_t i = w->at[w->n].after; w->at[i].first < end; i = w->at[i].after) {
        const gspi_packed *t = &w->at[i];
        gspi_raise(&size, t->bytes + w->r.offsets[t->id]);
        gspi_raise(&lower, t->bytes + t->lowest);
        n++;
    }
    for (uint32_t s = gspi_pack_begin(w); s < end; s++) {
        gspi_raise(&lower, w->in[s].load - w->in[s].slack);
    }
    uint64_t limit = n * n + 32u;
    while (size > lower && size > r->bytes && r->work < w->stop && r->stopped == 0u) {
        uint64_t const goal = lower > r->bytes ? lower : r->bytes;
        uint32_t const shift = r->work < w->half ? 0u : w->attempt / 2u % 4u + 1u;
        uint64_t const left = w->stop - r->work;
        w->capacity = size - ((size - goal - 1u) >> shift) - 1u;
        gspi_pack_rank(w, end);
        int const found = gspi_pack_search(w, end, limit < left ? limit : left);
        limit = shift == 0u && r->work >= w->half ? n * n : limit + limit / 32u;
        size = found > 0 ? 0u : size;
        lower = found == 0 ? w->capacity + 1u : lower;
        for (uint32_t i = 0; i < w->depth; i++) {
            const gspi_packed *t = &w->at[w->steps[i].tensor];
            w->r.offsets[t->id] = t->offset;
            gspi_raise(&size, t->offset + t->bytes);
        }
        gspi_pack_undo(w, 0);
    }
    gspi_raise(&r->bytes, size);
    gspi_raise(&r->lower_bound, lower);
}

/* Improves the given plan of each part. */
GSPI_OWN_FRAME void gspi_pack_plan(
    gspi_pack *w, const gsp_tensor *tensors, uint32_t n_tensors, const gsp_memory_pack_desc *d)
{
    w->n = n_tensors;
    uint64_t const work = ((uint64_t)1u << 34u) / (n_tensors > 256u ? n_tensors : 256u);
    w->max_work = d->max_work == 0u ? work : d->max_work;
    w->d = d;
    w->failure = 1024;
    w->unit = (uint32_t)1u << 31;
    w->r.bytes = d->capacity;
    gspi_pack_read(w, tensors, d);
    gspi_pack_sections(w);
    w->left = n_tensors;
    while (gspi_pack_begin(w) != GSP_NONE) { /* parts below the largest so far need no work */
        uint32_t const end = gspi_pack_part(w).end;
        uint64_t const rest = w->max_work > w->r.work ? w->max_work - w->r.work : 0u;
        uint32_t n = 0;
        for (uint32_t i = w->at[w->n].after; w->at[i].first < end; i = w->at[i].after) {
            n++;
        }
        w->stop = w->r.work + (w->left > n ? rest / w->left * n : rest);
        w->half = w->r.work + (w->stop - w->r.work) / 2u;
        gspi_pack_improve(w, end);
        w->left -= n;
        while (gspi_pack_begin(w) < end) { /* no other part reads `cut` there */
            w->at[w->n].after = w->at[w->at[w->n].after].after;
        }
        w->at[w->at[w->n].after].before = w->n;
    }
    w->r.bytes = 0;
    for (uint32_t i = 0; i < n_tensors; i++) {
        w->r.offsets[i] = w->r.offsets[gspi_pack_before(d, i)];
        gspi_raise(&w->r.bytes, tensors[i].bytes > 0u ? w->r.offsets[i] + tensors[i].bytes : 0u);
    }
}

gsp_status gsp_memory_pack_run(gsp_arena *arena, const gsp_tensor *tensors, uint32_t n_tensors,
    const gsp_memory_pack_desc *desc, gsp_memory_pack_result *result, gsp_error *err)
{
    gsp_memory_pack_desc d;
    GSPI_GIVEN(arena);
    GSPI_GIVEN_ROWS(tensors, n_tensors);
    GSPI_GIVEN(result);
    GSPI_READ_DESC(d, desc);
    d.align = d.align == 0u ? GSP_ALIGN : d.align;
    gsp_memory_check_desc const plan = {0u, d.align, d.aligns, d.fixed, d.resumed, 0, 0u};
    GSPI_TRY(gspi_memory_check_given(tensors, n_tensors, &plan, err));
    for (uint32_t i = 0; i < n_tensors; i++) {
        const gsp_tensor *t = &tensors[i];
        int const first = gspi_pack_before(&d, i) == i;
        int const again = !first && i > 0u && t[-1].end < t->begin && t[-1].bytes == t->bytes;
        GSPI_CHECK_OF(first || again, ARG, RANGE, TENSOR, i, "resumed");
    }
    GSPI_ENTER(gsp_memory_pack_bound(n_tensors, &d));
    GSPI_STEP(gsp_memory_check_run(arena, tensors, n_tensors, &plan, err));
    gspi_pack *w = GSPI_NEW(gspi_pack);
    gspi_set(w, 0, sizeof(*w));
    gspi_pack_layout(&pass.bump, w, n_tensors);
    gspi_pack_plan(w, tensors, n_tensors, &d);
    *result = w->r;
    return GSPI_LEAVE();
}

/* ----
 * >>split_by_memory   Fewest parts under a byte budget (implementation)
 * ---- */

/* Allowed places of cuts are numbered. Longest parts from the front give the latest place of each
 * cut, longest parts from the back the earliest. These windows do not overlap, since otherwise one
 * part fewer would suffice. The earliest start of a part does not decrease with its end, so the
 * least boundary up to a cut is a minimum over a suffix of the previous window. */

typedef struct {
    uint64_t work;
    const gsp_split_by_memory_desc *desc;
    uint32_t *of;
    uint32_t *pos;
    uint64_t *bytes;    /* [n] profile of a candidate part */
    uint64_t *boundary; /* [n + 1] bytes that cross a place; sort key before */
    uint64_t *best;     /* [n + 1] least boundary up to a cut */
    uint32_t *from;     /* [n + 1] previous cut for that least boundary */
    uint32_t *least;    /* [n + 1] the best cut from here to the end of the window */
    uint32_t *cuts;     /* [n + 1] places in the order */
    uint32_t *latest;   /* [n + 1] latest cut at the end of a part */
    uint32_t *earliest; /* [n + 1] earliest cut; then the cuts of the result */
    uint32_t n;         /* callable nodes */
    uint32_t n_cuts;
    gsp_node *full; /* [n] the order of the caller, or NULL */
    uint32_t *rank; /* [n] its inverse */
    gspi_live live;
    gsp_split_by_memory_result r;
} gspi_budget;

GSPI_STATIC_ASSERT(sizeof(gspi_budget) <= GSP_BOUND_WORKSPACE - GSP_GAP - GSP_ALIGN,
    GSP_SPLIT_BY_MEMORY_BOUND_is_too_small);

static void gspi_budget_layout(
    gspi_bump *b, gspi_budget *w, uint32_t n, const gsp_split_by_memory_desc *d)
{
    int const ordered = d != NULL && d->order != NULL;
    size_t const n1 = (size_t)n + 1u;
    w->r.parts = GSPI_LOW(b, gsp_liveness_part, n);
    w->r.part_of = gspi_kept(b, n);
    w->r.begin = gspi_kept(b, n1);
    w->r.nodes = gspi_kept(b, n);
    w->of = gspi_words(b, n);
    w->pos = gspi_words(b, n);
    w->live.end = gspi_words(b, n);
    w->live.active = gspi_words(b, n);
    w->bytes = gspi_longs(b, n);
    w->boundary = gspi_longs(b, n1);
    w->best = gspi_longs(b, n1);
    w->from = gspi_words(b, n1);
    w->least = gspi_words(b, n1);
    w->cuts = gspi_words(b, n1);
    w->latest = gspi_words(b, n1);
    w->earliest = gspi_words(b, n1);
    w->full = ordered ? gspi_words(b, n) : NULL;
    w->rank = ordered ? gspi_words(b, n) : NULL;
}

size_t gsp_split_by_memory_bound(const gsp_graph *graph, const gsp_split_by_memory_desc *desc)
{
    gspi_bump b = gspi_measure_with(sizeof(gspi_budget));
    gspi_budget w;
    gspi_budget_layout(&b, &w, graph->n_nodes, desc);
    return gspi_bound(&b);
}

/* ---- Order and allowed cuts ---- */

static void gspi_budget_put(gspi_budget *w, gsp_node v)
{
    w->pos[v] = w->n;
    w->r.nodes[w->n++] = v;
}

/* Callable nodes in order; getitems of an element directly follow the aggregate. */
static void gspi_budget_order(gspi_budget *w, const gsp_graph *g)
{
    gspi_none(w->pos, g->n_nodes);
    w->n = 0;
    for (uint32_t k = 0; k < g->n_nodes; k++) {
        gsp_node const v = w->full != NULL ? w->full[k] : k;
        if (!gspi_callable(g, v) || w->pos[v] != GSP_NONE) {
            continue;
        }
        gspi_row const users = gspi_users(g, v);
        gspi_budget_put(w, v);
        for (uint32_t i = 0; i < users.n && gspi_value_kind(g, v) == GSP_VALUE_AGGREGATE; i++) {
            if (gspi_taken_from(g, w->of, users.at[i]) == v) {
                gspi_budget_put(w, users.at[i]);
            }
        }
    }
}

static void gspi_budget_cuts(gspi_budget *w, const gsp_graph *g)
{
    uint32_t *open = w->least; /* groups that begin minus groups that end */
    uint32_t depth = 0;
    uint32_t *members = w->from;
    uint64_t *key = w->boundary;
    uint32_t n = 0;
    uint32_t k;
    gspi_zero(open, (size_t)w->n + 1u);
    for (uint32_t i = 0; i < w->n && !w->desc->ignore_groups; i++) {
        gsp_atom const group = gspi_attr(g, w->r.nodes[i], GSP_KEY_GROUP);
        if (group != GSP_NONE) {
            key[i] = ((uint64_t)group << 32) | i;
            members[n++] = i;
        }
    }
    gspi_sort(members, n, key);
    for (uint32_t i = 0; i < n; i = k) {
        for (k = i + 1u; k < n && key[members[k]] >> 32 == key[members[i]] >> 32; k++) {
        }
        open[members[i] + 1u]++;
        open[members[k - 1u] + 1u]--;
    }
    w->n_cuts = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        depth += open[i];
        if (depth == 0u && gspi_taken_from(g, w->of, w->r.nodes[i]) == GSP_NONE) {
            w->cuts[w->n_cuts++] = i;
        }
    }
    w->cuts[w->n_cuts++] = w->n;
}

static void gspi_budget_boundaries(gspi_budget *w, const gsp_graph *g)
{
    gspi_set(w->boundary, 0, ((size_t)w->n + 1u) * sizeof(uint64_t));
    for (uint32_t i = 0; i < w->n; i++) {
        gspi_row const users = gspi_users(g, w->r.nodes[i]);
        uint32_t last = i;
        for (uint32_t k = 0; k < users.n; k++) {
            uint32_t const at = w->pos[users.at[k]];
            last = at != GSP_NONE && at > last ? at : last;
        }
        gspi_profile_add(w->boundary, w->n + 1u, i + 1u, last, gspi_bytes(g, w->r.nodes[i]));
    }
    (void)gspi_profile_sum(w->boundary, w->n + 1u);
}

/* The peak of a part. That of all nodes is the peak of the graph, in parts[0]. */
static gsp_liveness_part gspi_budget_peak(gspi_budget *w, uint32_t a, uint32_t b)
{
    gsp_liveness_part peak = w->r.parts[0];
    if (b - a + 1u < w->n_cuts) {
        peak = gspi_live_profile(
            &w->live, w->cuts[a], w->cuts[b] - w->cuts[a], w->desc->scratch, 0, w->bytes);
        gspi_live_clear(&w->live);
        w->work += w->live.size;
    }
    return peak;
}

static int gspi_budget_fits(gspi_budget *w, uint32_t a, uint32_t b)
{
    return gspi_budget_peak(w, a < b ? a : b, a < b ? b : a).bytes <= w->desc->budget;
}

/* The part from `fixed` to `from` fits. Finds its farthest end towards `to` by doubling and
 * bisection. */
static uint32_t gspi_budget_reach(gspi_budget *w, uint32_t fixed, uint32_t from, uint32_t to)
{
    uint32_t const sign = to > from ? 1u : UINT32_MAX;
    uint32_t const most = sign * (to - from);
    uint32_t good = 0; /* distances from `from` */
    uint32_t bad = 1;
    while (bad <= most && gspi_budget_fits(w, fixed, from + sign * bad)) {
        good = bad;
        bad = bad == most ? most + 1u : most - bad < bad ? most : 2u * bad;
    }
    while (bad <= most && bad - good > 1u) {
        uint32_t const middle = good + (bad - good) / 2u;
        if (gspi_budget_fits(w, fixed, from + sign * middle)) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    return from + sign * good;
}

static gsp_status gspi_budget_windows(gspi_budget *w, gsp_error *err)
{
    uint32_t const end = w->n_cuts - 1u;
    w->r.n_parts = 0;
    w->latest[0] = 0;
    while (w->latest[w->r.n_parts] < end) {
        uint32_t const at = w->latest[w->r.n_parts];
        int const whole = at == 0u && gspi_budget_fits(w, 0, end);
        uint32_t const stop = whole ? end : gspi_budget_reach(w, at, at, end);
        if (stop == at) {
            gsp_liveness_part const peak = gspi_budget_peak(w, at, at + 1u);
            return gspi_fail_need(err, GSPI_CODE(NO_FIT, BUDGET, NODE), peak.node, GSP_NONE,
                peak.bytes, w->desc->budget);
        }
        w->latest[++w->r.n_parts] = stop;
    }
    w->earliest[w->r.n_parts] = end;
    w->earliest[0] = 0;
    for (uint32_t k = w->r.n_parts; k > 1u; k--) {
        w->earliest[k - 1u] = gspi_budget_reach(w, w->earliest[k], w->earliest[k], 0);
    }
    return GSP_OK;
}

/* ---- Least boundary ---- */

static void gspi_budget_least(gspi_budget *w, uint32_t low, uint32_t high)
{
    w->least[high] = high;
    for (uint32_t i = high; i > low; i--) {
        uint32_t const next = w->least[i];
        w->least[i - 1u] = w->best[i - 1u] <= w->best[next] ? i - 1u : next;
    }
}

/* Extends best[] from the window of cut k to the next one; returns 0 after max_work. */
static int gspi_budget_advance(gspi_budget *w, uint32_t k, uint64_t max_work)
{
    uint32_t const stop = w->latest[k + 1u];
    uint32_t first = w->earliest[k];
    uint32_t c = w->earliest[k + 1u];
    while (c <= stop) {
        if (w->work >= max_work) {
            return 0;
        }
        first = gspi_budget_reach(w, c, w->latest[k], first);
        uint32_t const reach = gspi_budget_reach(w, first, c, stop);
        for (; c <= reach; c++) {
            w->from[c] = w->least[first];
            w->best[c] = gspi_sum(w->best[w->from[c]], w->boundary[w->cuts[c]]);
        }
    }
    return 1;
}

/* After max_work: chooses cuts from the last to the first, each the best for the next. */
static void gspi_budget_approximate(gspi_budget *w)
{
    uint32_t low = w->earliest[w->r.n_parts - 1u];
    for (uint32_t k = w->r.n_parts - 1u; k > 0u; k--) {
        uint32_t best = w->latest[k];
        for (uint32_t c = best; c > low; c--) {
            if (w->boundary[w->cuts[c - 1u]] <= w->boundary[w->cuts[best]]) {
                best = c - 1u;
            }
        }
        w->earliest[k] = best;
        low = gspi_budget_reach(w, best, w->latest[k - 1u], w->earliest[k - 1u]);
    }
}

/* Writes the cuts of the result into `earliest`; returns 0 if max_work was reached before the
 * minimum. */
static int gspi_budget_choose(gspi_budget *w)
{
    uint64_t const most = w->desc->max_work == 0u ? (uint64_t)1u << 24 : w->desc->max_work;
    uint32_t const last = w->r.n_parts - 1u;
    uint32_t c;
    w->work = 0;
    for (c = w->earliest[1]; c <= w->latest[1]; c++) {
        w->best[c] = w->boundary[w->cuts[c]];
    }
    gspi_budget_least(w, w->earliest[1], w->latest[1]);
    for (uint32_t k = 1; k < last; k++) {
        if (!gspi_budget_advance(w, k, most)) {
            gspi_budget_approximate(w);
            return 0;
        }
        gspi_budget_least(w, w->earliest[k + 1u], w->latest[k + 1u]);
    }
    c = w->least[w->earliest[last]];
    for (uint32_t k = last; k > 0u; k--) {
        w->earliest[k] = c;
        c = k > 1u ? w->from[c] : c;
    }
    return 1;
}

static uint64_t gspi_budget_total(const gspi_budget *w, const uint32_t *ends)
{
    uint64_t sum = 0;
    for (uint32_t k = 1; k < w->r.n_parts; k++) {
        sum = gspi_sum(sum, w->boundary[w->cuts[ends[k]]]);
    }
    return sum;
}

static void gspi_budget_finish(gspi_budget *w, uint32_t n_nodes)
{
    gspi_none(w->r.part_of, n_nodes);
    w->r.begin[0] = 0;
    for (uint32_t k = 0; k < w->r.n_parts; k++) {
        w->r.parts[k] = gspi_budget_peak(w, w->earliest[k], w->earliest[k + 1u]);
        w->r.begin[k + 1u] = w->cuts[w->earliest[k + 1u]];
        for (uint32_t i = w->r.begin[k]; i < w->r.begin[k + 1u]; i++) {
            w->r.part_of[w->r.nodes[i]] = k;
        }
    }
    w->r.boundary = gspi_budget_total(w, w->earliest);
    w->r.greedy_boundary = gspi_budget_total(w, w->latest);
}

GSPI_OWN_FRAME gsp_status gspi_budget_cut(gspi_budget *w, const gsp_graph *g, gsp_error *err)
{
    if (w->full != NULL) {
        GSPI_TRY(gspi_order_read(g, w->desc->order, w->desc->n_order, w->full, w->rank, err));
    }
    gspi_live_start(&w->live, g, w->of);
    w->live.pos = w->rank;
    w->live.order = w->full;
    gspi_budget_order(w, g);
    if (w->n != 0u) {
        gsp_liveness_part peak =
            gspi_live_profile(&w->live, 0, g->n_nodes, w->desc->scratch, 0, w->bytes);
        gspi_live_clear(&w->live);
        peak.step = w->pos[peak.node] == GSP_NONE ? 0u : w->pos[peak.node]; /* 0 of a placeholder */
        w->r.parts[0] = peak;
    }
    w->live.whole = 0;
    w->live.pos = w->pos;
    w->live.order = w->r.nodes;
    gspi_budget_cuts(w, g);
    gspi_budget_boundaries(w, g);
    GSPI_TRY(gspi_budget_windows(w, err));
    w->r.proved = 1;
    if (w->r.n_parts > 1u) {
        w->r.proved = (uint32_t)gspi_budget_choose(w);
    }
    gspi_budget_finish(w, g->n_nodes);
    return GSP_OK;
}

gsp_status gsp_split_by_memory_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_split_by_memory_desc *desc, gsp_split_by_memory_result *result, gsp_error *err)
{
    GSPI_GIVEN_DESC();
    GSPI_TRY(gspi_check_values(graph, desc->scratch, 0, err));
    GSPI_ENTER(gsp_split_by_memory_bound(graph, desc));
    gspi_budget *w = GSPI_NEW(gspi_budget);
    gspi_budget_layout(&pass.bump, w, graph->n_nodes, desc);
    w->desc = desc;
    w->work = 0;
    GSPI_STEP(gspi_budget_cut(w, graph, err));
    *result = w->r;
    return GSPI_LEAVE();
}

/* ----
 * >>exec_plan   Slots and call frames, planned once (implementation)
 * ---- */

/* A graph is planned at its first call, before its caller continues. Suspended graphs form a chain
 * of parents, without recursion. The caller of the root is a pseudo graph (the outside) whose
 * values are the inputs of the run. Each value has an owner: a node (its id in the module) or, for
 * an element of an aggregate, a larger number. A node yields one owner or an aggregate: a row of
 * owners and a tree. A tree holds tokens of containers, keys and values; a value is a GSP_ARG_NODE.
 * A getitem is a part of the row of another node. A returned value belongs to the caller
 * afterwards. Owners live until the last node of their graph that reads them; a scan in graph order
 * assigns slots. Then rows hold slots, and the run uses the same rows and trees. */

/* Placeholders, resolved getitems and attributes that only name a graph have no step (GSP_NONE). */
enum {
    GSPI_STEP_ATTR,   /* get_attr */
    GSPI_STEP_KERNEL, /* a call whose arguments are single values and constants */
    GSPI_STEP_EXPAND, /* a call with aggregates */
    GSPI_STEP_ENTER,  /* a call of a graph */
    GSPI_STEP_RETURN  /* output */
};

enum { GSPI_FRAME_NEW, GSPI_FRAME_OPEN, GSPI_FRAME_DONE };

/* Origin of a returned value: neither an input nor an earlier output. */
#define GSPI_FRESH GSP_NONE
/* The key of a bound element. */
#define GSPI_TAKEN (GSP_NONE - 1u)

typedef struct {
    gsp_atom key; /* GSP_NONE if by position; from counts.strings on, of an input of the run */
    uint32_t at;  /* its token, or the input */
} gspi_element;

typedef struct {
    uint64_t bytes;
    gsp_node birth;
    gsp_node last;      /* last reader */
    uint32_t sibling;   /* next owner of the same graph */
    uint32_t free_slot; /* of owner i, free slot i of the graph */
} gspi_owner;

typedef struct {
    gspi_owner *owners;     /* [max_owners] */
    uint32_t *origin;       /* [max_leaf] of a returned value */
    uint32_t *latest;       /* [graphs + 1] last owner of a graph */
    gspi_element *elements; /* [args + inputs] of a call */
    uint32_t *rank;         /* [n] inverse of the order of the caller */
    const gsp_module *m;
    gsp_error *err;
    const gsp_arg *args; /* of the call to bind; NULL for the inputs of the run */
    uint32_t callee;
    uint32_t n_elements;
    uint32_t n_placed;   /* bound, by position */
    uint32_t n_named;    /* not bound, by name */
    uint32_t found;      /* last element found by name */
    uint32_t aggregates; /* of the desc */
    int whole;
    uint32_t invoke; /* target of invoke_subgraph, or counts.strings */
    uint32_t n_owners;
    uint32_t n_leaf;
    uint32_t n_tree;
    uint32_t n_requests;
    uint32_t max_owners;
    uint32_t max_leaf;
    uint32_t max_tree;
    uint32_t max_requests;
    uint32_t open;      /* innermost open container of tree */
    uint32_t graph;     /* current graph; counts.graphs for the pseudo graph */
    uint32_t first;     /* its first node in the module */
    gsp_node node;      /* current node of it */
    gsp_node requester; /* node that needs constants */
    uint32_t seen_tree; /* last element found: its tree, ... */
    uint32_t seen_index;
    uint32_t seen_at;
    gsp_exec_plan p; /* the result; until the end leaf_at, leaf and requests hold owners */
} gspi_exec_plan;

GSPI_STATIC_ASSERT(sizeof(gspi_exec_plan) <= GSP_BOUND_WORKSPACE - GSP_GAP - GSP_ALIGN,
    GSP_EXEC_PLAN_BOUND_is_too_small);

static void gspi_exec_plan_layout(
    gspi_bump *b, gspi_exec_plan *w, const gsp_counts *c, const gsp_exec_plan_desc *d)
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
    w->p.leaf = gspi_kept(b, w->max_leaf);
    w->p.tree = GSPI_LOW(b, gsp_arg, w->max_tree);
    w->p.tree_leaf = gspi_kept(b, w->max_tree);
    w->p.requests = GSPI_LOW(b, gsp_exec_plan_request, w->max_requests);
    w->p.slot = gspi_kept(b, w->max_owners);
    w->p.next = gspi_kept(b, w->max_owners);
    w->owners = GSPI_HIGH(b, gspi_owner, w->max_owners);
    w->origin = gspi_words(b, w->max_leaf);
    w->latest = gspi_words(b, graphs);
    w->elements = GSPI_HIGH(b, gspi_element, c->args + d->n_inputs);
    w->p.order = d->order == NULL ? NULL : gspi_kept(b, n);
    w->rank = d->order == NULL ? NULL : gspi_words(b, n);
    b->used = most < UINT32_MAX ? b->used : SIZE_MAX;
}

static gsp_exec_plan_desc gspi_exec_plan_desc(
    const gsp_graph *graph, const gsp_exec_plan_desc *desc)
{
    gsp_exec_plan_desc d;
    gspi_desc(&d, desc, sizeof(d));
    if (d.aggregates == 0u) {
        d.aggregates = gspi_count_add(graph->module->counts.args, graph->module->counts.nodes);
    }
    if (d.n_inputs == 0u && d.inputs == NULL) {
        uint32_t n = 0;
        for (gsp_node v = 0; v < graph->n_nodes; v++) {
            if (gspi_op(graph, v) == GSP_OP_PLACEHOLDER &&
                !gspi_at(gspi_target_str(graph, v), 0, "*")) {
                n++;
                d.n_inputs = gspi_args(graph, v).n == 0u ? n : d.n_inputs;
            }
        }
    }
    return d;
}

/* Without inputs in the desc there may be one per node. */
size_t gsp_exec_plan_bound(const gsp_graph *graph, const gsp_exec_plan_desc *desc)
{
    const gsp_counts *counts = &graph->module->counts;
    gspi_bump b = gspi_measure_with(sizeof(gspi_exec_plan));
    gsp_exec_plan_desc d;
    gspi_exec_plan w;
    gspi_desc(&d, desc, sizeof(d));
    d.n_inputs = d.n_inputs == 0u && d.inputs == NULL ? counts->nodes : d.n_inputs;
    gspi_exec_plan_layout(&b, &w, counts, &d);
    return gspi_bound(&b);
}

/* ---- Values: owners, rows, trees ---- */

/* The node that runs at a step of a graph. */
static gsp_node gspi_exec_plan_at(const gsp_exec_plan *p, uint32_t graph, uint32_t step)
{
    return p->order != NULL && graph == p->graph.id ? p->order[step] : step;
}

/* Nodes from here on cannot have a value yet. */
static gsp_node gspi_exec_plan_later(const gspi_exec_plan *w)
{
    return w->p.order != NULL && w->graph == w->p.graph.id ? w->p.graph.n_nodes : w->node;
}

static const uint32_t *gspi_exec_plan_row(const gsp_exec_plan *p, const gsp_exec_node *x)
{
    return x->tree_at == GSP_NONE ? &x->leaf_at : p->leaf + x->leaf_at;
}

static uint32_t gspi_exec_plan_width(const gsp_exec_plan *p, uint32_t tree)
{
    return tree == GSP_NONE ? 1u : p->tree_leaf[tree + p->tree[tree].value] - p->tree_leaf[tree];
}

static gsp_str gspi_exec_plan_text(const gsp_exec_plan *p, gsp_atom s)
{
    const gsp_module *m = p->graph.module;
    return s < m->counts.strings ? gspi_str(m, s) : p->inputs[s - m->counts.strings].name;
}

/* Fail at the current node unless `cond` holds. */
#define GSPI_PLAN_CHECK(cond, status, detail) \
    GSPI_CHECK_CODE( \
        cond, gspi_fail_at(w->err, GSP_STATUS_##status, GSP_DETAIL_##detail, w->node, w->graph))

static gsp_status gspi_exec_plan_full(const gspi_exec_plan *w)
{
    return gspi_fail_amount(w->err, GSPI_CODE(LIMIT, AGGREGATES, NONE),
        2u * (uint64_t)w->aggregates + 1u, w->aggregates);
}

/* Starts owner `id` at the current node. */
static void gspi_exec_plan_own(gspi_exec_plan *w, uint32_t id, uint64_t bytes)
{
    uint32_t *latest = &w->latest[w->graph];
    gspi_owner const owner = {bytes, w->node, w->node, GSP_NONE, 0u};
    w->owners[id] = owner;
    w->p.slot[id] = GSP_NONE;
    *(*latest == GSP_NONE ? &w->p.frames[w->graph].owners : &w->owners[*latest].sibling) = id;
    *latest = id;
}

static gsp_status gspi_exec_plan_leaf(gspi_exec_plan *w, uint32_t owner)
{
    if (w->n_leaf == w->max_leaf) {
        return gspi_exec_plan_full(w);
    }
    w->p.leaf[w->n_leaf++] = owner;
    return GSP_OK;
}

/* Appends an owner other than a node to the current row. */
static gsp_status gspi_exec_plan_new_leaf(gspi_exec_plan *w, uint64_t bytes)
{
    if (w->n_owners == w->max_owners) {
        return gspi_exec_plan_full(w);
    }
    gspi_exec_plan_own(w, w->n_owners, bytes);
    return gspi_exec_plan_leaf(w, w->n_owners++);
}

static gsp_status gspi_exec_plan_token(gspi_exec_plan *w, uint32_t kind, uint32_t value)
{
    uint32_t const at = w->n_tree;
    gsp_arg *token = &w->p.tree[at];
    if (at == w->max_tree) {
        return gspi_exec_plan_full(w);
    }
    token->kind = kind;
    token->value = value;
    w->p.tree_leaf[at] = 0;
    if (at > 0u) {
        w->p.tree_leaf[at] = w->p.tree_leaf[at - 1u] + (gspi_is_node(token[-1]) ? 1u : 0u);
    }
    w->n_tree++;
    return GSP_OK;
}

/* The token of an open container holds its parent. */
static gsp_status gspi_exec_plan_open(gspi_exec_plan *w, uint32_t kind)
{
    GSPI_TRY(gspi_exec_plan_token(w, kind, w->open));
    w->open = w->n_tree - 1u;
    return GSP_OK;
}

static gsp_status gspi_exec_plan_close(gspi_exec_plan *w)
{
    uint32_t const opening = w->open;
    uint32_t const skip = w->n_tree - opening;
    GSPI_PLAN_CHECK(!GSPI_NEVER(opening == GSP_NONE), DAMAGED, BRACKET);
    GSPI_TRY(gspi_exec_plan_token(w, GSP_ARG_CLOSE, skip));
    w->open = w->p.tree[opening].value;
    w->p.tree[opening].value = skip;
    return GSP_OK;
}

/* Makes a constant a value at the current node. */
static gsp_status gspi_exec_plan_constant(gspi_exec_plan *w, gsp_atom constant)
{
    gsp_exec_plan_request const request = {w->n_owners, constant, w->requester};
    w->p.requests[w->n_requests++] = request;
    return gspi_exec_plan_new_leaf(w, 0);
}

/* Makes a row of the constants requested since `before`. */
static uint32_t gspi_exec_plan_requested(gspi_exec_plan *w, uint32_t before)
{
    if (w->n_requests == before) {
        return GSP_NONE;
    }
    w->p.requests[w->n_requests++].slot = GSP_NONE; /* there is always room */
    return before;
}

/* Records that the current node reads the value of a node; returns its tokens - 1. */
static uint32_t gspi_exec_plan_read_node(gspi_exec_plan *w, const gsp_exec_node *x)
{
    if (x->tree_at == GSP_NONE) {
        w->owners[x->leaf_at].last = w->node;
        return 0;
    }
    uint32_t const width = gspi_exec_plan_width(&w->p, x->tree_at);
    for (uint32_t i = 0; i < width; i++) {
        w->owners[w->p.leaf[x->leaf_at + i]].last = w->node;
    }
    return w->p.tree[x->tree_at].value;
}

/* Appends the value of node u to the current row; *tree is its tree. */
static gsp_status gspi_exec_plan_append(gspi_exec_plan *w, gsp_node u, uint32_t *tree)
{
    const gsp_exec_node *x = &w->p.nodes[w->first + u];
    gsp_node const later = gspi_exec_plan_later(w);
    GSPI_PLAN_CHECK(!GSPI_NEVER(u >= later || x->leaf_at == GSP_NONE), DAMAGED, ROWS);
    const uint32_t *row = gspi_exec_plan_row(&w->p, x);
    uint32_t const width = gspi_exec_plan_width(&w->p, x->tree_at);
    (void)gspi_exec_plan_read_node(w, x);
    *tree = x->tree_at;
    for (uint32_t i = 0; i < width; i++) {
        GSPI_TRY(gspi_exec_plan_leaf(w, row[i]));
    }
    return GSP_OK;
}

static gsp_status gspi_exec_plan_write(gspi_exec_plan *w, gsp_arg a, int keep_constants)
{
    uint32_t tree;
    switch (a.kind) {
    case GSP_ARG_NODE:
        GSPI_TRY(gspi_exec_plan_append(w, a.value, &tree));
        if (tree == GSP_NONE) {
            return gspi_exec_plan_token(w, a.kind, 0);
        }
        for (uint32_t i = 0; i <= w->p.tree[tree].value; i++) {
            GSPI_TRY(gspi_exec_plan_token(w, w->p.tree[tree + i].kind, w->p.tree[tree + i].value));
        }
        return GSP_OK;
    case GSP_ARG_CONSTANT:
        if (keep_constants) {
            return gspi_exec_plan_token(w, a.kind, a.value);
        }
        GSPI_TRY(gspi_exec_plan_token(w, GSP_ARG_NODE, 0));
        return gspi_exec_plan_constant(w, a.value);
    case GSP_ARG_KEY:
        return gspi_exec_plan_token(w, a.kind, a.value);
    case GSP_ARG_CLOSE:
        return gspi_exec_plan_close(w);
    default:
        GSPI_PLAN_CHECK(!GSPI_NEVER(!gspi_is_opening(a.kind)), DAMAGED, ROWS);
        return gspi_exec_plan_open(w, a.kind);
    }
}

static gsp_status gspi_exec_plan_write_all(gspi_exec_plan *w, const gsp_arg *args, uint32_t at)
{
    uint32_t const end = gspi_token_end(args, at);
    uint32_t const open = w->open;
    for (; at < end; at++) {
        GSPI_TRY(gspi_exec_plan_write(w, args[at], 0));
    }
    GSPI_PLAN_CHECK(w->open == open, DAMAGED, BRACKET);
    return GSP_OK;
}

/* Appends the value of the element at a token to the current row; *tree is its tree. */
static gsp_status gspi_exec_plan_value(
    gspi_exec_plan *w, const gsp_arg *args, uint32_t at, uint32_t *tree)
{
    *tree = GSP_NONE;
    if (gspi_is_node(args[at])) {
        return gspi_exec_plan_append(w, args[at].value, tree);
    }
    if (args[at].kind == GSP_ARG_CONSTANT) {
        return gspi_exec_plan_constant(w, args[at].value);
    }
    GSPI_PLAN_CHECK(gspi_is_opening(args[at].kind), DAMAGED, ROWS);
    *tree = w->n_tree;
    w->open = GSP_NONE;
    return gspi_exec_plan_write_all(w, args, at);
}

static int gspi_exec_plan_same_tree(const gsp_exec_plan *p, uint32_t a, uint32_t b)
{
    return a == b || (a != GSP_NONE && b != GSP_NONE && p->tree[a].value == p->tree[b].value &&
                         gspi_same(p->tree + a, p->tree + b,
                             ((size_t)p->tree[a].value + 1u) * sizeof(gsp_arg)));
}

/* Bytes of the first tensor of a TYPE, or 0. */
static uint64_t gspi_type_bytes(gsp_str type)
{
    uint32_t at = 0;
    gsp_str dtype;
    gsp_str dims;
    gspi_type tensor;
    gspi_set(&tensor, 0, sizeof(tensor));
    if (gsp_type_next(type, &at, &dtype, &dims)) {
        (void)gspi_type_scan(&tensor, type, (uint32_t)(dtype.data - type.data));
    }
    return tensor.bytes;
}

/* The results of a kernel by TYPE: a row, and a tree for a nonempty `tuple(...)` or `list(...)`. */
static gsp_status gspi_exec_plan_type(gspi_exec_plan *w, uint32_t at)
{
    gsp_str const type = gspi_str(w->m, w->m->type[at]);
    int const override =
        (w->m->flags[at] & GSP_FLAG_BYTES) != 0u; /* the first has bytes=, others 0 */
    uint64_t bytes = w->m->bytes[at];
    gsp_exec_node *x = &w->p.nodes[at];
    uint32_t const tree = w->n_tree;
    uint32_t i = 0;
    x->leaf_at = w->n_leaf;
    w->open = GSP_NONE;
    do {
        uint32_t const begin = i;
        if (gspi_at(type, i, "tuple(") || gspi_at(type, i, "list(")) {
            int const tuple = type.data[i] == 't';
            GSPI_TRY(gspi_exec_plan_open(w, tuple ? GSP_ARG_TUPLE : GSP_ARG_LIST));
            i += tuple ? 6u : 5u;
        } else if (w->open == GSP_NONE) {
            break;
        } else if (gspi_byte(type, i) == ')') {
            GSPI_TRY(gspi_exec_plan_close(w));
            i++;
        } else if (gspi_byte(type, i) == ',' || gspi_is_blank(gspi_byte(type, i))) {
            i++;
        } else {
            i = gspi_type_element_end(type, begin);
            gsp_str const element = gspi_slice(type.data, begin, i);
            GSPI_TRY(gspi_exec_plan_token(w, GSP_ARG_NODE, 0));
            GSPI_TRY(gspi_exec_plan_new_leaf(w, override ? bytes : gspi_type_bytes(element)));
            bytes = 0;
        }
    } while (w->open != GSP_NONE && i < type.size);
    while (w->open != GSP_NONE) {
        GSPI_TRY(gspi_exec_plan_close(w));
    }
    x->tree_at = tree;
    if (w->n_leaf == x->leaf_at) {
        w->n_tree = tree;
        x->tree_at = GSP_NONE;
    }
    return GSP_OK;
}

/* The next dimension of a tensor; returns 0 if there is none. */
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

/* Compares dtype, then numeric dimensions of two types; either may be empty. */
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
    at[0] = at[1] = 0;
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
    return kind == GSP_ARG_NODE || gspi_is_opening(kind);
}

/* The token of element `index` of a tuple or list, from its end if `negative`, else from the
 * element found last or the first one, whichever is nearer; or GSP_NONE. */
static uint32_t gspi_exec_plan_element(
    gspi_exec_plan *w, uint32_t tree, uint32_t index, int negative)
{
    const gsp_arg *tokens = w->p.tree;
    uint32_t const first = tree + 1u;
    uint32_t const end = tree + tokens[tree].value;
    uint32_t i = 0;
    uint32_t at = first;
    if (gspi_exec_plan_width(&w->p, tree) == end - first) { /* single values */
        index = !negative ? index : index <= end - first ? end - first - index : end;
        return index < end - first ? first + index : GSP_NONE;
    }
    if (negative) {
        i = index;
        index = 0;
        at = end;
    } else if (w->seen_tree == tree && index >= w->seen_index / 2u) {
        i = w->seen_index;
        at = w->seen_at;
    }
    for (; i > index && at > first; i--) {
        at--;
        at -= tokens[at].kind == GSP_ARG_CLOSE ? tokens[at].value : 0u;
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

/* The token of the element with this key; quotes are ignored. */
static uint32_t gspi_exec_plan_entry(const gsp_exec_plan *p, uint32_t tree, gsp_str key)
{
    uint32_t const end = tree + p->tree[tree].value;
    key = gspi_unquoted(key);
    for (uint32_t at = tree + 1u; at < end; at = gspi_token_end(p->tree, at)) {
        if (gspi_is_key(p->tree[at]) && gspi_is_value(p->tree[at + 1u].kind) &&
            gsp_str_equal(gspi_exec_plan_text(p, p->tree[at].value), key)) {
            return at + 1u;
        }
    }
    return GSP_NONE;
}

/* Resolves a getitem of a known aggregate by a constant to a row; a kernel executes any other. */
GSPI_OWN_FRAME gsp_status gspi_exec_plan_getitem(gspi_exec_plan *w, const gsp_graph *g, gsp_node v)
{
    const gsp_arg *args = gspi_args(g, v).at;
    gsp_exec_node *x = &w->p.nodes[g->first + v];
    const gsp_exec_node *from = &w->p.nodes[g->first + args[0].value];
    uint32_t const tree = args[0].value < gspi_exec_plan_later(w) ? from->tree_at : GSP_NONE;
    gsp_str const key = gspi_str(w->m, args[1].value);
    uint64_t index = 0;
    uint32_t token;
    if (tree == GSP_NONE) {
        return GSP_OK;
    }
    if (w->p.tree[tree].kind == GSP_ARG_DICT) {
        token = gspi_exec_plan_entry(&w->p, tree, key);
    } else {
        uint32_t const minus = gspi_byte(key, 0) == '-';
        if (w->p.tree[tree].kind == GSP_ARG_SLICE ||
            !gspi_number(gspi_slice(key.data, minus, key.size), &index)) {
            return GSP_OK;
        }
        token = gspi_exec_plan_element(w, tree, gspi_count(index), minus != 0u);
    }
    GSPI_PLAN_CHECK(token != GSP_NONE, ARG, ELEMENT);
    x->leaf_at = from->leaf_at + w->p.tree_leaf[token] - w->p.tree_leaf[tree];
    if (gspi_is_node(w->p.tree[token])) {
        x->leaf_at = w->p.leaf[x->leaf_at];
    } else {
        x->tree_at = token;
    }
    (void)gspi_exec_plan_read_node(w, x);
    return GSP_OK;
}

/* ---- Inputs bound to placeholders ---- */

static void gspi_bind_start(gspi_exec_plan *w, const gsp_arg *args, uint32_t callee)
{
    w->args = args;
    w->callee = callee;
    w->n_elements = 0;
    w->n_placed = 0;
    w->n_named = 0;
    w->found = 0;
}

static void gspi_bind_add(gspi_exec_plan *w, gsp_atom key, uint32_t at)
{
    w->elements[w->n_elements].key = key;
    w->elements[w->n_elements++].at = at;
    w->n_named += key != GSP_NONE;
}

static gsp_status gspi_bind_fail(
    const gspi_exec_plan *w, gsp_detail detail, gsp_node placeholder, uint32_t input)
{
    GSPI_PLAN_CHECK(w->graph == w->m->counts.graphs, ARG, CALL_INPUTS);
    return gspi_fail_at(w->err, GSP_STATUS_ARG, detail, placeholder, input);
}

static uint32_t gspi_bind_named(gspi_exec_plan *w, gsp_atom target)
{
    gsp_str const name = gspi_str(w->m, target);
    uint32_t const n = w->n_named != 0u ? w->n_elements : 0u;
    for (uint32_t tried = 0; tried < n; tried++) {
        uint32_t const i = w->found + tried < n ? w->found + tried : w->found + tried - n;
        gsp_atom const key = w->elements[i].key;
        if (key == target || (key < GSPI_TAKEN && key >= w->m->counts.strings &&
                                 gsp_str_equal(gspi_exec_plan_text(&w->p, key), name))) {
            w->found = i;
            return i;
        }
    }
    return GSP_NONE;
}

/* Fails for an unbound named element if a placeholder has its name. */
static gsp_status gspi_bind_once(const gspi_exec_plan *w, uint32_t i)
{
    gsp_graph const g = gspi_graph(w->m, w->callee);
    for (uint32_t k = 0; k < w->p.frames[g.id].n_placeholders; k++) {
        gsp_node const v = w->p.nodes[g.first + k].placeholder;
        if (gsp_str_equal(gspi_target_str(&g, v), gspi_exec_plan_text(&w->p, w->elements[i].key))) {
            return gspi_bind_fail(w, GSP_DETAIL_INPUT_TWICE, v, w->elements[i].at);
        }
    }
    return GSP_OK;
}

/* `*args` takes a tuple of the remaining elements by position, `**kwargs` a dict of the named
 * ones. */
static gsp_status gspi_bind_rest(gspi_exec_plan *w, gsp_arg_kind kind, uint32_t *tree)
{
    *tree = w->n_tree;
    w->open = GSP_NONE;
    GSPI_TRY(gspi_exec_plan_open(w, (uint32_t)kind));
    for (uint32_t i = 0; i < w->n_elements; i++) {
        gspi_element *e = &w->elements[i];
        if (kind == GSP_ARG_TUPLE && i == w->n_placed && e->key == GSP_NONE) {
            w->n_placed++;
        } else if (kind == GSP_ARG_DICT && e->key < GSPI_TAKEN) {
            GSPI_TRY(gspi_bind_once(w, i));
            GSPI_TRY(gspi_exec_plan_token(w, GSP_ARG_KEY, e->key));
            e->key = GSPI_TAKEN;
            w->n_named--;
        } else {
            continue;
        }
        if (w->args != NULL) {
            GSPI_TRY(gspi_exec_plan_write_all(w, w->args, e->at));
        } else {
            GSPI_TRY(gspi_exec_plan_token(w, GSP_ARG_NODE, 0));
            (void)gspi_exec_plan_leaf(w, w->m->counts.nodes + e->at); /* an input has room */
        }
    }
    return gspi_exec_plan_close(w);
}

/* The value of placeholder v: an element by position or by name, else its default. */
static gsp_status gspi_bind_one(gspi_exec_plan *w, const gsp_graph *g, gsp_node v, uint32_t *tree)
{
    gspi_arg_row const standard = gspi_args(g, v);
    uint32_t i = w->n_placed;
    if (i < w->n_elements && w->elements[i].key == GSP_NONE) {
        w->n_placed++;
    } else {
        i = gspi_bind_named(w, w->m->target[g->first + v]);
        if (i == GSP_NONE) {
            return standard.n == 0u ? gspi_bind_fail(w, GSP_DETAIL_INPUT_MISSING, v, GSP_NONE)
                                    : gspi_exec_plan_value(w, standard.at, 0, tree);
        }
        w->elements[i].key = GSPI_TAKEN;
        w->n_named--;
    }
    uint32_t const at = w->elements[i].at;
    if (w->args != NULL) {
        return gspi_exec_plan_value(w, w->args, at, tree);
    }
    if (w->p.inputs != NULL) {
        gsp_detail const detail = gspi_type_mismatch(w->p.inputs[at].type, gspi_type_str(g, v));
        if (detail != GSP_DETAIL_NONE) {
            return gspi_fail_at(w->err, GSP_STATUS_ARG, detail, v, at);
        }
    }
    return gspi_exec_plan_leaf(w, w->m->counts.nodes + at);
}

/* Appends the inputs of the callee to leaf, as a row in the order of placeholders. */
static gsp_status gspi_bind_run(gspi_exec_plan *w)
{
    gsp_graph const g = gspi_graph(w->m, w->callee);
    gsp_exec_frame *f = &w->p.frames[g.id];
    int const is_new = f->state == GSPI_FRAME_NEW;
    for (gsp_node v = 0; v < g.n_nodes && is_new; v++) {
        if (gspi_op(&g, v) == GSP_OP_PLACEHOLDER) {
            w->p.nodes[g.first + f->n_placeholders++].placeholder = v;
        }
    }
    for (uint32_t k = 0; k < f->n_placeholders; k++) {
        gsp_node const v = w->p.nodes[g.first + k].placeholder;
        gsp_str const target = gspi_target_str(&g, v);
        uint32_t tree = GSP_NONE;
        w->requester = w->args == NULL ? v : w->node;
        if (gspi_byte(target, 0) == '*') {
            int const named = gspi_byte(target, 1) == '*';
            GSPI_TRY(gspi_bind_rest(w, named ? GSP_ARG_DICT : GSP_ARG_TUPLE, &tree));
        } else {
            GSPI_TRY(gspi_bind_one(w, &g, v, &tree));
        }
        uint32_t *known = &w->p.nodes[g.first + v].tree_at;
        *known = is_new ? tree : *known;
        GSPI_PLAN_CHECK(gspi_exec_plan_same_tree(&w->p, *known, tree), ARG, FORMS);
    }
    uint32_t i = w->n_placed; /* elements that no placeholder binds */
    if (i < w->n_elements && w->elements[i].key == GSP_NONE) {
        return gspi_bind_fail(w, GSP_DETAIL_INPUT_MANY, GSP_NONE, w->elements[i].at);
    }
    if (w->n_named == 0u) {
        return GSP_OK;
    }
    for (i = 0; w->elements[i].key >= GSPI_TAKEN; i++) {
    }
    GSPI_TRY(gspi_bind_once(w, i));
    return gspi_bind_fail(w, GSP_DETAIL_INPUT_UNKNOWN, GSP_NONE, w->elements[i].at);
}

/* ---- Graphs ---- */

/* Begins the callee; its placeholders get their values. */
GSPI_OWN_FRAME gsp_status gspi_exec_plan_begin(gspi_exec_plan *w)
{
    uint32_t const first = w->m->graphs[w->callee].first;
    gsp_exec_frame *f = &w->p.frames[w->callee];
    uint32_t tokens = 0;
    f->parent = w->graph;
    f->state = GSPI_FRAME_OPEN;
    f->in_at = w->n_leaf;
    w->graph = w->callee;
    w->node = gspi_exec_plan_at(&w->p, w->callee, 0);
    for (uint32_t k = 0; k < f->n_placeholders; k++) {
        uint32_t const at = first + w->p.nodes[first + k].placeholder;
        uint32_t const tree = w->p.nodes[at].tree_at;
        uint32_t const width = gspi_exec_plan_width(&w->p, tree);
        w->p.nodes[at].leaf_at = tree == GSP_NONE ? at : w->n_leaf;
        if (tree == GSP_NONE) {
            tokens++;
            gspi_exec_plan_own(w, at, w->callee == w->p.graph.id ? w->m->bytes[at] : 0u);
            GSPI_TRY(gspi_exec_plan_leaf(w, at));
            continue;
        }
        tokens += w->p.tree[tree].value + 1u;
        for (uint32_t i = 0; i < width; i++) {
            GSPI_TRY(gspi_exec_plan_new_leaf(w, 0));
        }
    }
    f->n_in = w->n_leaf - f->in_at;
    w->p.n_tokens = tokens > w->p.n_tokens ? tokens : w->p.n_tokens;
    return GSP_OK;
}

/* Finds the origin of each returned value, which is an index of inputs, n_in + an index of earlier
 * outputs, or GSPI_FRESH. Lifetimes are known, so `last` may hold the indices. */
static void gspi_exec_plan_origins(gspi_exec_plan *w, const gsp_exec_frame *f)
{
    const uint32_t *out = w->p.leaf + f->out_at;
    for (uint32_t j = 0; j < f->n_out; j++) {
        w->owners[out[j]].last = GSPI_FRESH;
    }
    for (uint32_t j = 0; j < f->n_in; j++) {
        w->owners[w->p.leaf[f->in_at + j]].last = j;
    }
    for (uint32_t j = 0; j < f->n_out; j++) {
        gsp_node *last = &w->owners[out[j]].last;
        w->origin[f->out_at + j] = *last;
        *last = *last == GSPI_FRESH ? f->n_in + j : *last;
    }
}

/* Finds slots and peak of a graph in one scan; `next` links the owners whose live range ends at a
 * node. */
GSPI_OWN_FRAME gsp_status gspi_exec_plan_end(gspi_exec_plan *w)
{
    gsp_graph const g = gspi_graph(w->m, w->graph);
    gsp_exec_frame *f = &w->p.frames[g.id];
    gsp_exec_node *nodes = w->p.nodes + g.first;
    const gsp_node *order = g.id == w->p.graph.id ? w->p.order : NULL;
    uint32_t owner;
    uint32_t n_free = 0;
    uint64_t live = 0;
    for (owner = f->owners; owner != GSP_NONE; owner = w->owners[owner].sibling) {
        gsp_node const last = w->owners[owner].last;
        if (last + 1u < g.n_nodes) {
            w->p.next[owner] = nodes[last].dead;
            nodes[last].dead = owner;
        }
    }
    owner = f->owners;
    for (uint32_t step = 0; step < g.n_nodes; step++) {
        gsp_node const v = order == NULL ? step : order[step];
        if (nodes[v].child != GSP_NONE) {
            const gsp_exec_frame *child = &w->p.frames[nodes[v].child];
            GSPI_PLAN_CHECK(child->peak <= UINT64_MAX / 2u - live, OVERFLOW, SIZE);
            if (live + child->peak > f->peak) {
                f->peak = live + child->peak;
                f->peak_graph = child->peak_graph;
                f->peak_node = child->peak_node;
            }
            f->slots = child->slots > f->slots ? child->slots : f->slots;
            f->depth = child->depth > f->depth ? child->depth : f->depth;
        }
        for (; owner != GSP_NONE && w->owners[owner].birth == v; owner = w->owners[owner].sibling) {
            w->p.slot[owner] = n_free > 0u ? w->owners[--n_free].free_slot : f->n_slots++;
            GSPI_PLAN_CHECK(w->owners[owner].bytes <= UINT64_MAX / 2u - live, OVERFLOW, SIZE);
            live += w->owners[owner].bytes;
        }
        if (live > f->peak) {
            f->peak = live;
            f->peak_graph = g.id;
            f->peak_node = v;
        }
        for (uint32_t d = nodes[v].dead; d != GSP_NONE; d = w->p.next[d]) {
            w->owners[n_free++].free_slot = w->p.slot[d];
            live -= w->owners[d].bytes;
        }
    }
    f->slots += f->n_slots;
    f->depth++;
    gspi_exec_plan_origins(w, f);
    f->state = GSPI_FRAME_DONE;
    return GSP_OK;
}

static int gspi_exec_plan_is_invoke(const gspi_exec_plan *w, const gsp_graph *g, gsp_node v)
{
    return gspi_op(g, v) == GSP_OP_CALL_FUNCTION && w->m->target[g->first + v] == w->invoke;
}

GSPI_OWN_FRAME uint32_t gspi_exec_plan_child(
    const gspi_exec_plan *w, const gsp_graph *g, gsp_node v)
{
    const gsp_atom *target = w->m->target + g->first;
    gspi_arg_row const args = gspi_args(g, v);
    uint32_t child = GSP_NONE;
    if (gspi_op(g, v) == GSP_OP_CALL_MODULE) {
        return gsp_module_find_graph(w->m, target[v]);
    }
    if (gspi_exec_plan_is_invoke(w, g, v) && args.n >= 2u) {
        if (gspi_is_node(args.at[0]) && args.at[0].value < gspi_exec_plan_later(w) &&
            gspi_op(g, args.at[0].value) == GSP_OP_GET_ATTR) {
            child = gsp_module_find_graph(w->m, target[args.at[0].value]);
        }
        if (child == GSP_NONE && args.at[1].kind == GSP_ARG_CONSTANT) {
            child = gsp_module_find_graph(w->m, args.at[1].value);
        }
    }
    return child;
}

/* An attribute only used to name a graph for invoke_subgraph has no value. */
GSPI_OWN_FRAME int gspi_exec_plan_is_holder(const gspi_exec_plan *w, const gsp_graph *g, gsp_node v)
{
    gspi_row const users = gspi_users(g, v);
    int holder = users.n != 0u && w->invoke < w->m->counts.strings && /* else no need to search */
                 gsp_module_find_graph(w->m, w->m->target[g->first + v]) != GSP_NONE;
    for (uint32_t i = 0; i < users.n && holder; i++) {
        gspi_arg_row const args = gspi_args(g, users.at[i]);
        holder = gspi_exec_plan_is_invoke(w, g, users.at[i]);
        for (uint32_t k = 1; k < args.n && holder; k++) {
            holder = !gspi_is_node(args.at[k]) || args.at[k].value != v;
        }
    }
    return holder;
}

GSPI_OWN_FRAME gsp_status gspi_exec_plan_kernel(gspi_exec_plan *w, const gsp_graph *g, gsp_node v)
{
    uint32_t const at = g->first + v;
    gsp_exec_node *x = &w->p.nodes[at];
    gspi_arg_row const args = gspi_args(g, v);
    gsp_node const later = gspi_exec_plan_later(w);
    uint32_t tokens = args.n;
    for (uint32_t i = 0; i < args.n; i++) {
        if (gspi_is_node(args.at[i])) {
            const gsp_exec_node *u = &w->p.nodes[g->first + args.at[i].value];
            GSPI_PLAN_CHECK(args.at[i].value < later && u->leaf_at != GSP_NONE, DAMAGED, ROWS);
            tokens = gspi_count_add(tokens, gspi_exec_plan_read_node(w, u));
        }
    }
    GSPI_PLAN_CHECK(!GSPI_NEVER(tokens == UINT32_MAX), OVERFLOW, TOO_MANY);
    x->step = tokens == args.n ? GSPI_STEP_KERNEL : GSPI_STEP_EXPAND;
    w->p.n_tokens = tokens > w->p.n_tokens ? tokens : w->p.n_tokens;
    if (!w->whole) {
        GSPI_TRY(gspi_exec_plan_type(w, at));
    }
    if (x->tree_at == GSP_NONE) {
        x->leaf_at = at;
        gspi_exec_plan_own(w, at, w->m->bytes[at]);
    }
    uint32_t const width = gspi_exec_plan_width(&w->p, x->tree_at);
    w->p.n_results = width > w->p.n_results ? width : w->p.n_results;
    return GSP_OK;
}

static gsp_status gspi_exec_plan_results(
    gspi_exec_plan *w, const gsp_exec_frame *f, uint32_t bind_at)
{
    uint32_t const row = w->n_leaf;
    for (uint32_t j = 0; j < f->n_out; j++) {
        uint32_t const origin = w->origin[f->out_at + j];
        if (origin == GSPI_FRESH) {
            GSPI_TRY(gspi_exec_plan_new_leaf(w, w->owners[w->p.leaf[f->out_at + j]].bytes));
        } else {
            uint32_t const owner =
                w->p.leaf[origin < f->n_in ? bind_at + origin : row + (origin - f->n_in)];
            w->owners[owner].last = w->node;
            GSPI_TRY(gspi_exec_plan_leaf(w, owner));
        }
    }
    return GSP_OK;
}

static gsp_status gspi_exec_plan_bind(gspi_exec_plan *w, const gsp_graph *g, gsp_node v)
{
    gsp_exec_node *x = &w->p.nodes[g->first + v];
    uint32_t const before = w->n_requests;
    gspi_arg_row const args = gspi_args(g, v);
    uint32_t begin = 0;
    uint32_t end = args.n;
    if (gspi_exec_plan_is_invoke(w, g, v)) {
        int const packed =
            args.n > 3u && args.at[2].kind == GSP_ARG_TUPLE && args.at[2].value + 3u == args.n;
        begin = packed ? 3u : 2u; /* older graphs pass one tuple of inputs */
        end -= packed ? 1u : 0u;
    }
    gspi_bind_start(w, args.at, x->child);
    while (begin < end) {
        int const keyed = gspi_is_key(args.at[begin]);
        gsp_atom const key = keyed ? args.at[begin].value : GSP_NONE;
        begin += keyed && begin + 1u < end; /* a stored module may end in a key */
        gspi_bind_add(w, key, begin);
        begin = gspi_token_end(args.at, begin);
    }
    x->bind_at = w->n_leaf;
    GSPI_TRY(gspi_bind_run(w));
    x->request_at = gspi_exec_plan_requested(w, before);
    return GSP_OK;
}

/* Plans a call of a graph. The first visit binds it and plans a new graph, the second takes
 * results. */
static gsp_status gspi_exec_plan_call(gspi_exec_plan *w, const gsp_graph *g, gsp_node v)
{
    gsp_exec_node *x = &w->p.nodes[g->first + v];
    const gsp_exec_frame *f = &w->p.frames[x->child];
    if (x->bind_at == GSP_NONE) {
        GSPI_PLAN_CHECK(f->state != GSPI_FRAME_OPEN, CYCLE, RECURSION);
        GSPI_TRY(gspi_exec_plan_bind(w, g, v));
        if (f->state == GSPI_FRAME_NEW) {
            return gspi_exec_plan_begin(w);
        }
    }
    x->step = GSPI_STEP_ENTER;
    x->tree_at = f->out_tree;
    x->leaf_at = w->n_leaf;
    GSPI_TRY(gspi_exec_plan_results(w, f, x->bind_at));
    if (f->out_tree == GSP_NONE) {
        x->leaf_at = w->p.leaf[x->leaf_at];
    }
    return GSP_OK;
}

/* The returned value of a graph; constants returned by the root need no kernel. */
GSPI_OWN_FRAME gsp_status gspi_exec_plan_return(gspi_exec_plan *w, const gsp_graph *g, gsp_node v)
{
    gsp_exec_frame *f = &w->p.frames[g->id];
    gsp_exec_node *x = &w->p.nodes[g->first + v];
    uint32_t const before = w->n_requests;
    gspi_arg_row const args = gspi_args(g, v);
    w->requester = v;
    x->step = GSPI_STEP_RETURN;
    f->out_at = w->n_leaf;
    GSPI_PLAN_CHECK(args.n != 0u, DAMAGED, ROWS);
    if (g->id != w->p.graph.id) {
        GSPI_TRY(gspi_exec_plan_value(w, args.at, 0, &f->out_tree));
        x->request_at = gspi_exec_plan_requested(w, before);
    } else {
        f->out_tree = w->n_tree;
        w->open = GSP_NONE;
        for (uint32_t i = 0; i < args.n; i++) {
            GSPI_TRY(gspi_exec_plan_write(w, args.at[i], 1));
        }
        w->p.n_output = w->n_tree - f->out_tree;
    }
    f->n_out = w->n_leaf - f->out_at;
    return GSP_OK;
}

static gsp_status gspi_exec_plan_node(gspi_exec_plan *w, const gsp_graph *g, gsp_node v)
{
    uint32_t const at = g->first + v;
    gsp_exec_node *x = &w->p.nodes[at];
    switch (w->m->op[at]) {
    case GSP_OP_PLACEHOLDER:
        return GSP_OK;
    case GSP_OP_GET_ATTR:
        if (!gspi_exec_plan_is_holder(w, g, v)) {
            x->step = GSPI_STEP_ATTR;
            x->leaf_at = at;
            gspi_exec_plan_own(w, at, 0);
        }
        return GSP_OK;
    case GSP_OP_OUTPUT:
        return gspi_exec_plan_return(w, g, v);
    default:
        x->child = gspi_exec_plan_child(w, g, v);
        if (x->child != GSP_NONE) {
            return gspi_exec_plan_call(w, g, v);
        }
        if (gspi_takes_element(g, v)) {
            GSPI_TRY(gspi_exec_plan_getitem(w, g, v));
        }
        return x->leaf_at != GSP_NONE ? GSP_OK : gspi_exec_plan_kernel(w, g, v);
    }
}

/* The pseudo graph: its values are the inputs of the run, and it calls the root. */
GSPI_OWN_FRAME gsp_status gspi_exec_plan_outside(gspi_exec_plan *w)
{
    gsp_exec_frame *f = &w->p.frames[w->m->counts.graphs];
    gspi_bind_start(w, NULL, w->p.graph.id);
    w->graph = w->m->counts.graphs;
    for (uint32_t i = 0; i < w->p.n_inputs; i++) {
        int const named = w->p.inputs != NULL && w->p.inputs[i].name.size != 0u;
        if (!named && w->n_named != 0u) {
            return gspi_fail_at(w->err, GSP_STATUS_ARG, GSP_DETAIL_INPUT_ORDER, GSP_NONE, i);
        }
        gspi_bind_add(w, named ? w->m->counts.strings + i : GSP_NONE, i);
        gspi_exec_plan_own(w, w->m->counts.nodes + i, 0);
    }
    w->n_owners = w->m->counts.nodes + w->p.n_inputs;
    GSPI_TRY(gspi_bind_run(w));
    f->out_tree = gspi_exec_plan_requested(w, 0);
    return gspi_exec_plan_begin(w);
}

/* Plans graphs in the order of their first calls; a caller continues at its call. */
GSPI_OWN_FRAME gsp_status gspi_exec_plan_graphs(gspi_exec_plan *w)
{
    while (w->graph != w->m->counts.graphs) {
        gsp_graph const g = gspi_graph(w->m, w->graph);
        gsp_exec_frame *f = &w->p.frames[g.id];
        w->first = g.first;
        while (f->resume < g.n_nodes && w->graph == g.id) {
            w->node = gspi_exec_plan_at(&w->p, g.id, f->resume);
            GSPI_TRY(gspi_exec_plan_node(w, &g, w->node));
            f->resume += w->graph == g.id;
        }
        if (w->graph == g.id) {
            GSPI_TRY(gspi_exec_plan_end(w));
            w->graph = f->parent;
            w->node = f->parent == w->m->counts.graphs
                          ? 0u
                          : gspi_exec_plan_at(&w->p, f->parent, w->p.frames[f->parent].resume);
        }
    }
    return GSP_OK;
}

/* The pseudo graph gives the results of the root slots of their own. Then slots replace owners, and
 * each NODE of the output gets the index of its value. */
GSPI_OWN_FRAME gsp_status gspi_exec_plan_finish(gspi_exec_plan *w)
{
    gsp_exec_plan *p = &w->p;
    gsp_exec_frame *outside = &p->frames[w->m->counts.graphs];
    const gsp_exec_frame *root = &p->frames[p->graph.id];
    uint32_t index = 0;
    outside->out_at = w->n_leaf;
    outside->n_out = root->n_out;
    outside->n_in = root->n_in;
    GSPI_TRY(gspi_exec_plan_results(w, root, outside->in_at));
    for (uint32_t owner = outside->owners; owner != GSP_NONE; owner = w->owners[owner].sibling) {
        p->slot[owner] = outside->n_slots++;
    }
    for (uint32_t i = 0; i < w->n_leaf; i++) {
        p->leaf[i] = p->slot[p->leaf[i]];
    }
    for (uint32_t i = 0; i < w->n_requests; i++) {
        uint32_t const owner = p->requests[i].slot;
        p->requests[i].slot = owner == GSP_NONE ? GSP_NONE : p->slot[owner];
    }
    for (uint32_t i = 0; i < w->m->counts.nodes; i++) {
        gsp_exec_node *x = &p->nodes[i];
        if (x->tree_at == GSP_NONE && x->leaf_at != GSP_NONE) {
            x->leaf_at = p->slot[x->leaf_at];
        }
    }
    for (uint32_t i = 0; i < p->n_output; i++) {
        gsp_arg *a = &p->tree[root->out_tree + i];
        a->value = a->kind == GSP_ARG_NODE ? index++ : a->value;
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

GSPI_OWN_FRAME void gspi_exec_plan_start(gspi_exec_plan *w, gspi_bump *b, const gsp_graph *g,
    const gsp_exec_plan_desc *desc, gsp_error *err)
{
    const gsp_module *m = g->module;
    gsp_str const invoke = gsp_str_of("torch.ops.higher_order.invoke_subgraph");
    gsp_exec_node const none = {
        GSP_NONE, GSP_NONE, GSP_NONE, GSP_NONE, GSP_NONE, GSP_NONE, GSP_NONE, GSP_NONE};
    gsp_atom s = 0;
    gsp_exec_plan_desc const d = gspi_exec_plan_desc(g, desc);
    uint32_t const n = m->counts.nodes;
    size_t const graphs = (size_t)m->counts.graphs + 1u;
    gspi_set(w, 0, sizeof(*w));
    gspi_exec_plan_layout(b, w, &m->counts, &d);
    gspi_set(w->p.frames, 0, graphs * sizeof(gsp_exec_frame));
    gspi_none(w->latest, graphs);
    for (uint32_t i = 0; i < n; i++) {
        w->p.nodes[i] = none;
    }
    for (size_t i = 0; i < graphs; i++) {
        w->p.frames[i].owners = GSP_NONE;
    }
    w->p.graph = *g;
    w->p.inputs = d.inputs;
    w->p.n_inputs = d.n_inputs;
    w->p.n_results = 1;
    w->m = m;
    w->err = err;
    w->aggregates = d.aggregates;
    w->whole = d.whole != 0u;
    w->n_owners = n;
    w->open = GSP_NONE;
    w->seen_tree = GSP_NONE;
    while (s < m->counts.strings && !gsp_str_equal(gspi_str(m, s), invoke)) {
        s++;
    }
    w->invoke = s;
}

gsp_status gsp_exec_plan_run(gsp_arena *arena, const gsp_graph *graph,
    const gsp_exec_plan_desc *desc, gsp_exec_plan *plan, gsp_error *err)
{
    GSPI_GIVEN_3(arena, graph, plan);
    if (desc != NULL) {
        GSPI_CHECK_DESC(*desc);
    }
    GSPI_CHECK_RANGE(graph->n_nodes != 0u, n_nodes);
    GSPI_CHECK(!gspi_is_bare(graph->module), ARG, BARE);
    GSPI_ENTER(gsp_exec_plan_bound(graph, desc));
    gspi_exec_plan *w = GSPI_NEW(gspi_exec_plan);
    gspi_exec_plan_start(w, &pass.bump, graph, desc, err);
    if (w->p.order != NULL) {
        GSPI_STEP(gspi_order_read(graph, desc->order, desc->n_order, w->p.order, w->rank, err));
    }
    GSPI_STEP(gspi_exec_plan_outside(w));
    GSPI_STEP(gspi_exec_plan_graphs(w));
    GSPI_STEP(gspi_exec_plan_finish(w));
    *plan = w->p;
    return GSPI_LEAVE();
}

/* ----
 * >>exec   Execution with kernels of the caller (implementation)
 * ---- */

/* Values are in one block, each frame above that of its caller. With desc.release, a byte per value
 * is 1 if a kernel made it. It moves with a returned value, is 0 for a borrowed one, and the
 * release clears it. */

typedef struct {
    uint32_t graph;
    uint32_t step;
    uint32_t base; /* of its values */
} gspi_active;

typedef struct {
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
} gspi_exec;

static void gspi_exec_layout(gspi_bump *b, gspi_exec *r, const gsp_exec_plan *p)
{
    uint32_t const tokens = p->n_tokens > 1u ? p->n_tokens : 1u;
    r->values = GSPI_HIGH(b, gsp_value, p->n_slots);
    r->arguments = GSPI_HIGH(b, gsp_value, tokens);
    r->tokens = GSPI_HIGH(b, gsp_arg, tokens);
    r->results = GSPI_HIGH(b, gsp_value, p->n_results);
    r->active = GSPI_HIGH(b, gspi_active, (size_t)p->depth + 1u);
    r->owned = GSPI_HIGH(b, uint8_t, p->n_slots);
}

size_t gsp_exec_bound(const gsp_exec_plan *plan)
{
    gspi_bump b = gspi_measure();
    gspi_exec r;
    gspi_exec_layout(&b, &r, plan);
    return gspi_bound(&b);
}

gsp_str gsp_call_str(const gsp_call *call, uint32_t token)
{
    if (token >= call->n_args ||
        (call->args[token].kind != GSP_ARG_CONSTANT && !gspi_is_key(call->args[token]))) {
        return gsp_str_of("");
    }
    return gspi_exec_plan_text(call->plan, call->args[token].value);
}

uint32_t gsp_call_find(const gsp_call *call, uint32_t position, const char *name)
{
    gsp_str const wanted = gsp_str_of(name);
    uint32_t i = 0;
    while (i < call->n_args) {
        int const keyed = gspi_is_key(call->args[i]);
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

static void gspi_exec_prepare(gspi_exec *r, gsp_request request, gsp_node node)
{
    r->call.node = node;
    r->call.request = (uint32_t)request;
    r->call.n_args = 0;
    r->call.n_results = 1;
    r->call.args = r->tokens;
}

/* The node of a frame that runs. */
static gsp_node gspi_exec_at(const gspi_exec *r, const gspi_active *a)
{
    return gspi_exec_plan_at(r->p, a->graph, a->step);
}

static gsp_status gspi_exec_request(const gspi_exec *r, gsp_kernel_func func)
{
    gsp_status const status = func(r->d->user, &r->call);
    return status == GSP_OK
               ? GSP_OK
               : gspi_fail_at(r->err, status, GSP_DETAIL_KERNEL, r->call.node, r->call.graph.id);
}

static void gspi_exec_keep(gspi_exec *r, uint32_t at, gsp_value value)
{
    r->values[at] = value;
    if (r->d->release != NULL) {
        r->owned[at] = 1;
    }
}

static void gspi_exec_release(gspi_exec *r, uint32_t at)
{
    if (r->owned[at] != 0u) {
        r->owned[at] = 0;
        r->d->release(r->d->user, r->values[at]);
    }
}

/* Appends a value: a single one as the token `single`, an aggregate with all its tokens. */
static void gspi_exec_put(
    gspi_exec *r, gsp_arg single, uint32_t tree, const uint32_t *row, uint32_t base)
{
    const gsp_arg *tokens = tree == GSP_NONE ? &single : r->p->tree + tree;
    uint32_t const count = tree == GSP_NONE ? 1u : tokens->value + 1u;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t const n = r->call.n_args++;
        int const is_value = row != NULL && gspi_is_node(tokens[i]);
        r->tokens[n] = tokens[i];
        r->arguments[n] = is_value ? r->values[base + *row++] : 0u;
    }
}

/* Requests the values of a row of constants, in the frame at `base`. */
static gsp_status gspi_exec_constants(gspi_exec *r, uint32_t graph, uint32_t row, uint32_t base)
{
    for (; row != GSP_NONE && r->p->requests[row].slot != GSP_NONE; row++) {
        const gsp_exec_plan_request *q = &r->p->requests[row];
        gsp_arg const constant = {GSP_ARG_CONSTANT, q->constant};
        r->call.graph = gspi_graph(r->m, graph);
        gspi_exec_prepare(r, GSP_REQUEST_CONSTANT, q->node);
        gspi_exec_put(r, constant, GSP_NONE, NULL, 0);
        GSPI_TRY(gspi_exec_request(r, r->d->kernel));
        gspi_exec_keep(r, base + q->slot, r->results[0]);
    }
    return GSP_OK;
}

/* Writes arguments with aggregates expanded. Containers grow; the token of an open one holds its
 * parent. */
static void gspi_exec_expand(gspi_exec *r, const gsp_arg *args, uint32_t count, uint32_t base)
{
    uint32_t open = GSP_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t const n = r->call.n_args;
        if (gspi_is_node(args[i])) {
            const gsp_exec_node *u = &r->p->nodes[r->call.graph.first + args[i].value];
            gspi_exec_put(r, args[i], u->tree_at, gspi_exec_plan_row(r->p, u), base);
            continue;
        }
        gspi_exec_put(r, args[i], GSP_NONE, NULL, base);
        if (args[i].kind == GSP_ARG_CLOSE) {
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

static gsp_status gspi_exec_kernel(gspi_exec *r, const gspi_active *a, const gsp_exec_node *x)
{
    const gsp_exec_plan *p = r->p;
    const gsp_exec_node *nodes = p->nodes + r->call.graph.first;
    uint32_t const at = (uint32_t)(x - p->nodes);
    uint32_t const begin = r->m->arg_begin[at];
    uint32_t const count = r->m->arg_begin[at + 1u] - begin;
    const gsp_arg *args = r->m->args + begin;
    gspi_exec_prepare(r, GSP_REQUEST_CALL, at - r->call.graph.first);
    if (x->step == GSPI_STEP_EXPAND) {
        gspi_exec_expand(r, args, count, a->base);
    } else {
        r->call.n_args = count;
        r->call.args = args;
        for (uint32_t i = 0; i < count; i++) {
            r->arguments[i] =
                gspi_is_node(args[i]) ? r->values[a->base + nodes[args[i].value].leaf_at] : 0u;
        }
    }
    if (x->tree_at == GSP_NONE) {
        GSPI_TRY(gspi_exec_request(r, r->d->kernel));
        gspi_exec_keep(r, a->base + x->leaf_at, r->results[0]);
        return GSP_OK;
    }
    r->call.n_results = gspi_exec_plan_width(p, x->tree_at);
    GSPI_TRY(gspi_exec_request(r, r->d->kernel));
    for (uint32_t i = 0; i < r->call.n_results; i++) {
        gspi_exec_keep(r, a->base + p->leaf[x->leaf_at + i], r->results[i]);
    }
    return GSP_OK;
}

/* Pushes a frame: a row of the caller becomes the values of the placeholders, which desc.enter sees
 * in their order. */
static gsp_status gspi_exec_enter(gspi_exec *r, uint32_t graph, uint32_t row, uint32_t requests)
{
    const gsp_exec_plan *p = r->p;
    const gspi_active *caller = &r->active[r->top];
    const gsp_exec_frame *f = &p->frames[graph];
    gspi_active *a = &r->active[r->top + 1u];
    GSPI_TRY(gspi_exec_constants(r, r->top == 0u ? graph : caller->graph, requests, caller->base));
    gspi_active const entered = {graph, 0, caller->base + p->frames[caller->graph].n_slots};
    *a = entered;
    for (uint32_t j = 0; j < f->n_in; j++) {
        r->values[a->base + p->leaf[f->in_at + j]] = r->values[caller->base + p->leaf[row + j]];
    }
    if (r->d->enter != NULL && r->top > 0u) {
        const gsp_exec_node *nodes = p->nodes + r->m->graphs[graph].first;
        const uint32_t *values = p->leaf + f->in_at;
        r->call.graph = gspi_graph(r->m, caller->graph);
        gspi_exec_prepare(r, GSP_REQUEST_ENTER, gspi_exec_at(r, caller));
        r->call.child = graph;
        r->call.n_results = 0;
        for (uint32_t k = 0; k < f->n_placeholders; k++) {
            gsp_arg const single = {GSP_ARG_NODE, nodes[k].placeholder};
            uint32_t const tree = nodes[single.value].tree_at;
            gspi_exec_put(r, single, tree, values, a->base);
            values += gspi_exec_plan_width(p, tree);
        }
        GSPI_TRY(gspi_exec_request(r, r->d->enter));
    }
    r->top++;
    r->call.graph = gspi_graph(r->m, graph);
    return GSP_OK;
}

/* Pops the top frame and returns its values to its caller. */
static gsp_status gspi_exec_return(gspi_exec *r)
{
    const gsp_exec_plan *p = r->p;
    const gspi_active *a = &r->active[r->top];
    const gspi_active *caller = a - 1;
    const gsp_exec_frame *f = &p->frames[a->graph];
    const uint32_t *row =
        r->top > 1u ? gspi_exec_plan_row(
                          p, &p->nodes[r->m->graphs[caller->graph].first + gspi_exec_at(r, caller)])
                    : p->leaf + p->frames[caller->graph].out_at;
    GSPI_TRY(gspi_exec_constants(
        r, a->graph, p->nodes[r->call.graph.first + gspi_exec_at(r, a)].request_at, a->base));
    for (uint32_t j = 0; j < f->n_out; j++) {
        uint32_t const from = a->base + p->leaf[f->out_at + j];
        uint32_t const at = caller->base + row[j];
        r->values[at] = r->values[from];
        if (r->d->release != NULL && r->owned[from] != 0u) {
            r->owned[from] = 0;
            r->owned[at] = 1;
        }
    }
    r->top--;
    return GSP_OK;
}

/* Runs one node of the top frame; a call of a graph only enters it. */
static gsp_status gspi_exec_step(gspi_exec *r)
{
    const gsp_exec_plan *p = r->p;
    gspi_active *a = &r->active[r->top];
    gsp_node const v = p->order == NULL ? a->step : gspi_exec_at(r, a);
    const gsp_exec_node *x = &p->nodes[r->call.graph.first + v];
    if (x->step == GSPI_STEP_ATTR) {
        gspi_exec_prepare(r, GSP_REQUEST_ATTR, v);
        GSPI_TRY(gspi_exec_request(r, r->d->kernel));
        r->values[a->base + x->leaf_at] = r->results[0];
    } else if (x->step <= GSPI_STEP_EXPAND) {
        GSPI_TRY(gspi_exec_kernel(r, a, x));
    } else if (x->step == GSPI_STEP_ENTER) {
        return gspi_exec_enter(r, x->child, x->bind_at, x->request_at);
    } else if (x->step == GSPI_STEP_RETURN) {
        GSPI_TRY(gspi_exec_return(r));
        if (r->top == 0u) {
            return GSP_OK;
        }
        a = &r->active[r->top];
        r->call.graph = gspi_graph(r->m, a->graph);
        x = &p->nodes[r->call.graph.first + gspi_exec_at(r, a)];
    }
    if (r->d->release != NULL) { /* values that no later node reads */
        uint32_t dead = x->dead;
        for (; dead != GSP_NONE; dead = p->next[dead]) {
            gspi_exec_release(r, a->base + p->slot[dead]);
        }
    }
    a->step++;
    return GSP_OK;
}

gsp_status gsp_exec_run(gsp_arena *arena, const gsp_exec_plan *plan, const gsp_exec_desc *desc,
    const gsp_value *inputs, gsp_value *outputs, gsp_error *err)
{
    gspi_exec r;
    GSPI_GIVEN_3(arena, plan, desc);
    GSPI_GIVEN_ROWS(inputs, plan->n_inputs);
    GSPI_GIVEN_ROWS(outputs, plan->n_outputs);
    GSPI_CHECK_DESC(*desc);
    GSPI_GIVEN(desc->kernel);
    GSPI_ENTER(gsp_exec_bound(plan));
    gspi_exec_layout(&pass.bump, &r, plan);
    r.p = plan;
    r.d = desc;
    r.err = err;
    r.m = plan->graph.module;
    r.top = 0;
    gspi_active const outermost = {r.m->counts.graphs, 0, 0u};
    r.call.plan = plan;
    r.call.child = GSP_NONE;
    r.call.values = r.arguments;
    r.call.results = r.results;
    gspi_set(r.owned, 0, plan->n_slots);
    r.active[0] = outermost;
    gspi_copy(r.values, inputs, plan->n_inputs, sizeof(gsp_value));
    const gsp_exec_frame *outside = &plan->frames[r.m->counts.graphs];
    gsp_status status = gspi_exec_enter(&r, plan->graph.id, outside->in_at, outside->out_tree);
    while (status == GSP_OK && r.top > 0u) {
        status = gspi_exec_step(&r);
    }
    for (uint32_t j = 0; j < outside->n_out && status == GSP_OK; j++) {
        uint32_t const at = plan->leaf[outside->out_at + j];
        outputs[j] = r.values[at];
        r.owned[at] = 0;
    }
    for (uint32_t i = 0; i < plan->n_slots && desc->release != NULL; i++) {
        gspi_exec_release(&r, i);
    }
    GSPI_STEP(status);
    return GSPI_LEAVE();
}

#endif /* GSP_NO_MEMORY */

#ifdef __cplusplus
}
#endif

GSPI_END

#endif /* GRAPHSPLIT_IMPLEMENTATION_ONCE */
#endif /* GRAPHSPLIT_IMPLEMENTATION */

/* ----
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
 * Security
 *
 * Graph text, stored modules and operator tables may come from anyone. A security defect is a read
 * out of bounds, a crash, a call that does not end, a write after an error, or a result of
 * uninitialised memory, unless `trusted` is set or a callback does it. Report it privately to
 * whoever gave you this file. A release names its checksum in line 3 and in SHA256SUMS.
 *
 * MISRA C:2012
 *
 * No heap, recursion, goto, stdio or variable-length arrays. Of the rules that cppcheck's addon
 * checks, the library deviates from these only:
 *
 *     2.3    a type exists for an assertion alone
 *     2.4    enumerations have tags that only their typedef uses
 *     2.5    macros for users: versions, defaults, switches
 *     5.5    gsp_arena_init and gsp_arena_mark are macros, too, where GSP_GAP is not 0
 *     8.7    public functions that only users call
 *     9.2    a struct within an initialiser is given as a value
 *     10.3   comparisons are kept in int: C99 without stdbool, so that C++ and C agree
 *     10.4   char compared with character constants; counts plus (condition)
 *     10.5   comparisons as numbers to multiply and to mask with, where a branch would be slow
 *     10.6   uint32_t chosen by a condition or divided, then widened: intended
 *     10.7   shift counts are narrower than the shifted operands
 *     10.8   differences of pointers and of checked counts as sizes
 *     11.4   addresses are numbers where memory is aligned
 *     11.5   pointers from void: arenas give out void pointers
 *     11.8   arrays that the library itself has just made lose their const
 *     12.1   precedence without parentheses: a && b == c, i + 1 < n
 *     12.3   loops that step two variables
 *     13.3   list[n++] = x
 *     13.4   while ((v = next()) != none)
 *     14.2   loops that step something other than a counter
 *     14.4   if (flag), with int flags
 *     15.4   a search of a sorted list ends at its limit or at the wanted element
 *     15.5   early returns: no resource is held
 *     15.7   if ... else if without else where nothing is left to do
 *     17.8   parameters passed by value are changed
 *     18.4   pointer + offset, for slices of arrays and texts
 *     19.2   workspaces of successive phases share their bytes
 *     20.1   string.h is included by the implementation only
 *     20.5   #undef of macros that live for one list
 *     20.7   the X of lists, and types, stand in macros without parentheses
 *     20.10  # and ## in those lists
 *     21.15  numbers are read from bytes by memcpy, at any alignment
 *
 * Changes
 *
 * Versions are those of semver.org. Before 1.0.0 a new minor version may break a caller, from then
 * on only a new major version. 1.x may add functions, fields of descs (0 keeps the behaviour),
 * statuses and switches, give better results of searches, tighter bounds and other words in
 * messages. A name that is to go says so in its comment, with its successor, for at least one
 * minor version. `make abi` lists what was removed, changed and added since the last release.
 *
 *     0.1.0    first version
 * ---- */
