/* Groups of equal regions: layers worked out by hand, parts, nodes that no group may take, regions
 * that close a cycle, graphs that are large, calls to begin with, work, progress, every refusal. */
#include "examples/extra/graphsplit_repeats.h"
#include "tests/t.h"

#define NODES 1024u

typedef struct subject {
    t_string script;
    gsp_arena text;
    gsp_arena known_arena;
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_dedup_result known;
    gsp_repeats_desc desc;
    gsp_repeats_result r;
    gsp_error err;
    uint32_t part[NODES];
    uint32_t calls; /* of progress */
    uint32_t last;  /* call that asks to stop; 0 if none does */
} subject;

/* ---- graphs ---- */

static void begin(subject *s)
{
    memset(s, 0, sizeof *s);
    t_puts(&s->script, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
                       "    %y : [num_users=1] = placeholder[target=y]  # f32[4]\n");
}

/* A call of the operator with the first letter of its name. `args` as in "%x,". */
static void call(subject *s, const char *name, const char *args, const char *note)
{
    t_puts(&s->script, "    %");
    t_puts(&s->script, name);
    t_puts(&s->script, " : [num_users=1] = call_function[target=op_");
    t_add(&s->script, name, 1u);
    t_puts(&s->script, "](args = (");
    t_puts(&s->script, args);
    t_puts(&s->script, "), kwargs = {})  # f32[4]");
    t_puts(&s->script, note);
    t_puts(&s->script, "\n");
}

/* The same with a number behind the name and behind the argument. */
static void call_at(subject *s, const char *name, uint32_t i, const char *arg, uint32_t k)
{
    t_string full = {NULL, 0, 0};
    t_string args = {NULL, 0, 0};
    t_puts(&full, name);
    t_number(&full, i);
    t_puts(&args, "%");
    t_puts(&args, arg);
    t_number(&args, k);
    t_puts(&args, ",");
    call(s, full.data, args.data, "");
    t_free(&full);
    t_free(&args);
}

static int end(subject *s, const char *returned)
{
    t_puts(&s->script, "    return (");
    t_puts(&s->script, returned);
    t_puts(&s->script, ",)\n");
    if (!t_must_read(&s->text, s->script.data, &s->m)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->m, 0);
    t_arena_open(&s->known_arena, gsp_dedup_bound(&s->g, NULL));
    return T_CHECK(s->g.n_nodes <= NODES) &&
           T_EQUAL(gsp_dedup_run(&s->known_arena, &s->g, NULL, &s->known, &s->err), GSP_OK);
}

static void stop(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_close(&s->known_arena);
    t_arena_close(&s->text);
    t_free(&s->script);
}

/* f and g in turn. */
static int layers(subject *s)
{
    begin(s);
    call(s, "f0", "%x, %y", "");
    call(s, "g0", "%f0,", "");
    call(s, "f1", "%g0, %y", "");
    call(s, "g1", "%f1,", "");
    call(s, "f2", "%g1, %x", "");
    call(s, "g2", "%f2,", "");
    return end(s, "g2");
}

/* Two regions of f and g that need each other, and one that does not. */
static int knot(subject *s)
{
    begin(s);
    call(s, "f0", "%x,", "");
    call(s, "f1", "%x,", "");
    call(s, "f2", "%x,", "");
    call(s, "g0", "%f0, %f1", "");
    call(s, "g1", "%f1, %f0", "");
    call(s, "g2", "%f2, %y", "");
    return end(s, "g0, g1, g2");
}

/* ---- runs ---- */

static gsp_status run(subject *s)
{
    t_arena_close(&s->arena);
    t_arena_open(&s->arena, gsp_repeats_bound(&s->g, &s->known.regions, &s->desc));
    return gsp_repeats_run(&s->arena, &s->g, &s->known.regions, &s->desc, &s->r, &s->err);
}

/* Groups as "f0 g0, f1 g1; ...": their regions, and the nodes of each. */
static void show(const subject *s, t_string *text)
{
    const gsp_regions *r = &s->r.regions;
    for (uint32_t k = 0; k < r->n_groups; k++) {
        uint32_t const columns = r->group_regions[k];
        t_puts(text, k == 0u ? "" : "; ");
        for (uint32_t c = 0; c < columns; c++) {
            t_puts(text, c == 0u ? "" : ", ");
            for (uint32_t i = r->group_begin[k] + c; i < r->group_begin[k + 1u]; i += columns) {
                gsp_str const name = gsp_node_name(&s->g, r->members[i]);
                t_puts(text, i < r->group_begin[k] + columns ? "" : " ");
                t_add(text, name.data, name.size);
            }
        }
    }
}

