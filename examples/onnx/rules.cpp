/* Types of results of operators of the standard: those that the ONNX library does not know in the
 * version of the model, and those whose shapes follow from contents of operands. */
#include "examples/onnx/infer.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace onnx_front
{

/* ---- operands ---- */

const onnx::TypeProto *scope::type_of(const std::string &tensor) const
{
    for (const scope *s = this; s != nullptr; s = s->outer) {
        auto at = s->types.find(tensor);
        if (at != s->types.end()) {
            return &at->second;
        }
    }
    return nullptr;
}

const content *scope::content_of(const std::string &tensor) const
{
    for (const scope *s = this; s != nullptr; s = s->outer) {
        auto at = s->contents.find(tensor);
        if (at != s->contents.end()) {
            return &at->second;
        }
    }
    return nullptr;
}

operation::operation(const onnx::NodeProto &of, int number, const scope &names)
    : node(of), version(number), results(static_cast<size_t>(of.output_size())), names_(names)
{
}

bool operation::has_input(int i) const
{
    return i >= 0 && i < node.input_size() && !node.input(i).empty();
}

const onnx::TypeProto *operation::type(int i) const
{
    return has_input(i) ? names_.type_of(node.input(i)) : nullptr;
}

int operation::dtype(int i) const
{
    const onnx::TypeProto *of = type(i);
    return of != nullptr && of->has_tensor_type() ? of->tensor_type().elem_type() : 0;
}

bool operation::dims(int i, shape &out) const
{
    const onnx::TypeProto *of = type(i);
    if (!has_shape(of)) {
        return false;
    }
    out = shape_of(*of);
    return true;
}

const content *operation::data(int i) const
{
    return has_input(i) ? names_.content_of(node.input(i)) : nullptr;
}

bool operation::integers(int i, const char *name, std::vector<int64_t> &out) const
{
    const onnx::AttributeProto *a = attribute(name);
    const content *c = data(i);
    if (a != nullptr) {
        out.assign(a->ints().begin(), a->ints().end());
        return true;
    }
    out.clear();
    for (size_t k = 0; c != nullptr && k < c->items.size(); k++) {
        if (!c->items[k].known) {
            return false;
        }
        out.push_back(
            c->items[k].value < 9.2e18 ? static_cast<int64_t>(c->items[k].value) : INT64_MAX);
    }
    return c != nullptr;
}

const onnx::AttributeProto *operation::attribute(const char *name) const
{
    for (const auto &a : node.attribute()) {
        if (a.name() == name) {
            return &a;
        }
    }
    return nullptr;
}

int64_t operation::integer(const char *name, int64_t otherwise) const
{
    const onnx::AttributeProto *a = attribute(name);
    return a != nullptr ? a->i() : otherwise;
}

std::string operation::text(const char *name, const char *otherwise) const
{
    const onnx::AttributeProto *a = attribute(name);
    return a != nullptr ? a->s() : otherwise;
}

void operation::set_dtype(int result, int dtype)
{
    if (dtype != 0 && static_cast<size_t>(result) < results.size()) {
        results[static_cast<size_t>(result)].mutable_tensor_type()->set_elem_type(dtype);
    }
}

onnx::TypeProto make_type(int dtype, const shape &dims)
{
    onnx::TypeProto out;
    out.mutable_tensor_type()->set_elem_type(dtype);
    auto *to = out.mutable_tensor_type()->mutable_shape();
    for (const auto &d : dims) {
        auto *dim = to->add_dim();
        if (d.value >= 0) {
            dim->set_dim_value(d.value);
        } else if (!d.symbol.empty()) {
            dim->set_dim_param(d.symbol);
        }
    }
    return out;
}

void operation::set(int result, int dtype, const shape &dims)
{
    if (dtype != 0 && static_cast<size_t>(result) < results.size()) {
        results[static_cast<size_t>(result)] = make_type(dtype, dims);
    }
}

/* ---- shapes ---- */

bool has_shape(const onnx::TypeProto *type)
{
    return type != nullptr && type->has_tensor_type() && type->tensor_type().has_shape();
}

shape shape_of(const onnx::TypeProto &type)
{
    shape out;
    for (const auto &d : type.tensor_type().shape().dim()) {
        extent e = {d.has_dim_value() && d.dim_value() >= 0 ? d.dim_value() : -1, d.dim_param()};
        out.push_back(e);
    }
    return out;
}

extent fixed(int64_t value)
{
    extent e = {value, ""};
    return e;
}

extent unknown_extent()
{
    return fixed(-1);
}

int64_t axis_of(int64_t axis, size_t rank)
{
    int64_t n = static_cast<int64_t>(rank);
    axis = axis < 0 ? axis + n : axis;
    return axis >= 0 && axis < n ? axis : -1;
}

bool all_known(const shape &dims)
{
    for (const auto &d : dims) {
        if (d.value < 0) {
            return false;
        }
    }
    return true;
}

static bool is_same(const extent &a, const extent &b)
{
    return a.value >= 0 ? a.value == b.value
                        : b.value < 0 && !a.symbol.empty() && a.symbol == b.symbol;
}

shape broadcast(const shape &a, const shape &b)
{
    const shape &longer = a.size() >= b.size() ? a : b;
    const shape &other = a.size() >= b.size() ? b : a;
    shape out = longer;
    for (size_t i = 0; i < other.size(); i++) {
        extent &d = out[out.size() - 1u - i];
        const extent &e = other[other.size() - 1u - i];
        if (d.value == 1 || e.value > 1) {
            d = e;
        } else if (e.value != 1 && d.value < 0 && !is_same(d, e)) {
            d = unknown_extent();
        }
    }
    return out;
}

/* The dimension that an element of a shape tensor states. */
static extent extent_of(const number &n)
{
    extent e = {
        n.known && n.value >= 0 ? static_cast<int64_t>(n.value) : -1, n.known ? "" : n.symbol};
    return e;
}

static int64_t at_most_i64(double value)
{
    return value < 9.2e18 ? static_cast<int64_t>(value) : INT64_MAX;
}

/* A rank alone, of a shape tensor whose contents are unknown. */
static bool rank_from(const operation &op, int i, shape &out)
{
    shape dims;
    if (!op.dims(i, dims) || dims.size() != 1u || dims[0].value < 0 || dims[0].value > 64) {
        return false;
    }
    out.assign(static_cast<size_t>(dims[0].value), unknown_extent());
    return true;
}

/* ---- the same shape ---- */

void same_as_first(operation &op)
{
    if (op.type(0) != nullptr && !op.results.empty()) {
        op.results[0] = *op.type(0);
    }
}

static void same_with_dtype(operation &op, int dtype)
{
    shape dims;
    if (op.dims(0, dims)) {
        op.set(0, dtype, dims);
    } else {
        op.set_dtype(0, dtype);
    }
}

static void same_as_truth(operation &op)
{
    same_with_dtype(op, onnx::TensorProto::BOOL);
}

static void cast(operation &op)
{
    int like = op.dtype(1);
    same_with_dtype(
        op, op.node.op_type() == "CastLike" ? like : static_cast<int>(op.integer("to", 0)));
}

static void quantize(operation &op)
{
    int64_t stated = op.integer("output_dtype", 0);
    same_with_dtype(op, op.has_input(2) ? op.dtype(2)
                        : stated != 0   ? static_cast<int>(stated)
                                        : static_cast<int>(onnx::TensorProto::UINT8));
}

static void dequantize(operation &op)
{
    int64_t stated = op.integer("output_dtype", 0);
    same_with_dtype(op, stated != 0 ? static_cast<int>(stated) : op.dtype(1));
}

static void bit_cast(operation &op)
{
    same_with_dtype(op, static_cast<int>(op.integer("to", 0)));
}

static void elementwise(operation &op)
{
    shape out;
    shape more;
    if (!op.dims(0, out)) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    for (int i = 1; i < op.n_inputs(); i++) {
        if (!op.dims(i, more)) {
            op.set_dtype(0, op.dtype(0));
            return;
        }
        out = broadcast(out, more);
    }
    op.set(0, op.dtype(0), out);
}

/* ---- shapes that operands state ---- */

/* The product of dimensions, and the names of those that are no numbers. */
struct product {
    int64_t value;
    std::vector<std::string> symbols;
    bool known; /* no dimension is without a value and a name */
};

static void multiply(product &p, const extent &d)
{
    if (d.value >= 0) {
        p.known = p.known && (d.value == 0 || p.value <= INT64_MAX / d.value);
        p.value = p.known ? p.value * d.value : p.value;
    } else if (!d.symbol.empty()) {
        p.symbols.push_back(d.symbol);
    } else {
        p.known = false;
    }
}

/* What is left of `all` when the other dimensions are divided out. */
static extent rest_of(product all, const product &others)
{
    extent out = unknown_extent();
    for (const auto &s : others.symbols) {
        auto at = std::find(all.symbols.begin(), all.symbols.end(), s);
        if (at == all.symbols.end()) {
            return out;
        }
        all.symbols.erase(at);
    }
    if (!all.known || !others.known || others.value == 0 || all.value % others.value != 0) {
        return out;
    }
    if (all.symbols.empty()) {
        return fixed(all.value / others.value);
    }
    if (all.symbols.size() == 1u && all.value == others.value) {
        out.symbol = all.symbols[0];
    }
    return out;
}

static bool reshape_target(const operation &op, std::vector<number> &out)
{
    const onnx::AttributeProto *a = op.attribute("shape");
    const content *c = op.data(1);
    for (int i = 0; a != nullptr && i < a->ints_size(); i++) {
        number n = {true, static_cast<double>(a->ints(i)), ""};
        out.push_back(n);
    }
    if (a == nullptr && c != nullptr) {
        out = c->items;
    }
    return a != nullptr || c != nullptr;
}

static void reshape(operation &op)
{
    std::vector<number> target;
    shape in;
    shape out;
    product all = {1, std::vector<std::string>(), op.dims(0, in)};
    product others = {1, std::vector<std::string>(), true};
    size_t open = 0;
    size_t at = 0;
    if (!reshape_target(op, target)) {
        if (rank_from(op, 1, out)) {
            op.set(0, op.dtype(0), out);
        } else {
            op.set_dtype(0, op.dtype(0));
        }
        return;
    }
    for (const auto &d : in) {
        multiply(all, d);
    }
    for (size_t i = 0; i < target.size(); i++) {
        bool copies = target[i].known && target[i].value == 0.0 && op.integer("allowzero", 0) == 0;
        extent d = copies ? (i < in.size() ? in[i] : unknown_extent()) : extent_of(target[i]);
        if (d.value < 0 && d.symbol.empty()) {
            open++;
            at = i;
        } else {
            multiply(others, d);
        }
        out.push_back(d);
    }
    if (open == 1u) {
        out[at] = rest_of(all, others);
    }
    op.set(0, op.dtype(0), out);
}

static void expand(operation &op)
{
    const content *c = op.data(1);
    shape in;
    shape to;
    if (c == nullptr && !rank_from(op, 1, to)) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    for (size_t i = 0; c != nullptr && i < c->items.size(); i++) {
        to.push_back(extent_of(c->items[i]));
    }
    if (op.dims(0, in)) {
        op.set(0, op.dtype(0), broadcast(to, in));
    } else {
        op.set_dtype(0, op.dtype(0));
    }
}

static void constant_of_shape(operation &op)
{
    const content *c = op.data(0);
    const onnx::AttributeProto *a = op.attribute("value");
    int dtype = a != nullptr ? a->t().data_type() : static_cast<int>(onnx::TensorProto::FLOAT);
    shape out;
    if (c == nullptr && !rank_from(op, 0, out)) {
        op.set_dtype(0, dtype);
        return;
    }
    for (size_t i = 0; c != nullptr && i < c->items.size(); i++) {
        out.push_back(extent_of(c->items[i]));
    }
    op.set(0, dtype, out);
}

/* Elements of begin..end by step of n. */
static int64_t slice_count(int64_t n, int64_t begin, int64_t end, int64_t step)
{
    int64_t low = step < 0 ? -1 : 0;
    int64_t high = step < 0 ? n - 1 : n;
    begin = begin < 0 ? std::max(begin, -n - 1) + n : begin;
    end = end < 0 ? std::max(end, -n - 1) + n : end;
    begin = std::min(std::max<int64_t>(begin, 0), high);
    end = std::min(std::max(end, low), n);
    int64_t length = step > 0 ? end - begin : begin - end;
    int64_t width = step > 0 ? step : step == INT64_MIN ? INT64_MAX : -step;
    return length > 0 ? (length - 1) / width + 1 : 0;
}

static void slice(operation &op)
{
    std::vector<int64_t> begin;
    std::vector<int64_t> end;
    std::vector<int64_t> axes;
    std::vector<int64_t> steps;
    const content *ends = op.data(2);
    shape out;
    if (!op.dims(0, out)) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    bool placed =
        op.integers(3, "axes", axes) || (!op.has_input(3) && op.attribute("axes") == nullptr);
    bool known = op.integers(1, "starts", begin) && op.integers(2, "ends", end) &&
                 (!op.has_input(4) || op.integers(4, "steps", steps));
    size_t n = known ? begin.size() : placed && !axes.empty() ? axes.size() : out.size();
    for (size_t i = 0; axes.empty() && i < n; i++) {
        axes.push_back(static_cast<int64_t>(i));
    }
    for (size_t i = 0; i < n && i < axes.size(); i++) {
        int64_t axis = axis_of(axes[i], out.size());
        if (axis < 0 || !placed) {
            out.assign(out.size(), unknown_extent());
            break;
        }
        extent &d = out[static_cast<size_t>(axis)];
        int64_t step = i < steps.size() ? steps[i] : 1;
        bool fits = known && i < end.size() && d.value >= 0 && step != 0;
        bool whole = known && i < end.size() && begin[i] == 0 && end[i] == INT64_MAX && step == 1;
        bool to_symbol = d.value < 0 && !d.symbol.empty() && ends != nullptr &&
                         i < ends->items.size() && ends->items[i].symbol == d.symbol &&
                         steps.empty() && op.data(1) != nullptr && i < op.data(1)->items.size() &&
                         op.data(1)->items[i].known && op.data(1)->items[i].value == 0.0;
        if (!whole && !to_symbol) {
            d = fits ? fixed(slice_count(d.value, begin[i], end[i], step)) : unknown_extent();
        }
    }
    op.set(0, op.dtype(0), out);
}

static void tile(operation &op)
{
    const content *c = op.data(1);
    shape out;
    if (!op.dims(0, out)) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    for (size_t i = 0; i < out.size(); i++) {
        bool known = c != nullptr && i < c->items.size() && c->items[i].known;
        int64_t times = known ? at_most_i64(c->items[i].value) : -1;
        bool fits =
            times >= 0 && out[i].value >= 0 && (times == 0 || out[i].value <= INT64_MAX / times);
        if (fits) {
            out[i] = fixed(out[i].value * times);
        } else if (times != 1) {
            bool stated = out[i].value == 1 && c != nullptr && i < c->items.size() && !known;
            out[i] = stated ? extent_of(c->items[i]) : unknown_extent();
        }
    }
    op.set(0, op.dtype(0), out);
}

static void range(operation &op)
{
    double x[3] = {0, 0, 0};
    bool known = true;
    for (int i = 0; i < 3; i++) {
        const content *c = op.data(i);
        known = known && c != nullptr && c->items.size() == 1u && c->items[0].known;
        x[i] = known ? c->items[0].value : 0.0;
    }
    double n = known && x[2] != 0.0 ? std::max(std::ceil((x[1] - x[0]) / x[2]), 0.0) : -1.0;
    const content *begin = op.data(0);
    const content *step = op.data(2);
    shape out(1, fixed(n >= 0.0 && n < 9.2e18 ? static_cast<int64_t>(n) : -1));
    bool counts = begin != nullptr && step != nullptr && begin->items.size() == 1u &&
                  step->items.size() == 1u && begin->items[0].known &&
                  begin->items[0].value == 0.0 && step->items[0].known &&
                  step->items[0].value == 1.0;
    if (out[0].value < 0 && counts && op.data(1) != nullptr && op.data(1)->items.size() == 1u) {
        out[0] = extent_of(op.data(1)->items[0]);
    }
    op.set(0, op.dtype(0), out);
}

static void squeeze(operation &op)
{
    std::vector<int64_t> axes;
    shape in;
    shape out;
    bool given = op.integers(1, "axes", axes);
    if (!op.dims(0, in) || (!given && op.has_input(1))) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    for (size_t i = 0; i < in.size(); i++) {
        bool goes = !given && in[i].value == 1;
        if (!given && in[i].value < 0) {
            op.set_dtype(0, op.dtype(0)); /* not even the rank is known */
            return;
        }
        for (int64_t a : axes) {
            goes = goes || axis_of(a, in.size()) == static_cast<int64_t>(i);
        }
        if (!goes) {
            out.push_back(in[i]);
        }
    }
    op.set(0, op.dtype(0), out);
}

static void unsqueeze(operation &op)
{
    std::vector<int64_t> axes;
    shape in;
    shape out;
    if (!op.dims(0, in) || !op.integers(1, "axes", axes) || axes.size() > 64u) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    size_t rank = in.size() + axes.size();
    std::set<int64_t> added;
    for (int64_t a : axes) {
        added.insert(axis_of(a, rank));
    }
    size_t from = 0;
    for (size_t i = 0; i < rank; i++) {
        bool is_new = added.count(static_cast<int64_t>(i)) != 0;
        out.push_back(is_new || from >= in.size() ? fixed(1) : in[from]);
        from += is_new ? 0u : 1u;
    }
    op.set(0, op.dtype(0), out);
}

static void reduce(operation &op)
{
    std::vector<int64_t> axes;
    shape in;
    shape out;
    bool keeps = op.integer("keepdims", 1) != 0;
    bool given = op.integers(1, "axes", axes);
    if (!op.dims(0, in) || (!given && op.has_input(1) && !keeps)) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    bool unknown = !given && op.has_input(1);
    bool all = axes.empty() && !unknown && op.integer("noop_with_empty_axes", 0) == 0;
    for (size_t i = 0; i < in.size(); i++) {
        bool goes = all;
        for (int64_t a : axes) {
            goes = goes || axis_of(a, in.size()) == static_cast<int64_t>(i);
        }
        if (!goes || keeps) {
            out.push_back(goes ? fixed(1) : unknown ? unknown_extent() : in[i]);
        }
    }
    op.set(0, op.dtype(0), out);
}

static void split(operation &op)
{
    std::vector<int64_t> sizes;
    shape in;
    int64_t n = static_cast<int64_t>(op.results.size());
    bool given = op.integers(1, "split", sizes);
    int64_t axis = op.dims(0, in) ? axis_of(op.integer("axis", 0), in.size()) : -1;
    for (int64_t i = 0; i < n; i++) {
        if (axis < 0) {
            op.set_dtype(static_cast<int>(i), op.dtype(0));
            continue;
        }
        shape out = in;
        extent &d = out[static_cast<size_t>(axis)];
        int64_t each = d.value >= 0 ? (d.value + n - 1) / n : -1;
        bool listed = given && static_cast<size_t>(i) < sizes.size();
        int64_t own = listed ? sizes[static_cast<size_t>(i)]
                      : given || op.has_input(1) || each < 0
                          ? -1
                          : std::max<int64_t>(std::min(each, d.value - i * each), 0);
        d = n == 1 && own < 0 ? d : fixed(own);
        op.set(static_cast<int>(i), op.dtype(0), out);
    }
}

static void pad(operation &op)
{
    std::vector<int64_t> pads;
    std::vector<int64_t> axes;
    shape out;
    bool known = op.integers(1, op.attribute("paddings") != nullptr ? "paddings" : "pads", pads);
    if (!op.dims(0, out)) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    known = known && (!op.has_input(3) || op.integers(3, "", axes));
    for (size_t i = 0; !op.has_input(3) && i < out.size(); i++) {
        axes.push_back(static_cast<int64_t>(i));
    }
    known = known && pads.size() == 2u * axes.size();
    for (size_t i = 0; i < axes.size(); i++) {
        int64_t axis = axis_of(axes[i], out.size());
        if (!known || axis < 0) {
            out.assign(out.size(), unknown_extent());
            break;
        }
        extent &d = out[static_cast<size_t>(axis)];
        int64_t more = pads[i] + pads[i + axes.size()];
        d = more == 0 ? d : fixed(d.value >= 0 ? std::max<int64_t>(d.value + more, 0) : -1);
    }
    op.set(0, op.dtype(0), out);
}

/* ---- resize ---- */

/* Sizes that keep the aspect ratio: the least or largest scale of all axes. */
static void keep_ratio(const shape &in, const std::vector<int64_t> &axes, bool least, shape &out)
{
    double scale = least ? INFINITY : 0.0;
    for (int64_t a : axes) {
        const extent &from = in[static_cast<size_t>(a)];
        const extent &to = out[static_cast<size_t>(a)];
        double own = from.value > 0 && to.value >= 0
                         ? static_cast<double>(to.value) / static_cast<double>(from.value)
                         : NAN;
        scale = std::isnan(own) || std::isnan(scale) ? NAN
                : least                              ? std::min(scale, own)
                                                     : std::max(scale, own);
    }
    for (int64_t a : axes) {
        extent &to = out[static_cast<size_t>(a)];
        double size = scale * static_cast<double>(in[static_cast<size_t>(a)].value);
        to = std::isnan(scale) ? unknown_extent()
                               : fixed(static_cast<int64_t>(std::floor(size + 0.5)));
    }
}

static void resize_to(
    operation &op, const content &sizes, const std::vector<int64_t> &axes, shape &out)
{
    shape in = out;
    std::string policy = op.text("keep_aspect_ratio_policy", "stretch");
    for (size_t i = 0; i < axes.size() && i < sizes.items.size(); i++) {
        out[static_cast<size_t>(axes[i])] = extent_of(sizes.items[i]);
    }
    if (policy != "stretch") {
        keep_ratio(in, axes, policy == "not_larger", out);
    }
}

static void resize_by(
    const std::vector<double> &scales, const std::vector<int64_t> &axes, shape &out)
{
    for (size_t i = 0; i < axes.size(); i++) {
        extent &d = out[static_cast<size_t>(axes[i])];
        if (i >= scales.size()) {
            d = unknown_extent();
        } else if (scales[i] != 1.0) {
            double size = std::floor(static_cast<double>(d.value) * scales[i]);
            d = fixed(
                d.value >= 0 && size >= 0.0 && size < 9.2e18 ? static_cast<int64_t>(size) : -1);
        }
    }
}

static std::vector<double> scales_of(const operation &op, int input)
{
    const onnx::AttributeProto *a = op.attribute("scales");
    const content *c = op.data(input);
    std::vector<double> out;
    for (int i = 0; a != nullptr && i < a->floats_size(); i++) {
        out.push_back(static_cast<double>(a->floats(i)));
    }
    for (int i = 0; a != nullptr && i < a->ints_size(); i++) { /* of com.microsoft.nchwc */
        out.push_back(static_cast<double>(a->ints(i)));
    }
    for (size_t i = 0; c != nullptr && i < c->items.size(); i++) {
        out.push_back(c->items[i].known ? c->items[i].value : NAN);
    }
    return out;
}

static void resize(operation &op)
{
    bool early = op.n_inputs() <= 2; /* Upsample and Resize 10: scales alone */
    const content *sizes = early ? nullptr : op.data(3);
    std::vector<int64_t> axes;
    shape out;
    if (!op.dims(0, out)) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    const onnx::AttributeProto *given = op.attribute("axes");
    for (size_t i = 0;
         i < (given != nullptr ? static_cast<size_t>(given->ints_size()) : out.size()); i++) {
        int64_t axis =
            given != nullptr ? given->ints(static_cast<int>(i)) : static_cast<int64_t>(i);
        if (axis_of(axis, out.size()) >= 0) {
            axes.push_back(axis_of(axis, out.size()));
        }
    }
    if (sizes != nullptr && !sizes->items.empty()) {
        resize_to(op, *sizes, axes, out);
    } else {
        resize_by(scales_of(op, early ? 1 : 2), axes, out);
    }
    op.set(0, op.dtype(0), out);
}

/* ---- windows ---- */

struct window {
    std::vector<int64_t> kernel;
    std::vector<int64_t> strides;
    std::vector<int64_t> dilations;
    std::vector<int64_t> pads;
    std::string automatic;
    bool up; /* rounds up */
};

static int64_t at_or(const std::vector<int64_t> &list, size_t i, int64_t otherwise)
{
    return i < list.size() ? list[i] : otherwise;
}

static window window_of(const operation &op, const std::vector<int64_t> &kernel)
{
    window w = {kernel, {}, {}, {}, op.text("auto_pad", "NOTSET"), op.integer("ceil_mode", 0) != 0};
    (void)op.integers(-1, "strides", w.strides);
    (void)op.integers(-1, "dilations", w.dilations);
    (void)op.integers(-1, "pads", w.pads);
    return w;
}

/* Places of a window on an axis of n elements. */
static int64_t places(const window &w, size_t i, int64_t n)
{
    int64_t stride = std::max<int64_t>(at_or(w.strides, i, 1), 1);
    int64_t reach = (at_or(w.kernel, i, 1) - 1) * at_or(w.dilations, i, 1) + 1;
    int64_t before = at_or(w.pads, i, 0);
    int64_t after = at_or(w.pads, i + w.kernel.size(), 0);
    if (w.automatic == "SAME_UPPER" || w.automatic == "SAME_LOWER") {
        return (n + stride - 1) / stride;
    }
    if (w.automatic == "VALID") {
        before = after = 0;
    }
    int64_t room = n + before + after - reach;
    if (room < 0) {
        return 0;
    }
    int64_t out = (w.up ? (room + stride - 1) / stride : room / stride) + 1;
    return w.up && (out - 1) * stride >= n + before ? out - 1
                                                    : out; /* none begins in the padding */
}

static shape slide(const window &w, const shape &in, const extent &channels)
{
    shape out(in.begin(), in.begin() + 2);
    out[1] = channels;
    for (size_t i = 2; i < in.size(); i++) {
        bool known = in[i].value >= 0 && i - 2u < w.kernel.size();
        bool keeps =
            in[i].value < 0 && i - 2u < w.kernel.size() && at_or(w.strides, i - 2u, 1) == 1 &&
            (w.automatic == "SAME_UPPER" || w.automatic == "SAME_LOWER" ||
                (w.automatic == "NOTSET" &&
                    at_or(w.pads, i - 2u, 0) + at_or(w.pads, i - 2u + w.kernel.size(), 0) ==
                        (at_or(w.kernel, i - 2u, 1) - 1) * at_or(w.dilations, i - 2u, 1)));
        out.push_back(keeps ? in[i] : fixed(known ? places(w, i - 2u, in[i].value) : -1));
    }
    return out;
}

static void pool(operation &op)
{
    std::vector<int64_t> kernel;
    shape in;
    if (!op.dims(0, in) || in.size() < 2u || !op.integers(-1, "kernel_shape", kernel)) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    shape out = slide(window_of(op, kernel), in, in[1]);
    op.set(0, op.dtype(0), out);
    op.set(1, onnx::TensorProto::INT64, out);
}

void convolution(operation &op)
{
    std::vector<int64_t> kernel;
    shape in;
    shape weight;
    if (!op.dims(0, in) || in.size() < 2u || !op.dims(1, weight) || weight.size() < 2u) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    if (!op.integers(-1, "kernel_shape", kernel)) {
        for (size_t i = 2; i < weight.size(); i++) {
            kernel.push_back(weight[i].value);
        }
    }
    for (int64_t k : kernel) {
        if (k < 0) {
            kernel.clear();
            break;
        }
    }
    op.set(0, op.dtype(0), slide(window_of(op, kernel), in, weight[0]));
}

/* ---- products ---- */

/* Of matrices in stacks: [..., m, k] x [..., k, n]. */
static bool product_of(shape a, shape b, shape &out)
{
    if (a.empty() || b.empty()) {
        return false;
    }
    bool row = a.size() == 1u;
    bool column = b.size() == 1u;
    if (row) {
        a.insert(a.begin(), fixed(1));
    }
    if (column) {
        b.push_back(fixed(1));
    }
    out = broadcast(shape(a.begin(), a.end() - 2), shape(b.begin(), b.end() - 2));
    if (!row) {
        out.push_back(a[a.size() - 2u]);
    }
    if (!column) {
        out.push_back(b.back());
    }
    return true;
}

/* transX: its last two; transBatchX: first and last but one. */
static void transpose(const operation &op, const char *last, const char *batch, shape &dims)
{
    if (dims.size() >= 2u && op.integer(batch, 0) != 0) {
        std::rotate(dims.begin(), dims.begin() + 1, dims.end() - 1);
    }
    if (dims.size() >= 2u && op.integer(last, 0) != 0) {
        std::swap(dims[dims.size() - 2u], dims.back());
    }
}

void matrix_product(operation &op)
{
    shape a;
    shape b;
    shape out;
    bool known = op.dims(0, a) && op.dims(1, b);
    transpose(op, "transA", "transBatchA", a);
    transpose(op, "transB", "transBatchB", b);
    if (known && product_of(a, b, out)) {
        op.set(0, op.dtype(0), out);
    } else {
        op.set_dtype(0, op.dtype(0));
    }
}

/* ---- newer operators ---- */

static void center_crop_pad(operation &op)
{
    const content *to = op.data(1);
    std::vector<int64_t> axes;
    shape out;
    if (!op.dims(0, out)) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    bool given = op.integers(-1, "axes", axes);
    for (size_t i = 0; !given && i < out.size(); i++) {
        axes.push_back(static_cast<int64_t>(i));
    }
    for (size_t i = 0; i < axes.size(); i++) {
        int64_t axis = axis_of(axes[i], out.size());
        if (axis >= 0) {
            out[static_cast<size_t>(axis)] =
                to != nullptr && i < to->items.size() ? extent_of(to->items[i]) : unknown_extent();
        }
    }
    op.set(0, op.dtype(0), out);
}

static void column_to_image(operation &op)
{
    const content *image = op.data(1);
    std::vector<int64_t> block;
    shape in;
    shape out;
    int64_t size = 1;
    if (!op.dims(0, in) || in.size() != 3u || image == nullptr) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    bool known = op.integers(2, "", block);
    for (int64_t b : block) {
        size = b > 0 && size <= INT64_MAX / b ? size * b : 0;
    }
    out.push_back(in[0]);
    out.push_back(fixed(known && size > 0 && in[1].value >= 0 ? in[1].value / size : -1));
    for (const auto &n : image->items) {
        out.push_back(extent_of(n));
    }
    op.set(0, op.dtype(0), out);
}

static void affine_grid(operation &op)
{
    const content *size = op.data(1);
    shape out;
    if (size == nullptr || size->items.size() < 3u) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    out.push_back(extent_of(size->items[0]));
    for (size_t i = 2; i < size->items.size(); i++) {
        out.push_back(extent_of(size->items[i]));
    }
    out.push_back(fixed(static_cast<int64_t>(size->items.size()) - 2));
    op.set(0, op.dtype(0), out);
}

/* From version 20 on the axis is an operand. */
static void fourier(operation &op)
{
    std::vector<int64_t> axis(1, -2);
    std::vector<int64_t> length;
    shape out;
    bool placed =
        op.version < 20 || !op.has_input(2) || (op.integers(2, "", axis) && axis.size() == 1u);
    if (op.version < 20) {
        axis.assign(1, op.integer("axis", 1));
    }
    int64_t at = op.dims(0, out) && placed ? axis_of(axis[0], out.size()) : -1;
    if (at < 0) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    bool half = op.integer("onesided", 0) != 0;
    bool back = op.integer("inverse", 0) != 0;
    extent &d = out[static_cast<size_t>(at)];
    if (op.has_input(1)) {
        d = fixed(op.integers(1, "", length) && length.size() == 1u ? length[0] : -1);
    } else if (half && back) {
        d = fixed(d.value > 0 ? (d.value - 1) * 2 : -1);
    }
    if (half && !back) {
        d = fixed(d.value >= 0 ? d.value / 2 + 1 : -1);
    }
    out.back() = fixed(half && back ? 1 : 2);
    op.set(0, op.dtype(0), out);
}

static void string_split(operation &op)
{
    shape out;
    if (op.dims(0, out)) {
        op.set(1, onnx::TensorProto::INT64, out);
        out.push_back(unknown_extent());
        op.set(0, onnx::TensorProto::STRING, out);
    }
}

static void decode_image(operation &op)
{
    shape out(3, unknown_extent());
    out[2] = op.text("pixel_format", "RGB") == "Grayscale" ? fixed(1) : fixed(3);
    op.set(0, onnx::TensorProto::UINT8, out);
}

static void non_zero(operation &op)
{
    shape in;
    shape out(2, unknown_extent());
    if (op.dims(0, in)) {
        out[0] = fixed(static_cast<int64_t>(in.size()));
    }
    op.set(0, onnx::TensorProto::INT64, out);
}

static void top_k(operation &op)
{
    const content *k = op.data(1);
    shape out;
    int64_t axis = op.dims(0, out) ? axis_of(op.integer("axis", -1), out.size()) : -1;
    op.set_dtype(0, op.dtype(0));
    op.set_dtype(1, onnx::TensorProto::INT64);
    if (axis >= 0) {
        int64_t given = op.integer("k", -1);
        out[static_cast<size_t>(axis)] = given >= 0 ? fixed(given)
                                         : k != nullptr && k->items.size() == 1u
                                             ? extent_of(k->items[0])
                                             : unknown_extent();
        op.set(0, op.dtype(0), out);
        op.set(1, onnx::TensorProto::INT64, out);
    }
}

static void one_hot(operation &op)
{
    const content *depth = op.data(1);
    shape out;
    if (!op.dims(0, out)) {
        op.set_dtype(0, op.dtype(2));
        return;
    }
    int64_t axis = axis_of(op.integer("axis", -1), out.size() + 1u);
    if (axis >= 0) {
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis),
            depth != nullptr && depth->items.size() == 1u ? extent_of(depth->items[0])
                                                          : unknown_extent());
        op.set(0, op.dtype(2), out);
    }
}

