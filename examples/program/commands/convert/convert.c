/* graphsplit convert: graphs between graph text and the formats of partitioners. */
#include "commands/convert/convert.h"

#include "input/input.h"
#include "output/output.h"

#include <stddef.h>
#include <string.h>

typedef struct convert_options {
    uint32_t from;
    uint32_t to;
} convert_options;

#define BY_ENDING "by_ending|" CLI_NET_WORDS

static const cli_option options[] = {
    {"--from", BY_ENDING, CLI_CHOICE, offsetof(convert_options, from), 0, 0,
        "the format of IN; by default its ending says it"},
    {"--to", BY_ENDING, CLI_CHOICE, offsetof(convert_options, to), 0, 0,
        "the format of OUT; by default its ending says it"},
};

static int write_out(cli_session *s, const char *path, const cli_buffer *text)
{
    if (strcmp(path, "-") == 0) {
        cli_put(&s->out, text->data, text->size);
        return CLI_EXIT_OK;
    }
    return cli_write_file(s, path, text);
}

static int load(cli_session *s, uint32_t from)
{
    if (from == 0) { /* as every command reads it */
        s->attributes = CLI_ATTRIBUTES_NONE;
        return cli_load(s);
    }
    cli_add_input(s, s->path);
    if (from - 1u == (uint32_t)CLI_NET_FX) {
        return cli_text_format.load(s);
    }
    return cli_net_load(s, (cli_net_kind)(from - 1u));
}

static int run(cli_session *s, int argc, char **argv)
{
    convert_options opt = {0, 0};
    cli_buffer text;
    cli_net_kind to;
    gsp_graph graph;
    int code = cli_options_read(s, &opt, argc, argv);
    if (code != CLI_EXIT_OK || s->common.help) {
        return code;
    }
    if (s->n_positional != 2u) {
        return cli_usage_error(s, "convert expects two files, IN OUT");
    }
    s->path = s->positional[0];
    to = opt.to != 0 ? (cli_net_kind)(opt.to - 1u) : cli_net_kind_of(s->positional[1]);
    if (to == CLI_NET_COUNT) {
        return cli_usage_error(
            s, "the ending of '%s' names no format; give it with --to", s->positional[1]);
    }
    if (s->common.json) {
        return cli_usage_error(s, "--json: convert writes a graph; read --json prints one");
    }
    if ((code = load(s, opt.from)) != CLI_EXIT_OK) {
        return code;
    }
    graph = gsp_module_graph(&s->module, 0);
    cli_buffer_init(&text, s);
    code = cli_net_write(s, &graph, to, &text);
    return code == CLI_EXIT_OK ? write_out(s, s->positional[1], &text) : code;
}

const cli_pass cli_convert_pass = {
    "convert",
    "[options] IN OUT",
    "Converts graphs between graph text and the formats of partitioners",
    "fx is graph text (.fx), metis METIS (.graph), hmetis hMETIS and KaHyPar (.hgr), mtx Matrix\n"
    "Market (.mtx), dot Graphviz (.dot, .gv), hyperdag HyperDAG (.hdag, .txt), edges a list with n "
    "m,\n"
    "then u v per line, from 0 (.edges). Every command reads files with these endings. Edges of\n"
    "undirected formats go from lower to higher numbers. weight= is the load of a node, and in\n"
    "these formats also its seconds; bytes= of its value are the weight of its edges or net.\n"
    "'-' is standard input or output.\n",
    options,
    CLI_COUNT(options),
    run,
    {"net.fx net.graph", "net.graph net.dot"},
};
