/* What the graphs that nodes run need: bytes beside their callers, callees first, and parameters,
 * each once. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

/* ---- parameters ---- */

/* 1 if a node of the module has parameters. */
static int has_any(const gsp_module *m)
{
    for (uint32_t i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        gsp_node v = 0;
        while (v < g.n_nodes && gsp_node_params(&g, v) == 0) {
            v++;
        }
        if (v < g.n_nodes) {
            return 1;
        }
    }
    return 0;
}

void cli_params_open(cli_params *p, struct cli_session *s, const gsp_module *m)
{
    memset(p, 0, sizeof *p);
    p->module = m;
    p->any = has_any(m);
    p->seen = (uint32_t *)cli_alloc(s, (size_t)m->counts.strings + 1u, sizeof *p->seen);
    p->local = (uint32_t *)cli_alloc(s, (size_t)m->counts.strings + 1u, sizeof *p->local);
    p->reached = (uint32_t *)cli_alloc(s, (size_t)m->counts.graphs + 1u, sizeof *p->reached);
    p->waiting = (uint32_t *)cli_alloc(s, (size_t)m->counts.graphs + 1u, sizeof *p->waiting);
}

void cli_params_close(const cli_params *p, struct cli_session *s)
{
    cli_release(s, p->waiting);
    cli_release(s, p->reached);
    cli_release(s, p->local);
    cli_release(s, p->seen);
}

void cli_params_clear(cli_params *p)
{
    p->stamp++;
}

static int begins(gsp_str text, const char *with)
{
    size_t const n = strlen(with);
    return text.size >= n && memcmp(text.data, with, n) == 0;
}

/* The bytes of a get_attr whose target was not seen: in the graph, or in any. */
static uint64_t take_target(cli_params *p, const gsp_graph *g, gsp_node v, uint32_t visit)
{
    gsp_atom const target = g->module->target[g->first + v];
    uint32_t *seen = visit != 0 ? &p->local[target] : &p->seen[target];
    uint32_t const stamp = visit != 0 ? visit : p->stamp;
    if (gsp_node_op(g, v) != GSP_OP_GET_ATTR || *seen == stamp) {
        return 0;
    }
    *seen = stamp;
    return gsp_node_bytes(g, v);
}

/* Names of weights hold in one graph of a TFLite or ONNX model, and in all graphs of other modules.
 * Returns the number of the visit of such a graph, else 0. */
static uint32_t visit_of(cli_params *p, const gsp_graph *g)
{
    gsp_node v = 0;
    while (v < g->n_nodes && !begins(gsp_node_target(g, v), "tflite.") &&
           !begins(gsp_node_target(g, v), "onnx.")) {
        v++;
    }
    return v < g->n_nodes ? ++p->visits : 0u;
}

/* params= of a called module. */
static uint64_t called_params(const gsp_graph *g, gsp_node v)
{
    const uint64_t *run = g->module->run_params;
    return gsp_node_op(g, v) == GSP_OP_CALL_MODULE
               ? gsp_node_params(g, v) - (run != NULL ? run[g->first + v] : 0u)
               : 0u;
}

static void reach(cli_params *p, const gsp_graph *g, gsp_node v, uint32_t *n)
{
    gsp_called c;
    memset(&c, 0, sizeof c);
    while (gsp_called_next(g, v, &c)) {
        if (p->reached[c.graph] != p->stamp) {
            p->reached[c.graph] = p->stamp;
            p->waiting[(*n)++] = c.graph;
        }
    }
}

/* Parameters of n graphs that wait, and of those that they run. */
static uint64_t take_waiting(cli_params *p, uint32_t n)
{
    uint64_t sum = 0;
    while (n > 0) {
        gsp_graph const g = gsp_module_graph(p->module, p->waiting[--n]);
        uint32_t const visit = visit_of(p, &g);
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            sum = cli_add(sum, cli_add(take_target(p, &g, v, visit), called_params(&g, v)));
            reach(p, &g, v, &n);
        }
    }
    return sum;
}

uint64_t cli_params_of_run(cli_params *p, const gsp_graph *g, gsp_node node)
{
    uint32_t n = 0;
    if (p->any) {
        reach(p, g, node, &n);
    }
    return take_waiting(p, n);
}

