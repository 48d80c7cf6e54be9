#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/function_body.h"
#include "ramet/graph/graph.h"

namespace ramet {

// Returns the body of the function. It is instantiated on the first call and cached in the library;
// equal names and signature attrs give the same body. The body is immutable. Thread-safe.
// \error kNotFound: the library has no such function (with the most similar name), or "Op type not
//   registered" for a node whose op is neither registered nor a function.
// \error kInvalidArgument: a missing or wrong attr, an unknown or duplicate input, a cycle, or
//   mismatched dtypes. Names the function and the node.
// \error kResourceExhausted: the body is disproportionately large, or this thread's stack has no room
//   for functions that are nested as deep.
RAMET_EXPORT StatusOr<std::shared_ptr<const FunctionBody>> FindFunction(const Graph& graph,
                                                                        const FunctionRef& ref);
// Instantiates a new body that the caller owns and may add to. Errors are those of FindFunction.
RAMET_EXPORT StatusOr<std::unique_ptr<FunctionBody>> InstantiateFunction(const Graph& graph,
                                                                         const FunctionRef& ref);
// Returns the body that the op SymbolicGradient runs for f = `ref`. It takes the function's
// arguments and the gradients of its results, and returns a gradient for each argument. It is the
// function that the library registers as the gradient of `ref` (GradientDef), or else one that
// Gradients() builds. Built once and cached. Errors are those of FindFunction and Gradients().
RAMET_EXPORT StatusOr<std::shared_ptr<const FunctionBody>> FindGradientFunction(
    const Graph& graph, const FunctionRef& ref);

// Reports whether the library has a function of this name.
RAMET_EXPORT bool HasFunction(const Graph& graph, std::string_view name);
// The names of the library's functions in the order of addition.
RAMET_EXPORT std::vector<std::string> FunctionNames(const Graph& graph);
// The function that the library registers as the gradient of another; "" if there is none.
RAMET_EXPORT std::string GradientFunctionName(const Graph& graph, std::string_view name);
// Registers `gradient` as the gradient of `name` (GradientDef).
// \error kInvalidArgument: a different gradient is registered already.
RAMET_EXPORT Status SetGradientFunction(Graph& graph, std::string_view name,
                                        std::string_view gradient);

// Returns an empty graph for building the body of a function of `graph`. It shares the library and
// has the graph's versions and seed. It may outlive `graph`.
RAMET_EXPORT std::unique_ptr<Graph> NewFunctionGraph(const Graph& graph);

// Reports whether a graph was made by NewFunctionGraph or a FunctionBody.
RAMET_EXPORT bool IsFunctionGraph(const Graph& graph);

// The part of a graph that DefineFunction turns into a function.
struct FunctionSpec {
  std::string name = {};
  // Any tensors of one graph. The nodes that compute them are not part of the function.
  std::vector<Output> args = {};
  std::vector<Output> returns = {};
  // Operations that a call runs in addition to what the returns need: the function's control
  // outputs.
  std::vector<Operation> controls = {};
  // Names in the signature, made legal and unique. Defaults to the names of the tensors'
  // operations.
  std::vector<std::string> arg_names = {};
  std::vector<std::string> return_names = {};
  // Reports whether an operation may be part of the function; all may if unset. Control inputs from
  // other operations are dropped.
  std::function<bool(NodeId)> inside = {};
};

// Adds a function to the library of `graph`: the operations that returns and controls need, up to
// the args. Control inputs from operations that are reachable only through args are dropped.
// \error kInvalidArgument: the name is empty or taken by a different function; args, returns and
//   controls do not all belong to `body`; or an operation's definition is unknown.
RAMET_EXPORT Status DefineFunction(Graph& graph, const Graph& body, const FunctionSpec& spec);
// Returns `name`, with a number appended if a function already has it.
RAMET_EXPORT std::string UniqueFunctionName(const Graph& graph, std::string_view name);

// A function that makes gradient functions for FindGradientFunction. The gradients layer registers
// one.
using GradientBodyMaker = StatusOr<std::unique_ptr<FunctionBody>> (*)(const Graph& graph,
                                                                      const FunctionRef& ref);
void RegisterGradientBodyMaker(GradientBodyMaker maker);

}  // namespace ramet
