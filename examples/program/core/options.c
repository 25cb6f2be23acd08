/* Options: one table says how they are read and what --help prints. */
#include "core/core.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CLI_MOST_RUNS 1000000u

static const cli_option common_options[] = {
    {"--porcelain", NULL, CLI_FLAG, offsetof(cli_common, porcelain), 0, 0,
        "print for programs: one fact per line, in a stable form"},
    {"--json", NULL, CLI_FLAG, offsetof(cli_common, json), 0, 0,
        "print the same facts as one JSON document"},
    {"--all", NULL, CLI_FLAG, offsetof(cli_common, all), 0, 0,
        "shorten neither long tables nor the names in them"},
    {"--color", "auto|always|never", CLI_CHOICE, offsetof(cli_common, colour), 0, 0,
        "use colours; auto: on a terminal, unless NO_COLOR is set"},
    {"--dim", "NAME=N", CLI_LIST, 0, 0, 0,
        "take N for a dimension that is no number, such as s0 in f32[s0, 8], or INPUT:AXIS; "
        "without it, it counts as 1; shapes are inferred from it; memory takes a range: 1..20"},
    {"--type", "NAME=TYPE", CLI_LIST, 0, 0, 0,
        "the type of a value that nothing tells: y=f32[1,3]"},
    {"--graph", "NAME", CLI_STRING, offsetof(cli_common, graph), 0, 0,
        "take this graph of a module, with those that it runs, or the subgraph of this signature; "
        "parts are then written as text"},
    {"--max-nodes", "N", CLI_NUMBER, offsetof(cli_common, max_nodes), 1, UINT32_MAX - 1u,
        "read up to N nodes of a graph format whose file only says how many there are; without it, "
        "64 and 16 per byte of the file"},
    {"--writes", "names|none", CLI_CHOICE, offsetof(cli_common, writes), 0, 0,
        "where a graph text lacks mutates=, names tell what a call writes (mul_, setitem, iadd, "
        "inplace=True, out=), which read shows; none: without mutates= nothing is written"},
    {"--time", "N", CLI_NUMBER, offsetof(cli_common, time), 1, CLI_MOST_RUNS,
        "run the pass N times and print a line of figures on standard error: median and minimum in "
        "ns, the memory bound of the pass, and the bytes that it touched; reading and printing are "
        "not measured"},
    {"--time-json", "FILE", CLI_STRING, offsetof(cli_common, time_json), 0, 0,
        "write what --time measures as google/benchmark does: at most 25 of the runs, median, "
        "quartiles, 95 % confidence interval and outliers; its compare.py compares two such files"},
    {"--arena", "BYTES", CLI_BYTES, offsetof(cli_common, arena), 0, UINT64_MAX - 1u,
        "give the pass exactly this much memory (compare bound= of --time); graphs and output have "
        "memory of their own"},
    {"--no-sync", NULL, CLI_FLAG, offsetof(cli_common, no_sync), 0, 0,
        "do not wait until the disk has the files that are written; then a power loss may leave "
        "neither the old nor the new ones"},
    {"--help", NULL, CLI_FLAG, offsetof(cli_common, help), 0, 0, "print this help"},
};

/* ---- the tables of the session: the pass's own options, then the common ones ---- */

static const cli_option *option_at(const cli_session *s, size_t i)
{
    size_t own = s->pass != NULL ? s->pass->n_options : 0;
    if (i < own) {
        return &s->pass->options[i];
    }
    return i - own < CLI_COUNT(common_options) ? &common_options[i - own] : NULL;
}

static int is_common(const cli_option *option)
{
    size_t i;
    for (i = 0; i < CLI_COUNT(common_options); i++) {
        if (option == &common_options[i]) {
            return 1;
        }
    }
    return 0;
}

static const cli_option *find_option(const cli_session *s, gsp_str name)
{
    const cli_option *option;
    size_t i;
    for (i = 0; (option = option_at(s, i)) != NULL; i++) {
        if (gsp_str_equal(gsp_str_of(option->name), name)) {
            return option;
        }
    }
    return NULL;
}

/* What other programs call the place of their output. */
static int is_output(gsp_str name)
{
    return gsp_str_equal(name, gsp_str_of("-o")) || gsp_str_equal(name, gsp_str_of("--out")) ||
           gsp_str_equal(name, gsp_str_of("--output"));
}

