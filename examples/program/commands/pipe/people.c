/* graphsplit pipe: what the stages weigh, tables for people, and pieces on disk. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

/* ---- weights ---- */

static uint64_t add_capped(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Bytes and numbers of one stage; `stamp` holds for every string the stage that called it last,
 * plus one. */
static void weigh_stage(pipe *p, uint32_t stage, uint32_t *stamp)
{
    const gsp_stage_params_result *h = &p->made.hold;
    pipe_load *load = &p->loads[stage];
    gsp_graph g = gsp_module_graph(&p->made.module, stage + 1u);
    uint32_t n;
    const gsp_node *returned = gsp_node_inputs(&g, g.n_nodes - 1u, &n);
    uint32_t i;
    gsp_node v;
    for (; n > 0; n--) {
        load->out = add_capped(load->out, gsp_node_bytes(&g, returned[n - 1u]));
    }
    for (v = 0; v < g.n_nodes; v++) {
        if (gsp_node_op(&g, v) == GSP_OP_PLACEHOLDER) {
            load->in = add_capped(load->in, gsp_node_bytes(&g, v));
        }
    }
    load->calls = h->begin[stage + 1u] - h->begin[stage];
    for (i = h->own_begin[stage]; i < h->own_begin[stage + 1u]; i++) {
        gsp_atom target = p->graph.module->target[p->graph.first + h->own[i]];
        if (gsp_module_find_graph(p->graph.module, target) != GSP_NONE) {
            continue; /* what a call of a graph reads is no parameter */
        }
        load->n_params++;
        load->params = add_capped(load->params, gsp_node_params(&p->graph, h->own[i]));
    }
    for (i = h->begin[stage]; i < h->begin[stage + 1u]; i++) {
        gsp_atom target = p->graph.module->target[p->graph.first + h->nodes[i]];
        if (gsp_node_op(&p->graph, h->nodes[i]) == GSP_OP_CALL_MODULE &&
            stamp[target] != stage + 1u) {
            stamp[target] = stage + 1u;
            load->params = add_capped(load->params, gsp_node_params(&p->graph, h->nodes[i]));
            load->n_params += gsp_node_params(&p->graph, h->nodes[i]) != 0 ? 1u : 0u;
        }
    }
}

/* Times, by the costs that the library reads. */
static int weigh_times(pipe *p)
{
    gsp_stage_costs_desc desc;
    gsp_stage_costs_result result;
    gsp_costs costs;
    gsp_arena arena;
    gsp_error err;
    size_t bound = gsp_costs_bound(&p->counts);
    size_t more;
    uint32_t i;
    memset(&desc, 0, sizeof desc);
    desc.n_stages = p->made.n_stages;
    desc.stage_of = p->made.stage_of;
    desc.model.costs = &costs;
    more = gsp_stage_costs_bound(&p->counts, &desc);
    if (bound > SIZE_MAX - more) {
        return cli_error(p->session, GSP_STATUS_OVERFLOW, "the report is too large");
    }
    cli_arena(p->session, &arena, bound + more);
    if (gsp_costs_run(&arena, &p->graph, NULL, &costs, &err) != GSP_OK ||
        gsp_stage_costs_run(&arena, &p->graph, &desc, &result, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    for (i = 0; i < p->made.n_stages; i++) {
        p->loads[i].ns = result.loads[i].compute;
    }
    return CLI_EXIT_OK;
}

int pipe_weigh(pipe *p)
{
    cli_session *s = p->session;
    uint32_t *stamp =
        (uint32_t *)cli_alloc(s, (size_t)p->graph.module->counts.strings + 1u, sizeof *stamp);
    uint32_t i;
    p->loads = (pipe_load *)cli_alloc(s, (size_t)p->made.n_stages + 1u, sizeof *p->loads);
    for (i = 0; i < p->made.n_stages; i++) {
        weigh_stage(p, i, stamp);
    }
    cli_release(s, stamp);
    return weigh_times(p);
}

/* ---- tables ---- */

static void put_time(cli_buffer *b, uint64_t ns)
{
    if (ns < 10000u) {
        cli_printf(b, "%" PRIu64 " ns", ns);
    } else if (ns < 10000000u) {
        cli_printf(b, "%" PRIu64 " us", (ns + 500u) / 1000u);
    } else {
        cli_printf(b, "%" PRIu64 " ms", ns / 1000000u + (ns % 1000000u >= 500000u ? 1u : 0u));
    }
}

static void put_row(const pipe *p, cli_table *t, uint32_t stage, uint64_t ns)
{
    const pipe_load *load = &p->loads[stage];
    const gsp_stage_params_result *h = &p->made.hold;
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), pipe_stage_name(p, stage), 30u);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, load->calls);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, load->n_params);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), load->params);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), load->in);
    cli_put_bytes(cli_cell_begin(t, CLI_PLAIN), load->out);
    if (ns != 0) {
        put_time(cli_cell_begin(t, CLI_PLAIN), load->ns);
        cli_put_percent(cli_cell_begin(t, CLI_PLAIN), load->ns, ns);
    }
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN),
                    gsp_node_name(&p->graph, h->nodes[h->begin[stage]]), 24u);
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN),
                    gsp_node_name(&p->graph, h->nodes[h->begin[stage + 1u] - 1u]), 24u);
}

