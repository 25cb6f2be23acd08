/* Walks the wire format of protocol buffers, in which a model is a tree of fields, and replaces raw
 * data by markers, or markers by raw data. The lengths of the messages around them change. */
#include "examples/onnx/weights.h"

#include "examples/onnx/model.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace onnx_front
{

/* ---- where bytes lie ---- */

store::~store()
{
    if (file_ >= 0) {
        (void)close(file_);
    }
}

void store::open_file(int file, uint64_t start, uint64_t size)
{
    file_ = file;
    start_ = start;
    size_ = size;
}

void store::open_memory(const void *data, size_t size)
{
    data_ = static_cast<const char *>(data);
    size_ = size;
}

void store::get(uint64_t at, size_t n, char *to) const
{
    if (at > size_ || n > size_ - at) {
        throw failure(GSP_STATUS_DAMAGED, "the model ends within its weights");
    }
    if (data_ != nullptr) {
        memcpy(to, data_ + at, n);
        return;
    }
    for (size_t done = 0; done < n;) {
        ssize_t const got =
            pread(file_, to + done, n - done, static_cast<off_t>(start_ + at + done));
        if (got <= 0) {
            throw failure(GSP_STATUS_COUNT,
                got < 0 ? std::string("cannot read the weights of the model: ") + strerror(errno)
                        : "cannot read the weights of the model: its file has become shorter");
        }
        done += static_cast<size_t>(got);
    }
}

/* ---- markers ---- */

static const char magic[] = "graphsplit: raw data";
static const size_t marker_size = sizeof magic + 16u; /* odd, so no shape has as many bytes */

static std::string marker(uint64_t at, uint64_t n)
{
    std::string out(magic, sizeof magic);
    for (uint64_t number : {at, n}) {
        for (int i = 0; i < 8; i++) {
            out += static_cast<char>(number >> 8 * i & 255u);
        }
    }
    return out;
}

static uint64_t number_at(const std::string &text, size_t at)
{
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--) {
        number = number << 8 | static_cast<unsigned char>(text[at + static_cast<size_t>(i)]);
    }
    return number;
}

static bool is_marker(const std::string &raw)
{
    return raw.size() == marker_size && memcmp(raw.data(), magic, sizeof magic) == 0;
}

bool is_skipped(const onnx::TensorProto &tensor)
{
    return is_marker(tensor.raw_data());
}

std::string raw_data(const onnx::TensorProto &tensor, const store &weights)
{
    const std::string &raw = tensor.raw_data();
    if (!is_marker(raw)) {
        return raw;
    }
    std::string out(static_cast<size_t>(number_at(raw, sizeof magic + 8u)), '\0');
    weights.get(number_at(raw, sizeof magic), out.size(), &out[0]);
    return out;
}

/* ---- the walk ---- */

enum message { MODEL, GRAPH, FUNCTION, NODE, ATTRIBUTE, SPARSE, TENSOR, RAW, LEAF };

/* The messages on the way to raw data, by number of their field. Attributes are those of Constant:
 * of other operators equal tensors must remain equal bytes. */
static message message_at(message in, uint64_t field)
{
    static const struct {
        message in;
        uint64_t field;
        message is;
    } table[] = {{MODEL, 7, GRAPH}, {MODEL, 25, FUNCTION}, {GRAPH, 1, NODE}, {GRAPH, 5, TENSOR},
        {GRAPH, 15, SPARSE}, {FUNCTION, 7, NODE}, {NODE, 5, ATTRIBUTE}, {ATTRIBUTE, 5, TENSOR},
        {SPARSE, 1, TENSOR}, {SPARSE, 2, TENSOR}, {TENSOR, 9, RAW}};
    for (const auto &row : table) {
        if (row.in == in && row.field == field) {
            return row.is;
        }
    }
    return LEAF;
}

struct no_model {
};

struct field {
    uint64_t begin; /* of its tag */
    uint64_t value; /* behind its length */
    uint64_t end;
    uint64_t number;
    bool has_length;
};

class walker
{
  public:
    walker(const store &in, const store *weights, uint64_t keep, woven &out)
        : in_(in), weights_(weights), keep_(keep), out_(out)
    {
    }

    uint64_t walk(message is, uint64_t at, uint64_t end)
    {
        uint64_t size = 0;
        if (is == NODE && !is_constant(at, end)) {
            return copy(at, end);
        }
        while (at < end) {
            field const f = next(at, end);
            message const inner = f.has_length ? message_at(is, f.number) : LEAF;
            size += inner == LEAF ? copy(f.begin, f.end) : inner == RAW ? raw(f) : nested(inner, f);
            at = f.end;
        }
        return size;
    }

  private:
    const store &in_;
    const store *weights_; /* NULL: markers are made */
    uint64_t keep_;
    woven &out_;
    char window_[4096];
    uint64_t window_at_ = 0;
    uint64_t window_size_ = 0;

