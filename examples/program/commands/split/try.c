/* --try: splits until the command takes every piece of an accelerator. */
#include "commands/split/split.h"

#include <inttypes.h>
#include <string.h>

/* A piece of a round. */
typedef struct piece {
    const gsp_node *nodes; /* [n] */
    uint32_t n;
    uint32_t id;
    uint32_t phase;
    try_units units; /* of a refused one */
} piece;

/* One split, and what becomes of it. */
typedef struct try_round {
    tries *t;
    gsp_split_result split;
    uint32_t *phase; /* [nodes] */
    piece *pieces;   /* [n] those cut come last */
    uint32_t n;
    uint32_t room;
    int is_stale; /* there are new culprits */
} try_round;

/* ---- options ---- */

int split_try_check(split *p)
{
    const split_options *o = &p->opt;
    const char *without = o->jobs != 0         ? "--jobs"
                          : o->timeout != 0    ? "--timeout"
                          : o->try_log != NULL ? "--try-log"
                                               : NULL;
    const char *with = o->plan != NULL                                ? "--plan"
                       : o->blocks                                    ? "--blocks"
                       : o->order != 0                                ? "--order"
                       : o->minimise == (uint32_t)SPLIT_MINIMISE_TIME ? "--minimise time"
                       : o->move_non_tensor ? "--move-non-tensor-nodes-on-boundary"
                                            : NULL;
    if (o->command == NULL) {
        return without != NULL ? cli_usage_error(p->session, "%s requires --try", without)
                               : CLI_EXIT_OK;
    }
    return with != NULL ? cli_usage_error(p->session, "--try cannot be combined with %s", with)
                        : CLI_EXIT_OK;
}

/* ---- rounds ---- */

static int add_piece(try_round *r, const gsp_node *nodes, uint32_t n, uint32_t phase)
{
    piece *made;
    if (r->n == r->room) {
        r->room = r->room * 2u + 16u;
        r->pieces = (piece *)cli_grow(r->t->p->session, r->pieces, r->room * sizeof *r->pieces);
    }
    made = &r->pieces[r->n++];
    memset(made, 0, sizeof *made);
    made->nodes = nodes;
    made->n = n;
    made->phase = phase;
    return tries_piece(r->t, nodes, n, &made->id);
}

/* Runs the pieces from number `from` on. */
static int run_pieces(try_round *r, uint32_t from, uint32_t runs)
{
    cli_session *s = r->t->p->session;
    uint32_t *ids = (uint32_t *)cli_alloc(s, (size_t)r->n + 1u, sizeof *ids);
    uint32_t n = 0;
    uint32_t i;
    int code;
    for (i = from; i < r->n; i++) {
        if (r->pieces[i].n != 0) {
            ids[n++] = r->pieces[i].id;
        }
    }
    code = tries_run(r->t, ids, n, runs);
    cli_release(s, ids);
    return code;
}

static int is_refused(const try_round *r, uint32_t i)
{
    return r->pieces[i].n != 0 && r->t->pieces[r->pieces[i].id].answer == TRY_REFUSED;
}

/* Makes room for so many phases behind one. */
static void insert_phases(try_round *r, uint32_t phase, uint32_t n)
{
    uint32_t v;
    for (v = 0; v < r->t->p->graph.n_nodes; v++) {
        r->phase[v] += r->phase[v] != GSP_NONE && r->phase[v] > phase ? n : 0u;
    }
    for (v = 0; v < r->n; v++) {
        r->pieces[v].phase += r->pieces[v].phase > phase ? n : 0u;
    }
}

/* A cut piece becomes phases of its own. */
static int replace(try_round *r, uint32_t i, const uint32_t *begin, uint32_t n)
{
    try_units const units = r->pieces[i].units;
    uint32_t const phase = r->pieces[i].phase;
    uint32_t k;
    int code = CLI_EXIT_OK;
    insert_phases(r, phase, n - 1u);
    for (k = 0; k < n && code == CLI_EXIT_OK; k++) {
        uint32_t const first = units.begin[begin[k]];
        uint32_t const end = units.begin[k + 1u < n ? begin[k + 1u] : units.n];
        uint32_t v;
        for (v = first; v < end; v++) {
            r->phase[units.nodes[v]] = phase + k;
        }
        code = add_piece(r, units.nodes + first, end - first, phase + k);
    }
    r->pieces[i].n = 0;
    r->t->sum->n_cuts += n - 1u;
    return code;
}

