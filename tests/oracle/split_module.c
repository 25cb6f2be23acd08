/* gsp_split_module_run() against a slow transcription of split_module that works on the printed
 * text, and the module it makes, evaluated, against the graph. */
#include "tests/oracle/oracle.h"

#define MAX_PARTS 8u
#define MAX_NODES (ORACLE_NODES + 2u * ORACLE_LEAVES + 1u)

/* A list without repetition, in order of first meeting: a Python dict whose values do not
 * matter. */
typedef struct list {
    uint32_t n;
    uint32_t item[MAX_NODES];
} list;

static void meet(list *l, uint32_t item)
{
    uint32_t i;
    for (i = 0; i < l->n; i++) {
        if (l->item[i] == item) {
            return;
        }
    }
    l->item[l->n++] = item;
}

static int holds(const list *l, uint32_t item)
{
    uint32_t i;
    for (i = 0; i < l->n && l->item[i] != item; i++) {
    }
    return i < l->n;
}

static void drop(list *l, uint32_t item)
{
    uint32_t i;
    uint32_t kept = 0;
    for (i = 0; i < l->n; i++) {
        if (l->item[i] != item) {
            l->item[kept++] = l->item[i];
        }
    }
    l->n = kept;
}

typedef struct model_part {
    list nodes;
    list inputs;
    list outputs;
    list depends;
    list dependents;
} model_part;

typedef struct model {
    const gsp_graph *g;
    const uint32_t *part_of;
    model_part part[MAX_PARTS];
    list original; /* partitions by first node */
    list order;
    char root_name[MAX_NODES][32]; /* what stands for a value in the root */
    t_string lines[MAX_NODES];     /* of the input, printed without annotations */
    t_string text;                 /* the expected module */
} model;

static uint32_t part_of(const model *m, gsp_node v)
{
    return gsp_node_is_callable(m->g, v) ? m->part_of[v] : GSP_NONE;
}

static void cross(model *m, gsp_node def, gsp_node use)
{
    uint32_t const from = part_of(m, def);
    uint32_t const to = part_of(m, use);
    if (from == to) {
        return;
    }
    if (from != GSP_NONE) {
        meet(&m->part[from].outputs, def);
        if (to != GSP_NONE) {
            meet(&m->part[from].dependents, to);
            meet(&m->part[to].depends, from);
        }
    }
    if (to != GSP_NONE) {
        meet(&m->part[to].inputs, def);
    }
}

static void record(model *m)
{
    gsp_node v;
    for (v = 0; v < m->g->n_nodes; v++) {
        uint32_t n;
        uint32_t i;
        const gsp_node *in = gsp_node_inputs(m->g, v, &n);
        if (gsp_node_is_callable(m->g, v)) {
            meet(&m->original, part_of(m, v));
            meet(&m->part[part_of(m, v)].nodes, v);
        }
        for (i = 0; i < n; i++) {
            if (gsp_node_is_callable(m->g, v) || gsp_node_is_callable(m->g, in[i])) {
                cross(m, in[i], v);
            }
        }
    }
}

/* 1 unless there is a cycle. */
static int sort(model *m)
{
    list roots;
    uint32_t i;
    memset(&roots, 0, sizeof(roots));
    for (i = 0; i < m->original.n; i++) {
        if (m->part[m->original.item[i]].depends.n == 0) {
            meet(&roots, m->original.item[i]);
        }
    }
    while (roots.n > 0) {
        uint32_t const part = roots.item[--roots.n];
        meet(&m->order, part);
        for (i = 0; i < m->part[part].dependents.n; i++) {
            uint32_t const reader = m->part[part].dependents.item[i];
            drop(&m->part[reader].depends, part);
            if (m->part[reader].depends.n == 0) {
                meet(&roots, reader);
            }
        }
    }
    return m->order.n == m->original.n;
}

/* ---- the text ---- */

static void put_name(t_string *s, const char *before, gsp_str name, uint32_t users)
{
    t_puts(s, "    %");
    t_puts(s, before);
    t_add(s, name.data, name.size);
    t_puts(s, " : [num_users=");
    t_number(s, users);
    t_puts(s, "] = ");
}

/* The line of a node with other users and a flat target. */
static void put_line(model *m, gsp_node v, uint32_t users)
{
    const char *at = strstr(m->lines[v].data, "] = ") + 4;
    const char *end = strchr(at, '\0');
    int const flat = gsp_node_op(m->g, v) == GSP_OP_CALL_MODULE;
    const char *stop = strchr(at, ']');
    put_name(&m->text, "", gsp_node_name(m->g, v), users);
    for (; at < end; at++) {
        char const c = flat && at < stop && *at == '.' ? '_' : *at;
        t_add(&m->text, &c, 1);
    }
    t_puts(&m->text, "\n");
}

