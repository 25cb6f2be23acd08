/* The floor of the program: memory, output, errors, options, files. A section per file of this
 * folder, from the bottom up. */
#ifndef CLI_CORE_CORE_H
#define CLI_CORE_CORE_H

#include "graphsplit.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h> /* MinGW says there how it reads formats */

/* ==== sys ====
 * What differs between systems: terminals, clocks, directories. */

int cli_is_terminal(int number); /* 1 for standard output, 2 for standard error */
size_t cli_columns(void);        /* of the terminal of standard error; 80 if unknown */
uint64_t cli_now(void);          /* nanoseconds of a monotonic clock */

/* cli_date: now, as 2026-01-31T23:59:59+00:00. cli_machine: the processor, and how many there are,
 * where Linux tells it; else "unknown" and 0. Neither needs escapes in JSON. */
enum { CLI_DATE_SIZE = 32, CLI_MACHINE_SIZE = 128 };
void cli_date(char *text);
uint32_t cli_machine(char *model);

int cli_make_dir(const char *path);     /* 0 if it exists now; 1 if created; -1 if failed */
void cli_remove_file(const char *path); /* but not a device, link or directory of that name */
void cli_remove_dir(const char *path);  /* if it is empty */

/* cli_remove_all: a directory and its files; not if it is a link, or holds links or directories. */
void cli_remove_all(const char *path);

/* cli_create: an empty file. Returns 0 if something has that name; 1 if created; -1 if failed. */
int cli_create(const char *path);

/* cli_rename: replaces a file in one step. Returns 0 if done. */
int cli_rename(const char *from, const char *to);

/* cli_sync: what an open file has is on the disk. cli_sync_path: the same of a file or of the names
 * in a directory. Returns 0, or why it failed; a device or a file system that cannot do that is no
 * failure. */
int cli_sync(FILE *file);
int cli_sync_path(const char *path);

/* cli_copy_file: a second name for a file, or a copy where the file system has one name for each.
 * Returns 0 if done. */
int cli_copy_file(const char *from, const char *to);

/* cli_is_replaceable: nothing has that name, or a file that may be written; no directory, device or
 * pipe. */
int cli_is_replaceable(const char *path);

/* cli_real_path: of a file, or of one that a link names and that is not there yet, without links;
 * free() it. Returns NULL if there is neither. */
char *cli_real_path(const char *path);

/* cli_take_over: gives a new file the permissions of an old one, if that is there. Returns 0 if
 * done. */
int cli_take_over(const char *path, const char *old);

/* cli_lock_dir: waits until no other run holds the directory, then holds it until the program ends.
 * Linux only; other systems do not wait. */
void cli_lock_dir(const char *path);

/* cli_is_same_file: both names lead to one existing file; devices and pipes are no files. */
int cli_is_same_file(const char *a, const char *b);

/* cli_streams_init: bytes stay as they are; a file above the limit of the user is an error of the
 * call that writes it. */
void cli_streams_init(void);

/* cli_search_begin: from here on the first interrupt (^C) asks the search to end with the best
 * result so far, and the third ends the program. cli_search_interrupted: one has come. */
void cli_search_begin(void);
int cli_search_interrupted(void);
void cli_search_end(void);

/* cli_hold: from here on SIGINT, SIGTERM and SIGHUP wait until files are whole or removed.
 * cli_is_stopped: one has come, and what was written so far shall be removed. cli_hold_commit: from
 * here on what was written stays, so the answer is 0. cli_hold_end: signals end the program again.
 * cli_stop: ends it by the signal that has come, if any. */
int cli_hold(void); /* 0 if they wait already */
int cli_is_stopped(void);
void cli_hold_commit(void);
void cli_hold_end(void);
void cli_stop(void);

/* cli_make_temp: a new directory for files of this run. Returns 0 if done, or -1 with errno. */
enum { CLI_TEMP_SIZE = 4096 };
int cli_make_temp(char path[CLI_TEMP_SIZE]);

/* How a command of the shell ended. */
typedef enum cli_shell_end {
    CLI_SHELL_ENDED,
    CLI_SHELL_LATE,   /* not within so many seconds */
    CLI_SHELL_STOPPED /* the program is to stop, or its search to end */
} cli_shell_end;

/* A command of the shell that runs. */
typedef struct cli_process {
    long process;
    long job;       /* Windows: it with all that it started */
    uint64_t begun; /* as cli_now() */
    int status;     /* of one that has ended, as the shell has it */
} cli_process;

