/* Parts of several memories may each hold a copy of an attribute or a module. What one of them
 * writes, another reads as it was. The user is told. */
#include "output/output.h"

#include <string.h>

/* Calls of one module in parts of two memories; GSP_NONE for none. */
typedef struct callers {
    gsp_node first; /* in graph order */
    gsp_node far;   /* the first in another memory than that of `first` */
} callers;

typedef struct held_module {
    callers all;
    gsp_node writer; /* the first barrier, which writes what the module holds; or GSP_NONE */
    int told;
} held_module;

#define MOST_LINES 5u

typedef struct teller {
    cli_session *session;
    const gsp_graph *graph;
    const cli_named_parts *parts;
    gsp_dependences memory;
    held_module *modules;
    cli_names paths;   /* of modules; `node` is the index of one */
    gsp_node *writer;  /* [alias sets] the first node that writes it, or GSP_NONE */
    uint32_t *written; /* [alias sets] a module that writes it, or GSP_NONE */
    cli_buffer out;
    uint32_t lines;
} teller;

static gsp_atom target_of(const gsp_graph *g, gsp_node v)
{
    return g->module->target[g->first + v];
}

/* 1 for parts of one memory. */
static int is_near(const cli_named_parts *parts, uint32_t a, uint32_t b)
{
    return parts->kind != NULL ? parts->kind[a] == parts->kind[b] : a == b;
}

static void add_caller(const teller *t, callers *c, gsp_node v)
{
    const uint32_t *part_of = t->parts->part_of;
    if (part_of[v] == GSP_NONE) {
        return;
    }
    if (c->first == GSP_NONE) {
        c->first = v;
    } else if (c->far == GSP_NONE && !is_near(t->parts, part_of[c->first], part_of[v])) {
        c->far = v;
    }
}

/* The first caller in another memory than that of a part, or GSP_NONE. */
static gsp_node far_caller(const teller *t, const callers *c, uint32_t part)
{
    if (part == GSP_NONE || c->first == GSP_NONE) {
        return GSP_NONE;
    }
    return is_near(t->parts, t->parts->part_of[c->first], part) ? c->far : c->first;
}

/* The modules that are called, by path. */
static void find_modules(teller *t)
{
    const gsp_graph *g = t->graph;
    uint32_t const n = g->module->counts.strings;
    uint32_t *at = (uint32_t *)cli_alloc(t->session, (size_t)n + 1u, sizeof *at);
    gsp_node v;
    memset(at, 0xFF, ((size_t)n + 1u) * sizeof *at);
    t->modules = (held_module *)cli_alloc(t->session, g->n_nodes, sizeof *t->modules);
    t->paths.entries = (cli_name *)cli_alloc(t->session, g->n_nodes, sizeof *t->paths.entries);
    t->paths.n = 0;
    memset(t->modules, 0xFF, g->n_nodes * sizeof *t->modules);
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t *index;
        if (gsp_node_op(g, v) != GSP_OP_CALL_MODULE) {
            continue;
        }
        index = &at[target_of(g, v)];
        if (*index == GSP_NONE) {
            *index = t->paths.n++;
            t->paths.entries[*index].name = gsp_node_target(g, v);
            t->paths.entries[*index].node = *index;
            t->modules[*index].told = 0;
        }
        add_caller(t, &t->modules[*index].all, v);
        if (gsp_node_is_barrier(g, v) && t->modules[*index].writer == GSP_NONE) {
            t->modules[*index].writer = v;
        }
    }
    cli_names_sort(&t->paths);
}

/* The next module whose path leads to another, or is it, behind `size` bytes: blk, blk.norm of
 * blk.norm.bias. GSP_NONE at the end. */
static uint32_t next_module(const teller *t, gsp_str path, uint32_t *size)
{
    uint32_t found = GSP_NONE;
    while (found == GSP_NONE && *size < path.size) {
        gsp_str way = path;
        way.size = ++*size;
        if (*size == path.size || path.data[*size] == '.') {
            found = cli_names_find(&t->paths, way);
        }
    }
    return found;
}

