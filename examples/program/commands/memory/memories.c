/* Several memories: options, traffic of tensors, pins, and why nothing fits. */
#include "commands/memory/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FAST      1000u /* ps per byte */
#define USUAL     2000u
#define SLOW      20000u
#define MOST_COST 1000000000000u

/* ---- options ---- */

static int is_option(const cli_given *given, const char *name)
{
    return strcmp(given->option->name, name) == 0;
}

/* The text up to the next colon, which is cut off. */
static gsp_str next_part(gsp_str *text)
{
    gsp_str part = {text->data, 0};
    while (part.size < text->size && part.data[part.size] != ':') {
        part.size++;
    }
    uint32_t const used = part.size < text->size ? part.size + 1u : part.size;
    text->data += used;
    text->size -= used;
    return part;
}

static int is_word(gsp_str text, const char *word)
{
    return gsp_str_equal(text, gsp_str_of(word));
}

/* A cost such as 2, 0.5ns, 250ps or slow, as picoseconds. */
static int read_cost(gsp_str text, uint64_t *cost)
{
    static const char *const words[] = {"fast", "slow"};
    static const char *const units[] = {"", "ps", "ns", "us"};
    static const uint64_t scales[] = {1000u, 1u, 1000u, 1000000u};
    uint64_t number = 0;
    uint64_t parts = 1; /* of one */
    uint32_t at = 0;
    uint32_t unit = 0;
    int has_point = 0;
    if (is_word(text, words[0]) || is_word(text, words[1])) {
        *cost = is_word(text, words[0]) ? FAST : SLOW;
        return 1;
    }
    for (; at < text.size && number < MOST_COST && parts < MOST_COST; at++) {
        uint32_t const digit = (uint32_t)(unsigned char)text.data[at] - '0';
        if (digit > 9u && (has_point || text.data[at] != '.')) {
            break;
        }
        has_point |= digit > 9u;
        number = digit > 9u ? number : number * 10u + digit;
        parts = has_point && digit <= 9u ? parts * 10u : parts;
    }
    if (at == 0 || (at == 1u && has_point)) {
        return 0;
    }
    text.data += at;
    text.size -= at;
    while (unit < CLI_COUNT(units) && !is_word(text, units[unit])) {
        unit++;
    }
    if (unit == CLI_COUNT(units) || number > MOST_COST / scales[unit]) {
        return 0;
    }
    *cost = number * scales[unit] / parts;
    return number * scales[unit] % parts == 0 && *cost <= MOST_COST;
}

/* NAME:BYTES[:COST[:ALIGN]][:ro] */
static int read_memory(memory *m, const char *value)
{
    cli_session *s = m->session;
    memory_several *all = &m->several;
    gsp_memory given = {0};
    gsp_str rest = gsp_str_of(value);
    gsp_str const name = next_part(&rest);
    gsp_str const bytes = next_part(&rest);
    uint64_t align = m->opt.align;
    uint32_t i;
    int priced = 0;
    int good = name.size != 0 && (cli_bytes_read(bytes, &given.bytes) || given.bytes == UINT64_MAX);
    given.cost = USUAL;
    for (i = 0; rest.size != 0 && good; i++) {
        gsp_str const part = next_part(&rest);
        given.read_only = is_word(part, "ro") && rest.size == 0;
        good = given.read_only != 0 || (i == 0 && read_cost(part, &given.cost)) ||
               (i == 1u && gsp_str_number(part, &align));
        priced |= given.read_only == 0;
    }
    if (!good || align == 0 || align > 1u << 30 || (align & (align - 1u)) != 0) {
        return cli_usage_error(s,
            "--memory expects NAME:BYTES[:COST[:ALIGN]][:ro], such as sram:256K or "
            "tcm:64K:0.5ns:16, got '%s'",
            value);
    }
    if (given.bytes == 0 || given.bytes > UINT64_MAX / 8u) {
        return cli_usage_error(s, "--memory %s: a memory has from 1 byte to 2 EiB", value);
    }
    for (i = 0; i < all->n; i++) {
        if (gsp_str_equal(all->names[i], name)) {
            return cli_usage_error(s, "--memory %s: there is a memory of this name already", value);
        }
    }
    if (all->n == GSP_MEMORIES_MOST) {
        return cli_usage_error(
            s, "--memory %s: there are more than %u memories", value, GSP_MEMORIES_MOST);
    }
    given.align = (uint32_t)align;
    all->names[all->n] = name;
    all->priced[all->n] = priced;
    all->list[all->n++] = given;
    return CLI_EXIT_OK;
}

