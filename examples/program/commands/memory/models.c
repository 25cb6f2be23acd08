/* Several models in one RAM: --sequential, --concurrent. */
#include "commands/memory/memory.h"

#include "input/input.h"

#include <inttypes.h>
#include <string.h>

int memory_models_check(const memory *m)
{
    cli_session *s = m->session;
    const memory_options *o = &m->opt;
    if (o->sequential && o->concurrent) {
        return cli_usage_error(s, "--sequential cannot be combined with --concurrent");
    }
    if (s->n_positional == 0) {
        return cli_one_file(s);
    }
    if (o->csv || m->several.n != 0 || o->budget != UINT64_MAX || o->capacity != UINT64_MAX ||
        o->run_of != NULL || o->svg != NULL || o->emit_model != NULL || o->save_tflite != NULL ||
        o->save_csv != NULL) {
        return cli_usage_error(s,
            "%s plans several models; it takes --order, --in-place, --exact, --align, --views, "
            "--graph and --skip-inputs alone",
            o->sequential ? "--sequential" : "--concurrent");
    }
    return CLI_EXIT_OK;
}

/* The plan of one model, as the options have it. */
static int plan_model(const memory *m, const char *path, memory_model *made)
{
    cli_session *s = m->session;
    memory one = *m;
    int code;
    s->path = path;
    if ((code = cli_load(s)) != CLI_EXIT_OK ||
        (one.opt.views && (code = cli_views_set(s)) != CLI_EXIT_OK)) {
        return code;
    }
    cli_dims_tell(s);
    if ((code = memory_choose(&one)) != CLI_EXIT_OK || (code = memory_run(&one)) != CLI_EXIT_OK) {
        return code;
    }
    made->path = path;
    made->bytes = one.memory_plan.arena;
    made->least = one.lower_bound;
    made->is_open = cli_unknown_sizes(&s->module) != 0;
    return CLI_EXIT_OK;
}

static uint64_t rounded(const memory *m, uint64_t bytes)
{
    return (bytes + m->opt.align - 1u) / m->opt.align * m->opt.align;
}

/* Side by side, each at a multiple of the alignment; last the one that would leave the largest
 * gap behind it. Returns the bytes of all. */
static uint64_t stack(const memory *m, memory_models *all, int by_least)
{
    uint64_t sum = 0;
    uint64_t gap = 0;
    uint32_t last = 0;
    uint32_t i;
    for (i = 0; i < all->n; i++) {
        uint64_t const bytes = by_least ? all->list[i].least : all->list[i].bytes;
        sum += rounded(m, bytes);
        if (rounded(m, bytes) - bytes >= gap) {
            gap = rounded(m, bytes) - bytes;
            last = i;
        }
    }
    if (!by_least) {
        uint64_t offset = 0;
        for (i = 0; i < all->n; i++) {
            all->list[i].offset = offset;
            offset += i != last ? rounded(m, all->list[i].bytes) : 0u;
        }
        all->list[last].offset = sum - rounded(m, all->list[last].bytes);
    }
    return sum - gap;
}

int memory_models_run(memory *m, memory_models *all)
{
    cli_session *s = m->session;
    uint32_t i;
    int code = CLI_EXIT_OK;
    memset(all, 0, sizeof *all);
    all->n = (uint32_t)s->n_positional;
    all->list = (memory_model *)cli_alloc(s, (size_t)all->n + 1u, sizeof *all->list);
    m->searches = 1;
    m->max_work = m->opt.exact.given ? m->max_work : MEMORY_JOINT_WORK;
    for (i = 0; i < all->n && code == CLI_EXIT_OK; i++) {
        code = plan_model(m, s->positional[i], &all->list[i]);
        all->n_open += all->list[i].is_open != 0;
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    all->separate = stack(m, all, 0);
    if (m->opt.concurrent) {
        all->bytes = all->separate;
        all->least = stack(m, all, 1);
        return CLI_EXIT_OK;
    }
    for (i = 0; i < all->n; i++) {
        all->list[i].offset = 0;
        all->bytes = all->list[i].bytes > all->bytes ? all->list[i].bytes : all->bytes;
        all->least = all->list[i].least > all->least ? all->list[i].least : all->least;
    }
    return CLI_EXIT_OK;
}
