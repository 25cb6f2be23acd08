/* Single conditions that no other test decides alone. */
#include "tests/contract/subject.h"

static int open_placed(subject *s, const char *text)
{
    return open_text(s, text) &&
           T_EQUAL(gsp_support_run(&s->arena, &s->g, NULL, &s->p, &s->err), GSP_OK);
}

static const char chain[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4] acc=1 group=g\n"
    "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] acc=1\n"
    "    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4]\n"
    "    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[4] acc=1\n"
    "    return c\n";

/* ---- sinks that stop ---- */

typedef struct stopper {
    uint32_t calls;
    uint32_t last; /* this call refuses */
} stopper;

static int stops(void *user, const char *data, size_t size)
{
    stopper *const s = (stopper *)user;
    (void)data;
    (void)size;
    return ++s->calls == s->last;
}

/* No call follows the one that refuses, and the status says so. */
static void check_stop(subject *s, uint32_t which)
{
    stopper none = {0u, 0u};
    stopper stop = {0u, 0u};
    uint32_t k;
    for (k = 0; k == 0u || k <= none.calls; k++) {
        stopper *const w = k == 0u ? &none : &stop;
        gsp_draw_desc draw;
        static const uint32_t cluster_of[5] = {GSP_NONE, 0u, 1u, 2u, GSP_NONE};
        static const uint32_t begin[4] = {0u, 1u, 2u, 3u};
        static const gsp_node nodes[3] = {1u, 2u, 3u};
        static const uint8_t kinds[3] = {0u, 1u, 2u};
        gsp_str const names[3] = {{"a", 1u}, {"b", 1u}, {"c", 1u}};
        gsp_status status;
        memset(&draw, 0, sizeof(draw));
        draw.cluster_of = cluster_of;
        draw.cluster_begin = begin;
        draw.cluster_nodes = nodes;
        draw.cluster_names = names;
        draw.cluster_kind = kinds;
        draw.n_clusters = 3u;
        stop.calls = 0;
        stop.last = k;
        status = which == 0u   ? gsp_text_write(&s->m, NULL, stops, w, &s->err)
                 : which == 1u ? gsp_draw_module(&s->arena, &s->m, NULL, stops, w, &s->err)
                               : gsp_draw_graph(&s->g, &draw, stops, w, &s->err);
        T_EQUAL(status == GSP_OK, k == 0u);
        T_EQUAL(stop.calls, k);
    }
    T_CHECK(none.calls > 2u);
}

static void test_sinks(void)
{
    char text[2048];
    char name[301];
    subject s;
    memset(name, 'n', 300u);
    name[300] = '\0';
    snprintf(text, sizeof(text),
        "module main\ngraph():\n    %%x : [num_users=1] = placeholder[target=x]\n"
        "    %%a : [num_users=1] = call_module[target=sub](args = (%%x,), kwargs = {})\n"
        "    %%%s : [num_users=1] = call_function[target=f%s](args = (%%a,), kwargs = {})\n"
        "    %%b : [num_users=1] = call_function[target=g](args = (%%%s,), kwargs = {})\n"
        "    return b\n"
        "module sub\ngraph():\n    %%y : [num_users=1] = placeholder[target=y]\n    return y\n",
        name, name, name);
    if (open_placed(&s, text)) {
        check_stop(&s, 0u);
        check_stop(&s, 1u);
        check_stop(&s, 2u);
    }
    close_text(&s);
}

/* ---- texts and errors ---- */

static void test_texts(void)
{
    static const char *const texts[] = {"graph():\n%#\n    return None\n", "graph():\n  r#\n",
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %y : [num_users=0] = placeholder[target=y](default=%x)\n    return x\n",
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %y : [num_users=0] = placeholder[target=y](default=[1, %x])\n    return x\n"};
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(texts); i++) {
        gsp_arena arena;
        gsp_module m;
        gsp_error err;
        T_EQUAL(t_read(&arena, texts[i], strlen(texts[i]), &m, &err), GSP_STATUS_PARSE);
        T_EQUAL(err.line, i < 2u ? 2u : 3u);
        T_CHECK(i < 2u || err.detail == GSP_DETAIL_DEFAULT);
        t_arena_close(&arena);
    }
}

