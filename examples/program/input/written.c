/* Writes that a graph text does not state. print(gm.graph) leaves out what a call writes, but its
 * name tells: mul_, setitem, iadd, inplace=True, out=. Views matter only where they show memory
 * that such a call writes. */
#include "input/input.h"

#include <inttypes.h>
#include <string.h>

/* Nodes and constants of the arguments, at their flattened positions. */
typedef struct leaves {
    const gsp_arg *args;
    uint32_t n;
    uint32_t token;    /* next token */
    uint32_t depth;    /* open containers */
    uint32_t position; /* of the leaf */
    uint32_t argument; /* of the call, that holds the leaf */
    gsp_atom key;      /* of that argument; GSP_KEY_NONE for a positional one */
    gsp_arg leaf;
} leaves;

static leaves leaves_of(const gsp_graph *g, gsp_node v)
{
    leaves w;
    memset(&w, 0, sizeof w);
    w.args = gsp_node_args(g, v, &w.n);
    w.position = w.argument = UINT32_MAX;
    return w;
}

static int next_leaf(leaves *w)
{
    while (w->token < w->n) {
        gsp_arg const a = w->args[w->token++];
        int const is_leaf = a.kind == GSP_ARG_NODE || a.kind == GSP_ARG_CONSTANT;
        if (a.kind == GSP_ARG_KEY) {
            w->key = w->depth == 0 ? a.value : w->key;
            continue;
        }
        w->argument += w->depth == 0 ? 1u : 0u;
        w->depth += is_leaf ? 0u : a.kind == GSP_ARG_CLOSE ? UINT32_MAX : 1u;
        if (is_leaf) {
            w->position++;
            w->leaf = a;
            return 1;
        }
    }
    return 0;
}

/* ---- names ---- */

static int is_one_of(gsp_str word, const char *const *words, size_t n)
{
    size_t i = 0;
    while (i < n && word.size != 0 &&
           (words[i][0] != word.data[0] || !gsp_str_equal(word, gsp_str_of(words[i])))) {
        i++;
    }
    return i < n && word.size != 0;
}

static int begins(gsp_str text, const char *with)
{
    size_t const n = strlen(with);
    return text.size >= n && memcmp(text.data, with, n) == 0;
}

static gsp_str without(gsp_str text, uint32_t n_front, uint32_t n_back)
{
    gsp_str const rest = {text.data + n_front, text.size - n_front - n_back};
    return rest;
}

/* The last word of a target, without the overload of torch.ops.LIBRARY.NAME.OVERLOAD. */
static gsp_str word_of(gsp_str target, gsp_str *overload)
{
    int const is_op = begins(target, "torch.ops.");
    uint32_t end = target.size;
    uint32_t i;
    *overload = gsp_str_of("");
    for (i = 10; is_op && i < target.size && target.data[i] != '.'; i++) {
    }
    for (i++; is_op && i < target.size && end == target.size; i++) {
        end = target.data[i] == '.' ? i : end;
    }
    if (end < target.size) {
        *overload = without(target, end + 1u, 0);
    }
    for (i = end; i > 0 && target.data[i - 1u] != '.'; i--) {
    }
    return without(target, i, target.size - end);
}

static int is_operator(gsp_str word)
{
    static const char *const words[] = {"setitem", "delitem", "iadd", "iand", "iconcat",
        "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow", "irshift", "isub",
        "itruediv", "ixor"};
    return is_one_of(word, words, CLI_COUNT(words));
}

/* 1 for mul_ and __iadd__, and for operator.iadd. */
static int is_in_place(const gsp_graph *g, gsp_node v, gsp_str word)
{
    gsp_str const target = gsp_node_target(g, v);
    if (word.size > 4u && begins(word, "__")) {
        return is_operator(without(word, 2, 2));
    }
    if (begins(target, "operator.") || begins(target, "_operator.")) {
        return is_operator(word);
    }
    return gsp_str_equal(target, gsp_str_of("builtins.setattr")) ||
           (word.size > 1u && word.data[word.size - 1u] == '_' && word.data[word.size - 2u] != '_');
}

/* 1 for a call that writes and yields nothing. */
static int yields_nothing(gsp_str word)
{
    static const char *const words[] = {
        "setitem", "delitem", "setattr", "__setitem__", "__delitem__"};
    return is_one_of(word, words, CLI_COUNT(words));
}

