/* A subgraph of a deduplication, its regions, and sizes. */
#include "commands/dedup/dedup.h"

gsp_str dedup_name(const dedup *p, uint32_t subgraph)
{
    const gsp_module *m = &p->result.module;
    return gsp_module_str(m, m->graphs[subgraph + 1u].name);
}

uint32_t dedup_rows(const dedup *p, uint32_t subgraph)
{
    const gsp_regions *r = &p->result.regions;
    uint32_t group = p->result.selection.group_of[subgraph];
    return (r->group_begin[group + 1u] - r->group_begin[group]) / r->group_regions[group];
}

uint32_t dedup_calls(const dedup *p, uint32_t subgraph)
{
    const gsp_dedup_selection *a = &p->result.selection;
    return a->call_begin[subgraph + 1u] - a->call_begin[subgraph];
}

gsp_node *dedup_region(const dedup *p, uint32_t subgraph, uint32_t call)
{
    const gsp_regions *r = &p->result.regions;
    uint32_t group = p->result.selection.group_of[subgraph];
    uint32_t rows = dedup_rows(p, subgraph);
    gsp_node *nodes = (gsp_node *)cli_alloc(p->session, rows, sizeof *nodes);
    for (uint32_t i = 0; i < rows; i++) {
        nodes[i] = r->members[(size_t)r->group_begin[group] + (size_t)i * r->group_regions[group] +
                              p->result.selection.region_of[call]];
    }
    return nodes;
}

gsp_str dedup_constant(const gsp_graph *plain, const dedup_lifted *l, uint32_t constant)
{
    return gsp_module_str(plain->module, plain->module->args[l->token[constant]].value);
}

uint32_t dedup_lifted_arguments(const dedup *p)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < p->result.selection.n_subgraphs; i++) {
        sum += p->lifted.arguments[i];
    }
    return sum;
}

void dedup_ports(const gsp_graph *g, uint32_t *inputs, uint32_t *outputs)
{
    (void)gsp_node_inputs(g, g->n_nodes - 1u, outputs);
    *inputs = 0;
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        *inputs += gsp_node_op(g, v) == GSP_OP_PLACEHOLDER ? 1u : 0u;
    }
}

static int count_bytes(void *user, const char *data, size_t size)
{
    (void)data;
    *(uint64_t *)user += size;
    return 0;
}

uint64_t dedup_text_bytes(const gsp_module *module)
{
    uint64_t bytes = 0;
    (void)gsp_text_write(module, NULL, count_bytes, &bytes, NULL);
    return bytes;
}
