/* graphsplit diff: two plans compared, by themselves or on a graph. */
#include "core/cli.h"
#include "core/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DIFF_ROWS 40u

typedef struct diff {
    cli_session *session;
    const char *paths[2];
    cli_plan_text plans[2];
    uint32_t *of[2];      /* [n] piece of an item */
    const gsp_str *items; /* [n] names of nodes, or lines */
    uint32_t n;
    cli_compare_desc desc;
    cli_compared result;
    uint32_t *sizes[2]; /* [n_pieces] items */
    uint32_t *stayed;   /* [n_pieces of the first] items that agree */
} diff;

/* ---- items ---- */

/* Without a graph the lines themselves are compared; a name that comes again counts as its last
 * line says. */
typedef struct entry {
    gsp_str text;
    uint32_t which; /* plan */
    uint32_t line;
    uint32_t item;
} entry;

static int compare_text(gsp_str a, gsp_str b)
{
    uint32_t size = a.size < b.size ? a.size : b.size;
    int c = size != 0 ? memcmp(a.data, b.data, size) : 0;
    return c != 0 ? c : (a.size > b.size) - (a.size < b.size);
}

static int by_text(const void *a, const void *b)
{
    const entry *x = (const entry *)a;
    const entry *y = (const entry *)b;
    int c = compare_text(x->text, y->text);
    if (c == 0) {
        c = (x->which > y->which) - (x->which < y->which);
    }
    return c != 0 ? c : (x->line > y->line) - (x->line < y->line);
}

static int by_place(const void *a, const void *b)
{
    const entry *x = (const entry *)a;
    const entry *y = (const entry *)b;
    int c = (x->which > y->which) - (x->which < y->which);
    return c != 0 ? c : (x->line > y->line) - (x->line < y->line);
}

static void alloc_items(diff *d, uint32_t n)
{
    uint32_t k;
    for (k = 0; k < 2u; k++) {
        d->of[k] = (uint32_t *)cli_alloc(d->session, (size_t)n + 1u, sizeof *d->of[k]);
        memset(d->of[k], 0xFF, ((size_t)n + 1u) * sizeof *d->of[k]);
    }
}

/* Items in the order in which the first plan, then the second names them first. */
static void items_of_lines(diff *d)
{
    uint32_t n = d->plans[0].n_lines + d->plans[1].n_lines;
    entry *list = (entry *)cli_alloc(d->session, (size_t)n + 1u, sizeof *list);
    uint32_t *item_of = (uint32_t *)cli_alloc(d->session, (size_t)n + 1u, sizeof *item_of);
    gsp_str *items = (gsp_str *)cli_alloc(d->session, (size_t)n + 1u, sizeof *items);
    uint32_t i;
    alloc_items(d, n);
    for (i = 0; i < n; i++) {
        list[i].which = i < d->plans[0].n_lines ? 0u : 1u;
        list[i].line = list[i].which == 0 ? i : i - d->plans[0].n_lines;
        list[i].text = d->plans[list[i].which].lines[list[i].line].pattern;
    }
    qsort(list, n, sizeof *list, by_text);
    for (i = 0; i < n; i++) { /* equal texts have one group, known by its first place in `list` */
        list[i].item =
            i > 0 && compare_text(list[i].text, list[i - 1u].text) == 0 ? list[i - 1u].item : i;
    }
    qsort(list, n, sizeof *list, by_place);
    memset(item_of, 0xFF, ((size_t)n + 1u) * sizeof *item_of);
    for (i = 0; i < n; i++) {
        const cli_plan_text *plan = &d->plans[list[i].which];
        if (item_of[list[i].item] == GSP_NONE) {
            item_of[list[i].item] = d->n;
            items[d->n++] = list[i].text;
        }
        d->of[list[i].which][item_of[list[i].item]] = plan->lines[list[i].line].piece;
    }
    d->items = items;
}

static int items_of_graph(diff *d)
{
    gsp_graph g = gsp_module_graph(&d->session->module, 0);
    gsp_str *items = (gsp_str *)cli_alloc(d->session, g.n_nodes, sizeof *items);
    uint32_t k;
    gsp_node v;
    alloc_items(d, g.n_nodes);
    for (k = 0; k < 2u; k++) {
        cli_plan loaded;
        int code = cli_plan_load(d->session, d->paths[k], &g, &loaded);
        if (code != CLI_EXIT_OK) {
            return code;
        }
        d->plans[k] = loaded.plan;
        for (v = 0, d->n = 0; v < g.n_nodes; v++) {
            if (gsp_node_is_callable(&g, v)) {
                items[d->n] = gsp_node_name(&g, v);
                d->of[k][d->n++] = loaded.on.piece_of[v];
            }
        }
    }
    d->items = items;
    return CLI_EXIT_OK;
}

