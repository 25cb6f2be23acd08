/* A command of the program, and the table of its options. */
#ifndef CLI_CORE_COMMAND_H
#define CLI_CORE_COMMAND_H

#include "core/session.h"

typedef enum cli_option_kind {
    CLI_FLAG,   /* uint32_t: 1 */
    CLI_NUMBER, /* uint64_t, at least `least`, at most `most` */
    CLI_BYTES,  /* the same as cli_bytes_read() takes it: 65536, 32MiB, 1.5G, 1e9 */
    CLI_STRING, /* const char * */
    CLI_CHOICE, /* uint32_t: index of the word in `value`, "error|demote" */
    CLI_MAYBE,  /* cli_maybe: --name or --name=VALUE */
    CLI_LIST    /* kept in order in session->given */
} cli_option_kind;

/* Help texts. A program that prints none defines this macro to shrink each text to one byte. */
#ifdef CLI_NO_HELP
typedef char cli_help[1];
#else
typedef const char *cli_help;
#endif

typedef struct cli_option {
    const char *name; /* "--min-acc-module-size" */
    const char *value;
    cli_option_kind kind;
    size_t offset; /* of the field in the options of the pass */
    uint64_t least;
    uint64_t most;
    cli_help help;
} cli_option;

typedef struct cli_maybe {
    uint32_t given;
    const char *value; /* NULL: none */
} cli_maybe;

struct cli_given {
    const cli_option *option;
    const char *value;
};

/* A command of the program. */
struct cli_pass {
    const char *name;
    cli_help usage;   /* "[options] FILE" */
    cli_help summary; /* one line */
    cli_help about;   /* printed in the help after the options */
    const cli_option *options;
    size_t n_options;
    int (*run)(
        cli_session *s, int argc, char **argv); /* the arguments after the name of the pass */
    cli_help examples[2]; /* the arguments of two command lines, for the end of the help */
};

#endif
