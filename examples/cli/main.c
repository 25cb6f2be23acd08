/* graphsplit: the command-line program for graph text. */
#include "cli.h"

static int load(cli_session *s)
{
    return cli_input_load(s, NULL);
}

static int piece(cli_session *s, const gsp_graph *graph, cli_buffer *out)
{
    int module = graph->id == 0 && graph->module->counts.graphs > 1u; /* with child graphs */
    gsp_error err;
    if ((module ? gsp_text_write(graph->module, NULL, cli_sink, out, &err)
                : gsp_text_write_graph(graph, NULL, cli_sink, out, &err)) != GSP_OK) {
        return cli_pass_error(s, graph, &err);
    }
    return CLI_EXIT_OK;
}

int main(int argc, char **argv)
{
    static const cli_front front = {
        "graphsplit", "Splits computation graphs, given as the text that PyTorch prints for them.",
        ".fx",        load,
        piece,
    };
    return cli_main(&front, argc, argv);
}
