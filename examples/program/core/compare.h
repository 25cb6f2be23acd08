/* Two assignments of the same items compared. */
#ifndef GRAPHSPLIT_CLI_COMPARE_H
#define GRAPHSPLIT_CLI_COMPARE_H

#include "graphsplit.h"

/* How a part of one assignment lies in the other. */
typedef enum cli_change {
    CLI_CHANGE_EMPTY,   /* it has no item that the other has */
    CLI_CHANGE_SAME,    /* it is one part of the same name there */
    CLI_CHANGE_RENAMED, /* it is one part of another name there */
    CLI_CHANGE_SPLIT,   /* it is several parts there, which hold nothing else */
    CLI_CHANGE_MERGED,  /* it is one of several that are one part there */
    CLI_CHANGE_MIXED,   /* it gave items away and got others, or only some */
    CLI_CHANGE_COUNT
} cli_change;

typedef struct cli_compare_desc {
    uint32_t n_items;        /* nodes, or whatever both assignments are about */
    uint32_t n_parts[2];     /* of the first and of the second assignment */
    const uint32_t *of[2];   /* [n_items] GSP_NONE: not in this assignment */
    const gsp_str *names[2]; /* [n_parts] NULL: the numbers are the names */
} cli_compare_desc;

typedef struct cli_compared {
    uint32_t n_agree;         /* items whose parts are each other's partners */
    uint32_t n_moved;         /* items that are in both, but not so */
    uint32_t n_only[2];       /* items that are in one assignment only */
    const uint32_t *partner;  /* [n_parts[0]] the part of the second that a part became, one to
                               * one, GSP_NONE: none */
    const uint8_t *change[2]; /* [n_parts] cli_change of every part of both */
} cli_compared;

/* cli_compare_bound: bytes for cli_compare(). */
size_t cli_compare_bound(const cli_compare_desc *desc);

/* cli_compare: two assignments of the same items.
 *
 * What:      Parts are partners by how many items they share, greedily, the most first; then
 *            the same name, then their order. An item has moved when its parts are no partners.
 * Errors:    ARG (detail TAG: node = the item whose part does not exist), NOMEM, OVERFLOW
 * Time:      O(n log n) in items
 */
gsp_status cli_compare(gsp_arena *arena, const cli_compare_desc *desc, cli_compared *result,
                       gsp_error *err);

#endif
