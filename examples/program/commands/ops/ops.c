/* graphsplit ops: the operator lists that --acc-ops accepts by name, with their sources. */
#include "commands/ops/ops.h"

#include "commands/ops/facts.h"
#include "commands/ops/json.h"
#include "commands/ops/people.h"
#include "core/buffer.h"
#include "core/error.h"
#include "core/options.h"
#include "data/operator_lists.h"
#include "input/operators.h"

#include <inttypes.h>

int cli_operators_put(cli_session *s)
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
        ops_people(s);
    }
    return CLI_EXIT_OK;
}

static int run(cli_session *s, int argc, char **argv)
{
    const cli_operator_list *list;
    int code = cli_options_read(s, NULL, argc, argv);
    if (code != CLI_EXIT_OK || s->n_positional == 0) {
        return code != CLI_EXIT_OK ? code : cli_operators_put(s);
    }
    if (s->n_positional > 1u) {
        return cli_usage_error(s, "there is more than one NAME: '%s'", s->positional[1]);
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
    "[NAME]",
    "Prints the operator lists that --acc-ops takes by name",
    "Without NAME: all lists, and the public documents that they come from. With NAME: that list "
    "as an\n"
    "operator file, which can be saved and changed.\n",
    NULL,
    0,
    run,
    {"xnnpack", "xnnpack > mine.ops"},
};
