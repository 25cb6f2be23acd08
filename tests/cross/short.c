/* A buffer one byte short on the device itself: every pass meant for it says NOMEM and how much
 * there has to be, touches nothing, and does its work with that.
 *     sh tests/cross/damage.sh */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include "person_detect.h"
#include "port.h"

#define AGGREGATES 1u
#define INPUTS     1u
#define FRAMES \
    GSP_EXEC_PLAN_BOUND( \
        person_detect_graphs, person_detect_all_nodes, person_detect_all_args, AGGREGATES, INPUTS)
#define OFFSETS GSP_MEMORY_PLAN_BOUND(person_detect_nodes, person_detect_edges)

enum { GUARD = 0x5A };

static unsigned char memory[GSP_BOUND_MAX(FRAMES, OFFSETS) + 1u];
static uint8_t kind[person_detect_nodes];

/* ---- the passes, each in an arena of its own ---- */

static gsp_status place(gsp_arena *arena, const gsp_graph *graph, gsp_error *err)
{
    gsp_placement placement;
    gsp_status const status = gsp_support_run(arena, graph, NULL, &placement, err);
    gsp_node v;
    for (v = 0; status == GSP_OK && v < graph->n_nodes; v++) {
        kind[v] = placement.kind[v];
    }
    return status;
}

static gsp_status split(gsp_arena *arena, const gsp_graph *graph, gsp_error *err)
{
    gsp_placement placement = {0};
    gsp_split_desc desc = {0};
    gsp_split_result result;
    placement.n_nodes = graph->n_nodes;
    placement.n_kinds = 2;
    placement.kind = kind;
    desc.placement = &placement;
    return gsp_split_run(arena, graph, &desc, &result, err);
}

static gsp_status frames(gsp_arena *arena, const gsp_graph *graph, gsp_error *err)
{
    gsp_exec_plan_desc desc = {0};
    gsp_exec_plan result;
    desc.aggregates = AGGREGATES;
    desc.n_inputs = INPUTS;
    return gsp_exec_plan_run(arena, graph, &desc, &result, err);
}

static gsp_status offsets(gsp_arena *arena, const gsp_graph *graph, gsp_error *err)
{
    gsp_memory_plan_result result;
    return gsp_memory_plan_run(arena, graph, NULL, &result, err);
}

/* ---- one byte less, and the bound ---- */

typedef struct pass {
    const char *name;
    gsp_status (*run)(gsp_arena *arena, const gsp_graph *graph, gsp_error *err);
    size_t bound;
} pass;

static int is_exact(const pass *p, const gsp_graph *graph)
{
    gsp_arena arena;
    gsp_error err;
    size_t i;
    for (i = 0; i < sizeof memory; i++) {
        memory[i] = GUARD;
    }
    gsp_arena_init(&arena, memory, p->bound - 1u);
    if (p->run(&arena, graph, &err) != GSP_STATUS_NOMEM || err.need != p->bound ||
        err.limit != p->bound - 1u) {
        return 0;
    }
    for (i = 0; i < sizeof memory; i++) {
        if (memory[i] != GUARD) {
            return 0;
        }
    }
    if (arena.low != 0 || arena.high != 0 || arena.touched != 0) {
        return 0;
    }
    gsp_arena_init(&arena, memory, p->bound);
    return p->run(&arena, graph, &err) == GSP_OK && memory[p->bound] == GUARD;
}

int firmware_main(void)
{
    pass passes[] = {
        {"support\n", place, GSP_SUPPORT_BOUND(person_detect_nodes, person_detect_strings)},
        {"split\n", split, GSP_SPLIT_BOUND(person_detect_nodes, person_detect_edges)},
        {"run plan\n", frames, 0}, {"memory\n", offsets, 0}};
    gsp_exec_plan_desc sizes = {0};
    gsp_module module;
    gsp_graph graph;
    uint32_t i;
    if (gsp_module_open(&module, person_detect, sizeof person_detect, 0, NULL) != GSP_OK) {
        return 1;
    }
    graph = gsp_module_graph(&module, 0);
    sizes.aggregates = AGGREGATES;
    sizes.n_inputs = INPUTS;
    passes[2].bound = gsp_exec_plan_bound(&graph, &sizes);
    passes[3].bound = gsp_memory_plan_bound(&graph, NULL);
    for (i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        if (!is_exact(&passes[i], &graph)) {
            port_puts("FAILED: one byte short: ");
            port_puts(passes[i].name);
            return 2;
        }
    }
    port_puts("one byte short: NOMEM, nothing touched\n");
    return 0;
}
