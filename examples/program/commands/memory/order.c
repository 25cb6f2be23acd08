/* A graph as tasks that make and read tensors, and back: its text with the lines in another order.
 * Which values share memory, gsp_memory_plan_run() says: the elements of an aggregate are tensors
 * that its call makes, and what reads the aggregate as a whole reads them too. Where a getitem that
 * nothing reads makes a difference, tasks need less than the graph: the bound still holds. */
#include "commands/memory/memory.h"

#include "input/input.h"
#include "output/output.h"

#include <string.h>

/* ---- rows from pairs ---- */

typedef struct pairs {
    cli_session *session;
    uint32_t *a;
    uint32_t *b;
    uint32_t n;
    uint32_t room;
} pairs;

static void add_pair(pairs *p, uint32_t a, uint32_t b)
{
    if (p->n == p->room) {
        p->room = p->room < 512u ? 1024u : 2u * p->room;
        p->a = (uint32_t *)cli_grow(p->session, p->a, p->room * sizeof *p->a);
        p->b = (uint32_t *)cli_grow(p->session, p->b, p->room * sizeof *p->b);
    }
    p->a[p->n] = a;
    p->b[p->n++] = b;
}

/* The rows of `key` [n_pairs] with members of `value`, in the order of the pairs. */
static cli_lists rows_of(const pairs *p, const uint32_t *key, const uint32_t *value, uint32_t n)
{
    cli_lists rows;
    uint32_t i;
    rows.begin = (uint32_t *)cli_alloc(p->session, (size_t)n + 2u, sizeof *rows.begin);
    rows.at = (uint32_t *)cli_alloc(p->session, (size_t)p->n + 1u, sizeof *rows.at);
    if (p->n == 0) { /* then there are no keys either */
        return rows;
    }
    for (i = 0; i < p->n; i++) {
        rows.begin[key[i] + 2u]++;
    }
    for (i = 2; i < n + 2u; i++) {
        rows.begin[i] += rows.begin[i - 1u];
    }
    for (i = 0; i < p->n; i++) {
        rows.at[rows.begin[key[i] + 1u]++] = value[i];
    }
    return rows;
}

/* ---- the graph as tasks ---- */

typedef struct work {
    memory *m;
    const gsp_graph *g;
    gsp_memory_plan_result plan;
    gsp_dependences waits;
    order_tasks tasks;
    cli_lists nodes; /* [tasks.n] of a task, in graph order */
    uint32_t *task;  /* [n] of a call; of the output: tasks.n; GSP_NONE for others */
} work;

/* The call of which a getitem takes an element; GSP_NONE if it is none. */
static gsp_node taken_from(const gsp_graph *g, gsp_node v)
{
    uint32_t n;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    return gsp_node_op(g, v) == GSP_OP_CALL_FUNCTION && n != 0 &&
                   gsp_str_equal(gsp_node_target(g, v), gsp_str_of("operator.getitem")) &&
                   gsp_node_is_callable(g, in[0]) &&
                   gsp_node_value_kind(g, in[0]) == GSP_VALUE_AGGREGATE
               ? in[0]
               : GSP_NONE;
}

/* Marks nodes with dependences on either side besides what they read. */
static uint8_t *waiting(const work *w)
{
    uint8_t *marks = (uint8_t *)cli_alloc(w->m->session, w->g->n_nodes, 1u);
    const gsp_dependences *d = &w->waits;
    gsp_node v;
    uint32_t i;
    for (v = 0; v < w->g->n_nodes; v++) {
        for (i = d->dependent_begin[v]; i < d->dependent_begin[v + 1u]; i++) {
            marks[v] = marks[d->dependents[i]] = 1;
        }
    }
    return marks;
}

/* The only user of a call that reads no tensor: some best order runs it right before that user.
 * Returns GSP_NONE if there is none. */
