/* The porcelain of `split`. */
#include "commands/split/split.h"

#include <inttypes.h>

static void put_acc(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    gsp_node v;
    cli_puts(out, "acc");
    for (v = 0; v < r->n_nodes; v++) {
        if (r->kind[v] != GSP_KIND_CPU && r->kind[v] != GSP_KIND_NONE) {
            cli_puts(out, " ");
            cli_put_text(out, gsp_node_name(&p->graph, v));
        }
    }
    cli_puts(out, "\n");
}

static void put_fusions(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint8_t *fusion = split_is_fusion(p);
    uint32_t *begin;
    gsp_node *members = split_members(p->session, r->group, r->n_nodes, r->n_groups, &begin);
    uint32_t i;
    for (i = 0; i < r->n_groups; i++) {
        if (fusion[i]) {
            cli_puts(out, "fusion");
            cli_porcelain_names(out, &p->graph, members + begin[i], begin[i + 1u] - begin[i]);
        }
    }
}

static void put_raw(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint32_t *begin;
    gsp_node *members = split_members(p->session, r->raw_of, r->n_nodes, r->n_raw, &begin);
    uint32_t i;
    for (i = 0; i < r->n_raw; i++) {
        cli_printf(out, "raw %s", r->names[r->raw_kind[i]]);
        cli_porcelain_names(out, &p->graph, members + begin[i], begin[i + 1u] - begin[i]);
    }
}

static void put_blocks(const split *p, cli_buffer *out)
{
    const split_blocks *b = p->blocks;
    uint32_t k;
    uint32_t i;
    for (k = 0; k < b->result.selection.n_subgraphs; k++) {
        cli_puts(out, "block ");
        cli_put_text(out, split_block_name(p, k));
        for (i = 0; i < p->result.n_subgraphs; i++) {
            if (b->shared[i] == k) {
                cli_printf(out, " %s", p->tags[i]);
            }
        }
        cli_puts(out, "\n");
    }
    cli_printf(out, "programs before=%" PRIu32 " after=%" PRIu32 " nodes=%" PRIu64 ",%" PRIu64 "\n",
        b->before.programs, b->after.programs, b->before.nodes, b->after.nodes);
}

void split_porcelain(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    split_run_peaks peaks;
    uint32_t i;
    put_acc(p, out);
    put_fusions(p, out);
    put_raw(p, out);
    if (p->tries != NULL) {
        cli_printf(
            out, "tried %" PRIu32 " refused %" PRIu32 "\n", p->tries->n_runs, p->tries->n_refused);
    }
    if (SPLIT_HAS_TILES(p)) {
        split_porcelain_tiles(p, out);
    }
    for (i = 0; i < r->n_subgraphs; i++) {
        uint32_t begin = r->subgraph_begin[i];
        cli_printf(out, "subgraph %s %s", p->tags[i], r->names[r->subgraph_kind[i]]);
        cli_porcelain_names(out, &p->graph, r->nodes + begin, r->subgraph_begin[i + 1u] - begin);
    }
    if (SPLIT_HAS_BLOCKS(p)) {
        put_blocks(p, out);
    }
    if (SPLIT_IS_TIMED(p)) {
        split_porcelain_worth(p, out);
    }
    if (p->opt.run_memory && split_run_peaks_make(p, &peaks, NULL)) {
        cli_printf(
            out, "run peak=%" PRIu64 " given=%" PRIu64 "\n", peaks.run.bytes, peaks.given.bytes);
    }
    if (p->proof.what != SPLIT_PROOF_NONE) {
        cli_printf(out,
            "proof objective=%" PRIu64 " bound=%" PRIu64 " proved=%d reference=%" PRIu64 "\n",
            p->proof.objective, p->proof.bound,
            p->proof.objective == p->proof.bound && !split_has_unknown(p), p->proof.reference);
    }
    if (p->opt.rewrite_to != UINT64_MAX) {
        split_porcelain_rewrite(p, out);
    }
    cli_porcelain_modules(out, &p->made.module);
}
