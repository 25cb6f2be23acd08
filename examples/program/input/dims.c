/* Dimensions that are no numbers: --dim NAME=N sets them, and a line tells those that are left. */
#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- dimensions of inputs that are no numbers ---- */

typedef struct open_list {
    cli_session *s;
    const char **names;
    size_t n;
} open_list;

static void add_open(open_list *list, gsp_str name)
{
    size_t i;
    for (i = 0; i < list->n; i++) {
        if (gsp_str_equal(gsp_str_of(list->names[i]), name)) {
            return;
        }
    }
    list->names =
        (const char **)cli_grow(list->s, (void *)list->names, (list->n + 1u) * sizeof *list->names);
    list->names[list->n++] = cli_copy(list->s, name);
}

/* "INPUT:AXIS" */
static gsp_str place_of(cli_session *s, gsp_str input, uint32_t axis)
{
    cli_buffer b;
    gsp_str name;
    cli_buffer_init(&b, s);
    cli_put_text(&b, input);
    cli_printf(&b, ":%" PRIu32, axis);
    name.data = b.data;
    name.size = (uint32_t)b.size;
    return name;
}

static void add_of_type(open_list *list, gsp_str input, gsp_str type)
{
    uint32_t at = 0;
    uint32_t axis = 0;
    uint64_t number;
    gsp_str dtype;
    gsp_str dims;
    while (gsp_type_next(type, &at, &dtype, &dims)) {
        uint32_t i = 0;
        gsp_str dim;
        for (; cli_next_dim(dims, &i, &dim); axis++) {
            if (gsp_str_equal(dim, gsp_str_of("?"))) {
                add_open(list, place_of(list->s, input, axis));
            } else if (!gsp_str_number(dim, &number)) {
                add_open(list, dim);
            }
        }
    }
}

/* As the file of the model spells them, if its reader says that. */
static open_list find_open(cli_session *s)
{
    open_list list = {s, NULL, 0};
    gsp_graph g = gsp_module_graph(&s->module, 0);
    gsp_node v;
    if (s->open_dims != NULL) {
        list.names = s->open_dims;
        list.n = s->n_open_dims;
        return list;
    }
    for (v = 0; v < g.n_nodes; v++) {
        if (gsp_node_op(&g, v) == GSP_OP_PLACEHOLDER) {
            add_of_type(&list, gsp_node_name(&g, v), gsp_node_type(&g, v));
        }
    }
    return list;
}

/* "batch.0, seq": at most `most` of them, each between `before` and `after`. */
static void put_open(cli_buffer *out, const open_list *list, size_t most, const char *before,
    const char *after, const char *comma)
{
    size_t i;
    for (i = 0; i < list->n && i < most; i++) {
        cli_puts(out, i != 0 ? comma : "");
        cli_puts(out, before);
        cli_put_clipped(out, gsp_str_of(list->names[i]), 40u);
        cli_puts(out, after);
    }
}

#ifndef CLI_NO_DIMS /* the page of the browser has no room for them */

static int no_such_dim(cli_session *s, const cli_stated *dim)
{
    open_list list = find_open(s);
    cli_buffer names;
    cli_buffer_init(&names, s);
    put_open(&names, &list, 8u, "", "", ", ");
    return cli_error(s, GSP_STATUS_ARG, "--dim %.*s=%.*s: no input has this dimension; %s%.*s",
        (int)dim->name.size, dim->name.data, (int)dim->value.size, dim->value.data,
        list.n != 0 ? "those of the inputs are " : "all of the inputs are numbers", (int)names.size,
        names.size != 0 ? names.data : "");
}

/* ---- types with the given dimensions ---- */

/* The value of a dimension, with size 0 if none is given. */
static gsp_str value_of(const cli_session *s, gsp_str dim)
{
    gsp_str value = {NULL, 0};
    size_t i;
    for (i = 0; i < s->n_dims; i++) {
        if (gsp_str_equal(s->dims[i].name, dim)) {
            value = s->dims[i].value;
            s->dims[i].used = 1;
        }
    }
    return value;
}

