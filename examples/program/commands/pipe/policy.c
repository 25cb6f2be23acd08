/* graphsplit pipe: cuts by automatic policies. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_MEASURED 4096u /* nodes; of more the live bytes of a stage take long to find, */
#define WORK_MEASURED (UINT64_C(1) << 22u) /* and the work for --balance bytes is less */

/* In the order of gsp_stages_even_policy; the last is gsp_stages_optimal_run(). */
static const char *const policies[] = {"nodes", "params", "threshold", "optimal"};
/* In the order of gsp_schedule_kind. */
static const char *const schedules[] = {"gpipe", "1f1b", "interleaved", "looped-bfs",
    "interleaved-zb", "zb-h1", "zb-h2", "zbv", "v-half", "v-min", "dualpipev"};

/* ---- options ---- */

/* The index of a word in a list; its length if the word is not in it; 0 for NULL. */
static uint32_t place_of(const char *word, const char *const *list, uint32_t n)
{
    uint32_t i = 0;
    while (word != NULL && i < n && strcmp(word, list[i]) != 0) {
        i++;
    }
    return i;
}

/* Seconds as ticks of one nanosecond; 1 on success. */
static int read_seconds(const char *word, uint64_t *ticks)
{
    double seconds = 0.0;
    if (word != NULL &&
        (!gsp_str_decimal(gsp_str_of(word), &seconds) || !(seconds >= 0.0) || seconds > 1e9)) {
        return 0;
    }
    *ticks = cli_nanoseconds(seconds);
    return 1;
}

/* Options of the optimal policy only. */
static int read_model(pipe_job *p)
{
    gsp_stages_optimal_desc *d = &p->plan.optimal_desc;
    gsp_stage_model *m = &d->model;
    const pipe_options *o = &p->opt;
    p->plan.devices.latency = o->goal != NULL && strcmp(o->goal, "latency") == 0;
    if (o->goal != NULL && strcmp(o->goal, "time") != 0 && strcmp(o->goal, "bytes") != 0 &&
        !p->plan.devices.latency) {
        return cli_usage_error(
            p->session, "--balance expects time|bytes|latency, got '%s'", o->goal);
    }
    int const first = read_seconds(o->first_time, &m->first_time);
    if (!first || !read_seconds(o->last_time, &m->last_time)) {
        return cli_usage_error(p->session,
            "%s expects seconds, such as 0.002, up to 10^9, got '%s'",
            first ? "--last-time" : "--first-time", first ? o->last_time : o->first_time);
    }
    d->goal =
        (uint32_t)(o->goal != NULL && strcmp(o->goal, "bytes") == 0 ? GSP_STAGES_OPTIMAL_BYTES
                                                                    : GSP_STAGES_OPTIMAL_TIME);
    d->marker = o->marker;
    d->memory = o->memory;
    d->max_work = o->max_work;
    d->n_orders = (uint32_t)o->orders;
    d->keep_groups = o->keep_groups;
    m->carried = o->carried;
    m->copies = (uint32_t)o->copies;
    m->microbatches = o->inference ? 0u : (uint32_t)o->microbatches;
    if (o->schedule != NULL && !o->inference && m->microbatches == 0) {
        m->microbatches = 1;
    }
    p->plan.rates.bandwidth = o->bandwidth;
    return CLI_EXIT_OK;
}

/* Stages per device, if they are assigned in rotation as in interleaved schedules; otherwise 0. */
static uint32_t count_chunks(const cli_actions *given)
{
    uint32_t i = 0;
    while (i < given->n_stages && given->device_of[i] == i % given->n_devices) {
        i++;
    }
    return i == given->n_stages && i % given->n_devices == 0 ? i / given->n_devices : 0u;
}

/* --schedule @FILE */
static int read_given(pipe_job *p)
{
    gsp_schedule_desc *d = &p->plan.schedule;
    cli_actions *given = &p->plan.given;
    uint32_t chunks;
    int code = cli_actions_read(p->session, p->opt.schedule + 1, (uint32_t)p->opt.microbatches,
        (int)p->opt.inference, given);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    cli_actions_use(given, d);
    p->opt.microbatches = given->n_microbatches;
    chunks = count_chunks(given);
    if (chunks == 0 && p->opt.memory != 0) {
        return cli_usage_error(p->session,
            "--memory requires a schedule with stage I on device I modulo N, and "
            "that of %s is not",
            given->path);
    }
    d->n_chunks = chunks != 0 ? chunks : 1u;
    return CLI_EXIT_OK;
}