static uint32_t find_memory(const memory_several *all, gsp_str name)
{
    uint32_t i = 0;
    while (i < all->n && !gsp_str_equal(all->names[i], name)) {
        i++;
    }
    return i;
}

/* What the list of a pin names. */
enum { BY_NAME, BY_TARGET, BY_KIND };

static const char *const whats[] = {"name", "target", "kind"};

static uint32_t find_what(gsp_str word)
{
    uint32_t i = 0;
    while (i < CLI_COUNT(whats) && !is_word(word, whats[i])) {
        i++;
    }
    return i;
}

static int unknown_memory(memory *m, const char *from, gsp_str name)
{
    cli_buffer names;
    uint32_t i;
    cli_buffer_init(&names, m->session);
    for (i = 0; i < m->several.n; i++) {
        cli_puts(&names, i != 0 ? ", " : "");
        cli_put_text(&names, m->several.names[i]);
    }
    cli_put(&names, "", 1u);
    return cli_usage_error(m->session, "%s: no --memory is called '%s'; there %s %s", from,
        cli_copy(m->session, name), m->several.n == 1u ? "is" : "are", names.data);
}

int memory_memories_read(memory *m)
{
    cli_session *s = m->session;
    int code = CLI_EXIT_OK;
    size_t i;
    for (i = 0; i < s->n_given && code == CLI_EXIT_OK; i++) {
        if (is_option(&s->given[i], "--memory")) {
            code = read_memory(m, s->given[i].value);
        }
    }
    for (i = 0; i < s->n_given && code == CLI_EXIT_OK; i++) {
        gsp_str rest = gsp_str_of(s->given[i].value);
        gsp_str const name = next_part(&rest);
        gsp_str const what = next_part(&rest);
        if (!is_option(&s->given[i], "--pin")) {
            continue;
        }
        if (m->several.n == 0) {
            code = cli_usage_error(s, "--pin requires --memory, which it names");
        } else if (find_what(what) == CLI_COUNT(whats) || rest.size == 0) {
            code = cli_usage_error(s,
                "--pin expects MEMORY:WHAT:LIST with WHAT name, target or kind, such as "
                "tcm:target:tflite.ADD, got '%s'",
                s->given[i].value);
        } else if (find_memory(&m->several, name) == m->several.n) {
            code = unknown_memory(m, "--pin", name);
        }
    }
    if (code == CLI_EXIT_OK && m->several.n == 0 && m->opt.weights) {
        code = cli_usage_error(s, "--weights requires --memory, in which parameters are stored");
    }
    return code;
}

/* ---- tensors and their traffic ---- */

typedef struct collector {
    memory *m;
    gsp_tensor *tensors;
    uint32_t *kind;
    uint64_t *traffic;
    uint32_t *written;
    uint32_t *of_target; /* [strings] tensor of a target, and 1 */
    gsp_node *leaves;    /* [args] */
    uint32_t n;
} collector;

/* State or a parameter: bytes that stay from the first step to the last. */
static void add_lasting(collector *c, gsp_node v, uint64_t bytes, memory_kind kind)
{
    const gsp_graph *g = &c->m->graph;
    uint32_t *of = &c->of_target[g->module->target[g->first + v]];
    if (*of == 0) {
        gsp_tensor *t = &c->tensors[c->n];
        memset(t, 0, sizeof *t);
        t->node = v;
        t->bytes = bytes;
        t->end = g->n_nodes - 1u;
        c->kind[c->n] = kind;
        c->written[c->n] = kind == MEMORY_STATE;
        *of = ++c->n;
    }
}

static void collect_lasting(collector *c)
{
    const gsp_graph *g = &c->m->graph;
    gsp_node v;
    for (v = 0; v < g->n_nodes; v++) {
        memory_written walk = memory_written_of(g, v, c->leaves);
        gsp_node w;
        while ((w = memory_next_written(&walk)) != GSP_NONE) {
            if (gsp_node_op(g, w) == GSP_OP_GET_ATTR && gsp_node_bytes(g, w) != 0) {
                add_lasting(c, w, gsp_node_bytes(g, w), MEMORY_STATE);
            }
        }
    }
    for (v = 0; v < g->n_nodes && c->m->opt.weights; v++) {
        if (gsp_node_params(g, v) != 0) {
            add_lasting(c, v, gsp_node_params(g, v), MEMORY_PARAMETER);
        }
    }
}

