/* One arena for all parts, as members of the manifest. */
#include "output/output.h"

#include <inttypes.h>

static gsp_str tensor_name(const cli_session *s, const gsp_graph *g, gsp_node v)
{
    gsp_str name = gsp_node_name(g, v);
    if (s->format->tensor != NULL) {
        (void)s->format->tensor(g, v, 0, &name);
    }
    return name;
}

/* A tensor of a part, once. */
static void put_tensor(cli_buffer *out, const gsp_graph *g, const gsp_memory_plan_result *plan,
    uint32_t t, uint32_t stamp, uint32_t *seen)
{
    const gsp_tensor *tensor = &plan->tensors[t];
    if (seen[t] == stamp) {
        return;
    }
    seen[t] = stamp;
    cli_puts(out, out->data[out->size - 1u] == '}' ? ", {" : "{");
    cli_puts(out, "\"name\": ");
    cli_json_string(out, tensor_name(out->session, g, tensor->node));
    cli_printf(out, ", \"offset\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"crosses\": %s}",
        tensor->offset, tensor->bytes, plan->crosses[t] != 0 ? "true" : "false");
}

/* The tensors that nodes yield or read, with their offsets. */
static const char *members_of(cli_session *s, const gsp_graph *g,
    const gsp_memory_plan_result *plan, const gsp_node *nodes, uint32_t n, uint32_t stamp,
    uint32_t *seen)
{
    cli_buffer out;
    uint32_t i;
    cli_buffer_init(&out, s);
    cli_printf(&out, ", \"arena\": %" PRIu64 ", \"tensors\": [", plan->arena);
    for (i = 0; i < n; i++) {
        uint32_t n_in;
        const gsp_node *in = gsp_node_inputs(g, nodes[i], &n_in);
        uint32_t k;
        for (k = 0; k <= n_in; k++) {
            uint32_t const t = plan->tensor_of[k < n_in ? in[k] : nodes[i]];
            if (t != GSP_NONE) {
                put_tensor(&out, g, plan, t, stamp, seen);
            }
        }
    }
    cli_puts(&out, "]");
    cli_put(&out, "", 1u);
    return out.data;
}

const char **cli_members(cli_session *s, const gsp_graph *graph, const uint32_t *part_of,
    const gsp_node *nodes, const uint32_t *begin, uint32_t n_parts)
{
    gsp_memory_plan_desc desc = {0};
    gsp_memory_plan_result plan;
    gsp_arena arena;
    const char **members = (const char **)cli_alloc(s, (size_t)n_parts + 1u, sizeof *members);
    uint32_t *seen;
    uint32_t i;
    desc.order = nodes;
    desc.n_order = begin[n_parts];
    desc.part_of = part_of;
    cli_arena(s, &arena, gsp_memory_plan_bound(graph, &desc));
    if (gsp_memory_plan_run(&arena, graph, &desc, &plan, NULL) != GSP_OK) {
        return members;
    }
    seen = (uint32_t *)cli_alloc(s, (size_t)plan.n_tensors + 1u, sizeof *seen);
    for (i = 0; i < n_parts; i++) {
        members[i] =
            members_of(s, graph, &plan, nodes + begin[i], begin[i + 1u] - begin[i], i + 1u, seen);
    }
    return members;
}