/* Files that show the schedule. */
static int refuse_files(pipe_job *p)
{
    const pipe_options *o = &p->opt;
    const char *const paths[] = {o->svg, o->trace, o->csv};
    const char *const names[] = {"--svg", "--trace", "--schedule-csv"};
    uint32_t out = p->session->common.porcelain + p->session->common.json + (o->stages_for != 0);
    uint32_t i;
    if (out > 1u) {
        return cli_usage_error(p->session,
            "only one of --porcelain, --json and --stages-for can write to standard output");
    }
    for (i = 0; i < CLI_COUNT(paths); i++) {
        if (paths[i] != NULL && o->schedule == NULL) {
            return cli_usage_error(p->session, "%s requires --schedule", names[i]);
        }
        out += paths[i] != NULL && strcmp(paths[i], "-") == 0;
        if (out > 1u && paths[i] != NULL && strcmp(paths[i], "-") == 0) {
            return cli_usage_error(p->session,
                "only one of --porcelain, --json, --stages-for and %s - can write to standard "
                "output",
                names[i]);
        }
    }
    if (o->transfers && o->csv == NULL) {
        return cli_usage_error(p->session, "--transfers requires --schedule-csv");
    }
    return CLI_EXIT_OK;
}

/* One triple of --task-times; 1 on success. */
static int read_triple(gsp_str item, uint64_t ticks[3])
{
    uint32_t at = 0;
    uint32_t i;
    for (i = 0; i < 3u; i++) {
        uint32_t end = at;
        double seconds = 0.0;
        gsp_str word;
        while (end < item.size && item.data[end] != ':') {
            end++;
        }
        word.data = item.data + at;
        word.size = end - at;
        if ((i < 2u) != (end < item.size) || !gsp_str_decimal(word, &seconds) ||
            !(seconds >= 0.0) || seconds > 1e9) {
            return 0;
        }
        ticks[i] = cli_nanoseconds(seconds);
        at = end + 1u;
    }
    return 1;
}

/* --task-times, which may be repeated */
static int read_task_times(pipe_job *p)
{
    cli_session *s = p->session;
    size_t i;
    for (i = 0; i < s->n_given; i++) {
        uint32_t at = 0;
        gsp_str item;
        if (strcmp(s->given[i].option->name, "--task-times") != 0) {
            continue;
        }
        while ((item = pipe_list_item(gsp_str_of(s->given[i].value), &at)).size > 0) {
            size_t const size = ((size_t)p->opt.n_task_times + 1u) * 3u * sizeof(uint64_t);
            p->opt.task_times = (uint64_t *)cli_grow(s, p->opt.task_times, size);
            if (!read_triple(item, &p->opt.task_times[3u * p->opt.n_task_times++])) {
                return cli_usage_error(s,
                    "--task-times expects seconds F:I:W, such as 0.1:0.1:0.05, up to 10^9, got "
                    "'%s'",
                    cli_copy(s, item));
            }
        }
    }
    if (p->opt.n_task_times != 0 &&
        (p->opt.schedule == NULL || p->opt.backward != 0 || p->opt.times.unit == CLI_TIMES_NODES)) {
        return cli_usage_error(s, "--task-times requires --schedule, and cannot be combined with "
                                  "--backward and --time-unit nodes");
    }
    return CLI_EXIT_OK;
}

