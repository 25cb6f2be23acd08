/* --assign NODE=K,NODE=K or @FILE: the partition of each node. */
#include "input/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct pair {
    int64_t number;
    gsp_node node;
} pair;

typedef struct assign {
    cli_session *session;
    const gsp_graph *graph;
    cli_names names;
    const char *path; /* of the list; NULL for the command line */
    uint32_t line;    /* of the list */
    pair *pairs;
    uint8_t *seen; /* [n] nodes with a number */
    size_t n_pairs;
} assign;

/* Splits NODE=K; 0 if it is not of that form. */
static int read_pair(gsp_str word, gsp_str *name, int64_t *number)
{
    uint32_t at = word.size;
    gsp_str digits;
    while (at > 0 && word.data[at - 1u] != '=') {
        at--;
    }
    if (at < 2u) {
        return 0;
    }
    name->data = word.data;
    name->size = at - 1u;
    digits.data = word.data + at;
    digits.size = word.size - at;
    return cli_integer(digits, number);
}

static const char *clipped(cli_session *s, gsp_str word)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    cli_put_clipped(&b, word, 40u);
    cli_put(&b, "", 1u);
    return b.data;
}

static int add_word(assign *a, gsp_str word)
{
    cli_session *s = a->session;
    const char *from = a->path != NULL ? a->path : "--assign";
    gsp_str name;
    int64_t number;
    gsp_node v;
    if (!read_pair(word, &name, &number) && a->path != NULL) {
        return cli_error(s, GSP_STATUS_PARSE,
            "%s:%" PRIu32 ": expected NODE=K with an integer K, got '%s'", from, a->line,
            clipped(s, word));
    }
    if (!read_pair(word, &name, &number)) {
        return cli_usage_error(
            s, "%s: expected NODE=K with an integer K, got '%s'", from, cli_copy(s, word));
    }
    v = cli_names_find(&a->names, name);
    if (v == GSP_NONE) {
        cli_buffer near_it;
        cli_buffer_init(&near_it, s);
        cli_put_near(a->graph, name, &near_it);
        cli_put(&near_it, "", 1u);
        return cli_error(s, GSP_STATUS_ARG, "%s: the graph has no node %%%s%s", from,
            cli_copy(s, name), near_it.data);
    }
    if (!gsp_node_is_callable(a->graph, v)) {
        return cli_error(s, GSP_STATUS_ARG,
            "%s: %%%s is not a call; only called nodes belong to a partition", from,
            cli_copy(s, name));
    }
    if (a->seen[v]) {
        return cli_error(s, GSP_STATUS_ARG, "%s: %%%s is assigned twice", from, cli_copy(s, name));
    }
    a->seen[v] = 1;
    a->pairs[a->n_pairs].number = number;
    a->pairs[a->n_pairs++].node = v;
    return CLI_EXIT_OK;
}

static int add_words(assign *a, gsp_str list)
{
    uint32_t at = 0;
    uint32_t counted = 0; /* counts the lines before this byte */
    int code = CLI_EXIT_OK;
    if (a->names.entries == NULL) {
        cli_names_make(a->session, a->graph, &a->names);
    }
    a->line = 1;
    while (code == CLI_EXIT_OK) {
        gsp_str word = cli_list_next(list, &at);
        for (; counted < at; counted++) {
            a->line += list.data[counted] == '\n';
        }
        if (word.size == 0) {
            break;
        }
        code = add_word(a, word);
    }
    return code;
}

static int add_list(assign *a, const char *spec)
{
    gsp_str list;
    int code = cli_list_spec(a->session, spec, &list, &a->path);
    return code == CLI_EXIT_OK ? add_words(a, list) : code;
}

static int compare_pairs(const void *a, const void *b)
{
    const pair *x = (const pair *)a;
    const pair *y = (const pair *)b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Sorts the numbers; nodes then refer to them by index. Only the result stays. */
static void number_parts(assign *a, cli_assign *out)
{
    size_t i;
    qsort(a->pairs, a->n_pairs, sizeof *a->pairs, compare_pairs);
    out->numbers = (int64_t *)cli_alloc(a->session, a->n_pairs + 1u, sizeof *out->numbers);
    for (i = 0; i < a->n_pairs; i++) {
        if (i == 0 || a->pairs[i].number != a->pairs[i - 1u].number) {
            out->numbers[out->n_parts++] = a->pairs[i].number;
        }
        out->part_of[a->pairs[i].node] = out->n_parts - 1u;
    }
    cli_release(a->session, a->names.entries);
    cli_release(a->session, a->seen);
    cli_release(a->session, a->pairs);
}

static void start(cli_session *s, const gsp_graph *graph, assign *a, cli_assign *out)
{
    memset(a, 0, sizeof *a);
    memset(out, 0, sizeof *out);
    a->session = s;
    a->graph = graph;
    a->pairs = (pair *)cli_alloc(s, graph->n_nodes, sizeof *a->pairs);
    a->seen = (uint8_t *)cli_alloc(s, graph->n_nodes, 1u);
    out->part_of = (uint32_t *)cli_alloc(s, graph->n_nodes, sizeof *out->part_of);
    memset(out->part_of, 0xFF, (size_t)graph->n_nodes * sizeof *out->part_of);
}

int cli_assign_read(cli_session *s, const gsp_graph *graph, cli_assign *out)
{
    assign a;
    size_t i;
    int code = CLI_EXIT_OK;
    start(s, graph, &a, out);
    for (i = 0; i < s->n_given && code == CLI_EXIT_OK; i++) {
        if (strcmp(s->given[i].option->name, "--assign") == 0) {
            code = add_list(&a, s->given[i].value);
        }
    }
    if (code == CLI_EXIT_OK) {
        number_parts(&a, out);
    }
    return code;
}

int cli_assign_text(
    cli_session *s, const gsp_graph *graph, const char *path, gsp_str text, cli_assign *out)
{
    assign a;
    int code;
    start(s, graph, &a, out);
    a.path = path;
    code = add_words(&a, text);
    if (code == CLI_EXIT_OK) {
        number_parts(&a, out);
    }
    return code;
}
