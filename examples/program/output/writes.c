/* Parts run one after the other. If values alone order them, a node that writes may run after a
 * part that reads the old value, or before one that reads the new one. The user is warned. */
#include "output/output.h"

#include "algorithms/algorithms.h"

#include <inttypes.h>
#include <string.h>

/* Pairs of nodes in reversed order; the first pair. */
typedef struct turned {
    uint64_t n;
    gsp_node before;
    gsp_node after;
} turned;

static void add(turned *t, gsp_node before, gsp_node after)
{
    if (t->n == 0u) {
        t->before = before;
        t->after = after;
    }
    t->n++;
}

/* Nodes that depend on a node by memory, and run in an earlier part. */
static void find_writes(const gsp_dependences *e, const uint32_t *part, turned *t)
{
    gsp_node v;
    for (v = 0; v < e->n_nodes; v++) {
        uint32_t i;
        for (i = e->dependent_begin[v]; i < e->dependent_begin[v + 1u]; i++) {
            gsp_node const w = e->dependents[i];
            if (part[v] != GSP_NONE && part[w] != GSP_NONE && part[w] < part[v]) {
                add(t, v, w);
            }
        }
    }
}

/* Nodes after a barrier (or barriers after a node) that run in an earlier part. */
static void find_barriers(const gsp_dependences *e, const uint32_t *part, turned *t)
{
    gsp_node last = GSP_NONE;    /* of the segments before: a node in the latest part */
    gsp_node current = GSP_NONE; /* the same for this segment */
    gsp_node v;
    for (v = 0; v < e->n_nodes; v++) {
        if (part[v] == GSP_NONE) {
            continue;
        }
        if (current != GSP_NONE && e->segment[v] != e->segment[current]) {
            last = last == GSP_NONE || part[current] > part[last] ? current : last;
            current = GSP_NONE;
        }
        current = current == GSP_NONE || part[v] > part[current] ? v : current;
        if (last != GSP_NONE && part[v] < part[last]) {
            add(t, last, v);
        }
    }
}

/* 0 if nothing depends on a write; 1 if some node does, or `err` says why that is unknown. */
static int find_dependences(
    cli_session *s, const gsp_graph *g, gsp_dependences *dependences, gsp_error *err)
{
    gsp_dependences_desc desc = {0};
    gsp_arena arena;
    gsp_status status;
    memset(err, 0, sizeof *err);
    if (!cli_is_written(g)) {
        return 0;
    }
    do { /* the program has no limit of its own */
        cli_arena(s, &arena, gsp_dependences_bound(g, &desc));
        status = gsp_dependences_run(&arena, g, &desc, dependences, err);
        desc.max_dependences = (uint32_t)err->need;
    } while (status == GSP_STATUS_LIMIT && err->detail == GSP_DETAIL_DEPENDENCES);
    return 1;
}

int cli_order_writes(cli_session *s, gsp_graph *graph, uint32_t ignore)
{
    gsp_dependences dependences;
    gsp_arena arena;
    gsp_error err;
    gsp_order *order;
    if (ignore != 0 || !find_dependences(s, graph, &dependences, &err)) {
        return CLI_EXIT_OK;
    }
    if (err.status != GSP_OK) {
        return cli_pass_error(s, graph, &err);
    }
    order = (gsp_order *)cli_alloc(s, 1u, sizeof *order);
    cli_arena(s, &arena, gsp_order_bound(graph, &dependences));
    (void)gsp_order_run(&arena, graph, &dependences, order, NULL);
    graph->order = order;
    return CLI_EXIT_OK;
}

/* The nodes that run in reversed order. */
static void put(cli_buffer *b, const gsp_graph *g, const turned *t)
{
    cli_puts(b, "%");
    cli_put_clipped(b, gsp_node_name(g, t->before), 60u);
    cli_puts(b, " has to run before %");
    cli_put_clipped(b, gsp_node_name(g, t->after), 60u);
    cli_puts(b, " (mutates= or barrier=), and the parts run them in the opposite order");
    if (t->n > 1u) {
        cli_printf(b, ", as %" PRIu64 " more such pair%s", t->n - 1u, t->n > 2u ? "s" : "");
    }
}

int cli_check_writes(cli_session *s, const gsp_graph *graph, const uint32_t *part)
{
    gsp_dependences dependences;
    gsp_error err;
    cli_buffer b;
    turned t = {0, GSP_NONE, GSP_NONE};
    if (!find_dependences(s, graph, &dependences, &err) || err.status != GSP_OK) {
        return CLI_EXIT_OK; /* an invalid position in mutates= is reported elsewhere */
    }
    find_writes(&dependences, part, &t);
    find_barriers(&dependences, part, &t);
    if (t.n == 0u) {
        return CLI_EXIT_OK;
    }
    cli_buffer_init(&b, s);
    if (graph->order != NULL) {
        put(&b, graph, &t);
        cli_put(&b, "", 1u);
        return cli_error(s, GSP_STATUS_CYCLE, "%s; --ignore-writes allows it", b.data);
    }
    cli_puts(&b, s->front->program);
    cli_puts(&b, ": ");
    put(&b, graph, &t);
    cli_puts(
        &b, ": the result may differ from that of the graph. One part for both keeps the order\n");
    cli_progress_end(s);
    cli_tell(&b);
    return CLI_EXIT_OK;
}

