/* Plan files: --save-plan, --plan, and the report of lines that no longer match. */
#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>

#define PLAN_NAMES 10u /* of a list in the report, without --all */

int cli_plan_save(
    cli_session *s, const char *path, const gsp_graph *graph, const cli_plan_desc *desc)
{
    cli_buffer text;
    gsp_arena arena;
    gsp_error err;
    cli_buffer_init(&text, s);
    cli_arena(s, &arena, cli_plan_write_bound(graph->n_nodes, desc->n_parts));
    if (cli_plan_write(&arena, graph, desc, cli_sink, &text, &err) != GSP_OK) {
        if (err.detail == GSP_DETAIL_TAG_NAME) {
            return cli_error(s, err.status, "'%s' is not a valid name for a part of a plan",
                cli_copy(s, desc->names[err.node]));
        }
        return cli_pass_error(s, graph, &err);
    }
    return cli_write_file(s, path, &text);
}

int cli_plan_read(cli_session *s, const char *path, cli_plan_text *plan)
{
    gsp_str text;
    gsp_arena arena;
    gsp_error err;
    const char *wrong = "";
    char *data = NULL;
    size_t size = 0;
    int code = cli_file_read(s, path, &data, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", path);
    }
    text.data = data;
    text.size = (uint32_t)size;
    cli_arena(s, &arena, cli_plan_parse_bound(text));
    if (cli_plan_parse(&arena, text, plan, &wrong, &err) != GSP_OK) {
        return cli_text_wrong(s, path, text, &err, wrong);
    }
    return CLI_EXIT_OK;
}

int cli_plan_numbers(const cli_plan_text *plan, int64_t *numbers)
{
    uint32_t i;
    for (i = 0; i < plan->n_parts && cli_integer(plan->names[i], &numbers[i]); i++) {
    }
    if (i == plan->n_parts) {
        return 1;
    }
    for (i = 0; i < plan->n_parts; i++) {
        numbers[i] = i;
    }
    return 0;
}

/* ---- the report ---- */

typedef struct report {
    cli_buffer text;
    uint32_t shown;
    uint32_t most;
} report;

/* Names the first few entries of a list. */
static void put_item(report *r, gsp_str name, size_t line)
{
    if (r->shown++ < r->most) {
        cli_puts(&r->text, r->shown > 1u ? ", " : " ");
        cli_put_clipped(&r->text, name, 60u);
        if (line != 0) {
            cli_printf(&r->text, " (line %" PRIu64 ")", (uint64_t)line);
        }
    }
}

static void end_list(report *r)
{
    if (r->shown > r->most) {
        cli_printf(&r->text, ", ... and %" PRIu32 " more", r->shown - r->most);
    }
    cli_puts(&r->text, "\n");
    r->shown = 0;
}

static void put_lines(report *r, const cli_plan *p, cli_plan_use use, const char *what)
{
    uint32_t i;
    if (p->on.n_lines[use] == 0) {
        return;
    }
    cli_printf(&r->text, "  %" PRIu32 " line%s %s:", p->on.n_lines[use],
        cli_plural(p->on.n_lines[use]), what);
    for (i = 0; i < p->plan.n_lines; i++) {
        if (p->on.use[i] == (uint8_t)use) {
            put_item(r, p->plan.lines[i].pattern, p->plan.lines[i].line);
        }
    }
    end_list(r);
}

static void put_new(report *r, const cli_plan *p, const gsp_graph *g)
{
    gsp_node v;
    if (p->on.n_new == 0) {
        return;
    }
    cli_printf(&r->text, "  %" PRIu32 " node%s new, no line names %s:", p->on.n_new,
        p->on.n_new == 1u ? " is" : "s are", p->on.n_new == 1u ? "it" : "them");
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v) && p->on.part_of[v] == GSP_NONE) {
            put_item(r, gsp_node_name(g, v), 0);
        }
    }
    end_list(r);
}

static void tell_report(cli_session *s, const char *path, const gsp_graph *g, const cli_plan *p)
{
    report r;
    r.shown = 0;
    r.most = s->common.all ? UINT32_MAX : PLAN_NAMES;
    if (p->on.n_new == 0 && p->on.n_lines[CLI_PLAN_USED] == p->plan.n_lines) {
        return;
    }
    cli_buffer_init(&r.text, s);
    cli_printf(&r.text, "%s: %" PRIu32 " of %" PRIu32 " called nodes placed\n", cli_shown(s, path),
        p->on.n_placed, p->on.n_placed + p->on.n_new);
    put_lines(&r, p, CLI_PLAN_GONE, "with no such node");
    put_lines(&r, p, CLI_PLAN_NOT_CALLED, "of inputs or parameters, which belong to no part");
    put_lines(&r, p, CLI_PLAN_OVERRULED, "that other lines override");
    put_new(&r, p, g);
    cli_progress_end(s);
    cli_tell(&r.text);
}

int cli_plan_load(cli_session *s, const char *path, const gsp_graph *graph, cli_plan *plan)
{
    gsp_arena arena;
    gsp_error err;
    int code = cli_plan_read(s, path, &plan->plan);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_arena(s, &arena, cli_plan_apply_bound(graph->n_nodes, &plan->plan));
    if (cli_plan_apply(&arena, graph, &plan->plan, &plan->on, &err) != GSP_OK) {
        return cli_pass_error(s, graph, &err);
    }
    tell_report(s, path, graph, plan);
    return CLI_EXIT_OK;
}
