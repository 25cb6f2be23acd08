/* A table of layers as a graph: a chain of called modules, with what each line says of its
 * layer. */
#include "input/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MACS_PER_SECOND 1e12
#define MOST_SECONDS    1e5 /* of a layer; a larger number without a header counts MACs */

typedef enum column {
    LAYER,
    PARAMS,
    SECONDS,
    BYTES,
    KV,
    MACS,         /* in place of seconds */
    KV_PER_TOKEN, /* in place of kv */
    N_COLUMNS
} column;

typedef struct row {
    gsp_str fields[N_COLUMNS];
    uint32_t line;
    gsp_str name; /* of its node */
    int is_again; /* an earlier row has this name */
} row;

typedef struct table {
    cli_session *session;
    gsp_str text;
    uint32_t at;
    uint32_t line;
    column order[N_COLUMNS]; /* what each field is */
    uint32_t n_columns;
    row *rows;
    uint32_t n;
    uint32_t given_time; /* SECONDS or MACS */
    uint32_t given_kv;   /* KV or KV_PER_TOKEN */
} table;

/* ---- text ---- */

static gsp_str trimmed(gsp_str text)
{
    while (text.size != 0 && strchr(" \t\r\"", text.data[0]) != NULL) {
        text.data++;
        text.size--;
    }
    while (text.size != 0 && strchr(" \t\r\"", text.data[text.size - 1u]) != NULL) {
        text.size--;
    }
    return text;
}

/* The fields of the next line that has any. Returns how many there are, 0 at the end. */
static uint32_t next_fields(table *t, gsp_str fields[N_COLUMNS])
{
    uint32_t n = 0;
    while (n == 0 && t->at < t->text.size) {
        const char *begin = t->text.data + t->at;
        uint32_t const rest = t->text.size - t->at;
        const char *newline = (const char *)memchr(begin, '\n', rest);
        gsp_str line = {begin, newline != NULL ? (uint32_t)(newline - begin) : rest};
        t->line++;
        t->at += line.size + 1u;
        line = trimmed(line);
        while (line.size != 0 && line.data[0] != '#') {
            const char *comma = (const char *)memchr(line.data, ',', line.size);
            gsp_str field = line;
            field.size = comma != NULL ? (uint32_t)(comma - line.data) : line.size;
            if (n < N_COLUMNS) {
                fields[n] = trimmed(field);
            }
            n++;
            if (comma == NULL) {
                break;
            }
            line.data += field.size + 1u;
            line.size -= field.size + 1u;
        }
    }
    return n;
}

static int wrong(const table *t, uint32_t line, gsp_str field, const char *what)
{
    cli_buffer shown;
    cli_buffer_init(&shown, t->session);
    cli_put_clipped(&shown, field, 40u);
    cli_put(&shown, "", 1u);
    return cli_error(t->session, GSP_STATUS_PARSE, "%s:%" PRIu32 ": expected %s, got '%s'",
        cli_shown(t->session, t->session->path), line, what, shown.data);
}

/* ---- columns ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int begins(gsp_str text, const char *word)
{
    uint32_t i = 0;
    while (i < text.size && word[i] != '\0' && lower(text.data[i]) == word[i]) {
        i++;
    }
    return word[i] == '\0';
}

/* What a word of the header names; N_COLUMNS: nothing that is known. */
static column column_of(gsp_str word)
{
    static const struct {
        const char *word;
        column is;
    } words[] = {{"layer", LAYER}, {"name", LAYER}, {"param", PARAMS}, {"weight", PARAMS},
        {"second", SECONDS}, {"time", SECONDS}, {"mac", MACS}, {"activation", BYTES},
        {"bytes", BYTES}, {"output", BYTES}, {"kv_per_token", KV_PER_TOKEN}, {"kv", KV}};
    for (size_t i = 0; i < CLI_COUNT(words); i++) {
        if (begins(word, words[i].word)) {
            return words[i].is;
        }
    }
    return N_COLUMNS;
}

