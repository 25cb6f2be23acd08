/* Graphs with mutates=, alias=, storage= and barrier=: what every pass makes of them, by a runner
 * that writes. Values are references to cells, so a part that runs too early or too late is found
 * out. Dependences are found anew, pair by pair, and the fewest phases by their definition. */
#include "examples/extra/graphsplit_kway.h"
#include "examples/program/algorithms/algorithms.h"
#include "tests/oracle/oracle.h"

#define CELLS  4096u
#define NODES  40u
#define LEVELS 4u

/* ---- the runner ---- */

/* A tensor, or an aggregate of other cells. */
typedef struct cell {
    uint64_t content;
    uint32_t first; /* into items */
    uint32_t n;
} cell;

typedef struct machine {
    const gsp_module *module;
    cell cells[CELLS];
    uint32_t items[CELLS];
    uint32_t n_cells;
    uint32_t n_items;
    uint64_t state;           /* that barriers change */
    uint32_t attr[NODES];     /* cells of storages and targets */
    uint64_t attr_was[NODES]; /* what they held at first */
    uint32_t n_attrs;
    int bad;
} machine;

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ (h >> 29);
}

static uint64_t mix_text(uint64_t h, gsp_str text)
{
    for (uint32_t i = 0; i < text.size; i++) {
        h = mix(h, (unsigned char)text.data[i]);
    }
    return mix(h, 1000u + text.size);
}

static uint32_t new_cell(machine *m, uint64_t content, uint32_t n)
{
    if (m->n_cells == CELLS || m->n_items + n > CELLS) {
        m->bad = 1;
        return 0;
    }
    m->cells[m->n_cells].content = content;
    m->cells[m->n_cells].first = m->n_items;
    m->cells[m->n_cells].n = n;
    m->n_items += n;
    return m->n_cells++;
}

/* All that a value holds; aggregates of aggregates do not occur but for parts that return one. */
static uint64_t contents(const machine *m, uint32_t at)
{
    uint32_t stack[64];
    uint32_t n = 0;
    uint64_t h = 1;
    stack[n++] = at;
    while (n > 0) {
        const cell *c = &m->cells[stack[--n]];
        h = c->n == 0u ? mix(h, c->content) : h;
        for (uint32_t i = c->n; i > 0u && n < T_COUNT_OF(stack); i--) {
            stack[n++] = m->items[c->first + i - 1u];
        }
    }
    return h;
}

/* Writes all that a value holds. */
static void write_cell(machine *m, uint32_t at, uint64_t h)
{
    cell *c = &m->cells[at];
    c->content = mix(c->content, h);
    for (uint32_t i = 0; i < c->n; i++) {
        cell *item = &m->cells[m->items[c->first + i]];
        item->content = mix(item->content, h + i);
    }
}

static uint32_t attribute(machine *m, const gsp_graph *g, gsp_node v)
{
    gsp_str const storage = gsp_node_attr(g, v, GSP_KEY_STORAGE);
    int const named = storage.data != NULL;
    uint64_t const h = mix_text(named ? 3u : 2u, named ? storage : gsp_node_target(g, v));
    uint32_t i = 0;
    while (i < m->n_attrs && m->attr_was[i] != h) {
        i++;
    }
    if (i == m->n_attrs) {
        m->attr[i] = new_cell(m, h, 0);
        m->attr_was[m->n_attrs++] = h;
    }
    return m->attr[i];
}

static uint64_t read_args(const machine *m, const gsp_graph *g, gsp_node v, const uint32_t *value)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    uint64_t h = mix(5u, m->state);
    for (uint32_t i = 0; i < n; i++) {
        h = mix(h, args[i].kind);
        h = args[i].kind == GSP_ARG_NODE ? mix(h, contents(m, value[args[i].value]))
            : args[i].kind == GSP_ARG_CONSTANT
                ? mix_text(h, gsp_module_str(m->module, args[i].value))
                : h;
    }
    return h;
}

