/* Two plans on the same items, and the changes of every part and item. */
#include "commands/diff/diff.h"

#include <stdlib.h>
#include <string.h>

/* ---- items ---- */

/* Without a graph, the lines are the items; of lines with one name the last decides. */
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

/* Items in the order in which the first plan, then the second plan first names them. */
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
    for (i = 0; i < n; i++) { /* the first of equal texts represents all */
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
        d->of[list[i].which][item_of[list[i].item]] = plan->lines[list[i].line].part;
    }
    d->items = items;
}

static int is_cpu_part(const diff *d, uint32_t which, uint32_t part)
{
    return gsp_str_equal(diff_device(d, which, part), gsp_str_of("cpu"));
}

/* The values that one node passes to other parts; seen[part] == v + 1 once that part is counted. */
static void count_readers(diff *d, uint32_t which, const gsp_graph *g, const uint32_t *part_of,
    gsp_node v, uint32_t *seen)
{
    diff_side *side = &d->sides[which];
    uint64_t bytes = gsp_node_bytes(g, v);
    int is_cpu = is_cpu_part(d, which, part_of[v]);
    uint32_t n;
    const gsp_node *users = gsp_node_users(g, v, &n);
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t to = part_of[users[i]];
        if (to != GSP_NONE && to != part_of[v] && seen[to] != v + 1u) {
            int passes = !is_cpu || !is_cpu_part(d, which, to);
            seen[to] = v + 1u;
            side->crossings++;
            side->crossing_bytes += bytes;
            side->boundary += passes ? 1u : 0u;
            side->boundary_bytes += passes ? bytes : 0u;
        }
    }
}

static void count_crossings(diff *d, uint32_t which, const gsp_graph *g, const uint32_t *part_of)
{
    uint32_t *seen =
        (uint32_t *)cli_alloc(d->session, (size_t)d->plans[which].n_parts + 1u, sizeof *seen);
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        if (part_of[v] != GSP_NONE) {
            count_readers(d, which, g, part_of, v, seen);
        }
    }
    cli_release(d->session, seen);
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
        count_crossings(d, k, &g, loaded.on.part_of);
        for (v = 0, d->n = 0; v < g.n_nodes; v++) {
            if (gsp_node_is_callable(&g, v)) {
                items[d->n] = gsp_node_name(&g, v);
                d->of[k][d->n++] = loaded.on.part_of[v];
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
        d->desc.n_parts[k] = d->plans[k].n_parts;
        d->desc.part_of[k] = d->of[k];
        d->desc.names[k] = d->plans[k].names;
    }
    cli_arena(d->session, &arena, gsp_compare_bound(&d->desc));
    if (gsp_compare_run(&arena, &d->desc, &d->result, &err) != GSP_OK) {
        return cli_pass_error(d->session, NULL, &err);
    }
    return CLI_EXIT_OK;
}

/* ---- what became of them ---- */

const char *const diff_changes[] = {"empty", "same", "renamed", "split", "merged", "mixed"};

gsp_str diff_device(const diff *d, uint32_t which, uint32_t part)
{
    return part == GSP_NONE ? gsp_str_of("") : d->plans[which].notes[part];
}

int diff_changed(const diff *d, uint32_t item)
{
    uint32_t a = d->of[0][item];
    uint32_t b = d->of[1][item];
    return a != GSP_NONE && b != GSP_NONE &&
           !gsp_str_equal(diff_device(d, 0, a), diff_device(d, 1, b));
}

gsp_str diff_part_name(const diff *d, uint32_t which, uint32_t part)
{
    return part == GSP_NONE ? gsp_str_of("-") : d->plans[which].names[part];
}

int diff_agrees(const diff *d, uint32_t item)
{
    uint32_t a = d->of[0][item];
    uint32_t b = d->of[1][item];
    return a != GSP_NONE && b != GSP_NONE && d->result.partner[0][a] == b;
}

/* In both plans, but not in partners. */
int diff_moved(const diff *d, uint32_t item)
{
    return d->of[0][item] != GSP_NONE && d->of[1][item] != GSP_NONE && !diff_agrees(d, item);
}

int diff_only_in(const diff *d, uint32_t item, uint32_t which)
{
    return d->of[which][item] != GSP_NONE && d->of[1u - which][item] == GSP_NONE;
}

/* Counts the items of every part. */
static void count_items(diff *d)
{
    uint32_t k;
    uint32_t i;
    for (k = 0; k < 2u; k++) {
        d->sizes[k] = (uint32_t *)cli_alloc(
            d->session, (size_t)d->plans[k].n_parts + 1u, sizeof *d->sizes[k]);
        for (i = 0; i < d->n; i++) {
            if (d->of[k][i] != GSP_NONE) {
                d->sizes[k][d->of[k][i]]++;
            }
        }
    }
}

static void count_devices(diff *d)
{
    uint32_t k;
    uint32_t i;
    for (k = 0; k < 2u; k++) {
        diff_side *side = &d->sides[k];
        for (i = 0; i < d->plans[k].n_parts; i++) {
            int is_cpu = is_cpu_part(d, k, i);
            uint32_t size = d->sizes[k][i];
            d->has_devices |= diff_device(d, k, i).size != 0;
            d->has_cpu |= is_cpu;
            side->n_placed += size;
            side->n_parts += size != 0 ? 1u : 0u;
            side->n_acc += is_cpu ? 0u : size;
            side->n_acc_parts += size != 0 && !is_cpu ? 1u : 0u;
        }
    }
    for (i = 0; i < d->n; i++) {
        d->n_changed += diff_changed(d, i) ? 1u : 0u;
        d->n_moved += diff_moved(d, i) && !diff_changed(d, i) ? 1u : 0u;
    }
}

int diff_make(diff *d)
{
    int code = make_items(d);
    if (code == CLI_EXIT_OK) {
        code = compare(d);
    }
    if (code == CLI_EXIT_OK) {
        count_items(d);
        count_devices(d);
    }
    return code;
}

gsp_str diff_left_name(const diff *d, uint32_t i)
{
    uint32_t first = d->of[0][i];
    cli_buffer b;
    gsp_str name = diff_part_name(d, 0, first);
    if (!diff_moved(d, i) || !gsp_str_equal(name, diff_part_name(d, 1, d->of[1][i]))) {
        return name;
    }
    cli_buffer_init(&b, d->session);
    cli_put_text(&b, name);
    if (d->result.partner[0][first] == GSP_NONE) {
        cli_puts(&b, " (gone)");
    } else {
        cli_puts(&b, " (now ");
        cli_put_text(&b, diff_part_name(d, 1, d->result.partner[0][first]));
        cli_puts(&b, ")");
    }
    name.data = b.data;
    name.size = (uint32_t)b.size;
    return name;
}
