/* graphsplit pipe: porcelain and JSON. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>

static gsp_str string_of(const pipe *p, gsp_atom s)
{
    return gsp_module_str(&p->module, s);
}

static void put_stages(const pipe *p, cli_buffer *out, uint32_t begin, uint32_t end)
{
    for (; begin < end; begin++) {
        cli_puts(out, " ");
        cli_put_text(out, pipe_stage_name(p, p->made.hold.held[begin]));
    }
    cli_puts(out, "\n");
}

static void put_copies(const pipe *p, cli_buffer *out, const char *what,
                       const gsp_stage_param_copy *copies, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        cli_printf(out, "%s ", what);
        cli_put_text(out, string_of(p, copies[i].target));
        cli_puts(out, " :");
        put_stages(p, out, copies[i].begin, copies[i].end);
    }
}

void pipe_porcelain(const pipe *p, cli_buffer *out)
{
    const gsp_stage_params_result *h = &p->made.hold;
    uint32_t i;
    for (i = 0; i < h->n_stages; i++) {
        cli_printf(out, "stage %" PRIu32 " ", i);
        cli_put_text(out, pipe_stage_name(p, i));
        cli_puts(out, "\n");
    }
    for (i = 0; i < h->n_params; i++) {
        cli_puts(out, "param ");
        cli_put_text(out, string_of(p, h->params[i].target));
        cli_puts(out, " :");
        put_stages(p, out, h->params[i].begin, h->params[i].end);
    }
    for (i = 0; i < h->n_params; i++) {
        if (h->params[i].first != i) {
            cli_puts(out, "alias ");
            cli_put_text(out, string_of(p, h->params[i].target));
            cli_puts(out, " = ");
            cli_put_text(out, string_of(p, h->params[h->params[i].first].target));
            cli_puts(out, "\n");
        }
    }
    put_copies(p, out, "replicated", h->replicated, h->n_replicated);
    put_copies(p, out, "replicated-module", h->shared, h->n_shared);
    cli_porcelain_modules(out, &p->module);
}

/* ---- JSON ---- */

static void put_json_stages(const pipe *p, cli_buffer *out, uint32_t begin, uint32_t end)
{
    uint32_t i;
    cli_puts(out, "\"stages\": [");
    for (i = begin; i < end; i++) {
        cli_printf(out, "%s%" PRIu32, i != begin ? ", " : "", p->made.hold.held[i]);
    }
    cli_puts(out, "]}");
}

static void put_json_stage(const pipe *p, cli_buffer *out, uint32_t stage)
{
    const pipe_load *load = &p->loads[stage];
    const gsp_stage_params_result *h = &p->made.hold;
    cli_printf(out, "%s\n  {\"stage\": %" PRIu32 ", \"module\": ", stage != 0 ? "," : "", stage);
    cli_json_string(out, pipe_stage_name(p, stage));
    cli_printf(out,
               ", \"calls\": %" PRIu32 ", \"parameters\": %" PRIu32
               ", \"parameter_bytes\": %" PRIu64 ", \"in_bytes\": %" PRIu64
               ", \"out_bytes\": %" PRIu64 ", \"ns\": %" PRIu64,
               load->calls, load->n_params, load->params, load->in, load->out, load->ns);
    if (p->has_loss) {
        cli_printf(out, ", \"backward\": %s",
                   p->backward.call[stage] != GSP_NONE ? "true" : "false");
    }
    cli_puts(out, ", \"nodes\": ");
    cli_json_names(out, &p->graph, h->nodes + h->begin[stage],
                   h->begin[stage + 1u] - h->begin[stage]);
    cli_puts(out, "}");
}

static void put_json_copies(const pipe *p, cli_buffer *out, const char *what,
                            const gsp_stage_param_copy *copies, uint32_t n)
{
    uint32_t i;
    cli_printf(out, "],\n\"%s\": [", what);
    for (i = 0; i < n; i++) {
        cli_puts(out, i != 0 ? ",\n  {\"target\": " : "\n  {\"target\": ");
        cli_json_string(out, string_of(p, copies[i].target));
        cli_puts(out, ", ");
        put_json_stages(p, out, copies[i].begin, copies[i].end);
    }
}

static void put_json_param(const pipe *p, cli_buffer *out, uint32_t i)
{
    const gsp_stage_param *params = p->made.hold.params;
    cli_puts(out, i != 0 ? ",\n  {\"target\": " : "\n  {\"target\": ");
    cli_json_string(out, string_of(p, params[i].target));
    cli_printf(out, ", \"bytes\": %" PRIu64 ", ", gsp_node_params(&p->graph, params[i].node));
    if (params[i].first != i) {
        cli_puts(out, "\"alias\": ");
        cli_json_string(out, string_of(p, params[params[i].first].target));
        cli_puts(out, ", ");
    }
    cli_printf(out, "\"transmitted\": %s, ", params[i].transmitted ? "true" : "false");
    put_json_stages(p, out, params[i].begin, params[i].end);
}

void pipe_json(const pipe *p, cli_buffer *out)
{
    const gsp_stage_params_result *h = &p->made.hold;
    uint32_t i;
    cli_puts(out, "{\"pass\": \"pipe\",\n");
    pipe_plan_json(p, out);
    cli_puts(out, "\"stages\": [");
    for (i = 0; i < h->n_stages; i++) {
        put_json_stage(p, out, i);
    }
    cli_puts(out, "],\n\"parameters\": [");
    for (i = 0; i < h->n_params; i++) {
        put_json_param(p, out, i);
    }
    put_json_copies(p, out, "replicated", h->replicated, h->n_replicated);
    put_json_copies(p, out, "replicated_modules", h->shared, h->n_shared);
    cli_puts(out, "],\n");
    cli_json_modules(out, &p->module);
    cli_puts(out, "}\n");
}
