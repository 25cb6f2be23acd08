/* What the files of the `split` command share. */
#ifndef GRAPHSPLIT_CLI_SPLIT_H
#define GRAPHSPLIT_CLI_SPLIT_H

#include "core/cli.h"

#include <stddef.h>

/* What decides how a graph is cut, for every command that cuts one. */
/* clang-format off */
#define SPLIT_CUT_OPTIONS                                                                          \
    {"--min-acc-module-size", "N", CLI_NUMBER, offsetof(split_options, min_size), 0, UINT32_MAX,   \
     "accelerator subgraphs of fewer nodes go to the CPU (1: none)"},                              \
    {"--waive-min-size", NULL, CLI_FLAG, offsetof(split_options, waive_min_size), 0, 0,            \
     "no minimum when an accelerator supports every callable node"},                               \
    {"--max-acc-splits", "N", CLI_NUMBER, offsetof(split_options, limit), 0, UINT32_MAX,           \
     "at most N subgraphs in all, those on the CPU included; 0: no limit"},                        \
    {"--limit-policy", "error|demote", CLI_CHOICE, offsetof(split_options, limit_policy), 0, 0,    \
     "what happens above the limit: the pass fails (the default), or the least valuable "          \
     "accelerator subgraphs go to the CPU"},                                                       \
    {"--value", "count|bytes", CLI_CHOICE, offsetof(split_options, value), 0, 0,                   \
     "the value of a subgraph for demote: its nodes (the default), or the bytes that they read "   \
     "and yield"},                                                                                 \
    {"--skip-fusion", NULL, CLI_FLAG, offsetof(split_options, skip_fusion), 0, 0,                  \
     "make no groups of nodes that pass non-tensor values to each other"},                         \
    {"--allow-non-tensor", NULL, CLI_FLAG, offsetof(split_options, allow_non_tensor), 0, 0,        \
     "non-tensor values may cross between subgraphs"},                                             \
    {"--move-non-tensor-nodes-on-boundary", NULL, CLI_FLAG,                                        \
     offsetof(split_options, move_non_tensor), 0, 0,                                               \
     "a non-tensor node whose readers all stand in one other subgraph moves there"},               \
    {"--prefix", "P", CLI_STRING, offsetof(split_options, prefix), 0, 0,                           \
     "tags are P, kind, _, number (_run_on_)"}
/* clang-format on */

typedef struct split_options {
    uint64_t min_size;
    uint64_t limit;
    uint32_t limit_policy;
    uint32_t value; /* count, bytes */
    uint32_t skip_fusion;
    uint32_t allow_non_tensor;
    uint32_t move_non_tensor;
    uint32_t waive_min_size;
    uint32_t return_tuple;
    uint32_t map;
    uint32_t fingerprints;
    const char *prefix;
    const char *dot;
    const char *dot_support;
    const char *dot_module;
    const char *html;
    const char *model_explorer;
    const char *emit;
    uint64_t bandwidth;
    const char *plan;
    const char *save_plan;
    cli_maybe why;
} split_options;

typedef struct split {
    cli_session *session;
    split_options opt;
    cli_place place;
    gsp_graph graph;
    gsp_counts counts;
    gsp_placement placement;
    gsp_split_desc desc;
    gsp_split_result result;
    size_t bound;
    cli_timing timing;
    char **tags;                   /* [n_subgraphs] */
    gsp_split_by_tags_result made; /* only when has_modules */
    uint8_t *joined; /* [n_nodes] --plan: in no line of it, went where its inputs are */
    int has_modules;
    int is_step; /* of another pass: in memory of its own, and not measured */
} split;

/* split_check_options: what the options say is possible; reads accelerators and pins. */
int split_check_options(split *p);

/* split_start: reads the file, places, cuts, makes the tags. */
int split_start(split *p);

/* ---- figures about a finished split (split_facts.c) ---- */

typedef struct split_subgraph {
    uint32_t n_in; /* distinct values that come from elsewhere, parameters not among them */
    uint32_t n_out;
    uint64_t in; /* bytes */
    uint64_t out;
    uint64_t params; /* distinct parameters that it reads, and those of the modules it calls */
} split_subgraph;

typedef struct split_operator {
    gsp_str name;
    uint32_t nodes;
    uint32_t on_acc;
    uint32_t cuts;
    uint32_t reasons[GSP_REASON_COUNT]; /* of those on the CPU */
    uint32_t types;                     /* of the unsupported ones: for their types alone */
    int listed;                         /* 1: in the list of an accelerator; -1: in none */
} split_operator;