static gsp_node only_user(const work *w, gsp_node v)
{
    uint32_t n;
    uint32_t i;
    const gsp_node *at = gsp_node_inputs(w->g, v, &n);
    for (i = 0; i < n; i++) {
        if (gsp_node_is_callable(w->g, at[i]) || w->plan.tensor_of[at[i]] != GSP_NONE) {
            return GSP_NONE;
        }
    }
    at = gsp_node_users(w->g, v, &n);
    return n == 1u && gsp_node_is_callable(w->g, at[0]) &&
                   w->waits.segment[v] == w->waits.segment[at[0]] &&
                   (w->m->scratch == NULL || w->m->scratch[v] == 0)
               ? at[0]
               : GSP_NONE;
}

static void add_tasks(work *w)
{
    pairs p = {w->m->session, NULL, NULL, 0, 0};
    uint8_t *waits = waiting(w);
    gsp_node v;
    w->task = (uint32_t *)cli_alloc(p.session, w->g->n_nodes, sizeof *w->task);
    for (v = 0; v < w->g->n_nodes; v++) {
        int const alone =
            gsp_node_is_callable(w->g, v) && (waits[v] || only_user(w, v) == GSP_NONE);
        w->task[v] = alone ? w->tasks.n : GSP_NONE;
        w->tasks.n += alone ? 1u : 0u;
    }
    for (v = 0; v < w->g->n_nodes; v++) {
        if (gsp_node_is_callable(w->g, v)) {
            w->task[v] = w->task[v] != GSP_NONE ? w->task[v] : w->task[only_user(w, v)];
            add_pair(&p, w->task[v], v);
        }
    }
    w->nodes = rows_of(&p, p.a, p.b, w->tasks.n);
    w->task[w->g->n_nodes - 1u] = w->tasks.n;
}

/* Tensors, and which call makes them. Inputs are live from the first step on. */
static void add_tensors(work *w)
{
    order_tasks *t = &w->tasks;
    pairs p = {w->m->session, NULL, NULL, 0, 0};
    uint32_t i;
    t->n_tensors = w->plan.n_tensors;
    t->bytes = (uint64_t *)cli_alloc(p.session, (size_t)t->n_tensors + 1u, sizeof *t->bytes);
    for (i = 0; i < t->n_tensors; i++) {
        const gsp_tensor *tensor = &w->plan.tensors[i];
        t->bytes[i] = tensor->bytes;
        if (gsp_node_is_callable(w->g, tensor->node)) {
            add_pair(&p, w->task[tensor->begin], i);
        } else {
            t->peak += tensor->bytes;
        }
    }
    t->makes = rows_of(&p, p.a, p.b, t->n);
}

/* Node v reads a tensor that another task makes. */
static void add_tensor_read(const work *w, pairs *p, gsp_node v, uint32_t tensor, uint32_t *last)
{
    const gsp_tensor *t = &w->plan.tensors[tensor];
    int const own = gsp_node_is_callable(w->g, t->node) && w->task[t->begin] == w->task[v];
    if (last[tensor] != v && !own) {
        last[tensor] = v;
        add_pair(p, w->task[v], tensor);
    }
}

/* What node v reads: a tensor, or all that a call makes. */
static void add_read(const work *w, pairs *p, gsp_node v, gsp_node from, uint32_t *last)
{
    const cli_lists *makes = &w->tasks.makes;
    uint32_t const own = w->plan.tensor_of[from];
    uint32_t const maker = w->task[from];
    uint32_t i;
    if (own != GSP_NONE) {
        add_tensor_read(w, p, v, own, last);
    }
    for (i = maker == GSP_NONE ? 0 : makes->begin[maker];
         maker != GSP_NONE && i < makes->begin[maker + 1u]; i++) {
        if (w->plan.tensors[makes->at[i]].begin == from) {
            add_tensor_read(w, p, v, makes->at[i], last);
        }
    }
}

