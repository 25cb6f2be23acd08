/* Operators and pins of the options that match no node: similar names, and names of lists and
 * files. */
#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NOTES    5u
#define MOST_LISTS    6u
#define MOST_COMPARED 2000000u   /* pairs of names; a fraction of a second */
#define MOST_LOOKUPS  300000000u /* an operator of the graph beside a line of a list */
#define MOST_CHECKS   30000000u  /* a node beside a line of its operator */
#define MOST_TESTS    40000u     /* a node beside 4 KB of constraints of its operator */

typedef struct classes {
    gsp_str *names; /* sorted by bytes, each once */
    uint32_t n;
    gsp_str *small;   /* [n] in small letters; NULL if not yet made */
    uint8_t *wanted;  /* [n] 1 if the options have it */
    uint32_t n_pairs; /* compared so far; beyond MOST_COMPARED nothing is similar */
} classes;

/* ---- the operators of a graph, or what pins speak of ---- */

#define OPERATORS ((uint32_t)GSP_PIN_COUNT) /* after the kinds of pins */

static int compare(const void *a, const void *b)
{
    const gsp_str *x = (const gsp_str *)a;
    const gsp_str *y = (const gsp_str *)b;
    uint32_t size = x->size < y->size ? x->size : y->size;
    int order = size != 0 ? memcmp(x->data, y->data, size) : 0;
    return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

static gsp_str name_of(const gsp_graph *g, gsp_node v, uint32_t what)
{
    return what == GSP_PIN_NAME    ? gsp_node_name(g, v)
           : what == GSP_PIN_SCOPE ? gsp_node_scope(g, v)
           : what == GSP_PIN_TARGET && gsp_node_op(g, v) != GSP_OP_CALL_MODULE
               ? gsp_node_target(g, v)
               : gsp_node_class(g, v);
}

/* Operators are those of all graphs of the module; everything else belongs to one graph. */
static void list_names(cli_session *s, const gsp_graph *graph, uint32_t what, classes *c)
{
    const gsp_module *m = graph->module;
    uint32_t n = 0;
    uint32_t i;
    memset(c, 0, sizeof *c);
    c->names = (gsp_str *)cli_alloc(s, (size_t)m->counts.nodes + 1u, sizeof *c->names);
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(m, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes && (what == OPERATORS || i == graph->id); v++) {
            c->names[n] = name_of(&g, v, what);
            n += gsp_node_is_callable(&g, v) &&
                 (n == 0 || !gsp_str_equal(c->names[n], c->names[n - 1u]));
        }
    }
    qsort(c->names, n, sizeof *c->names, compare);
    for (i = 0; i < n; i++) {
        if (c->n == 0 || compare(&c->names[i], &c->names[c->n - 1u]) != 0) {
            c->names[c->n++] = c->names[i];
        }
    }
}

/* The first class that is not less than a text. */
static uint32_t lower_bound(const classes *c, const gsp_str *text)
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

/* 1 when a class is that name, or begins with the text before its '*'. */
static int fits(const classes *c, gsp_str name)
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

static gsp_str small(cli_session *s, gsp_str text)
{
    char *copy = cli_copy(s, text);
    uint32_t i;
    for (i = 0; i < text.size; i++) {
        copy[i] = (char)(copy[i] >= 'A' && copy[i] <= 'Z' ? copy[i] + 32 : copy[i]);
    }
    text.data = copy;
    return text;
}

static void prepare(cli_session *s, const cli_place *place, classes *c)
{
    uint32_t i;
    if (c->small != NULL) {
        return;
    }
    c->small = (gsp_str *)cli_alloc(s, (size_t)c->n + 1u, sizeof *c->small);
    c->wanted = (uint8_t *)cli_alloc(s, (size_t)c->n + 1u, 1u);
    for (i = 0; i < c->n; i++) {
        c->small[i] = small(s, c->names[i]);
    }
    for (i = 0; i < place->n_wanted; i++) {
        uint32_t at = lower_bound(c, &place->wanted[i].name);
        if (at < c->n && gsp_str_equal(c->names[at], place->wanted[i].name)) {
            c->wanted[at] = 1;
        }
    }
}

/* Edit distance of two names in small letters, without regard to the text before a dot. */
static uint32_t edits(gsp_str a, gsp_str b, uint32_t limit)
{
    if (b.size > a.size && b.data[b.size - a.size - 1u] == '.' &&
        memcmp(b.data + b.size - a.size, a.data, a.size) == 0) {
        return 0;
    }
    return cli_distance_below(a, b, limit);
}

