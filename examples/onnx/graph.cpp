/* The graph of a model: inputs are placeholders, constants get_attr nodes before their first
 * reader, operators calls of `onnx.<OpType>`, the bodies of control flow child graphs. */
#include "examples/onnx/infer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <utility>

namespace onnx_front
{

/* ---- a graph before it is built ---- */

struct argument {
    gsp_arg_kind kind;
    gsp_node node;
    std::string text;
};

struct node {
    gsp_op op;
    std::string name;
    std::string target;
    std::string type;
    std::string key;   /* distinguishes it beyond its text, or empty */
    std::string trips; /* of a loop, or empty */
    std::vector<std::pair<std::string, size_t>> bodies; /* keys, indices of graphs that it runs */
    std::vector<argument> args;
};

struct sketch {
    std::string name;
    std::vector<node> nodes;
    std::vector<argument> result;
};

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* 1 for a byte that is not the first of a UTF-8 character. */
static bool is_tail(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

/* Words that have another meaning in the place of a name. */
static bool is_reserved(const std::string &word)
{
    static const char *const words[] = {
        "None",
        "True",
        "False",
        "inf",
        "nan",
        "Ellipsis",
        "cpu",
        "cuda",
        "slice",
        "return",
        "module",
        "int",
        "float",
        "bool",
        "str",
        "tuple",
        "list",
        "dict",
        "torch",
        "graph",
    };
    for (const char *w : words) {
        if (word == w) {
            return true;
        }
    }
    return false;
}

/* A dotted path: odd characters become '_', a path separator becomes a dot. */
static std::string clean_path(const std::string &text)
{
    std::string out;
    size_t begin;
    size_t end;
    for (char c : text) {
        char d = c == '/' || c == ':' ? '.' : is_word(c) || c == '.' ? c : '_';
        if (!is_tail(c) && !(d == '.' && !out.empty() && out.back() == '.')) {
            out.push_back(d);
        }
    }
    begin = out.find_first_not_of('.');
    if (begin == std::string::npos) {
        return "_";
    }
    end = out.find_last_not_of('.');
    return out.substr(begin, end - begin + 1u);
}

static std::string clean_name(const std::string &text)
{
    std::string out;
    for (char c : text) {
        if (!is_tail(c)) {
            out.push_back(is_word(c) ? c : '_');
        }
    }
    if (out.empty()) {
        out = "_";
    }
    return is_digit(out[0]) ? "_" + out : out;
}

/* Gives out free names, in the order of requests. */
class names
{
  public:
    std::string unique(const std::string &text)
    {
        std::string want = clean_name(text);
        std::string base = want;
        std::string got;
        uint64_t k = 0;
        size_t digits = 0;
        if (!is_reserved(want) && taken_.insert(want).second) {
            return want;
        }
        while (digits < want.size() && is_digit(want[want.size() - 1u - digits])) {
            digits++;
        }
        if (digits >= 1u && digits <= 9u && want.size() > digits &&
            want[want.size() - 1u - digits] == '_') {
            base = want.substr(0, want.size() - 1u - digits);
            k = strtoull(want.c_str() + base.size() + 1u, nullptr, 10);
        }
        k = std::max(k, next_[base]);
        do {
            k++;
            got = base + "_" + std::to_string(k);
        } while (taken_.count(got) != 0);
        next_[base] = k;
        taken_.insert(got);
        return got;
    }

  private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, uint64_t> next_;
};

/* Two attributes never share a path, even if cleaning makes their names equal, since a pass may
 * merge equal paths. */
class paths
{
  public:
    std::string unique(const std::string &text)
    {
        std::string path = clean_path(text);
        auto at = used_.find(path);
        uint64_t k;
        std::string got;
        if (at == used_.end()) {
            used_[path] = 0;
            return path;
        }
        k = at->second + 1u;
        while (used_.count(path + "_" + std::to_string(k)) != 0) {
            k++;
        }
        used_[path] = k;
        got = path + "_" + std::to_string(k);
        used_[got] = 0;
        return got;
    }

  private:
    std::unordered_map<std::string, uint64_t> used_;
};

/* ---- values as text ---- */

static std::string of_string(const std::string &text)
{
    bool bare = !text.empty() && !is_digit(text[0]) && text[0] != '.' && !is_reserved(text);
    std::string out;
    for (char c : text) {
        bare = bare && (is_word(c) || c == '.');
        out.push_back(c >= ' ' && c <= '~' && c != '\'' && c != '\\' ? c : '_');
    }
    return bare ? text : "'" + out + "'";
}

/* The shortest decimal that reads back, as Python writes it. */
static std::string of_float(double x)
{
    char digits[40];
    std::string mantissa;
    std::string sign;
    int exponent;
    int precision = 0;
    if (std::isnan(x)) {
        return "nan";
    }
    if (std::isinf(x)) {
        return x < 0 ? "-inf" : "inf";
    }
    do {
        snprintf(digits, sizeof digits, "%.*e", precision, x);
    } while (strtod(digits, nullptr) != x && ++precision < 17);
    exponent = atoi(strchr(digits, 'e') + 1);
    if (exponent >= -4 && exponent < 16) {
        snprintf(digits, sizeof digits, "%.*f", std::max(precision - exponent, 1), x);
        return digits;
    }
    mantissa.assign(digits, strchr(digits, 'e'));
    snprintf(digits, sizeof digits, "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
    return mantissa + digits;
}

static const char *dtype_name(int dtype)
{
    static const char *const of[] = {
        nullptr,
        "f32",
        "u8",
        "i8",
        "u16",
        "i16",
        "i32",
        "i64",
        nullptr,
        "b1",
        "f16",
        "f64",
        "u32",
        "u64",
        "c64",
        "c128",
        "bf16",
        "f8",
        "f8",
        "f8",
        "f8",
        "u4",
        "i4",
        "f4",
        "f8",
        "u2",
        "i2",
    };
    return dtype >= 0 && dtype < static_cast<int>(sizeof of / sizeof *of) ? of[dtype] : nullptr;
}

int dtype_of(const std::string &name)
{
    for (int i = 1; i < 64; i++) {
        if (dtype_name(i) != nullptr && name == dtype_name(i)) {
            return i;
        }
    }
    return 0;
}

static std::string of_tensor(const char *dtype, const std::vector<std::string> &dims)
{
    std::string out = std::string(dtype) + "[";
    for (size_t i = 0; i < dims.size(); i++) {
        out += (i != 0 ? ", " : "") + dims[i];
    }
    return out + "]";
}

static std::string of_constant(const constant &c)
{
    std::vector<std::string> dims;
    const char *dtype = dtype_name(c.dtype);
    for (int64_t d : c.dims) {
        dims.push_back(d >= 0 ? std::to_string(d) : "s" + std::to_string(dims.size()));
    }
    return dtype != nullptr ? of_tensor(dtype, dims) : "";
}

/* A symbolic dimension keeps its name; an unknown one gets a name from its position. */
std::string dimension_text(const onnx::TensorShapeProto_Dimension &dim, int position)
{
    std::string name = "s" + std::to_string(position);
    if (dim.has_dim_value()) {
        return dim.dim_value() >= 0 ? std::to_string(dim.dim_value()) : name;
    }
    if (!dim.dim_param().empty()) {
        name = clean_path(dim.dim_param());
        std::replace(name.begin(), name.end(), '.', '_');
    }
    return is_digit(name[0]) ? "s_" + name : name;
}

std::string type_text(const onnx::TypeProto &type)
{
    std::vector<std::string> dims;
    const char *dtype;
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) {
        return "";
    }
    const auto &t = type.tensor_type();
    dtype = dtype_name(t.elem_type());
    for (int i = 0; i < t.shape().dim_size(); i++) {
        dims.push_back(dimension_text(t.shape().dim(i), i));
    }
    return dtype != nullptr ? of_tensor(dtype, dims) : "";
}

/* The type of a value, empty if the shape of a tensor is unknown. */
static std::string of_type(const types &known, const std::string &tensor)
{
    auto at = known.find(tensor);
    return at != known.end() ? type_text(*at->second) : "";
}

/* ---- arguments ---- */

static void put(std::vector<argument> &args, gsp_arg_kind kind, const std::string &text = "")
{
    argument a = {kind, GSP_NONE, text};
    args.push_back(a);
}

static void put_node(std::vector<argument> &args, gsp_node v)
{
    argument a = {GSP_ARG_NODE, v, ""};
    args.push_back(a);
}

template <typename List, typename Spell>
static void put_list(std::vector<argument> &args, const List &list, Spell spell)
{
    put(args, GSP_ARG_LIST);
    for (const auto &x : list) {
        put(args, GSP_ARG_CONSTANT, spell(x));
    }
    put(args, GSP_ARG_CLOSE);
}

/* The attributes that text can express; tensors, graphs and types stay in the model. */
static std::vector<argument> of_attribute(const onnx::AttributeProto &a)
{
    std::vector<argument> out;
    switch (a.type()) {
    case onnx::AttributeProto::INT:
        put(out, GSP_ARG_CONSTANT, std::to_string(a.i()));
        break;
    case onnx::AttributeProto::FLOAT:
        put(out, GSP_ARG_CONSTANT, of_float(static_cast<double>(a.f())));
        break;
    case onnx::AttributeProto::STRING:
        put(out, GSP_ARG_CONSTANT, of_string(a.s()));
        break;
    case onnx::AttributeProto::INTS:
        put_list(out, a.ints(), [](int64_t x) { return std::to_string(x); });
        break;
    case onnx::AttributeProto::FLOATS:
        put_list(out, a.floats(), [](float x) { return of_float(static_cast<double>(x)); });
        break;
    case onnx::AttributeProto::STRINGS:
        put_list(out, a.strings(), of_string);
        break;
    default:
        break;
    }
    return out;
}

/* ---- what text does not say ---- */

class digest
{
  public:
    void add(const std::string &bytes)
    {
        for (char c : bytes) {
            add_byte(static_cast<unsigned char>(c));
        }
        add_byte(0x100u);
    }

    /* Empty if nothing was added. */
    std::string text() const
    {
        char out[24];
        snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash_));
        return any_ ? out : "";
    }

