/* The reader of TensorFlow Lite models, on models of tests/unit/tflite_models.h. */
#include "tests/t.h"
#include "tests/unit/tflite_models.h"

#include "examples/tflite/tflite.h"

/* ---- what the models are read as ---- */

static const char small_text[] =
    "graph():\n"
    "    %in : [num_users=1] = placeholder[target=in]  # qi8[s0, 8, 8, 3]\n"
    "    %w : [num_users=2] = get_attr[target=conv.w]  # qi8[4, 3, 3, 3]\n"
    "    %b : [num_users=1] = get_attr[target=conv.b]  # i32[4]\n"
    "    %conv_2d : [num_users=1] = call_function[target=tflite.CONV_2D](args = (%in, %w, %b), "
    "kwargs = {})  # qi8[1, 8, 8, 4]\n"
    "    %state : [num_users=1] = get_attr[target=svdf.state]  # qi8[1, 40]\n"
    "    %svdf : [num_users=1] = call_function[target=tflite.SVDF](args = (%conv_2d, %w, None, "
    "%state), kwargs = {})  # qi8[1, 4] mutates=3\n"
    "    return svdf\n";

static const char odd_text[] =
    "graph():\n"
    "    %serving_default_0 : [num_users=0] = placeholder[target=serving_default_0]  # f32[2]\n"
    "    %serving_default_1 : [num_users=1] = placeholder[target=serving_default_1]  # f32[2]\n"
    "    %state : [num_users=2] = get_attr[target=state]  # i16[1]\n"
    "    %edgetpu_custom_op : [num_users=0] = call_function[target=tflite.custom.edgetpu_custom_op]"
    "(args = (%serving_default_1, %state), kwargs = {})  # f32[?] bytes=0 mutates=1\n"
    "    %b_7 : [num_users=1] = get_attr[target=a.b_7]  # f32[]\n"
    "    %b_8 : [num_users=2] = get_attr[target=x.b_7]  # f32[]\n"
    "    %_3d_op_x : [num_users=1] = call_function[target=tflite.custom.3d_op_x](args = (%b_7, "
    "%b_8), kwargs = {})  # f32[]\n"
    "    %b_9 : [num_users=1] = get_attr[target=a.b_7_1]\n"
    "    %stablehlo_case : [num_users=1] = call_function[target=tflite.STABLEHLO_CASE](args = "
    "(None, %b_9), kwargs = {})\n"
    "    %_7____ : [num_users=1] = get_attr[target=7___]  # qi4[3, 3] bytes=5\n"
    "    %op_210 : [num_users=0] = call_function[target=tflite.OP_210](args = (%_7____,), kwargs = "
    "{})  # none\n"
    "    %t7 : [num_users=1] = get_attr[target=t7]  # any\n"
    "    %split : [num_users=5] = call_function[target=tflite.SPLIT](args = (%stablehlo_case, "
    "%t7), kwargs = {})  # tuple(f32[?], any, qi4[3, 3], b1[5, s1], any) bytes=10\n"
    "    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%split, 0), "
    "kwargs = {})  # f32[?] bytes=0\n"
    "    %getitem_1 : [num_users=0] = call_function[target=operator.getitem](args = (%split, 1), "
    "kwargs = {})\n"
    "    %getitem_2 : [num_users=0] = call_function[target=operator.getitem](args = (%split, 2), "
    "kwargs = {})  # qi4[3, 3] bytes=5\n"
    "    %getitem_3 : [num_users=1] = call_function[target=operator.getitem](args = (%split, 3), "
    "kwargs = {})  # b1[5, s1]\n"
    "    %getitem_4 : [num_users=0] = call_function[target=operator.getitem](args = (%split, 4), "
    "kwargs = {})\n"
    "    %add : [num_users=0] = call_function[target=tflite.ADD](args = (), kwargs = {})  # any\n"
    "    %topk_v2 : [num_users=0] = call_function[target=tflite.TOPK_V2](args = (%getitem,), "
    "kwargs "
    "= {})\n"
    "    %_ : [num_users=0] = call_function[target=tflite.custom._](args = (%_3d_op_x, %state), "
    "kwargs = {})  # f32[] mutates=1\n"
    "    return (getitem_3, None, b_8)\n";

