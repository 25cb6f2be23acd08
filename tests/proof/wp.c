/* What the contracts of the folders beside are about: graphsplit.h, annotated by annotate.awk. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define GSP_MEMCPY memcpy
#define GSP_MEMSET memset
#define GSP_MEMCMP memcmp
#define GSP_NO_ALL_PASSES
#define GSP_WITH_SPLIT
#define GRAPHSPLIT_IMPLEMENTATION

/* The number that n digits spell. */
/*@ logic integer digits(char *s, integer n) =
        n <= 0 ? 0 : 10 * digits(s, n - 1) + (s[n - 1] - '0'); */

/* Sorting: ids refer to keys below the number `keys`, which may be any. */
/*@ axiomatic Keys { logic integer keys reads \nothing; } */

/*@ predicate before(integer a, integer b, uint64_t *key) =
        key[a] < key[b] || (key[a] == key[b] && a < b);

    predicate refer(uint32_t *ids, integer n) = \forall integer i; 0 <= i < n ==> ids[i] < keys;

    predicate child(integer k, integer i) = k == 2 * i + 1 || k == 2 * i + 2;

    // No parent at `root` or after it comes before one of its children.
    predicate heap(uint32_t *ids, integer root, integer end, uint64_t *key) =
        \forall integer i, k; root <= i && child(k, i) && k < end ==>
            !before(ids[i], ids[k], key);

    predicate at_most(uint32_t *ids, integer n, integer id, uint64_t *key) =
        \forall integer i; 0 <= i < n ==> !before(id, ids[i], key); */

#include "annotated.h"
