/* Memory on a computer with malloc: ask for the bound, allocate exactly that, run. A file of any
 * size, or the network below, is read and written back.
 *     cc -I. -o host_grow examples/host_grow.c && ./host_grow [FILE.fx]
 */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>
#include <stdlib.h>

static const char network[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[16]\n"
    "    %split : [num_users=2] = call_function[target=torch.split](args = (%x, 8), kwargs = {})"
    "  # tuple(f32[8], f32[8])\n"
    "    %a : [num_users=1] = call_function[target=operator.getitem](args = (%split, 0), kwargs = "
    "{})"
    "  # f32[8]\n"
    "    %b : [num_users=1] = call_function[target=operator.getitem](args = (%split, 1), kwargs = "
    "{})"
    "  # f32[8]\n"
    "    %cat : [num_users=1] = call_function[target=torch.cat](args = ([%b, %a],), kwargs = {dim: "
    "0})"
    "  # f32[16]\n"
    "    return cat\n";

static int to_stdout(void *user, const char *data, size_t size)
{
    (void)user;
    return fwrite(data, 1, size, stdout) != size;
}

/* The whole file in a buffer of its own; NULL if it cannot be read. */
static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1u << 16;
    char *text = (char *)malloc(room);
    *size = 0;
    while (file && text) {
        size_t got = fread(text + *size, 1, room - *size, file);
        *size += got;
        if (got == 0) {
            break;
        }
        if (*size == room) {
            char *more = (char *)realloc(text, room *= 2);
            if (!more) {
                free(text);
            }
            text = more;
        }
    }
    if (file) {
        fclose(file);
        return text;
    }
    free(text);
    return NULL;
}

/* Reads a text into an arena of exactly the size that the counting pass gives, and prints it. */
static gsp_status echo(const char *text, size_t size, gsp_error *error)
{
    gsp_arena arena;
    gsp_counts counts;
    gsp_module module;
    gsp_status status = gsp_text_count(text, size, &counts, error);
    size_t bound = status == GSP_OK ? gsp_build_bound(&counts) : 0;
    void *memory = malloc(bound);
    gsp_arena_init(&arena, memory, memory ? bound : 0);
    if (status == GSP_OK) {
        status = gsp_text_read(&arena, text, size, NULL, &module, error);
    }
    if (status == GSP_OK) {
        status = gsp_text_write(&module, NULL, to_stdout, NULL, error);
    }
    free(memory);
    return status;
}

int main(int argc, char **argv)
{
    gsp_error error;
    size_t size = sizeof network - 1u;
    char *file = argc > 1 ? slurp(argv[1], &size) : NULL;
    gsp_status status;
    if (argc > 1 && !file) {
        fprintf(stderr, "cannot read %s\n", argv[1]);
        return 2;
    }
    status = echo(file ? file : network, size, &error);
    free(file);
    if (status != GSP_OK) {
        fprintf(stderr, "line %zu, column %zu: %s\n", error.line, error.column,
            gsp_detail_text(error.detail));
        return 1;
    }
    return 0;
}