/* A call of an operator. */
static uint32_t call(machine *m, const gsp_graph *g, gsp_node v, const uint32_t *value)
{
    gsp_written_iter walk = {0u, 0u, 0u};
    uint64_t const h = mix_text(read_args(m, g, v, value), gsp_node_target(g, v));
    uint32_t const element = gsp_node_element_of(g, v, CELLS);
    gsp_str const alias = gsp_node_attr(g, v, GSP_KEY_ALIAS);
    gsp_node u;
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    uint32_t n_elements = 0;
    if (element != GSP_NONE) {
        const cell *whole = &m->cells[value[args[0].value]];
        m->bad |= element >= whole->n;
        return m->bad ? 0u : m->items[whole->first + element];
    }
    while ((u = gsp_node_next_written(g, v, &walk)) != GSP_NONE) {
        write_cell(m, value[u], h);
    }
    m->state = gsp_node_is_barrier(g, v) ? mix(m->state, h) : m->state;
    if (alias.data != NULL) {
        return value[args[gsp_node_leaf(g, v, (uint32_t)(alias.data[0] - '0'))].value];
    }
    (void)gsp_type_container(gsp_node_type(g, v), &n_elements);
    n_elements = n_elements == GSP_NONE ? 0u : n_elements;
    uint32_t const made = new_cell(m, h, n_elements);
    for (uint32_t i = 0; i < n_elements; i++) {
        uint32_t const item = new_cell(m, mix(h, i), 0);
        m->items[m->cells[made].first + i] = item;
    }
    return made;
}

/* A call of a graph that is done: what its output holds, one value or several. */
static uint32_t returned(machine *m, const gsp_graph *g, const uint32_t *value)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, g->n_nodes - 1u, &n);
    uint32_t n_items = 0;
    if (n == 1u && args[0].kind == GSP_ARG_NODE) {
        return value[args[0].value];
    }
    for (uint32_t i = 0; i < n; i++) {
        n_items += args[i].kind == GSP_ARG_NODE;
    }
    uint32_t const made = new_cell(m, 0, n_items);
    for (uint32_t i = 0, k = 0; i < n && !m->bad; i++) {
        if (args[i].kind == GSP_ARG_NODE) {
            m->items[m->cells[made].first + k++] = value[args[i].value];
        }
    }
    return made;
}

static uint32_t find_child(const gsp_module *m, gsp_str name)
{
    uint32_t id = m->counts.graphs - 1u;
    while (id > 0u && !gsp_str_equal(gsp_module_str(m, m->graphs[id].name), name)) {
        id--;
    }
    return id;
}

/* Frames of graphs that call each other. */
typedef struct frame {
    gsp_graph graph;
    uint32_t value[4u * NODES];
    gsp_node at;
} frame;

static int enter(machine *m, const frame *from, frame *to, uint32_t child)
{
    uint32_t n;
    const gsp_arg *args = gsp_node_args(&from->graph, from->at, &n);
    uint32_t k = 0;
    to->graph = gsp_module_graph(m->module, child);
    to->at = 0;
    for (gsp_node v = 0; v < to->graph.n_nodes && v < T_COUNT_OF(to->value); v++) {
        if (gsp_node_op(&to->graph, v) == GSP_OP_PLACEHOLDER) {
            while (k < n && args[k].kind != GSP_ARG_NODE) {
                k++;
            }
            m->bad |= k == n;
            to->value[v] = m->bad ? 0u : from->value[args[k++].value];
        }
    }
    return !m->bad && to->graph.n_nodes <= T_COUNT_OF(to->value);
}