static void check_message(const gsp_error *err, const gsp_graph *g, const char *expected)
{
    t_string s = {NULL, 0u, 0u};
    T_EQUAL(gsp_error_write(err, g, t_sink, &s), GSP_OK);
    T_STRING(s.data, expected);
    t_free(&s);
}

/* A need without a limit, and items that are not there. */
static void test_messages(void)
{
    subject s;
    gsp_error err;
    if (open_placed(&s, chain)) {
        memset(&err, 0, sizeof(err));
        err.status = GSP_STATUS_ARG;
        err.node = err.other = GSP_NONE;
        err.need = 5u;
        err.limit = 4u;
        t_string plain = {NULL, 0u, 0u};
        T_EQUAL(gsp_error_write(&err, NULL, t_sink, &plain), GSP_OK);
        T_CHECK(strstr(plain.data, "reached") == NULL && strstr(plain.data, "5") == NULL);
        err.node = 1u;
        err.what = GSP_WHAT_COUNT;
        check_message(&err, &s.g, plain.data);
        err.what = GSP_WHAT_NONE;
        check_message(&err, &s.g, plain.data);
        t_puts(&plain, ", graph 1");
        err.what = GSP_WHAT_GRAPH;
        check_message(&err, &s.g, plain.data);
        check_message(&err, NULL, plain.data);
        t_free(&plain);
        err.what = GSP_WHAT_PART;
        err.status = GSP_STATUS_OVERFLOW;
        T_EQUAL(gsp_error_write(&err, &s.g, t_sink, &plain), GSP_OK);
        T_CHECK(strstr(plain.data, ", part 1, 5 reached, 4 allowed") != NULL);
        t_free(&plain);
    }
    close_text(&s);
}

static void test_tables(void)
{
    gsp_str const none = {NULL, 0u};
    gsp_table table;
    subject s;
    memset(&s, 0, sizeof(s));
    t_arena_open(&s.arena, 4096u);
    T_EQUAL(gsp_table_read(&s.arena, none, &table, &s.err), GSP_OK);
    T_EQUAL(table.n_entries, 0);
    T_EQUAL(gsp_table_read(&s.arena, gsp_str_of("a*b"), &table, NULL), GSP_STATUS_PARSE);
    t_arena_close(&s.arena);
}

/* ---- the builder ---- */

static void start(subject *s, gsp_builder *b)
{
    gsp_counts const counts = gsp_build_counts(2u, 20u, 40u, 20u, 80u, 2000u);
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, gsp_build_bound(&counts));
    T_EQUAL(gsp_build_init(b, &s->arena, &counts, &s->err), GSP_OK);
}

static const char typed[] =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4] bytes=3 my=own\n"
    "    return x\n";

/* Attributes that a node cannot take. */
static void test_attributes(void)
{
    uint32_t i;
    for (i = 0; i < 4u; i++) {
        subject s;
        gsp_arena arena;
        gsp_builder b;
        gsp_module m;
        gsp_module adopted;
        if (t_must_read(&arena, typed, &adopted)) {
            gsp_graph const g = gsp_module_graph(&adopted, 0u);
            start(&s, &b);
            if (i < 2u) {
                gsp_build_adopt(&b, &adopted);
            }
            gsp_build_graph(&b, gsp_str_of("main"));
            (void)gsp_build_node(&b, GSP_OP_PLACEHOLDER, gsp_str_of("x"), gsp_str_of("x"));
            if (i == 0u) { /* a shared list cannot grow */
                gsp_build_like(&b, &g, 0u, 1);
                gsp_build_attr(&b, gsp_str_of("k"), gsp_str_of("1"));
            } else if (i == 1u) {
                gsp_build_attr(&b, gsp_str_of(":"), gsp_str_of("a b"));
                gsp_build_attr(&b, gsp_str_of(":"), gsp_str_of("c d"));
            } else if (i == 2u) { /* the string of bytes= is not there */
                while (b.used.attrs <= adopted.attr[0]) {
                    gsp_build_attr(&b, gsp_str_of("x"), gsp_str_of("x"));
                }
                while (b.used.strings <= adopted.type[0]) {
                    char name[8];
                    snprintf(name, sizeof(name), "s%u", (unsigned)b.used.strings);
                    (void)gsp_build_atom(&b, gsp_str_of(name));
                }
                gsp_build_like(&b, &g, 0u, 0);
            } else {
                (void)gsp_build_output(&b);
                gsp_build_constant(&b, gsp_str_of("None"));
                gsp_build_attr(&b, gsp_str_of(":"), gsp_str_of("a b"));
            }
            GIVES(gsp_build_finish(&b, &m, &s.err), ARG, ANNOTATION);
            t_arena_close(&s.arena);
        }
        t_arena_close(&arena);
    }
}

