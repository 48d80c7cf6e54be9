#pragma once

#include <memory>

#include "ramet/graph/function_library.h"
#include "ramet/graph/graph_impl.h"

namespace ramet {

// Turns a FunctionDef into a graph. Arguments become Placeholders, references to arguments and
// nodes ("x", "x:1", "node:out:0") become tensor names, and attr placeholders are replaced by
// `attrs`. The body shares `library`. `arg_shapes`, if given, refines the shapes of the argument
// tensors. Errors are those of InstantiateFunction.
StatusOr<std::unique_ptr<FunctionBody>> MakeFunctionBody(const FunctionDef& def,
                                                         const AttrMap& attrs,
                                                         const GraphVersions& versions,
                                                         std::shared_ptr<FunctionLibrary> library,
                                                         const std::vector<Shape>& arg_shapes = {});

// Like FindFunction, but with known argument shapes. Cached separately.
StatusOr<std::shared_ptr<const FunctionBody>> FindFunctionFor(const GraphImpl& graph,
                                                              const FunctionRef& ref,
                                                              const std::vector<Shape>& arg_shapes);

// Returns an empty graph that shares `library`.
std::unique_ptr<Graph> NewGraphWith(std::shared_ptr<FunctionLibrary> library,
                                    const GraphVersions& versions);

}  // namespace ramet
