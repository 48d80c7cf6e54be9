#pragma once

#include <memory>

#include "ramet/graph/function_library.h"
#include "ramet/graph/graph_impl.h"

namespace ramet {

// Turns a FunctionDef into a graph: arguments become Placeholders, names of arguments ("x",
// "x:1", "node:out:0") become those of tensors, placeholders for attrs are replaced by `attrs`. The
// body shares `library`. `arg_shapes`, where there is one for an argument's tensor, says more of
// its shape than the definition does. \error as InstantiateFunction.
StatusOr<std::unique_ptr<FunctionBody>> MakeFunctionBody(const FunctionDef& def,
                                                         const AttrMap& attrs,
                                                         const GraphVersions& versions,
                                                         std::shared_ptr<FunctionLibrary> library,
                                                         const std::vector<Shape>& arg_shapes = {});

// As FindFunction, with what is known of the shapes of the arguments; kept by itself.
StatusOr<std::shared_ptr<const FunctionBody>> FindFunctionFor(const GraphImpl& graph,
                                                              const FunctionRef& ref,
                                                              const std::vector<Shape>& arg_shapes);

// The attrs of the function's signature: as in `attrs`, or else their defaults.
// \error kInvalidArgument naming the function and the attr if one is missing or wrong.
StatusOr<AttrMap> BindSignature(const OpSchema& signature, const AttrMap& attrs);

// An empty graph that shares a library.
std::unique_ptr<Graph> NewGraphWith(std::shared_ptr<FunctionLibrary> library,
                                    const GraphVersions& versions);

}  // namespace ramet
