/* The command `diff`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_DIFF_DIFF_H
#define CLI_COMMANDS_DIFF_DIFF_H

#include "algorithms/algorithms.h"
#include "core/core.h"
#include "examples/extra/graphsplit_compare.h"
#include "input/input.h"

/* ==== facts ====
 * Two plans on the same items, and the changes of every part and item. */

/* One of the plans. The device of a part is the note of the plan. */
typedef struct diff_side {
    uint32_t n_placed; /* items that have a part */
    uint32_t n_parts;  /* that have items */
    uint32_t n_acc;    /* placed items whose device is not the CPU */
    uint32_t n_acc_parts;
    uint32_t crossings; /* with a graph: values that pass between parts, once per receiver */
    uint64_t crossing_bytes;
    uint32_t boundary; /* those of them that an accelerator's part yields or reads */
    uint64_t boundary_bytes;
} diff_side;

typedef struct diff {
    cli_session *session;
    const char *paths[2];
    cli_plan_text plans[2];
    uint32_t *of[2];      /* [n] part of an item */
    const gsp_str *items; /* [n] names of nodes, or lines */
    uint32_t n;
    gsp_compare_desc desc;
    gsp_compare_result result;
    uint32_t *sizes[2]; /* [n_parts] items */
    diff_side sides[2];
    int has_devices; /* a part of either plan has one; has_cpu: the CPU */
    int has_cpu;
    uint32_t n_changed; /* items in both whose devices differ */
    uint32_t n_moved;   /* the other items that moved */
} diff;

/* diff_make: makes the items, the comparison and its figures. Returns an exit status. */
int diff_make(diff *d);

/* diff_changes: by gsp_change. */
extern const char *const diff_changes[];

gsp_str diff_part_name(const diff *d, uint32_t which, uint32_t part);

/* diff_agrees: the parts of an item are partners; diff_moved: it is in both plans, but not in
 * partners; diff_only_in: it is in only one plan. */
int diff_agrees(const diff *d, uint32_t item);
int diff_moved(const diff *d, uint32_t item);
int diff_only_in(const diff *d, uint32_t item, uint32_t which);

/* diff_device: of a part; empty if the plan says none. diff_changed: an item in both has
 * another. */
gsp_str diff_device(const diff *d, uint32_t which, uint32_t part);
int diff_changed(const diff *d, uint32_t item);

/* diff_left_name: the part that an item has left; with its change if the new part has the same
 * name. */
gsp_str diff_left_name(const diff *d, uint32_t i);

/* ==== json ====
 * The JSON of `diff`. */

void diff_json(const diff *d, cli_buffer *out);

/* ==== people ====
 * The report of `diff` for people. */

void diff_people(const diff *d, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `diff`. */

void diff_porcelain(const diff *d, cli_buffer *out);

/* ==== diff ====
 * The command `diff`. */

extern const cli_pass cli_diff_pass;

#endif
