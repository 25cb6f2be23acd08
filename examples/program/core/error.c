/* Reports of failures: one sentence on standard error, and a line or document for programs. */
#include "core/core.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put_sentence(cli_buffer *b, const cli_buffer *sentence)
{
    gsp_str text;
    text.data = sentence->data;
    text.size = sentence->size < UINT32_MAX ? (uint32_t)sentence->size : UINT32_MAX;
    cli_put_clean(b, text);
    cli_puts(b, "\n");
}

static int tell_usage(cli_session *s, const char *format, va_list list, int is_option)
    CLI_PRINTF(2, 0);
static int tell_usage(cli_session *s, const char *format, va_list list, int is_option)
{
    cli_buffer sentence;
    cli_buffer b;
    cli_progress_end(s);
    cli_buffer_init(&sentence, s);
    cli_buffer_init(&b, s);
    cli_printf(&b, "%s: ", s->front->program);
    cli_vprintf(&sentence, format, list);
    put_sentence(&b, &sentence);
    if (is_option) {
        cli_printf(&b, "Try '%s%s%s --help'.\n", s->front->program, s->pass != NULL ? " " : "",
            s->pass != NULL ? s->pass->name : "");
    }
    cli_tell(&b);
    s->out.size = 0;
    return CLI_EXIT_USAGE;
}

int cli_usage_error(cli_session *s, const char *format, ...)
{
    va_list list;
    int code;
    va_start(list, format);
    code = tell_usage(s, format, list, 1);
    va_end(list);
    return code;
}

int cli_file_error(cli_session *s, const char *format, ...)
{
    va_list list;
    int code;
    va_start(list, format);
    code = tell_usage(s, format, list, 0);
    va_end(list);
    return code;
}

/* Reports every failure. The sentence has a buffer of its own. */
static int tell(cli_session *s, gsp_status status, const cli_buffer *sentence)
{
    cli_buffer b;
    if (s->tries) {
        return CLI_EXIT_FAILED;
    }
    s->out.size = 0;
    cli_progress_end(s);
    if (s->common.porcelain) {
        cli_printf(&s->out, "error %s\n", gsp_status_name(status));
    } else if (s->common.json) {
        cli_printf(&s->out, "{\"error\": \"%s\", \"message\": \"", gsp_status_name(status));
        cli_json_escape_sink(&s->out, sentence->data, sentence->size);
        cli_puts(&s->out, "\"}\n");
    }
    cli_buffer_init(&b, s);
    cli_printf(&b, "%s: ", s->front->program);
    put_sentence(&b, sentence);
    cli_tell(&b);
    return CLI_EXIT_FAILED;
}

/* A sentence that the caller fills. */
static void begin_sentence(cli_session *s, cli_buffer *b)
{
    cli_buffer_init(b, s);
    if (s->within != NULL) {
        cli_printf(b, "%s: ", s->within);
    }
}

int cli_error(cli_session *s, gsp_status status, const char *format, ...)
{
    cli_buffer sentence;
    va_list list;
    begin_sentence(s, &sentence);
    va_start(list, format);
    cli_vprintf(&sentence, format, list);
    va_end(list);
    return tell(s, status, &sentence);
}

/* The text at the place of the error, up to the end of the line, at most some forty bytes. */
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
        cli_puts(b, ", got '");
        cli_put_clipped(b, rest, 40u);
        cli_puts(b, "'");
    }
}

int cli_text_wrong(
    cli_session *s, const char *path, gsp_str text, const gsp_error *err, const char *sentence)
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
    begin_sentence(s, &b);
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
