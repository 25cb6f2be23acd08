/* Why a piece is refused: nodes that the command refuses by themselves or together, or a size. What
 * contains a refused piece is taken as refused. */
#include "commands/split/split.h"

#include <string.h>

typedef struct search {
    tries *t;
    const try_units *units;
    uint32_t *list; /* [n_list] units of the smallest set so far */
    uint32_t n_list;
    gsp_node *nodes; /* [nodes of the piece] to try */
} search;

/* ---- units ---- */

/* The first node of the unit of each node of a piece, by number of the node; GSP_NONE elsewhere. */
static gsp_node *heads(tries *t, const uint32_t *group, const gsp_node *nodes, uint32_t n)
{
    const gsp_graph *g = &t->p->graph;
    size_t const room = (size_t)g->n_nodes + 1u;
    gsp_node *head = (gsp_node *)cli_alloc(t->p->session, room, sizeof *head);
    gsp_node *of_group = (gsp_node *)cli_alloc(t->p->session, room, sizeof *of_group);
    uint32_t i;
    memset(head, 0xFF, room * sizeof *head);
    memset(of_group, 0xFF, room * sizeof *of_group);
    for (i = 0; i < n; i++) {
        gsp_node const v = nodes[i];
        gsp_node const from = cli_unpacked(g, v);
        gsp_node *same = group[v] != GSP_NONE ? &of_group[group[v]] : &head[v];
        if (*same == GSP_NONE) {
            *same = from != GSP_NONE && head[from] != GSP_NONE ? head[from] : v;
        }
        head[v] = *same;
    }
    cli_release(t->p->session, of_group);
    return head;
}

/* All units that a unit reads of the piece have a place. */
static int is_ready(const tries *t, const gsp_node *head, const gsp_node *nodes, uint32_t n,
    gsp_node unit, const uint8_t *placed)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t n_in;
        const gsp_node *in = cli_before(&t->p->graph, nodes[i], &n_in);
        for (; head[nodes[i]] == unit && n_in > 0; n_in--, in++) {
            if (head[*in] != GSP_NONE && head[*in] != unit && !placed[head[*in]]) {
                return 0;
            }
        }
    }
    return 1;
}

static void place_unit(
    const gsp_node *head, const gsp_node *nodes, uint32_t n, gsp_node unit, try_units *units)
{
    uint32_t at = units->begin[units->n];
    uint32_t i;
    for (i = 0; i < n; i++) {
        if (head[nodes[i]] == unit) {
            units->nodes[at++] = nodes[i];
        }
    }
    units->begin[++units->n] = at;
}

void tries_units(
    tries *t, const uint32_t *group, const gsp_node *nodes, uint32_t n, try_units *units)
{
    cli_session *s = t->p->session;
    gsp_node *head = heads(t, group, nodes, n);
    uint8_t *placed = (uint8_t *)cli_alloc(s, (size_t)t->p->graph.n_nodes + 1u, 1u);
    uint32_t left = n;
    uint32_t i;
    units->n = 0;
    units->begin = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof *units->begin);
    units->nodes = (gsp_node *)cli_alloc(s, (size_t)n + 1u, sizeof *units->nodes);
    while (left > 0) { /* in graph order once, unless groups have holes */
        uint32_t const before = left;
        for (i = 0; i < n; i++) {
            gsp_node const unit = head[nodes[i]];
            if (unit == nodes[i] && !placed[unit] && is_ready(t, head, nodes, n, unit, placed)) {
                placed[unit] = 1;
                place_unit(head, nodes, n, unit, units);
                left = n - units->begin[units->n];
            }
        }
        if (left == before) {
            break;
        }
    }
    cli_release(s, head);
    cli_release(s, placed);
}

/* ---- sets of units ---- */

static uint32_t add_units(const search *w, const uint32_t *units, uint32_t n, uint32_t at)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        uint32_t const begin = w->units->begin[units[i]];
        uint32_t const size = w->units->begin[units[i] + 1u] - begin;
        memcpy(w->nodes + at, w->units->nodes + begin, size * sizeof *w->nodes);
        at += size;
    }
    return at;
}

/* Tries the first and the last of the list with those from `begin` to `end`. */
static int test_ends(const search *w, uint32_t begin, uint32_t end, int *refused)
{
    uint32_t const last = w->n_list - 1u;
    uint32_t n = add_units(w, w->list, begin > 0, 0);
    n = add_units(w, w->list + begin, end - begin, n);
    n = add_units(w, w->list + last, end <= last, n);
    return tries_test(w->t, w->nodes, n, refused);
}

