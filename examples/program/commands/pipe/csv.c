/* --schedule-csv of `pipe`. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>

/* Steps in which PyTorch's interleaved schedules wait before action i of a row: until the first
 * microbatch is there, until the first gradient is, and between the last backward tasks. */
static uint32_t count_waits(const pipe_job *p, uint32_t device, uint32_t i)
{
    const gsp_schedule_desc *d = &p->plan.schedule;
    uint32_t const behind = d->n_devices - 1u - device;
    uint32_t const ahead = gsp_schedule_ahead(d, device);
    uint32_t const all = d->n_chunks * d->n_microbatches;
    uint32_t const first = d->n_chunks * d->n_devices + 2u * behind; /* step of the gradient */
    uint32_t waits = i == 0 ? device : 0u;
    if (d->actions != NULL || d->kind != (uint32_t)GSP_SCHEDULE_INTERLEAVED || d->inference) {
        return 0;
    }
    if (i == ahead && i > 0 && first > ahead + device) {
        waits += first - ahead - device;
    }
    return waits + (i >= 2u * all - ahead ? 1u : 0u);
}

static void put_action(cli_buffer *out, const gsp_action *a)
{
    cli_printf(out, "%" PRIu32 "%s", a->stage, gsp_action_word(a->kind));
    if (a->kind < (uint32_t)GSP_ACTION_GATHER) {
        cli_printf(out, "%" PRIu32, a->microbatch);
    }
}

static void put_row(const pipe_job *p, cli_buffer *out, const pipe_row *row, uint32_t device)
{
    int joined = 0;
    uint32_t i;
    for (i = 0; i < row->n; i++) {
        const gsp_action *a = &row->actions[i];
        uint32_t waits = p->opt.transfers ? 0u : count_waits(p, device, i);
        waits = a->kind == (uint32_t)GSP_ACTION_WAIT ? a->microbatch - 1u : waits;
        cli_puts(out, i == 0 ? "" : joined ? ";" : ",");
        for (; waits > 0; waits--) {
            cli_puts(out, ",");
        }
        cli_puts(out, a->joined && !joined ? "(" : "");
        if (a->kind != (uint32_t)GSP_ACTION_WAIT) {
            put_action(out, a);
        }
        cli_puts(out, joined && !a->joined ? ")OVERLAP_F_B" : "");
        joined = a->joined != 0;
    }
    cli_puts(out, "\r\n");
}

void pipe_csv(const pipe_job *p, cli_buffer *out)
{
    const pipe_row *rows = p->opt.transfers ? pipe_rows_with_transfers(p) : pipe_rows(p);
    uint32_t k;
    for (k = 0; k < p->plan.run.n_devices; k++) {
        put_row(p, out, &rows[k], k);
    }
}
