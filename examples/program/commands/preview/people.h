/* The report of `preview` for people. */
#ifndef CLI_COMMANDS_PREVIEW_PEOPLE_H
#define CLI_COMMANDS_PREVIEW_PEOPLE_H

#include "commands/preview/facts.h"

void preview_people(const preview *w, cli_buffer *out);

#endif
