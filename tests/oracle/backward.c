/* Forward and backward of random small networks, cut into stages and run by the root that
 * gsp_backward_run() makes, against a tape over the whole graph. Numbers are vectors over the
 * integers mod 2^64, so that sums in any order are equal to the bit. */
#include "tests/oracle/oracle.h"

#define MOST  48u /* nodes of a network, and twice that of a root */
#define ROOT  (8u * MOST)
#define WIDTH 3u

typedef struct vector {
    uint64_t x[WIDTH];
} vector;

/* Parameters by name: attributes w0 ..., called modules m0 .... */
#define PARAMS 12u

static vector plus(vector a, vector b)
{
    uint32_t i;
    for (i = 0; i < WIDTH; i++) {
        a.x[i] += b.x[i];
    }
    return a;
}

static vector times(vector a, vector b)
{
    uint32_t i;
    for (i = 0; i < WIDTH; i++) {
        a.x[i] *= b.x[i];
    }
    return a;
}

static vector turned(vector a, uint32_t by)
{
    vector r;
    uint32_t i;
    for (i = 0; i < WIDTH; i++) {
        r.x[i] = a.x[(i + by) % WIDTH];
    }
    return r;
}

/* 1 where a number counts as positive. */
static vector mask(vector a)
{
    uint32_t i;
    for (i = 0; i < WIDTH; i++) {
        a.x[i] = 1u - (a.x[i] >> 63);
    }
    return a;
}

static vector all(uint64_t x)
{
    vector r = {{x, x, x}};
    return r;
}

static vector param_value(uint32_t param)
{
    vector r = {{param * 77u + 3u, param * 13u + 5u, param * 29u + 1u}};
    return r;
}

/* The number of a parameter from "w7" or "m7". */
static uint32_t param_of(const gsp_graph *g, gsp_node v)
{
    gsp_str t = gsp_node_target(g, v);
    return (uint32_t)(t.data[t.size - 1u] - '0') + (t.data[0] == 'm' ? PARAMS / 2u : 0u);
}

/* Node arguments, also repeated ones. */
static uint32_t refs_of(const gsp_graph *g, gsp_node v, gsp_node *refs)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        if (args[i].kind == (uint32_t)GSP_ARG_NODE) {
            refs[n++] = args[i].value;
        }
    }
    return n;
}

/* ---- a tape: values forward, gradients backward ---- */

typedef struct tape {
    vector value[MOST];
    vector grad[MOST];
} tape;

static char kind_of(const gsp_graph *g, gsp_node v)
{
    return gsp_node_op(g, v) == GSP_OP_GET_ATTR      ? 'w'
           : gsp_node_op(g, v) == GSP_OP_PLACEHOLDER ? 'x'
           : gsp_node_op(g, v) == GSP_OP_OUTPUT      ? 'y'
                                                     : gsp_node_target(g, v).data[0];
}

static void forward(tape *t, const gsp_graph *g, const vector *inputs)
{
    gsp_node refs[16];
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t n = refs_of(g, v, refs);
        vector a = n > 0 ? t->value[refs[0]] : all(0);
        uint32_t i;
        switch (kind_of(g, v)) {
        case 'x':
            a = *inputs++;
            break;
        case 'w':
            a = param_value(param_of(g, v));
            break;
        case 'm':
            a = times(a, param_value(param_of(g, v)));
            break;
        case 'a': /* add */
            for (i = 1; i < n; i++) {
                a = plus(a, t->value[refs[i]]);
            }
            break;
        case 'p': /* product */
            for (i = 1; i < n; i++) {
                a = times(a, t->value[refs[i]]);
            }
            break;
        case 't': /* turn */
            a = turned(a, 1u);
            break;
        case 'r': /* relu */
        default:
            a = times(a, mask(a));
            break;
        }
        t->value[v] = a;
    }
}

/* Takes t->grad, zero but for what is differentiated, through the graph. */
static void backward(tape *t, const gsp_graph *g, vector *params)
{
    gsp_node refs[16];
    gsp_node v;
    for (v = g->n_nodes - 1u; v-- > 0;) {
        uint32_t n = refs_of(g, v, refs);
        vector d = t->grad[v];
        uint32_t i;
        uint32_t k;
        switch (kind_of(g, v)) {
        case 'w':
            params[param_of(g, v)] = plus(params[param_of(g, v)], d);
            break;
        case 'm':
            params[param_of(g, v)] = plus(params[param_of(g, v)], times(d, t->value[refs[0]]));
            t->grad[refs[0]] = plus(t->grad[refs[0]], times(d, param_value(param_of(g, v))));
            break;
        case 'a':
            for (i = 0; i < n; i++) {
                t->grad[refs[i]] = plus(t->grad[refs[i]], d);
            }
            break;
        case 'p':
            for (i = 0; i < n; i++) {
                vector rest = d;
                for (k = 0; k < n; k++) {
                    rest = k == i ? rest : times(rest, t->value[refs[k]]);
                }
                t->grad[refs[i]] = plus(t->grad[refs[i]], rest);
            }
            break;
        case 't':
            t->grad[refs[0]] = plus(t->grad[refs[0]], turned(d, WIDTH - 1u));
            break;
        case 'r':
            t->grad[refs[0]] = plus(t->grad[refs[0]], times(d, mask(t->value[refs[0]])));
            break;
        case 'x':
        default:
            break;
        }
    }
}