static int make_items(diff *d)
{
    uint32_t k;
    if (d->session->path != NULL) {
        return items_of_graph(d);
    }
    for (k = 0; k < 2u; k++) {
        int code = cli_plan_read(d->session, d->paths[k], &d->plans[k]);
        if (code != CLI_EXIT_OK) {
            return code;
        }
    }
    items_of_lines(d);
    return CLI_EXIT_OK;
}

static int compare(diff *d)
{
    gsp_arena arena;
    gsp_error err;
    uint32_t k;
    d->desc.n_items = d->n;
    for (k = 0; k < 2u; k++) {
        d->desc.n_pieces[k] = d->plans[k].n_pieces;
        d->desc.of[k] = d->of[k];
        d->desc.names[k] = d->plans[k].names;
    }
    cli_arena(d->session, &arena, cli_compare_bound(&d->desc));
    if (cli_compare(&arena, &d->desc, &d->result, &err) != GSP_OK) {
        return cli_pass_error(d->session, NULL, &err);
    }
    return CLI_EXIT_OK;
}

/* ---- what is said ---- */

static const char *const changes[] = {"empty", "same", "renamed", "split", "merged", "mixed"};

static gsp_str piece_name(const diff *d, uint32_t which, uint32_t piece)
{
    return piece == GSP_NONE ? gsp_str_of("-") : d->plans[which].names[piece];
}

static int agrees(const diff *d, uint32_t item)
{
    uint32_t a = d->of[0][item];
    uint32_t b = d->of[1][item];
    return a != GSP_NONE && b != GSP_NONE && d->result.partner[a] == b;
}

/* In both, but elsewhere. */
static int moved(const diff *d, uint32_t item)
{
    return d->of[0][item] != GSP_NONE && d->of[1][item] != GSP_NONE && !agrees(d, item);
}

static int only_in(const diff *d, uint32_t item, uint32_t which)
{
    return d->of[which][item] != GSP_NONE && d->of[1u - which][item] == GSP_NONE;
}

/* Items of every piece, and those that stayed with it. */
static void count_items(diff *d)
{
    uint32_t k;
    uint32_t i;
    d->stayed =
        (uint32_t *)cli_alloc(d->session, (size_t)d->plans[0].n_pieces + 1u, sizeof *d->stayed);
    for (k = 0; k < 2u; k++) {
        d->sizes[k] = (uint32_t *)cli_alloc(d->session, (size_t)d->plans[k].n_pieces + 1u,
                                            sizeof *d->sizes[k]);
        for (i = 0; i < d->n; i++) {
            if (d->of[k][i] != GSP_NONE) {
                d->sizes[k][d->of[k][i]]++;
                d->stayed[d->of[0][i] != GSP_NONE ? d->of[0][i] : 0u] +=
                    k == 0 && agrees(d, i) ? 1u : 0u;
            }
        }
    }
}

/* A piece of the second plan that no piece of the first became. */
static uint8_t *new_pieces(const diff *d)
{
    uint32_t n = d->plans[1].n_pieces;
    uint8_t *is_new = (uint8_t *)cli_alloc(d->session, (size_t)n + 1u, 1u);
    uint32_t i;
    memset(is_new, 1, (size_t)n + 1u);
    for (i = 0; i < d->plans[0].n_pieces; i++) {
        if (d->result.partner[i] != GSP_NONE) {
            is_new[d->result.partner[i]] = 0;
        }
    }
    return is_new;
}

/* The piece that an item has left; where the new one has the same name, with what became of it. */
static gsp_str left_name(const diff *d, uint32_t i)
{
    uint32_t first = d->of[0][i];
    cli_buffer b;
    gsp_str name = piece_name(d, 0, first);
    if (!moved(d, i) || !gsp_str_equal(name, piece_name(d, 1, d->of[1][i]))) {
        return name;
    }
    cli_buffer_init(&b, d->session);
    cli_put_text(&b, name);
    if (d->result.partner[first] == GSP_NONE) {
        cli_puts(&b, " (gone)");
    } else {
        cli_puts(&b, " (now ");
        cli_put_text(&b, piece_name(d, 1, d->result.partner[first]));
        cli_puts(&b, ")");
    }
    name.data = b.data;
    name.size = (uint32_t)b.size;
    return name;
}

