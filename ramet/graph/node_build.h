#pragma once

#include <vector>

#include "ramet/graph/graph_impl.h"

namespace ramet {

class ConstantEvaluator;

// Fills in attrs that are not given: types and counts from the inputs' dtypes, then defaults.
// \error kInvalidArgument if the number of inputs cannot be made to fit the op's definition.
Status InferAttrs(const OpSchema& schema, const std::vector<DType>& input_types, AttrMap* attrs);

// How many of `num_inputs` flat inputs each argument of `schema` takes, given what attrs are set.
// \error kInvalidArgument if it does not come out even.
StatusOr<std::vector<int>> SplitInputs(const OpSchema& schema, int num_inputs,
                                       const AttrMap& attrs);

// Shapes of the outputs of a node that is not yet in the graph.
// \error kInvalidArgument as the op's shape function says.
StatusOr<std::vector<Shape>> InferShapes(const GraphImpl& impl, const Op& op, const AttrMap& attrs,
                                         const std::vector<Endpoint>& inputs, int num_outputs);
// Does the same for many nodes of one graph: `constants` remembers values from one to the next.
StatusOr<std::vector<Shape>> InferShapes(ConstantEvaluator& constants, const Op& op,
                                         const AttrMap& attrs, const std::vector<Endpoint>& inputs,
                                         int num_outputs);

// The dtype and declared shape of the variable that a resource edge names, where its VarHandleOp
// can be seen; kInvalid and an unknown shape otherwise.
std::pair<DType, Shape> HandleOf(const GraphImpl& impl, Endpoint e);
std::pair<DType, Shape> HandleOf(ConstantEvaluator& constants, Endpoint e);

}  // namespace ramet
