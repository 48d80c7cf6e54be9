#include "ramet/builders/train/optimizer.h"

#include <algorithm>

#include "ramet/builders/tensors.h"
#include "ramet/builders/train/sparse_rows.h"
#include "ramet/gradients/indexed_slices.h"
#include "ramet/gradients/tuple.h"
#include "ramet/graph/build_state.h"
#include "ramet/graph/names.h"

namespace ramet {
namespace {

Operation Fail(Graph& graph, const Status& status) {
  graph.RecordError(status);
  return Operation();
}

std::string NamesOf(const std::vector<GradientAndVariable>& pairs) {
  std::vector<std::string> names;
  for (const auto& pair : pairs) names.push_back(pair.variable.name());
  return StrCat("[", StrJoin(names, ", "), "]");
}

Status CheckType(const Output& tensor) {
  if (IsFloating(BaseType(tensor.dtype()))) return OkStatus();
  return InvalidArgument("Invalid type ", DTypeName(BaseType(tensor.dtype())), " for ",
                         tensor.name(), ", expected: half, bfloat16, float or double");
}

Status CheckVariables(const std::vector<Variable>& variables) {
  if (variables.empty()) return InvalidArgument("No variables to optimize.");
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].valid()) {
      return InvalidArgument("variable ", i,
                             " of var_list is invalid because an earlier build step "
                             "failed");
    }
  }
  return OkStatus();
}

bool HasExist(const GradientAndVariable& pair) { return pair.gradient.exists(); }

}  // namespace

Operation Optimizer::Minimize(const Output& loss, const MinimizeOptions& options) {
  if (!loss.valid()) return Operation();
  Graph& graph = *loss.graph();
  auto pairs =
      ComputeGradients(loss, {.var_list = options.var_list,
                              .gate_gradients = options.gate_gradients,
                              .aggregation = options.aggregation,
                              .colocate_gradients_with_ops = options.colocate_gradients_with_ops,
                              .grad_loss = options.grad_loss});
  if (!graph.status().ok()) return Operation();
  if (std::ranges::none_of(pairs, HasExist)) {
    return Fail(
        graph,
        InvalidArgument(
            "No gradients provided for any variable, check your graph for ops that do not support "
            "gradients, between variables ",
            NamesOf(pairs), " and loss ", loss.name(), "."));
  }
  return ApplyGradients(pairs, {.global_step = options.global_step, .name = options.name});
}

std::vector<GradientAndVariable> Optimizer::ComputeGradients(
    const Output& loss, const ComputeGradientsOptions& options) {
  if (!loss.valid()) return {};
  Graph& graph = *loss.graph();
  const std::vector<Variable> variables =
      options.var_list.value_or(graph.collections().Get<Variable>(graph_keys::kTrainableVariables));
  Status status = CheckVariables(variables);
  status.Update(CheckType(loss));
  GradientsOptions how;
  how.gate_gradients = options.gate_gradients == GateGradients::kOp;
  how.aggregation = options.aggregation;
  how.colocate_gradients_with_ops = options.colocate_gradients_with_ops;
  if (options.grad_loss.valid()) how.grad_ys = {options.grad_loss};
  StatusOr<std::vector<Gradient>> gradients = std::vector<Gradient>();
  if (status.ok()) gradients = Gradients({loss}, {variables.begin(), variables.end()}, how);
  status.Update(gradients.ok() ? OkStatus() : gradients.status());
  if (!status.ok()) {
    graph.RecordError(status);
    return {};
  }
  if (options.gate_gradients == GateGradients::kGraph) gradients = Tuple(graph, *gradients);
  std::vector<GradientAndVariable> pairs;
  for (size_t i = 0; i < variables.size(); ++i) pairs.push_back({(*gradients)[i], variables[i]});
  return pairs;
}

