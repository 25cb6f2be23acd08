/* What changes a finished split, against slow statements of the same: nodes on boundaries, a
 * subgraph that is extended or refused; and what a preview says, against the split module. */
#include "tests/oracle/oracle.h"

#define MOST_NODES 160u

typedef struct subject {
    gsp_arena arena;
    oracle_case c;
    oracle_ids ids;
    gsp_module module;
    gsp_graph graph;
    gsp_placement placement;
    gsp_split_result split;
    gsp_error err;
    uint32_t of[MOST_NODES];
    oracle_values values;
} subject;

/* A random case and its split, under options that leave something to move. */
static int open_case(subject *s, t_rng *rng)
{
    gsp_accelerator none[8];
    gsp_support_desc support;
    gsp_split_desc desc;
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    memset(none, 0, sizeof(none));
    memset(&support, 0, sizeof(support));
    memset(&desc, 0, sizeof(desc));
    oracle_random(rng, 40u, &s->c);
    if (!T_EQUAL(oracle_build(&s->arena, &s->c, &s->module, &s->ids, NULL), GSP_OK)) {
        return 0;
    }
    s->graph = gsp_module_graph(&s->module, 0u);
    support.n_accelerators = s->c.n_kinds - 1u;
    support.accelerators = none;
    desc.placement = &s->placement;
    desc.skip_fusion = s->c.skip_fusion;
    desc.allow_non_tensor = t_chance(rng, 70) ? 1u : 0u;
    if (!T_EQUAL(gsp_support_run(&s->arena, &s->graph, &support, &s->placement, NULL), GSP_OK) ||
        !T_EQUAL(gsp_split_run(&s->arena, &s->graph, &desc, &s->split, NULL), GSP_OK)) {
        return 0;
    }
    memcpy(s->of, s->split.subgraph_of, s->graph.n_nodes * sizeof(uint32_t));
    return T_CHECK(s->graph.n_nodes <= MOST_NODES);
}

static void show(const subject *s, const char *what)
{
    t_string text = t_print(&s->module, NULL);
    gsp_node v;
    printf("%s\n%sbefore, after:", what, text.data);
    for (v = 0; v < s->graph.n_nodes; v++) {
        if (gsp_node_is_callable(&s->graph, v)) {
            printf(" %u:%u>%u", (unsigned)v, (unsigned)s->split.subgraph_of[v], (unsigned)s->of[v]);
        }
    }
    printf("\n");
    t_free(&text);
}

static int is_before_its_readers(const subject *s, const uint32_t *of)
{
    gsp_node v;
    for (v = 0; v < s->graph.n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&s->graph, v, &n);
        uint32_t i;
        for (i = 0; i < n && gsp_node_is_callable(&s->graph, v); i++) {
            if (gsp_node_is_callable(&s->graph, in[i]) && of[in[i]] > of[v]) {
                return 0;
            }
        }
    }
    return 1;
}

/* The module of an assignment, empty subgraphs left out, computes what the graph does. */
static int computes_the_same(subject *s, const uint32_t *of, uint32_t n_subgraphs)
{
    gsp_split_by_tags_desc desc;
    gsp_split_by_tags_result tags;
    uint32_t tag_of[MOST_NODES];
    uint32_t number[MOST_NODES + 1u];
    gsp_str names[MOST_NODES];
    char chars[MOST_NODES][8];
    gsp_node v;
    uint32_t i;
    memset(&desc, 0, sizeof(desc));
    memset(number, 0, sizeof(number));
    for (v = 0; v < s->graph.n_nodes; v++) {
        if (gsp_node_is_callable(&s->graph, v)) {
            number[of[v]] = 1;
        }
    }
    for (i = 0; i < n_subgraphs; i++) {
        if (number[i] != 0u) {
            names[desc.n_tags].data = chars[desc.n_tags];
            names[desc.n_tags].size =
                (uint32_t)snprintf(chars[desc.n_tags], sizeof(chars[0]), "t%u", (unsigned)i);
            number[i] = desc.n_tags++;
        }
    }
    for (v = 0; v < s->graph.n_nodes; v++) {
        tag_of[v] = gsp_node_is_callable(&s->graph, v) ? number[of[v]] : GSP_NONE;
    }
    desc.tag_of = tag_of;
    desc.names = names;
    oracle_values_reset(&s->values);
    return T_EQUAL(gsp_split_by_tags_run(&s->arena, &s->graph, &desc, &tags, &s->err), GSP_OK) &&
           T_CHECK(oracle_evaluate(&s->values, &s->module) ==
                   oracle_evaluate(&s->values, &tags.module));
}

