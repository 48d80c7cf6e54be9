#pragma once

#include <vector>

#include "ramet/graph/add_op.h"
#include "ramet/graph/graph.h"

namespace ramet {

// The gradient of one tensor: dense, sparse or none. A sparse gradient (IndexedSlices) assigns
// `values` to the rows `indices` of a tensor of shape `dense_shape`.
struct Gradient {
  Output values;
  Output indices;      // valid for IndexedSlices
  Output dense_shape;  // valid for IndexedSlices

  Gradient() = default;
  Gradient(Output dense) : values(dense) {}  // NOLINT: implicit on purpose
  bool exists() const { return values.valid(); }
  bool sparse() const { return indices.valid(); }
};

// A GradientContext is an operation being differentiated. A gradient function reads its inputs, its
// outputs and the gradients of its outputs, adds nodes (in the open scope "<gradients>/<op>_grad",
// which builder functions and operators use), and returns one gradient per input.
class RAMET_EXPORT GradientContext {
 public:
  // `zeros` has the values of grad(i) for outputs without a gradient; missing ones are made on
  // demand.
  GradientContext(Operation op, std::vector<Gradient> grads, std::vector<Output> zeros = {});

  Graph& graph() const { return *op_.graph(); }
  const Operation& op() const { return op_; }
  int num_inputs() const { return op_.num_inputs(); }
  int num_outputs() const { return op_.num_outputs(); }
  Output input(int i) const { return op_.input(i); }
  Output output(int i = 0) const { return op_.output(i); }
  // The gradient of output i as a dense tensor: a sparse one is converted, and a missing one is
  // zeros.
  Output grad(int i = 0);
  // The gradient as received, possibly sparse or missing.
  const Gradient& raw_grad(int i = 0) const { return grads_[i]; }
  template <class T>
  StatusOr<T> attr(std::string_view name) const {
    return op_.attr<T>(name);
  }

  // Adds an op and returns its output 0. Use AddOperation for ops with several outputs.
  Output Add(std::string_view op, const std::vector<Input>& inputs, AttrMap attrs = {},
             std::string_view name = "");
  Operation AddOperation(std::string_view op, const std::vector<Input>& inputs, AttrMap attrs = {},
                         std::string_view name = "");
  // Returns the gradients of the two inputs of a broadcasting op. Reduces each to the shape of its
  // input with Reshape(Sum(grad, broadcast axes)), unless static shapes show that the input was not
  // broadcast.
  Status ReturnBroadcast(Output grad_x, Output grad_y);

  // Sets one gradient per input; Gradient() means none. After a build error the handles may be
  // invalid.
  // \error kInvalidArgument: the number of gradients is not that of the inputs.
  Status Return(std::vector<Gradient> input_grads);
  const std::vector<Gradient>& returned() const { return returned_; }

 private:
  Operation op_;
  std::vector<Gradient> grads_;
  std::vector<Output> dense_;
  std::vector<Gradient> returned_;
};

}  // namespace ramet
