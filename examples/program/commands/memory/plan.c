/* The plan of a graph, of its best order, and its parts. */
#include "commands/memory/memory.h"

#include "input/input.h"

#include <string.h>

#define START_WORK ((uint64_t)1u << 20)

static gsp_status live(void *user, gsp_arena *arena, gsp_error *err)
{
    memory *m = (memory *)user;
    return gsp_liveness_run(arena, &m->graph, &m->liveness_desc, &m->liveness, err);
}

static gsp_status place(void *user, gsp_arena *arena, gsp_error *err)
{
    memory *m = (memory *)user;
    return gsp_memory_plan_run(arena, &m->graph, &m->memory_plan_desc, &m->memory_plan, err);
}

static gsp_status search(void *user, gsp_arena *arena, gsp_error *err)
{
    memory *m = (memory *)user;
    gsp_status status;
    m->memory_plan = m->placed;
    status = memory_pack(m, arena, err);
    status = status == GSP_OK ? memory_children_join(m, arena, err) : status;
    m->greedy = m->opt.in_place.given ? m->separate : m->greedy;
    return status;
}

static gsp_status cut(void *user, gsp_arena *arena, gsp_error *err)
{
    return memory_parts((memory *)user, arena, err);
}

static size_t add_bounds(size_t a, size_t b)
{
    return b > SIZE_MAX - a ? SIZE_MAX : a + b;
}

static size_t search_bound(const memory *m)
{
    size_t const pack = memory_pack_bound(m, m->graph.n_nodes * (m->scratch != NULL ? 2u : 1u));
    return m->opt.in_place.given ? add_bounds(pack, pack) : pack;
}

/* One pass after the other; --arena and --time are of the last, for which the others work. */
static int run_passes(memory *m)
{
    int const searches = m->searches && m->several.n == 0 && !m->is_first;
    int const cuts = m->opt.budget != UINT64_MAX;
    struct {
        int runs;
        cli_work work;
        size_t bound;
    } const passes[] = {{1, live, gsp_liveness_bound(&m->graph, &m->liveness_desc)},
        {1, place, gsp_memory_plan_bound(&m->graph, &m->memory_plan_desc)},
        {searches, search, searches ? search_bound(m) : 0u},
        {cuts, cut, cuts ? memory_parts_bound(m) : 0u}};
    size_t const last = cuts ? 3u : searches ? 2u : 1u;
    size_t i;
    for (i = 0; i <= last; i++) {
        int const measured = i == last && m->several.n == 0;
        gsp_arena arena;
        gsp_error err;
        int code = CLI_EXIT_OK;
        if (!passes[i].runs) {
            continue;
        }
        if (measured) {
            m->bound = passes[i].bound;
            code = cli_pass_arena(m->session, &arena, m->bound);
        } else {
            cli_arena(m->session, &arena, passes[i].bound);
        }
        if (code != CLI_EXIT_OK) {
            return code;
        }
        if ((measured ? cli_measure(m->session, &arena, passes[i].work, m, &m->timing, &err)
                      : passes[i].work(m, &arena, &err)) != GSP_OK) {
            return cli_pass_error(m->session, &m->graph, &err);
        }
        m->placed = i == 1u ? m->memory_plan : m->placed;
    }
    return CLI_EXIT_OK;
}

/* A search improves the plan, so that one which takes long need not end; 0 without a search. */
static uint64_t start_work(const memory *m)
{
    int const is_chosen = m->opt.exact.given || m->max_work == 0 || m->max_work > START_WORK;
    return !m->searches ? 0u : is_chosen ? START_WORK : m->max_work;
}

