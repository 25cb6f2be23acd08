/* What stands after "  # ": types, aggregates, keys. */
#include "tests/t.h"

#define NODE(note) \
    "graph():\n    %x : [num_users=1] = placeholder[target=x]  # " note "\n    return x\n"

static void check_type(const char *type, gsp_value_kind out, uint64_t bytes, int line)
{
    t_string s = {NULL, 0u, 0u};
    gsp_arena arena;
    gsp_module m;
    t_puts(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # ");
    t_puts(&s, type);
    t_puts(&s, "\n    return x\n");
    if (t_must_read(&arena, s.data, &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        t_string again = t_print(&m, NULL);
        t_check_equal((uint64_t)gsp_node_value_kind(&g, 0u), (uint64_t)out, __FILE__, line, type);
        t_check_equal(gsp_node_bytes(&g, 0u), bytes, __FILE__, line, type);
        t_check_text(gsp_node_type(&g, 0u), type, __FILE__, line, type);
        t_check_text(gsp_str_of(again.data), s.data, __FILE__, line, type);
        t_free(&again);
    }
    t_free(&s);
    t_arena_close(&arena);
}
#define TYPE(type, out, bytes) check_type((type), (out), (bytes), __LINE__)

static void test_tensors(void)
{
    static const struct {
        const char *type;
        uint32_t bytes;
    } types[] = {{"f64[3]", 24}, {"f32[3]", 12}, {"f16[3]", 6}, {"bf16[3]", 6}, {"f8[3]", 3},
        {"i64[3]", 24}, {"i32[3]", 12}, {"i16[3]", 6}, {"i8[3]", 3}, {"u64[3]", 24}, {"u32[3]", 12},
        {"u16[3]", 6}, {"u8[3]", 3}, {"b1[3]", 3}, {"c64[3]", 24}, {"c128[3]", 48}, {"qi8[3]", 3},
        {"qu8[3]", 3}, {"i4[3]", 3}, {"qi32[3]", 12}, {"f32[]", 4}, {"f32[0]", 0}, {"f32[0, 7]", 0},
        {"f32[2, 3, 4]", 96}, {"f32[s0]", 4}, {"f32[s0, 3]", 12}};
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(types); i++) {
        TYPE(types[i].type, GSP_VALUE_TENSOR, types[i].bytes);
    }
    TYPE("u1000001[1]", GSP_VALUE_TENSOR, 12500u); /* six digits of bits count */
    TYPE("f32[1000000, 1000000, 1000]", GSP_VALUE_TENSOR, UINT64_C(4000000000000000));
}

static void test_aggregates(void)
{
    TYPE("tuple(f32[2], i64[2])", GSP_VALUE_AGGREGATE, 24u);
    TYPE("list(f32[2])", GSP_VALUE_AGGREGATE, 8u);
    TYPE("tuple(int, f32[2])", GSP_VALUE_AGGREGATE, 8u);
    TYPE("tuple(f32[1], list(f32[2], int), none)", GSP_VALUE_AGGREGATE, 12u);
    TYPE("tuple(tuple(tuple(i8[5])))", GSP_VALUE_AGGREGATE, 5u);
    TYPE("tuple(f32[s0])", GSP_VALUE_AGGREGATE, 4u);
    TYPE("tuple(int, float)", GSP_VALUE_OTHER, 0u);
    TYPE("list(tuple(int), none)", GSP_VALUE_OTHER, 0u);
    TYPE("tuple()", GSP_VALUE_OTHER, 0u);
}

static void test_non_tensors(void)
{
    static const char *const types[] = {
        "int", "float", "bool", "str", "none", "tuple", "list", "dict", "any"};
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(types); i++) {
        TYPE(types[i], GSP_VALUE_OTHER, 0u);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *type;
        gsp_status status;
    } types[] = {{"f32[1,,2]", GSP_STATUS_PARSE}, {"f32[,1]", GSP_STATUS_PARSE},
        {"f32[1,]", GSP_STATUS_PARSE}, {"f32[1", GSP_STATUS_PARSE}, {"f32[1[2]", GSP_STATUS_PARSE},
        {"f32[4294967296, 4294967296]", GSP_STATUS_OVERFLOW},
        {"tuple(i8[9223372036854775808], i8[9223372036854775808])", GSP_STATUS_OVERFLOW},
        {"i8[18446744073709551616]", GSP_STATUS_OVERFLOW},
        {"f64[4611686018427387904]", GSP_STATUS_OVERFLOW}};
    for (uint32_t i = 0; i < T_COUNT_OF(types); i++) {
        gsp_arena arena;
        gsp_module m;
        gsp_error err;
        t_string s = {NULL, 0u, 0u};
        t_puts(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # ");
        t_puts(&s, types[i].type);
        t_puts(&s, "\n    return x\n");
        T_EQUAL(t_read(&arena, s.data, s.size, &m, &err), types[i].status);
        T_EQUAL(
            err.detail, types[i].status == GSP_STATUS_PARSE ? GSP_DETAIL_TYPE : GSP_DETAIL_SIZE);
        T_EQUAL(err.line, 2);
        T_CHECK(err.column == 51 || types[i].status != GSP_STATUS_PARSE);
        t_free(&s);
        t_arena_close(&arena);
    }
}

static void test_no_annotation(void)
{
    gsp_arena arena;
    gsp_module m;
    if (t_must_read(&arena,
            "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    return x\n", &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        T_EQUAL(gsp_node_value_kind(&g, 0u), GSP_VALUE_TENSOR);
        T_EQUAL(gsp_node_bytes(&g, 0u), 0);
        T_TEXT(gsp_node_type(&g, 0u), "");
        T_EQUAL(gsp_node_acc(&g, 0u), -1);
        T_CHECK(gsp_node_attr(&g, 0u, GSP_KEY_GROUP).data == NULL);
    }
    t_arena_close(&arena);
}

static void test_keys(void)
{
    gsp_arena arena;
    gsp_module m;
    const char *const text =
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # f32[2] bytes=100 foo=1 bar=a,b zed=(1)\n"
        "    %w : [num_users=1] = get_attr[target=w]  # f32[4] storage=s1\n"
        "    %m : [num_users=1] = call_module[target=a.b](args = (%x, %w), kwargs = {})  "
        "# f32[2] module=torch.nn.Conv2d params=896 mem=1e-06 compute=2.5 cpu=3 comm=0 acc=1 "
        "key=k mutates=0,2 alias=1 state=s barrier=1 group=g scope=a stage=1 device=d part=0\n"
        "    return m\n";
    T_PRINTS(text, text);
    if (t_must_read(&arena, text, &m)) {
        gsp_graph const g = gsp_module_graph(&m, 0u);
        T_EQUAL(gsp_node_bytes(&g, 0u), 100);
        T_EQUAL(gsp_node_params(&g, 0u), 0);
        T_EQUAL(gsp_node_params(&g, 1u), 16);
        T_EQUAL(gsp_node_params(&g, 2u), 896);
        T_TEXT(gsp_node_class(&g, 2u), "torch.nn.Conv2d");
        T_TEXT(gsp_node_class(&g, 1u), "w");
        T_TEXT(gsp_node_scope(&g, 2u), "a");
        T_EQUAL(gsp_node_acc(&g, 2u), 1);
        T_TEXT(gsp_node_attr(&g, 2u, GSP_KEY_MUTATES), "0,2");
        T_TEXT(gsp_node_attr(&g, 2u, GSP_KEY_GROUP), "g");
        T_TEXT(gsp_node_attr(&g, 1u, GSP_KEY_STORAGE), "s1");
        T_CHECK(m.flags[2] & GSP_FLAG_ACC);
        T_CHECK(m.flags[2] & GSP_FLAG_GROUP);
        T_CHECK(m.flags[0] & GSP_FLAG_BYTES);
        T_EQUAL(m.flags[1], 0);
#ifndef GSP_NO_COST
        {
            double const expected = 1e-06; /* stored: no excess precision on either side */
            double const found = gsp_node_seconds(&g, 2u, GSP_KEY_MEM);
            T_CHECK(memcmp(&expected, &found, sizeof(found)) == 0);
        }
        T_CHECK(gsp_node_seconds(&g, 2u, GSP_KEY_COMPUTE) == 2.5);
        T_CHECK(gsp_node_seconds(&g, 2u, GSP_KEY_CPU) == 3.0);
        T_CHECK(gsp_node_seconds(&g, 0u, GSP_KEY_MEM) == 0.0);
#endif
    }
    t_arena_close(&arena);
}

static void test_print_back(void)
{
    static const char *const texts[] = {
        NODE("acc=0"),
        NODE("bytes=7 f=1"),
        NODE("f32[1] a=1 a=2 b=%y c=# d='e'"),
        NODE("k=a=b"),
        ("graph():\n    %f : [num_users=1] = call_function[target=f](args = ('  # i8[1]',), kwargs "
         "= "
         "{k: a  # b})  # f32[1] acc=1\n    return f\n"),
        ("graph():\n    %x : [num_users=1] = placeholder[target=x](default='  # int')  # f32[1]\n"
         "    return x\n"),
        "graph():\n    return None  # k=v\n",
    };
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(texts); i++) {
        T_PRINTS(texts[i], texts[i]);
    }
}

/* Blanks after a comma may lack, or be several: what is kept has one. */
static void test_blanks(void)
{
    static const char *const types[] = {"tuple(f32[2],i8[3])", "tuple( f32[2],   i8[3])"};
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(types); i++) {
        gsp_arena arena;
        gsp_module m;
        t_string s = {0};
        t_puts(&s, "graph():\n    %x : [num_users=1] = placeholder[target=x]  # ");
        t_puts(&s, types[i]);
        t_puts(&s, "\n    return x\n");
        if (t_must_read(&arena, s.data, &m)) {
            gsp_graph const g = gsp_module_graph(&m, 0u);
            T_TEXT(gsp_node_type(&g, 0u), "tuple(f32[2], i8[3])");
        }
        t_free(&s);
        t_arena_close(&arena);
    }
}

