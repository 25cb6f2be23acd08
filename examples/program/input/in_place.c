/* --in-place: results that may stand in the memory of an argument, by inplace= and by rules. */
#include "input/input.h"

#include "data/data.h"

#include <inttypes.h>
#include <string.h>

#define NAME_BYTES 64u
#define MOST       32u /* arguments, as bits */

typedef struct rules {
    cli_session *session;
    const char *path; /* of a file, else NULL */
    gsp_str *name;
    uint32_t *arguments; /* as bits; 0 for parts */
    uint32_t n;
} rules;

/* ---- rules ---- */

static int wrong_line(const rules *r, gsp_str name, gsp_str positions)
{
    return cli_error(r->session, GSP_STATUS_PARSE,
        "%s: expected NAME and the positions of arguments below %u, such as `add 0,1`, or `parts`, "
        "got '%s %s'",
        r->path, MOST, cli_copy(r->session, name), cli_copy(r->session, positions));
}

/* Cuts off a word that ends at a blank, or at `also`. */
static gsp_str next_word(gsp_str *rest, char also)
{
    gsp_str word;
    while (rest->size != 0 && strchr(" \t\r", rest->data[0]) != NULL) {
        rest->data++;
        rest->size--;
    }
    word = *rest;
    for (word.size = 0; word.size < rest->size && rest->data[word.size] != also &&
                        strchr(" \t\r", rest->data[word.size]) == NULL;) {
        word.size++;
    }
    rest->data += word.size;
    rest->size -= word.size;
    return word;
}

static int read_line(rules *r, gsp_str line)
{
    gsp_str const name = next_word(&line, ' ');
    gsp_str positions = next_word(&line, ' ');
    gsp_str const all = positions;
    uint32_t arguments = 0;
    int const parts = gsp_str_equal(positions, gsp_str_of("parts"));
    while (positions.size != 0 && !parts) {
        uint64_t position;
        if (!gsp_str_number(next_word(&positions, ','), &position) || position >= MOST) {
            return wrong_line(r, name, all);
        }
        arguments |= (uint32_t)1u << position;
        positions.data += positions.size != 0;
        positions.size -= positions.size != 0;
    }
    if ((arguments == 0 && !parts) || next_word(&line, ' ').size != 0) {
        return wrong_line(r, name, all);
    }
    r->name[r->n] = name;
    r->arguments[r->n++] = arguments;
    return CLI_EXIT_OK;
}

static int read_text(rules *r, gsp_str text)
{
    uint32_t lines = r->n + 1u;
    uint32_t i;
    int code = CLI_EXIT_OK;
    for (i = 0; i < text.size; i++) {
        lines += text.data[i] == '\n';
    }
    r->name = (gsp_str *)cli_grow(r->session, r->name, lines * sizeof *r->name);
    r->arguments = (uint32_t *)cli_grow(r->session, r->arguments, lines * sizeof *r->arguments);
    while (text.size != 0 && code == CLI_EXIT_OK) {
        const char *end = (const char *)memchr(text.data, '\n', text.size);
        gsp_str line = text;
        line.size = end != NULL ? (uint32_t)(end - text.data) : text.size;
        text.data += line.size;
        text.size -= line.size;
        text.data += text.size != 0;
        text.size -= text.size != 0;
        end = (const char *)memchr(line.data, '#', line.size);
        line.size = end != NULL ? (uint32_t)(end - line.data) : line.size;
        if (line.size != strspn(line.data, " \t\r")) {
            code = read_line(r, line);
        }
    }
    return code;
}

static int read_rules(rules *r, const char *spec)
{
    const cli_in_place_rules *table;
    gsp_str text;
    int const all = spec == NULL || strcmp(spec, "all") == 0;
    int found = 0;
    if (spec != NULL && spec[0] == '@') {
        int const code = cli_list_spec(r->session, spec, &text, &r->path);
        return code == CLI_EXIT_OK ? read_text(r, text) : code;
    }
    for (table = cli_in_place_tables; table->name != NULL; table++) {
        if (all || strcmp(spec, table->name) == 0) {
            found = 1;
            (void)read_text(r, gsp_str_of(table->text));
        }
    }
    return found ? CLI_EXIT_OK
                 : cli_usage_error(r->session,
                       "--in-place expects litert, ort, torch, all or @FILE, got '%s'", spec);
}

/* ---- operators ---- */

/* The name of an operator in any format: `relu` of torch.ops.aten.relu_.default, onnx.Relu and
 * torch.nn.ReLU. */
