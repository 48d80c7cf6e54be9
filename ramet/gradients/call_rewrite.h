#pragma once

#include <string>
#include <vector>

#include "ramet/gradients/body_gradient.h"

namespace ramet {

// Returns the attrs of a call that also apply to the call of its gradient: those that control how
// it runs.
AttrMap AttrsOfGradientCall(const AttrMap& attrs);
// Returns the variant of an op that may be pruned: "StatelessIf" for "If".
std::string StatelessOp(const std::string& op);
std::string StatefulOp(const std::string& op);
// Returns names for the gradient function and for its matching forward function.
std::string GradientNameFor(const Graph& graph, const FunctionRef& function);
std::string ForwardNameFor(const Graph& graph, const FunctionRef& function);

// Defines a function that takes the args of `gradient`'s body and `more_args`, and returns the
// body's returns and `more_returns`. It keeps the control outputs; if `with_effects`, it also runs
// stateful operations that are not control outputs.
Status DefineForward(Graph& graph, const BodyGradient& gradient, const std::string& name,
                     const std::vector<Output>& more_args, const std::vector<Output>& more_returns,
                     bool with_effects);

}  // namespace ramet
