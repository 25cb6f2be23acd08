/* Nodes by name. */
#include "input/input.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const gsp_str *a, const gsp_str *b)
{
    uint32_t size = a->size < b->size ? a->size : b->size;
    int c = size != 0 ? memcmp(a->data, b->data, size) : 0;
    return c != 0 ? c : (a->size > b->size) - (a->size < b->size);
}

static int compare_entries(const void *a, const void *b)
{
    return compare_names(&((const cli_name *)a)->name, &((const cli_name *)b)->name);
}

void cli_names_sort(cli_names *names)
{
    qsort(names->entries, names->n, sizeof *names->entries, compare_entries);
}

void cli_names_make(cli_session *s, const gsp_graph *graph, cli_names *names)
{
    gsp_node v;
    names->n = graph->n_nodes - 1u; /* the output has no name */
    names->entries = (cli_name *)cli_alloc(s, (size_t)names->n + 1u, sizeof *names->entries);
    for (v = 0; v < names->n; v++) {
        names->entries[v].name = gsp_node_name(graph, v);
        names->entries[v].node = v;
    }
    cli_names_sort(names);
}

gsp_node cli_names_find(const cli_names *names, gsp_str name)
{
    cli_name wanted;
    const cli_name *found;
    wanted.name = name;
    wanted.node = GSP_NONE;
    found = (const cli_name *)bsearch(
        &wanted, names->entries, names->n, sizeof wanted, compare_entries);
    return found != NULL ? found->node : GSP_NONE;
}
