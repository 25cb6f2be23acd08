/* A list of the tensors of a file of weights. */
#include "input/input.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_COUNT ((uint64_t)1 << 56) /* elements of a tensor */

int cli_tensors_wrong(const cli_tensors *t, const char *format, ...)
{
    char clause[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(clause, sizeof clause, format, args);
    va_end(args);
    return cli_error(
        t->session, GSP_STATUS_PARSE, "%s: %s", cli_shown(t->session, t->path), clause);
}

static int is_utf8(gsp_str text)
{
    uint32_t i = 0;
    while (i < text.size) {
        size_t const step =
            cli_utf8_size((const unsigned char *)text.data + i, (size_t)text.size - i);
        if (step == 0) {
            return 0;
        }
        i += (uint32_t)step;
    }
    return 1;
}

int cli_tensors_add(
    cli_tensors *t, gsp_str name, const uint64_t *dims, uint32_t n_dims, cli_stored **added)
{
    cli_stored *tensor;
    uint64_t elements = 1;
    if (name.size == 0 || !is_utf8(name)) {
        return cli_tensors_wrong(t, "the name of tensor %" PRIu32 " is %s", t->n,
            name.size == 0 ? "empty" : "not UTF-8");
    }
    if (t->n == CLI_MOST_TENSORS) {
        return cli_tensors_wrong(t, "more than %" PRIu32 " tensors", CLI_MOST_TENSORS);
    }
    for (uint32_t i = 0; i < n_dims; i++) {
        if (dims[i] != 0 && elements > MOST_COUNT / dims[i]) {
            return cli_tensors_wrong(t, "tensor %" PRIu32 " has more than 2^56 elements", t->n);
        }
        elements *= dims[i];
    }
    if (t->n == t->room) {
        t->room = t->room != 0 ? 2u * t->room : 256u;
        t->rows = (cli_stored *)cli_grow(t->session, t->rows, t->room * sizeof *t->rows);
    }
    tensor = &t->rows[t->n++];
    memset(tensor, 0, sizeof *tensor);
    tensor->name = name;
    tensor->elements = elements;
    tensor->n_dims = n_dims;
    tensor->out = n_dims != 0 ? dims[0] : 1u;
    *added = tensor;
    return CLI_EXIT_OK;
}
