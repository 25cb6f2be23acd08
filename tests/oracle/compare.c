/* gsp_compare_run() against a matrix of the items that parts share: partners by looking for the
 * best pair that is left, again and again, and changes as they are defined. */
#include "examples/extra/graphsplit_compare.h"
#include "tests/t.h"

#define ITEMS 40u
#define PARTS 9u

typedef struct subject {
    gsp_arena arena;
    uint32_t of[2][ITEMS];
    gsp_str names[2][PARTS];
    gsp_compare_desc d;
    gsp_compare_result r;
    uint32_t shared[PARTS][PARTS];
    uint32_t only[2];
    uint32_t both;
    uint32_t partner[2][PARTS];
} subject;

static void choose(t_rng *rng, subject *s)
{
    static const char *const words[] = {"", "a", "b", "ab", "c", "d"};
    uint32_t const n_words = 1u + t_below(rng, 6u);
    uint32_t const missing = t_below(rng, 50u);
    uint32_t const moved = t_below(rng, 101u);
    int const named = t_chance(rng, 70);
    s->d.n_items = t_below(rng, ITEMS + 1u);
    for (uint32_t k = 0; k < 2u; k++) {
        s->d.n_parts[k] = 1u + t_below(rng, PARTS);
        s->d.part_of[k] = s->of[k];
        s->d.names[k] = named || t_chance(rng, 10) ? s->names[k] : NULL;
        for (uint32_t i = 0; i < PARTS; i++) {
            s->names[k][i] = gsp_str_of(words[t_below(rng, n_words)]);
        }
        for (uint32_t i = 0; i < s->d.n_items; i++) {
            uint32_t const old = k == 1u && s->of[0][i] < s->d.n_parts[1] ? s->of[0][i] : 0u;
            s->of[k][i] = t_chance(rng, missing)             ? GSP_NONE
                          : k == 1u && !t_chance(rng, moved) ? old
                                                             : t_below(rng, s->d.n_parts[k]);
        }
    }
}

static void count(subject *s)
{
    memset(s->shared, 0, sizeof(s->shared));
    s->only[0] = s->only[1] = s->both = 0;
    for (uint32_t i = 0; i < s->d.n_items; i++) {
        uint32_t const a = s->of[0][i];
        uint32_t const b = s->of[1][i];
        if (a != GSP_NONE && b != GSP_NONE) {
            s->shared[a][b]++;
            s->both++;
        } else if (a != GSP_NONE) {
            s->only[0]++;
        } else if (b != GSP_NONE) {
            s->only[1]++;
        }
    }
}

static int have_one_name(const subject *s, uint32_t a, uint32_t b)
{
    return s->d.names[0] != NULL && s->d.names[1] != NULL
               ? gsp_str_equal(s->names[0][a], s->names[1][b])
               : a == b;
}

/* Returns how many items agree. */
static uint32_t match(subject *s)
{
    uint32_t agree = 0;
    uint32_t most;
    memset(s->partner, 0xFF, sizeof(s->partner));
    do {
        uint32_t pair[2] = {0, 0};
        most = 0;
        for (uint32_t a = 0; a < s->d.n_parts[0]; a++) {
            for (uint32_t b = 0; b < s->d.n_parts[1]; b++) {
                uint32_t const value = 2u * s->shared[a][b] + (uint32_t)have_one_name(s, a, b);
                if (s->partner[0][a] == GSP_NONE && s->partner[1][b] == GSP_NONE &&
                    s->shared[a][b] != 0u && value > most) {
                    most = value;
                    pair[0] = a;
                    pair[1] = b;
                }
            }
        }
        if (most != 0u) {
            s->partner[0][pair[0]] = pair[1];
            s->partner[1][pair[1]] = pair[0];
            agree += most / 2u;
        }
    } while (most != 0u);
    return agree;
}

static uint32_t shared_by(const subject *s, uint32_t k, uint32_t part, uint32_t other)
{
    return k == 0u ? s->shared[part][other] : s->shared[other][part];
}

/* How many parts of the other assignment share items with a part; *last: one of them. */
static uint32_t others(const subject *s, uint32_t k, uint32_t part, uint32_t *last)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->d.n_parts[1u - k]; i++) {
        if (shared_by(s, k, part, i) != 0u) {
            *last = i;
            n++;
        }
    }
    return n;
}

/* With several parts: 1 if one of them has several parts as well. */
static int is_mixed(const subject *s, uint32_t k, uint32_t part)
{
    uint32_t last;
    int mixed = 0;
    for (uint32_t i = 0; i < s->d.n_parts[1u - k]; i++) {
        mixed |= shared_by(s, k, part, i) != 0u && others(s, 1u - k, i, &last) > 1u;
    }
    return mixed;
}

static gsp_change change_of(const subject *s, uint32_t k, uint32_t part)
{
    uint32_t other = 0;
    uint32_t back = part;
    uint32_t const n = others(s, k, part, &other);
    if (n == 0u) {
        return GSP_CHANGE_EMPTY;
    }
    if (n > 1u) {
        return is_mixed(s, k, part) ? GSP_CHANGE_MIXED
               : k == 0u            ? GSP_CHANGE_SPLIT
                                    : GSP_CHANGE_MERGED;
    }
    if (others(s, 1u - k, other, &back) > 1u) {
        return is_mixed(s, 1u - k, other) ? GSP_CHANGE_MIXED
               : k == 0u                  ? GSP_CHANGE_MERGED
                                          : GSP_CHANGE_SPLIT;
    }
    return have_one_name(s, k == 0u ? part : other, k == 0u ? other : part) ? GSP_CHANGE_SAME
                                                                            : GSP_CHANGE_RENAMED;
}

static void check(subject *s)
{
    s->arena.low = s->arena.high = 0;
    T_EQUAL(gsp_compare_run(&s->arena, &s->d, &s->r, NULL), GSP_OK);
    count(s);
    T_EQUAL(s->r.n_agree, match(s));
    T_EQUAL(s->r.n_agree + s->r.n_moved, s->both);
    for (uint32_t k = 0; k < 2u; k++) {
        T_EQUAL(s->r.n_only[k], s->only[k]);
        for (uint32_t i = 0; i < s->d.n_parts[k]; i++) {
            T_EQUAL(s->r.partner[k][i], s->partner[k][i]);
            T_EQUAL(s->r.change[k][i], change_of(s, k, i));
        }
    }
}

static void test_random(void)
{
    uint32_t const runs = t_fast ? 2000u : 40000u;
    uint32_t seen[GSP_CHANGE_COUNT] = {0};
    subject s;
    t_rng rng;
    rng.state = t_seed ^ 0xC0u;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.arena, 4096u);
    for (uint32_t i = 0; i < runs && !t_failed(); i++) {
        choose(&rng, &s);
        check(&s);
        for (uint32_t p = 0; p < s.d.n_parts[0]; p++) {
            seen[s.r.change[0][p]]++;
        }
    }
    for (uint32_t c = 0; c < GSP_CHANGE_COUNT; c++) {
        T_CHECK(seen[c] > runs / 20u);
    }
    t_arena_close(&s.arena);
}

void suite_oracle_compare(void)
{
    t_run("random", test_random);
}