/* cli_shell_start: runs a command without input; what it prints goes into the file `log`. Returns 0
 * if this system cannot start it, as errno tells. */
int cli_shell_start(cli_process *child, const char *command, const char *log);

/* cli_shell_ended: 1 if it has ended. It and all that it started are killed after so many seconds
 * (0: never), or when the program or its search is to end, as *end tells. */
int cli_shell_ended(cli_process *child, uint64_t seconds, cli_shell_end *end);

/* cli_shell_kill: ends it. */
void cli_shell_kill(cli_process *child);

/* cli_shell_pause: waits a moment, longer each time; from 0 on. */
void cli_shell_pause(uint32_t *microseconds);

/* cli_map: maps a file of at least so many bytes into memory until the program ends; NULL if the
 * file is smaller or this is not possible. */
const char *cli_map(const char *path, size_t least, size_t *size);

/* ==== session ====
 * The session: memory that lives as long as the program, what is printed, and the progress line. */

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
typedef struct cli_format cli_format; /* below */
typedef struct cli_pass cli_pass;     /* below */
typedef struct cli_given cli_given;   /* below */
typedef struct cli_block cli_block;
typedef struct cli_source cli_source; /* input/input.h */
struct tile_graph;                    /* algorithms/algorithms.h */
struct gsp_tile_point;

/* Everything that is printed is collected in memory and written at the end (core/buffer.c). */
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
    uint32_t writes; /* names, none (input/written.c) */
    uint64_t time;
    const char *time_json;
    uint64_t arena;     /* UINT64_MAX if not given */
    uint64_t max_nodes; /* 0 if not given */
    uint32_t no_sync;
    const char *graph; /* of a module; NULL if not given, and where a pass has its own option */
} cli_common;

/* A file that nothing else may write or remove, and why. */
typedef struct cli_taken {
    const char *path;
    const char *as;
    int is_new; /* written, and was not there before */
} cli_taken;

/* NAME=VALUE of --dim and --type. */
typedef struct cli_stated {
    gsp_str name;
    gsp_str value;
    uint64_t least, most; /* --dim: the range, of one value both the same */
    int used;             /* the reader of the input has taken it */
} cli_stated;

enum { CLI_ATTRIBUTES_ANNOTATIONS, CLI_ATTRIBUTES_NONE, CLI_ATTRIBUTES_KEYWORDS };

/* Inputs that are tiles of one of the model before. */
typedef struct cli_streamed {
    gsp_str input;         /* its name in files */
    uint32_t first;        /* the number of the first tile among the inputs */
    uint32_t n;            /* tiles */
    uint32_t rank;         /* dimensions */
    const uint32_t *begin; /* [n][rank] where each begins */
} cli_streamed;