  private:
    uint64_t hash_ = UINT64_C(14695981039346656037);
    bool any_ = false;

    void add_byte(uint32_t byte)
    {
        hash_ = (hash_ ^ byte) * UINT64_C(1099511628211);
        any_ = true;
    }
};

static bool is_lossy(const std::string &text)
{
    std::string spelled = of_string(text);
    return spelled != text && spelled != "'" + text + "'";
}

static bool is_hidden(const onnx::AttributeProto &a)
{
    bool lossy = a.type() == onnx::AttributeProto::STRING && is_lossy(a.s());
    for (const auto &s : a.strings()) {
        lossy = lossy || is_lossy(s);
    }
    return lossy || of_attribute(a).empty();
}

/* ---- one graph ---- */

static const onnx::GraphProto *body_of(const onnx::AttributeProto &a, int i)
{
    return a.has_g() ? (i == 0 ? &a.g() : nullptr) : i < a.graphs_size() ? &a.graphs(i) : nullptr;
}

static const onnx::GraphProto *body_named(const onnx::NodeProto &n, const char *name)
{
    for (const auto &a : n.attribute()) {
        if (a.name() == name && a.has_g()) {
            return &a.g();
        }
    }
    return nullptr;
}

/* A constant of one element. */
static bool number_in(const constants &consts, const std::string &name, double &value)
{
    auto at = consts.find(name);
    content found;
    if (at == consts.end() || at->second.tensor == nullptr ||
        !read_content(*at->second.tensor, found) || found.items.size() != 1u ||
        !found.items[0].known) {
        return false;
    }
    value = found.items[0].value;
    return true;
}

