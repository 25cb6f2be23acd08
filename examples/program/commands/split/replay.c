/* --plan of `split`: the parts of a plan as subgraphs, with their notes as kinds. */
#include "commands/split/split.h"

#include <stdio.h>
#include <string.h>

/* The kind that the first word of a note names; without a note the CPU; GSP_NONE if unknown. */
static uint32_t kind_of_note(const split *p, gsp_str note)
{
    uint32_t size = 0;
    uint32_t k;
    while (size < note.size && note.data[size] != ' ' && note.data[size] != '\t') {
        size++;
    }
    note.size = size;
    for (k = 0; k < p->place.n_kinds; k++) {
        if (gsp_str_equal(note, gsp_str_of(p->place.names[k]))) {
            return k;
        }
    }
    return size == 0 ? GSP_KIND_CPU : GSP_NONE;
}

/* A new node joins the last part that it reads from, or the first part if there is none. */
static uint32_t join_new(split *p, uint32_t *part_of, uint32_t n_parts)
{
    const gsp_graph *g = &p->graph;
    uint32_t joined = 0;
    p->joined = (uint8_t *)cli_alloc(p->session, g->n_nodes, 1u);
    gsp_node v;
    for (v = 0; v < g->n_nodes && n_parts != 0; v++) {
        if (gsp_node_is_callable(g, v) && part_of[v] == GSP_NONE) {
            uint32_t n;
            const gsp_node *in = cli_before(g, v, &n);
            uint32_t last = 0;
            for (; n > 0; n--) {
                uint32_t of = part_of[in[n - 1u]];
                last = of != GSP_NONE && of > last ? of : last;
            }
            part_of[v] = last;
            p->joined[v] = 1;
            joined++;
        }
    }
    return joined;
}

/* 1 if the calls run in this order after what they read, or must wait for; *same: in each part that
 * is graph order. */
static int order_works(
    const split *p, const cli_parts *parts, const gsp_node *order, uint32_t n, int *same)
{
    uint32_t *at = (uint32_t *)cli_alloc(p->session, (size_t)p->graph.n_nodes + 1u, sizeof *at);
    int works = 1;
    uint32_t i;
    *same = 1;
    for (i = 0; i < n; i++) {
        gsp_node const v = order[i];
        uint32_t n_in;
        const gsp_node *in = cli_before(&p->graph, v, &n_in);
        at[v] = i + 1u;
        for (; n_in > 0; n_in--) {
            gsp_node const u = in[n_in - 1u];
            works = works && (at[u] != 0 || !gsp_node_is_callable(&p->graph, u));
        }
        if (i > 0 && parts->part_of[order[i - 1u]] == parts->part_of[v] && order[i - 1u] > v) {
            *same = 0;
        }
    }
    cli_release(p->session, at);
    return works;
}

/* The graph in the order of the lines within parts, if they have an order of their own. */
static int follow_lines(split *p, const cli_plan *loaded, uint32_t *part_of)
{
    uint32_t const n = p->graph.n_nodes;
    cli_parts parts;
    gsp_node *calls;
    gsp_node *order;
    uint32_t n_calls;
    gsp_error err;
    gsp_node v;
    int same;
    int code;
    memset(&parts, 0, sizeof parts);
    parts.n_parts = loaded->plan.n_parts;
    parts.part_of = part_of;
    parts.line_of = loaded->on.line_of;
    calls = cli_parts_order(p->session, &p->graph, &parts, &n_calls);
    if (!order_works(p, &parts, calls, n_calls, &same) || same) {
        return CLI_EXIT_OK;
    }
    if (!split_peak_of(p, NULL, 0, &p->given, &err)) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    if ((code = split_reorder(p, calls, &order)) == CLI_EXIT_OK) {
        uint32_t *part = (uint32_t *)cli_alloc(p->session, n, sizeof *part);
        uint8_t *joined = (uint8_t *)cli_alloc(p->session, n, 1u);
        for (v = 0; v < n; v++) {
            part[v] = part_of[order[v]];
            joined[v] = p->joined[order[v]];
        }
        memcpy(part_of, part, (size_t)n * sizeof *part);
        p->joined = joined;
    }
    return code;
}

