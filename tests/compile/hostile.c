/* Names that vendor and system headers define as macros. */
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define near
#define far
#define huge
#define small     char
#define interface struct
#define pascal
#define IN
#define OUT
#define OPTIONAL
#define ERROR      0
#define DIFFERENCE 5
#define bit(n)     (1u << (n))
#define abs(x)     hostile
#define log        hostile
#define index      hostile
#define rindex     hostile
#define y0         hostile
#define y1         hostile
#define j0         hostile
#define j1         hostile
#define linux      1
#define unix       1
#define I          hostile
#define EOF        hostile
#define B0         0
#define GS         hostile
#define PAGE_SIZE  4096
#define assert(x)  hostile
#define check(x)   hostile
#define status     hostile
#define DEBUG
#define TRUE  1
#define FALSE 0
#define bool int
#define true 1
#define false 0
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
