/* Deduplication as the model says it, slowly: ancestor sets, arguments that are really rewritten, a
 * test for cycles a region. Random layered graphs with noise are judged by both. */
#include "tests/oracle/oracle.h"

#define NODES  128u /* of a graph; calls, items and holders stand behind them */
#define ALL    768u
#define ARGS   40u
#define PLACES 8u /* a node */

typedef struct set {
    uint64_t words[NODES / 64u];
} set;

typedef struct places {
    uint64_t words[NODES * PLACES / 64u];
} places;

/* A node that is rewritten. */
typedef struct node {
    int alive;
    int barrier;
    uint32_t n_args;
    uint32_t args[ARGS]; /* flattened, nodes alone */
    char name[64];
    places keys;
} node;

typedef struct model {
    const gsp_graph *g;
    uint32_t n;
    uint32_t n_all;
    node nodes[ALL];
    places wrote[NODES];
    set extra[ALL]; /* earlier nodes that this one waits for; after a replacement by now[] */
    set above[NODES];
    set users[NODES];     /* arguments and extra, as they were */
    uint32_t same[NODES]; /* first identical node; GSP_NONE if no callable node, or a barrier */
    uint32_t now[NODES];  /* what stands for a node that went */
    uint32_t calls[NODES];
    uint32_t unit[NODES];
    set claimed;
    uint32_t n_groups;
    uint32_t rows;
    uint32_t columns;
    uint32_t region[NODES][NODES]; /* [column][row] */
    uint32_t holders[NODES];
    uint32_t n_holders;
    uint32_t n_items;
    uint32_t n_calls;
    t_string bodies;
    t_string report;
} model;

static int in_set(const set *s, uint32_t i)
{
    return (int)((s->words[i / 64u] >> (i % 64u)) & 1u);
}

static void put(set *s, uint32_t i)
{
    s->words[i / 64u] |= (uint64_t)1u << (i % 64u);
}

static int meet(const places *a, const places *b)
{
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(a->words); i++) {
        if ((a->words[i] & b->words[i]) != 0u) {
            return 1;
        }
    }
    return 0;
}

static void join(places *a, const places *b)
{
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(a->words); i++) {
        a->words[i] |= b->words[i];
    }
}

/* ---- what the graph says ---- */

static uint32_t elements_of(const model *m, uint32_t v, int *aggregate)
{
    uint32_t count = GSP_NONE;
    *aggregate = v < m->n && gsp_type_container(gsp_node_type(m->g, v), &count) != GSP_ARG_NONE;
    return count;
}

static int is_aggregate(const model *m, uint32_t v)
{
    int aggregate;
    (void)elements_of(m, v, &aggregate);
    return aggregate;
}

static int is_getitem(const model *m, uint32_t v)
{
    return gsp_node_op(m->g, v) == GSP_OP_CALL_FUNCTION &&
           gsp_str_equal(gsp_node_target(m->g, v), gsp_str_of("operator.getitem"));
}

static gsp_node at_position(const model *m, uint32_t v, uint32_t position)
{
    uint32_t n;
    uint32_t i;
    const gsp_arg *const args = gsp_node_args(m->g, v, &n);
    for (i = 0; i < n; i++) {
        if (args[i].kind == GSP_ARG_NODE || args[i].kind == GSP_ARG_CONSTANT) {
            if (position-- == 0u) {
                return args[i].kind == GSP_ARG_NODE ? args[i].value : GSP_NONE;
            }
        }
    }
    return GSP_NONE;
}

static void where(model *m, uint32_t v)
{
    places *const keys = &m->nodes[v].keys;
    gsp_str const alias = gsp_node_attr(m->g, v, GSP_KEY_ALIAS);
    uint32_t u = alias.data != NULL ? at_position(m, v, (uint32_t)(alias.data[0] - '0')) : GSP_NONE;
    int aggregate;
    uint32_t const k = elements_of(m, v, &aggregate);
    uint32_t e;
    if (gsp_node_op(m->g, v) == GSP_OP_GET_ATTR) {
        gsp_str const s = gsp_node_attr(m->g, v, GSP_KEY_STORAGE);
        for (u = 0; u < v; u++) {
            gsp_str const t = gsp_node_attr(m->g, u, GSP_KEY_STORAGE);
            if (gsp_node_op(m->g, u) == GSP_OP_GET_ATTR && (s.data == NULL) == (t.data == NULL) &&
                (s.data != NULL
                        ? gsp_str_equal(s, t)
                        : gsp_str_equal(gsp_node_target(m->g, u), gsp_node_target(m->g, v)))) {
                break;
            }
        }
        keys->words[u * PLACES / 64u] |= (uint64_t)1u << (u * PLACES % 64u);
        return;
    }
    if (u != GSP_NONE) {
        *keys = m->nodes[u].keys;
        return;
    }
    if (is_getitem(m, v) && is_aggregate(m, m->nodes[v].args[0])) {
        u = m->nodes[v].args[0];
        e = gsp_node_element(m->g, v);
        e = e == GSP_NONE ? e : u * PLACES + e;
        if (e != GSP_NONE && ((m->nodes[u].keys.words[e / 64u] >> (e % 64u)) & 1u) != 0u) {
            keys->words[e / 64u] |= (uint64_t)1u << (e % 64u);
        } else {
            *keys = m->nodes[u].keys;
        }
        return;
    }
    for (e = 0; e < (aggregate && k != GSP_NONE ? k : 1u); e++) {
        uint32_t const bit = v * PLACES + e;
        keys->words[bit / 64u] |= (uint64_t)1u << (bit % 64u);
    }
}

/* Everything but the order of keyword arguments, which the cases do not vary. */
static int identical(const model *m, uint32_t a, uint32_t b)
{
    static const gsp_key keys[] = {GSP_KEY_KEY, GSP_KEY_STATE, GSP_KEY_MUTATES, GSP_KEY_ALIAS};
    uint32_t n;
    uint32_t other;
    uint32_t i;
    const gsp_arg *const x = gsp_node_args(m->g, a, &n);
    const gsp_arg *const y = gsp_node_args(m->g, b, &other);
    int same = n == other && gsp_node_op(m->g, a) == gsp_node_op(m->g, b) &&
               gsp_str_equal(gsp_node_target(m->g, a), gsp_node_target(m->g, b)) &&
               gsp_str_equal(gsp_node_type(m->g, a), gsp_node_type(m->g, b));
    for (i = 0; i < T_COUNT_OF(keys); i++) {
        gsp_str const s = gsp_node_attr(m->g, a, keys[i]);
        gsp_str const t = gsp_node_attr(m->g, b, keys[i]);
        same = same && (s.data == NULL) == (t.data == NULL) && gsp_str_equal(s, t);
    }
    for (i = 0; same && i < n; i++) {
        same = x[i].kind == y[i].kind &&
               (x[i].kind == GSP_ARG_NODE ? gsp_str_equal(gsp_node_type(m->g, x[i].value),
                                                gsp_node_type(m->g, y[i].value))
                                          : x[i].value == y[i].value);
    }
    return same;
}

