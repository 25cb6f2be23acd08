/* Tiles: a curve worked out by hand, limits, stops, and every refusal. */
#include "examples/extra/graphsplit_tiles.h"
#include "tests/t.h"

#define MOST ((uint64_t)1 << 56u)
#define FAR  (1u << 30u)

enum { STEPS = 6 };

typedef struct subject {
    gsp_arena arena;
    gsp_tile_op ops[STEPS];
    gsp_tile_value values[STEPS];
    gsp_tensor tensors[STEPS];
    uint32_t ins[STEPS];
    gsp_tiles_graph g;
    gsp_tiles_desc desc;
    gsp_tiles_result r;
    gsp_tile_region region;
    gsp_tile_plan plan;
    gsp_tile_rows rows;
    gsp_error err;
    uint64_t calls; /* of progress */
} subject;

/* An input of rows of a byte, then convolutions of 3 rows that yield 8 bytes each, the last one 1.
 */
static void start_rows(subject *s, uint32_t n, uint32_t height)
{
    gsp_tile_window const rows = {3, 1, 1, 0, 0, 0};
    gsp_tile_window const columns = {1, 1, 0, 0, 0, 0};
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 1u << 22);
    s->g.n = s->g.n_tensors = n;
    s->g.ops = s->ops;
    s->g.values = s->values;
    s->g.ins = s->ins;
    s->g.tensors = s->tensors;
    s->g.stream = GSP_NONE;
    for (uint32_t v = 0; v < n; v++) {
        s->ops[v].kind = v == 0u ? GSP_TILE_FIXED : GSP_TILE_PADDING;
        s->ops[v].is_op = v != 0u;
        s->ops[v].window[0] = rows;
        s->ops[v].window[1] = columns;
        s->ops[v].first_in = v == 0u ? 0u : v - 1u;
        s->ops[v].n_in = v == 0u ? 0u : 1u;
        s->ops[v].macs = v == 0u ? 0u : 40u;
        s->ins[v] = v;
        s->values[v].rows[0] = height;
        s->values[v].rows[1] = 1;
        s->values[v].bytes = v == 0u || v + 1u == n ? height : 8u * height;
        s->values[v].tensor = v;
        s->tensors[v].bytes = s->values[v].bytes;
        s->tensors[v].begin = v;
        s->tensors[v].end = v + 1u;
    }
    s->g.n_ins = n - 1u;
    s->region.first = 1;
    s->region.last = n - 1u;
    s->region.parts[0] = 2;
    s->region.parts[1] = 1;
}

static void start(subject *s, uint32_t n)
{
    start_rows(s, n, 4);
}

static gsp_status run(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_tiles_run(&s->arena, &s->g, &s->desc, &s->r, &s->err);
}

static gsp_status plan(subject *s)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    return gsp_tile_plan_run(&s->arena, &s->g, &s->region, &s->plan, &s->err);
}

/* A graph that no pass takes. */
static void refused(subject *s, gsp_status status, gsp_detail detail, uint32_t node)
{
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->err.node, node);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
    T_EQUAL(gsp_tiles_run(&s->arena, &s->g, &s->desc, &s->r, NULL), status);
    T_EQUAL(gsp_tile_region_run(&s->g, &s->region, &s->err), status);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(plan(s), status);
    T_EQUAL(gsp_tile_rows_run(&s->arena, &s->g, &s->region, &s->rows, &s->err), status);
    T_EQUAL(s->err.node, node);
}

static void region_refused(subject *s, gsp_detail detail, uint32_t node)
{
    T_EQUAL(gsp_tile_region_run(&s->g, &s->region, &s->err), GSP_STATUS_ARG);
    T_EQUAL(s->err.detail, detail);
    T_EQUAL(s->err.node, node);
    T_EQUAL(gsp_tile_region_run(&s->g, &s->region, NULL), GSP_STATUS_ARG);
}

/* 4 + 32 bytes live while the first convolution runs. In 2 tiles each needs 3 of 4 rows between: 24
 * bytes beside the input and the result of the other tile, and 10 MACs per row again. */