/* Parts that still have nodes, in the order of the plan. */
static int take_parts(split *p, const cli_plan_text *plan, uint32_t *part_of)
{
    gsp_split_result *r = &p->result;
    uint32_t *begin;
    uint8_t *kind = (uint8_t *)cli_alloc(p->session, (size_t)plan->n_parts + 1u, 1u);
    uint32_t *number =
        (uint32_t *)cli_alloc(p->session, (size_t)plan->n_parts + 1u, sizeof *number);
    uint32_t i;
    gsp_node v;
    p->tags = (char **)cli_alloc(p->session, (size_t)plan->n_parts + 1u, sizeof *p->tags);
    for (v = 0; v < p->graph.n_nodes; v++) {
        if (part_of[v] != GSP_NONE) {
            number[part_of[v]] = 1;
        }
    }
    for (i = 0; i < plan->n_parts; i++) {
        uint32_t k = kind_of_note(p, plan->notes[i]);
        if (number[i] == 0) {
            continue;
        }
        if (k == GSP_NONE) {
            return cli_error(p->session, GSP_STATUS_ARG,
                "%s: part %s has kind '%s', which is not an accelerator here; "
                "--accelerator %s adds it",
                p->opt.plan, cli_copy(p->session, plan->names[i]),
                cli_copy(p->session, plan->notes[i]), cli_copy(p->session, plan->notes[i]));
        }
        kind[r->n_subgraphs] = (uint8_t)k;
        p->tags[r->n_subgraphs] = cli_copy(p->session, plan->names[i]);
        number[i] = r->n_subgraphs++;
    }
    for (v = 0; v < p->graph.n_nodes; v++) {
        part_of[v] = part_of[v] == GSP_NONE ? GSP_NONE : number[part_of[v]];
    }
    r->subgraph_kind = kind;
    r->subgraph_of = part_of;
    r->nodes = split_members(p->session, part_of, p->graph.n_nodes, r->n_subgraphs, &begin);
    r->subgraph_begin = begin;
    return CLI_EXIT_OK;
}

/* The fields that the splitter would fill otherwise. */
static void fill_result(split *p)
{
    gsp_split_result *r = &p->result;
    uint32_t n = p->graph.n_nodes;
    uint8_t *kind = (uint8_t *)cli_alloc(p->session, n, 1u);
    uint8_t *reason = (uint8_t *)cli_alloc(p->session, n, 1u);
    uint32_t *none = (uint32_t *)cli_alloc(p->session, n, sizeof *none);
    gsp_node v;
    memset(none, 0xFF, (size_t)n * sizeof *none);
    for (v = 0; v < n; v++) {
        uint32_t of = r->subgraph_of[v];
        kind[v] = of == GSP_NONE ? (uint8_t)GSP_KIND_NONE : r->subgraph_kind[of];
        reason[v] = (uint8_t)(of == GSP_NONE      ? GSP_REASON_NONE
                              : p->joined[v] != 0 ? GSP_REASON_MOVED
                                                  : GSP_REASON_PINNED);
    }
    r->n_nodes = n;
    r->n_kinds = p->place.n_kinds;
    r->n_raw = r->n_subgraphs;
    r->kind = kind;
    r->reason = reason;
    r->culprit = none;
    r->group = none;
    r->raw_of = r->subgraph_of;
    r->raw_kind = r->subgraph_kind;
    r->prefix = "";
    r->names = p->place.names;
}

/* ---- what is said of it ---- */

static void put_unheard(cli_buffer *b, const char *option)
{
    if (strstr(b->size != 0 ? b->data : "", option) == NULL) {
        cli_printf(b, "%s%s", b->size != 0 ? ", " : "", option);
        cli_put(b, "", 1u);
        b->size--;
    }
}

/* Options that place nodes, which the plan does instead. The drawing of support still uses the
 * operators. */
