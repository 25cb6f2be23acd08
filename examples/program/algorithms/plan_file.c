/* Plan files: parsing, writing, and matching against a graph. */
#include "algorithms/algorithms.h"

#include <string.h>

/* ---- layout ----
 * As in the library: one layout function counts bytes and assigns arrays. */

/* With arena NULL it only counts. */
typedef struct layout {
    gsp_arena *arena;
    size_t bytes; /* SIZE_MAX if too many, or more than the arena has */
} layout;

static void *layout_push(layout *l, size_t count, size_t size)
{
    size_t const left = SIZE_MAX - GSP_BOUND_SLACK - GSP_ALIGN;
    void *made = NULL;
    if (l->bytes > left || count > (left - l->bytes) / size) {
        l->bytes = SIZE_MAX;
        return NULL;
    }
    l->bytes += GSP_BOUND_ARRAY(count, size);
    if (l->arena != NULL && (made = gsp_arena_push(l->arena, count, size)) == NULL) {
        l->bytes = SIZE_MAX;
    }
    return made;
}

#define ROW(layout, T, count) ((T *)layout_push((layout), (count), sizeof(T)))

/* The bytes of a layout at any address. */
static size_t layout_bound(const layout *l)
{
    return l->bytes == SIZE_MAX ? SIZE_MAX : l->bytes + GSP_BOUND_SLACK;
}

/* Fills an error, which may be NULL; returns the status. */
static gsp_status fail(gsp_error *err, gsp_status status, gsp_detail detail, uint32_t node)
{
    gsp_error const e = {status, detail, node == GSP_NONE ? GSP_WHAT_NONE : GSP_WHAT_NODE, node,
        GSP_NONE, 0, 0, 0, 0, ""};
    if (err != NULL) {
        *err = e;
    }
    return status;
}

/* OK if so many bytes are left. */
static gsp_status room(const gsp_arena *arena, size_t bound, gsp_error *err)
{
    if (bound == SIZE_MAX) {
        return fail(err, GSP_STATUS_OVERFLOW, GSP_DETAIL_TOO_MANY, GSP_NONE);
    }
    if (gsp_arena_left(arena) >= bound) {
        return fail(err, GSP_OK, GSP_DETAIL_NONE, GSP_NONE);
    }
    fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE);
    if (err != NULL) {
        err->need = bound;
        err->limit = gsp_arena_left(arena);
    }
    return GSP_STATUS_NOMEM;
}

/* OK if all arrays of a layout are there; `bytes` is what its bound would be. If not, the arena is
 * as before. */
static gsp_status laid_out(size_t bytes, gsp_arena *arena, gsp_mark before, gsp_error *err)
{
    if (bytes != SIZE_MAX) {
        return GSP_OK;
    }
    gsp_arena_rewind(arena, before);
    return fail(err, GSP_STATUS_NOMEM, GSP_DETAIL_BOUND, GSP_NONE);
}

/* ---- names by hash ---- */

/* Maps names to indices of an array of structs that begin with a name. */
typedef struct table {
    const void *names;
    size_t stride;
    uint32_t *slots; /* [mask + 1] indices, GSP_NONE if free */
    uint32_t mask;
} table;

static void table_lay_out(table *t, layout *l, uint32_t n)
{
    uint64_t slots = 2u;
    while (slots < 2u * (uint64_t)n) {
        slots *= 2u;
    }
    t->mask = (uint32_t)(slots - 1u);
    t->slots = ROW(l, uint32_t, slots > UINT32_MAX ? SIZE_MAX : (size_t)slots);
}

static void table_start(table *t, const void *names, size_t stride)
{
    t->names = names;
    t->stride = stride;
    memset(t->slots, 0xFF, ((size_t)t->mask + 1u) * sizeof *t->slots);
}

static int table_holds(const table *t, uint32_t at, gsp_str name)
{
    gsp_str here;
    memcpy(&here, (const char *)t->names + at * t->stride, sizeof here);
    return gsp_str_equal(here, name);
}

