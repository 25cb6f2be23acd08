/* Modules damaged where it hurts: one word of a table becomes another one that could stand
 * there, so that many blocks still open. All passes of the fuzz entry for stored modules run on
 * them, and its checks decide. */
#define LLVMFuzzerTestOneInput fuzz_open_one
#define GRAPHSPLIT_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_DRAW_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_FINGERPRINT_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_KWAY_IMPLEMENTATION_ONCE
#define GRAPHSPLIT_STAGES_IMPLEMENTATION_ONCE
#include "tests/fuzz/fuzz_open.c"
#include "tests/t.h"

/* The input of the entry: a choice of text, then (place, byte) for every damaged byte. */
typedef struct damage {
    t_rng *rng;
    gsp_module m;
    uint8_t data[64];
    size_t size;
} damage;

static void put_bytes(damage *d, const void *field, const void *bytes, size_t size)
{
    size_t const at = (size_t)((const char *)field - (const char *)d->m.block);
    size_t i;
    for (i = 0; i < size; i++) {
        d->data[d->size++] = (uint8_t)((at + i) & 255u);
        d->data[d->size++] = (uint8_t)((at + i) >> 8);
        d->data[d->size++] = ((const uint8_t *)bytes)[i];
    }
}

static void put_word(damage *d, const uint32_t *field, uint32_t value)
{
    put_bytes(d, field, &value, sizeof(value));
}

static void damage_arg(damage *d)
{
    const gsp_arg *const a = d->m.args + t_below(d->rng, d->m.counts.args);
    const gsp_arg *const b = d->m.args + t_below(d->rng, d->m.counts.args);
    uint32_t const kind = t_below(d->rng, GSP_ARG_COUNT);
    uint32_t const what = t_below(d->rng, 4u);
    if (what != 0u) {
        put_word(d, &a->kind, what == 1u ? kind : b->kind);
    }
    if (what != 1u) {
        put_word(d, &a->value,
            what == 2u   ? b->value
            : what == 3u ? t_below(d->rng, 9u)
                         : a->value + (t_chance(d->rng, 50u) ? 1u : 0xFFFFFFFFu));
    }
}

/* Another string for a name, a target, a type or an attribute, or another letter in one. */
static void damage_string(damage *d)
{
    static const char letters[] = "([{<)]}>:,'\"%= -*0179a_\n\\#";
    uint32_t const v = t_below(d->rng, d->m.counts.nodes);
    uint32_t const s = t_below(d->rng, d->m.counts.strings);
    uint32_t const at = t_below(d->rng, d->m.counts.bytes);
    char const letter = letters[t_below(d->rng, sizeof(letters))];
    switch (t_below(d->rng, 5u)) {
    case 0:
        put_word(d, d->m.target + v, s);
        break;
    case 1:
        put_word(d, d->m.type + v, s);
        break;
    case 2:
        put_word(d, &d->m.attrs[t_below(d->rng, d->m.counts.attrs)].value, s);
        break;
    case 3:
        put_word(d, &d->m.attrs[t_below(d->rng, d->m.counts.attrs)].key,
            t_below(d->rng, (uint32_t)GSP_KEY_COUNT));
        break;
    default:
        put_bytes(d, d->m.chars + at, &letter, 1u);
        break;
    }
}

static void damage_node(damage *d)
{
    uint32_t const v = t_below(d->rng, d->m.counts.nodes);
    uint8_t const value = (uint8_t)t_below(d->rng, 9u);
    uint64_t const bytes = UINT64_MAX >> t_below(d->rng, 4u);
    uint32_t const *const words = (const uint32_t *)d->m.graphs;
    switch (t_below(d->rng, 5u)) {
    case 0:
        put_bytes(d, d->m.op + v, &value, 1u);
        break;
    case 1:
        put_bytes(d, d->m.flags + v, &value, 1u);
        break;
    case 2:
        put_bytes(d, d->m.out + v, &value, 1u);
        break;
    case 3:
        put_bytes(d, d->m.bytes + v, &bytes, sizeof(bytes));
        break;
    default:
        put_word(d, words + t_below(d->rng, 2u), value);
        break;
    }
}

/* Any word of the block. */
static void damage_word(damage *d)
{
    uint32_t const words = (uint32_t)(d->m.block_size / sizeof(uint32_t));
    const uint32_t *const all = (const uint32_t *)d->m.block;
    uint32_t const at = t_below(d->rng, words);
    uint32_t const other = all[t_below(d->rng, words)];
    uint32_t const what = t_below(d->rng, 5u);
    put_word(d, all + at,
        what == 0u   ? all[at] + 1u
        : what == 1u ? all[at] - 1u
        : what == 2u ? 0u
        : what == 3u ? UINT32_MAX
                     : other);
}

static void test_damaged(void)
{
    uint32_t const rounds = t_fast ? 8000u : 40000u;
    t_rng rng;
    uint32_t k;
    rng.state = t_seed ^ 0x570u;
    for (k = 0; k < rounds; k++) {
        uint32_t const choice = 1u + t_below(&rng, N_TEXTS);
        uint32_t n = 1u + t_below(&rng, 2u);
        gsp_arena arena;
        damage d;
        memset(&d, 0, sizeof(d));
        if (T_CHECK(t_must_read(&arena, texts[choice - 1u], &d.m))) {
            d.rng = &rng;
            d.data[d.size++] = (uint8_t)choice;
            for (; n > 0u; n--) {
                uint32_t const what = t_below(&rng, 14u);
                if (what < 6u && d.m.counts.args != 0u) {
                    damage_arg(&d);
                } else if (what < 9u) {
                    damage_string(&d);
                } else if (what < 10u) {
                    damage_node(&d);
                } else {
                    damage_word(&d);
                }
            }
            (void)fuzz_open_one(d.data, d.size);
        }
        t_arena_close(&arena);
    }
}