/* What the root returns, and what is then in its inputs and attributes; 0 if it cannot be run. */
static uint64_t run_module(const gsp_module *module)
{
    static machine m;
    static frame frames[LEVELS];
    uint32_t level = 0;
    uint64_t h = 0;
    memset(&m, 0, sizeof(m));
    m.module = module;
    frames[0].graph = gsp_module_graph(module, 0);
    frames[0].at = 0;
    (void)new_cell(&m, 0, 0);
    while (!m.bad) {
        frame *f = &frames[level];
        gsp_op const op = gsp_node_op(&f->graph, f->at);
        uint32_t const child =
            op == GSP_OP_CALL_MODULE ? find_child(module, gsp_node_target(&f->graph, f->at)) : 0u;
        if (op == GSP_OP_OUTPUT) {
            uint32_t const made = returned(&m, &f->graph, f->value);
            if (level == 0u) {
                h = mix(contents(&m, made), m.state);
                break;
            }
            level--;
            frames[level].value[frames[level].at++] = made;
            continue;
        }
        if (child != 0u) {
            m.bad |= level + 1u == LEVELS || !enter(&m, f, &frames[level + 1u], child);
            level++;
            continue;
        }
        if (op == GSP_OP_GET_ATTR) {
            f->value[f->at] = attribute(&m, &f->graph, f->at);
        } else if (op == GSP_OP_PLACEHOLDER && level == 0u) {
            f->value[f->at] = new_cell(&m, mix_text(11u, gsp_node_target(&f->graph, f->at)), 0);
        } else if (op != GSP_OP_PLACEHOLDER) {
            f->value[f->at] = call(&m, &f->graph, f->at, f->value);
        }
        f->at++;
    }
    for (gsp_node v = 0; v < frames[0].graph.n_nodes && !m.bad; v++) {
        if (gsp_node_op(&frames[0].graph, v) == GSP_OP_PLACEHOLDER) {
            h = mix(h, contents(&m, frames[0].value[v]));
        }
    }
    uint64_t attrs = 0; /* in any order, those that nothing reads left out */
    for (uint32_t i = 0; i < m.n_attrs; i++) {
        uint64_t const is = m.cells[m.attr[i]].content;
        attrs += is != m.attr_was[i] ? mix(m.attr_was[i], is) : 0u;
    }
    return m.bad ? 0u : mix(h, attrs) | 1u;
}

/* ---- random graphs ---- */

typedef struct subject {
    t_rng *rng;
    t_string text;
    char names[NODES][8];
    uint32_t kind[NODES]; /* 0 for a tensor, 1 for an aggregate of two, 2 for no tensor */
    uint32_t n;
    int plain; /* 1 without aggregates, groups and non-tensors */
    gsp_arena arena;
    gsp_arena order_arena;
    gsp_module module;
    gsp_graph graph;
    gsp_order order;
    uint64_t wanted;
} subject;

static const char *some(subject *s, uint32_t kind)
{
    for (uint32_t tries = 0; tries < 20u; tries++) {
        uint32_t const near = t_chance(s->rng, 60) && s->n > 5u ? 5u : s->n;
        uint32_t const v = s->n - 1u - t_below(s->rng, near);
        if (s->kind[v] == kind) {
            return s->names[v];
        }
    }
    return kind == 0u ? s->names[0] : NULL;
}

static void put(subject *s, const char *target, const char *args, const char *notes, uint32_t kind)
{
    static const char *const types[] = {"f32[4]", "tuple(f32[4], f32[4])", "int"};
    char line[300];
    snprintf(s->names[s->n], sizeof(s->names[0]), "n%u", (unsigned)s->n);
    snprintf(line, sizeof(line),
        "    %%%s : [num_users=0] = call_function[target=%s](args = (%s), kwargs = {})  # %s "
        "acc=%u%s%s\n",
        s->names[s->n], target, args, types[kind], t_chance(s->rng, 60) ? 1u : 0u, notes,
        !s->plain && t_chance(s->rng, 6) ? " group=g" : "");
    s->kind[s->n++] = kind;
    t_puts(&s->text, line);
}

static void put_some(subject *s)
{
    char args[100];
    uint32_t const what = t_below(s->rng, s->plain ? 8u : 12u);
    const char *tuple = some(s, 1u);
    const char *number = some(s, 2u);
    snprintf(args, sizeof(args), "%%%s", some(s, 0));
    if (what < 3u) {
        snprintf(args, sizeof(args), "%%%s, [%%%s, 2]", some(s, 0), some(s, 0));
        put(s, "torch.add", args, "", 0);
    } else if (what == 3u) {
        put(s, "torch.relu_", args, t_chance(s->rng, 50) ? " mutates=0 alias=0" : " mutates=0", 0);
    } else if (what == 4u) {
        put(s, "torch.view", args, " alias=0", 0);
    } else if (what == 5u) {
        snprintf(args, sizeof(args), "%%%s, 1, %%%s", some(s, 0), some(s, 0));
        put(s, "torch.copy_", args, t_chance(s->rng, 80) ? " mutates=2" : " mutates=0,2", 0);
    } else if (what == 6u && t_chance(s->rng, 30)) {
        put(s, "torch.enter", "", " barrier=1", s->plain ? 0u : 2u);
    } else if (what == 8u) {
        put(s, "torch.split", args, "", 1);
    } else if (what == 9u && tuple != NULL) {
        snprintf(args, sizeof(args), "%%%s, %u", tuple, (unsigned)t_below(s->rng, 2));
        put(s, "operator.getitem", args, "", 0);
    } else if (what == 10u) {
        put(s, "torch.numel", args, "", 2);
    } else if (what == 11u && number != NULL) {
        snprintf(args, sizeof(args), "%%%s, %%%s", some(s, 0), number);
        put(s, "torch.mul", args, t_chance(s->rng, 30) ? " mutates=0" : "", 0);
    } else {
        put(s, "torch.relu", args, "", 0);
    }
}

