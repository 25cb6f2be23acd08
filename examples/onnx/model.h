/* An ONNX model next to the graph that passes see: reading, the model's value or operator for each
 * node of the graph, and parts of the model as models of their own. */
#ifndef GRAPHSPLIT_ONNX_MODEL_H
#define GRAPHSPLIT_ONNX_MODEL_H

#include "examples/onnx/weights.h"
#include "graphsplit.h"

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace onnx
{
class OpSchema;
}

namespace onnx_front
{

/* Every error: a status and a sentence. */
class failure : public std::runtime_error
{
  public:
    failure(gsp_status why, const std::string &sentence) : std::runtime_error(sentence), status(why)
    {
    }
    gsp_status status;
};

/* A part cannot be written, others notwithstanding: a type that nothing tells. */
class untyped : public failure
{
  public:
    explicit untyped(const std::string &sentence) : failure(GSP_STATUS_UNDEFINED, sentence)
    {
    }
};

/* A constant: an initializer, or the output of a node without inputs or of a fill. */
struct constant {
    const onnx::TensorProto *tensor; /* NULL for a fill, or in sparse form */
    int node;                        /* in the graph; -1 for an initializer */
    std::vector<int64_t> dims;
    int dtype;
};

typedef std::unordered_map<std::string, constant> constants;
typedef std::unordered_map<std::string, const onnx::TypeProto *> types;

/* The value and operator of a node in the model. */
struct value {
    std::vector<std::string> tensors; /* several: an operator with several outputs */
    int node;                         /* the operator, or -1 */
    bool parameter;
};

/* The model's counterparts of the nodes of a graph, by name unless a pass has renamed them. */
typedef std::function<const value *(const gsp_graph &graph, gsp_node v)> resolver;

/* NAME=VALUE of the command line. */
struct stated {
    std::string name;
    std::string value;
    bool used;
};

struct load_options {
    bool infer; /* false for only types that the file states */
    std::vector<stated> dims;
    std::vector<stated> types;
    size_t keep; /* raw data of more bytes stay in the file */
};

class model
{
  public:
    /* Reads a file; throws a failure. Messages contain the path. */
    static std::unique_ptr<model> read(const std::string &path, load_options &options);

    /* The same for bytes in memory, which must outlive the model, and for those of an open file,
     * which the model closes. External data lies in the directory of `path`. */
    static std::unique_ptr<model> parse(
        const void *data, size_t size, const std::string &path, load_options &options);
    static std::unique_ptr<model> read_open(
        int file, uint64_t start, const std::string &path, load_options &options);

    onnx::ModelProto proto;    /* as in the file; bytes of external and large data stay there */
    store bytes;               /* of the model, with its large data */
    bool skipped = false;      /* proto has markers for them */
    onnx::ModelProto inferred; /* the same with types, and without large tensors */
    onnx::ModelProto modern;   /* types again, where modernise() found more to read */
    std::string path;
    std::string dir;         /* of external data, with a '/' unless empty */
    std::string not_checked; /* why the ONNX checker refuses the model; empty if it does not */
    std::string not_inferred;
    types type_of;    /* of tensors of the main graph */
    constants consts; /* of the main graph */
    std::unordered_map<std::string, const onnx::TensorProto *> initializers; /* with their bytes */
    std::unordered_map<std::string, const onnx::SparseTensorProto *> sparse_initializers;
    std::unordered_map<std::string, value> values; /* by name of the graph's node */
    std::unordered_set<std::string> listed; /* initializers that are inputs, too: a default */
    resolver resolve;                       /* empty if by name */
    std::vector<std::string> without_shape; /* values of unknown size */
    std::vector<std::string> unknown;       /* operators that no ONNX standard knows */
    std::vector<std::string> newer;         /* those of a later standard than the library's */
    std::vector<std::string> of_domain;     /* those that its other domains of ONNX lack */
    std::vector<std::string> like_first;    /* those of ONNX Runtime without a rule */
    std::vector<std::string> open_inputs;   /* dimensions of inputs that are no numbers */
    std::string stopped;                    /* why the library's inference did */

    const onnx::GraphProto &graph() const
    {
        return proto.graph();
    }

