#include "input/input.h"

#include <inttypes.h>
#include <string.h>

#define MOST_WORDS 258u /* of a line: a name, the CPU, 254 accelerators, and more than that */
#define CPU_RATES  "2e10,2e10"
#define ACC_RATES  "1e12,1e11"

typedef struct reader {
    cli_session *session;
    const cli_costs_options *opt;
    const gsp_graph *graph;
    cli_costs *out;
    double *cpu; /* [n] seconds; negative if not known */
    double *acc;
    double **all;        /* [1 + n_accelerators] of [nodes of the module] in which these lie */
    uint32_t n_known[2]; /* times that are given, or estimated from more than nothing */
    const char *path;    /* of --costs */
    gsp_str text;
    uint32_t line;
} reader;

static int is_time(double seconds)
{
    return seconds >= 0.0 && seconds < 1e9;
}

/* ---- --costs ---- */

/* The words of the next line that has any; blanks and commas part them. */
static uint32_t next_words(reader *r, uint32_t *at, gsp_str *words)
{
    uint32_t n = 0;
    while (*at < r->text.size && n == 0) {
        gsp_str *word = NULL;
        int comment = 0;
        r->line++;
        for (; *at < r->text.size && r->text.data[*at] != '\n'; ++*at) {
            comment |= r->text.data[*at] == '#';
            if (comment || strchr(" \t\r,", r->text.data[*at]) != NULL) {
                word = NULL;
            } else if (word == NULL && n < MOST_WORDS) {
                word = &words[n++];
                word->data = r->text.data + *at;
                word->size = 1;
            } else if (word != NULL) {
                word->size++;
            }
        }
        *at += *at < r->text.size ? 1u : 0u;
    }
    return n;
}

static int wrong_line(const reader *r, gsp_str word, const char *what)
{
    return cli_error(r->session, GSP_STATUS_ARG, "%s:%" PRIu32 ": %.*s %s", r->path, r->line,
        (int)word.size, word.data, what);
}

/* OPERATOR [SECONDS_PER_MAC] ACC_SECONDS_PER_MAC...: all nodes of that name, in called graphs, too;
 * returns how many. times: of places from `first` on */
static uint32_t take_operator(reader *r, gsp_str name, uint32_t first, const double *times)
{
    const gsp_module *m = r->graph->module;
    uint32_t n = 0;
    uint32_t i;
    gsp_node v;
    for (i = 0; i < m->counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        for (v = 0; v < g.n_nodes; v++) {
            if (gsp_node_is_callable(&g, v) && gsp_str_equal(gsp_node_class(&g, v), name)) {
                double const macs = cli_multiplications(&g, v);
                for (uint32_t p = first; p <= r->opt->n_accelerators; p++) {
                    r->all[p][g.first + v] = times[p - first] * macs;
                }
                n++;
            }
        }
    }
    return n;
}

/* A line with too few or too many times. */
static int wrong_count(const reader *r, const gsp_str *words, uint32_t n)
{
    uint32_t const n_acc = r->opt->n_accelerators;
    if (n_acc < 2u) {
        return wrong_line(r, words[0],
            "requires two times, on the CPU and on the accelerator, or seconds per MAC");
    }
    if (n > n_acc + 2u) {
        return cli_error(r->session, GSP_STATUS_ARG,
            "%s:%" PRIu32 ": %.*s has %" PRIu32
            " times, and the CPU and the accelerators are %" PRIu32,
            r->path, r->line, (int)words[0].size, words[0].data, n - 1u, n_acc + 1u);
    }
    return cli_error(r->session, GSP_STATUS_ARG,
        "%s:%" PRIu32
        ": %.*s has no seconds on %s: there is one column for the CPU, and one for each "
        "accelerator",
        r->path, r->line, (int)words[0].size, words[0].data,
        r->opt->names[n > 2u ? n - 1u : n_acc]);
}

