/* Graphs in rows, good and damaged: a desc is refused exactly if it is wrong, and passes take what
 * it makes. Bytes of the input are flags, the number of nodes, then per node its operation, value
 * kind, target and size of its row, which follows. An operation with a high bit damages the offset
 * of the row.
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Iexamples/program \
 *         -o fuzz_csr tests/fuzz/fuzz_csr.c
 */
#include "fuzz.h"

enum { MOST_NODES = 64, MOST_EDGES = 4 * MOST_NODES };

static const gsp_str names[] = {GSP_STR("x"), GSP_STR("conv"), GSP_STR("relu"), GSP_STR("n63"),
    GSP_STR("n01"), GSP_STR("sort")};
enum { N_NAMES = sizeof names / sizeof *names };

typedef struct input {
    const uint8_t *data;
    size_t size;
    uint8_t flags;
    uint32_t n;
    uint32_t begin[MOST_NODES + 1];
    gsp_node at[MOST_EDGES];
    uint32_t target[MOST_NODES];
    uint64_t bytes[MOST_NODES];
    uint8_t op[MOST_NODES];
    uint8_t out[MOST_NODES];
    gsp_csr_desc desc;
} input;

enum { USERS = 1, OP = 2, OUT = 4, BYTES = 8, TARGET = 16 };

static uint8_t next(input *in)
{
    if (in->size == 0) {
        return 0;
    }
    in->size--;
    return *in->data++;
}

static void read_input(input *in, const uint8_t *data, size_t size)
{
    uint32_t edges = 0;
    memset(in, 0, sizeof *in);
    in->data = data;
    in->size = size;
    in->flags = next(in);
    in->n = next(in) % (MOST_NODES + 1u);
    for (uint32_t v = 0; v < in->n; v++) {
        uint8_t const op = next(in);
        uint32_t degree = next(in) % 4u;
        in->op[v] = (uint8_t)(op % 16u);
        in->out[v] = (uint8_t)(op / 16u % 4u);
        in->bytes[v] = op;
        in->target[v] = next(in) % (N_NAMES + 1u);
        in->begin[v] = op >= 128u ? next(in) : edges;
        for (; degree > 0; degree--) {
            in->at[edges++] = next(in);
        }
    }
    in->begin[in->n] = edges;
    in->desc.n_nodes = in->n;
    in->desc.begin = in->begin;
    in->desc.at = in->at;
    in->desc.users = in->flags & USERS ? 1u : 0u;
    in->desc.op = in->flags & OP ? in->op : NULL;
    in->desc.out = in->flags & OUT ? in->out : NULL;
    in->desc.bytes = in->flags & BYTES ? in->bytes : NULL;
    in->desc.target = in->flags & TARGET ? in->target : NULL;
    in->desc.names = names;
    in->desc.n_names = N_NAMES;
}

/* 1 if w is in the row of v, before position `end` of all rows. */
static int is_in_row(const gsp_csr_desc *d, uint32_t v, gsp_node w, uint32_t end)
{
    uint32_t i = d->begin[v];
    while (i < end && d->at[i] != w) {
        i++;
    }
    return i < end;
}

static int is_good_row(const gsp_csr_desc *d, uint32_t v)
{
    if (d->begin[v] > d->begin[v + 1u] || d->begin[v + 1u] > d->begin[d->n_nodes]) {
        return 0;
    }
    for (uint32_t i = d->begin[v]; i < d->begin[v + 1u]; i++) {
        gsp_node const w = d->at[i];
        if (w >= d->n_nodes || (d->users ? w <= v : w >= v) || is_in_row(d, v, w, i) ||
            (d->users && i > d->begin[v] && d->at[i - 1u] > w)) {
            return 0;
        }
    }
    return 1;
}

/* 1 if v reads nothing, given good rows. */
static int is_source(const gsp_csr_desc *d, uint32_t v)
{
    if (d->users == 0) {
        return d->begin[v] == d->begin[v + 1u];
    }
    for (uint32_t u = 0; u < v; u++) {
        if (is_in_row(d, u, v, d->begin[u + 1u])) {
            return 0;
        }
    }
    return 1;
}

static int is_good_node(const gsp_csr_desc *d, uint32_t v)
{
    int const last = v + 1u == d->n_nodes;
    if (d->op != NULL && (d->op[v] == GSP_OP_NONE || d->op[v] > GSP_OP_OUTPUT ||
                             (d->op[v] == GSP_OP_OUTPUT) != last ||
                             (d->op[v] < GSP_OP_CALL_FUNCTION && !is_source(d, v)))) {
        return 0;
    }
    return (d->out == NULL || d->out[v] < GSP_VALUE_COUNT) &&
           (d->target == NULL || d->target[v] < N_NAMES);
}

static int is_good(const gsp_csr_desc *d)
{
    int good = d->n_nodes > 0 && d->n_nodes < MOST_NODES && d->begin[0] == 0; /* no node n63 */
    for (uint32_t v = 0; good && v < d->n_nodes; v++) {
        good = is_good_row(d, v);
    }
    for (uint32_t v = 0; good && v < d->n_nodes; v++) {
        good = is_good_node(d, v);
    }
    return good;
}

static void check_edges(const gsp_graph *graph, const gsp_csr_desc *d)
{
    uint32_t edges = 0;
    for (gsp_node v = 0; v < graph->n_nodes; v++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(graph, v, &n);
        for (uint32_t i = 0; i < n; i++) {
            gsp_node const w = users[i];
            gsp_node const from = d->users ? v : w;
            REQUIRE(is_in_row(d, from, d->users ? w : v, d->begin[from + 1u]));
            REQUIRE(i == 0 || users[i - 1u] < w);
        }
        edges += n;
        (void)gsp_node_inputs(graph, v, &n);
        REQUIRE(is_source(d, v) == (n == 0));
    }
    REQUIRE(edges == d->begin[d->n_nodes]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in;
    gsp_module module;
    gsp_error error;
    read_input(&in, data, size);
    gsp_arena arena = fuzz_arena(gsp_build_csr_bound(&in.desc));
    gsp_status const status = gsp_build_csr(&arena, &in.desc, &module, &error);
    REQUIRE(status == error.status && status != GSP_STATUS_NOMEM);
    REQUIRE((status == GSP_OK) == is_good(&in.desc));
    if (status == GSP_OK) {
        gsp_graph const graph = gsp_module_graph(&module, 0);
        check_edges(&graph, &in.desc);
        fuzz_passes(&graph, NULL, 0);
    } else {
        REQUIRE(arena.low == 0 && arena.high == 0);
        REQUIRE(error.status == GSP_STATUS_DUPLICATE || *error.field != '\0');
    }
    fuzz_free(&arena);
    return 0;
}
