/* --layouts, --convert, --no-convert: values that a side of a boundary takes in another layout or
 * type than the other, so that they are converted where they cross it. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <string.h>

int split_convert_check(split *p)
{
    const split_options *o = &p->opt;
    if (o->convert != 0 && o->minimise != (uint32_t)SPLIT_MINIMISE_TIME) {
        return cli_usage_error(p->session, "--convert requires --minimise time");
    }
    if (o->layouts != NULL && strcmp(o->layouts, "nchw,nhwc") != 0 &&
        strcmp(o->layouts, "nhwc,nchw") != 0) {
        return cli_usage_error(
            p->session, "--layouts expects nchw,nhwc or nhwc,nchw, got '%s'", o->layouts);
    }
    if (o->layouts != NULL && o->convert == 0 && !o->no_convert) {
        return cli_usage_error(p->session, "--layouts requires --convert or --no-convert");
    }
    return o->plan != NULL && (o->no_convert || o->convert != 0)
               ? cli_usage_error(p->session, "--plan assigns the nodes, and takes no --%s",
                     o->no_convert ? "no-convert" : "convert")
               : CLI_EXIT_OK;
}

/* ---- which values ---- */

static int has_word(gsp_str list, gsp_str word)
{
    uint32_t at = 0;
    while (at < list.size) {
        gsp_str one = {list.data + at, 0};
        while (at < list.size && strchr(", \t", list.data[at]) == NULL) {
            at++;
            one.size++;
        }
        if (gsp_str_equal(one, word)) {
            return 1;
        }
        at++;
    }
    return 0;
}

/* A tensor of the value has four dimensions. */
static int is_image(const gsp_graph *g, gsp_node v)
{
    gsp_str dtype;
    gsp_str dims;
    gsp_str dim;
    uint32_t at = 0;
    while (gsp_type_next(gsp_node_type(g, v), &at, &dtype, &dims)) {
        uint32_t i = 0;
        uint32_t rank = 0;
        while (cli_next_dim(dims, &i, &dim)) {
            rank++;
        }
        if (rank == 4u) {
            return 1;
        }
    }
    return 0;
}

static int has_other_type(const gsp_graph *g, gsp_node v, gsp_str accepted)
{
    gsp_str dtype;
    gsp_str dims;
    uint32_t at = 0;
    while (gsp_type_next(gsp_node_type(g, v), &at, &dtype, &dims)) {
        if (!has_word(accepted, dtype)) {
            return 1;
        }
    }
    return 0;
}

static int is_on_acc(const split *p, gsp_node v)
{
    uint8_t const kind = p->placement.kind[v];
    return gsp_node_is_callable(&p->graph, v) && kind != GSP_KIND_CPU && kind != GSP_KIND_NONE;
}

/* Parameters are converted once, before the run. */
static int passes(const gsp_graph *g, gsp_node v)
{
    return gsp_node_is_callable(g, v) || gsp_node_op(g, v) == GSP_OP_PLACEHOLDER;
}

/* What the list of its accelerator takes instead, of a node that runs there all the same. */
static void find_accepted(split *p, gsp_node v)
{
    split_objection o;
    if (is_on_acc(p, v) && split_objection_of(&p->place, &p->graph, v, &o) &&
        o.kind == p->placement.kind[v] && o.constraint.size == 0) {
        p->accepted[v] = o.dtypes;
    }
}

/* A node on an accelerator takes a value that it reads or yields in another form than the CPU. */
static int objects(const split *p, gsp_node v, gsp_node value)
{
    return (p->opt.layouts != NULL && is_image(&p->graph, value)) ||
           (p->accepted[v].data != NULL && has_other_type(&p->graph, value, p->accepted[v]));
}

/* Of two ends of a value on different sides, the one that objects to it; GSP_NONE if none does. */
static gsp_node objector(
    const split *p, gsp_node value, uint32_t kind, gsp_node user, uint32_t user_kind)
{
    int const crosses = kind != user_kind && passes(&p->graph, value);
    return !crosses                                               ? GSP_NONE
           : kind != GSP_KIND_CPU && objects(p, value, value)     ? value
           : user_kind != GSP_KIND_CPU && objects(p, user, value) ? user
                                                                  : GSP_NONE;
}

/* ---- the limit ---- */

typedef struct leaving {
    split *p;
    gsp_node *stack; /* [n] */
    uint32_t n;
    gsp_node pinned; /* a pinned node that would have to leave, or GSP_NONE */
} leaving;

static void leave(leaving *l, gsp_node v, gsp_node value)
{
    split *p = l->p;
    if (!is_on_acc(p, v)) {
        return;
    }
    if (p->placement.reason[v] == (uint8_t)GSP_REASON_PINNED) {
        l->pinned = v;
    }
    p->placement.kind[v] = (uint8_t)GSP_KIND_CPU;
    p->placement.reason[v] = (uint8_t)GSP_REASON_DTYPE;
    p->placement.culprit[v] = value;
    p->convert_of[v] = value;
    l->stack[l->n++] = v;
}

static uint32_t side_of(const split *p, gsp_node v)
{
    return is_on_acc(p, v) ? p->placement.kind[v] : (uint32_t)GSP_KIND_CPU;
}