/* The positional argument `inplace` of a function of torch.nn.functional; 0 if it has none. */
static uint32_t flag_of(const gsp_graph *g, gsp_node v, gsp_str word)
{
    static const char *const words[] = {" relu relu6 selu silu mish hardswish hardsigmoid ",
        " elu celu leaky_relu ",
        (" hardtanh threshold dropout dropout1d dropout2d dropout3d alpha_dropout "
         "feature_alpha_dropout "),
        " rrelu "};
    uint32_t i;
    for (i = 0; i < CLI_COUNT(words) && begins(gsp_node_target(g, v), "torch.nn.functional.");
         i++) {
        const char *at = words[i];
        while ((at = strchr(at, ' ')) != NULL && at[1] != '\0') {
            at++;
            if (strncmp(at, word.data, word.size) == 0 && at[word.size] == ' ') {
                return i + 1u;
            }
        }
    }
    return 0;
}

/* 1 if the call has inplace=True, by keyword or position. */
static int has_flag(const gsp_graph *g, gsp_node v, gsp_str word)
{
    uint32_t const flag = flag_of(g, v, word);
    leaves w = leaves_of(g, v);
    while (next_leaf(&w)) {
        if (w.leaf.kind == GSP_ARG_CONSTANT &&
            gsp_str_equal(gsp_module_str(g->module, w.leaf.value), gsp_str_of("True")) &&
            (w.key == GSP_KEY_NONE
                    ? flag != 0 && w.argument == flag
                    : gsp_str_equal(gsp_module_str(g->module, w.key), gsp_str_of("inplace")))) {
            return 1;
        }
    }
    return 0;
}

/* 1 for a keyword argument that receives a result: out, out0, or any of an overload such as out. */
static int is_out(const gsp_graph *g, gsp_atom key, gsp_str overload)
{
    static const char *const overloads[] = {
        "out", "values", "dim_values", "dim_max", "dim_min", "values_stable"};
    gsp_str const word = gsp_module_str(g->module, key);
    uint32_t i = 3;
    if (is_one_of(overload, overloads, CLI_COUNT(overloads)) ||
        (overload.size > 4u && memcmp(overload.data + overload.size - 4u, "_out", 4u) == 0)) {
        return key != GSP_KEY_NONE;
    }
    while (i < word.size && word.data[i] >= '0' && word.data[i] <= '9') {
        i++;
    }
    return begins(word, "out") && i == word.size;
}

/* 1 for two TYPEs that are known to differ in dtype. */
static int is_converted(gsp_str a, gsp_str b)
{
    uint32_t at[2] = {0, 0};
    gsp_str dtype[2];
    gsp_str dims;
    return gsp_type_next(a, &at[0], &dtype[0], &dims) &&
           gsp_type_next(b, &at[1], &dtype[1], &dims) && !gsp_str_equal(dtype[0], dtype[1]);
}

/* 1 for a call whose result shares the memory of argument `u`, or may share it. An element of an
 * aggregate with a TYPE has memory of its own in the library. */
