/* The command `split`, and its pass for other commands. */
#ifndef CLI_COMMANDS_SPLIT_SPLIT_H
#define CLI_COMMANDS_SPLIT_SPLIT_H

#include "commands/split/facts.h"
#include "output/writes.h"

#include <stddef.h>

/* Options that control the split, for every command that splits. */
/* clang-format off */
#define SPLIT_CUT_OPTIONS                                                                          \
    {"--min-acc-module-size", "N", CLI_NUMBER, offsetof(split_options, min_size), 0, UINT32_MAX,   \
     "accelerator subgraphs with fewer than N nodes go to the CPU; 1: none do"},                   \
    {"--waive-min-size", NULL, CLI_FLAG, offsetof(split_options, waive_min_size), 0, 0,            \
     "ignore the minimum when an accelerator supports every callable node"},                       \
    {"--max-acc-module-size", "N", CLI_NUMBER, offsetof(split_options, max_size), 0, UINT32_MAX,   \
     "accelerator subgraphs with more than N nodes are cut; 0: no limit"},   \
    {"--max-acc-splits", "N", CLI_NUMBER, offsetof(split_options, limit), 0, UINT32_MAX,           \
     "at most N subgraphs, including those on the CPU; 0: no limit"},                              \
    {"--max-acc", "N", CLI_NUMBER, offsetof(split_options, max_acc), 0, UINT32_MAX,                \
     "at most N accelerator subgraphs, by --limit-policy exact; 0: no limit"},                     \
    {"--limit-policy", "error|demote|exact", CLI_CHOICE, offsetof(split_options, limit_policy), 0, \
     0,                                                                                            \
     "what happens above the limit: the pass fails (the default), the least valuable accelerator " \
     "subgraphs go to the CPU (demote), or the nodes of least value do (exact)"},                  \
    {"--value", "count|bytes|nodes|time", CLI_CHOICE, offsetof(split_options, value), 0, 0,        \
     "the value of what gives way: its number of nodes (the default), the bytes that they read "   \
     "and produce; or nodes, or the time that the accelerator saves (cpu= less compute=), by "     \
     "--limit-policy exact"},                                                                      \
    {"--start", "reference|best", CLI_CHOICE, offsetof(split_options, best_start), 0, 0,           \
     "the kind of the first subgraph: as in PyTorch (the default), or what gives the fewest "      \
     "subgraphs"},                                                                                 \
    {"--order",                                                                                    \
     "reference|min-traffic|min-traffic:written|min-traffic:read|min-traffic:resident",            \
     CLI_CHOICE, offsetof(split_options, order), 0, 0,                                             \
     "as many subgraphs, with the fewest bytes written by them (the default of min-traffic), read "\
     "by them, or kept from one to the next until the last reader"},                               \
    {"--skip-fusion", NULL, CLI_FLAG, offsetof(split_options, skip_fusion), 0, 0,                  \
     "do not group nodes that pass non-tensor values to each other"},                              \
    {"--allow-non-tensor", NULL, CLI_FLAG, offsetof(split_options, allow_non_tensor), 0, 0,        \
     "non-tensor values may cross between subgraphs"},                                             \
    {"--move-non-tensor-nodes-on-boundary", NULL, CLI_FLAG,                                        \
     offsetof(split_options, move_non_tensor), 0, 0,                                               \
     "move a non-tensor node to the one other subgraph that contains all of its readers"},         \
    CLI_IGNORE_WRITES(offsetof(split_options, ignore_writes)),                                     \
    {"--prefix", "P", CLI_STRING, offsetof(split_options, prefix), 0, 0,                           \
     "names of subgraphs are P, kind, _, number; default _run_on_"}
/* clang-format on */

/* split_check_options: checks the options; reads accelerators and pins. */
int split_check_options(split *p);

/* split_start: reads the file, places the nodes, splits, makes the tags. */
int split_start(split *p);

extern const cli_pass cli_split_pass;

#endif
