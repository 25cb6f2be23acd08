/* Types of the values of a model: node by node, bodies of control flow within. */
#include "examples/onnx/infer.h"

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <limits>

namespace onnx_front
{

static const char hidden_domain[] = "graphsplit.hidden";

bool is_standard(const std::string &domain)
{
    return domain.empty() || domain == "ai.onnx";
}

bool is_contrib(const std::string &domain)
{
    return domain.compare(0, 13, "com.microsoft") == 0 || domain == "com.ms.internal.nhwc";
}

inference::inference(onnx::ModelProto &model, library asked, const operator_calls &calls)
    : model_(model), asked_(asked), calls_(calls), n_calls_(0), fixed_(false)
{
    if (model.opset_import_size() == 0) {
        model.add_opset_import()->set_version(1);
    }
    for (const auto &o : model.opset_import()) {
        int64_t most = std::numeric_limits<int>::max();
        versions_[is_standard(o.domain()) ? "" : o.domain()] =
            static_cast<int>(std::min<int64_t>(o.version(), most));
    }
    for (const auto &f : model.functions()) {
        functions_[f.domain() + ":" + f.name()] = &f;
    }
}

int inference::version_of(const std::string &domain) const
{
    auto at = versions_.find(is_standard(domain) ? "" : domain);
    return at != versions_.end() ? at->second : 1;
}

/* ---- by the library ---- */

/* The library takes later operators for those of the last version that it knows. */
static void hide(onnx::GraphProto &graph, int version)
{
    for (auto &node : *graph.mutable_node()) {
        if (is_standard(node.domain()) && is_outdated(node, version)) {
            node.set_domain(hidden_domain);
        }
        for (auto &a : *node.mutable_attribute()) {
            if (a.has_g()) {
                hide(*a.mutable_g(), version);
            }
        }
    }
}

static void unhide(onnx::GraphProto &graph)
{
    for (auto &node : *graph.mutable_node()) {
        if (node.domain() == hidden_domain) {
            node.clear_domain();
        }
        for (auto &a : *node.mutable_attribute()) {
            if (a.has_g()) {
                unhide(*a.mutable_g());
            }
        }
    }
}

typedef google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> value_list;

static void drop_shapes(value_list &values)
{
    for (auto &v : values) {
        if (v.type().has_tensor_type()) {
            v.mutable_type()->mutable_tensor_type()->clear_shape();
        }
    }
}

/* Types of the file for values that inference does not reach. */
static void put_back(const value_list &before, value_list &values)
{
    std::unordered_map<std::string, onnx::ValueInfoProto *> there;
    for (auto &v : values) {
        there[v.name()] = &v;
    }
    for (const auto &v : before) {
        auto at = there.find(v.name());
        if (at == there.end()) {
            *values.Add() = v;
        } else if (!has_shape(&at->second->type())) {
            *at->second->mutable_type() = v.type();
        }
    }
}

void inference::run_library(bool fixed)
{
    onnx::GraphProto &graph = *model_.mutable_graph();
    onnx::ShapeInferenceOptions options(false, 0, true);
    value_list values = graph.value_info();
    value_list outputs = graph.output();
    auto *hidden = model_.add_opset_import();
    hidden->set_domain(hidden_domain);
    hidden->set_version(1);
    if (fixed) {
        graph.clear_value_info();
        drop_shapes(*graph.mutable_output());
    }
    hide(graph, version_of(""));
    try {
        onnx::shape_inference::InferShapes(model_, onnx::OpSchemaRegistry::Instance(), options);
    } catch (const std::exception &e) {
        stopped = e.what();
    }
    unhide(graph);
    model_.mutable_opset_import()->RemoveLast();
    if (fixed) {
        put_back(values, *graph.mutable_value_info());
        put_back(outputs, *graph.mutable_output());
    }
}

/* ---- one operator ---- */

static void put_item(onnx::TensorProto &to, const number &n, int dtype)
{
    switch (dtype) {
    case onnx::TensorProto::FLOAT:
        to.add_float_data(static_cast<float>(n.value));
        break;
    case onnx::TensorProto::DOUBLE:
        to.add_double_data(n.value);
        break;
    case onnx::TensorProto::INT64:
        to.add_int64_data(n.value < 9.2e18 ? static_cast<int64_t>(n.value) : INT64_MAX);
        break;
    default:
        to.add_int32_data(static_cast<int32_t>(n.value));
        break;
    }
}

/* Operands as the library wants them. */
struct operands {
    std::unordered_map<std::string, onnx::TypeProto> types;
    std::unordered_map<std::string, onnx::TensorProto> tensors;
    std::unordered_map<std::string, onnx::TypeProto *> type_at;
    std::unordered_map<std::string, const onnx::TensorProto *> tensor_at;
    std::unordered_map<std::string, const onnx::SparseTensorProto *> sparse_at;
    std::unordered_map<std::string, onnx::TensorShapeProto> symbols;

