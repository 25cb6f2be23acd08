/* The partitioner said slowly. Every function is the reference's of the same purpose, with the
 * choices that it leaves to hash sets made by graph order. Walks over paths are walks: no table
 * remembers anything. */
#include "tests/oracle/partition.h"

#include <math.h>

static part_set bit(uint32_t v)
{
    return (part_set)1 << v;
}

static int has(part_set s, uint32_t v)
{
    return (int)(s >> v & 1u);
}

int part_callable(const part_case *c, uint32_t node)
{
    return c->op[node] != PART_INPUT && c->op[node] != PART_ATTRIBUTE;
}

/* ---- bytes ---- */

static uint64_t extra_size(const part_case *c, uint32_t node, part_set nodes)
{
    uint64_t bytes = c->bytes[node] + c->params[node];
    uint32_t u;
    for (u = 0; u < c->n; u++) {
        if (has(c->in[node], u) && !has(nodes, u)) {
            bytes += c->bytes[u];
        }
    }
    return bytes;
}

uint64_t part_bytes(const part_case *c, part_set nodes)
{
    uint64_t bytes = 0;
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        if (has(nodes, v)) {
            bytes += extra_size(c, v, nodes);
        }
    }
    return bytes;
}

part_set part_close(const part_case *c, part_set calls)
{
    part_set nodes = calls;
    uint32_t v;
    uint32_t u;
    for (v = 0; v < c->n; v++) {
        for (u = 0; u < c->n; u++) {
            if (has(calls, v) && has(c->in[v], u) && !part_callable(c, u)) {
                nodes |= bit(u);
            }
        }
    }
    return nodes;
}

static part_set calls_of(const part_case *c, part_set nodes)
{
    part_set calls = 0;
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        calls |= has(nodes, v) && part_callable(c, v) ? bit(v) : 0u;
    }
    return calls;
}

static void add_node(const part_case *c, part *p, uint32_t node)
{
    p->nodes |= part_close(c, bit(node));
    p->used = part_bytes(c, p->nodes);
}

static void remove_node(const part_case *c, part *p, uint32_t node)
{
    p->nodes = part_close(c, calls_of(c, p->nodes) & ~bit(node));
    p->used = part_bytes(c, p->nodes);
}

static part *create(part_list *list)
{
    part *const p = &list->at[list->n];
    memset(p, 0, sizeof(*p));
    p->id = list->n++;
    return p;
}

static part *create_single(const part_case *c, part_list *list, uint32_t node)
{
    part *const p = create(list);
    add_node(c, p, node);
    return p;
}

static void erase(part_list *list, uint32_t at)
{
    uint32_t i;
    list->n--;
    for (i = at; i < list->n; i++) {
        list->at[i] = list->at[i + 1u];
    }
}

/* ---- how partitions stand to each other ---- */

void part_relate(const part_case *c, part_list *list)
{
    uint32_t i;
    uint32_t j;
    uint32_t v;
    uint32_t u;
    for (i = 0; i < list->n; i++) {
        list->at[i].id = i;
        list->at[i].parents = 0;
        list->at[i].children = 0;
    }
    for (i = 0; i < list->n; i++) {
        for (u = 0; u < c->n; u++) {
            for (v = 0; v < c->n && has(list->at[i].nodes, u); v++) {
                for (j = 0; j < list->n && has(c->in[v], u); j++) {
                    if (j != i && has(list->at[j].nodes, v) && !has(list->at[j].nodes, u)) {
                        list->at[i].children |= bit(j);
                        list->at[j].parents |= bit(i);
                    }
                }
            }
        }
    }
}

/* Breadth first; a partition that comes up again takes the later level. Only without cycles. */
static void levels(part_list *list)
{
    part_set current = 0;
    uint32_t level;
    uint32_t i;
    for (i = 0; i < list->n; i++) {
        current |= list->at[i].parents == 0u ? bit(i) : 0u;
    }
    for (level = 0; current != 0u; level++) {
        part_set next = 0;
        for (i = 0; i < list->n; i++) {
            if (has(current, i)) {
                list->at[i].level = level;
                next |= list->at[i].children;
            }
        }
        current = next;
    }
}