/* The same of all nodes of a graph, and of parameters that none reads. */
static uint64_t params_of_graph(cli_params *p, const gsp_graph *g)
{
    p->reached[g->id] = p->stamp;
    p->waiting[0] = g->id;
    return take_waiting(p, 1);
}

uint64_t cli_params_of(cli_params *p, const gsp_graph *g, gsp_node node)
{
    uint64_t sum = called_params(g, node);
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, node, &n);
    while (n > 0) {
        sum = cli_add(sum, take_target(p, g, in[--n], 0));
    }
    return cli_add(sum, cli_params_of_run(p, g, node));
}

/* ---- parameters as items ----
 *
 * An item per target, one per graph for what counts in it alone, and one per node that calls a
 * module. */

typedef struct item_rows {
    cli_params *p;
    uint32_t n_targets;
    uint32_t n_graphs;
    uint64_t *bytes; /* [items] */
    uint8_t *local;  /* [graphs] targets are its own */
    uint32_t *items;
    uint32_t n;
    uint32_t room;
} item_rows;

static void add_item(item_rows *w, struct cli_session *s, uint32_t item)
{
    if (w->n == w->room) {
        w->room *= 2u;
        w->items = (uint32_t *)cli_grow(s, w->items, w->room * sizeof *w->items);
    }
    w->items[w->n++] = item;
}

/* The bytes of items, those of targets first. */
static void weigh_items(item_rows *w, const gsp_graph *graph)
{
    const gsp_module *m = w->p->module;
    cli_params_clear(w->p);
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        w->bytes[m->target[graph->first + v]] += take_target(w->p, graph, v, 0);
        w->bytes[w->n_targets + w->n_graphs + v] = called_params(graph, v);
    }
    for (uint32_t i = 0; i < w->n_graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        uint32_t const visit = visit_of(w->p, &g);
        uint64_t sum = 0;
        w->local[i] = visit != 0;
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            uint64_t const target = take_target(w->p, &g, v, visit);
            sum = cli_add(sum, cli_add(called_params(&g, v), visit != 0 ? target : 0u));
            w->bytes[m->target[g.first + v]] += visit != 0 ? 0u : target;
        }
        w->bytes[w->n_targets + i] = sum;
    }
}

/* Items of the graphs that wait, and of those that they run. */
static void add_waiting(item_rows *w, struct cli_session *s, uint32_t n)
{
    cli_params *p = w->p;
    while (n > 0) {
        uint32_t const id = p->waiting[--n];
        gsp_graph const g = gsp_module_graph(p->module, id);
        add_item(w, s, w->n_targets + id);
        for (gsp_node v = 0; v < g.n_nodes; v++) {
            if (!w->local[id] && gsp_node_op(&g, v) == GSP_OP_GET_ATTR) {
                add_item(w, s, p->module->target[g.first + v]);
            }
            reach(p, &g, v, &n);
        }
    }
}

static void add_items(item_rows *w, struct cli_session *s, const gsp_graph *g, gsp_node v)
{
    uint32_t n_in;
    uint32_t n = 0;
    const gsp_node *in = gsp_node_inputs(g, v, &n_in);
    if (called_params(g, v) != 0) {
        add_item(w, s, w->n_targets + w->n_graphs + v);
    }
    for (uint32_t i = 0; i < n_in; i++) {
        if (gsp_node_op(g, in[i]) == GSP_OP_GET_ATTR) {
            add_item(w, s, w->p->module->target[g->first + in[i]]);
        }
    }
    cli_params_clear(w->p);
    if (w->p->any) {
        reach(w->p, g, v, &n);
    }
    add_waiting(w, s, n);
}

void cli_params_items(
    cli_params *p, struct cli_session *s, const gsp_graph *graph, gsp_costs *costs)
{
    const gsp_module *m = p->module;
    uint32_t *begin = (uint32_t *)cli_alloc(s, (size_t)graph->n_nodes + 1u, sizeof *begin);
    item_rows w;
    memset(&w, 0, sizeof w);
    w.p = p;
    w.n_targets = m->counts.strings;
    w.n_graphs = m->counts.graphs;
    w.room = 64;
    costs->n_items = w.n_targets + w.n_graphs + graph->n_nodes;
    w.bytes = (uint64_t *)cli_alloc(s, (size_t)costs->n_items + 1u, sizeof *w.bytes);
    w.local = (uint8_t *)cli_alloc(s, (size_t)w.n_graphs + 1u, 1u);
    w.items = (uint32_t *)cli_alloc(s, w.room, sizeof *w.items);
    weigh_items(&w, graph);
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        begin[v] = w.n;
        if (gsp_node_is_callable(graph, v)) {
            add_items(&w, s, graph, v);
        }
    }
    begin[graph->n_nodes] = w.n;
    costs->item_begin = begin;
    costs->items = w.items;
    costs->item_bytes = w.bytes;
    cli_release(s, w.local);
}

