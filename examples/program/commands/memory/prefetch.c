/* --prefetch: parameters lie in the slow one of two memories, and each is copied to the fast one
 * ahead of the step that reads it. The copies are tensors of the plan, live from the step during
 * which the copy starts to that of its use. */
#include "commands/memory/memory.h"

#include "input/input.h"

#include <inttypes.h>
#include <string.h>

#define SECOND     1e12 /* ps */
#define MOST_TIME  4e6  /* seconds of a node: 2^62 ps and less */
#define MOST_BYTES ((uint64_t)1u << 60)
#define LEVELS     8u                   /* of less memory, where a plan has no offsets */
#define PACK_WORK  ((uint64_t)1u << 20) /* for offsets, without --exact */

/* ---- options ---- */

static const char *without_prefetch(const memory_options *o)
{
    return o->bandwidth != 0                    ? "--bandwidth"
           : o->emit_c != NULL                  ? "--emit-c"
           : o->times.unit != CLI_TIMES_SECONDS ? "--time-unit"
           : o->times.rates != NULL             ? "--rates"
                                                : NULL;
}

int memory_prefetch_check(memory *m)
{
    const memory_several *all = &m->several;
    const memory_options *o = &m->opt;
    memory_prefetch *p = &m->prefetch;
    if (!o->prefetch) {
        const char *option = without_prefetch(o);
        return option == NULL ? CLI_EXIT_OK
                              : cli_usage_error(m->session, "%s requires --prefetch", option);
    }
    if (o->csv || o->tile || o->sequential || o->concurrent) {
        return cli_usage_error(m->session, "--prefetch cannot be combined with %s",
            o->csv          ? "--csv, which has no steps that read parameters"
            : o->tile       ? "--tile"
            : o->sequential ? "--sequential"
                            : "--concurrent");
    }
    if (all->n != 2u) {
        return cli_usage_error(m->session,
            "--prefetch requires two memories, a fast and a slow one, such as --memory sram:256K "
            "--memory psram:8M:slow; there %s %" PRIu32,
            all->n == 1u ? "is" : "are", all->n);
    }
    if (all->list[0].cost == all->list[1].cost) {
        return cli_usage_error(m->session,
            "--prefetch: no memory is slow: %s and %s cost the same; give one a larger COST, such "
            "as psram:8M:slow",
            cli_copy(m->session, all->names[0]), cli_copy(m->session, all->names[1]));
    }
    p->slow = all->list[1].cost > all->list[0].cost;
    p->fast = 1u - p->slow;
    if (o->bandwidth == 0 && !all->priced[p->slow]) {
        return cli_usage_error(m->session,
            "--prefetch: the bandwidth of %s is unknown; --bandwidth BYTES_PER_S gives it, or a "
            "COST per byte after its size",
            cli_copy(m->session, all->names[p->slow]));
    }
    if (all->list[p->fast].read_only) {
        return cli_usage_error(m->session, "--prefetch copies into %s, which is read-only",
            cli_copy(m->session, all->names[p->fast]));
    }
    m->opt.weights = 1;
    return CLI_EXIT_OK;
}

/* ---- the copies ---- */

static uint64_t round_up(uint64_t bytes, uint64_t align)
{
    return (bytes + align - 1u) / align * align;
}

static uint32_t *words(const memory *m, size_t n)
{
    return (uint32_t *)cli_alloc(m->session, n + 1u, sizeof(uint32_t));
}

static uint64_t *numbers(const memory *m, size_t n)
{
    return (uint64_t *)cli_alloc(m->session, n + 1u, sizeof(uint64_t));
}

/* Whether a tensor lies in the slow memory. */
static int is_slow(const memory *m, uint32_t t)
{
    return m->several.pins[t] == m->prefetch.slow;
}

/* Sizes whose sums do not fit, and what no copy holds. */
static int check_sizes(memory *m)
{
    uint64_t all = 0;
    uint64_t parameters = 0;
    for (uint32_t t = 0; t < m->memory_plan.n_tensors; t++) {
        uint64_t const bytes = m->memory_plan.tensors[t].bytes;
        if (bytes > MOST_BYTES - all) {
            return cli_error(m->session, GSP_STATUS_OVERFLOW,
                "--prefetch: the tensors take more than 2^60 bytes");
        }
        all += bytes;
        parameters += m->several.kind[t] == MEMORY_PARAMETER ? bytes : 0u;
    }
    uint64_t const params = m->graphs[m->chosen].params;
    m->prefetch.inside = params > parameters ? params - parameters : 0u;
    return CLI_EXIT_OK;
}

