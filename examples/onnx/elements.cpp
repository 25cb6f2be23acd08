/* The elements of a constant, as the file has them in any of its forms. */
#include "examples/onnx/model.h"

#include <cstring>
#include <fstream>

namespace onnx_front
{

/* Raw data has the same bytes: an integer that is narrower than its list, or a float. */
template <typename List> static std::string of_integers(const List &list, size_t width)
{
    std::string out;
    for (auto item : list) {
        uint64_t const bits = static_cast<uint64_t>(item);
        for (size_t i = 0; i < width; i++) {
            out += static_cast<char>(bits >> 8u * i & 255u);
        }
    }
    return out;
}

template <typename Bits, typename List> static std::string of_floats(const List &list)
{
    std::vector<Bits> all;
    for (auto item : list) {
        Bits bits;
        static_assert(sizeof bits == sizeof item, "bits of a float");
        std::memcpy(&bits, &item, sizeof bits);
        all.push_back(bits);
    }
    return of_integers(all, sizeof(Bits));
}

static std::string of_external(const model &m, const onnx::TensorProto &tensor)
{
    external_copy const from = find_external(m, tensor);
    std::string out(static_cast<size_t>(from.there ? from.size : 0u), '\0');
    std::ifstream file(from.path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(from.offset));
    if (!from.there || !file.read(&out[0], static_cast<std::streamsize>(out.size()))) {
        throw failure(GSP_STATUS_DAMAGED, m.path + ": cannot read the bytes of '" + tensor.name() +
                                              "' in " + from.path +
                                              ": the file is missing or too short");
    }
    return out;
}

/* Lists have a field per type, and one for the narrow ones. */
static std::string of_lists(const onnx::TensorProto &t)
{
    switch (t.data_type()) {
    case onnx::TensorProto::FLOAT:
        return of_floats<uint32_t>(t.float_data());
    case onnx::TensorProto::DOUBLE:
        return of_floats<uint64_t>(t.double_data());
    case onnx::TensorProto::INT64:
        return of_integers(t.int64_data(), 8);
    case onnx::TensorProto::UINT64:
        return of_integers(t.uint64_data(), 8);
    case onnx::TensorProto::UINT32:
        return of_integers(t.uint64_data(), 4);
    case onnx::TensorProto::INT32:
        return of_integers(t.int32_data(), 4);
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::UINT16:
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
        return of_integers(t.int32_data(), 2);
    default:
        return of_integers(t.int32_data(), 1);
    }
}

const onnx::TensorProto &find_elements(const model &m, const std::string &tensor)
{
    auto const at = m.initializers.find(tensor);
    const onnx::TensorProto *found = at != m.initializers.end() ? at->second : nullptr;
    auto const made = m.consts.find(tensor);
    if (found == nullptr && made != m.consts.end() && made->second.tensor != nullptr &&
        made->second.node >= 0) {
        found = &m.graph().node(made->second.node).attribute(0).t();
    }
    if (found == nullptr) {
        throw failure(GSP_STATUS_ARG,
            m.path + ": the file has no elements of '" + tensor + "', which is filled or sparse");
    }
    return *found;
}

std::string elements_of(const model &m, const onnx::TensorProto &tensor)
{
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
        return of_external(m, tensor);
    }
    if (!tensor.has_raw_data()) {
        return of_lists(tensor);
    }
    return m.skipped ? raw_data(tensor, m.bytes) : tensor.raw_data();
}

} // namespace onnx_front
