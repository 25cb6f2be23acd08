/* A pipeline on several machines: the stages of a graph as MPI ranks, forward and backward.
 *
 *     graphsplit pipe --stages 4 --emit stages examples/mpi_pipeline.fx
 *     mpicc -O2 -I. -o mpi_pipeline examples/mpi_pipeline.c
 *     mpirun -np 4 ./mpi_pipeline 16 stages/submod_0.fx stages/submod_1.fx ...
 *
 * Stage s belongs to rank s % ranks, which reads no other text; who sends what to whom follows from
 * the names of inputs and outputs. 16 microbatches flow in the order of gsp_schedule_run(): one
 * forward, one backward, interleaved where a rank has several stages. Rank 0 prints the loss of
 * every microbatch and a hash of every gradient: the same bytes for any number of ranks, and for
 * the whole graph as one stage. */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#define GRAPHSPLIT_SCHEDULE_IMPLEMENTATION
#include "examples/extra/graphsplit_schedule.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME  64  /* bytes of a name */
#define SLOTS 32u /* inputs or outputs of a stage */

/* The facts about each stage that every rank has. */
typedef struct signature {
    uint32_t n_in;
    uint32_t n_out;
    char in[SLOTS][NAME];
    char out[SLOTS][NAME];
} signature;

/* A stage of this rank. Buffers are indexed by microbatch, then by node. */
typedef struct stage {
    gsp_module module;
    gsp_graph g;
    float **value;
    float **param; /* [nodes] of get_attr nodes */
    float **grad;  /* [nodes] their gradients, summed over the microbatches */
} stage;

typedef struct world {
    int rank;
    int ranks;
    char **paths;     /* [stages] of their texts */
    const char *path; /* of the present stage, for messages */
    uint32_t n_stages;
    uint32_t n_batches;
    signature *signature; /* [stages] */
    stage *stage;         /* [stages] of this rank, others empty */
    float **mail;         /* values that this rank sends to itself */
    float *loss;          /* [batches] on the rank that computes the loss */
    MPI_Request *sent;
    float **sent_data;
    size_t n_sent;
} world;

static world w;

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
/* Reports an error and ends all ranks. */
static void
fail(const char *format, ...)
{
    va_list list;
    fprintf(stderr, "mpi_pipeline: rank %d", w.rank);
    fprintf(stderr, w.path != NULL ? ", %s: " : ": ", w.path);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void *room(size_t count, size_t size)
{
    void *p = calloc(count + 1u, size);
    if (p == NULL) {
        fail("out of memory");
    }
    return p;
}

/* ---- reading a stage ---- */

static int is_mine(uint32_t s)
{
    return (int)(s % (uint32_t)w.ranks) == w.rank;
}

static char *read_file(size_t *size)
{
    FILE *file = fopen(w.path, "rb");
    char *text = NULL;
    size_t got = 0;
    if (file == NULL) {
        fail("cannot be read");
    }
    for (*size = 0; *size == got;) {
        got += 65536u;
        text = (char *)realloc(text, got);
        if (text == NULL) {
            fail("out of memory");
        }
        *size += fread(text + *size, 1u, got - *size, file);
    }
    (void)fclose(file);
    return text;
}

static void read_stage(uint32_t s)
{
    gsp_arena arena;
    gsp_counts counts;
    gsp_error err;
    size_t size;
    size_t bound;
    char *text = read_file(&size);
    if (gsp_text_count(text, size, &counts, &err) != GSP_OK) {
        fail("%s", gsp_detail_text(err.detail));
    }
    bound = gsp_build_bound(&counts);
    gsp_arena_init(&arena, room(bound, 1u), bound);
    if (gsp_text_read(&arena, text, size, NULL, &w.stage[s].module, &err) != GSP_OK) {
        fail("line %zu: %s", err.line, gsp_detail_text(err.detail));
    }
    w.stage[s].g = gsp_module_graph(&w.stage[s].module, 0);
    free(text);
}

static void put_name(char (*names)[NAME], uint32_t *n, const gsp_graph *g, gsp_node v)
{
    gsp_str name = gsp_node_name(g, v);
    if (*n == SLOTS || name.size >= NAME) {
        fail("more than %u values cross, or a name is long", (unsigned)SLOTS);
    }
    memcpy(names[(*n)++], name.data, name.size);
}

/* Elements of a value; all are f32. */
static size_t length(const gsp_graph *g, gsp_node v)
{
    return (size_t)gsp_node_bytes(g, v) / sizeof(float);
}

/* The last dimension of a value. */
static size_t width(const gsp_graph *g, gsp_node v)
{
    gsp_str dtype;
    gsp_str dims;
    uint32_t at = 0;
    uint64_t number = 1;
    if (gsp_type_next(gsp_node_type(g, v), &at, &dtype, &dims)) {
        uint32_t i = dims.size;
        while (i > 0 && dims.data[i - 1u] != ' ') {
            i--;
        }
        dims.data += i;
        dims.size -= i;
        (void)gsp_str_number(dims, &number);
    }
    return (size_t)number;
}

/* ---- data: the same numbers on every rank ---- */

static void fill(float *out, size_t n, gsp_str name, uint32_t batch, float scale)
{
    uint64_t x = batch + 1u;
    size_t i;
    for (i = 0; i < name.size; i++) {
        x = (x ^ (unsigned char)name.data[i]) * 0x100000001B3u;
    }
    for (i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        out[i] = ((float)(int32_t)(x >> 33) / 1073741824.0f - 1.0f) * scale;
    }
}

static void sign_stage(uint32_t s)
{
    stage *st = &w.stage[s];
    signature *sig = &w.signature[s];
    const gsp_graph *g = &st->g;
    uint32_t n;
    const gsp_node *out = gsp_node_inputs(g, g->n_nodes - 1u, &n);
    uint32_t i;
    gsp_node v;
    for (i = 0; i < n; i++) {
        put_name(sig->out, &sig->n_out, g, out[i]);
    }
    st->value = (float **)room((size_t)w.n_batches * g->n_nodes, sizeof(float *));
    st->param = (float **)room(g->n_nodes, sizeof(float *));
    st->grad = (float **)room(g->n_nodes, sizeof(float *));
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
            put_name(sig->in, &sig->n_in, g, v);
        } else if (gsp_node_op(g, v) == GSP_OP_GET_ATTR) {
            st->param[v] = (float *)room(length(g, v), sizeof(float));
            st->grad[v] = (float *)room(length(g, v), sizeof(float));
            fill(st->param[v], length(g, v), gsp_node_target(g, v), 0, 0.08f);
        }
    }
}

