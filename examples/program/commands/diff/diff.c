/* graphsplit diff: compares two plans, with or without a graph. */
#include "commands/diff/diff.h"

#include <string.h>

static int run(cli_session *s, int argc, char **argv)
{
    diff d;
    uint32_t no_options = 0;
    int code = cli_options_read(s, &no_options, argc, argv);
    if (code != CLI_EXIT_OK || s->common.help) {
        return code;
    }
    if (s->n_positional < 2u || s->n_positional > 3u) {
        return cli_usage_error(s, "diff expects two plans and, optionally, a graph");
    }
    memset(&d, 0, sizeof d);
    d.session = s;
    d.paths[0] = s->positional[0];
    d.paths[1] = s->positional[1];
    s->path = s->n_positional == 3u ? s->positional[2] : NULL;
    if (s->path != NULL && (code = cli_load(s)) != CLI_EXIT_OK) {
        return code;
    }
    s->out.colour = cli_wants_colour(s);
    if ((code = diff_make(&d)) != CLI_EXIT_OK) {
        return code;
    }
    if (s->common.porcelain) {
        diff_porcelain(&d, &s->out);
    } else if (s->common.json) {
        diff_json(&d, &s->out);
    } else {
        diff_people(&d, &s->out);
    }
    return CLI_EXIT_OK;
}

const cli_pass cli_diff_pass = {
    "diff",
    "[options] FIRST.plan SECOND.plan [FILE]",
    "Compares two plans: nodes that changed device or part, coverage, bytes between parts",
    "With FILE, the plans are applied to that graph first, so that patterns match nodes; without "
    "it,\n"
    "their lines are compared as text. Parts are matched by the number of nodes that they share, "
    "not\n"
    "by name. The device of a part is the word after its name, such as cpu.\n",
    NULL,
    0,
    run,
    {"a.plan b.plan", "a.plan b.plan net.fx"},
};
