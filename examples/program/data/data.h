/* The operator lists that are part of the program. */
#ifndef CLI_DATA_DATA_H
#define CLI_DATA_DATA_H

typedef struct cli_operator_list {
    const char *name;         /* "ethos-u55"; NULL after the last */
    const char *const *lines; /* with their ends; NULL after the last */
} cli_operator_list;

extern const cli_operator_list cli_operator_lists[];

#endif
