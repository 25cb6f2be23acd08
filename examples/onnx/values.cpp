/* Contents of small tensors: shapes are computed from shapes by operators, and end in a Reshape. A
 * dimension that is no number keeps its name as long as no arithmetic touches it. */
#include "examples/onnx/infer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

namespace onnx_front
{

/* Larger tensors are no shapes. */
const size_t most_items = 1024u;

static number known_number(double value)
{
    number n = {true, value, ""};
    return n;
}

static number unknown_number()
{
    number n = {false, 0.0, ""};
    return n;
}

static bool is_symbol(const number &n)
{
    return !n.known && !n.symbol.empty();
}

/* False where the elements are too many. */
static bool count_of(const std::vector<int64_t> &dims, size_t &count)
{
    count = 1;
    for (int64_t d : dims) {
        if (d < 0 || (d > 0 && count > most_items / static_cast<size_t>(d))) {
            return false;
        }
        count *= static_cast<size_t>(d);
    }
    return count <= most_items;
}

static bool is_real(int dtype)
{
    return dtype == onnx::TensorProto::FLOAT || dtype == onnx::TensorProto::DOUBLE ||
           dtype == onnx::TensorProto::FLOAT16 || dtype == onnx::TensorProto::BFLOAT16;
}

/* A value as its type stores it. */
static double rounded(double value, int dtype)
{
    if (dtype == onnx::TensorProto::BOOL) {
        return value != 0.0 ? 1.0 : 0.0;
    }
    if (dtype == onnx::TensorProto::FLOAT) {
        return static_cast<double>(static_cast<float>(value));
    }
    return is_real(dtype) ? value : std::trunc(value);
}

/* ---- stored tensors ---- */

template <typename Number>
static void read_raw(const std::string &raw, size_t count, std::vector<number> &out)
{
    for (size_t i = 0; i < count && (i + 1u) * sizeof(Number) <= raw.size(); i++) {
        Number x;
        memcpy(&x, raw.data() + i * sizeof x, sizeof x);
        out.push_back(known_number(static_cast<double>(x)));
    }
}

template <typename List> static void read_list(const List &list, std::vector<number> &out)
{
    for (const auto &x : list) {
        out.push_back(known_number(static_cast<double>(x)));
    }
}

bool read_content(const onnx::TensorProto &tensor, content &out)
{
    bool raw = tensor.has_raw_data();
    size_t count = 0;
    out.dtype = tensor.data_type();
    out.dims.assign(tensor.dims().begin(), tensor.dims().end());
    out.items.clear();
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL || is_skipped(tensor) ||
        !count_of(out.dims, count)) {
        return false;
    }
    switch (out.dtype) {
    case onnx::TensorProto::INT64:
        raw ? read_raw<int64_t>(tensor.raw_data(), count, out.items)
            : read_list(tensor.int64_data(), out.items);
        break;
    case onnx::TensorProto::INT32:
        raw ? read_raw<int32_t>(tensor.raw_data(), count, out.items)
            : read_list(tensor.int32_data(), out.items);
        break;
    case onnx::TensorProto::BOOL:
        raw ? read_raw<uint8_t>(tensor.raw_data(), count, out.items)
            : read_list(tensor.int32_data(), out.items);
        break;
    case onnx::TensorProto::FLOAT:
        raw ? read_raw<float>(tensor.raw_data(), count, out.items)
            : read_list(tensor.float_data(), out.items);
        break;
    case onnx::TensorProto::DOUBLE:
        raw ? read_raw<double>(tensor.raw_data(), count, out.items)
            : read_list(tensor.double_data(), out.items);
        break;
    default:
        return false;
    }
    return out.items.size() == count;
}

static bool fold_constant(const operation &op, content &out)
{
    const onnx::AttributeProto *a = op.node.attribute_size() == 1 ? &op.node.attribute(0) : nullptr;
    if (a == nullptr) {
        return false;
    }
    if (a->has_t()) {
        return read_content(a->t(), out);
    }
    out.dtype = a->name().find("float") != std::string::npos ? onnx::TensorProto::FLOAT
                                                             : onnx::TensorProto::INT64;
    if (a->name() == "value_int" || a->name() == "value_float") {
        out.items.push_back(known_number(
            a->name() == "value_int" ? static_cast<double>(a->i()) : static_cast<double>(a->f())));
        return true;
    }
    if (a->name() != "value_ints" && a->name() != "value_floats") {
        return false;
    }
    read_list(a->ints(), out.items);
    read_list(a->floats(), out.items);
    out.dims.push_back(static_cast<int64_t>(out.items.size()));
    return out.items.size() <= most_items;
}