/* Terms of "ij, jk -> ik" and their result; without an arrow the letters that stand once, in
 * order. */
static std::vector<std::string> terms_of(std::string equation, std::string &result)
{
    std::vector<std::string> out(1);
    equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
    size_t arrow = equation.find("->");
    for (char c : equation.substr(0, arrow)) {
        if (c == ',') {
            out.push_back("");
        } else {
            out.back().push_back(c);
        }
    }
    if (arrow != std::string::npos) {
        result = equation.substr(arrow + 2u);
        return out;
    }
    result = equation.find("...") != std::string::npos ? "..." : "";
    std::sort(equation.begin(), equation.end());
    for (char c : equation) {
        if (c != ',' && c != '.' && std::count(equation.begin(), equation.end(), c) == 1) {
            result.push_back(c);
        }
    }
    return out;
}

static void einsum(operation &op)
{
    std::unordered_map<char, extent> size;
    shape dots;
    std::string result;
    std::vector<std::string> terms = terms_of(op.text("equation", ""), result);
    op.set_dtype(0, op.dtype(0));
    for (int i = 0; i < op.n_inputs() && static_cast<size_t>(i) < terms.size(); i++) {
        const std::string &term = terms[static_cast<size_t>(i)];
        size_t before = std::min(term.find('.'), term.size());
        size_t letters = before == term.size() ? term.size() : term.size() - 3u;
        shape dims;
        if (!op.dims(i, dims) || dims.size() < letters ||
            (before == term.size() && dims.size() != letters)) {
            return;
        }
        size_t hidden = dims.size() - letters;
        auto first = dims.begin() + static_cast<std::ptrdiff_t>(before);
        dots = broadcast(dots, shape(first, first + static_cast<std::ptrdiff_t>(hidden)));
        for (size_t k = 0, at = 0; k < term.size(); k++) {
            if (term[k] == '.') {
                at += k == before ? hidden : 0u;
                continue;
            }
            auto own = size.insert(std::make_pair(term[k], dims[at]));
            own.first->second =
                own.first->second.value <= 1 && dims[at].value >= 0 ? dims[at] : own.first->second;
            at++;
        }
    }
    shape out;
    for (size_t k = 0; k < result.size(); k++) {
        if (result[k] != '.') {
            out.push_back(size.count(result[k]) != 0 ? size[result[k]] : unknown_extent());
        } else if (k == 0 || result[k - 1u] != '.') {
            out.insert(out.end(), dots.begin(), dots.end());
        }
    }
    op.set(0, op.dtype(0), out);
}