static void add_reads(work *w)
{
    order_tasks *t = &w->tasks;
    pairs p = {w->m->session, NULL, NULL, 0, 0};
    uint32_t *last = (uint32_t *)cli_alloc(p.session, (size_t)t->n_tensors + 1u, sizeof *last);
    uint64_t kept = 0;
    uint32_t i;
    gsp_node v;
    memset(last, 0xFF, t->n_tensors * sizeof *last);
    for (v = 0; v < w->g->n_nodes; v++) {
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(w->g, v, &n);
        uint32_t const own = w->plan.tensor_of[v];
        int const taken = taken_from(w->g, v) != GSP_NONE;
        for (i = 0; i < n && !taken; i++) {
            add_read(w, &p, v, in[i], last);
        }
        if (taken && own != GSP_NONE && w->plan.tensors[own].node != v) {
            add_pair(&p, w->task[v], own); /* as the first getitem of the element has it */
        }
    }
    t->reads = rows_of(&p, p.a, p.b, t->n + 1u);
    t->readers = rows_of(&p, p.b, p.a, t->n_tensors);
    for (i = 0; i < t->n_tensors; i++) {
        int const read = t->readers.begin[i] < t->readers.begin[i + 1u];
        t->live += read && !gsp_node_is_callable(w->g, w->plan.tensors[i].node) ? t->bytes[i] : 0u;
    }
    for (i = t->reads.begin[t->n]; i < t->reads.begin[t->n + 1u]; i++) {
        kept += t->bytes[t->reads.at[i]];
    }
    t->peak = kept > t->peak ? kept : t->peak;
}

/* A getitem of an element follows the first one, so that it stays the first. */
static void add_inputs(work *w, pairs *p)
{
    gsp_node v;
    uint32_t n;
    uint32_t i;
    for (v = 0; v + 1u < w->g->n_nodes; v++) {
        const gsp_node *in = gsp_node_inputs(w->g, v, &n);
        uint32_t const own = w->plan.tensor_of[v];
        for (i = 0; i < n && gsp_node_is_callable(w->g, v); i++) {
            if (gsp_node_is_callable(w->g, in[i]) && w->task[in[i]] != w->task[v]) {
                add_pair(p, w->task[in[i]], w->task[v]);
            }
        }
        if (own != GSP_NONE && taken_from(w->g, v) != GSP_NONE && w->plan.tensors[own].node < v &&
            taken_from(w->g, w->plan.tensors[own].node) == taken_from(w->g, v)) {
            add_pair(p, w->task[w->plan.tensors[own].node], w->task[v]);
        }
    }
}

/* Reads, the order of writes, and barriers, across which nothing moves. */
static void add_waits(work *w)
{
    order_tasks *t = &w->tasks;
    const gsp_dependences *d = &w->waits;
    pairs p = {w->m->session, NULL, NULL, 0, 0};
    gsp_node v;
    uint32_t i;
    add_inputs(w, &p);
    t->earliest = (uint32_t *)cli_alloc(p.session, (size_t)t->n + 1u, sizeof *t->earliest);
    for (v = 0; v + 1u < w->g->n_nodes; v++) {
        for (i = d->dependent_begin[v]; i < d->dependent_begin[v + 1u]; i++) {
            if (w->task[v] != GSP_NONE && w->task[d->dependents[i]] < t->n) {
                add_pair(&p, w->task[v], w->task[d->dependents[i]]);
            }
        }
    }
    for (i = 1; i < t->n; i++) {
        gsp_node const at = w->nodes.at[w->nodes.begin[i]];
        gsp_node const before = w->nodes.at[w->nodes.begin[i - 1u]];
        t->earliest[i] = d->segment[at] == d->segment[before] ? t->earliest[i - 1u] : i;
    }
    t->before = rows_of(&p, p.b, p.a, t->n);
    t->after = rows_of(&p, p.a, p.b, t->n);
}