/* Every rank sends the inputs and outputs of its stages to all others. */
static void exchange_signatures(void)
{
    uint32_t s;
    for (s = 0; s < w.n_stages; s++) {
        MPI_Bcast(&w.signature[s], (int)sizeof(signature), MPI_BYTE, (int)(s % (uint32_t)w.ranks),
            MPI_COMM_WORLD);
    }
}

/* ---- messages: an input of a stage has a number, both ways, for every microbatch ---- */

static size_t address(uint32_t batch, uint32_t reader, uint32_t slot, int back)
{
    return (((size_t)batch * w.n_stages + reader) * SLOTS + slot) * 2u + (size_t)back;
}

/* Takes ownership of the data. */
static void put(uint32_t to, size_t at, float *data, size_t n)
{
    if (is_mine(to)) {
        w.mail[at] = data;
        return;
    }
    w.sent_data[w.n_sent] = data;
    MPI_Isend(data, (int)n, MPI_FLOAT, (int)(to % (uint32_t)w.ranks), (int)at, MPI_COMM_WORLD,
        &w.sent[w.n_sent++]);
}

static float *get(uint32_t from, size_t at, size_t n)
{
    float *data;
    if (is_mine(from)) {
        return w.mail[at];
    }
    data = (float *)room(n, sizeof(float));
    MPI_Recv(data, (int)n, MPI_FLOAT, (int)(from % (uint32_t)w.ranks), (int)at, MPI_COMM_WORLD,
        MPI_STATUS_IGNORE);
    return data;
}

/* The index of a name in a list; n if it is not in it. */
static uint32_t find(const char (*names)[NAME], uint32_t n, const char *name)
{
    uint32_t i;
    for (i = 0; i < n && strcmp(names[i], name) != 0; i++) {
    }
    return i;
}

/* The stage that returns a value; n_stages: none, it is an input of the whole graph. */
static uint32_t maker_of(const char *name)
{
    uint32_t s;
    for (s = 0; s < w.n_stages; s++) {
        const signature *sig = &w.signature[s];
        if (find((const char(*)[NAME])sig->out, sig->n_out, name) < sig->n_out) {
            break;
        }
    }
    return s;
}

/* ---- kernels ---- */

enum { MM, ADD, RELU, LOSS };

