#pragma once

#include "ramet/builders/train/optimizer.h"

namespace ramet {

// The optimizers of tf.train. Hyperparameters such as learning rates are numbers, or tensors
// (Output, Variable) of a floating dtype, which are cast to each variable's dtype. See tf.train's
// documentation for the formulas.

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
