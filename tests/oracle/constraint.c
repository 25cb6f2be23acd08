/* Constraints of a table line, against an evaluator over values that were never text: random nodes
 * with arguments, types and attributes, random constraints on them. */
#include "tests/t.h"

#define ITEMS 4u
#define ARGS  4u

/* The value of a term: items, each an integer or a word; n is 0 if unknown. */
typedef struct value {
    uint32_t n;
    int numbers[ITEMS];
    const char *words[ITEMS]; /* NULL for the number */
} value;

typedef struct tensor {
    int is_none; /* no node stands in this argument */
    int is_attr;
    value dtype;
    value shape;
    value rank;
    value scale;
} tensor;

/* One node, and one constraint on it. */
typedef struct question {
    t_rng rng;
    t_string graph;
    t_string constraint;
    tensor args[ARGS];
    uint32_t n_args;
    tensor out;
    value stride;
    value act;
} question;

static value number(int n)
{
    value v = {1u, {0}, {NULL}};
    v.numbers[0] = n;
    return v;
}

static value word(const char *text)
{
    value v = {1u, {0}, {NULL}};
    v.words[0] = text;
    return v;
}

static void put_items(t_string *to, const value *v, const char *between)
{
    uint32_t i;
    for (i = 0; i < v->n; i++) {
        t_puts(to, i == 0 ? "" : between);
        if (v->words[i] != NULL) {
            t_puts(to, v->words[i]);
        } else {
            t_puts(to, v->numbers[i] < 0 ? "-" : "");
            t_number(to, (uint32_t)abs(v->numbers[i]));
        }
    }
}

/* ---- the node ---- */

/* Gives a tensor a type and a scale, and prints them as an annotation. */
static void random_tensor(question *q, tensor *t)
{
    static const char *const dtypes[] = {"f32", "qi8", "i32"};
    uint32_t i;
    memset(t, 0, sizeof(*t));
    t_puts(&q->graph, "  # ");
    if (!t_chance(&q->rng, 15u)) {
        t->dtype = word(dtypes[t_below(&q->rng, 3u)]);
        t_puts(&q->graph, t->dtype.words[0]);
        if (t_chance(&q->rng, 10u)) {
            t_puts(&q->graph, "[?]");
            t->dtype.n = 0;
        } else {
            t->shape.n = t_below(&q->rng, ITEMS + 1u);
            t->rank = number((int)t->shape.n);
            for (i = 0; i < t->shape.n; i++) {
                t->shape.numbers[i] = 1 + (int)t_below(&q->rng, 3u);
                t->shape.words[i] = t_chance(&q->rng, 10u) ? "s0" : NULL;
            }
            t_puts(&q->graph, "[");
            put_items(&q->graph, &t->shape, ", ");
            t_puts(&q->graph, "]");
        }
    }
    if (t_chance(&q->rng, 50u)) {
        t->scale = t_chance(&q->rng, 50u) ? word("0.5") : number((int)t_below(&q->rng, 3u));
        t_puts(&q->graph, " scale=");
        put_items(&q->graph, &t->scale, ",");
    }
}

static void random_arguments(question *q)
{
    uint32_t i;
    q->n_args = t_below(&q->rng, ARGS + 1u);
    for (i = 0; i < q->n_args; i++) {
        int const is_attr = t_chance(&q->rng, 50u);
        if (t_chance(&q->rng, 15u)) {
            memset(&q->args[i], 0, sizeof(q->args[i]));
            q->args[i].is_none = 1;
            continue;
        }
        t_puts(&q->graph, "    %a");
        t_number(&q->graph, i);
        t_puts(&q->graph, is_attr ? " : [num_users=1] = get_attr[target=a"
                                  : " : [num_users=1] = placeholder[target=a");
        t_number(&q->graph, i);
        t_puts(&q->graph, "]");
        random_tensor(q, &q->args[i]);
        q->args[i].is_attr = is_attr;
        t_puts(&q->graph, "\n");
    }
}

