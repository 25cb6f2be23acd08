/* What the fuzz entries share. Every entry is one file with LLVMFuzzerTestOneInput(); libFuzzer
 * drives it, or fuzz_main.c where there is none. */
#ifndef GRAPHSPLIT_FUZZ_H
#define GRAPHSPLIT_FUZZ_H

#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_COMPARE_IMPLEMENTATION
#include "examples/extra/graphsplit_compare.h"
#define GRAPHSPLIT_CSR_IMPLEMENTATION
#include "examples/extra/graphsplit_csr.h"
#define GRAPHSPLIT_DEVICES_IMPLEMENTATION
#include "examples/extra/graphsplit_devices.h"
#define GRAPHSPLIT_DOWNSETS_IMPLEMENTATION
#include "examples/extra/graphsplit_downsets.h"
#define GRAPHSPLIT_DRAW_IMPLEMENTATION
#include "examples/extra/graphsplit_draw.h"
#define GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION
#include "examples/extra/graphsplit_fingerprint.h"
#define GRAPHSPLIT_HEFT_IMPLEMENTATION
#include "examples/extra/graphsplit_heft.h"
#define GRAPHSPLIT_INTERVALS_IMPLEMENTATION
#include "examples/extra/graphsplit_intervals.h"
#define GRAPHSPLIT_KWAY_IMPLEMENTATION
#include "examples/extra/graphsplit_kway.h"
#define GRAPHSPLIT_LIMITS_IMPLEMENTATION
#include "examples/extra/graphsplit_limits.h"
#define GRAPHSPLIT_MEMORIES_IMPLEMENTATION
#include "examples/extra/graphsplit_memories.h"
#define GRAPHSPLIT_NUMBERS_IMPLEMENTATION
#include "examples/extra/graphsplit_numbers.h"
#define GRAPHSPLIT_OFFLOAD_IMPLEMENTATION
#include "examples/extra/graphsplit_offload.h"
#define GRAPHSPLIT_OPERATORS_IMPLEMENTATION
#include "examples/extra/graphsplit_operators.h"
#define GRAPHSPLIT_ORDER_IMPLEMENTATION
#include "examples/extra/graphsplit_order.h"
#define GRAPHSPLIT_ORIGIN_IMPLEMENTATION
#include "examples/extra/graphsplit_origin.h"
#define GRAPHSPLIT_PREFETCH_IMPLEMENTATION
#include "examples/extra/graphsplit_prefetch.h"
#define GRAPHSPLIT_REPEATS_IMPLEMENTATION
#include "examples/extra/graphsplit_repeats.h"
#define GRAPHSPLIT_SCHEDULE_IMPLEMENTATION
#include "examples/extra/graphsplit_schedule.h"
#define GRAPHSPLIT_STAGES_IMPLEMENTATION
#include "examples/extra/graphsplit_stages.h"
#define GRAPHSPLIT_TILES_IMPLEMENTATION
#include "examples/extra/graphsplit_tiles.h"
#define GRAPHSPLIT_TRAFFIC_IMPLEMENTATION
#include "examples/extra/graphsplit_traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C"
#endif
    int
    LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold whatever the input is. */
#define REQUIRE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort(); \
        } \
    } while (0)

/* An arena over exactly `size` bytes of its own, so that a sanitizer sees the first byte too far.
 * */
static inline gsp_arena fuzz_arena(size_t size)
{
    gsp_arena arena;
    void *memory = malloc(size + (size == 0));
    REQUIRE(memory != NULL);
    gsp_arena_init(&arena, memory, size);
    return arena;
}

static inline void fuzz_free(gsp_arena *arena)
{
    free(arena->base);
}

/* A growing text. */
typedef struct fuzz_text {
    char *data;
    size_t size;
    size_t room;
} fuzz_text;

static inline int fuzz_append(void *user, const char *data, size_t size)
{
    fuzz_text *text = (fuzz_text *)user;
    if (size > text->room - text->size) {
        text->room = 2u * text->room + size + 64u;
        text->data = (char *)realloc(text->data, text->room);
        REQUIRE(text->data != NULL);
    }
    memcpy(text->data + text->size, data, size);
    text->size += size;
    return 0;
}

/* All passes over one graph, each in an arena of exactly its bound. Refusals are fine, except for
 * lack of memory; the split module has to be a module again. */