static void run_cases(uint64_t salt, uint32_t cases, int (*judge)(subject *s, t_rng *rng))
{
    static subject s;
    t_rng rng;
    uint32_t i;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.arena, 4u << 20);
    oracle_values_open(&s.values);
    rng.state = t_seed ^ salt;
    for (i = 0; i < cases && !t_failed(); i++) {
        if (!open_case(&s, &rng) || !judge(&s, &rng)) {
            show(&s, "this case");
        }
    }
    oracle_values_close(&s.values);
    t_arena_close(&s.arena);
}

/* ---- boundaries ---- */

static int is_grouped(const subject *s, gsp_node v)
{
    return s->split.group[v] != GSP_NONE;
}

/* Where all callable readers of v stand; GSP_NONE if there are none, or in several. */
static uint32_t all_readers_in(const subject *s, const uint32_t *of, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(&s->graph, v, &n);
    uint32_t all = GSP_NONE;
    uint32_t i;
    for (i = 0; i < n; i++) {
        if (gsp_node_is_callable(&s->graph, users[i])) {
            if (all != GSP_NONE && all != of[users[i]]) {
                return GSP_NONE;
            }
            all = of[users[i]];
        }
    }
    return all;
}

static int may_go(const subject *s, uint32_t from, uint32_t to)
{
    return s->split.subgraph_kind[from] != GSP_KIND_CPU &&
           (s->split.subgraph_kind[to] == GSP_KIND_CPU ||
               s->split.subgraph_kind[to] == s->split.subgraph_kind[from]);
}

/* The rule as it is said: as long as there is a node that may move, it moves. */
static uint32_t move_literally(const subject *s, uint32_t *of)
{
    uint32_t moved = 0;
    int again = 1;
    while (again) {
        gsp_node v;
        again = 0;
        for (v = 0; v < s->graph.n_nodes; v++) {
            uint32_t to = gsp_node_is_callable(&s->graph, v) ? all_readers_in(s, of, v) : GSP_NONE;
            if (to != GSP_NONE && to != of[v] &&
                gsp_node_value_kind(&s->graph, v) != GSP_VALUE_TENSOR && !is_grouped(s, v) &&
                may_go(s, of[v], to)) {
                of[v] = to;
                moved++;
                again = 1;
            }
        }
    }
    return moved;
}

static int judge_move_non_tensor(subject *s, t_rng *rng)
{
    gsp_move_non_tensor_desc desc;
    uint32_t literal[MOST_NODES];
    uint32_t moved;
    gsp_node v;
    (void)rng;
    memset(&desc, 0, sizeof(desc));
    desc.n_subgraphs = s->split.n_subgraphs;
    desc.kind = s->split.subgraph_kind;
    desc.group = s->split.group;
    if (!T_EQUAL(
            gsp_move_non_tensor_run(&s->arena, &s->graph, &desc, s->of, &moved, NULL), GSP_OK) ||
        !T_CHECK(is_before_its_readers(s, s->of)) ||
        !computes_the_same(s, s->of, s->split.n_subgraphs)) {
        return 0;
    }
    for (v = 0; v < s->graph.n_nodes; v++) {
        uint32_t const from = s->split.subgraph_of[v];
        moved -= s->of[v] != from ? 1u : 0u;
        if (s->of[v] != from && (!T_CHECK(s->of[v] > from) || !T_CHECK(may_go(s, from, s->of[v])) ||
                                    !T_CHECK(!is_grouped(s, v)))) {
            return 0;
        }
    }
    memcpy(literal, s->of, sizeof(literal));
    return T_EQUAL(moved, 0) && T_EQUAL(move_literally(s, literal), 0); /* nothing is left to do */
}

/* What the rule alone moves, moves here as well, at least as far, unless its readers have moved
 * apart. */
static int judge_move_non_tensor_is_more(subject *s, t_rng *rng)
{
    gsp_move_non_tensor_desc desc;
    uint32_t literal[MOST_NODES];
    gsp_node v;
    (void)rng;
    memset(&desc, 0, sizeof(desc));
    desc.n_subgraphs = s->split.n_subgraphs;
    desc.kind = s->split.subgraph_kind;
    desc.group = s->split.group;
    memcpy(literal, s->of, sizeof(literal));
    (void)move_literally(s, literal);
    T_EQUAL(gsp_move_non_tensor_run(&s->arena, &s->graph, &desc, s->of, NULL, NULL), GSP_OK);
    for (v = 0; v < s->graph.n_nodes; v++) {
        if (literal[v] != s->split.subgraph_of[v] &&
            !T_CHECK(s->of[v] >= literal[v] || all_readers_in(s, s->of, v) == GSP_NONE)) {
            return 0;
        }
    }
    return 1;
}

