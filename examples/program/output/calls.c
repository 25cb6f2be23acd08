/* Parts of a deduplicated module: one per call, with one file for all calls of a subgraph; the
 * nodes of the root between calls; the parameters that calls take; and the whole module as one
 * file. */
#include "output/output.h"

#include <string.h>

typedef struct cut {
    cli_session *session;
    const gsp_graph *graph; /* the input */
    const gsp_dedup_result *result;
    const cli_call_parts *given; /* or NULL */
    gsp_graph root;
    uint32_t *call_of; /* [nodes of the root] the call that it is or unpacks, or GSP_NONE */
    uint32_t *part_of; /* [nodes of the root] of calls, and of the runs between them */
    uint32_t *of_part; /* [n_parts] the call of a part; GSP_NONE for a run */
    uint32_t n_parts;
    const gsp_origin *origin; /* [nodes of the module] */
    uint32_t *subgraph;       /* [n_calls] */
    gsp_split_module_result parts;
    cli_part *emitted;
    size_t n_emitted;
} cut;

static uint32_t *new_ids(cli_session *s, size_t n)
{
    uint32_t *ids = (uint32_t *)cli_alloc(s, n + 1u, sizeof *ids);
    memset(ids, 0xFF, (n + 1u) * sizeof *ids);
    return ids;
}

/* ---- what nodes of the root are ---- */

static void find_calls(cut *c)
{
    const gsp_dedup_selection *a = &c->result->selection;
    uint32_t i;
    gsp_node v;
    for (i = 0; i < a->n_subgraphs; i++) {
        uint32_t call;
        for (call = a->call_begin[i]; call < a->call_begin[i + 1u]; call++) {
            c->subgraph[call] = i;
            c->call_of[c->result->call[call]] = call;
        }
    }
    for (v = 0; v < c->root.n_nodes; v++) {
        uint32_t n;
        const gsp_node *inputs = gsp_node_inputs(&c->root, v, &n);
        if (c->call_of[v] == GSP_NONE && n == 1u && c->call_of[inputs[0]] != GSP_NONE &&
            gsp_str_equal(gsp_node_target(&c->root, v), gsp_str_of("operator.getitem")) &&
            c->result->call[c->call_of[inputs[0]]] == inputs[0]) {
            c->call_of[v] = c->call_of[inputs[0]];
        }
    }
}

/* Each call is a part, and so is each run of nodes between two calls. */
static void find_parts(cut *c)
{
    uint32_t run = GSP_NONE;
    uint32_t *of_call = new_ids(c->session, c->result->selection.n_calls);
    gsp_node v;
    c->n_parts = c->given != NULL ? c->given->n_parts : 0;
    for (v = 0; v < c->root.n_nodes; v++) {
        uint32_t call = c->call_of[v];
        if (!gsp_node_is_callable(&c->root, v)) {
            continue;
        }
        if (c->given != NULL) {
            c->part_of[v] = c->given->part_of[v];
            c->of_part[c->part_of[v]] = call;
            continue;
        }
        if (call != GSP_NONE && of_call[call] == GSP_NONE) {
            of_call[call] = c->n_parts;
            c->of_part[c->n_parts++] = call;
            run = GSP_NONE;
        } else if (call == GSP_NONE && run == GSP_NONE) {
            run = c->n_parts++;
        }
        c->part_of[v] = call != GSP_NONE ? of_call[call] : run;
    }
}

static void find_origins(cut *c)
{
    gsp_origins origins;
    gsp_arena arena;
    cli_arena(c->session, &arena, gsp_origins_bound(c->graph->module, &c->result->module));
    (void)gsp_dedup_origins(&arena, c->graph, c->result, &origins, NULL); /* it fits */
    c->origin = origins.origin;
}

/* The i-th name outside for the value of a node of the root. */
static int outer_name(const cut *c, gsp_node v, uint32_t i, gsp_str *name)
{
    const cli_session *s = c->session;
    gsp_origin o = c->origin[v];
    if (o.graph == GSP_NONE) {
        return cli_tensor(s, &c->root, v, i, name);
    }
    if (o.element == GSP_NONE) {
        return cli_tensor(s, c->graph, o.node, i, name);
    }
    if (s->format->tensor != NULL) {
        return i == 0 && cli_tensor(s, c->graph, o.node, o.element, name);
    }
    *name = gsp_node_name(&c->root, v);
    return i == 0;
}