static int reads(const node *x, uint32_t v)
{
    uint32_t i;
    for (i = 0; i < x->n_args; i++) {
        if (x->args[i] == v) {
            return 1;
        }
    }
    return 0;
}

static void open_nodes(model *m, const gsp_graph *g)
{
    uint32_t v;
    memset(m, 0, sizeof(*m));
    m->g = g;
    m->n = g->n_nodes;
    m->n_all = m->n;
    for (v = 0; v < m->n; v++) {
        node *const x = &m->nodes[v];
        gsp_str const mutates = gsp_node_attr(g, v, GSP_KEY_MUTATES);
        gsp_str const name = gsp_node_name(g, v);
        uint32_t n;
        uint32_t i;
        const gsp_arg *const args = gsp_node_args(g, v, &n);
        x->alive = 1;
        x->barrier = v + 1u < m->n && gsp_node_attr(g, v, GSP_KEY_BARRIER).data != NULL;
        snprintf(x->name, sizeof(x->name), "%.*s", (int)name.size, name.data);
        for (i = 0; i < n; i++) {
            if (args[i].kind == GSP_ARG_NODE) {
                x->args[x->n_args++] = args[i].value;
            }
        }
        where(m, v);
        for (i = 0; i < mutates.size; i += 2u) {
            gsp_node const u = at_position(m, v, (uint32_t)(mutates.data[i] - '0'));
            if (u != GSP_NONE) {
                join(&m->wrote[v], &m->nodes[u].keys);
            }
        }
        m->same[v] = GSP_NONE;
        for (i = 0; gsp_node_is_callable(g, v) && !x->barrier && i <= v; i++) {
            if (i == v || (m->same[i] == i && identical(m, i, v))) {
                m->same[v] = i;
                break;
            }
        }
    }
}

/* Who waits for whom, pair by pair: place by place the last writer, and readers since. */
static void find_extra(model *m)
{
    uint32_t v;
    uint32_t u;
    uint32_t s;
    for (v = 0; v + 1u < m->n; v++) {
        for (s = 0; s < NODES * PLACES; s++) {
            uint64_t const bit = (uint64_t)1u << (s % 64u);
            int touches = (m->wrote[v].words[s / 64u] & bit) != 0u;
            uint32_t i;
            for (i = 0; i < m->nodes[v].n_args; i++) {
                touches |= (m->nodes[m->nodes[v].args[i]].keys.words[s / 64u] & bit) != 0u;
            }
            for (u = v; touches && u > 0u; u--) {
                int read = 0;
                for (i = 0; i < m->nodes[u - 1u].n_args; i++) {
                    read |= (m->nodes[m->nodes[u - 1u].args[i]].keys.words[s / 64u] & bit) != 0u;
                }
                if ((m->wrote[u - 1u].words[s / 64u] & bit) != 0u) {
                    put(&m->extra[v], u - 1u);
                    break;
                }
                if (read && (m->wrote[v].words[s / 64u] & bit) != 0u) {
                    put(&m->extra[v], u - 1u);
                }
            }
        }
        for (u = v; u > 0u; u--) {
            if (m->nodes[u - 1u].barrier) {
                put(&m->extra[v], u - 1u);
                break;
            }
            if (m->nodes[v].barrier) {
                put(&m->extra[v], u - 1u);
            }
        }
        for (u = 0; u < m->nodes[v].n_args; u++) {
            m->extra[v].words[m->nodes[v].args[u] / 64u] &=
                ~((uint64_t)1u << (m->nodes[v].args[u] % 64u));
        }
    }
    for (v = 0; v < m->n; v++) {
        for (u = 0; u < v; u++) {
            if (reads(&m->nodes[v], u) || in_set(&m->extra[v], u)) {
                put(&m->users[u], v);
                m->above[v].words[0] |= m->above[u].words[0];
                m->above[v].words[1] |= m->above[u].words[1];
                put(&m->above[v], u);
            }
        }
    }
}

/* ---- regions ---- */

static int holds(const model *m, uint32_t column, uint32_t v)
{
    uint32_t p;
    for (p = 0; p < m->rows; p++) {
        if (m->region[column][p] == v) {
            return 1;
        }
    }
    return 0;
}

static int cyclic(const model *m, uint32_t column, uint32_t v)
{
    uint32_t u;
    for (u = 0; u < m->n; u++) {
        if (in_set(&m->users[v], u) && in_set(&m->above[m->region[column][0]], u) &&
            !holds(m, column, u)) {
            return 1;
        }
    }
    return 0;
}

/* The k-th of a region's queue: distinct inputs of its members, in the order in which they came. */
static uint32_t queued(const model *m, uint32_t column, uint32_t k)
{
    uint32_t p;
    uint32_t i;
    for (p = 0; p < m->rows; p++) {
        uint32_t n;
        const gsp_node *const in = gsp_node_inputs(m->g, m->region[column][p], &n);
        for (i = 0; i < n; i++) {
            if (k-- == 0u) {
                return in[i];
            }
        }
    }
    return GSP_NONE;
}

static void grow(model *m)
{
    uint32_t step;
    uint32_t at[NODES] = {0};
    for (step = 0;; step++) {
        uint32_t row[NODES] = {0};
        uint32_t i;
        uint32_t k;
        int ok = 1;
        for (i = 0; i < m->columns; i++) {
            row[i] = queued(m, i, at[i]);
            at[i] += row[i] != GSP_NONE ? 1u : 0u;
        }
        if (row[0] == GSP_NONE) {
            return;
        }
        for (i = 0; i < m->columns && ok; i++) {
            ok = row[i] != GSP_NONE && m->same[row[i]] != GSP_NONE &&
                 m->same[row[i]] == m->same[row[0]] && (i == 0u || !in_set(&m->claimed, row[i]));
            for (k = 0; k < i && ok; k++) {
                ok = row[k] != row[i];
            }
            ok = ok && !cyclic(m, i, row[i]);
        }
        for (i = 0; i < m->columns && ok; i++) {
            m->region[i][m->rows] = row[i];
            put(&m->claimed, row[i]);
        }
        m->rows += ok ? 1u : 0u;
        if (m->rows == NODES) {
            return;
        }
    }
}

