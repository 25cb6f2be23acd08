/* Tables for people: each column as wide as its widest cell, two blanks between columns. */
#include "output/output.h"

#include <string.h>

#define LEAST_WIDTH 12u /* of a column that is made narrower */

void cli_table_init(cli_table *t, cli_session *s, const char *align)
{
    memset(t, 0, sizeof *t);
    t->align = align;
    t->n_columns = (uint32_t)strlen(align);
    cli_buffer_init(&t->text, s);
}

cli_buffer *cli_cell_begin(cli_table *t, cli_style style)
{
    cli_cell *cell;
    if (t->n_cells == t->room) {
        t->room = t->room != 0 ? t->room * 2u : 64u;
        t->cells = (cli_cell *)cli_grow(t->text.session, t->cells, t->room * sizeof *t->cells);
    }
    cell = &t->cells[t->n_cells++];
    cell->begin = t->text.size;
    cell->style = style;
    return &t->text;
}

void cli_cell_put(cli_table *t, cli_style style, const char *format, ...)
{
    va_list list;
    cli_buffer *b = cli_cell_begin(t, style);
    va_start(list, format);
    cli_vprintf(b, format, list);
    va_end(list);
}

void cli_table_head(cli_table *t, const char *titles)
{
    const char *end;
    do {
        end = strchr(titles, '|');
        cli_put(cli_cell_begin(t, CLI_DIM), titles,
            end != NULL ? (size_t)(end - titles) : strlen(titles));
        titles = end != NULL ? end + 1 : NULL;
    } while (titles != NULL);
}

static size_t width_of(const cli_table *t, const cli_cell *cell)
{
    size_t width = 0;
    size_t i;
    for (i = 0; i < cell->size; i++) {
        width += (size_t)(((unsigned char)t->text.data[cell->begin + i] & 0xC0u) != 0x80u);
    }
    return width;
}

static void put_blanks(cli_buffer *out, size_t count)
{
    while (count-- != 0) {
        cli_puts(out, " ");
    }
}

/* The last non-empty cell of a row has no padding. */
static void write_row(const cli_table *t, const cli_cell *row, const size_t *width, cli_buffer *out)
{
    uint32_t last = t->n_columns;
    uint32_t i;
    size_t owed = 2;
    while (last != 0 && row[last - 1u].size == 0) {
        last--;
    }
    for (i = 0; i < last; i++) {
        gsp_str text;
        size_t own = width_of(t, &row[i]);
        size_t rest = own < width[i] ? width[i] - own : 0u;
        put_blanks(out, t->align[i] == 'r' ? owed + rest : owed);
        if (row[i].style != CLI_PLAIN) {
            cli_put_style(out, row[i].style);
        }
        text.data = t->text.data + row[i].begin;
        text.size = (uint32_t)row[i].size;
        cli_put_clipped(out, text, width[i]);
        if (row[i].style != CLI_PLAIN) {
            cli_put_style(out, CLI_PLAIN);
        }
        owed = t->align[i] == 'r' ? 2u : 2u + rest;
    }
    cli_puts(out, "\n");
}

/* Makes the widest columns of text narrower until all fit. */
static void fit(const cli_table *t, size_t *width)
{
    size_t total;
    size_t *widest;
    do {
        uint32_t i;
        widest = NULL;
        total = 0;
        for (i = 0; i < t->n_columns; i++) {
            total += 2u + width[i];
            if (t->align[i] == 'l' && width[i] > (widest != NULL ? *widest : LEAST_WIDTH)) {
                widest = &width[i];
            }
        }
    } while (total > CLI_TABLE_WIDTH && widest != NULL && (*widest)-- != 0);
}

void cli_table_write(cli_table *t, cli_buffer *out)
{
    size_t *width = (size_t *)cli_alloc(t->text.session, t->n_columns, sizeof *width);
    size_t i;
    for (i = 0; i < t->n_cells; i++) {
        size_t end = i + 1u < t->n_cells ? t->cells[i + 1u].begin : t->text.size;
        size_t w;
        t->cells[i].size = end - t->cells[i].begin;
        w = width_of(t, &t->cells[i]);
        if (width[i % t->n_columns] < w) {
            width[i % t->n_columns] = w;
        }
    }
    if (!t->text.session->common.all) {
        fit(t, width);
    }
    for (i = 0; i + t->n_columns <= t->n_cells; i += t->n_columns) {
        write_row(t, t->cells + i, width, out);
    }
    cli_release(t->text.session, width);
}