static void found(subject *s, const char *groups, uint64_t saved, uint64_t most)
{
    t_string text = {NULL, 0, 0};
    t_puts(&text, "");
    T_EQUAL(run(s), GSP_OK);
    T_EQUAL(s->r.saved, saved);
    T_EQUAL(s->r.most, most);
    show(s, &text);
    T_STRING(text.data, groups);
    t_free(&text);
}

static void refused(subject *s, gsp_status status, gsp_detail detail)
{
    T_EQUAL(run(s), status);
    T_EQUAL(s->err.status, status);
    T_EQUAL(s->err.detail, detail);
    T_FIELD(&s->err);
    T_EQUAL(s->arena.low + s->arena.high, 0u);
}

/* ---- the tests ---- */

static void test_layers(void)
{
    subject s;
    if (layers(&s)) {
        found(&s, "f0 g0, f1 g1, f2 g2", 4, 4);
        T_EQUAL(s.r.regions.classes.n_classes, 2u);
        for (s.desc.max_states = 1; s.desc.max_states < 9u; s.desc.max_states++) {
            found(&s, "f0 g0, f1 g1, f2 g2", 4, 4);
        }
        s.desc.max_states = UINT32_MAX;
        found(&s, "f0 g0, f1 g1, f2 g2", 4, 4);
        T_EQUAL(gsp_repeats_run(&s.arena, &s.g, &s.known.regions, NULL, &s.r, NULL), GSP_OK);
        T_EQUAL(s.r.saved, 4u);
    }
    stop(&s);
}

/* A group more, though the nodes of the first one are used up. */
static void test_groups(void)
{
    subject s;
    begin(&s);
    t_puts(&s.script, "    %v : [num_users=1] = placeholder[target=v]  # f32[4]\n"
                      "    %w : [num_users=1] = placeholder[target=w]  # f32[4]\n");
    call(&s, "f0", "%x,", "");
    call(&s, "g0", "%f0,", "");
    call(&s, "f1", "%y,", "");
    call(&s, "g1", "%f1,", "");
    call(&s, "h0", "%v,", "");
    call(&s, "k0", "%h0,", "");
    call(&s, "h1", "%w,", "");
    call(&s, "k1", "%h1,", "");
    if (end(&s, "g0, g1, k0, k1")) {
        s.desc.max_states = 1;
        found(&s, "h0 k0, h1 k1; f0 g0, f1 g1", 4, 4);
    }
    stop(&s);
}

static void test_nothing(void)
{
    subject s;
    begin(&s);
    if (end(&s, "x")) {
        found(&s, "", 0, 0);
    }
    stop(&s);
    begin(&s); /* regions that read nothing */
    call(&s, "f0", "", "");
    call(&s, "g0", "%f0,", "");
    call(&s, "f1", "", "");
    call(&s, "g1", "%f1,", "");
    if (end(&s, "g0, g1")) {
        found(&s, "", 0, 2);
    }
    stop(&s);
}

/* A call cannot take an aggregate. */
static void test_aggregate(void)
{
    subject s;
    begin(&s);
    t_puts(&s.script, "    %t : [num_users=2] = placeholder[target=t]  # tuple(f32[4], f32[4])\n");
    call(&s, "f0", "%t,", "");
    call(&s, "g0", "%f0,", "");
    call(&s, "f1", "%t,", "");
    call(&s, "g1", "%f1,", "");
    if (end(&s, "g0, g1")) {
        found(&s, "", 0, 2);
    }
    stop(&s);
}

static void test_parts(void)
{
    subject s;
    if (layers(&s)) {
        s.desc.part_of = s.part;
        s.part[4] = s.part[5] = 7; /* f1 g1 */
        found(&s, "f0 g0, f1 g1, f2 g2", 4, 4);
        s.part[4] = 8;
        found(&s, "f0 g0, f2 g2", 2, 4);
        s.part[4] = GSP_NONE;
        found(&s, "f0 g0, f2 g2", 2, 3);
    }
    stop(&s);
}

