/* Rates of a device: one pair of numbers, or a file with a line per class of operators. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

#define MOST_ROWS 4096u
#define MOST_RATE 1e308 /* infinity is no rate */

/* The next word of a line, from *at on; empty at its end. */
static gsp_str next_word(gsp_str line, uint32_t *at)
{
    gsp_str word;
    uint32_t end;
    while (*at < line.size && strchr(" \t\r", line.data[*at]) != NULL) {
        ++*at;
    }
    end = *at;
    while (end < line.size && strchr(" \t\r", line.data[end]) == NULL) {
        end++;
    }
    word.data = line.data + *at;
    word.size = end - *at;
    *at = end;
    return word;
}

static int is_word(gsp_str word, const char *text)
{
    return gsp_str_equal(word, gsp_str_of(text));
}

/* Up to two positive numbers; returns how many there are, 3 for a word that is none. */
static uint32_t read_numbers(gsp_str line, uint32_t at, double numbers[2])
{
    uint32_t n = 0;
    gsp_str word = next_word(line, &at);
    for (; word.size != 0; word = next_word(line, &at)) {
        if (n >= 2u || !gsp_str_decimal(word, &numbers[n]) ||
            !(numbers[n] >= 0.0 && numbers[n] <= MOST_RATE)) {
            return 3u;
        }
        n++;
    }
    return n;
}

/* Whether an earlier line is of this name. */
static int is_second(const cli_rates *r, gsp_str name)
{
    uint32_t i = 0;
    while (i < r->n && !gsp_str_equal(r->rows[i].name, name)) {
        i++;
    }
    return i < r->n;
}

/* NAME MACS BYTES, `launch SECONDS`, or `within FACTOR MODELS`. Returns whether it is one. */
static int take_line(cli_rates *r, gsp_str line)
{
    double numbers[2] = {0.0, 0.0};
    uint32_t at = 0;
    gsp_str const name = next_word(line, &at);
    uint32_t const n = read_numbers(line, at, numbers);
    int const is_launch = is_word(name, "launch");
    int const is_within = is_word(name, "within");
    int const is_good = is_launch   ? n == 1u
                        : is_within ? n == 2u && numbers[0] >= 1.0
                                    : n == 2u && numbers[0] > 0.0 && numbers[1] > 0.0;
    if (!is_good) {
        return 0;
    }
    r->launch = is_launch ? numbers[0] : r->launch;
    r->within = is_within ? numbers[0] : r->within;
    r->models = is_within ? numbers[1] : r->models;
    r->macs = is_word(name, "all") ? numbers[0] : r->macs;
    r->bytes = is_word(name, "all") ? numbers[1] : r->bytes;
    r->rows[r->n].name = name;
    r->rows[r->n].macs = is_launch || is_within ? 0.0 : numbers[0];
    r->rows[r->n++].bytes = numbers[1];
    return 1;
}

static int read_file(cli_session *s, const char *path, cli_rates *r)
{
    char *data = NULL;
    size_t size = 0;
    size_t begin = 0;
    uint32_t number = 0;
    int code = cli_file_read(s, path, &data, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", path);
    }
    r->rows = (cli_rate *)cli_alloc(s, size / 2u + 1u, sizeof *r->rows);
    while (begin < size) {
        const char *newline = (const char *)memchr(data + begin, '\n', size - begin);
        size_t const end = newline != NULL ? (size_t)(newline - data) : size;
        const char *comment = (const char *)memchr(data + begin, '#', end - begin);
        uint32_t at = 0;
        gsp_str line;
        line.data = data + begin;
        line.size = (uint32_t)((comment != NULL ? (size_t)(comment - data) : end) - begin);
        number++;
        begin = end + 1u;
        gsp_str const name = next_word(line, &at);
        if (r->n == MOST_ROWS || is_second(r, name)) {
            return cli_error(s, GSP_STATUS_ARG, "%s:%" PRIu32 ": %s%s", path, number,
                r->n == MOST_ROWS ? "there are more than 4096 lines before " : "a second line of ",
                cli_copy(s, name));
        }
        if (name.size != 0 && !take_line(r, line)) {
            return cli_error(s, GSP_STATUS_ARG,
                "%s:%" PRIu32 ": expected NAME MACS_PER_S BYTES_PER_S, launch SECONDS or within "
                "FACTOR MODELS",
                path, number);
        }
    }
    if (!(r->macs > 0.0)) {
        return cli_error(s, GSP_STATUS_ARG,
            "%s: a line 'all MACS_PER_S BYTES_PER_S' is missing, for classes without a line", path);
    }
    return CLI_EXIT_OK;
}

int cli_rates_read(cli_session *s, const char *option, const char *text, cli_rates *r)
{
    gsp_str macs = gsp_str_of(text);
    const char *comma = strchr(macs.data, ',');
    gsp_str bytes = gsp_str_of(comma != NULL ? comma + 1 : "");
    macs.size -= comma != NULL ? bytes.size + 1u : 0u;
    memset(r, 0, sizeof *r);
    if (gsp_str_decimal(macs, &r->macs) && gsp_str_decimal(bytes, &r->bytes) && r->macs > 0.0 &&
        r->bytes > 0.0 && r->macs <= MOST_RATE && r->bytes <= MOST_RATE) {
        return CLI_EXIT_OK;
    }
    if (comma == NULL && text[0] != '\0' && !gsp_str_decimal(macs, &r->macs)) {
        r->macs = 0.0;
        r->path = text;
        return read_file(s, text, r);
    }
    return cli_usage_error(s,
        "%s expects MACs and bytes per second, such as 1e12,1e11, got '%s', or a file of them",
        option, text);
}

/* The row of the operator, else of its class, else the rates for all. */
static cli_rate rate_of(const gsp_graph *g, gsp_node v, const cli_rates *r)
{
    gsp_str const name = gsp_node_class(g, v);
    gsp_str const word = r->n != 0 ? gsp_str_of(cli_macs_class(g, v)) : name;
    cli_rate found;
    uint32_t i;
    found.name = name;
    found.macs = r->macs;
    found.bytes = r->bytes;
    for (i = 0; i < r->n; i++) {
        if (!(r->rows[i].macs > 0.0)) {
            continue; /* not of operators */
        }
        if (gsp_str_equal(r->rows[i].name, name)) {
            return r->rows[i];
        }
        if (gsp_str_equal(r->rows[i].name, word)) {
            found = r->rows[i];
        }
    }
    return found;
}

double cli_time_estimate(const gsp_graph *g, gsp_node v, const cli_rates *r)
{
    cli_rate const rate = rate_of(g, v, r);
    double bytes = (double)gsp_node_bytes(g, v);
    double macs = cli_node_macs(g, v).n / rate.macs;
    uint32_t n;
    const gsp_node *inputs = gsp_node_inputs(g, v, &n);
    for (; n > 0; n--) {
        bytes += (double)gsp_node_bytes(g, inputs[n - 1u]);
    }
    if (gsp_node_op(g, v) == GSP_OP_CALL_MODULE) {
        bytes += (double)gsp_node_params(g, v);
    }
    bytes /= rate.bytes;
    macs = (macs > bytes ? macs : bytes) + r->launch;
    return macs > CLI_TIMES_NODE ? macs : CLI_TIMES_NODE;
}

int cli_rates_rough(const cli_rates *r)
{
    return r->path == NULL || !(r->within >= 1.0 && r->within <= 1.5);
}