/* How far the heaviest stage is above the mean, in the weight that there is. */
static void put_imbalance(const pipe *p, cli_buffer *out, uint64_t ns)
{
    uint64_t total = 0;
    uint64_t most = 0;
    uint32_t at = 0;
    uint32_t n = p->made.n_stages;
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint64_t weight = ns != 0 ? p->loads[i].ns : p->loads[i].calls;
        total += weight;
        at = weight > most ? i : at;
        most = weight > most ? weight : most;
    }
    if (n > 1u && total != 0) {
        cli_puts(out, "\nimbalance: ");
        cli_put_text(out, pipe_stage_name(p, at));
        cli_printf(out, " has %.2f times the mean %s of a stage\n",
                   (double)most * n / (double)total, ns != 0 ? "time" : "number of calls");
    }
}

static void put_names(const pipe *p, cli_buffer *out, uint32_t begin, uint32_t end)
{
    uint32_t i;
    for (i = begin; i < end && i < begin + PIPE_ROWS; i++) {
        cli_puts(out, i != begin ? ", " : "");
        cli_put_text(out, pipe_stage_name(p, p->made.hold.held[i]));
    }
    cli_puts(out, i < end ? ", ...\n" : "\n");
}

static void put_copies(const pipe *p, cli_buffer *out, const char *title,
                       const gsp_stage_param_copy *copies, uint32_t n)
{
    uint32_t shown = p->session->common.all || n <= PIPE_ROWS ? n : PIPE_ROWS;
    uint32_t i;
    if (n == 0) {
        return;
    }
    cli_printf(out, "\n%s\n", title);
    for (i = 0; i < shown; i++) {
        cli_puts(out, "  ");
        cli_put_clipped(out, gsp_module_str(&p->module, copies[i].target), 60u);
        cli_puts(out, ": ");
        put_names(p, out, copies[i].begin, copies[i].end);
    }
    if (shown < n) {
        cli_printf(out, "  ... and %" PRIu32 " more (--all shows them)\n", n - shown);
    }
}

/* Parameters that one stage hands on, and second names of one storage. */
static void put_params(const pipe *p, cli_buffer *out, int aliases, const char *title)
{
    const gsp_stage_params_result *h = &p->made.hold;
    uint32_t shown = 0;
    uint32_t i;
    for (i = 0; i < h->n_params; i++) {
        const gsp_stage_param *param = &h->params[i];
        if (aliases ? param->first == i : !param->transmitted) {
            continue;
        }
        if (shown == 0) {
            cli_printf(out, "\n%s\n", title);
        }
        if (shown++ == PIPE_ROWS && !p->session->common.all) {
            cli_puts(out, "  ... and more (--all shows them)\n");
            return;
        }
        cli_puts(out, "  ");
        cli_put_clipped(out, gsp_module_str(&p->module, param->target), 60u);
        cli_puts(out, aliases ? " = " : ": ");
        if (aliases) {
            cli_put_clipped(out, gsp_module_str(&p->module, h->params[param->first].target), 60u);
            cli_puts(out, "\n");
        } else {
            put_names(p, out, param->begin, param->end);
        }
    }
}

static void put_backward(const pipe *p, cli_buffer *out)
{
    gsp_graph root = gsp_module_graph(&p->module, 0);
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < p->made.n_stages; i++) {
        n += p->backward.call[i] != GSP_NONE ? 1u : 0u;
    }
    cli_printf(out, "\nbackward part: through %" PRIu32 " of %" PRIu32 " stage%s, from the loss ",
               n, p->made.n_stages, cli_plural(p->made.n_stages));
    cli_put_text(out, gsp_node_name(&root, p->backward.loss));
    cli_puts(out, "\n");
}

