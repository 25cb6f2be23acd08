/* Tables for people. */
#ifndef CLI_OUTPUT_TABLE_H
#define CLI_OUTPUT_TABLE_H

#include "core/buffer.h"

typedef struct cli_cell {
    size_t begin; /* in the text */
    size_t size;
    cli_style style;
} cli_cell;

#define CLI_TABLE_WIDTH 100u

typedef struct cli_table {
    const char *align; /* one letter per column: 'r', 'l', or 'k': left, and kept whole */
    uint32_t n_columns;
    cli_buffer text;
    cli_cell *cells;
    size_t n_cells;
    size_t room;
} cli_table;

void cli_table_init(cli_table *t, cli_session *s, const char *align);

/* cli_table_head: the titles, separated by '|', as the first row. */
void cli_table_head(cli_table *t, const char *titles);

/* cli_cell_begin: starts the next cell, left to right; returns the buffer for its text. */
cli_buffer *cli_cell_begin(cli_table *t, cli_style style);

/* cli_cell_put: a cell of formatted text. */
void cli_cell_put(cli_table *t, cli_style style, const char *format, ...) CLI_PRINTF(3, 4);

/* cli_table_write: texts are clipped to fit CLI_TABLE_WIDTH columns, unless --all is given. */
void cli_table_write(cli_table *t, cli_buffer *out);

#endif