/* Whether the condition that a body yields is true: a constant, or the one that it was given. */
static bool stays_true(const onnx::GraphProto &body)
{
    constants const consts = find_constants(body);
    double value = 0.0;
    if (body.input_size() < 2 || body.output_size() < 1) {
        return false;
    }
    std::string name = body.output(0).name();
    for (int i = body.node_size(); i > 0; i--) {
        const onnx::NodeProto &n = body.node(i - 1);
        if (n.op_type() == "Identity" && n.output_size() == 1 && n.output(0) == name &&
            n.input_size() == 1) {
            name = n.input(0);
        }
    }
    return name == body.input(1).name() || (number_in(consts, name, value) && value != 0.0);
}

class drawing
{
  public:
    drawing(model &m, const onnx::GraphProto &graph, const constants &consts, const types &known,
        bool is_main)
        : m_(m), graph_(graph), consts_(consts), known_(known), is_main_(is_main)
    {
    }

    sketch draw(const std::vector<std::string> &from_outside)
    {
        for (const auto &input : graph_.input()) {
            if (graph_is_constant(input.name()) && is_main_) {
                continue;
            }
            add_input(input.name());
        }
        for (const auto &name : from_outside) {
            add_input(name);
        }
        for (int i : order()) {
            const onnx::NodeProto &n = graph_.node(i);
            if (n.output_size() == 1 && is_made_constant(n.output(0), i)) {
                continue;
            }
            add_operator(n, i);
        }
        add_result();
        return std::move(out_);
    }

