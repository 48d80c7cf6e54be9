#include <algorithm>

#include "ramet/builders/initializers.h"
#include "ramet/builders/tensors.h"
#include "ramet/builders/train/optimizers.h"

namespace ramet {

void Adam::CreateSlots(Graph&, const std::vector<Variable>& variables) {
  const Variable first = *std::ranges::min_element(variables, {}, &Variable::name);
  MakeNonSlot(first, "beta1_power", options_.beta1);
  MakeNonSlot(first, "beta2_power", options_.beta2);
  for (const Variable& v : variables) {
    MakeSlot(v, "m", Zeros());
    MakeSlot(v, "v", Zeros());
  }
}

void Adam::Prepare(Graph& graph) {
  rate_ = ToTensor(graph, learning_rate_, kFloat, "learning_rate");
  beta1_ = ToTensor(graph, options_.beta1, kFloat, "beta1");
  beta2_ = ToTensor(graph, options_.beta2, kFloat, "beta2");
  epsilon_ = ToTensor(graph, options_.epsilon, kFloat, "epsilon");
}

Operation Adam::ApplyDense(const Output& grad, const Variable& variable) {
  Graph& graph = *variable.graph();
  std::vector<Input> inputs = {variable.ref(), GetSlot(variable, "m").ref(),
                               GetSlot(variable, "v").ref()};
  const Output numbers[] = {NonSlot(graph, "beta1_power"),
                            NonSlot(graph, "beta2_power"),
                            rate_,
                            beta1_,
                            beta2_,
                            epsilon_};
  for (const Output& number : numbers) inputs.push_back(CastTo(number, variable.dtype()));
  inputs.push_back(grad);
  return AddOp(graph, "ApplyAdam", inputs);
}

// slot = slot * decay, then slot[indices] += addend.
Operation Adam::UpdateSlotRows(const Variable& slot, const Output& decay, const Output& addend,
                               const Output& indices) {
  Graph& graph = *slot.graph();
  Operation decayed = AddOp(graph, "Assign", {slot.ref(), slot * decay}, {{"use_locking", false}});
  Scope here(graph);
  Scope after = here.ControlDependencies({decayed});
  return AddOp(graph, "ScatterAdd", {slot.ref(), indices, addend}, {{"use_locking", false}});
}

Operation Adam::ApplySparse(const Gradient& grad, const Variable& variable) {
  Graph& graph = *variable.graph();
  const DType dtype = variable.dtype();
  auto sqrt = [&](const Output& x) { return AddOp(graph, "Sqrt", {x}).output(0); };
  const Output beta1_power = CastTo(NonSlot(graph, "beta1_power"), dtype);
  const Output beta2_power = CastTo(NonSlot(graph, "beta2_power"), dtype);
  const Output rate = CastTo(rate_, dtype);
  const Output beta1 = CastTo(beta1_, dtype);
  const Output beta2 = CastTo(beta2_, dtype);
  const Output epsilon = CastTo(epsilon_, dtype);
  const Output scaled_rate = rate * sqrt(1 - beta2_power);
  const Output lr = scaled_rate / (1 - beta1_power);
  const Output m_addend = grad.values * (1 - beta1);
  Operation m = UpdateSlotRows(GetSlot(variable, "m"), beta1, m_addend, grad.indices);
  const Output squares = grad.values * grad.values;
  const Output v_addend = squares * (1 - beta2);
  Operation v = UpdateSlotRows(GetSlot(variable, "v"), beta2, v_addend, grad.indices);
  if (!m.valid() || !v.valid()) return Operation();
  const Output root = sqrt(v.output(0));
  const Output numerator = lr * m.output(0);
  Operation update = AddOp(graph, "AssignSub", {variable.ref(), numerator / (root + epsilon)},
                           {{"use_locking", false}});
  return Group(graph, {update, m, v}, "group_deps");
}

std::vector<std::string_view> Adam::SparseOps() const {
  return {"ScatterAdd", "AssignSub", "Unique", "UnsortedSegmentSum"};
}

Operation Adam::Finish(Graph& graph, const std::vector<Operation>& updates,
                       const std::string& name) {
  std::vector<Operation> all = updates;
  {
    Scope here(graph);
    Scope after = here.ControlDependencies(updates);
    const std::pair<Variable, Output> powers[] = {{NonSlot(graph, "beta1_power"), beta1_},
                                                  {NonSlot(graph, "beta2_power"), beta2_}};
    Scope beside = after.ColocateWith(powers[0].first.ref().op());
    for (const auto& [power, beta] : powers) {
      all.push_back(AddOp(graph, "Assign", {power.ref(), power * beta}, {{"use_locking", false}}));
    }
  }
  return Group(graph, all, name);
}

}  // namespace ramet