/* The slot of a name, or a free slot. */
static uint32_t *table_slot(const table *t, gsp_str name)
{
    uint32_t slot = 2166136261u;
    for (uint32_t i = 0; i < name.size; i++) {
        slot = (slot ^ (unsigned char)name.data[i]) * 16777619u;
    }
    for (slot &= t->mask; t->slots[slot] != GSP_NONE && !table_holds(t, t->slots[slot], name);) {
        slot = (slot + 1u) & t->mask;
    }
    return &t->slots[slot];
}

/* ---- slices of text ---- */

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int is_wild(char c)
{
    return c == '*' || c == '?';
}

static int is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80u;
}

/* The text from `begin` to `end`, without blanks around it. */
static gsp_str trimmed(const char *begin, const char *end)
{
    gsp_str t;
    while (begin < end && is_blank(end[-1])) {
        end--;
    }
    while (begin < end && is_blank(*begin)) {
        begin++;
    }
    t.data = begin;
    t.size = (uint32_t)(end - begin);
    return t;
}

/* The index of the first byte that is a control byte or `end`; the size of the text if there is
 * none. */
static uint32_t plain(gsp_str t, char end)
{
    uint32_t i = 0;
    while (
        i < t.size && (unsigned char)t.data[i] >= 0x20u && t.data[i] != 0x7F && t.data[i] != end) {
        i++;
    }
    return i;
}

/* 1 for a text without control bytes and without blanks around it. */
static int reads_back(gsp_str t, char end)
{
    return plain(t, end) == t.size &&
           (t.size == 0 || (!is_blank(t.data[0]) && !is_blank(t.data[t.size - 1u])));
}

/* ---- reading ---- */

typedef struct reader {
    const char *at; /* the next line */
    const char *end;
    const char *start; /* of this line */
    size_t number;     /* of this line, from 1 */
    gsp_str line;      /* without blanks around it; may end in a comment */
    table parts;
    gsp_str *names;
    gsp_str *notes;
    cli_plan_line *lines;
    gsp_mark results; /* arena mark */
    uint32_t n_parts;
    uint32_t n_lines;
    uint32_t part;     /* of the lines that follow */
    const char *wrong; /* the sentence of the error at `where` */
    const char *where;
} reader;

static void start(reader *r, gsp_str text)
{
    memset(r, 0, sizeof *r);
    r->at = r->start = text.data;
    r->end = text.size == 0 ? text.data : text.data + text.size;
    r->part = GSP_NONE;
}

/* The next line that is not empty, or 0. */
static int next_line(reader *r)
{
    while (r->at < r->end) {
        const char *end = (const char *)memchr(r->at, '\n', (size_t)(r->end - r->at));
        end = end == NULL ? r->end : end;
        r->start = r->at;
        r->at = end < r->end ? end + 1 : end;
        r->number++;
        end -= end > r->start && end[-1] == '\r' ? 1 : 0;
        r->line = trimmed(r->start, end);
        if (r->line.size > 0 && r->line.data[0] != '#') {
            return 1;
        }
    }
    return 0;
}

/* Removes a comment and preceding blanks. */
static gsp_str without_comment(gsp_str line)
{
    const char *end = line.data;
    while (end < line.data + line.size && *end != '#') {
        end++;
    }
    return trimmed(line.data, end);
}

static size_t lay_out(reader *r, gsp_arena *arena, gsp_str text)
{
    layout l = {arena, 0};
    uint32_t parts = 0;
    uint32_t lines = 0;
    for (start(r, text); next_line(r);) {
        parts += r->line.data[0] == '[' ? 1u : 0u;
        lines += r->line.data[0] == '[' ? 0u : 1u;
    }
    start(r, text);
    r->names = ROW(&l, gsp_str, parts);
    r->notes = ROW(&l, gsp_str, parts);
    r->lines = ROW(&l, cli_plan_line, lines);
    if (arena != NULL) {
        r->results = gsp_arena_mark(arena);
    }
    table_lay_out(&r->parts, &l, parts);
    return layout_bound(&l);
}

size_t cli_plan_parse_bound(gsp_str text)
{
    reader r;
    return lay_out(&r, NULL, text);
}

static int refuse(reader *r, const char *wrong, const char *where)
{
    r->wrong = wrong;
    r->where = where;
    return 0;
}