static uint32_t readers_in(const model *m, gsp_node v, const list *nodes)
{
    uint32_t n;
    uint32_t count = 0;
    const gsp_node *users = gsp_node_users(m->g, v, &n);
    for (; n > 0; n--) {
        count += holds(nodes, users[n - 1u]) ? 1u : 0u;
    }
    return count;
}

/* How many nodes of the root read a value. */
static uint32_t readers_in_root(const model *m, gsp_node v)
{
    uint32_t n;
    uint32_t i;
    uint32_t count = 0;
    const gsp_node *users = gsp_node_users(m->g, v, &n);
    for (i = 0; i < m->order.n; i++) {
        count += holds(&m->part[i].inputs, v) ? 1u : 0u;
    }
    return count + (n > 0 && users[n - 1u] == m->g->n_nodes - 1u ? 1u : 0u);
}

static void put_call(model *m, uint32_t part, uint32_t *getitems)
{
    const model_part *p = &m->part[part];
    gsp_str none = {"", 0};
    char name[24];
    uint32_t i;
    sprintf(name, "submod_%u", (unsigned)part);
    put_name(&m->text, name, none,
        p->outputs.n == 1u ? readers_in_root(m, p->outputs.item[0]) : p->outputs.n);
    t_puts(&m->text, "call_module[target=");
    t_puts(&m->text, name);
    t_puts(&m->text, "](args = (");
    for (i = 0; i < p->inputs.n; i++) {
        t_puts(&m->text, i == 0 ? "%" : ", %");
        t_puts(&m->text, m->root_name[p->inputs.item[i]]);
    }
    t_puts(&m->text, p->inputs.n == 1u ? ",), kwargs = {})\n" : "), kwargs = {})\n");
    if (p->outputs.n == 1u) {
        strcpy(m->root_name[p->outputs.item[0]], name);
        return;
    }
    for (i = 0; i < p->outputs.n; i++) {
        char item[24] = "getitem";
        gsp_node const v = p->outputs.item[i];
        if (*getitems > 0) {
            sprintf(item, "getitem_%u", (unsigned)*getitems);
        }
        ++*getitems;
        strcpy(m->root_name[v], item);
        put_name(&m->text, item, none, readers_in_root(m, v));
        t_puts(&m->text, "call_function[target=operator.getitem](args = (%");
        t_puts(&m->text, name);
        t_puts(&m->text, ", ");
        t_number(&m->text, i);
        t_puts(&m->text, "), kwargs = {})\n");
    }
}

/* The return of the input, every name by what stands for it in the root. */
static void put_return(model *m)
{
    const char *at = m->lines[m->g->n_nodes - 1u].data;
    while (*at != '\0') {
        size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
        gsp_str word;
        gsp_node v;
        word.data = at;
        word.size = (uint32_t)size;
        v = size > 0 ? gsp_graph_find(m->g, word) : GSP_NONE;
        size = size > 0 ? size : 1u;
        if (v != GSP_NONE) {
            t_puts(&m->text, m->root_name[v]);
        } else {
            t_add(&m->text, at, size);
        }
        at += size;
    }
    t_puts(&m->text, "\n");
}

static void put_root(model *m)
{
    uint32_t getitems = 0;
    gsp_node v;
    uint32_t i;
    t_puts(&m->text, "module main\ngraph():\n");
    for (v = 0; v < m->g->n_nodes - 1u; v++) {
        gsp_str const name = gsp_node_name(m->g, v);
        if (!gsp_node_is_callable(m->g, v)) {
            memcpy(m->root_name[v], name.data, name.size);
            m->root_name[v][name.size] = '\0';
            put_line(m, v, readers_in_root(m, v));
        }
    }
    for (i = 0; i < m->order.n; i++) {
        put_call(m, m->order.item[i], &getitems);
    }
    put_return(m);
}

static void put_part(model *m, uint32_t part)
{
    const model_part *p = &m->part[part];
    uint32_t i;
    t_puts(&m->text, "module submod_");
    t_number(&m->text, part);
    t_puts(&m->text, "\ngraph():\n");
    for (i = 0; i < p->inputs.n; i++) {
        gsp_str const name = gsp_node_name(m->g, p->inputs.item[i]);
        put_name(&m->text, "", name, readers_in(m, p->inputs.item[i], &p->nodes));
        t_puts(&m->text, "placeholder[target=");
        t_add(&m->text, name.data, name.size);
        t_puts(&m->text, "]\n");
    }
    for (i = 0; i < p->nodes.n; i++) {
        gsp_node const v = p->nodes.item[i];
        put_line(m, v, readers_in(m, v, &p->nodes) + (holds(&p->outputs, v) ? 1u : 0u));
    }
    t_puts(&m->text, p->outputs.n == 1u ? "    return " : "    return (");
    for (i = 0; i < p->outputs.n; i++) {
        gsp_str const name = gsp_node_name(m->g, p->outputs.item[i]);
        t_puts(&m->text, i == 0 ? "" : ", ");
        t_add(&m->text, name.data, name.size);
    }
    t_puts(&m->text, p->outputs.n == 1u ? "\n" : ")\n");
}

