/* --emit of `partition`: the parameters that stay in the root, and the submodules. */
#include "commands/partition/partition.h"

#include "output/output.h"

int partition_emit(const partition *p)
{
    cli_session *s = p->session;
    const gsp_split_module_result *made = p->result.parts;
    cli_part *parts = (cli_part *)cli_alloc(s, (size_t)made->n_parts + 1u, sizeof *parts);
    size_t n = 0;
    uint32_t i;
    int code = cli_emit_root(s, &p->graph, made, parts, &n);
    for (i = 0; i < made->n_parts && code == CLI_EXIT_OK; i++) {
        cli_buffer devices;
        cli_buffer_init(&devices, s);
        partition_put_devices(p, made->part[i], &devices);
        cli_put(&devices, "", 1u);
        parts[n].name = cli_copy(s, partition_submodule(p, made->part[i]));
        parts[n].kind = "partition";
        parts[n].device = devices.data;
        parts[n++].graph = gsp_module_graph(&made->module, i + 1u);
    }
    return code == CLI_EXIT_OK ? cli_emit(s, p->opt.emit, &p->graph, parts, n) : code;
}
