/* Parts that are the same program under other names. */
#ifndef CLI_OUTPUT_FINGERPRINTS_H
#define CLI_OUTPUT_FINGERPRINTS_H

#include "core/session.h"

/* cli_fingerprints: the fingerprints of all graphs of a module; NULL: one of them calls itself. */
const gsp_fingerprint *cli_fingerprints(cli_session *s, const gsp_module *module);

/* cli_json_fingerprint: `"fingerprint": "..."`, or null. */
void cli_json_fingerprint(cli_buffer *b, const gsp_fingerprint *print);

/* The option that prints fingerprints. */
#define CLI_FINGERPRINTS(offset)                                                                   \
    {                                                                                              \
        "--fingerprints", NULL, CLI_FLAG, offset, 0, 0,                                            \
            "for people: which graphs are the same program under other names, to be compiled once" \
    }

/* cli_put_programs: for people, which of the graphs first, first + 1, ... of a module are the same
 * program. */
void cli_put_programs(cli_buffer *out, const gsp_module *module, uint32_t first, uint32_t count);

#endif