static int cut(try_round *r, uint32_t i)
{
    cli_session *s = r->t->p->session;
    uint32_t *begin = (uint32_t *)cli_alloc(s, (size_t)r->pieces[i].units.n + 1u, sizeof *begin);
    uint32_t const from = r->n;
    uint32_t n = 0;
    int code = tries_cut(r->t, &r->pieces[i].units, begin, &n);
    if (code == CLI_EXIT_OK && n == 0) {
        r->is_stale = 1;
    } else if (code == CLI_EXIT_OK) {
        code = replace(r, i, begin, n);
        code = code == CLI_EXIT_OK ? run_pieces(r, from, 1) : code;
    }
    cli_release(s, begin);
    return code;
}

/* Why each refused piece is refused: culprits first, then sizes, since without culprits there are
 * other pieces. */
static int examine(try_round *r)
{
    tries *t = r->t;
    uint32_t from = 0;
    int code = CLI_EXIT_OK;
    while (from < r->n && code == CLI_EXIT_OK && !r->is_stale) {
        uint32_t const n = r->n;
        uint8_t *is_size = (uint8_t *)cli_alloc(t->p->session, (size_t)n + 1u, 1u);
        uint32_t i;
        for (i = from; i < n && code == CLI_EXIT_OK; i++) {
            int size = 0;
            if (is_refused(r, i)) {
                uint32_t const before = t->sum->n_culprits;
                tries_units(
                    t, r->split.group, r->pieces[i].nodes, r->pieces[i].n, &r->pieces[i].units);
                code = tries_search(t, &r->pieces[i].units, &size);
                r->is_stale |= t->sum->n_culprits != before;
                is_size[i] = (uint8_t)size;
            }
        }
        for (i = from; i < n && code == CLI_EXIT_OK; i++) {
            if (r->is_stale && is_refused(r, i)) {
                code = tries_spread(t, &r->pieces[i].units);
            } else if (is_size[i]) {
                code = cut(r, i);
            }
        }
        cli_release(t->p->session, is_size);
        from = n;
    }
    return code;
}

/* What to split: culprits are on the CPU. */
static void place(tries *t, const gsp_placement *given)
{
    split *p = t->p;
    uint32_t const n = p->graph.n_nodes;
    gsp_node v;
    p->placement = *given;
    p->placement.kind = (uint8_t *)cli_alloc(p->session, n, 1u);
    p->placement.reason = (uint8_t *)cli_alloc(p->session, n, 1u);
    p->placement.culprit = (gsp_node *)cli_alloc(p->session, n, sizeof *p->placement.culprit);
    for (v = 0; v < n; v++) {
        int const stays = !t->is_culprit[v] && !t->is_left[v];
        p->placement.kind[v] = stays ? given->kind[v] : (uint8_t)GSP_KIND_CPU;
        p->placement.reason[v] = stays ? given->reason[v] : (uint8_t)GSP_REASON_REFUSED;
        p->placement.culprit[v] = stays              ? given->culprit[v]
                                  : t->is_culprit[v] ? t->because[v]
                                                     : GSP_NONE;
    }
    p->desc.placement = &p->placement;
    p->desc.phase = NULL;
}

static int begin_round(try_round *r)
{
    split *p = r->t->p;
    gsp_split_result *s = &r->split;
    uint32_t i;
    int code = split_choose(p);
    code = code == CLI_EXIT_OK ? split_run(p, &p->desc, s) : code;
    r->n = 0;
    r->is_stale = 0;
    r->t->sum->n_cuts = 0;
    if (code != CLI_EXIT_OK) {
        return code;
    }
    r->phase = (uint32_t *)cli_alloc(p->session, p->graph.n_nodes, sizeof *r->phase);
    memcpy(r->phase, s->raw_of, p->graph.n_nodes * sizeof *r->phase);
    for (i = 0; i < s->n_subgraphs && code == CLI_EXIT_OK; i++) {
        uint32_t const begin = s->subgraph_begin[i];
        if (s->subgraph_kind[i] != GSP_KIND_CPU) {
            code = add_piece(
                r, s->nodes + begin, s->subgraph_begin[i + 1u] - begin, s->raw_of[s->nodes[begin]]);
        }
    }
    return code == CLI_EXIT_OK ? run_pieces(r, 0, 1) : code;
}

