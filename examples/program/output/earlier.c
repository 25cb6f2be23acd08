/* Parts of an earlier run in the directory of --emit. Its manifest.json lists them; those that the
 * new run does not write again are removed, and nothing else. */
#include "output/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_TOLD 3u

/* ---- the list ---- */

/* A name without a directory, for any source of the manifest. */
static int is_plain(gsp_str name)
{
    uint32_t i;
    for (i = 0; i < name.size; i++) {
        if (strchr("/\\:\"", name.data[i]) != NULL || (unsigned char)name.data[i] < 0x20u) {
            return 0;
        }
    }
    return name.size != 0 && name.data[0] != '.';
}

static void push(cli_session *s, cli_earlier *earlier, gsp_str name)
{
    if ((earlier->n & (earlier->n - 1u)) == 0) { /* room is the next power of two */
        earlier->names = (gsp_str *)cli_grow(
            s, earlier->names, (earlier->n * (size_t)2 + 1u) * sizeof *earlier->names);
    }
    earlier->names[earlier->n++] = name;
}

const char *cli_stage(uint32_t number)
{
    return number == 0 ? ".graphsplit-0" : ".graphsplit-1";
}

static int refuse_input(cli_session *s, const char *path)
{
    const char *input = cli_is_taken(s, path);
    return input == NULL ? CLI_EXIT_OK
                         : cli_error(s, GSP_STATUS_ARG,
                               "%s is %s and was written by an earlier run; give --emit "
                               "another directory",
                               path, input);
}

/* A file in a stage may exist outside of it, too. */
static void add(cli_session *s, cli_earlier *earlier, gsp_str name, int stands)
{
    gsp_str rest = name;
    uint32_t i;
    for (i = 0; i < 2u; i++) {
        uint32_t const size = (uint32_t)strlen(cli_stage(i));
        if (name.size > size && name.data[size] == '/' &&
            memcmp(name.data, cli_stage(i), size) == 0) {
            rest.data = name.data + size + 1u;
            rest.size = name.size - size - 1u;
            earlier->stands[i] |= (uint8_t)stands;
        }
    }
    if (is_plain(rest)) {
        push(s, earlier, rest);
        if (rest.size != name.size) {
            push(s, earlier, name);
        }
    }
}

/* The state of the manifest parser: open containers, the key at the top level and the key before.
 * */
typedef struct place {
    gsp_str top;
    gsp_str key;
    uint32_t depth;
    int has_pass;
    int has_parts;
} place;

static int is_word(gsp_str text, const char *word)
{
    return gsp_str_equal(text, gsp_str_of(word));
}

/* A string, which is a key if a colon follows. */
static void take_string(cli_session *s, cli_earlier *earlier, place *p, gsp_str text, int is_key)
{
    if (is_key) {
        p->key = text;
        p->top = p->depth == 1u ? text : p->top;
        p->has_pass |= p->depth == 1u && is_word(text, "pass");
        p->has_parts |= p->depth == 1u && is_word(text, "pieces");
    } else if ((p->depth == 2u && is_word(p->top, "earlier")) ||
               (p->depth == 1u && (is_word(p->top, "whole") || is_word(p->top, "whole_data"))) ||
               (p->depth == 3u && is_word(p->top, "pieces") &&
                   (is_word(p->key, "file") || is_word(p->key, "data") ||
                       is_word(p->key, "graph") || is_word(p->key, "model")))) {
        add(s, earlier, text, p->depth != 2u);
    }
}

/* The end of the string after a quotation mark; the end of the text if it is not closed. */
static gsp_str string_at(const char *at, const char *end)
{
    gsp_str text = {at, 0};
    while (at < end && *at != '"') {
        at += *at == '\\' && end - at > 1 ? 2 : 1;
    }
    text.size = (uint32_t)(at - text.data);
    return text;
}

