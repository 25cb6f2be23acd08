/* The porcelain of `pipe`. */
#include "commands/pipe/pipe.h"

#include "output/output.h"

#include <inttypes.h>

static gsp_str string_of(const pipe_job *p, gsp_atom s)
{
    return gsp_module_str(&p->module, s);
}

static void put_stages(const pipe_job *p, cli_buffer *out, uint32_t begin, uint32_t end)
{
    for (; begin < end; begin++) {
        cli_puts(out, " ");
        cli_put_text(out, pipe_stage_name(p, p->made.params.held[begin]));
    }
    cli_puts(out, "\n");
}

static void put_copies(const pipe_job *p, cli_buffer *out, const char *what,
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

static void put_proof(const pipe_job *p, cli_buffer *out)
{
    const gsp_stages_optimal_result *r = &p->plan.result;
    const pipe_devices *d = &p->plan.devices;
    if (d->tokens != 0) {
        cli_printf(out, "context tokens=%" PRIu64 " fits=%" PRIu64 " most=%s%" PRIu64 "\n",
            d->tokens, d->fits, d->most_known ? "" : ">=", d->most);
    }
    if (p->plan.optimal) {
        cli_printf(out, "proof objective=%" PRIu64 " bound=%" PRIu64 " proved=%" PRIu32,
            r->objective, r->lower_bound, (uint32_t)pipe_proves(p));
        if (!d->no_reference) {
            cli_printf(out, " reference=%" PRIu64, r->reference);
        }
        cli_puts(out, "\n");
    }
}

void pipe_porcelain(const pipe_job *p, cli_buffer *out)
{
    const gsp_stage_params_result *h = &p->made.params;
    uint32_t i;
    for (i = 0; i < h->n_stages; i++) {
        cli_printf(out, "stage %" PRIu32 " ", i);
        cli_put_text(out, pipe_stage_name(p, i));
        if (p->plan.devices.n != 0) {
            cli_puts(out, " device=");
            cli_put_text(out, pipe_on(p, i));
        } else if (pipe_search_has_places(p)) {
            cli_puts(out, " ");
            pipe_put_place(p, out, i);
        }
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
    put_proof(p, out);
}
