#pragma once

#include <string>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/gradients/gradient_registry.h"

namespace ramet {

// The x of a derivative dy/dx: a tensor, or a variable, which stands for its reference or handle,
// so that every use of the variable counts.
class RAMET_EXPORT GradientTarget {
 public:
  GradientTarget(Output output) : output_(output) {}  // NOLINT: implicit on purpose
  GradientTarget(const Variable& variable)            // NOLINT
      : output_(variable.valid() ? variable.ref() : Output()) {}
  const Output& output() const { return output_; }

 private:
  Output output_;
};

// The gradient of an x that no y depends on.
enum class Unconnected { kNone, kZero };

// How multiple contributions to a gradient are added: by a single AddN, or pairwise by AddN nodes
// under "<op>_gradient_sum" (EXPERIMENTAL_TREE), which lets contributions be freed earlier.
enum class Aggregation { kAddN, kTree };

struct GradientsOptions {
  std::vector<Gradient> grad_ys = {};  // empty, or one per y; Gradient() means ones
  std::vector<Output> stop_gradients = {};
  std::string name = "gradients";
  bool colocate_gradients_with_ops = false;
  Unconnected unconnected = Unconnected::kNone;
  bool gate_gradients = false;  // use an op's gradients only after all of them are computed
  Aggregation aggregation = Aggregation::kAddN;
};

// Adds the nodes that compute d(sum of ys)/dx for each x, with the structure and names of
// tf.gradients, and returns one gradient per x. Gradients flow only through float, complex,
// resource and variant tensors. Branches and while loops are differentiated if their contexts are
// known (ramet/graph/control_flow_context.h). Time and memory are linear in the ancestors of ys,
// and the depth of the graph is not limited by the stack.
//
// If building fails or had failed, returns the graph's status().
// \error kInvalidArgument: ys or xs is empty, or a handle is invalid or belongs to a different
//   graph.
// \error kInvalidArgument: grad_ys differs in length from ys, or a grad_y has the wrong dtype.
// \error kInvalidArgument: a y has no default gradient (complex, string, ...).
// \error kInvalidArgument: a gradient function returns gradients that do not match the inputs.
// \error kInvalidArgument: gradients requested inside a while loop depend on the initial value of a
//   loop variable.
// \error kNotFound: "No gradient defined for operation 'n' (op type: T)".
// \error kUnimplemented: gradients of gradients of a while loop are requested.
// \error kResourceExhausted: functions are nested too deep for the limit or for this thread's stack,
//   or the gradients of their loops and branches are out of proportion.
// \error kFailedPrecondition: a loop of unknown context (from a GraphDef) lies between ys and xs.
RAMET_EXPORT StatusOr<std::vector<Gradient>> Gradients(const std::vector<Output>& ys,
                                                       const std::vector<GradientTarget>& xs,
                                                       const GradientsOptions& options = {});

}  // namespace ramet