/* 0 if the text is no manifest. */
static int read_list(cli_session *s, const char *at, const char *end, cli_earlier *earlier)
{
    place p;
    memset(&p, 0, sizeof p);
    for (; at < end; at++) {
        if (*at == '"') {
            gsp_str text = string_at(at + 1, end);
            const char *next = text.data + text.size + (text.data + text.size < end);
            at = next - 1;
            next += strspn(next, " \t\r\n");
            take_string(s, earlier, &p, text, *next == ':');
        } else if (*at == '{' || *at == '[') {
            p.key = gsp_str_of(NULL);
            p.depth++;
        } else if (*at == '}' || *at == ']') {
            if (p.depth-- == 0) {
                return 0;
            }
        }
    }
    return p.depth == 0 && p.has_pass && p.has_parts;
}

/* ---- files ---- */

static char *path_of(cli_session *s, const char *dir, gsp_str name)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    cli_printf(&b, "%s/", dir);
    cli_put_text(&b, name);
    cli_put(&b, "", 1u);
    return b.data;
}

int cli_stage_check(cli_session *s, const char *dir, uint32_t number)
{
    const char *stage = path_of(s, dir, gsp_str_of(cli_stage(number)));
    int code = CLI_EXIT_OK;
    size_t i;
    for (i = 0; i < s->n_taken && code == CLI_EXIT_OK; i++) {
        const char *path = s->taken[i].path;
        const char *slash = strrchr(path, '/');
        code = refuse_input(s, path_of(s, stage, gsp_str_of(slash != NULL ? slash + 1 : path)));
    }
    return code;
}

int cli_earlier_read(cli_session *s, const char *dir, const char *manifest, cli_earlier *earlier)
{
    char *data = NULL;
    size_t size = 0;
    uint32_t i;
    int code;
    memset(earlier, 0, sizeof *earlier);
    earlier->is_there = cli_is_file(manifest);
    if (!earlier->is_there) {
        return CLI_EXIT_OK;
    }
    code = cli_binary_read(s, manifest, &data, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (size > UINT32_MAX || !read_list(s, data, data + size, earlier)) {
        return cli_error(s, GSP_STATUS_ARG,
            "%s is not a manifest of --emit and is not overwritten; give --emit another "
            "directory, or remove it",
            manifest);
    }
    for (i = 0; i < earlier->n && code == CLI_EXIT_OK; i++) {
        code = refuse_input(s, path_of(s, dir, earlier->names[i]));
    }
    return code;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int cli_fill(cli_session *s, const cli_buffer *content, cli_buffer *whole)
{
    *whole = *content;
    return s->format->fill != NULL ? s->format->fill(s, content, whole) : CLI_EXIT_OK;
}

int cli_has_data(const cli_session *s, const cli_part *part)
{
    return s->format->has_data != NULL && s->format->has_data(part);
}

void cli_earlier_remove(cli_session *s, const char *dir, const cli_earlier *earlier,
    const char *const *files, size_t n_files)
{
    char **folded = (char **)cli_alloc(s, n_files + 1u, sizeof *folded);
    cli_buffer names;
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < n_files; i++) {
        folded[i] = cli_file_folded(s, gsp_str_of(files[i]));
    }
    qsort(folded, n_files, sizeof *folded, compare);
    cli_buffer_init(&names, s);
    cli_printf(&names, "%s: %s: removed what an earlier run wrote: ", s->front->program,
        cli_shown(s, dir));
    for (i = 0; i < earlier->n; i++) { /* a stage is removed as a whole */
        const char *path = path_of(s, dir, earlier->names[i]);
        const char *name = cli_file_folded(s, earlier->names[i]);
        if (strchr(name, '/') != NULL ||
            bsearch(&name, folded, n_files, sizeof *folded, compare) != NULL ||
            !cli_is_file(path)) {
            continue;
        }
        cli_remove_file(path);
        if (!cli_is_file(path) && n++ < NAMES_TOLD) {
            cli_puts(&names, n > 1u ? ", " : "");
            cli_put_clipped(&names, earlier->names[i], 60u);
        }
    }
    if (n != 0) {
        if (n > NAMES_TOLD) {
            cli_printf(&names, " and %" PRIu32 " more", n - NAMES_TOLD);
        }
        cli_puts(&names, "\n");
        cli_progress_end(s);
        cli_tell(&names);
    }
}