static void remove_row(model *m, uint32_t p)
{
    uint32_t i;
    for (i = 0; i < m->columns; i++) {
        memmove(
            &m->region[i][p], &m->region[i][p + 1u], (m->rows - p - 1u) * sizeof(m->region[i][0]));
    }
    m->rows--;
}

/* Rows in graph order of region 0; what came later of the same first. */
static void sort_rows(model *m)
{
    uint32_t p;
    uint32_t k;
    uint32_t i;
    for (i = 0; i < m->columns; i++) { /* reversed first */
        for (p = 0; p < m->rows / 2u; p++) {
            uint32_t const x = m->region[i][p];
            m->region[i][p] = m->region[i][m->rows - 1u - p];
            m->region[i][m->rows - 1u - p] = x;
        }
    }
    for (p = 1; p < m->rows; p++) {
        for (k = p; k > 0u && m->region[0][k - 1u] > m->region[0][k]; k--) {
            for (i = 0; i < m->columns; i++) {
                uint32_t const x = m->region[i][k];
                m->region[i][k] = m->region[i][k - 1u];
                m->region[i][k - 1u] = x;
            }
        }
    }
}

static void give_up_getitems(model *m)
{
    uint32_t p = 0;
    while (p < m->rows) {
        uint32_t i;
        int given = 0;
        for (i = 0; i < m->columns; i++) {
            uint32_t const v = m->region[i][p];
            uint32_t n;
            const gsp_arg *const args = gsp_node_args(m->g, v, &n);
            given |= is_getitem(m, v) && n > 0u && args[0].kind == GSP_ARG_NODE &&
                     is_aggregate(m, args[0].value) && !holds(m, i, args[0].value);
        }
        if (given) {
            remove_row(m, p);
        } else {
            p++;
        }
    }
}

/* ---- replacing ---- */

static int is_outside(const model *m, uint32_t column, uint32_t v)
{
    return v >= m->n || !holds(m, column, v);
}

static int is_output(const model *m, uint32_t column, uint32_t v)
{
    uint32_t u;
    for (u = 0; u < m->n_all; u++) {
        if (m->nodes[u].alive && reads(&m->nodes[u], v) && is_outside(m, column, u)) {
            return 1;
        }
    }
    return 0;
}

static int stays(const model *m, uint32_t column, const uint32_t *outs)
{
    places fed;
    places made;
    uint32_t met[NODES * 4u];
    uint32_t n_met = 0;
    uint32_t p;
    uint32_t i;
    uint32_t k;
    memset(&fed, 0, sizeof(fed));
    for (p = 0; p < m->rows; p++) {
        if (!m->nodes[m->region[column][p]].alive || m->calls[m->region[column][p]] != GSP_NONE) {
            return 1;
        }
    }
    for (p = 0; p < m->rows; p++) {
        const node *const x = &m->nodes[m->region[column][p]];
        for (i = 0; i < x->n_args; i++) {
            for (k = 0; k < n_met && met[k] != x->args[i]; k++) {
            }
            if (!is_outside(m, column, x->args[i])) {
                for (k = p; k < m->rows; k++) { /* a body in this order would not run */
                    if (m->region[column][k] == x->args[i]) {
                        return 1;
                    }
                }
                continue;
            }
            if (k < n_met) {
                continue;
            }
            met[n_met++] = x->args[i];
            if (is_aggregate(m, x->args[i]) || meet(&fed, &m->nodes[x->args[i]].keys)) {
                return 1;
            }
            join(&fed, &m->nodes[x->args[i]].keys);
        }
    }
    made = fed;
    for (p = 0; p < m->rows; p++) {
        uint32_t const v = m->region[column][p];
        int aggregate;
        uint32_t const count = elements_of(m, v, &aggregate);
        if (meet(&fed, &m->wrote[v])) {
            return 1;
        }
        if (outs[p] != 0u) {
            if ((aggregate &&
                    (count == GSP_NONE || gsp_node_attr(m->g, v, GSP_KEY_ALIAS).data != NULL)) ||
                meet(&made, &m->nodes[v].keys)) {
                return 1;
            }
            join(&made, &m->nodes[v].keys);
        }
    }
    return 0;
}

static uint32_t row_of(const model *m, uint32_t column, uint32_t v)
{
    uint32_t p;
    for (p = m->rows; p > 0u; p--) {
        if (m->region[column][p - 1u] == v) {
            return p - 1u;
        }
    }
    return GSP_NONE;
}

static int same_wiring(const model *m, uint32_t a, uint32_t b)
{
    uint32_t from[NODES * 4u];
    uint32_t to[NODES * 4u];
    uint32_t n = 0;
    uint32_t p;
    uint32_t i;
    uint32_t k;
    for (p = 0; p < m->rows; p++) {
        const node *const x = &m->nodes[m->region[a][p]];
        const node *const y = &m->nodes[m->region[b][p]];
        if (x->n_args != y->n_args) {
            return 0;
        }
        for (i = 0; i < x->n_args; i++) {
            uint32_t const row = row_of(m, a, x->args[i]);
            if (row != row_of(m, b, y->args[i])) {
                return 0;
            }
            if (row != GSP_NONE) {
                continue;
            }
            for (k = 0; k < n; k++) {
                if ((from[k] == x->args[i]) != (to[k] == y->args[i])) {
                    return 0;
                }
            }
            from[n] = x->args[i];
            to[n++] = y->args[i];
        }
    }
    return 1;
}

/* Removes sources until none is left: what remains lies on or behind a cycle. */
static int has_cycle(const model *m)
{
    int done[NODES] = {0};
    int moved = 1;
    uint32_t u;
    uint32_t v;
    uint32_t w;
    while (moved) {
        moved = 0;
        for (v = 0; v < m->n; v++) {
            int ready = !done[v];
            for (w = 0; w < m->n && ready; w++) {
                for (u = 0; u < w && ready && m->unit[w] == m->unit[v]; u++) {
                    ready = done[u] || m->unit[u] == m->unit[v] || !in_set(&m->users[u], w);
                }
            }
            for (w = 0; w < m->n && ready; w++) {
                done[w] |= m->unit[w] == m->unit[v];
                moved = 1;
            }
        }
    }
    for (v = 0; v < m->n; v++) {
        if (!done[v]) {
            return 1;
        }
    }
    return 0;
}

static uint32_t new_node(model *m, const char *base, uint32_t number)
{
    node *const x = &m->nodes[m->n_all];
    x->alive = 1;
    if (number == 0u) {
        snprintf(x->name, sizeof(x->name), "%s", base);
    } else {
        snprintf(x->name, sizeof(x->name), "%s_%u", base, (unsigned)number);
    }
    return m->n_all++;
}

