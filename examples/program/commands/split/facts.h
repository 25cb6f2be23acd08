/* The input and the results of a split, and figures about it. */
#ifndef CLI_COMMANDS_SPLIT_FACTS_H
#define CLI_COMMANDS_SPLIT_FACTS_H

#include "commands/split/types.h"
#include "core/measure.h"
#include "core/command.h"
#include "input/accelerators.h"
#include "input/costs.h"

/* Choices of options, in their order. */
enum { SPLIT_LIMIT_ERROR, SPLIT_LIMIT_DEMOTE, SPLIT_LIMIT_EXACT };
enum { SPLIT_VALUE_COUNT, SPLIT_VALUE_BYTES, SPLIT_VALUE_NODES, SPLIT_VALUE_TIME };
enum {
    SPLIT_ORDER_REFERENCE,
    SPLIT_ORDER_MIN_TRAFFIC,
    SPLIT_ORDER_WRITTEN,
    SPLIT_ORDER_READ,
    SPLIT_ORDER_RESIDENT
};

enum { SPLIT_MINIMISE_SUBGRAPHS, SPLIT_MINIMISE_TIME };
enum { SPLIT_TRANSFER_ONCE, SPLIT_TRANSFER_RESIDENCY };

typedef struct split_options {
    uint64_t min_size;
    uint64_t max_size;
    uint64_t limit;
    uint64_t max_acc;
    uint32_t limit_policy;
    uint32_t value;
    uint32_t best_start;
    uint32_t order;
    uint32_t skip_fusion;
    uint32_t allow_non_tensor;
    uint32_t move_non_tensor;
    uint32_t ignore_writes;
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
    uint64_t rewrite_to; /* UINT64_MAX: not given */
    uint32_t minimise;
    uint32_t transfer;
    const char *launch;
    cli_costs_options costs;
    uint64_t max_work;
} split_options;

/* What is proved about the objective of an option; `reference`: what the default gives. */
typedef struct split_proof {
    enum {
        SPLIT_PROOF_NONE,
        SPLIT_PROOF_SUBGRAPHS,
        SPLIT_PROOF_VALUE,
        SPLIT_PROOF_TRAFFIC,
        SPLIT_PROOF_TIME
    } what;
    uint64_t objective;
    uint64_t bound;
    uint64_t reference;
} split_proof;

typedef struct split_worth split_worth; /* commands/split/worth.h */

typedef struct split {
    cli_session *session;
    split_options opt;
    cli_place place;
    gsp_graph graph;
    gsp_counts counts;
    gsp_placement placement;
    gsp_split_desc desc;
    gsp_split_result result;
    split_proof proof;
    split_worth *worth; /* NULL without --minimise time */
    size_t bound;
    cli_timing timing;
    char **tags;                   /* [n_subgraphs] */
    gsp_split_by_tags_result made; /* only when has_modules */
    uint8_t *joined;               /* [n_nodes] --plan: no line names it; it follows its inputs */
    int has_modules;
    int is_step; /* of another pass: in an arena of its own, and not measured */
} split;

/* 1: nodes are where they take the least time. The small program of the page has no such option. */
#ifdef GSP_NO_FLOW
#define SPLIT_IS_TIMED(p) 0
#else
#define SPLIT_IS_TIMED(p) ((p)->worth != NULL)
#endif

/* ---- figures about a finished split ---- */

typedef struct split_subgraph {
    uint32_t n_in; /* distinct values from elsewhere, without parameters */
    uint32_t n_out;
    uint64_t in; /* bytes */
    uint64_t out;
    uint64_t params; /* distinct parameters that it reads, and parameters of the modules it calls */
} split_subgraph;

typedef struct split_operator {
    gsp_str name;
    uint32_t nodes;
    uint32_t on_acc;
    uint32_t cuts;
    uint32_t reasons[GSP_REASON_COUNT]; /* of the nodes on the CPU */
    uint32_t types; /* of the unsupported nodes: only because of their types or of a constraint */
    uint32_t about; /* what those are about: SPLIT_ABOUT_ */
    int listed;     /* 1: in the list of an accelerator; -1: in none */
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
    gsp_node *root;        /* [n_nodes] the end of the chain of culprits of a node */
    split_share nodes;
    split_share yielded; /* bytes of outputs of callable nodes */
    split_share params;  /* bytes; on_acc: read by an accelerator subgraph */
    uint32_t n_acc;      /* subgraphs */
    uint32_t crossings;  /* values that pass between subgraphs, once per receiver */
    uint64_t crossing_bytes;
    uint32_t boundary; /* those of them that an accelerator's subgraph yields or reads */
    uint64_t boundary_bytes;
} split_facts;

void split_facts_make(const split *p, split_facts *facts);

/* split_kind_of: the final kind of a subgraph or callable node, 0 or an accelerator. */
uint32_t split_kind_of(const split *p, gsp_node node);

/* split_is_converted: 1 if a pin or acc= put a node on an accelerator whose list does not take its
 * types; *o says which. */
int split_is_converted(const split *p, gsp_node node, split_objection *o);

/* split_members: the ids 0 .. n-1 whose of[id] is a class, sorted by class; begin is [n_classes +
 * 1]. */
gsp_node *split_members(
    cli_session *s, const uint32_t *of, uint32_t n, uint32_t n_classes, uint32_t **begin);

/* split_is_fusion: flags of groups on an accelerator that have a node without tensor metadata. */
uint8_t *split_is_fusion(const split *p);

/* split_peaks: most bytes of activations that each subgraph needs at once, including its inputs;
 * NULL when sizes are unknown. */
const gsp_liveness_part *split_peaks(const split *p);

/* split_reason_name, _text: the reason of a node, which may be a plan. */
const char *split_reason_name(const split *p, uint32_t reason);
const char *split_reason_text(const split *p, uint32_t reason);

#endif
