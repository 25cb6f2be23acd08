/* All operator lists for people. */
#include "commands/ops/people.h"

#include "commands/ops/facts.h"
#include "core/buffer.h"
#include "data/operator_lists.h"

#include <inttypes.h>
#include <string.h>

#define SOURCE_WIDTH 76u

/* Words in lines that begin at a column. */
static void put_wrapped(cli_buffer *out, gsp_str text, int column)
{
    uint32_t at = 0;
    size_t width = SOURCE_WIDTH;
    while (at < text.size) {
        const char *space = (const char *)memchr(text.data + at, ' ', text.size - at);
        uint32_t end = space != NULL ? (uint32_t)(space - text.data) : text.size;
        if (width + 1u + end - at > SOURCE_WIDTH) {
            cli_printf(out, "%s%*s", at != 0 ? "\n" : "", column, "");
            width = 0;
        } else {
            cli_puts(out, " ");
            width++;
        }
        cli_put(out, text.data + at, end - at);
        width += end - at;
        at = end + 1u;
    }
    cli_puts(out, "\n");
}

void ops_people(cli_session *s)
{
    cli_buffer *out = &s->out;
    const cli_operator_list *list;
    for (list = cli_operator_lists; list->name != NULL; list++) {
        cli_buffer room;
        cli_buffer_init(&room, s);
        cli_puts(out, "  ");
        cli_put_style(out, CLI_BOLD);
        cli_printf(out, "%-11s", list->name);
        cli_put_style(out, CLI_PLAIN);
        cli_put_text(out, ops_about(list));
        cli_printf(out, " (%" PRIu32 " operators%s)\n", ops_count(list),
                   ops_is_bound(s, list) ? ", upper bound" : "");
        cli_put_style(out, CLI_DIM);
        put_wrapped(out, ops_source(list, &room), 13);
        cli_put_style(out, CLI_PLAIN);
    }
    cli_printf(
        out,
        "\n"
        "--acc-ops and --accelerator take these names, alone or among operators: '--acc-ops "
        "edgetpu',\n"
        "'--acc-ops ethos-u55,tflite.CAST,!tflite.MUL'. '%s ops NAME' prints a list as an "
        "operator file.\n"
        "The lists hold names and types; the compiler of a vendor also checks shapes and "
        "attributes.\nCoverage by a list with a line '# Upper bound' is called an upper bound.\n",
        s->front->program);
}
