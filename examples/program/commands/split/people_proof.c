/* The proof of a split, for people. */
#include "commands/split/split.h"

#include <inttypes.h>

static void put_fewest(const split *p, cli_buffer *out)
{
    const gsp_split_result *r = &p->result;
    cli_printf(out, "\n  of %u before small ones join the CPU; ", r->n_phases);
    if (r->n_phases == r->n_least) {
        cli_puts(out, "no order has fewer");
    } else {
        cli_printf(out, "no order has fewer than %u", r->n_least);
    }
    cli_printf(out, " (PyTorch's: %u)", r->n_reference);
}

static void put_amount(const split *p, uint64_t amount, cli_buffer *out)
{
    if (p->proof.what == SPLIT_PROOF_TRAFFIC || p->opt.value == SPLIT_VALUE_BYTES) {
        cli_put_bytes(out, amount);
    } else {
        cli_printf(
            out, "%" PRIu64 " %s", amount, p->opt.value == SPLIT_VALUE_TIME ? "ns" : "nodes");
    }
}

/* What the accelerator keeps, or what crosses between phases, and what no choice exceeds. */
static void put_choice(const split *p, cli_buffer *out)
{
    const split_proof *f = &p->proof;
    int const traffic = f->what == SPLIT_PROOF_TRAFFIC;
    cli_puts(out, traffic ? "\n  between them " : "\n  the accelerator keeps ");
    put_amount(p, f->objective, out);
    cli_puts(out, !traffic                               ? ""
                  : p->opt.order == SPLIT_ORDER_READ     ? " read"
                  : p->opt.order == SPLIT_ORDER_RESIDENT ? " resident"
                                                         : " written");
    if (split_has_unknown(p)) {
        split_put_unknown(p, out);
    } else if (f->objective == f->bound) {
        cli_puts(out, f->objective == f->reference ? "; already optimal" : "; proved optimal");
    } else {
        cli_puts(out, traffic ? "; no order has less than " : "; no choice keeps more than ");
        put_amount(p, f->bound, out);
    }
    if (f->objective != f->reference) {
        cli_puts(out, traffic ? " (PyTorch's order: " : " (whole subgraphs: ");
        put_amount(p, f->reference, out);
        cli_puts(out, ")");
    }
}

static void put_peak(const split *p, cli_buffer *out)
{
    const split_proof *f = &p->proof;
    cli_puts(out, "\n  the peak of the run is ");
    cli_put_least(out, f->objective, split_has_unknown(p), cli_put_need);
    if (split_has_unknown(p)) {
        split_put_unknown(p, out);
    } else if (f->objective == f->bound) {
        cli_puts(out, "; no order of as few subgraphs needs less");
    } else {
        cli_puts(out, "; no order of as few subgraphs needs less than ");
        cli_put_need(out, f->bound);
    }
    if (f->objective != f->reference) {
        cli_puts(out, " (PyTorch's order: ");
        cli_put_need(out, f->reference);
        cli_puts(out, ")");
    }
}

static void put_weight(uint64_t weight, cli_buffer *out)
{
    if (weight != 1u) {
        cli_printf(out, "%" PRIu64 " times ", weight);
    }
}

static void put_sum(const split *p, cli_buffer *out)
{
    const split_proof *f = &p->proof;
    int const unknown = split_has_unknown(p);
    cli_puts(out, "\n  ");
    put_weight(p->weight[0], out);
    cli_puts(out, "the peak of the run and ");
    put_weight(p->weight[1], out);
    cli_puts(out, "the ");
    cli_put_least(out, f->crossed, unknown, cli_put_bytes);
    cli_puts(out, " between subgraphs are ");
    cli_put_least(out, f->objective, unknown, cli_put_need);
    if (unknown) {
        split_put_unknown(p, out);
    } else if (f->objective == f->bound) {
        cli_puts(out, "; no order of as few subgraphs has less");
    } else {
        cli_puts(out, "; no order of as few subgraphs has less than ");
        cli_put_need(out, f->bound);
    }
    if (f->objective != f->reference) {
        cli_puts(out, " (PyTorch's order: ");
        cli_put_need(out, f->reference);
        cli_puts(out, ")");
    }
}

void split_people_proof(const split *p, cli_buffer *out)
{
    if (p->opt.best_start != 0) {
        put_fewest(p, out);
    }
    if (p->proof.what == SPLIT_PROOF_PEAK) {
        put_peak(p, out);
    }
    if (p->proof.what == SPLIT_PROOF_SUM) {
        put_sum(p, out);
    }
    if (p->proof.what == SPLIT_PROOF_VALUE || p->proof.what == SPLIT_PROOF_TRAFFIC) {
        put_choice(p, out);
    }
    split_people_acc_limits(p, out);
#ifndef CLI_NO_STDIN
    split_people_tries(p, out);
#endif
}
