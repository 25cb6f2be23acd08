/* --blocks of `split`: repeated regions of the accelerators' subgraphs become subgraphs of their
 * own, which call one graph. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <string.h>

/* The nodes of a call are a unit, and so is any other node. */
typedef struct cut {
    split *p;
    const gsp_dedup_result *result;
    uint32_t *call_of; /* [nodes] the call that replaces it, or GSP_NONE */
    uint32_t *piece_of;
    uint8_t *kind; /* [n_pieces] */
    uint32_t n_pieces;
    gsp_node *left; /* of the present subgraph: nodes of no piece yet */
    uint32_t n_left;
    uint32_t *held; /* [calls] the last scan in which the call waits */
    uint32_t scan;
} cut;

static uint32_t *new_ids(cli_session *s, size_t n)
{
    uint32_t *ids = (uint32_t *)cli_alloc(s, n + 1u, sizeof *ids);
    memset(ids, 0xFF, (n + 1u) * sizeof *ids);
    return ids;
}

/* ---- repeated regions ---- */

static int is_acc(const split *p, uint32_t subgraph)
{
    return subgraph != GSP_NONE && p->result.subgraph_kind[subgraph] != GSP_KIND_CPU;
}

#define LEAST_SHARE 10u /* a block saves at least this part of what the best one saves */

static uint32_t saved_by(const gsp_regions *r, uint32_t group)
{
    uint32_t const n = r->group_begin[group + 1u] - r->group_begin[group];
    return n - n / r->group_regions[group];
}

/* Drops blocks that make more subgraphs than they are worth. */
static void drop_small(gsp_regions *r)
{
    uint32_t most = 0;
    uint32_t kept = 0;
    uint32_t end = 0;
    uint32_t i;
    for (i = 0; i < r->n_groups; i++) {
        most = saved_by(r, i) > most ? saved_by(r, i) : most;
    }
    for (i = 0; i < r->n_groups; i++) {
        uint32_t const begin = r->group_begin[i];
        uint32_t const n = r->group_begin[i + 1u] - begin;
        if (saved_by(r, i) >= most / LEAST_SHARE) {
            memmove(r->members + end, r->members + begin, n * sizeof *r->members);
            r->group_regions[kept] = r->group_regions[i];
            r->group_begin[kept++] = end;
            end += n;
        }
    }
    r->group_begin[kept] = end;
    r->n_groups = kept;
}

/* A call for each region that repeats within the accelerators' subgraphs. */
static int find_calls(split *p, gsp_dedup_result *result)
{
    cli_session *s = p->session;
    uint32_t *part_of = new_ids(s, p->graph.n_nodes);
    gsp_dedup_desc desc = {0};
    gsp_repeats_result found;
    gsp_error err;
    gsp_node v;
    if (cli_dedup_run(s, &p->graph, &desc, result, &err) != GSP_OK) {
        return cli_pass_error(s, &p->graph, &err);
    }
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t const of = p->result.subgraph_of[v];
        part_of[v] = is_acc(p, of) ? of : GSP_NONE;
    }
    if (cli_repeats_find(s, &p->graph, result, part_of, &found, &err) != GSP_OK) {
        return cli_pass_error(s, &p->graph, &err);
    }
    drop_small(&found.regions);
    desc.given = &found.regions;
    return cli_dedup_run(s, &p->graph, &desc, result, &err) == GSP_OK
               ? CLI_EXIT_OK
               : cli_pass_error(s, &p->graph, &err);
}

/* A getitem outside that unpacks the result of a call belongs to it. */
static void find_units(cut *c)
{
    const gsp_dedup_selection *a = &c->result->selection;
    gsp_node v;
    c->call_of = new_ids(c->p->session, a->n_nodes);
    for (v = 0; v < a->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&c->p->graph, v, &n);
        c->call_of[v] = a->call_of[v] == GSP_NONE && a->subgraph_of[v] != GSP_NONE && n != 0
                            ? a->call_of[in[0]]
                            : a->call_of[v];
    }
}

