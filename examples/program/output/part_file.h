/* --part: the part of every node, one integer per line. */
#ifndef CLI_OUTPUT_PART_FILE_H
#define CLI_OUTPUT_PART_FILE_H

#include "core/session.h"

#define CLI_PART_FILE(offset)                                                                  \
    {                                                                                          \
        "--part", "FILE", CLI_STRING, offset, 0, 0,                                            \
            "write the part of every called node in graph order, one integer per line (.part " \
            "files of METIS and others)"                                                       \
    }

/* cli_part_write: nothing without a path. Returns an exit status. */
int cli_part_write(
    cli_session *s, const char *path, const gsp_graph *graph, const uint32_t *part_of);

#endif
