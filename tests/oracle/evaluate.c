/* What a module computes, on symbols: every value is interned by its structure (operation,
 * target, class, argument values), so that two modules compute the same when they return the
 * same id. */
#include "tests/oracle/oracle.h"

/* First word of a key; kinds of containers are gsp_arg_kind values and stay below. */
enum { KEY_TEXT = 100, KEY_INPUT, KEY_ATTRIBUTE, KEY_CALL, KEY_NAMED };

/* Ids stand above all first words: an id is the offset of its key and this. */
#define ID_BASE 1000u

void oracle_values_open(oracle_values *v)
{
    memset(v, 0, sizeof(*v));
    v->mask = 1023u;
    v->table = (size_t *)t_alloc((v->mask + 1u) * sizeof(size_t));
    v->capacity = 4096u;
    v->keys = (uint32_t *)t_alloc(v->capacity * sizeof(uint32_t));
    oracle_values_reset(v);
}

void oracle_values_reset(oracle_values *v)
{
    memset(v->table, 0, (v->mask + 1u) * sizeof(size_t));
    v->n_keys = 0;
    v->used = 0;
}

void oracle_values_close(oracle_values *v)
{
    free(v->table);
    free(v->keys);
}

static size_t hash_of(const uint32_t *key, uint32_t n)
{
    uint64_t h = UINT64_C(1469598103934665603);
    uint32_t i;
    for (i = 0; i < n; i++) {
        h = (h ^ key[i]) * UINT64_C(1099511628211);
        h ^= h >> 29;
    }
    return (size_t)h;
}

static size_t *slot(const oracle_values *v, const uint32_t *key, uint32_t n)
{
    size_t at = hash_of(key, n) & v->mask;
    while (v->table[at] != 0u) {
        const uint32_t *const k = v->keys + (v->table[at] - 1u);
        if (k[0] == n && memcmp(k + 1, key, n * sizeof(uint32_t)) == 0) {
            break;
        }
        at = (at + 1u) & v->mask;
    }
    return &v->table[at];
}

static void grow_table(oracle_values *v)
{
    size_t at;
    size_t const mask = 4u * v->mask + 3u;
    free(v->table);
    v->table = (size_t *)t_alloc((mask + 1u) * sizeof(size_t));
    memset(v->table, 0, (mask + 1u) * sizeof(size_t));
    v->mask = mask;
    for (at = 0; at < v->n_keys; at += v->keys[at] + 1u) {
        *slot(v, v->keys + at + 1u, v->keys[at]) = at + 1u;
    }
}

/* The id of a key: the same for the same words. */
static uint32_t intern(oracle_values *v, const uint32_t *key, uint32_t n)
{
    size_t *s = slot(v, key, n);
    size_t id = *s;
    if (id != 0u) {
        return ID_BASE + (uint32_t)(id - 1u);
    }
    if (v->capacity < v->n_keys + n + 1u) {
        v->capacity = 2u * v->capacity + n;
        v->keys = (uint32_t *)realloc(v->keys, v->capacity * sizeof(uint32_t));
    }
    v->keys[v->n_keys] = n;
    memcpy(v->keys + v->n_keys + 1u, key, n * sizeof(uint32_t));
    id = v->n_keys;
    *s = id + 1u;
    v->n_keys += n + 1u;
    if (2u * ++v->used > v->mask) {
        grow_table(v);
    }
    return ID_BASE + (uint32_t)id;
}

static uint32_t text_value(oracle_values *v, gsp_str text)
{
    uint32_t words[64];
    uint32_t n = 2;
    uint32_t i;
    words[0] = KEY_TEXT;
    words[1] = text.size;
    for (i = 0; i < text.size; i++) {
        if (n == 64u) { /* a long text is a chain of chunks */
            words[1] = intern(v, words, n);
            n = 2;
        }
        words[n++] = (unsigned char)text.data[i];
    }
    return intern(v, words, n);
}

/* ---- one graph ---- */

typedef struct frame {
    oracle_values *v;
    const gsp_graph *graph;
    uint32_t *env; /* [n_nodes] */
    uint32_t *stack;
    uint32_t *marks; /* positions of open containers on the stack */
    uint32_t n_stack;
    uint32_t n_marks;
} frame;

static void push(frame *f, uint32_t value)
{
    f->stack[f->n_stack++] = value;
}

/* `key: value` becomes one element once its value stands. */
static void name_value(frame *f)
{
    uint32_t words[3];
    while (f->n_stack >= 3u && f->stack[f->n_stack - 3u] == KEY_NAMED) {
        words[0] = KEY_NAMED;
        words[1] = f->stack[f->n_stack - 2u];
        words[2] = f->stack[f->n_stack - 1u];
        f->n_stack -= 3u;
        push(f, intern(f->v, words, 3u));
    }
}

static void close_container(frame *f)
{
    uint32_t const at = f->marks[--f->n_marks];
    uint32_t const id = intern(f->v, f->stack + at, f->n_stack - at);
    f->n_stack = at;
    push(f, id);
    name_value(f);
}

