/* --emit of `split`: the submodules, and the values that the root keeps. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <string.h>

static int is_rest(const split *p, gsp_node v)
{
    gsp_node output = p->graph.n_nodes - 1u;
    uint32_t n;
    const gsp_node *users = gsp_node_users(&p->graph, v, &n);
    return gsp_node_op(&p->graph, v) == GSP_OP_GET_ATTR && n != 0 && users[n - 1u] == output;
}

#ifndef CLI_NO_CALLS /* the page of the browser writes parts with its second program */

/* ---- one arena for all subgraphs ---- */

static gsp_str tensor_name(const split *p, gsp_node v)
{
    gsp_str name = gsp_node_name(&p->graph, v);
    if (p->session->format->tensor != NULL) {
        (void)p->session->format->tensor(&p->graph, v, 0, &name);
    }
    return name;
}

/* A tensor of a subgraph, once. */
static void put_tensor(const split *p, const gsp_memory_plan_result *plan, uint32_t t,
    uint32_t subgraph, uint32_t *seen, cli_buffer *out)
{
    const gsp_tensor *tensor = &plan->tensors[t];
    if (seen[t] == subgraph + 1u) {
        return;
    }
    seen[t] = subgraph + 1u;
    cli_puts(out, out->size != 0 && out->data[out->size - 1u] == '}' ? ", {" : "{");
    cli_puts(out, "\"name\": ");
    cli_json_string(out, tensor_name(p, tensor->node));
    cli_printf(out, ", \"offset\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"crosses\": %s}",
        tensor->offset, tensor->bytes, plan->crosses[t] != 0 ? "true" : "false");
}

/* The tensors that a subgraph yields or reads, with their offsets. */
static const char *members_of(
    const split *p, const gsp_memory_plan_result *plan, uint32_t subgraph, uint32_t *seen)
{
    const gsp_split_result *r = &p->result;
    cli_buffer out;
    uint32_t i;
    cli_buffer_init(&out, p->session);
    cli_printf(&out, ", \"arena\": %" PRIu64 ", \"tensors\": [", plan->arena);
    for (i = r->subgraph_begin[subgraph]; i < r->subgraph_begin[subgraph + 1u]; i++) {
        gsp_node const v = r->nodes[i];
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&p->graph, v, &n);
        uint32_t k;
        for (k = 0; k <= n; k++) {
            uint32_t const t = plan->tensor_of[k < n ? in[k] : v];
            if (t != GSP_NONE) {
                put_tensor(p, plan, t, subgraph, seen, &out);
            }
        }
    }
    cli_puts(&out, "]");
    cli_put(&out, "", 1u);
    return out.data;
}

/* Members of the manifest: offsets in the order in which the subgraphs run; none if sizes are
 * wrong. */
static const char **all_members(const split *p)
{
    const gsp_split_result *r = &p->result;
    gsp_memory_plan_desc desc = {0};
    gsp_memory_plan_result plan;
    gsp_arena arena;
    const char **members =
        (const char **)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *members);
    uint32_t *seen;
    uint32_t i;
    desc.order = r->nodes;
    desc.n_order = r->subgraph_begin[r->n_subgraphs];
    desc.part_of = r->subgraph_of;
    cli_arena(p->session, &arena, gsp_memory_plan_bound(&p->graph, &desc));
    if (gsp_memory_plan_run(&arena, &p->graph, &desc, &plan, NULL) != GSP_OK) {
        return members;
    }
    seen = (uint32_t *)cli_alloc(p->session, (size_t)plan.n_tensors + 1u, sizeof *seen);
    for (i = 0; i < r->n_subgraphs; i++) {
        members[i] = members_of(p, &plan, i, seen);
    }
    return members;
}

/* --blocks: graphs that subgraphs call are written once. */
static int emit_blocks(const split *p)
{
    const gsp_split_result *r = &p->result;
    const char **names =
        (const char **)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *names);
    const char **kinds =
        (const char **)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *kinds);
    cli_call_parts parts;
    uint32_t i;
    for (i = 0; i < r->n_subgraphs; i++) {
        names[i] = p->tags[i];
        kinds[i] = r->names[r->subgraph_kind[i]];
    }
    parts.n_parts = r->n_subgraphs;
    parts.part_of = p->blocks->part_of;
    parts.names = names;
    parts.kinds = kinds;
    parts.members = all_members(p);
    return cli_emit_calls(p->session, p->opt.emit, &p->graph, &p->blocks->result, &parts);
}

#endif /* CLI_NO_CALLS */

/* A getitem only unpacks the outputs of a part, and is no part. The rest of the root are parameters
 * that are returned. */
int split_emit(const split *p)
{
    const gsp_split_result *r = &p->result;
    cli_part *parts = (cli_part *)cli_alloc(p->session, (size_t)r->n_subgraphs + 1u, sizeof *parts);
    uint8_t *kept = (uint8_t *)cli_alloc(p->session, p->graph.n_nodes, 1u);
    size_t n = 0;
    uint32_t i;
    gsp_node v;
    int code;
#ifndef CLI_NO_CALLS
    if (SPLIT_HAS_BLOCKS(p)) {
        return emit_blocks(p);
    }
#endif
    for (v = 0; v < p->graph.n_nodes; v++) {
        kept[v] = (uint8_t)is_rest(p, v);
    }
    code = cli_emit_parameters(p->session, &p->graph, kept, parts, &n);
    for (i = 0; i < r->n_subgraphs && code == CLI_EXIT_OK; i++) {
        parts[n].name = p->tags[i];
        parts[n].kind = r->names[r->subgraph_kind[i]];
        parts[n++].graph = gsp_module_graph(&p->made.module, i + 1u);
    }
#ifndef CLI_NO_CALLS
    if (code == CLI_EXIT_OK) {
        const char **members = all_members(p);
        for (i = 0; i < r->n_subgraphs; i++) {
            parts[n - r->n_subgraphs + i].members = members[i];
        }
    }
#endif
    return code == CLI_EXIT_OK ? cli_emit(p->session, p->opt.emit, &p->graph, parts, n) : code;
}
