/* The formats of partitioners as file formats of the program. */
#include "input/input.h"

#include <string.h>

static int load(cli_session *s)
{
    return cli_net_load(s, cli_net_kind_of(s->format->ending));
}

/* Numbers and comments after '%' are no graph text, which begins with a word. */
static int is_hyperdag(cli_session *s)
{
    char *data = NULL;
    size_t size = 0;
    size_t i = 0;
    if (!cli_is_file(s->path) || cli_binary_read(s, s->path, &data, &size) != CLI_EXIT_OK) {
        return 0;
    }
    while (i < size && strchr(" \t\r\n", data[i]) != NULL) {
        i++;
    }
    return i < size && (data[i] == '%' || (data[i] >= '0' && data[i] <= '9'));
}

void cli_net_settle(cli_session *s)
{
    if (s->format == &cli_txt_format) {
        s->format = is_hyperdag(s) ? &cli_hyperdag_format : &cli_text_format;
    }
}

static int load_hyperdag(cli_session *s)
{
    return cli_net_load(s, CLI_NET_HYPERDAG);
}

static int load_txt(cli_session *s)
{
    cli_net_settle(s);
    return s->format->load(s);
}

#define FORMAT(name, ending, load) \
    const cli_format name = {ending, ".fx", load, cli_text_part, NULL, NULL, NULL, 0, NULL, NULL, \
        NULL, NULL, NULL, NULL}
FORMAT(cli_metis_format, ".graph", load);
FORMAT(cli_metis_long_format, ".metis", load);
FORMAT(cli_hmetis_format, ".hgr", load);
FORMAT(cli_hmetis_long_format, ".hmetis", load);
FORMAT(cli_mtx_format, ".mtx", load);
FORMAT(cli_dot_format, ".dot", load);
FORMAT(cli_gv_format, ".gv", load);
FORMAT(cli_hyperdag_format, ".hdag", load_hyperdag);
FORMAT(cli_hyperdag_long_format, ".hyperdag", load_hyperdag);
FORMAT(cli_edges_format, ".edges", load);
FORMAT(cli_txt_format, ".txt", load_txt);
