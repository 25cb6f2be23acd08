/* The search of the smallest sets that differ. A set fails if its outputs differ. */
#include "commands/bisect/bisect.h"

#include <string.h>

typedef struct work {
    bisect *b;
    uint32_t *list; /* [n] units that are searched, in their order */
    uint32_t n;
    bisect_set set;    /* to run */
    uint8_t *kept;     /* [units] of the culprit, so far */
    uint8_t *because;  /* [units] room for take() */
    uint32_t *between; /* [n_between] units of which some belong to it */
    uint32_t n_between;
} work;

/* ---- sets ---- */

static uint32_t count(const work *w)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < w->b->n_units; i++) {
        n += w->kept[i];
    }
    return n;
}

/* Runs what is kept, and some of a list: the first unit that differs, or GSP_NONE. */
static int test_unit(work *w, const uint32_t *more, uint32_t n, uint32_t *unit)
{
    uint32_t i;
    memcpy(w->set.is_in, w->kept, w->b->n_units);
    for (i = 0; i < n; i++) {
        w->set.is_in[more[i]] = 1;
    }
    return bisect_test(w->b, &w->set, unit);
}

static int test(work *w, const uint32_t *more, uint32_t n, int *fails)
{
    uint32_t unit = GSP_NONE;
    int const code = test_unit(w, more, n, &unit);
    *fails = unit != GSP_NONE;
    return code;
}

static void drop_all(work *w)
{
    memset(w->kept, 0, w->b->n_units);
}

/* Takes what is kept as a culprit, because of a set that fails, which runs a second time. */
static int take(work *w, const uint8_t *because)
{
    bisect *b = w->b;
    bisect_culprit *c;
    bisect_set set;
    const char *dir = NULL;
    uint32_t n = 0;
    uint32_t i;
    int code;
    set.is_in = w->because;
    set.all_values = w->set.all_values;
    memcpy(set.is_in, because, b->n_units);
    code = bisect_confirm(b, &set, &dir);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    c = bisect_add_culprit(b, w->kept);
    c->dir = dir;
    c->all_values = set.all_values;
    for (i = 0; i < w->n; i++) {
        if (!w->kept[w->list[i]]) {
            w->list[n++] = w->list[i];
        }
    }
    w->n = n;
    return CLI_EXIT_OK;
}

/* ---- steps ---- */

/* The shortest prefix of the list that fails, given that the whole does. */
static int find_prefix(work *w, uint32_t *length)
{
    uint32_t low = 0;
    uint32_t high = w->n;
    int code = CLI_EXIT_OK;
    drop_all(w);
    while (high - low > 1u && code == CLI_EXIT_OK) {
        uint32_t const middle = low + (high - low) / 2u;
        int fails = 0;
        code = test(w, w->list, middle, &fails);
        low = fails ? low : middle;
        high = fails ? middle : high;
    }
    *length = high;
    return code;
}

/* The same with prefixes that grow by one. */
static int grow_prefix(work *w, uint32_t *length)
{
    int fails = 0;
    int code = CLI_EXIT_OK;
    drop_all(w);
    for (*length = 0; *length < w->n && !fails && code == CLI_EXIT_OK;) {
        code = test(w, w->list, ++*length, &fails);
    }
    return code;
}

/* The last place in w->between from which on, with what is kept, all fail; what is kept alone does
 * not. */
static int find_start(work *w, uint32_t *start)
{
    uint32_t low = 0;
    uint32_t high = w->n_between;
    int code = CLI_EXIT_OK;
    while (high - low > 1u && code == CLI_EXIT_OK) {
        uint32_t const middle = low + (high - low) / 2u;
        int fails = 0;
        code = test(w, w->between + middle, w->n_between - middle, &fails);
        low = fails ? middle : low;
        high = fails ? high : middle;
    }
    *start = low;
    return code;
}

/* Marks in `reached` what edges within `within` connect with marked units. */
static void reach(const bisect *b, const uint8_t *within, uint8_t *reached)
{
    const gsp_graph *g = &b->graph;
    int more = 1;
    while (more) {
        gsp_node v;
        more = 0;
        for (v = 0; v < g->n_nodes; v++) {
            uint32_t const u = b->unit_of[v];
            uint32_t n;
            const gsp_node *in = gsp_node_inputs(g, v, &n);
            for (; u != GSP_NONE && within[u] && n > 0; n--, in++) {
                uint32_t const from = b->unit_of[*in];
                if (from != GSP_NONE && within[from] && reached[u] != reached[from]) {
                    reached[u] = reached[from] = 1;
                    more = 1;
                }
            }
        }
    }
}

