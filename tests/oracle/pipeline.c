/* gsp_stages_from_marks_run(), gsp_pipeline_run(), gsp_backward_run() and gsp_stage_devices_run()
 * against a slow model of a pipeline that works on texts; and the module they make, run, against
 * the graph. */
#include "tests/oracle/oracle.h"

#define MOST   64u /* nodes */
#define WIDEST 6u  /* references of a node */
#define NAME   48u

typedef enum pipe_op { INPUT, ATTRIBUTE, FUNCTION, MODULE, MARKER } pipe_op;

/* A graph in which every argument is a reference; the last row is what it returns. */
typedef struct pipe_net {
    uint32_t n;
    pipe_op op[MOST];
    char name[MOST][NAME];
    char target[MOST][NAME];
    char note[MOST][96]; /* annotation */
    char scope[MOST][NAME];
    uint32_t n_refs[MOST + 1u];
    uint32_t ref[MOST + 1u][WIDEST];
    int shape[MOST]; /* how arguments nest; 2 for a keyword `device` */
    int storage[MOST];
    int bare[MOST]; /* params=0 */
    int tuple;      /* it returns one */
} pipe_net;

typedef struct pipe_options {
    uint32_t n_points;
    char path[4][NAME];
    int end[4];
    int policy; /* stages at every third node */
    int transmit;
    char one[NAME]; /* a parameter with the other setting */
    int loss;       /* or -1 */
    uint32_t devices;
} pipe_options;

/* A list without repetition, in order of first meeting. */
typedef struct pipe_list {
    uint32_t n;
    uint32_t item[4u * MOST];
} pipe_list;

static int holds(const pipe_list *l, uint32_t item)
{
    uint32_t i;
    for (i = 0; i < l->n && l->item[i] != item; i++) {
    }
    return i < l->n;
}

static void meet(pipe_list *l, uint32_t item)
{
    if (!holds(l, item)) {
        l->item[l->n++] = item;
    }
}

static void drop(pipe_list *l, uint32_t item)
{
    uint32_t kept = 0;
    uint32_t i;
    for (i = 0; i < l->n; i++) {
        if (l->item[i] != item) {
            l->item[kept++] = l->item[i];
        }
    }
    l->n = kept;
}

static void format(char *out, const char *a, uint32_t number, const char *b)
{
    (void)snprintf(out, NAME, "%s%u%s", a, (unsigned)number, b);
}

/* ---- random graphs ---- */

static int is_call(const pipe_net *g, uint32_t v)
{
    return g->op[v] == FUNCTION || g->op[v] == MODULE;
}

static uint32_t pick(const pipe_net *g, t_rng *rng, uint32_t below)
{
    uint32_t v = t_below(rng, below);
    while (g->op[v] == MARKER) {
        v = t_below(rng, below);
    }
    return v;
}

static void random_node(pipe_net *g, t_rng *rng, uint32_t v)
{
    uint32_t die = t_below(rng, 20u);
    uint32_t block = t_below(rng, 3u);
    uint32_t i;
    g->op[v] = die < 4u ? ATTRIBUTE : die < 6u ? MARKER : die < 9u ? MODULE : FUNCTION;
    format(g->name[v], t_chance(rng, 3u) ? "getitem_" : "n", v, "");
    (void)snprintf(g->note[v], sizeof g->note[v], "f32[%u]", (unsigned)(2u + v % 3u));
    g->storage[v] = -1;
    g->n_refs[v] = g->op[v] == ATTRIBUTE || g->op[v] == MARKER ? 0u : 1u + t_below(rng, 3u);
    for (i = 0; i < g->n_refs[v]; i++) {
        g->ref[v][i] = pick(g, rng, v);
    }
    g->shape[v] = (int)t_below(rng, 4u);
    switch (g->op[v]) {
    case ATTRIBUTE:
        format(g->target[v], "layers.", t_below(rng, 6u), ".w");
        if (t_chance(rng, 40u)) {
            g->storage[v] = (int)t_below(rng, 3u);
            (void)snprintf(g->note[v], sizeof g->note[v], "f32[2] storage=%d", g->storage[v]);
        }
        break;
    case MARKER:
        (void)snprintf(g->target[v], NAME, "%s", GSP_STAGES_MARKER);
        break;
    case MODULE:
        format(g->target[v], "layers.", block, t_chance(rng, 50u) ? ".lin" : "");
        g->bare[v] = t_chance(rng, 30u);
        (void)snprintf(g->note[v], sizeof g->note[v], "f32[2] params=%u", g->bare[v] ? 0u : 8u);
        break;
    case INPUT:
    case FUNCTION:
    default:
        format(g->target[v], "f", t_below(rng, 3u), "");
        break;
    }
    if (is_call(g, v) && t_chance(rng, 60u)) {
        format(g->scope[v], "layers.", block, t_chance(rng, 50u) ? ".act" : "");
    }
}

