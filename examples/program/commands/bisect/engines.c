/* Engines: the interpreter of hashes, those with a name, and commands of the user. */
#include "commands/bisect/bisect.h"

#include "commands/run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define MOST_LOG 200u /* bytes of what a command printed last */

/* ---- which engines ---- */

#define PYTHON "\"${PYTHON:-python3}\" -c '"
#define PATHS  "' {model} {inputs} {outputs}"

/* Each value is a file of its name. */
#define PYTHON_FILES \
    "import sys, os, numpy, urllib.parse as u\n" \
    "model, ins, outs = sys.argv[1:]\n" \
    "path = lambda d, n: os.path.join(d, u.quote(n, safe=\"\") + \".npy\")\n"

static const struct {
    const char *name;
    const char *command;
} known[] = {
    {"run", NULL},
    {"ort", PYTHON PYTHON_FILES
        "import onnxruntime\n"
        "s = onnxruntime.InferenceSession(model, providers=[\"CPUExecutionProvider\"])\n"
        "r = s.run(None, {i.name: numpy.load(path(ins, i.name)) for i in s.get_inputs()})\n"
        "for o, v in zip(s.get_outputs(), r): numpy.save(path(outs, o.name), v)\n" PATHS},
    {"litert", PYTHON PYTHON_FILES
        "try: from ai_edge_litert.interpreter import Interpreter\n"
        "except ImportError: from tensorflow.lite import Interpreter\n"
        "r = Interpreter(model).get_signature_runner(\"serving_default\")\n"
        "r = r(**{n: numpy.load(path(ins, n)) for n in r.get_input_details()})\n"
        "for n, v in r.items(): numpy.save(path(outs, n), v)\n" PATHS},
};

static int take(bisect *b, const char *text, bisect_engine *engine)
{
    size_t i;
    for (i = 0; i < CLI_COUNT(known); i++) {
        if (strcmp(text, known[i].name) == 0) {
            engine->name = known[i].name;
            engine->command = known[i].command;
            return CLI_EXIT_OK;
        }
    }
    if (strstr(text, "{model}") == NULL || strstr(text, "{outputs}") == NULL) {
        return cli_usage_error(b->session,
            "'%s' is no engine: expected run, litert, ort, or a command with {model}, {inputs} and "
            "{outputs}",
            text);
    }
    engine->name = engine->command = text;
    return CLI_EXIT_OK;
}

/* What runs all models of a format. */
static const char *usual(const bisect *b)
{
    const cli_format *f = b->session->format;
    return f->model_suffix != NULL ? "litert" : strcmp(f->suffix, ".onnx") == 0 ? "ort" : "run";
}

int bisect_engines(bisect *b)
{
    cli_session *s = b->session;
    const char *named[2] = {NULL, NULL};
    size_t n = b->opt.run != NULL ? 1u : 0u;
    size_t i;
    int code;
    named[0] = b->opt.run;
    for (i = 0; i < s->n_given; i++) {
        if (strcmp(s->given[i].option->name, "--engine") == 0) {
            if (n == 2u) {
                return cli_usage_error(
                    s, b->opt.run != NULL
                           ? "--run is one engine, and one --engine may be the other"
                           : "two engines are compared, and --engine is given more often");
            }
            named[n++] = s->given[i].value;
        }
    }
    if (named[0] == NULL || (named[1] == NULL && b->opt.run == NULL)) {
        return cli_usage_error(s, "give --run COMMAND, or --engine twice: what is tested, and what "
                                  "it is compared with");
    }
    code = take(b, named[0], &b->tested);
    return code == CLI_EXIT_OK ? take(b, named[1] != NULL ? named[1] : usual(b), &b->reference)
                               : code;
}

/* ---- commands ---- */

/* A word of the shell. */
static void put_word(cli_buffer *out, const char *word)
{
    cli_puts(out, "'");
    for (; *word != '\0'; word++) {
        cli_put(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4u : 1u);
    }
    cli_puts(out, "'");
}

