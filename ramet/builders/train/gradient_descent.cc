#include "ramet/builders/train/gradient_descent.h"

#include "ramet/builders/tensors.h"

namespace ramet {

void GradientDescent::Prepare(Graph& graph) {
  rate_ = ToTensor(graph, learning_rate_, kFloat, "learning_rate");
}

Operation GradientDescent::ApplyDense(const Output& grad, const Variable& variable) {
  return UpdateOp(variable, "ApplyGradientDescent",
                  {variable.ref(), CastTo(rate_, variable.dtype()), grad});
}

Operation GradientDescent::ApplySparse(const Gradient& grad, const Variable& variable) {
  if (variable.record().is_resource) {
    const Output delta = -grad.values * CastTo(rate_, variable.dtype());
    return AddOp(*variable.graph(), "ResourceScatterAdd", {variable.ref(), grad.indices, delta});
  }
  Output delta = grad.values * CastTo(rate_, variable.dtype());
  return AddOp(*variable.graph(), "ScatterSub", {variable.ref(), grad.indices, delta},
               {{"use_locking", false}});
}

Operation GradientDescent::ApplySparseDuplicates(const Gradient& grad, const Variable& variable) {
  return ApplySparse(grad, variable);
}

}  // namespace ramet