static void random_net(pipe_net *g, t_rng *rng, uint32_t most)
{
    uint32_t i;
    memset(g, 0, sizeof *g);
    g->n = 3u + t_below(rng, most - 2u);
    for (i = 0; i < g->n; i++) {
        if (i < 2u) {
            g->op[i] = INPUT;
            format(g->name[i], t_chance(rng, 5u) ? "submod_" : "x", i, "");
            format(g->target[i], "x", i, "");
            (void)snprintf(g->note[i], sizeof g->note[i], "f32[2]");
        } else {
            random_node(g, rng, i);
        }
    }
    g->n_refs[g->n] = 1u + t_below(rng, 4u);
    g->tuple = g->n_refs[g->n] > 1u || t_chance(rng, 30u);
    for (i = 0; i < g->n_refs[g->n]; i++) {
        g->ref[g->n][i] = i == 0 && t_chance(rng, 70u) ? g->n - 1u : pick(g, rng, g->n);
        if (g->op[g->ref[g->n][i]] == MARKER) {
            g->ref[g->n][i] = 0;
        }
    }
}

static void random_options(pipe_options *o, t_rng *rng)
{
    uint32_t i;
    memset(o, 0, sizeof *o);
    o->policy = t_chance(rng, 20u);
    o->n_points = o->policy ? 0u : t_below(rng, 4u);
    for (i = 0; i < o->n_points; i++) {
        format(o->path[i], "layers.", t_below(rng, 3u), t_chance(rng, 30u) ? ".act" : "");
        if (t_chance(rng, 20u)) {
            (void)snprintf(o->path[i], NAME, "layers");
        }
        o->end[i] = t_chance(rng, 50u);
    }
    o->transmit = t_chance(rng, 50u);
    if (t_chance(rng, 30u)) {
        format(o->one, "layers.", t_below(rng, 6u), ".w");
    }
    o->loss = t_chance(rng, 60u) ? (int)t_below(rng, 4u) : -1;
    o->devices = t_chance(rng, 40u) ? 1u + t_below(rng, 2u) : 0u;
}

/* ---- text ---- */

/* Arguments in one of four shapes; `as` says what stands for a node, `device` for a device. */
static void put_args(
    const pipe_net *g, uint32_t v, const uint32_t *as, const char *device, t_string *s)
{
    uint32_t i;
    int nested = g->shape[v] == 1;
    t_puts(s, nested ? "(args = ([" : "(args = (");
    for (i = 0; i < g->n_refs[v]; i++) {
        t_puts(s, i != 0 ? ", %" : "%");
        t_puts(s, g->name[as[g->ref[v][i]]]);
    }
    t_puts(s, nested ? "], 1), kwargs = {" : i == 1 ? ",), kwargs = {" : "), kwargs = {");
    if (g->shape[v] == 2) {
        t_puts(s, "device: ");
        t_puts(s, device);
    } else if (g->shape[v] == 3 && i != 0) {
        t_puts(s, "other: [%");
        t_puts(s, g->name[as[g->ref[v][0]]]);
        t_puts(s, ", None]");
    }
    t_puts(s, "})");
}

