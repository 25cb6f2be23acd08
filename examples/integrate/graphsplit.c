/* The one file that compiles the implementation, for build systems that want a library. */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
