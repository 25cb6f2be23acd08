/* First fit among tensors that are sorted by offset. */
#include "algorithms/algorithms.h"

int cli_fit_meet(const gsp_tensor *a, const gsp_tensor *b)
{
    return a->begin <= b->end && b->begin <= a->end && a->bytes != 0 && b->bytes != 0;
}

uint64_t cli_fit_find(const cli_fit *fit, uint32_t id, uint64_t align, uint64_t least)
{
    const gsp_tensor *t = &fit->tensors[id];
    uint64_t offset = (least + align - 1u) / align * align;
    for (uint32_t i = 0; i < fit->n && fit->offset[fit->placed[i]] < offset + t->bytes; i++) {
        uint32_t const other = fit->placed[i];
        uint64_t const end = fit->offset[other] + fit->tensors[other].bytes;
        if (end > offset && cli_fit_meet(&fit->tensors[other], t)) {
            offset = (end + align - 1u) / align * align;
        }
    }
    return offset;
}

void cli_fit_add(cli_fit *fit, uint32_t id, uint64_t offset)
{
    uint32_t i = fit->n++;
    fit->offset[id] = offset;
    for (; i > 0 && fit->offset[fit->placed[i - 1u]] > offset; i--) {
        fit->placed[i] = fit->placed[i - 1u];
    }
    fit->placed[i] = id;
}
