/* Groups of equal regions: on small random graphs held against all sets of regions, on larger ones
 * judged slowly. Groups share no node, their regions are equal and close no cycle, and the module
 * in which calls replace them computes what the graph does. */
#include "examples/extra/graphsplit_repeats.h"
#include "tests/oracle/oracle.h"

#define NODES   256u
#define SMALL   13u /* nodes where all sets of regions are tried */
#define REGIONS 512u

typedef struct subject {
    gsp_arena text;
    gsp_arena known_arena;
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_dedup_result known;
    gsp_repeats_desc d;
    gsp_repeats_result r;
    uint32_t part[NODES];
} subject;

/* ---- what a result says ---- */

static uint32_t columns_of(const subject *s, uint32_t group)
{
    return s->r.regions.group_regions[group];
}

static uint32_t rows_of(const subject *s, uint32_t group)
{
    const uint32_t *begin = s->r.regions.group_begin + group;
    return (begin[1] - begin[0]) / columns_of(s, group);
}

static gsp_node cell(const subject *s, uint32_t group, uint32_t row, uint32_t column)
{
    const gsp_regions *r = &s->r.regions;
    return r->members[r->group_begin[group] + row * columns_of(s, group) + column];
}

/* The row of a node in a column, or GSP_NONE. */
static uint32_t row_of(const subject *s, uint32_t group, uint32_t column, gsp_node v)
{
    for (uint32_t i = 0; i < rows_of(s, group); i++) {
        if (cell(s, group, i, column) == v) {
            return i;
        }
    }
    return GSP_NONE;
}

static int is_closed(const subject *s, gsp_node v)
{
    uint32_t n;
    const gsp_node *users = gsp_node_users(&s->g, v, &n);
    int closed = gsp_node_attr(&s->g, v, GSP_KEY_MUTATES).size != 0u ||
                 gsp_node_attr(&s->g, v, GSP_KEY_ALIAS).size != 0u ||
                 (s->d.part_of != NULL && s->d.part_of[v] == GSP_NONE);
    while (n-- > 0u) {
        closed = closed || gsp_node_attr(&s->g, users[n], GSP_KEY_MUTATES).size != 0u ||
                 gsp_node_attr(&s->g, users[n], GSP_KEY_ALIAS).size != 0u;
    }
    return closed;
}

/* Nodes are in one region, of one part, and equal to those of their row. */
static void check_nodes(const subject *s)
{
    uint8_t seen[NODES] = {0};
    for (uint32_t k = 0; k < s->r.regions.n_groups; k++) {
        T_CHECK(rows_of(s, k) > 1u && columns_of(s, k) > 1u);
        for (uint32_t i = 0; i < rows_of(s, k); i++) {
            for (uint32_t c = 0; c < columns_of(s, k); c++) {
                gsp_node const v = cell(s, k, i, c);
                T_EQUAL(seen[v], 0u);
                seen[v] = 1;
                T_CHECK(gsp_node_equal(&s->g, v, cell(s, k, i, 0)));
                T_CHECK(s->d.part_of == NULL || s->d.part_of[v] == s->d.part_of[cell(s, k, 0, c)]);
                T_CHECK(s->d.calls != NULL || !is_closed(s, v));
            }
        }
    }
}

/* Arguments of rows are the same rows, and outer values have partners. */
static void check_column(const subject *s, uint32_t group, uint32_t column)
{
    gsp_node to[NODES];
    gsp_node from[NODES];
    memset(to, 0xFF, sizeof to);
    memset(from, 0xFF, sizeof from);
    for (uint32_t i = 0; i < rows_of(s, group); i++) {
        uint32_t n;
        uint32_t m;
        const gsp_arg *x = gsp_node_args(&s->g, cell(s, group, i, 0), &n);
        const gsp_arg *y = gsp_node_args(&s->g, cell(s, group, i, column), &m);
        T_EQUAL(n, m);
        for (uint32_t k = 0; k < n; k++) {
            T_EQUAL(x[k].kind, y[k].kind);
            if (x[k].kind != GSP_ARG_NODE) {
                continue;
            }
            gsp_node const a = x[k].value;
            gsp_node const b = y[k].value;
            uint32_t const row = row_of(s, group, 0, a);
            T_EQUAL(row, row_of(s, group, column, b));
            if (row == GSP_NONE) {
                T_CHECK((to[a] == GSP_NONE && from[b] == GSP_NONE) || to[a] == b);
                to[a] = b;
                from[b] = a;
            }
        }
    }
}

