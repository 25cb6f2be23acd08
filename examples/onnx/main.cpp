/* graphsplit-onnx: the passes of graphsplit on ONNX models. The command line is that of graphsplit,
 * linked unchanged; this file describes the format to it. */
#include "examples/onnx/model.h"
#include "examples/onnx/tiles.h"

extern "C" {
#include "commands/commands.h"
#include "core/core.h"
#include "input/input.h"
}

#include <cstdio>
#include <cstring>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

using namespace onnx_front;

static std::shared_ptr<model> loaded;
static std::unordered_map<std::string, std::vector<external_copy>> beside; /* by path of the part */

/* ---- C++ below, C above: nothing is thrown across ---- */

static int told(cli_session *s, const failure &f)
{
    if (f.status == GSP_STATUS_COUNT) { /* there is no file */
        return cli_file_error(s, "%s", f.what());
    }
    return cli_error(s, f.status, "%s", f.what());
}

template <typename Work> static int guarded(cli_session *s, Work work)
{
    try {
        work();
        return CLI_EXIT_OK;
    } catch (const failure &f) {
        return told(s, f);
    } catch (const std::bad_alloc &) {
        return cli_error(s, GSP_STATUS_NOMEM, "%s: the system gives no more memory", s->path);
    } catch (const std::exception &e) {
        return cli_error(s, GSP_STATUS_PARSE, "%s: %s", s->path, e.what());
    }
}

/* ---- reading ---- */

/* "a, b, c and 7 more" */
static std::string some_of(const std::vector<std::string> &names)
{
    const size_t most = 5;
    std::string out;
    for (size_t i = 0; i < names.size() && i < most; i++) {
        out += (i != 0 ? ", " : "") + names[i];
    }
    if (names.size() > most) {
        out += " and " + std::to_string(names.size() - most) + " more";
    }
    return out;
}

/* Missing information is a note, not an error. */
static void warn(const cli_session *s, const std::string &sentence)
{
    if (s->quiet) {
        return;
    }
    std::string line = std::string(s->front->program) + ": " + s->path + ": " + sentence;
    line.resize(cli_clean(&line[0], line.size()));
    fprintf(stderr, "%s\n", line.c_str());
}

static void say_what_is_missing(const cli_session *s, const model &m)
{
    if (!m.not_inferred.empty()) {
        warn(
            s, "no shapes are inferred (" + m.not_inferred + "); only those in the file are known");
    }
    if (!m.stopped.empty()) {
        warn(s,
            "the inference of the ONNX library stops, that of this program goes on: " + m.stopped);
    }
    if (!m.newer.empty()) {
        warn(s, "newer than opset " + std::to_string(last_opset()) +
                    ", which this build knows, taken as it is: " + some_of(m.newer));
    }
    if (!m.of_domain.empty()) {
        warn(s, "this build does not know these operators of their domains of ONNX, taken as they "
                "are: " +
                    some_of(m.of_domain));
    }
    if (!m.like_first.empty()) {
        warn(s, "operators of ONNX Runtime without a rule, whose results are taken to be of the "
                "type of their first input: " +
                    some_of(m.like_first));
    }
    if (!m.unknown.empty()) {
        warn(s, "no operator of the ONNX standard, taken as it is: " + some_of(m.unknown));
    }
}

/* Files of weights are inputs, those of tensors in attributes and bodies, too. */
static void find_files(const google::protobuf::Message &m, std::unordered_set<std::string> &out)
{
    const auto *tensor = dynamic_cast<const onnx::TensorProto *>(&m);
    std::vector<const google::protobuf::FieldDescriptor *> fields;
    const google::protobuf::Reflection *of = m.GetReflection();
    if (tensor != nullptr) {
        for (const auto &entry : tensor->external_data()) {
            if (entry.key() == "location") {
                out.insert(entry.value());
            }
        }
        return;
    }
    of->ListFields(m, &fields);
    for (const auto *f : fields) {
        bool is_message = f->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
        int n = is_message && f->is_repeated() ? of->FieldSize(m, f) : 0;
        for (int i = 0; i < n; i++) {
            find_files(of->GetRepeatedMessage(m, f, i), out);
        }
        if (is_message && !f->is_repeated()) {
            find_files(of->GetMessage(m, f), out);
        }
    }
}

