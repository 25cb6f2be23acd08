/* A graph as tasks that make and read tensors. Which values share memory, gsp_memory_plan_run()
 * says: the elements of an aggregate are tensors that its call makes, and what reads the aggregate
 * as a whole reads them too. Where a getitem that nothing reads makes a difference, tasks need less
 * than the graph: the bound still holds. */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

/* ---- rows from pairs ---- */

typedef struct pairs {
    cli_session *session;
    uint32_t *a;
    uint32_t *b;
    uint32_t n;
    uint32_t room;
} pairs;

static void add_pair(pairs *p, uint32_t a, uint32_t b)
{
    if (p->n == p->room) {
        p->room = p->room < 512u ? 1024u : 2u * p->room;
        p->a = (uint32_t *)cli_grow(p->session, p->a, p->room * sizeof *p->a);
        p->b = (uint32_t *)cli_grow(p->session, p->b, p->room * sizeof *p->b);
    }
    p->a[p->n] = a;
    p->b[p->n++] = b;
}

/* The rows of `key` [n_pairs] with members of `value`, in the order of the pairs. */
static cli_lists rows_of(const pairs *p, const uint32_t *key, const uint32_t *value, uint32_t n)
{
    cli_lists rows;
    rows.begin = (uint32_t *)cli_alloc(p->session, (size_t)n + 2u, sizeof *rows.begin);
    rows.at = (uint32_t *)cli_alloc(p->session, (size_t)p->n + 1u, sizeof *rows.at);
    if (p->n == 0) { /* then there are no keys either */
        return rows;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        rows.begin[key[i] + 2u]++;
    }
    for (uint32_t i = 2; i < n + 2u; i++) {
        rows.begin[i] += rows.begin[i - 1u];
    }
    for (uint32_t i = 0; i < p->n; i++) {
        rows.at[rows.begin[key[i] + 1u]++] = value[i];
    }
    return rows;
}

/* ---- the graph as tasks ---- */

/* The call of which a getitem takes an element; GSP_NONE if it is none. */
static gsp_node taken_from(const gsp_graph *g, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    return gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION && n != 0 &&
                   gsp_str_equal(gsp_node_target(g, v), gsp_str_of("operator.getitem")) &&
                   gsp_node_is_callable(g, in[0]) &&
                   gsp_node_value_kind(g, in[0]) == GSP_VALUE_AGGREGATE
               ? in[0]
               : GSP_NONE;
}

/* Marks nodes with dependences on either side besides what they read. */
static uint8_t *waiting(const order_graph *w)
{
    uint8_t *marks = (uint8_t *)cli_alloc(w->session, w->g->n_nodes, 1u);
    const gsp_dependences *d = &w->waits;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        for (uint32_t i = d->dependent_begin[v]; i < d->dependent_begin[v + 1u]; i++) {
            marks[v] = marks[d->dependents[i]] = 1;
        }
    }
    return marks;
}

/* The only user of a call that reads no tensor: some best order runs it right before that user.
 * Returns GSP_NONE if there is none. */
static gsp_node only_user(const order_graph *w, gsp_node v)
{
    uint32_t n;
    const gsp_node *at = gsp_node_inputs(w->g, v, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (gsp_node_is_callable(w->g, at[i]) || w->plan.tensor_of[at[i]] != GSP_NONE) {
            return GSP_NONE;
        }
    }
    at = gsp_node_users(w->g, v, &n);
    return n == 1u && gsp_node_is_callable(w->g, at[0]) &&
                   w->waits.segment[v] == w->waits.segment[at[0]] &&
                   (w->scratch == NULL || w->scratch[v] == 0)
               ? at[0]
               : GSP_NONE;
}

static void add_tasks(order_graph *w)
{
    pairs p = {w->session, NULL, NULL, 0, 0};
    uint8_t *waits = waiting(w);
    w->task = (uint32_t *)cli_alloc(p.session, w->g->n_nodes, sizeof *w->task);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        int const alone = gsp_node_is_callable(w->g, v) &&
                          (waits[v] || w->early != NULL || only_user(w, v) == GSP_NONE);
        w->task[v] = alone ? w->tasks.n : GSP_NONE;
        w->tasks.n += alone ? 1u : 0u;
    }
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        if (gsp_node_is_callable(w->g, v)) {
            w->task[v] = w->task[v] != GSP_NONE ? w->task[v] : w->task[only_user(w, v)];
            add_pair(&p, w->task[v], v);
        }
    }
    w->n_calls = w->tasks.n;
    w->tasks.n_changes = w->n_phases != 0 ? w->n_phases - 1u : 0u;
    w->tasks.n += w->tasks.n_changes;
    w->nodes = rows_of(&p, p.a, p.b, w->tasks.n);
    w->task[w->g->n_nodes - 1u] = w->tasks.n;
}

