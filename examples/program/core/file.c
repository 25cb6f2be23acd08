/* Whole files: reading, and writing. */
#include "core/core.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLI_CHUNK   ((size_t)1 << 16)
#define MOST_BESIDE 1000u /* names to try for a new file */

/* The library refuses a text with NUL bytes or of 4 GiB, so reading can stop early. */
static int is_no_text(const char *chunk, size_t got, size_t size)
{
    return memchr(chunk, '\0', got) != NULL || size > (size_t)UINT32_MAX;
}

static int read_stream(
    cli_session *s, FILE *file, int is_text, size_t least, char **data, size_t *size)
{
    size_t room = CLI_CHUNK * 4u;
    size_t got;
    *data = (char *)cli_grow(s, NULL, room);
    *size = file == stdin ? s->n_ahead : 0u;
    memcpy(*data, s->ahead, *size);
    do {
        if (room - *size <= CLI_CHUNK) {
            room = room <= SIZE_MAX / 2u ? room * 2u : SIZE_MAX;
            *data = (char *)cli_grow(s, *data, room);
        }
        errno = 0;
        got = fread(*data + *size, 1u, room - *size - 1u, file);
        *size += got;
        cli_progress(s, "reading");
    } while (
        got != 0 && *size < least && !(is_text && is_no_text(*data + *size - got, got, *size)));
    (*data)[*size] = '\0';
    return ferror(file);
}

static void take(cli_session *s, const char *path, const char *as)
{
    if ((s->n_taken & (s->n_taken - 1u)) == 0) { /* room is the next power of two */
        s->taken = (cli_taken *)cli_grow(s, s->taken, (s->n_taken * 2u + 1u) * sizeof *s->taken);
    }
    s->taken[s->n_taken].path = cli_copy(s, gsp_str_of(path));
    s->taken[s->n_taken].as = as;
    s->taken[s->n_taken++].is_new = 0;
}

void cli_add_input(cli_session *s, const char *path)
{
    take(s, path, "an input");
}

void cli_add_written(cli_session *s, const char *path)
{
    take(s, path, "written by another option");
}

const char *cli_is_taken(const cli_session *s, const char *path)
{
    size_t i = 0;
    if (s->path != NULL && cli_is_same_file(s->path, path)) {
        return "the input";
    }
    while (i < s->n_taken && !cli_is_same_file(s->taken[i].path, path)) {
        i++;
    }
    return i < s->n_taken ? s->taken[i].as : NULL;
}

int cli_is_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

static int read_file(
    cli_session *s, const char *path, int is_text, size_t least, char **data, size_t *size)
{
#ifdef CLI_NO_STDIN /* the page of the browser has only files */
    int const is_stdin = 0;
#else
    int const is_stdin = strcmp(path, "-") == 0;
#endif
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    int failed;
    int why;
    if (file == NULL) {
        return cli_file_error(s, "cannot read %s: %s", path, strerror(errno));
    }
    if (is_stdin && s->stdin_is_taken) {
        return cli_usage_error(s, "standard input can be read only once; give a file instead");
    }
    s->stdin_is_taken |= is_stdin;
    failed = read_stream(s, file, is_text, least, data, size);
    why = errno;
    if (!is_stdin) {
        fclose(file);
    }
    if (failed) {
        return cli_file_error(s, "cannot read %s: %s", path, strerror(why));
    }
    return CLI_EXIT_OK;
}

int cli_file_read(cli_session *s, const char *path, char **data, size_t *size)
{
    int code = read_file(s, path, 1, SIZE_MAX, data, size);
    if (code == CLI_EXIT_OK) {
        cli_add_input(s, strcmp(path, "-") != 0 ? path : "/dev/stdin");
    }
    return code;
}

int cli_head_read(cli_session *s, const char *path, size_t least, char **data, size_t *size)
{
    int code = read_file(s, path, 0, least, data, size);
    if (code == CLI_EXIT_OK) {
        cli_add_input(s, strcmp(path, "-") != 0 ? path : "/dev/stdin");
    }
    return code;
}

int cli_binary_read(cli_session *s, const char *path, char **data, size_t *size)
{
    return read_file(s, path, 0, SIZE_MAX, data, size);
}

size_t cli_peek(cli_session *s, const char *path, char head[32])
{
    size_t n = 0;
#ifndef CLI_NO_STDIN
    if (strcmp(path, "-") == 0) {
        if (s->n_ahead == 0 && !s->stdin_is_taken) {
            s->n_ahead = fread(s->ahead, 1u, sizeof s->ahead, stdin);
        }
        memcpy(head, s->ahead, s->n_ahead);
        return s->n_ahead;
    }
#else
    (void)s;
#endif
    {
        FILE *file = fopen(path, "rb");
        if (file != NULL) {
            n = fread(head, 1u, 32u, file);
            fclose(file);
        }
    }
    return n;
}