static void add_line(
    t_string *s, const model *m, const char *name, const uint32_t *args, uint32_t n)
{
    uint32_t i;
    t_puts(s, name);
    t_puts(s, " <");
    for (i = 0; i < n; i++) {
        t_puts(s, " ");
        t_puts(s, m->nodes[args[i]].name);
    }
    t_puts(s, "\n");
}

/* Inputs of the first region, as pairs of row and argument. */
static uint32_t find_inputs(const model *m, uint32_t first, uint32_t *rows, uint32_t *args)
{
    uint32_t n = 0;
    uint32_t p;
    uint32_t i;
    uint32_t k;
    for (p = 0; p < m->rows; p++) {
        const node *const x = &m->nodes[m->region[first][p]];
        for (i = 0; i < x->n_args; i++) {
            for (k = 0; k < n; k++) {
                if (m->nodes[m->region[first][rows[k]]].args[args[k]] == x->args[i]) {
                    break;
                }
            }
            if (k == n && is_outside(m, first, x->args[i])) {
                rows[n] = p;
                args[n++] = i;
            }
        }
    }
    return n;
}

static void add_body(model *m, uint32_t first, uint32_t n_inputs, const uint32_t *rows,
    const uint32_t *args, const uint32_t *outs)
{
    t_string *const s = &m->bodies;
    uint32_t n_getitems = 0;
    uint32_t p;
    uint32_t i;
    for (i = 0; i < n_inputs; i++) {
        t_puts(s, "subgraph_input_");
        t_puts(s, m->nodes[m->nodes[m->region[first][rows[i]]].args[args[i]]].name);
        t_puts(s, " <\n");
    }
    for (p = 0; p < m->rows; p++) {
        const node *const x = &m->nodes[m->region[first][p]];
        t_puts(s, x->name);
        t_puts(s, " <");
        for (i = 0; i < x->n_args; i++) {
            t_puts(s, is_outside(m, first, x->args[i]) ? " subgraph_input_" : " ");
            t_puts(s, m->nodes[x->args[i]].name);
        }
        t_puts(s, "\n");
    }
    for (p = 0; p < m->rows; p++) { /* its own getitems have other names in these cases */
        int aggregate;
        uint32_t const k = elements_of(m, m->region[first][p], &aggregate);
        for (i = 0; i < k && outs[p] != 0u && aggregate; i++, n_getitems++) {
            t_puts(s, "getitem");
            if (n_getitems > 0u) {
                t_puts(s, "_");
                t_number(s, n_getitems);
            }
            t_puts(s, " < ");
            t_puts(s, m->nodes[m->region[first][p]].name);
            t_puts(s, "\n");
        }
    }
    t_puts(s, "return\n");
}

/* Every argument v becomes those of `by`. */
static void replace_uses(model *m, uint32_t v, const uint32_t *by, uint32_t n, uint32_t column)
{
    uint32_t u;
    for (u = 0; u < m->n_all; u++) {
        node *const x = &m->nodes[u];
        uint32_t made[ARGS];
        uint32_t k = 0;
        uint32_t i;
        uint32_t e;
        if (!x->alive || !reads(x, v) || (column != GSP_NONE && !is_outside(m, column, u))) {
            continue;
        }
        for (i = 0; i < x->n_args; i++) {
            for (e = 0; e < (x->args[i] == v ? n : 1u); e++) {
                made[k++] = x->args[i] == v ? by[e] : x->args[i];
            }
        }
        memcpy(x->args, made, k * sizeof(*made));
        x->n_args = k;
    }
}

static void go(model *m, uint32_t v, uint32_t call)
{
    m->nodes[v].alive = 0;
    if (v < m->n) {
        m->now[v] = call;
    }
}

static void replace_output(model *m, uint32_t column, uint32_t v, uint32_t call)
{
    int aggregate;
    uint32_t const k = elements_of(m, v, &aggregate);
    uint32_t items[PLACES];
    uint32_t n = aggregate ? k : 1u;
    uint32_t e;
    uint32_t u;
    for (e = 0; e < n; e++) {
        items[e] = new_node(m, "getitem", m->n_items++);
        m->nodes[items[e]].args[0] = call;
        m->nodes[items[e]].n_args = 1;
        m->nodes[items[e]].keys = m->nodes[v].keys;
        if (aggregate) {
            uint32_t const bit = v * PLACES + e;
            memset(&m->nodes[items[e]].keys, 0, sizeof(places));
            m->nodes[items[e]].keys.words[bit / 64u] |= (uint64_t)1u << (bit % 64u);
        }
    }
    for (u = 0; u < m->n && aggregate; u++) {
        e = gsp_node_element(m->g, u);
        if (m->nodes[u].alive && e != GSP_NONE && reads(&m->nodes[u], v) &&
            is_outside(m, column, u)) {
            replace_uses(m, u, &items[e], 1, GSP_NONE);
            go(m, u, call);
            memset(&m->extra[u], 0, sizeof(set));
        }
    }
    replace_uses(m, v, items, n, column);
}

static void replace_region(model *m, uint32_t column, uint32_t holder, uint32_t n_inputs,
    const uint32_t *rows, const uint32_t *args, const uint32_t *outs)
{
    uint32_t const call = new_node(m, "invoke_subgraph", m->n_calls++);
    node *const x = &m->nodes[call];
    uint32_t i;
    uint32_t p;
    x->args[x->n_args++] = holder;
    for (i = 0; i < n_inputs; i++) {
        x->args[x->n_args++] = m->nodes[m->region[column][rows[i]]].args[args[i]];
    }
    for (p = 0; p < m->rows; p++) {
        uint32_t const v = m->region[column][p];
        for (i = 0; i < m->n; i++) {
            if (in_set(&m->extra[v], i) && is_outside(m, column, i)) {
                put(&m->extra[call], i);
            }
        }
    }
    for (p = 0; p < m->rows; p++) {
        if (outs[p] != 0u) {
            replace_output(m, column, m->region[column][p], call);
        }
    }
    for (p = 0; p < m->rows; p++) {
        go(m, m->region[column][p], call);
    }
}

