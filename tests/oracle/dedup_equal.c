/* Blocks of nodes that repeat, nearly: aggregates, getitems, views, writes, keywords, calls of
 * graphs. What deduplication makes of them computes what they do. */
#include "tests/oracle/oracle.h"

enum { MAX_BLOCK = 7, MAX_ARGS = 3, OUTSIDE = 4 };

/* One node of the block. An argument below OUTSIDE is %x, %y, %w or the end of the block before;
 * another one is a node of the block itself. */
typedef struct step {
    uint32_t what;
    uint32_t n_args;
    uint32_t args[MAX_ARGS];
    uint32_t element;
} step;

typedef struct maker {
    t_rng *rng;
    t_string text;
    step block[MAX_BLOCK];
    uint32_t n_steps;
    uint32_t n;    /* nodes so far */
    uint32_t last; /* end of the block before */
} maker;

enum {
    WHAT_PLAIN,
    WHAT_PAIR,
    WHAT_LIST,
    WHAT_ITEM,
    WHAT_VIEW,
    WHAT_WRITE,
    WHAT_KEYS,
    WHAT_CHILD,
    WHAT_NONE,
    WHAT_OTHER,
    WHAT_COUNT
};

static const char *const annotations[WHAT_COUNT] = {"f32[2]", "tuple(f32[2], i8[1])",
    "list(f32[2], f32[2])", "f32[2]", "f32[2] alias=0", "none mutates=0", "f32[2]",
    "tuple(f32[2], f32[2])", "", "tuple alias=0"};
static const char *const starts[WHAT_COUNT] = {"call_function[target=f](args = (",
    "call_function[target=g](args = (", "call_function[target=h](args = (",
    "call_function[target=operator.getitem](args = (", "call_method[target=view](args = (",
    "call_method[target=zero_](args = (", "call_function[target=k](args = (",
    "call_module[target=sub](args = (", "call_function[target=z](args = (",
    "call_method[target=chunk](args = ("};

static step any_step(maker *k, uint32_t i)
{
    step s;
    uint32_t a;
    s.what = t_below(k->rng, WHAT_COUNT);
    s.n_args = s.what == WHAT_CHILD ? 2u : 1u + t_below(k->rng, MAX_ARGS);
    s.n_args = s.what == WHAT_ITEM ? 1u : s.n_args;
    s.element = t_below(k->rng, 5u);
    for (a = 0; a < s.n_args; a++) {
        s.args[a] = t_below(k->rng, OUTSIDE + i);
        if (i > 0u && t_chance(k->rng, 70u)) {
            s.args[a] = OUTSIDE + i - 1u - (t_chance(k->rng, 30u) ? t_below(k->rng, i) : 0u);
        }
    }
    return s;
}

static void put_arg(maker *k, uint32_t first, uint32_t arg)
{
    static const char *const outside[3] = {"%x", "%y", "%w"};
    if (arg >= OUTSIDE || (arg == 3u && k->last != GSP_NONE)) {
        t_puts(&k->text, "%n");
        t_number(&k->text, arg == 3u ? k->last : first + arg - OUTSIDE);
    } else {
        t_puts(&k->text, outside[arg % 3u]);
    }
}

static void put_step(maker *k, uint32_t first, const step *s)
{
    static const char *const elements[5] = {", 0", ", 1", ", -1", ", 7", ", -0"};
    uint32_t a;
    t_puts(&k->text, "    %n");
    t_number(&k->text, k->n++);
    t_puts(&k->text, " : [num_users=0] = ");
    t_puts(&k->text, starts[s->what]);
    for (a = 0; a < s->n_args; a++) {
        t_puts(&k->text, a > 0u ? ", " : "");
        t_puts(&k->text, a == 2u ? "[" : "");
        put_arg(k, first, s->args[a]);
        t_puts(&k->text, a == 2u ? "]" : "");
    }
    t_puts(&k->text, s->what == WHAT_ITEM ? elements[s->element] : s->n_args == 1u ? "," : "");
    t_puts(&k->text, "), kwargs = {");
    if (s->what == WHAT_KEYS) { /* the order of keywords without nodes is free */
        int const turned = t_chance(k->rng, 40u);
        t_puts(&k->text, turned ? "b: 2, a: 1, c: " : "a: 1, b: 2, c: ");
        t_puts(&k->text, s->element == 1u ? "{d: 3, e: " : "(");
        put_arg(k, first, s->args[0]);
        t_puts(&k->text, s->element == 1u ? "}" : ",)");
    }
    t_puts(&k->text, "})");
    t_puts(&k->text, annotations[s->what][0] != '\0' ? "  # " : "");
    t_puts(&k->text, annotations[s->what]);
    t_puts(&k->text, s->what == WHAT_PLAIN && s->element == 4u ? " mutates=0" : "");
    t_puts(&k->text, "\n");
}

