/* The report of `memory` for people. */
#include "commands/memory/memory.h"

#include "output/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS   20u /* of a table, without --all */
#define WIDTH  72u /* of the picture */
#define HEIGHT 8u

/* ---- summary ---- */

static void put_least(
    cli_buffer *out, uint64_t bytes, int least, void (*put)(cli_buffer *, uint64_t))
{
    cli_put_style(out, CLI_BOLD);
    cli_put_least(out, bytes, least, put);
    cli_put_style(out, CLI_PLAIN);
    if (bytes >= 1024u) {
        cli_printf(out, " (%" PRIu64 " bytes)", bytes);
    }
}

static void put_exact(cli_buffer *out, uint64_t bytes, void (*put)(cli_buffer *, uint64_t))
{
    put_least(out, bytes, 0, put);
}

static void put_title(const memory *m, cli_buffer *out)
{
    const char *path = m->session->path;
    cli_put_styled(out, CLI_BOLD, strcmp(path, "-") == 0 ? "standard input" : path);
    if (m->opt.graph != NULL) {
        cli_puts(out, ", graph ");
        cli_put_clean(out, gsp_str_of(m->opt.graph));
    }
    cli_printf(out, "  %" PRIu32 " nodes\n", m->graph.n_nodes);
}

/* Most live bytes of a graph if sizes are rounded up to multiples of the alignment. */
static uint64_t rounded_peak(const memory *m)
{
    const gsp_memory_plan_result *r = &m->memory_plan;
    uint64_t *more = (uint64_t *)cli_alloc(m->session, (size_t)m->graph.n_nodes + 1u, sizeof *more);
    uint64_t live = 0;
    uint64_t most = 0;
    uint32_t i;
    for (i = 0; i < r->n_tensors; i++) {
        const gsp_tensor *t = &r->tensors[i];
        uint64_t const bytes = (t->bytes + m->opt.align - 1u) / m->opt.align * m->opt.align;
        more[t->begin] += bytes;
        more[t->end + 1u] -= bytes;
    }
    for (i = 0; i < m->graph.n_nodes; i++) {
        live += more[i];
        most = live > most ? live : most;
    }
    cli_release(m->session, more);
    return most;
}

static void put_gaps(const memory *m, cli_buffer *out)
{
    const gsp_memory_plan_result *r = &m->memory_plan;
    uint64_t const rounded = m->ids == NULL ? rounded_peak(m) : r->peak;
    cli_put_bytes(out, r->arena - r->peak);
    cli_puts(out, " (");
    cli_put_percent(out, r->arena - r->peak, r->arena);
    cli_puts(out, ") of it gaps");
    if (rounded > r->peak && rounded < r->arena) {
        cli_puts(out, ", ");
        cli_put_bytes(out, rounded - r->peak);
        cli_puts(out, " of them to the next multiples");
    } else if (rounded > r->peak) {
        cli_puts(out, " to the next multiples");
    }
    cli_puts(out, "\n");
}

/* What the plan is a minimum of: results in place take less where an engine has them. */
static void put_no_gaps(const memory *m, cli_buffer *out)
{
    uint64_t const least = memory_in_place_least(m);
    if (m->opt.in_place.given || m->ids != NULL) {
        cli_puts(out, m->ids != NULL ? "without gaps: no plan takes less\n"
                                     : "without gaps: no plan with these in place takes less\n");
    } else if (least < m->memory_plan.arena) {
        cli_puts(out, "without gaps: no plan without results in place takes less;\n"
                      "              with: ");
        put_exact(out, least, cli_put_need);
        cli_puts(out, " (--in-place)\n");
    } else {
        cli_puts(out, "without gaps: no plan without results in place takes less\n");
    }
}

