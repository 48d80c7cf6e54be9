#pragma once

#include "ramet/graph/graph_impl.h"
#include "ramet/graph_def/function.h"
#include "ramet/proto/function.pb.h"

namespace ramet {

// Writes a part of a graph as a function. The caller holds the graph's lock for reading and has
// checked that the elements of `spec` belong to the graph. Errors are those of DefineFunction.
Status WriteFunction(const GraphImpl& impl, const FunctionSpec& spec, FunctionDef* def);

}  // namespace ramet
