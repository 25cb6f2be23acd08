/* What all commands of graphsplit share: the session (memory, output, failures), options, input,
 * measuring, and output as text, tables and JSON. A file format is a cli_format; a program is a
 * cli_front, which lists its formats. A program of its own, as for a format that needs libraries,
 * brings its own main() and links the rest unchanged. */
#ifndef GRAPHSPLIT_CLI_H
#define GRAPHSPLIT_CLI_H

#include "graphsplit.h"
#include "core/plan_file.h"

#include <stdarg.h>

#if defined(__GNUC__) || defined(__clang__)
#define CLI_PRINTF(at, first) __attribute__((format(printf, at, first)))
#define CLI_NORETURN          __attribute__((noreturn))
#else
#define CLI_PRINTF(at, first)
#define CLI_NORETURN
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CLI_EXIT_OK      0
#define CLI_EXIT_FAILED  1 /* a pass reports an error */
#define CLI_EXIT_USAGE   2 /* the command line cannot be read */

#define CLI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct cli_session cli_session;
typedef struct cli_piece cli_piece;

/* ---- output: everything is collected in memory and written at the end ---- */

typedef struct cli_buffer {
    cli_session *session;
    char *data;
    size_t size;
    size_t room;
    int colour; /* styles are written */
} cli_buffer;

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

/* cli_put_style: begins a style; CLI_PLAIN ends it. Nothing without colour. */
void cli_put_style(cli_buffer *b, cli_style style);

/* cli_put_styled: a text in a style. */
void cli_put_styled(cli_buffer *b, cli_style style, const char *text);

/* cli_utf8_size: bytes of the UTF-8 character at `at`; 0: none, or one that the standard
 * forbids. */
size_t cli_utf8_size(const unsigned char *at, size_t left);

/* cli_put_clipped: a text for people: control bytes and what is no UTF-8 as '?', at most `width`
 * characters. */
void cli_put_clipped(cli_buffer *b, gsp_str text, size_t width);

/* cli_put_bytes: "1.5 KiB". */
void cli_put_bytes(cli_buffer *b, uint64_t bytes);

/* cli_put_seconds: "1.25 ms". */
void cli_put_seconds(cli_buffer *b, double seconds);

/* cli_put_percent: "93.4 %" of a whole; "100 %" of nothing. Rounded so that only all is 100 %. */
void cli_put_percent(cli_buffer *b, uint64_t part, uint64_t whole);

/* cli_plural: "s" unless there is exactly one. */
const char *cli_plural(uint64_t count);

/* ---- tables ---- */

typedef struct cli_cell {
    size_t begin; /* in the text */
    size_t size;
    cli_style style;
} cli_cell;

typedef struct cli_table {
    const char *align; /* one letter a column: 'l' or 'r' */
    uint32_t n_columns;
    cli_buffer text;
    cli_cell *cells;
    size_t n_cells;
    size_t room;
} cli_table;

void cli_table_init(cli_table *t, cli_session *s, const char *align);

/* cli_table_head: the titles, separated by '|'; they make the first row. */
void cli_table_head(cli_table *t, const char *titles);

/* cli_cell_begin: starts the next cell, left to right; its text goes into the buffer that comes
 * back. */
cli_buffer *cli_cell_begin(cli_table *t, cli_style style);

/* cli_cell_put: a cell of formatted text. */
void cli_cell_put(cli_table *t, cli_style style, const char *format, ...) CLI_PRINTF(3, 4);

void cli_table_write(cli_table *t, cli_buffer *out);

/* ---- JSON ---- */

/* cli_json_string: a quoted string; bytes that are not UTF-8 are taken as Latin-1. */
void cli_json_string(cli_buffer *b, gsp_str text);

/* cli_json_escape_sink: a gsp_sink that writes into the inside of a JSON string. */
int cli_json_escape_sink(void *buffer, const char *data, size_t size);

/* cli_json_names: the names of nodes as an array. */
void cli_json_names(cli_buffer *b, const gsp_graph *graph, const gsp_node *nodes, size_t count);

/* cli_json_modules: `"modules": [{"name", "fingerprint", "text"}]`, texts as in the porcelain. */
void cli_json_modules(cli_buffer *b, const gsp_module *module);

/* ---- fingerprints (fingerprints.c) ---- */

/* cli_fingerprints: those of all graphs of a module; NULL: one of them calls itself. */
const gsp_fingerprint *cli_fingerprints(cli_session *s, const gsp_module *module);