/* ---- pieces ---- */

static void new_piece(cut *c, uint32_t subgraph)
{
    c->kind[c->n_pieces++] = c->p->result.subgraph_kind[subgraph];
}

/* 1 if a node that has to run before v, in the same subgraph and not in the unit of v, is in no
 * piece. */
static int is_waiting(const cut *c, gsp_node v, const uint32_t *subgraph_of)
{
    uint32_t n;
    const gsp_node *before = cli_before(&c->p->graph, v, &n);
    while (n-- > 0) {
        gsp_node const u = before[n];
        if (subgraph_of[u] == subgraph_of[v] && c->piece_of[u] == GSP_NONE &&
            (c->call_of[u] == GSP_NONE || c->call_of[u] != c->call_of[v])) {
            return 1;
        }
    }
    return 0;
}

static void keep_left(cut *c)
{
    uint32_t kept = 0;
    uint32_t i;
    for (i = 0; i < c->n_left; i++) {
        if (c->piece_of[c->left[i]] == GSP_NONE) {
            c->left[kept++] = c->left[i];
        }
    }
    c->n_left = kept;
}

/* Makes one piece of all nodes outside of calls that can run. */
static void take_rest(cut *c, uint32_t subgraph, const uint32_t *subgraph_of)
{
    uint32_t const piece = c->n_pieces;
    uint32_t i;
    int any = 0;
    for (i = 0; i < c->n_left; i++) {
        gsp_node const v = c->left[i];
        if (c->call_of[v] == GSP_NONE && !is_waiting(c, v, subgraph_of)) {
            c->piece_of[v] = piece;
            any = 1;
        }
    }
    if (any) {
        new_piece(c, subgraph);
        keep_left(c);
    }
}

/* Makes a piece of each call that can run. Returns 1 if there was one. */
static int take_calls(cut *c, uint32_t subgraph, const uint32_t *subgraph_of)
{
    uint32_t const before = c->n_pieces;
    uint32_t i;
    uint32_t *piece = new_ids(c->p->session, c->result->selection.n_calls);
    c->scan++;
    for (i = 0; i < c->n_left; i++) {
        gsp_node const v = c->left[i];
        if (c->call_of[v] != GSP_NONE && is_waiting(c, v, subgraph_of)) {
            c->held[c->call_of[v]] = c->scan;
        }
    }
    for (i = 0; i < c->n_left; i++) {
        uint32_t const call = c->call_of[c->left[i]];
        if (call != GSP_NONE && c->held[call] != c->scan) {
            if (piece[call] == GSP_NONE) {
                piece[call] = c->n_pieces;
                new_piece(c, subgraph);
            }
            c->piece_of[c->left[i]] = piece[call];
        }
    }
    cli_release(c->p->session, piece);
    keep_left(c);
    return c->n_pieces != before;
}

/* Makes the pieces of a subgraph in an order in which they can run: as many nodes between calls as
 * can run, then all calls that can. */
static void cut_subgraph(cut *c, uint32_t subgraph, const uint32_t *subgraph_of)
{
    const gsp_split_result *r = &c->p->result;
    gsp_node v;
    c->n_left = 0;
    for (v = 0; v < r->n_nodes; v++) {
        if (subgraph_of[v] == subgraph) {
            c->left[c->n_left++] = v;
        }
    }
    while (c->n_left != 0) {
        take_rest(c, subgraph, subgraph_of);
        while (take_calls(c, subgraph, subgraph_of)) {
        }
    }
}

/* Makes subgraphs of the pieces; a node that belongs to a call is in the subgraph of its region. */
static uint32_t *new_subgraphs(const cut *c)
{
    const gsp_split_result *r = &c->p->result;
    uint32_t *of_call = new_ids(c->p->session, c->result->selection.n_calls);
    uint32_t *of = new_ids(c->p->session, r->n_nodes);
    gsp_node v;
    for (v = 0; v < r->n_nodes; v++) {
        if (c->result->selection.call_of[v] != GSP_NONE) {
            of_call[c->call_of[v]] = r->subgraph_of[v];
        }
    }
    for (v = 0; v < r->n_nodes; v++) {
        of[v] = c->call_of[v] != GSP_NONE ? of_call[c->call_of[v]] : r->subgraph_of[v];
    }
    return of;
}

