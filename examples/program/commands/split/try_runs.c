/* Runs of the command of --try: a piece with another fingerprint each, several at a time, and the
 * log. */
#include "commands/split/split.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define LOG_HEAD "command "

/* ---- the answers of earlier runs ---- */

static const char *const answer_names[] = {"unknown", "passed", "refused"};

/* A line of the log: the answer, seconds, the fingerprint, names of nodes. */
static int put_log(tries *t, const char *answer, double seconds, const try_piece *piece)
{
    cli_buffer line;
    char print[33];
    uint32_t i;
    int code;
    if (t->p->opt.try_log == NULL) {
        return CLI_EXIT_OK;
    }
    cli_buffer_init(&line, t->p->session);
    gsp_fingerprint_write(piece->print, print);
    cli_printf(&line, "%s %.3f %s", answer, seconds, print);
    for (i = 0; i < piece->n_nodes; i++) {
        cli_puts(&line, " ");
        cli_put_text(&line, gsp_node_name(&t->p->graph, piece->nodes[i]));
    }
    cli_puts(&line, "\n");
    code = cli_append_file(t->p->session, t->p->opt.try_log, &line);
    cli_release(t->p->session, line.data);
    return code;
}

/* The fingerprint of 32 digits; 0 if it is none. */
static int read_print(gsp_str text, gsp_fingerprint *print)
{
    uint32_t i;
    memset(print, 0, sizeof *print);
    for (i = 0; i < text.size && i < 32u; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = text.data[i] != '\0' ? strchr(digits, text.data[i]) : NULL;
        if (digit == NULL) {
            return 0;
        }
        print->words[i / 16u] = print->words[i / 16u] << 4u | (uint64_t)(digit - digits);
    }
    return text.size == 32u;
}

static gsp_str next_word(gsp_str *line)
{
    gsp_str word = {line->data, 0};
    while (word.size < line->size && word.data[word.size] != ' ') {
        word.size++;
    }
    line->data += word.size + (word.size < line->size);
    line->size -= word.size + (word.size < line->size);
    return word;
}

static try_piece *find(tries *t, const gsp_fingerprint *print)
{
    uint32_t i = 0;
    while (i < t->n_pieces && (t->pieces[i].print.words[0] != print->words[0] ||
                                  t->pieces[i].print.words[1] != print->words[1])) {
        i++;
    }
    if (i == t->n_pieces) {
        if ((i & (i - 1u)) == 0) { /* room is the next power of two */
            t->pieces = (try_piece *)cli_grow(
                t->p->session, t->pieces, ((size_t)i * 2u + 1u) * sizeof *t->pieces);
        }
        memset(&t->pieces[i], 0, sizeof t->pieces[i]);
        t->pieces[i].print = *print;
        t->n_pieces++;
    }
    return &t->pieces[i];
}

/* Takes over an answer of an earlier run of this command. */
static void take_line(tries *t, gsp_str line)
{
    gsp_str const answer = next_word(&line);
    gsp_fingerprint print;
    uint32_t i;
    (void)next_word(&line);
    for (i = TRY_PASSED; i <= TRY_REFUSED; i++) {
        if (gsp_str_equal(answer, gsp_str_of(answer_names[i])) &&
            read_print(next_word(&line), &print)) {
            try_piece *piece = find(t, &print);
            piece->n_runs = piece->answer == i ? piece->n_runs + 1u : 1u;
            piece->answer = (uint8_t)i;
        }
    }
}

static const char *head_of(tries *t)
{
    cli_buffer head;
    cli_buffer_init(&head, t->p->session);
    cli_puts(&head, LOG_HEAD);
    cli_json_string(&head, gsp_str_of(t->p->opt.command));
    cli_put(&head, "", 1u);
    return head.data;
}

/* The lines below a line with this command. Says whether the last command is this one. */
static int read_log(tries *t, const char *head, int *is_last)
{
    char *text = NULL;
    size_t size = 0;
    int code;
    *is_last = 0;
    if (!cli_is_file(t->p->opt.try_log)) {
        return CLI_EXIT_OK;
    }
    code = cli_binary_read(t->p->session, t->p->opt.try_log, &text, &size);
    while (code == CLI_EXIT_OK && size > 0) {
        const char *end = (const char *)memchr(text, '\n', size);
        gsp_str line = {text, 0};
        line.size = end != NULL ? (uint32_t)(end - text) : (uint32_t)size;
        text += line.size + (end != NULL);
        size -= line.size + (size_t)(end != NULL);
        if (line.size >= sizeof LOG_HEAD - 1u &&
            memcmp(line.data, LOG_HEAD, sizeof LOG_HEAD - 1u) == 0) {
            *is_last = gsp_str_equal(line, gsp_str_of(head));
        } else if (*is_last && end != NULL) {
            take_line(t, line);
        }
    }
    return code;
}