static int test_range(const search *w, uint32_t begin, uint32_t end, int *refused)
{
    const uint32_t *at = w->units->begin;
    return tries_test(w->t, w->units->nodes + at[begin], at[end] - at[begin], refused);
}

/* The end of the longest piece from `begin` on that passes, given that `low` does, or is it, and
 * that `high` does not. */
static int last_end(const search *w, uint32_t begin, uint32_t low, uint32_t high, uint32_t *end)
{
    int code = CLI_EXIT_OK;
    while (high - low > 1u && code == CLI_EXIT_OK) {
        uint32_t const middle = low + (high - low) / 2u;
        int refused;
        code = test_range(w, begin, middle, &refused);
        low = refused ? low : middle;
        high = refused ? middle : high;
    }
    *end = low;
    return code;
}

/* The first begin of a piece up to `end` that passes, given that `low` is none and `high` is. */
static int first_begin(const search *w, uint32_t low, uint32_t high, uint32_t end, uint32_t *begin)
{
    int code = CLI_EXIT_OK;
    while (high - low > 1u && code == CLI_EXIT_OK) {
        uint32_t const middle = low + (high - low) / 2u;
        int refused;
        code = test_range(w, middle, end, &refused);
        low = refused ? middle : low;
        high = refused ? high : middle;
    }
    *begin = high;
    return code;
}

/* ---- the smallest set ---- */

/* Leaves what edges within the list connect with its last unit, if that is refused as well. */
static int connect(search *w)
{
    const gsp_graph *g = &w->t->p->graph;
    cli_session *s = w->t->p->session;
    uint8_t *state = (uint8_t *)cli_alloc(s, (size_t)g->n_nodes + 1u, 1u); /* 1 listed, 2 near */
    uint32_t *near = (uint32_t *)cli_alloc(s, (size_t)w->n_list + 1u, sizeof *near);
    uint32_t n_near = 0;
    uint32_t n = add_units(w, w->list, w->n_list, 0);
    int refused = 0;
    int more = 1;
    int code = CLI_EXIT_OK;
    uint32_t i;
    for (i = 0; i < n; i++) {
        state[w->nodes[i]] = i >= n - 1u ? 2u : 1u;
    }
    while (more) {
        more = 0;
        for (i = n; i-- > 0;) {
            gsp_node const v = w->nodes[i];
            uint32_t n_in;
            const gsp_node *in = gsp_node_inputs(g, v, &n_in);
            for (; n_in > 0; n_in--, in++) {
                if (state[*in] != 0 && state[*in] != state[v]) {
                    state[*in] = state[v] = 2u;
                    more = 1;
                }
            }
        }
    }
    for (i = 0; i < w->n_list; i++) {
        if (state[w->units->nodes[w->units->begin[w->list[i]]]] == 2u) {
            near[n_near++] = w->list[i];
        }
    }
    if (n_near > 1u && n_near < w->n_list) {
        n = add_units(w, near, n_near, 0);
        code = tries_test(w->t, w->nodes, n, &refused);
    }
    if (refused) {
        memcpy(w->list, near, n_near * sizeof *near);
        w->n_list = n_near;
    }
    cli_release(s, state);
    cli_release(s, near);
    return code;
}

static void keep_ends(search *w, uint32_t begin, uint32_t end)
{
    uint32_t const n = w->n_list;
    uint32_t const size = end - begin;
    memmove(w->list + 1, w->list + begin, size * sizeof *w->list);
    w->list[size + 1u] = w->list[n - 1u];
    w->n_list = size + 2u;
}

/* Both ends of the list are needed. Halves what is between them while a half is enough. */
static int shrink(search *w)
{
    int refused = 0;
    int code = CLI_EXIT_OK;
    if (w->n_list < 3u) {
        return code;
    }
    code = test_ends(w, 1, 1, &refused);
    if (refused) {
        keep_ends(w, 1, 1);
    }
    while (code == CLI_EXIT_OK && !refused && w->n_list > 3u) {
        uint32_t const end = w->n_list - 1u;
        uint32_t const middle = 1u + (end - 1u) / 2u;
        code = test_ends(w, 1, middle, &refused);
        if (refused) {
            keep_ends(w, 1, middle);
        } else if (code == CLI_EXIT_OK) {
            code = test_ends(w, middle, end, &refused);
            if (!refused) {
                break; /* it takes some of either half */
            }
            keep_ends(w, middle, end);
        }
        refused = 0;
    }
    return code;
}