static inline void fuzz_tags(const gsp_graph *graph, const gsp_split_result *split, int stored)
{
    enum { TAG = 24 };
    char *tags = (char *)malloc((size_t)split->n_subgraphs * TAG + 1u);
    gsp_str *names = (gsp_str *)malloc(((size_t)split->n_subgraphs + 1u) * sizeof *names);
    gsp_split_by_tags_desc desc = {0};
    gsp_split_by_tags_result result;
    gsp_module opened;
    gsp_status status;
    gsp_arena arena;
    REQUIRE(tags != NULL && names != NULL);
    for (uint32_t i = 0; i < split->n_subgraphs; i++) {
        names[i].data = tags + (size_t)i * TAG;
        names[i].size = (uint32_t)gsp_split_tag(split, i, tags + (size_t)i * TAG, TAG);
        REQUIRE(names[i].size < TAG);
    }
    desc.n_tags = split->n_subgraphs;
    desc.tag_of = split->subgraph_of;
    desc.names = names;
    arena = fuzz_arena(gsp_split_by_tags_bound(graph, &desc));
    status = gsp_split_by_tags_run(&arena, graph, &desc, &result, NULL);
    REQUIRE(status == GSP_OK || (stored && status == GSP_STATUS_DAMAGED));
    if (status == GSP_OK) {
        const gsp_module *m = &result.module;
        REQUIRE(m->counts.graphs > split->n_subgraphs);
        REQUIRE(gsp_module_open(&opened, m->block, m->block_size, 0, NULL) == GSP_OK);
    }
    fuzz_free(&arena);
    free(names);
    free(tags);
}

/* Every callable node is in one subgraph of one kind, no earlier than its inputs; groups are whole.
 * */
static inline void fuzz_check_split(const gsp_graph *graph, const gsp_split_result *split)
{
    uint32_t callable = 0;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        uint32_t count;
        const gsp_node *inputs = gsp_node_inputs(graph, v, &count);
        if (!gsp_node_is_callable(graph, v)) {
            REQUIRE(split->subgraph_of[v] == GSP_NONE);
            continue;
        }
        callable++;
        REQUIRE(split->subgraph_of[v] < split->n_subgraphs);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t of = split->subgraph_of[inputs[i]];
            REQUIRE(of == GSP_NONE || of <= split->subgraph_of[v]);
        }
        for (gsp_node u = 0; split->group[v] != GSP_NONE && u < v; u++) {
            REQUIRE(split->group[u] != split->group[v] ||
                    split->subgraph_of[u] == split->subgraph_of[v]);
        }
    }
    REQUIRE(split->subgraph_begin[split->n_subgraphs] == callable);
    for (uint32_t s = 0; s < split->n_subgraphs; s++) {
        REQUIRE(split->subgraph_begin[s] < split->subgraph_begin[s + 1]);
        for (uint32_t i = split->subgraph_begin[s]; i < split->subgraph_begin[s + 1]; i++) {
            REQUIRE(split->subgraph_of[split->nodes[i]] == s);
        }
    }
}

static inline int fuzz_nowhere(void *user, const char *data, size_t size)
{
    *(size_t *)user += data != NULL ? size : 0u;
    return 0;
}

/* A boundary, an extension, a preview and the pictures, each in its bound and with an order that
 * holds. */
static inline void fuzz_looks(
    const gsp_graph *graph, const gsp_placement *placement, const gsp_split_result *split)
{
    size_t ids = (size_t)graph->n_nodes * sizeof(uint32_t);
    uint32_t *of = (uint32_t *)malloc(ids + 1u);
    gsp_move_non_tensor_desc boundary = {0};
    gsp_subgraph_grow_desc extend = {0};
    gsp_signatures_result types;
    gsp_preview_result preview;
    gsp_arena arena;
    size_t written = 0;
    REQUIRE(of != NULL);
    memcpy(of, split->subgraph_of, ids);
    boundary.n_subgraphs = split->n_subgraphs;
    boundary.kind = split->subgraph_kind;
    boundary.group = split->group;
    arena = fuzz_arena(gsp_move_non_tensor_bound(graph, &boundary));
    REQUIRE(gsp_move_non_tensor_run(&arena, graph, &boundary, of, NULL, NULL) == GSP_OK);
    REQUIRE(gsp_move_non_tensor_run(&arena, graph, &boundary, of, NULL, NULL) == GSP_OK);
    fuzz_free(&arena);
    arena = fuzz_arena(gsp_subgraph_grow_bound(graph, NULL));
    extend.kind = split->kind;
    extend.group = split->group;
    memcpy(of, split->subgraph_of, ids);
    for (uint32_t i = 0; i < split->n_subgraphs; i++) {
        extend.subgraph = i;
        REQUIRE(gsp_subgraph_grow_run(&arena, graph, &extend, of, NULL, NULL) != GSP_STATUS_CYCLE);
    }
    fuzz_free(&arena);
    arena = fuzz_arena(gsp_preview_bound(graph, split, NULL) + gsp_signatures_bound(graph) +
                       gsp_draw_bound(graph->module));
    REQUIRE(gsp_draw_module(&arena, graph->module, NULL, fuzz_nowhere, &written, NULL) == GSP_OK);
    REQUIRE(gsp_draw_graph(graph, NULL, fuzz_nowhere, &written, NULL) == GSP_OK);
    REQUIRE(gsp_preview_run(&arena, graph, split, NULL, &preview, NULL) != GSP_STATUS_NOMEM);
    REQUIRE(gsp_signatures_run(&arena, graph, placement, &types, NULL) == GSP_OK);
    for (uint32_t i = 0; i < types.n_signatures; i++) {
        REQUIRE(gsp_signature_write(
                    graph, types.signatures[i].first, fuzz_nowhere, &written, NULL) == GSP_OK);
    }
    fuzz_free(&arena);
    free(of);
}