static void read_lines(model *m, const gsp_module *module)
{
    gsp_text_desc desc;
    t_string whole;
    char *at;
    gsp_node v;
    memset(&desc, 0, sizeof(desc));
    desc.no_annotations = 1;
    whole = t_print(module, &desc);
    at = strchr(whole.data, '\n') + 1;
    for (v = 0; v < m->g->n_nodes; v++) {
        char *end = strchr(at, '\n');
        t_add(&m->lines[v], at, (size_t)(end - at));
        at = end + 1;
    }
    t_free(&whole);
}

static void model_close(model *m)
{
    gsp_node v;
    for (v = 0; v < MAX_NODES; v++) {
        t_free(&m->lines[v]);
    }
    t_free(&m->text);
}

/* The expected module as text; empty for a cycle. */
static void model_run(model *m, const gsp_graph *g, const uint32_t *part_of_node)
{
    uint32_t i;
    memset(m, 0, sizeof(*m));
    m->g = g;
    m->part_of = part_of_node;
    read_lines(m, g->module);
    record(m);
    if (sort(m)) {
        put_root(m);
        for (i = 0; i < m->order.n; i++) {
            put_part(m, m->order.item[i]);
        }
    }
}

/* ---- comparing ---- */

typedef struct subject {
    gsp_arena arena;
    oracle_case c;
    oracle_ids ids;
    gsp_module module;
    gsp_graph graph;
    uint32_t part_of[MAX_NODES];
    gsp_split_module_desc desc;
    gsp_split_module_result result;
    gsp_error err;
    oracle_values values;
} subject;

/* Contiguous, so that a module is sure; or any assignment, which may be a cycle. Every partition
 * has nodes. */
static void assign(subject *s, t_rng *rng)
{
    uint32_t const k = 1u + t_below(rng, s->c.n < MAX_PARTS ? s->c.n : MAX_PARTS);
    int const random = t_chance(rng, 40);
    uint32_t i;
    for (i = 0; i < s->c.n; i++) {
        s->part_of[s->ids.call[i]] = random && i >= k ? t_below(rng, k) : i * k / s->c.n;
        if (random && i < k) {
            s->part_of[s->ids.call[i]] = i;
        }
    }
    memset(&s->desc, 0, sizeof(s->desc));
    s->desc.part_of = s->part_of;
    s->desc.n_parts = k;
}

static int build(subject *s, t_rng *rng)
{
    gsp_arena_init(&s->arena, s->arena.base, s->arena.size);
    do {
        oracle_random(rng, 40u, &s->c);
    } while (s->c.n == 0u);
    if (!T_EQUAL(oracle_build(&s->arena, &s->c, &s->module, &s->ids, &s->err), GSP_OK)) {
        return 0;
    }
    s->graph = gsp_module_graph(&s->module, 0u);
    assign(s, rng);
    return 1;
}

/* The module with the targets that its modules had before, as text. */
static t_string with_old_targets(const subject *s)
{
    const gsp_module *made = &s->result.module;
    t_string out;
    uint32_t graph;
    memset(&out, 0, sizeof(out));
    for (graph = 0; graph < made->counts.graphs; graph++) {
        gsp_graph const g = gsp_module_graph(made, graph);
        t_string text;
        char *at;
        memset(&text, 0, sizeof(text));
        T_EQUAL(gsp_text_write_graph(&g, NULL, t_sink, &text, NULL), GSP_OK);
        t_puts(&out, "module ");
        t_add(&out, gsp_module_str(made, made->graphs[graph].name).data,
            gsp_module_str(made, made->graphs[graph].name).size);
        t_puts(&out, "\n");
        for (at = text.data; *at != '\0'; at++) {
            static const char mark[] = "call_module[target=";
            uint32_t i;
            t_add(&out, at, 1);
            if (strncmp(at, mark, sizeof(mark) - 1u) != 0) {
                continue;
            }
            for (i = 0; i < s->result.n_qualnames; i++) {
                const gsp_qualname *q = &s->result.qualnames[i];
                gsp_str const now = gsp_module_str(made, q->made);
                gsp_str const old = gsp_module_str(made, q->old);
                const char *target = at + sizeof(mark) - 1u;
                if (q->graph == graph && strncmp(target, now.data, now.size) == 0 &&
                    target[now.size] == ']') {
                    t_puts(&out, mark + 1);
                    t_add(&out, old.data, old.size);
                    at = at + sizeof(mark) - 2u + now.size;
                    break;
                }
            }
        }
        t_free(&text);
    }
    return out;
}