/* ---- random networks ---- */

static t_string random_text(t_rng *rng, uint32_t n, uint32_t *loss)
{
    static const char *const targets[] = {"add", "product", "turn", "relu"};
    t_string s = {0};
    int usable[MOST] = {0};
    uint32_t calls = 0;
    uint32_t v;
    t_puts(&s, "graph():\n");
    for (v = 0; v < n; v++) {
        uint32_t die = v < 2u ? 0u : v + 1u == n ? 9u : 1u + t_below(rng, 12u);
        uint32_t i;
        uint32_t refs = 1u + t_below(rng, 3u);
        t_puts(&s, "    %n");
        t_number(&s, v);
        t_puts(&s, " : [num_users=0] = ");
        usable[v] = die != 3u;
        if (die == 0u) {
            t_puts(&s, "placeholder[target=n");
            t_number(&s, v);
            t_puts(&s, "]\n");
            continue;
        }
        if (die <= 2u) {
            t_puts(&s, "get_attr[target=w");
            t_number(&s, t_below(rng, PARAMS / 2u));
            t_puts(&s, "]\n");
            continue;
        }
        if (die == 3u) {
            t_puts(&s, "call_function[target=" GSP_STAGES_MARKER "](args = (), kwargs = {})\n");
            continue;
        }
        calls++;
        t_puts(&s, die == 4u ? "call_module[target=m" : "call_function[target=");
        if (die == 4u) {
            t_number(&s, t_below(rng, PARAMS / 2u));
        } else {
            t_puts(&s, targets[t_below(rng, 4u)]);
        }
        t_puts(&s, "](args = (");
        for (i = 0; i < refs; i++) {
            uint32_t u = t_below(rng, v);
            u = usable[u] ? u : 0u;
            t_puts(&s, i != 0 ? ", %n" : "%n");
            t_number(&s, u);
        }
        t_puts(&s, refs == 1u ? ",), kwargs = {})\n" : "), kwargs = {})\n");
    }
    *loss = n - 1u;
    t_puts(&s, "    return (n");
    t_number(&s, *loss);
    for (v = 0; v < 3u; v++) {
        uint32_t u = t_below(rng, n);
        t_puts(&s, ", n");
        t_number(&s, usable[u] ? u : 1u);
    }
    t_puts(&s, ")\n");
    return s;
}

/* ---- running the root ---- */

typedef struct pipeline {
    const gsp_pipeline_result *made;
    gsp_graph root;
    tape *stage;           /* [stages] */
    vector value[ROOT];    /* by node of the root, of what is no tuple */
    vector params[PARAMS]; /* gradients, summed over the stages */
    vector placeholder[2]; /* gradients, summed over the stages */
} pipeline;

static uint32_t stage_of_call(const pipeline *p, gsp_node call)
{
    uint32_t i;
    for (i = 0; i < p->made->n_stages && p->made->call[i] != call; i++) {
    }
    return i;
}

static gsp_graph graph_of(const pipeline *p, uint32_t stage)
{
    return gsp_module_graph(&p->made->module, stage + 1u);
}

/* Value i that a stage returns; its node there. */
static gsp_node returned(const gsp_graph *g, uint32_t i)
{
    gsp_node refs[MOST];
    return i < refs_of(g, g->n_nodes - 1u, refs) ? refs[i] : GSP_NONE;
}

static void run_stage(pipeline *p, gsp_node call)
{
    uint32_t k = stage_of_call(p, call);
    gsp_graph g = graph_of(p, k);
    gsp_node refs[MOST];
    uint32_t n = refs_of(&p->root, call, refs);
    vector inputs[MOST];
    uint32_t i;
    for (i = 0; i < n; i++) {
        inputs[i] = p->value[refs[i]];
    }
    forward(&p->stage[k], &g, inputs);
    if (returned(&g, 0) != GSP_NONE) {
        p->value[call] = p->stage[k].value[returned(&g, 0)];
    }
}