static void test_by_hand(void)
{
    subject s;
    start(&s, 3);
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.complete, 1u);
    T_EQUAL(s.r.points[0].cost.peak, 36u);
    T_EQUAL(s.r.points[0].n_regions, 0u);
    T_EQUAL(s.r.points[0].cost.steps, 2u);
    T_EQUAL(s.r.points[0].busiest, 1u);
    const gsp_tile_point *p = &s.r.points[s.r.n_points - 1u];
    T_EQUAL(p->n_regions, 1u);
    T_CHECK(p->regions[0].first == 1u && p->regions[0].last == 2u && p->regions[0].entry == 0u);
    T_CHECK(p->cost.peak == 30u && p->cost.macs == 20u && p->cost.moved == 4u);
    T_EQUAL(p->cost.steps, 5u);
    T_EQUAL(p->regions[0].cost.macs, 20u);
    T_EQUAL(plan(&s), GSP_OK);
    T_EQUAL(s.plan.values[s.plan.n_values - 1u].bytes, 4u);
    T_EQUAL(s.plan.steps[0].kind, GSP_TILE_STEP_RUN);
    T_CHECK(s.plan.steps[0].before[0] == 1u && s.plan.steps[0].after[0] == 0u);
    T_EQUAL(s.plan.steps[4].kind, GSP_TILE_STEP_CONCAT);
    T_EQUAL(gsp_tile_rows_run(&s.arena, &s.g, &s.region, &s.rows, &s.err), GSP_OK);
    T_CHECK(s.rows.kept[0] == 3u && s.rows.bytes == 24u);
    s.desc.by_rows = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.n_points == 2u && s.r.points[1].cost.peak == 32u);
    t_arena_close(&s.arena);
}

/* The one region that may be cut; a graph of nothing; one of parameters alone. */
static void test_only(void)
{
    subject s;
    start(&s, 4);
    s.desc.only = &s.region;
    s.region.last = 2;
    T_EQUAL(run(&s), GSP_OK);
    for (uint32_t i = 1; i < s.r.n_points; i++) {
        T_CHECK(s.r.points[i].regions[0].first == 1u && s.r.points[i].regions[0].last == 2u);
    }
    s.region.last = 4;
    T_EQUAL(run(&s), GSP_STATUS_ARG);
    s.region.last = 0;
    T_EQUAL(run(&s), GSP_STATUS_ARG);
    T_EQUAL(s.err.detail, GSP_DETAIL_RANGE);
    s.desc.only = NULL;
    memset(&s.g, 0, sizeof s.g);
    s.g.stream = GSP_NONE;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.n_points == 1u && s.r.points[0].cost.peak == 0u);
    s.g.n = 1;
    s.g.ops = s.ops;
    s.g.values = s.values;
    s.ops[0].kind = GSP_TILE_NONE;
    s.values[0].tensor = GSP_NONE;
    T_EQUAL(run(&s), GSP_OK);
    s.g.tensors = s.tensors;
    s.g.n_tensors = 1;
    s.tensors[0].begin = 3; /* behind all steps */
    s.tensors[0].end = UINT32_MAX;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.points[0].cost.peak, 0u);
    t_arena_close(&s.arena);
}

/* What a region reads is read behind it, too: it stays. */
static void test_stays(void)
{
    subject s;
    start(&s, 4);
    s.values[2].bytes = s.tensors[2].bytes = 4;
    s.ins[3] = 0;
    s.ops[3].n_in = 2;
    s.ops[3].window[0] = s.ops[3].window[1];
    s.g.n_ins = 4;
    s.tensors[0].end = 3;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.points[0].cost.peak == 40u && s.r.points[s.r.n_points - 1u].cost.peak == 31u);
    T_EQUAL(s.r.points[s.r.n_points - 1u].regions[0].last, 2u);
    t_arena_close(&s.arena);
}

static int stop(void *user, uint64_t work)
{
    subject *s = (subject *)user;
    (void)work;
    return s->calls++ >= 2u;
}

