/* gsp_support_why() and gsp_support_run() say the same about every node, for any pins, rules and
 * tables; what one refuses, the other refuses with the same error. */
#include "tests/t.h"

static const char text[] =
    "graph():\n"
    "    %x : [num_users=4] = placeholder[target=x]  # f32[4]\n"
    "    %y : [num_users=2] = get_attr[target=m.y]  # i8[4, 2]\n"
    "    %a : [num_users=2] = call_function[target=f](args = (%x, %y), kwargs = {o: 3})  # f32[4]\n"
    "    %b : [num_users=2] = call_function[target=g](args = (%a, 7), kwargs = {w: %y})"
    "  # tuple(f32[4], i8[?])\n"
    "    %c : [num_users=1] = call_module[target=m.c.d](args = (%b,), kwargs = {})\n"
    "    %d : [num_users=1] = call_method[target=view](args = (%c, 2), kwargs = {})  # int acc=1\n"
    "    %e : [num_users=1] = call_module[target=m.c](args = (%y, %d), kwargs = {o: 64x64})"
    "  # i8[n, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2] module=K scope=m.c\n"
    "    %h : [num_users=1] = call_function[target=f](args = (), kwargs = {})  # i8[1] stride=2 "
    "acc=2\n"
    "    %i : [num_users=1] = call_function[target=g](args = (%a, 7), kwargs = {w: %y})"
    "  # tuple(f32[4], i8[?])\n"
    "    return [c, d, e, i]\n";

static const char operators[] =
    "f f32\ng f32,i8 o<=3\n*\nK rank==1 dim(0,-1)>=2\n!h\nf i8\nm.c shape(0)==4,2\ng rank<=9\n"
    "view const(1)\nview dtype(0)==dtype(out)\nf o==3 batch?==1\nK o==64 shape(out)==n\nf* f32\n"
    "K dim(0,999)?==1\nf dim(0,-9999)==1\nf stride==-9223372036854775809\nK rank(out)==9\n"
    "view rank in 1,2,3\n";

static const char *const words[] = {"x", "a", "?", "*", "f", "g", "m", "m.c", "m.c.d", "m.*", "K",
    "view", "h", "", "zz", "a?", "[", "e"};
static const char *const types[] = {"f32", "i8", "f32,i8", "", "f32,", "?"};

/* What a description may be made of, so that it lives in one place. */
typedef struct choice {
    gsp_table_entry lines[6];
    gsp_arg_dtypes args[6];
    gsp_rule rules[3][6];
    gsp_accelerator accelerators[3];
    gsp_pin pins[3];
    gsp_support_desc desc;
    uint32_t salt;
    uint8_t matched[64];
} choice;

static gsp_str any(t_rng *rng, const char *const *list, size_t n)
{
    return gsp_str_of(list[t_below(rng, (uint32_t)n)]);
}
#define ANY(list) any(rng, (list), T_COUNT_OF(list))

static int takes_some(void *user, const gsp_graph *graph, gsp_node node)
{
    const uint32_t *const salt = (const uint32_t *)user;
    (void)graph;
    return (int)((*salt >> node % 32u) & 1u);
}

/* Lines of the file, or of any other content, which is checked. */
static gsp_table choose_table(t_rng *rng, choice *c, const gsp_table *file)
{
    gsp_table t = *file;
    uint32_t i;
    t.matched = t_chance(rng, 30u) ? c->matched : NULL;
    if (t_chance(rng, 50u)) {
        t.entries += t_below(rng, t.n_entries);
        t.n_entries -= (uint32_t)(t.entries - file->entries);
        return t;
    }
    for (i = 0; i < T_COUNT_OF(c->lines); i++) {
        gsp_table_entry *const e = &c->lines[i];
        *e = file->entries[t_below(rng, file->n_entries)];
        c->args[i].key = gsp_str_of(t_chance(rng, 50u) ? "w" : "");
        c->args[i].position = t_below(rng, 2u);
        c->args[i].dtypes = ANY(types);
        if (t_chance(rng, 50u)) {
            e->args = t_chance(rng, 95u) ? &c->args[i] : NULL;
            e->n_args = 1u;
        }
        if (t_chance(rng, 10u)) {
            e->name = ANY(words);
            e->dtypes = ANY(types);
            e->remove = t_below(rng, 2u);
        } else if (t_chance(rng, 5u)) {
            e->constraints = ANY(words);
        }
    }
    t.entries = t_chance(rng, 95u) ? c->lines : NULL;
    t.n_entries = t_below(rng, (uint32_t)T_COUNT_OF(c->lines));
    t.trusted = 0u;
    return t;
}

