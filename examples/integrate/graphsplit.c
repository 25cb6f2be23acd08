/* The one file that compiles the implementation, for build systems that want a library of sources. */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