/* Nodes that write, or are views, and what they read. */
static void test_closed(void)
{
    static const char *const notes[] = {" key=k mutates=0", " alias=0"};
    for (uint32_t i = 0; i < 2u; i++) {
        subject s;
        begin(&s);
        call(&s, "f0", "%x,", "");
        call(&s, "g0", "%f0,", "");
        call(&s, "f1", "%g0,", "");
        call(&s, "g1", "%f1,", "");
        call(&s, "w", "%f1,", notes[i]);
        call(&s, "f2", "%y,", "");
        call(&s, "g2", "%f2,", "");
        if (end(&s, "g1, w, g2")) {
            found(&s, "f0 g0, f2 g2", 2, 3);
        }
        stop(&s);
    }
}

static void test_barrier(void)
{
    subject s;
    begin(&s);
    call(&s, "f0", "%x,", "");
    call(&s, "g0", "%f0,", "");
    call(&s, "f1", "%g0,", "");
    call(&s, "b", "", " barrier=1");
    call(&s, "g1", "%f1,", "");
    call(&s, "f2", "%y,", "");
    call(&s, "g2", "%f2,", "");
    if (end(&s, "g1, b, g2")) {
        found(&s, "f0 g0, f2 g2", 2, 4);
    }
    stop(&s);
}

/* Keyword arguments in another order are identical, but no region has both. */
static void test_keywords(void)
{
    static const char *const keywords[] = {"a: %x, b: 1", "b: 1, a: %x"};
    subject s;
    begin(&s);
    for (uint32_t i = 0; i < 2u; i++) {
        t_puts(&s.script, i == 0u ? "    %f0" : "    %f1");
        t_puts(&s.script, " : [num_users=1] = call_function[target=op_f](args = (), kwargs = {");
        t_puts(&s.script, keywords[i]);
        t_puts(&s.script, "})  # f32[4]\n");
        call_at(&s, "g", i, "f", i);
    }
    if (end(&s, "g0, g1")) {
        found(&s, "", 0, 2);
    }
    stop(&s);
}

/* Of regions that need each other the first stays. */
static void test_cycles(void)
{
    subject s;
    if (knot(&s)) {
        found(&s, "f0 g0, f2 g2", 2, 4);
    }
    stop(&s);
}

/* f and g in turn, a hundred times. */
static int chain(subject *s)
{
    begin(s);
    call(s, "f0", "%x,", "");
    call(s, "g0", "%f0,", "");
    for (uint32_t i = 1; i < 100u; i++) {
        call_at(s, "f", i, "g", i - 1u);
        call_at(s, "g", i, "f", i);
    }
    return end(s, "g99");
}

/* In a large graph four nodes of a class begin; no step looks at more than 64 readers of a value,
 * nor at more than 256 nodes outside of a region. */
static void test_large(void)
{
    subject s;
    if (chain(&s)) {
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.saved, 198u);
    }
    stop(&s);
    begin(&s);
    call(&s, "f0", "%x,", "");
    call(&s, "f1", "%y,", "");
    call(&s, "g0", "%f0,", "");
    call(&s, "h0", "%f0,", "");
    call(&s, "g1", "%f1,", "");
    for (uint32_t i = 0; i < 300u; i++) {
        call_at(&s, "k", i, "f", 1);
    }
    call(&s, "h1", "%f1,", "");
    if (end(&s, "g0, h0, g1, h1")) {
        found(&s, "f0 g0 h0, f1 g1 h1", 3, 302);
    }
    stop(&s);
    for (uint32_t back = 0; back < 2u; back++) { /* from the values, or from their reader */
        begin(&s);
        call(&s, "f0", "%x,", "");
        call(&s, "f1", "%y,", "");
        for (uint32_t i = 0; i < 600u; i++) {
            call_at(&s, "k", i, "f", i & 1u);
        }
        call(&s, "l0", "%k0,", "");
        call(&s, "m0", "%l0,", "");
        call(&s, "g0", back ? "%m0, %f0" : "%f0, %m0", "");
        call(&s, "g1", back ? "%m0, %f1" : "%f1, %m0", "");
        if (end(&s, "g0, g1")) {
            T_EQUAL(run(&s), GSP_OK);
        }
        stop(&s);
    }
}