static void put_arena(const memory *m, int least, cli_buffer *out)
{
    const gsp_memory_plan_result *r = &m->memory_plan;
    uint32_t const n_tensors = r->n_tensors - memory_stretches(m);
    if (m->several.n != 0) {
        memory_people_cost(m, out);
        return;
    }
    cli_puts(out, "  arena       ");
    put_least(out, r->arena, least, cli_put_need);
    cli_printf(out, " for %" PRIu32 " tensor%s at multiples of %" PRIu64 ",\n              ",
        n_tensors, cli_plural(n_tensors), m->opt.align);
    if (least) {
        cli_put_open_sizes(out, m->graph.module);
        cli_puts(out, ": with all of them another plan may take less\n");
    } else if (r->arena == r->peak) {
        put_no_gaps(m, out);
    } else {
        put_gaps(m, out);
    }
    if (memory_in_place_count(m) != 0) {
        cli_printf(out,
            "              %" PRIu32 " result%s in place; without: ", memory_in_place_count(m),
            cli_plural(memory_in_place_count(m)));
        cli_put_need(out, m->separate);
        cli_puts(out, "\n");
    }
    if (r->n_stacked != 0) {
        cli_printf(out,
            "              %" PRIu32 " small tensors were stacked on top to save time\n",
            r->n_stacked);
    }
}

/* What the search found, or a lower bound of --csv. */
static void put_search(const memory *m, int least, cli_buffer *out)
{
    const gsp_memory_plan_result *r = &m->memory_plan;
    if (m->several.n != 0 || least) {
        return;
    }
    if (m->searches && m->greedy > r->arena) {
        cli_puts(out, "              ");
        cli_put_bytes(out, m->greedy - r->arena);
        cli_puts(out, " less than the greedy plan\n");
    }
    if ((m->ids != NULL || m->searches) && r->arena > r->peak) {
        cli_puts(out, "  bound       ");
        put_exact(out, m->lower_bound, cli_put_need);
        cli_puts(out, r->arena == m->lower_bound
                          ? (m->ids != NULL ? ": no plan takes less, proved by search\n"
                                : m->opt.in_place.given
                                    ? ": no plan with these in place takes less, proved by search\n"
                                    : ": no plan without results in place takes less, proved by "
                                      "search\n")
                      : m->searches ? "; --exact=WORK searches longer\n"
                                    : "; --exact searches smaller plans\n");
    }
}

/* A plan of another beside the arena. */
static void put_beside(cli_buffer *out, uint64_t bytes, uint64_t arena)
{
    cli_puts(out, ",\n              ");
    if (bytes == arena) {
        cli_puts(out, "as much as the arena");
        return;
    }
    cli_put_bytes(out, bytes > arena ? bytes - arena : arena - bytes);
    cli_puts(out, bytes > arena ? " more than the arena" : " less than the arena");
}

static void put_micro(const memory *m, int least, cli_buffer *out)
{
    const cli_micro *micro = &m->micro;
    int const open = least || micro->outside.size != 0;
    if (!m->has_micro || m->chosen != 0) {
        return;
    }
    cli_puts(out, "  TFLM        estimate ");
    put_least(out, micro->whole_64, open, cli_put_need);
    cli_puts(out, " in all on a 64-bit host, ");
    put_least(out, micro->whole, open, cli_put_need);
    cli_puts(out, "\n              on a 32-bit core: ");
    cli_put_need(out, micro->plan);
    cli_puts(out, micro->placed != 0 ? " of tensors and buffers, by the plan in the file"
                                     : " of tensors and buffers as its planner places them");
    put_beside(out, micro->plan, m->memory_plan.arena);
    cli_puts(out, ",\n");
    cli_printf(out,
        "              %" PRIu64 " tensor%s x %u B, %" PRIu64 " operator%s x %u B, %" PRIu64
        " input%s and output%s x %u B,\n"
        "              %" PRIu64 " B that kernels keep, ",
        micro->tensors, cli_plural(micro->tensors), CLI_MICRO_TENSOR, micro->operators,
        cli_plural(micro->operators), CLI_MICRO_OPERATOR, micro->ends, cli_plural(micro->ends),
        cli_plural(micro->ends), CLI_MICRO_END, micro->kernels);
    if (micro->variables != 0) {
        cli_printf(out, "%" PRIu64 " B of variables, ", micro->variables);
    }
    cli_printf(out, "%u B of allocators\n", CLI_MICRO_FIXED);
    if (micro->outside.size != 0) {
        cli_puts(out, "              without what ");
        cli_put_text(out, micro->outside);
        cli_puts(out, " needs, which no rule tells\n");
    }
}