static void choose_rules(t_rng *rng, choice *c, uint32_t k, const gsp_table *file)
{
    uint32_t const most = t_below(rng, 6u);
    uint32_t depth = 0;
    uint32_t i;
    for (i = 0; i < most || depth > 1u; i++) {
        gsp_rule *const r = &c->rules[k][i];
        memset(r, 0, sizeof(*r));
        r->kind = t_below(rng, i < 4u ? GSP_RULE_COUNT : GSP_RULE_NOT);
        if (i >= 3u || (depth == 0u && t_chance(rng, 95u))) {
            r->kind = depth > 1u && i >= 3u ? GSP_RULE_ANY : t_below(rng, GSP_RULE_NOT);
        }
        r->count = r->kind == GSP_RULE_NOT ? t_below(rng, t_chance(rng, 95u) ? 2u : 4u)
                   : i >= 3u               ? depth
                                           : t_below(rng, depth + 1u);
        r->table = choose_table(rng, c, file);
        r->func = t_chance(rng, 98u) ? takes_some : NULL;
        r->user = &c->salt;
        r->dtypes = ANY(types);
        depth = r->kind < GSP_RULE_NOT    ? depth + 1u
                : r->kind == GSP_RULE_NOT ? depth
                                          : depth - r->count + 1u;
        if (i + 1u == T_COUNT_OF(c->rules[k])) {
            i++;
            break;
        }
    }
    c->accelerators[k].rules = c->rules[k];
    c->accelerators[k].n_rules = i;
}

static void choose(t_rng *rng, choice *c, const gsp_table *file)
{
    uint32_t i;
    memset(c, 0, sizeof(*c));
    c->salt = (uint32_t)t_random(rng);
    c->desc.ignore_groups = 1u;
    c->desc.ignore_annotation = t_below(rng, 2u);
    c->desc.n_accelerators = t_chance(rng, 50u) ? 2u + t_below(rng, 2u) : t_below(rng, 4u);
    c->desc.accelerators = t_chance(rng, 98u) ? c->accelerators : NULL;
    c->desc.n_pins = t_chance(rng, 50u) ? 0u : t_below(rng, 4u);
    c->desc.pins = t_chance(rng, 98u) ? c->pins : NULL;
    for (i = 0; i < 3u; i++) {
        choose_rules(rng, c, i, file);
        c->pins[i].what = t_below(rng, (uint32_t)GSP_PIN_COUNT + (t_chance(rng, 5u) ? 1u : 0u));
        c->pins[i].kind = t_below(rng, c->desc.n_accelerators + (t_chance(rng, 10u) ? 3u : 1u));
        c->pins[i].pattern = ANY(words);
        c->pins[i].node = t_below(rng, 10u);
        if (i > 0u && t_chance(rng, 20u)) {
            c->pins[i] = c->pins[i - 1u];
        }
    }
}

/* The first accelerator that takes the node, else the CPU. */
static void check_node(
    const gsp_graph *g, const choice *c, const gsp_placement *p, gsp_node v, uint32_t n_kinds)
{
    uint32_t kind = GSP_KIND_CPU;
    uint32_t k;
    for (k = n_kinds - 1u; k > 0u; k--) {
        gsp_why why;
        gsp_error err;
        if (!T_EQUAL(gsp_support_why(g, &c->desc, v, k, &why, &err), GSP_OK)) {
            return;
        }
        kind = why.takes != 0u ? k : kind;
        T_EQUAL(why.pin != GSP_NONE, p->reason[v] == GSP_REASON_PINNED);
        T_CHECK(why.culprit == GSP_NONE || why.takes == 0u || why.rule != GSP_NONE);
        T_CHECK(why.line == GSP_NONE || why.rule != GSP_NONE);
        T_CHECK(why.arg == GSP_NONE || why.line != GSP_NONE);
    }
    T_EQUAL(kind, p->kind[v]);
}

