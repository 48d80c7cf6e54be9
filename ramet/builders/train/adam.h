#pragma once

#include "ramet/builders/train/optimizer.h"

namespace ramet {

struct AdamOptions {
  Input beta1 = 0.9;
  Input beta2 = 0.999;
  Input epsilon = 1e-8;
  std::string name = "Adam";
};
// Kingma & Ba 2014, in the form before section 2.1. Slots "m" and "v". The variables beta1_power
// and beta2_power are placed with the first variable by name.
class RAMET_EXPORT Adam : public Optimizer {
 public:
  explicit Adam(Input learning_rate = 0.001, const AdamOptions& options = {})
      : Optimizer(options.name), learning_rate_(std::move(learning_rate)), options_(options) {}

 protected:
  void CreateSlots(Graph& graph, const std::vector<Variable>& variables) override;
  void Prepare(Graph& graph) override;
  Operation ApplyDense(const Output& grad, const Variable& variable) override;
  Operation ApplySparse(const Gradient& grad, const Variable& variable) override;
  std::vector<std::string_view> SparseOps() const override;
  Operation Finish(Graph& graph, const std::vector<Operation>& updates,
                   const std::string& name) override;

 private:
  Output UpdateSlotRows(const Variable& slot, const Output& decay, const Output& addend,
                        const Output& indices);

  Input learning_rate_;
  AdamOptions options_;
  Output rate_, beta1_, beta2_, epsilon_;
};

}  // namespace ramet