static uint32_t tensor_of(const collector *c, gsp_node v)
{
    const gsp_graph *g = &c->m->graph;
    return gsp_node_op(g, v) == GSP_OP_GET_ATTR ? c->of_target[g->module->target[g->first + v]] - 1u
                                                : c->m->memory_plan.tensor_of[v];
}

static void count_access(collector *c, gsp_node v, uint64_t bytes)
{
    uint32_t const t = tensor_of(c, v);
    if (t != GSP_NONE) {
        c->traffic[t] += bytes;
    }
}

/* A node reads its inputs and writes its output; a view and an element move nothing. */
static void count_node(collector *c, gsp_node v)
{
    const gsp_graph *g = &c->m->graph;
    gsp_op const op = gsp_node_op(g, v);
    memory_written walk = memory_written_of(g, v, c->leaves);
    gsp_node w;
    uint32_t const own = op == GSP_OP_OUTPUT ? GSP_NONE : tensor_of(c, v);
    uint32_t n;
    uint32_t i;
    const gsp_node *in = gsp_node_inputs(g, v, &n);
    int writes = 0;
    int is_view = 0;
    while ((w = memory_next_written(&walk)) != GSP_NONE) {
        count_access(c, w, gsp_node_bytes(g, w));
        writes = 1;
    }
    for (i = 0; i < n; i++) {
        is_view |= own != GSP_NONE && tensor_of(c, in[i]) == own;
    }
    for (i = 0; i < n && (writes || !is_view); i++) {
        count_access(c, in[i], gsp_node_bytes(g, in[i]));
    }
    if (own != GSP_NONE && !is_view && op != GSP_OP_GET_ATTR) {
        c->traffic[own] += gsp_node_bytes(g, v);
    }
    if (op == GSP_OP_CALL_MODULE && c->m->opt.weights && gsp_node_params(g, v) != 0) {
        c->traffic[c->of_target[g->module->target[g->first + v]] - 1u] += gsp_node_params(g, v);
    }
}

static void collect_graph(collector *c)
{
    const gsp_memory_plan_result *plan = &c->m->memory_plan;
    uint32_t i;
    for (i = 0; i < plan->n_tensors; i++) {
        c->tensors[i] = plan->tensors[i];
        c->kind[i] = plan->tensors[i].scratch ? MEMORY_SCRATCH : MEMORY_TENSOR;
        c->traffic[i] = plan->tensors[i].scratch ? 2u * plan->tensors[i].bytes : 0u;
        c->written[i] = 1;
    }
    c->n = plan->n_tensors;
    collect_lasting(c);
    for (i = 0; i < c->m->graph.n_nodes; i++) {
        count_node(c, i);
    }
}

static void collect(memory *m, collector *c)
{
    cli_session *s = m->session;
    const gsp_memory_plan_result *plan = &m->memory_plan;
    size_t const room = (size_t)plan->n_tensors + m->graph.n_nodes + 1u;
    uint32_t i;
    memset(c, 0, sizeof *c);
    c->m = m;
    c->kind = (uint32_t *)cli_alloc(s, room, sizeof *c->kind);
    c->written = (uint32_t *)cli_alloc(s, room, sizeof *c->written);
    if (m->ids == NULL) {
        c->tensors = (gsp_tensor *)cli_alloc(s, room, sizeof *c->tensors);
        c->traffic = (uint64_t *)cli_alloc(s, room, sizeof *c->traffic);
        c->of_target = (uint32_t *)cli_alloc(s, m->graph.module->counts.strings, sizeof(uint32_t));
        c->leaves = (gsp_node *)cli_alloc(s, m->graph.module->counts.args, sizeof *c->leaves);
        collect_graph(c);
        return;
    }
    c->tensors = m->tensors;
    c->traffic = m->traffic;
    c->n = plan->n_tensors;
    for (i = 0; i < c->n; i++) {
        c->written[i] = 1;
    }
}

/* ---- pins ---- */

static int matches(const memory *m, uint32_t i, uint32_t what, gsp_str pattern)
{
    const gsp_tensor *t = &m->memory_plan.tensors[i];
    if (what == BY_NAME) {
        return gsp_str_glob(pattern, memory_tensor_name(m, t));
    }
    return m->ids == NULL &&
           gsp_str_glob(pattern, what == BY_KIND ? gsp_str_of(memory_kind_word(m->several.kind[i]))
                                                 : gsp_node_class(&m->graph, t->node));
}