void pipe_people(const pipe *p, cli_buffer *out)
{
    uint32_t n = p->made.n_stages;
    uint32_t shown = p->session->common.all || n <= PIPE_ROWS ? n : PIPE_ROWS;
    uint64_t ns = 0;
    cli_table t;
    uint32_t i;
    cli_put_styled(out, CLI_BOLD, p->session->path);
    cli_printf(out, "  %" PRIu32 " nodes in %" PRIu32 " stage%s\n", p->graph.n_nodes, n,
               cli_plural(n));
    for (i = 0; i < n; i++) {
        ns = add_capped(ns, p->loads[i].ns);
    }
    cli_table_init(&t, p->session, ns != 0 ? "lrrrrrrrll" : "lrrrrrll");
    cli_table_head(&t, ns != 0 ? "stage|calls|parameters|bytes|in|out|time|of all|first|last"
                               : "stage|calls|parameters|bytes|in|out|first|last");
    for (i = 0; i < shown; i++) {
        put_row(p, &t, i, ns);
    }
    cli_table_write(&t, out);
    if (shown < n) {
        cli_printf(out, "  ... and %" PRIu32 " more (--all shows them)\n", n - shown);
    }
    put_imbalance(p, out, ns);
    put_copies(p, out, "replicated parameters: add up their gradients", p->made.hold.replicated,
               p->made.hold.n_replicated);
    put_copies(p, out, "modules that several stages call: add up their gradients",
               p->made.hold.shared, p->made.hold.n_shared);
    put_params(p, out, 0, "transmitted parameters, and the stage that holds them");
    put_params(p, out, 1, "names of one storage");
    if (p->has_loss) {
        put_backward(p, out);
    }
}

/* ---- pieces ---- */

static const char *device_of(const pipe *p, uint32_t stage)
{
    const char *device = NULL;
    uint32_t i;
    for (i = 0; i < p->move.n_devices; i++) {
        if (p->move.devices[i].stage == stage) {
            device = cli_copy(p->session, p->move.devices[i].device);
        }
    }
    return device;
}

/* The graph of a stage; with the child graphs that it uses as a module of its own. */
static int stage_graph(const pipe *p, uint32_t stage, gsp_graph *graph)
{
    gsp_module *alone;
    gsp_arena arena;
    gsp_error err;
    size_t bound = gsp_stage_extract_bound(&p->module.counts);
    *graph = gsp_module_graph(&p->module, stage + 1u);
    if (p->module.counts.graphs == p->made.n_stages + 1u) {
        return CLI_EXIT_OK;
    }
    if (bound == SIZE_MAX) {
        return cli_error(p->session, GSP_STATUS_OVERFLOW, "the pieces are too large");
    }
    alone = (gsp_module *)cli_alloc(p->session, 1u, sizeof *alone);
    cli_arena(p->session, &arena, bound);
    if (gsp_stage_extract_run(&arena, &p->module, stage + 1u, alone, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    *graph = gsp_module_graph(alone, 0);
    return CLI_EXIT_OK;
}

/* Parameters that the graph returns are a piece of the root, whatever stages hold them. */
int pipe_emit(const pipe *p)
{
    uint32_t n_stages = p->made.n_stages;
    cli_piece *pieces = (cli_piece *)cli_alloc(p->session, (size_t)n_stages + 1u, sizeof *pieces);
    uint8_t *kept = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
    uint32_t count;
    const gsp_node *returned = gsp_node_inputs(&p->graph, p->graph.n_nodes - 1u, &count);
    size_t n = 0;
    uint32_t i;
    int code;
    for (; count > 0; count--) {
        gsp_node v = returned[count - 1u];
        kept[v] = (uint8_t)(gsp_node_op(&p->graph, v) == GSP_OP_GET_ATTR);
    }
    code = cli_emit_parameters(p->session, &p->graph, kept, pieces, &n);
    for (i = 0; i < n_stages && code == CLI_EXIT_OK; i++) {
        pieces[n].name = cli_copy(p->session, pipe_stage_name(p, i));
        pieces[n].kind = "stage";
        pieces[n].device = device_of(p, i);
        code = stage_graph(p, i, &pieces[n++].graph);
    }
    return code == CLI_EXIT_OK ? cli_emit(p->session, p->opt.emit, &p->graph, pieces, n) : code;
}