typedef struct split_share {
    uint64_t on_acc;
    uint64_t all;
} split_share;

typedef struct split_facts {
    split_subgraph *subgraphs; /* [n_subgraphs] */
    split_operator *operators; /* [n_operators] by first node */
    uint32_t n_operators;
    uint32_t *operator_of; /* [n_nodes] GSP_NONE: not callable */
    gsp_node *root;        /* [n_nodes] where the chain of culprits of a node ends */
    split_share nodes;
    split_share yielded; /* bytes of outputs of callable nodes */
    split_share params;  /* bytes; on_acc: read by a subgraph on an accelerator */
    uint32_t n_acc;      /* subgraphs */
    uint32_t crossings;  /* values that pass between subgraphs, once a receiver */
    uint64_t crossing_bytes;
} split_facts;

void split_facts_make(const split *p, split_facts *facts);

/* split_kind_of: 0 or an accelerator, of a subgraph or a callable node in the end. */
uint32_t split_kind_of(const split *p, gsp_node node);

/* split_members: the ids 0 .. n-1 whose of[id] is a class, sorted by class; begin is [n_classes +
 * 1]. */
gsp_node *split_members(cli_session *s, const uint32_t *of, uint32_t n, uint32_t n_classes,
                        uint32_t **begin);

/* split_is_fusion: groups on an accelerator that hold a node without tensor metadata, as flags. */
uint8_t *split_is_fusion(const split *p);

/* ---- what is behind "unsupported" (split_types.c) ---- */

typedef struct split_objection {
    uint32_t kind;  /* the accelerator whose list has the operator ... */
    gsp_str dtypes; /* ... with these types alone, */
    gsp_node node;  /* and this input, or the node itself, ... */
    gsp_str dtype;  /* ... has another */
} split_objection;

/* split_is_listed: the operator is in the list of an accelerator. */
int split_is_listed(const split *p, gsp_node v);

/* split_objection_of: 0: it is not the types that a list objects to. */
int split_objection_of(const split *p, gsp_node v, split_objection *o);

/* split_vendor_of: whose program a custom operator is; NULL: nobody's that is known. */
const char *split_vendor_of(const split *p, gsp_node v);

/* split_put_objection: what an accelerator objects to in an unsupported node, a type or the program
 * of somebody else, as a phrase; nothing when it is the operator (split_why.c). */
void split_put_objection(const split *p, cli_buffer *out, gsp_node v);

/* ---- outputs, one file each ---- */

void split_porcelain(const split *p, cli_buffer *out);
void split_json(const split *p, cli_buffer *out);
void split_people(const split *p, cli_buffer *out);
void split_map(const split *p, cli_buffer *out);
void split_dot(const split *p, cli_buffer *out);
void split_dot_support(const split *p, cli_buffer *out);
int split_dot_module(const split *p, cli_buffer *out);
void split_html(const split *p, cli_buffer *out);
void split_model_explorer(const split *p, cli_buffer *out);
int split_why(const split *p, cli_buffer *out);

/* The page of --html, a line each, NULL at the end; the line "@DATA@" stands for the data. */
extern const char *const split_page[];

/* Parts of the report for people. */
#define SPLIT_ROWS 20u /* of a long table, without --all */

void split_heading(cli_buffer *out, const char *title, const char *note);
uint32_t split_rows(const split *p, uint32_t n, uint32_t most);
void split_rest(cli_buffer *out, uint32_t n, uint32_t shown, const char *what);
cli_style split_kind_style(uint32_t kind);
void split_put_operators(const split *p, const split_facts *f, cli_buffer *out);
void split_put_cuts(const split *p, const split_facts *f, cli_buffer *out);
void split_put_curve(const split *p, cli_buffer *out);

/* split_from_plan: --plan instead of the splitter: the result, the tags, all of it. */
int split_from_plan(split *p);

/* split_reason_name, _text: of the reason of a node, which may be a plan. */
const char *split_reason_name(const split *p, uint32_t reason);
const char *split_reason_text(const split *p, uint32_t reason);

/* split_plan_error: the modules of a plan cannot be made. */
int split_plan_error(const split *p, const gsp_error *err);

/* split_save_plan: --save-plan. */
int split_save_plan(const split *p);

/* split_emit: --emit: a file a submodule and a manifest. */
int split_emit(const split *p);

#endif