static void cut_all(cut *c)
{
    split *p = c->p;
    gsp_split_result *r = &p->result;
    const uint32_t *of = new_subgraphs(c);
    uint32_t *begin;
    uint32_t i;
    c->piece_of = new_ids(p->session, r->n_nodes);
    c->kind = (uint8_t *)cli_alloc(p->session, (size_t)r->n_nodes + 1u, 1u);
    c->left = new_ids(p->session, r->n_nodes);
    c->held = (uint32_t *)cli_alloc(
        p->session, (size_t)c->result->selection.n_calls + 1u, sizeof *c->held);
    for (i = 0; i < r->n_subgraphs; i++) {
        cut_subgraph(c, i, of);
    }
    r->n_subgraphs = c->n_pieces;
    r->subgraph_of = c->piece_of;
    r->subgraph_kind = c->kind;
    r->nodes = split_members(p->session, c->piece_of, r->n_nodes, c->n_pieces, &begin);
    r->subgraph_begin = begin;
}

/* ---- what they are in the deduplicated graph ---- */

/* The pieces of calls, and the graphs that they call. */
static void place_calls(const cut *c, split_blocks *b, uint8_t *is_call)
{
    const gsp_dedup_selection *a = &c->result->selection;
    uint32_t *piece = new_ids(c->p->session, a->n_calls);
    uint32_t i;
    gsp_node v;
    for (v = 0; v < a->n_nodes; v++) {
        if (c->call_of[v] != GSP_NONE) {
            piece[c->call_of[v]] = c->piece_of[v];
        }
    }
    for (i = 0; i < a->n_subgraphs; i++) {
        uint32_t k;
        for (k = a->call_begin[i]; k < a->call_begin[i + 1u]; k++) {
            b->part_of[c->result->call[k]] = piece[k];
            b->shared[piece[k]] = i;
            is_call[c->result->call[k]] = 1;
        }
    }
}

/* The piece of every node of the root; what unpacks a call is with it. */
static void place_root(const cut *c, split_blocks *b)
{
    const gsp_dedup_result *r = c->result;
    gsp_graph const root = gsp_module_graph(&r->module, 0);
    uint8_t *is_call = (uint8_t *)cli_alloc(c->p->session, root.n_nodes, 1u);
    uint32_t i;
    gsp_node v;
    b->part_of = new_ids(c->p->session, root.n_nodes);
    b->shared = new_ids(c->p->session, c->n_pieces);
    for (v = 0; v < r->selection.n_nodes; v++) {
        for (i = r->map_begin[v]; i < r->map_begin[v + 1u]; i++) {
            b->part_of[r->map[i]] = c->piece_of[v];
        }
    }
    place_calls(c, b, is_call);
    for (v = 0; v < root.n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&root, v, &n);
        if (n == 1u && is_call[in[0]] &&
            gsp_str_equal(gsp_node_target(&root, v), gsp_str_of("operator.getitem"))) {
            b->part_of[v] = b->part_of[in[0]];
        }
    }
}

/* ---- programs to compile ---- */

static uint32_t find_graph(const gsp_module *m, gsp_str name)
{
    uint32_t i = m->counts.graphs - 1u;
    while (i > 0 && !gsp_str_equal(gsp_module_str(m, m->graphs[i].name), name)) {
        i--;
    }
    return i;
}

static uint32_t count_nodes(const gsp_module *m, uint32_t graph)
{
    gsp_graph const g = gsp_module_graph(m, graph);
    uint32_t n = 0;
    gsp_node v;
    for (v = 0; v < g.n_nodes; v++) {
        n += gsp_node_is_callable(&g, v) ? 1u : 0u;
    }
    return n;
}

