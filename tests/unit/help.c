/* What the tests share: randomness, memory, texts, equality of modules. */
#include "tests/t.h"

uint64_t t_random(t_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

uint32_t t_below(t_rng *rng, uint32_t n)
{
    return (uint32_t)((t_random(rng) >> 32) * n >> 32);
}

int t_chance(t_rng *rng, uint32_t per_cent)
{
    return t_below(rng, 100u) < per_cent;
}

void *t_alloc(size_t size)
{
    void *const p = malloc(size ? size : 1u);
    if (p == NULL) {
        printf("no memory for %lu bytes\n", (unsigned long)size);
        exit(2);
    }
    return p;
}

void t_arena_open(gsp_arena *arena, size_t size)
{
    gsp_arena_init(arena, t_alloc(size), size);
}

void t_arena_close(gsp_arena *arena)
{
    free(arena->base);
    gsp_arena_init(arena, NULL, 0u);
}

void t_add(t_string *s, const char *data, size_t size)
{
    if (s->data == NULL || size >= s->capacity - s->size) {
        size_t const capacity = 2u * (s->size + size) + 64u;
        char *const grown = (char *)realloc(s->data, capacity);
        if (grown == NULL) {
            printf("no memory for %lu bytes\n", (unsigned long)capacity);
            exit(2);
        }
        s->data = grown;
        s->capacity = capacity;
    }
    if (size != 0u) {
        memcpy(s->data + s->size, data, size);
    }
    s->size += size;
    s->data[s->size] = '\0';
}

void t_puts(t_string *s, const char *text)
{
    t_add(s, text, strlen(text));
}

void t_number(t_string *s, uint32_t value)
{
    char digits[16];
    snprintf(digits, sizeof(digits), "%u", (unsigned)value);
    t_puts(s, digits);
}

void t_free(t_string *s)
{
    free(s->data);
    memset(s, 0, sizeof(*s));
}

int t_sink(void *user, const char *data, size_t size)
{
    t_add((t_string *)user, data, size);
    return 0;
}

t_string t_print(const gsp_module *module, const gsp_text_desc *desc)
{
    t_string s = {NULL, 0u, 0u};
    gsp_error err;
    t_add(&s, "", 0u);
    T_EQUAL(gsp_text_write(module, desc, t_sink, &s, &err), GSP_OK);
    return s;
}

t_string t_read_file(const char *path)
{
    t_string s = {NULL, 0u, 0u};
    char buffer[16384];
    size_t got;
    FILE *const f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (f == NULL) {
        return s;
    }
    t_add(&s, "", 0u);
    while ((got = fread(buffer, 1u, sizeof(buffer), f)) > 0u) {
        t_add(&s, buffer, got);
    }
    if (f != stdin) {
        fclose(f);
    }
    return s;
}

gsp_status t_read(
    gsp_arena *arena, const char *text, size_t size, gsp_module *module, gsp_error *err)
{
    gsp_counts counts;
    gsp_status status;
    memset(arena, 0, sizeof(*arena));
    status = gsp_text_count(text, size, &counts, err);
    if (status != GSP_OK) {
        return status;
    }
    t_arena_open(arena, gsp_build_bound(&counts));
    return gsp_text_read(arena, text, size, NULL, module, err);
}

int t_must_read(gsp_arena *arena, const char *text, gsp_module *module)
{
    gsp_error err;
    gsp_status const status = t_read(arena, text, strlen(text), module, &err);
    if (status != GSP_OK) {
        printf("%lu:%lu: %s (%s) in\n%.2000s\n", (unsigned long)err.line, (unsigned long)err.column,
            gsp_status_name(status), gsp_detail_text(err.detail), text);
    }
    return T_EQUAL(status, GSP_OK);
}

static int same_string(const gsp_module *a, gsp_atom i, const gsp_module *b, gsp_atom j)
{
    return gsp_str_equal(gsp_module_str(a, i), gsp_module_str(b, j));
}

static int same_args(const gsp_module *a, const gsp_module *b)
{
    uint32_t i;
    for (i = 0; i < a->counts.args; i++) {
        gsp_arg const x = a->args[i];
        gsp_arg const y = b->args[i];
        int const text = x.kind == GSP_ARG_CONSTANT || x.kind == GSP_ARG_KEY;
        if (x.kind != y.kind ||
            (text ? !same_string(a, x.value, b, y.value) : x.value != y.value)) {
            return 0;
        }
    }
    return 1;
}

static int same_attrs(const gsp_module *a, uint32_t i, const gsp_module *b, uint32_t j)
{
    while (same_string(a, a->attrs[i].key, b, b->attrs[j].key)) {
        if (a->attrs[i].key == (gsp_atom)GSP_KEY_NONE) {
            return 1;
        }
        if (!same_string(a, a->attrs[i].value, b, b->attrs[j].value)) {
            return 0;
        }
        i++;
        j++;
    }
    return 0;
}

static int same_uses(
    const gsp_module *a, const gsp_symbol *x, const gsp_module *b, const gsp_symbol *y, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        if (x[i].graph != y[i].graph || x[i].node != y[i].node ||
            !same_string(a, x[i].target, b, y[i].target)) {
            return 0;
        }
    }
    return 1;
}

