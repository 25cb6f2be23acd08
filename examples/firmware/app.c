/* A splitter in firmware: no C library, no heap. The graph of a TensorFlow Lite Micro model, person
 * detection, lies in flash as a finished graph; a small table says what the accelerator takes; the
 * split is made at start, in a static block sized by constants, and the plan is walked.
 *     make firmware */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include "person_detect.h" /* graphsplit emit-c --name person_detect MODEL.fx */
#include "port.h"

/* Support and split use the same memory one after the other; only one byte per node stays in
 * between. */
#define ARENA_BYTES \
    GSP_BOUND_MAX(GSP_SUPPORT_BOUND(person_detect_nodes, person_detect_strings), \
        GSP_SPLIT_BOUND(person_detect_nodes, person_detect_edges))
#define RAM_GOAL 4096u

static unsigned char memory[ARENA_BYTES];
static uint8_t kind[person_detect_nodes];

/* ---- saying things ---- */

static void say_number(uint32_t value)
{
    char digits[11];
    uint32_t at = sizeof digits - 1u;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value != 0u);
    port_puts(digits + at);
}

static void say(const char *what, uint32_t value, const char *unit)
{
    port_puts(what);
    say_number(value);
    port_puts(unit);
}

static int check(int ok, const char *what)
{
    if (!ok) {
        port_puts("FAILED: ");
        port_puts(what);
        port_puts("\n");
    }
    return ok;
}

/* ---- the work ---- */

/* Convolutions and pooling go to the accelerator. */
static int place(const gsp_graph *graph, gsp_arena *arena)
{
    static const gsp_table_entry entries[] = {
        {{"tflite.CONV_2D", 14}, {NULL, 0}, NULL, 0, 0, {NULL, 0}},
        {{"tflite.DEPTHWISE_*", 18}, {NULL, 0}, NULL, 0, 0, {NULL, 0}},
        {{"tflite.AVERAGE_*", 16}, {NULL, 0}, NULL, 0, 0, {NULL, 0}}};
    static const gsp_rule rule = {GSP_RULE_TABLE, 0, {entries, 3, 0, NULL}, NULL, NULL, {NULL, 0}};
    gsp_accelerator const npu = {&rule, 1};
    gsp_support_desc desc = {0};
    gsp_placement placement;
    gsp_mark const mark = gsp_arena_mark(arena);
    gsp_node v;
    desc.accelerators = &npu;
    desc.n_accelerators = 1;
    if (gsp_support_run(arena, graph, &desc, &placement, NULL) != GSP_OK) {
        return 0;
    }
    for (v = 0; v < graph->n_nodes; v++) {
        kind[v] = placement.kind[v];
    }
    gsp_arena_rewind(arena, mark);
    return 1;
}

/* A firmware runs one subgraph after the other, each on its own processor. */
static uint32_t walk(const gsp_split_result *split)
{
    uint32_t nodes = 0;
    uint32_t i;
    for (i = 0; i < split->n_subgraphs; i++) {
        uint32_t const count = split->subgraph_begin[i + 1u] - split->subgraph_begin[i];
        say(split->subgraph_kind[i] == 0 ? "cpu " : "npu ", count, " nodes\n");
        nodes += count;
    }
    return nodes;
}

static uint32_t stack_used(void)
{
    const uint32_t *at = port_free_begin;
    while (*at == PORT_PAINT) {
        at++;
    }
    return (uint32_t)((uintptr_t)port_stack_top - (uintptr_t)at);
}

int firmware_main(void)
{
    gsp_split_desc desc = {0};
    gsp_placement placement = {0};
    gsp_split_result split;
    gsp_module module;
    gsp_graph graph;
    gsp_arena arena;
    uint32_t ram;
    gsp_arena_init(&arena, memory, sizeof memory);
    if (!check(gsp_module_open(&module, person_detect, sizeof person_detect, 0, NULL) == GSP_OK,
            "the graph in flash is damaged")) {
        return 1;
    }
    graph = gsp_module_graph(&module, 0);
    if (!check(place(&graph, &arena), "placing")) {
        return 2;
    }
    placement.n_nodes = graph.n_nodes;
    placement.n_kinds = 2;
    placement.kind = kind;
    desc.placement = &placement;
    if (!check(gsp_split_run(&arena, &graph, &desc, &split, NULL) == GSP_OK, "splitting")) {
        return 3;
    }
    if (!check(walk(&split) == 31u && split.n_subgraphs == 2u, "31 nodes in 2 subgraphs")) {
        return 3;
    }
    ram = (uint32_t)(sizeof memory + sizeof kind);
    say("static memory: ", ram, " bytes");
    say(", of which touched: ", (uint32_t)arena.touched, "\n");
    say("stack: ", stack_used(), " bytes\n");
    return check(ram < RAM_GOAL, "more than 4 KB of memory") ? 0 : 4;
}
