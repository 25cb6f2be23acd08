/* What the command line needs of C's library: libc.c. */
#ifndef WEB_INTTYPES_H
#define WEB_INTTYPES_H

#include <stdint.h>

#define PRIu32 "u"
#define PRIx32 "x"
#define PRId64 "lld"
#define PRIu64 "llu"

#endif