Operation Optimizer::ApplyGradients(const std::vector<GradientAndVariable>& grads_and_vars,
                                    const ApplyGradientsOptions& options) {
  std::vector<GradientAndVariable> pairs;
  std::ranges::copy_if(grads_and_vars, std::back_inserter(pairs), HasExist);
  if (pairs.empty()) {
    for (const auto& pair : grads_and_vars) {
      if (!pair.variable.valid()) continue;
      return Fail(*pair.variable.graph(),
                  InvalidArgument(
                      "No gradients provided for any variable: ", NamesOf(grads_and_vars), "."));
    }
    return Operation();
  }
  Graph& graph = *pairs[0].gradient.values.graph();
  std::vector<Variable> variables;
  for (const auto& pair : pairs) variables.push_back(pair.variable);
  if (Status s = CheckVariables(variables); !s.ok()) return Fail(graph, s);
  Scope here(graph);
  {
    Scope first = here.ClearControlDependencies();
    CreateSlots(graph, variables);
  }
  if (!graph.status().ok()) return Operation();
  Scope scope = here.NameScope(options.name.empty() ? name_ : options.name);
  Prepare(graph);
  std::vector<Operation> updates;
  for (const auto& pair : pairs) updates.push_back(Update(pair));
  if (!graph.status().ok()) return Operation();
  const bool counts = options.global_step.valid();
  Operation step = Finish(graph, updates, counts ? "update" : scope.name());
  if (counts) step = CountStep(options.global_step, step, scope.name());
  if (!step.valid()) return Operation();
  if (!graph.collections().Contains(graph_keys::kTrainOp, step)) {
    graph.collections().Add(graph_keys::kTrainOp, step);
  }
  return step;
}

Operation Optimizer::Update(const GradientAndVariable& pair) {
  const Variable& variable = pair.variable;
  Graph& graph = *variable.graph();
  if (Status s = CheckType(variable.value()); !s.ok()) return Fail(graph, s);
  Scope here(graph);
  Scope scope = here.NameScope(StrCat("update_", variable.op_name()));
  Scope colocated = scope.ColocateWith(variable.ref().op());
  if (!pair.gradient.sparse()) return ApplyDense(pair.gradient.values, variable);
  auto missing = [](std::string_view op) {
    const Op* found = OpRegistry::Global().Find(op);
    return found == nullptr || found->kernels().empty();
  };
  if (std::ranges::any_of(SparseOps(), missing)) {
    return ApplyDense(DenseGradient(pair.gradient), variable);
  }
  return ApplySparseDuplicates(pair.gradient, variable);
}

Operation Optimizer::ApplySparseDuplicates(const Gradient& grad, const Variable& variable) {
  return ApplySparse(SumRepeatedRows(grad), variable);
}

Operation Optimizer::CountStep(const Variable& global_step, const Operation& update,
                               const std::string& name) {
  Graph& graph = *global_step.graph();
  if (!update.valid()) return Operation();
  Scope here(graph);
  Scope after = here.ControlDependencies({update});
  Scope colocated = after.ColocateWith(global_step.ref().op());
  if (global_step.record().is_resource) {
    const Output one = ToTensor(graph, 1, global_step.dtype(), "Const");
    return AddOp(graph, "AssignAddVariableOp", {global_step.ref(), one}, {}, name);
  }
  return AddOp(graph, "AssignAdd", {global_step.ref(), 1}, {}, name);
}

Operation Optimizer::Finish(Graph& graph, const std::vector<Operation>& updates,
                            const std::string& name) {
  return Group(graph, updates, name);
}

void Optimizer::CreateSlots(Graph&, const std::vector<Variable>&) {}

void Optimizer::MakeSlot(const Variable& variable, std::string_view slot,
                         const Initializer& initializer) {
  Graph& graph = *variable.graph();
  auto& made = slots_[std::string(slot)];
  const SlotKey key(&graph, variable.id());
  if (made.contains(key)) return;
  Scope here(graph);
  Scope colocated = here.ColocateWith(variable.ref().op());
  VariableOptions options;
  options.initializer = initializer;
  options.dtype = variable.dtype();
  options.trainable = false;
  options.use_resource = variable.record().is_resource;
  Variable v = colocated.GetVariable(SlotVariableName(variable), variable.shape(), options);
  if (v.valid()) made[key] = v;
}