/* `abc*`: compares the beginning of each class with the text before the '*'. */
static int is_beginning(gsp_str name)
{
    const char *star = name.size != 0 ? (const char *)memchr(name.data, '*', name.size) : NULL;
    return star != NULL && star == name.data + name.size - 1u &&
           memchr(name.data, '?', name.size) == NULL;
}

static int has_star(gsp_str name)
{
    return name.size != 0 &&
           (memchr(name.data, '*', name.size) != NULL || memchr(name.data, '?', name.size) != NULL);
}

/* The nearest name that the options do not contain, of `abc*` its beginning; `data` is NULL if none
 * is near enough. */
static gsp_str nearest(cli_session *s, const cli_place *place, classes *c, gsp_str name)
{
    gsp_str best = {NULL, 0};
    int beginning = is_beginning(name);
    uint32_t least;
    uint32_t i;
    name.size -= beginning ? 1u : 0u;
    least = name.size < 4u ? 1u : name.size < 8u ? 2u : 3u;
    if (has_star(name) || c->n_pairs > MOST_COMPARED) {
        return best;
    }
    prepare(s, place, c);
    name = small(s, name);
    for (i = 0; i < c->n && least > 0; i++) {
        gsp_str other = c->small[i];
        uint32_t n;
        other.size = beginning && other.size > name.size ? name.size : other.size;
        n = edits(name, other, least);
        if (n < least && !(c->wanted[i] && other.size == c->names[i].size)) {
            least = n;
            best = c->names[i];
            best.size = other.size;
        }
    }
    c->n_pairs += c->n;
    cli_release(s, (void *)(uintptr_t)name.data);
    return best;
}

/* "; did you mean 'conv_2d_*'?" or nothing, then the end of the sentence. */
static void put_meant(cli_buffer *b, gsp_str meant, gsp_str name)
{
    if (meant.data != NULL) {
        cli_puts(b, "; did you mean '");
        cli_put_clipped(b, meant, 80u);
        cli_puts(b, is_beginning(name) ? "*'?" : "'?");
    }
}

/* A word of the command line that is no operator: a list under a similar name, or a file. */
static int refuse_word(cli_session *s, const cli_wanted *wanted)
{
    const char *word = cli_copy(s, wanted->name);
    if (cli_operators_near(wanted->name) != NULL) {
        return cli_operators_unknown(s, word);
    }
    if (cli_is_file(word)) {
        return cli_usage_error(
            s, "no node of the graph is a '%s'; for a file write @%s", word, word);
    }
    return CLI_EXIT_OK;
}

/* ---- notes on standard error ---- */

/* Any graph has elements of aggregates, with any names of operators. */
static int is_getitem(gsp_str name)
{
    return gsp_str_equal(name, gsp_str_of("operator.getitem"));
}

/* Files often hold names for more than this graph, so only near misses are reported, and only to
 * people; a name in a list of the program, of which the file may be a copy, is no mistake. */
static uint32_t put_notes(
    cli_session *s, const cli_place *place, classes *c, int quiet, cli_buffer *notes)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < place->n_wanted; i++) {
        const cli_wanted *wanted = &place->wanted[i];
        gsp_str meant;
        if (wanted->is_list || is_getitem(wanted->name) || fits(c, wanted->name) ||
            (quiet && wanted->path != NULL)) {
            continue;
        }
        meant = nearest(s, place, c, wanted->name);
        if ((wanted->path != NULL && (meant.data == NULL || cli_operators_have(wanted->name))) ||
            n++ >= MOST_NOTES) {
            continue;
        }
        cli_printf(notes, "%s: no node of the graph is a '",
            wanted->path != NULL ? wanted->path : s->front->program);
        cli_put_clipped(notes, wanted->name, 80u);
        cli_puts(notes, "'");
        put_meant(notes, meant, wanted->name);
        cli_puts(notes, "\n");
    }
    return n;
}

/* 1 when a list of the program has an operator of the graph. */
static int list_fits(const cli_operator_list *list, const classes *c)
{
    const char *const *line;
    for (line = list->lines; *line != NULL; line++) {
        gsp_str name = gsp_str_of(*line);
        name.size = (uint32_t)strcspn(*line, " \n");
        if (name.size != 0 && !is_getitem(name) && fits(c, name)) {
            return 1;
        }
    }
    return 0;
}