/* Frames of a signal [batch, length, parts], by a window or a length. */
static void fourier_of_frames(operation &op)
{
    std::vector<int64_t> step;
    std::vector<int64_t> length;
    shape in;
    shape window;
    bool known = op.integers(1, "", step) && step.size() == 1u && step[0] > 0;
    if (!op.integers(3, "", length) && op.dims(2, window) && window.size() == 1u) {
        length.assign(1, window[0].value);
    }
    if (!op.dims(0, in) || in.size() < 2u) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    int64_t n = length.size() == 1u ? length[0] : -1;
    bool counts = known && n > 0 && in[1].value >= n;
    shape out = {in[0], fixed(counts ? (in[1].value - n) / step[0] + 1 : -1),
        fixed(n <= 0                           ? -1
              : op.integer("onesided", 1) != 0 ? n / 2 + 1
                                               : n),
        fixed(2)};
    op.set(0, op.dtype(0), out);
}

static void signal_window(operation &op)
{
    const content *size = op.data(0);
    extent d =
        size != nullptr && size->items.size() == 1u ? extent_of(size->items[0]) : unknown_extent();
    op.set(
        0, static_cast<int>(op.integer("output_datatype", onnx::TensorProto::FLOAT)), shape(1, d));
}

/* [batch, channels], then the places of the grid. */
static void grid_sample(operation &op)
{
    shape in;
    shape grid;
    if (!op.dims(0, in) || !op.dims(1, grid) || in.size() < 3u || grid.size() != in.size()) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    shape out = {in[0], in[1]};
    out.insert(out.end(), grid.begin() + 1, grid.end() - 1);
    op.set(0, op.dtype(0), out);
}

