/* A random layered graph, and the most nodes that calls of repeated regions can save, by trying
 * all sets of regions. A region is a set of two nodes or more, connected by values or by inputs in
 * common, and reads something; regions are equal if their operators and wiring are; contracted,
 * they close no cycle.
 * usage: repeats SEED FILE [OPERATORS [CONSTANTS]]
 * It writes the graph, which has at most 11 operators unless their number is given, and then prints
 * the number of nodes. With CONSTANTS every call has one of so many numbers and of so many strings.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 11, PLACES = 2, NONE = 99, ROOM = 512 };

/* Values 0 .. INPUTS - 1 are placeholders, the others nodes. */
enum { INPUTS = 2 };

typedef struct node {
    unsigned what; /* operators below 3 have one argument, others two */
    unsigned args[PLACES];
    unsigned n_args;
} node;

static node nodes[ROOM];
static unsigned n_nodes;
static uint64_t state;

static unsigned below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
}

/* ---- the graph ---- */

/* A block of 2 to 4 nodes, again and again, with some other nodes and inputs between. */
static void make(unsigned size_given)
{
    node block[4];
    unsigned const size = 2u + below(3u);
    unsigned const kinds = 2u + below(4u);
    unsigned const noise = below(3u) * 12u;
    unsigned i;
    unsigned k;
    n_nodes = size_given != 0 ? size_given : 4u + below(MOST - 3u);
    for (i = 0; i < size; i++) {
        block[i].what = below(kinds);
        block[i].n_args = block[i].what < 3u ? 1u : 2u;
        for (k = 0; k < PLACES; k++) {
            block[i].args[k] = below(100u) < 60u ? 1u : 1u + below(size + 1u);
        }
    }
    for (i = 0; i < n_nodes; i++) {
        node *v = &nodes[i];
        *v = block[i % size];
        if (below(100u) < noise) {
            v->what = below(kinds);
            v->n_args = v->what < 3u ? 1u : 2u;
            v->args[1] = 1u + below(4u);
        }
        for (k = 0; k < v->n_args; k++) { /* so many values before, or a placeholder */
            v->args[k] = v->args[k] <= i ? INPUTS + i - v->args[k] : v->args[k] % INPUTS;
            if (below(100u) < noise / 2u) {
                v->args[k] = below(INPUTS + i);
            }
        }
    }
}

static void write_graph(FILE *to, unsigned constants)
{
    unsigned i;
    fputs("graph():\n    %v0 : [num_users=1] = placeholder[target=v0]  # f32[4]\n"
          "    %v1 : [num_users=1] = placeholder[target=v1]  # f32[4]\n",
        to);
    for (i = 0; i < n_nodes; i++) {
        fprintf(to, "    %%v%u : [num_users=1] = call_function[target=op%u](args = (%%v%u,",
            INPUTS + i, nodes[i].what, nodes[i].args[0]);
        if (nodes[i].n_args == 2u) {
            fprintf(to, " %%v%u%s", nodes[i].args[1], constants != 0 ? "," : "");
        }
        if (constants != 0) {
            fprintf(to, " %u, 'layer.%u'", below(constants), below(constants));
        }
        fputs("), kwargs = {})  # f32[4]\n", to);
    }
    fputs("    return (", to);
    for (i = 0; i < n_nodes; i++) { /* all that nothing reads */
        unsigned k;
        int read = 0;
        for (k = i + 1u; k < n_nodes; k++) {
            read = read || nodes[k].args[0] == INPUTS + i ||
                   (nodes[k].n_args == 2u && nodes[k].args[1] == INPUTS + i);
        }
        if (!read) {
            fprintf(to, "v%u, ", INPUTS + i);
        }
    }
    fputs(")\n", to);
}

/* ---- regions ---- */

typedef struct region {
    unsigned set;   /* bits of nodes */
    unsigned equal; /* the first region that is equal */
} region;

static region *regions;
static unsigned n_regions;

static int has(unsigned set, unsigned v)
{
    return (int)(set >> v & 1u);
}

