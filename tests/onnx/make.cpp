// Writes the small models of the tests: make FOLDER. Each has something that real ones have and
// that a reader or a writer of parts may get wrong. make FOLDER wrong: models that are wrong.
// make FOLDER weights: a model of 108 MB. make FOLDER stages: a model whose nodes have names.
// make FOLDER xnnpack [MODEL...]: models for XNNPACK, drawn and from others.
#include <onnx/onnx_pb.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

typedef std::vector<std::string> names;
typedef std::vector<int64_t> sizes;

enum {
    FLOAT = onnx::TensorProto::FLOAT,
    INT64 = onnx::TensorProto::INT64,
    BOOL = onnx::TensorProto::BOOL
};

static uint32_t state = 7;

static float next_random()
{
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
}

class graph_maker
{
  public:
    explicit graph_maker(onnx::GraphProto *g) : g_(g)
    {
    }

    /* A dimension below 0 is symbolic: -1 is n1, -2 is n2, ... */
    static void set_type(
        onnx::ValueInfoProto *v, const std::string &name, int dtype, const sizes &dims)
    {
        auto *type = v->mutable_type()->mutable_tensor_type();
        v->set_name(name);
        type->set_elem_type(dtype);
        (void)type->mutable_shape();
        for (int64_t d : dims) {
            auto *dim = type->mutable_shape()->add_dim();
            if (d < 0) {
                dim->set_dim_param("n" + std::to_string(-d));
            } else {
                dim->set_dim_value(d);
            }
        }
    }

    void in(const std::string &name, const sizes &dims, int dtype = FLOAT)
    {
        set_type(g_->add_input(), name, dtype, dims);
    }

    void out(const std::string &name, const sizes &dims, int dtype = FLOAT)
    {
        set_type(g_->add_output(), name, dtype, dims);
    }

    onnx::TensorProto *floats(const std::string &name, const sizes &dims)
    {
        onnx::TensorProto *t = g_->add_initializer();
        int64_t n = 1;
        t->set_name(name);
        t->set_data_type(FLOAT);
        for (int64_t d : dims) {
            t->add_dims(d);
            n *= d;
        }
        std::string raw;
        for (int64_t i = 0; i < n; i++) {
            float x = next_random();
            raw.append(reinterpret_cast<const char *>(&x), sizeof x);
        }
        t->set_raw_data(raw);
        return t;
    }

    static void fill(onnx::TensorProto *t, const sizes &values, bool scalar)
    {
        t->set_data_type(INT64);
        if (!scalar) {
            t->add_dims(static_cast<int64_t>(values.size()));
        }
        for (int64_t v : values) {
            t->add_int64_data(v);
        }
    }

    void ints(const std::string &name, const sizes &values, bool scalar = false)
    {
        onnx::TensorProto *t = g_->add_initializer();
        t->set_name(name);
        fill(t, values, scalar);
    }

    void truth(const std::string &name)
    {
        onnx::TensorProto *t = g_->add_initializer();
        t->set_name(name);
        t->set_data_type(BOOL);
        t->add_int32_data(1);
    }

    onnx::NodeProto *node(const std::string &op, const names &in, const names &out)
    {
        onnx::NodeProto *n = g_->add_node();
        n->set_op_type(op);
        for (const auto &name : in) {
            n->add_input(name);
        }
        for (const auto &name : out) {
            n->add_output(name);
        }
        return n;
    }

  private:
    onnx::GraphProto *g_;
};

static onnx::AttributeProto *attribute(
    onnx::NodeProto *n, const char *name, onnx::AttributeProto::AttributeType type)
{
    onnx::AttributeProto *a = n->add_attribute();
    a->set_name(name);
    a->set_type(type);
    return a;
}

static void integer(onnx::NodeProto *n, const char *name, int64_t value)
{
    attribute(n, name, onnx::AttributeProto::INT)->set_i(value);
}

static graph_maker body(onnx::NodeProto *n, const char *name)
{
    onnx::GraphProto *g = attribute(n, name, onnx::AttributeProto::GRAPH)->mutable_g();
    g->set_name(name);
    return graph_maker(g);
}

static std::string folder;

static void save(const std::string &name, const onnx::ModelProto &m)
{
    std::ofstream file(folder + "/" + name + ".onnx", std::ios::binary);
    if (!m.SerializeToOstream(&file)) {
        fprintf(stderr, "cannot write %s\n", name.c_str());
        exit(1);
    }
}

static void write(
    const std::string &name, const std::function<void(graph_maker &, onnx::ModelProto &)> &fill)
{
    onnx::ModelProto m;
    m.set_ir_version(8);
    m.add_opset_import()->set_version(13);
    m.mutable_graph()->set_name(name);
    graph_maker g(m.mutable_graph());
    fill(g, m);
    save(name, m);
}

static void several_outputs(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {4, 6});
    g.ints("k", {2});
    integer(g.node("Split", {"x"}, {"a", "b"}), "axis", 1);
    g.node("TopK", {"a", "k"}, {"values", "places"});
    g.node("TopK", {"b", "k"}, {"other_values", "only_places"});
    g.node("Add", {"values", "values"}, {"twice"});
    g.node("Add", {"places", "only_places"}, {"sum"});
    g.out("twice", {4, 2});
    g.out("sum", {4, 2}, INT64);
}

