/* Cases for the splitter: random ones, and how a case becomes a module. */
#include "tests/oracle/oracle.h"

static int has(uint64_t s, uint32_t v)
{
    return (int)(s >> v & 1u);
}

/* ---- random cases ---- */

static void random_edges(t_rng *rng, oracle_case *c)
{
    uint32_t const window = 1u + t_below(rng, t_chance(rng, 50) ? 6u : c->n);
    uint32_t const degree = 1u + t_below(rng, 4u);
    uint32_t const sources = t_below(rng, 40u);
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        uint32_t const span = v < window ? v : window;
        uint32_t k = t_chance(rng, sources) ? 0u : t_below(rng, degree + 1u);
        while (span != 0u && k-- != 0u) {
            c->in[v] |= (uint64_t)1 << (v - 1u - t_below(rng, span));
        }
        for (k = 0; k < c->n_placeholders; k++) {
            c->reads_placeholder[v] |= (uint32_t)t_chance(rng, 15) << k;
        }
        for (k = 0; k < c->n_attributes; k++) {
            c->reads_attribute[v] |= (uint32_t)t_chance(rng, 12) << k;
        }
    }
}

static void random_returns(t_rng *rng, oracle_case *c)
{
    uint32_t const extra = t_below(rng, 20u);
    uint64_t read = 0;
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        read |= c->in[v];
    }
    for (v = 0; v < c->n; v++) {
        if (t_chance(rng, has(read, v) ? extra : 85u)) {
            c->returned |= (uint64_t)1 << v;
        }
    }
    for (v = 0; v < ORACLE_LEAVES; v++) {
        c->returned_placeholders |= (uint32_t)(v < c->n_placeholders && t_chance(rng, 10)) << v;
        c->returned_attributes |= (uint32_t)(v < c->n_attributes && t_chance(rng, 10)) << v;
    }
}

static void random_labels(t_rng *rng, oracle_case *c)
{
    static const uint32_t shares[] = {0, 5, 20, 50};
    uint32_t const other = shares[t_below(rng, 4u)];
    uint32_t const aggregate = shares[t_below(rng, 3u)];
    uint32_t const supported = 20u + t_below(rng, 81u);
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        c->out[v] = (uint8_t)(t_chance(rng, other)       ? GSP_VALUE_OTHER
                              : t_chance(rng, aggregate) ? GSP_VALUE_AGGREGATE
                                                         : GSP_VALUE_TENSOR);
        c->kind[v] = (uint8_t)(t_chance(rng, supported) ? 1u + t_below(rng, c->n_kinds - 1u) : 0u);
        c->value[v] = t_below(rng, 4u);
    }
}

/* Groups of nodes that stand near each other, so that some of them survive. */
static void random_groups(t_rng *rng, oracle_case *c)
{
    uint32_t const n_groups = t_chance(rng, 65) ? 0u : 1u + t_below(rng, 5u);
    int const same_kind = t_chance(rng, 70);
    uint32_t g;
    for (g = 0; g < n_groups && c->n != 0u; g++) {
        uint32_t const at = t_below(rng, c->n);
        uint32_t const span = 2u + t_below(rng, 10u);
        uint32_t v;
        uint32_t members = 0;
        for (v = at; v < c->n && v < at + span; v++) {
            if (c->group[v] == ORACLE_ALONE && t_chance(rng, 50)) {
                c->group[v] = (uint8_t)g;
                c->kind[v] = same_kind ? c->kind[at] : c->kind[v];
                members++;
            }
        }
        for (v = 0; members == 1u && v < c->n; v++) {
            c->group[v] = c->group[v] == g ? (uint8_t)ORACLE_ALONE : c->group[v];
        }
    }
}