static void replace_group(model *m)
{
    uint32_t outs[NODES] = {0};
    uint32_t take[NODES];
    uint32_t rows[NODES * 4u];
    uint32_t args[NODES * 4u];
    uint32_t unit[NODES];
    uint32_t n = 0;
    uint32_t n_inputs = 0;
    uint32_t i;
    uint32_t p;
    for (i = 0; i < m->columns; i++) {
        for (p = 0; p < m->rows; p++) {
            outs[p] |= is_output(m, i, m->region[i][p]) ? 1u : 0u;
        }
    }
    for (i = 0; i < m->columns; i++) {
        if (stays(m, i, outs) || (n > 0u && !same_wiring(m, take[0], i))) {
            continue;
        }
        memcpy(unit, m->unit, sizeof(unit));
        for (p = 0; p < m->rows; p++) {
            m->unit[m->region[i][p]] = m->region[i][0];
        }
        if (has_cycle(m)) {
            memcpy(m->unit, unit, sizeof(unit));
            continue;
        }
        take[n++] = i;
        for (p = 0; p < m->rows; p++) {
            m->calls[m->region[i][p]] = 1;
        }
    }
    if (n > 0u) {
        n_inputs = find_inputs(m, take[0], rows, args);
    }
    if (n < 2u || n_inputs == 0u) {
        for (i = 0; i < n; i++) {
            for (p = 0; p < m->rows; p++) {
                m->calls[m->region[take[i]][p]] = GSP_NONE;
                m->unit[m->region[take[i]][p]] = m->region[take[i]][p];
            }
        }
        return;
    }
    add_body(m, take[0], n_inputs, rows, args, outs);
    m->holders[m->n_holders] = new_node(m, "subgraph", 0);
    snprintf(m->nodes[m->holders[m->n_holders]].name, 64, "subgraph_%u", (unsigned)m->n_holders);
    for (i = 0; i < n; i++) {
        for (p = 0; p < m->rows; p++) {
            t_puts(&m->report, m->nodes[m->region[take[i]][p]].name);
            t_puts(&m->report, p + 1u < m->rows ? " " : "\n");
        }
        replace_region(m, take[i], m->holders[m->n_holders], n_inputs, rows, args, outs);
    }
    m->n_holders++;
}

/* ---- the order ---- */

/* What x still waits for: the last of its arguments and then of its extra nodes, by place. */
static uint32_t missing(const model *m, uint32_t x, const int *done, const uint32_t *place)
{
    uint32_t best = GSP_NONE;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < m->n; i++) {
        uint32_t const d = m->now[i] != GSP_NONE ? m->now[i] : i;
        if (in_set(&m->extra[x], i) && d != x && !done[d] && !reads(&m->nodes[x], d) &&
            (best == GSP_NONE || place[d] > place[best])) {
            best = d;
        }
    }
    if (best != GSP_NONE) {
        return best;
    }
    for (i = m->nodes[x].n_args; i > 0u; i--) {
        uint32_t const a = m->nodes[x].args[i - 1u];
        for (k = 0; k + 1u < i && m->nodes[x].args[k] != a; k++) {
        }
        if (k + 1u == i && !done[a]) { /* where it stands first */
            return a;
        }
    }
    return GSP_NONE;
}

static void print_order(const model *m, t_string *s)
{
    uint32_t list[ALL];
    uint32_t place[ALL];
    uint32_t pending[ALL];
    uint32_t on[ALL];
    uint32_t began[ALL];
    int done[ALL] = {0};
    uint32_t n = 0;
    uint32_t depth = 0;
    uint32_t clock = 0;
    uint32_t i;
    for (i = m->n_holders; i > 0u; i--) {
        list[n++] = m->holders[i - 1u];
    }
    for (i = 0; i < m->n_all; i++) {
        int holder = 0;
        uint32_t k;
        for (k = 0; k < m->n_holders; k++) {
            holder |= m->holders[k] == i;
        }
        if (m->nodes[i].alive && !holder && i + 1u != m->n) {
            list[n++] = i;
        }
    }
    for (i = 0; i < n; i++) {
        place[list[i]] = i;
        on[list[i]] = GSP_NONE;
    }
    for (i = n; i > 0u; i--) {
        pending[depth++] = list[i - 1u];
    }
    while (depth > 0u) {
        uint32_t const x = pending[--depth];
        uint32_t latest;
        on[x] = missing(m, x, done, place);
        began[x] = clock++;
        if (on[x] != GSP_NONE) {
            continue;
        }
        done[x] = 1;
        add_line(s, m, m->nodes[x].name, m->nodes[x].args, m->nodes[x].n_args);
        do { /* the last that began to wait goes to the bottom */
            latest = GSP_NONE;
            for (i = 0; i < n; i++) {
                if (on[list[i]] == x && (latest == GSP_NONE || began[list[i]] > began[latest])) {
                    latest = list[i];
                }
            }
            if (latest != GSP_NONE) {
                on[latest] = GSP_NONE;
                pending[depth++] = latest;
            }
        } while (latest != GSP_NONE);
    }
    add_line(s, m, "return", m->nodes[m->n - 1u].args, m->nodes[m->n - 1u].n_args);
}

static void run_model(model *m, t_string *order)
{
    uint32_t root;
    uint32_t v;
    memset(m->now, 0xFF, sizeof(m->now));
    memset(m->calls, 0xFF, sizeof(m->calls));
    for (v = 0; v < NODES; v++) {
        m->unit[v] = v;
    }
    find_extra(m);
    {
        /* all groups are grown before any is replaced */
        static uint32_t kept[NODES][NODES][NODES];
        uint32_t rows[NODES];
        uint32_t columns[NODES];
        uint32_t n = 0;
        for (root = m->n; root > 0u; root--) {
            if (m->same[root - 1u] != root - 1u) {
                continue;
            }
            m->columns = 0;
            m->rows = 1;
            for (v = 0; v < m->n; v++) {
                if (m->same[v] == root - 1u) {
                    m->region[m->columns++][0] = v;
                }
            }
            if (m->columns < 2u) {
                continue;
            }
            grow(m);
            sort_rows(m);
            give_up_getitems(m);
            if (m->rows > 1u) {
                rows[n] = m->rows;
                columns[n] = m->columns;
                for (v = 0; v < m->columns; v++) {
                    memcpy(kept[n][v], m->region[v], m->rows * sizeof(uint32_t));
                }
                n++;
            }
        }
        m->n_groups = n;
        for (root = 0; root < n; root++) {
            m->rows = rows[root];
            m->columns = columns[root];
            for (v = 0; v < m->columns; v++) {
                memcpy(m->region[v], kept[root][v], m->rows * sizeof(uint32_t));
            }
            replace_group(m);
        }
    }
    print_order(m, order);
}

/* ---- the library's answer in the same form ---- */

