#include "ramet/edit/clone/state_op_builder.h"

#include "ramet/base/free_name.h"
#include "ramet/graph/edit_graph.h"
#include "ramet/graph/names.h"
#include "ramet/op/colocation.h"

namespace ramet {

DType OriginalDtype(const ClonedVariable& v) {
  const DType t = BaseType(v.original.dtype());
  return t == DType::kResource ? v.original.op().attrs()->GetOr<DType>("dtype", kFloat) : t;
}

std::string StateOpBuilder::NewName(std::string_view name) const {
  GraphData& impl = MutableGraphDataOf(graph_);
  auto taken = [&](const std::string& candidate) {
    return graph_.HasOperation(candidate) ||
           impl.build_state.names.in_use.contains(LowerCase(candidate));
  };
  return FreeName(JoinScope(mapping_.scope, name), taken, impl.node_names.next_numbers());
}

StatusOr<Operation> StateOpBuilder::Add(std::string_view op, std::string_view name,
                                        std::vector<Output> inputs, AttrMap attrs) {
  NodeSpec spec;
  spec.op = op;
  spec.name = NewName(name);
  spec.inputs = std::move(inputs);
  spec.control_inputs = controls_;
  spec.attrs = std::move(attrs);
  return graph_.AddNode(std::move(spec));
}

StatusOr<Operation> StateOpBuilder::AddColocated(const Operation& state, std::string_view op,
                                                 std::string_view name, std::vector<Output> inputs,
                                                 AttrMap attrs) {
  attrs.Set("_class", std::vector<std::string>{StrCat(kColocationPrefix, state.name())});
  RAMET_ASSIGN_OR_RETURN(Operation made, Add(op, name, std::move(inputs), std::move(attrs)));
  const std::string device = state.device();
  if (!device.empty()) RAMET_RETURN_IF_ERROR(graph_.SetDevice(made, device));
  return made;
}

StatusOr<Output> StateOpBuilder::Constant(const Operation& state, std::string_view name,
                                          const Tensor& value) {
  RAMET_ASSIGN_OR_RETURN(
      Operation constant,
      AddColocated(state, "Const", name, {}, {{"value", value}, {"dtype", value.dtype()}}));
  return constant.output(0);
}

StatusOr<Operation> StateOpBuilder::Group(std::string_view name, std::vector<Operation> ops) {
  NodeSpec spec;
  spec.op = "NoOp";
  spec.name = NewName(name);
  spec.control_inputs = std::move(ops);
  return graph_.AddNode(std::move(spec));
}

StatusOr<Operation> StateOpBuilder::OnlyIf(const Operation& state, const Output& condition,
                                           const std::string& name,
                                           const std::function<StatusOr<Operation>()>& make) {
  RAMET_ASSIGN_OR_RETURN(Operation branch, AddColocated(state, "Switch", StrCat(name, "/switch"),
                                                        {condition, condition}));
  RAMET_ASSIGN_OR_RETURN(
      Operation pivot, AddColocated(state, "Identity", StrCat(name, "/pivot"), {branch.output(1)}));
  controls_ = {pivot};
  StatusOr<Operation> made = make();
  controls_.clear();
  RAMET_RETURN_IF_ERROR(made.status());
  controls_ = {*made};
  StatusOr<Operation> done =
      AddColocated(state, "Identity", StrCat(name, "/done"), {pivot.output(0)});
  controls_.clear();
  RAMET_RETURN_IF_ERROR(done.status());
  return AddColocated(state, "Merge", StrCat(name, "/merge"), {branch.output(0), done->output(0)});
}

StatusOr<Output> StateOpBuilder::Read(const Variable& neighbor, const Output& variable, DType dtype,
                                      std::string_view name) {
  if (!neighbor.record().is_resource) return variable;
  RAMET_ASSIGN_OR_RETURN(Operation read, AddColocated(neighbor, "ReadVariableOp", name, {variable},
                                                      {{"dtype", dtype}}));
  return read.output(0);
}

StatusOr<Output> StateOpBuilder::ReadOriginal(const ClonedVariable& v, std::string_view name) {
  return Read(v.copy, v.original, OriginalDtype(v), StrCat(name, "/read"));
}

StatusOr<Operation> StateOpBuilder::Assign(const Variable& to, const Output& value,
                                           std::string_view name) {
  if (to.record().is_resource) {
    return AddColocated(to, "AssignVariableOp", name, {to.ref(), value}, {{"dtype", to.dtype()}});
  }
  const bool validate = to.ref().shape().IsFullyDefined();
  return AddColocated(to, "Assign", name, {to.ref(), value}, {{"validate_shape", validate}});
}

StatusOr<Output> StateOpBuilder::Cast(const Variable& neighbor, const Output& value, DType dtype,
                                      std::string_view name) {
  if (BaseType(value.dtype()) == dtype) return value;
  RAMET_ASSIGN_OR_RETURN(Operation cast,
                         AddColocated(neighbor, "Cast", name, {value}, {{"DstT", dtype}}));
  return cast.output(0);
}

}  // namespace ramet
