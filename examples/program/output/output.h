/* What commands have in common when they write. A section per file of this folder, from the bottom
 * up. */
#ifndef CLI_OUTPUT_OUTPUT_H
#define CLI_OUTPUT_OUTPUT_H

#include "core/core.h"
#include "examples/extra/graphsplit_fingerprint.h"
#include "examples/extra/graphsplit_origin.h"
#include "input/input.h"

/* ==== earlier ====
 * Parts of an earlier run in the directory of --emit. */

/* The files of an earlier run in a directory (earlier.c). */
typedef struct cli_earlier {
    gsp_str *names; /* [n] files, some of them repeated */
    uint32_t n;
    int is_there;      /* there is a manifest */
    uint8_t stands[2]; /* 1 if the parts are in that stage (emit.c), as that run ended early */
} cli_earlier;

/* cli_stage: the name of a stage, a directory within that of --emit. */
const char *cli_stage(uint32_t number);

/* cli_stage_check: an error if an input is in the stage, all of which is removed. */
int cli_stage_check(cli_session *s, const char *dir, uint32_t number);

/* cli_earlier_read: the files that a manifest lists; none if there is no manifest. An error if it
 * lists no parts, or if one of them is an input. */
int cli_earlier_read(cli_session *s, const char *dir, const char *manifest, cli_earlier *earlier);

/* cli_earlier_remove: removes and reports those that are none of these files. */
void cli_earlier_remove(cli_session *s, const char *dir, const cli_earlier *earlier,
    const char *const *files, size_t n_files);

/* cli_has_data: the part also has a file of its name and ".data". */
int cli_has_data(const cli_session *s, const cli_part *part);

/* cli_fill: the whole file of a part whose format left large data where they were; else `content`
 * itself. Returns an exit status. */
int cli_fill(cli_session *s, const cli_buffer *content, cli_buffer *whole);

/* ==== values ====
 * Values that pass between parts. */

/* cli_tensor: the i-th name of a node's value in files; 0 after the last. A format may have several
 * for one node, or none for a parameter. */
int cli_tensor(const cli_session *s, const gsp_graph *graph, gsp_node v, uint32_t i, gsp_str *name);

/* cli_outside: the name outside of a part for a name in its file. */
gsp_str cli_outside(const cli_part *part, gsp_str name);

/* cli_compare_text: below, equal to or above 0, by bytes. */
int cli_compare_text(gsp_str a, gsp_str b);

/* cli_is_inside: an input of a part is a parameter of the graph that was cut, which the model of
 * the part holds. names: of that graph. */
int cli_is_inside(
    const cli_names *names, const gsp_graph *whole, const cli_part *part, gsp_str name);

/* cli_put_values: `"values"` of the manifest, each value of the graph and of parts once. */
void cli_put_values(cli_session *s, const gsp_graph *whole, const cli_names *names,
    const cli_part *parts, size_t n_parts, cli_buffer *out);

/* ==== emit ====
 * Parts on disk: --emit. */

#define CLI_EMIT_SUBMODULES(offset) \
    { \
        "--emit", "DIR", CLI_STRING, offset, 0, 0, \
            "write one file per submodule and manifest.json into DIR" \
    }
#define CLI_RETURN_TUPLE(offset) \
    { \
        "--return-tuple", NULL, CLI_FLAG, offset, 0, 0, \
            "submodules return a tuple even for one value" \
    }

/* cli_emit_parameters: adds a part "root" that returns the marked get_attr nodes, if there are
 * any. Where parts hold their parameters, only those that the graph returns, and those marked
 * with 2. */
int cli_emit_parameters(
    cli_session *s, const gsp_graph *whole, const uint8_t *kept, cli_part *parts, size_t *n_parts);

/* cli_emit_root: the same for the get_attr nodes that split_module leaves in the root. */
int cli_emit_root(cli_session *s, const gsp_graph *whole, const gsp_split_module_result *made,
    cli_part *parts, size_t *n_parts);

/* cli_part_origins: [nodes of the made module] from gsp_split_module_origins(). */
const gsp_origin *cli_part_origins(
    cli_session *s, const gsp_graph *whole, const gsp_split_module_result *made);

/* cli_part_make: the path and the content of the file of a part, whose stem is set, or why it
 * cannot be written. cli_part_write_files: writes it, with its data and its model. */
