#pragma once

#include <memory>
#include <string>

#include "ramet/graph/function_library.h"
#include "ramet/graph/graph_impl.h"

namespace ramet {

// A function of a library with the attrs to instantiate it.
struct BoundFunction {
  std::shared_ptr<FunctionLibrary> library;
  const FunctionDef* def;
  AttrMap attrs;
};

// Finds the function that `ref` names and binds the attrs of its signature.
// \error kNotFound: the library has no such function. Names the most similar one.
// \error kInvalidArgument: an attr is missing or wrong. Names the function and the attr.
StatusOr<BoundFunction> BindFunction(const GraphImpl& graph, const FunctionRef& ref);

// Returns a key for FunctionLibrary::BodyFor. Equal functions and attrs give the same key.
// \error kInvalidArgument: an attr has no proto form.
StatusOr<std::string> KeyOf(const BoundFunction& function);

}  // namespace ramet