/* ---- extending ---- */

static int in_unit(const subject *s, gsp_node v, gsp_node of)
{
    return v == of || (s->split.group[of] != GSP_NONE && s->split.group[v] == s->split.group[of]);
}

/* Whether the unit of v may join subgraph t: the rule, word by word. */
static int may_join(const subject *s, const uint32_t *of, gsp_node v, uint32_t t, uint32_t kind)
{
    int is_read = 0;
    gsp_node u;
    for (u = 0; u < s->graph.n_nodes; u++) {
        uint32_t n;
        const gsp_node *users = gsp_node_users(&s->graph, u, &n);
        uint32_t i;
        if (!gsp_node_is_callable(&s->graph, u) || !in_unit(s, u, v)) {
            continue;
        }
        if (of[u] >= t || s->split.kind[u] != kind) {
            return 0;
        }
        for (i = 0; i < n; i++) {
            if (gsp_node_is_callable(&s->graph, users[i]) && !in_unit(s, users[i], v)) {
                if (of[users[i]] < t) {
                    return 0;
                }
                is_read |= of[users[i]] == t;
            }
        }
    }
    return is_read;
}

static void grow_slowly(const subject *s, uint32_t *of, uint32_t t, uint32_t kind)
{
    int again = 1;
    while (again) {
        gsp_node v;
        gsp_node u;
        again = 0;
        for (v = 0; v < s->graph.n_nodes; v++) {
            if (gsp_node_is_callable(&s->graph, v) && may_join(s, of, v, t, kind)) {
                for (u = 0; u < s->graph.n_nodes; u++) {
                    of[u] = gsp_node_is_callable(&s->graph, u) && in_unit(s, u, v) ? t : of[u];
                }
                again = 1;
            }
        }
    }
}

static int judge_subgraph_grow(subject *s, t_rng *rng)
{
    gsp_subgraph_grow_desc desc;
    uint32_t expected[MOST_NODES];
    uint32_t t;
    (void)rng;
    for (t = 0; t < s->split.n_subgraphs; t++) {
        uint32_t moved;
        gsp_node v;
        if (s->split.subgraph_kind[t] == GSP_KIND_CPU) {
            continue;
        }
        memset(&desc, 0, sizeof(desc));
        desc.subgraph = t;
        desc.kind = s->split.kind;
        desc.group = s->split.group;
        memcpy(s->of, s->split.subgraph_of, s->graph.n_nodes * sizeof(uint32_t));
        memcpy(expected, s->of, sizeof(expected));
        grow_slowly(s, expected, t, s->split.subgraph_kind[t]);
        if (!T_EQUAL(
                gsp_subgraph_grow_run(&s->arena, &s->graph, &desc, s->of, &moved, NULL), GSP_OK) ||
            !T_CHECK(memcmp(expected, s->of, s->graph.n_nodes * sizeof(uint32_t)) == 0) ||
            !T_CHECK(is_before_its_readers(s, s->of)) ||
            !computes_the_same(s, s->of, s->split.n_subgraphs)) {
            return 0;
        }
        for (v = 0; v < s->graph.n_nodes; v++) {
            moved -= s->of[v] != s->split.subgraph_of[v] ? 1u : 0u;
        }
        if (!T_EQUAL(moved, 0)) {
            return 0;
        }
    }
    return 1;
}

/* ---- refusing ---- */

static int refuses(uint32_t first)
{
    return first % 3u == 0u;
}

static int accepts(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph)
{
    (void)user;
    (void)graph;
    return !refuses(subgraph->nodes[0]);
}

