/* --why: why a node is where it is, in one or two sentences; or a table of all nodes on the CPU. */
#include "commands/split/split.h"

#include <inttypes.h>

#define NAME_WIDTH 60u

static void put_name(const split *p, cli_buffer *out, gsp_node v)
{
    cli_put_clean(out, gsp_node_name(&p->graph, v));
}

/* "conv1 (torch.nn.Conv2d)". */
static void put_node(const split *p, cli_buffer *out, gsp_node v)
{
    put_name(p, out, v);
    if (gsp_node_is_callable(&p->graph, v)) {
        cli_puts(out, " (");
        cli_put_clean(out, gsp_node_class(&p->graph, v));
        cli_puts(out, ")");
    }
}

/* "a non-tensor value (int)". */
static void put_type(const split *p, cli_buffer *out, gsp_node v)
{
    gsp_str type = gsp_node_type(&p->graph, v);
    cli_puts(out, "no tensor");
    if (type.size != 0) {
        cli_puts(out, " but ");
        cli_put_clean(out, type);
    }
}

static uint32_t raw_size(const split *p, gsp_node v)
{
    uint32_t size = 0;
    gsp_node u;
    for (u = 0; u < p->result.n_nodes; u++) {
        size += p->result.raw_of[u] == p->result.raw_of[v] ? 1u : 0u;
    }
    return size;
}

static void put_culprit(const split *p, cli_buffer *out, gsp_node v)
{
    gsp_node culprit = p->result.culprit[v];
    if (culprit == GSP_NONE || culprit == v) {
        cli_puts(out, "something else");
    } else if (gsp_node_op(&p->graph, culprit) == GSP_OP_OUTPUT) {
        cli_puts(out, "the caller of the graph");
    } else {
        put_node(p, out, culprit);
    }
}

/* "i8, qi8 or qu8": a list without blanks, as a phrase. */
static void put_types(cli_buffer *out, gsp_str list)
{
    uint32_t i;
    uint32_t left = 0;
    for (i = 0; i < list.size; i++) {
        left += list.data[i] == ',' ? 1u : 0u;
    }
    for (i = 0; i < list.size; i++) {
        if (list.data[i] != ',') {
            cli_put(out, list.data + i, 1u);
        } else {
            cli_puts(out, --left == 0 ? " or " : ", ");
        }
    }
}

/* "u32 in x", "u32 that it yields": the unsupported type. */
static void put_objection(const split *p, cli_buffer *out, gsp_node v, const split_objection *o)
{
    if (o->constraint.size != 0) {
        split_put_value(&p->graph, o, out);
        if (o->node != v) {
            cli_puts(out, " of ");
            put_name(p, out, o->node);
        }
        return;
    }
    cli_put_clipped(out, o->dtype, 20u);
    if (o->node == v) {
        cli_puts(out, " that it yields");
    } else {
        cli_puts(out, " that it reads from ");
        put_name(p, out, o->node);
    }
}

/* The node of a graph that v runs which keeps v from an accelerator that takes its operator: "sort
 * (torch.sort) in the graph bad". Returns 0 if there is none. */
static int put_way(const split *p, cli_buffer *out, gsp_node v)
{
    gsp_graph body = p->graph;
    gsp_node const way = split_way_of(&p->place, &p->bodies, &body, v);
    if (way == GSP_NONE) {
        return 0;
    }
    cli_put_clean(out, gsp_node_name(&body, way));
    cli_puts(out, " (");
    cli_put_clean(out, gsp_node_class(&body, way));
    cli_puts(out, ") in the graph ");
    cli_put_clean(out, gsp_module_str(body.module, body.module->graphs[body.id].name));
    return 1;
}