/* `input`: the name of the placeholder of this type, or empty. */
static void put_type(cli_session *s, cli_buffer *out, gsp_str type, gsp_str input)
{
    const char *from = type.data;
    uint32_t at = 0;
    uint32_t axis = 0;
    gsp_str dtype;
    gsp_str dims;
    while (gsp_type_next(type, &at, &dtype, &dims)) {
        uint32_t i = 0;
        gsp_str dim;
        for (; cli_next_dim(dims, &i, &dim); axis++) {
            uint64_t number;
            gsp_str value = value_of(s, dim);
            if (value.size == 0 && input.size != 0 && !gsp_str_number(dim, &number)) {
                value = value_of(s, place_of(s, input, axis));
            }
            if (value.size != 0) {
                cli_put(out, from, (size_t)(dim.data - from));
                cli_put_text(out, value);
                from = dim.data + dim.size;
            }
        }
    }
    cli_put(out, from, type.size - (size_t)(from - type.data));
}

/* INPUT:AXIS of a dimension with a name means all of that name. */
static void name_places(cli_session *s)
{
    gsp_graph g = gsp_module_graph(&s->module, 0);
    gsp_node v;
    for (v = 0; v < g.n_nodes; v++) {
        gsp_str type = gsp_node_type(&g, v);
        uint32_t at = 0;
        uint32_t axis = 0;
        gsp_str dtype;
        gsp_str dims;
        while (
            gsp_node_op(&g, v) == GSP_OP_PLACEHOLDER && gsp_type_next(type, &at, &dtype, &dims)) {
            uint32_t i = 0;
            gsp_str dim;
            for (; cli_next_dim(dims, &i, &dim); axis++) {
                gsp_str place = place_of(s, gsp_node_name(&g, v), axis);
                size_t k;
                for (k = 0; k < s->n_dims && !gsp_str_equal(dim, gsp_str_of("?")); k++) {
                    s->dims[k].name = gsp_str_equal(s->dims[k].name, place) ? dim : s->dims[k].name;
                }
            }
        }
    }
}

/* ---- types that are given ---- */

/* Whether a tensor of one type cannot be of the other. */
static int differs(gsp_str a, gsp_str b)
{
    uint32_t i = 0;
    uint32_t k = 0;
    uint64_t x;
    uint64_t y;
    gsp_str dtype[2];
    gsp_str dims[2];
    gsp_str dim[2];
    int more[2];
    if (!gsp_type_next(a, &i, &dtype[0], &dims[0]) || !gsp_type_next(b, &k, &dtype[1], &dims[1]) ||
        !gsp_str_equal(dtype[0], dtype[1])) {
        return 1;
    }
    i = k = 0;
    do {
        more[0] = cli_next_dim(dims[0], &i, &dim[0]);
        more[1] = cli_next_dim(dims[1], &k, &dim[1]);
        if (more[0] && more[1] && gsp_str_number(dim[0], &x) && gsp_str_number(dim[1], &y) &&
            x != y) {
            return 1;
        }
    } while (more[0] && more[1]);
    return more[0] != more[1];
}

/* The type that --type states of a node, or its own; *code of a contradiction. */
static gsp_str stated_type(cli_session *s, const gsp_graph *g, gsp_node v, int *code)
{
    gsp_str type = gsp_node_type(g, v);
    size_t i;
    for (i = 0; i < s->n_types; i++) {
        cli_stated *t = &s->types[i];
        if (t->used || !gsp_str_equal(t->name, gsp_node_name(g, v))) {
            continue;
        }
        if (type.size != 0 && differs(type, t->value)) {
            *code = cli_error(s, GSP_STATUS_ARG,
                "--type %.*s=%.*s contradicts the model: it is %.*s there", (int)t->name.size,
                t->name.data, (int)t->value.size, t->value.data, (int)type.size, type.data);
        }
        t->used = 1;
        return t->value;
    }
    return type;
}

/* ---- the module anew ---- */

