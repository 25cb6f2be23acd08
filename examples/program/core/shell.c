/* Lines of the shell with paths in them, and what commands say. */
#include "core/core.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_LOG 200u /* bytes of what a command printed last */

const char *cli_path(cli_session *s, const char *dir, const char *name)
{
    cli_buffer out;
    cli_buffer_init(&out, s);
    cli_printf(&out, "%s/%s%c", dir, name, '\0');
    return out.data;
}

/* A word of the shell. */
static void put_word(cli_buffer *out, const char *word)
{
#ifdef _WIN32 /* no path has such quotes */
    cli_printf(out, "\"%s\"", word);
#else
    cli_puts(out, "'");
    for (; *word != '\0'; word++) {
        cli_put(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4u : 1u);
    }
    cli_puts(out, "'");
#endif
}

void cli_put_word(cli_buffer *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:=,+@%";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        cli_puts(out, word);
    } else {
        put_word(out, word);
    }
}

const char *cli_shell_line(
    cli_session *s, const char *command, const cli_word *words, size_t n_words)
{
    cli_buffer out;
    cli_buffer_init(&out, s);
    while (*command != '\0') {
        size_t i = 0;
        while (i < n_words && strncmp(command, words[i].name, strlen(words[i].name)) != 0) {
            i++;
        }
        if (i < n_words) {
            put_word(&out, words[i].path);
            command += strlen(words[i].name);
        } else {
            cli_put(&out, command++, 1u);
        }
    }
    cli_put(&out, "", 1u);
    return out.data;
}

/* The end of a file, which may be large. */
static size_t read_end(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0;
    if (file != NULL) {
        if (fseek(file, -(long)room, SEEK_END) != 0) { /* it is shorter */
            rewind(file);
        }
        size = fread(text, 1u, room, file);
        fclose(file);
    }
    return size;
}

const char *cli_shell_last(cli_session *s, const char *log)
{
    char text[4096];
    size_t size = read_end(log, text, sizeof text);
    size_t begin;
    cli_buffer out;
    cli_buffer_init(&out, s);
    while (size > 0 && (text[size - 1u] == '\n' || text[size - 1u] == '\r')) {
        size--;
    }
    for (begin = size; begin > 0 && text[begin - 1u] != '\n'; begin--) {
    }
    cli_puts(&out, size != begin ? ": " : "");
    cli_put(&out, text + begin, size - begin < MOST_LOG ? size - begin : MOST_LOG);
    cli_put(&out, "", 1u);
    return out.data;
}

int cli_shell_is_unable(int status)
{
    return status == 126 || status == 127;
}

int cli_shell_late(cli_session *s, uint64_t seconds)
{
    return cli_error(s, GSP_STATUS_LIMIT,
        "%s: the command has not ended within %" PRIu64 " s; --timeout gives it more", s->path,
        seconds);
}

int cli_shell_none(cli_session *s)
{
    return cli_error(s, GSP_STATUS_ARG, "%s: no command can start: %s", s->path, strerror(errno));
}

int cli_shell_failed(cli_session *s, int status, const char *log)
{
    return cli_error(s, GSP_STATUS_ARG, "%s: the command %s%d%s", s->path,
        cli_shell_is_unable(status) ? "cannot start: status " : "ended with status ", status,
        cli_shell_last(s, log));
}