/* The first of its outputs is not wanted. */
static void later_output(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {5, 1, 3});
    g.floats("w", {1, 8, 3});
    g.floats("r", {1, 8, 2});
    onnx::NodeProto *n = g.node("LSTM", {"x", "w", "r"}, {"", "h", "c"});
    integer(n, "hidden_size", 2);
    g.node("Relu", {"h"}, {"y"});
    g.node("Neg", {"c"}, {"z"});
    g.out("y", {1, 1, 2});
    g.out("z", {1, 1, 2});
}

static void condition(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {2, 3});
    g.in("c", {}, BOOL);
    g.floats("w", {2, 3});
    g.node("Relu", {"x"}, {"r"});
    onnx::NodeProto *n = g.node("If", {"c"}, {"y"});
    graph_maker yes = body(n, "then_branch");
    yes.node("Add", {"r", "w"}, {"t"});
    yes.out("t", {2, 3});
    graph_maker no = body(n, "else_branch");
    no.floats("v", {2, 3});
    onnx::NodeProto *inner = no.node("If", {"c"}, {"e"});
    graph_maker deep = body(inner, "then_branch");
    deep.node("Neg", {"x"}, {"d"});
    deep.out("d", {2, 3});
    graph_maker other = body(inner, "else_branch");
    other.node("Mul", {"v", "r"}, {"d2"});
    other.out("d2", {2, 3});
    no.out("e", {2, 3});
    g.node("Sigmoid", {"y"}, {"z"});
    g.out("z", {2, 3});
}

/* Two of the same text whose bodies differ, and two that are equal in all. */
static void conditions(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {2, 3});
    g.in("c", {}, BOOL);
    std::string last = "x";
    for (int i = 0; i < 4; i++) {
        std::string k = std::to_string(i);
        g.node("Relu", {last}, {"r" + k});
        g.node("Abs", {"r" + k}, {"a" + k});
        onnx::NodeProto *n = g.node("If", {"c"}, {"y" + k});
        graph_maker yes = body(n, "then_branch");
        yes.node(i == 1 ? "Neg" : "Sigmoid", {"x"}, {"t"});
        yes.out("t", {2, 3});
        graph_maker no = body(n, "else_branch");
        no.node("Identity", {"x"}, {"t"});
        no.out("t", {2, 3});
        g.node("Sub", {"a" + k, "y" + k}, {"s" + k});
        last = "s" + k;
    }
    g.out(last, {2, 3});
}

static void loop(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {2, 3});
    g.ints("trips", {3}, true);
    g.truth("go");
    g.node("Abs", {"x"}, {"outer"});
    g.node("Neg", {"x"}, {"start"});
    onnx::NodeProto *n = g.node("Loop", {"trips", "go", "start"}, {"last", "all"});
    graph_maker b = body(n, "body");
    b.in("i", {}, INT64);
    b.in("cond", {}, BOOL);
    b.in("state", {2, 3});
    b.node("Identity", {"cond"}, {"cond_out"});
    b.node("Add", {"state", "outer"}, {"next"});
    b.node("Mul", {"next", "next"}, {"square"});
    b.out("cond_out", {}, BOOL);
    b.out("next", {2, 3});
    b.out("square", {2, 3});
    g.node("Relu", {"last"}, {"y"});
    g.node("Exp", {"all"}, {"z"});
    g.out("y", {2, 3});
    g.out("z", {3, 2, 3});
}

/* Nodes whose results nothing reads, on either side of a split. */
static void idle(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {4});
    g.node("Neg", {"x"}, {"n"});
    g.node("Exp", {"n"}, {"unread"});
    g.node("Abs", {"x"}, {"y"});
    g.out("y", {4});
}

static void scan(graph_maker &g, onnx::ModelProto &)
{
    g.in("start", {4});
    g.in("xs", {5, 4});
    g.floats("w", {4});
    g.node("Relu", {"xs"}, {"rs"});
    onnx::NodeProto *n = g.node("Scan", {"start", "rs"}, {"end", "ys"});
    integer(n, "num_scan_inputs", 1);
    graph_maker b = body(n, "body");
    b.in("s", {4});
    b.in("x", {4});
    b.node("Add", {"s", "x"}, {"t"});
    b.node("Mul", {"t", "w"}, {"t_out"});
    b.node("Neg", {"t_out"}, {"y"});
    b.out("t_out", {4});
    b.out("y", {4});
    g.node("Abs", {"ys"}, {"z"});
    g.out("end", {4});
    g.out("z", {5, 4});
}

static void symbolic(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {-1, 4, -2});
    g.ints("zero", {0}, true);
    g.ints("minus", {-1});
    g.ints("axis", {0});
    g.node("Shape", {"x"}, {"shape"});
    g.node("Gather", {"shape", "zero"}, {"n"});
    g.node("Unsqueeze", {"n", "axis"}, {"n1"});
    integer(g.node("Concat", {"n1", "minus"}, {"target"}), "axis", 0);
    g.node("Reshape", {"x", "target"}, {"flat"});
    g.node("Relu", {"flat"}, {"y"});
    g.out("y", {-1, -3});
}

/* Raw data that stay in the file, one that looks like what stands in their place, a Constant. */
static void large(graph_maker &g, int64_t n)
{
    g.in("x", {1, n});
    g.floats("w", {n, n});
    g.node("MatMul", {"x", "w"}, {"h"});
    onnx::NodeProto *c = g.node("Constant", {}, {"v"});
    attribute(c, "value", onnx::AttributeProto::TENSOR)
        ->mutable_t()
        ->CopyFrom(*g.floats("u", {n, n}));
    g.node("MatMul", {"h", "v"}, {"r"});
    g.node("Add", {"r", "u"}, {"s"});
    g.node("Relu", {"s"}, {"y"});
    onnx::TensorProto *t = g.floats("b", {37});
    t->set_data_type(onnx::TensorProto::INT8);
    t->set_raw_data(std::string("graphsplit: raw data", 21) + std::string(16, '\1'));
    integer(g.node("Cast", {"b"}, {"z"}), "to", FLOAT);
    g.out("y", {n, n});
    g.out("z", {37});
}

