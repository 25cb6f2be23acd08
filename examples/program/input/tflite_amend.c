/* A .tflite file with new tables, which precede its bytes: these do not change, since offsets of a
 * FlatBuffer are relative and lead forward. Only offsets from the start of the file grow; they lead
 * to data after the tables of a large model. */
#include "input/input.h"

#include <string.h>

#define FIRST 8u /* first byte that moves, after root offset and format name */

/* A place in the output that leads to a byte of the file. */
struct cli_link {
    size_t place;
    uint64_t to;
};

int cli_amend_begin(cli_amend *w, cli_session *s, cli_buffer *out)
{
    memset(w, 0, sizeof *w);
    w->session = s;
    w->model = cli_tflite_model(s);
    cli_copy_begin(&w->copy, w->model, out);
    w->root = tfl_table_at(&w->copy.file, tfl_u32_at(&w->copy.file, 0));
    if (w->root.size > 4u + 2u * CLI_AMEND_FIELDS || w->model->size > INT32_MAX / 2u) {
        (void)cli_error(s, GSP_STATUS_LIMIT, "%s: its model has %s, so that nothing can be added",
            s->path,
            w->root.size > 4u + 2u * CLI_AMEND_FIELDS ? "fields of a later version" : "1 GiB");
        return 0;
    }
    return 1;
}

void cli_amend_link(cli_amend *w, size_t place, uint64_t to)
{
    if (w->n_links == w->room) {
        w->room = w->room * 2u + 64u;
        w->links = (cli_link *)cli_grow(w->session, w->links, w->room * sizeof *w->links);
    }
    w->links[w->n_links].place = place;
    w->links[w->n_links++].to = to;
}

size_t cli_amend_tables(
    cli_amend *w, size_t place, const tfl_vector *old, uint32_t first, uint32_t n)
{
    size_t const at = cli_copy_numbers(&w->copy, place, n);
    uint32_t i;
    for (i = first; i < old->n && tfl_ok(&w->copy.file); i++) {
        cli_amend_link(w, at + 4u * (size_t)i, tfl_element(&w->copy.file, old, i).at);
    }
    return at;
}

void cli_amend_align(cli_amend *w, size_t rest)
{
    static const char zeros[CLI_AMEND_ALIGN] = {0};
    cli_put(w->copy.out, zeros, (rest - w->copy.out->size) & (CLI_AMEND_ALIGN - 1u));
}

void cli_amend_field(cli_amend *w, const cli_field *to, const tfl_table *t, uint32_t field)
{
    uint64_t const from = tfl_field(&w->copy.file, t, field, 4);
    if (from != 0u) {
        cli_amend_link(w, to->at, from + tfl_u32_at(&w->copy.file, from));
    }
}

size_t cli_amend_metadata(cli_amend *w, size_t place, uint32_t n_more)
{
    tfl_file *f = &w->copy.file;
    tfl_vector const old = tfl_vector_of(f, &w->root, TFL_MODEL_METADATA, 4);
    uint32_t kept = 0;
    uint32_t pass;
    uint32_t i;
    size_t at = 0;
    for (pass = 0; pass < 2u; pass++) {
        if (pass != 0) {
            at = cli_copy_numbers(&w->copy, place, kept + n_more);
        }
        for (i = 0; i < old.n; i++) {
            tfl_table const t = tfl_element(f, &old, i);
            gsp_str const name = tfl_text_of(f, &t, TFL_METADATA_NAME);
            if (!gsp_str_equal(name, gsp_str_of(CLI_AMEND_PLAN))) {
                kept += pass == 0;
                if (pass != 0) {
                    cli_amend_link(w, at, t.at);
                    at += 4u;
                }
            }
        }
    }
    return at;
}

void cli_amend_root(cli_amend *w, cli_field *field, uint32_t own)
{
    tfl_file *f = &w->copy.file;
    uint32_t i;
    memset(field, 0, CLI_AMEND_FIELDS * sizeof *field);
    cli_put(w->copy.out, "\0\0\0\0TFL3", FIRST);
    for (i = 0; i < CLI_AMEND_FIELDS; i++) {
        if ((own >> i & 1u) != 0 || tfl_field(f, &w->root, i, 4) != 0u) {
            cli_copy_offset(&field[i]);
        }
    }
    cli_copy_number(&field[TFL_MODEL_VERSION], 4, w->model->version);
    cli_copy_table(&w->copy, 0, field, CLI_AMEND_FIELDS);
    for (i = 0; i < CLI_AMEND_FIELDS; i++) {
        if (i != TFL_MODEL_VERSION && (own >> i & 1u) == 0) {
            cli_amend_field(w, &field[i], &w->root, i);
        }
    }
}

/* Moves an offset from the start of the file, which is 64 bits wide. */
static void move_offset(cli_amend *w, const tfl_table *t, uint32_t field, uint64_t by)
{
    uint64_t const at = tfl_field(&w->copy.file, t, field, 8);
    uint64_t const old = tfl_u64(&w->copy.file, t, field);
    if (old > 1u) {
        cli_copy_set(&w->copy, (size_t)(at + by), (uint32_t)(old + by));
        cli_copy_set(&w->copy, (size_t)(at + by) + 4u, (uint32_t)((old + by) >> 32));
    }
}

static void move_offsets(cli_amend *w, uint64_t by)
{
    tfl_file *f = &w->copy.file;
    tfl_vector const buffers = tfl_vector_of(f, &w->root, TFL_MODEL_BUFFERS, 4);
    tfl_vector const graphs = tfl_vector_of(f, &w->root, TFL_MODEL_SUBGRAPHS, 4);
    uint32_t i;
    uint32_t k;
    for (i = 0; i < buffers.n; i++) {
        tfl_table const t = tfl_element(f, &buffers, i);
        move_offset(w, &t, TFL_BUFFER_OFFSET, by);
    }
    for (i = 0; i < graphs.n; i++) {
        tfl_table const graph = tfl_element(f, &graphs, i);
        tfl_vector const operators = tfl_vector_of(f, &graph, TFL_SUBGRAPH_OPERATORS, 4);
        for (k = 0; k < operators.n; k++) {
            tfl_table const o = tfl_element(f, &operators, k);
            move_offset(w, &o, TFL_OPERATOR_LARGE_OFFSET, by);
        }
    }
}

int cli_amend_end(cli_amend *w)
{
    cli_buffer *out = w->copy.out;
    char text[TFLITE_SENTENCE];
    uint64_t by;
    size_t i;
    cli_amend_align(w, FIRST);
    by = out->size - FIRST;
    for (i = 0; i < w->n_links; i++) {
        cli_copy_set(
            &w->copy, w->links[i].place, (uint32_t)(w->links[i].to + by - w->links[i].place));
    }
    cli_put(out, (const char *)w->model->data + FIRST, w->model->size - FIRST);
    move_offsets(w, by);
    cli_release(w->session, w->links);
    if (!tfl_ok(&w->copy.file)) {
        (void)tflite_sentence(&w->copy.err, text, sizeof text);
        return cli_error(w->session, w->copy.err.status, "%s: %s", w->session->path, text);
    }
    return CLI_EXIT_OK;
}
