/* The report of `diff` for people. */
#include "commands/diff/diff.h"

#include "output/output.h"

#include <inttypes.h>

#define DIFF_ROWS   40u
#define PLACE_WIDTH 40u

/* The part of the other plan for a part without a partner: that of its first shared item. */
static uint32_t find_other(const diff *d, uint32_t which, uint32_t part)
{
    uint32_t i;
    for (i = 0; i < d->n; i++) {
        if (d->of[which][i] == part && d->of[1u - which][i] != GSP_NONE) {
            return d->of[1u - which][i];
        }
    }
    return GSP_NONE;
}

static uint32_t count_shared(const diff *d, uint32_t first, uint32_t second)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < d->n; i++) {
        n += d->of[0][i] == first && d->of[1][i] == second ? 1u : 0u;
    }
    return first != GSP_NONE && second != GSP_NONE ? n : 0u;
}

/* `prefix`: before the name of a part that is the partner of another. */
static void put_part_cells(
    const diff *d, cli_table *t, uint32_t which, uint32_t part, const char *prefix)
{
    cli_buffer *cell = cli_cell_begin(t, prefix != NULL ? CLI_DIM : CLI_PLAIN);
    if (part != GSP_NONE) {
        cli_puts(cell, prefix != NULL ? prefix : "");
        cli_put_clipped(cell, d->plans[which].names[part], 40u);
    } else {
        cli_puts(cell, "-");
    }
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, part != GSP_NONE ? d->sizes[which][part] : 0u);
}

static void put_part(const diff *d, cli_table *t, uint32_t first, uint32_t second)
{
    uint8_t change = first != GSP_NONE ? d->result.change[0][first] : d->result.change[1][second];
    const char *from = first == GSP_NONE ? "from " : NULL;
    const char *in = second == GSP_NONE ? "in " : NULL;
    first = from != NULL ? find_other(d, 1, second) : first;
    second = in != NULL ? find_other(d, 0, first) : second;
    put_part_cells(d, t, 0, first, from);
    cli_cell_put(t, change == GSP_CHANGE_SAME ? CLI_GREEN : CLI_YELLOW, "%s", diff_changes[change]);
    put_part_cells(d, t, 1, second, in);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, count_shared(d, first, second));
}

static void put_parts(const diff *d, uint32_t most, cli_buffer *out)
{
    uint32_t n = 0;
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "PARTS", "matched by the number of nodes that they share");
    cli_table_init(&t, d->session, "lrllrr");
    cli_table_head(&t, "first|nodes|change|second|nodes|shared");
    for (i = 0; i < d->plans[0].n_parts; i++) {
        if (n++ < most) {
            put_part(d, &t, i, d->result.partner[0][i]);
        }
    }
    for (i = 0; i < d->plans[1].n_parts; i++) {
        if (d->result.partner[1][i] == GSP_NONE && n++ < most) {
            put_part(d, &t, GSP_NONE, i);
        }
    }
    cli_table_write(&t, out);
    cli_put_rest(out, n, most, NULL);
}

/* What a node is in, "acc, _run_on_acc_0", or where the first plan has left it. */
static void put_place(const diff *d, cli_table *t, uint32_t which, uint32_t item)
{
    cli_buffer *out = cli_cell_begin(t, CLI_PLAIN);
    gsp_str device = diff_device(d, which, d->of[which][item]);
    if (device.size != 0 && diff_changed(d, item)) {
        cli_put_clipped(out, device, 20u);
        cli_puts(out, ", ");
    }
    cli_put_clipped(out,
        which == 0 ? diff_left_name(d, item) : diff_part_name(d, 1, d->of[1][item]), PLACE_WIDTH);
}

static void put_nodes(const diff *d, int changed, const char *note, cli_buffer *out)
{
    uint32_t most = d->session->common.all ? UINT32_MAX : DIFF_ROWS;
    uint32_t n = 0;
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "NODES", note);
    cli_table_init(&t, d->session, "lll");
    cli_table_head(&t, "node|first|second");
    for (i = 0; i < d->n; i++) {
        int is_other = diff_moved(d, i) || diff_only_in(d, i, 0) || diff_only_in(d, i, 1);
        if ((changed ? diff_changed(d, i) : is_other && !diff_changed(d, i)) && n++ < most) {
            cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), d->items[i], PLACE_WIDTH);
            put_place(d, &t, 0, i);
            put_place(d, &t, 1, i);
        }
    }
    cli_table_write(&t, out);
    cli_put_rest(out, n, most, NULL);
}

