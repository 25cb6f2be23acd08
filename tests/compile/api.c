/* The API alone, included twice. */
#include "examples/extra/graphsplit_draw.h"
#include "examples/extra/graphsplit_draw.h"
#include "examples/extra/graphsplit_fingerprint.h"
#include "examples/extra/graphsplit_fingerprint.h"
#include "examples/extra/graphsplit_kway.h"
#include "examples/extra/graphsplit_kway.h"
#include "graphsplit.h"
#include "graphsplit.h"
