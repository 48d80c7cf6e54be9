#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ramet/graph/graph.h"

namespace ramet {

// A FunctionBody is a function of a graph's library as a graph of its own, which a call runs. It
// shares the library with the graph that it was made for, so that functions can call each other.
struct FunctionBody {
  FunctionBody() = default;
  FunctionBody(const FunctionBody&) = delete;
  FunctionBody& operator=(const FunctionBody&) = delete;

  // The function's name and the signature attrs that this body was instantiated with.
  FunctionRef ref;
  std::unique_ptr<Graph> graph;
  // One Placeholder per tensor that a call takes, in signature order. The tensors of a list
  // argument are consecutive.
  std::vector<Output> args;
  // One tensor per result, in signature order. A result may be an arg, and may appear twice.
  std::vector<Output> returns;
  // The control outputs: operations that a call runs in addition to the results.
  std::vector<Operation> controls;
  // The other stateful operations. They also run in calls by name and in branches and loops that
  // are not lowered to Switch and Merge. The op PartitionedCall does not run them.
  std::vector<Operation> effects;
  // The results' names in the signature, one per tensor.
  std::vector<std::string> return_names;
};

}  // namespace ramet