/* What the new order saves. */
static void put_order(const memory *m, int least, cli_buffer *out)
{
    uint64_t const peak = m->liveness.parts[0].bytes;
    cli_puts(out, "  order       ");
    if (least) {
        cli_puts(out, "by what is known: ");
        cli_put_open_sizes(out, m->graph.module);
        cli_puts(out, "\n");
        return;
    }
    if (peak < m->found.peak) {
        put_exact(out, m->found.peak - peak, cli_put_need);
        cli_puts(out, " less than in the given order");
    } else {
        cli_puts(out, m->pieces ? "one of several" : "the given one");
    }
    if (peak == m->found.bound) {
        cli_puts(out, ": no order needs less\n");
    } else {
        cli_puts(out, "; no order needs less than ");
        cli_put_need(out, m->found.bound);
        cli_puts(out, "\n");
    }
    if (m->pieces && m->found.n_parts > m->split.n_parts) {
        cli_printf(out, "              %" PRIu32 " parts instead of %" PRIu32 "\n",
            m->split.n_parts, m->found.n_parts);
    }
}

static void put_summary(const memory *m, int least, cli_buffer *out)
{
    const gsp_liveness_part *peak = &m->liveness.parts[0];
    cli_puts(out, "  peak        ");
    put_least(out, peak->bytes, least, cli_put_need);
    cli_printf(out, " at step %" PRIu32 ", while ", peak->step);
    cli_put_clipped(out, memory_node_name(&m->graph, peak->node), 32u);
    cli_puts(out, " runs\n");
    if (m->opt.order != NULL) {
        put_order(m, least, out);
    }
    put_arena(m, least, out);
    put_search(m, least, out);
    memory_tiles_people(m, out);
    if (m->graphs[m->chosen].state != 0) {
        cli_puts(out, "  state       ");
        put_exact(out, m->graphs[m->chosen].state, cli_put_need);
        cli_puts(out, " that nodes write (mutates=): RAM beside the arena, kept between runs\n");
    }
    cli_puts(out, "  parameters  ");
    put_least(out, m->graphs[m->chosen].params, memory_is_least(m, 1), cli_put_bytes);
    cli_puts(out, ", counted separately\n");
    put_micro(m, least, out);
}

/* ---- the picture ---- */

/* Most live bytes in a slice of the steps. */
static uint64_t slice_peak(const memory *m, uint32_t column, uint32_t width)
{
    uint32_t n = m->graph.n_nodes;
    uint32_t i = (uint32_t)((uint64_t)n * column / width);
    uint32_t end = (uint32_t)((uint64_t)n * (column + 1u) / width);
    uint64_t most = 0;
    for (; i < end; i++) {
        most = m->liveness.live[i] > most ? m->liveness.live[i] : most;
    }
    return most;
}

static void put_picture(const memory *m, int least, cli_buffer *out)
{
    uint64_t peak = m->liveness.parts[0].bytes;
    uint32_t n = m->graph.n_nodes;
    uint32_t width = n < WIDTH ? n : WIDTH;
    uint32_t row;
    uint32_t i;
    for (row = HEIGHT; row > 0 && peak != 0; row--) {
        uint64_t level = peak / HEIGHT * (row - 1u) + peak % HEIGHT * (row - 1u) / HEIGHT;
        cli_puts(out, "  |");
        for (i = 0; i < width; i++) {
            uint64_t most = slice_peak(m, i, width);
            cli_put_style(out, most == peak ? CLI_RED : CLI_GREEN);
            cli_puts(out, most > level ? "#" : " ");
            cli_put_style(out, CLI_PLAIN);
        }
        cli_puts(out, "|");
        if (row == HEIGHT) {
            cli_puts(out, " ");
            cli_put_least(out, peak, least, cli_put_need);
        }
        cli_puts(out, "\n");
    }
}

