#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