/* check_dependency: does a walk from the partition come back to it? */
static int waits_for_itself(const part_list *list, uint32_t at)
{
    part_set seen = list->at[at].children;
    part_set before = 0;
    uint32_t i;
    while (seen != before) {
        before = seen;
        for (i = 0; i < list->n; i++) {
            seen |= has(before, i) ? list->at[i].children : 0u;
        }
    }
    return has(seen, at);
}

int part_cyclic(const part_list *list)
{
    uint32_t i;
    for (i = 0; i < list->n; i++) {
        if (waits_for_itself(list, i)) {
            return 1;
        }
    }
    return 0;
}

/* ---- latency ---- */

static int larger(const part_path *a, const part_path *b)
{
    if (a->overall < b->overall || a->overall > b->overall) {
        return a->overall > b->overall;
    }
    if (a->mem < b->mem || a->mem > b->mem) {
        return a->mem > b->mem;
    }
    return a->compute > b->compute;
}

part_path part_critical(const part_case *c, part_set nodes)
{
    part_path best[PART_NODES];
    part_path longest = {0.0, 0.0, 0.0};
    uint32_t v;
    uint32_t u;
    for (v = 0; v < c->n; v++) {
        part_path base = {0.0, 0.0, 0.0};
        for (u = 0; u < v; u++) {
            if (has(c->in[v], u) && has(nodes, u) && part_callable(c, u) &&
                larger(&best[u], &base)) {
                base = best[u];
            }
        }
        base.overall += c->mem[v] > c->compute[v] ? c->mem[v] : c->compute[v];
        base.mem += c->mem[v];
        base.compute += c->compute[v];
        best[v] = base;
        if (has(nodes, v) && part_callable(c, v) && larger(&base, &longest)) {
            longest = base;
        }
    }
    return longest;
}

/* The longest of all paths that go on from `node`, which `so_far` seconds lead up to. */
static double walk_nodes(const part_case *c, part_set nodes, uint32_t node, double so_far)
{
    double longest = 0.0;
    int is_end = 1;
    uint32_t v;
    so_far += c->mem[node] > c->compute[node] ? c->mem[node] : c->compute[node];
    for (v = node + 1u; v < c->n; v++) {
        if (has(nodes, v) && has(c->in[v], node)) {
            double const seconds = walk_nodes(c, nodes, v, so_far);
            longest = seconds > longest ? seconds : longest;
            is_end = 0;
        }
    }
    return is_end ? so_far : longest;
}

double part_longest(const part_case *c, part_set nodes)
{
    part_set const calls = calls_of(c, nodes);
    double longest = 0.0;
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        if (has(calls, v) && (c->in[v] & calls) == 0u) {
            double const seconds = walk_nodes(c, calls, v, 0.0);
            longest = seconds > longest ? seconds : longest;
        }
    }
    return longest;
}

static int same_devices(const part *a, const part *b)
{
    return a->n_ids != 0u && a->n_ids == b->n_ids &&
           memcmp(a->ids, b->ids, a->n_ids * sizeof(a->ids[0])) == 0;
}

static double communication(const part_case *c, const part *parent, const part *child)
{
    part_set seen = 0;
    uint64_t bytes = 0;
    uint32_t v;
    uint32_t u;
    if (same_devices(parent, child)) {
        return 0.0;
    }
    for (v = 0; v < c->n; v++) {
        for (u = 0; u < c->n; u++) {
            if (has(child->nodes, v) && has(c->in[v], u) && has(parent->nodes, u) &&
                !has(seen, u)) {
                bytes += c->bytes[u];
                seen |= bit(u);
            }
        }
    }
    return (double)bytes / c->rate;
}

static double walk_parts(const part_case *c, const part_list *list, uint32_t at, double so_far)
{
    const part *const p = &list->at[at];
    double longest = 0.0;
    uint32_t i;
    so_far += p->path.overall;
    if (p->children == 0u) {
        return so_far;
    }
    for (i = 0; i < list->n; i++) {
        if (has(p->children, i)) {
            double const moved = so_far + communication(c, p, &list->at[i]);
            double const seconds = walk_parts(c, list, i, moved);
            longest = seconds > longest ? seconds : longest;
        }
    }
    return longest;
}

