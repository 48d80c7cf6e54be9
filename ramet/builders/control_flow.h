#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ramet/graph/scope.h"

namespace ramet {

using Outputs = std::vector<Output>;

// Chooses one of two computations while the graph runs (tf.cond): the result is that of `then` if
// `pred`, a bool scalar, is true, otherwise that of `otherwise`. Both functions are called once,
// immediately. Operations that they add run only if their branch is taken; outside values that they
// use are always computed. Both must return the same number of outputs, with the same dtypes. The
// static shapes are what both have in common.
//
// On an error, which the graph keeps (kInvalidArgument if the branches do not match), there are no
// outputs, or invalid ones.
RAMET_EXPORT Outputs Cond(Scope& scope, const Output& pred, const std::function<Outputs()>& then,
                          const std::function<Outputs()>& otherwise,
                          std::string_view name = "cond");

struct WhileLoopOptions {
  // Shapes of the variables in every iteration. Default: their initial shapes.
  std::vector<Shape> shape_invariants = {};
  int parallel_iterations = 10;  // maximum number of concurrent iterations
  bool back_prop = true;         // if false, no gradients can be computed
  bool swap_memory = false;      // allows moving values for gradients to host memory
  // An integer scalar; the loop ends after this many iterations.
  std::optional<Input> maximum_iterations = {};
  std::string_view name = "while";
};
// Runs a loop (tf.while_loop) and returns the final values of `variables`. While `condition` of
// them, a bool scalar, is true, `body` computes their next values. Both functions are called once,
// immediately. At least one variable is required.
//
// On an error, which the graph keeps (kInvalidArgument if `body` returns a wrong number of outputs,
// wrong dtypes, or shapes that the variables do not allow), the outputs are invalid.
RAMET_EXPORT Outputs WhileLoop(Scope& scope, const std::function<Output(const Outputs&)>& condition,
                               const std::function<Outputs(const Outputs&)>& body,
                               const std::vector<Input>& variables,
                               const WhileLoopOptions& options = {});

}  // namespace ramet