int cli_part_make(cli_session *s, cli_part *part, const char *dir);
int cli_part_write_files(cli_session *s, const cli_part *part, const char *dir);

/* cli_emit: one file per part and DIR/manifest.json, which lists either the old files or the new
 * ones, even if the program is ended. Removes parts of earlier runs that are not written again. The
 * parts are in an order in which they can run; `whole` is the graph that was cut. */
int cli_emit(
    cli_session *s, const char *dir, const gsp_graph *whole, cli_part *parts, size_t n_parts);

/* ==== members ====
 * One arena for all parts. */

/* cli_members: [n_parts] cli_part.members: the arena, and the offsets of the tensors that the nodes
 * of a part yield or read, as the parts run in order. nodes: callable nodes by part. NULLs if sizes
 * are wrong. */
const char **cli_members(cli_session *s, const gsp_graph *graph, const uint32_t *part_of,
    const gsp_node *nodes, const uint32_t *begin, uint32_t n_parts);

/* ==== calls ====
 * Parts of a deduplicated module: --emit of `dedup`, and of `split --blocks`. */

/* A part per call, and parts of the other nodes. */
typedef struct cli_call_parts {
    uint32_t n_parts;
    const uint32_t *part_of;    /* [nodes of the root] of callable nodes */
    const char *const *names;   /* [n_parts] */
    const char *const *kinds;   /* [n_parts] */
    const char *const *members; /* [n_parts] cli_part.members */
} cli_call_parts;

/* cli_emit_calls: the parts of a deduplicated graph, those of the calls of a subgraph with one
 * file; given NULL: each run of nodes between calls is a part. Returns an exit status. */
int cli_emit_calls(cli_session *s, const char *dir, const gsp_graph *graph,
    const gsp_dedup_result *result, const cli_call_parts *given);

/* ==== sets ====
 * Any set of nodes as a model of its own. */

typedef struct cli_set {
    const gsp_graph *graph;
    uint8_t *is_member; /* [nodes] */
    uint8_t *is_wanted; /* [nodes] its outputs */
    gsp_node *place;    /* [nodes] in it */
} cli_set;

/* cli_unpacked: the node that a getitem unpacks; GSP_NONE for any other node. */
gsp_node cli_unpacked(const gsp_graph *g, gsp_node v);

/* cli_set_make: an empty set. */
void cli_set_make(cli_session *s, const gsp_graph *graph, cli_set *set);

/* cli_set_mark: its outputs are what others read of its members; returns 0 if that is nothing. */
int cli_set_mark(cli_set *set);

/* cli_set_graph: the graph of the members, which yields the outputs. Returns an exit status. */
int cli_set_graph(cli_session *s, cli_set *set, gsp_graph *out);

/* cli_set_model: writes it into a directory, and says as which file. Returns an exit status. */
int cli_set_model(cli_session *s, const gsp_graph *piece, const char *dir, const char **model);

/* ==== file_names ====
 * Names of files from names of parts. */

/* cli_file_names: fills `stem` of all parts: the name of the part, where it is a file name.
 * Separators, control characters and what is no UTF-8 become '_', a first dot too. A name that is
 * reserved, or that an earlier part has (upper and lower case are the same), ends in '_' and the
 * part's number. */
void cli_file_names(cli_session *s, cli_part *parts, size_t n_parts);

/* cli_file_folded: a copy in lower case, since some systems do not distinguish case in names. */
char *cli_file_folded(cli_session *s, gsp_str name);

/* ==== fingerprints ====
 * Parts that are the same program under other names. */

/* cli_fingerprints: the fingerprints of all graphs of a module; NULL if one of them calls
 * itself. */
const gsp_fingerprint *cli_fingerprints(cli_session *s, const gsp_module *module);

/* cli_json_fingerprint: `"fingerprint": "..."`, or null. */
void cli_json_fingerprint(cli_buffer *b, const gsp_fingerprint *print);

/* The option that prints fingerprints. */
#define CLI_FINGERPRINTS(offset) \
    { \
        "--fingerprints", NULL, CLI_FLAG, offset, 0, 0, \
            "for people: which graphs are the same program under other names, to be compiled once" \
    }

/* cli_put_programs: for people, which of the graphs first, first + 1, ... of a module are the same
 * program. */
void cli_put_programs(cli_buffer *out, const gsp_module *module, uint32_t first, uint32_t count);

