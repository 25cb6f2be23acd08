/* Latencies have the same bits whatever the compiler may do to floating-point code: a hash of all
 * seconds of partitions of every mode that counts in them. */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>
#include <string.h>

#define CALLS 40u
#define NODES (CALLS + 2u)

static unsigned char memory[1u << 20];
static char text[CALLS * 128u + 256u];
static double mem[NODES];
static double compute[NODES];
static uint64_t state = 1u;

static uint64_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 16;
}

/* A double between 2^-16 and 1, by its bits. */
static double fraction(void)
{
    uint64_t const bits =
        ((uint64_t)(1007u + draw() % 16u) << 52) | ((draw() << 16 ^ draw()) & 0xFFFFFFFFFFFFFu);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void make_text(void)
{
    unsigned i;
    int at =
        sprintf(text, "graph():\n    %%n0 : [num_users=1] = placeholder[target=x]  # f32[2]\n");
    for (i = 1; i <= CALLS; i++) {
        unsigned const last = i - 1u;
        unsigned const early = (unsigned)(draw() % i);
        at += sprintf(text + at,
            "    %%n%u : [num_users=1] = call_function[target=f](args = (%%n%u, %%n%u), "
            "kwargs = {})  # f32[%u]\n",
            i, last, early, 1u + (unsigned)(draw() % 50u));
        mem[i] = fraction();
        compute[i] = fraction();
    }
    sprintf(text + at, "    return n%u\n", CALLS);
}

static uint64_t hash_of(uint64_t hash, const double *values, uint32_t n)
{
    for (; n > 0u; n--) {
        uint64_t bits;
        memcpy(&bits, values++, sizeof(bits));
        hash = (hash ^ bits) * 1099511628211u;
    }
    return hash;
}

int main(void)
{
    uint64_t const expected = EXPECTED;
    static const uint32_t modes[] = {GSP_PARTITION_SIZE, GSP_PARTITION_COST, GSP_PARTITION_KL};
    uint64_t hash = 14695981039346656037u;
    gsp_device devices[4];
    gsp_partition_desc desc;
    gsp_partition_result r;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_mark mark;
    unsigned m;
    make_text();
    memset(&desc, 0, sizeof(desc));
    for (m = 0; m < 4u; m++) {
        devices[m].name = gsp_str_of("d");
        devices[m].bytes = 2500u;
        devices[m].id = m;
    }
    desc.devices = devices;
    desc.n_devices = 4u;
    desc.mem = mem;
    desc.compute = compute;
    desc.has_rate = 1u;
    desc.transfer_rate = 977.3;
    gsp_arena_init(&arena, memory, sizeof(memory));
    if (gsp_text_read(&arena, text, strlen(text), NULL, &module, NULL) != GSP_OK) {
        return 2;
    }
    graph = gsp_module_graph(&module, 0);
    mark = gsp_arena_mark(&arena);
    for (m = 0; m < 3u; m++) {
        desc.mode = modes[m];
        if (gsp_partition_run(&arena, &graph, &desc, &r, NULL) != GSP_OK || r.n_parts < 2u) {
            return 3;
        }
        hash = hash_of(hash, &r.total, 1u);
        hash = hash_of(hash, &r.latency[0].mem, 3u * r.n_parts);
        hash = hash_of(hash, r.finish, r.n_parts);
        hash = hash_of(hash, r.parent_seconds, r.parent_begin[r.n_parts]);
        gsp_arena_rewind(&arena, mark);
    }
    if (hash != expected) {
        printf("the hash of all seconds is 0x%08lX%08lX\n", (unsigned long)(hash >> 32),
            (unsigned long)(hash & 0xFFFFFFFFu));
        return 1;
    }
    return 0;
}
