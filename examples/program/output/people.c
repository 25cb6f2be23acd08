/* Shared by the reports for people. */
#include "output/output.h"

#include <inttypes.h>

void cli_put_heading(cli_buffer *out, const char *title, const char *note)
{
    cli_puts(out, "\n");
    cli_put_styled(out, CLI_BOLD, title);
    if (note != NULL) {
        cli_printf(out, "  %s", note);
    }
    cli_puts(out, "\n");
}

uint32_t cli_rows(const cli_session *s, uint32_t n, uint32_t most)
{
    return s->common.all || n <= most ? n : most;
}

void cli_put_rest(cli_buffer *out, uint32_t n, uint32_t shown, const char *what)
{
    if (shown < n) {
        cli_printf(out, "  ... and %" PRIu32 " more", n - shown);
        if (what != NULL) {
            cli_printf(out, " %s%s", what, cli_plural(n - shown));
        }
        cli_puts(out, " (--all shows them)\n");
    }
}

cli_style cli_kind_style(uint32_t kind)
{
    static const cli_style styles[] = {CLI_YELLOW, CLI_GREEN, CLI_CYAN, CLI_MAGENTA, CLI_BLUE};
    return kind < CLI_COUNT(styles) ? styles[kind] : CLI_BLUE;
}