/* ---- tables ---- */

typedef struct row {
    uint64_t bytes;
    const gsp_tensor *tensor;
    gsp_node node;
} row;

static int compare_rows(const void *a, const void *b)
{
    const row *x = (const row *)a;
    const row *y = (const row *)b;
    if (x->bytes != y->bytes) {
        return x->bytes < y->bytes ? 1 : -1;
    }
    return (x->node > y->node) - (x->node < y->node);
}

static void put_offset(cli_table *t, int least, uint64_t offset)
{
    if (least) {
        cli_cell_put(t, CLI_PLAIN, "?");
    } else {
        cli_cell_put(t, CLI_PLAIN, "%" PRIu64, offset);
    }
}

/* Of lower bounds no share and no offset is known. */
static void put_live_row(const memory *m, int least, cli_table *t, const row *r)
{
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), gsp_node_name(&m->graph, r->node), 40u);
    cli_put_size(cli_cell_begin(t, CLI_PLAIN), &m->graph, r->node);
    if (least) {
        cli_cell_put(t, CLI_PLAIN, "?");
    } else {
        cli_put_percent(cli_cell_begin(t, CLI_PLAIN), r->bytes, m->liveness.parts[0].bytes);
    }
    if (r->tensor != NULL) {
        cli_cell_put(t, CLI_PLAIN, "%" PRIu32, r->tensor->begin);
        cli_cell_put(t, CLI_PLAIN, "%" PRIu32, r->tensor->end);
        put_offset(t, least, r->tensor->offset);
    } else { /* an aggregate whose elements all have their own tensors */
        cli_cell_put(t, CLI_PLAIN, "-");
        cli_cell_put(t, CLI_PLAIN, "-");
        cli_cell_put(t, CLI_PLAIN, "-");
    }
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN),
        gsp_node_op(&m->graph, r->node) == GSP_OP_PLACEHOLDER ? gsp_str_of("given")
                                                              : gsp_node_class(&m->graph, r->node),
        40u);
}

/* Where what the graph of a node needs is one block, whose tensors have no offsets. */
static void put_block(const memory *m, gsp_node v, cli_buffer *out)
{
    const gsp_memory_plan_result *plan = &m->memory_plan;
    uint32_t i = 0;
    while (i < plan->n_tensors && !(plan->tensors[i].scratch && plan->tensors[i].node == v)) {
        i++;
    }
    if (i < plan->n_tensors && m->nested.block == NULL && m->several.n == 0) {
        cli_printf(out, ", in a block at offset %" PRIu64, plan->tensors[i].offset);
    }
}

static void put_live(const memory *m, int least, cli_buffer *out)
{
    uint32_t n = m->liveness.tensor_begin[1];
    row *list = (row *)cli_alloc(m->session, (size_t)n + 1u, sizeof *list);
    uint32_t shown = cli_rows(m->session, n, ROWS);
    gsp_node at = m->liveness.parts[0].node;
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "LIVE AT THE PEAK", "by size");
    for (i = 0; i < n; i++) {
        list[i].node = m->liveness.tensors[i];
        list[i].bytes = gsp_node_bytes(&m->graph, list[i].node);
        list[i].tensor = memory_tensor_of(m, list[i].node);
    }
    qsort(list, n, sizeof *list, compare_rows);
    cli_table_init(&t, m->session, "lrrrrrl");
    cli_table_head(&t, "tensor|bytes|share|first step|last step|offset|made by");
    for (i = 0; i < shown; i++) {
        put_live_row(m, least, &t, &list[i]);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, n, shown, "tensor");
    if (m->scratch != NULL && at != GSP_NONE && m->scratch[at] != 0) {
        cli_puts(out, "  and ");
        cli_put_bytes(out, m->scratch[at]);
        cli_puts(out, " inside the graph that is called");
        put_block(m, at, out);
        cli_puts(out, "\n");
    }
}

