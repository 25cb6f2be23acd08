/* The entry points of the library in one shape. */
#include "tests/contract/entry.h"

static const char table_text[] = "torch.f1\ntorch.f2 f32,f16\nf*  # all the others\n!f3\n"
                                 "size1 f32\nblk.*\ntorch.nn.Linear qi8,f32\n";

static size_t bound_build(const entry_input *in)
{
    gsp_counts const counts = oracle_counts(&in->c);
    return gsp_build_bound(&counts);
}

static gsp_status run_build(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    oracle_ids ids;
    return oracle_build(arena, &in->c, &out->module, &ids, err);
}

static void dump_module(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    t_add(bytes, (const char *)out->module.block, out->module.block_size);
}

/* The rows of the graph, of inputs or of users; with targets, operations and bytes, or without. */
static gsp_csr_desc csr_desc(const entry_input *in)
{
    const gsp_module *m = in->rows;
    gsp_csr_desc desc = {0};
    desc.n_nodes = m->graphs[0].n_nodes;
    desc.users = in->c.limit % 2u;
    desc.begin = desc.users != 0u ? m->user_begin : m->in_begin;
    desc.at = desc.users != 0u ? m->users : m->inputs;
    desc.op = m->op;
    if (in->c.n_kinds > 2u) {
        desc.out = m->out;
        desc.bytes = m->bytes;
        desc.target = in->target;
        desc.names = in->names;
        desc.n_names = (uint32_t)T_COUNT_OF(in->names);
    }
    return desc;
}

static size_t bound_csr(const entry_input *in)
{
    gsp_csr_desc const desc = csr_desc(in);
    return gsp_build_csr_bound(&desc);
}

static gsp_status run_csr(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_csr_desc const desc = csr_desc(in);
    return gsp_build_csr(arena, &desc, &out->module, err);
}

static void dump_csr(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_graph const g = gsp_module_graph(&out->module, 0u);
    (void)in;
    for (gsp_node v = 0; v < g.n_nodes; v++) {
        gsp_str const target = gsp_node_target(&g, v);
        char made[GSP_NAME_MADE];
        gsp_str const name = gsp_node_name_make(&g, v, made);
        uint32_t n;
        const gsp_node *row = gsp_node_inputs(&g, v, &n);
        t_add(bytes, (const char *)row, n * sizeof(gsp_node));
        row = gsp_node_users(&g, v, &n);
        t_add(bytes, (const char *)row, n * sizeof(gsp_node));
        t_add(bytes, name.data, name.size);
        t_add(bytes, target.data, target.size);
        t_number(bytes, (uint32_t)gsp_node_op(&g, v));
        t_number(bytes, (uint32_t)gsp_node_value_kind(&g, v));
        t_number(bytes, (uint32_t)gsp_node_bytes(&g, v));
    }
}

static size_t bound_text_read(const entry_input *in)
{
    gsp_counts counts;
    if (gsp_text_count(in->text.data, in->text.size, &counts, NULL) != GSP_OK) {
        return 0;
    }
    return gsp_build_bound(&counts);
}

static gsp_status run_text_read(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_text_read(arena, in->text.data, in->text.size, NULL, &out->module, err);
}

static size_t bound_table_read(const entry_input *in)
{
    return gsp_table_bound(in->table);
}

static gsp_status run_table_read(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_table_read(arena, in->table, &out->table, err);
}

static void dump_table_read(const entry_input *in, const entry_output *out, t_string *bytes)
{
    uint32_t i;
    (void)in;
    for (i = 0; i < out->table.n_entries; i++) {
        gsp_table_entry const e = out->table.entries[i];
        t_add(bytes, e.name.data, e.name.size);
        t_puts(bytes, e.remove ? " out " : " in ");
        t_add(bytes, e.dtypes.data, e.dtypes.size);
        t_number(bytes, e.n_args);
        t_puts(bytes, "\n");
    }
}

/* Two accelerators, each with the table and a pin in front of it. */
typedef struct support_setup {
    gsp_support_desc desc;
    gsp_table_entry entries[2];
    gsp_rule rules[2];
    gsp_accelerator accelerators[4];
    gsp_pin pins[2];
} support_setup;

static void set_support(const entry_input *in, support_setup *s)
{
    uint32_t i;
    memset(s, 0, sizeof(*s));
    s->entries[0].name = gsp_str_of("torch.*");
    s->entries[1].name = gsp_str_of("size1");
    s->entries[1].dtypes = gsp_str_of("f32");
    s->rules[0].kind = GSP_RULE_TABLE;
    s->rules[0].table.entries = s->entries;
    s->rules[0].table.n_entries = 2;
    s->rules[1].kind = GSP_RULE_NOT;
    s->pins[0].pattern = gsp_str_of("n1*");
    s->pins[0].kind = 1;
    s->pins[1].what = GSP_PIN_SCOPE;
    s->pins[1].pattern = gsp_str_of("*.3.*");
    for (i = 0; i < in->c.n_kinds - 1u; i++) {
        s->accelerators[i].rules = s->rules;
        s->accelerators[i].n_rules = 1u + i % 2u;
    }
    s->desc.n_accelerators = in->c.n_kinds - 1u;
    s->desc.accelerators = s->accelerators;
    s->desc.pins = s->pins;
    s->desc.n_pins = 2;
}

static size_t bound_support(const entry_input *in)
{
    support_setup s;
    set_support(in, &s);
    return gsp_support_bound(&in->graph, &s.desc);
}

