/* What is worth offloading, in every output. */
#ifndef CLI_COMMANDS_SPLIT_SHOW_WORTH_H
#define CLI_COMMANDS_SPLIT_SHOW_WORTH_H

#include "commands/split/facts.h"

/* split_put_verdict: the first line of the report. */
void split_put_verdict(const split *p, cli_buffer *out);

/* split_put_worth: what subgraphs save, and the best time with few of them. */
void split_put_worth(const split *p, cli_buffer *out);

void split_porcelain_worth(const split *p, cli_buffer *out);
void split_json_worth(const split *p, cli_buffer *out);
void split_html_worth(const split *p, cli_buffer *out);

#endif