/* Nodes that need more than the budget by themselves. */
static void put_above(const memory *m, int least, cli_buffer *out)
{
    const gsp_liveness_result *r = &m->alone;
    row *list = (row *)cli_alloc(m->session, (size_t)r->n_parts + 1u, sizeof *list);
    uint32_t n = 0;
    uint32_t shown;
    uint32_t i;
    cli_table t;
    for (i = 0; i < r->n_parts; i++) {
        if (r->parts[i].bytes > m->opt.budget) {
            list[n].node = r->parts[i].node;
            list[n++].bytes = r->parts[i].bytes;
        }
    }
    if (n == 0) {
        return; /* a group is too large */
    }
    qsort(list, n, sizeof *list, compare_rows);
    shown = cli_rows(m->session, n, ROWS);
    cli_put_heading(out, "ABOVE THE BUDGET", "nodes that need more by themselves");
    cli_table_init(&t, m->session, "lrrl");
    cli_table_head(&t, "node|needs|of it made|operator");
    for (i = 0; i < shown; i++) {
        cli_put_clipped(cli_cell_begin(&t, CLI_PLAIN), gsp_node_name(&m->graph, list[i].node), 40u);
        cli_put_least(cli_cell_begin(&t, CLI_PLAIN), list[i].bytes, least, cli_put_need);
        cli_put_size(cli_cell_begin(&t, CLI_PLAIN), &m->graph, list[i].node);
        cli_put_clipped(
            cli_cell_begin(&t, CLI_PLAIN), gsp_node_class(&m->graph, list[i].node), 40u);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, n, shown, "node");
}

/* Where the tensors of a graph begin in the arena. */
static void put_base(const memory *m, uint32_t graph, cli_table *t)
{
    uint64_t const base = m->nested.block != NULL ? m->nested.base[graph] : MEMORY_NOWHERE;
    if (m->nested.block == NULL) {
        return;
    }
    if (base < MEMORY_TWICE) {
        cli_cell_put(t, CLI_PLAIN, "%" PRIu64, base);
    } else {
        cli_puts(cli_cell_begin(t, CLI_PLAIN), base == MEMORY_TWICE ? "several" : "");
    }
}

static void put_graphs(const memory *m, int least, cli_buffer *out)
{
    const gsp_module *module = m->graph.module;
    uint32_t shown = cli_rows(m->session, module->counts.graphs, ROWS);
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "GRAPHS", "each with what it calls");
    cli_table_init(&t, m->session, m->nested.block != NULL ? "lrrrlrr" : "lrrrlr");
    cli_table_head(&t, m->nested.block != NULL
                           ? "graph|nodes|peak|step|node at the peak|parameters|offset"
                           : "graph|nodes|peak|step|node at the peak|parameters");
    for (i = 0; i < shown; i++) {
        const memory_graph *g = &m->graphs[i];
        cli_put_clipped(
            cli_cell_begin(&t, CLI_PLAIN), gsp_module_str(module, module->graphs[i].name), 40u);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, g->graph.n_nodes);
        cli_put_least(cli_cell_begin(&t, CLI_PLAIN), g->peak.bytes, least, cli_put_need);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, g->peak.step);
        cli_put_clipped(
            cli_cell_begin(&t, CLI_PLAIN), memory_node_name(&g->graph, g->peak.node), 40u);
        cli_put_bytes(cli_cell_begin(&t, CLI_PLAIN), g->params);
        put_base(m, i, &t);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, module->counts.graphs, shown, "graph");
    if (m->nested.block == NULL && memory_has_blocks(m)) {
        cli_puts(out,
            "Tensors of a called graph have no offsets of their own: the node that runs it "
            "has a\nblock as large as their peak.\n");
    }
}

