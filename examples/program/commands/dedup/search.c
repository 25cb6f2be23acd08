/* Which classes end no region, and which constants are lifted, so that calls replace most nodes. */
#include "commands/dedup/dedup.h"

#include <string.h>

#define MOST_NODES 4000000u /* of all runs together, after the first of each kind of constants */

/* A way to run the pass, and the nodes that it saves. */
typedef struct way {
    uint32_t kinds;  /* of lifted constants */
    uint8_t *no_end; /* [nodes] */
    uint64_t saved;
    int found;
} way;

typedef struct search {
    dedup *p;
    dedup_run_pass run;
    uint64_t n_nodes; /* of all runs so far */
    int failed;       /* the last run */
    int code;
} search;

/* Sets 1 for values whose memory a call writes or shows, which PyTorch leaves as they are. */
static uint8_t *find_shared(const dedup *p)
{
    const gsp_graph *g = &p->graph;
    uint8_t *shared = (uint8_t *)cli_alloc(p->session, g->n_nodes, 1u);
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        if (gsp_node_attr(g, v, GSP_KEY_MUTATES).size != 0u ||
            gsp_node_attr(g, v, GSP_KEY_ALIAS).size != 0u) {
            shared[v] = 1;
            while (n-- > 0) {
                shared[in[n]] = 1;
            }
        }
    }
    return shared;
}

/* 1 if a group holds or reads such values. */
static int is_shared(const dedup *p, uint32_t group, const uint8_t *shared)
{
    const gsp_regions *r = &p->result.regions;
    uint32_t i;
    for (i = r->group_begin[group]; i < r->group_begin[group + 1u]; i++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&p->graph, r->members[i], &n);
        if (shared[r->members[i]]) {
            return 1;
        }
        while (n-- > 0) {
            if (shared[in[n]]) {
                return 1;
            }
        }
    }
    return 0;
}

int dedup_rejected(const dedup *p, uint8_t *no_end)
{
    const gsp_regions *r = &p->result.regions;
    const gsp_dedup_selection *a = &p->result.selection;
    uint8_t *shared = NULL;
    uint32_t next = 0; /* subgraphs are in order of their groups */
    uint32_t group;
    int any = 0;
    for (group = 0; group < r->n_groups; group++) {
        if (next < a->n_subgraphs && a->group_of[next] == group) {
            next++;
            continue;
        }
        shared = shared == NULL ? find_shared(p) : shared;
        if (!is_shared(p, group, shared)) {
            any = 1;
            if (no_end != NULL) { /* the last row has the ends */
                no_end[r->members[r->group_begin[group + 1u] - r->group_regions[group]]] = 1;
            }
        }
    }
    cli_release(p->session, shared);
    return any;
}

static uint64_t saved_nodes(const dedup *p)
{
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < p->result.selection.n_subgraphs; i++) {
        sum += (uint64_t)dedup_rows(p, i) * (dedup_calls(p, i) - 1u);
    }
    return sum;
}

/* Runs a way, and keeps it if it is the best; 1 if so. */
static int try_way(search *w, const uint8_t *no_end, way *best)
{
    dedup *p = w->p;
    size_t const n = p->graph.n_nodes;
    gsp_error err = {0};
    p->desc.no_end = no_end;
    w->n_nodes += n;
    w->code = w->run(p, 0, &err);
    w->failed = w->code != CLI_EXIT_OK || err.status != GSP_OK;
    if (w->failed || (best->found && saved_nodes(p) <= best->saved)) {
        return 0;
    }
    best->found = 1;
    best->saved = saved_nodes(p);
    best->kinds = p->lifted.kinds;
    best->no_end = (uint8_t *)cli_grow(p->session, best->no_end, n);
    memcpy(best->no_end, no_end, n);
    return 1;
}

static int may_try(const search *w)
{
    return !w->failed && w->n_nodes <= MOST_NODES;
}

/* The classes whose groups fail, and not for what is written, end no region in the next round, and
 * give their nodes back. */
static void give_back(search *w, uint8_t *no_end, way *best)
{
    do {
        (void)try_way(w, no_end, best);
    } while (may_try(w) && dedup_rejected(w->p, no_end));
}

/* The same for classes whose groups succeed, if others then save more. */
static void give_up(search *w, uint8_t *no_end, way *best)
{
    size_t const n = w->p->graph.n_nodes;
    uint32_t i = 0;
    gsp_error err = {0};
    while (may_try(w)) {
        const gsp_regions *r = &w->p->result.regions;
        uint32_t group;
        w->p->desc.no_end = best->no_end;
        w->n_nodes += n;
        if (w->run(w->p, 0, &err) != CLI_EXIT_OK || i >= w->p->result.selection.n_subgraphs) {
            return;
        }
        group = w->p->result.selection.group_of[i++];
        memcpy(no_end, best->no_end, n);
        no_end[r->members[r->group_begin[group + 1u] - r->group_regions[group]]] = 1;
        i = try_way(w, no_end, best) ? 0u : i;
    }
}

int dedup_search(dedup *p, dedup_run_pass run)
{
    static const uint32_t kinds[] = {
        DEDUP_NUMBERS | DEDUP_STRINGS, DEDUP_NUMBERS, DEDUP_STRINGS, 0};
    gsp_graph const plain = p->graph;
    search w = {p, run, 0, 0, CLI_EXIT_OK};
    way best = {0, NULL, 0, 0};
    size_t i = p->opt.lift ? 0u : CLI_COUNT(kinds) - 1u;
    for (; i < CLI_COUNT(kinds) && w.code == CLI_EXIT_OK; i++) {
        way of_kinds = {0, NULL, 0, 0};
        uint8_t *no_end;
        p->graph = plain;
        if (p->opt.lift && (w.code = dedup_lift(p, kinds[i])) != CLI_EXIT_OK) {
            break;
        }
        no_end = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
        give_back(&w, no_end, &of_kinds);
        if (of_kinds.found && (p->opt.lift || p->opt.start == DEDUP_BEST)) {
            give_up(&w, no_end, &of_kinds);
        }
        if (of_kinds.found && (!best.found || of_kinds.saved > best.saved)) {
            best = of_kinds;
        }
    }
    p->graph = plain;
    p->desc.no_end = best.no_end;
    return w.code != CLI_EXIT_OK || !p->opt.lift
               ? w.code
               : dedup_lift(p, best.found ? best.kinds : kinds[0]);
}