/* cli_json_fingerprint: `"fingerprint": "..."`, null for NULL. */
void cli_json_fingerprint(cli_buffer *b, const gsp_fingerprint *print);

/* The option that prints them. */
#define CLI_FINGERPRINTS(offset)                                                          \
    {                                                                                     \
        "--fingerprints", NULL, CLI_FLAG, offset, 0, 0,                                   \
            "for people: which pieces are one program under other names, to compile once" \
    }

/* cli_put_programs: for people, which of the graphs first, first + 1, ... of a module are the same
 * program. */
void cli_put_programs(cli_buffer *out, const gsp_module *module, uint32_t first, uint32_t count);

/* ---- porcelain ---- */

/* cli_porcelain_names: " NAME" for every node, then the end of the line. */
void cli_porcelain_names(cli_buffer *b, const gsp_graph *graph, const gsp_node *nodes,
                         size_t count);

/* cli_porcelain_modules: the graphs of a module without annotations, placeholders first. */
void cli_porcelain_modules(cli_buffer *b, const gsp_module *module);

/* ---- options ---- */

typedef enum cli_option_kind {
    CLI_FLAG,   /* uint32_t: 1 */
    CLI_NUMBER, /* uint64_t, at least `least`, at most `most` */
    CLI_BYTES,  /* the same as cli_bytes_read() takes it: 65536, 32MiB, 1.5G, 1e9 */
    CLI_STRING, /* const char * */
    CLI_CHOICE, /* uint32_t: index of the word in `value`, "error|demote" */
    CLI_MAYBE,  /* cli_maybe: --name or --name=VALUE */
    CLI_LIST    /* kept in order in session->given */
} cli_option_kind;

/* Help; a program that shows none is smaller without it: of each text there is room for a byte. */
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
    const char *value; /* NULL: without */
} cli_maybe;

typedef struct cli_given {
    const cli_option *option;
    const char *value;
} cli_given;

typedef struct cli_common {
    uint32_t help;
    uint32_t porcelain;
    uint32_t json;
    uint32_t all;
    uint32_t colour; /* auto, always, never */
    uint64_t time;
    uint64_t arena; /* UINT64_MAX: not given */
} cli_common;

typedef struct cli_pass {
    const char *name;
    const char *usage;   /* "[options] FILE" */
    const char *summary; /* one line */
    cli_help about;      /* what stands in the help after the options */
    const cli_option *options;
    size_t n_options;
    int (*run)(cli_session *s, int argc,
               char **argv); /* the arguments after the name of the pass */
} cli_pass;

/* cli_options_read: fills `fields` and session->common, given, positional. Returns an exit status;
 * when --help was among the options, common.help is set. */
int cli_options_read(cli_session *s, void *fields, int argc, char **argv);

/* cli_bytes_read: a number of bytes, of which K, M, G, T, P, E (with or without iB) are 1024^1..6.
 * 0: it is none, or more than 64 bits hold. */
int cli_bytes_read(gsp_str text, uint64_t *bytes);

/* cli_options_help: the help of a pass, on session->out. */
void cli_options_help(cli_session *s, const cli_pass *pass);

/* cli_wants_colour: what --color, NO_COLOR and the terminal say together. */
int cli_wants_colour(const cli_session *s);

/* cli_one_file: the last positional as session->path; anything before it is an error. */
int cli_one_file(cli_session *s);

/* cli_distance: edits between two texts (insert, delete, replace), bytes beyond 63 ignored. */
uint32_t cli_distance(gsp_str a, gsp_str b);

/* ---- session ---- */

/* What a file format brings: how a file becomes a module, and what a piece is in it. */
typedef struct cli_format {
    const char *ending; /* of its files: ".fx"; NULL: any file that no other format takes */
    const char *suffix; /* of pieces that --emit writes: ".fx" */

    /* session->path into session->module, which lies in memory of the session. A failure is told
     * by cli_error() or cli_usage_error(); returns an exit status. */
    int (*load)(cli_session *s);

    /* The bytes of the file of a piece. Returns an exit status. */
    int (*piece)(cli_session *s, const cli_piece *piece, cli_buffer *out);

    /* The rest may be NULL or 0. */
    int (*has_data)(const cli_piece *piece);             /* a file path + ".data" belongs to it */
    int (*data)(cli_session *s, const cli_piece *piece); /* writes that file */
    int (*tensor)(const gsp_graph *graph, gsp_node v, uint32_t i, gsp_str *name);
    uint32_t holds_parameters; /* pieces hold the parameters that they read */
    /* In this graph the node is an input or output that the graph as loaded calls `original`;
     * `element`: one of its elements, GSP_NONE: all of it. */
    void (*stands_for)(const gsp_graph *graph, gsp_node v, gsp_str original, uint32_t element);
} cli_format;

