/* Fusion groups alone: cases A16 and A17, F1, and atomic groups. */
#include "tests/t.h"

#define X "graph():\n    %x : [num_users=9] = placeholder[target=x]  # f32[1, 1, 1]\n"
#define FN(name, args, note) \
    "    %" name " : [num_users=1] = call_function[target=f](args = (" args \
    "), kwargs = {})  # " note "\n"

static const char a16[] = X FN("size", "%x,", "tuple acc=1") FN("add", "%x, %x", "f32[1] acc=1")
    FN("getitem", "%size, 0", "int acc=1") FN("getitem_1", "%size, 1", "int acc=1")
        FN("getitem_2", "%size, 2", "int acc=1")
            FN("view", "%x, %getitem_1, %getitem, -1", "f32[1] acc=1")
                FN("add_1", "%view, %view", "f32[1] acc=1")
                    FN("add_2", "%add_1, %getitem_2", "f32[1] acc=1") "    return (add, add_2)\n";

static const char f1[] = X FN("size", "%x, 0", "int acc=1") FN("add", "%x, %size", "f32[1] acc=1")
    FN("size_1", "%x, 1", "int acc=1") FN("add_1", "%x, %size_1", "f32[1] acc=1")
        FN("add_2", "%add, %add_1", "f32[1] acc=1") FN("mul", "%add_2, %size", "f32[1] acc=1")
            FN("mul_1", "%add_2, %size_1", "f32[1] acc=1") "    return (mul, mul_1)\n";

typedef struct fused {
    gsp_arena arena;
    gsp_module m;
    gsp_graph g;
    gsp_placement p;
    gsp_fuse_result r;
    gsp_error err;
} fused;

static int run(fused *s, const char *text)
{
    memset(s, 0, sizeof(*s));
    t_arena_open(&s->arena, 65536u);
    if (!T_EQUAL(gsp_text_read(&s->arena, text, strlen(text), NULL, &s->m, &s->err), GSP_OK)) {
        return 0;
    }
    s->g = gsp_module_graph(&s->m, 0u);
    return T_EQUAL(gsp_support_run(&s->arena, &s->g, NULL, &s->p, &s->err), GSP_OK) &&
           T_EQUAL(gsp_fuse_run(&s->arena, &s->g, NULL, &s->p, &s->r, &s->err), GSP_OK);
}

/* Kind and group of every callable node: "1a" is on the accelerator in the first group met. */
static const char *groups(const fused *s)
{
    static char line[256];
    gsp_node v;
    size_t n = 0;
    for (v = 0; v < s->p.n_nodes; v++) {
        if (s->p.kind[v] != GSP_KIND_NONE) {
            line[n++] = (char)('0' + s->p.kind[v]);
            line[n++] = s->p.group[v] == GSP_NONE ? '-' : (char)('a' + s->p.group[v]);
        }
    }
    line[n] = '\0';
    return line;
}

static void check(const char *text, const char *expected, uint32_t n_groups, int line)
{
    fused s;
    if (run(&s, text)) {
        t_check_text(gsp_str_of(groups(&s)), expected, __FILE__, line, "kinds and groups");
        t_check_equal(s.r.n_groups, n_groups, __FILE__, line, "number of groups");
    }
    t_arena_close(&s.arena);
}
#define FUSES(text, expected, n) check((text), (expected), (n), __LINE__)

static void test_a16(void)
{
    FUSES(a16, "1a1-1a1a1a1a1a1a", 1u);
}

/* A graph without inputs: its first node may be what needs a group. */
static void test_first_node(void)
{
    FUSES("graph():\n" FN("size", "3", "int acc=1")
              FN("add", "%size", "f32[1] acc=1") "    return add\n",
        "1a1a", 1u);
}

static void test_no_scalars(void)
{
    fused s;
    FUSES(X FN("a", "%x,", "f32[1] acc=1") FN("b", "%a,", "f32[1] acc=1") "    return b\n", "1-1-",
        0u);
    if (run(&s, X FN("a", "%x,", "tuple(f32[1]) acc=1")
                    FN("b", "%a,", "f32[1] acc=1") "    return b\n")) {
        T_STRING(groups(&s), "1-1-");
        T_CHECK(s.r.order == NULL);
    }
    t_arena_close(&s.arena);
}

static void test_interlocked(void)
{
    FUSES(f1, "1a1a1a1a1a1a1a", 1u);
}

/* A scalar that nobody reads is a group of one. */
static void test_single(void)
{
    FUSES(
        X FN("a", "%x,", "int acc=1") FN("b", "%x,", "f32[1] acc=1") "    return b\n", "1a1-", 1u);
}

/* A group with a CPU node on a path between two members falls, and takes along a group that
 * shares a member with it: n1 -> cpu -> n2 with n1 -> n2; n2 is read by a second scalar's
 * reader. */