/* The lists of the program that speak of graphs such as this one. */
static void put_lists(const classes *c, cli_buffer *notes)
{
    const cli_operator_list *list;
    uint32_t n = 0;
    for (list = cli_operator_lists; list->name != NULL; list++) {
        if (list_fits(list, c) && ++n <= MOST_LISTS) {
            cli_printf(notes, "%s%s", n == 1u ? "; lists that have some: " : ", ", list->name);
        }
    }
    cli_puts(notes, n > MOST_LISTS ? ", ...\n" : "\n");
}

/* Files and lists of which no name matches. */
static void put_strange_files(const cli_place *place, const classes *c, cli_buffer *notes)
{
    uint32_t i;
    uint32_t end;
    for (i = 0; i < place->n_wanted; i = end) {
        const char *path = place->wanted[i].path;
        int any = 0;
        for (end = i; end < place->n_wanted && place->wanted[end].path == path; end++) {
            any |= !is_getitem(place->wanted[end].name) && fits(c, place->wanted[end].name);
        }
        if (path != NULL && !any && c->n != 0) {
            cli_printf(notes,
                "%s: none of its names is an operator of the graph, which has operators such as '",
                path);
            cli_put_clipped(notes, c->names[0], 80u);
            cli_puts(notes, "'");
            put_lists(c, notes);
        }
    }
}

/* Programs that a vendor's compiler made of operators, where the options do not name them. */
static void put_compiled(cli_session *s, const cli_place *place, classes *c, cli_buffer *notes)
{
    uint32_t i;
    prepare(s, place, c);
    for (i = 0; i < c->n; i++) {
        const char *vendor = cli_operators_vendor(c->names[i]);
        if (vendor != NULL && !c->wanted[i]) {
            cli_printf(notes,
                "%s: '%.*s' is a program for %s, and the operators in it are not in the file; "
                "split the model as it was before it was compiled\n",
                s->path, (int)c->names[i].size, c->names[i].data, vendor);
        }
    }
}

/* ---- pins ---- */

static const char *const pin_whats[] = {"name", "module path", "target"};

/* A module path includes everything below it. */
static int has_scope(gsp_str pattern, gsp_str scope)
{
    gsp_str head = scope;
    for (head.size = 0; head.size <= scope.size; head.size++) {
        if ((head.size == scope.size || scope.data[head.size] == '.') &&
            gsp_str_glob(pattern, head)) {
            return 1;
        }
    }
    return 0;
}

static int pin_fits(const gsp_pin *pin, const gsp_graph *g, gsp_node v)
{
    return pin->what == GSP_PIN_NAME    ? gsp_str_glob(pin->pattern, gsp_node_name(g, v))
           : pin->what == GSP_PIN_SCOPE ? has_scope(pin->pattern, gsp_node_scope(g, v))
                                        : gsp_str_glob(pin->pattern, gsp_node_target(g, v)) ||
                                              gsp_str_glob(pin->pattern, gsp_node_class(g, v));
}

/* The first pin with * or ? from `from` on that matches no called node; n_pins: none. */
static uint32_t find_idle_pin(const cli_place *place, const gsp_graph *g, uint32_t from)
{
    for (; from < place->desc.n_pins; from++) {
        const gsp_pin *pin = &place->pins[from];
        gsp_node v = 0;
        if (!has_star(pin->pattern)) {
            continue; /* an error if it matches nothing */
        }
        while (v < g->n_nodes && !(gsp_node_is_callable(g, v) && pin_fits(pin, g, v))) {
            v++;
        }
        if (v == g->n_nodes) {
            break;
        }
    }
    return from;
}

void cli_place_near(cli_session *s, const cli_place *place, const gsp_graph *graph,
    const gsp_pin *pin, cli_buffer *out)
{
    gsp_node v = pin->what == GSP_PIN_NAME ? gsp_graph_find(graph, pin->pattern) : GSP_NONE;
    classes c;
    if (v != GSP_NONE) {
        cli_puts(out, "; it is an input or a parameter, which does not run");
        return;
    }
    list_names(s, graph, pin->what, &c);
    put_meant(out, nearest(s, place, &c, pin->pattern), pin->pattern);
}

static void put_idle_pins(
    cli_session *s, const cli_place *place, const gsp_graph *g, cli_buffer *notes)
{
    uint32_t at = find_idle_pin(place, g, 0);
    uint32_t n = 0;
    for (; at < place->desc.n_pins; at = find_idle_pin(place, g, at + 1u)) {
        const gsp_pin *pin = &place->pins[at];
        if (n++ < MOST_NOTES) {
            cli_printf(notes, "%s: %s: no called node has a %s like '", s->front->program,
                place->pin_from[at]->option->name, pin_whats[pin->what]);
            cli_put_clipped(notes, pin->pattern, 80u);
            cli_puts(notes, "'");
            cli_place_near(s, place, g, pin, notes);
            cli_puts(notes, "\n");
        }
    }
    if (n > MOST_NOTES) {
        cli_printf(notes, "... and %" PRIu32 " more that name no node\n", n - MOST_NOTES);
    }
}