static void make_text(subject *s, uint32_t most)
{
    static const char *const first[] = {"x : [num_users=0] = placeholder[target=x]  # f32[4]",
        "y : [num_users=0] = placeholder[target=y]  # f32[4]",
        "w : [num_users=0] = get_attr[target=w]  # f32[4] storage=s",
        "v : [num_users=0] = get_attr[target=v]  # f32[4] storage=s"};
    t_puts(&s->text, "graph():\n");
    for (uint32_t i = 0; i < 4u; i++) {
        t_puts(&s->text, "    %");
        t_puts(&s->text, first[i]);
        t_puts(&s->text, "\n");
        snprintf(s->names[s->n], sizeof(s->names[0]), "%c", first[i][0]);
        s->kind[s->n++] = 0;
    }
    for (uint32_t n = 3u + t_below(s->rng, most - 3u); n > 0u; n--) {
        put_some(s);
    }
    t_puts(&s->text, "    return (");
    for (uint32_t i = 0; i < 2u; i++) {
        t_puts(&s->text, i > 0u ? ", " : "");
        t_puts(&s->text, s->names[s->n - 1u - t_below(s->rng, s->n < 6u ? s->n : 6u)]);
    }
    t_puts(&s->text, ")\n");
}

static int open_subject(subject *s, t_rng *rng, uint32_t most)
{
    gsp_dependences d;
    memset(s, 0, sizeof(*s));
    s->rng = rng;
    s->plain = t_chance(rng, 50);
    make_text(s, most);
    if (!t_must_read(&s->arena, s->text.data, &s->module)) {
        return 0;
    }
    s->graph = gsp_module_graph(&s->module, 0);
    s->wanted = run_module(&s->module);
    t_arena_open(&s->order_arena, 1u << 20u);
    if (!T_EQUAL(gsp_dependences_run(&s->order_arena, &s->graph, NULL, &d, NULL), GSP_OK) ||
        !T_EQUAL(gsp_order_run(&s->order_arena, &s->graph, &d, &s->order, NULL), GSP_OK)) {
        return 0;
    }
    s->graph.order = &s->order;
    return T_CHECK(s->wanted != 0u);
}

static void close_subject(subject *s)
{
    t_arena_close(&s->order_arena);
    t_arena_close(&s->arena);
    t_free(&s->text);
}

static int check_made(const subject *s, const gsp_module *made, const char *what)
{
    if (run_module(made) != s->wanted) {
        t_string text = t_print(made, NULL);
        printf("%s of\n%s%s", what, s->text.data, text.data);
        t_free(&text);
    }
    return T_CHECK(run_module(made) == s->wanted);
}

/* ---- split ---- */

static gsp_split_subgraphs_desc some_options(t_rng *rng)
{
    gsp_split_subgraphs_desc d;
    memset(&d, 0, sizeof(d));
    d.split.min_size = t_below(rng, 4);
    d.split.max_size = t_chance(rng, 20) ? 1u + t_below(rng, 4) : 0u;
    d.split.limit = t_chance(rng, 20) ? 1u + t_below(rng, 4) : 0u;
    d.split.limit_policy = GSP_LIMIT_DEMOTE;
    d.split.skip_fusion = (uint32_t)t_chance(rng, 20);
    d.split.allow_non_tensor = (uint32_t)t_chance(rng, 20);
    d.split.move_non_tensor = (uint32_t)t_chance(rng, 40);
    d.split.best_start = (uint32_t)t_chance(rng, 50);
    d.return_tuple = (uint32_t)t_chance(rng, 20);
    return d;
}