/* A constant that would read back as an empty list, and one that says the name of a reserved
 * node. */
static void test_constants(void)
{
    static const gsp_arg_kind kinds[3] = {GSP_ARG_TUPLE, GSP_ARG_LIST, GSP_ARG_SLICE};
    char const nul[3] = {'a', '\0', 'b'};
    gsp_str const broken = {nul, 3u};
    subject s;
    gsp_builder b;
    gsp_module m;
    uint32_t i;
    for (i = 0; i < 5u; i++) {
        start(&s, &b);
        gsp_build_graph(&b, gsp_str_of(i == 4u ? "main " : "main"));
        (void)gsp_build_node(
            &b, GSP_OP_CALL_FUNCTION, gsp_str_of("f"), i == 3u ? broken : gsp_str_of("f"));
        if (i < 3u) {
            gsp_build_open(&b, kinds[i]);
            gsp_build_constant(&b, gsp_str_of(" "));
            gsp_build_close(&b);
        } else {
            gsp_build_reserve(&b, gsp_build_name(&b, gsp_str_of("r")));
            gsp_build_constant(&b, gsp_str_of("1,%r"));
        }
        (void)gsp_build_output(&b);
        gsp_build_arg_node(&b, 0u);
        if (i == 0u) {
            GIVES(gsp_build_finish(&b, &m, &s.err), OK, NONE);
        } else if (i < 3u) {
            GIVES(gsp_build_finish(&b, &m, &s.err), ARG, CONSTANT);
        } else if (i == 3u) {
            GIVES(gsp_build_finish(&b, &m, &s.err), ARG, TARGET);
        } else {
            GIVES(gsp_build_finish(&b, &m, &s.err), ARG, MODULE_NAME);
        }
        t_arena_close(&s.arena);
    }
    start(&s, &b);
    gsp_build_graph(&b, gsp_str_of("main"));
    (void)gsp_build_node(&b, GSP_OP_CALL_FUNCTION, gsp_str_of("f"), gsp_str_of("f"));
    gsp_build_reserve(&b, gsp_build_name(&b, gsp_str_of("r")));
    gsp_build_constant(&b, gsp_str_of("1,%r")); /* hides no node: there is none yet */
    (void)gsp_build_output(&b);
    gsp_build_arg_node(&b, 0u);
    GIVES(gsp_build_finish(&b, &m, &s.err), OK, NONE);
    t_arena_close(&s.arena);
}