static void put_node(
    const pipe_net *g, uint32_t v, const uint32_t *as, int flat, const char *device, t_string *s)
{
    static const char *const ops[] = {
        "placeholder", "get_attr", "call_function", "call_module", "call_function"};
    char target[NAME];
    uint32_t i;
    for (i = 0; i == 0 || target[i - 1u] != '\0'; i++) {
        target[i] = g->target[v][i] == '.' && flat && g->op[v] == MODULE ? '_' : g->target[v][i];
    }
    t_puts(s, "    %");
    t_puts(s, g->name[v]);
    t_puts(s, " : [num_users=0] = ");
    t_puts(s, ops[g->op[v]]);
    t_puts(s, "[target=");
    t_puts(s, target);
    t_puts(s, "]");
    if (is_call(g, v) || g->op[v] == MARKER) {
        put_args(g, v, as, device, s);
    }
}

static t_string net_text(const pipe_net *g)
{
    t_string s = {0};
    uint32_t self[MOST];
    uint32_t v;
    t_puts(&s, "graph():\n");
    for (v = 0; v < g->n; v++) {
        self[v] = v;
        put_node(g, v, self, 0, "cpu", &s);
        t_puts(&s, "  # ");
        t_puts(&s, g->note[v]);
        if (g->scope[v][0] != '\0') {
            t_puts(&s, " scope=");
            t_puts(&s, g->scope[v]);
        }
        t_puts(&s, "\n");
    }
    t_puts(&s, g->tuple ? "    return (" : "    return ");
    for (v = 0; v < g->n_refs[g->n]; v++) {
        t_puts(&s, v != 0 ? ", " : "");
        t_puts(&s, g->name[g->ref[g->n][v]]);
    }
    t_puts(&s, !g->tuple ? "\n" : v == 1 ? ",)\n" : ")\n");
    return s;
}

/* ---- the model ---- */

typedef struct pipe_model {
    const pipe_net *g;
    const pipe_options *o;
    uint32_t kept[MOST];
    int stage[MOST];
    uint32_t n_stages;
    pipe_list in[MOST];
    pipe_list out[MOST];
    pipe_list own[MOST];        /* attributes */
    pipe_list readers[MOST];    /* stages, by attribute */
    char root[4u * MOST][NAME]; /* names in the root */
    uint32_t n_root;
    char call[MOST][NAME];  /* by stage */
    char value[MOST][NAME]; /* name in the root of a value */
    char grad[MOST][NAME];  /* "": none */
    int live[MOST];
} pipe_model;

static int is_under(const pipe_net *g, uint32_t v, const char *path)
{
    const char *at = g->scope[v][0] != '\0' ? g->scope[v] : g->op[v] == MODULE ? g->target[v] : "";
    size_t n = strlen(path);
    return strncmp(at, path, n) == 0 && (at[n] == '\0' || at[n] == '.');
}

/* Cuts of one entry of the split spec. Returns 0 if no node stands under its path. */
static int cut_at(
    const pipe_net *g, const uint32_t *calls, uint32_t n, const char *path, int end, int *cut)
{
    int hits = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        int whole = g->op[calls[i]] == MODULE && strcmp(g->target[calls[i]], path) == 0;
        int before = i > 0 && is_under(g, calls[i - 1u], path);
        int after = i + 1u < n && is_under(g, calls[i + 1u], path);
        int whole_before =
            i > 0 && g->op[calls[i - 1u]] == MODULE && strcmp(g->target[calls[i - 1u]], path) == 0;
        int whole_after = i + 1u < n && g->op[calls[i + 1u]] == MODULE &&
                          strcmp(g->target[calls[i + 1u]], path) == 0;
        if (is_under(g, calls[i], path)) {
            hits++;
            cut[i] |= !end && (!before || whole || whole_before);
            cut[i + 1u] |= end && (!after || whole || whole_after);
        }
    }
    return hits != 0;
}

/* Stages of all nodes. Returns an entry that names nothing, or n_points. */
static uint32_t model_cuts(pipe_model *m)
{
    const pipe_net *g = m->g;
    uint32_t calls[MOST];
    int cut[MOST + 1u] = {0};
    uint32_t n = 0;
    uint32_t v;
    uint32_t i;
    for (v = 0; v < g->n; v++) {
        m->stage[v] = -1;
        if (g->op[v] == MARKER && !m->o->policy) {
            cut[n] = 1;
        } else if (is_call(g, v)) {
            calls[n] = v;
            cut[n] |= m->o->policy && v % 3u == 0;
            n++;
        }
    }
    for (i = 0; i < m->o->n_points; i++) {
        if (!cut_at(g, calls, n, m->o->path[i], m->o->end[i], cut)) {
            return i;
        }
    }
    m->n_stages = n > 0 ? 1u : 0u;
    for (i = 0; i < n; i++) {
        m->n_stages += cut[i] && i > 0 ? 1u : 0u;
        m->stage[calls[i]] = (int)m->n_stages - 1;
    }
    return m->o->n_points;
}

