/* Engines: the interpreter of hashes, those with a name, and commands of the user. */
#include "commands/bisect/bisect.h"

#include "commands/run/run.h"

#include <string.h>

/* ---- which engines ---- */

#define PYTHON "\"${PYTHON:-python3}\" -c '"
#define PATHS  "' {model} {inputs} {outputs}"

/* Each value is a file of its name. */
#define PYTHON_FILES \
    "import sys, os, urllib.parse as u\n" \
    "own = \"./cmd {%s} {%s} {%s}\" % (\"model\", \"inputs\", \"outputs\")\n" \
    "lacks = lambda name, package: sys.exit(name + \" is not installed: pip install \" + package" \
    " + \", or --run run, or --run \\x27\" + own + \"\\x27\")\n" \
    "try: import numpy\n" \
    "except ModuleNotFoundError: lacks(\"NumPy\", \"numpy\")\n" \
    "model, ins, outs = sys.argv[1:]\n" \
    "path = lambda d, n: os.path.join(d, u.quote(n, safe=\"\") + \".npy\")\n"

static const struct {
    const char *name;
    const char *command;
} known[] = {
    {"run", NULL},
    {"ort", PYTHON PYTHON_FILES
        "try: import onnxruntime\n"
        "except ModuleNotFoundError: lacks(\"ONNX Runtime\", \"onnxruntime\")\n"
        "s = onnxruntime.InferenceSession(model, providers=[\"CPUExecutionProvider\"])\n"
        "r = s.run(None, {i.name: numpy.load(path(ins, i.name)) for i in s.get_inputs()})\n"
        "for o, v in zip(s.get_outputs(), r): numpy.save(path(outs, o.name), v)\n" PATHS},
    {"tflm", PYTHON PYTHON_FILES
        "try: from tflite_micro.python.tflite_micro import runtime\n"
        "except ModuleNotFoundError: lacks(\"TensorFlow Lite Micro\", \"tflite_micro\")\n"
        "from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as t\n"
        "data = open(model, \"rb\").read()\n"
        "m = t.ModelT.InitFromObj(t.Model.GetRootAsModel(data, 0))\n"
        "g, d = m.subgraphs[m.signatureDefs[0].subgraphIndex], m.signatureDefs[0]\n"
        "name = {x.tensorIndex: x.name.decode() for x in list(d.inputs) + list(d.outputs)}\n"
        "size = lambda x: 8 * int(numpy.prod(x.shape if x.shape is not None else []))\n"
        "room = len(data) + 2 * sum(size(x) + 256 for s in m.subgraphs for x in s.tensors)\n"
        "r = runtime.Interpreter.from_bytes(data, arena_size=room + 1000000)\n"
        "for i, x in enumerate(g.inputs): r.set_input(numpy.load(path(ins, name[x])), i)\n"
        "r.invoke()\n"
        "for i, x in enumerate(g.outputs): numpy.save(path(outs, name[x]), "
        "r.get_output(i))\n" PATHS},
    {"litert", PYTHON PYTHON_FILES
        "try: from ai_edge_litert.interpreter import Interpreter\n"
        "except ModuleNotFoundError:\n"
        " try: from tensorflow.lite import Interpreter\n"
        " except ModuleNotFoundError: lacks(\"LiteRT\", \"ai-edge-litert\")\n"
        "r = Interpreter(model).get_signature_runner(\"serving_default\")\n"
        "r = r(**{n: numpy.load(path(ins, n)) for n in r.get_input_details()})\n"
        "for n, v in r.items(): numpy.save(path(outs, n), v)\n" PATHS},
};

int bisect_take_engine(bisect *b, const char *text, bisect_engine *engine)
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
            "'%s' is no engine: expected run, litert, tflm, ort, or a command with {model}, "
            "{inputs} and "
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
    if (b->opt.recorded != NULL && (b->opt.inputs != NULL || n > 1u)) {
        return cli_usage_error(s, "--recorded is in place of --inputs and of a second engine");
    }
    if (named[0] == NULL || (named[1] == NULL && b->opt.run == NULL && b->opt.recorded == NULL)) {
        return cli_usage_error(s, "give --run COMMAND, or --engine twice: what is tested, and what "
                                  "it is compared with");
    }
    code = bisect_take_engine(b, named[0], &b->tested);
    if (b->opt.recorded != NULL) {
        b->reference.name = b->opt.recorded;
        return code;
    }
    return code == CLI_EXIT_OK
               ? bisect_take_engine(b, named[1] != NULL ? named[1] : usual(b), &b->reference)
               : code;
}

/* ---- commands ---- */

const char *bisect_line(
    bisect *b, const char *command, const char *model, const char *inputs, const char *outputs)
{
    cli_word words[3] = {{"{model}", NULL}, {"{inputs}", NULL}, {"{outputs}", NULL}};
    words[0].path = model;
    words[1].path = inputs;
    words[2].path = outputs;
    return cli_shell_line(b->session, command, words, CLI_COUNT(words));
}

static int run_command(bisect *b, const bisect_engine *engine, const char *dir)
{
    cli_session *s = b->session;
    const char *log = cli_path(s, dir, "log");
    const char *line = bisect_line(
        b, engine->command, b->model, cli_path(s, dir, "inputs"), cli_path(s, dir, "outputs"));
    cli_shell_end end = CLI_SHELL_ENDED;
    uint32_t pause = 0;
    cli_process child;
    memset(&child, 0, sizeof child);
    if (line == NULL) {
        return CLI_EXIT_FAILED;
    }
    if (!cli_shell_start(&child, line, log)) {
        return cli_shell_none(s);
    }
    while (!cli_shell_ended(&child, b->opt.timeout, &end)) {
        cli_shell_pause(&pause);
    }
    if (end == CLI_SHELL_STOPPED) {
        return BISECT_OVER;
    }
    if (end == CLI_SHELL_ENDED && child.status == 0) {
        return CLI_EXIT_OK;
    }
    if (b->is_quiet) {
        return BISECT_FAILED;
    }
    return end == CLI_SHELL_LATE ? cli_shell_late(s, b->opt.timeout)
                                 : cli_shell_failed(s, child.status, log);
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
    code = run_read(&w, cli_path(b->session, dir, "inputs"));
    code = code == CLI_EXIT_OK ? run_execute(&w) : code;
    return code == CLI_EXIT_OK ? run_write(&w, cli_path(b->session, dir, "outputs")) : code;
}

int bisect_run_engine(
    bisect *b, const bisect_engine *engine, const gsp_graph *graph, const char *dir)
{
    return engine->command != NULL ? run_command(b, engine, dir) : run_hashes(b, graph, dir);
}

int bisect_start(bisect *b, bisect_engine *engine, const gsp_graph *piece, const char *dir)
{
    int code = cli_set_model(b->session, piece, dir, &b->model);
    engine->runs++;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    return bisect_run_engine(b, engine, piece, dir);
}