static int open_log(tries *t)
{
    cli_session *s = t->p->session;
    const char *path = t->p->opt.try_log;
    const char *head = head_of(t);
    cli_buffer line;
    int is_last;
    int code;
    if (path == NULL) {
        return CLI_EXIT_OK;
    }
    if (cli_is_taken(s, path) != NULL || strcmp(path, "-") == 0) {
        return cli_error(s, GSP_STATUS_ARG, "%s is %s; give another name to write to", path,
            path[0] == '-' ? "no file" : cli_is_taken(s, path));
    }
    code = read_log(t, head, &is_last);
    cli_add_written(s, path);
    if (code != CLI_EXIT_OK || is_last) {
        return code;
    }
    cli_buffer_init(&line, s);
    cli_printf(&line, "%s\n", head);
    return cli_append_file(s, path, &line);
}

int tries_begin(tries *t)
{
    cli_session *s = t->p->session;
    if (cli_make_temp(t->temp) != 0) {
        int const why = errno;
        t->temp[0] = '\0';
        return cli_error(
            s, GSP_STATUS_ARG, "cannot make a directory for pieces: %s", strerror(why));
    }
    cli_set_make(s, &t->p->graph, &t->set);
    t->command = t->p->opt.command;
    if (strstr(t->command, "{}") == NULL) {
        cli_buffer longer;
        cli_buffer_init(&longer, s);
        cli_printf(&longer, "%s {}%c", t->command, '\0');
        t->command = longer.data;
    }
    return open_log(t);
}

void tries_end(tries *t)
{
    if (t->temp[0] != '\0') {
        cli_remove_all(t->temp);
    }
}

/* ---- pieces ---- */

/* Annotations that change no program: costs, places, names. */
static int is_outside_program(gsp_atom key)
{
    return (key >= (gsp_atom)GSP_KEY_MEM && key <= (gsp_atom)GSP_KEY_KEY) ||
           (key >= (gsp_atom)GSP_KEY_GROUP && key <= (gsp_atom)GSP_KEY_PART);
}

static void mix(gsp_fingerprint *print, gsp_str text)
{
    uint32_t i;
    for (i = 0; i <= text.size; i++) {
        uint64_t const byte = i < text.size ? (unsigned char)text.data[i] : 256u;
        print->words[0] = (print->words[0] ^ byte) * UINT64_C(0x100000001B3);
        print->words[1] = (print->words[1] ^ print->words[0] >> 29u) * UINT64_C(0x9E3779B97F4A7C15);
    }
}

/* The fingerprint of the graph, with all annotations that belong to the program. */
static gsp_fingerprint print_of(tries *t, const gsp_graph *g)
{
    const gsp_module *m = g->module;
    const gsp_fingerprint *all = cli_fingerprints(t->p->session, m);
    gsp_fingerprint print = {{0, 0}};
    gsp_node v;
    if (all == NULL) { /* equal to none */
        print.words[0] = ++t->n_unique;
        return print;
    }
    print = all[g->id];
    for (v = 0; v < g->n_nodes; v++) {
        const gsp_attr *a = m->attrs + m->attr[g->first + v];
        for (; a->key != GSP_KEY_NONE; a++) {
            if (!is_outside_program(a->key)) {
                mix(&print, gsp_module_str(m, a->key));
                mix(&print, gsp_module_str(m, a->value));
            }
        }
        mix(&print, gsp_str_of("")); /* the end of a node */
    }
    return print;
}

/* What limits of compilers may be about. */
static void measure(try_piece *piece)
{
    const gsp_graph *g = &piece->graph;
    gsp_node v;
    memset(piece->size, 0, sizeof piece->size);
    piece->size[TRY_NODES] = piece->n_nodes;
    for (v = 0; v + 1u < g->n_nodes; v++) {
        int const is_param = gsp_node_op(g, v) == GSP_OP_GET_ATTR;
        uint64_t const bytes = gsp_node_bytes(g, v);
        uint64_t const params = cli_add(is_param ? bytes : 0u, gsp_node_params(g, v));
        piece->size[TRY_PARAMS] = cli_add(piece->size[TRY_PARAMS], params);
        piece->size[TRY_RESULTS] =
            cli_add(piece->size[TRY_RESULTS], gsp_node_is_callable(g, v) ? bytes : 0u);
        piece->size[TRY_BYTES] = cli_add(piece->size[TRY_BYTES], is_param ? params : bytes);
    }
}

