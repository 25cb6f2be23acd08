/* graphsplit run: runs a graph on hashed values, to show that it runs and that two modules compute
 * the same. */
#include "commands/run/run.h"

#include "input/input.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static const cli_option options[] = {
    {"--input", "[NAME][:TYPE]", CLI_LIST, 0, 0, 0,
        "an input, for the placeholder NAME or by position; its TYPE is checked. Without --input: "
        "one "
        "per placeholder, up to the last without a default"},
    {"--equal", "OTHER", CLI_STRING, offsetof(run_options, equal), 0, 0,
        "also run the module of another file (like FILE, or as --porcelain prints it); exit status "
        "1 "
        "if it returns other values"},
    {"--graph", "NAME", CLI_STRING, offsetof(run_options, graph), 0, 0,
        "the graph of a module to run; default main"},
    {"--inputs", "DIR", CLI_STRING, offsetof(run_options, input_dir), 0, 0,
        "the values of inputs: DIR/NAME.npy for a placeholder NAME, with one hash (u8) as a "
        "scalar"},
    {"--outputs", "DIR", CLI_STRING, offsetof(run_options, output_dir), 0, 0,
        "write every returned value as DIR/NAME.npy, in the same form; DIR is made if it is not "
        "there"},
    {"--max-work", "N", CLI_NUMBER, offsetof(run_options, max_work), 1, UINT64_MAX,
        "fail with LIMIT beyond this work: nodes of called graphs, argument tokens, bytes of "
        "names, "
        "and at 40 each, elements of aggregates; default 100000000"},
};

static int read_inputs(run_work *w)
{
    cli_session *s = w->session;
    size_t i;
    if (w->opt.input_dir != NULL && (s->n_given != 0 || w->opt.equal != NULL)) {
        return cli_usage_error(
            s, "--inputs cannot be combined with %s", s->n_given != 0 ? "--input" : "--equal");
    }
    w->inputs = (gsp_input *)cli_alloc(s, s->n_given + 1u, sizeof *w->inputs);
    w->n_inputs = (uint32_t)s->n_given;
    for (i = 0; i < s->n_given; i++) {
        const char *spec = s->given[i].value;
        const char *colon = strchr(spec, ':');
        w->inputs[i].name = gsp_str_of(spec);
        if (colon != NULL) {
            w->inputs[i].name.size = (uint32_t)(colon - spec);
            w->inputs[i].type = gsp_str_of(colon + 1);
        }
    }
    return CLI_EXIT_OK;
}

/* ---- the other module ---- */

/* The text of the modules in a porcelain: everything from its first `module` line on. */
static const char *modules_of(const char *text)
{
    const char *at = strstr(text, "\nmodule main\n");
    return at != NULL ? at + 1 : text;
}

static int read_text(run_work *w, const char *path, gsp_module *module)
{
    cli_session *s = w->session;
    char *text;
    size_t size;
    gsp_counts counts;
    gsp_error err;
    gsp_arena arena;
    const char *start;
    const char *proof;
    int code = cli_graph_read(s, path, &text, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    start = modules_of(text);
    w->header.data = text;
    w->header.size = (uint32_t)(start - text);
    proof = strstr(start, "\nproof objective="); /* the last line of pipe --policy optimal */
    size = proof != NULL ? (size_t)(proof + 1 - start) : size - (size_t)(start - text);
    if (gsp_text_count(start, size, &counts, &err) == GSP_OK) {
        cli_arena(s, &arena, gsp_build_bound(&counts));
        if (gsp_text_read(&arena, start, size, NULL, module, &err) == GSP_OK) {
            return CLI_EXIT_OK;
        }
    }
    return cli_text_error(s, path, gsp_str_of(start), &err);
}

/* Loads in the format of that file, which changes the format of the session. */
static int read_other(run_work *w, gsp_module *module)
{
    cli_session *s = w->session;
    const char *path = s->path;
    const cli_format *format = s->format;
    gsp_module own = s->module;
    int code;
    s->path = w->opt.equal;
    cli_choose_format(s);
    cli_net_settle(s);
    code = s->format == &cli_text_format ? read_text(w, s->path, &s->module) : s->format->load(s);
    w->is_bare = code == CLI_EXIT_OK && !run_has_annotations(&s->module);
    if (code == CLI_EXIT_OK && s->format == &cli_text_format) {
        code = cli_written_check(s) == CLI_EXIT_OK ? cli_written_set(s) : CLI_EXIT_FAILED;
    }
    *module = s->module;
    s->path = path;
    s->format = format;
    s->module = own;
    return code;
}

/* What a run returned and, if writes are followed, wrote. */
static uint64_t digest(const run_work *w)
{
    uint64_t h;
    w->facts->writes = w->writes;
    h = run_digest(w->facts, &w->frames, w->outputs);
    return w->writes != NULL ? run_writes_digest(w->writes, h, w->values, w->frames.n_inputs) : h;
}

static int run_both(run_work *a, run_work *b)
{
    int code = run_execute(a);
    b->left = a->left;
    return code == CLI_EXIT_OK ? run_execute(b) : code;
}

/* 1 if an annotation of a node names a graph; a porcelain has no annotations. */
static int names_graphs(const gsp_module *m)
{
    uint32_t i;
    gsp_node v;
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        for (v = 0; v < g.n_nodes; v++) {
            gsp_called c = {0, 0, UINT32_MAX, 0, 0}; /* after all arguments */
            if (gsp_node_is_callable(&g, v) && gsp_called_next(&g, v, &c)) {
                return 1;
            }
        }
    }
    return 0;
}