static gsp_status run_support(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    support_setup s;
    set_support(in, &s);
    return gsp_support_run(arena, &in->graph, &s.desc, &out->placement, err);
}

static void dump_placement(const gsp_placement *p, t_string *bytes)
{
    t_add(bytes, (const char *)p->kind, p->n_nodes);
    t_add(bytes, (const char *)p->reason, p->n_nodes);
    t_add(bytes, (const char *)p->culprit, p->n_nodes * sizeof(gsp_node));
    t_add(bytes, (const char *)p->group, p->n_nodes * sizeof(uint32_t));
}

static void dump_support(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    dump_placement(&out->placement, bytes);
}

/* acc and fuse change a placement in place: this one, over the arrays of the output. */
static gsp_placement view(entry_output *out, const entry_input *in)
{
    gsp_placement p = in->placement;
    p.kind = out->kind;
    p.reason = out->reason;
    p.culprit = out->culprit;
    p.group = out->group;
    return p;
}

static size_t bound_acc_nodes(const entry_input *in)
{
    return gsp_acc_nodes_bound(&in->graph);
}

static gsp_status run_acc_nodes(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_placement p = view(out, in);
    return gsp_acc_nodes_run(arena, &in->graph, &p, err);
}

static void dump_arrays(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    t_add(bytes, (const char *)out->kind, sizeof(out->kind));
    t_add(bytes, (const char *)out->reason, sizeof(out->reason));
    t_add(bytes, (const char *)out->culprit, sizeof(out->culprit));
    t_add(bytes, (const char *)out->group, sizeof(out->group));
}

static size_t bound_fuse(const entry_input *in)
{
    return gsp_fuse_bound(&in->graph, NULL);
}

static gsp_status run_fuse(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_placement p = view(out, in);
    return gsp_fuse_run(arena, &in->graph, NULL, &p, &out->fuse, err);
}

static void dump_fuse(const entry_input *in, const entry_output *out, t_string *bytes)
{
    dump_arrays(in, out, bytes);
    t_number(bytes, out->fuse.n_groups);
    if (out->fuse.order != NULL) {
        t_add(bytes, (const char *)out->fuse.order, in->counts.nodes * sizeof(gsp_node));
    }
}

static gsp_split_desc split_desc(const entry_input *in, gsp_limit_policy policy)
{
    gsp_split_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.placement = &in->placement;
    desc.min_size = in->c.min_size;
    desc.skip_fusion = in->c.skip_fusion;
    desc.allow_non_tensor = in->c.allow_non_tensor;
    desc.limit = policy == GSP_LIMIT_DEMOTE ? 2u : 0u;
    desc.limit_policy = (uint32_t)policy;
    return desc;
}

static size_t bound_split(const entry_input *in)
{
    gsp_split_desc const desc = split_desc(in, GSP_LIMIT_ERROR);
    return gsp_split_bound(&in->graph, &desc);
}

static gsp_status run_split(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_split_desc const desc = split_desc(in, GSP_LIMIT_ERROR);
    return gsp_split_run(arena, &in->graph, &desc, &out->split, err);
}

static size_t bound_split_demote(const entry_input *in)
{
    gsp_split_desc const desc = split_desc(in, GSP_LIMIT_DEMOTE);
    return gsp_split_bound(&in->graph, &desc);
}

static gsp_status run_split_demote(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_split_desc const desc = split_desc(in, GSP_LIMIT_DEMOTE);
    return gsp_split_run(arena, &in->graph, &desc, &out->split, err);
}

static void dump_split(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_split_result const *const r = &out->split;
    (void)in;
    t_add(bytes, (const char *)r->kind, r->n_nodes);
    t_add(bytes, (const char *)r->reason, r->n_nodes);
    t_add(bytes, (const char *)r->culprit, r->n_nodes * sizeof(gsp_node));
    t_add(bytes, (const char *)r->group, r->n_nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->raw_of, r->n_nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->subgraph_of, r->n_nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->raw_kind, r->n_raw);
    t_add(bytes, (const char *)r->subgraph_kind, r->n_subgraphs);
    if (r->n_subgraphs != 0u) {
        t_add(bytes, (const char *)r->subgraph_begin, (r->n_subgraphs + 1u) * sizeof(uint32_t));
        t_add(bytes, (const char *)r->nodes, r->subgraph_begin[r->n_subgraphs] * sizeof(gsp_node));
    }
}

/* Every option that takes memory or asks the caller. */
static int accepts(void *user, const gsp_graph *graph, const gsp_subgraph *subgraph)
{
    (void)user;
    (void)graph;
    return subgraph->n_nodes % 3u != 0u;
}

static gsp_split_desc split_move_desc(const entry_input *in)
{
    gsp_split_desc desc = split_desc(in, GSP_LIMIT_DEMOTE);
    desc.move_non_tensor = 1;
    desc.accept = accepts;
    return desc;
}

static size_t bound_split_move(const entry_input *in)
{
    gsp_split_desc const desc = split_move_desc(in);
    return gsp_split_bound(&in->graph, &desc);
}

static gsp_status run_split_move(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_split_desc const desc = split_move_desc(in);
    return gsp_split_run(arena, &in->graph, &desc, &out->split, err);
}

/* ---- what moves nodes of a finished split ---- */

static void dump_moved(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_add(bytes, (const char *)out->subgraph_of, in->graph.n_nodes * sizeof(uint32_t));
    t_number(bytes, out->n_moved);
}