/* ---- all of it ---- */

/* An empty variable of a script, or an empty file. */
static void put_empty_options(const cli_session *s, cli_buffer *notes)
{
    size_t i;
    for (i = 0; i < s->n_given; i++) {
        const cli_given *given = &s->given[i];
        if (strcmp(given->option->name, "--acc-ops") == 0) {
            cli_printf(
                notes, "%s: --acc-ops '%s' names no operator\n", s->front->program, given->value);
        }
    }
}

static int check_operators(
    cli_session *s, const cli_place *place, const gsp_graph *graph, cli_buffer *notes)
{
    int quiet = s->common.porcelain || s->common.json;
    classes c;
    uint32_t n;
    uint32_t i;
    if (place->n_wanted == 0) {
        put_empty_options(s, notes);
        return CLI_EXIT_OK;
    }
    list_names(s, graph, OPERATORS, &c);
    for (i = 0; i < place->n_wanted; i++) {
        if (place->wanted[i].path == NULL && !fits(&c, place->wanted[i].name)) {
            int code = refuse_word(s, &place->wanted[i]);
            if (code != CLI_EXIT_OK) {
                return code;
            }
        }
    }
    n = put_notes(s, place, &c, quiet, notes);
    if (n > MOST_NOTES) {
        cli_printf(notes, "... and %s%" PRIu32 " more such names\n",
            c.n_pairs > MOST_COMPARED ? "at least " : "", n - MOST_NOTES);
    }
    if (!quiet) {
        put_compiled(s, place, &c, notes);
        put_strange_files(place, &c, notes);
    }
    return CLI_EXIT_OK;
}

/* 1 if options (if `place` is not NULL) or the graph assign nodes to an accelerator, or when there
 * is nothing to run. */
static int says_something(const cli_place *place, const gsp_graph *graph)
{
    const gsp_module *m = graph->module;
    int runs = 0;
    uint32_t i;
    for (i = 0; place != NULL && i + 1u < place->n_kinds; i++) {
        if (place->accelerators[i].n_rules != 0) {
            return 1;
        }
    }
    for (i = 0; place != NULL && i < place->desc.n_pins; i++) {
        if (place->pins[i].kind != GSP_KIND_CPU) {
            return 1;
        }
    }
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(m, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes; v++) {
            if (gsp_node_acc(&g, v) >= 0) {
                return 1;
            }
            runs |= gsp_node_is_callable(&g, v);
        }
    }
    return !runs;
}

static int names_accelerators(const cli_session *s)
{
    size_t i = 0;
    while (i < s->n_given && strcmp(s->given[i].option->name, "--accelerator") != 0) {
        i++;
    }
    return i < s->n_given;
}

/* An accelerator that is named, but gets no node: it has no operators and no pins, and acc= in the
 * graph means the first one. */
static void put_idle(
    const cli_session *s, const cli_place *place, const gsp_graph *graph, cli_buffer *notes)
{
    int const acc = says_something(NULL, graph);
    uint32_t i;
    uint32_t k;
    for (k = 1; k < place->n_kinds; k++) {
        int idle = place->accelerators[k - 1u].n_rules == 0 && !(k == 1u && acc);
        for (i = 0; i < place->desc.n_pins; i++) {
            idle = idle && place->pins[i].kind != k;
        }
        if (idle) {
            cli_printf(notes,
                "%s: no operators of %s are given, so no node goes there; give them with "
                "--accelerator %s=OPS ('%s ops' prints lists)\n",
                s->front->program, place->names[k], place->names[k], s->front->program);
        }
    }
}

void cli_place_tell_nothing(cli_session *s, const cli_place *place, const gsp_graph *graph)
{
    int const says = says_something(place, graph);
    cli_buffer notes;
    cli_buffer_init(&notes, s);
    if (!says) {
        cli_printf(&notes,
            "%s: no operators of an accelerator are given, so all nodes stay on the CPU; give "
            "them with --acc-ops LIST ('%s ops' prints the lists), --acc-ops NAME,NAME or "
            "--acc-ops @FILE\n",
            s->front->program, s->front->program);
    }
    if (says || names_accelerators(s)) {
        put_idle(s, place, graph, &notes);
    }
    cli_progress_end(s);
    cli_tell(&notes);
}