    void add_content(const std::string &name, const content &c)
    {
        bool known = true;
        for (const auto &n : c.items) {
            known = known && n.known;
        }
        if (known) {
            onnx::TensorProto &t = tensors[name];
            t.set_data_type(c.dtype);
            for (int64_t d : c.dims) {
                t.add_dims(d);
            }
            for (const auto &n : c.items) {
                put_item(t, n, c.dtype);
            }
            tensor_at[name] = &t;
            return;
        }
        for (const auto &n : c.items) {
            auto *d = symbols[name].add_dim();
            if (n.known) {
                d->set_dim_value(static_cast<int64_t>(n.value));
            } else if (!n.symbol.empty()) {
                d->set_dim_param(n.symbol);
            }
        }
    }

    void add(const operation &op)
    {
        for (int i = 0; i < op.n_inputs(); i++) {
            const std::string &name = op.node.input(i);
            if (op.type(i) != nullptr) {
                types[name] = *op.type(i);
                type_at[name] = &types[name];
            }
            if (op.data(i) != nullptr && tensor_at.count(name) + symbols.count(name) == 0) {
                add_content(name, *op.data(i));
            }
        }
    }
};

void inference::apply_schema(onnx::NodeProto &node, operation &op) const
{
    const onnx::OpSchemaRegistry *registry = onnx::OpSchemaRegistry::Instance();
    onnx::ShapeInferenceOptions options(false, 0, true);
    std::string domain =
        is_contrib(node.domain()) || is_standard(node.domain()) ? "" : node.domain();
    const onnx::OpSchema *schema = registry->GetSchema(
        node.op_type(), version_of(is_contrib(node.domain()) ? "" : domain), domain);
    auto own = functions_.find(node.domain() + ":" + node.op_type());
    operands in;
    in.add(op);
    onnx::shape_inference::InferenceContextImpl context(
        node, in.type_at, in.tensor_at, in.sparse_at, &in.symbols);
    if (own != functions_.end()) {
        onnx::shape_inference::InferShapeForFunctionNode(
            *own->second, registry, context, options, functions_);
    } else if (schema != nullptr && schema->has_type_and_shape_inference_function()) {
        schema->GetTypeAndShapeInferenceFunction()(context);
    } else if (schema != nullptr && schema->HasFunction()) {
        onnx::shape_inference::InferShapeForFunctionNode(
            *schema->GetFunction(), registry, context, options);
    }
    for (size_t i = 0; i < op.results.size(); i++) {
        if (!has_shape(&op.results[i]) &&
            context.allOutputTypes_[i].value_case() != onnx::TypeProto::VALUE_NOT_SET) {
            op.results[i] = context.allOutputTypes_[i];
        }
    }
}

void inference::ask_library(onnx::NodeProto &node, operation &op)
{
    if (calls_.left_out.count(++n_calls_) != 0) {
        return;
    }
    *calls_.inside = n_calls_;
    try {
        apply_schema(node, op);
    } catch (const std::exception &) { /* the operands do not fit: nothing follows */
    }
    *calls_.inside = 0;
}

static bool is_incomplete(const operation &op)
{
    for (const auto &r : op.results) {
        if (!has_shape(&r)) {
            return true;
        }
    }
    return false;
}

void inference::apply(onnx::NodeProto &node, operation &op, const scope &names)
{
    bool standard = is_standard(node.domain());
    bool contrib = is_contrib(node.domain());
    rule own = contrib ? find_contrib_rule(node.op_type()) : nullptr;
    if (own == nullptr && (standard || contrib || node.domain() == "ai.onnx.ml")) {
        own = find_rule(node.op_type());
    }
    if (standard && node.op_type() == "If") {
        branch(node, op, names);
    } else if (standard && node.op_type() == "Loop") {
        loop(node, op, names);
    } else if (standard && node.op_type() == "Scan") {
        scan(node, op, names);
    } else if (own != nullptr) {
        own(op);
    }
    if (asked_ != NOTHING && is_incomplete(op) && !(standard && is_outdated(node, op.version))) {
        ask_library(node, op);
    }
    if (contrib && !op.results.empty() &&
        op.results[0].value_case() == onnx::TypeProto::VALUE_NOT_SET) {
        same_as_first(op);
    }
}

/* ---- what is known already, and what is found ---- */

bool differs(const onnx::TypeProto &a, const onnx::TypeProto &b)
{
    if (a.value_case() != b.value_case() || !a.has_tensor_type()) {
        return false;
    }
    int x = a.tensor_type().elem_type();
    int y = b.tensor_type().elem_type();
    if (x != 0 && y != 0 && x != y) {
        return true;
    }
    if (!has_shape(&a) || !has_shape(&b)) {
        return false;
    }
    shape d = shape_of(a);
    shape e = shape_of(b);
    bool out = d.size() != e.size();
    for (size_t i = 0; i < d.size() && !out; i++) {
        out = d[i].value >= 0 && e[i].value >= 0 && d[i].value != e[i].value;
    }
    return out;
}

void merge(onnx::TypeProto &known, const onnx::TypeProto &found, bool stronger)
{
    if (known.value_case() == onnx::TypeProto::VALUE_NOT_SET ||
        (stronger && has_shape(&found) && differs(known, found))) {
        known = found;
        return;
    }
    if (!known.has_tensor_type() || !found.has_tensor_type()) {
        return;
    }
    auto *to = known.mutable_tensor_type();
    if (to->elem_type() == 0) {
        to->set_elem_type(found.tensor_type().elem_type());
    }
    if (!has_shape(&found)) {
        return;
    }
    if (!to->has_shape()) {
        *to->mutable_shape() = found.tensor_type().shape();
        return;
    }
    const auto &from = found.tensor_type().shape();
    for (int i = 0; i < from.dim_size() && from.dim_size() == to->shape().dim_size(); i++) {
        auto *d = to->mutable_shape()->mutable_dim(i);
        bool open = !d->has_dim_value() || d->dim_value() < 0;
        if (open && (from.dim(i).has_dim_value() || d->dim_param().empty())) {
            *d = from.dim(i);
        }
    }
}

void inference::settle(const std::string &tensor, const onnx::TypeProto &found, scope &names)
{
    if (tensor.empty() || found.value_case() == onnx::TypeProto::VALUE_NOT_SET) {
        return;
    }
    onnx::TypeProto &known = names.types[tensor];
    bool stated = given_.count(tensor) != 0;
    if (stated && contrary.empty() && differs(known, found)) {
        contrary = "'" + tensor + "' is " + type_text(found);
    }
    merge(known, found, fixed_ && !stated);
}

static bool is_static(const std::string &tensor, const scope &names)
{
    auto at = names.types.find(tensor);
    return tensor.empty() ||
           (at != names.types.end() && has_shape(&at->second) && all_known(shape_of(at->second)));
}

void inference::step(onnx::NodeProto &node, scope &names)
{
    operation op(node, version_of(node.domain()), names);
    bool done = !fixed_ && given_.empty();
    std::vector<content> contents;
    for (const auto &a : node.attribute()) {
        done = done && !a.has_g();
    }
    for (const auto &tensor : node.output()) {
        done = done && is_static(tensor, names);
    }
    if (!done) {
        apply(node, op, names);
    }
    for (int i = 0; i < node.output_size(); i++) {
        settle(node.output(i), op.results[static_cast<size_t>(i)], names);
        auto at = names.types.find(node.output(i));
        if (at != names.types.end()) {
            op.results[static_cast<size_t>(i)] = at->second;
        }
    }
    if (is_standard(node.domain())) {
        fold(op, contents);
    }
    for (size_t i = 0; i < contents.size(); i++) {
        if (contents[i].dtype != 0) {
            const std::string &tensor = node.output(static_cast<int>(i));
            shape dims;
            for (int64_t d : contents[i].dims) {
                dims.push_back(fixed(d));
            }
            settle(tensor, make_type(contents[i].dtype, dims), names);
            names.contents[tensor] = std::move(contents[i]);
        }
    }
}

/* ---- one graph ---- */

static void enter_list(const value_list &values, scope &names)
{
    for (const auto &v : values) {
        if (v.type().value_case() != onnx::TypeProto::VALUE_NOT_SET) {
            merge(names.types[v.name()], v.type(), false);
        }
    }
}

void inference::enter(const onnx::GraphProto &graph, scope &names)
{
    enter_list(graph.input(), names);
    enter_list(graph.output(), names);
    enter_list(graph.value_info(), names);
    for (const auto &t : graph.initializer()) {
        shape dims;
        content c;
        for (int64_t d : t.dims()) {
            dims.push_back(fixed(d));
        }
        names.types[t.name()] = make_type(t.data_type(), dims);
        if (read_content(t, c)) {
            names.contents[t.name()] = c;
        }
    }
    for (const auto &t : graph.sparse_initializer()) {
        shape dims;
        for (int64_t d : t.dims()) {
            dims.push_back(fixed(d));
        }
        names.types[t.values().name()] = make_type(t.values().data_type(), dims);
    }
}

void inference::leave(onnx::GraphProto &graph, const scope &names)
{
    std::unordered_set<std::string> done;
    for (auto *list : {graph.mutable_value_info(), graph.mutable_output(), graph.mutable_input()}) {
        for (auto &v : *list) {
            auto at = names.types.find(v.name());
            if (at != names.types.end() &&
                (list != graph.mutable_input() || !has_shape(&v.type()))) {
                *v.mutable_type() = at->second;
            }
            done.insert(v.name());
        }
    }
    for (const auto &node : graph.node()) {
        for (const auto &tensor : node.output()) {
            auto at = names.types.find(tensor);
            if (at != names.types.end() && !tensor.empty() && done.insert(tensor).second) {
                auto *v = graph.add_value_info();
                v->set_name(tensor);
                *v->mutable_type() = at->second;
            }
        }
    }
}

void inference::walk(onnx::GraphProto &graph, scope &names)
{
    enter(graph, names);
    for (auto &node : *graph.mutable_node()) {
        step(node, names);
    }
    leave(graph, names);
}

void inference::run(const std::unordered_set<std::string> &given, bool fixed)
{
    scope names = {nullptr, {}, {}};
    given_ = given;
    fixed_ = fixed;
    if (asked_ == MODEL) {
        run_library(fixed);
    }
    walk(*model_.mutable_graph(), names);
}

/* ---- control flow ---- */

static onnx::GraphProto *body_named(onnx::NodeProto &node, const char *name)
{
    for (auto &a : *node.mutable_attribute()) {
        if (a.name() == name && a.has_g()) {
            return a.mutable_g();
        }
    }
    return nullptr;
}

/* What holds of both. */
static onnx::TypeProto common(const onnx::TypeProto &a, const onnx::TypeProto &b)
{
    onnx::TypeProto out = a;
    if (a.value_case() != b.value_case() || !a.has_tensor_type() ||
        a.tensor_type().elem_type() != b.tensor_type().elem_type()) {
        out.Clear();
        return out;
    }
    shape x = has_shape(&a) ? shape_of(a) : shape();
    shape y = has_shape(&b) ? shape_of(b) : shape();
    if (!has_shape(&a) || !has_shape(&b) || x.size() != y.size()) {
        out.mutable_tensor_type()->clear_shape();
        return out;
    }
    for (size_t i = 0; i < x.size(); i++) {
        bool same = x[i].value == y[i].value && (x[i].value >= 0 || x[i].symbol == y[i].symbol);
        x[i] = same ? x[i] : unknown_extent();
    }
    return make_type(a.tensor_type().elem_type(), x);
}

void inference::branch(onnx::NodeProto &node, operation &op, const scope &names)
{
    const content *condition = op.data(0);
    bool decided =
        condition != nullptr && condition->items.size() == 1u && condition->items[0].known;
    std::vector<onnx::TypeProto> found[2];
    for (int k = 0; k < 2; k++) {
        onnx::GraphProto *body = body_named(node, k == 0 ? "then_branch" : "else_branch");
        scope inner = {&names, {}, {}};
        if (body == nullptr) {
            return;
        }
        walk(*body, inner);
        for (const auto &v : body->output()) {
            found[k].push_back(v.type());
        }
    }
    for (size_t i = 0; i < op.results.size() && i < found[0].size() && i < found[1].size(); i++) {
        op.results[i] = decided ? found[condition->items[0].value != 0.0 ? 0 : 1][i]
                                : common(found[0][i], found[1][i]);
    }
}

static void state(onnx::ValueInfoProto &input, const onnx::TypeProto &type)
{
    if (type.value_case() != onnx::TypeProto::VALUE_NOT_SET) {
        merge(*input.mutable_type(), type, false);
    }
}

/* Iteration and condition, values that are carried; then values of each iteration. */
void inference::loop(onnx::NodeProto &node, operation &op, const scope &names)
{
    onnx::GraphProto *body = body_named(node, "body");
    std::vector<onnx::TypeProto> carried;
    const content *trips = op.data(0);
    bool counted = false;
    if (body == nullptr || body->input_size() < node.input_size()) {
        return;
    }
    onnx::GraphProto clean = *body;
    for (int i = 2; i < node.input_size(); i++) {
        carried.push_back(op.type(i) != nullptr ? *op.type(i) : onnx::TypeProto());
    }
    bool changed = true;
    for (int round = 0; round < 3 && changed; round++) {
        scope inner = {&names, {}, {}};
        *body = clean;
        changed = false;
        state(*body->mutable_input(0), make_type(onnx::TensorProto::INT64, shape()));
        state(*body->mutable_input(1), make_type(onnx::TensorProto::BOOL, shape()));
        for (size_t i = 0; i < carried.size(); i++) {
            state(*body->mutable_input(static_cast<int>(i) + 2), carried[i]);
        }
        walk(*body, inner);
        for (size_t i = 0; i < carried.size() && static_cast<int>(i) + 1 < body->output_size();
             i++) {
            onnx::TypeProto both = common(carried[i], body->output(static_cast<int>(i) + 1).type());
            changed = changed || both.SerializeAsString() != carried[i].SerializeAsString();
            carried[i] = both;
        }
        const content *goes_on =
            body->output_size() > 0 ? inner.content_of(body->output(0).name()) : nullptr;
        counted = goes_on != nullptr && goes_on->items.size() == 1u && goes_on->items[0].known &&
                  goes_on->items[0].value != 0.0 && trips != nullptr && trips->items.size() == 1u &&
                  trips->items[0].known && trips->items[0].value >= 0.0 && !op.has_input(1);
    }
    for (size_t i = 0; i < op.results.size(); i++) {
        if (i < carried.size()) {
            op.results[i] = carried[i];
        } else if (static_cast<int>(i) + 1 < body->output_size()) {
            const onnx::TypeProto &each = body->output(static_cast<int>(i) + 1).type();
            int dtype = each.tensor_type().elem_type();
            shape dims = has_shape(&each) ? shape_of(each) : shape();
            dims.insert(dims.begin(),
                counted ? fixed(static_cast<int64_t>(trips->items[0].value)) : unknown_extent());
            has_shape(&each) ? op.set(static_cast<int>(i), dtype, dims)
                             : op.set_dtype(static_cast<int>(i), dtype);
        }
    }
}

static int64_t listed_axis(const operation &op, const char *name, int i, size_t rank)
{
    const onnx::AttributeProto *a = op.attribute(name);
    return axis_of(a != nullptr && i < a->ints_size() ? a->ints(i) : 0, rank);
}

/* States, then operands that are read element by element (since version 9). */
void inference::scan(onnx::NodeProto &node, operation &op, const scope &names)
{
    onnx::GraphProto *body = body_named(node, "body");
    int n_read = static_cast<int>(op.integer("num_scan_inputs", 0));
    int n_states = node.input_size() - n_read;
    extent length = unknown_extent();
    if (body == nullptr || op.version < 9 || n_states < 0 ||
        body->input_size() != node.input_size()) {
        return;
    }
    for (int i = 0; i < node.input_size(); i++) {
        shape dims;
        if (i < n_states) {
            state(*body->mutable_input(i), op.type(i) != nullptr ? *op.type(i) : onnx::TypeProto());
        } else if (op.dims(i, dims)) {
            int64_t axis = listed_axis(op, "scan_input_axes", i - n_states, dims.size());
            if (axis >= 0) {
                length = dims[static_cast<size_t>(axis)];
                dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
                state(*body->mutable_input(i), make_type(op.dtype(i), dims));
            }
        }
    }
    scope inner = {&names, {}, {}};
    walk(*body, inner);
    for (int i = 0; i < node.output_size() && i < body->output_size(); i++) {
        const onnx::TypeProto &each = body->output(i).type();
        shape dims = has_shape(&each) ? shape_of(each) : shape();
        int64_t axis = listed_axis(op, "scan_output_axes", i - n_states, dims.size() + 1u);
        if (i < n_states) {
            op.results[static_cast<size_t>(i)] = each;
        } else if (has_shape(&each) && axis >= 0) {
            dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), length);
            op.set(i, each.tensor_type().elem_type(), dims);
        }
    }
}

} // namespace onnx_front