/* The first pass that has an option of that name; NULL: none has. */
static const cli_pass *pass_with(const cli_session *s, gsp_str name)
{
    size_t i;
    size_t k;
    for (i = 0; i < s->n_passes; i++) {
        const cli_pass *pass = s->passes[i];
        for (k = 0; k < pass->n_options; k++) {
            if (gsp_str_equal(gsp_str_of(pass->options[k].name), name)) {
                return pass;
            }
        }
    }
    return NULL;
}

static int unknown_option(cli_session *s, gsp_str name)
{
    const cli_pass *other = pass_with(s, name);
    const cli_option *nearest = NULL;
    const cli_option *option;
    uint32_t least = 4;
    size_t i;
    char *copy = cli_copy(s, name);
    if (is_output(name)) {
        nearest = find_option(s, gsp_str_of("--emit"));
        if (nearest == NULL) {
            return cli_usage_error(s, "unknown option %s; for a file write > FILE", copy);
        }
        least = 0;
    }
    for (i = 0; name.size > 2u && (option = option_at(s, i)) != NULL; i++) {
        uint32_t distance = cli_distance(gsp_str_of(option->name), name);
        if (name.size > 3u && strncmp(option->name, copy, name.size) == 0) {
            distance = 0;
        }
        if (distance < least) {
            least = distance;
            nearest = option;
        }
    }
    if (other != NULL && (nearest == NULL || least != 0)) {
        return cli_usage_error(
            s, "unknown option %s; '%s %s' has it", copy, s->front->program, other->name);
    }
    if (nearest != NULL) {
        return cli_usage_error(s, "unknown option %s; did you mean %s?", copy, nearest->name);
    }
    return cli_usage_error(s, "unknown option %s", copy);
}

/* ---- values ---- */

static int read_number(cli_session *s, const cli_option *option, const char *value, uint64_t *out)
{
    uint64_t number;
    if (!gsp_str_number(gsp_str_of(value), &number) || number < option->least ||
        number > option->most) {
        return cli_usage_error(s, "%s expects a number from %" PRIu64 " to %" PRIu64 ", got '%s'",
            option->name, option->least, option->most, value);
    }
    *out = number;
    return CLI_EXIT_OK;
}

/* A number such as 1.5 or 1e9, multiplied by `factor`; with factor 1 (bytes) it must be whole. */
static int read_part(gsp_str text, uint64_t factor, uint64_t *bytes)
{
#ifdef GSP_NO_COST
    (void)text;
    (void)factor;
    (void)bytes;
    return 0;
#else
    double value;
    if (text.size == 0 || strchr("0123456789.", text.data[0]) == NULL ||
        !gsp_str_decimal(text, &value)) {
        return 0;
    }
    value *= (double)factor;
    if (!(value < 18446744073709549568.0)) {
        *bytes = UINT64_MAX;
        return 0;
    }
    *bytes = cli_whole(value);
    return factor > 1u || (double)*bytes >= value;
#endif
}

int cli_bytes_read(gsp_str text, uint64_t *bytes)
{
    static const char units[] = "KMGTPE";
    const char *unit = NULL;
    uint64_t factor = 1;
    if (text.size > 2u && memcmp(text.data + text.size - 2u, "iB", 2u) == 0) {
        unit = (const char *)memchr(units, text.data[text.size - 3u], sizeof units - 1u);
        if (unit == NULL) {
            *bytes = 0;
            return 0;
        }
        text.size -= 2u;
    } else if (text.size > 1u) {
        unit = (const char *)memchr(units, text.data[text.size - 1u], sizeof units - 1u);
    }
    if (unit != NULL) {
        factor <<= 10u * ((uint32_t)(unit - units) + 1u);
        text.size--;
    }
    if (gsp_str_number(text, bytes)) {
        int fits = *bytes <= UINT64_MAX / factor;
        *bytes = fits ? *bytes * factor : UINT64_MAX;
        return fits;
    }
    *bytes = 0;
    return read_part(text, factor, bytes);
}

#ifndef GSP_NO_COST /* the page leaves costs out */
int cli_rate_read(cli_session *s, const char *text, uint32_t *given, double *rate)
{
    uint64_t bytes;
    *given = text != NULL;
    if (text != NULL && cli_bytes_read(gsp_str_of(text), &bytes)) {
        *rate = (double)bytes;
    } else if (text != NULL && !gsp_str_decimal(gsp_str_of(text), rate)) {
        return cli_usage_error(
            s, "--transfer-rate expects a number of bytes per second, got '%s'", text);
    }
    return CLI_EXIT_OK;
}
#endif