static int make_tasks(work *w)
{
    cli_session *s = w->m->session;
    gsp_memory_plan_desc desc = {0};
    gsp_arena arena;
    gsp_error err;
    gsp_node v;
    desc.align = 1;
    desc.max_work = 1; /* only its tensors are used */
    desc.skip_inputs = w->m->opt.skip_inputs;
    cli_arena(s, &arena, gsp_memory_plan_bound(w->g, &desc));
    if (gsp_memory_plan_run(&arena, w->g, &desc, &w->plan, &err) != GSP_OK) {
        return cli_pass_error(s, w->g, &err);
    }
    cli_arena(s, &arena, gsp_dependences_bound(w->g, NULL));
    if (gsp_dependences_run(&arena, w->g, NULL, &w->waits, &err) != GSP_OK) {
        return cli_pass_error(s, w->g, &err);
    }
    add_tasks(w);
    add_tensors(w);
    add_reads(w);
    add_waits(w);
    w->tasks.extra = (uint64_t *)cli_alloc(s, (size_t)w->tasks.n + 1u, sizeof(uint64_t));
    for (v = 0; v + 1u < w->g->n_nodes && w->m->scratch != NULL; v++) {
        if (w->task[v] != GSP_NONE) {
            w->tasks.extra[w->task[v]] += w->m->scratch[v];
        }
    }
    return CLI_EXIT_OK;
}

/* ---- the graph in another order ---- */

/* The line of the text at `at`, with its end. */
static gsp_str line_at(const cli_buffer *text, size_t at)
{
    const char *end = (const char *)memchr(text->data + at, '\n', text->size - at);
    gsp_str line = {text->data + at, 0};
    line.size = (uint32_t)((end != NULL ? (size_t)(end - line.data) + 1u : text->size - at));
    return line;
}

/* Every node is one line, below the line graph():. */
static void permute(const memory *m, const gsp_node *order, const cli_buffer *text, cli_buffer *out)
{
    uint32_t const n = m->graph.n_nodes;
    gsp_str *lines = (gsp_str *)cli_alloc(m->session, n, sizeof *lines);
    uint32_t graph = 0;
    size_t at = 0;
    uint32_t i;
    while (at < text->size) {
        gsp_str const line = line_at(text, at);
        at += line.size;
        cli_put(out, line.data, line.size);
        if (line.size < 7u || memcmp(line.data, "graph()", 7u) != 0 || graph++ != m->chosen) {
            continue;
        }
        for (i = 0; i < n; i++) {
            lines[i] = line_at(text, at);
            at += lines[i].size;
        }
        for (i = 0; i < n; i++) {
            cli_put(out, lines[order[i]].data, lines[order[i]].size);
        }
    }
}

/* Inputs first, and the output last. */
static gsp_node *whole_order(const work *w, const uint32_t *tasks)
{
    gsp_node *order = (gsp_node *)cli_alloc(w->m->session, w->g->n_nodes, sizeof *order);
    uint32_t n = 0;
    gsp_node v;
    uint32_t i;
    uint32_t k;
    for (v = 0; v < w->g->n_nodes; v++) {
        if (w->task[v] == GSP_NONE) {
            order[n++] = v;
        }
    }
    for (i = 0; i < w->tasks.n; i++) {
        for (k = w->nodes.begin[tasks[i]]; k < w->nodes.begin[tasks[i] + 1u]; k++) {
            order[n++] = w->nodes.at[k];
        }
    }
    order[n] = w->g->n_nodes - 1u;
    return order;
}

int memory_orders_take(memory *m, const memory_orders *orders, uint32_t i)
{
    cli_session *s = m->session;
    cli_buffer text;
    cli_buffer out;
    gsp_error err;
    int code;
    s->module = orders->given;
    if (orders->at[i] == NULL) {
        return memory_choose(m);
    }
    cli_buffer_init(&text, s);
    cli_buffer_init(&out, s);
    if (gsp_text_write(&s->module, NULL, cli_sink, &text, &err) != GSP_OK) {
        return cli_error(s, (gsp_status)err.status, "--order: text cannot express this model");
    }
    permute(m, orders->at[i], &text, &out);
    cli_release(s, text.data);
    code = cli_read_again(s, &out, "--order");
    return code == CLI_EXIT_OK ? memory_choose(m) : code;
}

/* ---- the search ---- */