static int kernel_of(const gsp_graph *g, gsp_node v)
{
    static const char *const names[] = {
        "torch.mm", "torch.add", "torch.relu", "torch.nn.functional.mse_loss"};
    gsp_str target = gsp_node_target(g, v);
    int k;
    for (k = 0; k < 4; k++) {
        if (gsp_str_equal(target, gsp_str_of(names[k]))) {
            return k;
        }
    }
    fail("no kernel for %.*s", (int)target.size, target.data);
    return -1;
}

/* The two arguments of a node; of a single argument, twice the same. */
static void arguments(const gsp_graph *g, gsp_node v, gsp_node *a, gsp_node *b)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    if (n == 0 || args[0].kind != GSP_ARG_NODE) {
        fail("a kernel expects values");
    }
    *a = args[0].value;
    *b = n > 1 && args[1].kind == GSP_ARG_NODE ? args[1].value : *a;
}

static void run_node(const gsp_graph *g, gsp_node v, float **value)
{
    gsp_node na;
    gsp_node nb;
    size_t n = length(g, v);
    float *y = (float *)room(n, sizeof(float));
    const float *a;
    const float *b;
    size_t i;
    size_t j;
    size_t k;
    arguments(g, v, &na, &nb);
    a = value[na];
    b = value[nb];
    switch (kernel_of(g, v)) {
    case MM: {
        size_t inner = width(g, na);
        size_t columns = width(g, v);
        for (i = 0; i < n / columns; i++) {
            for (k = 0; k < inner; k++) {
                float x = a[i * inner + k];
                for (j = 0; j < columns; j++) {
                    y[i * columns + j] += x * b[k * columns + j];
                }
            }
        }
        break;
    }
    case ADD:
        for (i = 0; i < n; i++) {
            y[i] = a[i] + b[i];
        }
        break;
    case RELU:
        for (i = 0; i < n; i++) {
            y[i] = a[i] > 0.0f ? a[i] : 0.0f;
        }
        break;
    default:
        for (i = 0; i < length(g, na); i++) {
            y[0] += (a[i] - b[i]) * (a[i] - b[i]) / (float)length(g, na);
        }
        break;
    }
    value[v] = y;
}

/* The gradient of a node, created as zeros at first use. */
static float *grad_at(const gsp_graph *g, float **grad, gsp_node v)
{
    if (grad[v] == NULL) {
        grad[v] = (float *)room(length(g, v), sizeof(float));
    }
    return grad[v];
}

/* Adds to the gradients of the inputs of a node. */
static void differentiate(const gsp_graph *g, gsp_node v, float **value, float **grad)
{
    gsp_node na;
    gsp_node nb;
    size_t n = length(g, v);
    const float *d = grad[v];
    float *da;
    float *db;
    size_t i;
    size_t j;
    size_t k;
    arguments(g, v, &na, &nb);
    da = grad_at(g, grad, na);
    db = grad_at(g, grad, nb);
    switch (kernel_of(g, v)) {
    case MM: {
        size_t inner = width(g, na);
        size_t columns = width(g, v);
        for (i = 0; i < n / columns; i++) {
            for (k = 0; k < inner; k++) {
                float x = value[na][i * inner + k];
                float sum = 0.0f;
                for (j = 0; j < columns; j++) {
                    sum += d[i * columns + j] * value[nb][k * columns + j];
                    db[k * columns + j] += x * d[i * columns + j];
                }
                da[i * inner + k] += sum;
            }
        }
        break;
    }
    case ADD:
        for (i = 0; i < n; i++) {
            da[i] += d[i];
            db[i] += d[i];
        }
        break;
    case RELU:
        for (i = 0; i < n; i++) {
            da[i] += value[na][i] > 0.0f ? d[i] : 0.0f;
        }
        break;
    default:
        for (i = 0; i < length(g, na); i++) {
            float x = 2.0f * (value[na][i] - value[nb][i]) / (float)length(g, na) * d[0];
            da[i] += x;
            db[i] -= x;
        }
        break;
    }
}

/* ---- one stage, one microbatch ---- */

/* Sends a value to all stages that read it. */
static void publish(uint32_t s, uint32_t batch, const char *name, const float *data, size_t n)
{
    uint32_t t;
    for (t = s + 1u; t < w.n_stages; t++) {
        const signature *sig = &w.signature[t];
        uint32_t slot = find((const char(*)[NAME])sig->in, sig->n_in, name);
        if (slot < sig->n_in) {
            float *copy = (float *)room(n, sizeof(float));
            memcpy(copy, data, n * sizeof(float));
            put(t, address(batch, t, slot, 0), copy, n);
        }
    }
}