/* The header; without one, the columns stand in their order. */
static int read_columns(table *t)
{
    static const column usual[] = {LAYER, PARAMS, SECONDS, BYTES, KV};
    table const before = *t;
    gsp_str fields[N_COLUMNS];
    uint64_t ignored;
    uint32_t seen = 0;
    uint32_t const n = next_fields(t, fields);
    memcpy(t->order, usual, sizeof usual);
    t->n_columns = CLI_COUNT(usual);
    t->given_time = (uint32_t)N_COLUMNS;
    t->given_kv = (uint32_t)KV;
    if (n < 2u || cli_bytes_read(fields[1], &ignored)) {
        t->at = before.at;
        t->line = before.line;
        return CLI_EXIT_OK;
    }
    for (uint32_t i = 0; i < n && i < N_COLUMNS; i++) {
        t->order[i] = column_of(fields[i]);
        if (t->order[i] == N_COLUMNS || (seen & (1u << t->order[i])) != 0) {
            return wrong(t, t->line, fields[i],
                "each of layer, params, seconds or macs, activation and kv once");
        }
        seen |= 1u << t->order[i];
        t->given_kv = t->order[i] == KV_PER_TOKEN ? (uint32_t)KV_PER_TOKEN : t->given_kv;
        t->given_time =
            t->order[i] == SECONDS || t->order[i] == MACS ? (uint32_t)t->order[i] : t->given_time;
    }
    t->n_columns = n;
    if (n > CLI_COUNT(usual) || (seen & (1u << LAYER)) == 0 ||
        t->given_time == (uint32_t)N_COLUMNS) {
        return wrong(t, t->line, fields[0], "layer, and seconds or macs, among the columns");
    }
    return CLI_EXIT_OK;
}

/* ---- rows ---- */

static int check_row(table *t, const row *r)
{
    static const column sizes[] = {PARAMS, BYTES, KV};
    gsp_str const time = r->fields[SECONDS];
    double seconds = 0.0;
    uint64_t ignored;
    for (uint32_t i = 0; i < CLI_COUNT(sizes); i++) {
        gsp_str const field = r->fields[sizes[i]];
        if (field.size != 0 && !cli_bytes_read(field, &ignored)) {
            return wrong(t, r->line, field, "bytes, such as 65536, 32MiB or 1e9");
        }
    }
    if (!gsp_str_decimal(time, &seconds) || !(seconds >= 0.0) || seconds > 1e24) {
        return wrong(t, r->line, time, "seconds or MACs");
    }
    if (t->given_time == (uint32_t)SECONDS && seconds > 1e9) {
        return wrong(t, r->line, time, "seconds up to 10^9");
    }
    return CLI_EXIT_OK;
}

/* Where a column stands in a row. */
static column place_of(column c)
{
    return c == MACS ? SECONDS : c == KV_PER_TOKEN ? KV : c;
}

static int read_rows(table *t)
{
    gsp_str fields[N_COLUMNS];
    uint32_t room = 0;
    double most = 0.0;
    int code = read_columns(t);
    uint32_t n = code == CLI_EXIT_OK ? next_fields(t, fields) : 0u;
    for (; n != 0 && code == CLI_EXIT_OK; n = next_fields(t, fields)) {
        row *r;
        double seconds = 0.0;
        if (n > t->n_columns || n < 3u) {
            return wrong(t, t->line, fields[0],
                "layer, params, seconds or MACs, activation bytes and kv bytes, with commas");
        }
        if (t->n == room) {
            room = room != 0 ? 2u * room : 64u;
            t->rows = (row *)cli_grow(t->session, t->rows, room * sizeof *t->rows);
        }
        r = &t->rows[t->n++];
        memset(r, 0, sizeof *r);
        r->line = t->line;
        for (uint32_t i = 0; i < n; i++) {
            r->fields[place_of(t->order[i])] = fields[i];
        }
        code = check_row(t, r);
        (void)gsp_str_decimal(r->fields[SECONDS], &seconds);
        most = seconds > most ? seconds : most;
    }
    if (t->given_time == (uint32_t)N_COLUMNS) {
        t->given_time = (uint32_t)(most > MOST_SECONDS ? MACS : SECONDS);
    }
    return code;
}

/* ---- the graph ---- */

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The name of a node; dots stay in targets. */
static gsp_str name_of(const table *t, const row *r, int dots)
{
    gsp_str const given = r->fields[LAYER];
    cli_buffer out;
    gsp_str name;
    cli_buffer_init(&out, t->session);
    if (given.size == 0 || is_digit(given.data[0])) {
        cli_puts(&out, "layer_");
    }
    for (uint32_t i = 0; i < given.size; i++) {
        char const c = given.data[i];
        int const is_letter = lower(c) >= 'a' && lower(c) <= 'z';
        char const kept = is_letter || is_digit(c) || (dots && c == '.') ? c : '_';
        cli_put(&out, &kept, 1u);
    }
    if (r->is_again) {
        cli_printf(&out, "_row%" PRIu32, r->line);
    }
    name.data = out.data;
    name.size = (uint32_t)out.size;
    return name;
}