static int is_transmitted(const pipe_model *m, uint32_t attr)
{
    int other = strcmp(m->o->one, m->g->target[attr]) == 0;
    return m->readers[attr].n > 1u && (other ? !m->o->transmit : m->o->transmit);
}

/* Who passes what to whom, as split_module finds it; then attributes move. */
static void model_rows(pipe_model *m)
{
    const pipe_net *g = m->g;
    uint32_t v;
    uint32_t i;
    for (v = 0; v < g->n; v++) {
        m->kept[v] = v;
        for (i = v; g->op[v] == ATTRIBUTE && i > 0; i--) {
            if (g->op[i - 1u] == ATTRIBUTE && strcmp(g->target[i - 1u], g->target[v]) == 0) {
                m->kept[v] = i - 1u;
            }
        }
    }
    for (v = 0; v <= g->n; v++) {
        for (i = 0; i < g->n_refs[v] && (v == g->n || m->stage[v] >= 0); i++) {
            uint32_t u = m->kept[g->ref[v][i]];
            int to = v == g->n ? -1 : m->stage[v];
            if (m->stage[u] >= 0 && m->stage[u] != to) {
                meet(&m->out[m->stage[u]], u);
            }
            if (to >= 0 && m->stage[u] != to) {
                meet(&m->in[to], u);
                if (g->op[u] == ATTRIBUTE) {
                    meet(&m->readers[u], (uint32_t)to);
                }
            }
        }
    }
    for (v = 0; v < g->n; v++) {
        int hand = is_transmitted(m, v);
        for (i = 0; i < m->readers[v].n && (i == 0 || !hand); i++) {
            meet(&m->own[m->readers[v].item[i]], v);
            drop(&m->in[m->readers[v].item[i]], v);
        }
    }
    for (v = 0; v < g->n; v++) {
        if (is_transmitted(m, v)) {
            meet(&m->out[m->readers[v].item[0]], v);
        }
    }
}

/* A free name in the root, as PyTorch makes them. */
static const char *fresh(pipe_model *m, const char *wanted)
{
    char base[NAME];
    unsigned number = 0;
    char *name = m->root[m->n_root];
    char *bar;
    uint32_t i;
    (void)snprintf(base, NAME, "%s", wanted);
    (void)snprintf(name, NAME, "%s", wanted);
    bar = strrchr(base, '_');
    if (bar != NULL && bar != base && bar[1] != '\0' &&
        strspn(bar + 1, "0123456789") == strlen(bar + 1)) {
        number = (unsigned)strtoul(bar + 1, NULL, 10);
        *bar = '\0';
    }
    for (i = 0; i < m->n_root;) {
        if (strcmp(m->root[i], name) == 0) {
            (void)snprintf(name, NAME, "%.29s_%u", base, ++number);
            i = 0;
        } else {
            i++;
        }
    }
    return m->root[m->n_root++];
}

static void put_line(t_string *s, const char *name, const char *op, const char *target)
{
    t_puts(s, "    %");
    t_puts(s, name);
    t_puts(s, " : [num_users=0] = ");
    t_puts(s, op);
    t_puts(s, "[target=");
    t_puts(s, target);
    t_puts(s, "]");
}

static void put_getitem(t_string *s, const char *name, const char *of, uint32_t i)
{
    put_line(s, name, "call_function", "operator.getitem");
    t_puts(s, "(args = (%");
    t_puts(s, of);
    t_puts(s, ", ");
    t_number(s, i);
    t_puts(s, "), kwargs = {})\n");
}