/* A program: its formats, of which the first that takes a file reads it. */
typedef struct cli_front {
    const char *program;
    const char *about; /* one sentence for --help */
    const cli_format *const *formats;
    size_t n_formats;
} cli_front;

/* Graph text (text.c): takes any file. */
extern const cli_format cli_text_format;
int cli_text_piece(cli_session *s, const cli_piece *piece, cli_buffer *out);

/* cli_graph_read: a file as graph text; an error that says so for a model in another format. */
int cli_graph_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_check_returned: tells names behind `return` that no node has (returned.c). */
void cli_check_returned(cli_session *s);

/* cli_check_writes: tells nodes that have to wait for others because of what is written (mutates=,
 * barrier=) and run in an earlier piece (writes.c). piece: [n] of callable nodes, by the order in
 * which pieces run; GSP_NONE: others. */
void cli_check_writes(cli_session *s, const gsp_graph *graph, const uint32_t *piece);

/* TensorFlow Lite models (tflite_format.c). */
extern const cli_format cli_tflite_format;

typedef struct cli_block cli_block;

struct cli_session {
    const cli_front *front;
    const cli_pass *pass; /* NULL before one is chosen */
    cli_common common;
    cli_given *given;
    size_t n_given;
    const char **positional;
    size_t n_positional;
    const char *path;         /* of the input */
    const cli_format *format; /* of the input, once it is loaded */
    cli_buffer out;           /* standard output */
    cli_block *blocks;
    char *text; /* of the input, where that is graph text */
    size_t text_size;
    gsp_module module;
    uint32_t main_alone;        /* only the main graph is wanted, with what text can say of it */
    uint64_t started;           /* for the progress line */
    const char *progress_shown; /* what it says, NULL: nothing */
    int progress_wanted;
    int stdin_is_taken; /* '-' has been read */
};

void cli_session_init(cli_session *s, const cli_front *front);
void cli_session_end(cli_session *s);

/* cli_alloc: zeroed memory that lives as long as the session; does not return without it. */
void *cli_alloc(cli_session *s, size_t count, size_t size);

/* cli_grow: a block of the session (or NULL) with more room. */
void *cli_grow(cli_session *s, void *block, size_t size);

/* cli_release: gives a block back early. */
void cli_release(cli_session *s, void *block);

/* cli_copy: the bytes of a text with a NUL behind them. */
char *cli_copy(cli_session *s, gsp_str text);

/* cli_usage_error: one sentence and a hint on standard error. Returns CLI_EXIT_USAGE. */
int cli_usage_error(cli_session *s, const char *format, ...) CLI_PRINTF(2, 3);

/* cli_error: drops the output so far for `error NAME` (porcelain) or its JSON, and says one
 * sentence on standard error. Returns CLI_EXIT_FAILED. */
int cli_error(cli_session *s, gsp_status status, const char *format, ...) CLI_PRINTF(3, 4);

/* cli_text_error: a text that cannot be read, as path:line:column. Returns CLI_EXIT_FAILED. */
int cli_text_error(cli_session *s, const char *path, gsp_str text, const gsp_error *err);

/* cli_text_wrong: likewise, with a sentence of the program's own. */
int cli_text_wrong(cli_session *s, const char *path, gsp_str text, const gsp_error *err,
                   const char *sentence);

/* cli_pass_error: what a library call on `graph` said. Returns CLI_EXIT_FAILED. */
int cli_pass_error(cli_session *s, const gsp_graph *graph, const gsp_error *err);

/* cli_write_file: a whole file; a failure is told and leaves none. Returns an exit status. */
int cli_write_file(cli_session *s, const char *path, const cli_buffer *content);

/* ---- input ---- */

/* cli_is_file: it can be opened. */
int cli_is_file(const char *path);

/* cli_file_read: a text, "-" for standard input, with a NUL behind it; as far as a text can go. */
int cli_file_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_binary_read: all bytes of a file, likewise. */
int cli_binary_read(cli_session *s, const char *path, char **data, size_t *size);

