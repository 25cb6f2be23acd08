/* The property that all passes lean on: a split graph, run on hashed values, gives what the graph
 * gives. Random graphs with aggregates in aggregates, any tags and partitions that the data
 * allows. */
#include "tests/oracle/oracle.h"

#define MAX_NODES 48u

/* A random graph as text; what each node yields decides who may read it. */
enum { YIELDS_TENSOR, YIELDS_PAIR, YIELDS_NEST, YIELDS_COUNT };

static const char *const types[YIELDS_COUNT] = {
    "f32[2]", "tuple(f32[2], i64[1])", "list(f32[2], tuple(f32[1], int))"};

typedef struct writer {
    t_rng *rng;
    t_string text;
    uint8_t yields[2u * MAX_NODES];
    uint32_t n;
} writer;

static void name_of(writer *w, uint32_t v)
{
    t_puts(&w->text, "%n");
    t_number(&w->text, v);
}

/* One argument: an earlier node, a constant, or a container of such. */
static void argument(writer *w, uint32_t depth)
{
    static const char *const brackets[3] = {"()", "[]", "{}"};
    uint32_t const kind = t_below(w->rng, 10u);
    uint32_t i;
    if (kind == 0u) {
        t_puts(&w->text, t_chance(w->rng, 50u) ? "None" : "-1");
    } else if (kind < 4u && depth < 3u) {
        const char *const pair = brackets[kind - 1u];
        uint32_t const count = t_below(w->rng, 3u);
        t_add(&w->text, pair, 1u);
        for (i = 0; i < count; i++) {
            if (kind == 3u) {
                t_puts(&w->text, i == 0u ? "a: " : "b: ");
            }
            argument(w, depth + 1u);
            t_puts(&w->text, i + 1u < count ? ", " : kind == 1u && count == 1u ? "," : "");
        }
        t_add(&w->text, pair + 1, 1u);
    } else {
        name_of(w, t_below(w->rng, w->n));
    }
}

static void begin(writer *w, const char *what)
{
    t_puts(&w->text, "    ");
    name_of(w, w->n);
    t_puts(&w->text, what);
}

static void end(writer *w, uint8_t yields)
{
    t_puts(&w->text, "  # ");
    t_puts(&w->text, types[yields]);
    t_puts(&w->text, "\n");
    w->yields[w->n++] = yields;
}

static void call(writer *w)
{
    static const char *const kinds[3] = {" : [num_users=0] = call_function[target=f",
        " : [num_users=0] = call_method[target=m", " : [num_users=0] = call_module[target=blk.l"};
    uint32_t const count = t_below(w->rng, 4u);
    uint32_t i;
    begin(w, kinds[t_below(w->rng, 3u)]);
    t_number(&w->text, t_below(w->rng, 3u));
    t_puts(&w->text, "](args = (");
    for (i = 0; i < count; i++) {
        argument(w, 0u);
        t_puts(&w->text, i + 1u < count ? ", " : count == 1u ? "," : "");
    }
    t_puts(&w->text, "), kwargs = {");
    if (t_chance(w->rng, 30u)) {
        t_puts(&w->text, "k: ");
        argument(w, 0u);
    }
    t_puts(&w->text, "})");
    end(w, (uint8_t)(t_chance(w->rng, 60u) ? YIELDS_TENSOR : 1u + t_below(w->rng, 2u)));
}

/* A getitem: of a known aggregate, or of a tensor, which is a kernel. */
static void item(writer *w)
{
    uint32_t const of = t_below(w->rng, w->n);
    int const second = t_chance(w->rng, 50u);
    begin(w, " : [num_users=0] = call_function[target=operator.getitem](args = (");
    name_of(w, of);
    t_puts(&w->text, second ? (t_chance(w->rng, 50u) ? ", 1" : ", -1") : ", 0");
    t_puts(&w->text, "), kwargs = {})");
    end(w, w->yields[of] == YIELDS_NEST && second ? YIELDS_PAIR : YIELDS_TENSOR);
}

static void write_graph(writer *w)
{
    uint32_t const inputs = 1u + t_below(w->rng, 3u);
    uint32_t const attributes = t_below(w->rng, 3u);
    uint32_t const calls = 1u + t_below(w->rng, MAX_NODES - 8u);
    uint32_t i;
    w->n = 0;
    w->text.size = 0;
    t_puts(&w->text, "graph():\n");
    for (i = 0; i < inputs; i++) {
        begin(w, " : [num_users=0] = placeholder[target=x");
        t_number(&w->text, i);
        t_puts(&w->text, i > 0u && t_chance(w->rng, 20u) ? "](default=(1, [None, 2]))" : "]");
        end(w, YIELDS_TENSOR);
    }
    for (i = 0; i < attributes; i++) {
        begin(w, " : [num_users=0] = get_attr[target=blk.w");
        t_number(&w->text, i);
        t_puts(&w->text, "]");
        end(w, YIELDS_TENSOR);
    }
    for (i = 0; i < calls; i++) {
        if (t_chance(w->rng, 35u)) {
            item(w);
        } else {
            call(w);
        }
    }
    t_puts(&w->text, "    return (");
    argument(w, 0u);
    t_puts(&w->text, ", ");
    argument(w, 1u);
    t_puts(&w->text, ")\n");
}

