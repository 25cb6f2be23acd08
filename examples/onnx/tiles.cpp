/* Regions of an ONNX model that run in tiles: Slice, the operators with padding where the border
 * is, Concat. */
#include "examples/onnx/tiles.h"

#include <cstring>
#include <map>

namespace onnx_front
{

class tiler
{
  public:
    tiler(const model &m, const gsp_graph &graph, cli_session *s, const tile_graph &g,
        onnx::ModelProto &out)
        : m_(m), graph_(graph), g_(g), out_(out)
    {
        for (const auto &opset : m.proto.opset_import()) {
            opset_ =
                opset.domain().empty() || opset.domain() == "ai.onnx" ? opset.version() : opset_;
        }
        tile_plan_open(s, &plan_);
    }

    /* A region stands where its last operator was: all that it reads is before. */
    void write(const gsp_tile_point &point)
    {
        std::unordered_map<int, int> region_of; /* of an operator of the file */
        std::vector<int> last(point.n_regions, -1);
        for (uint32_t i = 0; i < point.n_regions; i++) {
            const gsp_tile_region &r = point.regions[i];
            for (gsp_node v = r.first; v <= r.last; v++) {
                if (g_.ops[v].kind != GSP_TILE_NONE) {
                    int const node = find_value(m_, graph_, v).node;
                    region_of[node] = static_cast<int>(i);
                    last[i] = node > last[i] ? node : last[i];
                }
            }
        }
        out_ = m_.proto;
        out_.mutable_graph()->clear_node();
        for (int k = 0; k < m_.graph().node_size(); k++) {
            auto at = region_of.find(k);
            if (at == region_of.end()) {
                *out_.mutable_graph()->add_node() = m_.graph().node(k);
            } else if (last[static_cast<size_t>(at->second)] == k) {
                put_region(point.regions[at->second]);
            }
        }
    }

  private:
    const model &m_;
    const gsp_graph &graph_;
    const tile_graph &g_;
    onnx::ModelProto &out_;
    tile_plan plan_;
    int64_t opset_ = 1;
    uint32_t rank_ = 4; /* of the values of a region; of 3, they have columns alone */
    uint32_t n_made_ = 0;
    typedef std::vector<int64_t> integers;
    std::map<integers, std::string> numbers_; /* initializers */
    std::vector<std::string> names_;          /* of the values of the plan */

    int64_t axis_of(uint32_t axis) const
    {
        return static_cast<int64_t>(rank_ - GSP_TILES_AXES + axis);
    }

    std::string tensor(uint32_t v) const
    {
        return find_value(m_, graph_, v).tensors.at(0);
    }

    std::string new_name(const std::string &like)
    {
        return like + "/tile" + std::to_string(n_made_++);
    }

    /* The tensor of constants. */
    const std::string &constant_of(const integers &list)
    {
        std::string &name = numbers_[list];
        if (name.empty()) {
            onnx::TensorProto *t = out_.mutable_graph()->add_initializer();
            for (int64_t n : list) {
                name += (name.empty() ? "graphsplit/number" : "_") + std::to_string(n);
                t->add_int64_data(n);
            }
            t->set_name(name);
            t->set_data_type(onnx::TensorProto::INT64);
            t->add_dims(static_cast<int64_t>(list.size()));
            if (m_.proto.ir_version() < 4) { /* where each one is an input, too */
                onnx::ValueInfoProto *input = out_.mutable_graph()->add_input();
                input->set_name(name);
                input->mutable_type()->mutable_tensor_type()->set_elem_type(t->data_type());
                input->mutable_type()
                    ->mutable_tensor_type()
                    ->mutable_shape()
                    ->add_dim()
                    ->set_dim_value(t->dims(0));
            }
        }
        return name;
    }

    static void set_list(onnx::NodeProto &node, const char *name, const integers &list)
    {
        onnx::AttributeProto *a = node.add_attribute();
        a->set_name(name);
        a->set_type(onnx::AttributeProto::INTS);
        for (int64_t n : list) {
            a->add_ints(n);
        }
    }

    onnx::NodeProto &add(const char *type, const std::string &output)
    {
        onnx::NodeProto &node = *out_.mutable_graph()->add_node();
        node.set_op_type(type);
        node.set_name(output);
        node.add_output(output);
        return node;
    }

    /* Operators of set 10 and later have what they cut as inputs. */
    void put_slice(const gsp_tile_region &r, const gsp_tile_step &step, const std::string &output)
    {
        const gsp_tile_part &from = plan_.values[plan_.ins[step.first_in]];
        const gsp_tile_part &to = plan_.values[step.out];
        integers starts;
        integers ends;
        integers axes;
        for (uint32_t a = 0; a < GSP_TILES_AXES; a++) {
            if (r.parts[a] != 1u) {
                starts.push_back(to.box.first[a] - static_cast<int64_t>(from.box.first[a]));
                ends.push_back(to.box.end[a] - static_cast<int64_t>(from.box.first[a]));
                axes.push_back(axis_of(a));
            }
        }
        onnx::NodeProto &node = add("Slice", output);
        node.add_input(names_[plan_.ins[step.first_in]]);
        if (opset_ >= 10) {
            node.add_input(constant_of(starts));
            node.add_input(constant_of(ends));
            node.add_input(constant_of(axes));
        } else {
            set_list(node, "starts", starts);
            set_list(node, "ends", ends);
            set_list(node, "axes", axes);
        }
    }

    static bool is_padding(const std::string &name)
    {
        return name == "pads" || name == "auto_pad" || name == "ceil_mode";
    }