/* Free names by definition: the wanted one, else its base with the least free greater number. */
static void test_free_names(void)
{
    uint32_t const rounds = t_fast ? 300u : 3000u;
    t_rng rng;
    uint32_t k;
    rng.state = t_seed ^ 0xF4u;
    for (k = 0; k < rounds && !t_failed(); k++) {
        uint8_t taken[2][64]; /* base or base_N */
        subject s;
        gsp_builder b;
        uint32_t i;
        memset(taken, 0, sizeof(taken));
        start(&s, &b);
        gsp_build_graph(&b, gsp_str_of("main"));
        for (i = 0; i < 18u; i++) {
            uint32_t const base = t_below(&rng, 2u);
            uint32_t number = t_chance(&rng, 30u) ? 0u : 1u + t_below(&rng, 9u) * t_below(&rng, 3u);
            char wanted[16];
            char expected[16];
            gsp_atom atom;
            snprintf(wanted, sizeof(wanted), number == 0u ? "%s" : "%s_%u",
                base == 0u ? "a" : "bb1", (unsigned)number);
            while (taken[base][number] != 0u) {
                number++;
            }
            taken[base][number] = 1;
            snprintf(expected, sizeof(expected), number == 0u ? "%s" : "%s_%u",
                base == 0u ? "a" : "bb1", (unsigned)number);
            atom = gsp_build_name(&b, gsp_str_of(wanted));
            (void)gsp_build_node_atoms(
                &b, GSP_OP_CALL_FUNCTION, atom, gsp_build_atom(&b, gsp_str_of("f")));
            T_CHECK(atom == gsp_build_atom(&b, gsp_str_of(expected)));
        }
        T_EQUAL(b.error.status, GSP_OK);
        t_arena_close(&s.arena);
    }
}

/* ---- placements, tags, parts ---- */

static void test_names_of_parts(void)
{
    static const char *const bad[] = {"", " a", "a ", "a\nb", "a](args = (b", "a\rb"};
    static const uint32_t tag_of[5] = {GSP_NONE, 0u, 0u, 0u, GSP_NONE};
    subject s;
    uint32_t i;
    if (open_placed(&s, chain)) {
        gsp_split_by_tags_desc desc;
        gsp_split_by_tags_result result;
        gsp_str name;
        memset(&desc, 0, sizeof(desc));
        desc.n_tags = 1u;
        desc.tag_of = tag_of;
        desc.names = &name;
        for (i = 0; i < T_COUNT_OF(bad); i++) {
            name = gsp_str_of(bad[i]);
            GIVES(gsp_split_by_tags_run(&s.arena, &s.g, &desc, &result, &s.err), ARG, TAG_NAME);
        }
        name = gsp_str_of("t");
        T_EQUAL(gsp_split_by_tags_run(&s.arena, &s.g, &desc, &result, &s.err), GSP_OK);
        T_EQUAL(result.graph_of[1], 1u);
        T_EQUAL(result.node_of[1], 1u);
        T_CHECK(gsp_split_by_tags_bound(&s.g, NULL) <= gsp_split_by_tags_bound(&s.g, &desc));
        desc.n_tags = 0u;
        desc.names = NULL;
        T_CHECK(gsp_split_by_tags_run(&s.arena, &s.g, &desc, &result, &s.err) == GSP_STATUS_ARG);
        T_CHECK(
            s.err.detail != GSP_DETAIL_NULL_ARGUMENT); /* no names are fine, but not these tags */
    }
    close_text(&s);
}

/* A part without a name gets its number; groups in two phases are refused. */
static void test_numbered_parts(void)
{
    static const uint32_t part_of[5] = {GSP_NONE, 0u, 0u, 0u, GSP_NONE};
    static const uint32_t phase[5] = {0u, 0u, 1u, 2u, 0u};
    gsp_str const none = {NULL, 0u};
    subject s;
    if (open_placed(&s, chain)) {
        gsp_split_module_desc parts;
        gsp_split_module_result made;
        gsp_split_desc split;
        gsp_split_result result;
        memset(&parts, 0, sizeof(parts));
        memset(&split, 0, sizeof(split));
        parts.n_parts = 1u;
        parts.part_of = part_of;
        parts.names = &none;
        T_EQUAL(gsp_split_module_run(&s.arena, &s.g, &parts, &made, &s.err), GSP_OK);
        split.placement = &s.p;
        split.phase = phase;
        T_EQUAL(gsp_split_run(&s.arena, &s.g, &split, &result, &s.err), GSP_OK);
        s.p.group[1] = s.p.group[3] = 1u;
        GIVES(gsp_split_run(&s.arena, &s.g, &split, &result, &s.err), ARG, TAG);
    }
    close_text(&s);
}