/* ---- shapes of tensors ---- */

static bool fold_shape(const operation &op, content &out)
{
    shape dims;
    if (!op.dims(0, dims)) {
        return false;
    }
    int64_t rank = static_cast<int64_t>(dims.size());
    int64_t begin = op.integer("start", 0);
    int64_t end = op.integer("end", rank);
    begin = std::min(std::max<int64_t>(begin < 0 ? begin + rank : begin, 0), rank);
    end = std::min(std::max<int64_t>(end < 0 ? end + rank : end, 0), rank);
    out.dtype = onnx::TensorProto::INT64;
    for (int64_t i = begin; i < end; i++) {
        const extent &d = dims[static_cast<size_t>(i)];
        number n = {d.value >= 0, static_cast<double>(d.value), d.symbol};
        out.items.push_back(n);
    }
    out.dims.push_back(static_cast<int64_t>(out.items.size()));
    return true;
}

static bool fold_size(const operation &op, content &out)
{
    shape dims;
    double product = 1.0;
    if (!op.dims(0, dims) || !all_known(dims)) {
        return false;
    }
    for (const auto &d : dims) {
        product *= static_cast<double>(d.value);
    }
    out.dtype = onnx::TensorProto::INT64;
    out.items.push_back(known_number(product));
    return true;
}

/* ---- elements moved ---- */

static bool fold_gather(const operation &op, content &out)
{
    const content *from = op.data(0);
    const content *at = op.data(1);
    size_t count;
    if (from == nullptr || at == nullptr || from->dims.empty() || op.integer("axis", 0) != 0) {
        return false;
    }
    size_t row = from->dims[0] > 0 ? from->items.size() / static_cast<size_t>(from->dims[0]) : 0;
    out.dtype = from->dtype;
    out.dims = at->dims;
    out.dims.insert(out.dims.end(), from->dims.begin() + 1, from->dims.end());
    if (!count_of(out.dims, count)) {
        return false;
    }
    for (const auto &i : at->items) {
        double k = i.value < 0 ? i.value + static_cast<double>(from->dims[0]) : i.value;
        if (!i.known || k < 0 || k >= static_cast<double>(from->dims[0])) {
            return false;
        }
        auto begin =
            from->items.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(k) * row);
        out.items.insert(out.items.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
    }
    return true;
}

static bool fold_concat(const operation &op, content &out)
{
    for (int i = 0; i < op.n_inputs(); i++) {
        const content *from = op.data(i);
        if (from == nullptr || from->dims.size() != 1u) {
            return false;
        }
        out.dtype = from->dtype;
        out.items.insert(out.items.end(), from->items.begin(), from->items.end());
    }
    out.dims.push_back(static_cast<int64_t>(out.items.size()));
    return out.items.size() <= most_items;
}

static bool fold_slice(const operation &op, content &out)
{
    const content *from = op.data(0);
    std::vector<int64_t> begin;
    std::vector<int64_t> end;
    std::vector<int64_t> step(1, 1);
    if (from == nullptr || from->dims.size() != 1u || !op.integers(1, "starts", begin) ||
        !op.integers(2, "ends", end) || begin.size() != 1u || end.size() != 1u ||
        (op.has_input(4) && (!op.integers(4, "steps", step) || step.size() != 1u)) ||
        step[0] == 0) {
        return false;
    }
    int64_t n = static_cast<int64_t>(from->items.size());
    int64_t low = step[0] < 0 ? -1 : 0;
    int64_t high = step[0] < 0 ? n - 1 : n;
    int64_t i = begin[0] < 0 ? begin[0] + n : begin[0];
    int64_t last = end[0] < 0 ? std::max<int64_t>(end[0], -n - 1) + n : end[0];
    i = std::min(std::max<int64_t>(i, 0), high);
    last = std::min(std::max(last, low), n);
    out.dtype = from->dtype;
    for (; step[0] > 0 ? i < last : i > last; i += std::max(std::min(step[0], n), -n)) {
        out.items.push_back(from->items[static_cast<size_t>(i)]);
    }
    out.dims.push_back(static_cast<int64_t>(out.items.size()));
    return true;
}

