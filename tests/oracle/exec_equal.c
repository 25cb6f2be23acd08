/* What a module computes, by running it: a value is a hash of the operation, its target, its
 * constants and its arguments, so two modules compute the same when they give the same hashes. The
 * second witness beside evaluate.c, which shares no code with the library's runner.
 *
 * Values are numbered cells, and a released one is marked: a kernel that is handed a dead value, or
 * a run that loses one, is found out. */
#include "tests/oracle/oracle.h"

#define RUN_LEVELS 64u /* nested containers in TYPE */

typedef struct cell {
    uint64_t hash;
    uint32_t released;
    uint32_t lent; /* an input or an attribute: never released */
} cell;

typedef struct machine {
    cell *cells;
    size_t n;
    size_t capacity;
    int whole;
    const char *ignore; /* keyword argument left out, or NULL */
    const char *why;
} machine;

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return h ^ (h >> 29);
}

static uint64_t mix_text(uint64_t h, gsp_str text, int flatten)
{
    uint32_t i;
    for (i = 0; i < text.size; i++) {
        h = mix(h, flatten && text.data[i] == '.' ? '_' : (unsigned char)text.data[i]);
    }
    return mix(h, 1000u + text.size);
}

static gsp_value new_cell(machine *m, uint64_t hash, uint32_t lent)
{
    cell *c;
    if (m->n == m->capacity) {
        m->capacity = 2u * m->capacity + 64u;
        m->cells = (cell *)realloc(m->cells, m->capacity * sizeof(cell));
    }
    c = &m->cells[m->n++];
    c->hash = hash;
    c->released = 0;
    c->lent = lent;
    return m->n;
}

static uint64_t cell_hash(machine *m, gsp_value value)
{
    if (value == 0u || value > m->n) {
        m->why = "a kernel was handed a value that nobody made";
        return 0;
    }
    if (m->cells[value - 1u].released != 0u) {
        m->why = "a kernel was handed a value that had been released";
    }
    return m->cells[value - 1u].hash;
}

static void release(void *user, gsp_value value)
{
    machine *const m = (machine *)user;
    (void)cell_hash(m, value);
    if (value != 0u && value <= m->n) {
        if (m->cells[value - 1u].lent != 0u) {
            m->why = "a value of the caller was released";
        }
        m->cells[value - 1u].released++;
    }
}

static gsp_str unquoted(gsp_str text)
{
    if (text.size >= 2u && (text.data[0] == '\'' || text.data[0] == '"') &&
        text.data[text.size - 1u] == text.data[0]) {
        text.data++;
        text.size -= 2u;
    }
    return text;
}

/* Tokens [at, end); a list is as good as a tuple, since passes make tuples of what they take
 * apart. */
static uint64_t mix_tokens(machine *m, const gsp_call *call, uint64_t h, uint32_t at, uint32_t end)
{
    for (; at < end; at++) {
        gsp_arg const a = call->args[at];
        if (a.kind == GSP_ARG_KEY && m->ignore != NULL &&
            gsp_str_equal(gsp_call_str(call, at), gsp_str_of(m->ignore))) {
            at++;
            at += call->args[at].kind >= GSP_ARG_TUPLE ? call->args[at].value : 0u;
            continue;
        }
        h = mix(h, a.kind == GSP_ARG_LIST ? (uint32_t)GSP_ARG_TUPLE : a.kind);
        h = a.kind == GSP_ARG_NODE ? mix(h, cell_hash(m, call->values[at])) : h;
        h = mix_text(h, unquoted(gsp_call_str(call, at)), 0);
    }
    return h;
}

/* The hash of operator.getitem(value, index), as the kernel would give it. */
static uint64_t element_hash(uint64_t value, uint32_t index)
{
    char digits[16];
    uint64_t h = mix(7u, GSP_OP_CALL_FUNCTION);
    snprintf(digits, sizeof(digits), "%u", (unsigned)index);
    h = mix_text(h, gsp_str_of("operator.getitem"), 0);
    h = mix_text(mix(mix(h, GSP_ARG_NODE), value), gsp_str_of(""), 0);
    return mix_text(mix(h, GSP_ARG_CONSTANT), gsp_str_of(digits), 0);
}

/* Results of an aggregate, in the order of TYPE: what getitems of `whole` would be. */
static void elements(machine *m, const gsp_call *call, uint64_t whole)
{
    gsp_str const type = gsp_node_type(&call->graph, call->node);
    uint64_t container[RUN_LEVELS];
    uint32_t index[RUN_LEVELS];
    uint32_t depth = 0;
    uint32_t n = 0;
    uint32_t i = 0;
    while (i < type.size && n < call->n_results && depth + 1u < RUN_LEVELS) {
        gsp_str rest = type;
        rest.data += i;
        rest.size -= i;
        if ((rest.size > 5u && memcmp(rest.data, "tuple(", 6u) == 0) ||
            (rest.size > 4u && memcmp(rest.data, "list(", 5u) == 0)) {
            container[depth] =
                depth == 0u ? whole : element_hash(container[depth - 1u], index[depth - 1u]++);
            index[depth++] = 0;
            i += rest.data[0] == 't' ? 6u : 5u;
        } else if (rest.data[0] == ')') {
            depth--;
            i++;
        } else if (rest.data[0] == ',' || rest.data[0] == ' ') {
            i++;
        } else {
            uint32_t brackets = 0;
            for (; i < type.size && (brackets > 0u || (type.data[i] != ',' && type.data[i] != ')'));
                 i++) {
                brackets += strchr("([", type.data[i]) != NULL ? 1u : 0u;
                brackets -= strchr(")]", type.data[i]) != NULL ? 1u : 0u;
            }
            call->results[n++] =
                new_cell(m, element_hash(container[depth - 1u], index[depth - 1u]++), 0u);
        }
    }
}