static void stands_for(const cut *c, const gsp_graph *g, gsp_node v, gsp_node outer)
{
    const cli_format *f = c->session->format;
    gsp_origin o = c->origin[outer];
    if (f->stands_for != NULL && o.graph != GSP_NONE) {
        f->stands_for(g, v, gsp_node_name(c->graph, o.node), o.element);
    }
}

/* ---- parts ---- */

static void bind_value(
    const cut *c, cli_part *part, cli_bind *binds, gsp_node inner, gsp_node outer)
{
    cli_bind bind;
    uint32_t i;
    for (i = 0; cli_tensor(c->session, &part->graph, inner, i, &bind.inner) &&
                outer_name(c, outer, i, &bind.outer);
         i++) {
        binds[part->n_bind++] = bind;
    }
}

/* The number of names of a value: one, or one per element. */
static uint32_t most_names(const cut *c, const gsp_graph *g, gsp_node v)
{
    gsp_str name;
    uint32_t n = 0;
    while (cli_tensor(c->session, g, v, n, &name)) {
        n++;
    }
    return n;
}

/* Collects the node tokens of the arguments of a node. */
static gsp_node *argument_nodes(const cut *c, const gsp_graph *g, gsp_node v, uint32_t *n)
{
    uint32_t count;
    uint32_t i;
    const gsp_arg *args = gsp_node_args(g, v, &count);
    gsp_node *nodes = (gsp_node *)cli_alloc(c->session, (size_t)count + 1u, sizeof *nodes);
    *n = 0;
    for (i = 0; i < count; i++) {
        if (args[i].kind == (uint32_t)GSP_ARG_NODE) {
            nodes[(*n)++] = args[i].value;
        }
    }
    return nodes;
}

/* The node of the root that unpacks output i of a call; GSP_NONE if no node reads it. */
static gsp_node unpacking(const cut *c, uint32_t call, uint32_t i)
{
    const gsp_dedup_selection *a = &c->result->selection;
    gsp_node v = a->item_node[a->item_begin[call] + i];
    uint32_t first = c->result->map_begin[v];
    uint32_t n = c->result->map_begin[v + 1u] - first;
    uint32_t element = a->item_begin[call] + i - a->item_of[v];
    return element < n ? c->result->map[first + element] : GSP_NONE;
}

/* Pairs of a value inside a subgraph and its value in the root, for one call. */
typedef struct pairs {
    gsp_node *inner;
    gsp_node *outer;
    uint32_t n;
} pairs;

static pairs call_pairs(const cut *c, const gsp_graph *g, uint32_t call)
{
    uint32_t n_given;
    uint32_t n_returned;
    uint32_t given = 1; /* the first argument is the subgraph itself */
    uint32_t i;
    gsp_node v;
    gsp_node *args = argument_nodes(c, &c->root, c->result->call[call], &n_given);
    gsp_node *returned = argument_nodes(c, g, g->n_nodes - 1u, &n_returned);
    pairs all = {NULL, NULL, 0};
    all.inner = new_ids(c->session, (size_t)n_given + n_returned);
    all.outer = new_ids(c->session, (size_t)n_given + n_returned);
    for (v = 0; v < g->n_nodes && given < n_given; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
            all.inner[all.n] = v;
            all.outer[all.n++] = args[given++];
        }
    }
    for (i = 0; i < n_returned; i++) {
        gsp_node outer = unpacking(c, call, i);
        if (outer != GSP_NONE) {
            all.inner[all.n] = returned[i];
            all.outer[all.n++] = outer;
        }
    }
    return all;
}

/* The body has the names of the first call; its inputs are the arguments of the call. */
static void name_bodies(const cut *c)
{
    const gsp_dedup_selection *a = &c->result->selection;
    uint32_t i;
    for (i = 0; i < a->n_subgraphs; i++) {
        gsp_graph g = gsp_module_graph(&c->result->module, i + 1u);
        pairs all = call_pairs(c, &g, a->call_begin[i]);
        uint32_t k;
        for (k = 0; k < all.n; k++) {
            stands_for(c, &g, all.inner[k], all.outer[k]);
        }
    }
}