/* ---- parameters of all graphs at once ----
 *
 * Where one node alone runs each of the graphs below a graph, calls form a tree whose vertices are
 * graphs and nodes that run graphs. A parameter counts at each graph that has it, and once less at
 * the lowest common ancestor of this graph and of the last one before it in depth-first order. Then
 * sums over subtrees count each parameter once (Hui 1992, "Color set size problem"). That ancestor
 * is the first vertex above the earlier graph that is not finished, which union-find tells. */

#define SEVERAL (GSP_NONE - 1u) /* nodes run a graph */

typedef struct params_all {
    uint8_t *is_tree; /* [graphs] 1 if its calls form a tree; others have no figures */
    uint8_t *is_done; /* [graphs] */
    uint64_t *whole;  /* [graphs] as params_of_graph() after a clear */
    uint64_t *run;    /* [nodes] as cli_params_of_run() after a clear */
} params_all;

typedef struct tree {
    cli_params *p;
    params_all *all;
    const gsp_module *module;
    uint32_t *caller;  /* [graphs] the vertex that runs it, GSP_NONE or SEVERAL */
    uint32_t *above;   /* [vertices] itself until it is finished; graphs, then nodes */
    uint64_t *sum;     /* [vertices] modulo 2^64 */
    uint32_t *last;    /* [strings] the last graph with this target */
    uint32_t *root;    /* [strings] of the tree that `last` is of, plus one */
    uint32_t *path;    /* [graphs] those that are not finished */
    gsp_node *at;      /* [graphs] the node that is visited */
    gsp_called *found; /* [graphs] the search in that node */
} tree;

static uint32_t vertex_of(const tree *t, const gsp_graph *g, gsp_node v)
{
    return t->module->counts.graphs + g->first + v;
}

static uint32_t unfinished(tree *t, uint32_t v)
{
    while (t->above[v] != v) {
        t->above[v] = t->above[t->above[v]];
        v = t->above[v];
    }
    return v;
}

/* Sets the callers of the graphs that g runs; without `callers`, is_tree of g from theirs. */
static void follow_calls(tree *t, const gsp_graph *g, int callers)
{
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t const vertex = vertex_of(t, g, v);
        gsp_called c;
        memset(&c, 0, sizeof c);
        while (gsp_called_next(g, v, &c)) {
            uint32_t *caller = &t->caller[c.graph];
            if (callers) {
                *caller = *caller == GSP_NONE || *caller == vertex ? vertex : SEVERAL;
            } else if (*caller == SEVERAL || !t->all->is_tree[c.graph]) {
                t->all->is_tree[g->id] = 0;
            }
        }
    }
}

static void enter_graph(tree *t, const gsp_graph *g, uint32_t root)
{
    uint32_t const visit = visit_of(t->p, g);
    t->above[g->id] = g->id;
    t->at[g->id] = 0;
    memset(&t->found[g->id], 0, sizeof *t->found);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        gsp_atom const target = t->module->target[g->first + v];
        t->sum[g->id] += called_params(g, v);
        if (visit != 0) {
            t->sum[g->id] += take_target(t->p, g, v, visit);
        } else if (gsp_node_op(g, v) == GSP_OP_GET_ATTR) {
            t->sum[g->id] += gsp_node_bytes(g, v);
            if (t->root[target] == root + 1u) {
                t->sum[unfinished(t, t->last[target])] -= gsp_node_bytes(g, v);
            }
            t->root[target] = root + 1u;
            t->last[target] = g->id;
        }
    }
}

/* One step in the innermost graph of the path. Returns the change of depth; *next: what is
 * entered. */