static void random_options(t_rng *rng, oracle_case *c)
{
    c->min_size = t_chance(rng, 50) ? 1u : 1u + t_below(rng, 6u);
    c->waive = (uint32_t)t_chance(rng, 20);
    c->skip_fusion = (uint32_t)t_chance(rng, 15);
    c->allow_non_tensor = (uint32_t)t_chance(rng, 20);
    c->limit = t_chance(rng, 70) ? 0u : 1u + t_below(rng, 8u);
    c->limit_policy = t_chance(rng, 70) ? (uint32_t)GSP_LIMIT_DEMOTE : (uint32_t)GSP_LIMIT_ERROR;
    c->max_acc = t_chance(rng, 70) ? 0u : 1u + t_below(rng, 3u);
    c->has_min_sizes = (uint32_t)t_chance(rng, 20);
    for (uint32_t k = 0; k < T_COUNT_OF(c->min_sizes); k++) {
        c->min_sizes[k] = t_below(rng, 4u);
    }
}

void oracle_random(t_rng *rng, uint32_t max_nodes, oracle_case *c)
{
    uint32_t v;
    memset(c, 0, sizeof(*c));
    memset(c->group, (int)ORACLE_ALONE, sizeof(c->group));
    c->n = t_chance(rng, 50) ? t_below(rng, 13u) : t_below(rng, max_nodes + 1u);
    c->n = c->n > max_nodes ? max_nodes : c->n;
    c->n_kinds = t_chance(rng, 65) ? 2u : 2u + t_below(rng, 4u);
    c->n_placeholders = t_below(rng, 4u);
    c->n_attributes = t_below(rng, 4u);
    c->shape = t_random(rng) | 1u;
    random_edges(rng, c);
    random_returns(rng, c);
    random_labels(rng, c);
    random_groups(rng, c);
    random_options(rng, c);
    for (v = 0; v < c->n;
         v++) { /* what "every node is supported" means is clear without groups only */
        c->waive = c->group[v] != ORACLE_ALONE ? 0u : c->waive;
    }
}

/* ---- a case as a module ---- */

typedef struct making {
    gsp_builder b;
    const oracle_case *c;
    oracle_ids *ids;
    t_rng rng;
    uint32_t made_placeholders; /* sets */
    uint32_t made_attributes;
} making;

static gsp_str text(char *buffer, size_t size, const char *format, uint32_t number)
{
    gsp_str t;
    t.data = buffer;
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
    t.size = (uint32_t)snprintf(buffer, size, format, (unsigned)number);
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
    return t;
}

static int shaped(making *m, uint32_t per_cent)
{
    return m->c->shape != 0u && t_chance(&m->rng, per_cent);
}

static void constant(making *m)
{
    static const char *const spellings[] = {"1", "-7", "0.5", "None", "True", "1e-05", "'a b'",
        "...", "torch.float32", "inf", "cuda:0", "Ellipsis"};
    gsp_build_constant(&m->b, gsp_str_of(spellings[t_below(&m->rng, T_COUNT_OF(spellings))]));
}

static void leaf(making *m, int attribute, uint32_t i)
{
    char name[32];
    char target[32];
    uint32_t *const made = attribute ? &m->made_attributes : &m->made_placeholders;
    gsp_node node;
    if (has(*made, i)) {
        return;
    }
    *made |= 1u << i;
    node = gsp_build_node(&m->b, attribute ? GSP_OP_GET_ATTR : GSP_OP_PLACEHOLDER,
        text(name, sizeof(name), attribute ? "w%u" : "x%u", i),
        text(target, sizeof(target), attribute ? "blk.%u.w" : "x%u", i));
    if (!attribute && shaped(m, 10)) {
        constant(m);
    }
    if (shaped(m, 70)) {
        gsp_build_type(&m->b, gsp_str_of(attribute ? "f16[8, 3]" : "f32[2, s0]"));
    }
    if (attribute) {
        m->ids->attribute[i] = node;
    } else {
        m->ids->placeholder[i] = node;
    }
}

static uint32_t all_refs(
    making *m, uint64_t calls, uint32_t placeholders, uint32_t attributes, gsp_node *refs)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < ORACLE_LEAVES; i++) {
        if (has(placeholders, i)) {
            refs[n++] = m->ids->placeholder[i];
        }
        if (has(attributes, i)) {
            refs[n++] = m->ids->attribute[i];
        }
    }
    for (i = 0; i < m->c->n; i++) {
        if (has(calls, i)) {
            refs[n++] = m->ids->call[i];
        }
    }
    for (i = n; i > 1u && m->c->shape != 0u; i--) {
        uint32_t const j = t_below(&m->rng, i);
        gsp_node const swap = refs[i - 1u];
        refs[i - 1u] = refs[j];
        refs[j] = swap;
    }
    return n;
}