static void run_forward(uint32_t s, uint32_t batch)
{
    stage *st = &w.stage[s];
    const gsp_graph *g = &st->g;
    float **value = st->value + (size_t)batch * g->n_nodes;
    uint32_t slot = 0;
    uint32_t n;
    const gsp_node *out = gsp_node_inputs(g, g->n_nodes - 1u, &n);
    gsp_node v;
    for (v = 0; v + 1u < g->n_nodes; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
            const char *name = w.signature[s].in[slot];
            uint32_t maker = maker_of(name);
            if (maker < w.n_stages) {
                value[v] = get(maker, address(batch, s, slot, 0), length(g, v));
            } else {
                value[v] = (float *)room(length(g, v), sizeof(float));
                fill(value[v], length(g, v), gsp_str_of(name), batch, 1.0f);
            }
            slot++;
        } else if (gsp_node_op(g, v) == GSP_OP_GET_ATTR) {
            value[v] = st->param[v];
        } else {
            run_node(g, v, value);
        }
    }
    for (; n > 0; n--) {
        const char *name = w.signature[s].out[n - 1u];
        publish(s, batch, name, value[out[n - 1u]], length(g, out[n - 1u]));
        if (strcmp(name, "loss") == 0) {
            w.loss[batch] = value[out[n - 1u]][0];
        }
    }
}

/* The gradient of a returned value: 1 for the loss, else the sum over its readers, last first. */
static void collect(uint32_t s, uint32_t batch, const char *name, float *sum, size_t n)
{
    uint32_t t;
    size_t i;
    if (strcmp(name, "loss") == 0) {
        sum[0] = 1.0f;
    }
    for (t = w.n_stages; t > s + 1u; t--) {
        const signature *sig = &w.signature[t - 1u];
        uint32_t slot = find((const char(*)[NAME])sig->in, sig->n_in, name);
        if (slot < sig->n_in) {
            float *data = get(t - 1u, address(batch, t - 1u, slot, 1), n);
            for (i = 0; i < n; i++) {
                sum[i] += data[i];
            }
            free(data);
        }
    }
}

static void run_backward(uint32_t s, uint32_t batch)
{
    stage *st = &w.stage[s];
    const gsp_graph *g = &st->g;
    float **value = st->value + (size_t)batch * g->n_nodes;
    float **grad = (float **)room(g->n_nodes, sizeof(float *));
    uint32_t slot = w.signature[s].n_in;
    uint32_t n;
    const gsp_node *out = gsp_node_inputs(g, g->n_nodes - 1u, &n);
    gsp_node v;
    for (; n > 0; n--) {
        collect(s, batch, w.signature[s].out[n - 1u], grad_at(g, grad, out[n - 1u]),
            length(g, out[n - 1u]));
    }
    for (v = g->n_nodes - 1u; v-- > 0;) {
        gsp_op op = gsp_node_op(g, v);
        size_t i;
        if (op == GSP_OP_PLACEHOLDER) {
            uint32_t maker = maker_of(w.signature[s].in[--slot]);
            if (maker < w.n_stages) {
                put(maker, address(batch, s, slot, 1), grad_at(g, grad, v), length(g, v));
                grad[v] = NULL; /* ownership has moved */
            }
        } else if (op == GSP_OP_GET_ATTR) {
            for (i = 0; grad[v] != NULL && i < length(g, v); i++) {
                st->grad[v][i] += grad[v][i];
            }
        } else if (grad[v] != NULL) {
            differentiate(g, v, value, grad);
        }
        free(grad[v]);
        if (op != GSP_OP_GET_ATTR) {
            free(value[v]);
        }
        value[v] = NULL;
    }
    free(grad);
}

/* ---- the whole run ---- */

static void run_schedule(void)
{
    gsp_schedule_desc desc;
    gsp_schedule_result plan;
    gsp_arena arena;
    gsp_error err;
    size_t bound;
    uint32_t i;
    memset(&desc, 0, sizeof desc);
    desc.n_devices = (uint32_t)w.ranks;
    desc.n_chunks = w.n_stages / (uint32_t)w.ranks;
    desc.kind = desc.n_chunks > 1u ? GSP_SCHEDULE_INTERLEAVED : GSP_SCHEDULE_1F1B;
    desc.n_microbatches = w.n_batches;
    bound = gsp_schedule_bound(&desc);
    gsp_arena_init(&arena, room(bound, 1u), bound);
    if (gsp_schedule_run(&arena, &desc, &plan, &err) != GSP_OK) {
        fail("no schedule: %s", gsp_detail_text(err.detail));
    }
    for (i = plan.task_begin[w.rank]; i < plan.task_begin[w.rank + 1]; i++) {
        const gsp_task *task = &plan.tasks[i];
        w.path = w.paths[task->stage];
        if (task->backward) {
            run_backward(task->stage, task->microbatch);
        } else {
            run_forward(task->stage, task->microbatch);
        }
    }
    w.path = NULL;
    MPI_Waitall((int)w.n_sent, w.sent, MPI_STATUSES_IGNORE);
    while (w.n_sent > 0) {
        free(w.sent_data[--w.n_sent]);
    }
}