/* Tags that the data allows: no node stands before what it reads. */
static uint32_t random_parts(t_rng *rng, const gsp_graph *g, uint32_t *part_of)
{
    uint32_t used[MAX_NODES];
    uint32_t n = 0;
    uint32_t const range = 1u + t_below(rng, 6u);
    gsp_node v;
    uint32_t i;
    memset(used, 0, sizeof(used));
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t count;
        const gsp_node *const inputs = gsp_node_inputs(g, v, &count);
        part_of[v] = 0;
        if (!gsp_node_is_callable(g, v)) {
            continue;
        }
        for (i = 0; i < count; i++) {
            part_of[v] = part_of[inputs[i]] > part_of[v] ? part_of[inputs[i]] : part_of[v];
        }
        part_of[v] += t_below(rng, range - part_of[v]);
        used[part_of[v]] = 1;
    }
    for (i = 0; i < range; i++) {
        used[i] = used[i] != 0u ? n++ : 0u;
    }
    for (v = 0; v < g->n_nodes; v++) {
        part_of[v] = used[part_of[v]];
    }
    return n;
}

static void check_tags(
    gsp_arena *arena, const gsp_graph *g, const uint32_t *part_of, uint32_t n, uint32_t round)
{
    static const char *const names[6] = {"_a", "_b", "_c", "_d", "_e", "_f"};
    gsp_str texts[6];
    gsp_split_by_tags_desc desc;
    gsp_split_by_tags_result result;
    gsp_error err;
    uint32_t i;
    memset(&desc, 0, sizeof(desc));
    for (i = 0; i < 6u; i++) {
        texts[i] = gsp_str_of(names[i]);
    }
    desc.n_tags = n;
    desc.tag_of = part_of;
    desc.names = texts;
    desc.return_tuple = round % 3u == 0u ? 1u : 0u;
    if (T_EQUAL(gsp_split_by_tags_run(arena, g, &desc, &result, &err), GSP_OK)) {
        (void)oracle_run_equal(g->module, &result.module, NULL);
        (void)oracle_run_equal_bare(g->module, &result.module, NULL);
    }
}

static void check_parts(
    gsp_arena *arena, const gsp_graph *g, const uint32_t *part_of, uint32_t n, uint32_t round)
{
    gsp_split_module_desc desc;
    gsp_split_module_result result;
    gsp_error err;
    gsp_status status;
    memset(&desc, 0, sizeof(desc));
    desc.n_parts = n;
    desc.part_of = part_of;
    desc.keep_order = round % 2u;
    desc.return_tuple = round % 3u == 0u ? 1u : 0u;
    desc.number_inputs = round % 5u == 0u ? 1u : 0u;
    status = gsp_split_module_run(arena, g, &desc, &result, &err);
    if (status == GSP_STATUS_CYCLE && desc.keep_order != 0u) {
        return; /* the order of first nodes need not be one of the data */
    }
    if (T_EQUAL(status, GSP_OK)) {
        (void)oracle_run_equal(g->module, &result.module, NULL);
        (void)oracle_run_equal_bare(g->module, &result.module, NULL);
    }
}

static void test_split(void)
{
    uint32_t const rounds = t_fast ? 1000u : 20000u;
    t_rng rng;
    writer w;
    gsp_arena arena;
    uint32_t i;
    rng.state = t_seed ^ 41u;
    memset(&w, 0, sizeof(w));
    w.rng = &rng;
    t_arena_open(&arena, 1u << 20);
    for (i = 0; i < rounds && !t_failed(); i++) {
        gsp_module module;
        gsp_error err;
        uint32_t part_of[MAX_NODES + 8u];
        gsp_mark const mark = gsp_arena_mark(&arena);
        write_graph(&w);
        if (T_EQUAL(gsp_text_read(&arena, w.text.data, w.text.size, NULL, &module, &err), GSP_OK)) {
            gsp_graph const g = gsp_module_graph(&module, 0u);
            uint32_t const n = random_parts(&rng, &g, part_of);
            if (i % 2u == 0u) {
                check_tags(&arena, &g, part_of, n, i / 2u);
            } else {
                check_parts(&arena, &g, part_of, n, i / 2u);
            }
        }
        if (t_failed()) {
            printf("%s", w.text.data);
        }
        gsp_arena_rewind(&arena, mark);
    }
    t_arena_close(&arena);
    t_free(&w.text);
}

/* Runs of the order, from 1 to many of them; both ways of making a module. */
void oracle_check_run(const gsp_module *module)
{
    static const uint32_t counts[] = {1u, 6u, 1000u};
    gsp_graph const g = gsp_module_graph(module, 0u);
    uint32_t *const part_of = (uint32_t *)t_alloc(g.n_nodes * sizeof(uint32_t));
    size_t i;
    for (i = 0; i < T_COUNT_OF(counts) && !t_failed(); i++) {
        uint32_t const n = counts[i] < g.n_nodes ? counts[i] : 1u;
        gsp_split_module_desc desc;
        gsp_split_module_result result;
        gsp_arena arena;
        gsp_node v;
        memset(&desc, 0, sizeof(desc));
        for (v = 0; v < g.n_nodes; v++) {
            part_of[v] = (uint32_t)((uint64_t)v * n / g.n_nodes);
        }
        desc.part_of = part_of;
        desc.n_parts = n;
        desc.number_inputs = i == 1u ? 1u : 0u;
        t_arena_open(&arena, gsp_split_module_bound(&g, &desc));
        if (T_EQUAL(gsp_split_module_run(&arena, &g, &desc, &result, NULL), GSP_OK)) {
            (void)oracle_run_equal(module, &result.module, NULL);
        }
        t_arena_close(&arena);
    }
    free(part_of);
}

void suite_oracle_exec(void)
{
    t_run("split", test_split);
}
