/* gsp_split_run() against the oracle, and the properties that any split must have, on all small
 * graphs and on many random ones. */
#include "tests/oracle/oracle.h"

/* One case at work: the module is built once, and split under several options. */
typedef struct subject {
    gsp_arena arena;
    oracle_case c;
    oracle_ids ids;
    oracle_result expected;
    gsp_module module;
    gsp_graph graph;
    gsp_placement placement;
    gsp_split_result split;
    gsp_status status;
    uint64_t *value; /* [n_nodes] of the graph */
    oracle_values values;
    uint32_t n_judged;
} subject;

static int has(uint64_t s, uint32_t v)
{
    return (int)(s >> v & 1u);
}

static void show_array(const char *what, const uint32_t *a, uint32_t n)
{
    uint32_t i;
    printf("%s:", what);
    for (i = 0; i < n; i++) {
        if (a[i] == GSP_NONE) {
            printf(" -");
        } else {
            printf(" %u", (unsigned)a[i]);
        }
    }
    printf("\n");
}

static void show_expected(const subject *s)
{
    oracle_result const *const r = &s->expected;
    uint32_t v;
    printf("expected: status %s, subgraphs %u\nkind:", gsp_status_name(r->status),
        (unsigned)r->n_subgraphs);
    for (v = 0; v < s->c.n; v++) {
        printf(" %u", r->kind[v]);
    }
    printf("\ngroups:");
    for (v = 0; v < s->c.n; v++) {
        printf(" %lx", (unsigned long)r->unit[v]);
    }
    printf("\n");
    show_array("raw_of", r->raw_of, s->c.n);
    show_array("subgraph_of", r->subgraph_of, s->c.n);
}

static void show_found(const subject *s)
{
    uint32_t v;
    printf("found (all nodes): status %s\n", gsp_status_name(s->status));
    if (s->status == GSP_OK) {
        printf("kind:");
        for (v = 0; v < s->split.n_nodes; v++) {
            printf(" %u", s->split.kind[v]);
        }
        printf("\n");
        show_array("group", s->split.group, s->split.n_nodes);
        show_array("raw_of", s->split.raw_of, s->split.n_nodes);
        show_array("subgraph_of", s->split.subgraph_of, s->split.n_nodes);
    }
}

static void show(subject *s, const char *what)
{
    t_string text = t_print(&s->module, NULL);
    printf("%s\n%soptions: kinds=%u min=%u waive=%u limit=%u acc=%u policy=%u "
           "skip=%u allow=%u\n",
        what, text.data, (unsigned)s->c.n_kinds, (unsigned)s->c.min_size, (unsigned)s->c.waive,
        (unsigned)s->c.limit, (unsigned)s->c.max_acc, (unsigned)s->c.limit_policy,
        (unsigned)s->c.skip_fusion, (unsigned)s->c.allow_non_tensor);
    show_expected(s);
    show_found(s);
    t_free(&text);
}

/* ---- running ---- */

static void subject_open(subject *s)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 4u << 20);
    oracle_values_open(&s->values);
}

static void subject_close(subject *s)
{
    t_arena_close(&s->arena);
    oracle_values_close(&s->values);
}

/* Any id below the number of nodes: here the first member. */
static uint32_t group_id(const subject *s, uint32_t v)
{
    uint32_t u;
    for (u = 0; s->c.group[v] != ORACLE_ALONE && u < v; u++) {
        if (s->c.group[u] == s->c.group[v]) {
            break;
        }
    }
    return s->c.group[v] == ORACLE_ALONE ? GSP_NONE : s->ids.call[u];
}

/* The placement by hand; every other case asks gsp_support_run(), which reads acc= and group=. */
static void place(subject *s)
{
    uint32_t const n = s->graph.n_nodes;
    uint32_t v;
    gsp_placement *const p = &s->placement;
    memset(p, 0, sizeof(*p));
    p->n_nodes = n;
    p->n_kinds = s->c.n_kinds;
    p->kind = (uint8_t *)gsp_arena_push(&s->arena, n, 1u);
    p->group = (uint32_t *)gsp_arena_push(&s->arena, n, 4u);
    for (v = 0; v < n; v++) {
        p->kind[v] = GSP_KIND_NONE;
        p->group[v] = GSP_NONE;
    }
    for (v = 0; v < s->c.n; v++) {
        p->kind[s->ids.call[v]] = s->c.kind[v];
        p->group[s->ids.call[v]] = group_id(s, v);
    }
}

static int place_by_support(subject *s)
{
    gsp_support_desc desc;
    gsp_accelerator accelerators[8];
    gsp_error err;
    uint32_t v;
    memset(&desc, 0, sizeof(desc));
    memset(accelerators, 0, sizeof(accelerators));
    desc.n_accelerators = s->c.n_kinds - 1u;
    desc.accelerators = accelerators;
    if (!T_EQUAL(gsp_support_run(&s->arena, &s->graph, &desc, &s->placement, &err), GSP_OK)) {
        return 0;
    }
    for (v = 0; v < s->c.n; v++) {
        uint32_t const k = s->placement.kind[s->ids.call[v]];
        if (k != s->c.kind[v] && !(k == 0u && s->c.group[v] != ORACLE_ALONE)) {
            T_EQUAL(k, s->c.kind[v]);
            return 0;
        }
    }
    return 1;
}