static std::vector<stated> stated_by(const cli_stated *list, size_t n)
{
    std::vector<stated> out;
    for (size_t i = 0; i < n; i++) {
        stated one = {std::string(list[i].name.data, list[i].name.size),
            std::string(list[i].value.data, list[i].value.size), false};
        out.push_back(one);
    }
    return out;
}

/* What the model has taken of --dim and --type, and the dimensions that it leaves open. */
static void note_stated(cli_session *s, const load_options &options)
{
    for (size_t i = 0; i < s->n_dims; i++) {
        s->dims[i].used = options.dims[i].used;
    }
    for (size_t i = 0; i < s->n_types; i++) {
        s->types[i].used = options.types[i].used;
    }
    s->n_open_dims = loaded->open_inputs.size();
    s->open_dims = static_cast<const char **>(cli_alloc(s, s->n_open_dims + 1u, sizeof(char *)));
    for (size_t i = 0; i < s->n_open_dims; i++) {
        s->open_dims[i] = cli_copy(s, gsp_str_of(loaded->open_inputs[i].c_str()));
    }
}

static bool is_file(int number)
{
    struct stat about;
    return fstat(number, &about) == 0 && S_ISREG(about.st_mode);
}

static int load(cli_session *s)
{
    return guarded(s, [s]() {
        load_options options = {
            true, stated_by(s->dims, s->n_dims), stated_by(s->types, s->n_types), 65536u};
        cli_progress(s, "reading");
        std::unordered_set<std::string> files;
        if (std::strcmp(s->path, "-") == 0 && is_file(0) && !s->stdin_is_taken) {
            uint64_t const start = static_cast<uint64_t>(ftello(stdin)) - s->n_ahead;
            s->stdin_is_taken = 1;
            loaded = model::read_open(dup(0), start, "standard input", options);
        } else if (std::strcmp(s->path, "-") == 0) {
            char *data = nullptr;
            size_t size = 0;
            if (cli_binary_read(s, s->path, &data, &size) != CLI_EXIT_OK) {
                throw failure(GSP_STATUS_COUNT, "cannot read standard input");
            }
            loaded = model::parse(data, size, "standard input", options);
        } else {
            loaded = model::read(s->path, options);
        }
        note_stated(s, options);
        find_files(loaded->proto, files);
        for (const auto &file : files) {
            cli_add_input(s, (loaded->dir + file).c_str());
        }
        make_module(
            *loaded, s->main_alone != 0, [s](size_t size) { return cli_alloc(s, size, 1u); },
            &s->module);
        say_what_is_missing(s, *loaded);
        s->shapeless = loaded->without_shape.empty()
                           ? nullptr
                           : cli_copy(s, gsp_str_of(some_of(loaded->without_shape).c_str()));
    });
}

/* ---- parts ---- */

static std::string of_text(gsp_str t)
{
    return std::string(t.data != nullptr ? t.data : "", t.size);
}

static std::string file_of(const std::string &path)
{
    return path.substr(path.rfind('/') + 1u);
}

static std::string about(const cli_session *s, const cli_part *p)
{
    std::string out = "A part of " + file_of(s->path) + ", made by " + s->front->program + " " +
                      s->pass->name + "; kind: " + p->kind;
    if (p->device != nullptr) {
        out += std::string("; device: ") + p->device;
    }
    return out + ". Its place among the others is in manifest.json.";
}

/* A value between parts may have an unknown rank. */
static void say_ranks(const cli_session *s, const cli_part *p, const onnx::GraphProto &graph)
{
    std::vector<std::string> names;
    for (const auto *list : {&graph.input(), &graph.output()}) {
        for (const auto &v : *list) {
            if (v.type().has_tensor_type() && !v.type().tensor_type().has_shape()) {
                names.push_back(v.name());
            }
        }
    }
    if (!names.empty()) {
        warn(s, std::string(p->name) + ": no rank is known of " + some_of(names) +
                    ": engines take that, the ONNX checker requires a shape");
    }
}

static std::vector<call> calls_of(const cli_part *whole)
{
    std::vector<call> out;
    for (size_t i = 0; i < whole->n_made_of; i++) {
        const cli_part &from = whole->made_of[i];
        call c;
        c.graph = from.graph;
        c.function = from.n_bind != 0 ? from.name : "";
        for (uint32_t k = 0; k < from.n_bind; k++) {
            c.outer[of_text(from.bind[k].inner)] = of_text(from.bind[k].outer);
        }
        out.push_back(std::move(c));
    }
    return out;
}

