/* All operator lists for people. */
#include "commands/ops/ops.h"

#include "output/output.h"

#include <inttypes.h>
#include <string.h>

#define SOURCE_WIDTH 91u
#define COLUMN       9
#define NAME_WIDTH   14u /* beyond COLUMN */

/* Words in lines that begin at COLUMN; `width` bytes of the first are taken. */
static void put_wrapped(cli_buffer *out, gsp_str text, size_t width)
{
    uint32_t at = 0;
    while (at < text.size) {
        const char *space = (const char *)memchr(text.data + at, ' ', text.size - at);
        uint32_t end = space != NULL ? (uint32_t)(space - text.data) : text.size;
        if (width + 1u + end - at > SOURCE_WIDTH) {
            cli_printf(out, "\n%*s", COLUMN, "");
            width = 0;
        } else {
            cli_puts(out, " ");
            width++;
        }
        cli_put(out, text.data + at, end - at);
        width += end - at;
        at = end + 1u;
    }
}

void ops_people(cli_session *s, int more)
{
    cli_buffer *out = &s->out;
    const cli_operator_list *list;
    for (list = cli_operator_lists; list->name != NULL; list++) {
        cli_buffer room;
        cli_buffer text;
        gsp_str lines;
        cli_buffer_init(&room, s);
        cli_buffer_init(&text, s);
        cli_puts(out, "  ");
        cli_put_style(out, CLI_BOLD);
        cli_printf(out, "%-20s", list->name);
        cli_put_style(out, CLI_PLAIN);
        put_wrapped(out, ops_about(list), NAME_WIDTH);
        cli_put_style(out, CLI_DIM);
        cli_printf(&text, "%" PRIu32 " operators%s: ", ops_count(list),
            ops_is_bound(s, list) ? ", upper bound" : "");
        cli_put_text(&text, ops_version(list));
        if (more) {
            cli_puts(&text, ", ");
            cli_put_text(&text, ops_source(list, &room));
        }
        lines.data = text.data;
        lines.size = (uint32_t)text.size;
        put_wrapped(out, lines, SOURCE_WIDTH);
        cli_put_style(out, CLI_PLAIN);
        cli_puts(out, "\n");
    }
    cli_printf(out,
        "\n"
        "--acc-ops and --accelerator take these names, alone or among operators: '--acc-ops "
        "edgetpu',\n"
        "'--acc-ops ethos-u55,tflite.CAST,!tflite.MUL'. '%s ops NAME' prints a list as\n"
        "an operator file%s.\n"
        "The lists hold names and types; the compiler of a vendor also checks shapes and "
        "attributes.\nCoverage by a list with a line '# Upper bound' is called an upper bound.\n",
        s->front->program, more ? "" : ", with the document that it comes from; --more has all");
}

void ops_people_covers(cli_session *s, const ops_covers *c)
{
    cli_table t;
    int bound = 0;
    cli_printf(&s->out, "%s  %" PRIu32 " callable node%s, by every list of the program\n", c->path,
        c->callable, c->callable == 1u ? "" : "s");
    if (c->n != 0 && (c->covers[0].macs.all > 0.0 || c->covers[0].macs.unknown != 0)) {
        cli_puts(&s->out, "  ");
        cli_put_macs_total(&s->out, &c->covers[0].macs);
        cli_puts(&s->out, "\n");
    }
    cli_puts(&s->out, "\n");
    cli_table_init(&t, s, "lrrrrrr");
    cli_table_head(&t, "list|covered|share|of MACs|subgraphs|values across|bytes across");
    for (size_t i = 0; i < c->n; i++) {
        const ops_cover *x = &c->covers[i];
        cli_cell_put(&t, CLI_PLAIN, "%s%s", x->list->name, x->is_bound ? " *" : "");
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, x->on_acc);
        cli_put_percent(cli_cell_begin(&t, CLI_PLAIN), x->on_acc, c->callable);
        cli_put_macs_percent(cli_cell_begin(&t, CLI_PLAIN), &x->macs);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, x->n_subgraphs);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, x->values);
        cli_put_least(
            cli_cell_begin(&t, CLI_PLAIN), x->bytes, c->least && x->values != 0, cli_put_bytes);
        bound |= x->is_bound;
    }
    cli_table_write(&t, &s->out);
    if (bound) {
        cli_puts(&s->out,
            "\n* an upper bound: the accelerator has conditions that the list leaves out\n");
    }
    cli_puts(&s->out,
        "Values across enter or leave a subgraph of the accelerator from another subgraph.\n");
}