static void test_placements(void)
{
    static const char *const names[2] = {"host", "a_rather_long_name_of_a_device"};
    subject s;
    if (open_placed(&s, chain)) {
        gsp_split_desc split;
        gsp_split_result result;
        gsp_split_subgraphs_desc subgraphs;
        gsp_split_subgraphs_result made;
        gsp_support_desc many;
        gsp_placement p = s.p;
        memset(&split, 0, sizeof(split));
        memset(&subgraphs, 0, sizeof(subgraphs));
        memset(&many, 0, sizeof(many));
        split.placement = &p;
        p.group[0] = 0u; /* of a placeholder */
        GIVES(gsp_split_run(&s.arena, &s.g, &split, &result, &s.err), ARG, KIND);
        p.group[0] = GSP_NONE;
        T_EQUAL(gsp_split_run(&s.arena, &s.g, &split, &result, &s.err), GSP_OK);
        T_EQUAL(result.n_subgraphs, 3);
        p.n_kinds = 0u;
        T_CHECK(gsp_split_bound(&s.g, &split) > 0u);
        many.n_accelerators = 255u;
        GIVES(gsp_support_run(&s.arena, &s.g, &many, &p, &s.err), ARG, RANGE);
        T_STRING(s.err.field, "n_accelerators");
        subgraphs.split.names = names;
        T_EQUAL(gsp_split_subgraphs_run(&s.arena, &s.g, &subgraphs, &made, &s.err), GSP_OK);
        T_EQUAL(made.split.n_subgraphs, 3);
        subgraphs.split.names = NULL;
        subgraphs.support.n_accelerators = 255u;
        GIVES(gsp_split_subgraphs_run(&s.arena, &s.g, &subgraphs, &made, &s.err), ARG, RANGE);
    }
    close_text(&s);
}

/* acc= of a node that is not called names no accelerator that must be there. */
static void test_acc_of_inputs(void)
{
    subject s;
    if (open_placed(&s,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4] acc=7\n"
            "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})"
            "  # f32[4] acc=1\n    return a\n")) {
        T_EQUAL(s.p.kind[0], GSP_KIND_NONE);
        T_EQUAL(s.p.kind[1], 1);
    }
    close_text(&s);
}

/* A getitem of nothing, and one without an index. */
static void test_elements(void)
{
    subject s;
    if (open_placed(&s,
            "graph():\n    %x : [num_users=2] = placeholder[target=x]"
            "  # tuple(f32[4], f32[4])\n"
            "    %a : [num_users=0] = call_function[target=operator.getitem](args = (), "
            "kwargs = {})\n"
            "    %b : [num_users=0] = call_function[target=operator.getitem](args = (%x, "
            "), kwargs = {})\n"
            "    %c : [num_users=0] = call_function[target=operator.getitem](args = (%x, "
            "-1), kwargs = {})\n    return x\n")) {
        T_EQUAL(gsp_node_element(&s.g, 1u), GSP_NONE);
        T_EQUAL(gsp_node_element(&s.g, 2u), GSP_NONE);
        T_EQUAL(gsp_node_element(&s.g, 3u), 1u);
        T_EQUAL(gsp_node_element_of(&s.g, 2u, 2u), GSP_NONE);
    }
    close_text(&s);
}

static void test_drawings(void)
{
    static const uint32_t begin[2] = {0u, 1u};
    static const uint32_t cluster_of[5] = {GSP_NONE, 0u, GSP_NONE, GSP_NONE, GSP_NONE};
    static const gsp_node nodes[1] = {1u};
    gsp_str const names[1] = {{"inner", 5u}};
    subject s;
    if (open_placed(&s, chain)) {
        t_string drawn = {NULL, 0u, 0u};
        gsp_draw_desc draw;
        memset(&draw, 0, sizeof(draw));
        draw.attributes = "rankdir=LR, ";
        draw.n_clusters = 1u;
        draw.cluster_of = cluster_of;
        draw.cluster_begin = begin;
        draw.cluster_nodes = nodes;
        draw.cluster_names = names;
        T_EQUAL(gsp_draw_graph(&s.g, &draw, t_sink, &drawn, &s.err), GSP_OK);
        T_CHECK(strstr(drawn.data, "rankdir=LR, ") != NULL);
        T_CHECK(strstr(drawn.data, "inner") != NULL);
        T_CHECK(strstr(drawn.data, gsp_draw_fill(GSP_KIND_NONE)) != NULL);
        T_STRING(gsp_draw_fill(GSP_KIND_CPU), "#fdebc8");
        T_STRING(gsp_draw_fill(2u), "#cfe6f7");
        T_STRING(gsp_draw_fill(4u), "#d8dcf0");
        T_STRING(gsp_draw_fill(9u), "#d8dcf0");
        t_free(&drawn);
    }
    close_text(&s);
}

