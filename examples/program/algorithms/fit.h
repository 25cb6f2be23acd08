/* First fit: tensors placed one after the other in one memory, each at the lowest offset. */
#ifndef CLI_ALGORITHMS_FIT_H
#define CLI_ALGORITHMS_FIT_H

#include "graphsplit.h"

typedef struct cli_fit {
    const gsp_tensor *tensors;
    uint64_t *offset; /* of all tensors */
    uint32_t *placed; /* tensors by offset */
    uint32_t n;
} cli_fit;

/* cli_fit_meet: whether two tensors are live at the same step, and take bytes then. */
int cli_fit_meet(const gsp_tensor *a, const gsp_tensor *b);

/* cli_fit_find: the lowest offset of a tensor, a multiple of `align`, from `least` on. */
uint64_t cli_fit_find(const cli_fit *fit, uint32_t id, uint64_t align, uint64_t least);

/* cli_fit_add: places a tensor. */
void cli_fit_add(cli_fit *fit, uint32_t id, uint64_t offset);

#endif