/* Subgraphs as the splitter merges them: small ones and refused ones to the CPU. */
static uint32_t merge_slowly(const subject *s, uint32_t min_size, uint32_t *of, uint8_t *kind)
{
    uint32_t n = 0;
    uint32_t raw;
    for (raw = 0; raw < s->split.n_raw; raw++) {
        uint32_t size = 0;
        gsp_node first = GSP_NONE;
        uint8_t own = s->split.raw_kind[raw];
        gsp_node v;
        for (v = 0; v < s->graph.n_nodes; v++) {
            if (s->split.raw_of[v] == raw) {
                first = first == GSP_NONE ? v : first;
                size++;
            }
        }
        if (own != GSP_KIND_CPU && (size < min_size || refuses(first))) {
            own = GSP_KIND_CPU;
        }
        if (own != GSP_KIND_CPU || n == 0u || kind[n - 1u] != GSP_KIND_CPU) {
            kind[n++] = own;
        }
        for (v = 0; v < s->graph.n_nodes; v++) {
            of[v] = s->split.raw_of[v] == raw ? n - 1u : of[v];
        }
    }
    return n;
}

static int judge_accept(subject *s, t_rng *rng)
{
    gsp_split_desc desc;
    uint32_t of[MOST_NODES];
    uint8_t kind[MOST_NODES];
    uint32_t n;
    gsp_node v;
    memset(&desc, 0, sizeof(desc));
    memset(of, 0xFF, sizeof(of));
    desc.placement = &s->placement;
    desc.min_size = 1u + t_below(rng, 4u);
    desc.accept = accepts;
    if (!T_EQUAL(gsp_split_run(&s->arena, &s->graph, &desc, &s->split, NULL), GSP_OK)) {
        return 0;
    }
    n = merge_slowly(s, desc.min_size, of, kind);
    if (!T_EQUAL(s->split.n_subgraphs, n) ||
        !T_CHECK(memcmp(s->split.subgraph_kind, kind, n) == 0) ||
        !T_CHECK(memcmp(s->split.subgraph_of, of, s->graph.n_nodes * sizeof(uint32_t)) == 0)) {
        return 0;
    }
    for (v = 0; v < s->graph.n_nodes; v++) { /* each on the CPU knows why */
        int const fell = gsp_node_is_callable(&s->graph, v) && kind[of[v]] == GSP_KIND_CPU &&
                         s->split.kind[v] != GSP_KIND_CPU;
        if (!T_CHECK(fell == (s->split.reason[v] == GSP_REASON_SMALL ||
                                 s->split.reason[v] == GSP_REASON_REFUSED))) {
            return 0;
        }
    }
    return 1;
}

/* Raw subgraphs cut at a maximum size as gsp_split_desc says: nodes and groups in `order`. */
static uint32_t cut_slowly(const subject *s, const gsp_split_desc *d, const gsp_node *order,
    uint32_t *raw_of, uint8_t *raw_kind)
{
    uint32_t n = 0;
    uint32_t raw;
    for (raw = 0; raw < s->split.n_raw; raw++) {
        uint8_t const kind = s->split.raw_kind[raw];
        uint32_t const most = kind == GSP_KIND_CPU   ? 0u
                              : d->max_sizes != NULL ? d->max_sizes[kind]
                                                     : d->max_size;
        uint32_t const first = n;
        uint32_t last = GSP_NONE;
        uint32_t size = 0;
        uint32_t i;
        for (i = 0; i < s->graph.n_nodes; i++) {
            gsp_node const v = order != NULL ? order[i] : i;
            uint32_t const group = s->split.group[v];
            if (s->split.raw_of[v] == raw && (group == GSP_NONE || group != last)) {
                uint32_t unit = group == GSP_NONE ? 1u : 0u;
                gsp_node u;
                for (u = 0; u < s->graph.n_nodes && group != GSP_NONE; u++) {
                    unit += s->split.group[u] == group ? 1u : 0u;
                }
                if (n == first || (most != 0u && size + unit > most)) {
                    raw_kind[n++] = most != 0u && unit > most ? (uint8_t)GSP_KIND_CPU : kind;
                    size = 0;
                }
                size += unit;
                last = group;
            }
            raw_of[v] = s->split.raw_of[v] == raw ? n - 1u : raw_of[v];
        }
    }
    return n;
}

/* The order of fusion for these options; NULL for graph order. */
static const gsp_node *fusion_order(subject *s, const gsp_split_desc *d)
{
    gsp_placement p = s->placement;
    gsp_fuse_desc desc;
    gsp_fuse_result fuse;
    uint32_t const n = p.n_nodes;
    memset(&desc, 0, sizeof(desc));
    desc.skip = d->skip_fusion;
    p.kind = (uint8_t *)gsp_arena_push(&s->arena, n, 1u);
    p.reason = NULL;
    p.culprit = NULL;
    p.group = (uint32_t *)gsp_arena_push(&s->arena, n, 4u);
    memcpy(p.kind, s->placement.kind, n);
    memcpy(p.group, s->placement.group, n * sizeof(uint32_t));
    if (!d->allow_non_tensor) {
        T_EQUAL(gsp_acc_nodes_run(&s->arena, &s->graph, &p, NULL), GSP_OK);
    }
    T_EQUAL(gsp_fuse_run(&s->arena, &s->graph, &desc, &p, &fuse, NULL), GSP_OK);
    return fuse.order;
}