static uint32_t n_differ; /* graphs that a split by values alone changes */

static void check_split(subject *s)
{
    gsp_split_subgraphs_desc d = some_options(s->rng);
    gsp_split_subgraphs_result r;
    gsp_graph values = s->graph;
    gsp_arena arena;
    t_arena_open(&arena, gsp_split_subgraphs_bound(&s->graph, &d));
    if (T_EQUAL(gsp_split_subgraphs_run(&arena, &s->graph, &d, &r, NULL), GSP_OK)) {
        (void)check_made(s, &r.subgraphs.module, "split");
    }
    t_arena_close(&arena);
    values.order = NULL;
    t_arena_open(&arena, gsp_split_subgraphs_bound(&values, &d));
    if (T_EQUAL(gsp_split_subgraphs_run(&arena, &values, &d, &r, NULL), GSP_OK)) {
        n_differ += run_module(&r.subgraphs.module) != s->wanted;
    }
    t_arena_close(&arena);
}

/* Whether the graph with v moved to the place of u could compute something else. */
static int depends(const subject *s, const uint32_t *cell_of, gsp_node u, gsp_node v)
{
    gsp_written_iter walk;
    gsp_node w;
    int conflict = gsp_node_is_barrier(&s->graph, u) || gsp_node_is_barrier(&s->graph, v);
    for (uint32_t turn = 0; turn < 2u; turn++) {
        gsp_node const writer = turn == 0u ? u : v;
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&s->graph, turn == 0u ? v : u, &n);
        memset(&walk, 0, sizeof(walk));
        while ((w = gsp_node_next_written(&s->graph, writer, &walk)) != GSP_NONE) {
            for (uint32_t i = 0; i < n; i++) {
                conflict |= cell_of[in[i]] == cell_of[w];
            }
        }
        for (uint32_t i = 0; i < n; i++) {
            conflict |= turn == 0u && in[i] == u;
        }
    }
    return conflict;
}

/* The fewest phases, by pairs of nodes that may not change places. Plain graphs: a cell each. */
static uint32_t fewest(const subject *s, uint32_t start, int *any)
{
    uint32_t cell_of[NODES + 1u];
    uint32_t phase[NODES + 1u];
    uint32_t most = 0;
    uint32_t least = GSP_NONE;
    gsp_node shared = GSP_NONE;
    for (gsp_node v = 0; v + 1u < s->graph.n_nodes; v++) {
        gsp_str const alias = gsp_node_attr(&s->graph, v, GSP_KEY_ALIAS);
        uint32_t n;
        const gsp_node *in = gsp_node_inputs(&s->graph, v, &n);
        int const attr = gsp_node_op(&s->graph, v) == GSP_OP_GET_ATTR;
        shared = attr && shared == GSP_NONE ? v : shared;
        cell_of[v] = attr ? shared : alias.data != NULL ? cell_of[in[0]] : v;
        phase[v] = 0;
        if (!gsp_node_is_callable(&s->graph, v)) {
            continue;
        }
        uint32_t const odd = gsp_node_acc(&s->graph, v) == 1 ? 1u - start : start;
        phase[v] = odd;
        for (gsp_node u = 0; u < v; u++) {
            if (gsp_node_is_callable(&s->graph, u) && depends(s, cell_of, u, v)) {
                uint32_t const next = phase[u] + ((phase[u] ^ odd) & 1u);
                phase[v] = next > phase[v] ? next : phase[v];
            }
        }
        most = phase[v] > most ? phase[v] : most;
        least = phase[v] < least ? phase[v] : least;
    }
    *any = least != GSP_NONE;
    return most + 1u - (least == GSP_NONE ? 0u : least);
}

