/* First fit for many tensors. The offset of a search only grows, past every tensor in its way, so
 * each list is read once, in order; the search ends when no list has a tensor in its way any more.
 */
#include "algorithms/algorithms.h"

#include "core/core.h"

#include <string.h>

#define BLOCK 64u /* spots, at most */
#define MANY  16u /* slices of a tensor that is searched for in the list of all */
#define LONG  CLI_CROWD_SLICES
#define ALL   (CLI_CROWD_SLICES + 1u)
#define FEW   4u /* slices that list a tensor; a tensor in more of them is in the last list */

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

static uint64_t aligned(uint64_t offset, uint64_t align)
{
    return (offset + align - 1u) / align * align;
}

/* Whether no spot of a block is in the way from this offset on. */
static int is_clear(const cli_crowd_block *b, const gsp_tensor *t, uint64_t offset)
{
    return b->spots[b->highest].top <= offset || b->first_begin > t->end || b->last_end < t->begin;
}

/* Whether all spots of a block live beside a tensor, with no gap in which it fits. */
static int is_wall(const cli_crowd_block *b, const gsp_tensor *t)
{
    return b->last_begin <= t->end && t->begin <= b->first_end && b->gap < t->bytes;
}

/* Moves an offset past a spot that is in the way. */
static void pass_spot(
    const cli_spot *spot, const gsp_tensor *t, uint64_t align, uint64_t *offset, uint32_t *met)
{
    if (spot->top > *offset && spot->begin <= t->end && t->begin <= spot->end) {
        *offset = aligned(spot->top, align);
        *met = spot->id;
    }
}

/* Moves an offset past all tensors of a list that are in the way. */
static void pass(cli_crowd *crowd, cli_crowd_list *list, const gsp_tensor *t, uint64_t align,
    uint64_t *offset, uint32_t *met)
{
    for (; list->at < list->n; list->at++, list->at_spot = 0) {
        const cli_crowd_block *b = &list->blocks[list->at];
        crowd->work++;
        if (list->at_spot == 0 && b->spots[0].offset < *offset + t->bytes && is_wall(b, t)) {
            pass_spot(&b->spots[b->highest], t, align, offset, met);
            continue;
        }
        if (is_clear(b, t, *offset)) {
            continue;
        }
        for (; list->at_spot < b->n; list->at_spot++, crowd->work++) {
            if (b->spots[list->at_spot].offset >= *offset + t->bytes) {
                return;
            }
            pass_spot(&b->spots[list->at_spot], t, align, offset, met);
        }
    }
}

/* The i-th list of a search. */
static cli_crowd_list *list_at(cli_crowd *c, range r, uint32_t i)
{
    return &c->lists[r.last - r.first >= MANY ? ALL : i == 0 ? LONG : r.first + i - 1u];
}

uint64_t cli_crowd_find(
    cli_crowd *crowd, const gsp_tensor *t, uint64_t align, uint64_t least, uint32_t *met)
{
    range const r = slices_of(crowd, t);
    uint32_t const n = r.last - r.first >= MANY ? 1u : r.last - r.first + 2u;
    uint64_t offset = aligned(least, align);
    uint32_t calm = 0; /* lists in a row with nothing in the way */
    *met = GSP_NONE;
    for (uint32_t i = 0; i < n; i++) {
        cli_crowd_list *list = list_at(crowd, r, i);
        list->at = list->at_spot = 0;
    }
    for (uint32_t i = 0; calm < n; i = (i + 1u) % n) {
        uint64_t const before = offset;
        pass(crowd, list_at(crowd, r, i), t, align, &offset, met);
        calm = before == offset ? calm + 1u : 1u;
    }
    return offset;
}

uint64_t cli_crowd_above(
    const cli_crowd *crowd, const gsp_tensor *t, uint64_t align, uint64_t least)
{
    range const r = slices_of(crowd, t);
    uint64_t top = crowd->lists[LONG].top;
    top = top > least ? top : least;
    for (uint32_t i = r.first; i <= r.last; i++) {
        top = crowd->lists[i].top > top ? crowd->lists[i].top : top;
    }
    return aligned(top, align);
}