static int is_view(const gsp_graph *g, gsp_node v, gsp_node u, gsp_str word)
{
    static const char *const words[] = {"getitem", "__getitem__", "view", "view_as", "reshape",
        "reshape_as", "_unsafe_view", "_reshape_alias", "flatten", "unflatten", "ravel",
        "transpose", "permute", "t", "swapaxes", "swapdims", "movedim", "moveaxis", "adjoint",
        "squeeze", "unsqueeze", "expand", "expand_as", "broadcast_to", "narrow", "select", "slice",
        "unbind", "split", "split_with_sizes", "chunk", "tensor_split", "hsplit", "vsplit",
        "dsplit", "unfold", "diagonal", "as_strided", "detach", "alias", "real", "imag",
        "view_as_real", "view_as_complex", "conj", "resolve_conj", "resolve_neg", "contiguous",
        "lift_fresh", "positive", "dropout"};
    static const char *const conversions[] = {
        "to", "float", "double", "half", "bfloat16", "type", "type_as", "cpu", "cuda"};
    static const char *const classes[] = {"Identity", "Flatten", "Unflatten", "Dropout",
        "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"};
    static const char *const fields[] = {
        "'data'", "'T'", "'mT'", "'H'", "'mH'", "'real'", "'imag'"};
    gsp_str overload;
    if (gsp_node_op(g, v) == GSP_OP_CALL_MODULE) {
        return is_one_of(word_of(gsp_node_class(g, v), &overload), classes, CLI_COUNT(classes));
    }
    if (gsp_str_equal(word, gsp_str_of("getattr"))) {
        uint32_t const i = gsp_node_leaf(g, v, 1);
        gsp_arg const a = gsp_node_args(g, v, &overload.size)[i == GSP_NONE ? 0 : i];
        return a.kind == GSP_ARG_CONSTANT &&
               is_one_of(gsp_module_str(g->module, a.value), fields, CLI_COUNT(fields));
    }
    if (is_one_of(word, conversions, CLI_COUNT(conversions))) {
        return !is_converted(gsp_node_type(g, v), gsp_node_type(g, u));
    }
    return is_one_of(word, words, CLI_COUNT(words)) &&
           (words[0][0] != word.data[0] ||
               gsp_type_container(gsp_node_type(g, u), NULL) == GSP_ARG_NONE);
}

/* ---- what a call writes, and what it yields ---- */

/* 1 for a value that nothing can write. */
static int is_scalar(const gsp_graph *g, gsp_node v)
{
    static const char *const types[] = {"int", "float", "bool", "str"};
    return is_one_of(gsp_node_type(g, v), types, CLI_COUNT(types));
}

/* Visits the arguments that a call writes, by its name. */
static int next_written(const gsp_graph *g, gsp_node v, leaves *w)
{
    gsp_str overload;
    gsp_str const word = word_of(gsp_node_target(g, v), &overload);
    int of_first;
    if (!gsp_node_is_callable(g, v) || gsp_node_op(g, v) == GSP_OP_CALL_MODULE ||
        gsp_node_attr(g, v, GSP_KEY_MUTATES).data != NULL) {
        return 0;
    }
    of_first = is_in_place(g, v, word) || has_flag(g, v, word);
    while (next_leaf(w)) {
        if (w->leaf.kind == GSP_ARG_NODE && !is_scalar(g, w->leaf.value) &&
            ((of_first && (w->argument == 0 || begins(word, "_fused_"))) ||
                is_out(g, w->key, overload))) {
            return 1;
        }
    }
    return 0;
}

/* The flattened position of the argument whose memory a call yields; *u gets its node. GSP_NONE if
 * alias= or nothing says so. */
static uint32_t find_alias(const gsp_graph *g, gsp_node v, gsp_node *u)
{
    gsp_str overload;
    gsp_str const word = word_of(gsp_node_target(g, v), &overload);
    leaves w = leaves_of(g, v);
    if (!gsp_node_is_callable(g, v) || gsp_node_attr(g, v, GSP_KEY_ALIAS).data != NULL) {
        return GSP_NONE;
    }
    if (next_written(g, v, &w)) {
        leaves const first = w;
        *u = first.leaf.value;
        return yields_nothing(word) || next_written(g, v, &w) ? GSP_NONE : first.position;
    }
    w = leaves_of(g, v);
    if (!next_leaf(&w) || w.leaf.kind != GSP_ARG_NODE || !is_view(g, v, w.leaf.value, word)) {
        return GSP_NONE;
    }
    *u = w.leaf.value;
    return 0;
}

/* ---- positions that the text states ---- */

/* Reports a position of mutates= or alias= without a node. */
static int refuse(cli_session *s, const gsp_graph *g, gsp_node v, gsp_key key, gsp_str word,
    const gsp_arg *constant, uint32_t n)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    cli_puts(&b, "%");
    cli_put_clipped(&b, gsp_node_name(g, v), 60u);
    cli_puts(&b, key == GSP_KEY_ALIAS ? ": alias=" : ": mutates=");
    cli_put_clipped(&b, gsp_node_attr(g, v, key), 60u);
    if (constant != NULL) {
        cli_puts(&b, " names the constant ");
        cli_put_clipped(&b, gsp_module_str(g->module, constant->value), 60u);
        cli_puts(&b, " (argument ");
        cli_put_clipped(&b, word, 60u);
        cli_puts(&b, "), which is no node");
    } else {
        cli_puts(&b, ": there is no argument '");
        cli_put_clipped(&b, word, 60u);
        cli_printf(&b, "'; the call has %" PRIu32 ", counted from 0", n);
    }
    cli_put(&b, "", 1u);
    return cli_error(s, GSP_STATUS_ARG, "%s", b.data);
}