static int go_on(void *user, uint64_t work)
{
    subject *s = (subject *)user;
    s->calls = work + 1u;
    return 0;
}

static void limited(subject *s, uint32_t *max, uint32_t *other)
{
    uint32_t n = 1;
    gsp_status status;
    while ((*max = n++, status = run(s)) == GSP_STATUS_LIMIT) {
        T_EQUAL(s->err.detail, GSP_DETAIL_WORK);
        T_EQUAL(s->err.limit, *max);
        T_EQUAL(s->err.need, *max + 1u);
        T_CHECK(s->err.field[0] == 'm');
        T_EQUAL(s->arena.low + s->arena.high, 0u);
        T_EQUAL(gsp_tiles_run(&s->arena, &s->g, &s->desc, &s->r, NULL), GSP_STATUS_LIMIT);
    }
    T_EQUAL(status, GSP_OK);
    T_CHECK(n > 2u);
    *max = *other = 0;
}

static void test_limits(void)
{
    subject s;
    start_rows(&s, 5, 8);
    limited(&s, &s.desc.max_tilings, &s.desc.max_points);
    limited(&s, &s.desc.max_points, &s.desc.max_regions);
    limited(&s, &s.desc.max_regions, &s.desc.max_tilings);
    s.g.stream = 0;
    limited(&s, &s.desc.max_points, &s.desc.max_regions);
    s.tensors[0].end = 9; /* the stream is a result, too */
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.n_points, 1u);
    s.tensors[0].end = 1;
    s.g.stream = GSP_NONE;
    s.desc.by_rows = 1;
    limited(&s, &s.desc.max_points, &s.desc.max_regions);
    s.desc.max_work = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.complete, 0u);
    s.desc.by_rows = 0;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.complete, 0u);
    s.desc.max_work = 0;
    s.desc.progress_user = &s;
    s.desc.progress = go_on;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.complete == 1u && s.calls > 1u && s.calls <= s.r.work + 1u && s.r.stopped == 0u);
    s.calls = 0;
    s.desc.progress = stop;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.complete == 0u && s.calls == 3u && s.r.stopped == 1u && s.r.n_points != 0u);
    t_arena_close(&s.arena);
}

/* Very many tilings: points are not all apart. */
static void test_many(void)
{
    enum { N = 10 * 1000 };
    static gsp_tile_op ops[N];
    static gsp_tile_value values[N];
    static gsp_tensor tensors[N];
    static uint32_t ins[N];
    subject s;
    start(&s, 3);
    t_arena_close(&s.arena);
    t_arena_open(&s.arena, 1u << 26);
    for (uint32_t v = 0; v < N; v++) {
        ops[v] = s.ops[v % 10u == 0u ? 0u : 1u];
        ops[v].first_in = v == 0u ? 0u : v - 1u;
        ops[v].n_in = v % 10u == 0u ? 0u : 1u;
        ops[v].window[0].span = 1u;
        ops[v].window[0].before = 0;
        values[v] = s.values[0];
        values[v].rows[0] = 10;
        values[v].tensor = v;
        values[v].bytes = v % 2u == 0u || v % 10u == 9u ? 10u : 4000u + v + v / 2u;
        ins[v] = v;
        tensors[v].bytes = values[v].bytes;
        tensors[v].begin = v;
        tensors[v].end = v % 10u == 9u ? v : v + 1u; /* so that no whole step takes more */
    }
    tensors[N - 1].bytes = values[N - 1].bytes = 15000; /* the least that is possible */
    s.g.n = s.g.n_tensors = N;
    s.g.n_ins = N - 1u;
    s.g.ops = ops;
    s.g.values = values;
    s.g.tensors = tensors;
    s.g.ins = ins;
    s.desc.max_tilings = 1u << 18;
    s.desc.max_regions = 1u << 18;
    s.desc.max_work = (uint64_t)1 << 40u;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.complete, 0u);
    T_CHECK(s.r.n_points > 5u);
    T_CHECK(s.r.n_points < 500u);
    t_arena_close(&s.arena);
}