int tries_piece(tries *t, const gsp_node *nodes, uint32_t n, uint32_t *id)
{
    cli_session *s = t->p->session;
    gsp_graph graph;
    gsp_fingerprint print;
    try_piece *piece;
    uint32_t i;
    int any;
    int code;
    memset(t->set.is_member, 0, t->p->graph.n_nodes);
    for (i = 0; i < n; i++) {
        t->set.is_member[nodes[i]] = 1;
    }
    any = cli_set_mark(&t->set);
    code = cli_set_graph(s, &t->set, &graph);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    print = print_of(t, &graph);
    piece = find(t, &print);
    *id = (uint32_t)(piece - t->pieces);
    if (piece->nodes == NULL) {
        gsp_node *copy = (gsp_node *)cli_alloc(s, (size_t)n + 1u, sizeof *copy);
        memcpy(copy, nodes, n * sizeof *copy);
        piece->nodes = copy;
        piece->n_nodes = n;
        piece->graph = graph;
        piece->answer = any ? piece->answer : (uint8_t)TRY_PASSED; /* it yields nothing */
        piece->n_runs = any ? piece->n_runs : 2u;
        measure(piece);
    }
    return CLI_EXIT_OK;
}

/* ---- runs ---- */

static void remove_files(tries *t, const try_job *job)
{
    cli_remove_all(cli_path(t->p->session, job->dir, "out"));
    cli_remove_all(job->dir);
}

static int start(tries *t, try_job *job, uint32_t id)
{
    cli_session *s = t->p->session;
    cli_word words[2] = {{"{}", NULL}, {"{out}", NULL}};
    const char *line = NULL;
    cli_buffer name;
    int code;
    cli_buffer_init(&name, s);
    cli_printf(&name, "%s/%" PRIu32 "%c", t->temp, (uint32_t)(job - t->jobs), '\0');
    job->dir = name.data;
    words[1].path = cli_path(s, job->dir, "out");
    if (cli_make_dir(job->dir) < 0 || cli_make_dir(words[1].path) < 0) {
        return cli_error(
            s, GSP_STATUS_ARG, "cannot make the directory %s: %s", job->dir, strerror(errno));
    }
    code = cli_set_model(s, &t->pieces[id].graph, job->dir, &words[0].path);
    if (code == CLI_EXIT_OK) {
        line = cli_shell_line(s, t->command, words, CLI_COUNT(words));
        code = line != NULL ? CLI_EXIT_OK : CLI_EXIT_FAILED;
    }
    if (code == CLI_EXIT_OK &&
        !cli_shell_start(&job->process, line, cli_path(s, job->dir, "log"))) {
        code = cli_shell_none(s);
    }
    if (code != CLI_EXIT_OK) {
        remove_files(t, job);
        return code;
    }
    job->piece = id;
    job->is_busy = 1;
    t->sum->n_runs++;
    return CLI_EXIT_OK;
}

/* The directory {out} of a command that should write into it is empty. */
static int wrote_nothing(tries *t, const try_job *job)
{
    const char *out = cli_path(t->p->session, job->dir, "out");
    if (strstr(t->command, "{out}") == NULL) {
        return 0;
    }
    cli_remove_dir(out); /* if it is empty */
    return cli_make_dir(out) == 1;
}

static int take_answer(tries *t, const try_job *job)
{
    cli_session *s = t->p->session;
    try_piece *piece = &t->pieces[job->piece];
    int const status = job->process.status;
    uint32_t const answer = status == 0 ? (uint32_t)TRY_PASSED : (uint32_t)TRY_REFUSED;
    double const seconds = (double)(cli_now() - job->process.begun) * 1e-9;
    int code;
    if (cli_shell_is_unable(status) || cli_shell_signal(status) != 0) {
        return cli_shell_failed(s, status, cli_path(s, job->dir, "log"));
    }
    if (status == 0 && wrote_nothing(t, job)) {
        return cli_error(s, GSP_STATUS_ARG,
            "%s: the command ended with status 0 and has written nothing into {out}", s->path);
    }
    t->sum->n_refused += answer == TRY_REFUSED;
    code = put_log(t, answer_names[answer], seconds, piece);
    if (code == CLI_EXIT_OK && piece->n_runs > 0 && piece->answer != answer) {
        code = cli_error(s, GSP_STATUS_ARG,
            "%s: the command is flaky: a piece of %" PRIu32 " node%s that it %s at first it %s the "
            "second time",
            s->path, piece->n_nodes, cli_plural(piece->n_nodes),
            answer == TRY_PASSED ? "refused" : "took", answer == TRY_PASSED ? "takes" : "refuses");
    }
    piece->answer = (uint8_t)answer;
    piece->n_runs++;
    return code;
}

