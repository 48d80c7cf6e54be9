#pragma once

#include "ramet/builders/train/optimizer.h"

namespace ramet {

struct MomentumOptions {
  bool use_nesterov = false;
  std::string name = "Momentum";
};
// accumulator = momentum * accumulator + gradient; variable -= learning_rate * accumulator.
// Slot "momentum".
class RAMET_EXPORT Momentum : public Optimizer {
 public:
  Momentum(Input learning_rate, Input momentum, const MomentumOptions& options = {})
      : Optimizer(options.name),
        learning_rate_(std::move(learning_rate)),
        momentum_(std::move(momentum)),
        use_nesterov_(options.use_nesterov) {}

 protected:
  void CreateSlots(Graph& graph, const std::vector<Variable>& variables) override;
  void Prepare(Graph& graph) override;
  Operation ApplyDense(const Output& grad, const Variable& variable) override;
  Operation ApplySparse(const Gradient& grad, const Variable& variable) override;
  std::vector<std::string_view> SparseOps() const override;

 private:
  Input learning_rate_, momentum_;
  bool use_nesterov_;
  Output rate_, momentum_tensor_;
};

}  // namespace ramet