/* Regions have at most 64 operators, beside parameters. */
static void test_long(void)
{
    enum { N = 80 };
    static gsp_tile_op ops[N];
    static gsp_tile_value values[N];
    subject s;
    start(&s, 3);
    for (uint32_t v = 0; v < N; v++) {
        ops[v] = s.ops[v == 0u ? 0u : 1u];
        ops[v].first_in = 0;
        ops[v].kind = v % 20u == 1u ? (uint32_t)GSP_TILE_NONE : ops[v].kind;
        ops[v].n_in = v == 0u || v % 20u == 1u ? 0u : 1u;
        values[v] = s.values[v == 0u || v == 2u ? 0u : 1u];
        values[v].tensor = v == 0u ? 0u : v == 2u ? 2u : 1u;
    }
    s.g.n = N; /* all read the input; regions have one operator that is read, the last one */
    s.g.ops = ops;
    s.g.values = values;
    s.tensors[0].end = s.tensors[1].end = 1;
    T_EQUAL(run(&s), GSP_OK);
    for (uint32_t i = 0; i < s.r.n_points; i++) {
        for (uint32_t k = 0; k < s.r.points[i].n_regions; k++) {
            T_CHECK(s.r.points[i].regions[k].last - s.r.points[i].regions[k].first < 68u);
        }
    }
    t_arena_close(&s.arena);
}

/* A sum of two sources that come by rows; and a value of which one reader is done before another:
 * value 0 of 5 rows, 2 of them for each second row, 4 for each row, and their sum of 2 rows. */
static void test_rows(void)
{
    gsp_tile_window const half = {2, 2, 0, 0, 0, 0};
    gsp_tile_window const four = {4, 1, 0, 0, 0, 0};
    gsp_tile_window const point = {1, 1, 0, 0, 0, 0};
    uint32_t const ins[] = {0, 0, 1, 2, 1, 2};
    subject s;
    start(&s, 4);
    s.g.ins = ins;
    s.g.n_ins = 6;
    s.ops[0].kind = GSP_TILE_SOURCE;
    s.values[0].rows[0] = 5;
    s.values[0].bytes = 5;
    s.tensors[0].end = 2;
    s.tensors[1].end = 3;
    s.ops[1].window[0] = half;
    s.ops[2].window[0] = four;
    s.ops[3].window[0] = point;
    s.ops[2].first_in = 1;
    s.ops[3].first_in = 2;
    s.ops[3].n_in = 2;
    s.values[1].rows[0] = s.values[2].rows[0] = s.values[3].rows[0] = 2;
    s.region.first = 0;
    T_EQUAL(gsp_tile_rows_run(&s.arena, &s.g, &s.region, &s.rows, &s.err), GSP_OK);
    T_CHECK(s.rows.kept[0] == 4u && s.rows.kept[1] == 1u && s.rows.kept[2] == 1u);
    T_EQUAL(s.rows.bytes, 4u + 16u + 16u);
    s.ops[1].kind = GSP_TILE_SOURCE;
    s.ops[1].n_in = 0;
    s.ops[2].kind = GSP_TILE_FIXED;
    s.ops[2].n_in = 0;
    s.tensors[0].end = 3;
    s.values[0].rows[0] = 2;
    s.ops[3].first_in = 1; /* both sources */
    s.desc.by_rows = 1;
    T_EQUAL(run(&s), GSP_OK); /* between which stands what runs as a whole */
    T_EQUAL(s.r.n_points, 0u);
    t_arena_close(&s.arena);
}

/* Two convolutions of 3 rows and the mean of all 4 rows, which adds them one by one. */
static void start_sums(subject *s)
{
    gsp_tile_window const all = {4, 1, 0, 0, 0, 0};
    start(s, 4);
    s->ops[3].window[0] = all;
    s->ops[3].sums = 5;
    s->values[3].rows[0] = 1;
    s->values[3].bytes = 1;
}

static void wrong_sums(subject *s)
{
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 3);
    T_CHECK(strcmp(s->err.field, "sums") == 0);
    t_arena_close(&s->arena);
    start_sums(s);
}

