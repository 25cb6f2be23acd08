/* The command `module`: a section per file of this folder, from the bottom up. */
#ifndef CLI_COMMANDS_MODULE_MODULE_H
#define CLI_COMMANDS_MODULE_MODULE_H

#include "core/core.h"

/* ==== facts ====
 * The input and the results of the command `module`. */

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

/* ==== json ====
 * The JSON of `module`. */

void module_json(const module_work *w, cli_buffer *out);

/* ==== people ====
 * The report of `module` for people. */

void module_people(const module_work *w, cli_buffer *out);

/* ==== porcelain ====
 * The porcelain of `module`. */

void module_porcelain(const module_work *w, cli_buffer *out);

/* ==== module ====
 * The command `module`. */

extern const cli_pass cli_module_pass;

#endif
