/* --lift-constants of `dedup`: constants as inputs, and back. */
#include "commands/dedup/dedup.h"

#include "input/input.h"

#include <string.h>

#define NAME_ROOM 20u /* of "_const_N", twice: a name that is taken and a free one */

static int refuse(cli_session *s, gsp_status status)
{
    return cli_error(s, status, "--lift-constants: %s", gsp_status_text(status));
}

/* ---- before the pass ---- */

/* 1 for a quoted string, or a bare word as PyTorch prints one; dtypes, layouts and devices are
 * none. */
static int is_string(gsp_str spelling)
{
    static const char *const words[] = {"None", "Ellipsis", "...", "cpu", "meta"};
    static const char *const starts[] = {"torch.*", "cuda*", "device(*", "<*", "-*", "+*"};
    char const first = spelling.size != 0 ? spelling.data[0] : '\0';
    for (size_t i = 0; i < CLI_COUNT(words); i++) {
        if (gsp_str_equal(spelling, gsp_str_of(words[i]))) {
            return 0;
        }
    }
    for (size_t i = 0; i < CLI_COUNT(starts); i++) {
        if (gsp_str_glob(gsp_str_of(starts[i]), spelling)) {
            return 0;
        }
    }
    return first == '\'' || first == '"' || first == '_' || (first >= 'a' && first <= 'z') ||
           (first >= 'A' && first <= 'Z');
}

/* The type that a constant has as an input; empty if it is not lifted. */
static gsp_str type_of(gsp_str spelling)
{
    double value;
    uint64_t digits;
    uint32_t sign = spelling.size != 0 && spelling.data[0] == '-' ? 1u : 0u;
    gsp_str magnitude;
    magnitude.data = spelling.data + sign;
    magnitude.size = spelling.size - sign;
    if (gsp_str_number(magnitude, &digits)) {
        return gsp_str_of("int");
    }
    if (gsp_str_decimal(spelling, &value)) {
        return gsp_str_of("float");
    }
    if (gsp_str_equal(spelling, gsp_str_of("True")) ||
        gsp_str_equal(spelling, gsp_str_of("False"))) {
        return gsp_str_of("bool");
    }
    return gsp_str_of(is_string(spelling) ? "str" : "");
}

static int is_lifted(const dedup_lifted *l, gsp_str spelling)
{
    gsp_str const type = type_of(spelling);
    uint32_t const kind = gsp_str_equal(type, gsp_str_of("str")) ? DEDUP_STRINGS : DEDUP_NUMBERS;
    return type.size != 0 && (l->kinds & kind) != 0u;
}

/* 1 for a node whose constants may become inputs. */
static int is_open(const gsp_graph *g, gsp_node v)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    if (!gsp_str_equal(gsp_node_target(g, v), gsp_str_of("operator.getitem"))) {
        return gsp_node_is_callable(g, v);
    }
    return n != 0 && args[0].kind == GSP_ARG_NODE && gsp_node_type(g, args[0].value).size != 0 &&
           gsp_node_value_kind(g, args[0].value) == GSP_VALUE_TENSOR;
}

/* Finds the constants in reading order. Returns the bytes of their future names. */
static uint32_t find_constants(cli_session *s, const gsp_graph *g, dedup_lifted *l)
{
    const gsp_module *m = g->module;
    uint64_t bytes = 0;
    l->token = (uint32_t *)cli_alloc(s, m->counts.args + 1u, sizeof *l->token);
    l->reader = (gsp_node *)cli_alloc(s, m->counts.args + 1u, sizeof *l->reader);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t end = m->arg_begin[g->first + v + 1u];
        uint32_t i = is_open(g, v) ? m->arg_begin[g->first + v] : end;
        for (; i < end; i++) {
            if (m->args[i].kind == GSP_ARG_CONSTANT &&
                is_lifted(l, gsp_module_str(m, m->args[i].value))) {
                l->token[l->n] = i;
                l->reader[l->n++] = v;
                bytes += 2u * gsp_node_name(g, v).size + NAME_ROOM;
            }
        }
    }
    return bytes < UINT32_MAX - m->counts.bytes ? (uint32_t)bytes : UINT32_MAX - m->counts.bytes;
}

/* A placeholder per constant, named after the node that reads it. */
static void put_placeholders(
    cli_session *s, gsp_builder *b, const gsp_graph *g, const dedup_lifted *l)
{
    cli_buffer name;
    cli_buffer_init(&name, s);
    for (gsp_node v = 0; v + 1u < g->n_nodes; v++) {
        gsp_build_reserve(b, g->module->name[g->first + v]);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        gsp_str wanted;
        gsp_atom atom;
        name.size = 0;
        cli_put_text(&name, gsp_node_name(g, l->reader[i]));
        cli_puts(&name, "_const");
        wanted.data = name.data;
        wanted.size = (uint32_t)name.size;
        atom = gsp_build_name(b, wanted);
        (void)gsp_build_node_atoms(b, GSP_OP_PLACEHOLDER, atom, atom);
        gsp_build_type(b, type_of(dedup_constant(g, l, i)));
    }
}

