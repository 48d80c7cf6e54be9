#include "ramet/builders/train/momentum.h"

#include "ramet/builders/initializers.h"
#include "ramet/builders/tensors.h"

namespace ramet {

void Momentum::CreateSlots(Graph&, const std::vector<Variable>& variables) {
  for (const Variable& v : variables) MakeSlot(v, "momentum", Zeros());
}

void Momentum::Prepare(Graph& graph) {
  rate_ = ToTensor(graph, learning_rate_, kFloat, "learning_rate");
  momentum_tensor_ = ToTensor(graph, momentum_, kFloat, "momentum");
}

Operation Momentum::ApplyDense(const Output& grad, const Variable& variable) {
  const DType dtype = variable.dtype();
  Output rate = CastTo(rate_, dtype);
  Output momentum = CastTo(momentum_tensor_, dtype);
  return UpdateOp(variable, "ApplyMomentum",
                  {variable.ref(), GetSlot(variable, "momentum").ref(), rate, grad, momentum},
                  {{"use_nesterov", use_nesterov_}});
}

Operation Momentum::ApplySparse(const Gradient& grad, const Variable& variable) {
  const DType dtype = variable.dtype();
  Output rate = CastTo(rate_, dtype);
  Output momentum = CastTo(momentum_tensor_, dtype);
  return UpdateOp(variable, "SparseApplyMomentum",
                  {variable.ref(), GetSlot(variable, "momentum").ref(), rate, grad.values,
                   grad.indices, momentum},
                  {{"use_nesterov", use_nesterov_}});
}

std::vector<std::string_view> Momentum::SparseOps() const {
  return {"SparseApplyMomentum", "Unique", "UnsortedSegmentSum"};
}

}  // namespace ramet
