/* Counts the elementary steps of passes, basic blocks and 16 bytes that memcpy and its like handle,
 * on twelve shapes of graphs, on names that all have one hash, and on inputs that were slow once,
 * such as operator tables and pins: each pass takes at most what its order in the header allows,
 * a * order(n + m) + b.
 *     gcc -O2 -fsanitize-coverage=trace-pc -I. -c tests/bench/steps.c
 *     steps NODES...    every shape with so many nodes; prints the largest a of each pass
 */
#include "tests/bench/count.h"

#define GSP_MEMCPY(to, from, size)  (steps_add(size), memcpy(to, from, size))
#define GSP_MEMMOVE(to, from, size) (steps_add(size), memmove(to, from, size))
#define GSP_MEMSET(to, byte, size)  (steps_add(size), memset(to, byte, size))
#define GSP_MEMCMP(a, b, size)      (steps_add(size), memcmp(a, b, size))
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_DRAW_IMPLEMENTATION
#include "examples/extra/graphsplit_draw.h"
#define GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION
#include "examples/extra/graphsplit_fingerprint.h"
#define GRAPHSPLIT_KWAY_IMPLEMENTATION
#include "examples/extra/graphsplit_kway.h"
#define GRAPHSPLIT_STAGES_IMPLEMENTATION
#include "examples/extra/graphsplit_stages.h"
#include "tests/bench/passes.h"
#include "tests/bench/tables.h"

/* The order of a pass on this graph. */
static double units(const pass *p, const scene *s)
{
    double const size = (double)(p->order == BYTES ? s->source.size : s->size);
    double log2 = 1;
    for (size_t x = s->size; x > 1u; x /= 2u) {
        log2 += 1;
    }
    if ((p->traits & NAMES) != 0 && s->collide != 0u) {
        return size * s->collide;
    }
    if (p->order == OPEN) {
        return size + (double)s->widest * s->graph.n_nodes / 768.0;
    }
    return (p->order == LOG ? size * log2 : size) + s->more;
}

/* ---- all of it ---- */

enum { MOST_SMALL = 40000 };

static unsigned passed;
static unsigned failed;
static unsigned too_large; /* graphs of rows that are SMALL */
static double most[N_PASSES];

/* Fails unless the status is valid and so many steps of so many units are allowed. */
static double judge(const char *name, const char *what, uint32_t n, gsp_status status, int valid,
    uint64_t counted, double n_units, double limit)
{
    double const steps = (double)counted - 2000.0; /* b */
    double const factor = steps > 0 ? steps / n_units : 0;
    if (!valid || factor > limit) {
        failed++;
        printf("FAILED: %s, %s (%u): %s, %.1f steps per unit, at most %.1f are allowed\n", name,
            what, (unsigned)n, gsp_status_name(status), factor, limit);
    } else {
        passed++;
    }
    return factor;
}

static void count_pass(uint32_t i, scene *s, const char *what, uint32_t n)
{
    const pass *p = &passes[i];
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    uint64_t const before = steps_count;
    s->more = 0;
    gsp_status const status = p->run(s);
    s->more += status == GSP_STATUS_LIMIT ? 67108864 : 0; /* arguments that WORK allows: 2^26 */
    uint64_t const counted = steps_count - before;
    int const collides = (p->traits & NAMES) != 0 && s->collide != 0u;
    double const factor =
        judge(p->name, what, n, status, s->slow || (status == GSP_OK && counted != 0u), counted,
            units(p, s), collides ? 2 : p->factor);
    most[i] = factor > most[i] && !collides ? factor : most[i];
    if ((p->traits & KEEP) == 0) {
        gsp_arena_rewind(&s->arena, mark);
    }
}

static void *given(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "steps: there is not enough memory\n");
        exit(1);
    }
    return p;
}

static void *push(gsp_arena *arena, size_t count, size_t size)
{
    return given(gsp_arena_push(arena, count, size));
}

/* Arcs of a network: every fifth node is fed, every seventh drains. */
static void add_arc(scene *s, uint32_t from, uint32_t to)
{
    gsp_cut_arc *const arc = &s->arcs[s->n_arcs++];
    arc->capacity = 1u + s->n_arcs * 7u % 11u;
    arc->back = 0u;
    arc->from = from;
    arc->to = to;
}

