#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// A function of a graph's library as a graph of its own: what a call of it runs. The graph shares
// the library with the graph that it was made for, so that functions may call others.
struct RAMET_EXPORT FunctionBody {
  FunctionBody();
  ~FunctionBody();
  FunctionBody(const FunctionBody&) = delete;
  FunctionBody& operator=(const FunctionBody&) = delete;

  // The function's name and those attrs of the signature that this body was made with.
  FunctionRef ref;
  std::unique_ptr<Graph> graph;
  // One Placeholder for each tensor that a call takes, in the order of the signature; the tensors
  // of a list argument stand one after another.
  std::vector<Output> args;
  // One tensor for each result, in the order of the signature. May be args, and may repeat.
  std::vector<Output> returns;
  // What a call runs besides: the control outputs.
  std::vector<Operation> controls;
  // The other stateful operations. Calls by name, and branches and loops that are not lowered to
  // Switch and Merge, run them too; the op PartitionedCall does not.
  std::vector<Operation> effects;
  // Names of the results as the signature has them, one for each tensor.
  std::vector<std::string> return_names;
};

// The body of the function, made at the first call and kept with the library: the same one for the
// same name and attrs (attrs that the signature does not have do not count). It does not change.
// Any thread.
// \error kNotFound, with the nearest name, if the library of the graph has no such function;
//   kInvalidArgument naming the function and the node: an attr that is missing or wrong, an unknown
//   or doubly defined input, a cycle, dtypes that do not fit; kNotFound "Op type not registered"
//   for a node whose op is neither registered nor a function; kResourceExhausted for bodies out of
//   proportion.
RAMET_EXPORT StatusOr<std::shared_ptr<const FunctionBody>> FindFunction(const Graph& graph,
                                                                        const FunctionRef& ref);
// A body of the caller's own, to be added to. \error as FindFunction.
RAMET_EXPORT StatusOr<std::unique_ptr<FunctionBody>> InstantiateFunction(const Graph& graph,
                                                                         const FunctionRef& ref);
// What the op SymbolicGradient runs for f = `ref`: it takes the arguments of the function and the
// gradients of its results, and returns a gradient for each argument. It is the function that the
// library registers as the gradient of `ref` (GradientDef), or one that Gradients() makes. Made
// once and kept. \error as FindFunction and Gradients().
RAMET_EXPORT StatusOr<std::shared_ptr<const FunctionBody>> FindGradientFunction(
    const Graph& graph, const FunctionRef& ref);

// Whether the library has a function of this name.
RAMET_EXPORT bool HasFunction(const Graph& graph, std::string_view name);
// The names of the functions in the library, in the order in which they were added.
RAMET_EXPORT std::vector<std::string> FunctionNames(const Graph& graph);
// The function that the library registers as the gradient of another; "" if there is none.
RAMET_EXPORT std::string GradientFunctionName(const Graph& graph, std::string_view name);
// Registers it (GradientDef). \error kInvalidArgument if there is another one already.
RAMET_EXPORT Status SetGradientFunction(Graph& graph, std::string_view name,
                                        std::string_view gradient);

// An empty graph for building the body of a function of `graph`: it shares the library, and has the
// graph's versions and seed. It may outlive `graph`.
RAMET_EXPORT std::unique_ptr<Graph> NewFunctionGraph(const Graph& graph);

// Whether a graph is one that NewFunctionGraph or a FunctionBody made.
RAMET_EXPORT bool IsFunctionGraph(const Graph& graph);

// What part of a graph is to become a function.
struct FunctionSpec {
  std::string name = {};
  // Any tensors of one graph: what lies before them is not part of the function.
  std::vector<Output> args = {};
  std::vector<Output> returns = {};
  // Run by a call besides what the returns need; they are the control outputs of the function.
  std::vector<Operation> controls = {};
  // Names in the signature, made legal and different from each other; those of the tensors'
  // operations where there are none.
  std::vector<std::string> arg_names = {};
  std::vector<std::string> return_names = {};
  // Which operations may be part of it; all if there is none. What they wait for outside is left
  // out.
  std::function<bool(NodeId)> inside = {};
};

// Adds a function to the library of `graph`: the operations that returns and controls need, up to
// the args. Control inputs from operations that are behind args only are left out.
// \error kInvalidArgument if the name is empty, or taken by another function; if args, returns and
//   controls are not of one graph (`body`); if an operation's definition is not known.
RAMET_EXPORT Status DefineFunction(Graph& graph, const Graph& body, const FunctionSpec& spec);
// `name`, or with a number added, such that no function has it.
RAMET_EXPORT std::string UniqueFunctionName(const Graph& graph, std::string_view name);

// Who makes gradient functions for FindGradientFunction: the layer of gradients registers itself.
using GradientBodyMaker = StatusOr<std::unique_ptr<FunctionBody>> (*)(const Graph& graph,
                                                                      const FunctionRef& ref);
void RegisterGradientBodyMaker(GradientBodyMaker maker);

}  // namespace ramet
