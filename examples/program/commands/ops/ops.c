/* graphsplit ops: the operator lists that --acc-ops accepts by name, with their sources. */
#include "commands/ops/ops.h"

#include "input/input.h"

#include <inttypes.h>
#include <stddef.h>

int cli_operators_put(cli_session *s, int more)
{
    const cli_operator_list *list;
    s->out.colour = cli_wants_colour(s);
    if (s->common.json) {
        ops_json(s);
    } else if (s->common.porcelain) {
        for (list = cli_operator_lists; list->name != NULL; list++) {
            cli_printf(&s->out, "list %s %" PRIu32 "\n", list->name, ops_count(list));
        }
    } else {
        ops_people(s, more);
    }
    return CLI_EXIT_OK;
}

typedef struct ops_options {
    const char *graph;
    uint32_t more;
} ops_options;

static const cli_option options[] = {
    {"--for", "GRAPH", CLI_STRING, offsetof(ops_options, graph), 0, 0,
        "what each list covers of a graph, in how many subgraphs, and what crosses between them"},
    {"--more", NULL, CLI_FLAG, offsetof(ops_options, more), 0, 0,
        "with neither NAME nor --for: also the documents that the lists come from; --all, too"},
};

static int run_for(cli_session *s, const char *graph)
{
    ops_covers covers;
    int code;
    if (s->n_positional != 0) {
        return cli_usage_error(s, "--for compares all lists, and '%s' is one", s->positional[0]);
    }
    s->path = graph;
    code = ops_cover_all(s, &covers);
    if (code == CLI_EXIT_OK && s->common.json) {
        ops_json_covers(&covers, &s->out);
    } else if (code == CLI_EXIT_OK && s->common.porcelain) {
        ops_porcelain_covers(&covers, &s->out);
    } else if (code == CLI_EXIT_OK) {
        ops_people_covers(s, &covers);
    }
    return code;
}

static int run(cli_session *s, int argc, char **argv)
{
    const cli_operator_list *list;
    ops_options opt = {NULL, 0};
    int code = cli_options_read(s, &opt, argc, argv);
    if (code != CLI_EXIT_OK || opt.graph != NULL) {
        return code != CLI_EXIT_OK ? code : run_for(s, opt.graph);
    }
    if (s->n_positional == 0) {
        return cli_operators_put(s, opt.more != 0 || s->common.all != 0);
    }
    if (opt.more) {
        return cli_usage_error(s, "--more is for all lists; a list has its document in it");
    }
    if (s->n_positional > 1u) {
        return cli_usage_error(s, "expected one NAME, got '%s' too", s->positional[1]);
    }
    list = cli_operators_find(gsp_str_of(s->positional[0]));
    if (list == NULL) {
        return cli_operators_unknown(s, s->positional[0]);
    }
    if (s->common.json) {
        ops_json_list(s, list);
    } else {
        cli_operators_text(list, &s->out);
    }
    return CLI_EXIT_OK;
}

const cli_pass cli_ops_pass = {
    "ops",
    "[NAME | --for GRAPH]",
    "Prints the operator lists that --acc-ops takes by name",
    "Without NAME: all lists, with --more also the public documents that they come from. With "
    "NAME:\n"
    "that list as an operator file, which can be saved and changed. With --for: what each list "
    "covers\n"
    "of a graph.\n",
    options,
    CLI_COUNT(options),
    run,
    {"--for net.fx", "xnnpack > mine.ops"},
};
