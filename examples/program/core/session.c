/* The session: memory that lives as long as the program, and the progress line, which appears on
 * standard error if that is a terminal and the work takes long. */
#include "core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLI_PROGRESS_AFTER_NS 300000000u

/* Precedes every block of memory of the session. */
struct cli_block {
    cli_block *before;
    cli_block *after;
};

/* Aligns the bytes after the links for any type. */
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
    s->out.session = s;
}

void cli_session_end(cli_session *s)
{
    while (s->blocks != NULL) {
        cli_block *block = s->blocks;
        s->blocks = block->after;
        free(block);
    }
}

/* ---- progress ---- */

void cli_progress(cli_session *s, const char *what)
{
    if (!s->progress_wanted || s->progress_shown == what ||
        cli_now() - s->started < CLI_PROGRESS_AFTER_NS) {
        return;
    }
    fprintf(stderr, "\r\033[K%s: %s ...", s->front->program, what);
    fflush(stderr);
    s->progress_shown = what;
}

void cli_progress_line(cli_session *s, const char *line)
{
    if (s->progress_wanted && cli_now() - s->started >= CLI_PROGRESS_AFTER_NS) {
        fprintf(stderr, "\r\033[K%s: %s", s->front->program, line);
        fflush(stderr);
        s->progress_shown = "";
    }
}

void cli_progress_end(cli_session *s)
{
    if (s->progress_shown != NULL) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        s->progress_shown = NULL;
    }
}

int cli_search_asked(void *session, uint64_t work)
{
    cli_session *s = (cli_session *)session;
    (void)work;
    cli_progress(s, "searching (^C: take the best so far)");
    return cli_search_interrupted();
}

void cli_search_told(cli_session *s, const char *what)
{
    cli_progress_end(s);
    fprintf(stderr, "%s: the user stopped the search: %s so far\n", s->front->program, what);
}

/* ---- memory ---- */

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

void cli_arena(cli_session *s, gsp_arena *arena, size_t bytes)
{
    gsp_arena_init(arena, cli_grow(s, NULL, bytes), bytes);
}