static int subject_build(subject *s)
{
    gsp_error err;
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    if (!T_EQUAL(oracle_build(&s->arena, &s->c, &s->module, &s->ids, &err), GSP_OK)) {
        return 0;
    }
    s->graph = gsp_module_graph(&s->module, 0u);
    if (s->c.shape % 4u == 3u) {
        if (!place_by_support(s)) {
            show(s, "support");
            return 0;
        }
    } else {
        place(s);
    }
    return 1;
}

static void split(subject *s, gsp_error *err)
{
    gsp_split_desc desc;
    uint32_t v;
    memset(&desc, 0, sizeof(desc));
    desc.placement = &s->placement;
    desc.min_size = s->c.min_size;
    desc.waive_min_size = s->c.waive;
    desc.limit = s->c.limit;
    desc.limit_policy = s->c.limit_policy;
    desc.max_acc = s->c.max_acc;
    desc.min_sizes = s->c.has_min_sizes ? s->c.min_sizes : NULL;
    desc.skip_fusion = s->c.skip_fusion;
    desc.allow_non_tensor = s->c.allow_non_tensor;
    s->value = (uint64_t *)gsp_arena_push(&s->arena, s->graph.n_nodes, 8u);
    for (v = 0; v < s->graph.n_nodes; v++) {
        s->value[v] = 1000000u; /* of nodes that are not callable, and must not count */
    }
    for (v = 0; v < s->c.n; v++) {
        s->value[s->ids.call[v]] = s->c.value[v];
    }
    desc.value = s->c.limit != 0u || s->c.max_acc != 0u ? s->value : NULL;
    memset(&s->split, 0, sizeof(s->split));
    s->status = gsp_split_run(&s->arena, &s->graph, &desc, &s->split, err);
}

/* ---- comparing ---- */

static int same_groups(const subject *s)
{
    uint32_t v;
    uint32_t u;
    for (v = 0; v < s->c.n; v++) {
        uint32_t const g = s->split.group[s->ids.call[v]];
        if ((g != GSP_NONE) != (s->expected.unit[v] != 0u)) {
            return 0;
        }
        for (u = 0; u < v && g != GSP_NONE; u++) {
            if ((s->split.group[s->ids.call[u]] == g) != has(s->expected.unit[v], u)) {
                return 0;
            }
        }
    }
    return 1;
}

/* The reason has to fit what the oracle saw happen. */
static int same_reason(const subject *s, uint32_t v)
{
    gsp_node const node = s->ids.call[v];
    uint32_t const reason = s->split.reason[node];
    if (s->expected.small[v] != 0u) {
        return reason == (s->expected.small[v] == 1u ? GSP_REASON_SMALL : GSP_REASON_LIMIT);
    }
    if (s->expected.kind[v] != 0u) {
        return reason == GSP_REASON_SUPPORTED;
    }
    if (s->c.kind[v] == 0u) {
        return reason == GSP_REASON_UNSUPPORTED || reason == GSP_REASON_GROUP;
    }
    return reason == GSP_REASON_FUSED || reason == GSP_REASON_GROUP ||
           reason == GSP_REASON_NON_TENSOR_IN || reason == GSP_REASON_NON_TENSOR_OUT;
}

static int same_nodes(const subject *s)
{
    uint32_t v;
    for (v = 0; v < s->c.n; v++) {
        gsp_node const node = s->ids.call[v];
        if (s->split.kind[node] != s->expected.kind[v] ||
            s->split.raw_of[node] != s->expected.raw_of[v] ||
            s->split.subgraph_of[node] != s->expected.subgraph_of[v]) {
            return 0;
        }
    }
    return 1;
}

static int same_reasons(const subject *s)
{
    uint32_t v;
    for (v = 0; v < s->c.n; v++) {
        if (!same_reason(s, v)) {
            printf("node n%u: reason %s\n", (unsigned)v,
                gsp_reason_name((gsp_reason)s->split.reason[s->ids.call[v]]));
            return 0;
        }
    }
    return 1;
}

static int same_subgraphs(const subject *s)
{
    oracle_result const *const r = &s->expected;
    return s->split.n_raw == r->n_raw && s->split.n_subgraphs == r->n_subgraphs &&
           (r->n_raw == 0u || memcmp(s->split.raw_kind, r->raw_kind, r->n_raw) == 0) &&
           (r->n_subgraphs == 0u ||
               memcmp(s->split.subgraph_kind, r->subgraph_kind, r->n_subgraphs) == 0);
}