static gsp_move_non_tensor_desc move_non_tensor_desc(const entry_input *in)
{
    gsp_move_non_tensor_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.n_subgraphs = in->split.n_subgraphs;
    desc.kind = in->split.subgraph_kind;
    desc.group = in->split.group;
    return desc;
}

static size_t bound_move_non_tensor(const entry_input *in)
{
    gsp_move_non_tensor_desc const desc = move_non_tensor_desc(in);
    return gsp_move_non_tensor_bound(&in->graph, &desc);
}

static gsp_status run_move_non_tensor(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_move_non_tensor_desc const desc = move_non_tensor_desc(in);
    return gsp_move_non_tensor_run(arena, &in->graph, &desc, out->subgraph_of, &out->n_moved, err);
}

/* The last accelerator subgraph, or GSP_NONE. */
static uint32_t last_accelerator(const entry_input *in)
{
    uint32_t i = in->split.n_subgraphs;
    while (i > 0u && in->split.subgraph_kind[i - 1u] == GSP_KIND_CPU) {
        i--;
    }
    return i - 1u;
}

/* Without an accelerator subgraph there is nothing to test: another entry takes its place. */
static size_t bound_subgraph_grow(const entry_input *in)
{
    return last_accelerator(in) == GSP_NONE ? bound_acc_nodes(in)
                                            : gsp_subgraph_grow_bound(&in->graph, NULL);
}

static gsp_status run_subgraph_grow(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_subgraph_grow_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.subgraph = last_accelerator(in);
    desc.kind = in->split.kind;
    desc.group = in->split.group;
    if (desc.subgraph == GSP_NONE) {
        return run_acc_nodes(in, arena, out, err);
    }
    return gsp_subgraph_grow_run(arena, &in->graph, &desc, out->subgraph_of, &out->n_moved, err);
}

/* ---- what looks at a split ---- */

static int fails(void *user, const gsp_graph *graph, const gsp_bitset *set)
{
    (void)user;
    return gsp_bitset_next(set, graph->n_nodes / 2u) != GSP_NONE;
}

static size_t bound_minimize(const entry_input *in)
{
    return gsp_minimize_bound(&in->graph, NULL);
}

static gsp_status run_minimize(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_minimize_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.traversal = (uint32_t)(in->c.shape % GSP_TRAVERSAL_COUNT);
    desc.group = in->split.group;
    desc.fails = fails;
    return gsp_minimize_run(arena, &in->graph, &desc, &out->minimized, err);
}

static void dump_minimize(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    t_number(bytes, out->minimized.n_tests);
    t_add(bytes, (const char *)out->minimized.nodes, out->minimized.n_nodes * sizeof(gsp_node));
}

static size_t bound_signatures(const entry_input *in)
{
    return gsp_signatures_bound(&in->graph);
}

static gsp_status run_signatures(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_signatures_run(arena, &in->graph, &in->placement, &out->signatures, err);
}

static void dump_signatures(const entry_input *in, const entry_output *out, t_string *bytes)
{
    uint32_t i;
    for (i = 0; i < out->signatures.n_signatures; i++) {
        gsp_signature const *const s = &out->signatures.signatures[i];
        t_add(bytes, s->name.data, s->name.size);
        t_number(bytes, s->kind);
        t_number(bytes, s->n_nodes);
        T_EQUAL(gsp_signature_write(&in->graph, s->first, t_sink, bytes, NULL), GSP_OK);
    }
}

static size_t bound_preview(const entry_input *in)
{
    return gsp_preview_bound(&in->graph, &in->split, NULL);
}

static gsp_status run_preview(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_preview_run(arena, &in->graph, &in->split, NULL, &out->preview, err);
}

static void dump_preview(const entry_input *in, const entry_output *out, t_string *bytes)
{
    uint32_t i;
    (void)in;
    t_number(bytes, out->preview.bottleneck);
    for (i = 0; i < out->preview.n_subgraphs; i++) {
        gsp_preview_subgraph const *const s = &out->preview.subgraphs[i];
        t_number(bytes, (uint32_t)s->bytes_in);
        t_number(bytes, (uint32_t)s->bytes_out);
        t_number(bytes, s->odd_inputs);
        t_add(bytes, (const char *)s->inputs, s->n_inputs * sizeof(gsp_node));
        t_add(bytes, (const char *)s->outputs, s->n_outputs * sizeof(gsp_node));
    }
}

static size_t bound_draw_module(const entry_input *in)
{
    return gsp_draw_bound(&in->module);
}

static int nowhere(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return 0;
}

static gsp_status run_draw_module(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    (void)out;
    return gsp_draw_module(arena, &in->module, NULL, nowhere, NULL, err);
}

static void dump_nothing(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    (void)out;
    (void)bytes;
}

static gsp_split_by_tags_desc split_by_tags_desc(const entry_input *in)
{
    gsp_split_by_tags_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.n_tags = in->split.n_subgraphs;
    desc.tag_of = in->split.subgraph_of;
    desc.names = in->names;
    desc.return_tuple = in->c.waive;
    return desc;
}

static size_t bound_split_by_tags(const entry_input *in)
{
    gsp_split_by_tags_desc const desc = split_by_tags_desc(in);
    return gsp_split_by_tags_bound(&in->graph, &desc);
}

static gsp_status run_split_by_tags(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_split_by_tags_desc const desc = split_by_tags_desc(in);
    return gsp_split_by_tags_run(arena, &in->graph, &desc, &out->split_by_tags, err);
}

