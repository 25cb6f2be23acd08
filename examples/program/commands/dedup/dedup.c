/* graphsplit dedup: options, the pass, and the requested outputs. */
#include "commands/dedup/dedup.h"

#include "algorithms/algorithms.h"
#include "input/input.h"
#include "output/output.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(dedup_options, name)

static const cli_option options[] = {
    {"--max-work", "N", CLI_NUMBER, FIELD(max_work), 0, UINT64_MAX,
        "fail with LIMIT when a search visits more than N edges; 0: no limit"},
    {"--lift-constants", NULL, CLI_FLAG, FIELD(lift), 0, 0,
        "regions count as equal but for their numbers, booleans and strings; those that differ "
        "become arguments of the subgraph"},
    {"--start", "reference|best", CLI_CHOICE, FIELD(start), 0, 0,
        "regions of PyTorch's search; where calls cannot replace some of them, others that save "
        "as many nodes as all of these would (default with --porcelain). best: regions that save "
        "most nodes, of several searches (default otherwise, and always with --lift-constants)"},
    {"--map", NULL, CLI_FLAG, FIELD(map), 0, 0,
        "print which nodes replace every node of the input: OLD -> NEW, several for an aggregate"},
    {"--dot", "FILE", CLI_STRING, FIELD(dot), 0, 0,
        "draw one subgraph for Graphviz, '-' for standard output: the one that removes most nodes, "
        "or "
        "--subgraph"},
    {"--subgraph", "NAME", CLI_STRING, FIELD(subgraph), 0, 0, "the subgraph that --dot draws"},
    {"--emit", "DIR", CLI_STRING, FIELD(emit), 0, 0,
        "write one file per subgraph, files for the nodes between its calls, the whole module in "
        "one "
        "file, and manifest.json into DIR"},
};

/* ---- the pass ---- */

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    dedup *p = (dedup *)user;
    return gsp_dedup_run(arena, &p->graph, &p->desc, &p->result, err);
}

/* Runs the pass, measured or not, with limits as high as it needs. */
static int run_pass(dedup *p, int measured, gsp_error *err)
{
    cli_session *s = p->session;
    gsp_arena arena;
    gsp_status status;
    p->desc.max_work = p->opt.max_work;
    do {
        int code;
        p->bound = gsp_dedup_bound(&p->graph, &p->desc);
        if (!measured) {
            cli_release(s, p->block);
            p->block = cli_grow(s, NULL, p->bound);
            gsp_arena_init(&arena, p->block, p->bound);
            status = work(p, &arena, err);
        } else if ((code = cli_pass_arena(s, &arena, p->bound)) != CLI_EXIT_OK) {
            return code;
        } else {
            status = cli_measure(s, &arena, work, p, &p->timing, err);
        }
    } while (status != GSP_OK && cli_dedup_raise(&p->desc, err));
    return CLI_EXIT_OK;
}