/* The arguments of a stage_backward: nodes, GSP_NONE for None, or numbers. */
typedef struct list {
    uint32_t n;
    uint32_t item[MOST];
} list;

static void read_keyword(const gsp_graph *g, gsp_node v, const char *key, list *out)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    uint32_t i = 0;
    out->n = 0;
    while (args[i].kind != (uint32_t)GSP_ARG_KEY ||
           !gsp_str_equal(gsp_module_str(g->module, args[i].value), gsp_str_of(key))) {
        i++;
    }
    for (i += 2u; args[i].kind != (uint32_t)GSP_ARG_CLOSE; i++) {
        uint64_t number = GSP_NONE;
        if (args[i].kind == (uint32_t)GSP_ARG_CONSTANT) {
            (void)gsp_str_number(gsp_module_str(g->module, args[i].value), &number);
        }
        out->item[out->n++] =
            args[i].kind == (uint32_t)GSP_ARG_NODE ? args[i].value : (uint32_t)number;
    }
}

/* torch's stage_backward: gradients of what a stage reads, from those of what it returns. */
static void run_backward(pipeline *p, gsp_node v, uint32_t *stage)
{
    list outputs;
    list grads;
    list inputs;
    list live;
    gsp_node refs[MOST];
    gsp_graph g;
    gsp_node call;
    tape *t;
    uint32_t i;
    read_keyword(&p->root, v, "stage_output", &outputs);
    read_keyword(&p->root, v, "output_grads", &grads);
    read_keyword(&p->root, v, "input_values", &inputs);
    read_keyword(&p->root, v, "outputs_with_grads_idxs", &live);
    call = gsp_node_op(&p->root, outputs.item[0]) == GSP_OP_CALL_MODULE
               ? outputs.item[0]
               : gsp_node_inputs(&p->root, outputs.item[0], &i)[0];
    *stage = stage_of_call(p, call);
    t = &p->stage[*stage];
    g = graph_of(p, *stage);
    T_EQUAL(outputs.n, grads.n);
    T_EQUAL(outputs.n, refs_of(&g, g.n_nodes - 1u, refs));
    T_EQUAL(inputs.n, refs_of(&p->root, call, refs));
    T_CHECK(memcmp(refs, inputs.item, inputs.n * sizeof refs[0]) == 0);
    memset(t->grad, 0, sizeof t->grad);
    for (i = 0; i < live.n; i++) {
        uint32_t at = live.item[i];
        gsp_node out = returned(&g, at);
        t->grad[out] =
            plus(t->grad[out], grads.item[at] == GSP_NONE ? all(1u) : p->value[grads.item[at]]);
    }
    for (i = 0; i < grads.n; i++) { /* a gradient only where one is listed */
        uint32_t k;
        for (k = 0; k < live.n && live.item[k] != i; k++) {
        }
        T_CHECK(k < live.n || grads.item[i] == GSP_NONE);
    }
    backward(t, &g, p->params);
}

static void run_getitem(pipeline *p, gsp_node v, const uint32_t *stage_of_backward)
{
    uint32_t count;
    const gsp_arg *args = gsp_node_args(&p->root, v, &count);
    gsp_node from = args[0].value;
    uint64_t index = 0;
    (void)gsp_str_number(gsp_module_str(p->root.module, args[1].value), &index);
    if (gsp_node_op(&p->root, from) == GSP_OP_CALL_MODULE) {
        uint32_t k = stage_of_call(p, from);
        gsp_graph g = graph_of(p, k);
        p->value[v] = p->stage[k].value[returned(&g, (uint32_t)index)];
    } else {
        uint32_t k = stage_of_backward[from];
        gsp_node refs[MOST];
        (void)refs_of(&p->root, p->made->call[k], refs);
        p->value[v] = p->stage[k].grad[index]; /* placeholders are the first nodes of a stage */
        if (refs[index] < 2u) {
            p->placeholder[refs[index]] = plus(p->placeholder[refs[index]], p->value[v]);
        }
    }
}

static void run_root(pipeline *p, const vector *inputs)
{
    uint32_t stage_of_backward[ROOT] = {0};
    gsp_node refs[16];
    gsp_node v;
    for (v = 0; v + 1u < p->root.n_nodes; v++) {
        gsp_str target = gsp_node_target(&p->root, v);
        switch (gsp_node_op(&p->root, v)) {
        case GSP_OP_PLACEHOLDER:
            p->value[v] = inputs[v];
            break;
        case GSP_OP_GET_ATTR:
            p->value[v] = param_value(param_of(&p->root, v));
            break;
        case GSP_OP_CALL_MODULE:
            run_stage(p, v);
            break;
        case GSP_OP_NONE:
        case GSP_OP_CALL_METHOD:
        case GSP_OP_OUTPUT:
        case GSP_OP_COUNT:
        case GSP_OP_FORCE_U32:
        case GSP_OP_CALL_FUNCTION:
        default:
            if (gsp_str_equal(target, gsp_str_of("operator.getitem"))) {
                run_getitem(p, v, stage_of_backward);
            } else if (gsp_str_equal(target, gsp_str_of(GSP_BACKWARD_STAGE))) {
                run_backward(p, v, &stage_of_backward[v]);
            } else {
                T_EQUAL(refs_of(&p->root, v, refs), 2);
                p->value[v] = plus(p->value[refs[0]], p->value[refs[1]]);
            }
            break;
        }
    }
}

