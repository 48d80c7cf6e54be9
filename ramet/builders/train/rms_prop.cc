#include "ramet/builders/train/rms_prop.h"

#include "ramet/builders/initializers.h"
#include "ramet/builders/tensors.h"

namespace ramet {

void RMSProp::CreateSlots(Graph&, const std::vector<Variable>& variables) {
  for (const Variable& v : variables) {
    MakeSlot(v, "rms", Ones());
    if (options_.centered) MakeSlot(v, "mg", Zeros());
    MakeSlot(v, "momentum", Zeros());
  }
}

void RMSProp::Prepare(Graph& graph) {
  rate_ = ToTensor(graph, learning_rate_, kFloat, "learning_rate");
  decay_ = ToTensor(graph, options_.decay, kFloat, "decay");
  momentum_ = ToTensor(graph, options_.momentum, kFloat, "momentum");
  epsilon_ = ToTensor(graph, options_.epsilon, kFloat, "epsilon");
}

// Returns the common first inputs of all four update ops: the variable, its slots and the numbers.
std::vector<Input> RMSProp::Arguments(const Variable& variable) const {
  std::vector<Input> inputs = {variable.ref()};
  if (options_.centered) inputs.push_back(GetSlot(variable, "mg").ref());
  inputs.push_back(GetSlot(variable, "rms").ref());
  inputs.push_back(GetSlot(variable, "momentum").ref());
  for (const Output& number : {rate_, decay_, momentum_, epsilon_}) {
    inputs.push_back(CastTo(number, variable.dtype()));
  }
  return inputs;
}

Operation RMSProp::ApplyDense(const Output& grad, const Variable& variable) {
  std::vector<Input> inputs = Arguments(variable);
  inputs.push_back(grad);
  return UpdateOp(variable, options_.centered ? "ApplyCenteredRMSProp" : "ApplyRMSProp", inputs);
}

Operation RMSProp::ApplySparse(const Gradient& grad, const Variable& variable) {
  std::vector<Input> inputs = Arguments(variable);
  inputs.push_back(grad.values);
  inputs.push_back(grad.indices);
  return UpdateOp(variable, options_.centered ? "SparseApplyCenteredRMSProp" : "SparseApplyRMSProp",
                  inputs);
}

std::vector<std::string_view> RMSProp::SparseOps() const {
  return {options_.centered ? "SparseApplyCenteredRMSProp" : "SparseApplyRMSProp", "Unique",
          "UnsortedSegmentSum"};
}

}  // namespace ramet