/* Support, split and tags in one call. */
static gsp_split_subgraphs_desc split_subgraphs_desc(const entry_input *in)
{
    gsp_split_subgraphs_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.return_tuple = in->c.waive;
    desc.support.n_accelerators = 0;
    desc.split = split_desc(in, GSP_LIMIT_DEMOTE);
    if (in->c.n_kinds == 2u && in->c.waive) {
        desc.split.placement = NULL;
    }
    return desc;
}

static size_t bound_split_subgraphs(const entry_input *in)
{
    gsp_split_subgraphs_desc const desc = split_subgraphs_desc(in);
    return gsp_split_subgraphs_bound(&in->graph, &desc);
}

static gsp_status run_split_subgraphs(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_split_subgraphs_desc const desc = split_subgraphs_desc(in);
    gsp_split_subgraphs_result result;
    gsp_status const status = gsp_split_subgraphs_run(arena, &in->graph, &desc, &result, err);
    if (status == GSP_OK) {
        out->split = result.split;
        out->split_by_tags = result.subgraphs;
    }
    return status;
}

static void dump_split_by_tags(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_split_by_tags_result const *const r = &out->split_by_tags;
    t_add(bytes, (const char *)r->module.block, r->module.block_size);
    t_add(bytes, (const char *)r->graph_of, in->counts.nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->node_of, in->counts.nodes * sizeof(gsp_node));
}

static gsp_split_module_desc split_module_desc(const entry_input *in)
{
    gsp_split_module_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.n_parts = in->split.n_subgraphs;
    desc.part_of = in->split.subgraph_of;
    desc.names = in->c.limit == 0u ? NULL : in->names;
    desc.number_inputs = in->c.waive;
    return desc;
}

static size_t bound_split_module(const entry_input *in)
{
    gsp_split_module_desc const desc = split_module_desc(in);
    return gsp_split_module_bound(&in->graph, &desc);
}

static gsp_status run_split_module(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_split_module_desc const desc = split_module_desc(in);
    return gsp_split_module_run(arena, &in->graph, &desc, &out->split_module, err);
}

static void dump_split_module(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_split_module_result const *const r = &out->split_module;
    t_add(bytes, (const char *)r->module.block, r->module.block_size);
    t_add(bytes, (const char *)r->graph_of, in->counts.nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->node_of, in->counts.nodes * sizeof(gsp_node));
    t_add(bytes, (const char *)r->root_of, in->counts.nodes * sizeof(gsp_node));
    t_add(bytes, (const char *)r->part, r->n_parts * sizeof(uint32_t));
    t_add(bytes, (const char *)r->call, r->n_parts * sizeof(gsp_node));
    t_add(bytes, (const char *)r->qualnames, r->n_qualnames * sizeof(gsp_qualname));
}

/* A graph may be too small for the default room for elements. */
static gsp_exec_plan_desc exec_plan_desc(const entry_input *in)
{
    gsp_exec_plan_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.aggregates = in->module.counts.args + in->module.counts.nodes + 8u;
    desc.order = in->split.nodes;
    desc.n_order = in->split.subgraph_begin[in->split.n_subgraphs];
    return desc;
}

static size_t bound_exec_plan(const entry_input *in)
{
    gsp_exec_plan_desc const desc = exec_plan_desc(in);
    return gsp_exec_plan_bound(&in->graph, &desc);
}

static gsp_status run_exec_plan(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_exec_plan_desc const desc = exec_plan_desc(in);
    return gsp_exec_plan_run(arena, &in->graph, &desc, &out->exec_plan, err);
}

static void dump_exec_plan(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_exec_plan const *const f = &out->exec_plan;
    t_add(bytes, (const char *)f->frames, (in->module.counts.graphs + 1u) * sizeof(gsp_exec_frame));
    t_add(bytes, (const char *)f->nodes, in->counts.nodes * sizeof(gsp_exec_node));
    t_add(bytes, (const char *)f->output, f->n_output * sizeof(gsp_arg));
}

static gsp_status add_values(void *user, const gsp_call *call)
{
    uint32_t i;
    (void)user;
    call->results[0] = call->node;
    for (i = 0; i < call->n_args; i++) {
        call->results[0] = 31u * call->results[0] + call->values[i];
    }
    for (i = 1; i < call->n_results; i++) {
        call->results[i] = call->results[0] + i;
    }
    return GSP_OK;
}

static size_t bound_exec(const entry_input *in)
{
    return gsp_exec_bound(&in->exec_plan);
}

static gsp_status run_exec(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_exec_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.kernel = add_values;
    return gsp_exec_run(arena, &in->exec_plan, &desc, in->values, out->values, err);
}

static void dump_exec(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_add(bytes, (const char *)out->values, in->exec_plan.n_outputs * sizeof(gsp_value));
}

/* ---- pipelines ---- */

static int every_fourth(void *user, const gsp_graph *graph, gsp_node node)
{
    (void)user;
    (void)graph;
    return node % 4u == 0u;
}

static gsp_stages_from_marks_desc stages_from_marks_desc(void)
{
    gsp_stages_from_marks_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.policy = every_fourth;
    return desc;
}

static gsp_pipeline_desc pipeline_desc(const entry_input *in)
{
    gsp_pipeline_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.params.stage_of = in->stages_from_marks.stage_of;
    desc.params.multi_use = (uint32_t)GSP_MULTI_USE_TRANSMIT;
    return desc;
}

static const gsp_stage_device devices[2] = {{0u, {"cuda:1", 6u}}, {0u, {"cuda:0", 6u}}};

