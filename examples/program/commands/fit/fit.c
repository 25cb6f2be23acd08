/* graphsplit fit: what fits into a RAM, and how. */
#include "commands/fit/fit.h"

#include "input/input.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(fit_options, name)

static const cli_option options[] = {
    {"--ram", "BYTES", CLI_BYTES, FIELD(ram), 0, UINT64_MAX / 4u,
        "the RAM for activations, 65536, 64KiB, 1.5M"},
    {"--flash", "BYTES", CLI_BYTES, FIELD(flash), 0, UINT64_MAX - 1u, "the room for parameters"},
    {"--memory", "NAME:BYTES[:COST[:ALIGN]][:ro]", CLI_LIST, 0, 0, 0,
        "a memory, as for the command memory; several"},
    {"--acc-ops", "OPS", CLI_LIST, 0, 0, 0,
        "operators of an accelerator in the same RAM, as for the command split: its subgraphs are "
        "tried in the order of the least peak"},
    {"--accelerator", "NAME[=OPS]", CLI_LIST, 0, 0, 0, "one accelerator, likewise"},
    {"--in-place", "RULES", CLI_MAYBE, FIELD(in_place), 0, 0,
        "the rules of results in place, as for the command memory; default all"},
    {"--align", "N", CLI_NUMBER, FIELD(align), 1, 1u << 30,
        "offsets in the arena are multiples of N, a power of two; default 16"},
    {"--graph", "NAME", CLI_STRING, FIELD(graph), 0, 0,
        "the graph of a module to report on; default main"},
    {"--emit-model", "FILE", CLI_STRING, FIELD(emit_model), 0, 0,
        "write the model in the order of the first way that fits"},
    {"--save-tflite", "FILE", CLI_STRING, FIELD(save_tflite), 0, 0,
        "write the .tflite model with the plan of the first way that fits as its metadata"},
};

static int read_options(fit *f, int argc, char **argv)
{
    cli_session *s = f->session;
    int const code = cli_options_read(s, &f->opt, argc, argv);
    if (code != CLI_EXIT_OK || s->common.help) {
        return code;
    }
    if ((f->opt.align & (f->opt.align - (f->opt.align != 0))) != 0) {
        return cli_usage_error(s, "--align expects a power of two, got %" PRIu64, f->opt.align);
    }
    if (f->opt.ram == UINT64_MAX) {
        return cli_usage_error(s, "fit requires --ram BYTES");
    }
    return cli_one_file(s);
}

/* The plan of the way that is chosen, as metadata. Offsets belong to the order of the operators in
 * the file, so the model in another order is written first, then read and planned. */
static int save_tflite(fit *f)
{
    cli_session *s = f->session;
    const char *path = s->path;
    uint64_t const ram = f->chosen == FIT_TILES ? f->opt.ram : f->rows[f->chosen].ram;
    size_t const n_taken = s->n_taken;
    int code = CLI_EXIT_OK;
    if (f->m.opt.order != NULL || f->chosen == FIT_SPLIT || f->chosen == FIT_TILES) {
        f->m.opt.emit_model = f->opt.save_tflite;
        code = memory_emit_model(&f->m);
        s->path = f->opt.save_tflite;
        code = code == CLI_EXIT_OK ? cli_load(s) : code;
        f->given = s->module;
        f->source = s->source;
        code = code == CLI_EXIT_OK ? fit_plan(f, f->chosen == FIT_BOTH ? FIT_IN_PLACE : FIT_PLAN)
                                   : code;
        if (code == CLI_EXIT_OK && f->m.memory_plan.arena > ram) {
            code = cli_error(
                s, GSP_STATUS_NO_FIT, "--save-tflite: %s needs more in that order", s->path);
        }
    }
    s->n_taken = n_taken; /* that file is written again */
    s->path = path;
    return code == CLI_EXIT_OK ? memory_save_tflite(&f->m) : code;
}

/* The way that is chosen, as a file. */
static int write_model(fit *f)
{
    int code = CLI_EXIT_OK;
    if (f->opt.emit_model == NULL && f->opt.save_tflite == NULL) {
        return CLI_EXIT_OK;
    }
    if (f->chosen >= FIT_MEMORIES) {
        return cli_error(f->session, GSP_STATUS_NO_FIT,
            "no plan in one arena fits, so that no model is written");
    }
    if (f->opt.emit_model != NULL) {
        code = memory_emit_model(&f->m);
    }
    return code == CLI_EXIT_OK && f->opt.save_tflite != NULL ? save_tflite(f) : code;
}

/* The module in the order of subgraphs that has the least peak. */
static int order_subgraphs(fit *f)
{
    cli_session *s = f->session;
    split p;
    size_t i = 0;
    int code;
    f->given = s->module;
    while (i < s->n_given && strcmp(s->given[i].option->name, "--memory") == 0) {
        i++;
    }
    if (i == s->n_given || f->opt.graph != NULL) {
        return CLI_EXIT_OK;
    }
    memset(&p, 0, sizeof p);
    p.session = s;
    p.is_step = 1;
    p.opt.order = SPLIT_ORDER_LEAST_PEAK;
    p.opt.rewrite_to = UINT64_MAX;
    p.graph = gsp_module_graph(&s->module, 0);
    code = cli_place_read(s, &p.place);
    code = code == CLI_EXIT_OK ? split_make(&p) : code;
    f->ordered = s->module;
    return code;
}

static int run(cli_session *s, int argc, char **argv)
{
    fit f;
    int code;
    memset(&f, 0, sizeof f);
    f.session = s;
    f.opt.ram = f.opt.flash = UINT64_MAX;
    if ((code = read_options(&f, argc, argv)) != CLI_EXIT_OK || s->common.help ||
        (code = cli_load(s)) != CLI_EXIT_OK) {
        return code;
    }
    s->out.colour = cli_wants_colour(s);
    cli_dims_tell(s);
    if ((code = order_subgraphs(&f)) != CLI_EXIT_OK || (code = fit_try(&f)) != CLI_EXIT_OK ||
        (code = write_model(&f)) != CLI_EXIT_OK) {
        return code;
    }
    cli_time_line(s, f.m.graph.n_nodes, f.m.counts.edges, f.m.bound, &f.m.timing);
    if (s->common.porcelain) {
        fit_porcelain(&f, &s->out);
    } else if (s->common.json) {
        fit_json(&f, &s->out);
    } else {
        fit_people(&f, &s->out);
    }
    return f.chosen != FIT_WAYS && fit_params(&f) ? CLI_EXIT_OK : CLI_EXIT_FAILED;
}

const cli_pass cli_fit_pass = {
    "fit",
    "--ram BYTES [options] FILE",
    "Tells what fits into a RAM: plan, order, results in place, tiles, parts, streams",
    "Every way is tried; the table has the least RAM that each gives, what it costs, and the\n"
    "command that does it. A way fits by its tensors alone; of a .tflite model the column TFLM "
    "has\n"
    "all that TensorFlow Lite Micro needs. Exit status 0: some way fits, and parameters fit into\n"
    "--flash; 1: none does.\n",
    options,
    CLI_COUNT(options),
    run,
    {"--ram 64KiB --flash 512KiB model.tflite", "--ram 8MiB --emit-model best.fx net.fx"},
};
