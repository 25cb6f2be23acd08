/* Accelerators, their operators, and pins: which node may run where, as the options say it. */
#ifndef CLI_INPUT_ACCELERATORS_H
#define CLI_INPUT_ACCELERATORS_H

#include "core/command.h"

/* clang-format off */
#define CLI_PLACE_OPTIONS                                                                          \
    {"--acc-ops", "OPS", CLI_LIST, 0, 0, 0,                                                        \
     "operators that the accelerator takes: a LIST such as ethos-u55 ('ops' prints them), "        \
     "NAME,NAME or @FILE (below); short for --accelerator acc=OPS"},                               \
    {"--accelerator", "NAME[=OPS]", CLI_LIST, 0, 0, 0,                                             \
     "an accelerator and its operators; several, in order of priority: a node goes to the first "  \
     "that takes it"},                                                                             \
    {"--acc-nodes", "NODES", CLI_LIST, 0, 0, 0,                                                    \
     "nodes for the (first) accelerator, whatever its operators: NAME,NAME or @FILE; * and ? " \
      "match"}, \
    {"--cpu-nodes", "NODES", CLI_LIST, 0, 0, 0, "nodes for the CPU, likewise"},                    \
    {"--pin", "KIND:WHAT:LIST", CLI_LIST, 0, 0, 0,                                                 \
     "KIND cpu or an accelerator; WHAT name, scope (a module path and all below it) or target. " \
      "The " \
     "last pin that matches wins over everything else"}
/* clang-format on */

/* Text about operator and pin lists for the help of passes that have CLI_PLACE_OPTIONS. */
#define CLI_PLACE_ABOUT                                                                            \
    "\nLists: NAME,NAME or @FILE ('@-' is standard input). OPS may also be or hold the name of a " \
    "LIST\n"                                                                                       \
    "  of the program: see 'ops'.\n"                                                               \
    "  An operator file has one operator a line: NAME, NAME* (a prefix), NAME i8,qi8 (only with\n" \
    "  these types of tensors), !NAME (takes it out again), # comments. The name of an operator "  \
    "is\n"                                                                                         \
    "  its target, of a called module its class. The last line that speaks of a node decides.\n"   \
    "  A file of nodes has names between blanks, commas or line ends, # comments.\n"               \
    "  Pins win over acc= of the graph, acc= wins over operators. Without operators a node is\n"   \
    "  supported where acc= says so. A pin without * and ? must name a called node.\n"             \
    "  A call of a graph goes where all nodes of that graph go.\n"

/* An operator that the options name. */
typedef struct cli_wanted {
    gsp_str name;
    const char *path; /* the file or list where it stands; NULL: the command line */
    int is_list;      /* of the program */
} cli_wanted;

typedef struct cli_place {
    uint32_t n_kinds;   /* the CPU included */
    const char **names; /* [n_kinds] "cpu", then the accelerators */
    gsp_accelerator *accelerators;
    gsp_pin *pins;
    const cli_given **pin_from; /* [n_pins] for messages */
    cli_wanted *wanted;         /* [n_wanted] in order */
    uint32_t n_wanted;
    gsp_support_desc desc;
} cli_place;

/* cli_place_read: accelerators and pins from the options. */
int cli_place_read(cli_session *s, cli_place *place);

#endif
