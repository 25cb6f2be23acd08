/* Names of operators that no node of the graph answers to: lists and files that were meant, and
 * slips of the pen. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NOTES 5u

typedef struct classes {
    gsp_text *names; /* sorted by bytes, each once */
    uint32_t n;
} classes;

/* ---- the operators of a module ---- */

static int compare(const void *a, const void *b)
{
    const gsp_text *x = (const gsp_text *)a;
    const gsp_text *y = (const gsp_text *)b;
    uint32_t size = x->size < y->size ? x->size : y->size;
    int order = size != 0 ? memcmp(x->data, y->data, size) : 0;
    return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

static void list_classes(cli_session *s, const gsp_module *m, classes *c)
{
    uint32_t n = 0;
    uint32_t i;
    c->names = (gsp_text *)cli_alloc(s, (size_t)m->counts.nodes + 1u, sizeof *c->names);
    c->n = 0;
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(m, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes; v++) {
            if (gsp_node_is_callable(&g, v)) {
                c->names[n++] = gsp_node_class(&g, v);
            }
        }
    }
    qsort(c->names, n, sizeof *c->names, compare);
    for (i = 0; i < n; i++) {
        if (c->n == 0 || compare(&c->names[i], &c->names[c->n - 1u]) != 0) {
            c->names[c->n++] = c->names[i];
        }
    }
}

/* The first class that is not below a text. */
static uint32_t lower_bound(const classes *c, const gsp_text *text)
{
    uint32_t begin = 0;
    uint32_t end = c->n;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2u;
        if (compare(&c->names[middle], text) < 0) {
            begin = middle + 1u;
        } else {
            end = middle;
        }
    }
    return begin;
}

/* 1 when a class is that name, or begins with what stands before its '*'. */
static int fits(const classes *c, gsp_text name)
{
    int prefix = name.size != 0 && name.data[name.size - 1u] == '*';
    uint32_t at;
    name.size -= prefix ? 1u : 0u;
    at = lower_bound(c, &name);
    return at < c->n && c->names[at].size >= name.size &&
           memcmp(c->names[at].data, name.data, name.size) == 0 &&
           (prefix || c->names[at].size == name.size);
}

/* ---- what may have been meant ---- */

static int is_wanted(const cli_place *place, gsp_text name)
{
    uint32_t i;
    for (i = 0; i < place->n_wanted; i++) {
        if (gsp_text_equal(place->wanted[i].name, name)) {
            return 1;
        }
    }
    return 0;
}

static gsp_text small(cli_session *s, gsp_text text)
{
    char *copy = cli_copy(s, text);
    uint32_t i;
    for (i = 0; i < text.size; i++) {
        copy[i] = (char)(copy[i] >= 'A' && copy[i] <= 'Z' ? copy[i] + 32 : copy[i]);
    }
    text.data = copy;
    return text;
}

/* Edits from the one to the other, letters of either case and what stands before a dot ignored. */
static uint32_t edits(cli_session *s, gsp_text name, gsp_text meant)
{
    gsp_text a = small(s, name);
    gsp_text b = small(s, meant);
    uint32_t n;
    if (b.size > a.size && b.data[b.size - a.size - 1u] == '.' &&
        memcmp(b.data + b.size - a.size, a.data, a.size) == 0) {
        return 0;
    }
    n = cli_distance(a, b);
    cli_release(s, (void *)(uintptr_t)a.data);
    cli_release(s, (void *)(uintptr_t)b.data);
    return n;
}

/* The nearest class that the options do not name themselves; `data` NULL: none is near. */
static gsp_text nearest(cli_session *s, const cli_place *place, const classes *c, gsp_text name)
{
    gsp_text best = {NULL, 0};
    uint32_t least = name.size < 4u ? 1u : name.size < 8u ? 2u : 3u;
    uint32_t i;
    for (i = 0; i < c->n && least > 0; i++) {
        uint32_t n = edits(s, name, c->names[i]);
        if (n < least && !is_wanted(place, c->names[i])) {
            least = n;
            best = c->names[i];
        }
    }
    return best;
}

