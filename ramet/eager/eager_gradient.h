#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramet/eager/eager_function.h"

namespace ramet {

// The gradient of an EagerFunction: a function from its args, its results and the gradients of its
// results to the gradients of some args.
struct EagerGradientFunction {
  // Null if none of the args has a gradient.
  std::shared_ptr<EagerFunction> function;
  // Which of the args, followed by the results, the function takes first.
  std::vector<int> taken;
  // One for each arg. The positions in the results of the function; -1 for none.
  struct Parts {
    int values = -1, indices = -1, dense_shape = -1;
  };
  std::vector<Parts> gradients;
};

// Returns the gradient of `function` for the arriving gradients of its results and for the args
// that are wanted. It is built on first use, by the gradient functions of the graph, and kept with
// the function.
// \error as for Gradients().
StatusOr<std::shared_ptr<const EagerGradientFunction>> GradientOf(
    EagerFunction& function, std::span<const EagerGradient> arriving,
    const std::vector<bool>& wanted);

// Returns a function that adds gradients of one value with the dtypes of `parts`.
// \error as for EagerFunction::Make.
StatusOr<std::shared_ptr<const EagerGradientFunction>> SumFunction(
    const Graph& library, FunctionTable& table, std::span<const EagerGradient> parts);

// Returns a text that tells gradients with different dtypes and kinds apart.
std::string KindsOf(std::span<const EagerGradient> gradients);

// Appends the values of a gradient that exist.
void AppendParts(const EagerGradient& gradient, std::vector<EagerValue>* values);
// Picks a gradient out of the results of an EagerGradientFunction.
EagerGradient PickGradient(const EagerGradientFunction::Parts& parts,
                           std::span<const EagerValue> results);

}  // namespace ramet