/* `stride` is a keyword argument or an annotation, `act` an annotation. */
static void random_node(question *q)
{
    static const char *const acts[] = {"relu", "none", "max"};
    int const keyword = t_chance(&q->rng, 50u);
    uint32_t i;
    t_puts(&q->graph, "graph():\n");
    random_arguments(q);
    memset(&q->stride, 0, sizeof(q->stride));
    memset(&q->act, 0, sizeof(q->act));
    q->stride.n = t_below(&q->rng, 4u);
    for (i = 0; i < q->stride.n; i++) {
        q->stride.numbers[i] = (int)t_below(&q->rng, 5u) - 1;
    }
    t_puts(&q->graph, "    %v : [num_users=1] = call_function[target=op](args = (");
    for (i = 0; i < q->n_args; i++) {
        t_puts(&q->graph, q->args[i].is_none ? "None" : "%a");
        if (!q->args[i].is_none) {
            t_number(&q->graph, i);
        }
        t_puts(&q->graph, i + 1u < q->n_args ? ", " : q->n_args == 1u ? "," : "");
    }
    t_puts(&q->graph, "), kwargs = {");
    if (keyword && q->stride.n > 0) {
        t_puts(&q->graph, q->stride.n == 1u ? "stride: " : "stride: [");
        put_items(&q->graph, &q->stride, ", ");
        t_puts(&q->graph, q->stride.n == 1u ? "" : "]");
    }
    t_puts(&q->graph, "})");
    random_tensor(q, &q->out);
    if (!keyword && q->stride.n > 0) {
        t_puts(&q->graph, " stride=");
        put_items(&q->graph, &q->stride, "x");
    }
    if (t_chance(&q->rng, 70u)) {
        q->act = word(acts[t_below(&q->rng, 3u)]);
        t_puts(&q->graph, " act=");
        put_items(&q->graph, &q->act, "");
    }
    t_puts(&q->graph, "\n    return v\n");
}

/* ---- the constraint ---- */

/* A tensor by its name; NULL for an absent argument. */
static const tensor *random_operand(question *q)
{
    uint32_t const i = t_below(&q->rng, ARGS + 1u);
    if (i == ARGS) {
        t_puts(&q->constraint, "out");
        return &q->out;
    }
    t_number(&q->constraint, i);
    return i >= q->n_args || q->args[i].is_none ? NULL : &q->args[i];
}

/* Prints a term about a tensor, and evaluates it; 0 for an absent argument. */
static int random_call(question *q, value *v)
{
    static const char *const names[] = {"rank(", "dim(", "shape(", "dtype(", "scale("};
    uint32_t const which = t_below(&q->rng, 5u);
    const tensor *t;
    memset(v, 0, sizeof(*v));
    t_puts(&q->constraint, names[which]);
    t = random_operand(q);
    if (t != NULL) {
        *v = which == 0u   ? t->rank
             : which == 1u ? t->shape
             : which == 2u ? t->shape
             : which == 3u ? t->dtype
                           : t->scale;
    }
    if (which == 1u) {
        int const d = (int)t_below(&q->rng, 5u) - 2;
        int const at = t == NULL ? 0 : d < 0 ? d + (int)t->shape.n : d;
        value one = number(0);
        t_puts(&q->constraint, d < 0 ? ",-" : ",");
        t_number(&q->constraint, (uint32_t)abs(d));
        one.n = at >= 0 && at < (int)v->n ? 1u : 0u;
        if (one.n != 0u) {
            one.numbers[0] = v->numbers[at];
            one.n = v->words[at] == NULL ? 1u : 0u; /* s0 is no number */
        }
        *v = one;
    }
    t_puts(&q->constraint, ")");
    return t != NULL;
}

static int random_left(question *q, value *v)
{
    switch (t_below(&q->rng, 5u)) {
    case 0:
        t_puts(&q->constraint, "stride");
        *v = q->stride;
        return 1;
    case 1:
        t_puts(&q->constraint, "act");
        *v = q->act;
        return 1;
    case 2: {
        int const rank = t_chance(&q->rng, 50u);
        const tensor *t = q->n_args == 0 || q->args[0].is_none ? NULL : &q->args[0];
        t_puts(&q->constraint, rank ? "rank" : "batch");
        memset(v, 0, sizeof(*v));
        if (t != NULL) {
            *v = rank ? t->rank : t->shape;
            v->n = v->n > 1u ? 1u : v->n;
            v->n = !rank && v->words[0] != NULL ? 0u : v->n;
        }
        return t != NULL;
    }
    default:
        return random_call(q, v);
    }
}