static gsp_stage_devices_desc rehome_desc(const entry_input *in)
{
    gsp_stage_devices_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.n_stages = in->pipeline.n_stages;
    desc.devices = devices;
    desc.n_devices = in->pipeline.n_stages > 0u ? 2u : 0u;
    return desc;
}

static size_t bound_stages_from_marks(const entry_input *in)
{
    gsp_stages_from_marks_desc const desc = stages_from_marks_desc();
    return gsp_stages_from_marks_bound(&in->graph, &desc);
}

static gsp_status run_stages_from_marks(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_stages_from_marks_desc const desc = stages_from_marks_desc();
    return gsp_stages_from_marks_run(arena, &in->graph, &desc, &out->stages_from_marks, err);
}

static void dump_stages_from_marks(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_add(
        bytes, (const char *)out->stages_from_marks.stage_of, in->counts.nodes * sizeof(uint32_t));
}

static size_t bound_stage_params(const entry_input *in)
{
    gsp_pipeline_desc const desc = pipeline_desc(in);
    return gsp_stage_params_bound(&in->graph, &desc.params);
}

static gsp_status run_stage_params(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_pipeline_desc const desc = pipeline_desc(in);
    return gsp_stage_params_run(arena, &in->graph, &desc.params, &out->stage_params, err);
}

static void add_stage_params(
    const entry_input *in, const gsp_stage_params_result *r, t_string *bytes)
{
    t_add(bytes, (const char *)r->stage_of, in->counts.nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->kept, in->counts.nodes * sizeof(gsp_node));
    t_add(bytes, (const char *)r->home, in->counts.nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)r->own, r->own_begin[r->n_stages] * sizeof(gsp_node));
    t_add(bytes, (const char *)r->params, r->n_params * sizeof(gsp_stage_param));
    t_add(bytes, (const char *)r->replicated, r->n_replicated * sizeof(gsp_stage_param_copy));
    t_add(bytes, (const char *)r->shared, r->n_shared * sizeof(gsp_stage_param_copy));
    t_add(bytes, (const char *)r->held, r->n_held * sizeof(uint32_t));
}

static void dump_stage_params(const entry_input *in, const entry_output *out, t_string *bytes)
{
    add_stage_params(in, &out->stage_params, bytes);
}

static size_t bound_pipeline(const entry_input *in)
{
    gsp_pipeline_desc const desc = pipeline_desc(in);
    return gsp_pipeline_bound(&in->graph, &desc);
}

static gsp_status run_pipeline(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_pipeline_desc const desc = pipeline_desc(in);
    return gsp_pipeline_run(arena, &in->graph, &desc, &out->pipeline, err);
}

static void dump_pipeline(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_pipeline_result const *const r = &out->pipeline;
    add_stage_params(in, &r->params, bytes);
    t_add(bytes, (const char *)r->module.block, r->module.block_size);
    t_add(bytes, (const char *)r->node_of, in->counts.nodes * sizeof(gsp_node));
    t_add(bytes, (const char *)r->call, r->n_stages * sizeof(gsp_node));
}

static gsp_counts root_counts(const entry_input *in)
{
    gsp_graph const root = gsp_module_graph(&in->trained.module, 0u);
    return gsp_graph_counts(&root);
}

static size_t bound_backward(const entry_input *in)
{
    return gsp_backward_bound(&in->trained.module, NULL);
}

static gsp_status run_backward(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_backward_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.loss = (uint32_t)GSP_LOSS_SPEC;
    desc.spec = gsp_str_of(in->loss.data);
    return gsp_backward_run(arena, &in->trained, &desc, &out->backward, err);
}

static void dump_backward(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_backward_result const *const r = &out->backward;
    t_add(bytes, (const char *)r->module.block, r->module.block_size);
    t_add(bytes, (const char *)r->call, r->n_stages * sizeof(gsp_node));
    t_add(bytes, (const char *)r->grad_of, root_counts(in).nodes * sizeof(gsp_node));
}

static size_t bound_stage_devices(const entry_input *in)
{
    gsp_stage_devices_desc const desc = rehome_desc(in);
    return gsp_stage_devices_bound(&in->pipeline.module, &desc);
}

static gsp_status run_stage_devices(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_stage_devices_desc const desc = rehome_desc(in);
    return gsp_stage_devices_run(arena, &in->pipeline.module, &desc, &out->moved, err);
}

static size_t bound_stage_extract(const entry_input *in)
{
    return gsp_stage_extract_bound(&in->pipeline.module);
}

static gsp_status run_stage_extract(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_stage_extract_run(
        arena, &in->pipeline.module, in->pipeline.n_stages, &out->moved, err);
}

static void dump_staged(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    t_add(bytes, (const char *)out->moved.block, out->moved.block_size);
}

static size_t bound_dependences(const entry_input *in)
{
    return gsp_dependences_bound(&in->graph, NULL);
}

static gsp_status run_dependences(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_dependences_run(arena, &in->graph, NULL, &out->dependences, err);
}

static void dump_dependences(const entry_input *in, const entry_output *out, t_string *bytes)
{
    uint32_t const n = in->graph.n_nodes;
    t_add(bytes, (const char *)out->dependences.alias_begin, n * sizeof(uint32_t));
    t_add(bytes, (const char *)out->dependences.alias_end, n * sizeof(uint32_t));
    t_add(bytes, (const char *)out->dependences.segment, n * sizeof(uint32_t));
    t_add(bytes, (const char *)out->dependences.dependents,
        out->dependences.n_dependences * sizeof(gsp_node));
}

