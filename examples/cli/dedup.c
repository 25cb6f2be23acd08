/* graphsplit dedup: options, the pass, and which outputs are asked for. */
#include "dedup.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(dedup_options, name)

static const cli_option options[] = {
    {"--max-work", "N", CLI_NUMBER, FIELD(max_work), 0, UINT64_MAX,
     "fail with LIMIT when searches look at more than N edges; 0: no limit"},
};

/* ---- a subgraph and its regions ---- */

gsp_text dedup_name(const dedup *p, uint32_t subgraph)
{
    const gsp_module *m = &p->result.module;
    return gsp_module_string(m, m->graphs[subgraph + 1u].name);
}

uint32_t dedup_rows(const dedup *p, uint32_t subgraph)
{
    const gsp_regions *r = &p->result.regions;
    uint32_t group = p->result.accepted.group_of[subgraph];
    return (r->group_begin[group + 1u] - r->group_begin[group]) / r->group_regions[group];
}

uint32_t dedup_calls(const dedup *p, uint32_t subgraph)
{
    const gsp_accepted *a = &p->result.accepted;
    return a->call_begin[subgraph + 1u] - a->call_begin[subgraph];
}

gsp_node *dedup_region(const dedup *p, uint32_t subgraph, uint32_t call)
{
    const gsp_regions *r = &p->result.regions;
    uint32_t group = p->result.accepted.group_of[subgraph];
    uint32_t rows = dedup_rows(p, subgraph);
    gsp_node *nodes = (gsp_node *)cli_alloc(p->session, rows, sizeof *nodes);
    uint32_t i;
    for (i = 0; i < rows; i++) {
        nodes[i] = r->members[(size_t)r->group_begin[group] + (size_t)i * r->group_regions[group] +
                              p->result.accepted.region_of[call]];
    }
    return nodes;
}

/* ---- the pass ---- */

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    dedup *p = (dedup *)user;
    return gsp_dedup_run(arena, &p->graph, &p->desc, &p->result, err);
}

static int run_dedup(dedup *p)
{
    gsp_arena arena;
    gsp_error err;
    int code;
    cli_progress(p->session, "looking for repeated regions");
    p->desc.max_work = p->opt.max_work;
    p->bound = gsp_dedup_bound(&p->session->module.counts, &p->desc);
    code = cli_pass_arena(p->session, &arena, p->bound);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(p->session, &arena, work, p, &p->timing, &err) != GSP_OK) {
        return cli_pass_error(p->session, &p->graph, &err);
    }
    return CLI_EXIT_OK;
}

static int run(cli_session *s, int argc, char **argv)
{
    dedup p;
    int code;
    memset(&p, 0, sizeof p);
    p.session = s;
    if ((code = cli_options_read(s, &p.opt, argc, argv)) != CLI_EXIT_OK ||
        (code = cli_one_file(s)) != CLI_EXIT_OK || (code = s->front->load(s)) != CLI_EXIT_OK) {
        return code;
    }
    s->out.colour = cli_wants_colour(s);
    p.graph = gsp_module_graph(&s->module, 0);
    p.counts = gsp_graph_counts(&p.graph);
    if ((code = run_dedup(&p)) != CLI_EXIT_OK) {
        return code;
    }
    dedup_porcelain(&p, &s->out);
    cli_time_line(s, p.graph.n_nodes, p.counts.edges, p.bound, &p.timing);
    return CLI_EXIT_OK;
}

const cli_pass cli_dedup_pass = {
    "dedup", "[options] FILE", "Finds what a graph repeats and makes one subgraph of it",
    "",      options,          CLI_COUNT(options),
    run,
};
