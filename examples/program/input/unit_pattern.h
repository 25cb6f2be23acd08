/* Patterns of operators for --units. */
#ifndef CLI_INPUT_UNIT_PATTERN_H
#define CLI_INPUT_UNIT_PATTERN_H

#include "core/session.h"

#define UNIT_MOST_STEPS 16u
#define UNIT_MOST_ARCS  64u

typedef struct unit_arc {
    uint32_t user;  /* a step */
    uint32_t input; /* the step that it reads */
} unit_arc;

typedef struct unit_pattern {
    gsp_str text;
    gsp_str steps[UNIT_MOST_STEPS]; /* NAME, with * and ?, or several with '|' */
    uint32_t n_steps;
    unit_arc arcs[UNIT_MOST_ARCS]; /* those of the last step first */
    uint32_t n_arcs;
} unit_pattern;

/* unit_pattern_read: NULL, or what is wrong with the text. */
const char *unit_pattern_read(unit_pattern *p, gsp_str text);

/* unit_step_fits: an operator of this name fits a step. */
int unit_step_fits(gsp_str step, gsp_str name);

#endif
