/* Figures about a finished split: bytes of subgraphs, coverage, operators, cuts. */
#include "commands/split/split.h"

#include <string.h>

uint32_t split_kind_of(const split *p, gsp_node node)
{
    uint32_t s = p->result.subgraph_of[node];
    return s == GSP_NONE ? GSP_KIND_NONE : p->result.subgraph_kind[s];
}

int split_is_converted(const split *p, gsp_node node, split_objection *o)
{
    uint32_t const kind = split_kind_of(p, node);
    return kind != GSP_KIND_NONE && kind != GSP_KIND_CPU &&
           (p->placement.reason[node] == GSP_REASON_PINNED || gsp_node_acc(&p->graph, node) > 0) &&
           split_objection_of(&p->place, &p->graph, node, o) && o->kind == kind &&
           o->constraint.size == 0;
}

gsp_node *split_members(
    cli_session *s, const uint32_t *of, uint32_t n, uint32_t n_classes, uint32_t **begin)
{
    gsp_node *members = (gsp_node *)cli_alloc(s, n, sizeof *members);
    uint32_t *at = (uint32_t *)cli_alloc(s, (size_t)n_classes + 2u, sizeof *at);
    uint32_t i;
    for (i = 0; i < n; i++) {
        if (of[i] != GSP_NONE) {
            at[of[i] + 2u]++;
        }
    }
    for (i = 2; i < n_classes + 2u; i++) {
        at[i] += at[i - 1u];
    }
    for (i = 0; i < n; i++) {
        if (of[i] != GSP_NONE) {
            members[at[of[i] + 1u]++] = i;
        }
    }
    *begin = at;
    return members;
}

uint8_t *split_is_fusion(const split *p)
{
    const gsp_split_result *r = &p->result;
    uint8_t *flags = (uint8_t *)cli_alloc(p->session, (size_t)r->n_groups + 1u, 1u);
    gsp_node v;
    for (v = 0; v < r->n_nodes; v++) {
        if (r->group[v] != GSP_NONE && r->kind[v] != GSP_KIND_CPU && r->kind[v] != GSP_KIND_NONE &&
            gsp_node_value_kind(&p->graph, v) == GSP_VALUE_OTHER) {
            flags[r->group[v]] = 1;
        }
    }
    return flags;
}

/* ---- operators ---- */