/* Parameters lie in the slow memory, unless a pin has them in the fast one; all else in the fast
 * one. */
static int choose(memory *m)
{
    memory_several *all = &m->several;
    for (uint32_t t = 0; t < m->memory_plan.n_tensors; t++) {
        int const given = all->pins[t] != GSP_NONE;
        if (given && is_slow(m, t) && all->kind[t] != MEMORY_PARAMETER) {
            return cli_error(m->session, GSP_STATUS_ARG,
                "--pin: %s is no parameter, and --prefetch copies parameters alone",
                cli_copy(m->session, memory_tensor_name(m, &m->memory_plan.tensors[t])));
        }
        if (!given) {
            all->pins[t] = all->kind[t] == MEMORY_PARAMETER ? m->prefetch.slow : m->prefetch.fast;
        }
    }
    return CLI_EXIT_OK;
}

/* The parameter, and 1, that each node is or is a view of; or that a module holds. */
static uint32_t *find_origins(const memory *m)
{
    const gsp_graph *g = &m->graph;
    const gsp_memory_plan_result *plan = &m->memory_plan;
    uint32_t *of_target = words(m, g->module->counts.strings);
    uint32_t *origin = words(m, g->n_nodes);
    for (uint32_t t = 0; t < plan->n_tensors; t++) {
        if (m->several.kind[t] == MEMORY_PARAMETER && is_slow(m, t)) {
            of_target[g->module->target[g->first + plan->tensors[t].node]] = t + 1u;
        }
    }
    for (gsp_node v = 0; v < g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        int const is_view = gsp_node_is_callable(g, v) && plan->tensor_of[v] == GSP_NONE &&
                            gsp_node_attr(g, v, GSP_KEY_ALIAS).data != NULL;
        if (gsp_node_params(g, v) != 0) {
            origin[v] = of_target[g->module->target[g->first + v]];
        }
        for (uint32_t i = 0; i < n && is_view && origin[v] == 0; i++) {
            origin[v] = origin[in[i]];
        }
    }
    cli_release(m->session, of_target);
    return origin;
}

/* Time to copy so many bytes; UINT64_MAX if that is too long. */
static uint64_t ticks_of(const memory *m, uint64_t bytes)
{
    uint64_t const cost = m->several.list[m->prefetch.slow].cost;
    if (m->opt.bandwidth != 0) {
        double const seconds = (double)bytes / (double)m->opt.bandwidth;
        return seconds <= MOST_TIME ? (uint64_t)(seconds * SECOND + 0.5) : UINT64_MAX;
    }
    return bytes <= UINT64_MAX / cost ? bytes * cost : UINT64_MAX;
}

/* A copy for a step, once per parameter; seen: [tensors] the last step with one, and 1. */
static void add_copy(memory *m, uint32_t parameter, uint32_t step, uint32_t *seen)
{
    memory_prefetch *p = &m->prefetch;
    uint64_t const bytes = m->memory_plan.tensors[parameter].bytes;
    if (seen[parameter] == step + 1u) {
        return;
    }
    seen[parameter] = step + 1u;
    p->source[p->n] = parameter;
    p->uses[p->n] = step;
    p->bytes[p->n] = round_up(bytes, m->several.list[p->fast].align);
    p->ticks[p->n++] = ticks_of(m, bytes);
}

/* What each step reads, in the order in which nodes run. */
static void collect(memory *m)
{
    const gsp_graph *g = &m->graph;
    memory_prefetch *p = &m->prefetch;
    uint32_t const *origin = find_origins(m);
    uint32_t *seen = words(m, p->first);
    size_t const room = (size_t)g->module->counts.edges + g->n_nodes;
    p->source = words(m, room);
    p->uses = words(m, room);
    p->bytes = numbers(m, room);
    p->ticks = numbers(m, room);
    for (uint32_t step = 0; step < g->n_nodes; step++) {
        gsp_node const v = m->liveness.nodes[step];
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        if (!gsp_node_is_callable(g, v)) {
            continue;
        }
        if (gsp_node_op(g, v) == GSP_OP_CALL_MODULE && origin[v] != 0) {
            add_copy(m, origin[v] - 1u, step, seen);
        } else if (origin[v] != 0) { /* a view reads nothing */
            continue;
        }
        for (uint32_t i = 0; i < n; i++) {
            if (origin[in[i]] != 0 && gsp_node_op(g, in[i]) != GSP_OP_CALL_MODULE) {
                add_copy(m, origin[in[i]] - 1u, step, seen);
            }
        }
    }
}

