/* The session: memory that lives as long as the program, and how failures are told. */
#include "core/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stands before every piece of memory of the session. */
struct cli_block {
    cli_block *before;
    cli_block *after;
};

/* Keeps what follows the links aligned for any type. */
typedef union cli_header {
    cli_block block;
    uint64_t align[2];
} cli_header;

void cli_session_init(cli_session *s, const cli_front *front)
{
    memset(s, 0, sizeof *s);
    s->front = front;
    s->common.arena = UINT64_MAX;
    s->started = cli_now();
    s->progress_wanted = cli_is_terminal(2);
    cli_buffer_init(&s->out, s);
}

void cli_session_end(cli_session *s)
{
    while (s->blocks != NULL) {
        cli_block *block = s->blocks;
        s->blocks = block->after;
        free(block);
    }
}

CLI_NORETURN static void out_of_memory(cli_session *s)
{
    s->out.size = 0;
    cli_progress_end(s);
    fprintf(stderr, "%s: the system gives no more memory\n", s->front->program);
    if (s->common.porcelain) {
        puts("error NOMEM");
    } else if (s->common.json) {
        puts("{\"error\": \"NOMEM\", \"message\": \"the system gives no more memory\"}");
    }
    exit(CLI_EXIT_FAILED);
}

static void unlink_block(cli_session *s, cli_block *block)
{
    if (block->before != NULL) {
        block->before->after = block->after;
    } else {
        s->blocks = block->after;
    }
    if (block->after != NULL) {
        block->after->before = block->before;
    }
}

void *cli_grow(cli_session *s, void *block, size_t size)
{
    cli_header *header = block != NULL ? (cli_header *)block - 1 : NULL;
    if (size > SIZE_MAX - sizeof *header) {
        out_of_memory(s);
    }
    if (header != NULL) {
        unlink_block(s, &header->block);
    }
    header = (cli_header *)realloc(header, sizeof *header + size);
    if (header == NULL) {
        out_of_memory(s);
    }
    header->block.before = NULL;
    header->block.after = s->blocks;
    if (s->blocks != NULL) {
        s->blocks->before = &header->block;
    }
    s->blocks = &header->block;
    return header + 1;
}

void *cli_alloc(cli_session *s, size_t count, size_t size)
{
    void *memory;
    if (size != 0 && count > SIZE_MAX / size) {
        out_of_memory(s);
    }
    memory = cli_grow(s, NULL, count * size);
    memset(memory, 0, count * size);
    return memory;
}

void cli_release(cli_session *s, void *block)
{
    if (block != NULL) {
        cli_header *header = (cli_header *)block - 1;
        unlink_block(s, &header->block);
        free(header);
    }
}

char *cli_copy(cli_session *s, gsp_str text)
{
    char *copy = (char *)cli_alloc(s, (size_t)text.size + 1u, 1u);
    if (text.size != 0) {
        memcpy(copy, text.data, text.size);
    }
    return copy;
}

int cli_usage_error(cli_session *s, const char *format, ...)
{
    va_list list;
    cli_progress_end(s);
    fprintf(stderr, "%s: ", s->front->program);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    if (s->pass != NULL) {
        fprintf(stderr, "\nTry '%s %s --help'.\n", s->front->program, s->pass->name);
    } else {
        fprintf(stderr, "\nTry '%s --help'.\n", s->front->program);
    }
    s->out.size = 0;
    return CLI_EXIT_USAGE;
}

/* The one place that tells a failure: the sentence stands in a buffer of its own. */
static int tell(cli_session *s, gsp_status status, const cli_buffer *sentence)
{
    s->out.size = 0;
    cli_progress_end(s);
    fprintf(stderr, "%s: ", s->front->program);
    fwrite(sentence->data, 1u, sentence->size, stderr);
    fputc('\n', stderr);
    if (s->common.porcelain) {
        cli_printf(&s->out, "error %s\n", gsp_status_name(status));
    } else if (s->common.json) {
        cli_printf(&s->out, "{\"error\": \"%s\", \"message\": \"", gsp_status_name(status));
        cli_json_escape_sink(&s->out, sentence->data, sentence->size);
        cli_puts(&s->out, "\"}\n");
    }
    return CLI_EXIT_FAILED;
}