/* The pins of an option, which overrule those before. */
static int read_pins(memory *m, const char *value)
{
    gsp_str rest = gsp_str_of(value);
    uint32_t const to = find_memory(&m->several, next_part(&rest));
    gsp_str const word = next_part(&rest);
    uint32_t const what = find_what(word);
    while (rest.size != 0) {
        gsp_str pattern = {rest.data, 0};
        uint32_t found = 0;
        uint32_t i;
        while (pattern.size < rest.size && pattern.data[pattern.size] != ',') {
            pattern.size++;
        }
        i = pattern.size < rest.size ? pattern.size + 1u : pattern.size;
        rest.data += i;
        rest.size -= i;
        for (i = 0; i < m->memory_plan.n_tensors; i++) {
            if (matches(m, i, what, pattern)) {
                m->several.pins[i] = to;
                found++;
            }
        }
        if (found == 0) {
            return cli_error(m->session, GSP_STATUS_ARG, "--pin %s: no tensor has the %s %s", value,
                cli_copy(m->session, word), cli_copy(m->session, pattern));
        }
    }
    return CLI_EXIT_OK;
}

/* Pins of the column `memory` of a CSV file, then those of the options. */
static int find_pins(memory *m)
{
    cli_session *s = m->session;
    uint32_t const n = m->memory_plan.n_tensors;
    int code = CLI_EXIT_OK;
    uint32_t i;
    size_t k;
    m->several.pins = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof(uint32_t));
    for (i = 0; i < n; i++) {
        m->several.pins[i] = GSP_NONE;
        if (m->cells != NULL && m->cells[i].size != 0) {
            m->several.pins[i] = find_memory(&m->several, m->cells[i]);
            if (m->several.pins[i] == m->several.n) {
                return unknown_memory(m, s->path, m->cells[i]);
            }
        }
    }
    for (k = 0; k < s->n_given && code == CLI_EXIT_OK; k++) {
        if (is_option(&s->given[k], "--pin")) {
            code = read_pins(m, s->given[k].value);
        }
    }
    return code;
}

static int check_fixed(memory *m)
{
    for (uint32_t i = 0; i < m->memory_plan.n_tensors && m->fixed != NULL; i++) {
        if (m->fixed[i] != 0 && m->several.pins[i] == GSP_NONE) {
            return cli_error(m->session, GSP_STATUS_ARG,
                "%s: %s has an offset, and no memory for it; the column memory or "
                "--pin names one",
                m->session->path, cli_copy(m->session, m->ids[i]));
        }
    }
    return CLI_EXIT_OK;
}

/* ---- the pass ---- */

static gsp_status work(void *user, gsp_arena *arena, gsp_error *err)
{
    memory *m = (memory *)user;
    gsp_memories_desc desc = m->several.desc; /* other searches take no progress from it */
    desc.progress = cli_search_asked;
    desc.progress_user = m->session;
    cli_search_begin();
    gsp_status const status = gsp_memories_run(arena, &desc, &m->several.result, err);
    cli_search_end();
    return status;
}

/* The most bytes of a memory that are live at once. */
static uint64_t live_in(const memory *m, uint32_t in)
{
    const gsp_memory_plan_result *plan = &m->memory_plan;
    gsp_tensor *tensors =
        (gsp_tensor *)cli_alloc(m->session, (size_t)plan->n_tensors + 1u, sizeof *tensors);
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->n_tensors; i++) {
        if (m->several.result.memory[i] == in) {
            tensors[n++] = plan->tensors[i];
        }
    }
    uint64_t const bytes = cli_peak(m->session, tensors, n).bytes;
    cli_release(m->session, tensors);
    return bytes;
}

/* Bytes per memory, and the cheapest memory of each tensor. */
static void measure(memory *m)
{
    memory_several *all = &m->several;
    const gsp_memory_plan_result *plan = &m->memory_plan;
    uint32_t i;
    uint32_t k;
    all->home = (uint32_t *)cli_alloc(m->session, (size_t)plan->n_tensors + 1u, sizeof(uint32_t));
    for (i = 0; i < plan->n_tensors; i++) {
        const gsp_tensor *t = &plan->tensors[i];
        memory_use *use = &all->use[all->result.memory[i]];
        all->home[i] = all->result.memory[i];
        for (k = 0; k < all->n; k++) {
            if (all->list[k].cost < all->list[all->home[i]].cost &&
                (all->pins[i] == GSP_NONE || all->pins[i] == k) &&
                (all->list[k].read_only == 0 || all->desc.written[i] == 0)) {
                all->home[i] = k;
            }
        }
        use->tensors++;
        use->traffic += all->traffic[i];
        use->bytes =
            t->bytes != 0 && t->offset + t->bytes > use->bytes ? t->offset + t->bytes : use->bytes;
        all->spilled += all->home[i] != all->result.memory[i];
    }
    for (k = 0; k < all->n; k++) {
        all->use[k].least = live_in(m, k);
    }
}