static const char flow_text[] =
    "module main\n"
    "graph():\n"
    "    %p : [num_users=1] = placeholder[target=p]  # b1[]\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    "    %call_once : [num_users=0] = call_function[target=tflite.CALL_ONCE](args = (), kwargs = "
    "{})  # none init=init\n"
    "    %if : [num_users=1] = call_function[target=tflite.IF](args = (%p, %x), kwargs = {})  # "
    "f32[4] then=cond_true_1 else=main_1\n"
    "    %while : [num_users=1] = call_function[target=tflite.WHILE](args = (%if,), kwargs = "
    "{})  # f32[4] cond=subgraph_3 body=cond_true_2\n";

/* ---- names that have to be made: taken, reserved, numbered, no words, no UTF-8 ---- */

static const char *const wanted[] = {"w", "w", "w_1", "w_1", "w_9", "w", "w_9", "w",
    "a_12345678901", "a_12345678901", "a_007", "a_007", "None", "7", "/", "\xe0\xa0\x80x",
    "\xe0\x80x", "\xf4\x90y", "\xed\xa0\x80z", "\xf0\x9f\x98\x80.k", "\xc2", "a::b//c..d"};
static const char *const made[] = {"w", "w_1", "w_2", "w_3", "w_9", "w_4", "w_10", "w_11",
    "a_12345678901", "a_12345678901_1", "a_007", "a_8", "None_1", "_7", "_", "_x", "__x", "__y",
    "___z", "__k", "__1", "a_b_c_d"};

/* ---- help ---- */

typedef struct reading {
    gsp_status status;
    gsp_arena arena;
    tflite_model model;
    tflite_error err;
    char sentence[TFLITE_SENTENCE];
} reading;

/* Reads a copy of exactly so many bytes, in an arena of exactly the bound. */
static void read_bytes(reading *r, const unsigned char *data, size_t size)
{
    tflite_counts counts;
    unsigned char *copy = (unsigned char *)t_alloc(size + 1u);
    memcpy(copy, data, size);
    memset(r, 0, sizeof *r);
    r->status = tflite_count(copy, size, &counts, &r->err);
    if (r->status == GSP_OK) {
        t_arena_open(&r->arena, tflite_bound(&counts));
        r->status = tflite_read(&r->arena, copy, size, &r->model, &r->err);
        T_CHECK(r->arena.high == 0 && (r->status == GSP_OK || r->arena.low == 0));
    }
    T_EQUAL(r->err.status, r->status);
    tflite_sentence(&r->err, r->sentence, sizeof r->sentence);
    r->model.data = copy;
}

static void read_end(reading *r)
{
    free((void *)(size_t)r->model.data);
    t_arena_close(&r->arena);
}

static void check_text(const w_model *m, const char *expected)
{
    static w_file file;
    reading r;
    t_string text;
    w_write_model(&file, m);
    read_bytes(&r, file.data, file.size);
    T_STRING(r.sentence, "");
    if (r.status == GSP_OK) {
        gsp_module opened;
        gsp_arena arena;
        text = t_print(&r.model.module, NULL);
        T_STRING(text.data, expected);
        T_EQUAL(gsp_module_open(&opened, r.model.module.block, r.model.module.block_size, 0, NULL),
            GSP_OK);
        if (t_must_read(&arena, text.data, &opened)) {
            T_CHECK(t_module_equal(&opened, &r.model.module));
        }
        t_arena_close(&arena);
        t_free(&text);
    }
    read_end(&r);
}

static t_string notes_of(const tflite_model *model)
{
    t_string notes = {NULL, 0, 0};
    t_puts(&notes, "");
    T_EQUAL(tflite_notes(model, t_sink, &notes), 0);
    return notes;
}

/* ---- what is read ---- */

static void test_text(void)
{
    check_text(&small, small_text);
    check_text(&odd, odd_text);
}

static void test_names(void)
{
    static w_file file;
    static w_tensor tensors[T_COUNT_OF(wanted)];
    static int32_t indices[T_COUNT_OF(wanted)];
    w_graph const graph = {
        "main", W_LIST(tensors), {indices, T_COUNT_OF(wanted)}, W_INTS(0), NULL, 0};
    w_model const model = {W_LIST(small_codes), &graph, 1, NULL, 0};
    gsp_graph root;
    reading r;
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(wanted); i++) {
        tensors[i] = small_tensors[0];
        tensors[i].name = wanted[i];
        indices[i] = (int32_t)i;
    }
    w_write_model(&file, &model);
    read_bytes(&r, file.data, file.size);
    T_EQUAL(r.status, GSP_OK);
    root = gsp_module_graph(&r.model.module, 0);
    for (i = 0; i < T_COUNT_OF(wanted) && r.status == GSP_OK; i++) {
        T_TEXT(gsp_node_name(&root, i), made[i]);
    }
    read_end(&r);
}