const char *cli_bytes_meant(cli_session *s, gsp_str text)
{
    gsp_str unit = text;
    gsp_str iec = gsp_str_of("?iB");
    char *meant = (char *)cli_alloc(s, (size_t)text.size + iec.size + 1u, 1u);
    uint32_t n = 0;
    uint64_t bytes;
    while (n < text.size && strchr("0123456789.", text.data[n]) != NULL) {
        n++;
    }
    if (n == text.size) {
        return NULL;
    }
    unit.data += n;
    unit.size -= n;
    if (cli_distance(unit, iec) > iec.size) {
        return NULL;
    }
    memcpy(meant, text.data, n);
    memcpy(meant + n, iec.data, iec.size);
    meant[n] = (char)(unit.data[0] >= 'a' ? unit.data[0] - 32 : unit.data[0]);
    return cli_bytes_read(gsp_str_of(meant), &bytes) ? meant : NULL;
}

int cli_option_bytes(cli_session *s, const cli_option *option, const char *value, uint64_t *out)
{
    uint64_t number;
    int const is_read = cli_bytes_read(gsp_str_of(value), &number);
    if (!is_read && number != UINT64_MAX) {
        const char *meant = cli_bytes_meant(s, gsp_str_of(value));
        return cli_usage_error(s, "%s expects bytes such as %s, got '%s'", option->name,
            meant != NULL ? meant : "65536, 32MiB, 1.5G or 1e9", value);
    }
    if (!is_read || number < option->least || number > option->most) {
        return cli_usage_error(s, "%s expects bytes from %" PRIu64 " to %" PRIu64 ", got '%s'",
            option->name, option->least, option->most, value);
    }
    *out = number;
    return CLI_EXIT_OK;
}

static int read_choice(cli_session *s, const cli_option *option, const char *value, uint32_t *out)
{
    const char *words = option->value;
    gsp_str const given = gsp_str_of(value);
    uint32_t i;
    for (i = 0; words != NULL; i++) {
        const char *end = strchr(words, '|');
        gsp_str word = gsp_str_of(words);
        word.size = end != NULL ? (uint32_t)(end - words) : word.size;
        if (gsp_str_equal(word, given)) {
            *out = i;
            return CLI_EXIT_OK;
        }
        words = end != NULL ? end + 1 : NULL;
    }
    return cli_usage_error(s, "%s expects %s, got '%s'", option->name, option->value, value);
}

/* NAME=VALUE at the last '='; 0 if there is none. */
static int split_stated(const char *text, cli_stated *out)
{
    const char *equals = text != NULL ? strrchr(text, '=') : NULL;
    memset(out, 0, sizeof *out);
    if (equals == NULL || equals == text || equals[1] == '\0') {
        return 0;
    }
    out->name = gsp_str_of(text);
    out->name.size = (uint32_t)(equals - text);
    out->value = gsp_str_of(equals + 1);
    return 1;
}

/* "8" or "1..20". */
static int read_range(gsp_str text, uint64_t *least, uint64_t *most)
{
    uint32_t i = 0;
    gsp_str end = text;
    while (i + 1u < text.size && (text.data[i] != '.' || text.data[i + 1u] != '.')) {
        i++;
    }
    if (i + 1u < text.size) {
        text.size = i;
        end.data += i + 2u;
        end.size -= i + 2u;
    }
    return gsp_str_number(text, least) && gsp_str_number(end, most) && *least <= *most;
}

static int read_dim(cli_session *s, const char *value)
{
    cli_stated *dim = &s->dims[s->n_dims];
    if (!split_stated(value, dim) || !read_range(dim->value, &dim->least, &dim->most)) {
        return cli_usage_error(s, "--dim expects NAME=N up to 2^64 - 1, such as s0=8, got '%s'",
            value != NULL ? value : "");
    }
    if (dim->least == 0) {
        return cli_usage_error(s,
            "--dim %s: a tensor with a dimension of 0 has no elements; the least is %.*s=1", value,
            (int)dim->name.size, dim->name.data);
    }
    s->n_dims++;
    return CLI_EXIT_OK;
}