static value random_items(question *q, uint32_t least)
{
    static const char *const words[] = {"relu", "none", "max", "f32", "0.5", "qi8"};
    value v = {0u, {0}, {NULL}};
    v.n = least + t_below(&q->rng, 3u);
    int const is_word = t_chance(&q->rng, 30u);
    for (uint32_t i = 0; i < v.n; i++) {
        v.numbers[i] = (int)t_below(&q->rng, 5u) - 1;
        v.words[i] = is_word ? words[t_below(&q->rng, 6u)] : NULL;
    }
    return v;
}

/* ---- the slow evaluator ---- */

/* Items as they compare: words such as "max" split at x. Sets *left, *right: a pair; 0 after the
 * last. */
static int same_item(const value *a, uint32_t i, const value *b, uint32_t k)
{
    if (a->words[i] == NULL || b->words[k] == NULL) {
        return a->words[i] == NULL && b->words[k] == NULL && a->numbers[i] == b->numbers[k];
    }
    return strcmp(a->words[i], b->words[k]) == 0;
}

/* 1, 0, or -1 for unknown. The first pair that does not hold decides. */
static int compare(const char *op, const value *a, const value *b)
{
    uint32_t i;
    int in = strcmp(op, " in ") == 0;
    if (a->n == 0 || b->n == 0) {
        return -1;
    }
    for (i = 0; i < a->n || (!in && b->n > 1u && i < b->n); i++) {
        uint32_t k = b->n == 1u || in ? 0u : i;
        if (in) {
            while (k < b->n && !same_item(a, i, b, k)) {
                k++;
            }
            if (k == b->n) {
                return 0;
            }
        } else if (op[0] == '=') {
            if (i >= a->n || k >= b->n || !same_item(a, i, b, k)) {
                return 0;
            }
        } else if (i >= a->n || k >= b->n || a->words[i] != NULL || b->words[k] != NULL) {
            return -1;
        } else if (op[0] == '<' ? a->numbers[i] > b->numbers[k] : a->numbers[i] < b->numbers[k]) {
            return 0;
        }
    }
    return 1;
}

static int random_constants(question *q)
{
    uint32_t n = 1u + t_below(&q->rng, 3u);
    int holds = 1;
    t_puts(&q->constraint, "const(");
    while (n-- > 0) {
        uint32_t const i = t_below(&q->rng, ARGS);
        holds &= i >= q->n_args || q->args[i].is_none || q->args[i].is_attr;
        t_number(&q->constraint, i);
        t_puts(&q->constraint, n > 0 ? "," : ")");
    }
    return holds;
}

/* Prints a random constraint and says whether it holds. */
static int random_constraint(question *q)
{
    static const char *const ops[] = {"==", "<=", ">=", " in "};
    uint32_t const which = t_below(&q->rng, 4u);
    value left;
    value right;
    int optional;
    int there;
    int holds;
    if (t_chance(&q->rng, 15u)) {
        return random_constants(q);
    }
    there = random_left(q, &left);
    optional = t_chance(&q->rng, 30u);
    t_puts(&q->constraint, optional ? "?" : "");
    t_puts(&q->constraint, ops[which]);
    if (which < 3u && t_chance(&q->rng, 30u)) {
        there &= random_call(q, &right);
    } else {
        right = random_items(q, 1u);
        put_items(&q->constraint, &right, which == 3u ? "," : "x");
    }
    holds = there ? compare(ops[which], &left, &right) : 1;
    return holds < 0 ? optional : holds;
}

/* ---- the question, put to the library ---- */