/* Variance and inverse deviation beside the result. */
static void normalization(operation &op)
{
    shape out;
    same_as_first(op);
    int64_t axis = op.dims(0, out) ? axis_of(op.integer("axis", -1), out.size()) : -1;
    for (size_t i = 0; axis >= 0 && i < out.size(); i++) {
        out[i] = static_cast<int64_t>(i) >= axis ? fixed(1) : out[i];
    }
    for (int k = 1; axis >= 0 && k < 3; k++) {
        op.set(k, onnx::TensorProto::FLOAT, out);
    }
}

/* Queries and values in heads: [batch, heads, length, size], or [batch, length, all]. */
void attention(operation &op)
{
    shape q;
    shape v;
    int64_t heads = op.integer("q_num_heads", op.integer("num_heads", 0));
    int64_t shared = op.integer("kv_num_heads", heads);
    bool known = op.dims(0, q) && op.dims(2, v) && q.size() == v.size() && q.size() >= 3u;
    if (!known) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    shape out = q;
    bool whole = q.size() == 3u;
    out.back() = v.back();
    if (whole && heads != shared && shared > 0) {
        out.back() = fixed(v.back().value >= 0 ? v.back().value / shared * heads : -1);
    }
    op.set(0, op.dtype(0), out);
    for (int k = 1; k < 3; k++) {
        shape now;
        shape past;
        if (!op.dims(k, now) || (whole && shared <= 0)) {
            continue;
        }
        if (whole) {
            int64_t size = now[2].value >= 0 ? now[2].value / shared : -1;
            now = {now[0], fixed(shared), now[1], fixed(size)};
        }
        if (op.has_input(k + 3)) {
            bool both = op.dims(k + 3, past) && past.size() == 4u && past[2].value >= 0 &&
                        now[2].value >= 0;
            now[2] = both ? fixed(past[2].value + now[2].value) : unknown_extent();
        }
        op.set(k, op.dtype(k), now);
    }
    if (heads > 0 || !whole) {
        shape scores = {q[0], whole ? fixed(heads) : q[1], q[q.size() - 2u], v[v.size() - 2u]};
        shape past;
        if (op.has_input(4)) {
            bool both =
                op.dims(4, past) && past.size() == 4u && past[2].value >= 0 && scores[3].value >= 0;
            scores[3] = both ? fixed(past[2].value + scores[3].value) : unknown_extent();
        }
        op.set(3, op.dtype(0), scores);
    }
}