static void put_unsupported(const split *p, cli_buffer *out, gsp_node v)
{
    const char *vendor = split_vendor_of(gsp_node_class(&p->graph, v));
    split_objection o;
    if (gsp_node_acc(&p->graph, v) == 0) {
        cli_puts(out, "its annotation says acc=0");
        return;
    }
    if (put_way(p, out, v)) {
        cli_puts(out, ", which it runs, is on the CPU");
        return;
    }
    if (split_objection_of(&p->place, &p->graph, v, &o)) {
        cli_printf(out, "%s supports ", p->result.names[o.kind]);
        cli_put_clean(out, gsp_node_class(&p->graph, v));
        cli_puts(out, " with ");
        if (o.constraint.size != 0) {
            cli_put_clean(out, o.constraint);
        } else {
            put_types(out, o.dtypes);
        }
        cli_puts(out, o.constraint.size != 0 ? ", and here it is " : ", and not the ");
        put_objection(p, out, v, &o);
        return;
    }
    if (split_has_pins_alone(p)) {
        cli_puts(out, "no pin names it, and no list of operators is given");
        return;
    }
    cli_puts(out,
        p->result.n_kinds == 2u ? "the accelerator does not support " : "no accelerator supports ");
    cli_put_clean(out, gsp_node_class(&p->graph, v));
    if (vendor != NULL) {
        cli_printf(out, ", which is a program for %s: only its own delegate runs it", vendor);
    }
}

static void put_supported(const split *p, cli_buffer *out, gsp_node v)
{
    if (gsp_node_acc(&p->graph, v) > 0) {
        cli_printf(out, "its annotation says acc=%d", gsp_node_acc(&p->graph, v));
        return;
    }
    cli_printf(out, "%s supports ", p->result.names[split_kind_of(p, v)]);
    cli_put_clean(out, gsp_node_class(&p->graph, v));
}

/* A limit of all subgraphs, of those on accelerators, or both. */
static void put_limit(const split *p, cli_buffer *out, uint32_t size)
{
    uint64_t const all = p->opt.limit;
    uint64_t const acc = p->opt.max_acc;
    cli_printf(out, "its accelerator subgraph of %" PRIu32 " node%s was removed by the limit of ",
        size, cli_plural(size));
    if (all != 0) {
        cli_printf(
            out, "%" PRIu64 " subgraph%s%s", all, cli_plural(all), acc != 0 ? ", or of " : "");
    }
    if (acc != 0) {
        cli_printf(out, "%" PRIu64 " accelerator subgraph%s", acc, cli_plural(acc));
    }
}

/* The reason as the second half of a sentence: "... because ". */
static void put_because(const split *p, cli_buffer *out, gsp_node v)
{
#ifndef GSP_NO_FLOW
    if (p->convert_of != NULL && p->convert_of[v] != GSP_NONE) {
        cli_puts(out, "--no-convert forbids to convert ");
        cli_put_clean(out, gsp_node_name(&p->graph, p->convert_of[v]));
        cli_puts(out, " at its boundary");
        return;
    }
#endif
    switch ((gsp_reason)p->result.reason[v]) {
    case GSP_REASON_SUPPORTED:
        put_supported(p, out, v);
        break;
    case GSP_REASON_UNSUPPORTED:
        put_unsupported(p, out, v);
        break;
    case GSP_REASON_PINNED:
        cli_puts(
            out, p->opt.plan != NULL ? "the plan says so" : "a pin of the command line says so");
        break;
    case GSP_REASON_NON_TENSOR_IN:
        cli_puts(out, "it reads a non-tensor value from outside: ");
        put_culprit(p, out, v);
        break;
    case GSP_REASON_NON_TENSOR_OUT:
        cli_puts(out, "it yields ");
        put_type(p, out, v);
        cli_puts(out, ", which is read outside, by ");
        put_culprit(p, out, v);
        break;
    case GSP_REASON_FUSED:
        cli_puts(out, "non-tensor values fuse it with ");
        put_culprit(p, out, v);
        cli_puts(out, ", which is not supported there");
        break;
    case GSP_REASON_GROUP:
        cli_puts(out, "its group is not supported there as a whole, for ");
        put_culprit(p, out, v);
        break;
    case GSP_REASON_SMALL:
        cli_printf(out,
            "its accelerator subgraph would have had %" PRIu32
            " node%s, and the minimum is %" PRIu64,
            raw_size(p, v), cli_plural(raw_size(p, v)), p->opt.min_size);
        break;
    case GSP_REASON_LARGE:
#ifndef GSP_NO_FLOW
        if (p->opt.max_size == 0 || raw_size(p, v) <= p->opt.max_size) {
            split_put_large(p, out);
            break;
        }
#endif
        cli_printf(out,
            "its group has %" PRIu32 " nodes, and the maximum of a subgraph is %" PRIu64,
            raw_size(p, v), p->opt.max_size);
        break;
#ifndef CLI_NO_STDIN
    case GSP_REASON_REFUSED:
        cli_puts(out, "the command of --try refuses it");
        if (p->result.culprit[v] != GSP_NONE) {
            cli_puts(out, " together with ");
            put_culprit(p, out, v);
        }
        break;
#endif
    case GSP_REASON_LIMIT:
        if (SPLIT_IS_TIMED(p)) {
            cli_puts(out, split_reason_text(p, GSP_REASON_LIMIT));
            break;
        }
        put_limit(p, out, raw_size(p, v));
        break;
    case GSP_REASON_BEHIND:
        cli_puts(out, "its accelerator runs one subgraph, and it is behind that: it reads ");
        put_culprit(p, out, v);
        break;
    case GSP_REASON_MOVED:
        if (SPLIT_HAS_TILES(p)) {
            cli_puts(out, split_reason_text(p, GSP_REASON_MOVED));
            break;
        }
        if (p->opt.plan != NULL) {
            cli_puts(out, "no line of the plan names it and its inputs are there");
            break;
        }
        cli_puts(out, "it yields ");
        put_type(p, out, v);
        cli_puts(out, ", and all its readers are there, such as ");
        put_culprit(p, out, v);
        break;
    default:
        cli_puts(out, split_reason_text(p, p->result.reason[v]));
        break;
    }
}

