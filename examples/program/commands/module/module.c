/* graphsplit module: split_module, a module from any assignment of nodes to partitions. */
#include "commands/module/module.h"

#include "algorithms/algorithms.h"
#include "input/input.h"
#include "output/output.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const cli_option options[] = {
    CLI_FINGERPRINTS(offsetof(module_options, fingerprints)),
    {"--assign", "NODE=K,...", CLI_LIST, 0, 0, 0,
        "the partition of every called node, K any integer: NODE=K,NODE=K or @FILE; may be "
        "repeated"},
    {"--keep-original-order", NULL, CLI_FLAG, offsetof(module_options, keep_order), 0, 0,
        "call the partitions in the order of their first nodes"},
    CLI_IGNORE_WRITES(offsetof(module_options, ignore_writes)),
    CLI_RETURN_TUPLE(offsetof(module_options, return_tuple)),
    {"--number-inputs", NULL, CLI_FLAG, offsetof(module_options, number_inputs), 0, 0,
        "name the inputs of submodules arg_0, arg_1, ..., so that equal partitions look equal"},
    {"--prefix", "TEXT", CLI_STRING, offsetof(module_options, prefix), 0, 0,
        "prefix of the names of submodules; default submod_"},
    {"--plan", "FILE", CLI_STRING, offsetof(module_options, plan), 0, 0,
        "take the partitions from a plan file instead of --assign; report what no longer matches"},
    {"--save-plan", "FILE", CLI_STRING, offsetof(module_options, save_plan), 0, 0,
        "write the assignment as a plan file"},
    CLI_PART_FILE(offsetof(module_options, part)),
    CLI_EMIT_SUBMODULES(offsetof(module_options, emit)),
};

/* ---- the pass ---- */

/* --assign: partitions are numbers. */
static int read_assign(module_work *w)
{
    cli_assign assign;
    uint32_t i;
    int code = cli_assign_read(w->session, &w->graph, &assign);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    w->numbered = 1;
    w->n_parts = assign.n_parts;
    w->part_of = assign.part_of;
    w->names = (gsp_str *)cli_alloc(w->session, (size_t)w->n_parts + 1u, sizeof *w->names);
    for (i = 0; i < w->n_parts; i++) {
        char digits[24];
        (void)snprintf(digits, sizeof digits, "%" PRId64, assign.numbers[i]);
        w->names[i] = gsp_str_of(cli_copy(w->session, gsp_str_of(digits)));
    }
    return CLI_EXIT_OK;
}

/* --plan: its parts are the partitions. Names that are numbers get the prefix of split_module. */
static int read_plan(module_work *w)
{
    cli_plan loaded;
    int64_t *numbers;
    uint32_t i;
    int code = cli_plan_load(w->session, w->opt.plan, &w->graph, &loaded);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    w->n_parts = loaded.plan.n_parts;
    w->part_of = loaded.on.part_of;
    w->names = (gsp_str *)cli_alloc(w->session, (size_t)w->n_parts + 1u, sizeof *w->names);
    numbers = (int64_t *)cli_alloc(w->session, (size_t)w->n_parts + 1u, sizeof *numbers);
    w->numbered = cli_plan_numbers(&loaded.plan, numbers);
    for (i = 0; i < w->n_parts; i++) {
        w->names[i] = loaded.plan.names[i];
    }
    if (!w->numbered && w->opt.prefix == NULL) {
        w->opt.prefix = "";
    }
    return CLI_EXIT_OK;
}

static int save_plan(const module_work *w)
{
    cli_plan_desc desc = {0};
    if (w->opt.save_plan == NULL) {
        return CLI_EXIT_OK;
    }
    desc.n_parts = w->n_parts;
    desc.part_of = w->part_of;
    desc.names = w->names;
    return cli_plan_save(w->session, w->opt.save_plan, &w->graph, &desc);
}

static void fill_desc(module_work *w)
{
    w->desc.n_parts = w->n_parts;
    w->desc.part_of = w->part_of;
    w->desc.names = w->names;
    w->desc.prefix = w->opt.prefix;
    w->desc.keep_order = w->opt.keep_order;
    w->desc.return_tuple = w->opt.return_tuple;
    w->desc.number_inputs = w->opt.number_inputs;
}