static int same_nodes(const gsp_module *a, const gsp_module *b)
{
    uint32_t i;
    for (i = 0; i < a->counts.nodes; i++) {
        if (!same_string(a, a->name[i], b, b->name[i]) ||
            !same_string(a, a->target[i], b, b->target[i]) ||
            !same_string(a, a->type[i], b, b->type[i]) ||
            !same_attrs(a, a->attr[i], b, b->attr[i])) {
            return 0;
        }
    }
    for (i = 0; i < a->counts.graphs; i++) {
        if (!same_string(a, a->graphs[i].name, b, b->graphs[i].name) ||
            a->graphs[i].first != b->graphs[i].first ||
            a->graphs[i].n_nodes != b->graphs[i].n_nodes) {
            return 0;
        }
    }
    return 1;
}

#define SAME(field, count) (memcmp(a->field, b->field, (count) * sizeof(*a->field)) == 0)

void *t_store_keys(const gsp_module *module, gsp_module *stored)
{
    unsigned char *const copy = (unsigned char *)t_alloc(module->block_size);
    uint32_t const kind = GSP_ARG_KEY;
    uint32_t i;
    memcpy(copy, module->block, module->block_size);
    for (i = 0; i < module->counts.args; i++) {
        const gsp_arg *const a = &module->args[i];
        gsp_str const text =
            a->kind == GSP_ARG_CONSTANT ? gsp_module_str(module, a->value) : gsp_str_of("");
        if (text.size > 4u && memcmp(text.data, "key_", 4u) == 0) {
            size_t const at =
                (size_t)((const unsigned char *)&a->kind - (const unsigned char *)module->block);
            memcpy(copy + at, &kind, sizeof(kind));
        }
    }
    T_EQUAL(gsp_module_open(stored, copy, module->block_size, 0, NULL), GSP_OK);
    return copy;
}

int t_module_equal(const gsp_module *a, const gsp_module *b)
{
    size_t const n = a->counts.nodes;
    size_t const m = a->counts.edges;
    if (n != b->counts.nodes || m != b->counts.edges || a->counts.args != b->counts.args ||
        a->counts.graphs != b->counts.graphs || a->n_params != b->n_params ||
        a->n_leaves != b->n_leaves) {
        return 0;
    }
    return SAME(bytes, n) && SAME(arg_begin, n + 1u) && SAME(in_begin, n + 1u) &&
           SAME(user_begin, n + 1u) && (m == 0u || (SAME(inputs, m) && SAME(users, m))) &&
           SAME(op, n) && SAME(out, n) && SAME(flags, n) && same_args(a, b) && same_nodes(a, b) &&
           same_uses(a, a->params, b, b->params, a->n_params) &&
           same_uses(a, a->leaves, b, b->leaves, a->n_leaves);
}

void t_check_print(const char *text, const char *expected, const char *file, int line)
{
    gsp_arena arena;
    gsp_module module;
    if (t_check(t_must_read(&arena, text, &module), file, line, "the text is read")) {
        t_string s = t_print(&module, NULL);
        gsp_str view;
        view.data = s.data;
        view.size = (uint32_t)s.size;
        t_check_text(view, expected, file, line, "printed");
        t_free(&s);
    }
    t_arena_close(&arena);
}