/* Strings are interned: equal bytes have one index in the pool. */
static gsp_atom string_at(const gsp_module *m, gsp_str text)
{
    uint32_t offset = text.size != 0 ? (uint32_t)(text.data - m->chars) : 0u;
    uint32_t low = 0;
    uint32_t high = m->counts.strings;
    if (text.size == 0) {
        return GSP_KEY_NONE;
    }
    while (high - low > 1u) {
        uint32_t mid = low + (high - low) / 2u;
        if (m->string_begin[mid] <= offset) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

static void find_operators(const split *p, split_facts *f)
{
    const gsp_graph *g = &p->graph;
    const gsp_module *m = g->module;
    uint32_t *of_string = (uint32_t *)cli_alloc(p->session, m->counts.strings, sizeof *of_string);
    gsp_node v;
    f->operators = (split_operator *)cli_alloc(p->session, g->n_nodes, sizeof *f->operators);
    for (v = 0; v < g->n_nodes; v++) {
        gsp_str name;
        uint32_t *slot;
        f->operator_of[v] = GSP_NONE;
        if (!gsp_node_is_callable(g, v)) {
            continue;
        }
        name = gsp_node_class(g, v);
        slot = &of_string[string_at(m, name)];
        if (*slot == 0) {
            f->operators[f->n_operators].name = name;
            *slot = ++f->n_operators;
        }
        f->operator_of[v] = *slot - 1u;
    }
    cli_release(p->session, of_string);
}

/* Whether lists contain an operator is equal for all of its nodes. */
static split_unfit unfit_of(const split *p, gsp_node v, split_operator *op)
{
    gsp_graph body = p->graph;
    split_objection o;
    uint32_t about;
    if (gsp_node_acc(&p->graph, v) == 0) {
        return SPLIT_UNFIT_ACC;
    }
    if (op->listed == 0) {
        op->listed = split_is_listed(&p->place, &p->graph, v) ? 1 : -1;
    }
    if (p->bodies.kind != NULL && split_way_of(&p->place, &p->bodies, &body, v) != GSP_NONE) {
        return SPLIT_UNFIT_RUNS;
    }
    if (op->listed < 0 || !split_objection_of(&p->place, &p->graph, v, &o)) {
        return SPLIT_UNLISTED;
    }
    about = split_about_of(&o);
    op->about |= about;
    op->types++;
    return about == SPLIT_ABOUT_TYPE    ? SPLIT_UNFIT_TYPE
           : about == SPLIT_ABOUT_SHAPE ? SPLIT_UNFIT_SHAPE
                                        : SPLIT_UNFIT_ARGUMENT;
}

static void count_operators(const split *p, split_facts *f)
{
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        split_operator *op;
        uint64_t bytes = gsp_node_bytes(&p->graph, v);
        if (f->operator_of[v] == GSP_NONE) {
            continue;
        }
        op = &f->operators[f->operator_of[v]];
        op->nodes++;
        f->nodes.all++;
        f->yielded.all += bytes;
        if (split_kind_of(p, v) != GSP_KIND_CPU) {
            op->on_acc++;
            f->nodes.on_acc++;
            f->yielded.on_acc += bytes;
        } else {
            op->reasons[p->result.reason[v]]++;
            if (p->result.reason[v] == GSP_REASON_UNSUPPORTED) {
                split_unfit const unfit = unfit_of(p, v, op);
                f->unfit[v] = (uint8_t)unfit;
            }
        }
    }
}

/* ---- where the chain of culprits ends ---- */

/* Follows a chain to its end or to a known node, and stores that end for the whole chain. A cyclic
 * chain ends where it would close. */
static void find_root(const gsp_split_result *r, gsp_node *root, gsp_node start)
{
    gsp_node v = start;
    gsp_node end;
    while (root[v] == GSP_NONE && r->culprit[v] != GSP_NONE && r->culprit[v] != v) {
        root[v] = v; /* on the path */
        v = r->culprit[v];
    }
    end = root[v] == GSP_NONE ? v : root[v];
    root[v] = end;
    for (v = start; root[v] == v && v != end; v = r->culprit[v]) {
        root[v] = end;
    }
}

static void find_roots(const split *p, split_facts *f)
{
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        f->root[v] = GSP_NONE;
    }
    for (v = 0; v < p->graph.n_nodes; v++) {
        if (f->root[v] == GSP_NONE) {
            find_root(&p->result, f->root, v);
        }
    }
}

/* ---- values that pass between subgraphs ---- */

static void charge(const split *p, split_facts *f, gsp_node from, gsp_node to)
{
    gsp_node at = split_kind_of(p, from) == GSP_KIND_CPU ? from : to;
    uint32_t op;
    if ((split_kind_of(p, from) == GSP_KIND_CPU) == (split_kind_of(p, to) == GSP_KIND_CPU)) {
        return;
    }
    op = f->operator_of[f->root[at]];
    f->operators[op != GSP_NONE ? op : f->operator_of[at]].cuts++;
}

/* The values that one node passes on; seen[s] == node + 1 once subgraph s is counted. */
static void count_readers(const split *p, split_facts *f, gsp_node v, uint32_t *seen)
{
    const gsp_graph *g = &p->graph;
    uint64_t bytes = gsp_node_bytes(g, v);
    uint32_t own = p->result.subgraph_of[v];
    uint32_t n;
    const gsp_node *users = gsp_node_users(g, v, &n);
    uint32_t i;
    int leaves = 0;
    for (i = 0; i < n; i++) {
        uint32_t s = p->result.subgraph_of[users[i]];
        leaves |= s != own;
        if (s == GSP_NONE || s == own || seen[s] == v + 1u) {
            continue;
        }
        seen[s] = v + 1u;
        f->subgraphs[s].n_in++;
        f->subgraphs[s].in += bytes;
        if (own != GSP_NONE) {
            f->crossings++;
            f->crossing_bytes += bytes;
            if ((p->result.subgraph_kind[own] | p->result.subgraph_kind[s]) != GSP_KIND_CPU) {
                f->boundary++;
                f->boundary_bytes += bytes;
            }
            charge(p, f, v, users[i]);
        }
    }
    if (own != GSP_NONE && leaves) {
        f->subgraphs[own].n_out++;
        f->subgraphs[own].out += bytes;
    }
}

