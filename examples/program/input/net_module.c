/* The module of nodes and edges: arrays of its own, and the strings of a builder. */
#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A gsp_module is a view, so its arrays need not lie in one block, which a builder would hold twice
 * for a while. A small module of one node and the output makes the strings; the names n0, n1, ...
 * follow these. */

enum { LIKE, OUTPUT }; /* nodes of the small module */

typedef struct maker {
    cli_net *net;
    const cli_net_rows *r;
    gsp_module m;   /* the small one, then the result */
    void *memory;   /* of the small one */
    gsp_atom *name; /* [n + 1] */
    gsp_atom *target;
    gsp_atom *type;
    uint32_t *attr;
    gsp_attr *attrs;
    uint32_t n_attrs;
    uint32_t *in_begin; /* [n + 2] */
    uint32_t *user_begin;
    gsp_node *inputs;
    gsp_node *users;
    gsp_arg *args;
} maker;

static void *room_for(const maker *w, size_t count, size_t size)
{
    return cli_grow(w->net->session, NULL, (count + 2u) * size);
}

/* The number in the file of the node at a place in the order. */
static uint32_t number_at(const maker *w, uint32_t at)
{
    return w->r->order != NULL ? w->r->order[at] : at;
}

static uint64_t weight_at(const maker *w, uint32_t at)
{
    return w->net->weight != NULL ? w->net->weight[number_at(w, at)] : 1u;
}

static uint64_t bytes_at(const maker *w, uint32_t at)
{
    return w->net->bytes != NULL ? w->net->bytes[number_at(w, at)] : 1u;
}

static int is_like_last(const maker *w, uint32_t at)
{
    return at != 0 && bytes_at(w, at) == bytes_at(w, at - 1u) &&
           weight_at(w, at) == weight_at(w, at - 1u) && number_at(w, at) == at &&
           number_at(w, at - 1u) == at - 1u;
}

static gsp_str put(char *room, const char *before, uint64_t value, const char *after)
{
    gsp_str text;
    text.data = room;
    text.size = (uint32_t)snprintf(room, 32u, "%s%" PRIu64 "%s", before, value, after);
    return text;
}

static gsp_str name_of(uint32_t number, char *room)
{
    return put(room, "n", number, "");
}

/* ---- strings ---- */

/* Of the small module; strings are counted once if nodes in a row share them. */
static gsp_counts count(const maker *w)
{
    const cli_net *net = w->net;
    gsp_counts c = gsp_build_counts(1u, 2u, 2u, 0u, 4u, 64u);
    char room[32];
    uint32_t at;
    for (at = 0; at < net->n; at++) {
        uint32_t const v = number_at(w, at);
        if (net->named) {
            c.strings++;
            c.bytes += net->names[v].size;
        }
        if (!is_like_last(w, at)) {
            c.strings += 3u;
            c.bytes += put(room, "u8[", bytes_at(w, at), "]").size;
            c.bytes += put(room, "", weight_at(w, at), "").size;
            c.bytes += put(room, "", v, "").size;
        }
    }
    return c;
}

static void add_attr(maker *w, gsp_atom key, gsp_atom value)
{
    w->attrs[w->n_attrs].key = key;
    w->attrs[w->n_attrs++].value = value;
}

/* The annotation of a node; that of the last one, if it is the same. */
static void annotate(maker *w, gsp_builder *b, gsp_atom weight_key, gsp_atom id_key, uint32_t at)
{
    char room[32];
    if (is_like_last(w, at)) {
        w->type[at] = w->type[at - 1u];
        w->attr[at] = w->attr[at - 1u];
    } else {
        gsp_atom const weight = gsp_build_atom(b, put(room, "", weight_at(w, at), ""));
        w->type[at] = gsp_build_atom(b, put(room, "u8[", bytes_at(w, at), "]"));
        w->attr[at] = w->n_attrs;
        add_attr(w, GSP_KEY_COMPUTE, weight);
        add_attr(w, weight_key, weight);
        if (number_at(w, at) != at) {
            add_attr(w, id_key, gsp_build_atom(b, put(room, "", number_at(w, at), "")));
        }
        add_attr(w, GSP_KEY_NONE, GSP_KEY_NONE);
    }
}

static uint32_t count_attrs(const maker *w)
{
    uint32_t n = 1u;
    uint32_t at;
    for (at = 0; at < w->net->n; at++) {
        n += is_like_last(w, at) ? 0u : number_at(w, at) != at ? 4u : 3u;
    }
    return n;
}

