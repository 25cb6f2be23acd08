/* Reads a model: its bytes, its types, its constants. */
#include "examples/onnx/infer.h"

#include <onnx/checker.h>
#include <onnx/defs/schema.h>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <limits>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace onnx_front
{

/* Larger tensors are of no use to shape inference. */
const size_t small_tensor = 8192u;

/* Seconds that a library call may take per file. */
const unsigned patience = 120u;
static const char too_late[] = "it takes too long";

/* Operators of a model on which a library may crash; each takes a process. */
const size_t most_left_out = 32u;

/* ---- work in a process of its own ---- */

static void write_all(int to, const std::string &bytes)
{
    size_t done = 0;
    while (done < bytes.size()) {
        ssize_t n = write(to, bytes.data() + done, bytes.size() - done);
        if (n <= 0) {
            _exit(1);
        }
        done += static_cast<size_t>(n);
    }
}

static void work_apart(const std::function<void(std::string &out)> &work, int to)
{
    std::string out;
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        (void)dup2(nowhere, 2);
    }
    alarm(patience);
    try {
        work(out);
        out.insert(out.begin(), '+');
    } catch (const std::exception &e) {
        out = std::string("-") + e.what();
    } catch (...) {
        out = "-";
    }
    write_all(to, out);
    _exit(0);
}

