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

int cli_find_dependences(
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
    if (ignore != 0 || !cli_find_dependences(s, graph, &dependences, &err)) {
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
    if (!cli_find_dependences(s, graph, &dependences, &err) || err.status != GSP_OK) {
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
