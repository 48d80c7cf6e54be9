#pragma once

#include <string>
#include <vector>

#include "ramet/gradients/body_gradient.h"

namespace ramet {

// Attrs of a call that hold for the call of its gradients too: those that say how it is run.
AttrMap AttrsOfGradientCall(const AttrMap& attrs);
// "StatelessIf" for "If": the op that may be pruned.
std::string StatelessOp(const std::string& op);
std::string StatefulOp(const std::string& op);
// A name for the gradient function, and for the forward function that goes with it.
std::string GradientNameFor(const Graph& graph, const FunctionRef& function);
std::string ForwardNameFor(const Graph& graph, const FunctionRef& function);

// A function that takes the args of `gradient`'s body and `more_args`, and returns what it
// returned and `more_returns`. It still does all that it did; `with_effects`: also what stateful
// operations do that are no control outputs.
Status DefineForward(Graph& graph, const BodyGradient& gradient, const std::string& name,
                     const std::vector<Output>& more_args, const std::vector<Output>& more_returns,
                     bool with_effects);

}  // namespace ramet