/* What a tensor without elements holds, though its other dimensions are large. */
static void test_empty(void)
{
    static w_file file;
    w_tensor const tensor = {"x", I4, W_INTS(2147483647, 0, 2147483647, 2147483647), W_NONE, 0};
    w_graph const graph = {"main", &tensor, 1, W_INTS(0), W_INTS(0), NULL, 0};
    w_model const model = {W_LIST(small_codes), &graph, 1, NULL, 0};
    reading r;
    gsp_graph root;
    w_write_model(&file, &model);
    read_bytes(&r, file.data, file.size);
    T_EQUAL(r.status, GSP_OK);
    root = gsp_module_graph(&r.model.module, 0);
    T_EQUAL(gsp_node_bytes(&root, 0), 0);
    T_TEXT(gsp_node_attr(&root, 0, GSP_KEY_BYTES), "0");
    read_end(&r);
}

static void test_flow(void)
{
    static w_file file;
    reading r;
    t_string text;
    w_write_model(&file, &flow);
    read_bytes(&r, file.data, file.size);
    T_EQUAL(r.status, GSP_OK);
    text = t_print(&r.model.module, NULL);
    T_CHECK(strncmp(text.data, flow_text, sizeof flow_text - 1u) == 0);
    T_CHECK(
        strstr(text.data, "# f32[4] call=cond_true_1\n    return stablehlo_composite\n") != NULL);
    T_CHECK(strstr(text.data, "module init\ngraph():\n    return ()\n") != NULL);
    T_EQUAL(r.model.module.counts.graphs, 6);
    T_EQUAL(r.model.n_operators, 8);
    t_free(&text);
    read_end(&r);
}

static void test_facts(void)
{
    static w_file file;
    reading r;
    gsp_graph graph;
    t_string notes;
    w_write_model(&file, &odd);
    read_bytes(&r, file.data, file.size);
    T_EQUAL(r.status, GSP_OK);
    graph = gsp_module_graph(&r.model.module, 0);
    T_EQUAL(r.model.version, 3);
    T_EQUAL(r.model.n_operators, 8);
    T_EQUAL(r.model.n_custom, 3);
    T_EQUAL(r.model.n_unknown, 1);
    T_EQUAL(r.model.n_signatures, 0);
    T_EQUAL(r.model.item[gsp_graph_find(&graph, gsp_str_of("b_8"))], 4);
    T_EQUAL(r.model.item[gsp_graph_find(&graph, gsp_str_of("split"))], 4);
    T_EQUAL(r.model.item[gsp_graph_find(&graph, gsp_str_of("getitem_3"))], 8);
    T_EQUAL(r.model.item[gsp_graph_find(&graph, gsp_str_of("getitem_4"))], GSP_NONE);
    T_EQUAL(r.model.item[graph.n_nodes - 1u], GSP_NONE);
    notes = notes_of(&r.model);
    T_STRING(notes.data,
        "2 tensors have no shape and count 0 bytes: edgetpu_custom_op, getitem\n"
        "3 tensors have an element type newer than this reader and count 0 bytes: b_9, "
        "stablehlo_case, getitem_1\n"
        "1 operator has a code newer than this reader: tflite.OP_210\n");
    t_free(&notes);
    read_end(&r);
}