/* subgraph_begin and nodes say the same as subgraph_of. */
static int consistent(const subject *s)
{
    gsp_split_result const *const r = &s->split;
    uint32_t i;
    uint32_t k;
    uint32_t met = 0;
    if (r->n_nodes != s->graph.n_nodes || r->n_kinds != s->c.n_kinds ||
        (r->n_subgraphs == 0u) != (s->c.n == 0u)) {
        return 0;
    }
    for (i = 0; i < r->n_subgraphs; i++) {
        if (r->subgraph_begin[i] >= r->subgraph_begin[i + 1u]) {
            return 0;
        }
        for (k = r->subgraph_begin[i]; k < r->subgraph_begin[i + 1u]; k++) {
            if (r->subgraph_of[r->nodes[k]] != i ||
                (k > r->subgraph_begin[i] && r->nodes[k - 1u] >= r->nodes[k])) {
                return 0;
            }
            met++;
        }
    }
    for (i = 0; i < r->n_nodes; i++) {
        int const callable = gsp_node_is_callable(&s->graph, i);
        if ((r->subgraph_of[i] != GSP_NONE) != callable || (r->raw_of[i] != GSP_NONE) != callable ||
            (r->kind[i] != GSP_KIND_NONE) != callable ||
            (r->reason[i] != GSP_REASON_NONE) != callable) {
            return 0;
        }
    }
    return met == s->c.n;
}

/* ---- properties that need no oracle ---- */

/* Every subgraph reads only earlier ones and itself; atomic groups are whole. */
static int in_order(const subject *s)
{
    uint32_t v;
    uint32_t u;
    for (v = 0; v < s->c.n; v++) {
        for (u = 0; u < v; u++) {
            uint32_t const a = s->split.subgraph_of[s->ids.call[u]];
            uint32_t const b = s->split.subgraph_of[s->ids.call[v]];
            if (has(s->c.in[v], u) && a > b) {
                return 0;
            }
            if (s->c.group[v] != ORACLE_ALONE && s->c.group[u] == s->c.group[v] && a != b) {
                return 0;
            }
        }
    }
    return 1;
}

/* No non-tensor value crosses between kinds, unless a group that fell has cut it; what has no
 * tensor metadata stays in its subgraph. */
static int nothing_crosses(const subject *s)
{
    uint32_t v;
    uint32_t u;
    for (v = 0; v < s->c.n && !s->c.allow_non_tensor; v++) {
        for (u = 0; u < v; u++) {
            gsp_node const a = s->ids.call[u];
            gsp_node const b = s->ids.call[v];
            if (!has(s->c.in[v], u) || s->c.out[u] == GSP_VALUE_TENSOR) {
                continue;
            }
            if (s->split.kind[a] != s->split.kind[b] && s->expected.left[u] != 2u &&
                s->expected.left[v] != 2u) {
                return 0;
            }
            if (s->c.out[u] == GSP_VALUE_OTHER && !s->c.skip_fusion && s->split.kind[a] != 0u &&
                s->split.kind[b] != 0u && s->split.raw_of[a] != s->split.raw_of[b]) {
                return 0;
            }
        }
        if (has(s->c.returned, v) && s->c.out[v] != GSP_VALUE_TENSOR &&
            s->split.kind[s->ids.call[v]] != 0u) {
            return 0;
        }
    }
    return 1;
}

static int copy_placement(subject *s, gsp_placement *copy)
{
    uint32_t const n = s->graph.n_nodes;
    *copy = s->placement;
    copy->kind = (uint8_t *)gsp_arena_push(&s->arena, n, 1u);
    copy->group = (uint32_t *)gsp_arena_push(&s->arena, n, 4u);
    copy->reason = NULL;
    copy->culprit = NULL;
    memcpy(copy->kind, s->placement.kind, n);
    memcpy(copy->group, s->placement.group, n * sizeof(uint32_t));
    return copy->kind != NULL && copy->group != NULL;
}

static int groups_contiguous(const subject *s, const gsp_node *order, const uint32_t *group)
{
    uint8_t seen[2u * ORACLE_NODES] = {0};
    uint32_t last = GSP_NONE;
    uint32_t closed[2u * ORACLE_NODES];
    uint32_t n_closed = 0;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < s->graph.n_nodes; i++) {
        uint32_t n;
        gsp_node const v = order[i];
        const gsp_node *const in = gsp_node_inputs(&s->graph, v, &n);
        for (k = 0; k < n; k++) {
            if (!seen[in[k]]) {
                return 0;
            }
        }
        if (seen[v]++) {
            return 0;
        }
        if (group[v] == last && last != GSP_NONE) {
            continue;
        }
        for (k = 0; k < n_closed; k++) {
            if (closed[k] == group[v] && group[v] != GSP_NONE) {
                return 0;
            }
        }
        closed[n_closed++] = last;
        last = group[v];
    }
    return 1;
}

