/* graphsplit in the browser: the `split` command as it is on the command line, with files in
 * memory. An instance runs once:
 *     room(size)             memory for the caller's bytes, or 0
 *     add(path, data, size)  a file for the program, of memory from room(); 0 without memory
 *     read(path)             reads a model for run(); 0 if run() has to, and say what is wrong
 *     run(list, size)        the arguments behind `split`, each with a NUL behind it; exit status
 *     file(i)                0 standard output, 1 standard error, 2 ... those that run() wrote:
 *                            path, data, size as 32-bit words; NULL after the last
 * What memory holds behind read() is worth a copy: an instance that gets it begins where that one
 * was.
 * When run() traps, status() says whether the program ended itself. */
#include "web.h"

#include "commands/split/split.h"
#include "core/core.h"
#include "input/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

static int ended = -1; /* the status of exit() */

/* ---- what differs between systems ---- */

int cli_is_terminal(int number)
{
    (void)number;
    return 0;
}

uint64_t cli_now(void)
{
    return 0;
}

void cli_date(char *text)
{
    text[0] = '\0';
}

uint32_t cli_machine(char *model)
{
    model[0] = '\0';
    return 0;
}

void cli_lock_dir(const char *path)
{
    (void)path;
}

int cli_sync(FILE *file)
{
    (void)file;
    return 0;
}

int cli_hold(void)
{
    return 0;
}

int cli_is_stopped(void)
{
    return 0;
}

void cli_hold_end(void)
{
}

void cli_stop(void)
{
}

void cli_search_begin(void)
{
}

int cli_search_interrupted(void)
{
    return 0;
}

void cli_search_end(void)
{
}

int cli_make_dir(const char *path)
{
    (void)path;
    return 1;
}

void cli_remove_file(const char *path)
{
    (void)path;
}

void cli_remove_dir(const char *path)
{
    (void)path;
}

int cli_is_same_file(const char *a, const char *b)
{
    (void)a;
    (void)b;
    return 0;
}

const char *cli_map(const char *path, size_t least, size_t *size)
{
    (void)path;
    (void)least;
    (void)size;
    return NULL;
}

/* ---- what the page calls ---- */

void web_exit(int status)
{
    ended = status;
}

EXPORT(status) int web_status(void)
{
    return ended;
}

EXPORT(room) void *web_room(size_t size)
{
    return malloc(size);
}

EXPORT(add) int web_give(const char *path, char *data, size_t size)
{
    return web_add(path, data, size) != NULL;
}

static cli_session session;
static const cli_format *format; /* of the model that read() has read; or NULL */

static int take(cli_session *s)
{
    s->format = format;
    return CLI_EXIT_OK;
}

static void begin(cli_session *s)
{
    static const cli_format *const formats[] = {&cli_tflite_format, &cli_text_format};
    static const cli_front front = {"graphsplit", "", formats, CLI_COUNT(formats)};
    cli_session_init(s, &front);
    s->pass = &cli_split_pass;
}

/* What is said about a model has to be said at each run. */
EXPORT(read) int web_read(const char *path)
{
    begin(&session);
    session.path = path;
    cli_choose_format(&session);
    if (session.format->load(&session) == CLI_EXIT_OK && stderr->size == 0) {
        format = session.format;
    }
    return format != NULL;
}

EXPORT(run) int web_run(char *list, size_t size)
{
    static const cli_format taken = {.load = take};
    static const cli_format *const formats[] = {&taken};
    static const cli_front front = {"graphsplit", "", formats, 1};
    char **argv = (char **)malloc((size + 1u) * sizeof *argv);
    int argc = 0;
    int code;
    size_t i;
    if (argv == NULL) {
        return CLI_EXIT_FAILED;
    }
    for (i = 0; i < size; i += strlen(list + i) + 1u) {
        argv[argc++] = list + i;
    }
    argv[argc] = NULL;
    if (format == NULL) {
        begin(&session);
    } else {
        session.front = &front;
    }
    code = cli_split_pass.run(&session, argc, argv);
    fwrite(session.out.data, 1u, session.out.size, stdout);
    return code;
}

EXPORT(file) const web_file *web_result(uint32_t i)
{
    const web_file *f = web_files();
    if (i < 2u) {
        return i == 0 ? stdout : stderr;
    }
    for (; f != NULL && i > 2u; i--) {
        f = f->next;
    }
    return f;
}