static void count_crossings(const split *p, split_facts *f)
{
    uint32_t *seen =
        (uint32_t *)cli_alloc(p->session, (size_t)p->result.n_subgraphs + 1u, sizeof *seen);
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        gsp_op op = gsp_node_op(&p->graph, v);
        if (op != GSP_OP_GET_ATTR && op != GSP_OP_OUTPUT) {
            count_readers(p, f, v, seen);
        }
    }
    cli_release(p->session, seen);
}

/* ---- parameters ---- */

typedef struct split_stamps {
    uint32_t *subgraph; /* [strings] last subgraph that read this target, + 1 */
    uint8_t *kinds;     /* [strings] 1 if read at all, 2 if by an accelerator */
} split_stamps;

static void count_param(
    const split *p, split_facts *f, split_stamps *stamps, uint32_t s, gsp_node v)
{
    gsp_atom target = p->graph.module->target[p->graph.first + v];
    const uint64_t *run = p->graph.module->run_params;
    uint64_t bytes = gsp_node_params(&p->graph, v) - (run != NULL ? run[p->graph.first + v] : 0u);
    uint8_t *kinds = &stamps->kinds[target];
    if (stamps->subgraph[target] == s + 1u || bytes == 0) {
        return;
    }
    stamps->subgraph[target] = s + 1u;
    f->subgraphs[s].params += bytes;
    if ((*kinds & 1u) == 0) {
        f->params.all += bytes;
    }
    if ((*kinds & 2u) == 0 && p->result.subgraph_kind[s] != GSP_KIND_CPU) {
        f->params.on_acc += bytes;
        *kinds |= 2u;
    }
    *kinds |= 1u;
}

#ifndef CLI_NO_CALLS /* the page of the browser asks its second program about such graphs */

/* Parameters of the graphs that nodes run, each once. */
static void count_run_params(const split *p, split_facts *f)
{
    const gsp_split_result *r = &p->result;
    cli_params sets[3]; /* of a subgraph, of all, of all on accelerators */
    uint32_t s;
    uint32_t i;
    for (i = 0; i < 3u; i++) {
        cli_params_open(&sets[i], p->session, p->graph.module);
        cli_params_clear(&sets[i]);
    }
    for (s = 0; s < r->n_subgraphs; s++) {
        cli_params_clear(&sets[0]);
        for (i = r->subgraph_begin[s]; i < r->subgraph_begin[s + 1u]; i++) {
            gsp_node const v = r->nodes[i];
            f->subgraphs[s].params += cli_params_of_run(&sets[0], &p->graph, v);
            f->params.all += cli_params_of_run(&sets[1], &p->graph, v);
            if (r->subgraph_kind[s] != GSP_KIND_CPU) {
                f->params.on_acc += cli_params_of_run(&sets[2], &p->graph, v);
            }
        }
    }
    for (i = 3; i > 0; i--) {
        cli_params_close(&sets[i - 1u], p->session);
    }
}
#endif

#ifndef CLI_NO_CALLS /* the first program of the page has no rules of MACs */

void split_macs(const split *p, cli_macs_share *share)
{
    cli_session *s = p->session;
    cli_macs *macs = (cli_macs *)cli_alloc(s, p->graph.module->counts.nodes + 1u, sizeof *macs);
    uint8_t *kind = (uint8_t *)cli_alloc(s, (size_t)p->graph.n_nodes + 1u, 1u);
    gsp_node v;
    memset(share, 0, sizeof *share);
    for (v = 0; v < p->graph.n_nodes; v++) {
        kind[v] = (uint8_t)split_kind_of(p, v);
    }
    if (cli_graphs_macs(s, p->graph.module, macs) == CLI_EXIT_OK) {
        cli_macs_share_of(&p->graph, macs, kind, share);
    }
    cli_release(s, kind);
    cli_release(s, macs);
}
#endif

