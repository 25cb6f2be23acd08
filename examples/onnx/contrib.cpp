/* Types of results of the operators that ONNX Runtime writes into models that it has optimised
 * (com.microsoft and its neighbours; docs/ContribOperators.md of that project). The result has the
 * type of the first operand unless a rule here knows better. */
#include "examples/onnx/infer.h"

#include <algorithm>

namespace onnx_front
{

/* The rank of operand `of`, element type `dtype`. */
static void set_like(operation &op, int result, int dtype, int of)
{
    shape dims;
    if (op.dims(of, dims)) {
        op.set(result, dtype, dims);
    } else {
        op.set_dtype(result, dtype);
    }
}

/* ---- products ---- */

static void set_dtype_of_product(operation &op, int dtype)
{
    matrix_product(op);
    op.set_dtype(0, dtype);
}

static void product_of_integers(operation &op)
{
    int dtype = op.dtype(2); /* of the scale */
    set_dtype_of_product(op, dtype != 0 ? dtype : static_cast<int>(onnx::TensorProto::FLOAT));
}

static void dynamic_product(operation &op)
{
    set_dtype_of_product(op, op.dtype(0));
}

/* Packed weights: the last dimension is an attribute. */
static void packed_product(operation &op)
{
    shape out;
    if (op.dims(0, out) && !out.empty()) {
        out.back() = fixed(op.integer("N", -1));
        op.set(0, op.dtype(0), out);
    } else {
        op.set_dtype(0, op.dtype(0));
    }
}

static void gemm(operation &op, int a, int b, int dtype)
{
    shape x;
    shape y;
    if (!op.dims(a, x) || !op.dims(b, y) || x.size() != 2u || y.size() != 2u) {
        op.set_dtype(0, dtype);
        return;
    }
    shape out = {x[op.integer("transA", 0) != 0 ? 1 : 0], y[op.integer("transB", 0) != 0 ? 0 : 1]};
    op.set(0, dtype, out);
}

static void fused_gemm(operation &op)
{
    gemm(op, 0, 1, op.dtype(0));
}

static void quantized_gemm(operation &op)
{
    gemm(op, 0, 3, op.has_input(8) ? op.dtype(8) : static_cast<int>(onnx::TensorProto::FLOAT));
}

/* ---- images ---- */

/* Channels last outside, first inside. */
static shape to_first(shape dims)
{
    if (dims.size() > 2u) {
        std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
    }
    return dims;
}

static shape to_last(shape dims)
{
    if (dims.size() > 2u) {
        std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
    }
    return dims;
}

/* A rule of channels first for operands x and w. */
static void run_on(operation &op, int x, int w, bool channels_last, rule inner, int dtype)
{
    scope names = {nullptr, {}, {}};
    onnx::NodeProto node = op.node;
    shape in;
    if (!op.dims(x, in)) {
        op.set_dtype(0, dtype);
        return;
    }
    names.types["x"] = make_type(op.dtype(x), channels_last ? to_first(in) : in);
    if (op.type(w) != nullptr) {
        names.types["w"] = *op.type(w);
    }
    node.clear_input();
    node.add_input("x");
    node.add_input("w");
    operation plain(node, op.version, names);
    inner(plain);
    if (has_shape(&plain.results[0])) {
        shape out = shape_of(plain.results[0]);
        op.set(0, dtype, channels_last ? to_last(out) : out);
    } else {
        op.set_dtype(0, dtype);
    }
}

static void convolution_of_last(operation &op)
{
    run_on(op, 0, 1, true, convolution, op.dtype(0));
}

static void pool_of_last(operation &op)
{
    run_on(op, 0, 1, true, find_rule("MaxPool"), op.dtype(0));
}

static void quantized_convolution(operation &op)
{
    run_on(op, 0, 3, op.integer("channels_last", 0) != 0, convolution, op.dtype(7));
}

static void quantized_pool(operation &op)
{
    if (op.integer("channels_last", 0) != 0) {
        pool_of_last(op);
    } else {
        find_rule("AveragePool")(op);
    }
}

static void global_pool(operation &op)
{
    shape out;
    bool last = op.integer("channels_last", 0) != 0;
    if (!op.dims(0, out) || out.size() < 2u) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    for (size_t i = last ? 1u : 2u; i < out.size() - (last ? 1u : 0u); i++) {
        out[i] = fixed(1);
    }
    op.set(0, op.dtype(0), out);
}

static void reorder_output(operation &op)
{
    shape out;
    if (!op.dims(0, out) || out.size() < 2u) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    out[1] = fixed(op.integer("channels", -1));
    op.set(0, op.dtype(0), op.integer("channels_last", 0) != 0 ? to_last(out) : out);
}

static void reorder_input(operation &op)
{
    shape out;
    if (op.dims(0, out)) {
        op.set(0, op.dtype(0), op.integer("channels_last", 0) != 0 ? to_first(out) : out);
    }
}

/* ---- quantised elements ---- */

static void quantized_two(operation &op)
{
    shape a;
    shape b;
    if (op.dims(0, a) && op.dims(3, b)) {
        op.set(0, op.dtype(0), broadcast(a, b));
    } else {
        op.set_dtype(0, op.dtype(0));
    }
}

static void quantized_concat(operation &op)
{
    shape out;
    shape more;
    int64_t axis = op.dims(2, out) ? axis_of(op.integer("axis", 0), out.size()) : -1;
    for (int i = 5; axis >= 0 && i < op.n_inputs(); i += 3) {
        extent &d = out[static_cast<size_t>(axis)];
        if (!op.dims(i, more) || more.size() != out.size()) {
            axis = -1;
            break;
        }
        const extent &e = more[static_cast<size_t>(axis)];
        d = fixed(d.value >= 0 && e.value >= 0 ? d.value + e.value : -1);
    }
    if (axis >= 0) {
        op.set(0, op.dtype(2), out);
    } else {
        op.set_dtype(0, op.dtype(2));
    }
}

/* ---- transformers ---- */

static void skip_normalization(operation &op)
{
    shape out;
    same_as_first(op);
    set_like(op, 3, op.dtype(0), 0);
    if (op.dims(0, out) && !out.empty()) {
        out.back() = fixed(1);
        op.set(1, onnx::TensorProto::FLOAT, out);
        op.set(2, onnx::TensorProto::FLOAT, out);
    }
}

static void embed_normalization(operation &op)
{
    shape ids;
    shape table;
    if (op.dims(0, ids) && ids.size() == 2u && op.dims(2, table) && table.size() == 2u) {
        shape out = {ids[0], ids[1], table[1]};
        op.set(0, op.dtype(2), out);
        op.set(1, onnx::TensorProto::INT32, shape(1, ids[0]));
        op.set(2, op.dtype(2), out);
    } else {
        op.set_dtype(0, op.dtype(2));
        op.set_dtype(1, onnx::TensorProto::INT32);
    }
}

/* Input [batch, length, hidden], weights [hidden, queries + keys + values]. */
static void self_attention(operation &op)
{
    std::vector<int64_t> sizes;
    shape in;
    shape weight;
    int64_t heads = op.integer("num_heads", 0);
    bool listed = op.integers(-1, "qkv_hidden_sizes", sizes) && sizes.size() == 3u;
    if (!op.dims(0, in) || in.size() != 3u) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    bool known = op.dims(1, weight) && weight.size() == 2u && weight[1].value >= 0;
    shape out = in;
    out[2] = fixed(listed ? sizes[2] : known ? weight[1].value / 3 : -1);
    op.set(0, op.dtype(0), out);
    shape present = {fixed(2), in[0], fixed(heads), op.has_input(4) ? unknown_extent() : in[1],
        fixed(out[2].value >= 0 && heads > 0 ? out[2].value / heads : -1)};
    op.set(1, op.dtype(0), present);
}

static void multi_head_attention(operation &op)
{
    shape q;
    shape v;
    if (op.has_input(1) && op.has_input(2) && op.dims(0, q) && op.dims(2, v) && q.size() == 3u &&
        v.size() == 4u) { /* keys and values in heads already */
        q.back() = fixed(v[1].value >= 0 && v[3].value >= 0 ? v[1].value * v[3].value : -1);
        op.set(0, op.dtype(0), q);
        set_like(op, 1, op.dtype(0), 1);
        set_like(op, 2, op.dtype(0), 2);
        return;
    }
    same_as_first(op);
    if (op.dims(0, q) && q.size() == 3u && op.dims(2, v) && v.size() == 3u) {
        q.back() = v.back();
        op.set(0, op.dtype(0), q);
    }
}

/* The caches keep the length that they have. */
static void grouped_attention(operation &op)
{
    shape q;
    int64_t heads = op.integer("num_heads", 0);
    int64_t shared = op.integer("kv_num_heads", 0);
    same_as_first(op);
    if (op.dims(0, q) && q.size() == 3u && !op.has_input(1) && heads + shared > 0) {
        int64_t all = q.back().value; /* queries, keys and values in one */
        q.back() = fixed(all >= 0 ? all / (heads + 2 * shared) * heads : -1);
        op.set(0, op.dtype(0), q);
    }
    for (int k = 1; k < 3; k++) {
        shape past;
        if (op.dims(k + 2, past) && past.size() == 4u) {
            past[2] = unknown_extent();
            op.set(k, op.dtype(0), past);
        } else {
            op.set_dtype(k, op.dtype(0));
        }
    }
}

static void bias_split(operation &op)
{
    shape out;
    if (op.dims(0, out) && !out.empty()) {
        out.back() = fixed(out.back().value >= 0 ? out.back().value / 2 : -1);
        op.set(0, op.dtype(0), out);
    }
}

static void with_mask(operation &op)
{
    same_as_first(op);
    set_like(op, 1, onnx::TensorProto::BOOL, 0);
}

static void recurrence(operation &op)
{
    shape in;
    int64_t ways = op.text("direction", "forward") == "bidirectional" ? 2 : 1;
    extent hidden = fixed(op.integer("hidden_size", -1));
    if (!op.dims(0, in) || in.size() != 3u) {
        op.set_dtype(0, op.dtype(0));
        return;
    }
    shape all = {in[0], fixed(ways), in[1], hidden};
    shape last = {fixed(ways), in[1], hidden};
    op.set(0, op.dtype(0), all);
    op.set(1, op.dtype(0), last);
    op.set(2, op.dtype(0), last);
}

static void expand_axis(operation &op)
{
    std::vector<int64_t> axis;
    shape out;
    if (op.dims(0, out) && op.integers(1, "", axis) && axis.size() == 1u &&
        axis_of(axis[0], out.size() + 1u) >= 0) {
        auto at = axis_of(axis[0], out.size() + 1u);
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), fixed(1));
        op.set(0, op.dtype(0), out);
    } else {
        op.set_dtype(0, op.dtype(0));
    }
}

