/* Assignments from files: integers as METIS, KaHIP and others write them, NODE=K, plans. */
#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARTS 65536u /* of a graph with fewer nodes, without their number */

const gsp_node *cli_part_nodes(cli_session *s, const gsp_graph *graph, uint32_t *count)
{
    gsp_node *nodes;
    gsp_node v;
    *count = s->n_numbered;
    if (s->numbered != NULL) {
        return s->numbered;
    }
    nodes = (gsp_node *)cli_alloc(s, (size_t)graph->n_nodes + 1u, sizeof *nodes);
    for (v = 0, *count = 0; v < graph->n_nodes; v++) {
        if (gsp_node_is_callable(graph, v)) {
            nodes[(*count)++] = v;
        }
    }
    return nodes;
}

static int read_text(cli_session *s, const char *path, gsp_str *text)
{
    char *data = NULL;
    size_t size = 0;
    int code = cli_file_read(s, path, &data, &size);
    if (code == CLI_EXIT_OK && size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", path);
    }
    text->data = data;
    text->size = (uint32_t)size;
    return code;
}

/* The next line with something on it, without blanks around, or 0. */
static int next_line(gsp_str text, uint32_t *at, uint64_t *line, gsp_str *word)
{
    while (*at < text.size) {
        uint32_t end = *at;
        word->data = text.data + *at;
        while (end < text.size && text.data[end] != '\n') {
            end++;
        }
        word->size = end - *at;
        *at = end + 1u;
        ++*line;
        while (word->size > 0 && strchr(" \t\r", word->data[word->size - 1u]) != NULL) {
            word->size--;
        }
        while (word->size > 0 && strchr(" \t", word->data[0]) != NULL) {
            word->data++;
            word->size--;
        }
        if (word->size > 0) {
            return 1;
        }
    }
    return 0;
}

/* Integers from `least` up to, but not, `end`, into part_of by the order of the nodes. */
static int read_integers(cli_session *s, const gsp_graph *graph, const char *path, gsp_str text,
    int64_t least, int64_t end, cli_parts *out)
{
    uint32_t n;
    const gsp_node *nodes = cli_part_nodes(s, graph, &n);
    uint32_t at = 0;
    uint64_t line = 0;
    gsp_str word;
    out->n_wanted = n;
    memset(out->part_of, 0xFF, (size_t)graph->n_nodes * sizeof *out->part_of);
    while (next_line(text, &at, &line, &word)) {
        int64_t number;
        if (!cli_integer(word, &number)) {
            return cli_error(s, GSP_STATUS_PARSE,
                "%s:%" PRIu64 ": expected the number of a part, got '%.*s'", path, line,
                word.size < 40u ? (int)word.size : 40, word.data);
        }
        if (number < least || number >= end) {
            return cli_error(s, GSP_STATUS_ARG,
                "%s:%" PRIu64 ": there is no part %" PRId64 ": parts are 0 to %" PRId64, path, line,
                number, end - 1);
        }
        if (out->n_lines < n && number >= 0) {
            out->part_of[nodes[out->n_lines]] = (uint32_t)number;
        }
        if (number >= (int64_t)out->n_parts) {
            out->n_parts = (uint32_t)number + 1u;
        }
        out->n_lines++;
    }
    return CLI_EXIT_OK;
}

static void name_parts(cli_session *s, cli_parts *out, const int64_t *numbers)
{
    uint32_t i;
    out->names = (gsp_str *)cli_alloc(s, (size_t)out->n_parts + 1u, sizeof *out->names);
    for (i = 0; i < out->n_parts; i++) {
        char digits[24];
        (void)snprintf(digits, sizeof digits, "%" PRId64, numbers != NULL ? numbers[i] : i);
        out->names[i] = gsp_str_of(cli_copy(s, gsp_str_of(digits)));
    }
}