static void put_lifted(gsp_builder *b, const gsp_graph *g, const dedup_lifted *l)
{
    uint32_t next = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t end = g->module->arg_begin[g->first + v + 1u];
        cli_rebuild_node(b, g, v);
        for (uint32_t i = g->module->arg_begin[g->first + v]; i < end; i++) {
            gsp_arg a = g->module->args[i];
            if (next < l->n && l->token[next] == i) {
                gsp_build_arg_node(b, next++);
            } else if (a.kind == GSP_ARG_NODE) {
                gsp_build_arg_node(b, a.value + l->n);
            } else {
                gsp_build_arg(b, a);
            }
        }
    }
}

int dedup_lift(dedup *p, uint32_t kinds)
{
    cli_session *s = p->session;
    gsp_graph g = p->graph;
    gsp_module *made = (gsp_module *)cli_alloc(s, 1u, sizeof *made);
    gsp_counts more = {0};
    gsp_builder b;
    gsp_arena arena;
    gsp_status status;
    gsp_error err;
    memset(&p->lifted, 0, sizeof p->lifted);
    p->lifted.kinds = kinds;
    more.bytes = find_constants(s, &g, &p->lifted);
    more.nodes = p->lifted.n;
    more.strings = 2u * p->lifted.n;
    if ((status = cli_rebuild_begin(s, &b, g.module, more, &arena)) != GSP_OK) {
        return refuse(s, status);
    }
    cli_rebuild_start(&b, &g);
    put_placeholders(s, &b, &g, &p->lifted);
    put_lifted(&b, &g, &p->lifted);
    for (uint32_t i = 1; i < g.module->counts.graphs; i++) {
        gsp_graph other = gsp_module_graph(g.module, i);
        cli_rebuild_graph(&b, &other);
    }
    if (gsp_build_finish(&b, made, &err) != GSP_OK) {
        return refuse(s, err.status);
    }
    p->lifted.plain = g;
    p->graph = gsp_module_graph(made, 0);
    return CLI_EXIT_OK;
}

/* ---- after the pass ---- */

typedef struct unlifting {
    dedup *p;
    gsp_module made;      /* of the pass */
    gsp_builder builder;  /* of the module without lifted constants */
    uint32_t *constant;   /* [nodes of the root] the constant that it is, or GSP_NONE */
    uint32_t *call_graph; /* [nodes of the root] the subgraph that it calls, or GSP_NONE */
    uint32_t *first;      /* [n_subgraphs] its first entry in inside */
    uint32_t *inside;     /* the constant on which all calls agree, or GSP_NONE, per input */
    uint32_t *local;      /* [nodes] as constant, of the present graph */
    gsp_node *place;      /* [nodes] of the present graph in the new module */
} unlifting;

static uint32_t *new_ids(cli_session *s, size_t n)
{
    uint32_t *ids = (uint32_t *)cli_alloc(s, n + 1u, sizeof *ids);
    memset(ids, 0xFF, (n + 1u) * sizeof *ids);
    return ids;
}

/* The inputs of a call; the graph and its name come first. */
static const gsp_arg *call_inputs(const unlifting *u, uint32_t call, uint32_t *n)
{
    gsp_graph root = gsp_module_graph(&u->made, 0);
    const gsp_arg *args = gsp_node_args(&root, u->p->result.call[call], n);
    *n -= 2u;
    return args + 2;
}

/* Finds for input `i` of a subgraph the constant on which its calls agree. Returns 1 if calls have
 * different ones. */
static uint32_t agree(unlifting *u, uint32_t subgraph, uint32_t i)
{
    const gsp_dedup_selection *a = &u->p->result.selection;
    const gsp_arg *tokens = u->p->lifted.plain.module->args;
    uint32_t *inside = &u->inside[u->first[subgraph] + i];
    uint32_t constants = 0;
    int equal = 1;
    for (uint32_t call = a->call_begin[subgraph]; call < a->call_begin[subgraph + 1u]; call++) {
        uint32_t n;
        uint32_t c = u->constant[call_inputs(u, call, &n)[i].value];
        if (c != GSP_NONE && constants++ == 0) {
            *inside = c;
        }
        equal = equal && c != GSP_NONE &&
                tokens[u->p->lifted.token[c]].value == tokens[u->p->lifted.token[*inside]].value;
    }
    *inside = equal ? *inside : GSP_NONE;
    return constants != 0 && !equal ? 1u : 0u;
}