static void test_type_next(void)
{
    gsp_str const type = gsp_str_of("tuple(f32[1, 3], list(i64[s0], int), b1[])");
    static const char *const dtypes[] = {"f32", "i64", "b1"};
    static const char *const dims[] = {"1, 3", "s0", ""};
    uint32_t at = 0;
    uint32_t i;
    gsp_str dtype;
    gsp_str dim;
    for (i = 0; i < 3u; i++) {
        T_EQUAL(gsp_type_next(type, &at, &dtype, &dim), 1);
        T_TEXT(dtype, dtypes[i]);
        T_TEXT(dim, dims[i]);
    }
    T_EQUAL(gsp_type_next(type, &at, &dtype, &dim), 0);
    at = 0;
    T_EQUAL(gsp_type_next(gsp_str_of("int"), &at, &dtype, &dim), 0);
    at = 0;
    T_EQUAL(gsp_type_next(gsp_str_of(""), &at, &dtype, &dim), 0);
}

void suite_unit_annotation(void)
{
    t_run("tensors", test_tensors);
    t_run("aggregates", test_aggregates);
    t_run("non_tensors", test_non_tensors);
    t_run("refused", test_refused);
    t_run("no_annotation", test_no_annotation);
    t_run("keys", test_keys);
    t_run("print_back", test_print_back);
    t_run("blanks", test_blanks);
    t_run("type_next", test_type_next);
}