/* A kernel that reads all it is given; the budget ends what would run too long. */
static inline gsp_status fuzz_kernel(void *user, const gsp_call *call)
{
    uint32_t *const budget = (uint32_t *)user;
    gsp_value sum = 0;
    for (uint32_t i = 0; i < call->n_args; i++) {
        sum += call->values[i] + gsp_call_str(call, i).size + call->args[i].value;
    }
    for (uint32_t i = 0; i < call->n_results; i++) {
        call->results[i] = sum + i;
    }
    return *budget == 0u || (*budget -= 1u) == 0u ? GSP_STATUS_LIMIT : GSP_OK;
}

static inline void fuzz_release(void *user, gsp_value value)
{
    (void)user;
    (void)value;
}

/* Plans and runs a graph with one value a placeholder. */
static inline void fuzz_run(const gsp_graph *graph)
{
    gsp_arena arena = fuzz_arena(gsp_exec_plan_bound(graph, NULL));
    gsp_exec_plan frames;
    gsp_error error;
    gsp_status status = gsp_exec_plan_run(&arena, graph, NULL, &frames, &error);
    REQUIRE(status == error.status && status != GSP_STATUS_NOMEM);
    if (status == GSP_OK) {
        uint32_t budget = 1000;
        gsp_exec_desc desc = {0};
        gsp_arena scratch = fuzz_arena(gsp_exec_bound(&frames));
        size_t const n = (size_t)frames.n_inputs + frames.n_outputs + 1u;
        gsp_value *values = (gsp_value *)calloc(n, sizeof *values);
        REQUIRE(values != NULL);
        desc.kernel = fuzz_kernel;
        desc.enter = fuzz_kernel;
        desc.release = fuzz_release;
        desc.user = &budget;
        status = gsp_exec_run(&scratch, &frames, &desc, values, values + frames.n_inputs, &error);
        REQUIRE(status == GSP_OK || status == GSP_STATUS_LIMIT);
        free(values);
        fuzz_free(&scratch);
    } else {
        REQUIRE(arena.low == 0 && arena.high == 0);
    }
    fuzz_free(&arena);
}

/* What three accelerator subgraphs keep, in at most so much work: a split that has no more. */
static inline void fuzz_demote(
    const gsp_graph *graph, const gsp_split_desc *options, const gsp_split_result *split)
{
    gsp_placement placement = {split->n_nodes, split->n_kinds, 0u, NULL, NULL, NULL, NULL};
    gsp_split_desc again = {0};
    gsp_demote_desc desc = {0};
    gsp_demote_result result;
    gsp_split_result cut;
    gsp_error error;
    gsp_arena arena, room;
    desc.split = split;
    desc.max_acc = 1u + graph->n_nodes % 3u;
    desc.max_work = 100000u;
    arena = fuzz_arena(gsp_demote_bound(graph, &desc));
    REQUIRE(gsp_demote_run(&arena, graph, &desc, &result, &error) == GSP_OK);
    REQUIRE(result.value <= result.upper_bound);
    placement.kind = (uint8_t *)(uintptr_t)result.kind;
    placement.group = (uint32_t *)(uintptr_t)split->group;
    again.placement = &placement;
    again.skip_fusion = again.allow_non_tensor = again.best_start = 1u;
    again.max_acc = options->max_size == 0u ? desc.max_acc : 0u; /* else the given split may stay */
    room = fuzz_arena(gsp_split_bound(graph, &again));
    REQUIRE(gsp_split_run(&room, graph, &again, &cut, &error) == GSP_OK);
    fuzz_check_split(graph, &cut);
    fuzz_free(&room);
    fuzz_free(&arena);
}