static void check_values(subject *s)
{
    t_string text = with_old_targets(s);
    gsp_arena arena;
    gsp_module again;
    oracle_values_reset(&s->values);
    if (t_must_read(&arena, text.data, &again)) {
        T_EQUAL(oracle_evaluate(&s->values, &again), oracle_evaluate(&s->values, &s->module));
        t_arena_close(&arena);
    }
    t_free(&text);
}

static void check_cycle(const subject *s)
{
    T_EQUAL(s->err.detail, GSP_DETAIL_PARTS_CYCLE);
    T_CHECK(s->err.node < s->desc.n_parts && s->err.other < s->desc.n_parts);
    T_CHECK(s->err.node != s->err.other && s->err.need < s->desc.n_parts);
}

static void check_maps(const subject *s)
{
    const gsp_split_module_result *r = &s->result;
    uint32_t i;
    for (i = 0; i < s->c.n; i++) {
        gsp_node const v = s->ids.call[i];
        uint32_t const graph = r->graph_of[v];
        gsp_graph const g = gsp_module_graph(&r->module, graph);
        T_EQUAL(r->part[graph - 1u], s->part_of[v]);
        T_CHECK(gsp_str_equal(gsp_node_name(&g, r->node_of[v]), gsp_node_name(&s->graph, v)));
    }
}

static void compare(subject *s)
{
    static model m;
    gsp_text_desc desc;
    gsp_status status = gsp_split_module_run(&s->arena, &s->graph, &s->desc, &s->result, &s->err);
    memset(&desc, 0, sizeof(desc));
    desc.no_annotations = 1;
    model_run(&m, &s->graph, s->part_of);
    if (m.text.size == 0) {
        T_EQUAL(status, GSP_STATUS_CYCLE);
        check_cycle(s);
    } else if (T_EQUAL(status, GSP_OK)) {
        t_string found = t_print(&s->result.module, &desc);
        if (!T_STRING(found.data, m.text.data)) {
            printf("of:\n");
            T_EQUAL(gsp_text_write(&s->module, NULL, t_sink, &found, NULL), GSP_OK);
            printf("%s\n", found.data);
        }
        t_free(&found);
        check_maps(s);
        check_values(s);
    }
    model_close(&m);
}

static void test_model(void)
{
    uint32_t const count = t_fast ? 1000u : 20000u;
    t_rng rng;
    subject s;
    uint32_t i;
    rng.state = t_seed ^ 0x9A;
    t_arena_open(&s.arena, 1u << 20);
    oracle_values_open(&s.values);
    for (i = 0; i < count && !t_failed(); i++) {
        if (build(&s, &rng)) {
            compare(&s);
        }
    }
    oracle_values_close(&s.values);
    t_arena_close(&s.arena);
}

/* The original order is kept exactly where the data allows it, and changes nothing else. */
static void test_keep_order(void)
{
    t_rng rng;
    subject s;
    uint32_t i;
    rng.state = t_seed ^ 0x9B;
    t_arena_open(&s.arena, 1u << 20);
    oracle_values_open(&s.values);
    for (i = 0; i < (t_fast ? 300u : 4000u) && !t_failed(); i++) {
        gsp_status status;
        uint32_t before = 0;
        uint32_t k;
        gsp_node v;
        if (!build(&s, &rng)) {
            break;
        }
        s.desc.keep_order = 1;
        status = gsp_split_module_run(&s.arena, &s.graph, &s.desc, &s.result, &s.err);
        if (status != GSP_OK) {
            T_EQUAL(status, GSP_STATUS_CYCLE);
            continue;
        }
        for (k = 0; k < s.result.n_parts; k++) {
            for (v = 0; !gsp_node_is_callable(&s.graph, v) || s.part_of[v] != s.result.part[k];) {
                v++;
            }
            T_CHECK(k == 0 || v > before);
            before = v;
        }
        check_values(&s);
    }
    oracle_values_close(&s.values);
    t_arena_close(&s.arena);
}

void suite_oracle_split_module(void)
{
    t_run("model", test_model);
    t_run("keep_order", test_keep_order);
}
