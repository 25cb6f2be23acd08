/* Parts that an earlier run has left in the directory of --emit. */
#ifndef CLI_OUTPUT_EARLIER_H
#define CLI_OUTPUT_EARLIER_H

#include "core/format.h"

/* The parts that an earlier run has left in a directory (earlier.c). */
typedef struct cli_earlier {
    gsp_str *names; /* [n] of files, some of them often */
    uint32_t n;
} cli_earlier;

/* cli_earlier_read: what a manifest lists, nothing when there is none. An error for one that lists
 * no parts, and when the model that is read is one of them. */
int cli_earlier_read(cli_session *s, const char *dir, const char *manifest, cli_earlier *earlier);

/* cli_earlier_remove: those of them that are no files of `parts`, and says so. */
void cli_earlier_remove(cli_session *s, const char *dir, const cli_earlier *earlier,
                        const cli_part *parts, size_t n_parts);

/* cli_has_data: a file of this name and ".data" belongs to the part. */
int cli_has_data(const cli_session *s, const cli_part *part);

#endif
