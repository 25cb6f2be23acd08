/* Shape inference beyond that of the ONNX library: operators that it does not know, and shapes that
 * follow from the contents of small tensors. Sections: values (contents), rules (operators of the
 * standard), contrib (those of ONNX Runtime), infer (graphs). */
#ifndef GRAPHSPLIT_ONNX_INFER_H
#define GRAPHSPLIT_ONNX_INFER_H

#include "examples/onnx/model.h"

namespace onnx_front
{

/* A dimension: a value, or -1 and perhaps a name. */
struct extent {
    int64_t value;
    std::string symbol;
};
typedef std::vector<extent> shape;

/* An element of a small tensor: a number, or the name of a dimension, or neither. */
struct number {
    bool known;
    double value;
    std::string symbol;
};

/* What is known of the elements of a small tensor. */
struct content {
    int dtype;
    std::vector<int64_t> dims;
    std::vector<number> items;
};

/* Names of one graph, and of those around it. */
struct scope {
    const scope *outer;
    std::unordered_map<std::string, onnx::TypeProto> types;
    std::unordered_map<std::string, content> contents;

    const onnx::TypeProto *type_of(const std::string &tensor) const;
    const content *content_of(const std::string &tensor) const;
};

/* An operator with what is known of its operands; rules fill `results`. */
class operation
{
  public:
    operation(const onnx::NodeProto &node, int version, const scope &names);

    const onnx::NodeProto &node;
    int version; /* of the operator set */
    std::vector<onnx::TypeProto> results;

    int n_inputs() const
    {
        return node.input_size();
    }
    bool has_input(int i) const;
    const onnx::TypeProto *type(int i) const; /* NULL if unknown */
    int dtype(int i) const;                   /* 0 if unknown */
    bool dims(int i, shape &out) const;       /* false if the rank is unknown */
    const content *data(int i) const;         /* NULL if unknown */
    bool integers(
        int i, const char *name, std::vector<int64_t> &out) const; /* attribute or input */

    const onnx::AttributeProto *attribute(const char *name) const;
    int64_t integer(const char *name, int64_t otherwise) const;
    std::string text(const char *name, const char *otherwise) const;

    void set(int result, int dtype, const shape &dims);
    void set_dtype(int result, int dtype);

  private:
    const scope &names_;
};

typedef void (*rule)(operation &);

/* ---- shapes ---- */

shape shape_of(const onnx::TypeProto &type);
onnx::TypeProto make_type(int dtype, const shape &dims);
bool has_shape(const onnx::TypeProto *type);
extent fixed(int64_t value);
extent unknown_extent();
int64_t axis_of(int64_t axis, size_t rank); /* -1 outside */
bool all_known(const shape &dims);

/* Dimensions of an elementwise operation on both. */
shape broadcast(const shape &a, const shape &b);

/* Whether no value can have both types. */
bool differs(const onnx::TypeProto &a, const onnx::TypeProto &b);

/* Adds to `known` what is found; `stronger`: a value that is found replaces another one. */
void merge(onnx::TypeProto &known, const onnx::TypeProto &found, bool stronger);

/* ---- values ---- */

/* The elements of a stored tensor, if they are few. */
bool read_content(const onnx::TensorProto &tensor, content &out);

/* Elements of the results of an operator, as far as they follow. */
void fold(const operation &op, std::vector<content> &out);

/* ---- rules ---- */

/* The rule of an operator; NULL if the ONNX library's own suffices. */
rule find_rule(const std::string &op_type);

/* The rule of an operator of com.microsoft and its neighbours. */
rule find_contrib_rule(const std::string &op_type);

/* Whether the ONNX library errs on the operator, or knows an earlier meaning of it, which later
 * operator sets have changed. */
bool is_outdated(const onnx::NodeProto &node, int version);

/* Rules that operators of both domains share. */
void same_as_first(operation &op);
void matrix_product(operation &op);
void convolution(operation &op);
void attention(operation &op);

/* ---- given ---- */

/* Sets the dimensions that the command line names, wherever the model has that name; true if any
 * input has one. */
bool set_dims(onnx::ModelProto &model, std::vector<stated> &dims);

/* Adds types that the command line states; a sentence where the file contradicts one. */
std::string set_types(onnx::ModelProto &model, std::vector<stated> &types);

/* Dimensions of inputs that are no numbers, as --dim takes them. */
std::vector<std::string> open_dims(const onnx::ModelProto &model, const constants &consts);

/* ---- graphs ---- */

/* What the library is asked for operator by operator, in order. */
struct operator_calls {
    volatile uint32_t *inside; /* the number of the call that runs, from 1 on; 0 if none does */
    std::unordered_set<uint32_t> left_out; /* calls that crash */
};

/* Types of a model, in its value_info: by the ONNX library, unless it crashes on the model, then by
 * the rules here, which go on where it stops. */
class inference
{
  public:
    /* What the ONNX library is asked for. */
    enum library { NOTHING, OPERATORS, MODEL };

    inference(onnx::ModelProto &model, library asked, const operator_calls &calls);

    /* `given`: tensors whose types the command line states. `fixed`: it sets dimensions, so that
     * types of inner values in the file may be out of date. */
    void run(const std::unordered_set<std::string> &given, bool fixed);

    std::string stopped;  /* why the library stopped; empty if it did not */
    std::string contrary; /* a sentence: what is stated of a tensor contradicts its operator */

  private:
    void run_library(bool fixed);
    void walk(onnx::GraphProto &graph, scope &names);
    void enter(const onnx::GraphProto &graph, scope &names);
    void leave(onnx::GraphProto &graph, const scope &names);
    void step(onnx::NodeProto &node, scope &names);
    void apply(onnx::NodeProto &node, operation &op, const scope &names);
    void apply_schema(onnx::NodeProto &node, operation &op) const;
    void ask_library(onnx::NodeProto &node, operation &op);
    void settle(const std::string &tensor, const onnx::TypeProto &found, scope &names);
    void branch(onnx::NodeProto &node, operation &op, const scope &names);
    void loop(onnx::NodeProto &node, operation &op, const scope &names);
    void scan(onnx::NodeProto &node, operation &op, const scope &names);
    int version_of(const std::string &domain) const;

    onnx::ModelProto &model_;
    library asked_;
    const operator_calls &calls_;
    uint32_t n_calls_;
    std::unordered_map<std::string, int> versions_;
    std::unordered_map<std::string, const onnx::FunctionProto *> functions_;
    std::unordered_set<std::string> given_;
    bool fixed_;
};

bool is_standard(const std::string &domain);

/* Operators of ONNX Runtime: com.microsoft, and its neighbours. */
bool is_contrib(const std::string &domain);

} // namespace onnx_front

#endif