static uint64_t hash_of(const float *data, size_t n)
{
    const unsigned char *bytes = (const unsigned char *)data;
    uint64_t x = 0xCBF29CE484222325u;
    size_t i;
    for (i = 0; i < n * sizeof(float); i++) {
        x = (x ^ bytes[i]) * 0x100000001B3u;
    }
    return x;
}

/* One line per parameter, made by the rank that holds it and printed by rank 0, in the order of the
 * stages. */
static void print_grads(uint32_t s)
{
    const stage *st = &w.stage[s];
    int from = (int)(s % (uint32_t)w.ranks);
    char line[160];
    gsp_node v;
    for (v = 0; w.rank == from && v < st->g.n_nodes; v++) {
        gsp_str target = gsp_node_target(&st->g, v);
        if (st->grad[v] != NULL) {
            (void)snprintf(line, sizeof line, "grad %.*s %016" PRIx64 "\n", (int)target.size,
                target.data, hash_of(st->grad[v], length(&st->g, v)));
            if (from == 0) {
                fputs(line, stdout);
            } else {
                MPI_Send(line, (int)sizeof line, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            }
        }
    }
    line[0] = '\0';
    if (w.rank == from && from != 0) {
        MPI_Send(line, (int)sizeof line, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    while (w.rank == 0 && from != 0) {
        MPI_Recv(line, (int)sizeof line, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (line[0] == '\0') {
            break;
        }
        fputs(line, stdout);
    }
}

static void print_results(void)
{
    uint32_t i;
    for (i = 0; i < w.n_batches; i++) {
        float sum = 0.0f;
        MPI_Reduce(&w.loss[i], &sum, 1, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD); /* one is not 0 */
        if (w.rank == 0) {
            printf("loss %" PRIu32 " %a\n", i, (double)sum);
        }
    }
    for (i = 0; i < w.n_stages; i++) {
        print_grads(i);
    }
}

static void open_world(int argc, char **argv)
{
    uint64_t batches = 0;
    size_t mails;
    uint32_t s;
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w.ranks);
    if (argc < 3 || !gsp_str_number(gsp_str_of(argv[1]), &batches) || batches == 0 ||
        batches > 4096u) {
        fail("usage: mpi_pipeline MICROBATCHES STAGE.fx...");
    }
    w.paths = argv + 2;
    w.n_stages = (uint32_t)argc - 2u;
    w.n_batches = (uint32_t)batches;
    if (w.n_stages % (uint32_t)w.ranks != 0) {
        fail("%u stages cannot be dealt to %d ranks", (unsigned)w.n_stages, w.ranks);
    }
    mails = address(w.n_batches, 0, 0, 0);
    w.signature = (signature *)room(w.n_stages, sizeof(signature));
    w.stage = (stage *)room(w.n_stages, sizeof(stage));
    w.mail = (float **)room(mails, sizeof(float *));
    w.sent = (MPI_Request *)room(mails, sizeof(MPI_Request));
    w.sent_data = (float **)room(mails, sizeof(float *));
    w.loss = (float *)room(w.n_batches, sizeof(float));
    for (s = 0; s < w.n_stages; s++) {
        if (is_mine(s)) {
            w.path = w.paths[s];
            read_stage(s);
            sign_stage(s);
        }
    }
    w.path = NULL;
}

int main(int argc, char **argv)
{
    double begin;
    MPI_Init(&argc, &argv);
    open_world(argc, argv);
    exchange_signatures();
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    run_schedule();
    MPI_Barrier(MPI_COMM_WORLD);
    if (w.rank == 0) {
        fprintf(stderr,
            "mpi_pipeline: %d ranks, %" PRIu32 " stages, %" PRIu32 " microbatches: %.3f s\n",
            w.ranks, w.n_stages, w.n_batches, MPI_Wtime() - begin);
    }
    print_results();
    MPI_Finalize();
    return 0;
}
