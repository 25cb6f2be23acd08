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

#define NO_WORDS 'x' /* a state: no quotes are safe from here on */

/* "${PYTHON:-python3}" in double quotes, without others inside of it. */
static int is_variable(const char *at)
{
    return at[1] == '{' && at[2 + strcspn(at + 2, "}\"'`\\$")] == '}';
}

/* What double quotes are followed by: what they hold may be a command. */
static char state_in_quotes(const char *at)
{
    int const is_command = *at == '`' || (*at == '$' && (at[1] == '(' || at[1] == '{'));
    return *at == '"' ? '\0' : is_command && !is_variable(at) ? NO_WORDS : '"';
}

static char state_outside(const char *line, const char *at)
{
    int const begins = at == line || strchr(" \t\n;&|()", at[-1]) != NULL;
    int const is_twice = *at == '`' || strncmp(at, "<<", 2u) == 0 || strncmp(at, "((", 2u) == 0 ||
                         strncmp(at, "$'", 2u) == 0;
    return is_twice                    ? NO_WORDS
           : *at == '\'' || *at == '"' ? *at
           : *at == '#' && begins      ? '#'
                                       : '\0';
}

/* Reads a byte of a line, with what it escapes. The state is the open quote, # in a comment,
 * NO_WORDS, or 0. Returns what comes next. */
static const char *read_shell(const char *line, const char *at, char *state)
{
    if (*at == '\\' && (*state == '\0' || *state == '"') && at[1] != '\0') {
        return at + 2;
    }
    if (*state == '\0') {
        *state = state_outside(line, at);
    } else if (*state == '"') {
        *state = state_in_quotes(at);
    } else if (*state != NO_WORDS && *at == (*state == '#' ? '\n' : '\'')) {
        *state = '\0';
    }
    return at + 1;
}

/* The shell takes it as it is, in quotes and outside. */
static int is_plain(const char *path)
{
    return path[strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+,"
                             ":@%=")] == '\0';
}

void cli_put_word(cli_buffer *out, const char *word)
{
    if (*word != '\0' && is_plain(word)) {
        cli_puts(out, word);
    } else {
        put_word(out, word);
    }
}

const char *cli_shell_line(
    cli_session *s, const char *command, const cli_word *words, size_t n_words)
{
    const char *at = command;
    char state = '\0';
    cli_buffer out;
    cli_buffer_init(&out, s);
    while (*at != '\0') {
        size_t i = 0;
        while (i < n_words && strncmp(at, words[i].name, strlen(words[i].name)) != 0) {
            i++;
        }
        if (i == n_words) {
            const char *next = read_shell(command, at, &state);
            cli_put(&out, at, (size_t)(next - at));
            at = next;
            continue;
        }
        if (state != '\0' && !is_plain(words[i].path)) {
            (void)cli_error(s, GSP_STATUS_ARG,
                "%s: %s is in quotes of the command, where a shell would read the path %s; write "
                "it without quotes, which are added",
                s->path, words[i].name, words[i].path);
            return NULL;
        }
        if (state == '\0') {
            put_word(&out, words[i].path);
        } else {
            cli_puts(&out, words[i].path);
        }
        at += strlen(words[i].name);
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

/* The last line that a command printed into its log, after ": "; "" if none. */
static const char *shell_last(cli_session *s, const char *log)
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

int cli_shell_signal(int status)
{
    return status > 128 && status <= 192 ? status - 128 : 0;
}

/* Those that have one number everywhere. */
static const char *signal_name(int signal)
{
    return signal == 6    ? " (SIGABRT)"
           : signal == 9  ? " (SIGKILL, as when memory runs out)"
           : signal == 11 ? " (SIGSEGV)"
           : signal == 15 ? " (SIGTERM)"
                          : "";
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
    int const signal = cli_shell_signal(status);
    if (signal != 0) {
        return cli_error(s, GSP_STATUS_ARG, "%s: the command was ended by signal %d%s%s", s->path,
            signal, signal_name(signal), shell_last(s, log));
    }
    return cli_error(s, GSP_STATUS_ARG, "%s: the command %s%d%s", s->path,
        cli_shell_is_unable(status) ? "cannot start: status " : "ended with status ", status,
        shell_last(s, log));
}