static void print_graph(const gsp_graph *g, t_string *s, int with_return)
{
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        gsp_str const name = gsp_node_name(g, v);
        uint32_t n;
        uint32_t i;
        const gsp_arg *const args = gsp_node_args(g, v, &n);
        if (v + 1u < g->n_nodes) {
            t_add(s, name.data, name.size);
        } else {
            t_puts(s, "return");
        }
        if (v + 1u == g->n_nodes && !with_return) {
            t_puts(s, "\n");
            return;
        }
        t_puts(s, " <");
        for (i = 0; i < n; i++) {
            if (args[i].kind == GSP_ARG_NODE) {
                gsp_str const a = gsp_node_name(g, args[i].value);
                t_puts(s, " ");
                t_add(s, a.data, a.size);
            }
        }
        t_puts(s, "\n");
    }
}

static void print_regions(const gsp_graph *g, const gsp_dedup_result *r, t_string *s)
{
    uint32_t k;
    uint32_t c;
    uint32_t p;
    for (k = 0; k < r->selection.n_subgraphs; k++) {
        uint32_t const group = r->selection.group_of[k];
        uint32_t const columns = r->regions.group_regions[group];
        uint32_t const begin = r->regions.group_begin[group];
        uint32_t const rows = (r->regions.group_begin[group + 1u] - begin) / columns;
        for (c = r->selection.call_begin[k]; c < r->selection.call_begin[k + 1u]; c++) {
            for (p = 0; p < rows; p++) {
                gsp_str const name = gsp_node_name(
                    g, r->regions.members[begin + p * columns + r->selection.region_of[c]]);
                t_add(s, name.data, name.size);
                t_puts(s, p + 1u < rows ? " " : "\n");
            }
        }
    }
}

static void compare(const char *what, const t_string *a, const t_string *b, const char *text)
{
    if (!T_STRING(a->data != NULL ? a->data : "", b->data != NULL ? b->data : "")) {
        printf("%s of\n%s", what, text);
    }
}

/* ---- random layered graphs with noise ---- */

typedef struct maker {
    t_rng *rng;
    t_string text;
    uint32_t n;
    char values[NODES][16];
    uint32_t kinds[NODES]; /* 0 for a tensor, k for an aggregate of k */
    uint32_t n_values;
    int keys;
} maker;

static void put_node(maker *k, const char *target, const char *args, const char *type,
    const char *notes, uint32_t kind)
{
    char line[400];
    snprintf(k->values[k->n_values], 16, "n%u", (unsigned)k->n++);
    snprintf(line, sizeof(line),
        "    %%%s : [num_users=0] = call_function[target=%s](args = (%s), "
        "kwargs = {})  # %s%s\n",
        k->values[k->n_values], target, args, type, notes);
    k->kinds[k->n_values++] = kind;
    t_puts(&k->text, line);
}

static const char *some_tensor(maker *k, uint32_t window)
{
    uint32_t tries;
    for (tries = 0; tries < 20u; tries++) {
        uint32_t const low = k->n_values > window ? k->n_values - window : 0u;
        uint32_t const v = low + t_below(k->rng, k->n_values - low);
        if (k->kinds[v] == 0u) {
            return k->values[v];
        }
    }
    return k->values[0];
}

/* One node of a layer; `what` decides its operator, noise what differs between layers. */
static void put_step(maker *k, uint32_t what, const char *h, const char *prev, int noise)
{
    static const char *const states[] = {"", " state=a", " state=b"};
    char args[128];
    char notes[64] = "";
    const char *const other = noise && t_chance(k->rng, 50) ? some_tensor(k, 40) : h;
    if (k->keys) {
        snprintf(notes, sizeof(notes), " key=k%u", (unsigned)what);
    }
    if (noise && t_chance(k->rng, 10)) {
        strcat(notes, states[t_below(k->rng, 3)]);
    }
    switch (what % 10u) {
    case 0:
        snprintf(args, sizeof(args), "%%%s, %%%s", prev, other);
        put_node(k, "torch.add", args, "f32[4]", notes, 0);
        break;
    case 1:
        snprintf(args, sizeof(args), "%%%s, %u", prev, noise ? (unsigned)t_below(k->rng, 3) : 1u);
        put_node(k, "torch.mul", args, "f32[4]", notes, 0);
        break;
    case 2:
        snprintf(args, sizeof(args), "[%%%s, %%%s], (%%%s, 0)", prev, other, h);
        put_node(k, "torch.cat", args, "f32[4]", notes, 0);
        break;
    case 3:
        snprintf(args, sizeof(args), "%%%s", prev);
        strcat(notes, noise && t_chance(k->rng, 50) ? " mutates=0" : " mutates=0 alias=0");
        put_node(k, "torch.add_", args, "f32[4]", notes, 0);
        break;
    case 4:
        snprintf(args, sizeof(args), "%%%s, 4", prev);
        strcat(notes, " alias=0");
        put_node(k, "torch.view", args, "f32[4]", notes, 0);
        break;
    case 5:
        snprintf(args, sizeof(args), "%%%s, 2", prev);
        put_node(k, "torch.split", args,
            t_chance(k->rng, 90) ? "tuple(f32[4], f32[4], f32[2])" : "list(f32[4], f32[4])", notes,
            2);
        snprintf(args, sizeof(args), "%%%s, %d", k->values[k->n_values - 1u],
            t_chance(k->rng, 80) ? 0 : -1);
        put_node(k, "operator.getitem", args, "f32[4]", "", 0);
        if (t_chance(k->rng, 50)) {
            snprintf(args, sizeof(args), "%%%s, 1", k->values[k->n_values - 2u]);
            put_node(k, "operator.getitem", args, "f32[4]", "", 0);
        }
        if (noise && t_chance(k->rng, 30)) {
            snprintf(args, sizeof(args), "%%%s, 0", k->values[k->n_values - 2u]);
            put_node(k, "torch.stack", args, "f32[4]", "", 0);
        }
        break;
    case 6:
        if (noise && t_chance(k->rng, 40)) {
            put_node(k, "torch.enter", "", "none", " barrier=1", 9);
        }
        snprintf(args, sizeof(args), "%%%s", prev);
        put_node(k, "torch.relu", args, "f32[4]", notes, 0);
        break;
    case 7:
        snprintf(args, sizeof(args), "%%%s, %%%s, %%%s", other, prev, h);
        put_node(k, "torch.addcmul", args, "f32[4]", notes, 0);
        break;
    case 8:
        if (noise && t_chance(k->rng, 40)) {
            snprintf(args, sizeof(args), "%%%s, 1", some_tensor(k, 60));
            put_node(k, "torch.fill_", args, "f32[4]", " mutates=0", 0);
        }
        snprintf(args, sizeof(args), "%%%s, %%%s", prev, prev);
        put_node(k, "torch.mul", args, "f32[4]", notes, 0);
        break;
    default:
        snprintf(args, sizeof(args), "%%%s", prev);
        put_node(k, "torch.relu", args, "f32[4]", notes, 0);
        break;
    }
}

