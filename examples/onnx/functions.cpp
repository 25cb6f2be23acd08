/* A model whose repeated regions are ONNX local functions. */
#include "examples/onnx/model.h"

#include <algorithm>

namespace onnx_front
{

/* A domain that the model does not use: it may have functions of an earlier run. */
static std::string new_domain(const onnx::ModelProto &model)
{
    std::unordered_set<std::string> used;
    std::string name = "graphsplit";
    for (const auto &o : model.opset_import()) {
        used.insert(o.domain());
    }
    for (const auto &f : model.functions()) {
        used.insert(f.domain());
    }
    for (size_t i = 2; used.count(name) != 0; i++) {
        name = "graphsplit." + std::to_string(i);
    }
    return name;
}

class composer
{
  public:
    composer(const model &m, part &out)
        : m_(m), out_(out), to_(*out.proto.mutable_graph()), domain_(new_domain(m.proto))
    {
    }

    void start(const std::string &about, const std::string &data_name)
    {
        const int64_t first_with_functions = 8;
        int64_t version = m_.proto.ir_version();
        start_part(m_, "deduplicated", about, out_.proto);
        out_.proto.set_ir_version(std::max(version, first_with_functions));
        auto *own = out_.proto.add_opset_import();
        own->set_domain(domain_);
        own->set_version(1);
        data_name_ = data_name;
        for (const auto &node : m_.graph().node()) {
            names_.insert(node.name());
        }
        for (const auto &v : m_.graph().input()) {
            if (m_.consts.count(v.name()) == 0) {
                *to_.add_input() = v;
            }
        }
        *to_.mutable_output() = m_.graph().output();
    }

    /* Nodes between calls stay as they are. */
    void add_run(const gsp_graph &graph)
    {
        for (gsp_node v = 0; v < graph.n_nodes; v++) {
            if (gsp_node_op(&graph, v) == GSP_OP_OUTPUT) {
                add_returned(graph, v);
                continue;
            }
            add_value(find_value(m_, graph, v));
        }
    }

    void add_call(const call &c)
    {
        onnx::NodeProto *node = to_.add_node();
        if (functions_.insert(c.function).second) {
            add_function(c);
        }
        node->set_op_type(c.function);
        node->set_domain(domain_);
        node->set_name(new_name(c.function + "_call_"));
        add_names(c, true, *node->mutable_input(), true);
        add_names(c, false, *node->mutable_output(), true);
    }

  private:
    typedef google::protobuf::RepeatedPtrField<std::string> name_list;

    const model &m_;
    part &out_;
    onnx::GraphProto &to_;
    std::string domain_; /* of the functions made here */
    std::string data_name_;
    std::unordered_set<std::string> functions_;
    std::unordered_set<std::string> there_;
    std::unordered_set<std::string> names_; /* of nodes; engines want each once */
    int n_calls_ = 0;

    std::string new_name(const std::string &prefix)
    {
        std::string name;
        do {
            name = prefix + std::to_string(n_calls_++);
        } while (!names_.insert(name).second);
        return name;
    }

    void add_value(const value &v)
    {
        if (v.node >= 0) {
            if (there_.insert(v.tensors.empty() ? "" : v.tensors[0]).second) {
                *to_.add_node() = m_.graph().node(v.node);
            }
        } else if (v.parameter) {
            add_constant(v.tensors[0]);
        }
    }

    void add_returned(const gsp_graph &graph, gsp_node output)
    {
        uint32_t n;
        const gsp_node *returned = gsp_node_inputs(&graph, output, &n);
        for (uint32_t i = 0; i < n; i++) {
            add_value(find_value(m_, graph, returned[i]));
        }
    }

    void add_constant(const std::string &tensor)
    {
        auto c = m_.consts.find(tensor);
        auto dense = m_.initializers.find(tensor);
        auto sparse = m_.sparse_initializers.find(tensor);
        if (c == m_.consts.end() || !there_.insert(tensor).second) {
            return;
        }
        if (c->second.node >= 0) {
            for (const auto &input : m_.graph().node(c->second.node).input()) {
                add_constant(input);
            }
            *to_.add_node() = m_.graph().node(c->second.node);
        } else if (dense != m_.initializers.end()) {
            *to_.add_initializer() = *dense->second;
        } else if (sparse != m_.sparse_initializers.end()) {
            *to_.add_sparse_initializer() = *sparse->second;
        }
    }

    /* Names of what goes in or comes out: as the body calls them, or as the caller does. What the
     * caller does not read has no name there. */
    void add_names(const call &c, bool in, name_list &to, bool outside)
    {
        for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
            if (in && gsp_node_op(&c.graph, v) == GSP_OP_PLACEHOLDER) {
                add_names_of(c, v, to, outside);
            }
        }
        uint32_t n;
        const gsp_node *returned = gsp_node_inputs(&c.graph, c.graph.n_nodes - 1u, &n);
        for (uint32_t i = 0; i < n && !in; i++) {
            add_names_of(c, returned[i], to, outside);
        }
    }

    void add_names_of(const call &c, gsp_node v, name_list &to, bool outside)
    {
        for (const auto &name : find_value(m_, c.graph, v).tensors) {
            auto at = c.outer.find(name);
            std::string outer = at != c.outer.end() ? at->second : "";
            if (outside && !outer.empty()) {
                add_constant(outer);
            }
            *to.Add() = outside ? outer : name;
        }
    }

    void add_function(const call &c)
    {
        onnx::FunctionProto *f = out_.proto.add_functions();
        std::unordered_set<std::string> there;
        f->set_name(c.function);
        f->set_domain(domain_);
        f->set_doc_string("repeated " + c.function + "; the names are those of its first place");
        *f->mutable_opset_import() = m_.proto.opset_import();
        add_names(c, true, *f->mutable_input(), false);
        add_names(c, false, *f->mutable_output(), false);
        for (gsp_node v = 0; v < c.graph.n_nodes; v++) {
            bool is_operator = gsp_node_is_callable(&c.graph, v) != 0;
            const value *of = is_operator ? &find_value(m_, c.graph, v) : nullptr;
            if (of != nullptr && of->node >= 0) {
                *f->add_node() = m_.graph().node(of->node);
            }
        }
    }
};

void make_whole(const model &m, const std::vector<call> &parts, const std::string &about,
    const std::string &data_name, part &out)
{
    composer to(m, out);
    to.start(about, data_name);
    for (const auto &c : parts) {
        if (c.function.empty()) {
            to.add_run(c.graph);
        } else {
            to.add_call(c);
        }
    }
    move_beside(m, data_name, out);
}

} // namespace onnx_front
