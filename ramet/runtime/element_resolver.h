#pragma once

#include <variant>

#include "ramet/runtime/session.h"

namespace ramet {

// An ElementResolver finds the tensors and operations of one graph that feeds and fetches name.
class ElementResolver {
 public:
  explicit ElementResolver(Graph& graph) : graph_(graph) {}
  // \error kNotFound: the graph has no element of that name.
  // \error kInvalidArgument: the handle is invalid or from a different graph.
  // \error kUnimplemented: the tensor is a handle or a variant, which cannot leave a session.
  StatusOr<std::variant<Output, Operation>> ResolveFetch(const GraphElement& element) const;
  // \error as for ResolveFetch.
  // \error kInvalidArgument: the element is an operation.
  StatusOr<Output> ResolveTensor(const GraphElement& element) const;

 private:
  Graph& graph_;
};

// Checks a value against the tensor that it is fed for.
// \error kInvalidArgument: the value is empty, or its dtype or shape does not match.
Status CheckFeed(const Output& tensor, const Tensor& value);

}  // namespace ramet