/* cli_choose_format: sets session->format by the ending of session->path. */
void cli_choose_format(cli_session *s);

/* cli_load: session->path into session->module, in whatever format it is. */
int cli_load(cli_session *s);

/* cli_load_main: the same for a pass that takes the main graph and is about to print. */
int cli_load_main(cli_session *s, gsp_graph *graph, gsp_counts *counts);

/* cli_list_spec: the text behind a SPEC, which is `NAME,NAME` or `@FILE`; sets `*path` for a
 * file. */
int cli_list_spec(cli_session *s, const char *spec, gsp_str *text, const char **path);

/* cli_list_next: the next word of a list from `*at`: ends at blanks and commas; a comment reaches
 * to the end of its line. Empty: there is none. */
gsp_str cli_list_next(gsp_str list, uint32_t *at);

/* ---- nodes by name, assignments ---- */

typedef struct cli_name {
    gsp_str name;
    gsp_node node;
} cli_name;

typedef struct cli_names {
    cli_name *entries; /* sorted by bytes */
    uint32_t n;
} cli_names;

void cli_names_make(cli_session *s, const gsp_graph *graph, cli_names *names);

/* cli_integer: a decimal with or without a sign; 0: it is none, or has more than 64 bits. */
int cli_integer(gsp_str text, int64_t *number);

/* cli_names_find: GSP_NONE: there is no such node. */
gsp_node cli_names_find(const cli_names *names, gsp_str name);

typedef struct cli_assign {
    uint32_t *part_of; /* [n] index into numbers, GSP_NONE: not assigned */
    int64_t *numbers;  /* [n_parts] ascending */
    uint32_t n_parts;
} cli_assign;

/* cli_assign_read: all `--assign NODE=K,...` among the options. */
int cli_assign_read(cli_session *s, const gsp_graph *graph, cli_assign *out);

/* ---- operator lists that are part of the program (ops.c, operator_lists.c) ---- */

typedef struct cli_operator_list {
    const char *name;         /* "ethos-u55"; NULL behind the last */
    const char *const *lines; /* with their ends; NULL behind the last */
} cli_operator_list;

extern const cli_operator_list cli_operator_lists[];

/* cli_operators_find, _near: the list of that name; the one that may have been meant; or NULL. */
const cli_operator_list *cli_operators_find(gsp_str name);
const cli_operator_list *cli_operators_near(gsp_str name);

/* cli_operators_text: a list as an operator file. */
void cli_operators_text(const cli_operator_list *list, cli_buffer *out);

/* cli_operators_put: all lists and their sources, on session->out. */
int cli_operators_put(cli_session *s);

/* cli_operators_unknown: says that there is no such list. Returns CLI_EXIT_USAGE. */
int cli_operators_unknown(cli_session *s, const char *name);

/* ---- placing: which node may run where, for every pass that places nodes ---- */

/* clang-format off */
#define CLI_PLACE_OPTIONS                                                                          \
    {"--acc-ops", "OPS", CLI_LIST, 0, 0, 0,                                                        \
     "operators that the accelerator takes: a LIST such as ethos-u55 ('ops' prints them), "        \
     "NAME,NAME or @FILE (below); short for --accelerator acc=OPS"},                               \
    {"--accelerator", "NAME[=OPS]", CLI_LIST, 0, 0, 0,                                             \
     "an accelerator and its operators; several, in order of priority: a node goes to the first "  \
     "that takes it"},                                                                             \
    {"--acc-nodes", "NODES", CLI_LIST, 0, 0, 0,                                                    \
     "nodes for the (first) accelerator, whatever its operators: NAME,NAME or @FILE; * and ? " \
      "match"}, \
    {"--cpu-nodes", "NODES", CLI_LIST, 0, 0, 0, "nodes for the CPU, likewise"},                    \
    {"--pin", "KIND:WHAT:LIST", CLI_LIST, 0, 0, 0,                                                 \
     "KIND cpu or an accelerator; WHAT name, scope (a module path and all below it) or target. " \
      "The " \
     "last pin that matches wins over everything else"}
/* clang-format on */