/* The strings of the module, and after them a type for each node that has one. */
static int put_strings(cli_session *s, gsp_module *changed, cli_buffer *chars)
{
    const gsp_module *m = &s->module;
    uint32_t n = m->counts.strings;
    uint32_t *begin = (uint32_t *)cli_alloc(s, (size_t)n + m->counts.nodes + 1u, sizeof *begin);
    uint32_t *type = (uint32_t *)cli_alloc(s, (size_t)m->counts.nodes + 1u, sizeof *type);
    int code = CLI_EXIT_OK;
    uint32_t i;
    for (i = 0; i < n; i++) {
        begin[i] = (uint32_t)chars->size;
        cli_put_text(chars, gsp_module_str(m, i));
    }
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(m, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes && code == CLI_EXIT_OK; v++) {
            gsp_str none = {NULL, 0};
            gsp_str of = stated_type(s, &g, v, &code);
            int is_input = i == 0 && gsp_node_op(&g, v) == GSP_OP_PLACEHOLDER;
            begin[n + g.first + v] = (uint32_t)chars->size;
            type[g.first + v] = of.size != 0 ? n + g.first + v : m->type[g.first + v];
            put_type(s, chars, of, is_input ? gsp_node_name(&g, v) : none);
        }
    }
    begin[n + m->counts.nodes] = (uint32_t)chars->size;
    changed->string_begin = begin;
    changed->type = type;
    changed->counts.strings = changed->n_stored = n + m->counts.nodes;
    changed->chars = chars->data;
    return code;
}

int cli_read_again(cli_session *s, const cli_buffer *text, const char *option)
{
    gsp_counts counts;
    gsp_arena arena;
    gsp_error err;
    gsp_str all;
    gsp_status status = gsp_text_count(text->data, text->size, &counts, &err);
    if (status == GSP_OK) {
        size_t bound = gsp_build_bound(&counts);
        if (bound == SIZE_MAX) {
            return cli_error(s, GSP_STATUS_OVERFLOW, "%s: the graph is too large", option);
        }
        cli_arena(s, &arena, bound);
        status = gsp_text_read(&arena, text->data, text->size, NULL, &s->module, &err);
    }
    all.data = text->data;
    all.size = (uint32_t)text->size;
    return status == GSP_OK ? CLI_EXIT_OK : cli_text_error(s, option, all, &err);
}

/* What is stated must mean something. */
static int check_used(cli_session *s)
{
    int code = CLI_EXIT_OK;
    size_t i;
    for (i = 0; i < s->n_dims && code == CLI_EXIT_OK; i++) {
        code = s->dims[i].used ? code : no_such_dim(s, &s->dims[i]);
        s->dims[i].used = 0; /* another file may follow */
    }
    for (i = 0; i < s->n_types && code == CLI_EXIT_OK; i++) {
        if (!s->types[i].used) {
            code = cli_error(s, GSP_STATUS_ARG, "--type %.*s: no value has this name",
                (int)s->types[i].name.size, s->types[i].name.data);
        }
        s->types[i].used = 0;
    }
    return code;
}

/* The reader has taken all that is stated. */
static int is_done(const cli_session *s)
{
    size_t i;
    for (i = 0; i < s->n_dims; i++) {
        if (!s->dims[i].used || s->dims[i].least != s->dims[i].most) {
            return 0;
        }
    }
    for (i = 0; i < s->n_types; i++) {
        if (!s->types[i].used) {
            return 0;
        }
    }
    return 1;
}

