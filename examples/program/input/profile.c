/* benchmark_model prints tables of operators, with tabs or (--profiling_output_csv_file) commas:
 * the column of average milliseconds, and a name "[tensors]:N" for operator N of the file. ONNX
 * Runtime writes events as JSON: "NAME_kernel_time" with "dur" microseconds, once per run; a node
 * without a name is called OPERATOR_N. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

#define MOST_COLUMNS 16u

typedef struct reader {
    cli_session *session;
    const char *path;
    gsp_str text;
    const gsp_graph *graph;
    cli_profile *out;
    cli_names names;
    gsp_node *operators; /* [n_operators] in the order of the file */
    uint32_t n_operators;
    uint32_t *runs; /* [n] of a node */
    uint32_t n_unknown;
    gsp_str unknown; /* the first */
} reader;

/* ---- nodes ---- */

static int is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* Every character that no name has becomes '_', as when a model is read. */
static gsp_node find_name(reader *r, gsp_str name)
{
    gsp_str clean;
    char *text = (char *)cli_alloc(r->session, (size_t)name.size + 2u, 1u);
    uint32_t const digit = name.size != 0 && name.data[0] >= '0' && name.data[0] <= '9' ? 1u : 0u;
    uint32_t i;
    gsp_node v;
    text[0] = '_';
    for (i = 0; i < name.size; i++) {
        text[i + digit] = is_word(name.data[i]) ? name.data[i] : '_';
    }
    clean.data = text;
    clean.size = name.size + digit;
    v = cli_names_find(&r->names, clean);
    cli_release(r->session, text);
    return v;
}

static int is_same_letter(char a, char b)
{
    a = (char)(a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a);
    b = (char)(b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b);
    return a == b;
}

/* "CONV_2D" for tflite.CONV_2D. */
static int is_operator(const reader *r, gsp_node v, gsp_str op)
{
    gsp_str name = gsp_node_class(r->graph, v);
    uint32_t i;
    if (name.size < op.size || op.size == 0) {
        return 0;
    }
    name.data += name.size - op.size;
    for (i = 0; i < op.size && is_same_letter(name.data[i], op.data[i]); i++) {
    }
    return i == op.size;
}

/* The operator whose number ends the name, if it is of this type. */
static gsp_node find_number(const reader *r, gsp_str name, gsp_str op)
{
    uint64_t number;
    gsp_str digits = name;
    uint32_t i = name.size;
    while (i > 0 && name.data[i - 1u] >= '0' && name.data[i - 1u] <= '9') {
        i--;
    }
    digits.data += i;
    digits.size -= i;
    if (i == 0 || (name.data[i - 1u] != ':' && name.data[i - 1u] != '_') ||
        !gsp_str_number(digits, &number) || number >= r->n_operators ||
        !is_operator(r, r->operators[number], op)) {
        return GSP_NONE;
    }
    return r->operators[number];
}

static void read_operators(reader *r)
{
    const gsp_graph *g = r->graph;
    gsp_node v;
    r->operators = (gsp_node *)cli_alloc(r->session, g->n_nodes, sizeof *r->operators);
    for (v = 0; v < g->n_nodes; v++) {
        int const unpacks = gsp_str_equal(gsp_node_class(g, v), gsp_str_of("operator.getitem"));
        if (gsp_node_is_callable(g, v) && !unpacks) {
            r->operators[r->n_operators++] = v;
        }
    }
}

/* Takes one time; `average`: it is that of all runs. */
static int take(reader *r, gsp_str name, gsp_str op, double seconds, int on_acc, int average)
{
    gsp_node v = find_name(r, name);
    double *time;
    if (!(seconds >= 0.0 && seconds < 1e9)) {
        return cli_error(r->session, GSP_STATUS_ARG,
            "%s: the time of %.*s is negative, not finite, or above 10^9 seconds", r->path,
            (int)name.size, name.data);
    }
    v = v == GSP_NONE ? find_number(r, name, op) : v;
    if (v == GSP_NONE || !gsp_node_is_callable(r->graph, v)) {
        r->unknown = r->n_unknown++ == 0 ? name : r->unknown;
        return CLI_EXIT_OK;
    }
    time = on_acc ? &r->out->acc[v] : &r->out->cpu[v];
    r->out->n_rows += r->out->cpu[v] < 0.0 && r->out->acc[v] < 0.0 ? 1u : 0u;
    r->runs[v] = average || *time < 0.0 ? 1u : r->runs[v] + 1u;
    *time = r->runs[v] == 1u ? seconds : *time + (seconds - *time) / r->runs[v];
    return CLI_EXIT_OK;
}

