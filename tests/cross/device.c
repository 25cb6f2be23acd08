/* Damage on the device itself: bits of the graph flip, the program goes on. Each damaged graph is
 * refused, or placed and split without a fault; a block or buffer one byte short is a status.
 *     sh tests/cross/damage.sh */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include "person_detect.h"
#include "port.h"

#define ARENA_BYTES \
    (GSP_SUPPORT_BOUND(person_detect_nodes + 64u, person_detect_strings + 64u) + \
        GSP_SPLIT_BOUND(person_detect_nodes + 64u, person_detect_edges + 64u))
#define EVERY 61u /* bits from one that flips to the next */

static unsigned char memory[ARENA_BYTES];
static uint64_t block[sizeof person_detect / sizeof person_detect[0]];

/* Places and splits in so much memory. */
static gsp_status split(const gsp_graph *graph, size_t size, gsp_error *err)
{
    static const gsp_table_entry entries[] = {
        {{"tflite.CONV_2D", 14}, {NULL, 0}, NULL, 0, 0, {NULL, 0}}};
    static const gsp_rule rule = {GSP_RULE_TABLE, 0, {entries, 1, 0, NULL}, NULL, NULL, {NULL, 0}};
    gsp_accelerator const npu = {&rule, 1};
    gsp_support_desc support = {0};
    gsp_split_desc desc = {0};
    gsp_placement placement;
    gsp_split_result result;
    gsp_arena arena;
    gsp_status status;
    support.accelerators = &npu;
    support.n_accelerators = 1;
    gsp_arena_init(&arena, memory, size);
    status = gsp_support_run(&arena, graph, &support, &placement, err);
    if (status == GSP_OK) {
        desc.placement = &placement;
        desc.skip_fusion = 1;
        status = gsp_split_run(&arena, graph, &desc, &result, err);
    }
    return status;
}

/* All that a node can be asked. */
static uint32_t ask(const gsp_graph *graph, gsp_node v)
{
    gsp_str const name = gsp_node_name(graph, v);
    gsp_str const target = gsp_node_target(graph, v);
    uint32_t count;
    const gsp_node *row = gsp_node_inputs(graph, v, &count);
    uint32_t sum = (uint32_t)gsp_node_bytes(graph, v) + gsp_node_type(graph, v).size;
    uint32_t i;
    for (i = 0; i < count; i++) {
        sum += row[i];
    }
    row = gsp_node_users(graph, v, &count);
    for (i = 0; i < count; i++) {
        sum += row[i];
    }
    for (i = 0; i < name.size; i++) {
        sum += (unsigned char)name.data[i];
    }
    for (i = 0; i < target.size; i++) {
        sum += (unsigned char)target.data[i];
    }
    return sum;
}

/* 1 if refused; 0 if harmless. */
static int is_refused(volatile uint32_t *sum)
{
    gsp_module module;
    gsp_graph graph;
    gsp_node v;
    if (gsp_module_open(&module, block, sizeof block, 0, NULL) != GSP_OK) {
        return 1;
    }
    graph = gsp_module_graph(&module, 0);
    for (v = 0; v < graph.n_nodes; v++) {
        *sum += ask(&graph, v);
    }
    (void)split(&graph, sizeof memory, NULL);
    return 0;
}

/* The same graph, whole, with too little of something. */
static int is_short(void)
{
    gsp_module module;
    gsp_graph graph;
    gsp_error err;
    size_t need;
    if (gsp_module_open(&module, block, person_detect_bytes - 1u, 0, &err) == GSP_OK) {
        return 0;
    }
    if (gsp_module_open(&module, block, sizeof block, 0, &err) != GSP_OK) {
        return 0;
    }
    graph = gsp_module_graph(&module, 0);
    if (split(&graph, 0, &err) != GSP_STATUS_NOMEM) {
        return 0;
    }
    need = (size_t)err.need;
    return split(&graph, need - 1u, &err) == GSP_STATUS_NOMEM && err.need == need;
}

int firmware_main(void)
{
    volatile uint32_t sum = 0;
    uint32_t refused = 0;
    uint32_t harmless = 0;
    uint32_t bit;
    uint32_t i;
    for (i = 0; i < sizeof block / sizeof block[0]; i++) {
        block[i] = person_detect[i];
    }
    if (!is_short()) {
        port_puts("FAILED: one byte short\n");
        return 1;
    }
    for (bit = 0; bit < 8u * sizeof block; bit += EVERY) {
        block[bit / 64u] ^= (uint64_t)1 << (bit % 64u);
        if (is_refused(&sum)) {
            refused++;
        } else {
            harmless++;
        }
        block[bit / 64u] = person_detect[bit / 64u];
    }
    port_puts(is_refused(&sum) ? "FAILED: the whole graph\n" : "no fault\n");
    return refused > 0u && harmless > 0u ? 0 : 2;
}