/* Leaves what is connected with the kept units, if that fails as well. */
static int connect(work *w)
{
    bisect *b = w->b;
    uint8_t *within = (uint8_t *)cli_alloc(b->session, b->n_units, 1u);
    uint8_t *reached = (uint8_t *)cli_alloc(b->session, b->n_units, 1u);
    uint32_t *near = (uint32_t *)cli_alloc(b->session, (size_t)w->n_between + 1u, sizeof *near);
    uint32_t n = 0;
    uint32_t i;
    int fails = 0;
    int code = CLI_EXIT_OK;
    memcpy(within, w->kept, b->n_units);
    memcpy(reached, w->kept, b->n_units);
    for (i = 0; i < w->n_between; i++) {
        within[w->between[i]] = 1;
    }
    reach(b, within, reached);
    for (i = 0; i < w->n_between; i++) {
        if (reached[w->between[i]]) {
            near[n++] = w->between[i];
        }
    }
    if (n < w->n_between) {
        code = test(w, near, n, &fails);
    }
    if (fails) {
        memcpy(w->between, near, n * sizeof *near);
        w->n_between = n;
    }
    cli_release(b->session, within);
    cli_release(b->session, reached);
    cli_release(b->session, near);
    return code;
}

/* Takes out what the kept set fails without, until it fails without none. */
static int thin(work *w)
{
    uint32_t i = 0;
    int code = CLI_EXIT_OK;
    if (count(w) < 2u) {
        return code;
    }
    while (i < w->b->n_units && code == CLI_EXIT_OK) {
        int fails = 0;
        if (w->kept[i]) {
            w->kept[i] = 0;
            code = test(w, NULL, 0, &fails);
            w->kept[i] = (uint8_t)!fails;
        }
        i = fails ? 0 : i + 1u;
    }
    return code;
}

/* ---- modes ---- */

/* A shortest prefix fails, so its last unit belongs to a culprit. While that is not all of it: the
 * shortest end of what lies before that fails with it begins with another. */
static int shrink(work *w, uint32_t length)
{
    int fails = 0;
    int code;
    drop_all(w);
    w->kept[w->list[length - 1u]] = 1;
    w->n_between = length - 1u;
    memcpy(w->between, w->list, w->n_between * sizeof *w->between);
    code = test(w, NULL, 0, &fails);
    while (code == CLI_EXIT_OK && !fails && w->n_between > 0) {
        uint32_t start;
        code = find_start(w, &start);
        w->kept[w->between[start]] = 1;
        w->n_between -= start + 1u;
        memmove(w->between, w->between + start + 1u, w->n_between * sizeof *w->between);
        code = code == CLI_EXIT_OK ? test(w, NULL, 0, &fails) : code;
        if (code == CLI_EXIT_OK && !fails) {
            code = connect(w);
        }
    }
    return code == CLI_EXIT_OK ? thin(w) : code;
}

/* All from the last unit on from which the prefix fails. */
static int find_block(work *w, uint32_t length)
{
    uint32_t start = length - 1u;
    uint32_t i;
    int fails = 0;
    int code;
    drop_all(w);
    w->kept[w->list[length - 1u]] = 1;
    w->n_between = length - 1u;
    memcpy(w->between, w->list, w->n_between * sizeof *w->between);
    code = test(w, NULL, 0, &fails);
    if (code == CLI_EXIT_OK && !fails && w->n_between > 0) {
        code = find_start(w, &start);
    }
    for (i = start; i < length; i++) {
        w->kept[w->list[i]] = 1;
    }
    return code;
}

/* The next culprit of a list that fails. */
static int find_next(work *w)
{
    uint32_t const mode = w->b->opt.mode;
    uint32_t length = 0;
    int code = mode == BISECT_ACCUMULATE ? grow_prefix(w, &length) : find_prefix(w, &length);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (mode == BISECT_ACCUMULATE) { /* w->set is the prefix */
        w->kept[w->list[length - 1u]] = 1;
        return take(w, w->set.is_in);
    }
    code = mode == BISECT_BLOCK ? find_block(w, length) : shrink(w, length);
    return code == CLI_EXIT_OK ? take(w, w->kept) : code;
}

/* The prefix of the list that ends with a unit. */
static uint32_t length_up_to(const work *w, uint32_t unit)
{
    uint32_t i = 0;
    while (w->list[i] != unit) {
        i++;
    }
    return i + 1u;
}

/* A culprit that ends with the first unit whose value differs where the whole list yields all of
 * them. *found is 0 if no prefix up to there fails. */
static int take_first(work *w, uint32_t unit, int *found)
{
    uint32_t const length = length_up_to(w, unit);
    int code;
    drop_all(w);
    w->kept[unit] = 1;
    code = test(w, NULL, 0, found);
    if (code == CLI_EXIT_OK && !*found) {
        w->kept[unit] = 0;
        code = test(w, w->list, length, found);
        code = code == CLI_EXIT_OK && *found ? shrink(w, length) : code;
    }
    return code == CLI_EXIT_OK && *found ? take(w, w->kept) : code;
}

/* The list fails, by its outputs or by values that later nodes hide: `unit` yields the first of
 * them. */