static const char *part_name(const module_work *w, uint32_t part)
{
    return cli_copy(w->session, w->names[part]);
}

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    module_work *w = (module_work *)user;
    return gsp_split_module_run(arena, &w->graph, &w->desc, &w->result, err);
}

/* One edge from a partition to another, as a clause; empty when there is none. */
static const char *edge_clause(module_work *w, uint32_t from, uint32_t to)
{
    const uint32_t *part_of = w->part_of;
    gsp_node v;
    for (v = 0; v < w->graph.n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = cli_before(&w->graph, v, &n);
        for (; n > 0 && part_of[v] == to; n--) {
            if (part_of[in[n - 1u]] == from) {
                cli_buffer b;
                cli_buffer_init(&b, w->session);
                cli_printf(&b, "%%%s (%s) %s %%%s (%s)",
                    cli_copy(w->session, gsp_node_name(&w->graph, v)), part_name(w, to),
                    cli_reads(&w->graph, v, in[n - 1u]) ? "reads" : "must run after",
                    cli_copy(w->session, gsp_node_name(&w->graph, in[n - 1u])), part_name(w, from));
                cli_put(&b, "", 1u);
                return b.data;
            }
        }
    }
    return "";
}

static int refuse_cycle(module_work *w, const gsp_error *err)
{
    uint32_t through = (uint32_t)err->need;
    const char *more = "";
    if (through != err->other) {
        cli_buffer b;
        cli_buffer_init(&b, w->session);
        cli_printf(&b, ", which waits for %s", part_name(w, err->other));
        cli_put(&b, "", 1u);
        more = b.data;
    }
    return cli_error(w->session, err->status,
        "partitions %s and %s depend on each other: %s, and %s%s", part_name(w, err->node),
        part_name(w, err->other), edge_clause(w, err->node, err->other),
        edge_clause(w, through, err->node), more);
}

static int refuse(module_work *w, const gsp_error *err)
{
    cli_session *s = w->session;
    switch (err->detail) {
    case GSP_DETAIL_TAG:
        if (w->opt.plan == NULL && s->n_given == 0) {
            return cli_error(s, err->status,
                "no node is assigned; give --assign NODE=K,NODE=K, --assign @FILE or "
                "--plan FILE");
        }
        return cli_error(s, err->status, "%%%s belongs to no partition; %s %s%s puts it into one",
            cli_copy(s, gsp_node_name(&w->graph, err->node)),
            w->opt.plan != NULL ? "a line" : "--assign",
            cli_copy(s, gsp_node_name(&w->graph, err->node)),
            w->opt.plan != NULL ? " in the plan" : "=K");
    case GSP_DETAIL_TAG_NAME:
        return cli_error(s, err->status,
            "%s%s is not a valid name for a module; choose another --prefix",
            w->opt.prefix != NULL ? w->opt.prefix : "", part_name(w, err->node));
    case GSP_DETAIL_PARTS_CYCLE:
        return refuse_cycle(w, err);
    case GSP_DETAIL_PARTS_ORDER:
        return cli_error(s, err->status,
            "the partitions cannot run in the original order: %s, and %s begins "
            "before %s; leave out --keep-original-order",
            edge_clause(w, err->other, err->node), part_name(w, err->node),
            part_name(w, err->other));
    default:
        return cli_pass_error(s, &w->graph, err);
    }
}

static int run_parts(module_work *w)
{
    gsp_arena arena;
    gsp_error err;
    int code;
    cli_progress(w->session, "building modules");
    fill_desc(w);
    w->bound = gsp_split_module_bound(&w->graph, &w->desc);
    code = cli_pass_arena(w->session, &arena, w->bound);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(w->session, &arena, work, w, &w->timing, &err) != GSP_OK) {
        return refuse(w, &err);
    }
    return CLI_EXIT_OK;
}

/* ---- output ---- */