static void test_cuts(void)
{
    gsp_min_cut_desc desc;
    gsp_min_cut_result result;
    subject s;
    memset(&s, 0, sizeof(s));
    memset(&desc, 0, sizeof(desc));
    desc.n_nodes = 2u;
    t_arena_open(&s.arena, gsp_min_cut_bound(&desc));
    T_EQUAL(gsp_min_cut_run(&s.arena, &desc, &result, &s.err), GSP_OK);
    T_EQUAL(result.value, 0);
    t_arena_close(&s.arena);
}

/* ---- callbacks that stop, whatever the traversal ---- */

typedef struct judge {
    uint32_t calls;
    uint32_t last; /* this call stops */
    uint32_t salt;
} judge;

static int judges(void *user, const gsp_graph *graph, const gsp_bitset *set)
{
    judge *const j = (judge *)user;
    uint32_t sum = j->salt;
    gsp_node v;
    (void)graph;
    for (v = gsp_bitset_next(set, 0u); v != GSP_NONE; v = gsp_bitset_next(set, v + 1u)) {
        sum = sum * 33u + v;
    }
    return ++j->calls == j->last ? -1 : (int)((sum >> 3) & 1u);
}

static void test_minimize_stops(void)
{
    subject s;
    uint32_t traversal;
    uint32_t salt;
    if (open_placed(&s, chain)) {
        static const uint32_t bad_group[5] = {GSP_NONE, 9u, GSP_NONE, GSP_NONE, GSP_NONE};
        static const gsp_node not_called[1] = {0u};
        static const gsp_node beyond[1] = {9u};
        gsp_minimize_desc desc;
        gsp_minimize_result result;
        judge j;
        memset(&desc, 0, sizeof(desc));
        desc.fails = judges;
        desc.user = &j;
        for (traversal = 0; traversal < GSP_TRAVERSAL_COUNT; traversal++) {
            for (salt = 0; salt < 40u; salt++) {
                uint32_t n;
                gsp_mark const mark = gsp_arena_mark(&s.arena);
                desc.traversal = traversal;
                desc.find_all = salt & 1u;
                j.calls = j.last = 0;
                j.salt = salt;
                T_EQUAL(gsp_minimize_run(&s.arena, &s.g, &desc, &result, &s.err), GSP_OK);
                n = j.calls;
                T_EQUAL(result.n_tests, n);
                gsp_arena_rewind(&s.arena, mark);
                for (j.last = 1; j.last <= n; j.last++) {
                    j.calls = 0;
                    GIVES(gsp_minimize_run(&s.arena, &s.g, &desc, &result, &s.err), LIMIT, STOPPED);
                    T_EQUAL(j.calls, j.last);
                }
            }
        }
        desc.nodes = not_called;
        desc.n_nodes = 1u;
        GIVES(gsp_minimize_run(&s.arena, &s.g, &desc, &result, &s.err), ARG, RANGE);
        desc.nodes = beyond;
        GIVES(gsp_minimize_run(&s.arena, &s.g, &desc, &result, &s.err), ARG, RANGE);
        desc.nodes = NULL;
        desc.group = bad_group;
        GIVES(gsp_minimize_run(&s.arena, &s.g, &desc, &result, &s.err), ARG, KIND);
    }
    close_text(&s);
}