static int find_first(work *w, uint32_t unit, int fails)
{
    int found = 0;
    int code = unit != GSP_NONE ? take_first(w, unit, &found) : CLI_EXIT_OK;
    if (code != CLI_EXIT_OK || found) {
        return code;
    }
    drop_all(w);
    if (fails) { /* only if nobody sees the values between */
        return find_next(w);
    }
    w->set.all_values = 1; /* only if somebody does */
    code = take_first(w, unit, &found);
    if (code == CLI_EXIT_OK && !found) {
        uint32_t i;
        drop_all(w);
        for (i = 0; i < w->n; i++) {
            w->kept[w->list[i]] = 1;
        }
        code = take(w, w->kept);
    }
    w->set.all_values = 0;
    return code;
}

/* Searches as long as what is left fails. */
static int search_all(work *w)
{
    int more = 1;
    int code = CLI_EXIT_OK;
    while (code == CLI_EXIT_OK && more && w->n > 0) {
        uint32_t unit = GSP_NONE;
        int fails = 0;
        drop_all(w);
        code = test(w, w->list, w->n, &fails);
        if (code == CLI_EXIT_OK && w->b->opt.mode == BISECT_SMALLEST) {
            w->set.all_values = 1;
            code = test_unit(w, w->list, w->n, &unit);
            w->set.all_values = 0;
        }
        more = fails || unit != GSP_NONE;
        if (code == CLI_EXIT_OK && more) {
            code = w->b->opt.mode == BISECT_SMALLEST ? find_first(w, unit, fails) : find_next(w);
        }
    }
    return code;
}

/* The number of units of a set to test by itself, from one on. */
static uint32_t length_of(const work *w, uint32_t begin)
{
    const bisect *b = w->b;
    uint32_t end = begin + 1u;
    gsp_node v = b->first[begin];
    while (b->opt.mode == BISECT_SKIP && end < b->n_units) {
        while (v < b->first[end] &&
               (b->unit_of[v] != GSP_NONE || !gsp_node_is_callable(&b->graph, v))) {
            v++;
        }
        if (v < b->first[end]) {
            break;
        }
        end++;
    }
    return end - begin;
}

/* Takes each set that fails: single units, or those between two nodes that are not searched. */
static int search_each(work *w)
{
    uint32_t i = 0;
    int code = CLI_EXIT_OK;
    while (i < w->b->n_units && code == CLI_EXIT_OK) {
        uint32_t const length = length_of(w, i);
        int fails = 0;
        drop_all(w);
        memset(w->kept + i, 1, length);
        i += length;
        code = test(w, NULL, 0, &fails);
        code = code == CLI_EXIT_OK && fails ? take(w, w->kept) : code;
    }
    return code;
}

static int test_range(work *w, uint32_t begin, uint32_t end, int *fails)
{
    drop_all(w);
    memset(w->kept + begin, 1, end - begin);
    return test(w, NULL, 0, fails);
}

/* Halves what fails; takes it if no half fails, or if it is one unit. */
static int search_halves(work *w)
{
    uint32_t begin[64];
    uint32_t end[64];
    uint32_t depth = 1;
    int code = CLI_EXIT_OK;
    begin[0] = 0;
    end[0] = w->b->n_units;
    while (depth > 0 && code == CLI_EXIT_OK) {
        uint32_t const first = begin[--depth];
        uint32_t const last = end[depth];
        uint32_t const middle = first + (last - first) / 2u;
        int fails[3] = {0, 0, 0};
        code = test_range(w, first, last, &fails[0]);
        if (code == CLI_EXIT_OK && fails[0] && middle > first) {
            code = test_range(w, first, middle, &fails[1]);
            code = code == CLI_EXIT_OK ? test_range(w, middle, last, &fails[2]) : code;
        }
        if (fails[2]) {
            begin[depth] = middle;
            end[depth++] = last;
        }
        if (fails[1]) {
            begin[depth] = first;
            end[depth++] = middle;
        }
        if (code == CLI_EXIT_OK && fails[0] && !fails[1] && !fails[2]) {
            drop_all(w);
            memset(w->kept + first, 1, last - first);
            code = take(w, w->kept);
        }
    }
    return code;
}

int bisect_search(bisect *b)
{
    size_t const room = (size_t)b->n_units + 1u;
    uint32_t const mode = b->opt.mode;
    work w;
    uint32_t i;
    int code;
    memset(&w, 0, sizeof w);
    w.b = b;
    w.n = b->n_units;
    w.list = (uint32_t *)cli_alloc(b->session, room, sizeof *w.list);
    w.between = (uint32_t *)cli_alloc(b->session, room, sizeof *w.between);
    w.set.is_in = (uint8_t *)cli_alloc(b->session, room, 1u);
    w.because = (uint8_t *)cli_alloc(b->session, room, 1u);
    w.kept = (uint8_t *)cli_alloc(b->session, room, 1u);
    for (i = 0; i < w.n; i++) {
        w.list[i] = i;
    }
    code = mode == BISECT_SEQUENTIAL || mode == BISECT_SKIP ? search_each(&w)
           : mode == BISECT_BINARY                          ? search_halves(&w)
                                                            : search_all(&w);
    if (code == CLI_EXIT_OK && b->n_culprits == 0) { /* w.set is what ran last */
        code = bisect_confirm(b, &w.set, NULL);
    }
    return code;
}
