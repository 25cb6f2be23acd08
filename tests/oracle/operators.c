/* gsp_operators_run() against the splits of all sets of operators: the order as it is defined, and
 * the least of all sets that reach the goal. */
#include "examples/extra/graphsplit_operators.h"
#include "tests/t.h"

#define NODES     16u
#define OPERATORS 5u
#define SETS      (1u << OPERATORS)

typedef struct subject {
    gsp_arena text;
    gsp_arena arena;
    gsp_module module;
    gsp_graph g;
    gsp_dependences dependences;
    gsp_order order;
    uint32_t operator_of[64];
    uint8_t given[64]; /* kinds */
    uint8_t reason[64];
    uint8_t kind[64]; /* with a set of operators */
    uint32_t group[64];
    uint32_t sizes[3];
    gsp_placement placement;
    gsp_split_desc split;
    gsp_operators_desc desc;
    gsp_operators_result r;
    uint32_t n_subgraphs[SETS];
    uint32_t n_nodes[SETS]; /* on accelerators */
    uint32_t list[OPERATORS];
    uint32_t n; /* operators with missing nodes */
    gsp_error err;
} subject;

/* ---- random graphs ---- */

static gsp_node put_node(gsp_builder *b, gsp_op op, uint32_t id)
{
    t_string name = {NULL, 0u, 0u};
    gsp_node v;
    t_puts(&name, "n");
    t_number(&name, id);
    v = gsp_build_node(b, op, gsp_str_of(name.data), gsp_str_of(id == 0u ? "x" : "f"));
    t_free(&name);
    return v;
}

static int build(t_rng *rng, subject *s)
{
    gsp_counts const counts = gsp_build_counts(1, 32, 128, 64, 64, 4096);
    uint32_t const n = 2u + t_below(rng, NODES);
    int const written = t_chance(rng, 20);
    uint32_t const chained = 100u * t_below(rng, 2u);
    gsp_builder b;
    s->text.low = s->text.high = s->arena.low = s->arena.high = 0;
    T_EQUAL(gsp_build_init(&b, &s->text, &counts, &s->err), GSP_OK);
    gsp_build_graph(&b, gsp_str_of(""));
    (void)put_node(&b, GSP_OP_PLACEHOLDER, 0);
    gsp_build_type(&b, gsp_str_of("u8[4]"));
    for (uint32_t i = 1; i <= n; i++) {
        (void)put_node(&b, GSP_OP_CALL_FUNCTION, i);
        gsp_build_type(&b, gsp_str_of(t_chance(rng, 15) ? "int" : "u8[4]"));
        for (uint32_t more = 1u + t_below(rng, 2u); more > 0u; more--) {
            gsp_build_arg_node(&b, t_chance(rng, chained) ? i - 1u : t_below(rng, i));
        }
        if (written && t_chance(rng, 30)) {
            gsp_build_attr(&b, gsp_str_of("mutates"), gsp_str_of("0"));
        }
    }
    (void)gsp_build_output(&b);
    gsp_build_arg_node(&b, n);
    if (!T_EQUAL(gsp_build_finish(&b, &s->module, &s->err), GSP_OK)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->module, 0u);
    if (written) {
        T_EQUAL(gsp_dependences_run(&s->arena, &s->g, NULL, &s->dependences, &s->err), GSP_OK);
        T_EQUAL(gsp_order_run(&s->arena, &s->g, &s->dependences, &s->order, &s->err), GSP_OK);
        s->g.order = &s->order;
    }
    return 1;
}

static void place(t_rng *rng, subject *s, uint32_t kinds)
{
    uint32_t const per_cent = 20u + t_below(rng, 60u);
    uint32_t const pinned = t_below(rng, 30u);
    s->placement.n_nodes = s->g.n_nodes;
    s->placement.n_kinds = kinds;
    s->placement.trusted = 0;
    s->placement.kind = s->given;
    s->placement.reason = t_chance(rng, 80) ? s->reason : NULL;
    s->placement.culprit = NULL;
    s->placement.group = t_chance(rng, 30) ? s->group : NULL;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        int const callable = gsp_node_is_callable(&s->g, v);
        int const on_acc = t_chance(rng, per_cent);
        s->given[v] = (uint8_t)(!callable ? GSP_KIND_NONE
                                : on_acc  ? 1u + t_below(rng, kinds - 1u)
                                          : GSP_KIND_CPU);
        s->reason[v] = (uint8_t)(!callable                      ? GSP_REASON_NONE
                                 : on_acc                       ? GSP_REASON_SUPPORTED
                                 : t_chance(rng, 100u - pinned) ? GSP_REASON_UNSUPPORTED
                                                                : GSP_REASON_PINNED);
        s->operator_of[v] = t_chance(rng, 95) ? t_below(rng, OPERATORS) : GSP_NONE;
        s->group[v] = callable && t_chance(rng, 20) ? 0u : GSP_NONE;
    }
}

