/* The command `ops`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_OPS_OPS_H
#define CLI_COMMANDS_OPS_OPS_H

#include "core/core.h"
#include "data/data.h"
#include "input/input.h"

/* ==== facts ====
 * The contents of an operator list. */

/* ops_about: the first line of a list, without `# ` and the newline. */
gsp_str ops_about(const cli_operator_list *list);

/* ops_is_again: line i gives other types for the operator of the line before. */
int ops_is_again(const cli_operator_list *list, uint32_t i);

/* ops_count: the number of operators in a list. */
uint32_t ops_count(const cli_operator_list *list);

/* ops_is_bound: the list leaves out conditions that the accelerator has. */
int ops_is_bound(cli_session *s, const cli_operator_list *list);

/* ops_version: version and date of the source, "5.2.0 of 2026-09-02". */
gsp_str ops_version(const cli_operator_list *list);

/* ops_source: the paragraph of the comment after "Source: ", on one line. */
gsp_str ops_source(const cli_operator_list *list, cli_buffer *room);

/* ==== cover ====
 * What each operator list covers of a graph. */

typedef struct ops_cover {
    const cli_operator_list *list;
    int is_bound; /* the list is an upper bound */
    uint32_t on_acc;
    uint32_t n_acc; /* subgraphs on the accelerator */
    uint32_t n_subgraphs;
    uint32_t values; /* that cross the boundary of the accelerator */
    uint64_t bytes;
    cli_macs_share macs;
} ops_cover;

typedef struct ops_covers {
    const char *path;
    uint32_t callable;
    int least;         /* bytes are lower bounds */
    ops_cover *covers; /* [n] most nodes first, then fewest subgraphs */
    size_t n;
} ops_covers;

/* ops_cover_all: splits the graph of session->path by every list. Returns an exit status. */
int ops_cover_all(cli_session *s, ops_covers *out);

/* ==== json ====
 * Operator lists as JSON. */

/* ops_json: all lists; ops_json_list: one list, its operators with their sets of types. */
void ops_json(cli_session *s);
void ops_json_list(cli_session *s, const cli_operator_list *list);

/* ops_json_covers: what each list covers of a graph. */
void ops_json_covers(const ops_covers *c, cli_buffer *out);

/* ==== people ====
 * All operator lists for people. */

/* ops_people: more: with the documents that they come from. */
void ops_people(cli_session *s, int more);

/* ops_people_covers: what each list covers of a graph, as a table. */
void ops_people_covers(cli_session *s, const ops_covers *c);

/* ==== porcelain ====
 * Coverage by operator lists for programs. */

/* ops_porcelain_covers: a line `cover` per list. */
void ops_porcelain_covers(const ops_covers *c, cli_buffer *out);

/* ==== ops ====
 * The command `ops`. */

/* cli_operators_put: writes all lists to session->out, for people with their sources if `more`. */
int cli_operators_put(cli_session *s, int more);

extern const cli_pass cli_ops_pass;

#endif