static int read_schedule(pipe_job *p)
{
    gsp_schedule_desc *d = &p->plan.schedule;
    const pipe_options *o = &p->opt;
    int given = o->schedule != NULL && o->schedule[0] == '@' && o->schedule[1] != '\0';
    uint32_t kind = given ? 0u : place_of(o->schedule, schedules, CLI_COUNT(schedules));
    int fixed;
    int code;
    p->plan.has_schedule = o->schedule != NULL;
    if (kind == CLI_COUNT(schedules)) {
        return cli_usage_error(p->session,
            "--schedule expects "
            "gpipe|1f1b|interleaved|looped-bfs|interleaved-zb|zb-h1|zb-h2|zbv|v-half|v-min|"
            "dualpipev|@FILE, got '%s'",
            o->schedule);
    }
    if ((code = refuse_files(p)) != CLI_EXIT_OK || (code = read_task_times(p)) != CLI_EXIT_OK) {
        return code;
    }
    d->n_chunks = gsp_schedule_chunks(kind, &fixed);
    if (o->chunks != 0 && (o->schedule == NULL || given || (fixed && o->chunks != d->n_chunks))) {
        return cli_usage_error(p->session,
            "--chunks is the number of stages per device of --schedule "
            "interleaved, interleaved-zb and looped-bfs");
    }
    d->n_chunks = o->chunks != 0 ? (uint32_t)o->chunks : d->n_chunks;
    d->kind = kind;
    d->inference = o->inference;
    d->n_microbatches = o->microbatches != 0 ? (uint32_t)o->microbatches : 1u;
    if (gsp_schedule_is_v(kind) && o->memory != 0) {
        return cli_usage_error(p->session,
            "--memory requires a schedule with stage I on device I modulo N, and "
            "%s is not",
            o->schedule);
    }
    return given ? read_given(p) : CLI_EXIT_OK;
}

static int refuse_both(pipe_job *p, const char *option)
{
    if (p->marks.n_points == 0) {
        return CLI_EXIT_OK;
    }
    return cli_error(p->session, GSP_STATUS_ARG,
        "--split-spec %s cannot be combined with %s: each says where to cut",
        cli_copy(p->session, p->marks.points[0].path), option);
}

/* --stages N; without it, `threshold` may cut any number of times. */
static int read_count(pipe_job *p, uint32_t policy, uint32_t *n_stages)
{
    cli_session *s = p->session;
    int64_t stages = 0;
    int code;
    if (p->opt.stages == NULL && p->plan.devices.n != 0) {
        char digits[16];
        (void)snprintf(
            digits, sizeof digits, "%" PRIu32, p->plan.devices.n * p->plan.schedule.n_chunks);
        p->opt.stages = cli_copy(s, gsp_str_of(digits));
    }
    if (p->opt.stages == NULL) {
        if (policy == GSP_STAGES_EVEN_THRESHOLD && p->opt.threshold != 0) {
            return refuse_both(p, "--policy threshold");
        }
        return cli_usage_error(s, "--policy requires --stages N, the number of stages");
    }
    if (!pipe_integer(gsp_str_of(p->opt.stages), &stages)) {
        return cli_usage_error(s, "--stages expects a number, got '%s'", p->opt.stages);
    }
    if (stages < 1) {
        return cli_error(
            s, GSP_STATUS_ARG, "--stages %s: a pipeline has at least one stage", p->opt.stages);
    }
    if ((code = refuse_both(p, "--stages")) != CLI_EXIT_OK) {
        return code;
    }
    if (stages == UINT32_MAX) {
        return cli_usage_error(s, "--stages expects a number from 1 to %" PRIu32 ", got '%s'",
            UINT32_MAX - 1u, p->opt.stages);
    }
    *n_stages = (uint32_t)stages;
    if (p->plan.given.path != NULL) {
        return cli_actions_fit(s, &p->plan.given, *n_stages);
    }
    if (*n_stages % p->plan.schedule.n_chunks != 0) {
        return cli_usage_error(s,
            "--stages %s cannot be divided among devices with %" PRIu32 " stages each (--chunks)",
            p->opt.stages, p->plan.schedule.n_chunks);
    }
    return CLI_EXIT_OK;
}

/* Options of time and memory, which neither other policies nor tables without schedule show. */
static int refuse_unseen(const pipe_job *p, int is_optimal)
{
    const pipe_options *o = &p->opt;
    const char *unseen = o->bandwidth != 0       ? "--bandwidth"
                         : o->first_time != NULL ? "--first-time"
                         : o->last_time != NULL  ? "--last-time"
                         : o->copies != 0        ? "--param-copies"
                         : o->microbatches != 0  ? "--microbatches"
                         : o->inference          ? "--inference"
                                                 : NULL;
    if (o->schedule == NULL && o->backward != 0) {
        return cli_usage_error(p->session, "--backward requires --schedule");
    }
    if (o->schedule == NULL && !is_optimal && unseen != NULL) {
        return cli_usage_error(p->session, "%s requires --policy optimal or --schedule", unseen);
    }
    return CLI_EXIT_OK;
}

