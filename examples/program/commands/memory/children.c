/* Tensors inside others, at offsets: arguments of a concatenation inside its result, results of a
 * split or slice inside its argument. A tensor and those inside it are one for the plan, live from
 * the first to the last of them; a search chooses the nodes where that makes the peak smaller. */
#include "commands/memory/memory.h"

#include <string.h>

#define WORK ((uint64_t)1u << 24) /* of the search: tensors and steps visited */

/* Joins are made in the order of steps. Until a step s, all that happened to a tensor and those
 * inside it was before s, so a tensor may be put inside another at s if after s nothing writes its
 * bytes while the other is read, and the reverse. A result in place is such a write. */
typedef struct joins {
    memory *m;
    const gsp_tensor *tensors; /* [n_tensors] of the plan without joins */
    uint32_t n_tensors;
    uint32_t *tensor_of; /* [n] */
    cli_child *list;     /* by node that joins or splits */
    uint32_t *begin;     /* [n + 1] into list, by that node */
    uint32_t *use;       /* [n] 1 if that node joins or splits in place */
    uint32_t *write;     /* [n_tensors] the last step at which a result in place is written */
    uint32_t *written;   /* [n_tensors] 1 if mutates= names it */
    uint32_t *into;      /* [n_tensors] the tensor that it lies in, or itself */
    uint32_t *place;     /* [n_tensors] in the plan with joins, of one that lies in none */
    uint64_t *offset;    /* [n_tensors] in that */
    gsp_node *parent;    /* [n_tensors] the value that it lies in, or GSP_NONE */
    uint32_t *first;     /* [n_tensors] steps and writes of a tensor and all inside it */
    uint32_t *last;
    uint32_t *latest;
    uint64_t *live; /* [n + 1] by step */
    uint64_t peak;
    uint32_t at_peak; /* steps with that many bytes */
    uint32_t n_joined;
    uint64_t work;
} joins;

/* ---- joining ---- */

static uint32_t outermost(const joins *j, uint32_t t, uint64_t *offset)
{
    *offset = 0;
    while (j->into[t] != t) {
        *offset += j->offset[t];
        t = j->into[t];
    }
    return t;
}