static int take_line(reader *r, const cli_names *names, const gsp_str *words, uint32_t n)
{
    uint32_t const n_acc = r->opt->n_accelerators;
    double times[MOST_WORDS] = {0};
    gsp_node const v = cli_names_find(names, words[0]);
    int const is_called = v != GSP_NONE && gsp_node_is_callable(r->graph, v);
    uint32_t const first = n == n_acc + 2u ? 0u : 1u;
    uint32_t i;
    if (n < n_acc + 1u || n > n_acc + 2u || (first != 0 && is_called && n_acc > 1u)) {
        return wrong_count(r, words, n);
    }
    for (i = 1; i < n; i++) {
        if (!gsp_str_decimal(words[i], &times[i - 1u])) {
            return wrong_line(r, words[i], "is no number of seconds");
        }
        if (!is_time(times[i - 1u])) {
            return wrong_line(r, words[i], "is negative, not finite, or above 10^9 seconds");
        }
    }
    if (is_called && first == 0) {
        for (i = 0; i <= n_acc; i++) {
            r->all[i][r->graph->first + v] = times[i];
        }
    } else if (take_operator(r, words[0], first, times) == 0) {
        return wrong_line(r, words[0],
            is_called       ? "is a node, which requires two times, NODE CPU_SECONDS ACC_SECONDS"
            : v != GSP_NONE ? "is not called and takes no time"
                            : "is neither a node nor an operator of this graph");
    }
    return CLI_EXIT_OK;
}

