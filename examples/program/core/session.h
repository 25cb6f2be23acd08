/* The session: memory that lives as long as the program, what is printed, and the progress line. */
#ifndef CLI_CORE_SESSION_H
#define CLI_CORE_SESSION_H

#include "graphsplit.h"

#include <stdio.h> /* MinGW says there how it reads formats */

#if defined(__MINGW_PRINTF_FORMAT)
#define CLI_PRINTF(at, first) __attribute__((format(__MINGW_PRINTF_FORMAT, at, first)))
#define CLI_NORETURN          __attribute__((noreturn))
#elif defined(__GNUC__) || defined(__clang__)
#define CLI_PRINTF(at, first) __attribute__((format(printf, at, first)))
#define CLI_NORETURN          __attribute__((noreturn))
#else
#define CLI_PRINTF(at, first)
#define CLI_NORETURN
#endif

#define CLI_EXIT_OK      0
#define CLI_EXIT_FAILED  1 /* a pass reports an error */
#define CLI_EXIT_USAGE   2 /* the command line cannot be read */

#define CLI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct cli_session cli_session;
typedef struct cli_format cli_format; /* core/format.h */
typedef struct cli_pass cli_pass;     /* core/command.h */
typedef struct cli_given cli_given;   /* core/command.h */
typedef struct cli_block cli_block;
typedef struct cli_source cli_source; /* input/tflite_part.h */

/* Everything that is printed is collected in memory and written at the end (core/buffer.h). */
typedef struct cli_buffer {
    cli_session *session;
    char *data;
    size_t size;
    size_t room;
    int colour; /* styles are written */
} cli_buffer;

/* A program and its formats; the first format that accepts a file reads it. */
typedef struct cli_front {
    const char *program;
    const char *about; /* one sentence for --help */
    const cli_format *const *formats;
    size_t n_formats;
} cli_front;

/* The options that every pass has. */
typedef struct cli_common {
    uint32_t help;
    uint32_t porcelain;
    uint32_t json;
    uint32_t all;
    uint32_t colour; /* auto, always, never */
    uint64_t time;
    const char *time_json;
    uint64_t arena; /* UINT64_MAX: not given */
} cli_common;

/* A file that nothing else may write or remove, and why. */
typedef struct cli_taken {
    const char *path;
    const char *as;
} cli_taken;

enum { CLI_ATTRIBUTES_ANNOTATIONS, CLI_ATTRIBUTES_NONE, CLI_ATTRIBUTES_KEYWORDS };

struct cli_session {
    const cli_front *front;
    const cli_pass *pass; /* NULL before one is chosen */
    cli_common common;
    cli_given *given;
    size_t n_given;
    const char **dims; /* --dim: "NAME=N" */
    size_t n_dims;
    uint32_t attributes; /* how a .tflite model gets them; CLI_ATTRIBUTES_... */
    const char **positional;
    size_t n_positional;
    const char *last_taker;   /* the option that has the last argument as its value; or NULL */
    const char *path;         /* of the input */
    const cli_format *format; /* of the input, once it is loaded */
    cli_taken *taken;         /* [n_taken] all files that are read or written (core/file.h) */
    size_t n_taken;
    cli_buffer out;     /* standard output */
    cli_buffer figures; /* of --time-json */
    cli_block *blocks;
    char *text; /* of the input, if that is graph text */
    size_t text_size;
    gsp_module module;
    cli_source *source;       /* the file that the module comes from, if its format keeps that */
    const gsp_node *numbered; /* [n_numbered] nodes by the numbers of their file; NULL: none */
    uint32_t n_numbered;
    uint32_t main_alone;        /* load only the main graph, with what text can express */
    uint64_t started;           /* for the progress line */
    const char *progress_shown; /* its text, NULL: none */
    int progress_wanted;
    int stdin_is_taken; /* standard input has been read */
};

void cli_session_init(cli_session *s, const cli_front *front);
void cli_session_end(cli_session *s);

/* cli_alloc: zeroed memory that lives as long as the session; does not return without it. */
void *cli_alloc(cli_session *s, size_t count, size_t size);

/* cli_grow: reallocates a block of the session (or NULL). */
void *cli_grow(cli_session *s, void *block, size_t size);

/* cli_release: frees a block early. */
void cli_release(cli_session *s, void *block);

/* cli_copy: a text with a NUL after it. */
char *cli_copy(cli_session *s, gsp_str text);

/* cli_arena: an arena of exactly so many bytes. */
void cli_arena(cli_session *s, gsp_arena *arena, size_t bytes);

/* ---- progress: one line on a terminal, when the work takes longer than a moment ---- */

/* cli_progress: `what` is a literal; repeating it costs nothing. */
void cli_progress(cli_session *s, const char *what);

/* cli_progress_line: replaces the whole line; the caller limits how often. */
void cli_progress_line(cli_session *s, const char *line);

void cli_progress_end(cli_session *s);

#endif