static void bind_all(const cut *c, cli_part *part, const pairs *all)
{
    size_t room = 0;
    cli_bind *binds;
    uint32_t i;
    for (i = 0; i < all->n; i++) {
        room += most_names(c, &part->graph, all->inner[i]);
    }
    binds = (cli_bind *)cli_alloc(c->session, room + 1u, sizeof *binds);
    for (i = 0; i < all->n; i++) {
        bind_value(c, part, binds, all->inner[i], all->outer[i]);
    }
    part->bind = binds;
}

/* Models hold weights, which differ between calls: each has a file of its own, of its region. */
static int add_model(cut *c, uint32_t call)
{
    cli_part *part = &c->emitted[c->n_emitted - 1u];
    cli_set set;
    gsp_node v;
    cli_set_make(c->session, c->graph, &set);
    for (v = 0; v < c->graph->n_nodes; v++) {
        gsp_node const from = cli_unpacked(c->graph, v);
        set.is_member[v] = c->result->selection.call_of[from != GSP_NONE ? from : v] == call;
    }
    (void)cli_set_mark(&set);
    part->same = NULL;
    part->n_bind = 0;
    return cli_set_graph(c->session, &set, &part->graph);
}

static int add_call(cut *c, uint32_t call, const cli_part **first)
{
    cli_part *part = &c->emitted[c->n_emitted++];
    uint32_t subgraph = c->subgraph[call];
    pairs all;
    part->graph = gsp_module_graph(&c->result->module, subgraph + 1u);
    part->name = cli_copy(c->session,
        gsp_module_str(&c->result->module, c->result->module.graphs[subgraph + 1u].name));
    part->kind = "subgraph";
    part->same = first[subgraph];
    first[subgraph] = part->same != NULL ? part->same : part;
    all = call_pairs(c, &part->graph, call);
    bind_all(c, part, &all);
    return c->session->format->model != NULL ? add_model(c, call) : CLI_EXIT_OK;
}

/* A run keeps the names of the root, which unpacks the outputs of calls anew. */
static void add_run(cut *c, uint32_t index, const gsp_origin *in_root)
{
    cli_part *part = &c->emitted[c->n_emitted++];
    gsp_graph g = gsp_module_graph(&c->parts.module, index + 1u);
    pairs all = {NULL, NULL, 0};
    gsp_node v;
    all.inner = new_ids(c->session, g.n_nodes);
    all.outer = new_ids(c->session, g.n_nodes);
    part->name =
        cli_copy(c->session, gsp_module_str(&c->parts.module, c->parts.module.graphs[g.id].name));
    part->kind = "root";
    part->graph = g;
    for (v = 0; v + 1u < g.n_nodes; v++) {
        gsp_node outer = in_root[g.first + v].node;
        if (outer != GSP_NONE && c->origin[outer].graph != GSP_NONE &&
            !gsp_str_equal(gsp_node_name(&g, v), gsp_node_name(c->graph, c->origin[outer].node))) {
            stands_for(c, &g, v, outer);
            all.inner[all.n] = v;
            all.outer[all.n++] = outer;
        }
    }
    if (c->session->format->stands_for == NULL) {
        bind_all(c, part, &all);
    }
}

/* The arguments of a call are inputs of its part, and need a producer. */
static int add_parameters(cut *c)
{
    uint8_t *kept = (uint8_t *)cli_alloc(c->session, c->root.n_nodes, 1u);
    gsp_node v;
    for (v = 0; v < c->root.n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(&c->root, v, &n);
        if (gsp_node_op(&c->root, v) != GSP_OP_GET_ATTR || c->origin[v].graph == GSP_NONE) {
            continue;
        }
        kept[v] = 1;
        while (c->session->format->model == NULL && n-- != 0) {
            kept[v] = c->call_of[users[n]] != GSP_NONE ? 2 : kept[v];
        }
    }
    return cli_emit_parameters(c->session, &c->root, kept, c->emitted, &c->n_emitted);
}

