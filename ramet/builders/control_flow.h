#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ramet/graph/scope.h"

namespace ramet {

using Outputs = std::vector<Output>;

// One of two computations, chosen while the graph runs (tf.cond): what `then` returns where `pred`,
// a bool scalar, holds, and what `otherwise` returns where not. Both are called once, now.
// Operations that they add run only where their branch is taken; what they use from outside is
// computed either way. They return as many outputs, of the same dtypes. Shapes: what both have in
// common.
//
// After an error, which the graph keeps (kInvalidArgument if the branches do not fit each other),
// there are no outputs, or invalid ones.
RAMET_EXPORT Outputs Cond(Scope& scope, const Output& pred, const std::function<Outputs()>& then,
                          const std::function<Outputs()>& otherwise,
                          std::string_view name = "cond");

// A computation and the bool scalar that says whether it may be taken.
struct CaseBranch {
  Output pred;
  std::function<Outputs()> branch;
};
struct CondCaseOptions {
  bool exclusive = false;  // whether it is an error of the run that more than one pred holds
  std::string_view name = "case";
};
// What the first branch returns whose `pred` holds, or `otherwise` where none does (tf.case): a
// Cond within the other. Without `otherwise` it is an error of the run (kInvalidArgument) that none
// holds.
//
// After an error, which the graph keeps (as Cond; kInvalidArgument if there is no branch), there
// are no outputs, or invalid ones.
RAMET_EXPORT Outputs Case(Scope& scope, const std::vector<CaseBranch>& branches,
                          const std::function<Outputs()>& otherwise = nullptr,
                          const CondCaseOptions& options = {});

struct WhileLoopOptions {
  // Shapes that the variables have in each iteration; none: those that they begin with.
  std::vector<Shape> shape_invariants = {};
  int parallel_iterations = 10;  // at most so many iterations at a time
  bool back_prop = true;         // whether gradients can be taken
  bool swap_memory = false;      // whether what gradients need may go to the host's memory
  // An integer scalar: the loop ends after so many iterations.
  std::optional<Input> maximum_iterations = {};
  std::string_view name = "while";
};
// `variables` as they are once `condition` of them, a bool scalar, holds no more; `body` makes the
// next values (tf.while_loop). Both are called once, now. At least one variable is needed.
//
// After an error, which the graph keeps (kInvalidArgument if `body` returns another number of
// outputs, other dtypes, or shapes that the variables do not have), the outputs are invalid.
RAMET_EXPORT Outputs WhileLoop(Scope& scope, const std::function<Output(const Outputs&)>& condition,
                               const std::function<Outputs(const Outputs&)>& body,
                               const std::vector<Input>& variables,
                               const WhileLoopOptions& options = {});

}  // namespace ramet
