#include "ramet/builders/train/adagrad.h"

#include "ramet/builders/initializers.h"
#include "ramet/builders/tensors.h"

namespace ramet {

void Adagrad::CreateSlots(Graph& graph, const std::vector<Variable>& variables) {
  const double initial = options_.initial_accumulator_value;
  if (!(initial > 0)) {
    graph.RecordError(InvalidArgument("initial_accumulator_value must be positive: ", initial));
    return;
  }
  for (const Variable& v : variables) MakeSlot(v, "accumulator", ConstantInit(initial));
}

void Adagrad::Prepare(Graph& graph) {
  rate_ = ToTensor(graph, learning_rate_, kFloat, "learning_rate");
}

Operation Adagrad::ApplyDense(const Output& grad, const Variable& variable) {
  const Variable accumulator = GetSlot(variable, "accumulator");
  if (!accumulator.valid()) return Operation();
  return UpdateOp(variable, "ApplyAdagrad",
                  {variable.ref(), accumulator.ref(), CastTo(rate_, variable.dtype()), grad});
}

Operation Adagrad::ApplySparse(const Gradient& grad, const Variable& variable) {
  const Variable accumulator = GetSlot(variable, "accumulator");
  if (!accumulator.valid()) return Operation();
  return UpdateOp(variable, "SparseApplyAdagrad",
                  {variable.ref(), accumulator.ref(), CastTo(rate_, variable.dtype()), grad.values,
                   grad.indices});
}

std::vector<std::string_view> Adagrad::SparseOps() const {
  return {"SparseApplyAdagrad", "Unique", "UnsortedSegmentSum"};
}

}  // namespace ramet