static void count_params(const split *p, split_facts *f)
{
    const gsp_split_result *r = &p->result;
    uint32_t n_strings = p->graph.module->counts.strings;
    split_stamps stamps;
    uint32_t s;
    stamps.subgraph = (uint32_t *)cli_alloc(p->session, n_strings, sizeof *stamps.subgraph);
    stamps.kinds = (uint8_t *)cli_alloc(p->session, n_strings, 1u);
    for (s = 0; s < r->n_subgraphs; s++) {
        uint32_t i;
        for (i = r->subgraph_begin[s]; i < r->subgraph_begin[s + 1u]; i++) {
            uint32_t n_in;
            const gsp_node *in = gsp_node_inputs(&p->graph, r->nodes[i], &n_in);
            uint32_t k;
            for (k = 0; k < n_in; k++) {
                if (gsp_node_op(&p->graph, in[k]) == GSP_OP_GET_ATTR) {
                    count_param(p, f, &stamps, s, in[k]);
                }
            }
            if (gsp_node_op(&p->graph, r->nodes[i]) == GSP_OP_CALL_MODULE) {
                count_param(p, f, &stamps, s, r->nodes[i]);
            }
        }
        f->n_acc += r->subgraph_kind[s] != GSP_KIND_CPU ? 1u : 0u;
    }
    cli_release(p->session, stamps.subgraph);
    cli_release(p->session, stamps.kinds);
}

void split_facts_make(const split *p, split_facts *facts)
{
    uint32_t n = p->graph.n_nodes;
    memset(facts, 0, sizeof *facts);
    facts->subgraphs = (split_subgraph *)cli_alloc(
        p->session, (size_t)p->result.n_subgraphs + 1u, sizeof *facts->subgraphs);
    facts->operator_of = (uint32_t *)cli_alloc(p->session, n, sizeof *facts->operator_of);
    facts->unfit = (uint8_t *)cli_alloc(p->session, n, sizeof *facts->unfit);
    facts->root = (gsp_node *)cli_alloc(p->session, n, sizeof *facts->root);
    find_operators(p, facts);
    find_roots(p, facts);
    count_operators(p, facts);
    count_crossings(p, facts);
    count_params(p, facts);
#ifndef CLI_NO_CALLS
    if (p->graph.module->run_params != NULL) {
        count_run_params(p, facts);
    }
#endif
}

/* ---- memory, reasons ---- */

const gsp_liveness_part *split_peaks(const split *p)
{
    gsp_liveness_desc desc = {0};
    gsp_liveness_result result;
    gsp_arena arena;
    desc.n_parts = p->result.n_subgraphs;
    desc.part_of = p->result.subgraph_of;
    cli_arena(p->session, &arena, gsp_liveness_bound(&p->graph, &desc));
    return gsp_liveness_run(&arena, &p->graph, &desc, &result, NULL) == GSP_OK ? result.parts
                                                                               : NULL;
}

#ifndef CLI_NO_CALLS /* the first program of the page shows no peaks */
int split_peak_of(const split *p, const gsp_node *order, uint32_t n_order, gsp_liveness_part *peak,
    gsp_error *err)
{
    gsp_liveness_desc desc = {0};
    gsp_liveness_result result;
    gsp_arena arena;
    desc.order = order;
    desc.n_order = n_order;
    cli_arena(p->session, &arena, gsp_liveness_bound(&p->graph, &desc));
    if (gsp_liveness_run(&arena, &p->graph, &desc, &result, err) != GSP_OK) {
        return 0;
    }
    *peak = result.parts[0];
    cli_release(p->session, arena.base);
    return 1;
}