static void skipped(graph_maker &g, onnx::ModelProto &)
{
    large(g, 160);
}

static void weights(graph_maker &g, onnx::ModelProto &)
{
    large(g, 3000);
}

/* Nodes with names, of which a graph has some in another form. */
static void stages(graph_maker &g, onnx::ModelProto &m)
{
    g.in("x", {4, 8});
    g.node("Relu", {"x"}, {"/a/relu"});
    g.node("Exp", {"/a/relu"}, {"e"});
    g.node("Neg", {"/a/relu"}, {"1"});
    g.node("Add", {"e", "1"}, {"sum"});
    g.node("Erf", {"sum"}, {"erf"});
    g.node("Tanh", {"erf"}, {"y"});
    for (auto &n : *m.mutable_graph()->mutable_node()) {
        n.set_name(n.output(0));
    }
    g.out("y", {4, 8});
}

static void external(graph_maker &g, onnx::ModelProto &)
{
    const char *const parts[] = {"w", "b"};
    std::ofstream file(folder + "/weights.bin", std::ios::binary);
    uint64_t offset = 0;
    g.in("x", {3, 4});
    for (const char *part : parts) {
        onnx::TensorProto *t = g.floats(part, {4, 4});
        std::string raw = t->raw_data();
        file << raw << std::string(64, '\0');
        t->clear_raw_data();
        t->set_data_location(onnx::TensorProto::EXTERNAL);
        const std::string keys[] = {"location", "offset", "length"};
        const std::string values[] = {
            "weights.bin", std::to_string(offset), std::to_string(raw.size())};
        for (int i = 0; i < 3; i++) {
            auto *e = t->add_external_data();
            e->set_key(keys[i]);
            e->set_value(values[i]);
        }
        offset += raw.size() + 64u;
    }
    g.node("MatMul", {"x", "w"}, {"h"});
    g.node("Relu", {"h"}, {"r"});
    g.node("MatMul", {"r", "b"}, {"y"});
    g.out("y", {3, 4});
}

static void same_names(graph_maker &g, onnx::ModelProto &)
{
    g.in("a/b", {2, 2});
    g.in("a.b", {2, 2});
    g.floats("w:x", {2, 2});
    g.floats("w/x", {2, 2});
    g.floats("w_x", {2, 2});
    const char *const chain[][3] = {{"a/b", "w:x", "1"}, {"1", "w/x", "a_b"},
        {"a_b", "w_x", "it's \"\xC3\xA9\""}, {"it's \"\xC3\xA9\"", "a.b", "a_b_1"}};
    const char *const called[] = {"n/1", "n.1", "n_1", "n:1"};
    for (int i = 0; i < 4; i++) {
        g.node("Add", {chain[i][0], chain[i][1]}, {chain[i][2]})->set_name(called[i]);
    }
    g.node("Relu", {"a_b_1"}, {"return"})->set_name("return");
    g.out("return", {2, 2});
}

static void optional_inputs(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {1, 1, 2, 2});
    onnx::TensorProto *high = g.floats("high", {});
    (void)high;
    onnx::TensorProto *scales = g.floats("scales", {4});
    float by[] = {1, 1, 2, 2};
    scales->set_raw_data(std::string(reinterpret_cast<const char *>(by), sizeof by));
    g.node("Clip", {"x", "", "high"}, {"c"});
    onnx::NodeProto *r = g.node("Resize", {"c", "", "scales"}, {"big"});
    attribute(r, "mode", onnx::AttributeProto::STRING)->set_s("nearest");
    g.node("Clip", {"big", "high", ""}, {"d"});
    g.node("Dropout", {"d", "", ""}, {"y"});
    g.out("y", {1, 1, 4, 4});
}

static void straight_through(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {2, 2});
    g.in("unused", {1});
    g.floats("w", {2, 2});
    g.node("Add", {"x", "w"}, {"s"});
    g.node("Relu", {"s"}, {"y"});
    g.out("y", {2, 2});
    g.out("w", {2, 2});
    g.out("s", {2, 2});
}

static void input_is_output(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {2, 2});
    g.node("Relu", {"x"}, {"y"});
    g.out("x", {2, 2});
    g.out("y", {2, 2});
}

static void layers(graph_maker &g, onnx::ModelProto &)
{
    std::string last = "x0";
    g.in("x0", {4, 4});
    for (int i = 0; i < 4; i++) {
        std::string k = std::to_string(i);
        g.floats("w" + k, {4, 4});
        g.node("MatMul", {last, "w" + k}, {"m" + k});
        integer(g.node("Split", {"m" + k}, {"l" + k, "h" + k}), "axis", 1);
        g.node("Mul", {"l" + k, "h" + k}, {"p" + k});
        integer(g.node("Concat", {"p" + k, "h" + k}, {"x" + std::to_string(i + 1)}), "axis", 1);
        last = "x" + std::to_string(i + 1);
        if (i == 1) {
            g.node("Softmax", {last}, {"between"});
            last = "between";
        }
    }
    g.out(last, {4, 4});
    g.out("h2", {4, 2});
}

