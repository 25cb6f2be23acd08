/* Why a node is unsupported, beyond the name of its operator: a list contains the operator, but not
 * with these types; or the operator is a program for another accelerator. */
#include "commands/split/split.h"

#include <string.h>

/* ---- types ---- */

/* What the list of an accelerator says about a node, regardless of pins and acc=. */
static gsp_why list_says(const cli_place *place, const gsp_graph *graph, gsp_node v, uint32_t kind)
{
    gsp_support_desc desc = place->desc;
    gsp_why why;
    desc.n_pins = 0;
    desc.ignore_annotation = 1;
    if (gsp_support_why(graph, &desc, v, kind, &why, NULL) != GSP_OK) {
        memset(&why, 0, sizeof why);
        why.culprit = GSP_NONE;
    }
    return why;
}

int split_is_listed(const cli_place *place, const gsp_graph *graph, gsp_node v)
{
    uint32_t kind;
    for (kind = 1; kind < place->n_kinds; kind++) {
        gsp_why why = list_says(place, graph, v, kind);
        if (why.takes || why.culprit != GSP_NONE) {
            return 1;
        }
    }
    return 0;
}

int split_objection_of(
    const cli_place *place, const gsp_graph *graph, gsp_node v, split_objection *o)
{
    uint32_t kind;
    for (kind = 1; kind < place->n_kinds; kind++) {
        gsp_why why = list_says(place, graph, v, kind);
        if (why.culprit != GSP_NONE) {
            o->kind = kind;
            o->dtypes = why.accepted;
            o->node = why.culprit;
            o->dtype = why.dtype;
            o->constraint = why.constraint;
            while (o->constraint.size != 0 && o->constraint.data[o->constraint.size - 1u] <= ' ') {
                o->constraint.size--;
            }
            return 1;
        }
    }
    return 0;
}

gsp_node split_way_of(
    const cli_place *place, const cli_bodies *bodies, gsp_graph *graph, gsp_node v)
{
    return gsp_node_op(graph, v) == GSP_OP_CALL_FUNCTION && !split_is_listed(place, graph, v)
               ? GSP_NONE
               : cli_bodies_way(bodies, graph, v);
}

/* The word in front of the operator of a constraint, without its parentheses. */
static gsp_str subject_of(gsp_str constraint)
{
    gsp_str word = constraint;
    word.size = (uint32_t)strspn(constraint.data, "abcdefghijklmnopqrstuvwxyz"
                                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return word;
}

static int is_of_type(gsp_str subject)
{
    static const char *const words[] = {"rank", "batch", "dim", "shape", "dtype"};
    size_t i;
    for (i = 0; i < CLI_COUNT(words); i++) {
        if (gsp_str_equal(subject, gsp_str_of(words[i]))) {
            return 1;
        }
    }
    return 0;
}

uint32_t split_about_of(const split_objection *o)
{
    gsp_str const subject = subject_of(o->constraint);
    return o->constraint.size == 0 || gsp_str_equal(subject, gsp_str_of("dtype")) ? SPLIT_ABOUT_TYPE
           : is_of_type(subject) ? SPLIT_ABOUT_SHAPE
                                 : SPLIT_ABOUT_ARGUMENT;
}

/* A keyword argument as it is printed: "[2, 2]". Returns 0 if there is none of that name. */
static int put_keyword(const gsp_graph *graph, gsp_node v, gsp_str key, cli_buffer *out)
{
    uint32_t n;
    uint32_t i = 0;
    uint32_t end;
    const gsp_arg *args = gsp_node_args(graph, v, &n);
    while (i < n && (args[i].kind != GSP_ARG_KEY ||
                        !gsp_str_equal(gsp_module_str(graph->module, args[i].value), key))) {
        i++;
    }
    if (i == n || !gsp_node_is_callable(graph, v)) {
        return 0;
    }
    end = args[i + 1u].kind == GSP_ARG_CONSTANT ? i + 2u : i + 1u + args[i + 1u].value;
    for (i = i + 1u; i < end; i++) {
        if (args[i].kind == GSP_ARG_CONSTANT) {
            cli_put_clipped(out, gsp_module_str(graph->module, args[i].value), 20u);
            cli_puts(out, i + 1u < end ? "x" : "");
        }
    }
    return 1;
}

void split_put_value(const gsp_graph *graph, const split_objection *o, cli_buffer *out)
{
    gsp_str subject = subject_of(o->constraint);
    const gsp_module *m = graph->module;
    const gsp_attr *a = m->attrs + m->attr[graph->first + o->node];
    if (gsp_str_equal(subject, gsp_str_of("const"))) {
        cli_puts(out, "not constant");
    } else if (is_of_type(subject)) {
        gsp_str type = gsp_node_type(graph, o->node);
        cli_put_clipped(out, type.size != 0 ? type : gsp_str_of("unknown"), 40u);
    } else if (!put_keyword(graph, o->node, subject, out)) {
        while (a->key != GSP_KEY_NONE && !gsp_str_equal(gsp_module_str(m, a->key), subject)) {
            a++;
        }
        cli_put_clipped(
            out, a->key != GSP_KEY_NONE ? gsp_module_str(m, a->value) : gsp_str_of("missing"), 40u);
    }
}

const char *split_vendor_of(gsp_str name)
{
    return cli_operators_vendor(name);
}