static void put_row(t_string *s, const char *open, const pipe_list *row, char (*name)[NAME],
    const char *none, const char *close)
{
    uint32_t i;
    t_puts(s, open);
    for (i = 0; i < row->n; i++) {
        const char *what = name[row->item[i]];
        t_puts(s, i != 0 ? ", " : "");
        t_puts(s, what[0] != '\0' ? "%" : "");
        t_puts(s, what[0] != '\0' ? what : none);
    }
    t_puts(s, i == 1 && close[0] == ')' ? "," : "");
    t_puts(s, close);
}

static void model_backward_stage(pipe_model *m, uint32_t k, t_string *s)
{
    const char *call = fresh(m, "stage_backward");
    const char *comma = "";
    uint32_t i;
    put_line(s, call, "call_function", GSP_BACKWARD_STAGE);
    t_puts(s, "(args = (), kwargs = {");
    put_row(s, "stage_output: (", &m->out[k], m->value, "", ")");
    put_row(s, ", output_grads: (", &m->out[k], m->grad, "None", ")");
    put_row(s, ", input_values: [", &m->in[k], m->value, "", "]");
    t_puts(s, ", outputs_with_grads_idxs: [");
    for (i = 0; i < m->out[k].n; i++) {
        if (m->live[m->out[k].item[i]]) {
            t_puts(s, comma);
            t_number(s, i);
            comma = ", ";
        }
    }
    t_puts(s, "]})\n");
    for (i = 0; i < m->in[k].n; i++) {
        uint32_t u = m->in[k].item[i];
        const char *grad = fresh(m, "getitem");
        put_getitem(s, grad, call, i);
        if (m->grad[u][0] != '\0' && m->g->op[u] != INPUT) {
            const char *sum = fresh(m, "_null_coalesce_accumulate");
            put_line(s, sum, "call_function", GSP_BACKWARD_ADD);
            t_puts(s, "(args = (%");
            t_puts(s, m->grad[u]);
            t_puts(s, ", %");
            t_puts(s, grad);
            t_puts(s, "), kwargs = {})\n");
            grad = sum;
        }
        (void)snprintf(m->grad[u], NAME, "%s", grad);
        m->live[u] = 1;
    }
}

static void model_backward(pipe_model *m, t_string *s)
{
    uint32_t k;
    uint32_t i;
    m->live[m->kept[m->g->ref[m->g->n][m->o->loss]]] = 1;
    for (k = m->n_stages; k > 0; k--) {
        for (i = 0; i < m->out[k - 1u].n; i++) {
            if (m->live[m->out[k - 1u].item[i]]) {
                model_backward_stage(m, k - 1u, s);
                break;
            }
        }
    }
}

static void model_root(pipe_model *m, t_string *s)
{
    const pipe_net *g = m->g;
    char name[NAME];
    uint32_t v;
    uint32_t k;
    uint32_t i;
    t_puts(s, "module main\ngraph():\n");
    for (v = 0; v < g->n; v++) {
        int stays = g->op[v] == INPUT;
        for (i = 0; i < g->n_refs[g->n]; i++) {
            stays |=
                g->op[v] == ATTRIBUTE && m->kept[g->ref[g->n][i]] == v && !is_transmitted(m, v);
        }
        (void)snprintf(m->value[v], NAME, "%s", g->name[v]);
        if (stays) {
            (void)snprintf(m->root[m->n_root++], NAME, "%s", g->name[v]);
            put_node(g, v, m->kept, 0, "", s);
            t_puts(s, "\n");
        }
    }
    for (k = 0; k < m->n_stages; k++) {
        format(name, "submod_", k, "");
        (void)snprintf(m->call[k], NAME, "%s", fresh(m, name));
        put_line(s, m->call[k], "call_module", name);
        put_row(s, "(args = (", &m->in[k], m->value, "", ")");
        t_puts(s, ", kwargs = {})\n");
        for (i = 0; i < m->out[k].n; i++) {
            char *value = m->value[m->out[k].item[i]];
            if (m->out[k].n == 1u) {
                (void)snprintf(value, NAME, "%s", m->call[k]);
            } else {
                (void)snprintf(value, NAME, "%s", fresh(m, "getitem"));
                put_getitem(s, value, m->call[k], i);
            }
        }
    }
    if (m->o->loss >= 0) {
        model_backward(m, s);
    }
    t_puts(s, g->tuple ? "    return (" : "    return ");
    for (i = 0; i < g->n_refs[g->n]; i++) {
        t_puts(s, i != 0 ? ", " : "");
        t_puts(s, m->value[m->kept[g->ref[g->n][i]]]);
    }
    t_puts(s, !g->tuple ? "\n" : i == 1 ? ",)\n" : ")\n");
}

