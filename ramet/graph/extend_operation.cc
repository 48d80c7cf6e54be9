#include "ramet/graph/extend_operation.h"

#include "ramet/graph/graph_impl.h"
#include "ramet/graph/shape_inference.h"

namespace ramet {

Status ExtendOperation(const Operation& op, AttrMap attrs, const std::vector<Output>& more) {
  GraphImpl& impl = op.graph()->impl();
  WriterLock lock(impl.mutex);
  NodeRecord& node = impl.nodes[op.id()];
  const OpSchema& schema = node.op->schema();
  auto before = impl.inputs(op.id());
  std::vector<Endpoint> inputs(before.begin(), before.end());
  for (const Output& o : more) {
    if (o.graph() != op.graph()) return InvalidArgument("an input belongs to a different graph");
    inputs.push_back({o.op().id(), o.index()});
  }
  RAMET_RETURN_IF_ERROR(schema.CheckAttrs(attrs));
  RAMET_ASSIGN_OR_RETURN(const auto wanted, schema.Expand(schema.inputs, attrs));
  RAMET_ASSIGN_OR_RETURN(const auto types, schema.Expand(schema.outputs, attrs));
  bool fits = wanted.size() == inputs.size() && std::ssize(types) >= node.num_outputs;
  for (size_t i = 0; i < inputs.size() && fits; ++i) {
    fits = BaseType(impl.output(inputs[i]).dtype) == BaseType(wanted[i]);
  }
  for (int i = 0; i < node.num_outputs && fits; ++i) {
    fits = impl.outputs[node.first_output + i].dtype == types[i];
  }
  if (!fits) {
    return InvalidArgument("node '", node.name, "' (", node.op->name(),
                           ") cannot be extended: the attrs do not match its inputs and outputs");
  }
  const int num_outputs = static_cast<int>(types.size());
  RAMET_ASSIGN_OR_RETURN(auto shapes, InferShapes(impl, *node.op, attrs, inputs, num_outputs));
  const auto controls = impl.controls(op.id());
  std::vector<Endpoint> edges = inputs;
  edges.insert(edges.end(), controls.begin(), controls.end());
  std::vector<OutputRecord> outputs;
  for (int i = 0; i < num_outputs; ++i) {
    const bool old = i < node.num_outputs;
    outputs.push_back(old ? impl.outputs[node.first_output + i]
                          : OutputRecord{types[i], std::move(shapes[i])});
  }
  node.first_edge = static_cast<int32_t>(impl.edges.size());
  node.num_inputs = static_cast<int32_t>(inputs.size());
  impl.edges.insert(impl.edges.end(), edges.begin(), edges.end());
  node.first_output = static_cast<int32_t>(impl.outputs.size());
  node.num_outputs = num_outputs;
  impl.outputs.insert(impl.outputs.end(), outputs.begin(), outputs.end());
  node.attrs = std::make_shared<const AttrMap>(std::move(attrs));
  ++impl.edit_version;
  return OkStatus();
}

}  // namespace ramet
