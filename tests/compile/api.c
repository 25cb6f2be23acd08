/* The API alone, included twice. */
#include "graphsplit.h"
#include "graphsplit.h"