static int plan_all(memory *m)
{
    gsp_error err;
    int code;
    cli_progress(m->session, "placing tensors");
    memset(&m->no_fit, 0, sizeof m->no_fit);
    memset(&m->split, 0, sizeof m->split);
    m->improved = NULL;
    if (memory_nested_plan(m, &err) != GSP_OK) {
        return cli_pass_error(m->session, &m->graph, &err);
    }
    m->liveness_desc.scratch = m->scratch;
    m->liveness_desc.skip_inputs = m->opt.skip_inputs;
    m->memory_plan_desc.scratch = m->scratch != NULL && m->nested.block != NULL
                                      ? m->nested.block + m->graph.first
                                      : m->scratch;
    m->memory_plan_desc.skip_inputs = m->opt.skip_inputs;
    m->memory_plan_desc.align = (uint32_t)m->opt.align;
    m->memory_plan_desc.max_work = start_work(m);
    m->split_desc.scratch = m->scratch;
    m->liveness_desc.order = m->memory_plan_desc.order = m->split_desc.order = m->order;
    m->liveness_desc.n_order = m->memory_plan_desc.n_order = m->split_desc.n_order = m->n_order;
    if ((code = memory_in_place_read(m)) != CLI_EXIT_OK) {
        return code;
    }
    if ((code = run_passes(m)) != CLI_EXIT_OK || m->several.n != 0) {
        return code == CLI_EXIT_OK ? memory_memories_run(m) : code;
    }
    if (memory_nested_bound(m, &err) != GSP_OK) {
        return cli_pass_error(m->session, &m->graph, &err);
    }
    memory_nested_place(m);
    return CLI_EXIT_OK;
}

/* Whether the plan of this order is better than that of another: it fits, has fewer parts, which
 * pass on less, a smaller arena, a smaller peak. */
static int is_better(const memory *a, const memory *b)
{
    uint64_t const x[] = {a->no_fit.status != GSP_OK, a->split.n_parts, a->split.boundary,
        a->memory_plan.arena, a->liveness.parts[0].bytes};
    uint64_t const y[] = {b->no_fit.status != GSP_OK, b->split.n_parts, b->split.boundary,
        b->memory_plan.arena, b->liveness.parts[0].bytes};
    size_t i = 0;
    while (i + 1u < CLI_COUNT(x) && x[i] == y[i]) {
        i++;
    }
    return x[i] < y[i];
}

static int plan_order(memory *m, const memory_orders *orders, uint32_t i)
{
    int const code = memory_orders_take(m, orders, i);
    return code == CLI_EXIT_OK ? plan_all(m) : code;
}

/* Plans every order that was found, and leaves the best. The first is that of the file, where a
 * search is idle if another order takes less than what lives at a time in this one. */
static int plan_orders(memory *m)
{
    memory_orders orders;
    uint32_t chosen = 0;
    uint32_t planned;
    memset(&orders, 0, sizeof orders);
    int code = memory_orders_find(m, &orders);
    m->is_first = 1;
    code = code == CLI_EXIT_OK ? plan_order(m, &orders, 0) : code;
    m->is_first = 0;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    m->found.peak = m->liveness.parts[0].bytes;
    m->found.n_parts = m->no_fit.status != 0 ? 0u : m->split.n_parts;
    memory best = *m;
    for (planned = 1; planned < orders.n && code == CLI_EXIT_OK; planned++) {
        code = plan_order(m, &orders, planned);
        if (code == CLI_EXIT_OK && is_better(m, &best)) {
            best = *m;
            chosen = planned;
        }
    }
    planned--;
    if (code == CLI_EXIT_OK && m->searches && m->found.peak <= best.memory_plan.arena) {
        code = plan_order(m, &orders, planned = 0);
        chosen = code == CLI_EXIT_OK && !is_better(&best, m) ? 0u : chosen;
    }
    return code != CLI_EXIT_OK || chosen == planned ? code : plan_order(m, &orders, chosen);
}

int memory_run(memory *m)
{
    int code = m->opt.order != NULL ? plan_orders(m) : plan_all(m);
    code = code == CLI_EXIT_OK ? memory_pack_fits(m) : code;
    return code == CLI_EXIT_OK && m->no_fit.status == GSP_STATUS_NO_FIT ? memory_least(m) : code;
}