/* The smallest refused set: a unit, or a stretch whose ends are needed. */
static int find_set(search *w)
{
    uint32_t const n = w->units->n;
    uint32_t end = 0;
    uint32_t begin = 0;
    uint32_t i;
    int refused = 0;
    int code = last_end(w, 0, 0, n, &end);
    if (code == CLI_EXIT_OK) {
        code = test_range(w, end, end + 1u, &refused);
    }
    begin = end;
    if (code == CLI_EXIT_OK && !refused) {
        code = first_begin(w, 0, end, end + 1u, &begin);
        begin--; /* the last that is refused */
    }
    w->n_list = 0;
    for (i = begin; i <= end; i++) {
        w->list[w->n_list++] = i;
    }
    if (code == CLI_EXIT_OK && w->n_list > 2u) {
        code = connect(w);
    }
    return code == CLI_EXIT_OK ? shrink(w) : code;
}

/* ---- sizes ---- */

/* All nodes are in the piece of the search, and none is a culprit by now. */
static int is_within(const search *w, const try_piece *piece, const uint8_t *inside)
{
    uint32_t i = 0;
    while (i < piece->n_nodes && inside[piece->nodes[i]] && !w->t->is_culprit[piece->nodes[i]]) {
        i++;
    }
    return i == piece->n_nodes;
}

/* A limit on nodes, on parameters or on bytes explains which pieces passed, and which parts of this
 * one did not. */
static int explained_by_size(const search *w)
{
    const tries *t = w->t;
    uint8_t *inside = (uint8_t *)cli_alloc(t->p->session, t->p->graph.n_nodes, 1u);
    uint64_t most[TRY_SIZES];
    uint64_t least[TRY_SIZES];
    uint32_t i;
    uint32_t k;
    int any = 0;
    memset(most, 0, sizeof most);
    memset(least, 0xFF, sizeof least);
    for (i = 0; i < w->units->begin[w->units->n]; i++) {
        inside[w->units->nodes[i]] = 1;
    }
    for (i = 0; i < t->n_pieces; i++) {
        const try_piece *piece = &t->pieces[i];
        int const counts =
            piece->nodes != NULL && (piece->answer == TRY_PASSED || is_within(w, piece, inside));
        for (k = 0; counts && k < TRY_SIZES; k++) {
            uint64_t const size = piece->size[k];
            if (piece->answer == TRY_PASSED) {
                most[k] = most[k] > size ? most[k] : size;
            } else if (piece->answer == TRY_REFUSED) {
                least[k] = least[k] < size ? least[k] : size;
            }
        }
    }
    for (k = 0; k < TRY_SIZES; k++) {
        any |= most[k] < least[k];
    }
    cli_release(t->p->session, inside);
    return any;
}

/* ---- culprits ---- */

/* Nodes go to the CPU: the first n_first, and those that they are refused with. */
static void blame(tries *t, const gsp_node *nodes, uint32_t n, uint32_t n_first)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        t->is_culprit[nodes[i]] = 1;
        t->because[nodes[i]] = n_first == n ? GSP_NONE : i < n_first ? nodes[n_first] : nodes[0];
        t->sum->n_culprits++;
    }
}

/* The set is refused a second time, so it is what is wrong. */
static int take(search *w)
{
    uint32_t const n = add_units(w, w->list, w->n_list, 0);
    uint32_t const *begin = w->units->begin + w->list[0];
    uint32_t id = 0;
    int code = tries_piece(w->t, w->nodes, n, &id);
    code = code == CLI_EXIT_OK ? tries_run(w->t, &id, 1, 2) : code;
    if (code == CLI_EXIT_OK) {
        blame(w->t, w->nodes, n, begin[1] - begin[0]);
    }
    return code;
}

/* A culprit has the operator of a node. */
static int is_suspect(const tries *t, gsp_node v)
{
    const gsp_graph *g = &t->p->graph;
    gsp_node u = 0;
    while (u < g->n_nodes &&
           (!t->is_culprit[u] || !gsp_str_equal(gsp_node_class(g, u), gsp_node_class(g, v)))) {
        u++;
    }
    return u < g->n_nodes;
}

int tries_spread(tries *t, const try_units *units)
{
    uint32_t i;
    int code = CLI_EXIT_OK;
    for (i = 0; i < units->n && code == CLI_EXIT_OK; i++) {
        const gsp_node *nodes = units->nodes + units->begin[i];
        uint32_t const n = units->begin[i + 1u] - units->begin[i];
        uint32_t id = 0;
        if (t->is_culprit[nodes[0]] || !is_suspect(t, nodes[0])) {
            continue;
        }
        code = tries_piece(t, nodes, n, &id);
        if (code == CLI_EXIT_OK && t->pieces[id].answer == TRY_REFUSED) {
            blame(t, nodes, n, n);
        }
    }
    return code;
}