/* Text about operator and pin lists for the help of passes that have CLI_PLACE_OPTIONS. */
#define CLI_PLACE_ABOUT                                                                            \
    "\nLists: NAME,NAME or @FILE ('@-' is standard input). OPS may also be or hold the name of a " \
    "LIST\n"                                                                                       \
    "  of the program: see 'ops'.\n"                                                               \
    "  An operator file has one operator a line: NAME, NAME* (a prefix), NAME i8,qi8 (only with\n" \
    "  these types of tensors), !NAME (takes it out again), # comments. The name of an operator "  \
    "is\n"                                                                                         \
    "  its target, of a called module its class. The last line that speaks of a node decides.\n"   \
    "  A file of nodes has names between blanks, commas or line ends, # comments.\n"               \
    "  Pins win over acc= of the graph, acc= wins over operators. Without operators a node is\n"   \
    "  supported where acc= says so. A pin without * and ? must name a called node.\n"             \
    "  A call of a graph goes where all nodes of that graph go.\n"

/* An operator that the options name. */
typedef struct cli_wanted {
    gsp_str name;
    const char *path; /* the file or list where it stands; NULL: the command line */
    int is_list;      /* of the program */
} cli_wanted;

typedef struct cli_place {
    uint32_t n_kinds;   /* the CPU included */
    const char **names; /* [n_kinds] "cpu", then the accelerators */
    gsp_accelerator *accelerators;
    gsp_pin *pins;
    const cli_given **pin_from; /* [n_pins] for messages */
    cli_wanted *wanted;         /* [n_wanted] in order */
    uint32_t n_wanted;
    gsp_support_desc desc;
} cli_place;

/* cli_place_read: accelerators and pins from the options. */
int cli_place_read(cli_session *s, cli_place *place);

/* cli_place_run: gsp_support_run() in memory of its own. */
int cli_place_run(cli_session *s, const cli_place *place, const gsp_graph *graph,
                  gsp_placement *out);

/* cli_place_calls: a call of a graph goes where all nodes of that graph go, and so does what takes
 * its results apart, unless pins, acc= or operators speak of it. */
int cli_place_calls(cli_session *s, const cli_place *place, const gsp_graph *graph,
                    gsp_placement *io);

/* cli_place_check: says which of the user's operators and pins no node answers to, where that
 * helps. An error for a word that is almost the name of a list, or names a file. */
int cli_place_check(cli_session *s, const cli_place *place, const gsp_graph *graph);

/* cli_place_near: what a pin that names nothing may have meant, as the end of a sentence. */
void cli_place_near(cli_session *s, const cli_place *place, const gsp_graph *graph,
                    const gsp_pin *pin, cli_buffer *out);

/* ---- plan files: assignments saved by name ---- */

typedef struct cli_plan {
    cli_plan_text plan;
    cli_plan_match on; /* a graph */
} cli_plan;

/* cli_plan_save: an assignment as a file. */
int cli_plan_save(cli_session *s, const char *path, const gsp_graph *graph,
                  const cli_plan_desc *desc);

/* cli_plan_read: a plan from a file. */
int cli_plan_read(cli_session *s, const char *path, cli_plan_text *plan);

/* cli_plan_load: and applied to a graph; what no longer matches is told on standard error. */
int cli_plan_load(cli_session *s, const char *path, const gsp_graph *graph, cli_plan *plan);

/* cli_plan_numbers: the names of its pieces as numbers; 0: some are none, and pieces are numbered
 * from 0 as they stand. */
int cli_plan_numbers(const cli_plan_text *plan, int64_t *numbers);

/* ---- measuring ---- */

typedef struct cli_timing {
    uint64_t median; /* ns */
    uint64_t least;
    size_t used; /* bytes of the arena touched */
} cli_timing;

typedef gsp_status (*cli_work)(void *user, gsp_arena *arena, gsp_error *err);

/* cli_arena: an arena of exactly so many bytes. */
void cli_arena(cli_session *s, gsp_arena *arena, size_t bytes);

/* cli_pass_arena: of --arena bytes if given, else of the bound. OVERFLOW when there is no bound. */
int cli_pass_arena(cli_session *s, gsp_arena *arena, size_t bound);

/* cli_measure: runs the work as often as --time says (once without), each time from the same
 * mark. */
gsp_status cli_measure(cli_session *s, gsp_arena *arena, cli_work work, void *user,
                       cli_timing *timing, gsp_error *err);

/* cli_time_line: the line of --time on standard error; nothing without --time. */
void cli_time_line(cli_session *s, uint32_t nodes, uint32_t edges, size_t bound,
                   const cli_timing *timing);

