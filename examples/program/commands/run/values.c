/* Values of `graphsplit run`: hashes of the operation and its arguments; an aggregate is its
 * elements, and a constant that a graph takes is the constant. */
#include "commands/run/run.h"

#include <inttypes.h>
#include <stdio.h>

#define NESTED      32  /* depth to which nested aggregates are unpacked */
#define MEMORY_WORK 40u /* of an element whose writes are followed */

static uint64_t mix_text(uint64_t h, gsp_str text, unsigned char dot)
{
    uint32_t i;
    for (i = 0; i < text.size; i++) {
        h = run_mix(h, text.data[i] == '.' ? dot : (unsigned char)text.data[i]);
    }
    return run_mix(h, UINT64_C(0x100) + text.size);
}

static uint64_t mix_token(uint64_t h, uint32_t kind, uint64_t value, gsp_str text)
{
    return mix_text(run_mix(run_mix(h, kind), value), text, '.');
}

/* A dot in a target of a module equals '_', since passes that make modules flatten it. */
static uint64_t mix_target(gsp_op op, gsp_str target)
{
    int held = op == GSP_OP_CALL_MODULE || op == GSP_OP_GET_ATTR;
    return mix_text(run_mix(1, (uint64_t)op), target, held ? '_' : '.');
}

/* 0 when nothing is left. */
static int spend(run_facts *facts, uint64_t work)
{
    facts->left -= facts->left < work ? facts->left : work;
    return facts->left != 0;
}

/* ---- aggregates ---- */

/* The index of a value, or of the free entry for it. */
static run_aggregate *place_of(const run_facts *facts, uint64_t value)
{
    size_t at = (size_t)run_mix(0, value) & (facts->room - 1u);
    while (facts->places[at].kind != 0 && facts->places[at].value != value) {
        at = (at + 1u) & (facts->room - 1u);
    }
    return &facts->places[at];
}

/* The aggregate of a value; NULL if unknown. */
static const run_aggregate *known(const run_facts *facts, uint64_t value)
{
    const run_aggregate *a;
    if (facts->n == 0) {
        return NULL;
    }
    a = place_of(facts, value);
    return a->kind != 0 ? a : NULL;
}

static void make_room(run_facts *facts)
{
    run_aggregate *old = facts->places;
    size_t n_old = facts->room;
    size_t i;
    facts->room = n_old == 0 ? 64u : 2u * n_old;
    facts->places = (run_aggregate *)cli_alloc(facts->session, facts->room, sizeof *facts->places);
    for (i = 0; i < n_old; i++) {
        if (old[i].kind != 0) {
            *place_of(facts, old[i].value) = old[i];
        }
    }
    if (old != NULL) {
        cli_release(facts->session, old);
    }
}

static void record(run_facts *facts, run_aggregate a)
{
    if (2u * facts->n >= facts->room) {
        make_room(facts);
    }
    if (place_of(facts, a.value)->kind == 0) {
        *place_of(facts, a.value) = a;
        facts->n++;
    }
}

/* Records that a value is an aggregate, if TYPE lists its elements. */
static void learn(run_facts *facts, uint64_t value, gsp_str type)
{
    run_aggregate a = {0};
    uint32_t at = 0;
    gsp_str element;
    a.value = value;
    a.kind = (uint32_t)gsp_type_container(type, &a.count);
    if (a.kind == GSP_ARG_NONE || a.kind == GSP_ARG_DICT) {
        return;
    }
    if (a.count == GSP_NONE) { /* elements are aggregates, or none are listed */
        for (a.count = 0; gsp_type_next_element(type, &at, &element); a.count++) {
        }
        if (a.count == 0) {
            return;
        }
    }
    record(facts, a);
}

/* Records that a value is a constant, which a graph takes as an input. */
static void learn_constant(run_facts *facts, uint64_t value, const gsp_call *call)
{
    run_aggregate a = {0};
    if (call->n_args == 1u && call->args[0].kind == GSP_ARG_CONSTANT) {
        a.value = value;
        a.kind = GSP_ARG_CONSTANT;
        a.text = gsp_call_str(call, 0);
        record(facts, a);
    }
}

/* The value of operator.getitem(value, index). */
static uint64_t element(uint64_t value, uint32_t index)
{
    char digits[16];
    uint64_t h = mix_target(GSP_OP_CALL_FUNCTION, gsp_str_of("operator.getitem"));
    (void)snprintf(digits, sizeof digits, "%" PRIu32, index);
    h = mix_token(h, GSP_ARG_NODE, value, gsp_str_of(""));
    return mix_token(h, GSP_ARG_CONSTANT, 0, gsp_str_of(digits));
}

/* A value as an argument: a known aggregate is expanded. */
static uint64_t mix_value(run_facts *facts, uint64_t h, run_cell cell)
{
    const run_aggregate *open[NESTED];
    run_cell of[NESTED];
    uint32_t next[NESTED];
    uint32_t depth = 0;
    do {
        const run_aggregate *a = depth < NESTED ? known(facts, cell.value) : NULL;
        h = mix_token(h, a != NULL ? a->kind : (uint32_t)GSP_ARG_NODE,
            a != NULL ? 0 : run_cell_content(facts->writes, cell),
            a != NULL ? a->text : gsp_str_of(""));
        if (a != NULL && a->kind != GSP_ARG_CONSTANT) {
            open[depth] = a;
            of[depth] = cell;
            next[depth++] = 0;
        }
        while (depth > 0 && next[depth - 1u] == open[depth - 1u]->count) {
            h = mix_token(h, GSP_ARG_CLOSE, 0, gsp_str_of(""));
            depth--;
        }
        if (depth > 0) {
            uint32_t const i = next[depth - 1u]++;
            cell = run_cell_element(
                facts->writes, of[depth - 1u], i, element(of[depth - 1u].value, i));
        }
    } while (depth > 0 && spend(facts, cell.memory != 0 ? MEMORY_WORK : 1u));
    return h;
}

