/* Downsets of units: sets that hold, with a unit, all that come before it. A stage is what one
 * downset has more than another. Knows no graphs. */
#ifndef CLI_ALGORITHMS_DOWNSETS_H
#define CLI_ALGORITHMS_DOWNSETS_H

#include "core/session.h"

/* Rows of numbers: of i, at[begin[i] .. begin[i + 1]). */
typedef struct cli_rows {
    uint32_t *begin;
    uint32_t *at;
} cli_rows;

/* What a unit takes, or a value that several units make or read. */
typedef struct cli_weight {
    uint64_t time;  /* ticks on a device */
    uint64_t host;  /* ticks on a CPU core */
    uint64_t move;  /* of a value: ticks, where some of its units are in a stage and others not */
    uint64_t bytes; /* that a device holds all the time */
    uint64_t sync;  /* ticks to move what replicas have to agree on */
    uint64_t stash; /* bytes per microbatch */
    uint32_t no_device;
    uint32_t no_host;
} cli_weight;

/* Units 0 .. n - 1 in an order that works. */
typedef struct cli_units {
    uint32_t n;
    uint32_t n_values;
    cli_rows before;    /* [n] units that come before one */
    cli_rows after;     /* [n] the same, the other way */
    cli_rows values;    /* [n] values that a unit makes or reads, each once */
    cli_rows members;   /* [n_values] the same, the other way: two units at least */
    cli_weight *own;    /* [n] */
    cli_weight *shared; /* [n_values] */
} cli_units;

/* Downsets by their size; the first is empty, the last is whole. Edges lead to sets with one unit
 * more. */
typedef struct cli_downsets {
    uint32_t n;
    size_t width;    /* words of a set */
    uint32_t *sets;  /* [n * width] */
    uint32_t *begin; /* [n + 1] edges of a set */
    uint32_t *unit;  /* [edges] */
    uint32_t *to;    /* [edges] */
    uint64_t *move;  /* [n] ticks of the values that have units on both sides of a set */
    uint64_t *stash; /* [n] and their bytes */
    int complete;    /* these are all downsets */
} cli_downsets;

/* cli_downsets_make: at most `beam` downsets per size with little to move, and the beginnings of
 * `n_orders` orders of the units; beam 0: all, or none if they are more than `limit`. */
void cli_downsets_make(cli_session *s, const cli_units *units, uint32_t limit, uint32_t beam,
    const uint32_t *orders, uint32_t n_orders, cli_downsets *made);

void cli_downsets_free(cli_session *s, cli_downsets *made);

/* cli_downset_has: whether a unit is in a set. */
int cli_downset_has(const cli_downsets *d, uint32_t set, uint32_t unit);

#endif