static void put_proof(const gsp_split_by_memory_result *r, cli_buffer *out)
{
    cli_printf(out, "No cut of this order has fewer parts. They pass on ");
    put_exact(out, r->boundary, cli_put_bytes);
    cli_puts(out, r->proved ? "; no cut into as\nfew parts passes on less"
                            : ",\nwhich may not be the minimum");
    if (r->greedy_boundary > r->boundary) {
        cli_puts(out, "\n"
                      "(with parts as long as possible: ");
        cli_put_bytes(out, r->greedy_boundary);
        cli_puts(out, ")");
    }
    cli_puts(out, ".\n");
}

static void put_parts(const memory *m, int least, cli_buffer *out)
{
    const gsp_split_by_memory_result *r = &m->split;
    uint32_t shown = cli_rows(m->session, r->n_parts, ROWS);
    cli_table t;
    uint32_t i;
    cli_put_heading(out, "PARTS", "of this order, in execution order");
    if (m->no_fit.status == GSP_STATUS_NO_FIT) {
        cli_puts(out, "The least budget that works, ");
        put_least(out, m->split_desc.budget, least, cli_put_need);
        cli_puts(out, ", gives:\n");
    }
    cli_table_init(&t, m->session, "rrlrl");
    cli_table_head(&t, "part|nodes|from|peak|node at the peak");
    for (i = 0; i < shown; i++) {
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, i);
        cli_cell_put(&t, CLI_PLAIN, "%" PRIu32, r->begin[i + 1u] - r->begin[i]);
        cli_put_clipped(
            cli_cell_begin(&t, CLI_PLAIN), gsp_node_name(&m->graph, r->nodes[r->begin[i]]), 40u);
        cli_put_least(cli_cell_begin(&t, CLI_PLAIN), r->parts[i].bytes, least, cli_put_need);
        cli_put_clipped(
            cli_cell_begin(&t, CLI_PLAIN), memory_node_name(&m->graph, r->parts[i].node), 40u);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, r->n_parts, shown, "part");
    if (least) {
        cli_puts(out, "These are cuts by what is known: ");
        cli_put_open_sizes(out, m->graph.module);
        cli_puts(out, ".\n");
    } else if (r->n_parts > 1u) {
        put_proof(r, out);
    } else {
        cli_puts(out, m->no_fit.status == GSP_STATUS_NO_FIT
                          ? "It is the peak of the whole graph: no cut helps.\n"
                          : "The whole graph fits into the budget.\n");
    }
}

void memory_people(const memory *m, cli_buffer *out)
{
    int least = m->ids == NULL && memory_is_least(m, 0);
    if (m->ids != NULL) {
        cli_put_styled(out, CLI_BOLD, m->session->path);
        cli_puts(out, "\n");
        put_arena(m, least, out);
        put_search(m, least, out);
        memory_people_memories(m, out);
        return;
    }
    put_title(m, out);
    memory_range_people(m, least, out);
    put_summary(m, least, out);
    put_picture(m, least, out);
    if (m->liveness.parts[0].bytes == 0) {
        cli_puts(out, "\n"
                      "The graph has no sizes: annotate nodes with types such as # f32[1, 8].\n");
    } else {
        put_live(m, least, out);
        cli_put_unknown(out, m->graph.module);
    }
    memory_people_memories(m, out);
    memory_tiles_people_choices(m, out);
    if (m->graph.module->counts.graphs > 1u) {
        put_graphs(m, least, out);
    }
    if (m->no_fit.status == GSP_STATUS_NO_FIT) {
        put_above(m, least, out);
    }
    if (m->opt.budget != UINT64_MAX) {
        put_parts(m, least, out);
    }
}