/* The same elements in the shape of the result. */
static bool fold_reshape(const operation &op, content &out)
{
    const content *from = op.data(0);
    size_t count;
    if (from == nullptr || !has_shape(&op.results[0])) {
        return false;
    }
    out.dtype = from->dtype;
    for (const auto &d : shape_of(op.results[0])) {
        out.dims.push_back(d.value);
    }
    out.items = from->items;
    return count_of(out.dims, count) && count == out.items.size();
}

static bool fold_fill(const operation &op, content &out)
{
    const onnx::AttributeProto *a = op.attribute("value");
    content value = {onnx::TensorProto::FLOAT, std::vector<int64_t>(),
        std::vector<number>(1, known_number(0.0))};
    size_t count;
    if (!op.integers(0, "", out.dims) || !count_of(out.dims, count) ||
        (a != nullptr && (!read_content(a->t(), value) || value.items.size() != 1u))) {
        return false;
    }
    out.dtype = value.dtype;
    out.items.assign(count, value.items[0]);
    return true;
}

/* The element of an operand that is broadcast to `dims`, for element i of the result. */
static const number &element_of(const content &from, const std::vector<int64_t> &dims, size_t i)
{
    size_t at = 0;
    size_t stride = 1;
    for (size_t k = dims.size(); k-- > 0;) {
        size_t size = static_cast<size_t>(dims[k]);
        size_t place = i % size;
        size_t from_end = dims.size() - k;
        if (from_end <= from.dims.size()) {
            size_t own = static_cast<size_t>(from.dims[from.dims.size() - from_end]);
            at += own != 1u ? place * stride : 0;
            stride *= own;
        }
        i /= size;
    }
    return from.items[at];
}

static bool broadcast_dims(const content &with, std::vector<int64_t> &dims)
{
    size_t count;
    while (dims.size() < with.dims.size()) {
        dims.insert(dims.begin(), 1);
    }
    for (size_t k = 0; k < with.dims.size(); k++) {
        int64_t &d = dims[dims.size() - 1u - k];
        int64_t own = with.dims[with.dims.size() - 1u - k];
        if (d != own && d != 1 && own != 1) {
            return false;
        }
        d = d == 1 ? own : d;
    }
    return count_of(dims, count);
}

