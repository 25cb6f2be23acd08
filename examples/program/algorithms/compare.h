/* Two assignments of the same items compared. */
#ifndef CLI_ALGORITHMS_COMPARE_H
#define CLI_ALGORITHMS_COMPARE_H

#include "graphsplit.h"

/* What became of a part of one assignment in the other. */
typedef enum cli_change {
    CLI_CHANGE_EMPTY,   /* shares no item with the other assignment */
    CLI_CHANGE_SAME,    /* one part of the same name */
    CLI_CHANGE_RENAMED, /* one part of another name */
    CLI_CHANGE_SPLIT,   /* several parts, which hold nothing else */
    CLI_CHANGE_MERGED,  /* with others one part */
    CLI_CHANGE_MIXED,   /* gave items away and received others, or kept only some */
    CLI_CHANGE_COUNT
} cli_change;

typedef struct cli_compare_desc {
    uint32_t n_items;        /* nodes, or anything else that both assignments contain */
    uint32_t n_parts[2];     /* of the first and of the second assignment */
    const uint32_t *of[2];   /* [n_items] GSP_NONE: not in this assignment */
    const gsp_str *names[2]; /* [n_parts] NULL: the numbers are the names */
} cli_compare_desc;

typedef struct cli_compared {
    uint32_t n_agree;         /* items whose parts are each other's partners */
    uint32_t n_moved;         /* items that are in both, but do not agree */
    uint32_t n_only[2];       /* items that are in one assignment only */
    const uint32_t *partner;  /* [n_parts[0]] the part of the second that a part became, one to
                               * one, GSP_NONE: none */
    const uint8_t *change[2]; /* [n_parts] cli_change of every part of both */
} cli_compared;

/* cli_compare_bound: bytes for cli_compare(). */
size_t cli_compare_bound(const cli_compare_desc *desc);

/* cli_compare: compares two assignments of the same items.
 *
 * What:      Partners are the parts that share most items, chosen greedily; of equals those of
 *            one name, then the first. An item has moved when its parts are no partners.
 * Errors:    ARG (detail TAG: node = the item whose part does not exist), NOMEM, OVERFLOW
 * Time:      O(n log n) in items
 */
gsp_status cli_compare(
    gsp_arena *arena, const cli_compare_desc *desc, cli_compared *result, gsp_error *err);

#endif
