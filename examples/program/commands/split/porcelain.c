/* The porcelain of `split`. */
#include "commands/split/porcelain.h"

#include "commands/split/rewrite.h"
#include "core/buffer.h"
#include "output/porcelain.h"

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

/* A number of operators; none: no set is known. */
static void put_count(cli_buffer *out, uint32_t n)
{
    if (n == GSP_NONE) {
        cli_puts(out, "none");
    } else {
        cli_printf(out, "%u", n);
    }
}

/* The steps, and the least set of operators for --rewrite-to. */
static void put_rewrite(const split *p, cli_buffer *out)
{
    split_facts f;
    split_rewrite r;
    uint32_t i;
    split_facts_make(p, &f);
    split_rewrite_make(p, &f, &r);
    for (i = 0; i < r.n_steps; i++) {
        cli_puts(out, "support ");
        cli_put_text(out, f.operators[r.steps[i].op].name);
        cli_printf(out, " subgraphs=%u nodes=%" PRIu64 " bytes=%" PRIu64 "\n", r.steps[i].subgraphs,
                   r.steps[i].on_acc, r.steps[i].bytes);
    }
    cli_puts(out, r.n_least != GSP_NONE ? "least" : "least none");
    for (i = 0; r.n_least != GSP_NONE && i < r.n_least; i++) {
        cli_puts(out, " ");
        cli_put_text(out, f.operators[r.least[i]].name);
    }
    cli_puts(out, "\nproof objective=");
    put_count(out, r.n_least);
    cli_printf(out, " bound=%u proved=%d reference=", r.bound, r.is_proved);
    put_count(out, r.greedy);
    cli_puts(out, "\n");
}

void split_porcelain(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    uint32_t i;
    put_acc(p, out);
    put_fusions(p, out);
    put_raw(p, out);
    for (i = 0; i < r->n_subgraphs; i++) {
        uint32_t begin = r->subgraph_begin[i];
        cli_printf(out, "subgraph %s %s", p->tags[i], r->names[r->subgraph_kind[i]]);
        cli_porcelain_names(out, &p->graph, r->nodes + begin, r->subgraph_begin[i + 1u] - begin);
    }
    if (p->opt.best_start != 0) {
        cli_printf(out, "proof objective=%u bound=%u proved=%d reference=%u\n", r->n_phases,
                   r->n_least, r->n_phases == r->n_least, r->n_reference);
    }
    if (p->opt.rewrite_to != UINT64_MAX) {
        put_rewrite(p, out);
    }
    cli_porcelain_modules(out, &p->made.module);
}