static void model_stage(pipe_model *m, uint32_t k, t_string *s)
{
    const pipe_net *g = m->g;
    uint32_t v;
    uint32_t i;
    t_puts(s, "module submod_");
    t_number(s, k);
    t_puts(s, "\ngraph():\n");
    for (i = 0; i < m->in[k].n; i++) {
        put_line(s, g->name[m->in[k].item[i]], "placeholder", g->name[m->in[k].item[i]]);
        t_puts(s, "\n");
    }
    for (i = 0; i < m->own[k].n; i++) {
        put_node(g, m->own[k].item[i], m->kept, 0, "", s);
        t_puts(s, "\n");
    }
    for (v = 0; v < g->n; v++) {
        if (m->stage[v] == (int)k) {
            int moved = k < m->o->devices && g->op[v] == FUNCTION;
            put_node(g, v, m->kept, 1, moved ? (k == 0 ? "cuda:1" : "cuda:2") : "cpu", s);
            t_puts(s, "\n");
        }
    }
    t_puts(s, m->out[k].n == 1u ? "    return " : "    return (");
    for (i = 0; i < m->out[k].n; i++) {
        t_puts(s, i != 0 ? ", " : "");
        t_puts(s, g->name[m->out[k].item[i]]);
    }
    t_puts(s, m->out[k].n == 1u ? "\n" : ")\n");
}

static void put_stages(
    t_string *s, const char *what, const char *target, const uint32_t *stages, uint32_t n)
{
    uint32_t i;
    t_puts(s, what);
    t_puts(s, target);
    t_puts(s, " :");
    for (i = 0; i < n; i++) {
        t_puts(s, " ");
        t_number(s, stages[i]);
    }
    t_puts(s, "\n");
}