static int judge_max_size(subject *s, t_rng *rng)
{
    gsp_split_desc desc;
    const gsp_node *order;
    uint32_t of[MOST_NODES];
    uint8_t kind[MOST_NODES];
    uint32_t max_sizes[8];
    uint32_t n;
    uint32_t k;
    gsp_node v;
    memset(&desc, 0, sizeof(desc));
    memset(of, 0xFF, sizeof(of));
    for (k = 0; k < T_COUNT_OF(max_sizes); k++) {
        max_sizes[k] = t_below(rng, 5u);
    }
    desc.placement = &s->placement;
    desc.skip_fusion = s->c.skip_fusion;
    desc.allow_non_tensor = (uint32_t)t_chance(rng, 70);
    desc.move_non_tensor = (uint32_t)t_chance(rng, 30);
    if (!T_EQUAL(gsp_split_run(&s->arena, &s->graph, &desc, &s->split, NULL), GSP_OK)) {
        return 0;
    }
    order = fusion_order(s, &desc);
    desc.max_size = max_sizes[0];
    desc.max_sizes = t_chance(rng, 50) ? max_sizes : NULL;
    desc.min_size = 1u + t_below(rng, 3u);
    desc.accept = accepts;
    n = cut_slowly(s, &desc, order, of, kind);
    if (!T_EQUAL(gsp_split_run(&s->arena, &s->graph, &desc, &s->split, NULL), GSP_OK) ||
        !T_EQUAL(s->split.n_raw, n) || !T_CHECK(memcmp(s->split.raw_kind, kind, n) == 0) ||
        !T_CHECK(memcmp(s->split.raw_of, of, s->graph.n_nodes * sizeof(uint32_t)) == 0)) {
        return 0;
    }
    for (v = 0; v < s->graph.n_nodes; v++) { /* only a group that is too large goes to the CPU */
        uint32_t const to = of[v] == GSP_NONE ? 0u : kind[of[v]];
        int const large = to == GSP_KIND_CPU && s->split.kind[v] != GSP_KIND_CPU &&
                          of[v] != GSP_NONE && s->split.reason[v] != GSP_REASON_MOVED;
        if (!T_EQUAL(s->split.reason[v] == GSP_REASON_LARGE, large)) {
            return 0;
        }
    }
    n = merge_slowly(s, desc.min_size, of, kind);
    memcpy(s->of, s->split.subgraph_of, s->graph.n_nodes * sizeof(uint32_t));
    return T_EQUAL(s->split.n_subgraphs, n) &&
           T_CHECK(memcmp(s->split.subgraph_kind, kind, n) == 0) &&
           T_CHECK(memcmp(s->of, of, s->graph.n_nodes * sizeof(uint32_t)) == 0) &&
           T_CHECK(is_before_its_readers(s, s->of)) && computes_the_same(s, s->of, n);
}

/* The split with all options: every subgraph is large enough, and what comes out is the same. */
static int judge_options(subject *s, t_rng *rng)
{
    gsp_split_desc desc;
    uint32_t i;
    memset(&desc, 0, sizeof(desc));
    desc.placement = &s->placement;
    desc.min_size = 1u + t_below(rng, 4u);
    desc.accept = t_chance(rng, 50) ? accepts : NULL;
    desc.move_non_tensor = 1;
    desc.skip_fusion = s->c.skip_fusion;
    desc.allow_non_tensor = t_chance(rng, 70) ? 1u : 0u;
    desc.limit = t_chance(rng, 30) ? 3u : 0u;
    desc.limit_policy = GSP_LIMIT_DEMOTE;
    if (!T_EQUAL(gsp_split_run(&s->arena, &s->graph, &desc, &s->split, NULL), GSP_OK)) {
        return 0;
    }
    memcpy(s->of, s->split.subgraph_of, s->graph.n_nodes * sizeof(uint32_t));
    for (i = 0; i < s->split.n_subgraphs; i++) {
        uint32_t const size = s->split.subgraph_begin[i + 1u] - s->split.subgraph_begin[i];
        if (!T_CHECK(size >= (s->split.subgraph_kind[i] == GSP_KIND_CPU ? 1u : desc.min_size))) {
            return 0;
        }
    }
    return T_CHECK(is_before_its_readers(s, s->of)) &&
           computes_the_same(s, s->of, s->split.n_subgraphs);
}