static void make_strings(maker *w, gsp_builder *b)
{
    const cli_net *net = w->net;
    gsp_atom const weight = gsp_build_atom(b, gsp_str_of("weight"));
    gsp_atom const id = gsp_build_atom(b, gsp_str_of("id"));
    uint32_t at;
    w->name = (gsp_atom *)room_for(w, net->n, sizeof *w->name);
    w->type = (gsp_atom *)room_for(w, net->n, sizeof *w->type);
    w->attr = (uint32_t *)room_for(w, net->n, sizeof *w->attr);
    w->attrs = (gsp_attr *)room_for(w, count_attrs(w), sizeof *w->attrs);
    add_attr(w, GSP_KEY_NONE, GSP_KEY_NONE);
    for (at = 0; at < net->n; at++) {
        if (net->named) {
            w->name[at] = gsp_build_atom(b, net->names[number_at(w, at)]);
        }
        annotate(w, b, weight, id, at);
    }
}

/* The small module: a node of the kind of all, and the output. */
static gsp_status make_small(maker *w, gsp_error *err)
{
    gsp_str const like = gsp_str_of("node");
    gsp_counts const counts = count(w);
    size_t const bound = gsp_build_bound(&counts);
    gsp_builder b;
    gsp_arena arena;
    gsp_status status;
    w->memory = cli_grow(w->net->session, NULL, bound);
    gsp_arena_init(&arena, w->memory, bound);
    status = gsp_build_init(&b, &arena, &counts, err);
    if (status != GSP_OK) {
        return status;
    }
    gsp_build_graph(&b, gsp_str_of("main"));
    (void)gsp_build_node(&b, GSP_OP_CALL_FUNCTION, like, like);
    gsp_build_type(&b, gsp_str_of("u8[1]"));
    (void)gsp_build_output(&b);
    gsp_build_arg_node(&b, LIKE);
    make_strings(w, &b);
    return gsp_build_finish(&b, &w->m, err);
}

/* Those of the small module, and the names of nodes after them. */
static void move_strings(maker *w)
{
    gsp_module *m = &w->m;
    uint32_t const old = m->counts.strings;
    uint32_t const n = w->net->named ? 0u : w->net->n;
    char room[32];
    uint32_t *begin = (uint32_t *)room_for(w, (size_t)old + n, sizeof *begin);
    char *chars;
    uint32_t at;
    memcpy(begin, m->string_begin, ((size_t)old + 1u) * sizeof *begin);
    for (at = 0; at < n; at++) {
        w->name[at] = old + at;
        begin[old + at + 1u] = begin[old + at] + name_of(number_at(w, at), room).size;
    }
    chars = (char *)room_for(w, begin[old + n], 1u);
    memcpy(chars, m->chars, begin[old]);
    for (at = 0; at < n; at++) {
        gsp_str const name = name_of(number_at(w, at), room);
        memcpy(chars + begin[old + at], name.data, name.size);
    }
    m->counts.strings = m->n_stored = old + n;
    m->counts.bytes = begin[old + n];
    m->string_begin = begin;
    m->chars = chars;
}

/* ---- rows ---- */

/* Inputs by place in the order; the output reads what nobody else does. */
static void make_inputs(maker *w)
{
    cli_session *s = w->net->session;
    cli_net_rows const r = *w->r;
    uint32_t const n = w->net->n;
    uint32_t *place = NULL; /* by number */
    uint8_t *read = (uint8_t *)cli_alloc(s, (size_t)n + 1u, 1u);
    uint32_t m = 0;
    uint32_t at;
    uint32_t i;
    if (r.order != NULL) {
        place = (uint32_t *)room_for(w, n, sizeof *place);
        for (at = 0; at < n; at++) {
            place[r.order[at]] = at;
        }
    }
    w->in_begin = (uint32_t *)room_for(w, n, sizeof *w->in_begin);
    w->inputs = (gsp_node *)room_for(w, (size_t)w->net->m + n, sizeof *w->inputs);
    for (at = 0; at < n; at++) {
        uint32_t const v = number_at(w, at);
        w->in_begin[at] = m;
        for (i = r.begin[v]; i < r.begin[v + 1u]; i++) {
            w->inputs[m] = place != NULL ? place[r.at[i]] : r.at[i];
            read[w->inputs[m++]] = 1;
        }
    }
    w->in_begin[n] = m;
    for (at = 0; at < n; at++) {
        if (!read[at]) {
            w->inputs[m++] = at;
        }
    }
    w->in_begin[n + 1u] = m;
    cli_release(s, read);
    s->numbered = place;
    s->n_numbered = place != NULL ? n : 0u;
}

static void make_users(maker *w)
{
    uint32_t const n = w->net->n + 1u;
    uint32_t const m = w->in_begin[n];
    uint32_t at;
    uint32_t i;
    w->users = (gsp_node *)room_for(w, m, sizeof *w->users);
    w->user_begin = (uint32_t *)cli_alloc(w->net->session, (size_t)n + 2u, sizeof(uint32_t));
    for (i = 0; i < m; i++) {
        w->user_begin[w->inputs[i]]++;
    }
    for (at = 0; at < n; at++) {
        w->user_begin[at + 1u] += w->user_begin[at];
    }
    for (at = n; at > 0; at--) { /* backward, so that rows ascend */
        for (i = w->in_begin[at - 1u]; i < w->in_begin[at]; i++) {
            w->users[--w->user_begin[w->inputs[i]]] = at - 1u;
        }
    }
}

