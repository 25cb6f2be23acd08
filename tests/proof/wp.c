/* What the contracts of the folders beside are about: graphsplit.h, annotated by annotate.awk. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define GSP_MEMCPY memcpy
#define GSP_MEMSET memset
#define GSP_MEMCMP memcmp
#define GSP_NO_ALL_PASSES
#define GRAPHSPLIT_IMPLEMENTATION

/* The number that n digits spell. */
/*@ logic integer digits(char *s, integer n) =
        n <= 0 ? 0 : 10 * digits(s, n - 1) + (s[n - 1] - '0'); */

#include "annotated.h"