/* Lines of operators first, so that those of nodes are exceptions, in any order. */
static int read_costs(reader *r)
{
    cli_names names;
    char *data = NULL;
    size_t size = 0;
    gsp_str words[MOST_WORDS];
    uint32_t turn;
    int code;
    r->path = r->opt->costs;
    if (r->path == NULL) {
        return CLI_EXIT_OK;
    }
    code = cli_file_read(r->session, r->path, &data, &size);
    if (code == CLI_EXIT_OK && size > UINT32_MAX) {
        code = cli_error(r->session, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", r->path);
    }
    if (code != CLI_EXIT_OK) {
        return code;
    }
    r->text.data = data;
    r->text.size = (uint32_t)size;
    cli_names_make(r->session, r->graph, &names);
    for (turn = 0; turn < 2u && code == CLI_EXIT_OK; turn++) {
        uint32_t at = 0;
        uint32_t n;
        r->line = 0;
        while (code == CLI_EXIT_OK && (n = next_words(r, &at, words)) != 0) {
            int const heading = n >= 3u && gsp_str_equal(words[1], gsp_str_of("CPU_SECONDS"));
            uint32_t const is_node = cli_names_find(&names, words[0]) != GSP_NONE ? 1u : 0u;
            code = heading || is_node != turn ? CLI_EXIT_OK : take_line(r, &names, words, n);
        }
    }
    return code;
}

/* ---- --profile, annotations, estimates ---- */

static void take_profile(reader *r, const cli_profile *p)
{
    gsp_node v;
    for (v = 0; v < r->graph->n_nodes; v++) {
        if (p->cpu[v] >= 0.0 || p->acc[v] >= 0.0) {
            r->out->n_measured++;
            r->cpu[v] = p->cpu[v];
            r->acc[v] = p->acc[v];
        }
    }
}

/* What a node says itself, where nothing else is known. */
static int read_attribute(reader *r, gsp_node v, gsp_key key, double *seconds)
{
    if (*seconds < 0.0 && gsp_node_attr(r->graph, v, key).data != NULL) {
        gsp_str const name = gsp_node_name(r->graph, v);
        *seconds = gsp_node_seconds(r->graph, v, key);
        if (!is_time(*seconds)) {
            return cli_error(r->session, GSP_STATUS_ARG,
                "a time of %.*s is negative, not finite, or above 10^9 seconds", (int)name.size,
                name.data);
        }
    }
    return CLI_EXIT_OK;
}

/* An estimate without any would be its least value. */
static int has_sizes(const gsp_graph *g, gsp_node v)
{
    uint32_t n;
    const gsp_node *inputs = gsp_node_inputs(g, v, &n);
    while (n > 0 && gsp_node_bytes(g, inputs[n - 1u]) == 0) {
        n--;
    }
    return n > 0 || gsp_node_bytes(g, v) != 0 ||
           (gsp_node_op(g, v) == GSP_OP_CALL_MODULE && gsp_node_params(g, v) != 0);
}

typedef struct side {
    const double *given; /* [nodes of the module] */
    gsp_key key;
    cli_rates rates;
    double *seconds;  /* [nodes] with those of the graphs that a node runs */
    uint8_t *guessed; /* [nodes + graphs] estimates are part of them */
} side;

/* Seconds of a node on one side. */
static int side_seconds(const gsp_graph *g, gsp_node v, int runs, const void *user, double *seconds)
{
    const side *x = (const side *)user;
    uint32_t const n = g->module->counts.nodes;
    uint32_t const at = g->first + v;
    int guessed = !runs;
    gsp_called c;
    if (x->given[at] >= 0.0) {
        *seconds = x->given[at];
        return 1;
    }
    if (gsp_node_attr(g, v, x->key).data != NULL) {
        *seconds = gsp_node_seconds(g, v, x->key);
        return 1;
    }
    memset(&c, 0, sizeof c);
    while (gsp_called_next(g, v, &c)) {
        guessed |= x->guessed[n + c.graph];
    }
    x->guessed[at] = (uint8_t)guessed;
    x->guessed[n + g->id] |= (uint8_t)guessed;
    *seconds = runs ? 0.0 : cli_time_estimate(g, v, &x->rates);
    return !runs;
}

static int finish_node(reader *r, gsp_node v, const side *sides)
{
    uint32_t const at = r->graph->first + v;
    int const sizes = has_sizes(r->graph, v);
    int const on_cpu = sides[0].guessed[at];
    int const on_acc = sides[1].guessed[at];
    int code = read_attribute(r, v, GSP_KEY_CPU, &r->cpu[v]);
    code = code == CLI_EXIT_OK ? read_attribute(r, v, GSP_KEY_COMPUTE, &r->acc[v]) : code;
    r->n_known[0] += !on_cpu || sizes ? 1u : 0u;
    r->n_known[1] += !on_acc || sizes ? 1u : 0u;
    r->out->n_called++;
    r->out->n_on_cpu += on_cpu ? 1u : 0u;
    r->out->n_on_acc += on_acc ? 1u : 0u;
    r->out->estimated[v] = (uint8_t)((on_cpu ? 1u : 0u) | (on_acc ? 2u : 0u));
    if (on_cpu || on_acc) {
        r->out->n_estimated++;
        r->out->n_sizeless += sizes ? 0u : 1u;
    }
    for (uint32_t p = 0; p <= r->opt->n_accelerators && code == CLI_EXIT_OK; p++) {
        double *seconds = &r->all[p][at];
        code = p < 2u ? code : read_attribute(r, v, GSP_KEY_COMPUTE, seconds);
        *seconds = *seconds < 0.0 ? sides[p].seconds[at] : *seconds;
        if (code == CLI_EXIT_OK && !is_time(*seconds)) {
            gsp_str const name = gsp_node_name(r->graph, v);
            return cli_error(r->session, GSP_STATUS_OVERFLOW, "%.*s takes more than 10^9 seconds",
                (int)name.size, name.data);
        }
        r->out->on[p][v] = cli_nanoseconds(*seconds);
    }
    return code;
}

/* ---- transfers ---- */

static int read_move(reader *r, gsp_node v)
{
    uint64_t const bandwidth = r->out->bandwidth;
    uint64_t const bytes = gsp_node_bytes(r->graph, v);
    double seconds = -1.0;
    int const code = read_attribute(r, v, GSP_KEY_COMM, &seconds);
    gsp_str const name = gsp_node_name(r->graph, v);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (seconds < 0.0 && bytes != 0 && bandwidth == 0) {
        return cli_error(r->session, GSP_STATUS_ARG,
            "--bandwidth 0 moves nothing, and %.*s has %" PRIu64 " bytes", (int)name.size,
            name.data, bytes);
    }
    seconds = seconds >= 0.0 ? seconds : bytes == 0 ? 0.0 : (double)bytes / (double)bandwidth;
    if (!is_time(seconds)) {
        return cli_error(r->session, GSP_STATUS_OVERFLOW,
            "to move %.*s takes more than 10^9 seconds", (int)name.size, name.data);
    }
    r->out->move[v] = cli_nanoseconds(seconds);
    return CLI_EXIT_OK;
}

/* ---- all of it ---- */

/* Of one side nothing: every comparison would be of the least values of estimates. */
static int check_known(reader *r)
{
    if (r->out->n_called == 0 || (r->n_known[0] != 0 && r->n_known[1] != 0)) {
        return CLI_EXIT_OK;
    }
    return cli_error(r->session, GSP_STATUS_ARG,
        "--minimise time: no node has a time%s, or sizes to estimate it from; give times "
        "(--costs FILE, --profile FILE), or a graph with types such as # f32[1, 8]",
        r->n_known[0] != 0   ? " on the accelerator"
        : r->n_known[1] != 0 ? " on the CPU"
                             : "");
}

static int make_side(reader *r, uint32_t k, side *x)
{
    const gsp_module *m = r->graph->module;
    size_t const nodes = (size_t)m->counts.nodes + 1u;
    int const code = cli_rates_read(r->session, k == 0 ? "--cpu-rates" : "--acc-rates",
        k == 0 ? r->out->cpu_rates : r->out->acc_rates, &x->rates);
    x->given = r->all[k];
    x->key = k == 0 ? GSP_KEY_CPU : GSP_KEY_COMPUTE;
    x->seconds = (double *)cli_alloc(r->session, nodes, sizeof *x->seconds);
    x->guessed = (uint8_t *)cli_alloc(r->session, nodes + m->counts.graphs, 1u);
    return code == CLI_EXIT_OK ? cli_seconds_make(r->session, m, side_seconds, x, x->seconds)
                               : code;
}

static int finish(reader *r)
{
    uint32_t const n_places = r->opt->n_accelerators + 1u;
    side *sides = (side *)cli_alloc(r->session, n_places, sizeof *sides);
    gsp_node v;
    int code = CLI_EXIT_OK;
    for (uint32_t p = 0; p < n_places && code == CLI_EXIT_OK; p++) {
        code = make_side(r, p, &sides[p]);
    }
    for (v = 0; v < r->graph->n_nodes && code == CLI_EXIT_OK; v++) {
        gsp_op const op = gsp_node_op(r->graph, v);
        if (gsp_node_is_callable(r->graph, v)) {
            code = finish_node(r, v, sides);
        }
        if (code == CLI_EXIT_OK && op != GSP_OP_GET_ATTR && op != GSP_OP_OUTPUT) {
            code = read_move(r, v);
        }
    }
    return code == CLI_EXIT_OK ? check_known(r) : code;
}

int cli_costs_read(
    cli_session *s, const cli_costs_options *options, const gsp_graph *graph, cli_costs *costs)
{
    size_t const n = (size_t)graph->n_nodes + 1u;
    cli_profile profile;
    uint32_t const nodes = graph->module->counts.nodes;
    uint32_t const n_places = options->n_accelerators + 1u;
    reader r;
    uint32_t i;
    uint32_t k;
    int code = CLI_EXIT_OK;
    memset(&r, 0, sizeof r);
    memset(costs, 0, sizeof *costs);
    r.session = s;
    r.opt = options;
    r.graph = graph;
    r.out = costs;
    costs->cpu_rates = options->cpu_rates != NULL ? options->cpu_rates : CPU_RATES;
    costs->acc_rates = options->acc_rates != NULL ? options->acc_rates : ACC_RATES;
    costs->bandwidth = options->bandwidth == UINT64_MAX ? CLI_COSTS_BANDWIDTH : options->bandwidth;
    costs->on = (uint64_t **)cli_alloc(s, n_places, sizeof *costs->on);
    r.all = (double **)cli_alloc(s, n_places, sizeof *r.all);
    for (k = 0; k < n_places; k++) {
        costs->on[k] = (uint64_t *)cli_alloc(s, n, sizeof *costs->on[k]);
        r.all[k] = (double *)cli_alloc(s, (size_t)nodes + 1u, sizeof *r.all[k]);
        for (i = 0; i < nodes; i++) {
            r.all[k][i] = -1.0;
        }
    }
    r.cpu = r.all[0] + graph->first;
    r.acc = r.all[1] + graph->first;
    costs->cpu = costs->on[0];
    costs->acc = costs->on[1];
    costs->move = (uint64_t *)cli_alloc(s, n, sizeof *costs->move);
    costs->estimated = (uint8_t *)cli_alloc(s, n, sizeof *costs->estimated);
    if (options->profile != NULL) {
        code = cli_profile_read(s, options->profile, graph, &profile);
        if (code != CLI_EXIT_OK) {
            return code;
        }
        take_profile(&r, &profile);
    }
    code = read_costs(&r);
    return code == CLI_EXIT_OK ? finish(&r) : code;
}
