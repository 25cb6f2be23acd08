/* Every capacity from nothing up: refused cleanly until the bound, and then it works. */
#include "tests/contract/entry.h"

static int refused_cleanly(const entry *e, const entry_input *in, gsp_arena *arena, size_t bound)
{
    gsp_arena before;
    entry_output out;
    entry_output poison;
    gsp_error err;
    gsp_status status;
    memset(&out, 0, sizeof(out));
    memset(&poison, 0, sizeof(poison));
    entry_prepare(in, &out);
    entry_prepare(in, &poison);
    memcpy(&before, arena, sizeof(before));
    status = e->run(in, arena, &out, &err);
    if (status == GSP_OK) {
        return arena->size >= bound;
    }
    return T_EQUAL(status, GSP_STATUS_NOMEM) && T_EQUAL(err.need, bound) &&
           T_EQUAL(err.limit, arena->size) && T_CHECK(arena->size < bound) &&
           T_CHECK(memcmp(&before, arena, sizeof(before)) == 0) &&
           T_CHECK(memcmp(&poison, &out, sizeof(out)) == 0);
}

static void climb(const entry *e, const entry_input *in, size_t step)
{
    size_t const bound = e->bound(in);
    size_t size;
    unsigned char *const block = (unsigned char *)t_alloc(bound + step);
    for (size = 0; size < bound + step && !t_failed(); size += step) {
        gsp_arena arena;
        gsp_arena_init(&arena, block, size);
        if (!T_CHECK(refused_cleanly(e, in, &arena, bound))) {
            printf("%s at %lu of %lu bytes\n", e->name, (unsigned long)size, (unsigned long)bound);
        }
    }
    free(block);
}

static void run_all(uint32_t graphs, uint32_t max_nodes, size_t step, uint64_t salt)
{
    t_rng rng;
    uint32_t k;
    uint32_t i;
    rng.state = t_seed ^ salt;
    for (k = 0; k < graphs && !t_failed(); k++) {
        entry_input in;
        entry_open(&in, &rng, max_nodes);
        for (i = 0; i < entry_count && !t_failed(); i++) {
            climb(&entry_points[i], &in, step);
        }
        entry_close(&in);
    }
}

static void test_every_byte(void)
{
    run_all(t_fast ? 2u : 12u, 4u, 1u, 0xF0u);
}

static void test_in_steps(void)
{
    run_all(t_fast ? 5u : 60u, 60u, 97u, 0xF1u);
}

void suite_contract_oom(void)
{
    t_run("every_byte", test_every_byte);
    t_run("in_steps", test_in_steps);
}