/* All inputs, and brackets around those of the output. */
static void make_args(maker *w)
{
    uint32_t const first = w->in_begin[w->net->n];
    uint32_t const m = w->in_begin[w->net->n + 1u];
    gsp_arg *args;
    uint32_t i;
    w->args = args = (gsp_arg *)room_for(w, m, sizeof *args);
    for (i = 0; i < m; i++) {
        gsp_arg *arg = &args[i + (i >= first ? 1u : 0u)];
        arg->kind = GSP_ARG_NODE;
        arg->value = w->inputs[i];
    }
    args[first].kind = GSP_ARG_TUPLE;
    args[m + 1u].kind = GSP_ARG_CLOSE;
    args[first].value = args[m + 1u].value = m + 1u - first;
}

/* ---- the view ---- */

static void *fill(const maker *w, uint8_t like, uint8_t last)
{
    uint32_t const n = w->net->n;
    uint8_t *all = (uint8_t *)room_for(w, n, 1u);
    memset(all, like, n);
    all[n] = last;
    return all;
}

static void view_bytes(maker *w)
{
    uint32_t const n = w->net->n;
    uint64_t *bytes = (uint64_t *)room_for(w, n, sizeof *bytes);
    uint32_t at;
    for (at = 0; at < n; at++) {
        bytes[at] = bytes_at(w, at);
    }
    bytes[n] = w->m.bytes[OUTPUT];
    w->m.bytes = bytes;
}

static void view_nodes(maker *w)
{
    gsp_module *m = &w->m;
    uint32_t const n = w->net->n;
    uint32_t at;
    w->target = (gsp_atom *)room_for(w, n, sizeof *w->target);
    for (at = 0; at < n; at++) {
        w->target[at] = m->target[LIKE];
    }
    w->name[n] = m->name[OUTPUT];
    w->target[n] = m->target[OUTPUT];
    w->type[n] = m->type[OUTPUT];
    w->attr[n] = 0;
    view_bytes(w);
    m->op = (const uint8_t *)fill(w, m->op[LIKE], m->op[OUTPUT]);
    m->out = (const uint8_t *)fill(w, m->out[LIKE], m->out[OUTPUT]);
    m->flags = (const uint8_t *)fill(w, m->flags[LIKE], m->flags[OUTPUT]);
    m->name = w->name;
    m->target = w->target;
    m->type = w->type;
    m->attr = w->attr;
    m->attrs = w->attrs;
    m->counts.attrs = w->n_attrs;
    m->counts.nodes = n + 1u;
}

static void view_rows(maker *w)
{
    gsp_module *m = &w->m;
    uint32_t const n = w->net->n;
    uint32_t *arg_begin = (uint32_t *)room_for(w, n, sizeof *arg_begin);
    memcpy(arg_begin, w->in_begin, ((size_t)n + 2u) * sizeof *arg_begin);
    arg_begin[n + 1u] += 2u;
    m->arg_begin = arg_begin;
    m->in_begin = w->in_begin;
    m->user_begin = w->user_begin;
    m->inputs = w->inputs;
    m->users = w->users;
    m->args = w->args;
    m->counts.edges = w->in_begin[n + 1u];
    m->counts.args = arg_begin[n + 1u];
}

/* Graph 0 is `main`, as in the small module, whose memory goes away. */
static void view_graph(maker *w)
{
    gsp_module *m = &w->m;
    gsp_graph_entry *graph = (gsp_graph_entry *)room_for(w, 1u, sizeof *graph);
    *graph = m->graphs[0];
    graph->n_nodes = m->counts.nodes;
    m->graphs = graph;
    m->by_name = (const uint32_t *)cli_alloc(w->net->session, 1u, sizeof(uint32_t));
    m->params = m->leaves = NULL;
    m->block = NULL;
    m->block_size = 0;
}

int cli_net_module(cli_net *net, cli_net_rows *r)
{
    cli_session *s = net->session;
    maker w;
    gsp_error err;
    memset(&w, 0, sizeof w);
    w.net = net;
    w.r = r;
    make_inputs(&w);
    cli_release(s, r->begin);
    cli_release(s, r->at);
    if (make_small(&w, &err) != GSP_OK) {
        return cli_pass_error(s, NULL, &err);
    }
    move_strings(&w);
    view_nodes(&w);
    view_graph(&w);
    cli_release(s, net->weight);
    cli_release(s, net->bytes);
    cli_release(s, r->order);
    cli_release(s, w.memory);
    make_users(&w);
    make_args(&w);
    view_rows(&w);
    s->module = w.m;
    return CLI_EXIT_OK;
}