/* The nodes and modules that write each alias set. */
static void find_writers(teller *t)
{
    const gsp_graph *g = t->graph;
    size_t const n = (size_t)t->memory.n_alias_sets + 1u;
    gsp_node v;
    t->writer = (gsp_node *)cli_alloc(t->session, n, sizeof *t->writer);
    t->written = (uint32_t *)cli_alloc(t->session, n, sizeof *t->written);
    memset(t->writer, 0xFF, n * sizeof *t->writer);
    memset(t->written, 0xFF, n * sizeof *t->written);
    for (v = g->n_nodes; v > 0; v--) {
        gsp_written_iter walk = {0, 0, 0};
        gsp_node u;
        while ((u = gsp_node_next_written(g, v - 1u, &walk)) != GSP_NONE) {
            uint32_t i;
            for (i = t->memory.alias_begin[u]; i < t->memory.alias_end[u]; i++) {
                t->writer[i] = v - 1u;
            }
        }
    }
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t size = 0;
        uint32_t i;
        while (gsp_node_op(g, v) == GSP_OP_GET_ATTR &&
               (i = next_module(t, gsp_node_target(g, v), &size)) != GSP_NONE) {
            if (t->modules[i].writer != GSP_NONE) {
                t->written[t->memory.alias_begin[v]] = i;
            }
        }
    }
}

/* A node that reads an attribute in another memory than that of a part; GSP_NONE if none does. */
static gsp_node find_reader(const teller *t, gsp_node attribute, uint32_t part)
{
    uint32_t const home = t->parts->home != NULL ? t->parts->home[attribute] : GSP_NONE;
    uint32_t n;
    const gsp_node *users = gsp_node_users(t->graph, attribute, &n);
    uint32_t i;
    for (i = 0; i < n && part != GSP_NONE; i++) {
        uint32_t const own = t->parts->part_of[users[i]];
        if (own != GSP_NONE && !is_near(t->parts, home != GSP_NONE ? home : own, part)) {
            return users[i];
        }
    }
    return GSP_NONE;
}

/* "graphsplit: module norm: %n of _run_on_cpu_0 writes what it holds, and %r of _run_on_acc_1 " */
static void put_start(
    teller *t, const char *what, gsp_str held, const char *writes, const gsp_node *ends)
{
    cli_buffer *b = &t->out;
    const uint32_t *part_of = t->parts->part_of;
    t->lines++;
    cli_printf(b, "%s: %s ", t->session->front->program, what);
    cli_put_clipped(b, held, 60u);
    cli_puts(b, ": %");
    cli_put_clipped(b, gsp_node_name(t->graph, ends[0]), 60u);
    cli_printf(b, " of %s writes %s, and %%", t->parts->names[part_of[ends[0]]], writes);
    cli_put_clipped(b, gsp_node_name(t->graph, ends[1]), 60u);
    cli_printf(b, " of %s ", t->parts->names[part_of[ends[1]]]);
}

/* "calls norm, which holds it", and the rest of the line. */
static void put_end(teller *t, const char *reads, gsp_str path, const char *how)
{
    cli_puts(&t->out, reads);
    cli_put_clipped(&t->out, path, 60u);
    cli_puts(&t->out, how);
    cli_puts(&t->out, ", of which a device may hold a copy\n");
}

static gsp_str path_of(const teller *t, uint32_t module)
{
    return gsp_node_target(t->graph, t->modules[module].all.first);
}

/* An attribute that a node writes: a part reads it as an attribute, or calls a module with it. */
static void tell_written(teller *t, gsp_node v)
{
    gsp_str const path = gsp_node_target(t->graph, v);
    gsp_node ends[2];
    uint32_t size = 0;
    uint32_t part;
    uint32_t i;
    ends[0] = t->writer[t->memory.alias_begin[v]];
    if (ends[0] == GSP_NONE) {
        return;
    }
    part = t->parts->part_of[ends[0]];
    if ((ends[1] = find_reader(t, v, part)) != GSP_NONE) {
        put_start(t, "attribute", path, "it", ends);
        put_end(t, "reads it as an attribute", gsp_str_of(""), "");
    }
    while ((i = next_module(t, path, &size)) != GSP_NONE) {
        if ((ends[1] = far_caller(t, &t->modules[i].all, part)) != GSP_NONE) {
            put_start(t, "attribute", path, "it", ends);
            put_end(t, "calls ", path_of(t, i), ", which holds it");
            return;
        }
    }
}

