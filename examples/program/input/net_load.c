/* The formats of partitioners by name and ending. */
#include "input/input.h"

#include <string.h>

cli_net_kind cli_net_kind_of(const char *path)
{
    static const struct {
        const char *ending;
        cli_net_kind kind;
    } endings[] = {{".fx", CLI_NET_FX}, {".graph", CLI_NET_METIS}, {".metis", CLI_NET_METIS},
        {".hgr", CLI_NET_HMETIS}, {".hmetis", CLI_NET_HMETIS}, {".mtx", CLI_NET_MTX},
        {".dot", CLI_NET_DOT}, {".gv", CLI_NET_DOT}, {".hdag", CLI_NET_HYPERDAG},
        {".hyperdag", CLI_NET_HYPERDAG}, {".edges", CLI_NET_EDGES}};
    size_t size = strlen(path);
    size_t i;
    for (i = 0; i < CLI_COUNT(endings); i++) {
        size_t n = strlen(endings[i].ending);
        if (size >= n && strcmp(path + size - n, endings[i].ending) == 0) {
            return endings[i].kind;
        }
    }
    return CLI_NET_COUNT;
}

int cli_net_take(cli_session *s, cli_net_kind kind, char *data, size_t size)
{
    static int (*const readers[])(cli_net *) = {NULL, cli_net_read_metis, cli_net_read_hmetis,
        cli_net_read_mtx, cli_net_read_dot, cli_net_read_hyperdag, cli_net_read_edges};
    cli_net net;
    cli_net_rows rows;
    int code;
    if (size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", s->path);
    }
    memset(&net, 0, sizeof net);
    net.session = s;
    net.path = cli_shown(s, s->path);
    net.data = data;
    net.text.data = data;
    net.text.size = (uint32_t)size;
    code = readers[kind](&net);
    code = code == CLI_EXIT_OK ? cli_net_sort(&net, &rows) : code;
    return code == CLI_EXIT_OK ? cli_net_module(&net, &rows) : code;
}

int cli_net_load(cli_session *s, cli_net_kind kind)
{
    char *data = NULL;
    size_t size = 0;
    int const code = cli_file_read(s, s->path, &data, &size);
    return code == CLI_EXIT_OK ? cli_net_take(s, kind, data, size) : code;
}