/* Every position of a list is that of a node; `leaf` has room for all leaves of a call. */
static int check_list(cli_session *s, const gsp_graph *g, gsp_node v, gsp_key key, gsp_arg *leaf)
{
    gsp_str const list = gsp_node_attr(g, v, key);
    leaves w = leaves_of(g, v);
    uint32_t n = 0;
    uint32_t i;
    if (list.data == NULL || (list.size == 0 && key == GSP_KEY_MUTATES)) {
        return CLI_EXIT_OK;
    }
    while (next_leaf(&w)) {
        leaf[n++] = w.leaf;
    }
    for (i = 0; i <= list.size; i++) {
        gsp_str word = without(list, i, 0);
        uint64_t at;
        while (i < list.size && (list.data[i] != ',' || key == GSP_KEY_ALIAS)) {
            i++;
        }
        word.size = (uint32_t)(list.data + i - word.data);
        if (!gsp_str_number(word, &at) || at >= n) {
            return refuse(s, g, v, key, word, NULL, n);
        }
        if (leaf[at].kind != GSP_ARG_NODE) {
            return refuse(s, g, v, key, word, &leaf[at], n);
        }
    }
    return CLI_EXIT_OK;
}

int cli_written_check(cli_session *s)
{
    const gsp_module *m = &s->module;
    gsp_arg *leaf = (gsp_arg *)cli_alloc(s, m->counts.args, sizeof *leaf);
    int code = CLI_EXIT_OK;
    uint32_t i;
    gsp_node v;
    for (i = 0; i < m->counts.graphs && code == CLI_EXIT_OK; i++) {
        gsp_graph const g = gsp_module_graph(m, i);
        for (v = 0; v < g.n_nodes && code == CLI_EXIT_OK; v++) {
            if (gsp_node_is_callable(&g, v)) { /* inputs of parts keep what their nodes have */
                code = check_list(s, &g, v, GSP_KEY_MUTATES, leaf);
                code = code == CLI_EXIT_OK ? check_list(s, &g, v, GSP_KEY_ALIAS, leaf) : code;
            }
        }
    }
    cli_release(s, leaf);
    return code;
}

/* ---- memory: values that share it, and whether some call writes it ---- */

typedef struct memory {
    gsp_node *first;  /* [n] the first value of the same memory, as far as names tell */
    uint8_t *written; /* [n] of such a first value */
    uint32_t n_writes;
    gsp_node write; /* one that writes */
} memory;

/* The node that alias= names, or the aggregate that a getitem reads; else v. */
static gsp_node alias_of(const gsp_graph *g, gsp_node v)
{
    gsp_str const alias = gsp_node_attr(g, v, GSP_KEY_ALIAS);
    int const is_item = gsp_str_equal(gsp_node_target(g, v), gsp_str_of("operator.getitem"));
    uint64_t position = 0;
    uint32_t n;
    const gsp_arg *args = gsp_node_args(g, v, &n);
    uint32_t i = GSP_NONE;
    if (gsp_node_is_callable(g, v) &&
        (gsp_str_number(alias, &position) || (alias.data == NULL && is_item))) {
        i = gsp_node_leaf(g, v, position < GSP_NONE ? (uint32_t)position : GSP_NONE - 1u);
    }
    return i != GSP_NONE && args[i].kind == GSP_ARG_NODE ? args[i].value : v;
}

/* A get_attr shares memory with the first one of its storage, or of its target. */
static gsp_node attribute_of(const gsp_graph *g, gsp_node v, gsp_node *of)
{
    const gsp_module *m = g->module;
    gsp_atom name = m->target[g->first + v];
    uint32_t i;
    for (i = m->attr[g->first + v]; m->attrs[i].key != (gsp_atom)GSP_KEY_NONE; i++) {
        name = m->attrs[i].key == (gsp_atom)GSP_KEY_STORAGE ? m->attrs[i].value : name;
    }
    of[name] = of[name] == GSP_NONE ? v : of[name];
    return of[name];
}

