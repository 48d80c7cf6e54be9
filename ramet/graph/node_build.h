#pragma once

#include <vector>

#include "ramet/graph/graph_impl.h"

namespace ramet {

class ConstantEvaluator;

// Fills in missing attrs: types and counts from the inputs' dtypes, then defaults.
// \error kInvalidArgument: the number of inputs does not match the op's definition.
Status InferAttrs(const OpSchema& schema, const std::vector<DType>& input_types, AttrMap* attrs);

// Returns how many of `num_inputs` flat inputs each argument of `schema` takes, given the attrs
// that are set.
// \error kInvalidArgument: the inputs cannot be divided among the arguments.
StatusOr<std::vector<int>> SplitInputs(const OpSchema& schema, int num_inputs,
                                       const AttrMap& attrs);

// Returns the output shapes of a node that is not in the graph yet.
// \error kInvalidArgument: the op's shape function rejects the inputs.
StatusOr<std::vector<Shape>> InferShapes(const GraphImpl& impl, const Op& op, const AttrMap& attrs,
                                         const std::vector<Endpoint>& inputs, int num_outputs);
// InferShapes for many nodes of one graph; `constants` caches values between calls.
StatusOr<std::vector<Shape>> InferShapes(ConstantEvaluator& constants, const Op& op,
                                         const AttrMap& attrs, const std::vector<Endpoint>& inputs,
                                         int num_outputs);

// Returns the dtype and declared shape of the variable that a resource edge refers to, or kInvalid
// and an unknown shape if its VarHandleOp cannot be determined.
std::pair<DType, Shape> HandleOf(const GraphImpl& impl, Endpoint e);
std::pair<DType, Shape> HandleOf(ConstantEvaluator& constants, Endpoint e);

}  // namespace ramet
