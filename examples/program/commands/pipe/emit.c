/* --emit of `pipe`: one file per stage. */
#include "commands/pipe/pipe.h"

#include "output/output.h"

static const char *device_of(const pipe_job *p, uint32_t stage)
{
    const char *device = NULL;
    uint32_t i;
    for (i = 0; i < p->move.n_devices; i++) {
        if (p->move.devices[i].stage == stage) {
            device = cli_copy(p->session, p->move.devices[i].device);
        }
    }
    return device;
}

/* Parameters that the graph returns are a part of the root, even if stages hold them. */
int pipe_emit(const pipe_job *p)
{
    uint32_t n_stages = p->made.n_stages;
    cli_part *parts = (cli_part *)cli_alloc(p->session, (size_t)n_stages + 1u, sizeof *parts);
    uint8_t *kept = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
    uint32_t count;
    const gsp_node *returned = gsp_node_inputs(&p->graph, p->graph.n_nodes - 1u, &count);
    size_t n = 0;
    uint32_t i;
    int code;
    for (; count > 0; count--) {
        gsp_node v = returned[count - 1u];
        kept[v] = (uint8_t)(gsp_node_op(&p->graph, v) == GSP_OP_GET_ATTR);
    }
    code = cli_emit_parameters(p->session, &p->graph, kept, parts, &n);
    for (i = 0; i < n_stages; i++) {
        parts[n].name = cli_copy(p->session, pipe_stage_name(p, i));
        parts[n].kind = "stage";
        parts[n].device = device_of(p, i);
        parts[n++].graph = gsp_module_graph(&p->module, i + 1u);
    }
    return code == CLI_EXIT_OK ? cli_emit(p->session, p->opt.emit, &p->graph, parts, n) : code;
}
