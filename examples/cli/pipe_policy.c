/* graphsplit pipe: cuts by automatic policies. */
#include "pipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int pipe_policy_read(pipe *p)
{
    static const char *const policies[] = {"nodes", "params"};
    cli_session *s = p->session;
    int64_t stages;
    uint32_t i;
    if (p->opt.policy != NULL && p->opt.stages == NULL) {
        return cli_usage_error(s,
                               "--policy says how to cut, and --stages N into how many; give both");
    }
    if (p->opt.stages == NULL) {
        return CLI_EXIT_OK;
    }
    for (i = 0; p->opt.policy != NULL && i < CLI_COUNT(policies); i++) {
        if (strcmp(p->opt.policy, policies[i]) == 0) {
            break;
        }
    }
    if (i == CLI_COUNT(policies)) {
        return cli_usage_error(s, "--policy takes nodes|params, not '%s'", p->opt.policy);
    }
    if (!pipe_integer(gsp_text_of(p->opt.stages), &stages)) {
        return cli_usage_error(s, "--stages takes a number, not '%s'", p->opt.stages);
    }
    if (stages < 1) {
        return cli_error(s, GSP_STATUS_ARG, "--stages %s: a pipeline has one stage or more",
                         p->opt.stages);
    }
    if (p->marks.n_points != 0) {
        return cli_error(s, GSP_STATUS_ARG,
                         "--split-spec %s and --stages %s exclude each other: either says where to "
                         "cut",
                         cli_copy(s, p->marks.points[0].path), p->opt.stages);
    }
    p->automatic = 1;
    p->policy.policy = i;
    p->policy.n_stages = stages < UINT32_MAX ? (uint32_t)stages : UINT32_MAX - 1u;
    p->policy.marker = p->opt.marker;
    return CLI_EXIT_OK;
}

size_t pipe_policy_bound(const pipe *p)
{
    return gsp_stages_bound(&p->counts, &p->policy);
}

gsp_status pipe_policy_run(pipe *p, gsp_arena *arena, gsp_error *err)
{
    gsp_stages_result result;
    gsp_status status = gsp_stages_run(arena, &p->graph, &p->policy, &result, err);
    if (status == GSP_OK) {
        p->stage_of = result.stage_of;
        p->n_stages = result.n_stages;
    }
    return status;
}

int pipe_policy_refuse(pipe *p, const gsp_error *err)
{
    return cli_pass_error(p->session, &p->graph, err);
}

void pipe_policy_note(const pipe *p)
{
    if (p->automatic && p->n_stages < p->policy.n_stages) {
        cli_progress_end(p->session);
        fprintf(stderr,
                "%s: %" PRIu32 " stage%s instead of %" PRIu32
                ": there are no more nodes that are called\n",
                p->session->front->program, p->n_stages, cli_plural(p->n_stages),
                p->policy.n_stages);
    }
}