/* Without work the regions of the calls are what is left. */
static void test_calls(void)
{
    static uint32_t region_of[] = {0, 0, 1};
    subject s;
    if (layers(&s)) {
        gsp_dedup_selection calls = s.known.selection;
        s.desc.calls = &s.known.selection;
        s.desc.max_work = 1;
        found(&s, "f0 g0, f1 g1, f2 g2", 4, 4);
        s.desc.part_of = s.part;
        s.part[4] = 1; /* f1 */
        found(&s, "f0 g0, f2 g2", 2, 4);
        s.part[4] = s.part[5] = GSP_NONE;
        found(&s, "f0 g0, f2 g2", 2, 2);
        s.part[2] = s.part[3] = GSP_NONE;
        found(&s, "", 0, 0);
        s.desc.part_of = NULL;
        calls.region_of = region_of; /* a region twice counts once */
        s.desc.calls = &calls;
        found(&s, "f0 g0, f1 g1", 2, 4);
        region_of[2] = 0;
        found(&s, "", 0, 4);
        region_of[2] = 1;
    }
    stop(&s);
    if (knot(&s)) { /* the search found as much before */
        s.desc.calls = &s.known.selection;
        found(&s, "f0 g0, f2 g2", 2, 4);
    }
    stop(&s);
    begin(&s); /* a view of g0 keeps the search from it, but not the calls */
    call(&s, "f0", "%x,", "");
    call(&s, "g0", "%f0,", "");
    call(&s, "w", "%g0,", " alias=0");
    call(&s, "f1", "%y,", "");
    call(&s, "g1", "%f1,", "");
    call(&s, "f2", "%w,", "");
    call(&s, "g2", "%f2,", "");
    if (end(&s, "g0, g1, g2")) {
        found(&s, "f1 g1, f2 g2", 2, 3);
        s.desc.calls = &s.known.selection;
        found(&s, "f0 g0, f1 g1, f2 g2", 4, 4);
    }
    stop(&s);
}

static int count(void *user, uint64_t work)
{
    subject *s = (subject *)user;
    T_CHECK(work <= s->r.work || s->r.work == 0u);
    return ++s->calls == s->last;
}

static void test_progress(void)
{
    subject s;
    if (knot(&s)) {
        s.desc.progress = count;
        s.desc.progress_user = &s;
        T_EQUAL(run(&s), GSP_OK);
        T_EQUAL(s.r.stopped, 0u);
        T_EQUAL(s.r.saved, 2u);
        uint32_t const calls = s.calls;
        T_CHECK(calls > 20u);
        for (s.last = 1; s.last <= calls; s.last++) {
            s.calls = 0;
            s.r.work = 0;
            T_EQUAL(run(&s), GSP_OK);
            T_EQUAL(s.r.stopped, 1u);
            T_EQUAL(s.calls, s.last);
            T_CHECK(s.r.saved <= 2u);
        }
        T_EQUAL(s.r.saved, 2u);
    }
    stop(&s);
}

/* More work never finds less, and enough of it finds all. */
static void test_work(void)
{
    subject s;
    if (layers(&s)) {
        uint64_t before = 0;
        for (s.desc.max_work = 1; s.desc.max_work < 1000u; s.desc.max_work++) {
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.saved >= before);
            before = s.r.saved;
        }
        T_EQUAL(before, 4u);
        s.desc.max_work = UINT64_MAX;
        found(&s, "f0 g0, f1 g1, f2 g2", 4, 4);
    }
    stop(&s);
    if (chain(&s)) { /* a step ends once work has */
        for (s.desc.max_work = 1; s.desc.max_work < 3000u; s.desc.max_work += 13u) {
            T_EQUAL(run(&s), GSP_OK);
            T_CHECK(s.r.work < s.desc.max_work + 1000u);
        }
    }
    stop(&s);
}

/* Of two nodes with many arguments, each is compared with all before it: they are left out where
 * that takes more work than is left. */