/* ---- steps ---- */

/* Seconds as ps, and how many nodes that are called have none. */
static int read_times(memory *m)
{
    const gsp_graph *g = &m->graph;
    memory_prefetch *p = &m->prefetch;
    p->times = numbers(m, g->n_nodes);
    p->untimed = cli_times_missing(g, 0);
    p->is_chain = 1;
    gsp_node before = GSP_NONE;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        gsp_node const v = m->liveness.nodes[i];
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(g, v, &n);
        if (!gsp_node_is_callable(g, v)) {
            continue;
        }
        double const seconds = gsp_node_seconds(g, v, GSP_KEY_COMPUTE);
        if (!(seconds <= MOST_TIME)) {
            return cli_error(m->session, GSP_STATUS_OVERFLOW, "%%%s takes too many seconds",
                cli_copy(m->session, gsp_node_name(g, v)));
        }
        p->times[i] = seconds > 0.0 ? (uint64_t)(seconds * SECOND + 0.5) : 0u;
        int follows = before == GSP_NONE;
        for (uint32_t k = 0; k < n; k++) {
            follows |= in[k] == before;
        }
        p->is_chain &= follows;
        before = v;
    }
    return CLI_EXIT_OK;
}

/* Bytes of the fast memory per step without the copies, in multiples of its alignment. */
static uint64_t *find_live(const memory *m)
{
    uint64_t *live = numbers(m, m->graph.n_nodes);
    for (uint32_t t = 0; t < m->memory_plan.n_tensors; t++) {
        const gsp_tensor *at = &m->memory_plan.tensors[t];
        if (!is_slow(m, t)) {
            uint64_t const bytes = round_up(at->bytes, m->several.list[m->prefetch.fast].align);
            live[at->begin] += bytes;
            live[at->end + 1u] -= bytes;
        }
    }
    for (uint32_t i = 1; i < m->graph.n_nodes; i++) {
        live[i] += live[i - 1u];
    }
    return live;
}

/* No order of nodes stalls less: nodes that may run while the copies do, and one that follows the
 * last copy. In a chain, the order is this one. */
static uint64_t least_stall(const memory *m)
{
    const memory_prefetch *p = &m->prefetch;
    uint64_t times = 0;
    uint64_t shortest = UINT64_MAX;
    if (p->n == 0 || p->untimed != 0) {
        return 0;
    }
    if (p->is_chain) {
        return p->result.stall;
    }
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        times += p->times[i];
    }
    for (uint32_t i = 0; i < p->n; i++) {
        shortest = p->times[p->uses[i]] < shortest ? p->times[p->uses[i]] : shortest;
    }
    return p->result.serial + shortest > times ? p->result.serial + shortest - times : 0u;
}

/* ---- offsets ---- */

/* The tensors of the fast memory, the copies last. */
static uint32_t list_fast(const memory *m, gsp_tensor *list, uint32_t *of)
{
    const memory_prefetch *p = &m->prefetch;
    uint32_t n = 0;
    for (uint32_t t = 0; t < p->first; t++) {
        if (!is_slow(m, t)) {
            of[n] = t;
            list[n++] = m->memory_plan.tensors[t];
        }
    }
    for (uint32_t i = 0; i < p->n; i++) {
        of[n] = p->first + i;
        list[n] = m->memory_plan.tensors[p->source[i]];
        list[n].begin = p->result.steps[i];
        list[n++].end = p->uses[i];
    }
    return n;
}