struct cli_session {
    const cli_front *front;
    const cli_pass *pass;          /* NULL before one is chosen */
    const cli_pass *const *passes; /* [n_passes] all of the program */
    size_t n_passes;
    cli_common common;
    cli_given *given;
    size_t n_given;
    cli_stated *dims; /* [n_dims] of --dim */
    size_t n_dims;
    cli_stated *types; /* [n_types] of --type */
    size_t n_types;
    const char **open_dims; /* [n_open_dims] dimensions of inputs that are no numbers, as the file
                             * spells them; NULL if graph text is that spelling */
    size_t n_open_dims;
    const char *shapeless; /* values without shape, as the reader of the file says it, or NULL */
    int quiet;             /* a file is read again: its notes are told once */
    int tries;             /* a failure is an answer, and not told */
    int graph_given;       /* --graph, of the pass or of all passes */
    int sizes_unused;      /* no figure of the command depends on sizes */
    uint32_t attributes;   /* how a .tflite model gets them; CLI_ATTRIBUTES_... */
    const char **positional;
    size_t n_positional;
    const char *last_taker;   /* the option that has the last argument as its value; or NULL */
    const char *path;         /* of the input */
    const char *within;       /* what every error begins with; or NULL */
    const cli_format *format; /* of the input, once it is loaded */
    cli_taken *taken;         /* [n_taken] all files that are read or written (core/file.c) */
    size_t n_taken;
    cli_buffer out;     /* standard output */
    int out_failed;     /* errno of writing it */
    cli_buffer figures; /* of --time-json */
    cli_block *blocks;
    char *text;       /* of the input, if that is graph text and the module is not yet made */
    size_t text_size; /* also once the module is made */
    gsp_module module;
    cli_source *source; /* the file that the module comes from, if its format keeps that */
    const cli_streamed *streamed; /* NULL if no input comes in tiles */
    const gsp_node *numbered;     /* [n_numbered] nodes by the numbers of their file, or NULL */
    uint32_t n_numbered;
    uint32_t main_alone;        /* load only the main graph, with what text can express */
    uint64_t started;           /* for the progress line */
    const char *progress_shown; /* its text, or NULL */
    int progress_wanted;
    int stdin_is_taken; /* standard input has been read */
    char ahead[32];     /* [n_ahead] its first bytes, if cli_peek() read them */
    size_t n_ahead;
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

/* cli_search_asked: progress of a search between cli_search_begin() and cli_search_end(); nonzero
 * stops it. cli_search_told: says that it stopped, and that `what` holds so far. */
int cli_search_asked(void *session, uint64_t work);
void cli_search_told(cli_session *s, const char *what);

/* ==== command ====
 * A command of the program, and the table of its options. */

typedef enum cli_option_kind {
    CLI_FLAG,   /* uint32_t: 1 */
    CLI_NUMBER, /* uint64_t, at least `least`, at most `most` */
    CLI_BYTES,  /* the same as cli_bytes_read() takes it: 65536, 32MiB, 1.5G, 1e9 */
    CLI_STRING, /* const char * */
    CLI_CHOICE, /* uint32_t: index of the word in `value`, "error|demote" */
    CLI_MAYBE,  /* cli_maybe: --name or --name=VALUE */
    CLI_LIST    /* kept in order in session->given */
} cli_option_kind;

/* Help texts. A program that prints none defines this macro to shrink each text to one byte. */
#ifdef CLI_NO_HELP
typedef char cli_help[1];
#else
typedef const char *cli_help;
#endif

typedef struct cli_option {
    const char *name; /* "--min-acc-module-size" */
    const char *value;
    cli_option_kind kind;
    size_t offset; /* of the field in the options of the pass */
    uint64_t least;
    uint64_t most;
    cli_help help;
} cli_option;

typedef struct cli_maybe {
    uint32_t given;
    const char *value; /* or NULL */
} cli_maybe;

struct cli_given {
    const cli_option *option;
    const char *value;
};

/* A command of the program. */
struct cli_pass {
    const char *name;
    cli_help usage;   /* "[options] FILE" */
    cli_help summary; /* one line */
    cli_help about;   /* printed in the help after the options */
    const cli_option *options;
    size_t n_options;
    int (*run)(
        cli_session *s, int argc, char **argv); /* the arguments after the name of the pass */
    cli_help examples[2]; /* the arguments of two command lines, for the end of the help */
};

/* ==== format ====
 * A file format of the program, and a part that is written in it. */

typedef struct cli_part cli_part;

/* How a file becomes a module, and how a part becomes a file. */
struct cli_format {
    const char *ending; /* of its files: ".fx"; NULL for any file that no other format reads */
    const char *suffix; /* of parts that --emit writes: ".fx" */

    /* session->path into session->module, which is in memory of the session. A failure is reported
     * by cli_error() or cli_usage_error(); returns an exit status. */
    int (*load)(cli_session *s);

    /* Writes the bytes of the file of a part, or why this part cannot be written, others
     * notwithstanding. Returns an exit status. */
    int (*part)(cli_session *s, const cli_part *part, cli_buffer *out, cli_buffer *why);