static void prepare_node(scene *s, gsp_node v)
{
    uint32_t n;
    const gsp_node *const inputs = gsp_node_inputs(&s->graph, v, &n);
    uint64_t bytes = gsp_node_bytes(&s->graph, v);
    s->size += n;
    s->widest = n > s->widest ? n : s->widest;
    s->part_of[v] = gsp_node_is_callable(&s->graph, v)
                        ? (uint32_t)((uint64_t)v * PARTS / s->graph.n_nodes)
                        : GSP_NONE;
    s->moving[v] = s->part_of[v];
    s->kind[v] = 1u;
    s->seconds[v] = 1 + v * 37u % 100u;
    for (uint32_t i = 0u; i < n; i++) {
        bytes += gsp_node_bytes(&s->graph, inputs[i]);
        add_arc(s, inputs[i] + 2u, v + 2u);
    }
    s->bytes += bytes;
    s->largest = bytes > s->largest ? bytes : s->largest;
    if (v % 5u == 0u) {
        add_arc(s, 0u, v + 2u);
    }
    if (v % 7u == 0u) {
        add_arc(s, v + 2u, 1u);
    }
}

static void prepare(scene *s)
{
    const gsp_counts *const all = &s->module.counts;
    gsp_counts counts;
    s->graph = gsp_module_graph(&s->module, 0u);
    counts = gsp_graph_counts(&s->graph);
    s->size = counts.nodes;
    if (s->slow) { /* many arguments, graphs, long names and attributes */
        s->size = (size_t)all->nodes + all->graphs + all->args + all->bytes / 16u;
    }
    s->part_of = (uint32_t *)push(&s->arena, counts.nodes, sizeof(uint32_t));
    s->moving = (uint32_t *)push(&s->arena, counts.nodes, sizeof(uint32_t));
    s->kind = (uint8_t *)push(&s->arena, counts.nodes, 1u);
    s->seconds = (double *)push(&s->arena, counts.nodes, sizeof(double));
    s->arcs = (gsp_cut_arc *)push(
        &s->arena, counts.edges + 2u * (size_t)counts.nodes, sizeof(gsp_cut_arc));
    for (gsp_node v = 0u; v < counts.nodes; v++) {
        prepare_node(s, v);
    }
}

static void count_all(scene *s, const char *what, uint32_t n)
{
    scene fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.source = s->source;
    fresh.collide = s->collide;
    fresh.slow = s->slow;
    fresh.memory = s->memory;
    *s = fresh;
    gsp_arena_init(&s->arena, s->memory, ROOM);
    count_pass(0u, s, what, n);
    prepare(s);
    for (uint32_t i = 1u; i < N_PASSES; i++) {
        if ((passes[i].traits & SMALL) == 0 || s->size <= MOST_SMALL) {
            count_pass(i, s, what, n);
        } else {
            too_large++;
        }
    }
}

static void count_shapes(scene *s, uint32_t n)
{
    for (uint32_t kind = 0u; kind < N_SHAPES; kind++) {
        uint32_t nodes = n;
        while (kind == CLIQUE && (uint64_t)nodes * nodes > 2u * (uint64_t)n) {
            nodes /= 2u; /* as many edges as others have nodes */
        }
        build_text(&s->source, (shape)kind, nodes, NULL);
        count_all(s, shape_names[kind], nodes);
    }
}

static void count_collisions(scene *s, uint32_t n)
{
    name_text *const names = (name_text *)given(malloc((n + 2u) * sizeof(name_text)));
    s->collide = n;
    collide(names, n);
    build_text(&s->source, CHAIN, n, (const name_text *)names);
    count_all(s, "names of one hash", n);
    s->collide = 0u;
    free(names);
}

static void count_slow(scene *s)
{
    s->slow = 1;
    for (uint32_t i = 0u; i < N_SLOW; i++) {
        s->source.size = 0u;
        slow_inputs[i].build(&s->source);
        count_all(s, slow_inputs[i].name, (uint32_t)s->source.size);
    }
}