double part_latency(const part_case *c, const part_list *list)
{
    double longest = 0.0;
    uint32_t i;
    for (i = 0; i < list->n; i++) {
        if (list->at[i].parents == 0u) {
            double const seconds = walk_parts(c, list, i, 0.0);
            longest = seconds > longest ? seconds : longest;
        }
    }
    return longest;
}

static double price(const part_case *c, part_list *list)
{
    uint32_t i;
    for (i = 0; i < list->n; i++) {
        list->at[i].path = part_critical(c, list->at[i].nodes);
    }
    return part_latency(c, list);
}

/* ---- devices ---- */

static uint32_t device_of(const part_case *c, uint32_t id)
{
    uint32_t d;
    for (d = 0; d < c->n_devices && c->device_id[d] != id; d++) {
    }
    return d;
}

static void reset_devices(part_list *list)
{
    uint32_t i;
    for (i = 0; i < list->n; i++) {
        list->at[i].n_ids = 0;
    }
}

/* Bytes that a partition adds to a device with the partitions whose union is `there`. */
static uint64_t needed(const part_case *c, const part *p, part_set there)
{
    uint64_t bytes = 0;
    uint32_t v;
    if (there == 0u) {
        return p->used;
    }
    for (v = 0; v < c->n; v++) {
        if (has(p->nodes, v)) {
            bytes += extra_size(c, v, there | p->nodes);
        }
    }
    return bytes;
}

/* Stable: equal devices stay in the order that they had. */
static void sort_devices(uint32_t *order, uint32_t n, const int64_t *left)
{
    uint32_t i;
    uint32_t j;
    for (i = 1; i < n; i++) {
        for (j = i; j > 0u && left[order[j]] < left[order[j - 1u]]; j--) {
            uint32_t const d = order[j];
            order[j] = order[j - 1u];
            order[j - 1u] = d;
        }
    }
}

/* 1 if every partition without devices has got one; 0 if one finds none; it and all after it stay
 * without. */
static int map_devices(const part_case *c, part_list *list)
{
    part_set there[PART_DEVICES] = {0};
    int64_t left[PART_DEVICES];
    uint32_t order[PART_DEVICES];
    int waiting[PART_NODES];
    uint32_t d;
    uint32_t i;
    uint32_t k;
    for (d = 0; d < c->n_devices; d++) {
        left[d] = (int64_t)c->capacity[d];
        order[d] = d;
    }
    for (i = 0; i < list->n; i++) {
        waiting[i] = list->at[i].n_ids == 0u;
        for (k = 0; k < list->at[i].n_ids; k++) {
            d = device_of(c, list->at[i].ids[k]);
            there[d] |= list->at[i].nodes;
            left[d] -= (int64_t)list->at[i].used;
        }
    }
    for (i = 0; i < list->n; i++) {
        part *const p = &list->at[i];
        if (!waiting[i]) {
            continue;
        }
        sort_devices(order, c->n_devices, left);
        for (k = 0; k < c->n_devices; k++) {
            int64_t const bytes = (int64_t)needed(c, p, there[order[k]]);
            if (bytes < left[order[k]]) {
                there[order[k]] |= p->nodes;
                left[order[k]] -= bytes;
                p->ids[p->n_ids++] = c->device_id[order[k]];
                break;
            }
        }
        if (k == c->n_devices) {
            return 0;
        }
    }
    return 1;
}

static void fail(part_result *r, gsp_status status, uint32_t node)
{
    r->status = status;
    r->node = node;
}

/* ---- size ---- */

typedef struct filling {
    uint32_t partition; /* that is being filled */
    int64_t left;       /* on its device */
    int taken[PART_DEVICES];
} filling;