/* Says anew what a search needs of a block. */
static void measure(cli_crowd_block *b)
{
    uint64_t top = b->spots[0].top;
    b->highest = 0;
    b->first_begin = b->last_begin = b->spots[0].begin;
    b->first_end = b->last_end = b->spots[0].end;
    b->gap = 0;
    for (uint32_t i = 1; i < b->n; i++) {
        const cli_spot *spot = &b->spots[i];
        uint64_t const gap = spot->offset > top ? spot->offset - top : 0u;
        b->gap = gap > b->gap ? gap : b->gap;
        b->first_begin = spot->begin < b->first_begin ? spot->begin : b->first_begin;
        b->last_begin = spot->begin > b->last_begin ? spot->begin : b->last_begin;
        b->first_end = spot->end < b->first_end ? spot->end : b->first_end;
        b->last_end = spot->end > b->last_end ? spot->end : b->last_end;
        b->highest = spot->top > top ? i : b->highest;
        top = spot->top > top ? spot->top : top;
    }
}

/* Opens an empty block at `at`. */
static cli_crowd_block *open_block(cli_session *s, cli_crowd_list *list, uint32_t at)
{
    if (list->n == list->room) {
        list->room = list->room * 2u + 4u;
        list->blocks =
            (cli_crowd_block *)cli_grow(s, list->blocks, list->room * sizeof *list->blocks);
    }
    cli_crowd_block *b = list->blocks + at;
    memmove(b + 1, b, (list->n - at) * sizeof *b);
    b->spots = (cli_spot *)cli_alloc(s, BLOCK, sizeof *b->spots);
    b->n = 0;
    list->n++;
    return b;
}

/* The block that takes a spot of this offset, with room for it. */
static cli_crowd_block *block_for(cli_session *s, cli_crowd_list *list, uint64_t offset)
{
    uint32_t low = 0;
    uint32_t high = list->n;
    while (low < high) {
        uint32_t const middle = low + (high - low) / 2u;
        if (list->blocks[middle].spots[0].offset <= offset) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    low -= low != 0;
    if (list->n == 0) {
        return open_block(s, list, 0);
    }
    if (list->blocks[low].n == BLOCK) {
        cli_crowd_block *b = open_block(s, list, low + 1u);
        b->n = BLOCK / 2u;
        list->blocks[low].n -= b->n;
        memcpy(b->spots, b[-1].spots + b[-1].n, b->n * sizeof *b->spots);
        measure(b - 1);
        measure(b);
        low += b->spots[0].offset <= offset;
    }
    return &list->blocks[low];
}

static void insert(cli_session *s, cli_crowd_list *list, const cli_spot *spot)
{
    cli_crowd_block *b = block_for(s, list, spot->offset);
    uint32_t at = b->n;
    while (at > 0 && b->spots[at - 1u].offset > spot->offset) {
        b->spots[at] = b->spots[at - 1u];
        at--;
    }
    b->spots[at] = *spot;
    b->n++;
    measure(b);
    list->top = spot->top > list->top ? spot->top : list->top;
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
    insert(crowd->session, &crowd->lists[ALL], &spot);
    if (r.last - r.first >= FEW) {
        r.first = r.last = LONG;
    }
    for (; r.first <= r.last; r.first++) {
        insert(crowd->session, &crowd->lists[r.first], &spot);
    }
}

void cli_crowd_close(cli_crowd *crowd)
{
    for (uint32_t i = 0; i <= ALL; i++) {
        cli_crowd_list *list = &crowd->lists[i];
        for (uint32_t k = 0; k < list->n; k++) {
            cli_release(crowd->session, list->blocks[k].spots);
        }
        cli_release(crowd->session, list->blocks);
    }
}
