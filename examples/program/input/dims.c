/* Dimensions that are no numbers: --dim NAME=N sets them, and a line tells those that are left. */
#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifndef CLI_NO_DIMS /* the page of the browser has no room for them */
/* The value of a dimension, with size 0 if none is given. */
static gsp_str value_of(const cli_session *s, gsp_str dim, uint8_t *used)
{
    gsp_str value = {NULL, 0};
    size_t i;
    for (i = 0; i < s->n_dims; i++) {
        const char *equals = strchr(s->dims[i], '=');
        size_t size = (size_t)(equals - s->dims[i]);
        if (size == dim.size && memcmp(s->dims[i], dim.data, size) == 0) {
            value = gsp_str_of(equals + 1);
            used[i] = 1;
        }
    }
    return value;
}

static void put_type(const cli_session *s, cli_buffer *out, gsp_str type, uint8_t *used)
{
    const char *from = type.data;
    uint32_t at = 0;
    gsp_str dtype;
    gsp_str dims;
    while (gsp_type_next(type, &at, &dtype, &dims)) {
        uint32_t i = 0;
        gsp_str dim;
        while (cli_next_dim(dims, &i, &dim)) {
            gsp_str value = value_of(s, dim, used);
            if (value.size != 0) {
                cli_put(out, from, (size_t)(dim.data - from));
                cli_put_text(out, value);
                from = dim.data + dim.size;
            }
        }
    }
    cli_put(out, from, type.size - (size_t)(from - type.data));
}

/* The strings of the module, types with the given dimensions. */
static uint32_t *put_strings(cli_session *s, cli_buffer *chars, uint8_t *used)
{
    const gsp_module *m = &s->module;
    uint32_t n = m->counts.strings;
    uint32_t *begin = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof *begin);
    uint8_t *is_type = (uint8_t *)cli_alloc(s, (size_t)n + 1u, 1u);
    uint32_t i;
    for (i = 0; i < m->counts.nodes; i++) {
        if (m->type[i] < n) {
            is_type[m->type[i]] = 1;
        }
    }
    for (i = 0; i < n; i++) {
        begin[i] = (uint32_t)chars->size;
        if (is_type[i]) {
            put_type(s, chars, gsp_module_str(m, i), used);
        } else {
            cli_put_text(chars, gsp_module_str(m, i));
        }
    }
    begin[n] = (uint32_t)chars->size;
    cli_release(s, is_type);
    return begin;
}

int cli_read_again(cli_session *s, const cli_buffer *text, const char *option)
{
    gsp_counts counts;
    gsp_arena arena;
    gsp_error err;
    gsp_str all;
    gsp_status status = gsp_text_count(text->data, text->size, &counts, &err);
    if (status == GSP_OK) {
        size_t bound = gsp_build_bound(&counts);
        if (bound == SIZE_MAX) {
            return cli_error(s, GSP_STATUS_OVERFLOW, "%s: the graph is too large", option);
        }
        cli_arena(s, &arena, bound);
        status = gsp_text_read(&arena, text->data, text->size, NULL, &s->module, &err);
    }
    all.data = text->data;
    all.size = (uint32_t)text->size;
    return status == GSP_OK ? CLI_EXIT_OK : cli_text_error(s, option, all, &err);
}

int cli_dims_set(cli_session *s)
{
    gsp_module changed = s->module;
    uint8_t *used = (uint8_t *)cli_alloc(s, s->n_dims + 1u, 1u);
    cli_buffer chars;
    cli_buffer text;
    gsp_error err;
    size_t i;
    if (s->n_dims == 0) {
        return CLI_EXIT_OK;
    }
    cli_buffer_init(&chars, s);
    cli_buffer_init(&text, s);
    changed.string_begin = put_strings(s, &chars, used);
    changed.chars = chars.data;
    if (chars.size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "--dim: the graph is too large");
    }
    for (i = 0; i < s->n_dims; i++) {
        if (!used[i]) {
            return cli_error(s, GSP_STATUS_ARG, "--dim %s: no type has this dimension", s->dims[i]);
        }
    }
    if (gsp_text_write(&changed, NULL, cli_sink, &text, &err) != GSP_OK) {
        return cli_error(s, (gsp_status)err.status, "--dim: text cannot express this model");
    }
    return cli_read_again(s, &text, "--dim");
}

void cli_unknown_tell(cli_session *s)
{
    cli_buffer line; /* between newlines */
    uint32_t i = 0;
    while (i < s->module.counts.nodes && s->module.bytes[i] == 0) {
        i++;
    }
    cli_buffer_init(&line, s);
    cli_put_unknown(&line, &s->module);
    if (line.size != 0 && i < s->module.counts.nodes) {
        cli_progress_end(s);
        fprintf(
            stderr, "%s: %s: %.*s", s->front->program, s->path, (int)line.size - 1, line.data + 1);
    }
}
#endif

/* ---- those that are left ---- */

void cli_dims_tell(cli_session *s)
{
    uint32_t n = 0;
    gsp_str dim = {NULL, 0};
    cli_buffer name;
    uint32_t i;
    for (i = 0; i < s->module.counts.graphs; i++) {
        gsp_graph g = gsp_module_graph(&s->module, i);
        gsp_node v;
        for (v = 0; v < g.n_nodes; v++) {
            n += cli_size_of(&g, v, &dim) == CLI_SIZE_LEAST;
        }
    }
    if (n == 0) {
        return;
    }
    cli_buffer_init(&name, s);
    cli_put_clipped(&name, dim, 40u);
    cli_put(&name, "", 1u);
    fprintf(stderr,
        "%s: %s: %" PRIu32 " value%s of unknown dimensions such as %s, which count as 1; "
        "--dim %s=N on the command line sets it\n",
        s->front->program, s->path, n, cli_plural(n), name.data, name.data);
}