/* Leaves the values of all arguments of a node on the stack. */
static void arguments(frame *f, gsp_node node)
{
    uint32_t n;
    uint32_t i;
    const gsp_arg *const args = gsp_node_args(f->graph, node, &n);
    for (i = 0; i < n; i++) {
        gsp_arg const a = args[i];
        if (a.kind == GSP_ARG_CLOSE) {
            close_container(f);
        } else if (a.kind == GSP_ARG_KEY) {
            push(f, KEY_NAMED);
            push(f, text_value(f->v, gsp_module_str(f->graph->module, a.value)));
        } else if (a.kind == GSP_ARG_NODE) {
            push(f, f->env[a.value]);
            name_value(f);
        } else if (a.kind == GSP_ARG_CONSTANT) {
            push(f, text_value(f->v, gsp_module_str(f->graph->module, a.value)));
            name_value(f);
        } else {
            f->marks[f->n_marks++] = f->n_stack;
            push(f, a.kind);
        }
    }
}

static uint32_t evaluate(oracle_values *v, const gsp_module *module, uint32_t id,
    const uint32_t *inputs, uint32_t n_inputs);

/* `operator.getitem` of a tuple that a submodule returned: the element, else 0. */
static uint32_t element(frame *f, gsp_node node, uint32_t at)
{
    uint32_t n;
    uint64_t i;
    const gsp_arg *const args = gsp_node_args(f->graph, node, &n);
    const uint32_t *tuple;
    if (n != 2u || args[0].kind != GSP_ARG_NODE || args[1].kind != GSP_ARG_CONSTANT ||
        !gsp_str_equal(gsp_node_target(f->graph, node), gsp_str_of("operator.getitem")) ||
        !gsp_str_number(gsp_module_str(f->graph->module, args[1].value), &i)) {
        return 0;
    }
    tuple = f->v->keys + (f->stack[at] - ID_BASE);
    return tuple[1] == GSP_ARG_TUPLE && i + 1u < tuple[0] ? tuple[2u + i] : 0u;
}

static uint32_t call(frame *f, gsp_node node)
{
    uint32_t const at = f->n_stack;
    uint32_t id;
    uint32_t child = GSP_NONE;
    gsp_op const op = gsp_node_op(f->graph, node);
    push(f, KEY_CALL);
    push(f, (uint32_t)op);
    push(f, text_value(f->v, gsp_node_target(f->graph, node)));
    push(f, text_value(f->v, gsp_node_class(f->graph, node)));
    arguments(f, node);
    if (op == GSP_OP_CALL_MODULE) {
        child = gsp_module_find_graph(
            f->graph->module, f->graph->module->target[f->graph->first + node]);
    }
    if (child != GSP_NONE) {
        id = evaluate(f->v, f->graph->module, child, f->stack + at + 4u, f->n_stack - at - 4u);
    } else {
        id = op == GSP_OP_CALL_FUNCTION && f->n_stack == at + 6u ? element(f, node, at + 4u) : 0u;
        id = id != 0u ? id : intern(f->v, f->stack + at, f->n_stack - at);
    }
    f->n_stack = at;
    return id;
}

static uint32_t named(frame *f, uint32_t what, gsp_node node)
{
    uint32_t words[2];
    words[0] = what;
    words[1] = text_value(f->v, gsp_node_target(f->graph, node));
    return intern(f->v, words, 2u);
}

/* Ids of all nodes of a graph in turn; the value of its return, 0 if the inputs do not fit.
 * Submodules do not nest in what the tests make, so one call deep is all the recursion there is. */
static uint32_t evaluate(oracle_values *v, const gsp_module *module, uint32_t id,
    const uint32_t *inputs, uint32_t n_inputs)
{
    gsp_graph const graph = gsp_module_graph(module, id);
    size_t const room = module->counts.args + 8u;
    frame f;
    gsp_node node;
    uint32_t result = 0;
    uint32_t met = 0;
    memset(&f, 0, sizeof(f));
    f.v = v;
    f.graph = &graph;
    f.env = (uint32_t *)t_alloc((graph.n_nodes + 3u * room) * sizeof(uint32_t));
    f.stack = f.env + graph.n_nodes;
    f.marks = f.stack + 2u * room;
    for (node = 0; node < graph.n_nodes; node++) {
        gsp_op const op = gsp_node_op(&graph, node);
        if (op == GSP_OP_PLACEHOLDER && inputs != NULL) {
            f.env[node] = met < n_inputs ? inputs[met] : 0u;
            met++;
        } else if (op == GSP_OP_PLACEHOLDER) {
            f.env[node] = named(&f, KEY_INPUT, node);
        } else if (op == GSP_OP_GET_ATTR) {
            f.env[node] = named(&f, KEY_ATTRIBUTE, node);
        } else if (op == GSP_OP_OUTPUT) {
            arguments(&f, node);
            result = f.n_stack == 1u ? f.stack[0] : 0u;
        } else {
            f.env[node] = call(&f, node);
        }
    }
    free(f.env);
    return inputs != NULL && met != n_inputs ? 0u : result;
}

size_t oracle_evaluate(oracle_values *v, const gsp_module *module)
{
    return evaluate(v, module, 0u, NULL, 0u);
}
