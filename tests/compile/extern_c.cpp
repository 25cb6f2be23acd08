// Included inside extern "C", as some C++ code does with every C header.
extern "C" {
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_COMPARE_IMPLEMENTATION
#include "examples/extra/graphsplit_compare.h"
#define GRAPHSPLIT_CSR_IMPLEMENTATION
#include "examples/extra/graphsplit_csr.h"
#define GRAPHSPLIT_DEVICES_IMPLEMENTATION
#include "examples/extra/graphsplit_devices.h"
#define GRAPHSPLIT_DOWNSETS_IMPLEMENTATION
#include "examples/extra/graphsplit_downsets.h"
#define GRAPHSPLIT_DRAW_IMPLEMENTATION
#include "examples/extra/graphsplit_draw.h"
#define GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION
#include "examples/extra/graphsplit_fingerprint.h"
#define GRAPHSPLIT_HEFT_IMPLEMENTATION
#include "examples/extra/graphsplit_heft.h"
#define GRAPHSPLIT_INTERVALS_IMPLEMENTATION
#include "examples/extra/graphsplit_intervals.h"
#define GRAPHSPLIT_KWAY_IMPLEMENTATION
#include "examples/extra/graphsplit_kway.h"
#define GRAPHSPLIT_LIMITS_IMPLEMENTATION
#include "examples/extra/graphsplit_limits.h"
#define GRAPHSPLIT_MEMORIES_IMPLEMENTATION
#include "examples/extra/graphsplit_memories.h"
#define GRAPHSPLIT_NUMBERS_IMPLEMENTATION
#include "examples/extra/graphsplit_numbers.h"
#define GRAPHSPLIT_OFFLOAD_IMPLEMENTATION
#include "examples/extra/graphsplit_offload.h"
#define GRAPHSPLIT_OPERATORS_IMPLEMENTATION
#include "examples/extra/graphsplit_operators.h"
#define GRAPHSPLIT_ORDER_IMPLEMENTATION
#include "examples/extra/graphsplit_order.h"
#define GRAPHSPLIT_ORIGIN_IMPLEMENTATION
#include "examples/extra/graphsplit_origin.h"
#define GRAPHSPLIT_PREFETCH_IMPLEMENTATION
#include "examples/extra/graphsplit_prefetch.h"
#define GRAPHSPLIT_REPEATS_IMPLEMENTATION
#include "examples/extra/graphsplit_repeats.h"
#define GRAPHSPLIT_SCHEDULE_IMPLEMENTATION
#include "examples/extra/graphsplit_schedule.h"
#define GRAPHSPLIT_STAGES_IMPLEMENTATION
#include "examples/extra/graphsplit_stages.h"
#define GRAPHSPLIT_TILES_IMPLEMENTATION
#include "examples/extra/graphsplit_tiles.h"
#define GRAPHSPLIT_TRAFFIC_IMPLEMENTATION
#include "examples/extra/graphsplit_traffic.h"
}
#include "user.h"

int main()
{
    return user_subgraphs() == 2u ? 0 : 1;
}
