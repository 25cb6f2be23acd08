/* Counts the elementary steps of passes, basic blocks and 16 bytes that memcpy and its like handle,
 * on twelve shapes of graphs and on names that all have one hash: each pass takes at most what its
 * order in the header allows, a * order(n + m) + b.
 *     gcc -O2 -fsanitize-coverage=trace-pc -I. -c tests/steps/steps.c
 *     steps NODES...    every shape with so many nodes; prints the largest a of each pass
 */
#include "tests/steps/count.h"

#define GSP_MEMCPY(to, from, size)  (steps_add(size), memcpy(to, from, size))
#define GSP_MEMMOVE(to, from, size) (steps_add(size), memmove(to, from, size))
#define GSP_MEMSET(to, byte, size)  (steps_add(size), memset(to, byte, size))
#define GSP_MEMCMP(a, b, size)      (steps_add(size), memcmp(a, b, size))
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- graphs as text ---- */

typedef struct text {
    char *data;
    size_t size;
    size_t room;
} text;

static void put(text *t, const char *format, unsigned a)
{
    if (t->room - t->size < 256u) {
        t->room = 2u * t->room + 4096u;
        t->data = (char *)realloc(t->data, t->room);
        if (t->data == NULL) {
            abort();
        }
    }
    t->size += (size_t)snprintf(t->data + t->size, 256u, format, a);
}

typedef char name_text[12];

/* The shapes: inputs of call v, of which 0 is a placeholder. */
typedef enum shape {
    CHAIN,
    STAR,
    REVERSED_STAR,
    LADDER,
    CLIQUE,
    TREE,
    LAYERED,
    BUTTERFLY,
    FAN,
    INTERLEAVED,
    FUSED,
    UNSUPPORTED,
    N_SHAPES
} shape;

static const char *const shape_names[] = {"chain", "star", "reversed star", "ladder", "clique",
    "tree", "layered", "butterfly", "fan", "interleaved", "all fused", "none supported"};

/* Input i of call v of n; returns 0 behind the last. */
static int input_of(shape kind, uint32_t v, uint32_t n, uint32_t i, uint32_t *from)
{
    uint32_t const width = 64u;
    uint32_t count = 1u;
    *from = v - 1u;
    switch (kind) {
    case STAR: /* one node that all others read */
        *from = 0u;
        break;
    case REVERSED_STAR: /* one node that reads all others */
        count = v == n ? n : 1u;
        *from = v == n ? i : 0u;
        break;
    case LADDER:
    case INTERLEAVED:
        count = v > 2u ? 2u : 1u;
        *from = v - 1u - (v > 2u ? i : 0u);
        break;
    case CLIQUE:
        count = v;
        *from = i;
        break;
    case TREE:
        *from = (v - 1u) / 2u;
        break;
    case LAYERED: /* two of the layer before, taken by a fixed draw */
        count = 2u;
        *from = v <= width
                    ? 0u
                    : (v - 1u) / width * width - width + 1u + (v * 7919u + i * 104729u) % width;
        break;
    case BUTTERFLY: /* as in a Fourier transform over 64 values */
        count = 2u;
        *from = v <= width ? 0u : v - width;
        if (i == 1u && v > width) {
            uint32_t const at = (v - 1u) % width ^ 1u << (v - 1u) / width % 6u;
            *from = (v - 1u) / width * width - width + 1u + at;
        }
        break;
    case FAN: /* out to 63, and in again */
        count = v % width == 0u ? width - 1u : 1u;
        *from = v % width == 0u ? v - 1u - i : v / width * width;
        break;
    default:
        break;
    }
    return i < count;
}

static void build_text(text *t, shape kind, uint32_t n, const name_text *names)
{
    uint32_t from;
    t->size = 0;
    put(t, "graph():\n    %%n0 : [num_users=1] = placeholder[target=x]  # f32[4]\n", 0u);
    for (uint32_t v = 1u; v <= n; v++) {
        int const scalar = kind == FUSED && v != n;
        if (names != NULL) {
            put(t, "    %%", 0u);
            put(t, names[v], 0u);
        } else {
            put(t, "    %%n%u", v);
        }
        put(t, " : [num_users=1] = call_function[target=f%u](args = (", v % 7u);
        for (uint32_t i = 0u; input_of(kind, v, n, i, &from); i++) {
            put(t, i == 0u ? "" : ", ", 0u);
            put(t, names != NULL && from != 0u ? "%%" : "%%n%u", from);
            if (names != NULL && from != 0u) {
                put(t, names[from], 0u);
            }
        }
        put(t, "), kwargs = {})", 0u);
        put(t, scalar ? "  # int" : "  # f32[4]", 0u);
        put(t, kind == UNSUPPORTED ? "\n" : " acc=%u\n",
            kind == INTERLEAVED ? v % 2u : v / 16u % 2u);
    }
    put(t, "    return ", 0u);
    put(t, names != NULL ? names[n] : "n%u", n);
    put(t, "\n", 0u);
}

