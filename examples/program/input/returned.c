/* Words after `return` that name no node. They may be constants, or typing errors. */
#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_NOTES 5u

/* 1 for a name of letters, digits and _, as nodes have. */
static int is_name(gsp_str word)
{
    uint32_t i;
    for (i = 0; i < word.size; i++) {
        char c = word.data[i];
        int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) {
            return 0;
        }
    }
    return word.size != 0;
}

/* Words that PyTorch prints for values. */
static int is_value(gsp_str word)
{
    static const char *const values[] = {
        "None", "True", "False", "Ellipsis", "inf", "nan", "cpu", "cuda", "meta"};
    size_t i;
    for (i = 0; i < CLI_COUNT(values); i++) {
        if (gsp_str_equal(word, gsp_str_of(values[i]))) {
            return 1;
        }
    }
    return 0;
}

/* The node of the nearest name; GSP_NONE if none is near enough. */
static gsp_node find_near(const gsp_graph *g, gsp_str word)
{
    uint32_t least = word.size < 4u ? 2u : 3u;
    gsp_node best = GSP_NONE;
    gsp_node v;
    for (v = 0; v + 1u < g->n_nodes; v++) {
        uint32_t n = cli_distance_below(word, gsp_node_name(g, v), least);
        if (n < least) {
            least = n;
            best = v;
        }
    }
    return best;
}

static void tell(cli_session *s, const gsp_graph *g, gsp_str word)
{
    gsp_str name = gsp_module_str(g->module, g->module->graphs[g->id].name);
    gsp_node near_it = find_near(g, word);
    cli_buffer b;
    cli_buffer_init(&b, s);
    cli_printf(&b, "%s: %s: ", s->front->program, cli_shown(s, s->path));
    if (g->id != 0) {
        cli_puts(&b, "graph ");
        cli_put_clipped(&b, name, 60u);
        cli_puts(&b, ": ");
    }
    cli_puts(&b, "'");
    cli_put_clipped(&b, word, 60u);
    cli_puts(&b, "' after return is not a node and is taken for a constant");
    if (near_it != GSP_NONE) {
        cli_puts(&b, "; did you mean '");
        cli_put_clipped(&b, gsp_node_name(g, near_it), 60u);
        cli_puts(&b, "'?");
    }
    cli_puts(&b, "\n");
    cli_progress_end(s);
    cli_tell(&b);
}

void cli_check_returned(cli_session *s)
{
    uint32_t told = 0;
    uint32_t id;
    for (id = 0; id < s->module.counts.graphs; id++) {
        gsp_graph g = gsp_module_graph(&s->module, id);
        uint32_t n;
        const gsp_arg *args = gsp_node_args(&g, g.n_nodes - 1u, &n);
        uint32_t i;
        for (i = 0; i < n; i++) {
            if (args[i].kind == GSP_ARG_CONSTANT) {
                gsp_str word = gsp_module_str(&s->module, args[i].value);
                if (is_name(word) && !is_value(word) && told++ < MOST_NOTES) {
                    tell(s, &g, word);
                }
            }
        }
    }
    if (told > MOST_NOTES) {
        cli_progress_end(s);
        fprintf(stderr, "... and %" PRIu32 " more such words after return\n", told - MOST_NOTES);
    }
}