static void put_porcelain(const diff *d, cli_buffer *out)
{
    const cli_compared *r = &d->result;
    uint8_t *is_new = new_pieces(d);
    uint32_t i;
    cli_printf(out,
               "diff agree=%" PRIu32 " moved=%" PRIu32 " only_first=%" PRIu32
               " only_second=%" PRIu32 "\n",
               r->n_agree, r->n_moved, r->n_only[0], r->n_only[1]);
    for (i = 0; i < d->plans[0].n_pieces; i++) {
        cli_printf(out, "piece %s ", changes[r->change[0][i]]);
        cli_put_text(out, piece_name(d, 0, i));
        cli_puts(out, " = ");
        cli_put_text(out, piece_name(d, 1, r->partner[i]));
        cli_puts(out, "\n");
    }
    for (i = 0; i < d->plans[1].n_pieces; i++) {
        if (is_new[i]) {
            cli_printf(out, "new %s ", changes[r->change[1][i]]);
            cli_put_text(out, piece_name(d, 1, i));
            cli_puts(out, "\n");
        }
    }
    for (i = 0; i < d->n; i++) {
        if (!agrees(d, i) && (d->of[0][i] != GSP_NONE || d->of[1][i] != GSP_NONE)) {
            cli_puts(out, moved(d, i) ? "moved " : "only ");
            cli_put_text(out, d->items[i]);
            cli_puts(out, " : ");
            cli_put_text(out, left_name(d, i));
            cli_puts(out, " -> ");
            cli_put_text(out, piece_name(d, 1, d->of[1][i]));
            cli_puts(out, "\n");
        }
    }
}

static void json_piece(const diff *d, uint32_t which, uint32_t piece, cli_buffer *out)
{
    if (piece == GSP_NONE) {
        cli_puts(out, "null");
    } else {
        cli_json_string(out, d->plans[which].names[piece]);
    }
}

static void put_json(const diff *d, cli_buffer *out)
{
    const cli_compared *r = &d->result;
    uint8_t *is_new = new_pieces(d);
    const char *comma = "";
    uint32_t i;
    cli_printf(out,
               "{\"pass\": \"diff\", \"agree\": %" PRIu32 ", \"moved\": %" PRIu32
               ", \"only_first\": %" PRIu32 ", \"only_second\": %" PRIu32 ",\n\"pieces\": [",
               r->n_agree, r->n_moved, r->n_only[0], r->n_only[1]);
    for (i = 0; i < d->plans[0].n_pieces; i++, comma = ",") {
        cli_printf(out, "%s\n  {\"first\": ", comma);
        json_piece(d, 0, i, out);
        cli_puts(out, ", \"second\": ");
        json_piece(d, 1, r->partner[i], out);
        cli_printf(out, ", \"change\": \"%s\"}", changes[r->change[0][i]]);
    }
    for (i = 0; i < d->plans[1].n_pieces; i++) {
        if (is_new[i]) {
            cli_printf(out, "%s\n  {\"first\": null, \"second\": ", comma);
            json_piece(d, 1, i, out);
            cli_printf(out, ", \"change\": \"%s\"}", changes[r->change[1][i]]);
            comma = ",";
        }
    }
    cli_puts(out, "],\n\"nodes\": [");
    for (i = 0, comma = ""; i < d->n; i++) {
        if (!agrees(d, i) && (d->of[0][i] != GSP_NONE || d->of[1][i] != GSP_NONE)) {
            cli_printf(out, "%s\n  {\"node\": ", comma);
            cli_json_string(out, d->items[i]);
            cli_puts(out, ", \"first\": ");
            json_piece(d, 0, d->of[0][i], out);
            cli_puts(out, ", \"second\": ");
            json_piece(d, 1, d->of[1][i], out);
            cli_puts(out, "}");
            comma = ",";
        }
    }
    cli_puts(out, "]}\n");
}

/* ---- for people ---- */

/* Where a piece without a partner went, or came from: the piece of its first shared item. */
static void put_other(const diff *d, cli_buffer *out, uint32_t which, uint32_t piece)
{
    uint32_t i;
    for (i = 0; i < d->n; i++) {
        uint32_t other = d->of[1u - which][i];
        if (d->of[which][i] == piece && other != GSP_NONE) {
            cli_puts(out, which == 0 ? "in " : "from ");
            cli_put_clipped(out, d->plans[1u - which].names[other], 40u);
            return;
        }
    }
    cli_puts(out, "-");
}

static void put_name_cell(const diff *d, cli_table *t, uint32_t which, uint32_t piece,
                          uint32_t other)
{
    if (piece != GSP_NONE) {
        cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), d->plans[which].names[piece], 40u);
    } else {
        put_other(d, cli_cell_begin(t, CLI_DIM), 1u - which, other);
    }
}

