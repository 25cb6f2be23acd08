/* Parts of an earlier run in the directory of --emit. */
#ifndef CLI_OUTPUT_EARLIER_H
#define CLI_OUTPUT_EARLIER_H

#include "core/format.h"

/* The files of an earlier run in a directory (earlier.c). */
typedef struct cli_earlier {
    gsp_str *names; /* [n] files, some of them repeated */
    uint32_t n;
    int is_there;      /* there is a manifest */
    uint8_t stands[2]; /* 1: the parts are in that stage (emit.c), since that run was ended early */
} cli_earlier;

/* cli_stage: the name of a stage, a directory within that of --emit. */
const char *cli_stage(uint32_t number);

/* cli_stage_check: an error if an input is in the stage, all of which is removed. */
int cli_stage_check(cli_session *s, const char *dir, uint32_t number);

/* cli_earlier_read: the files that a manifest lists; none if there is no manifest. An error if it
 * lists no parts, or if one of them is an input. */
int cli_earlier_read(cli_session *s, const char *dir, const char *manifest, cli_earlier *earlier);

/* cli_earlier_remove: removes and reports those that are none of these files. */
void cli_earlier_remove(cli_session *s, const char *dir, const cli_earlier *earlier,
    const char *const *files, size_t n_files);

/* cli_has_data: the part also has a file of its name and ".data". */
int cli_has_data(const cli_session *s, const cli_part *part);

#endif