static void test_sums(void)
{
    subject s;
    start_sums(&s);
    T_EQUAL(gsp_tile_rows_run(&s.arena, &s.g, &s.region, &s.rows, NULL), GSP_OK);
    T_EQUAL(s.rows.kept[0], 3u);
    T_EQUAL(s.rows.kept[1], 1u);
    T_EQUAL(s.rows.bytes, 3u * 8u + 8u + 5u);
    s.ops[3].sums = 0;
    T_EQUAL(gsp_tile_rows_run(&s.arena, &s.g, &s.region, &s.rows, NULL), GSP_OK);
    T_EQUAL(s.rows.kept[1], 4u);
    T_EQUAL(s.rows.bytes, 3u * 8u + 4u * 8u);
    s.ops[3].sums = 5;
    s.region.first = 3; /* its rows are all there */
    T_EQUAL(gsp_tile_rows_run(&s.arena, &s.g, &s.region, &s.rows, NULL), GSP_OK);
    T_EQUAL(s.rows.bytes, 0u);
    s.region.first = 1;
    s.ops[3].window[0].stride = 4;
    s.ops[3].sums = MOST;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 3);
    s.ops[3].sums = 5;
    s.ops[3].window[0].before = 1;
    wrong_sums(&s);
    s.values[3].rows[0] = 2; /* rows 0 to 3, and 1 to 4 */
    wrong_sums(&s);
    s.ops[3].window[0].factor = 1;
    s.values[3].rows[0] = 4;
    wrong_sums(&s);
    s.ins[3] = 1;
    s.g.n_ins = 4;
    s.ops[3].n_in = 2;
    wrong_sums(&s);
    t_arena_close(&s.arena);
}

static void test_graphs(void)
{
    subject s;
    start(&s, 4);
    s.ops[2].kind = GSP_TILE_PADDING + 1u;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_KIND, 2);
    s.ops[2].kind = GSP_TILE_SOURCE; /* which reads nothing */
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    s.ops[2].kind = GSP_TILE_NONE;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    s.ops[2].n_in = 0;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 3); /* which reads it */
    s.values[2].tensor = 4;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    s.values[2].tensor = 2;
    s.ops[2].kind = GSP_TILE_OP;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    s.ops[2].n_in = GSP_TILES_INPUTS + 1u;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    s.ops[2].n_in = 3;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    s.ops[2].first_in = 4;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    s.ops[2].first_in = 1;
    s.ops[2].n_in = 1;
    s.ins[1] = 2;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    s.ins[1] = 1;
    s.ops[0].first_in = 4;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 0);
    s.ops[0].first_in = 0;
    s.g.stream = 1;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE);
    s.g.stream = 4;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE);
    s.g.stream = GSP_NONE;
    s.tensors[1].begin = 3;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1);
    T_EQUAL(s.err.what, GSP_WHAT_TENSOR);
    s.tensors[1].begin = 1;
    s.ops[0].kind = GSP_TILE_FIXED;
    T_EQUAL(run(&s), GSP_OK);
    t_arena_close(&s.arena);
}

static void test_shapes(void)
{
    subject s;
    start(&s, 4);
    s.values[2].tensor = 4;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    s.values[2].tensor = 2;
    s.values[0].tensor = 4;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 1);
    s.ops[1].kind = GSP_TILE_FIXED;
    s.g.stream = 0;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, GSP_NONE);
    s.g.stream = GSP_NONE;
    s.ops[1].kind = GSP_TILE_OP;
    s.values[0].tensor = 0;
    for (uint32_t a = 0; a < GSP_TILES_AXES; a++) {
        uint32_t const was = s.values[3].rows[a];
        s.values[3].rows[a] = 0;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 3);
        s.values[3].rows[a] = was;
    }
    s.values[3].rows[0] = s.values[3].rows[1] = 1u << 16;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 3);
    s.values[3].rows[0] = 4;
    s.values[3].rows[1] = 1;
    s.ins[2] = 0; /* a sum of values of other shapes */
    s.ops[2].n_in = 2;
    s.ins[1] = 1;
    s.ins[2] = 0;
    s.values[0].rows[0] = 5;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    s.values[0].rows[0] = 4;
    s.values[0].rows[1] = 2;
    refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    t_arena_close(&s.arena);
}