    /* The rest may be NULL or 0. */
    int (*has_data)(const cli_part *part);             /* a file path + ".data" belongs to it */
    int (*data)(cli_session *s, const cli_part *part); /* writes that file */
    int (*tensor)(const gsp_graph *graph, gsp_node v, uint32_t i, gsp_str *name);
    uint32_t holds_parameters; /* parts hold the parameters that they read */
    /* Whether the loaded graph's input or output `original` is this node of this graph; `element`:
     * one of its elements, GSP_NONE for all of it. */
    void (*stands_for)(const gsp_graph *graph, gsp_node v, gsp_str original, uint32_t element);
    /* A second file of a part, of this ending: the model that runs. Writes nothing for a part
     * without an operator, and a clause that says why, if a part cannot be written. Returns an exit
     * status. */
    const char *model_suffix;
    int (*model)(cli_session *s, const cli_part *part, cli_buffer *out, cli_buffer *why);
    /* The file of a part from what `part` wrote, which lacks large data; `whole` is `content` where
     * nothing is missing. Returns an exit status. */
    int (*fill)(cli_session *s, const cli_buffer *content, cli_buffer *whole);
    /* The model that was loaded, with these regions in tiles, into session->module; with none the
     * model as it was. Returns an exit status. */
    int (*tiles)(cli_session *s, const struct tile_graph *g, const struct gsp_tile_point *point);
    /* The elements of a parameter, little-endian, without gaps; with NULL whether the file has
     * them. Returns an exit status. */
    int (*parameter)(cli_session *s, const gsp_graph *graph, gsp_node v, cli_buffer *out);
};

typedef struct cli_bind {
    gsp_str inner;
    gsp_str outer;
} cli_bind;

struct cli_part {
    const char *name;
    const char *kind;   /* "cpu", an accelerator, "root" for nodes outside of all submodules */
    const char *device; /* or NULL */
    gsp_graph graph;
    int is_own; /* the program gave the name, so that its file has it */
    char *stem; /* name of the file without endings; filled by cli_emit(), like `path` */
    char *path;
    cli_buffer content;
    cli_buffer refused;      /* why it has no file, or empty; filled by cli_emit() */
    int has_model;           /* filled by cli_emit(), like `lacks` */
    const char *lacks;       /* why there is no model of a format that has models; or NULL */
    const cli_part *same;    /* an earlier part, whose file this one shares; or NULL */
    const cli_part *made_of; /* if not NULL, all of these in one file instead of a part */
    size_t n_made_of;
    const cli_bind *bind; /* [n_bind] names outside for the names of inputs and outputs inside */
    uint32_t n_bind;
    const char *members; /* more of it in the manifest, each with a comma before it; or NULL */
};

/* ==== buffer ====
 * Output: a growing buffer of bytes, styles, and figures for people. */

typedef enum cli_style {
    CLI_PLAIN,
    CLI_BOLD,
    CLI_DIM,
    CLI_RED,
    CLI_GREEN,
    CLI_YELLOW,
    CLI_BLUE,
    CLI_MAGENTA,
    CLI_CYAN
} cli_style;

void cli_buffer_init(cli_buffer *b, cli_session *s);
void cli_put(cli_buffer *b, const char *data, size_t size);
void cli_puts(cli_buffer *b, const char *text);
void cli_put_text(cli_buffer *b, gsp_str text);
void cli_printf(cli_buffer *b, const char *format, ...) CLI_PRINTF(2, 3);
void cli_vprintf(cli_buffer *b, const char *format, va_list list) CLI_PRINTF(2, 0);

/* cli_sink: a gsp_sink into a cli_buffer. */
int cli_sink(void *buffer, const char *data, size_t size);

/* cli_out_write: writes what standard output has so far. Returns session->out_failed. */
int cli_out_write(cli_session *s);

/* cli_stream: a gsp_sink into the standard output of a session, of which it keeps little. Errors
 * can no longer take back what is written. */
int cli_stream(void *session, const char *data, size_t size);

/* cli_put_style: begins a style; CLI_PLAIN ends it. Nothing without colour. */
void cli_put_style(cli_buffer *b, cli_style style);

/* cli_put_styled: a line in a style, clean. */
void cli_put_styled(cli_buffer *b, cli_style style, const char *text);

/* cli_utf8_size: bytes of the UTF-8 character at `at`; 0 for none, or an invalid one. */
size_t cli_utf8_size(const unsigned char *at, size_t left);

/* cli_is_control: the UTF-8 character of so many bytes is a control character, C0, DEL or C1. */
int cli_is_control(const unsigned char *at, size_t size);

/* cli_clean: a line for people, in place: control characters, which terminals obey, and bytes that
 * are not UTF-8 become '?'. Returns the new size. */
size_t cli_clean(char *text, size_t size);

/* cli_put_c_string: a string literal of C. */
void cli_put_c_string(cli_buffer *b, gsp_str text);

/* cli_put_clean: a line, clean; a line feed in it is shown as an escape. */
void cli_put_clean(cli_buffer *b, gsp_str text);

/* cli_shown: the path of an input for a line, clean. */
const char *cli_shown(cli_session *s, const char *path);

/* cli_put_clipped: the same, at most `width` characters. */
void cli_put_clipped(cli_buffer *b, gsp_str text, size_t width);

/* cli_tell: lines on standard error, clean; changes the buffer. */
void cli_tell(cli_buffer *b);

/* cli_put_bytes: "1.5 KiB", to the nearest tenth. */
void cli_put_bytes(cli_buffer *b, uint64_t bytes);

/* cli_put_need: the same rounded upward, for peaks and needs: that much memory is enough. */
void cli_put_need(cli_buffer *b, uint64_t bytes);

/* cli_put_seconds: "1.25 ms", "29 h 17 min". */
void cli_put_seconds(cli_buffer *b, double seconds);

/* cli_put_percent: "93.4 %" of a whole; "100 %" of nothing. Rounding never makes less than all 100
 * %. */
void cli_put_percent(cli_buffer *b, uint64_t part, uint64_t whole);

/* cli_plural: "s" unless there is exactly one. */
const char *cli_plural(uint64_t count);

/* ==== error ====
 * Reports of failures. */

/* cli_usage_error: one sentence and a hint on standard error. Returns CLI_EXIT_USAGE. */
int cli_usage_error(cli_session *s, const char *format, ...) CLI_PRINTF(2, 3);

/* cli_file_error: the same for a file that cannot be opened; about the options there is nothing to
 * learn. */
int cli_file_error(cli_session *s, const char *format, ...) CLI_PRINTF(2, 3);

/* cli_error: replaces the output so far by `error NAME` (porcelain) or its JSON, and prints one
 * sentence on standard error. Returns CLI_EXIT_FAILED. */
int cli_error(cli_session *s, gsp_status status, const char *format, ...) CLI_PRINTF(3, 4);

/* cli_text_error: a text that cannot be read, with path:line:column. Returns CLI_EXIT_FAILED. */
int cli_text_error(cli_session *s, const char *path, gsp_str text, const gsp_error *err);

/* cli_text_wrong: the same with a sentence of the caller. */
int cli_text_wrong(
    cli_session *s, const char *path, gsp_str text, const gsp_error *err, const char *sentence);

/* cli_pass_error: the error of a library call on `graph`. Returns CLI_EXIT_FAILED. */
int cli_pass_error(cli_session *s, const gsp_graph *graph, const gsp_error *err);

/* ==== file ====
 * Whole files: reading, and writing. */

/* cli_is_file: the path can be opened. */
int cli_is_file(const char *path);

/* cli_add_input: a file that is read, so that nothing writes or removes it. */
void cli_add_input(cli_session *s, const char *path);

/* cli_add_written: a file that an option has written, so that no other does. */
void cli_add_written(cli_session *s, const char *path);

/* cli_is_taken: "the input", "an input", or that another option has written it, if the path leads
 * to such a file; otherwise NULL. */
const char *cli_is_taken(const cli_session *s, const char *path);

/* cli_file_read: a text with a NUL after it, "-" for standard input. Stops where the text is no
 * text. Adds the file to the inputs. */
int cli_file_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_peek: the first bytes of an input, which reading gives again; returns how many. */
size_t cli_peek(cli_session *s, const char *path, char head[32]);

/* cli_binary_read: all bytes of a file, which it does not add to the inputs. */
int cli_binary_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_head_read: at least so many of the first bytes of a file, or all of it. Adds the file to the
 * inputs. */
int cli_head_read(cli_session *s, const char *path, size_t least, char **data, size_t *size);

/* cli_write_new: writes a file that nobody reads yet. A failure is reported and leaves no file.
 * Returns an exit status. */
int cli_write_new(cli_session *s, const char *path, const cli_buffer *content);

/* cli_replace_file: writes a whole file. The old one remains until the new one is complete. A
 * failure is reported. Returns an exit status. */
int cli_replace_file(cli_session *s, const char *path, const cli_buffer *content);

/* cli_write_file: that, but not onto a file that is in use. */
int cli_write_file(cli_session *s, const char *path, const cli_buffer *content);

/* cli_unwrite: removes the files that these two wrote and that were not there before. */
void cli_unwrite(cli_session *s);

/* cli_append_file: adds to the end of a file, which is made if it is not there. A failure is
 * reported. Returns an exit status. */
int cli_append_file(cli_session *s, const char *path, const cli_buffer *content);

/* ==== shell ====
 * Lines of the shell, and what commands say. */

/* A word of a command that stands for a path. */
typedef struct cli_word {
    const char *name; /* "{model}" */
    const char *path;
} cli_word;

/* cli_path: DIR/NAME. */
const char *cli_path(cli_session *s, const char *dir, const char *name);

/* cli_put_word: a word of a command, in quotes if it needs them. */
void cli_put_word(cli_buffer *out, const char *word);

/* cli_shell_line: a command with paths in place of these words, quoted. One that has bytes which a
 * shell reads is in no quotes of the command: that is reported, and NULL is returned. */
const char *cli_shell_line(
    cli_session *s, const char *command, const cli_word *words, size_t n_words);

/* cli_shell_is_unable: the status of the shell for what is no program, or not there. */
int cli_shell_is_unable(int status);

/* cli_shell_signal: the signal that ended a command with this status, or 0. */
int cli_shell_signal(int status);

/* cli_shell_late, cli_shell_none: report that a command has not ended in time, or cannot start. */
int cli_shell_late(cli_session *s, uint64_t seconds);
int cli_shell_none(cli_session *s);

/* cli_shell_failed: reports the status or the signal with which it ended, or that it could not
 * start. */
int cli_shell_failed(cli_session *s, int status, const char *log);

/* ==== npy ====
 * Arrays in .npy files, as NumPy has them. */

enum { CLI_NPY_DIMS = 64 };

typedef struct cli_npy {
    char kind;      /* as NumPy spells it: b, i, u, f, c (two of f), or V (bytes alone) */
    uint32_t size;  /* bytes of an element */
    int is_big;     /* the most significant byte comes first */
    int is_columns; /* the first dimension is the innermost */
    uint32_t n_dims;
    uint64_t dims[CLI_NPY_DIMS];
    uint64_t n; /* elements */
    const unsigned char *values;
    char *file; /* that holds them; cli_release() it */
} cli_npy;

/* cli_npy_read: a whole file. Returns an exit status. */
int cli_npy_read(cli_session *s, const char *path, cli_npy *out);

/* cli_npy_integer: element i in the order of rows as bits, sign extended. cli_npy_number: as a
 * number; of c, its part `part`. */
uint64_t cli_npy_integer(const cli_npy *a, uint64_t i);
double cli_npy_number(const cli_npy *a, uint64_t i, uint32_t part);

/* cli_npy_rank: the number of f or c, so that those next to each other differ by 1. */
uint64_t cli_npy_rank(const cli_npy *a, uint64_t i, uint32_t part);

/* cli_npy_bytes: where element i begins. */
const unsigned char *cli_npy_bytes(const cli_npy *a, uint64_t i);

/* cli_npy_head: what stands before the values; descr: "<f4". */
void cli_npy_head(cli_buffer *out, const char *descr, uint32_t n_dims, const uint64_t *dims);

/* cli_npy_put_type: "f4[3, 8]". */
void cli_npy_put_type(cli_buffer *out, const cli_npy *a);

/* cli_npy_path: DIR/NAME.npy; bytes of the name other than letters, digits and "_.-~" as %XX. */
const char *cli_npy_path(cli_session *s, const char *dir, gsp_str name);

/* ==== zip ====
 * Archives of arrays (.npz). */

/* cli_zip_read: a file in an archive; it needs no more than 4 GiB. Returns an exit status. */
int cli_zip_read(cli_session *s, const char *path, const char *name, char **data, size_t *size);

/* ==== distance ====
 * Edit distance of two names. */

/* cli_distance: edits between two texts (insert, delete, replace), ignoring the case of letters;
 * bytes after the 63rd do not count. */
uint32_t cli_distance(gsp_str a, gsp_str b);

/* cli_distance_below: the same with regard to case, if it is below the limit, else the limit:
 * O(63 limit) at most. */
uint32_t cli_distance_below(gsp_str a, gsp_str b, uint32_t limit);

/* cli_put_near: "; near it: a, b, c", the names that are most like one that no node has; nothing
 * if there are none. */
void cli_put_near(const gsp_graph *graph, gsp_str name, cli_buffer *out);

/* ==== options ====
 * Options: the table of a command says how they are read and what --help prints. */

/* cli_options_read: fills `fields` and session->common, given, positional. Sets common.help if
 * --help is among the options. Returns an exit status. */
int cli_options_read(cli_session *s, void *fields, int argc, char **argv);

/* cli_option_bytes: the value of an option as bytes within its limits. Returns an exit status. */
int cli_option_bytes(cli_session *s, const cli_option *option, const char *value, uint64_t *out);

/* cli_bytes_read: a number of bytes, of which K, M, G, T, P, E (with or without iB) are 1024^1..6.
 * Returns 0 if it is no number (*bytes is 0) or has more than 64 bits (UINT64_MAX). */
int cli_bytes_read(gsp_str text, uint64_t *bytes);

/* cli_rate_read: --transfer-rate in bytes per second: 1GiB, else any number, which the pass checks.
 * NULL if not given. Returns an exit status. */
int cli_rate_read(cli_session *s, const char *text, uint32_t *given, double *rate);

/* cli_bytes_meant: what a text such as 16GB was meant to be, 16GiB; NULL if nothing is near. */
const char *cli_bytes_meant(cli_session *s, gsp_str text);

/* cli_options_help: the help of a pass, on session->out. */
void cli_options_help(cli_session *s, const cli_pass *pass);

/* cli_wants_colour: decided by --color, NO_COLOR and the terminal. */
int cli_wants_colour(const cli_session *s);

/* cli_one_file: the last positional as session->path; more positionals are an error. */
int cli_one_file(cli_session *s);

/* ==== json_string ====
 * Strings in JSON. */

/* cli_json_string: a quoted string; bytes that are not UTF-8 are taken as Latin-1. */
void cli_json_string(cli_buffer *b, gsp_str text);

/* cli_json_escape_sink: a gsp_sink that writes into the inside of a JSON string. */
int cli_json_escape_sink(void *buffer, const char *data, size_t size);

/* ==== markup ====
 * Texts in XML (SVG) and in DOT. */

/* cli_xml_text: a text or an attribute, at most `width` characters, clean. */
void cli_xml_text(cli_buffer *b, gsp_str text, size_t width);

/* cli_dot_text: the inside of a quoted label, clean. */
void cli_dot_text(cli_buffer *b, gsp_str text);

/* ==== chart ====
 * Charts: the head of an SVG in light and dark colours, and steps of axes. */

/* cli_chart_begin: an <svg> with its background. Classes have the colours of both modes:
 *     text, text.soft, text.mark, text.halo (above lines)
 *     text.dark, text.light (within boxes: the same in both modes)
 *     rect.row (the ground of a row), path.line (an axis), path.mark (what matters most)
 * A viewer that knows no media queries shows the light ones. */
void cli_chart_begin(cli_buffer *out, double width, double height);

/* The steps of axes: at most ten, of round numbers. */

/* cli_chart_step: 1, 2 or 5 times a power of ten. */
double cli_chart_step(double span);

/* cli_chart_seconds: the same below two minutes, then minutes, hours and days. */
double cli_chart_seconds(double span);

/* cli_chart_bytes: a power of 2, as bytes are printed. */
uint64_t cli_chart_bytes(uint64_t span);

/* ==== whole ====
 * Numbers with a fraction as integers. */

/* cli_whole: rounded down. All conversions of a double to an integer, so that none is undefined: 0
 * for a negative number and for NaN, UINT64_MAX for 2^64 or more. */
static inline uint64_t cli_whole(double value)
{
    return value < 18446744073709551616.0 ? (value > 0.0 ? (uint64_t)value : 0u)
                                          : (value > 0.0 ? UINT64_MAX : 0u);
}

/* cli_nanoseconds: seconds as nanoseconds, to the nearest. */
static inline uint64_t cli_nanoseconds(double seconds)
{
    return cli_whole(seconds * 1e9 + 0.5);
}

/* ==== size ====
 * What is known of the bytes of a value. */

typedef enum cli_size {
    CLI_SIZE_KNOWN,
    CLI_SIZE_LEAST,  /* a dimension is no number and counts as 1 */
    CLI_SIZE_UNKNOWN /* a tensor without TYPE or shape */
} cli_size;

/* cli_size_of: *symbol is the last dimension that is no number, if there is one. */
cli_size cli_size_of(const gsp_graph *graph, gsp_node node, gsp_str *symbol);

/* cli_any_least: 1 if the bytes of one of the nodes are not known. */
int cli_any_least(const gsp_graph *graph, const gsp_node *nodes, uint32_t n);

/* cli_graph_least: 1 if the bytes of an activation (params: a parameter) are not known, or those of
 * a graph that a node runs. */
int cli_graph_least(const gsp_graph *graph, int params);

/* cli_next_dim: the next dimension of "1, s0" from *at on, or 0. */
int cli_next_dim(gsp_str dims, uint32_t *at, gsp_str *dim);

/* The bytes of several values. */
typedef struct cli_sum {
    uint64_t bytes;
    int least; /* more, by those that are not known */
} cli_sum;

void cli_sum_add(cli_sum *sum, const gsp_graph *graph, gsp_node node);

/* cli_put_least: "16 B" by `put`; of a lower bound ">= 16 B", or "?" when nothing is known. */
void cli_put_least(cli_buffer *out, uint64_t bytes, int least, void (*put)(cli_buffer *, uint64_t));

/* cli_put_sum: the same of a sum. */
void cli_put_sum(cli_buffer *out, const cli_sum *sum);

/* cli_json_unknown: `"unknown_sizes": N, `, the values whose bytes are not known. */
void cli_json_unknown(cli_buffer *out, const gsp_module *module);

/* cli_unknown_sizes: 1 if the bytes of any value of the module are not known, so that no figure of
 * them proves anything. cli_put_open_sizes: "3 of 5 sizes are unknown". */
int cli_unknown_sizes(const gsp_module *module);
void cli_put_open_sizes(cli_buffer *out, const gsp_module *module);

/* cli_put_unknown: a line with the number of values without TYPE or shape, if there are any, and
 * one per node that runs a graph that the module does not have.
 * Readers of formats other than text have reported it, and so has cli_dims_tell() where dimensions
 * are unknown. */
void cli_put_unknown(cli_buffer *out, const gsp_module *module);

/* cli_put_size: the bytes of a value; ">= 16 B" and "?" where they are not known. */
void cli_put_size(cli_buffer *out, const gsp_graph *graph, gsp_node node);

/* ==== benchmark ====
 * Figures of repeated runs, and the JSON of google/benchmark, whose compare.py compares two files.
 * bench/bench.c writes with it, too: it knows no session. */

typedef struct cli_runs {
    const double *ns; /* [n] of every run, in the order in which they were made */
    uint32_t n;
    uint32_t outliers; /* runs more than 1.5 (q3 - q1) outside the quartiles (Tukey) */
    double median;
    double low, high; /* its 95 % confidence interval, from ranks: it assumes no distribution */
    double q1, q3;    /* quartiles */
} cli_runs;

/* cli_runs_of: at least one run; `sorted` has room for n. */
cli_runs cli_runs_of(const double *ns, double *sorted, uint32_t n);

typedef struct cli_benchmark {
    gsp_sink sink;
    void *user;
    int failed; /* the sink did */
    uint32_t n_entries;
} cli_benchmark;

/* cli_benchmark_begin: `context` is "" or further members of the context: ", \"seed\": 1". */
void cli_benchmark_begin(
    cli_benchmark *b, gsp_sink sink, void *user, const char *executable, const char *context);

/* cli_benchmark_row: at most 25 of the runs, at equal distances, and the median of all with its
 * figures and `counters`: ", \"nodes\": 7". The name is the inside of a JSON string. */
void cli_benchmark_row(
    cli_benchmark *b, const char *name, const cli_runs *runs, const char *counters);

void cli_benchmark_end(cli_benchmark *b);

/* ==== measure ====
 * Arenas of passes; --time and --arena. */

typedef struct cli_timing {
    uint64_t median; /* ns */
    uint64_t least;
    size_t used;   /* most bytes of the arena in use */
    cli_runs runs; /* of --time-json */
} cli_timing;

typedef gsp_status (*cli_work)(void *user, gsp_arena *arena, gsp_error *err);

/* cli_pass_arena: an arena of --arena bytes if given, else of the bound. OVERFLOW: there is no
 * bound. */
int cli_pass_arena(cli_session *s, gsp_arena *arena, size_t bound);

/* cli_measure: runs the work --time times (else once), each time from the same mark. */
gsp_status cli_measure(cli_session *s, gsp_arena *arena, cli_work work, void *user,
    cli_timing *timing, gsp_error *err);

/* cli_time_line: prints the line of --time on standard error, and keeps the document of
 * --time-json; nothing without --time. */
void cli_time_line(
    cli_session *s, uint32_t nodes, uint32_t edges, size_t bound, const cli_timing *timing);

/* cli_time_json: writes that document; refuses if nothing was measured. Returns an exit status. */
int cli_time_json(cli_session *s);

#endif