int cli_error(cli_session *s, gsp_status status, const char *format, ...)
{
    cli_buffer sentence;
    va_list list;
    cli_buffer_init(&sentence, s);
    va_start(list, format);
    cli_vprintf(&sentence, format, list);
    va_end(list);
    return tell(s, status, &sentence);
}

/* What stands at the place of the error, up to the end of the line, cut to some forty bytes. */
static void put_found(cli_buffer *b, gsp_str text, const gsp_error *err)
{
    const char *at = text.data;
    const char *end = text.data + text.size;
    size_t line;
    gsp_str rest;
    for (line = 1; line < err->line && at != NULL && at < end; line++) {
        at = (const char *)memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : end;
    }
    if (at == NULL || err->column == 0 || err->column - 1u > (size_t)(end - at)) {
        return;
    }
    at += err->column - 1u;
    rest.data = at;
    rest.size = 0;
    while (rest.size < (uint32_t)(end - at) && at[rest.size] != '\n' && at[rest.size] != '\r') {
        rest.size++;
    }
    if (rest.size == 0) {
        cli_puts(b, at == end ? ", found the end of the text" : ", found the end of the line");
    } else {
        cli_puts(b, ", found '");
        cli_put_clipped(b, rest, 40u);
        cli_puts(b, "'");
    }
}

int cli_text_wrong(cli_session *s, const char *path, gsp_str text, const gsp_error *err,
                   const char *sentence)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    cli_puts(&b, strcmp(path, "-") == 0 ? "standard input" : path);
    if (err->line != 0) {
        cli_printf(&b, ":%" PRIu64 ":%" PRIu64, (uint64_t)err->line, (uint64_t)err->column);
    }
    cli_printf(&b, ": %s", sentence);
    if (err->line != 0) {
        put_found(&b, text, err);
    }
    return tell(s, err->status, &b);
}

int cli_text_error(cli_session *s, const char *path, gsp_str text, const gsp_error *err)
{
    const char *detail = gsp_detail_text(err->detail);
    if (err->status == GSP_STATUS_NOMEM) {
        return cli_pass_error(s, NULL, err);
    }
    if (err->detail == GSP_DETAIL_NONE || detail[0] == '\0') {
        detail = gsp_status_text(err->status);
    }
    return cli_text_wrong(s, path, text, err, detail);
}

int cli_pass_error(cli_session *s, const gsp_graph *graph, const gsp_error *err)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    if (err->status == GSP_STATUS_NOMEM) {
        cli_printf(&b, "the arena holds %" PRIu64 " bytes, and %" PRIu64 " are needed", err->limit,
                   err->need);
        return tell(s, err->status, &b);
    }
    if (graph != NULL && err->node < graph->n_nodes) {
        cli_puts(&b, "node ");
        cli_put_clipped(&b, gsp_node_name(graph, err->node), 200u);
        cli_puts(&b, ": ");
    }
    cli_puts(&b, err->detail != GSP_DETAIL_NONE ? gsp_detail_text(err->detail)
                                                : gsp_status_text(err->status));
    if (graph != NULL && err->other < graph->n_nodes) {
        cli_puts(&b, " (the other node is ");
        cli_put_clipped(&b, gsp_node_name(graph, err->other), 200u);
        cli_puts(&b, ")");
    }
    return tell(s, err->status, &b);
}

int cli_write_file(cli_session *s, const char *path, const cli_buffer *content)
{
    FILE *file;
    int failed;
    if (s->path != NULL && cli_is_same_file(s->path, path)) {
        return cli_error(s, GSP_STATUS_ARG, "%s is what is read; give another name to write to",
                         path);
    }
    file = fopen(path, "wb");
    if (file == NULL) {
        return cli_error(s, GSP_STATUS_ARG, "cannot write %s: %s", path, strerror(errno));
    }
    failed = fwrite(content->data, 1u, content->size, file) != content->size;
    if (fclose(file) != 0 || failed) {
        int why = errno;
        cli_remove_file(path);
        return cli_error(s, GSP_STATUS_ARG, "cannot write %s: %s", path, strerror(why));
    }
    return CLI_EXIT_OK;
}