static void wrong_window(subject *s, gsp_tile_window w)
{
    s->ops[2].window[0] = w;
    refused(s, GSP_STATUS_ARG, GSP_DETAIL_RANGE, 2);
    T_CHECK(strcmp(s->err.field, "window") == 0);
}

static void test_windows(void)
{
    subject s;
    start(&s, 4);
    gsp_tile_window const wrong[] = {{FAR + 1u, 1, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0},
        {1, FAR + 1u, 0, 0, 0, 0}, {1, 1, FAR + 1u, 0, 0, 0}, {1, 1, 0, 1, FAR + 1u, 0},
        {1, 1, 0, 2, 0, 0}, {0, 1, 0, 0, 0, 0}, {3, 2, 1, 0, 0, 1}};
    for (uint32_t i = 0; i < T_COUNT_OF(wrong); i++) {
        wrong_window(&s, wrong[i]);
    }
    gsp_tile_window const right[] = {{1, 1, 0, 1, 0, 0}, {3, 1, 1, 0, 0, 1}, {3, FAR, 1, 0, 0, 0}};
    for (uint32_t i = 0; i < T_COUNT_OF(right); i++) {
        s.ops[2].window[0] = right[i];
        T_EQUAL(run(&s), GSP_OK);
    }
    t_arena_close(&s.arena);
}

static void too_large(subject *s, uint64_t *field, uint64_t most, uint32_t node)
{
    uint64_t const was = *field;
    *field = most;
    T_EQUAL(run(s), GSP_OK);
    *field = most + 1u;
    refused(s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, node);
    *field = was;
}

static void test_sizes(void)
{
    subject s;
    start(&s, 4);
    too_large(&s, &s.ops[3].macs, MOST - 80u, 3);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 4u; i++) {
        sum += s.tensors[i].bytes;
    }
    too_large(&s, &s.tensors[3].bytes, MOST - (sum - 4u), 3);
    s.ops[3].scratch = MOST;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 3);
    s.ops[3].scratch = 0;
    s.values[3].bytes = MOST + 1u;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 3);
    s.values[3].bytes = 4;
    s.values[2].bytes = MOST / 4u; /* fits, but not with its padding */
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 3);
    s.values[2].bytes = 32;
    s.ops[3].window[0].span = s.ops[3].window[1].span = FAR;
    s.ops[3].window[0].stride = FAR;
    refused(&s, GSP_STATUS_OVERFLOW, GSP_DETAIL_SIZE, 3);
    s.ops[3].window[0].span = s.ops[3].window[1].span = s.ops[3].window[0].stride = 1;
    s.g.align = UINT32_MAX;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.points[0].cost.peak, 2u * (uint64_t)UINT32_MAX);
    t_arena_close(&s.arena);
}

static void test_regions(void)
{
    subject s;
    start(&s, 5);
    T_EQUAL(gsp_tile_region_run(&s.g, &s.region, &s.err), GSP_OK);
    T_EQUAL(s.region.entry, 0u);
    s.region.first = 0;
    region_refused(&s, GSP_DETAIL_KIND, 0);
    s.region.first = 4;
    s.region.last = 3;
    region_refused(&s, GSP_DETAIL_RANGE, GSP_NONE);
    T_EQUAL(gsp_tile_rows_run(&s.arena, &s.g, &s.region, &s.rows, NULL), GSP_STATUS_ARG);
    s.region.last = 5;
    region_refused(&s, GSP_DETAIL_RANGE, GSP_NONE);
    s.region.first = 1;
    s.region.last = 3;
    s.tensors[2].end = 4;
    region_refused(&s, GSP_DETAIL_OUTPUTS, 2);
    s.tensors[2].end = 3;
    s.ops[3].n_in = 2; /* reads 2 and 3, that is, value 0 */
    s.ins[3] = 0;
    s.ops[4].kind = GSP_TILE_FIXED;
    s.region.first = 2;
    region_refused(&s, GSP_DETAIL_INPUT_MANY, 3);
    s.ops[3].n_in = 1;
    s.ops[4].n_in = 0;
    s.ops[4].kind = GSP_TILE_NONE;
    s.region.last = 4;
    region_refused(&s, GSP_DETAIL_KIND, 4);
    s.ops[4].kind = GSP_TILE_FIXED;
    s.region.last = 3;
    s.ops[1].kind = GSP_TILE_NONE;
    s.ops[1].n_in = 0;
    s.ins[1] = 0;
    s.region.first = 1;
    region_refused(&s, GSP_DETAIL_KIND, 1);
    t_arena_close(&s.arena);
}