/* The first attribute in the storage of one, among those that stages hold. */
static uint32_t home_of(const pipe_model *m, uint32_t attr)
{
    uint32_t v;
    for (v = 0; v < attr; v++) {
        if (m->g->op[v] == ATTRIBUTE && m->kept[v] == v && m->readers[v].n > 0 &&
            m->g->storage[v] >= 0 && m->g->storage[v] == m->g->storage[attr]) {
            return v;
        }
    }
    return attr;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* What is held where. */
static void model_tell(const pipe_model *m, t_string *s)
{
    const pipe_net *g = m->g;
    uint32_t v;
    uint32_t u;
    uint32_t i;
    for (v = 0; v < g->n; v++) {
        if (m->readers[v].n > 0) {
            put_stages(s, "param ", g->target[v], m->readers[v].item,
                is_transmitted(m, v) ? 1u : m->readers[v].n);
        }
    }
    for (v = 0; v < g->n; v++) {
        if (m->readers[v].n > 0 && home_of(m, v) != v) {
            t_puts(s, "alias ");
            t_puts(s, g->target[v]);
            t_puts(s, " = ");
            t_puts(s, g->target[home_of(m, v)]);
            t_puts(s, "\n");
        }
    }
    for (v = 0; v < g->n; v++) {
        pipe_list all = {0};
        for (u = v; u < g->n && m->readers[v].n > 0 && home_of(m, v) == v; u++) {
            for (i = 0; i < m->readers[u].n && home_of(m, u) == v; i++) {
                if (i == 0 || !is_transmitted(m, u)) {
                    meet(&all, m->readers[u].item[i]);
                }
            }
        }
        qsort(all.item, all.n, sizeof all.item[0], by_number);
        if (all.n > 1u) {
            put_stages(s, "replicated ", g->target[v], all.item, all.n);
        }
    }
    for (v = 0; v < g->n; v++) {
        pipe_list all = {0};
        int first = g->op[v] == MODULE;
        for (u = 0; u < g->n; u++) {
            if (g->op[u] == MODULE && strcmp(g->target[u], g->target[v]) == 0) {
                first &= u >= v;
                meet(&all, (uint32_t)m->stage[u]);
            }
        }
        if (first && all.n > 1u && !g->bare[v]) {
            put_stages(s, "replicated-module ", g->target[v], all.item, all.n);
        }
    }
}

/* ---- the library ---- */

typedef struct pipe_run {
    gsp_arena arena;
    gsp_module input;
    gsp_pipeline_result made;
    gsp_module module;
    gsp_error err;
} pipe_run;

static int every_third(void *user, const gsp_graph *graph, gsp_node node)
{
    (void)user;
    (void)graph;
    return node % 3u == 0;
}

static int has_target(const pipe_net *g, const char *target)
{
    uint32_t v;
    for (v = 0; v < g->n && (g->op[v] != ATTRIBUTE || strcmp(g->target[v], target) != 0); v++) {
    }
    return v < g->n;
}

static gsp_status run_library(pipe_run *r, const pipe_net *g, const pipe_options *o)
{
    gsp_graph graph = gsp_module_graph(&r->input, 0);
    gsp_split_point points[4];
    gsp_stage_param_use use;
    gsp_stage_device devices[2] = {{0, {"cuda:1", 6}}, {1, {"cuda:2", 6}}};
    gsp_stages_from_marks_desc marks = {0};
    gsp_pipeline_desc desc = {0};
    gsp_backward_desc loss = {0};
    gsp_stage_devices_desc move = {0};
    gsp_stages_from_marks_result cut;
    gsp_backward_result back;
    gsp_status status;
    uint32_t i;
    for (i = 0; i < o->n_points; i++) {
        points[i].path = gsp_str_of(o->path[i]);
        points[i].point =
            o->end[i] ? (uint32_t)GSP_SPLIT_POINT_END : (uint32_t)GSP_SPLIT_POINT_BEGINNING;
    }
    marks.points = points;
    marks.n_points = o->n_points;
    marks.policy = o->policy ? every_third : NULL;
    status = gsp_stages_from_marks_run(&r->arena, &graph, &marks, &cut, &r->err);
    if (status != GSP_OK) {
        return status;
    }
    use.target = gsp_str_of(o->one);
    use.multi_use =
        o->transmit ? (uint32_t)GSP_MULTI_USE_REPLICATE : (uint32_t)GSP_MULTI_USE_TRANSMIT;
    desc.params.stage_of = cut.stage_of;
    desc.params.multi_use = (uint32_t)o->transmit;
    desc.params.uses = &use;
    desc.params.n_uses = o->one[0] != '\0' && has_target(g, o->one) ? 1u : 0u;
    status = gsp_pipeline_run(&r->arena, &graph, &desc, &r->made, &r->err);
    r->module = r->made.module;
    if (status == GSP_OK && o->loss >= 0) {
        loss.output = (uint32_t)o->loss;
        status = gsp_backward_run(&r->arena, &r->made, &loss, &back, &r->err);
        r->module = back.module;
    }
    if (status == GSP_OK && o->devices != 0) {
        gsp_module moved = r->module;
        move.n_stages = r->made.n_stages;
        move.devices = devices;
        move.n_devices = o->devices < move.n_stages ? o->devices : move.n_stages;
        status = gsp_stage_devices_run(&r->arena, &r->module, &move, &moved, &r->err);
        r->module = moved;
    }
    return status;
}

static void library_tell(const pipe_run *r, t_string *s)
{
    const gsp_stage_params_result *h = &r->made.params;
    uint32_t i;
    char name[NAME];
    for (i = 0; i < h->n_params; i++) {
        gsp_str t = gsp_module_str(&r->module, h->params[i].target);
        (void)snprintf(name, NAME, "%.*s", (int)t.size, t.data);
        put_stages(
            s, "param ", name, h->held + h->params[i].begin, h->params[i].end - h->params[i].begin);
    }
    for (i = 0; i < h->n_params; i++) {
        if (h->params[i].first != i) {
            gsp_str t = gsp_module_str(&r->module, h->params[i].target);
            gsp_str first = gsp_module_str(&r->module, h->params[h->params[i].first].target);
            t_puts(s, "alias ");
            t_add(s, t.data, t.size);
            t_puts(s, " = ");
            t_add(s, first.data, first.size);
            t_puts(s, "\n");
        }
    }
    for (i = 0; i < h->n_replicated + h->n_shared; i++) {
        const gsp_stage_param_copy *c =
            i < h->n_replicated ? &h->replicated[i] : &h->shared[i - h->n_replicated];
        gsp_str t = gsp_module_str(&r->module, c->target);
        (void)snprintf(name, NAME, "%.*s", (int)t.size, t.data);
        put_stages(s, i < h->n_replicated ? "replicated " : "replicated-module ", name,
            h->held + c->begin, c->end - c->begin);
    }
}

/* ---- the tests ---- */

static gsp_text_desc bare_desc(void)
{
    gsp_text_desc d = {0};
    d.no_annotations = 1;
    d.hoist = 1;
    d.as_module = 1;
    return d;
}

/* The model's text, read and printed, so that users are counted. */
static t_string model_text(pipe_model *m)
{
    gsp_text_desc desc = bare_desc();
    t_string s = {0};
    t_string printed = {0};
    gsp_arena arena;
    gsp_module module;
    uint32_t k;
    model_root(m, &s);
    for (k = 0; k < m->n_stages; k++) {
        model_stage(m, k, &s);
    }
    if (t_must_read(&arena, s.data, &module)) {
        printed = t_print(&module, &desc);
        t_arena_close(&arena);
    } else {
        fprintf(stderr, "%s\n", s.data);
    }
    t_free(&s);
    return printed;
}

static int same_text(const t_string *a, const t_string *b, const t_string *input)
{
    if (a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0)) {
        return 1;
    }
    fprintf(stderr, "input:\n%s\nmodel:\n%s\nlibrary:\n%s\n", input->data,
        a->data != NULL ? a->data : "", b->data != NULL ? b->data : "");
    return 0;
}

