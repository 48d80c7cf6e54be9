#pragma once

#include <variant>

#include "ramet/runtime/session.h"

namespace ramet {

// An ElementResolver finds the tensors and operations of one graph that feeds and fetches name.
class ElementResolver {
 public:
  explicit ElementResolver(Graph& graph) : graph_(graph) {}
  // \error kNotFound, kInvalidArgument if there is no such element in the graph; kUnimplemented if
  // the tensor is a handle or a variant, which cannot leave a session.
  StatusOr<std::variant<Output, Operation>> ResolveFetch(const GraphElement& element) const;
  // \error as ResolveFetch; kInvalidArgument if the element is an operation.
  StatusOr<Output> ResolveTensor(const GraphElement& element) const;

 private:
  Graph& graph_;
};

// Checks a value against the tensor that it is fed for. \error kInvalidArgument if the value is
// empty or its dtype or shape does not fit.
Status CheckFeed(const Output& tensor, const Tensor& value);

}  // namespace ramet