static int take_device(
    const part_case *c, part_result *r, filling *f, uint32_t node, uint32_t *device)
{
    uint32_t d;
    for (d = 0; d < c->n_devices; d++) {
        if (!f->taken[d] && c->capacity[d] >= extra_size(c, node, 0)) {
            f->taken[d] = 1;
            *device = d;
            return 1;
        }
    }
    fail(r, GSP_STATUS_NO_FIT, node);
    return 0;
}

/* One node; 0 after a failure. */
static int size_node(const part_case *c, part_result *r, filling *f, uint32_t node)
{
    part *p = &r->parts.at[f->partition];
    int64_t bytes = (int64_t)extra_size(c, node, p->nodes);
    uint32_t device = PART_NONE;
    if (r->parts.n > c->n_devices) {
        (void)create_single(c, &r->parts, node);
        return 1;
    }
    if (p->nodes == 0u) {
        if (!take_device(c, r, f, node, &device)) {
            return 0;
        }
    } else if (f->left < bytes) {
        if (r->parts.n == c->n_devices) {
            (void)create_single(c, &r->parts, node);
            return 1;
        }
        if (!take_device(c, r, f, node, &device)) {
            return 0;
        }
        f->partition = r->parts.n;
        p = create(&r->parts);
        bytes = (int64_t)extra_size(c, node, 0);
    }
    if (device != PART_NONE) {
        f->left = (int64_t)c->capacity[device];
        p->ids[p->n_ids++] = c->device_id[device];
    }
    add_node(c, p, node);
    f->left -= bytes;
    return 1;
}

static void size_based(const part_case *c, part_result *r)
{
    filling f;
    uint32_t v;
    memset(&f, 0, sizeof(f));
    (void)create(&r->parts);
    for (v = 0; v < c->n; v++) {
        if (part_callable(c, v) && !size_node(c, r, &f, v)) {
            return;
        }
    }
    part_relate(c, &r->parts);
    if (!map_devices(c, &r->parts)) {
        fail(r, GSP_STATUS_NO_FIT, PART_NONE);
    }
}

/* ---- combining ---- */

