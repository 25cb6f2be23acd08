/* Parts of a model as models of their own: the operators of the file under their own names, with
 * the parameters that they read. */
#include "examples/onnx/model.h"

#include <onnx/checker.h>

#include <algorithm>

namespace onnx_front
{

static std::string of_text(gsp_str t)
{
    return std::string(t.data != nullptr ? t.data : "", t.size);
}

const value &find_value(const model &m, const gsp_graph &graph, gsp_node v)
{
    const value *found = nullptr;
    std::string name = of_text(gsp_node_name(&graph, v));
    if (m.resolve) {
        found = m.resolve(graph, v);
    } else {
        auto at = m.values.find(name);
        found = at != m.values.end() ? &at->second : nullptr;
    }
    if (found == nullptr) {
        throw failure(
            GSP_STATUS_ARG, "node " + name + " calls " + of_text(gsp_node_target(&graph, v)) +
                                ", which is no operator of the model: such a graph cannot be "
                                "written as ONNX");
    }
    return *found;
}

class writer
{
  public:
    writer(const model &m, const gsp_graph &graph, part &out)
        : m_(m), graph_(graph), to_(*out.proto.mutable_graph())
    {
    }

    void write()
    {
        for (gsp_node v = 0; v < graph_.n_nodes; v++) {
            switch (gsp_node_op(&graph_, v)) {
            case GSP_OP_PLACEHOLDER:
                add_input(find_value(m_, graph_, v));
                break;
            case GSP_OP_GET_ATTR:
                add_constant(find_value(m_, graph_, v).tensors.at(0));
                break;
            case GSP_OP_OUTPUT:
                add_outputs(v);
                break;
            default:
                add_operator(find_value(m_, graph_, v));
                break;
            }
        }
        add_notes();
    }

  private:
    const model &m_;
    const gsp_graph &graph_;
    onnx::GraphProto &to_;
    std::unordered_set<std::string> there_; /* tensors */

    void add_input(const value &v)
    {
        for (const auto &tensor : v.tensors) {
            if (v.parameter) {
                add_constant(tensor);
            } else if (there_.insert(tensor).second) {
                declare(tensor, *to_.add_input());
            }
        }
    }

    /* The type of a tensor that enters or leaves a part. */
    void declare(const std::string &tensor, onnx::ValueInfoProto &to) const
    {
        auto at = m_.type_of.find(tensor);
        auto c = m_.consts.find(tensor);
        to.set_name(tensor);
        if (c != m_.consts.end()) {
            auto *type = to.mutable_type()->mutable_tensor_type();
            type->set_elem_type(c->second.dtype);
            (void)type->mutable_shape();
            for (int64_t d : c->second.dims) {
                type->mutable_shape()->add_dim()->set_dim_value(d);
            }
        } else if (at != m_.type_of.end() &&
                   at->second->value_case() != onnx::TypeProto::VALUE_NOT_SET) {
            *to.mutable_type() = *at->second;
        } else {
            throw untyped("nothing tells the type of '" + tensor + "', which bounds it: --type " +
                          tensor + "=TYPE states it, such as f32[1,3]");
        }
    }

    /* Every part that reads a parameter contains it. */
    void add_constant(const std::string &tensor)
    {
        auto c = m_.consts.find(tensor);
        auto dense = m_.initializers.find(tensor);
        auto sparse = m_.sparse_initializers.find(tensor);
        if (c == m_.consts.end() || !there_.insert(tensor).second) {
            return;
        }
        if (c->second.node >= 0) {
            const onnx::NodeProto &made = m_.graph().node(c->second.node);
            for (const auto &input : made.input()) {
                add_constant(input);
            }
            add_node(made);
        } else if (dense != m_.initializers.end()) {
            onnx::TensorProto *t = to_.add_initializer();
            *t = *dense->second;
            list(tensor);
        } else if (sparse != m_.sparse_initializers.end()) {
            *to_.add_sparse_initializer() = *sparse->second;
        }
    }

    /* An initializer that is an input as well is one whose value may be replaced; before version 4
     * every one had to be. */
    void list(const std::string &tensor)
    {
        if (m_.proto.ir_version() < 4 || m_.listed.count(tensor) != 0) {
            declare(tensor, *to_.add_input());
        }
    }

    void add_node(const onnx::NodeProto &from)
    {
        *to_.add_node() = from;
    }

    void add_operator(const value &v)
    {
        if (v.node < 0) {
            return; /* one output of several: the operator itself yields it */
        }
        for (const auto &tensor : v.tensors) {
            if (!there_.insert(tensor).second) {
                return;
            }
        }
        add_node(m_.graph().node(v.node));
    }

    void add_outputs(gsp_node v)
    {
        std::unordered_set<std::string> out;
        uint32_t n;
        const gsp_node *returned = gsp_node_inputs(&graph_, v, &n);
        for (uint32_t i = 0; i < n; i++) {
            for (const auto &tensor : find_value(m_, graph_, returned[i]).tensors) {
                if (out.insert(tensor).second) {
                    declare(tensor, *to_.add_output());
                }
            }
        }
    }