/* ---- the plans beside each other ---- */

static void put_row(const diff *d, cli_table *t, const char *what,
    void (*put)(const diff_side *side, cli_buffer *out))
{
    uint32_t k;
    cli_cell_put(t, CLI_PLAIN, "%s", what);
    for (k = 0; k < 2u; k++) {
        put(&d->sides[k], cli_cell_begin(t, CLI_PLAIN));
    }
}

static void put_coverage(const diff_side *side, cli_buffer *out)
{
    cli_printf(out, "%" PRIu32 " of %" PRIu32 " (", side->n_acc, side->n_placed);
    cli_put_percent(out, side->n_acc, side->n_placed);
    cli_puts(out, ")");
}

static void put_n_parts(const diff_side *side, cli_buffer *out)
{
    cli_printf(out, "%" PRIu32, side->n_parts);
}

static void put_n_acc_parts(const diff_side *side, cli_buffer *out)
{
    cli_printf(out, "%" PRIu32 ", %" PRIu32 " on accelerators", side->n_parts, side->n_acc_parts);
}

static void put_values(uint32_t n, uint64_t bytes, cli_buffer *out)
{
    cli_printf(out, "%" PRIu32 ", ", n);
    cli_put_bytes(out, bytes);
}

static void put_boundary(const diff_side *side, cli_buffer *out)
{
    put_values(side->boundary, side->boundary_bytes, out);
}

static void put_crossings(const diff_side *side, cli_buffer *out)
{
    put_values(side->crossings, side->crossing_bytes, out);
}

static void put_plans(const diff *d, cli_buffer *out)
{
    int is_graph = d->session->path != NULL;
    cli_table t;
    cli_put_heading(out, "PLANS", NULL);
    cli_table_init(&t, d->session, "lll");
    cli_table_head(&t, "|first|second");
    if (d->has_cpu) {
        put_row(d, &t, is_graph ? "nodes on accelerators" : "lines on accelerators", put_coverage);
    }
    if (is_graph && d->has_cpu) {
        put_row(d, &t, "values across their boundary", put_boundary);
    }
    put_row(d, &t, "parts", d->has_cpu ? put_n_acc_parts : put_n_parts);
    if (is_graph) {
        put_row(d, &t, "values between parts", put_crossings);
    }
    cli_table_write(&t, out);
}

/* ---- all of it ---- */

static void put_title(const diff *d, cli_buffer *out)
{
    const gsp_compare_result *r = &d->result;
    const char *what = d->session->path != NULL ? "node" : "line";
    uint32_t both = r->n_agree + r->n_moved;
    uint32_t same = d->has_devices ? both - d->n_changed : r->n_agree;
    cli_put_styled(out, CLI_BOLD, d->paths[0]);
    cli_puts(out, " and ");
    cli_put_styled(out, CLI_BOLD, d->paths[1]);
    cli_printf(out, "\n  %" PRIu32 " of %" PRIu32 " %s%s in both %s (", same, both, what,
        cli_plural(both), d->has_devices ? "stay on their device" : "agree");
    cli_put_percent(out, same, both);
    if (d->has_devices) {
        cli_printf(out, "), %" PRIu32 " of them in another part;\n  %" PRIu32 " changed device",
            d->n_moved, d->n_changed);
    } else {
        cli_printf(out, "), %" PRIu32 " moved", r->n_moved);
    }
    if (r->n_only[0] + r->n_only[1] != 0) {
        cli_printf(out, "\n  %" PRIu32 " only in the first, %" PRIu32 " only in the second",
            r->n_only[0], r->n_only[1]);
    }
    cli_puts(out, "\n");
}

void diff_people(const diff *d, cli_buffer *out)
{
    const gsp_compare_result *r = &d->result;
    put_title(d, out);
    put_plans(d, out);
    put_parts(d, d->session->common.all ? UINT32_MAX : DIFF_ROWS, out);
    if (d->n_changed != 0) {
        put_nodes(d, 1, "that changed device", out);
    }
    if (d->n_moved + r->n_only[0] + r->n_only[1] != 0) {
        put_nodes(d, 0,
            d->has_devices ? "on the same device in another part, or that only one plan places"
                           : "that moved, or that only one plan places",
            out);
    }
}