/* One argument that holds all of `n` references, nested at random. */
static void value(making *m, const gsp_node *refs, uint32_t n)
{
    static const gsp_arg_kind kinds[] = {GSP_ARG_TUPLE, GSP_ARG_LIST, GSP_ARG_DICT, GSP_ARG_SLICE};
    gsp_arg_kind const kind = kinds[shaped(m, 60) ? t_below(&m->rng, 4u) : 0u];
    uint32_t i = 0;
    char key[16];
    if (n == 1u && !shaped(m, 25)) {
        gsp_build_arg_node(&m->b, refs[0]);
        return;
    }
    gsp_build_open(&m->b, kind);
    do {
        if (kind == GSP_ARG_DICT) {
            gsp_build_key(&m->b, text(key, sizeof(key), "k%u", i));
        }
        if (i < n) {
            gsp_build_arg_node(&m->b, refs[i]);
        } else {
            constant(m);
        }
        i++;
    } while (i < n || (kind == GSP_ARG_SLICE && i < 3u) || shaped(m, 20));
    gsp_build_close(&m->b);
}

/* The references, some of them nested, some twice, constants between them, the last ones by
 * keyword. */
static void arguments(making *m, const gsp_node *refs, uint32_t n)
{
    uint32_t i = 0;
    int keyword = 0;
    uint32_t n_keys = 0;
    char key[16];
    if (n == 0u && shaped(m, 50)) {
        constant(m);
    }
    while (i < n) {
        uint32_t const take = shaped(m, 30) ? 1u + t_below(&m->rng, n - i) : 1u;
        keyword |= shaped(m, 15);
        if (keyword) {
            gsp_build_key(&m->b, text(key, sizeof(key), "kw%u", n_keys++));
        }
        value(m, refs + i, take);
        i += shaped(m, 10) ? take - 1u : take;
        if (!keyword && shaped(m, 20)) {
            constant(m);
        }
    }
}

static void call(making *m, uint32_t v)
{
    static const char *const types[] = {"f32[2, 3]", "tuple(f32[4], i64[4])", "int"};
    static const char *const targets[] = {"f%u", "torch.f%u", "blk.%u.m", "size%u"};
    static const gsp_op ops[] = {
        GSP_OP_CALL_FUNCTION, GSP_OP_CALL_FUNCTION, GSP_OP_CALL_MODULE, GSP_OP_CALL_METHOD};
    char name[32];
    char target[32];
    char number[16];
    gsp_node refs[ORACLE_NODES + 2u * ORACLE_LEAVES];
    uint32_t const n =
        all_refs(m, m->c->in[v], m->c->reads_placeholder[v], m->c->reads_attribute[v], refs);
    uint32_t const what = m->c->shape != 0u ? t_below(&m->rng, 4u) : 0u;
    int const getitem = what == 0u && n != 0u && shaped(m, 10);
    /* One draw per statement: compilers evaluate arguments in different orders. */
    gsp_str const called = getitem
                               ? gsp_str_of("operator.getitem")
                               : text(target, sizeof(target), targets[what], t_below(&m->rng, 6u));
    gsp_str const own = text(name, sizeof(name), shaped(m, 5) ? "_n%u" : "n%u", v);
    m->ids->call[v] = gsp_build_node(&m->b, ops[what], own, called);
    arguments(m, refs, n);
    if (getitem && n == 1u && shaped(m, 50)) {
        gsp_build_key(&m->b, gsp_str_of("index"));
        gsp_build_constant(&m->b, gsp_str_of("0"));
    }
    if (m->c->out[v] != GSP_VALUE_TENSOR || !shaped(m, 30)) {
        gsp_build_type(&m->b, gsp_str_of(types[m->c->out[v]]));
    }
    if (what == 2u) {
        gsp_build_attr(&m->b, gsp_str_of("module"), gsp_str_of("torch.nn.Linear"));
    }
    gsp_build_attr(&m->b, gsp_str_of("acc"), text(number, sizeof(number), "%u", m->c->kind[v]));
    if (m->c->group[v] != ORACLE_ALONE) {
        gsp_build_attr(
            &m->b, gsp_str_of("group"), text(number, sizeof(number), "g%u", m->c->group[v]));
    }
}