// Returns "<variable>/<optimizer>", or that with the first free _k. If variables are reused, only
// the slots that this object made count as taken.
std::string Optimizer::SlotVariableName(const Variable& variable) const {
  const BuildState& state = variable.graph()->build_state();
  const VariableScopeState& scope = state.variable_scope;
  const bool reuse = scope.reuse == Reuse::kYes || scope.reuse == Reuse::kAuto;
  auto taken = [&](const std::string& candidate) {
    if (!reuse) return state.variable_store.contains(JoinScope(scope.name, candidate));
    const std::vector<Variable> made = Variables();
    const std::string full = JoinScope(scope.name, candidate);
    return std::ranges::any_of(made, [&](const Variable& v) { return v.op_name() == full; });
  };
  const std::string name = StrCat(variable.op_name(), "/", name_);
  std::string candidate = name;
  for (int i = 1; taken(candidate); ++i) candidate = StrCat(name, "_", i);
  return candidate;
}

Variable Optimizer::GetSlot(const Variable& variable, std::string_view slot) const {
  auto made = slots_.find(slot);
  if (made == slots_.end()) return Variable();
  auto found = made->second.find(SlotKey(variable.graph(), variable.id()));
  return found == made->second.end() ? Variable() : found->second;
}

std::vector<std::string> Optimizer::SlotNames() const {
  std::vector<std::string> names;
  for (const auto& [name, made] : slots_) names.push_back(name);
  return names;
}

Variable Optimizer::MakeNonSlot(const Variable& neighbor, std::string_view name,
                                const Input& value) {
  Graph& graph = *neighbor.graph();
  Variable& v = non_slots_[{&graph, std::string(name)}];
  if (v.valid()) return v;
  Scope here(graph);
  Scope colocated = here.ColocateWith(neighbor.ref().op());
  VariableOptions options;
  options.trainable = false;
  options.use_resource = neighbor.record().is_resource;
  return v = colocated.NewVariable(value, name, options);
}

Operation Optimizer::UpdateOp(const Variable& variable, std::string_view op,
                              const std::vector<Input>& inputs, AttrMap attrs) {
  const bool resource = variable.record().is_resource;
  return AddOp(*variable.graph(), resource ? StrCat("Resource", op) : std::string(op), inputs,
               std::move(attrs));
}

Optimizer::Assigned Optimizer::AssignOp(const Variable& variable, std::string_view op,
                                        const Input& value) {
  Graph& graph = *variable.graph();
  if (!variable.record().is_resource) {
    Operation assign = AddOp(graph, op, {variable.ref(), value}, {{"use_locking", false}});
    return {assign, assign.output(0)};
  }
  Operation assign = AddOp(graph, StrCat(op, "VariableOp"), {variable.ref(), value});
  Scope here(graph);
  Scope after = here.ControlDependencies({assign});
  return {
      assign,
      AddOp(graph, "ReadVariableOp", {variable.ref()}, {{"dtype", variable.dtype()}}).output(0)};
}

Variable Optimizer::NonSlot(const Graph& graph, std::string_view name) const {
  auto found = non_slots_.find({&graph, std::string(name)});
  return found == non_slots_.end() ? Variable() : found->second;
}

std::vector<Variable> Optimizer::Variables() const {
  std::vector<Variable> all;
  for (const auto& [key, v] : non_slots_) all.push_back(v);
  for (const auto& [slot, made] : slots_) {
    for (const auto& [key, v] : made) all.push_back(v);
  }
  std::ranges::sort(all, {}, &Variable::name);
  return all;
}

}  // namespace ramet