/* One tensor. */
static int is_type(gsp_str type)
{
    uint32_t at = 0;
    gsp_str dtype;
    gsp_str dims;
    return memchr(type.data, '-', type.size) == NULL && gsp_type_next(type, &at, &dtype, &dims) &&
           dtype.data == type.data && dtype.size != 0 && at == type.size &&
           type.data[type.size - 1u] == ']';
}

static int read_type(cli_session *s, const char *value)
{
    if (!split_stated(value, &s->types[s->n_types]) || !is_type(s->types[s->n_types].value)) {
        return cli_usage_error(
            s, "--type expects NAME=TYPE such as y=f32[1,3], got '%s'", value != NULL ? value : "");
    }
    s->n_types++;
    return CLI_EXIT_OK;
}

/* The lists that all passes have. */
static int read_stated(cli_session *s, const cli_option *option, const char *value)
{
    return strcmp(option->name, "--dim") == 0 ? read_dim(s, value) : read_type(s, value);
}

static int set_option(cli_session *s, const cli_option *option, const char *value, void *fields)
{
    char *base = is_common(option) ? (char *)&s->common : (char *)fields;
    void *field = base + option->offset;
    s->graph_given |= strcmp(option->name, "--graph") == 0;
    switch (option->kind) {
    case CLI_FLAG:
        *(uint32_t *)field = 1;
        return CLI_EXIT_OK;
    case CLI_NUMBER:
        return read_number(s, option, value, (uint64_t *)field);
    case CLI_BYTES:
        return cli_option_bytes(s, option, value, (uint64_t *)field);
    case CLI_STRING:
        *(const char **)field = value;
        return CLI_EXIT_OK;
    case CLI_CHOICE:
        return read_choice(s, option, value, (uint32_t *)field);
    case CLI_MAYBE:
        ((cli_maybe *)field)->given = 1;
        ((cli_maybe *)field)->value = value;
        return CLI_EXIT_OK;
    case CLI_LIST:
    default:
        if (is_common(option)) {
            return read_stated(s, option, value);
        }
        s->given[s->n_given].option = option;
        s->given[s->n_given++].value = value;
        return CLI_EXIT_OK;
    }
}

/* One option at argv[*i]; its value is after '=' or in the next argument. */
static int read_option(cli_session *s, void *fields, int argc, char **argv, int *i)
{
    const char *equals = strchr(argv[*i], '=');
    gsp_str name = gsp_str_of(argv[*i]);
    const char *value = equals != NULL ? equals + 1 : NULL;
    const cli_option *option;
    if (equals != NULL) {
        name.size = (uint32_t)(equals - argv[*i]);
    }
    option = find_option(s, name);
    if (option == NULL) {
        return unknown_option(s, name);
    }
    if (option->kind == CLI_FLAG && value != NULL) {
        return cli_usage_error(s, "%s expects no value", option->name);
    }
    if (option->kind != CLI_FLAG && option->kind != CLI_MAYBE && value == NULL) {
        if (*i + 1 >= argc) {
            return cli_usage_error(s, "missing %s after %s", option->value, option->name);
        }
        value = argv[++*i];
        s->last_taker = *i + 1 == argc ? option->name : NULL;
    }
    return set_option(s, option, value, fields);
}

int cli_options_read(cli_session *s, void *fields, int argc, char **argv)
{
    int code = CLI_EXIT_OK;
    int only_files = 0;
    int i;
    s->given = (cli_given *)cli_alloc(s, (size_t)argc + 1u, sizeof *s->given);
    s->positional = (const char **)cli_alloc(s, (size_t)argc + 1u, sizeof *s->positional);
    s->dims = (cli_stated *)cli_alloc(s, (size_t)argc + 1u, sizeof *s->dims);
    s->types = (cli_stated *)cli_alloc(s, (size_t)argc + 1u, sizeof *s->types);
    for (i = 0; i < argc && code == CLI_EXIT_OK; i++) {
        if (!only_files && strcmp(argv[i], "--") == 0) {
            only_files = 1;
        } else if (only_files || argv[i][0] != '-' || argv[i][1] == '\0') {
            s->positional[s->n_positional++] = argv[i];
        } else {
            code = read_option(s, fields, argc, argv, &i);
        }
    }
    if (code == CLI_EXIT_OK && s->common.porcelain && s->common.json) {
        return cli_usage_error(s, "--porcelain cannot be combined with --json");
    }
    if (code == CLI_EXIT_OK && s->common.time_json != NULL && s->common.time == 0) {
        return cli_usage_error(s, "--time-json requires --time N");
    }
    return code;
}

