/* Every pattern with wildcards is compared with every node. A text that only ends in a star is
 * refused by most names at their first letters; another may look at each letter of a name once per
 * letter of its own. */
#include "input/input.h"

#include <inttypes.h>

#define MOST_STEPS   ((uint64_t)1u << 30)
#define PREFIX_STEPS 16u /* of a pattern that only ends in a star, per node */

static uint32_t first_wildcard(gsp_str pattern)
{
    uint32_t i = 0;
    while (i < pattern.size && pattern.data[i] != '*' && pattern.data[i] != '?') {
        i++;
    }
    return i;
}

/* Letters of what this kind of pin is compared with, of all called nodes. */
static uint64_t count_letters(const gsp_graph *g, uint32_t what)
{
    uint64_t sum = 0;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        if (gsp_node_is_callable(g, v)) {
            sum += what == GSP_PIN_NAME    ? gsp_node_name(g, v).size
                   : what == GSP_PIN_SCOPE ? gsp_node_scope(g, v).size
                                           : gsp_node_target(g, v).size + gsp_node_class(g, v).size;
        }
    }
    return sum;
}

int cli_pins_check(cli_session *s, const cli_place *place, const gsp_graph *graph)
{
    uint64_t letters[GSP_PIN_COUNT] = {0};
    uint64_t steps = 0;
    uint32_t i;
    for (i = 0; i < place->desc.n_pins && steps <= MOST_STEPS; i++) {
        const gsp_pin *pin = &place->pins[i];
        uint32_t at = first_wildcard(pin->pattern);
        if (at == pin->pattern.size) {
            continue;
        }
        if (at + 1u == pin->pattern.size && pin->pattern.data[at] == '*') {
            steps += (uint64_t)graph->n_nodes * PREFIX_STEPS;
            continue;
        }
        if (letters[pin->what] == 0) {
            letters[pin->what] = count_letters(graph, pin->what) + 1u;
        }
        steps += letters[pin->what] * pin->pattern.size;
    }
    return steps <= MOST_STEPS ? CLI_EXIT_OK
                               : cli_error(s, GSP_STATUS_LIMIT,
                                     "%s: so many patterns with * or ? take too long on %" PRIu32
                                     " nodes: give names, or fewer patterns",
                                     place->pin_from[i - 1u]->option->name, graph->n_nodes);
}