static void test_wide(void)
{
    subject s;
    begin(&s);
    for (uint32_t i = 0; i < 2u; i++) {
        t_string args = {NULL, 0, 0};
        for (uint32_t k = 0; k < 64u; k++) {
            t_puts(&s.script, "    %p");
            t_number(&s.script, 64u * i + k);
            t_puts(&s.script, " : [num_users=0] = placeholder[target=p]  # f32[4]\n");
            t_puts(&args, "%p");
            t_number(&args, 64u * i + k);
            t_puts(&args, ", ");
        }
        call(&s, i == 0u ? "c0" : "c1", args.data, "");
        call_at(&s, "r", i, "c", i);
        t_free(&args);
    }
    if (end(&s, "r0, r1")) {
        s.desc.max_work = 1500;
        T_EQUAL(run(&s), GSP_OK);
        T_CHECK(s.r.work < 2u * s.desc.max_work);
    }
    stop(&s);
}

/* The search of cycles visits nodes without edges, too. */
static void test_alone(void)
{
    subject s;
    begin(&s);
    for (uint32_t i = 0; i < 500u; i++) {
        t_puts(&s.script, "    %a");
        t_number(&s.script, i);
        t_puts(&s.script, " : [num_users=0] = placeholder[target=a]  # f32[4]\n");
    }
    call(&s, "f0", "%x,", "");
    call(&s, "g0", "%f0,", "");
    call(&s, "f1", "%y,", "");
    call(&s, "g1", "%f1,", "");
    if (end(&s, "g0, g1")) {
        found(&s, "f0 g0, f1 g1", 2, 2);
        T_CHECK(s.r.work > 500u);
    }
    stop(&s);
}

static void test_refused(void)
{
    subject s;
    if (layers(&s)) {
        gsp_dedup_selection calls = s.known.selection;
        s.known.regions.classes.n_nodes++;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
        s.known.regions.classes.n_nodes--;
        s.known.regions.dependences.n_nodes++;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
        s.known.regions.dependences.n_nodes--;
        calls.n_nodes++;
        s.desc.calls = &calls;
        refused(&s, GSP_STATUS_ARG, GSP_DETAIL_RANGE);
        s.desc.calls = NULL;
        gsp_arena_init(
            &s.arena, s.arena.base, gsp_repeats_bound(&s.g, &s.known.regions, &s.desc) - 1u);
        T_EQUAL(gsp_repeats_run(&s.arena, &s.g, &s.known.regions, &s.desc, &s.r, &s.err),
            GSP_STATUS_NOMEM);
        T_EQUAL(s.err.need, s.arena.size + 1u);
        T_EQUAL(s.err.limit, s.arena.size);
        T_EQUAL(gsp_repeats_run(&s.arena, &s.g, &s.known.regions, &s.desc, &s.r, NULL),
            GSP_STATUS_NOMEM);
    }
    stop(&s);
}

/* Edges that 32 bits cannot count. */
static void test_too_many(void)
{
    gsp_module m;
    gsp_regions none;
    gsp_repeats_result r;
    gsp_arena arena;
    gsp_error err;
    unsigned char block[64];
    memset(&m, 0, sizeof m);
    memset(&none, 0, sizeof none);
    m.counts.graphs = 1u;
    m.counts.edges = 0xF0000000u;
    gsp_graph const g = {&m, 0u, 0u, 0u, NULL};
    gsp_arena_init(&arena, block, sizeof block);
    T_EQUAL(gsp_repeats_bound(&g, &none, NULL), SIZE_MAX);
    T_EQUAL(gsp_repeats_run(&arena, &g, &none, NULL, &r, &err), GSP_STATUS_OVERFLOW);
    T_EQUAL(err.detail, GSP_DETAIL_TOO_MANY);
}

void suite_unit_repeats(void)
{
    t_run("layers", test_layers);
    t_run("groups", test_groups);
    t_run("nothing", test_nothing);
    t_run("aggregate", test_aggregate);
    t_run("parts", test_parts);
    t_run("closed", test_closed);
    t_run("barrier", test_barrier);
    t_run("keywords", test_keywords);
    t_run("cycles", test_cycles);
    t_run("large", test_large);
    t_run("calls", test_calls);
    t_run("progress", test_progress);
    t_run("work", test_work);
    t_run("wide", test_wide);
    t_run("alone", test_alone);
    t_run("refused", test_refused);
    t_run("too_many", test_too_many);
}