/* The tensor of a value, if the value is all of it. */
static uint32_t whole_of(const joins *j, gsp_node v)
{
    uint32_t const t = j->tensor_of[v];
    return t != GSP_NONE && j->tensors[t].bytes == gsp_node_bytes(&j->m->graph, v) && !j->written[t]
               ? t
               : GSP_NONE;
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Puts a tensor that is no part of another inside one that is all of `parent`. */
static void put(joins *j, const cli_child *c, uint32_t child, uint32_t parent)
{
    uint64_t base;
    uint32_t const root = outermost(j, parent, &base);
    j->into[child] = root;
    j->offset[child] = base + c->offset;
    j->parent[child] = j->tensors[parent].node;
    j->first[root] = j->first[child] < j->first[root] ? j->first[child] : j->first[root];
    j->last[root] = later(j->last[root], j->last[child]);
    j->latest[root] = later(j->latest[root], j->latest[child]);
    j->n_joined++;
}

static int is_aligned(const joins *j, const cli_child *c, uint32_t parent)
{
    uint64_t base;
    (void)outermost(j, parent, &base);
    return (base + c->offset) % j->m->opt.align == 0;
}

/* An argument of a concatenation, with all that lies inside it: results in place come before it, or
 * after the last reader of the argument, if they stand on the result. */
static void join_argument(joins *j, const cli_child *c, uint32_t step)
{
    uint32_t const parent = whole_of(j, c->parent);
    uint32_t child = whole_of(j, c->child);
    uint64_t offset = 0;
    if (child == GSP_NONE || parent == GSP_NONE || j->tensors[parent].node != c->at ||
        !is_aligned(j, c, parent)) {
        return;
    }
    child = outermost(j, child, &offset); /* the whole of it, where a split hands it on */
    if (child != parent && j->tensors[child].bytes == gsp_node_bytes(&j->m->graph, c->child) &&
        j->latest[child] < step && (j->write[parent] <= step || j->last[child] <= step)) {
        put(j, c, child, parent);
    }
}

/* Results of a split: nothing is in place on the argument later; on a result, if nothing else reads
 * its bytes. `last` and `latest` are those of the argument and all inside it, before this node. */
static void join_result(joins *j, const cli_child *c, uint32_t step, uint32_t last, uint32_t latest)
{
    uint32_t const child = whole_of(j, c->child);
    uint32_t const parent = whole_of(j, c->parent);
    if (child != GSP_NONE && parent != GSP_NONE && j->into[child] == child && child != parent &&
        j->tensors[child].node == c->child && latest <= step &&
        (j->write[child] == 0 || (last <= step && !c->shared)) && is_aligned(j, c, parent)) {
        put(j, c, child, parent);
    }
}

static void join_node(joins *j, gsp_node v, uint32_t step)
{
    const cli_child *c = &j->list[j->begin[v]];
    uint32_t const n = j->begin[v + 1u] - j->begin[v];
    uint32_t const of = j->tensor_of[c->parent];
    uint32_t last = 0;
    uint32_t latest = 0;
    uint64_t base;
    uint32_t i;
    if (of != GSP_NONE) {
        uint32_t const root = outermost(j, of, &base);
        last = j->last[root];
        latest = j->latest[root];
    }
    for (i = 0; i < n; i++) {
        if (c->parent == v) {
            join_argument(j, &c[i], step);
        } else if (c[i].parent == c->parent) {
            join_result(j, &c[i], step, last, latest);
        }
    }
}

/* Makes the joins that are in use, and finds the peak. */
static void apply(joins *j)
{
    const gsp_node *order = j->m->liveness.nodes;
    uint32_t const n = j->m->graph.n_nodes;
    uint64_t live = 0;
    uint32_t i;
    j->n_joined = 0;
    for (i = 0; i < j->n_tensors; i++) {
        j->into[i] = i;
        j->offset[i] = 0;
        j->parent[i] = GSP_NONE;
        j->first[i] = j->tensors[i].begin;
        j->last[i] = j->tensors[i].end;
        j->latest[i] = j->write[i];
    }
    for (i = 0; i < n; i++) {
        if (j->use[order[i]] != 0) {
            join_node(j, order[i], i);
        }
    }
    memset(j->live, 0, ((size_t)n + 1u) * sizeof *j->live);
    for (i = 0; i < j->n_tensors; i++) {
        if (j->into[i] == i) {
            j->live[j->first[i]] += j->tensors[i].bytes;
            j->live[j->last[i] + 1u] -= j->tensors[i].bytes;
        }
    }
    j->peak = 0;
    for (i = 0; i < n; i++) {
        live += j->live[i];
        j->at_peak = live > j->peak ? 1u : j->at_peak + (live == j->peak);
        j->peak = live > j->peak ? live : j->peak;
    }
    j->work += (uint64_t)n + j->n_tensors;
}

/* ---- the search ---- */

/* Turns nodes on or off as long as the peak, or the steps with it, become fewer; off if that is
 * equal. */
static void climb(joins *j)
{
    uint32_t const n = j->m->graph.n_nodes;
    int better = 1;
    gsp_node v;
    apply(j);
    while (better && j->work < WORK) {
        better = 0;
        for (v = 0; v < n && j->work < WORK; v++) {
            uint64_t const peak = j->peak;
            uint32_t const at_peak = j->at_peak;
            if (j->begin[v] == j->begin[v + 1u]) {
                continue;
            }
            j->use[v] ^= 1u;
            apply(j);
            int const less = j->peak < peak || (j->peak == peak && j->at_peak < at_peak);
            int const equal = j->peak == peak && j->at_peak == at_peak;
            if (!less && !(equal && j->use[v] == 0)) {
                j->use[v] ^= 1u;
                j->peak = peak;
                j->at_peak = at_peak;
            }
            better |= less;
        }
    }
    apply(j);
}

/* Starts from all nodes, and from none. */
static void search(joins *j)
{
    uint32_t const n = j->m->graph.n_nodes;
    uint32_t *use = (uint32_t *)cli_alloc(j->m->session, (size_t)n + 1u, sizeof *use);
    uint64_t peak;
    gsp_node v;
    for (v = 0; v < n; v++) {
        j->use[v] = j->begin[v] != j->begin[v + 1u];
    }
    climb(j);
    memcpy(use, j->use, n * sizeof *use);
    peak = j->peak;
    memset(j->use, 0, n * sizeof *use);
    j->work = 0;
    climb(j);
    if (peak <= j->peak) {
        memcpy(j->use, use, n * sizeof *use);
        apply(j);
    }
    cli_release(j->m->session, use);
}

/* ---- the tensors of a plan ---- */

/* Tensors that nodes write (mutates=), and the last results in place. */
static void find_writes(joins *j)
{
    const gsp_graph *g = &j->m->graph;
    const gsp_memory_plan_result *r = &j->m->memory_plan;
    gsp_node *leaves =
        (gsp_node *)cli_alloc(j->m->session, (size_t)g->module->counts.args + 1u, sizeof *leaves);
    uint32_t i;
    for (i = 0; i < g->n_nodes; i++) {
        gsp_node const v = j->m->liveness.nodes[i];
        memory_written walk = memory_written_of(g, v, leaves);
        gsp_node w;
        while ((w = memory_next_written(&walk)) != GSP_NONE) {
            if (r->tensor_of[w] != GSP_NONE) {
                j->written[r->tensor_of[w]] = 1;
            }
        }
        if (r->stands_on != NULL && r->stands_on[v] != GSP_NONE) {
            j->write[r->tensor_of[v]] = i;
        }
    }
    cli_release(j->m->session, leaves);
}

static uint32_t *words(const joins *j, uint32_t n)
{
    return (uint32_t *)cli_alloc(j->m->session, (size_t)n + 1u, sizeof(uint32_t));
}

/* What may lie inside what; 0 if nothing may. */
static int start(joins *j, memory *m, const uint32_t *parts)
{
    gsp_memory_plan_result *r = &m->memory_plan;
    uint32_t const n = m->graph.n_nodes;
    uint32_t n_list;
    uint32_t i;
    memset(j, 0, sizeof *j);
    j->m = m;
    j->list = cli_children_find(m->session, &m->graph, parts, &n_list);
    if (n_list == 0) {
        return 0;
    }
    j->tensors = r->tensors;
    j->n_tensors = r->n_tensors;
    j->tensor_of = r->tensor_of;
    j->begin = words(j, n + 1u);
    j->use = words(j, n);
    j->write = words(j, r->n_tensors);
    j->written = words(j, r->n_tensors);
    j->into = words(j, r->n_tensors);
    j->place = words(j, r->n_tensors);
    j->parent = words(j, r->n_tensors);
    j->first = words(j, r->n_tensors);
    j->last = words(j, r->n_tensors);
    j->latest = words(j, r->n_tensors);
    j->offset = (uint64_t *)cli_alloc(m->session, (size_t)r->n_tensors + 1u, sizeof *j->offset);
    j->live = (uint64_t *)cli_alloc(m->session, (size_t)n + 1u, sizeof *j->live);
    for (i = 0; i < n_list; i++) {
        j->begin[j->list[i].at + 1u]++;
    }
    for (i = 0; i < n; i++) {
        j->begin[i + 1u] += j->begin[i];
    }
    find_writes(j);
    return 1;
}

/* The plan of m with these joins, by first fit: tensors, and the tensor of every node. */
static uint64_t place(joins *j)
{
    memory *m = j->m;
    gsp_memory_plan_result *r = &m->memory_plan;
    uint32_t const n = m->graph.n_nodes;
    gsp_tensor *made = (gsp_tensor *)cli_alloc(m->session, (size_t)j->n_tensors + 1u, sizeof *made);
    uint32_t n_made = 0;
    uint32_t i;
    for (i = 0; i < j->n_tensors; i++) {
        if (j->into[i] == i) {
            j->place[i] = n_made;
            made[n_made] = j->tensors[i];
            made[n_made].begin = j->first[i];
            made[n_made++].end = j->last[i];
        }
    }
    r->tensor_of = words(j, n);
    for (i = 0; i < n; i++) {
        uint64_t base;
        uint32_t const t = j->tensor_of[i];
        r->tensor_of[i] = t == GSP_NONE ? GSP_NONE : j->place[outermost(j, t, &base)];
    }
    (void)cli_fit(m->session, made, n_made, (uint32_t)m->opt.align, NULL, &r->arena);
    r->tensors = made;
    r->n_tensors = n_made;
    r->peak = j->peak;
    return r->arena;
}

/* The tensors as they were before they were joined, where they lie now. */
static void keep(joins *j)
{
    memory *m = j->m;
    memory_children *kept = &m->children;
    uint32_t const n = m->graph.n_nodes;
    uint32_t t;
    kept->n = j->n_joined;
    kept->n_tensors = j->n_tensors;
    kept->tensor_of = j->tensor_of;
    kept->tensors =
        (gsp_tensor *)cli_alloc(m->session, (size_t)j->n_tensors + 1u, sizeof *kept->tensors);
    kept->lies_in = words(j, n);
    memset(kept->lies_in, 0xFF, n * sizeof *kept->lies_in);
    for (t = 0; t < j->n_tensors; t++) {
        uint64_t offset;
        uint32_t const root = outermost(j, t, &offset);
        kept->tensors[t] = j->tensors[t];
        kept->tensors[t].offset = m->memory_plan.tensors[j->place[root]].offset + offset;
        if (j->parent[t] != GSP_NONE) {
            kept->lies_in[j->tensors[t].node] = j->parent[t];
        }
    }
}

gsp_status memory_children_join(memory *m, gsp_arena *arena, gsp_error *err)
{
    memory const plain = *m;
    joins j;
    gsp_status status = GSP_OK;
    m->children.n = 0;
    if (m->in_place.parts == NULL || !start(&j, m, m->in_place.parts)) {
        return GSP_OK;
    }
    search(&j);
    if (j.n_joined != 0 && j.peak < m->memory_plan.arena && place(&j) != UINT64_MAX) {
        m->improved = NULL;
        status = memory_pack(m, arena, err);
    }
    if (status == GSP_OK && m->memory_plan.arena < plain.memory_plan.arena) {
        keep(&j);
    } else {
        *m = plain;
        m->children.n = 0;
    }
    return status;
}

uint64_t memory_children_least(memory *m, const uint32_t *parts)
{
    joins j;
    if (start(&j, m, parts)) {
        search(&j);
        if (j.n_joined != 0 && j.peak < m->memory_plan.arena) {
            uint64_t const plain = m->memory_plan.arena;
            uint64_t const joined = place(&j);
            return joined < plain ? joined : plain;
        }
    }
    return m->memory_plan.arena;
}
