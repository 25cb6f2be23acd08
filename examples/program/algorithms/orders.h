/* Orders of the schedules whose backward tasks have two parts, or whose devices have several
 * stages: the actions that cli_schedule_run() takes. */
#ifndef CLI_ALGORITHMS_ORDERS_H
#define CLI_ALGORITHMS_ORDERS_H

#include "algorithms/schedule.h"

/* cli_orders_need: 1 for a kind that needs cli_orders_make(). */
int cli_orders_need(uint32_t kind);

/* cli_orders_least: the least number of microbatches. */
uint32_t cli_orders_least(const cli_schedule_desc *desc);

/* cli_orders_bound: bytes for cli_orders_make(). SIZE_MAX: too many. */
size_t cli_orders_bound(const cli_schedule_desc *desc);

/* cli_orders_make: fills actions, action_begin, device_of and n_stages of a description.
 *
 * What:      LOOPED_BFS, INTERLEAVED_ZB, ZBV, DUALPIPEV: the rows of PyTorch 2.13, with its waits.
 *            ZB_H1, ZB_H2, V_HALF, V_MIN: a device runs the tasks of a pattern in its order, and
 *            while one has to wait, the first task behind it that can begin and for which there is
 *            memory. Of small schedules several orders are tried, and the best is improved.
 * Memory:    on a device, in microbatches of a stage: ZB_H1 p, ZB_H2 2 p - 1, V_HALF p + 2 (p + 1
 *            if p is odd), V_MIN 2 floor((p + 1) / 3) + 2, of p devices
 * Errors:    DESC (another kind, or fewer microbatches than cli_orders_least()), NOMEM (need),
 *            OVERFLOW (detail TOO_MANY); on error the arena is unchanged
 * Time:      O(tasks * log(devices)), and O(devices) per task at both ends
 * See:       Lamy-Poirier 2022 (LOOPED_BFS); Qi et al. 2024a (ZB, ZBV), 2024b (V_HALF, V_MIN);
 *            DeepSeek-AI 2024 (DUALPIPEV)
 */
gsp_status cli_orders_make(gsp_arena *arena, cli_schedule_desc *desc, gsp_error *err);

#endif