/* Options of one policy only. */
static int refuse_unheard(pipe_job *p)
{
    const pipe_options *o = &p->opt;
    int seconds = o->bandwidth != 0 || o->first_time != NULL || o->last_time != NULL;
    const char *policy = o->policy != NULL ? o->policy : "nodes";
    const char *unheard = o->memory != 0        ? "--memory"
                          : o->carried != 0     ? "--carried"
                          : o->goal != NULL     ? "--balance"
                          : o->orders != 0      ? "--orders"
                          : o->max_work != 0    ? "--max-work"
                          : o->keep_groups != 0 ? "--keep-groups"
                          : o->cores != 0       ? "--cpu-cores"
                          : o->replicas != 0    ? "--replicas"
                                                : NULL;
    if (o->threshold != 0 && strcmp(policy, "threshold") != 0) {
        return cli_usage_error(p->session, "--threshold requires --policy threshold");
    }
    if (seconds && o->times.unit == CLI_TIMES_NODES) {
        return cli_usage_error(p->session, "--time-unit nodes cannot be combined with --bandwidth, "
                                           "--first-time and --last-time, which are in seconds");
    }
    if (o->schedule != NULL && (o->cores != 0 || o->replicas)) {
        return cli_usage_error(p->session, "%s cannot be combined with --schedule",
            o->cores != 0 ? "--cpu-cores" : "--replicas");
    }
    if (unheard != NULL && strcmp(policy, "optimal") != 0) {
        return cli_usage_error(p->session, "%s requires --policy optimal", unheard);
    }
    return refuse_unseen(p, strcmp(policy, "optimal") == 0);
}

int pipe_policy_read(pipe_job *p)
{
    uint32_t policy;
    uint32_t n_stages = 0;
    int code = read_schedule(p);
    if (p->plan.devices.n != 0 && p->opt.policy == NULL) {
        p->opt.policy = "optimal";
    }
    policy = place_of(p->opt.policy, policies, CLI_COUNT(policies));
    if (code == CLI_EXIT_OK) {
        code = read_model(p);
    }
    if (code == CLI_EXIT_OK && policy == CLI_COUNT(policies)) {
        return cli_usage_error(
            p->session, "--policy expects nodes|params|threshold|optimal, got '%s'", p->opt.policy);
    }
    if (code == CLI_EXIT_OK) {
        code = refuse_unheard(p);
    }
    if (code == CLI_EXIT_OK) {
        code = pipe_devices_refuse(p);
    }
    if (code != CLI_EXIT_OK || (p->opt.policy == NULL && p->opt.stages == NULL)) {
        return code;
    }
    code = read_count(p, policy, &n_stages);
    p->automatic = 1;
    p->plan.optimal = policy == GSP_STAGES_EVEN_COUNT;
    p->plan.optimal_desc.n_chunks = p->plan.schedule.n_chunks;
    p->plan.optimal_desc.n_devices = n_stages / p->plan.schedule.n_chunks;
    p->policy.policy = policy % GSP_STAGES_EVEN_COUNT;
    p->policy.n_stages = n_stages;
    p->policy.threshold = p->opt.threshold;
    p->policy.marker = p->opt.marker;
    return code;
}

/* ---- the pass ---- */

/* Microbatches that the stages of a schedule keep; never more than the stage before. */
static int read_held(pipe_job *p)
{
    gsp_schedule_desc d = p->plan.schedule;
    gsp_schedule_result r;
    uint32_t *held;
    uint32_t i;
    int code;
    uint64_t stages = p->policy.n_stages < p->counts.nodes ? p->policy.n_stages : p->counts.nodes;
    if (d.actions == NULL) {
        d.n_devices = (uint32_t)(stages + d.n_chunks - 1u) / d.n_chunks;
    }
    code = pipe_schedule_run(p, &d, &r);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    stages = r.n_stages > p->policy.n_stages ? r.n_stages : p->policy.n_stages; /* or none there */
    held = (uint32_t *)cli_alloc(p->session, (size_t)stages + 1u, sizeof *held);
    for (i = r.n_stages; i > 0u; i--) {
        held[i - 1u] = r.held[i - 1u] > held[i] ? r.held[i - 1u] : held[i];
    }
    p->plan.optimal_desc.model.held = held;
    return CLI_EXIT_OK;
}