static int refuse(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph)
{
    (void)user;
    (void)graph;
    return subgraph->n_nodes % 3u != 1u;
}

static void choose_options(t_rng *rng, subject *s)
{
    gsp_split_desc *d = &s->split;
    memset(d, 0, sizeof(*d));
    d->placement = &s->placement;
    d->allow_non_tensor = (uint32_t)t_chance(rng, 50);
    d->skip_fusion = (uint32_t)t_chance(rng, 50);
    d->best_start = (uint32_t)t_chance(rng, 50);
    d->limit = (uint32_t)t_chance(rng, 10); /* not read, nor the other limit */
    d->max_acc = (uint32_t)t_chance(rng, 10);
    s->sizes[0] = s->sizes[1] = s->sizes[2] = 2u;
    switch (t_below(rng, 12u)) {
    case 0:
        d->min_size = 2;
        break;
    case 1:
        d->max_size = 2;
        break;
    case 2:
        d->min_sizes = s->sizes;
        break;
    case 3:
        d->max_sizes = s->sizes;
        break;
    case 4:
        d->move_non_tensor = 1;
        break;
    case 5:
        d->accept = refuse;
        break;
    default:
        break;
    }
}

/* ---- all sets ---- */

static int is_missing(const subject *s, gsp_node v)
{
    return s->given[v] == GSP_KIND_CPU && gsp_node_is_callable(&s->g, v) &&
           s->operator_of[v] != GSP_NONE &&
           (s->placement.reason == NULL || s->reason[v] == (uint8_t)GSP_REASON_UNSUPPORTED);
}

/* The split if the accelerator supports the operators in the set as well. */
static void split_set(subject *s, uint32_t set, gsp_split_result *result)
{
    gsp_placement with = s->placement;
    gsp_split_desc options = s->split;
    with.kind = s->kind;
    with.reason = NULL;
    options.placement = &with;
    options.limit = options.max_acc = 0;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        int const more = is_missing(s, v) && (set >> s->operator_of[v] & 1u) != 0u;
        s->kind[v] = (uint8_t)(more ? s->desc.kind + (s->desc.kind == 0u) : s->given[v]);
    }
    T_EQUAL(gsp_split_run(&s->arena, &s->g, &options, result, &s->err), GSP_OK);
}

static uint32_t on_accelerators(const subject *s, const gsp_split_result *r)
{
    uint32_t n = 0;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        uint32_t const subgraph = r->subgraph_of[v];
        n += subgraph != GSP_NONE && r->subgraph_kind[subgraph] != GSP_KIND_CPU;
    }
    return n;
}

static void split_all(subject *s)
{
    s->n = 0;
    for (uint32_t set = 0; set < SETS; set++) {
        gsp_mark const mark = gsp_arena_mark(&s->arena);
        gsp_split_result r;
        split_set(s, set, &r);
        s->n_subgraphs[set] = r.n_subgraphs;
        s->n_nodes[set] = on_accelerators(s, &r);
        gsp_arena_rewind(&s->arena, mark);
    }
    for (uint32_t op = 0; op < OPERATORS; op++) {
        gsp_node v = 0;
        while (v < s->g.n_nodes && !(is_missing(s, v) && s->operator_of[v] == op)) {
            v++;
        }
        if (v < s->g.n_nodes) {
            s->list[s->n++] = op;
        }
    }
}

static int reaches(const subject *s, uint32_t set)
{
    uint32_t const most = s->desc.max_subgraphs;
    return (most == 0u || s->n_subgraphs[set] <= most) && s->n_nodes[set] >= s->desc.min_nodes;
}

static uint32_t set_of(const uint32_t *operators, uint32_t n)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < n; i++) {
        set |= 1u << operators[i];
    }
    return set;
}

static uint32_t size_of(uint32_t set)
{
    return set == 0u ? 0u : (set & 1u) + size_of(set >> 1u);
}

/* The fewest operators that reach the goal; GSP_NONE if no set does. */
static uint32_t fewest(const subject *s)
{
    uint32_t const all = set_of(s->list, s->n);
    uint32_t least = GSP_NONE;
    for (uint32_t set = 0; set < SETS; set++) {
        if ((set & all) == set && reaches(s, set) && size_of(set) < least) {
            least = size_of(set);
        }
    }
    return least;
}

/* ---- the pass ---- */

/* Of those before, the last one is missed least: without it the fewest subgraphs remain, then the
 * most nodes on accelerators. */
