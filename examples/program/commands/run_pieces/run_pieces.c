/* graphsplit run-pieces: runs what --emit wrote, piece by piece. */
#include "commands/run_pieces/run_pieces.h"

#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(run_pieces_options, name)

static const cli_option options[] = {
    {"--run", "[WHICH=]ENGINE", CLI_LIST, 0, 0, 0,
        "what runs pieces, or those of a kind, device or name: run (hashes, as 'graphsplit run', "
        "of the graph of a piece), litert, tflm, ort, or a shell command with {model}, the file of "
        "a piece, {inputs}, a "
        "directory "
        "with NAME.npy for each input, and {outputs}, where it writes NAME.npy for each output; "
        "default: run for .fx, litert for .tflite, ort for .onnx"},
    {"--inputs", "DIR", CLI_STRING, FIELD(inputs), 0, 0,
        "the inputs of the model: DIR/NAME.npy, of one that comes in tiles the whole; without it, "
        "hashes if all pieces are .fx, else random numbers of their types"},
    {"--outputs", "DIR", CLI_STRING, FIELD(outputs), 0, 0,
        "write the outputs of the model as DIR/NAME.npy; DIR is made if it is not there"},
    {"--equal", "MODEL", CLI_STRING, FIELD(equal), 0, 0,
        "also run this model as a whole on the same inputs, by the engine that its ending says, or "
        "run if all pieces run on hashes; exit status 1 if an output has other bits"},
    {"--seed", "N", CLI_NUMBER, FIELD(seed), 0, UINT64_MAX - 1u, "of random inputs; default 1"},
    {"--timeout", "SECONDS", CLI_NUMBER, FIELD(timeout), 1, 1000000,
        "the longest run of a piece; default 600"},
};

/* What would change nothing is refused. */
static int check_options(run_pieces *p)
{
    cli_session *s = p->session;
    if (s->common.time != 0) {
        return cli_usage_error(
            s, "--time measures a pass, and run-pieces is none; its report has seconds of pieces");
    }
    if (p->opt.seed != UINT64_MAX && p->opt.inputs != NULL) {
        return cli_usage_error(s, "--seed is for random inputs, and --inputs gives them");
    }
    if (p->opt.equal != NULL && p->opt.inputs == NULL && p->streamed.size != 0) {
        return cli_usage_error(s, "--equal requires --inputs where an input comes in tiles");
    }
    p->work.opt.timeout = p->opt.timeout;
    p->work.opt.seed = p->opt.seed != UINT64_MAX ? p->opt.seed : 1u;
    return CLI_EXIT_OK;
}

static int run(cli_session *s, int argc, char **argv)
{
    static run_pieces p; /* too large for a small stack */
    int code;
    memset(&p, 0, sizeof p);
    p.session = p.work.session = s;
    p.opt.timeout = 600;
    p.opt.seed = UINT64_MAX;
    if ((code = cli_options_read(s, &p.opt, argc, argv)) != CLI_EXIT_OK || s->common.help ||
        (code = cli_one_file(s)) != CLI_EXIT_OK || (code = run_pieces_read(&p)) != CLI_EXIT_OK ||
        (code = check_options(&p)) != CLI_EXIT_OK ||
        (code = run_pieces_engines(&p)) != CLI_EXIT_OK) {
        return code;
    }
    s->common.no_sync = 1; /* nearly all files are gone in a moment */
    cli_hold();
    code = run_pieces_run(&p);
    code = code == CLI_EXIT_OK && p.opt.equal != NULL ? run_pieces_compare(&p) : code;
    run_pieces_remove(&p);
    cli_hold_end();
    if (code == CLI_EXIT_OK && s->common.json) {
        run_pieces_json(&p, &s->out);
    } else if (code == CLI_EXIT_OK && s->common.porcelain) {
        run_pieces_porcelain(&p, &s->out);
    } else if (code == CLI_EXIT_OK) {
        run_pieces_people(&p, &s->out);
    }
    return p.differs == NULL ? code : CLI_EXIT_FAILED;
}

const cli_pass cli_run_pieces_pass = {
    "run-pieces",
    "[options] DIR",
    "Runs the pieces that --emit wrote, one after the other, as DIR/manifest.json has them",
    "Such as --run acc='./npu.sh {model} {inputs} {outputs}' --run cpu=litert parts.\n"
    "\n"
    "A value is a file NAME.npy, which a piece reads and writes by its own name for it. Bytes of\n"
    "NAME other than letters, digits and _.-~ are %XX in file names, as Python's\n"
    "urllib.parse.quote(NAME, safe='') writes them. Engines run, litert, tflm and ort compute on "
    "this\n"
    "machine; PYTHON names the Python of the last three.\n",
    options,
    CLI_COUNT(options),
    run,
    {"--inputs in --outputs out parts", "--run acc='./npu.sh {model} {inputs} {outputs}' parts"},
};
