#pragma once

#include <vector>

#include "ramet/graph/add_op.h"
#include "ramet/graph/graph.h"

namespace ramet {

// The gradient of one tensor: dense, sparse (IndexedSlices: rows `indices` of a tensor of shape
// `dense_shape` have the gradient `values`), or none.
struct Gradient {
  Output values;
  Output indices;      // valid for IndexedSlices
  Output dense_shape;  // valid for IndexedSlices

  Gradient() = default;
  Gradient(Output dense) : values(dense) {}  // NOLINT: implicit on purpose
  bool exists() const { return values.valid(); }
  bool sparse() const { return indices.valid(); }
};

// A GradientContext is one operation under differentiation. A gradient function reads its inputs,
// outputs and the gradients that arrive at the outputs, adds nodes (builder functions and operators
// follow the scope "<gradients>/<op>_grad" that is open), and returns one gradient per input.
class RAMET_EXPORT GradientContext {
 public:
  // `zeros`: what grad(i) is where no gradient arrives; made when it is asked for if there is none.
  GradientContext(Operation op, std::vector<Gradient> grads, std::vector<Output> zeros = {});

  Graph& graph() const { return *op_.graph(); }
  const Operation& op() const { return op_; }
  int num_inputs() const { return op_.num_inputs(); }
  int num_outputs() const { return op_.num_outputs(); }
  Output input(int i) const { return op_.input(i); }
  Output output(int i = 0) const { return op_.output(i); }
  // The gradient of output i; dense (a sparse one is made dense), zeros if none arrives but another
  // output has one.
  Output grad(int i = 0);
  // The gradient as it arrived.
  const Gradient& raw_grad(int i = 0) const { return grads_[i]; }
  template <class T>
  StatusOr<T> attr(std::string_view name) const {
    return op_.attr<T>(name);
  }

  // Adds an op; the output 0 of it. Op(...) for ops with several outputs.
  Output Add(std::string_view op, const std::vector<Input>& inputs, AttrMap attrs = {},
             std::string_view name = "");
  Operation AddOperation(std::string_view op, const std::vector<Input>& inputs, AttrMap attrs = {},
                         std::string_view name = "");
  // Makes `grad` (of a broadcast result) as large as `x` was: Reshape(Sum(grad, axes of
  // broadcasting)), left away where static shapes say that x was not broadcast. Both sides at once
  // as TensorFlow does.
  Status ReturnBroadcast(Output grad_x, Output grad_y);

  // One gradient per input; Gradient() where there is none. Invalid handles after a build error.
  Status Return(std::vector<Gradient> input_grads);
  const std::vector<Gradient>& returned() const { return returned_; }

 private:
  Operation op_;
  std::vector<Gradient> grads_;
  std::vector<Output> dense_;
  std::vector<Gradient> returned_;
};

}  // namespace ramet