/* The first runs again, with its targets in the words of the other; what annotations name counts
 * where both modules have such. */
static int compare_graphs(run_work *a, run_work *b)
{
    const gsp_module *m = a->graph.module;
    const gsp_module *of = b->graph.module;
    int code;
    a->targets = run_targets(a->session, m, of, a->header);
    b->targets = run_targets(a->session, of, m, b->header);
    if (names_graphs(m) && names_graphs(of)) {
        a->prints = cli_fingerprints(a->session, m);
        b->prints = cli_fingerprints(b->session, of);
        if (a->prints == NULL || b->prints == NULL) {
            return cli_error(
                a->session, GSP_STATUS_CYCLE, "%s", gsp_detail_text(GSP_DETAIL_RECURSION));
        }
    }
    if (run_has_writes(m) || run_has_writes(of)) {
        a->writes = run_writes_make(a->session, m, NULL, a->targets);
        b->writes = run_writes_make(b->session, of, b->is_bare ? m : NULL, b->targets);
    }
    if ((code = run_execute(a)) == CLI_EXIT_OK) {
        b->left = a->left;
    }
    return code;
}

/* At first an aggregate is one value, which needs no annotations. If the other module has its
 * elements instead, both run again with the aggregates that the TYPEs of either list, as long as
 * these grow. */
static int compare(run_work *w)
{
    gsp_module module;
    run_facts facts = {0};
    run_work one = *w;
    run_work other = *w;
    size_t before;
    int equal = 0;
    int code = read_other(&other, &module);
    if (code == CLI_EXIT_OK) {
        other.graph = gsp_module_graph(&module, 0);
        code = compare_graphs(&one, &other);
    }
    if (code == CLI_EXIT_OK) {
        code = run_execute(&other);
        equal = code == CLI_EXIT_OK && digest(&one) == digest(&other);
    }
    facts.session = w->session;
    one.facts = other.facts = &facts;
    do {
        before = facts.n;
        one.left = other.left;
        if (code == CLI_EXIT_OK && !equal) {
            code = run_both(&one, &other);
            equal = code == CLI_EXIT_OK && digest(&one) == digest(&other);
            code = code == CLI_EXIT_OK && facts.left == 0 ? run_too_much(w) : code;
        }
    } while (code == CLI_EXIT_OK && !equal && facts.n != before);
    w->verdict = equal ? "equal" : "different";
    return code;
}

static int run(cli_session *s, int argc, char **argv)
{
    run_work w;
    run_facts facts = {0};
    uint32_t id = 0;
    int code;
    memset(&w, 0, sizeof w);
    w.session = s;
    w.facts = &facts;
    w.opt.max_work = RUN_DEFAULT_WORK;
    if ((code = cli_options_read(s, &w.opt, argc, argv)) != CLI_EXIT_OK || s->common.help ||
        (code = cli_one_file(s)) != CLI_EXIT_OK || (code = read_inputs(&w)) != CLI_EXIT_OK ||
        (code = cli_load(s)) != CLI_EXIT_OK) {
        return code;
    }
    s->out.colour = cli_wants_colour(s);
    while (w.opt.graph != NULL && id < s->module.counts.graphs &&
           !gsp_str_equal(
               gsp_module_str(&s->module, s->module.graphs[id].name), gsp_str_of(w.opt.graph))) {
        id++;
    }
    if (id == s->module.counts.graphs) {
        return cli_error(s, GSP_STATUS_ARG, "%s has no graph '%s'", s->path, w.opt.graph);
    }
    w.graph = gsp_module_graph(&s->module, id);
    w.left = w.opt.max_work;
    if ((w.opt.input_dir != NULL && (code = run_read(&w, w.opt.input_dir)) != CLI_EXIT_OK) ||
        (code = run_execute(&w)) != CLI_EXIT_OK ||
        (w.opt.output_dir != NULL && (code = run_write(&w, w.opt.output_dir)) != CLI_EXIT_OK) ||
        (w.opt.equal != NULL && (code = compare(&w)) != CLI_EXIT_OK)) {
        return code;
    }
    if (s->common.json) {
        run_json(&w, &s->out);
    } else if (s->common.porcelain) {
        run_porcelain(&w, &s->out);
    } else {
        run_people(&w, &s->out);
    }
    cli_time_line(s, w.graph.n_nodes, gsp_graph_counts(&w.graph).edges, w.bound, &w.timing);
    return w.verdict != NULL && strcmp(w.verdict, "equal") != 0 ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}

const cli_pass cli_run_pass = {
    "run",
    "[options] FILE",
    "Runs a graph on hashed values: does it run, and does another compute the same?",
    "The value of a node is a hash of its operation, target, constants and inputs. Submodules and\n"
    "invoke_subgraph are entered; inputs are bound to placeholders as in Python. Two modules with "
    "the\n"
    "same hashes compute the same values. --equal follows writes (mutates=, alias=), those into\n"
    "inputs and attributes too. --time measures the run, without its planning.\n",
    options,
    CLI_COUNT(options),
    run,
    {"net.fx", "--equal split.fx net.fx"},
};