static memory find_memory(cli_session *s, const gsp_graph *g)
{
    uint32_t const n_strings = g->module->counts.strings;
    gsp_node *of = (gsp_node *)cli_alloc(s, (size_t)n_strings + 1u, sizeof *of);
    memory m;
    gsp_node v;
    memset(of, 0xFF, n_strings * sizeof *of);
    memset(&m, 0, sizeof m);
    m.first = (gsp_node *)cli_alloc(s, g->n_nodes, sizeof *m.first);
    m.written = (uint8_t *)cli_alloc(s, g->n_nodes, 1u);
    for (v = 0; v < g->n_nodes; v++) {
        leaves w = leaves_of(g, v);
        gsp_node u = alias_of(g, v);
        int writes = 0;
        (void)find_alias(g, v, &u);
        m.first[v] = u != v ? m.first[u] : v;
        if (gsp_node_op(g, v) == GSP_OP_GET_ATTR) {
            m.first[v] = attribute_of(g, v, of);
        }
        while (next_written(g, v, &w)) {
            m.written[m.first[w.leaf.value]] = 1;
            writes = 1;
        }
        m.n_writes += writes != 0 ? 1u : 0u;
        m.write = writes ? v : m.write;
    }
    cli_release(s, of);
    return m;
}

/* ---- the text with mutates= and alias= ---- */

typedef struct notes {
    memory *memories; /* [graphs] */
    uint32_t n;
} notes;

static void release(cli_session *s, notes *all)
{
    while (all->n-- > 0) {
        cli_release(s, all->memories[all->n].first);
        cli_release(s, all->memories[all->n].written);
    }
    cli_release(s, all->memories);
}

static void put_notes(void *user, const gsp_graph *g, gsp_node v, cli_buffer *out)
{
    const memory *m = &((const notes *)user)->memories[g->id];
    leaves w = leaves_of(g, v);
    const char *before = " mutates=";
    gsp_node u = v;
    uint32_t alias;
    if (m->n_writes == 0) {
        return;
    }
    while (next_written(g, v, &w)) {
        cli_printf(out, "%s%" PRIu32, before, w.position);
        before = ",";
    }
    alias = find_alias(g, v, &u);
    if (alias != GSP_NONE && m->written[m->first[v]]) {
        cli_printf(out, " alias=%" PRIu32, alias);
    }
}

static void tell(cli_session *s, const gsp_graph *g, gsp_node v, uint32_t n)
{
    cli_buffer b;
    cli_buffer_init(&b, s);
    cli_printf(&b,
        "%s: %s: mutates= is absent, so that names tell the writes of %" PRIu32
        " node%s, such as %%",
        s->front->program, s->path, n, cli_plural(n));
    cli_put_clipped(&b, gsp_node_name(g, v), 60u);
    cli_puts(&b, " (");
    cli_put_clipped(&b, gsp_node_target(g, v), 60u);
    cli_puts(&b, "); --writes none takes them for no writes\n");
    cli_progress_end(s);
    cli_tell(&b);
}

int cli_written_set(cli_session *s)
{
    notes all;
    uint32_t n = 0;
    uint32_t last = 0;
    uint32_t i;
    int code;
    if (s->common.writes != CLI_WRITES_NAMES) {
        return CLI_EXIT_OK;
    }
    all.n = s->module.counts.graphs;
    all.memories = (memory *)cli_alloc(s, s->module.counts.graphs, sizeof *all.memories);
    for (i = 0; i < s->module.counts.graphs; i++) {
        gsp_graph const g = gsp_module_graph(&s->module, i);
        all.memories[i] = find_memory(s, &g);
        n += all.memories[i].n_writes;
        last = all.memories[i].n_writes != 0 ? i : last;
    }
    if (n == 0) {
        release(s, &all);
        return CLI_EXIT_OK;
    }
    gsp_graph const g = gsp_module_graph(&s->module, last);
    tell(s, &g, all.memories[last].write, n);
    code = cli_annotate(s, put_notes, &all, "--writes");
    release(s, &all);
    return code;
}