/* Tensors, and which call makes them. Inputs are live from the first step on. What calls need while
 * they run is in `extra`: such a tensor has no bytes here. */
static void add_tensors(order_graph *w)
{
    order_tasks *t = &w->tasks;
    pairs p = {w->session, NULL, NULL, 0, 0};
    t->n_tensors = w->plan.n_tensors;
    t->bytes = (uint64_t *)cli_alloc(p.session, (size_t)t->n_tensors + 1u, sizeof *t->bytes);
    for (uint32_t i = 0; i < t->n_tensors; i++) {
        const gsp_tensor *tensor = &w->plan.tensors[i];
        t->bytes[i] = tensor->scratch ? 0u : tensor->bytes;
        if (gsp_node_is_callable(w->g, tensor->node)) {
            add_pair(&p, w->task[tensor->begin], i);
        } else {
            t->peak += tensor->bytes;
        }
    }
    t->makes = rows_of(&p, p.a, p.b, t->n);
}

/* Node v reads a tensor that another task makes. */
static void add_tensor_read(
    const order_graph *w, pairs *p, gsp_node v, uint32_t tensor, uint32_t *last)
{
    const gsp_tensor *t = &w->plan.tensors[tensor];
    int const own = gsp_node_is_callable(w->g, t->node) && w->task[t->begin] == w->task[v];
    if (last[tensor] != v && !own) {
        last[tensor] = v;
        add_pair(p, w->task[v], tensor);
    }
}

/* What node v reads: a tensor, or all that a call makes. */
static void add_read(const order_graph *w, pairs *p, gsp_node v, gsp_node from, uint32_t *last)
{
    const cli_lists *makes = &w->tasks.makes;
    uint32_t const own = w->plan.tensor_of[from];
    uint32_t const maker = w->task[from];
    if (own != GSP_NONE) {
        add_tensor_read(w, p, v, own, last);
    }
    for (uint32_t i = maker == GSP_NONE ? 0 : makes->begin[maker];
         maker != GSP_NONE && i < makes->begin[maker + 1u]; i++) {
        if (w->plan.tensors[makes->at[i]].begin == from) {
            add_tensor_read(w, p, v, makes->at[i], last);
        }
    }
}

static void add_reads(order_graph *w)
{
    order_tasks *t = &w->tasks;
    pairs p = {w->session, NULL, NULL, 0, 0};
    uint32_t *last = (uint32_t *)cli_alloc(p.session, (size_t)t->n_tensors + 1u, sizeof *last);
    uint64_t kept = 0;
    memset(last, 0xFF, t->n_tensors * sizeof *last);
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(w->g, v, &n);
        uint32_t const own = w->plan.tensor_of[v];
        int const taken = taken_from(w->g, v) != GSP_NONE;
        for (uint32_t i = 0; i < n && !taken; i++) {
            add_read(w, &p, v, in[i], last);
        }
        if (taken && own != GSP_NONE && w->plan.tensors[own].node != v) {
            add_pair(&p, w->task[v], own); /* as the first getitem of the element has it */
        }
    }
    t->reads = rows_of(&p, p.a, p.b, t->n + 1u);
    t->readers = rows_of(&p, p.b, p.a, t->n_tensors);
    for (uint32_t i = 0; i < t->n_tensors; i++) {
        int const read = t->readers.begin[i] < t->readers.begin[i + 1u];
        t->live += read && !gsp_node_is_callable(w->g, w->plan.tensors[i].node) ? t->bytes[i] : 0u;
    }
    for (uint32_t i = t->reads.begin[t->n]; i < t->reads.begin[t->n + 1u]; i++) {
        kept += t->bytes[t->reads.at[i]];
    }
    t->peak = kept > t->peak ? kept : t->peak;
}

/* A getitem of an element follows the first one, so that it stays the first. */
static void add_inputs(order_graph *w, pairs *p)
{
    uint32_t n;
    for (gsp_node v = 0; v + 1u < w->g->n_nodes; v++) {
        const gsp_node *in = gsp_node_inputs(w->g, v, &n);
        uint32_t const own = w->plan.tensor_of[v];
        for (uint32_t i = 0; i < n && gsp_node_is_callable(w->g, v); i++) {
            if (gsp_node_is_callable(w->g, in[i]) && w->task[in[i]] != w->task[v]) {
                add_pair(p, w->task[in[i]], w->task[v]);
            }
        }
        if (own != GSP_NONE && taken_from(w->g, v) != GSP_NONE && w->plan.tensors[own].node < v &&
            taken_from(w->g, w->plan.tensors[own].node) == taken_from(w->g, v)) {
            add_pair(p, w->task[w->plan.tensors[own].node], w->task[v]);
        }
    }
}

