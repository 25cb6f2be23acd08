/* Results depend on the input alone: not on what stood in memory, nor on where the memory lies. */
#include "tests/contract/entry.h"

static t_string result_over(const entry *e, const entry_input *in, int fill, uint32_t offset)
{
    t_string bytes = {NULL, 0u, 0u};
    size_t const bound = e->bound(in);
    unsigned char *const block = (unsigned char *)t_alloc(bound + 64u);
    gsp_arena arena;
    entry_output out;
    gsp_error err;
    memset(block, fill, bound + 64u);
    gsp_arena_init(&arena, block + offset, bound);
    entry_prepare(in, &out);
    t_add(&bytes, "", 0u);
    if (T_EQUAL(e->run(in, &arena, &out, &err), GSP_OK)) {
        e->dump(in, &out, &bytes);
    }
    free(block);
    return bytes;
}

static void compare(const entry *e, const entry_input *in)
{
    t_string a = result_over(e, in, 0x00, 0u);
    t_string b = result_over(e, in, 0xFF, 0u);
    t_string c = result_over(e, in, 0x55, 7u);
    if (!T_CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0) ||
        !T_CHECK(a.size == c.size && memcmp(a.data, c.data, a.size) == 0)) {
        printf("%s\n", e->name);
    }
    t_free(&a);
    t_free(&b);
    t_free(&c);
}

static void test_memory_contents(void)
{
    t_rng rng;
    uint32_t k;
    uint32_t i;
    rng.state = t_seed ^ 0x0Du;
    for (k = 0; k < (t_fast ? 100u : 2000u) && !t_failed(); k++) {
        entry_input in;
        entry_open(&in, &rng, 60u);
        for (i = 0; i < entry_count && !t_failed(); i++) {
            compare(&entry_points[i], &in);
        }
        entry_close(&in);
    }
}

/* A finished module is one block without pointers: a copy of the bytes is the module again. */
static void test_copies(void)
{
    t_rng rng;
    uint32_t k;
    rng.state = t_seed ^ 0xC0u;
    for (k = 0; k < (t_fast ? 50u : 500u) && !t_failed(); k++) {
        entry_input in;
        gsp_module copy;
        gsp_error err;
        void *block;
        entry_open(&in, &rng, 60u);
        block = t_alloc(in.module.block_size);
        memcpy(block, in.module.block, in.module.block_size);
        if (T_EQUAL(gsp_module_open(&copy, block, in.module.block_size, 0, &err), GSP_OK)) {
            t_string text = t_print(&copy, NULL);
            T_CHECK(t_module_equal(&copy, &in.module));
            T_CHECK(text.size == in.text.size && memcmp(text.data, in.text.data, text.size) == 0);
            t_free(&text);
        }
        free(block);
        entry_close(&in);
    }
}

void suite_contract_order(void)
{
    t_run("memory_contents", test_memory_contents);
    t_run("copies", test_copies);
}
