/* Reading files and lists, and which format a file is. */
#include "core/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CLI_CHUNK ((size_t)1 << 16)

/* A text that the library will refuse need not be read to its end: NUL bytes, 4 GiB. */
static int is_hopeless(const char *piece, size_t got, size_t size)
{
    return memchr(piece, '\0', got) != NULL || size > (size_t)UINT32_MAX;
}

static int read_stream(cli_session *s, FILE *file, int is_text, char **data, size_t *size)
{
    size_t room = CLI_CHUNK * 4u;
    size_t got;
    *data = (char *)cli_grow(s, NULL, room);
    *size = 0;
    do {
        if (room - *size <= CLI_CHUNK) {
            room = room <= SIZE_MAX / 2u ? room * 2u : SIZE_MAX;
            *data = (char *)cli_grow(s, *data, room);
        }
        errno = 0;
        got = fread(*data + *size, 1u, room - *size - 1u, file);
        *size += got;
        cli_progress(s, "reading");
    } while (got != 0 && !(is_text && is_hopeless(*data + *size - got, got, *size)));
    (*data)[*size] = '\0';
    return ferror(file);
}

int cli_is_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

static int read_file(cli_session *s, const char *path, int is_text, char **data, size_t *size)
{
#ifdef CLI_NO_STDIN /* the page has files alone */
    int const is_stdin = 0;
#else
    int const is_stdin = strcmp(path, "-") == 0;
#endif
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    int failed;
    int why;
    if (file == NULL) {
        return cli_usage_error(s, "cannot read %s: %s", path, strerror(errno));
    }
    if (is_stdin && s->stdin_is_taken) {
        return cli_usage_error(s, "standard input can be read once only; give a file instead");
    }
    s->stdin_is_taken |= is_stdin;
    failed = read_stream(s, file, is_text, data, size);
    why = errno;
    if (!is_stdin) {
        fclose(file);
    }
    if (failed) {
        return cli_usage_error(s, "cannot read %s: %s", path, strerror(why));
    }
    return CLI_EXIT_OK;
}

int cli_file_read(cli_session *s, const char *path, char **data, size_t *size)
{
    return read_file(s, path, 1, data, size);
}

int cli_binary_read(cli_session *s, const char *path, char **data, size_t *size)
{
    return read_file(s, path, 0, data, size);
}

static int has_ending(const char *path, const char *ending)
{
    size_t size = strlen(path);
    size_t n = strlen(ending);
    return size > n && strcmp(path + size - n, ending) == 0;
}

void cli_choose_format(cli_session *s)
{
    size_t i = 0;
    while (i + 1u < s->front->n_formats && s->front->formats[i]->ending != NULL &&
           !has_ending(s->path, s->front->formats[i]->ending)) {
        i++;
    }
    s->format = s->front->formats[i];
}

int cli_load(cli_session *s)
{
    cli_choose_format(s);
    return s->format->load(s);
}

int cli_load_main(cli_session *s, gsp_graph *graph, gsp_counts *counts)
{
    int code = cli_load(s);
    if (code == CLI_EXIT_OK) {
        s->out.colour = cli_wants_colour(s);
        *graph = gsp_module_graph(&s->module, 0);
        *counts = gsp_graph_counts(graph);
    }
    return code;
}

int cli_list_spec(cli_session *s, const char *spec, gsp_str *text, const char **path)
{
    char *data = NULL;
    size_t size = 0;
    int code;
    *path = NULL;
    if (spec[0] != '@') {
        *text = gsp_str_of(spec);
        return CLI_EXIT_OK;
    }
    code = cli_file_read(s, spec + 1, &data, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", spec + 1);
    }
    *path = spec + 1;
    text->data = data;
    text->size = (uint32_t)size;
    return CLI_EXIT_OK;
}

gsp_str cli_list_next(gsp_str list, uint32_t *at)
{
    gsp_str name = {NULL, 0};
    while (*at < list.size && strchr(" \t\r\n,#", list.data[*at]) != NULL) {
        if (list.data[*at] == '#') {
            while (*at < list.size && list.data[*at] != '\n') {
                ++*at;
            }
        } else {
            ++*at;
        }
    }
    name.data = list.data + *at;
    while (*at < list.size && strchr(" \t\r\n,", list.data[*at]) == NULL) {
        ++*at;
        name.size++;
    }
    return name;
}