static void test_signatures(void)
{
    static w_file file;
    reading r;
    tflite_signature s;
    uint32_t tensor = 7;
    t_string notes;
    w_write_model(&file, &small);
    read_bytes(&r, file.data, file.size);
    T_EQUAL(r.model.n_signatures, 1);
    s = tflite_signature_at(&r.model, 0);
    T_TEXT(s.key, "serving_default");
    T_EQUAL(s.subgraph, 0);
    T_EQUAL(s.n_inputs, 1);
    T_EQUAL(s.n_outputs, 0);
    T_TEXT(tflite_signature_input(&r.model, 0, 0, &tensor), "image");
    T_EQUAL(tensor, 0);
    T_TEXT(tflite_signature_output(&r.model, 0, 0, &tensor), "");
    T_EQUAL(tensor, GSP_NONE);
    T_EQUAL(tflite_signature_at(&r.model, 1).n_inputs, 0);
    notes = notes_of(&r.model);
    T_STRING(notes.data, "");
    t_free(&notes);
    read_end(&r);
}

/* ---- attributes ---- */

static const w_code convolution[] = {{3, NULL, 0}};

/* One convolution of x[1, 5, 5, 2] with weights w[2, 3, 3, 2], with these options. */
static void write_convolution(w_file *file, const w_operator *op, uint32_t x, uint32_t w)
{
    w_tensor const tensors[] = {{"x", 9, W_INTS(1, 5, 5, 2), W_NONE, x},
        {"w", 9, W_INTS(2, 3, 3, 2), W_NONE, w}, {"y", 9, W_INTS(1, 2, 2, 2), W_NONE, 0}};
    w_graph const graph = {"main", W_LIST(tensors), W_INTS(0), W_INTS(2), op, 1};
    w_model const model = {W_LIST(convolution), &graph, 1, NULL, 0};
    w_write_model(file, &model);
}

static void check_attributes(tflite_attributes how, const char *expected)
{
    static w_file file;
    w_operator const op = {0, W_INTS(0, 1), W_INTS(2), 1, {1, 2, 3}};
    tflite_counts counts;
    tflite_model model;
    tflite_error err;
    gsp_arena arena;
    t_string text;
    write_convolution(&file, &op, W_SCALE | W_ZEROS, W_SCALE | W_AXIS);
    T_EQUAL(tflite_count(file.data, file.size, &counts, &err), GSP_OK);
    t_arena_open(&arena, tflite_bound(&counts));
    if (T_EQUAL(tflite_read_as(&arena, file.data, file.size, how, &model, &err), GSP_OK)) {
        text = t_print(&model.module, NULL);
        T_STRING(text.data, expected);
        t_free(&text);
    }
    t_arena_close(&arena);
}

static void test_attributes(void)
{
    check_attributes(TFLITE_PLAIN,
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # qi8[1, 5, 5, 2]\n"
        "    %w : [num_users=1] = get_attr[target=w]  # qi8[2, 3, 3, 2]\n"
        "    %conv_2d : [num_users=1] = call_function[target=tflite.CONV_2D](args = (%x, %w), "
        "kwargs = {})  # i8[1, 2, 2, 2]\n"
        "    return conv_2d\n");
    check_attributes(TFLITE_ANNOTATIONS,
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # qi8[1, 5, 5, 2] scale=0.5 zero=-3\n"
        "    %w : [num_users=1] = get_attr[target=w]  # qi8[2, 3, 3, 2] "
        "scale=0.5,1.4551917e-11 quant_axis=0\n"
        "    %conv_2d : [num_users=1] = call_function[target=tflite.CONV_2D](args = (%x, %w), "
        "kwargs = {})  # i8[1, 2, 2, 2] padding=valid stride=3x2 dilation=1x1 kernel=3x3 span=3x3 "
        "act=none\n"
        "    return conv_2d\n");
    check_attributes(TFLITE_KEYWORDS,
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]  # qi8[1, 5, 5, 2] scale=0.5 zero=-3\n"
        "    %w : [num_users=1] = get_attr[target=w]  # qi8[2, 3, 3, 2] "
        "scale=0.5,1.4551917e-11 quant_axis=0\n"
        "    %conv_2d : [num_users=1] = call_function[target=tflite.CONV_2D](args = (%x, %w), "
        "kwargs = {padding: valid, stride: [3, 2], dilation: [1, 1], kernel: [3, 3], span: [3, 3], "
        "act: none})  # i8[1, 2, 2, 2]\n"
        "    return conv_2d\n");
}