/* start 0 means that phase 0 is of the CPU. */
static void check_fewest(subject *s)
{
    gsp_split_subgraphs_desc d;
    gsp_split_subgraphs_result r;
    gsp_arena arena;
    int any;
    uint32_t const a = fewest(s, 0, &any);
    uint32_t const b = fewest(s, 1, &any);
    memset(&d, 0, sizeof(d));
    d.split.best_start = 1;
    t_arena_open(&arena, gsp_split_subgraphs_bound(&s->graph, &d));
    if (T_EQUAL(gsp_split_subgraphs_run(&arena, &s->graph, &d, &r, NULL), GSP_OK) && any) {
        if (!T_EQUAL(r.split.n_phases, a < b ? a : b)) {
            printf("%s", s->text.data);
        }
    }
    t_arena_close(&arena);
}

/* Phases of least traffic, and exact demotion, made into modules. */
static void check_chosen(subject *s)
{
    gsp_support_desc support;
    gsp_placement placement;
    gsp_split_desc d;
    gsp_split_result whole, cut;
    gsp_split_subgraphs_desc all;
    gsp_split_subgraphs_result made;
    gsp_demote_desc demote;
    gsp_demote_result kept;
    gsp_traffic_desc traffic;
    gsp_traffic_result least;
    gsp_arena arena;
    memset(&support, 0, sizeof(support));
    memset(&d, 0, sizeof(d));
    memset(&demote, 0, sizeof(demote));
    memset(&traffic, 0, sizeof(traffic));
    memset(&all, 0, sizeof(all));
    t_arena_open(&arena, 64u << 20u);
    (void)T_EQUAL(gsp_support_run(&arena, &s->graph, &support, &placement, NULL), GSP_OK);
    d.placement = &placement;
    d.best_start = (uint32_t)t_chance(s->rng, 50);
    (void)T_EQUAL(gsp_split_run(&arena, &s->graph, &d, &whole, NULL), GSP_OK);
    if (t_chance(s->rng, 50)) {
        demote.split = &whole;
        demote.max_acc = 1u + t_below(s->rng, 2);
        (void)T_EQUAL(gsp_demote_run(&arena, &s->graph, &demote, &kept, NULL), GSP_OK);
        placement.kind = (uint8_t *)(uintptr_t)kept.kind;
        placement.group = (uint32_t *)(uintptr_t)whole.group;
        d.skip_fusion = d.allow_non_tensor = 1;
        d.best_start = 1;
        (void)T_EQUAL(gsp_split_run(&arena, &s->graph, &d, &cut, NULL), GSP_OK);
        uint32_t n_acc = 0;
        for (uint32_t i = 0; i < cut.n_subgraphs; i++) {
            n_acc += cut.subgraph_kind[i];
        }
        (void)T_CHECK(n_acc <= demote.max_acc);
        whole = cut;
    }
    traffic.kind = whole.kind;
    traffic.group = whole.group;
    traffic.best_start = d.best_start;
    traffic.measure = t_below(s->rng, GSP_TRAFFIC_COUNT);
    (void)T_EQUAL(gsp_traffic_run(&arena, &s->graph, &traffic, &least, NULL), GSP_OK);
    (void)T_EQUAL(least.n_phases, whole.n_phases);
    all.split = d;
    all.split.phase = least.phase;
    if (T_EQUAL(gsp_split_subgraphs_run(&arena, &s->graph, &all, &made, NULL), GSP_OK)) {
        (void)check_made(s, &made.subgraphs.module, "least traffic");
    }
    t_arena_close(&arena);
}

/* ---- parts ---- */

static uint32_t n_cycles;

/* 1 if as a module, or a cycle. */
static void check_parts(subject *s, const uint32_t *part_of, uint32_t n_parts, int may_cycle)
{
    gsp_split_module_desc d;
    gsp_split_module_result r;
    gsp_arena arena;
    memset(&d, 0, sizeof(d));
    d.n_parts = n_parts;
    d.part_of = part_of;
    d.keep_order = may_cycle && t_chance(s->rng, 30);
    t_arena_open(&arena, gsp_split_module_bound(&s->graph, &d));
    gsp_status const status = gsp_split_module_run(&arena, &s->graph, &d, &r, NULL);
    if (status == GSP_OK) {
        (void)check_made(s, &r.module, "split_module");
    } else if (T_CHECK(may_cycle)) {
        n_cycles++;
        (void)T_EQUAL(status, GSP_STATUS_CYCLE);
    }
    t_arena_close(&arena);
}