/* With a number of parts, K is one of them; without, parts are numbered as they ascend. */
static int take_assign(cli_session *s, const gsp_graph *graph, const char *path, gsp_str text,
    uint32_t parts, cli_parts *out)
{
    cli_assign assign;
    gsp_node v;
    uint32_t i;
    int code = cli_assign_text(s, graph, path, text, &assign);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    for (i = 0; i < assign.n_parts && parts != 0; i++) {
        if (assign.numbers[i] < 0 || assign.numbers[i] >= (int64_t)parts) {
            return cli_error(s, GSP_STATUS_ARG,
                "%s: there is no part %" PRId64 ": parts are 0 to %" PRIu32, path,
                assign.numbers[i], parts - 1u);
        }
    }
    for (v = 0; v < graph->n_nodes; v++) {
        i = assign.part_of[v];
        out->part_of[v] = i == GSP_NONE || parts == 0 ? i : (uint32_t)assign.numbers[i];
    }
    out->n_parts = parts != 0 ? parts : assign.n_parts;
    out->numbers = parts != 0 ? NULL : assign.numbers;
    name_parts(s, out, out->numbers);
    return CLI_EXIT_OK;
}

static int take_plan(
    cli_session *s, const gsp_graph *graph, const char *path, uint32_t parts, cli_parts *out)
{
    cli_plan loaded;
    int code = cli_plan_load(s, path, graph, &loaded);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (parts != 0 && loaded.plan.n_parts > parts) {
        return cli_error(s, GSP_STATUS_ARG, "%s has %" PRIu32 " parts, not %" PRIu32, path,
            loaded.plan.n_parts, parts);
    }
    memcpy(out->part_of, loaded.on.part_of, (size_t)graph->n_nodes * sizeof *out->part_of);
    out->line_of = loaded.on.line_of;
    out->n_parts = parts != 0 ? parts : loaded.plan.n_parts;
    name_parts(s, out, NULL);
    memcpy(out->names, loaded.plan.names, loaded.plan.n_parts * sizeof *out->names);
    return CLI_EXIT_OK;
}

int cli_parts_read(
    cli_session *s, const gsp_graph *graph, const char *path, uint32_t parts, cli_parts *out)
{
    gsp_str text = {NULL, 0};
    gsp_str word;
    uint32_t at = 0;
    uint32_t most = graph->n_nodes > MOST_PARTS ? graph->n_nodes : MOST_PARTS;
    int code;
    memset(out, 0, sizeof *out);
    out->part_of = (uint32_t *)cli_alloc(s, graph->n_nodes, sizeof *out->part_of);
    if (strchr(path, '=') != NULL && !cli_is_file(path)) { /* on the command line */
        return take_assign(s, graph, "PARTS", gsp_str_of(path), parts, out);
    }
    if ((code = read_text(s, path, &text)) != CLI_EXIT_OK) {
        return code;
    }
    word = cli_list_next(text, &at);
    if (gsp_str_equal(word, gsp_str_of("plan"))) {
        return take_plan(s, graph, path, parts, out);
    }
    if (word.size > 0 && memchr(word.data, '=', word.size) != NULL) {
        return take_assign(s, graph, path, text, parts, out);
    }
    code = read_integers(s, graph, path, text, 0, parts != 0 ? parts : most, out);
    out->n_parts = parts != 0 ? parts : out->n_parts;
    name_parts(s, out, NULL);
    return code;
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t const x = *(const int64_t *)a;
    int64_t const y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The part of a number; n_parts: no part has it. */
static uint32_t part_of_number(const cli_parts *parts, int64_t number)
{
    const int64_t *at = (const int64_t *)bsearch(
        &number, parts->numbers, parts->n_parts, sizeof number, compare_numbers);
    return at != NULL ? (uint32_t)(at - parts->numbers) : parts->n_parts;
}

int cli_fixed_read(cli_session *s, const gsp_graph *graph, const char *path, uint32_t parts,
    const cli_parts *of, uint32_t *pin)
{
    cli_parts fixed;
    gsp_str text = {NULL, 0};
    gsp_node v;
    int code = read_text(s, path, &text);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    memset(&fixed, 0, sizeof fixed);
    fixed.part_of = pin;
    code = read_integers(s, graph, path, text, -1, parts != 0 ? parts : GSP_NONE, &fixed);
    for (v = 0; v < graph->n_nodes && of->numbers != NULL && code == CLI_EXIT_OK; v++) {
        pin[v] = pin[v] != GSP_NONE ? part_of_number(of, pin[v]) : GSP_NONE;
    }
    if (code == CLI_EXIT_OK && fixed.n_lines != fixed.n_wanted) {
        return cli_error(s, GSP_STATUS_PARSE, "%s has %" PRIu64 " lines for %" PRIu64 " nodes",
            path, fixed.n_lines, fixed.n_wanted);
    }
    return code;
}
