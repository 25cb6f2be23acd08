/* The porcelain of `fit`: a line per way, then what is chosen. */
#include "commands/fit/fit.h"

#include <inttypes.h>

void fit_porcelain(const fit *f, cli_buffer *out)
{
    uint32_t way;
    for (way = 0; way < FIT_WAYS; way++) {
        const fit_row *r = &f->rows[way];
        if (r->tried) {
            cli_printf(out, "fit %s ram=%" PRIu64 " fits=%d macs=+%" PRIu64 " moved=%" PRIu64,
                fit_name(way), r->ram, r->fits, r->macs, r->moved);
            if (r->has_micro) {
                cli_printf(out, " tflm=%" PRIu64, r->micro.whole);
            }
            cli_puts(out, "\n");
        }
    }
    cli_printf(out, "parameters bytes=%" PRIu64 " fits=%d\n", f->params, fit_params(f));
    cli_printf(out, "chosen %s\n", f->chosen != FIT_WAYS ? fit_name(f->chosen) : "none");
}
