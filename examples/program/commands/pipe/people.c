/* The report of `pipe` for people: the weights of the stages, and their shared parameters. */
#include "commands/pipe/pipe.h"

#include "output/output.h"

#include <inttypes.h>

/* The costs of stages, if they are printed too, have this column with the transfers. */
static int with_compute(const pipe_job *p, uint64_t ns)
{
    return ns != 0 && p->plan.stage_costs.stages == NULL;
}

/* The costs of stages have this column, too. */
static int with_memory(const pipe_job *p)
{
    return p->has_peaks && p->plan.stage_costs.stages == NULL;
}

static void put_row(const pipe_job *p, cli_table *t, uint32_t stage, uint64_t ns)
{
    const pipe_load *load = &p->loads[stage];
    const gsp_stage_params_result *h = &p->made.params;
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN), pipe_stage_name(p, stage), 30u);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, load->calls);
    cli_cell_put(t, CLI_PLAIN, "%" PRIu32, load->n_params);
    cli_put_sum(cli_cell_begin(t, CLI_PLAIN), &load->params);
    cli_put_sum(cli_cell_begin(t, CLI_PLAIN), &load->in);
    cli_put_sum(cli_cell_begin(t, CLI_PLAIN), &load->out);
    if (with_memory(p)) {
        cli_put_least(cli_cell_begin(t, CLI_PLAIN), cli_add(load->params.bytes, load->peak),
            cli_graph_least(&p->graph, 0) || cli_graph_least(&p->graph, 1), cli_put_need);
    }
    if (with_compute(p, ns)) {
        cli_put_time(cli_cell_begin(t, CLI_PLAIN), &p->opt.times, (double)load->ns / 1e9);
        cli_put_percent(cli_cell_begin(t, CLI_PLAIN), load->ns, ns);
    }
    cli_put_clipped(
        cli_cell_begin(t, CLI_PLAIN), gsp_node_name(&p->graph, h->nodes[h->begin[stage]]), 24u);
    cli_put_clipped(cli_cell_begin(t, CLI_PLAIN),
        gsp_node_name(&p->graph, h->nodes[h->begin[stage + 1u] - 1u]), 24u);
}

/* The time of a stage where it is known, else compute= of its nodes, else their number. */
static uint64_t weight_of(const pipe_job *p, uint32_t stage, uint32_t what)
{
    return what == 0   ? p->plan.stage_costs.stages[stage].time
           : what == 1 ? p->loads[stage].ns
                       : p->loads[stage].calls;
}

/* How far the heaviest stage exceeds the mean weight. */
static void put_imbalance(const pipe_job *p, cli_buffer *out, uint64_t ns)
{
    static const char *const names[] = {"time", "compute time", "number of calls"};
    uint32_t what = ns != 0 ? 1u : 2u;
    uint64_t total = 0;
    uint64_t most = 0;
    uint32_t at = 0;
    uint32_t n = p->made.n_stages;
    uint32_t i;
    if (pipe_is_timed(p)) {
        what = 0;
    }
    for (i = 0; i < n; i++) {
        uint64_t weight = weight_of(p, i, what);
        total = cli_add(total, weight);
        at = weight > most ? i : at;
        most = weight > most ? weight : most;
    }
    if (n > 1u && total != 0) {
        cli_puts(out, "\nimbalance: ");
        cli_put_clean(out, pipe_stage_name(p, at));
        cli_printf(out, " has %.2f times the mean %s of a stage\n",
            (double)most * n / (double)total, names[what]);
    }
}

static void put_names(const pipe_job *p, cli_buffer *out, uint32_t begin, uint32_t end)
{
    uint32_t i;
    for (i = begin; i < end && i < begin + PIPE_ROWS; i++) {
        cli_puts(out, i != begin ? ", " : "");
        cli_put_clean(out, pipe_stage_name(p, p->made.params.held[i]));
    }
    cli_puts(out, i < end ? ", ...\n" : "\n");
}

static void put_copies(const pipe_job *p, cli_buffer *out, const char *title,
    const gsp_stage_param_copy *copies, uint32_t n)
{
    uint32_t shown = cli_rows(p->session, n, PIPE_ROWS);
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
    cli_put_rest(out, n, shown, NULL);
}

/* Parameters that one stage passes on to others, and other names of one storage. */
static void put_params(const pipe_job *p, cli_buffer *out, int aliases, const char *title)
{
    const gsp_stage_params_result *h = &p->made.params;
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

static void put_backward(const pipe_job *p, cli_buffer *out)
{
    gsp_graph root = gsp_module_graph(&p->module, 0);
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < p->made.n_stages; i++) {
        n += p->backward.call[i] != GSP_NONE ? 1u : 0u;
    }
    cli_printf(out, "\nbackward part: through %" PRIu32 " of %" PRIu32 " stage%s, from the loss ",
        n, p->made.n_stages, cli_plural(p->made.n_stages));
    cli_put_clean(out, gsp_node_name(&root, p->backward.loss));
    cli_puts(out, "\n");
}

void pipe_people(const pipe_job *p, cli_buffer *out)
{
    static const char *const columns[] = {"lrrrrrll", "lrrrrrrll", "lrrrrrrrll", "lrrrrrrrrll"};
    uint32_t n = p->made.n_stages;
    uint32_t shown = cli_rows(p->session, n, PIPE_ROWS);
    uint64_t ns = 0;
    cli_table t;
    uint32_t i;
    cli_put_styled(out, CLI_BOLD, p->session->path);
    cli_printf(
        out, "  %" PRIu32 " nodes in %" PRIu32 " stage%s\n", p->graph.n_nodes, n, cli_plural(n));
    for (i = 0; i < n; i++) {
        ns = cli_add(ns, p->loads[i].ns);
    }
    cli_table_init(&t, p->session, columns[2 * with_compute(p, ns) + with_memory(p)]);
    cli_table_head(&t, "stage|calls|parameters|bytes|in|out");
    if (with_memory(p)) {
        cli_table_head(&t, "memory");
    }
    if (with_compute(p, ns)) {
        cli_table_head(&t, "compute|of all");
    }
    cli_table_head(&t, "first|last");
    for (i = 0; i < shown; i++) {
        put_row(p, &t, i, ns);
    }
    cli_table_write(&t, out);
    cli_put_rest(out, n, shown, NULL);
    put_imbalance(p, out, ns);
    put_copies(p, out, "replicated parameters: add up their gradients", p->made.params.replicated,
        p->made.params.n_replicated);
    put_copies(p, out, "modules that several stages call: add up their gradients",
        p->made.params.shared, p->made.params.n_shared);
    put_params(p, out, 0, "transmitted parameters, and the stage that holds them");
    put_params(p, out, 1, "names of the same storage");
    if (p->has_loss) {
        put_backward(p, out);
    }
}