/* Places what lies in the fast memory; 0 if no offsets are found. */
static int place_fast(memory *m, gsp_tensor *all)
{
    const gsp_memory *fast = &m->several.list[m->prefetch.fast];
    size_t const room = (size_t)m->prefetch.first + m->prefetch.n;
    gsp_tensor *list = (gsp_tensor *)cli_alloc(m->session, room + 1u, sizeof *list);
    uint32_t *of = words(m, room);
    uint32_t const n = list_fast(m, list, of);
    uint64_t bytes;
    gsp_memory_pack_desc desc = {0};
    gsp_memory_pack_result packed;
    gsp_arena arena;
    if (!cli_fit(m->session, list, n, fast->align, NULL, &bytes)) {
        return 0;
    }
    desc.align = fast->align;
    desc.capacity = fast->bytes;
    desc.max_work = m->opt.exact.given ? m->max_work : PACK_WORK;
    if (bytes > fast->bytes) {
        cli_arena(m->session, &arena, gsp_memory_pack_bound(n, &desc));
        if (gsp_memory_pack_run(&arena, list, n, &desc, &packed, NULL) != GSP_OK ||
            packed.bytes > fast->bytes) {
            return 0;
        }
        for (uint32_t i = 0; i < n; i++) {
            list[i].offset = packed.offsets[i];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        all[of[i]] = list[i];
    }
    return 1;
}

/* Places parameters in the order of their first use, then those that nothing reads. */
static int place_slow(memory *m, gsp_tensor *all)
{
    const memory_prefetch *p = &m->prefetch;
    const gsp_memory *slow = &m->several.list[p->slow];
    uint32_t *placed = words(m, p->first);
    uint64_t end = 0;
    for (uint32_t i = 0; i < p->n + p->first; i++) {
        uint32_t const t = i < p->n ? p->source[i] : i - p->n;
        if (is_slow(m, t) && placed[t] == 0) {
            placed[t] = 1;
            all[t].offset = round_up(end, slow->align);
            end = all[t].offset + all[t].bytes;
        }
    }
    return end <= slow->bytes
               ? CLI_EXIT_OK
               : cli_error(m->session, GSP_STATUS_NO_FIT,
                     "the parameters need %" PRIu64 " bytes of %s, which has %" PRIu64, end,
                     cli_copy(m->session, m->several.names[p->slow]), slow->bytes);
}

/* ---- the plan ---- */

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    memory *m = (memory *)user;
    return gsp_prefetch_run(arena, &m->prefetch.desc, &m->prefetch.result, err);
}

/* The step that needs most, and the largest parameter that it reads. */
static int refuse(memory *m, const gsp_error *err)
{
    const memory_prefetch *p = &m->prefetch;
    uint32_t largest = GSP_NONE;
    if (err->status == GSP_STATUS_OVERFLOW) {
        return cli_error(m->session, err->status,
            "--prefetch: the times of nodes and copies sum to more than 2^62 ps");
    }
    if (err->status != GSP_STATUS_NO_FIT) {
        return cli_pass_error(m->session, NULL, err);
    }
    const char *fast = cli_copy(m->session, m->several.names[p->fast]);
    const char *node =
        cli_copy(m->session, memory_node_name(&m->graph, m->liveness.nodes[err->node]));
    uint64_t const live = p->desc.live[err->node];
    if (live > err->limit) {
        return cli_error(m->session, GSP_STATUS_NO_FIT,
            "while %s runs, %" PRIu64 " bytes are live in %s without the parameters, and it has "
            "%" PRIu64,
            node, live, fast, err->limit);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->uses[i] == err->node && (largest == GSP_NONE || p->bytes[i] > p->bytes[largest])) {
            largest = i;
        }
    }
    const gsp_tensor *t = &m->memory_plan.tensors[p->source[largest]];
    return cli_error(m->session, GSP_STATUS_NO_FIT,
        "the parameter %s of %" PRIu64 " bytes does not fit into %s beside what %s needs: %" PRIu64
        " bytes in all, and it has %" PRIu64,
        cli_copy(m->session, memory_tensor_name(m, t)), t->bytes, fast, node, err->need,
        err->limit);
}

/* Leaves level / LEVELS of the memory that a step has to spare, in a memory of `peak` bytes;
 * without any, copies start no sooner than the step of their use. */
