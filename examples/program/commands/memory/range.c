/* A range of a dimension, --dim N=1..20: the peak at its values. The report is of the largest. */
#include "commands/memory/memory.h"
#include "input/input.h"

#include <inttypes.h>

#define MOST_TRIED 40u /* each is read, and for ONNX inferred, anew */

static void set_value(cli_session *s, cli_stated *dim, uint64_t value)
{
    cli_buffer text;
    cli_buffer_init(&text, s);
    cli_printf(&text, "%" PRIu64, value);
    dim->value.data = text.data;
    dim->value.size = (uint32_t)text.size;
    dim->least = dim->most = value;
}

static int find_peak(memory *m, cli_stated *dim, uint64_t value, uint64_t *peak)
{
    int code;
    set_value(m->session, dim, value);
    code = cli_load(m->session);
    code = code == CLI_EXIT_OK ? memory_choose(m) : code;
    *peak = code == CLI_EXIT_OK ? m->graphs[m->chosen].peak.bytes : 0;
    return code;
}

/* All values, or as many at equal distances, both ends among them. */
static int try_all(memory *m, cli_stated *dim)
{
    memory_range *r = &m->range;
    uint64_t const least = dim->least;
    uint64_t const span = dim->most - least;
    uint64_t const steps = span < MOST_TRIED ? span : MOST_TRIED - 1u;
    uint64_t before = 0;
    int first = 0; /* the first change: 1 is up, -1 down */
    uint64_t k;
    int code = CLI_EXIT_OK;
    r->last = dim->most;
    r->n_tried = steps + 1u;
    for (k = 0; k <= steps && code == CLI_EXIT_OK; k++) {
        uint64_t const value = k == steps ? r->last : least + span / steps * k;
        uint64_t peak;
        code = find_peak(m, dim, value, &peak);
        if (k == 0) {
            r->first = value;
            r->first_peak = peak;
        }
        if (k == 0 || peak > r->largest_peak) {
            r->largest = value;
            r->largest_peak = peak;
        }
        if (k != 0 && peak != before) {
            int const way = peak > before ? 1 : -1;
            if (first != 0 && way != first && r->turns == 0) {
                r->turns = way;
                r->turn = value;
            }
            first = first != 0 ? first : way;
        }
        before = peak;
    }
    r->last_peak = before;
    return code;
}

int memory_range_find(memory *m)
{
    cli_session *s = m->session;
    cli_stated *dim = NULL;
    size_t i;
    int code;
    for (i = 0; i < s->n_dims; i++) {
        if (s->dims[i].least != s->dims[i].most) {
            if (dim != NULL) {
                return cli_usage_error(s, "--dim: one range at a time");
            }
            dim = &s->dims[i];
        }
    }
    if (dim == NULL) {
        return CLI_EXIT_OK;
    }
    m->range.name = cli_copy(s, dim->name);
    s->quiet = 1; /* the last reading says what there is to say */
    code = try_all(m, dim);
    s->quiet = 0;
    set_value(s, dim, m->range.largest);
    return code;
}

void memory_range_people(const memory *m, int least, cli_buffer *out)
{
    const memory_range *r = &m->range;
    if (r->name == NULL) {
        return;
    }
    cli_puts(out, m->opt.tile ? "  range       peak without tiles " : "  range       peak ");
    cli_put_least(out, r->first_peak, least, cli_put_need);
    cli_puts(out, " for ");
    cli_put_clipped(out, gsp_str_of(r->name), 40u);
    cli_printf(out, "=%" PRIu64 ", ", r->first);
    cli_put_least(out, r->last_peak, least, cli_put_need);
    cli_printf(out,
        " for %" PRIu64 ";\n              the largest of %" PRIu64 " tried for %" PRIu64, r->last,
        r->n_tried, r->largest);
    cli_puts(out, ", of which the figures are\n");
    if (r->turns != 0) {
        cli_printf(out, "              not monotone: at %" PRIu64 " it is %s than before\n",
            r->turn, r->turns > 0 ? "more" : "less");
    }
}

void memory_range_porcelain(const memory *m, cli_buffer *out)
{
    const memory_range *r = &m->range;
    if (r->name != NULL) {
        cli_printf(out,
            "range %s first=%" PRIu64 " peak=%" PRIu64 " last=%" PRIu64 " peak=%" PRIu64
            " largest=%" PRIu64 " peak=%" PRIu64 " tried=%" PRIu64 " monotone=%d%s\n",
            r->name, r->first, r->first_peak, r->last, r->last_peak, r->largest, r->largest_peak,
            r->n_tried, r->turns == 0, m->opt.tile ? " tiles=0" : "");
    }
}

void memory_range_json(const memory *m, cli_buffer *out)
{
    const memory_range *r = &m->range;
    if (r->name != NULL) {
        cli_puts(out, "\"range\": {\"dim\": ");
        cli_json_string(out, gsp_str_of(r->name));
        cli_printf(out,
            ", \"first\": [%" PRIu64 ", %" PRIu64 "], \"last\": [%" PRIu64 ", %" PRIu64
            "], \"largest\": [%" PRIu64 ", %" PRIu64 "], \"tried\": %" PRIu64
            ", \"monotone\": %s%s},\n",
            r->first, r->first_peak, r->last, r->last_peak, r->largest, r->largest_peak, r->n_tried,
            r->turns != 0 ? "false" : "true", m->opt.tile ? ", \"tiles\": false" : "");
    }
}
