/* Orders of tasks with the least peak of live bytes. Knows no graphs. */
#ifndef CLI_ALGORITHMS_ORDER_SEARCH_H
#define CLI_ALGORITHMS_ORDER_SEARCH_H

#include "core/session.h"

/* Rows of numbers: of i, at[begin[i] .. begin[i + 1]). */
typedef struct order_rows {
    uint32_t *begin;
    uint32_t *at;
} order_rows;

/* Tasks 0 .. n - 1 in an order that works. A tensor is live from the task that makes it to the last
 * one that reads it; task n reads what lives to the end, and never runs. */
typedef struct order_tasks {
    uint32_t n;
    uint32_t n_tensors;
    order_rows before;  /* [n] tasks that must run before one */
    order_rows after;   /* [n] the same, the other way */
    order_rows makes;   /* [n] tensors, each by one task at most */
    order_rows reads;   /* [n] tensors, each once */
    order_rows readers; /* [n_tensors] tasks, also n */
    uint64_t *bytes;    /* [n_tensors] */
    uint64_t *extra;    /* [n] bytes that are needed only while a task runs */
    uint32_t *earliest; /* [n] tasks that must be done, however many they are, before a task */
    uint64_t live;      /* bytes that are live before the first task */
    uint64_t peak;      /* what every order needs anyway */
} order_tasks;

typedef struct order_result {
    uint32_t *order; /* [n]; first of all 0, 1, 2, ... */
    uint64_t peak;
    uint64_t lower_bound; /* the peak if that is proved */
    uint64_t work;        /* tasks tried as the next one */
    uint64_t bytes;       /* memory of the search */
} order_result;

/* order_start: the given order: its peak, and a lower bound. */
void order_start(cli_session *s, const order_tasks *t, order_result *r);

/* order_search: replaces the order by better ones while there is work left, by searches that keep
 * `beam` sets of done tasks per step, until so many of them have found nothing. */
void order_search(cli_session *s, const order_tasks *t, uint32_t beam, uint32_t tries,
    uint64_t max_work, order_result *r);

/* order_other: some other order, a different one for each number: breadth first, depth first, least
 * live bytes first, then at random. */
void order_other(cli_session *s, const order_tasks *t, uint32_t number, uint32_t *order);

#endif
