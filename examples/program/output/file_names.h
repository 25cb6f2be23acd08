/* Names of files from names of parts. */
#ifndef CLI_OUTPUT_FILE_NAMES_H
#define CLI_OUTPUT_FILE_NAMES_H

#include "core/format.h"

/* cli_file_names: fills `stem` of all parts: the name of the part, where it is a file name.
 * Separators, control characters and what is no UTF-8 become '_', a first dot too. A name that is
 * reserved, or that an earlier part has (upper and lower case are the same), ends in '_' and the
 * part's number. */
void cli_file_names(cli_session *s, cli_part *parts, size_t n_parts);

/* cli_file_folded: a copy in lower case, since some systems do not distinguish case in names. */
char *cli_file_folded(cli_session *s, gsp_str name);

#endif