/* ==== json ====
 * Shared by the JSON documents of all passes. */

/* cli_json_names: the names of nodes as an array. */
void cli_json_names(cli_buffer *b, const gsp_graph *graph, const gsp_node *nodes, size_t count);

/* cli_json_modules: `"modules": [{"name", "fingerprint", "text"}]`, texts as in the porcelain. */
void cli_json_modules(cli_buffer *b, const gsp_module *module);

/* ==== models ====
 * Models of parts, for formats whose parts are graph text besides. */

/* cli_models_find: which parts have a model; appends the names of their files, and says which part
 * has none and why. Returns an exit status. */
int cli_models_find(
    cli_session *s, cli_part *parts, size_t n_parts, const char **files, size_t *n_files);

/* cli_model_name: the file of a model, after `dir` if given; NULL if the part has none. */
char *cli_model_name(cli_session *s, const cli_part *part, const char *dir);

/* cli_model_write: writes it, if there is one. Returns an exit status. */
int cli_model_write(cli_session *s, const cli_part *part, const char *dir);

/* cli_emit_model: the module of the session as a file of the format that its ending names; `graph`:
 * the one that was changed, or NULL. Returns an exit status. */
int cli_emit_model(cli_session *s, const char *path, const char *graph);

/* ==== net_write ====
 * A graph in a format of partitioners. */

/* cli_net_write: the called nodes of a graph, by their numbers if it comes from such a format,
 * else in graph order. Says on standard error what the format cannot hold. Returns an exit
 * status. */
int cli_net_write(cli_session *s, const gsp_graph *graph, cli_net_kind kind, cli_buffer *out);

/* ==== part_file ====
 * --part: the part of every node, one integer per line. */

#define CLI_PART_FILE(offset) \
    { \
        "--part", "FILE", CLI_STRING, offset, 0, 0, \
            "write the part of every called node in graph order, one integer per line (.part " \
            "files of METIS and others)" \
    }

/* cli_part_write: nothing without a path. Returns an exit status. */
int cli_part_write(
    cli_session *s, const char *path, const gsp_graph *graph, const uint32_t *part_of);

/* ==== macs ====
 * Multiply-accumulates, in reports and documents. */

/* cli_put_macs_percent: the share of MACs on accelerators; ? if some are not known, - if there are
 * none. */
void cli_put_macs_percent(cli_buffer *out, const cli_macs_share *share);

/* cli_put_macs: "99.8 % of 1.24 billion MACs", and what is not known; nothing if that is all. */
void cli_put_macs(cli_buffer *out, const char *before, const cli_macs_share *share);

/* cli_put_macs_of: " (12.5 % of MACs)" for a kind; nothing if there are no MACs. */
void cli_put_macs_of(cli_buffer *out, const cli_macs_share *share, uint32_t kind);

/* cli_put_macs_unknown: "MACs of 2 nodes are not known: no rule for ..."; nothing if all are. */
void cli_put_macs_unknown(cli_buffer *out, const char *before, const cli_macs_share *share);

/* cli_put_macs_total: "1.24 billion MACs", and what is not known. */
void cli_put_macs_total(cli_buffer *out, const cli_macs_share *share);

/* cli_json_macs: a member "macs" without a comma, with those of each kind. */
void cli_json_macs(
    cli_buffer *out, const cli_macs_share *share, const char *const *names, uint32_t n_kinds);

/* ==== people ====
 * Shared by the reports for people. */

/* cli_put_heading: a title after an empty line, with a note (or NULL). */
void cli_put_heading(cli_buffer *out, const char *title, const char *note);

/* cli_rows: how many of n rows to show: all with --all, else at most `most`. */
uint32_t cli_rows(const cli_session *s, uint32_t n, uint32_t most);

/* cli_put_rest: the number of rows not shown; `what` names them, or NULL. */
void cli_put_rest(cli_buffer *out, uint32_t n, uint32_t shown, const char *what);

/* cli_kind_style: the colour of the CPU or of an accelerator. */
cli_style cli_kind_style(uint32_t kind);

/* ==== porcelain ====
 * Shared by the porcelain of all passes. */

/* cli_porcelain_names: " NAME" for every node, then a newline. */
void cli_porcelain_names(
    cli_buffer *b, const gsp_graph *graph, const gsp_node *nodes, size_t count);

