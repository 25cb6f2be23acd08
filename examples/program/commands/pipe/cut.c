/* graphsplit pipe: stages from and to a plan file. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct part {
    int64_t number;
    uint32_t index; /* in the plan */
    uint32_t used;  /* 1 if it has a node */
} part;

static int by_number(const void *a, const void *b)
{
    const part *x = (const part *)a;
    const part *y = (const part *)b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Numbers the stages of parts without gaps. */
static uint32_t *rank_parts(pipe_job *p, part *parts)
{
    uint32_t n = p->loaded.plan.n_parts;
    uint32_t *stage = (uint32_t *)cli_alloc(p->session, (size_t)n + 1u, sizeof *stage);
    uint32_t last = GSP_NONE;
    uint32_t i;
    qsort(parts, n, sizeof *parts, by_number);
    for (i = 0; i < n; i++) {
        if (parts[i].used) {
            p->n_stages += last == GSP_NONE || parts[i].number != parts[last].number;
            last = i;
            stage[parts[i].index] = p->n_stages - 1u;
        }
    }
    return stage;
}

/* Markers belong to no stage, even if the plan says otherwise. */
static int is_placed(const pipe_job *p, gsp_node v)
{
    return gsp_node_is_callable(&p->graph, v) && !gsp_stages_is_marker(&p->graph, v, p->opt.marker);
}

static int place_nodes(pipe_job *p)
{
    cli_session *s = p->session;
    const cli_plan *from = &p->loaded;
    uint32_t *stage_of = (uint32_t *)cli_alloc(s, p->graph.n_nodes, sizeof *stage_of);
    part *parts = (part *)cli_alloc(s, (size_t)from->plan.n_parts + 1u, sizeof *parts);
    int64_t *numbers = (int64_t *)cli_alloc(s, (size_t)from->plan.n_parts + 1u, sizeof *numbers);
    const uint32_t *stage;
    uint32_t i;
    (void)cli_plan_numbers(&from->plan, numbers);
    for (i = 0; i < from->plan.n_parts; i++) {
        parts[i].number = numbers[i];
        parts[i].index = i;
    }
    for (i = 0; i < p->graph.n_nodes; i++) {
        if (is_placed(p, i) && from->on.part_of[i] == GSP_NONE) {
            const char *name = cli_copy(s, gsp_node_name(&p->graph, i));
            return cli_error(s, GSP_STATUS_ARG,
                "%%%s belongs to no stage; a line %s in the plan puts it into one", name, name);
        }
        if (is_placed(p, i)) {
            parts[from->on.part_of[i]].used = 1;
        }
    }
    stage = rank_parts(p, parts);
    for (i = 0; i < p->graph.n_nodes; i++) {
        stage_of[i] = is_placed(p, i) ? stage[from->on.part_of[i]] : GSP_NONE;
    }
    p->stage_of = stage_of;
    return CLI_EXIT_OK;
}

int pipe_cut_read(pipe_job *p)
{
    cli_session *s = p->session;
    int code;
    if (p->automatic || p->marks.n_points != 0) {
        return cli_usage_error(s, "--plan cannot be combined with %s: each says where to cut",
            p->automatic ? "--stages" : "--split-spec");
    }
    code = cli_plan_load(s, p->opt.cut, &p->graph, &p->loaded);
    return code == CLI_EXIT_OK ? place_nodes(p) : code;
}

int pipe_cut_save(const pipe_job *p)
{
    cli_session *s = p->session;
    gsp_str *names = (gsp_str *)cli_alloc(s, (size_t)p->n_stages + 1u, sizeof *names);
    uint32_t *part_of = (uint32_t *)cli_alloc(s, p->graph.n_nodes, sizeof *part_of);
    cli_plan_desc desc = {0};
    uint32_t before = 0;
    uint32_t i;
    for (i = 0; i < p->n_stages; i++) {
        char digits[16];
        (void)snprintf(digits, sizeof digits, "%" PRIu32, i);
        names[i] = gsp_str_of(cli_copy(s, gsp_str_of(digits)));
    }
    for (i = 0; i < p->graph.n_nodes; i++) { /* a marker joins the node before it */
        before = p->stage_of[i] != GSP_NONE ? p->stage_of[i] : before;
        part_of[i] = gsp_node_is_callable(&p->graph, i) && before < p->n_stages ? before : GSP_NONE;
    }
    desc.n_parts = p->n_stages;
    desc.part_of = part_of;
    desc.names = names;
    return cli_plan_save(s, p->opt.save, &p->graph, &desc);
}