static void check_order(const subject *s)
{
    const uint32_t *order = s->r.order;
    T_EQUAL(set_of(order, s->n), set_of(s->list, s->n));
    for (uint32_t k = 0; k <= s->n; k++) {
        uint32_t const set = set_of(order, k);
        T_EQUAL(s->r.n_subgraphs[k], s->n_subgraphs[set]);
        T_EQUAL(s->r.n_nodes[k], s->n_nodes[set]);
        for (uint32_t i = 0; k < s->n && i < k; i++) {
            uint32_t const other = set ^ (1u << order[i]) ^ (1u << order[k]);
            T_CHECK(s->n_subgraphs[set] < s->n_subgraphs[other] ||
                    (s->n_subgraphs[set] == s->n_subgraphs[other] &&
                        s->n_nodes[set] >= s->n_nodes[other]));
        }
    }
}

static void check_greedy(const subject *s)
{
    uint32_t k = 0;
    while (k <= s->n && !reaches(s, set_of(s->r.order, k))) {
        k++;
    }
    T_EQUAL(s->r.n_greedy, k <= s->n ? k : GSP_NONE);
}

static void check_least(const subject *s)
{
    uint32_t const least = fewest(s);
    T_CHECK(s->r.n_least <= s->r.n_greedy && s->r.n_least >= least && s->r.bound <= least);
    if (s->r.n_least != GSP_NONE) {
        uint32_t const set = set_of(s->r.least, s->r.n_least);
        T_EQUAL(size_of(set), s->r.n_least);
        T_CHECK(reaches(s, set));
    }
    if (s->r.proved) {
        T_EQUAL(s->r.n_least, least);
        T_CHECK(s->r.bound == least || least == GSP_NONE);
    }
}

static void check_split(t_rng *rng, subject *s)
{
    uint32_t const n = t_below(rng, OPERATORS + 1u);
    uint32_t more[OPERATORS];
    gsp_split_result a;
    gsp_split_result b;
    for (uint32_t i = 0; i < n; i++) {
        more[i] = t_below(rng, OPERATORS);
    }
    T_EQUAL(gsp_operators_split_run(&s->arena, &s->g, &s->desc, more, n, &a, &s->err), GSP_OK);
    split_set(s, set_of(more, n), &b);
    T_EQUAL(a.n_subgraphs, b.n_subgraphs);
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        T_CHECK(a.kind[v] == b.kind[v] && a.subgraph_of[v] == b.subgraph_of[v]);
    }
}

static void check(t_rng *rng, subject *s, uint32_t tally[4])
{
    uint32_t const kinds = t_chance(rng, 20) ? 3u : 2u;
    memset(&s->desc, 0, sizeof(s->desc));
    place(rng, s, kinds);
    choose_options(rng, s);
    s->desc.n_operators = OPERATORS;
    s->desc.operator_of = s->operator_of;
    s->desc.split = &s->split;
    s->desc.kind = t_below(rng, kinds);
    s->desc.max_work = t_chance(rng, 20) ? 1u + t_below(rng, 400u) : 0u;
    split_all(s);
    if (t_chance(rng, 80)) {
        s->desc.max_subgraphs = 1u + t_below(rng, s->n_subgraphs[0]);
    }
    if (t_chance(rng, 30)) {
        s->desc.min_nodes = t_below(rng, s->n_nodes[SETS - 1u] + 2u);
    }
    if (T_EQUAL(gsp_operators_run(&s->arena, &s->g, &s->desc, &s->r, &s->err), GSP_OK)) {
        T_EQUAL(s->r.n, s->n);
        T_CHECK(s->desc.max_work != 0u || (s->r.ordered && s->r.proved));
        if (s->r.ordered) {
            check_order(s);
            check_greedy(s);
        }
        check_least(s);
        check_split(rng, s);
        tally[0] += s->r.n_least != GSP_NONE && s->r.n_least > 1u;
        tally[1] += s->r.n_least < s->r.n_greedy;
        tally[2] += s->r.n_least == GSP_NONE;
        tally[3] += s->r.proved == 0u;
    }
}

static void test_random(void)
{
    t_rng rng = {t_seed + 53u};
    uint32_t const n = t_fast ? 600u : 4000u;
    uint32_t tally[4] = {0u, 0u, 0u, 0u}; /* several, less than greedy, none, out of work */
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.text, (size_t)1 << 16u);
    t_arena_open(&s.arena, (size_t)1 << 18u);
    for (uint32_t i = 0; i < n && !t_failed(); i++) {
        if (build(&rng, &s)) {
            check(&rng, &s, tally);
        }
    }
    T_CHECK(tally[0] > n / 20u && tally[1] > 0u && tally[2] > n / 20u && tally[3] > 0u);
    t_arena_close(&s.arena);
    t_arena_close(&s.text);
}

void suite_oracle_operators(void)
{
    t_run("random", test_random);
}