/* cli_porcelain_modules: the graphs of a module without annotations, placeholders first. */
void cli_porcelain_modules(cli_buffer *b, const gsp_module *module);

/* ==== table ====
 * Tables for people. */

typedef struct cli_cell {
    size_t begin; /* in the text */
    size_t size;
    cli_style style;
} cli_cell;

#define CLI_TABLE_WIDTH 100u

typedef struct cli_table {
    const char *align; /* one letter per column: 'r', 'l', or 'k': left, and kept whole */
    uint32_t n_columns;
    cli_buffer text;
    cli_cell *cells;
    size_t n_cells;
    size_t room;
} cli_table;

void cli_table_init(cli_table *t, cli_session *s, const char *align);

/* cli_table_head: the titles, separated by '|', as the first row. */
void cli_table_head(cli_table *t, const char *titles);

/* cli_cell_begin: starts the next cell, left to right; returns the buffer for its text. */
cli_buffer *cli_cell_begin(cli_table *t, cli_style style);

/* cli_cell_put: a cell of formatted text. */
void cli_cell_put(cli_table *t, cli_style style, const char *format, ...) CLI_PRINTF(3, 4);

/* cli_table_write: texts are clipped to fit CLI_TABLE_WIDTH columns, unless --all is given. */
void cli_table_write(cli_table *t, cli_buffer *out);

/* ==== times ====
 * Times in reports, in the unit that --time-unit chose. */

/* cli_times_word: the unit as --time-unit takes it. */
const char *cli_times_word(const cli_times *times);

/* cli_put_time: "1.5 ms", or "3 nodes". */
void cli_put_time(cli_buffer *out, const cli_times *times, double seconds);

/* cli_put_times: a line that says where times come from, or how to give those that are missing.
 * known: some time is not 0. */
void cli_put_times(
    cli_buffer *out, const cli_times *times, const gsp_graph *graph, int memory, int known);

/* cli_put_open_figures: "2 of 4 times are unknown", of `called` nodes, and of a module how many
 * sizes are; module: NULL where no size counts. */
void cli_put_open_figures(
    cli_buffer *out, const gsp_module *module, uint32_t untimed, uint32_t called);

/* ==== writes ====
 * Nodes that write, and the order in which parts run. */

#define CLI_IGNORE_WRITES(offset) \
    { \
        "--ignore-writes", NULL, CLI_FLAG, offset, 0, 0, \
            "values alone order the nodes, as in PyTorch; without it, nodes with mutates= or " \
            "barrier= keep their order" \
    }

/* cli_order_writes: unless `ignore`, passes keep nodes in order that depend on others by mutates=
 * or barrier=. Returns an exit status. */
int cli_order_writes(cli_session *s, gsp_graph *graph, uint32_t ignore);

/* cli_check_writes: finds nodes that run in an earlier part than what they depend on: a warning if
 * writes are ignored, else an error. part: [n] of callable nodes, numbered in the order in which
 * parts run; GSP_NONE for other nodes. Returns an exit status. */
int cli_check_writes(cli_session *s, const gsp_graph *graph, const uint32_t *part);

/* cli_find_dependences: 0 if nothing depends on a write; 1 if some node does, or `err` says why
 * that is unknown. */
int cli_find_dependences(
    cli_session *s, const gsp_graph *g, gsp_dependences *dependences, gsp_error *err);

/* ==== held ====
 * Attributes and modules of which parts hold copies. */

typedef struct cli_named_parts {
    const uint32_t *part_of; /* [n] GSP_NONE for none */
    const uint8_t *kind;     /* [parts] of one memory each; NULL: every part has its own */
    char *const *names;      /* [parts] */
    const uint32_t *home; /* [n] of an attribute the part that sends it to the others, or GSP_NONE;
                                NULL: each part has its own */
} cli_named_parts;

/* cli_tell_modules: lines on standard error about modules that a part writes and a part of another
 * kind calls, or of which it reads an attribute. */
void cli_tell_modules(cli_session *s, const gsp_graph *graph, const cli_named_parts *parts);

/* cli_tell_attributes: the same, and lines about attributes that a part writes and a part of
 * another kind reads as an attribute, or by a module that holds it. */
void cli_tell_attributes(cli_session *s, const gsp_graph *graph, const cli_named_parts *parts);

#endif