/* ---- all operators ---- */

rule find_contrib_rule(const std::string &op_type)
{
    static const std::unordered_map<std::string, rule> all = {
        {"Attention", self_attention},
        {"BiasAdd", same_as_first},
        {"BiasDropout", with_mask},
        {"BiasSplitGelu", bias_split},
        {"BiasGelu", same_as_first},
        {"BitmaskDropout", with_mask},
        {"Conv", convolution},
        {"DynamicQuantizeLSTM", recurrence},
        {"DynamicQuantizeMatMul", dynamic_product},
        {"EmbedLayerNormalization", embed_normalization},
        {"ExpandDims", expand_axis},
        {"FastGelu", same_as_first},
        {"FusedConv", convolution},
        {"FusedGemm", fused_gemm},
        {"FusedMatMul", matrix_product},
        {"FusedMatMulActivation", matrix_product},
        {"Gelu", same_as_first},
        {"GemmFastGelu", matrix_product},
        {"GlobalAveragePool", global_pool},
        {"GlobalMaxPool", global_pool},
        {"GroupQueryAttention", grouped_attention},
        {"MatMulBnb4", packed_product},
        {"MatMulFpQ4", packed_product},
        {"MatMulIntegerToFloat", product_of_integers},
        {"MatMulNBits", packed_product},
        {"MultiHeadAttention", multi_head_attention},
        {"NhwcConv", convolution_of_last},
        {"NhwcFusedConv", convolution_of_last},
        {"NhwcMaxPool", pool_of_last},
        {"QAttention", self_attention},
        {"QGemm", quantized_gemm},
        {"QLinearAdd", quantized_two},
        {"QLinearAveragePool", quantized_pool},
        {"QLinearConcat", quantized_concat},
        {"QLinearConv", quantized_convolution},
        {"QLinearGlobalAveragePool", global_pool},
        {"QLinearLeakyRelu", same_as_first},
        {"QLinearMul", quantized_two},
        {"QLinearSigmoid", same_as_first},
        {"QuickGelu", same_as_first},
        {"ReorderInput", reorder_input},
        {"ReorderOutput", reorder_output},
        {"SkipLayerNormalization", skip_normalization},
        {"SkipSimplifiedLayerNormalization", skip_normalization},
        {"SparseToDenseMatMul", matrix_product},
        {"TransposeMatMul", matrix_product},
    };
    auto at = all.find(op_type);
    return at != all.end() ? at->second : nullptr;
}

} // namespace onnx_front