/* ---- tables of benchmark_model ---- */

static gsp_str next_line(gsp_str text, uint32_t *at)
{
    gsp_str line = {text.data + *at, 0};
    while (*at < text.size && text.data[*at] != '\n') {
        ++*at;
        line.size++;
    }
    *at += *at < text.size ? 1u : 0u;
    return line;
}

static gsp_str trim(gsp_str s)
{
    while (s.size != 0 && strchr(" \t\r", s.data[0]) != NULL) {
        s.data++;
        s.size--;
    }
    while (s.size != 0 && strchr(" \t\r", s.data[s.size - 1u]) != NULL) {
        s.size--;
    }
    return s;
}

/* The cells of a line; of a name with commas the last has all that is left. */
static uint32_t cut_cells(gsp_str line, char comma, uint32_t most, gsp_str *cells)
{
    uint32_t n = 0;
    uint32_t i;
    gsp_str cell = {line.data, 0};
    for (i = 0; i < line.size; i++) {
        if (line.data[i] == comma && n + 1u < most) {
            cells[n++] = trim(cell);
            cell.data = line.data + i + 1u;
            cell.size = 0;
        } else {
            cell.size++;
        }
    }
    cells[n++] = trim(cell);
    return n;
}

static uint32_t find_column(const gsp_str *cells, uint32_t n, const char *a, const char *b)
{
    uint32_t i = 0;
    while (i < n && !gsp_str_equal(cells[i], gsp_str_of(a)) &&
           !gsp_str_equal(cells[i], gsp_str_of(b))) {
        i++;
    }
    return i;
}

static int read_tables(reader *r)
{
    gsp_str cells[MOST_COLUMNS];
    uint32_t n_columns = 0; /* 0 if outside a table of operators */
    uint32_t average = 0;
    uint32_t type = 0;
    char comma = ',';
    uint32_t at = 0;
    int code = CLI_EXIT_OK;
    while (at < r->text.size && code == CLI_EXIT_OK) {
        gsp_str line = next_line(r->text, &at);
        int const tabs = line.size != 0 && memchr(line.data, '[', line.size) != NULL &&
                         memchr(line.data, '\t', line.size) != NULL;
        uint32_t const n = n_columns == 0 ? cut_cells(line, tabs ? '\t' : ',', MOST_COLUMNS, cells)
                                          : cut_cells(line, comma, n_columns, cells);
        double ms;
        if (n_columns == 0) {
            uint32_t const name = find_column(cells, n, "name", "[Name]");
            average = find_column(cells, n, "avg_ms", "[avg ms]");
            type = find_column(cells, n, "node type", "[node type]");
            comma = tabs ? '\t' : ',';
            n_columns = name + 1u == n && average < n && type < n ? n : 0u;
        } else if (n < n_columns || !gsp_str_decimal(cells[average], &ms)) {
            n_columns = 0; /* the end of the table */
        } else if (cells[n - 1u].size != 0 && cells[n - 1u].data[0] == '[') {
            code = take(r, cells[n - 1u], cells[type], ms * 1e-3, 0, 1);
        }
    }
    return code;
}

/* ---- events of ONNX Runtime ---- */

/* The next token of JSON: a bracket, ':' or ',', 's' for a string without its quotes, 'n' for what
 * else there is; 0 for the end. */
static char next_token(gsp_str text, uint32_t *at, gsp_str *token)
{
    while (*at < text.size && strchr(" \t\r\n", text.data[*at]) != NULL) {
        ++*at;
    }
    token->data = text.data + *at;
    token->size = 0;
    if (*at == text.size) {
        return 0;
    }
    if (text.data[*at] == '"') {
        token->data++;
        for (++*at; *at < text.size && text.data[*at] != '"'; ++*at) {
            *at += text.data[*at] == '\\' && *at + 1u < text.size ? 1u : 0u;
        }
        token->size = (uint32_t)(text.data + *at - token->data);
        *at += *at < text.size ? 1u : 0u;
        return 's';
    }
    if (strchr("{}[]:,", text.data[*at]) != NULL) {
        return text.data[(*at)++];
    }
    while (*at < text.size && strchr("{}[]:,\" \t\r\n", text.data[*at]) == NULL) {
        ++*at;
        token->size++;
    }
    return 'n';
}

typedef struct event {
    gsp_str name;
    gsp_str op;
    gsp_str provider;
    gsp_str duration;
} event;

