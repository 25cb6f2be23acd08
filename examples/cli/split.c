/* graphsplit split: options, the pass, and which outputs are asked for. */
#include "split.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(split_options, name)

static const cli_option options[] = {
    CLI_PLACE_OPTIONS,
    {"--min-acc-module-size", "N", CLI_NUMBER, FIELD(min_size), 0, UINT32_MAX,
     "accelerator subgraphs of fewer nodes go to the CPU (1: none)"},
    {"--waive-min-size", NULL, CLI_FLAG, FIELD(waive_min_size), 0, 0,
     "no minimum when an accelerator supports every callable node"},
    {"--max-acc-splits", "N", CLI_NUMBER, FIELD(limit), 0, UINT32_MAX,
     "at most N subgraphs in all, those on the CPU included; 0: no limit"},
    {"--limit-policy", "error|demote", CLI_CHOICE, FIELD(limit_policy), 0, 0,
     "what happens above the limit: the pass fails (the default), or the least valuable "
     "accelerator subgraphs go "
     "to the CPU"},
    {"--value", "count|bytes", CLI_CHOICE, FIELD(value), 0, 0,
     "the value of a subgraph for demote: its nodes (the default), or the bytes that they read and "
     "yield"},
    {"--skip-fusion", NULL, CLI_FLAG, FIELD(skip_fusion), 0, 0,
     "make no groups of nodes that pass non-tensor values to each other"},
    {"--allow-non-tensor", NULL, CLI_FLAG, FIELD(allow_non_tensor), 0, 0,
     "non-tensor values may cross between subgraphs"},
    {"--prefix", "P", CLI_STRING, FIELD(prefix), 0, 0, "tags are P, kind, _, number (_run_on_)"},
    {"--return-tuple", NULL, CLI_FLAG, FIELD(return_tuple), 0, 0,
     "submodules return a tuple even for one value"},
    {"--why", "NODE", CLI_MAYBE, FIELD(why), 0, 0,
     "print why a node is where it is, or every node that is on no accelerator; '--why NODE FILE' "
     "works too"},
    {"--map", NULL, CLI_FLAG, FIELD(map), 0, 0,
     "print where nodes, called modules and attributes are now: KIND OLD -> NEW"},
    {"--dot", "FILE", CLI_STRING, FIELD(dot), 0, 0,
     "write a drawing for Graphviz, '-' for standard output; above 2000 nodes one box a subgraph"},
    {"--emit", "DIR", CLI_STRING, FIELD(emit), 0, 0,
     "write a file a subgraph and manifest.json into DIR, which is made if need be"},
};

/* ---- options ---- */

static int is_prefix(const char *prefix)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return prefix[0] == '\0' ||
           (strchr(letters, prefix[0]) != NULL &&
            prefix[strspn(prefix, letters) +
                   strspn(prefix + strspn(prefix, letters), "0123456789")] == '\0');
}

/* `--why NODE FILE`: with two positionals the first is the node. */
static void take_why_node(cli_session *s, split_options *opt)
{
    if (opt->why.given && opt->why.value == NULL && s->n_positional == 2u) {
        opt->why.value = s->positional[0];
        s->positional[0] = s->positional[1];
        s->n_positional = 1;
    }
}

static int read_options(split *p, int argc, char **argv)
{
    cli_session *s = p->session;
    split_options *opt = &p->opt;
    uint32_t outputs;
    int code = cli_options_read(s, opt, argc, argv);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    take_why_node(s, opt);
    outputs = s->common.porcelain + s->common.json + opt->map + opt->why.given;
    outputs += opt->dot != NULL && strcmp(opt->dot, "-") == 0 ? 1u : 0u;
    if (outputs > 1u) {
        return cli_usage_error(s, "only one of --porcelain, --json, --map, --why and --dot - can "
                                  "have the standard output");
    }
    if (opt->prefix != NULL && !is_prefix(opt->prefix)) {
        return cli_usage_error(s, "--prefix takes letters, digits and _, not '%s'", opt->prefix);
    }
    code = cli_one_file(s);
    return code != CLI_EXIT_OK ? code : cli_place_read(s, &p->place);
}

/* ---- the pass ---- */

static uint64_t add_capped(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* What a node moves: all that it reads, parameters included, and what it yields. */
static const uint64_t *values_in_bytes(const split *p)
{
    const gsp_graph *g = &p->graph;
    uint64_t *value = (uint64_t *)cli_alloc(p->session, g->n_nodes, sizeof *value);
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        uint32_t n_in;
        const gsp_node *in = gsp_node_inputs(g, v, &n_in);
        uint32_t i;
        value[v] = add_capped(gsp_node_bytes(g, v), gsp_node_params(g, v));
        for (i = 0; i < n_in; i++) {
            value[v] = add_capped(value[v], gsp_node_bytes(g, in[i]));
        }
    }
    return value;
}

static void fill_desc(split *p)
{
    gsp_split_desc *d = &p->desc;
    d->min_size = (uint32_t)p->opt.min_size;
    d->waive_min_size = p->opt.waive_min_size;
    d->limit = (uint32_t)p->opt.limit;
    d->limit_policy = p->opt.limit_policy;
    d->skip_fusion = p->opt.skip_fusion;
    d->allow_non_tensor = p->opt.allow_non_tensor;
    d->placement = &p->placement;
    d->prefix = p->opt.prefix;
    d->names = p->place.names;
    if (p->opt.limit_policy == GSP_LIMIT_DEMOTE && p->opt.value == 1u) {
        d->value = values_in_bytes(p);
    }
}

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    split *p = (split *)user;
    return gsp_split_run(arena, &p->graph, &p->desc, &p->result, err);
}

