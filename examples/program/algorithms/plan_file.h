/* Plans: assignments as text, by name. */
#ifndef CLI_ALGORITHMS_PLAN_FILE_H
#define CLI_ALGORITHMS_PLAN_FILE_H

#include "graphsplit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The text of a plan, to be edited by hand:
 *
 *     plan 1                       first, before all but blank lines and comments
 *     [_run_on_acc_0] acc          a part: its name, and a note that is kept (here its kind)
 *     conv1                        a node that belongs to it, by name; `%` in front is allowed
 *     layer4_*                     all nodes that match: `*` any run of bytes, `?` any byte
 *     [_run_on_cpu_1] cpu
 *     sort                         # a comment goes to the end of the line
 *
 * Lines with LF or CRLF, blanks around anything. A part may come several times; parts are
 * numbered as they first come. Names of parts hold no ']' and no control bytes. The last line that
 * names a node decides; names win over patterns. */
typedef struct cli_plan_line {
    gsp_str pattern;
    uint32_t part;
    uint32_t is_pattern; /* 1: holds `*` or `?` */
    size_t line;         /* of the text, from 1 */
} cli_plan_line;

/* Points into its text; the arrays lie at the low end of the arena. */
typedef struct cli_plan_text {
    uint32_t n_parts;
    uint32_t n_lines;
    const gsp_str *names; /* [n_parts] */
    const gsp_str *notes; /* [n_parts] the text after the name at first; may be empty */
    const cli_plan_line *lines;
} cli_plan_text;

/* What a line of a plan means for a graph. */
typedef enum cli_plan_use {
    CLI_PLAN_USED,
    CLI_PLAN_GONE,       /* no node matches */
    CLI_PLAN_NOT_CALLED, /* only placeholders or parameters match, which belong to no part */
    CLI_PLAN_OVERRULED,  /* other lines decide about all nodes that match */
    CLI_PLAN_USE_COUNT
} cli_plan_use;

/* A plan on a graph. All arrays lie at the low end of the arena. */
typedef struct cli_plan_match {
    uint32_t n_placed;                    /* callable nodes that have a part */
    uint32_t n_new;                       /* callable nodes that no line names */
    uint32_t n_lines[CLI_PLAN_USE_COUNT]; /* lines by cli_plan_use */
    const uint32_t *part_of;              /* [n] part of a node, GSP_NONE: none */
    const uint32_t *line_of;              /* [n] the line that decided, GSP_NONE: none */
    const uint8_t *use;                   /* [plan.n_lines] cli_plan_use */
} cli_plan_match;

typedef struct cli_plan_desc {
    uint32_t n_parts;
    const uint32_t *part_of; /* [n] part of every callable node, GSP_NONE: none */
    const gsp_str *names;    /* [n_parts] */
    const gsp_str *notes;    /* [n_parts]; NULL: none */
} cli_plan_desc;

/* Errors in the text of a plan. */
#define CLI_PLAN_WRONG_HEAD "expected 'plan 1', the first line of a plan of --save-plan"
#define CLI_PLAN_WRONG_PART "expected a part, [NAME], and perhaps a note"
#define CLI_PLAN_WRONG_LINE "expected the name of a node, or a pattern with * and ?"

/* cli_plan_parse: a plan from its text, in cli_plan_parse_bound() bytes.
 *
 * Errors:    PARSE (line, column; *wrong is the sentence), NOMEM, OVERFLOW; on error no output but
 *            *wrong is written and the arena is unchanged
 * Time:      O(size)
 */
size_t cli_plan_parse_bound(gsp_str text);
gsp_status cli_plan_parse(
    gsp_arena *arena, gsp_str text, cli_plan_text *plan, const char **wrong, gsp_error *err);

/* cli_plan_write: an assignment as the text of a plan: parts in order, their nodes in graph order.
 * Nothing stays in the arena.
 *
 * Errors:    ARG (details TAG: node, a part that does not exist; TAG_NAME: node = the part
 *            whose name or note would not read back, or whose name another part has), NOMEM,
 *            OVERFLOW, LIMIT (the sink asked to stop)
 * Time:      O(nodes + bytes of names)
 */
size_t cli_plan_write_bound(uint32_t n_nodes, uint32_t n_parts);
gsp_status cli_plan_write(gsp_arena *arena, const gsp_graph *graph, const cli_plan_desc *desc,
    gsp_sink sink, void *user, gsp_error *err);

/* cli_plan_apply: matches a plan against a graph, which may differ from the one it was made for.
 *
 * Out:       result    the assignment, as gsp_split_module_run() and gsp_liveness_run() take it
 *                      when n_new is 0, and the use of every line
 * Errors:    NOMEM, OVERFLOW
 * Time:      O(nodes + lines) without patterns; each pattern is tried on every node
 */
size_t cli_plan_apply_bound(uint32_t n_nodes, const cli_plan_text *plan);
gsp_status cli_plan_apply(gsp_arena *arena, const gsp_graph *graph, const cli_plan_text *plan,
    cli_plan_match *result, gsp_error *err);

#ifdef __cplusplus
}
#endif
#endif