static void check_damaged(
    uint32_t type, uint32_t padding, uint32_t stride, uint32_t x, uint32_t w, const char *sentence)
{
    static w_file file;
    w_operator const op = {0, W_INTS(0, 1), W_INTS(2), type, {padding, stride, stride}};
    reading r;
    write_convolution(&file, &op, x, w);
    read_bytes(&r, file.data, file.size);
    T_EQUAL(r.status, GSP_STATUS_PARSE);
    T_CHECK(strncmp(r.sentence, "byte ", 5) == 0);
    if (!T_CHECK(strstr(r.sentence, sentence) != NULL)) {
        printf("%s\n", r.sentence);
    }
    read_end(&r);
}

static void test_damaged_attributes(void)
{
    check_damaged(
        1, 7, 1, 0, 0, ": the padding of an operator is neither SAME nor VALID (operator 0");
    check_damaged(
        1, 1, 0, 0, 0, ": a stride, kernel or dilation of an operator is below 1 (operator 0");
    check_damaged(
        1, 1, 0xFFFFFFFF, 0, 0, ": a stride, kernel or dilation of an operator is below 1");
    check_damaged(5, 1, 1, 0, 0, ": a stride, kernel or dilation of an operator is below 1");
    check_damaged(11, 6, 1, 0, 0, ": the activation of an operator is none of the schema");
    check_damaged(17, 100, 1, 0, 0, ": a vector ");
    check_damaged(1, 1, 1, W_SCALE | W_AXIS, 0,
        ": a quantisation has neither one scale nor one per element of its dimension "
        "(tensor 0");
    check_damaged(1, 1, 1, 0, W_SCALE | W_AXIS | W_ZEROS,
        ": a quantisation has another number of zero points than of scales (tensor 1");
}

/* ---- what is refused ---- */

static void test_refused(void)
{
    static w_file file;
    tflite_counts counts;
    tflite_model model;
    tflite_error err;
    gsp_arena arena;
    char text[TFLITE_SENTENCE];
    t_arena_open(&arena, 64);
    T_EQUAL(tflite_count(NULL, 0, &counts, &err), GSP_STATUS_ARG);
    T_EQUAL(tflite_count("", 0, NULL, &err), GSP_STATUS_ARG);
    T_EQUAL(tflite_read(NULL, "", 0, &model, &err), GSP_STATUS_ARG);
    T_EQUAL(tflite_read(&arena, "", 0, NULL, NULL), GSP_STATUS_ARG);
    T_EQUAL(tflite_read(&arena, "", 0, &model, NULL), GSP_STATUS_PARSE);
    T_EQUAL(tflite_bound(NULL), SIZE_MAX);
    T_EQUAL(tflite_count("\10\0\0\0TFL4", 8, &counts, &err), GSP_STATUS_PARSE);
    tflite_sentence(&err, text, sizeof text);
    T_STRING(text, "byte 4: this is no TFLite file: it has no TFL3 at byte 4");
    T_EQUAL(tflite_sentence(&err, text, 7), 6);
    T_STRING(text, "byte 4");
    T_EQUAL(tflite_sentence(&err, NULL, 0), 0);
    w_write_model(&file, &small);
    T_EQUAL(tflite_count(file.data, file.size, &counts, &err), GSP_OK);
    T_EQUAL(tflite_read(&arena, file.data, file.size, &model, &err), GSP_STATUS_NOMEM);
    T_EQUAL(err.need, tflite_bound(&counts));
    T_EQUAL(err.limit, 64);
    T_CHECK(arena.low == 0 && arena.high == 0);
    t_arena_close(&arena);
}

typedef struct wrong {
    const char *what;
    gsp_status status;
    const char *sentence; /* without "byte N: " */
    w_operator operator_; /* of a graph with four tensors and two graphs */
    w_ints inputs;
    w_ints outputs;
} wrong;