static size_t bound_order(const entry_input *in)
{
    return gsp_order_bound(&in->graph, &in->dependences);
}

static gsp_status run_order(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_order_run(arena, &in->graph, &in->dependences, &out->order, err);
}

static void dump_order(const entry_input *in, const entry_output *out, t_string *bytes)
{
    uint32_t const n = in->graph.n_nodes;
    const gsp_edges *const rows[] = {&out->order.before, &out->order.after};
    for (uint32_t i = 0; i < T_COUNT_OF(rows); i++) {
        t_add(bytes, (const char *)rows[i]->begin, (n + 1u) * sizeof(uint32_t));
        t_add(bytes, (const char *)rows[i]->at, rows[i]->begin[n] * sizeof(gsp_node));
    }
}

static size_t bound_node_classes(const entry_input *in)
{
    return gsp_node_classes_bound(&in->graph, NULL);
}

static gsp_status run_node_classes(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_node_classes_run(arena, &in->graph, NULL, &out->node_classes, err);
}

static void dump_node_classes(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_node_classes const *const s = &out->node_classes;
    t_add(bytes, (const char *)s->class_of, in->graph.n_nodes * sizeof(uint32_t));
    t_add(bytes, (const char *)s->nodes, s->class_begin[s->n_classes] * sizeof(gsp_node));
}

static size_t bound_regions(const entry_input *in)
{
    return gsp_regions_bound(&in->graph, NULL);
}

static gsp_status run_regions(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_regions_run(arena, &in->graph, NULL, &out->regions, err);
}

static void dump_groups(gsp_regions const *r, t_string *bytes)
{
    t_add(bytes, (const char *)r->group_begin, (r->n_groups + 1u) * sizeof(uint32_t));
    t_add(bytes, (const char *)r->group_regions, r->n_groups * sizeof(uint32_t));
    t_add(bytes, (const char *)r->members, r->group_begin[r->n_groups] * sizeof(gsp_node));
}

static void dump_regions(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    dump_groups(&out->regions, bytes);
}

static size_t bound_dedup(const entry_input *in)
{
    return gsp_dedup_bound(&in->graph, NULL);
}

static gsp_status run_dedup(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_dedup_run(arena, &in->graph, NULL, &out->dedup, err);
}

static void dump_dedup(const entry_input *in, const entry_output *out, t_string *bytes)
{
    gsp_dedup_result const *const r = &out->dedup;
    uint32_t const n = in->graph.n_nodes;
    t_add(bytes, (const char *)r->module.block, r->module.block_size);
    t_add(bytes, (const char *)r->call, r->selection.n_calls * sizeof(gsp_node));
    t_add(bytes, (const char *)r->map_begin, (n + 1u) * sizeof(uint32_t));
    t_add(bytes, (const char *)r->map, r->map_begin[n] * sizeof(gsp_node));
}

static size_t bound_repeats(const entry_input *in)
{
    return gsp_repeats_bound(&in->graph, &in->deduped.regions, NULL);
}

static gsp_status run_repeats(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    gsp_repeats_desc d = {0};
    d.calls = &in->deduped.selection;
    return gsp_repeats_run(arena, &in->graph, &in->deduped.regions, &d, &out->repeats, err);
}

static void dump_repeats(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    dump_groups(&out->repeats.regions, bytes);
    t_number(bytes, (uint32_t)out->repeats.saved);
    t_number(bytes, (uint32_t)out->repeats.most);
    t_number(bytes, (uint32_t)out->repeats.work);
}

static size_t bound_fingerprints(const entry_input *in)
{
    return gsp_fingerprints_bound(&in->pipeline.module);
}

static gsp_status run_fingerprints(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_fingerprints_run(arena, &in->pipeline.module, &out->prints, err);
}

static void dump_fingerprints(const entry_input *in, const entry_output *out, t_string *bytes)
{
    t_add(bytes, (const char *)out->prints.prints,
        in->pipeline.module.counts.graphs * sizeof(gsp_fingerprint));
}

static size_t bound_calls(const entry_input *in)
{
    return gsp_calls_bound(&in->pipeline.module);
}

static gsp_status run_calls(
    const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err)
{
    return gsp_calls_run(arena, &in->pipeline.module, &out->calls, err);
}

static void dump_calls(const entry_input *in, const entry_output *out, t_string *bytes)
{
    (void)in;
    t_add(bytes, (const char *)out->calls.order, out->calls.n_graphs * sizeof(uint32_t));
}

/* Origins, of modules that were made before; `rows` is the module of the graph that was cut. */
#define ENTRY_ORIGINS(name, result) \
    static size_t bound_origins_##name(const entry_input *in) \
    { \
        return gsp_origins_bound(in->rows, &in->result.module); \
    } \
    static gsp_status run_origins_##name( \
        const entry_input *in, gsp_arena *arena, entry_output *out, gsp_error *err) \
    { \
        gsp_graph const g = gsp_module_graph(in->rows, 0u); \
        return gsp_##name##_origins(arena, &g, &in->result, &out->origins, err); \
    } \
    static void dump_origins_##name( \
        const entry_input *in, const entry_output *out, t_string *bytes) \
    { \
        uint32_t const n = in->rows->counts.nodes; \
        t_add(bytes, (const char *)out->origins.origin, \
            in->result.module.counts.nodes * sizeof(gsp_origin)); \
        t_add(bytes, (const char *)out->origins.begin, (n + 1u) * sizeof(uint32_t)); \
        t_add(bytes, (const char *)out->origins.copies, out->origins.begin[n] * sizeof(uint32_t)); \
    }
