/* For the author of a TFLite delegate: which operators of a model an operator list takes, as the
 * lists of indices that ReplaceNodeSubsetsWithDelegateKernels() is given, and why not the others.
 *     cc -I. -o delegate examples/tflite/delegate.c
 *     ./delegate MODEL.tflite examples/ops/ethos-u55.ops
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include "tflite.c"

#include <stdio.h>
#include <stdlib.h>

typedef struct file {
    char *data;
    size_t size;
} file;

static file read_file(const char *path)
{
    file f = {NULL, 0};
    FILE *in = fopen(path, "rb");
    size_t room = 1u << 16;
    if (in == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    do {
        room *= 2u;
        f.data = (char *)realloc(f.data, room);
        if (f.data == NULL) {
            exit(2);
        }
        f.size += fread(f.data + f.size, 1u, room - f.size, in);
    } while (f.size == room);
    fclose(in);
    return f;
}

static gsp_arena arena_of(size_t size)
{
    gsp_arena arena;
    void *memory = size == SIZE_MAX ? NULL : malloc(size);
    if (memory == NULL) {
        fprintf(stderr, "no memory\n");
        exit(2);
    }
    gsp_arena_init(&arena, memory, size);
    return arena;
}

static tflite_model read_model(const char *path)
{
    char text[TFLITE_SENTENCE];
    file f = read_file(path);
    tflite_counts counts;
    tflite_model model;
    tflite_error err;
    if (tflite_count(f.data, f.size, &counts, &err) == GSP_OK) {
        gsp_arena arena = arena_of(tflite_bound(&counts));
        if (tflite_read(&arena, f.data, f.size, &model, &err) == GSP_OK) {
            return model;
        }
    }
    tflite_sentence(&err, text, sizeof text);
    fprintf(stderr, "%s: %s\n", path, text);
    exit(1);
}

static gsp_table read_list(const char *path)
{
    file f = read_file(path);
    gsp_str text = {f.data, (uint32_t)f.size};
    gsp_arena arena = arena_of(gsp_table_bound(text));
    gsp_table table;
    gsp_error err;
    if (gsp_table_read(&arena, text, &table, &err) != GSP_OK) {
        fprintf(stderr, "%s:%u: %s\n", path, (unsigned)err.line, gsp_detail_text(err.detail));
        exit(1);
    }
    return table;
}

/* An operator represents its outputs too: their operator.getitem nodes have no index of their own.
 * */
static int is_operator(const gsp_graph *graph, gsp_node v)
{
    return gsp_node_is_callable(graph, v) &&
           !gsp_str_equal(gsp_node_target(graph, v), gsp_str_of("operator.getitem"));
}

static void put(gsp_str text)
{
    printf("%.*s", (int)text.size, text.data);
}

static void put_result(
    const tflite_model *model, const gsp_graph *graph, const gsp_split_result *split)
{
    uint32_t s;
    uint32_t i;
    for (s = 0; s < split->n_subgraphs; s++) {
        if (split->subgraph_kind[s] == GSP_KIND_CPU) {
            continue;
        }
        printf("delegate {");
        for (i = split->subgraph_begin[s]; i < split->subgraph_begin[s + 1u]; i++) {
            if (is_operator(graph, split->nodes[i])) {
                printf(" %u", (unsigned)model->item[graph->first + split->nodes[i]]);
            }
        }
        printf(" }\n");
    }
    for (i = 0; i < graph->n_nodes; i++) {
        if (is_operator(graph, i) && split->subgraph_kind[split->subgraph_of[i]] == GSP_KIND_CPU) {
            printf("not %u ", (unsigned)model->item[graph->first + i]);
            put(gsp_node_target(graph, i));
            printf(": %s\n", gsp_reason_text((gsp_reason)split->reason[i]));
        }
    }
}

int main(int argc, char **argv)
{
    static gsp_rule rule; /* zeroed, as descs have to be */
    static gsp_support_desc support;
    static gsp_split_desc desc;
    gsp_accelerator accelerator = {&rule, 1};
    tflite_model model;
    gsp_placement placement;
    gsp_split_result split;
    gsp_graph graph;
    gsp_arena arena;
    gsp_error err;
    if (argc != 3) {
        fprintf(stderr, "usage: delegate MODEL.tflite LIST.ops\n");
        return 2;
    }
    model = read_model(argv[1]);
    graph = gsp_module_graph(&model.module, 0);
    rule.kind = GSP_RULE_TABLE;
    rule.table = read_list(argv[2]);
    support.n_accelerators = 1;
    support.accelerators = &accelerator;
    desc.placement = &placement;
    arena = arena_of(gsp_support_bound(&graph, &support) + gsp_split_bound(&graph, &desc) + 64u);
    if (gsp_support_run(&arena, &graph, &support, &placement, &err) != GSP_OK ||
        gsp_split_run(&arena, &graph, &desc, &split, &err) != GSP_OK) {
        fprintf(stderr, "%s\n", gsp_detail_text(err.detail));
        return 1;
    }
    put_result(&model, &graph, &split);
    return 0;
}