/* A word of the command line that is no operator: a list that is written otherwise, or a file. */
static int refuse_word(cli_session *s, const cli_wanted *wanted)
{
    const char *word = cli_copy(s, wanted->name);
    if (cli_operators_near(wanted->name) != NULL) {
        return cli_operators_unknown(s, word);
    }
    if (cli_is_file(word)) {
        return cli_usage_error(s, "no node of the graph is a '%s'; a file goes behind @: @%s", word,
                               word);
    }
    return CLI_EXIT_OK;
}

/* ---- notes on standard error ---- */

/* Names of files often are for more than this graph: only those that are almost right are told. */
static uint32_t put_notes(cli_session *s, const cli_place *place, const classes *c,
                          cli_buffer *notes)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < place->n_wanted; i++) {
        const cli_wanted *wanted = &place->wanted[i];
        gsp_text meant = gsp_text_of(NULL);
        if (wanted->is_list || fits(c, wanted->name)) {
            continue;
        }
        if (memchr(wanted->name.data, '*', wanted->name.size) == NULL) {
            meant = nearest(s, place, c, wanted->name);
        }
        if ((meant.data == NULL && wanted->path != NULL) || n++ >= MOST_NOTES) {
            continue;
        }
        cli_printf(notes, "%s: no node of the graph is a '",
                   wanted->path != NULL ? wanted->path : s->front->program);
        cli_put_clipped(notes, wanted->name, 80u);
        if (meant.data != NULL) {
            cli_puts(notes, "'; did you mean '");
            cli_put_clipped(notes, meant, 80u);
            cli_puts(notes, "'?\n");
        } else {
            cli_puts(notes, "'\n");
        }
    }
    return n;
}

/* The files and lists of which no name fits. */
static void put_strange_files(const cli_place *place, const classes *c, cli_buffer *notes)
{
    uint32_t i;
    uint32_t end;
    for (i = 0; i < place->n_wanted; i = end) {
        const char *path = place->wanted[i].path;
        int any = 0;
        for (end = i; end < place->n_wanted && place->wanted[end].path == path; end++) {
            /* Elements of aggregates are in any graph, whatever its operators are called. */
            any |= !gsp_text_equal(place->wanted[end].name, gsp_text_of("operator.getitem")) &&
                   fits(c, place->wanted[end].name);
        }
        if (path != NULL && !any && c->n != 0) {
            cli_printf(notes,
                       "%s: none of its names is an operator of the graph, which are such as '",
                       path);
            cli_put_clipped(notes, c->names[0], 80u);
            cli_puts(notes, "'\n");
        }
    }
}

int cli_place_check(cli_session *s, const cli_place *place, const gsp_graph *graph)
{
    int quiet = s->common.porcelain || s->common.json;
    cli_buffer notes;
    classes c;
    uint32_t n;
    uint32_t i;
    if (place->n_wanted == 0) {
        return CLI_EXIT_OK;
    }
    list_classes(s, graph->module, &c);
    for (i = 0; i < place->n_wanted; i++) {
        if (place->wanted[i].path == NULL && !fits(&c, place->wanted[i].name)) {
            int code = refuse_word(s, &place->wanted[i]);
            if (code != CLI_EXIT_OK) {
                return code;
            }
        }
    }
    if (quiet) {
        return CLI_EXIT_OK;
    }
    cli_buffer_init(&notes, s);
    n = put_notes(s, place, &c, &notes);
    if (n > MOST_NOTES) {
        cli_printf(&notes, "... and %" PRIu32 " more such names\n", n - MOST_NOTES);
    }
    put_strange_files(place, &c, &notes);
    if (notes.size != 0) {
        cli_progress_end(s);
        fwrite(notes.data, 1u, notes.size, stderr);
    }
    return CLI_EXIT_OK;
}