static int is_aggregate(gsp_str type)
{
    return memchr(type.data, '(', type.size) != NULL && type.data[0] != 'd' &&
           memchr(type.data, '(', type.size) != type.data + type.size - 2;
}

static gsp_status kernel(void *user, const gsp_call *call)
{
    machine *const m = (machine *)user;
    gsp_op const op = gsp_node_op(&call->graph, call->node);
    uint64_t h = mix(7u, (uint64_t)op);
    if (call->request == GSP_REQUEST_CONSTANT) {
        h = mix_text(mix(9u, GSP_ARG_CONSTANT), unquoted(gsp_call_str(call, 0u)), 0);
        call->results[0] = new_cell(m, h, 0u);
        return GSP_OK;
    }
    h = mix_text(h, gsp_node_target(&call->graph, call->node), op == GSP_OP_CALL_MODULE);
    if (call->request == GSP_REQUEST_ATTR) {
        call->results[0] = new_cell(m, h, 1u);
        return GSP_OK;
    }
    h = mix_tokens(m, call, h, 0u, call->n_args);
    if (m->whole || !is_aggregate(gsp_node_type(&call->graph, call->node))) {
        call->results[0] = new_cell(m, h, 0u);
    } else {
        elements(m, call, h);
    }
    return m->why == NULL ? GSP_OK : GSP_STATUS_EMPTY;
}

/* Plans with room for aggregates as it takes; the arena is of exactly the bound. */
static gsp_status plan(
    gsp_arena *arena, const gsp_graph *graph, gsp_exec_plan_desc *desc, gsp_exec_plan *frames)
{
    for (;;) {
        gsp_error err;
        gsp_status status;
        t_arena_open(arena, gsp_exec_plan_bound(graph, desc));
        status = gsp_exec_plan_run(arena, graph, desc, frames, &err);
        if (status != GSP_STATUS_LIMIT) {
            return status;
        }
        t_arena_close(arena);
        desc->aggregates = (uint32_t)err.need;
    }
}

/* What the values and the structure of the outputs are; every value must be where it belongs. */
static uint64_t outcome(machine *m, const gsp_exec_plan *frames, const gsp_value *outputs)
{
    gsp_call all;
    gsp_value *const values = (gsp_value *)t_alloc((frames->n_output + 1u) * sizeof(gsp_value));
    uint64_t h;
    size_t i;
    memset(&all, 0, sizeof(all));
    all.plan = frames;
    all.graph = frames->graph;
    all.n_args = frames->n_output;
    all.args = frames->output;
    all.values = values;
    for (i = 0; i < frames->n_output; i++) {
        values[i] = frames->output[i].kind == GSP_ARG_NODE ? outputs[frames->output[i].value] : 0u;
    }
    h = mix_tokens(m, &all, 3u, 0u, all.n_args);
    for (i = 0; i < frames->n_outputs; i++) {
        m->cells[outputs[i] - 1u].lent = 1u;
    }
    for (i = 0; i < m->n && m->why == NULL; i++) {
        if (m->cells[i].lent == 0u && m->cells[i].released != 1u) {
            m->why = "a value was not released, or twice";
        }
    }
    free(values);
    return h;
}

/* The outcome of a run in an order; NULL means graph order. */
static uint64_t run_in_order(const gsp_module *module, const gsp_topo_order_result *order,
    int whole, const char *ignore, const char **why)
{
    gsp_graph const graph = gsp_module_graph(module, 0u);
    gsp_exec_plan_desc desc;
    gsp_exec_desc run;
    gsp_exec_plan frames;
    gsp_arena arena;
    machine m;
    gsp_value *values;
    uint64_t h = 0;
    uint32_t i;
    memset(&m, 0, sizeof(m));
    memset(&desc, 0, sizeof(desc));
    memset(&run, 0, sizeof(run));
    m.whole = whole;
    m.ignore = ignore;
    desc.whole = whole ? 1u : 0u;
    desc.order = order != NULL ? order->order : NULL;
    desc.n_order = order != NULL ? order->n_nodes : 0u;
    run.kernel = kernel;
    run.release = release;
    run.user = &m;
    if (plan(&arena, &graph, &desc, &frames) != GSP_OK) {
        *why = "there is no plan";
        t_arena_close(&arena);
        return 0;
    }
    t_arena_close(&arena);
    t_arena_open(&arena, gsp_exec_plan_bound(&graph, &desc) + gsp_exec_bound(&frames));
    (void)gsp_exec_plan_run(&arena, &graph, &desc, &frames, NULL);
    values = (gsp_value *)t_alloc((frames.n_inputs + frames.n_outputs + 1u) * sizeof(gsp_value));
    for (i = 0; i < frames.n_inputs; i++) {
        values[i] = new_cell(&m, mix(5u, i), 1u);
    }
    if (gsp_exec_run(&arena, &frames, &run, values, values + frames.n_inputs, NULL) == GSP_OK) {
        h = outcome(&m, &frames, values + frames.n_inputs);
    } else if (m.why == NULL) {
        m.why = "the run failed";
    }
    *why = m.why;
    free(values);
    free(m.cells);
    t_arena_close(&arena);
    return m.why == NULL ? h : 0u;
}