    /* Bodies of the operators, in order: the attribute, the name of the operator's node, and what
     * each captures. */
    struct body {
        const onnx::GraphProto *graph;
        gsp_node node;
        std::string key;
        std::string name;
        std::vector<std::string> captured;
    };
    std::vector<body> bodies;

  private:
    model &m_;
    const onnx::GraphProto &graph_;
    const constants &consts_;
    const types &known_;
    bool is_main_;
    sketch out_;
    names names_;
    paths paths_;
    std::unordered_map<std::string, gsp_node> made_;

    bool graph_is_constant(const std::string &name) const
    {
        return consts_.count(name) != 0;
    }

    bool is_made_constant(const std::string &name, int node) const
    {
        auto at = consts_.find(name);
        return at != consts_.end() && at->second.node == node;
    }

    gsp_node add(
        gsp_op op, const std::string &name, const std::string &target, const std::string &type)
    {
        node v = {op, names_.unique(name), target, type, "", "", {}, {}};
        out_.nodes.push_back(std::move(v));
        return static_cast<gsp_node>(out_.nodes.size() - 1u);
    }

    /* The model's node for each graph node, for parts. */
    void remember(
        gsp_node v, const std::vector<std::string> &tensors, int operation, bool parameter)
    {
        value what = {tensors, operation, parameter};
        if (is_main_) {
            m_.values[out_.nodes[v].name] = what;
        }
    }

    void add_input(const std::string &name)
    {
        gsp_node v = add(GSP_OP_PLACEHOLDER, name, "", of_type(known_, name));
        out_.nodes[v].target = out_.nodes[v].name;
        if (!made_.insert(std::make_pair(name, v)).second) {
            throw failure(GSP_STATUS_DUPLICATE, m_.path + ": two inputs are called '" + name + "'");
        }
        remember(v, std::vector<std::string>(1, name), -1, false);
        note_size(v, name);
    }

    /* Tensors without a shape count as 0 bytes, and a note says so. */
    void note_size(gsp_node v, const std::string &name)
    {
        if (is_main_ && out_.nodes[v].type.empty()) {
            m_.without_shape.push_back(name);
        }
    }

    bool is_known(const std::string &name) const
    {
        return made_.count(name) != 0 || consts_.count(name) != 0;
    }

    gsp_node use(const std::string &name, const std::string &reader)
    {
        auto at = made_.find(name);
        auto c = consts_.find(name);
        gsp_node v;
        if (at != made_.end()) {
            return at->second;
        }
        if (c == consts_.end()) {
            throw failure(GSP_STATUS_UNDEFINED,
                m_.path + ": " + reader + " reads '" + name + "', which nothing makes");
        }
        v = add(GSP_OP_GET_ATTR, name, paths_.unique(name), of_constant(c->second));
        made_[name] = v;
        remember(v, std::vector<std::string>(1, name), -1, true);
        return v;
    }

    std::string title(const onnx::NodeProto &n) const
    {
        return "operator " + n.op_type() + (n.name().empty() ? "" : " '" + n.name() + "'");
    }