/* Ends of a value that object to it leave the accelerator. */
static void settle(leaving *l, gsp_node value)
{
    const split *p = l->p;
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, value, &n);
    while (n-- > 0) {
        gsp_node v;
        while ((v = objector(p, value, side_of(p, value), users[n], side_of(p, users[n]))) !=
               GSP_NONE) {
            leave(l, v, value);
        }
    }
}

/* Nodes that must stay together leave together. Returns 1 if one has left. */
static int settle_groups(leaving *l)
{
    split *p = l->p;
    uint32_t const before = l->n;
    gsp_node *gone = (gsp_node *)cli_alloc(p->session, (size_t)p->graph.n_nodes + 1u, sizeof *gone);
    gsp_node v;
    memset(gone, 0xFF, ((size_t)p->graph.n_nodes + 1u) * sizeof *gone);
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t const group = p->placement.group != NULL ? p->placement.group[v] : GSP_NONE;
        if (group != GSP_NONE && p->convert_of[v] != GSP_NONE) {
            gone[group] = p->convert_of[v];
        }
    }
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t const group = p->placement.group != NULL ? p->placement.group[v] : GSP_NONE;
        if (group != GSP_NONE && gone[group] != GSP_NONE) {
            leave(l, v, gone[group]);
        }
    }
    cli_release(p->session, gone);
    return l->n != before;
}

static int forbid(split *p)
{
    leaving l;
    gsp_node v;
    memset(&l, 0, sizeof l);
    l.p = p;
    l.pinned = GSP_NONE;
    l.stack = (gsp_node *)cli_alloc(p->session, (size_t)p->graph.n_nodes + 1u, sizeof *l.stack);
    for (v = 0; v < p->graph.n_nodes; v++) {
        settle(&l, v);
    }
    do {
        while (l.n > 0) {
            gsp_node const left = l.stack[--l.n];
            uint32_t n;
            const gsp_node *in = gsp_node_inputs(&p->graph, left, &n);
            settle(&l, left);
            while (n-- > 0) {
                settle(&l, in[n]);
            }
        }
    } while (settle_groups(&l));
    if (l.pinned != GSP_NONE) {
        return cli_error(p->session, GSP_STATUS_ARG,
            "--no-convert: %s is pinned to an accelerator, and %s would be converted",
            cli_copy(p->session, gsp_node_name(&p->graph, l.pinned)),
            cli_copy(p->session, gsp_node_name(&p->graph, p->convert_of[l.pinned])));
    }
    return CLI_EXIT_OK;
}

int split_convert(split *p)
{
    size_t const n = (size_t)p->graph.n_nodes + 1u;
    gsp_node v;
    if (!p->opt.no_convert && p->opt.convert == 0) {
        return CLI_EXIT_OK;
    }
    p->accepted = (gsp_str *)cli_alloc(p->session, n, sizeof *p->accepted);
    p->convert_of = (gsp_node *)cli_alloc(p->session, n, sizeof *p->convert_of);
    memset(p->convert_of, 0xFF, n * sizeof *p->convert_of);
    for (v = 0; v < p->graph.n_nodes; v++) {
        find_accepted(p, v);
    }
    return p->opt.no_convert ? forbid(p) : CLI_EXIT_OK;
}

/* ---- the cost ---- */

/* Either end may be on the accelerator, which one is not known yet. */
uint64_t split_convert_time(const split *p, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    int any = 0;
    if (p->opt.convert == 0 || !passes(&p->graph, v)) {
        return 0;
    }
    any = objects(p, v, v);
    while (n-- > 0 && !any) {
        any = objects(p, users[n], v);
    }
    return any ? cli_nanoseconds((double)gsp_node_bytes(&p->graph, v) / (double)p->opt.convert)
               : 0u;
}

/* ---- output ---- */

static uint32_t final_side(const split *p, gsp_node v)
{
    return p->result.subgraph_of[v] != GSP_NONE ? split_kind_of(p, v) : (uint32_t)GSP_KIND_CPU;
}

/* Values that are converted, and their bytes. */
static uint32_t count(const split *p, uint64_t *bytes)
{
    uint32_t n_values = 0;
    gsp_node v;
    *bytes = 0;
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(&p->graph, v, &n);
        while (n > 0 && objector(p, v, final_side(p, v), users[n - 1u],
                            final_side(p, users[n - 1u])) == GSP_NONE) {
            n--;
        }
        if (n > 0) {
            n_values++;
            *bytes = cli_add(*bytes, gsp_node_bytes(&p->graph, v));
        }
    }
    return n_values;
}

void split_people_convert(const split *p, cli_buffer *out)
{
    uint64_t bytes;
    uint32_t n;
    if (p->accepted == NULL) {
        return;
    }
    n = count(p, &bytes);
    cli_printf(out, "  %" PRIu32 " value%s (", n, cli_plural(n));
    cli_put_bytes(out, bytes);
    cli_printf(out, ") %s converted at boundaries\n", n == 1u ? "is" : "are");
}

void split_json_convert(const split *p, cli_buffer *out)
{
    if (p->accepted != NULL) {
        uint64_t bytes;
        uint32_t const n = count(p, &bytes);
        cli_printf(
            out, "\"converted\": {\"values\": %" PRIu32 ", \"bytes\": %" PRIu64 "},\n", n, bytes);
    }
}