static void spare_less(
    memory *m, const uint64_t *live, uint64_t *less, uint64_t peak, uint32_t level)
{
    memory_prefetch *p = &m->prefetch;
    uint32_t i = 0;
    for (uint32_t step = 0; step < m->graph.n_nodes; step++) {
        uint64_t spare = peak - live[step];
        for (; i < p->n && p->uses[i] == step; i++) {
            spare -= p->bytes[i];
        }
        less[step] = live[step] + (spare - spare / LEVELS * level);
    }
    p->desc.live = less;
    p->desc.capacity = peak;
}

/* The plan with the least stall, or with less memory to spare where that has no offsets. */
static int schedule(memory *m, gsp_tensor *all)
{
    memory_prefetch *p = &m->prefetch;
    const uint64_t *live = p->desc.live;
    uint64_t *less = numbers(m, m->graph.n_nodes);
    gsp_arena arena;
    gsp_error err;
    m->bound = gsp_prefetch_bound(&p->desc);
    int code = cli_pass_arena(m->session, &arena, m->bound);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(m->session, &arena, work, m, &m->timing, &err) != GSP_OK) {
        return refuse(m, &err);
    }
    p->least = least_stall(m);
    uint64_t const peak = p->result.peak;
    for (uint32_t level = LEVELS; !place_fast(m, all);) {
        if (level-- == 0) {
            return cli_error(m->session, GSP_STATUS_LIMIT,
                "no offsets in %s were found for the copies; --exact=WORK searches longer",
                cli_copy(m->session, m->several.names[p->fast]));
        }
        spare_less(m, live, less, peak, level);
        cli_arena(m->session, &arena, m->bound);
        if (work(m, &arena, &err) != GSP_OK) {
            return cli_pass_error(m->session, NULL, &err);
        }
    }
    return CLI_EXIT_OK;
}

/* The plan with the copies as tensors, in the form of several memories. */
static void publish(memory *m, gsp_tensor *all)
{
    memory_several *s = &m->several;
    memory_prefetch *p = &m->prefetch;
    uint32_t const n = p->first + p->n;
    uint32_t *kind = words(m, n);
    uint32_t *written = words(m, n);
    uint32_t *pins = words(m, n);
    uint64_t *traffic = numbers(m, n);
    uint64_t *offset = numbers(m, n);
    for (uint32_t t = 0; t < n; t++) {
        int const is_copy = t >= p->first;
        kind[t] = is_copy ? MEMORY_COPY : s->kind[t];
        written[t] = is_copy ? 1u : s->desc.written[t];
        pins[t] = is_copy ? p->fast : s->pins[t];
        traffic[t] = is_copy ? 2u * all[t].bytes : is_slow(m, t) ? 0u : s->traffic[t];
        offset[t] = all[t].offset;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        traffic[p->source[i]] += all[p->source[i]].bytes;
    }
    s->kind = kind;
    s->traffic = s->desc.traffic = traffic;
    s->desc.written = written;
    s->desc.pins = s->pins = pins;
    s->result.memory = pins;
    s->result.offset = offset;
    s->result.cost = p->result.stall;
    s->result.lower_bound = p->least;
    s->result.greedy = p->result.serial;
    s->desc.tensors = m->memory_plan.tensors = all;
    s->desc.n_tensors = m->memory_plan.n_tensors = n;
}

int memory_prefetch_run(memory *m)
{
    memory_prefetch *p = &m->prefetch;
    int code = check_sizes(m);
    if (code != CLI_EXIT_OK || (code = choose(m)) != CLI_EXIT_OK ||
        (code = read_times(m)) != CLI_EXIT_OK) {
        return code;
    }
    p->first = m->memory_plan.n_tensors;
    collect(m);
    uint32_t const n = p->first + p->n;
    gsp_tensor *all = (gsp_tensor *)cli_alloc(m->session, (size_t)n + 1u, sizeof *all);
    memcpy(all, m->memory_plan.tensors, p->first * sizeof *all);
    p->desc.times = p->times;
    p->desc.live = find_live(m);
    p->desc.n_steps = m->graph.n_nodes;
    p->desc.n_copies = p->n;
    p->desc.bytes = p->bytes;
    p->desc.ticks = p->ticks;
    p->desc.uses = p->uses;
    p->desc.capacity = m->several.list[p->fast].bytes;
    if ((code = place_slow(m, all)) != CLI_EXIT_OK || (code = schedule(m, all)) != CLI_EXIT_OK) {
        return code;
    }
    publish(m, all);
    return CLI_EXIT_OK;
}
