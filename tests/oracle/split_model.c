/* The splitter said slowly: sets of nodes as bits of a word, every rule applied until nothing
 * changes. */
#include "tests/oracle/oracle.h"

typedef uint64_t set;

typedef struct model {
    const oracle_case *c;
    oracle_result *r;
    set users[ORACLE_NODES];
    set below[ORACLE_NODES]; /* the node and everything that waits for it */
    set above[ORACLE_NODES]; /* the node and everything that it waits for */
    set mates[ORACLE_NODES]; /* the atomic group, the node included */
    set groups[2u * ORACLE_NODES];
    uint32_t n_groups;
} model;

static set bit(uint32_t v)
{
    return (set)1 << v;
}

static int has(set s, uint32_t v)
{
    return (int)(s >> v & 1u);
}

static uint32_t size_of(set s)
{
    uint32_t n = 0;
    for (; s != 0u; s &= s - 1u) {
        n++;
    }
    return n;
}

static int is_other(const model *m, uint32_t v)
{
    return m->c->out[v] == GSP_VALUE_OTHER;
}

static void set_up(model *m)
{
    uint32_t v;
    uint32_t u;
    for (v = 0; v < m->c->n; v++) {
        m->above[v] = bit(v);
        m->mates[v] = bit(v);
        for (u = 0; u < m->c->n; u++) {
            if (has(m->c->in[v], u)) {
                m->users[u] |= bit(v);
                m->above[v] |= m->above[u];
            }
            if (m->c->group[u] != ORACLE_ALONE && m->c->group[u] == m->c->group[v]) {
                m->mates[v] |= bit(u);
            }
        }
    }
    for (v = 0; v < m->c->n; v++) {
        for (u = 0; u < m->c->n; u++) {
            if (has(m->above[u], v)) {
                m->below[v] |= bit(u);
            }
        }
    }
}

static int one_kind(const model *m, set s)
{
    uint32_t v;
    int kind = -1;
    for (v = 0; v < m->c->n; v++) {
        if (has(s, v)) {
            if (kind >= 0 && kind != m->r->kind[v]) {
                return 0;
            }
            kind = m->r->kind[v];
        }
    }
    return 1;
}

static void to_cpu(model *m, set s, uint8_t why)
{
    uint32_t v;
    for (v = 0; v < m->c->n; v++) {
        if (has(s, v) && m->r->kind[v] != 0u) {
            m->r->kind[v] = 0;
            m->r->left[v] = why;
        }
    }
}

/* Does a non-tensor value cross between v and something of another kind? */
static int crosses(const model *m, uint32_t v)
{
    uint32_t u;
    int const tensor = m->c->out[v] == GSP_VALUE_TENSOR;
    for (u = 0; u < m->c->n; u++) {
        if (m->r->kind[u] != m->r->kind[v] &&
            ((has(m->c->in[v], u) && m->c->out[u] != GSP_VALUE_TENSOR) ||
                (has(m->users[v], u) && !tensor))) {
            return 1;
        }
    }
    return !tensor && has(m->c->returned, v);
}

/* Atomic groups that are not wholly on one accelerator go to the CPU. */
static void place_groups(model *m)
{
    uint32_t v;
    for (v = 0; v < m->c->n; v++) {
        if (!one_kind(m, m->mates[v])) {
            to_cpu(m, m->mates[v], 2);
        }
    }
}

/* The greatest set of accelerator nodes in which no non-tensor value crosses. */
static void accelerator_nodes(model *m)
{
    uint32_t v;
    int changed;
    do {
        changed = 0;
        for (v = 0; v < m->c->n && !m->c->allow_non_tensor; v++) {
            if (m->r->kind[v] != 0u && crosses(m, v)) {
                to_cpu(m, m->mates[v], 1);
                changed = 1;
            }
        }
    } while (changed);
}

/* With every node on a path between two members, and whole atomic groups. */
static set between(const model *m, set s)
{
    set more = s;
    do {
        uint32_t v;
        set down = 0;
        set up = 0;
        s = more;
        for (v = 0; v < m->c->n; v++) {
            if (has(s, v)) {
                down |= m->below[v];
                up |= m->above[v];
                more |= m->mates[v];
            }
        }
        more |= down & up;
    } while (more != s);
    return s;
}

/* A fusion group: closed under readers of a member without tensor metadata, inputs without it,
 * paths. */
static set fused(const model *m, set s)
{
    set more = s;
    do {
        uint32_t v;
        uint32_t u;
        s = more;
        for (v = 0; v < m->c->n && !m->c->skip_fusion; v++) {
            if (has(s, v)) {
                more |= is_other(m, v) ? m->users[v] : 0u;
                for (u = 0; u < v; u++) {
                    more |= has(m->c->in[v], u) && is_other(m, u) ? bit(u) : 0u;
                }
            }
        }
        more = between(m, more);
    } while (more != s);
    return s;
}