    /* Operators in an order in which every input is there: those of the file where that is one. A
     * node that has to wait stands with those of the next round, as if the list were read again. */
    std::vector<int> order() const
    {
        std::unordered_map<std::string, int> maker;
        size_t n = static_cast<size_t>(graph_.node_size());
        std::vector<std::vector<int>> readers(n);
        std::vector<uint32_t> waits(n, 0);
        std::vector<uint32_t> round(n, 0);
        std::vector<int> ready;
        std::vector<int> result;
        for (int i = 0; i < graph_.node_size(); i++) {
            for (const auto &name : graph_.node(i).output()) {
                bool is_constant = is_made_constant(name, i);
                if (name.empty()) {
                    continue;
                }
                if (made_.count(name) != 0 || (consts_.count(name) != 0 && !is_constant) ||
                    !maker.insert(std::make_pair(name, i)).second) {
                    throw failure(GSP_STATUS_DUPLICATE, m_.path + ": " + title(graph_.node(i)) +
                                                            " makes '" + name +
                                                            "', which is there already");
                }
            }
        }
        for (int i = 0; i < graph_.node_size(); i++) {
            for (const auto &name : reads(graph_.node(i), maker)) {
                auto at = maker.find(name);
                if (at != maker.end()) {
                    readers[static_cast<size_t>(at->second)].push_back(i);
                    waits[static_cast<size_t>(i)]++;
                }
            }
            if (waits[static_cast<size_t>(i)] == 0) {
                ready.push_back(i);
            }
        }
        for (size_t at = 0; at < ready.size(); at++) {
            int i = ready[at];
            result.push_back(i);
            for (int r : readers[static_cast<size_t>(i)]) {
                uint32_t late = round[static_cast<size_t>(i)] + (r < i ? 1u : 0u);
                round[static_cast<size_t>(r)] = std::max(round[static_cast<size_t>(r)], late);
                if (--waits[static_cast<size_t>(r)] == 0) {
                    ready.push_back(r);
                }
            }
        }
        if (result.size() < n) {
            refuse_cycle(waits);
        }
        std::sort(result.begin(), result.end(), [&round](int a, int b) {
            uint32_t x = round[static_cast<size_t>(a)];
            uint32_t y = round[static_cast<size_t>(b)];
            return x != y ? x < y : a < b;
        });
        return result;
    }

    void refuse_cycle(const std::vector<uint32_t> &waits) const
    {
        int i = 0;
        while (waits[static_cast<size_t>(i)] == 0) {
            i++;
        }
        throw failure(
            GSP_STATUS_CYCLE, m_.path + ": " + title(graph_.node(i)) + " waits for its own output");
    }

    std::vector<std::string> reads(
        const onnx::NodeProto &n, const std::unordered_map<std::string, int> &maker) const
    {
        std::vector<std::string> out(n.input().begin(), n.input().end());
        for (const auto &a : n.attribute()) {
            for (int k = 0; body_of(a, k) != nullptr; k++) {
                captured(
                    *body_of(a, k),
                    [this, &maker](const std::string &name) {
                        return is_known(name) || maker.count(name) != 0;
                    },
                    out);
            }
        }
        return out;
    }

    /* Outer values that bodies read are additional inputs. */
    std::vector<std::string> outer_inputs(const onnx::NodeProto &n)
    {
        std::vector<std::string> all;
        std::vector<std::string> once;
        std::unordered_set<std::string> seen;
        for (const auto &a : n.attribute()) {
            for (int k = 0; body_of(a, k) != nullptr; k++) {
                captured(
                    *body_of(a, k), [this](const std::string &name) { return is_known(name); },
                    all);
            }
        }
        for (const auto &name : all) {
            if (seen.insert(name).second) {
                once.push_back(name);
            }
        }
        return once;
    }

    void put_inputs(const onnx::NodeProto &n, std::vector<argument> &args)
    {
        std::vector<gsp_node> inputs;
        for (const auto &name : n.input()) {
            inputs.push_back(name.empty() ? GSP_NONE : use(name, title(n)));
        }
        for (const auto &name : outer_inputs(n)) {
            inputs.push_back(use(name, title(n)));
        }
        while (!inputs.empty() && inputs.back() == GSP_NONE) {
            inputs.pop_back();
        }
        for (gsp_node v : inputs) {
            if (v == GSP_NONE) {
                put(args, GSP_ARG_CONSTANT, "None");
            } else {
                put_node(args, v);
            }
        }
    }

    static void put_attributes(const onnx::NodeProto &n, std::vector<argument> &args)
    {
        std::vector<std::pair<std::string, std::vector<argument>>> all;
        std::unordered_map<std::string, size_t> at;
        for (const auto &a : n.attribute()) {
            std::vector<argument> v = of_attribute(a);
            std::string key = clean_name(a.name());
            if (v.empty()) {
                continue;
            }
            if (at.insert(std::make_pair(key, all.size())).second) {
                all.push_back(std::make_pair(key, v));
            } else {
                all[at[key]].second = v;
            }
        }
        for (const auto &a : all) {
            put(args, GSP_ARG_KEY, a.first);
            args.insert(args.end(), a.second.begin(), a.second.end());
        }
    }