/* The passes called one by one come to what the splitter found. */
static int same_one_by_one(subject *s)
{
    gsp_placement p;
    gsp_fuse_desc desc;
    gsp_fuse_result fuse;
    gsp_error err;
    memset(&desc, 0, sizeof(desc));
    memset(&fuse, 0, sizeof(fuse));
    desc.skip = s->c.skip_fusion;
    if (!copy_placement(s, &p) ||
        (!s->c.allow_non_tensor && gsp_acc_nodes_run(&s->arena, &s->graph, &p, &err) != GSP_OK) ||
        gsp_fuse_run(&s->arena, &s->graph, &desc, &p, &fuse, &err) != GSP_OK) {
        return 0;
    }
    return memcmp(p.kind, s->split.kind, p.n_nodes) == 0 &&
           memcmp(p.group, s->split.group, p.n_nodes * sizeof(uint32_t)) == 0 &&
           fuse.n_groups == s->split.n_groups &&
           (fuse.order == NULL || groups_contiguous(s, fuse.order, p.group));
}

#define JUDGE(cond) \
    if (!(cond)) { \
        t_check(0, __FILE__, __LINE__, #cond); \
        show(s, #cond); \
        return 0; \
    }

/* 1 if node v may run: what it and its group read from outside has run. */
static int ready(const subject *s, const gsp_split_result *r, const uint8_t *done, gsp_node v)
{
    gsp_node u;
    for (u = 0; u < r->n_nodes; u++) {
        if (u == v || (r->group[v] != GSP_NONE && r->group[u] == r->group[v])) {
            uint32_t n, i;
            const gsp_node *in = gsp_node_inputs(&s->graph, u, &n);
            for (i = 0; i < n; i++) {
                if (r->kind[in[i]] != GSP_KIND_NONE && !done[in[i]] &&
                    (r->group[v] == GSP_NONE || r->group[in[i]] != r->group[v])) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

/* Kinds take turns, and each runs all that it can: the number of turns in which something runs. */
static uint32_t turns_from(const subject *s, const gsp_split_result *r, uint32_t kind)
{
    uint8_t *done = (uint8_t *)calloc(r->n_nodes + 1u, 1u);
    uint32_t left = 0, turns = 0;
    gsp_node v, u;
    for (v = 0; v < r->n_nodes; v++) {
        left += r->kind[v] != GSP_KIND_NONE;
    }
    for (; left != 0; kind = (kind + 1u) % r->n_kinds) {
        uint32_t before = left;
        for (v = 0; v < r->n_nodes; v++) {
            if (r->kind[v] == kind && !done[v] && ready(s, r, done, v)) {
                for (u = 0; u < r->n_nodes; u++) {
                    if (!done[u] &&
                        (u == v || (r->group[v] != GSP_NONE && r->group[u] == r->group[v]))) {
                        done[u] = 1;
                        left--;
                    }
                }
                v = GSP_NONE; /* from the first again */
            }
        }
        turns += left != before;
    }
    free(done);
    return turns;
}

/* The fewest runs of one kind in any order of up to MOST callable nodes, over all sets that have
 * run. */
#define MOST 8u
static uint32_t fewest_runs(const subject *s, const gsp_split_result *r)
{
    static uint8_t runs[1u << MOST][8]; /* by the set and the kind of the last run */
    gsp_node call[MOST];
    uint8_t done[256];
    uint32_t n = 0, set, i, j, k, least = UINT8_MAX;
    gsp_node v;
    for (v = 0; v < r->n_nodes; v++) {
        if (r->kind[v] != GSP_KIND_NONE) {
            call[n++] = v;
        }
    }
    memset(runs, UINT8_MAX, sizeof runs);
    memset(runs[0], 0, sizeof runs[0]);
    for (set = 0; set < 1u << n; set++) {
        memset(done, 0, sizeof done);
        for (i = 0; i < n; i++) {
            done[call[i]] = (uint8_t)(set >> i & 1u);
        }
        for (i = 0; i < n; i++) {
            uint32_t const kind = r->kind[call[i]];
            uint32_t next = set;
            if (done[call[i]] || !ready(s, r, done, call[i])) {
                continue;
            }
            for (j = 0; j < n; j++) {
                uint32_t const group = r->group[call[i]];
                next |= i == j || (group != GSP_NONE && r->group[call[j]] == group) ? 1u << j : 0u;
            }
            for (k = 0; k < r->n_kinds; k++) {
                uint32_t const more = runs[set][k] + (set == 0 || k != kind ? 1u : 0u);
                runs[next][kind] = (uint8_t)(more < runs[next][kind] ? more : runs[next][kind]);
            }
        }
    }
    for (k = 0; k < r->n_kinds; k++) {
        least = runs[(1u << n) - 1u][k] < least ? runs[(1u << n) - 1u][k] : least;
    }
    return least;
}

/* best_start: the fewest turns of all first kinds; with two kinds, the fewest of all orders. */
static int fewest(subject *s)
{
    gsp_split_desc desc;
    gsp_split_result r;
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    gsp_error err;
    uint32_t k, least = UINT32_MAX;
    int good;
    memset(&desc, 0, sizeof(desc));
    desc.placement = &s->placement;
    desc.skip_fusion = s->c.skip_fusion;
    desc.allow_non_tensor = s->c.allow_non_tensor;
    desc.best_start = 1;
    if (gsp_split_run(&s->arena, &s->graph, &desc, &r, &err) != GSP_OK) {
        return s->status != GSP_OK;
    }
    for (k = 0; k < r.n_kinds; k++) {
        uint32_t const turns = turns_from(s, &r, k);
        least = turns < least ? turns : least;
    }
    good = r.n_phases == least && r.n_raw == least && r.n_least <= least &&
           (r.n_kinds != 2u || r.n_least == least) && r.n_reference >= least;
    if (s->c.n <= MOST) {
        uint32_t const all = fewest_runs(s, &r);
        good = good && r.n_least <= all && (r.n_kinds == 2u ? least == all : least >= all);
    }
    gsp_arena_rewind(&s->arena, mark);
    return good;
}

static int judge(subject *s)
{
    gsp_error err;
    gsp_mark const mark = gsp_arena_mark(&s->arena);
    oracle_run(&s->c, &s->expected);
    split(s, &err);
    JUDGE(s->status == s->expected.status)
    if (s->status == GSP_STATUS_LIMIT) {
        JUDGE(err.need == s->expected.too_many)
        JUDGE(err.limit == (s->expected.too_many == s->expected.n_subgraphs && s->c.limit != 0u &&
                                       s->expected.n_subgraphs > s->c.limit
                                   ? s->c.limit
                                   : s->c.max_acc))
    } else {
        JUDGE(same_nodes(s))
        JUDGE(same_subgraphs(s))
        JUDGE(same_groups(s))
        JUDGE(consistent(s))
        JUDGE(same_reasons(s))
        JUDGE(in_order(s))
        JUDGE(nothing_crosses(s))
        JUDGE(same_one_by_one(s))
    }
    JUDGE(s->n_judged++ % 8u != 0u || fewest(s))
    gsp_arena_rewind(&s->arena, mark);
    return 1;
}

/* ---- all small graphs ---- */

static void several_options(subject *s)
{
    static const uint8_t options[][3] = {{1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1}};
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(options) && !t_failed(); i++) {
        s->c.min_size = options[i][0];
        s->c.skip_fusion = options[i][1];
        s->c.allow_non_tensor = options[i][2];
        judge(s);
    }
}

static void set_edges(oracle_case *c, uint32_t edges)
{
    uint32_t v;
    uint64_t read = 0;
    for (v = 0; v < c->n; v++) {
        c->in[v] = edges & ((1u << v) - 1u);
        edges >>= v;
        read |= c->in[v];
    }
    c->returned = ~read & (((uint64_t)1 << c->n) - 1u);
}

static uint32_t power(uint32_t base, uint32_t n)
{
    uint32_t p = 1;
    while (n-- != 0u) {
        p *= base;
    }
    return p;
}

/* Digits of `code` in some base, one a node. */
static void set_digits(uint8_t *digits, uint32_t n, uint32_t base, uint32_t code)
{
    uint32_t v;
    for (v = 0; v < n; v++) {
        digits[v] = (uint8_t)(code % base);
        code /= base;
    }
}

/* All edge sets over n nodes in order, all labellings with `n_kinds` kinds and `n_outs` kinds of
 * output; `returns`: all sets of returned nodes instead of those that nobody reads. */
static void all_graphs(uint32_t n, uint32_t n_kinds, uint32_t n_outs, int returns)
{
    subject s;
    uint32_t edges;
    uint32_t labels;
    uint32_t outs;
    uint32_t returned;
    subject_open(&s);
    memset(s.c.group, (int)ORACLE_ALONE, sizeof(s.c.group));
    s.c.n = n;
    s.c.n_kinds = n_kinds;
    for (edges = 0; edges < 1u << (n * (n - 1u) / 2u); edges++) {
        for (outs = 0; outs < power(n_outs, n); outs++) {
            set_edges(&s.c, edges);
            set_digits(s.c.out, n, n_outs, outs);
            for (returned = 0; returned < (returns ? 1u << n : 1u); returned++) {
                s.c.returned = returns ? returned : s.c.returned;
                for (labels = 0; labels < power(n_kinds, n) && !t_failed(); labels++) {
                    set_digits(s.c.kind, n, n_kinds, labels);
                    if (subject_build(&s)) {
                        several_options(&s);
                    }
                }
            }
        }
    }
    subject_close(&s);
}

/* With kinds of output in the order tensor, other: aggregates left out. */
static void all_graphs_of_scalars(uint32_t n)
{
    subject s;
    uint32_t code;
    uint32_t edges;
    subject_open(&s);
    memset(s.c.group, (int)ORACLE_ALONE, sizeof(s.c.group));
    s.c.n = n;
    s.c.n_kinds = 2;
    s.c.min_size = 1;
    for (edges = 0; edges < 1u << (n * (n - 1u) / 2u); edges++) {
        set_edges(&s.c, edges);
        for (code = 0; code < 1u << (2u * n) && !t_failed(); code++) {
            uint32_t v;
            set_digits(s.c.kind, n, 2u, code);
            set_digits(s.c.out, n, 2u, code >> n);
            for (v = 0; v < n; v++) {
                s.c.out[v] = s.c.out[v] ? GSP_VALUE_OTHER : GSP_VALUE_TENSOR;
            }
            if (subject_build(&s)) {
                judge(&s);
            }
        }
    }
    subject_close(&s);
}

/* All graphs of n nodes with all ways to put nodes into atomic groups (a group of one is none). */
static void all_groupings(uint32_t n, uint32_t n_kinds, uint32_t n_outs)
{
    subject s;
    uint32_t edges;
    uint32_t groups;
    uint32_t labels;
    subject_open(&s);
    s.c.n = n;
    s.c.n_kinds = n_kinds;
    for (edges = 0; edges < 1u << (n * (n - 1u) / 2u); edges++) {
        set_edges(&s.c, edges);
        for (groups = 0; groups < power(3u, n); groups++) {
            uint32_t v;
            uint32_t count[3] = {0, 0, 0};
            set_digits(s.c.group, n, 3u, groups);
            for (v = 0; v < n; v++) {
                count[s.c.group[v]]++;
                s.c.group[v] = s.c.group[v] == 2u ? (uint8_t)ORACLE_ALONE : s.c.group[v];
            }
            if (count[0] < 2u || count[1] == 1u) {
                continue;
            }
            for (labels = 0; labels < power(n_kinds * n_outs, n) && !t_failed(); labels++) {
                set_digits(s.c.kind, n, n_kinds * n_outs, labels);
                for (v = 0; v < n; v++) {
                    s.c.out[v] = s.c.kind[v] / n_kinds ? GSP_VALUE_OTHER : GSP_VALUE_TENSOR;
                    s.c.kind[v] = (uint8_t)(s.c.kind[v] % n_kinds);
                }
                if (subject_build(&s)) {
                    several_options(&s);
                }
            }
        }
    }
    subject_close(&s);
}

static void test_all_up_to_4(void)
{
    uint32_t n;
    for (n = 1; n <= (t_fast ? 3u : 4u); n++) {
        all_graphs(n, 2u, 3u, n <= 3u);
    }
}

static void test_all_of_5(void)
{
    all_graphs(t_fast ? 4u : 5u, 2u, 1u, 0);
    all_graphs_of_scalars(t_fast ? 4u : 5u);
}

static void test_all_with_two_accelerators(void)
{
    all_graphs(3u, 3u, 3u, 0);
    all_graphs(4u, 3u, t_fast ? 1u : 2u, 0);
}

static void test_all_with_groups(void)
{
    all_groupings(3u, 3u, 2u);
    all_groupings(4u, 2u, t_fast ? 1u : 2u);
}

/* ---- random graphs ---- */

static void random_graphs(uint32_t count, uint32_t max_nodes, uint64_t salt)
{
    t_rng rng;
    subject s;
    uint32_t i;
    rng.state = t_seed ^ salt;
    subject_open(&s);
    for (i = 0; i < count && !t_failed(); i++) {
        oracle_random(&rng, max_nodes, &s.c);
        if (subject_build(&s)) {
            judge(&s);
        }
    }
    subject_close(&s);
}

static void drop_single_groups(oracle_case *c)
{
    uint32_t v;
    uint32_t u;
    for (v = 0; v < c->n; v++) {
        uint32_t mates = 0;
        for (u = 0; u < c->n; u++) {
            mates += c->group[u] == c->group[v];
        }
        c->group[v] = mates < 2u ? (uint8_t)ORACLE_ALONE : c->group[v];
    }
}

static void test_random_small(void)
{
    random_graphs(t_fast ? 6000u : 100000u, 12u, 1u);
}

static void test_random(void)
{
    random_graphs(t_fast ? 4000u : 100000u, 60u, 2u);
}

/* Nearly everything on the accelerator, many scalars, values allowed to cross: groups that wait
 * for each other around single CPU nodes. */
static void test_random_scalars(void)
{
    t_rng rng;
    subject s;
    uint32_t i;
    uint32_t v;
    rng.state = t_seed ^ 5u;
    subject_open(&s);
    for (i = 0; i < (t_fast ? 10000u : 200000u) && !t_failed(); i++) {
        uint32_t const scalars = 10u + t_below(&rng, 40u);
        oracle_random(&rng, 16u, &s.c);
        s.c.allow_non_tensor = (uint32_t)t_chance(&rng, 60);
        s.c.skip_fusion = 0;
        s.c.waive = 0;
        for (v = 0; v < s.c.n; v++) {
            s.c.out[v] = (uint8_t)(t_chance(&rng, scalars) ? GSP_VALUE_OTHER : GSP_VALUE_TENSOR);
            s.c.kind[v] = (uint8_t)t_chance(&rng, 85);
            s.c.group[v] = t_chance(&rng, 90) ? (uint8_t)ORACLE_ALONE : s.c.group[v];
        }
        drop_single_groups(&s.c);
        if (subject_build(&s)) {
            judge(&s);
        }
    }
    subject_close(&s);
}

void suite_oracle_split(void)
{
    t_run("all_up_to_4", test_all_up_to_4);
    t_run("all_of_5", test_all_of_5);
    t_run("all_with_two_accelerators", test_all_with_two_accelerators);
    t_run("all_with_groups", test_all_with_groups);
    t_run("random_small", test_random_small);
    t_run("random", test_random);
    t_run("random_scalars", test_random_scalars);
}

/* ---- the module of a split ---- */

static int same_text(const gsp_graph *a, gsp_node v, const gsp_graph *b, gsp_node u)
{
    return gsp_str_equal(gsp_node_name(a, v), gsp_node_name(b, u)) &&
           gsp_str_equal(gsp_node_type(a, v), gsp_node_type(b, u)) &&
           gsp_node_bytes(a, v) == gsp_node_bytes(b, u) &&
           gsp_node_value_kind(a, v) == gsp_node_value_kind(b, u);
}

/* Every callable node stands once, in the graph of its tag, with its name, type and target;
 * placeholders come first in every graph; there are no empty submodules. */
static int names_kept(
    const gsp_graph *graph, const gsp_split_result *split, const gsp_split_by_tags_result *tags)
{
    gsp_node v;
    uint32_t g;
    uint32_t n_calls = 0;
    for (v = 0; v < graph->n_nodes; v++) {
        gsp_graph home;
        if (!gsp_node_is_callable(graph, v)) {
            continue;
        }
        n_calls++;
        home = gsp_module_graph(&tags->module, tags->graph_of[v]);
        if (tags->graph_of[v] != split->subgraph_of[v] + 1u ||
            !same_text(graph, v, &home, tags->node_of[v]) ||
            !gsp_str_equal(gsp_node_target(graph, v), gsp_node_target(&home, tags->node_of[v]))) {
            return 0;
        }
    }
    for (g = 1; g < tags->module.counts.graphs; g++) {
        gsp_graph const sub = gsp_module_graph(&tags->module, g);
        int after = 0;
        for (v = 0; v < sub.n_nodes; v++) {
            gsp_op const op = gsp_node_op(&sub, v);
            if (op == GSP_OP_PLACEHOLDER && after) {
                return 0;
            }
            after |= op != GSP_OP_PLACEHOLDER;
            n_calls -= (uint32_t)gsp_node_is_callable(&sub, v);
        }
    }
    return n_calls == 0u;
}

/* A module printed and read back is the same module. */
static int reads_back(const gsp_module *module, oracle_values *values, size_t value)
{
    gsp_arena arena;
    gsp_module again;
    gsp_error err;
    t_string text = t_print(module, NULL);
    int same = t_read(&arena, text.data, text.size, &again, &err) == GSP_OK;
    if (same) {
        t_string second = t_print(&again, NULL);
        same = second.size == text.size && memcmp(second.data, text.data, text.size) == 0 &&
               t_module_equal(module, &again) && oracle_evaluate(values, &again) == value;
        t_free(&second);
    }
    if (!same) {
        printf("does not read back: %lu:%lu %s\n%s", (unsigned long)err.line,
            (unsigned long)err.column, gsp_detail_text(err.detail), text.data);
    }
    t_free(&text);
    t_arena_close(&arena);
    return same;
}

static int equivalent(const gsp_graph *graph, const gsp_split_result *split,
    const gsp_split_by_tags_result *tags, oracle_values *values)
{
    size_t const before = oracle_evaluate(values, graph->module);
    size_t const after = oracle_evaluate(values, &tags->module);
    if (before == 0u || before != after || !names_kept(graph, split, tags)) {
        t_string text = t_print(&tags->module, NULL);
        printf(
            "not the same (%lu, %lu):\n%s", (unsigned long)before, (unsigned long)after, text.data);
        t_free(&text);
        return 0;
    }
    return 1;
}

static int judge_module(subject *s, int read_back)
{
    gsp_error err;
    gsp_split_by_tags_result tags;
    s->c.limit = 0;
    s->c.max_acc = 0;
    split(s, &err);
    JUDGE(s->status == GSP_OK)
    JUDGE(t_split_tags(&s->arena, &s->graph, &s->split, &tags, &err) == GSP_OK)
    oracle_values_reset(&s->values);
    JUDGE(equivalent(&s->graph, &s->split, &tags, &s->values))
    if (read_back) {
        size_t const value = oracle_evaluate(&s->values, &tags.module);
        JUDGE(reads_back(&s->module, &s->values, value))
        JUDGE(reads_back(&tags.module, &s->values, value))
    }
    return 1;
}

static void test_equivalence(void)
{
    t_rng rng;
    subject s;
    uint32_t i;
    uint32_t const count = t_fast ? 2000u : 20000u;
    rng.state = t_seed ^ 3u;
    subject_open(&s);
    for (i = 0; i < count && !t_failed(); i++) {
        oracle_random(&rng, 60u, &s.c);
        if (subject_build(&s)) {
            judge_module(&s, i % 4u == 0u);
        }
    }
    subject_close(&s);
}

static void random_tags(const gsp_graph *graph, t_rng *rng, uint32_t n_kinds, uint8_t *kind)
{
    gsp_node v;
    for (v = 0; v < graph->n_nodes; v++) {
        kind[v] = gsp_node_is_callable(graph, v) ? (uint8_t)t_below(rng, n_kinds) : GSP_KIND_NONE;
    }
}

void oracle_check_module(const gsp_module *module)
{
    gsp_graph const graph = gsp_module_graph(module, 0u);
    gsp_split_by_tags_desc const most = {0u, graph.n_nodes, NULL, NULL, 0u, 0u};
    gsp_arena arena;
    gsp_placement p;
    gsp_split_desc desc;
    gsp_split_result split_result;
    gsp_split_by_tags_result tags;
    gsp_error err;
    oracle_values values;
    t_rng rng;
    size_t const bound = gsp_split_by_tags_bound(&graph, &most) + 64u * graph.n_nodes;
    rng.state = t_seed;
    memset(&p, 0, sizeof(p));
    memset(&desc, 0, sizeof(desc));
    t_arena_open(&arena, bound + gsp_split_bound(&graph, NULL));
    oracle_values_open(&values);
    p.n_nodes = graph.n_nodes;
    p.n_kinds = 3;
    p.kind = (uint8_t *)t_alloc(graph.n_nodes);
    random_tags(&graph, &rng, 3u, p.kind);
    desc.placement = &p;
    if (T_EQUAL(gsp_split_run(&arena, &graph, &desc, &split_result, &err), GSP_OK) &&
        T_EQUAL(t_split_tags(&arena, &graph, &split_result, &tags, &err), GSP_OK)) {
        T_CHECK(equivalent(&graph, &split_result, &tags, &values));
        T_CHECK(reads_back(&tags.module, &values, oracle_evaluate(&values, module)));
    }
    free(p.kind);
    oracle_values_close(&values);
    t_arena_close(&arena);
}

void suite_oracle_split_by_tags(void)
{
    t_run("equivalence", test_equivalence);
}

/* ---- texts ---- */

void oracle_check_file(const char *path)
{
    gsp_arena arena;
    gsp_module module;
    t_string text = t_read_file(path);
    if (T_CHECK(text.data != NULL) && t_must_read(&arena, text.data, &module)) {
        t_string printed = t_print(&module, NULL);
        gsp_text_desc strict;
        gsp_counts counts;
        gsp_arena again_arena;
        gsp_module again;
        gsp_error err;
        memset(&strict, 0, sizeof(strict));
        strict.check_users = 1;
        if (strstr(text.data, "[#users=") == NULL) {
            T_CHECK(printed.size == text.size && memcmp(printed.data, text.data, text.size) == 0);
        }
        T_EQUAL(gsp_text_count(printed.data, printed.size, &counts, &err), GSP_OK);
        t_arena_open(&again_arena, gsp_build_bound(&counts));
        T_EQUAL(
            gsp_text_read(&again_arena, printed.data, printed.size, &strict, &again, &err), GSP_OK);
        if (!t_failed()) {
            T_CHECK(t_module_equal(&module, &again));
            if (module.counts.graphs == 1u && module.counts.nodes < 20000u) {
                oracle_check_module(&module);
            }
            oracle_check_dedup(&module);
            if (module.counts.graphs == 1u) {
                oracle_check_run(&module);
            }
        }
        t_free(&printed);
        t_arena_close(&again_arena);
        t_arena_close(&arena);
    }
    t_free(&text);
}

static void test_print_and_read(void)
{
    t_rng rng;
    subject s;
    gsp_error err;
    uint32_t i;
    uint32_t const count = t_fast ? 2000u : 20000u;
    rng.state = t_seed ^ 4u;
    subject_open(&s);
    for (i = 0; i < count && !t_failed(); i++) {
        oracle_random(&rng, 30u, &s.c);
        gsp_arena_init(&s.arena, s.arena.base, s.arena.size);
        if (T_EQUAL(oracle_build(&s.arena, &s.c, &s.module, &s.ids, &err), GSP_OK)) {
            oracle_values_reset(&s.values);
            T_CHECK(reads_back(&s.module, &s.values, oracle_evaluate(&s.values, &s.module)));
        }
    }
    subject_close(&s);
}

void suite_oracle_text(void)
{
    t_run("print_and_read", test_print_and_read);
}