static int put_part(cli_session *s, const cli_part *p, cli_buffer *out, cli_buffer *why)
{
    return guarded(s, [s, p, out, why]() {
        part made;
        std::string bytes;
        std::string data_name = file_of(p->path) + ".data";
        if (p->made_of != nullptr) {
            make_whole(*loaded, calls_of(p), about(s, p), data_name, made);
        } else {
            try {
                make_part(*loaded, p->graph, p->name, about(s, p), data_name, made);
            } catch (const untyped &u) {
                cli_put(why, u.what(), strlen(u.what()) + 1u);
                return;
            }
        }
        if (made.proto.graph().output_size() == 0) { /* engines refuse such a model */
            static const char idle[] = "nothing reads what it computes";
            cli_put(why, idle, sizeof idle);
            return;
        }
        say_ranks(s, p, made.proto.graph());
        if (made.beside.empty()) {
            check_part(*loaded, made, p->name, "");
        }
        if (!made.proto.SerializeToString(&bytes)) {
            throw failure(GSP_STATUS_OVERFLOW, std::string(p->name) + " takes 2 GiB or more");
        }
        cli_put(out, bytes.data(), bytes.size());
        beside[p->path] = std::move(made.beside);
    });
}

/* The large data that the model left in its file. */
static int fill_part(cli_session *s, const cli_buffer *small, cli_buffer *out)
{
    if (!loaded->skipped) {
        return CLI_EXIT_OK;
    }
    return guarded(s, [s, small, out]() {
        store from;
        from.open_memory(small->data, small->size);
        woven const made = weave_weights(from, loaded->bytes);
        if (made.size > static_cast<uint64_t>(INT32_MAX)) {
            throw failure(GSP_STATUS_OVERFLOW, "a part takes 2 GiB or more");
        }
        out->size = out->room = static_cast<size_t>(made.size);
        out->data = static_cast<char *>(cli_alloc(s, out->size + 1u, 1u));
        put_woven(made, out->data);
    });
}

static void copy(const external_copy &from, std::ofstream &to)
{
    static char buffer[1 << 20];
    std::ifstream file(from.path, std::ios::binary);
    uint64_t left = from.size;
    file.seekg(static_cast<std::streamoff>(from.offset));
    while (left > 0) {
        if (cli_is_stopped()) {
            throw failure(GSP_STATUS_ARG, "stopped while weights are copied");
        }
        std::streamsize n =
            static_cast<std::streamsize>(left < sizeof buffer ? left : sizeof buffer);
        if (!file.read(buffer, n)) {
            throw failure(GSP_STATUS_DAMAGED, "cannot read " + std::to_string(from.size) +
                                                  " bytes of weights at " +
                                                  std::to_string(from.offset) + " of " + from.path +
                                                  ": the file is missing or too short");
        }
        to.write(buffer, n);
        left -= static_cast<uint64_t>(n);
    }
    left = (4096u - from.size % 4096u) % 4096u;
    std::fill(buffer, buffer + left, '\0');
    to.write(buffer, static_cast<std::streamsize>(left));
}

static int has_data(const cli_part *p)
{
    return !beside[p->path].empty();
}

static int put_data(cli_session *s, const cli_part *p)
{
    return guarded(s, [s, p]() {
        const std::vector<external_copy> &all = beside[p->path];
        std::string path = std::string(p->path) + ".data";
        std::ofstream to(path, std::ios::binary);
        for (const auto &from : all) {
            cli_progress(s, "copying weights");
            copy(from, to);
        }
        to.close();
        if (!to) {
            throw failure(GSP_STATUS_ARG, "cannot write " + path);
        }
        if (int const why = s->common.no_sync ? 0 : cli_sync_path(path.c_str())) {
            throw failure(GSP_STATUS_ARG, "cannot write " + path + ": " + std::strerror(why));
        }
        part there;
        check_part(*loaded, there, p->name, p->path);
    });
}

