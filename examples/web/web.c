/* graphsplit in the browser: the `split` command as it is on the command line, with files in
 * memory. An instance runs once:
 *     room(size)             memory for the caller's bytes, 0: none left
 *     add(path, data, size)  a file for the program, of memory from room(); 0: no memory left
 *     run(list, size)        the arguments behind `split`, each with a NUL behind it; exit status
 *     file(i)                0 standard output, 1 standard error, 2 ... those that run() wrote:
 *                            path, data, size as 32-bit words; NULL: there are no more
 * When run() traps, status() says whether the program ended itself. */
#include "web.h"

#include "commands/split/dot.h"
#include "commands/split/explorer.h"
#include "commands/split/json.h"
#include "commands/split/map.h"
#include "commands/split/replay.h"
#include "commands/split/split.h"
#include "core/distance.h"
#include "core/error.h"
#include "core/sys.h"
#include "core/measure.h"
#include "input/dims.h"
#include "input/foreign.h"
#include "input/operators.h"
#include "input/returned.h"
#include "input/text.h"
#include "input/tflite.h"
#include "input/unmatched.h"
#include "output/earlier.h"
#include "output/file_names.h"
#include "output/fingerprints.h"
#include "output/writes.h"
#include "report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* The page already contains the drawing code, so the report consists of the data only. */
const char *const report_page[] = {"@DATA@\n", NULL};

static int ended = -1; /* the status of exit() */

/* ---- what differs between systems ---- */

int cli_is_terminal(int number)
{
    (void)number;
    return 0;
}

uint64_t cli_now(void)
{
    return 0;
}

void cli_lock_dir(const char *path)
{
    (void)path;
}

int cli_make_dir(const char *path)
{
    (void)path;
    return 1;
}

void cli_remove_file(const char *path)
{
    (void)path;
}

void cli_remove_dir(const char *path)
{
    (void)path;
}

int cli_is_same_file(const char *a, const char *b)
{
    (void)a;
    (void)b;
    return 0;
}

/* The page reads no plan, so names of parts are "root" and "_run_on_KIND_N". */
void cli_file_names(cli_session *s, cli_part *parts, size_t n_parts)
{
    size_t i;
    for (i = 0; i < n_parts; i++) {
        parts[i].stem = cli_copy(s, gsp_str_of(parts[i].name));
    }
}

int cli_has_data(const cli_session *s, const cli_part *part)
{
    (void)s;
    (void)part;
    return 0;
}

const char *cli_map(const char *path, size_t least, size_t *size)
{
    (void)path;
    (void)least;
    (void)size;
    return NULL;
}

/* ---- what the page does not offer, so that the program is small ---- */

int split_from_plan(split *p)
{
    return cli_usage_error(p->session, "not taken here");
}

int split_plan_error(const split *p, const gsp_error *err)
{
    return cli_pass_error(p->session, &p->graph, err);
}

int cli_dims_set(cli_session *s)
{
    return s->n_dims == 0 ? CLI_EXIT_OK : cli_usage_error(s, "not taken here");
}

/* No other name is near. */
void cli_put_near(const gsp_graph *graph, gsp_str name, cli_buffer *out)
{
    (void)graph;
    (void)name;
    (void)out;
}

uint32_t cli_distance(gsp_str a, gsp_str b)
{
    (void)a;
    (void)b;
    return UINT32_MAX;
}

int cli_pass_arena(cli_session *s, gsp_arena *arena, size_t bound)
{
    cli_arena(s, arena, bound);
    return CLI_EXIT_OK;
}

gsp_status cli_measure(cli_session *s, gsp_arena *arena, cli_work work, void *user,
                       cli_timing *timing, gsp_error *err)
{
    (void)s;
    (void)timing;
    return work(user, arena, err);
}

void cli_time_line(cli_session *s, uint32_t nodes, uint32_t edges, size_t bound,
                   const cli_timing *timing)
{
    (void)s;
    (void)nodes;
    (void)edges;
    (void)bound;
    (void)timing;
}

static void put_nothing(const split *p, cli_buffer *out)
{
    (void)p;
    (void)out;
}

void split_json(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
}

void split_map(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
}

void split_dot(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
}

void split_dot_support(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
}

int split_dot_module(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
    return CLI_EXIT_OK;
}

void split_model_explorer(const split *p, cli_buffer *out)
{
    put_nothing(p, out);
}

void cli_put_programs(cli_buffer *out, const gsp_module *module, uint32_t first, uint32_t count)
{
    (void)out;
    (void)module;
    (void)first;
    (void)count;
}

/* The page contains the lists, passes the chosen one on, and reports problems with it itself. */

const cli_operator_list *cli_operators_find(gsp_str name)
{
    (void)name;
    return NULL;
}

int cli_place_check(cli_session *s, const cli_place *place, const gsp_graph *graph)
{
    (void)s;
    (void)place;
    (void)graph;
    return CLI_EXIT_OK;
}

void cli_place_tell_nothing(cli_session *s, const cli_place *place, const gsp_graph *graph)
{
    (void)s;
    (void)place;
    (void)graph;
}

void cli_check_writes(cli_session *s, const gsp_graph *graph, const uint32_t *part)
{
    (void)s;
    (void)graph;
    (void)part;
}

int cli_foreign(cli_session *s, const char *path, const char *data, size_t size)
{
    (void)s;
    (void)path;
    (void)data;
    (void)size;
    return CLI_EXIT_OK;
}

void cli_check_returned(cli_session *s)
{
    (void)s;
}

void cli_place_near(cli_session *s, const cli_place *place, const gsp_graph *graph,
                    const gsp_pin *pin, cli_buffer *out)
{
    (void)s;
    (void)place;
    (void)graph;
    (void)pin;
    (void)out;
}

/* ---- what the page calls ---- */

void web_exit(int status)
{
    ended = status;
}

EXPORT(status) int web_status(void)
{
    return ended;
}

EXPORT(room) void *web_room(size_t size)
{
    return malloc(size);
}

EXPORT(add) int web_give(const char *path, char *data, size_t size)
{
    return web_add(path, data, size) != NULL;
}

EXPORT(run) int web_run(char *list, size_t size)
{
    static const cli_format *const formats[] = {&cli_tflite_format, &cli_text_format};
    static const cli_front front = {"graphsplit", "", formats, CLI_COUNT(formats)};
    char **argv = (char **)malloc((size + 1u) * sizeof *argv);
    cli_session s;
    int argc = 0;
    int code;
    size_t i;
    if (argv == NULL) {
        return CLI_EXIT_FAILED;
    }
    for (i = 0; i < size; i += strlen(list + i) + 1u) {
        argv[argc++] = list + i;
    }
    argv[argc] = NULL;
    cli_session_init(&s, &front);
    s.pass = &cli_split_pass;
    code = cli_split_pass.run(&s, argc, argv);
    fwrite(s.out.data, 1u, s.out.size, stdout);
    return code;
}

EXPORT(file) const web_file *web_result(uint32_t i)
{
    const web_file *f = web_files();
    if (i < 2u) {
        return i == 0 ? stdout : stderr;
    }
    for (; f != NULL && i > 2u; i--) {
        f = f->next;
    }
    return f;
}