    /* What the file states about tensors inside of the part. */
    void add_notes()
    {
        std::unordered_set<std::string> declared;
        for (const auto &v : to_.input()) {
            declared.insert(v.name());
        }
        for (const auto &v : to_.output()) {
            declared.insert(v.name());
        }
        for (const auto &v : m_.graph().value_info()) {
            if (there_.count(v.name()) != 0 && declared.count(v.name()) == 0) {
                *to_.add_value_info() = v;
            }
        }
        for (const auto &q : m_.graph().quantization_annotation()) {
            if (there_.count(q.tensor_name()) != 0) {
                *to_.add_quantization_annotation() = q;
            }
        }
    }
};

/* ---- bytes in a file of their own ---- */

class mover
{
  public:
    mover(const model &m, const std::string &data_name, part &out)
        : m_(m), data_name_(data_name), out_(out)
    {
    }

    void move(onnx::GraphProto &graph)
    {
        for (auto &tensor : *graph.mutable_initializer()) {
            move(tensor);
        }
        move(*graph.mutable_node());
    }

    void move(google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes)
    {
        for (auto &node : nodes) {
            for (auto &a : *node.mutable_attribute()) {
                move(a);
            }
        }
    }

  private:
    const model &m_;
    const std::string &data_name_;
    part &out_;
    uint64_t size_ = 0;

    static void set(onnx::TensorProto &tensor, const char *key, const std::string &text)
    {
        auto *entry = tensor.add_external_data();
        entry->set_key(key);
        entry->set_value(text);
    }

    void move(onnx::TensorProto &tensor)
    {
        const uint64_t page = 4096u;
        if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
            return;
        }
        external_copy from = find_external(m_, tensor);
        if (!from.there) {
            throw failure(GSP_STATUS_DAMAGED, m_.path + ": the bytes of '" + tensor.name() +
                                                  "' should lie in " + from.path + ", at " +
                                                  std::to_string(from.offset) +
                                                  ", but that file is missing or too short");
        }
        tensor.clear_external_data();
        set(tensor, "location", data_name_);
        set(tensor, "offset", std::to_string(size_));
        set(tensor, "length", std::to_string(from.size));
        size_ += (from.size + page - 1u) / page * page;
        out_.beside.push_back(from);
    }

    void move(onnx::AttributeProto &a)
    {
        if (a.has_t()) {
            move(*a.mutable_t());
        }
        if (a.has_g()) {
            move(*a.mutable_g());
        }
        for (auto &g : *a.mutable_graphs()) {
            move(g);
        }
    }
};

void move_beside(const model &m, const std::string &data_name, part &out)
{
    mover to(m, data_name, out);
    to.move(*out.proto.mutable_graph());
    for (auto &f : *out.proto.mutable_functions()) {
        to.move(*f.mutable_node());
    }
}

void start_part(
    const model &m, const std::string &name, const std::string &about, onnx::ModelProto &out)
{
    out.set_ir_version(m.proto.ir_version());
    *out.mutable_opset_import() = m.proto.opset_import();
    *out.mutable_functions() = m.proto.functions();
    *out.mutable_metadata_props() = m.proto.metadata_props();
    out.set_producer_name("graphsplit");
    out.set_producer_version(GSP_VERSION_STRING);
    out.set_doc_string(about);
    out.mutable_graph()->set_name(name);
}

void make_part(const model &m, const gsp_graph &graph, const std::string &name,
    const std::string &about, const std::string &data_name, part &out)
{
    start_part(m, name, about, out.proto);
    writer(m, graph, out).write();
    move_beside(m, data_name, out);
}

/* A value of unknown rank has no shape. Engines accept that; the checker calls it incomplete. */
static void fill_shapes(google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> &values)
{
    for (auto &v : values) {
        if (v.type().has_tensor_type()) {
            (void)v.mutable_type()->mutable_tensor_type()->mutable_shape();
        }
    }
}

void check_part(const model &m, part &p, const std::string &name, const std::string &path)
{
    std::string out;
    std::string why;
    onnx::ModelProto &proto = p.proto; /* `work` runs in a copy of the process, so it cannot change
                                        * this one */
    std::function<void(std::string &)> work = [&proto, &path](std::string &) {
        if (path.empty()) {
            fill_shapes(*proto.mutable_graph()->mutable_input());
            fill_shapes(*proto.mutable_graph()->mutable_output());
            onnx::checker::check_model(proto);
        } else {
            onnx::checker::check_model(path);
        }
    };
    if (m.not_checked.empty() && !apart(work, out, why)) {
        throw failure(GSP_STATUS_DAMAGED,
            m.path + ": the ONNX checker refuses the part " + name + ": " + why);
    }
}

} // namespace onnx_front