/* The first node that writes each alias set, or GSP_NONE. */
static gsp_node *find_writers(cli_session *s, const gsp_graph *g, const gsp_dependences *e)
{
    gsp_node *writer = (gsp_node *)cli_alloc(s, (size_t)e->n_alias_sets + 1u, sizeof *writer);
    gsp_node v;
    memset(writer, 0xFF, ((size_t)e->n_alias_sets + 1u) * sizeof *writer);
    for (v = g->n_nodes; v > 0; v--) {
        gsp_written_iter walk = {0, 0, 0};
        gsp_node u;
        while ((u = gsp_node_next_written(g, v - 1u, &walk)) != GSP_NONE) {
            uint32_t i;
            for (i = e->alias_begin[u]; i < e->alias_end[u]; i++) {
                writer[i] = v - 1u;
            }
        }
    }
    return writer;
}

/* 1 for parts of one memory. */
static int is_near(const cli_named_parts *parts, uint32_t a, uint32_t b)
{
    return parts->kind != NULL ? parts->kind[a] == parts->kind[b] : a == b;
}

/* A part of another kind that reads an attribute, by a node; GSP_NONE if there is none. */
static gsp_node find_reader(
    const gsp_graph *g, gsp_node attribute, const cli_named_parts *parts, gsp_node writer)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(g, attribute, &n);
    uint32_t const own = parts->part_of[writer];
    uint32_t i = 0;
    while (i < n && (own == GSP_NONE || parts->part_of[users[i]] == GSP_NONE ||
                        is_near(parts, parts->part_of[users[i]], own))) {
        i++;
    }
    return i < n ? users[i] : GSP_NONE;
}

static gsp_atom target_of(const gsp_graph *g, gsp_node v)
{
    return g->module->target[g->first + v];
}

/* By target, the first barrier that calls a module, which thus writes it; or GSP_NONE. */
static gsp_node *find_holders(cli_session *s, const gsp_graph *g)
{
    gsp_node *holder;
    gsp_atom most = 0;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        most = target_of(g, v) > most ? target_of(g, v) : most;
    }
    holder = (gsp_node *)cli_alloc(s, (size_t)most + 1u, sizeof *holder);
    memset(holder, 0xFF, ((size_t)most + 1u) * sizeof *holder);
    for (v = g->n_nodes; v > 0; v--) {
        if (gsp_node_op(g, v - 1u) == GSP_OP_CALL_MODULE && gsp_node_is_barrier(g, v - 1u)) {
            holder[target_of(g, v - 1u)] = v - 1u;
        }
    }
    return holder;
}

/* Modules that a part writes and one of another kind calls, too: five at most. */
static void put_modules(
    cli_session *s, const gsp_graph *g, const cli_named_parts *parts, cli_buffer *b)
{
    gsp_node *holder = find_holders(s, g);
    uint32_t told = 0;
    gsp_node v;
    for (v = 0; v < g->n_nodes && told < 5u; v++) {
        gsp_node const w =
            gsp_node_op(g, v) == GSP_OP_CALL_MODULE ? holder[target_of(g, v)] : GSP_NONE;
        uint32_t const own = w == GSP_NONE ? GSP_NONE : parts->part_of[w];
        uint32_t const other = parts->part_of[v];
        if (own == GSP_NONE || other == GSP_NONE || is_near(parts, own, other)) {
            continue;
        }
        told++;
        holder[target_of(g, v)] = GSP_NONE;
        cli_printf(b, "%s: module ", s->front->program);
        cli_put_clipped(b, gsp_node_target(g, v), 60u);
        cli_puts(b, ": %");
        cli_put_clipped(b, gsp_node_name(g, w), 60u);
        cli_printf(b, " of %s writes what it holds, and %%", parts->names[own]);
        cli_put_clipped(b, gsp_node_name(g, v), 60u);
        cli_printf(
            b, " of %s calls it, too, of which a device may hold a copy\n", parts->names[other]);
    }
}

void cli_tell_modules(cli_session *s, const gsp_graph *graph, const cli_named_parts *parts)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    put_modules(s, graph, parts, &b);
    cli_progress_end(s);
    cli_tell(&b);
}

void cli_tell_attributes(cli_session *s, const gsp_graph *graph, const cli_named_parts *parts)
{
    gsp_dependences e;
    gsp_error err;
    gsp_node *writer;
    cli_buffer b;
    uint32_t told = 0;
    gsp_node v;
    if (!find_dependences(s, graph, &e, &err) || err.status != GSP_OK) {
        return;
    }
    writer = find_writers(s, graph, &e);
    cli_buffer_init(&b, s);
    for (v = 0; v < graph->n_nodes && told < 5u; v++) {
        gsp_node const w =
            gsp_node_op(graph, v) == GSP_OP_GET_ATTR ? writer[e.alias_begin[v]] : GSP_NONE;
        gsp_node const u = w == GSP_NONE ? GSP_NONE : find_reader(graph, v, parts, w);
        if (u == GSP_NONE) {
            continue;
        }
        told++;
        cli_printf(&b, "%s: attribute ", s->front->program);
        cli_put_clipped(&b, gsp_node_target(graph, v), 60u);
        cli_puts(&b, ": %");
        cli_put_clipped(&b, gsp_node_name(graph, w), 60u);
        cli_printf(&b, " of %s writes it, and %%", parts->names[parts->part_of[w]]);
        cli_put_clipped(&b, gsp_node_name(graph, u), 60u);
        cli_printf(&b, " of %s reads it as an attribute, of which a device may hold a copy\n",
            parts->names[parts->part_of[u]]);
    }
    put_modules(s, graph, parts, &b);
    cli_progress_end(s);
    cli_tell(&b);
}