static void make_text(maker *k)
{
    uint32_t const layers = 2u + t_below(k->rng, 3);
    uint32_t const steps = 2u + t_below(k->rng, 6);
    uint32_t const noise = t_below(k->rng, 4) * 12u;
    uint32_t const kinds = t_chance(k->rng, 50) ? 3u : 10u;
    uint32_t what[8];
    char h[16] = "x";
    char line[160];
    uint32_t i;
    uint32_t l;
    k->keys = t_chance(k->rng, 50);
    t_puts(&k->text, "graph():\n");
    for (i = 0; i < 3u; i++) {
        static const char *const names[] = {"x", "w", "v"};
        snprintf(line, sizeof(line), "    %%%s : [num_users=0] = %s  # f32[4]%s\n", names[i],
            i == 0u   ? "placeholder[target=x]"
            : i == 1u ? "get_attr[target=w]"
                      : "get_attr[target=v]",
            i != 0u && noise > 24u ? " storage=s" : "");
        t_puts(&k->text, line);
        snprintf(k->values[k->n_values], 16, "%s", names[i]);
        k->kinds[k->n_values++] = 0;
    }
    for (i = 0; i < steps; i++) {
        what[i] = t_below(k->rng, kinds);
    }
    for (l = 0; l < layers; l++) {
        for (i = 0; i < steps && k->n < 70u; i++) {
            int const odd = t_chance(k->rng, noise);
            char prev[16];
            const char *const pick = i == 0u ? h
                                     : odd   ? some_tensor(k, 30)
                                             : some_tensor(k, 1u + t_below(k->rng, 2));
            snprintf(prev, sizeof(prev), "%s", pick);
            put_step(k, odd && t_chance(k->rng, 40) ? t_below(k->rng, 10) : what[i], h, prev, odd);
        }
        snprintf(h, sizeof(h), "%s", some_tensor(k, 2));
    }
    t_puts(&k->text, "    return (");
    t_puts(&k->text, h);
    for (i = 0; i < 3u; i++) {
        t_puts(&k->text, ", ");
        t_puts(&k->text, k->values[t_below(k->rng, k->n_values)]);
    }
    t_puts(&k->text, ")\n");
}

t_string oracle_dedup_text(t_rng *rng)
{
    maker k;
    memset(&k, 0, sizeof(k));
    k.rng = rng;
    make_text(&k);
    return k.text;
}

/* ---- one graph by both ---- */

static uint32_t n_replaced;

static void check_graph(const char *text, uint32_t hash_bits, int run)
{
    static model m;
    gsp_arena arena;
    gsp_module module;
    gsp_graph graph;
    gsp_arena work;
    gsp_dedup_desc desc;
    gsp_dedup_result result;
    gsp_error err;
    t_string wanted = {0};
    t_string made = {0};
    t_string bodies = {0};
    t_string regions = {0};
    uint32_t i;
    if (!t_must_read(&arena, text, &module)) {
        return;
    }
    graph = gsp_module_graph(&module, 0);
    memset(&desc, 0, sizeof(desc));
    desc.hash_bits = hash_bits;
    t_arena_open(&work, gsp_dedup_bound(&graph, &desc));
    open_nodes(&m, &graph);
    run_model(&m, &wanted);
    if (!T_EQUAL(gsp_dedup_run(&work, &graph, &desc, &result, &err), GSP_OK)) {
        printf("%s\n%s", gsp_detail_text(err.detail), text);
    } else {
        gsp_graph const root = gsp_module_graph(&result.module, 0);
        print_graph(&root, &made, 1);
        for (i = 0; i < result.selection.n_subgraphs; i++) {
            gsp_graph const body = gsp_module_graph(&result.module, i + 1u);
            print_graph(&body, &bodies, 0);
        }
        print_regions(&graph, &result, &regions);
        n_replaced += result.selection.n_subgraphs > 0u ? 1u : 0u;
        T_EQUAL(result.regions.n_groups, m.n_groups);
        compare("regions", &regions, &m.report, text);
        compare("the root", &made, &wanted, text);
        compare("bodies", &bodies, &m.bodies, text);
        if (run && result.selection.n_subgraphs > 0u) {
            (void)oracle_run_equal(&module, &result.module, NULL);
        }
    }
    t_free(&wanted);
    t_free(&made);
    t_free(&bodies);
    t_free(&regions);
    t_free(&m.bodies);
    t_free(&m.report);
    t_arena_close(&work);
    t_arena_close(&arena);
}

static void test_random(void)
{
    t_rng rng;
    uint32_t const rounds = t_fast ? 300u : 20000u;
    uint32_t i;
    rng.state = t_seed;
    n_replaced = 0;
    for (i = 0; i < rounds && !t_failed(); i++) {
        t_string text = oracle_dedup_text(&rng);
        check_graph(text.data, i % 3u == 0u ? 1u + t_below(&rng, 3) : 0u, i % 8u == 0u);
        t_free(&text);
    }
    T_CHECK(n_replaced > rounds / 20u); /* the cases are worth their time */
}