  private:
    void take(load_options &options);
    void finish(load_options &options);
    void infer(onnx::ModelProto &out, const load_options &options, bool fixed);
    bool give(load_options &options);
    void refuse_contrary() const;
    void modernise(const load_options &options);
    void check();
    void find_unknown();
    void guess_types();
    int rank_of(const std::string &tensor) const;
    int guess_rank(const onnx::NodeProto &node) const;
    int guess_dtype(const onnx::NodeProto &node, const onnx::OpSchema *schema, int output) const;

    std::list<onnx::TypeProto> guessed_;
    std::string contrary_; /* what --type contradicts */
};

/* Constants of a graph. */
constants find_constants(const onnx::GraphProto &graph);

/* Types by tensor, without tensors that a body captures. */
void find_types(const onnx::GraphProto &graph, types &out);

/* As graph text spells it: a type, empty if it has no shape; an element type, and its number, or 0;
 * a dimension, an unknown one by its position. */
std::string type_text(const onnx::TypeProto &type);
int dtype_of(const std::string &name);
std::string dimension_text(const onnx::TensorShapeProto_Dimension &dim, int position);

/* The last operator set that the ONNX library knows. */
int last_opset();

/* Tensors of outer graphs that a control-flow body reads, of those that are `known`. */
void captured(const onnx::GraphProto &body, const std::function<bool(const std::string &)> &known,
    std::vector<std::string> &out);

/* Integers of a small tensor of int64 or int32. */
bool read_integers(const onnx::TensorProto &tensor, std::vector<int64_t> &out);

/* Runs `work` in a separate process and returns its output, so that a hostile file cannot crash the
 * program through a library. False: it failed, and `why` says how. */
bool apart(const std::function<void(std::string &out)> &work, std::string &out, std::string &why);

/* The graph of a model as a module in memory from `memory`: main first, then the bodies of control
 * flow. `bare`: only main, without key=, which distinguishes operators with equal text. Fills
 * model.values. Throws a failure. */
void make_module(
    model &m, bool bare, const std::function<void *(size_t)> &memory, gsp_module *module);

/* Bytes in an external file of a model. */
struct external_copy {
    std::string path;
    uint64_t offset;
    uint64_t size;
    bool there; /* the file is that long */
};

/* The file with the bytes of a tensor, its offset and its size, at most that of the tensor; throws
 * a failure if the file lies outside of the model's directory, also by a link, or is a pipe or
 * device. */
external_copy find_external(const model &m, const onnx::TensorProto &tensor);

/* A constant of the main graph by name, and its elements, little-endian, without gaps; throw a
 * failure if the file does not have them. */
const onnx::TensorProto &find_elements(const model &m, const std::string &tensor);
std::string elements_of(const model &m, const onnx::TensorProto &tensor);

/* A part: a model, and the contents of its external file. */
struct part {
    onnx::ModelProto proto;
    std::vector<external_copy> beside;
};

/* The model of a graph of operators of `m`, as a pass makes it. `data_name` is its external file.
 * Throws a failure. */
void make_part(const model &m, const gsp_graph &graph, const std::string &name,
    const std::string &about, const std::string &data_name, part &out);

/* A graph of a whole: the call of a function, or the nodes between calls. */
struct call {
    gsp_graph graph;
    std::string function; /* empty if it is no function; the operators are part of the whole */
    std::unordered_map<std::string, std::string> outer; /* tensor inside -> its name for the call */
};

/* All graphs, in order, as one model with local functions. */
void make_whole(const model &m, const std::vector<call> &parts, const std::string &about,
    const std::string &data_name, part &out);

/* The common fields of all models made here. */
void start_part(
    const model &m, const std::string &name, const std::string &about, onnx::ModelProto &out);

/* Moves tensors with external data into `data_name`, the external file of the part. */
void move_beside(const model &m, const std::string &data_name, part &out);

/* Runs the ONNX checker on a part, unless it refused the whole model already. A part with an
 * external file is checked in its directory. */
void check_part(const model &m, part &p, const std::string &name, const std::string &path);

/* The value of a node; throws a failure if the model has none. */
const value &find_value(const model &m, const gsp_graph &graph, gsp_node v);

} // namespace onnx_front

#endif