/* The words of a block that opens; no plan can be made of it. */
static void check_refused(damage *d, gsp_detail detail)
{
    unsigned char *const copy = (unsigned char *)t_alloc(d->m.block_size);
    gsp_module opened;
    gsp_error err;
    size_t i;
    memcpy(copy, d->m.block, d->m.block_size);
    for (i = 0; i < d->size; i += 3u) {
        copy[d->data[i] | (size_t)d->data[i + 1u] << 8] = d->data[i + 2u];
    }
    if (T_EQUAL(gsp_module_open(&opened, copy, d->m.block_size, 0, &err), GSP_OK)) {
        gsp_graph const g = gsp_module_graph(&opened, 0u);
        gsp_exec_plan plan;
        gsp_arena arena;
        t_arena_open(&arena, gsp_exec_plan_bound(&g, NULL));
        T_EQUAL(gsp_exec_plan_run(&arena, &g, NULL, &plan, &err), GSP_STATUS_DAMAGED);
        T_EQUAL(err.detail, detail);
        T_EQUAL(arena.low + arena.high, 0u);
        t_arena_close(&arena);
    }
    free(copy);
}

/* Containers that cross each other, each of them whole. */
static void test_crossing(void)
{
    gsp_arena arena;
    damage d;
    memset(&d, 0, sizeof(d));
    if (t_must_read(&arena,
            "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %s : [num_users=1] = call_module[target=sub](args = (((%x,),),), kwargs = {})\n"
            "    return s\nmodule sub\ngraph():\n"
            "    %p : [num_users=1] = placeholder[target=p]\n    return p\n",
            &d.m)) {
        const gsp_arg *const args = d.m.args;
        T_CHECK(args[0].value == 4u && args[1].value == 2u);
        put_word(&d, &args[0].value, 3u);
        put_word(&d, &args[3].value, 3u);
        put_word(&d, &args[1].value, 3u);
        put_word(&d, &args[4].value, 3u);
        check_refused(&d, GSP_DETAIL_BRACKET);
    }
    t_arena_close(&arena);
}

/* What the graph returns became an argument of the node before. */
static void test_returns_nothing(void)
{
    gsp_arena arena;
    damage d;
    memset(&d, 0, sizeof(d));
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
            "    %f : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})\n"
            "    return x\n",
            &d.m)) {
        put_word(&d, d.m.arg_begin + 2, 2u);
        check_refused(&d, GSP_DETAIL_ROWS);
    }
    t_arena_close(&arena);
}

/* A child graph that lost its name bears that of the root. */
static void test_no_name(void)
{
    gsp_arena arena;
    gsp_module m;
    gsp_module opened;
    if (t_must_read(&arena,
            "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
            "    %s : [num_users=1] = call_module[target=sub](args = (%x,), kwargs = {})\n"
            "    return s\nmodule sub\ngraph():\n    return None\n",
            &m)) {
        char *const copy = (char *)t_alloc(m.block_size);
        uint32_t const *const begin = m.string_begin + m.graphs[1].name;
        gsp_str const name = gsp_str_of("part");
        uint32_t const tag_of[3] = {GSP_NONE, 0u, GSP_NONE};
        gsp_split_by_tags_desc desc;
        gsp_split_by_tags_result result;
        gsp_error err;
        memset(&desc, 0, sizeof(desc));
        desc.n_tags = 1u;
        desc.tag_of = tag_of;
        desc.names = &name;
        memcpy(copy, m.block, m.block_size);
        memcpy(copy + ((const char *)(begin + 1) - (const char *)m.block), begin, sizeof(*begin));
        if (T_EQUAL(gsp_module_open(&opened, copy, m.block_size, 0, NULL), GSP_OK)) {
            gsp_graph const g = gsp_module_graph(&opened, 0u);
            gsp_arena room;
            t_arena_open(&room, gsp_split_by_tags_bound(&g, &desc));
            T_EQUAL(gsp_split_by_tags_run(&room, &g, &desc, &result, &err), GSP_STATUS_DAMAGED);
            T_EQUAL(err.detail, GSP_DETAIL_ROWS);
            T_EQUAL(room.low + room.high, 0u);
            t_arena_close(&room);
        }
        free(copy);
    }
    t_arena_close(&arena);
}

/* No kind has this number. */
static void test_no_kind(void)
{
    gsp_arena arena;
    gsp_module m;
    gsp_module opened;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4] acc=154\n"
            "    return x\n",
            &m)) {
        char *const copy = (char *)t_alloc(m.block_size);
        gsp_graph g = gsp_module_graph(&m, 0u);
        size_t const at = (size_t)(gsp_node_attr(&g, 0u, GSP_KEY_ACC).data - (const char *)m.block);
        T_EQUAL(gsp_node_acc(&g, 0u), 154);
        memcpy(copy, m.block, m.block_size);
        copy[at] = '9';
        T_EQUAL(gsp_module_open(&opened, copy, m.block_size, 0, NULL), GSP_OK);
        g = gsp_module_graph(&opened, 0u);
        T_EQUAL(gsp_node_acc(&g, 0u), -1);
        free(copy);
    }
    t_arena_close(&arena);
}

void suite_contract_stored(void)
{
    t_run("no_kind", test_no_kind);
    t_run("no_name", test_no_name);
    t_run("crossing", test_crossing);
    t_run("returns_nothing", test_returns_nothing);
    t_run("damaged", test_damaged);
}