/* Numbered inputs have the names of their values outside. */
static void bind_inputs(const module_work *w, const gsp_origin *origin, cli_part *part)
{
    const gsp_graph *g = &part->graph;
    cli_bind *bind = (cli_bind *)cli_alloc(w->session, g->n_nodes, sizeof *bind);
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_op(g, v) == GSP_OP_PLACEHOLDER) {
            bind[part->n_bind].inner = gsp_node_name(g, v);
            bind[part->n_bind++].outer = gsp_node_name(&w->graph, origin[g->first + v].node);
        }
    }
    part->bind = bind;
}

static int emit(const module_work *w)
{
    const gsp_origin *origin = cli_part_origins(w->session, &w->graph, &w->result);
    cli_part *parts =
        (cli_part *)cli_alloc(w->session, (size_t)w->result.n_parts + 1u, sizeof *parts);
    size_t n = 0;
    uint32_t i;
    int code = cli_emit_root(w->session, &w->graph, &w->result, parts, &n);
    for (i = 0; i < w->result.n_parts; i++) {
        parts[n].name = cli_copy(w->session, module_name(w, i + 1u));
        parts[n].kind = "partition";
        parts[n].graph = gsp_module_graph(&w->result.module, i + 1u);
        if (w->opt.number_inputs) {
            bind_inputs(w, origin, &parts[n]);
        }
        n++;
    }
    return code == CLI_EXIT_OK ? cli_emit(w->session, w->opt.emit, &w->graph, parts, n) : code;
}

static int write_all(const module_work *w)
{
    cli_session *s = w->session;
    int code = w->opt.emit != NULL ? emit(w) : CLI_EXIT_OK;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (s->common.porcelain) {
        module_porcelain(w, &s->out);
    } else if (s->common.json) {
        module_json(w, &s->out);
    } else {
        module_people(w, &s->out);
        if (w->opt.fingerprints) {
            cli_put_programs(&s->out, &w->result.module, 1u, w->result.n_parts);
        }
    }
    cli_time_line(s, w->graph.n_nodes, w->counts.edges, w->bound, &w->timing);
    return CLI_EXIT_OK;
}

static int run(cli_session *s, int argc, char **argv)
{
    module_work w;
    int code;
    memset(&w, 0, sizeof w);
    w.session = s;
    s->sizes_unused = 1;
    if ((code = cli_options_read(s, &w.opt, argc, argv)) != CLI_EXIT_OK || s->common.help ||
        (code = cli_one_file(s)) != CLI_EXIT_OK ||
        (code = cli_load_main(s, &w.graph, &w.counts)) != CLI_EXIT_OK ||
        (code = cli_order_writes(s, &w.graph, w.opt.ignore_writes)) != CLI_EXIT_OK) {
        return code;
    }
    if (w.opt.plan != NULL && s->n_given != 0) {
        return cli_usage_error(s, "--plan cannot be combined with --assign");
    }
    if ((code = w.opt.plan != NULL ? read_plan(&w) : read_assign(&w)) != CLI_EXIT_OK ||
        (code = run_parts(&w)) != CLI_EXIT_OK || (code = save_plan(&w)) != CLI_EXIT_OK ||
        (code = cli_part_write(s, w.opt.part, &w.graph, w.part_of)) != CLI_EXIT_OK ||
        (code = cli_check_writes(s, &w.graph, w.result.graph_of)) != CLI_EXIT_OK) {
        return code;
    }
    return write_all(&w);
}

const cli_pass cli_module_pass = {
    "module",
    "[options] FILE",
    "Makes a module from any assignment of nodes to partitions (split_module)",
    "Parameters (get_attr) stay in the root and are passed in. Targets of called modules are\n"
    "flattened: layer1.conv in partition 0 becomes submod_0.layer1_conv. A file for --assign has\n"
    "NODE=K separated by blanks, commas or line ends, and # comments.\n",
    options,
    CLI_COUNT(options),
    run,
    {"--plan a.plan --emit parts net.fx", "--assign @parts.txt --porcelain net.fx > split.fx"},
};