/* A group that holds CPU nodes by right: only what its accelerator nodes carry along is fused. */
static set closed(const model *m, set s)
{
    set more = s;
    do {
        uint32_t v;
        s = more;
        for (v = 0; v < m->c->n; v++) {
            if (has(s, v) && m->r->kind[v] != 0u && is_other(m, v)) {
                more |= fused(m, bit(v));
            }
        }
        more = between(m, more);
    } while (more != s);
    return s;
}

static int on_cpu(const model *m, set s)
{
    uint32_t v;
    for (v = 0; v < m->c->n; v++) {
        if (has(s, v) && m->r->kind[v] == 0u) {
            return 1;
        }
    }
    return 0;
}

static set close_group(const model *m, set s)
{
    return on_cpu(m, s) ? closed(m, s) : fused(m, s);
}

static void find_groups(model *m)
{
    uint32_t v;
    m->n_groups = 0;
    for (v = 0; v < m->c->n; v++) {
        if (m->mates[v] != bit(v)) {
            m->groups[m->n_groups++] = close_group(m, m->mates[v]);
        } else if (m->r->kind[v] != 0u && is_other(m, v) && !m->c->skip_fusion) {
            m->groups[m->n_groups++] = fused(m, bit(v));
        }
    }
}

/* The units downstream of a group, as a set of nodes; entering a unit means all of it. */
static set reach(const model *m, const set *unit, set from)
{
    set seen = 0;
    set work = from;
    while (work != 0u) {
        set next = 0;
        uint32_t v;
        for (v = 0; v < m->c->n; v++) {
            next |= has(work, v) ? m->users[v] : 0u;
        }
        next &= ~from & ~seen;
        work = 0;
        for (v = 0; v < m->c->n; v++) {
            work |= has(next, v) ? unit[v] : 0u;
        }
        seen |= work;
    }
    return seen;
}

static int must_merge(const model *m, const set *unit, set a, set b)
{
    if ((a & b) != 0u) {
        return 1;
    }
    return unit != NULL && (reach(m, unit, a) & b) != 0u && (reach(m, unit, b) & a) != 0u;
}

static int merge_one(model *m, const set *unit)
{
    uint32_t i;
    uint32_t j;
    for (i = 0; i < m->n_groups; i++) {
        for (j = 0; j < i; j++) {
            if (must_merge(m, unit, m->groups[i], m->groups[j])) {
                m->groups[j] = close_group(m, m->groups[i] | m->groups[j]);
                m->groups[i] = m->groups[--m->n_groups];
                return 1;
            }
        }
    }
    return 0;
}

/* Groups that share a node, or wait for each other, are one. */
static void merge_groups(model *m)
{
    for (;;) {
        uint32_t i;
        uint32_t v;
        while (merge_one(m, NULL)) {
        }
        for (v = 0; v < m->c->n; v++) {
            m->r->unit[v] = 0;
        }
        for (i = 0; i < m->n_groups; i++) {
            for (v = 0; v < m->c->n; v++) {
                m->r->unit[v] |= has(m->groups[i], v) ? m->groups[i] : 0u;
            }
        }
        {
            set unit[ORACLE_NODES];
            for (v = 0; v < m->c->n; v++) {
                unit[v] = m->r->unit[v] != 0u ? m->r->unit[v] : bit(v);
            }
            if (!merge_one(m, unit)) {
                return;
            }
        }
    }
}

/* Groups that are not of one kind fall, and with them every group that holds one of their nodes. */
static int drop_bad_groups(model *m)
{
    uint32_t i;
    set bad = 0;
    set grown = 0;
    for (i = 0; i < m->n_groups; i++) {
        bad |= one_kind(m, m->groups[i]) ? 0u : m->groups[i];
    }
    while (grown != bad) {
        grown = bad;
        for (i = 0; i < m->n_groups; i++) {
            bad |= (m->groups[i] & bad) != 0u ? m->groups[i] : 0u;
        }
    }
    to_cpu(m, bad, 2);
    return bad != 0u;
}

static void fusion(model *m)
{
    do {
        do {
            find_groups(m);
        } while (drop_bad_groups(m));
        merge_groups(m);
    } while (drop_bad_groups(m));
}

/* The least phase at or after `from` that has this kind. */
static uint32_t phase_from(const model *m, uint32_t from, uint32_t kind, uint32_t first)
{
    while ((first + from) % m->c->n_kinds != kind) {
        from++;
    }
    return from;
}