/* Between two phases stands a task of its own, which changes the kind that runs. Calls come after
 * the change to their earliest phase and before that from their latest. */
static void add_phases(order_graph *w, pairs *p)
{
    uint32_t const change = w->n_calls - 1u; /* to phase i: change + i */
    w->tasks.kind = (uint8_t *)cli_alloc(p->session, (size_t)w->tasks.n + 1u, 1u);
    for (uint32_t i = 1; i < w->n_phases; i++) {
        w->tasks.kind[change + i] = ORDER_CHANGES;
        if (i > 1u) {
            add_pair(p, change + i - 1u, change + i);
        }
    }
    for (gsp_node v = 0; v + 1u < w->g->n_nodes; v++) {
        if (w->task[v] != GSP_NONE) {
            w->tasks.kind[w->task[v]] = (uint8_t)(w->early[v] & 1u);
            if (w->early[v] > 0) {
                add_pair(p, change + w->early[v], w->task[v]);
            }
            if (w->late[v] + 1u < w->n_phases) {
                add_pair(p, w->task[v], change + w->late[v] + 1u);
            }
        }
    }
}

/* Reads, the order of writes, and barriers, across which nothing moves. */
static void add_waits(order_graph *w)
{
    order_tasks *t = &w->tasks;
    const gsp_dependences *d = &w->waits;
    pairs p = {w->session, NULL, NULL, 0, 0};
    add_inputs(w, &p);
    t->earliest = (uint32_t *)cli_alloc(p.session, (size_t)t->n + 1u, sizeof *t->earliest);
    for (gsp_node v = 0; v + 1u < w->g->n_nodes; v++) {
        for (uint32_t i = d->dependent_begin[v]; i < d->dependent_begin[v + 1u]; i++) {
            if (w->task[v] != GSP_NONE && w->task[d->dependents[i]] < t->n) {
                add_pair(&p, w->task[v], w->task[d->dependents[i]]);
            }
        }
    }
    for (uint32_t i = 1; i < w->n_calls; i++) {
        gsp_node const at = w->nodes.at[w->nodes.begin[i]];
        gsp_node const before = w->nodes.at[w->nodes.begin[i - 1u]];
        t->earliest[i] = d->segment[at] == d->segment[before] ? t->earliest[i - 1u] : i;
    }
    if (w->early != NULL) {
        add_phases(w, &p);
    }
    t->before = rows_of(&p, p.b, p.a, t->n);
    t->after = rows_of(&p, p.a, p.b, t->n);
}

gsp_status order_graph_make(order_graph *w, gsp_error *err)
{
    gsp_memory_plan_desc desc = {0};
    gsp_arena arena;
    gsp_status status;
    if (w->scratch == NULL && w->g->module->run_bytes != NULL) {
        w->scratch = w->g->module->run_bytes + w->g->first;
    }
    desc.align = 1;
    desc.max_work = 1; /* only its tensors are used */
    desc.skip_inputs = w->skip_inputs;
    desc.scratch = w->scratch;
    cli_arena(w->session, &arena, gsp_memory_plan_bound(w->g, &desc));
    status = gsp_memory_plan_run(&arena, w->g, &desc, &w->plan, err);
    if (status == GSP_OK) {
        cli_arena(w->session, &arena, gsp_dependences_bound(w->g, NULL));
        status = gsp_dependences_run(&arena, w->g, NULL, &w->waits, err);
    }
    if (status != GSP_OK) {
        return status;
    }
    add_tasks(w);
    add_tensors(w);
    add_reads(w);
    add_waits(w);
    w->tasks.extra = (uint64_t *)cli_alloc(w->session, (size_t)w->tasks.n + 1u, sizeof(uint64_t));
    for (gsp_node v = 0; v + 1u < w->g->n_nodes && w->scratch != NULL; v++) {
        if (w->task[v] != GSP_NONE) {
            w->tasks.extra[w->task[v]] += w->scratch[v];
        }
    }
    return GSP_OK;
}

/* Inputs first, and the output last. */
gsp_node *order_graph_nodes(const order_graph *w, const uint32_t *tasks)
{
    gsp_node *order = (gsp_node *)cli_alloc(w->session, w->g->n_nodes, sizeof *order);
    uint32_t n = 0;
    for (gsp_node v = 0; v < w->g->n_nodes; v++) {
        if (w->task[v] == GSP_NONE) {
            order[n++] = v;
        }
    }
    for (uint32_t i = 0; i < w->tasks.n; i++) {
        for (uint32_t k = w->nodes.begin[tasks[i]]; k < w->nodes.begin[tasks[i] + 1u]; k++) {
            order[n++] = w->nodes.at[k];
        }
    }
    order[n] = w->g->n_nodes - 1u;
    return order;
}