/* Elements of what several operators make leave what is repeated. */
static void leaving_elements(graph_maker &g, onnx::ModelProto &)
{
    names all;
    std::string last = "x0";
    g.in("x0", {4, 4});
    for (int i = 0; i < 3; i++) {
        std::string k = std::to_string(i);
        g.node("Abs", {last}, {"a" + k});
        g.node("Exp", {"a" + k}, {"e" + k});
        integer(g.node("Split", {"e" + k}, {"l" + k, "h" + k}), "axis", 1);
        all.push_back("l" + k);
        all.push_back("h" + k);
        integer(g.node("Concat", {"h" + k, "l" + k}, {"c" + k}), "axis", i == 2 ? -1 : 1);
        last = "c" + k;
    }
    integer(g.node("Concat", all, {"y"}), "axis", 0);
    g.out("y", {24, 2});
    g.out(last, {4, 4});
}

static void listed_weights(graph_maker &g, onnx::ModelProto &m)
{
    m.set_ir_version(3);
    m.mutable_opset_import(0)->set_version(9);
    g.in("x", {2, 4});
    g.in("w", {4, 4});
    g.in("b", {4});
    g.floats("w", {4, 4});
    g.floats("b", {4});
    g.node("Gemm", {"x", "w", "b"}, {"h"});
    g.node("Relu", {"h"}, {"r"});
    g.node("Gemm", {"r", "w", "b"}, {"y"});
    g.out("y", {2, 4});
}

static void out_of_order(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {2});
    g.node("Neg", {"r"}, {"n"});
    g.node("Exp", {"n"}, {"y"});
    g.node("Relu", {"x"}, {"r"});
    g.out("y", {2});
}

static void own_function(graph_maker &g, onnx::ModelProto &m)
{
    auto *own = m.add_opset_import();
    own->set_domain("mine");
    own->set_version(1);
    auto *f = m.add_functions();
    f->set_name("Twice");
    f->set_domain("mine");
    f->add_input("a");
    f->add_output("b");
    f->add_opset_import()->set_version(13);
    auto *n = f->add_node();
    n->set_op_type("Add");
    n->add_input("a");
    n->add_input("a");
    n->add_output("b");
    g.in("x", {2, 2});
    g.node("Relu", {"x"}, {"r"});
    g.node("Twice", {"r"}, {"t"})->set_domain("mine");
    g.node("Neg", {"t"}, {"y"});
    g.out("y", {2, 2});
    auto *v = m.mutable_graph()->add_value_info();
    graph_maker::set_type(v, "t", FLOAT, {2, 2});
}

/* What dedup made, with more to find. */
static void deduplicated(graph_maker &g, onnx::ModelProto &m)
{
    std::string last = "s";
    auto *own = m.add_opset_import();
    own->set_domain("graphsplit");
    own->set_version(1);
    auto *f = m.add_functions();
    f->set_name("subgraph_0");
    f->set_domain("graphsplit");
    f->add_input("a");
    f->add_output("b");
    f->add_opset_import()->set_version(13);
    auto *n = f->add_node();
    n->set_op_type("Exp");
    n->add_input("a");
    n->add_output("b");
    g.in("x", {2, 2});
    n = g.node("subgraph_0", {"x"}, {"s"});
    n->set_domain("graphsplit");
    n->set_name("subgraph_0_call_0");
    for (int i = 0; i < 3; i++) {
        std::string k = std::to_string(i);
        g.node("Sigmoid", {last}, {"a" + k});
        g.node("Neg", {"a" + k}, {"b" + k});
        g.node("Tanh", {"b" + k}, {"c" + k});
        last = "c" + k;
    }
    g.out(last, {2, 2});
}

static void fills(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {2, 3});
    onnx::NodeProto *shape = g.node("Constant", {}, {"shape"});
    graph_maker::fill(
        attribute(shape, "value", onnx::AttributeProto::TENSOR)->mutable_t(), {2, 3}, false);
    onnx::NodeProto *n = g.node("ConstantOfShape", {"shape"}, {"w"});
    onnx::TensorProto *t = attribute(n, "value", onnx::AttributeProto::TENSOR)->mutable_t();
    t->set_data_type(FLOAT);
    t->add_dims(1);
    t->add_float_data(0.25f);
    onnx::NodeProto *c = g.node("Constant", {}, {"scalar"});
    attribute(c, "value_float", onnx::AttributeProto::FLOAT)->set_f(0.1f);
    g.node("Mul", {"x", "w"}, {"m"});
    g.node("Relu", {"m"}, {"r"});
    g.node("Add", {"r", "w"}, {"a"});
    g.node("Mul", {"a", "scalar"}, {"y"});
    g.out("y", {2, 3});
}

static void other_types(graph_maker &g, onnx::ModelProto &)
{
    g.in("x", {2, 3});
    g.in("i", {2}, INT64);
    integer(g.node("Cast", {"x"}, {"h"}), "to", onnx::TensorProto::FLOAT16);
    integer(g.node("Cast", {"h"}, {"f"}), "to", FLOAT);
    g.node("Greater", {"f", "x"}, {"g"});
    g.node("Not", {"g"}, {"n"});
    integer(g.node("Cast", {"n"}, {"k"}), "to", onnx::TensorProto::INT32);
    g.node("Add", {"i", "i"}, {"j"});
    g.out("k", {2, 3}, onnx::TensorProto::INT32);
    g.out("j", {2}, INT64);
}

