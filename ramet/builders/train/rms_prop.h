#pragma once

#include "ramet/builders/train/optimizer.h"

namespace ramet {

struct RMSPropOptions {
  Input decay = 0.9;
  Input momentum = 0.0;
  Input epsilon = 1e-10;
  bool centered = false;
  std::string name = "RMSProp";
};
// Tieleman & Hinton 2012. Slots "rms", "momentum", and "mg" when centered.
class RAMET_EXPORT RMSProp : public Optimizer {
 public:
  explicit RMSProp(Input learning_rate, const RMSPropOptions& options = {})
      : Optimizer(options.name), learning_rate_(std::move(learning_rate)), options_(options) {}

 protected:
  void CreateSlots(Graph& graph, const std::vector<Variable>& variables) override;
  void Prepare(Graph& graph) override;
  Operation ApplyDense(const Output& grad, const Variable& variable) override;
  Operation ApplySparse(const Gradient& grad, const Variable& variable) override;
  std::vector<std::string_view> SparseOps() const override;

 private:
  std::vector<Input> Arguments(const Variable& variable) const;

  Input learning_rate_;
  RMSPropOptions options_;
  Output rate_, decay_, momentum_, epsilon_;
};

}  // namespace ramet