/* 1 if v is in the set, or shares a value with a node of it. */
static int is_near(unsigned set, unsigned v)
{
    unsigned u;
    for (u = 0; u < n_nodes; u++) {
        unsigned i;
        unsigned k;
        for (i = 0; has(set, u) && i < nodes[u].n_args; i++) {
            if (nodes[u].args[i] == INPUTS + v) {
                return 1;
            }
            for (k = 0; k < nodes[v].n_args; k++) {
                if (nodes[v].args[k] == INPUTS + u || nodes[v].args[k] == nodes[u].args[i]) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

static int is_connected(unsigned set)
{
    unsigned reached = set & (~set + 1u);
    unsigned before = 0;
    unsigned v;
    while (before != reached) {
        before = reached;
        for (v = 0; v < n_nodes; v++) {
            if (has(set, v) && is_near(reached, v)) {
                reached |= 1u << v;
            }
        }
    }
    return reached == set;
}

/* No path leaves the set and returns. */
static int is_convex(unsigned set)
{
    unsigned out = 0;
    unsigned v;
    for (v = 0; v < n_nodes; v++) {
        unsigned i;
        unsigned from_set = 0;
        unsigned from_out = 0;
        for (i = 0; i < nodes[v].n_args; i++) {
            unsigned const a = nodes[v].args[i];
            from_set |= a >= INPUTS && has(set, a - INPUTS) ? 1u : 0u;
            from_out |= a >= INPUTS && has(out, a - INPUTS) ? 1u : 0u;
        }
        if (has(set, v) && from_out) {
            return 0;
        }
        out |= !has(set, v) && (from_set || from_out) ? 1u << v : 0u;
    }
    return 1;
}

/* Extends a one to one map of the nodes and outer values of two sets, from the lowest node of a. */
static int match(unsigned a, unsigned b, unsigned v, const unsigned *to)
{
    unsigned u;
    while (v < n_nodes && !has(a, v)) {
        v++;
    }
    if (v == n_nodes) {
        return 1;
    }
    for (u = 0; u < n_nodes; u++) {
        unsigned now[INPUTS + MOST];
        unsigned i;
        unsigned k;
        int good = has(b, u) && nodes[u].what == nodes[v].what;
        memcpy(now, to, sizeof now);
        for (i = 0; good && i < INPUTS + n_nodes; i++) {
            good = now[i] != INPUTS + u || i == INPUTS + v;
        }
        good = good && (now[INPUTS + v] == NONE || now[INPUTS + v] == INPUTS + u);
        now[INPUTS + v] = INPUTS + u;
        for (i = 0; good && i < nodes[v].n_args; i++) {
            unsigned const x = nodes[v].args[i];
            unsigned const y = nodes[u].args[i];
            int const inner = x >= INPUTS && has(a, x - INPUTS);
            good = inner == (y >= INPUTS && has(b, y - INPUTS)) && (now[x] == NONE || now[x] == y);
            for (k = 0; good && k < INPUTS + n_nodes; k++) {
                /* outer values of a may be nodes of b, so that only images of equal kind clash */
                good = now[k] != y || k == x || (k >= INPUTS && has(a, k - INPUTS)) != inner;
            }
            now[x] = y;
        }
        if (good && match(a, b, v + 1u, now)) {
            return 1;
        }
    }
    return 0;
}

static unsigned count(unsigned set)
{
    unsigned n = 0;
    for (; set != 0; set &= set - 1u) {
        n++;
    }
    return n;
}

static void find_regions(void)
{
    unsigned to[INPUTS + MOST];
    unsigned set;
    unsigned i;
    for (i = 0; i < INPUTS + MOST; i++) {
        to[i] = NONE;
    }
    regions = (region *)calloc((size_t)1u << MOST, sizeof *regions);
    for (set = 3; regions != NULL && set < 1u << n_nodes; set++) {
        if (count(set) < 2u || !is_connected(set) || !is_convex(set)) {
            continue;
        }
        regions[n_regions].set = set;
        for (i = 0; i < n_regions; i++) {
            if (regions[i].equal == i && count(regions[i].set) == count(set) &&
                match(regions[i].set, set, 0, to)) {
                break;
            }
        }
        regions[n_regions++].equal = i;
    }
}

/* ---- sets of regions ---- */

static unsigned chosen[MOST];
static unsigned n_chosen;
static unsigned best;

static int is_acyclic(void)
{
    unsigned done = 0;
    unsigned before = ~0u;
    while (before != done) {
        unsigned v;
        before = done;
        for (v = 0; v < n_nodes; v++) {
            unsigned unit = 1u << v;
            unsigned needs = 0;
            unsigned u;
            for (u = 0; u < n_chosen; u++) {
                unit = has(regions[chosen[u]].set, v) ? regions[chosen[u]].set : unit;
            }
            for (u = 0; u < n_nodes; u++) {
                unsigned i;
                for (i = 0; has(unit, u) && i < nodes[u].n_args; i++) {
                    needs |= nodes[u].args[i] >= INPUTS ? 1u << (nodes[u].args[i] - INPUTS) : 0u;
                }
            }
            done |= (needs & ~unit & ~done) == 0u ? unit : 0u;
        }
    }
    return done == (1u << n_nodes) - 1u;
}

static unsigned saved(void)
{
    unsigned sum = 0;
    unsigned i;
    unsigned k;
    for (i = 0; i < n_chosen; i++) {
        for (k = 0; k < i && regions[chosen[k]].equal != regions[chosen[i]].equal; k++) {
        }
        sum += k < i ? count(regions[chosen[i]].set) : 0u;
    }
    return sum;
}

/* Regions from `next`, in order, that share no node. */
static void choose(unsigned next, unsigned used)
{
    unsigned left = n_nodes - count(used);
    unsigned const now = saved();
    unsigned i;
    if (now > best && is_acyclic()) {
        best = now;
    }
    if (now + left <= best) { /* each further node saves one at most */
        return;
    }
    for (i = next; i < n_regions; i++) {
        if ((regions[i].set & used) == 0u) {
            chosen[n_chosen++] = i;
            choose(i + 1u, used | regions[i].set);
            n_chosen--;
        }
    }
}

/* Regions that no other equals save nothing. */
static void drop_single(void)
{
    unsigned kept = 0;
    unsigned i;
    for (i = 0; i < n_regions; i++) {
        unsigned k;
        int repeats = 0;
        for (k = 0; k < n_regions; k++) {
            repeats = repeats || (k != i && regions[k].equal == regions[i].equal &&
                                     (regions[k].set & regions[i].set) == 0u);
        }
        regions[i].set = repeats ? regions[i].set : 0u;
    }
    for (i = 0; i < n_regions; i++) {
        if (regions[i].set != 0u) {
            regions[kept++] = regions[i];
        }
    }
    n_regions = kept;
}

int main(int argc, char **argv)
{
    FILE *file = argc >= 3 ? fopen(argv[2], "w") : NULL;
    unsigned const size = argc >= 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0u;
    if (file == NULL || size > ROOM) {
        return 1;
    }
    state = UINT64_C(0x9E3779B97F4A7C15) * (strtoul(argv[1], NULL, 10) + 1u);
    (void)below(2u);
    make(size);
    write_graph(file, argc == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : 0u);
    fclose(file);
    if (size == 0) {
        find_regions();
        drop_single();
        choose(0, 0);
        printf("%u\n", best);
        free(regions);
    }
    return 0;
}