/* ---- models that are wrong ---- */

static void beside(onnx::TensorProto *t, const char *location)
{
    t->clear_raw_data();
    t->set_data_location(onnx::TensorProto::EXTERNAL);
    auto *e = t->add_external_data();
    e->set_key("location");
    e->set_value(location);
}

static void one_weight(graph_maker &g, const char *location)
{
    g.in("x", {2, 2});
    beside(g.floats("w", {2, 2}), location);
    g.node("Add", {"x", "w"}, {"y"});
    g.out("y", {2, 2});
}

/* Shapes that need more than the ONNX library: names with a dot, and a target that is computed. */
static void write_shapes()
{
    write("batch", [](graph_maker &g, onnx::ModelProto &m) {
        auto named = [&m](onnx::ValueInfoProto *v) {
            v->mutable_type()
                ->mutable_tensor_type()
                ->mutable_shape()
                ->mutable_dim(0)
                ->set_dim_param("batch.0");
        };
        g.in("x", {-1, 6, 4, 1});
        named(m.mutable_graph()->mutable_input(0));
        g.ints("to", {-1, 1, 6, 4});
        g.floats("k", {2, 1, 3, 3});
        g.node("Reshape", {"x", "to"}, {"r"});
        g.node("Conv", {"r", "k"}, {"c"});
        g.node("Relu", {"c"}, {"y"});
        g.out("y", {-1, 2, 4, 2});
        named(m.mutable_graph()->mutable_output(0));
    });
    write("turns", [](graph_maker &g, onnx::ModelProto &) { /* 20 - N rows of 1,000 numbers */
        g.in("x", {-1, 1000});
        g.ints("zero", {0});
        g.ints("all", {20});
        g.ints("columns", {1000});
        g.floats("one", {1, 1});
        g.node("Shape", {"x"}, {"s"});
        g.node("Gather", {"s", "zero"}, {"n"});
        g.node("Sub", {"all", "n"}, {"rows"});
        integer(g.node("Concat", {"rows", "columns"}, {"to"}), "axis", 0);
        g.node("Expand", {"one", "to"}, {"e"});
        g.node("Relu", {"e"}, {"y"});
        g.out("y", {-2, 1000});
    });
    write("chained", [](graph_maker &g, onnx::ModelProto &m) {
        m.mutable_opset_import(0)->set_version(21);
        g.in("x", {-1, 4, -2});
        m.mutable_graph()
            ->mutable_input(0)
            ->mutable_type()
            ->mutable_tensor_type()
            ->mutable_shape()
            ->mutable_dim(2)
            ->set_dim_param("?");
        g.ints("zero", {0});
        g.ints("one", {1});
        g.ints("two", {2});
        g.ints("rest", {-1});
        g.node("Shape", {"x"}, {"s"});
        g.node("Slice", {"s", "zero", "one"}, {"n"});
        integer(g.node("Concat", {"n", "two", "rest"}, {"to"}), "axis", 0);
        g.node("Reshape", {"x", "to"}, {"r"});
        g.node("Gelu", {"r"}, {"g"});
        g.node("ReduceMean", {"g", "two"}, {"v"});
        integer(g.node("Split", {"v"}, {"p", "q"}), "num_outputs", 2);
        integer(m.mutable_graph()->mutable_node(6), "axis", 1);
        g.node("Add", {"p", "q"}, {"y"});
        g.out("y", {-1, 1, 1});
    });
    write("fused", [](graph_maker &g, onnx::ModelProto &m) {
        auto *own = m.add_opset_import();
        own->set_domain("com.microsoft");
        own->set_version(1);
        g.in("x", {-1, 8});
        g.floats("w", {8, 4});
        g.node("FusedMatMul", {"x", "w"}, {"m"})->set_domain("com.microsoft");
        g.node("QuickGelu", {"m"}, {"q"})->set_domain("com.microsoft");
        g.node("Relu", {"q"}, {"y"});
        g.out("y", {-1, 4});
    });
    write("own", [](graph_maker &g, onnx::ModelProto &m) {
        auto *own = m.add_opset_import();
        own->set_domain("mine");
        own->set_version(1);
        g.in("x", {2, 8});
        g.node("Relu", {"x"}, {"a"});
        g.node("Neg", {"a"}, {"b"});
        g.node("Mystery", {"b"}, {"m"})->set_domain("mine");
        g.node("Relu", {"m"}, {"y"});
        g.out("y", {2, 8});
    });
}

