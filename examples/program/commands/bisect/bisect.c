/* graphsplit bisect: which operators does an engine compute wrongly? */
#include "commands/bisect/bisect.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(bisect_options, name)

static const cli_option options[] = {
    {"--run", "COMMAND", CLI_STRING, FIELD(run), 0, 0,
        "the engine that is tested: a shell command with {model}, the file of a piece, {inputs}, a "
        "directory with NAME.npy for each input, and {outputs}, where it writes NAME.npy for each "
        "output"},
    {"--engine", "ENGINE", CLI_LIST, 0, 0, 0,
        "what is compared with --run; without --run twice: what is tested, then the reference. run "
        "(hashes, as 'graphsplit run'), litert, tflm or ort (by Python), or a command as for "
        "--run; "
        "default: run for graph text, litert for .tflite, ort for .onnx"},
    {"--tolerance", "TOLERANCE", CLI_STRING, FIELD(tolerance), 0, 0,
        "ABS[,REL] or NAME=VALUE,...: numbers are equal if they differ by at most abs + rel * "
        "|reference|, or by ulp steps to the next number; or outputs are, if 1 - their cosine is "
        "at "
        "most cosine; integers, if they differ by at most int (0). Default 1e-5,1e-3"},
    {"--inputs", "PATH", CLI_STRING, FIELD(inputs), 0, 0,
        "the inputs of the model: a directory with NAME.npy or NAME.bin (the bytes alone) for "
        "each, "
        "an .npz, or the file of the only one; without it, hashes for the engine run, else random "
        "numbers of their types"},
    {"--record", "DIR", CLI_STRING, FIELD(record), 0, 0,
        "write the inputs and all values of the reference into DIR"},
    {"--recorded", "DIR", CLI_STRING, FIELD(recorded), 0, 0,
        "what --record wrote, or another machine, in place of --inputs and of a reference that "
        "runs: DIR/NAME.npy for each value"},
    {"--seed", "N", CLI_NUMBER, FIELD(seed), 0, UINT64_MAX - 1u,
        "of random inputs and hashes; default 1"},
    {"--timeout", "SECONDS", CLI_NUMBER, FIELD(timeout), 1, 1000000,
        "the longest run of a command; default 600"},
    {"--mode", "smallest|binary|block|sequential|accumulate|skip", CLI_CHOICE, FIELD(mode), 0, 0,
        "smallest: the smallest sets that differ (the default); or as PyTorch's minimiser: binary "
        "(halves), block (of neighbours), sequential (each node), accumulate (prefixes), skip "
        "(what is between nodes of the CPU)"},
    {"--emit", "DIR", CLI_STRING, FIELD(emit), 0, 0,
        "write a directory per culprit: model, inputs, outputs, expected outputs, and run.sh"},
    {"--html", "FILE", CLI_STRING, FIELD(html), 0, 0,
        "write a page with the culprits and the error of each node along the graph"},
    CLI_PLACE_OPTIONS,
};

/* Where the value of NAME=VALUE goes. */
static double *measure_of(bisect_tolerance *t, double *ulp, double *integer, gsp_str name)
{
    return gsp_str_equal(name, gsp_str_of("abs"))      ? &t->absolute
           : gsp_str_equal(name, gsp_str_of("rel"))    ? &t->relative
           : gsp_str_equal(name, gsp_str_of("ulp"))    ? ulp
           : gsp_str_equal(name, gsp_str_of("cosine")) ? &t->cosine
           : gsp_str_equal(name, gsp_str_of("int"))    ? integer
                                                       : NULL;
}

/* ABS, ABS,REL, or NAME=VALUE,...; values that are not given are -1. */
static int read_measures(gsp_str text, bisect_tolerance *t, double *ulp, double *integer)
{
    uint32_t at = 0;
    uint32_t n = 0;
    while (at <= text.size) {
        gsp_str word = {text.data + at, 0};
        gsp_str name = {word.data, 0};
        double *to = n == 0 ? &t->absolute : &t->relative;
        while (at + word.size < text.size && word.data[word.size] != ',') {
            word.size++;
        }
        at += word.size + 1u;
        while (name.size < word.size && word.data[name.size] != '=') {
            name.size++;
        }
        if (name.size < word.size) {
            to = measure_of(t, ulp, integer, name);
            word.data += name.size + 1u;
            word.size -= name.size + 1u;
        } else if (n > 1u) {
            return 0;
        }
        if (to == NULL || *to >= 0.0 || !gsp_str_decimal(word, to) || !(*to >= 0.0)) {
            return 0;
        }
        n++;
    }
    return 1;
}

