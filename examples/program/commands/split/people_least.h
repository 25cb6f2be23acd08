/* Figures of a split that are not known, for a dimension is no number or a TYPE is missing. */
#ifndef CLI_COMMANDS_SPLIT_PEOPLE_LEAST_H
#define CLI_COMMANDS_SPLIT_PEOPLE_LEAST_H

#include "commands/split/facts.h"

/* Figures of a subgraph: bits. */
typedef enum split_least_bit {
    SPLIT_LEAST_IN = 1,
    SPLIT_LEAST_OUT = 2,
    SPLIT_LEAST_PEAK = 4,
    SPLIT_LEAST_PARAMS = 8
} split_least_bit;

/* 1: the bytes are a lower bound. */
typedef struct split_least {
    uint8_t *subgraphs; /* [n_subgraphs] bits */
    int yielded[2];     /* all, on_acc */
    int params[2];
    int boundary;
    int rest; /* crossings from CPU to CPU */
} split_least;

void split_least_make(const split *p, split_least *least);

#endif
