/* First fit for many tensors. The offset of a search only grows, past every tensor in its way, so
 * each list is read once, in order; the search ends when no list has a tensor in its way any more.
 */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define FEW 4u /* slices that list a tensor; a tensor in more of them is in the last list */

typedef struct range {
    uint32_t first; /* lists */
    uint32_t last;
} range;

void cli_crowd_init(cli_crowd *crowd, cli_session *s, uint64_t n_steps)
{
    memset(crowd, 0, sizeof *crowd);
    crowd->session = s;
    crowd->n_steps = n_steps;
}

static range slices_of(const cli_crowd *c, const gsp_tensor *t)
{
    range r;
    r.first = (uint32_t)((uint64_t)t->begin * CLI_CROWD_SLICES / c->n_steps);
    r.last = (uint32_t)((uint64_t)t->end * CLI_CROWD_SLICES / c->n_steps);
    return r;
}

/* Moves an offset past all tensors of a list that are in the way. */
static uint64_t pass(
    cli_crowd_list *list, const gsp_tensor *t, uint64_t align, uint64_t offset, uint32_t *met)
{
    const cli_spot *spot = list->spots + list->at;
    const cli_spot *end = list->spots + list->n;
    for (; spot < end && spot->offset < offset + t->bytes; spot++) {
        if (spot->top > offset && spot->begin <= t->end && t->begin <= spot->end) {
            offset = (spot->top + align - 1u) / align * align;
            *met = spot->id;
        }
    }
    list->at = (uint32_t)(spot - list->spots);
    return offset;
}

uint64_t cli_crowd_find(
    cli_crowd *crowd, const gsp_tensor *t, uint64_t align, uint64_t least, uint32_t *met)
{
    range const r = slices_of(crowd, t);
    uint32_t const n = r.last - r.first + 2u;
    uint64_t offset = (least + align - 1u) / align * align;
    uint32_t calm = 0; /* lists in a row with nothing in the way */
    *met = GSP_NONE;
    for (uint32_t i = 0; i < n; i++) {
        crowd->lists[i == 0 ? CLI_CROWD_SLICES : r.first + i - 1u].at = 0;
    }
    for (uint32_t i = 0; calm < n; i = (i + 1u) % n) {
        cli_crowd_list *list = &crowd->lists[i == 0 ? CLI_CROWD_SLICES : r.first + i - 1u];
        uint64_t const next = list->n != 0 ? pass(list, t, align, offset, met) : offset;
        calm = next == offset ? calm + 1u : 1u;
        offset = next;
    }
    for (uint32_t i = 0; i < n; i++) {
        crowd->work += crowd->lists[i == 0 ? CLI_CROWD_SLICES : r.first + i - 1u].at;
    }
    return offset;
}

uint64_t cli_crowd_above(
    const cli_crowd *crowd, const gsp_tensor *t, uint64_t align, uint64_t least)
{
    range const r = slices_of(crowd, t);
    uint64_t top = crowd->lists[CLI_CROWD_SLICES].top;
    top = top > least ? top : least;
    for (uint32_t i = r.first; i <= r.last; i++) {
        top = crowd->lists[i].top > top ? crowd->lists[i].top : top;
    }
    return (top + align - 1u) / align * align;
}

static void insert(cli_session *s, cli_crowd_list *list, const cli_spot *spot)
{
    uint32_t low = 0;
    uint32_t high = list->n;
    if (list->n == list->room) {
        list->room = list->room * 2u + 16u;
        list->spots = (cli_spot *)cli_grow(s, list->spots, list->room * sizeof *list->spots);
    }
    while (low < high) {
        uint32_t const middle = low + (high - low) / 2u;
        if (list->spots[middle].offset <= spot->offset) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    memmove(list->spots + low + 1u, list->spots + low, (list->n - low) * sizeof *list->spots);
    list->spots[low] = *spot;
    list->top = spot->top > list->top ? spot->top : list->top;
    list->n++;
}

void cli_crowd_add(cli_crowd *crowd, const gsp_tensor *t, uint32_t id, uint64_t offset)
{
    range r = slices_of(crowd, t);
    cli_spot spot;
    spot.offset = offset;
    spot.top = offset + t->bytes;
    spot.begin = t->begin;
    spot.end = t->end;
    spot.id = id;
    if (r.last - r.first >= FEW) {
        r.first = r.last = CLI_CROWD_SLICES;
    }
    for (; r.first <= r.last; r.first++) {
        insert(crowd->session, &crowd->lists[r.first], &spot);
    }
}