/* ---- progress: one line on a terminal, when the work takes longer than a moment ---- */

/* cli_progress: `what` is a literal; saying the same again costs nothing. */
void cli_progress(cli_session *s, const char *what);

/* cli_progress_line: a whole line that changes; the caller sees to it that it is not too often. */
void cli_progress_line(cli_session *s, const char *line);

void cli_progress_end(cli_session *s);

/* ---- pieces on disk: --emit ---- */

typedef struct cli_bind {
    gsp_str inner;
    gsp_str outer;
} cli_bind;

struct cli_piece {
    const char *name;
    const char *kind;   /* "cpu", an accelerator, "root" for what is outside of all submodules */
    const char *device; /* NULL: none */
    gsp_graph graph;
    char *path; /* filled by cli_emit() */
    cli_buffer content;
    const cli_piece *same;    /* an earlier piece, whose file this one shares; or NULL */
    const cli_piece *made_of; /* not NULL: not a piece, but all of these in one file */
    size_t n_made_of;
    const cli_bind *bind; /* [n_bind] what the names of inputs and outputs inside stand for */
    uint32_t n_bind;
};

/* cli_emit_parameters: adds a piece "root" that returns the marked get_attr nodes, if there are
 * any. Where pieces hold their parameters, only those that the graph returns, and those marked
 * with 2. */
int cli_emit_parameters(cli_session *s, const gsp_graph *whole, const uint8_t *kept,
                        cli_piece *pieces, size_t *n_pieces);

/* cli_tensor: the i-th name by which files know the value of a node; 0: it has no more. A format
 * may have several for one node, or none for a parameter. */
int cli_tensor(const cli_session *s, const gsp_graph *graph, gsp_node v, uint32_t i, gsp_str *name);

/* cli_has_data: a file of this name and ".data" belongs to the piece. */
int cli_has_data(const cli_session *s, const cli_piece *piece);

/* cli_emit: a file a piece and DIR/manifest.json, all or nothing; pieces of an earlier run that are
 * not written again are removed. The pieces stand in an order in which they can run; `whole` is the
 * graph that was cut. */
int cli_emit(cli_session *s, const char *dir, const gsp_graph *whole, cli_piece *pieces,
             size_t n_pieces);

/* The pieces that an earlier run has left in a directory (earlier.c). */
typedef struct cli_earlier {
    gsp_str *names; /* [n] of files, some of them often */
    uint32_t n;
} cli_earlier;

/* cli_earlier_read: what a manifest lists, nothing when there is none. An error for one that lists
 * no pieces, and when the model that is read is one of them. */
int cli_earlier_read(cli_session *s, const char *dir, const char *manifest, cli_earlier *earlier);

/* cli_earlier_remove: those of them that are no files of `pieces`, and says so. */
void cli_earlier_remove(cli_session *s, const char *dir, const cli_earlier *earlier,
                        const cli_piece *pieces, size_t n_pieces);

/* ---- what differs between systems ---- */

int cli_is_terminal(int number);        /* 1: standard output, 2: standard error */
uint64_t cli_now(void);                 /* ns of a clock that only goes forward */
int cli_make_dir(const char *path);     /* 0: it is there now; 1: made; -1: failed */
void cli_remove_file(const char *path); /* but no device, link or directory of that name */
void cli_remove_dir(const char *path);

/* cli_is_same_file: both names lead to one file, which is there. */
int cli_is_same_file(const char *a, const char *b);
void cli_binary_streams(void);

/* cli_map: the bytes of a file of at least so many without reading them all, until the program
 * ends; NULL: a smaller file, or it cannot be. */
const char *cli_map(const char *path, size_t least, size_t *size);

/* ---- program ---- */

int cli_main(const cli_front *front, int argc, char **argv);

extern const cli_pass cli_diff_pass;
extern const cli_pass cli_emit_c_pass;
extern const cli_pass cli_memory_pass;
extern const cli_pass cli_module_pass;
extern const cli_pass cli_ops_pass;
extern const cli_pass cli_preview_pass;
extern const cli_pass cli_partition_pass;
extern const cli_pass cli_read_pass;
extern const cli_pass cli_run_pass;
extern const cli_pass cli_split_pass;
extern const cli_pass cli_pipe_pass;
extern const cli_pass cli_dedup_pass;

#ifdef __cplusplus
}
#endif

#endif
