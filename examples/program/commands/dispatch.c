/* The program: passes by name, help, and the one place where output is written. */
#include "commands/commands.h"

#include "commands/bisect/bisect.h"
#include "commands/convert/convert.h"
#include "commands/dedup/dedup.h"
#include "commands/diff/diff.h"
#include "commands/emit_c/emit_c.h"
#include "commands/eval/eval.h"
#include "commands/fit/fit.h"
#include "commands/memory/memory.h"
#include "commands/module/module.h"
#include "commands/ops/ops.h"
#include "commands/partition/partition.h"
#include "commands/pipe/pipe.h"
#include "commands/preview/preview.h"
#include "commands/read/read.h"
#include "commands/run/run.h"
#include "commands/run_pieces/run_pieces.h"
#include "commands/split/split.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const cli_pass *const passes[] = {
    &cli_split_pass,
    &cli_preview_pass,
    &cli_partition_pass,
    &cli_module_pass,
    &cli_pipe_pass,
    &cli_memory_pass,
    &cli_fit_pass,
    &cli_dedup_pass,
    &cli_run_pass,
    &cli_run_pieces_pass,
    &cli_diff_pass,
    &cli_bisect_pass,
    &cli_eval_pass,
    &cli_read_pass,
    &cli_convert_pass,
    &cli_emit_c_pass,
    &cli_ops_pass,
};
/* clang-format on */

static const cli_pass *find_pass(const char *name)
{
    size_t i;
    for (i = 0; i < CLI_COUNT(passes); i++) {
        if (strcmp(passes[i]->name, name) == 0) {
            return passes[i];
        }
    }
    return NULL;
}

static void put_help(cli_session *s)
{
    size_t i;
    cli_printf(
        &s->out, "%s PASS [options] FILE\n\n%s\n\nPasses:\n", s->front->program, s->front->about);
    for (i = 0; i < CLI_COUNT(passes); i++) {
        cli_printf(&s->out, "  %-10s  %s\n", passes[i]->name, passes[i]->summary);
    }
    cli_printf(&s->out,
        "\n"
        "  %s PASS --help, or help PASS   the options of a pass\n"
        "  %s --to-fx FILE                a model file as graph text: read --main\n"
        "  %s --version                   the version\n\n"
        "FILE '-' is standard input. Exit status: 0 success, 1 a pass reports an error,\n"
        "2 the command line cannot be read.\n",
        s->front->program, s->front->program, s->front->program);
}

static int pass_help(cli_session *s, const cli_pass *pass)
{
    s->out.colour = cli_wants_colour(s);
    cli_options_help(s, pass);
    return CLI_EXIT_OK;
}

static int unknown_pass(cli_session *s, const char *name)
{
    size_t i;
    for (i = 0; i < CLI_COUNT(passes); i++) {
        if (cli_distance(gsp_str_of(passes[i]->name), gsp_str_of(name)) <= 2u) {
            return cli_usage_error(
                s, "there is no pass '%s'; did you mean '%s'?", name, passes[i]->name);
        }
    }
    if (cli_is_file(name)) {
        return cli_usage_error(
            s, "the name of a pass comes before the file: %s split %s", s->front->program, name);
    }
    return cli_usage_error(s, "there is no pass '%s'", name);
}

static int run_help(cli_session *s, int argc, char **argv)
{
    const cli_pass *pass;
    if (argc == 0) {
        put_help(s);
        return CLI_EXIT_OK;
    }
    pass = find_pass(argv[0]);
    return pass != NULL ? pass_help(s, pass) : unknown_pass(s, argv[0]);
}

/* --help anywhere after the pass has priority over all errors. */
static int asks_for_help(int argc, char **argv)
{
    int i;
    for (i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return 1;
        }
    }
    return 0;
}

/* `--acc-ops help` prints the lists of operators. */
static int asks_for_lists(int argc, char **argv)
{
    int i;
    for (i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--acc-ops=help") == 0 ||
            (i + 1 < argc && strcmp(argv[i], "--acc-ops") == 0 &&
                strcmp(argv[i + 1], "help") == 0)) {
            return 1;
        }
    }
    return 0;
}

static int run_pass(cli_session *s, const cli_pass *pass, int argc, char **argv)
{
    int code;
    if (asks_for_help(argc, argv)) {
        return pass_help(s, pass);
    }
    if (asks_for_lists(argc, argv)) {
        return cli_operators_put(s, 0);
    }
    s->pass = pass;
    code = pass->run(s, argc, argv);
    if (s->common.time_json != NULL && (code == CLI_EXIT_OK || s->figures.size != 0)) {
        int const written = cli_time_json(s);
        return code != CLI_EXIT_OK ? code : written;
    }
    return code;
}

static int run(cli_session *s, int argc, char **argv)
{
    static char to_fx[] = "--main";
    const cli_pass *pass;
    if (argc < 2) {
        put_help(s);
        return CLI_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        return run_help(s, argc - 2, argv + 2);
    }
    if (strcmp(argv[1], "--version") == 0) {
        cli_printf(&s->out, "%s %s\n", s->front->program, GSP_VERSION_STRING);
        return CLI_EXIT_OK;
    }
    if (strcmp(argv[1], "--to-fx") == 0) {
        argv[1] = to_fx;
        return run_pass(s, &cli_read_pass, argc - 1, argv + 1);
    }
    if (argv[1][0] == '-') {
        return cli_usage_error(s, "the pass comes first, and '%s' is not one", argv[1]);
    }
    pass = find_pass(argv[1]);
    return pass != NULL ? run_pass(s, pass, argc - 2, argv + 2) : unknown_pass(s, argv[1]);
}

/* Standard output is written here, or but for its end in cli_stream(); this detects a full disk. */
static int write_out(cli_session *s)
{
    int why = cli_out_write(s);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        why = why != 0 ? why : errno;
        fprintf(stderr, "%s: cannot write standard output: %s\n", s->front->program, strerror(why));
        return CLI_EXIT_FAILED;
    }
    return CLI_EXIT_OK;
}

int cli_main(const cli_front *front, int argc, char **argv)
{
    cli_session s;
    int code;
    int written;
    cli_streams_init();
    cli_session_init(&s, front);
    s.passes = passes;
    s.n_passes = CLI_COUNT(passes);
    code = run(&s, argc, argv);
    cli_progress_end(&s);
    cli_stop();
    written = write_out(&s);
    cli_session_end(&s);
    return code != CLI_EXIT_OK ? code : written;
}