/* Graphs that are not too large run once more in another order, with the same outcome. */
uint64_t oracle_run_hashed(
    const gsp_module *module, int whole, const char *ignore, const char **why)
{
    gsp_graph const graph = gsp_module_graph(module, 0u);
    uint64_t const h = run_in_order(module, NULL, whole, ignore, why);
    gsp_topo_order_desc desc;
    gsp_topo_order_result order;
    gsp_arena arena;
    if (*why != NULL || graph.n_nodes > 200u) {
        return h;
    }
    memset(&desc, 0, sizeof(desc));
    desc.kind = GSP_TOPO_ORDER_STACK;
    t_arena_open(&arena, gsp_topo_order_bound(&graph, &desc));
    if (T_EQUAL(gsp_topo_order_run(&arena, &graph, &desc, &order, NULL), GSP_OK) &&
        run_in_order(module, &order, whole, ignore, why) != h && *why == NULL) {
        *why = "another order computes something else";
    }
    t_arena_close(&arena);
    return *why == NULL ? h : 0u;
}

static int same_outcome(
    uint64_t wanted, const gsp_module *made, int whole, const char *ignore, const char *what)
{
    const char *why = NULL;
    uint64_t const found = oracle_run_hashed(made, whole, ignore, &why);
    if (found != wanted || found == 0u) {
        t_string text = t_print(made, NULL);
        printf("%s: %s\n%.4000s\n", what, why != NULL ? why : "computes something else", text.data);
        t_free(&text);
        return t_check(0, T_HERE, "the module made computes what the original does");
    }
    return 1;
}

/* Reads a text back and compares. */
static int text_outcome(
    uint64_t wanted, const t_string *text, int whole, const char *ignore, const char *what)
{
    gsp_arena arena;
    gsp_module again;
    int equal;
    if (!t_must_read(&arena, text->data, &again)) {
        return 0;
    }
    equal = same_outcome(wanted, &again, whole, ignore, what);
    t_arena_close(&arena);
    return equal;
}

int oracle_run_equal(const gsp_module *original, const gsp_module *made, const char *ignore)
{
    const char *why = NULL;
    uint64_t wanted = oracle_run_hashed(original, 0, ignore, &why);
    t_string text;
    int equal;
    if (why != NULL) {
        printf("the original: %s\n", why);
        return t_check(0, T_HERE, "the original can be run");
    }
    text = t_print(made, NULL);
    equal = same_outcome(wanted, made, 0, ignore, "as made") &&
            text_outcome(wanted, &text, 0, ignore, "read back");
    t_free(&text);
    return equal;
}

int oracle_run_equal_bare(const gsp_module *original, const gsp_module *made, const char *ignore)
{
    const char *why = NULL;
    uint64_t const wanted = oracle_run_hashed(original, 1, ignore, &why);
    gsp_text_desc bare;
    t_string text;
    int equal;
    memset(&bare, 0, sizeof(bare));
    bare.no_annotations = 1;
    bare.hoist = 1;
    text = t_print(made, &bare);
    equal = text_outcome(wanted, &text, 1, ignore, "read back without annotations");
    t_free(&text);
    return equal;
}

/* A graph of a file, from the first module of a porcelain on. */
static int read_graph(gsp_arena *arena, const char *path, gsp_module *module)
{
    t_string text = t_read_file(path);
    const char *start = text.data;
    int ok;
    if (start != NULL && strncmp(start, "module main\n", 12u) != 0 &&
        strstr(start, "\nmodule main\n") != NULL) {
        start = strstr(start, "\nmodule main\n") + 1;
    }
    ok = T_CHECK(start != NULL) && t_must_read(arena, start, module);
    t_free(&text);
    return ok;
}

void oracle_check_equal(const char *original, const char *porcelain)
{
    gsp_arena arenas[2];
    gsp_module modules[2];
    if (!read_graph(&arenas[0], original, &modules[0])) {
        return;
    }
    if (read_graph(&arenas[1], porcelain, &modules[1])) {
        const char *why = NULL;
        uint64_t const wanted = oracle_run_hashed(&modules[0], 1, NULL, &why);
        T_CHECK(wanted != 0u);
        (void)same_outcome(wanted, &modules[1], 1, NULL, porcelain);
        t_arena_close(&arenas[1]);
    }
    t_arena_close(&arenas[0]);
}