static void write_wrong()
{
    write_shapes();
    write("cycle", [](graph_maker &g, onnx::ModelProto &) {
        g.in("x", {2});
        g.node("Relu", {"x"}, {"r"})->set_name("first");
        g.node("Neg", {"z"}, {"y"})->set_name("second");
        g.node("Neg", {"y"}, {"z"})->set_name("third");
        g.out("z", {2});
    });
    write("undefined", [](graph_maker &g, onnx::ModelProto &) {
        g.node("Relu", {"nothing"}, {"y"});
        g.out("y", {2});
    });
    write("no_output", [](graph_maker &g, onnx::ModelProto &) {
        g.in("x", {2});
        g.node("Relu", {"x"}, {"y"});
        g.out("gone", {2});
    });
    write("twice", [](graph_maker &g, onnx::ModelProto &) {
        g.in("x", {2});
        g.node("Relu", {"x"}, {"y"});
        g.node("Neg", {"x"}, {"y"});
        g.out("y", {2});
    });
    write("inputs", [](graph_maker &g, onnx::ModelProto &) {
        g.in("x", {2});
        g.in("x", {2});
        g.out("x", {2});
    });
    write("escape", [](graph_maker &g, onnx::ModelProto &) { one_weight(g, "../weights.bin"); });
    write("no_weights", [](graph_maker &g, onnx::ModelProto &) { one_weight(g, "none.bin"); });
    write("linked", [](graph_maker &g, onnx::ModelProto &) { one_weight(g, "linked.bin"); });
    write("fifo", [](graph_maker &g, onnx::ModelProto &) { one_weight(g, "fifo.bin"); });
    write("more", [](graph_maker &g, onnx::ModelProto &) { one_weight(g, "more.bin"); });
    write("less", [](graph_maker &g, onnx::ModelProto &m) {
        one_weight(g, "more.bin");
        auto *e = m.mutable_graph()->mutable_initializer(0)->add_external_data();
        e->set_key("length");
        e->set_value("15");
    });
    write("shape", [](graph_maker &g, onnx::ModelProto &m) {
        g.in("x", {2, 2});
        g.ints("s", {4});
        m.mutable_graph()->mutable_initializer(0)->clear_int64_data();
        beside(m.mutable_graph()->mutable_initializer(0), "fifo.bin");
        g.node("Reshape", {"x", "s"}, {"y"});
        g.out("y", {4});
    });
    write("crash", [](graph_maker &g, onnx::ModelProto &) { /* strides by which libraries divide */
        g.in("x", {1, 3, 8, 8});
        g.ints("to", {3, -1});
        auto *n = g.node("MaxPool", {"x"}, {"m"});
        for (const char *name : {"kernel_shape", "strides"}) {
            auto *a = n->add_attribute();
            a->set_name(name);
            a->set_type(onnx::AttributeProto::INTS);
            a->add_ints(name[0] == 'k' ? 2 : 0);
            a->add_ints(name[0] == 'k' ? 2 : 0);
        }
        g.node("Reshape", {"x", "to"}, {"y"});
        g.out("y", {3, -1});
    });
    write("crashes",
        [](graph_maker &g, onnx::ModelProto &m) { /* two of its operators, by themselves */
            auto *own = m.add_opset_import();
            own->set_domain("com.microsoft");
            own->set_version(1);
            g.in("x", {1, 3, 8, 8});
            g.floats("w", {4, 3, 2, 2});
            for (const char *name : {"c", "d"}) {
                auto *a = g.node("Conv", {"x", "w"}, {name})->add_attribute();
                a->set_name("strides");
                a->set_type(onnx::AttributeProto::INTS);
                a->add_ints(0);
                a->add_ints(0);
            }
            g.node("Add", {"c", "d"}, {"e"});
            integer(g.node("Concat", {"x", "x"}, {"k"}), "axis", 1);
            g.node("Mystery", {"k"}, {"l"})->set_domain("com.microsoft");
            g.node("Transpose", {"l"}, {"t"});
            g.node("Relu", {"t"}, {"y"});
            g.out("y", {8, 8, 6, 1});
        });
    write("preview", [](graph_maker &g, onnx::ModelProto &m) {
        for (const char *domain : {"ai.onnx.preview", "com.microsoft"}) {
            auto *own = m.add_opset_import();
            own->set_domain(domain);
            own->set_version(1);
        }
        g.in("x", {1, 2, 8, 8});
        g.node("FlexAttention", {"x", "x", "x"}, {"m"})->set_domain("ai.onnx.preview");
        g.node("Mystery", {"x"}, {"y"})->set_domain("com.microsoft");
        g.out("y", {1, 2, 8, 8});
    });
    write("unknown", [](graph_maker &g, onnx::ModelProto &m) {
        auto *own = m.add_opset_import();
        own->set_domain("mine");
        own->set_version(1);
        g.in("x", {2});
        g.node("Mystery", {"x"}, {"m"})->set_domain("mine");
        g.node("Relu", {"m"}, {"r"});
        g.node("Mystery", {"r"}, {"y"})->set_domain("mine");
        m.mutable_graph()->add_output()->set_name("y");
        m.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
            FLOAT);
    });
    write("control", [](graph_maker &g, onnx::ModelProto &m) {
        auto *own = m.add_opset_import();
        own->set_domain("mine");
        own->set_version(1);
        g.in("x", {2});
        g.node("\033[31m\302\233m\n", {"x"}, {"y\033]0;me\007"})->set_domain("mine");
        g.out("y\033]0;me\007", {2});
    });
    write("controls", [](graph_maker &g, onnx::ModelProto &) {
        g.node("Relu", {"x\033[31m\302\233m\n"}, {"y"})->set_name("n\033[31m\302\233m\n");
        g.out("y", {2});
    });
    write("big", [](graph_maker &g, onnx::ModelProto &) {
        onnx::TensorProto *t;
        g.in("x", {1, 70000});
        t = g.floats("w", {1, 1});
        t->set_dims(0, 70000);
        t->set_dims(1, 10000);
        beside(t, "big.bin");
        g.node("MatMul", {"x", "w"}, {"m"});
        g.node("Relu", {"m"}, {"y"});
        g.out("y", {1, 10000});
    });
}

/* ---- models for XNNPACK ---- */

static void list(onnx::NodeProto *n, const char *name, const sizes &values)
{
    onnx::AttributeProto *a = attribute(n, name, onnx::AttributeProto::INTS);
    for (int64_t v : values) {
        a->add_ints(v);
    }
}

