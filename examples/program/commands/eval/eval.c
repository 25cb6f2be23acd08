/* graphsplit eval: is an assignment valid, and what does it cost? */
#include "commands/eval/eval.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const cli_option options[] = {
    {"--parts", "K", CLI_NUMBER, offsetof(eval_options, parts), 1, 1u << 24,
        "the number of parts; without it, as many as PARTS names"},
    {"--imbalance", "E", CLI_STRING, offsetof(eval_options, imbalance), 0, 0,
        "no part may have more than (1 + E) times the mean load, which is rounded up, or the load "
        "of the heaviest node; such as 0.03"},
    {"--device", "NAME:BYTES", CLI_LIST, 0, 0, 0,
        "a device and its memory; may be repeated. Part I is on device I modulo their number; "
        "without "
        "devices, each part has its own"},
    CLI_TRANSFER_RATE(offsetof(eval_options, rate)),
    {"--fix", "FILE", CLI_STRING, offsetof(eval_options, fix), 0, 0,
        "the part of every node that must have it, one integer per line; -1: any"},
};

/* --device NAME:BYTES */
static int read_devices(eval *e)
{
    cli_session *s = e->session;
    size_t i;
    e->devices = (gsp_device *)cli_alloc(s, s->n_given + 1u, sizeof *e->devices);
    for (i = 0; i < s->n_given; i++) {
        const char *colon = strrchr(s->given[i].value, ':');
        gsp_device *device = &e->devices[e->n_devices++];
        if (colon == NULL || colon == s->given[i].value ||
            !cli_bytes_read(gsp_str_of(colon + 1), &device->bytes)) {
            return cli_usage_error(
                s, "--device expects NAME:BYTES, such as npu:32MiB, got '%s'", s->given[i].value);
        }
        device->name = gsp_str_of(s->given[i].value);
        device->name.size = (uint32_t)(colon - s->given[i].value);
    }
    return CLI_EXIT_OK;
}

static int read_options(eval *e, int argc, char **argv)
{
    cli_session *s = e->session;
    int code = cli_options_read(s, &e->opt, argc, argv);
    if (code != CLI_EXIT_OK || s->common.help) {
        return code;
    }
    if (s->n_positional != 2u) {
        return cli_usage_error(s, "eval expects a graph and an assignment, GRAPH PARTS");
    }
    s->path = s->positional[0];
    e->path = s->positional[1];
    code = read_devices(e);
    return code == CLI_EXIT_OK
               ? cli_rate_read(s, e->opt.rate, &e->desc.has_rate, &e->desc.transfer_rate)
               : code;
}

/* What cannot be read is no assignment that could be valid or not. */
static int read_inputs(eval *e)
{
    cli_session *s = e->session;
    if (cli_load_main(s, &e->graph, &e->counts) != CLI_EXIT_OK ||
        cli_parts_read(s, &e->graph, e->path, (uint32_t)e->opt.parts, &e->parts) != CLI_EXIT_OK ||
        eval_limits(e) != CLI_EXIT_OK) {
        return CLI_EXIT_USAGE;
    }
    return CLI_EXIT_OK;
}

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    eval *e = (eval *)user;
    return gsp_score_run(arena, &e->graph, &e->desc, &e->score, err);
}

static int run_score(eval *e)
{
    gsp_arena arena;
    gsp_error err;
    int code;
    e->bound = gsp_score_bound(&e->graph, &e->desc);
    code = cli_pass_arena(e->session, &arena, e->bound);
    if (code == CLI_EXIT_OK &&
        cli_measure(e->session, &arena, work, e, &e->timing, &err) != GSP_OK) {
        code = cli_pass_error(e->session, &e->graph, &err);
    }
    return code;
}

static int run(cli_session *s, int argc, char **argv)
{
    eval e;
    int code;
    memset(&e, 0, sizeof e);
    e.session = s;
    if ((code = read_options(&e, argc, argv)) != CLI_EXIT_OK || s->common.help ||
        (code = read_inputs(&e)) != CLI_EXIT_OK || (code = run_score(&e)) != CLI_EXIT_OK) {
        return code;
    }
    eval_devices(&e);
    if (s->common.porcelain) {
        eval_porcelain(&e, &s->out);
    } else if (s->common.json) {
        eval_json(&e, &s->out);
    } else {
        eval_people(&e, &s->out);
    }
    if (e.parts.n_lines != e.parts.n_wanted) {
        fprintf(stderr,
            "%s: %s has %" PRIu64 " lines for %" PRIu64
            " nodes; it expects one line per called node\n",
            s->front->program, cli_shown(s, e.path), e.parts.n_lines, e.parts.n_wanted);
    }
    cli_time_line(s, e.graph.n_nodes, e.counts.edges, e.bound, &e.timing);
    return e.valid ? CLI_EXIT_OK : CLI_EXIT_FAILED;
}

const cli_pass cli_eval_pass = {
    "eval",
    "[options] GRAPH PARTS",
    "Evaluates any assignment of nodes to parts: is it valid, and what does it cost?",
    "PARTS is NODE=K,NODE=K, or a file of these, or a plan file, or a file of one integer per\n"
    "line: the part of every called node in graph order, as partitioners write it. The load of a\n"
    "node is its weight=, else 1. Valid means: no cycle of parts, no empty part, no part or "
    "device\n"
    "above its limit, no group= in two parts, no node elsewhere than --fix says, a part for each\n"
    "node. Exit status 0: valid, 1: not valid, 2: something cannot be read.\n"
    "\n"
    "Cuts are between called nodes. Bytes of a value that other parts read: written counts them\n"
    "once, read (cut_bytes) once per part that reads it, resident once per part that runs after\n"
    "its own, up to the last reader. A device needs what partition --count sum counts.\n",
    options,
    CLI_COUNT(options),
    run,
    {"net.fx parts.txt", "--device a:16MiB --device b:24MiB net.fx parts.txt"},
};