static int step_graph(tree *t, const gsp_graph *g, uint32_t *next)
{
    gsp_node const v = t->at[g->id];
    uint32_t const vertex = vertex_of(t, g, v);
    gsp_called *c = &t->found[g->id];
    if (v == g->n_nodes) {
        uint32_t const caller = t->caller[g->id];
        t->all->whole[g->id] = t->sum[g->id];
        t->all->is_done[g->id] = 1;
        if (caller < SEVERAL && t->above[caller] == caller) {
            t->sum[caller] += t->sum[g->id];
            t->above[g->id] = caller;
        }
        return -1;
    }
    if (gsp_called_next(g, v, c)) {
        *next = c->graph;
        t->above[vertex] = vertex;
        return t->all->is_done[c->graph] ? 0 : 1;
    }
    if (t->above[vertex] == vertex) {
        t->all->run[g->first + v] = t->sum[vertex];
        t->sum[g->id] += t->sum[vertex];
        t->above[vertex] = g->id;
    }
    memset(c, 0, sizeof *c);
    t->at[g->id]++;
    return 0;
}

static void walk_tree(tree *t, uint32_t root)
{
    uint32_t depth = 1;
    gsp_graph g = gsp_module_graph(t->module, root);
    t->path[0] = root;
    enter_graph(t, &g, root);
    while (depth > 0) {
        uint32_t next = 0;
        int change;
        g = gsp_module_graph(t->module, t->path[depth - 1u]);
        change = step_graph(t, &g, &next);
        if (change > 0) {
            t->path[depth++] = next;
            g = gsp_module_graph(t->module, next);
            enter_graph(t, &g, root);
        }
        depth -= change < 0 ? 1u : 0u;
    }
}

/* In linear time. */
static void all_make(
    cli_params *p, struct cli_session *s, const gsp_calls_result *calls, params_all *all)
{
    const gsp_module *m = p->module;
    size_t const graphs = (size_t)m->counts.graphs + 1u;
    size_t const nodes = (size_t)m->counts.nodes + 1u;
    size_t const strings = (size_t)m->counts.strings + 1u;
    tree t;
    all->whole = (uint64_t *)cli_alloc(s, graphs, sizeof *all->whole);
    all->run = (uint64_t *)cli_alloc(s, nodes, sizeof *all->run);
    all->is_tree = (uint8_t *)cli_alloc(s, graphs, 1);
    all->is_done = (uint8_t *)cli_alloc(s, graphs, 1);
    t.p = p;
    t.all = all;
    t.module = m;
    t.caller = (uint32_t *)cli_alloc(s, graphs, sizeof *t.caller);
    t.above = (uint32_t *)cli_alloc(s, graphs + nodes, sizeof *t.above);
    t.sum = (uint64_t *)cli_alloc(s, graphs + nodes, sizeof *t.sum);
    t.last = (uint32_t *)cli_alloc(s, strings, sizeof *t.last);
    t.root = (uint32_t *)cli_alloc(s, strings, sizeof *t.root);
    t.path = (uint32_t *)cli_alloc(s, graphs, sizeof *t.path);
    t.at = (gsp_node *)cli_alloc(s, graphs, sizeof *t.at);
    t.found = (gsp_called *)cli_alloc(s, graphs, sizeof *t.found);
    memset(all->is_tree, 1, graphs);
    memset(t.caller, 0xFF, graphs * sizeof *t.caller);
    memset(t.above, 0xFF, (graphs + nodes) * sizeof *t.above);
    for (uint32_t i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        follow_calls(&t, &g, 1);
    }
    for (uint32_t i = 0; i < calls->n_graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, calls->order[i]);
        follow_calls(&t, &g, 0);
    }
    for (uint32_t i = calls->n_graphs; i > 0; i--) { /* callers first */
        uint32_t const id = calls->order[i - 1u];
        if (all->is_tree[id] && !all->is_done[id]) {
            walk_tree(&t, id);
        }
    }
    cli_release(s, t.found);
    cli_release(s, t.at);
    cli_release(s, t.path);
    cli_release(s, t.root);
    cli_release(s, t.last);
    cli_release(s, t.sum);
    cli_release(s, t.above);
    cli_release(s, t.caller);
}

/* ---- bytes ---- */

/* What a called graph needs beside what its caller counts. Interpreters of TFLite copy: inputs and
 * results of a subgraph are tensors of its own. Elsewhere what goes in is counted outside, and
 * results become those of the node. */
static uint64_t needed(const gsp_graph *g, gsp_node v, const cli_inside *inside, uint32_t child)
{
    uint64_t const own = gsp_node_bytes(g, v);
    if (begins(gsp_node_target(g, v), "tflite.")) {
        return inside->peak[child].bytes;
    }
    return inside->on_top[child].bytes > own ? inside->on_top[child].bytes - own : 0u;
}