/* No parts within any capacities are below the lower bound of their cut. */
static inline void fuzz_floor(const gsp_graph *graph, const gsp_kway_desc *parts, uint64_t cut)
{
#ifndef GSP_NO_COST
    static const uint64_t all[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    gsp_kway_floor_desc desc = {0};
    gsp_kway_floor_result result;
    gsp_error error;
    gsp_arena room;
    desc.n_parts = parts->n_parts;
    desc.bytes = parts->bytes;
    desc.capacity = all;
    desc.max_work = 1u << 20u;
    room = fuzz_arena(gsp_kway_floor_bound(graph, &desc));
    REQUIRE(gsp_kway_floor_run(&room, graph, &desc, &result, &error) == GSP_OK);
    REQUIRE(result.floor <= cut && room.low == 0 && room.high == 0);
    fuzz_free(&room);
#endif
}

/* Acyclic parts, judged by the evaluator; of one graph in eight, as they take longer than all the
 * other passes. */
static inline void fuzz_kway(const gsp_graph *graph)
{
    gsp_kway_desc desc = {0};
    gsp_kway_result result;
    gsp_score_desc judge = {0};
    gsp_score_result score;
    gsp_error error;
    gsp_arena arena, room;
    gsp_status status;
    if (graph->n_nodes > 500u || graph->n_nodes % 8u != 0u) {
        return;
    }
    desc.n_parts = 1u + graph->n_nodes / 8u % 4u;
    desc.bytes = graph->n_nodes / 32u % 2u;
    desc.attempts = 1u;
    desc.imbalance = 300000u;
    arena = fuzz_arena(gsp_kway_bound(graph, &desc));
    status = gsp_kway_run(&arena, graph, &desc, &result, &error);
    REQUIRE(status != GSP_STATUS_NOMEM);
    if (status != GSP_OK) {
        REQUIRE(arena.low == 0 && arena.high == 0);
        fuzz_free(&arena);
        return;
    }
    judge.n_parts = desc.n_parts;
    judge.part_of = result.part_of;
    room = fuzz_arena(gsp_score_bound(graph, &judge));
    if (gsp_score_run(&room, graph, &judge, &score, &error) == GSP_OK) {
        REQUIRE(score.n_cycle == 0u && score.empty == GSP_NONE && score.unplaced == GSP_NONE);
        REQUIRE(result.cut == (desc.bytes != 0u ? score.cut_bytes : score.cut_edges));
        fuzz_floor(graph, &desc, result.cut);
    }
    fuzz_free(&room);
    fuzz_free(&arena);
}

/* Support by annotation, split, tags. A stored module may still turn out to be damaged. */
static inline void fuzz_passes(const gsp_graph *graph, const gsp_split_desc *options, int stored)
{
    gsp_arena support = fuzz_arena(gsp_support_bound(graph, NULL));
    gsp_split_desc desc;
    gsp_placement placement;
    gsp_split_result split;
    gsp_error error;
    gsp_arena arena;
    gsp_status status = gsp_support_run(&support, graph, NULL, &placement, &error);
    memset(&desc, 0, sizeof(desc));
    desc = options == NULL ? desc : *options;
    REQUIRE(status != GSP_STATUS_NOMEM);
    if (status == GSP_OK) {
        desc.placement = &placement;
        arena = fuzz_arena(gsp_split_bound(graph, &desc));
        status = gsp_split_run(&arena, graph, &desc, &split, &error);
        REQUIRE(status == GSP_OK || status == error.status);
        REQUIRE(status != GSP_STATUS_NOMEM);
        if (status == GSP_OK) {
            fuzz_check_split(graph, &split);
            fuzz_demote(graph, &desc, &split);
            fuzz_tags(graph, &split, stored);
            fuzz_looks(graph, &placement, &split);
        } else {
            REQUIRE(arena.low == 0 && arena.high == 0);
        }
        fuzz_free(&arena);
    }
    fuzz_free(&support);
    fuzz_kway(graph);
    fuzz_run(graph);
}

#endif