/* Columns by their last node, rows by the node of the first column. */
static void check_order(const subject *s)
{
    for (uint32_t k = 0; k < s->r.regions.n_groups; k++) {
        gsp_node last[NODES] = {0};
        for (uint32_t i = 0; i < rows_of(s, k); i++) {
            T_CHECK(i == 0u || cell(s, k, i - 1u, 0) < cell(s, k, i, 0));
            for (uint32_t c = 0; c < columns_of(s, k); c++) {
                gsp_node const v = cell(s, k, i, c);
                last[c] = v > last[c] ? v : last[c];
            }
        }
        for (uint32_t c = 1; c < columns_of(s, k); c++) {
            T_CHECK(last[c - 1u] < last[c]);
        }
    }
}

/* The nodes of a region are a unit, and so is any other node. Removes units that wait for none. */
static int is_acyclic(const subject *s, const uint32_t *unit)
{
    const gsp_dependences *d = &s->known.regions.dependences;
    uint8_t gone[NODES] = {0};
    int removed = 1;
    uint32_t left = s->g.n_nodes;
    while (removed) {
        uint8_t waits[NODES] = {0};
        removed = 0;
        for (gsp_node v = 0; v < s->g.n_nodes; v++) {
            uint32_t n;
            const gsp_node *users = gsp_node_users(&s->g, v, &n);
            for (uint32_t i = 0; i < n && !gone[unit[v]]; i++) {
                waits[unit[users[i]]] |= unit[users[i]] != unit[v];
            }
            for (uint32_t i = d->dependent_begin[v];
                 i < d->dependent_begin[v + 1u] && !gone[unit[v]]; i++) {
                waits[unit[d->dependents[i]]] |= unit[d->dependents[i]] != unit[v];
            }
        }
        for (gsp_node v = 0; v < s->g.n_nodes; v++) {
            if (unit[v] == v && !gone[v] && !waits[v]) {
                gone[v] = 1;
                removed = 1;
            }
        }
    }
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        left -= gone[unit[v]];
    }
    return left == 0u;
}

static void check_cycles(const subject *s)
{
    uint32_t unit[NODES];
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        unit[v] = v;
    }
    for (uint32_t k = 0; k < s->r.regions.n_groups; k++) {
        for (uint32_t i = 0; i < rows_of(s, k); i++) {
            for (uint32_t c = 0; c < columns_of(s, k); c++) {
                unit[cell(s, k, i, c)] = cell(s, k, 0, c);
            }
        }
    }
    T_CHECK(is_acyclic(s, unit));
}

/* Of so many equal nodes that are free, calls can replace all but one. */
static uint64_t most_saved(const subject *s)
{
    const gsp_node_classes *k = &s->known.regions.classes;
    uint64_t sum = 0;
    for (uint32_t c = 0; c < k->n_classes; c++) {
        uint32_t n = 0;
        for (uint32_t i = k->class_begin[c]; i < k->class_begin[c + 1u]; i++) {
            n += is_closed(s, k->nodes[i]) ? 0u : 1u;
        }
        sum += n > 1u ? n - 1u : 0u;
    }
    return sum;
}

static void check_sums(const subject *s)
{
    uint64_t saved = 0;
    for (uint32_t k = 0; k < s->r.regions.n_groups; k++) {
        saved += (uint64_t)rows_of(s, k) * (columns_of(s, k) - 1u);
    }
    T_EQUAL(s->r.saved, saved);
    T_CHECK(s->r.most == most_saved(s) || (s->d.calls != NULL && s->r.most > most_saved(s)));
    T_CHECK(saved <= s->r.most);
}