/* Two nodes that two regions share, regions that wait for each other, an input used twice. */
static void test_shapes(void)
{
    check_graph(
        "graph():\n"
        "    %x : [num_users=0] = placeholder[target=x]  # f32[4]\n"
        "    %y : [num_users=0] = placeholder[target=y]  # f32[4]\n"
        "    %z : [num_users=0] = placeholder[target=z]  # f32[4]\n"
        "    %a : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4]\n"
        "    %b : [num_users=0] = call_function[target=f](args = (%y,), kwargs = {})  # f32[4]\n"
        "    %c : [num_users=0] = call_function[target=f](args = (%z,), kwargs = {})  # f32[4]\n"
        "    %r : [num_users=0] = call_function[target=g](args = (%a, %b), kwargs = {})  # f32[4]\n"
        "    %s : [num_users=0] = call_function[target=g](args = (%b, %c), kwargs = {})  # f32[4]\n"
        "    return (r, s)\n",
        0, 1);
    check_graph(
        "graph():\n"
        "    %x : [num_users=0] = placeholder[target=x]  # f32[4]\n"
        "    %a : [num_users=0] = call_function[target=f](args = (%x, 1), kwargs = {})  # f32[4]\n"
        "    %b : [num_users=0] = call_function[target=h](args = (%x, 1), kwargs = {})  # f32[4]\n"
        "    %c : [num_users=0] = call_function[target=g](args = (%a, %b), kwargs = {})  # f32[4]\n"
        "    %d : [num_users=0] = call_function[target=k](args = (%b, %a), kwargs = {})  # f32[4]\n"
        "    %e : [num_users=0] = call_function[target=f](args = (%c, 1), kwargs = {})  # f32[4]\n"
        "    %i : [num_users=0] = call_function[target=h](args = (%d, 1), kwargs = {})  # f32[4]\n"
        "    %j : [num_users=0] = call_function[target=g](args = (%e, %i), kwargs = {})  # f32[4]\n"
        "    %l : [num_users=0] = call_function[target=k](args = (%i, %e), kwargs = {})  # f32[4]\n"
        "    return (j, l)\n",
        0, 1);
    /* one node for two regions, neither of them the first */
    check_graph(
        "graph():\n"
        "    %x : [num_users=0] = placeholder[target=x]  # f32[4]\n"
        "    %y : [num_users=0] = placeholder[target=y]  # f32[4]\n"
        "    %z : [num_users=0] = placeholder[target=z]  # f32[4]\n"
        "    %a : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4]\n"
        "    %b : [num_users=0] = call_function[target=f](args = (%y,), kwargs = {})  # f32[4]\n"
        "    %c : [num_users=0] = call_function[target=g](args = (%a, %z), kwargs = {})  # f32[4]\n"
        "    %d : [num_users=0] = call_function[target=g](args = (%b, %z), kwargs = {})  # f32[4]\n"
        "    %e : [num_users=0] = call_function[target=g](args = (%b, %x), kwargs = {})  # f32[4]\n"
        "    return (c, d, e)\n",
        0, 1);
    /* elements of one aggregate in three regions, of which only the first holds it */
    check_graph(
        "graph():\n"
        "    %x : [num_users=0] = placeholder[target=x]  # f32[4]\n"
        "    %s : [num_users=0] = call_function[target=s](args = (%x,), kwargs = {})  # "
        "tuple(f32[4], f32[4])\n"
        "    %r : [num_users=0] = call_function[target=s](args = (%x,), kwargs = {})  # "
        "tuple(f32[4], f32[4])\n"
        "    %r2 : [num_users=0] = call_function[target=s](args = (%x,), kwargs = {})  # "
        "tuple(f32[4], f32[4])\n"
        "    %t : [num_users=0] = call_function[target=h](args = (%s,), kwargs = {})  # f32[4]\n"
        "    %u : [num_users=0] = call_function[target=h](args = (%r,), kwargs = {})  # f32[4]\n"
        "    %u2 : [num_users=0] = call_function[target=h](args = (%r2,), kwargs = {})  # f32[4]\n"
        "    %g : [num_users=0] = call_function[target=operator.getitem](args = (%s, 0), kwargs = "
        "{})  # f32[4]\n"
        "    %i : [num_users=0] = call_function[target=operator.getitem](args = (%s, 0), kwargs = "
        "{})  # f32[4]\n"
        "    %i2 : [num_users=0] = call_function[target=operator.getitem](args = (%s, 0), kwargs = "
        "{})  # f32[4]\n"
        "    %a : [num_users=0] = call_function[target=f](args = (%t, %g), kwargs = {})  # f32[4]\n"
        "    %b : [num_users=0] = call_function[target=f](args = (%u, %i), kwargs = {})  # f32[4]\n"
        "    %b2 : [num_users=0] = call_function[target=f](args = (%u2, %i2), kwargs = {})  # "
        "f32[4]\n"
        "    return (a, b, b2)\n",
        0, 1);
}

/* Blocks of two pairs of nodes (a, d) and (c, e); in odd blocks each pair waits for the other, so
 * that only one of them may become a call. */
static void test_knots(void)
{
    uint32_t odd;
    for (odd = 0; odd < 16u; odd++) {
        t_string text = {0};
        char line[512];
        uint32_t i;
        t_puts(&text, "graph():\n    %x : [num_users=0] = placeholder[target=x]  # f32[4]\n"
                      "    %y : [num_users=0] = placeholder[target=y]  # f32[4]\n");
        for (i = 0; i < 4u; i++) {
            int const o = (int)((odd >> i) & 1u);
            unsigned const k = (unsigned)i;
            char a[16] = "y";
            char c[16] = "y";
            if (o) {
                snprintf(a, sizeof(a), "a%u", k);
                snprintf(c, sizeof(c), "c%u", k);
            }
            snprintf(line, sizeof(line),
                "    %%p%u : [num_users=0] = call_function[target=roll](args = (%%x, %u), "
                "kwargs = {})  # f32[4]\n"
                "    %%a%u : [num_users=0] = call_function[target=sin](args = (%%p%u,), "
                "kwargs = {})  # f32[4]\n"
                "    %%c%u : [num_users=0] = call_function[target=cos](args = (%%p%u,), "
                "kwargs = {})  # f32[4]\n",
                k, k, k, k, k, k);
            t_puts(&text, line);
            snprintf(line, sizeof(line),
                "    %%d%u : [num_users=0] = call_function[target=mul](args = (%%a%u, %%%s), "
                "kwargs = {})  # f32[4]\n"
                "    %%e%u : [num_users=0] = call_function[target=sub](args = (%%c%u, %%%s), "
                "kwargs = {})  # f32[4]\n",
                k, k, c, k, k, a);
            t_puts(&text, line);
        }
        t_puts(&text, "    return (d0, e0, d1, e1, d2, e2, d3, e3)\n");
        check_graph(text.data, 0, 1);
        t_free(&text);
    }
}

void oracle_check_dedup(const gsp_module *module)
{
    gsp_graph const graph = gsp_module_graph(module, 0);
    gsp_dedup_desc desc;
    gsp_dedup_result result[2];
    gsp_arena arena[2];
    gsp_error err;
    uint32_t i;
    memset(&desc, 0, sizeof(desc));
    for (i = 0; i < 2u; i++) {
        desc.hash_bits = i == 0u ? 0u : 8u;
        t_arena_open(&arena[i], gsp_dedup_bound(&graph, &desc));
        if (!T_EQUAL(gsp_dedup_run(&arena[i], &graph, &desc, &result[i], &err), GSP_OK)) {
            printf("%s\n", gsp_detail_text(err.detail));
        }
    }
    if (!t_failed()) {
        T_CHECK(t_module_equal(&result[0].module, &result[1].module));
        (void)oracle_run_equal(module, &result[0].module, NULL);
    }
    t_arena_close(&arena[1]);
    t_arena_close(&arena[0]);
}

void suite_oracle_dedup(void)
{
    t_run("shapes", test_shapes);
    t_run("knots", test_knots);
    t_run("random", test_random);
}