#define FINE \
    { \
        0, W_INTS(0), W_INTS(1), 0, \
        { \
            0 \
        } \
    }

static const wrong wrongs[] = {
    {"operator code", GSP_STATUS_PARSE,
        "there is no operator code of this index (operator 0 of subgraph 0)",
        {2, W_INTS(0), W_INTS(1), 0, {0}}, W_INTS(0), W_INTS(1)},
    {"negative code", GSP_STATUS_PARSE, "an operator code is negative (operator code 1)", FINE,
        W_INTS(0), W_INTS(1)},
    {"input of an operator", GSP_STATUS_PARSE,
        "a list of tensors names one that does not exist (operator 0 of subgraph 0)",
        {0, W_INTS(0, 4), W_INTS(1), 0, {0}}, W_INTS(0), W_INTS(1)},
    {"output of an operator", GSP_STATUS_PARSE,
        "a list of tensors names one that does not exist (operator 0 of subgraph 0)",
        {0, W_INTS(0), W_INTS(-2), 0, {0}}, W_INTS(0), W_INTS(1)},
    {"input", GSP_STATUS_PARSE, "an input of the subgraph names no tensor (subgraph 0)", FINE,
        W_INTS(-1), W_INTS(1)},
    {"output", GSP_STATUS_PARSE, "a list of tensors names one that does not exist (subgraph 0)",
        FINE, W_INTS(0), W_INTS(1, 2147483647)},
    {"called graph", GSP_STATUS_PARSE,
        "an operator calls a subgraph that does not exist (operator 0 of subgraph 0)",
        {0, W_INTS(0), W_INTS(1), IF, {0, 1}}, W_INTS(0), W_INTS(1)},
    {"large tensor", GSP_STATUS_OVERFLOW,
        "a tensor has more than 2^59 elements (tensor 2 of subgraph 0)", FINE, W_INTS(0),
        W_INTS(1)},
    {"large outputs", GSP_STATUS_OVERFLOW, "the outputs of an operator have more than 2^64 bytes",
        {0, W_INTS(0), W_INTS(3, 3, 3, 3, 3, 3, 3, 3, 3), 0, {0}}, W_INTS(0), W_INTS(1)},
};

static void test_wrong(void)
{
    static w_file file;
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(wrongs); i++) {
        const wrong *x = &wrongs[i];
        int const large = strcmp(x->what, "large tensor") == 0;
        w_tensor const tensors[] = {
            {"a", F32, W_INTS(1), W_NONE, 0},
            {"b", F32, W_INTS(1), W_NONE, 0},
            {"c", F32, W_INTS(large ? 2147483647 : 0, 2147483647, 2147483647), W_NONE, 0},
            {"d", F32, W_INTS(2147483647, 268435455), W_NONE, 0},
        };
        w_code const codes[] = {
            {0, NULL, 0}, {strcmp(x->what, "negative code") == 0 ? -1 : 0, NULL, -1}};
        w_graph const graph = {"main", W_LIST(tensors), x->inputs, x->outputs, &x->operator_, 1};
        w_model const model = {W_LIST(codes), &graph, 1, NULL, 0};
        reading r;
        w_write_model(&file, &model);
        read_bytes(&r, file.data, file.size);
        T_EQUAL(r.status, x->status);
        if (strstr(r.sentence, x->sentence) == NULL) {
            T_STRING(r.sentence, x->sentence);
        }
        read_end(&r);
    }
}

static void test_no_graph(void)
{
    static w_file file;
    w_model const model = {W_LIST(small_codes), NULL, 0, NULL, 0};
    w_signature const signature = {"s", "x", 1};
    w_model const named = {W_LIST(small_codes), W_LIST(small_graph), &signature, 1};
    reading r;
    w_write_model(&file, &model);
    read_bytes(&r, file.data, file.size);
    T_EQUAL(r.status, GSP_STATUS_EMPTY);
    T_STRING(r.sentence, "the model has no subgraph");
    read_end(&r);
    w_write_model(&file, &named);
    read_bytes(&r, file.data, file.size);
    T_EQUAL(r.status, GSP_STATUS_PARSE);
    T_CHECK(strstr(r.sentence, "a signature names a subgraph that does not exist") != NULL);
    read_end(&r);
}