static void test_falls(void)
{
    FUSES(X FN("n1", "%x,", "int acc=1") FN("u", "%n1, %x", "f32[1] acc=1") FN(
              "cpu", "%u,", "f32[1] acc=0") FN("v", "%n1, %cpu", "f32[1] acc=1") "    return v\n",
        "0-0-0-0-", 0u);
    FUSES(X FN("n1", "%x,", "int acc=1") FN("n2", "%x,", "int acc=1") FN("u", "%n1, %n2",
              "f32[1] acc=1") FN("cpu", "%u,", "f32[1] acc=0") FN("v", "%n1, %cpu", "f32[1] acc=1")
              FN("w", "%n2,", "f32[1] acc=1") "    return (v, w)\n",
        "0-0-0-0-0-0-", 0u);
}

/* Atomic groups: on an accelerator, closed over what lies between. */
static void test_atomic(void)
{
    FUSES(X FN("a", "%x,", "acc=1 group=g") FN("b", "%a,", "acc=1") FN("c", "%b,", "acc=1 group=g")
              FN("d", "%x,", "acc=1") "    return (c, d)\n",
        "1a1a1a1-", 1u);
    FUSES(X FN("a", "%x,", "acc=1 group=g") FN("b", "%a,", "acc=0") FN("c", "%b,", "acc=1 group=g")
              FN("d", "%x,", "acc=1") "    return (c, d)\n",
        "0a0a0a1-", 1u);
    FUSES(X FN("a", "%x,", "acc=0 group=g") FN("b", "%a,", "acc=1")
              FN("c", "%b,", "acc=0 group=g") "    return c\n",
        "0a0a0a", 1u);
}

/* Two atomic groups that wait for each other are one. */
static void test_waiting(void)
{
    FUSES(X FN("a1", "%x,", "acc=1 group=a") FN("b1", "%x,", "acc=1 group=b") FN("a2", "%b1,",
              "acc=1 group=a") FN("b2", "%a1,", "acc=1 group=b") "    return (a2, b2)\n",
        "1a1a1a1a", 1u);
    FUSES(X FN("a1", "%x,", "acc=1 group=a") FN("b1", "%x,", "acc=0 group=b") FN("a2", "%b1,",
              "acc=1 group=a") FN("b2", "%a1,", "acc=0 group=b") "    return (a2, b2)\n",
        "0a0a0a0a", 1u);
}

/* A cycle through three groups, none of which waits for another directly both ways. */
static void test_waiting_in_a_ring(void)
{
    FUSES(X FN("a1", "%x,", "acc=1 group=a") FN("b1", "%x,", "acc=1 group=b") FN("c1", "%x,",
              "acc=1 group=c") FN("a2", "%c1,", "acc=1 group=a") FN("b2", "%a1,", "acc=1 group=b")
              FN("c2", "%b1,", "acc=1 group=c") "    return (a2, b2, c2)\n",
        "1a1a1a1a1a1a", 1u);
}

/* Two groups wait for each other around c, a scalar on the CPU: what falls is closed again, and
 * so takes along w, which reads c. */
static void test_waiting_around_a_cpu_scalar(void)
{
    FUSES(X FN("s1", "%x,", "int acc=1") FN("u1", "%s1,", "f32[1] acc=1") FN(
              "c", "%u1,", "int acc=0") FN("d", "%c,", "f32[1] acc=1") FN("s2", "%x,", "int acc=1")
              FN("u2", "%d, %s2", "f32[1] acc=1") FN("v2", "%s2,", "f32[1] acc=1")
                  FN("v1", "%s1, %v2", "f32[1] acc=1") FN("w", "%c,", "f32[1] acc=1")
                      FN("y", "%x,", "f32[1] acc=1") "    return (u2, v1, w, y)\n",
        "0-0-0-0-0-0-0-0-0-1-", 0u);
}

static void test_reasons(void)
{
    fused s;
    if (run(&s, X FN("n1", "%x,", "int acc=1") FN("u", "%n1, %x", "f32[1] acc=1") FN("cpu", "%u,",
                    "f32[1] acc=0") FN("v", "%n1, %cpu", "f32[1] acc=1") "    return v\n")) {
        T_EQUAL(s.p.reason[1], GSP_REASON_FUSED);
        T_EQUAL(s.p.reason[2], GSP_REASON_FUSED);
        T_EQUAL(s.p.reason[4], GSP_REASON_FUSED);
        T_EQUAL(s.p.culprit[1], 3);
        T_EQUAL(s.p.reason[3], GSP_REASON_UNSUPPORTED);
    }
    t_arena_close(&s.arena);
}

void suite_unit_fuse(void)
{
    t_run("a16", test_a16);
    t_run("first_node", test_first_node);
    t_run("no_scalars", test_no_scalars);
    t_run("interlocked", test_interlocked);
    t_run("single", test_single);
    t_run("falls", test_falls);
    t_run("atomic", test_atomic);
    t_run("waiting", test_waiting);
    t_run("waiting_in_a_ring", test_waiting_in_a_ring);
    t_run("waiting_around_a_cpu_scalar", test_waiting_around_a_cpu_scalar);
    t_run("reasons", test_reasons);
}