static void list_unheard(const split *p, cli_buffer *b)
{
    const cli_session *s = p->session;
    size_t i;
    for (i = 0; i < s->n_given; i++) {
        const char *name = s->given[i].option->name;
        int is_kind = strcmp(name, "--accelerator") == 0;
        int is_ops =
            is_kind ? strchr(s->given[i].value, '=') != NULL : strcmp(name, "--acc-ops") == 0;
        if (is_ops ? p->opt.dot_support == NULL : !is_kind) {
            put_unheard(b, is_kind ? "the operators of --accelerator" : name);
        }
    }
}

/* Options that control the cut. */
static void list_unheard_cuts(const split_options *o, cli_buffer *b)
{
    const struct {
        const char *name;
        int given;
    } cuts[] = {
        {"--min-acc-module-size", o->min_size != 0},
        {"--max-acc-module-size", o->max_size != 0},
        {"--waive-min-size", o->waive_min_size != 0},
        {"--max-acc-splits", o->limit != 0},
        {"--max-acc", o->max_acc != 0},
        {"--max-acc-bytes", o->most_bytes != 0},
        {"--max-acc-params", o->most_params != 0},
        {"--max-acc-inputs", o->most_inputs != 0},
        {"--max-acc-outputs", o->most_outputs != 0},
        {"--limit-policy", o->limit_policy != 0},
        {"--value", o->value != 0},
        {"--start", o->best_start != 0},
        {"--order", o->order != 0},
        {"--skip-fusion", o->skip_fusion != 0},
        {"--allow-non-tensor", o->allow_non_tensor != 0},
        {"--move-non-tensor-nodes-on-boundary", o->move_non_tensor != 0},
        {"--prefix", o->prefix != NULL},
    };
    size_t i;
    for (i = 0; i < CLI_COUNT(cuts); i++) {
        if (cuts[i].given) {
            put_unheard(b, cuts[i].name);
        }
    }
}

static void tell_unheard(const split *p)
{
    cli_buffer b;
    cli_buffer_init(&b, p->session);
    list_unheard(p, &b);
    list_unheard_cuts(&p->opt, &b);
    if (b.size != 0) {
        cli_progress_end(p->session);
        fprintf(stderr, "%s: the plan alone assigns the nodes; ignored: %s\n",
            p->session->front->program, b.data);
    }
}

int split_from_plan(split *p)
{
    cli_plan loaded;
    uint32_t *part_of;
    uint32_t joined;
    int code;
    tell_unheard(p);
    code = cli_plan_load(p->session, p->opt.plan, &p->graph, &loaded);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    part_of = (uint32_t *)cli_alloc(p->session, p->graph.n_nodes, sizeof *part_of);
    memcpy(part_of, loaded.on.part_of, (size_t)p->graph.n_nodes * sizeof *part_of);
    joined = join_new(p, part_of, loaded.plan.n_parts);
    if (joined == 0 && loaded.on.n_new != 0) {
        return cli_error(p->session, GSP_STATUS_ARG, "%s: the plan has no parts", p->opt.plan);
    }
    if (joined != 0) {
        cli_progress_end(p->session);
        fprintf(stderr, "  %s went where %s inputs are; a line in the plan overrides that\n",
            joined == 1u ? "It" : "They", joined == 1u ? "its" : "their");
    }
    if ((code = follow_lines(p, &loaded, part_of)) != CLI_EXIT_OK) {
        return code;
    }
    code = take_parts(p, &loaded.plan, part_of);
    if (code == CLI_EXIT_OK) {
        fill_result(p);
    }
    return code;
}

int split_plan_error(const split *p, const gsp_error *err)
{
    const gsp_graph *g = &p->graph;
    if (err->detail == GSP_DETAIL_TAG_ORDER && err->node < g->n_nodes && err->other < g->n_nodes) {
        return cli_error(p->session, err->status,
            "%%%s of %s %s %%%s of %s, which runs later; move a node or a part in %s",
            cli_copy(p->session, gsp_node_name(g, err->node)),
            p->tags[p->result.subgraph_of[err->node]],
            cli_reads(g, err->node, err->other) ? "reads" : "must run after",
            cli_copy(p->session, gsp_node_name(g, err->other)),
            p->tags[p->result.subgraph_of[err->other]], p->opt.plan);
    }
    return cli_pass_error(p->session, g, err);
}