static size_t drawn(size_t n)
{
    (void)next_random();
    return (state >> 16) % n;
}

/* A node that sees 3 x 3 elements and keeps the size. */
static void window(graph_maker &g, const std::string &op, const names &in, const std::string &out)
{
    onnx::NodeProto *n = g.node(op, in, {out});
    list(n, "kernel_shape", {3, 3});
    list(n, "pads", {1, 1, 1, 1});
}

static void convolution(graph_maker &g, const std::string &in, const std::string &out)
{
    int64_t group = drawn(2) ? 4 : 1;
    g.floats(out + "_w", {4, 4 / group, 3, 3});
    g.floats(out + "_b", {4});
    onnx::NodeProto *n = g.node("Conv", {in, out + "_w", out + "_b"}, {out});
    list(n, "pads", {1, 1, 1, 1});
    integer(n, "group", group);
}

static void quantised(graph_maker &g, const std::string &in, const std::string &out)
{
    const std::string scale = out + "_scale", zero = out + "_zero", w = out + "_w";
    g.floats(scale, {})->set_raw_data("\xCD\xCC\x4C\x3D", 4); /* 0.05 */
    for (const auto &name : {zero, w}) {
        onnx::TensorProto *t = g.floats(name, name == w ? sizes{4, 4, 3, 3} : sizes{});
        t->set_data_type(onnx::TensorProto::UINT8);
        t->set_raw_data(name == w ? t->raw_data().substr(0, 4 * 4 * 3 * 3) : "\x80");
    }
    g.node("QuantizeLinear", {in, scale, zero}, {out + "_in"});
    window(g, "QLinearConv", {out + "_in", scale, zero, w, scale, zero, scale, zero}, out + "_out");
    g.node("DequantizeLinear", {out + "_out", scale, zero}, {out});
}

/* It reads an input: layouts around it change the last bit of what XNNPACK interpolates. */
static void resized(graph_maker &g, const std::string &out)
{
    /* 1, 1, 2, 2 */
    g.floats(out + "_by", {4})->set_raw_data("\0\0\x80\x3F\0\0\x80\x3F\0\0\0\x40\0\0\0\x40", 16);
    onnx::NodeProto *n = g.node("Resize", {"x", "", out + "_by"}, {out + "_big"});
    attribute(n, "mode", onnx::AttributeProto::STRING)->set_s(drawn(2) ? "linear" : "nearest");
    n = g.node("MaxPool", {out + "_big"}, {out});
    list(n, "kernel_shape", {2, 2});
    list(n, "strides", {2, 2});
}

/* What has no layout: a Softmax over channels would change its axis with that of its neighbours. */
static void flat(graph_maker &g, const std::string &in, const std::string &out)
{
    const size_t op = drawn(4);
    g.ints(out + "_flat", {8, 32});
    g.ints(out + "_back", {1, 4, 8, 8});
    g.node("Reshape", {in, out + "_flat"}, {out + "_in"});
    if (op < 2) {
        integer(g.node("Softmax", {out + "_in"}, {out + "_out"}), "axis", op ? 1 : 0);
    } else {
        names in_and_weights{out + "_in", out + "_w"};
        g.floats(out + "_w", {32, 32});
        if (op == 2) {
            g.floats(out + "_b", {32});
            in_and_weights.push_back(out + "_b");
        }
        g.node(op == 2 ? "Gemm" : "MatMul", in_and_weights, {out + "_out"});
    }
    g.node("Reshape", {out + "_out", out + "_back"}, {out});
}

/* Most of what XNNPACK takes, the same where it leaves it, and operators that it does not have. */
static void draw_node(
    graph_maker &g, const std::string &a, const std::string &b, const std::string &out)
{
    switch (drawn(16)) {
    case 0:
    case 1:
        convolution(g, a, out);
        break;
    case 2:
        convolution(g, a, out + "_c");
        g.node("Relu", {out + "_c"}, {out});
        break;
    case 3:
        convolution(g, a, out + "_c");
        g.floats(out + "_low", {});
        g.node("Clip", {out + "_c", out + "_low"}, {out});
        break;
    case 4:
        window(g, "MaxPool", {a}, out);
        break;
    case 5:
        window(g, "AveragePool", {a}, out);
        break;
    case 6:
        g.floats(out + "_w", {4, 4, 3, 3});
        window(g, "ConvTranspose", {a, out + "_w"}, out);
        break;
    case 7:
        integer(g.node("Concat", {a, b}, {out + "_two"}), "axis", 1);
        g.floats(out + "_w", {4, 8, 1, 1});
        g.node("Conv", {out + "_two", out + "_w"}, {out});
        break;
    case 8:
        g.node("Mul", {a, b}, {out});
        break;
    case 9:
        g.node("Sigmoid", {a}, {out});
        break;
    case 10:
        g.node("Sin", {a}, {out});
        break;
    case 11:
        integer(g.node("Softmax", {"weights"}, {out + "_w"}), "axis", 0);
        window(g, "Conv", {a, out + "_w"}, out);
        break;
    case 12:
        flat(g, a, out);
        break;
    case 13:
        quantised(g, a, out);
        break;
    case 14:
        resized(g, out);
        break;
    default:
        g.node("Add", {a, b}, {out});
    }
}

static void name_nodes(onnx::GraphProto *g)
{
    for (int i = 0; i < g->node_size(); i++) {
        g->mutable_node(i)->set_name("n" + std::to_string(i));
    }
}

