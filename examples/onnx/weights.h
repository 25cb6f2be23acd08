/* The bytes of large tensors stay in the file of a model: reading it skips them, and a part that is
 * written takes them from there. */
#ifndef GRAPHSPLIT_ONNX_WEIGHTS_H
#define GRAPHSPLIT_ONNX_WEIGHTS_H

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace onnx_front
{

/* The bytes of a model: an open file, or memory, which must outlive it. */
class store
{
  public:
    store() = default;
    store(const store &) = delete;
    store &operator=(const store &) = delete;
    ~store();

    /* `file` is closed with the store. The model begins at `start`. */
    void open_file(int file, uint64_t start, uint64_t size);
    void open_memory(const void *data, size_t size);
    uint64_t size() const
    {
        return size_;
    }

    /* Throws a failure if the file cannot be read, or has become shorter. */
    void get(uint64_t at, size_t n, char *to) const;

  private:
    int file_ = -1;
    const char *data_ = nullptr;
    uint64_t start_ = 0;
    uint64_t size_ = 0;
};

/* The model with a marker for the raw data of each initializer and Constant of more than `keep`
 * bytes. False if no half of the bytes is saved, or if they are no model. */
bool skip_weights(const store &from, size_t keep, std::string &out);

/* Whether the raw data of a tensor are a marker. */
bool is_skipped(const onnx::TensorProto &tensor);

/* The raw data of a tensor, those of a marker from the bytes of the model. */
std::string raw_data(const onnx::TensorProto &tensor, const store &weights);

/* A serialised model with its markers, in pieces, for the sizes before it is put together. */
struct woven {
    struct piece {
        const store *of; /* where it lies; NULL: it is text */
        uint64_t at;
        uint64_t n;
        std::string text;
    };
    std::vector<piece> pieces;
    uint64_t size;
};

/* The model without markers; `to` has room for `size` bytes. */
woven weave_weights(const store &model, const store &weights);
void put_woven(const woven &from, char *to);

} // namespace onnx_front

#endif
