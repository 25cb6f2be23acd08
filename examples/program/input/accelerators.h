/* Accelerators, their operators, and pins, as the options give them. */
#ifndef CLI_INPUT_ACCELERATORS_H
#define CLI_INPUT_ACCELERATORS_H

#include "core/command.h"

/* clang-format off */
#define CLI_PLACE_OPTIONS                                                                          \
    {"--acc-ops", "OPS", CLI_LIST, 0, 0, 0,                                                        \
     "operators that the accelerator supports: a LIST such as ethos-u55 ('ops' prints them), "     \
     "NAME,NAME or @FILE (below); short for --accelerator acc=OPS"},                               \
    {"--accelerator", "NAME[=OPS]", CLI_LIST, 0, 0, 0,                                             \
     "an accelerator and its operators; may be repeated, in order of priority: a node goes to "    \
     "the first accelerator that supports it"},                                                    \
    {"--acc-nodes", "NODES", CLI_LIST, 0, 0, 0,                                                    \
     "nodes that go to the (first) accelerator, whatever its operators: NAME,NAME or @FILE; * "    \
     "and ? match"},                                                                               \
    {"--cpu-nodes", "NODES", CLI_LIST, 0, 0, 0, "nodes that go to the CPU, in the same form"},     \
    {"--pin", "KIND:WHAT:LIST", CLI_LIST, 0, 0, 0,                                                 \
     "KIND is cpu or an accelerator; WHAT is name, scope (a module path and all below it) or "     \
     "target; the last pin that matches wins over everything else"},                               \
    {"--units", "qdq|FILE|PATTERN", CLI_LIST, 0, 0, 0,                                             \
     "nodes that a split must not tear: what is between DequantizeLinear and QuantizeLinear, or "  \
     "patterns of operators such as conv+bias+relu (below)"}
/* clang-format on */

/* The help on operator and pin lists, for passes that have CLI_PLACE_OPTIONS. */
#define CLI_PLACE_ABOUT                                                                            \
    "\n"                                                                                           \
    "Lists: NAME,NAME or @FILE ('@-' is standard input). OPS may also be or contain the name of "  \
    "a\n"                                                                                          \
    "  LIST of the program: see 'ops'.\n"                                                          \
    "  An operator file has one operator per line: NAME, NAME* (a prefix), NAME i8,qi8 (only "     \
    "for\n"                                                                                        \
    "  tensors of these types), !NAME (removes it), # comments. The name of an operator is its\n"  \
    "  target; of a called module, its class. The last line that matches a node decides.\n"        \
    "  Constraints may end a line: 'NAME qi8 kernel<=64x64 stride==1 const(1,2) rank(out)<=4\n"    \
    "  dim(0,-1)>=8 act in relu,none'; see the manual. '# One subgraph' in a file: nothing\n"      \
    "  behind the first subgraph is taken.\n"                                                      \
    "  A file of nodes has names separated by blanks, commas or line ends, and # comments.\n"      \
    "  Pins win over acc= in the graph, and acc= wins over operators. Without operators, acc= "    \
    "alone\n"                                                                                      \
    "  says what is supported. A pin without * and ? must name a called node.\n"                   \
    "  A call of a child graph goes where all nodes of that graph go.\n"                           \
    "\n"                                                                                           \
    "Units: 'qdq' is every operator between DequantizeLinear and QuantizeLinear, with both. A\n"   \
    "  file has one pattern per line, the most important first: NAME+NAME+NAME is a chain. A\n"    \
    "  step that reads other steps than the one before it names them: conv+sigmoid+mul(1,2). A\n"  \
    "  step may be NAME|NAME or NAME*. Only the last node of a unit is read from outside. Units\n" \
    "  never overlap: a node belongs to the first pattern that finds it, in graph order. A unit\n" \
    "  that no accelerator takes as a whole stays on the CPU.\n"

/* An operator that the options name. */
typedef struct cli_wanted {
    gsp_str name;
    const char *path; /* the file or list that names it; NULL: the command line */
    int is_list;      /* of the program */
} cli_wanted;

typedef struct cli_place {
    uint32_t n_kinds;   /* the CPU included */
    const char **names; /* [n_kinds] "cpu", then the accelerators */
    gsp_accelerator *accelerators;
    gsp_rule *rules; /* [n_kinds - 1] their tables */
    gsp_pin *pins;
    const cli_given **pin_from; /* [n_pins] for messages */
    cli_wanted *wanted;         /* [n_wanted] in order */
    uint32_t n_wanted;
    int is_bound;      /* cli_place_is_bound() */
    uint8_t once[256]; /* [n_kinds] 1: cli_operators_run_once() */
    gsp_support_desc desc;
} cli_place;

/* cli_place_is_bound: some list says that it is an upper bound of what an accelerator takes. */
int cli_place_is_bound(const cli_place *place);

/* cli_place_read: accelerators and pins from the options. */
int cli_place_read(cli_session *s, cli_place *place);

#endif