static void begin_search(tries *t, const try_units *units, search *w)
{
    cli_session *s = t->p->session;
    w->t = t;
    w->units = units;
    w->n_list = 0;
    w->list = (uint32_t *)cli_alloc(s, (size_t)units->n + 1u, sizeof *w->list);
    w->nodes = (gsp_node *)cli_alloc(s, (size_t)units->begin[units->n] + 1u, sizeof *w->nodes);
}

static void end_search(const search *w)
{
    cli_release(w->t->p->session, w->list);
    cli_release(w->t->p->session, w->nodes);
}

int tries_search(tries *t, const try_units *units, int *is_size)
{
    search w;
    int code;
    begin_search(t, units, &w);
    code = find_set(&w);
    *is_size = code == CLI_EXIT_OK && w.n_list > 1u && (w.n_list > 3u || explained_by_size(&w));
    code = code == CLI_EXIT_OK && !*is_size ? take(&w) : code;
    end_search(&w);
    return code;
}

/* ---- cuts ---- */

/* Bytes that a cut before each unit moves: of values that nobody else stores. */
static uint64_t *cut_bytes(tries *t, const try_units *units)
{
    const gsp_graph *g = &t->p->graph;
    cli_session *s = t->p->session;
    uint64_t *bytes = (uint64_t *)cli_alloc(s, (size_t)units->n + 1u, sizeof *bytes);
    uint32_t *unit_of = (uint32_t *)cli_alloc(s, (size_t)g->n_nodes + 1u, sizeof *unit_of);
    uint32_t i;
    uint32_t k;
    memset(unit_of, 0xFF, (size_t)g->n_nodes * sizeof *unit_of);
    for (i = 0; i < units->n; i++) {
        for (k = units->begin[i]; k < units->begin[i + 1u]; k++) {
            unit_of[units->nodes[k]] = i;
        }
    }
    for (k = 0; k < units->begin[units->n]; k++) {
        gsp_node const v = units->nodes[k];
        uint32_t last = unit_of[v];
        uint32_t n;
        const gsp_node *users = gsp_node_users(g, v, &n);
        for (i = 0; i < n && last != GSP_NONE; i++) {
            uint32_t const user = unit_of[users[i]];
            last = user == GSP_NONE ? GSP_NONE : user > last ? user : last;
        }
        for (i = unit_of[v] + 1u; last != GSP_NONE && i <= last; i++) {
            bytes[i] = cli_add(bytes[i], gsp_node_bytes(g, v));
        }
    }
    cli_release(s, unit_of);
    return bytes;
}

/* Fills begin[k] of the last pieces, as long as the command takes them, from the end on. Returns
 * TRIES_OVER and so on, or with *n 0 a unit that it does not take. */
static int cut_backward(search *w, uint32_t *begin, uint32_t *n)
{
    uint32_t end = w->units->n;
    uint32_t at = end;
    int code = CLI_EXIT_OK;
    while (end > 0 && code == CLI_EXIT_OK) {
        int refused = 0;
        code = test_range(w, 0, end, &refused);
        begin[--at] = 0;
        if (refused) {
            code = first_begin(w, 0, end, end, &begin[at]);
        }
        if (code == CLI_EXIT_OK && begin[at] == end) { /* not even the last one */
            w->list[0] = end - 1u;
            w->n_list = 1;
            *n = 0;
            return take(w);
        }
        end = begin[at];
    }
    *n = w->units->n - at;
    memmove(begin, begin + at, *n * sizeof *begin);
    return code;
}

/* Each cut may move on as long as the piece before it passes: then to where fewest bytes cross. */
static int move_cuts(const search *w, uint32_t *begin, uint32_t n)
{
    uint64_t *bytes = cut_bytes(w->t, w->units);
    int code = CLI_EXIT_OK;
    uint32_t i;
    for (i = 1; i < n && code == CLI_EXIT_OK; i++) {
        uint32_t const high = i + 1u < n ? begin[i + 1u] : w->units->n;
        uint32_t end = begin[i];
        uint32_t k;
        code = last_end(w, begin[i - 1u], begin[i], high, &end);
        for (k = begin[i] + 1u; k <= end; k++) {
            begin[i] = bytes[k] < bytes[begin[i]] ? k : begin[i];
        }
    }
    cli_release(w->t->p->session, bytes);
    return code;
}

int tries_cut(tries *t, const try_units *units, uint32_t *begin, uint32_t *n)
{
    search w;
    int code;
    begin_search(t, units, &w);
    code = cut_backward(&w, begin, n);
    if (code == CLI_EXIT_OK && *n > 1u) {
        code = move_cuts(&w, begin, *n);
    }
    end_search(&w);
    return code;
}
