/* The input and the results of the command `module`. */
#ifndef CLI_COMMANDS_MODULE_FACTS_H
#define CLI_COMMANDS_MODULE_FACTS_H

#include "core/measure.h"

typedef struct module_options {
    uint32_t keep_order;
    uint32_t return_tuple;
    uint32_t number_inputs;
    uint32_t fingerprints;
    uint32_t ignore_writes;
    const char *prefix;
    const char *emit;
    const char *plan;
    const char *save_plan;
    const char *part;
} module_options;

typedef struct module_work {
    cli_session *session;
    module_options opt;
    gsp_graph graph;
    gsp_counts counts;
    uint32_t n_parts;
    const uint32_t *part_of; /* [n] */
    gsp_str *names;          /* [n_parts] of partitions */
    int numbered;            /* the names are numbers */
    gsp_split_module_desc desc;
    gsp_split_module_result result;
    cli_timing timing;
    size_t bound;
} module_work;

/* module_string: a string of the module. */
gsp_str module_string(const module_work *w, gsp_atom s);

/* module_name: the name of one of its graphs. */
gsp_str module_name(const module_work *w, uint32_t graph);

#endif
