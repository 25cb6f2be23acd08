/* Deduplication in arenas of the session, and the regions that save most nodes. */
#include "algorithms/algorithms.h"

#include "core/core.h"

gsp_status cli_repeats_find(cli_session *s, const gsp_graph *g, const gsp_dedup_result *known,
    const uint32_t *part_of, gsp_repeats_result *found, gsp_error *err)
{
    gsp_repeats_desc desc = {0};
    gsp_arena arena;
    desc.part_of = part_of;
    desc.calls = &known->selection;
    desc.progress = cli_search_asked;
    desc.progress_user = s;
    cli_arena(s, &arena, gsp_repeats_bound(g, &known->regions, &desc));
    cli_search_begin();
    gsp_status const status = gsp_repeats_run(&arena, g, &known->regions, &desc, found, err);
    cli_search_end();
    if (status == GSP_OK && found->stopped != 0u) {
        cli_search_told(s, "the regions save the most nodes");
    }
    return status;
}

int cli_dedup_raise(gsp_dedup_desc *desc, const gsp_error *err)
{
    uint32_t twice = err->need < UINT32_MAX / 2u ? 2u * (uint32_t)err->need : UINT32_MAX;
    uint32_t *limit =
        err->detail == GSP_DETAIL_OUTPUTS ? &desc->max_outputs : &desc->max_dependences;
    if (err->status != GSP_STATUS_LIMIT || err->detail == GSP_DETAIL_WORK || *limit >= twice) {
        return 0;
    }
    *limit = twice;
    return 1;
}

gsp_status cli_dedup_run(cli_session *s, const gsp_graph *g, gsp_dedup_desc *desc,
    gsp_dedup_result *result, gsp_error *err)
{
    gsp_arena arena;
    do {
        cli_arena(s, &arena, gsp_dedup_bound(g, desc));
    } while (gsp_dedup_run(&arena, g, desc, result, err) != GSP_OK && cli_dedup_raise(desc, err));
    return err->status;
}
