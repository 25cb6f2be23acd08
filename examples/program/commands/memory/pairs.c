/* Tensors of a CSV file that have one address, and tensors that never overlap: pairs of them, from
 * the ids in the columns together and apart. */
#include "commands/memory/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TOGETHER, APART };

typedef struct named {
    gsp_str id;
    uint32_t entry; /* the first stretch of the tensor */
} named;

typedef struct work {
    memory *m;
    named *names; /* [n_names] by id */
    uint32_t n_names;
} work;

static int by_id(const void *a, const void *b)
{
    const named *x = (const named *)a;
    const named *y = (const named *)b;
    uint32_t const size = x->id.size < y->id.size ? x->id.size : y->id.size;
    int const order = size == 0 ? 0 : memcmp(x->id.data, y->id.data, size);
    return order != 0                 ? order
           : x->id.size != y->id.size ? (x->id.size < y->id.size ? -1 : 1)
           : x->entry != y->entry     ? (x->entry < y->entry ? -1 : 1)
                                      : 0;
}

/* The tensor of an id; GSP_NONE unless there is exactly one. */
static uint32_t find(const work *w, gsp_str id)
{
    named const key = {id, 0};
    uint32_t low = 0;
    uint32_t high = w->n_names;
    while (low < high) {
        uint32_t const middle = low + (high - low) / 2u;
        if (by_id(&w->names[middle], &key) < 0) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    int const is_there = low < w->n_names && gsp_str_equal(w->names[low].id, id);
    int const is_twice = low + 1u < w->n_names && gsp_str_equal(w->names[low + 1u].id, id);
    return is_there && !is_twice ? w->names[low].entry : GSP_NONE;
}

static int wrong(const work *w, uint32_t entry, const char *sentence, gsp_str id)
{
    cli_session *s = w->m->session;
    return cli_error(s, GSP_STATUS_ARG, "%s: the tensor '%s' %s '%s'", s->path,
        cli_copy(s, w->m->ids[entry]), sentence, cli_copy(s, id));
}

/* Reads the ids of a cell. A set of equal address is a pair of each two that follow each other. */
static int read_cell(work *w, uint32_t entry, uint32_t column)
{
    memory *m = w->m;
    gsp_str rest = (column == APART ? m->apart : m->together)[entry];
    while (rest.size != 0) {
        gsp_str const id = memory_cut(&rest, ';');
        uint32_t const other = id.size == 0 ? entry : find(w, id);
        uint32_t *pair = &m->pairs[column][2u * (size_t)m->n_pairs[column]];
        if (other == GSP_NONE) {
            return wrong(w, entry,
                column == APART ? "is apart from what is not the id of one tensor:"
                                : "is together with what is not the id of one tensor:",
                id);
        }
        if (id.size != 0) {
            pair[0] = entry;
            pair[1] = other;
            m->n_pairs[column]++;
        }
    }
    return CLI_EXIT_OK;
}

static int read_column(work *w, uint32_t column)
{
    memory *m = w->m;
    const gsp_str *cells = column == APART ? m->apart : m->together;
    uint32_t const n = m->memory_plan.n_tensors;
    int code = CLI_EXIT_OK;
    size_t most = 1;
    for (uint32_t i = 0; i < n; i++) {
        most += (size_t)cells[i].size + 1u;
    }
    m->pairs[column] = (uint32_t *)cli_alloc(m->session, most, 2u * sizeof *m->pairs[column]);
    for (uint32_t i = 0; i < n && code == CLI_EXIT_OK; i++) {
        code = m->resumed[i] == 0 ? read_cell(w, i, column) : CLI_EXIT_OK;
    }
    return code;
}

int memory_pairs_read(memory *m)
{
    work w = {m, NULL, 0};
    w.names =
        (named *)cli_alloc(m->session, (size_t)m->memory_plan.n_tensors + 1u, sizeof *w.names);
    for (uint32_t i = 0; i < m->memory_plan.n_tensors; i++) {
        if (m->resumed[i] == 0) {
            w.names[w.n_names].id = m->ids[i];
            w.names[w.n_names++].entry = i;
        }
    }
    qsort(w.names, w.n_names, sizeof *w.names, by_id);
    int code = read_column(&w, TOGETHER);
    return code == CLI_EXIT_OK ? read_column(&w, APART) : code;
}