#define NARROW 64u
#define WIDE   16384u
#define WORK   ((uint64_t)3u << 22) /* a second */
#define TRIES  64u
#define ROOM   ((uint64_t)1u << 28) /* bytes of a search, about */
#define OTHERS 32u
#define MANY   4096u /* more tasks: too many for other orders */

static void search(const work *w, order_result *r)
{
    memory *m = w->m;
    uint32_t beam;
    order_start(m->session, &w->tasks, r);
    if (m->opt.beam != 0) {
        order_search(m->session, &w->tasks, (uint32_t)m->opt.beam, TRIES, UINT64_MAX, r);
        return;
    }
    for (beam = NARROW; beam <= WIDE && 4u * (uint64_t)beam * w->tasks.n <= ROOM; beam *= 16u) {
        order_search(m->session, &w->tasks, beam, 1u, WORK, r);
    }
    if (beam > WIDE) {
        order_search(m->session, &w->tasks, 4u * NARROW, TRIES, WORK, r);
    }
}

int memory_orders_find(memory *m, memory_orders *orders)
{
    cli_session *s = m->session;
    work w;
    order_result r;
    uint32_t i;
    int code;
    memset(&w, 0, sizeof w);
    w.m = m;
    w.g = &m->graph;
    cli_progress(s, "searching an order");
    if ((code = make_tasks(&w)) != CLI_EXIT_OK) {
        return code;
    }
    search(&w, &r);
    orders->given = s->module;
    m->found.bound = r.lower_bound;
    m->found.work = r.work;
    m->found.bytes = r.bytes;
    orders->n = m->pieces && w.tasks.n <= MANY ? 2u + OTHERS : 2u;
    orders->at = (gsp_node **)cli_alloc(s, orders->n, sizeof *orders->at);
    orders->at[1] = whole_order(&w, r.order);
    for (i = 2; i < orders->n; i++) {
        order_other(s, &w.tasks, i - 2u, r.order);
        orders->at[i] = whole_order(&w, r.order);
    }
    return CLI_EXIT_OK;
}

/* ---- the result as a file ---- */

static int has_ending(const char *path, const char *ending)
{
    size_t const size = strlen(path);
    size_t const n = ending == NULL ? 0u : strlen(ending);
    return n != 0 && size > n && strcmp(path + size - n, ending) == 0;
}

int memory_emit_model(const memory *m)
{
    cli_session *s = m->session;
    const char *path = m->opt.emit_model;
    const cli_format *format = s->format;
    cli_part part;
    cli_buffer out;
    cli_buffer why;
    int code;
    cli_buffer_init(&out, s);
    cli_buffer_init(&why, s);
    memset(&part, 0, sizeof part);
    part.name = "main";
    part.kind = "root";
    if (m->chosen != 0 && !has_ending(path, ".fx")) {
        return cli_error(s, GSP_STATUS_ARG, "--emit-model %s: only text has the graph %s reordered",
            path, m->opt.graph);
    }
    part.path = cli_copy(s, gsp_str_of(path));
    part.graph = gsp_module_graph(&s->module, 0);
    if (has_ending(path, format->model_suffix)) {
        code = format->model(s, &part, &out, &why);
    } else if (format->ending != NULL && has_ending(path, format->suffix)) {
        code = format->part(s, &part, &out, &why);
    } else if (has_ending(path, ".fx") || strcmp(path, "-") == 0) {
        code = cli_text_part(s, &part, &out, &why);
    } else {
        return cli_error(s, GSP_STATUS_ARG, "--emit-model %s: the model can be written as .fx%s%s",
            path, format->ending != NULL ? " or " : "",
            format->ending != NULL ? format->ending : "");
    }
    if (code == CLI_EXIT_OK && why.size != 0) {
        return cli_error(s, GSP_STATUS_ARG, "--emit-model %s: %.*s", path, (int)why.size, why.data);
    }
    code = code == CLI_EXIT_OK ? cli_write_file(s, path, &out) : code;
    return code == CLI_EXIT_OK && cli_has_data(s, &part) ? format->data(s, &part) : code;
}