/* ---- operator tables and pins ---- */

static void tell(const char *name, double largest, double allowed)
{
    printf("%-27s at most %6.1f steps per unit, %4.0f allowed\n", name, largest, allowed);
}

/* Measures the graph, and makes a pin of each line. */
static void prepare_listing(listing *l, gsp_pin_what what)
{
    uint8_t *const seen = (uint8_t *)push(&l->arena, l->graph.module->counts.strings, 1u);
    memset(seen, 0, l->graph.module->counts.strings);
    for (gsp_node v = 0u; v < l->graph.n_nodes; v++) {
        uint32_t n;
        (void)gsp_node_inputs(&l->graph, v, &n);
        l->size += 1.0 + n;
        if (gsp_node_is_callable(&l->graph, v)) {
            uint8_t *const mark = &seen[gspi_class(&l->graph, v)];
            l->operators += *mark == 0u ? 1 : 0;
            *mark = 1u;
            l->letters += gsp_node_name(&l->graph, v).size + gsp_node_class(&l->graph, v).size +
                          gsp_node_scope(&l->graph, v).size;
        }
    }
    l->pins = (gsp_pin *)push(&l->arena, l->text.size, sizeof(gsp_pin));
    for (uint32_t i = 0u, begin = 0u; i < l->text.size; i++) {
        if (l->text.data[i] == '\n') {
            gsp_pin *const pin = &l->pins[l->n_lines++];
            memset(pin, 0, sizeof *pin);
            pin->what = (uint32_t)what;
            pin->pattern.data = l->text.data + begin;
            pin->pattern.size = i - begin;
            begin = i + 1u;
        }
    }
}

static void count_listing(scene *s, const listing_row *row, uint32_t n, double *largest)
{
    listing l;
    text lines;
    uint64_t before;
    gsp_status status;
    memset(&l, 0, sizeof l);
    memset(&lines, 0, sizeof lines);
    s->source.size = 0u;
    row->graph(&s->source, n);
    row->lines(&lines, n);
    l.text.data = lines.data;
    l.text.size = (uint32_t)lines.size;
    gsp_arena_init(&l.arena, s->memory, ROOM);
    status = gsp_text_read(&l.arena, s->source.data, s->source.size, NULL, &s->module, NULL);
    if (status == GSP_OK) {
        l.graph = gsp_module_graph(&s->module, 0u);
        prepare_listing(&l, row->what);
        if (row->what == TABLE) {
            status = gsp_table_read(&l.arena, l.text, &l.table, NULL);
        }
    }
    before = steps_count;
    status = status == GSP_OK ? row->run(&l) : status;
    double const factor = judge(row->name, "lines", n, status, status == GSP_OK,
        steps_count - before, row->order(&l), row->factor);
    *largest = factor > *largest ? factor : *largest;
    free(lines.data);
}

static void count_listings(scene *s)
{
    for (uint32_t i = 0u; i < N_LISTING_ROWS; i++) {
        double largest = 0;
        for (uint32_t n = 250u; n <= 4000u; n *= 4u) {
            count_listing(s, &listing_rows[i], n, &largest);
        }
        tell(listing_rows[i].name, largest, listing_rows[i].factor);
    }
}

int main(int argc, char **argv)
{
    scene s;
    memset(&s, 0, sizeof s);
    s.memory = given(malloc(ROOM));
    for (int i = 1; i < argc; i++) {
        count_shapes(&s, (uint32_t)strtoul(argv[i], NULL, 10));
    }
    for (uint32_t n = 500u; n <= 8000u; n *= 4u) {
        count_collisions(&s, n);
    }
    count_slow(&s);
    for (uint32_t i = 0u; i < N_PASSES; i++) {
        tell(passes[i].name, most[i], passes[i].factor);
    }
    count_listings(&s);
    if (too_large > 0u) {
        printf("passes that are more than linear, or slow: not on %u graphs above %d nodes and "
               "edges\n",
            too_large, MOST_SMALL);
    }
    free(s.source.data);
    free(s.memory);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0u;
}