/* The pass takes the groups, and the module computes the same. */
static void check_module(const subject *s)
{
    gsp_dedup_desc desc = {0};
    gsp_dedup_result made;
    gsp_arena arena;
    desc.given = &s->r.regions;
    t_arena_open(&arena, gsp_dedup_bound(&s->g, &desc));
    gsp_status const status = gsp_dedup_run(&arena, &s->g, &desc, &made, NULL);
    if (status != GSP_STATUS_LIMIT && T_EQUAL(status, GSP_OK)) {
        (void)oracle_run_dedup(&s->m, &made.module);
    }
    t_arena_close(&arena);
}

static void check(const subject *s)
{
    check_nodes(s);
    for (uint32_t k = 0; k < s->r.regions.n_groups && s->d.calls == NULL; k++) {
        for (uint32_t c = 0; c < columns_of(s, k); c++) {
            check_column(s, k, c);
        }
    }
    check_order(s);
    check_cycles(s);
    check_sums(s);
    check_module(s);
}

/* ---- subjects ---- */

static int start(subject *s, t_string text)
{
    memset(s, 0, sizeof *s);
    int const read = t_must_read(&s->text, text.data, &s->m);
    t_free(&text);
    if (!read) {
        return 0;
    }
    s->g = gsp_module_graph(&s->m, 0);
    t_arena_open(&s->known_arena, gsp_dedup_bound(&s->g, NULL));
    return s->g.n_nodes <= NODES &&
           gsp_dedup_run(&s->known_arena, &s->g, NULL, &s->known, NULL) == GSP_OK;
}

/* In an arena of exactly the bound. */
static int run(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_open(&s->arena, gsp_repeats_bound(&s->g, &s->known.regions, &s->d));
    return T_EQUAL(
        gsp_repeats_run(&s->arena, &s->g, &s->known.regions, &s->d, &s->r, NULL), GSP_OK);
}

static void stop(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->known_arena);
    t_arena_close(&s->text);
}

/* A block of 2 or 3 operators, again and again, with other operators and inputs between. */
static t_string small_text(t_rng *rng, uint32_t n)
{
    t_string text = {NULL, 0, 0};
    uint32_t const size = 2u + t_below(rng, 2u);
    uint32_t const noise = 10u * t_below(rng, 3u);
    uint32_t const near = 1u + t_below(rng, size + 1u);
    t_puts(&text, "graph():\n    %v0 : [num_users=1] = placeholder[target=v0]  # f32[4]\n"
                  "    %v1 : [num_users=1] = placeholder[target=v1]  # f32[4]\n");
    for (uint32_t i = 2; i < n; i++) {
        uint32_t const op = t_chance(rng, noise) ? t_below(rng, 3u) : i % size;
        uint32_t const back = op == 1u ? near : 1u;
        t_puts(&text, "    %v");
        t_number(&text, i);
        t_puts(&text, " : [num_users=1] = call_function[target=op");
        t_number(&text, op);
        t_puts(&text, "](args = (%v");
        t_number(&text, t_chance(rng, noise) ? t_below(rng, i) : i - 1u);
        if (op != 0u) {
            t_puts(&text, ", %v");
            t_number(&text, t_chance(rng, noise) || back > i ? t_below(rng, i) : i - back);
        }
        t_puts(&text, ",), kwargs = {})  # f32[4]\n");
    }
    t_puts(&text, "    return (v");
    t_number(&text, n - 1u);
    t_puts(&text, ",)\n");
    return text;
}

/* ---- all sets of regions ---- */

typedef struct all {
    uint32_t set[REGIONS];
    uint32_t equal[REGIONS]; /* the first region that is equal */
    uint32_t n;
} all;

static uint32_t count_bits(uint32_t set)
{
    uint32_t n = 0;
    for (; set != 0u; set &= set - 1u) {
        n++;
    }
    return n;
}

static uint32_t inputs_of(const subject *s, gsp_node v)
{
    uint32_t set = 0;
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(&s->g, v, &n);
    while (n-- > 0u) {
        set |= 1u << in[n];
    }
    return set;
}