ENTRY_ORIGINS(split_by_tags, tagged)
ENTRY_ORIGINS(pipeline, pipeline)
ENTRY_ORIGINS(dedup, deduped)
#undef ENTRY_ORIGINS

const entry entry_points[] = {
    {"build", bound_build, run_build, dump_module}, {"csr", bound_csr, run_csr, dump_csr},
    {"text_read", bound_text_read, run_text_read, dump_module},
    {"table_read", bound_table_read, run_table_read, dump_table_read},
    {"support", bound_support, run_support, dump_support},
    {"acc_nodes", bound_acc_nodes, run_acc_nodes, dump_arrays},
    {"fuse", bound_fuse, run_fuse, dump_fuse}, {"split", bound_split, run_split, dump_split},
    {"split_demote", bound_split_demote, run_split_demote, dump_split},
    {"split_move", bound_split_move, run_split_move, dump_split},
    {"move_non_tensor", bound_move_non_tensor, run_move_non_tensor, dump_moved},
    {"subgraph_grow", bound_subgraph_grow, run_subgraph_grow, dump_moved},
    {"minimize", bound_minimize, run_minimize, dump_minimize},
    {"signatures", bound_signatures, run_signatures, dump_signatures},
    {"preview", bound_preview, run_preview, dump_preview},
    {"draw_module", bound_draw_module, run_draw_module, dump_nothing},
    {"split_subgraphs", bound_split_subgraphs, run_split_subgraphs, dump_split},
    {"split_by_tags", bound_split_by_tags, run_split_by_tags, dump_split_by_tags},
    {"split_module", bound_split_module, run_split_module, dump_split_module},
    {"exec_plan", bound_exec_plan, run_exec_plan, dump_exec_plan},
    {"stages_from_marks", bound_stages_from_marks, run_stages_from_marks, dump_stages_from_marks},
    {"stage_params", bound_stage_params, run_stage_params, dump_stage_params},
    {"pipeline", bound_pipeline, run_pipeline, dump_pipeline},
    {"backward", bound_backward, run_backward, dump_backward},
    {"stage_devices", bound_stage_devices, run_stage_devices, dump_staged},
    {"stage_extract", bound_stage_extract, run_stage_extract, dump_staged},
    {"dependences", bound_dependences, run_dependences, dump_dependences},
    {"order", bound_order, run_order, dump_order},
    {"node_classes", bound_node_classes, run_node_classes, dump_node_classes},
    {"regions", bound_regions, run_regions, dump_regions},
    {"dedup", bound_dedup, run_dedup, dump_dedup},
    {"repeats", bound_repeats, run_repeats, dump_repeats},
    {"fingerprints", bound_fingerprints, run_fingerprints, dump_fingerprints},
    {"origins_tags", bound_origins_split_by_tags, run_origins_split_by_tags,
        dump_origins_split_by_tags},
    {"origins_pipeline", bound_origins_pipeline, run_origins_pipeline, dump_origins_pipeline},
    {"origins_dedup", bound_origins_dedup, run_origins_dedup, dump_origins_dedup},
    {"calls", bound_calls, run_calls, dump_calls}, {"exec", bound_exec, run_exec, dump_exec},
#define ENTRY_ROW(name) {#name, entry_##name##_bound, entry_##name##_run, entry_##name##_dump},
    ENTRY_STAGES(ENTRY_ROW) ENTRY_PARTITION(ENTRY_ROW) ENTRY_MEMORY(ENTRY_ROW)
#undef ENTRY_ROW
};
const uint32_t entry_count = (uint32_t)T_COUNT_OF(entry_points);

static void place(entry_input *in)
{
    gsp_accelerator none[8];
    gsp_support_desc desc;
    memset(none, 0, sizeof(none));
    memset(&desc, 0, sizeof(desc));
    desc.n_accelerators = in->c.n_kinds - 1u;
    desc.accelerators = none;
    T_EQUAL(gsp_support_run(&in->arena, &in->graph, &desc, &in->placement, NULL), GSP_OK);
}

/* A loss spec of the shape of what the root returns, True at its first node. */
static int spell_loss(entry_input *in)
{
    gsp_graph const root = gsp_module_graph(&in->trained.module, 0u);
    int named = 0;
    uint32_t n;
    const gsp_arg *args = gsp_node_args(&root, root.n_nodes - 1u, &n);
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t const kind = args[i].kind;
        int const inside = i > 0u && kind != (uint32_t)GSP_ARG_CLOSE &&
                           (args[i - 1u].kind < (uint32_t)GSP_ARG_TUPLE ||
                               args[i - 1u].kind == (uint32_t)GSP_ARG_CLOSE) &&
                           args[i - 1u].kind != (uint32_t)GSP_ARG_KEY;
        t_puts(&in->loss, inside ? ", " : "");
        if (kind == (uint32_t)GSP_ARG_KEY) {
            gsp_str const key = gsp_module_str(root.module, args[i].value);
            t_add(&in->loss, key.data, key.size);
            t_puts(&in->loss, ": ");
        } else if (kind == (uint32_t)GSP_ARG_CLOSE) {
            uint32_t const open = args[i - args[i].value].kind;
            t_puts(&in->loss, open == (uint32_t)GSP_ARG_TUPLE  ? ")"
                              : open == (uint32_t)GSP_ARG_LIST ? "]"
                                                               : "}");
        } else if (kind == (uint32_t)GSP_ARG_SLICE) {
            t_puts(&in->loss, "False");
            i += args[i].value;
        } else if (kind >= (uint32_t)GSP_ARG_TUPLE) {
            t_puts(&in->loss, kind == (uint32_t)GSP_ARG_TUPLE  ? "("
                              : kind == (uint32_t)GSP_ARG_LIST ? "["
                                                               : "{");
        } else {
            t_puts(&in->loss, kind == (uint32_t)GSP_ARG_NODE && !named ? "True" : "False");
            named |= kind == (uint32_t)GSP_ARG_NODE;
        }
    }
    return named;
}

