/* --emit: what reproduces each culprit. Its run has left its model, inputs and outputs there. */
#include "commands/bisect/bisect.h"

#include "output/output.h"

#include <string.h>

static int save_expected(bisect *b, const bisect_culprit *c)
{
    cli_session *s = b->session;
    bisect_set set;
    const char *dir;
    gsp_node v;
    uint32_t i;
    int code = bisect_dir(b, c->dir, "expected", &dir);
    set.is_in = (uint8_t *)cli_alloc(s, (size_t)b->n_units + 1u, 1u);
    set.all_values = c->all_values;
    for (i = 0; i < c->n; i++) {
        set.is_in[b->unit_of[c->nodes[i]]] = 1;
    }
    (void)bisect_mark(b, &set);
    for (v = 0; v + 1u < b->graph.n_nodes && code == CLI_EXIT_OK; v++) {
        gsp_str tensor;
        for (i = 0; b->set.is_wanted[v] && cli_tensor(s, &b->graph, v, i, &tensor); i++) {
            const char *to = cli_npy_path(s, dir, tensor);
            if (cli_copy_file(cli_npy_path(s, b->values, tensor), to) != 0) {
                code = cli_error(s, GSP_STATUS_ARG, "cannot write %s", to);
            }
        }
    }
    return code;
}

/* The command line, for the directory in which this program runs. */
static int save_command(bisect *b, const bisect_culprit *c)
{
    cli_session *s = b->session;
    const char *line;
    cli_buffer own;
    cli_buffer out;
    cli_buffer_init(&own, s);
    cli_buffer_init(&out, s);
    cli_printf(
        &own, "%s run --inputs {inputs} --outputs {outputs} {model}%c", s->front->program, '\0');
    line = bisect_line(b, b->tested.command != NULL ? b->tested.command : own.data, c->model,
        cli_path(s, c->dir, "inputs"), cli_path(s, c->dir, "outputs"));
    if (line == NULL) {
        return CLI_EXIT_FAILED;
    }
    cli_printf(&out, "#!/bin/sh\n# expected: %s/expected\n%s\n", c->dir, line);
    return cli_write_new(s, cli_path(b->session, c->dir, "run.sh"), &out);
}

int bisect_save(bisect *b)
{
    uint32_t i;
    int code = CLI_EXIT_OK;
    for (i = 0; i < b->n_culprits && b->opt.emit != NULL && code == CLI_EXIT_OK; i++) {
        code = save_expected(b, &b->culprits[i]);
        code = code == CLI_EXIT_OK ? save_command(b, &b->culprits[i]) : code;
    }
    return code;
}