/* The two become one at the end of the list. */
static void combine(const part_case *c, part_list *list, uint32_t i, uint32_t j)
{
    part *const p = create(list);
    p->nodes = list->at[i].nodes | list->at[j].nodes;
    p->used = part_bytes(c, p->nodes);
    erase(list, i > j ? i : j);
    erase(list, i > j ? j : i);
    part_relate(c, list);
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* ---- sparse-nn ---- */

/* Partitions are told apart by their nodes: places in the list change. */
typedef struct kind_list {
    part_set nodes[PART_NODES];
    uint32_t n;
} kind_list;

static uint32_t find_part(const part_list *list, part_set nodes)
{
    uint32_t i;
    for (i = 0; i < list->n && list->at[i].nodes != nodes; i++) {
    }
    return i;
}

static void drop(kind_list *kind, part_set nodes)
{
    uint32_t i;
    uint32_t n = 0;
    for (i = 0; i < kind->n; i++) {
        if (kind->nodes[i] != nodes) {
            kind->nodes[n++] = kind->nodes[i];
        }
    }
    kind->n = n;
}

static int can_combine(const part_case *c, const part_list *list, uint32_t i, uint32_t j)
{
    part_list trial = *list;
    part_set const both = list->at[i].nodes | list->at[j].nodes;
    if (apart(list->at[i].level, list->at[j].level) > 1u || part_bytes(c, both) > c->capacity[0]) {
        return 0;
    }
    combine(c, &trial, i, j);
    return !waits_for_itself(&trial, trial.n - 1u);
}

/* One combination of two partitions of a kind; 0 if none was found. */
static int combine_by_size(const part_case *c, part_result *r, kind_list *kind)
{
    part_set sorted[PART_NODES];
    uint32_t smallest;
    uint32_t i;
    uint32_t j;
    for (i = 0; i < kind->n; i++) { /* stable */
        for (j = i; j > 0u && part_bytes(c, sorted[j - 1u]) > part_bytes(c, kind->nodes[i]); j--) {
            sorted[j] = sorted[j - 1u];
        }
        sorted[j] = kind->nodes[i];
    }
    levels(&r->parts);
    smallest = find_part(&r->parts, sorted[0]);
    for (i = kind->n; i-- > 1u;) {
        uint32_t const other = find_part(&r->parts, sorted[i]);
        if (can_combine(c, &r->parts, other, smallest)) {
            part_step *const step = &r->steps[r->n_steps++];
            step->from = other;
            step->to = smallest;
            combine(c, &r->parts, other, smallest);
            drop(kind, sorted[0]);
            drop(kind, sorted[i]);
            kind->nodes[kind->n++] = r->parts.at[r->parts.n - 1u].nodes;
            return 1;
        }
    }
    return 0;
}

static void sparse_devices(
    const part_case *c, part_result *r, const kind_list *tables, const kind_list *others)
{
    uint64_t rest = 0;
    uint32_t i;
    uint32_t k;
    for (i = 0; i < others->n; i++) {
        rest += part_bytes(c, others->nodes[i]);
    }
    if (tables->n > c->n_devices) {
        fail(r, GSP_STATUS_NO_FIT, PART_NONE);
        return;
    }
    for (i = 0; i < tables->n; i++) {
        part *const p = &r->parts.at[find_part(&r->parts, tables->nodes[i])];
        if (rest + p->used > c->capacity[0]) {
            fail(r, GSP_STATUS_NO_FIT, PART_NONE);
            return;
        }
        p->ids[p->n_ids++] = c->device_id[i];
    }
    for (i = 0; i < others->n; i++) {
        part *const p = &r->parts.at[find_part(&r->parts, others->nodes[i])];
        for (k = 0; k < tables->n; k++) {
            p->ids[p->n_ids++] = c->device_id[k];
        }
        p->shares = tables->n != 0u;
    }
    if (tables->n == 0u && !map_devices(c, &r->parts)) {
        fail(r, GSP_STATUS_NO_FIT, PART_NONE);
    }
}

static void sparse_nn(const part_case *c, part_result *r)
{
    kind_list kinds[2]; /* others, tables */
    uint32_t in_table = 0;
    part *p = create(&r->parts);
    uint32_t v;
    memset(kinds, 0, sizeof(kinds));
    for (v = 0; v < c->n; v++) {
        uint32_t const is_table = c->op[v] == PART_EMBEDDING;
        if (!part_callable(c, v)) {
            continue;
        }
        if (is_table != in_table) {
            if (p->nodes != 0u) {
                kinds[in_table].nodes[kinds[in_table].n++] = p->nodes;
                p = create(&r->parts);
            }
            in_table = is_table;
        }
        if (extra_size(c, v, p->nodes) + p->used > c->capacity[0]) {
            if (extra_size(c, v, 0) > c->capacity[0]) {
                fail(r, GSP_STATUS_NO_FIT, v);
                return;
            }
            kinds[in_table].nodes[kinds[in_table].n++] = p->nodes;
            p = create(&r->parts);
        }
        add_node(c, p, v);
    }
    kinds[in_table].nodes[kinds[in_table].n++] = p->nodes;
    part_relate(c, &r->parts);
    while (kinds[0].n != 0u && combine_by_size(c, r, &kinds[0])) {
    }
    while (kinds[1].n != 0u && combine_by_size(c, r, &kinds[1])) {
    }
    sparse_devices(c, r, &kinds[1], &kinds[0]);
}

/* ---- cost-aware ---- */

static double try_combining(const part_case *c, const part_list *list, uint32_t i, uint32_t j)
{
    part_list trial = *list;
    if (apart(list->at[i].level, list->at[j].level) > 1u && !has(list->at[j].parents, i) &&
        !has(list->at[j].children, i)) {
        return HUGE_VAL;
    }
    combine(c, &trial, i, j);
    if (waits_for_itself(&trial, trial.n - 1u)) {
        return HUGE_VAL;
    }
    reset_devices(&trial);
    if (!map_devices(c, &trial)) {
        return HUGE_VAL;
    }
    return price(c, &trial);
}

/* One round; 0 if no pair makes it cheaper. */
static int search_combination(const part_case *c, part_result *r)
{
    part_list *const list = &r->parts;
    double cost = price(c, list);
    part_step best;
    uint32_t i;
    uint32_t j;
    if (r->n_steps == 0u) {
        r->begin = cost;
    }
    memset(&best, 0, sizeof(best));
    for (i = 0; i + 1u < list->n; i++) {
        for (j = i + 1u; j < list->n; j++) {
            double const tried = try_combining(c, list, i, j);
            if (tried <= cost) {
                best.from = i;
                best.to = j;
                cost = tried;
            }
        }
    }
    if (best.to != 0u) {
        combine(c, list, best.from, best.to);
        best.cost = cost;
        r->steps[r->n_steps++] = best;
    }
    levels(list);
    reset_devices(list);
    if (!map_devices(c, list) && best.to == 0u) {
        fail(r, GSP_STATUS_NO_FIT, PART_NONE);
    }
    return best.to != 0u;
}

static void cost_aware(const part_case *c, part_result *r)
{
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        if (part_callable(c, v)) {
            (void)create_single(c, &r->parts, v);
        }
    }
    part_relate(c, &r->parts);
    levels(&r->parts);
    while (search_combination(c, r)) {
    }
}