/* A pipeline with a loss, for graphs that return nothing of the kind. */
static void train_another(entry_input *in)
{
    static const char text[] = "graph():\n"
                               "    %x : [num_users=1] = placeholder[target=x]\n"
                               "    %a : [num_users=1] = call_function[target=f](args = (%x,), "
                               "kwargs = {})\n"
                               "    return a\n";
    static const uint32_t stage_of[3] = {0u, 0u, 0u};
    gsp_module *module = (gsp_module *)gsp_arena_push(&in->arena, 1u, sizeof(gsp_module));
    gsp_pipeline_desc desc;
    gsp_graph graph;
    T_EQUAL(gsp_text_read(&in->arena, text, sizeof(text) - 1u, NULL, module, NULL), GSP_OK);
    graph = gsp_module_graph(module, 0u);
    memset(&desc, 0, sizeof(desc));
    desc.params.stage_of = stage_of;
    T_EQUAL(gsp_pipeline_run(&in->arena, &graph, &desc, &in->trained, NULL), GSP_OK);
    in->loss.size = 0u;
    T_CHECK(spell_loss(in));
}

static void cut_stages(entry_input *in)
{
    gsp_stages_from_marks_desc const marks = stages_from_marks_desc();
    gsp_pipeline_desc pipe;
    T_EQUAL(gsp_stages_from_marks_run(&in->arena, &in->graph, &marks, &in->stages_from_marks, NULL),
        GSP_OK);
    pipe = pipeline_desc(in);
    T_EQUAL(gsp_pipeline_run(&in->arena, &in->graph, &pipe, &in->pipeline, NULL), GSP_OK);
    T_EQUAL(gsp_dependences_run(&in->arena, &in->graph, NULL, &in->dependences, NULL), GSP_OK);
    in->trained = in->pipeline;
    if (!spell_loss(in)) {
        train_another(in);
    }
}

void entry_open(entry_input *in, t_rng *rng, uint32_t max_nodes)
{
    gsp_split_desc desc;
    gsp_exec_plan_desc plan;
    gsp_split_by_tags_desc tags;
    uint32_t i;
    memset(in, 0, sizeof(*in));
    t_arena_open(&in->arena, 1u << 20);
    oracle_random(rng, max_nodes, &in->c);
    T_EQUAL(oracle_build(&in->arena, &in->c, &in->module, &in->ids, NULL), GSP_OK);
    in->graph = gsp_module_graph(&in->module, 0u);
    in->counts = gsp_graph_counts(&in->graph);
    in->text = t_print(&in->module, NULL);
    in->table = gsp_str_of(table_text);
    place(in);
    desc = split_desc(in, GSP_LIMIT_ERROR);
    T_EQUAL(gsp_split_run(&in->arena, &in->graph, &desc, &in->split, NULL), GSP_OK);
    for (i = 0; i < in->split.n_subgraphs; i++) {
        in->names[i].size =
            (uint32_t)gsp_split_tag(&in->split, i, in->tags[i], sizeof(in->tags[i]));
        in->names[i].data = in->tags[i];
    }
    in->rows = &in->module;
    for (i = 0; i < in->graph.n_nodes; i++) {
        in->target[i] = i % (uint32_t)T_COUNT_OF(in->names);
    }
    cut_stages(in);
    tags = split_by_tags_desc(in);
    T_EQUAL(gsp_split_by_tags_run(&in->arena, &in->graph, &tags, &in->tagged, NULL), GSP_OK);
    T_EQUAL(gsp_dedup_run(&in->arena, &in->graph, NULL, &in->deduped, NULL), GSP_OK);
    plan = exec_plan_desc(in);
    T_EQUAL(gsp_exec_plan_run(&in->arena, &in->graph, &plan, &in->exec_plan, NULL), GSP_OK);
    T_CHECK(in->exec_plan.n_outputs <= T_COUNT_OF(((entry_output *)0)->values));
    T_EQUAL(gsp_tasks_run(&in->arena, &in->graph, NULL, &in->tasks, NULL), GSP_OK);
    for (i = 0; i < in->exec_plan.n_inputs; i++) {
        in->values[i] = i + 1u;
    }
}

void entry_close(entry_input *in)
{
    t_free(&in->text);
    t_free(&in->loss);
    t_arena_close(&in->arena);
}

void entry_prepare(const entry_input *in, entry_output *out)
{
    uint32_t const n = in->graph.n_nodes;
    memset(out, 0xA5, sizeof(*out));
    memcpy(out->subgraph_of, in->split.subgraph_of, n * sizeof(uint32_t));
    memcpy(out->kind, in->placement.kind, n);
    memcpy(out->reason, in->placement.reason, n);
    memcpy(out->culprit, in->placement.culprit, n * sizeof(gsp_node));
    memcpy(out->group, in->placement.group, n * sizeof(uint32_t));
}