static void read_all(int from, std::string &out)
{
    char buffer[65536];
    ssize_t n;
    while ((n = read(from, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)) {
        if (n > 0) {
            out.append(buffer, static_cast<size_t>(n));
        }
    }
}

/* One line of the message of a library. */
static std::string first_line(const std::string &text)
{
    return text.substr(0, text.find('\n'));
}

bool apart(const std::function<void(std::string &out)> &work, std::string &out, std::string &why)
{
    int ends[2];
    int state = 0;
    pid_t child;
    out.clear();
    if (pipe(ends) != 0) {
        why = std::string("there is no pipe: ") + strerror(errno);
        return false;
    }
    child = fork();
    if (child == 0) {
        close(ends[0]);
        work_apart(work, ends[1]);
    }
    close(ends[1]);
    if (child > 0) {
        read_all(ends[0], out);
        while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[0]);
    if (child < 0) {
        why = std::string("there is no process: ") + strerror(errno);
        return false;
    }
    if (out.empty()) {
        bool late = WIFSIGNALED(state) && WTERMSIG(state) == SIGALRM;
        why = late ? too_late : "it crashes on this model";
        return false;
    }
    if (out[0] == '-') {
        why = first_line(out.substr(1));
        return false;
    }
    out.erase(0, 1);
    return true;
}

/* ---- what a graph says ---- */

bool read_integers(const onnx::TensorProto &tensor, std::vector<int64_t> &out)
{
    const std::string &raw = tensor.raw_data();
    bool wide = tensor.data_type() == onnx::TensorProto::INT64;
    size_t size = wide ? 8u : 4u;
    out.clear();
    if ((!wide && tensor.data_type() != onnx::TensorProto::INT32) ||
        tensor.data_location() == onnx::TensorProto::EXTERNAL || raw.size() > small_tensor ||
        is_skipped(tensor)) {
        return false;
    }
    if (!tensor.has_raw_data()) {
        if (wide) {
            out.assign(tensor.int64_data().begin(), tensor.int64_data().end());
        } else {
            out.assign(tensor.int32_data().begin(), tensor.int32_data().end());
        }
        return out.size() <= small_tensor;
    }
    for (size_t i = 0; i + size <= raw.size(); i += size) {
        uint64_t bits = 0;
        for (size_t k = size; k > 0; k--) {
            bits = bits << 8 | static_cast<unsigned char>(raw[i + k - 1u]);
        }
        out.push_back(
            wide ? static_cast<int64_t>(bits) : static_cast<int64_t>(static_cast<int32_t>(bits)));
    }
    return true;
}

static constant make_constant(const onnx::TensorProto &tensor, int node)
{
    constant c = {&tensor, node, std::vector<int64_t>(), tensor.data_type()};
    c.dims.assign(tensor.dims().begin(), tensor.dims().end());
    return c;
}

/* Some files store a weight as a fill of a fixed shape. */
static bool make_fill(const onnx::NodeProto &node, int index, const constants &known, constant &out)
{
    auto shape = known.find(node.input(0));
    if (shape == known.end() || shape->second.tensor == nullptr ||
        !read_integers(*shape->second.tensor, out.dims)) {
        return false;
    }
    for (int64_t d : out.dims) {
        if (d < 0) {
            return false;
        }
    }
    out.tensor = nullptr;
    out.node = index;
    out.dtype = onnx::TensorProto::FLOAT;
    if (node.attribute_size() > 0 && node.attribute(0).has_t()) {
        out.dtype = node.attribute(0).t().data_type();
    }
    return true;
}

constants find_constants(const onnx::GraphProto &graph)
{
    constants out;
    for (const auto &tensor : graph.initializer()) {
        out[tensor.name()] = make_constant(tensor, -1);
    }
    for (const auto &sparse : graph.sparse_initializer()) {
        constant c = {nullptr, -1, std::vector<int64_t>(), sparse.values().data_type()};
        c.dims.assign(sparse.dims().begin(), sparse.dims().end());
        out[sparse.values().name()] = c;
    }
    for (int i = 0; i < graph.node_size(); i++) {
        const onnx::NodeProto &node = graph.node(i);
        constant fill;
        if (node.output_size() != 1 || node.output(0).empty() ||
            !(node.domain().empty() || node.domain() == "ai.onnx")) {
            continue;
        }
        if (node.op_type() == "Constant" && node.attribute_size() > 0 &&
            node.attribute(0).name() == "value" && node.attribute(0).has_t()) {
            out[node.output(0)] = make_constant(node.attribute(0).t(), i);
        } else if (node.op_type() == "ConstantOfShape" && node.input_size() == 1 &&
                   make_fill(node, i, out, fill)) {
            out[node.output(0)] = fill;
        }
    }
    return out;
}

void find_types(const onnx::GraphProto &graph, types &out)
{
    for (const auto &v : graph.value_info()) {
        out[v.name()] = &v.type();
    }
    for (const auto &v : graph.input()) {
        out[v.name()] = &v.type();
    }
    for (const auto &v : graph.output()) {
        out[v.name()] = &v.type();
    }
}

void captured(const onnx::GraphProto &body, const std::function<bool(const std::string &)> &known,
    std::vector<std::string> &out)
{
    std::unordered_set<std::string> inner;
    std::function<bool(const std::string &)> outside = [&](const std::string &name) {
        return !name.empty() && inner.count(name) == 0 && known(name);
    };
    for (const auto &v : body.input()) {
        inner.insert(v.name());
    }
    for (const auto &t : body.initializer()) {
        inner.insert(t.name());
    }
    for (const auto &t : body.sparse_initializer()) {
        inner.insert(t.values().name());
    }
    for (const auto &node : body.node()) {
        inner.insert(node.output().begin(), node.output().end());
    }
    for (const auto &node : body.node()) {
        for (const auto &name : node.input()) {
            if (outside(name)) {
                out.push_back(name);
            }
        }
        for (const auto &a : node.attribute()) {
            if (a.has_g()) {
                captured(a.g(), outside, out);
            }
            for (const auto &g : a.graphs()) {
                captured(g, outside, out);
            }
        }
    }
    for (const auto &v : body.output()) {
        if (outside(v.name())) {
            out.push_back(v.name());
        }
    }
}

/* ---- types of everything ---- */

static void strip(onnx::TensorProto &tensor)
{
    if (tensor.ByteSizeLong() > small_tensor || is_skipped(tensor)) {
        tensor.clear_raw_data();
        tensor.clear_float_data();
        tensor.clear_int32_data();
        tensor.clear_int64_data();
        tensor.clear_double_data();
        tensor.clear_uint64_data();
        tensor.clear_string_data();
    }
}

static void strip(onnx::GraphProto &graph)
{
    for (auto &tensor : *graph.mutable_initializer()) {
        strip(tensor);
    }
    for (auto &sparse : *graph.mutable_sparse_initializer()) {
        strip(*sparse.mutable_values());
        strip(*sparse.mutable_indices());
    }
    for (auto &node : *graph.mutable_node()) {
        for (auto &a : *node.mutable_attribute()) {
            if (a.has_t()) {
                strip(*a.mutable_t());
            }
            if (a.has_g()) {
                strip(*a.mutable_g());
            }
            for (auto &g : *a.mutable_graphs()) {
                strip(g);
            }
        }
    }
}

/* Bits of an element; 0 if of no fixed size. */
static uint64_t bits_of(int dtype)
{
    static const unsigned char bits[] = {
        0, 32, 8, 8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64, 64, 128, 16, 8, 8, 8, 8, 4, 4};
    return dtype >= 0 && dtype < static_cast<int>(sizeof bits) ? bits[dtype] : 0;
}

/* Bytes of a tensor; UINT64_MAX if unknown, or too many. */
static uint64_t bytes_of(const onnx::TensorProto &tensor)
{
    uint64_t bits = bits_of(tensor.data_type());
    uint64_t n = 1;
    for (int64_t d : tensor.dims()) {
        if (d < 0 || (d > 0 && n > (UINT64_MAX >> 7) / static_cast<uint64_t>(d))) {
            return UINT64_MAX;
        }
        n *= static_cast<uint64_t>(d);
    }
    return bits != 0 ? (n * bits + 7u) / 8u : UINT64_MAX;
}

/* Links may lead only to what lies in the folder of the model. */
static bool leads_out(const std::string &dir, const std::string &path)
{
    char *folder = realpath(dir.empty() ? "." : dir.c_str(), nullptr);
    char *file = realpath(path.c_str(), nullptr);
    std::string inside = folder != nullptr ? folder : "";
    inside += inside == "/" ? "" : "/";
    bool out = file != nullptr && std::string(file).compare(0, inside.size(), inside) != 0;
    free(folder);
    free(file);
    return out;
}

external_copy find_external(const model &m, const onnx::TensorProto &tensor)
{
    external_copy out = {"", 0, 0, false};
    struct stat about;
    uint64_t file = 0;
    uint64_t most = bytes_of(tensor);
    std::string location;
    bool sized = false;
    for (const auto &entry : tensor.external_data()) {
        if (entry.key() == "location") {
            location = entry.value();
        } else if (entry.key() == "offset") {
            out.offset = strtoull(entry.value().c_str(), nullptr, 10);
        } else if (entry.key() == "length") {
            out.size = strtoull(entry.value().c_str(), nullptr, 10);
            sized = true;
        }
    }
    out.path = m.dir + location;
    if (location.empty() || location[0] == '/' || location.find('\0') != std::string::npos ||
        ("/" + location + "/").find("/../") != std::string::npos || leads_out(m.dir, out.path)) {
        throw failure(GSP_STATUS_DAMAGED,
            m.path + ": the bytes of '" + tensor.name() + "' lie in '" + location +
                "', which is no file in the folder of the model or below");
    }
    if (stat(out.path.c_str(), &about) == 0) {
        if (!S_ISREG(about.st_mode)) {
            throw failure(GSP_STATUS_DAMAGED, m.path + ": the bytes of '" + tensor.name() +
                                                  "' lie in '" + location + "', which is no file");
        }
        file = static_cast<uint64_t>(about.st_size);
    }
    if (!sized) {
        out.size = file > out.offset ? file - out.offset : 0;
    }
    out.there = most == UINT64_MAX || out.size >= most;
    out.size = std::min(out.size, most);
    out.there = out.there && file != 0 && out.offset <= file && out.size <= file - out.offset;
    return out;
}

/* Small integers in the external file are shapes that inference needs. */
static void take_in_shapes(const model &m, onnx::GraphProto &graph)
{
    for (auto &tensor : *graph.mutable_initializer()) {
        uint64_t size = 1;
        if (tensor.data_location() != onnx::TensorProto::EXTERNAL ||
            tensor.data_type() != onnx::TensorProto::INT64) {
            continue;
        }
        for (int64_t d : tensor.dims()) {
            size = d >= 0 && d <= 1024 && size <= 1024 ? size * static_cast<uint64_t>(d) : 1025u;
        }
        external_copy from = find_external(m, tensor);
        std::ifstream file(from.path, std::ios::binary);
        std::string bytes(static_cast<size_t>(size <= 1024u ? size * 8u : 0u), '\0');
        if (bytes.empty() || !file.seekg(static_cast<std::streamoff>(from.offset)) ||
            !file.read(&bytes[0], static_cast<std::streamsize>(bytes.size()))) {
            continue;
        }
        tensor.set_raw_data(bytes);
        tensor.clear_external_data();
        tensor.clear_data_location();
    }
}

/* The first line of a text, without it. */
static std::string take_line(std::string &text)
{
    size_t end = text.find('\n');
    std::string line = text.substr(0, end);
    text.erase(0, end == std::string::npos ? end : end + 1u);
    return line;
}

/* A word that processes share; NULL if there is none. */
class shared_word
{
  public:
    shared_word()
        : at_(mmap(
              nullptr, sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
    {
    }
    ~shared_word()
    {
        if (at_ != MAP_FAILED) {
            (void)munmap(at_, sizeof(uint32_t));
        }
    }
    shared_word(const shared_word &) = delete;
    shared_word &operator=(const shared_word &) = delete;

    volatile uint32_t *at() const
    {
        return at_ != MAP_FAILED ? static_cast<volatile uint32_t *>(at_) : nullptr;
    }

  private:
    void *at_;
};

/* What is asked for after a process has failed: operators by themselves, without those that crash,
 * at last none. */
static inference::library ask_less(
    inference::library asked, const std::string &why, operator_calls &calls)
{
    uint32_t const at = *calls.inside;
    *calls.inside = 0;
    if (asked == inference::MODEL) {
        return inference::OPERATORS;
    }
    if (at == 0 || why == too_late || calls.left_out.size() >= most_left_out) {
        return inference::NOTHING;
    }
    calls.left_out.insert(at);
    return asked;
}

/* `fixed`: the command line sets dimensions. */
void model::infer(onnx::ModelProto &result, const load_options &options, bool fixed)
{
    std::string out;
    std::unordered_set<std::string> given;
    model &self = *this;
    for (const auto &t : options.types) {
        given.insert(t.name);
    }
    shared_word const inside;
    uint32_t own = 0;
    operator_calls calls = {inside.at() != nullptr ? inside.at() : &own, {}};
    inference::library asked = inference::MODEL;
    auto work = [&self, &given, &asked, &calls, fixed](
                    std::string &bytes) { /* a copy of the process, which may change */
        take_in_shapes(self, *self.proto.mutable_graph());
        inference types(self.proto, asked, calls);
        types.run(given, fixed);
        strip(*self.proto.mutable_graph());
        if (!self.proto.SerializeToString(&bytes)) {
            throw std::runtime_error("the types are too many");
        }
        bytes.insert(0, first_line(types.stopped) + "\n" + first_line(types.contrary) + "\n");
    };
    std::string crash;
    not_inferred.clear();
    bool done = apart(work, out, not_inferred);
    while (!done && asked != inference::NOTHING) {
        asked = ask_less(asked, not_inferred, calls);
        crash = crash.empty() ? not_inferred : crash;
        not_inferred.clear();
        done = apart(work, out, not_inferred);
    }
    if (!done) {
        return;
    }
    stopped = take_line(out);
    stopped = crash.empty() ? stopped : crash;
    contrary_ = take_line(out);
    if (!result.ParseFromString(out) || result.graph().node_size() != proto.graph().node_size()) {
        not_inferred = "its result cannot be read";
    }
}

/* What the command line states, where the model leaves it open. */
bool model::give(load_options &options)
{
    bool any = set_dims(proto, options.dims);
    contrary_ = set_types(proto, options.types);
    return any;
}

void model::refuse_contrary() const
{
    if (!contrary_.empty()) {
        throw failure(GSP_STATUS_ARG, path + ": --type contradicts the model: " + contrary_);
    }
}

static bool has_external(const onnx::GraphProto &graph)
{
    for (const auto &tensor : graph.initializer()) {
        if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
            return true;
        }
    }
    return false;
}

/* The schema of an operator in the version of the model; NULL if the library has none. */
class schemas
{
  public:
    explicit schemas(const onnx::ModelProto &proto)
    {
        for (const auto &o : proto.opset_import()) {
            int64_t most = std::numeric_limits<int>::max();
            version_[o.domain() == "ai.onnx" ? "" : o.domain()] =
                static_cast<int>(std::min<int64_t>(o.version(), most));
        }
    }

    const onnx::OpSchema *of(const onnx::NodeProto &node) const
    {
        std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
        auto at = version_.find(domain);
        return onnx::OpSchemaRegistry::Schema(
            node.op_type(), at != version_.end() ? at->second : 1, domain);
    }

    /* Of the standard's operator set. */
    int version() const
    {
        auto at = version_.find("");
        return at != version_.end() ? at->second : 1;
    }

  private:
    std::unordered_map<std::string, int> version_;
};

int last_opset()
{
    return onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
}

/* Operators without a schema in this ONNX library and without a definition in the model. */
void model::find_unknown()
{
    schemas known(proto);
    std::unordered_set<std::string> own;
    std::unordered_set<std::string> told;
    for (const auto &f : proto.functions()) {
        own.insert(f.domain() + ":" + f.name());
    }
    for (const auto &node : graph().node()) {
        std::string name = (node.domain().empty() ? "" : node.domain() + ".") + node.op_type();
        if (own.count(node.domain() + ":" + node.op_type()) == 0 && known.of(node) == nullptr &&
            told.insert(name).second) {
            bool later = is_standard(node.domain()) && known.version() > last_opset();
            bool ruled =
                is_contrib(node.domain()) && (find_contrib_rule(node.op_type()) != nullptr ||
                                                 find_rule(node.op_type()) != nullptr);
            bool official = node.domain().compare(0, 8, "ai.onnx.") == 0;
            if (!ruled) {
                (later                          ? newer
                    : official                  ? of_domain
                    : is_contrib(node.domain()) ? like_first
                                                : unknown)
                    .push_back(name);
            }
        }
    }
}

static onnx::AttributeProto::AttributeType type_of_attribute(const onnx::AttributeProto &a)
{
    if (a.has_f() || a.has_i()) {
        return a.has_f() ? onnx::AttributeProto::FLOAT : onnx::AttributeProto::INT;
    }
    if (a.has_s() || a.has_t()) {
        return a.has_s() ? onnx::AttributeProto::STRING : onnx::AttributeProto::TENSOR;
    }
    if (a.has_g() || a.strings_size() > 0) {
        return a.has_g() ? onnx::AttributeProto::GRAPH : onnx::AttributeProto::STRINGS;
    }
    return a.floats_size() > 0 ? onnx::AttributeProto::FLOATS : onnx::AttributeProto::INTS;
}

/* Files of the first versions omit the operator set, which is then 1, and the types of attributes.
 * Parts state both. */
void model::modernise(const load_options &options)
{
    if (proto.ir_version() >= 3 || proto.opset_import_size() > 0) {
        return;
    }
    proto.set_ir_version(3);
    proto.add_opset_import()->set_version(1);
    for (auto &node : *proto.mutable_graph()->mutable_node()) {
        for (auto &a : *node.mutable_attribute()) {
            if (!a.has_type()) {
                a.set_type(type_of_attribute(a));
            }
        }
    }
    infer(modern, options, false);
    find_types(modern.graph(), type_of);
}

void model::check()
{
    std::string out;
    const onnx::ModelProto &m = proto;
    const std::string &file = path;
    bool beside = has_external(graph());
    (void)apart(
        [&m, &file, beside](std::string &) {
            if (beside) {
                onnx::checker::check_model(file);
            } else {
                onnx::checker::check_model(m);
            }
        },
        out, not_checked);
}

void model::finish(load_options &options)
{
    bool fixed;
    size_t slash = path.rfind('/');
    dir = slash == std::string::npos ? "" : path.substr(0, slash + 1u);
    if (!proto.has_graph()) {
        throw failure(GSP_STATUS_PARSE, path + ": this is no ONNX model: it holds no graph");
    }
    not_inferred = "it was not asked for";
    fixed = give(options);
    refuse_contrary();
    if (options.infer) {
        infer(inferred, options, fixed);
        refuse_contrary();
    }
    if (fixed) { /* what the file says of inner values may hold for other dimensions */
        proto.mutable_graph()->clear_value_info();
    }
    if (!not_inferred.empty()) {
        inferred = proto;
        strip(*inferred.mutable_graph());
    }
    consts = find_constants(inferred.graph());
    open_inputs = open_dims(proto, consts);
    find_types(inferred.graph(), type_of);
    if (options.infer) {
        modernise(options);
        check();
        find_unknown();
        guess_types();
    }
    for (const auto &v : graph().input()) {
        listed.insert(v.name());
    }
    for (const auto &tensor : graph().initializer()) {
        initializers[tensor.name()] = &tensor;
    }
    for (const auto &sparse : graph().sparse_initializer()) {
        sparse_initializers[sparse.values().name()] = &sparse;
    }
}

/* The formal parameter of position i. */
static const std::string &type_letter(
    const std::vector<onnx::OpSchema::FormalParameter> &formal, int i)
{
    static const std::string none;
    size_t at = std::min(static_cast<size_t>(i), formal.size() - 1u);
    return formal.empty() ? none : formal[at].GetTypeStr();
}

static bool is_one_of(const std::string &op, const std::initializer_list<const char *> &list)
{
    return std::find(list.begin(), list.end(), op) != list.end();
}

/* -1 if unknown. */
int model::rank_of(const std::string &tensor) const
{
    auto c = consts.find(tensor);
    auto at = type_of.find(tensor);
    if (c != consts.end()) {
        return static_cast<int>(c->second.dims.size());
    }
    if (at == type_of.end() || !at->second->has_tensor_type() ||
        !at->second->tensor_type().has_shape()) {
        return -1;
    }
    return at->second->tensor_type().shape().dim_size();
}

/* If inference fails on the sizes, the rank may still follow. */
int model::guess_rank(const onnx::NodeProto &node) const
{
    int rank = -1;
    if (node.input_size() == 0 || !(node.domain().empty() || node.domain() == "ai.onnx")) {
        return -1;
    }
    if (node.op_type() == "Conv" && node.input_size() > 1) {
        return rank_of(node.input(1));
    }
    if (node.op_type() == "Reshape") {
        auto shape = consts.find(node.input_size() > 1 ? node.input(1) : "");
        bool listed_there = shape != consts.end() && shape->second.dims.size() == 1u &&
                            shape->second.dims[0] >= 0 && shape->second.dims[0] <= 64;
        if (listed_there) {
            return static_cast<int>(shape->second.dims[0]);
        }
        return node.input_size() == 1 && node.attribute_size() == 1 ? node.attribute(0).ints_size()
                                                                    : -1;
    }
    rank = rank_of(node.input(0));
    if (is_one_of(node.op_type(),
            {"Slice", "Pad", "Cast", "Relu", "Sqrt", "Sigmoid", "Tanh", "Neg", "Abs", "Exp", "Log",
                "Identity", "Dropout", "Softmax", "Clip", "LeakyRelu", "Elu",

                "MaxPool", "AveragePool", "BatchNormalization", "InstanceNormalization",
                "Transpose", "Concat"})) {
        return rank;
    }
    if (is_one_of(node.op_type(), {"Add", "Sub", "Mul", "Div", "Pow", "Where"})) {
        for (const auto &input : node.input()) {
            int other = rank_of(input);
            rank = rank < 0 || other < 0 ? -1 : std::max(rank, other);
        }
        return rank;
    }
    return -1;
}

/* The element type that the schema promises for an output: that of one of its inputs, or 0. */
int model::guess_dtype(const onnx::NodeProto &node, const onnx::OpSchema *schema, int output) const
{
    for (int k = 0; schema != nullptr && k < node.input_size(); k++) {
        auto c = consts.find(node.input(k));
        auto at = type_of.find(node.input(k));
        int dtype = c != consts.end() ? c->second.dtype
                    : at != type_of.end() && at->second->has_tensor_type()
                        ? at->second->tensor_type().elem_type()
                        : 0;
        if (dtype != 0 &&
            type_letter(schema->inputs(), k) == type_letter(schema->outputs(), output)) {
            return dtype;
        }
    }
    return 0;
}

/* Types for parts, which state the types of their inputs and outputs. If inference finds none, as
 * for old operators, the schema may give the element type, and some operators the rank. */
void model::guess_types()
{
    schemas known(proto);
    for (const auto &node : graph().node()) {
        int rank = guess_rank(node);
        for (int i = 0; i < node.output_size(); i++) {
            auto at = type_of.find(node.output(i));
            bool of_this_rank = i == 0 || node.op_type() == "Dropout";
            onnx::TypeProto type;
            if (at == type_of.end()) {
                int dtype = guess_dtype(node, known.of(node), i);
                if (dtype == 0) {
                    continue;
                }
                type.mutable_tensor_type()->set_elem_type(dtype);
            } else if (rank >= 0 && of_this_rank && at->second->has_tensor_type() &&
                       !at->second->tensor_type().has_shape()) {
                type = *at->second;
            } else {
                continue;
            }
            if (rank >= 0 && of_this_rank) {
                (void)type.mutable_tensor_type()->mutable_shape();
            }
            for (int k = 0; k < rank && of_this_rank; k++) {
                (void)type.mutable_tensor_type()->mutable_shape()->add_dim();
            }
            guessed_.push_back(type);
            type_of[node.output(i)] = &guessed_.back();
        }
    }
}

/* ---- files ---- */

/* All bytes of a store, in order. */
class window : public google::protobuf::io::CopyingInputStream
{
  public:
    explicit window(const store &from) : from_(from)
    {
    }

    int Read(void *buffer, int size) override
    {
        uint64_t const n = std::min(static_cast<uint64_t>(size), from_.size() - at_);
        from_.get(at_, static_cast<size_t>(n), static_cast<char *>(buffer));
        at_ += n;
        return static_cast<int>(n);
    }

  private:
    const store &from_;
    uint64_t at_ = 0;
};

static failure no_model(const std::string &path)
{
    return failure(GSP_STATUS_PARSE,
        path + ": this is no ONNX model, or its end is missing: its fields cannot be read");
}

/* Parses the bytes, without large data if most of them are such. */
void model::take(load_options &options)
{
    std::string small;
    bool parsed;
    skipped = skip_weights(bytes, options.keep, small);
    if (skipped) {
        parsed = proto.ParseFromString(small);
    } else {
        window reader(bytes);
        google::protobuf::io::CopyingInputStreamAdaptor stream(&reader);
        google::protobuf::io::CodedInputStream coded(&stream);
        coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
        parsed = proto.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
    }
    if (!parsed) {
        throw no_model(path);
    }
    finish(options);
}

std::unique_ptr<model> model::parse(
    const void *data, size_t size, const std::string &path, load_options &options)
{
    std::unique_ptr<model> m(new model);
    m->path = path;
    if (size > static_cast<size_t>(std::numeric_limits<int>::max())) {
        throw no_model(path);
    }
    m->bytes.open_memory(data, size);
    m->take(options);
    return m;
}

std::unique_ptr<model> model::read_open(
    int file, uint64_t start, const std::string &path, load_options &options)
{
    std::unique_ptr<model> m(new model);
    struct stat about;
    bool const is_file = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    uint64_t const size = is_file ? static_cast<uint64_t>(about.st_size) : 0u;
    m->path = path;
    m->bytes.open_file(file, start, size > start ? size - start : 0u);
    if (!is_file) {
        throw failure(GSP_STATUS_COUNT, "cannot read " + path + ": it is no file");
    }
    if (m->bytes.size() > static_cast<uint64_t>(std::numeric_limits<int>::max())) {
        throw failure(GSP_STATUS_OVERFLOW,
            path + ": a model file cannot be 2 GiB or more; save it with its weights as "
                   "external data, in a file beside it");
    }
    m->take(options);
    return m;
}

std::unique_ptr<model> model::read(const std::string &path, load_options &options)
{
    int file = open(path.c_str(), O_RDONLY);
    if (file < 0) {
        throw failure(GSP_STATUS_COUNT, "cannot read " + path + ": " + strerror(errno));
    }
    return read_open(file, 0, path, options);
}

} // namespace onnx_front
