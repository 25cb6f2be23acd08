/* Tensors in one memory: graphsplit_intervals.h in arenas of the session. */
#include "algorithms/algorithms.h"

#include "core/core.h"

int cli_fit(cli_session *s, gsp_tensor *tensors, uint32_t n, uint32_t align, const uint32_t *fixed,
    uint64_t *bytes)
{
    gsp_intervals_desc desc = {0};
    gsp_intervals_fit fit;
    gsp_arena arena;
    desc.n_tensors = n;
    desc.tensors = tensors;
    desc.align = align;
    desc.fixed = fixed;
    cli_arena(s, &arena, gsp_intervals_fit_bound(&desc));
    gsp_status const status = gsp_intervals_fit_run(&arena, &desc, &fit, NULL);
    for (uint32_t i = 0; i < n && status == GSP_OK; i++) {
        tensors[i].offset = fit.offsets[i];
    }
    *bytes = status == GSP_OK ? fit.bytes : UINT64_MAX;
    cli_release(s, arena.base);
    return status == GSP_OK;
}

gsp_intervals_peak cli_peak(cli_session *s, const gsp_tensor *tensors, uint32_t n)
{
    gsp_intervals_peak peak = {UINT64_MAX, 0};
    gsp_arena arena;
    cli_arena(s, &arena, gsp_intervals_peak_bound(n));
    (void)gsp_intervals_peak_run(&arena, tensors, n, &peak, NULL);
    cli_release(s, arena.base);
    return peak;
}
