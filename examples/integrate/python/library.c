/* The library of the Python package: graphsplit.h and the add-ons that take arrays. */
#define GRAPHSPLIT_IMPLEMENTATION
#define GRAPHSPLIT_CSR_IMPLEMENTATION
#define GRAPHSPLIT_KWAY_IMPLEMENTATION
#include "graphsplit.h"
#include "examples/extra/graphsplit_csr.h"
#include "examples/extra/graphsplit_kway.h"
