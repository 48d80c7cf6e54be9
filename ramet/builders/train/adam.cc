#include "ramet/builders/train/adam.h"

#include <algorithm>

#include "ramet/builders/initializers.h"
#include "ramet/builders/tensors.h"

namespace ramet {
namespace {

// Returns a variable's value in the dtype that an op takes.
Input NumberOf(const Variable& number, DType dtype) {
  if (!number.valid() || number.dtype() == dtype) return number;
  return AddOp(*number.graph(), "Cast", {Input(number)}, {{"DstT", dtype}}).output(0);
}

}  // namespace

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
  inputs.push_back(NumberOf(NonSlot(graph, "beta1_power"), variable.dtype()));
  inputs.push_back(NumberOf(NonSlot(graph, "beta2_power"), variable.dtype()));
  for (const Output& number : {rate_, beta1_, beta2_, epsilon_}) {
    inputs.push_back(CastTo(number, variable.dtype()));
  }
  inputs.push_back(grad);
  return UpdateOp(variable, "ApplyAdam", inputs);
}

// Sets slot = slot * decay, then slot[indices] += addend. Returns the result.
Output Adam::UpdateSlotRows(const Variable& slot, const Output& decay, const Output& addend,
                            const Output& indices) {
  Graph& graph = *slot.graph();
  const Operation decayed = AssignOp(slot, "Assign", slot * decay).op;
  Scope here(graph);
  Scope after = here.ControlDependencies({decayed});
  if (slot.record().is_resource) {
    Operation add = AddOp(graph, "ResourceScatterAdd", {slot.ref(), indices, addend});
    Scope added = after.ControlDependencies({add});
    return ReadVariable(slot);
  }
  return AddOp(graph, "ScatterAdd", {slot.ref(), indices, addend}, {{"use_locking", false}})
      .output(0);
}

Operation Adam::ApplySparse(const Gradient& grad, const Variable& variable) {
  Graph& graph = *variable.graph();
  const DType dtype = variable.dtype();
  auto sqrt = [&](const Output& x) { return AddOp(graph, "Sqrt", {x}).output(0); };
  const Input beta1_power = NumberOf(NonSlot(graph, "beta1_power"), dtype);
  const Input beta2_power = NumberOf(NonSlot(graph, "beta2_power"), dtype);
  const Output rate = CastTo(rate_, dtype);
  const Output beta1 = CastTo(beta1_, dtype);
  const Output beta2 = CastTo(beta2_, dtype);
  const Output epsilon = CastTo(epsilon_, dtype);
  const Output scaled_rate = rate * sqrt(1 - beta2_power);
  const Output lr = scaled_rate / (1 - beta1_power);
  const Output m_addend = grad.values * (1 - beta1);
  const Output m = UpdateSlotRows(GetSlot(variable, "m"), beta1, m_addend, grad.indices);
  const Output squares = grad.values * grad.values;
  const Output v_addend = squares * (1 - beta2);
  const Output v = UpdateSlotRows(GetSlot(variable, "v"), beta2, v_addend, grad.indices);
  if (!m.valid() || !v.valid()) return Operation();
  const Output root = sqrt(v);
  const Output numerator = lr * m;
  const Operation update = AssignOp(variable, "AssignSub", numerator / (root + epsilon)).op;
  return Group(graph, {update, m.op(), v.op()}, "group_deps");
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
    Scope colocated = after.ColocateWith(powers[0].first.ref().op());
    for (const auto& [power, beta] : powers) {
      all.push_back(AssignOp(power, "Assign", power * beta).op);
    }
  }
  return Group(graph, all, name);
}

}  // namespace ramet
