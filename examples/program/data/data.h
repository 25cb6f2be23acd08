/* The operator lists that are part of the program, and its rules of results in place. */
#ifndef CLI_DATA_DATA_H
#define CLI_DATA_DATA_H

typedef struct cli_operator_list {
    const char *name;         /* "ethos-u55"; NULL after the last */
    const char *const *lines; /* with their ends; NULL after the last */
} cli_operator_list;

extern const cli_operator_list cli_operator_lists[];

typedef struct cli_in_place_rules {
    const char *name; /* "litert"; NULL after the last, which is "all" and holds with all others */
    const char *text; /* lines `NAME POSITION,POSITION...`; see in_place.c */
} cli_in_place_rules;

extern const cli_in_place_rules cli_in_place_tables[];

#endif