/* ---- what runs ---- */

static uint64_t mix_call(const run_facts *facts, const gsp_call *call)
{
    gsp_op const op = gsp_node_op(&call->graph, call->node);
    return facts->targets == NULL ? mix_target(op, gsp_node_target(&call->graph, call->node))
                                  : mix_text(run_mix(1, (uint64_t)op),
                                        facts->targets[call->graph.first + call->node], '.');
}

/* The graphs that annotations of the node name (then=, body=), by content. */
static uint64_t mix_graphs(const run_facts *facts, uint64_t h, const gsp_call *call)
{
    const gsp_graph *g = &call->graph;
    const gsp_module *m = g->module;
    gsp_called c = {0, 0, UINT32_MAX, 0, 0}; /* after all arguments */
    uint64_t sum = 0;                        /* in any order */
    while (facts->prints != NULL && gsp_node_is_callable(g, call->node) &&
           gsp_called_next(g, call->node, &c)) {
        const gsp_attr *a = &m->attrs[m->attr[g->first + call->node] + c.attr];
        const uint64_t *words = facts->prints[c.graph].words;
        sum += mix_text(run_mix(run_mix(1u, words[0]), words[1]), gsp_module_str(m, a->key), '.');
    }
    return sum != 0 ? run_mix(h, sum) : h;
}

/* The arguments; those in a range without what was written to them. */
static uint64_t mix_args(
    run_facts *facts, uint64_t h, const gsp_call *call, uint32_t begin, uint32_t end)
{
    uint32_t i;
    for (i = 0; i < call->n_args && spend(facts, 1u + gsp_call_str(call, i).size); i++) {
        if (call->args[i].kind == GSP_ARG_NODE) {
            run_cell cell = run_cell_of(facts->writes, call->values[i]);
            cell.memory = i >= begin && i < end ? 0 : cell.memory;
            h = mix_value(facts, h, cell);
        } else {
            h = mix_token(h, call->args[i].kind, 0, gsp_call_str(call, i));
        }
    }
    return h;
}

gsp_status run_kernel(void *user, const gsp_call *call)
{
    run_facts *facts = (run_facts *)user;
    int is_node = call->request != GSP_REQUEST_CONSTANT;
    const run_aggregate *a = NULL;
    uint64_t h = 1;
    uint64_t content;
    uint32_t index = GSP_NONE;
    uint32_t begin = 0;
    uint32_t end = 0;
    gsp_str type = {NULL, 0};
    if (is_node) {
        type = gsp_node_type(&call->graph, call->node);
        (void)spend(facts, 1u + gsp_node_target(&call->graph, call->node).size + type.size);
        h = mix_call(facts, call);
        h = mix_graphs(facts, h, call);
    }
    if (call->request == GSP_REQUEST_CALL && call->n_args > 0 &&
        call->args[0].kind == GSP_ARG_NODE &&
        (a = known(facts, run_cell_of(facts->writes, call->values[0]).value)) != NULL) {
        index = gsp_node_element_of(&call->graph, call->node, a->count);
    }
    if (index != GSP_NONE) {
        h = content = element(a->value, index);
    } else if (run_find_alias(facts->writes, call, &begin, &end)) {
        content = mix_args(facts, h, call, 0, 0);
        h = mix_args(facts, h, call, begin, end);
    } else {
        h = content = mix_args(facts, h, call, 0, 0);
    }
    call->results[0] = h;
    if (facts->writes != NULL) {
        (void)spend(facts, MEMORY_WORK);
        call->results[0] = run_written(facts->writes, call, h, content, index);
    }
    if (facts->session != NULL && is_node) {
        learn(facts, h, type);
    } else if (facts->session != NULL) {
        learn_constant(facts, h, call);
    }
    return facts->left != 0 ? GSP_OK : GSP_STATUS_LIMIT;
}

void run_release(void *user, gsp_value value)
{
    run_cell_release(((run_facts *)user)->writes, value);
}

gsp_status run_enter(void *user, const gsp_call *call)
{
    uint32_t nodes = gsp_module_graph(call->graph.module, call->child).n_nodes;
    return spend((run_facts *)user, (uint64_t)nodes + call->n_args) ? GSP_OK : GSP_STATUS_LIMIT;
}

uint64_t run_digest(run_facts *facts, const gsp_exec_plan *frames, const gsp_value *outputs)
{
    uint64_t h = 0;
    uint32_t i;
    for (i = 0; i < frames->n_output; i++) {
        gsp_arg a = frames->output[i];
        int text = a.kind == GSP_ARG_CONSTANT || a.kind == GSP_ARG_KEY;
        h = a.kind == GSP_ARG_NODE
                ? mix_value(facts, h, run_cell_of(facts->writes, outputs[a.value]))
                : mix_token(h, a.kind, 0,
                      text ? gsp_module_str(frames->graph.module, a.value) : gsp_str_of(""));
    }
    return h;
}