t_string t_show_args(const gsp_graph *graph, gsp_node node)
{
    static const char *const open[] = {"", "", "", "", "(", "[", "{", "<", ""};
    t_string s = {NULL, 0u, 0u};
    uint32_t n;
    uint32_t i;
    const gsp_arg *const args = gsp_node_args(graph, node, &n);
    t_add(&s, "", 0u);
    for (i = 0; i < n; i++) {
        gsp_str text = gsp_module_str(graph->module, args[i].value);
        if (args[i].kind == GSP_ARG_NODE) {
            t_puts(&s, "%");
            text = gsp_node_name(graph, args[i].value);
        } else if (args[i].kind == GSP_ARG_CLOSE) {
            t_puts(&s, "/");
        } else {
            t_puts(&s, open[args[i].kind]);
        }
        if (args[i].kind <= GSP_ARG_KEY) {
            t_add(&s, text.data, text.size);
        }
        if (args[i].kind <= GSP_ARG_KEY || args[i].kind == GSP_ARG_CLOSE) {
            t_puts(&s, args[i].kind == GSP_ARG_KEY ? ": " : " ");
        }
    }
    return s;
}

gsp_status t_split_tags(gsp_arena *arena, const gsp_graph *graph, const gsp_split_result *split,
    gsp_split_by_tags_result *tags, gsp_error *err)
{
    gsp_split_by_tags_desc desc;
    uint32_t i;
    gsp_status status;
    gsp_str *const names = (gsp_str *)t_alloc((split->n_subgraphs + 1u) * sizeof(gsp_str));
    t_string s = {NULL, 0u, 0u};
    char tag[256];
    t_add(&s, "", 0u);
    memset(&desc, 0, sizeof(desc));
    for (i = 0; i < split->n_subgraphs; i++) {
        names[i].size = (uint32_t)gsp_split_tag(split, i, tag, sizeof(tag));
        t_add(&s, tag, names[i].size);
    }
    names[0].data = s.data;
    for (i = 1; i < split->n_subgraphs; i++) {
        names[i].data = names[i - 1u].data + names[i - 1u].size;
    }
    desc.n_tags = split->n_subgraphs;
    desc.tag_of = split->subgraph_of;
    desc.names = names;
    status = gsp_split_by_tags_run(arena, graph, &desc, tags, err);
    t_free(&s);
    free(names);
    return status;
}

gsp_status t_split_text(
    t_split *s, const char *text, const gsp_support_desc *support, const gsp_split_desc *options)
{
    gsp_split_desc desc;
    gsp_status status;
    memset(s, 0, sizeof(*s));
    memset(&desc, 0, sizeof(desc));
    if (options != NULL) {
        desc = *options;
    }
    t_arena_open(&s->arena, 1u << 20);
    status = gsp_text_read(&s->arena, text, strlen(text), NULL, &s->module, &s->err);
    if (status != GSP_OK) {
        return status;
    }
    s->graph = gsp_module_graph(&s->module, 0u);
    status = gsp_support_run(&s->arena, &s->graph, support, &s->placement, &s->err);
    if (status != GSP_OK) {
        return status;
    }
    desc.placement = &s->placement;
    status = gsp_split_run(&s->arena, &s->graph, &desc, &s->split, &s->err);
    if (status != GSP_OK) {
        return status;
    }
    return t_split_tags(&s->arena, &s->graph, &s->split, &s->tags, &s->err);
}

void t_split_close(t_split *s)
{
    t_arena_close(&s->arena);
}

const char *t_subgraph(const t_split *s, uint32_t subgraph)
{
    static char line[4096];
    size_t at;
    uint32_t i;
    line[0] = '\0';
    if (subgraph >= s->split.n_subgraphs) {
        return line;
    }
    at = gsp_split_tag(&s->split, subgraph, line, sizeof(line));
    at += (size_t)snprintf(line + at, sizeof(line) - at, ":");
    for (i = s->split.subgraph_begin[subgraph]; i < s->split.subgraph_begin[subgraph + 1u]; i++) {
        gsp_str const name = gsp_node_name(&s->graph, s->split.nodes[i]);
        at += (size_t)snprintf(line + at, sizeof(line) - at, " %.*s", (int)name.size, name.data);
    }
    return line;
}
