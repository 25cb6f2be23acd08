/* An ONNX model beside the graph that the passes see: how it is read, what every node of the graph
 * stands for, and parts of it as models of their own. */
#ifndef GRAPHSPLIT_ONNX_MODEL_H
#define GRAPHSPLIT_ONNX_MODEL_H

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

/* Everything that goes wrong: a status and a sentence. */
class failure : public std::runtime_error
{
  public:
    failure(gsp_status why, const std::string &sentence) : std::runtime_error(sentence), status(why)
    {
    }
    gsp_status status;
};

/* A constant: an initializer, or made by a node without inputs, or by one that fills a shape. */
struct constant {
    const onnx::TensorProto *tensor; /* NULL: a fill, or in sparse form */
    int node;                        /* in the graph; -1: an initializer */
    std::vector<int64_t> dims;
    int dtype;
};

typedef std::unordered_map<std::string, constant> constants;
typedef std::unordered_map<std::string, const onnx::TypeProto *> types;

/* What a node of the graph is in the model. */
struct value {
    std::vector<std::string> tensors; /* several: an operator with several outputs */
    int node;                         /* the operator, -1: none */
    bool parameter;
};

/* What the nodes of a graph stand for: those of the model by name, unless a pass has renamed. */
typedef std::function<const value *(const gsp_graph &graph, gsp_node v)> resolver;

struct load_options {
    bool infer; /* false: only the types that the file states */
};

class model
{
  public:
    /* Reads a file; throws a failure. The path stands in messages. */
    static std::unique_ptr<model> read(const std::string &path, const load_options &options);

    /* The same for bytes in memory. External data lies beside `path`. */
    static std::unique_ptr<model> parse(const void *data, size_t size, const std::string &path,
                                        const load_options &options);

    onnx::ModelProto proto;    /* as in the file; bytes of external data stay there */
    onnx::ModelProto inferred; /* the same with types, and without large tensors */
    onnx::ModelProto modern;   /* types again, where modernise() found more to read */
    std::string path;
    std::string dir;         /* of external data, with a '/' unless empty */
    std::string not_checked; /* why the ONNX checker refuses the model; empty: it does not */
    std::string not_inferred;
    types type_of;    /* of tensors of the main graph */
    constants consts; /* of the main graph */
    std::unordered_map<std::string, const onnx::TensorProto *> initializers; /* with their bytes */
    std::unordered_map<std::string, const onnx::SparseTensorProto *> sparse_initializers;
    std::unordered_map<std::string, value> values; /* by name of the graph's node */
    std::unordered_set<std::string> listed; /* initializers that are inputs, too: a default */
    resolver resolve;                       /* empty: by name */
    std::vector<std::string> without_shape; /* values of unknown size */
    std::vector<std::string> unknown;       /* operators that no ONNX standard knows */

    const onnx::GraphProto &graph() const
    {
        return proto.graph();
    }

  private:
    void finish(const load_options &options);
    void infer(onnx::ModelProto &out);
    void modernise();
    void check();
    void find_unknown();
    void guess_types();
    int rank_of(const std::string &tensor) const;
    int guess_rank(const onnx::NodeProto &node) const;
    int guess_dtype(const onnx::NodeProto &node, const onnx::OpSchema *schema, int output) const;

    std::list<onnx::TypeProto> guessed_;
};

/* Constants of a graph. */
constants find_constants(const onnx::GraphProto &graph);

/* Types by tensor; what a body captures is not among them. */
void find_types(const onnx::GraphProto &graph, types &out);

/* Tensors of outer graphs that a control-flow body reads, of those that are `known`. */
void captured(const onnx::GraphProto &body, const std::function<bool(const std::string &)> &known,
              std::vector<std::string> &out);

/* Integers of a small tensor of int64 or int32. */
bool read_integers(const onnx::TensorProto &tensor, std::vector<int64_t> &out);

/* Runs `work` in a process of its own and returns what it made: a library that stumbles over a
 * hostile file takes nothing with it. False: it failed, and `why` says how. */
bool apart(const std::function<void(std::string &out)> &work, std::string &out, std::string &why);

/* The graph of a model as a module in memory that `memory` gives: main first, then the bodies of
 * control flow. `bare`: main alone, and without key=, which tells operators apart whose text is
 * the same. Fills model.values. Throws a failure. */
void make_module(model &m, bool bare, const std::function<void *(size_t)> &memory,
                 gsp_module *module);

/* Bytes that lie in a file beside a model. */
struct external_copy {
    std::string path;
    uint64_t offset;
    uint64_t size;
    bool there; /* the file has as many bytes */
};

/* The file with the bytes of a tensor, its offset and its size; throws a failure for one that leads
 * out of the model's folder. */
external_copy find_external(const model &m, const onnx::TensorProto &tensor);

/* A part: a model, and what goes into the file beside it. */
struct part {
    onnx::ModelProto proto;
    std::vector<external_copy> beside;
};

/* The model of a graph made of the operators of `m`, as a pass leaves it. `data_name` is the file
 * beside it. Throws a failure. */
void make_part(const model &m, const gsp_graph &graph, const std::string &name,
               const std::string &about, const std::string &data_name, part &out);

/* One of the graphs of which a whole is made: a call of a function, or what stands between. */
struct call {
    gsp_graph graph;
    std::string function; /* empty: none, its operators stand in the whole */
    std::unordered_map<std::string, std::string>
        outer; /* tensor inside -> what it is for the call */
};

/* All of them, in order, as one model with local functions. */
void make_whole(const model &m, const std::vector<call> &parts, const std::string &about,
                const std::string &data_name, part &out);

/* What all models made here have in common. */
void start_part(const model &m, const std::string &name, const std::string &about,
                onnx::ModelProto &out);

/* Tensors with bytes in a file beside the model get them in `data_name` beside the part. */
void move_beside(const model &m, const std::string &data_name, part &out);

/* Makes the ONNX checker look at a part, unless it refused the whole model already; one with a
 * file beside it where it stands. */
void check_part(const model &m, part &p, const std::string &name, const std::string &path);

/* The value that a node stands for; throws a failure when it is none of the model. */
const value &find_value(const model &m, const gsp_graph &graph, gsp_node v);

} // namespace onnx_front

#endif
