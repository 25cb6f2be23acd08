#include "tests/t.h"

static int aligned(const void *p)
{
    return (uintptr_t)p % GSP_ALIGN == 0u;
}

static void test_two_ends(void)
{
    static unsigned char block[256];
    gsp_arena a;
    unsigned char *low;
    unsigned char *high;
    gsp_arena_init(&a, block, sizeof(block));
    T_EQUAL(gsp_arena_left(&a), 256);
    low = (unsigned char *)gsp_arena_push(&a, 5u, 4u);
    high = (unsigned char *)gsp_arena_push_high(&a, 3u, 8u);
    T_CHECK(low != NULL && high != NULL);
    T_CHECK(aligned(low) && aligned(high));
    T_CHECK(low >= block && low + 20 <= high && high + 24 <= block + sizeof(block));
    T_CHECK(gsp_arena_left(&a) <= 256u - 44u);
    T_EQUAL(gsp_arena_left(&a), a.size - a.low - a.high);
}

static void test_any_address(void)
{
    static unsigned char block[128 + 2u * GSP_GAP];
    size_t const size = 80u + 2u * GSP_GAP;
    uint32_t i;
    for (i = 0; i < 32u; i++) {
        gsp_arena a;
        unsigned char *p;
        unsigned char *q;
        gsp_arena_init(&a, block + i, size);
        p = (unsigned char *)gsp_arena_push(&a, 1u, 16u);
        q = (unsigned char *)gsp_arena_push_high(&a, 1u, 16u);
        T_CHECK(p != NULL && aligned(p) && p >= block + i);
        T_CHECK(q != NULL && aligned(q) && q + 16 <= block + i + size && q >= p + 16);
    }
}

static void test_full(void)
{
    static unsigned char block[64];
    gsp_arena a;
    gsp_arena before;
    gsp_arena_init(&a, block, sizeof(block));
    memcpy(&before, &a, sizeof(a));
    T_CHECK(gsp_arena_push(&a, 65u, 1u) == NULL);
    T_CHECK(gsp_arena_push_high(&a, 65u, 1u) == NULL);
    T_CHECK(gsp_arena_push(&a, SIZE_MAX, 2u) == NULL);
    T_CHECK(gsp_arena_push(&a, SIZE_MAX / 8u + 1u, 8u) == NULL);
    T_CHECK(gsp_arena_push_high(&a, SIZE_MAX, SIZE_MAX) == NULL);
    T_CHECK(gsp_arena_push(&a, SIZE_MAX, 1u) == NULL);
    T_CHECK(memcmp(&before, &a, sizeof(a)) == 0);
    /* room for the bytes, and none for those that align them */
    gsp_arena_init(&a, block + (aligned(block) ? 1 : 0), 20u);
    T_CHECK(gsp_arena_push(&a, 20u, 1u) == NULL);
    T_EQUAL(gsp_arena_left(&a), 20);
}

static void test_empty(void)
{
    gsp_arena a;
    gsp_arena_init(&a, NULL, 0u);
    T_EQUAL(gsp_arena_left(&a), 0);
    T_CHECK(gsp_arena_push(&a, 1u, 1u) == NULL);
    T_CHECK(gsp_arena_push_high(&a, 1u, 1u) == NULL);
}

static void test_marks(void)
{
    static unsigned char block[256 + 3u * GSP_GAP];
    gsp_arena a;
    gsp_mark mark;
    void *first;
    gsp_arena_init(&a, block, sizeof(block));
    T_CHECK(gsp_arena_push(&a, 1u, 10u) != NULL);
    mark = gsp_arena_mark(&a);
    first = gsp_arena_push(&a, 1u, 30u);
    T_CHECK(gsp_arena_push_high(&a, 1u, 30u) != NULL);
    gsp_arena_rewind(&a, mark);
    T_EQUAL(a.low, mark.low);
    T_EQUAL(a.high, mark.high);
    T_CHECK(gsp_arena_push(&a, 1u, 30u) == first);
}

static void test_touched(void)
{
    static unsigned char block[512 + 2u * GSP_GAP];
    gsp_arena a;
    gsp_mark mark;
    gsp_arena_init(&a, block, sizeof(block));
    mark = gsp_arena_mark(&a);
    T_CHECK(gsp_arena_push(&a, 1u, 100u) != NULL);
    T_CHECK(gsp_arena_push_high(&a, 1u, 100u) != NULL);
    T_CHECK(a.touched >= 200u + 2u * GSP_GAP && a.touched <= 232u + 2u * GSP_GAP);
    gsp_arena_rewind(&a, mark);
    T_CHECK(a.touched >= 200u + 2u * GSP_GAP);
    gsp_arena_watch(&a);
    T_EQUAL(a.touched, a.low + a.high);
}

void suite_unit_memory(void)
{
    t_run("two_ends", test_two_ends);
    t_run("any_address", test_any_address);
    t_run("full", test_full);
    t_run("empty", test_empty);
    t_run("marks", test_marks);
    t_run("touched", test_touched);
}
