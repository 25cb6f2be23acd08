/* --html: a report in one file. */
#ifndef CLI_COMMANDS_SPLIT_HTML_H
#define CLI_COMMANDS_SPLIT_HTML_H

#include "commands/split/facts.h"

void split_html(const split *p, cli_buffer *out);

#endif