static void set_field(event *e, gsp_str key, gsp_str value)
{
    gsp_str *field = gsp_str_equal(key, gsp_str_of("name"))       ? &e->name
                     : gsp_str_equal(key, gsp_str_of("op_name"))  ? &e->op
                     : gsp_str_equal(key, gsp_str_of("provider")) ? &e->provider
                     : gsp_str_equal(key, gsp_str_of("dur"))      ? &e->duration
                                                                  : NULL;
    if (field != NULL) {
        *field = value;
    }
}

/* Other events are of the session, or of fences around kernels. */
static int take_event(reader *r, const event *e)
{
    static const char end[] = "_kernel_time";
    gsp_str name = e->name;
    double us = 0.0;
    int const on_acc =
        e->provider.size != 0 && !gsp_str_equal(e->provider, gsp_str_of("CPUExecutionProvider"));
    if (name.size < sizeof end ||
        memcmp(name.data + name.size - (sizeof end - 1u), end, sizeof end - 1u) != 0) {
        return CLI_EXIT_OK;
    }
    name.size -= (uint32_t)(sizeof end - 1u);
    if (!gsp_str_decimal(e->duration, &us)) {
        us = -1.0;
    }
    return take(r, name, e->op, us * 1e-6, on_acc, 0);
}

static int read_events(reader *r)
{
    event e;
    gsp_str key = {NULL, 0};
    gsp_str token;
    uint32_t depth = 0;
    uint32_t at = 0;
    int is_value = 0;
    int code = CLI_EXIT_OK;
    char c;
    memset(&e, 0, sizeof e);
    while (code == CLI_EXIT_OK && (c = next_token(r->text, &at, &token)) != 0) {
        if (c == '{' && depth++ == 0) {
            memset(&e, 0, sizeof e);
        } else if (c == '}' && depth > 0 && --depth == 0) {
            code = take_event(r, &e);
        } else if ((c == 's' || c == 'n') && is_value && depth <= 2u) {
            set_field(&e, key, token);
        } else if (c == 's') {
            key = token;
        }
        is_value = c == ':';
    }
    return code;
}

/* ---- the file ---- */

static int judge(const reader *r)
{
    if (r->n_unknown != 0) {
        return cli_error(r->session, GSP_STATUS_ARG,
            "%s is not of this graph: of its %" PRIu32 " times %" PRIu32
            " are of nodes that it does not have, such as %.*s; it has %" PRIu32,
            r->path, r->n_unknown + r->out->n_rows, r->n_unknown, (int)r->unknown.size,
            r->unknown.data, r->out->n_rows);
    }
    if (r->out->n_rows == 0) {
        return cli_error(r->session, GSP_STATUS_PARSE,
            "%s has no times of operators; --profile expects what TFLite's benchmark_model prints "
            "with --enable_op_profiling=true, and the JSON of ONNX Runtime",
            r->path);
    }
    return CLI_EXIT_OK;
}

int cli_profile_read(cli_session *s, const char *path, const gsp_graph *graph, cli_profile *profile)
{
    reader r;
    char *data = NULL;
    size_t size = 0;
    gsp_node v;
    int code = cli_file_read(s, path, &data, &size);
    if (code != CLI_EXIT_OK || size > UINT32_MAX) {
        return code != CLI_EXIT_OK
                   ? code
                   : cli_error(s, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", path);
    }
    memset(&r, 0, sizeof r);
    r.session = s;
    r.path = path;
    r.graph = graph;
    r.out = profile;
    r.text.data = data;
    r.text.size = (uint32_t)size;
    r.runs = (uint32_t *)cli_alloc(s, graph->n_nodes, sizeof *r.runs);
    profile->cpu = (double *)cli_alloc(s, graph->n_nodes, sizeof *profile->cpu);
    profile->acc = (double *)cli_alloc(s, graph->n_nodes, sizeof *profile->acc);
    profile->n_rows = 0;
    for (v = 0; v < graph->n_nodes; v++) {
        profile->cpu[v] = profile->acc[v] = -1.0;
    }
    cli_names_make(s, graph, &r.names);
    read_operators(&r);
    r.text = trim(r.text);
    code = r.text.size != 0 && strchr("[{", r.text.data[0]) != NULL &&
                   memchr(r.text.data, '{', r.text.size) != NULL
               ? read_events(&r)
               : read_tables(&r);
    return code == CLI_EXIT_OK ? judge(&r) : code;
}
