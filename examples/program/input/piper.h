/* Instances of Piper, a planner of pipelines (Tarnawski et al. 2021), as a file format. */
#ifndef CLI_INPUT_PIPER_H
#define CLI_INPUT_PIPER_H

#include "core/format.h"

/* Accepts .json. A layer becomes a called module: compute= is its time on one device, params= the
 * bytes that replicas agree on, fixed= its memory, kept= what each microbatch adds, comm= the
 * time to move its output there and back, and each= that per reader. */
extern const cli_format cli_piper_format;

#endif