/* ---- previews ---- */

/* Inputs and outputs of a subgraph as the split module has them. */
static int same_ports(const subject *s, const gsp_preview_subgraph *p, const gsp_graph *made)
{
    uint32_t n_out;
    const gsp_node *returned = gsp_node_inputs(made, made->n_nodes - 1u, &n_out);
    uint64_t bytes = 0;
    uint32_t n_in = 0;
    uint32_t odd = 0;
    gsp_node v;
    uint32_t i;
    for (v = 0; v < made->n_nodes; v++) {
        if (gsp_node_op(made, v) == GSP_OP_PLACEHOLDER) {
            int const same = n_in < p->n_inputs && gsp_str_equal(gsp_node_name(made, v),
                                                       gsp_node_name(&s->graph, p->inputs[n_in]));
            n_in++;
            odd += gsp_node_value_kind(made, v) != GSP_VALUE_TENSOR ? 1u : 0u;
            bytes +=
                gsp_node_value_kind(made, v) == GSP_VALUE_TENSOR ? gsp_node_bytes(made, v) : 0u;
            if (!T_CHECK(same)) {
                return 0;
            }
        }
    }
    if (!T_EQUAL(p->n_inputs, n_in) || !T_EQUAL(p->odd_inputs, odd) ||
        !T_EQUAL(p->bytes_in, bytes) || !T_EQUAL(p->n_outputs, n_out)) {
        return 0;
    }
    bytes = 0;
    for (i = 0; i < n_out; i++) {
        bytes += gsp_node_value_kind(made, returned[i]) == GSP_VALUE_TENSOR
                     ? gsp_node_bytes(made, returned[i])
                     : 0u;
        if (!T_CHECK(gsp_str_equal(
                gsp_node_name(made, returned[i]), gsp_node_name(&s->graph, p->outputs[i])))) {
            return 0;
        }
    }
    return T_EQUAL(p->bytes_out, bytes);
}

static int judge_preview(subject *s, t_rng *rng)
{
    gsp_preview_result r;
    gsp_split_by_tags_result tags;
    uint32_t i;
    (void)rng;
    if (!T_EQUAL(t_split_tags(&s->arena, &s->graph, &s->split, &tags, NULL), GSP_OK) ||
        !T_EQUAL(gsp_preview_run(&s->arena, &s->graph, &s->split, NULL, &r, NULL), GSP_OK)) {
        return 0;
    }
    for (i = 0; i < r.n_subgraphs; i++) {
        gsp_graph const made = gsp_module_graph(&tags.module, i + 1u);
        if (!same_ports(s, &r.subgraphs[i], &made)) {
            return 0;
        }
    }
    return T_EQUAL(r.n_acc + r.n_cpu, s->split.n_subgraphs);
}

static void test_move_non_tensor(void)
{
    run_cases(0xB0Du, t_fast ? 300u : 5000u, judge_move_non_tensor);
}

static void test_move_non_tensor_is_more(void)
{
    run_cases(0xB0Eu, t_fast ? 300u : 5000u, judge_move_non_tensor_is_more);
}

static void test_subgraph_grow(void)
{
    run_cases(0xE87u, t_fast ? 200u : 3000u, judge_subgraph_grow);
}

static void test_accept(void)
{
    run_cases(0xACCu, t_fast ? 300u : 5000u, judge_accept);
}

static void test_max_size(void)
{
    run_cases(0x3A2u, t_fast ? 300u : 5000u, judge_max_size);
}

static void test_options(void)
{
    run_cases(0x097u, t_fast ? 300u : 5000u, judge_options);
}

static void test_preview(void)
{
    run_cases(0x94Eu, t_fast ? 300u : 5000u, judge_preview);
}

void suite_oracle_adjust(void)
{
    t_run("move_non_tensor", test_move_non_tensor);
    t_run("move_non_tensor_is_more", test_move_non_tensor_is_more);
    t_run("subgraph_grow", test_subgraph_grow);
    t_run("accept", test_accept);
    t_run("max_size", test_max_size);
    t_run("options", test_options);
    t_run("preview", test_preview);
}