/* `[NAME] note` */
static int read_part(reader *r)
{
    gsp_str inside = {r->line.data + 1, r->line.size - 1u};
    const char *end = inside.data + plain(inside, ']');
    const char *line_end = inside.data + inside.size;
    gsp_str const name = trimmed(inside.data, end);
    uint32_t *slot;
    if (end == line_end || *end != ']' || name.size == 0) {
        return refuse(r, CLI_PLAN_WRONG_PART, end);
    }
    inside.data = end + 1;
    inside.size = (uint32_t)(line_end - inside.data);
    inside = without_comment(inside);
    if (plain(inside, '#') != inside.size) {
        return refuse(r, CLI_PLAN_WRONG_PART, inside.data + plain(inside, '#'));
    }
    slot = table_slot(&r->parts, name);
    if (*slot == GSP_NONE) {
        *slot = r->n_parts++;
        r->names[*slot] = name;
        r->notes[*slot] = inside;
    }
    r->part = *slot;
    return 1;
}

/* A name or a pattern. */
static int read_node(reader *r)
{
    gsp_str t = without_comment(r->line);
    cli_plan_line *line = &r->lines[r->n_lines];
    uint32_t i;
    if (r->part == GSP_NONE) {
        return refuse(r, CLI_PLAN_WRONG_PART, t.data);
    }
    if (t.data[0] == '%') {
        t.data++;
        t.size--;
    }
    line->is_pattern = 0;
    for (i = 0; i < t.size && (is_name(t.data[i]) || is_wild(t.data[i])); i++) {
        line->is_pattern |= is_wild(t.data[i]) ? 1u : 0u;
    }
    if (i < t.size || i == 0) {
        return refuse(r, CLI_PLAN_WRONG_LINE, t.data + i);
    }
    line->pattern = t;
    line->part = r->part;
    line->line = r->number;
    r->n_lines++;
    return 1;
}

static int read_all(reader *r)
{
    if (!next_line(r)) {
        r->number++;
        return refuse(r, CLI_PLAN_WRONG_HEAD, NULL);
    }
    if (!gsp_str_equal(without_comment(r->line), gsp_str_of("plan 1"))) {
        return refuse(r, CLI_PLAN_WRONG_HEAD, r->line.data);
    }
    while (next_line(r)) {
        if (!(r->line.data[0] == '[' ? read_part(r) : read_node(r))) {
            return 0;
        }
    }
    return 1;
}

gsp_status cli_plan_parse(
    gsp_arena *arena, gsp_str text, cli_plan_text *plan, const char **wrong, gsp_error *err)
{
    gsp_mark const before = gsp_arena_mark(arena);
    gsp_status status = room(arena, cli_plan_parse_bound(text), err);
    reader r;
    if (status != GSP_OK ||
        (status = laid_out(lay_out(&r, arena, text), arena, before, err)) != GSP_OK) {
        return status;
    }
    table_start(&r.parts, r.names, sizeof *r.names);
    if (!read_all(&r)) {
        gsp_arena_rewind(arena, before);
        *wrong = r.wrong;
        fail(err, GSP_STATUS_PARSE, GSP_DETAIL_NONE, GSP_NONE);
        if (err != NULL) {
            err->line = r.number;
            err->column = r.where == NULL ? 1u : (size_t)(r.where - r.start) + 1u;
        }
        return GSP_STATUS_PARSE;
    }
    gsp_arena_rewind(arena, r.results);
    plan->n_parts = r.n_parts;
    plan->n_lines = r.n_lines;
    plan->names = r.names;
    plan->notes = r.notes;
    plan->lines = r.lines;
    return GSP_OK;
}

/* ---- writing ---- */

typedef struct writer {
    table parts;
    gsp_node *first; /* [n_parts] node, or GSP_NONE */
    gsp_node *next;  /* [n] node of the same part, likewise */
    gsp_sink sink;
    void *user;
    int stopped;
} writer;

static size_t writer_lay_out(writer *w, gsp_arena *arena, uint32_t n_nodes, uint32_t n_parts)
{
    layout l = {arena, 0};
    w->first = ROW(&l, gsp_node, n_parts);
    w->next = ROW(&l, gsp_node, n_nodes);
    table_lay_out(&w->parts, &l, n_parts);
    return layout_bound(&l);
}