static int round_of(t_rng *rng, gsp_arena *arena, const gsp_graph *g, const gsp_table *file)
{
    choice c;
    gsp_placement p;
    gsp_why why;
    gsp_error err;
    gsp_error other;
    gsp_status status;
    gsp_node v;
    choose(rng, &c, file);
    status = gsp_support_run(arena, g, &c.desc, &p, &err);
    if (status != GSP_OK) {
        if (gsp_support_why(g, &c.desc, 2u, 1u, &why, &other) == status) {
            T_EQUAL(err.detail, other.detail);
            T_EQUAL(err.what, other.what);
            T_EQUAL(err.node, other.node);
        } else {
            /* a pin names nothing, or acc= none of these accelerators */
            T_CHECK(err.detail == GSP_DETAIL_PIN ||
                    (err.detail == GSP_DETAIL_KIND && err.what == GSP_WHAT_NODE));
        }
        return 0;
    }
    for (v = 0; v < g->n_nodes && !t_failed(); v++) {
        if (gsp_node_is_callable(g, v)) {
            check_node(g, &c, &p, v, p.n_kinds);
        }
    }
    T_EQUAL(gsp_support_why(g, &c.desc, g->n_nodes, 1u, &why, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_support_why(g, &c.desc, 0u, 1u, &why, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_RANGE);
    T_FIELD(&err);
    T_EQUAL(gsp_support_why(g, &c.desc, 2u, 0u, &why, &err), GSP_STATUS_ARG);
    T_EQUAL(gsp_support_why(g, &c.desc, 2u, p.n_kinds, &why, &err), GSP_STATUS_ARG);
    T_EQUAL(err.detail, GSP_DETAIL_KIND);
    return 1;
}

static void test_agree(void)
{
    uint32_t const rounds = t_fast ? 10000u : 60000u;
    t_rng rng;
    gsp_arena arena;
    gsp_module module;
    gsp_table file;
    gsp_error err;
    uint32_t good = 0;
    uint32_t k;
    rng.state = t_seed ^ 0x31u;
    if (t_must_read(&arena, text, &module)) {
        gsp_graph const g = gsp_module_graph(&module, 0u);
        gsp_arena room;
        gsp_mark mark;
        t_arena_open(&room, 1u << 16);
        T_EQUAL(gsp_table_read(&room, gsp_str_of(operators), &file, &err), GSP_OK);
        mark = gsp_arena_mark(&room);
        for (k = 0; k < rounds && !t_failed(); k++) {
            good += (uint32_t)round_of(&rng, &room, &g, &file);
            gsp_arena_rewind(&room, mark);
        }
        T_CHECK(good > rounds / 10u && good < rounds);
        t_arena_close(&room);
    }
    t_arena_close(&arena);
}

/* Without a desc acc= decides. */
static void test_default(void)
{
    gsp_arena arena;
    gsp_module module;
    gsp_why why;
    gsp_error err;
    if (t_must_read(&arena, text, &module)) {
        gsp_graph const g = gsp_module_graph(&module, 0u);
        T_EQUAL(gsp_support_why(&g, NULL, 5u, 1u, &why, &err), GSP_OK);
        T_EQUAL(why.takes, 1);
        T_EQUAL(why.annotated, 1);
        T_EQUAL(gsp_support_why(&g, NULL, 2u, 1u, &why, &err), GSP_OK);
        T_EQUAL(why.takes, 0);
        T_EQUAL(why.rule, GSP_NONE);
    }
    t_arena_close(&arena);
}

void suite_contract_why(void)
{
    t_run("agree", test_agree);
    t_run("default", test_default);
}