/* ---- the test ---- */

static int same(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

/* 1 when no node of the stage of v reads it: its gradient comes from other stages alone. */
static int reads_are_outside(const gsp_graph *g, const uint32_t *stage_of, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(g, v, &n);
    for (; n > 0 && stage_of[users[n - 1u]] != stage_of[v]; n--) {
    }
    return n == 0;
}

/* What the pipeline returns and its gradients against the tape of the whole graph. */
static void compare(const gsp_graph *g, pipeline *p, const gsp_backward_result *back, uint32_t loss)
{
    static const vector inputs[2] = {{{3u, 5u, 7u}}, {{11u, (uint64_t)0u - 13u, 17u}}};
    vector params[PARAMS] = {{{0}}};
    gsp_node refs[16];
    gsp_node made[16];
    tape t = {{{{0}}}, {{{0}}}};
    uint32_t i;
    run_root(p, inputs);
    forward(&t, g, inputs);
    t.grad[loss] = all(1u);
    backward(&t, g, params);
    T_EQUAL(refs_of(g, g->n_nodes - 1u, refs), refs_of(&p->root, p->root.n_nodes - 1u, made));
    for (i = 0; i < 4u; i++) {
        T_CHECK(same(&t.value[refs[i]], &p->value[made[i]], sizeof(vector)));
    }
    T_CHECK(same(params, p->params, sizeof params));
    T_CHECK(same(t.grad, p->placeholder, sizeof p->placeholder));
    T_EQUAL(back->loss, made[0]);
    for (i = 0; i < 4u; i++) {
        if (gsp_node_is_callable(g, refs[i]) && back->grad_of[made[i]] != GSP_NONE &&
            reads_are_outside(g, p->made->stage_of, refs[i])) {
            T_CHECK(same(&t.grad[refs[i]], &p->value[back->grad_of[made[i]]], sizeof(vector)));
        }
    }
}

static void check_one(t_rng *rng, uint32_t n)
{
    gsp_stages_from_marks_desc marks = {0};
    gsp_pipeline_desc desc = {0};
    gsp_stages_from_marks_result cut;
    gsp_pipeline_result made;
    gsp_backward_result back;
    gsp_arena input;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    gsp_error err;
    uint32_t loss;
    t_string text = random_text(rng, n, &loss);
    pipeline *p = (pipeline *)t_alloc(sizeof *p);
    memset(p, 0, sizeof *p);
    if (t_must_read(&input, text.data, &module)) {
        g = gsp_module_graph(&module, 0);
        t_arena_open(&arena, (size_t)1 << 22);
        desc.params.multi_use = t_below(rng, 2u);
        desc.keep_targets = 1;
        if (T_CHECK(gsp_stages_from_marks_run(&arena, &g, &marks, &cut, &err) == GSP_OK)) {
            desc.params.stage_of = cut.stage_of;
            T_CHECK(gsp_pipeline_run(&arena, &g, &desc, &made, &err) == GSP_OK);
        }
        if (!t_failed() && T_CHECK(gsp_backward_run(&arena, &made, NULL, &back, &err) == GSP_OK)) {
            p->made = &made;
            p->root = gsp_module_graph(&back.module, 0);
            p->stage = (tape *)t_alloc(made.n_stages * sizeof(tape));
            memset(p->stage, 0, made.n_stages * sizeof(tape));
            T_CHECK(p->root.n_nodes < ROOT);
            compare(&g, p, &back, loss);
            free(p->stage);
        }
        if (t_failed()) {
            fprintf(stderr, "%s", text.data);
        }
        t_arena_close(&arena);
        t_arena_close(&input);
    }
    free(p);
    t_free(&text);
}

static void test_tape(void)
{
    t_rng rng = {t_seed + 5u};
    uint32_t runs = t_fast ? 200u : 4000u;
    uint32_t i;
    for (i = 0; i < runs && !t_failed(); i++) {
        check_one(&rng, 4u + t_below(&rng, MOST - 8u));
    }
}

void suite_oracle_backward(void)
{
    t_run("tape", test_tape);
}
