/* The implementation, alone in its file. */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