int pipe_policy_bound(pipe_job *p, size_t *bound)
{
    size_t costs;
    int code = CLI_EXIT_OK;
    if (!p->plan.optimal) {
        *bound = gsp_stages_even_bound(&p->graph, &p->policy);
        return CLI_EXIT_OK;
    }
    if (p->plan.has_schedule && !p->opt.inference) {
        code = read_held(p);
    }
    costs = gsp_costs_bound(&p->graph);
    *bound = gsp_stages_optimal_bound(&p->graph, &p->plan.optimal_desc);
    *bound = *bound > SIZE_MAX - costs ? SIZE_MAX : *bound + costs;
    return code;
}

/* Without recorded times, stages are balanced by memory. */
static void choose_goal(pipe_job *p)
{
    const gsp_costs *c = &p->plan.costs;
    gsp_node v = 0;
    while (v < c->n_nodes && c->time[v] == 0) {
        v++;
    }
    p->plan.timeless = v == c->n_nodes && p->opt.goal == NULL;
    if (p->plan.timeless) {
        p->plan.optimal_desc.goal = (uint32_t)GSP_STAGES_OPTIMAL_BYTES;
    }
    if (p->plan.optimal_desc.goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES && p->plan.devices.n == 0 &&
        c->n_nodes > MOST_MEASURED && p->plan.optimal_desc.max_work == 0) {
        p->plan.optimal_desc.max_work = WORK_MEASURED;
    }
}

/* Without a plan of the library, its reference is that without limits. */
static gsp_status search_stages(pipe_job *p, gsp_arena *arena, gsp_status status, gsp_error *err)
{
    gsp_stages_optimal_desc d = p->plan.optimal_desc;
    uint64_t const reference = p->plan.result.reference;
    gsp_error ignored;
    if (status == GSP_STATUS_NO_FIT) {
        d.memory = 0;
        d.keep_groups = 0;
        d.n_orders = 1u;
        status = gsp_stages_optimal_run(arena, &p->graph, &d, &p->plan.result, &ignored);
        if (status != GSP_OK) {
            return status;
        }
        p->plan.result.objective = UINT64_MAX;
        p->plan.result.reference =
            pipe_inference_limits(p) && reference != 0 ? reference : p->plan.result.reference;
        status = GSP_STATUS_NO_FIT;
    }
    if (pipe_search_run(p, status == GSP_OK)) {
        return GSP_OK;
    }
    if (status == GSP_OK) { /* a plan of the library that its nodes do not allow */
        err->status = GSP_STATUS_NO_FIT;
        err->detail = d.memory != 0 ? GSP_DETAIL_MEMORY : GSP_DETAIL_NONE;
        err->limit = d.memory;
    }
    return GSP_STATUS_NO_FIT;
}

gsp_status pipe_policy_run(pipe_job *p, gsp_arena *arena, gsp_error *err)
{
    gsp_stages_even_result result;
    gsp_status status;
    int wanted;
    if (!p->plan.optimal) {
        status = gsp_stages_even_run(arena, &p->graph, &p->policy, &result, err);
        p->stage_of = status == GSP_OK ? result.stage_of : NULL;
        p->n_stages = status == GSP_OK ? result.n_stages : 0u;
        return status;
    }
    p->stage_of = NULL;
    status = gsp_costs_run(arena, &p->graph, &p->plan.rates, &p->plan.costs, err);
    if (status == GSP_OK) {
        choose_goal(p);
        p->plan.optimal_desc.model.costs = &p->plan.costs;
        if (p->plan.devices.n != 0) {
            status = pipe_devices_run(p, err);
            p->stage_of = status == GSP_OK ? p->plan.result.stage_of : NULL;
            p->n_stages = status == GSP_OK ? p->plan.result.n_stages : 0u;
            return status;
        }
        status =
            gsp_stages_optimal_run(arena, &p->graph, &p->plan.optimal_desc, &p->plan.result, err);
    }
    wanted = pipe_search_wanted(p);
    status = pipe_inference_stages(p, status, err);
    if ((status == GSP_OK || status == GSP_STATUS_NO_FIT) && wanted) {
        status = search_stages(p, arena, status, err);
    }
    p->stage_of = status == GSP_OK ? p->plan.result.stage_of : NULL;
    p->n_stages = status == GSP_OK ? p->plan.result.n_stages : 0u;
    return status;
}