static int split_error(split *p, const gsp_error *err)
{
    if (err->status == GSP_STATUS_LIMIT) {
        return cli_error(p->session, err->status,
                         "the split has %" PRIu64 " subgraphs, and --max-acc-splits allows %" PRIu64
                         "; --limit-policy demote sends the least valuable ones to the CPU",
                         err->need, err->limit);
    }
    return cli_pass_error(p->session, &p->graph, err);
}

static int run_split(split *p)
{
    gsp_arena arena;
    gsp_error err;
    int code;
    cli_progress(p->session, "splitting");
    fill_desc(p);
    p->bound = gsp_split_bound(&p->counts, &p->desc);
    code = cli_pass_arena(p->session, &arena, p->bound);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(p->session, &arena, work, p, &p->timing, &err) != GSP_OK) {
        return split_error(p, &err);
    }
    return CLI_EXIT_OK;
}

static void make_tags(split *p)
{
    uint32_t n = p->result.n_subgraphs;
    uint32_t i;
    p->tags = (char **)cli_alloc(p->session, (size_t)n + 1u, sizeof *p->tags);
    for (i = 0; i < n; i++) {
        size_t size = gsp_split_tag(&p->result, i, NULL, 0) + 1u;
        p->tags[i] = (char *)cli_alloc(p->session, size, 1u);
        (void)gsp_split_tag(&p->result, i, p->tags[i], size);
    }
}

static int make_modules(split *p)
{
    uint32_t n = p->result.n_subgraphs;
    gsp_text *names = (gsp_text *)cli_alloc(p->session, (size_t)n + 1u, sizeof *names);
    gsp_tags_desc desc = {0};
    gsp_arena arena;
    gsp_error err;
    size_t name_bytes = 0;
    size_t bound;
    uint32_t i;
    cli_progress(p->session, "building modules");
    for (i = 0; i < n; i++) {
        names[i] = gsp_text_of(p->tags[i]);
        name_bytes += names[i].size;
    }
    desc.n_tags = n;
    desc.tag_of = p->result.subgraph_of;
    desc.names = names;
    desc.return_tuple = p->opt.return_tuple;
    bound = gsp_tags_bound(&p->graph.module->counts, n, name_bytes);
    if (bound == SIZE_MAX) {
        return cli_error(p->session, GSP_STATUS_OVERFLOW,
                         "the modules are too large for this machine");
    }
    cli_arena(p->session, &arena, bound);
    if (gsp_tags_run(&arena, &p->graph, &desc, &p->made, &err) != GSP_OK) {
        if (err.detail == GSP_DETAIL_TAG_NAME && err.node < n) {
            return cli_error(p->session, err.status,
                             "a child graph is called %s already; choose another --prefix",
                             p->tags[err.node]);
        }
        return cli_pass_error(p->session, &p->graph, &err);
    }
    p->has_modules = 1;
    return CLI_EXIT_OK;
}

/* ---- output ---- */

static int write_report(const split *p)
{
    cli_session *s = p->session;
    if (s->common.porcelain) {
        split_porcelain(p, &s->out);
    } else if (s->common.json) {
        split_json(p, &s->out);
    } else if (p->opt.why.given) {
        return split_why(p, &s->out);
    } else if (p->opt.map) {
        split_map(p, &s->out);
    } else if (p->opt.dot == NULL || strcmp(p->opt.dot, "-") != 0) {
        split_people(p, &s->out);
    }
    return CLI_EXIT_OK;
}

/* Everything is made before anything is written. */
static int write_all(const split *p)
{
    cli_session *s = p->session;
    int to_out = p->opt.dot != NULL && strcmp(p->opt.dot, "-") == 0;
    cli_buffer dot;
    int code;
    cli_progress(s, "printing");
    cli_buffer_init(&dot, s);
    if (p->opt.dot != NULL) {
        split_dot(p, to_out ? &s->out : &dot);
    }
    code = write_report(p);
    if (code == CLI_EXIT_OK && p->opt.emit != NULL) {
        code = split_emit(p);
    }
    if (code == CLI_EXIT_OK && p->opt.dot != NULL && !to_out) {
        code = cli_write_file(s, p->opt.dot, &dot);
    }
    if (code == CLI_EXIT_OK) {
        cli_time_line(s, p->graph.n_nodes, p->counts.edges, p->bound, &p->timing);
    }
    return code;
}

static int run(cli_session *s, int argc, char **argv)
{
    split p;
    int needs_modules;
    int code;
    memset(&p, 0, sizeof p);
    p.session = s;
    if ((code = read_options(&p, argc, argv)) != CLI_EXIT_OK ||
        (code = s->front->load(s)) != CLI_EXIT_OK) {
        return code;
    }
    s->out.colour = cli_wants_colour(s);
    p.graph = gsp_module_graph(&s->module, 0);
    p.counts = gsp_graph_counts(&p.graph);
    if ((code = cli_place_run(s, &p.place, &p.graph, &p.placement)) != CLI_EXIT_OK ||
        (code = run_split(&p)) != CLI_EXIT_OK) {
        return code;
    }
    make_tags(&p);
    needs_modules = s->common.porcelain || s->common.json || p.opt.map || p.opt.emit != NULL;
    if (needs_modules && (code = make_modules(&p)) != CLI_EXIT_OK) {
        return code;
    }
    return write_all(&p);
}

const cli_pass cli_split_pass = {
    "split",
    "[options] FILE",
    "Cuts a graph into subgraphs for the CPU and for accelerators",
    "--arena and the line of --time are about the pass alone, from the placement to the tags; the\n"
    "printed modules are made in memory of their own.\n" CLI_PLACE_ABOUT,
    options,
    CLI_COUNT(options),
    run,
};