/* ---- one node ---- */

static void put_callable(const split *p, cli_buffer *out, gsp_node v)
{
    uint32_t kind = split_kind_of(p, v);
    gsp_node culprit = p->result.culprit[v];
    cli_put_style(out, CLI_BOLD);
    put_node(p, out, v);
    cli_put_style(out, CLI_PLAIN);
    cli_puts(out, " runs on ");
    cli_put_styled(
        out, cli_kind_style(kind), kind == GSP_KIND_CPU ? "the CPU" : p->result.names[kind]);
    cli_puts(out, ", in ");
    cli_put_clean(out, gsp_str_of(p->tags[p->result.subgraph_of[v]]));
    cli_puts(out, ", because ");
    put_because(p, out, v);
    cli_puts(out, ".\n");
    if (kind == GSP_KIND_CPU && culprit != GSP_NONE && culprit != v &&
        split_kind_of(p, culprit) == GSP_KIND_CPU) {
        split_facts facts;
        gsp_node root;
        split_facts_make(p, &facts);
        root = facts.root[v];
        root = split_kind_of(p, root) == GSP_KIND_CPU ? root : culprit;
        cli_puts(out, root == culprit ? "In turn, " : "It all starts at ");
        put_node(p, out, root);
        cli_puts(
            out, root == culprit ? " is on the CPU because " : ", which is on the CPU because ");
        put_because(p, out, root);
        cli_puts(out, ".\n");
    }
}

/* The subgraphs that read a node outside of all subgraphs. */
static void put_other(const split *p, cli_buffer *out, gsp_node v)
{
    uint8_t *seen = (uint8_t *)cli_alloc(p->session, (size_t)p->result.n_subgraphs + 1u, 1u);
    gsp_op op = gsp_node_op(&p->graph, v);
    const char *comma = " ";
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    uint32_t i;
    cli_put_style(out, CLI_BOLD);
    put_name(p, out, v);
    cli_put_style(out, CLI_PLAIN);
    if (op == GSP_OP_OUTPUT) {
        cli_puts(out, " is what the graph returns; it is in no subgraph.\n");
        return;
    }
    cli_puts(out, op == GSP_OP_PLACEHOLDER
                      ? " is an input of the graph and in no subgraph; it is read by"
                      : " is a parameter; every subgraph that reads it gets it:");
    for (i = 0; i < n; i++) {
        uint32_t s = p->result.subgraph_of[users[i]];
        if (s != GSP_NONE && !seen[s]) {
            seen[s] = 1;
            cli_puts(out, comma);
            cli_put_clean(out, gsp_str_of(p->tags[s]));
            comma = ", ";
        }
    }
    cli_puts(out, comma[0] == ' ' ? " no subgraph.\n" : ".\n");
}

