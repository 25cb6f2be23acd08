/* Arenas of passes; --time and --arena. */
#ifndef CLI_CORE_MEASURE_H
#define CLI_CORE_MEASURE_H

#include "core/benchmark.h"
#include "core/session.h"

typedef struct cli_timing {
    uint64_t median; /* ns */
    uint64_t least;
    size_t used;   /* most bytes of the arena in use */
    cli_runs runs; /* of --time-json */
} cli_timing;

typedef gsp_status (*cli_work)(void *user, gsp_arena *arena, gsp_error *err);

/* cli_pass_arena: an arena of --arena bytes if given, else of the bound. OVERFLOW: there is no
 * bound. */
int cli_pass_arena(cli_session *s, gsp_arena *arena, size_t bound);

/* cli_measure: runs the work --time times (else once), each time from the same mark. */
gsp_status cli_measure(cli_session *s, gsp_arena *arena, cli_work work, void *user,
    cli_timing *timing, gsp_error *err);

/* cli_time_line: prints the line of --time on standard error, and keeps the document of
 * --time-json; nothing without --time. */
void cli_time_line(
    cli_session *s, uint32_t nodes, uint32_t edges, size_t bound, const cli_timing *timing);

/* cli_time_json: writes that document; refuses if nothing was measured. Returns an exit status. */
int cli_time_json(cli_session *s);

#endif
