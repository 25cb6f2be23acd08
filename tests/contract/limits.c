/* Plans of calls with too little room for aggregates: LIMIT up to some room, then always the
 * same plan. */
#include "tests/t.h"

#define NESTED \
    ("call_function[target=f](args = (%L, [%x, (1, %x)]), kwargs = {k: {a: %L}})" \
     "  # tuple(f32[1], list(f32[2], tuple(i8[1], int)), f32[4])")

/* One call, %N, of each kind that takes room; %L is the node before. */
static const char *const calls[] = {
    NESTED,
    "call_function[target=f](args = (), kwargs = {})  # list(f32[1], f32[1]) bytes=7",
    "call_module[target=sub](args = (%x, [%x, [%x, 1]], (2, 3)), kwargs = {z: ([[%x]], %x)})",
    "call_module[target=bare](args = (), kwargs = {})",
    "call_module[target=rest](args = (%x, %x, 1, [%x, 2]), kwargs = {u: 1, v: (%x, %x)})",
    "call_module[target=same](args = (%x,), kwargs = {})",
    "call_module[target=all](args = (), kwargs = {})",
    "call_function[target=operator.getitem](args = (%x, 0), kwargs = {})",
};

static const char children[] =
    "module sub\ngraph():\n"
    "    %p : [num_users=1] = placeholder[target=p](default=1)\n"
    "    %q : [num_users=1] = placeholder[target=q](default=[[1, [2, 3]], 4, [5]])\n"
    "    %y : [num_users=1] = placeholder[target=y](default=(None, [1]))\n"
    "    %z : [num_users=1] = placeholder[target=z](default=None)\n"
    "    %f : [num_users=1] = call_method[target=f](args = (%p, (%q, %y, %z)), kwargs = {})\n"
    "    return (f, (q, 3), y, z)\n"
    "module bare\ngraph():\n"
    "    %p : [num_users=1] = placeholder[target=p](default=1)\n"
    "    %q : [num_users=1] = placeholder[target=q](default=[[1, [2, 3]], 4, [5]])\n"
    "    %k : [num_users=1] = placeholder[target=**k]\n"
    "    return (p, [q, k, 6])\n"
    "module rest\ngraph():\n"
    "    %p : [num_users=1] = placeholder[target=p]\n"
    "    %r : [num_users=1] = placeholder[target=*r]\n"
    "    %k : [num_users=1] = placeholder[target=**k]\n"
    "    return [p, r, {a: k}]\n"
    "module same\ngraph():\n"
    "    %p : [num_users=1] = placeholder[target=p]\n"
    "    return p\n"
    "module all\ngraph():\n"
    "    return (1, [2, 3, (4,)], {a: 5})\n";

static void put_node(t_string *s, uint32_t v)
{
    if (v == 0u) {
        t_puts(s, "x");
    } else {
        t_puts(s, "n");
        t_number(s, v);
    }
}

/* `n` calls, mostly of one kind, from each other or from %x; all or the last are returned. */
static void write_module(t_rng *rng, t_string *s, uint32_t n)
{
    uint32_t const kind = t_below(rng, (uint32_t)T_COUNT_OF(calls));
    int const chain = t_chance(rng, 20u); /* room grows with each call */
    int const all = t_chance(rng, 50u);
    uint32_t v;
    s->size = 0;
    t_puts(s, "module main\ngraph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[1]\n");
    if (t_chance(rng, 50u)) {
        t_puts(s, "    %r : [num_users=0] = placeholder[target=*r]\n"
                  "    %k : [num_users=0] = placeholder[target=**k]\n");
    }
    for (v = 1; v <= n; v++) {
        const char *const call =
            calls[t_chance(rng, 90u) ? kind : t_below(rng, (uint32_t)T_COUNT_OF(calls))];
        const char *c;
        t_puts(s, "    %n");
        t_number(s, v);
        t_puts(s, " : [num_users=0] = ");
        for (c = call; *c != '\0'; c++) {
            t_add(s, c, 1u);
            if (c[0] == '%' && c[1] == 'L') {
                put_node(s, chain ? v - 1u : 0u);
                c++;
            }
        }
        t_puts(s, "\n");
    }
    t_puts(s, "    return (");
    for (v = all ? 0u : n; v <= n; v++) {
        put_node(s, v);
        t_puts(s, v == n ? ",)\n" : ", ");
    }
    t_puts(s, children);
}

/* Plans with ever more room: refused and refused, then made and made. */
static void check_module(t_rng *rng, const gsp_graph *g, uint32_t *n_refused)
{
    static const char *const names[8] = {NULL, NULL, NULL, NULL, "a", "b", "c", "d"};
    gsp_exec_plan_desc desc;
    gsp_input inputs[8];
    gsp_arena arena;
    int made = 0;
    uint32_t i;
    memset(&desc, 0, sizeof(desc));
    memset(inputs, 0, sizeof(inputs));
    if (g->n_nodes > 2u && gsp_str_equal(gsp_node_name(g, 1u), gsp_str_of("r"))) {
        for (i = 0; i < 8u; i++) {
            inputs[i].name = gsp_str_of(names[i]);
        }
        desc.inputs = inputs;
        desc.n_inputs = 8u;
    }
    for (desc.aggregates = 1; (!made || desc.aggregates < 3000u) && !t_failed();
         desc.aggregates += 1u + t_below(rng, desc.aggregates)) {
        gsp_exec_plan plan;
        gsp_error err;
        gsp_status status;
        t_arena_open(&arena, gsp_exec_plan_bound(g, &desc));
        status = gsp_exec_plan_run(&arena, g, &desc, &plan, &err);
        T_EQUAL(status, err.status);
        if (status != GSP_OK) {
            T_EQUAL(status, GSP_STATUS_LIMIT);
            T_EQUAL(err.detail, GSP_DETAIL_AGGREGATES);
            T_EQUAL(err.need, 2u * desc.aggregates + 1u);
            T_EQUAL(err.limit, desc.aggregates);
            T_EQUAL(arena.low + arena.high, 0u);
            T_CHECK(!made);
            ++*n_refused;
        }
        made = status == GSP_OK;
        t_arena_close(&arena);
    }
    T_CHECK(made);
}

static void test_aggregates(void)
{
    uint32_t const rounds = t_fast ? 2000u : 8000u;
    t_rng rng;
    t_string s = {NULL, 0u, 0u};
    uint32_t n_refused = 0;
    uint32_t k;
    rng.state = t_seed ^ 0xA6u;
    for (k = 0; k < rounds && !t_failed(); k++) {
        gsp_arena arena;
        gsp_module module;
        write_module(&rng, &s, 1u + t_below(&rng, 60u));
        if (t_must_read(&arena, s.data, &module)) {
            gsp_graph const g = gsp_module_graph(&module, 0u);
            check_module(&rng, &g, &n_refused);
        }
        if (t_failed()) {
            printf("%s", s.data);
        }
        t_arena_close(&arena);
    }
    T_CHECK(n_refused > rounds);
    t_free(&s);
}

void suite_contract_limits(void)
{
    t_run("aggregates", test_aggregates);
}