size_t cli_plan_write_bound(uint32_t n_nodes, uint32_t n_parts)
{
    writer w;
    return writer_lay_out(&w, NULL, n_nodes, n_parts);
}

/* Names and notes have to read back as they are, and names have to differ. */
static gsp_status check_names(const table *t, const cli_plan_desc *d, gsp_error *err)
{
    for (uint32_t i = 0; i < d->n_parts; i++) {
        uint32_t *slot = table_slot(t, d->names[i]);
        if (*slot != GSP_NONE || d->names[i].size == 0 || !reads_back(d->names[i], ']') ||
            (d->notes != NULL && !reads_back(d->notes[i], '#'))) {
            return fail(err, GSP_STATUS_ARG, GSP_DETAIL_TAG_NAME, i);
        }
        *slot = i;
    }
    return GSP_OK;
}

static gsp_status list_nodes(writer *w, const gsp_graph *g, const cli_plan_desc *d, gsp_error *err)
{
    gsp_node wrong = GSP_NONE;
    memset(w->first, 0xFF, d->n_parts * sizeof *w->first);
    for (gsp_node v = g->n_nodes; v-- > 0;) {
        uint32_t const part = gsp_node_is_callable(g, v) ? d->part_of[v] : GSP_NONE;
        if (part < d->n_parts) {
            w->next[v] = w->first[part];
            w->first[part] = v;
        } else if (part != GSP_NONE) {
            wrong = v;
        }
    }
    return wrong == GSP_NONE ? GSP_OK : fail(err, GSP_STATUS_ARG, GSP_DETAIL_TAG, wrong);
}

static void put(writer *w, gsp_str text)
{
    w->stopped = w->stopped || (text.size > 0 && w->sink(w->user, text.data, text.size) != 0);
}

static gsp_status write_all(writer *w, const gsp_graph *g, const cli_plan_desc *d, gsp_error *err)
{
    gsp_str const empty = {"", 0};
    put(w, gsp_str_of("plan 1\n"));
    for (uint32_t i = 0; i < d->n_parts; i++) {
        gsp_str const note = d->notes != NULL ? d->notes[i] : empty;
        put(w, gsp_str_of("\n["));
        put(w, d->names[i]);
        put(w, gsp_str_of(note.size > 0 ? "] " : "]"));
        put(w, note);
        put(w, gsp_str_of("\n"));
        for (gsp_node v = w->first[i]; v != GSP_NONE; v = w->next[v]) {
            put(w, gsp_node_name(g, v));
            put(w, gsp_str_of("\n"));
        }
    }
    return fail(err, w->stopped ? GSP_STATUS_LIMIT : GSP_OK, GSP_DETAIL_NONE, GSP_NONE);
}

gsp_status cli_plan_write(gsp_arena *arena, const gsp_graph *graph, const cli_plan_desc *desc,
    gsp_sink sink, void *user, gsp_error *err)
{
    gsp_mark const before = gsp_arena_mark(arena);
    gsp_status status = room(arena, cli_plan_write_bound(graph->n_nodes, desc->n_parts), err);
    writer w;
    size_t laid;
    if (status != GSP_OK) {
        return status;
    }
    laid = writer_lay_out(&w, arena, graph->n_nodes, desc->n_parts);
    if ((status = laid_out(laid, arena, before, err)) != GSP_OK) {
        return status;
    }
    table_start(&w.parts, desc->names, sizeof *desc->names);
    w.sink = sink;
    w.user = user;
    w.stopped = 0;
    status = check_names(&w.parts, desc, err);
    if (status == GSP_OK) {
        status = list_nodes(&w, graph, desc, err);
    }
    if (status == GSP_OK) {
        status = write_all(&w, graph, desc, err);
    }
    gsp_arena_rewind(arena, before);
    return status;
}

/* ---- on a graph ---- */

typedef struct matcher {
    const cli_plan_text *plan;
    uint32_t *part_of;
    uint32_t *line_of;
    uint8_t *use;
    gsp_mark results;   /* arena mark */
    table names;        /* the last line of every name */
    uint32_t *patterns; /* [lines] lines that are patterns, ascending */
    uint32_t n_patterns;
} matcher;