static void check_module(subject *s)
{
    uint32_t part_of[NODES + 1u];
    uint32_t const k = 2u + t_below(s->rng, 3);
    for (gsp_node v = 0; v < s->graph.n_nodes; v++) {
        uint32_t const even = v * k / s->graph.n_nodes;
        part_of[v] = t_chance(s->rng, 85) ? even : t_below(s->rng, k);
    }
    check_parts(s, part_of, k, 1);
}

static void check_kway(subject *s)
{
    gsp_kway_desc d;
    gsp_kway_result r;
    gsp_arena arena;
    memset(&d, 0, sizeof(d));
    d.n_parts = 2;
    d.imbalance = 500000;
    d.attempts = 2;
    d.bytes = (uint32_t)t_chance(s->rng, 50);
    t_arena_open(&arena, gsp_kway_bound(&s->graph, &d));
    gsp_status const status = gsp_kway_run(&arena, &s->graph, &d, &r, NULL);
    if (status == GSP_OK) {
        for (gsp_node v = 0; v < s->graph.n_nodes; v++) {
            uint32_t const n = s->order.after.begin[v + 1u] - s->order.after.begin[v];
            for (uint32_t i = 0; i < n && r.part_of[v] != GSP_NONE; i++) {
                gsp_node const u = s->order.after.at[s->order.after.begin[v] + i];
                (void)T_CHECK(r.part_of[u] >= r.part_of[v]);
            }
        }
        check_parts(s, r.part_of, 2u, 0);
    } else {
        (void)T_EQUAL(status, GSP_STATUS_NO_FIT);
    }
    t_arena_close(&arena);
}

static void check_partition(subject *s)
{
    static const uint32_t modes[] = {
        GSP_PARTITION_SIZE, GSP_PARTITION_SPARSE, GSP_PARTITION_COST, GSP_PARTITION_KL};
    gsp_device devices[6];
    gsp_partition_desc d;
    gsp_partition_result r;
    gsp_arena arena;
    uint64_t const bytes = 80u + 16u * t_below(s->rng, 20);
    memset(&d, 0, sizeof(d));
    memset(devices, 0, sizeof(devices));
    for (uint32_t i = 0; i < T_COUNT_OF(devices); i++) {
        devices[i].id = i;
        devices[i].bytes = bytes;
    }
    d.devices = devices;
    d.n_devices = T_COUNT_OF(devices);
    d.mode = modes[t_below(s->rng, T_COUNT_OF(modes))];
    t_arena_open(&arena, gsp_partition_bound(&s->graph, &d));
    gsp_status const status = gsp_partition_run(&arena, &s->graph, &d, &r, NULL);
    if (status == GSP_OK) {
        (void)check_made(s, &r.parts->module, "partition");
    } else {
        (void)T_EQUAL(status, GSP_STATUS_NO_FIT);
    }
    t_arena_close(&arena);
}

/* ---- the suite ---- */

static void run_many(uint32_t count, uint32_t most, uint64_t salt, void (*check)(subject *s))
{
    t_rng rng;
    rng.state = t_seed + salt;
    for (uint32_t i = 0; i < count && !t_failed(); i++) {
        subject s;
        if (open_subject(&s, &rng, most)) {
            check(&s);
        }
        close_subject(&s);
    }
}

static void check_all(subject *s)
{
    check_split(s);
    check_chosen(s);
    check_module(s);
    check_kway(s);
    check_partition(s);
}

static void check_plain(subject *s)
{
    if (s->plain) {
        check_fewest(s);
    }
}

static void test_executed(void)
{
    uint32_t const count = t_fast ? 500u : 20000u;
    n_differ = n_cycles = 0;
    run_many(count, 24, 1, check_all);
    printf("# writes: %u graphs; values alone change %u of them; %u cyclic assignments\n",
        (unsigned)count, (unsigned)n_differ, (unsigned)n_cycles);
    (void)T_CHECK(n_differ > count / 20u);
}

static void test_fewest(void)
{
    run_many(t_fast ? 1000u : 20000u, 12, 2, check_plain);
}

void suite_oracle_writes(void)
{
    t_run("executed", test_executed);
    t_run("fewest", test_fewest);
}