/* Nothing has a time and nothing that stages hold a size, so any stages are as good. */
int pipe_policy_check(const pipe_job *p)
{
    int const bytes = p->plan.optimal_desc.goal == (uint32_t)GSP_STAGES_OPTIMAL_BYTES;
    if (!p->plan.optimal || !bytes || p->plan.result.objective != 0 ||
        (!cli_graph_least(&p->graph, 0) && !cli_graph_least(&p->graph, 1))) {
        return CLI_EXIT_OK;
    }
    return cli_error(p->session, GSP_STATUS_ARG,
        "--policy optimal: no size of what stages hold is known%s, so there is nothing to balance; "
        "types such as # f32[8] give sizes, --policy nodes and --time-unit nodes count nodes",
        p->plan.timeless ? ", and no time" : "");
}

int pipe_policy_refuse(pipe_job *p, const gsp_error *err)
{
    if (p->plan.devices.why != NULL) {
        return cli_error(p->session, err->status, "%s", p->plan.devices.why);
    }
    if (err->detail == GSP_DETAIL_MEMORY && p->plan.search.ran) {
        return cli_error(p->session, err->status,
            "--memory %" PRIu64 ": no stages on %s device%s%s fit%s", err->limit, p->opt.stages,
            p->policy.n_stages == 1u ? "" : "s", p->opt.cores != 0 ? " and CPU cores" : "",
            p->plan.search.complete ? "" : " among those tried");
    }
    if (err->detail == GSP_DETAIL_MEMORY) {
        return cli_error(p->session, err->status,
            cli_unknown_sizes(p->graph.module)
                ? "--memory %" PRIu64 ": no cut into %s stages fits every device; the minimum is "
                  "at least %" PRIu64 " bytes"
                : "--memory %" PRIu64 ": no cut into %s stages fits every device; %" PRIu64
                  " bytes are the minimum",
            err->limit, p->opt.stages, err->need);
    }
    if (p->plan.search.ran) {
        return cli_error(p->session, err->status,
            "--cpu-cores %" PRIu64
            ": no stages found; nodes with acc=0 run on CPU cores alone, and "
            "only nodes with cpu= run there",
            p->opt.cores);
    }
    return cli_pass_error(p->session, &p->graph, err);
}

void pipe_policy_note(const pipe_job *p)
{
    const char *program = p->session->front->program;
    cli_progress_end(p->session);
    if (p->plan.devices.n != 0 && p->opt.replicas) {
        return; /* fewer stages on several devices each */
    }
    if (p->plan.search.found) {
        if (!p->opt.replicas && p->plan.search.places.n < p->policy.n_stages) {
            fprintf(stderr, "%s: %" PRIu32 " stage%s instead of %" PRIu32 ": more are no faster\n",
                program, p->plan.search.places.n, cli_plural(p->plan.search.places.n),
                p->policy.n_stages);
        }
    } else if (p->automatic && p->n_stages < p->policy.n_stages &&
               p->policy.policy != GSP_STAGES_EVEN_THRESHOLD) {
        fprintf(stderr, "%s: %" PRIu32 " stage%s instead of %" PRIu32 ": there are no more %s\n",
            program, p->n_stages, cli_plural(p->n_stages), p->policy.n_stages,
            p->opt.keep_groups ? "places for a cut" : "called nodes");
    }
    if (!p->automatic && p->marks.n_points == 0 && p->opt.cut == NULL && p->n_stages < 2u) {
        fprintf(stderr,
            "%s: nothing says where to cut, so all is one stage: give --stages N, --split-spec or "
            "--plan, or mark cuts in the graph\n",
            program);
    }
    if (p->plan.optimal && p->plan.timeless) {
        fprintf(stderr, "%s: no node has compute=, so stages are balanced by memory\n", program);
    }
}