static void check_one(const pipe_net *g, const pipe_options *o, pipe_model *m)
{
    gsp_text_desc desc = bare_desc();
    t_string text = net_text(g);
    t_string found = {0};
    t_string wanted = {0};
    t_string told = {0};
    gsp_arena arena;
    pipe_run r;
    gsp_status status;
    uint32_t missing;
    memset(m, 0, sizeof *m);
    m->g = g;
    m->o = o;
    if (!t_must_read(&arena, text.data, &r.input)) {
        t_free(&text);
        return;
    }
    t_arena_open(&r.arena, (size_t)1 << 22);
    missing = model_cuts(m);
    status = run_library(&r, g, o);
    if (missing < o->n_points) {
        T_EQUAL(status, GSP_STATUS_ARG);
        T_EQUAL(r.err.node, missing);
    } else if (T_CHECK(status == GSP_OK)) {
        model_rows(m);
        model_tell(m, &wanted);
        library_tell(&r, &told);
        T_CHECK(same_text(&wanted, &told, &text));
        t_free(&wanted);
        wanted = model_text(m);
        found = t_print(&r.module, &desc);
        T_CHECK(same_text(&wanted, &found, &text));
        T_CHECK(oracle_run_equal(&r.input, &r.module, "device"));
    }
    t_free(&wanted);
    t_free(&found);
    t_free(&told);
    t_free(&text);
    t_arena_close(&r.arena);
    t_arena_close(&arena);
}

static void test_model(void)
{
    t_rng rng = {t_seed};
    uint32_t runs = t_fast ? 300u : 6000u;
    pipe_net *g = (pipe_net *)t_alloc(sizeof *g);
    pipe_model *m = (pipe_model *)t_alloc(sizeof *m);
    uint32_t i;
    for (i = 0; i < runs && !t_failed(); i++) {
        pipe_options o;
        random_net(g, &rng, i % 3u == 0 ? 10u : 40u);
        random_options(&o, &rng);
        if (o.loss >= (int)g->n_refs[g->n]) {
            o.loss = 0;
        }
        check_one(g, &o, m);
    }
    free(g);
    free(m);
}

void suite_oracle_pipeline(void)
{
    t_run("model", test_model);
}