static void find_arguments(unlifting *u)
{
    const gsp_dedup_result *r = &u->p->result;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < u->p->lifted.n; i++) {
        u->constant[r->map[r->map_begin[i]]] = i;
    }
    for (uint32_t s = 0; s < r->selection.n_subgraphs; s++) {
        uint32_t n;
        (void)call_inputs(u, r->selection.call_begin[s], &n);
        u->first[s] = sum;
        sum += n;
    }
    u->inside = new_ids(u->p->session, sum);
    for (uint32_t s = 0; s < r->selection.n_subgraphs; s++) {
        uint32_t n;
        (void)call_inputs(u, r->selection.call_begin[s], &n);
        for (uint32_t i = r->selection.call_begin[s]; i < r->selection.call_begin[s + 1u]; i++) {
            u->call_graph[r->call[i]] = s;
        }
        for (uint32_t i = 0; i < n; i++) {
            u->p->lifted.arguments[s] += agree(u, s, i);
        }
    }
}

/* Sets u->local and u->place of a graph. */
static void place_nodes(unlifting *u, const gsp_graph *g)
{
    gsp_node next = 0;
    uint32_t input = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        u->local[v] = g->id == 0 ? u->constant[v] : GSP_NONE;
        if (g->id != 0 && g->id <= u->p->result.selection.n_subgraphs &&
            gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
            u->local[v] = u->inside[u->first[g->id - 1u] + input++];
        }
        u->place[v] = u->local[v] == GSP_NONE ? next++ : GSP_NONE;
    }
}

/* Copies a graph without lifted constants, which are at their readers. */
static void put_graph(unlifting *u, const gsp_graph *g)
{
    const gsp_graph *plain = &u->p->lifted.plain;
    cli_rebuild_start(&u->builder, g);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t called = g->id == 0 ? u->call_graph[v] : GSP_NONE;
        uint32_t n;
        const gsp_arg *args = gsp_node_args(g, v, &n);
        if (u->place[v] == GSP_NONE) {
            continue;
        }
        cli_rebuild_node(&u->builder, g, v);
        for (uint32_t i = 0; i < n; i++) {
            if (called != GSP_NONE && i >= 2u && u->inside[u->first[called] + i - 2u] != GSP_NONE) {
                continue;
            }
            if (args[i].kind != GSP_ARG_NODE) {
                gsp_build_arg(&u->builder, args[i]);
            } else if (u->place[args[i].value] != GSP_NONE) {
                gsp_build_arg_node(&u->builder, u->place[args[i].value]);
            } else {
                gsp_build_constant(
                    &u->builder, dedup_constant(plain, &u->p->lifted, u->local[args[i].value]));
            }
        }
    }
}

/* Numbers of nodes as in the graph of the file, and in the root without lifted constants. */
static void renumber(unlifting *u)
{
    gsp_dedup_result *r = &u->p->result;
    gsp_dedup_selection *a = &r->selection;
    uint32_t lifted = u->p->lifted.n;
    for (uint32_t i = r->map_begin[lifted]; i < r->map_begin[a->n_nodes]; i++) {
        r->map[i] = u->place[r->map[i]];
    }
    for (uint32_t i = 0; i < a->n_calls; i++) {
        r->call[i] = u->place[r->call[i]];
    }
    for (uint32_t i = 0; i < a->n_items; i++) {
        a->item_node[i] -= lifted;
    }
    for (uint32_t i = 0; i < r->regions.group_begin[r->regions.n_groups]; i++) {
        r->regions.members[i] -= lifted;
    }
    r->map_begin += lifted;
    a->n_nodes -= lifted;
    a->call_of += lifted;
    a->subgraph_of += lifted;
    a->item_of += lifted;
}

int dedup_unlift(dedup *p)
{
    cli_session *s = p->session;
    const gsp_module *file = p->lifted.plain.module;
    gsp_counts more = {0};
    gsp_arena arena;
    gsp_status status;
    gsp_error err;
    unlifting u;
    u.p = p;
    u.made = p->result.module;
    u.constant = new_ids(s, u.made.graphs[0].n_nodes);
    u.call_graph = new_ids(s, u.made.graphs[0].n_nodes);
    u.first = new_ids(s, p->result.selection.n_subgraphs);
    u.local = new_ids(s, u.made.counts.nodes);
    u.place = new_ids(s, u.made.counts.nodes);
    p->lifted.arguments =
        (uint32_t *)cli_alloc(s, p->result.selection.n_subgraphs + 1u, sizeof(uint32_t));
    find_arguments(&u);
    more.strings = file->counts.strings;
    more.bytes = file->counts.bytes;
    if ((status = cli_rebuild_begin(s, &u.builder, &u.made, more, &arena)) != GSP_OK) {
        return refuse(s, status);
    }
    for (uint32_t i = 0; i < u.made.counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(&u.made, i);
        place_nodes(&u, &g);
        put_graph(&u, &g);
        if (i == 0) {
            renumber(&u);
        }
    }
    if (gsp_build_finish(&u.builder, &p->result.module, &err) != GSP_OK) {
        return refuse(s, err.status);
    }
    p->graph = p->lifted.plain;
    return CLI_EXIT_OK;
}