static size_t matcher_lay_out(
    matcher *m, gsp_arena *arena, uint32_t n_nodes, const cli_plan_text *plan)
{
    layout l = {arena, 0};
    m->plan = plan;
    m->part_of = ROW(&l, uint32_t, n_nodes);
    m->line_of = ROW(&l, uint32_t, n_nodes);
    m->use = ROW(&l, uint8_t, plan->n_lines);
    if (arena != NULL) {
        m->results = gsp_arena_mark(arena);
    }
    m->patterns = ROW(&l, uint32_t, plan->n_lines);
    table_lay_out(&m->names, &l, plan->n_lines);
    return layout_bound(&l);
}

size_t cli_plan_apply_bound(uint32_t n_nodes, const cli_plan_text *plan)
{
    matcher m;
    return matcher_lay_out(&m, NULL, n_nodes, plan);
}

static void index_lines(matcher *m)
{
    const cli_plan_line *lines = m->plan->lines;
    m->n_patterns = 0;
    table_start(&m->names, lines, sizeof *lines);
    for (uint32_t i = 0; i < m->plan->n_lines; i++) {
        m->use[i] = CLI_PLAN_GONE;
        if (lines[i].is_pattern) {
            m->patterns[m->n_patterns++] = i;
        } else {
            *table_slot(&m->names, lines[i].pattern) = i;
        }
    }
}

/* The use of a line only rises: gone, not called, overruled, used. */
static void mark_use(matcher *m, uint32_t line, cli_plan_use use)
{
    uint8_t *at = &m->use[line];
    if (*at != CLI_PLAN_USED && (use == CLI_PLAN_USED || *at < use)) {
        *at = (uint8_t)use;
    }
}

/* The line that decides about a node, or GSP_NONE. */
static uint32_t decide(matcher *m, gsp_str name, int callable)
{
    uint32_t decides = *table_slot(&m->names, name);
    for (uint32_t i = m->n_patterns; i > 0; i--) {
        uint32_t const line = m->patterns[i - 1u];
        if ((decides == GSP_NONE || m->use[line] != CLI_PLAN_USED) &&
            gsp_str_glob(m->plan->lines[line].pattern, name)) {
            decides = decides == GSP_NONE ? line : decides;
            mark_use(m, line, callable ? CLI_PLAN_OVERRULED : CLI_PLAN_NOT_CALLED);
        }
    }
    if (decides != GSP_NONE) {
        mark_use(m, decides, callable ? CLI_PLAN_USED : CLI_PLAN_NOT_CALLED);
    }
    return callable ? decides : GSP_NONE;
}

static void place_nodes(matcher *m, const gsp_graph *g, cli_plan_match *result)
{
    const cli_plan_line *lines = m->plan->lines;
    memset(result, 0, sizeof *result);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        int const callable = gsp_node_is_callable(g, v);
        uint32_t const line = decide(m, gsp_node_name(g, v), callable);
        m->line_of[v] = line;
        m->part_of[v] = line == GSP_NONE ? GSP_NONE : lines[line].part;
        result->n_placed += line != GSP_NONE ? 1u : 0u;
        result->n_new += callable && line == GSP_NONE ? 1u : 0u;
    }
    for (uint32_t i = 0; i < m->plan->n_lines; i++) {
        if (!lines[i].is_pattern && *table_slot(&m->names, lines[i].pattern) != i) {
            m->use[i] = CLI_PLAN_OVERRULED; /* a later line has the same name */
        }
        result->n_lines[m->use[i]]++;
    }
}

gsp_status cli_plan_apply(gsp_arena *arena, const gsp_graph *graph, const cli_plan_text *plan,
    cli_plan_match *result, gsp_error *err)
{
    gsp_mark const before = gsp_arena_mark(arena);
    gsp_status status = room(arena, cli_plan_apply_bound(graph->n_nodes, plan), err);
    matcher m;
    size_t laid;
    if (status != GSP_OK) {
        return status;
    }
    laid = matcher_lay_out(&m, arena, graph->n_nodes, plan);
    if ((status = laid_out(laid, arena, before, err)) != GSP_OK) {
        return status;
    }
    index_lines(&m);
    place_nodes(&m, graph, result);
    result->part_of = m.part_of;
    result->line_of = m.line_of;
    result->use = m.use;
    gsp_arena_rewind(arena, m.results);
    return GSP_OK;
}