/* Names whose 32-bit hashes are all equal: the second word undoes what the first one did, and the
 * last letter, which the library adds to the hash, is the same. */
static void collide(name_text *names, uint32_t n)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint32_t made = 0u;
    for (uint32_t draw = 0u; made <= n; draw++) {
        uint32_t word;
        uint32_t other;
        uint32_t h = 8u;
        int plain = 1;
        char *name = names[made];
        for (uint32_t i = 0u, rest = draw; i < 4u; i++, rest /= 52u) {
            name[i] = letters[rest % 52u];
        }
        memcpy(&word, name, 4u);
        h = (h ^ word) * 0x9E3779B1u;
        h ^= h >> 15;
        other = h ^ 0x12345678u;
        memcpy(name + 4, &other, 4u);
        memcpy(name + 8, "z", 2u);
        for (uint32_t i = 4u; i < 8u; i++) {
            plain = plain && strchr(letters, name[i]) != NULL && name[i] != '\0';
        }
        made += plain ? 1u : 0u;
        if (plain && made > 1u && gspi_hash(name, 8u, 0u) != gspi_hash(names[0], 8u, 0u)) {
            fprintf(stderr, "steps: the hash has changed, so these names do not collide\n");
            exit(1);
        }
    }
}

/* ---- passes ---- */

typedef struct scene {
    text source;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_placement placement; /* as support gives it */
    uint32_t *part_of;       /* eight parts */
    size_t size;             /* nodes and edges */
    uint32_t widest;         /* inputs of the node that has most */
    uint32_t collide;        /* nodes whose names have one hash */
} scene;

static int drop(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return 0;
}

static gsp_status run_text_read(scene *s)
{
    return gsp_text_read(&s->arena, s->source.data, s->source.size, NULL, &s->module, NULL);
}

static gsp_status run_text_write(scene *s)
{
    return gsp_text_write(&s->module, NULL, drop, NULL, NULL);
}

static gsp_status run_module_open(scene *s)
{
    gsp_module again;
    return gsp_module_open(&again, s->module.block, s->module.block_size, 0, NULL);
}

static gsp_status run_support(scene *s)
{
    return gsp_support_run(&s->arena, &s->graph, NULL, &s->placement, NULL);
}

/* Few forms of nodes, so constraints, of which one reads absent arguments, are tested few times. */
static gsp_status run_support_constraints(scene *s)
{
    static const char line[] = "* f32,int stride?<=3 rank(0)?==1 rank(out)?==1 dtype(0)?==f32";
    gsp_rule rule;
    gsp_accelerator acc;
    gsp_support_desc desc;
    gsp_placement placement;
    memset(&rule, 0, sizeof rule);
    memset(&desc, 0, sizeof desc);
    rule.kind = GSP_RULE_TABLE;
    acc.rules = &rule;
    acc.n_rules = 1u;
    desc.accelerators = &acc;
    desc.n_accelerators = 1u;
    desc.ignore_annotation = 1u;
    gsp_status const status = gsp_table_read(&s->arena, gsp_str_of(line), &rule.table, NULL);
    return status != GSP_OK ? status
                            : gsp_support_run(&s->arena, &s->graph, &desc, &placement, NULL);
}

static gsp_status run_fuse(scene *s)
{
    gsp_fuse_result result;
    return gsp_fuse_run(&s->arena, &s->graph, NULL, &s->placement, &result, NULL);
}