/* What the lines of an operator have at most. */
typedef struct line_sizes {
    uint32_t same;        /* lines */
    uint32_t dtypes;      /* bytes of the list of one line */
    uint64_t constraints; /* bytes of all lines */
} line_sizes;

static int compare_entries(const void *a, const void *b)
{
    const gsp_table_entry *const *x = (const gsp_table_entry *const *)a;
    const gsp_table_entry *const *y = (const gsp_table_entry *const *)b;
    return compare(&(*x)->name, &(*y)->name);
}

static line_sizes measure_lines(cli_session *s, const gsp_table *table)
{
    const gsp_table_entry **entries = (const gsp_table_entry **)cli_alloc(
        s, (size_t)table->n_entries + 1u, sizeof(const gsp_table_entry *));
    line_sizes most = {0, 0, 0};
    line_sizes now = {0, 0, 0};
    uint32_t i;
    for (i = 0; i < table->n_entries; i++) {
        entries[i] = &table->entries[i];
    }
    qsort(entries, table->n_entries, sizeof *entries, compare_entries);
    for (i = 0; i < table->n_entries; i++) {
        if (i != 0 && compare_entries(&entries[i - 1u], &entries[i]) != 0) {
            now.same = 0;
            now.constraints = 0;
        }
        now.same++;
        now.constraints += entries[i]->constraints.size;
        now.dtypes = entries[i]->dtypes.size;
        most.same = now.same > most.same ? now.same : most.same;
        most.dtypes = now.dtypes > most.dtypes ? now.dtypes : most.dtypes;
        most.constraints = now.constraints > most.constraints ? now.constraints : most.constraints;
    }
    return most;
}

static int check_table(cli_session *s, const gsp_table *table, uint64_t n_operators,
    uint64_t n_nodes, const char *name)
{
    line_sizes const most = measure_lines(s, table);
    if (n_operators * table->n_entries > MOST_LOOKUPS) {
        return cli_error(s, GSP_STATUS_LIMIT,
            "%s: %" PRIu32 " lines of operators are too many for a graph with %" PRIu64
            " operators; leave out those that it does not have",
            name, table->n_entries, n_operators);
    }
    if (n_nodes * most.same > MOST_CHECKS) {
        return cli_error(s, GSP_STATUS_LIMIT,
            "%s: %" PRIu32 " lines name the same operator, too many for a graph with %" PRIu64
            " nodes; write its dtypes on one line: NAME f32,i8",
            name, most.same, n_nodes);
    }
    if (n_nodes * most.same * (most.dtypes / 32u + 1u) > MOST_CHECKS) {
        return cli_error(s, GSP_STATUS_LIMIT,
            "%s: a list of dtypes of %" PRIu32 " bytes is too long for a graph with %" PRIu64
            " nodes; leave out those that it does not have",
            name, most.dtypes, n_nodes);
    }
    if (n_nodes * (most.constraints / 4096u) > MOST_TESTS) {
        return cli_error(s, GSP_STATUS_LIMIT,
            "%s: the constraints of an operator take %" PRIu64
            " bytes, too many for a graph with %" PRIu64 " nodes; write fewer",
            name, most.constraints, n_nodes);
    }
    return CLI_EXIT_OK;
}

int cli_place_limit(cli_session *s, const cli_place *place, const gsp_graph *graph)
{
    classes c;
    int code = CLI_EXIT_OK;
    uint32_t kind;
    list_names(s, graph, OPERATORS, &c);
    for (kind = 1; kind < place->n_kinds && code == CLI_EXIT_OK; kind++) {
        const gsp_accelerator *a = &place->accelerators[kind - 1u];
        if (a->n_rules != 0) {
            code = check_table(s, &a->rules[0].table, c.n, graph->n_nodes, place->names[kind]);
        }
    }
    return code;
}

int cli_place_check(cli_session *s, const cli_place *place, const gsp_graph *graph)
{
    cli_buffer notes;
    int code;
    cli_buffer_init(&notes, s);
    code = check_operators(s, place, graph, &notes);
    if (code == CLI_EXIT_OK) {
        put_idle_pins(s, place, graph, &notes);
    }
    if (code == CLI_EXIT_OK && notes.size != 0) {
        cli_progress_end(s);
        cli_tell(&notes);
    }
    return code;
}