gsp_str split_block_name(const split *p, uint32_t shared)
{
    const gsp_module *m = &p->blocks->result.module;
    return gsp_module_str(m, m->graphs[shared + 1u].name);
}

/* Counts programs of the accelerators; all calls of a graph are one program. */
static split_programs count_programs(const split *p, const gsp_module *m, const split_blocks *b)
{
    const gsp_split_result *r = &p->result;
    const gsp_fingerprint *prints = cli_fingerprints(p->session, m);
    uint32_t *seen = new_ids(p->session, r->n_subgraphs);
    split_programs sum = {0, 0, 0};
    uint32_t i;
    for (i = 0; i < r->n_subgraphs && prints != NULL; i++) {
        uint32_t graph = i + 1u;
        uint32_t k = 0;
        if (!is_acc(p, i)) {
            continue;
        }
        sum.graphs++;
        if (b != NULL && b->shared[i] != GSP_NONE) {
            graph = find_graph(m, split_block_name(p, b->shared[i]));
        }
        while (k < sum.programs && memcmp(&prints[seen[k]], &prints[graph], sizeof *prints) != 0) {
            k++;
        }
        if (k == sum.programs) {
            seen[sum.programs++] = graph;
            sum.nodes += count_nodes(m, graph);
        }
    }
    return sum;
}

/* ---- limits ---- */

static int check_limit(
    const split *p, const char *option, const char *what, uint64_t n, uint64_t limit)
{
    return limit == 0 || n <= limit ? CLI_EXIT_OK
                                    : cli_error(p->session, GSP_STATUS_LIMIT,
                                          "--blocks makes %" PRIu64 " %s, and %s allows %" PRIu64,
                                          n, what, option, limit);
}

static int check_sizes(const split *p)
{
    const gsp_split_result *r = &p->result;
    uint32_t i;
    for (i = 0; i < r->n_subgraphs; i++) {
        uint32_t const n = r->subgraph_begin[i + 1u] - r->subgraph_begin[i];
        if (is_acc(p, i) && n < p->opt.min_size) {
            return cli_error(p->session, GSP_STATUS_LIMIT,
                "--blocks makes an accelerator subgraph of %" PRIu32
                " node%s, and --min-acc-module-size asks for %" PRIu64,
                n, cli_plural(n), p->opt.min_size);
        }
    }
    return CLI_EXIT_OK;
}

/* The limits that the split kept hold for what --blocks makes of it. */
static int check_limits(const split *p)
{
    uint32_t n_acc = 0;
    uint32_t i;
    int code;
    for (i = 0; i < p->result.n_subgraphs; i++) {
        n_acc += is_acc(p, i) ? 1u : 0u;
    }
    code = check_limit(p, "--max-acc-splits", "subgraphs", p->result.n_subgraphs, p->opt.limit);
    code = code != CLI_EXIT_OK
               ? code
               : check_limit(p, "--max-acc", "accelerator subgraphs", n_acc, p->opt.max_acc);
    return code != CLI_EXIT_OK || p->opt.waive_min_size ? code : check_sizes(p);
}

int split_blocks_make(split *p)
{
    split_blocks *b = (split_blocks *)cli_alloc(p->session, 1u, sizeof *b);
    cut c;
    int code;
    memset(&c, 0, sizeof c);
    cli_progress(p->session, "looking for repeated blocks");
    b->before = count_programs(p, &p->made.module, NULL);
    code = find_calls(p, &b->result);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    c.p = p;
    c.result = &b->result;
    find_units(&c);
    p->blocks = b;
    cut_all(&c);
    place_root(&c, b);
    if (b->result.selection.n_calls == 0) {
        return CLI_EXIT_OK;
    }
    if (p->proof.what != SPLIT_PROOF_VALUE) {
        p->proof.what = SPLIT_PROOF_NONE; /* it was of the subgraphs before */
    }
    return check_limits(p);
}

void split_blocks_count(const split *p)
{
    p->blocks->after = count_programs(p, &p->made.module, p->blocks);
}