static void write_module(maker *k)
{
    uint32_t const blocks = 2u + t_below(k->rng, 4u);
    uint32_t const noise = t_chance(k->rng, 50u) ? 0u : 8u;
    uint32_t i;
    uint32_t b;
    k->last = GSP_NONE;
    k->n_steps = 1u + t_below(k->rng, MAX_BLOCK);
    for (i = 0; i < k->n_steps; i++) {
        k->block[i] = any_step(k, i);
    }
    t_puts(&k->text,
        "module main\ngraph():\n    %x : [num_users=0] = placeholder[target=x]  # f32[2]\n"
        "    %y : [num_users=0] = placeholder[target=y]  # tuple(f32[2], f32[2])\n"
        "    %w : [num_users=0] = get_attr[target=m.w]  # f32[2] storage=s\n");
    for (b = 0; b < blocks; b++) {
        uint32_t const first = k->n;
        for (i = 0; i < k->n_steps; i++) {
            step const other = any_step(k, i);
            put_step(k, first, t_chance(k->rng, noise) ? &other : &k->block[i]);
        }
        k->last = first + t_below(k->rng, k->n_steps);
        if (t_chance(k->rng, 30u)) { /* reads from outside of all blocks */
            step outside = any_step(k, k->n);
            put_step(k, 0u, &outside);
        }
    }
    t_puts(&k->text, "    return (");
    for (i = 0; i < k->n; i++) {
        if (i + 1u == k->n || t_chance(k->rng, 30u)) {
            t_puts(&k->text, "n");
            t_number(&k->text, i);
            t_puts(&k->text, i + 1u == k->n ? ",)\n" : ", ");
        }
    }
    t_puts(&k->text, "module sub\ngraph():\n    %p : [num_users=0] = placeholder[target=p]\n"
                     "    %q : [num_users=0] = placeholder[target=q]\n    return (p, q)\n");
}

t_string oracle_blocks_text(t_rng *rng)
{
    maker k;
    memset(&k, 0, sizeof(k));
    k.rng = rng;
    write_module(&k);
    return k.text;
}

/* 0 for an element that is not there, or calls of a graph with different forms. */
static int can_run(const gsp_graph *g)
{
    gsp_exec_plan plan;
    gsp_arena arena;
    gsp_status status;
    t_arena_open(&arena, gsp_exec_plan_bound(g, NULL));
    status = gsp_exec_plan_run(&arena, g, NULL, &plan, NULL);
    t_arena_close(&arena);
    return status == GSP_OK;
}

/* 1 if %sub returns what it gets, an aggregate, though the TYPE of its call lists tensors. Two
 * calls of what replaces such nodes may then differ in form. */
static int has_wrong_type(const gsp_graph *g)
{
    int found = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *const inputs = gsp_node_inputs(g, v, &n);
        for (uint32_t i = 0; i < n && gsp_node_op(g, v) == GSP_OP_CALL_MODULE; i++) {
            found |= gsp_node_value_kind(g, inputs[i]) == GSP_VALUE_AGGREGATE;
        }
    }
    return found;
}

int oracle_run_dedup(const gsp_module *module, const gsp_module *made)
{
    gsp_graph const g = gsp_module_graph(module, 0u);
    gsp_graph const root = gsp_module_graph(made, 0u);
    int const runs = can_run(&g) && (can_run(&root) || !has_wrong_type(&g));
    if (runs) {
        (void)oracle_run_equal(module, made, NULL);
    }
    return runs;
}

static uint32_t check_module(t_rng *rng, const gsp_module *module)
{
    gsp_graph const g = gsp_module_graph(module, 0u);
    gsp_dedup_desc desc;
    gsp_dedup_result result;
    gsp_error err;
    gsp_arena arena;
    gsp_status status;
    uint32_t calls = 0;
    memset(&desc, 0, sizeof(desc));
    desc.hash_bits = t_below(rng, 3u);
    t_arena_open(&arena, gsp_dedup_bound(&g, &desc));
    status = gsp_dedup_run(&arena, &g, &desc, &result, &err);
    if (status == GSP_OK) {
        gsp_module opened;
        gsp_module const *const made = &result.module;
        T_EQUAL(gsp_module_open(&opened, made->block, made->block_size, 0, NULL), GSP_OK);
        calls = oracle_run_dedup(module, made) ? result.selection.n_calls : 0u;
    } else {
        T_CHECK(err.detail == GSP_DETAIL_POSITION || err.detail == GSP_DETAIL_OUTPUTS ||
                err.detail == GSP_DETAIL_DEPENDENCES);
        T_EQUAL(arena.low + arena.high, 0u);
    }
    t_arena_close(&arena);
    return calls;
}

static void test_blocks(void)
{
    uint32_t const rounds = t_fast ? 3000u : 20000u;
    t_rng rng;
    uint32_t replaced = 0;
    uint32_t i;
    rng.state = t_seed ^ 0xDEDu;
    for (i = 0; i < rounds && !t_failed(); i++) {
        t_string text = oracle_blocks_text(&rng);
        gsp_arena arena;
        gsp_module module;
        if (t_must_read(&arena, text.data, &module)) {
            replaced += check_module(&rng, &module) != 0u ? 1u : 0u;
        }
        if (t_failed()) {
            printf("%s", text.data);
        }
        t_arena_close(&arena);
        t_free(&text);
    }
    T_CHECK(replaced > rounds / 20u);
}

void suite_oracle_dedup_equal(void)
{
    t_run("blocks", test_blocks);
}