static void test_grow_kinds(void)
{
    subject s;
    if (open_placed(&s, chain)) {
        uint8_t const mixed[5] = {GSP_KIND_NONE, 1u, 2u, 1u, GSP_KIND_NONE};
        uint8_t const again[5] = {GSP_KIND_NONE, 1u, 2u, 2u, GSP_KIND_NONE};
        uint32_t of[5] = {GSP_NONE, 0u, 0u, 0u, GSP_NONE};
        gsp_subgraph_grow_desc desc;
        memset(&desc, 0, sizeof(desc));
        desc.kind = mixed;
        GIVES(gsp_subgraph_grow_run(&s.arena, &s.g, &desc, of, NULL, &s.err), ARG, KIND);
        desc.kind = again;
        GIVES(gsp_subgraph_grow_run(&s.arena, &s.g, &desc, of, NULL, &s.err), ARG, KIND);
    }
    close_text(&s);
}

static void test_sets_of_nodes(void)
{
    static const char crossing[] =
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})\n"
        "    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})\n"
        "    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})\n"
        "    %d : [num_users=1] = call_function[target=f](args = (%c,), kwargs = {})\n"
        "    %e : [num_users=1] = call_function[target=f](args = (%d,), kwargs = {})\n"
        "    return e\n";
    subject s;
    if (open_placed(&s, crossing)) {
        uint32_t words[1];
        gsp_bitset const set = {words, 32u};
        uint32_t tag_of[7];
        words[0] = (1u << 1) | (1u << 3) | (1u << 5); /* two come too late; the first is named */
        T_EQUAL(gsp_minimize_tags(&s.g, &set, tag_of), 3u);
        T_EQUAL(tag_of[2], 2);
    }
    close_text(&s);
}

/* ---- partitions ---- */

static int is_embedding(void *user, const gsp_graph *graph, gsp_node node)
{
    (void)user;
    return gsp_str_equal(gsp_node_name(graph, node), gsp_str_of("e"));
}

static void test_embeddings(void)
{
    subject s;
    if (open_placed(&s,
            "graph():\n    %x : [num_users=2] = placeholder[target=x]  # i64[4] bytes=8\n"
            "    %e : [num_users=1] = call_module[target=m.e](args = (%x,), kwargs = {})"
            "  # f32[4] bytes=8 params=8 module=Table\n"
            "    %f : [num_users=1] = call_module[target=m.f](args = (%x,), kwargs = {})"
            "  # f32[4] bytes=8 params=8 module=Linear\n"
            "    %g : [num_users=1] = call_function[target=g](args = (%e, %f), kwargs = "
            "{})  # f32[4] bytes=8\n    return g\n")) {
        gsp_device const devices[2] = {{{"a", 1u}, 64u, 0u}, {{"b", 1u}, 64u, 1u}};
        gsp_partition_desc desc;
        gsp_assignment a;
        memset(&desc, 0, sizeof(desc));
        desc.mode = GSP_PARTITION_SPARSE;
        desc.devices = devices;
        desc.n_devices = 2u;
        T_EQUAL(gsp_assign_run(&s.arena, &s.g, &desc, &a, &s.err), GSP_OK);
        T_EQUAL(a.part_of[1], a.part_of[2]); /* no class contains "Embedding" */
        desc.is_embedding = is_embedding;
        T_EQUAL(gsp_assign_run(&s.arena, &s.g, &desc, &a, &s.err), GSP_OK);
        T_CHECK(a.part_of[1] != a.part_of[2]);
        T_CHECK(gsp_assign_bound(&s.g, NULL) > 0u && gsp_partition_bound(&s.g, NULL) > 0u);
    }
    close_text(&s);
}

/* Writes order nodes beyond the data: partitions respect that too, whatever the mode. */
static void check_order(const subject *s, const gsp_order *order, const gsp_assignment *a)
{
    uint8_t reach[64][64];
    uint32_t n = a->n_parts;
    gsp_node v;
    uint32_t i;
    uint32_t k;
    memset(reach, 0, sizeof(reach));
    for (v = 0; v < s->g.n_nodes; v++) {
        for (i = order->before.begin[v]; i < order->before.begin[v + 1u]; i++) {
            uint32_t const p = a->part_of[order->before.at[i]];
            uint32_t const q = a->part_of[v];
            if (p != GSP_NONE && q != GSP_NONE && p != q) {
                reach[p][q] = 1;
            }
        }
    }
    for (k = 0; k < n; k++) {
        for (i = 0; i < n; i++) {
            for (v = 0; v < n; v++) {
                reach[i][v] |= (uint8_t)(reach[i][k] & reach[k][v]);
            }
        }
    }
    for (k = 0; k < n; k++) {
        T_CHECK(reach[k][k] == 0u);
    }
}