static void put_piece(const diff *d, cli_table *t, uint32_t first, uint32_t second)
{
    uint8_t change = first != GSP_NONE ? d->result.change[0][first] : d->result.change[1][second];
    int both = first != GSP_NONE && second != GSP_NONE;
    put_name_cell(d, t, 0, first, second);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, first != GSP_NONE ? d->sizes[0][first] : 0u);
    cli_cell_put(t, change == CLI_CHANGE_SAME ? CLI_GREEN : CLI_YELLOW, "%s", changes[change]);
    put_name_cell(d, t, 1, second, first);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, second != GSP_NONE ? d->sizes[1][second] : 0u);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, both ? d->stayed[first] : 0u);
}

static void put_rest(cli_buffer *out, uint32_t n, uint32_t shown)
{
    if (shown < n) {
        cli_printf(out, "  ... and %" PRIu32 " more (--all shows them)\n", n - shown);
    }
}

static void put_pieces(const diff *d, uint32_t most, cli_buffer *out)
{
    uint8_t *is_new = new_pieces(d);
    uint32_t n = 0;
    cli_table t;
    uint32_t i;
    cli_puts(out, "\n");
    cli_put_styled(out, CLI_BOLD, "PIECES");
    cli_puts(out, "  partners are those that share most nodes\n");
    cli_table_init(&t, d->session, "lrllrr");
    cli_table_head(&t, "first|nodes|change|second|nodes|shared");
    for (i = 0; i < d->plans[0].n_pieces; i++) {
        if (n++ < most) {
            put_piece(d, &t, i, d->result.partner[i]);
        }
    }
    for (i = 0; i < d->plans[1].n_pieces; i++) {
        if (is_new[i] && n++ < most) {
            put_piece(d, &t, GSP_NONE, i);
        }
    }
    cli_table_write(&t, out);
    put_rest(out, n, most);
}

static void put_nodes(const diff *d, uint32_t most, cli_buffer *out)
{
    uint32_t n = 0;
    cli_table t;
    uint32_t i;
    cli_puts(out, "\n");
    cli_put_styled(out, CLI_BOLD, "NODES");
    cli_puts(out, "  that moved, or that one plan alone places\n");
    cli_table_init(&t, d->session, "lll");
    cli_table_head(&t, "node|first|second");
    for (i = 0; i < d->n; i++) {
        if ((moved(d, i) || only_in(d, i, 0) || only_in(d, i, 1)) && n++ < most) {
            cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), d->items[i], 40u);
            cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), left_name(d, i), 60u);
            cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), piece_name(d, 1, d->of[1][i]), 40u);
        }
    }
    cli_table_write(&t, out);
    put_rest(out, n, most);
}

static void put_people(const diff *d, cli_buffer *out)
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
    put_pieces(d, most, out);
    if (r->n_moved + r->n_only[0] + r->n_only[1] != 0) {
        put_nodes(d, most, out);
    }
}

static int run(cli_session *s, int argc, char **argv)
{
    diff d;
    uint32_t no_options = 0;
    int code = cli_options_read(s, &no_options, argc, argv);
    if (code != CLI_EXIT_OK || s->common.help) {
        return code;
    }
    if (s->n_positional < 2u || s->n_positional > 3u) {
        return cli_usage_error(s, "two plans are compared, and perhaps a graph is given");
    }
    memset(&d, 0, sizeof d);
    d.session = s;
    d.paths[0] = s->positional[0];
    d.paths[1] = s->positional[1];
    s->path = s->n_positional == 3u ? s->positional[2] : NULL;
    if (s->path != NULL && (code = cli_load(s)) != CLI_EXIT_OK) {
        return code;
    }
    s->out.colour = cli_wants_colour(s);
    if ((code = make_items(&d)) != CLI_EXIT_OK || (code = compare(&d)) != CLI_EXIT_OK) {
        return code;
    }
    count_items(&d);
    if (s->common.porcelain) {
        put_porcelain(&d, &s->out);
    } else if (s->common.json) {
        put_json(&d, &s->out);
    } else {
        put_people(&d, &s->out);
    }
    return CLI_EXIT_OK;
}

const cli_pass cli_diff_pass = {
    "diff",
    "[options] FIRST.plan SECOND.plan [FILE]",
    "Compares two plans: nodes that moved, pieces renamed, split and merged",
    "With FILE the plans are applied to that graph first, so that patterns mean nodes; without it\n"
    "their lines are compared as they stand. Pieces are partners by how many nodes they share,\n"
    "whatever their names.\n",
    NULL,
    0,
    run,
};