/* ---- Kernighan-Lin ---- */

static void drop_empty(const part_case *c, part_list *list)
{
    uint32_t i = 0;
    while (i < list->n) {
        if (list->at[i].nodes == 0u) {
            erase(list, i);
        } else {
            i++;
        }
    }
    part_relate(c, list);
}

/* An emptied partition keeps its place: later nodes of the sweep may move into it. */
static void swap_nodes(const part_case *c, part_list *list, const part_step *s)
{
    remove_node(c, &list->at[s->from], s->node);
    add_node(c, &list->at[s->to], s->node);
    if (s->partner != PART_NONE) {
        remove_node(c, &list->at[s->to], s->partner);
        add_node(c, &list->at[s->from], s->partner);
    }
}

static double try_swap(const part_case *c, const part_list *list, const part_step *s)
{
    part_list trial = *list;
    swap_nodes(c, &trial, s);
    drop_empty(c, &trial);
    if (part_cyclic(&trial)) {
        return HUGE_VAL;
    }
    reset_devices(&trial);
    if (!map_devices(c, &trial)) {
        return HUGE_VAL;
    }
    return price(c, &trial);
}

/* The cheapest change of place for a node, if one is below the cost. */
static void kl_node(const part_case *c, part_result *r, uint32_t node, double *cost)
{
    part_list *const list = &r->parts;
    part_step best;
    part_step s;
    uint32_t m;
    memset(&s, 0, sizeof(s));
    s.node = node;
    best = s;
    best.partner = node; /* none yet */
    for (s.from = 0; !has(list->at[s.from].nodes, node); s.from++) {
    }
    for (s.to = 0; s.to < list->n; s.to++) {
        for (m = 0; m <= c->n && s.to != s.from; m++) {
            if (m == c->n || (has(list->at[s.to].nodes, m) && part_callable(c, m))) {
                s.partner = m < c->n ? m : PART_NONE;
                s.cost = try_swap(c, list, &s);
                if (s.cost < *cost) {
                    *cost = s.cost;
                    best = s;
                }
            }
        }
    }
    if (best.partner != node) {
        swap_nodes(c, list, &best);
        r->steps[r->n_steps++] = best;
    }
}

/* The partitions have no devices. Those of KL are still by size, where devices may be full to the
 * last byte. */
static void size_or_fail(const part_case *c, part_result *r)
{
    memset(&r->parts, 0, sizeof(r->parts));
    if (c->mode == PART_KL) {
        size_based(c, r);
    } else {
        fail(r, GSP_STATUS_NO_FIT, PART_NONE);
    }
}