static int cannot_write(cli_session *s, const char *path, int why)
{
    return cli_error(s, GSP_STATUS_ARG, "cannot write %s: %s", path, strerror(why));
}

/* 0, or why it failed: EINTR if the user stops the program. */
static int put_content(FILE *file, const cli_buffer *content)
{
    size_t at = 0;
    while (at < content->size && !cli_is_stopped()) {
        size_t const left = content->size - at;
        size_t const size = left < CLI_CHUNK * 16u ? left : CLI_CHUNK * 16u;
        if (fwrite(content->data + at, 1u, size, file) != size) {
            return errno;
        }
        at += size;
    }
    return cli_is_stopped() ? EINTR : fflush(file) != 0 ? errno : 0;
}

/* The same. */
static int write_content(const cli_session *s, const char *path, const cli_buffer *content)
{
    FILE *file = fopen(path, "wb");
    int why = errno;
    if (file == NULL) {
        return why;
    }
    why = put_content(file, content);
    if (why == 0 && !s->common.no_sync) {
        why = cli_sync(file);
    }
    if (fclose(file) != 0 && why == 0) {
        why = errno;
    }
    if (why != 0) {
        cli_remove_file(path);
    }
    return why;
}

int cli_write_new(cli_session *s, const char *path, const cli_buffer *content)
{
    int const why = write_content(s, path, content);
    return why != 0 ? cannot_write(s, path, why) : CLI_EXIT_OK;
}

#ifndef CLI_NO_STDIN
/* The name of a new file beside another, which other runs do not use; NULL if there is none, as
 * errno tells. */
static char *create_beside(cli_session *s, const char *path)
{
    cli_buffer b;
    uint32_t i = 0;
    int made = 0;
    while (made == 0 && i < MOST_BESIDE) {
        cli_buffer_init(&b, s);
        cli_printf(&b, "%s.%" PRIu32 ".tmp", path, i++);
        cli_put(&b, "", 1u);
        made = cli_create(b.data);
    }
    return made > 0 ? b.data : NULL;
}

/* The directory of a file. */
static const char *dir_of(cli_session *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    gsp_str dir = {path, 0};
    dir.size = slash == NULL ? 0u : slash == path ? 1u : (uint32_t)(slash - path);
    return dir.size == 0 ? "." : cli_copy(s, dir);
}

/* 0, or why it failed. */
static int replace(cli_session *s, const char *path, const cli_buffer *content)
{
    char *made = create_beside(s, path);
    int why = errno;
    if (made == NULL) {
        return why;
    }
    why = write_content(s, made, content);
    if (why == 0 && (cli_take_over(made, path) != 0 || cli_rename(made, path) != 0)) {
        why = errno;
    }
    if (why != 0) {
        cli_remove_file(made);
    } else if (!s->common.no_sync) {
        (void)cli_sync_path(
            dir_of(s, path)); /* the new name stands, so a failure changes nothing */
    }
    return why;
}

static int write_file(cli_session *s, const char *path, const cli_buffer *content)
{
    char *real;
    int why;
    if (!cli_is_replaceable(path)) {
        return cli_write_new(s, path, content);
    }
    int const begins = cli_hold();
    real = cli_real_path(path);
    why = replace(s, real != NULL ? real : path, content);
    if (begins) {
        cli_hold_end();
    }
    free(real);
    return why != 0 ? cannot_write(s, path, why) : CLI_EXIT_OK;
}
#else /* nobody else reads the files of the page */
#define write_file cli_write_new
#endif

int cli_replace_file(cli_session *s, const char *path, const cli_buffer *content)
{
    int const is_new = !cli_is_file(path);
    int const code = write_file(s, path, content);
    if (code == CLI_EXIT_OK) {
        cli_add_written(s, path);
        s->taken[s->n_taken - 1u].is_new = is_new;
    }
    return code;
}

int cli_write_file(cli_session *s, const char *path, const cli_buffer *content)
{
    const char *taken = cli_is_taken(s, path);
    if (strcmp(path, "-") == 0) {
        return cli_usage_error(s, "expected the name of a file to write, got '-'");
    }
    if (taken != NULL) {
        return cli_error(s, GSP_STATUS_ARG, "%s is %s; give another name to write to", path, taken);
    }
    return cli_replace_file(s, path, content);
}

void cli_unwrite(cli_session *s)
{
    size_t i;
    for (i = 0; i < s->n_taken; i++) {
        if (s->taken[i].is_new) {
            cli_remove_file(s->taken[i].path);
        }
    }
}

#ifndef CLI_NO_STDIN
int cli_append_file(cli_session *s, const char *path, const cli_buffer *content)
{
    FILE *file = fopen(path, "ab");
    int why = errno;
    if (file != NULL) {
        why = fwrite(content->data, 1u, content->size, file) == content->size ? 0 : errno;
        why = fclose(file) == 0 ? why : errno;
    }
    return why != 0 ? cannot_write(s, path, why) : CLI_EXIT_OK;
}
#endif