/* An attribute of a module that writes what it holds: a part reads it as an attribute. */
static void tell_read(teller *t, gsp_node v)
{
    uint32_t const module = t->written[t->memory.alias_begin[v]];
    gsp_node ends[2];
    if (module == GSP_NONE) {
        return;
    }
    ends[0] = t->modules[module].writer;
    ends[1] = find_reader(t, v, t->parts->part_of[ends[0]]);
    if (ends[1] != GSP_NONE) {
        put_start(t, "module", path_of(t, module), "what it holds", ends);
        put_end(t, "reads ", gsp_node_target(t->graph, v), " as an attribute");
    }
}

/* 1 for nodes in parts of different memories. */
static int are_far(const teller *t, gsp_node v, gsp_node w)
{
    const uint32_t *part_of = t->parts->part_of;
    return part_of[v] != GSP_NONE && part_of[w] != GSP_NONE &&
           !is_near(t->parts, part_of[v], part_of[w]);
}

/* A module that writes what it holds: a part calls it, or a module in it. */
static void tell_inside(teller *t, gsp_node v)
{
    gsp_str const path = gsp_node_target(t->graph, v);
    gsp_node ends[2];
    uint32_t size = 0;
    uint32_t i;
    while ((i = next_module(t, path, &size)) != GSP_NONE) {
        held_module *m = &t->modules[i];
        ends[0] = m->writer;
        ends[1] = v;
        if (m->told || m->writer == GSP_NONE || !are_far(t, v, m->writer)) {
            continue;
        }
        m->told = 1;
        put_start(t, "module", path_of(t, i), "what it holds", ends);
        if (size == path.size) {
            put_end(t, "calls it, too", gsp_str_of(""), "");
        } else {
            put_end(t, "calls ", path, " in it");
        }
    }
}

/* A module that writes what it holds: a part calls one that holds it. */
static void tell_around(teller *t, gsp_node v)
{
    gsp_str const path = gsp_node_target(t->graph, v);
    gsp_node ends[2];
    uint32_t size = 0;
    uint32_t i;
    ends[0] = v;
    while (gsp_node_is_barrier(t->graph, v) && (i = next_module(t, path, &size)) != GSP_NONE) {
        ends[1] = far_caller(t, &t->modules[i].all, t->parts->part_of[v]);
        if (size < path.size && ends[1] != GSP_NONE) {
            put_start(t, "module", path, "what it holds", ends);
            put_end(t, "calls ", path_of(t, i), ", which holds it");
            return;
        }
    }
}

static void tell(
    cli_session *s, const gsp_graph *graph, const cli_named_parts *parts, int attributes)
{
    teller t;
    gsp_error err;
    gsp_node v;
    memset(&t, 0, sizeof t);
    t.session = s;
    t.graph = graph;
    t.parts = parts;
    if (!cli_find_dependences(s, graph, &t.memory, &err) || err.status != GSP_OK) {
        return;
    }
    find_modules(&t);
    find_writers(&t);
    cli_buffer_init(&t.out, s);
    for (v = 0; v < graph->n_nodes && t.lines < MOST_LINES; v++) {
        if (gsp_node_op(graph, v) == GSP_OP_CALL_MODULE) {
            tell_inside(&t, v);
            tell_around(&t, v);
        } else if (gsp_node_op(graph, v) == GSP_OP_GET_ATTR) {
            tell_read(&t, v);
            if (attributes) {
                tell_written(&t, v);
            }
        }
    }
    cli_progress_end(s);
    cli_tell(&t.out);
}

void cli_tell_modules(cli_session *s, const gsp_graph *graph, const cli_named_parts *parts)
{
    tell(s, graph, parts, 0);
}

void cli_tell_attributes(cli_session *s, const gsp_graph *graph, const cli_named_parts *parts)
{
    tell(s, graph, parts, 1);
}