/* The pass, with what dedup_search() chose. */
static int run_dedup(dedup *p)
{
    cli_session *s = p->session;
    int const all = p->opt.lift || p->opt.start == DEDUP_BEST;
    uint64_t promised;
    gsp_error err = {0};
    int code;
    cli_progress(s, "looking for repeated regions");
    if (all && (code = dedup_search(p, run_pass, 0)) != CLI_EXIT_OK) {
        return code;
    }
    code = run_pass(p, 1, &err);
    if (code == CLI_EXIT_OK && err.status == GSP_OK && !all && dedup_rejected(p, &promised)) {
        code = dedup_search(p, run_pass, promised);
        code = code == CLI_EXIT_OK ? run_pass(p, 1, &err) : code;
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (err.status == GSP_STATUS_LIMIT && err.detail == GSP_DETAIL_WORK) {
        return cli_error(s, err.status,
            "--max-work %" PRIu64 ": a search visited more edges than that", p->opt.max_work);
    }
    if (err.status != GSP_OK) {
        return cli_pass_error(s, &p->graph, &err);
    }
    if (p->opt.lift && (code = dedup_unlift(p)) != CLI_EXIT_OK) {
        return code;
    }
    dedup_tell_hidden(p);
    p->prints = cli_fingerprints(s, &p->result.module);
    return CLI_EXIT_OK;
}

/* ---- outputs ---- */

/* All output is made before any of it is written. */
static int write_all(const dedup *p)
{
    cli_session *s = p->session;
    int to_out = p->opt.dot != NULL && strcmp(p->opt.dot, "-") == 0;
    cli_buffer dot;
    int code = CLI_EXIT_OK;
    cli_progress(s, "printing");
    cli_buffer_init(&dot, s);
    if (p->opt.dot != NULL) {
        code = dedup_dot(p, to_out ? &s->out : &dot);
    }
    if (code == CLI_EXIT_OK && p->opt.emit != NULL) {
        code = cli_emit_calls(s, p->opt.emit, &p->graph, &p->result, NULL);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (s->common.porcelain) {
        dedup_porcelain(p, &s->out);
    } else if (s->common.json) {
        dedup_json(p, &s->out);
    } else if (p->opt.map) {
        dedup_map(p, &s->out);
    } else if (!to_out) {
        dedup_people(p, &s->out);
    }
    return p->opt.dot != NULL && !to_out ? cli_write_file(s, p->opt.dot, &dot) : CLI_EXIT_OK;
}

static int read_options(dedup *p, int argc, char **argv)
{
    cli_session *s = p->session;
    uint32_t outputs;
    int code = cli_options_read(s, &p->opt, argc, argv);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (p->opt.start == (uint32_t)DEDUP_AS_OUTPUT) {
        p->opt.start = s->common.porcelain ? DEDUP_REFERENCE : DEDUP_BEST;
    }
    outputs = s->common.porcelain + s->common.json + p->opt.map;
    outputs += p->opt.dot != NULL && strcmp(p->opt.dot, "-") == 0 ? 1u : 0u;
    if (outputs > 1u) {
        return cli_usage_error(
            s, "only one of --porcelain, --json, --map and --dot - can write to standard output");
    }
    if (p->opt.lift && p->opt.emit != NULL) {
        return cli_usage_error(s, "--lift-constants: the parts of --emit take tensors alone");
    }
    if (p->opt.subgraph != NULL && p->opt.dot == NULL) {
        return cli_usage_error(s, "--subgraph requires --dot, which draws it");
    }
    return cli_one_file(s);
}

static int run(cli_session *s, int argc, char **argv)
{
    dedup p;
    int code;
    memset(&p, 0, sizeof p);
    p.session = s;
    p.opt.start = DEDUP_AS_OUTPUT;
    s->sizes_unused = 1;
    if ((code = read_options(&p, argc, argv)) != CLI_EXIT_OK ||
        (code = cli_load_main(s, &p.graph, &p.counts)) != CLI_EXIT_OK ||
        (code = run_dedup(&p)) != CLI_EXIT_OK || (code = write_all(&p)) != CLI_EXIT_OK) {
        return code;
    }
    cli_time_line(s, p.graph.n_nodes, p.counts.edges, p.bound, &p.timing);
    return CLI_EXIT_OK;
}

const cli_pass cli_dedup_pass = {
    "dedup",
    "[options] FILE",
    "Replaces repeated regions by calls of one subgraph",
    "--lift-constants takes integers, decimals, True, False and strings at any depth of the "
    "arguments.\nThey have to be of one kind (1 is not 1.0), and those on which all calls agree "
    "stay inside. None,\ndtypes, devices and indices of aggregates always stay, and have to be "
    "equal. Shapes too become\narguments where TYPEs do not tell them apart. It takes the kinds "
    "of constants with which calls\nreplace most nodes, so that it never finds less than "
    "without.\n",
    options,
    CLI_COUNT(options),
    run,
    {"net.fx", "--emit parts net.fx"},
};