static int cut_root(cut *c)
{
    cli_session *s = c->session;
    gsp_split_module_desc desc = {0};
    gsp_arena arena;
    gsp_error err;
    size_t bound;
    desc.n_parts = c->n_parts;
    desc.part_of = c->part_of;
    desc.prefix = "root_";
    desc.keep_order = c->given == NULL;
    bound = gsp_split_module_bound(&c->root, &desc);
    if (bound == SIZE_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "the parts are too large");
    }
    cli_arena(s, &arena, bound);
    if (gsp_split_module_run(&arena, &c->root, &desc, &c->parts, &err) != GSP_OK) {
        return cli_pass_error(s, &c->root, &err);
    }
    return CLI_EXIT_OK;
}

/* The outputs are those of the root; an aggregate of a call counts as its elements. */
static void bind_returned(const cut *c, cli_part *part)
{
    pairs all;
    const gsp_node *returned = gsp_node_inputs(&c->root, c->root.n_nodes - 1u, &all.n);
    all.inner = new_ids(c->session, all.n);
    memcpy(all.inner, returned, all.n * sizeof *returned);
    all.outer = all.inner;
    bind_all(c, part, &all);
}

static void add_whole(cut *c)
{
    cli_part *part = &c->emitted[c->n_emitted];
    part->name = "deduplicated";
    part->is_own = 1;
    part->kind = "whole";
    part->graph = c->root;
    part->made_of = c->emitted;
    part->n_made_of = c->n_emitted++;
    if (c->session->format->tensor == NULL) {
        bind_returned(c, part);
    }
}

static cut new_cut(cli_session *s, const gsp_graph *graph, const gsp_dedup_result *result,
    const cli_call_parts *given)
{
    cut c;
    memset(&c, 0, sizeof c);
    c.session = s;
    c.graph = graph;
    c.result = result;
    c.given = given;
    c.root = gsp_module_graph(&result->module, 0);
    c.call_of = new_ids(s, c.root.n_nodes);
    c.part_of = new_ids(s, c.root.n_nodes);
    c.of_part = new_ids(s, c.root.n_nodes);
    c.subgraph = new_ids(s, result->selection.n_calls);
    find_calls(&c);
    find_parts(&c);
    find_origins(&c);
    c.emitted = (cli_part *)cli_alloc(s, (size_t)c.n_parts + 2u, sizeof *c.emitted);
    return c;
}

static void name_given(const cut *c, cli_part *part, uint32_t index)
{
    if (c->given != NULL) {
        part->name = c->given->names[index];
        part->kind = c->given->kinds[index];
        part->members = c->given->members[index];
    }
}

/* The attributes that a part writes and another one reads. */
static void tell_attributes(const cut *c)
{
    char **names = (char **)cli_alloc(c->session, (size_t)c->n_parts + 1u, sizeof *names);
    cli_named_parts parts;
    uint32_t i;
    for (i = 0; i < c->parts.n_parts; i++) {
        const cli_part *part = &c->emitted[c->n_emitted - c->parts.n_parts + i];
        names[c->parts.part[i]] = cli_copy(c->session, gsp_str_of(part->name));
    }
    parts.part_of = c->part_of;
    parts.kind = NULL;
    parts.home = NULL;
    parts.names = names;
    cli_tell_attributes(c->session, &c->root, &parts);
}

int cli_emit_calls(cli_session *s, const char *dir, const gsp_graph *graph,
    const gsp_dedup_result *result, const cli_call_parts *given)
{
    cut c = new_cut(s, graph, result, given);
    const cli_part **first =
        (const cli_part **)cli_alloc(s, (size_t)result->selection.n_subgraphs + 1u, sizeof *first);
    const gsp_origin *in_root;
    uint32_t i;
    int code = add_parameters(&c);
    if (code != CLI_EXIT_OK || (code = cut_root(&c)) != CLI_EXIT_OK) {
        return code;
    }
    name_bodies(&c);
    in_root = cli_part_origins(s, &c.root, &c.parts);
    for (i = 0; i < c.parts.n_parts && code == CLI_EXIT_OK; i++) {
        uint32_t const index = c.parts.part[i];
        if (c.of_part[index] != GSP_NONE) {
            code = add_call(&c, c.of_part[index], first);
        } else {
            add_run(&c, i, in_root);
        }
        name_given(&c, &c.emitted[c.n_emitted - 1u], index);
    }
    if (given == NULL) {
        tell_attributes(&c);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    add_whole(&c);
    return cli_emit(s, dir, graph, c.emitted, c.n_emitted);
}