static void write_order(t_rng *rng, t_string *s)
{
    uint32_t const n = 3u + t_below(rng, 12u);
    uint32_t i;
    s->size = 0;
    t_puts(s, "graph():\n    %n0 : [num_users=0] = placeholder[target=x]  # f32[4]\n"
              "    %n1 : [num_users=0] = placeholder[target=y]  # f32[4]\n");
    for (i = 2; i < n; i++) {
        int const writes = t_chance(rng, 30u);
        t_puts(s, "    %n");
        t_number(s, i);
        t_puts(s, " : [num_users=0] = call_function[target=f](args = (%n");
        t_number(s, writes ? t_below(rng, 2u) : t_below(rng, i));
        t_puts(s, ", %n");
        t_number(s, t_below(rng, i));
        t_puts(s, "), kwargs = {})  # f32[4] compute=0.5");
        t_puts(s, writes ? " mutates=0\n" : "\n");
    }
    t_puts(s, "    return n");
    t_number(s, n - 1u);
    t_puts(s, "\n");
}

static void test_ordered(void)
{
    uint32_t const rounds = t_fast ? 300u : 3000u;
    t_rng rng;
    t_string text = {NULL, 0u, 0u};
    uint32_t k;
    uint32_t good = 0;
    rng.state = t_seed ^ 0x0Du;
    for (k = 0; k < rounds && !t_failed(); k++) {
        subject s;
        write_order(&rng, &text);
        if (open_placed(&s, text.data)) {
            gsp_device devices[3];
            gsp_dependences dependences;
            gsp_order order;
            gsp_partition_desc desc;
            gsp_assignment a;
            uint32_t i;
            T_EQUAL(gsp_dependences_run(&s.arena, &s.g, NULL, &dependences, &s.err), GSP_OK);
            T_EQUAL(gsp_order_run(&s.arena, &s.g, &dependences, &order, &s.err), GSP_OK);
            s.g.order = &order;
            memset(&desc, 0, sizeof(desc));
            for (i = 0; i < 3u; i++) {
                devices[i].name = gsp_str_of("d");
                devices[i].id = i;
                devices[i].bytes = 32u + 16u * t_below(&rng, 8u);
            }
            desc.devices = devices;
            desc.n_devices = 3u;
            desc.n_sweeps = t_below(&rng, 3u);
            desc.has_rate = 1u;
            desc.transfer_rate = 8.0;
            for (desc.mode = 0; desc.mode < GSP_PARTITION_AOT; desc.mode++) {
                if (gsp_assign_run(&s.arena, &s.g, &desc, &a, &s.err) == GSP_OK) {
                    good++;
                    check_order(&s, &order, &a);
                }
            }
        }
        if (t_failed()) {
            printf("%s", text.data);
        }
        close_text(&s);
    }
    T_CHECK(good > rounds / 2u);
    t_free(&text);
}

void suite_contract_edges(void)
{
    t_run("sinks", test_sinks);
    t_run("texts", test_texts);
    t_run("messages", test_messages);
    t_run("tables", test_tables);
    t_run("attributes", test_attributes);
    t_run("constants", test_constants);
    t_run("free_names", test_free_names);
    t_run("names_of_parts", test_names_of_parts);
    t_run("numbered_parts", test_numbered_parts);
    t_run("placements", test_placements);
    t_run("acc_of_inputs", test_acc_of_inputs);
    t_run("elements", test_elements);
    t_run("drawings", test_drawings);
    t_run("cuts", test_cuts);
    t_run("minimize_stops", test_minimize_stops);
    t_run("grow_kinds", test_grow_kinds);
    t_run("sets_of_nodes", test_sets_of_nodes);
    t_run("embeddings", test_embeddings);
    t_run("ordered", test_ordered);
}
