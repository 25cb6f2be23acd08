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
static void put_percent(cli_buffer *out, const cli_macs_share *share)
{
    double const scale = share->all > 1e15 ? share->all / 1e15 : 1.0;
    cli_put_percent(out, (uint64_t)(share->on_acc / scale), (uint64_t)(share->all / scale));
}

void cli_put_macs_percent(cli_buffer *out, const cli_macs_share *share)
{
    if (share->unknown != 0 || share->least) {
        cli_puts(out, "?");
    } else if (share->all > 0.0) {
        put_percent(out, share);
    } else {
        cli_puts(out, "-");
    }
}

void cli_put_macs(cli_buffer *out, const char *before, const cli_macs_share *share)
{
    if (!(share->all > 0.0)) {
        return;
    }
    cli_puts(out, before);
    if (share->unknown != 0 || share->least) {
        put_count(out, share->on_acc);
        cli_puts(out, " of >= ");
    } else {
        put_percent(out, share);
        cli_puts(out, " of ");
    }
    put_count(out, share->all);
    cli_puts(out, " multiply-accumulates (MACs)");
    if (share->unknown != 0) {
        cli_printf(out, ", without %" PRIu32 " node%s whose MACs are not known", share->unknown,
            cli_plural(share->unknown));
    }
}

void cli_json_macs(cli_buffer *out, const cli_macs_share *share)
{
    cli_printf(out,
        "\"macs\": {\"on_accelerators\": %.0f, \"total\": %.0f, \"unknown\": %" PRIu32
        ", \"at_least\": %s}",
        share->on_acc, share->all, share->unknown, share->least ? "true" : "false");
}