int cli_dims_set(cli_session *s)
{
    gsp_module changed = s->module;
    cli_buffer chars;
    cli_buffer text;
    gsp_error err;
    size_t i;
    int code;
    if (is_done(s)) {
        return check_used(s);
    }
    for (i = 0; i < s->n_dims; i++) {
        if (s->dims[i].least != s->dims[i].most) {
            return cli_usage_error(s, "--dim %.*s=%.*s: only memory takes a range",
                (int)s->dims[i].name.size, s->dims[i].name.data, (int)s->dims[i].value.size,
                s->dims[i].value.data);
        }
    }
    cli_buffer_init(&chars, s);
    cli_buffer_init(&text, s);
    name_places(s);
    code = put_strings(s, &changed, &chars);
    code = code == CLI_EXIT_OK ? check_used(s) : code;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (chars.size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "--dim: the graph is too large");
    }
    if (gsp_text_write(&changed, NULL, cli_sink, &text, &err) != GSP_OK) {
        return cli_error(s, (gsp_status)err.status, "--dim: text cannot express this model");
    }
    return cli_read_again(s, &text, "--dim");
}

void cli_unknown_tell(cli_session *s)
{
    cli_buffer line; /* between newlines */
    uint32_t i = 0;
    while (i < s->module.counts.nodes && s->module.bytes[i] == 0) {
        i++;
    }
    cli_buffer_init(&line, s);
    cli_put_unknown(&line, &s->module);
    if (line.size != 0 && i < s->module.counts.nodes && !s->sizes_unused) {
        cli_progress_end(s);
        fprintf(stderr, "%s: %s: %.*s", s->front->program, cli_shown(s, s->path),
            (int)line.size - 1, line.data + 1);
    }
}
#endif

/* ---- those that are left ---- */

/* Values of a size that is not known, by its kind; *dim is a dimension of one. */
static uint32_t count_sizes(const cli_session *s, cli_size kind, gsp_str *dim)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < s->module.counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(&s->module, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes; v++) {
            gsp_str symbol = {NULL, 0};
            int const is_one = cli_size_of(&g, v, &symbol) == kind;
            n += is_one ? 1u : 0u;
            *dim = is_one && symbol.size != 0 ? symbol : *dim;
        }
    }
    return n;
}

static void put_dims(cli_session *s, cli_buffer *line, uint32_t n, gsp_str dim)
{
    open_list list = find_open(s);
    if (list.n == 0) {
        add_open(&list, dim); /* it follows from the contents of some value */
    }
    cli_printf(line, "%" PRIu32 " value%s of unknown dimensions such as ", n, cli_plural(n));
    put_open(line, &list, 4u, "", "", ", ");
    cli_puts(line, ", often a batch, which count as 1, so that figures are lower bounds (>=); ");
    put_open(line, &list, 4u, "--dim ", "=1", " ");
    cli_printf(line, " or another number sets %s", list.n == 1u ? "it" : "them");
}

const char *cli_dims_text(cli_session *s)
{
    open_list const list = find_open(s);
    cli_buffer out;
    cli_buffer_init(&out, s);
    if (list.n != 0) {
        cli_puts(&out, "; ");
        put_open(&out, &list, 4u, "--dim ", "=1", " ");
        cli_puts(&out, list.n == 1u ? ", or another number, sets them" : ", or others, set them");
    }
    cli_put(&out, "", 1u);
    return out.data;
}

void cli_dims_tell(cli_session *s)
{
    gsp_str dim = {NULL, 0};
    uint32_t const least = count_sizes(s, CLI_SIZE_LEAST, &dim);
    uint32_t const none = count_sizes(s, CLI_SIZE_UNKNOWN, &dim);
    cli_buffer line;
    if (s->sizes_unused || s->quiet || (least == 0 && s->shapeless == NULL)) {
        return; /* where no value has a shape, the output says so */
    }
    cli_buffer_init(&line, s);
    cli_printf(&line, "%s: %s: ", s->front->program, cli_shown(s, s->path));
    if (least != 0) {
        put_dims(s, &line, least, dim);
    }
    if (s->shapeless != NULL) {
        cli_printf(&line, "%sno shape is known, so it counts as 0 bytes: %s",
            least != 0 ? "; " : "", s->shapeless);
    } else if (none != 0) {
        cli_printf(
            &line, "; %" PRIu32 " without shape count%s as 0 B", none, none == 1u ? "s" : "");
    }
    cli_puts(&line, "\n");
    cli_progress_end(s);
    cli_tell(&line);
}