/* The user has ended the search: what has not passed goes to the CPU, and nothing else changes. */
static void leave(try_round *r)
{
    tries *t = r->t;
    uint32_t i;
    uint32_t k;
    t->sum->is_interrupted = 1;
    for (i = 0; i < r->n; i++) {
        if (t->pieces[r->pieces[i].id].answer != TRY_PASSED) {
            for (k = 0; k < r->pieces[i].n; k++) {
                t->is_left[r->pieces[i].nodes[k]] = 1;
                t->sum->n_left++;
            }
        }
    }
}

static int search(tries *t, const gsp_placement *given)
{
    try_round r;
    int code;
    memset(&r, 0, sizeof r);
    r.t = t;
    do {
        place(t, given);
        code = begin_round(&r);
        code = code == CLI_EXIT_OK ? examine(&r) : code;
    } while (code == CLI_EXIT_OK && r.is_stale);
    code = code == CLI_EXIT_OK ? run_pieces(&r, 0, 2) : code;
    if (code == TRIES_OVER) {
        leave(&r);
        place(t, given);
        code = cli_is_stopped() ? CLI_EXIT_FAILED : CLI_EXIT_OK;
    }
    t->p->desc.phase = r.phase;
    return code;
}

static void make(tries *t, split *p)
{
    size_t const n = (size_t)p->graph.n_nodes + 1u;
    t->p = p;
    t->sum = (split_tries *)cli_alloc(p->session, 1u, sizeof *t->sum);
    t->n_jobs = p->opt.jobs != 0 ? (uint32_t)p->opt.jobs : 1u;
    p->opt.timeout = p->opt.timeout != 0 ? p->opt.timeout : 600u;
    t->is_culprit = (uint8_t *)cli_alloc(p->session, n, 1u);
    t->is_left = (uint8_t *)cli_alloc(p->session, n, 1u);
    t->because = (gsp_node *)cli_alloc(p->session, n, sizeof *t->because);
    p->tries = t->sum;
}

int split_try(split *p)
{
    static tries t; /* too large for a small stack */
    gsp_placement const given = p->placement;
    uint32_t const no_sync = p->session->common.no_sync;
    int code;
    memset(&t, 0, sizeof t);
    make(&t, p);
    p->session->common.no_sync = 1; /* nearly all files are gone in a moment */
    cli_hold();
    cli_search_begin();
    code = tries_begin(&t);
    code = code == CLI_EXIT_OK ? search(&t, &given) : code;
    tries_end(&t);
    cli_search_end();
    cli_hold_end();
    p->session->common.no_sync = no_sync;
    cli_progress_end(p->session);
    return code;
}

/* ---- output ---- */

void split_people_tries(const split *p, cli_buffer *out)
{
    const split_tries *t = p->tries;
    if (t == NULL) {
        return;
    }
    cli_printf(out, "\n  The command of --try ran %" PRIu32 " time%s and refused %" PRIu32,
        t->n_runs, cli_plural(t->n_runs), t->n_refused);
    if (t->n_culprits != 0) {
        cli_printf(out, "; %" PRIu32 " node%s that it refuses %s on the CPU", t->n_culprits,
            cli_plural(t->n_culprits), t->n_culprits == 1 ? "is" : "are");
    }
    if (t->n_cuts != 0) {
        cli_printf(
            out, "; %" PRIu32 " cut%s made pieces small enough", t->n_cuts, cli_plural(t->n_cuts));
    }
    if (t->is_interrupted) {
        cli_printf(out, "; ended by ^C, %" PRIu32 " node%s that have not passed are on the CPU",
            t->n_left, cli_plural(t->n_left));
    }
    cli_puts(out, "\n");
}

void split_json_tries(const split *p, cli_buffer *out)
{
    const split_tries *t = p->tries;
    if (t != NULL) {
        cli_printf(out,
            "\"try\": {\"tried\": %" PRIu32 ", \"refused\": %" PRIu32 ", \"culprits\": %" PRIu32
            ", \"cuts\": %" PRIu32 ", \"interrupted\": %s},\n",
            t->n_runs, t->n_refused, t->n_culprits, t->n_cuts,
            t->is_interrupted ? "true" : "false");
    }
}
