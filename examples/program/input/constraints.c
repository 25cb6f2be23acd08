/* Constraints of operator files that can never hold. */
#include "input/input.h"

#include <string.h>

#define MOST_NOTES 5u

/* A constraint `KEY==VALUE` or `KEY in ...` on an attribute. */
typedef struct constraint {
    gsp_str text;
    gsp_str key;
} constraint;

static uint32_t word_end(gsp_str text, uint32_t at)
{
    while (at < text.size && text.data[at] != ' ' && text.data[at] != '\t') {
        at++;
    }
    return at;
}

static uint32_t next_word(gsp_str text, uint32_t at)
{
    while (at < text.size && (text.data[at] == ' ' || text.data[at] == '\t')) {
        at++;
    }
    return at;
}

static gsp_str slice(gsp_str text, uint32_t begin, uint32_t end)
{
    text.data += begin;
    text.size = end - begin;
    return text;
}

static int is(gsp_str text, const char *word)
{
    return gsp_str_equal(text, gsp_str_of(word));
}

/* The next constraint from *at on about an attribute of the operator itself, or 0. */
static int next_attribute(gsp_str all, uint32_t *at, constraint *c)
{
    while (*at < all.size) {
        uint32_t const begin = *at;
        uint32_t end = word_end(all, begin);
        uint32_t next = next_word(all, end);
        uint32_t key = begin;
        while (key < end && strchr("=<>?(:", all.data[key]) == NULL) {
            key++;
        }
        if (key < end && all.data[key] == ':') { /* a remark, such as `bodies: any` */
            *at = next_word(all, word_end(all, next));
            continue;
        }
        if (is(slice(all, next, word_end(all, next)), "in")) {
            next = next_word(all, word_end(all, next));
            end = word_end(all, next);
            next = next_word(all, end);
        }
        *at = next;
        c->text = slice(all, begin, end);
        c->key = slice(all, begin, key);
        if (!is(c->key, "rank") && !is(c->key, "batch") &&
            (key == word_end(all, begin) || (all.data[key] != '?' && all.data[key] != '('))) {
            return 1;
        }
    }
    return 0;
}

static int has_attribute(const gsp_graph *graph, gsp_node v, gsp_str key)
{
    const gsp_module *m = graph->module;
    const gsp_attr *a = m->attrs + m->attr[graph->first + v];
    uint32_t n;
    uint32_t i;
    const gsp_arg *args = gsp_node_args(graph, v, &n);
    for (i = 0; i < n; i++) {
        if (args[i].kind == GSP_ARG_KEY && gsp_str_equal(gsp_module_str(m, args[i].value), key)) {
            return 1;
        }
    }
    while (a->key != GSP_KEY_NONE && !gsp_str_equal(gsp_module_str(m, a->key), key)) {
        a++;
    }
    return a->key != GSP_KEY_NONE;
}

/* 1 if some node has this operator, and none of these the attribute. */
static int is_vain(const gsp_graph *graph, gsp_str name, gsp_str key)
{
    int any = 0;
    gsp_node v;
    for (v = 0; v < graph->n_nodes; v++) {
        if (gsp_node_is_callable(graph, v) && gsp_str_glob(name, gsp_node_class(graph, v))) {
            any = 1;
            if (has_attribute(graph, v, key)) {
                return 0;
            }
        }
    }
    return any;
}

/* Lists of the program are for all graphs: only lists of the user are reported. */
static int is_of_user(const cli_place *place, const gsp_table_entry *e)
{
    uint32_t i;
    for (i = 0; i < place->n_wanted; i++) {
        if (place->wanted[i].name.data == e->name.data) {
            return !place->wanted[i].is_list;
        }
    }
    return 0;
}

static uint32_t put_vain(
    const cli_place *place, const gsp_graph *graph, const gsp_table_entry *e, cli_buffer *notes)
{
    uint32_t at = 0;
    uint32_t n = 0;
    constraint c;
    if (e->constraints.size == 0 || !is_of_user(place, e)) {
        return 0;
    }
    while (next_attribute(e->constraints, &at, &c)) {
        if (is_vain(graph, e->name, c.key)) {
            n++;
            cli_put_clipped(notes, c.text, 80u);
            cli_puts(notes, ": asks for '");
            cli_put_clipped(notes, c.key, 40u);
            cli_puts(notes, "', which no ");
            cli_put_clipped(notes, e->name, 60u);
            cli_puts(notes, " of the graph has: it never holds\n");
        }
    }
    return n;
}

void cli_constraints_tell(cli_session *s, const cli_place *place, const gsp_graph *graph)
{
    uint32_t k;
    uint32_t i;
    uint32_t n = 0;
    cli_buffer notes;
    if (s->common.porcelain || s->common.json) {
        return;
    }
    cli_buffer_init(&notes, s);
    for (k = 0; k + 1u < place->n_kinds; k++) {
        for (i = 0; i < place->rules[k].table.n_entries && n < MOST_NOTES; i++) {
            n += put_vain(place, graph, &place->rules[k].table.entries[i], &notes);
        }
    }
    if (notes.size != 0) {
        cli_progress_end(s);
        cli_tell(&notes);
    }
}