static int unknown_node(const split *p, gsp_str name)
{
    cli_buffer b;
    cli_buffer_init(&b, p->session);
    cli_puts(&b, "there is no node '");
    cli_put_clipped(&b, name, NAME_WIDTH);
    cli_puts(&b, "' in the graph");
    cli_put_near(&p->graph, name, &b);
    cli_put(&b, "", 1u);
    return cli_error(p->session, GSP_STATUS_ARG, "%s", b.data);
}

/* ---- all nodes ---- */

void split_put_objection(const split *p, cli_buffer *out, gsp_node v)
{
    split_objection o;
    if (p->result.reason[v] != GSP_REASON_UNSUPPORTED || gsp_node_acc(&p->graph, v) == 0) {
        return;
    }
    if (split_objection_of(&p->place, &p->graph, v, &o)) {
        if (o.constraint.size != 0) {
            cli_put_clean(out, o.constraint);
            cli_puts(out, " is not ");
        }
        put_objection(p, out, v, &o);
    } else if (split_vendor_of(gsp_node_class(&p->graph, v)) != NULL) {
        cli_printf(out, "a program for %s", split_vendor_of(gsp_node_class(&p->graph, v)));
    }
}

/* The obstacle of a node: another node, a type, or that it is no node to place. */
static void put_cause(const split *p, cli_table *t, gsp_node v)
{
    gsp_node culprit = p->result.culprit[v];
    cli_buffer objection;
    cli_buffer_init(&objection, p->session);
    if (p->result.reason[v] != GSP_REASON_UNSUPPORTED || gsp_node_acc(&p->graph, v) == 0 ||
        !put_way(p, &objection, v)) {
        split_put_objection(p, &objection, v);
    }
    if (culprit != GSP_NONE && culprit != v) {
        put_node(p, cli_cell_begin(t, CLI_YELLOW), culprit);
    } else if (objection.size != 0) {
        cli_put(cli_cell_begin(t, CLI_YELLOW), objection.data, objection.size);
    } else {
        cli_cell_put(t, CLI_DIM, "itself");
    }
    cli_release(p->session, objection.data);
}

static void put_list(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint32_t count = 0;
    split_facts facts;
    cli_table t;
    gsp_node v;
    split_facts_make(p, &facts);
    cli_table_init(&t, p->session, "kkkkk"); /* whole names, however wide */
    cli_table_head(&t, "node|operator|subgraph|because of|reason");
    for (v = 0; v < r->n_nodes; v++) {
        if (split_kind_of(p, v) != GSP_KIND_CPU) {
            continue;
        }
        count++;
        put_name(p, cli_cell_begin(&t, CLI_BOLD), v);
        cli_put_clean(cli_cell_begin(&t, CLI_PLAIN), gsp_node_class(&p->graph, v));
        cli_put_clean(cli_cell_begin(&t, CLI_PLAIN), gsp_str_of(p->tags[r->subgraph_of[v]]));
        put_cause(p, &t, v);
        cli_cell_put(&t, CLI_PLAIN, "%s", split_why_text(p, &facts, v));
    }
    if (r->n_subgraphs == 0) {
        cli_puts(out, "The graph has no callable nodes.\n");
    } else if (count == 0) {
        cli_puts(out, "Every callable node runs on an accelerator.\n");
    } else {
        cli_table_write(&t, out);
    }
}

int split_why(const split *p, cli_buffer *out)
{
    gsp_str name = gsp_str_of(p->opt.why.value);
    gsp_node v;
    if (p->opt.why.value == NULL) {
        put_list(p, out);
        return CLI_EXIT_OK;
    }
    if (name.size != 0 && name.data[0] == '%') {
        name.data++;
        name.size--;
    }
    v = gsp_graph_find(&p->graph, name);
    if (v == GSP_NONE && gsp_str_equal(name, gsp_str_of("output"))) {
        v = p->graph.n_nodes - 1u;
    }
    if (v == GSP_NONE) {
        return unknown_node(p, name);
    }
    if (gsp_node_is_callable(&p->graph, v)) {
        put_callable(p, out, v);
    } else {
        put_other(p, out, v);
    }
    return CLI_EXIT_OK;
}
