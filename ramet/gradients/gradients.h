#pragma once

#include <string>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/gradients/gradient_registry.h"

namespace ramet {

// What is differentiated with respect to: a tensor, or a variable (its reference or handle, so that
// every use of the variable counts).
class RAMET_EXPORT GradientTarget {
 public:
  GradientTarget(Output output) : output_(output) {}  // NOLINT: implicit on purpose
  GradientTarget(const Variable& variable)            // NOLINT
      : output_(variable.valid() ? variable.ref() : Output()) {}
  const Output& output() const { return output_; }

 private:
  Output output_;
};

// What stands for the gradient of an x that no y depends on.
enum class Unconnected { kNone, kZero };

// How several contributions to one gradient are added: one AddN over all, or AddN pair by pair
// under
// "<op>_gradient_sum" (EXPERIMENTAL_TREE), which lets them go earlier.
enum class Aggregation { kAddN, kTree };

struct GradientsOptions {
  std::vector<Gradient> grad_ys = {};  // none, or one per y; Gradient() means ones
  std::vector<Output> stop_gradients = {};
  std::string name = "gradients";
  bool colocate_gradients_with_ops = false;
  Unconnected unconnected = Unconnected::kNone;
  bool gate_gradients = false;  // hold back the gradients of an op until all of it are computed
  Aggregation aggregation = Aggregation::kAddN;
};

// Adds the nodes that compute d(sum of ys)/dx for each x, as tf.gradients does and under its names,
// and returns one gradient per x. Gradients flow through float, complex, resource and variant
// tensors only. Branches and while loops are gone through where their
// contexts are known (ramet/graph/control_flow_context.h). Time and memory are linear in the
// ancestors of ys; nothing recurses.
//
// \error kInvalidArgument if ys or xs is empty, a handle is invalid or of another graph, grad_ys
// has
//   another length than ys, a grad_y has a dtype that cannot be the gradient of its y, a y has no
//   default gradient (complex, string, ...), or a gradient function returns gradients that do not
//   fit the inputs, or gradients that are asked for inside of a while loop go through the initial
//   value of a loop variable; kNotFound "No gradient defined for operation 'n' (op type: T)";
//   kUnimplemented for gradients of gradients of a while loop; kFailedPrecondition if a loop lies
//   between ys and xs whose context is not known (it came from a GraphDef); the graph's status() if
//   building fails or had failed.
RAMET_EXPORT StatusOr<std::vector<Gradient>> Gradients(const std::vector<Output>& ys,
                                                       const std::vector<GradientTarget>& xs,
                                                       const GradientsOptions& options = {});

}  // namespace ramet
