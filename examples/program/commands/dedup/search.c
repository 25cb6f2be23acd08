/* Which regions, and which constants are lifted, so that calls replace most nodes. */
#include "commands/dedup/dedup.h"

#include "algorithms/algorithms.h"

#include <string.h>

/* A way to run the pass, and the nodes that it saves. */
typedef struct way {
    uint32_t kinds;     /* of lifted constants */
    gsp_regions *given; /* NULL: PyTorch's */
    uint64_t saved;
    int found;
    int stopped; /* by the user: no other way is tried */
} way;

/* Sets 1 for values whose memory a call writes or views, which PyTorch leaves as they are. */
static uint8_t *find_shared(const dedup *p)
{
    const gsp_graph *g = &p->graph;
    uint8_t *shared = (uint8_t *)cli_alloc(p->session, g->n_nodes, 1u);
    for (gsp_node v = 0; v < g->n_nodes; v++) {
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
    for (uint32_t i = r->group_begin[group]; i < r->group_begin[group + 1u]; i++) {
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

int dedup_rejected(const dedup *p, uint64_t *promised)
{
    const gsp_regions *r = &p->result.regions;
    const gsp_dedup_selection *a = &p->result.selection;
    uint8_t *shared = NULL;
    uint32_t next = 0; /* subgraphs are in order of their groups */
    int any = 0;
    *promised = 0;
    for (uint32_t group = 0; group < r->n_groups; group++) {
        uint32_t const nodes = r->group_begin[group + 1u] - r->group_begin[group];
        *promised += nodes - nodes / r->group_regions[group];
        if (next < a->n_subgraphs && a->group_of[next] == group) {
            next++;
            continue;
        }
        shared = shared == NULL ? find_shared(p) : shared;
        any = any || !is_shared(p, group, shared);
    }
    cli_release(p->session, shared);
    return any;
}

static uint64_t saved_nodes(const dedup *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->result.selection.n_subgraphs; i++) {
        sum += (uint64_t)dedup_rows(p, i) * (dedup_calls(p, i) - 1u);
    }
    return sum;
}

/* Runs the pass with these regions, and keeps them if they are the best. Returns an exit status;
 * *failed: the pass has no result. */
static int try_way(dedup *p, dedup_run_pass run, gsp_regions *given, way *best, int *failed)
{
    gsp_error err = {0};
    int code;
    p->desc.given = given;
    code = run(p, 0, &err);
    *failed = code != CLI_EXIT_OK || err.status != GSP_OK;
    if (!*failed && (!best->found || saved_nodes(p) > best->saved)) {
        best->found = 1;
        best->saved = saved_nodes(p);
        best->kinds = p->lifted.kinds;
        best->given = given;
    }
    return code;
}

/* Tries PyTorch's regions, then those of the search if they save more, and at least `least`. */
static int try_both(dedup *p, dedup_run_pass run, uint64_t least, way *best)
{
    gsp_repeats_result *found = (gsp_repeats_result *)cli_alloc(p->session, 1u, sizeof *found);
    gsp_error err;
    int failed;
    int code = try_way(p, run, NULL, best, &failed);
    if (failed) {
        return code;
    }
    if (cli_repeats_find(p->session, &p->graph, &p->result, NULL, found, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    best->stopped = found->stopped != 0u;
    return found->saved > best->saved && found->saved >= least
               ? try_way(p, run, &found->regions, best, &failed)
               : code;
}

int dedup_search(dedup *p, dedup_run_pass run, uint64_t least)
{
    static const uint32_t kinds[] = {
        DEDUP_NUMBERS | DEDUP_STRINGS, DEDUP_NUMBERS, DEDUP_STRINGS, 0};
    gsp_graph const plain = p->graph;
    way best = {0, NULL, 0, 0, 0};
    size_t i = p->opt.lift ? 0u : CLI_COUNT(kinds) - 1u;
    int code = CLI_EXIT_OK;
    for (; i < CLI_COUNT(kinds) && code == CLI_EXIT_OK && !best.stopped; i++) {
        p->graph = plain;
        if (p->opt.lift && (code = dedup_lift(p, kinds[i])) != CLI_EXIT_OK) {
            break;
        }
        code = try_both(p, run, least, &best);
    }
    p->graph = plain;
    p->desc.given = best.given;
    return code != CLI_EXIT_OK || !p->opt.lift ? code
                                               : dedup_lift(p, best.found ? best.kinds : kinds[0]);
}