static gsp_str plain_name(gsp_str target, char room[NAME_BYTES])
{
    gsp_str name = {room, 0};
    uint32_t begin = 0;
    uint32_t end = target.size;
    uint32_t i;
    for (i = 0; i < target.size; i++) {
        if (i >= 5u && memcmp(target.data + i - 5u, ".aten.", 6u) == 0) {
            begin = i + 1u;
            end = begin;
            while (end < target.size && target.data[end] != '.') {
                end++;
            }
            break;
        }
        begin = target.data[i] == '.' ? i + 1u : begin;
    }
    for (i = begin; i < end && name.size < NAME_BYTES; i++) {
        char const c = target.data[i];
        if (c != '_') {
            room[name.size++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
        }
    }
    return name;
}

/* The arguments, as bits; *parts is 1 if a rule says so. */
static uint32_t by_rules(const rules *r, const gsp_graph *g, gsp_node v, uint32_t *parts)
{
    char room[NAME_BYTES];
    gsp_str const target = gsp_node_class(g, v);
    gsp_str const plain = plain_name(target, room);
    uint32_t arguments = 0;
    uint32_t i;
    for (i = 0; i < r->n; i++) {
        int const whole = memchr(r->name[i].data, '.', r->name[i].size) != NULL;
        if (gsp_str_glob(r->name[i], whole ? target : plain)) {
            arguments |= r->arguments[i];
            *parts |= r->arguments[i] == 0;
        }
    }
    return arguments;
}

/* Bits per element of a tensor; 0 if it has no type. */
static uint32_t element_bits(const gsp_graph *g, gsp_node v)
{
    gsp_str const type = gsp_node_type(g, v);
    gsp_str dtype;
    gsp_str dims;
    uint32_t at = 0;
    uint32_t bits = 0;
    uint32_t i;
    if (gsp_type_next(type, &at, &dtype, &dims)) {
        for (i = 0; i < dtype.size; i++) {
            bits = dtype.data[i] >= '0' && dtype.data[i] <= '9'
                       ? 10u * bits + (uint32_t)(dtype.data[i] - '0')
                       : bits;
        }
        bits = bits < 8u ? 8u : bits;
    }
    return bits;
}

/* Arguments with as many elements of the same width. Equal counts are equal shapes, since the
 * shape of an argument that is broadcast is smaller. */
static uint32_t of_equal_shape(const gsp_graph *g, gsp_node v, uint32_t arguments)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    uint32_t k;
    for (k = 0; k < MOST; k++) {
        uint32_t const token = (arguments >> k & 1u) != 0 ? gsp_node_leaf(g, v, k) : GSP_NONE;
        int const fits = token != GSP_NONE && args[token].kind == GSP_ARG_NODE &&
                         gsp_node_bytes(g, args[token].value) == gsp_node_bytes(g, v) &&
                         element_bits(g, args[token].value) == element_bits(g, v);
        arguments &= ~((uint32_t)!fits << k);
    }
    return arguments;
}

/* ---- inplace= ---- */

/* The argument that inplace= names, as a bit. */
static int by_annotation(cli_session *s, const gsp_graph *g, gsp_node v, uint32_t *arguments)
{
    gsp_str const text = cli_attribute(g, v, "inplace");
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    uint64_t position = MOST;
    uint32_t token;
    if (text.size == 0) {
        return CLI_EXIT_OK;
    }
    const char *name = cli_copy(s, gsp_node_name(g, v));
    const char *given = cli_copy(s, text);
    token = gsp_str_number(text, &position) && position < MOST
                ? gsp_node_leaf(g, v, (uint32_t)position)
                : GSP_NONE;
    if (token == GSP_NONE || !gsp_node_is_callable(g, v)) {
        return cli_error(s, GSP_STATUS_ARG, "%%%s: inplace=%s names no argument", name, given);
    }
    gsp_node const u = args[token].kind == GSP_ARG_NODE ? args[token].value : GSP_NONE;
    if (u == GSP_NONE || gsp_node_op(g, u) == GSP_OP_GET_ATTR) {
        return cli_error(s, GSP_STATUS_ARG,
            "%%%s: inplace=%s names the %s%s, in whose memory no result may stand", name, given,
            u == GSP_NONE ? "constant " : "parameter %",
            cli_copy(s, u == GSP_NONE ? gsp_module_str(g->module, args[token].value)
                                      : gsp_node_name(g, u)));
    }
    if (gsp_node_bytes(g, v) != gsp_node_bytes(g, u)) {
        return cli_error(s, GSP_STATUS_ARG,
            "%%%s: inplace=%s, but its %" PRIu64 " bytes %s the %" PRIu64 " bytes of %%%s", name,
            given, gsp_node_bytes(g, v),
            gsp_node_bytes(g, v) > gsp_node_bytes(g, u) ? "do not fit into" : "are fewer than",
            gsp_node_bytes(g, u), cli_copy(s, gsp_node_name(g, u)));
    }
    *arguments |= (uint32_t)1u << position;
    return CLI_EXIT_OK;
}

/* What rules allow. */
static int apply_rules(
    cli_session *s, const char *spec, const gsp_graph *graph, cli_in_place *in_place)
{
    rules r;
    gsp_node v;
    memset(&r, 0, sizeof r);
    r.session = s;
    int const code = read_rules(&r, spec);
    in_place->arguments =
        (uint32_t *)cli_alloc(s, (size_t)graph->n_nodes + 1u, sizeof *in_place->arguments);
    in_place->parts =
        (uint32_t *)cli_alloc(s, (size_t)graph->n_nodes + 1u, sizeof *in_place->parts);
    for (v = 0; v < graph->n_nodes && code == CLI_EXIT_OK; v++) {
        if (gsp_node_is_callable(graph, v)) {
            uint32_t const may = by_rules(&r, graph, v, &in_place->parts[v]);
            in_place->arguments[v] = of_equal_shape(graph, v, may);
        }
    }
    return code;
}

void cli_in_place_known(cli_session *s, const gsp_graph *graph, cli_in_place *in_place)
{
    (void)apply_rules(s, NULL, graph, in_place);
}

int cli_in_place_read(
    cli_session *s, const char *spec, const gsp_graph *graph, cli_in_place *in_place)
{
    gsp_node v;
    int code = apply_rules(s, spec, graph, in_place);
    for (v = 0; v < graph->n_nodes && code == CLI_EXIT_OK; v++) {
        code = by_annotation(s, graph, v, &in_place->arguments[v]);
    }
    return code;
}