/* By values, and by inputs in common. */
static int is_connected(const subject *s, uint32_t set)
{
    uint32_t reached = set & (~set + 1u);
    uint32_t before = 0;
    while (before != reached) {
        uint32_t near = reached;
        before = reached;
        for (gsp_node v = 0; v < s->g.n_nodes; v++) {
            near |= (reached >> v & 1u) != 0u ? inputs_of(s, v) : 0u;
        }
        for (gsp_node v = 0; v < s->g.n_nodes; v++) {
            uint32_t const around = inputs_of(s, v) | 1u << v;
            reached |= (around & near) != 0u ? set & 1u << v : 0u;
        }
    }
    return reached == set;
}

static void list_nodes(uint32_t set, gsp_node *nodes)
{
    for (gsp_node v = 0; v < SMALL; v++) {
        if ((set >> v & 1u) != 0u) {
            *nodes++ = v;
        }
    }
}

/* 1 if b[i] can stand for a[i]. */
static int is_match(const subject *s, const gsp_node *a, const gsp_node *b, uint32_t n)
{
    gsp_node to[SMALL];
    gsp_node from[SMALL];
    memset(to, 0xFF, sizeof to);
    memset(from, 0xFF, sizeof from);
    for (uint32_t i = 0; i < n; i++) {
        to[a[i]] = b[i];
        from[b[i]] = a[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t n_args;
        const gsp_arg *x = gsp_node_args(&s->g, a[i], &n_args);
        const gsp_arg *y = gsp_node_args(&s->g, b[i], &n_args);
        if (!gsp_node_equal(&s->g, a[i], b[i])) {
            return 0;
        }
        for (uint32_t k = 0; k < n_args; k++) {
            if (x[k].kind == GSP_ARG_NODE && to[x[k].value] == GSP_NONE &&
                from[y[k].value] == GSP_NONE) {
                to[x[k].value] = y[k].value;
                from[y[k].value] = x[k].value;
            }
            if (x[k].kind == GSP_ARG_NODE && to[x[k].value] != y[k].value) {
                return 0;
            }
        }
    }
    return 1;
}

/* The next order of nodes; 0 after the last one. */
static int next_order(gsp_node *nodes, uint32_t n)
{
    uint32_t i = n - 1u;
    uint32_t k = n - 1u;
    while (i > 0u && nodes[i - 1u] > nodes[i]) {
        i--;
    }
    if (i == 0u) {
        return 0;
    }
    while (nodes[k] < nodes[i - 1u]) {
        k--;
    }
    gsp_node const v = nodes[i - 1u];
    nodes[i - 1u] = nodes[k];
    nodes[k] = v;
    for (k = n - 1u; i < k; i++, k--) {
        gsp_node const u = nodes[i];
        nodes[i] = nodes[k];
        nodes[k] = u;
    }
    return 1;
}

static int are_equal(const subject *s, uint32_t a, uint32_t b)
{
    uint32_t const n = count_bits(a);
    gsp_node x[SMALL];
    gsp_node y[SMALL];
    if (n != count_bits(b)) {
        return 0;
    }
    list_nodes(a, x);
    list_nodes(b, y);
    do {
        if (is_match(s, x, y, n)) {
            return 1;
        }
    } while (next_order(y, n));
    return 0;
}

/* Regions of at most half of the nodes; larger ones have no equal beside them. */
static void list_regions(const subject *s, all *a)
{
    uint32_t callable = 0;
    a->n = 0;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        callable |= gsp_node_is_callable(&s->g, v) ? 1u << v : 0u;
    }
    for (uint32_t set = callable; set != 0u; set = (set - 1u) & callable) {
        uint32_t const n = count_bits(set);
        if (n > 1u && 2u * n <= count_bits(callable) && is_connected(s, set) && a->n < REGIONS) {
            a->set[a->n] = set;
            a->equal[a->n] = 0;
            while (!are_equal(s, a->set[a->equal[a->n]], set)) {
                a->equal[a->n]++;
            }
            a->n++;
        }
    }
    T_CHECK(a->n < REGIONS);
}