/* Files above 2 GB: the data lie behind what offsets of 32 bits reach. */
static void test_outside(void)
{
    static const struct {
        uint64_t offset; /* from the end of the model */
        uint64_t size;
        int ok;
    } places[] = {{0, 16, 1}, {8, 8, 1}, {8, 9, 0}, {16, 1, 0}, {0, UINT64_MAX, 0},
        {1u << 31, 1, 0}, {(uint64_t)1 << 40, 1, 0}, {(uint64_t)0 - 20, 4, 1}};
    static w_file file;
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(places); i++) {
        reading r;
        w_outside[1] = 1;
        w_write_model(&file, &small);
        w_outside[0] = file.size + places[i].offset;
        w_outside[1] = places[i].size;
        w_write_model(&file, &small);
        w_put(&file, 0, 8);
        w_put(&file, 0, 8);
        read_bytes(&r, file.data, file.size);
        T_EQUAL(r.status, places[i].ok ? GSP_OK : GSP_STATUS_PARSE);
        T_CHECK(places[i].ok ||
                strstr(r.sentence, "data that stand behind the model reach beyond the end of the "
                                   "file, which is cut short or damaged (buffer 1)") != NULL);
        read_end(&r);
    }
    w_outside[1] = 0;
}

/* Where the field stands that points to `to`. */
static uint32_t find_field(const w_file *f, uint32_t to)
{
    uint32_t at = to;
    do {
        at -= 4u;
    } while (at > 0u && at + (f->data[at] | (uint32_t)f->data[at + 1u] << 8) != to);
    return at;
}

/* A small file that says to hold very much: its operators have one long list of inputs together. */
static void test_overlap(void)
{
    enum { OPERATORS = 200, INPUTS = 2500 };
    static w_file file;
    static w_operator operators[OPERATORS];
    static int32_t mark[1] = {3};
    w_tensor const tensors[] = {
        small_tensors[0], small_tensors[0], small_tensors[0], small_tensors[0]};
    w_graph const graph = {"main", W_LIST(tensors), W_INTS(0), W_INTS(0), W_LIST(operators)};
    w_model const model = {W_LIST(small_codes), &graph, 1, NULL, 0};
    uint32_t lists[OPERATORS];
    uint32_t n = 0;
    uint32_t size;
    uint32_t i;
    reading r;
    for (i = 0; i < OPERATORS; i++) {
        operators[i].inputs.v = mark;
        operators[i].inputs.n = 1;
    }
    w_write_model(&file, &model);
    size = file.size;
    for (i = 8; i + 8u <= size; i += 4) {
        static const unsigned char list[] = {1, 0, 0, 0, 3, 0, 0, 0};
        if (memcmp(file.data + i, list, sizeof list) == 0) {
            lists[n++] = find_field(&file, i);
        }
    }
    T_EQUAL(n, OPERATORS);
    w_align(&file, 4);
    size = file.size;
    w_put(&file, INPUTS, 4);
    for (i = 0; i < INPUTS; i++) {
        w_put(&file, 0, 4);
    }
    for (i = 0; i < n; i++) {
        w_patch(&file, lists[i], size - lists[i]);
        if (i == 3 || i + 1u == n) { /* a list in common is fine */
            read_bytes(&r, file.data, file.size);
            T_EQUAL(r.status, i == 3 ? GSP_OK : GSP_STATUS_LIMIT);
            T_CHECK(i == 3 || strstr(r.sentence, "overlap many times over") != NULL);
            read_end(&r);
        }
    }
}