static void phases(model *m)
{
    uint32_t phase[ORACLE_NODES];
    uint32_t first = m->c->n_kinds;
    uint32_t v;
    uint32_t u;
    uint32_t p;
    int changed = 1;
    for (v = 0; v < m->c->n; v++) {
        if (m->c->in[v] == 0u && m->r->kind[v] < first) {
            first = m->r->kind[v];
        }
    }
    for (v = 0; v < m->c->n; v++) {
        phase[v] = phase_from(m, 0, m->r->kind[v], first);
    }
    while (changed) {
        changed = 0;
        for (v = 0; v < m->c->n; v++) {
            for (u = 0; u < m->c->n; u++) {
                uint32_t need = phase[v];
                if (has(m->c->in[v], u) && phase[u] > need) {
                    need = phase_from(m, phase[u], m->r->kind[v], first);
                }
                if (has(m->r->unit[v], u) && phase[u] > need) {
                    need = phase[u];
                }
                changed |= need != phase[v];
                phase[v] = need;
            }
        }
    }
    m->r->n_raw = 0;
    for (p = 0; p <= ORACLE_NODES * 2u * m->c->n_kinds; p++) {
        int found = 0;
        for (v = 0; v < m->c->n; v++) {
            if (phase[v] == p) {
                m->r->raw_of[v] = m->r->n_raw;
                m->r->raw_kind[m->r->n_raw] = m->r->kind[v];
                found = 1;
            }
        }
        m->r->n_raw += (uint32_t)found;
    }
}

typedef struct run_of_nodes {
    set nodes;
    uint8_t kind;
} run_of_nodes;

/* Accelerator subgraph i goes to the CPU. */
static void demote(model *m, run_of_nodes *runs, uint32_t i, uint8_t why)
{
    uint32_t v;
    for (v = 0; v < m->c->n; v++) {
        if (has(runs[i].nodes, v)) {
            m->r->small[v] = why;
        }
    }
    runs[i].kind = 0;
}

static uint32_t join_cpu(run_of_nodes *runs, uint32_t n)
{
    uint32_t i;
    uint32_t kept = 0;
    for (i = 0; i < n; i++) {
        if (kept != 0u && runs[i].kind == 0u && runs[kept - 1u].kind == 0u) {
            runs[kept - 1u].nodes |= runs[i].nodes;
        } else {
            runs[kept++] = runs[i];
        }
    }
    return kept;
}

static uint64_t value_of(const model *m, set s)
{
    uint64_t sum = 0;
    uint32_t v;
    for (v = 0; v < m->c->n; v++) {
        sum += has(s, v) ? m->c->value[v] : 0u;
    }
    return sum;
}

/* 0 when there is no accelerator subgraph left. */
static int demote_least(model *m, run_of_nodes *runs, uint32_t n)
{
    uint32_t i;
    uint32_t least = n;
    for (i = 0; i < n; i++) {
        if (runs[i].kind != 0u &&
            (least == n || value_of(m, runs[i].nodes) < value_of(m, runs[least].nodes))) {
            least = i;
        }
    }
    if (least == n) {
        return 0;
    }
    demote(m, runs, least, 2);
    return 1;
}

static int all_supported(const oracle_case *c)
{
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        if (c->kind[v] == 0u) {
            return 0;
        }
    }
    return 1;
}

/* The count above its limit, all subgraphs before those of accelerators; 0 if all is within. */
static uint32_t too_many(const oracle_case *c, const run_of_nodes *runs, uint32_t n)
{
    uint32_t n_acc = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        n_acc += runs[i].kind != 0u ? 1u : 0u;
    }
    return c->limit != 0u && n > c->limit ? n : c->max_acc != 0u && n_acc > c->max_acc ? n_acc : 0u;
}

static void subgraphs(model *m)
{
    run_of_nodes runs[ORACLE_NODES + 1u];
    oracle_result *const r = m->r;
    uint32_t n = r->n_raw;
    uint32_t i;
    uint32_t v;
    memset(runs, 0, sizeof(runs));
    for (v = 0; v < m->c->n; v++) {
        runs[r->raw_of[v]].nodes |= bit(v);
        runs[r->raw_of[v]].kind = r->kind[v];
    }
    for (i = 0; i < n && !(m->c->waive && all_supported(m->c)); i++) {
        uint32_t const least = m->c->has_min_sizes ? m->c->min_sizes[runs[i].kind] : m->c->min_size;
        if (runs[i].kind != 0u && size_of(runs[i].nodes) < least) {
            demote(m, runs, i, 1);
        }
    }
    n = join_cpu(runs, n);
    while ((r->too_many = too_many(m->c, runs, n)) != 0u) {
        if (m->c->limit_policy == GSP_LIMIT_ERROR || !demote_least(m, runs, n)) {
            r->status = GSP_STATUS_LIMIT;
            break;
        }
        n = join_cpu(runs, n);
    }
    r->n_subgraphs = n;
    for (i = 0; i < n; i++) {
        r->subgraph_kind[i] = runs[i].kind;
        for (v = 0; v < m->c->n; v++) {
            if (has(runs[i].nodes, v)) {
                r->subgraph_of[v] = i;
            }
        }
    }
}

void oracle_run(const oracle_case *c, oracle_result *r)
{
    model m;
    memset(&m, 0, sizeof(m));
    memset(r, 0, sizeof(*r));
    m.c = c;
    m.r = r;
    memcpy(r->kind, c->kind, sizeof(r->kind));
    set_up(&m);
    place_groups(&m);
    accelerator_nodes(&m);
    fusion(&m);
    if (c->n != 0u) {
        phases(&m);
        subgraphs(&m);
    }
}
