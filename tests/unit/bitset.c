#include "tests/t.h"

#define MOST 200u

/* A set as bytes, to compare with. */
typedef struct plain {
    uint8_t has[MOST];
    uint32_t n;
} plain;

static void check_same(const gsp_bitset *set, const plain *p)
{
    uint32_t id;
    uint32_t count = 0;
    uint32_t next = gsp_bitset_next(set, 0u);
    for (id = 0; id < p->n; id++) {
        T_EQUAL(gsp_bitset_has(set, id) != 0, p->has[id]);
        if (p->has[id]) {
            T_EQUAL(next, id);
            next = gsp_bitset_next(set, id + 1u);
            count++;
        }
    }
    T_EQUAL(next, GSP_NONE);
    T_EQUAL(gsp_bitset_count(set), count);
}

static void random_set(t_rng *rng, gsp_bitset *set, plain *p)
{
    uint32_t id;
    uint32_t const share = t_below(rng, 101u);
    for (id = 0; id < p->n; id++) {
        p->has[id] = (uint8_t)t_chance(rng, share);
        if (p->has[id]) {
            gsp_bitset_set(set, id);
        }
    }
}

static void combine(uint32_t op, gsp_bitset *a, const gsp_bitset *b, plain *p, const plain *q)
{
    uint32_t id;
    if (op == 0u) {
        gsp_bitset_or(a, b);
    } else if (op == 1u) {
        gsp_bitset_and(a, b);
    } else {
        gsp_bitset_andnot(a, b);
    }
    for (id = 0; id < p->n; id++) {
        uint8_t const x = p->has[id];
        uint8_t const y = q->has[id];
        p->has[id] = (uint8_t)(op == 0u ? x | y : op == 1u ? x & y : x & !y);
    }
}

static void test_against_bytes(void)
{
    t_rng rng;
    uint32_t n;
    uint32_t op;
    rng.state = t_seed;
    for (n = 0; n < MOST; n++) {
        for (op = 0; op < 3u; op++) {
            uint32_t words[2][MOST / 32u + 2u];
            gsp_bitset a;
            gsp_bitset b;
            plain p;
            plain q;
            memset(words, 0xFF, sizeof(words));
            memset(&p, 0, sizeof(p));
            memset(&q, 0, sizeof(q));
            p.n = q.n = n;
            gsp_bitset_init(&a, words[0], n);
            gsp_bitset_init(&b, words[1], n);
            check_same(&a, &p);
            random_set(&rng, &a, &p);
            random_set(&rng, &b, &q);
            check_same(&a, &p);
            T_EQUAL(gsp_bitset_equal(&a, &b), memcmp(p.has, q.has, sizeof(p.has)) == 0);
            combine(op, &a, &b, &p, &q);
            check_same(&a, &p);
            T_EQUAL(words[0][gsp_bitset_words(n)], 0xFFFFFFFFu);
        }
    }
}

static void test_fill_and_clear(void)
{
    uint32_t n;
    for (n = 0; n < MOST; n++) {
        uint32_t words[MOST / 32u + 2u];
        gsp_bitset a;
        gsp_bitset_init(&a, words, n);
        gsp_bitset_fill(&a, 1);
        T_EQUAL(gsp_bitset_count(&a), n);
        if (n != 0u) {
            gsp_bitset_clear(&a, n - 1u);
            T_EQUAL(gsp_bitset_count(&a), n - 1u);
            T_EQUAL(gsp_bitset_has(&a, n - 1u), 0);
        }
        gsp_bitset_fill(&a, 0);
        T_EQUAL(gsp_bitset_count(&a), 0);
        T_EQUAL(gsp_bitset_next(&a, 0u), GSP_NONE);
    }
}

/* Ids outside of the range are in no set, and change none; sets over other ranges do not mix. */
static void test_outside(void)
{
    uint32_t words[2] = {0, 0};
    uint32_t more[2] = {0, 0};
    gsp_bitset a;
    gsp_bitset b;
    gsp_bitset_init(&a, words, 33u);
    gsp_bitset_init(&b, more, 34u);
    gsp_bitset_set(&a, 33u);
    gsp_bitset_set(&a, GSP_NONE);
    T_EQUAL(gsp_bitset_count(&a), 0);
    T_EQUAL(gsp_bitset_has(&a, 33u), 0);
    T_EQUAL(gsp_bitset_has(&a, GSP_NONE), 0);
    gsp_bitset_set(&a, 32u);
    words[1] |= 2u;
    gsp_bitset_clear(&a, 33u); /* changes no word */
    T_EQUAL(words[1], 3);
    words[1] = 1;
    T_EQUAL(gsp_bitset_next(&a, 33u), GSP_NONE);
    T_EQUAL(gsp_bitset_next(&a, GSP_NONE), GSP_NONE);
    gsp_bitset_or(&b, &a);
    T_EQUAL(gsp_bitset_count(&b), 0);
    gsp_bitset_and(&a, &b);
    gsp_bitset_andnot(&a, &b);
    T_EQUAL(gsp_bitset_count(&a), 1);
    T_EQUAL(gsp_bitset_equal(&a, &b), 0);
}

static void test_words(void)
{
    T_EQUAL(gsp_bitset_words(0u), 0);
    T_EQUAL(gsp_bitset_words(1u), 1);
    T_EQUAL(gsp_bitset_words(32u), 1);
    T_EQUAL(gsp_bitset_words(33u), 2);
    T_EQUAL(gsp_bitset_words(UINT32_MAX), 134217728u);
}

void suite_unit_bitset(void)
{
    t_run("against_bytes", test_against_bytes);
    t_run("fill_and_clear", test_fill_and_clear);
    t_run("outside", test_outside);
    t_run("words", test_words);
}