/* A job whose command has ended. */
static int finish(tries *t, try_job *job, cli_shell_end end)
{
    cli_session *s = t->p->session;
    int code = TRIES_OVER;
    job->is_busy = 0;
    if (end == CLI_SHELL_LATE) {
        code = put_log(t, "late", (double)t->p->opt.timeout, &t->pieces[job->piece]);
        code = code == CLI_EXIT_OK ? cli_shell_late(s, t->p->opt.timeout) : code;
    } else if (end == CLI_SHELL_ENDED) {
        code = take_answer(t, job);
    }
    remove_files(t, job);
    return code;
}

static void show(tries *t)
{
    cli_buffer line;
    cli_buffer_init(&line, t->p->session);
    cli_printf(&line,
        "%" PRIu32 " pieces tried, %" PRIu32 " refused, %" PRIu32
        " nodes given back (^C: take the best so far)%c",
        t->sum->n_runs, t->sum->n_refused, t->sum->n_culprits, '\0');
    cli_progress_line(t->p->session, line.data);
    cli_release(t->p->session, line.data);
}

/* Takes the answers of commands that have ended; *n_busy of them have not. After a failure all are
 * ended. */
static int poll_all(tries *t, int code, uint32_t *n_busy)
{
    uint32_t i;
    *n_busy = 0;
    for (i = 0; i < t->n_jobs; i++) {
        try_job *job = &t->jobs[i];
        cli_shell_end end = CLI_SHELL_STOPPED;
        if (!job->is_busy) {
            continue;
        }
        if (code != CLI_EXIT_OK) {
            cli_shell_kill(&job->process);
            (void)finish(t, job, CLI_SHELL_STOPPED);
        } else if (cli_shell_ended(&job->process, t->p->opt.timeout, &end)) {
            code = finish(t, job, end);
        } else {
            (*n_busy)++;
        }
    }
    return code;
}

static try_job *idle(tries *t)
{
    uint32_t i = 0;
    while (i < t->n_jobs && t->jobs[i].is_busy) {
        i++;
    }
    return i < t->n_jobs ? &t->jobs[i] : NULL;
}

/* It is tried less often than `runs`, and not now. */
static int is_wanted(const tries *t, uint32_t id, uint32_t runs)
{
    uint32_t i = 0;
    while (i < t->n_jobs && (!t->jobs[i].is_busy || t->jobs[i].piece != id)) {
        i++;
    }
    return i == t->n_jobs && t->pieces[id].n_runs < runs;
}

int tries_run(tries *t, const uint32_t *ids, uint32_t n, uint32_t runs)
{
    uint32_t next = 0;
    uint32_t n_busy = 0;
    uint32_t pause = 0;
    int code = CLI_EXIT_OK;
    do {
        try_job *job = idle(t);
        if (code == CLI_EXIT_OK && (cli_search_interrupted() || cli_is_stopped())) {
            code = TRIES_OVER;
        }
        if (code == CLI_EXIT_OK && next < n && job != NULL) {
            if (is_wanted(t, ids[next], runs)) {
                show(t);
                code = start(t, job, ids[next]);
                n_busy = 1;
                pause = 0;
            }
            next++;
            continue;
        }
        code = poll_all(t, code, &n_busy);
        if (n_busy > 0) {
            cli_shell_pause(&pause);
        }
    } while ((code == CLI_EXIT_OK && next < n) || n_busy > 0);
    return code;
}

int tries_test(tries *t, const gsp_node *nodes, uint32_t n, int *refused)
{
    uint32_t id = 0;
    int code = tries_piece(t, nodes, n, &id);
    code = code == CLI_EXIT_OK ? tries_run(t, &id, 1, 1) : code;
    *refused = code == CLI_EXIT_OK && t->pieces[id].answer == TRY_REFUSED;
    return code;
}