static void test_plans(void)
{
    subject s;
    start(&s, 3);
    uint32_t const wrong[][2] = {{0, 1}, {5, 1}, {1, 0}, {1, 2}, {11, 1}, {1, 11}, {7, 7}};
    for (uint32_t i = 0; i < T_COUNT_OF(wrong); i++) {
        memcpy(s.region.parts, wrong[i], sizeof s.region.parts);
        T_EQUAL(plan(&s), GSP_STATUS_ARG);
        T_EQUAL(s.err.detail, GSP_DETAIL_RANGE);
    }
    s.region.parts[0] = s.region.parts[1] = 1;
    T_EQUAL(plan(&s), GSP_OK);
    T_EQUAL(s.plan.n_steps, 2u);
    s.region.parts[0] = 4;
    s.ops[2].window[0].before = 9; /* the first row reads padding alone */
    T_EQUAL(plan(&s), GSP_STATUS_EMPTY);
    T_EQUAL(s.arena.low + s.arena.high, 0u);
    s.ops[2].window[0].before = 1;
    s.ins[1] = 0; /* nothing reads value 1 */
    T_EQUAL(plan(&s), GSP_STATUS_EMPTY);
    s.ins[1] = 1;
    s.ops[1].kind = GSP_TILE_SOURCE;
    s.ops[1].n_in = 0;
    T_EQUAL(plan(&s), GSP_STATUS_ARG);
    T_EQUAL(s.err.detail, GSP_DETAIL_KIND);
    s.region.first = 0;
    T_EQUAL(plan(&s), GSP_STATUS_ARG);
    T_EQUAL(run(&s), GSP_OK); /* it runs as a whole */
    T_EQUAL(gsp_tile_plan_bound(NULL, &s.region), SIZE_MAX);
    T_EQUAL(gsp_tile_plan_bound(&s.g, NULL), SIZE_MAX);
    s.region.last = 9;
    T_EQUAL(gsp_tile_plan_bound(&s.g, &s.region), SIZE_MAX);
    T_EQUAL(gsp_tile_rows_bound(&s.g, &s.region), SIZE_MAX);
    T_EQUAL(gsp_tile_rows_bound(NULL, &s.region), SIZE_MAX);
    T_EQUAL(gsp_tile_rows_bound(&s.g, NULL), SIZE_MAX);
    s.region.last = 2;
    s.region.parts[0] = 11;
    T_EQUAL(gsp_tile_plan_bound(&s.g, &s.region), SIZE_MAX);
    s.g.ops = NULL;
    s.region.parts[0] = 1;
    T_EQUAL(gsp_tile_plan_bound(&s.g, &s.region), SIZE_MAX);
    T_EQUAL(gsp_tiles_bound(&s.g, NULL), SIZE_MAX);
    T_EQUAL(gsp_tiles_bound(NULL, NULL), SIZE_MAX);
    t_arena_close(&s.arena);
}

static void room_refused(subject *s)
{
    T_EQUAL(run(s), GSP_STATUS_ARG);
    T_EQUAL(s->err.detail, GSP_DETAIL_RANGE);
    T_EQUAL(s->err.node, GSP_NONE);
}