static int asked(const question *q, const char *table, uint32_t *reason, gsp_str *refused)
{
    gsp_arena arenas[3];
    gsp_module m;
    gsp_graph g;
    gsp_rule rule;
    gsp_accelerator acc = {&rule, 1u};
    gsp_support_desc desc;
    gsp_placement p;
    gsp_why why;
    int takes = -1;
    memset(&rule, 0, sizeof(rule));
    memset(&desc, 0, sizeof(desc));
    rule.kind = GSP_RULE_TABLE;
    desc.accelerators = &acc;
    desc.n_accelerators = 1;
    t_arena_open(&arenas[1], gsp_table_bound(gsp_str_of(table)));
    if (t_must_read(&arenas[0], q->graph.data, &m) &&
        T_EQUAL(gsp_table_read(&arenas[1], gsp_str_of(table), &rule.table, NULL), GSP_OK)) {
        gsp_node v;
        g = gsp_module_graph(&m, 0u);
        v = g.n_nodes - 2u;
        t_arena_open(&arenas[2], gsp_support_bound(&g, &desc));
        if (T_EQUAL(gsp_support_run(&arenas[2], &g, &desc, &p, NULL), GSP_OK) &&
            T_EQUAL(gsp_support_why(&g, &desc, v, 1u, &why, NULL), GSP_OK)) {
            takes = p.kind[v];
            *reason = p.reason[v];
            *refused = why.constraint;
            T_EQUAL(why.takes, takes);
        }
        t_arena_close(&arenas[2]);
    }
    t_arena_close(&arenas[1]);
    t_arena_close(&arenas[0]);
    return takes;
}

static void test_random(void)
{
    question q;
    uint32_t const n = t_fast ? 2000u : 40000u;
    uint32_t held = 0;
    uint32_t i;
    memset(&q, 0, sizeof(q));
    q.rng.state = t_seed;
    for (i = 0; i < n && !t_failed(); i++) {
        uint32_t k = 1u + t_below(&q.rng, 3u);
        size_t first = 0; /* the first that fails, in the line */
        size_t end = 0;
        uint32_t reason = 0;
        gsp_str refused = {NULL, 0};
        int holds = 1;
        q.graph.size = q.constraint.size = 0;
        random_node(&q);
        t_puts(&q.constraint, t_chance(&q.rng, 50u) ? "op " : "o* ");
        while (k-- > 0) {
            size_t const begin = q.constraint.size;
            if (!random_constraint(&q) && holds) {
                holds = 0;
                first = begin;
                end = q.constraint.size;
            }
            t_puts(&q.constraint, k > 0 ? "  " : "\n");
        }
        if (!T_EQUAL(asked(&q, q.constraint.data, &reason, &refused), holds) ||
            !T_EQUAL(reason, holds ? GSP_REASON_SUPPORTED : GSP_REASON_DTYPE) ||
            !T_CHECK(
                holds || (refused.size >= end - first &&
                             memcmp(refused.data, q.constraint.data + first, end - first) == 0))) {
            printf("%s%s%.*s\n", q.graph.data, q.constraint.data, (int)refused.size, refused.data);
        }
        held += (uint32_t)holds;
    }
    T_CHECK(held > n / 8u && held < n - n / 8u);
    free(q.graph.data);
    free(q.constraint.data);
}

/* ---- forms: a node that is like an accepted one is accepted unseen ---- */

#define NODES 30u

static void put_one_of(t_string *to, t_rng *r, const char *const *texts, uint32_t n)
{
    t_puts(to, texts[t_below(r, n)]);
}

/* Nodes of few forms; what the forms leave out differs, too. */
static void random_forms(t_rng *r, t_string *graph)
{
    static const char *const targets[] = {"op](args = (", "op2](args = ("};
    static const char *const ends[] = {"), kwargs = {})", "), kwargs = {stride: 1})",
        "), kwargs = {stride: [1, 2]})", ", 1), kwargs = {act: relu})",
        "), kwargs = {id: 1, stride: 2})", "), kwargs = {id: 2, stride: 2})",
        "), kwargs = {id: 3, stride: 3})"};
    static const char *const types[] = {"  # f32[1, 2]", "  # qi8[1, 2]", "  # f32[2]"};
    static const char *const notes[] = {"", "", " act=relu", " stride=3", " scale=2"};
    uint32_t i;
    graph->size = 0;
    t_puts(graph, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[1, 2]\n"
                  "    %w : [num_users=1] = get_attr[target=w]  # f32[1, 2] scale=1\n");
    for (i = 0; i < NODES; i++) {
        uint32_t inputs = 1u + t_below(r, 2u);
        t_puts(graph, i == 3u ? "    %op" : "    %n");
        t_number(graph, i);
        t_puts(graph, " : [num_users=1] = call_function[target=");
        put_one_of(graph, r, targets, 2u);
        while (inputs-- > 0) {
            uint32_t const input = t_below(r, i + 2u);
            t_puts(graph, input == i ? "%x" : input > i ? "%w" : input == 3u ? "%op" : "%n");
            if (input < i) {
                t_number(graph, input);
            }
            t_puts(graph, inputs > 0 ? ", " : "");
        }
        put_one_of(graph, r, ends, 7u);
        put_one_of(graph, r, types, 3u);
        put_one_of(graph, r, notes, 5u);
        t_puts(graph, "\n");
    }
    t_puts(graph, "    return x\n");
}