static int read_tolerance(bisect *b)
{
    bisect_tolerance *t = &b->tolerance;
    double ulp = -1.0;
    double integer = -1.0;
    int by_distance;
    t->absolute = t->relative = t->cosine = -1.0;
    if (b->opt.tolerance != NULL &&
        !read_measures(gsp_str_of(b->opt.tolerance), t, &ulp, &integer)) {
        return cli_usage_error(b->session,
            "--tolerance expects ABS, ABS,REL or NAME=VALUE of abs, rel, ulp, cosine, int, with "
            "commas, such as 1e-5,1e-3 or ulp=4, got '%s'",
            b->opt.tolerance);
    }
    by_distance = t->absolute >= 0.0 || t->relative >= 0.0 || ulp >= 0.0;
    if (by_distance && t->cosine >= 0.0) {
        return cli_usage_error(b->session,
            "--tolerance: cosine measures all values at once; give it alone, or with int");
    }
    if (!by_distance) {
        t->absolute = 1e-5;
        t->relative = 1e-3;
    }
    t->absolute = t->absolute >= 0.0 ? t->absolute : 0.0;
    t->relative = t->relative >= 0.0 ? t->relative : 0.0;
    t->ulp = cli_whole(ulp);
    t->integer = cli_whole(integer);
    return CLI_EXIT_OK;
}

/* What would change nothing is refused. */
static int check_options(bisect *b)
{
    cli_session *s = b->session;
    const char *given = b->opt.inputs != NULL     ? "--inputs"
                        : b->opt.recorded != NULL ? "--recorded"
                                                  : NULL;
    if (s->common.time != 0) {
        return cli_usage_error(s, "--time measures a pass, and bisect is none");
    }
    if (b->opt.seed != UINT64_MAX && given != NULL) {
        return cli_usage_error(s, "--seed is for random inputs, and %s gives them", given);
    }
    b->opt.seed = b->opt.seed != UINT64_MAX ? b->opt.seed : 1u;
    return read_tolerance(b);
}

static int is_place(const cli_given *given)
{
    return strcmp(given->option->name, "--engine") != 0;
}

/* What accelerators take, if the options say that; else every node. */
static int find_searched(bisect *b, uint8_t *is_searched)
{
    cli_session *s = b->session;
    cli_place place;
    cli_bodies bodies;
    gsp_placement placement;
    size_t n = 0;
    size_t i;
    gsp_node v;
    int code;
    memset(&place, 0, sizeof place);
    memset(&bodies, 0, sizeof bodies);
    for (i = 0; i < s->n_given; i++) {
        if (is_place(&s->given[i])) {
            s->given[n++] = s->given[i];
        }
    }
    s->n_given = n;
    memset(is_searched, 1, b->graph.n_nodes);
    if (n == 0) {
        return CLI_EXIT_OK;
    }
    code = cli_place_read(s, &place);
    code = code == CLI_EXIT_OK ? cli_place_run(s, &place, &b->graph, &placement, &bodies) : code;
    for (v = 0; v < b->graph.n_nodes && code == CLI_EXIT_OK; v++) {
        is_searched[v] = placement.kind[v] != GSP_KIND_CPU && placement.kind[v] != GSP_KIND_NONE;
    }
    return code;
}

static int prepare(bisect *b)
{
    cli_session *s = b->session;
    size_t const n = (size_t)b->graph.n_nodes + 1u;
    uint8_t *is_searched = (uint8_t *)cli_alloc(s, n, 1u);
    int code = find_searched(b, is_searched);
    b->unit_of = (uint32_t *)cli_alloc(s, n, sizeof *b->unit_of);
    b->first = (gsp_node *)cli_alloc(s, n, sizeof *b->first);
    b->errors = (bisect_error *)cli_alloc(s, n, sizeof *b->errors);
    b->shown = (bisect_error *)cli_alloc(s, n, sizeof *b->shown);
    b->best.is_in = (uint8_t *)cli_alloc(s, n, 1u);
    cli_set_make(s, &b->graph, &b->set);
    if (code == CLI_EXIT_OK) {
        bisect_units(b, is_searched);
        if (b->n_units == 0) {
            return cli_error(s, GSP_STATUS_EMPTY, "%s: there is no node to search", s->path);
        }
    }
    return code;
}

/* Before anything runs, so that nothing runs in vain: the directory of --emit has no culprits. */
static int make_emit(bisect *b)
{
    cli_session *s = b->session;
    const char *dir = b->opt.emit;
    const char *first;
    int made;
    if (dir == NULL) {
        return CLI_EXIT_OK;
    }
    made = cli_make_dir(dir);
    first = cli_path(b->session, dir, "culprit0");
    b->made_emit = made > 0;
    if (made < 0) {
        return cli_error(
            s, GSP_STATUS_ARG, "cannot make the directory %s: %s", dir, strerror(errno));
    }
    made = cli_make_dir(first);
    if (made == 1) {
        cli_remove_dir(first);
    }
    return made == 1 ? CLI_EXIT_OK
                     : cli_error(s, GSP_STATUS_ARG,
                           "%s is there, or cannot be made; give --emit another directory", first);
}