/* What chosen regions save; 0 if they close a cycle. */
static uint32_t saved_by(const subject *s, const all *a, const uint32_t *chosen, uint32_t n)
{
    uint32_t unit[NODES];
    uint32_t saved = 0;
    for (gsp_node v = 0; v < s->g.n_nodes; v++) {
        unit[v] = v;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const set = a->set[chosen[i]];
        gsp_node nodes[SMALL];
        list_nodes(set, nodes);
        for (uint32_t k = 0; k < count_bits(set); k++) {
            unit[nodes[k]] = nodes[0];
        }
        for (uint32_t k = 0; k < i; k++) { /* one that has an equal before it is saved */
            if (a->equal[chosen[k]] == a->equal[chosen[i]]) {
                saved += count_bits(set);
                break;
            }
        }
    }
    return is_acyclic(s, unit) ? saved : 0u;
}

/* All sets of regions that share no node. */
static uint32_t best_of_all(const subject *s)
{
    static all a;
    uint32_t chosen[SMALL];
    uint32_t used = 0;
    uint32_t n = 0;
    uint32_t best = 0;
    uint32_t next = 0;
    list_regions(s, &a);
    for (;;) {
        for (; next < a.n && (a.set[next] & used) != 0u; next++) {
        }
        if (next < a.n) {
            used |= a.set[next];
            chosen[n++] = next++;
            uint32_t const saved = saved_by(s, &a, chosen, n);
            best = saved > best ? saved : best;
        } else if (n != 0u) {
            used ^= a.set[chosen[--n]];
            next = chosen[n] + 1u;
        } else {
            return best;
        }
    }
}

/* ---- the tests ---- */

static void test_small(void)
{
    t_rng rng;
    uint64_t sum = 0;
    uint64_t most = 0;
    rng.state = t_seed ^ 0xE0u;
    for (uint32_t i = 0; i < (t_fast ? 60u : 600u) && !t_failed(); i++) {
        subject s;
        if (start(&s, small_text(&rng, 6u + t_below(&rng, SMALL - 7u))) && run(&s)) {
            uint32_t const best = best_of_all(&s);
            check(&s);
            T_CHECK(s.r.saved <= best);
            sum += s.r.saved;
            most += best;
        }
        stop(&s);
    }
    T_CHECK(100u * sum >= 99u * most);
}

static int stop_after(void *user, uint64_t work)
{
    uint32_t *left = (uint32_t *)user;
    (void)work;
    return *left == 0u || --*left == 0u;
}

/* Parts, states, work, calls to begin with, and an end at any time. */
static void test_valid(void)
{
    t_rng rng;
    rng.state = t_seed ^ 0xE1u;
    for (uint32_t i = 0; i < (t_fast ? 60u : 600u) && !t_failed(); i++) {
        subject s;
        uint32_t left = t_below(&rng, 200u);
        if (start(&s, t_chance(&rng, 50u) ? oracle_dedup_text(&rng) : oracle_blocks_text(&rng))) {
            for (gsp_node v = 0; v < s.g.n_nodes; v++) {
                s.part[v] = t_chance(&rng, 5u) ? GSP_NONE : v / (s.g.n_nodes / 2u + 1u);
            }
            s.d.part_of = t_chance(&rng, 30u) ? s.part : NULL;
            s.d.calls = t_chance(&rng, 30u) ? &s.known.selection : NULL;
            s.d.max_states = 1u + t_below(&rng, 8u);
            s.d.max_work = t_chance(&rng, 30u) ? 1u + t_below(&rng, 20000u) : 200000u;
            s.d.progress = t_chance(&rng, 30u) ? stop_after : NULL;
            s.d.progress_user = &left;
            if (run(&s)) {
                T_CHECK(s.d.progress != NULL || !s.r.stopped);
                check(&s);
            }
        }
        stop(&s);
    }
}

void suite_oracle_repeats(void)
{
    t_run("small", test_small);
    t_run("valid", test_valid);
}
