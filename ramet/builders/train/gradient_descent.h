#pragma once

#include "ramet/builders/train/optimizer.h"

namespace ramet {

// variable -= learning_rate * gradient.
class RAMET_EXPORT GradientDescent : public Optimizer {
 public:
  explicit GradientDescent(Input learning_rate, std::string name = "GradientDescent")
      : Optimizer(std::move(name)), learning_rate_(std::move(learning_rate)) {}

 protected:
  void Prepare(Graph& graph) override;
  Operation ApplyDense(const Output& grad, const Variable& variable) override;
  Operation ApplySparse(const Gradient& grad, const Variable& variable) override;
  Operation ApplySparseDuplicates(const Gradient& grad, const Variable& variable) override;
  std::vector<std::string_view> SparseOps() const override { return {"ScatterSub"}; }

 private:
  Input learning_rate_;
  Output rate_;
};

}  // namespace ramet