    unsigned byte(uint64_t at, uint64_t end)
    {
        if (at >= end) {
            throw no_model();
        }
        if (at - window_at_ >= window_size_) {
            window_at_ = at;
            window_size_ = std::min<uint64_t>(sizeof window_, in_.size() - at);
            in_.get(at, static_cast<size_t>(window_size_), window_);
        }
        return static_cast<unsigned char>(window_[at - window_at_]);
    }

    uint64_t varint(uint64_t &at, uint64_t end)
    {
        uint64_t number = 0;
        unsigned bits = 128;
        for (unsigned shift = 0; (bits & 128u) != 0; shift += 7u) {
            if (shift >= 64u) {
                throw no_model();
            }
            bits = byte(at++, end);
            number |= static_cast<uint64_t>(bits & 127u) << shift;
        }
        return number;
    }

    field next(uint64_t at, uint64_t end)
    {
        field f = {at, 0, 0, 0, false};
        uint64_t const tag = varint(at, end);
        uint64_t n = 0;
        switch (tag & 7u) {
        case 0:
            (void)varint(at, end);
            break;
        case 1:
            n = 8;
            break;
        case 2:
            n = varint(at, end);
            f.has_length = true;
            break;
        case 5:
            n = 4;
            break;
        default:
            throw no_model();
        }
        if (n > end - at) {
            throw no_model();
        }
        f.number = tag >> 3;
        f.value = at;
        f.end = at + n;
        return f;
    }

    bool is(const field &f, const char *text)
    {
        uint64_t const n = strlen(text);
        uint64_t i = 0;
        while (i < n && f.end - f.value == n &&
               byte(f.value + i, f.end) == static_cast<unsigned char>(text[i])) {
            i++;
        }
        return i == n && f.end - f.value == n;
    }

    bool is_constant(uint64_t at, uint64_t end)
    {
        bool constant = false;
        bool standard = true;
        while (at < end) {
            field const f = next(at, end);
            constant = f.number == 4u ? is(f, "Constant") : constant;
            standard = f.number == 7u ? is(f, "") || is(f, "ai.onnx") : standard;
            at = f.end;
        }
        return constant && standard;
    }

    uint64_t put(const store *of, uint64_t at, uint64_t n, const std::string &text)
    {
        woven::piece const p = {of, at, n, text};
        out_.pieces.push_back(p);
        return n;
    }

    uint64_t copy(uint64_t at, uint64_t end)
    {
        if (!out_.pieces.empty()) {
            woven::piece &last = out_.pieces.back();
            if (last.of == &in_ && last.at + last.n == at) {
                last.n += end - at;
                return end - at;
            }
        }
        return put(&in_, at, end - at, "");
    }

    uint64_t put_text(const std::string &text)
    {
        return put(nullptr, 0, text.size(), text);
    }

    static std::string head(uint64_t number, uint64_t size)
    {
        std::string out;
        uint64_t const tag = number << 3 | 2u;
        for (uint64_t rest : {tag, size}) {
            for (; rest >= 128u; rest >>= 7) {
                out += static_cast<char>((rest & 127u) | 128u);
            }
            out += static_cast<char>(rest);
        }
        return out;
    }

    uint64_t nested(message is, const field &f)
    {
        size_t const at = out_.pieces.size();
        (void)put_text("");
        uint64_t const size = walk(is, f.value, f.end);
        woven::piece &before = out_.pieces[at];
        before.text = head(f.number, size);
        before.n = before.text.size();
        return before.n + size;
    }

    uint64_t raw(const field &f)
    {
        uint64_t const n = f.end - f.value;
        std::string text(n == marker_size ? marker_size : 0u, '\0');
        if (weights_ == nullptr) {
            return n > keep_ || n == marker_size
                       ? put_text(head(f.number, marker_size) + marker(f.value, n))
                       : copy(f.begin, f.end);
        }
        if (n == marker_size) {
            in_.get(f.value, marker_size, &text[0]);
        }
        if (!is_marker(text)) {
            return copy(f.begin, f.end);
        }
        uint64_t const from = number_at(text, sizeof magic);
        uint64_t const size = number_at(text, sizeof magic + 8u);
        return put_text(head(f.number, size)) + put(weights_, from, size, "");
    }
};

bool skip_weights(const store &from, size_t keep, std::string &out)
{
    woven made;
    try {
        made.size = walker(from, nullptr, keep, made).walk(MODEL, 0, from.size());
    } catch (const no_model &) {
        return false;
    }
    if (made.size > from.size() / 2u) {
        return false;
    }
    out.resize(static_cast<size_t>(made.size));
    put_woven(made, &out[0]);
    return true;
}

woven weave_weights(const store &model, const store &weights)
{
    woven made;
    made.size = walker(model, &weights, 0, made).walk(MODEL, 0, model.size());
    return made;
}

void put_woven(const woven &from, char *to)
{
    for (const auto &p : from.pieces) {
        if (p.of != nullptr) {
            p.of->get(p.at, static_cast<size_t>(p.n), to);
        } else {
            memcpy(to, p.text.data(), p.text.size());
        }
        to += p.n;
    }
}

} // namespace onnx_front
