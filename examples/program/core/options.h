/* Options: the table of a command says how they are read and what --help prints. */
#ifndef CLI_CORE_OPTIONS_H
#define CLI_CORE_OPTIONS_H

#include "core/command.h"

/* cli_options_read: fills `fields` and session->common, given, positional. Sets common.help if
 * --help is among the options. Returns an exit status. */
int cli_options_read(cli_session *s, void *fields, int argc, char **argv);

/* cli_bytes_read: a number of bytes, of which K, M, G, T, P, E (with or without iB) are 1024^1..6.
 * 0: not a number (*bytes is 0), or more than 64 bits (UINT64_MAX). */
int cli_bytes_read(gsp_str text, uint64_t *bytes);

/* cli_rate_read: --transfer-rate in bytes per second: 1GiB, else any number, which the pass checks.
 * NULL: not given. Returns an exit status. */
int cli_rate_read(cli_session *s, const char *text, uint32_t *given, double *rate);

/* cli_bytes_meant: what a text such as 16GB was meant to be, 16GiB; NULL: nothing near. */
const char *cli_bytes_meant(cli_session *s, gsp_str text);

/* cli_options_help: the help of a pass, on session->out. */
void cli_options_help(cli_session *s, const cli_pass *pass);

/* cli_wants_colour: decided by --color, NO_COLOR and the terminal. */
int cli_wants_colour(const cli_session *s);

/* cli_one_file: the last positional as session->path; more positionals are an error. */
int cli_one_file(cli_session *s);

#endif