/* What does not fit: a tensor by itself, a step, or the tensors as a whole. */
static int refuse(memory *m)
{
    const memory_several *all = &m->several;
    const gsp_memory_plan_result *plan = &m->memory_plan;
    uint64_t total = 0;
    uint64_t const live = cli_peak(m->session, plan->tensors, plan->n_tensors).bytes;
    char why[128];
    for (uint32_t k = 0; k < all->n; k++) {
        total = all->list[k].bytes > UINT64_MAX - total ? UINT64_MAX : total + all->list[k].bytes;
    }
    if (all->result.misfit != GSP_NONE) {
        const gsp_tensor *t = &plan->tensors[all->result.misfit];
        return cli_error(m->session, GSP_STATUS_NO_FIT,
            "%s of %" PRIu64 " bytes fits into no memory that it may lie in",
            cli_copy(m->session, memory_tensor_name(m, t)), t->bytes);
    }
    if (live > total) {
        (void)snprintf(why, sizeof why,
            "%" PRIu64 " bytes are live at once, and the memories have %" PRIu64, live, total);
        return memory_misfit(m, why);
    }
    if (all->result.lower_bound == UINT64_MAX) {
        (void)snprintf(why, sizeof why,
            "no assignment of the %" PRIu32 " tensors to the memories fits", plan->n_tensors);
        return memory_misfit(m, why);
    }
    return cli_error(m->session, GSP_STATUS_LIMIT,
        "no assignment of the %" PRIu32
        " tensors to the memories was found; --exact=WORK searches longer",
        plan->n_tensors);
}

static int refuse_input(memory *m, const gsp_error *err)
{
    const gsp_tensor *tensors = m->memory_plan.tensors;
    if (err->detail == GSP_DETAIL_OVERLAP) {
        uint32_t const first = err->node < err->other ? err->node : err->other;
        return cli_error(m->session, err->status,
            "%s: the fixed offsets of %s and %s make them overlap", m->session->path,
            cli_copy(m->session, m->ids[first]),
            cli_copy(m->session, m->ids[first == err->node ? err->other : err->node]));
    }
    return err->status == GSP_STATUS_OVERFLOW
               ? cli_error(m->session, err->status, "the cost of %s is too large",
                     cli_copy(m->session, memory_tensor_name(m, &tensors[err->node])))
               : cli_pass_error(m->session, NULL, err);
}

int memory_memories_run(memory *m)
{
    memory_several *all = &m->several;
    gsp_tensor *tensors;
    gsp_arena arena;
    gsp_error err;
    collector c;
    uint32_t i;
    int code;
    cli_progress(m->session, "assigning tensors to memories");
    collect(m, &c);
    m->memory_plan.tensors = tensors = c.tensors;
    m->memory_plan.n_tensors = c.n;
    all->kind = c.kind;
    all->traffic = c.traffic;
    if ((code = find_pins(m)) != CLI_EXIT_OK || (code = check_fixed(m)) != CLI_EXIT_OK) {
        return code;
    }
    all->desc.written = c.written;
    if (m->opt.prefetch) {
        code = memory_prefetch_run(m);
        if (code == CLI_EXIT_OK) {
            measure(m);
        }
        return code;
    }
    all->desc.tensors = c.tensors;
    all->desc.n_tensors = c.n;
    all->desc.memories = all->list;
    all->desc.n_memories = all->n;
    all->desc.traffic = c.traffic;
    all->desc.aligns = m->aligns;
    all->desc.pins = all->pins;
    all->desc.fixed = m->fixed;
    all->desc.max_work = m->max_work;
    m->bound = gsp_memories_bound(&all->desc);
    if ((code = cli_pass_arena(m->session, &arena, m->bound)) != CLI_EXIT_OK) {
        return code;
    }
    if (cli_measure(m->session, &arena, work, m, &m->timing, &err) != GSP_OK) {
        return refuse_input(m, &err);
    }
    if (all->result.cost == UINT64_MAX) {
        return m->may_misfit ? CLI_EXIT_OK : refuse(m);
    }
    if (all->result.stopped != 0) {
        cli_search_told(m->session, "the cost is the least");
    }
    for (i = 0; i < c.n; i++) {
        tensors[i].offset = all->result.offset[i];
    }
    measure(m);
    return CLI_EXIT_OK;
}
