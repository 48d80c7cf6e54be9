#pragma once

#include "ramet/builders/train/optimizer.h"

namespace ramet {

struct AdagradOptions {
  double initial_accumulator_value = 0.1;  // must be positive
  std::string name = "Adagrad";
};
// accumulator += gradient^2; variable -= learning_rate * gradient / sqrt(accumulator).
// Slot "accumulator".
class RAMET_EXPORT Adagrad : public Optimizer {
 public:
  explicit Adagrad(Input learning_rate, const AdagradOptions& options = {})
      : Optimizer(options.name), learning_rate_(std::move(learning_rate)), options_(options) {}

 protected:
  void CreateSlots(Graph& graph, const std::vector<Variable>& variables) override;
  void Prepare(Graph& graph) override;
  Operation ApplyDense(const Output& grad, const Variable& variable) override;
  Operation ApplySparse(const Gradient& grad, const Variable& variable) override;
  std::vector<std::string_view> SparseOps() const override;

 private:
  Input learning_rate_;
  AdagradOptions options_;
  Output rate_;
};

}  // namespace ramet