static gsp_status run_split(scene *s)
{
    gsp_split_desc desc;
    gsp_split_result result;
    memset(&desc, 0, sizeof desc);
    desc.placement = &s->placement;
    return gsp_split_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_split_subgraphs(scene *s)
{
    gsp_split_subgraphs_result result;
    return gsp_split_subgraphs_run(&s->arena, &s->graph, NULL, &result, NULL);
}

static gsp_status run_split_module(scene *s)
{
    gsp_split_module_desc desc;
    gsp_split_module_result result;
    memset(&desc, 0, sizeof desc);
    desc.n_parts = 8u;
    desc.part_of = s->part_of;
    return gsp_split_module_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_score(scene *s)
{
    gsp_score_desc desc;
    gsp_score_result result;
    memset(&desc, 0, sizeof desc);
    desc.n_parts = 8u;
    desc.part_of = s->part_of;
    return gsp_score_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_stages_even(scene *s)
{
    gsp_stages_even_desc desc;
    gsp_stages_even_result result;
    memset(&desc, 0, sizeof desc);
    desc.n_stages = 8u;
    return gsp_stages_even_run(&s->arena, &s->graph, &desc, &result, NULL);
}

static gsp_status run_fingerprints(scene *s)
{
    gsp_fingerprints result;
    return gsp_fingerprints_run(&s->arena, &s->module, &result, NULL);
}

static gsp_status run_acc_nodes(scene *s)
{
    return gsp_acc_nodes_run(&s->arena, &s->graph, &s->placement, NULL);
}

static gsp_status run_signatures(scene *s)
{
    gsp_signatures_result result;
    return gsp_signatures_run(&s->arena, &s->graph, &s->placement, &result, NULL);
}

static gsp_status run_order(scene *s)
{
    gsp_dependences dependences;
    gsp_order result;
    gsp_status const status = gsp_dependences_run(&s->arena, &s->graph, NULL, &dependences, NULL);
    return status != GSP_OK ? status
                            : gsp_order_run(&s->arena, &s->graph, &dependences, &result, NULL);
}

/* Passes that take a graph, no desc, and give a result. */
#define PLAIN_PASSES(X)                  \
    X(topo_order, gsp_topo_order_result) \
    X(costs, gsp_costs)                  \
    X(liveness, gsp_liveness_result)     \
    X(dependences, gsp_dependences)      \
    X(node_classes, gsp_node_classes)    \
    X(exec_plan, gsp_exec_plan)          \
    X(regions, gsp_regions)              \
    X(dedup, gsp_dedup_result)
#define PLAIN(name, type)                                                   \
    static gsp_status run_##name(scene *s)                                  \
    {                                                                       \
        type result;                                                        \
        return gsp_##name##_run(&s->arena, &s->graph, NULL, &result, NULL); \
    }
PLAIN_PASSES(PLAIN)
#undef PLAIN

/* What the header says of each pass, and the largest factor that was measured, with a margin. OPEN:
 * for a node of k inputs k * nodes / 768 more. Passes that intern names compare a name with all
 * that have its hash: `names`. */
typedef enum order { BYTES, LINEAR, LOG, OPEN } order;

typedef struct pass {
    const char *name;
    gsp_status (*run)(scene *s);
    order order;
    int names;
    double factor;
} pass;

static const pass passes[] = {
    {"text_read", run_text_read, BYTES, 1, 40},
    {"text_write", run_text_write, BYTES, 0, 9},
    {"module_open", run_module_open, OPEN, 0, 75},
    {"topo_order", run_topo_order, LOG, 0, 3},
    {"support", run_support, LINEAR, 0, 65},
    {"support, constraints", run_support_constraints, LINEAR, 0, 160},
    {"acc_nodes", run_acc_nodes, LINEAR, 0, 25},
    {"fuse", run_fuse, LINEAR, 0, 10},
    {"split", run_split, LINEAR, 0, 45},
    {"split_subgraphs", run_split_subgraphs, LINEAR, 1, 620},
    {"split_module", run_split_module, LINEAR, 1, 340},
    {"score", run_score, LINEAR, 0, 85},
    {"costs", run_costs, LINEAR, 0, 35},
    {"stages_even", run_stages_even, LINEAR, 0, 17},
    {"liveness", run_liveness, LINEAR, 0, 70},
    {"fingerprints", run_fingerprints, LINEAR, 0, 90},
    {"dependences", run_dependences, LOG, 0, 6},
    {"node_classes", run_node_classes, LINEAR, 0, 100},
    {"dedup", run_dedup, LOG, 1, 50},
    {"exec_plan", run_exec_plan, LINEAR, 0, 65},
    {"regions", run_regions, LOG, 0, 22},
    {"signatures", run_signatures, LINEAR, 0, 160},
    {"dependences, order", run_order, LOG, 0, 11},
};
#define N_PASSES (sizeof passes / sizeof passes[0])

/* The order of a pass on this graph. */
static double units(const pass *p, const scene *s)
{
    double const size = (double)(p->order == BYTES ? s->source.size : s->size);
    double log2 = 1;
    for (size_t x = s->size; x > 1u; x /= 2u) {
        log2 += 1;
    }
    if (p->names && s->collide != 0u) {
        return size * s->collide;
    }
    if (p->order == OPEN) {
        return size + (double)s->widest * s->graph.n_nodes / 768.0;
    }
    return p->order == LOG ? size * log2 : size;
}

/* ---- all of it ---- */

static unsigned passed;
static unsigned failed;
static double most[N_PASSES];

static void count_pass(uint32_t i, scene *s, const char *what, uint32_t n)
{
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    uint64_t const before = steps_count;
    gsp_status const status = passes[i].run(s);
    uint64_t const counted = steps_count - before;
    double const steps = (double)counted - 2000.0; /* b */
    double const factor = steps > 0 ? steps / units(&passes[i], s) : 0;
    int const collides = passes[i].names && s->collide != 0u;
    double const limit = collides ? 2 : passes[i].factor;
    most[i] = factor > most[i] && !collides ? factor : most[i];
    if (status != GSP_OK || counted == 0u || factor > limit) {
        failed++;
        printf("FAILED: %s, %s of %u nodes: %s, %.1f steps per unit, at most %.1f are allowed\n",
            passes[i].name, what, (unsigned)n, gsp_status_name(status), factor, limit);
    } else {
        passed++;
    }
    if (i != 0u && passes[i].run != run_support) {
        gsp_arena_rewind(&s->arena, mark);
    }
}

static void count_all(scene *s, void *memory, size_t size, const char *what, uint32_t n)
{
    gsp_arena_init(&s->arena, memory, size);
    s->size = s->source.size; /* until the graph is there */
    count_pass(0u, s, what, n);
    s->graph = gsp_module_graph(&s->module, 0u);
    s->size = s->graph.n_nodes;
    s->widest = 0u;
    for (gsp_node v = 0u; v < s->graph.n_nodes; v++) {
        uint32_t inputs;
        (void)gsp_node_inputs(&s->graph, v, &inputs);
        s->size += inputs;
        s->widest = inputs > s->widest ? inputs : s->widest;
        s->part_of[v] = (uint32_t)((uint64_t)v * 8u / s->graph.n_nodes);
    }
    for (uint32_t i = 1u; i < N_PASSES; i++) {
        count_pass(i, s, what, n);
    }
}

static void *room_for(size_t size)
{
    void *const p = malloc(size);
    if (p == NULL) {
        fprintf(stderr, "steps: there is not enough memory\n");
        exit(1);
    }
    return p;
}

int main(int argc, char **argv)
{
    size_t const room = (size_t)3 << 30; /* pages that are not used cost nothing */
    void *const memory = room_for(room);
    scene s;
    memset(&s, 0, sizeof s);
    for (int i = 1; i < argc; i++) {
        uint32_t const n = (uint32_t)strtoul(argv[i], NULL, 10);
        s.part_of = (uint32_t *)room_for(4u * ((size_t)n + 2u));
        for (uint32_t kind = 0u; kind < N_SHAPES; kind++) {
            uint32_t nodes = n;
            while (kind == CLIQUE && (uint64_t)nodes * nodes > 2u * (uint64_t)n) {
                nodes /= 2u; /* as many edges as others have nodes */
            }
            build_text(&s.source, (shape)kind, nodes, NULL);
            count_all(&s, memory, room, shape_names[kind], nodes);
        }
        free(s.part_of);
    }
    for (uint32_t n = 500u; n <= 8000u; n *= 4u) {
        name_text *const names = (name_text *)room_for((n + 2u) * sizeof(name_text));
        s.part_of = (uint32_t *)room_for(4u * ((size_t)n + 2u));
        s.collide = n;
        collide(names, n);
        build_text(&s.source, CHAIN, n, (const name_text *)names);
        count_all(&s, memory, room, "names of one hash", n);
        free(names);
        free(s.part_of);
    }
    for (uint32_t i = 0u; i < N_PASSES; i++) {
        printf("%-16s at most %5.1f steps per unit, %3.0f allowed\n", passes[i].name, most[i],
            passes[i].factor);
    }
    free(s.source.data);
    free(memory);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0u;
}
