/* The report of `diff` for people. */
#include "commands/diff/people.h"

#include "core/buffer.h"
#include "output/people.h"
#include "output/table.h"

#include <inttypes.h>

#define DIFF_ROWS 40u

/* The other part of a part without a partner: the part of its first shared item. */
static void put_other(const diff *d, cli_buffer *out, uint32_t which, uint32_t part)
{
    uint32_t i;
    for (i = 0; i < d->n; i++) {
        uint32_t other = d->of[1u - which][i];
        if (d->of[which][i] == part && other != GSP_NONE) {
            cli_puts(out, which == 0 ? "in " : "from ");
            cli_put_clipped(out, d->plans[1u - which].names[other], 40u);
            return;
        }
    }
    cli_puts(out, "-");
}

static void put_name_cell(const diff *d, cli_table *t, uint32_t which, uint32_t part,
                          uint32_t other)
{
    if (part != GSP_NONE) {
        cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), d->plans[which].names[part], 40u);
    } else {
        put_other(d, cli_cell_begin(t, CLI_DIM), 1u - which, other);
    }
}

static void put_part(const diff *d, cli_table *t, uint32_t first, uint32_t second)
{
    uint8_t change = first != GSP_NONE ? d->result.change[0][first] : d->result.change[1][second];
    int both = first != GSP_NONE && second != GSP_NONE;
    put_name_cell(d, t, 0, first, second);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, first != GSP_NONE ? d->sizes[0][first] : 0u);
    cli_cell_put(t, change == CLI_CHANGE_SAME ? CLI_GREEN : CLI_YELLOW, "%s", diff_changes[change]);
    put_name_cell(d, t, 1, second, first);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, second != GSP_NONE ? d->sizes[1][second] : 0u);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, both ? d->stayed[first] : 0u);
}

static void put_parts(const diff *d, uint32_t most, cli_buffer *out)
{
    uint8_t *is_new = diff_new_parts(d);
    uint32_t n = 0;
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "PARTS", "matched by the number of nodes that they share");
    cli_table_init(&t, d->session, "lrllrr");
    cli_table_head(&t, "first|nodes|change|second|nodes|shared");
    for (i = 0; i < d->plans[0].n_parts; i++) {
        if (n++ < most) {
            put_part(d, &t, i, d->result.partner[i]);
        }
    }
    for (i = 0; i < d->plans[1].n_parts; i++) {
        if (is_new[i] && n++ < most) {
            put_part(d, &t, GSP_NONE, i);
        }
    }
    cli_table_write(&t, out);
    cli_put_rest(out, n, most, NULL);
}

static void put_nodes(const diff *d, uint32_t most, cli_buffer *out)
{
    uint32_t n = 0;
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "NODES", "that moved, or that only one plan places");
    cli_table_init(&t, d->session, "lll");
    cli_table_head(&t, "node|first|second");
    for (i = 0; i < d->n; i++) {
        if ((diff_moved(d, i) || diff_only_in(d, i, 0) || diff_only_in(d, i, 1)) && n++ < most) {
            cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), d->items[i], 40u);
            cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), diff_left_name(d, i), 60u);
            cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), diff_part_name(d, 1, d->of[1][i]), 40u);
        }
    }
    cli_table_write(&t, out);
    cli_put_rest(out, n, most, NULL);
}

void diff_people(const diff *d, cli_buffer *out)
{
    const cli_compared *r = &d->result;
    uint32_t most = d->session->common.all ? UINT32_MAX : DIFF_ROWS;
    uint32_t both = r->n_agree + r->n_moved;
    cli_put_styled(out, CLI_BOLD, d->paths[0]);
    cli_puts(out, " and ");
    cli_put_styled(out, CLI_BOLD, d->paths[1]);
    cli_printf(out, "  %" PRIu32 " of %" PRIu32 " %s%s in both agree (", r->n_agree, both,
               d->session->path != NULL ? "node" : "line", cli_plural(both));
    cli_put_percent(out, r->n_agree, both);
    cli_printf(out, "), %" PRIu32 " moved", r->n_moved);
    if (r->n_only[0] + r->n_only[1] != 0) {
        cli_printf(out, "; %" PRIu32 " only in the first, %" PRIu32 " only in the second",
                   r->n_only[0], r->n_only[1]);
    }
    cli_puts(out, "\n");
    put_parts(d, most, out);
    if (r->n_moved + r->n_only[0] + r->n_only[1] != 0) {
        put_nodes(d, most, out);
    }
}