static void kernighan_lin(const part_case *c, part_result *r)
{
    double cost;
    uint32_t sweep;
    uint32_t v;
    size_based(c, r);
    if (r->status != GSP_OK) {
        return;
    }
    cost = price(c, &r->parts);
    r->begin = cost;
    for (sweep = 0; sweep < c->sweeps; sweep++) {
        for (v = 0; v < c->n; v++) {
            if (part_callable(c, v)) {
                kl_node(c, r, v, &cost);
            }
        }
        drop_empty(c, &r->parts);
    }
    reset_devices(&r->parts);
    if (!map_devices(c, &r->parts)) {
        size_or_fail(c, r);
    }
}

/* ---- the caller's own assignment ---- */

static void ahead_of_time(const part_case *c, part_result *r)
{
    uint32_t ids[PART_NODES];
    uint32_t id;
    uint32_t v;
    uint32_t i;
    for (id = 0; id < PART_NODES; id++) {
        part *p = NULL;
        for (v = 0; v < c->n; v++) {
            if (part_callable(c, v) && c->assign[v] == id) {
                p = p == NULL ? create(&r->parts) : p;
                add_node(c, p, v);
            }
        }
        if (p != NULL) {
            for (i = 0; i < c->n_devices; i++) {
                if (has(c->aot_devices[id], i)) {
                    p->ids[p->n_ids++] = c->device_id[i];
                }
            }
            ids[r->parts.n - 1u] = id;
        }
    }
    part_relate(c, &r->parts);
    for (i = 0; i < r->parts.n; i++) {
        r->parts.at[i].id = ids[i];
    }
    if (part_cyclic(&r->parts)) {
        fail(r, GSP_STATUS_CYCLE, PART_NONE);
    }
}

/* ---- saturating ---- */

typedef struct copying {
    uint64_t load[PART_DEVICES]; /* bytes of the partitions on a device */
    int used[PART_DEVICES];
    uint32_t n_used;
    uint32_t copies[PART_DEVICES]; /* devices that copy, in the order in which they were found */
    uint32_t copy_of[PART_DEVICES];
    uint32_t n_copies;
} copying;

static int holds(const part *p, uint32_t id)
{
    uint32_t k;
    for (k = 0; k < p->n_ids; k++) {
        if (p->ids[k] == id) {
            return 1;
        }
    }
    return 0;
}

static void find_loads(const part_case *c, const part_list *list, copying *y)
{
    uint32_t i;
    uint32_t d;
    memset(y, 0, sizeof(*y));
    for (d = 0; d < c->n_devices; d++) {
        y->copy_of[d] = PART_NONE;
        for (i = 0; i < list->n; i++) {
            if (holds(&list->at[i], c->device_id[d])) {
                y->used[d] = 1;
                y->load[d] += list->at[i].used;
            }
        }
        y->n_used += y->used[d] ? 1u : 0u;
    }
}

/* The smallest idle device with room for what stands on `device`. */
static uint32_t find_idle(const part_case *c, const copying *y, const int *idle, uint32_t device)
{
    uint32_t best = PART_NONE;
    uint32_t d;
    for (d = 0; d < c->n_devices; d++) {
        if (idle[d] && c->capacity[d] >= y->load[device] &&
            (best == PART_NONE || c->capacity[d] < c->capacity[best])) {
            best = d;
        }
    }
    return best;
}

/* A copy of every used device, or of none. */
static int copy_round(const part_case *c, copying *y)
{
    copying found = *y;
    int idle[PART_DEVICES];
    uint32_t d;
    for (d = 0; d < c->n_devices; d++) {
        idle[d] = !y->used[d] && y->copy_of[d] == PART_NONE;
    }
    for (d = 0; d < c->n_devices; d++) {
        if (y->used[d]) {
            uint32_t const copy = find_idle(c, y, idle, d);
            if (copy == PART_NONE) {
                return 0;
            }
            idle[copy] = 0;
            found.copy_of[copy] = d;
            found.copies[found.n_copies++] = copy;
        }
    }
    *y = found;
    return 1;
}

/* One more id for a partition; a list that several share grows for all of them. */
static void append_id(part_list *list, uint32_t at, uint32_t id)
{
    uint32_t i;
    for (i = 0; i < list->n; i++) {
        part *const p = &list->at[i];
        if (i == at || (list->at[at].shares && p->shares)) {
            p->ids[p->n_ids++] = id;
        }
    }
}