static bool fold_expand(const operation &op, content &out)
{
    const content *from = op.data(0);
    content to = {0, std::vector<int64_t>(), std::vector<number>()};
    size_t count;
    if (from == nullptr || !op.integers(1, "", to.dims) || !count_of(to.dims, count)) {
        return false;
    }
    out.dtype = from->dtype;
    out.dims = from->dims;
    if (!broadcast_dims(to, out.dims) || !count_of(out.dims, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        out.items.push_back(element_of(*from, out.dims, i));
    }
    return true;
}

static bool fold_split(const operation &op, std::vector<content> &out)
{
    const content *from = op.data(0);
    size_t at = 0;
    if (from == nullptr || from->dims.size() != 1u) {
        return false;
    }
    for (size_t k = 0; k < op.results.size(); k++) {
        shape dims = shape_of(op.results[k]);
        if (dims.size() != 1u || dims[0].value < 0 ||
            static_cast<uint64_t>(dims[0].value) > from->items.size() - at) {
            return false;
        }
        out[k].dtype = from->dtype;
        out[k].dims.push_back(dims[0].value);
        out[k].items.assign(from->items.begin() + static_cast<std::ptrdiff_t>(at),
            from->items.begin() + static_cast<std::ptrdiff_t>(at) +
                static_cast<std::ptrdiff_t>(dims[0].value));
        at += static_cast<size_t>(dims[0].value);
    }
    return true;
}

/* ---- arithmetic ---- */

/* Symbols: a known result only where it is the same for every value. */
static number of_symbols(const std::string &name, const number &a, const number &b)
{
    bool same = is_symbol(a) && is_symbol(b) && a.symbol == b.symbol;
    bool by_one = b.known && b.value == 1.0;
    if ((name == "Mul" && by_one) || (name == "Div" && by_one) ||
        ((name == "Add" || name == "Sub") && b.known && b.value == 0.0)) {
        return a;
    }
    if ((name == "Mul" && a.known && a.value == 1.0) ||
        (name == "Add" && a.known && a.value == 0.0)) {
        return b;
    }
    if (same && (name == "Max" || name == "Min")) {
        return a;
    }
    if (same && (name == "Equal" || name == "Div" || name == "Sub")) {
        return known_number(name == "Sub" ? 0.0 : 1.0);
    }
    return unknown_number();
}

static bool divides(const std::string &name)
{
    return name == "Div" || name == "Mod";
}

static number of_two(const std::string &name, const number &a, const number &b, int dtype)
{
    if (!a.known || !b.known) {
        return of_symbols(name, a, b);
    }
    if (divides(name) && b.value == 0.0) {
        return unknown_number();
    }
    double x = a.value;
    double y = b.value;
    double value = name == "Add"              ? x + y
                   : name == "Sub"            ? x - y
                   : name == "Mul"            ? x * y
                   : name == "Div"            ? x / y
                   : name == "Mod"            ? x - std::floor(x / y) * y
                   : name == "Pow"            ? std::pow(x, y)
                   : name == "Min"            ? std::min(x, y)
                   : name == "Max"            ? std::max(x, y)
                   : name == "Equal"          ? x == y
                   : name == "Less"           ? x < y
                   : name == "LessOrEqual"    ? x <= y
                   : name == "Greater"        ? x > y
                   : name == "GreaterOrEqual" ? x >= y
                   : name == "And"            ? x != 0.0 && y != 0.0
                                              : x != 0.0 || y != 0.0; /* Or */
    return known_number(rounded(value, dtype));
}

static bool is_comparison(const std::string &name)
{
    static const std::set<std::string> all = {
        "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or"};
    return all.count(name) != 0;
}

static bool is_arithmetic(const std::string &name)
{
    static const std::set<std::string> all = {
        "Add", "Sub", "Mul", "Div", "Mod", "Pow", "Min", "Max"};
    return all.count(name) != 0;
}

static bool fold_two(const operation &op, content &out)
{
    const content *a = op.data(0);
    const content *b = op.n_inputs() == 2 ? op.data(1) : nullptr;
    const std::string &name = op.node.op_type();
    size_t count;
    if (a == nullptr || b == nullptr || op.integer("fmod", 0) != 0) {
        return false;
    }
    out.dtype = is_comparison(name) ? static_cast<int>(onnx::TensorProto::BOOL) : a->dtype;
    out.dims = a->dims;
    if (!broadcast_dims(*b, out.dims) || !count_of(out.dims, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        out.items.push_back(
            of_two(name, element_of(*a, out.dims, i), element_of(*b, out.dims, i), out.dtype));
    }
    return true;
}

static bool fold_where(const operation &op, content &out)
{
    const content *c = op.data(0);
    const content *a = op.data(1);
    const content *b = op.data(2);
    size_t count;
    if (c == nullptr || a == nullptr || b == nullptr) {
        return false;
    }
    out.dtype = a->dtype;
    out.dims = c->dims;
    if (!broadcast_dims(*a, out.dims) || !broadcast_dims(*b, out.dims) ||
        !count_of(out.dims, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const number &which = element_of(*c, out.dims, i);
        const number &yes = element_of(*a, out.dims, i);
        const number &no = element_of(*b, out.dims, i);
        out.items.push_back(!which.known ? unknown_number() : which.value != 0.0 ? yes : no);
    }
    return true;
}

static bool is_unary(const std::string &name)
{
    static const std::set<std::string> all = {
        "Cast", "Neg", "Abs", "Floor", "Ceil", "Round", "Sqrt", "Not", "Sign", "Identity"};
    return all.count(name) != 0;
}

static bool keeps_symbols(const std::string &name)
{
    static const std::set<std::string> all = {"Cast", "Abs", "Floor", "Ceil", "Round", "Identity"};
    return all.count(name) != 0;
}

static bool fold_one(const operation &op, content &out)
{
    const content *from = op.data(0);
    const std::string &name = op.node.op_type();
    if (from == nullptr) {
        return false;
    }
    out = *from;
    out.dtype = name == "Cast" ? static_cast<int>(op.integer("to", 0)) : from->dtype;
    for (auto &n : out.items) {
        double x = n.value;
        if (!n.known) {
            n = keeps_symbols(name) ? n : unknown_number();
            continue;
        }
        double value = name == "Neg"     ? -x
                       : name == "Abs"   ? std::fabs(x)
                       : name == "Floor" ? std::floor(x)
                       : name == "Ceil"  ? std::ceil(x)
                       : name == "Round" ? std::nearbyint(x)
                       : name == "Sqrt"  ? std::sqrt(x)
                       : name == "Not"   ? static_cast<double>(x == 0.0)
                       : name == "Sign"  ? static_cast<double>((x > 0.0) - (x < 0.0))
                                         : x;
        n = known_number(rounded(value, out.dtype));
    }
    return true;
}

static bool fold_range(const operation &op, content &out)
{
    const content *in[3] = {op.data(0), op.data(1), op.data(2)};
    double x[3];
    for (int i = 0; i < 3; i++) {
        if (in[i] == nullptr || in[i]->items.size() != 1u || !in[i]->items[0].known) {
            return false;
        }
        x[i] = in[i]->items[0].value;
    }
    double n = x[2] != 0.0 ? std::max(std::ceil((x[1] - x[0]) / x[2]), 0.0) : 0.0;
    if (!(n <= static_cast<double>(most_items))) {
        return false;
    }
    out.dtype = in[0]->dtype;
    for (double i = 0.0; i < n; i += 1.0) {
        out.items.push_back(known_number(rounded(x[0] + i * x[2], out.dtype)));
    }
    out.dims.push_back(static_cast<int64_t>(out.items.size()));
    return true;
}

/* Of all elements, as the number of elements is computed. */
static bool fold_reduce(const operation &op, content &out)
{
    const content *from = op.data(0);
    std::string two = op.node.op_type() == "ReduceProd"  ? "Mul"
                      : op.node.op_type() == "ReduceSum" ? "Add"
                      : op.node.op_type() == "ReduceMax" ? "Max"
                                                         : "Min";
    if (from == nullptr || from->dims.size() > 1u || from->items.empty() ||
        op.integer("noop_with_empty_axes", 0) != 0) {
        return false;
    }
    out.dtype = from->dtype;
    out.items.push_back(from->items[0]);
    for (size_t i = 1; i < from->items.size(); i++) {
        out.items[0] = of_two(two, out.items[0], from->items[i], out.dtype);
    }
    if (op.integer("keepdims", 1) != 0 && !from->dims.empty()) {
        out.dims.push_back(1);
    }
    return true;
}

/* Positions of elements that are not 0, a row per dimension. */
static bool fold_non_zero(const operation &op, content &out)
{
    const content *from = op.data(0);
    std::vector<size_t> at;
    if (from == nullptr || from->dims.empty()) {
        return false;
    }
    for (size_t i = 0; i < from->items.size(); i++) {
        if (!from->items[i].known) {
            return false;
        }
        if (from->items[i].value != 0.0) {
            at.push_back(i);
        }
    }
    size_t stride = from->items.size();
    out.dtype = onnx::TensorProto::INT64;
    out.dims.push_back(static_cast<int64_t>(from->dims.size()));
    out.dims.push_back(static_cast<int64_t>(at.size()));
    for (size_t k = 0; k < from->dims.size() && !at.empty(); k++) {
        stride /= static_cast<size_t>(from->dims[k]);
        for (size_t i : at) {
            size_t place = i / stride % static_cast<size_t>(from->dims[k]);
            out.items.push_back(known_number(static_cast<double>(place)));
        }
    }
    return out.items.size() <= most_items;
}

/* ---- all operators ---- */

typedef bool (*folder)(const operation &, content &);

static folder find_folder(const std::string &name)
{
    static const std::unordered_map<std::string, folder> all = {
        {"Constant", fold_constant},
        {"Shape", fold_shape},
        {"Size", fold_size},
        {"Gather", fold_gather},
        {"Concat", fold_concat},
        {"Slice", fold_slice},
        {"Reshape", fold_reshape},
        {"Squeeze", fold_reshape},
        {"Unsqueeze", fold_reshape},
        {"Flatten", fold_reshape},
        {"ConstantOfShape", fold_fill},
        {"Expand", fold_expand},
        {"Where", fold_where},
        {"Range", fold_range},
        {"ReduceProd", fold_reduce},
        {"ReduceSum", fold_reduce},
        {"ReduceMax", fold_reduce},
        {"ReduceMin", fold_reduce},
        {"NonZero", fold_non_zero},
    };
    auto at = all.find(name);
    return at != all.end()                              ? at->second
           : is_arithmetic(name) || is_comparison(name) ? fold_two
           : is_unary(name)                             ? fold_one
                                                        : nullptr;
}

void fold(const operation &op, std::vector<content> &out)
{
    content none = {0, std::vector<int64_t>(), std::vector<number>()};
    const std::string &name = op.node.op_type();
    bool done;
    out.assign(op.results.size(), none);
    if (out.empty()) {
        return;
    }
    if (name == "Split") {
        done = fold_split(op, out);
    } else {
        folder f = find_folder(name);
        done = f != nullptr && f(op, out[0]);
    }
    if (!done) {
        out.assign(op.results.size(), none);
    }
}

} // namespace onnx_front