static void test_rooms(void)
{
    uint8_t const kind[] = {0, 1, 1};
    uint64_t const alone[] = {0, 36, 36};
    uint32_t begin[] = {0, 0, 1, 1};
    uint32_t weights[] = {0};
    gsp_tile_room room = {NULL, alone, begin, weights, 30, UINT64_MAX, UINT64_MAX};
    subject s;
    start(&s, 3);
    s.desc.room = &room;
    room_refused(&s);
    room.kind = kind;
    room_refused(&s); /* value 0 is no parameter */
    begin[2] = begin[3] = 0;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.fits == 1u && s.r.n_points == 1u && s.r.points[0].cost.peak <= 30u);
    room.limit = 1;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.fits == 0u && s.r.n_points == 1u && s.r.points[0].cost.peak > 1u);
    s.desc.max_points = 1;
    s.desc.max_regions = 1;
    T_EQUAL(run(&s), GSP_STATUS_LIMIT);
    s.desc.max_regions = 2;
    T_EQUAL(run(&s), GSP_OK);
    room.limit = UINT64_MAX;
    T_EQUAL(run(&s), GSP_OK);
    T_CHECK(s.r.fits == 1u && s.r.points[0].n_regions == 0u);
    begin[1] = 1;
    room_refused(&s);
    begin[1] = begin[2] = 0;
    begin[3] = 1;
    room.weights = NULL;
    room_refused(&s);
    room.weights = weights;
    weights[0] = 3;
    room_refused(&s);
    room.alone = NULL;
    room_refused(&s);
    room.alone = alone;
    room.begin = NULL;
    room_refused(&s);
    memset(&s.g, 0, sizeof s.g);
    s.g.stream = GSP_NONE;
    T_EQUAL(run(&s), GSP_OK);
    s.desc.by_rows = 1;
    T_EQUAL(run(&s), GSP_STATUS_DESC);
    s.desc.room = NULL;
    s.desc.by_rows = 2;
    T_EQUAL(run(&s), GSP_STATUS_DESC);
    T_EQUAL(s.err.detail, GSP_DETAIL_CHOICE);
    t_arena_close(&s.arena);
}

/* Parameters have a sum, too; with few regions kept there is no answer. */
static void test_room_limits(void)
{
    uint8_t const kind[] = {0, 0, 0, 1, 1};
    uint64_t const alone[] = {0, 0, 0, 36, 36};
    uint32_t const begin[] = {0, 0, 0, 0, 2, 2};
    uint32_t const weights[] = {1, 2};
    gsp_tile_room room = {kind, alone, begin, weights, 1, UINT64_MAX, UINT64_MAX};
    subject s;
    start(&s, 5);
    s.desc.room = &room;
    for (uint32_t v = 1; v < 3u; v++) {
        s.ops[v].kind = GSP_TILE_NONE;
        s.ops[v].n_in = 0;
        s.values[v].tensor = GSP_NONE;
        s.values[v].bytes = 1;
    }
    s.ins[2] = 0;
    T_EQUAL(run(&s), GSP_OK);
    T_EQUAL(s.r.fits, 0u);
    s.desc.max_tilings = 1;
    T_EQUAL(run(&s), GSP_STATUS_LIMIT);
    s.desc.max_tilings = 0;
    uint32_t const often[] = {1, 1};
    s.values[1].bytes = MOST / 2u + 1u;
    room.weights = often;
    room_refused(&s);
    t_arena_close(&s.arena);
}

void suite_unit_tiles(void)
{
    t_run("by_hand", test_by_hand);
    t_run("only", test_only);
    t_run("stays", test_stays);
    t_run("limits", test_limits);
    t_run("many", test_many);
    t_run("long", test_long);
    t_run("rows", test_rows);
    t_run("graphs", test_graphs);
    t_run("shapes", test_shapes);
    t_run("sums", test_sums);
    t_run("windows", test_windows);
    t_run("sizes", test_sizes);
    t_run("regions", test_regions);
    t_run("plans", test_plans);
    t_run("rooms", test_rooms);
    t_run("room_limits", test_room_limits);
}