/* Colours on terminals only, unless the user requests them. */
int cli_wants_colour(const cli_session *s)
{
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (s->common.colour != 0) {
        return s->common.colour == 1u;
    }
    return cli_is_terminal(1) && (no == NULL || no[0] == '\0') &&
           (term == NULL || strcmp(term, "dumb") != 0);
}

int cli_one_file(cli_session *s)
{
    if (s->n_positional == 0) {
#ifndef CLI_NO_STDIN /* the page of the browser gives one */
        if (s->last_taker != NULL) {
            return cli_usage_error(s, "missing FILE after the value of %s", s->last_taker);
        }
#endif
        return cli_usage_error(s, "missing FILE ('-' is standard input)");
    }
    if (s->n_positional > 1u) {
        return cli_usage_error(
            s, "expected one FILE, got '%s' too", s->positional[s->n_positional - 1u]);
    }
    s->path = s->positional[0];
    return CLI_EXIT_OK;
}

/* ---- help ---- */

#define CLI_HELP_INDENT 28u
#define CLI_HELP_WIDTH  92u

/* Prints a text, broken between words. */
static void put_wrapped(cli_buffer *b, const char *text, size_t column)
{
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        if (column + 1u + word > CLI_HELP_WIDTH) {
            cli_printf(b, "\n%*s", (int)CLI_HELP_INDENT, "");
            column = CLI_HELP_INDENT;
        } else if (column > CLI_HELP_INDENT) {
            cli_puts(b, " ");
            column++;
        }
        cli_put(b, text, word);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    cli_puts(b, "\n");
}

static void put_option(cli_buffer *b, const cli_option *option)
{
    size_t begin = b->size;
    size_t column;
    cli_puts(b, "  ");
    cli_put_style(b, CLI_BOLD);
    cli_puts(b, option->name);
    cli_put_style(b, CLI_PLAIN);
    if (option->value != NULL && option->kind == CLI_MAYBE) {
        cli_printf(b, "[=%s]", option->value);
    } else if (option->value != NULL) {
        cli_printf(b, " %s", option->value);
    }
    column = b->size - begin - (b->colour ? strlen("\033[1m\033[0m") : 0u);
    if (column + 2u > CLI_HELP_INDENT) {
        cli_printf(b, "\n%*s", (int)CLI_HELP_INDENT, "");
    } else {
        cli_printf(b, "%*s", (int)(CLI_HELP_INDENT - column), "");
    }
    put_wrapped(b, option->help, CLI_HELP_INDENT);
}

/* Whether an option of the pass stands for the common one. */
static int has_own(const cli_pass *pass, const char *name)
{
    size_t i = 0;
    while (i < pass->n_options && strcmp(pass->options[i].name, name) != 0) {
        i++;
    }
    return i < pass->n_options;
}

void cli_options_help(cli_session *s, const cli_pass *pass)
{
    cli_buffer *b = &s->out;
    size_t i;
    size_t size = strlen(pass->summary);
    cli_printf(b, "%s %s %s\n\n%s%s\n\n", s->front->program, pass->name, pass->usage, pass->summary,
        pass->summary[size - 1u] == '?' ? "" : ".");
    for (i = 0; i < pass->n_options; i++) {
        put_option(b, &pass->options[i]);
    }
    cli_puts(b, pass->n_options != 0 ? "\n" : "");
    for (i = 0; i < CLI_COUNT(common_options); i++) {
        if (!has_own(pass, common_options[i].name)) {
            put_option(b, &common_options[i]);
        }
    }
    cli_puts(b, "\n"
                "BYTES: a number, which K, M, G, T, P or E (with or without iB) multiplies by a "
                "power of 1024:\n"
                "  65536, 32MiB, 1.5G, 1e9.\n");
    if (pass->about[0] != '\0') {
        cli_printf(b, "\n%s", pass->about);
    }
    cli_puts(b, "\nExamples:\n");
    for (i = 0; i < CLI_COUNT(pass->examples); i++) {
        cli_printf(b, "  %s %s %s\n", s->front->program, pass->name, pass->examples[i]);
    }
}