static int by_name(const void *a, const void *b)
{
    const row *left = *(const row *const *)a;
    const row *right = *(const row *const *)b;
    uint32_t const n = left->name.size < right->name.size ? left->name.size : right->name.size;
    int order = memcmp(left->name.data, right->name.data, n);
    order = order != 0
                ? order
                : (left->name.size > right->name.size) - (left->name.size < right->name.size);
    return order != 0 ? order : (left > right) - (left < right);
}

/* Names that are equal get the number of their row, but for the first. */
static void name_rows(table *t)
{
    row **sorted = (row **)cli_alloc(t->session, t->n, sizeof *sorted);
    for (uint32_t i = 0; i < t->n; i++) {
        sorted[i] = &t->rows[i];
        t->rows[i].name = name_of(t, &t->rows[i], 0);
    }
    qsort(sorted, t->n, sizeof *sorted, by_name);
    for (uint32_t i = t->n; i-- > 1u;) {
        if (gsp_str_equal(sorted[i]->name, sorted[i - 1u]->name)) {
            sorted[i]->is_again = 1;
            sorted[i]->name = name_of(t, sorted[i], 0);
        }
    }
    cli_release(t->session, sorted);
}

static void put_row(const table *t, cli_buffer *out, uint32_t i)
{
    const row *r = &t->rows[i];
    uint64_t params = 0;
    uint64_t bytes = 0;
    uint64_t kv = 0;
    double seconds = 0.0;
    (void)cli_bytes_read(r->fields[PARAMS], &params);
    (void)cli_bytes_read(r->fields[BYTES], &bytes);
    (void)cli_bytes_read(r->fields[KV], &kv);
    (void)gsp_str_decimal(r->fields[SECONDS], &seconds);
    cli_puts(out, "    %");
    cli_put_text(out, r->name);
    cli_puts(out, " : [num_users=1] = call_module[target=");
    cli_put_text(out, name_of(t, r, 1));
    cli_puts(out, "](args = (%");
    cli_put_text(out, i != 0 ? t->rows[i - 1u].name : gsp_str_of("table_input"));
    cli_puts(out, ",), kwargs = {})  # ");
    if (bytes != 0) {
        cli_printf(out, "u8[%" PRIu64 "]", bytes);
    } else {
        cli_puts(out, "int");
    }
    cli_printf(out, " compute=%.17g params=%" PRIu64,
        t->given_time == (uint32_t)MACS ? seconds / MACS_PER_SECOND : seconds, params);
    if (r->fields[KV].size != 0) {
        cli_printf(out, " kv%s=%" PRIu64, t->given_kv == (uint32_t)KV ? "" : "_per_token", kv);
    }
    cli_puts(out, "\n");
}

static int load(cli_session *s)
{
    table t;
    cli_buffer out;
    size_t size = 0;
    char *data = NULL;
    int code;
    cli_buffer_init(&out, s);
    if (cli_is_tensors(s, s->path)) {
        code = cli_tensors_table(s, s->path, &out);
        data = out.data;
        size = out.size;
    } else {
        code = cli_file_read(s, s->path, &data, &size);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    memset(&t, 0, sizeof t);
    t.session = s;
    t.text.data = data;
    t.text.size = (uint32_t)size;
    if (size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", s->path);
    }
    code = read_rows(&t);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (t.n == 0) {
        return cli_error(s, GSP_STATUS_PARSE, "%s: the table has no layers", cli_shown(s, s->path));
    }
    name_rows(&t);
    cli_buffer_init(&out, s);
    cli_puts(&out, "graph():\n    %table_input : [num_users=1] = "
                   "placeholder[target=table_input]  # int\n");
    for (uint32_t i = 0; i < t.n; i++) {
        put_row(&t, &out, i);
    }
    cli_puts(&out, "    return ");
    cli_put_text(&out, t.rows[t.n - 1u].name);
    cli_puts(&out, "\n");
    s->format = &cli_text_format;
    s->text = out.data;
    s->text_size = out.size;
    return cli_text_take(s);
}

const cli_format cli_table_format = {
    NULL,
    ".fx",
    load,
    cli_text_part,
    NULL,
    NULL,
    NULL,
    0,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
};