static int search(bisect *b)
{
    cli_session *s = b->session;
    int code;
    if (cli_make_temp(b->temp) != 0) {
        int const why = errno;
        b->temp[0] = '\0';
        return cli_error(
            s, GSP_STATUS_ARG, "cannot make a directory for pieces: %s", strerror(why));
    }
    code = make_emit(b);
    code = code == CLI_EXIT_OK ? bisect_dir(b, b->temp, "values", &b->values) : code;
    code = code == CLI_EXIT_OK ? bisect_inputs(b) : code;
    code = code == CLI_EXIT_OK ? bisect_record(b) : code;
    code = code == CLI_EXIT_OK ? bisect_search(b) : code;
    code = code == CLI_EXIT_OK && b->opt.html != NULL ? bisect_show(b) : code;
    if (code != CLI_EXIT_OK && !cli_is_stopped() && bisect_keep_best(b) != CLI_EXIT_OK) {
        return CLI_EXIT_FAILED;
    }
    b->is_interrupted = code == BISECT_OVER && !cli_is_stopped();
    code = b->is_interrupted ? CLI_EXIT_OK : code;
    if (code == CLI_EXIT_OK || b->n_culprits != 0) {
        int const saved = bisect_save(b);
        code = code == CLI_EXIT_OK ? saved : code;
    }
    return code;
}

/* After a failure: what was found before it, which --emit has kept; beside the sentence on standard
 * error, and the line or document about it. */
static void report(const bisect *b, int code)
{
    cli_session *s = b->session;
    if (code != CLI_EXIT_OK && (b->n_culprits == 0 || s->common.json)) {
        return;
    }
    if (s->common.json) {
        bisect_json(b, &s->out);
    } else if (s->common.porcelain) {
        bisect_porcelain(b, &s->out);
    } else {
        bisect_people(b, &s->out);
    }
}

static int write_page(const bisect *b)
{
    cli_buffer page;
    int code;
    cli_buffer_init(&page, b->session);
    bisect_html(b, &page);
    code = cli_write_file(b->session, b->opt.html, &page);
    cli_release(b->session, page.data);
    return code;
}

static int run(cli_session *s, int argc, char **argv)
{
    static bisect b; /* too large for a small stack */
    int code;
    memset(&b, 0, sizeof b);
    b.session = s;
    b.opt.timeout = 600;
    b.opt.seed = UINT64_MAX;
    if ((code = cli_options_read(s, &b.opt, argc, argv)) != CLI_EXIT_OK || s->common.help ||
        (code = cli_one_file(s)) != CLI_EXIT_OK || (code = check_options(&b)) != CLI_EXIT_OK ||
        (code = cli_load_main(s, &b.graph, &b.counts)) != CLI_EXIT_OK ||
        (code = bisect_engines(&b)) != CLI_EXIT_OK || (code = prepare(&b)) != CLI_EXIT_OK) {
        return code;
    }
    s->common.no_sync = 1; /* nearly all files are gone in a moment */
    cli_hold();
    cli_search_begin();
    code = search(&b);
    bisect_remove(&b, cli_is_stopped());
    cli_search_end();
    cli_hold_end();
    if (b.opt.html != NULL && (code == CLI_EXIT_OK || b.n_culprits != 0)) {
        int const written = write_page(&b);
        code = code == CLI_EXIT_OK ? written : code;
    }
    report(&b, code);
    return code < CLI_EXIT_OK ? CLI_EXIT_FAILED : code;
}

const cli_pass cli_bisect_pass = {
    "bisect",
    "[options] FILE",
    "Finds the operators that an engine computes wrongly: the smallest sets that differ",
    "Such as --run './npu.sh {model} {inputs} {outputs}' --acc-ops ethos-u55 net.tflite.\n"
    "\n"
    "The reference runs the whole graph once, and leaves all its values. Any set of nodes is then\n"
    "a model that the tested engine runs on such values. Prefixes of the graph are cut in halves\n"
    "until the next node makes the difference; the sets that contain it are cut in the same way\n"
    "until none of their nodes can be left out. What is found is taken from the reference, and\n"
    "the search goes on as long as the rest differs. No set runs twice, but what is printed: an\n"
    "engine that gives another answer then is flaky, which is an error.\n"
    "\n"
    "Bytes of NAME other than letters, digits and _.-~ are %XX in file names, as Python's\n"
    "urllib.parse.quote(NAME, safe='') writes them. Engines run, litert, tflm (TensorFlow Lite\n"
    "Micro) and ort compute on this machine; PYTHON names the Python of the last "
    "three.\n" CLI_PLACE_ABOUT,
    options,
    CLI_COUNT(options),
    run,
    {"--engine run --engine run net.fx",
        "--mode block --acc-ops edgetpu --engine run --engine run net.fx"},
};
