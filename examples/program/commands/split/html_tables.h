/* What the report has beside the split: attributes of nodes, and the tables of the command line. */
#ifndef CLI_COMMANDS_SPLIT_HTML_TABLES_H
#define CLI_COMMANDS_SPLIT_HTML_TABLES_H

#include "commands/split/facts.h"

/* split_html_tables: members of the report's JSON document, each with a comma before it. */
void split_html_tables(const split *p, const split_facts *f, cli_buffer *out);

#endif
