/* Writes that a stage does to its copy of a value, while a reader has another copy. */
#include "commands/pipe/pipe.h"

#include "input/input.h"

#include <inttypes.h>
#include <string.h>

/* What a stage holds of a value: every value that is sent arrives as a copy of its own, even if
 * several show one memory. */
typedef struct copy {
    gsp_node value;
    uint32_t stage;
} copy;

typedef struct copies {
    const gsp_graph *g;
    const cli_named_parts *parts;
    gsp_dependences d;
    copy *own;        /* [n] the copy that a value shows in the stage that yields it */
    gsp_node *writer; /* [alias sets] the last one */
    copy *written;    /* [alias sets] what it has written */
    uint64_t n;       /* readers of another copy; the first of them */
    gsp_node by;
    gsp_node reader;
    gsp_node value;
    uint32_t by_stage;
} copies;

/* The stage that yields a value; an attribute that no stage sends is in each. */
static uint32_t stage_of(const copies *c, gsp_node u, uint32_t at)
{
    if (gsp_node_op(c->g, u) != GSP_OP_GET_ATTR) {
        return c->parts->part_of[u];
    }
    return c->parts->home[u] != GSP_NONE ? c->parts->home[u] : at;
}

static copy copy_in(const copies *c, gsp_node u, uint32_t at)
{
    copy one;
    one.value = u;
    one.stage = at;
    return stage_of(c, u, at) == at ? c->own[u].value != GSP_NONE ? c->own[u] : one : one;
}

/* 1 if a copy is what was written, or was sent from there. */
static int has_write(const copies *c, copy one, copy written)
{
    while (one.value != written.value || one.stage != written.stage) {
        uint32_t const from = stage_of(c, one.value, one.stage);
        if (from == one.stage) {
            return 0;
        }
        one = copy_in(c, one.value, from);
    }
    return 1;
}

static void read_value(copies *c, gsp_node v, gsp_node u, uint32_t at)
{
    copy const one = copy_in(c, u, at);
    uint32_t k;
    for (k = c->d.alias_begin[u]; k < c->d.alias_end[u]; k++) {
        if (c->writer[k] != GSP_NONE && !has_write(c, one, c->written[k])) {
            if (c->n++ == 0) {
                c->by = c->writer[k];
                c->by_stage = c->written[k].stage;
                c->reader = v;
                c->value = u;
            }
            return;
        }
    }
}

static void write_value(copies *c, gsp_node v, gsp_node u, uint32_t at)
{
    uint32_t k;
    for (k = c->d.alias_begin[u]; k < c->d.alias_end[u]; k++) {
        c->writer[k] = v;
        c->written[k] = copy_in(c, u, at);
    }
}

/* The copy that a value shows: that of an input whose memory it shares, or one of its own. */
static copy yields(const copies *c, gsp_node v, uint32_t at)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(c->g, v, &n);
    copy one;
    uint32_t i;
    one.value = v;
    one.stage = at;
    for (i = 0; i < n; i++) {
        if (c->d.alias_begin[v] < c->d.alias_end[in[i]] &&
            c->d.alias_begin[in[i]] < c->d.alias_end[v]) {
            return copy_in(c, in[i], at);
        }
    }
    return one;
}

static void find_copies(copies *c)
{
    gsp_node v;
    for (v = 0; v < c->g->n_nodes; v++) {
        int const is_output = v + 1u == c->g->n_nodes;
        uint32_t const at = is_output ? GSP_NONE : c->parts->part_of[v];
        gsp_written_iter iter = {0, 0, 0};
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(c->g, v, &n);
        gsp_node u;
        uint32_t i;
        for (i = 0; i < n; i++) {
            read_value(c, v, in[i], at);
        }
        if (is_output || !gsp_node_is_callable(c->g, v)) {
            continue;
        }
        c->own[v] = yields(c, v, at);
        while ((u = gsp_node_next_written(c->g, v, &iter)) != GSP_NONE) {
            write_value(c, v, u, at);
        }
    }
}

static void tell_copies(cli_session *s, const copies *c)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    cli_printf(&b, "%s: %s: %%", s->front->program, s->path);
    cli_put_clipped(&b, gsp_node_name(c->g, c->by), 60u);
    cli_printf(&b, " (%s) writes memory of which ", c->parts->names[c->by_stage]);
    if (c->reader + 1u == c->g->n_nodes) {
        cli_puts(&b, "the return");
    } else {
        cli_puts(&b, "%");
        cli_put_clipped(&b, gsp_node_name(c->g, c->reader), 60u);
        cli_printf(&b, " (%s)", c->parts->names[c->parts->part_of[c->reader]]);
    }
    cli_puts(&b, " has another copy, %");
    cli_put_clipped(&b, gsp_node_name(c->g, c->value), 60u);
    cli_puts(&b, ", if stages are on several devices; one stage for both has one");
    if (c->n > 1u) {
        cli_printf(&b, " (and %" PRIu64 " more such reader%s)", c->n - 1u, c->n > 2u ? "s" : "");
    }
    cli_puts(&b, "\n");
    cli_progress_end(s);
    cli_tell(&b);
}

void pipe_tell_copies(cli_session *s, const gsp_graph *g, const cli_named_parts *parts)
{
    copies c;
    gsp_error err;
    uint32_t i;
    memset(&c, 0, sizeof c);
    c.g = g;
    c.parts = parts;
    if (!cli_find_dependences(s, g, &c.d, &err) || err.status != GSP_OK) {
        return;
    }
    c.own = (copy *)cli_alloc(s, g->n_nodes, sizeof *c.own);
    c.writer = (gsp_node *)cli_alloc(s, (size_t)c.d.n_alias_sets + 1u, sizeof *c.writer);
    c.written = (copy *)cli_alloc(s, (size_t)c.d.n_alias_sets + 1u, sizeof *c.written);
    for (i = 0; i < c.d.n_alias_sets; i++) {
        c.writer[i] = GSP_NONE;
    }
    for (i = 0; i < g->n_nodes; i++) {
        c.own[i].value = GSP_NONE;
    }
    find_copies(&c);
    if (c.n != 0) {
        tell_copies(s, &c);
    }
}