const uint64_t *split_run_live(const split *p, uint32_t *n)
{
    gsp_liveness_desc desc = {0};
    gsp_liveness_result result;
    gsp_arena arena;
    desc.order = p->result.nodes;
    desc.n_order = p->result.subgraph_begin[p->result.n_subgraphs];
    cli_arena(p->session, &arena, gsp_liveness_bound(&p->graph, &desc));
    if (gsp_liveness_run(&arena, &p->graph, &desc, &result, NULL) != GSP_OK) {
        return NULL;
    }
    *n = result.step_begin[1];
    return result.live;
}

int split_run_peaks_make(const split *p, split_run_peaks *peaks, gsp_error *err)
{
    const gsp_split_result *r = &p->result;
    if (p->is_reordered) {
        peaks->given = p->given;
    } else if (!split_peak_of(p, NULL, 0, &peaks->given, err)) {
        return 0;
    }
    return split_peak_of(p, r->nodes, r->subgraph_begin[r->n_subgraphs], &peaks->run, err);
}
#endif

int split_run_is_high(const split_run_peaks *peaks)
{
    return peaks->run.bytes / 11u > peaks->given.bytes / 10u;
}

const char *split_reason_name(const split *p, uint32_t reason)
{
    int is_plan = p->opt.plan != NULL;
    return SPLIT_IS_TIMED(p) && reason == GSP_REASON_LIMIT    ? "SLOWER"
           : is_plan && reason == GSP_REASON_PINNED           ? "PLAN"
           : is_plan && reason == GSP_REASON_MOVED            ? "NEW"
           : SPLIT_HAS_TILES(p) && reason == GSP_REASON_MOVED ? "TILES"
                                                              : gsp_reason_name((gsp_reason)reason);
}

const char *split_reason_text(const split *p, uint32_t reason)
{
    int is_plan = p->opt.plan != NULL;
    return SPLIT_IS_TIMED(p) && reason == GSP_REASON_LIMIT
               ? "the accelerator saves no time here, with transfers and launches"
           : is_plan && reason == GSP_REASON_PINNED ? "placed by the plan"
           : is_plan && reason == GSP_REASON_MOVED  ? "not in the plan: it is where its inputs are"
           : SPLIT_HAS_TILES(p) && reason == GSP_REASON_MOVED
               ? "it cuts a value into tiles, or joins them"
               : gsp_reason_text((gsp_reason)reason);
}

int split_has_pins_alone(const split *p)
{
    for (size_t i = 0; i < p->session->n_given; i++) {
        const char *name = p->session->given[i].option->name;
        if (strcmp(name, "--acc-ops") == 0 || strcmp(name, "--accelerator") == 0) {
            return 0;
        }
    }
    return p->place.desc.n_pins != 0 && p->opt.plan == NULL;
}

const char *split_unfit_text(const split *p, uint32_t unfit)
{
    static const char *const texts[SPLIT_UNFIT_COUNT] = {NULL,
        "its operator is supported, but not with these types",
        "its operator is supported, but not with these shapes",
        "its operator is supported, but not with these arguments", "its annotation says acc=0",
        "a graph that it runs has a node on the CPU"};
    return unfit != (uint32_t)SPLIT_UNLISTED ? texts[unfit]
           : split_has_pins_alone(p)         ? "no pin names it, and no list of operators is given"
                                             : split_reason_text(p, GSP_REASON_UNSUPPORTED);
}

const char *split_why_text(const split *p, const split_facts *facts, gsp_node v)
{
    uint32_t const reason = p->result.reason[v];
    return reason == GSP_REASON_UNSUPPORTED ? split_unfit_text(p, facts->unfit[v])
                                            : split_reason_text(p, reason);
}

int split_sizes_count(const split *p)
{
    return p->proof.what == SPLIT_PROOF_TRAFFIC || p->proof.what == SPLIT_PROOF_PEAK ||
           p->proof.what == SPLIT_PROOF_SUM || p->proof.what == SPLIT_PROOF_TIME ||
           (p->proof.what == SPLIT_PROOF_VALUE && p->opt.value == SPLIT_VALUE_BYTES);
}

int split_has_unknown(const split *p)
{
    return p->proof.untimed != 0 || (split_sizes_count(p) && cli_unknown_sizes(p->graph.module));
}