const char *bisect_path(bisect *b, const char *dir, const char *name)
{
    cli_buffer out;
    cli_buffer_init(&out, b->session);
    cli_printf(&out, "%s/%s%c", dir, name, '\0');
    return out.data;
}

const char *bisect_line(
    bisect *b, const char *command, const char *model, const char *inputs, const char *outputs)
{
    static const char *const names[] = {"{model}", "{inputs}", "{outputs}"};
    const char *values[3];
    cli_buffer out;
    values[0] = model;
    values[1] = inputs;
    values[2] = outputs;
    cli_buffer_init(&out, b->session);
    while (*command != '\0') {
        size_t i = 0;
        while (i < 3u && strncmp(command, names[i], strlen(names[i])) != 0) {
            i++;
        }
        if (i < 3u) {
            put_word(&out, values[i]);
            command += strlen(names[i]);
        } else {
            cli_put(&out, command++, 1u);
        }
    }
    cli_put(&out, "", 1u);
    return out.data;
}

/* The last line that a command printed, after ": "; nothing if it printed none. */
static const char *last_line(cli_session *s, const char *log)
{
    char *text = NULL;
    size_t size = 0;
    size_t begin;
    cli_buffer out;
    cli_buffer_init(&out, s);
    if (cli_is_file(log) && cli_binary_read(s, log, &text, &size) == CLI_EXIT_OK) {
        while (size > 0 && (text[size - 1u] == '\n' || text[size - 1u] == '\r')) {
            size--;
        }
        for (begin = size; begin > 0 && text[begin - 1u] != '\n'; begin--) {
        }
        cli_puts(&out, size != begin ? ": " : "");
        cli_put(&out, text + begin, size - begin < MOST_LOG ? size - begin : MOST_LOG);
    }
    cli_put(&out, "", 1u);
    return out.data;
}

static int is_unable(int status)
{
    return status == 126 || status == 127; /* of the shell: it is no program, or there is none */
}

static int run_command(bisect *b, const bisect_engine *engine, const char *dir)
{
    cli_session *s = b->session;
    const char *log = bisect_path(b, dir, "log");
    int status = 0;
    switch (cli_shell(bisect_line(b, engine->command, b->model, bisect_path(b, dir, "inputs"),
                          bisect_path(b, dir, "outputs")),
        log, b->opt.timeout, &status)) {
    case CLI_SHELL_LATE:
        return cli_error(s, GSP_STATUS_LIMIT,
            "%s: the command has not ended within %" PRIu64 " s; --timeout gives it more", s->path,
            b->opt.timeout);
    case CLI_SHELL_STOPPED:
        return CLI_EXIT_FAILED;
    case CLI_SHELL_NONE:
        return cli_error(
            s, GSP_STATUS_ARG, "%s: no command can start: %s", s->path, strerror(errno));
    case CLI_SHELL_ENDED:
    default:
        break;
    }
    return status == 0 ? CLI_EXIT_OK
                       : cli_error(s, GSP_STATUS_ARG, "%s: the command %s%d%s", s->path,
                             is_unable(status) ? "cannot start: status " : "ended with status ",
                             status, last_line(s, log));
}

/* ---- the interpreter ---- */

static int run_hashes(bisect *b, const gsp_graph *piece, const char *dir)
{
    run_facts facts;
    run_work w;
    int code;
    memset(&facts, 0, sizeof facts);
    memset(&w, 0, sizeof w);
    w.session = b->session;
    w.graph = *piece;
    w.facts = &facts;
    w.opt.max_work = w.left = RUN_DEFAULT_WORK;
    code = run_read(&w, bisect_path(b, dir, "inputs"));
    code = code == CLI_EXIT_OK ? run_execute(&w) : code;
    return code == CLI_EXIT_OK ? run_write(&w, bisect_path(b, dir, "outputs")) : code;
}

int bisect_start(bisect *b, bisect_engine *engine, const gsp_graph *piece, const char *dir)
{
    int code = bisect_model(b, piece, dir, &b->model);
    engine->runs++;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    return engine->command != NULL ? run_command(b, engine, dir) : run_hashes(b, piece, dir);
}