    /* Resize by exactly what the shapes tell; sizes become those of the tile. */
    void put_sizes(const gsp_tile_step &step, onnx::NodeProto &node)
    {
        const gsp_tile_op &op = g_.ops[step.op];
        const gsp_tile_box &box = plan_.values[step.out].box;
        int const scales = opset_ < 11 ? 1 : 2;
        if (node.input_size() > 3) {
            const onnx::TensorShapeProto &shape =
                m_.type_of.at(tensor(step.op))->tensor_type().shape();
            node.set_input(3, constant_of({shape.dim(0).dim_value(), shape.dim(1).dim_value(),
                                  static_cast<int64_t>(box.end[0]) - box.first[0],
                                  static_cast<int64_t>(box.end[1]) - box.first[1]}));
            return;
        }
        auto const found = node.input_size() > scales ? m_.initializers.find(node.input(scales))
                                                      : m_.initializers.end();
        std::vector<float> by;
        if (found != m_.initializers.end()) {
            const onnx::TensorProto &t = *found->second;
            by.assign(t.float_data().begin(), t.float_data().end());
            if (t.has_raw_data() && t.raw_data().size() == 4u * sizeof(float)) {
                by.resize(4);
                std::memcpy(by.data(), t.raw_data().data(), t.raw_data().size());
            }
        }
        if (by.size() != 4 || by[0] != 1.0f || by[1] != 1.0f ||
            by[2] != static_cast<float>(op.window[0].factor) ||
            by[3] != static_cast<float>(op.window[1].factor)) {
            throw failure(GSP_STATUS_ARG,
                "--tile: " + tensor(step.op) + " scales by other factors than its shapes tell");
        }
    }

    void put_operator(const gsp_tile_step &step, const std::string &output)
    {
        const onnx::NodeProto &old = m_.graph().node(find_value(m_, graph_, step.op).node);
        const gsp_tile_op &op = g_.ops[step.op];
        onnx::NodeProto &node = add(old.op_type().c_str(), output);
        node.set_domain(old.domain());
        for (const auto &input : old.input()) {
            std::string name = input;
            for (uint32_t k = 0; k < op.n_in; k++) {
                if (input == tensor(g_.ins[op.first_in + k])) {
                    name = names_[plan_.ins[step.first_in + k]];
                }
            }
            node.add_input(name);
        }
        for (const auto &a : old.attribute()) {
            if (op.kind != GSP_TILE_PADDING || !is_padding(a.name())) {
                *node.add_attribute() = a;
            }
        }
        if (op.window[0].factor != 0) {
            put_sizes(step, node);
        }
        if (op.kind == GSP_TILE_PADDING) {
            integers pads(step.before + (4u - rank_), step.before + GSP_TILES_AXES);
            pads.insert(pads.end(), step.after + (4u - rank_), step.after + GSP_TILES_AXES);
            set_list(node, "pads", pads);
        }
    }

    /* The tiles of the stream as inputs that stand where it was. */
    void put_inputs(const gsp_tile_region &r)
    {
        std::string const name = tensor(r.entry);
        google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> old;
        old.Swap(out_.mutable_graph()->mutable_input());
        for (const auto &input : old) {
            if (input.name() != name) {
                *out_.mutable_graph()->add_input() = input;
                continue;
            }
            for (uint32_t i = 0; i < plan_.n_steps; i++) {
                const gsp_tile_part &v = plan_.values[plan_.steps[i].out];
                if (plan_.steps[i].kind == GSP_TILE_STEP_INPUT) {
                    onnx::ValueInfoProto &made = *out_.mutable_graph()->add_input();
                    made = input;
                    made.set_name(names_[plan_.steps[i].out]);
                    for (uint32_t a = 4u - rank_; a < GSP_TILES_AXES; a++) {
                        made.mutable_type()
                            ->mutable_tensor_type()
                            ->mutable_shape()
                            ->mutable_dim(static_cast<int>(axis_of(a)))
                            ->set_dim_value(v.box.end[a] - v.box.first[a]);
                    }
                }
            }
        }
    }

    void put_region(const gsp_tile_region &r)
    {
        if (tile_expand(&g_, &r, &plan_) == 0) {
            throw failure(GSP_STATUS_ARG, "a region that was found cannot be made");
        }
        rank_ =
            static_cast<uint32_t>(m_.type_of.at(tensor(r.last))->tensor_type().shape().dim_size());
        names_.assign(plan_.n_values, "");
        names_[0] = tensor(r.entry);
        for (uint32_t i = 0; i < plan_.n_steps; i++) {
            const gsp_tile_step &step = plan_.steps[i];
            std::string const output =
                i + 1u == plan_.n_steps ? tensor(r.last) : new_name(tensor(step.op));
            names_[step.out] = output;
            if (step.kind == GSP_TILE_STEP_INPUT) {
                continue;
            }
            if (step.kind == GSP_TILE_STEP_SLICE) {
                put_slice(r, step, output);
            } else if (step.kind == GSP_TILE_STEP_RUN) {
                put_operator(step, output);
            } else {
                onnx::NodeProto &node = add("Concat", output);
                onnx::AttributeProto *a = node.add_attribute();
                for (uint32_t k = 0; k < step.n_in; k++) {
                    node.add_input(names_[plan_.ins[step.first_in + k]]);
                }
                a->set_name("axis");
                a->set_type(onnx::AttributeProto::INT);
                a->set_i(axis_of(step.axis));
            }
        }
        if (r.entry == g_.stream) {
            put_inputs(r);
        }
    }
};

void make_tiles(const model &m, const gsp_graph &graph, cli_session *s, const tile_graph &g,
    const gsp_tile_point &point, onnx::ModelProto &out)
{
    tiler(m, graph, s, g, out).write(point);
}

} // namespace onnx_front