/* Graphs that a node runs never run at the same time. */
static void measure_nodes(const gsp_graph *g, cli_inside *inside)
{
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        gsp_called c;
        memset(&c, 0, sizeof c);
        while (gsp_node_is_callable(g, v) && gsp_called_next(g, v, &c)) {
            uint64_t const bytes = needed(g, v, inside, c.graph);
            uint64_t *most = &inside->bytes[g->first + v];
            *most = bytes > *most ? bytes : *most;
            inside->calls[g->id]++;
        }
    }
}

static gsp_status measure_graph(
    struct cli_session *s, const gsp_graph *g, cli_inside *inside, gsp_error *err)
{
    gsp_liveness_desc desc = {0};
    gsp_liveness_result result;
    gsp_status status = GSP_OK;
    gsp_arena arena;
    measure_nodes(g, inside);
    desc.scratch = inside->bytes + g->first;
    for (; desc.skip_inputs < 2u && status == GSP_OK; desc.skip_inputs++) {
        cli_arena(s, &arena, gsp_liveness_bound(g, &desc));
        status = gsp_liveness_run(&arena, g, &desc, &result, err);
        if (status == GSP_OK && desc.skip_inputs != 0) {
            inside->on_top[g->id] = result.parts[0];
        } else if (status == GSP_OK) {
            inside->peak[g->id] = result.parts[0];
        }
        cli_release(s, arena.base);
    }
    return status;
}

/* Parameters of what each node runs, and of each graph with what it runs. */
static void measure_params(
    struct cli_session *s, const gsp_module *m, const gsp_calls_result *calls, cli_inside *inside)
{
    params_all all;
    cli_params p;
    cli_params_open(&p, s, m);
    all_make(&p, s, calls, &all);
    inside->params = all.run;
    inside->whole = all.whole;
    for (uint32_t i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        for (gsp_node v = 0; v < g.n_nodes && inside->calls[i] != 0 && !all.is_tree[i]; v++) {
            cli_params_clear(&p);
            all.run[g.first + v] = cli_params_of_run(&p, &g, v);
        }
        if (!all.is_tree[i]) {
            cli_params_clear(&p);
            all.whole[i] = params_of_graph(&p, &g);
        }
    }
    cli_release(s, all.is_done);
    cli_release(s, all.is_tree);
    cli_params_close(&p, s);
}

gsp_status cli_inside_make(
    struct cli_session *s, const gsp_module *m, cli_inside *inside, gsp_error *err)
{
    size_t const graphs = (size_t)m->counts.graphs + 1u;
    size_t const nodes = (size_t)m->counts.nodes + 1u;
    gsp_calls_result calls;
    gsp_arena arena;
    gsp_status status;
    cli_arena(s, &arena, gsp_calls_bound(m));
    status = gsp_calls_run(&arena, m, &calls, err);
    inside->peak = (gsp_liveness_part *)cli_alloc(s, graphs, sizeof *inside->peak);
    inside->on_top = (gsp_liveness_part *)cli_alloc(s, graphs, sizeof *inside->on_top);
    inside->calls = (uint32_t *)cli_alloc(s, graphs, sizeof *inside->calls);
    inside->bytes = (uint64_t *)cli_alloc(s, nodes, sizeof *inside->bytes);
    for (uint32_t i = 0; status == GSP_OK && i < calls.n_graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, calls.order[i]);
        status = measure_graph(s, &g, inside, err);
    }
    if (status == GSP_OK) {
        measure_params(s, m, &calls, inside);
    }
    cli_release(s, arena.base);
    return status;
}

void cli_inside_set(struct cli_session *s)
{
    gsp_module *m = &s->module;
    uint32_t calls = 0;
    cli_inside inside;
    gsp_error err;
    m->run_bytes = m->run_params = NULL;
    if (m->counts.graphs < 2u || cli_inside_make(s, m, &inside, &err) != GSP_OK) {
        return;
    }
    for (uint32_t i = 0; i < m->counts.graphs; i++) {
        calls += inside.calls[i] != 0 ? 1u : 0u;
    }
    if (calls != 0) {
        m->run_bytes = inside.bytes;
        m->run_params = inside.params;
    }
}