/* Parameters are no inputs and outputs: the parts contain them. */
static int tensor(const gsp_graph *graph, gsp_node v, uint32_t i, gsp_str *name)
{
    try {
        const value &of = find_value(*loaded, *graph, v);
        bool inside = of.parameter && gsp_node_op(graph, v) == GSP_OP_PLACEHOLDER;
        if (inside || i >= of.tensors.size()) {
            return 0;
        }
        name->data = of.tensors[i].data();
        name->size = static_cast<uint32_t>(of.tensors[i].size());
        return 1;
    } catch (const failure &) {
        return 0; /* reported when the part was made */
    }
}

/* Names that a pass has changed: values by node, graph and module. */
static std::unordered_map<std::string, value> renamed;

static std::string place_of(const gsp_graph *graph, gsp_node v)
{
    std::string out(reinterpret_cast<const char *>(&graph->module), sizeof graph->module);
    return out + std::to_string(graph->id) + ":" + std::to_string(v);
}

static const value *resolve(const gsp_graph &graph, gsp_node v)
{
    auto at = renamed.find(place_of(&graph, v));
    if (at != renamed.end()) {
        return &at->second;
    }
    auto by_name = loaded->values.find(of_text(gsp_node_name(&graph, v)));
    return by_name != loaded->values.end() ? &by_name->second : nullptr;
}

static void stands_for(const gsp_graph *graph, gsp_node v, gsp_str original, uint32_t element)
{
    auto at = loaded->values.find(of_text(original));
    bool is_input = gsp_node_op(graph, v) == GSP_OP_PLACEHOLDER;
    if (at == loaded->values.end()) {
        return;
    }
    value what = at->second;
    if (element < what.tensors.size()) {
        what.tensors.assign(1, at->second.tensors[element]);
        what.node = -1;
    }
    if (is_input) {
        what.node = -1;
        what.parameter = false;
    }
    renamed[place_of(graph, v)] = what;
    loaded->resolve = resolve;
}

/* The model as it was loaded, the same with all its weights, and the bytes of one in tiles. */
static std::shared_ptr<model> as_loaded;
static std::shared_ptr<model> whole;
static std::string tiled;

static load_options options_of(const cli_session *s, size_t keep)
{
    return {true, stated_by(s->dims, s->n_dims), stated_by(s->types, s->n_types), keep};
}

static int put_tiles(cli_session *s, const tile_graph *g, const gsp_tile_point *point)
{
    return guarded(s, [s, g, point]() {
        auto const memory = [s](size_t size) { return cli_alloc(s, size, 1u); };
        static gsp_module module;
        load_options options = options_of(s, SIZE_MAX);
        onnx::ModelProto made;
        as_loaded = as_loaded == nullptr ? loaded : as_loaded;
        loaded = as_loaded;
        if (point->n_regions == 0) {
            return;
        }
        if (whole == nullptr) {
            whole = model::read(s->path, options);
            make_module(*whole, s->main_alone != 0, memory, &module);
        }
        make_tiles(*whole, gsp_module_graph(&module, 0), s, *g, *point, made);
        if (!made.SerializeToString(&tiled)) {
            throw failure(GSP_STATUS_OVERFLOW, "the model in tiles takes 2 GiB or more");
        }
        options = options_of(s, SIZE_MAX);
        loaded = model::parse(tiled.data(), tiled.size(), s->path, options);
        make_module(*loaded, s->main_alone != 0, memory, &s->module);
    });
}

/* The elements of a parameter as bytes. */
static int put_parameter(cli_session *s, const gsp_graph *graph, gsp_node v, cli_buffer *out)
{
    return guarded(s, [s, graph, v, out]() {
        const onnx::TensorProto &tensor =
            find_elements(*loaded, find_value(*loaded, *graph, v).tensors.at(0));
        if (out != nullptr) {
            std::string const bytes = elements_of(*loaded, tensor);
            cli_put(out, bytes.data(), bytes.size());
        }
    });
}

static const cli_format onnx_format = {
    ".onnx",
    ".onnx",
    load,
    put_part,
    has_data,
    put_data,
    tensor,
    1,
    stands_for,
    nullptr,
    nullptr,
    fill_part,
    put_tiles,
    put_parameter,
};

static const cli_format *const formats[] = {
    &onnx_format,
    &cli_tflite_format,
    &cli_text_format,
};

int main(int argc, char **argv)
{
    static const cli_front front = {
        "graphsplit-onnx",
        "Splits ONNX models into parts that run. Reads FILE.tflite and graph text, too.",
        formats,
        CLI_COUNT(formats),
    };
    return cli_main(&front, argc, argv);
}
