/* Tensors of a CSV file that share one address, and tensors that never overlap. The planner knows
 * neither. In the list that it gets, tensors of one address are one tensor, which is live while one
 * of them is. Tensors apart are live together at a step of their own after all others. */
#include "commands/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct named {
    gsp_str id;
    uint32_t entry; /* the first stretch of the tensor */
} named;

/* One of two sets that are apart. */
typedef struct side {
    uint32_t root;
    uint32_t pair;
} side;

typedef struct work {
    memory *m;
    named *names; /* [n_names] by id */
    uint32_t n_names;
    uint32_t *root; /* [n] of the set of a stretch; those of the first stretches are right */
    uint32_t *next; /* [n] tensor of the same set, in a ring */
    uint32_t *size; /* [n] tensors of the set of a root */
    side *apart;
    uint32_t n_apart; /* two for each pair */
    uint32_t at;      /* those of roots before are written */
    uint32_t n;       /* stretches of the file */
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

static void read_names(work *w)
{
    uint32_t i;
    for (i = 0; i < w->n; i++) {
        w->root[i] = w->next[i] = i;
        w->size[i] = 1;
        if (w->m->resumed[i] == 0) {
            w->names[w->n_names].id = w->m->ids[i];
            w->names[w->n_names++].entry = i;
        }
    }
    qsort(w->names, w->n_names, sizeof *w->names, by_id);
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

/* Makes one set of two; the root of the larger one stays. */
static void join(work *w, uint32_t a, uint32_t b)
{
    int const first = w->size[w->root[a]] >= w->size[w->root[b]];
    uint32_t const keep = w->root[first ? a : b];
    uint32_t const drop = w->root[first ? b : a];
    uint32_t i = drop;
    if (keep == drop) {
        return;
    }
    do {
        w->root[i] = keep;
        i = w->next[i];
    } while (i != drop);
    i = w->next[keep];
    w->next[keep] = w->next[drop];
    w->next[drop] = i;
    w->size[keep] += w->size[drop];
}

/* Reads the ids of a cell: joins their sets, or adds pairs. */
static int read_cell(work *w, uint32_t entry, int apart)
{
    gsp_str rest = (apart ? w->m->apart : w->m->together)[entry];
    while (rest.size != 0) {
        gsp_str const id = memory_cut(&rest, ';');
        uint32_t const other = id.size == 0 ? entry : find(w, id);
        if (other == GSP_NONE) {
            return wrong(w, entry,
                apart ? "is apart from what is not the id of one tensor:"
                      : "is together with what is not the id of one tensor:",
                id);
        }
        if (apart && id.size != 0) {
            if (w->root[other] == w->root[entry]) {
                return wrong(w, entry, "cannot be apart from itself or its own address:", id);
            }
            uint32_t const pair = w->n_apart / 2u;
            side const sides[] = {{w->root[entry], pair}, {w->root[other], pair}};
            memcpy(&w->apart[w->n_apart], sides, sizeof sides);
            w->n_apart += 2u;
        } else if (!apart) {
            join(w, entry, other);
        }
    }
    return CLI_EXIT_OK;
}

static int read_sets(work *w)
{
    int code = CLI_EXIT_OK;
    int apart;
    uint32_t i;
    for (apart = 0; apart < 2; apart++) { /* sets are whole before pairs of them are read */
        for (i = 0; i < w->n && code == CLI_EXIT_OK; i++) {
            code = w->m->resumed[i] == 0 ? read_cell(w, i, apart) : CLI_EXIT_OK;
        }
    }
    return code;
}

static int by_begin(const void *a, const void *b)
{
    const gsp_tensor *x = (const gsp_tensor *)a;
    const gsp_tensor *y = (const gsp_tensor *)b;
    return x->begin < y->begin ? -1 : x->begin > y->begin ? 1 : 0;
}

/* Joins stretches that touch; returns how many are left. */
static uint32_t join_stretches(gsp_tensor *t, uint32_t n)
{
    uint32_t left = 0;
    uint32_t i;
    qsort(t, n, sizeof *t, by_begin);
    for (i = 1; i < n; i++) {
        if (t[i].begin <= t[left].end || t[i].begin == t[left].end + 1u) {
            t[left].end = t[i].end > t[left].end ? t[i].end : t[left].end;
        } else {
            t[++left] = t[i];
        }
    }
    return left + 1u;
}

/* Writes the stretches of a set, with its size, alignment and offset; returns how many. */
static int write_set(work *w, uint32_t root, memory_list *to)
{
    const memory *m = w->m;
    gsp_tensor *first = &to->tensors[to->n];
    uint32_t n = 0;
    uint32_t from = GSP_NONE; /* the tensor that fixes the offset */
    uint64_t bytes = 0;
    uint32_t align = 1;
    uint32_t i = root;
    uint32_t k;
    do {
        for (k = i; k == i || (k < w->n && m->resumed[k] != 0); k++) {
            first[n++] = m->tensors[k];
        }
        bytes = m->tensors[i].bytes > bytes ? m->tensors[i].bytes : bytes;
        align = m->aligns[i] > align ? m->aligns[i] : align;
        if (m->fixed[i] != 0 && from != GSP_NONE &&
            m->tensors[from].offset != m->tensors[i].offset) {
            return wrong(w, from, "is fixed at another offset than", m->ids[i]);
        }
        from = m->fixed[i] != 0 ? i : from;
        i = w->next[i];
    } while (i != root);
    n = join_stretches(first, n);
    for (k = 0; k < n; k++) {
        first[k].node = root;
        first[k].bytes = bytes;
        first[k].offset = from == GSP_NONE ? 0u : m->tensors[from].offset;
        to->aligns[to->n + k] = align;
        to->fixed[to->n + k] = from != GSP_NONE && k == 0;
        to->resumed[to->n + k] = k > 0;
    }
    to->n += n;
    return CLI_EXIT_OK;
}

static int by_root(const void *a, const void *b)
{
    const side *x = (const side *)a;
    const side *y = (const side *)b;
    return x->root != y->root   ? (x->root < y->root ? -1 : 1)
           : x->pair != y->pair ? (x->pair < y->pair ? -1 : 1)
                                : 0;
}

/* Adds the steps at which a set is live with those that it is apart from. */
static void add_steps(work *w, uint32_t root, uint32_t end, memory_list *to)
{
    for (; w->at < w->n_apart && w->apart[w->at].root == root; w->at++) {
        to->tensors[to->n] = to->tensors[to->n - 1u];
        to->tensors[to->n].begin = to->tensors[to->n].end = end + 1u + w->apart[w->at].pair;
        to->aligns[to->n] = to->aligns[to->n - 1u];
        to->fixed[to->n] = 0;
        to->resumed[to->n++] = 1;
    }
}

static void alloc_list(cli_session *s, memory_list *list, size_t n)
{
    list->n = 0;
    list->tensors = (gsp_tensor *)cli_alloc(s, n, sizeof *list->tensors);
    list->aligns = (uint32_t *)cli_alloc(s, n, sizeof *list->aligns);
    list->fixed = (uint32_t *)cli_alloc(s, n, sizeof *list->fixed);
    list->resumed = (uint32_t *)cli_alloc(s, n, sizeof *list->resumed);
}

/* The list to plan: all sets, then, for the peak, the same without steps of pairs. */
static int write_sets(work *w, memory_list *to)
{
    memory *m = w->m;
    int code = CLI_EXIT_OK;
    memory_list plain;
    uint32_t end = 0;
    uint32_t i;
    for (i = 0; i < w->n; i++) {
        end = m->tensors[i].end > end ? m->tensors[i].end : end;
    }
    if (w->n_apart / 2u >= UINT32_MAX - 1u - end) {
        return cli_error(m->session, GSP_STATUS_LIMIT,
            "%s: the last step, %" PRIu32 ", leaves no room for %" PRIu32
            " pairs of the column apart",
            m->session->path, end, w->n_apart / 2u);
    }
    qsort(w->apart, w->n_apart, sizeof *w->apart, by_root);
    alloc_list(m->session, &plain, (size_t)w->n + 1u);
    alloc_list(m->session, to, (size_t)w->n + w->n_apart + 1u);
    for (i = 0; i < w->n && code == CLI_EXIT_OK; i++) {
        if (m->resumed[i] == 0 && w->root[i] == i &&
            (code = write_set(w, i, &plain)) == CLI_EXIT_OK) {
            (void)write_set(w, i, to);
            add_steps(w, i, end, to);
        }
    }
    m->memory_plan.peak =
        cli_stretches_live(m->session, plain.tensors, plain.n, NULL, GSP_NONE, NULL);
    return code;
}

static void use_list(memory *m, const memory_list *list)
{
    m->tensors = list->tensors;
    m->aligns = list->aligns;
    m->fixed = list->fixed;
    m->resumed = list->resumed;
    m->memory_plan.n_tensors = list->n;
    m->memory_plan.tensors = list->tensors;
}

int memory_sets_plan(memory *m)
{
    work w;
    memory_list to = {NULL, NULL, NULL, NULL, 0};
    size_t n_ids = 1;
    uint32_t i;
    memset(&w, 0, sizeof w);
    w.m = m;
    w.n = m->memory_plan.n_tensors;
    for (i = 0; i < w.n; i++) {
        n_ids += (size_t)m->apart[i].size + 1u;
    }
    w.names = (named *)cli_alloc(m->session, (size_t)w.n + 1u, sizeof *w.names);
    w.root = (uint32_t *)cli_alloc(m->session, (size_t)w.n + 1u, sizeof *w.root);
    w.next = (uint32_t *)cli_alloc(m->session, (size_t)w.n + 1u, sizeof *w.next);
    w.size = (uint32_t *)cli_alloc(m->session, (size_t)w.n + 1u, sizeof *w.size);
    w.apart = (side *)cli_alloc(m->session, n_ids, 2u * sizeof *w.apart);
    read_names(&w);
    int code = read_sets(&w);
    if (code == CLI_EXIT_OK && (code = write_sets(&w, &to)) == CLI_EXIT_OK) {
        memory_list const given = {m->tensors, m->aligns, m->fixed, m->resumed, w.n};
        m->given = given;
        m->root = w.root;
        use_list(m, &to);
    }
    return code;
}

void memory_sets_end(memory *m)
{
    const gsp_memory_plan_result *r = &m->memory_plan;
    uint64_t *offset = (uint64_t *)cli_alloc(m->session, (size_t)m->given.n + 1u, sizeof *offset);
    uint32_t i;
    for (i = 0; i < r->n_tensors; i++) {
        offset[r->tensors[i].node] = r->tensors[i].offset;
    }
    for (i = 0; i < m->given.n; i++) {
        uint32_t const first = m->given.tensors[i].node;
        m->given.tensors[i].offset = offset[m->root[first]];
    }
    use_list(m, &m->given);
}