static void leaves_of(making *m, uint32_t placeholders, uint32_t attributes)
{
    uint32_t i;
    for (i = 0; i < ORACLE_LEAVES; i++) {
        if (has(placeholders, i)) {
            leaf(m, 0, i);
        }
        if (has(attributes, i)) {
            leaf(m, 1, i);
        }
    }
}

static uint32_t reference_count(const oracle_case *c)
{
    uint32_t n = c->n + 2u * ORACLE_LEAVES;
    uint32_t v;
    uint64_t s;
    for (v = 0; v < c->n; v++) {
        for (s = c->in[v]; s != 0u; s &= s - 1u) {
            n++;
        }
        n += 2u * ORACLE_LEAVES * (uint32_t)(c->shape != 0u);
    }
    return n;
}

static void returned(making *m)
{
    gsp_node refs[ORACLE_NODES + 2u * ORACLE_LEAVES];
    uint32_t const n =
        all_refs(m, m->c->returned, m->c->returned_placeholders, m->c->returned_attributes, refs);
    gsp_build_output(&m->b);
    if (n == 0u) {
        gsp_build_constant(&m->b, gsp_str_of("None"));
    } else {
        value(m, refs, n);
    }
}

gsp_counts oracle_counts(const oracle_case *c)
{
    uint32_t const nodes = c->n + c->n_placeholders + c->n_attributes + 1u;
    uint32_t const wild = c->shape != 0u ? 24u : 2u;
    return gsp_build_counts(1u, nodes, wild * (reference_count(c) + nodes), 4u * nodes,
        3u * nodes + 64u, 32u * nodes + 1024u);
}

gsp_status oracle_build(
    gsp_arena *arena, const oracle_case *c, gsp_module *module, oracle_ids *ids, gsp_error *err)
{
    making m;
    gsp_counts const counts = oracle_counts(c);
    uint32_t v;
    memset(&m, 0, sizeof(m));
    m.c = c;
    m.ids = ids;
    m.rng.state = c->shape;
    if (gsp_build_init(&m.b, arena, &counts, err) != GSP_OK) {
        return err->status;
    }
    gsp_build_graph(&m.b, gsp_str_of(""));
    for (v = 0; v < ORACLE_LEAVES; v++) {
        uint32_t const attribute = v < c->n_attributes && !shaped(&m, 60);
        uint32_t const placeholder = v < c->n_placeholders && !shaped(&m, 40);
        leaves_of(&m, placeholder << v, attribute << v);
    }
    for (v = 0; v < c->n; v++) {
        leaves_of(&m, c->reads_placeholder[v], c->reads_attribute[v]);
        call(&m, v);
    }
    leaves_of(&m, (1u << c->n_placeholders) - 1u, (1u << c->n_attributes) - 1u);
    returned(&m);
    return gsp_build_finish(&m.b, module, err);
}

void oracle_random_pair(t_rng *rng, uint32_t max_nodes, oracle_case *c)
{
    do {
        oracle_random(rng, max_nodes, c);
    } while (c->n_kinds != 2u);
}

int oracle_place(oracle_placed *s)
{
    gsp_error err;
    gsp_support_desc support = {0};
    gsp_accelerator accelerator = {0};
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    if (!T_EQUAL(oracle_build(&s->arena, &s->c, &s->module, &s->ids, &err), GSP_OK)) {
        return 0;
    }
    s->graph = gsp_module_graph(&s->module, 0u);
    support.n_accelerators = 1u;
    support.accelerators = &accelerator;
    memset(&s->options, 0, sizeof(s->options));
    s->options.placement = &s->placement;
    s->options.skip_fusion = s->c.skip_fusion;
    s->options.allow_non_tensor = s->c.allow_non_tensor;
    return T_EQUAL(gsp_support_run(&s->arena, &s->graph, &support, &s->placement, &err), GSP_OK);
}
