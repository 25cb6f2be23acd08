/* What the command line states of a model: dimensions of its inputs, and types of values that
 * nothing tells. */
#include "examples/onnx/infer.h"

#include <algorithm>
#include <cstdlib>

namespace onnx_front
{

typedef onnx::TensorShapeProto_Dimension dimension;

/* The places of dimensions that are no numbers. */
typedef std::function<void(dimension &dim, const std::string &value, int axis)> visitor;

static void visit_type(onnx::TypeProto &type, const std::string &name, const visitor &visit)
{
    if (!has_shape(&type)) {
        return;
    }
    auto *dims = type.mutable_tensor_type()->mutable_shape();
    for (int i = 0; i < dims->dim_size(); i++) {
        if (!dims->dim(i).has_dim_value() || dims->dim(i).dim_value() < 0) {
            visit(*dims->mutable_dim(i), name, i);
        }
    }
}

static void visit_graph(onnx::GraphProto &graph, const visitor &visit)
{
    for (auto *list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()}) {
        for (auto &v : *list) {
            visit_type(*v.mutable_type(), v.name(), visit);
        }
    }
    for (auto &node : *graph.mutable_node()) {
        for (auto &a : *node.mutable_attribute()) {
            if (a.has_g()) {
                visit_graph(*a.mutable_g(), visit);
            }
        }
    }
}

static void visit_inputs(onnx::GraphProto &graph, const visitor &visit)
{
    for (auto &v : *graph.mutable_input()) {
        visit_type(*v.mutable_type(), v.name(), visit);
    }
}

/* A question mark names no dimension: two of them need not be equal. */
static bool is_named(const dimension &dim)
{
    return !dim.dim_param().empty() && dim.dim_param() != "?";
}

static std::string place_of(const std::string &value, int axis)
{
    return value + ":" + std::to_string(axis);
}

/* Every dimension of this name. */
static void set_name(onnx::GraphProto &graph, const std::string &name, int64_t to)
{
    visit_graph(graph, [&name, to](dimension &dim, const std::string &, int) {
        if (dim.dim_param() == name) {
            dim.set_dim_value(to);
        }
    });
}

/* The input dimension that --dim means: one of its name, as the file or as graph text spells it, or
 * the one of that place. All that have its name follow. */
static bool set_dim(onnx::GraphProto &graph, const std::string &name, int64_t to)
{
    std::string symbol;
    bool used = false;
    for (int spelling = 0; spelling < 3 && !used; spelling++) {
        visit_inputs(graph, [&](dimension &dim, const std::string &value, int axis) {
            bool meant = spelling == 0   ? dim.dim_param() == name
                         : spelling == 1 ? place_of(value, axis) == name
                                         : dimension_text(dim, axis) == name;
            if (meant && !is_named(dim)) {
                dim.set_dim_value(to);
            } else if (meant) {
                symbol = dim.dim_param();
            }
            used = used || meant;
        });
    }
    if (!symbol.empty()) {
        set_name(graph, symbol, to);
    }
    return used;
}

bool set_dims(onnx::ModelProto &model, std::vector<stated> &dims)
{
    std::unordered_set<std::string> done; /* of one name the last counts */
    for (size_t i = dims.size(); i-- > 0;) {
        stated &d = dims[i];
        uint64_t value = strtoull(d.value.c_str(), nullptr, 10);
        if (value > INT64_MAX) {
            throw failure(GSP_STATUS_ARG,
                "--dim " + d.name + "=" + d.value + ": dimensions of ONNX are at most 2^63 - 1");
        }
        d.used = done.count(d.name) != 0 ||
                 set_dim(*model.mutable_graph(), d.name, static_cast<int64_t>(value));
        if (d.used) {
            done.insert(d.name);
        }
    }
    return !done.empty();
}

std::vector<std::string> open_dims(const onnx::ModelProto &model, const constants &consts)
{
    std::vector<std::string> out;
    onnx::GraphProto inputs;
    *inputs.mutable_input() = model.graph().input();
    visit_inputs(inputs, [&](dimension &dim, const std::string &value, int axis) {
        std::string name = is_named(dim) ? dim.dim_param() : place_of(value, axis);
        if (consts.count(value) == 0 && std::find(out.begin(), out.end(), name) == out.end()) {
            out.push_back(name);
        }
    });
    return out;
}

/* ---- types ---- */

/* "f32[1, 3]" as a type of the model; false if it is none. */
static bool read_type(const std::string &text, onnx::TypeProto &out)
{
    gsp_str all = {text.data(), static_cast<uint32_t>(text.size())};
    uint32_t at = 0;
    gsp_str dtype;
    gsp_str list;
    if (!gsp_type_next(all, &at, &dtype, &list)) {
        return false;
    }
    int number = dtype_of(std::string(dtype.data, dtype.size));
    shape dims;
    std::string rest(list.data != nullptr ? list.data : "", list.size);
    while (!rest.empty()) {
        size_t comma = rest.find(',');
        std::string one = rest.substr(0, comma);
        one.erase(std::remove(one.begin(), one.end(), ' '), one.end());
        bool digits = !one.empty() && one.find_first_not_of("0123456789") == std::string::npos;
        extent e = {digits ? static_cast<int64_t>(strtoull(one.c_str(), nullptr, 10)) : -1,
            digits || one == "?" ? "" : one};
        dims.push_back(e);
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1u);
    }
    out = make_type(number, dims);
    return number != 0;
}

static onnx::ValueInfoProto *find_value_info(onnx::GraphProto &graph, const std::string &name)
{
    for (auto *list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()}) {
        for (auto &v : *list) {
            if (v.name() == name) {
                return &v;
            }
        }
    }
    for (const auto &node : graph.node()) {
        for (const auto &output : node.output()) {
            if (output == name) {
                auto *v = graph.add_value_info();
                v->set_name(name);
                return v;
            }
        }
    }
    return nullptr;
}

std::string set_types(onnx::ModelProto &model, std::vector<stated> &types)
{
    for (auto &t : types) {
        onnx::TypeProto type;
        onnx::ValueInfoProto *v = find_value_info(*model.mutable_graph(), t.name);
        if (v == nullptr || !read_type(t.value, type)) {
            continue;
        }
        bool known = v->type().value_case() != onnx::TypeProto::VALUE_NOT_SET;
        if (known && differs(v->type(), type)) {
            return "'" + t.name + "' is " + type_text(v->type());
        }
        merge(*v->mutable_type(), type, false);
        t.used = true;
    }
    return "";
}

} // namespace onnx_front