static void random_lines(t_rng *r, t_string *table)
{
    static const char *const names[] = {"op ", "op* ", "op f32 ", "op2 ", "o* qi8 "};
    static const char *const constraints[] = {"stride==1", "stride?<=2", "stride(0)==1",
        "stride(0)?<=2", "act in relu,none", "act(1)?==relu", "scale(0)==2", "const(1)", "rank==2",
        "rank(1)==2", "dtype(0)==f32", "dtype(out)==dtype(0)", "shape(0)==1x2", "scale?==2",
        "bodies: any"};
    uint32_t lines = 1u + t_below(r, 4u);
    table->size = 0;
    while (lines-- > 0) {
        uint32_t n = t_below(r, 3u);
        put_one_of(table, r, names, 5u);
        while (n-- > 0) {
            put_one_of(table, r, constraints, 15u);
            t_puts(table, " ");
        }
        t_puts(table, "\n");
    }
}

/* gsp_support_why() looks at one node and remembers none. */
static uint32_t each_alone(const gsp_graph *g, gsp_str table, uint32_t *taken)
{
    gsp_arena arenas[2];
    gsp_rule rule;
    gsp_accelerator acc = {&rule, 1u};
    gsp_support_desc desc;
    gsp_placement p;
    uint32_t wrong = 0;
    memset(&rule, 0, sizeof(rule));
    memset(&desc, 0, sizeof(desc));
    rule.kind = GSP_RULE_TABLE;
    desc.accelerators = &acc;
    desc.n_accelerators = 1;
    t_arena_open(&arenas[0], gsp_table_bound(table));
    t_arena_open(&arenas[1], gsp_support_bound(g, &desc));
    if (T_EQUAL(gsp_table_read(&arenas[0], table, &rule.table, NULL), GSP_OK) &&
        T_EQUAL(gsp_support_run(&arenas[1], g, &desc, &p, NULL), GSP_OK)) {
        gsp_node v;
        for (v = 2u; v + 1u < g->n_nodes; v++) {
            gsp_why why;
            T_EQUAL(gsp_support_why(g, &desc, v, 1u, &why, NULL), GSP_OK);
            if (why.takes != p.kind[v] ||
                (p.reason[v] == GSP_REASON_DTYPE &&
                    p.culprit[v] != (why.culprit == v ? GSP_NONE : why.culprit))) {
                wrong++;
            }
            *taken += why.takes;
        }
    }
    t_arena_close(&arenas[1]);
    t_arena_close(&arenas[0]);
    return wrong;
}

static void test_forms(void)
{
    t_rng r;
    t_string graph = {NULL, 0, 0};
    t_string table = {NULL, 0, 0};
    uint32_t const n = t_fast ? 500u : 10000u;
    uint32_t taken = 0;
    uint32_t i;
    r.state = t_seed;
    for (i = 0; i < n && !t_failed(); i++) {
        gsp_arena arena;
        gsp_module m;
        random_forms(&r, &graph);
        random_lines(&r, &table);
        if (t_must_read(&arena, graph.data, &m)) {
            gsp_graph const g = gsp_module_graph(&m, 0u);
            if (!T_EQUAL(each_alone(&g, gsp_str_of(table.data), &taken), 0u)) {
                printf("%s%s", graph.data, table.data);
            }
        }
        t_arena_close(&arena);
    }
    T_CHECK(taken > n * NODES / 8u && taken < n * NODES / 8u * 7u);
    free(graph.data);
    free(table.data);
}

void suite_oracle_constraint(void)
{
    t_run("random", test_random);
    t_run("forms", test_forms);
}