/* Any damage gives a status and a sentence, or another graph. */
static void test_damage(void)
{
    static const w_model *const models[] = {&small, &odd, &flow, &state};
    static w_file file;
    reading r;
    uint32_t m;
    uint32_t i;
    uint32_t refused = 0;
    uint32_t read = 0;
    for (m = 0; m < T_COUNT_OF(models); m++) {
        uint32_t size;
        w_write_model(&file, models[m]);
        size = file.size;
        for (i = 0; i < size && !t_failed(); i++) {
            read_bytes(&r, file.data, i);
            T_CHECK((r.status == GSP_OK) == (r.sentence[0] == '\0'));
            refused += r.status != GSP_OK ? 1u : 0u;
            read_end(&r);
        }
        T_CHECK(refused > 3u * size / 4u);
        for (i = 0; i < 8u * size && !t_failed(); i += t_fast ? 7u : 1u) {
            file.data[i / 8u] ^= (unsigned char)(1u << i % 8u);
            read_bytes(&r, file.data, size);
            T_CHECK((r.status == GSP_OK) == (r.sentence[0] == '\0'));
            read += r.status == GSP_OK ? 1u : 0u;
            read_end(&r);
            file.data[i / 8u] ^= (unsigned char)(1u << i % 8u);
        }
        T_CHECK(read > 0u);
        refused = 0;
    }
}

/* ---- memory ---- */

static void test_bound(void)
{
    static w_file file;
    static const w_model *const models[] = {&small, &odd, &flow, &state};
    uint32_t m;
    for (m = 0; m < T_COUNT_OF(models); m++) {
        tflite_counts counts;
        tflite_model model;
        tflite_error err;
        size_t bound;
        char *memory;
        uint32_t offset;
        w_write_model(&file, models[m]);
        T_EQUAL(tflite_count(file.data, file.size, &counts, &err), GSP_OK);
        bound = tflite_bound(&counts);
        memory = (char *)t_alloc(bound + 32u);
        for (offset = 0; offset < 32u; offset++) {
            gsp_arena arena;
            gsp_arena_init(&arena, memory + offset, bound);
            T_EQUAL(tflite_read(&arena, file.data, file.size, &model, &err), GSP_OK);
            T_CHECK(arena.high == 0 && arena.low < bound);
            gsp_arena_init(&arena, memory + offset, bound - 1u);
            T_EQUAL(tflite_read(&arena, file.data, file.size, &model, &err), GSP_STATUS_NOMEM);
            T_EQUAL(err.need, bound);
        }
        free(memory);
    }
}

/* The files that shell tests and the fuzzer start from are those of this file. */
static void test_seeds(void)
{
    static w_file file;
    static const struct {
        const char *path;
        const w_model *model;
    } seeds[] = {
        {"tests/formats/data/small.tflite", &small},
        {"tests/formats/data/odd.tflite", &odd},
        {"tests/formats/data/flow.tflite", &flow},
        {"tests/formats/data/state.tflite", &state},
    };
    uint32_t i;
    for (i = 0; i < T_COUNT_OF(seeds); i++) {
        t_string seed = t_read_file(seeds[i].path);
        if (seed.data == NULL) {
            t_skip("this system has no files");
            return;
        }
        w_write_model(&file, seeds[i].model);
        T_EQUAL(seed.size, file.size);
        T_CHECK(seed.size == file.size && memcmp(seed.data, file.data, file.size) == 0);
        t_free(&seed);
    }
}

static int stop_at_once(void *user, const char *data, size_t size)
{
    (void)data;
    *(size_t *)user += size;
    return 5;
}

static void test_sink(void)
{
    static w_file file;
    reading r;
    size_t got = 0;
    w_write_model(&file, &odd);
    read_bytes(&r, file.data, file.size);
    T_EQUAL(tflite_notes(&r.model, stop_at_once, &got), 5);
    T_EQUAL(got, 1);
    read_end(&r);
}

void suite_unit_tflite(void)
{
    t_run("text", test_text);
    t_run("names", test_names);
    t_run("no elements", test_empty);
    t_run("control flow", test_flow);
    t_run("facts and notes", test_facts);
    t_run("signatures", test_signatures);
    t_run("attributes", test_attributes);
    t_run("damaged attributes", test_damaged_attributes);
    t_run("refused", test_refused);
    t_run("wrong indices and sizes", test_wrong);
    t_run("no graph", test_no_graph);
    t_run("overlapping parts", test_overlap);
    t_run("data behind the model", test_outside);
    t_run("every byte missing, every bit wrong", test_damage);
    t_run("bounds", test_bound);
    t_run("a sink that stops", test_sink);
    t_run("seeds", test_seeds);
}