    void add_operator(const onnx::NodeProto &n, int index)
    {
        std::string target = "onnx." +
                             (is_standard(n.domain()) ? "" : clean_path(n.domain()) + ".") +
                             clean_name(n.op_type());
        std::string want = n.name();
        std::vector<std::string> outs;
        std::vector<argument> args;
        std::string type;
        gsp_node v;
        for (const auto &name : n.output()) {
            if (!name.empty()) {
                outs.push_back(name);
            }
        }
        if (want.empty()) {
            want = n.op_type();
            std::transform(want.begin(), want.end(), want.begin(),
                [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        }
        put_inputs(n, args);
        put_attributes(n, args);
        for (const auto &name : outs) {
            std::string one = of_type(known_, name);
            type +=
                (type.empty() ? "" : ", ") + (one.empty() && outs.size() > 1u ? "f32[s0]" : one);
        }
        v = add(
            GSP_OP_CALL_FUNCTION, want, target, outs.size() > 1u ? "tuple(" + type + ")" : type);
        out_.nodes[v].args = std::move(args);
        out_.nodes[v].key = key_of(n);
        remember(v, outs, index, false);
        note_bodies(n, v);
        out_.nodes[v].trips = trips_of(n);
        if (outs.size() == 1u) {
            made_[outs[0]] = v;
            note_size(v, outs[0]);
        }
        for (size_t i = 0; i < outs.size() && outs.size() > 1u; i++) {
            add_element(v, outs[i], i);
        }
    }

    /* Operators are the same only if everything that their text omits is equal: tensors, bodies,
     * and the element types of values without a shape. */
    std::string key_of(const onnx::NodeProto &n) const
    {
        digest d;
        for (const auto &a : n.attribute()) {
            if (is_hidden(a)) {
                d.add(a.SerializeAsString());
            }
        }
        for (const auto &name : n.input()) {
            add_dtype(name, d);
        }
        for (const auto &name : n.output()) {
            add_dtype(name, d);
        }
        return d.text();
    }

    void add_dtype(const std::string &name, digest &d) const
    {
        auto at = known_.find(name);
        if (at != known_.end() && of_type(known_, name).empty()) {
            d.add(at->second->has_tensor_type()
                      ? std::to_string(at->second->tensor_type().elem_type())
                      : at->second->SerializeAsString());
        }
    }

    void add_element(gsp_node of, const std::string &tensor, size_t i)
    {
        gsp_node v =
            add(GSP_OP_CALL_FUNCTION, "getitem", "operator.getitem", of_type(known_, tensor));
        put_node(out_.nodes[v].args, of);
        put(out_.nodes[v].args, GSP_ARG_CONSTANT, std::to_string(i));
        made_[tensor] = v;
        remember(v, std::vector<std::string>(1, tensor), -1, false);
        note_size(v, tensor);
    }

    /* The key that names a body at the node which runs it. */
    static std::string key_of_body(const std::string &attribute)
    {
        static const std::string branch = "_branch"; /* then_branch, else_branch of If */
        size_t const at = attribute.size() - std::min(attribute.size(), branch.size());
        return clean_name(attribute.substr(at) == branch ? attribute.substr(0, at) : attribute);
    }

    void note_bodies(const onnx::NodeProto &n, gsp_node v)
    {
        for (const auto &a : n.attribute()) {
            for (int k = 0; body_of(a, k) != nullptr; k++) {
                body b;
                std::vector<std::string> all;
                std::unordered_set<std::string> seen;
                b.graph = body_of(a, k);
                b.node = v;
                b.key = key_of_body(a.name());
                b.name = out_.nodes[v].name + "." + clean_name(a.name()) +
                         (a.has_g() ? "" : std::to_string(k));
                captured(
                    *b.graph, [this](const std::string &name) { return is_known(name); }, all);
                for (const auto &name : all) {
                    if (seen.insert(name).second) {
                        b.captured.push_back(name);
                    }
                }
                bodies.push_back(std::move(b));
            }
        }
    }

    /* How often a Loop runs its body, where its condition stays true, and a Scan. */
    std::string trips_of(const onnx::NodeProto &n) const
    {
        const onnx::GraphProto *body = body_named(n, "body");
        double trips = 0.0;
        if (body == nullptr || !n.domain().empty()) {
            return "";
        }
        if (n.op_type() == "Scan") {
            return scanned(n);
        }
        double goes_on = 1.0;
        bool const counted =
            n.op_type() == "Loop" && n.input_size() > 0 && number_in(consts_, n.input(0), trips) &&
            (n.input_size() < 2 || n.input(1).empty() || number_in(consts_, n.input(1), goes_on)) &&
            (goes_on == 0.0 || stays_true(*body));
        trips = goes_on == 0.0 ? 0.0 : trips;
        return counted && trips >= 0.0 && trips < 9e15 ? std::to_string(static_cast<int64_t>(trips))
                                                       : "";
    }

    /* The first scanned input has its axis 0 in the body's steps, unless attributes say others. */
    std::string scanned(const onnx::NodeProto &n) const
    {
        int64_t count = 0;
        for (const auto &a : n.attribute()) {
            count = a.name() == "num_scan_inputs" ? a.i() : count;
            if (a.name() == "scan_input_axes") {
                return "";
            }
        }
        if (count < 1 || count > n.input_size()) {
            return "";
        }
        auto at = known_.find(n.input(n.input_size() - static_cast<int>(count)));
        bool const shaped = at != known_.end() && at->second->has_tensor_type() &&
                            at->second->tensor_type().shape().dim_size() > 0;
        return shaped && at->second->tensor_type().shape().dim(0).has_dim_value()
                   ? std::to_string(at->second->tensor_type().shape().dim(0).dim_value())
                   : "";
    }

    void add_result()
    {
        bool many = graph_.output_size() != 1;
        if (many) {
            put(out_.result, GSP_ARG_TUPLE);
        }
        for (const auto &o : graph_.output()) {
            put_node(out_.result, use(o.name(), "the list of outputs"));
        }
        if (many) {
            put(out_.result, GSP_ARG_CLOSE);
        }
    }
};

/* ---- all graphs ---- */

static onnx::TypeProto type_of_constant(const constant &c)
{
    onnx::TypeProto type;
    type.mutable_tensor_type()->set_elem_type(c.dtype);
    (void)type.mutable_tensor_type()->mutable_shape();
    for (int64_t d : c.dims) {
        type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(d);
    }
    return type;
}

static void draw_bodies(model &m, const drawing &outer, size_t outer_index,
    const std::string &prefix, const types &outer_types, const constants &outer_consts,
    std::list<onnx::TypeProto> &made, std::vector<sketch> &out)
{
    for (const auto &b : outer.bodies) {
        constants consts = find_constants(*b.graph);
        types known;
        sketch s;
        find_types(*b.graph, known);
        for (const auto &name : b.captured) {
            auto at = outer_types.find(name);
            auto c = outer_consts.find(name);
            if (at != outer_types.end()) {
                known[name] = at->second;
            } else if (c != outer_consts.end() && c->second.tensor != nullptr) {
                made.push_back(type_of_constant(c->second));
                known[name] = &made.back();
            }
        }
        drawing inner(m, *b.graph, consts, known, false);
        s = inner.draw(b.captured);
        s.name = prefix + b.name;
        out[outer_index].nodes[b.node].bodies.push_back(std::make_pair(b.key, out.size()));
        out.push_back(std::move(s));
        draw_bodies(m, inner, out.size() - 1u, prefix + b.name + ".", known, consts, made, out);
    }
}

/* A body must not have the name of anything that a graph reads or calls. */
static void name_bodies(std::vector<sketch> &graphs)
{
    std::unordered_set<std::string> taken;
    for (const auto &g : graphs) {
        for (const auto &v : g.nodes) {
            taken.insert(v.target);
        }
    }
    graphs[0].name = "main";
    taken.insert("main");
    for (size_t i = 1; i < graphs.size(); i++) {
        std::string name = graphs[i].name;
        for (uint64_t k = 1; !taken.insert(graphs[i].name).second; k++) {
            graphs[i].name = name + "_" + std::to_string(k);
        }
    }
}

static gsp_str text_of(const std::string &s)
{
    gsp_str t = {s.data(), static_cast<uint32_t>(s.size())};
    return t;
}

static gsp_counts count(const model &m, const std::vector<sketch> &graphs)
{
    uint64_t nodes = 0;
    uint64_t args = 0;
    uint64_t attrs = 0;
    uint64_t strings = 0;
    uint64_t bytes = 0;
    for (const auto &g : graphs) {
        nodes += g.nodes.size() + 1u;
        args += g.result.size();
        strings += 1u;
        bytes += g.name.size();
        for (const auto &v : g.nodes) {
            args += v.args.size();
            strings += 4u;
            attrs += 2u + v.bodies.size();
            bytes += v.name.size() + v.target.size() + v.type.size() + v.key.size();
            for (const auto &body : v.bodies) {
                strings += 1u;
                bytes += body.first.size();
            }
            for (const auto &a : v.args) {
                strings += a.text.empty() ? 0u : 1u;
                bytes += a.text.size();
            }
        }
    }
    if (std::max(std::max(nodes, args), std::max(strings, bytes)) > UINT32_MAX / 4u) {
        throw failure(
            GSP_STATUS_OVERFLOW, m.path + ": the graph has too many nodes or too long names");
    }
    return gsp_build_counts(static_cast<uint32_t>(graphs.size()), static_cast<uint32_t>(nodes),
        static_cast<uint32_t>(args), static_cast<uint32_t>(attrs), static_cast<uint32_t>(strings),
        static_cast<uint32_t>(bytes));
}

static void build_args(gsp_builder *b, const std::vector<argument> &args)
{
    for (const auto &a : args) {
        switch (a.kind) {
        case GSP_ARG_NODE:
            gsp_build_arg_node(b, a.node);
            break;
        case GSP_ARG_KEY:
            gsp_build_key(b, text_of(a.text));
            break;
        case GSP_ARG_CONSTANT:
            gsp_build_constant(b, text_of(a.text));
            break;
        case GSP_ARG_CLOSE:
            gsp_build_close(b);
            break;
        default:
            gsp_build_open(b, a.kind);
            break;
        }
    }
}

static void build(gsp_builder *b, const std::vector<sketch> &graphs, bool bare)
{
    for (const auto &g : graphs) {
        gsp_build_graph(b, text_of(g.name));
        for (const auto &v : g.nodes) {
            (void)gsp_build_node(b, v.op, text_of(v.name), text_of(v.target));
            if (!v.type.empty()) {
                gsp_build_type(b, text_of(v.type));
            }
            build_args(b, v.args);
            if (!bare && !v.key.empty()) {
                gsp_build_attr(b, gsp_str_of("key"), text_of(v.key));
            }
            if (!v.trips.empty()) {
                gsp_build_attr(b, gsp_str_of("trips"), text_of(v.trips));
            }
            for (const auto &body : v.bodies) {
                gsp_build_attr(b, text_of(body.first), text_of(graphs[body.second].name));
            }
        }
        (void)gsp_build_output(b);
        build_args(b, g.result);
    }
}

void make_module(
    model &m, bool bare, const std::function<void *(size_t)> &memory, gsp_module *module)
{
    types known; /* of the file as it is: its text is not that of what it was made into */
    drawing main(m, m.inferred.graph(), m.consts, known, true);
    std::vector<sketch> graphs;
    std::list<onnx::TypeProto> made;
    gsp_counts counts;
    gsp_arena arena;
    gsp_builder b;
    gsp_error err;
    gsp_status status;
    size_t bound;
    find_types(m.inferred.graph(), known);
    graphs.push_back(main.draw(std::vector<std::string>()));
    if (!bare) {
        draw_bodies(m, main, 0, "", known, m.consts, made, graphs);
    }
    name_bodies(graphs);
    counts = count(m, graphs);
    bound = gsp_build_bound(&counts);
    gsp_arena_init(&arena, memory(bound), bound);
    status = gsp_build_init(&b, &arena, &counts, &err);
    if (status == GSP_OK) {
        build(&b, graphs, bare);
        status = gsp_build_finish(&b, module, &err);
    }
    if (status != GSP_OK) {
        throw failure(
            status, m.path + ": the graph cannot be built: " + gsp_detail_text(err.detail));
    }
}

} // namespace onnx_front