static void draw(graph_maker &g, onnx::ModelProto &m)
{
    names values{"x"};
    std::set<std::string> read;
    g.in("x", {1, 4, 8, 8});
    g.in("weights", {4, 4, 3, 3});
    for (size_t i = 0, n = 6 + drawn(20); i < n; i++) {
        std::string a = values[values.size() - 1 - drawn(values.size() < 4 ? values.size() : 4)];
        std::string b = values[drawn(values.size())], out = "v" + std::to_string(i);
        draw_node(g, a, b, out);
        values.push_back(out);
    }
    for (const auto &n : m.graph().node()) {
        read.insert(n.input().begin(), n.input().end());
    }
    for (const auto &name : values) {
        if (!read.count(name)) {
            g.out(name, {1, 4, 8, 8});
        }
    }
    name_nodes(m.mutable_graph());
}

/* Do all operators mean in ONNX 11 what they meant in ONNX 7? */
static bool unchanged(const onnx::GraphProto &g)
{
    static const std::set<std::string> ops{"Add", "AveragePool", "BatchNormalization", "Concat",
        "Constant", "ConstantOfShape", "Conv", "Dropout", "Flatten", "Gather", "Gemm",
        "GlobalAveragePool", "LRN", "MatMul", "MaxPool", "Mul", "Relu", "Reshape", "Shape",
        "Sigmoid", "Softmax", "Sum", "Transpose", "Unsqueeze"};
    for (const auto &n : g.node()) {
        if (!ops.count(n.op_type())) {
            return false;
        }
    }
    return true;
}

/* Weights that the file describes as a fill of a shape become weights. */
static void store_fills(onnx::GraphProto *g)
{
    graph_maker to(g);
    onnx::GraphProto kept;
    for (const auto &n : g->node()) {
        const onnx::TensorProto *shape = nullptr;
        for (const auto &t : g->initializer()) {
            shape = n.op_type() == "ConstantOfShape" && t.name() == n.input(0) ? &t : shape;
        }
        if (!shape) {
            *kept.add_node() = n;
            continue;
        }
        sizes dims(shape->int64_data().begin(), shape->int64_data().end());
        dims.resize(static_cast<size_t>(shape->dims(0)));
        if (shape->has_raw_data()) {
            shape->raw_data().copy(reinterpret_cast<char *>(dims.data()), dims.size() * 8);
        }
        /* Small ones keep results finite; a variance must not be negative. */
        onnx::TensorProto *t = to.floats(n.output(0), dims);
        std::vector<float> values(t->raw_data().size() / sizeof(float));
        t->raw_data().copy(reinterpret_cast<char *>(values.data()), t->raw_data().size());
        for (float &v : values) {
            v = dims.size() == 1 ? 1 + v : v / 8;
        }
        t->set_raw_data(values.data(), t->raw_data().size());
    }
    g->mutable_node()->Swap(kept.mutable_node());
}

/* A model as the provider takes it: layouts move from ONNX 11 on, and weights have to be there. */
static void prepare(const std::string &path)
{
    onnx::ModelProto m;
    std::ifstream file(path, std::ios::binary);
    size_t base = path.rfind('/') + 1;
    if (!m.ParseFromIstream(&file)) {
        fprintf(stderr, "cannot read %s\n", path.c_str());
        exit(1);
    }
    onnx::GraphProto *g = m.mutable_graph();
    const int64_t version = m.opset_import_size() ? m.opset_import(0).version() : 0;
    if (version >= 7 && version < 11 && unchanged(*g)) {
        std::set<std::string> weights;
        store_fills(g);
        m.set_ir_version(8);
        m.mutable_opset_import(0)->set_version(11);
        for (const auto &t : g->initializer()) {
            weights.insert(t.name());
        }
        for (int i = g->input_size() - 1; i >= 0; i--) {
            if (weights.count(g->input(i).name())) {
                g->mutable_input()->DeleteSubrange(i, 1);
            }
        }
    }
    name_nodes(g);
    save(path.substr(base, path.rfind('.') - base), m);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: make FOLDER [wrong | weights | stages | xnnpack [MODEL...]]\n");
        return 2;
    }
    folder = argv[1];
    if (argc > 2 && std::string(argv[2]) == "xnnpack") {
        for (int i = 0; i < 16; i++) {
            write("drawn_" + std::to_string(i), draw);
        }
        for (int i = 3; i < argc; i++) {
            prepare(argv[i]);
        }
        return 0;
    }
    if (argc > 2 && std::string(argv[2]) == "weights") {
        write("weights", weights);
        return 0;
    }
    if (argc > 2 && std::string(argv[2]) == "stages") {
        write("stages", stages);
        return 0;
    }
    if (argc > 2) {
        write_wrong();
        return 0;
    }
    write("several_outputs", several_outputs);
    write("later_output", later_output);
    write("condition", condition);
    write("conditions", conditions);
    write("loop", loop);
    write("idle", idle);
    write("scan", scan);
    write("symbolic", symbolic);
    write("external", external);
    write("skipped", skipped);
    write("same_names", same_names);
    write("optional_inputs", optional_inputs);
    write("straight_through", straight_through);
    write("input_is_output", input_is_output);
    write("layers", layers);
    write("leaving_elements", leaving_elements);
    write("listed_weights", listed_weights);
    write("out_of_order", out_of_order);
    write("own_function", own_function);
    write("deduplicated", deduplicated);
    write("fills", fills);
    write("other_types", other_types);
    return 0;
}
