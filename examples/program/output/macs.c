/* Multiply-accumulates, in reports and documents. */
#include "output/output.h"

#include <inttypes.h>

static void put_count(cli_buffer *out, double n)
{
    static const char *const scales[] = {"", " thousand", " million", " billion", " trillion"};
    size_t i = 0;
    while (n >= 1000.0 && i + 1u < CLI_COUNT(scales)) {
        n /= 1000.0;
        i++;
    }
    cli_printf(out, i == 0 ? "%.0f%s" : "%.2f%s", n, scales[i]);
}

/* Shares of doubles, as integers that keep their ratio. */
static void put_percent(cli_buffer *out, double part, double all)
{
    double const scale = all > 1e15 ? all / 1e15 : 1.0;
    cli_put_percent(out, (uint64_t)(part / scale), (uint64_t)(all / scale));
}

void cli_put_macs_percent(cli_buffer *out, const cli_macs_share *share)
{
    if (share->unknown != 0 || share->least) {
        cli_puts(out, "?");
    } else if (share->all > 0.0) {
        put_percent(out, share->on_acc, share->all);
    } else {
        cli_puts(out, "-");
    }
}

/* Names on one line: the others are dots. */
static void put_names(cli_buffer *out, const cli_macs_share *share)
{
    size_t room = 48;
    uint32_t i;
    cli_puts(out, ": no rule for ");
    for (i = 0; i < share->n_names && i < CLI_MACS_NAMES; i++) {
        uint32_t const size = share->names[i].size < 40u ? share->names[i].size : 40u;
        if (room < size + 2u) {
            break;
        }
        room -= size + 2u;
        cli_puts(out, i != 0 ? ", " : "");
        cli_put_clipped(out, share->names[i], 40u);
    }
    cli_puts(out, i < share->n_names ? ", ..." : "");
}

void cli_put_macs_unknown(cli_buffer *out, const char *before, const cli_macs_share *share)
{
    if (share->unknown == 0) {
        return;
    }
    cli_printf(out, "%sMACs of %" PRIu32 " node%s are not known", before, share->unknown,
        cli_plural(share->unknown));
    if (share->n_names != 0) {
        put_names(out, share);
    }
}

void cli_put_macs(cli_buffer *out, const char *before, const cli_macs_share *share)
{
    if (!(share->all > 0.0)) {
        cli_put_macs_unknown(out, before, share);
        return;
    }
    cli_puts(out, before);
    if (share->unknown != 0 || share->least) {
        put_count(out, share->on_acc);
        cli_puts(out, " of >= ");
    } else {
        put_percent(out, share->on_acc, share->all);
        cli_puts(out, " of ");
    }
    put_count(out, share->all);
    cli_puts(out, " multiply-accumulates (MACs)");
    cli_put_macs_unknown(out, ";\n    ", share);
}

void cli_put_macs_of(cli_buffer *out, const cli_macs_share *share, uint32_t kind)
{
    if (!(share->all > 0.0)) {
        return;
    }
    cli_puts(out, " (");
    if (share->unknown != 0 || share->least) {
        put_count(out, share->of_kind[kind]);
    } else {
        put_percent(out, share->of_kind[kind], share->all);
        cli_puts(out, " of");
    }
    cli_puts(out, " MACs)");
}

void cli_put_macs_total(cli_buffer *out, const cli_macs_share *share)
{
    if (!(share->all > 0.0)) {
        cli_put_macs_unknown(out, "", share);
        return;
    }
    cli_puts(out, share->unknown != 0 || share->least ? ">= " : "");
    put_count(out, share->all);
    cli_puts(out, " multiply-accumulates (MACs)");
    cli_put_macs_unknown(out, "; ", share);
}

void cli_json_macs(
    cli_buffer *out, const cli_macs_share *share, const char *const *names, uint32_t n_kinds)
{
    uint32_t i;
    cli_printf(out,
        "\"macs\": {\"on_accelerators\": %.0f, \"total\": %.0f, \"unknown\": %" PRIu32
        ", \"at_least\": %s, \"without_rule\": [",
        share->on_acc, share->all, share->unknown, share->least ? "true" : "false");
    for (i = 0; i < share->n_names && i < CLI_MACS_NAMES; i++) {
        cli_puts(out, i != 0 ? ", " : "");
        cli_json_string(out, share->names[i]);
    }
    cli_puts(out, "]");
    for (i = 0; i < n_kinds; i++) {
        cli_puts(out, i != 0 ? ", " : ", \"of\": {");
        cli_json_string(out, gsp_str_of(names[i]));
        cli_printf(out, ": %.0f", share->of_kind[i]);
    }
    cli_puts(out, n_kinds != 0 ? "}}" : "}");
}