/* Idle devices take copies of all that the used ones hold, as often as they can. */
static void saturate(const part_case *c, part_list *list)
{
    copying y;
    uint32_t k;
    uint32_t i;
    find_loads(c, list, &y);
    while (y.n_used * 2u + y.n_copies <= c->n_devices && copy_round(c, &y)) {
    }
    for (k = 0; k < y.n_copies; k++) {
        uint32_t const copy = y.copies[k];
        for (i = 0; i < list->n; i++) {
            if (holds(&list->at[i], c->device_id[y.copy_of[copy]])) {
                append_id(list, i, c->device_id[copy]);
            }
        }
    }
}

/* ---- all modes ---- */

static uint32_t largest_device(const part_case *c)
{
    uint32_t largest = 0;
    uint32_t d;
    for (d = 1; d < c->n_devices; d++) {
        largest = c->capacity[d] > c->capacity[largest] ? d : largest;
    }
    return largest;
}

static void single(const part_case *c, part_result *r, uint32_t device)
{
    part *const p = create(&r->parts);
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        p->nodes |= bit(v);
    }
    p->used = part_bytes(c, p->nodes);
    p->ids[p->n_ids++] = c->device_id[device];
    part_relate(c, &r->parts);
}

static void run_mode(const part_case *c, part_result *r)
{
    uint64_t all = 0;
    uint64_t total = 0;
    uint32_t const largest = largest_device(c);
    uint32_t i;
    for (i = 0; i < c->n; i++) {
        total += c->bytes[i] + c->params[i];
    }
    for (i = 0; i < c->n_devices; i++) {
        all += c->capacity[i];
    }
    if (c->mode == PART_AOT) {
        ahead_of_time(c, r);
    } else if (total <= c->capacity[largest]) {
        single(c, r, largest);
    } else if (total > all) {
        fail(r, GSP_STATUS_NO_FIT, PART_NONE);
    } else if (c->mode == PART_SPARSE) {
        for (i = 0; i < c->n_devices; i++) {
            if (c->capacity[i] != c->capacity[0]) {
                fail(r, GSP_STATUS_ARG, PART_NONE);
                return;
            }
        }
        sparse_nn(c, r);
    } else if (c->mode == PART_COST) {
        cost_aware(c, r);
    } else if (c->mode == PART_KL) {
        kernighan_lin(c, r);
    } else {
        size_based(c, r);
    }
}

static int has_calls(const part_case *c)
{
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        if (part_callable(c, v)) {
            return 1;
        }
    }
    return 0;
}

void part_run(const part_case *c, part_result *r)
{
    memset(r, 0, sizeof(*r));
    r->status = GSP_OK;
    r->node = PART_NONE;
    if (c->n_devices == 0u || !has_calls(c)) {
        fail(r, c->n_devices == 0u ? GSP_STATUS_ARG : GSP_STATUS_EMPTY, PART_NONE);
        return;
    }
    run_mode(c, r);
    if (r->status != GSP_OK) {
        return;
    }
    levels(&r->parts);
    r->latency = price(c, &r->parts); /* copies move nothing that originals do not */
    if (c->saturate) {
        saturate(c, &r->parts);
    }
}

void part_take(const part_case *c, const uint32_t *part_of, uint32_t n, part_result *r)
{
    uint32_t i;
    uint32_t v;
    memset(r, 0, sizeof(*r));
    r->status = GSP_OK;
    r->node = PART_NONE;
    for (i = 0; i < n; i++) {
        part *const p = create(&r->parts);
        for (v = 0; v < c->n; v++) {
            if (part_callable(c, v) && part_of[v] == i) {
                add_node(c, p, v);
            }
        }
    }
    part_relate(c, &r->parts);
    if (part_cyclic(&r->parts)) {
        fail(r, GSP_STATUS_CYCLE, PART_NONE);
    } else if (!map_devices(c, &r->parts)) {
        size_or_fail(c, r);
    }
    if (r->status == GSP_OK) {
        levels(&r->parts);
        r->latency = price(c, &r->parts);
    }
}