static void tree_ensemble(operation &op)
{
    shape in;
    if (op.dims(0, in) && !in.empty()) {
        shape out = {in[0], fixed(op.integer("n_targets", -1))};
        op.set(0, op.dtype(0), out);
    }
}

static void truth(operation &op)
{
    op.set(0, onnx::TensorProto::BOOL, shape());
}

/* ---- all operators ---- */

rule find_rule(const std::string &op_type)
{
    static const std::unordered_map<std::string, rule> all = {
        {"AffineGrid", affine_grid},
        {"Attention", attention},
        {"AveragePool", pool},
        {"BitCast", bit_cast},
        {"BitwiseAnd", elementwise},
        {"BitwiseNot", same_as_first},
        {"BitwiseOr", elementwise},
        {"BitwiseXor", elementwise},
        {"Cast", cast},
        {"CastLike", cast},
        {"BlackmanWindow", signal_window},
        {"CenterCropPad", center_crop_pad},
        {"Col2Im", column_to_image},
        {"ConstantOfShape", constant_of_shape},
        {"CumProd", same_as_first},
        {"DFT", fourier},
        {"DeformConv", convolution},
        {"DequantizeLinear", dequantize},
        {"Einsum", einsum},
        {"Expand", expand},
        {"Gelu", same_as_first},
        {"GridSample", grid_sample},
        {"GroupNormalization", same_as_first},
        {"HammingWindow", signal_window},
        {"HannWindow", signal_window},
        {"ImageDecoder", decode_image},
        {"IsInf", same_as_truth},
        {"IsNaN", same_as_truth},
        {"LpPool", pool},
        {"MaxPool", pool},
        {"Mish", same_as_first},
        {"NonZero", non_zero},
        {"OneHot", one_hot},
        {"OptionalHasElement", truth},
        {"Pad", pad},
        {"QuantizeLinear", quantize},
        {"RMSNormalization", same_as_first},
        {"Range", range},
        {"ReduceL1", reduce},
        {"ReduceL2", reduce},
        {"ReduceLogSum", reduce},
        {"ReduceLogSumExp", reduce},
        {"ReduceMax", reduce},
        {"ReduceMean", reduce},
        {"ReduceMin", reduce},
        {"ReduceProd", reduce},
        {"ReduceSum", reduce},
        {"ReduceSumSquare", reduce},
        {"RegexFullMatch", same_as_truth},
        {"Reshape", reshape},
        {"Resize", resize},
        {"RotaryEmbedding", same_as_first},
        {"STFT", fourier_of_frames},
        {"SimplifiedLayerNormalization", normalization},
        {"Slice", slice},
        {"Split", split},
        {"Squeeze", squeeze},
        {"StringConcat", elementwise},
        {"StringSplit", string_split},
        {"SwiGLU", elementwise},
        {"Swish", same_as_first},
        {"TensorScatter", same_as_first},
        {"Tile", tile},
        {"TopK", top_k},
        {"TreeEnsemble", tree_ensemble},
        {"Unsqueeze", unsqueeze},
        {"Upsample", resize},
    };
    auto at = all.find(op_type);
    return at != all.end() ? at->second : nullptr;
}

bool is_outdated(const onnx::NodeProto &node, int version)
{
    static const std::set<std::string> all = {"AveragePool", "Cast", "CastLike", "DFT",
        "DequantizeLinear", "LpPool", "Pad", "QuantizeLinear", "ReduceL1", "ReduceL2",
        "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
        "ReduceSumSquare", "Resize", "Split"};
    const std::string &name = node.op_type();
    for (const auto &a : node.attribute()) {
        if (a.name() == "ceil_mode" && a.i() != 0) {
            return true; /* the library counts windows that begin in the padding */
        }
    }
    return name == "STFT" || (version > 17 && all.count(name) != 0);
}

} // namespace onnx_front
